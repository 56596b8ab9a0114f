/* ================================================================================== >>batch_kernels
   Batches: each vector element has its own matrix. */

#if !defined(PERM_NO_EXTRAS)
/* Entry (i, j), then the 2 x 2 permanent of rows i, i + 1, columns j, k; numbers are `stride` apart, parts
   half of it. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(entry)(const double *a, size_t stride, int n, int i, int j, int parts)
{
  return PERMI_NAME(get_any)(a + (size_t)(i * n + j) * stride, parts == 2 ? (int)(stride / 2) : 0, parts);
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(expand_two)(const double *a, size_t stride, int n, int i, int j, int k,
                                                         int parts)
{
  const PERMI_N p = PERMI_NAME(entry)(a, stride, n, i, j, parts);
  const PERMI_N q = PERMI_NAME(entry)(a, stride, n, i + 1, k, parts);
  const PERMI_N r = PERMI_NAME(entry)(a, stride, n, i, k, parts);
  const PERMI_N s = PERMI_NAME(entry)(a, stride, n, i + 1, j, parts);
  return PERMI_NAME(plus_times)(PERMI_NAME(times)(p, q, parts), r, s, parts);
}

/* Adds the terms with columns j, k in rows 0, 1 and l, m in rows 2, 3; or j in row 0 and k, l behind. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(expand_four)(PERMI_N sum, const double *a, size_t stride, int j, int k,
                                                          int l, int m, int parts)
{
  return PERMI_NAME(plus_times)(sum, PERMI_NAME(expand_two)(a, stride, 4, 0, j, k, parts),
                                PERMI_NAME(expand_two)(a, stride, 4, 2, l, m, parts), parts);
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(expand_three)(PERMI_N sum, const double *a, size_t stride, int j, int k,
                                                           int l, int parts)
{
  return PERMI_NAME(plus_times)(sum, PERMI_NAME(entry)(a, stride, 3, 0, j, parts),
                                PERMI_NAME(expand_two)(a, stride, 3, 1, k, l, parts), parts);
}

/* n = 2, 3, 4 as in >>small; updates *largest with moduli of parts. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(expand)(int n, const double *a, size_t stride, PERMI_V *largest, int parts)
{
  PERMI_V large = *largest;
  PERMI_N sum;
  int i;
  PERMI_UNROLL
  for (i = 0; i + 1 < n * n; i += 2) { /* pairs first: a shorter chain */
    const double *p = a + (size_t)i * stride, *q = p + stride;
    large = PERMI_LARGER(large, PERMI_LARGER(PERMI_LOAD_ANY(p), PERMI_LOAD_ANY(q)));
    if (parts == 2)
      large = PERMI_LARGER(large, PERMI_LARGER(PERMI_LOAD_ANY(p + stride / 2), PERMI_LOAD_ANY(q + stride / 2)));
  }
  if (n == 3) {
    large = PERMI_LARGER(large, PERMI_LOAD_ANY(a + 8 * stride));
    if (parts == 2)
      large = PERMI_LARGER(large, PERMI_LOAD_ANY(a + 8 * stride + stride / 2));
  }
  *largest = large;
  sum.re = sum.im = PERMI_SET(0.0);
  if (n == 4) {
    sum = PERMI_NAME(expand_four)(sum, a, stride, 0, 1, 2, 3, parts);
    sum = PERMI_NAME(expand_four)(sum, a, stride, 0, 2, 1, 3, parts);
    sum = PERMI_NAME(expand_four)(sum, a, stride, 0, 3, 1, 2, parts);
    sum = PERMI_NAME(expand_four)(sum, a, stride, 1, 2, 0, 3, parts);
    sum = PERMI_NAME(expand_four)(sum, a, stride, 1, 3, 0, 2, parts);
    return PERMI_NAME(expand_four)(sum, a, stride, 2, 3, 0, 1, parts);
  }
  if (n == 3) {
    sum = PERMI_NAME(expand_three)(sum, a, stride, 0, 1, 2, parts);
    sum = PERMI_NAME(expand_three)(sum, a, stride, 1, 0, 2, parts);
    return PERMI_NAME(expand_three)(sum, a, stride, 2, 0, 1, parts);
  }
  return PERMI_NAME(expand_two)(a, stride, 2, 0, 0, 1, parts);
}

