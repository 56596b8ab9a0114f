/* ============================================================================= >>amplitudes_kernels
   Blocks of >>amplitudes. Sums of x Re c and x Im c are joined once: i (a, b) = (-b, a). The block's own sources come
   last: a vector cannot be loaded from pairs just stored. */

#if PERMI_WIDTH != 2 /* NEON runs plain C */
#if PERMI_WIDTH >= 4
/* `vectors` vectors of states from k on, the last of `left`. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(amplitude_sums)(const permi_amplitude_block *block, int k, int vectors,
                                                          int left)
{
  const permi_amplitude_source *source = block->source, *const end = source + block->sources;
  PERMI_V re[4], im[4];
  PERMI_UNROLL
  for (int v = 0; v < vectors; v++)
    re[v] = im[v] = PERMI_SET(0.0);
  for (; source < end; source++) {
    const double *x = block->from + 2 * (block->place + k - source->below);
    const PERMI_V a = PERMI_SET(source->c[0]), b = PERMI_SET(source->c[1]);
    PERMI_UNROLL
    for (int v = 0; v < vectors; v++) {
#if PERMI_WIDTH == 8
      const PERMI_V z = left == 4 ? PERMI_LOAD_ANY(x + 8 * v)
                                  : _mm512_maskz_loadu_pd((__mmask8)(255 >> (8 - 2 * left)), x);
#else
      const PERMI_V z = left == 2 ? PERMI_LOAD_ANY(x + 4 * v) : _mm256_castpd128_pd256(_mm_loadu_pd(x));
#endif
      re[v] = PERMI_FMA(z, a, re[v]);
      im[v] = PERMI_FMA(z, b, im[v]);
    }
  }
  PERMI_UNROLL
  for (int v = 0; v < vectors; v++)
#if PERMI_WIDTH == 8
    re[v] = _mm512_fmaddsub_pd(re[v], PERMI_SET(1.0), _mm512_permute_pd(im[v], 0x55));
#else
    re[v] = _mm256_addsub_pd(re[v], _mm256_permute_pd(im[v], 5));
#endif
  PERMI_UNROLL
  for (int v = 0; v < vectors; v++)
    PERMI_STORE_ANY(block->room + 2 * k + v * PERMI_WIDTH, re[v]);
}
#endif

PERMI_TARGET PERMI_INLINE void PERMI_NAME(amplitude_inner)(const permi_amplitude_block *block, int width)
{
  const double *x = block->from + 2 * block->lower, *c = block->c, *room = block->room;
  const int32_t *at = block->at;
  double *to = block->to;
  for (int left = block->states; left > 0; left -= 2, at += 2 * width, c += 8 * width, room += 4, to += 4) {
#if PERMI_WIDTH == 1
    double y[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int q = 0; q < width; q++)
      PERMI_UNROLL
      for (int v = 0; v < 8; v++)
        y[v] += x[2 * (ptrdiff_t)at[2 * q + (v >> 1 & 1)] + (v & 1)] * c[8 * q + v];
    for (int v = 0; v < (left > 1 ? 4 : 2); v += 2) {
      to[v] = (y[v] - y[v + 5]) + room[v];
      to[v + 1] = (y[v + 1] + y[v + 4]) + room[v + 1];
    }
#else
    __m256d sum, im;
#if PERMI_WIDTH == 8
    PERMI_V y = PERMI_SET(0.0);
    PERMI_UNROLL_UP_TO(8)
    for (int q = 0; q < width; q++) {
      const PERMI_V z = _mm512_broadcast_f64x2(_mm_loadu_pd(x + 2 * (ptrdiff_t)at[2 * q]));
      y = PERMI_FMA(_mm512_mask_broadcast_f64x2(z, 0xcc, _mm_loadu_pd(x + 2 * (ptrdiff_t)at[2 * q + 1])),
                    PERMI_LOAD_ANY(c + 8 * q), y);
    }
    sum = _mm512_castpd512_pd256(y);
    im = _mm512_extractf64x4_pd(y, 1);
#else
    sum = im = PERMI_SET(0.0);
    PERMI_UNROLL_UP_TO(8)
    for (int q = 0; q < width; q++) {
      const PERMI_V z = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(x + 2 * (ptrdiff_t)at[2 * q])),
                                             _mm_loadu_pd(x + 2 * (ptrdiff_t)at[2 * q + 1]), 1);
      sum = PERMI_FMA(z, PERMI_LOAD_ANY(c + 8 * q), sum);
      im = PERMI_FMA(z, PERMI_LOAD_ANY(c + 8 * q + 4), im);
    }
#endif
    sum = _mm256_add_pd(_mm256_addsub_pd(sum, _mm256_permute_pd(im, 5)), _mm256_loadu_pd(room));
    if (left > 1)
      _mm256_storeu_pd(to, sum);
    else
      _mm_storeu_pd(to, _mm256_castpd256_pd128(sum));
#endif
  }
}

PERMI_KERNEL PERMI_NAME(amplitude_block)(const permi_amplitude_block *block)
{
  const int states = block->states;
  int k = 0;
#if PERMI_WIDTH >= 4
  for (; k + 2 * PERMI_WIDTH <= states; k += 2 * PERMI_WIDTH)
    PERMI_NAME(amplitude_sums)(block, k, 4, PERMI_WIDTH / 2);
  for (; k + PERMI_WIDTH / 2 <= states; k += PERMI_WIDTH / 2)
    PERMI_NAME(amplitude_sums)(block, k, 1, PERMI_WIDTH / 2);
  if (k < states)
    PERMI_NAME(amplitude_sums)(block, k, 1, PERMI_WIDTH == 4 ? 1 : states - k);
#else
  for (; k < states; k++) {
    double y[4] = {0, 0, 0, 0};
    for (int s = 0; s < block->sources; s++) {
      const double *c = block->source[s].c, *x = block->from + 2 * (block->place + k - block->source[s].below);
      PERMI_UNROLL
      for (int v = 0; v < 4; v++)
        y[v] += x[v & 1] * c[v >> 1];
    }
    block->room[2 * k] = y[0] - y[3];
    block->room[2 * k + 1] = y[1] + y[2];
  }
#endif
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
