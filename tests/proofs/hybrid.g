# >>hybrid_program >>hybrid_offer: whole numbers and residues of the hybrid engine, and its
# double-doubles (THE BOUND 7). u = 2^-53. Items 1 to 3 are chains.v's, complex products complex.v's.

# CLAIM residue
# Growth 3: the quotient of |x| <= 2^52 by p, any from 2^47 / 3 to 2^47, and x - q p, exact and at most
# (p + 1) / 2 <= 2^46 + 1. Shorter moduli run as multiples: below 2^45, quotients of two products pass 2^51 and are no
# whole numbers.
# CODE src/hybrid/hybrid_residues.h: return times && !permi_whole_is_gaussian(block) ? modulus * ((times - 1) | 1) : 0;
# CODE src/kernels/arithmetic.h: return PERMI_FMA(x, p.inverse, ones) - ones;
# CODE src/kernels/arithmetic.h: return PERMI_FNMA(PERMI_NAME(prime_quotient)(x, p), p.prime, x);
# CODE src/hybrid/hybrid_program.h: #define PERMI_GROWTH_HALF 70368744177665.0       /* 2^46 + 1 */
# FALSE s/<= 70368744177665 /<= 60368744177665 /
@fl = float<ieee_64, ne>;
ones = 6755399441055744;
p = int<zr>(p_);
x = int<zr>(x_);
inverse = fl(1 / p);
sum = fl(x * inverse + ones);
q = fl(sum - ones);
rest = fl(x - q * p);
{ |x| <= 0x1p52 /\ (p in [46912496118443, 0x1p46] \/ p in [0x1p46, 0x1p47]) ->
  @FIX(q, 0) /\ |x - q * p| <= 70368744177665 /\ rest = x - q * p }
x - q * p -> - ((q - (sum - ones)) + (sum - (x * inverse + ones)) + x * (inverse - 1 / p)) * p { p <> 0 };

# CLAIM residue_of_a_product
# Growth 4: h + l = ab, |ab| <= 0.64 2^96, for the same p.
# CODE src/kernels/arithmetic.h: return low - PERMI_FMS_EXACT(PERMI_NAME(prime_quotient)(high, p), p.prime, high);
# CODE src/hybrid/hybrid_program.h: #define PERMI_GROWTH_CAP 225179981368524.0       /* 0.8 2^48 */
# FALSE s/<= 225179981368524 /<= 40000000000000 /
@fl = float<ieee_64, ne>;
ones = 6755399441055744;
p = int<zr>(p_);
a = int<zr>(a_);
b = int<zr>(b_);
h = fl(a * b);
l = fl(a * b - h);
inverse = fl(1 / p);
sum = fl(h * inverse + ones);
q = fl(sum - ones);
back = fl(q * p - h);
rest = fl(l - back);
{ p in [46912496118443, 0x1p47] /\ |a| <= 225179981368524 /\ |b| <= 225179981368524 ->
  l = a * b - h /\ |a * b - h| <= 0x1p44 /\ @FIX(q, 0) /\ back = q * p - h /\ rest = l - back
  /\ |a * b - q * p| <= 225179981368524 /\ |(a * b - h) - (q * p - h)| <= 225179981368524 }
q * p - h -> ((q - (sum - ones)) + (sum - (h * inverse + ones)) + h * (inverse - 1 / p)) * p { p <> 0 };
a * b - q * p -> (a * b - h) - (q * p - h);
l - back -> (l - (a * b - h)) - (back - (q * p - h)) + ((a * b - h) - (q * p - h));

# CLAIM grid_of_two_products
# Growth 4: ab - cd = x - y on the grid 1.5 2^98, whose binade's doubles are 2^46 apart: its high part, a multiple of
# 2^46, and what is left, all exact.
# CODE src/hybrid/hybrid_kernels.h: const PERMI_V first = PERMI_FMA(a, b, grid), both = PERMI_FNMA(c, d, first), high = both - grid;
# CODE src/graph/vectors.h: #define PERMI_RESIDUE_GRID 475368975085586025561263702016.0
# FALSE s/@FIX(high, 46)/@FIX(high, 47)/
@fl = float<ieee_64, ne>;
grid = 475368975085586025561263702016;
x = int<zr>(x_);
y = int<zr>(y_);
first = fl(x + grid);
both = fl(first - y);
high = fl(both - grid);
up = fl(first - grid);
down = fl(first - both);
low = fl(x - up);
less = fl(y - down);
few = fl(low - less);
{ |x| <= 0xa.3d70a3d70a3d8p92 /\ |y| <= 0xa.3d70a3d70a3d8p92 ->
  @FIX(high, 46) /\ high = both - grid /\ up = first - grid /\ down = first - both /\ low = x - up /\ less = y - down
  /\ few = low - less /\ |(x - up) - (y - down)| <= 0x1p46 /\ |both - grid| <= 0xa.3d70a3d70a3d9p93 }
