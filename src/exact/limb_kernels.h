/* =================================================================================== >>limb_kernels
   Long numbers of >>exact_kernels: limbs in doubles, real or Gaussian, and products of row sums. A number of k limbs is
   sum_i a_i, a_i a multiple of u_i = 2^(51 i) unit; round[i] = C_i = 1.5 * 2^103 u_i. fma(a, g, C_i) = C_i + h and
   l = fma(a, g, -h) split ag = h + l exactly. A limb's four vectors are `places` apart. Limbs stay below 2^52 u_i;
   exact_carry leaves at most 2^50 u_i (docs/proofs-rounding.md; proved by machine: tests/proofs/limbs.g,
   tests/proofs/limbs_orders.sh). */

#if defined(PERMI_I) && !defined(PERM_NO_EXACT)
/* Sets a[0 .. k] = a[0 .. k - 1] g, for `places` vectors. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_times)(PERMI_V *a, int k, const double *g, const double *round,
                                                       int places)
{
  PERMI_V carry[4], factor[4];
  int i, place;
  PERMI_UNROLL
  for (place = 0; place < places; place++) {
    factor[place] = PERMI_LOAD(g + place * PERMI_WIDTH);
    carry[place] = PERMI_SET(0);
  }
  PERMI_UNROLL_FEW
  for (i = 0; i < k; i++) {
    const PERMI_V c = PERMI_SET(round[i]);
    PERMI_UNROLL
    for (place = 0; place < places; place++) {
      PERMI_V *at = a + i * places + place;
      const PERMI_V high = PERMI_FMA(*at, factor[place], c) - c;
      PERMI_V low = PERMI_FMS(*at, factor[place], high);
      if (i)
        low = low + carry[place];
      *at = low;
      carry[place] = high;
    }
  }
  PERMI_UNROLL
  for (place = 0; place < places; place++)
    a[k * places + place] = carry[place];
}

/* Adds products of na limbs with nb, `places` apart. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_sum)(PERMI_I *to, const PERMI_V *a, const PERMI_V *b, int na, int nb,
                                                     const double *round, const double *rest, int places)
{
  int i, j;
  PERMI_UNROLL_FEW
  for (i = 0; i < na; i++) {
    PERMI_UNROLL_FEW
    for (j = 0; j < nb; j++) {
      const PERMI_V high = PERMI_FMA(a[i * places], b[j * places], PERMI_SET(round[i + j]));
      const PERMI_V low = PERMI_FMA(a[i * places], b[j * places], PERMI_SET(rest[i + j]) - high);
      to[i + j] = PERMI_I_ADD64(to[i + j], PERMI_I_BITS(low));
      to[i + j + 1] = PERMI_I_ADD64(to[i + j + 1], PERMI_I_BITS(high));
    }
  }
}

/* Adds l and h of a g to low and high. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_split)(PERMI_V a, PERMI_V g, PERMI_V c, PERMI_V *low, PERMI_V *high)
{
  const PERMI_V h = PERMI_FMA(a, g, c) - c;
  *low = *low + PERMI_FMS(a, g, h);
  *high = *high + h;
}

/* Does the same for the parts of a complex product. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_product)(const PERMI_V *a, const PERMI_V *g, PERMI_V c, PERMI_V *low,
                                                         PERMI_V *high)
{
  PERMI_NAME(exact_split)(a[0], g[0], c, low, high);
  PERMI_NAME(exact_split)(a[1], PERMI_SET(0) - g[1], c, low, high);
  PERMI_NAME(exact_split)(a[0], g[1], c, low + 1, high + 1);
  PERMI_NAME(exact_split)(a[1], g[0], c, low + 1, high + 1);
}

/* The same for one vector of Gaussian integers, limbs `apart`; g's parts are four vectors apart. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_times_gaussian)(PERMI_V *a, int k, const double *g, const double *round,
                                                                int apart)
{
  PERMI_V factor[2], carry[2];
  int i;
  factor[0] = PERMI_LOAD(g);
  factor[1] = PERMI_LOAD(g + 4 * PERMI_WIDTH);
  carry[0] = carry[1] = PERMI_SET(0);
  PERMI_UNROLL_FEW
  for (i = 0; i < k; i++) {
    PERMI_V *at = a + i * apart, low[2] = {carry[0], carry[1]};
    carry[0] = carry[1] = PERMI_SET(0);
    PERMI_NAME(exact_product)(at, factor, PERMI_SET(round[i]), low, carry);
    at[0] = low[0];
    at[1] = low[1];
  }
  a[k * apart] = carry[0];
  a[k * apart + 1] = carry[1];
}

/* Carries limbs 0 .. k - 2 of `vectors` numbers to at most 2^50. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_carry)(PERMI_V *a, int k, const double *round, int vectors)
{
  int i, v;
  for (i = 0; i + 1 < k; i++) {
    const PERMI_V c = PERMI_SET(round[i]);
    for (v = 0; v < vectors; v++, a++) {
      const PERMI_V sum = *a + c, high = sum - c;
      *a = *a - high;
      a[vectors] = a[vectors] + high;
    }
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_move_doubles)(const permi_exact *exact, int j, int minus, double *x)
{
  const double *step = exact->wide_step + j * exact->wide_padded;
  int i;
  for (i = 0; i < exact->wide_padded; i += PERMI_WIDTH) {
    const PERMI_V a = PERMI_LOAD(x + i), b = PERMI_LOAD(step + i);
    PERMI_STORE(x + i, minus ? a - b : a + b);
  }
}

/* Stores the wide limbs of setting q, four vectors each, [limb][part]. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_factors)(const permi_exact *exact, const double *x, int q, double *to,
                                                         int parts)
{
  const double *table = exact->wide_table + q * exact->wide_entries * 4 * PERMI_WIDTH;
  int i, k, place;
  for (k = 0; k < exact->limbs - exact->narrow; k++, to += 4 * parts * PERMI_WIDTH) {
    PERMI_V product[4][2];
    PERMI_UNROLL
    for (place = 0; place < 4; place++) {
      product[place][0] = PERMI_SET(1);
      product[place][1] = PERMI_SET(0);
    }
    for (i = 0; i < exact->wide_rows[k]; i++, table += 4 * parts * PERMI_WIDTH, x += parts) {
      const PERMI_V re = PERMI_SET(x[0]), im = PERMI_SET(parts == 2 ? x[1] : 0);
      PERMI_UNROLL
      for (place = 0; place < 4; place++) {
        const PERMI_V y = re + PERMI_LOAD(table + place * PERMI_WIDTH);
        if (parts == 1) {
          product[place][0] = product[place][0] * y;
        } else {
          const PERMI_V z = im + PERMI_LOAD(table + (4 + place) * PERMI_WIDTH), was = product[place][0];
          const PERMI_V cross = product[place][1] * z, other = product[place][1] * y; /* integers below 2^51 */
          product[place][0] = PERMI_FMS(was, y, cross);
          product[place][1] = PERMI_FMA(was, z, other);
        }
      }
    }
    PERMI_UNROLL
    for (place = 0; place < 4; place++) {
      PERMI_STORE(to + place * PERMI_WIDTH, product[place][0]);
      if (parts == 2)
        PERMI_STORE(to + (4 + place) * PERMI_WIDTH, product[place][1]);
    }
  }
}

