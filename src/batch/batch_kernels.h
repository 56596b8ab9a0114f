/* ================================================================================== >>batch_kernels */

#if !defined(PERM_NO_EXTRAS)
/* Numbers are `stride` apart, parts half of that. */
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

/* n = 2 .. 4 as in >>small; raises *largest to moduli of parts. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(expand)(int n, const double *a, size_t stride, PERMI_V *largest, int parts)
{
  const size_t apart = stride / (size_t)parts;
  const int vectors = n * n * parts;
  PERMI_V large = *largest;
  PERMI_N sum;
  int i;
  PERMI_UNROLL
  for (i = 0; i + 1 < vectors; i += 2) { /* pairs first: a shorter chain */
    const double *p = a + (size_t)i * apart;
    large = PERMI_LARGER(large, PERMI_LARGER(PERMI_LOAD_ANY(p), PERMI_LOAD_ANY(p + apart)));
  }
  if (vectors % 2)
    large = PERMI_LARGER(large, PERMI_LOAD_ANY(a + (size_t)(vectors - 1) * apart));
  *largest = large;
  if (n == 2)
    return PERMI_NAME(expand_two)(a, stride, 2, 0, 0, 1, parts);
  sum.re = sum.im = PERMI_SET(0.0);
  if (n == 3) {
    PERMI_UNROLL
    for (i = 0; i < 3; i++)
      sum = PERMI_NAME(plus_times)(sum, PERMI_NAME(entry)(a, stride, 3, 0, i, parts),
                                   PERMI_NAME(expand_two)(a, stride, 3, 1, i == 0, i == 2 ? 1 : 2, parts), parts);
    return sum;
  }
  PERMI_UNROLL
  for (i = 0; i < 6; i++) { /* columns j, k of rows 0, 1; the others of rows 2, 3 */
    const int j = (i > 2) + (i > 4), k = i < 3 ? i + 1 : i < 5 ? i - 1 : 3;
    sum = PERMI_NAME(plus_times)(sum, PERMI_NAME(expand_two)(a, stride, 4, 0, j, k, parts),
                                 PERMI_NAME(expand_two)(a, stride, 4, 2, j ? 0 : k > 1 ? 1 : 2,
                                                        k < 3 ? 3 : j < 2 ? 2 : 1, parts), parts);
  }
  return sum;
}

/* poison: 0 or NaN */
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

/* Whether all entries are up to `largest`, all |values| from `least`, none NaN. */
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
  {                                                                                                                    \
    return PERMI_NAME(batch_stream)(n, a, stride, vectors, largest, least, values, parts);                             \
  }
PERMI_INSTANCE(batch_stream_real, 1)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(batch_stream_complex, 2)
#endif
#undef PERMI_INSTANCE

/* Copies `vectors` vectors of matrices to parts `room` apart. */
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

#if PERMI_WIDTH >= 4
/* n = 5 .. 8, real: Laplace expansion by permanents of two rows, of four and of the others: 75, 195, 476, 1134
   operations, fewer than signs take. */
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

/* Writes largest squared norms of rows, and products of all, after values. Returns a bit for each value that is sure:
   |value| less its own error is `sure`, at least `least`, and large against the square root of `factor` times the
   product. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(batch_sure)(int n, const double *a, size_t stride, double least, PERMI_V sure,
                                                     double factor, double *out, int parts)
{
  const PERMI_V unit = PERMI_SET(4e10 * n * PERMI_UNIT);
  PERMI_V norms = PERMI_SET(1.0), large = PERMI_SET(0.0);
  double extremes[PERMI_WIDTH] PERMI_ALIGN64;
  int i, j, stand = 0;
  for (i = 0; i < n; i++) {
    PERMI_V norm = PERMI_SET(DBL_MIN), other = norm; /* for what underflows */
    for (j = 0; j < n; j++) {
      const PERMI_N x = PERMI_NAME(entry)(a, stride, n, i, j, parts);
      norm = PERMI_FMA(x.re, x.re, norm);
      if (parts == 2)
        other = PERMI_FMA(x.im, x.im, other);
    }
    if (parts == 2)
      norm = norm + other;
    large = PERMI_LARGER(large, norm);
    norms = PERMI_LARGER(norms * norm, PERMI_SET(DBL_MIN));
  }
  PERMI_STORE(out + parts * PERMI_WIDTH, large);
  PERMI_STORE(out + (parts + 1) * PERMI_WIDTH, norms);
  norms = PERMI_FNMA(unit * unit, norms * PERMI_SET(factor), sure * sure);
  norms = PERMI_LESSER(sure - PERMI_SET(least), norms);
  PERMI_STORE(extremes, PERMI_LESSER(PERMI_SET(1e24) - large, norms)); /* keeps a NaN */
  PERMI_LEAVE();
  for (i = 0; i < PERMI_WIDTH; i++)
    stand |= (extremes[i] >= 0) << i;
  return stand;
}

