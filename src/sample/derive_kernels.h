/* ================================================================================= >>derive_kernels
   Sums of x y for >>derive_frontier, a vector for each origin of a block of doubles (>>array_kernels). */

#if PERMI_WIDTH >= 4
PERMI_TARGET static void PERMI_NAME(block_dots)(const permi_numbers *numbers, void *block, size_t count,
                                                const permi_origin *origin, int origins)
{
  const double *x = (const double *)block;
  const size_t whole = count - count % PERMI_WIDTH, left = count - whole;
#if PERMI_WIDTH == 8
  const __mmask8 mask = (__mmask8)((1u << left) - 1);
#else
  const __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)left), _mm256_setr_epi64x(0, 1, 2, 3));
#endif
  size_t k;
  (void)numbers;
  for (; origins > 0; origins--, origin++) {
    const double *y = (const double *)origin->x;
    PERMI_V sum, more, other;
    if (!origin->sum)
      continue;
    sum = PERMI_LOAD_ANY((double *)origin->sum);
    for (k = 0; k < whole; k += PERMI_WIDTH)
      if (!PERMI_NAME(array_nothing)(origin, k))
        sum = PERMI_FMA(PERMI_LOAD_ANY(x + k), origin->place ? PERMI_NAME(array_fetch)(y, origin, k, PERMI_WIDTH)
                                                             : PERMI_LOAD_ANY(y + k), sum);
    if (left && !PERMI_NAME(array_nothing)(origin, k)) {
#if PERMI_WIDTH == 8
      more = _mm512_maskz_loadu_pd(mask, x + k);
      other = origin->place ? PERMI_NAME(array_fetch)(y, origin, k, left) : _mm512_maskz_loadu_pd(mask, y + k);
#else
      more = _mm256_maskload_pd(x + k, mask);
      other = origin->place ? PERMI_NAME(array_fetch)(y, origin, k, left) : _mm256_maskload_pd(y + k, mask);
#endif
      sum = PERMI_FMA(more, other, sum);
    }
    PERMI_STORE_ANY((double *)origin->sum, sum);
  }
}
#endif
/* SPDX-License-Identifier: MIT */
