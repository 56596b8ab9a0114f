/* ======================================================================================= >>dispatch
   What the kernels read and yield. */
#pragma once
#include "../base/prices.h"
#include "../base/integers.h"

typedef enum permi_form {
  PERMI_FORM_SCALAR,     /* no blocks: the scalar engines and n <= 4 */
  PERMI_FORM_NORMALISED, /* every row divided by its entry in the pivot column */
  PERMI_FORM_PAIR,       /* rows two by two, no division */
  PERMI_FORM_SPLIT,      /* row sums as high + low part, each exact: dd and certified sums */
  PERMI_FORM_PLAIN,      /* GPUs: a pivot column, no division; rows of their normalised form too, if need be */
  PERMI_FORM_MAKE_INT = 0x7fffffff
} permi_form;

/* What fixes the bits of a dense sum: a pure function of matrix and options, the same on all machines of a kernel
   family. */
typedef struct permi_dense_plan {
  int version; /* as perm_version */
  int n;
  int is_complex;
  perm_method method;
  perm_precision precision;
  int certify;
  perm_isa isa; /* the kernel family */
  permi_form form;
  int pivot; /* the +- column */
  int lane_columns, block_columns, outer_columns;
  int chunk_log2; /* outer states (terms, for scalar engines) per chunk: 2^chunk_log2 */
  uint64_t chunks;
  int row_exp2[PERM_MAX_N], column_exp2[PERM_MAX_N]; /* the entry used is a_ij 2^(row + column) */
  int zero;                                          /* 1: a row or column is zero */
  int lossy;                                         /* 1: scaling pushed a non-zero entry below the normal doubles */
  int exact_rows;                                    /* 1: nothing rounds before the products: a free bound; 2: hardly
                                                        anything, and no entry is negative (certify) */
  double elements;                                   /* n 2^(n-1) */
  double seconds, bytes;                             /* predicted, one thread */
  uint64_t fingerprint;                              /* of matrix bits and the fields above */
} permi_dense_plan;

typedef struct permi_chunk_sum {
  permi_dd value, imaginary;
  double absolute;
} permi_chunk_sum;

#define PERMI_VIRTUAL_ROWS 392 /* 12 for each pair of complex rows; 8 to look ahead */
#define PERMI_GROUP_LOG2 3     /* terms of 2^3 outer states are added plainly, then by TwoSum */

#define PERMI_MOST_TABLED 2    /* outer columns; 3: within 2 % */

typedef struct permi_dense permi_dense;
typedef void (*permi_kernel_run)(const permi_dense *dense, uint64_t chunk, permi_chunk_sum *sum);

/* A virtual row is a linear form in the signs with coefficients on a fixed-point grid. */
struct permi_dense {
  int n, rows, padded; /* virtual rows; padded with zeros to a multiple of 8 */
  int outer, chunk_log2;
  int tabled;             /* the first outer columns: each of their 2^tabled settings has its own table */
  unsigned absolute_mask; /* 1 of mask + 1 groups enters the sum of |terms| */
  double *table;          /* vectors that kernels add to the row sums, in order of use */
  size_t table_size;
  double *step;           /* [outer][2][padded]: +2a, -2a */
  double *start;          /* [padded]: every outer sign + */
  double *constant;       /* permi_dense_pair */
  double *memory;
  permi_kernel_run run;
};

/* The memory of one thread of >>minors; a number is a vector for each part. Sums over settings carry Glynn's signs but
   for the lanes. The sum of 2^m states ends in stack [max(m - 2, 0)]. */
typedef struct permi_minors_work {
  double *row;                    /* [row]: table, prefix products, sums of block and two outer columns */
  double *block_high, *block_low; /* [row][block columns and 2]: totals */
  double *high, *low;             /* [outer column][row]: sums from the third on */
  double *present;                /* [4][row]: the last four states */
  double *stack;                  /* [level][row]: 4, 8, ... states waiting for neighbours */
  double *absolute;
} permi_minors_work;

