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
/* n = 5 .. 8. Accumulators: the sets of `size` of the five low columns, in order of masks; high columns come in the
   inner loop. permi_batch_place: a mask's number among those of its size. */
static const unsigned char permi_batch_mask[5][10] = {{0},
                                                      {1, 2, 4, 8, 16},
                                                      {3, 5, 6, 9, 10, 12, 17, 18, 20, 24},
                                                      {7, 11, 13, 14, 19, 21, 22, 25, 26, 28},
                                                      {15, 23, 27, 29, 30}};
static const unsigned char permi_batch_place[31] = {0, 0, 1, 0, 2, 1, 2, 0, 3, 3, 4, 1, 5, 2, 3, 0,
                                                    4, 6, 7, 4, 8, 5, 6, 1, 9, 7, 8, 2, 9, 3, 4};

typedef struct permi_batch_level {
  const double *row, *before, *above;
  double *after;
  int above_is_whole;
} permi_batch_level;

/* c plus the t-th low column's entry times the number of the set without it. */
PERMI_TARGET PERMI_INLINE PERMI_V permi_batch_append(PERMI_V c, const PERMI_V *low, const double *own, int mask, int t)
{
  int x, from = mask;
  from &= t > 0 ? from - 1 : from;
  from &= t > 1 ? from - 1 : from;
  from &= t > 2 ? from - 1 : from;
  x = __builtin_ctz((unsigned)from);
  return PERMI_FMA(low[x], PERMI_LOAD(own + permi_batch_place[mask ^ 1 << x] * PERMI_WIDTH), c);
}

#define PERMI_EVERY_SET(call)                                                                                          \
  PERMI_EVERY(i, 8, if (i < sets) call);                                                                               \
  PERMI_EVERY(k, 2, i = 8 + k; if (i < sets) call)

/* Constants: size, sets. Returns the code behind. */
PERMI_TARGET PERMI_INLINE const int *permi_batch_sets(const permi_batch_group *group, const int *code,
                                                      const permi_batch_level *level, PERMI_V *sum, int size, int sets)
{
  PERMI_V low[5], c[10];
  int item, s, i, k, t;
  PERMI_EVERY(i, 8, if (i < 5) low[i] = PERMI_LOAD(level->row + i * PERMI_WIDTH));
  for (item = group->items; item > 0; item--) {
    const double *own = level->before + code[0], *other = level->above + code[2] + (sets - 1) * PERMI_WIDTH;
    double *to = level->after + code[1];
    code += 3;
    PERMI_EVERY_SET(c[i] = PERMI_SET(0.0));
    PERMI_EVERY(t, 4, if (t < size) {
      PERMI_EVERY_SET(c[i] = permi_batch_append(c[i], low, own, permi_batch_mask[size][i], t));
    });
    for (s = group->sources; s > 0; s--, code += 2) {
      const double *from = level->before + code[1];
      const PERMI_V e = PERMI_LOAD(level->row + code[0]);
      PERMI_EVERY_SET(c[i] = PERMI_FMA(e, PERMI_LOAD(from + i * PERMI_WIDTH), c[i]));
    }
    if (level->above_is_whole) {
      PERMI_EVERY_SET(sum[i % 5] = PERMI_FMA(c[i], PERMI_LOAD(other - i * PERMI_WIDTH), sum[i % 5]));
    } else {
      PERMI_EVERY_SET(PERMI_STORE(to + i * PERMI_WIDTH, c[i]));
    }
  }
  return code;
}
#undef PERMI_EVERY_SET

/* out: value, largest squared row norm, their product, and a number that is negative or NaN unless the value stands. */
PERMI_TARGET static void permi_batch_real_avx512(const permi_batch_program *program, const double *given, size_t stride,
                                                 double *work, const double *accept, double *out)
{
  const int n = program->n, top = n / 2;
  double *const a = work;
  double *above = a + n * n * PERMI_WIDTH, *ping = above + program->most * PERMI_WIDTH;
  double *pong = ping + program->most * PERMI_WIDTH;
  PERMI_V norms = PERMI_SET(1.0), large = PERMI_SET(0.0), sum[5];
  int half, level, g, i, j;
  sum[0] = sum[1] = sum[2] = sum[3] = sum[4] = PERMI_SET(0.0);
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
    permi_batch_level now;
    now.row = now.before = a + (half ? top * n : 0) * PERMI_WIDTH;
    now.above = above;
    for (level = 2; level <= rows; level++) {
      const int *code = program->code + program->start[level];
      now.row += n * PERMI_WIDTH;
      now.above_is_whole = half && level == rows;
      now.after = !half && level == rows ? above : level % 2 ? pong : ping;
      for (g = 0; g < program->groups[level]; g++) {
        const permi_batch_group *group = &program->group[level][g];
        switch (group->low) {
        case 0: code = permi_batch_sets(group, code, &now, sum, 0, 1); break;
        case 1: code = permi_batch_sets(group, code, &now, sum, 1, 5); break;
        case 2: code = permi_batch_sets(group, code, &now, sum, 2, 10); break;
        case 3: code = permi_batch_sets(group, code, &now, sum, 3, 10); break;
        default: code = permi_batch_sets(group, code, &now, sum, 4, 5);
        }
      }
      now.before = now.after;
    }
  }
  sum[0] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + sum[4];
  PERMI_STORE(out, sum[0]);
  PERMI_STORE(out + PERMI_WIDTH, large);
  PERMI_STORE(out + 2 * PERMI_WIDTH, norms);
  sum[0] = sum[0] * sum[0]; /* the second operand of a minimum keeps its NaN */
  norms = PERMI_LESSER(sum[0] - PERMI_SET(accept[1]), PERMI_FNMA(PERMI_SET(accept[2]), norms, sum[0]));
  PERMI_STORE(out + 3 * PERMI_WIDTH, PERMI_LESSER(PERMI_SET(accept[0]) - large, norms));
  PERMI_LEAVE();
}
#endif
#endif
