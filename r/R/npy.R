# Arrays of NumPy: the only binary files of a release.

#' Read an array that NumPy wrote
#'
#' Numbers, complex numbers and truth values, in any number of dimensions.
#'
#' @param file Path of an npy file.
#' @return An array with the dimensions of the file, or a vector of one dimension.
geomdp_read_npy <- function(file) {
  size <- file.size(file)
  stream <- file(file, "rb")
  on.exit(close(stream))
  magic <- readBin(stream, "raw", 8L)
  if (length(magic) < 8L || !identical(magic[2:6], charToRaw("NUMPY"))) {
    stop(basename(file), " is no npy file; copy it again.", call. = FALSE)
  }
  wide <- as.integer(magic[7]) > 1L
  count <- readBin(stream, "integer", 1L, if (wide) 4L else 2L, signed = wide, endian = "little")
  header <- rawToChar(readBin(stream, "raw", count))
  type <- .field(header, "'descr': *'([^']*)'")
  fortran <- .field(header, "'fortran_order': *(True|False)") == "True"
  shape <- as.numeric(strsplit(gsub("[ L]", "", .field(header, "'shape': *\\(([^)]*)\\)")), ",")[[1]])
  total <- prod(shape)
  if (total * .bytes(type) > size) {
    stop(basename(file), " is cut short; copy it again.", call. = FALSE)
  }
  numbers <- .numbers(stream, type, total)
  if (length(shape) < 2L) return(numbers)
  if (fortran) return(array(numbers, shape))
  aperm(array(numbers, rev(shape)), rev(seq_along(shape)))
}

.field <- function(header, pattern) {
  found <- regmatches(header, regexec(pattern, header))[[1]]
  if (length(found) < 2L) stop("The header of the npy file is damaged; copy it again.", call. = FALSE)
  found[2]
}

.kinds <- list(
  f8 = list("double", 8L), f4 = list("double", 4L), i8 = list("int64", 8L), i4 = list("integer", 4L),
  b1 = list("logical1", 1L), c16 = list("complex", 16L)
)

.kind <- function(type) {
  found <- .kinds[[sub("^[<>|=]", "", type)]]
  if (is.null(found)) stop("An npy file of type ", type, " holds no numbers that R can read.", call. = FALSE)
  found
}

.bytes <- function(type) .kind(type)[[2]]

.numbers <- function(stream, type, total) {
  kind <- .kind(type)
  end <- if (startsWith(type, ">")) "big" else "little"
  switch(kind[[1]],
    complex = readBin(stream, "complex", total, endian = end),
    logical1 = readBin(stream, "integer", total, 1L) != 0L,
    int64 = {
      halves <- matrix(readBin(stream, "integer", 2 * total, 4L, endian = "little"), 2L)
      ifelse(halves[1, ] < 0, halves[1, ] + 2^32, halves[1, ]) + halves[2, ] * 2^32
    },
    readBin(stream, kind[[1]], total, kind[[2]], endian = end)
  )
}
