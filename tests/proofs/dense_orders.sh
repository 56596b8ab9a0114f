#!/bin/sh
# >>bounds >>counts_leaf: claims about the dense kernels that depend on n or on the block K, for run.sh.

# 4. Rounded sums: 2^K terms p - m a state; sum_by_parity, even - odd: K + 1 roundings, in the kernel's order, where
# moduli sum to 1. Eight states a group and TwoSum's lo (dense.g, rests_of_two_sums): K + 10 units.
for K in 1 2 3; do
  awk -v K=$K 'BEGIN { count = 2 ^ K
    print "# CLAIM state_of_block_" K
    printf "# CODE src/dense/dense_kernels.h: %s\n", K == 1 ? "*odd = block == 1 ? term[1]" : K == 2 ? "block == 2 ? term[2] + term[3]" : "(term[4] + term[5]) + (term[6] + term[7]));"
    print "# FALSE s/<= " K + 1 "b-53/<= 1b-54/"
    print "@fl = float<ieee_64, ne>;"
    for (k = 0; k < count; k++) { printf "t%d = fl(p%d - m%d);\n", k, k, k; plus = plus (k < count / 2 ? " + " : " - ") "(p" k " - m" k ")" }
    name = "t"; errors = ""
    for (k = 0; k < count; k++) errors = errors (k < count / 2 ? " + " : " - ") "(t" k " - (p" k " - m" k "))"
    for (level = K - 1; level >= 1; level--) {
      next_name = substr("uvw", K - level, 1)
      for (k = 0; k < 2 ^ level; k++) {
        printf "%s%d = fl(%s%d + %s%d);\n", next_name, k, name, 2 * k, name, 2 * k + 1
        errors = errors (k < 2 ^ (level - 1) ? " + " : " - ") sprintf("(%s%d - (%s%d + %s%d))", next_name, k, name, 2 * k, name, 2 * k + 1)
      }
      name = next_name
    }
    printf "state = fl(%s0 - %s1);\n{ ", name, name
    for (k = 0; k < count; k++) printf "%s|p%d - m%d| <= 1b-%d", k ? " /\\ " : "", k, k, K
    printf " ->\n  |state - (0%s)| <= %db-53 }\n", plus, K + 1
    printf "state - (0%s) -> (state - (%s0 - %s1))%s;\n", plus, name, name, errors
  }'
done

# 5. Double-double sums of a state, with every rounding of add_wide_term: hi within 1.001, lo within 1.001 u before;
# low words up to u of terms. 40 u^2 a term, less the sums of eight lanes, seven of 8 u^2 (doubles.g, sum).
for K in 1 2 3; do
  awk -v K=$K 'BEGIN { count = 2 ^ K
    print "# CLAIM doubled_sums_of_block_" K
    print "# CODE src/dense/dense_kernels.h: total->lo = total->lo + (minus ? error - low : error + low);"
    printf "# FALSE s/<= %db-106/<= %db-106/\n", 40 * count - 56, count / 2
    print "@fl = float<ieee_64, ne>;"
    print "lo0 = fl(lo_);"
    error = ""
    for (k = 1; k <= count; k++) {
      printf "e%d = fl(e%d_);\nw%d = fl(w%d_);\nt%d = fl(e%d + w%d);\nlo%d = fl(lo%d + t%d);\n", k, k, k, k, k, k, k, k, k - 1, k
      exact = exact " + e" k " + w" k
      error = error (k > 1 ? " + " : "") "(lo" k " - (lo" k - 1 " + t" k ")) + (t" k " - (e" k " + w" k "))"
    }
    printf "{ |lo0| <= 0x1.01p-53"
    for (k = 1; k <= count; k++) printf " /\\ |e%d| <= 0x1.01p-53 /\\ |w%d| <= 0x1.01p-53", k, k
    printf " ->\n  |lo%d - (lo0%s)| <= %db-106 }\n", count, exact, 40 * count - 56
    printf "lo%d - (lo0%s) -> %s;\n", count, exact, error
  }'
done

# 6. Second order: K u / (1 - K u) (chains.v), and the sum of |terms| itself, off by 2^-30, against a factor 1.0001; K
# for the largest order, split form without fused multiply-adds; in dd (60 n + 40 2^13) u^2.
for n in 4 16 32 64; do
  cat <<E2
# CLAIM second_order_of_${n}
# CODE src/dense/bounds.h: leaf->bound_relative = (products + block + 10) * PERMI_UNIT * 1.0001;
# FALSE s/1\\.0001/1/g
x = (3.42 * $n + 22) * 1b-53;
y = (60 * $n + 40 * 8192) * 1b-106;
{ |d| <= 1b-30 ->
  x / (1 - x) * (1 + d) - 1.0001 * x <= 0 /\\ y / (1 - y) * (1 + d) - 1.0001 * y <= 0 }
x / (1 - x) * (1 + d) - 1.0001 * x -> x * ((1 + d) / (1 - x) - 1.0001);
y / (1 - y) * (1 + d) - 1.0001 * y -> y * ((1 + d) / (1 - y) - 1.0001);
E2
done

# 7. Underflow, in units of 2^-1075, half of the least denormal: a product takes at most 16 operations that may
# (complex double-double: four products, their rests, eight fused multiply-adds), an entry of two parts is lost twice.
for n in 2 3 4 8 16 32 64; do
  cat <<E2
# CLAIM underflow_of_${n}
# CODE src/dense/bounds.h: leaf->bound_absolute += ldexp(n * n, plan->n - 1 - 1070 + permi_plan_growth(plan, view));
# FALSE s/32 \\* n/n/
n = $n;
{ 16 * n + 2 * n * n - 32 * n * n <= 0 /\\ n * n * 1b-1070 - 32 * n * n * 1b-1075 in [0, 0] }
E2
done

# >>counts_leaf: what the units of permi_counts_bounds are for. Subsets: nz additions, a product, a weight, of nz + 4;
# signs: a form rounded once and a product, 2, complex 1 + 2.42 of 3.5; expansions in double-double: 10 u^2 (doubles.g)
# a product, complex 20 u^2 and sums, of PERMI_DD_UNIT parts^2.
cat <<'E2'
# CLAIM units_of_counts
# CODE src/multiplicities/counts_leaf.h: steps = (skips ? N + (parts == 2 ? 4 : 2) * M : (parts == 2 ? 3.5 : 2) * M) + 2 * counts->digits + 8;
# CODE src/multiplicities/counts_leaf.h: leaf->bound_relative *= 1.0001;
# CODE src/dense/bounds.h: leaf->bound_relative = (n + 1) * PERMI_DD_UNIT * parts * parts;
# FALSE s/(3.5)/(3.4)/
{ M in [1, 256] /\ nz in [1, 64] /\ r in [1.4142, 1.4143] ->
  (1 + 2.42) * M - (3.5) * M <= 0 /\ nz + 2 - (nz + 4) <= -2 /\ 10b-106 - 8e-31 <= 0
  /\ r * (10 + 10 + 8) * 1b-106 - 4 * 8e-31 <= 0 }
(1 + 2.42) * M - (3.5) * M -> (3.42 - (3.5)) * M;
nz + 2 - (nz + 4) -> -2;
E2
# SPDX-License-Identifier: MIT
