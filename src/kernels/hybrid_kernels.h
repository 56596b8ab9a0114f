/* ================================================================================= >>hybrid_kernels
   The interpreter of >>hybrid, read once for each instruction set (PERMI_PROGRAM_WIDTH doubles a vector): a vocabulary
   as in perm.h's >>vocabulary, the interpreter of any kind of numbers, and its instances. Vectors are added and
   multiplied by the language's operators; a product and the sum that it goes into stand in statements of their own, for
   in one expression clang contracts them. */

#if PERMI_PROGRAM_WIDTH == 8
#define PERMI_H_TARGET __attribute__((target("avx512f,avx512dq,avx512bw")))
#define PERMI_H_V __m512d
#define PERMI_H_LOAD(p) _mm512_load_pd(p)
#define PERMI_H_STORE(p, v) _mm512_store_pd(p, v)
#define PERMI_H_SET(x) _mm512_set1_pd(x)
#define PERMI_H_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define PERMI_H_FMS(a, b, c) _mm512_fmsub_pd(a, b, c)
#define PERMI_H_ABS(a) \
  _mm512_castsi512_pd(_mm512_and_si512(_mm512_castpd_si512(a), _mm512_set1_epi64(0x7fffffffffffffff)))
#define PERMI_H_ROOT(a) _mm512_sqrt_pd(a)
#define PERMI_H_KEEP(v) __asm__("" : "+v"(v))
#elif PERMI_PROGRAM_WIDTH == 4
#define PERMI_H_TARGET __attribute__((target("avx2,fma")))
#define PERMI_H_V __m256d
#define PERMI_H_LOAD(p) _mm256_load_pd(p)
#define PERMI_H_STORE(p, v) _mm256_store_pd(p, v)
#define PERMI_H_SET(x) _mm256_set1_pd(x)
#define PERMI_H_FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define PERMI_H_FMS(a, b, c) _mm256_fmsub_pd(a, b, c)
#define PERMI_H_ABS(a) _mm256_andnot_pd(_mm256_set1_pd(-0.0), a)
#define PERMI_H_ROOT(a) _mm256_sqrt_pd(a)
#define PERMI_H_KEEP(v) __asm__("" : "+x"(v))
#else
#define PERMI_H_TARGET
#define PERMI_H_V double
#define PERMI_H_LOAD(p) (*(p))
#define PERMI_H_STORE(p, v) (*(p) = (v))
#define PERMI_H_SET(x) (x)
#define PERMI_H_FMA(a, b, c) ((a) * (b) + (c))
#define PERMI_H_FMS(a, b, c) fma(a, b, -(c)) /* libm's is exact with or without the instruction */
#define PERMI_H_ABS(a) fabs(a)
#define PERMI_H_ROOT(a) sqrt(a)
#define PERMI_H_KEEP(v) PERMI_KEEP_DOUBLE(v)
#endif
#if defined(__clang__) /* else small arrays of vectors stay in memory: plain programs took 1.7 times as long */
#define PERMI_H_UNROLL PERMI_PRAGMA(clang loop unroll(full))
#else
#define PERMI_H_UNROLL PERMI_UNROLL
#endif
#define PERMI_H(name) PERMI_PROGRAM_NAME(hybrid_##name)
#define PERMI_H_N PERMI_H(number)
#define PERMI_H_NUMBERS PERMI_H(numbers)
#define PERMI_H_OPERATION(type) PERMI_H_TARGET static PERMI_ALWAYS_INLINE type

/* a + b rounded; *error is what is missing, exactly. */
PERMI_H_OPERATION(PERMI_H_V) PERMI_H(two_sum)(PERMI_H_V a, PERMI_H_V b, PERMI_H_V *error)
{
  const PERMI_H_V sum = a + b, other = sum - a;
  *error = (a - (sum - other)) + (b - other);
  return sum;
}

