/* ============================================================================= >>amplitudes_kernels
   Blocks of >>amplitudes. Sums of x Re c and of x Im c are apart, and joined once: i (a, b) = (-b, a). Eight
   accumulators are half of AVX2's registers. The block's own sources come last: pairs that are stored one by one cannot
   be forwarded to a vector. */

#if PERMI_WIDTH != 2 /* NEON runs plain C */
typedef struct PERMI_NAME(amplitude) {
  PERMI_V sum[PERMI_WIDTH == 1 ? 4 : 1]; /* x Re c, x Im c; AVX-512: and zeros */
} PERMI_NAME(amplitude);

PERMI_TARGET PERMI_INLINE void PERMI_NAME(amplitude_add)(PERMI_NAME(amplitude) *y, const double *x, const double *c)
{
#if PERMI_WIDTH == 8
  y->sum[0] = PERMI_FMA(_mm512_broadcast_f64x2(_mm_loadu_pd(x)), _mm512_maskz_loadu_pd(15, c), y->sum[0]);
#elif PERMI_WIDTH == 4
  const __m128d z = _mm_loadu_pd(x);
  y->sum[0] = PERMI_FMA(_mm256_insertf128_pd(_mm256_castpd128_pd256(z), z, 1), PERMI_LOAD_ANY(c), y->sum[0]);
#else
  int k;
  PERMI_UNROLL
  for (k = 0; k < 4; k++)
    y->sum[k] += x[k & 1] * c[k];
#endif
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(amplitude_put)(double *to, const double *more, const PERMI_NAME(amplitude) *y)
{
#if PERMI_WIDTH == 1
  to[0] = (y->sum[0] - y->sum[3]) + more[0];
  to[1] = (y->sum[1] + y->sum[2]) + more[1];
#else
#if PERMI_WIDTH == 8
  const __m256d both = _mm512_castpd512_pd256(y->sum[0]);
#else
  const __m256d both = y->sum[0];
#endif
  const __m128d im = _mm256_extractf128_pd(both, 1);
  const __m128d sum = _mm_addsub_pd(_mm256_castpd256_pd128(both), _mm_shuffle_pd(im, im, 1));
  _mm_storeu_pd(to, _mm_add_pd(sum, _mm_loadu_pd(more)));
#endif
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(amplitude_inner)(const permi_amplitude_block *block, int width)
{
  const double *x = block->from + 2 * block->lower, *c = block->c, *room = block->room;
  const double *const end = room + 2 * block->states;
  const PERMI_NAME(amplitude) none = {{PERMI_SET(0.0)}};
  const int32_t *at = block->at;
  double *to = block->to;
  int q;
  for (; room < end; room += 2, to += 2, at += width, c += 4 * width) {
    PERMI_NAME(amplitude) y = none;
    PERMI_UNROLL
    for (q = 0; q < width; q++)
      PERMI_NAME(amplitude_add)(&y, x + 2 * (ptrdiff_t)at[q], c + 4 * q);
    PERMI_NAME(amplitude_put)(to, room, &y);
  }
}

#if PERMI_WIDTH >= 4
PERMI_TARGET PERMI_INLINE void PERMI_NAME(amplitude_sums)(const permi_amplitude_block *block, int k, int vectors)
{
  const permi_amplitude_source *source = block->source, *const end = source + block->sources;
  PERMI_V re[4], im[4];
  int v;
  PERMI_UNROLL
  for (v = 0; v < vectors; v++)
    re[v] = im[v] = PERMI_SET(0.0);
  for (; source < end; source++) {
    const double *x = block->from + 2 * (block->place + k - source->below);
    const PERMI_V a = PERMI_SET(source->c[0]), b = PERMI_SET(source->c[2]);
    PERMI_UNROLL
    for (v = 0; v < vectors; v++) {
      const PERMI_V z = PERMI_LOAD_ANY(x + v * PERMI_WIDTH);
      re[v] = PERMI_FMA(z, a, re[v]);
      im[v] = PERMI_FMA(z, b, im[v]);
    }
  }
  PERMI_UNROLL
  for (v = 0; v < vectors; v++)
#if PERMI_WIDTH == 8
    re[v] = _mm512_fmaddsub_pd(re[v], PERMI_SET(1.0), _mm512_permute_pd(im[v], 0x55));
#else
    re[v] = _mm256_addsub_pd(re[v], _mm256_permute_pd(im[v], 5));
#endif
  PERMI_UNROLL
  for (v = 0; v < vectors; v++)
    PERMI_STORE_ANY(block->room + 2 * k + v * PERMI_WIDTH, re[v]);
}
#endif

PERMI_KERNEL PERMI_NAME(amplitude_block)(const permi_amplitude_block *block)
{
  static const double zeros[2] = {0, 0};
  const PERMI_NAME(amplitude) none = {{PERMI_SET(0.0)}};
  int k = 0, s;
#if PERMI_WIDTH >= 4
  for (; k + 2 * PERMI_WIDTH <= block->states; k += 2 * PERMI_WIDTH)
    PERMI_NAME(amplitude_sums)(block, k, 4);
  for (; k + PERMI_WIDTH / 2 <= block->states; k += PERMI_WIDTH / 2)
    PERMI_NAME(amplitude_sums)(block, k, 1);
#endif
  for (; k < block->states; k++) {
    PERMI_NAME(amplitude) y = none;
    for (s = 0; s < block->sources; s++)
      PERMI_NAME(amplitude_add)(&y, block->from + 2 * (block->place + k - block->source[s].below), block->source[s].c);
    PERMI_NAME(amplitude_put)(block->room + 2 * k, zeros, &y);
  }
  switch (block->width) {
  case 2: PERMI_NAME(amplitude_inner)(block, 2); break;
  case 3: PERMI_NAME(amplitude_inner)(block, 3); break;
  case 4: PERMI_NAME(amplitude_inner)(block, 4); break;
  case 5: PERMI_NAME(amplitude_inner)(block, 5); break;
  default: PERMI_NAME(amplitude_inner)(block, block->width);
  }
  PERMI_LEAVE();
}
#endif
/* SPDX-License-Identifier: MIT */
