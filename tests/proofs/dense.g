# >>bounds >>dense: what a row, a product and a sum of Glynn's formula lose. u = 2^-53. Chains
# of n products are chains.v's, complex products complex.v's; dense_orders.sh has what depends on orders and blocks.

# CLAIM grid
# permi_to_grid, scaled to 2^top = 2^53, so that the grid's unit is 1: multiples of it, off by at most half.
# CODE src/dense/dense.h: double with = copysign(0.5 * power_top, x), sum = x + with;
# FALSE s/<= 0.5 /<= 0.25 /
@fl = float<ieee_64, ne>;
x = fl(x_);
sum = fl(x + 0x1p52);
y = fl(sum - 0x1p52);
{ x in [0, 0x1p52] -> @FIX(y, 0) /\ y = sum - 0x1p52 /\ |y - x| <= 0.5 }
y - x -> (y - (sum - 0x1p52)) + (sum - (x + 0x1p52));

# CLAIM grid_above
# The other branch: a double from 2^52 on is whole.
# CODE src/dense/dense.h: return fabs(x) >= 0.5 * power_top ? x : sum - with;
# FALSE s/0x1p52,/0x1p51,/
@fl = float<ieee_64, ne>;
x = fl(x_);
{ x in [0x1p52, 0x1p53] -> @FIX(x, 0) }

# CLAIM grid_power
# permi_grid_power: with 2^53 >= fl(fl sum * (1 + 1e-12)), a sum of 64 moduli that is off by 63 u, and 64 entries off by
# half a unit each, signed sums stay within 2^53: whole numbers, exact in doubles.
# CODE src/dense/dense.h: return sum > 0 ? permi_shift(1, permi_log2_ceiling(sum * (1 + 1e-12))) : 0;
# FALSE s/1e-12/1e-15/
{ sum in [0, 0x1p53] /\ d in [-63b-53, 63b-53] /\ e in [-2b-53, 2b-53] ->
  sum / ((1 + 1e-12) * (1 + e)) * (1 + d) + 64 * 0.5 <= 0x1p53 }

# CLAIM row_sums
# Walks and tables add such sums, and 2 a: exactly. y + 1 of the normalised form too, as the pivot 1 is in the grid.
# CODE src/dense/dense_kernels.h: *p = *p * (y + 1);
# FALSE s/<= 0x1.fffffffffffffp52/<= 0x1p55/
@fl = float<ieee_64, ne>;
x = int<zr>(x_);
y = int<zr>(y_);
{ |x + y| <= 0x1.fffffffffffffp52 -> fl(x + y) = x + y }

# CLAIM low_grid
# Split rows: 64 residues of half a unit are at most 2^5, below 2^(53 - 47); what the low grid, of unit 2^-47, leaves is
# below 2^-48 an entry; low sums are exact.
# CODE src/dense/dense.h: #define PERMI_GRID_LOW_BITS 47 /* 64 residues of half a unit stay below 2^(top - 47) */
# FALSE s/<= 1b-48/<= 1b-49/
@fl = float<ieee_64, ne>;
x = fl(x_);
sum = fl(x + 0x1p5);
y = fl(sum - 0x1p5);
{ x in [0, 0.5] -> @FIX(y, -47) /\ y = sum - 0x1p5 /\ |sum - 0x1p5 - x| <= 1b-48 /\ 64 * x <= 0x1p5 }
sum - 0x1p5 - x -> sum - (x + 0x1p5);

# CLAIM split_row_as_two_words
# DOUBLED: Y + L = s + l exactly, though |Y| may be below |L|: Y is whole, L a multiple of 2^-47 within 2^5.1 [BGM17].
# CODE src/dense/dense_kernels.h: y = PERMI_NAME(vector_fast_two_sum)(y, l, &l);
# FALSE s/<= 35 /<= 70 /
@fl = float<ieee_64, ne>;
y = fixed<0, ne>(y_);
l = fixed<-47, ne>(l_);
sum = fl(y + l);
other = fl(sum - y);
rest = fl(l - other);
{ |y| <= 0x1.fffffffffffp52 /\ |l| <= 35 -> other = sum - y /\ rest = l - other }
sum - y -> (sum - (y + l)) + l;
l - other -> - (sum - (y + l)) - (other - (sum - y));

