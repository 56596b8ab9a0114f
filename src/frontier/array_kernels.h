/* ================================================================================== >>array_kernels
   Sums blocks of >>arrays, origins in order. The last vector reads beyond, within PERMI_ARRAY_PAD. */

PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(array_fetch)(const double *x, const permi_origin *origin, size_t k,
                                                          size_t left)
{
  const uint16_t *place = origin->place + k;
  double v[PERMI_WIDTH];
#if PERMI_WIDTH == 8
  const permi_eight *eight = origin->eight + k / 8;
  if (!eight->wide)
    return _mm512_maskz_permutex2var_pd(
        eight->here, PERMI_LOAD_ANY(x + eight->base),
        _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)eight->at)),
        PERMI_LOAD_ANY(x + eight->base + 8));
#elif PERMI_WIDTH == 4
  const permi_eight *eight = origin->eight + k / 8;
  if (!eight->wide) {
    const double *from = x + eight->base;
    const unsigned char *at = eight->at + (k & 4);
    const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8), here = _mm256_set1_epi64x(eight->here >> (k & 4));
    return _mm256_and_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(here, bits), bits)),
                         _mm256_setr_pd(from[at[0]], from[at[1]], from[at[2]], from[at[3]]));
  }
#endif
  for (size_t i = 0; i < PERMI_WIDTH; i++)
    v[i] = i < left && place[i] != PERMI_ARRAY_NOWHERE ? x[place[i]] : 0;
  return PERMI_LOAD_ANY(v);
}

