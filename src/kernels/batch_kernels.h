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
  PERMI_V large, small, poison;
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
    stream->small = PERMI_LESSER(modulus, stream->small);
  }
}

/* Returns whether all entries are up to `largest`, all |values| from `least`, none NaN. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(batch_stream)(int n, const double *a, size_t stride, size_t vectors,
                                                       double largest, double least, double *values, int parts)
{
  PERMI_NAME(stream) stream;
  double check[3 * PERMI_WIDTH] PERMI_ALIGN64;
  int k, stand = 1;
  stream.large = stream.poison = PERMI_SET(0.0);
  stream.small = PERMI_SET(least);
  if (n == 4)
    PERMI_NAME(stream_order)(&stream, 4, a, stride, vectors, values, parts);
  else if (n == 3)
    PERMI_NAME(stream_order)(&stream, 3, a, stride, vectors, values, parts);
  else
    PERMI_NAME(stream_order)(&stream, 2, a, stride, vectors, values, parts);
  PERMI_STORE(check, stream.large);
  PERMI_STORE(check + PERMI_WIDTH, stream.small);
  PERMI_STORE(check + 2 * PERMI_WIDTH, stream.poison);
  PERMI_LEAVE();
  for (k = 0; k < PERMI_WIDTH; k++)
    stand &= (check[k] <= largest) & (check[PERMI_WIDTH + k] >= least) & (check[2 * PERMI_WIDTH + k] == 0);
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
/* n = 5 .. 9 by subsets. Accumulators: the sets of `size` of the five low columns, in order of masks, complex ones of
   16 registers in two halves; high columns come in the inner loop. */
#define PERMI_SETS_AT_ONCE(parts) (PERMI_WIDTH == 4 && (parts) == 2 ? 5 : 10)
#define PERMI_EVERY_SET(call)                                                                                          \
  PERMI_EVERY(i, 8, if (i < sets) call);                                                                               \
  PERMI_EVERY(k, 2, i = 8 + k; if (i < sets) call)

typedef struct PERMI_NAME(batch_level) {
  const double *row, *before, *above;
  double *after;
  int above_is_whole, sources;
} PERMI_NAME(batch_level);

/* c, once t > 0, plus the t-th low column's entry times the number of the set without it. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(batch_append)(PERMI_N c, const PERMI_N *low, const double *own, int mask,
                                                           int t, int parts)
{
  PERMI_N y;
  int x, from = mask;
  from &= t > 0 ? from - 1 : from;
  from &= t > 1 ? from - 1 : from;
  from &= t > 2 ? from - 1 : from;
  from &= t > 3 ? from - 1 : from;
  x = __builtin_ctz((unsigned)from);
  y = PERMI_NAME(get)(own + permi_batch_place[mask ^ 1 << x] * PERMI_WIDTH * parts, PERMI_WIDTH, parts);
  return t ? PERMI_NAME(plus_times)(c, low[x], y, parts) : PERMI_NAME(times)(low[x], y, parts);
}

/* Sets first .. first + sets - 1 of an item with sets of `size`: constants. The barriers keep gcc from loading
   numbers ahead into registers that it has not. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_item)(const PERMI_NAME(batch_level) level, const int *code,
                                                      const PERMI_N *low, PERMI_N *sum, int size, int first, int sets,
                                                      int parts)
{
  const int all = size % 5 == 0 ? 1 : size % 3 == 1 ? 5 : 10; /* binomials */
  const int apart = PERMI_WIDTH * parts, sums = parts == 2 ? 2 : 5;
  const double *own = level.before + code[0], *before = level.before + first * apart;
  const double *other = level.above + code[2] + (all - 1 - first) * apart;
  double *to = level.after + code[1] + first * apart;
  PERMI_N c[10];
  int s, i, k, t;
  if (!size)
    PERMI_EVERY_SET(c[i].re = c[i].im = PERMI_SET(0.0));
  PERMI_EVERY(t, 8, if (t < size) {
    __asm__("" : "+r"(own));
    PERMI_EVERY_SET(c[i] = PERMI_NAME(batch_append)(c[i], low, own, permi_batch_mask[size][first + i], t, parts));
  });
  for (s = level.sources, code += 3; s > 0; s--, code += 2) {
    const double *from = before + code[1];
    const PERMI_N e = PERMI_NAME(get)(level.row + code[0], PERMI_WIDTH, parts);
    PERMI_EVERY_SET(c[i] = PERMI_NAME(plus_times)(c[i], e, PERMI_NAME(get)(from + i * apart, PERMI_WIDTH, parts),
                                                  parts));
  }
  if (level.above_is_whole) {
    PERMI_EVERY_SET(sum[i % sums] = PERMI_NAME(plus_times)(
                        sum[i % sums], c[i], PERMI_NAME(get)(other - i * apart, PERMI_WIDTH, parts), parts));
  } else {
    PERMI_EVERY_SET(PERMI_NAME(put)(to + i * apart, PERMI_WIDTH, c[i], parts));
  }
}

