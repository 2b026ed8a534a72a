# Pictures of released values, by what they look like.

#' Draw a release
#'
#' Landmarks in the plane as points, joined in their order if \code{joined}; a matrix as a field of
#' colours; anything else as bars under its names.
#'
#' @param x A release, from \code{\link{geomdp_read_release}}.
#' @param joined Whether landmarks are joined in their order, as those of an outline are.
#' @param ... Handed to the drawing function.
#' @export
plot.geomdp_release <- function(x, joined = FALSE, ...) {
  value <- x$value
  if (is.null(value)) {
    if (!length(x$parts)) stop("This release has no value to draw.", call. = FALSE)
    old <- graphics::par(mfrow = grDevices::n2mfrow(length(x$parts)))
    on.exit(graphics::par(old))
    for (label in names(x$parts)) {
      plot(x$parts[[label]], joined = joined, ...)
      graphics::title(main = label)
    }
    return(invisible(x))
  }
  if (is.complex(value)) value <- cbind(Re(value), Im(value))
  shape <- dim(value)
  if (length(shape) == 2L && shape[2] == 2L && shape[1] > 2L) .draw_landmarks(value, joined, ...)
  else if (length(shape) == 2L && shape[1] == shape[2]) .draw_matrix(value, ...)
  else graphics::barplot(as.vector(value), names.arg = .names(x, length(value)), las = 2, ...)
  invisible(x)
}

.draw_landmarks <- function(points, joined, ...) {
  graphics::plot(points, asp = 1, pch = 19, xlab = "", ylab = "", ...)
  if (joined) graphics::polygon(points, border = "grey40")
}

.draw_matrix <- function(matrix, ...) {
  size <- nrow(matrix)
  turned <- t(matrix[rev(seq_len(size)), , drop = FALSE])
  most <- max(abs(matrix))
  shades <- grDevices::hcl.colors(64, "Blue-Red 3")
  graphics::image(seq_len(size), seq_len(size), turned, zlim = c(-most, most), col = shades,
                  axes = FALSE, xlab = "", ylab = "", asp = 1, ...)
}

.names <- function(release, size) {
  names <- colnames(release$results)
  if (length(names) == size) names else seq_len(size)
}
