# >>doubles >>ring >>integers >>low_rank >>transversals: double-doubles, with every rounding of the code. Scaled by powers
# of two: the larger high word is in [1, 2). Low words are at most half a unit in the last place of high ones, 2^-53.
# TwoSum's and the products' rests are exact: exact_sums.v. u = 2^-53; 64 u^2 = 2^-100 < PERMI_DD_UNIT.

# CLAIM unit
# CODE src/base/platform.h: #define PERMI_DD_UNIT 8e-31
# CODE src/base/platform.h: #define PERMI_UNIT 1.1102230246251565e-16
# FALSE s/8e-31/7e-31/
@fl = float<ieee_64, ne>;
{ 64 * 1b-106 - fl(8e-31) <= 0 /\ fl(1.1102230246251565e-16) - 1b-53 in [0, 0] }

# CLAIM product
# permi_dd_multiply, relative to a b: below 10 u^2.
# CODE src/base/doubles.h: return permi_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
# FALSE s/\[-10b-106, 10b-106\]/[-3b-106, 3b-106]/
@fl = float<ieee_64, ne>;
a = fl(a_);
b = fl(b_);
c = fl(c_);
d = fl(d_);
p = fl(a * b);
rest = fl(a * b - p);
one = fl(a * d);
other = fl(c * b);
cross = fl(one + other);
low = fl(rest + cross);
error = (p + low) - (a + c) * (b + d);
{ a in [1, 2] /\ b in [1, 2] /\ |c| <= 1b-53 /\ |d| <= 1b-53 ->
  rest = a * b - p /\ error / (a * b) in [-10b-106, 10b-106] }
error -> (rest - (a * b - p)) + (low - (rest + cross)) + (cross - (one + other)) + (one - a * d) +
  (other - c * b) - c * d;
$ a in 4, b in 4;

# CLAIM product_with_a_double
# permi_dd_times with a low part of the coefficient (0: less).
# CODE src/base/ring.h: return permi_two_sum(p.hi, p.lo + rest);
# FALSE s/\[-10b-106, 10b-106\]/[-3b-106, 3b-106]/
@fl = float<ieee_64, ne>;
x = fl(x_);
y = fl(y_);
c = fl(c_);
low = fl(low_);
p = fl(x * c);
exact = fl(x * c - p);
first = fl(y * c);
second = fl(x * low);
rest = fl(first + second);
sum = fl(exact + rest);
error = (p + sum) - (x + y) * (c + low);
{ x in [1, 2] /\ c in [1, 2] /\ |y| <= 1b-53 /\ |low| <= 1b-53 ->
  exact = x * c - p /\ error / (x * c) in [-10b-106, 10b-106] }
error -> (exact - (x * c - p)) + (sum - (exact + rest)) + (rest - (first + second)) + (first - y * c) +
  (second - x * low) - y * low;
$ x in 4, c in 4;

# CLAIM sum
# permi_dd_add: TwoSum of the high words, of the low ones, then two renormalisations; below 8 u^2 of the larger operand,
# so of the sum of moduli. s + e, t + f, r + g: exact rests.
# CODE src/base/doubles.h: s = permi_two_sum(s.hi, s.lo + t.hi);
# CODE src/base/doubles.h: return permi_two_sum(s.hi, s.lo + t.lo);
# FALSE s/<= 8b-106/<= 2b-106/
@fl = float<ieee_64, ne>;
a = fl(a_);
b = fl(b_);
c = fl(c_);
d = fl(d_);
s = fl(a + b);
e = a + b - s;
t = fl(c + d);
f = c + d - t;
first = fl(e + t);
r = fl(s + first);
g = s + first - r;
second = fl(g + f);
error = (r + second) - (a + c + b + d);
{ a in [1, 2] /\ |b| <= 2 /\ |c| <= 1b-53 /\ |d| <= 1b-53 -> |error| <= 8b-106 }
error -> (second - (g + f)) + (first - (e + t));
e -> - (s - (a + b));
f -> - (t - (c + d));
g -> - (r - (s + first));

