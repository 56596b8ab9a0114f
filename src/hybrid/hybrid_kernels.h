/* ================================================================================= >>hybrid_kernels
   The interpreter of >>hybrid_layout. */

#define PERMI_H(name) PERMI_NAME(hybrid_##name)
#define PERMI_N PERMI_H(number)

/* Unrolls only where that gains 2 %: gcc compiled twice as long. */
#define PERMI_NUMBERS(unrolled, ...)                                                                                   \
  if (unrolled) { PERMI_UNROLL for (k = 0; k < count; k++) __VA_ARGS__ }                                               \
  else { for (k = 0; k < count; k++) __VA_ARGS__ }

PERMI_INLINE int PERMI_H(is_short)(int algebra)
{
  return !permi_hybrid_is_doubled(algebra) && !permi_hybrid_is_whole(algebra);
}

PERMI_INLINE int PERMI_H(unrolls)(int algebra)
{
  return PERMI_WIDTH > 1 ? algebra != PERMI_HYBRID_COMPLEX_DOUBLED : PERMI_H(is_short)(algebra);
}

/* One to four words: value, error of a double-double; then those of an imaginary part. */
typedef struct PERMI_N {
  PERMI_V p[4];
} PERMI_N;

/* Part q of number k is x[q * count + k]. */
typedef struct PERMI_H(numbers) {
  PERMI_V x[PERMI_HYBRID_DOUBLES / PERMI_WIDTH];
} PERMI_H(numbers);

/* Adds a block; second words go to the low parts. */
PERMI_TARGET static void PERMI_H(add)(const permi_hybrid *hybrid, const double *block, double *total, int negative)
{
  const PERMI_V sign = PERMI_SET(negative ? -1.0 : 1.0);
  const int doubled = permi_hybrid_is_doubled((int)hybrid->algebra);
  const int end = doubled ? PERMI_HYBRID_DOUBLES / 2 : PERMI_HYBRID_DOUBLES;
  const int apart = PERMI_HYBRID_DOUBLES / hybrid->parts;
  double *low = total + PERMI_HYBRID_DOUBLES;
  int k;
  for (k = 0; k < end; k += PERMI_WIDTH) {
    const double *from = block + k + (doubled ? k / apart * apart : 0);
    const PERMI_V term = sign * PERMI_LOAD(from);
    PERMI_V error, sum = PERMI_NAME(vector_two_sum)(PERMI_LOAD(total + k), term, &error);
    if (doubled) {
      const PERMI_V more = sign * PERMI_LOAD(from + apart);
      error = error + more;
    }
    error = PERMI_LOAD(low + k) + error;
    if (doubled)
      sum = PERMI_NAME(vector_fast_two_sum)(sum, error, &error);
    PERMI_STORE(total + k, sum);
    PERMI_STORE(low + k, error);
  }
}