x - up -> - (first - (x + grid)) - (up - (first - grid));
y - down -> (both - (first - y)) - (down - (first - both));
low - less -> (low - (x - up)) - (less - (y - down)) + (x - up) - (y - down);
both - grid -> (both - (first - y)) + (first - (x + grid)) + x - y;

# CLAIM residue_of_two_products
# The residue of such a high part, and the sum: exact, below the cap.
# CODE src/hybrid/hybrid_kernels.h: return (low - less) - PERMI_FMS_EXACT(PERMI_NAME(prime_quotient)(high, p), p.prime, high);
# FALSE s/<= 225179981368524 /<= 140000000000000 /
@fl = float<ieee_64, ne>;
ones = 6755399441055744;
p = int<zr>(p_);
high = fixed<46, zr>(high_);
few = int<zr>(few_);
inverse = fl(1 / p);
sum = fl(high * inverse + ones);
q = fl(sum - ones);
back = fl(q * p - high);
{ p in [46912496118443, 0x1p47] /\ |high| <= 0xa.3d70a3d70a3d9p93 /\ |few| <= 0x1p46 ->
  @FIX(q, 0) /\ back = q * p - high /\ fl(few - back) = few - back /\ |few - (q * p - high)| <= 225179981368524 }
q * p - high -> ((q - (sum - ones)) + (sum - (high * inverse + ones)) + high * (inverse - 1 / p)) * p { p <> 0 };
few - back -> few - (back - (q * p - high)) - (q * p - high);

# CLAIM whole_numbers
# Growth 2, 3: exact in doubles below 2^53, differences and their halves too.
# CODE src/hybrid/hybrid_program.h: #define PERMI_GROWTH_EXACT 9007199254740992.0    /* 2^53 */
# CODE src/hybrid/hybrid_program.h: #define PERMI_GROWTH_SHORT 4503599627370496.0    /* 2^52 */
# FALSE s/0x1.fffffffffffffp52/0x1p54/
@fl = float<ieee_64, ne>;
x = int<zr>(x_);
y = int<zr>(y_);
product = int<zr>(product_);
{ |product| <= 0x1.fffffffffffffp52 /\ |x| <= 0x1p52 /\ |y| <= 0x1.fffffffffffffp51 ->
  fl(product) = product /\ fl(x - y) = x - y }

# CLAIM double_double_product
# 7 (b), moduli 1: |v| <= 1, |e| <= 2 u. d1 .. d4: what four operations round, relative; d the product's rest.
# CODE src/hybrid/hybrid_offer.h: terms = (roundings + blocks) * PERMI_DD_UNIT;
# FALSE s/<= 0x1.004p-102/<= 0x1p-103/
one = va * eb * (1 + d1);
other = ea * vb * (1 + d2);
inner = (other + d) * (1 + d3);
e = (one + inner) * (1 + d4);
{ |va| <= 1 /\ |vb| <= 1 /\ |ea| <= 2b-53 /\ |eb| <= 2b-53 /\ |d| <= 1b-53 /\
  |d1| <= 1b-53 /\ |d2| <= 1b-53 /\ |d3| <= 1b-53 /\ |d4| <= 1b-53 ->
  |e - (va * eb + ea * vb + d) - ea * eb| <= 0x1.004p-102 /\ |e| <= 0x5.00001p-53 }
e - (va * eb + ea * vb + d) - ea * eb -> (one + inner) * d4 + (other + d) * d3 + va * eb * d1 + ea * vb * d2 - ea * eb;

