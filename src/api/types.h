/* ========================================================================================== >>types */
#pragma once
#include "config.h"

#define PERM_VERSION_MAJOR 1
#define PERM_VERSION_MINOR 0
#define PERM_VERSION_PATCH 0
#define PERM_VERSION_PRERELEASE "" /* "-rc.1" before it */

#define PERM_MAX_N 64       /* of sums over signs (64-bit counters) */
#define PERM_MAX_LINES 4096 /* with multiplicities, of rectangular and repeated matrices */
#define PERM_SUM_WORDS 88
#define PERM_INTEGER_WORDS 71 /* 4544 bits: order 64 of 63-bit complex entries */
#define PERM_TEXT_BYTES 2900 /* enough for any perm_result_text */
#define PERM_MESSAGE_BYTES 256

/* PERM_TOLERANCE_NOT_MET has a value all the same. Other positive ones: stopped early, may continue. Negative: an
   error; result->message says why. */
#define PERM_STATUS_LIST(X)                                                                                            \
  X(PERM_OK, 0, "done")                                                                                                \
  X(PERM_STOPPED_CANCELLED, 1, "cancelled by the caller")                                                              \
  X(PERM_STOPPED_TIME, 2, "max_seconds reached")                                                                       \
  X(PERM_TOLERANCE_NOT_MET, 3, "finished, but the tolerance asked for was not met")                                    \
  X(PERM_PART_DONE, 4, "the part asked for is done; the permanent needs the others")                                   \
  X(PERM_ERROR_NULL, -1, "a required pointer is NULL")                                                                 \
  X(PERM_ERROR_SIZE, -2, "a size is negative or too large")                                                            \
  X(PERM_ERROR_STRIDE, -3, "the row stride is smaller than a row, or beyond memory")                                   \
  X(PERM_ERROR_NOT_FINITE, -4, "an entry is NaN or infinite")                                                          \
  X(PERM_ERROR_OPTION, -5, "an option is out of range or contradicts another")                                         \
  X(PERM_ERROR_UNSUPPORTED, -6, "not available for this matrix, machine or version")                                   \
  X(PERM_ERROR_MEMORY, -7, "out of memory")                                                                            \
  X(PERM_ERROR_LIMIT, -8, "refused beforehand: predicted to exceed a limit")                                           \
  X(PERM_ERROR_OVERFLOW, -9, "an exact integer does not fit the type asked for")                                       \
  X(PERM_ERROR_RANGE, -10, "an index (leaf, chunk, row, column) is out of range")                                      \
  X(PERM_ERROR_STATE, -11, "state, plan or partial belongs to another job")                                            \
  X(PERM_ERROR_FILE, -12, "a file cannot be opened, read or written")                                                  \
  X(PERM_ERROR_FORMAT, -13, "a file is malformed")                                                                     \
  X(PERM_ERROR_COUNTS, -14, "multiplicities are negative, or their totals differ")                                     \
  X(PERM_ERROR_RANK, -15, "the declared rank is negative or exceeds the order")                                        \
  X(PERM_ERROR_NODES, -16, "Cauchy nodes coincide")                                                                    \
  X(PERM_ERROR_DEVICE, -17, "a GPU, its driver or its compiler is missing or has failed")                              \
  X(PERM_ERROR_ZERO, -18, "the permanent is 0: no assignment has a weight")

typedef enum perm_status {
#define PERM_STATUS_ENUM(name, number, text) name = number,
  PERM_STATUS_LIST(PERM_STATUS_ENUM)
#undef PERM_STATUS_ENUM
  PERM_STATUS_MAKE_INT = 0x7fffffff /* enums are int with -fshort-enums too */
} perm_status;