/* Tables of one integer matrix; rows are in the order of the atoms. */
#define PERMI_EXACT_LIMBS 32
#define PERMI_EXACT_PADDED 36 /* with filled tiles */
#define PERMI_EXACT_ATOMS 5
#define PERMI_EXACT_BLOCK_LOG2 2
#define PERMI_EXACT_SKIP_LOG2 6 /* columns when skipping zeros, two in a table */
#define PERMI_EXACT_WINDOW 51   /* bits of a limb in doubles */
#define PERMI_EXACT_WIDTH 8
#define PERMI_EXACT_HALF 20     /* limbs of half a product, 18 and tiles */
typedef struct permi_exact_work {
  uint64_t accumulator[3][(PERMI_EXACT_LIMBS + 1) * PERMI_EXACT_WIDTH];
  double x[2 * PERM_MAX_N]; /* row sums in doubles */
  double limb[2 * PERMI_EXACT_LIMBS * 4 * PERMI_EXACT_WIDTH];
  double first[12 * PERMI_EXACT_HALF * PERMI_EXACT_WIDTH], second[12 * PERMI_EXACT_HALF * PERMI_EXACT_WIDTH];
  int16_t atom[PERMI_EXACT_LIMBS * PERMI_EXACT_ATOMS * 16 * PERMI_EXACT_WIDTH];
  uint8_t lane[128 * 4 * PERMI_EXACT_WIDTH + 64], setting[128 * 4 * PERMI_EXACT_WIDTH + 64]; /* of survivors */
} permi_exact_work;
typedef struct permi_exact_total {
  permi_wide plane[3][PERMI_EXACT_LIMBS + 1];
} permi_exact_total;
typedef struct permi_exact permi_exact;
typedef void (*permi_exact_run)(const permi_exact *exact, uint64_t chunk, permi_exact_work *work,
                                permi_exact_total *total);
typedef void (*permi_exact_evaluate)(const permi_exact *exact, permi_exact_work *work, int settings, int negative,
                                     int place_signs);
struct permi_exact {
  int n, padded;            /* padded to a multiple of 16 */
  int parts;                /* 2: Gaussian */
  int window;               /* weights 2^(window k) */
  int limbs, first, narrow; /* first: in the first half; narrow: made of atoms, the others are wide */
  int wide_padded, wide_entries; /* row sums in doubles; entries of wide_table, for a setting */
  int outer, chunk_log2, transposed;
  int settings; /* vectors until accumulators are full */
  int even_rows;
  int atom_rows[PERMI_EXACT_LIMBS * PERMI_EXACT_ATOMS];
  int fifth[PERMI_EXACT_LIMBS]; /* the limb's last atom has rows */
  int wide_rows[PERMI_EXACT_LIMBS];
  int even_row[PERM_MAX_N];
  const int16_t *table;          /* [row][block setting][lane] */
  const uint32_t *start;         /* [padded]: two int16, or four int8 if skipping */
  const uint32_t *step;          /* [outer][padded] */
  const double *wide_table;      /* [block setting][entry][place][WIDTH] */
  const double *wide_step;       /* [outer][wide_padded] */
  const uint32_t *setting_step;  /* if skipping: [setting column - 2][padded] */
  const uint8_t *lane_bytes;     /* [even row][two setting columns][lane], differences to all + */
  const uint8_t *nibbles;        /* [row][3][16], the same for four columns */
  uint8_t parity[32], ends[128]; /* 0 or 255 by parity, then the opposite; 64 of 255, 64 of 0 */
  double round[PERMI_EXACT_PADDED], rest[PERMI_EXACT_PADDED], half[2][PERMI_EXACT_HALF], unit;
  uint64_t bias[PERMI_EXACT_PADDED + 1]; /* what a vector's constants add */
  double survivors;                      /* expected share of the terms */
  permi_exact_run run;
  permi_exact_evaluate evaluate;
};

/* Products made at once (AVX2: 2.7 times as fast as one by one), and sets. */
#define PERMI_TERMS 8
#define PERMI_SETS 4

typedef struct permi_lane_sums {
  double hi[2][PERMI_TERMS], lo[2][PERMI_TERMS], absolute[PERMI_TERMS];
} permi_lane_sums;

typedef struct permi_counts_kernels {
  void (*add_scaled)(double *to, const double *const *from, const double *weight, int count, int n);
  void (*add_weighted)(double *to, const double *from, const double *weight, int n);
  void (*store_states)(double *to, const double *from, int n, double *most, double *least);
  void (*move_forms)(int rows, double times, const double *high_step, const double *low_step, double *high,
                     double *low, double *form, int apart);
  void (*add_products)(int forms, const int *count, const double *form, const double *weight, permi_lane_sums *sums);
  void (*symmetric_real)(const double *x, double *e, int most, int least);
  void (*symmetric_complex)(const double *x, const double *y, double *e, double *f, int most, int least);
} permi_counts_kernels;

static void permi_size_seen(double size, double *most, double *least)
{
  const double other = size != 0 ? size : (double)INFINITY;
  *most = size > *most ? size : *most;
  *least = other < *least ? other : *least;
}
/* SPDX-License-Identifier: MIT */
