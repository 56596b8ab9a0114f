/* ================================================================================= >>hybrid_kernels
   The interpreter of >>hybrid for any algebra. clang contracts within an expression, so products have their own
   statements. */

/* Adds sign times the number x of 1, 2 or 4 parts. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(hybrid_shift)(int parts, double *slot, const double *x, double sign)
{
  int k, quarter;
  for (quarter = 0; quarter < 4; quarter++, slot += PERMI_HYBRID_DOUBLES / 4) {
    const PERMI_V by = PERMI_SET(sign * x[quarter * parts / 4]);
    PERMI_UNROLL
    for (k = 0; k < PERMI_HYBRID_DOUBLES / 4; k += PERMI_WIDTH)
      PERMI_STORE(slot + k, PERMI_LOAD(slot + k) + by);
  }
}

/* total +-= block, minus if `negative`, in double-double; second words go to the low parts. */
PERMI_TARGET static void PERMI_NAME(hybrid_add)(const permi_hybrid *hybrid, const double *block, double *total,
                                                int negative)
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

PERMI_TARGET static void PERMI_NAME(hybrid_turn)(const permi_hybrid *hybrid, int j, int minus, double *values)
{
  const int *row = hybrid->touched[j];
  const double sign = minus ? -1 : 1;
  for (; *row >= 0; row++) {
    const double *twice = hybrid->step + (j * hybrid->n + *row) * hybrid->parts;
    double *slot = permi_hybrid_slot(values, permi_hybrid_line(*row));
    PERMI_NAME(hybrid_shift)(hybrid->parts, slot, twice, sign);
  }
}

#define PERMI_N PERMI_NAME(hybrid_number)
typedef struct PERMI_N {
  PERMI_V v, e; /* value and error, or real and imaginary part */
  PERMI_V w, f; /* of complex double-doubles: value and error of the imaginary part */
} PERMI_N;

typedef struct PERMI_NAME(hybrid_numbers) {
  PERMI_V v[PERMI_HYBRID_DOUBLES / PERMI_WIDTH], e[PERMI_HYBRID_DOUBLES / 2 / PERMI_WIDTH + 1];
  PERMI_V w[PERMI_HYBRID_DOUBLES / 4 / PERMI_WIDTH + 1], f[PERMI_HYBRID_DOUBLES / 4 / PERMI_WIDTH + 1];
} PERMI_NAME(hybrid_numbers);

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_one)(PERMI_V v)
{
  PERMI_N x;
  x.v = x.e = x.w = x.f = v;
  return x;
}

