# What needs Python is done by the command, as people type it.

#' Run the command
#'
#' @param ... What is typed behind \code{geomdp}, a text each.
#' @return What the command printed, a text a line. A refusal is an error with the command's
#'   own sentence.
geomdp_run <- function(...) {
  words <- vapply(c(...), as.character, "")
  answers <- tempfile("geomdp")
  on.exit(unlink(answers))
  printed <- suppressWarnings(
    system2(.command(), shQuote(words), stdout = TRUE, stderr = answers)
  )
  status <- attr(printed, "status")
  if (!is.null(status) && status != 0L) {
    said <- if (file.exists(answers)) readLines(answers, warn = FALSE) else character()
    stop(paste(c(said, printed), collapse = "\n"), call. = FALSE)
  }
  as.character(printed)
}

.command <- function() {
  named <- getOption("geomdp.command", Sys.getenv("GEOMDP_COMMAND"))
  found <- if (nzchar(named)) named else unname(Sys.which("geomdp"))
  if (!nzchar(found)) {
    stop("The command geomdp is not found; install it (pip install geomdp), or say where it is: ",
         "options(geomdp.command = \"path/to/geomdp\").", call. = FALSE)
  }
  found
}

#' Plan a release
#'
#' Touches no data. Options are those of \code{geomdp plan --help}, with underscores for dashes;
#' \code{TRUE} stands for a switch, a vector for numbers with commas between them, and a matrix
#' of landmarks as \code{center} travels in a file.
#'
#' @param out File of the plan, new.
#' @param ... Options, by name: \code{space = "planar-shapes:12"}, \code{n = 300}, \code{mu = 1}.
#' @return The plan, of class \code{geomdp_plan}.
geomdp_plan <- function(out, ...) {
  given <- list(...)
  if (is.matrix(given$center)) {
    center <- tempfile("center", fileext = ".csv")
    on.exit(unlink(center))
    utils::write.csv(.row(given$center), center, row.names = FALSE, quote = FALSE)
    given$center <- center
  }
  geomdp_run("plan", .options(given), "--out", out)
  geomdp_read_plan(out)
}

#' Release
#'
#' @param plan A plan's file.
#' @param data A file or folder, or an array: \code{p x k x n} landmarks as geomorph keeps them,
#'   or a matrix or data frame with a record a row. What lies in memory travels in a file that
#'   nobody else may read, and that is removed afterwards.
#' @param out Folder of the release, new.
#' @param ... Options of \code{geomdp release --help}, as in \code{\link{geomdp_plan}}.
#' @return The release, of class \code{geomdp_release}.
geomdp_release <- function(plan, data, out, ...) {
  if (!is.character(data)) {
    folder <- tempfile("records")
    dir.create(folder, mode = "0700")
    on.exit(unlink(folder, recursive = TRUE))
    data <- .written(data, folder)
  }
  geomdp_run("release", plan, data, "--out", out, .options(list(...)))
  geomdp_read_release(out)
}

#' Verify a release
#'
#' @param folder The folder of a release.
#' @return What the command says, invisibly; an error where the release does not hold.
geomdp_verify <- function(folder) {
  said <- geomdp_run("verify", folder)
  cat(said, sep = "\n")
  invisible(said)
}

#' Write landmarks as a TPS file
#'
#' @param landmarks Array \code{p x k x n}: landmarks, dimensions, specimens.
#' @param file Path of the file.
geomdp_write_tps <- function(landmarks, file) {
  if (length(dim(landmarks)) != 3L || !dim(landmarks)[2] %in% 2:3) {
    stop("Landmarks must be an array p x k x n with k of 2 or 3.", call. = FALSE)
  }
  head <- if (dim(landmarks)[2] == 2L) "LM=" else "LM3="
  blocks <- apply(landmarks, 3L, function(one) {
    lines <- apply(one, 1L, function(point) paste(.exact(point), collapse = " "))
    paste(c(paste0(head, nrow(one)), lines), collapse = "\n")
  })
  writeLines(paste0(blocks, "\nID=", seq_along(blocks)), file)
  invisible(file)
}

.written <- function(data, folder) {
  if (length(dim(data)) == 3L) return(geomdp_write_tps(data, file.path(folder, "landmarks.tps")))
  frame <- as.data.frame(data)
  numeric <- vapply(frame, is.numeric, NA)
  frame[numeric] <- lapply(frame[numeric], .exact)
  file <- file.path(folder, "records.csv")
  utils::write.csv(frame, file, row.names = FALSE, quote = which(!numeric), na = "")
  file
}

.exact <- function(numbers) ifelse(is.na(numbers), NA, sprintf("%.17g", numbers))

# A point as a row of a table; the names say that landmarks are pairs.
.row <- function(points) {
  row <- rbind(.exact(as.vector(t(points))))
  axes <- if (ncol(points) == 2L) c("x", "y") else paste0("v", seq_len(ncol(points)), ".")
  colnames(row) <- paste0(axes, rep(seq_len(nrow(points)), each = ncol(points)))
  row
}

.options <- function(given) {
  typed <- lapply(names(given), function(name) {
    option <- paste0("--", gsub("_", "-", name))
    value <- given[[name]]
    if (isTRUE(value)) return(option)
    if (identical(value, FALSE) || is.null(value)) return(character())
    if (is.list(value)) return(c(rbind(option, paste0(names(value), "=", unlist(value)))))
    text <- if (is.numeric(value)) .exact(value) else as.character(value)
    c(option, paste(text, collapse = ","))
  })
  unlist(typed)
}
