/* ================================================================================= >>derive_kernels
   Sums of x y for >>derive_frontier, a vector for each origin of a block of doubles (>>array_kernels); the pass back
   through a program for >>derive_hybrid. */

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

#if PERMI_WIDTH != 2
#define PERMI_H(name) PERMI_NAME(hybrid_##name)
#define PERMI_N PERMI_H(number)
/* Vectors at a time, so that two factors and their adjoints stay in registers. */
#define PERMI_BACK_VECTORS (PERMI_WIDTH == 8 ? 4 : PERMI_WIDTH == 1 ? 8 : 2)
#define PERMI_NUMBERS(...) PERMI_UNROLL for (k = 0; k < some; k++) __VA_ARGS__

/* Returns c + a b. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(back_fuse)(int parts, PERMI_N a, PERMI_N b, PERMI_N c)
{
  if (parts == 2) {
    c.p[0] = PERMI_FNMA(a.p[1], b.p[1], c.p[0]);
    c.p[1] = PERMI_FMA(a.p[0], b.p[1], c.p[1]);
    c.p[1] = PERMI_FMA(a.p[1], b.p[0], c.p[1]);
  }
  c.p[0] = PERMI_FMA(a.p[0], b.p[0], c.p[0]);
  return c;
}

/* Writes x, or adds it. */
PERMI_TARGET PERMI_INLINE void PERMI_H(back_add)(int parts, int adds, double *slot, int k, PERMI_N x)
{
  const PERMI_N y = PERMI_H(get)(parts, slot, k);
  if (adds) {
    x.p[0] = x.p[0] + y.p[0];
    x.p[1] = x.p[1] + y.p[1];
  }
  PERMI_H(put)(parts, slot, k, x);
}

/* Of out = p h - q g, or p h unless `folds`, for a group of the same h and g.
   minus: -1, of moduli 1. */
PERMI_TARGET PERMI_INLINE void PERMI_H(back_group)(int parts, int folds, const permi_instruction *operation,
                                                   const permi_statement *first, double *values, double *bars,
                                                   double minus)
{
  const int some = PERMI_BACK_VECTORS / parts, most = PERMI_HYBRID_DOUBLES / parts / PERMI_WIDTH;
  const int clears = operation->other, adds = !operation->halved, sets = operation->growth;
  const permi_statement *end = first + operation->group, *t;
  const PERMI_N zero = PERMI_H(one)(PERMI_SET(0.0));
  double *h_bar = permi_hybrid_slot(bars, first->h), *g_bar = permi_hybrid_slot(bars, first->g);
  int k, at;
  for (at = 0; at < most; at += some) {
    PERMI_N h[8], g[8], h_sum[8], g_sum[8];
    PERMI_NUMBERS({
      h[k] = PERMI_H(get)(parts, permi_hybrid_slot(values, first->h), at + k);
      h_sum[k] = zero;
      if (folds) {
        g[k] = PERMI_H(get)(parts, permi_hybrid_slot(values, first->g), at + k);
        g_sum[k] = zero;
      }
    })
    for (t = first; t < end; t++) {
      const double *p = permi_hybrid_slot(values, t->p), *q = permi_hybrid_slot(values, t->q);
      double *p_bar = permi_hybrid_slot(bars, t->p), *q_bar = permi_hybrid_slot(bars, t->q);
      double *out = permi_hybrid_slot(bars, t->out);
      PERMI_NUMBERS({
        PERMI_N b = PERMI_H(get)(parts, out, at + k);
        if (clears)
          PERMI_H(put)(parts, out, at + k, zero);
        h_sum[k] = PERMI_H(back_fuse)(parts, PERMI_H(get)(parts, p, at + k), b, h_sum[k]);
        PERMI_H(put)(parts, p_bar, at + k, PERMI_H(back_fuse)(parts, b, h[k],
                                                              sets ? zero : PERMI_H(get)(parts, p_bar, at + k)));
        if (folds) {
          b.p[0] = b.p[0] * PERMI_SET(minus);
          b.p[1] = b.p[1] * PERMI_SET(minus);
          g_sum[k] = PERMI_H(back_fuse)(parts, PERMI_H(get)(parts, q, at + k), b, g_sum[k]);
          PERMI_H(put)(parts, q_bar, at + k, PERMI_H(back_fuse)(parts, b, g[k],
                                                                sets ? zero : PERMI_H(get)(parts, q_bar, at + k)));
        }
      })
    }
    PERMI_NUMBERS({
      PERMI_H(back_add)(parts, adds, h_bar, at + k, h_sum[k]);
      if (folds)
        PERMI_H(back_add)(parts, adds, g_bar, at + k, g_sum[k]);
    })
  }
}