PERMI_TARGET static void PERMI_H(turn)(const permi_hybrid *hybrid, int j, int minus, double *values)
{
  const int *row = hybrid->touched[j], parts = hybrid->parts, quarter = PERMI_HYBRID_DOUBLES / 4;
  int k, q;
  for (; *row >= 0; row++) {
    double *slot = permi_hybrid_slot(values, permi_hybrid_line(*row));
    const double *step = hybrid->step + (j * hybrid->n + *row) * parts;
    for (q = 0; q < 4; q++, slot += quarter) {
      const PERMI_V by = PERMI_SET(minus ? -step[q * parts / 4] : step[q * parts / 4]);
      PERMI_UNROLL
      for (k = 0; k < quarter; k += PERMI_WIDTH)
        PERMI_STORE(slot + k, PERMI_LOAD(slot + k) + by);
    }
  }
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(one)(PERMI_V v)
{
  PERMI_N x;
  x.p[0] = x.p[1] = x.p[2] = x.p[3] = v;
  return x;
}

/* Computes the address first (docs/engines.md). */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(get)(int parts, const double *slot, int k)
{
  const double *at = slot + k * PERMI_WIDTH;
  PERMI_N x = PERMI_H(one)(PERMI_LOAD(at));
  int q;
  PERMI_UNROLL
  for (q = 1; q < parts; q++)
    x.p[q] = PERMI_LOAD(at + PERMI_HYBRID_DOUBLES * q / parts);
  return x;
}

PERMI_TARGET PERMI_INLINE void PERMI_H(put)(int parts, double *slot, int k, PERMI_N x)
{
  double *at = slot + k * PERMI_WIDTH;
  int q;
  PERMI_UNROLL
  for (q = 0; q < parts; q++)
    PERMI_STORE(at + PERMI_HYBRID_DOUBLES * q / parts, x.p[q]);
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(of)(int parts, int count, const PERMI_H(numbers) *x, int k)
{
  PERMI_N y = PERMI_H(one)(x->x[k]);
  int q;
  PERMI_UNROLL
  for (q = 1; q < parts; q++)
    y.p[q] = x->x[q * count + k];
  return y;
}

PERMI_TARGET PERMI_INLINE void PERMI_H(hold)(int parts, int count, PERMI_H(numbers) *to, int k, PERMI_N x)
{
  int q;
  PERMI_UNROLL
  for (q = 0; q < parts; q++)
    to->x[q * count + k] = x.p[q];
}

/* Moduli read first words. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(constant)(int algebra, const permi_hybrid *hybrid, int index)
{
  const int parts = permi_hybrid_row_parts(algebra), step = algebra >= PERMI_HYBRID_MODULI ? hybrid->parts : parts;
  const double *x = hybrid->constant + index * step;
  PERMI_N y = PERMI_H(one)(PERMI_SET(x[0]));
  int q;
  PERMI_UNROLL
  for (q = 1; q < parts; q++)
    y.p[q] = PERMI_SET(x[q * step / parts]);
  return y;
}

/* Returns ab - cd modulo the prime with one quotient: multiples of 2^46 are exact in the grid's binade. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_H(reduce_cross)(PERMI_V a, PERMI_V b, PERMI_V c, PERMI_V d, PERMI_P p)
{
  const PERMI_V grid = PERMI_SET(PERMI_RESIDUE_GRID);
  const PERMI_V first = PERMI_FMA(a, b, grid), both = PERMI_FNMA(c, d, first), high = both - grid;
  const PERMI_V low = PERMI_FMS_EXACT(a, b, first - grid), less = PERMI_FMS_EXACT(c, d, first - both);
  return (low - less) - PERMI_FMS_EXACT(PERMI_NAME(prime_quotient)(high, p), p.prime, high);
}

/* The first word of a double-double takes over what it can: it is larger, or has cancelled (>>hybrid_offer). */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(settle)(int algebra, PERMI_N x)
{
  if (permi_hybrid_is_doubled(algebra))
    x.p[0] = PERMI_NAME(vector_fast_two_sum)(x.p[0], x.p[1], &x.p[1]);
  if (algebra == PERMI_HYBRID_COMPLEX_DOUBLED)
    x.p[2] = PERMI_NAME(vector_fast_two_sum)(x.p[2], x.p[3], &x.p[3]);
  return x;
}

/* Returns |y| plus the floor for moduli. Whole numbers with a floor are reduced. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(row_number)(int algebra, PERMI_N y, double least, PERMI_P p)
{
  if (permi_hybrid_is_whole(algebra) && least > 0)
    return PERMI_H(one)(PERMI_NAME(prime_reduce)(y.p[0], p));
  if (permi_hybrid_is_doubled(algebra))
    y.p[0] = PERMI_NAME(vector_two_sum)(y.p[0], y.p[1], &y.p[1]);
  if (algebra == PERMI_HYBRID_COMPLEX_DOUBLED)
    y.p[2] = PERMI_NAME(vector_two_sum)(y.p[2], y.p[3], &y.p[3]);
  if (algebra == PERMI_HYBRID_MODULI)
    return PERMI_H(one)(PERMI_ABS(y.p[0]) + PERMI_SET(least));
  if (algebra == PERMI_HYBRID_COMPLEX_MODULI)
    return PERMI_H(one)(PERMI_ROOT(PERMI_FMA(y.p[0], y.p[0], y.p[1] * y.p[1])) + PERMI_SET(least));
  return y;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(row)(int algebra, PERMI_N y, PERMI_N c, double least, PERMI_P p)
{
  int q;
  PERMI_UNROLL
  for (q = 0; q < permi_hybrid_row_parts(algebra); q++)
    y.p[q] = y.p[q] + c.p[q];
  return PERMI_H(row_number)(algebra, y, least, p);
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(pair_times)(PERMI_N a, int i, PERMI_N b, int j)
{
  PERMI_N x = a;
  x.p[0] = PERMI_NAME(vector_two_product)(a.p[2 * i], b.p[2 * j], &x.p[1]);
  x.p[1] = PERMI_FMA(a.p[2 * i], b.p[2 * j + 1], PERMI_FMA(a.p[2 * i + 1], b.p[2 * j], x.p[1]));
  return x;
}

/* Returns a +- b, of one or two double-doubles. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(pair_sum)(int pairs, PERMI_N a, PERMI_N b, int minus)
{
  PERMI_N x = b;
  int q;
  PERMI_UNROLL
  for (q = 0; q < 2 * pairs; q += 2) {
    PERMI_V error;
    if (minus)
      x.p[q] = PERMI_SET(0.0) - b.p[q];
    x.p[q] = PERMI_NAME(vector_two_sum)(a.p[q], x.p[q], &error);
    x.p[q + 1] = minus ? a.p[q + 1] - b.p[q + 1] : a.p[q + 1] + b.p[q + 1];
    x.p[q + 1] = error + x.p[q + 1];
  }
  return x;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(times)(int algebra, PERMI_N a, PERMI_N b, PERMI_P p)
{
  PERMI_N x;
  if (algebra == PERMI_HYBRID_COMPLEX) {
    const PERMI_V ee = a.p[1] * b.p[1], vv = a.p[0] * b.p[0];
    x = PERMI_H(one)(vv - ee);
    x.p[1] = PERMI_FMA(a.p[0], b.p[1], a.p[1] * b.p[0]);
  } else if (algebra == PERMI_HYBRID_COMPLEX_DOUBLED) {
    const PERMI_N y = PERMI_H(pair_sum)(1, PERMI_H(pair_times)(a, 0, b, 1), PERMI_H(pair_times)(a, 1, b, 0), 0);
    x = PERMI_H(pair_sum)(1, PERMI_H(pair_times)(a, 0, b, 0), PERMI_H(pair_times)(a, 1, b, 1), 1);
    x.p[2] = y.p[0];
    x.p[3] = y.p[1];
  } else if (algebra == PERMI_HYBRID_DOUBLED) {
    x = PERMI_H(pair_times)(a, 0, b, 0);
  } else if (algebra == PERMI_HYBRID_LONG) {
    x = PERMI_H(one)(PERMI_NAME(prime_product)(a.p[0], b.p[0], p));
  } else {
    x = PERMI_H(one)(a.p[0] * b.p[0]);
    if (algebra == PERMI_HYBRID_SHORT)
      x.p[0] = PERMI_NAME(prime_reduce)(x.p[0], p);
  }
  return x;
}

/* Returns a - b, of moduli a + b, of whole numbers `half` times a - b. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(minus)(int algebra, PERMI_N a, PERMI_N b, double half, PERMI_P p)
{
  PERMI_N x;
  if (permi_hybrid_is_doubled(algebra))
    return PERMI_H(pair_sum)(permi_hybrid_parts(algebra) / 2, a, b, 1);
  x = PERMI_H(one)(algebra < PERMI_HYBRID_MODULI ? a.p[0] - b.p[0] : a.p[0] + b.p[0]);
  if (algebra == PERMI_HYBRID_COMPLEX)
    x.p[1] = a.p[1] - b.p[1];
  else if (algebra == PERMI_HYBRID_WHOLE)
    x.p[0] = x.p[0] * PERMI_SET(half);
  else if (permi_hybrid_is_whole(algebra))
    x.p[0] = PERMI_NAME(prime_reduce)(x.p[0], p);
  return x;
}

/* Returns a b - c d, of moduli a b + c d. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(cross)(int algebra, PERMI_N a, PERMI_N b, PERMI_N c, PERMI_N d, PERMI_P p)
{
  PERMI_N second;
  if (algebra == PERMI_HYBRID_LONG)
    return PERMI_H(one)(PERMI_H(reduce_cross)(a.p[0], b.p[0], c.p[0], d.p[0], p));
  if (permi_hybrid_is_whole(algebra)) {
    const PERMI_V less = c.p[0] * d.p[0], x = PERMI_FMS(a.p[0], b.p[0], less);
    return PERMI_H(one)(algebra == PERMI_HYBRID_SHORT ? PERMI_NAME(prime_reduce)(x, p) : x);
  }
  second = PERMI_H(times)(algebra, c, d, p);
  if (algebra >= PERMI_HYBRID_MODULI)
    return PERMI_H(one)(PERMI_FMA(a.p[0], b.p[0], second.p[0]));
  return PERMI_H(minus)(algebra, PERMI_H(times)(algebra, a, b, p), second, 1, p);
}

/* Multiplies x by a slot, or sets it. A `base` has no moduli yet. */
PERMI_TARGET PERMI_INLINE void PERMI_H(chain)(int algebra, int first, int base, int count, const double *slot,
                                              double least, PERMI_P p, PERMI_H(numbers) *x)
{
  const int parts = permi_hybrid_parts(algebra), slot_parts = base ? permi_hybrid_row_parts(algebra) : parts;
  int k;
  PERMI_NUMBERS(PERMI_H(is_short)(algebra), {
    PERMI_N y = PERMI_H(get)(slot_parts, slot, k);
    if (base)
      y = PERMI_H(row_number)(algebra, y, least, p);
    if (!first)
      y = PERMI_H(settle)(algebra, PERMI_H(times)(algebra, PERMI_H(of)(parts, count, x, k), y, p));
    PERMI_H(hold)(parts, count, x, k, y);
  })
}

/* What groups of an instruction hold: row sums, numbers, or 1 for a lone table. */
typedef struct PERMI_H(source) {
  int lone, rows;
  const double *row;
  double least, half; /* of whole numbers' folds */
} PERMI_H(source);

PERMI_TARGET PERMI_INLINE void PERMI_H(fetch)(int algebra, int count, int folds, const permi_hybrid *hybrid,
                                              const PERMI_H(source) *from, double *values, int at, PERMI_H(numbers) *x)
{
  const int parts = permi_hybrid_parts(algebra), halves = folds && algebra == PERMI_HYBRID_WHOLE;
  const PERMI_P prime = PERMI_NAME(prime_of)(hybrid->prime, hybrid->inverse);
  const PERMI_V half = PERMI_SET(from->half);
  int k;
  if (from->rows) {
    PERMI_NUMBERS(PERMI_H(unrolls)(algebra), {
      PERMI_N y = PERMI_H(get)(permi_hybrid_row_parts(algebra), from->row, k);
      y = PERMI_H(row)(algebra, y, PERMI_H(constant)(algebra, hybrid, at), from->least, prime);
      if (halves)
        y.p[0] = y.p[0] * half;
      PERMI_H(hold)(parts, count, x, k, y);
    })
  } else if (!from->lone) {
    const double *slot = permi_hybrid_slot(values, at);
    PERMI_NUMBERS(PERMI_H(unrolls)(algebra), {
      PERMI_N y = PERMI_H(get)(parts, slot, k);
      if (halves)
        y.p[0] = y.p[0] * half;
      PERMI_H(hold)(parts, count, x, k, y);
    })
  } else {
    PERMI_N y = PERMI_H(one)(PERMI_SET(0.0));
    y.p[0] = half;
    PERMI_NUMBERS(PERMI_H(unrolls)(algebra), { PERMI_H(hold)(parts, count, x, k, y); })
  }
}

/* `kind` is ROWS, TIMES or FOLD. */
PERMI_TARGET PERMI_INLINE void PERMI_H(tables)(int algebra, int count, int kind, const permi_hybrid *hybrid,
                                               const permi_instruction *operation, double *values)
{
  const int parts = permi_hybrid_parts(algebra), row_parts = permi_hybrid_row_parts(algebra);
  const int of_base = kind == PERMI_OP_ROWS, folds = kind == PERMI_OP_FOLD, unrolled = PERMI_H(unrolls)(algebra);
  const int opcode = operation->opcode, group = operation->group;
  const int lone_row = opcode == PERMI_OP_ROW, base_row = lone_row ? operation->row : operation->other;
  const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
  const double least = hybrid->floor[base_row];
  const PERMI_P prime = PERMI_NAME(prime_of)(hybrid->prime, hybrid->inverse);
  PERMI_H(source) from;
  PERMI_H(numbers) base, held, also;
  int k;
  from.lone = lone_row || opcode == PERMI_OP_DIFFERENCE;
  from.rows = opcode == PERMI_OP_ROWS || opcode == PERMI_OP_TIMES_ROW || opcode == PERMI_OP_FOLD_ROW;
  from.row = permi_hybrid_slot(values, operation->row);
  from.least = hybrid->floor[operation->row];
  from.half = operation->halved ? 0.5 : 1;
  if (of_base) {
    PERMI_NUMBERS(unrolled, {
      PERMI_H(hold)(row_parts, count, &base, k, PERMI_H(get)(row_parts, permi_hybrid_slot(values, base_row), k));
    })
  }
  while (t < last) {
    const permi_statement *end = t + group;
    PERMI_H(fetch)(algebra, count, folds, hybrid, &from, values, t->h, &held);
    if (folds)
      PERMI_H(fetch)(algebra, count, folds, hybrid, &from, values, t->g, &also);
    for (; t < end; t++) {
      const double *p = permi_hybrid_slot(values, t->p), *q = permi_hybrid_slot(values, t->q);
      double *out = permi_hybrid_slot(values, t->out);
      PERMI_N c;
      if (of_base)
        c = PERMI_H(constant)(algebra, hybrid, lone_row ? t->h : t->p);
      PERMI_NUMBERS(unrolled, {
        PERMI_N x, y = PERMI_H(of)(parts, count, &held, k);
        if (of_base)
          x = PERMI_H(times)(algebra, y, PERMI_H(row)(algebra, PERMI_H(of)(row_parts, count, &base, k), c, least, prime),
                             prime);
        else if (folds)
          x = PERMI_H(cross)(algebra, PERMI_H(get)(parts, p, k), y, PERMI_H(get)(parts, q, k),
                             PERMI_H(of)(parts, count, &also, k), prime);
        else
          x = PERMI_H(times)(algebra, PERMI_H(get)(parts, p, k), y, prime);
        PERMI_H(put)(parts, out, k, PERMI_H(settle)(algebra, x));
      })
    }
  }
}

/* Slots from `bases` on are numbers. */
PERMI_TARGET PERMI_INLINE void PERMI_H(product)(int algebra, int count, const permi_hybrid *hybrid,
                                                const permi_statement *t, const permi_statement *last, double *values)
{
  const int parts = permi_hybrid_parts(algebra), whole = algebra == PERMI_HYBRID_WHOLE;
  const int numbers = whole || permi_hybrid_is_doubled(algebra) || algebra >= PERMI_HYBRID_MODULI;
  const int bases = numbers ? permi_hybrid_line(hybrid->n) : 0;
  const PERMI_P prime = PERMI_NAME(prime_of)(hybrid->prime, hybrid->inverse);
  double *out = permi_hybrid_slot(values, t->out), *first = permi_hybrid_slot(values, t->p);
  PERMI_H(numbers) product;
  int k;
  if (whole || t->p < bases)
    PERMI_H(chain)(algebra, 1, 1, count, first, t->p < bases ? hybrid->floor[t->p] : 0, prime, &product);
  else
    PERMI_H(chain)(algebra, 1, 0, count, first, 0, prime, &product);
  for (t++; t < last; t++) {
    const double *slot = permi_hybrid_slot(values, t->p);
    const double least = t->p < bases ? hybrid->floor[t->p] : 0;
    if (whole && t->q == PERMI_GROWS_LONG)
      PERMI_H(chain)(PERMI_HYBRID_LONG, 0, 1, count, slot, least, prime, &product);
    else if (whole && t->q == PERMI_GROWS_SHORT)
      PERMI_H(chain)(PERMI_HYBRID_SHORT, 0, 1, count, slot, least, prime, &product);
    else if (whole || t->p < bases)
      PERMI_H(chain)(algebra, 0, 1, count, slot, least, prime, &product);
    else
      PERMI_H(chain)(algebra, 0, 0, count, slot, 0, prime, &product);
  }
  PERMI_NUMBERS(PERMI_H(is_short)(algebra), { PERMI_H(put)(parts, out, k, PERMI_H(of)(parts, count, &product, k)); })
}

/* A lone row does not grow; a lone table's difference is below 2^50 (permi_growth_kind). */
PERMI_TARGET PERMI_INLINE void PERMI_H(grown)(int algebra, int count, int kind, const permi_hybrid *hybrid,
                                              const permi_instruction *operation, double *values)
{
  if (algebra == PERMI_HYBRID_WHOLE && operation->growth == PERMI_GROWS_LONG)
    PERMI_H(tables)(PERMI_HYBRID_LONG, count, kind, hybrid, operation, values);
  else if (algebra == PERMI_HYBRID_WHOLE && operation->growth == PERMI_GROWS_SHORT)
    PERMI_H(tables)(PERMI_HYBRID_SHORT, count, kind, hybrid, operation, values);
  else
    PERMI_H(tables)(algebra, count, kind, hybrid, operation, values);
}

PERMI_TARGET PERMI_INLINE void PERMI_H(interpret)(int algebra, const permi_hybrid *hybrid, double *values,
                                                  unsigned turned)
{
  const int count = PERMI_HYBRID_DOUBLES / permi_hybrid_row_parts(algebra) / PERMI_WIDTH;
  const permi_instruction *operation = hybrid->operation, *end = operation + hybrid->operations;
  for (; operation < end; operation++) {
    const permi_statement *t = hybrid->statement + operation->first;
    if (!(operation->dirty & turned))
      continue;
    switch (operation->opcode) {
    case PERMI_OP_ROW:
    case PERMI_OP_ROWS: PERMI_H(grown)(algebra, count, PERMI_OP_ROWS, hybrid, operation, values); break;
    case PERMI_OP_TIMES_ROW:
    case PERMI_OP_TIMES: PERMI_H(grown)(algebra, count, PERMI_OP_TIMES, hybrid, operation, values); break;
    case PERMI_OP_CHAIN: PERMI_H(product)(algebra, count, hybrid, t, t + operation->count, values); break;
    default: PERMI_H(grown)(algebra, count, PERMI_OP_FOLD, hybrid, operation, values);
    }
  }
}

#define PERMI_INSTANCE(name, algebra)                                                                                  \
  PERMI_KERNEL PERMI_NAME(hybrid_##name)(const permi_hybrid *hybrid, double *values, unsigned turned)                  \
  {                                                                                                                    \
    PERMI_H(interpret)(algebra, hybrid, values, turned);                                                               \
  }
PERMI_INSTANCE(real, PERMI_HYBRID_REAL)
PERMI_INSTANCE(doubled, PERMI_HYBRID_DOUBLED)
PERMI_INSTANCE(whole, PERMI_HYBRID_WHOLE)
PERMI_INSTANCE(moduli, PERMI_HYBRID_MODULI)
#if defined(PERM_NO_COMPLEX)
#define PERMI_OF_COMPLEX(name) NULL
#else
#define PERMI_OF_COMPLEX(name) PERMI_NAME(hybrid_##name)
PERMI_INSTANCE(complex, PERMI_HYBRID_COMPLEX)
PERMI_INSTANCE(complex_doubled, PERMI_HYBRID_COMPLEX_DOUBLED)
PERMI_INSTANCE(complex_moduli, PERMI_HYBRID_COMPLEX_MODULI)
#endif

static const permi_hybrid_family PERMI_H(family) = {
    {PERMI_H(real), PERMI_OF_COMPLEX(complex), PERMI_H(doubled), PERMI_H(whole), PERMI_OF_COMPLEX(complex_doubled)},
    {PERMI_H(moduli), PERMI_OF_COMPLEX(complex_moduli), PERMI_H(moduli), NULL, PERMI_OF_COMPLEX(complex_moduli)},
    PERMI_H(add), PERMI_H(turn)};
#undef PERMI_INSTANCE
#undef PERMI_OF_COMPLEX
#undef PERMI_NUMBERS
#undef PERMI_N
#undef PERMI_H
/* SPDX-License-Identifier: MIT */
