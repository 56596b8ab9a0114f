# >>exact_kernels >>limbs: long integers as limbs in doubles. u_0 = 1, u_1 = 2^51; weights are powers of
# two, so all limbs are alike. limbs_orders.sh has what depends on how many there are.

# CLAIM split
# Items 1 of >>exact_kernels: C + ag stays in C's binade, and ag = h + l exactly.
# CODE src/exact/exact_kernels.h: PERMI_V h = PERMI_FMA(a, g, c) - c, l = PERMI_FMS(a, g, h);
# CODE src/exact/limbs.h: exact->round[k] = 1.5 * ldexp(unit, 103);
# FALSE s/C = 0x1.8p103/C = 0x1.8p104/
@fl = float<ieee_64, ne>;
C = 0x1.8p103;
a = int<zr>(a_);
g = int<zr>(g_);
sum = fl(C + a * g);
h = fl(sum - C);
l = fl(a * g - h);
{ |a * g| <= 0x1p102 ->
  sum in [0x1p103, 0x1p104] /\ |a * g - h| <= 0x1p50 /\ @FIX(h, 51) /\ l = a * g - h }
a * g - h -> ((C + a * g) - sum) - (h - (sum - C));

# CLAIM last_products
# Item 3 of >>exact_kernels: rest - (C + h) is the constant 1.5 2^52 - h, and the product on top of it is exact in one
# binade, whose doubles are 1 apart: the bits count units.
# CODE src/exact/exact_kernels.h: const PERMI_V high = PERMI_FMA(a, b, round), low = PERMI_FMA(a, b, rest - high);
# CODE src/exact/limbs.h: exact->rest[k] = exact->round[k] + 1.5 * ldexp(unit, 52);
# FALSE s.|a \* b| <= 0x1p102.|a * b| <= 0x1p104.
@fl = float<ieee_64, ne>;
C = 0x1.8p103;
a = int<zr>(a_);
b = int<zr>(b_);
high = fl(C + a * b);
rest = fl(C + 0x1.8p52);
offset = fl(rest - high);
low = fl(a * b + offset);
{ |a * b| <= 0x1p102 -> rest = C + 0x1.8p52 /\ offset = rest - high /\ low = a * b + offset /\
  a * b + offset in [0x1p52, 0x1p53] /\ @FIX(high, 51) /\ @FIX(low, 0) }
a * b + offset -> (C + a * b - high) + (offset - (rest - high)) + (rest - (C + 0x1.8p52)) + 0x1.8p52;

# CLAIM carries
# Item 3 of Gaussian numbers: exact_half leaves at most 2^50 of a limb of up to 2^53, the rest goes to the next.
# CODE src/exact/exact_kernels.h: const PERMI_V c = PERMI_SET(round[k]), sum = *a + c, high = sum - c;
# FALSE s/<= 0x1p50 /<= 0x1p49 /
@fl = float<ieee_64, ne>;
C = 0x1.8p103;
a = int<zr>(a_);
sum = fl(a + C);
high = fl(sum - C);
left = fl(a - high);
{ |a| <= 0x1p53 -> @FIX(high, 51) /\ |a - high| <= 0x1p50 /\ left = a - high /\ |high * 1b-51| <= 5 }
a - high -> (a + C - sum) - (high - (sum - C));
high * 1b-51 -> ((high - (sum - C)) + (sum - (a + C)) + a) * 1b-51;

# CLAIM last_limb
# The last of k > 1 carried limbs of a number below 2^(50 k), at k = 2, where there is the least room.
# FALSE s/<= 0x1.0000000000004p49/<= 0x1p49/
{ |number| <= 0x1p100 /\ |lower| <= 0x1p50 -> |(number - lower) * 1b-51| <= 0x1.0000000000004p49 }

# CLAIM atoms
# >>limbs: four atoms make halves below 2^31, five are held below it; halves multiply to exact doubles.
# CODE src/exact/limbs.h: #define PERMI_EXACT_LARGEST ((UINT64_C(1) << 15) - 1) /* norm of an atom; any four make halves below 2^31 */
# FALSE s/0x1p31 - 0x1p16/0x1p30 - 0x1p17/
{ |a| <= 32767 /\ |b| <= 32767 /\ |c| <= 32767 /\ |d| <= 32767 ->
  |a * b + c * d| - (0x1p31 - 0x1p16) <= 0 }

# CLAIM karatsuba
# Item 4 of Gaussian numbers: sums of a carried number's parts, and their product.
# FALSE s/<= 0x1p102/<= 0x1p101/
{ |a| <= 0x1p50 /\ |b| <= 0x1p50 /\ |c| <= 0x1p50 /\ |d| <= 0x1p50 ->
  |a + b| <= 0x1p51 /\ |(a + b) * (c + d)| <= 0x1p102 }

# CLAIM wide_gaussian_limbs
# exact_factors: products of row sums are whole and stay below 2^51 at every step, with and without fused multiply-adds.
# CODE src/exact/exact_kernels.h: const PERMI_V cross = product[place][1] * z, other = product[place][1] * y; /* integers below 2^51 */
# FALSE s/<= 0x1p51/<= 0x1p55/g
@fl = float<ieee_64, ne>;
p = int<zr>(p_);
q = int<zr>(q_);
cross = fl(q);
{ |q| <= 0x1p51 /\ |p| <= 0x1p51 -> cross = q /\ fl(p) = p /\ fl(p - q) = p - q }

# SPDX-License-Identifier: MIT