PERMI_TARGET static int PERMI_NAME(batch_halves_real)(int n, const double *a, size_t stride, double least, double *out)
{
  const PERMI_V value = n == 8   ? PERMI_NAME(batch_halves)(8, a, stride)
                        : n == 7 ? PERMI_NAME(batch_halves)(7, a, stride)
                        : n == 6 ? PERMI_NAME(batch_halves)(6, a, stride)
                                 : PERMI_NAME(batch_halves)(5, a, stride);
  PERMI_STORE(out, value);
  return PERMI_NAME(batch_sure)(n, a, stride, least, PERMI_ABS(value), PERMI_HALVES_NORMS, out, 1);
}
#undef PERMI_HALVES_NORMS

#if !defined(PERM_NO_COMPLEX)
/* n = 5 .. 11, complex, as in >>small_kernels: columns 0 and 1 expanded, the third +, the others signed. A form, z_i,
   z_j, u, v of a pair of rows, is a number of a table, of the signs of up to three columns, plus an outer one, of the
   next three's, renewed for each `far` of the others'. Sums are rounded n - 3 times: nothing drifts. */
#define PERMI_BATCH_FORM (16 * PERMI_WIDTH) /* eight settings */
#define PERMI_BATCH_PAIR (4 * PERMI_BATCH_FORM + 2 * PERMI_WIDTH) /* and c */

/* Writes the outer numbers or, if far < 0, the table. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_forms)(int n, const double *a, size_t stride, int far, double *to)
{
  const int first = far < 0 ? 3 : 6, columns = n - first < 3 ? n - first : 3, apart = 8 * PERMI_WIDTH;
  int i, j, k;
  for (i = 0; i < n; i++, to += i % 2 ? PERMI_BATCH_FORM : PERMI_BATCH_PAIR - PERMI_BATCH_FORM) {
    PERMI_N y[8]; /* by small_double, in memory, n = 6 .. 10 take 4 to 8 % longer */
    PERMI_EVERY(k, 8, y[k].re = y[k].im = PERMI_SET(0.0)); /* gcc: not all are read */
    if (far < 0)
      y[0] = PERMI_NAME(entry)(a, stride, n, i, 2, 2);
    for (j = 9; j < n && far >= 0; j++)
      y[0] = PERMI_NAME(small_signed)(y[0], PERMI_SET(permi_parity_signs[far >> (j - 9) & 1]),
                                      PERMI_NAME(entry)(a, stride, n, i, j, 2), 2);
    PERMI_UNROLL
    for (j = 0; j < 3; j++)
      if (j < columns) {
        const PERMI_N x = PERMI_NAME(entry)(a, stride, n, i, first + j, 2);
        PERMI_UNROLL
        for (k = 0; k < 1 << j; k++) {
          y[k + (1 << j)] = PERMI_NAME(minus)(y[k], x);
          y[k] = PERMI_NAME(plus)(y[k], x);
        }
      }
    PERMI_EVERY(k, 8, if (k >> columns == 0) PERMI_NAME(put)(to + k * PERMI_WIDTH, apart, y[k], 2));
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

/* Adds the terms of settings first .. first + width / 4 - 1. */
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

PERMI_TARGET static int PERMI_NAME(batch_signs_complex)(int n, const double *a, size_t stride, double least,
                                                        double *out)
{
  const PERMI_V unit = PERMI_SET(4e10 * n * PERMI_UNIT), scale = PERMI_SET(8.0 / (double)(1 << n));
  const int outer = (n + 1) / 2 * PERMI_BATCH_PAIR, at_once = PERMI_WIDTH / 4;
  double *table = out + 4 * PERMI_WIDTH;
  PERMI_NAME(small_sums) sums;
  PERMI_N value;
  int far, s, t;
  sums.absolute = sums.even.re = sums.even.im = sums.odd.re = sums.odd.im = PERMI_SET(0.0);
  PERMI_NAME(batch_forms)(n, a, stride, -1, table);
  for (t = 0; n < 7 && t < 1 << (n - 3); t += at_once)
    PERMI_NAME(batch_terms)(&sums, n, a, stride, table, t, 0, permi_parity_signs[t / at_once]);
  for (far = 0; n > 6 && far < 1 << (n < 9 ? 0 : n - 9); far++) {
    PERMI_NAME(batch_forms)(n, a, stride, far, table + outer);
    for (s = 0; s < 1 << (n < 9 ? n - 6 : 3); s++)
      for (t = 0; t < 8; t += at_once)
        PERMI_NAME(batch_terms)(&sums, n, a, stride, table, t, outer + s * PERMI_WIDTH,
                                permi_parity_signs[t / at_once ^ s ^ far]);
  }
  value = PERMI_NAME(minus)(sums.even, sums.odd);
  value.re = scale * value.re;
  value.im = scale * value.im;
  PERMI_NAME(put)(out, PERMI_WIDTH, value, 2);
  return PERMI_NAME(batch_sure)(n, a, stride, least,
                                PERMI_FNMA(unit, scale * sums.absolute, PERMI_LARGER(value.re, value.im)), 1.0, out, 2);
}
#undef PERMI_BATCH_FORM
#undef PERMI_BATCH_PAIR
#endif
#endif
#endif
/* SPDX-License-Identifier: MIT */
