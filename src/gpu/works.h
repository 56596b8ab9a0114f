/* =========================================================================================== >>works
   What the two parts of perm_cuda.cu tell each other. >>gpu describes the tables. */
#pragma once
#include "contract.h"

/* The sign search (>>signs). Rows are digits of words of 32 bits: class c (of block 0 and 1, 0, 1, none) has words
   word[c] .. word[c + 1] - 1; one word more counts signs +. Places of the table's parts, in such words: root: living
   patterns [32], counts [32]; pattern: what the low 5 and the high 4 signs of a block add to its own words, then to
   class 0, each in fours; cut: for blocks 0 and 1, where patterns that a digit leaves stand if it is 0, lane and shift
   of the digit, words that a digit more is away, and what + is; start: by column, twice its first cut, 1: rows end with
   it; target, odd: of counts' words; column: what + adds; done: by column, digits of rows that have vanished; path:
   prefixes of `depth` columns, where chunks begin among them. */
typedef struct perm_gpu_signs {
  int by_table;       /* 1: digits of 4 bits */
  int prefix, depth, more; /* a task has the signs of depth + more columns */
  short word[5];
  int root, pattern[2], cut, start, target, odd, column, done, path, paths;
  int room;           /* words of shared memory, of a warp */
} perm_gpu_signs;

/* All minors of a row, or of all rows (>>minors_gpu). */
#define PERM_GPU_MINORS_WALK 1024 /* terms of a walk, at most */
#define PERM_GPU_MINORS_FAST 4    /* digits whose sums stay in registers */
typedef struct perm_gpu_minors {
  int parts, columns; /* of each of 8 lanes */
  int fast;           /* PERM_GPU_MINORS_FAST: sums by every digit; 0: one sum */
} perm_gpu_minors;

/* A kernel for one matrix. Its text may use >>text and is the cache key; PERM_GPU_ENTRY begins it. A block sums chunk
   a.first + blockIdx.x into a.out + sums * blockIdx.x, where all bits are set before. */
#define PERM_GPU_ENTRY                                                                                                 \
  "extern \"C\" __global__ void __launch_bounds__(128, %d) permi_kernel(const permi_arguments<1> a)\n"
typedef struct perm_gpu_program {
  const char *text;
  size_t shared;
  void (*twin)(const void *context, uint64_t chunk, double *sums); /* the same bits on the CPU, for tests */
  const void *context;
  int sums;                    /* 8-byte words a chunk yields; 0: PERM_GPU_SUMS */
  const perm_gpu_exact *exact; /* the text continues text_exact's, unless NULL */
  int batch, floats;           /* 1 real, 2 complex: the text continues text_batch's; floats: text_batch_floats' */
  const perm_gpu_signs *signs;   /* the text continues text_signs', unless NULL */
  const perm_gpu_minors *minors; /* the text continues text_minors', unless NULL */
  int scratch;                   /* 8-byte words behind the sums of all chunks, for each */
} perm_gpu_program;

/* Matrices of one order. Host threads call `fill`, which writes them row by row, and `take` with each permanent, NaN
   where it is not good enough: base, shares, relative as in >>text_batch. */
typedef struct perm_gpu_batch {
  int n, parts, floats;
  size_t count;
  double base, shares, relative;
  void *context;
  void (*fill)(void *context, size_t first, size_t count, double *to);
  void (*take)(void *context, size_t first, size_t count, const double *from);
  perm_status (*poll)(void *context, double fraction); /* by the calling thread; not PERM_OK: stop */
} perm_gpu_batch;

/* Pieces of `bytes` on a caller's GPU: places list[k], or k, of `there`; here: host memory, one after the other. */
typedef struct perm_gpu_move {
  double *here, *there;
  size_t bytes, count;
  const size_t *list;
  int back; /* 1: to the GPU */
} perm_gpu_move;

typedef struct perm_gpu_work {
  int n, parts, product;
  int low, plain;        /* low: 1, low words; plain: the last rows have no pivot (floats: the low words' unit) */
  int group, majorant;   /* of floats: rows of a group; 1: sums of majorants */
  int stride;            /* words of all rows (row, part, high and low), even */
  int block, walk, high; /* columns: unrolled, walked, set by the thread's number */
  unsigned absolute_mask;
  uint64_t fingerprint;
  const double *table; /* start [stride]; step [high][stride]; walk [2 * walk + 1][stride]; constants */
  size_t doubles, constants;
  const perm_gpu_program *program; /* NULL: a kernel of the template. Else only table, doubles, fingerprint and */
                                   /* absolute_mask (if the sink reads it) count */
} perm_gpu_work;

#define PERM_GPU_SUMS 5         /* value hi, lo, imaginary hi, lo, sum of |terms| */

typedef struct perm_gpu_sink {
  void *context;
  int (*add)(void *context, perm_partial *partial, uint64_t first, uint64_t chunks, const double *sums); /* 0: NaN */
  perm_status (*merge)(perm_partial *into, const perm_partial *from); /* or NULL */
  perm_status (*poll)(void *context, uint64_t done); /* by the calling thread; not PERM_OK: stop */
  int alone; /* 1: add is called by one thread at a time */
} perm_gpu_sink;

