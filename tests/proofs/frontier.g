# >>steps >>values >>reduce >>tree_build >>classes_run >>band >>arrays_run >>fronts: constants
# of the sparse engines' bounds. u = 2^-53, v = PERMI_DD_UNIT > 64 u^2. The induction is chains.v's, complex products
# complex.v's, double-double operations doubles.g's.

# CLAIM gamma_is_rounded_up
# permi_gamma, and g / (1 - h) of the engines' bounds: the difference (d1, h up to 1/4), the quotient (d2) and the last
# product (d3) round; the factor 1 + 8 u, itself exact, is more than they take.
# CODE src/graph/reduce.h: return k * PERMI_UNIT / (1 - k * PERMI_UNIT) * (1 + 8 * PERMI_UNIT);
# CODE src/frontier/values.h: return gamma / (1 - permi_gamma(roundings + moduli)) * (1 + 8 * PERMI_UNIT);
# CODE src/tree/tree_build.h: return gamma / (1 - permi_gamma(doubles + pairs)) * (1 + 8 * PERMI_UNIT);
# CODE src/band/band_order.h: band->bound_relative = gamma / (1 - sums) * (1 + 8 * PERMI_UNIT);
# FALSE s/8b-53/2b-53/g
@fl = float<ieee_64, ne>;
below = fl(1 - h);
{ |d1| <= 1b-53 /\ |d2| <= 1b-53 /\ |d3| <= 1b-53 /\ h in [0, 0.25] ->
  (1 + d2) / (1 + d1) * (1 + 8b-53) * (1 + d3) >= 1 /\ fl(1 + 8b-53) = 1 + 8b-53
  /\ (below - (1 - h)) / (1 - h) in [-1b-53, 1b-53] }

# CLAIM rounded_entries_in_double_double
# (1 + u)^r (1 + v)^k - 1 = G (1 + H) + H (chains.v, grown_two): the factor 1 + 1e-12 for up to 10^18 operations, and
# >>tree_build's 1 + 1e-6 for k v, up to 10^9 rounded entries and 10^20 pairs.
# CODE src/frontier/values.h: gamma = permi_gamma(roundings) * (1 + 1e-12) + operations * PERMI_DD_UNIT / (1 - operations * PERMI_DD_UNIT);
# CODE src/tree/tree_build.h: const double gamma = permi_gamma(doubles) + pairs * PERMI_DD_UNIT * (1 + 1e-6);
# FALSE s/H <= 1e-12/H <= 1e-13/
x = k * 8e-31;
H = x / (1 - x);
y = pairs * 8e-31;
g = r * 1b-53;
G = g / (1 - g);
{ k in [0, 1e18] /\ pairs in [0, 1e20] /\ r in [0, 1e9] ->
  H <= 1e-12 /\ (1 + G) / (1 - y) <= 1.000001 }

# CLAIM complex_factors
# sqrt 2 gamma_2, 5^(1/2) u and 2 2^(1/2) u below 3 u; >>reduce: with the sum's u and underflow below 4 u.
# CODE src/graph/reduce.h: #define PERMI_COMBINE_TINY 1e-270
# FALSE s/3b-53/2b-53/g
{ r in [1.4142, 1.4143] /\ s in [2.236, 2.2361] ->
  r * (2b-53 / (1 - 2b-53)) <= 3b-53 /\ s * 1b-53 <= 3b-53 /\ 2 * r * 1b-53 <= 3b-53
  /\ 2 * r * 1b-53 + 1b-53 * (1 + 3b-53) + 2 * 1b-1072 / 1e-270 <= 4b-53 }

