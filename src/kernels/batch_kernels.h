/* ================================================================================== >>batch_kernels
   Batches: each vector element has its own matrix. */

#if !defined(PERM_NO_EXTRAS)
/* Entry (i, j), then the 2 x 2 permanent of rows i, i + 1, columns j, k; numbers are `stride` apart. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(entry)(const double *a, size_t stride, int n, int i, int j, int parts)
{
  return PERMI_NAME(get_any)(a + (size_t)(i * n + j) * stride, PERMI_WIDTH, parts);
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
      large = PERMI_LARGER(large, PERMI_LARGER(PERMI_LOAD_ANY(p + PERMI_WIDTH), PERMI_LOAD_ANY(q + PERMI_WIDTH)));
  }
  if (n == 3) {
    large = PERMI_LARGER(large, PERMI_LOAD_ANY(a + 8 * stride));
    if (parts == 2)
      large = PERMI_LARGER(large, PERMI_LOAD_ANY(a + 8 * stride + PERMI_WIDTH));
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

/* out: value, the largest modulus of a part. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_four)(int n, const double *a, size_t stride, double *out, int parts)
{
  PERMI_V large = PERMI_SET(0.0);
  PERMI_N value;
  if (n == 4)
    value = PERMI_NAME(expand)(4, a, stride, &large, parts);
  else if (n == 3)
    value = PERMI_NAME(expand)(3, a, stride, &large, parts);
  else
    value = PERMI_NAME(expand)(2, a, stride, &large, parts);
  PERMI_NAME(put)(out, PERMI_WIDTH, value, parts);
  PERMI_STORE(out + parts * PERMI_WIDTH, large);
  PERMI_LEAVE();
}

PERMI_TARGET static void PERMI_NAME(batch_four_real)(int n, const double *a, size_t stride, double *out)
{
  PERMI_NAME(batch_four)(n, a, stride, out, 1);
}

#if !defined(PERM_NO_COMPLEX)
PERMI_TARGET static void PERMI_NAME(batch_four_complex)(int n, const double *a, size_t stride, double *out)
{
  PERMI_NAME(batch_four)(n, a, stride, out, 2);
}
#endif

/* Largest entry, smallest value, 0 or NaN of a stream. */
typedef struct PERMI_NAME(stream) {
  PERMI_V large, small, poison;
} PERMI_NAME(stream);

PERMI_TARGET PERMI_INLINE void PERMI_NAME(stream_order)(PERMI_NAME(stream) *stream, int n, const double *a,
                                                        size_t stride, size_t vectors, double *values)
{
  size_t v;
  for (v = 0; v < vectors; v++, a += PERMI_WIDTH, values += PERMI_WIDTH) {
    const PERMI_V value = PERMI_NAME(expand)(n, a, stride, &stream->large, 1).re;
    PERMI_STORE_ANY(values, value);
    stream->small = PERMI_LESSER(PERMI_ABS(value), stream->small);
    stream->poison = PERMI_FMA(value, PERMI_SET(0.0), stream->poison);
  }
}

/* Returns whether all entries are up to `largest`, all |values| from `least`, none NaN. */
PERMI_TARGET static int PERMI_NAME(batch_stream_real)(int n, const double *a, size_t stride, size_t vectors,
                                                      double largest, double least, double *values)
{
  PERMI_NAME(stream) stream;
  double check[3 * PERMI_WIDTH] PERMI_ALIGN64;
  int k, stand = 1;
  stream.large = stream.poison = PERMI_SET(0.0);
  stream.small = PERMI_SET(least);
  if (n == 4)
    PERMI_NAME(stream_order)(&stream, 4, a, stride, vectors, values);
  else if (n == 3)
    PERMI_NAME(stream_order)(&stream, 3, a, stride, vectors, values);
  else
    PERMI_NAME(stream_order)(&stream, 2, a, stride, vectors, values);
  PERMI_STORE(check, stream.large);
  PERMI_STORE(check + PERMI_WIDTH, stream.small);
  PERMI_STORE(check + 2 * PERMI_WIDTH, stream.poison);
  PERMI_LEAVE();
  for (k = 0; k < PERMI_WIDTH; k++)
    stand &= (check[k] <= largest) & (check[PERMI_WIDTH + k] >= least) & (check[2 * PERMI_WIDTH + k] == 0);
  return stand;
}

#if PERMI_WIDTH == 8
/* n = 5 .. 8. Accumulators: subsets of the five low columns of one size, in order of masks; high columns come in the
   inner loop. */
#define PERMI_SUBSETS_0(F) F(0, 0)
#define PERMI_SUBSETS_1(F) F(0, 0) F(1, 1) F(2, 2) F(3, 3) F(4, 4)
#define PERMI_SUBSETS_2(F) PERMI_SUBSETS_1(F) F(5, 0) F(6, 1) F(7, 2) F(8, 3) F(9, 4)
#define PERMI_DECLARE(i, chain)                                                                                        \
  PERMI_V c##i = PERMI_SET(0.0);