/* The frontier on arrays (>>arrays): the host finds words and ways, the GPU values. */
typedef enum perm_gpu_cell {
  PERM_GPU_DOUBLE,
  PERM_GPU_DD,
  PERM_GPU_COMPLEX,
  PERM_GPU_COMPLEX_DD,
  PERM_GPU_INTEGER, /* modulo 2^(64 words); Gaussian: two such numbers */
  PERM_GPU_CELL_MAKE_INT = 0x7fffffff
} perm_gpu_cell;

typedef struct perm_gpu_words { /* as permi_layout */
  const uint16_t *word, *rank, *middle, *top;
  const unsigned char *left;
  const uint64_t *middle_offset, *top_offset;
  const int *start, *middle_start;
  int low, tops; /* low: occupied slots; tops: words of top bits */
} perm_gpu_words;

typedef struct perm_gpu_frontier_shape {
  int low, middle, top, lefts; /* lefts: blocks of a middle word, at most */
  int ways;              /* of a step, at most */
  double states[2];      /* before even and odd steps, at most */
  int words;             /* of 64 bits, of the longest value */
  void *context;
  perm_status (*poll)(void *context); /* while a kernel compiles; not PERM_OK: stop */
} perm_gpu_frontier_shape;

typedef struct perm_gpu_frontier perm_gpu_frontier;

/* Amplitudes (>>amplitudes) on one GPU, by the calling thread. */
typedef struct perm_gpu_photons {
  int modes, n, probabilities, elsewhere;
  int resident, device; /* resident: out is the GPU's, and the stream the caller's */
  const size_t *ranks;  /* P_j(d), T_j(d): [2][mode][n + 2] */
  const double *root;
  const int *most;
  size_t offset, count; /* the outputs' first place */
  size_t piece;         /* outputs handed out together */
  double *out;
  void *context;
  perm_status (*poll)(void *context);                /* not PERM_OK: stop */
  const double *(*layer)(void *context, int layer);  /* returns coefficients [mode][2] */
  perm_status (*give)(void *context, size_t first, size_t count); /* NULL: all stay in out, else each piece is there */
} perm_gpu_photons;

#if defined(__cplusplus)
extern "C" {
#endif
/* Returns how many are usable, at most `gpus`; 0: message says why. */
int perm_cuda_devices(int gpus, char message[PERM_MESSAGE_BYTES]);
double perm_cuda_slower(perm_gpu_pipe pipe); /* as permi_gpu_slower */
/* Adds chunks [begin, end), or a prefix, to *partial. */
perm_status perm_cuda_run(const perm_gpu_work *work, uint64_t begin, uint64_t end, const perm_options *options,
                          const perm_gpu_sink *sink, perm_partial *partial, int *gpus,
                          char message[PERM_MESSAGE_BYTES]);
perm_status perm_cuda_batch(const perm_gpu_batch *batch, const perm_options *options, int threads, int *gpus,
                            char message[PERM_MESSAGE_BYTES]);
/* Returns the GPU whose memory it is; -1: there are none, message says why; -2: no GPU's. The next two wait for what
   they begin on the caller's stream. */
int perm_cuda_owner(const void *at, char message[PERM_MESSAGE_BYTES]);
perm_status perm_cuda_move(const perm_gpu_move *move, void *stream, char message[PERM_MESSAGE_BYTES]);
/* in, out: memory of one GPU. Values that are left become NaN; left: how many, and numbers of theirs. */
#define PERM_GPU_BATCH_LIST 16384 /* >>text_batch */
perm_status perm_cuda_batch_there(const perm_gpu_batch *batch, const double *in, double *out,
                                  const perm_options *options, size_t *left, char message[PERM_MESSAGE_BYTES]);

/* Returns the bytes of the frontier's GPU (0: there is none); the next returns those that a program takes. */
double perm_cuda_frontier_bytes(char message[PERM_MESSAGE_BYTES]);
double perm_cuda_frontier_needs(const perm_gpu_frontier_shape *shape);
/* Makes room for a program. message must outlive *frontier. */
perm_status perm_cuda_frontier_create(const perm_gpu_frontier_shape *shape, const perm_options *options,
                                      perm_gpu_frontier **frontier, char message[PERM_MESSAGE_BYTES]);
perm_status perm_cuda_frontier_begin(perm_gpu_frontier *frontier, perm_gpu_cell cell, int words, int parts,
                                     const perm_gpu_words *source);
/* Starts a step. Waits only if sizes is not NULL, for the least modulus above 0 and the largest. */
perm_status perm_cuda_frontier_step(perm_gpu_frontier *frontier, const perm_gpu_words *target, const perm_gpu_way *way,
                                    int ways, double *sizes);
perm_status perm_cuda_frontier_scale(perm_gpu_frontier *frontier, uint64_t states, double first, double second);
perm_status perm_cuda_frontier_value(perm_gpu_frontier *frontier, void *value);
void perm_cuda_frontier_free(perm_gpu_frontier *frontier);
/* *total: sum of |amplitude|^2. */
perm_status perm_cuda_amplitudes(const perm_gpu_photons *work, const perm_options *options, double *total,
                                 char message[PERM_MESSAGE_BYTES]);
#if defined(__cplusplus)
}
#endif
/* SPDX-License-Identifier: MIT */