/* Largest entry, smallest value, 0 or NaN of a stream. */
typedef struct PERMI_NAME(stream) {
  PERMI_V large, least, poison;
} PERMI_NAME(stream);

PERMI_TARGET PERMI_INLINE void PERMI_NAME(stream_order)(PERMI_NAME(stream) *stream, int n, const double *a,
                                                        size_t stride, size_t vectors, double *values, int parts)
{
  size_t v;
  for (v = 0; v < vectors; v++, a += PERMI_WIDTH, values += PERMI_WIDTH * parts) {
    const PERMI_N value = PERMI_NAME(expand)(n, a, stride, &stream->large, parts);
    PERMI_V modulus = PERMI_ABS(value.re);
    PERMI_STORE_ANY(values, value.re);
    stream->poison = PERMI_FMA(value.re, PERMI_SET(0.0), stream->poison);
    if (parts == 2) {
      PERMI_STORE_ANY(values + PERMI_WIDTH, value.im);
      modulus = PERMI_LARGER(value.re, value.im);
      stream->poison = PERMI_FMA(value.im, PERMI_SET(0.0), stream->poison);
    }
    stream->least = PERMI_LESSER(modulus, stream->least);
  }
}

/* Returns whether all entries are up to `largest`, all |values| from `least`, none NaN. */
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

PERMI_TARGET static int PERMI_NAME(batch_stream_real)(int n, const double *a, size_t stride, size_t vectors,
                                                      double largest, double least, double *values)
{
  return PERMI_NAME(batch_stream)(n, a, stride, vectors, largest, least, values, 1);
}

#if !defined(PERM_NO_COMPLEX)
PERMI_TARGET static int PERMI_NAME(batch_stream_complex)(int n, const double *a, size_t stride, size_t vectors,
                                                         double largest, double least, double *values)
{
  return PERMI_NAME(batch_stream)(n, a, stride, vectors, largest, least, values, 2);
}
#endif

#if PERMI_WIDTH >= 4
/* n = 5 .. 12 as in >>small_kernels: columns 0 and 1 expanded, the third with +, the others signed. A form, z_i, z_j,
   u, v of a pair of rows, is a number of its table, of up to three columns' settings, plus an outer one: of the next
   three columns' and, renewed for each setting, the far ones'. Rows' sums are rounded n - 3 times: nothing drifts. */
#define PERMI_BATCH_AT_ONCE(parts) (PERMI_WIDTH / (2 * (parts))) /* settings in registers */

typedef struct PERMI_NAME(batch_rows) {
  const double *a;
  size_t stride;
  double *table, *outer, *cross;
  int n, columns, outer_columns; /* in settings */
} PERMI_NAME(batch_rows);

