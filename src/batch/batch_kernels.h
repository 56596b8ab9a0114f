/* ================================================================================== >>batch_kernels */

#if !defined(PERM_NO_EXTRAS)
/* Numbers are `stride` apart, parts half of that. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(entry)(const double *a, size_t stride, int n, int i, int j, int parts)
{
  return PERMI_NAME(get_any)(a + (size_t)(i * n + j) * stride, parts == 2 ? (int)(stride / 2) : 0, parts);
}

/* Makes the permanents of rows i, i + 1 by pairs (0, 1), (0, 2), .. of columns. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(expand_pairs)(PERMI_N *pair, const double *a, size_t stride, int n, int i,
                                                        int parts)
{
  PERMI_N x[4], y[4];
  PERMI_UNROLL
  for (int j = 0; j < n; j++) {
    x[j] = PERMI_NAME(entry)(a, stride, n, i, j, parts);
    y[j] = PERMI_NAME(entry)(a, stride, n, i + 1, j, parts);
  }
  PERMI_UNROLL
  for (int j = 0; j < n; j++)
    PERMI_UNROLL
    for (int k = j + 1; k < n; k++)
      *pair++ = PERMI_NAME(plus_times)(PERMI_NAME(times)(x[j], y[k], parts), x[k], y[j], parts);
}

/* Returns the permanent, n = 2 .. 4; raises *largest to moduli of parts. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(expand)(int n, const double *a, size_t stride, PERMI_V *largest, int parts)
{
  const size_t apart = stride / (size_t)parts;
  const int vectors = n * n * parts, pairs = n * (n - 1) / 2;
  PERMI_V large = *largest;
  PERMI_N upper[6], lower[6], sum;
  PERMI_UNROLL
  for (int i = 0; i + 1 < vectors; i += 2) { /* pairs first: a shorter chain */
    const double *p = a + (size_t)i * apart;
    large = PERMI_LARGER(large, PERMI_LARGER(PERMI_LOAD_ANY(p), PERMI_LOAD_ANY(p + apart)));
  }
  if (vectors % 2)
    large = PERMI_LARGER(large, PERMI_LOAD_ANY(a + (size_t)(vectors - 1) * apart));
  *largest = large;
  PERMI_NAME(expand_pairs)(lower, a, stride, n, n - 2, parts);
  if (n == 2)
    return lower[0];
  if (n == 4)
    PERMI_NAME(expand_pairs)(upper, a, stride, n, 0, parts);
  sum.re = sum.im = PERMI_SET(0.0);
  PERMI_UNROLL
  for (int i = 0; i < pairs; i++)
    sum = PERMI_NAME(plus_times)(sum, n == 4 ? upper[i] : PERMI_NAME(entry)(a, stride, n, 0, i, parts),
                                 lower[pairs - 1 - i], parts);
  return sum;
}

/* poison: 0 or NaN */
typedef struct PERMI_NAME(stream) {
  PERMI_V large, least, poison;
} PERMI_NAME(stream);

PERMI_TARGET PERMI_INLINE void PERMI_NAME(stream_order)(PERMI_NAME(stream) *stream, int n, const double *a,
                                                        size_t stride, size_t vectors, double *values, int parts)
{
  for (size_t v = 0; v < vectors; v++, a += PERMI_WIDTH, values += PERMI_WIDTH) {
    const PERMI_N value = PERMI_NAME(expand)(n, a, stride, &stream->large, parts);
    PERMI_V modulus = PERMI_ABS(value.re);
    PERMI_STORE_ANY(values, value.re);
    stream->poison = PERMI_FMA(value.re, PERMI_SET(0.0), stream->poison);
    if (parts == 2) {
      PERMI_STORE_ANY(values + PERMI_BATCH_BLOCK, value.im);
      modulus = PERMI_LARGER(value.re, value.im);
      stream->poison = PERMI_FMA(value.im, PERMI_SET(0.0), stream->poison);
    }
    stream->least = PERMI_LESSER(modulus, stream->least);
  }
}

