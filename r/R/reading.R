# Plans and releases as the command leaves them: read without Python.

#' Read a plan
#'
#' @param file The file that \code{geomdp plan --out} wrote.
#' @return The plan's document as a list of class \code{geomdp_plan}.
geomdp_read_plan <- function(file) {
  plan <- .json(file)
  if (is.null(plan$format) || is.null(plan$shape)) {
    stop(basename(file), " is no plan of geomdp.", call. = FALSE)
  }
  structure(plan, class = "geomdp_plan")
}

#' @export
print.geomdp_plan <- function(x, ...) {
  asked <- .asked(x)
  cat("Plan       ", asked$tag, " on ", .or(asked$space, "curves or surfaces"), ", n = ", .or(x$n, "by group"), "\n", sep = "")
  cat("Budget     ", .budget(x$budget), "\n", sep = "")
  cat("Mechanism  ", .or(x$mechanism, "by part"), "\n", sep = "")
  error <- x$derived$expected_error
  if (!is.null(error)) cat("Error      ", format(error, digits = 4), " expected, by noise\n", sep = "")
  cat("Hash       ", .or(x$hash, "not sealed"), "\n", sep = "")
  invisible(x)
}

#' Read a release
#'
#' @param folder The folder that \code{geomdp release --out} made.
#' @return A list of class \code{geomdp_release}: \code{manifest}, \code{value} (an array),
#'   \code{results} and \code{coordinates} (data frames with a row for each quantity),
#'   \code{headline}, and \code{parts}, a release by group or stage.
geomdp_read_release <- function(folder) {
  manifest <- file.path(folder, "manifest.json")
  if (!file.exists(manifest)) stop("There is no release in ", folder, ".", call. = FALSE)
  document <- .json(manifest)
  value <- file.path(folder, "value.npy")
  parts <- lapply(document$parts, function(part) geomdp_read_release(file.path(folder, part$folder)))
  structure(
    list(
      folder = folder,
      manifest = document,
      plan = document$plan,
      value = if (file.exists(value)) geomdp_read_npy(value),
      results = .table(file.path(folder, "results.csv")),
      coordinates = .table(file.path(folder, "coordinates.csv")),
      headline = if (file.exists(file.path(folder, "result.json"))) .json(file.path(folder, "result.json")),
      parts = parts
    ),
    class = "geomdp_release"
  )
}

#' @export
print.geomdp_release <- function(x, ...) {
  head <- x$headline
  cat("Release    ", .or(head$asked, .asked(x$plan)$tag), "\n", sep = "")
  cat("Promise    ", .or(head$promise, .budget(x$plan$budget)), "\n", sep = "")
  error <- head[["error by noise"]]$expected
  if (!is.null(error)) cat("Error      ", format(error, digits = 4), " expected, by noise\n", sep = "")
  if (length(x$parts)) cat("Parts      ", paste(names(x$parts), collapse = ", "), "\n", sep = "")
  if (!is.null(x$results)) print(utils::head(x$results, 6L), ...)
  invisible(x)
}

.json <- function(file) {
  tryCatch(
    jsonlite::fromJSON(file, simplifyVector = TRUE, simplifyDataFrame = FALSE, simplifyMatrix = FALSE),
    error = function(e) stop(basename(file), " is missing or no JSON file.", call. = FALSE)
  )
}

.table <- function(file) {
  if (!file.exists(file)) return(NULL)
  utils::read.csv(file, check.names = FALSE, row.names = 1L)
}

.asked <- function(plan) if (is.null(plan$statistic)) list(tag = .or(plan$shape, "parts")) else plan$statistic

.or <- function(x, other) if (is.null(x) || length(x) != 1L) other else x

.budget <- function(budget) {
  if (is.null(budget)) return("by part")
  numbers <- budget[setdiff(names(budget), "kind")]
  paste0(budget$kind, ": ", paste(names(numbers), unlist(numbers), sep = " = ", collapse = ", "))
}