/* Multiplies one half. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_half)(PERMI_V *a, const double *limb, int limbs, const double *round,
                                                      int parts)
{
  int k, place;
  for (k = 1; k < limbs; k++)
    if (parts == 2)
      for (place = 0; place < 4; place++)
        PERMI_NAME(exact_times_gaussian)(a + 2 * place, k, limb + (k * 8 + place) * PERMI_WIDTH, round, 8);
    else
      PERMI_NAME(exact_times)(a, k, limb + k * 4 * PERMI_WIDTH, round, 4);
  if (parts == 2)
    PERMI_NAME(exact_carry)(a, limbs, round, 8);
}

/* Multiplies a few Gaussian limbs, for one vector, and carries. The planes go to a[plane][limb][4]. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_planes)(PERMI_V *a, const double *limb, int limbs, PERMI_V sign,
                                                        const double *round)
{
  PERMI_V product[6];
  int k;
  product[0] = PERMI_XOR(PERMI_LOAD(limb), sign);
  product[1] = PERMI_XOR(PERMI_LOAD(limb + 4 * PERMI_WIDTH), sign);
  PERMI_EVERY(k, 2, if (k + 1 < limbs)
              PERMI_NAME(exact_times_gaussian)(product, k + 1, limb + (k + 1) * 8 * PERMI_WIDTH, round, 2));
  PERMI_EVERY(k, 2, if (k + 1 < limbs) PERMI_NAME(exact_carry)(product + 2 * k, 2, round + k, 2));
  PERMI_UNROLL
  for (k = 0; k < limbs; k++) {
    a[4 * k] = product[2 * k];
    a[12 + 4 * k] = product[2 * k + 1];
    a[24 + 4 * k] = product[2 * k] + product[2 * k + 1];
  }
}
#endif
/* SPDX-License-Identifier: MIT */
