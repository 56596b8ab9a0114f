/* ================================================================================= >>hybrid_kernels
   The interpreter of >>hybrid_layout. */

#define PERMI_H(name) PERMI_NAME(hybrid_##name)
#define PERMI_N PERMI_H(number)

#if PERMI_WIDTH > 1
#define PERMI_NUMBERS(...) PERMI_UNROLL for (k = 0; k < count; k++) __VA_ARGS__
#else
#define PERMI_NUMBERS(...) for (k = 0; k < count; k++) __VA_ARGS__ /* unrolled, as fast and longer */
#endif

PERMI_INLINE int PERMI_H(count)(int algebra)
{
  return PERMI_HYBRID_DOUBLES / permi_hybrid_row_parts(algebra) / PERMI_WIDTH;
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
  for (int k = 0; k < end; k += PERMI_WIDTH) {
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
  for (; *row >= 0; row++) {
    double *slot = permi_hybrid_slot(values, permi_hybrid_line(*row));
    const double *step = hybrid->step + (j * hybrid->n + *row) * parts;
    for (int q = 0; q < 4; q++, slot += quarter) {
      const PERMI_V by = PERMI_SET(minus ? -step[q * parts / 4] : step[q * parts / 4]);
      PERMI_UNROLL
      for (int k = 0; k < quarter; k += PERMI_WIDTH)
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
  PERMI_UNROLL
  for (int q = 1; q < parts; q++)
    x.p[q] = PERMI_LOAD(at + PERMI_HYBRID_DOUBLES * q / parts);
  return x;
}

PERMI_TARGET PERMI_INLINE void PERMI_H(put)(int parts, double *slot, int k, PERMI_N x)
{
  double *at = slot + k * PERMI_WIDTH;
  PERMI_UNROLL
  for (int q = 0; q < parts; q++)
    PERMI_STORE(at + PERMI_HYBRID_DOUBLES * q / parts, x.p[q]);
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(of)(int parts, int count, const PERMI_H(numbers) *x, int k)
{
  PERMI_N y = PERMI_H(one)(x->x[k]);
  PERMI_UNROLL
  for (int q = 1; q < parts; q++)
    y.p[q] = x->x[q * count + k];
  return y;
}

PERMI_TARGET PERMI_INLINE void PERMI_H(hold)(int parts, int count, PERMI_H(numbers) *to, int k, PERMI_N x)
{
  PERMI_UNROLL
  for (int q = 0; q < parts; q++)
    to->x[q * count + k] = x.p[q];
}

/* Moduli read first words. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(constant)(int algebra, const permi_hybrid *hybrid, int index)
{
  const int parts = permi_hybrid_row_parts(algebra), step = algebra >= PERMI_HYBRID_MODULI ? hybrid->parts : parts;
  const double *x = hybrid->constant + index * step;
  PERMI_N y = PERMI_H(one)(PERMI_SET(x[0]));
  PERMI_UNROLL
  for (int q = 1; q < parts; q++)
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
  PERMI_UNROLL
  for (int q = 0; q < permi_hybrid_row_parts(algebra); q++)
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
  PERMI_UNROLL
  for (int q = 0; q < 2 * pairs; q += 2) {
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

/* a - b, of moduli a + b, of whole numbers `half` times a - b. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(minus)(int algebra, PERMI_N a, PERMI_N b, double half, PERMI_P p)
{
  if (permi_hybrid_is_doubled(algebra))
    return PERMI_H(pair_sum)(permi_hybrid_parts(algebra) / 2, a, b, 1);
  PERMI_N x = PERMI_H(one)(algebra < PERMI_HYBRID_MODULI ? a.p[0] - b.p[0] : a.p[0] + b.p[0]);
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
  if (algebra == PERMI_HYBRID_LONG)
    return PERMI_H(one)(PERMI_H(reduce_cross)(a.p[0], b.p[0], c.p[0], d.p[0], p));
  if (permi_hybrid_is_whole(algebra)) {
    const PERMI_V less = c.p[0] * d.p[0], x = PERMI_FMS(a.p[0], b.p[0], less);
    return PERMI_H(one)(algebra == PERMI_HYBRID_SHORT ? PERMI_NAME(prime_reduce)(x, p) : x);
  }
  PERMI_N second = PERMI_H(times)(algebra, c, d, p);
  if (algebra >= PERMI_HYBRID_MODULI)
    return PERMI_H(one)(PERMI_FMA(a.p[0], b.p[0], second.p[0]));
  return PERMI_H(minus)(algebra, PERMI_H(times)(algebra, a, b, p), second, 1, p);
}

/* Multiplies x by a slot, or sets it. A `base` has no moduli yet. */
PERMI_TARGET PERMI_INLINE void PERMI_H(chain_slot)(int algebra, int first, int base, const double *slot,
                                              double least, PERMI_P p, PERMI_H(numbers) *x)
{
  const int parts = permi_hybrid_parts(algebra), slot_parts = base ? permi_hybrid_row_parts(algebra) : parts;
  const int count = PERMI_H(count)(algebra);
  int k;
  PERMI_NUMBERS({
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
  const permi_hybrid *hybrid;
  double *values, *row;
  int lone, rows;
  double least, half; /* of whole numbers' folds */
  PERMI_P prime;
} PERMI_H(source);

PERMI_TARGET PERMI_INLINE PERMI_H(source) PERMI_H(source_of)(const permi_hybrid *hybrid,
                                                             const permi_instruction *operation, double *values)
{
  const int opcode = operation->opcode;
  PERMI_H(source) from;
  from.hybrid = hybrid;
  from.values = values;
  from.row = permi_hybrid_slot(values, operation->row);
  from.lone = opcode == PERMI_OP_ROW || opcode == PERMI_OP_DIFFERENCE;
  from.rows = opcode == PERMI_OP_ROWS || opcode == PERMI_OP_TIMES_ROW || opcode == PERMI_OP_FOLD_ROW;
  from.least = hybrid->floor[operation->row];
  from.half = operation->halved ? 0.5 : 1;
  from.prime = PERMI_NAME(prime_of)(hybrid->prime, hybrid->inverse);
  return from;
}

PERMI_TARGET PERMI_INLINE void PERMI_H(fetch)(int algebra, int halves, const PERMI_H(source) *from, int at,
                                              PERMI_H(numbers) *x)
{
  const int parts = permi_hybrid_parts(algebra), count = PERMI_H(count)(algebra);
  const PERMI_V half = PERMI_SET(from->half);
  int k;
  if (from->rows) {
    const PERMI_N c = PERMI_H(constant)(algebra, from->hybrid, at);
    PERMI_NUMBERS({
      PERMI_N y = PERMI_H(get)(permi_hybrid_row_parts(algebra), from->row, k);
      y = PERMI_H(row)(algebra, y, c, from->least, from->prime);
      if (halves)
        y.p[0] = y.p[0] * half;
      PERMI_H(hold)(parts, count, x, k, y);
    })
  } else if (!from->lone) {
    const double *slot = permi_hybrid_slot(from->values, at);
    PERMI_NUMBERS({
      PERMI_N y = PERMI_H(get)(parts, slot, k);
      if (halves)
        y.p[0] = y.p[0] * half;
      PERMI_H(hold)(parts, count, x, k, y);
    })
  } else {
    PERMI_N y = PERMI_H(one)(PERMI_SET(0.0));
    y.p[0] = half;
    PERMI_NUMBERS({ PERMI_H(hold)(parts, count, x, k, y); })
  }
}

/* ROW, ROWS */
PERMI_TARGET PERMI_INLINE void PERMI_H(rows)(int algebra, const permi_hybrid *hybrid,
                                             const permi_instruction *operation, double *values)
{
  const int parts = permi_hybrid_parts(algebra), row_parts = permi_hybrid_row_parts(algebra);
  const int count = PERMI_H(count)(algebra), lone = operation->opcode == PERMI_OP_ROW, group = operation->group;
  const int row = lone ? operation->row : operation->other;
  const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
  const PERMI_H(source) from = PERMI_H(source_of)(hybrid, operation, values);
  const double least = hybrid->floor[row], *slot = permi_hybrid_slot(values, row);
  PERMI_H(numbers) base, held;
  int k;
  PERMI_NUMBERS({ PERMI_H(hold)(row_parts, count, &base, k, PERMI_H(get)(row_parts, slot, k)); })
  while (t < last) {
    const permi_statement *end = t + group;
    PERMI_H(fetch)(algebra, 0, &from, t->h, &held);
    for (; t < end; t++) {
      const PERMI_N c = PERMI_H(constant)(algebra, hybrid, lone ? t->h : t->p);
      double *out = permi_hybrid_slot(values, t->out);
      PERMI_NUMBERS({
        const PERMI_N y = PERMI_H(row)(algebra, PERMI_H(of)(row_parts, count, &base, k), c, least, from.prime);
        const PERMI_N x = PERMI_H(times)(algebra, PERMI_H(of)(parts, count, &held, k), y, from.prime);
        PERMI_H(put)(parts, out, k, PERMI_H(settle)(algebra, x));
      })
    }
  }
}

/* TIMES_ROW, TIMES */
PERMI_TARGET PERMI_INLINE void PERMI_H(products)(int algebra, const permi_hybrid *hybrid,
                                                 const permi_instruction *operation, double *values)
{
  const int parts = permi_hybrid_parts(algebra), count = PERMI_H(count)(algebra), group = operation->group;
  const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
  const PERMI_H(source) from = PERMI_H(source_of)(hybrid, operation, values);
  PERMI_H(numbers) held;
  int k;
  while (t < last) {
    const permi_statement *end = t + group;
    PERMI_H(fetch)(algebra, 0, &from, t->h, &held);
    for (; t < end; t++) {
      const double *p = permi_hybrid_slot(values, t->p);
      double *out = permi_hybrid_slot(values, t->out);
      PERMI_NUMBERS({
        const PERMI_N y = PERMI_H(of)(parts, count, &held, k);
        const PERMI_N x = PERMI_H(times)(algebra, PERMI_H(get)(parts, p, k), y, from.prime);
        PERMI_H(put)(parts, out, k, PERMI_H(settle)(algebra, x));
      })
    }
  }
}

/* DIFFERENCE, FOLD_ROW, FOLD */
PERMI_TARGET PERMI_INLINE void PERMI_H(folds)(int algebra, const permi_hybrid *hybrid,
                                              const permi_instruction *operation, double *values)
{
  const int parts = permi_hybrid_parts(algebra), count = PERMI_H(count)(algebra), group = operation->group;
  const int halves = algebra == PERMI_HYBRID_WHOLE;
  const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
  const PERMI_H(source) from = PERMI_H(source_of)(hybrid, operation, values);
  PERMI_H(numbers) held, also;
  int k;
  while (t < last) {
    const permi_statement *end = t + group;
    PERMI_H(fetch)(algebra, halves, &from, t->h, &held);
    PERMI_H(fetch)(algebra, halves, &from, t->g, &also);
    for (; t < end; t++) {
      const double *p = permi_hybrid_slot(values, t->p), *q = permi_hybrid_slot(values, t->q);
      double *out = permi_hybrid_slot(values, t->out);
      PERMI_NUMBERS({
        const PERMI_N y = PERMI_H(of)(parts, count, &held, k), z = PERMI_H(of)(parts, count, &also, k);
        const PERMI_N a = PERMI_H(get)(parts, p, k), b = PERMI_H(get)(parts, q, k);
        const PERMI_N x = PERMI_H(cross)(algebra, a, y, b, z, from.prime);
        PERMI_H(put)(parts, out, k, PERMI_H(settle)(algebra, x));
      })
    }
  }
}

/* Slots from `bases` on are numbers. */
PERMI_TARGET PERMI_INLINE void PERMI_H(chain)(int algebra, const permi_hybrid *hybrid,
                                                const permi_instruction *operation, double *values)
{
  const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
  const int count = PERMI_H(count)(algebra);
  const int parts = permi_hybrid_parts(algebra), whole = algebra == PERMI_HYBRID_WHOLE;
  const int numbers = whole || permi_hybrid_is_doubled(algebra) || algebra >= PERMI_HYBRID_MODULI;
  const int bases = numbers ? permi_hybrid_line(hybrid->n) : 0;
  const PERMI_P prime = PERMI_NAME(prime_of)(hybrid->prime, hybrid->inverse);
  double *out = permi_hybrid_slot(values, t->out), *first = permi_hybrid_slot(values, t->p);
  PERMI_H(numbers) product;
  int k;
  if (whole || t->p < bases)
    PERMI_H(chain_slot)(algebra, 1, 1, first, t->p < bases ? hybrid->floor[t->p] : 0, prime, &product);
  else
    PERMI_H(chain_slot)(algebra, 1, 0, first, 0, prime, &product);
  for (t++; t < last; t++) {
    const double *slot = permi_hybrid_slot(values, t->p);
    const double least = t->p < bases ? hybrid->floor[t->p] : 0;
    if (whole && t->q == PERMI_GROWS_LONG)
      PERMI_H(chain_slot)(PERMI_HYBRID_LONG, 0, 1, slot, least, prime, &product);
    else if (whole && t->q == PERMI_GROWS_SHORT)
      PERMI_H(chain_slot)(PERMI_HYBRID_SHORT, 0, 1, slot, least, prime, &product);
    else if (whole || t->p < bases)
      PERMI_H(chain_slot)(algebra, 0, 1, slot, least, prime, &product);
    else
      PERMI_H(chain_slot)(algebra, 0, 0, slot, 0, prime, &product);
  }
  PERMI_NUMBERS({ PERMI_H(put)(parts, out, k, PERMI_H(of)(parts, count, &product, k)); })
}

/* Macros, so that the algebra is known before anything is inlined: gcc compiles in half the time. A lone row does not
   grow; a lone table's difference is below 2^50 (permi_growth_kind). */
#define PERMI_BY_GROWTH(algebra, call)                                                                                 \
  if (algebra != PERMI_HYBRID_WHOLE || operation->growth == PERMI_GROWS_NOT) call(algebra, hybrid, operation, values); \
  else if (operation->growth == PERMI_GROWS_SHORT) call(PERMI_HYBRID_SHORT, hybrid, operation, values);                \
  else call(PERMI_HYBRID_LONG, hybrid, operation, values);
#define PERMI_OPERATE(algebra)                                                                                         \
  if (operation->opcode <= PERMI_OP_ROWS) { PERMI_BY_GROWTH(algebra, PERMI_H(rows)) }                                  \
  else if (operation->opcode <= PERMI_OP_TIMES) { PERMI_BY_GROWTH(algebra, PERMI_H(products)) }                        \
  else if (operation->opcode < PERMI_OP_CHAIN) { PERMI_BY_GROWTH(algebra, PERMI_H(folds)) }                            \
  else PERMI_H(chain)(algebra, hybrid, operation, values);
#define PERMI_INSTANCE(name, algebra)                                                                                  \
  PERMI_KERNEL PERMI_NAME(hybrid_##name)(const permi_hybrid *hybrid, double *values, unsigned turned)                  \
  { const permi_instruction *operation = hybrid->operation, *end = operation + hybrid->operations;                     \
    for (; operation < end; operation++) if (operation->dirty & turned) { PERMI_OPERATE(algebra) }                     \
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
#undef PERMI_OPERATE
#undef PERMI_BY_GROWTH
#undef PERMI_OF_COMPLEX
#undef PERMI_NUMBERS
#undef PERMI_N
#undef PERMI_H
/* SPDX-License-Identifier: MIT */