# CLAIM sum_with_a_double
# permi_dd_add_double: one rounding of the low word; Fast2Sum is exact as |s.lo| <= |s.hi| or s.hi = 0.
# CODE src/base/doubles.h: r.hi = s.hi + s.lo; /* |s.lo| <= |s.hi| or the sum is 0: Fast2Sum */
# FALSE s/<= 3b-106/<= 1b-107/
@fl = float<ieee_64, ne>;
a = fl(a_);
b = fl(b_);
c = fl(c_);
s = fl(a + b);
e = a + b - s;
low = fl(e + c);
{ |a| <= 2 /\ |b| <= 2 /\ |c| <= 1b-53 -> |(s + low) - (a + b + c)| <= 3b-106 }
(s + low) - (a + b + c) -> low - (e + c);
e -> - (s - (a + b));

# CLAIM complex_product
# permi_dd_multiply_complex: a part has two products, 10 u^2 each, and a sum, 8 u^2 of the larger: relative to the
# uncancelled moduli, which are at most 2^(1/2) |a| |b| (complex.v), below 4 * 2^-100 (>>integers) by far.
# CODE src/base/integers.h: PERMI_DD_UNIT * 4 * x * y) *
# FALSE s/<= 4b-100/<= 20b-106/
{ p in [0, 1] /\ |d| <= 10b-106 /\ |e| <= 10b-106 /\ |f| <= 8b-106 /\ root in [1.4142, 1.4143] ->
  |root * (d * p + e * (1 - p) + f * (1 + 10b-106))| <= 4b-100 }

# CLAIM dekker_range
# permi_times_minus: between 2^-450 and 2^450 nothing of Dekker's product overflows or is lost (exact_sums.v: from 2^-969).
# CODE src/base/doubles.h: const double least = 3.4e-136, most = 2.9e135, split = 134217729.0; /* 2^-450, 2^450; 2^27 + 1 */
# FALSE s/3.4e-136/3.4e-148/
{ a in [3.4e-136, 2.9e135] /\ b in [3.4e-136, 2.9e135] ->
  a * b >= 1b-969 /\ a * b <= 1b1000 /\ 134217729 * a <= 1b1000 /\ 3.4e-136 - 1b-451 >= 0 /\ 2.9e135 - 1b450 <= 0 }

# CLAIM rests
# A rest is at most half a unit in the last place: u times the rounded value and u times the exact one.
# FALSE s/1b-53/1b-54/g
@fl = float<ieee_64, ne>;
sum = fl(x);
{ x in [1, 2] -> |sum - x| <= 1b-53 /\ (sum - x) / x in [-1b-53, 1b-53] }

# CLAIM operations_counted_in_units
# >>low_rank, >>transversals: an operation is one unit v, a complex product (two products and a sum a part, 2^(1/2) for
# both) within 3 v, one of a term's n within 1 v; doubles' sum of moduli of up to 10^12 operations within 1.001.
# CODE src/lowrank/low_rank.h: leaf->bound_relative = 1.001 * PERMI_DD_UNIT * (parts == 2 ? 3 : 1) * (2.0 * n * r + 2.0 * n + r + 8);
# CODE src/reference/transversals.h: all->plan.bound = all->plan.estimate = (permi_gamma(roundings) + (double)n * PERMI_DD_UNIT) /
# FALSE s/8e-31/1e-31/g
g = k * 1b-53;
{ r in [1.4142, 1.4143] /\ k in [1, 1e12] ->
  10b-106 - 8e-31 <= 0 /\ 8b-106 - 8e-31 <= 0 /\ r * (10 + 10 + 8) * 1b-106 - 8e-31 <= 0
  /\ (1 + 8e-31 * 1e12) / (1 - g) <= 1.001 }
# SPDX-License-Identifier: MIT
