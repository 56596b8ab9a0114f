/* ========================================================================================= >>hybrid
   Signs outside, elimination inside. Glynn's sum over the signs d of the columns,
       per A = 2^-(n-1) sum over d, d_last = +1, of prod_j d_j prod_i y_i(d),   y = A d,
   runs term by term over outer columns; sparse inner columns are eliminated [Dec99]: a row is a table over the signs of
   its inner columns, and the product of the tables with an inner column is folded, f = f[+] - f[-]. Outer signs enter
   only through the rows' bases, their sums of outer entries, so a straight program serves vectors of sign patterns.

     slots       a number for each lane's pattern: n bases, then tables; bit b of an index is its b-th column's sign
     constants   signed sums of a row's inner columns, indexed alike; row sum y = base + constant
     instructions  runs of statements; of two factors the one with fewer columns is held for a group
     columns     inner | low, unrolled in Gray order: only tables that a turned column touches are computed again |
                 high, a loop in Gray order | lanes | one fixed +
   Row sums are exact, on the grid of >>dense. No gain: dividing rows by an inner entry, f z +- f, whose quotients are
   not exact; slots of 16 or 64 doubles (within 10 %); 110 slots, for the first-level cache (1.4 times as long). */
#pragma once
#include "../dense/gpu.h"
#include "../block/order.h"

#define PERMI_HYBRID_DOUBLES 32 /* lanes times parts */
#define PERMI_HYBRID_SLOTS 768
#define PERMI_HYBRID_INNER 24
#define PERMI_HYBRID_LOW 6
#define PERMI_HYBRID_STATEMENTS 60000

/* Results of the statements, of y = slot[row] + constant[h], y' = slot[row] + constant[g], z = slot[other] +
   constant[p]. */
typedef enum permi_opcode {
  PERMI_OP_ROW,        /* out = y */
  PERMI_OP_ROWS,       /* out = y z */
  PERMI_OP_TIMES_ROW,  /* out = p y */
  PERMI_OP_TIMES,      /* out = p h */
  PERMI_OP_DIFFERENCE, /* out = p - q */
  PERMI_OP_FOLD_ROW,   /* out = p y - q y' */
  PERMI_OP_FOLD,       /* out = p h - q g */
  PERMI_OP_CHAIN,      /* out = the product of all p */
  PERMI_OP_FLIP,       /* slot[p] += constant[h] */
  PERMI_OP_TOTAL       /* block += slot[p], or -= if h */
} permi_opcode;

/* A slot's place in units of 8 doubles; a shift every 16 slots keeps tables' rows out of the same cache sets. */
static int permi_hybrid_line(int slot)
{
  return slot * (PERMI_HYBRID_DOUBLES / 8) + (slot >> 4);
}
#define PERMI_HYBRID_BASES (64 * (PERMI_HYBRID_DOUBLES / 8) + 4)
#define PERMI_HYBRID_ROOM (8 * (PERMI_HYBRID_SLOTS * (PERMI_HYBRID_DOUBLES / 8) + PERMI_HYBRID_SLOTS / 16))
#define PERMI_HYBRID_WORKSPACE ((PERMI_HYBRID_ROOM + 5 * PERMI_HYBRID_DOUBLES) * sizeof(double))

typedef struct permi_statement {
  uint16_t out, p, q; /* slots, by permi_hybrid_line */
  uint16_t h, g;      /* slots or constants */
} permi_statement;

typedef struct permi_instruction {
  uint16_t opcode, row, other, group;
  int first, count;
} permi_instruction;

typedef enum permi_hybrid_algebra {
  PERMI_HYBRID_REAL,
  PERMI_HYBRID_COMPLEX,
  PERMI_HYBRID_COMPENSATED,   /* rows with 47 bits more, arithmetic of [Gra09] */
  PERMI_HYBRID_MODULI,        /* for the sum of |terms| */
  PERMI_HYBRID_COMPLEX_MODULI
} permi_hybrid_algebra;

static PERMI_ALWAYS_INLINE int permi_hybrid_parts(int algebra)
{
  return algebra == PERMI_HYBRID_COMPLEX || algebra == PERMI_HYBRID_COMPENSATED ? 2 : 1;
}

static PERMI_ALWAYS_INLINE int permi_hybrid_row_parts(int algebra)
{
  return algebra == PERMI_HYBRID_COMPLEX_MODULI ? 2 : permi_hybrid_parts(algebra);
}

static PERMI_ALWAYS_INLINE double *permi_hybrid_slot(double *slots, int line)
{
  return slots + (size_t)line * 8;
}

typedef struct permi_hybrid_rounding {
  double floor[64]; /* raises a row's modulus in the sum of |terms| */
  permi_shared shared;
  double majorant;
  double bits;
  double below;        /* sum of relative squares of compensated rows' second words */
} permi_hybrid_rounding;

#define PERMI_GPU_CANDIDATES 6
struct permi_hybrid;
typedef struct permi_hybrid_family {
  void (*execute[3])(const struct permi_hybrid *hybrid, double *slots, double *block);
  void (*absolute[3])(const struct permi_hybrid *hybrid, double *slots, double *block);
  void (*add)(const struct permi_hybrid *hybrid, const double *block, double *total, int negative);
  void (*turn)(const struct permi_hybrid *hybrid, int j, int minus, double *slots);
} permi_hybrid_family;