/* `begin` and the signed entries from a on, for each setting; bit k: column k has -. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_settings)(double *to, const double *a, size_t stride, int columns,
                                                          PERMI_N begin, int parts)
{
  PERMI_N t[8], x;
  int k;
  PERMI_EVERY(k, 8, t[k] = begin);
  if (columns > 0) {
    x = PERMI_NAME(entry)(a, stride, 0, 0, 0, parts);
    t[1] = PERMI_NAME(minus)(t[0], x);
    t[0] = PERMI_NAME(plus)(t[0], x);
  }
  if (columns > 1) {
    x = PERMI_NAME(entry)(a, stride, 0, 0, 1, parts);
    PERMI_EVERY(k, 2, t[k + 2] = PERMI_NAME(minus)(t[k], x); t[k] = PERMI_NAME(plus)(t[k], x));
  }
  if (columns > 2) {
    x = PERMI_NAME(entry)(a, stride, 0, 0, 2, parts);
    PERMI_EVERY(k, 4, t[k + 4] = PERMI_NAME(minus)(t[k], x); t[k] = PERMI_NAME(plus)(t[k], x));
  }
  PERMI_EVERY(k, 8, if (k >> columns == 0) PERMI_NAME(put)(to + k * PERMI_WIDTH * parts, PERMI_WIDTH, t[k], parts));
}

/* Forms u and v of a pair of rows from z_i and z_j, for each setting; returns c. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(batch_mix)(const PERMI_NAME(batch_rows) *rows, int k, double *form,
                                                        int settings, int parts)
{
  const int apart = PERMI_WIDTH * parts;
  const size_t stride = rows->stride;
  const double *i = rows->a + (size_t)(2 * k * rows->n) * stride, *j = i + (size_t)rows->n * stride;
  const PERMI_N i0 = PERMI_NAME(entry)(i, stride, 0, 0, 0, parts), i1 = PERMI_NAME(entry)(i, stride, 0, 0, 1, parts);
  const PERMI_N j0 = PERMI_NAME(entry)(j, stride, 0, 0, 0, parts), j1 = PERMI_NAME(entry)(j, stride, 0, 0, 1, parts);
  int q;
  for (q = 0; q < settings; q++, form += apart) {
    const PERMI_N zi = PERMI_NAME(get)(form, PERMI_WIDTH, parts);
    const PERMI_N zj = PERMI_NAME(get)(form + 8 * apart, PERMI_WIDTH, parts);
    PERMI_NAME(put)(form + 16 * apart, PERMI_WIDTH, PERMI_NAME(small_linear)(i0, zj, j0, zi, parts), parts);
    PERMI_NAME(put)(form + 24 * apart, PERMI_WIDTH, PERMI_NAME(small_linear)(i1, zj, j1, zi, parts), parts);
  }
  return PERMI_NAME(small_linear)(i0, j1, i1, j0, parts);
}

/* Outer numbers, with the far columns' signs of `away`; or, where `away` is negative, the tables and c. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_forms)(const PERMI_NAME(batch_rows) *rows, int away, int parts)
{
  const int n = rows->n, apart = PERMI_WIDTH * parts, columns = away < 0 ? rows->columns : rows->outer_columns;
  const int first = away < 0 ? 3 : 3 + rows->columns;
  double *to = away < 0 ? rows->table : rows->outer;
  int i, j, k;
  for (i = 0; i < n; i++) {
    const double *row = rows->a + (size_t)(i * n) * rows->stride;
    PERMI_N begin;
    begin.re = begin.im = PERMI_SET(0.0);
    if (away < 0)
      begin = PERMI_NAME(entry)(row, rows->stride, 0, 0, 2, parts);
    for (j = 9; j < n && away >= 0; j++) {
      const PERMI_N x = PERMI_NAME(entry)(row, rows->stride, 0, 0, j, parts);
      begin = away >> (j - 9) & 1 ? PERMI_NAME(minus)(begin, x) : PERMI_NAME(plus)(begin, x);
    }
    PERMI_NAME(batch_settings)(to + (i / 2 * 4 + i % 2) * 8 * apart, row + (size_t)first * rows->stride, rows->stride,
                               columns, begin, parts);
  }
  for (k = 0; k < n / 2; k++) {
    const PERMI_N c = PERMI_NAME(batch_mix)(rows, k, to + 32 * k * apart, 1 << columns, parts);
    if (away < 0)
      PERMI_NAME(put)(rows->cross + k * apart, PERMI_WIDTH, c, parts);
  }
}

/* A form at a setting and, unless negative, an outer one. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(batch_form)(const PERMI_NAME(batch_rows) *rows, int form, int q, int s,
                                                         int parts)
{
  const int apart = PERMI_WIDTH * parts;
  const PERMI_N x = PERMI_NAME(get)(rows->table + (8 * form + q) * apart, PERMI_WIDTH, parts);
  return s < 0 ? x : PERMI_NAME(plus)(x, PERMI_NAME(get)(rows->outer + (8 * form + s) * apart, PERMI_WIDTH, parts));
}

PERMI_TARGET PERMI_INLINE PERMI_NAME(small_expanded)
    PERMI_NAME(batch_pair)(const PERMI_NAME(batch_rows) *rows, int k, int q, int s, int parts)
{
  PERMI_NAME(small_expanded) pair;
  pair.p = PERMI_NAME(times)(PERMI_NAME(batch_form)(rows, 4 * k, q, s, parts),
                             PERMI_NAME(batch_form)(rows, 4 * k + 1, q, s, parts), parts);
  pair.u = PERMI_NAME(batch_form)(rows, 4 * k + 2, q, s, parts);
  pair.v = PERMI_NAME(batch_form)(rows, 4 * k + 3, q, s, parts);
  pair.c = PERMI_NAME(get)(rows->cross + k * PERMI_WIDTH * parts, PERMI_WIDTH, parts);
  return pair;
}

/* The terms of settings first .. first + PERMI_BATCH_AT_ONCE - 1. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_terms)(PERMI_NAME(small_sums) *sums,
                                                       const PERMI_NAME(batch_rows) *rows, int first, int s,
                                                       double sign, int parts)
{
  const int n = rows->n, at_once = PERMI_BATCH_AT_ONCE(parts);
  const PERMI_V signs = PERMI_SET(sign);
  PERMI_NAME(small_expanded) f[4];
  int k, q;
  PERMI_EVERY(q, 4, if (q < at_once) f[q] = PERMI_NAME(batch_pair)(rows, 0, first + q, s, parts));
  for (k = 1; k < (n - 1) / 2; k++)
    PERMI_EVERY(q, 4, if (q < at_once) f[q] = PERMI_NAME(small_multiply)(
                          f[q], PERMI_NAME(batch_pair)(rows, k, first + q, s, parts), parts));
  if (n % 2) {
    const double *last = rows->a + (size_t)((n - 1) * n) * rows->stride;
    const PERMI_N a0 = PERMI_NAME(entry)(last, rows->stride, 0, 0, 0, parts);
    const PERMI_N a1 = PERMI_NAME(entry)(last, rows->stride, 0, 0, 1, parts);
    PERMI_EVERY(q, 4, if (q < at_once) PERMI_NAME(small_finish)(
                          sums,
                          PERMI_NAME(times)(PERMI_NAME(batch_form)(rows, 4 * k, first + q, s, parts), f[q].c, parts),
                          PERMI_NAME(small_linear)(a0, f[q].v, a1, f[q].u, parts), signs, q, parts));
  } else {
    PERMI_EVERY(q, 4, if (q < at_once) PERMI_NAME(small_end_pair)(
                          sums, f[q], PERMI_NAME(batch_pair)(rows, k, first + q, s, parts), signs, q, parts));
  }
}

/* The sum over all signs; work: 17 numbers for each of 2 n forms: table, outer ones, c of a pair. */
PERMI_TARGET PERMI_INLINE PERMI_NAME(small_sums) PERMI_NAME(batch_sum)(int n, const double *a, size_t stride,
                                                                       double *work, int parts)
{
  const int at_once = PERMI_BATCH_AT_ONCE(parts);
  PERMI_NAME(batch_rows) rows;
  PERMI_NAME(small_sums) sums;
  int away, s, q;
  rows.a = a;
  rows.stride = stride;
  rows.n = n;
  rows.columns = n < 6 ? 2 : 3;
  rows.outer_columns = n < 6 ? 0 : n < 9 ? n - 6 : 3;
  rows.table = work;
  rows.outer = rows.table + 16 * n * PERMI_WIDTH * parts;
  rows.cross = rows.outer + 16 * n * PERMI_WIDTH * parts;
  sums.absolute = sums.even.re = sums.even.im = sums.odd.re = sums.odd.im = PERMI_SET(0.0);
  PERMI_NAME(batch_forms)(&rows, -1, parts);
  for (q = 0; n < 7 && q < 1 << rows.columns; q += at_once)
    PERMI_NAME(batch_terms)(&sums, &rows, q, -1, permi_parity_signs[q / at_once], parts);
  for (away = 0; n > 6 && away < 1 << (n < 9 ? 0 : n - 9); away++) {
    PERMI_NAME(batch_forms)(&rows, away, parts);
    for (s = 0; s < 1 << rows.outer_columns; s++)
      for (q = 0; q < 1 << rows.columns; q += at_once)
        PERMI_NAME(batch_terms)(&sums, &rows, q, s,
                                permi_parity_signs[q / at_once] * permi_parity_signs[s] * permi_parity_signs[away],
                                parts);
  }
  return sums;
}
#undef PERMI_BATCH_AT_ONCE