/* Returns 1 if all entries are up to `largest`, all |values| from `least` on and none NaN. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(batch_stream)(int n, const double *a, size_t stride, size_t vectors,
                                                       double largest, double least, double *values, int parts)
{
  PERMI_NAME(stream) stream;
  double extremes[3 * PERMI_WIDTH] PERMI_ALIGN64;
  int k, stand = 1;
  stream.large = stream.poison = PERMI_SET(0.0);
  stream.least = PERMI_SET(least);
  if (n == 4)
    PERMI_NAME(stream_order)(&stream, 4, a, stride, vectors, values, parts);
  else if (n == 3)
    PERMI_NAME(stream_order)(&stream, 3, a, stride, vectors, values, parts);
  else
    PERMI_NAME(stream_order)(&stream, 2, a, stride, vectors, values, parts);
  PERMI_STORE(extremes, stream.large);
  PERMI_STORE(extremes + PERMI_WIDTH, stream.least);
  PERMI_STORE(extremes + 2 * PERMI_WIDTH, stream.poison);
  PERMI_LEAVE();
  for (k = 0; k < PERMI_WIDTH; k++)
    stand &= (extremes[k] <= largest) & (extremes[PERMI_WIDTH + k] >= least) & (extremes[2 * PERMI_WIDTH + k] == 0);
  return stand;
}

#define PERMI_INSTANCE(name, parts)                                                                                    \
  PERMI_TARGET static int PERMI_NAME(name)(int n, const double *a, size_t stride, size_t vectors, double largest,      \
                                           double least, double *values)                                               \
  { return PERMI_NAME(batch_stream)(n, a, stride, vectors, largest, least, values, parts); }
PERMI_INSTANCE(batch_stream_real, 1)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(batch_stream_complex, 2)
#endif
#undef PERMI_INSTANCE

#if PERMI_WIDTH >= 4
/* n = 5 .. 8, real: Laplace expansion by permanents of two rows, of four and of the others: 75, 195, 476, 1134
   operations, fewer than signs take. Vectors of 16 matrices share indices. */
#define PERMI_HALVES (16 / PERMI_WIDTH)
#define PERMI_HALVES_NORMS 64.0 /* the square of 8: per |A| is up to 9.8 times the rows' norms, rounded some 10 times */
#define PERMI_PAIR_AT(p, k, q) PERMI_LOAD((p) + (size_t)(k) * 16 + (q) * PERMI_WIDTH)
#define PERMI_ENTRY_AT(p, k, q) PERMI_LOAD_ANY((p) + (size_t)(k) * stride + (q) * PERMI_WIDTH)

PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_pairs)(double *pair, const double *a, size_t stride, int n)
{
  const double *b = a + (size_t)n * stride;
  PERMI_V x[PERMI_HALVES], y[PERMI_HALVES];
  int j, k, q;
  for (k = 1; k < n; k++) {
    PERMI_EVERY(q, PERMI_HALVES, x[q] = PERMI_ENTRY_AT(a, k, q));
    PERMI_EVERY(q, PERMI_HALVES, y[q] = PERMI_ENTRY_AT(b, k, q));
    for (j = 0; j < k; j++, pair += 16)
      PERMI_EVERY(q, PERMI_HALVES, PERMI_STORE(pair + q * PERMI_WIDTH,
                                               PERMI_FMA(PERMI_ENTRY_AT(a, j, q), y[q],
                                                         x[q] * PERMI_ENTRY_AT(b, j, q))));
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_four)(PERMI_V *sum, const double *x, const double *y,
                                                      const unsigned char *at)
{
  int k, q;
  PERMI_EVERY(q, PERMI_HALVES, sum[q] = PERMI_FMA(PERMI_PAIR_AT(x, at[0], q), PERMI_PAIR_AT(y, at[1], q),
                                                  PERMI_PAIR_AT(x, at[1], q) * PERMI_PAIR_AT(y, at[0], q)));
  PERMI_UNROLL
  for (k = 2; k < 6; k++)
    PERMI_EVERY(q, PERMI_HALVES, sum[q] = PERMI_FMA(PERMI_PAIR_AT(x, at[k], q), PERMI_PAIR_AT(y, at[k ^ 1], q),
                                                    sum[q]));
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_halves)(PERMI_V *sum, const permi_batch_split *split, int n,
                                                        const double *a, size_t stride)
{
  double pair[4 * 28 * 16] PERMI_ALIGN64;
  const double *p0 = pair, *p1 = p0 + 28 * 16, *p2 = p1 + 28 * 16, *p3 = p2 + 28 * 16;
  const double *last = a + (size_t)((n - 1) * n) * stride;
  const int splits = n == 8 ? 70 : n == 7 ? 35 : n == 6 ? 15 : 5;
  PERMI_V upper[PERMI_HALVES], lower[PERMI_HALVES];
  int k, q;
  for (k = 0; k < n / 2; k++)
    PERMI_NAME(batch_pairs)(pair + k * 28 * 16, a + (size_t)(2 * k * n) * stride, stride, n);
  PERMI_EVERY(q, PERMI_HALVES, sum[q] = PERMI_SET(0.0));
  for (k = 0; k < splits; k++, split++) {
    const unsigned char *at = split->lower;
    PERMI_NAME(batch_four)(upper, p0, p1, split->upper);
    if (n == 8) {
      PERMI_NAME(batch_four)(lower, p2, p3, at);
    } else if (n == 6) {
      PERMI_EVERY(q, PERMI_HALVES, lower[q] = PERMI_PAIR_AT(p2, at[0], q));
    } else {
      PERMI_EVERY(q, PERMI_HALVES, lower[q] = PERMI_ENTRY_AT(last, at[0], q));
      if (n == 7)
        PERMI_EVERY(q, PERMI_HALVES, lower[q] = PERMI_FMA(PERMI_ENTRY_AT(last, at[4], q), PERMI_PAIR_AT(p2, at[5], q),
                                                          PERMI_FMA(PERMI_ENTRY_AT(last, at[2], q),
                                                                    PERMI_PAIR_AT(p2, at[3], q),
                                                                    lower[q] * PERMI_PAIR_AT(p2, at[1], q))));
    }
    PERMI_EVERY(q, PERMI_HALVES, sum[q] = PERMI_FMA(lower[q], upper[q], sum[q]));
  }
}
#undef PERMI_PAIR_AT
#undef PERMI_ENTRY_AT

PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(batch_square)(PERMI_V norm, PERMI_N x, int parts)
{
  norm = PERMI_FMA(x.re, x.re, norm);
  return parts == 2 ? PERMI_FMA(x.im, x.im, norm) : norm;
}

/* Writes rows' largest squared norms, and products of all, after values. Returns a bit for each value of which `sure`,
   its modulus less its error, is at least `least`, and large against the root of `factor` times the product. */
PERMI_TARGET PERMI_INLINE unsigned PERMI_NAME(batch_sure)(int n, const double *a, size_t stride, double least,
                                                          const PERMI_V *sure, double factor, double *out, int parts)
{
  const PERMI_V unit = PERMI_SET(4e10 * n * PERMI_UNIT), bottom = PERMI_SET(DBL_MIN); /* for what underflows */
  const int vectors = parts == 1 ? PERMI_HALVES : 1;
  PERMI_V norm[PERMI_HALVES], norms[PERMI_HALVES], large[PERMI_HALVES];
  double extremes[PERMI_WIDTH] PERMI_ALIGN64;
  unsigned stand = 0;
  int i, j, q;
  PERMI_EVERY(q, vectors, norms[q] = large[q] = PERMI_SET(1.0));
  for (i = 0; i < n; i++) {
    PERMI_EVERY(q, vectors, norm[q] = bottom);
    for (j = 0; j < n; j++)
      PERMI_EVERY(q, vectors, norm[q] = PERMI_NAME(batch_square)(
                                  norm[q], PERMI_NAME(entry)(a + q * PERMI_WIDTH, stride, n, i, j, parts), parts));
    PERMI_EVERY(q, vectors, large[q] = PERMI_LARGER(large[q], norm[q]));
    PERMI_EVERY(q, vectors, norms[q] = PERMI_LARGER(norms[q] * norm[q], bottom));
  }
  for (q = 0; q < vectors; q++, out += PERMI_WIDTH) {
    PERMI_STORE(out + parts * PERMI_BATCH_BLOCK, large[q]);
    PERMI_STORE(out + (parts + 1) * PERMI_BATCH_BLOCK, norms[q]);
    norms[q] = PERMI_FNMA(unit * unit, norms[q] * PERMI_SET(factor), sure[q] * sure[q]);
    norms[q] = PERMI_LESSER(sure[q] - PERMI_SET(least), norms[q]);
    PERMI_STORE(extremes, PERMI_LESSER(PERMI_SET(1e24) - large[q], norms[q])); /* keeps a NaN */
    for (i = 0; i < PERMI_WIDTH; i++)
      stand |= (unsigned)(extremes[i] >= 0) << (q * PERMI_WIDTH + i);
  }
  return stand;
}

PERMI_TARGET static unsigned PERMI_NAME(batch_halves_real)(const permi_batch_split *split, int n, const double *a,
                                                           size_t stride, double least, double *out)
{
  unsigned stand = 0;
  int v, q;
  for (v = 0; v < PERMI_BATCH_BLOCK; v += 16) {
    PERMI_V value[PERMI_HALVES];
    PERMI_NAME(batch_halves)(value, split, n, a + v, stride);
    PERMI_EVERY(q, PERMI_HALVES, PERMI_STORE(out + v + q * PERMI_WIDTH, value[q]));
    PERMI_EVERY(q, PERMI_HALVES, value[q] = PERMI_ABS(value[q]));
    stand |= PERMI_NAME(batch_sure)(n, a + v, stride, least, value, PERMI_HALVES_NORMS, out + v, 1) << v;
  }
  PERMI_LEAVE();
  return stand;
}
#undef PERMI_HALVES_NORMS

#if !defined(PERM_NO_COMPLEX)
/* n = 5 .. 11, complex, as in >>small_kernels. A form, z_i, z_j, u, v of a pair of rows, is a table's number, for the
   signs of three columns, plus an outer one, for the next three's, renewed for each `away` of the others'. Sums are
   rounded n - 3 times: nothing drifts. */
#define PERMI_BATCH_FORM (16 * PERMI_WIDTH) /* eight settings */
#define PERMI_BATCH_PAIR (4 * PERMI_BATCH_FORM + 2 * PERMI_WIDTH) /* and c */

/* Writes the outer numbers or, if away < 0, the table. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_forms)(int n, const double *a, size_t stride, int away, double *to)
{
  const int first = away < 0 ? 3 : 6, left = n < first ? 0 : n - first, columns = left < 3 ? left : 3;
  const int apart = 8 * PERMI_WIDTH;
  for (int i = 0; i < n; i++, to += i % 2 ? PERMI_BATCH_FORM : PERMI_BATCH_PAIR - PERMI_BATCH_FORM) {
    PERMI_N y = PERMI_NAME(entry)(a, stride, n, i, 2, 2);
    if (away >= 0)
      y = PERMI_NAME(spread)(permi_lane_zero, 1, 2);
    for (int j = 9; j < n && away >= 0; j++)
      y = PERMI_NAME(small_signed)(y, PERMI_SET(permi_parity_signs[away >> (j - 9) & 1]),
                                   PERMI_NAME(entry)(a, stride, n, i, j, 2), 2);
    PERMI_NAME(put)(to, apart, y, 2);
    for (int j = 0; j < columns; j++)
      PERMI_NAME(small_double)(to, PERMI_WIDTH << j, PERMI_NAME(entry)(a, stride, n, i, first + j, 2), apart, 2);
    if (i % 2) {
      const PERMI_NAME(small_entries) entries = {
          PERMI_NAME(entry)(a, stride, n, i - 1, 0, 2), PERMI_NAME(entry)(a, stride, n, i - 1, 1, 2),
          PERMI_NAME(entry)(a, stride, n, i, 0, 2), PERMI_NAME(entry)(a, stride, n, i, 1, 2)};
      PERMI_NAME(small_mix)(to - PERMI_BATCH_FORM, PERMI_WIDTH << columns, entries, apart, 2);
      PERMI_NAME(put)(to + 3 * PERMI_BATCH_FORM, PERMI_WIDTH,
                      PERMI_NAME(small_linear)(entries.i0, entries.j1, entries.i1, entries.j0, 2), 2);
    }
  }
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(batch_form)(const double *form, int q, int outer)
{
  const PERMI_N x = PERMI_NAME(get)(form + q * PERMI_WIDTH, 8 * PERMI_WIDTH, 2);
  return outer ? PERMI_NAME(plus)(x, PERMI_NAME(get)(form + outer, 8 * PERMI_WIDTH, 2)) : x;
}

PERMI_TARGET PERMI_INLINE PERMI_NAME(small_expanded) PERMI_NAME(batch_pair)(const double *form, int q, int outer)
{
  PERMI_NAME(small_expanded) pair;
  pair.p = PERMI_NAME(times)(PERMI_NAME(batch_form)(form, q, outer),
                             PERMI_NAME(batch_form)(form + PERMI_BATCH_FORM, q, outer), 2);
  pair.u = PERMI_NAME(batch_form)(form + 2 * PERMI_BATCH_FORM, q, outer);
  pair.v = PERMI_NAME(batch_form)(form + 3 * PERMI_BATCH_FORM, q, outer);
  pair.c = PERMI_NAME(get)(form + 4 * PERMI_BATCH_FORM, PERMI_WIDTH, 2);
  return pair;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_terms)(PERMI_NAME(small_sums) * sums, int n, const double *a,
                                                       size_t stride, const double *form, int first, int outer,
                                                       double sign)
{
  const PERMI_V signs = PERMI_SET(sign);
  PERMI_NAME(small_expanded) f[2];
  int k, q;
  PERMI_EVERY(q, PERMI_WIDTH / 4, f[q] = PERMI_NAME(batch_pair)(form, first + q, outer));
  for (k = 1, form += PERMI_BATCH_PAIR; k < (n - 1) / 2; k++, form += PERMI_BATCH_PAIR)
    PERMI_EVERY(q, PERMI_WIDTH / 4, f[q] = PERMI_NAME(small_multiply)(
                                        f[q], PERMI_NAME(batch_pair)(form, first + q, outer), 2));
  if (n % 2) {
    const PERMI_N a0 = PERMI_NAME(entry)(a, stride, n, n - 1, 0, 2), a1 = PERMI_NAME(entry)(a, stride, n, n - 1, 1, 2);
    PERMI_EVERY(q, PERMI_WIDTH / 4, PERMI_NAME(small_finish)(
                                        sums, PERMI_NAME(times)(PERMI_NAME(batch_form)(form, first + q, outer),
                                                                f[q].c, 2),
                                        PERMI_NAME(small_linear)(a0, f[q].v, a1, f[q].u, 2), signs, q, 2));
  } else {
    PERMI_EVERY(q, PERMI_WIDTH / 4, PERMI_NAME(small_end_pair)(
                                        sums, f[q], PERMI_NAME(batch_pair)(form, first + q, outer), signs, q, 2));
  }
}

PERMI_TARGET PERMI_INLINE unsigned PERMI_NAME(batch_signs)(int n, const double *a, size_t stride, double least,
                                                          double *table, double *out)
{
  const PERMI_V unit = PERMI_SET(4e10 * n * PERMI_UNIT), scale = PERMI_SET(8.0 / (double)(1 << n));
  const int outer = (n + 1) / 2 * PERMI_BATCH_PAIR, at_once = PERMI_WIDTH / 4;
  const int settings = n < 6 ? 4 : 8, states = n < 7 ? 1 : n < 9 ? 1 << (n - 6) : 8;
  PERMI_NAME(small_sums) sums;
  sums.absolute = sums.even.re = sums.even.im = sums.odd.re = sums.odd.im = PERMI_SET(0.0);
  for (int away = -1; away < (n < 9 ? 1 : 1 << (n - 9)); away++) {
    if (away < 0 || n > 6)
      PERMI_NAME(batch_forms)(n, a, stride, away, away < 0 ? table : table + outer);
    for (int s = 0; s < states && away >= 0; s++)
      for (int t = 0; t < settings; t += at_once)
        PERMI_NAME(batch_terms)(&sums, n, a, stride, table, t, n > 6 ? outer + s * PERMI_WIDTH : 0,
                                permi_parity_signs[t / at_once ^ s ^ away]);
  }
  PERMI_N value = PERMI_NAME(minus)(sums.even, sums.odd);
  value.re = scale * value.re;
  value.im = scale * value.im;
  PERMI_NAME(put)(out, PERMI_BATCH_BLOCK, value, 2);
  PERMI_V sure = PERMI_FNMA(unit, scale * sums.absolute, PERMI_LARGER(value.re, value.im));
  return PERMI_NAME(batch_sure)(n, a, stride, least, &sure, 1.0, out, 2);
}

PERMI_TARGET static unsigned PERMI_NAME(batch_signs_complex)(const permi_batch_split *split, int n, const double *a,
                                                             size_t stride, double least, double *out)
{
  unsigned stand = 0;
  (void)split;
  for (int v = 0; v < PERMI_BATCH_BLOCK; v += PERMI_WIDTH)
    stand |= PERMI_NAME(batch_signs)(n, a + v, stride, least, out + 4 * PERMI_BATCH_BLOCK, out + v) << v;
  PERMI_LEAVE();
  return stand;
}
#undef PERMI_BATCH_FORM
#undef PERMI_BATCH_PAIR
#endif
#undef PERMI_HALVES
#endif
#endif
/* SPDX-License-Identifier: MIT */
