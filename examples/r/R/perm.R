# SPDX-License-Identifier: MIT
perm <- function(x, rows = NULL, cols = NULL, exact = FALSE, threads = 0L, certify = FALSE, max_seconds = 0) {
  if (nargs() == 1L && !is.null(r <- .Call(C_plain, x))) return(r)
  options <- list(threads, certify, max_seconds, 0)
  if (is.object(x)) {
    if (inherits(x, "bigz"))
      return(gmp::as.bigz(c(perm(matrix(as.character(x), nrow(x)), rows, cols, TRUE, threads, certify, max_seconds))))
    if (is(x, "sparseMatrix") && is.null(rows) && is.null(cols)) {
      y <- compressed_rows(x)
      return(checked(.Call(C_compute, if (exact) digits(y@x) else y@x, dim(x), y@p, y@i, numeric(), options)))
    }
    x <- as.matrix(x)
  }
  if (!is.matrix(x) || ((is.integer(x) || is.logical(x)) && anyNA(x))) stop("x is not a matrix, or has NA")
  if (exact || is.character(x)) x <- digits(x)
  if (!is.null(rows)) rows <- counts(rows, nrow(x))
  if (!is.null(cols)) cols <- counts(cols, ncol(x))
  r <- .Call(C_compute, x, dim(x), rows, cols, NULL, options)
  if (!is.pairlist(r)) r
  else if (is.character(x) && r[[1L]] == "PERM_ERROR_OVERFLOW") residues(x, rows, cols, options)
  else checked(r)
}

perm_marginals <- function(x, threads = 0L, certify = FALSE, max_seconds = 0) {
  y <- compressed_rows(x)
  free <- numeric(max(dim(x), 1L))
  r <- checked(.Call(C_compute, y@x, dim(x), y@p, y@i, free, list(threads, certify, max_seconds, 0)))
  y@x <- as.vector(r)
  list(marginals = if (isS4(x)) Matrix::t(y) else as.matrix(Matrix::t(y)), unmatched = free,
       error_bound = attr(r, "error_bound"))
}

compressed_rows <- function(x) Matrix::t(Matrix::drop0(as(as(as(x, "CsparseMatrix"), "dMatrix"), "generalMatrix")))

counts <- function(x, n) if (length(x) == n && isTRUE(all(x == trunc(x)))) as.integer(x) else
  stop("rows and cols: one whole number for each row or column")

checked <- function(r) if (!is.pairlist(r)) r else
  stop(errorCondition(r[[2L]], class = c(r[[1L]], "perm_error"), call = sys.call(-1L)))

digits <- function(x) {
  bad <- if (is.character(x)) !grepl("^-?[0-9]+$", x) else is.na(x) | x != trunc(x) | abs(x) >= 2^53
  if (any(bad)) stop(x[bad][1L], " is not a whole number below 2^53, or the text of one", call. = FALSE)
  if (is.character(x)) x else structure(sprintf("%.0f", as.numeric(x)), dim = dim(x))
}

# Integers of any size: residues modulo primes above 2^52, put together until their product exceeds twice a bound.
residues <- function(x, rows, cols, options, value = 0, prime = gmp::as.bigz(2)^52) {
  if (!requireNamespace("gmp", quietly = TRUE)) stop("integers as long as these need the package gmp")
  if (!is.null(rows)) x <- x[rep(seq_len(nrow(x)), rows), , drop = FALSE]
  if (!is.null(cols)) x <- x[, rep(seq_len(ncol(x)), cols), drop = FALSE]
  bound <- product <- gmp::as.bigz(1)
  for (row in asplit(x, if (nrow(x) > ncol(x)) 2L else 1L)) bound <- bound * sum(abs(gmp::as.bigz(row)))
  while (product <= 2 * bound) {
    options[[4L]] <- as.numeric(prime <- gmp::nextprime(prime))
    y <- array(as.character(gmp::as.bigz(x) %% prime), dim(x))
    r <- checked(.Call(C_compute, y, dim(x), NULL, NULL, NULL, options))
    value <- value + product * (((gmp::as.bigz(c(r)) - value) * gmp::inv.bigz(product, prime)) %% prime)
    product <- product * prime
  }
  r[] <- as.character(if (2 * value > product) value - product else value)
  r
}