PERMI_INLINE int PERMI_NAME(array_nothing)(const permi_origin *origin, size_t k)
{
#if PERMI_WIDTH >= 4
  return origin->place && !(origin->eight[k / 8].here >> (k % 8) & ((1 << PERMI_WIDTH) - 1));
#else
  return PERMI_WIDTH == 1 && origin->place && origin->place[k] == PERMI_ARRAY_NOWHERE;
#endif
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(array_store)(double *y, PERMI_V v, size_t left)
{
#if PERMI_WIDTH == 8
  _mm512_mask_storeu_pd(y, (__mmask8)(left < 8 ? (1u << left) - 1 : 255), v);
#else
  double rest[PERMI_WIDTH];
  PERMI_STORE_ANY(left < PERMI_WIDTH ? rest : y, v);
  for (size_t i = 0; i < left && left < PERMI_WIDTH; i++)
    y[i] = rest[i];
#endif
}

/* SHORT: sums stay below 2^52. LONG: products are reduced. along: vectors of one word; 0: one of each of four words. */
PERMI_TARGET static PERMI_ALWAYS_INLINE void PERMI_NAME(array_doubles)(double *y, size_t k, size_t count, size_t plane,
                                                                       const permi_origin *origin, int origins,
                                                                       int kind, PERMI_P p)
{
  PERMI_V sum[4];
  const int growth = kind % 3, along = kind / 3, vectors = along == 1 ? 1 : 4;
  const size_t left = along == 4 ? PERMI_WIDTH : count - k;
  PERMI_UNROLL
  for (int i = 0; i < vectors; i++)
    sum[i] = PERMI_SET(0.0);
  for (int s = 0; s < origins; s++, origin++) {
    const double *x = (const double *)origin->x + plane * origin->count;
    const PERMI_V real = PERMI_SET(origin->real);
    const int reduced = growth == PERMI_GROWS_LONG && fabs(origin->real) != 1;
    PERMI_UNROLL
    for (int i = 0; i < vectors; i++) {
      const size_t at = along ? k + (size_t)(i * PERMI_WIDTH) : k;
      const double *word = along ? x : x + (size_t)i * origin->count;
      if (PERMI_NAME(array_nothing)(origin, at))
        continue;
      PERMI_V from = origin->place ? PERMI_NAME(array_fetch)(word, origin, at, left) : PERMI_LOAD_ANY(word + at);
      if (reduced)
        sum[i] = sum[i] + PERMI_NAME(prime_product)(real, from, p);
      else
        sum[i] = PERMI_FMA(real, from, sum[i]);
    }
  }
  PERMI_UNROLL
  for (int i = 0; i < vectors; i++)
    PERMI_NAME(array_store)(y + plane * count + k + (along ? (size_t)(i * PERMI_WIDTH) : (size_t)i * count),
                            growth == PERMI_GROWS_NOT ? sum[i] : PERMI_NAME(prime_reduce)(sum[i], p), left);
}

PERMI_TARGET static PERMI_ALWAYS_INLINE void PERMI_NAME(array_block)(void *to, size_t count, int words,
                                                                     const permi_origin *origin, int origins,
                                                                     int growth, PERMI_P p)
{
  size_t plane = 0, planes = (size_t)words, k;
  for (; plane + 4 <= planes; plane += 4)
    for (k = 0; k < count; k += PERMI_WIDTH)
      PERMI_NAME(array_doubles)((double *)to, k, count, plane, origin, origins, growth, p);
  for (; plane < planes; plane++) {
    for (k = 0; k + 4 * PERMI_WIDTH <= count; k += 4 * PERMI_WIDTH)
      PERMI_NAME(array_doubles)((double *)to, k, count, plane, origin, origins, growth + 12, p);
    for (; k < count; k += PERMI_WIDTH)
      PERMI_NAME(array_doubles)((double *)to, k, count, plane, origin, origins, growth + 3, p);
  }
}

#define PERMI_ARRAY_BLOCK(name, growth, p)                                                                             \
  PERMI_UNUSED PERMI_TARGET static void PERMI_NAME(name)(const permi_numbers *numbers, void *to, size_t count,         \
                                                         const permi_origin *origin, int origins)                      \
  { PERMI_NAME(array_block)(to, count, numbers->words, origin, origins, growth, PERMI_NAME(prime_of)(p, 1 / (p))); }
PERMI_ARRAY_BLOCK(block_double, PERMI_GROWS_NOT, 1.0)
PERMI_ARRAY_BLOCK(block_short, PERMI_GROWS_SHORT, (double)numbers->modulus)
PERMI_ARRAY_BLOCK(block_long, PERMI_GROWS_LONG, (double)numbers->modulus)
#undef PERMI_ARRAY_BLOCK

/* Adds as permi_dd_times and permi_dd_add, to a block's high parts, then low ones. Only with 8 doubles a vector x_lo
   real is not rounded first. */
PERMI_TARGET static void PERMI_NAME(block_dd)(const permi_numbers *numbers, void *to, size_t count,
                                              const permi_origin *origin, int origins)
{
  double *y = (double *)to;
  (void)numbers;
  for (size_t k = 0; k < count; k += PERMI_WIDTH) {
    PERMI_V hi = PERMI_SET(0.0), lo = hi;
    for (int s = 0; s < origins; s++) {
      const double *x = (const double *)origin[s].x, *low = x + origin[s].count;
      PERMI_V x_hi, x_lo, error;
      if (PERMI_NAME(array_nothing)(&origin[s], k))
        continue;
      x_hi = origin[s].place ? PERMI_NAME(array_fetch)(x, &origin[s], k, count - k) : PERMI_LOAD_ANY(x + k);
      x_lo = origin[s].place ? PERMI_NAME(array_fetch)(low, &origin[s], k, count - k) : PERMI_LOAD_ANY(low + k);
      if (origin[s].real != 1) {
        const PERMI_V real = PERMI_SET(origin[s].real);
        x_hi = PERMI_NAME(vector_two_product)(x_hi, real, &error);
        if (PERMI_WIDTH == 8)
          error = PERMI_FMA(x_lo, real, error);
        else
          error = error + PERMI_NAME(kept)(x_lo * real);
        x_hi = PERMI_NAME(vector_two_sum)(x_hi, error, &x_lo);
      }
      if (s == 0) {
        hi = x_hi;
        lo = x_lo;
        continue;
      }
      hi = PERMI_NAME(vector_two_sum)(hi, x_hi, &x_hi);
      lo = PERMI_NAME(vector_two_sum)(lo, x_lo, &error);
      hi = PERMI_NAME(vector_two_sum)(hi, x_hi + lo, &lo);
      hi = PERMI_NAME(vector_two_sum)(hi, lo + error, &lo);
    }
    PERMI_NAME(array_store)(y + k, hi, count - k);
    PERMI_NAME(array_store)(y + count + k, lo, count - k);
  }
}
/* SPDX-License-Identifier: MIT */