/* From frontier on in perm_sparse.h, low-rank and borchardt in perm_more.h. */
#define PERM_METHOD_LIST(X)                                                                                            \
  X(PERM_METHOD_AUTO, "auto", "the least predicted time")                                                              \
  X(PERM_METHOD_DENSE, "dense", "blocked Glynn sum, vector kernels")                                                   \
  X(PERM_METHOD_GLYNN, "glynn", "Glynn sum, scalar Gray code")                                                         \
  X(PERM_METHOD_RYSER, "ryser", "Ryser sum, scalar Gray code")                                                         \
  X(PERM_METHOD_EXPANSION, "expansion", "sum over permutations, row by row")                                           \
  X(PERM_METHOD_EXACT, "exact", "Glynn sum of integers without rounding, products as limbs")                           \
  X(PERM_METHOD_SUBSETS, "subsets", "dynamic program over subsets (counts) of used rows or columns")                   \
  X(PERM_METHOD_MULTIPLICITIES, "multiplicities", "Glynn sum over counts of equal columns, n-ary Gray code")           \
  X(PERM_METHOD_SHORT, "short", "rectangular: Glynn sum over the short side, elementary symmetric functions")          \
  X(PERM_METHOD_STRUCTURE, "structure", "decided by zeros, blocks and lines of few entries (results only)")            \
  X(PERM_METHOD_LOW_RANK, "low-rank", "declared factors: a sum over monomials (results only)")                         \
  X(PERM_METHOD_BORCHARDT, "borchardt", "Cauchy matrices: a quotient of two determinants")                             \
  X(PERM_METHOD_FRONTIER, "frontier", "dynamic program over matched frontier vertices, path order")                    \
  X(PERM_METHOD_LISTS, "lists", "frontier, all states as sorted lists, merged")                                        \
  X(PERM_METHOD_SORTING, "sorting", "frontier, states expanded, sorted and contracted")                                \
  X(PERM_METHOD_ARRAYS, "arrays", "frontier, all states as arrays indexed by combinations")                            \
  X(PERM_METHOD_TREE, "tree", "frontier tables joined along a tree decomposition")                                     \
  X(PERM_METHOD_BAND, "band", "window of columns sliding along a band")                                                \
  X(PERM_METHOD_HYBRID, "hybrid", "Glynn signs of outer columns, elimination of inner ones")                           \
  X(PERM_METHOD_DOMINATING, "dominating", "Ryser sum over a dominating set of columns")                                \
  X(PERM_METHOD_SPARYSER, "sparyser", "Ryser sum in compressed rows and columns, zeros skipped")                       \
  X(PERM_METHOD_DECOMPOSE, "decompose", "lines of degree 1 to 4 eliminated, sums over branches")                       \
  X(PERM_METHOD_TRANSVERSALS, "transversals", "enumeration of perfect matchings")                                      \
  X(PERM_METHOD_SIGN_SEARCH, "sign-search", "Glynn sum as a search over signs, pruned by rows of sum 0")               \
  X(PERM_METHOD_CODEGEN, "codegen", "GPUs: Ryser sum, code of every column, row sums in registers or memory")          \
  X(PERM_METHOD_TWINS, "twins", "frontier, vertices with proportional entries ahead counted")                          \
  X(PERM_METHOD_PLANAR, "planar", "planar graphs: a determinant with Kasteleyn signs, nested dissection")

#define PERM_ENUM(name, word, text) name,
typedef enum perm_method { PERM_METHOD_LIST(PERM_ENUM) PERM_METHOD_COUNT, PERM_METHOD_MAKE_INT = 0x7fffffff }
    perm_method;

typedef enum perm_precision {
  PERM_PRECISION_DEFAULT, /* exact row sums of entries rounded to 53 bits a row, products in double */
  PERM_PRECISION_DD,      /* row sums of 100 bits, double-double: guaranteed, about 1e-30 sum |terms| */
  PERM_PRECISION_KAHAN,   /* scalar engines: Kahan's sum */
  PERM_PRECISION_EXACT,   /* integers without rounding */
  PERM_PRECISION_COUNT, PERM_PRECISION_MAKE_INT = 0x7fffffff
} perm_precision;

#define PERM_ISA_LIST(X) /* name, word, doubles a vector */                                                            \
  X(PERM_ISA_PLAIN, "plain", 1) X(PERM_ISA_AVX2, "avx2", 4) /* AVX2 and FMA */                                         \
  X(PERM_ISA_AVX512, "avx512", 8) /* AVX-512 F, DQ and BW */                                                           \
  X(PERM_ISA_AVX512IFMA, "avx512ifma", 8) /* and VL, IFMA, VBMI, VBMI2: for exact integers */                          \
  X(PERM_ISA_NEON, "neon", 2) X(PERM_ISA_CUDA, "cuda", 1) /* NVIDIA GPUs; as an option: wherever they can */
typedef enum perm_isa { PERM_ISA_AUTO, PERM_ISA_LIST(PERM_ENUM) PERM_ISA_COUNT, PERM_ISA_MAKE_INT = 0x7fffffff }
    perm_isa;