typedef struct permi_hybrid {
#if defined(PERM_WITH_CUDA)
  permi_gpu gpu; /* first, for >>gpu; used if there is `code`, see >>programs */
  struct permi_code *code;
  struct permi_hybrid *next;
  int candidate, candidates;
  double timed[PERMI_GPU_CANDIDATES]; /* seconds; INFINITY: failed, 0: not timed */
#endif
  int n, inner, low, high, lanes_log2, chunk_log2, walked, transposed;
  int parts, lanes;
  permi_hybrid_algebra algebra;
  int operations, operation_room, statements, statement_room, constants, constant_room, slots;
  permi_instruction *operation;
  permi_statement *statement;
  double *constant;
  double *start;          /* [n][parts]: bases, all signs + */
  double *lane;           /* [n][parts][lanes]: added to it */
  double *sign;           /* [lanes]; 0: no pattern */
  double *step;           /* [high][n][parts]: 2a */
  size_t doubles;
  int touched[64][65];    /* the rows of each column, then -1 */
  unsigned absolute_mask;
  double cost, operations_a_term, rows_a_term;
  permi_hybrid_rounding rounding;
  double floor[PERMI_HYBRID_BASES];
  long long scale_exp2;
  perm_isa isa;
  uint64_t fingerprint;
  const permi_hybrid_family *family;
} permi_hybrid;

#define PERMI_FAMILY_TEXT PERM_SPARSE_HEADER_FILE
#if PERMI_X86
#define PERMI_FAMILY avx512
#define PERMI_FAMILY_WIDTH 8
#include PERM_HEADER_FILE
#define PERMI_FAMILY avx2
#define PERMI_FAMILY_WIDTH 4
#include PERM_HEADER_FILE
#endif
#define PERMI_FAMILY plain
#define PERMI_FAMILY_WIDTH 1
#include PERM_HEADER_FILE
#undef PERMI_FAMILY_TEXT

static void permi_hybrid_kernels(permi_hybrid *hybrid, perm_isa isa)
{
  hybrid->family = &permi_hybrid_family_plain;
#if PERMI_X86
  if (isa == PERM_ISA_AVX512)
    hybrid->family = &permi_hybrid_family_avx512;
  else if (isa == PERM_ISA_AVX2)
    hybrid->family = &permi_hybrid_family_avx2;
#endif
  (void)isa;
}

static void permi_hybrid_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  const permi_hybrid_family *family = hybrid->family;
  const int n = hybrid->n, parts = hybrid->parts, lanes = hybrid->lanes;
  double *slot = (double *)workspace;
  double *block = slot + PERMI_HYBRID_ROOM;
  double *total = block + PERMI_HYBRID_DOUBLES, *absolute = total + 2 * PERMI_HYBRID_DOUBLES;
  double sampled = 0;
  uint64_t s = chunk << hybrid->chunk_log2, last = s + (UINT64_C(1) << hybrid->chunk_log2), gray = s ^ s >> 1;
  int i, j, k, p;
  for (i = 0; i < n; i++)
    for (p = 0; p < parts; p++) {
      double base = hybrid->start[i * parts + p];
      for (j = 0; j < hybrid->high; j++)
        if (gray >> j & 1)
          base -= hybrid->step[(j * n + i) * parts + p];
      for (k = 0; k < lanes; k++)
        slot[8 * permi_hybrid_line(i) + p * lanes + k] = base + hybrid->lane[(i * parts + p) * lanes + k];
    }
  memset(total, 0, 4 * PERMI_HYBRID_DOUBLES * sizeof *total);
  for (;;) {
    memset(block, 0, PERMI_HYBRID_DOUBLES * sizeof *block);
    family->execute[hybrid->algebra](hybrid, slot, block);
    family->add(hybrid, block, total, (int)(s & 1));
    if (!(permi_scatter(s) & hybrid->absolute_mask)) {
      memset(block, 0, PERMI_HYBRID_DOUBLES * sizeof *block);
      family->absolute[hybrid->algebra](hybrid, slot, block);
      for (k = 0; k < lanes; k++)
        absolute[k] += block[k];
    }
    if (++s == last)
      break;
    j = permi_trailing_zeros(s);
    family->turn(hybrid, j, (int)((s ^ s >> 1) >> j & 1), slot);
  }
  /* values at total[k], errors at total[DOUBLES + k] */
  for (p = 0; p < (hybrid->algebra == PERMI_HYBRID_COMPLEX ? 2 : 1); p++)
    for (k = 0; k < lanes; k++)
      if (hybrid->sign[k] != 0) {
        perm_sum *sum = p ? &partial->imaginary : &partial->value;
        permi_sum_add_double(sum, hybrid->sign[k] * total[p * lanes + k]);
        permi_sum_add_double(sum, hybrid->sign[k] * total[PERMI_HYBRID_DOUBLES + p * lanes + k]);
      }
  for (k = 0; k < lanes; k++)
    sampled += absolute[k] * fabs(hybrid->sign[k]);
  permi_sum_add_double(&partial->absolute, sampled * (hybrid->absolute_mask + 1.0));
  partial->terms += ldexp(1, hybrid->chunk_log2 + hybrid->low + hybrid->lanes_log2);
}