/* n = 5 .. 8, real: Laplace expansion. Permanents of two rows each, of the first four and of the others, for all
   columns: 75, 195, 476, 1134 operations, fewer than signs take. */
#define PERMI_HALVES_NORMS 64.0 /* the square of 8: per |A| is up to 9.8 times the rows' norms, rounded some 10 times */
#define PERMI_PAIR(j, k) ((j) < (k) ? (j) + (k) * ((k) - 1) / 2 : (k) + (j) * ((j) - 1) / 2)
/* Subsets, then the other columns. */
#define PERMI_TWOS_OF_6(X)                                                                                             \
  X(0,1,2,3,4,5) X(0,2,1,3,4,5) X(0,3,1,2,4,5) X(0,4,1,2,3,5) X(0,5,1,2,3,4) X(1,2,0,3,4,5) X(1,3,0,2,4,5)             \
  X(1,4,0,2,3,5) X(1,5,0,2,3,4) X(2,3,0,1,4,5) X(2,4,0,1,3,5) X(2,5,0,1,3,4) X(3,4,0,1,2,5) X(3,5,0,1,2,4)             \
  X(4,5,0,1,2,3)
#define PERMI_THREES_WITH_6(X)                                                                                         \
  X(0,1,6,2,3,4,5) X(0,2,6,1,3,4,5) X(0,3,6,1,2,4,5) X(0,4,6,1,2,3,5) X(0,5,6,1,2,3,4) X(1,2,6,0,3,4,5)                \
  X(1,3,6,0,2,4,5) X(1,4,6,0,2,3,5) X(1,5,6,0,2,3,4) X(2,3,6,0,1,4,5) X(2,4,6,0,1,3,5) X(2,5,6,0,1,3,4)                \
  X(3,4,6,0,1,2,5) X(3,5,6,0,1,2,4) X(4,5,6,0,1,2,3)