/* Formats of a file: see perm_matrix_read. */
#define PERM_FORMAT_LIST(X)                                                                                            \
  X(PERM_FORMAT_AUTO, "auto", "what the file shows; refused where that is two things")                                 \
  X(PERM_FORMAT_COORDINATE, "coordinate", "a line with rows, columns, entries; lines of row, column[, value]")         \
  X(PERM_FORMAT_COORDINATE_COMPLEX, "coordinate-complex", "the same with row, column, real and imaginary part")        \
  X(PERM_FORMAT_ARRAY, "array", "rows of numbers")                                                                     \
  X(PERM_FORMAT_EDGES, "edges", "lines of row, column[, weight], counted from 0 or 1")                                 \
  X(PERM_FORMAT_NUMPY, "npy", "a .npy file of NumPy")                                                                  \
  X(PERM_FORMAT_GRAPH6, "graph6", "a graph6, sparse6 or digraph6 line: the adjacency matrix")                          \
  X(PERM_FORMAT_DIMACS, "dimacs", "lines c, p edge and e of a graph")

typedef enum perm_format { PERM_FORMAT_LIST(PERM_ENUM) PERM_FORMAT_COUNT, PERM_FORMAT_MAKE_INT = 0x7fffffff }
    perm_format;
#undef PERM_ENUM

/* All zero: malloc and free. `allocate` may return NULL. */
typedef struct perm_allocator {
  void *(*allocate)(size_t bytes, void *user_data);
  void (*release)(void *pointer, void *user_data);
  void *user_data;
} perm_allocator;

/* `seconds_left`: by plan and pace; INFINITY at first. */
typedef struct perm_progress {
  double fraction; /* of the predicted work, 0..1 */
  double seconds, seconds_left;
  const char *activity; /* static text */
} perm_progress;

/* Without PERM_WITH_CUDA, devices other than 0 are PERM_ERROR_DEVICE, unless cpu_fallback is set. */
typedef struct perm_gpu_options {
  int devices;      /* 0: none; k: at most k; PERM_ALL_GPUS. For sums over signs, minors and gradients from
                       order 13, frontier programs (one device), batches from order 10, if predicted faster */
  int cpu_fallback; /* 1: without a device the CPU does the work */
  const char *cache; /* directory for compiled kernels; NULL: every process compiles */
  int resident; /* memory of a GPU's primary context: 1 the matrices of perm_batch_real and _complex, 2 what batches,
                   minors, gradients, amplitudes write; 3: batches in place, n = 2 to 24 without gaps. Other memory is
                   PERM_ERROR_OPTION */
  void *stream; /* resident: its CUstream, which calls wait for, and drain */
} perm_gpu_options;

/* For perm_job_execute and perm_compute_*. */
typedef struct perm_checkpoint_file {
  const char *file;         /* finished work, read if it exists; NULL: no file */
  double seconds;           /* between writes; 0: 60 */
  int part, parts;          /* only part 1 .. parts, then PERM_PART_DONE; parts 0: everything */
  const char *const *merge; /* names, then NULL: only merges these; missing or repeated work is an error */
  const char *note;         /* the caller's text, kept in the file; see perm_checkpoint_options */
} perm_checkpoint_file;

/* All zero is the best default. Only the calling thread makes callbacks. Calls reject invalid values with
   PERM_ERROR_OPTION, ignore valid ones that do not apply. */
struct perm_job;
struct perm_state;
struct perm_result;
typedef struct perm_options {
  perm_method method;
  perm_precision precision;
  perm_isa isa;       /* the highest to use */
  int threads;        /* 0: all of OpenMP's */
  int certify;        /* 1: error_bound must be finite, at up to three times the cost */
  double tolerance;   /* relative error asked for (guaranteed if certify); 0: none */
  uint64_t modulus;   /* 2 .. 2^63: integers, modulo this; 0: the permanent itself */
  double max_seconds; /* from the call on, with planning; 0: no limit. Tasks, which cannot be split, may be refused */
  double max_bytes;   /* of host memory at a time, with what malloc adds, without stacks and results; 0: no limit. More
                         is not chosen, or PERM_ERROR_LIMIT */
  double plan_effort; /* times the usual work on sparse plans, a few per cent of the predicted run, or 20 ms, counted,
                         not timed; 0: 1. 10 or 100 may find better orders */
  int (*progress)(const perm_progress *progress, void *user_data); /* non-zero cancels */
  void *user_data; /* of progress and execute */
  const volatile int *cancel; /* NULL, or cancels when not 0 (set by any thread or signal) */
  perm_allocator allocator;
  perm_gpu_options gpu;
  perm_checkpoint_file checkpoint;
  /* Unless NULL, runs instead of perm_job_execute (except to merge), as for perm_mpi.c, with the max_seconds left. */
  perm_status (*execute)(const struct perm_job *job, struct perm_state *state, const struct perm_options *options,
                         struct perm_result *result);
  perm_format format; /* of perm_matrix_read and perm_matrix_read_memory */
} perm_options;