/* total += block, or -= if `negative`, in double-double; the errors of compensated numbers go to the low parts. */
PERMI_H_TARGET static void PERMI_H(add)(const permi_hybrid *hybrid, const double *block, double *total, int negative)
{
  const PERMI_H_V sign = PERMI_H_SET(negative ? -1.0 : 1.0);
  const int compensated = hybrid->algebra == PERMI_HYBRID_COMPENSATED;
  const int end = compensated ? PERMI_HYBRID_DOUBLES / 2 : PERMI_HYBRID_DOUBLES;
  double *low = total + PERMI_HYBRID_DOUBLES;
  int k;
  for (k = 0; k < end; k += PERMI_PROGRAM_WIDTH) {
    const PERMI_H_V term = sign * PERMI_H_LOAD(block + k);
    PERMI_H_V error, sum = PERMI_H(two_sum)(PERMI_H_LOAD(total + k), term, &error);
    if (compensated) {
      const PERMI_H_V more = sign * PERMI_H_LOAD(block + end + k);
      error = error + more;
    }
    PERMI_H_STORE(total + k, sum);
    PERMI_H_STORE(low + k, PERMI_H_LOAD(low + k) + error);
  }
}

/* A slot += x, its second half += second. */
PERMI_H_OPERATION(void) PERMI_H(shift)(double *slot, double x, double second)
{
  const PERMI_H_V by = PERMI_H_SET(x), second_by = PERMI_H_SET(second);
  int k;
  PERMI_H_UNROLL
  for (k = 0; k < PERMI_HYBRID_DOUBLES / 2; k += PERMI_PROGRAM_WIDTH)
    PERMI_H_STORE(slot + k, PERMI_H_LOAD(slot + k) + by);
  PERMI_H_UNROLL
  for (k = PERMI_HYBRID_DOUBLES / 2; k < PERMI_HYBRID_DOUBLES; k += PERMI_PROGRAM_WIDTH)
    PERMI_H_STORE(slot + k, PERMI_H_LOAD(slot + k) + second_by);
}

/* High column j gets sign - (`minus`) or +. */
PERMI_H_TARGET static void PERMI_H(turn)(const permi_hybrid *hybrid, int j, int minus, double *slot)
{
  const int *row = hybrid->touched[j];
  const double sign = minus ? -1 : 1;
  for (; *row >= 0; row++) {
    const double *twice = hybrid->step + (j * hybrid->n + *row) * hybrid->parts;
    PERMI_H(shift)(slot + 8 * permi_hybrid_line(*row), sign * twice[0],
                                     sign * twice[hybrid->parts - 1]);
  }
}

/* -- numbers: vector k of a slot holds one of each pattern */
typedef struct PERMI_H_N {
  PERMI_H_V v, e; /* value and error, or real and imaginary part; e is not used in numbers of one part */
} PERMI_H_N;

typedef struct PERMI_H_NUMBERS { /* of a whole slot */
  PERMI_H_V v[PERMI_HYBRID_DOUBLES / PERMI_PROGRAM_WIDTH], e[PERMI_HYBRID_DOUBLES / 2 / PERMI_PROGRAM_WIDTH + 1];
} PERMI_H_NUMBERS;

PERMI_H_OPERATION(PERMI_H_N) PERMI_H(one)(PERMI_H_V v)
{
  PERMI_H_N x;
  x.v = x.e = v;
  return x;
}

/* Vector k of a slot. Its address is made first: with one address for the whole slot gcc loads many vectors twice, and
   complex and compensated programs took 7% longer. */
PERMI_H_OPERATION(PERMI_H_N) PERMI_H(get)(int parts, const double *slot, int k)
{
  const double *at = slot + k * PERMI_PROGRAM_WIDTH;
  PERMI_H_N x = PERMI_H(one)(PERMI_H_LOAD(at));
  if (parts == 2)
    x.e = PERMI_H_LOAD(at + PERMI_HYBRID_DOUBLES / 2);
  return x;
}

PERMI_H_OPERATION(void) PERMI_H(put)(int parts, double *slot, int k, PERMI_H_N x)
{
  double *at = slot + k * PERMI_PROGRAM_WIDTH;
  PERMI_H_STORE(at, x.v);
  if (parts == 2)
    PERMI_H_STORE(at + PERMI_HYBRID_DOUBLES / 2, x.e);
}

PERMI_H_OPERATION(PERMI_H_N) PERMI_H(of)(int parts, const PERMI_H_NUMBERS *x, int k)
{
  PERMI_H_N y = PERMI_H(one)(x->v[k]);
  if (parts == 2)
    y.e = x->e[k];
  return y;
}

