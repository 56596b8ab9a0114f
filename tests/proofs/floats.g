# >>floats: what a row of the sum in pairs of floats loses. u = 2^-24.

# CLAIM entry
# A quotient in double and its rest, times at most 2^24, in units of 2^-62: within 2^-40 of a unit before it is made
# whole.
# CODE src/dense/floats.h: const double rest = permi_dd_subtract(a, permi_dd_multiply(d, permi_dd_make(quotient))).hi / d.hi;
# CODE src/dense/floats.h: const double low = ldexp(PERMI_REST(quotient, times, high) + rest * times, 38);
# FALSE s/1b-40/1b-46/
@fl = float<ieee_64, ne>;
a = fl(a_);
d = fl(d_);
w = fl(w_);
q = fl(a / d);
over = fl(q * d - a);
rest = fl(over / d);
h = fl(q * w);
low = fl(fl(q * w - h) - fl(rest * w));
{ a in [1b-30, 1] /\ d in [1, 2] /\ w in [1, 0x1p24] ->
  |h + low - a / d * w| * 0x1p38 <= 1b-40 }
h + low - a / d * w -> (low - ((q * w - h) - rest * w)) - w * (rest - (q - a / d)) { d <> 0 };
rest - (q - a / d) -> (rest - over / d) + (over - (q * d - a)) / d { d <> 0 };
q - a / d -> a / d * ((q - a / d) / (a / d)) { d <> 0, a <> 0 };
q * d - a -> d * (q - a / d) { d <> 0 };
low - ((q * w - h) - rest * w) -> (low - (fl(q * w - h) - fl(rest * w))) + (fl(q * w - h) - (q * w - h)) - (fl(rest * w) - rest * w);

# CLAIM high_sums
# Row sums of high words are multiples of 2^-24 within 1, low ones of their unit within 2^24 units: a float's sum of two is exact.
# CODE src/dense/floats.h: } while (low > ldexp(1, floats.shift + 24));
# FALSE s/|x + y| <= 0x1p24/|x + y| <= 0x1p26/
@fl = float<ieee_32, ne>;
x = int<zr>(x_);
y = int<zr>(y_);
{ |x + y| <= 0x1p24 -> fl(x + y) = x + y }

# CLAIM high_words
# Entries sum to at most 1 - 2^-18 in modulus; a pivot on the grid, 12 columns of the walk and a start rounded to it: within
# 1 still.
# CODE src/dense/floats.h: row->times = floor(pivot / moduli * (16777216 - 65));
# FALSE s/13 /140 /
{ sum in [0, 1] /\ d in [-64b-53, 64b-53] /\ e in [-4b-53, 4b-53] ->
  sum * (1 - 65b-24) * (1 + d) * (1 + e) + 13 * 1b-25 <= 1 }

# CLAIM row
# 1. A product p + c times y + l, |l| up to 8 u, |c| up to 4 u, p and Y in [1, 2]: off by u |p l| + 6 u^2 |p Y|
# + 2 u |c Y|, at most (16 + 24 + 16) u^2.
# CODE src/gpu/text_floats.h: c = first ? e : permi_fma_float(c, both, e);
# FALSE s/0x1.c02p-43/0x1p-44/
@fl = float<ieee_32, ne>;
p = fl(p_);
y = fl(y_);
l = fl(l_);
c = fl(c_);
Y = fl(y + l);
t = fl(p * Y);
e = fl(p * y - t);
r = fl(p * l + e);
C = fl(c * Y + r);
{ p in [1, 2] /\ y + l in [1, 2] /\ |l| <= 1b-21 /\ |c| <= 1b-22 ->
  |t + C - (p + c) * (y + l)| <= 0x1.c02p-43 }
t + C - (p + c) * (y + l) -> (C - (c * Y + r)) + (r - (p * l + e)) + (e - (p * y - t)) + c * (Y - (y + l));
p * l + e -> (e - (p * y - t)) + (p * y + p * l - t);
p * y + p * l - t -> (p * Y - t) - p * (Y - (y + l));
p * y - t -> (p * Y - t) - p * (Y - (y + l)) - p * l;

# CLAIM row_of_large_rest
# The same where l is as large as Y, and |c| up to 2^-10: 2 u + 24 u^2 + 2^-8 u.
# FALSE s/0x1.0081p-23/0x1p-24/
@fl = float<ieee_32, ne>;
p = fl(p_);
y = fl(y_);
l = fl(l_);
c = fl(c_);
Y = fl(y + l);
t = fl(p * Y);
e = fl(p * y - t);
r = fl(p * l + e);
C = fl(c * Y + r);
{ p in [1, 2] /\ y + l in [1, 2] /\ |l| <= 1 /\ |c| <= 1b-10 ->
  |t + C - (p + c) * (y + l)| <= 0x1.0081p-23 }
t + C - (p + c) * (y + l) -> (C - (c * Y + r)) + (r - (p * l + e)) + (e - (p * y - t)) + c * (Y - (y + l));
p * l + e -> (e - (p * y - t)) + (p * y + p * l - t);
p * y + p * l - t -> (p * Y - t) - p * (Y - (y + l));
p * y - t -> (p * Y - t) - p * (Y - (y + l)) - p * l;

# CLAIM row_without_rest
# 3. l = 0: the fma's rest is exact, and c alone is rounded.
# CODE src/gpu/text_floats.h: permi_float_times<0>(p[k], c[k], y, 0, y, r == 1);
# FALSE s/0x1.01p-41/1b-43/
@fl = float<ieee_32, ne>;
p = fl(p_);
y = fl(y_);
c = fl(c_);
t = fl(p * y);
e = fl(p * y - t);
C = fl(c * y + e);
{ p in [1, 2] /\ y in [1, 2] /\ |c| <= 1b-18 ->
  e = p * y - t /\ |t + C - (p + c) * y| <= 0x1.01p-41 }
t + C - (p + c) * y -> (C - (c * y + e)) + (e - (p * y - t));
# SPDX-License-Identifier: MIT