#define PERMI_THREES_BELOW_6(X)                                                                                        \
  X(0,1,2,3,4,5,6) X(0,1,3,2,4,5,6) X(0,1,4,2,3,5,6) X(0,1,5,2,3,4,6) X(0,2,3,1,4,5,6) X(0,2,4,1,3,5,6)                \
  X(0,2,5,1,3,4,6) X(0,3,4,1,2,5,6) X(0,3,5,1,2,4,6) X(0,4,5,1,2,3,6) X(1,2,3,0,4,5,6) X(1,2,4,0,3,5,6)                \
  X(1,2,5,0,3,4,6) X(1,3,4,0,2,5,6) X(1,3,5,0,2,4,6) X(1,4,5,0,2,3,6) X(2,3,4,0,1,5,6) X(2,3,5,0,1,4,6)                \
  X(2,4,5,0,1,3,6) X(3,4,5,0,1,2,6)
#define PERMI_THREES_OF_7(X) PERMI_THREES_WITH_6(X) PERMI_THREES_BELOW_6(X)

/* Columns j < k of two rows at PERMI_PAIR(j, k). */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_pairs)(PERMI_V *pairs, const double *a, size_t stride, int n)
{
  PERMI_V x[8], y[8];
  int j, k;
  PERMI_UNROLL
  for (k = 0; k < n; k++) {
    x[k] = PERMI_LOAD_ANY(a + (size_t)k * stride);
    y[k] = PERMI_LOAD_ANY(a + (size_t)(n + k) * stride);
    PERMI_UNROLL
    for (j = 0; j < k; j++)
      pairs[PERMI_PAIR(j, k)] = PERMI_FMA(x[j], y[k], x[k] * y[j]);
  }
}

PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(batch_four)(const PERMI_V *p, const PERMI_V *q, int a, int b, int c, int d)
{
  PERMI_V sum = PERMI_FMA(p[PERMI_PAIR(a, b)], q[PERMI_PAIR(c, d)], p[PERMI_PAIR(c, d)] * q[PERMI_PAIR(a, b)]);
  sum = PERMI_FMA(p[PERMI_PAIR(a, c)], q[PERMI_PAIR(b, d)], sum);
  sum = PERMI_FMA(p[PERMI_PAIR(b, d)], q[PERMI_PAIR(a, c)], sum);
  sum = PERMI_FMA(p[PERMI_PAIR(a, d)], q[PERMI_PAIR(b, c)], sum);
  return PERMI_FMA(p[PERMI_PAIR(b, c)], q[PERMI_PAIR(a, d)], sum);
}

