/* =================================================================================== >>rook_kernels
   Values of >>placements: y = sum of c x modulo a prime, or in doubles (prime 0); count: a multiple of 8. */

#if PERMI_WIDTH != 2 /* NEON runs plain C */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(rook_sum)(PERMI_P p, const permi_rook_way *way, int ways, double *y,
                                                    size_t at, int parts)
{
  PERMI_V sum[16 / PERMI_WIDTH];
  PERMI_UNROLL
  for (int i = 0; i < parts; i++)
    sum[i] = PERMI_SET(0.0);
  for (int s = 0; s < ways; s++) {
    const double *x = way[s].x + at, *mask = way[s].mask;
    const PERMI_V c = PERMI_SET(way[s].c);
    if (way[s].full) {
      PERMI_UNROLL
      for (int i = 0; i < parts; i++)
        sum[i] = PERMI_NAME(prime_reduce)(sum[i], p);
    }
    PERMI_UNROLL
    for (int i = 0; i < parts; i++) {
      const PERMI_V factor = mask ? PERMI_LOAD_ANY(mask + at + i * PERMI_WIDTH) : c;
      const PERMI_V value = PERMI_LOAD_ANY(x + i * PERMI_WIDTH);
      if (way[s].is_short)
        sum[i] = PERMI_FMA(factor, value, sum[i]);
      else
        sum[i] = sum[i] + PERMI_NAME(prime_product)(factor, value, p);
    }
  }
  PERMI_UNROLL
  for (int i = 0; i < parts; i++)
    PERMI_STORE_ANY(y + at + i * PERMI_WIDTH, PERMI_NAME(prime_reduce)(sum[i], p));
}

#if PERMI_WIDTH >= 4
typedef unsigned long long PERMI_NAME(words) __attribute__((vector_size(8 * PERMI_WIDTH)));
/* The same modulo 2^64. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(rook_words)(const permi_rook_way *way, int ways, double *y, size_t at,
                                                      int parts)
{
  PERMI_I sum[16 / PERMI_WIDTH];
  PERMI_UNROLL
  for (int i = 0; i < parts; i++)
    sum[i] = PERMI_I_SET(0);
  for (int s = 0; s < ways; s++) {
    const double *x = way[s].x + at, *mask = way[s].mask ? way[s].mask + at : x;
    const unsigned long long c = way[s].word;
    PERMI_UNROLL
    for (int i = 0; i < parts; i++) {
      PERMI_I value = PERMI_I_LOAD_ANY(x + i * PERMI_WIDTH) & PERMI_I_LOAD_ANY(mask + i * PERMI_WIDTH);
      if (c != 1)
        value = (PERMI_I)((PERMI_NAME(words))value * c); /* signed ones may not wrap */
      sum[i] = PERMI_I_ADD64(sum[i], value);
    }
  }
  PERMI_UNROLL
  for (int i = 0; i < parts; i++)
    PERMI_I_STORE_ANY(y + at + i * PERMI_WIDTH, sum[i]);
}

PERMI_KERNEL PERMI_NAME(rook_modulo_64)(double prime, double inverse, const permi_rook_way *way, int ways, double *y,
                                        size_t count)
{
  size_t at;
  (void)prime, (void)inverse;
  for (at = 0; at + 16 <= count; at += 16)
    PERMI_NAME(rook_words)(way, ways, y, at, 16 / PERMI_WIDTH);
  if (at < count)
    PERMI_NAME(rook_words)(way, ways, y, at, 8 / PERMI_WIDTH);
  PERMI_LEAVE();
}
#endif

PERMI_KERNEL PERMI_NAME(rook_values)(double prime, double inverse, const permi_rook_way *way, int ways, double *y,
                                     size_t count)
{
  const PERMI_P p = PERMI_NAME(prime_of)(prime, inverse);
  size_t at;
  for (at = 0; at + 16 <= count; at += 16)
    PERMI_NAME(rook_sum)(p, way, ways, y, at, 16 / PERMI_WIDTH);
  if (at < count)
    PERMI_NAME(rook_sum)(p, way, ways, y, at, 8 / PERMI_WIDTH);
  PERMI_LEAVE();
}
#endif
/* SPDX-License-Identifier: MIT */
