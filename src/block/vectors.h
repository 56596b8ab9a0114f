/* ========================================================================================= >>vectors
   What the vector kernels of >>arrays and >>hybrid read, and their text, read once for each instruction set. */
#pragma once
#include "../api/sparse_config.h"
#include "../base/ring.h"
#include "../dense/gpu.h"

/* ---- blocks of arrays */

#define PERMI_ARRAY_NOWHERE 0xffff

/* Where eight words of a block come from: base + at[i] of those in `here`, which keep their order with few between,
   so a window of 16 nearly always has them. (Tried: gathering, with microcode against GDS three quarters of a run.) */
typedef struct permi_eight {
  uint16_t base;
  unsigned char here, wide; /* wide: beyond the window */
  unsigned char at[8];
} permi_eight;

/* An array that a block is summed from. */
typedef struct permi_origin {
  const void *x;
  size_t count;          /* of values of x */
  const uint16_t *place; /* of each word in x, or NOWHERE; NULL: the same places */
  const permi_eight *eight; /* the same for vectors */
  double real;
  const permi_coefficient *c; /* real and the rest */
} permi_origin;

typedef struct permi_arrays_run permi_arrays_run;
typedef void (*permi_block_kernel)(const permi_arrays_run *run, void *y, size_t count, const permi_origin *origin,
                                   int origins);

/* ---- programs of the hybrid */

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
  double floor[64];    /* raises a row's modulus in the sum of |terms| */
  permi_shared shared;
  double majorant;     /* of moduli, from above */
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
  int candidate, candidates; /* numbered from 1; 0: no others are kept */
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
  double *lane;           /* [n][parts][lanes], added to it */
  double *sign;           /* [lanes]; 0: no pattern */
  double *step;           /* [high][n][parts]: 2a */
  size_t doubles;
  int touched[64][65];    /* the rows of each column, then -1 */
  unsigned absolute_mask; /* the sum of |terms| takes a block in mask + 1 */
  double cost, operations_a_term, rows_a_term;
  permi_hybrid_rounding rounding;
  double floor[PERMI_HYBRID_BASES];
  long long scale_exp2;
  perm_isa isa;
  uint64_t fingerprint;
  const permi_hybrid_family *family;
} permi_hybrid;

/* >>array_kernels and >>hybrid_kernels, for each instruction set. */
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