/* The real part's double-double, or the imaginary part's. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_part)(PERMI_N x, int imaginary)
{
  PERMI_N part = PERMI_NAME(hybrid_one)(imaginary ? x.w : x.v);
  part.e = imaginary ? x.f : x.e;
  return part;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_join)(PERMI_N real, PERMI_N imaginary)
{
  real.w = imaginary.v;
  real.f = imaginary.e;
  return real;
}

/* Its address comes first: with one address a slot gcc loads many vectors twice (complex, compensated: 7% slower). */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_get)(int parts, const double *slot, int k)
{
  const double *at = slot + k * PERMI_WIDTH;
  PERMI_N x = PERMI_NAME(hybrid_one)(PERMI_LOAD(at));
  if (parts > 1)
    x.e = PERMI_LOAD(at + PERMI_HYBRID_DOUBLES / parts);
  if (parts == 4) {
    x.w = PERMI_LOAD(at + PERMI_HYBRID_DOUBLES / 2);
    x.f = PERMI_LOAD(at + PERMI_HYBRID_DOUBLES * 3 / 4);
  }
  return x;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(hybrid_put)(int parts, double *slot, int k, PERMI_N x)
{
  double *at = slot + k * PERMI_WIDTH;
  PERMI_STORE(at, x.v);
  if (parts > 1)
    PERMI_STORE(at + PERMI_HYBRID_DOUBLES / parts, x.e);
  if (parts == 4) {
    PERMI_STORE(at + PERMI_HYBRID_DOUBLES / 2, x.w);
    PERMI_STORE(at + PERMI_HYBRID_DOUBLES * 3 / 4, x.f);
  }
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_of)(int parts, const PERMI_NAME(hybrid_numbers) *x, int k)
{
  PERMI_N y = PERMI_NAME(hybrid_one)(x->v[k]);
  if (parts > 1)
    y.e = x->e[k];
  if (parts == 4) {
    y.w = x->w[k];
    y.f = x->f[k];
  }
  return y;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(hybrid_hold)(int parts, PERMI_NAME(hybrid_numbers) *to, int k, PERMI_N x)
{
  to->v[k] = x.v;
  if (parts > 1)
    to->e[k] = x.e;
  if (parts == 4) {
    to->w[k] = x.w;
    to->f[k] = x.f;
  }
}

/* Of x's `step` words; moduli read first words. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_constant)(int algebra, const double *x, int step)
{
  const int parts = permi_hybrid_row_parts(algebra);
  PERMI_N y = PERMI_NAME(hybrid_one)(PERMI_SET(x[0]));
  if (parts > 1)
    y.e = PERMI_SET(x[step / parts]);
  if (parts == 4) {
    y.w = PERMI_SET(x[2]);
    y.f = PERMI_SET(x[3]);
  }
  return y;
}

/* ab - cd: its multiples of 2^46, exact in the binade of `grid`, are reduced, and the rest is added: one quotient. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(hybrid_reduce_cross)(PERMI_V a, PERMI_V b, PERMI_V c, PERMI_V d, PERMI_P p)
{
  const PERMI_V grid = PERMI_SET(PERMI_RESIDUE_GRID);
  const PERMI_V first = PERMI_FMA(a, b, grid), both = PERMI_FNMA(c, d, first), high = both - grid;
  const PERMI_V low = PERMI_FMS_EXACT(a, b, first - grid), less = PERMI_FMS_EXACT(c, d, first - both);
  return (low - less) - PERMI_FMS_EXACT(PERMI_NAME(prime_quotient)(high, p), p.prime, high);
}

/* A result as it is kept: of a double-double the first word takes over what it can; it is the larger one, or has
   cancelled (THE BOUND in >>hybrid_offer). */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_settle)(int algebra, PERMI_N x)
{
  if (permi_hybrid_is_doubled(algebra))
    x.v = PERMI_NAME(vector_fast_two_sum)(x.v, x.e, &x.e);
  if (algebra == PERMI_HYBRID_COMPLEX_DOUBLED)
    x.w = PERMI_NAME(vector_fast_two_sum)(x.w, x.f, &x.f);
  return x;
}

/* A row sum as a number; of moduli, |y| plus the row's floor; whole numbers are reduced if that is not 0. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_row_number)(int algebra, PERMI_N y, double least, PERMI_P p)
{
  if (permi_hybrid_is_whole(algebra) && least > 0)
    return PERMI_NAME(hybrid_one)(PERMI_NAME(prime_reduce)(y.v, p));
  if (permi_hybrid_is_doubled(algebra))
    y.v = PERMI_NAME(vector_two_sum)(y.v, y.e, &y.e);
  if (algebra == PERMI_HYBRID_COMPLEX_DOUBLED)
    y.w = PERMI_NAME(vector_two_sum)(y.w, y.f, &y.f);
  if (algebra == PERMI_HYBRID_MODULI)
    return PERMI_NAME(hybrid_one)(PERMI_ABS(y.v) + PERMI_SET(least));
  if (algebra == PERMI_HYBRID_COMPLEX_MODULI)
    return PERMI_NAME(hybrid_one)(PERMI_ROOT(PERMI_FMA(y.v, y.v, y.e * y.e)) + PERMI_SET(least));
  return y;
}

/* The same of base + constant, exactly. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_row)(int algebra, PERMI_N y, PERMI_N c, double least, PERMI_P p)
{
  y.v = y.v + c.v;
  if (permi_hybrid_row_parts(algebra) > 1)
    y.e = y.e + c.e;
  if (permi_hybrid_row_parts(algebra) == 4) {
    y.w = y.w + c.w;
    y.f = y.f + c.f;
  }
  return PERMI_NAME(hybrid_row_number)(algebra, y, least, p);
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_pair_times)(PERMI_N a, PERMI_N b)
{
  PERMI_N x = a;
  x.v = PERMI_NAME(vector_two_product)(a.v, b.v, &x.e);
  x.e = PERMI_FMA(a.v, b.e, PERMI_FMA(a.e, b.v, x.e));
  return x;
}

/* a + b, or a - b */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_pair_sum)(PERMI_N a, PERMI_N b, int minus)
{
  PERMI_N x = b;
  PERMI_V error;
  if (minus)
    x.v = PERMI_SET(0.0) - b.v;
  x.v = PERMI_NAME(vector_two_sum)(a.v, x.v, &error);
  x.e = minus ? a.e - b.e : a.e + b.e;
  x.e = error + x.e;
  return x;
}