# CLAIM double_double_sum
# 7 (c): a difference or sum of two products that did not settle (|e| <= 5 u z each, z_a + z_b = 1): TwoSum's rest and
# e_a - e_b round by 11 u^2 z, |e| <= 6 u z.
# FALSE s/<= 0xb.01p-106/<= 0x5p-106/
{ |rest| <= 1b-53 /\ |share| <= 1b-53 /\ |d1| <= 1b-53 /\ |d2| <= 1b-53 ->
  |(rest + share * 5 * (1 + d1)) * d2 + share * 5 * d1| <= 0xb.01p-106
  /\ |(rest + share * 5 * (1 + d1)) * (1 + d2)| <= 0x6.0001p-53 }

# CLAIM double_double_settles
# 7 (d) where |v| < |e| <= 6 u z: with every rounding of FastTwoSum 18 u^2 z of sum and 12 u^2 z of the rest: the new
# |e| is at most 2 u z, what is lost at most 18.1 u^2 z (else it is exact: exact_sums.v, fast_two_sum).
# CODE src/hybrid/hybrid_kernels.h: x.p[0] = PERMI_NAME(vector_fast_two_sum)(x.p[0], x.p[1], &x.p[1]);
# FALSE s/<= 0x12.1p-106/<= 0x4p-106/
s = (v + e) * (1 + d1);
t = (s - v) * (1 + d2);
rest = (e - t) * (1 + d3);
{ |v| <= 6b-53 /\ |e| <= 6b-53 /\ |d1| <= 1b-53 /\ |d2| <= 1b-53 /\ |d3| <= 1b-53 ->
  |s + rest - (v + e)| <= 0x12.1p-106 /\ |rest| <= 2b-53 }
s + rest - (v + e) -> (e - t) * d3 - (s - v) * d2;
e - t -> - (v + e) * d1 - (s - v) * d2;
s - v -> e * (1 + d1) + v * d1;

# CLAIM double_double_units
# 7: 34 u^2 z for a product, 29 u^2 z for a sum, second order included, are within one unit, 64 u^2; complex: 88 within
# two, 55 and 61 within two and one (f).
# FALSE s/8e-31/3e-31/g
{ 34.2 * 1b-106 - 8e-31 <= 0 /\ 29.2 * 1b-106 - 8e-31 <= 0 /\ 88 * 1b-106 - 2 * 8e-31 <= 0 /\ 61 * 1b-106 - 8e-31 <= 0 }

# CLAIM complex_double_double_units
# 7 (f), moduli 1: what a part's operations round (5.7, 3.9, 6.7, 6.7, 7.7), what is dropped (8) and what settles (23.1)
# are 61.8 u^2 z, both parts 2^(1/2) times that: below 88; differences 7.7 + 8.7 and 26.1, 2^(1/2) times: below 61.
# FALSE s/<= 88/<= 60/
{ r in [1.41421356, 1.41421357] ->
  r * (5.7 + 3.9 + 6.7 + 6.7 + 7.7 + 8 + 23.1) <= 88 /\ r * (7.7 + 8.7 + 26.1) <= 61
  /\ 2 * r + 2 * r <= 5.7 /\ 2 * r + 1 <= 3.9 /\ 2 * r + 2 * r + 1 <= 6.7 /\ 2 * 2 * 2 <= 8
  /\ r * (5.7 + 3.9 + 6.7 + 6.7 + 7.7 + 8) <= 55 }

# CLAIM complex_on_a_gpu
# 8: four fused multiply-adds a part, below 6 u (|a| |b| + |c| |d|): six units.
# CODE src/hybrid/hybrid_offer.h: const double each = !permi_hybrid_is_complex((int)hybrid->algebra) ? 1 : doubled ? 2 : on_gpu ? 6 : 3;
# FALSE s/<= 6b-53/<= 1b-53/
# z = |a| |b| + |c| |d| = 1; parts of c d round four times, then of a b + them: each running sum at most 2^(1/2)
{ |s1| <= 1 /\ |s2| <= 1 /\ |s3| <= 1 /\ |s4| <= 1 /\ r in [1.4142, 1.4143] /\ |d1| <= 1b-53 /\ |d2| <= 1b-53
  /\ |d3| <= 1b-53 /\ |d4| <= 1b-53 ->
  |r * (s1 * d1 + s2 * d2 + s3 * d3 + s4 * d4)| <= 6b-53 }
# SPDX-License-Identifier: MIT
