# SPDX-License-Identifier: MIT
# Microseconds a call beside BosonSampling, CRAN's package for permanents, in one run: processor time, the least of 15
# bursts of 0.1 s, in turns. Usage: OMP_NUM_THREADS=1 Rscript examples/r/bench.R, with both packages installed.
library(permexact)
cat(R.version.string, "permexact", format(packageVersion("permexact")), "\n")
cat("BosonSampling", format(packageVersion("BosonSampling")), "\n")
seconds <- function(f, x, calls) {
  start <- proc.time()[["user.self"]]
  for (k in seq_len(calls)) f(x)
  proc.time()[["user.self"]] - start
}
calls_for <- function(f, x, calls = 1) {
  while (seconds(f, x, calls) < 0.1) calls <- 2 * calls
  calls
}
run <- function(kind, entries, theirs) for (n in c(2, 4, 8, 12, 16, 20)) {
  x <- matrix(entries(n * n), n)
  ways <- list(perm, theirs)
  calls <- sapply(ways, calls_for, x)
  each <- function(round) mapply(seconds, ways, MoreArgs = list(x = x), calls = calls)
  least <- 1e6 * Reduce(pmin, lapply(1:15, each)) / calls
  cat(sprintf("%s %2d: perm %.4g, BosonSampling %.4g, %.3g times; they differ by %.0e\n", kind, n, least[1], least[2],
              least[2] / least[1], Mod(perm(x) / theirs(x) - 1)))
}
set.seed(1)
run("complex", function(k) complex(real = rnorm(k), imaginary = rnorm(k)), BosonSampling::cxPerm)
run("real", rnorm, BosonSampling::rePerm)