# CLAIM doubled_product
# 3. A double-double (P, C) times s + l, with every rounding of split_real_setting with fused multiply-adds, relative to
# P s; P, s scaled to [1, 2].
# CODE src/dense/bounds.h: leaf->bound_relative = ((parts == 2 ? 60 : 14) * n + ldexp(40, terms_log2)) * square * 1.0001;
# CODE src/dense/dense_kernels.h: *c = PERMI_FMA(*c, y, PERMI_FMA(before, l, e));
# FALSE s/\[-14b-106, 14b-106\]/[-3b-106, 3b-106]/
@fl = float<ieee_64, ne>;
P = fl(P_);
s = fl(s_);
C = fl(C_);
l = fl(l_);
h = fl(P * s);
e = fl(P * s - h);
first = fl(P * l + e);
second = fl(C * s + first);
error = (h + second) - (P + C) * (s + l);
{ P in [1, 2] /\ s in [1, 2] /\ |C| <= 1b-53 /\ |l| <= 1b-53 ->
  e = P * s - h /\ error / (P * s) in [-14b-106, 14b-106] /\ |second| - h <= 0 }
error -> (e - (P * s - h)) + (first - (P * l + e)) + (second - (C * s + first)) - C * l;
$ P in 4, s in 4;

# CLAIM doubled_product_portable
# The same where products are rounded (vocabulary.h's PLAIN).
# FALSE s/\[-14b-106, 14b-106\]/[-3b-106, 3b-106]/
@fl = float<ieee_64, ne>;
P = fl(P_);
s = fl(s_);
C = fl(C_);
l = fl(l_);
h = fl(P * s);
e = fl(P * s - h);
one = fl(P * l);
other = fl(C * s);
first = fl(one + e);
second = fl(other + first);
error = (h + second) - (P + C) * (s + l);
{ P in [1, 2] /\ s in [1, 2] /\ |C| <= 1b-53 /\ |l| <= 1b-53 ->
  e = P * s - h /\ error / (P * s) in [-14b-106, 14b-106] /\ |second| - h <= 0 }
error -> (e - (P * s - h)) + (first - (one + e)) + (second - (other + first)) + (one - P * l) + (other - C * s) - C * l;
$ P in 4, s in 4;

# CLAIM rounded_product
# 1. Normalised and pair form: a product or fused multiply-add of exact numbers is rounded once. Split form: the row
# sum, however much cancels, and the product: 2 u and second order.
# CODE src/dense/bounds.h: const double products = plan->form == PERMI_FORM_SPLIT  ? (1 + product) * n
# FALSE s/0x1.00001p-52/0x1p-53/g
@fl = float<ieee_64, ne>;
p = fl(p_);
y = fl(y_);
l = fl(l_);
s = fl(y + l);
{ p in [1, 2] /\ y + l in [1, 2] ->
  (fl(p * s) - p * (y + l)) / (p * (y + l)) in [-0x1.00001p-52, 0x1.00001p-52] }
fl(p * s) - p * (y + l) -> (fl(p * s) - p * s) + p * (s - (y + l));
$ p in 8, y + l in 8;

# CLAIM rests_of_two_sums
# 4. TwoSum's rests, of 2^18 states: (2^18 u)^2 (chains.v, rests_of_two_sums), a small part of the one unit for it.
# CODE src/dense/plan.h: most_chunk = permi_plan_dense(plan, view, options)->product == PERMI_ROUNDED ? 18 : 10;
# FALSE s/1b-16/1b-18/
{ 0x1p18 * 0x1p18 * 1b-106 - 1b-53 * 1b-16 <= 0 }

# CLAIM few_digits
# >>bounds: whole entries whose moduli sum to at most 2^24: the grid holds them, a product of two row sums and
# its sums are exact, and the test sees whether x is whole.
# CODE src/dense/bounds.h: const double scale = permi_shift(1, 24 - permi_log2_ceiling(moduli)), big = 6755399441055744.0; /* 1.5 * 2^52 */
# FALSE s/0x1p24/0x1p27/g
@fl = float<ieee_64, ne>;
z = int<zr>(z_);
w = int<zr>(w_);
c = int<zr>(c_);
o = int<zr>(o_);
even = fl(z * w + c);
x = fl(x_);
sum = fl(x + 6755399441055744);
y = fl(sum - 6755399441055744);
{ |z| <= 0x1p24 /\ |w| <= 0x1p24 /\ |c| <= 0x1p48 /\ |o| <= 0x1p49 /\ |x| <= 0x1p24 ->
  fl(z * w) = z * w /\ even = z * w + c /\ fl(z * w + c + o) = z * w + c + o /\ @FIX(y, 0)
  /\ y = sum - 6755399441055744 }
# SPDX-License-Identifier: MIT