/* out = h, or p - q */
PERMI_TARGET PERMI_INLINE void PERMI_H(back_copies)(const permi_instruction *operation, const permi_statement *t,
                                                    double *bars, double minus)
{
  const permi_statement *end = t + operation->count;
  const int folds = operation->opcode == PERMI_OP_DIFFERENCE, clears = operation->other;
  for (; t < end; t++) {
    double *out = permi_hybrid_slot(bars, t->out), *p = permi_hybrid_slot(bars, folds ? t->p : t->h);
    double *q = permi_hybrid_slot(bars, t->q);
    for (int k = 0; k < PERMI_HYBRID_DOUBLES; k += PERMI_WIDTH) {
      const PERMI_V b = PERMI_LOAD(out + k);
      PERMI_STORE(p + k, PERMI_LOAD(p + k) + b);
      if (folds)
        PERMI_STORE(q + k, PERMI_FMA(b, PERMI_SET(minus), PERMI_LOAD(q + k)));
      if (clears)
        PERMI_STORE(out + k, PERMI_SET(0.0));
    }
  }
}

/* Each factor gets the adjoint times the product of the others; prefix products stand behind all adjoints. */
PERMI_TARGET PERMI_INLINE void PERMI_H(back_chain)(int parts, const permi_hybrid *hybrid,
                                                   const permi_instruction *operation, double *values, double *bars)
{
  const permi_statement *first = hybrid->statement + operation->first, *end = first + operation->count, *t;
  const int algebra = parts == 2 ? PERMI_HYBRID_COMPLEX : PERMI_HYBRID_REAL;
  double *out = permi_hybrid_slot(bars, first->out), *prefix = permi_hybrid_slot(bars, hybrid->slot_count);
  const PERMI_P prime = PERMI_NAME(prime_of)(0, 0);
  for (int k = 0; k < PERMI_HYBRID_DOUBLES / parts / PERMI_WIDTH; k++) {
    PERMI_N x = PERMI_H(get)(parts, out, k);
    PERMI_H(put)(parts, out, k, PERMI_H(one)(PERMI_SET(0.0)));
    for (t = first; t < end; t++) {
      PERMI_H(put)(parts, prefix + (t - first) * PERMI_HYBRID_DOUBLES, k, x);
      x = PERMI_H(times)(algebra, x, PERMI_H(get)(parts, permi_hybrid_slot(values, t->p), k), prime);
    }
    x = PERMI_H(one)(PERMI_SET(1.0));
    x.p[1] = PERMI_SET(0.0);
    while (t-- > first) {
      double *bar = permi_hybrid_slot(bars, t->p);
      PERMI_H(put)(parts, bar, k, PERMI_H(back_fuse)(parts, x, PERMI_H(get)(parts, prefix + (t - first) *
                                                     PERMI_HYBRID_DOUBLES, k), PERMI_H(get)(parts, bar, k)));
      x = PERMI_H(times)(algebra, x, PERMI_H(get)(parts, permi_hybrid_slot(values, t->p), k), prime);
    }
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_H(back_operation)(int parts, const permi_hybrid *hybrid,
                                                       const permi_instruction *operation, double *values,
                                                       double *bars, double minus)
{
  const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
  const int group = operation->group;
  if (operation->opcode == PERMI_OP_CHAIN)
    PERMI_H(back_chain)(parts, hybrid, operation, values, bars);
  else if (operation->opcode == PERMI_OP_ROW || operation->opcode == PERMI_OP_DIFFERENCE)
    PERMI_H(back_copies)(operation, t, bars, minus);
  else if (operation->opcode == PERMI_OP_FOLD)
    for (; t < last; t += group)
      PERMI_H(back_group)(parts, 1, operation, t, values, bars, minus);
  else
    for (; t < last; t += group)
      PERMI_H(back_group)(parts, 0, operation, t, values, bars, minus);
}

PERMI_KERNEL PERMI_H(back_real)(const permi_hybrid *hybrid, double *values, double *bars, unsigned turned, double minus)
{
  const permi_instruction *operation = hybrid->operation + hybrid->operations;
  while (operation-- > hybrid->operation)
    if (operation->dirty & turned)
      PERMI_H(back_operation)(1, hybrid, operation, values, bars, minus);
}

#if !defined(PERM_NO_COMPLEX)
PERMI_KERNEL PERMI_H(back_complex)(const permi_hybrid *hybrid, double *values, double *bars, unsigned turned,
                                   double minus)
{
  const permi_instruction *operation = hybrid->operation + hybrid->operations;
  while (operation-- > hybrid->operation)
    if (operation->dirty & turned)
      PERMI_H(back_operation)(2, hybrid, operation, values, bars, minus);
}
#endif

/* Writes a row's sums of all settings. */
PERMI_TARGET PERMI_INLINE void PERMI_H(back_sums_of)(int algebra, const permi_hybrid *hybrid, int i, int lines,
                                                     double *values)
{
  const int parts = permi_hybrid_parts(algebra), row_parts = permi_hybrid_row_parts(algebra);
  const double *base = permi_hybrid_slot(values, permi_hybrid_line(i)), least = hybrid->floor[permi_hybrid_line(i)];
  const int end = hybrid->row_constant[i + 1];
  const PERMI_P prime = PERMI_NAME(prime_of)(0, 0);
  for (int s = hybrid->row_constant[i]; s < end; s++) {
    const PERMI_N c = PERMI_H(constant)(algebra, hybrid, s);
    double *to = permi_hybrid_slot(values, permi_hybrid_line(lines + s));
    for (int k = 0; k < PERMI_H(count)(algebra); k++)
      PERMI_H(put)(parts, to, k, PERMI_H(row)(algebra, PERMI_H(get)(row_parts, base, k), c, least, prime));
  }
}

PERMI_TARGET static void PERMI_H(back_sums)(const permi_hybrid *hybrid, int algebra, int i, int lines, double *values)
{
  if (algebra == PERMI_HYBRID_REAL)
    PERMI_H(back_sums_of)(PERMI_HYBRID_REAL, hybrid, i, lines, values);
  else if (algebra == PERMI_HYBRID_MODULI)
    PERMI_H(back_sums_of)(PERMI_HYBRID_MODULI, hybrid, i, lines, values);
#if !defined(PERM_NO_COMPLEX)
  else if (algebra == PERMI_HYBRID_COMPLEX)
    PERMI_H(back_sums_of)(PERMI_HYBRID_COMPLEX, hybrid, i, lines, values);
  else
    PERMI_H(back_sums_of)(PERMI_HYBRID_COMPLEX_MODULI, hybrid, i, lines, values);
#endif
}

/* Adds the adjoints of slots to `each`, unless NULL, and to `sum`, and clears them; adds +- their sum to blocks at
   `entry`, by the signs of columns up to the first above 63. */
PERMI_TARGET static void PERMI_H(back_row)(double *bars, int slot, int end, double *each, double *sum,
                                           const unsigned char *column, uint64_t gray, double *entry)
{
  for (int k = 0; k < PERMI_HYBRID_DOUBLES; k += PERMI_WIDTH) {
    PERMI_V all = PERMI_SET(0.0);
    for (int s = slot; s < end; s++) {
      double *at = permi_hybrid_slot(bars, permi_hybrid_line(s)) + k;
      const PERMI_V x = PERMI_LOAD(at);
      all = all + x;
      if (each) {
        double *to = each + (size_t)(s - slot) * PERMI_HYBRID_DOUBLES + k;
        PERMI_STORE(to, PERMI_LOAD(to) + x);
      }
      PERMI_STORE(at, PERMI_SET(0.0));
    }
    PERMI_STORE(sum + k, PERMI_LOAD(sum + k) + all);
    for (int s = 0; column[s] < 64; s++) {
      double *to = entry + s * PERMI_HYBRID_DOUBLES + k;
      PERMI_STORE(to, gray >> column[s] & 1 ? PERMI_LOAD(to) - all : PERMI_LOAD(to) + all);
    }
  }
}

static const permi_back_family PERMI_NAME(back_family) = {
    {PERMI_H(back_real),
#if defined(PERM_NO_COMPLEX)
     NULL},
#else
     PERMI_H(back_complex)},
#endif
    PERMI_H(back_sums), PERMI_H(back_row)};
#undef PERMI_NUMBERS
#undef PERMI_BACK_VECTORS
#undef PERMI_N
#undef PERMI_H
#endif
/* SPDX-License-Identifier: MIT */