/* Columns a, b, c of the rows of p and a last one. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(batch_three)(const PERMI_V *p, const double *last, size_t stride, int a,
                                                          int b, int c)
{
  PERMI_V sum = PERMI_LOAD_ANY(last + (size_t)a * stride) * p[PERMI_PAIR(b, c)];
  sum = PERMI_FMA(PERMI_LOAD_ANY(last + (size_t)b * stride), p[PERMI_PAIR(a, c)], sum);
  return PERMI_FMA(PERMI_LOAD_ANY(last + (size_t)c * stride), p[PERMI_PAIR(a, b)], sum);
}

PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(batch_halves)(int n, const double *a, size_t stride)
{
  const double *last = a + (size_t)((n - 1) * n) * stride;
  PERMI_V p[4][28], upper[70], sum = PERMI_SET(0.0);
  int at = 0;
  PERMI_NAME(batch_pairs)(p[0], a, stride, n);
  PERMI_NAME(batch_pairs)(p[1], a + (size_t)(2 * n) * stride, stride, n);
#define PERMI_FOUR(k, a, b, c, d) PERMI_NAME(batch_four)(p[k], p[k + 1], a, b, c, d)
#define PERMI_UPPER_FOUR(a, b, c, d, e, f, g) upper[at++] = PERMI_FOUR(0, d, e, f, g);
#define PERMI_UPPER_EIGHT(a, b, c, d, e, f, g)                                                                         \
  PERMI_UPPER_FOUR(a, b, c, d, e, f, g) upper[at++] = PERMI_FOUR(0, a, b, c, 7);
#define PERMI_EIGHT(a, b, c, d, e, f, g)                                                                               \
  sum = PERMI_FMA(PERMI_FOUR(2, a, b, c, 7), upper[at], sum);                                                          \
  sum = PERMI_FMA(PERMI_FOUR(2, d, e, f, g), upper[at + 1], sum), at += 2;
#define PERMI_SEVEN(a, b, c, d, e, f, g)                                                                               \
  sum = PERMI_FMA(PERMI_NAME(batch_three)(p[2], last, stride, a, b, c), upper[at], sum), at++;
#define PERMI_SIX(a, b, c, d, e, f) sum = PERMI_FMA(PERMI_FOUR(0, c, d, e, f), p[2][PERMI_PAIR(a, b)], sum);
#define PERMI_FIVE(k, a, b, c, d)                                                                                      \
  sum = PERMI_FMA(PERMI_FOUR(0, a, b, c, d), PERMI_LOAD_ANY(last + (size_t)k * stride), sum);
  if (n == 8) {
    PERMI_THREES_OF_7(PERMI_UPPER_EIGHT)
  } else if (n == 7) {
    PERMI_THREES_OF_7(PERMI_UPPER_FOUR)
  }
  __asm__("" : "+m"(upper)); /* the lower rows' pairs later: n = 8 takes 65 ns, not 82 */
  at = 0;
  if (n > 5)
    PERMI_NAME(batch_pairs)(p[2], a + (size_t)(4 * n) * stride, stride, n);
  if (n == 8) {
    PERMI_NAME(batch_pairs)(p[3], a + (size_t)(6 * n) * stride, stride, n);
    PERMI_THREES_OF_7(PERMI_EIGHT)
  } else if (n == 7) {
    PERMI_THREES_OF_7(PERMI_SEVEN)
  } else if (n == 6) {
    PERMI_TWOS_OF_6(PERMI_SIX)
  } else {
    PERMI_FIVE(0, 1, 2, 3, 4)
    PERMI_FIVE(1, 0, 2, 3, 4)
    PERMI_FIVE(2, 0, 1, 3, 4)
    PERMI_FIVE(3, 0, 1, 2, 4)
    PERMI_FIVE(4, 0, 1, 2, 3)
  }
#undef PERMI_FIVE
#undef PERMI_SIX
#undef PERMI_SEVEN
#undef PERMI_EIGHT
#undef PERMI_UPPER_EIGHT
#undef PERMI_UPPER_FOUR
#undef PERMI_FOUR
  return sum;
}
#undef PERMI_THREES_OF_7
#undef PERMI_THREES_BELOW_6
#undef PERMI_THREES_WITH_6
#undef PERMI_TWOS_OF_6
#undef PERMI_PAIR