PERMI_H_OPERATION(void) PERMI_H(hold)(int parts, PERMI_H_NUMBERS *to, int k, PERMI_H_N x)
{
  to->v[k] = x.v;
  if (parts == 2)
    to->e[k] = x.e;
}

PERMI_H_OPERATION(PERMI_H_N) PERMI_H(constant)(int kind, const double *x)
{
  PERMI_H_N y = PERMI_H(one)(PERMI_H_SET(x[0]));
  if (permi_program_row_parts(kind) == 2)
    y.e = PERMI_H_SET(x[1]);
  return y;
}

/* A row sum as a number: itself, or of moduli |y|, raised by the floor of the row at that line. */
PERMI_H_OPERATION(PERMI_H_N) PERMI_H(row_number)(int kind, PERMI_H_N y, double least)
{
  if (kind == PERMI_PROGRAM_MODULI)
    return PERMI_H(one)(PERMI_H_ABS(y.v) + PERMI_H_SET(least));
  if (kind == PERMI_PROGRAM_COMPLEX_MODULI)
    return PERMI_H(one)(PERMI_H_ROOT(PERMI_H_FMA(y.v, y.v, y.e * y.e)) + PERMI_H_SET(least));
  return y;
}

/* The same of base + constant; the sum is exact. */
PERMI_H_OPERATION(PERMI_H_N) PERMI_H(row)(int kind, PERMI_H_N y, PERMI_H_N c, double least)
{
  y.v = y.v + c.v;
  if (permi_program_row_parts(kind) == 2)
    y.e = y.e + c.e;
  return PERMI_H(row_number)(kind, y, least);
}

PERMI_H_OPERATION(PERMI_H_N) PERMI_H(times)(int kind, PERMI_H_N a, PERMI_H_N b)
{
  PERMI_H_N x;
  if (kind == PERMI_PROGRAM_COMPLEX) {
    const PERMI_H_V ee = a.e * b.e, vv = a.v * b.v;
    x.v = vv - ee;
    x.e = PERMI_H_FMA(a.v, b.e, a.e * b.v);
  } else if (kind == PERMI_PROGRAM_COMPENSATED) {
    PERMI_H_V product = a.v * b.v;
    PERMI_H_KEEP(product);
    x.v = product;
    x.e = PERMI_H_FMA(a.v, b.e, PERMI_H_FMA(a.e, b.v, PERMI_H_FMS(a.v, b.v, product)));
  } else {
    x = PERMI_H(one)(a.v * b.v);
  }
  return x;
}

/* a - b; of moduli a + b */
PERMI_H_OPERATION(PERMI_H_N) PERMI_H(minus)(int kind, PERMI_H_N a, PERMI_H_N b)
{
  PERMI_H_N x;
  if (kind == PERMI_PROGRAM_COMPLEX) {
    x.v = a.v - b.v;
    x.e = a.e - b.e;
  } else if (kind == PERMI_PROGRAM_COMPENSATED) {
    PERMI_H_V error;
    x.v = PERMI_H(two_sum)(a.v, PERMI_H_SET(0.0) - b.v, &error);
    x.e = error + (a.e - b.e);
  } else {
    x = PERMI_H(one)(kind == PERMI_PROGRAM_REAL ? a.v - b.v : a.v + b.v);
  }
  return x;
}

/* a b - c d; of moduli a b + c d */
PERMI_H_OPERATION(PERMI_H_N) PERMI_H(cross)(int kind, PERMI_H_N a, PERMI_H_N b, PERMI_H_N c,
                                                              PERMI_H_N d)
{
  const PERMI_H_N second = PERMI_H(times)(kind, c, d);
  if (permi_program_parts(kind) == 1 && kind != PERMI_PROGRAM_REAL)
    return PERMI_H(one)(PERMI_H_FMA(a.v, b.v, second.v));
  return PERMI_H(minus)(kind, PERMI_H(times)(kind, a, b), second);
}

/* The numbers of a slot. */
PERMI_H_OPERATION(void) PERMI_H(fetch)(int parts, int count, const double *slot, PERMI_H_NUMBERS *x)
{
  int k;
  PERMI_H_UNROLL
  for (k = 0; k < count; k++)
    PERMI_H(hold)(parts, x, k, PERMI_H(get)(parts, slot, k));
}

