/* ============================================================================= >>amplitudes_kernels
   Blocks of >>amplitudes. Sums of x Re c and of x Im c are apart, and joined once: x c = x Re c + turned x Im c, i (a, b)
   = (-b, a). A state's sources are added in the same order wherever it stands. Four vectors a sum: eight
   accumulators of AVX2's sixteen registers. The block's own sources come last: pairs that are stored one by one cannot be
   forwarded to a vector. */

#if PERMI_WIDTH >= 4
typedef PERMI_V PERMI_NAME(amplitude); /* x Re c, x Im c; AVX-512: and zeros */
#else
typedef struct PERMI_NAME(amplitude) {
  PERMI_V sum[4 / PERMI_WIDTH];
} PERMI_NAME(amplitude);
#endif

/* Returns sum + x c. */
PERMI_TARGET PERMI_INLINE PERMI_NAME(amplitude) PERMI_NAME(amplitude_add)(PERMI_NAME(amplitude) sum, const double *x,
                                                                          const double *c)
{
#if PERMI_WIDTH == 8
  return PERMI_FMA(_mm512_broadcast_f64x2(_mm_loadu_pd(x)), _mm512_maskz_loadu_pd(15, c), sum);
#elif PERMI_WIDTH == 4
  const __m128d z = _mm_loadu_pd(x);
  return PERMI_FMA(_mm256_insertf128_pd(_mm256_castpd128_pd256(z), z, 1), PERMI_LOAD_ANY(c), sum);
#else
  int k;
  PERMI_UNROLL
  for (k = 0; k < 4 / PERMI_WIDTH; k++)
    sum.sum[k] = PERMI_FMA(PERMI_LOAD(x + k * PERMI_WIDTH % 2), PERMI_LOAD(c + k * PERMI_WIDTH), sum.sum[k]);
  return sum;
#endif
}

/* to = the sum, joined, + more */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(amplitude_put)(double *to, const double *more, PERMI_NAME(amplitude) sum)
{
#if PERMI_WIDTH >= 4
#if PERMI_WIDTH == 8
  const __m256d both = _mm512_castpd512_pd256(sum);
#else
  const __m256d both = sum;
#endif
  const __m128d im = _mm256_extractf128_pd(both, 1);
  const __m128d all = _mm_addsub_pd(_mm256_castpd256_pd128(both), _mm_shuffle_pd(im, im, 1));
  _mm_storeu_pd(to, _mm_add_pd(all, _mm_loadu_pd(more)));
#else
  double part[4];
  int k;
  for (k = 0; k < 4 / PERMI_WIDTH; k++)
    PERMI_STORE(part + k * PERMI_WIDTH, sum.sum[k]);
  part[0] -= part[3];
  part[1] += part[2];
  to[0] = part[0] + more[0];
  to[1] = part[1] + more[1];
#endif
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(amplitude_inner)(const permi_amplitude_block *block, int width)
{
  const double *x = block->from + 2 * block->lower, *c = block->inner.factor;
  const int32_t *place = block->inner.place;
  const PERMI_NAME(amplitude) none = {0};
  const double *room = block->room, *const end = room + 2 * block->inner.states;
  double *to = block->to;
  int q;
  for (; room < end; room += 2, to += 2, place += width, c += 4 * width) {
    PERMI_NAME(amplitude) sum = none;
    PERMI_UNROLL
    for (q = 0; q < width; q++)
      sum = PERMI_NAME(amplitude_add)(sum, x + 2 * (ptrdiff_t)place[q], c + 4 * q);
    PERMI_NAME(amplitude_put)(to, room, sum);
  }
}

#if PERMI_WIDTH > 1
PERMI_TARGET PERMI_INLINE void PERMI_NAME(amplitude_sums)(const permi_amplitude_block *block, int k, int vectors)
{
  const double *from = block->from + 2 * (block->place + k);
  const permi_amplitude_source *source = block->source, *const end = source + block->sources;
  PERMI_V re[4], im[4];
  int v;
  PERMI_UNROLL
  for (v = 0; v < vectors; v++)
    re[v] = im[v] = PERMI_SET(0.0);
  for (; source < end; source++) {
    const double *x = from - 2 * source->below;
    const PERMI_V a = PERMI_SET(source->c[0]), b = PERMI_SET(source->c[2]);
    PERMI_UNROLL
    for (v = 0; v < vectors; v++) {
      const PERMI_V z = PERMI_LOAD_ANY(x + v * PERMI_WIDTH);
      re[v] = PERMI_FMA(z, a, re[v]);
      im[v] = PERMI_FMA(z, b, im[v]);
    }
  }
  PERMI_UNROLL
  for (v = 0; v < vectors; v++) {
#if PERMI_WIDTH == 8
    const PERMI_V sum = _mm512_fmaddsub_pd(re[v], PERMI_SET(1.0), _mm512_permute_pd(im[v], 0x55));
#elif PERMI_WIDTH == 4
    const PERMI_V sum = _mm256_addsub_pd(re[v], _mm256_permute_pd(im[v], 5));
#else
    const double sign[2] = {-1, 1};
    const PERMI_V sum = PERMI_FMA(vextq_f64(im[v], im[v], 1), PERMI_LOAD(sign), re[v]);
#endif
    PERMI_STORE_ANY(block->room + 2 * k + v * PERMI_WIDTH, sum);
  }
}
#endif

PERMI_KERNEL PERMI_NAME(amplitude_block)(const permi_amplitude_block *block)
{
  static const double zeros[2] = {0, 0};
  const PERMI_NAME(amplitude) none = {0};
  const int states = block->inner.states;
  int k = 0, s;
#if PERMI_WIDTH > 1
  for (; k + 2 * PERMI_WIDTH <= states; k += 2 * PERMI_WIDTH)
    PERMI_NAME(amplitude_sums)(block, k, 4);
  for (; k + PERMI_WIDTH / 2 <= states; k += PERMI_WIDTH / 2)
    PERMI_NAME(amplitude_sums)(block, k, 1);
#endif
  for (; k < states; k++) {
    PERMI_NAME(amplitude) sum = none;
    for (s = 0; s < block->sources; s++)
      sum = PERMI_NAME(amplitude_add)(sum, block->from + 2 * (block->place + k - block->source[s].below),
                                      block->source[s].c);
    PERMI_NAME(amplitude_put)(block->room + 2 * k, zeros, sum);
  }
  switch (block->inner.width) {
  case 1: PERMI_NAME(amplitude_inner)(block, 1); break;
  case 2: PERMI_NAME(amplitude_inner)(block, 2); break;
  case 3: PERMI_NAME(amplitude_inner)(block, 3); break;
  case 4: PERMI_NAME(amplitude_inner)(block, 4); break;
  case 5: PERMI_NAME(amplitude_inner)(block, 5); break;
  default: PERMI_NAME(amplitude_inner)(block, block->inner.width);
  }
  PERMI_LEAVE();
}
/* SPDX-License-Identifier: MIT */