/* Copies entries, `stride` numbers apart, of `vectors` times as many matrices as a vector has elements, to parts `room`
   apart. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_take)(int n, const double *a, size_t stride, size_t vectors,
                                                      double *to, size_t room, int parts)
{
  size_t v;
  int e;
  for (e = 0; e < n * n; e++, a += stride * (size_t)parts, to += room * (size_t)parts)
    for (v = 0; v < vectors; v++) {
      const double *from = a + v * (size_t)(PERMI_WIDTH * parts);
      const PERMI_V x = PERMI_LOAD_ANY(from), y = PERMI_LOAD_ANY(from + (parts == 2 ? PERMI_WIDTH : 0));
      PERMI_STORE(to + v * PERMI_WIDTH, parts == 2 ? PERMI_EVEN(x, y) : x);
      if (parts == 2)
        PERMI_STORE(to + room + v * PERMI_WIDTH, PERMI_ODD(x, y));
    }
  PERMI_LEAVE();
}

/* Entries are `stride` apart, parts half of it; work: room for tables. out: value, largest squared row norm, the
   product of them all. Returns a bit for each element whose value stands. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(batch_signs)(int n, const double *a, size_t stride, double *work,
                                                      const double *accept, double *out, int parts)
{
  const int apart = PERMI_WIDTH * parts;
  const int halves = parts == 1 && n <= 8;
  const PERMI_V scale = PERMI_SET(halves ? 1.0 : 8.0 / (double)(1 << n)), unit = PERMI_SET(accept[2]);
  PERMI_V norms = PERMI_SET(1.0), large = PERMI_SET(0.0), sure;
  PERMI_NAME(small_sums) sums;
  PERMI_N value;
  const double *row = a;
  double extremes[PERMI_WIDTH] PERMI_ALIGN64;
  int i, j, stand = 0;
  for (i = 0; i < n; i++) {
    PERMI_V norm = PERMI_SET(DBL_MIN), other = norm; /* for what underflows */
    for (j = 0; j < n; j++, row += stride) {
      const PERMI_N x = PERMI_NAME(entry)(row, stride, 0, 0, 0, parts);
      norm = PERMI_FMA(x.re, x.re, norm);
      if (parts == 2)
        other = PERMI_FMA(x.im, x.im, other);
    }
    norm = parts == 2 ? (PERMI_V)(norm + other) : norm;
    large = PERMI_LARGER(large, norm);
    norms = PERMI_LARGER(norms * norm, PERMI_SET(DBL_MIN));
  }
  PERMI_STORE(out + apart, large);
  PERMI_STORE(out + apart + PERMI_WIDTH, norms);
  if (halves) {
    sums.absolute = sums.odd.re = sums.odd.im = PERMI_SET(0.0);
    sums.even.re = sums.even.im = n == 8   ? PERMI_NAME(batch_halves)(8, a, stride)
                                  : n == 7 ? PERMI_NAME(batch_halves)(7, a, stride)
                                  : n == 6 ? PERMI_NAME(batch_halves)(6, a, stride)
                                           : PERMI_NAME(batch_halves)(5, a, stride);
    norms = norms * PERMI_SET(PERMI_HALVES_NORMS);
  } else {
    sums = PERMI_NAME(batch_sum)(n, a, stride, work, parts);
  }
  value = PERMI_NAME(minus)(sums.even, sums.odd);
  value.im = scale * (parts == 2 ? value.im : value.re);
  value.re = scale * value.re;
  PERMI_NAME(put)(out, PERMI_WIDTH, value, parts);
  sure = PERMI_FNMA(unit, scale * sums.absolute, PERMI_LARGER(value.re, value.im));
  norms = PERMI_FNMA(unit * unit, norms, sure * sure);
  norms = PERMI_LESSER(sure - PERMI_SET(accept[1]), norms);
  PERMI_STORE(extremes, PERMI_LESSER(PERMI_SET(accept[0]) - large, norms)); /* keeps a NaN */
  PERMI_LEAVE();
  for (i = 0; i < PERMI_WIDTH; i++)
    stand |= (extremes[i] >= 0) << i;
  return stand;
}

#define PERMI_INSTANCE(name, parts)                                                                                    \
  PERMI_KERNEL PERMI_NAME(name)(int n, const double *a, size_t stride, size_t vectors, double *to, size_t room)        \
  {                                                                                                                    \
    PERMI_NAME(batch_take)(n, a, stride, vectors, to, room, parts);                                                    \
  }
PERMI_INSTANCE(batch_take_real, 1)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(batch_take_complex, 2)
#endif
#undef PERMI_INSTANCE

PERMI_TARGET static int PERMI_NAME(batch_signs_real)(int n, const double *a, size_t stride, double *work,
                                                     const double *accept, double *out)
{
  return PERMI_NAME(batch_signs)(n, a, stride, work, accept, out, 1);
}

#if !defined(PERM_NO_COMPLEX)
PERMI_TARGET static int PERMI_NAME(batch_signs_complex)(int n, const double *a, size_t stride, double *work,
                                                        const double *accept, double *out)
{
  return PERMI_NAME(batch_signs)(n, a, stride, work, accept, out, 2);
}
#endif
#endif
#endif
/* SPDX-License-Identifier: MIT */