/* The row sums of a base and a constant. */
PERMI_H_OPERATION(void) PERMI_H(fetch_row)(int kind, int count, const double *slot, PERMI_H_N c, double least,
                                           PERMI_H_NUMBERS *x)
{
  const int parts = permi_program_parts(kind), row_parts = permi_program_row_parts(kind);
  int k;
  PERMI_H_UNROLL
  for (k = 0; k < count; k++)
    PERMI_H(hold)(parts, x, k, PERMI_H(row)(kind, PERMI_H(get)(row_parts, slot, k), c, least));
}

/* x *= the numbers of a slot; the `first` slot of a chain: x = these. Of `base`, moduli are still to be taken. */
PERMI_H_OPERATION(void) PERMI_H(chain)(int kind, int first, int base, int count, const double *slot, double least,
                                       PERMI_H_NUMBERS *x)
{
  const int parts = permi_program_parts(kind), row_parts = permi_program_row_parts(kind);
  int k;
  PERMI_H_UNROLL
  for (k = 0; k < count; k++) {
    PERMI_H_N y = PERMI_H(get)(base ? row_parts : parts, slot, k);
    if (base)
      y = PERMI_H(row_number)(kind, y, least);
    PERMI_H(hold)(parts, x, k, first ? y : PERMI_H(times)(kind, PERMI_H(of)(parts, x, k), y));
  }
}

/* block += slot, or -= if `negative` */
PERMI_H_OPERATION(void) PERMI_H(total)(int kind, double *block, const double *slot, int negative)
{
  const int count = PERMI_HYBRID_DOUBLES / permi_program_row_parts(kind) / PERMI_PROGRAM_WIDTH;
  int k;
  if (kind == PERMI_PROGRAM_COMPENSATED) {
    const PERMI_H_V sign = PERMI_H_SET(negative ? -1.0 : 1.0);
    PERMI_H_UNROLL
    for (k = 0; k < count; k++) {
      const PERMI_H_N x = PERMI_H(get)(2, slot, k);
      const PERMI_H_V v = sign * x.v, e = sign * x.e;
      PERMI_H_N sum = PERMI_H(get)(2, block, k);
      PERMI_H_V error;
      sum.v = PERMI_H(two_sum)(sum.v, v, &error);
      sum.e = sum.e + (error + e);
      PERMI_H(put)(2, block, k, sum);
    }
  } else if (kind == PERMI_PROGRAM_COMPLEX_MODULI) {
    PERMI_H_UNROLL
    for (k = 0; k < PERMI_HYBRID_DOUBLES / 2; k += PERMI_PROGRAM_WIDTH)
      PERMI_H_STORE(block + k, PERMI_H_LOAD(block + k) + PERMI_H_LOAD(slot + k));
  } else if (negative && kind != PERMI_PROGRAM_MODULI) {
    PERMI_H_UNROLL
    for (k = 0; k < PERMI_HYBRID_DOUBLES; k += PERMI_PROGRAM_WIDTH)
      PERMI_H_STORE(block + k, PERMI_H_LOAD(block + k) - PERMI_H_LOAD(slot + k));
  } else {
    PERMI_H_UNROLL
    for (k = 0; k < PERMI_HYBRID_DOUBLES; k += PERMI_PROGRAM_WIDTH)
      PERMI_H_STORE(block + k, PERMI_H_LOAD(block + k) + PERMI_H_LOAD(slot + k));
  }
}