#define PERMI_FROM(i, chain)                                                                                           \
  c##i = PERMI_FMA(e, PERMI_LOAD(from + (i)*PERMI_WIDTH), c##i);
#define PERMI_KEEP_SUBSET(i, chain) PERMI_STORE(to + (i)*PERMI_WIDTH, c##i);
#define PERMI_FINISH(i, chain)                                                                                         \
  sum##chain = PERMI_FMA(c##i, PERMI_LOAD(other - (i)*PERMI_WIDTH), sum##chain);
#define PERMI_LOW(i, x, j)                                                                                             \
  c##i = PERMI_FMA(low##x, PERMI_LOAD(own + (j)*PERMI_WIDTH), c##i);
#define PERMI_LOW_0
#define PERMI_LOW_1 PERMI_LOW(0, 0, 0) PERMI_LOW(1, 1, 0) PERMI_LOW(2, 2, 0) PERMI_LOW(3, 3, 0) PERMI_LOW(4, 4, 0)
#define PERMI_LOW_2                                                                                                    \
  PERMI_LOW(0, 0, 1) PERMI_LOW(1, 0, 2) PERMI_LOW(2, 1, 2) PERMI_LOW(3, 0, 3) PERMI_LOW(4, 1, 3)                       \
  PERMI_LOW(5, 2, 3) PERMI_LOW(6, 0, 4) PERMI_LOW(7, 1, 4) PERMI_LOW(8, 2, 4) PERMI_LOW(9, 3, 4)                       \
  PERMI_LOW(0, 1, 0) PERMI_LOW(1, 2, 0) PERMI_LOW(2, 2, 1) PERMI_LOW(3, 3, 0) PERMI_LOW(4, 3, 1)                       \
  PERMI_LOW(5, 3, 2) PERMI_LOW(6, 4, 0) PERMI_LOW(7, 4, 1) PERMI_LOW(8, 4, 2) PERMI_LOW(9, 4, 3)
#define PERMI_LOW_3                                                                                                    \
  PERMI_LOW(0, 0, 2) PERMI_LOW(1, 0, 4) PERMI_LOW(2, 0, 5) PERMI_LOW(3, 1, 5) PERMI_LOW(4, 0, 7)                       \
  PERMI_LOW(5, 0, 8) PERMI_LOW(6, 1, 8) PERMI_LOW(7, 0, 9) PERMI_LOW(8, 1, 9) PERMI_LOW(9, 2, 9)                       \
  PERMI_LOW(0, 1, 1) PERMI_LOW(1, 1, 3) PERMI_LOW(2, 2, 3) PERMI_LOW(3, 2, 4) PERMI_LOW(4, 1, 6)                       \
  PERMI_LOW(5, 2, 6) PERMI_LOW(6, 2, 7) PERMI_LOW(7, 3, 6) PERMI_LOW(8, 3, 7) PERMI_LOW(9, 3, 8)                       \
  PERMI_LOW(0, 2, 0) PERMI_LOW(1, 3, 0) PERMI_LOW(2, 3, 1) PERMI_LOW(3, 3, 2) PERMI_LOW(4, 4, 0)                       \
  PERMI_LOW(5, 4, 1) PERMI_LOW(6, 4, 2) PERMI_LOW(7, 4, 3) PERMI_LOW(8, 4, 4) PERMI_LOW(9, 4, 5)
#define PERMI_LOW_4                                                                                                    \
  PERMI_LOW(0, 0, 3) PERMI_LOW(1, 0, 6) PERMI_LOW(2, 0, 8) PERMI_LOW(3, 0, 9) PERMI_LOW(4, 1, 9)                       \
  PERMI_LOW(0, 1, 2) PERMI_LOW(1, 1, 5) PERMI_LOW(2, 1, 7) PERMI_LOW(3, 2, 7) PERMI_LOW(4, 2, 8)                       \
  PERMI_LOW(0, 2, 1) PERMI_LOW(1, 2, 4) PERMI_LOW(2, 3, 4) PERMI_LOW(3, 3, 5) PERMI_LOW(4, 3, 6)                       \
  PERMI_LOW(0, 3, 0) PERMI_LOW(1, 4, 0) PERMI_LOW(2, 4, 1) PERMI_LOW(3, 4, 2) PERMI_LOW(4, 4, 3)
