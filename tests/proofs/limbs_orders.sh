#!/bin/sh
# >>exact_kernels: claims about limbs that depend on how many there are, for run.sh.
# u_0 = 1 and u_1 = 2^51: all limbs are alike, as their weights are powers of two.
two() { echo $((1 << $1)); }
G=$(($(two 51) - 1024)) g=$(($(two 50) - 1024)) # permi_exact_pack_into: up to 6 limbs and beyond

# step NAME A G CARRY NEXT H: a limb |a| <= A times a factor |g| <= G, with a carry |c| <= CARRY: l + c is exact and at
# most NEXT, the carry h at most H u_1. Every operation of exact_times.
step() {
  cat <<E2
# CLAIM $1
# FALSE s/|l + carry| <= $5/|l + carry| <= $(($5 - $5 / 4))/
@fl = float<ieee_64, ne>;
C = 0x1.8p103;
a = int<zr>(a_);
g = int<zr>(g_);
carry = int<zr>(carry_);
sum = fl(C + a * g);
h = fl(sum - C);
l = fl(a * g - h);
next = fl(l + carry);
{ |a| <= $2 /\\ |g| <= $3 /\\ |carry| <= $4 ->
  l = a * g - h /\\ |a * g - h| <= 0x1p50 /\\ @FIX(h, 51) /\\ next = l + carry /\\ |l + carry| <= $5
  /\\ |h * 1b-51| <= $6 }
a * g - h -> ((C + a * g) - sum) - (h - (sum - C));
l + carry -> (l - (a * g - h)) + (a * g - h) + carry;
h * 1b-51 -> (h - (sum - C)) * 1b-51 + (sum - (C + a * g)) * 1b-51 + a * g * 1b-51;
E2
}
# >>exact_kernels 2: one limb, two, three; then any number, whose limbs stay below 2^51 - 1023 again.
two_limbs=$(($(two 51) - $(two 11) + 1))
step two_limbs $G $G 0 $(($(two 50) + 1)) $two_limbs
step three_limbs_first $(two 50) $G 0 $(($(two 50) + 1)) $(($(two 50) - 511))
step three_limbs_second $two_limbs $G $(($(two 50) - 511)) $(($(two 51) - 510)) $(($(two 51) - 3071))
step many_limbs $(($(two 51) - 1023)) $g $(($(two 50) - 1024)) $(($(two 51) - 1023)) $(($(two 50) - 1024))

# >>exact_kernels, Gaussian 2: limbs, a factor's parts |c| + |d| <= g, so that |a c - b d| <= M g; h1, h2 in units of u_1
# are next to a c, b d.
M=$(($(two 52) - $(two 11)))
cat <<E2
# CLAIM gaussian_limbs
# FALSE s/<= $M /<= $((M - 2048)) /
{ m in [-1, 1] /\\ |l1| <= 0x1p50 /\\ |l2| <= 0x1p50 /\\ |e1| <= 0.5 /\\ |e2| <= 0.5 ->
  |l1 - l2 + (m * $M * $g * 1b-51 + (e1 - e2))| <= $M /\\ |m * $M * $g| <= 0x1p102 }
E2

# >>exact_kernels 3: the accumulators' 64 bits. Of two halves of a and b limbs at most 2 min(a, b), less 1 if a = b,
# numbers of at most 2^51 meet in one accumulator, in each of `settings` times 4 vectors.
for limbs in 2 3 4 5 6 8 12 16 20 24 28 32; do
  first=$(((limbs + 1) / 2)) settings=128
  [ $limbs -gt 6 ] && settings=32
  second=$((limbs - first)); [ $second -gt $first ] && least=$first || least=$second
  numbers=$((2 * least)); [ $first -eq $second ] && numbers=$((2 * least - 1))
  cat <<E2
# CLAIM accumulators_of_${limbs}_limbs
# FALSE s/0x1p63/0x1p55/
number = int<zr>(number_);
{ |number| <= 0x1p51 -> |$settings * 4 * $numbers * number| <= 0x1.ffffffffffp62
  /\\ $settings * 4 * $numbers * 0x1p51 <= 0x1p63 }
E2
done

# >>exact_kernels 4, permi_exact_constants: the constants of all weights are doubles, with the unit 2^-650 beyond 16 limbs.
for limbs in 2 16 17 32; do
  unit=0; [ $limbs -gt 16 ] && unit=-650
  cat <<E2
# CLAIM weights_of_${limbs}_limbs
# CODE src/exact/limbs.h: exact->unit = ldexp(1, limbs > 16 ? -650 : 0); /* 2^(51 * 30 + 104 - 650) is a double */
# FALSE s/1b$((unit + 103 + 51 * (limbs - 2)))/1b1024/
@fl = float<ieee_64, ne>;
{ 1.5 * 1b$((unit + 103 + 51 * (limbs - 2))) <= 0x1.fffffffffffffp1023 /\\ 0x1p-1022 - 1b$unit <= 0
  /\\ fl(1.5 * 1b$((unit + 103 + 51 * (limbs - 2))) + 1.5 * 1b$((unit + 52 + 51 * (limbs - 2)))) -
     (1.5 * 1b$((unit + 103 + 51 * (limbs - 2))) + 1.5 * 1b$((unit + 52 + 51 * (limbs - 2)))) in [0, 0] }
E2
done

# >>exact_kernels 5, IFMA: k limbs below 2^52, the last below 2^(51 k - 52 (k - 1)), as k factors are below 2^51.
for k in 2 3; do cat <<E2
# CLAIM ifma_${k}_limbs
# FALSE s/0x1p52 }/0x1p51 }/
{ top in [0, 1b$((51 * (k - 1) - 52 * (k - 2)))] /\\ g in [0, 0x1p51] /\\ above in [0, 0x1p51]
  /\\ carry in [0, 0x1p11] ->
  top * g * 1b-52 in [0, 1b$((51 * k - 52 * (k - 1)))] /\\ above + carry <= 0x1p52 }
E2
done
# SPDX-License-Identifier: MIT