/* The program, once. What a group holds stays in registers, and so does the product of a chain. */
PERMI_H_OPERATION(void) PERMI_H(execute)(int kind, const permi_hybrid *hybrid, double *slots, double *block)
{
  const int parts = permi_program_parts(kind), row_parts = permi_program_row_parts(kind);
  const int count = PERMI_HYBRID_DOUBLES / row_parts / PERMI_PROGRAM_WIDTH, bases = permi_hybrid_line(hybrid->n);
  const permi_instruction *operation = hybrid->operation, *end = operation + hybrid->operations;
  const double *constant = hybrid->constant;
  const int step = kind == PERMI_PROGRAM_MODULI ? hybrid->parts : row_parts; /* of constants */
  for (; operation < end; operation++) {
    const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
    const double *row = permi_program_slot(slots, operation->row), *other = permi_program_slot(slots, operation->other);
    PERMI_H_NUMBERS base, held, also;
    int k;
    switch (operation->opcode) {
    case PERMI_OP_ROW:
      PERMI_H(fetch)(row_parts, count, row, &base);
      for (; t < last; t++) {
        const PERMI_H_N c = PERMI_H(constant)(kind, constant + t->h * step);
        double *out = permi_program_slot(slots, t->out);
        PERMI_H_UNROLL
        for (k = 0; k < count; k++)
          PERMI_H(put)(parts, out, k, PERMI_H(row)(kind, PERMI_H(of)(row_parts, &base, k), c,
                                                   hybrid->floor[operation->row]));
      }
      break;
    case PERMI_OP_ROWS:
      PERMI_H(fetch)(row_parts, count, other, &base);
      while (t < last) {
        const permi_statement *end_group = t + operation->group;
        const PERMI_H_N held_c = PERMI_H(constant)(kind, constant + t->h * step);
        PERMI_H(fetch_row)(kind, count, row, held_c, hybrid->floor[operation->row], &held);
        for (; t < end_group; t++) {
          const PERMI_H_N c = PERMI_H(constant)(kind, constant + t->p * step);
          double *out = permi_program_slot(slots, t->out);
          PERMI_H_UNROLL
          for (k = 0; k < count; k++) {
            const PERMI_H_N y = PERMI_H(row)(kind, PERMI_H(of)(row_parts, &base, k), c,
                                             hybrid->floor[operation->other]);
            PERMI_H(put)(parts, out, k, PERMI_H(times)(kind, PERMI_H(of)(parts, &held, k), y));
          }
        }
      }
      break;
    case PERMI_OP_TIMES_ROW:
    case PERMI_OP_TIMES:
      while (t < last) {
        const permi_statement *end_group = t + operation->group;
        if (operation->opcode == PERMI_OP_TIMES)
          PERMI_H(fetch)(parts, count, permi_program_slot(slots, t->h), &held);
        else
          PERMI_H(fetch_row)(kind, count, row, PERMI_H(constant)(kind, constant + t->h * step),
                             hybrid->floor[operation->row], &held);
        for (; t < end_group; t++) {
          const double *a = permi_program_slot(slots, t->p);
          double *out = permi_program_slot(slots, t->out);
          PERMI_H_UNROLL
          for (k = 0; k < count; k++)
            PERMI_H(put)(parts, out, k, PERMI_H(times)(kind, PERMI_H(get)(parts, a, k), PERMI_H(of)(parts, &held, k)));
        }
      }
      break;
    case PERMI_OP_DIFFERENCE:
      for (; t < last; t++) {
        const double *a = permi_program_slot(slots, t->p), *c = permi_program_slot(slots, t->q);
        double *out = permi_program_slot(slots, t->out);
        PERMI_H_UNROLL
        for (k = 0; k < count; k++)
          PERMI_H(put)(parts, out, k, PERMI_H(minus)(kind, PERMI_H(get)(parts, a, k), PERMI_H(get)(parts, c, k)));
      }
      break;
    case PERMI_OP_FOLD_ROW:
    case PERMI_OP_FOLD:
      while (t < last) {
        const permi_statement *end_group = t + operation->group;
        if (operation->opcode == PERMI_OP_FOLD) {
          PERMI_H(fetch)(parts, count, permi_program_slot(slots, t->h), &held);
          PERMI_H(fetch)(parts, count, permi_program_slot(slots, t->g), &also);
        } else {
          const double least = hybrid->floor[operation->row];
          PERMI_H(fetch_row)(kind, count, row, PERMI_H(constant)(kind, constant + t->h * step), least, &held);
          PERMI_H(fetch_row)(kind, count, row, PERMI_H(constant)(kind, constant + t->g * step), least, &also);
        }
        for (; t < end_group; t++) {
          const double *a = permi_program_slot(slots, t->p), *c = permi_program_slot(slots, t->q);
          double *out = permi_program_slot(slots, t->out);
          PERMI_H_UNROLL
          for (k = 0; k < count; k++)
            PERMI_H(put)(parts, out, k,
                         PERMI_H(cross)(kind, PERMI_H(get)(parts, a, k), PERMI_H(of)(parts, &held, k),
                                        PERMI_H(get)(parts, c, k), PERMI_H(of)(parts, &also, k)));
        }
      }
      break;
    case PERMI_OP_CHAIN: { /* bases are below slot n; elsewhere there is no floor */
      const double *first = permi_program_slot(slots, t->p);
      double *out = permi_program_slot(slots, t->out);
      if (kind >= PERMI_PROGRAM_MODULI && t->p < bases)
        PERMI_H(chain)(kind, 1, 1, count, first, hybrid->floor[t->p], &held);
      else
        PERMI_H(chain)(kind, 1, 0, count, first, 0, &held);
      for (t++; t < last; t++) {
        const double *a = permi_program_slot(slots, t->p);
        if (kind >= PERMI_PROGRAM_MODULI && t->p < bases)
          PERMI_H(chain)(kind, 0, 1, count, a, hybrid->floor[t->p], &held);
        else
          PERMI_H(chain)(kind, 0, 0, count, a, 0, &held);
      }
      PERMI_H_UNROLL
      for (k = 0; k < count; k++)
        PERMI_H(put)(parts, out, k, PERMI_H(of)(parts, &held, k));
      break;
    }
    case PERMI_OP_FLIP: /* every part, of every kind */
      for (; t < last; t++) {
        const double *x = constant + t->h * hybrid->parts;
        PERMI_H(shift)(permi_program_slot(slots, t->p), x[0], x[hybrid->parts - 1]);
      }
      break;
    default:
      PERMI_H(total)(kind, block, permi_program_slot(slots, t->p), t->h);
    }
  }
}