/* The same of both parts of complex numbers. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_pairs_sum)(PERMI_N a, PERMI_N b, int minus)
{
  return PERMI_NAME(hybrid_join)(
      PERMI_NAME(hybrid_pair_sum)(PERMI_NAME(hybrid_part)(a, 0), PERMI_NAME(hybrid_part)(b, 0), minus),
      PERMI_NAME(hybrid_pair_sum)(PERMI_NAME(hybrid_part)(a, 1), PERMI_NAME(hybrid_part)(b, 1), minus));
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_pairs_times)(PERMI_N a, PERMI_N b)
{
  const PERMI_N u = PERMI_NAME(hybrid_part)(a, 0), v = PERMI_NAME(hybrid_part)(a, 1);
  const PERMI_N x = PERMI_NAME(hybrid_part)(b, 0), y = PERMI_NAME(hybrid_part)(b, 1);
  return PERMI_NAME(hybrid_join)(
      PERMI_NAME(hybrid_pair_sum)(PERMI_NAME(hybrid_pair_times)(u, x), PERMI_NAME(hybrid_pair_times)(v, y), 1),
      PERMI_NAME(hybrid_pair_sum)(PERMI_NAME(hybrid_pair_times)(u, y), PERMI_NAME(hybrid_pair_times)(v, x), 0));
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_times)(int algebra, PERMI_N a, PERMI_N b, PERMI_P p)
{
  PERMI_N x;
  if (algebra == PERMI_HYBRID_COMPLEX) {
    const PERMI_V ee = a.e * b.e, vv = a.v * b.v;
    x = PERMI_NAME(hybrid_one)(vv - ee);
    x.e = PERMI_FMA(a.v, b.e, a.e * b.v);
  } else if (algebra == PERMI_HYBRID_COMPLEX_DOUBLED) {
    x = PERMI_NAME(hybrid_pairs_times)(a, b);
  } else if (permi_hybrid_is_doubled(algebra)) {
    x = PERMI_NAME(hybrid_pair_times)(a, b);
  } else if (algebra == PERMI_HYBRID_LONG) {
    x = PERMI_NAME(hybrid_one)(PERMI_NAME(prime_product)(a.v, b.v, p));
  } else {
    x = PERMI_NAME(hybrid_one)(a.v * b.v);
    if (algebra == PERMI_HYBRID_SHORT)
      x.v = PERMI_NAME(prime_reduce)(x.v, p);
  }
  return x;
}

/* a - b; moduli: a + b; `half` of that of whole numbers */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_minus)(int algebra, PERMI_N a, PERMI_N b, double half, PERMI_P p)
{
  PERMI_N x;
  if (algebra == PERMI_HYBRID_COMPLEX) {
    x = PERMI_NAME(hybrid_one)(a.v - b.v);
    x.e = a.e - b.e;
  } else if (algebra == PERMI_HYBRID_COMPLEX_DOUBLED) {
    x = PERMI_NAME(hybrid_pairs_sum)(a, b, 1);
  } else if (permi_hybrid_is_doubled(algebra)) {
    x = PERMI_NAME(hybrid_pair_sum)(a, b, 1);
  } else {
    x = PERMI_NAME(hybrid_one)(algebra < PERMI_HYBRID_MODULI ? a.v - b.v : a.v + b.v);
    if (algebra == PERMI_HYBRID_WHOLE)
      x.v = x.v * PERMI_SET(half);
    else if (permi_hybrid_is_whole(algebra))
      x.v = PERMI_NAME(prime_reduce)(x.v, p);
  }
  return x;
}

