library(permexact)
for (n in c(1, 2, 5, 14, 15)) { # the short way of small matrices, and the long one
  x <- matrix(cos(seq_len(n * n)), n)
  stopifnot(identical(perm(x), perm(x, threads = 0L)), identical(perm(x + 1i), perm(x + 1i, threads = 0L)))
}
stopifnot(tryCatch(perm(diag(1e200, 3)), PERM_ERROR_RANGE = function(e) TRUE))
near <- function(a, b) isTRUE(all.equal(c(a), b, tolerance = 1e-12))
brute <- function(a) if (!nrow(a)) 1 else
  sum(sapply(seq_len(ncol(a)), function(j) a[1, j] * brute(a[-1, -j, drop = FALSE])))
z <- (a <- matrix(sin(1:30), 5))[, 1:5] + 1i * cos(a[, 2:6])
stopifnot(near(perm(a), brute(a)), near(perm(t(a)), brute(a)), near(perm(z), brute(z)), perm(matrix(1:9, 3)) == 450,
  near(perm(a[, 1:3], c(1, 0, 2, 0, 1), c(2, 1, 1)), brute(a[c(1, 3, 3, 5), c(1, 1, 2, 3)])), perm(diag(3) > 0) == 1)
b <- perm(matrix(1 / 3, 20, 20), certify = TRUE, threads = 2)
stopifnot(near(b, factorial(20) / 3^20), attr(b, "error_bound") < 1e-12 * b)
s <- Matrix::sparseMatrix(c(1:40, 1:40), c(1:40, 2:40, 1), x = rep(2:3, each = 40))
stopifnot(near(perm(s), 2^40 + 3^40), perm(s, exact = TRUE) == "12157666558568556577",
  perm(s > 2) == 1, attr(perm(matrix(1L, 25, 25)), "error_bound") > 0)
m <- perm_marginals(abs(a))
stopifnot(near(rowSums(m$marginals), rep(1, 5)), near(1 - colSums(m$marginals), m$unmatched),
  near(m$marginals[2, 3], abs(a[2, 3]) * brute(abs(a[-2, -3])) / brute(abs(a))), isS4(perm_marginals(s)$marginals))
refused <- function(as, ...) { # by that class and message
  is <- tryCatch(perm(...), error = function(e) paste(class(e)[1], conditionMessage(e)))
  if (!startsWith(is, as)) stop(is, " instead of ", as)
}
refused("PERM_ERROR_NOT_FINITE a has NaN in row 2, column 1 ", rbind(c(1, 2), c(NaN, 4)))
refused("PERM_ERROR_RANGE ", diag(2) * 1e200)
x <- matrix(cos(1:1600), 40)
refused("PERM_STOPPED_TIME ", x, max_seconds = 0.3)
{ setTimeLimit(elapsed = 1, transient = TRUE); refused("simpleError reached elapsed time limit", x) }
q <- matrix(paste0(c("-1", "2", "3", "1"), strrep("0", c(30, 0, 0, 30))), 2)
if (requireNamespace("gmp", quietly = TRUE))
  stopifnot(perm(q) == paste0("-", strrep("9", 59), "4"), perm(gmp::as.bigz(q), c(2, 0)) == -6 * gmp::as.bigz(10)^30)
forked <- parallel::mclapply(1:2, function(k) c(perm(x[1:24, 1:24])), mc.cores = 1 + (.Platform$OS.type == "unix"))
stopifnot(unlist(forked) == c(perm(x[1:24, 1:24])))