/* Constants: size, sets. Returns the code behind. */
PERMI_TARGET PERMI_INLINE const int *PERMI_NAME(batch_sets)(const permi_batch_group *group, const int *code,
                                                            PERMI_NAME(batch_level) level, PERMI_N *sum, int size,
                                                            int sets, int parts)
{
  const int once = sets < PERMI_SETS_AT_ONCE(parts) ? sets : PERMI_SETS_AT_ONCE(parts);
  PERMI_N low[5];
  int item, i;
  PERMI_EVERY(i, 8, if (i < 5) low[i] = PERMI_NAME(get)(level.row + i * PERMI_WIDTH * parts, PERMI_WIDTH, parts));
  level.sources = group->sources;
  for (item = group->items; item > 0; item--) {
    PERMI_NAME(batch_item)(level, code, low, sum, size, 0, once, parts);
    if (once < sets)
      PERMI_NAME(batch_item)(level, code, low, sum, size, once, sets - once, parts);
    code += 3 + 2 * level.sources;
  }
  return code;
}
#undef PERMI_EVERY_SET
#undef PERMI_SETS_AT_ONCE

/* out: value, largest squared row norm, their product, and a number that is negative or NaN unless the value stands. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_subsets)(const permi_batch_program *program, const double *given,
                                                         size_t stride, double *work, const double *accept, double *out,
                                                         int parts)
{
  const int n = program->n, top = n / 2, apart = PERMI_WIDTH * parts;
  double *a = work, *above = a + n * n * apart, *ping = above + program->most * apart;
  double *pong = ping + program->most * apart;
  PERMI_V norms = PERMI_SET(1.0), large = PERMI_SET(0.0), square;
  PERMI_N sum[5];
  int half, level, g, i, j;
  for (i = 0; i < 5; i++)
    sum[i].re = sum[i].im = PERMI_SET(0.0);
  for (i = 0; i < n; i++) {
    PERMI_V norm = PERMI_SET(DBL_MIN); /* for what underflows */
    for (j = 0; j < n; j++, given += stride) {
      const PERMI_N x = PERMI_NAME(get_any)(given, parts == 2 ? (int)(stride / 2) : 0, parts);
      PERMI_NAME(put)(a + (i * n + j) * apart, PERMI_WIDTH, x, parts);
      norm = PERMI_FMA(x.re, x.re, norm);
      if (parts == 2)
        norm = PERMI_FMA(x.im, x.im, norm);
    }
    large = PERMI_LARGER(large, norm);
    norms = PERMI_LARGER(norms * norm, PERMI_SET(DBL_MIN));
  }
  for (half = 0; half < 2; half++) {
    const int rows = half ? n - top : top;
    PERMI_NAME(batch_level) now;
    now.row = now.before = a + (half ? top * n : 0) * apart;
    now.above = above;
    for (level = 2; level <= rows; level++) {
      const int *code = program->code + program->start[level];
      now.row += n * apart;
      now.above_is_whole = half && level == rows;
      now.after = !half && level == rows ? above : level % 2 ? pong : ping;
      for (g = 0; g < program->groups[level]; g++) {
        const permi_batch_group *group = &program->group[level][g];
        switch (group->low) {
        case 0: code = PERMI_NAME(batch_sets)(group, code, now, sum, 0, 1, parts); break;
        case 1: code = PERMI_NAME(batch_sets)(group, code, now, sum, 1, 5, parts); break;
        case 2: code = PERMI_NAME(batch_sets)(group, code, now, sum, 2, 10, parts); break;
        case 3: code = PERMI_NAME(batch_sets)(group, code, now, sum, 3, 10, parts); break;
        case 4: code = PERMI_NAME(batch_sets)(group, code, now, sum, 4, 5, parts); break;
        default: code = PERMI_NAME(batch_sets)(group, code, now, sum, 5, 1, parts);
        }
      }
      now.before = now.after;
    }
  }
  sum[0] = PERMI_NAME(plus)(PERMI_NAME(plus)(sum[0], sum[1]), PERMI_NAME(plus)(sum[2], sum[3]));
  sum[0] = PERMI_NAME(plus)(sum[0], sum[4]);
  PERMI_NAME(put)(out, PERMI_WIDTH, sum[0], parts);
  PERMI_STORE(out + apart, large);
  PERMI_STORE(out + apart + PERMI_WIDTH, norms);
  square = sum[0].re * sum[0].re;
  if (parts == 2)
    square = PERMI_FMA(sum[0].im, sum[0].im, square);
  norms = PERMI_LESSER(square - PERMI_SET(accept[1]), PERMI_FNMA(PERMI_SET(accept[2]), norms, square));
  PERMI_STORE(out + apart + 2 * PERMI_WIDTH, PERMI_LESSER(PERMI_SET(accept[0]) - large, norms)); /* keeps a NaN */
  PERMI_LEAVE();
}

PERMI_TARGET static void PERMI_NAME(batch_subsets_real)(const permi_batch_program *program, const double *a,
                                                        size_t stride, double *work, const double *accept, double *out)
{
  PERMI_NAME(batch_subsets)(program, a, stride, work, accept, out, 1);
}

#if PERMI_WIDTH == 4 && !defined(PERM_NO_COMPLEX)
PERMI_TARGET static void PERMI_NAME(batch_subsets_complex)(const permi_batch_program *program, const double *a,
                                                           size_t stride, double *work, const double *accept,
                                                           double *out)
{
  PERMI_NAME(batch_subsets)(program, a, stride, work, accept, out, 2);
}
#endif
#endif
#endif