#define PERMI_INSTANCE(name, kind)                                                                                     \
  PERMI_H_TARGET static void name(const permi_hybrid *hybrid, double *slots, double *block)                            \
  {                                                                                                                    \
    PERMI_H(execute)(kind, hybrid, slots, block);                                                                      \
  }
#if PERMI_PROGRAM_WIDTH == 8
PERMI_INSTANCE(permi_hybrid_real_execute_avx512, PERMI_PROGRAM_REAL)
PERMI_INSTANCE(permi_hybrid_compensated_execute_avx512, PERMI_PROGRAM_COMPENSATED)
PERMI_INSTANCE(permi_hybrid_moduli_execute_avx512, PERMI_PROGRAM_MODULI)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(permi_hybrid_complex_execute_avx512, PERMI_PROGRAM_COMPLEX)
PERMI_INSTANCE(permi_hybrid_complex_moduli_execute_avx512, PERMI_PROGRAM_COMPLEX_MODULI)
#endif
#elif PERMI_PROGRAM_WIDTH == 4
PERMI_INSTANCE(permi_hybrid_real_execute_avx2, PERMI_PROGRAM_REAL)
PERMI_INSTANCE(permi_hybrid_compensated_execute_avx2, PERMI_PROGRAM_COMPENSATED)
PERMI_INSTANCE(permi_hybrid_moduli_execute_avx2, PERMI_PROGRAM_MODULI)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(permi_hybrid_complex_execute_avx2, PERMI_PROGRAM_COMPLEX)
PERMI_INSTANCE(permi_hybrid_complex_moduli_execute_avx2, PERMI_PROGRAM_COMPLEX_MODULI)
#endif
#else
PERMI_INSTANCE(permi_hybrid_real_execute_plain, PERMI_PROGRAM_REAL)
PERMI_INSTANCE(permi_hybrid_compensated_execute_plain, PERMI_PROGRAM_COMPENSATED)
PERMI_INSTANCE(permi_hybrid_moduli_execute_plain, PERMI_PROGRAM_MODULI)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(permi_hybrid_complex_execute_plain, PERMI_PROGRAM_COMPLEX)
PERMI_INSTANCE(permi_hybrid_complex_moduli_execute_plain, PERMI_PROGRAM_COMPLEX_MODULI)
#endif
#endif
#undef PERMI_INSTANCE
#undef PERMI_H_TARGET
#undef PERMI_H_OPERATION
#undef PERMI_H_V
#undef PERMI_H_N
#undef PERMI_H_NUMBERS
#undef PERMI_H_LOAD
#undef PERMI_H_STORE
#undef PERMI_H_SET
#undef PERMI_H_FMA
#undef PERMI_H_FMS
#undef PERMI_H_ABS
#undef PERMI_H_ROOT
#undef PERMI_H_KEEP
#undef PERMI_H_UNROLL
#undef PERMI_H
#undef PERMI_PROGRAM_NAME
