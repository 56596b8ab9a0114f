/* ======================================================================================= >>contract
   What plans of GPUs are, on any machine. */
#pragma once

/* The row sums of an integer matrix in 32-bit words (>>exact_gpu). A line is a part of a row. A group is rows
   multiplied in one word, or one row of two or three words. */
#define PERM_GPU_EXACT_WORDS 48  /* of a product, at most */
#define PERM_GPU_EXACT_LINES 256 /* words of row sums, at most */
typedef struct perm_gpu_exact {
  int parts, skip; /* skip: leave out signs that make a row 0, by masks of 2^6 settings of columns 1 .. 6 */
  int words, stride; /* of the row sums; stride is a multiple of 4 */
  int groups, sum;   /* sum: words of a sum of products */
  int zeros, masks;  /* zeros: rows tested for 0; masks: 64-bit words of their tables, even */
  int walk, high, sums; /* columns; words of the table of row sums */
  int order[64];        /* rows by group */
  double survivors;     /* share of the terms that skipping leaves */
  short at[128], kind[128];  /* a line's first word; 0 .. 3: that byte, + 128; 4, 5: half, + 32768; else whole */
  short carries[PERM_GPU_EXACT_LINES];    /* 1: the word continues the one before */
  short first[65], product[64], wide[64]; /* a group's row, words of the product, words of the row */
  short zero_line[64], zero_base[64];     /* tested rows; their tables' places, - 128 + norm */
} perm_gpu_exact;

/* What kernels wait for: doubles; 32-bit numbers; memory. */
typedef enum perm_gpu_pipe { PERM_GPU_FP64, PERM_GPU_32, PERM_GPU_MEMORY, PERM_GPU_PIPES } perm_gpu_pipe;

#define PERM_GPU_BATCH_LEAST_N 10
#define PERM_GPU_BATCH_MOST_N 24

typedef enum perm_gpu_product { PERM_GPU_PIVOT, PERM_GPU_ROUNDED, PERM_GPU_DOUBLED, PERM_GPU_FLOATS,
                                PERM_GPU_PRODUCT_MAKE_INT = 0x7fffffff } perm_gpu_product;
#define PERM_GPU_THREADS_LOG2 7
/* >>arrays fills it on CPUs, too. */
typedef struct perm_gpu_way { /* as permi_pull */
  uint32_t test, want, keep, flip;
  uint32_t low_test, low_want, low_keep, low_flip;
  int low_ones; /* slots that the source has more */
  int least, span; /* targets of `least` to least + span ones have a source */
  int moves;
  double real, imaginary;
  int64_t integer[2];
} perm_gpu_way;
/* SPDX-License-Identifier: MIT */