#define PERM_ALL_GPUS (-1)

/* Sign and magnitude, least significant word first. */
typedef struct perm_integer {
  int negative;
  int words; /* in use; 0 for the integer 0 */
  uint64_t word[PERM_INTEGER_WORDS];
} perm_integer;

/* permanent = (value + i imaginary) * 2^exp2; errors have that unit, too. exp2 is 0 if value and errors are then normal
   doubles (or 0, INFINITY). After an error or an early stop values are NaN, errors INFINITY. */
typedef struct perm_result {
  double value, imaginary; /* imaginary is 0 for real matrices */
  double partial_sum, partial_imaginary; /* after an early stop: the first unfinished leaf's terms so far (modulo the
                                            modulus), no approximation; else, and of hybrid's integers, 0 */
  long long exp2;
  double error_bound;    /* at least |value - permanent| (minors: the worst's); INFINITY: no guarantee; 0 if exact */
  double error_estimate; /* likely |value - permanent|: a part of the bound, or as >>bounds says; INFINITY: unknown */
  int is_complex;    /* 1: errors are of the modulus */
  int exact;         /* 1: integer + i imaginary_integer is the permanent, value the nearest double */
  perm_integer integer, imaginary_integer;
  uint64_t modulus;         /* not 0: they are modulo this, from 0 to modulus - 1 */
  perm_method method;       /* of the costliest leaf */
  perm_precision precision; /* PERM_PRECISION_EXACT if and only if `exact` is 1 */
  perm_isa isa;
  int threads;
  int gpus;
  int escalated; /* times the precision was raised */
  double terms;  /* terms summed, or states visited */
  double plan_seconds, seconds; /* 0 where a small matrix needs no job */
  perm_status status;
  int argument;                     /* 1-based position of the bad argument, 0: none */
  char message[PERM_MESSAGE_BYTES]; /* one line, or empty */
} perm_result;

/* An associative sum: fixed point, two's complement, least word first, units of 2^-1074. 5632 bits hold 2^3000 terms of
   the largest double. */
typedef struct perm_sum {
  uint64_t word[PERM_SUM_WORDS];
} perm_sum;

/* What chunks of a leaf yield. Zero at first. */
typedef struct perm_partial {
  perm_sum value, imaginary; /* sum of the terms */
  perm_sum absolute;         /* sum of |terms|, complex ones as |real| + |imaginary|; may be a sample, scaled up */
  long long exp2;            /* of value and absolute (tasks; 0 for ranges) */
  uint64_t chunks;           /* how many went in, */
  uint64_t indices, squares; /* and the sums of their numbers and of the squares, modulo 2^64 */
  double lost;               /* bound on what underflow took, in units of 2^exp2; INFINITY: unknown */
  uint64_t fingerprint;      /* of the leaf; set by the first chunk */
  double terms;
} perm_partial;

/* A job is an expression over leaves: products over blocks, sums over branches; immutable: any threads may run its
   ranges. A leaf is a range of chunks [0, chunks), or a task: one chunk. */
typedef struct perm_job perm_job;
typedef enum perm_leaf_kind { PERM_LEAF_RANGE, PERM_LEAF_TASK, PERM_LEAF_MAKE_INT = 0x7fffffff } perm_leaf_kind;
typedef struct perm_leaf {
  perm_leaf_kind kind;
  perm_method method;
  perm_isa isa;
  int n;
  uint64_t chunks;
  double work;           /* elements (ranges) or transitions (tasks) */
  double seconds, bytes; /* predicted */
  uint64_t fingerprint;
} perm_leaf;

/* An engine's offer for a sparse matrix. */
typedef struct perm_offer {
  int block, n; /* the block, from 0, as its leaf; its order */
  perm_method method;
  double seconds, bytes; /* for one thread; bytes 0: not told. INFINITY: the engine declines */
  char reason[160];      /* "is not planar"; of a prediction a remark, or empty */
} perm_offer;

/* Finished work: each leaf's partial and set of chunks. */
typedef struct perm_state perm_state;
#define PERM_PARTIAL_BYTES 2168
/* SPDX-License-Identifier: MIT */