# CLAIM safe_products
# >>steps: above PERMI_SAFE_PRODUCT all is a multiple of 2^-1021: nothing underflows. A double-double product loses
# 2^-1073 there, below 2^-109 of itself, and v has room: 10 u^2 (doubles.g) of 64 u^2.
# CODE src/frontier/values.h: #define PERMI_SAFE_PRODUCT 1e-290
# FALSE s/1e-290/1e-292/g
@fl = float<ieee_64, ne>;
x = fl(x_);
{ x in [1e-290, 1] -> @FIX(x, -1021) /\ 1b-968 - 1e-290 <= 0 /\ 1b-1073 / x <= 1b-109
  /\ 10b-106 + 1b-109 - 64b-106 <= 0 }

# CLAIM underflow_of_bands_and_classes
# An underflow below DBL_MIN is one more factor: >>band above PERMI_BAND_SAFE, >>classes_run above 2^-302.
# CODE src/band/band.h: #define PERMI_BAND_SAFE 1e-270 /* DBL_MIN is below u (double-double: 2^-100) times this */
# CODE src/twins/classes.h: #define PERMI_CLASS_LEAST 4.909093465297727e-91 /* 2^-300: quotients stay below 2^301 */
# FALSE s/1e-270/1e-280/
@fl = float<ieee_64, ne>;
{ 1b-1022 - 1b-100 * 1e-270 <= 0 /\ 1b-1022 - 1b-53 * 1e-270 <= 0 /\ 1b-1022 - 1b-100 * 1b-302 <= 0
  /\ fl(4.909093465297727e-91) - 1b-300 in [0, 0] /\ 1 / 1b-300 <= 1b301 }

# CLAIM arrays
# >>arrays_run: products of doubles above PERMI_ARRAY_SAFE are multiples of 2^-936 (their square: 2^-106 times
# themselves), low parts underflow by less than 2^-200 of the product.
# CODE src/frontier/arrays.h: #define PERMI_ARRAY_SAFE 1e-250 /* sums of larger products are multiples of 2^-936 */
# FALSE s/1b-936/1b-920/
{ 1b-936 - 1e-250 * 1b-105 <= 0 /\ 4 * 1b-1074 / 1e-250 <= 1b-200 }

# CLAIM class_room
# >>classes_run 4: quotients of moduli are rounded up by more than they round, and may differ among a class.
# CODE src/twins/classes.h: #define PERMI_CLASS_ROOM 5.684341886080802e-14
# FALSE s/0.25/4/
@fl = float<ieee_64, ne>;
x = (1 - 0.25 * 5.684341886080802e-14) * (1 - 1b-53) * (1 + 5.684341886080802e-14) * (1 - 1b-53) * (1 - 1b-53);
{ 1 - x <= 0 }

# CLAIM factors_of_bands
# >>band_order counts each = 2 (underflow, rescaling) or 5 a row: complex 3 u instead of u and those two are 4.
# CODE src/band/band_order.h: each = band->numbers.algebra == PERMI_MAGNITUDES ? 0 : block->imaginary && !dd ? 5 : 2;
# FALSE s/5)/3)/
{ (3 - 1) + 2 - (5) <= 0 }

# CLAIM factors_of_classes
# >>classes_run 1, 3: 4 roundings an entry, complex 2 + 1 + 3 + 3, and three for underflow.
# CODE src/twins/classes_run.h: double operations = (block->imaginary ? 12.0 : 7.0) * block->n;
# FALSE s/12)/11)/
{ 2 + 1 + 3 + 3 + 3 - (12) <= 0 /\ 4 + 3 - (7) <= 0 }

# CLAIM radii
# >>fronts, >>integers: radii and errors are rounded up by 1 + 1e-13 and 1 + 1e-12; eight operations on numbers >= 0 round
# by less, and so do moduli, each within 4 u.
# CODE src/planar/fronts.h: #define PERMI_RADIUS_UP (1 + 1e-13)
# FALSE s/1e-13/1e-15/
{ |d| <= 1b-53 ->
  (1 + d) * (1 + d) * (1 + d) * (1 + d) * (1 + d) * (1 + d) * (1 + d) * (1 + d) * (1 - 4b-53) * (1 - 4b-53) * (1 +
  1e-13) >= 1 }
# SPDX-License-Identifier: MIT