#define PERMI_CASE(l, subsets, last)                                                                                   \
  case l:                                                                                                              \
    for (item = group->items; item > 0; item--) {                                                                      \
      const double *own = before + code[0], *other = above + code[2] + (last)*PERMI_WIDTH;                             \
      double *to = after + code[1];                                                                                    \
      (void)own;                                                                                                       \
      code += 3;                                                                                                       \
      subsets(PERMI_DECLARE) PERMI_LOW_##l for (s = sources; s > 0; s--, code += 2)                                    \
      {                                                                                                                \
        const double *from = before + code[1];                                                                         \
        const PERMI_V e = PERMI_LOAD(row + code[0]);                                                                   \
        subsets(PERMI_FROM)                                                                                            \
      }                                                                                                                \
      if (above_is_whole) {                                                                                            \
        subsets(PERMI_FINISH)                                                                                          \
      } else {                                                                                                         \
        subsets(PERMI_KEEP_SUBSET)                                                                                     \
      }                                                                                                                \
    }                                                                                                                  \
    break;

/* out: value, largest squared row norm, their product, and a number that is negative or NaN unless the value stands. */
PERMI_TARGET static void permi_batch_real_avx512(const permi_batch_program *program, const double *given, size_t stride,
                                                 double *work, const double *accept, double *out)
{
  const int n = program->n, top = n / 2;
  double *const a = work;
  double *above = a + n * n * PERMI_WIDTH, *ping = above + program->most * PERMI_WIDTH;
  double *pong = ping + program->most * PERMI_WIDTH;
  PERMI_V norms = PERMI_SET(1.0), large = PERMI_SET(0.0);
  int half, level, g, item, s, i, j;
#define PERMI_CHAIN(i, chain) PERMI_V sum##chain = PERMI_SET(0.0);
  PERMI_SUBSETS_1(PERMI_CHAIN)
#undef PERMI_CHAIN
  for (i = 0; i < n; i++) {
    PERMI_V norm = PERMI_SET(0.0);
    for (j = 0; j < n; j++, given += stride) {
      const PERMI_V x = PERMI_LOAD_ANY(given);
      PERMI_STORE(a + (i * n + j) * PERMI_WIDTH, x);
      norm = PERMI_FMA(x, x, norm);
    }
    large = PERMI_LARGER(large, norm);
    norms = norms * norm;
  }
  for (half = 0; half < 2; half++) {
    const int rows = half ? n - top : top;
    const double *row = a + (half ? top * n : 0) * PERMI_WIDTH, *before = row;
    double *after = ping;
    for (level = 2; level <= rows; level++) {
      const int above_is_whole = half && level == rows;
      const int *code = program->code + program->start[level];
      row += n * PERMI_WIDTH;
      if (!half && level == rows)
        after = above;
      for (g = 0; g < program->groups[level]; g++) {
        const permi_batch_group *group = &program->group[level][g];
        const int sources = group->sources;
        const PERMI_V low0 = PERMI_LOAD(row);
        const PERMI_V low1 = PERMI_LOAD(row + PERMI_WIDTH);
        const PERMI_V low2 = PERMI_LOAD(row + 2 * PERMI_WIDTH);
        const PERMI_V low3 = PERMI_LOAD(row + 3 * PERMI_WIDTH);
        const PERMI_V low4 = PERMI_LOAD(row + 4 * PERMI_WIDTH);
        switch (group->low) {
          PERMI_CASE(0, PERMI_SUBSETS_0, 0)
          PERMI_CASE(1, PERMI_SUBSETS_1, 4)
          PERMI_CASE(2, PERMI_SUBSETS_2, 9)
          PERMI_CASE(3, PERMI_SUBSETS_2, 9)
          PERMI_CASE(4, PERMI_SUBSETS_1, 4)
        }
      }
      before = after;
      after = after == ping ? pong : ping;
    }
  }
  sum0 = ((sum0 + sum1) + (sum2 + sum3)) + sum4;
  PERMI_STORE(out, sum0);
  PERMI_STORE(out + PERMI_WIDTH, large);
  PERMI_STORE(out + 2 * PERMI_WIDTH, norms);
  sum0 = sum0 * sum0; /* the second operand of a minimum keeps its NaN */
  norms = PERMI_LESSER(sum0 - PERMI_SET(accept[1]), PERMI_FNMA(PERMI_SET(accept[2]), norms, sum0));
  PERMI_STORE(out + 3 * PERMI_WIDTH, PERMI_LESSER(PERMI_SET(accept[0]) - large, norms));
  PERMI_LEAVE();
}
#undef PERMI_CASE
#undef PERMI_DECLARE
#undef PERMI_FINISH
#undef PERMI_FROM
#undef PERMI_KEEP_SUBSET
#undef PERMI_LOW
#undef PERMI_LOW_0
#undef PERMI_LOW_1
#undef PERMI_LOW_2
#undef PERMI_LOW_3
#undef PERMI_LOW_4
#undef PERMI_SUBSETS_0
#undef PERMI_SUBSETS_1
#undef PERMI_SUBSETS_2
#endif

#endif
