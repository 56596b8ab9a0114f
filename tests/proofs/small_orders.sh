#!/bin/sh
# >>small >>small_kernels: how often a product of n entries is rounded in the small kernels, by the rules of chains.v
# (a product adds both K's and 1, a sum takes the larger and 1), against permi_small_roundings, for run.sh.

# The kernels' recursion: K of a row sum z, of a pair's p, u, v, c, of f after each pair, of the last one, and the sums.
# extra: 1 where a product is rounded before it is added (no fused multiply-adds).
awk 'function max(a, b) { return a > b ? a : b }
  function times(a, b) { return a + b + parts }
  function plus_times(x, a, b) { return max(x + parts, a + b + parts + extra) }
  BEGIN { for (n = 5; n <= 16; n++) { worst = 0
    for (parts = 1; parts <= 2; parts++) for (extra = 0; extra <= 1; extra++) {
      z = n - 3; entries = plus_times(times(0, 0), 0, 0)
      p = times(z, z); c = entries
      u = max(entries + n - 3, plus_times(times(0, z), 0, z)) # of a table of sums, or of row sums
      fp = p; fu = u; fc = c; pairs = int(n / 2)
      for (k = 1; k < pairs - (n % 2 == 0); k++) {
        gc = plus_times(plus_times(plus_times(times(c, fp), u, fu), u, fu), p, fc)
        gu = plus_times(times(u, fp), p, fu)
        fp = times(p, fp); fu = gu; fc = gc
      }
      if (n % 2 == 0) last = max(plus_times(times(u, fu), u, fu), plus_times(times(c, fp), p, fc))
      else last = max(times(z, fc), plus_times(times(0, fu), 0, fu))
      worst = max(worst, last + 1 + 2 ^ (n - 3) + 5)
    }
    # rows, products and sums of >>minors_dense, where a complex product has two roundings, with or without
    minors = n * (n - 1) + 2 * (n - 1) + 2 ^ (n - 3) + n + 8
    formula = 2 ^ (n - 3) + n * (n + 3) + 8
    print "# CLAIM roundings_of_" n
    print "# CODE src/dense/small.h: return (1 << (n < 3 ? 0 : n - 3)) + n * (n + 3) + 8;"
    print "# CODE src/dense/small.h: bound = 1.001 * PERMI_UNIT * permi_small_roundings(n) * size.sums + (n > PERMI_NEAR_N ? 1e-114 : 1e-170);"
    print "# FALSE s/" formula "/" worst - 1 "/g"
    print "x = " formula " * 1b-53;"
    print "{ " worst " - " formula " <= 0 /\\ " minors " - " formula " <= 0 /\\ x / (1 - x) - 1.001 * x <= 0 }"
  } }'

# n <= 4: three roundings a half (complex: two a product), one or two for their product, five additions: within 16, and
# its second order and the rounding of the permanent of moduli within 1.001.
cat <<'E2'
# CLAIM roundings_of_expansions
# CODE src/dense/small.h: bound = 16 * PERMI_UNIT * 1.001 * permi_small(n, moduli) + 1e-200;
# FALSE s/<= 16 /<= 12 /
x = 16 * 1b-53;
{ (2 + 1) + (2 + 1) + 2 + 5 <= 16 /\ x / (1 - x) * (1 + 16b-53) - 1.001 * x <= 0 }
E2
# SPDX-License-Identifier: MIT