/* a b - c d; moduli: a b + c d */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(hybrid_cross)(int algebra, PERMI_N a, PERMI_N b, PERMI_N c, PERMI_N d,
                                                           PERMI_P p)
{
  PERMI_N second;
  if (algebra == PERMI_HYBRID_LONG)
    return PERMI_NAME(hybrid_one)(PERMI_NAME(hybrid_reduce_cross)(a.v, b.v, c.v, d.v, p));
  if (permi_hybrid_is_whole(algebra)) {
    const PERMI_V less = c.v * d.v, x = PERMI_FMS(a.v, b.v, less);
    return PERMI_NAME(hybrid_one)(algebra == PERMI_HYBRID_SHORT ? PERMI_NAME(prime_reduce)(x, p) : x);
  }
  second = PERMI_NAME(hybrid_times)(algebra, c, d, p);
  if (algebra >= PERMI_HYBRID_MODULI)
    return PERMI_NAME(hybrid_one)(PERMI_FMA(a.v, b.v, second.v));
  return PERMI_NAME(hybrid_minus)(algebra, PERMI_NAME(hybrid_times)(algebra, a, b, p), second, 1, p);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(hybrid_fetch)(int parts, int count, const double *slot,
                                                        PERMI_NAME(hybrid_numbers) *x)
{
  int k;
  PERMI_UNROLL
  for (k = 0; k < count; k++)
    PERMI_NAME(hybrid_hold)(parts, x, k, PERMI_NAME(hybrid_get)(parts, slot, k));
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(hybrid_fetch_row)(int algebra, int count, const double *slot, PERMI_N c,
                                                            double least, PERMI_P p, PERMI_NAME(hybrid_numbers) *x)
{
  const int parts = permi_hybrid_parts(algebra), row_parts = permi_hybrid_row_parts(algebra);
  int k;
  PERMI_UNROLL
  for (k = 0; k < count; k++)
    PERMI_NAME(hybrid_hold)(parts, x, k, PERMI_NAME(hybrid_row)(algebra, PERMI_NAME(hybrid_get)(row_parts, slot, k),
                                                                c, least, p));
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(hybrid_halve)(int count, double half, PERMI_NAME(hybrid_numbers) *x)
{
  int k;
  PERMI_UNROLL
  for (k = 0; k < count; k++)
    x->v[k] = x->v[k] * PERMI_SET(half);
}

/* x *= a slot; x = the first of a chain. A `base` has no moduli yet. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(hybrid_chain)(int algebra, int first, int base, int count, const double *slot,
                                                        double least, PERMI_P p, PERMI_NAME(hybrid_numbers) *x)
{
  const int parts = permi_hybrid_parts(algebra), slot_parts = base ? permi_hybrid_row_parts(algebra) : parts;
  int k;
  PERMI_UNROLL
  for (k = 0; k < count; k++) {
    PERMI_N y = PERMI_NAME(hybrid_get)(slot_parts, slot, k);
    if (base)
      y = PERMI_NAME(hybrid_row_number)(algebra, y, least, p);
    if (!first)
      y = PERMI_NAME(hybrid_times)(algebra, PERMI_NAME(hybrid_of)(parts, x, k), y, p);
    PERMI_NAME(hybrid_hold)(parts, x, k, first ? y : PERMI_NAME(hybrid_settle)(algebra, y));
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(hybrid_total)(int algebra, int count, double *block, const double *slot,
                                                        int negative, PERMI_P p)
{
  const PERMI_V sign = PERMI_SET(negative && algebra < PERMI_HYBRID_MODULI ? -1.0 : 1.0);
  const int parts = permi_hybrid_parts(algebra);
  int k;
  PERMI_UNROLL
  for (k = 0; k < count; k++) {
    const PERMI_N x = PERMI_NAME(hybrid_get)(parts, slot, k);
    const PERMI_V whole = permi_hybrid_is_whole(algebra) ? PERMI_NAME(prime_reduce)(x.v, p) : x.v;
    const PERMI_V v = sign * whole, e = sign * x.e;
    PERMI_N sum = PERMI_NAME(hybrid_get)(parts, block, k);
    if (algebra == PERMI_HYBRID_COMPLEX_DOUBLED) {
      PERMI_N term = x;
      term.v = v;
      term.e = e;
      term.w = sign * x.w;
      term.f = sign * x.f;
      sum = PERMI_NAME(hybrid_settle)(algebra, PERMI_NAME(hybrid_pairs_sum)(sum, term, 0));
    } else if (permi_hybrid_is_doubled(algebra)) {
      PERMI_V error;
      sum.v = PERMI_NAME(vector_two_sum)(sum.v, v, &error);
      sum.e = sum.e + (error + e);
      sum = PERMI_NAME(hybrid_settle)(algebra, sum);
    } else {
      sum.v = sum.v + v;
      sum.e = sum.e + e;
    }
    PERMI_NAME(hybrid_put)(parts, block, k, sum);
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(hybrid_tables)(int algebra, int count, int opcode, const permi_hybrid *hybrid,
                                                         const permi_instruction *operation, double *values)
{
  const int parts = permi_hybrid_parts(algebra), row_parts = permi_hybrid_row_parts(algebra);
  const int step = algebra >= PERMI_HYBRID_MODULI ? hybrid->parts : row_parts;
  const int of_rows = opcode == PERMI_OP_ROWS || opcode == PERMI_OP_TIMES_ROW || opcode == PERMI_OP_FOLD_ROW;
  const int folds = opcode == PERMI_OP_FOLD_ROW || opcode == PERMI_OP_FOLD;
  const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
  const double *row = permi_hybrid_slot(values, operation->row), *constant = hybrid->constant;
  const double least = hybrid->floor[operation->row];
  const double base_least = opcode == PERMI_OP_ROWS ? hybrid->floor[operation->other] : least;
  const int halves = algebra == PERMI_HYBRID_WHOLE && folds && operation->halved;
  const double half = operation->halved ? 0.5 : 1;
  const PERMI_P prime = PERMI_NAME(prime_of)(hybrid->prime, hybrid->inverse);
  PERMI_NAME(hybrid_numbers) base, held, also;
  if (opcode == PERMI_OP_ROW || opcode == PERMI_OP_ROWS)
    PERMI_NAME(hybrid_fetch)(row_parts, count,
                             opcode == PERMI_OP_ROW ? row : permi_hybrid_slot(values, operation->other), &base);
  while (t < last) {
    const permi_statement *end = t + operation->group;
    if (of_rows)
      PERMI_NAME(hybrid_fetch_row)(algebra, count, row,
                                   PERMI_NAME(hybrid_constant)(algebra, constant + t->h * step, step), least, prime,
                                   &held);
    else if (opcode == PERMI_OP_TIMES || opcode == PERMI_OP_FOLD)
      PERMI_NAME(hybrid_fetch)(parts, count, permi_hybrid_slot(values, t->h), &held);
    if (opcode == PERMI_OP_FOLD_ROW)
      PERMI_NAME(hybrid_fetch_row)(algebra, count, row,
                                   PERMI_NAME(hybrid_constant)(algebra, constant + t->g * step, step), least, prime,
                                   &also);
    else if (opcode == PERMI_OP_FOLD)
      PERMI_NAME(hybrid_fetch)(parts, count, permi_hybrid_slot(values, t->g), &also);
    if (halves) {
      PERMI_NAME(hybrid_halve)(count, half, &held);
      PERMI_NAME(hybrid_halve)(count, half, &also);
    }
    for (; t < end; t++) {
      const double *p = permi_hybrid_slot(values, t->p), *q = permi_hybrid_slot(values, t->q);
      double *out = permi_hybrid_slot(values, t->out);
      PERMI_N c;
      int k;
      if (opcode == PERMI_OP_ROW || opcode == PERMI_OP_ROWS)
        c = PERMI_NAME(hybrid_constant)(algebra, constant + (opcode == PERMI_OP_ROW ? t->h : t->p) * step, step);
      PERMI_UNROLL
      for (k = 0; k < count; k++) {
        PERMI_N x;
        if (opcode == PERMI_OP_ROW || opcode == PERMI_OP_ROWS)
          x = PERMI_NAME(hybrid_row)(algebra, PERMI_NAME(hybrid_of)(row_parts, &base, k), c, base_least, prime);
        else
          x = PERMI_NAME(hybrid_get)(parts, p, k);
        if (folds)
          x = PERMI_NAME(hybrid_cross)(algebra, x, PERMI_NAME(hybrid_of)(parts, &held, k),
                                       PERMI_NAME(hybrid_get)(parts, q, k), PERMI_NAME(hybrid_of)(parts, &also, k),
                                       prime);
        else if (opcode == PERMI_OP_DIFFERENCE)
          x = PERMI_NAME(hybrid_minus)(algebra, x, PERMI_NAME(hybrid_get)(parts, q, k), half, prime);
        else if (opcode == PERMI_OP_ROWS)
          x = PERMI_NAME(hybrid_times)(algebra, PERMI_NAME(hybrid_of)(parts, &held, k), x, prime);
        else if (opcode != PERMI_OP_ROW)
          x = PERMI_NAME(hybrid_times)(algebra, x, PERMI_NAME(hybrid_of)(parts, &held, k), prime);
        PERMI_NAME(hybrid_put)(parts, out, k, opcode == PERMI_OP_ROW ? x : PERMI_NAME(hybrid_settle)(algebra, x));
      }
    }
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(hybrid_grown)(int algebra, int count, int opcode, const permi_hybrid *hybrid,
                                                        const permi_instruction *operation, double *values)
{
  if (algebra == PERMI_HYBRID_WHOLE && operation->growth == PERMI_GROWS_LONG)
    PERMI_NAME(hybrid_tables)(PERMI_HYBRID_LONG, count, opcode, hybrid, operation, values);
  else if (algebra == PERMI_HYBRID_WHOLE && operation->growth == PERMI_GROWS_SHORT)
    PERMI_NAME(hybrid_tables)(PERMI_HYBRID_SHORT, count, opcode, hybrid, operation, values);
  else
    PERMI_NAME(hybrid_tables)(algebra, count, opcode, hybrid, operation, values);
}

/* Multiplies a chain; slots from `bases` on are numbers. Fetching slots whole took plain C (gcc) 1.3 times as long. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(hybrid_product)(int algebra, int count, const permi_hybrid *hybrid,
                                                          const permi_statement *t, const permi_statement *last,
                                                          double *values)
{
  const int parts = permi_hybrid_parts(algebra), whole = algebra == PERMI_HYBRID_WHOLE;
  const int numbers = whole || permi_hybrid_is_doubled(algebra) || algebra >= PERMI_HYBRID_MODULI;
  const int bases = numbers ? permi_hybrid_line(hybrid->n) : 0;
  const PERMI_P prime = PERMI_NAME(prime_of)(hybrid->prime, hybrid->inverse);
  double *out = permi_hybrid_slot(values, t->out), *first = permi_hybrid_slot(values, t->p);
  PERMI_NAME(hybrid_numbers) product;
  int k;
  if (t->p < bases)
    PERMI_NAME(hybrid_chain)(algebra, 1, 1, count, first, hybrid->floor[t->p], prime, &product);
  else
    PERMI_NAME(hybrid_chain)(algebra, 1, 0, count, first, 0, prime, &product);
  for (t++; t < last; t++) {
    const double *slot = permi_hybrid_slot(values, t->p);
    const double least = t->p < bases ? hybrid->floor[t->p] : 0;
    if (whole && t->q == PERMI_GROWS_LONG)
      PERMI_NAME(hybrid_chain)(PERMI_HYBRID_LONG, 0, 1, count, slot, least, prime, &product);
    else if (whole && t->q == PERMI_GROWS_SHORT)
      PERMI_NAME(hybrid_chain)(PERMI_HYBRID_SHORT, 0, 1, count, slot, least, prime, &product);
    else if (whole || t->p < bases)
      PERMI_NAME(hybrid_chain)(algebra, 0, 1, count, slot, least, prime, &product);
    else
      PERMI_NAME(hybrid_chain)(algebra, 0, 0, count, slot, 0, prime, &product);
  }
  PERMI_UNROLL
  for (k = 0; k < count; k++)
    PERMI_NAME(hybrid_put)(parts, out, k, PERMI_NAME(hybrid_of)(parts, &product, k));
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(hybrid_interpret)(int algebra, const permi_hybrid *hybrid, double *values,
                                                            double *block)
{
  const int count = PERMI_HYBRID_DOUBLES / permi_hybrid_row_parts(algebra) / PERMI_WIDTH;
  const permi_instruction *operation = hybrid->operation, *end = operation + hybrid->operations;
#define PERMI_TABLES(opcode)                                                                                           \
  case opcode:                                                                                                         \
    PERMI_NAME(hybrid_grown)(algebra, count, opcode, hybrid, operation, values); break
  for (; operation < end; operation++) {
    const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
    switch (operation->opcode) {
      PERMI_TABLES(PERMI_OP_ROW);
      PERMI_TABLES(PERMI_OP_ROWS);
      PERMI_TABLES(PERMI_OP_TIMES_ROW);
      PERMI_TABLES(PERMI_OP_TIMES);
      PERMI_TABLES(PERMI_OP_DIFFERENCE);
      PERMI_TABLES(PERMI_OP_FOLD_ROW);
      PERMI_TABLES(PERMI_OP_FOLD);
    case PERMI_OP_CHAIN: PERMI_NAME(hybrid_product)(algebra, count, hybrid, t, last, values); break;
    case PERMI_OP_FLIP:
      for (; t < last; t++) {
        const double *x = hybrid->constant + t->h * hybrid->parts;
        double *slot = permi_hybrid_slot(values, t->p);
        PERMI_NAME(hybrid_shift)(hybrid->parts, slot, x, 1);
      }
      break;
    default:
      PERMI_NAME(hybrid_total)(algebra, count, block, permi_hybrid_slot(values, t->p), t->h,
                               PERMI_NAME(prime_of)(hybrid->prime, hybrid->inverse));
    }
  }
#undef PERMI_TABLES
}

#define PERMI_INSTANCE(name, algebra)                                                                                  \
  PERMI_KERNEL PERMI_NAME(name)(const permi_hybrid *hybrid, double *values, double *block)                             \
  {                                                                                                                    \
    PERMI_NAME(hybrid_interpret)(algebra, hybrid, values, block);                                                      \
  }
PERMI_INSTANCE(hybrid_real, PERMI_HYBRID_REAL)
PERMI_INSTANCE(hybrid_doubled, PERMI_HYBRID_DOUBLED)
PERMI_INSTANCE(hybrid_whole, PERMI_HYBRID_WHOLE)
PERMI_INSTANCE(hybrid_moduli, PERMI_HYBRID_MODULI)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(hybrid_complex, PERMI_HYBRID_COMPLEX)
PERMI_INSTANCE(hybrid_complex_doubled, PERMI_HYBRID_COMPLEX_DOUBLED)
PERMI_INSTANCE(hybrid_complex_moduli, PERMI_HYBRID_COMPLEX_MODULI)
#endif
#undef PERMI_INSTANCE

static const permi_hybrid_family PERMI_NAME(hybrid_family) = {
#if !defined(PERM_NO_COMPLEX)
    {PERMI_NAME(hybrid_real), PERMI_NAME(hybrid_complex), PERMI_NAME(hybrid_doubled), PERMI_NAME(hybrid_whole),
     PERMI_NAME(hybrid_complex_doubled)},
    {PERMI_NAME(hybrid_moduli), PERMI_NAME(hybrid_complex_moduli), PERMI_NAME(hybrid_moduli), NULL,
     PERMI_NAME(hybrid_complex_moduli)},
#else
    {PERMI_NAME(hybrid_real), NULL, PERMI_NAME(hybrid_doubled), PERMI_NAME(hybrid_whole), NULL},
    {PERMI_NAME(hybrid_moduli), NULL, PERMI_NAME(hybrid_moduli), NULL, NULL},
#endif
    PERMI_NAME(hybrid_add), PERMI_NAME(hybrid_turn)};
/* SPDX-License-Identifier: MIT */
