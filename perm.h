/* Joined by `make headers` from the files of src/: change those. */
/* perm.h: exact permanents of matrices, as fast as the machine allows, with a bound or an estimate of the error.

   Header-only C99 (also C++11). In one source file:

       #define PERM_IMPLEMENTATION
       #include "perm.h"

   and elsewhere #include "perm.h". Needs libc and libm; OpenMP is optional:

       cc -O2 a.c -lm                  // or: cc -O2 -fopenmp a.c -lm

   COMPILERS  gcc, clang, MinGW-w64: vector kernels. Others: portable kernels, one thread below OpenMP 3.1
   (docs/library.md). About 14 s at -O2, 2 s at -O0: give the implementation a file of its own. PERM_STATIC leaves out
   what is not called: 5 s for perm_real alone.

   EXAMPLE
       double a[9] = {1,2,3, 4,5,6, 7,8,9};
       printf("%.17g\n", perm_real(3, a));                      // 450

   WHICH CALL
       perm_real, perm_complex      one matrix, no options
       perm_compute_real, _complex  options in (perm_options options = {0}, in C++ {}); value, exponent, bound, estimate
       options.checkpoint           a file: a killed call continues when repeated
         .part, .merge              parts on any machines, merged by another call
       perm_job_real, ...           what would be done, and for how long (perm_job_leaf, perm_job_explain)
       perm_job_*, perm_state_*     a job in pieces of your own
       perm_compute_integer         without rounding, modulo p; _gaussian: a + bi
       perm_compute_repeated_*      rows and columns with multiplicities
       perm_minors_*, _gradient_*   all minors of a row; derivatives by every entry
       perm_marginals_real          the probability of every pair in an assignment (JPDA)
       perm_batch_*, perm_select_*  many small matrices; many submatrices of one
       perm_workspace_create        an allocator that keeps memory from call to call
       perm_sparse.h                sparse matrices, files
       perm_more.h                  estimates, samples, rook numbers, low rank, Cauchy matrices, proofs, pictures

   PRECISION (options.precision)    time (complex)   error about (times sum |terms|)    guaranteed bound
       default                       1     (1)       n u, u = 2^-53                     if free: 1, +-1, small integers;
                                                                                       n <= 16, looser (1e-6)
       default with certify          2.98  (2.69)    n u                                always
       dd                            8.14  (17.35)   n u^2                              always, except glynn and ryser
   Times: n = 24, docs/figures.md. With certify, method auto takes dd up to n = 12, where it is as fast. Certified real
   matrices without negative entries take the time of default from about n = 24 (>>bounds 8).
   Escalation: if the estimated error is too large, the next precision follows, if predicted to take less than a second
   or, with options.tolerance, to fit into options.max_seconds. If that is stopped, the first result stands. A job with
   a checkpoint or parts chooses its precision once, by its tolerance: default if n u e^(n/2) is below it, else dd; one
   of less than a second may be repeated.

   GUARANTEES
     - `error_bound` is a proven bound or INFINITY. `error_estimate` is no bound: the worst of a million results of a
       search for large errors (tests/attack/climb.c) was off by 7 estimates.
     - The result of one plan has the same bits for any number of threads, splits and interruptions.
     - A checkpoint is whole or refused, whatever fails.
     - No finite input gives NaN, Inf (as a finished value) or a crash. The exponent is separate, so nothing overflows.
     - A thread's rounding mode and flush-to-zero change no promise (bits only of perm_real and perm_complex) and are
       restored. Callbacks see the default.
     - No globals but a cache of processor features; no printing, signals or environment variables.
     - Compiled with -O1 and up, every engine runs on a stack of 64 KiB, also in OpenMP's threads
       (OMP_STACKSIZE). Other memory comes from options.allocator, which max_bytes limits.
     - Known limitation: the OpenMP of gcc and clang ends the process if it cannot start a thread (ulimit -u, -v, a
       cgroup's pids.max). There set threads to 1.

   COST  n 2^(n-1) elements of about 1.5 floating-point operations: n = 20 under a millisecond, n = 30 about a second.
   Complex: three times that. Small exact integers: no more.
   LIMITS  Square matrices to n = 64 (more with equal lines); rectangular ones with a shorter side below about 30.

   CONTENTS  Each tag names a room, src/FOLDER/TAG.h: search for it here. GPU kernels: perm_cuda.cu. MPI: perm_mpi.c.
   Proofs: search THE BOUND; steps: docs/proofs-rounding.md. Measurements: docs/engines.md. To add something:
   docs/CONTRIBUTING.md.
     api/            >>config, >>types, >>calls: macros, types, functions
     base/           >>platform, >>prices, >>memory, >>doubles, >>integers, >>ring, >>cpu, >>files, >>names
     job/            >>control, >>job, >>state (merging), >>problem, >>checkpoint
     gpu/            >>contract: plans of GPUs
     dense/          >>kernels, >>small, >>plain, >>scale, >>dense, >>gpu, >>plan, >>bounds: sums of Glynn and Ryser;
                     n <= 16; error bounds; vector loops: >>dense_kernels, >>small_kernels.
                     PERMI_INSTANCE(glynn_real, ...) defines permi_glynn_real_avx512, _avx2, ...
     exact/          >>residues, >>exact, >>limbs, >>small_exact, >>exact_device, >>exact_kernels: integers
     multiplicities/ >>counts, >>subsets, >>sign_sums (n-ary Gray), >>counts_leaf, >>counts_kernels: copies, rectangles
     plan/           >>check, >>run, >>engine (chooser, next precision), >>offers, >>judge (escalation), >>compute
     minors/         >>minors, >>minors_dense, >>minors_calls; >>minors_kernels
     batch/          >>batch, >>batch_kernels
     kernels/        >>vocabulary, >>arithmetic, >>vocabulary_end

   REFERENCES
     [FBS83] Fortmann, Bar-Shalom, Scheffe, IEEE J. Oceanic Eng. 8 (1983) 173-184: association probabilities.
     [Sin64] Sinkhorn, Ann. Math. Statist. 35 (1964) 876-879: scaling to double stochasticity.
     [Gly10] Glynn, European J. Combin. 31 (2010) 1887-1891.
     [NW78]  Nijenhuis, Wilf, Combinatorial Algorithms, 2nd ed., 1978, chapter 23.
     [Bre73] Bregman, Soviet Math. Dokl. 14 (1973) 945-949: row sums.
     [Rys63] Ryser, Combinatorial Mathematics, Carus Monographs 14, 1963.
     [DK01]  Duff, Koster, SIAM J. Matrix Anal. Appl. 22 (2001) 973-996: scaling.
     [JV87]  Jonker, Volgenant, Computing 38 (1987) 325-340: linear assignment.
     [Hig02] Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002.
     [CH18]  Chin, Huh, Scientific Reports 8 (2018) 6101: multiplicities.
     [MRA]   Masschelein, Richer, Ayers, arXiv:2510.03421 (2025): rectangular matrices.
     [Dek71] Dekker, Numer. Math. 18 (1971) 224-242.
     [BGM17] Boldo, Graillat, Muller, ACM Trans. Math. Software 44 (2017): Fast2Sum.
     [CLL06] Carlen, Lieb, Loss, Methods Appl. Anal. 13 (2006) 1-17: Hadamard type.
     [Kul13] Kulisch, Computer Arithmetic and Validity, 2nd ed., 2013: exact sums.
*/
#ifndef PERMI_FAMILY /* the self-included text skips to the kernels */
#ifndef PERM_PERMANENT_H_INCLUDED
#define PERM_PERMANENT_H_INCLUDED

/* ========================================================================================= >>config
   PERM_IMPLEMENTATION   compile the code here (in one file, or in several with PERM_STATIC)
   PERM_STATIC           every function static: private to the file, and left out unless called
   PERM_WITH_CUDA        with PERM_IMPLEMENTATION: options.gpu works; reads perm_cuda.cu (PERM_CUDA_FILE, if renamed)
                         and links with it (nvcc -c perm_cuda.cu)
   PERM_NO_COMPLEX       complex matrices are refused: a quarter less to compile
   PERM_NO_EXTRAS        no minors, gradients, batches, nothing of perm_more.h: a fifth less
   PERM_NO_EXACT         no vector kernels for integers: exact results many times slower
   PERM_NO_POSIX         files by the C library alone, as on Windows: less safe, see >>files
   PERM_HEADER_FILE      this file's name, if renamed (default "perm.h")
   PERM_SECONDS()        a steady clock in seconds, instead of CLOCK_MONOTONIC (Windows: its performance counter;
                         elsewhere gettimeofday or clock) */
#include <stddef.h>
#include <stdint.h>

#ifndef PERM_HEADER_FILE
#define PERM_HEADER_FILE "perm.h"
#endif
#ifndef PERM_CUDA_FILE
#define PERM_CUDA_FILE "perm_cuda.cu"
#endif
#if defined(PERM_STATIC)
#if defined(__GNUC__)
#define PERM_API static __attribute__((unused))
#else
#define PERM_API static
#endif
#elif defined(__cplusplus)
#define PERM_API extern "C"
#else
#define PERM_API extern
#endif

/* ========================================================================================== >>types */

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

/* ========================================================================================== >>calls
   The public functions. Unless it says otherwise, a function is thread-safe and leaves inputs alone. Matrices are
   row-major with row stride ld >= n; complex and Gaussian ones are pairs, as C99's and C++'s, and ld counts pairs.
   options may be NULL. *result is overwritten, its status returned; only where it gets no permanent or minors it may be
   NULL. Jobs and states copy what they need; perm_job_free and perm_state_free free them. */

/* Permanent of the n x n matrix a without gaps. n <= 16: right to 1e-10 of itself or 1e-28 of sum |terms|, else as
   perm_compute_real. NaN on bad arguments or without memory, +-HUGE_VAL beyond double, 0 below its least number; 1 for
   n = 0. O(n 2^(n-1)). */
PERM_API double perm_real(int n, const double *a);

/* The same of a complex matrix, into value[0] and value[1], relative to the modulus. */
PERM_API perm_status perm_complex(int n, const double *a, double *value);

/* Permanent of an m x n matrix. m < n: the sum over injections of rows into columns; m > n: of the transpose; m or n =
   0: 1. Square matrices up to order PERM_MAX_N (with equal lines: PERM_MAX_LINES), others up to PERM_MAX_LINES, at most
   2^(min(m,n) - 1) m n steps. With perm_sparse.h in the same file, square matrices from order 20 with an eighth of
   zeros go there, in all perm_compute_ functions. */
PERM_API perm_status perm_compute_real(int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                                       perm_result *result);
PERM_API perm_status perm_compute_complex(int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                                          perm_result *result);

/* Permanent of the matrix with row i row_counts[i] times and column j column_counts[j] times; NULL: once each. The
   totals must be equal (PERM_ERROR_COUNTS), at most PERM_MAX_LINES. Terms: the product of counts + 1 over rows, or over
   columns. Integers: as perm_compute_integer. */
PERM_API perm_status perm_compute_repeated_real(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                                const int *column_counts, const perm_options *options,
                                                perm_result *result);
PERM_API perm_status perm_compute_repeated_complex(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                                   const int *column_counts, const perm_options *options,
                                                   perm_result *result);
PERM_API perm_status perm_compute_repeated_integer(int m, int n, const int64_t *a, ptrdiff_t ld, const int *row_counts,
                                                   const int *column_counts, const perm_options *options,
                                                   perm_result *result);
PERM_API perm_status perm_compute_repeated_gaussian(int m, int n, const int64_t *a, ptrdiff_t ld,
                                                    const int *row_counts, const int *column_counts,
                                                    const perm_options *options, perm_result *result);

/* Integers without rounding: result->integer (Gaussian: and imaginary_integer), modulo options.modulus if given.
   Precision default or exact. Square: n 2^(n-1) elements, for small entries at least at the speed of doubles.
   PERM_ERROR_OVERFLOW: a perm_integer may be too short. */
PERM_API perm_status perm_compute_integer(int m, int n, const int64_t *a, ptrdiff_t ld, const perm_options *options,
                                          perm_result *result);
PERM_API perm_status perm_compute_gaussian(int m, int n, const int64_t *a, ptrdiff_t ld, const perm_options *options,
                                           perm_result *result);

/* The job that perm_compute_* starts with, never one of perm_sparse.h; a tolerance is only judged. Machines make the
   same job of the same matrix and options if options.isa names the same kernel family. */
PERM_API perm_status perm_job_real(int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                                   perm_job **job, perm_result *result);
PERM_API perm_status perm_job_complex(int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                                      perm_job **job, perm_result *result);
PERM_API perm_status perm_job_integer(int m, int n, const int64_t *a, ptrdiff_t ld, const perm_options *options,
                                      perm_job **job, perm_result *result);
PERM_API perm_status perm_job_gaussian(int m, int n, const int64_t *a, ptrdiff_t ld, const perm_options *options,
                                       perm_job **job, perm_result *result);

PERM_API void perm_job_free(perm_job *job); /* NULL is fine */
PERM_API int perm_job_leaves(const perm_job *job);
PERM_API perm_status perm_job_leaf(const perm_job *job, int leaf, perm_leaf *information);
PERM_API size_t perm_job_explain(const perm_job *job, char *buffer, size_t size); /* in lines; like snprintf */

/* Offer `index`, from 0, of engines for the first blocks of a sparse matrix, in the order asked. PERM_ERROR_RANGE: no
   more. */
PERM_API perm_status perm_job_offer(const perm_job *job, int index, perm_offer *offer);

/* The job's precision before escalation; PERM_PRECISION_EXACT for integers. *proved (may be NULL): 1 if the result will
   have a finite error_bound. */
PERM_API perm_precision perm_job_precision(const perm_job *job, int *proved);

/* Adds chunks [begin, end) of a leaf to *partial; each must go in once, anywhere. */
PERM_API perm_status perm_job_run(const perm_job *job, int leaf, uint64_t begin, uint64_t end, perm_partial *partial);

/* Adds `from` exactly. PERM_ERROR_STATE: different leaves. */
PERM_API perm_status perm_partial_merge(perm_partial *into, const perm_partial *from);

/* The result from complete partials[leaf] of all leaves, else PERM_ERROR_STATE. Every finish judges by the certify and
   tolerance given when the job was made: PERM_TOLERANCE_NOT_MET. */
PERM_API perm_status perm_job_finish(const perm_job *job, const perm_partial *partials, perm_result *result);

/* Two jobs of one version share this number only if they give the same bits. */
PERM_API uint64_t perm_job_fingerprint(const perm_job *job);

/* Computes chunks [begin, end) of a leaf into *partial, overwritten, with the options' threads, GPUs, cancel, progress
   and max_seconds. After a stop or failure it has chunks [begin, begin + partial->chunks). */
PERM_API perm_status perm_job_range(const perm_job *job, int leaf, uint64_t begin, uint64_t end,
                                    const perm_options *options, perm_partial *partial, perm_result *result);

/* A partial as PERM_PARTIAL_BYTES bytes, the same everywhere. Encoding returns that number, 0 for NULL, and writes only
   if `size` is enough. PERM_ERROR_FORMAT: another size, impossible numbers. */
PERM_API size_t perm_partial_encode(const perm_partial *partial, void *bytes, size_t size);
PERM_API perm_status perm_partial_decode(const void *bytes, size_t size, perm_partial *partial);

/* First interval [*begin, *end) of a leaf's unfinished chunks from `from` on; *begin == *end: none. */
PERM_API perm_status perm_state_left(const perm_job *job, const perm_state *state, int leaf, uint64_t from,
                                     uint64_t *begin, uint64_t *end);

/* Adds the finished chunks [begin, end) of a leaf, held by *partial, or the state `from`. PERM_ERROR_STATE: chunks are
   there already, or are not those. A failure changes nothing. */
PERM_API perm_status perm_state_add(const perm_job *job, perm_state *state, int leaf, uint64_t begin, uint64_t end,
                                    const perm_partial *partial, perm_result *result);
PERM_API perm_status perm_state_merge(const perm_job *job, perm_state *into, const perm_state *from,
                                      perm_result *result);

/* perm_job_finish of a state. PERM_ERROR_STATE if chunks are missing; the message names the first gap. */
PERM_API perm_status perm_state_finish(const perm_job *job, const perm_state *state, perm_result *result);

/* A state and what its job was planned with, as bytes (>>checkpoint). Encoding returns the length, 0 on bad arguments,
   and writes only if `size` is enough; bytes may be NULL. Decoding creates *state. PERM_ERROR_FORMAT: damaged;
   PERM_ERROR_STATE: of another version or job. */
PERM_API size_t perm_state_encode(const perm_job *job, const perm_state *state, const perm_options *options,
                                  void *bytes, size_t size);
PERM_API perm_status perm_state_decode(const perm_job *job, const void *bytes, size_t size, perm_state **state,
                                       perm_result *result);

/* The same as a regular file (>>files), replaced whole, on the disk on return, or unchanged. Reading also refuses
   another part (options.checkpoint.parts; 0: any) and says what differs. */
PERM_API perm_status perm_checkpoint_write(const perm_job *job, const perm_state *state, const char *path,
                                           const perm_options *options, perm_result *result);
PERM_API perm_status perm_checkpoint_read(const perm_job *job, const char *path, const perm_options *options,
                                          perm_state **state, perm_result *result);

/* Overwrites in *options what a checkpoint's job was planned with: method, precision, isa (never auto), certify,
   modulus, tolerance, max_bytes, plan_effort, gpu except its cache, checkpoint.part, .parts. *note (may be NULL) gets
   a copy of the note, from the options' allocator, for the caller to release (default: free), or NULL. */
PERM_API perm_status perm_checkpoint_options(const char *path, perm_options *options, char **note, perm_result *result);

/* Runs what is left of the job or part, with the options' threads, progress, cancel and max_seconds, and keeps finished
   work in state. After PERM_STOPPED_* the same call continues, a task from its start. PERM_ERROR_LIMIT: tasks are
   predicted to exceed max_seconds. With options.checkpoint an empty state begins with the file's; the file is written
   at once, every checkpoint.seconds, and at the end. If a write fails, the job continues and retries at the next
   interval; after the last failure a finished result carries a message, a stopped job is PERM_ERROR_FILE. */
PERM_API perm_status perm_state_create(const perm_job *job, perm_state **state);
PERM_API void perm_state_free(perm_state *state); /* NULL is fine; before perm_job_free */
PERM_API perm_status perm_job_execute(const perm_job *job, perm_state *state, const perm_options *options,
                                      perm_result *result);

/* Makes *allocator one that keeps what is released: in options.allocator, a call after another like it allocates
   nothing. Memory comes from `under` (NULL: malloc), which may be *allocator itself, and is given back where max_bytes
   asks for it, and by perm_workspace_free, which restores *allocator to `under`; before it, free what was made with it
   (jobs, states, matrices). One thread at a time may use it. PERM_ERROR_MEMORY, PERM_ERROR_NULL; PERM_ERROR_OPTION:
   `under` lacks allocate or release. */
PERM_API perm_status perm_workspace_create(const perm_allocator *under, perm_allocator *allocator);
PERM_API void perm_workspace_free(perm_allocator *allocator); /* NULL, or another allocator, is fine */

#if !defined(PERM_NO_EXTRAS)
/* Minors of one row: minors[j], j < n, is the permanent without row `row` and column j, from 0, in units of
   2^result->exp2; below 2^-1000 of the largest it may become 0. m = n, or counts as in perm_compute_repeated_real, of
   totals up to 256: one copy of each is left out; without one of the column it is 0, `row` needs one. result: value is
   the sum of the row times its minors; error_estimate is the absolute error of the worst minor, error_bound (few lines,
   or method subsets) the same guaranteed; tolerance is relative to the largest minor. On an error minors are NaN.
   O(n 2^(n-1)), about two permanents; with many copies, or precision dd, a permanent for each minor. */
PERM_API perm_status perm_minors_real(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                      const int *column_counts, int row, const perm_options *options, double *minors,
                                      perm_result *result);
PERM_API perm_status perm_minors_complex(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                         const int *column_counts, int row, const perm_options *options,
                                         double *minors, perm_result *result);

/* Derivatives by all entries: gradient[i * n + j] is row_counts[i] * column_counts[j] times the minor of row i and
   column j. Else as minors; value is from one row. About eight permanents. */
PERM_API perm_status perm_gradient_real(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                        const int *column_counts, const perm_options *options, double *gradient,
                                        perm_result *result);
PERM_API perm_status perm_gradient_complex(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                           const int *column_counts, const perm_options *options, double *gradient,
                                           perm_result *result);

/* Marginals of assignments: marginals[i * n + j] = a_ij d per/d a_ij / per(a), the probability that row i takes column
   j if assignments are drawn in proportion to the products of their weights a_ij >= 0. m <= n: every row takes a column
   of its own, so rows' sums are 1; m > n: every column a row. With counts (NULL: once each), of any totals, it is
   the mean number of copies of row i that take one of column j. At most 64 rows and 64 columns (if lines are left, 63
   on the other side). PERM_ERROR_UNSUPPORTED: a negative weight; PERM_ERROR_ZERO: permanent 0. result: value is the
   permanent; errors are absolute, of the worst marginal, without 2^exp2; tolerance is relative to the largest. Time as
   of the gradient, or 2^m (n - m + 1) states of m operations; gated scenes (JPDA): perm_marginals_sparse. [FBS83] */
PERM_API perm_status perm_marginals_real(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                         const int *column_counts, const perm_options *options, double *marginals,
                                         perm_result *result);

/* Many matrices of order n: permanents[k], k < count. Matrix k begins at a + k * matrix_stride (complex: twice that),
   without gaps. n <= 16: as perm_real (n <= 4: of the permanent of |entries|), else as perm_compute_real.
   A result may differ from a single call in its last bits, but does not depend on the other matrices; beyond double it
   is +-HUGE_VAL. A matrix that fails gets NaN; status and message are the first's, result's value is 0. With method,
   precision, certify or tolerance below 1e-10 they are single calls. options.gpu: n = 10 to 24. O(count n 2^(n-1)). */
PERM_API perm_status perm_batch_real(int n, size_t count, const double *a, size_t matrix_stride,
                                     const perm_options *options, double *permanents, perm_result *result);
PERM_API perm_status perm_batch_complex(int n, size_t count, const double *a, size_t matrix_stride,
                                        const perm_options *options, double *permanents, perm_result *result);

/* The same, (i, j) of matrix k at a[(i * n + j) * entry_stride + k] (complex: the pair), entry_stride >= count. The
   fastest layout up to n = 8. */
PERM_API perm_status perm_batch_real_soa(int n, size_t count, const double *a, size_t entry_stride,
                                         const perm_options *options, double *permanents, perm_result *result);
PERM_API perm_status perm_batch_complex_soa(int n, size_t count, const double *a, size_t entry_stride,
                                            const perm_options *options, double *permanents, perm_result *result);

/* The same for k x k selections from one m x n matrix of any size: selection s takes rows[s * k + 0 .. k - 1] (NULL:
   the first k) and columns[s * k + 0 .. k - 1], from 0, repeats allowed. */
PERM_API perm_status perm_select_real(int m, int n, const double *a, ptrdiff_t ld, int k, size_t count, const int *rows,
                                      const int *columns, const perm_options *options, double *permanents,
                                      perm_result *result);
PERM_API perm_status perm_select_complex(int m, int n, const double *a, ptrdiff_t ld, int k, size_t count,
                                         const int *rows, const int *columns, const perm_options *options,
                                         double *permanents, perm_result *result);
#endif

/* As snprintf's: decimal, all digits if exact, else 17, and " * 2^k" unless exp2 is 0. */
PERM_API size_t perm_result_text(const perm_result *result, char *buffer, size_t size);
PERM_API size_t perm_integer_text(const perm_integer *integer, char *buffer, size_t size);

/* For people: "seconds" give "0.35 ms", "3 h 12 min", "20 days", "9e+12 years"; "bytes" "2.5 GB". */
PERM_API size_t perm_amount_text(const char *unit, double amount, char *buffer, size_t size);
PERM_API const char *perm_status_text(perm_status status);

/* The name of a number of an enum, a static string: perm_name("method", PERM_METHOD_DENSE) is "dense"; also
   "precision", "isa", "format", "estimator", and "status": "PERM_OK". "unknown" where there is none. */
PERM_API const char *perm_name(const char *of, long long number);

/* This machine's best instruction set that this build has kernels for. */
PERM_API perm_isa perm_isa_best(void);

/* For languages that cannot read this header: the version, MAJOR * 1000000 + MINOR * 1000 + PATCH; bytes of a structure
   ("perm_result"), or offset and bytes of a field ("perm_result.value"). PERM_ERROR_RANGE: no such name. */
PERM_API int perm_version(void);
PERM_API perm_status perm_layout(const char *name, size_t *offset, size_t *bytes);

#endif /* PERM_PERMANENT_H_INCLUDED */
#ifdef PERM_IMPLEMENTATION
#ifndef PERM_PERMANENT_IMPLEMENTED
#define PERM_PERMANENT_IMPLEMENTED
#if defined(__NVCC__) /* warns of gcc's pragmas */
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675, 128, 550
#endif

/* ======================================================================================= >>platform */

#include <errno.h>
#include <fenv.h>
#include <float.h>
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(_M_FP_FAST)
#error "perm.h proves rounding errors: compile it without -ffast-math, -Ofast, -funsafe-math-optimizations, /fp:fast"
#endif
typedef char permi_constants_are_doubles[sizeof(1.0) == sizeof(double) ? 1 : -1]; /* -fsingle-precision-constant */
/* 1 (s390x) and 16 (AVX512-FP16) widen only types narrower than double; 2 is the x87's, -1 unknown. */
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1 && FLT_EVAL_METHOD != 16
#error "perm.h needs double arithmetic that rounds to double: on 32-bit x86 add -msse2 -mfpmath=sse"
#endif
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(_OPENMP) && _OPENMP >= 201107 /* atomic capture */
#define PERMI_OPENMP 1
#include <omp.h>
#else
#define PERMI_OPENMP 0
#endif

#if (defined(__unix__) || defined(__APPLE__)) && !defined(PERM_NO_POSIX)
#define PERMI_POSIX 1
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if !defined(__cplusplus) /* hidden by -std=c99 */
extern int fsync(int descriptor);
extern ssize_t readlink(const char *path, char *target, size_t size);
#if !defined(_POSIX_C_SOURCE)
extern FILE *fdopen(int descriptor, const char *mode);
extern int fchmod(int descriptor, mode_t mode);
#endif
#endif
#define PERMI_PROCESS ((uint64_t)getpid())
#else
#define PERMI_POSIX 0
#define PERMI_PROCESS 0
#endif

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define PERMI_X86 1
#include <cpuid.h>
#include <immintrin.h>
#else
#define PERMI_X86 0
#endif

#if defined(__aarch64__) && defined(__GNUC__)
#define PERMI_ARM 1
#include <arm_neon.h>
#else
#define PERMI_ARM 0
#endif

/* Hides a double from contraction. */
#if PERMI_X86
#define PERMI_KEEP_DOUBLE(x) __asm__("" : "+x"(x))
#elif PERMI_ARM
#define PERMI_KEEP_DOUBLE(x) __asm__("" : "+w"(x))
#elif defined(__GNUC__)
#define PERMI_KEEP_DOUBLE(x) __asm__("" : "+m"(x))
#else
#define PERMI_KEEP_DOUBLE(x) ((void)((x) = *(volatile double *)&(x)))
#endif

#if defined(__GNUC__)
#define PERMI_ALIGN64 __attribute__((aligned(64)))
#define PERMI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define PERMI_UNUSED __attribute__((unused))
#define PERMI_NEVER_INLINE __attribute__((noinline)) /* spares callers a large frame */
#define PERMI_COLD __attribute__((noinline, cold)) /* once a matrix: small code compiles faster */
#else
#define PERMI_ALIGN64
#define PERMI_PRINTF(text, first)
#define PERMI_UNUSED
#define PERMI_NEVER_INLINE
#define PERMI_COLD
#endif

#define PERMI_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define PERMI_UNROLL PERMI_PRAGMA(clang loop unroll(full)) /* else small arrays of vectors stay in memory */
#define PERMI_UNROLL_UP_TO(n)
#elif defined(__GNUC__)
#define PERMI_UNROLL PERMI_PRAGMA(GCC unroll 8)
#define PERMI_UNROLL_UP_TO(n) PERMI_PRAGMA(GCC unroll n) /* the count may be unknown */
#else
#define PERMI_UNROLL
#define PERMI_UNROLL_UP_TO(n)
#endif
/* Without optimisation inlining triples the code. */
#if defined(__GNUC__) && defined(__OPTIMIZE__)
#define PERMI_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define PERMI_ALWAYS_INLINE inline
#endif
#define PERMI_INLINE static PERMI_ALWAYS_INLINE
/* They enclose rooms whose speed -O1 keeps: gcc compiles in 0.6 of the time. Without expensive-optimizations it leaves
   out vzeroupper and fuses no more. Outside are dense kernels and small orders (2 to 5 %), batches (10 %),
   planning (1.3 times as long), sparyser (1.06), twins (1.14). */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#define PERMI_BRIEF_BEGIN                                                                                              \
  PERMI_PRAGMA(GCC push_options)                                                                                       \
  PERMI_PRAGMA(GCC optimize("O1,inline-small-functions,expensive-optimizations,strict-aliasing"))
#define PERMI_BRIEF_END PERMI_PRAGMA(GCC pop_options)
#else
#define PERMI_BRIEF_BEGIN
#define PERMI_BRIEF_END
#endif
/* PERMI_EVERY: call for k = 0 to count - 1, count 1, 2, 4 or 8: gcc 12 unrolls too late to hold arrays in registers.
   PERMI_ALIGN_LOOPS: aligned to 16 bytes, row loops of plain C take up to 1.27 times as long. */
#if defined(__GNUC__) && !defined(__clang__)
#define PERMI_AT(k, value, call) { k = value; call; }
#define PERMI_EVERY(k, count, call)                                                                                    \
  do { PERMI_AT(k, 0, call) if ((count) > 1) PERMI_AT(k, 1, call)                                                      \
    if ((count) > 2) { PERMI_AT(k, 2, call) PERMI_AT(k, 3, call) }                                                     \
    if ((count) > 4) { PERMI_AT(k, 4, call) PERMI_AT(k, 5, call) PERMI_AT(k, 6, call) PERMI_AT(k, 7, call) }           \
  } while (0)
#define PERMI_ALIGN_LOOPS __attribute__((optimize("align-loops=32")))
#else
#define PERMI_EVERY(k, count, call) PERMI_UNROLL for (k = 0; k < (count); k++) { call; }
#define PERMI_ALIGN_LOOPS
#endif
#if PERMI_OPENMP
#define PERMI_OMP(directive) PERMI_PRAGMA(omp directive)
#else
#define PERMI_OMP(directive)
#endif

#define PERMI_UNIT 1.1102230246251565e-16 /* u = 2^-53 */
#define PERMI_DD_UNIT 8e-31               /* > 2^-100: relative error of a double-double operation */

#if defined(_WIN32) && defined(__cplusplus)
#define PERMI_WINDOWS(type) extern "C" __declspec(dllimport) type __stdcall
#elif defined(_WIN32)
#define PERMI_WINDOWS(type) __declspec(dllimport) type __stdcall
#endif

/* A clock that nobody sets (LLVM's OpenMP clock is gettimeofday). With -std=c99 on Linux no header declares
   clock_gettime, which takes two longs, or has another name. */
#if defined(PERM_SECONDS)
#elif defined(CLOCK_MONOTONIC) && !defined(_WIN32) /* there it would want another library */
#define PERMI_CLOCK CLOCK_MONOTONIC
#define PERMI_CLOCK_FITS(time) 1
#elif defined(__linux__) && !defined(__cplusplus)
#include <sched.h>
#define PERMI_CLOCK 1
#define PERMI_CLOCK_FITS(time) (sizeof(time) == sizeof(long))
extern int clock_gettime(int clock, struct timespec *now);
#elif defined(_WIN32)
union _LARGE_INTEGER;
PERMI_WINDOWS(int) QueryPerformanceCounter(union _LARGE_INTEGER *count);
PERMI_WINDOWS(int) QueryPerformanceFrequency(union _LARGE_INTEGER *frequency);
#endif

static double permi_seconds(void)
{
#if defined(PERM_SECONDS)
  return PERM_SECONDS();
#elif defined(_WIN32) && !defined(PERMI_CLOCK)
  long long count = 0, frequency = 1;
  QueryPerformanceCounter((union _LARGE_INTEGER *)(void *)&count);
  QueryPerformanceFrequency((union _LARGE_INTEGER *)(void *)&frequency);
  return (double)count / (double)frequency;
#else
#if defined(PERMI_CLOCK)
  struct timespec exact;
  if (PERMI_CLOCK_FITS(exact.tv_sec) && clock_gettime(PERMI_CLOCK, &exact) == 0)
    return (double)exact.tv_sec + 1e-9 * (double)exact.tv_nsec;
#endif
  return (double)time(NULL);
#endif
}

/* ---- environment: between begin and end a thread rounds to nearest, with denormals. The caller, -ffast-math in
   another object, or an earlier loop in OpenMP's threads may have set another rounding. */

static int permi_rounding_is_sound(void)
{
#if PERMI_X86
  /* Rounding up, down, to zero; denormals, in and out. Reading MXCSR would take 8 ns. */
  static const double to[4] = {1, 1, 1, DBL_MIN}, add[4] = {PERMI_UNIT, -PERMI_UNIT / 2, 3 * PERMI_UNIT, -DBL_MIN / 2};
  static const double sum[4] = {1, 1, 1 + 4 * PERMI_UNIT, DBL_MIN / 2};
  __m128d x = _mm_loadu_pd(to), y = _mm_loadu_pd(to + 2);
  __asm__ volatile("" : "+x"(x), "+x"(y)); /* not at compile time */
  x = _mm_xor_pd(_mm_add_pd(x, _mm_loadu_pd(add)), _mm_loadu_pd(sum));
  y = _mm_xor_pd(_mm_add_pd(y, _mm_loadu_pd(add + 2)), _mm_loadu_pd(sum + 2));
  return _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_castpd_si128(_mm_or_pd(x, y)), _mm_setzero_si128())) == 0xffff;
#else
  volatile double one = 1, tiny = PERMI_UNIT, least = DBL_MIN, half = 0.5;
  const double x = one, u = tiny;
  return x + u == 1 && x - u * half == 1 && x + 3 * u == 1 + 4 * PERMI_UNIT && least * half > 0;
#endif
}

typedef struct permi_environment {
  fenv_t own;
  unsigned changed; /* MXCSR, which mingw-w64 forgets */
} permi_environment;

PERMI_COLD static void permi_environment_change(permi_environment *environment)
{
  environment->changed = 1;
  fegetenv(&environment->own);
#if PERMI_X86
  environment->changed = _mm_getcsr();
  _mm_setcsr(0x1f80);
#endif
  fesetenv(FE_DFL_ENV);
}

PERMI_INLINE void permi_environment_begin(permi_environment *environment)
{
  environment->changed = 0;
  if (!permi_rounding_is_sound())
    permi_environment_change(environment);
}

PERMI_INLINE perm_status permi_environment_end(const permi_environment *environment, perm_status status)
{
  if (environment->changed)
    fesetenv(&environment->own);
#if PERMI_X86
  if (environment->changed)
    _mm_setcsr(environment->changed);
#endif
  return status;
}

#define PERMI_SOUNDLY(environment, call)                                                                               \
  (permi_environment_begin(environment), permi_environment_end(environment, call))

/* ========================================================================================= >>prices
   Prices predict times, choose engines, orders and slices, but change no value. No clock is asked: plans are the same
   everywhere. Units: _SECONDS of one thread, _RATE a second, _BYTES. Measured on a Cascade Lake, a later Xeon, a Zen 3
   core and an H200 (_GPU_), gcc -O2, November 2026, unless a line says else; `make prices` repeats what it lists;
   "chosen" limits were set. Rates of kernels: >>kernels, >>limbs, >>hybrid_offer, >>arrays_run, >>band_order. */

/* ---- limits */
#define PERMI_PARALLEL_SECONDS 2e-4 /* a parallel region takes tens of microseconds */
#ifndef PERMI_SHARE_SECONDS
#define PERMI_SHARE_SECONDS PERMI_PARALLEL_SECONDS /* shorter steps run on one thread */
#endif
#define PERMI_FREE_SECONDS 1e-3       /* chosen: proven bounds win below it */
#define PERMI_CHUNK_SECONDS 0.1       /* chosen: lost if a call stops; a tenth wakes threads */
#define PERMI_ESCALATE_SECONDS 1.0    /* chosen: higher precisions are tried unasked */
#define PERMI_EXACT_FREE_SECONDS 10.0 /* chosen: integers are exact by default up to this, */
#define PERMI_EXACT_WORTH 5           /* and to this multiple of doubles */
#define PERMI_HOPELESS_SECONDS 1e12   /* chosen: refused */
#define PERMI_DEFAULT_BYTES 1.6e10    /* chosen: above it auto prefers others, low rank is refused */
#define PERMI_HYBRID_CAUTION 1.25     /* chosen: escalates more often if larger */

/* ---- dense sums, integers, low rank */
#define PERMI_RATE_GLYNN 6e8 /* rows; half for Ryser, a twentieth for expansion */
#define PERMI_RATE_EXACT_WORDS 2.5e8   /* products of words, residues */
#define PERMI_RIVAL_RATE 2e11          /* elements: more than exact sums reach */
static const double permi_exact_spread[2] = {8, 1024}; /* slower at most: vectors, none */
#define PERMI_TERMS_SECONDS 5e-8       /* minors by subsets: ten rows of states */
#define PERMI_MINORS_DD_SECONDS 1e-9   /* minors: an element in double-double; AVX2 */
#define PERMI_LOW_RANK_SECONDS 1.2e-8  /* a double-double product and sum */
#define PERMI_TRIAL_SECONDS 1.5e-9 /* a sample over n^2: --guarantee 0.1,0.05 --threads 1 --generate binary:60:0.5 */
#define PERMI_BATCH_RATE {2.5e10, 7e9} /* real, complex elements, against GPUs */

/* ---- counts: [real, complex]; within a factor of two beyond a few microseconds */
static const double permi_seconds_sweep[2] = {3e-9, 6e-9}; /* subsets: a transition */
static const double permi_seconds_sweep_dd[2] = {4.5e-8, 8e-8};
static const double permi_seconds_form[2] = {8e-10, 1.8e-9}; /* multiplicities: a form moves, is multiplied */
static const double permi_seconds_form_dd[2] = {8e-9, 2.8e-8};
static const double permi_seconds_e[2] = {5e-10, 1.2e-9}; /* multiplicities: a step of e_M */
static const double permi_seconds_e_dd[2] = {2.5e-8, 8e-8};
static const double permi_seconds_exact[2] = {1.2e-8, 2.7e-8}; /* integers: a step, */
static const double permi_seconds_word[2] = {3.2e-9, 7e-9};    /* and for each word */
#define PERMI_SECONDS_SCAN 8e-9 /* subsets: a row of states */
#define PERMI_SECONDS_TERM 3e-8 /* multiplicities: a term */
#define PERMI_DIGIT_SECONDS 1e-10 /* rectangles: a subset, at least */
PERMI_UNUSED static const double permi_rectangle_least[2] = {3e4, 1.2e6}; /* chosen: planned; if a quarter is not 0 */
#ifndef PERMI_COUNTS_CHEAP_SECONDS
#define PERMI_COUNTS_CHEAP_SECONDS 2e-5 /* chosen: double-double at once */
#endif

/* ---- planning: chosen shares of the predicted run */
#define PERMI_PLAN_SHARE 0.025          /* all of planning, */
#define PERMI_PLAN_SECONDS 1.4e-3       /* or this; of arrays a twelfth */
#define PERMI_PLAN_REST 0.25            /* of it: left for programs and later engines */
#define PERMI_PLAN_RIVAL 0.4            /* of what is left: for the layouts of hybrid */
#define PERMI_GREEDY_SHARE 0.035        /* for first orders; behind a rival a twelfth */
#define PERMI_ANNEAL_SHARE 0.02         /* for annealing; */
#define PERMI_ANNEAL_LEAST 1.25e-3      /* up to this */
#define PERMI_SEARCH_SHARE 0.014        /* for layouts of hybrid; of the rival for twins */
#define PERMI_ORDER_PLAN_SECONDS 1e-6   /* an order, per vertex and entry */
#define PERMI_ORDER_FORGET_SECONDS 1e5  /* chosen: not annealed */
#define PERMI_CLASS_PLAN_SECONDS 1e-8   /* per pair of vertices */
#define PERMI_CLASS_NAMED_SECONDS 100   /* chosen: by name */
#define PERMI_CLASS_AGAIN 0.1           /* for further orders */
#define PERMI_HYBRID_LEAST_SECONDS 7e-3 /* chosen: faster rivals win unasked: a layout takes a millisecond */
#define PERMI_HYBRID_MOVE_SECONDS 6e-6  /* a move for GPUs */

/* ---- lists, arrays, bands, classes, trees */
#define PERMI_STEP_SECONDS 1e-6    /* lists, polynomials, subsets */
#define PERMI_WORD_SECONDS 1.5e-9  /* of long values: twins */
#define PERMI_ROW_SECONDS 3e-7     /* a row of a band, a step of twins */
#define PERMI_STATE_SECONDS 1.3e-9 /* lists: a unit of cost */
/* By permi_algebra, relative to doubles; the last: a word more. */
PERMI_UNUSED static const double permi_list_weight[] = {1, 1.3, 1.8, 3.3, 3.8, 18, 1, 1.4, 1.5, 1, 0.8};
/* A unit of cost by permi_algebra (words: and a word), on 30 graphs on a Zen 4 core, times 1.3: that core is faster. */
PERMI_UNUSED static const double permi_array_seconds[] = {4e-10, 6e-10, 1.4e-9,  1.3e-9, 1.5e-9,
                                                          3e-8,    6e-10, 5.5e-10, 1.2e-9, 2e-8};
/* AVX-512, AVX2, others: residues; reduced products. */
PERMI_UNUSED static const double permi_residue_seconds[3][2] = {
    {3.2e-10, 4.5e-10}, {4.5e-10, 7e-10}, {6.5e-10, 5.5e-9}};
#define PERMI_ARRAY_MISS_SECONDS 4e-11  /* a byte of a step whose values */
#define PERMI_ARRAY_CACHE_BYTES 3e7     /* take more than this */
#define PERMI_ARRAY_STREAM_SECONDS 3e-6 /* a stream */
#define PERMI_BAND_MADE_SECONDS 6e-8    /* a new transition: 2 to 8e-8 */
#define PERMI_CLASS_WAY_SECONDS 1.6e-8
#define PERMI_TREE_NODE_SECONDS 2.5e-7  /* a node, a join */
#define PERMI_TREE_PAIR_SECONDS 2e-9    /* a pair, a state; 0.4 of it unsorted */
#define PERMI_TREE_SORT_SECONDS 6e-9    /* a state and vertex; 18 graphs */
#define PERMI_TREE_MISS_SECONDS 1e-8    /* more for a pair (mesh1e1: 9e7 pairs 1.5 s) of a table */
#define PERMI_TREE_CACHE_BYTES 1e6      /* larger than this */

/* Residues, double-doubles with a radius: a product and difference; a pair and an entry. Boards of 30^2 and 100^2. */
PERMI_UNUSED static const double permi_planar_seconds[2][2] = {{2.2e-9, 8e-8}, {2.2e-8, 1e-6}};

/* A node, a join, a pattern, a pair: by tables; odd or long rows (Zen 5, times 1.37); a GPU, by
   counted instructions (regular:64:6, H100: 9.7 s), where a pair is a word of 8 rows of both blocks. */
PERMI_UNUSED static const double permi_signs_each[3][4] = {
    {1.9e-8, 6.2e-8, 1.7e-8, 1.25e-9}, {1.9e-8, 6.2e-8, 4.1e-8, 6.9e-9}, {1e-10, 2.9e-10, 5.6e-12, 1.6e-12}};
#define PERMI_SIGNS_CUT_SECONDS 6e-10          /* a row that thins out patterns */
#define PERMI_SIGNS_WIDE_SECONDS 1e-9          /* a word of a row */
#define PERMI_SIGNS_MOVE_UNITS(n) (25.0 * (n)) /* a move: 12 if full, 30 with 6 ones */
#define PERMI_SIGNS_WEIGH_UNITS 7              /* weights: an entry, times its row's size */
#define PERMI_SIGNS_PLAN_MOST 0.25     /* chosen: seconds of the last round, of probes, half of weights */
#define PERMI_SIGNS_LEAST_SECONDS 0.06 /* chosen: faster rivals win unasked */
#define PERMI_SIGNS_HOPE 5             /* chosen: how far predictions may be too long */
#define PERMI_SIGNS_HOPE_ENTRIES 5     /* chosen: fewer entries a line: not asked first */

/* ---- GPUs */
#define PERMI_GPU_DENSE_RATES {{1.02e13, 2.7e12}, {3e12, 1e12}, {1.1e12, 2.5e11}, {3.8e12, 6.9e11}} /* elements, */
                                             /* by perm_gpu_product: real, complex */
#define PERMI_GPU_DENSE_COMPILE 1.0
#define PERMI_EXACT_GPU_RATE 2e13
#define PERMI_MINORS_GPU_RATE {1.3e12, 6e11} /* real, complex: lines of terms; H100, order 38 */
#define PERMI_MINORS_GPU_SLOWER 1.8          /* with sums by digits, order 34; */
#define PERMI_MINORS_GPU_SUM_SECONDS 4e-8    /* on the host, a minor's part and chunk, order 30 */
#define PERMI_BATCH_GPU_BYTES_RATE 2e10
#define PERMI_GPU_START_SECONDS 0.4
#define PERMI_GPU_STEP_SECONDS 3e-5
#define PERMI_GPU_STATE_SECONDS 3e-12 /* a unit of cost */
#define PERMI_GPU_SHARE 0.98          /* chosen: of a GPU's memory, for arrays */
#define PERMI_SIGNS_GPU_PLAN 4        /* chosen: times the share of planning */
#define PERMI_SIGNS_GPU_FASTER 240    /* than an AVX-512 core: regular:64:6, H100 */
#define PERMI_GPU_PIPE 1.67e13        /* FP64 operations a second */
#define PERMI_GPU_PART 0.81           /* of it: programs with folds */
#define PERMI_CODEGEN_PART 0.6        /* of it. Order 40, a fifth of entries: registers 3.05 s, memory 1.66 s; */
                                      /* three tenths: 3.13, 2.42 s */
#define PERMI_GPU_COMPILE 0.3
#define PERMI_GPU_COMPILE_EACH 1.7e-4 /* a statement; more if it has two parts */

/* ========================================================================================= >>memory */

/* First touches of 4 KB pages took an eighth of a run with 3e8 bytes. */
#define PERMI_HUGE_BYTES 4194304
#if defined(MADV_HUGEPAGE)
#define PERMI_HUGE_PAGES MADV_HUGEPAGE
#elif PERMI_POSIX && defined(__linux__) && !defined(__cplusplus) /* hidden by -std=c99 */
#define PERMI_HUGE_PAGES 14
extern int madvise(void *memory, size_t bytes, int advice);
#endif

static void *permi_prefer_huge_pages(void *memory, size_t bytes)
{
#if PERMI_POSIX && defined(PERMI_HUGE_PAGES)
  const uintptr_t page = 65535, begin = ((uintptr_t)memory + page) & ~page;
  const uintptr_t end = ((uintptr_t)memory + bytes) & ~page;
  const int error = errno;
  if (memory && bytes >= PERMI_HUGE_BYTES)
    (void)madvise((void *)begin, end - begin, PERMI_HUGE_PAGES);
  errno = error;
#else
  (void)bytes;
#endif
  return memory;
}

static void *permi_allocate(const perm_allocator *allocator, size_t count, size_t size)
{
  const size_t bytes = count && size ? count * size : 1;
  if (size && count > SIZE_MAX / size)
    return NULL;
  return allocator->allocate ? allocator->allocate(bytes, allocator->user_data)
                             : permi_prefer_huge_pages(malloc(bytes), bytes);
}

/* Zeros; fresh pages stay untouched. */
static void *permi_allocate_zeros(const perm_allocator *allocator, size_t count, size_t size)
{
  if (!allocator->allocate && count && size)
    return permi_prefer_huge_pages(calloc(count, size), count * size);
  void *memory = permi_allocate(allocator, count, size);
  return memory ? memset(memory, 0, count * size) : NULL;
}

static void permi_release(const perm_allocator *allocator, void *pointer)
{
  if (!pointer)
    return;
  if (allocator->release)
    allocator->release(pointer, allocator->user_data);
  else if (!allocator->allocate) /* an arena may have no release */
    free(pointer);
}

/* Workspaces: released blocks by classes of sizes, four to a power of two. A block's head holds its class. */
#define PERMI_WORKSPACE_HEAD 16
#define PERMI_MALLOC_BYTES 16
#define PERMI_WORKSPACE_CLASSES 256
typedef struct permi_workspace {
  perm_allocator under;
  double held, limit; /* bytes of all blocks; their limit, of the call's max_bytes */
  void *idle[PERMI_WORKSPACE_CLASSES];
} permi_workspace;

/* Returns the class for so many bytes, *size the block's, with malloc's. */
static size_t permi_workspace_class(size_t bytes, size_t *size)
{
  size_t units = bytes / 16 + (bytes % 16 > 0) + (PERMI_WORKSPACE_HEAD + PERMI_MALLOC_BYTES) / 16, shift = 0;
  for (; units > 7; shift++)
    units = units / 2 + (units & 1);
  *size = units << shift << 4;
  return 4 * shift + units;
}

static void permi_workspace_trim(permi_workspace *workspace)
{
  size_t k, size;
  for (k = 0; k < PERMI_WORKSPACE_CLASSES; k++)
    while (workspace->idle[k]) {
      void *block = workspace->idle[k];
      memcpy(&workspace->idle[k], (char *)block + PERMI_WORKSPACE_HEAD, sizeof block);
      memcpy(&size, (char *)block + sizeof size, sizeof size);
      workspace->held -= (double)size;
      permi_release(&workspace->under, block);
    }
}

static void *permi_workspace_allocate(size_t bytes, void *user_data)
{
  permi_workspace *workspace = (permi_workspace *)user_data;
  size_t size;
  const size_t own = bytes > SIZE_MAX / 2 ? 0 : permi_workspace_class(bytes, &size);
  char *block = own ? (char *)workspace->idle[own] : NULL;
  if (!own)
    return NULL;
  if (block) {
    memcpy(&workspace->idle[own], block + PERMI_WORKSPACE_HEAD, sizeof(void *));
    return block + PERMI_WORKSPACE_HEAD;
  }
  if (workspace->held + (double)size > workspace->limit)
    permi_workspace_trim(workspace);
  block = (char *)permi_allocate(&workspace->under, size - PERMI_MALLOC_BYTES, 1);
  if (!block)
    return NULL;
  memcpy(block, &own, sizeof own);
  memcpy(block + sizeof own, &size, sizeof size);
  workspace->held += (double)size;
  return block + PERMI_WORKSPACE_HEAD;
}

static void permi_workspace_release(void *pointer, void *user_data)
{
  permi_workspace *workspace = (permi_workspace *)user_data;
  char *block = (char *)pointer - PERMI_WORKSPACE_HEAD;
  size_t own;
  memcpy(&own, block, sizeof own);
  memcpy(pointer, &workspace->idle[own], sizeof pointer);
  workspace->idle[own] = block;
}

static void permi_workspace_limit(const perm_allocator *allocator, double limit)
{
  permi_workspace *workspace = (permi_workspace *)allocator->user_data;
  if (allocator->allocate != permi_workspace_allocate)
    return;
  workspace->limit = limit;
  if (workspace->held > limit)
    permi_workspace_trim(workspace);
}

PERM_API perm_status perm_workspace_create(const perm_allocator *under, perm_allocator *allocator)
{
  static const perm_allocator none = {NULL, NULL, NULL};
  if (!allocator)
    return PERM_ERROR_NULL;
  under = under ? under : &none;
  if (!under->allocate != !under->release)
    return PERM_ERROR_OPTION;
  permi_workspace *workspace = (permi_workspace *)permi_allocate_zeros(under, 1, sizeof *workspace);
  if (!workspace)
    return PERM_ERROR_MEMORY;
  workspace->under = *under;
  workspace->limit = (double)INFINITY;
  allocator->allocate = permi_workspace_allocate;
  allocator->release = permi_workspace_release;
  allocator->user_data = workspace;
  return PERM_OK;
}

PERM_API void perm_workspace_free(perm_allocator *allocator)
{
  permi_workspace *workspace = allocator ? (permi_workspace *)allocator->user_data : NULL;
  if (!allocator || allocator->allocate != permi_workspace_allocate)
    return;
  permi_workspace_trim(workspace);
  *allocator = workspace->under;
  permi_release(allocator, workspace);
}

typedef struct permi_pool {
  const perm_allocator *allocator;
  void *last;
  int failed;
} permi_pool;

/* Without memory sets pool->failed for good. */
PERMI_UNUSED static void *permi_pool_get(permi_pool *pool, size_t count, size_t size)
{
  const size_t head = 16; /* alignment */
  char *block = NULL;
  if (!pool->failed && count <= (SIZE_MAX - head) / size)
    block = (char *)permi_allocate(pool->allocator, 1, head + count * size);
  pool->failed = !block;
  if (!block)
    return NULL;
  memcpy(block, &pool->last, sizeof pool->last);
  pool->last = block;
  return block + head;
}

PERMI_UNUSED static void *permi_pool_zeros(permi_pool *pool, size_t count, size_t size)
{
  void *memory = permi_pool_get(pool, count, size);
  return memory ? memset(memory, 0, count * size) : NULL;
}

PERMI_UNUSED static void *permi_pool_kept(permi_pool *pool, const void *from, size_t count, size_t size)
{
  void *kept = from ? permi_pool_get(pool, count, size) : NULL;
  return kept && count ? memcpy(kept, from, count * size) : kept;
}

PERMI_UNUSED static void permi_pool_release(permi_pool *pool)
{
  while (pool->last) {
    void *block = pool->last;
    memcpy(&pool->last, block, sizeof pool->last);
    permi_release(pool->allocator, block);
  }
}

/* Returns log2 n! to 2e-12 (lgamma writes a global: a data race). */
static double permi_log2_factorial(double n)
{
  double x = n + 1, below = 1, y;
  for (; x < 10; x++)
    below *= x;
  y = 1 / (x * x);
  return ((x - 0.5) * log(x) - x + 0.91893853320467274 +
          (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y / 1680))) / x - log(below)) / 0.6931471805599453;
}

/* In files and fingerprints 1 and 2 are precisions that are gone. */
static int permi_precision_number(perm_precision precision)
{
  return precision == PERM_PRECISION_DEFAULT ? 0 : (int)precision + 2;
}

static const perm_options *permi_options(const perm_options *options)
{
  static const perm_options defaults = {PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, PERM_ISA_AUTO, 0, 0, 0, 0, 0, 0, 0,
                                        NULL, NULL, NULL, {NULL, NULL, NULL}, {0, 0, NULL, 0, NULL},
                                        {NULL, 0, 0, 0, NULL, NULL}, NULL, PERM_FORMAT_AUTO};
  return options ? options : &defaults;
}

/* Returns 1 for one job in several calls, whose limits must not change the plan. */
static int permi_in_pieces(const perm_options *options)
{
  return options->checkpoint.file || options->checkpoint.parts || options->checkpoint.merge;
}

static void permi_result_clear(perm_result *result)
{
  if (result)
    memset(result, 0, sizeof *result);
}

/* Spares a kilobyte, which would take longer than a small permanent. */
static void permi_result_clear_brief(perm_result *result)
{
  memset(result, 0, offsetof(perm_result, integer) + offsetof(perm_integer, word));
  memset(&result->imaginary_integer, 0, offsetof(perm_integer, word));
  memset(&result->modulus, 0, offsetof(perm_result, message) + 1 - offsetof(perm_result, modulus));
}

static void permi_result_by(perm_result *result, int parts, perm_method method, perm_precision precision, perm_isa isa,
                            double terms)
{
  result->is_complex = parts == 2;
  result->method = method;
  result->precision = precision;
  result->isa = isa;
  result->threads = 1;
  result->terms = terms;
}

static void permi_put_point(char *number)
{
  char *at = number + strspn(number, "+-0123456789"), *rest = at + strcspn(at, "0123456789");
  if (*at != 'e' && *rest) {
    *at = '.';
    memmove(at + 1, rest, strlen(rest) + 1);
  }
}

/* vsnprintf with a point in every locale; conversions d u x of int and long long, s c e f g. */
static size_t permi_vsay(char *buffer, size_t size, const char *format, va_list arguments)
{
  size_t length = 0;
  for (; *format; format++) {
    const size_t room = length < size ? size - length : 0;
    char one[32] = "%", number[352], *at = room ? buffer + length : NULL;
    size_t used = 1;
    int wide = 0;
    if (*format != '%') {
      if (room)
        *at = *format;
      length++;
      continue;
    }
    while (!strchr("duxscgef%", *++format)) {
      wide |= *format == 'l';
      if (*format == '*')
        used += (size_t)snprintf(one + used, sizeof one - used, "%d", va_arg(arguments, int));
      else
        one[used++] = *format;
    }
    one[used] = *format;
    one[used + 1] = 0;
    if (*format == 's') {
      length += (size_t)snprintf(at, room, one, va_arg(arguments, const char *));
      continue;
    }
    if (strchr("gef", *format)) {
      snprintf(number, sizeof number, one, va_arg(arguments, double));
      permi_put_point(number);
    } else if (wide) {
      snprintf(number, sizeof number, one, va_arg(arguments, long long));
    } else {
      snprintf(number, sizeof number, one, *format == '%' ? 0 : va_arg(arguments, int));
    }
    length += (size_t)snprintf(at, room, "%s", number);
  }
  if (size)
    buffer[length < size ? length : size - 1] = 0;
  return length;
}

PERMI_PRINTF(3, 4)
static size_t permi_say(char *buffer, size_t size, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const size_t length = permi_vsay(buffer, size, format, arguments);
  va_end(arguments);
  return length;
}

/* Sets NaN, so that an ignored status cannot look plausible. */
PERMI_PRINTF(4, 5)
static perm_status permi_fail(perm_result *result, perm_status status, int argument, const char *format, ...)
{
  if (result) {
    va_list arguments;
    permi_result_clear(result);
    result->value = result->imaginary = (double)NAN;
    result->error_bound = result->error_estimate = (double)INFINITY;
    result->status = status;
    result->argument = argument;
    va_start(arguments, format);
    permi_vsay(result->message, sizeof result->message, format, arguments);
    va_end(arguments);
  }
  return status;
}

static perm_status permi_fail_memory(perm_result *result)
{
  return permi_fail(result, PERM_ERROR_MEMORY, 0, "out of memory");
}

/* Returns 1 if rows do not overlap and a ptrdiff_t counts their bytes. */
static int permi_stride_fits(int m, int n, ptrdiff_t stride, int bytes)
{
  return stride >= n && (((double)m - 1) * (double)stride + (double)n) * bytes < (double)PTRDIFF_MAX;
}

static perm_status permi_fail_stride(perm_result *result, int argument, const char *name, int m, int n,
                                     ptrdiff_t stride)
{
  return permi_fail(result, PERM_ERROR_STRIDE, argument,
                    stride < n ? "%s is %lld, smaller than the %d columns of a row"
                               : "%s is %lld: %d rows of so many numbers are more bytes than memory has",
                    name, (long long)stride, stride < n ? n : m);
}

/* A meter counts memory for max_bytes. A block's head holds its cost; the last holder releases the meter. */
#define PERMI_METER_HEAD 16
typedef struct permi_meter {
  perm_allocator under;
  double limit, input; /* bytes beside the input, bytes of it */
  size_t live, wanted; /* wanted: the most that were refused */
  size_t holders;
} permi_meter;

static size_t permi_count(size_t *number, size_t difference)
{
#if defined(__GNUC__)
  return __atomic_add_fetch(number, difference, __ATOMIC_ACQ_REL);
#else
  size_t now;
  PERMI_OMP(critical(permi_meter))
  now = *number += difference;
  return now;
#endif
}

static void permi_most(size_t *most, size_t number)
{
#if defined(__GNUC__)
  size_t before = __atomic_load_n(most, __ATOMIC_RELAXED);
  while (before < number &&
         !__atomic_compare_exchange_n(most, &before, number, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
#else
  PERMI_OMP(critical(permi_meter))
  *most = number > *most ? number : *most;
#endif
}

static void permi_meter_leave(permi_meter *meter)
{
  const perm_allocator under = meter->under;
  if (permi_count(&meter->holders, (size_t)-1) == 0)
    permi_release(&under, meter);
}

static void *permi_meter_allocate(size_t bytes, void *user_data)
{
  permi_meter *meter = (permi_meter *)user_data;
  size_t cost = (bytes + 15) / 16 * 16 + PERMI_METER_HEAD + PERMI_MALLOC_BYTES, now;
  char *memory = NULL;
  if (!meter || cost < bytes || cost > SIZE_MAX / 2)
    return NULL;
  if (meter->under.allocate == permi_workspace_allocate)
    permi_workspace_class(bytes + PERMI_METER_HEAD, &cost);
  now = permi_count(&meter->live, cost);
  if ((double)now > meter->limit)
    permi_most(&meter->wanted, now);
  else
    memory = (char *)permi_allocate(&meter->under, bytes + PERMI_METER_HEAD, 1);
  if (!memory) {
    permi_count(&meter->live, (size_t)0 - cost);
    return NULL;
  }
  memcpy(memory, &cost, sizeof cost);
  permi_count(&meter->holders, 1);
  return memory + PERMI_METER_HEAD;
}

static void permi_meter_release(void *pointer, void *user_data)
{
  permi_meter *meter = (permi_meter *)user_data;
  char *memory = (char *)pointer - PERMI_METER_HEAD;
  size_t cost;
  memcpy(&cost, memory, sizeof cost);
  permi_count(&meter->live, (size_t)0 - cost);
  permi_release(&meter->under, memory);
  permi_meter_leave(meter);
}

typedef struct permi_metered {
  permi_environment environment;
  perm_options options;
  permi_meter *meter;
} permi_metered;

/* Begins a call in a sound environment. Returns its options, with a meter for a limit that no outer call counts.
   Without memory for the meter every allocation fails. */
static const perm_options *permi_meter_begin(permi_metered *call, const perm_options *options_given, double input)
{
  const perm_options *options = permi_options(options_given);
  permi_environment_begin(&call->environment);
  call->meter = NULL;
  permi_workspace_limit(&options->allocator, options->max_bytes > 0 ? options->max_bytes - input : (double)INFINITY);
  if (!(options->max_bytes > 0) || options->allocator.allocate == permi_meter_allocate)
    return options;
  permi_meter *meter = (permi_meter *)permi_allocate_zeros(&options->allocator, 1, sizeof *meter);
  if (meter) {
    meter->under = options->allocator;
    meter->input = input;
    meter->limit = options->max_bytes - input;
    meter->holders = 1;
  }
  call->meter = meter;
  call->options = *options;
  call->options.allocator.allocate = permi_meter_allocate;
  call->options.allocator.release = permi_meter_release;
  call->options.allocator.user_data = meter;
  return &call->options;
}

/* Texts such as "3 h 12 min", "9e+12 years", "2.5 GB"; of 0 for a negative number or NaN. */
typedef struct permi_words_of {
  char text[128];
} permi_words_of;

static permi_words_of permi_time_words(double seconds)
{
  permi_words_of words;
  static const char *const unit[] = {"s", "ms", "us", "ns"};
  double s = fmax(seconds, 0);
  int k = 0;
  if (s < 59.95) {
    for (; k < 3 && s > 0 && s < 0.9995; k++)
      s *= 1000;
    permi_say(words.text, sizeof words.text, "%.3g %s", s, unit[k]);
  } else if (s < 172770) { /* whole seconds, from an hour on whole minutes */
    const double whole = s < 3599.5 ? floor(s + 0.5) : floor(s / 60 + 0.5);
    permi_say(words.text, sizeof words.text, s < 3599.5 ? "%.0f min %.0f s" : "%.0f h %.0f min", floor(whole / 60),
              fmod(whole, 60));
  } else if (s <= DBL_MAX) {
    permi_say(words.text, sizeof words.text, "%.3g %s", s / (s < 6.3e7 ? 86400 : 31557600),
              s < 6.3e7 ? "days" : "years");
  } else {
    snprintf(words.text, sizeof words.text, "for ever");
  }
  return words;
}

static permi_words_of permi_size_words(double bytes)
{
  static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  permi_words_of words;
  int k = 0;
  bytes = fmax(bytes, 0);
  for (; k < 6 && bytes >= 999.5; k++)
    bytes /= 1000;
  permi_say(words.text, sizeof words.text, "%.3g %s", bytes, bytes == 1 && !k ? "byte" : unit[k]);
  return words;
}

/* PERM_ERROR_MEMORY becomes PERM_ERROR_LIMIT if that was the reason. */
static perm_status permi_meter_verdict(const perm_allocator *allocator, perm_status status, perm_result *result)
{
  const permi_meter *meter = (const permi_meter *)allocator->user_data;
  if (status != PERM_ERROR_MEMORY || allocator->allocate != permi_meter_allocate || !meter || !meter->wanted)
    return status;
  return permi_fail(result, PERM_ERROR_LIMIT, 0,
                    meter->input > 0
                        ? "max_bytes = %s is too little: %s of input and at least %s of work are needed"
                        : "max_bytes = %s is too little: at least %s are needed",
                    permi_size_words(meter->limit + meter->input).text,
                    permi_size_words(meter->input > 0 ? meter->input : (double)meter->wanted).text,
                    permi_size_words((double)meter->wanted).text);
}

static perm_status permi_meter_end(const permi_metered *call, perm_status status, perm_result *result)
{
  if (call->meter) {
    status = permi_meter_verdict(&call->options.allocator, status, result);
    permi_meter_leave(call->meter);
  }
  return permi_environment_end(&call->environment, status);
}

static perm_status permi_kind(perm_status status, int parts, const perm_options *options, perm_result *result)
{
  if (status > 0 && result) {
    result->is_complex = parts == 2;
    result->modulus = permi_options(options)->modulus;
  }
  return status;
}

/* What max_bytes leaves beside the input; 0: no limit. */
static double permi_max_bytes(const perm_options *options)
{
  const permi_meter *meter = (const permi_meter *)options->allocator.user_data;
  return options->allocator.allocate != permi_meter_allocate ? options->max_bytes : fmax(meter ? meter->limit : 0, 1);
}

/* ======================================================================================== >>doubles */

/* Hashes against mistakes, not adversaries, alike on either byte order. */
static uint64_t permi_hash(uint64_t hash, uint64_t number)
{
  hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint64_t permi_bits(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
#if defined(__clang__) /* else compares doubles */
  __asm__("" : "+r"(bits));
#endif
  return bits;
}

/* Bits: denormals-are-zero takes subnormals for 0, clang's -fno-honor-nans any comparison for true. */
static int permi_is_zero(double x)
{
  return !(permi_bits(x) << 1);
}

/* Returns "NaN", "an infinity", or NULL. */
static const char *permi_not_finite(double x)
{
  const uint64_t bits = permi_bits(x) << 1;
  return bits >> 53 < 2047 ? NULL : bits << 11 ? "NaN" : "an infinity";
}

static uint64_t permi_hash_double(uint64_t hash, double x)
{
  const uint64_t bits = permi_bits(x);
  return permi_hash(hash, bits << 1 ? bits : 0); /* -0 and 0 are the same entry */
}

#define PERMI_VERSION (PERM_VERSION_MAJOR * 1000000 + PERM_VERSION_MINOR * 1000 + PERM_VERSION_PATCH)
#define PERMI_HASH_START UINT64_C(14695981039346656037)

/* Returns the e of frexp for x != 0, mostly without a call. */
static int permi_exponent(double x)
{
  int e = (int)(permi_bits(x) >> 52 & 2047) - 1022;
  if (e == -1022)
    frexp(x, &e);
  return e;
}

static int permi_log2_ceiling(double x) /* the least e with x <= 2^e; x > 0 */
{
  int e = permi_exponent(x);
  return ldexp(0.5, e) == x ? e - 1 : e;
}

static int permi_int_exponent(long long e)
{
  return e < -5000 ? -5000 : e > 5000 ? 5000 : (int)e;
}

static double permi_ldexp(double x, long long e)
{
  return ldexp(x, permi_int_exponent(e));
}

/* Returns x 2^e, exact unless the result is below the normal doubles. */
static double permi_shift(double x, int e)
{
  double power;
  if (e < -1000 || e > 1000)
    return ldexp(x, e);
  uint64_t bits = (uint64_t)(e + 1023) << 52;
  memcpy(&power, &bits, sizeof power);
  return x * power;
}

/* Double-double: an unevaluated sum hi + lo with |lo| <= ulp(hi)/2 [Hig02, 27.9]; proofs: tests/proofs/doubles.g,
   tests/proofs/exact_sums.v. */
typedef struct permi_dd {
  double hi, lo;
} permi_dd;

/* Returns ab - c, rounded once if (ab rounded) - c is exact. Without the instruction fma takes a hundred times as long
   as Dekker's product [Dek71], exact in this range. */
static double permi_times_minus(double a, double b, double c)
{
#ifndef FP_FAST_FMA
  const double least = 3.4e-136, most = 2.9e135, split = 134217729.0; /* 2^-450, 2^450; 2^27 + 1 */
  const double x = fabs(a), y = fabs(b);
  if (x < most && y < most && (x > least || x == 0) && (y > least || y == 0)) {
    const double p = a * b, u = split * a, v = split * b, high = u - (u - a), other = v - (v - b);
    const double low = a - high, rest = b - other;
    return (p - c) + (((high * other - p) + high * rest + low * other) + low * rest);
  }
#endif
#if defined(_WIN32) /* some C libraries there round the product to 64 bits */
  if (a - a == 0 && b - b == 0 && (x > most || y > most || a * b != 0)) {
    int i, j;
    const double u = frexp(a, &i), v = frexp(b, &j);
    return ldexp(permi_times_minus(u, v, ldexp(c, -i - j)), i + j);
  }
#endif
  return fma(a, b, -c);
}
#if defined(_WIN32)
#define PERMI_REST(a, b, c) permi_times_minus(a, b, c)
#else
#define PERMI_REST(a, b, c) fma(a, b, -(c)) /* an instruction where the caller's target has it */
#endif

static permi_dd permi_two_sum(double a, double b)
{
  permi_dd s;
  s.hi = a + b;
  const double t = s.hi - a;
  s.lo = (a - (s.hi - t)) + (b - t);
  return s;
}

static permi_dd permi_dd_make(double x)
{
  const permi_dd r = {x, 0};
  return r;
}

static permi_dd permi_dd_add(permi_dd a, permi_dd b)
{
  permi_dd s = permi_two_sum(a.hi, b.hi), t = permi_two_sum(a.lo, b.lo);
  s = permi_two_sum(s.hi, s.lo + t.hi);
  return permi_two_sum(s.hi, s.lo + t.lo);
}

static permi_dd permi_dd_add_double(permi_dd a, double b)
{
  permi_dd s = permi_two_sum(a.hi, b), r;
  s.lo += a.lo;
  r.hi = s.hi + s.lo; /* |s.lo| <= |s.hi| or the sum is 0: Fast2Sum */
  r.lo = s.lo - (r.hi - s.hi);
  return r;
}

static permi_dd permi_dd_multiply(permi_dd a, permi_dd b)
{
  permi_dd p;
  p.hi = a.hi * b.hi;
  PERMI_KEEP_DOUBLE(p.hi);
  p.lo = PERMI_REST(a.hi, b.hi, p.hi);
  return permi_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

PERMI_UNUSED static permi_dd permi_dd_negate(permi_dd a)
{
  a.hi = -a.hi;
  a.lo = -a.lo;
  return a;
}

PERMI_UNUSED static permi_dd permi_dd_subtract(permi_dd a, permi_dd b)
{
  return permi_dd_add(a, permi_dd_negate(b));
}

static permi_dd permi_dd_scale(permi_dd a, int exp2)
{
  a.hi = ldexp(a.hi, exp2);
  a.lo = ldexp(a.lo, exp2);
  return a;
}

/* Returns 1 if arithmetic is IEEE, to nearest, with denormals, as bounds and integers in doubles need. Another object's
   flags can break that where >>platform cannot mend it. */
static int permi_arithmetic_is_sound(void)
{
  volatile double one = 1, tiny = PERMI_UNIT, half = 0.5, many = 49, none = (double)NAN;
  const double divisor = many, x = none, whole = many / divisor, seventh = 7 / divisor; /* or 7 * (1 / divisor) */
  permi_dd s = permi_two_sum(one, tiny * half);
  double product = (one + 2 * tiny) * (one + 2 * tiny);
  return permi_rounding_is_sound() && x != x && s.hi == 1 && s.lo == tiny / 2 && whole == 1 && seventh == 1.0 / 7 &&
         PERMI_REST(one + 2 * tiny, one + 2 * tiny, product) == 4 * tiny * tiny &&
         PERMI_REST(one + 2 * tiny, one - 2 * tiny, one) == -4 * tiny * tiny;
}

/* ======================================================================================= >>integers
   Magnitudes of 64-bit words, perm_sum and perm_integer. */

/* a += b and a -= b, of n words, return the carry, the borrow. */
static uint64_t permi_words_add(uint64_t *a, const uint64_t *b, int n)
{
  uint64_t carry = 0;
  for (int i = 0; i < n; i++) {
    uint64_t t = b[i] + carry;
    carry = t < carry;
    a[i] += t;
    carry += a[i] < t;
  }
  return carry;
}

static uint64_t permi_words_subtract(uint64_t *a, const uint64_t *b, int n)
{
  uint64_t borrow = 0;
  for (int i = 0; i < n; i++) {
    uint64_t t = b[i] + borrow, before = a[i];
    borrow = (t < borrow) | (before < t);
    a[i] = before - t;
  }
  return borrow;
}

typedef struct permi_wide {
  uint64_t low, high;
} permi_wide;

static permi_wide permi_multiply_words(uint64_t a, uint64_t b)
{
  permi_wide r;
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 permi_uint128;
  permi_uint128 p = (permi_uint128)a * b;
  r.low = (uint64_t)p;
  r.high = (uint64_t)(p >> 64);
#else
  uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), cross = a0 * b1 + (middle & 0xffffffffu);
  r.low = cross << 32 | (low & 0xffffffffu);
  r.high = a1 * b1 + (middle >> 32) + (cross >> 32);
#endif
  return r;
}

static permi_wide permi_wide_of(int64_t x)
{
  const permi_wide r = {(uint64_t)x, x < 0 ? UINT64_MAX : 0};
  return r;
}

static void permi_wide_add(permi_wide *sum, permi_wide x)
{
  sum->low += x.low;
  sum->high += x.high + (sum->low < x.low);
}

PERMI_UNUSED static permi_wide permi_wide_negate(permi_wide x)
{
  x.low = ~x.low + 1;
  x.high = ~x.high + (x.low == 0);
  return x;
}

/* y = c x, y += c x or y -= c x (sign 0, 1, -1); returns carry or borrow. */
static PERMI_ALWAYS_INLINE uint64_t permi_words_times(uint64_t *y, const uint64_t *x, int words, uint64_t c, int sign)
{
  uint64_t carry = 0;
  for (int i = 0; i < words; i++) {
    permi_wide p = permi_multiply_words(x[i], c);
    if (!sign) { /* 4 % of the exact kernel for long entries */
      y[i] = p.low + carry;
      carry = p.high + (y[i] < carry);
      continue;
    }
    p.low += carry;
    carry = p.high + (p.low < carry);
    if (sign > 0) {
      y[i] += p.low;
      carry += y[i] < p.low;
    } else {
      carry += y[i] < p.low;
      y[i] -= p.low;
    }
  }
  return carry;
}

/* Returns whether x is negative; magnitude may be x. */
static int permi_words_magnitude(uint64_t *magnitude, const uint64_t *x, int words)
{
  const int negative = (int)(x[words - 1] >> 63);
  uint64_t carry = (uint64_t)negative;
  for (int i = 0; i < words; i++) {
    magnitude[i] = (negative ? ~x[i] : x[i]) + carry;
    carry = carry && !magnitude[i];
  }
  return negative;
}

/* Returns the magnitude times 2^-*exp2, rounded to nearest (ties to even): from 2^63 to 2^64, or 0. */
static double permi_words_double(const uint64_t *word, int words, int *exp2)
{
  uint64_t top, below = 0;
  int w = words - 1, lead = 0, i;
  *exp2 = 0;
  while (w >= 0 && !word[w])
    w--;
  if (w < 0)
    return 0;
  top = word[w];
  for (; !(top >> 63); lead++)
    top <<= 1;
  if (w > 0) {
    top |= lead ? word[w - 1] >> (64 - lead) : 0;
    below = word[w - 1] << lead;
  }
  for (i = 0; i < w - 1; i++)
    below |= word[i];
  *exp2 = 64 * w - lead;
  return (double)(top | (below != 0)); /* 64 bits round as all would */
}

/* Adds x 2^bit units of 2^-1074 to the accumulator [Kul13], or subtracts: s - x = ~(~s + x). */
static void permi_sum_add_bits(perm_sum *sum, uint64_t x, int bit, int subtract)
{
  const uint64_t flip = subtract ? UINT64_MAX : 0;
  const int shift = bit & 63;
  const uint64_t low = x << shift, high = shift ? x >> (64 - shift) : 0;
  uint64_t *word = sum->word + (bit >> 6), *end = sum->word + PERM_SUM_WORDS;
  uint64_t now = (*word ^ flip) + low, carry = high + (now < low);
  *word = now ^ flip;
  while (carry && ++word < end) {
    now = (*word ^ flip) + carry;
    *word = now ^ flip;
    carry = now < carry;
  }
}

static void permi_sum_add_double(perm_sum *sum, double x) /* x finite */
{
  const uint64_t bits = permi_bits(x);
  const int exponent = (int)(bits >> 52 & 2047);
  const uint64_t mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(exponent != 0) << 52;
  permi_sum_add_bits(sum, mantissa, exponent ? exponent - 1 : 0, (int)(bits >> 63));
}

static void permi_sum_add_dd(perm_sum *sum, permi_dd x)
{
  permi_sum_add_double(sum, x.hi);
  permi_sum_add_double(sum, x.lo);
}

static void permi_sum_add(perm_sum *sum, const perm_sum *other)
{
  permi_words_add(sum->word, other->word, PERM_SUM_WORDS);
}

PERMI_UNUSED
static void permi_sum_add_integer(perm_sum *sum, const uint64_t *magnitude, int words, int negative)
{
  for (int i = 0; i < words && i < PERM_SUM_WORDS - 17; i++)
    permi_sum_add_bits(sum, magnitude[i], 1074 + 64 * i, negative);
}

/* *sum = |*sum|; returns whether it was negative. */
static int permi_sum_drop_sign(perm_sum *sum)
{
  return sum->word[PERM_SUM_WORDS - 1] >> 63 && permi_words_magnitude(sum->word, sum->word, PERM_SUM_WORDS);
}

/* Returns the sum to about 106 bits as hi + lo times 2^*exp2, 1/2 <= |hi| <= 1 or 0. */
static permi_dd permi_sum_value(const perm_sum *sum, long long *exp2)
{
  permi_dd r = {0, 0};
  perm_sum rest = *sum;
  const int negative = permi_sum_drop_sign(&rest);
  int e, rest_e;
  *exp2 = 0;
  r.hi = permi_words_double(rest.word, PERM_SUM_WORDS, &e);
  if (r.hi == 0)
    return r;
  const uint64_t mantissa = (uint64_t)(r.hi / 2048); /* hi is a multiple of 2^11 */
  if (e + 11 < 0) /* the sum has fewer than 53 bits */
    permi_sum_add_bits(&rest, mantissa >> (-e - 11), 0, 1);
  else
    permi_sum_add_bits(&rest, mantissa, e + 11, 1);
  double low = permi_sum_drop_sign(&rest) ? -1 : 1;
  low *= permi_words_double(rest.word, PERM_SUM_WORDS, &rest_e);
  r.lo = ldexp(low, rest_e - e);
  *exp2 = (long long)e - 1074 + 64;
  return permi_dd_scale(negative ? permi_dd_negate(r) : r, -64);
}

static void permi_sum_add_signed(perm_sum *sum, const uint64_t *x, int words)
{
  uint64_t magnitude[PERM_INTEGER_WORDS + 4];
  const int negative = permi_words_magnitude(magnitude, x, words);
  permi_sum_add_integer(sum, magnitude, words, negative);
}

static void permi_integer_trim(perm_integer *a)
{
  for (a->words = PERM_INTEGER_WORDS; a->words && !a->word[a->words - 1];)
    a->words--;
  a->negative = a->words && a->negative;
}

PERMI_UNUSED static perm_integer permi_integer_of(int64_t x)
{
  perm_integer a;
  memset(&a, 0, sizeof a);
  a.negative = permi_words_magnitude(a.word, (const uint64_t *)&x, 1);
  a.words = x != 0;
  return a;
}

/* Returns 0 if the result is too long, as _multiply. */
static int permi_integer_add(perm_integer *a, const perm_integer *b, int subtract)
{
  int negative = b->negative ^ subtract;
  if (a->negative == negative) {
    if (permi_words_add(a->word, b->word, PERM_INTEGER_WORDS))
      return 0;
  } else if (permi_words_subtract(a->word, b->word, PERM_INTEGER_WORDS)) { /* b is larger */
    uint64_t negated[PERM_INTEGER_WORDS] = {0};
    permi_words_subtract(negated, a->word, PERM_INTEGER_WORDS);
    memcpy(a->word, negated, sizeof negated);
    a->negative = negative;
  }
  permi_integer_trim(a);
  return 1;
}

static int permi_integer_multiply(const perm_integer *a, const perm_integer *b, perm_integer *product)
{
  uint64_t word[2 * PERM_INTEGER_WORDS] = {0};
  for (int i = 0; i < a->words; i++)
    word[i + b->words] = permi_words_times(word + i, b->word, b->words, a->word[i], 1);
  for (int i = PERM_INTEGER_WORDS; i < 2 * PERM_INTEGER_WORDS; i++)
    if (word[i])
      return 0;
  product->negative = a->negative != b->negative;
  memcpy(product->word, word, sizeof product->word);
  permi_integer_trim(product);
  return 1;
}

/* a *= 2^-k; returns 0 unless that is an integer. */
static int permi_integer_halve(perm_integer *a, int k)
{
  int words = k / 64, bits = k % 64, i;
  for (i = 0; i < words && i < PERM_INTEGER_WORDS; i++)
    if (a->word[i])
      return 0;
  if (words < PERM_INTEGER_WORDS && bits && a->word[words] << (64 - bits))
    return 0;
  for (i = 0; i < PERM_INTEGER_WORDS; i++) {
    uint64_t low = i + words < PERM_INTEGER_WORDS ? a->word[i + words] : 0;
    uint64_t high = i + words + 1 < PERM_INTEGER_WORDS ? a->word[i + words + 1] : 0;
    a->word[i] = bits ? low >> bits | high << (64 - bits) : low;
  }
  permi_integer_trim(a);
  return 1;
}

/* Returns the two words modulo p, high < p <= 2^63. */
static uint64_t permi_residue_wide(uint64_t high, uint64_t low, uint64_t p)
{
#if defined(__SIZEOF_INT128__) && !defined(_MSC_VER) /* nothing to divide them */
  __extension__ typedef unsigned __int128 permi_uint128;
  return (uint64_t)(((permi_uint128)high << 64 | low) % p);
#else
  for (int i = 63; i >= 0; i--) {
    high = high << 1 | (low >> i & 1);
    high -= high >= p ? p : 0;
  }
  return high;
#endif
}

/* p <= 2^63 */
static uint64_t permi_words_residue(const uint64_t *word, int words, int negative, uint64_t p)
{
  uint64_t rest = 0;
  while (words-- > 0)
    rest = permi_residue_wide(rest, word[words], p);
  return negative && rest ? p - rest : rest;
}

static uint64_t permi_wide_residue(permi_wide x, uint64_t p)
{
  uint64_t word[2];
  const int negative = permi_words_magnitude(word, &x.low, 2);
  return permi_words_residue(word, 2, negative, p);
}

static void permi_integer_reduce(perm_integer *a, uint64_t p)
{
  const uint64_t rest = permi_words_residue(a->word, a->words, a->negative, p);
  memset(a, 0, sizeof *a);
  a->word[0] = rest;
  a->words = rest != 0;
}

/* Returns 0 for a fraction, or if too long. */
static int permi_sum_integer(const perm_sum *sum, perm_integer *integer)
{
  perm_sum r = *sum;
  integer->negative = permi_sum_drop_sign(&r);
  for (int i = 0; i < 16; i++)
    if (r.word[i])
      return 0;
  if (r.word[16] & ((UINT64_C(1) << 50) - 1) || r.word[PERM_SUM_WORDS - 1] >> 50)
    return 0;
  for (int i = 0; i < PERM_INTEGER_WORDS; i++)
    integer->word[i] = r.word[16 + i] >> 50 | r.word[17 + i] << 14;
  permi_integer_trim(integer);
  return 1;
}

/* A borrowed array; entry (i, j) has its parts at a[(i ld + j) parts]. */
typedef struct permi_integer_view {
  const int64_t *a;
  ptrdiff_t ld;
  int parts; /* 2: Gaussian */
} permi_integer_view;

/* ---- the numbers of a job */

typedef struct permi_number {
  permi_dd value, imaginary; /* (value + i imaginary) 2^exp2 */
  long long exp2;
  double error, estimate; /* in units of 2^exp2; error may be INFINITY */
  int exact;
  perm_integer integer, imaginary_integer;
} permi_number;

static permi_number permi_number_one(void)
{
  permi_number one;
  memset(&one, 0, sizeof one);
  one.value.hi = 1;
  one.exact = 1;
  one.integer.words = 1;
  one.integer.word[0] = 1;
  return one;
}

/* Returns 1 to 1.42 times the modulus of a + bi: never divide by it. */
static double permi_modulus(double a, double b)
{
  return (fabs(a) + fabs(b)) * (b != 0 ? 1 + 4 * PERMI_UNIT : 1);
}

/* Changes to units 2^d as large. */
static void permi_number_raise(permi_number *a, long long d)
{
  const int shift = -permi_int_exponent(d);
  a->value = permi_dd_scale(a->value, shift);
  a->imaginary = permi_dd_scale(a->imaginary, shift);
  a->error = ldexp(a->error, shift);
  a->estimate = ldexp(a->estimate, shift);
  a->exp2 += d;
}

/* Brings the larger of |value| and |imaginary|, or of 0 the error or estimate, exactly into [1/2, 1]: no overflow. */
static void permi_number_normalise(permi_number *a)
{
  double lead = fmax(fabs(a->value.hi), fabs(a->imaginary.hi));
  if (lead == 0 && a->error < (double)INFINITY)
    lead = a->error;
  if (lead == 0 && a->estimate < (double)INFINITY)
    lead = a->estimate;
  if (lead != 0)
    permi_number_raise(a, permi_exponent(lead));
}

/* Returns ab, rounded up if it underflows; 0 times infinity is 0. */
static double permi_times(double a, double b)
{
  return a == 0 || b == 0 ? 0 : fmax(a * b, DBL_MIN);
}

static void permi_dd_multiply_complex(permi_dd *a, permi_dd *b, permi_dd c, permi_dd d)
{
  const permi_dd bd = permi_dd_multiply(*b, d), ad = permi_dd_multiply(*a, d);
  *a = permi_dd_add(permi_dd_multiply(*a, c), permi_dd_negate(bd));
  *b = permi_dd_add(ad, permi_dd_multiply(*b, c));
}

typedef struct permi_dd_complex {
  permi_dd re, im;
} permi_dd_complex;

PERMI_UNUSED
static permi_dd_complex permi_dd_complex_times(permi_dd_complex a, permi_dd_complex b, int parts)
{
  if (parts == 1)
    a.re = permi_dd_multiply(a.re, b.re);
  else
    permi_dd_multiply_complex(&a.re, &a.im, b.re, b.im);
  return a;
}

static int permi_integers_multiply(permi_number *a, const permi_number *b)
{
  perm_integer real, imaginary, product;
  if (!permi_integer_multiply(&a->integer, &b->integer, &real))
    return 0;
  if (a->imaginary_integer.words || b->imaginary_integer.words) {
    if (!permi_integer_multiply(&a->imaginary_integer, &b->imaginary_integer, &product) ||
        !permi_integer_add(&real, &product, 1) ||
        !permi_integer_multiply(&a->integer, &b->imaginary_integer, &imaginary) ||
        !permi_integer_multiply(&a->imaginary_integer, &b->integer, &product) ||
        !permi_integer_add(&imaginary, &product, 0))
      return 0;
    a->imaginary_integer = imaginary;
  }
  a->integer = real;
  return 1;
}

/* a *= b. |ab - AB| <= |a| eb + |b| ea + ea eb + 4 * 2^-100 |a| |b|, the last for the double-double product; 1 + 1e-12
   pays for rounding this line (tests/proofs/doubles.g). PERM_ERROR_OVERFLOW: an exact product is too long. */
PERMI_UNUSED
static perm_status permi_number_multiply(permi_number *a, const permi_number *b_given)
{
  permi_number b = *b_given;
  permi_number_normalise(a);
  permi_number_normalise(&b);
  const double x = permi_modulus(a->value.hi, a->imaginary.hi), y = permi_modulus(b.value.hi, b.imaginary.hi);
  if (a->exact && b.exact && !permi_integers_multiply(a, &b))
    return PERM_ERROR_OVERFLOW;
  a->exact = a->exact && b.exact;
  permi_dd_multiply_complex(&a->value, &a->imaginary, b.value, b.imaginary);
  a->error = (permi_times(x, b.error) + permi_times(y, a->error) + permi_times(a->error, b.error) +
              PERMI_DD_UNIT * 4 * x * y) *
             (1 + 1e-12);
  a->estimate = permi_times(x, b.estimate) + permi_times(y, a->estimate) + permi_times(a->estimate, b.estimate) +
                PERMI_DD_UNIT * x * y;
  a->exp2 += b.exp2;
  if (a->exact)
    a->error = a->estimate = 0;
  return PERM_OK;
}

static double permi_integer_double(const perm_integer *integer, int *exp2)
{
  const double r = permi_words_double(integer->word, PERM_INTEGER_WORDS, exp2);
  return integer->negative ? -r : r;
}

static int permi_fits(double x, int e)
{
  return x == 0 || x == (double)INFINITY || (ldexp(x, e) >= DBL_MIN && ldexp(x, e) <= DBL_MAX);
}

/* Writes a result, with exponent 0 if value and errors are then normal doubles. */
static void permi_number_result(const permi_number *number, perm_result *result)
{
  permi_number a = *number;
  int e;
  if (a.exact) {
    int other;
    a.value = permi_dd_make(permi_integer_double(&a.integer, &e));
    a.imaginary = permi_dd_make(permi_integer_double(&a.imaginary_integer, &other));
    a.exp2 = a.value.hi == 0 || (a.imaginary.hi != 0 && other > e) ? other : e;
    a.value.hi = permi_ldexp(a.value.hi, e - a.exp2);
    a.imaginary.hi = permi_ldexp(a.imaginary.hi, other - a.exp2);
    result->exact = 1;
    result->integer = a.integer;
    result->imaginary_integer = a.imaginary_integer;
  } else {
    double rounded = permi_modulus(a.value.lo, a.imaginary.lo);
    a.error = (a.error + rounded) * (1 + 4 * PERMI_UNIT);
    a.estimate += rounded;
    a.value.lo = a.imaginary.lo = 0;
  }
  permi_number_normalise(&a);
  if (a.value.hi == 0 && a.imaginary.hi == 0 && a.error == 0)
    a.exp2 = 0;
  if (a.exp2 >= -1021 && a.exp2 <= 1024 && permi_fits(a.error, (int)a.exp2) && permi_fits(a.estimate, (int)a.exp2) &&
      permi_fits(fabs(a.value.hi), (int)a.exp2) && permi_fits(fabs(a.imaginary.hi), (int)a.exp2))
    permi_number_raise(&a, -a.exp2);
  result->value = a.value.hi + 0; /* no -0 */
  result->imaginary = a.imaginary.hi + 0;
  result->exp2 = a.exp2;
  result->error_bound = a.exact ? 0 : a.error;
  result->error_estimate = a.exact ? 0 : a.estimate;
}

/* =========================================================================================== >>ring
   The values of all engines. Inlined functions get the algebra as a constant. */

/* A value: words or doubles, two for a double-double, real before imaginary, and last, if kept, the sum of all terms'
   moduli. Integers are modulo 2^(64 words). */
typedef enum permi_algebra {
  PERMI_MAGNITUDES, /* doubles >= 0: their own sum of moduli */
  PERMI_SIGNED,     /* with the sum of moduli, as complex numbers */
  PERMI_COMPLEX,
  PERMI_MAGNITUDES_DD,
  PERMI_SIGNED_DD,
  PERMI_COMPLEX_DD,
  PERMI_WORD,
  PERMI_WIDE,
  PERMI_WORDS,       /* of any number of words; also Gaussian */
  PERMI_RESIDUES,
  PERMI_PAIR_VALUES, /* without moduli */
  PERMI_PAIR_DD_VALUES
} permi_algebra;

typedef struct permi_numbers {
  permi_algebra algebra;
  int parts, words; /* parts 2: complex or Gaussian */
  uint64_t modulus; /* at most 2^63 */
} permi_numbers;

/* An entry, or a value of one word or double a part. */
typedef struct permi_coefficient {
  double real, imaginary, absolute, real_low, imaginary_low;
  int64_t integer[2]; /* real, imaginary; residues from 0 to modulus - 1 */
} permi_coefficient;

static PERMI_ALWAYS_INLINE int permi_algebra_is_dd(permi_algebra algebra)
{
  return (algebra >= PERMI_MAGNITUDES_DD && algebra <= PERMI_COMPLEX_DD) || algebra == PERMI_PAIR_DD_VALUES;
}

static PERMI_ALWAYS_INLINE int permi_algebra_has_moduli(permi_algebra algebra)
{
  return algebra <= PERMI_COMPLEX_DD && algebra % 3 != 0;
}

static PERMI_ALWAYS_INLINE int permi_algebra_is_integer(permi_algebra algebra)
{
  return algebra >= PERMI_WORD && algebra <= PERMI_RESIDUES;
}

static PERMI_ALWAYS_INLINE size_t permi_value_words(permi_algebra algebra, const permi_numbers *numbers)
{
  switch (algebra) {
  case PERMI_MAGNITUDES:
  case PERMI_WORD: return 1;
  case PERMI_SIGNED:
  case PERMI_MAGNITUDES_DD:
  case PERMI_WIDE:
  case PERMI_PAIR_VALUES: return 2;
  case PERMI_COMPLEX:
  case PERMI_SIGNED_DD: return 3;
  case PERMI_PAIR_DD_VALUES: return 4;
  case PERMI_COMPLEX_DD: return 5;
  default: return (size_t)(numbers->words * numbers->parts);
  }
}

static size_t permi_numbers_words(const permi_numbers *numbers)
{
  return permi_value_words(numbers->algebra, numbers);
}

static uint64_t permi_residue_multiply(uint64_t a, uint64_t b, uint64_t p)
{
  const permi_wide product = permi_multiply_words(a, b);
  return permi_residue_wide(product.high, product.low, p);
}

/* Returns x (c + low). In this order of operations the relative error is 3 u^2 for low = 0 [Theorem 3 of Joldes,
   Muller, Popescu, ACM Trans. Math. Softw. 44 (2017) 15res], below 10 u^2 with `low` (tests/proofs/doubles.g). */
static PERMI_ALWAYS_INLINE permi_dd permi_dd_times(permi_dd x, double c, double low)
{
  double rest = x.lo * c;
  permi_dd p;
  if (low != 0)
    rest += x.hi * low;
  p.hi = x.hi * c;
  PERMI_KEEP_DOUBLE(p.hi);
  p.lo = PERMI_REST(x.hi, c, p.hi);
  return permi_two_sum(p.hi, p.lo + rest);
}

static PERMI_ALWAYS_INLINE void permi_accumulate(double *y, double product, int fresh)
{
  *y = fresh ? product : *y + product;
}

static PERMI_ALWAYS_INLINE void permi_accumulate_dd(void *y, permi_dd product, int fresh)
{
  *(permi_dd *)y = fresh ? product : permi_dd_add(*(const permi_dd *)y, product);
}

static void permi_wide_add_product(permi_wide *y, const permi_wide *x, int64_t c)
{
  permi_wide p = permi_multiply_words(x->low, (uint64_t)c);
  p.high += x->high * (uint64_t)c - (c < 0 ? x->low : 0); /* (uint64_t)c = c + 2^64 for negative c */
  permi_wide_add(y, p);
}

/* y += c x, or y -= c x, modulo 2^(64 words), for a magnitude c of `length` words. */
static PERMI_ALWAYS_INLINE void permi_words_fuse(uint64_t *y, const uint64_t *x, int words, const uint64_t *c,
                                                 int length, int subtract)
{
  for (int k = 0; k < length && k < words; k++)
    if (c[k] && subtract)
      permi_words_times(y + k, x, words - k, c[k], -1);
    else if (c[k])
      permi_words_times(y + k, x, words - k, c[k], 1);
}

/* The same with c in two's complement, of one word if is_short, else of `words`; 2 parts: Gaussian. */
static PERMI_ALWAYS_INLINE void permi_words_accumulate_of(int words, int parts, const uint64_t *c, int is_short,
                                                          uint64_t *y, const uint64_t *x)
{
  for (int p = 0; p < parts; p++) {
    uint64_t magnitude;
    const int negative = is_short && permi_words_magnitude(&magnitude, c + p, 1);
    const uint64_t *factor = is_short ? &magnitude : c + p * words;
    for (int q = 0; q < parts; q++)
      permi_words_fuse(y + (p ^ q) * words, x + q * words, words, factor, is_short ? 1 : words, negative != (p & q));
  }
}

PERMI_UNUSED PERMI_NEVER_INLINE static void permi_words_accumulate(int words, int parts, const uint64_t *c, uint64_t *y,
                                                                   const uint64_t *x)
{
  permi_words_accumulate_of(words, parts, c, 0, y, x);
}

static void permi_residue_accumulate(uint64_t p, int parts, const int64_t *c, uint64_t *y, const uint64_t *x)
{
  for (int i = 0; i < parts; i++)
    for (int j = 0; j < parts; j++) {
      const uint64_t factor = (uint64_t)c[i];
      uint64_t *to = y + (i ^ j);
      *to += permi_residue_multiply(x[j], i & j && factor ? p - factor : factor, p);
      *to -= *to >= p ? p : 0;
    }
}

/* *y += *c *x, or = if fresh; x and y do not overlap. c may be NULL, 1, for PERMI_WORD and PERMI_WIDE. */
static PERMI_ALWAYS_INLINE void permi_value_add(permi_algebra algebra, const permi_numbers *numbers,
                                                const permi_coefficient *c, void *to, const void *from, int fresh)
{
  const double *x = (const double *)from;
  double *y = (double *)to;
  if (fresh && permi_algebra_is_integer(algebra))
    memset(to, 0, 8 * permi_value_words(algebra, numbers));
  switch (algebra) {
  case PERMI_MAGNITUDES:
  case PERMI_SIGNED:
    permi_accumulate(y, c->real * x[0], fresh);
    if (algebra == PERMI_SIGNED)
      permi_accumulate(y + 1, c->absolute * x[1], fresh);
    break;
  case PERMI_COMPLEX:
  case PERMI_PAIR_VALUES: {
    const double real = c->real * x[0] - c->imaginary * x[1], imaginary = c->real * x[1] + c->imaginary * x[0];
    const double absolute = algebra == PERMI_COMPLEX ? c->absolute * x[2] : 0;
    permi_accumulate(y, real, fresh);
    permi_accumulate(y + 1, imaginary, fresh);
    if (algebra == PERMI_COMPLEX)
      permi_accumulate(y + 2, absolute, fresh);
    break;
  }
  case PERMI_MAGNITUDES_DD:
  case PERMI_SIGNED_DD:
    permi_accumulate_dd(y, permi_dd_times(*(const permi_dd *)from, c->real, c->real_low), fresh);
    if (algebra == PERMI_SIGNED_DD)
      permi_accumulate(y + 2, c->absolute * x[2], fresh);
    break;
  case PERMI_COMPLEX_DD:
  case PERMI_PAIR_DD_VALUES: {
    const permi_dd *z = (const permi_dd *)from;
    permi_dd re = permi_dd_times(z[0], c->real, c->real_low), im = permi_dd_times(z[1], c->real, c->real_low);
    if (c->imaginary != 0) {
      re = permi_dd_add(re, permi_dd_times(z[1], -c->imaginary, -c->imaginary_low));
      im = permi_dd_add(im, permi_dd_times(z[0], c->imaginary, c->imaginary_low));
    }
    permi_accumulate_dd(y, re, fresh);
    permi_accumulate_dd(y + 2, im, fresh);
    if (algebra == PERMI_COMPLEX_DD)
      permi_accumulate(y + 4, c->absolute * x[4], fresh);
    break;
  }
  case PERMI_WORD:
    *(uint64_t *)to += (c ? (uint64_t)c->integer[0] : 1) * *(const uint64_t *)from;
    break;
  case PERMI_WIDE:
    if (c)
      permi_wide_add_product((permi_wide *)to, (const permi_wide *)from, c->integer[0]);
    else
      permi_wide_add((permi_wide *)to, *(const permi_wide *)from);
    break;
  case PERMI_WORDS:
    permi_words_accumulate_of(numbers->words, numbers->parts, (const uint64_t *)c->integer, 1, (uint64_t *)to,
                              (const uint64_t *)from);
    break;
  case PERMI_RESIDUES:
    permi_residue_accumulate(numbers->modulus, numbers->parts, c->integer, (uint64_t *)to, (const uint64_t *)from);
    break;
  }
}

static void permi_value_one(const permi_numbers *numbers, void *value)
{
  const size_t words = permi_numbers_words(numbers);
  double *x = (double *)value;
  memset(value, 0, words * sizeof *x);
  if (permi_algebra_is_integer(numbers->algebra))
    *(uint64_t *)value = 1;
  else
    x[0] = 1;
  if (permi_algebra_has_moduli(numbers->algebra))
    x[words - 1] = 1;
}

static void permi_value_sum_parts(const permi_numbers *numbers, const void *value, perm_partial *partial)
{
  const uint64_t *word = (const uint64_t *)value;
  const double *x = (const double *)value;
  const int apart = permi_algebra_is_dd(numbers->algebra) ? 2 : 1;
  for (int part = 0; part < numbers->parts; part++) {
    perm_sum *sum = part ? &partial->imaginary : &partial->value;
    if (permi_algebra_is_integer(numbers->algebra)) /* residues have no sign */
      permi_sum_add_signed(sum, word + part * numbers->words, numbers->words);
    else
      for (int k = 0; k < apart; k++)
        permi_sum_add_double(sum, x[part * apart + k]);
  }
}

/* ============================================================================================ >>cpu
   CPUID: what the processor can do; XGETBV: which registers the system saves. */

#if PERMI_X86
typedef struct permi_cpu { unsigned leaf_1_ecx, leaf_7_ebx, leaf_7_ecx, saved; } permi_cpu; /* saved: XCR0 */

#if !defined(PERMI_CPU_HIDE)
#define PERMI_CPU_HIDE(cpu) ((void)0)
#endif

static perm_isa permi_isa_of(const permi_cpu *cpu)
{
  const unsigned c = cpu->leaf_1_ecx, b7 = cpu->leaf_7_ebx, c7 = cpu->leaf_7_ecx;
  if (!(c >> 28 & 1) || !(c >> 12 & 1) || !(c >> 23 & 1)) /* AVX, FMA, POPCNT */
    return PERM_ISA_PLAIN;
  if ((cpu->saved & 6) != 6 || !(b7 >> 5 & 1)) /* ymm state; AVX2 */
    return PERM_ISA_PLAIN;
  if ((cpu->saved & 0xe6) != 0xe6 || !(b7 >> 16 & 1) || !(b7 >> 17 & 1) || !(b7 >> 30 & 1))
    return PERM_ISA_AVX2; /* zmm, masks; F, DQ, BW */
  return (b7 >> 31 & 1) && (b7 >> 21 & 1) && (c7 >> 1 & 1) && (c7 >> 6 & 1) /* AVX512VL, IFMA, VBMI, VBMI2 */
             ? PERM_ISA_AVX512IFMA
             : PERM_ISA_AVX512;
}

static perm_isa permi_detect_isa(void)
{
  permi_cpu cpu = {0, 0, 0, 0};
  unsigned a, b, c, d, low, high;
  if (__get_cpuid(1, &a, &b, &c, &d))
    cpu.leaf_1_ecx = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    cpu.leaf_7_ebx = b;
    cpu.leaf_7_ecx = c;
  }
  if (cpu.leaf_1_ecx >> 27 & 1) { /* OSXSAVE: there is an XGETBV */
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    cpu.saved = low;
  }
  PERMI_CPU_HIDE(&cpu);
  return permi_isa_of(&cpu);
}
#endif

PERM_API perm_isa perm_isa_best(void)
{
#if PERMI_X86
  static int cached; /* racing threads store the same value */
  int isa = __atomic_load_n(&cached, __ATOMIC_RELAXED);
  if (!isa) {
    isa = (int)permi_detect_isa();
    __atomic_store_n(&cached, isa, __ATOMIC_RELAXED);
  }
  return (perm_isa)isa;
#elif PERMI_ARM
  return PERM_ISA_NEON;
#else
  return PERM_ISA_PLAIN;
#endif
}

/* Families before NEON, of x86, include earlier ones. */
static int permi_isa_here(perm_isa isa)
{
  const perm_isa best = perm_isa_best();
  return isa <= PERM_ISA_PLAIN || isa == best || (isa < best && best < PERM_ISA_NEON);
}

/* Returns doubles a vector. */
static int permi_lanes(perm_isa isa)
{
#define PERMI_LANES(name, word, lanes) lanes,
  static const signed char lanes[] = {0, PERM_ISA_LIST(PERMI_LANES)};
#undef PERMI_LANES
  return lanes[isa];
}

PERMI_UNUSED static int permi_lanes_row(perm_isa isa)
{
  return permi_lanes(isa) >= 8 ? 0 : permi_lanes(isa) >= 4 ? 1 : 2;
}

static perm_isa permi_isa_doubles(perm_isa isa)
{
  return isa == PERM_ISA_AVX512IFMA ? PERM_ISA_AVX512 : isa;
}

static perm_isa permi_isa_asked(const perm_options *options)
{
  return options->isa == PERM_ISA_AUTO || options->isa == PERM_ISA_CUDA ? perm_isa_best() : options->isa;
}

static perm_isa permi_isa(const perm_options *options)
{
  return permi_isa_doubles(permi_isa_asked(options));
}

/* The widest family's kernel; _X86: not for NEON. */
#if PERMI_X86
#define PERMI_OF_X86(name, isa)                                                                                        \
  (permi_lanes(isa) >= 8 ? &name##_avx512 : permi_lanes(isa) >= 4 ? &name##_avx2 : &name##_plain)
#else
#define PERMI_OF_X86(name, isa) ((void)(isa), &name##_plain)
#endif
#if PERMI_ARM
#define PERMI_OF_FAMILY(name, isa) (permi_lanes(isa) >= 2 ? &name##_neon : &name##_plain)
#else
#define PERMI_OF_FAMILY(name, isa) PERMI_OF_X86(name, isa)
#endif

PERMI_BRIEF_BEGIN

/* ========================================================================================== >>files
   Replaces a file as a whole. Whatever fails:
     1. The file is absent, old or new, and whole: a closed, synced file is renamed to it.
     2. The temporary file is NAME.<16 hexadecimal digits>.tmp. O_EXCL creates it, so it follows no planted link; child
        programs do not inherit it; a failed write removes it.
     3. The next writer of NAME removes what killed processes left. Living writers hold a lock (flock); without locks
        nothing is removed.
     4. A replaced file keeps its mode, not owner and access lists. In between, 0600 is never wider.
     5. Only regular files are read or replaced: others could hang. A symbolic link is not written: the rename would
        miss its target, and following it could overwrite any file.
   A write beyond ulimit -f raises SIGXFSZ. Without POSIX there is no lock, sync, mode or check of kinds. */

/* For tests: returns an errno to fail with, or 0; may lower *bytes. */
#if !defined(PERMI_FILE_FAULT)
#define PERMI_FILE_FAULT(operation, bytes) 0
#endif
#define PERMI_STALE_BYTES 21 /* ".0123456789abcdef.tmp" */

typedef struct permi_replacement {
  const char *path, *failed;
  char *name;
  FILE *stream;
  int descriptor, kept; /* kept: the old file's mode, or -1 */
} permi_replacement;

#if PERMI_POSIX
#define PERMI_AGAIN(call)  \
  do                       \
    errno = 0;             \
  while ((call) < 0 && errno == EINTR)
#define PERMI_TRY(operation, call)              \
  do {                                          \
    errno = PERMI_FILE_FAULT(operation, NULL);  \
    if (!errno)                                 \
      PERMI_AGAIN(call);                        \
  } while (0)

#if defined(O_CLOEXEC)
#define PERMI_CLOEXEC O_CLOEXEC
#else
#define PERMI_CLOEXEC __O_CLOEXEC /* with -std=c99 */
#endif

static const char *permi_file_refusal(mode_t mode)
{
  return S_ISREG(mode)                       ? NULL
         : S_ISDIR(mode)                     ? "it is a directory, not a file"
         : S_ISFIFO(mode)                    ? "it is a FIFO, not a regular file"
         : S_ISCHR(mode) || S_ISBLK(mode)    ? "it is a device, not a regular file"
                                             : "it is a socket or the like, not a regular file";
}

/* Returns the length through the last slash. */
static size_t permi_file_directory(const char *path)
{
  size_t length = strlen(path);
  while (length && path[length - 1] != '/')
    length--;
  return length;
}

/* Removes what killed writers of `path` left; `name` is a buffer. */
static void permi_file_clean(const char *path, char *name)
{
  const size_t base = permi_file_directory(path), length = strlen(path) - base;
  const struct dirent *entry;
  memcpy(name, path, base);
  name[base] = 0;
  DIR *directory = opendir(base ? name : ".");
  while (directory && (entry = readdir(directory)) != NULL) {
    const char *stale = entry->d_name;
    int descriptor;
    if (strncmp(stale, path + base, length) || strlen(stale) != length + PERMI_STALE_BYTES || stale[length] != '.' ||
        strspn(stale + length + 1, "0123456789abcdef") != 16 || strcmp(stale + length + 17, ".tmp"))
      continue;
    memcpy(name + base, stale, length + PERMI_STALE_BYTES + 1);
    PERMI_AGAIN(descriptor = open(name, O_RDWR | O_NONBLOCK | PERMI_CLOEXEC));
    if (descriptor < 0)
      continue;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) /* of a link, the link goes */
      remove(name);
    close(descriptor);
  }
  if (directory)
    closedir(directory);
}

/* Also locks the temporary file; returns 0 or an errno. */
static int permi_file_create_new(permi_replacement *file)
{
  struct stat information;
  int code = EEXIST;
  PERMI_AGAIN(file->descriptor = open(file->name, O_WRONLY | O_CREAT | O_EXCL | PERMI_CLOEXEC,
                                      file->kept < 0 ? 0666 : 0600));
  if (file->descriptor < 0)
    return errno;
  /* unless a clean-up removed it */
  if ((flock(file->descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
      (fstat(file->descriptor, &information) < 0 || information.st_nlink > 0)) {
    file->stream = fdopen(file->descriptor, "wb");
    if (file->stream)
      return 0;
    code = errno ? errno : EIO;
    remove(file->name);
  }
  close(file->descriptor);
  return code;
}

static int permi_directory_sync(const char *path)
{
  int descriptor = -1, code;
  PERMI_TRY("open directory", descriptor = open(path, O_RDONLY | PERMI_CLOEXEC));
  if (descriptor < 0)
    return errno == EACCES ? 0 : errno;
  PERMI_TRY("sync directory", fsync(descriptor));
  code = errno == EINVAL ? 0 : errno;
  close(descriptor);
  return code;
}

#else
static int permi_file_create_new(permi_replacement *file)
{
  file->stream = fopen(file->name, "wbx");
  return file->stream ? 0 : errno ? errno : EIO;
}
#endif

/* Returns NULL and *why if opening fails; sets *missing if the file is absent. */
static FILE *permi_file_open(const char *path, const char **why, int *missing)
{
  FILE *file = NULL;
#if PERMI_POSIX
  struct stat information;
  int descriptor = -1;
  PERMI_TRY("open", descriptor = open(path, O_RDONLY | O_NONBLOCK | PERMI_CLOEXEC)); /* a FIFO would wait */
  *missing = descriptor < 0 && errno == ENOENT;
  if (descriptor < 0 || fstat(descriptor, &information) < 0)
    *why = strerror(errno);
  else if ((*why = permi_file_refusal(information.st_mode)) == NULL && !(file = fdopen(descriptor, "rb")))
    *why = strerror(errno);
  if (!file && descriptor >= 0)
    close(descriptor);
#else
  errno = PERMI_FILE_FAULT("open", NULL);
  if (!errno)
    file = fopen(path, "rb");
  *missing = !file && errno == ENOENT;
  *why = file ? NULL : strerror(errno);
#endif
  return file;
}

static int permi_file_create(permi_replacement *file)
{
  uint64_t number = permi_hash(permi_hash_double(PERMI_PROCESS, permi_seconds()), (uint64_t)time(NULL));
  int attempt, code = EEXIST;
  number = permi_hash(number, (uint64_t)(uintptr_t)&number);
  for (attempt = 0; attempt < 100 && code == EEXIST; attempt++) {
    snprintf(file->name, strlen(file->path) + PERMI_STALE_BYTES + 1, "%s.%016llx.tmp", file->path,
             (unsigned long long)(number = permi_hash(number, 1)));
    errno = PERMI_FILE_FAULT("create", NULL);
    code = errno ? errno : permi_file_create_new(file);
  }
  return code;
}

#if defined(_WIN32) /* whose rename replaces nothing */
PERMI_WINDOWS(int) MoveFileExA(const char *from, const char *to, unsigned long flags);
#define PERMI_RENAME(from, to) (MoveFileExA(from, to, 1 | 8) ? 0 : -1) /* replace; write through */
#else
#define PERMI_RENAME(from, to) rename(from, to)
#endif

/* Renames the file if code is 0, else removes it; returns 0 or an errno. `guard` holds the lock. */
static int permi_file_finish(permi_replacement *file, int code)
{
  int fault;
#if PERMI_POSIX
  const int guard = code ? -1 : dup(file->descriptor);
  const size_t length = permi_file_directory(file->path);
  if (!code && file->kept >= 0)
    (void)!fchmod(file->descriptor, (mode_t)file->kept); /* else it stays 0600 */
  if (!code) {
    PERMI_TRY("sync", fsync(file->descriptor));
    code = errno == EINVAL ? 0 : errno;
  }
#endif
  fault = PERMI_FILE_FAULT("close", NULL); /* network file systems report a full disk here */
  if (fclose(file->stream) != 0 && !fault)
    fault = errno == EINTR ? 0 : errno ? errno : EIO;
  code = code ? code : fault;
  if (!code) {
    file->failed = "rename";
    errno = PERMI_FILE_FAULT("rename", NULL);
    code = errno || PERMI_RENAME(file->name, file->path) != 0 ? errno ? errno : EIO : 0;
  }
  if (code && !PERMI_FILE_FAULT("remove", NULL))
    remove(file->name);
#if PERMI_POSIX
  if (guard >= 0)
    close(guard);
  if (!code) {
    file->failed = "sync the directory of";
    file->name[length] = 0;
    code = permi_directory_sync(length ? file->name : ".");
  }
#endif
  return code;
}

/* `print` writes *what (or returns 0 and sets errno); only tries if what is NULL. `clean` removes leftovers. Returns
   NULL, or why *failed (NULL: memory) failed. */
static const char *permi_file_replace(const char *path, const perm_allocator *allocator, int clean,
                                      int (*print)(FILE *stream, const void *what), const void *what,
                                      const char **failed)
{
  permi_replacement file;
  const char *why = NULL;
  int code = 0;
#if PERMI_POSIX
  struct stat information;
  char target;
#endif
  memset(&file, 0, sizeof file);
  file.path = path;
#if PERMI_POSIX
  file.kept = -1;
  if (readlink(path, &target, 1) >= 0) {
    why = "it is a symbolic link; name the file that it points to";
  } else if (stat(path, &information) == 0) { /* else creating the file will say why */
    file.kept = (int)(information.st_mode & 0777);
    why = permi_file_refusal(information.st_mode);
  }
#endif
  *failed = why ? "write" : NULL;
  if (!why && !(file.name = (char *)permi_allocate(allocator, strlen(path) + PERMI_STALE_BYTES + 1, 1)))
    return "out of memory";
  if (!why && (code = permi_file_create(&file)) != 0) {
    *failed = "create";
    why = strerror(code);
  }
  if (!why) {
    file.failed = "write";
    errno = 0;
    code = what && print(file.stream, what) && fflush(file.stream) == 0 ? 0 : errno ? errno : EIO;
    code = permi_file_finish(&file, code);
#if PERMI_POSIX
    if (clean)
      permi_file_clean(path, file.name);
#else
    (void)clean;
#endif
    *failed = file.failed;
    why = code && what ? strerror(code) : NULL;
  }
  permi_release(allocator, file.name);
  return why;
}

PERMI_BRIEF_END

/* ======================================================================================== >>control
   Cancellation, time limit, progress, checkpoints. Only the calling thread polls. */

typedef struct permi_control {
  const perm_options *options;
  double start, deadline, next_report;
  double work_total, work_before; /* predicted seconds of all leaves (planning: of the best offer), of finished ones */
  double expected; /* seconds, by the plan; 0: unknown */
  double fraction_start, fraction_time; /* of GPUs: when they had started */
  double next_checkpoint;
  int unwritten, gpus;
  char message[PERM_MESSAGE_BYTES];
  double worked, next_look, done;
  perm_status stopped;
  const char *activity;
} permi_control;

#if !defined(PERMI_WATCH_UNITS) /* tests look more often */
#define PERMI_WATCH_UNITS 1e7
#endif
#if !defined(PERMI_STOP_FAULT)
#define PERMI_STOP_FAULT() 0
#endif

static permi_control permi_control_begin(const perm_options *options)
{
  permi_control control;
  memset(&control, 0, sizeof control);
  control.options = options;
  control.start = permi_seconds();
  control.deadline = options->max_seconds > 0 ? control.start + options->max_seconds : (double)INFINITY;
  control.next_report = control.start + 0.2;
  control.next_checkpoint = (double)INFINITY;
  control.next_look = PERMI_WATCH_UNITS;
  return control;
}

/* The plan weighs as much as a hundredth of the work. */
static double permi_control_left(const permi_control *control, double fraction, double seconds)
{
  const double done = fraction - control->fraction_start, trust = control->expected > 0 ? 0.01 : 0;
  return done > 0 ? (seconds + trust * control->expected) * (1 - fraction) / (done + trust) : (double)INFINITY;
}

/* Returns why to stop, or PERM_OK; work_done: predicted seconds of this leaf. */
static perm_status permi_control_poll(permi_control *control, double work_done, const char *activity)
{
  const perm_options *options = control->options;
  if ((options->cancel && *options->cancel) || PERMI_STOP_FAULT())
    return PERM_STOPPED_CANCELLED;
  if (!options->progress && control->deadline == (double)INFINITY)
    return PERM_OK;
  const double now = permi_seconds();
  if (options->progress && now >= control->next_report) {
    perm_progress report;
    const double total = control->work_total > 0 ? control->work_total : 1;
    control->next_report = now + 0.1;
    report.fraction = fmin((control->work_before + work_done) / total, 1);
    report.seconds = now - control->start;
    if (options->gpu.devices && report.fraction > control->fraction_start && control->fraction_time == 0) {
      control->fraction_start = report.fraction;
      control->fraction_time = now;
    }
    report.seconds_left = permi_control_left(
        control, report.fraction, control->fraction_time > 0 ? now - control->fraction_time : report.seconds);
    report.activity = activity;
    if (options->progress(&report, options->user_data))
      return PERM_STOPPED_CANCELLED;
  }
  return now >= control->deadline ? PERM_STOPPED_TIME : PERM_OK;
}

/* Counts units, about nanoseconds. Returns 1 to stop. */
PERMI_UNUSED
static int permi_watch(permi_control *watch, double units)
{
  if (!watch)
    return 0;
  watch->worked += units;
  if (watch->worked >= watch->next_look && watch->stopped == PERM_OK) {
    watch->next_look = watch->worked + PERMI_WATCH_UNITS;
    watch->stopped = permi_control_poll(watch, watch->done, watch->activity ? watch->activity : "planning");
  }
  return watch->stopped != PERM_OK;
}

/* Uncounted by plans. */
PERMI_UNUSED
static int permi_watch_apart(permi_control *watch, double units)
{
  if (watch)
    watch->next_look -= units;
  return permi_watch(watch, 0);
}

/* Returns "max_seconds reached after 20 s of about 3 h 10 min". */
static permi_words_of permi_early_words(const permi_control *control, perm_status status)
{
  const double seconds = permi_seconds() - control->start, total = control->work_total;
  const double done = total > 0 ? control->work_before / total : 0;
  const double all = done > control->fraction_start ? seconds + permi_control_left(control, done, seconds) : total;
  permi_words_of words;
  snprintf(words.text, sizeof words.text, "%s", perm_status_text(status));
  if (all > 0 && all < (double)INFINITY)
    snprintf(words.text, sizeof words.text, "%.50s after %.20s%s%.20s%.15s", perm_status_text(status),
             permi_time_words(seconds).text, all < seconds ? ", predicted " : " of about ", permi_time_words(all).text,
             control->fraction_start > 0 && control->fraction_time == 0 ? " that were left" : "");
  return words;
}

static perm_status permi_fail_stopped(const permi_control *watch, perm_result *result)
{
  permi_fail(result, watch->stopped, 0, "%s while %s", permi_early_words(watch, watch->stopped).text,
             watch->activity ? watch->activity : "preparing");
  if (result)
    result->seconds = permi_seconds() - watch->start;
  return watch->stopped;
}

/* Copies bytes, or zeros if from is NULL, in pieces; returns 0 to stop. */
#define PERMI_PIECE ((size_t)1 << 24)
static int permi_copy(permi_control *watch, void *to, const void *from, size_t bytes)
{
  for (size_t k = 0; k < bytes; k += PERMI_PIECE) {
    const size_t piece = bytes - k < PERMI_PIECE ? bytes - k : PERMI_PIECE;
    if (k && permi_watch(watch, PERMI_PIECE))
      return 0;
    if (from)
      memcpy((char *)to + k, (const char *)from + k, piece);
    else
      memset((char *)to + k, 0, piece);
  }
  return 1;
}

#define PERMI_CHECKPOINT_DUE ((perm_status)1000)

static perm_status permi_control_poll_range(permi_control *control, double work_done, const char *activity)
{
  const perm_status status =
      permi_control_poll(control, work_done, control->unwritten ? "the checkpoint cannot be written" : activity);
  return status == PERM_OK && control->next_checkpoint < (double)INFINITY && permi_seconds() >= control->next_checkpoint
             ? PERMI_CHECKPOINT_DUE
             : status;
}

static const char *permi_bad_option(const perm_options *options)
{
  const perm_checkpoint_file *checkpoint = &options->checkpoint;
  const struct {
    int bad;
    const char *because;
  } rule[] = {
      {(int)options->method < 0 || options->method >= PERM_METHOD_COUNT || options->method == PERM_METHOD_STRUCTURE,
       "method is not one of perm_method"},
      {(int)options->precision < 0 || options->precision >= PERM_PRECISION_COUNT,
       "precision is not one of perm_precision"},
      {(int)options->isa < 0 || options->isa >= PERM_ISA_COUNT, "isa is not one of perm_isa"},
      {(int)options->format < 0 || options->format >= PERM_FORMAT_COUNT, "format is not one of perm_format"},
      {options->certify != 0 && options->certify != 1, "certify is neither 0 nor 1"},
      {options->threads < 0, "threads is negative (0 means all)"},
      {options->threads > 1 << 16, "threads is above 65536"},
      {options->modulus == 1 || options->modulus > UINT64_C(1) << 63,
       "modulus is not between 2 and 2^63 (0 means none)"},
      {!(options->tolerance >= 0) || options->tolerance == (double)INFINITY,
       "tolerance is negative or not finite (0 means none)"},
      {!(options->max_seconds >= 0), "max_seconds is negative or NaN (0 means no limit)"},
      {!(options->max_bytes >= 0), "max_bytes is negative or NaN (0 means no limit)"},
      {!(options->plan_effort >= 0 && options->plan_effort <= 1e6), "plan_effort is not between 0 and 1e6 (0 means 1)"},
      {options->gpu.devices < PERM_ALL_GPUS, "gpu.devices is below -1 (PERM_ALL_GPUS)"},
      {options->gpu.cpu_fallback != 0 && options->gpu.cpu_fallback != 1, "gpu.cpu_fallback is neither 0 nor 1"},
      {options->isa == PERM_ISA_CUDA && !options->gpu.devices, "isa cuda needs gpu.devices"},
      {(unsigned)options->gpu.resident > (options->gpu.devices ? 3 : 0), "gpu.resident is not 0 to 3 with gpu.devices"},
      {!(checkpoint->seconds >= 0), "checkpoint.seconds is negative or NaN (0 means 60)"},
      {checkpoint->parts < 0 || (checkpoint->parts && (checkpoint->part < 1 || checkpoint->part > checkpoint->parts)),
       "checkpoint.part is not one of 1 to parts (parts 0 means everything)"},
      {checkpoint->part && !checkpoint->parts, "checkpoint.part is given, but checkpoint.parts is 0"},
      {checkpoint->merge && !*checkpoint->merge, "checkpoint.merge is an empty list (NULL means none)"},
      {checkpoint->file && !*checkpoint->file, "checkpoint.file is an empty name (NULL means none)"},
      {!options->allocator.allocate != !options->allocator.release,
       "allocator needs both allocate and release, or neither"}
  };
  for (size_t k = 0; k < sizeof rule / sizeof *rule; k++)
    if (rule[k].bad)
      return rule[k].because;
  return NULL;
}

/* Returns 1 if the options allow a small sum without a job, which takes no memory and hardly time. exact: the matrix,
   of so many bytes, is of integers. */
static int permi_asks_no_more(const perm_options *options, int exact, double bytes)
{
  return !options ||
         ((options->method == PERM_METHOD_AUTO || (exact && options->method == PERM_METHOD_EXACT)) &&
          (options->precision == PERM_PRECISION_DEFAULT || (exact && options->precision == PERM_PRECISION_EXACT)) &&
          !(options->certify && !exact) && !options->modulus && !options->gpu.devices &&
          !options->execute && (options->max_seconds == 0 || options->max_seconds >= 1e-3) &&
          (options->max_bytes == 0 || options->max_bytes >= bytes) && !permi_in_pieces(options) &&
          permi_isa_here(options->isa) && !permi_bad_option(options));
}

static perm_status permi_check_options(const perm_options *options, int argument, perm_result *result)
{
  const char *bad = permi_bad_option(options);
  if (bad)
    return permi_fail(result, PERM_ERROR_OPTION, argument, "options: %s", bad);
  if (options->isa != PERM_ISA_CUDA && !permi_isa_here(options->isa))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, argument, "options: this machine has no %s; its best is %s",
                      perm_name("isa", options->isa), perm_name("isa", perm_isa_best()));
  return PERM_OK;
}

/* Returns the error to expect, in units of 2^exp2; guaranteed under certify. */
static double permi_error(const perm_options *options, const perm_result *result)
{
  return result->error_bound < result->error_estimate || options->certify ? result->error_bound
                                                                          : result->error_estimate;
}

/* Returns the relative error; INFINITY for an inexact 0. */
static double permi_relative(const perm_options *options, const perm_result *result)
{
  const double size = hypot(0.5 * result->value, 0.5 * result->imaginary); /* halves cannot overflow */
  if (result->exact || result->error_bound == 0)
    return 0;
  return size == 0 ? (double)INFINITY : 0.5 * permi_error(options, result) / size;
}

/* Returns PERM_TOLERANCE_NOT_MET for a result that is worse than asked for, else its status. */
static perm_status permi_judge(const perm_options *options, perm_result *result)
{
  double relative = permi_relative(options, result);
  if (result->status == PERM_OK && options->certify && result->error_bound == (double)INFINITY) {
    result->status = PERM_TOLERANCE_NOT_MET;
    snprintf(result->message, sizeof result->message, "certify: no guaranteed bound for this matrix by method %s",
             perm_name("method", result->method));
  }
  if (result->status == PERM_OK && options->tolerance > 0 && relative > options->tolerance) {
    result->status = PERM_TOLERANCE_NOT_MET;
    permi_say(result->message, sizeof result->message, "tolerance %.3g not met: the %s relative error is %.3g; %s",
             options->tolerance,
             options->certify || result->error_bound <= result->error_estimate ? "guaranteed" : "estimated", relative,
             permi_in_pieces(options) ? "in a job, with a checkpoint or parts the precision is not raised"
             : result->precision == PERM_PRECISION_DD ? "no precision is higher"
                                                      : "no higher precision fits method and limits");
  }
  return result->status;
}

PERMI_BRIEF_BEGIN

/* ========================================================================================== >>names */

PERM_API const char *perm_status_text(perm_status status)
{
  switch (status) {
#define PERMI_CASE(name, number, text) case name: return text;
    PERM_STATUS_LIST(PERMI_CASE)
#undef PERMI_CASE
  default: return "unknown status";
  }
}

PERM_API const char *perm_name(const char *of, long long number)
{
  static const struct {
    const char *of, *name;
    int number;
  } names[] = {
#define PERMI_NAMED(name, number, text) {"status", #name, name},
      PERM_STATUS_LIST(PERMI_NAMED)
#undef PERMI_NAMED
#define PERMI_NAMED(name, word, text) {"method", word, name},
      PERM_METHOD_LIST(PERMI_NAMED)
#undef PERMI_NAMED
#define PERMI_NAMED(name, word, text) {"format", word, name},
      PERM_FORMAT_LIST(PERMI_NAMED)
#undef PERMI_NAMED
      {"precision", "default", PERM_PRECISION_DEFAULT}, {"precision", "dd", PERM_PRECISION_DD},
      {"precision", "kahan", PERM_PRECISION_KAHAN}, {"precision", "exact", PERM_PRECISION_EXACT},
#define PERMI_NAMED(name, word, lanes) {"isa", word, name},
      {"isa", "auto", PERM_ISA_AUTO}, PERM_ISA_LIST(PERMI_NAMED)
#undef PERMI_NAMED
      {"estimator", "auto", 0}, {"estimator", "glynn", 1}, {"estimator", "sinkhorn", 2}, {"estimator", "rejection", 3}};
  for (size_t k = 0; of && k < sizeof names / sizeof *names; k++)
    if (names[k].number == number && !strcmp(names[k].of, of))
      return names[k].name;
  return "unknown";
}

typedef struct permi_member {
  const char *name;
  size_t offset, bytes;
} permi_member;
#define PERMI_MEMBER(type, name) {#type "." #name, offsetof(type, name), sizeof(((type *)NULL)->name)}

static const permi_member permi_members[] = {
#define PERMI_OF(name) PERMI_MEMBER(perm_options, name)
    {"perm_options", 0, sizeof(perm_options)}, PERMI_OF(method), PERMI_OF(precision), PERMI_OF(isa),
    PERMI_OF(threads), PERMI_OF(certify), PERMI_OF(tolerance), PERMI_OF(modulus), PERMI_OF(max_seconds),
    PERMI_OF(max_bytes), PERMI_OF(plan_effort), PERMI_OF(progress), PERMI_OF(user_data), PERMI_OF(cancel),
    PERMI_OF(allocator), PERMI_OF(gpu), PERMI_OF(checkpoint), PERMI_OF(execute), PERMI_OF(format),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_gpu_options, name)
    {"perm_gpu_options", 0, sizeof(perm_gpu_options)}, PERMI_OF(devices), PERMI_OF(cpu_fallback), PERMI_OF(cache),
    PERMI_OF(resident), PERMI_OF(stream),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_checkpoint_file, name)
    {"perm_checkpoint_file", 0, sizeof(perm_checkpoint_file)}, PERMI_OF(file), PERMI_OF(seconds), PERMI_OF(part),
    PERMI_OF(parts), PERMI_OF(merge), PERMI_OF(note),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_progress, name)
    {"perm_progress", 0, sizeof(perm_progress)}, PERMI_OF(fraction), PERMI_OF(seconds), PERMI_OF(seconds_left),
    PERMI_OF(activity),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_integer, name)
    {"perm_integer", 0, sizeof(perm_integer)}, PERMI_OF(negative), PERMI_OF(words), PERMI_OF(word),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_result, name)
    {"perm_result", 0, sizeof(perm_result)}, PERMI_OF(value), PERMI_OF(imaginary), PERMI_OF(partial_sum),
    PERMI_OF(partial_imaginary), PERMI_OF(exp2), PERMI_OF(error_bound), PERMI_OF(error_estimate),
    PERMI_OF(is_complex), PERMI_OF(exact), PERMI_OF(integer), PERMI_OF(imaginary_integer), PERMI_OF(modulus),
    PERMI_OF(method), PERMI_OF(precision), PERMI_OF(isa), PERMI_OF(threads), PERMI_OF(gpus), PERMI_OF(escalated),
    PERMI_OF(terms), PERMI_OF(plan_seconds), PERMI_OF(seconds), PERMI_OF(status), PERMI_OF(argument), PERMI_OF(message),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_leaf, name)
    {"perm_leaf", 0, sizeof(perm_leaf)}, PERMI_OF(kind), PERMI_OF(method), PERMI_OF(isa), PERMI_OF(n),
    PERMI_OF(chunks), PERMI_OF(work), PERMI_OF(seconds), PERMI_OF(bytes), PERMI_OF(fingerprint),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_offer, name)
    {"perm_offer", 0, sizeof(perm_offer)}, PERMI_OF(block), PERMI_OF(n), PERMI_OF(method), PERMI_OF(seconds),
    PERMI_OF(bytes), PERMI_OF(reason)
#undef PERMI_OF
};

static perm_status permi_member_find(const permi_member *member, size_t count, const char *name, size_t *offset,
                                     size_t *bytes)
{
  if (!name || !offset || !bytes)
    return PERM_ERROR_NULL;
  for (size_t k = 0; k < count; k++)
    if (!strcmp(name, member[k].name)) {
      *offset = member[k].offset;
      *bytes = member[k].bytes;
      return PERM_OK;
    }
  return PERM_ERROR_RANGE;
}

PERM_API perm_status perm_layout(const char *name, size_t *offset, size_t *bytes)
{
  return permi_member_find(permi_members, sizeof permi_members / sizeof *permi_members, name, offset, bytes);
}

PERM_API int perm_version(void)
{
  return PERMI_VERSION;
}

/* With `plus` numbers from 0 on begin with +. */
static size_t permi_integer_text(const perm_integer *integer, int plus, char *buffer, size_t size)
{
  char digits[PERM_INTEGER_WORDS * 20 + 2];
  uint32_t half[2 * PERM_INTEGER_WORDS];
  const int good = integer && integer->words >= 0 && integer->words <= PERM_INTEGER_WORDS; /* made by a call */
  int used = good ? 2 * integer->words : 0, length = 0, i;
  size = buffer ? size : 0;
  if (size)
    buffer[0] = 0;
  if (!good)
    return 0;
  for (i = 0; i < used; i++)
    half[i] = (uint32_t)(integer->word[i / 2] >> (32 * (i & 1)));
  do {
    uint64_t rest = 0;
    for (i = used - 1; i >= 0; i--) {
      rest = rest << 32 | half[i];
      half[i] = (uint32_t)(rest / 1000000000u);
      rest %= 1000000000u;
    }
    while (used && !half[used - 1])
      used--;
    for (i = 0; i < 9 && (i == 0 || used || rest); i++, rest /= 10)
      digits[length++] = (char)('0' + rest % 10);
  } while (used);
  if (integer->negative || plus)
    digits[length++] = integer->negative ? '-' : '+';
  for (i = 0; i < length && (size_t)i + 1 < size; i++)
    buffer[i] = digits[length - 1 - i];
  if (size)
    buffer[i] = 0;
  return (size_t)length;
}

PERM_API size_t perm_integer_text(const perm_integer *integer, char *buffer, size_t size)
{
  return permi_integer_text(integer, 0, buffer, size);
}

PERM_API size_t perm_amount_text(const char *unit, double amount, char *buffer, size_t size)
{
  const int seconds = unit && !strcmp(unit, "seconds"), bytes = unit && !strcmp(unit, "bytes");
  return (size_t)snprintf(buffer, buffer ? size : 0, "%s", seconds ? permi_time_words(amount).text
                                                           : bytes ? permi_size_words(amount).text : "");
}

PERM_API size_t perm_result_text(const perm_result *result, char *buffer, size_t size)
{
  permi_environment environment; /* snprintf rounds by it */
  size_t length;
  size = buffer ? size : 0;
  if (size)
    buffer[0] = 0;
  if (!result)
    return 0;
  if (result->exact) {
    size_t digits = permi_integer_text(&result->integer, 0, buffer, size), room = size > digits ? size - digits : 0;
    if (!result->is_complex)
      return digits;
    digits += permi_integer_text(&result->imaginary_integer, 1, room ? buffer + digits : NULL, room);
    if (digits + 1 < size)
      memcpy(buffer + digits, "i", 2);
    return digits + 1;
  }
  permi_environment_begin(&environment);
  if (result->is_complex)
    length = permi_say(buffer, size, result->exp2 ? "(%.17g%+.17gi) * 2^%lld" : "%.17g%+.17gi", result->value,
                       result->imaginary, result->exp2);
  else
    length = permi_say(buffer, size, result->exp2 ? "%.17g * 2^%lld" : "%.17g", result->value, result->exp2);
  permi_environment_end(&environment, PERM_OK);
  return length;
}

/* ============================================================================================ >>job
   Leaves, whose product with a number is the permanent; merging of partials. Why threads change no bits: a counter
   hands out chunks (permi_share), and perm_sum is fixed point, so order is free; in a task one thread makes each
   state, adding terms in its plan's order. */

/* A rounding that all terms share: relative to the value and to a part of the sum of |terms|, at most `most` units. */
typedef struct permi_shared {
  double relative, part, most;
} permi_shared;

typedef struct permi_leaf permi_leaf;

struct permi_leaf {
  perm_leaf information;
  /* Adds a chunk, or a whole task, to *partial, which a failing task leaves alone. */
  void (*run_chunk)(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial);
  perm_status (*run_task)(const permi_leaf *leaf, permi_control *control, perm_partial *partial);
  /* Unless NULL, runs many chunks, or a prefix of them. */
  perm_status (*run_range)(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                           perm_partial *partial);
  void (*release)(const perm_allocator *allocator, void *context);
  size_t (*explain)(const permi_leaf *leaf, char *buffer, size_t size); /* whole lines, like snprintf */
  void *context;  /* immutable once the job exists */
  size_t workspace; /* bytes a thread, 64-aligned: stacks may have 64 KiB */
  int integer;      /* 1: value * 2^scale_exp2 is an integer, the permanent; scale_exp2 <= 0 */
  uint64_t modulus; /* not 0: odd, value is a sum of residues */
  perm_status (*finish)(const permi_leaf *leaf, perm_integer *integer); /* unless NULL, makes the integer of the sum */
  const char *remark; /* for the result's message, or NULL */
  int threaded;
  int measured;   /* 1: `lost` of a partial bounds its error, and `absolute` is the estimate */
  permi_dd scale, scale_imaginary; /* permanent = value * scale * 2^scale_exp2 */
  long long scale_exp2;
  double bound_relative;    /* |error| <= bound_relative * absolute + bound_absolute, scaled */
  double bound_absolute;    /* INFINITY: unproven */
  double bound_value;       /* |error| is larger by bound_value * |value| */
  double estimate_relative; /* estimate = estimate_relative * absolute + estimate_absolute */
  double estimate_absolute; /* + sqrt(estimate_squares * absolute) */
  double estimate_squares;
  permi_shared shared;
};

struct perm_job {
  perm_allocator allocator;
  int leaves, leaf_room, numbered, floats; /* floats: some leaf's */
  permi_leaf *leaf;
  permi_number number; /* if numbered: a factor */
  perm_precision precision;
  int is_complex;
  uint64_t modulus;
  perm_options judged; /* what the result is judged by; zeros: the caller judges */
  double plan_seconds;
  double exact_seconds; /* predicted for integers that are computed in doubles; 0: none are */
  void *context; /* of all leaves, for the functions below; or NULL */
  void (*release)(const perm_allocator *allocator, void *context);
  perm_status (*value)(const perm_job *job, const perm_partial *partials, permi_number *value);
  /* Check finished partials, unless NULL; `sample` some of a file's. What is wrong leaves `strike`, unless NULL. */
  perm_status (*inspect)(const perm_job *job, const perm_partial *partials, perm_state *strike, permi_control *watch,
                       perm_result *result);
  perm_status (*sample)(const perm_job *job, const perm_state *state, permi_control *watch, perm_result *result);
  /* Unless NULL, adds what leaves from `first` on lack, or some of it: >>sweep. */
  perm_status (*sweep)(const perm_job *job, perm_state *state, int first, permi_control *control, int threads,
                       perm_result *result);
  char *note[2]; /* before and after the leaves, or NULL */
  int offers, offer_room;
  perm_offer *offer;
};

/* *array, of `used` items, gets room for `room`. Returns 0, with *array as it was, if that fails or stops. */
static int permi_enlarge(const perm_allocator *allocator, permi_control *watch, void *array, size_t used, size_t room,
                         size_t size)
{
  void *old, *larger = room > used ? permi_allocate(allocator, room, size) : NULL;
  memcpy(&old, array, sizeof old);
  if (!larger || !permi_copy(watch, larger, old, used * size)) {
    permi_release(allocator, larger);
    return 0;
  }
  permi_release(allocator, old);
  memcpy(array, &larger, sizeof larger);
  return 1;
}

/* Makes room for one more item, or returns 0. */
static int permi_grow(const perm_allocator *allocator, void *array, int used, int *room, size_t size)
{
  const int more = *room ? 2 * *room : 4;
  if (used < *room)
    return 1;
  if (!permi_enlarge(allocator, NULL, array, (size_t)used, (size_t)more, size))
    return 0;
  *room = more;
  return 1;
}

static perm_job *permi_job_new(const perm_allocator *allocator, perm_precision precision)
{
  perm_job *job = (perm_job *)permi_allocate_zeros(allocator, 1, sizeof *job);
  if (job) {
    job->allocator = *allocator;
    job->precision = precision;
  }
  return job;
}

/* Lets perm_job_finish judge the result. */
static perm_status permi_job_asked(perm_status status, const perm_options *options, perm_job **job)
{
  if (status == PERM_OK) {
    (*job)->judged.certify = options->certify;
    (*job)->judged.tolerance = options->tolerance;
    (*job)->judged.checkpoint.parts = 1; /* the precision is not raised */
  }
  return status;
}

PERMI_UNUSED
static int permi_job_note(perm_job *job, int after, const char *lines)
{
  const char *before = job->note[after] ? job->note[after] : "";
  const size_t used = strlen(before), more = strlen(lines);
  char *note = (char *)permi_allocate(&job->allocator, used + more + 1, 1);
  if (!note)
    return 0;
  memcpy(note, before, used);
  memcpy(note + used, lines, more + 1);
  permi_release(&job->allocator, job->note[after]);
  job->note[after] = note;
  return 1;
}

static void permi_job_set_constant(perm_job *job, int one)
{
  job->number = permi_number_one();
  if (!one)
    memset(&job->number, 0, sizeof job->number);
  job->number.exact = job->numbered = 1;
}

/* Owns the leaf's context, also on failure. */
static int permi_job_push_leaf(perm_job *job, const permi_leaf *leaf)
{
  if (!permi_grow(&job->allocator, &job->leaf, job->leaves, &job->leaf_room, sizeof *leaf)) {
    leaf->release(&job->allocator, leaf->context);
    return 0;
  }
  job->leaf[job->leaves++] = *leaf;
  return 1;
}

/* Returns 0 if too long or no integer. */
static int permi_leaf_integer(const permi_leaf *leaf, const perm_sum *sum, perm_integer *integer)
{
  const uint64_t p = leaf->modulus;
  if (!permi_sum_integer(sum, integer))
    return 0;
  if (leaf->finish)
    return leaf->finish(leaf, integer) == PERM_OK;
  if (!p)
    return permi_integer_halve(integer, (int)-leaf->scale_exp2);
  permi_integer_reduce(integer, p);
  for (int k = 0; k < -leaf->scale_exp2; k++) /* half of odd r is (r + p)/2 */
    integer->word[0] = integer->word[0] / 2 + (integer->word[0] & 1 ? p / 2 + 1 : 0);
  return 1;
}

static perm_status permi_leaf_number(const permi_leaf *leaf, const perm_partial *partial, permi_number *number)
{
  const double scale_modulus = permi_modulus(leaf->scale.hi, leaf->scale_imaginary.hi) * (1 + 1e-12);
  long long exp2, imaginary_exp2;
  memset(number, 0, sizeof *number);
  if (leaf->integer) {
    if (!permi_leaf_integer(leaf, &partial->value, &number->integer) ||
        !permi_leaf_integer(leaf, &partial->imaginary, &number->imaginary_integer))
      return PERM_ERROR_OVERFLOW;
    number->exact = 1;
  }
  number->value = permi_sum_value(&partial->value, &number->exp2);
  number->imaginary = permi_sum_value(&partial->imaginary, &imaginary_exp2);
  if (number->imaginary.hi != 0) {
    long long d = number->value.hi == 0 ? LLONG_MAX : imaginary_exp2 - number->exp2;
    int shift = -permi_int_exponent(d < 0 ? -d : d);
    if (d > 0) {
      number->value = permi_dd_scale(number->value, shift);
      number->exp2 = imaginary_exp2;
    } else {
      number->imaginary = permi_dd_scale(number->imaginary, shift);
    }
  }
  double absolute = permi_sum_value(&partial->absolute, &exp2).hi;
  absolute = permi_ldexp(absolute, exp2 - number->exp2);
  const double most = permi_ldexp(leaf->shared.most, -number->exp2) * scale_modulus;
  number->exp2 += partial->exp2 + leaf->scale_exp2;
  if (leaf->integer)
    return PERM_OK;
  permi_dd_multiply_complex(&number->value, &number->imaginary, leaf->scale, leaf->scale_imaginary);
  const double modulus = permi_modulus(number->value.hi, number->imaginary.hi);
  absolute *= scale_modulus;
  number->estimate = leaf->estimate_relative == (double)INFINITY
                         ? (double)INFINITY
                         : leaf->estimate_relative * absolute +
                               (0.5 * PERMI_DD_UNIT + 0.1 * leaf->bound_value) * modulus +
                               fmin(leaf->shared.relative * (leaf->shared.part * absolute + modulus), most);
  /* a product of up to n numbers */
  number->error = leaf->bound_relative == (double)INFINITY ? (double)INFINITY
                                                           : leaf->bound_relative * absolute * (1 + 1e-12) +
                                                                 (PERMI_DD_UNIT * (3 + leaf->information.n) +
                                                                  leaf->bound_value) * modulus;
  if (leaf->bound_relative == 0 && leaf->bound_absolute == 0 && partial->lost == 0)
    number->error = number->estimate = 0; /* the scale is a power of two */
  exp2 = leaf->scale_exp2 - number->exp2;
  if (number->error != (double)INFINITY && (leaf->bound_absolute != 0 || partial->lost != 0)) {
    const double lost = permi_ldexp(leaf->bound_absolute * scale_modulus, exp2) +
                        permi_ldexp(partial->lost * scale_modulus, exp2 + partial->exp2);
    number->error += lost + DBL_MIN;
    if (!leaf->measured && (leaf->information.kind == PERM_LEAF_TASK || absolute <= lost))
      number->estimate += lost; /* bounds of ranges are too wide */
  }
  if (leaf->estimate_absolute > 0)
    number->estimate += permi_ldexp(leaf->estimate_absolute * scale_modulus, exp2) + DBL_MIN;
  if (leaf->estimate_squares > 0)
    number->estimate += sqrt(absolute) * sqrt(permi_ldexp(leaf->estimate_squares * scale_modulus, exp2));
  if (number->estimate > number->error)
    number->estimate = number->error;
  return PERM_OK;
}

static void permi_number_reduce(permi_number *number, uint64_t modulus)
{
  if (modulus) {
    permi_integer_reduce(&number->integer, modulus);
    permi_integer_reduce(&number->imaginary_integer, modulus);
  }
}

/* Jobs of more factors than one have a `value`. */
static perm_status permi_job_value(const perm_job *job, const perm_partial *partials, permi_number *value)
{
  perm_status status = PERM_OK;
  if (job->value)
    return job->value(job, partials, value);
  *value = job->numbered ? job->number : permi_number_one();
  if (job->leaves)
    status = permi_leaf_number(job->leaf, partials, value);
  permi_number_reduce(value, job->modulus);
  return status;
}

PERM_API void perm_job_free(perm_job *job)
{
  if (!job)
    return;
  perm_allocator allocator = job->allocator;
  for (int i = 0; i < job->leaves; i++)
    job->leaf[i].release(&allocator, job->leaf[i].context);
  if (job->release)
    job->release(&allocator, job->context);
  permi_release(&allocator, job->leaf);
  permi_release(&allocator, job->note[0]);
  permi_release(&allocator, job->note[1]);
  permi_release(&allocator, job->offer);
  permi_release(&allocator, job);
}

PERMI_UNUSED
static double permi_job_seconds(const perm_job *job)
{
  double seconds = 0;
  for (int i = 0; i < job->leaves; i++)
    seconds += job->leaf[i].information.seconds;
  return seconds;
}

PERM_API int perm_job_leaves(const perm_job *job)
{
  return job ? job->leaves : 0;
}

PERM_API perm_status perm_job_leaf(const perm_job *job, int leaf, perm_leaf *information)
{
  if (!job || !information)
    return PERM_ERROR_NULL;
  if (leaf < 0 || leaf >= job->leaves)
    return PERM_ERROR_RANGE;
  *information = job->leaf[leaf].information;
  return PERM_OK;
}

static uint64_t permi_hash_integer(uint64_t hash, const perm_integer *integer)
{
  hash = permi_hash(hash, (uint64_t)integer->words * 2 + (uint64_t)(integer->negative != 0));
  for (int i = 0; i < integer->words; i++)
    hash = permi_hash(hash, integer->word[i]);
  return hash;
}

static uint64_t permi_hash_dd(uint64_t hash, permi_dd x)
{
  return permi_hash_double(permi_hash_double(hash, x.hi), x.lo);
}

/* Leaves out bounds and predictions, which depend on libm. */
PERM_API uint64_t perm_job_fingerprint(const perm_job *job)
{
  uint64_t hash = permi_hash(PERMI_HASH_START, PERMI_VERSION);
  if (!job)
    return 0;
  hash = permi_hash(hash, (uint64_t)(permi_precision_number(job->precision) * 2 + job->is_complex));
  hash = permi_hash(hash, job->modulus);
  for (int i = 0; i < job->leaves; i++) {
    const permi_leaf *leaf = &job->leaf[i];
    const perm_leaf *information = &leaf->information;
    hash = permi_hash(permi_hash(hash, information->fingerprint), information->chunks);
    hash = permi_hash(hash, (uint64_t)information->kind | (uint64_t)information->method << 8 |
                                (uint64_t)information->isa << 16 | (uint64_t)(leaf->integer != 0) << 24);
    hash = permi_hash_dd(permi_hash_dd(hash, leaf->scale), leaf->scale_imaginary);
    hash = permi_hash(permi_hash(hash, (uint64_t)leaf->scale_exp2), leaf->modulus);
  }
  if (job->numbered) {
    const permi_number *number = &job->number;
    hash = permi_hash_dd(permi_hash_dd(hash, number->value), number->imaginary);
    hash = permi_hash(permi_hash(hash, (uint64_t)number->exp2), (uint64_t)number->exact);
    if (number->exact)
      hash = permi_hash_integer(permi_hash_integer(hash, &number->integer), &number->imaginary_integer);
    hash = permi_hash(hash, UINT64_C(1) << 32);
  }
  for (int i = 0; i < job->leaves; i++) {
    hash = permi_hash(hash, (uint64_t)i);
    hash = job->numbered ? permi_hash(hash, UINT64_C(2) << 32) : hash;
  }
  return hash;
}

PERM_API perm_status perm_partial_merge(perm_partial *into, const perm_partial *from)
{
  permi_environment environment;
  if (!into || !from)
    return PERM_ERROR_NULL;
  if (!from->chunks)
    return PERM_OK;
  if (into->chunks && (into->fingerprint != from->fingerprint || into->exp2 != from->exp2))
    return PERM_ERROR_STATE;
  into->fingerprint = from->fingerprint;
  into->exp2 = from->exp2;
  permi_sum_add(&into->value, &from->value);
  permi_sum_add(&into->imaginary, &from->imaginary);
  permi_sum_add(&into->absolute, &from->absolute);
  into->chunks += from->chunks;
  into->indices += from->indices;
  into->squares += from->squares;
  permi_environment_begin(&environment);
  into->terms += from->terms;
  into->lost += from->lost;
  return permi_environment_end(&environment, PERM_OK);
}

/* Gives n(n-1)/2 and n(n-1)(2n-1)/6, the sums of 0 .. n - 1 and of their squares, modulo 2^64; 3 divides a factor. */
static void permi_prefix_sums(uint64_t n, uint64_t *indices, uint64_t *squares)
{
  uint64_t a = n, b = n ? n - 1 : 0, c = 2 * n - 1;
  if (a & 1)
    b /= 2;
  else
    a /= 2;
  *indices = a * b;
  if (a % 3 == 0)
    a /= 3;
  else if (b % 3 == 0)
    b /= 3;
  else
    c /= 3;
  *squares = a * b * c;
}

static void permi_partial_count(perm_partial *partial, uint64_t begin, uint64_t end)
{
  uint64_t indices[2], squares[2];
  permi_prefix_sums(begin, &indices[0], &squares[0]);
  permi_prefix_sums(end, &indices[1], &squares[1]);
  partial->chunks += end - begin;
  partial->indices += indices[1] - indices[0];
  partial->squares += squares[1] - squares[0];
}

static int permi_partial_agrees(const perm_partial *partial, const perm_partial *other)
{
  return partial->chunks == other->chunks && partial->indices == other->indices && partial->squares == other->squares;
}

static int permi_partial_covers(const perm_partial *partial, uint64_t begin, uint64_t end)
{
  perm_partial all;
  memset(&all, 0, sizeof all);
  permi_partial_count(&all, begin, end);
  return permi_partial_agrees(partial, &all);
}

static size_t permi_workspace_each(const permi_leaf *leaf)
{
  return leaf->workspace ? (leaf->workspace + 127) / 64 * 64 : 0; /* keeps neighbours apart */
}

static int permi_workspace_make(const perm_allocator *allocator, const permi_leaf *leaf, int threads, void **memory)
{
  const size_t each = leaf->run_range ? 0 : permi_workspace_each(leaf);
  const int fits = each && (size_t)threads < SIZE_MAX / each;
  *memory = fits ? permi_allocate(allocator, each * (size_t)threads + 64, 1) : NULL;
  return !each || *memory;
}

static void *permi_workspace_of(const permi_leaf *leaf, void *memory, int thread)
{
  char *at = (char *)memory;
  return at ? at + (64 - ((uintptr_t)at & 63)) % 64 + permi_workspace_each(leaf) * (size_t)thread : NULL;
}

static perm_status permi_leaf_run(const permi_leaf *leaf, uint64_t begin, uint64_t end, void *workspace,
                                  permi_control *control, perm_partial *partial)
{
  perm_status status = PERM_OK;
  if (begin >= end)
    return PERM_OK;
  if (partial->chunks && partial->fingerprint != leaf->information.fingerprint)
    return PERM_ERROR_STATE;
  if (leaf->run_range)
    return leaf->run_range(leaf, begin, end, control, partial);
  if (leaf->information.kind == PERM_LEAF_TASK)
    status = leaf->run_task(leaf, control, partial);
  else
    for (uint64_t chunk = begin; chunk < end; chunk++)
      leaf->run_chunk(leaf, chunk, workspace, partial);
  if (status != PERM_OK)
    return status;
  partial->fingerprint = leaf->information.fingerprint;
  permi_partial_count(partial, begin, end);
  return PERM_OK;
}

PERM_API perm_status perm_job_run(const perm_job *job, int leaf, uint64_t begin, uint64_t end, perm_partial *partial)
{
  permi_environment environment;
  void *memory;
  if (!job || !partial)
    return PERM_ERROR_NULL;
  if (leaf < 0 || leaf >= job->leaves || begin > end || end > job->leaf[leaf].information.chunks)
    return PERM_ERROR_RANGE;
  if (!permi_workspace_make(&job->allocator, &job->leaf[leaf], 1, &memory))
    return PERM_ERROR_MEMORY;
  const perm_status status = PERMI_SOUNDLY(&environment, permi_leaf_run(&job->leaf[leaf], begin, end,
                                                      permi_workspace_of(&job->leaf[leaf], memory, 0), NULL, partial));
  permi_release(&job->allocator, memory);
  return status;
}

static perm_status permi_job_finish(const perm_job *job, const perm_partial *partials, perm_state *strike,
                                    permi_control *watch, perm_result *result)
{
  permi_number number;
  const permi_leaf *costliest = NULL;
  double terms = 0, rounded;
  if (!result)
    return PERM_ERROR_NULL;
  permi_result_clear(result);
  if (!job || (!partials && job->leaves))
    return permi_fail(result, PERM_ERROR_NULL, job ? 2 : 1, "%s is NULL", job ? "partials" : "job");
  for (int i = 0; i < job->leaves; i++) {
    const permi_leaf *leaf = &job->leaf[i];
    if (!permi_partial_covers(&partials[i], 0, leaf->information.chunks) ||
        partials[i].fingerprint != leaf->information.fingerprint)
      return permi_fail(result, PERM_ERROR_STATE, 2, "partial %d holds %llu chunks, not each of its leaf's %llu once",
                        i, (unsigned long long)partials[i].chunks, (unsigned long long)leaf->information.chunks);
    terms += partials[i].terms;
    if (!costliest || leaf->information.seconds > costliest->information.seconds)
      costliest = leaf;
  }
  perm_status status = job->inspect ? job->inspect(job, partials, strike, watch, result) : PERM_OK;
  if (status != PERM_OK)
    return status;
  status = permi_job_value(job, partials, &number);
  if (status == PERM_ERROR_MEMORY)
    return permi_fail_memory(result);
  if (status != PERM_OK)
    return permi_fail(result, status, 0, "an exact integer is too long for this version: use precision default");
  rounded = PERMI_UNIT * permi_modulus(number.value.hi, number.imaginary.hi);
  if ((job->precision == PERM_PRECISION_DEFAULT || job->precision == PERM_PRECISION_KAHAN) && rounded < number.error)
    number.estimate = fmax(number.estimate, rounded); /* no sum in doubles is better, unless that is proved */
  permi_number_result(&number, result);
  if (!result->exact && !permi_arithmetic_is_sound())
    result->error_bound = (double)INFINITY;
  result->is_complex = job->is_complex;
  result->modulus = job->modulus;
  result->method = costliest ? costliest->information.method : PERM_METHOD_STRUCTURE;
  result->isa = costliest ? costliest->information.isa : PERM_ISA_PLAIN;
  /* without an integer: doubles over a power of two */
  result->precision = result->exact                             ? PERM_PRECISION_EXACT
                      : job->precision == PERM_PRECISION_EXACT ? PERM_PRECISION_DD
                                                               : job->precision;
  result->terms = terms;
  result->threads = 1;
  result->plan_seconds = job->plan_seconds;
  if (job->exact_seconds > 0)
    snprintf(result->message, sizeof result->message, "exactly in about %s with precision exact",
             permi_time_words(job->exact_seconds).text);
  else if (costliest && costliest->remark)
    snprintf(result->message, sizeof result->message, "%s", costliest->remark);
  return permi_judge(&job->judged, result);
}

PERM_API perm_status perm_job_finish(const perm_job *job, const perm_partial *partials, perm_result *result)
{
  permi_environment environment;
  return PERMI_SOUNDLY(&environment, permi_job_finish(job, partials, NULL, NULL, result));
}

PERM_API size_t perm_job_explain(const perm_job *job, char *buffer, size_t size)
{
  size_t length = 0;
  if (size)
    buffer[0] = 0;
  for (int i = -2; job && i <= job->leaves; i++) { /* -2, -1: before the leaves */
    const size_t room = length < size ? size - length : 0;
    char *to = room ? buffer + length : NULL;
    const char *note = i == -2 ? job->note[0] : i == job->leaves ? job->note[1] : NULL;
    if (note)
      length += (size_t)snprintf(to, room, "%s", note);
    else if (i == -1 && job->exact_seconds > 0)
      length += permi_say(to, room, "exactly in about %s with precision exact\n",
                          permi_time_words(job->exact_seconds).text);
    else if (i >= 0 && i < job->leaves)
      length += job->leaf[i].explain(&job->leaf[i], to, room);
  }
  return length;
}

PERM_API perm_status perm_job_offer(const perm_job *job, int index, perm_offer *offer)
{
  if (!job || !offer)
    return PERM_ERROR_NULL;
  memset(offer, 0, sizeof *offer);
  if (index < 0 || index >= job->offers)
    return PERM_ERROR_RANGE;
  *offer = job->offer[index];
  return PERM_OK;
}

PERM_API perm_precision perm_job_precision(const perm_job *job, int *proved)
{
  const int numbered = job && job->numbered;
  int exact = !numbered || job->number.exact, known = !numbered || job->number.error < (double)INFINITY, i;
  for (i = 0; job && i < job->leaves; i++) {
    const permi_leaf *leaf = &job->leaf[i];
    exact &= leaf->integer;
    known &= leaf->integer || (leaf->bound_relative < (double)INFINITY && leaf->bound_absolute < (double)INFINITY);
  }
  if (proved)
    *proved = job && known;
  return !job ? PERM_PRECISION_DEFAULT : exact ? PERM_PRECISION_EXACT : job->precision;
}

static int permi_threads(const perm_options *options)
{
#if PERMI_OPENMP
  return options->threads > 0 ? options->threads : omp_get_max_threads();
#else
  (void)options;
  return 1;
#endif
}

/* Thread 0 is the caller, and polls. Threads finish what they took, so the work done is a prefix. */
typedef perm_status (*permi_share_work)(void *context, uint64_t part, int thread);

/* Shares [begin, end) until thread 0 fails or stops. *all, unless NULL, becomes 1 if all was done. */
static perm_status permi_share(int threads, uint64_t begin, uint64_t end, permi_share_work work, void *context,
                               int *all)
{
  uint64_t next = begin;
  int stop = PERM_OK;
  if (threads <= 1 || end - begin < 2) {
    for (; next < end && stop == PERM_OK; next++)
      stop = (int)work(context, next, 0);
    if (all)
      *all = next >= end;
    return (perm_status)stop;
  }
  PERMI_OMP(parallel num_threads(threads))
  {
    permi_environment environment;
    int thread = 0;
    permi_environment_begin(&environment);
#if PERMI_OPENMP
    thread = omp_get_thread_num();
#endif
    for (;;) {
      uint64_t part;
      int stopping;
      PERMI_OMP(atomic read)
      stopping = stop;
      if (stopping)
        break;
      PERMI_OMP(atomic capture)
      part = next++;
      if (part >= end)
        break;
      stopping = (int)work(context, part, thread);
      if (thread == 0 && stopping) {
        PERMI_OMP(atomic write)
        stop = stopping;
      }
    }
    permi_environment_end(&environment, PERM_OK);
  }
  if (all)
    *all = next >= end;
  return (perm_status)stop;
}

typedef struct permi_ranging {
  const permi_leaf *leaf;
  permi_control *control;
  uint64_t begin;
  double per_chunk;
  void *memory;
  perm_partial *partial;
} permi_ranging;

static perm_status permi_ranging_chunk(void *context, uint64_t chunk, int thread)
{
  const permi_ranging *ranging = (const permi_ranging *)context;
  permi_leaf_run(ranging->leaf, chunk, chunk + 1, permi_workspace_of(ranging->leaf, ranging->memory, thread), NULL,
                 &ranging->partial[thread]);
  return thread ? PERM_OK /* polls after the chunk: every call makes progress */
                : permi_control_poll_range(ranging->control,
                                           (double)(chunk + 1 - ranging->begin) * ranging->per_chunk, "summing");
}

/* *done, empty at first, takes chunks [begin, end), or a prefix. */
static perm_status permi_run_range(const perm_job *job, const permi_leaf *leaf, uint64_t begin, uint64_t end,
                                   permi_control *control, int threads, perm_partial *done)
{
  permi_ranging ranging = {leaf, control, begin, leaf->information.seconds / (double)leaf->information.chunks, NULL,
                           done};
  perm_status status = PERM_ERROR_MEMORY;
  int k, all = 0;
  if (leaf->run_range || leaf->information.kind == PERM_LEAF_TASK)
    return permi_leaf_run(leaf, begin, end, NULL, control, done);
  if (leaf->information.seconds < PERMI_PARALLEL_SECONDS)
    threads = 1;
  if (threads > 1)
    ranging.partial = (perm_partial *)permi_allocate_zeros(&job->allocator, (size_t)threads, sizeof(perm_partial));
  if (permi_workspace_make(&job->allocator, leaf, threads, &ranging.memory) && ranging.partial)
    status = permi_share(threads, begin, end, permi_ranging_chunk, &ranging, &all);
  for (k = 0; threads > 1 && ranging.partial && k < threads; k++)
    perm_partial_merge(done, &ranging.partial[k]);
  permi_release(&job->allocator, ranging.memory);
  if (threads > 1)
    permi_release(&job->allocator, ranging.partial);
  return all ? PERM_OK : status;
}

/* ========================================================================================== >>state
   Finished work: for each leaf intervals [begin, end) of chunks, sorted, not empty, not touching, and the partial with
   each chunk once. A failure changes nothing. */

typedef struct permi_interval {
  uint64_t begin, end;
} permi_interval;

typedef struct permi_intervals {
  permi_interval *list;
  size_t count;
} permi_intervals;

struct perm_state {
  perm_allocator allocator;
  int leaves;
  perm_partial *partial; /* by leaf */
  permi_intervals *finished;
};

PERM_API perm_status perm_state_create(const perm_job *job, perm_state **state)
{
  const size_t leaves = job ? (size_t)job->leaves : 0;
  if (!job || !state)
    return PERM_ERROR_NULL;
  *state = NULL;
  perm_state *fresh = (perm_state *)permi_allocate_zeros(&job->allocator, 1, sizeof *fresh);
  if (!fresh)
    return PERM_ERROR_MEMORY;
  fresh->allocator = job->allocator;
  fresh->partial = (perm_partial *)permi_allocate_zeros(&job->allocator, leaves, sizeof *fresh->partial);
  fresh->finished = (permi_intervals *)permi_allocate_zeros(&job->allocator, leaves, sizeof *fresh->finished);
  if (!fresh->partial || !fresh->finished) {
    perm_state_free(fresh);
    return PERM_ERROR_MEMORY;
  }
  fresh->leaves = job->leaves;
  *state = fresh;
  return PERM_OK;
}

PERM_API void perm_state_free(perm_state *state)
{
  if (!state)
    return;
  perm_allocator allocator = state->allocator;
  for (int i = 0; i < state->leaves; i++)
    permi_release(&allocator, state->finished[i].list);
  permi_release(&allocator, state->partial);
  permi_release(&allocator, state->finished);
  permi_release(&allocator, state);
}

static perm_status permi_check_state(const perm_job *job, const perm_state *state, int argument, perm_result *result)
{
  permi_result_clear(result);
  if (!job || !state)
    return permi_fail(result, PERM_ERROR_NULL, job ? argument : 1, "%s is NULL", job ? "state" : "job");
  if (state->leaves != job->leaves)
    return permi_fail(result, PERM_ERROR_STATE, argument, "state belongs to a job of %d leaves, not %d", state->leaves,
                      job->leaves);
  for (int i = 0; i < job->leaves; i++)
    if (state->partial[i].chunks && state->partial[i].fingerprint != job->leaf[i].information.fingerprint)
      return permi_fail(result, PERM_ERROR_STATE, argument, "leaf %d of the state belongs to another matrix or plan",
                        i);
  return PERM_OK;
}

PERM_API perm_status perm_state_left(const perm_job *job, const perm_state *state, int leaf, uint64_t from,
                                     uint64_t *begin, uint64_t *end)
{
  size_t i;
  if (!job || !state || !begin || !end)
    return PERM_ERROR_NULL;
  *begin = *end = 0;
  if (leaf < 0 || leaf >= job->leaves || leaf >= state->leaves)
    return PERM_ERROR_RANGE;
  const uint64_t chunks = job->leaf[leaf].information.chunks;
  const permi_intervals *finished = &state->finished[leaf];
  for (i = 0; i < finished->count && finished->list[i].begin <= from; i++)
    from = finished->list[i].end > from ? finished->list[i].end : from;
  *begin = from < chunks ? from : chunks;
  *end = i < finished->count ? finished->list[i].begin : chunks;
  return PERM_OK;
}

/* Puts the union into joined->list; returns 0 if they share *common. */
static int permi_intervals_join(const permi_intervals *a, const permi_intervals *b, permi_intervals *joined,
                                permi_interval *common)
{
  size_t i = 0, j = 0, k = 0;
  while (i < a->count || j < b->count) {
    const permi_interval next = j == b->count || (i < a->count && a->list[i].begin <= b->list[j].begin) ? a->list[i++]
                                                                                                        : b->list[j++];
    permi_interval *last = k ? &joined->list[k - 1] : NULL;
    if (last && next.begin < last->end) {
      common->begin = next.begin;
      common->end = next.end < last->end ? next.end : last->end;
      return 0;
    }
    if (last && next.begin == last->end)
      last->end = next.end;
    else
      joined->list[k++] = next;
  }
  joined->count = k;
  return 1;
}

/* Adds `more` to what the state has of a leaf: *both, newly allocated, and *sum. */
static perm_status permi_state_joined(const perm_state *state, int leaf, const permi_intervals *more,
                                      const perm_partial *partial, permi_intervals *both, perm_partial *sum,
                                      perm_result *result)
{
  const permi_intervals *here = &state->finished[leaf];
  permi_interval common;
  *sum = state->partial[leaf];
  const perm_status status = perm_partial_merge(sum, partial);
  if (status != PERM_OK)
    return permi_fail(result, status, 0, "partials of leaf %d belong to different jobs", leaf);
  both->list = (permi_interval *)permi_allocate(&state->allocator, here->count + more->count, sizeof *both->list);
  if (!both->list)
    return permi_fail_memory(result);
  if (permi_intervals_join(here, more, both, &common))
    return PERM_OK;
  permi_release(&state->allocator, both->list);
  both->list = NULL;
  return permi_fail(result, PERM_ERROR_STATE, 0, "chunks %llu to %llu of leaf %d are there already",
                    (unsigned long long)common.begin, (unsigned long long)(common.end - 1), leaf);
}

static perm_status permi_state_put(perm_state *state, int leaf, uint64_t begin, uint64_t end,
                                   const perm_partial *partial, perm_result *result)
{
  permi_interval interval = {begin, end};
  permi_intervals more = {&interval, 1}, both;
  perm_partial sum;
  const perm_status status = permi_state_joined(state, leaf, &more, partial, &both, &sum, result);
  if (status != PERM_OK)
    return status;
  permi_release(&state->allocator, state->finished[leaf].list);
  state->finished[leaf] = both;
  state->partial[leaf] = sum;
  return PERM_OK;
}

PERM_API perm_status perm_state_add(const perm_job *job, perm_state *state, int leaf, uint64_t begin, uint64_t end,
                                    const perm_partial *partial, perm_result *result)
{
  perm_status status = permi_check_state(job, state, 2, result);
  if (status != PERM_OK)
    return status;
  if (!partial)
    return permi_fail(result, PERM_ERROR_NULL, 6, "partial is NULL");
  if (leaf < 0 || leaf >= job->leaves || begin > end || end > job->leaf[leaf].information.chunks)
    return permi_fail(result, PERM_ERROR_RANGE, 3, "leaf %d has no chunks %llu to %llu", leaf,
                      (unsigned long long)begin, (unsigned long long)end);
  if (!permi_partial_covers(partial, begin, end) ||
      (begin < end && partial->fingerprint != job->leaf[leaf].information.fingerprint))
    return permi_fail(result, PERM_ERROR_STATE, 6, "partial is not of the chunks %llu to %llu of leaf %d",
                      (unsigned long long)begin, (unsigned long long)end, leaf);
  return begin == end ? PERM_OK : permi_state_put(state, leaf, begin, end, partial, result);
}

PERM_API perm_status perm_state_merge(const perm_job *job, perm_state *into, const perm_state *from,
                                      perm_result *result)
{
  perm_state *joined = NULL, old;
  perm_status status = permi_check_state(job, into, 2, result);
  if (status == PERM_OK)
    status = permi_check_state(job, from, 3, result);
  if (status == PERM_OK && perm_state_create(job, &joined) != PERM_OK)
    status = permi_fail_memory(result);
  for (int i = 0; status == PERM_OK && i < job->leaves; i++)
    status = permi_state_joined(into, i, &from->finished[i], &from->partial[i], &joined->finished[i],
                                &joined->partial[i], result);
  if (status == PERM_OK) {
    old = *into;
    *into = *joined;
    *joined = old;
  }
  perm_state_free(joined);
  return status;
}

static perm_status permi_state_finish(const perm_job *job, const perm_state *state, perm_state *strike,
                                      permi_control *watch, perm_result *result)
{
  if (!result)
    return PERM_ERROR_NULL;
  perm_status status = permi_check_state(job, state, 2, result);
  for (int i = 0; status == PERM_OK && i < job->leaves; i++) {
    uint64_t begin = 0, end = 0;
    perm_state_left(job, state, i, 0, &begin, &end);
    if (begin < end)
      status = permi_fail(result, PERM_ERROR_STATE, 2, "chunks %llu to %llu of the %llu of leaf %d are missing",
                          (unsigned long long)begin, (unsigned long long)(end - 1),
                          (unsigned long long)job->leaf[i].information.chunks, i);
  }
  return status == PERM_OK ? permi_job_finish(job, state->partial, strike, watch, result) : status;
}

PERM_API perm_status perm_state_finish(const perm_job *job, const perm_state *state, perm_result *result)
{
  permi_environment environment;
  return PERMI_SOUNDLY(&environment, permi_state_finish(job, state, NULL, NULL, result));
}

/* Returns part 1 .. parts of [0, chunks). Larger shares start elsewhere in each leaf: tasks spread. */
static permi_interval permi_part_of(uint64_t chunks, int leaf, int part, int parts)
{
  const uint64_t each = chunks / (uint64_t)parts, rest = chunks % (uint64_t)parts;
  const uint64_t k = ((uint64_t)part - 1 + (uint64_t)leaf) % (uint64_t)parts;
  permi_interval share;
  share.begin = each * k + (k < rest ? k : rest);
  share.end = share.begin + each + (k < rest);
  return share;
}

static void permi_put(unsigned char *bytes, uint64_t number, int size)
{
  for (; size-- > 0; number >>= 8)
    *bytes++ = (unsigned char)(number & 255);
}

static uint64_t permi_get(const unsigned char *bytes, int size)
{
  uint64_t number = 0;
  while (size-- > 0)
    number = number << 8 | bytes[size];
  return number;
}

/* Puts fields at `bytes`, one behind another, or gets them. */
typedef struct permi_stored {
  size_t offset;
  int count, size;
} permi_stored;
static void permi_put_or_get(unsigned char *bytes, void *structure, const permi_stored *field, size_t fields, int put)
{
  const int one = 1, big = !*(const char *)&one; /* whether the most significant byte comes first */
  for (size_t k = 0; k < fields; k++, field++)
    for (int i = 0; i < field->count * field->size; i++, bytes++) {
      unsigned char *byte = (unsigned char *)structure + field->offset + (big ? i ^ (field->size - 1) : i);
      if (put)
        *bytes = *byte;
      else
        *byte = *bytes;
    }
}

/* A partial as bytes, numbers as in >>checkpoint. exp2 is at most 2^60 in size: sums of a few do not overflow. */
static const permi_stored permi_partial_fields[] = {
    {offsetof(perm_partial, fingerprint), 1, 8}, {offsetof(perm_partial, chunks), 1, 8},
    {offsetof(perm_partial, indices), 1, 8}, {offsetof(perm_partial, squares), 1, 8},
    {offsetof(perm_partial, exp2), 1, 8}, {offsetof(perm_partial, lost), 1, 8}, {offsetof(perm_partial, terms), 1, 8},
    {offsetof(perm_partial, value), PERM_SUM_WORDS, 8}, {offsetof(perm_partial, imaginary), PERM_SUM_WORDS, 8},
    {offsetof(perm_partial, absolute), PERM_SUM_WORDS, 8}};
enum { PERMI_PARTIAL_FIELDS = sizeof permi_partial_fields / sizeof *permi_partial_fields };

PERM_API size_t perm_partial_encode(const perm_partial *partial, void *bytes, size_t size)
{
  if (!partial)
    return 0;
  if (bytes && size >= PERM_PARTIAL_BYTES) {
    perm_partial copy = *partial;
    permi_put_or_get((unsigned char *)bytes, &copy, permi_partial_fields, PERMI_PARTIAL_FIELDS, 1);
  }
  return PERM_PARTIAL_BYTES;
}

PERM_API perm_status perm_partial_decode(const void *bytes, size_t size, perm_partial *partial)
{
  if (!bytes || !partial)
    return PERM_ERROR_NULL;
  memset(partial, 0, sizeof *partial);
  if (size != PERM_PARTIAL_BYTES)
    return PERM_ERROR_FORMAT;
  permi_put_or_get((unsigned char *)(uintptr_t)bytes, partial, permi_partial_fields, PERMI_PARTIAL_FIELDS, 0);
  if (partial->lost >= 0 && partial->terms >= 0 && partial->terms <= DBL_MAX &&
      partial->exp2 >= -(INT64_C(1) << 60) && partial->exp2 <= INT64_C(1) << 60)
    return PERM_OK;
  memset(partial, 0, sizeof *partial);
  return PERM_ERROR_FORMAT;
}

/* ======================================================================================== >>problem */

struct permi_reach;

typedef struct permi_problem {
  int m, n, parts; /* 1 real, 2 complex */
  const double *real;
  const int64_t *integer; /* not NULL: integers */
  ptrdiff_t ld;
  const int *row_count, *column_count; /* NULL: once each */
  const struct permi_reach *reach;
} permi_problem;

/* ===================================================================================== >>checkpoint
   Finished work as a file. Numbers have the least significant byte first; doubles are IEEE's:
     offset  bytes
          0      8  89 50 45 52 4d 0d 0a 1a: changed by a transfer as text
          8      4  format: 1
         12      4  version of perm
         16      8  bytes of the whole file
         24      8  perm_job_fingerprint
         32     64 what the job was planned with: permi_planned
         96      4  0
        100      4  leaves
        104      8  bytes of the note
        112         the leaves, each:
                 8  fingerprint
                 8  chunks
                 8  intervals of finished chunks
                16  each: begin, end
              2168  the partial as in >>state, if there are intervals
                    the note
                 8  checksum of everything before
   Invariants:
     1. The file is absent, or whole, old or new (>>files).
     2. A chunk is stored with its terms or not at all: one thread adds both, one checksum covers both.
     3. A file never holds less than the one it replaces: states only grow. Of two processes the last one wins.
     4. A failure before the rename leaves the old file and the state alone; one after it is reported.
     5. A file is used only if length, checksum, format, version and fingerprints hold, and intervals are in order, in
        the leaf, and agree with number, sum and sum of squares of the partial's chunks. */

#define PERMI_CHECKPOINT_MAGIC "\211PERM\r\n\032"
#define PERMI_CHECKPOINT_HEAD 112
#define PERMI_CHECKPOINT_LEAF 24

/* Offset 32 on: isa is never PERM_ISA_AUTO, parts 0 is the whole job. */
static const permi_stored permi_planned[] = {
    {offsetof(perm_options, method), 1, 4}, {offsetof(perm_options, precision), 1, 4},
    {offsetof(perm_options, isa), 1, 4}, {offsetof(perm_options, certify), 1, 4},
    {offsetof(perm_options, modulus), 1, 8}, {offsetof(perm_options, tolerance), 1, 8},
    {offsetof(perm_options, max_bytes), 1, 8}, {offsetof(perm_options, plan_effort), 1, 8},
    {offsetof(perm_options, gpu.devices), 1, 4}, {offsetof(perm_options, gpu.cpu_fallback), 1, 4},
    {offsetof(perm_options, checkpoint.part), 1, 4}, {offsetof(perm_options, checkpoint.parts), 1, 4}};
enum { PERMI_PLANNED = sizeof permi_planned / sizeof *permi_planned };

/* Each step is one to one in number and hash, so a change within eight bytes always shows. */
static uint64_t permi_checksum(const unsigned char *bytes, size_t size)
{
  uint64_t hash = PERMI_HASH_START;
  size_t i;
  for (i = 0; i + 8 <= size; i += 8)
    hash = permi_hash(hash, permi_get(bytes + i, 8));
  return permi_hash(permi_hash(hash, permi_get(bytes + i, (int)(size - i))), size);
}

PERM_API size_t perm_state_encode(const perm_job *job, const perm_state *state, const perm_options *options_given,
                                  void *bytes, size_t size)
{
  const perm_options *options = permi_options(options_given);
  perm_options planned = *options;
  unsigned char *to = (unsigned char *)bytes;
  const size_t note = options->checkpoint.note ? strlen(options->checkpoint.note) : 0;
  size_t needed = PERMI_CHECKPOINT_HEAD + note + 8, k;
  if (!job || !state || job->leaves != state->leaves)
    return 0;
  for (int i = 0; i < job->leaves; i++)
    needed += PERMI_CHECKPOINT_LEAF + 16 * state->finished[i].count +
              (state->finished[i].count ? PERM_PARTIAL_BYTES : 0);
  if (!bytes || size < needed)
    return needed;
  memcpy(to, PERMI_CHECKPOINT_MAGIC, 8);
  permi_put(to + 8, 1, 4);
  permi_put(to + 12, PERMI_VERSION, 4);
  permi_put(to + 16, needed, 8);
  permi_put(to + 24, perm_job_fingerprint(job), 8);
  planned.isa = options->isa == PERM_ISA_AUTO ? perm_isa_best() : options->isa;
  planned.checkpoint.part = planned.checkpoint.parts ? planned.checkpoint.part : 0;
  permi_put_or_get(to + 32, &planned, permi_planned, PERMI_PLANNED, 1);
  permi_put(to + 36, (uint64_t)permi_precision_number(options->precision), 4);
  permi_put(to + 96, 0, 4);
  permi_put(to + 100, (uint64_t)job->leaves, 4);
  permi_put(to + 104, note, 8);
  to += PERMI_CHECKPOINT_HEAD;
  for (int i = 0; i < job->leaves; i++) {
    permi_put(to, job->leaf[i].information.fingerprint, 8);
    permi_put(to + 8, job->leaf[i].information.chunks, 8);
    permi_put(to + 16, state->finished[i].count, 8);
    to += PERMI_CHECKPOINT_LEAF;
    for (k = 0; k < state->finished[i].count; k++, to += 16) {
      permi_put(to, state->finished[i].list[k].begin, 8);
      permi_put(to + 8, state->finished[i].list[k].end, 8);
    }
    if (state->finished[i].count)
      to += perm_partial_encode(&state->partial[i], to, PERM_PARTIAL_BYTES);
  }
  if (note)
    memcpy(to, options->checkpoint.note, note);
  permi_put((unsigned char *)bytes + needed - 8, permi_checksum((const unsigned char *)bytes, needed - 8), 8);
  return needed;
}

static void permi_options_decode(const unsigned char *bytes, perm_options *options)
{
  int precision;
  permi_put_or_get((unsigned char *)(uintptr_t)bytes + 32, options, permi_planned, PERMI_PLANNED, 0);
  for (precision = 0; precision < PERM_PRECISION_COUNT &&
                      (uint64_t)permi_precision_number((perm_precision)precision) != permi_get(bytes + 36, 4);)
    precision++;
  options->precision = (perm_precision)precision;
}

/* path is NULL for bytes in memory. */
PERMI_PRINTF(4, 5)
static perm_status permi_checkpoint_fail(perm_result *result, perm_status status, const char *path, const char *format,
                                         ...)
{
  char text[PERM_MESSAGE_BYTES];
  va_list arguments;
  va_start(arguments, format);
  permi_vsay(text, sizeof text, format, arguments);
  va_end(arguments);
  return permi_fail(result, status, 0, "%s%scheckpoint%s", path ? path : "", path ? ": " : "", text);
}

static perm_status permi_checkpoint_check(const unsigned char *bytes, size_t size, const char *path,
                                          perm_result *result)
{
  if (memcmp(bytes, PERMI_CHECKPOINT_MAGIC, size < 8 ? size : 8) != 0)
    return permi_fail(result, PERM_ERROR_FORMAT, 0, "%s%sno checkpoint of perm: it begins with other bytes",
                      path ? path : "", path ? ": " : "");
  if (size < PERMI_CHECKPOINT_HEAD + 8)
    return permi_checkpoint_fail(result, PERM_ERROR_FORMAT, path, " cut short: %llu bytes", (unsigned long long)size);
  if (permi_get(bytes + 8, 4) != 1)
    return permi_checkpoint_fail(result, PERM_ERROR_FORMAT, path, " of format %llu; this version reads 1",
                                 (unsigned long long)permi_get(bytes + 8, 4));
  if (permi_get(bytes + 16, 8) != size)
    return permi_checkpoint_fail(result, PERM_ERROR_FORMAT, path, " cut short or extended: %llu bytes of %llu",
                                 (unsigned long long)size, (unsigned long long)permi_get(bytes + 16, 8));
  if (permi_get(bytes + size - 8, 8) != permi_checksum(bytes, size - 8))
    return permi_checkpoint_fail(result, PERM_ERROR_FORMAT, path, " damaged: its checksum is wrong");
  const unsigned version = (unsigned)permi_get(bytes + 12, 4);
  if (version != PERMI_VERSION)
    return permi_checkpoint_fail(result, PERM_ERROR_STATE, path, " of perm %u.%u.%u; this is %d.%d.%d",
                                 version / 1000000, version / 1000 % 1000, version % 1000, PERM_VERSION_MAJOR,
                                 PERM_VERSION_MINOR, PERM_VERSION_PATCH);
  return PERM_OK;
}

PERMI_COLD static perm_status permi_checkpoint_stranger(const unsigned char *bytes, const perm_options *options,
                                                        const char *path, perm_result *result)
{
  perm_options a, b;
  char text[640] = "";
  size_t used = 0;
  if (!options)
    return permi_checkpoint_fail(result, PERM_ERROR_STATE, path, " of another matrix, or made with other options");
  a = b = *options;
  b.isa = b.isa == PERM_ISA_AUTO ? perm_isa_best() : b.isa;
  permi_options_decode(bytes, &a);
  const struct { const char *name; double made, now; } option[] = {
      {"method", (double)a.method, (double)b.method}, {"precision", (double)a.precision, (double)b.precision},
      {"isa", (double)a.isa, (double)b.isa}, {"certify", (double)a.certify, (double)b.certify},
      {"tolerance", a.tolerance, b.tolerance}, {"plan_effort", a.plan_effort, b.plan_effort},
      {"max_bytes", a.max_bytes, b.max_bytes},
      {"gpus", (double)a.gpu.devices, b.gpu.devices && a.gpu.devices ? (double)a.gpu.devices : b.gpu.devices}};
  if (a.modulus != b.modulus)
    used = permi_say(text, sizeof text, " made with modulus %llu, not %llu", (unsigned long long)a.modulus,
                     (unsigned long long)b.modulus);
  for (size_t k = 0; k < sizeof option / sizeof *option; k++) {
    const double made = option[k].made, now = option[k].now;
    const char *const begin = used ? ";" : " made with", *const name = option[k].name;
    if (made != now)
      used += k < 3 ? permi_say(text + used, sizeof text - used, "%s %s %s, not %s", begin, name,
                                perm_name(name, (int)made), perm_name(name, (int)now))
                    : permi_say(text + used, sizeof text - used, "%s %s %.15g, not %.15g", begin, name, made, now);
  }
  return permi_checkpoint_fail(result, PERM_ERROR_STATE, path, "%s", used ? text : " of another matrix");
}

/* Advances *bytes, which has `left` bytes. Returns 1, 0 if it is invalid, -1 without memory. */
static int permi_leaf_decode(const permi_leaf *leaf, const unsigned char **bytes, size_t left, perm_state *state, int i)
{
  const unsigned char *from = *bytes;
  const uint64_t chunks = leaf->information.chunks;
  permi_intervals *finished = &state->finished[i];
  perm_partial *partial = &state->partial[i], counted;
  if (left < PERMI_CHECKPOINT_LEAF || permi_get(from, 8) != leaf->information.fingerprint ||
      permi_get(from + 8, 8) != chunks)
    return 0;
  const uint64_t count = permi_get(from + 16, 8);
  from += PERMI_CHECKPOINT_LEAF;
  left -= PERMI_CHECKPOINT_LEAF;
  *bytes = from;
  if (!count)
    return 1;
  if (left < PERM_PARTIAL_BYTES || count > (left - PERM_PARTIAL_BYTES) / 16)
    return 0;
  finished->count = (size_t)count;
  finished->list = (permi_interval *)permi_allocate(&state->allocator, finished->count, sizeof *finished->list);
  if (!finished->list)
    return -1;
  memset(&counted, 0, sizeof counted);
  for (size_t k = 0; k < finished->count; k++, from += 16) {
    permi_interval *interval = &finished->list[k];
    interval->begin = permi_get(from, 8);
    interval->end = permi_get(from + 8, 8);
    if ((k && interval->begin <= interval[-1].end) || interval->begin >= interval->end || interval->end > chunks)
      return 0;
    permi_partial_count(&counted, interval->begin, interval->end);
  }
  *bytes = from + PERM_PARTIAL_BYTES;
  return perm_partial_decode(from, PERM_PARTIAL_BYTES, partial) == PERM_OK &&
         partial->fingerprint == leaf->information.fingerprint && permi_partial_agrees(partial, &counted);
}

static perm_status permi_state_decode(const perm_job *job, const unsigned char *bytes, size_t size,
                                      const perm_options *options, const char *path, perm_state **state,
                                      perm_result *result)
{
  int i, good = 1;
  perm_status status = permi_checkpoint_check(bytes, size, path, result);
  if (status != PERM_OK)
    return status;
  const unsigned char *from = bytes + PERMI_CHECKPOINT_HEAD, *end = bytes + size - 8;
  if (permi_get(bytes + 24, 8) != perm_job_fingerprint(job) || permi_get(bytes + 100, 4) != (uint64_t)job->leaves)
    return permi_checkpoint_stranger(bytes, options, path, result);
  if (perm_state_create(job, state) != PERM_OK)
    return permi_fail_memory(result);
  for (i = 0; good == 1 && i < job->leaves; i++)
    good = permi_leaf_decode(&job->leaf[i], &from, (size_t)(end - from), *state, i);
  if (good == 1 && permi_get(bytes + 104, 8) == (uint64_t)(end - from))
    return PERM_OK;
  perm_state_free(*state);
  *state = NULL;
  return good < 0 ? permi_fail_memory(result)
                  : permi_checkpoint_fail(result, PERM_ERROR_FORMAT, path, " whose contents contradict each other");
}

static perm_status permi_check_decode(const perm_job *job, const void *from, const char *name, perm_state **state,
                                      perm_result *result)
{
  permi_result_clear(result);
  if (!state)
    return permi_fail(result, PERM_ERROR_NULL, 4, "state is NULL");
  *state = NULL;
  return job && from ? PERM_OK
                     : permi_fail(result, PERM_ERROR_NULL, job ? 2 : 1, "%s is NULL", job ? name : "job");
}

PERM_API perm_status perm_state_decode(const perm_job *job, const void *bytes, size_t size, perm_state **state,
                                       perm_result *result)
{
  const perm_status status = permi_check_decode(job, bytes, "bytes", state, result);
  return status == PERM_OK
             ? permi_state_decode(job, (const unsigned char *)bytes, size, NULL, NULL, state, result)
             : status;
}

/* Reads at most one byte beyond the announced length. */
static perm_status permi_file_read(const char *path, const perm_allocator *allocator, unsigned char **bytes,
                                   size_t *size, int *missing, perm_result *result)
{
  const char *failed = NULL;
  size_t room = 0, used = 0, got = 1;
  uint64_t wanted = PERMI_CHECKPOINT_HEAD;
  perm_status status = PERM_OK;
  unsigned char *to = NULL;
  FILE *file = permi_file_open(path, &failed, missing);
  if (!file)
    return permi_fail(result, PERM_ERROR_FILE, 0, "%s: cannot open: %s", path, failed);
  while (got && !failed && used < wanted) {
    int fault;
    if (used == room && !permi_enlarge(allocator, NULL, &to, used, room = room ? 2 * room : 4096, 1)) {
      status = permi_fail_memory(result);
      break;
    }
    size_t ask = wanted < room ? (size_t)wanted - used : room - used;
    errno = fault = PERMI_FILE_FAULT("read", &ask);
    got = fault ? 0 : fread(to + used, 1, ask, file);
    if (fault || ferror(file))
      failed = strerror(errno);
    used += got;
    if (wanted == PERMI_CHECKPOINT_HEAD && used >= wanted && !memcmp(to, PERMI_CHECKPOINT_MAGIC, 8)) {
      const uint64_t whole = permi_get(to + 16, 8);
      wanted = whole < UINT64_MAX && whole > wanted ? whole + 1 : wanted; /* one more must not exist */
    }
  }
  fclose(file);
  *bytes = to;
  *size = used;
  if (failed)
    status = permi_fail(result, PERM_ERROR_FILE, 0, "%s: cannot read: %s", path, failed);
  if (status != PERM_OK) {
    permi_release(allocator, to);
    *bytes = NULL;
  }
  return status;
}

typedef struct permi_encoded {
  const unsigned char *bytes;
  size_t size;
} permi_encoded;

static int permi_encoded_print(FILE *stream, const void *what)
{
  const permi_encoded *encoded = (const permi_encoded *)what;
  size_t done = 0, ask;
  for (; done < encoded->size; done += ask) {
    ask = encoded->size - done;
    errno = PERMI_FILE_FAULT("write", &ask);
    if (errno || fwrite(encoded->bytes + done, 1, ask, stream) != ask)
      return 0;
  }
  return 1;
}

static perm_status permi_checkpoint_write(const perm_job *job, const perm_state *state, const char *path,
                                          const perm_options *options, int clean, perm_result *result)
{
  const size_t size = perm_state_encode(job, state, options, NULL, 0);
  unsigned char *bytes = (unsigned char *)permi_allocate(&job->allocator, size, 1);
  const permi_encoded encoded = {bytes, size};
  const char *why, *failed;
  if (!bytes)
    return permi_fail_memory(result);
  perm_state_encode(job, state, options, bytes, size);
  why = permi_file_replace(path, &job->allocator, clean, permi_encoded_print, &encoded, &failed);
  permi_release(&job->allocator, bytes);
  if (why && !failed)
    return permi_fail_memory(result);
  return why ? permi_fail(result, PERM_ERROR_FILE, 3, "%s: cannot %s the checkpoint: %s", path, failed, why) : PERM_OK;
}

PERM_API perm_status perm_checkpoint_write(const perm_job *job, const perm_state *state, const char *path,
                                           const perm_options *options, perm_result *result)
{
  const perm_status status = permi_check_state(job, state, 2, result);
  if (status == PERM_OK && !path)
    return permi_fail(result, PERM_ERROR_NULL, 3, "path is NULL");
  return status == PERM_OK ? permi_checkpoint_write(job, state, path, permi_options(options), 1, result) : status;
}

static perm_status permi_checkpoint_read(const perm_job *job, const char *path, const perm_options *options,
                                         perm_state **state, int *missing, perm_result *result)
{
  const perm_checkpoint_file *wanted = &options->checkpoint;
  perm_options made;
  unsigned char *bytes = NULL;
  size_t size = 0;
  perm_status status = permi_file_read(path, &job->allocator, &bytes, &size, missing, result);
  if (status != PERM_OK)
    return status;
  status = permi_state_decode(job, bytes, size, options, path, state, result);
  if (status == PERM_OK && wanted->parts) {
    permi_options_decode(bytes, &made);
    if (!made.checkpoint.parts)
      status = permi_checkpoint_fail(result, PERM_ERROR_STATE, path, " of the whole job, not of part %d of %d",
                                     wanted->part, wanted->parts);
    else if (made.checkpoint.parts != wanted->parts || made.checkpoint.part != wanted->part)
      status = permi_checkpoint_fail(result, PERM_ERROR_STATE, path, " of part %d of %d, not %d of %d",
                                     made.checkpoint.part, made.checkpoint.parts, wanted->part, wanted->parts);
  }
  if (status != PERM_OK) {
    perm_state_free(*state);
    *state = NULL;
  }
  permi_release(&job->allocator, bytes);
  return status;
}

PERM_API perm_status perm_checkpoint_read(const perm_job *job, const char *path, const perm_options *options,
                                          perm_state **state, perm_result *result)
{
  int missing;
  const perm_status status = permi_check_decode(job, path, "path", state, result);
  return status == PERM_OK ? permi_checkpoint_read(job, path, permi_options(options), state, &missing, result) : status;
}

PERM_API perm_status perm_checkpoint_options(const char *path, perm_options *options, char **note, perm_result *result)
{
  unsigned char *bytes = NULL;
  char *kept = NULL;
  size_t size = 0, length = 0;
  int missing;
  permi_result_clear(result);
  if (!path || !options)
    return permi_fail(result, PERM_ERROR_NULL, path ? 2 : 1, "%s is NULL", path ? "options" : "path");
  if (note)
    *note = NULL;
  perm_status status = permi_file_read(path, &options->allocator, &bytes, &size, &missing, result);
  if (status == PERM_OK)
    status = permi_checkpoint_check(bytes, size, path, result);
  if (status == PERM_OK) {
    perm_options found = *options;
    permi_options_decode(bytes, &found);
    if (permi_isa_doubles(found.isa) == perm_isa_best())
      found.isa = perm_isa_best(); /* the same except for integers, which the fingerprint tells */
    length = (size_t)permi_get(bytes + 104, 8);
    if (permi_bad_option(&found) || permi_get(bytes + 104, 8) > size - PERMI_CHECKPOINT_HEAD - 8)
      status = permi_checkpoint_fail(result, PERM_ERROR_FORMAT, path, " whose contents contradict each other");
    else if (note && length && !(kept = (char *)permi_allocate(&options->allocator, length + 1, 1)))
      status = permi_fail_memory(result);
    else
      *options = found;
  }
  if (kept) {
    memcpy(kept, bytes + size - 8 - length, length);
    kept[length] = 0;
    *note = kept;
  }
  permi_release(&options->allocator, bytes);
  return status;
}

/* ======================================================================================= >>contract
   What plans of GPUs are, on any machine. */

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

PERMI_BRIEF_END

/* ======================================================================================== >>kernels
   Interface and tables of the kernels. One text (>>vocabulary) serves all instruction sets; tests/compile looks for
   spills. */

typedef enum permi_form {
  PERMI_FORM_SCALAR,
  PERMI_FORM_NORMALISED, /* divided by pivots */
  PERMI_FORM_PAIR,       /* rows in pairs */
  PERMI_FORM_SPLIT,      /* exact high + low row sums: dd, certify */
  PERMI_FORM_PLAIN,      /* GPUs: a pivot column, no division */
  PERMI_FORM_FLOATS,     /* GPUs: pairs of floats */
  PERMI_FORM_MAKE_INT = 0x7fffffff
} permi_form;

typedef struct permi_dense_plan {
  int version, n, is_complex, certify;
  perm_method method;
  perm_precision precision;
  perm_isa isa; /* the kernel family */
  permi_form form;
  int pivot; /* the +- column */
  int lane_columns, block_columns, outer_columns;
  int chunk_log2; /* of outer states (scalar engines: terms) */
  uint64_t chunks;
  int row_exp2[PERM_MAX_N], column_exp2[PERM_MAX_N]; /* of entries: 2^(row + column) */
  int zero, lossy;       /* 1: no transversal of nonzeros; scaling made an entry subnormal */
  int exact_rows;        /* 1: nothing rounds before the products; 2: hardly, entries >= 0 */
  int group;             /* floats: rows whose product becomes one float */
  double elements;       /* n 2^(n-1) */
  double seconds, bytes; /* predicted, one thread */
  uint64_t fingerprint;
} permi_dense_plan;

typedef struct permi_chunk_sum {
  permi_dd value, imaginary;
  double absolute;
} permi_chunk_sum;

#define PERMI_VIRTUAL_ROWS 392 /* 12 a complex pair, 8 to look ahead */
#define PERMI_GROUP_LOG2 3     /* of states added without TwoSum */
#define PERMI_MOST_TABLED 2

typedef struct permi_dense permi_dense;
typedef void (*permi_kernel_run)(const permi_dense *dense, uint64_t chunk, permi_chunk_sum *sum);

struct permi_dense {
  int n, rows, padded; /* rows: virtual, padded to eights */
  int outer, chunk_log2;
  int tabled;             /* outer columns with tables */
  unsigned absolute_mask; /* one of mask + 1 groups counts for |terms| */
  double *table;
  size_t table_size;
  double *step;     /* [outer][2][padded]: +2a, -2a */
  double *start;    /* [padded]: all outer signs + */
  double *constant; /* permi_dense_pair */
  permi_kernel_run run;
};

/* A sum of >>minors_kernels over the signs of all but the last `fixed` columns. `group`: rows at once. */
typedef struct permi_minors_sum {
  int rows, n, group, fixed;
  const double *a;
} permi_minors_sum;

/* Doubles of memory for each row, and for each of a group with `free` columns, in any family. */
#define PERMI_MINORS_ROW(parts) (56 * (parts))
#define PERMI_MINORS_SUMS(free, parts) (32 * (parts) + ((free) < 6 ? 3 : 2 * (free) - 9) * 8 * (parts) + 8)

#define PERMI_BATCH_BLOCK 32 /* matrices of a kernel of >>batch: as many as an int has bits */

/* Factors in products of rows 0 .. 3 and of the others in >>batch: pairs of columns (b < a at b + a (a - 1) / 2) or, in
   products of three, a column and a pair. */
typedef struct permi_batch_split {
  unsigned char upper[6], lower[6];
} permi_batch_split;

#define PERMI_EXACT_LIMBS 32
#define PERMI_EXACT_ATOMS 5
#define PERMI_EXACT_BLOCK_LOG2 2
#define PERMI_EXACT_SKIP_LOG2 6 /* two columns a table */
#define PERMI_EXACT_WINDOW 51   /* bits */
#define PERMI_EXACT_WIDTH 8
#define PERMI_EXACT_HALF 16
typedef struct permi_exact_work {
  uint64_t accumulator[3][(PERMI_EXACT_LIMBS + 1) * PERMI_EXACT_WIDTH];
  double x[2 * PERM_MAX_N]; /* row sums */
  double limb[2 * PERMI_EXACT_LIMBS * 4 * PERMI_EXACT_WIDTH];
  double first[12 * PERMI_EXACT_HALF * PERMI_EXACT_WIDTH], second[12 * PERMI_EXACT_HALF * PERMI_EXACT_WIDTH];
  int16_t atom[PERMI_EXACT_LIMBS * PERMI_EXACT_ATOMS * 16 * PERMI_EXACT_WIDTH];
  uint8_t lane[128 * 4 * PERMI_EXACT_WIDTH + 64], setting[128 * 4 * PERMI_EXACT_WIDTH + 64]; /* survivors' */
} permi_exact_work;
typedef struct permi_exact_total {
  permi_wide plane[3][PERMI_EXACT_LIMBS + 1];
} permi_exact_total;
typedef struct permi_exact permi_exact;
typedef void (*permi_exact_run)(const permi_exact *exact, uint64_t chunk, permi_exact_work *work,
                                permi_exact_total *total);
typedef void (*permi_exact_evaluate)(const permi_exact *exact, permi_exact_work *work, int settings, int negative,
                                     int place_signs);
/* Tables of an integer matrix, rows in the order of atoms. */
struct permi_exact {
  int n, padded;                /* to a multiple of 16 */
  int parts;                    /* 2: Gaussian */
  int window;                   /* weights 2^(window k) */
  int limbs, narrow;            /* narrow: of atoms */
  int wide_padded, wide_entries; /* row sums in doubles; entries of wide_table, for a setting */
  int outer, chunk_log2, transposed, settings, even_rows;
  int atom_rows[PERMI_EXACT_LIMBS * PERMI_EXACT_ATOMS], fifth[PERMI_EXACT_LIMBS], even_row[PERM_MAX_N];
  const int16_t *table;          /* [row][block setting][lane] */
  const uint32_t *start;         /* [padded]: two int16; skipping: four int8 */
  const uint32_t *step;          /* [outer][padded] */
  const double *wide_table;      /* [block setting][entry][place][WIDTH] */
  const double *wide_step;       /* [outer][wide_padded] */
  const uint32_t *setting_step;  /* skipping: [setting column - 2][padded] */
  const uint8_t *lane_bytes;     /* [even row][two setting columns][lane], from all + */
  const uint8_t *nibbles;        /* [row][3][16], four columns */
  uint8_t parity[32], ends[128]; /* 0 or 255 by parity, then the opposite; 64 of 255, 64 of 0 */
  double round[PERMI_EXACT_LIMBS], rest[PERMI_EXACT_LIMBS], second[PERMI_EXACT_HALF], unit;
  uint64_t bias[PERMI_EXACT_LIMBS + 1];
  double survivors;
  permi_exact_run run;
  permi_exact_evaluate evaluate;
};

/* Products at once (AVX2: 2.7 times as fast as singly), and their sets. */
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

static int permi_trailing_zeros(uint64_t x) /* x != 0 */
{
#if defined(__GNUC__)
  return __builtin_ctzll(x);
#else
  int k = 0;
  for (; !(x & 1); x >>= 1)
    k++;
  return k;
#endif
}

static unsigned permi_scatter(uint64_t x)
{
  return (unsigned)(x * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

#define PERMI_ROUNDED 0
#define PERMI_DOUBLED 1 /* double-double */
#define PERMI_NEAR_N 12

static const double permi_lane_signs[3][8] PERMI_ALIGN64 = {
    {1, -1, 1, -1, 1, -1, 1, -1}, {1, 1, -1, -1, 1, 1, -1, -1}, {1, 1, 1, 1, -1, -1, -1, -1}};
static const double permi_lane_zero[2] = {0, 0};
static const double permi_parity_signs[32] = {1,  -1, -1, 1,  -1, 1,  1,  -1, -1, 1,  1,  -1, 1,  -1, -1, 1,
                                              -1, 1,  1,  -1, 1,  -1, -1, 1,  1,  -1, -1, 1,  -1, 1,  1,  -1};

/* Sets out to the signed lane sums of re, (im,) estimate, squares. */
static void permi_small_fold(double *lane, int width, int parts, int n, double *out)
{
  const double scale = 8.0 / (double)(1 << n); /* 2^-(n-3) */
  for (int part = 0; part <= parts + 1; part++, lane += 8) {
    const double sign = part < parts ? -1 : 1;
    if (width == 8) {
      lane[0] += sign * lane[4];
      lane[1] += sign * lane[5];
      lane[2] += sign * lane[6];
      lane[3] += sign * lane[7];
    }
    if (width >= 4) {
      lane[0] += sign * lane[2];
      lane[1] += sign * lane[3];
    }
    if (width >= 2)
      lane[0] += sign * lane[1];
    out[part] = part <= parts ? scale * lane[0] : lane[0];
  }
}

/* Adds the four equal bytes of x to each of 16. */
PERMI_UNUSED
static void permi_exact_nibbles(const uint8_t *from, uint32_t x, uint8_t *to)
{
  const uint64_t tops = UINT64_C(0x8080808080808080), y = (uint64_t)x << 32 | x;
  uint64_t word[2];
  memcpy(word, from, sizeof word);
  for (int k = 0; k < 2; k++)
    word[k] = ((word[k] & ~tops) + (y & ~tops)) ^ ((word[k] ^ y) & tops);
  memcpy(to, word, sizeof word);
}

#if PERMI_ARM
PERMI_UNUSED PERMI_INLINE int64x2_t permi_pairs16_neon(int16x8_t a, int16x8_t b)
{
  return vreinterpretq_s64_s32(vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b)));
}

PERMI_UNUSED PERMI_INLINE uint64_t permi_nonzero8_neon(uint8x16_t a)
{
  static const uint8_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x8_t bits = vld1_u8(bit);
  const uint8x16_t set = vtstq_u8(a, a);
  return vaddv_u8(vand_u8(vget_low_u8(set), bits)) | (uint64_t)vaddv_u8(vand_u8(vget_high_u8(set), bits)) << 8;
}
#endif

PERMI_UNUSED
static void permi_exact_empty(const uint64_t *lane, int width, int signs, uint64_t bias, permi_wide *total)
{
  for (int k = 0; k < width; k++) {
    permi_wide x;
    x.low = lane[k] - bias;
    if (signs & (k ^ k >> 1 ^ k >> 2))
      x.low = 0 - x.low;
    x.high = x.low >> 63 ? UINT64_MAX : 0;
    permi_wide_add(total, x);
  }
}

#define PERMI_FAMILY
#include PERM_HEADER_FILE

typedef struct permi_kernel {
  perm_isa isa;
  permi_form form;
  int parts, product, lane_columns, block_columns, n_least;
  double rate; /* elements/s, one thread; AVX2: of a Zen 3 core, the others of >>prices */
  permi_kernel_run run;
} permi_kernel;

static const permi_kernel permi_kernels_real[] = {
#if PERMI_X86
    {PERM_ISA_AVX512, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 3, 3, 16, 2.4e10, permi_glynn_real_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 3, 2, 7, 2.0e10, permi_glynn_real_k2_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 3, 3, 16, 1.9e10, permi_pair_real_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 3, 2, 7, 1.6e10, permi_pair_real_k2_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, 3, 3, 7, 8.7e9, permi_split_real_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, 3, 3, 7, 2.6e9, permi_dd_real_avx512},
    {PERM_ISA_AVX2, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 2, 2, 6, 2.1e10, permi_glynn_real_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 2, 2, 6, 1.7e10, permi_pair_real_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, 2, 3, 6, 8e9, permi_split_real_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, 2, 2, 5, 2.4e9, permi_dd_real_avx2},
#endif
#if PERMI_ARM /* not measured */
    {PERM_ISA_NEON, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 1, 3, 6, 6e9, permi_glynn_real_neon},
    {PERM_ISA_NEON, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 1, 3, 6, 5e9, permi_pair_real_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, 1, 3, 5, 2e9, permi_split_real_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, 1, 3, 5, 7e8, permi_dd_real_neon},
#endif
    {PERM_ISA_PLAIN, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 0, 2, 4, 1.8e9, permi_glynn_real_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 0, 2, 4, 1.6e9, permi_pair_real_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, 0, 2, 3, 8e8, permi_split_real_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, 0, 2, 3, 2e8, permi_dd_real_plain},
};
#if !defined(PERM_NO_COMPLEX)
static const permi_kernel permi_kernels_complex[] = {
#if PERMI_X86
    {PERM_ISA_AVX512, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, 3, 2, 7, 7e9, permi_pair_complex_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, 3, 2, 6, 3.4e9, permi_split_complex_avx512},
    {PERM_ISA_AVX512, PERMI_FORM_SPLIT, 2, PERMI_DOUBLED, 3, 2, 6, 5e8, permi_dd_complex_avx512},
    {PERM_ISA_AVX2, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, 2, 1, 5, 6.3e9, permi_pair_complex_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, 2, 2, 5, 3.6e9, permi_split_complex_avx2},
    {PERM_ISA_AVX2, PERMI_FORM_SPLIT, 2, PERMI_DOUBLED, 2, 1, 4, 4.3e8, permi_dd_complex_avx2},
#endif
#if PERMI_ARM
    {PERM_ISA_NEON, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, 1, 2, 5, 2e9, permi_pair_complex_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, 1, 2, 4, 9e8, permi_split_complex_neon},
    {PERM_ISA_NEON, PERMI_FORM_SPLIT, 2, PERMI_DOUBLED, 1, 2, 4, 2e8, permi_dd_complex_neon},
#endif
    {PERM_ISA_PLAIN, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, 0, 1, 3, 4.8e8, permi_pair_complex_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, 0, 1, 2, 2.6e8, permi_split_complex_plain},
    {PERM_ISA_PLAIN, PERMI_FORM_SPLIT, 2, PERMI_DOUBLED, 0, 1, 2, 5e7, permi_dd_complex_plain},
};
#endif

typedef struct permi_kernel_table {
  const permi_kernel *kernel;
  int count;
} permi_kernel_table;
#define PERMI_KERNEL_TABLE(kernels) {kernels, (int)(sizeof kernels / sizeof *kernels)}

#if !defined(PERM_NO_EXTRAS)
typedef struct permi_minors_kernel {
  perm_isa isa;
  int parts, least; /* order */
  double rate;
  void (*run)(const permi_minors_sum *of, uint64_t chunk, double *work, double *out);
} permi_minors_kernel;

static const permi_minors_kernel permi_minors_kernels[] = {
#if PERMI_X86
    {PERM_ISA_AVX512, 1, 6, 1.2e10, permi_minors_real_avx512},
    {PERM_ISA_AVX2, 1, 5, 6e9, permi_minors_real_avx2},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_AVX512, 2, 6, 4e9, permi_minors_complex_avx512},
    {PERM_ISA_AVX2, 2, 5, 2e9, permi_minors_complex_avx2},
#endif
#endif
#if PERMI_ARM
    {PERM_ISA_NEON, 1, 4, 3e9, permi_minors_real_neon},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_NEON, 2, 4, 1e9, permi_minors_complex_neon},
#endif
#endif
    {PERM_ISA_PLAIN, 1, 3, 8e8, permi_minors_real_plain},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_PLAIN, 2, 3, 2.4e8, permi_minors_complex_plain},
#endif
};
#endif

/* Returns the best kernel; NULL only below n = 4. */
static const permi_kernel *permi_kernel_for(const permi_kernel_table *table, perm_isa isa, permi_form form, int product,
                                            int n)
{
  const permi_kernel *kernel = table->kernel, *const end = kernel + table->count;
  for (; kernel < end; kernel++)
    if (kernel->isa <= isa && kernel->form == form && kernel->product == product && kernel->n_least <= n)
      return kernel;
  return NULL;
}

/* ========================================================================================== >>small
   n <= 16 without a plan. The general path takes what is not accepted, NaN and infinities too.
     n <= 4    Laplace expansion along halves of the rows, if at most five digits cancel or nothing is rounded
     5 .. 16   >>small_kernels, if their own estimate is good
   Underflow spares values from PERMI_FOUR_LEAST (n <= 4, |entries| <= 1e60), PERMI_SMALL_LEAST (n <= 12) and
   PERMI_FAR_LEAST on (parts <= 1e12): tests/proofs/small.g. Bound: a product of n entries is rounded at most K =
   permi_small_roundings times, in expansions 16: |error| is at most K u / (1 - K u) times prod_i sum_j |a_ij|, |re| +
   |im| for moduli, in expansions per |A| [Hig02, 3.1]. */

#define PERMI_SMALL_LEAST 1e-150
#define PERMI_FAR_LEAST 1e-98
#define PERMI_FOUR_LEAST 1e-110
#define PERMI_FOUR_CANCELLED 2e-5 /* of the sum of |terms|: 8 roundings leave 1e-10 */
#define PERMI_FOUR_LARGEST 1e60
#define PERMI_SMALL_N 16

static double permi_small(int n, const double *a)
{
  if (n <= 1)
    return n ? a[0] : 1;
  const double *b = a + n;
  if (n == 2)
    return a[0] * b[1] + a[1] * b[0];
  const double *c = b + n;
  if (n == 3)
    return a[0] * (b[1] * c[2] + b[2] * c[1]) + a[1] * (b[0] * c[2] + b[2] * c[0]) + a[2] * (b[0] * c[1] + b[1] * c[0]);
  const double *d = c + n;
  return (a[0] * b[1] + a[1] * b[0]) * (c[2] * d[3] + c[3] * d[2]) +
         (a[0] * b[2] + a[2] * b[0]) * (c[1] * d[3] + c[3] * d[1]) +
         (a[0] * b[3] + a[3] * b[0]) * (c[1] * d[2] + c[2] * d[1]) +
         (a[1] * b[2] + a[2] * b[1]) * (c[0] * d[3] + c[3] * d[0]) +
         (a[1] * b[3] + a[3] * b[1]) * (c[0] * d[2] + c[2] * d[0]) +
         (a[2] * b[3] + a[3] * b[2]) * (c[0] * d[1] + c[1] * d[0]);
}

/* Returns 1 if all are integers up to `most`; subnormal numbers, flushed or not, are none. */
static int permi_small_all_whole(int entries, const double *a, double most)
{
  int i, whole = 1;
  for (i = 0; i < entries && whole; i++)
    whole = fabs(a[i]) <= most && (double)(int64_t)a[i] == a[i] && (fabs(a[i]) >= 1 || permi_is_zero(a[i]));
  return whole;
}

/* Returns 1 if products of four neither overflow nor underflow; 0 for NaN. */
PERMI_NEVER_INLINE static int permi_small_is_safe(int count, const double *a)
{
  int i, safe = 1;
  for (i = 0; i < count; i++)
    safe &= (fabs(a[i]) <= 1e75) & ((fabs(a[i]) >= 1e-75) | permi_is_zero(a[i]));
  return safe;
}

/* Products of the rows' sums of moduli and of squares (at least DBL_MIN), over all rows and over all but the least.
   `moduli` is the sum of all, or NaN. */
typedef struct permi_small_size {
  double sums, squares, other_sums, other_squares, moduli;
} permi_small_size;

static permi_small_size permi_small_sizes_plain(int rows, int width, const double *a)
{
  permi_small_size size = {1, 1, 1, 1, 0};
  double least_sum = 1, least_square = 1;
  for (int i = 0; i < rows; i++, a += width) {
    double sum = 0, square = DBL_MIN;
    for (int j = 0; j < width; j++) {
      sum += fabs(a[j]);
      square += a[j] * a[j];
    }
    size.moduli += sum;
    if (i) {
      size.other_sums *= sum > least_sum ? sum : least_sum;
      size.other_squares *= square > least_square ? square : least_square;
      size.other_squares = size.other_squares > DBL_MIN ? size.other_squares : DBL_MIN;
    }
    least_sum = i && least_sum < sum ? least_sum : sum;
    least_square = i && least_square < square ? least_square : square;
  }
  size.sums = size.other_sums * least_sum;
  size.squares = size.other_squares * least_square;
  size.squares = size.squares > DBL_MIN ? size.squares : DBL_MIN;
  return size;
}

#if PERMI_X86
/* Returns the products over all rows only. */
__attribute__((target("avx2,fma"))) static permi_small_size permi_small_sizes_avx2(int rows, int width,
                                                                                   const double *a)
{
  static const int64_t masks[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
  const int end = (width - 1) / 4 * 4;
  const __m256i mask = _mm256_loadu_si256((const __m256i *)(const void *)(masks + (end + 4 - width)));
  const __m256d sign = _mm256_set1_pd(-0.0);
  const __m128d least = _mm_set_pd(DBL_MIN, 0);
  __m128d even = _mm_set1_pd(1), odd = even, moduli = _mm_setzero_pd(); /* they change places */
  permi_small_size size = {0, 0, 0, 0, 0};
  for (int i = 0; i < rows; i++, a += width) {
    __m256d x = _mm256_maskload_pd(a + end, mask), sum = _mm256_andnot_pd(sign, x), square = _mm256_mul_pd(x, x);
    for (int j = 0; j < end; j += 4) {
      x = _mm256_loadu_pd(a + j);
      sum = _mm256_add_pd(sum, _mm256_andnot_pd(sign, x));
      square = _mm256_fmadd_pd(x, x, square);
    }
    x = _mm256_add_pd(_mm256_unpacklo_pd(sum, square), _mm256_unpackhi_pd(sum, square));
    __m128d line = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    moduli = _mm_add_pd(moduli, line);
    line = _mm_max_pd(line, least);
    if (i == rows - 1 && i % 2 == 0)
      odd = _mm_max_pd(_mm_mul_pd(even, odd), least);
    else
      line = _mm_max_pd(_mm_mul_pd(even, line), least);
    even = odd;
    odd = line;
  }
  odd = _mm_max_pd(_mm_mul_pd(even, odd), least);
  size.sums = _mm_cvtsd_f64(odd);
  size.squares = _mm_cvtsd_f64(_mm_unpackhi_pd(odd, odd));
  size.moduli = _mm_cvtsd_f64(moduli);
  _mm256_zeroupper();
  return size;
}
#endif

/* 1 <= rows, width <= 2 PERMI_SMALL_N. Only permi_small_sizes_plain leaves out the least row. */
static permi_small_size permi_small_sizes(perm_isa isa, int rows, int width, const double *a)
{
#if PERMI_X86
  if (permi_lanes(isa) >= 4)
    return permi_small_sizes_avx2(rows, width, a);
#endif
  (void)isa;
  return permi_small_sizes_plain(rows, width, a);
}

static int permi_small_expansion_stands(int n, int width, const double *a, double value)
{
  double products = 1, moduli = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < width; j++)
      sum += fabs(a[i * width + j]);
    products *= sum;
    moduli += sum;
  }
  return (moduli <= PERMI_FOUR_LARGEST && value >= PERMI_FOUR_LEAST && value >= PERMI_FOUR_CANCELLED * products) ||
         permi_small_all_whole(n * width, a, 1024) || /* products of four are exact */
         (value >= PERMI_FOUR_CANCELLED * products && permi_small_is_safe(n * width, a));
}

#if PERMI_X86
/* Returns 1 if the value for n = 4 is good (max_pd may lose a NaN, the value does not). Column products are in lanes
   {01, 12, 23, 30} and {02, 13}; rows c, d have halves exchanged. */
__attribute__((target("avx2,fma"))) static int permi_small_four_avx2(const double *a, double *value)
{
  const __m128d a0 = _mm_loadu_pd(a), a1 = _mm_loadu_pd(a + 2), b0 = _mm_loadu_pd(a + 4), b1 = _mm_loadu_pd(a + 6);
  const __m128d c0 = _mm_loadu_pd(a + 8), c1 = _mm_loadu_pd(a + 10), d0 = _mm_loadu_pd(a + 12);
  const __m128d d1 = _mm_loadu_pd(a + 14);
  const __m256d x = _mm256_loadu_pd(a), y = _mm256_loadu_pd(a + 4), sign = _mm256_set1_pd(-0.0);
  const __m256d z = _mm256_insertf128_pd(_mm256_castpd128_pd256(c1), c0, 1);
  const __m256d w = _mm256_insertf128_pd(_mm256_castpd128_pd256(d1), d0, 1);
  const __m256d top = _mm256_fmadd_pd(x, _mm256_permute4x64_pd(y, 0x39),
                                      _mm256_mul_pd(_mm256_permute4x64_pd(x, 0x39), y));
  const __m256d bottom = _mm256_fmadd_pd(z, _mm256_permute4x64_pd(w, 0x39), /* columns i + 2, i + 3 */
                                         _mm256_mul_pd(_mm256_permute4x64_pd(z, 0x39), w));
  const __m128d across = _mm_fmadd_pd(a0, b1, _mm_mul_pd(a1, b0)); /* columns 02, 13 */
  const __m128d below = _mm_fmadd_pd(c0, d1, _mm_mul_pd(c1, d0));
  const __m256d products = _mm256_mul_pd(top, bottom);
  const __m128d halves = _mm_add_pd(_mm256_castpd256_pd128(products), _mm256_extractf128_pd(products, 1));
  const __m128d sum = _mm_fmadd_pd(across, _mm_shuffle_pd(below, below, 1), halves);
  const __m256d lower = _mm256_max_pd(_mm256_andnot_pd(sign, z), _mm256_andnot_pd(sign, w));
  const __m256d large = _mm256_max_pd(_mm256_max_pd(_mm256_andnot_pd(sign, x), _mm256_andnot_pd(sign, y)),
                                      _mm256_permute4x64_pd(lower, 0x4e));
  const int too_large = _mm256_movemask_pd(_mm256_cmp_pd(large, _mm256_set1_pd(PERMI_FOUR_LARGEST), _CMP_NLE_UQ));
  const __m128d two = _mm_mul_pd(_mm256_castpd256_pd128(large), _mm256_extractf128_pd(large, 1));
  const double most = 24 * _mm_cvtsd_f64(_mm_mul_sd(two, _mm_unpackhi_pd(two, two))); /* at least the sum of |terms| */
  *value = _mm_cvtsd_f64(_mm_add_sd(sum, _mm_unpackhi_pd(sum, sum)));
  _mm256_zeroupper();
  return !too_large && fabs(*value) >= PERMI_FOUR_LEAST && fabs(*value) >= PERMI_FOUR_CANCELLED * most;
}
#endif

typedef void (*permi_small_run)(int n, const double *a, double *out);

/* Returns at least how often a product of n entries is rounded, in >>minors_dense too
   (tests/proofs/small_orders.sh). */
static double permi_small_roundings(int n)
{
  return (1 << (n < 3 ? 0 : n - 3)) + n * (n + 3) + 8;
}

static permi_small_run permi_small_kernel_real(perm_isa isa, int n)
{
  const int lanes = permi_lanes(isa);
#if PERMI_X86
  if (lanes == 8 && n > 5)
    return n == 6   ? permi_small_real_n6_avx512
           : n == 7 ? permi_small_real_n7_avx512
           : n == 8 ? permi_small_real_n8_avx512
                    : permi_small_real_avx512;
  if (lanes >= 4)
    return n == 5 ? permi_small_real_n5_avx2 : n == 6 ? permi_small_real_n6_avx2 : permi_small_real_avx2;
#endif
  return n == 5 && lanes == 1 ? permi_small_real_n5_plain : PERMI_OF_FAMILY(permi_small_real, isa);
}

/* Returns at least the product of the rows' sums of squares. */
static double permi_small_scale(int n, double squares)
{
  double power = squares / n, scale = n & 1 ? power : 1;
  power *= power;
  scale *= n & 2 ? power : 1;
  power *= power;
  scale *= n & 4 ? power : 1;
  power *= power;
  return scale * (n & 8 ? power : 1) * (n & 16 ? power * power : 1);
}

/* Returns 1 if a kernel's value stands. `absolute` is within a factor 2 of a sum of moduli and pairs round twice: 4 n
   u. Row sums round by u times their norm, which moduli miss: 4 n u times the norms' product. Below 1e24 (n > 12: 1e19)
   neither that nor modulus^2 overflows; NaN fails. */
static int permi_small_stands(perm_isa isa, int n, int parts, const double *a, double modulus, double absolute,
                              double squares)
{
  const double unit = 4e10 * n * PERMI_UNIT, square = unit * unit;
  modulus -= unit * absolute;
  return squares <= (n > PERMI_NEAR_N ? 1e19 : 1e24) &&
         modulus >= (n > PERMI_NEAR_N ? PERMI_FAR_LEAST : PERMI_SMALL_LEAST) &&
         (square * permi_small_scale(n, squares) <= modulus * modulus ||
          square * permi_small_sizes(isa, n, n * parts, a).squares <= modulus * modulus);
}

/* Sets out to the value, for n > 4 to two numbers more (>>small_kernels). Returns 0 for the general path. 2 <= n <= 16,
   isa not AUTO. */
static int permi_small_real(perm_isa isa, int n, const double *a, double *out)
{
  if (n > 4) {
    permi_small_kernel_real(isa, n)(n, a, out);
    return permi_small_stands(isa, n, 1, a, fabs(out[0]), out[1], out[2]);
  }
#if PERMI_X86
  if (n == 4 && permi_lanes(isa) >= 4) {
    if (permi_small_four_avx2(a, out))
      return 1;
  } else
#endif
    out[0] = permi_small(n, a);
  return permi_small_expansion_stands(n, n, a, fabs(out[0]));
}

#if !defined(PERM_NO_COMPLEX)
static permi_small_run permi_small_kernel_complex(perm_isa isa, int n)
{
#if PERMI_X86
  const int lanes = permi_lanes(isa);
  if (lanes == 8 && n > 5)
    return n == 6 ? permi_small_complex_n6_avx512 : n == 7 ? permi_small_complex_n7_avx512 : permi_small_complex_avx512;
  if (lanes >= 4)
    return n == 5 ? permi_small_complex_n5_avx2 : permi_small_complex_avx2;
#endif
  (void)n;
  return PERMI_OF_FAMILY(permi_small_complex, isa);
}

PERMI_INLINE permi_number_plain permi_complex_entries(const double *a, const double *b, int i, int j)
{
  return permi_times_plain(permi_spread_plain(a + 2 * i, 1, 2), permi_spread_plain(b + 2 * j, 1, 2), 2);
}

PERMI_INLINE permi_number_plain permi_complex_two(const double *a, const double *b, int i, int j)
{
  return permi_plus_plain(permi_complex_entries(a, b, i, j), permi_complex_entries(a, b, j, i));
}

/* Returns columns i, j of two rows times k, l of the next, plus k, l times i, j. */
PERMI_INLINE permi_number_plain permi_complex_four(const double *a, int i, int j, int k, int l)
{
  const double *b = a + 8, *c = a + 16, *d = a + 24;
  return permi_plus_plain(permi_times_plain(permi_complex_two(a, b, i, j), permi_complex_two(c, d, k, l), 2),
                          permi_times_plain(permi_complex_two(a, b, k, l), permi_complex_two(c, d, i, j), 2));
}

PERMI_INLINE permi_number_plain permi_small_expand_complex(int n, const double *a)
{
  permi_number_plain x, y, z;
  if (n == 2)
    return permi_complex_two(a, a + 4, 0, 1);
  if (n == 3) {
    x = permi_times_plain(permi_spread_plain(a, 1, 2), permi_complex_two(a + 6, a + 12, 1, 2), 2);
    y = permi_times_plain(permi_spread_plain(a + 2, 1, 2), permi_complex_two(a + 6, a + 12, 0, 2), 2);
    z = permi_times_plain(permi_spread_plain(a + 4, 1, 2), permi_complex_two(a + 6, a + 12, 0, 1), 2);
  } else {
    x = permi_complex_four(a, 0, 1, 2, 3);
    y = permi_complex_four(a, 0, 2, 1, 3);
    z = permi_complex_four(a, 0, 3, 1, 2);
  }
  return permi_plus_plain(permi_plus_plain(x, y), z);
}
#endif

static int permi_small_complex(perm_isa isa, int n, const double *a, double *out)
{
#if defined(PERM_NO_COMPLEX)
  (void)isa, (void)n, (void)a, (void)out;
  return 0;
#else
  if (n > 4) {
    permi_small_kernel_complex(isa, n)(n, a, out);
    return permi_small_stands(isa, n, 2, a, fmax(fabs(out[0]), fabs(out[1])), out[2], out[3]);
  }
  permi_number_plain sum = permi_small_expand_complex(n, a);
  out[0] = sum.re;
  out[1] = sum.im;
  return permi_small_expansion_stands(n, 2 * n, a, fmax(fabs(sum.re), fabs(sum.im)));
#endif
}

/* Inlined and without memcpy for batches. */
PERMI_UNUSED PERMI_INLINE int permi_small_value(perm_isa isa, int n, int parts, const double *a, double *value)
{
  double room[4], *out = n > 4 ? room : value;
  const int stands = parts == 2 ? permi_small_complex(isa, n, a, out) : permi_small_real(isa, n, a, out);
  if (n > 4) {
    value[0] = out[0];
    value[parts - 1] = out[parts - 1];
  }
  return stands;
}

/* Returns 1 if kernels round nothing: integers, 2^(n-3) prod_i R_i below 2^53 (>>small_exact). */
static int permi_small_rounds_nothing(int n, int entries, const double *a, double products)
{
  return products * (1 << (n < 4 ? 0 : n - 3)) < 9007199254740992.0 &&
         permi_small_all_whole(entries, a, 9007199254740991.0);
}

#define PERMI_WRITTEN_OUT_N 12 /* lines, with copies */

/* Multiplicities of lines; NULL: once each. */
typedef struct permi_copies {
  int m, n;
  const void *a;
  ptrdiff_t ld;
  const int *row_count, *column_count;
} permi_copies;

/* Returns 1 and a result if the value stands, not 0 and estimated to be right to 1e-10. 2 <= n <= 16, isa not AUTO. */
static int permi_small_result(perm_isa isa, int n, int parts, const double *a, ptrdiff_t ld, perm_result *result)
{
  double tight[2 * PERMI_SMALL_N * PERMI_SMALL_N], out[4], largest, bound, estimate;
  const int width = n * parts;
  if (ld != n) {
    for (int i = 0; i < n; i++)
      memcpy(tight + i * width, a + i * ld * parts, (size_t)width * sizeof *a);
    a = tight;
  }
  if (n < 4)
    isa = PERM_ISA_PLAIN;
  if (!(parts == 2 ? permi_small_complex(isa, n, a, out) : permi_small_real(isa, n, a, out)) ||
      (out[0] == 0 && (parts == 1 || out[1] == 0)) || permi_not_finite(out[0]) || permi_not_finite(out[parts - 1]))
    return 0;
  largest = fabs(out[0]) > fabs(out[parts - 1]) ? fabs(out[0]) : fabs(out[parts - 1]);
  if (n > 4) {
    const permi_small_size size = permi_small_sizes(isa, n, width, a);
    bound = 1.001 * PERMI_UNIT * permi_small_roundings(n) * size.sums + (n > PERMI_NEAR_N ? 1e-114 : 1e-170);
    estimate = 4 * n * PERMI_UNIT * (out[parts] + sqrt(size.squares));
    estimate = estimate < bound ? estimate : bound;
    if (permi_small_rounds_nothing(n, n * width, a, size.sums))
      bound = estimate = 0;
  } else {
    double moduli[16];
    for (int i = 0; i < n * n; i++)
      moduli[i] = parts == 2 ? fabs(a[2 * i]) + fabs(a[2 * i + 1]) : fabs(a[i]);
    bound = 16 * PERMI_UNIT * 1.001 * permi_small(n, moduli) + 1e-200;
    estimate = 0.1 * bound;
    if (permi_small_all_whole(n * width, a, 9007199254740991.0) &&
        permi_small_sizes_plain(n, width, a).sums * (n < 4 ? 1 : 2) < 9007199254740992.0)
      bound = estimate = 0;
    if (estimate > 1e-10 * largest)
      return 0;
  }
  permi_result_clear_brief(result);
  result->value = out[0];
  result->imaginary = parts == 2 ? out[1] : 0;
  result->error_bound = bound;
  result->error_estimate = estimate;
  permi_result_by(result, parts, n > 4 ? PERM_METHOD_DENSE : PERM_METHOD_EXPANSION, PERM_PRECISION_DEFAULT, isa,
                  (double)(1 << (n - 1)));
  return 1;
}

/* Writes the matrix, doubles or 64-bit integers, with its copies. Returns the number of columns, 0 if that is not 1 to
   PERMI_WRITTEN_OUT_N or not `missing` above that of rows. */
static int permi_small_write_out(const permi_copies *from, int parts, int missing, void *full)
{
  const int *const count[2] = {from->row_count, from->column_count};
  const size_t entry = 8 * (size_t)parts;
  char *to = (char *)full;
  int total[2] = {0, 0}, side, i, j, k, copy;
  for (side = 0; side < 2; side++)
    for (i = 0; i < (side ? from->n : from->m); i++) {
      const int times = count[side] ? count[side][i] : 1;
      if (times < 0 || times > PERMI_WRITTEN_OUT_N || (total[side] += times) > PERMI_WRITTEN_OUT_N)
        return 0;
    }
  if (total[0] + missing != total[1])
    return 0;
  for (i = 0; i < from->m; i++) {
    const char *row = (const char *)from->a + (size_t)i * (size_t)from->ld * entry;
    const int times = count[0] ? count[0][i] : 1;
    char *first = to;
    for (j = 0; j < from->n && times; j++)
      for (k = 0; k < (count[1] ? count[1][j] : 1); k++, to += entry) {
        memcpy(to, row + (size_t)j * entry, 8);
        if (parts == 2)
          memcpy(to + 8, row + (size_t)j * entry + 8, 8);
      }
    for (copy = 1; copy < times; copy++, to += (size_t)total[1] * entry)
      memcpy(to, first, (size_t)total[1] * entry);
  }
  return total[1];
}

/* ========================================================================================== >>plain
   The textbook engines, oracles of the tests. */

typedef struct permi_plain {
  int n, parts, ryser, chunk_log2;
  perm_precision precision;
  double a[1]; /* scaled, by columns */
} permi_plain;

/* Sets x to the row sums of term s.
   Glynn [Gly10]: 2^-(n-1) sum over d in {+-1}^n, d_n = 1, of prod_k d_k prod_i sum_j d_j a_ij.
   Ryser [Rys63]: (-1)^n sum over S of (-1)^|S| prod_i sum_{j in S} a_ij; as in [NW78], Glynn's with halved factors. */
static void permi_gray_start(const permi_plain *plain, uint64_t s, int part, permi_dd *x)
{
  const int n = plain->n;
  const double *a = plain->a + part * n * n;
  const uint64_t gray = s ^ s >> 1;
  for (int i = 0; i < n; i++) {
    x[i] = permi_dd_make(0);
    for (int j = 0; j < n; j++) {
      double on = (double)(gray >> j & 1);
      x[i] = permi_dd_add_double(x[i], (plain->ryser ? on : 1 - 2 * on) * a[j * n + i]);
    }
  }
}

/* Adds a double; kahan corrects the sum [Hig02, 4.3]. */
static permi_dd permi_plain_add(perm_precision precision, permi_dd total, double term)
{
  if (precision != PERM_PRECISION_KAHAN)
    return permi_dd_add_double(total, term);
  term += total.lo;
  const double sum = total.hi + term;
  total.lo = term - (sum - total.hi);
  total.hi = sum;
  return total;
}

static double permi_plain_unit(const permi_plain *plain)
{
  return plain->precision == PERM_PRECISION_DD ? 4 * PERMI_UNIT * PERMI_UNIT : PERMI_UNIT;
}

/* Returns the relative error of a term and the sum. */
static double permi_plain_rounding(const permi_plain *plain)
{
  return permi_plain_unit(plain) * ((plain->n + 4) * plain->parts + 1);
}

/* Returns a term's size plus its rows' drift in units of permi_plain_rounding. Long chunks sample every eighth term,
   but not Ryser's, of which few may be all. */
static double permi_plain_absolute(const permi_plain *plain, uint64_t s, const double *size, const double *lost)
{
  const int thin = plain->chunk_log2 > 9 && !plain->ryser;
  double product = 1, off = 0;
  if (thin && permi_scatter(s) & 7)
    return 0;
  for (int i = 0; i < plain->n; i++) {
    off = off * (size[i] + lost[i]) + product * lost[i];
    product *= size[i] + lost[i];
  }
  return (product + off / permi_plain_rounding(plain)) * (thin ? 8 : 1);
}

static void permi_partial_add(perm_partial *partial, permi_dd value, permi_dd imaginary, double absolute, double terms)
{
  permi_sum_add_dd(&partial->value, value);
  permi_sum_add_dd(&partial->imaginary, imaginary);
  permi_sum_add_double(&partial->absolute, absolute);
  partial->terms += terms;
}

/* `wide`: in double-double. */
PERMI_INLINE void permi_gray_chunk(const permi_leaf *leaf, uint64_t chunk, perm_partial *partial, int parts, int wide)
{
  const permi_plain *plain = (const permi_plain *)leaf->context;
  const int n = plain->n, minus = plain->ryser ? n & 1 : 0;
  const double on = plain->ryser ? 1 : -2; /* moves a row sum to Gray bit 1 */
  const uint64_t last = (chunk + 1) << plain->chunk_log2;
  double size[PERM_MAX_N], lost[PERM_MAX_N], absolute = 0;
  permi_dd total[2] = {{0, 0}, {0, 0}}, x[2][PERM_MAX_N];
  uint64_t s = chunk << plain->chunk_log2;
  int i, j, part;
  for (part = 0; part < parts; part++)
    permi_gray_start(plain, s, part, x[part]);
  for (i = 0; i < n; i++) { /* the expected drift: a move rounds by up to a unit of the row's moduli */
    lost[i] = 0;
    for (j = 0; j < parts * n; j++)
      lost[i] += fabs(plain->a[j * n + i]);
    lost[i] *= permi_plain_unit(plain) * (1 + ldexp(1, (plain->chunk_log2 + 1) / 2));
  }
  for (;;) {
    permi_dd re = permi_dd_make((int)(s & 1) ^ minus ? -1 : 1), im = {0, 0};
    double odd = 1, move;
    for (i = 0; i < n; i++) {
      const double y = x[0][i].hi, z = parts == 2 ? x[1][i].hi : 0, was = re.hi;
      size[i] = parts == 2 ? permi_modulus(y, z) : fabs(y);
      if (wide && parts == 2) {
        permi_dd_multiply_complex(&re, &im, x[0][i], x[1][i]);
      } else if (wide) {
        re = permi_dd_multiply(re, x[0][i]);
      } else if (parts == 2) {
        re.hi = was * y - im.hi * z;
        im.hi = was * z + im.hi * y;
      }
    }
    if (!wide && parts == 1) { /* two chains */
      for (i = 0; i + 1 < n; i += 2) {
        re.hi *= x[0][i].hi;
        odd *= x[0][i + 1].hi;
      }
      re.hi *= i < n ? x[0][i].hi * odd : odd;
    }
    total[0] = wide ? permi_dd_add(total[0], re) : permi_plain_add(plain->precision, total[0], re.hi);
    if (parts == 2)
      total[1] = wide ? permi_dd_add(total[1], im) : permi_plain_add(plain->precision, total[1], im.hi);
    absolute += permi_plain_absolute(plain, s, size, lost);
    if (++s == last)
      break;
    j = permi_trailing_zeros(s);
    move = (s ^ s >> 1) >> j & 1 ? on : -on;
    for (part = 0; part < parts; part++)
      for (i = 0; i < n; i++) {
        const double step = move * plain->a[(part * n + j) * n + i];
        if (wide)
          x[part][i] = permi_dd_add_double(x[part][i], step);
        else
          x[part][i].hi += step;
      }
  }
  absolute = fmax(absolute, permi_modulus(total[0].hi, total[1].hi)); /* samples may miss the terms */
  permi_partial_add(partial, total[0], total[1], absolute, ldexp(1, plain->chunk_log2));
}

static void permi_gray(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_plain *plain = (const permi_plain *)leaf->context;
  const int wide = plain->precision == PERM_PRECISION_DD;
  (void)workspace;
  if (plain->parts == 1 && !wide)
    permi_gray_chunk(leaf, chunk, partial, 1, 0);
  else
    permi_gray_chunk(leaf, chunk, partial, plain->parts, wide);
}

typedef struct permi_expansion {
  const permi_plain *plain;
  permi_control *control;
  uint32_t steps;
  perm_partial *partial;
} permi_expansion;

/* Adds the terms that continue `row` rows in the columns `used`. Prefix products, in double-double, err; their sum is
   exact. */
static perm_status permi_expand(permi_expansion *expansion, int row, uint64_t used, permi_dd re, permi_dd im)
{
  const permi_plain *plain = expansion->plain;
  const int n = plain->n;
  perm_status status = PERM_OK;
  if (row == n)
    permi_partial_add(expansion->partial, re, im, fabs(re.hi) + fabs(im.hi), 1);
  for (int j = 0; j < n && row < n && status == PERM_OK; j++) {
    const double a = plain->a[j * n + row], b = plain->parts == 2 ? plain->a[(n + j) * n + row] : 0;
    permi_dd x = re, y = im;
    if (used >> j & 1 || (a == 0 && b == 0))
      continue;
    permi_dd_multiply_complex(&x, &y, permi_dd_make(a), permi_dd_make(b));
    if (expansion->control && !(++expansion->steps & 0xffff))
      status = permi_control_poll(expansion->control, 0, "expanding");
    if (status == PERM_OK)
      status = permi_expand(expansion, row + 1, used | UINT64_C(1) << j, x, y);
  }
  return status;
}

static perm_status permi_expansion_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const perm_partial before = *partial;
  permi_expansion expansion = {(const permi_plain *)leaf->context, control, 0, partial};
  const perm_status status = permi_expand(&expansion, 0, 0, permi_dd_make(1), permi_dd_make(0));
  if (status != PERM_OK)
    *partial = before;
  return status;
}

PERMI_BRIEF_BEGIN

/* ========================================================================================== >>scale
   Powers of two that make the largest product of a transversal the largest entries everywhere: duals of an assignment
   problem with exponents as weights [DK01], by shortest augmenting paths [JV87]. Rounding an entry to its row's grid
   then moves the permanent by that times permanents of entries <= 1; per |a| >= 2^-n. The rule for free duals ignores
   the first ones. O(n^3); a greedy matching of tight entries settles most rows. */

#define PERMI_NO_EXPONENT (-(1 << 28)) /* no path reaches half of it */
#define PERMI_SCALE_APART 4096         /* scales to exactly 0 */

/* Augments by a path of least slack, or returns 0. The duals keep entries <= 0 and matched ones 0. */
static int permi_scale_augment(int n, int (*exponent)[PERM_MAX_N], int *row_exp2, int *column_exp2, int free_row,
                               int *row_of, int *column_of)
{
  int distance[PERM_MAX_N], parent[PERM_MAX_N], i = free_row, nearest = 0, best = 0, j;
  uint64_t todo = ~UINT64_C(0) >> (PERM_MAX_N - n), done = 0;
  for (j = 0; j < n; j++)
    distance[j] = -(PERMI_NO_EXPONENT / 2);
  for (;;) {
    const int start = best - row_exp2[i];
    best = -(PERMI_NO_EXPONENT / 2);
    for (uint64_t left = todo; left; left &= left - 1) {
      j = permi_trailing_zeros(left);
      const int d = start - exponent[i][j] - column_exp2[j];
      if (d < distance[j]) {
        distance[j] = d;
        parent[j] = i;
      }
      if (distance[j] < best) {
        best = distance[j];
        nearest = j;
      }
    }
    if (best == -(PERMI_NO_EXPONENT / 2))
      return 0;
    if (row_of[nearest] < 0)
      break;
    todo &= ~(UINT64_C(1) << nearest);
    done |= UINT64_C(1) << nearest;
    i = row_of[nearest];
  }
  row_exp2[free_row] += best;
  for (; done; done &= done - 1) {
    j = permi_trailing_zeros(done);
    row_exp2[row_of[j]] += best - distance[j];
    column_exp2[j] -= best - distance[j];
  }
  for (j = nearest; j >= 0; j = i) {
    const int row = parent[j];
    i = column_of[row];
    row_of[j] = row;
    column_of[row] = j;
  }
  return 1;
}

/* Centres the duals. Bit b of reach[a], which is destroyed: a tight entry in row a and the column of row b.
   1. Optimal duals differ by shifts (row +p, column -p) of pairs; a class, pairs on common cycles of tight entries,
   shifts together.
   2. Let path[a][b] <= 0 be the longest path from class a to b. b |-> path[a][b] and b |-> -path[b][a] are feasible
   shifts, so their mean, rounded down too, is one; it gives a cycle's entries equal exponents, and relative to one
   class the given duals drop out.
   3. Blocks without a cycle through both share no transversal: entries between them are scaled away. */
static void permi_scale_centre(int n, int (*exponent)[PERM_MAX_N], int *row_exp2, int *column_exp2, uint64_t *reach,
                               const int *column_of)
{
  int (*path)[PERM_MAX_N] = exponent + n;
  int class_of[PERM_MAX_N], block_of[PERM_MAX_N], sum[PERM_MAX_N], size[PERM_MAX_N];
  int shift[PERM_MAX_N], classes = 0, apart = PERMI_SCALE_APART, i, j, a, b, c;
  for (j = 0; j < n; j++) /* Warshall */
    for (i = 0; i < n; i++)
      reach[i] |= reach[j] & (0 - (reach[i] >> j & 1));
  memset(class_of, 0, sizeof class_of); /* for gcc -O3 */
  for (i = 0; i < n; i++) {
    for (j = 0; !(reach[i] >> j & 1) || !(reach[j] >> i & 1); j++)
      ;
    class_of[i] = j == i ? classes++ : class_of[j];
  }
  if (classes == 1)
    return;
  for (a = 0; a < classes; a++)
    for (b = 0; b < (classes + 7) / 8 * 8; b++)
      path[a][b] = a == b ? 0 : PERMI_NO_EXPONENT;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      int e = exponent[i][j] + row_exp2[i] + column_exp2[j];
      a = class_of[column_of[i]];
      b = class_of[j];
      path[a][b] = e > path[a][b] ? e : path[a][b];
    }
  for (c = 0; c < classes; c++) { /* Floyd; groups of 8 and a copy vectorise in gcc -O2 */
    int onward[PERM_MAX_N];
    memcpy(onward, path[c], sizeof onward);
    for (a = 0; a < classes; a++) {
      const int first = path[a][c];
      if (first <= PERMI_NO_EXPONENT / 2)
        continue;
      for (b = 0; b < classes; b += 8)
        for (i = b; i < b + 8; i++) {
          int e = first + onward[i];
          path[a][i] = e > path[a][i] ? e : path[a][i];
        }
    }
  }
  for (a = 0; a < classes; a++) {
    sum[a] = size[a] = 0;
    block_of[a] = -1;
    for (b = 0; b < classes; b++)
      if (path[a][b] > PERMI_NO_EXPONENT / 2 && path[b][a] > PERMI_NO_EXPONENT / 2) {
        block_of[a] = block_of[a] < 0 ? b : block_of[a];
        sum[a] += path[b][a] - path[a][b];
        size[a]++;
      }
  }
  for (a = 0; a < classes; a++) {
    int difference = sum[a] - sum[block_of[a]], twice = 2 * size[a];
    shift[a] = difference / twice - (difference % twice < 0);
    if (2 * abs(shift[a]) + PERMI_SCALE_APART > apart)
      apart = 2 * abs(shift[a]) + PERMI_SCALE_APART;
  }
  for (a = 0; a < classes; a++)
    for (b = 0; b < classes; b++) /* equal within a block, larger behind it */
      shift[a] += path[b][a] > PERMI_NO_EXPONENT / 2 ? apart : 0;
  for (i = 0; i < n; i++) {
    a = class_of[column_of[i]];
    row_exp2[i] += shift[a];
    column_exp2[column_of[i]] -= shift[a];
    for (j = 0; j < n; j++)
      if (block_of[a] != block_of[class_of[j]])
        exponent[i][j] = PERMI_NO_EXPONENT;
  }
}

/* Returns 2n rows, NULL without memory. */
static int (*permi_scale_room(const perm_allocator *allocator, int n))[PERM_MAX_N]
{
  return (int (*)[PERM_MAX_N])permi_allocate(allocator, 2 * (size_t)n, PERM_MAX_N * sizeof(int));
}

/* exponent[i][j] is that of |a_ij| as by frexp, PERMI_NO_EXPONENT for zero; n rows of room follow. Adds row_exp2[i] +
   column_exp2[j]: all are then <= 0, on a transversal 0; PERMI_NO_EXPONENT where none passes: those entries underflow
   to 0. Returns 0, unscaled, without a transversal. */
static int permi_scale_exponents(int n, int (*exponent)[PERM_MAX_N], int *row_exp2, int *column_exp2)
{
  uint64_t reach[PERM_MAX_N];
  int row_of[PERM_MAX_N], column_of[PERM_MAX_N], i, j, k;
  for (j = 0; j < n; j++) {
    column_exp2[j] = PERMI_NO_EXPONENT;
    row_of[j] = column_of[j] = -1;
  }
  for (i = 0; i < n; i++) { /* rows' largest entries to 0, then columns' */
    int most = PERMI_NO_EXPONENT;
    for (j = 0; j < n; j++)
      most = exponent[i][j] > most ? exponent[i][j] : most;
    row_exp2[i] = most > PERMI_NO_EXPONENT ? -most : 0;
    for (j = 0; j < n; j++) {
      const int e = exponent[i][j] + row_exp2[i];
      column_exp2[j] = e > column_exp2[j] ? e : column_exp2[j];
    }
  }
  for (j = 0; j < n; j++)
    column_exp2[j] = column_exp2[j] > PERMI_NO_EXPONENT / 2 ? -column_exp2[j] : 0;
  for (i = 0; i < n; i++) {
    for (j = 0; j < n && (row_of[j] >= 0 || exponent[i][j] + row_exp2[i] + column_exp2[j] != 0); j++)
      ;
    if (j < n) {
      row_of[j] = i;
      column_of[i] = j;
    } else if (!permi_scale_augment(n, exponent, row_exp2, column_exp2, i, row_of, column_of)) {
      memset(row_exp2, 0, (size_t)n * sizeof *row_exp2);
      memset(column_exp2, 0, (size_t)n * sizeof *column_exp2);
      return 0;
    }
  }
  for (j = 0; j < n; j++) {
    i = row_of[j];
    for (k = 0, reach[j] = 0; k < n; k++)
      reach[j] |= (uint64_t)(exponent[i][k] + row_exp2[i] + column_exp2[k] == 0) << k;
  }
  permi_scale_centre(n, exponent, row_exp2, column_exp2, reach, column_of);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      exponent[i][j] += exponent[i][j] > PERMI_NO_EXPONENT ? row_exp2[i] + column_exp2[j] : 0;
  return 1;
}

PERMI_BRIEF_END

/* ========================================================================================== >>dense
   Glynn's sum, its columns by how fast their signs vary:
     pivot    1 column: its two signs share the rest of a row sum (not in split form)
     lanes    3 (AVX-512), 2 (AVX2), 1 (NEON), 0: the elements of a vector
     block    K columns: 2^K vectors in registers
     fixed    1 column, always +
     outer    the rest, in Gray order; the first, `tabled`, have a table a setting and do not move the row sums
   Gray walks in doubles drift. Here each virtual row is rounded once, to a grid whose signed sums fit 53 bits: row
   sums are exact, entries off by at most 2^-53 of their row's sum of moduli; split form keeps 47 bits more
   (tests/proofs/dense.g). */

struct permi_problem;
struct permi_counted;
struct permi_counts;
struct permi_choice;

/* An array; ld counts entries. */
typedef struct permi_view {
  const double *a;
  ptrdiff_t ld;
  int parts;
  const struct permi_reach *reach; /* NULL: only scaled */
} permi_view;

typedef struct permi_gpu_engines {
  /* Plans for GPUs where these are wanted and faster than one thread. */
  void (*plan)(permi_dense_plan *plan, const permi_view *view, const perm_options *options);
  double (*seconds)(double elements, int parts, int product);
  perm_status (*leaf)(const permi_dense_plan *plan, const permi_view *view, const perm_allocator *allocator,
                      permi_leaf *leaf);
} permi_gpu_engines;

/* What a call may use: perm_real links real kernels only. */
typedef struct permi_reach {
  int parts; /* 1 real, 2 complex */
  permi_kernel_table kernels;
  const permi_counts_kernels *counts[2]; /* plain C, AVX2 */
  void (*gray)(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial); /* or NULL */
  const permi_gpu_engines *gpu;       /* NULL: no GPUs */
  const struct permi_engine *engines;
  int engine_count;
  perm_status (*run)(const perm_job *job, const perm_options *options, perm_result *result); /* or NULL */
  /* perm_sparse.h or NULL. Returns 0, or 1 with *result set. */
  int (*route)(const struct permi_problem *problem, const perm_options *options, int argument, perm_result *result);
} permi_reach;

static void permi_dense_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_dense *dense = (const permi_dense *)leaf->context;
  permi_chunk_sum sum;
  (void)workspace;
  dense->run(dense, chunk, &sum);
  permi_partial_add(partial, sum.value, sum.imaginary, sum.absolute * (dense->absolute_mask + 1.0), /* exact */
                    leaf->information.work / (double)dense->n / (double)leaf->information.chunks);
}

/* Returns x, |x| <= 2^top, rounded to multiples of 2^(top - 53). */
static double permi_to_grid(double x, double power_top)
{
  double with = copysign(0.5 * power_top, x), sum = x + with;
  return fabs(x) >= 0.5 * power_top ? x : sum - with;
}

/* Returns 2^top >= sum |a|. */
static double permi_grid_power(const double *a, int count)
{
  double sum = 0;
  for (int j = 0; j < count; j++)
    sum += fabs(a[j]);
  return sum > 0 ? permi_shift(1, permi_log2_ceiling(sum * (1 + 1e-12))) : 0;
}

#define PERMI_GRID_LOW_BITS 47 /* 64 residues of half a unit stay below 2^(top - 47) */

typedef struct permi_row_maker {
  permi_dense *dense;
  double *table;
  int row, inner; /* inner: lanes and block */
} permi_row_maker;

static permi_dense *permi_dense_open(const permi_dense *shape, permi_row_maker *maker, const perm_allocator *allocator,
                                     int inner, size_t table, size_t constants)
{
  const size_t padded = (size_t)shape->padded, step = 2 * (size_t)shape->outer * padded;
  const size_t room = ((table << shape->tabled) + 7) / 8 * 8 + 32; /* kernels look ahead */
  const size_t all = (room + step + padded + constants + 16) * sizeof(double);
  permi_dense *dense = (permi_dense *)permi_allocate_zeros(allocator, 1, sizeof *dense + all);
  if (!dense)
    return NULL;
  *dense = *shape;
  dense->table = (double *)(((uintptr_t)(dense + 1) + 63) & ~(uintptr_t)63);
  dense->table_size = table;
  dense->step = dense->table + room;
  dense->start = dense->step + step;
  dense->constant = dense->start + padded;
  maker->dense = dense;
  maker->table = dense->table;
  maker->row = 0;
  maker->inner = inner;
  return dense;
}

/* sum[q] is start + sum of +-a[c], - where bit c of q is set; returns their number. */
static int permi_signed_sums(double start, const double *a, int columns, double *sum)
{
  int c, k, size = 1;
  sum[0] = start;
  for (c = 0; c < columns; c++)
    sum[0] += a[c];
  for (c = 0; c < columns; c++, size *= 2) {
    const double twice = 2 * a[c];
    for (k = 0; k < size; k++)
      sum[size + k] = sum[k] - twice;
  }
  return size;
}

/* Lanes, block, fixed, outer. */
PERMI_NEVER_INLINE static void permi_dense_row(permi_row_maker *maker, const double *a)
{
  permi_dense *dense = maker->dense;
  const int inner = maker->inner;
  double start = a[inner], tabled[1 << PERMI_MOST_TABLED];
  int k, r = maker->row++;
  const int tables = permi_signed_sums(0, a + inner + 1, dense->tabled, tabled);
  for (k = 0; k < tables; k++)
    permi_signed_sums(tabled[k], a, inner, maker->table + (size_t)k * dense->table_size);
  maker->table += 1 << inner;
  for (k = dense->tabled; k < dense->outer; k++) {
    double twice = 2 * a[inner + 1 + k];
    start += a[inner + 1 + k];
    dense->step[(size_t)(2 * k) * (size_t)dense->padded + (size_t)r] = twice;
    dense->step[(size_t)(2 * k + 1) * (size_t)dense->padded + (size_t)r] = -twice;
  }
  dense->start[r] = start;
}

static void permi_dense_row_rounded(permi_row_maker *maker, double *a, int count)
{
  const double power = permi_grid_power(a, count);
  for (int j = 0; j < count; j++)
    a[j] = permi_to_grid(a[j], power);
  permi_dense_row(maker, a);
}

static permi_view permi_view_of(const double *a, ptrdiff_t ld, int parts, const permi_reach *reach)
{
  const permi_view view = {a, ld, parts, reach};
  return view;
}

PERMI_UNUSED static double permi_view_bytes(int m, int n, const permi_view *view)
{
  return 8.0 * view->parts * fmax(m, 0) * fmax(n, 0);
}

static double permi_at(const permi_view *view, int i, int j, int part)
{
  return view->a[((ptrdiff_t)i * view->ld + j) * view->parts + part];
}

/* Returns the entry, exact unless the plan is lossy. */
static double permi_scaled(const permi_dense_plan *plan, const permi_view *view, int i, int j, int part)
{
  return permi_shift(permi_at(view, i, j, part), plan->row_exp2[i] + plan->column_exp2[j]);
}

static double permi_scaled_modulus(const permi_dense_plan *plan, const permi_view *view, int i, int j)
{
  return permi_modulus(permi_scaled(plan, view, i, j, 0), view->parts == 2 ? permi_scaled(plan, view, i, j, 1) : 0);
}

/* Returns 0, all |terms| count, for bounds and below `least` outer columns. */
static unsigned permi_absolute_mask(const permi_dense_plan *plan, int least)
{
  return plan->outer_columns < least || plan->exact_rows || plan->form == PERMI_FORM_SPLIT ? 0 : 3;
}

/* Copies the columns: pivot, then the rest. */
static void permi_plan_row(const permi_dense_plan *plan, const permi_view *view, int i, double (*row)[PERM_MAX_N])
{
  for (int part = 0; part < view->parts; part++) {
    row[part][0] = permi_scaled(plan, view, i, plan->pivot, part);
    for (int j = 0, k = 1; j < plan->n; j++)
      if (j != plan->pivot)
        row[part][k++] = permi_scaled(plan, view, i, j, part);
  }
}

static int permi_pivot_is_safe(const permi_dense_plan *plan, const permi_view *view, int i, int j)
{
  double most = 0;
  for (int k = 0; k < plan->n; k++)
    most = fmax(most, permi_scaled_modulus(plan, view, i, k));
  return permi_scaled_modulus(plan, view, i, j) * 1024 >= most;
}

/* On the CPU all rows or none are divided. */
static int permi_row_divides(const permi_dense_plan *plan, const permi_view *view, int i)
{
  return plan->form == PERMI_FORM_NORMALISED &&
         (plan->isa != PERM_ISA_CUDA || permi_pivot_is_safe(plan, view, i, plan->pivot));
}

/* log2 of the product that divided row sums may reach. */
static int permi_plan_growth(const permi_dense_plan *plan, const permi_view *view)
{
  int growth = 0, i;
  for (i = 0; i < plan->n; i++)
    if (permi_row_divides(plan, view, i))
      growth += 1 - permi_exponent(permi_scaled_modulus(plan, view, i, plan->pivot));
  return growth;
}

/* Sets word[part (1 + low)] to row a on its grid, divided by a[.][0] if `divide`, and with `low` the next words to 47
   bits more. *lost grows by what is dropped. */
static void permi_row_words(const permi_dense_plan *plan, int parts, int divide, int low, double (*a)[PERM_MAX_N],
                            double (*word)[PERM_MAX_N], double *lost)
{
  const int n = plan->n;
  double power[2] = {0, 0}, low_power;
  for (int part = 0; part < parts; part++) {
    double *high = word[part * (1 + low)];
    memcpy(high, a[part], (size_t)n * sizeof *high);
    for (int j = 0; j < n && divide && parts == 1; j++)
      high[j] /= a[0][0];
    for (int j = 0; j < n && divide && parts == 2; j++) { /* right to a few units a part */
      permi_dd re = permi_dd_make(a[0][j]), im = permi_dd_make(a[1][j]);
      permi_dd size = permi_dd_make(a[0][0]), none = permi_dd_make(a[1][0]);
      const permi_dd real = size, imaginary = permi_dd_make(-a[1][0]);
      permi_dd_multiply_complex(&re, &im, real, imaginary);
      permi_dd_multiply_complex(&size, &none, real, imaginary);
      high[j] = j ? (part ? im.hi : re.hi) / size.hi : 1 - part;
    }
    power[part] = permi_grid_power(high, n);
  }
  if (plan->form == PERMI_FORM_SPLIT)
    power[0] = power[1] = fmax(power[0], power[1]);
  low_power = ldexp(power[0], -PERMI_GRID_LOW_BITS);
  for (int part = 0; part < parts; part++) {
    double *high = word[part * (1 + low)], gone = 0;
    for (int j = 0; j < n; j++) {
      const double x = high[j];
      high[j] = permi_to_grid(x, power[part]);
      if (low) {
        const double rest = x - high[j]; /* exact */
        word[2 * part + 1][j] = permi_to_grid(rest, low_power);
        gone += fabs(rest - word[2 * part + 1][j]);
      }
    }
    *lost += gone * (1 + 1e-12);
  }
}

/* Returns the largest share by which division and grid move an entry, summed over rows; INFINITY if some move and
   entries are complex or of both signs. Stops above `limit`. */
static double permi_plan_moves(const permi_dense_plan *plan, const permi_view *view, double limit)
{
  double sum = 0, lost = 0;
  int i, j, part, negative = view->parts == 2;
  for (i = 0; i < plan->n && sum <= limit; i++) {
    const int divide = permi_row_divides(plan, view, i);
    double row[2][PERM_MAX_N], word[2][PERM_MAX_N];
    if (divide && view->parts == 2)
      return (double)INFINITY;
    permi_plan_row(plan, view, i, row);
    permi_row_words(plan, view->parts, divide, 0, row, word, &lost);
    for (part = 0; part < view->parts; part++) {
      const double divisor = divide ? row[0][0] : 1;
      double most = 0;
      for (j = 0; j < plan->n; j++) {
        if (row[part][j] != 0)
          most = fmax(most, fabs(PERMI_REST(word[part][j], divisor, row[part][j]) / row[part][j]));
        negative |= word[part][j] < 0;
      }
      sum += most * (1 + 1e-12);
    }
  }
  return plan->lossy || (negative && sum > 0) ? (double)INFINITY : sum;
}

static void permi_leaf_scale_by(permi_leaf *leaf, int parts, double real, double imaginary)
{
  permi_dd re = leaf->scale, im = leaf->scale_imaginary;
  if (parts == 2)
    permi_dd_multiply_complex(&re, &im, permi_dd_make(real), permi_dd_make(imaginary));
  else
    re = permi_dd_multiply(re, permi_dd_make(real));
  const int e = permi_exponent(fmax(fabs(re.hi), fabs(im.hi)));
  leaf->scale = permi_dd_scale(re, -e);
  leaf->scale_imaginary = permi_dd_scale(im, -e);
  leaf->scale_exp2 += e;
}

/* Appends 1 or 2 rows y = z + l (>>dense_kernels): virtual rows z_i, z_j and, by setting q, z_i l_j(q) + z_j l_i(q),
   with constants l_i(q) l_j(q); for a single row z, l(q). Returns the constants' end. */
static double *permi_dense_pair(const permi_dense_plan *plan, permi_row_maker *maker, double (*row)[2][PERM_MAX_N],
                                int rows, int parts, double *constant)
{
  double l[2][2][8], z[2][2][PERM_MAX_N], o[PERM_MAX_N];
  const int settings = 1 << plan->block_columns, count = plan->n - 1 - plan->block_columns;
  memset(z, 0, sizeof z);
  for (int r = 0; r < rows; r++)
    for (int part = 0; part < parts; part++) {
      const double *a = row[r][part];
      permi_signed_sums(a[0], a + plan->lane_columns + 1, plan->block_columns, l[r][part]);
      for (int j = 0; j < count; j++)
        z[r][part][j] = a[1 + j + (j < plan->lane_columns ? 0 : plan->block_columns)];
      memcpy(o, z[r][part], sizeof o);
      permi_dense_row_rounded(maker, o, count);
    }
  for (int q = 0; q < settings; q++)
    for (int part = 0; part < parts; part++, constant++) {
      const double sign = part ? 1 : -1;
      const int other = 1 - part;
      *constant = rows == 1 ? l[0][part][q] : l[0][0][q] * l[1][part][q];
      if (rows == 1)
        continue;
      if (parts == 2)
        *constant += sign * l[0][1][q] * l[1][other][q];
      if (parts == 2 && q)
        *constant -= constant[-2 * q];
      for (int j = 0; j < count; j++) {
        o[j] = z[0][0][j] * l[1][part][q] + z[1][0][j] * l[0][part][q];
        if (parts == 2)
          o[j] += sign * (z[0][1][j] * l[1][other][q] + z[1][1][j] * l[0][other][q]);
      }
      permi_dense_row_rounded(maker, o, count);
    }
  return constant;
}

/* Adds the effect of a matrix E of lost parts, lost[i] = e_i the sum of moduli of its row i. With sums of moduli R_i <=
   1 and norms r_i of the scaled rows |per(A + E) - per(A)| is at most
     prod(R_i + e_i) - prod R_i <= 1.01 sum e_i,
     n! n^(-n/2) (prod(r_i + e_i) - prod r_i), by [CLL06] for every set of rows of E. */
static void permi_lost_entries(const permi_dense_plan *plan, const permi_view *view, const double *lost,
                               permi_leaf *leaf)
{
  const int n = plan->n;
  double sum = 0, share = 0, product = 1, bound;
  for (int i = 0; i < n; i++)
    sum += lost[i];
  if (sum == 0)
    return;
  for (int i = 0; i < n; i++) {
    double square = 0, norm;
    for (int part = 0; part < view->parts; part++)
      for (int j = 0; j < n; j++)
        square += permi_scaled(plan, view, i, j, part) * permi_scaled(plan, view, i, j, part);
    norm = sqrt(square) * (1 + 1e-12);
    share += lost[i] / norm;
    product *= norm * (i + 1) / sqrt((double)n);
  }
  bound = 1.01 * sum;
  if (share <= 0.01)
    bound = fmin(bound, 1.02 * share * product);
  leaf->bound_absolute += ldexp(bound, n - 1);
  leaf->estimate_absolute += ldexp(bound, n - 1);
}

/* Pivots go to the leaf's scale, losses of split rows to its bound. */
static perm_status permi_dense_tables(const permi_dense_plan *plan, const permi_view *view, const permi_kernel *kernel,
                                      const perm_allocator *allocator, permi_leaf *leaf)
{
  const int n = plan->n, parts = view->parts, settings = 1 << plan->block_columns, lanes = 1 << plan->lane_columns;
  const int pairs = plan->form == PERMI_FORM_PAIR, divide = plan->form == PERMI_FORM_NORMALISED;
  const int words = divide ? 1 : 2 * parts;
  permi_dense shape;
  permi_row_maker maker;
  double row[2][2][PERM_MAX_N], word[4][PERM_MAX_N], lost[PERM_MAX_N] = {0};
  memset(&shape, 0, sizeof shape);
  shape.n = n;
  shape.rows = pairs ? n / 2 * parts * (2 + settings) + n % 2 * parts : n * words;
  shape.padded = (shape.rows + (pairs ? 11 : 7)) / 8 * 8; /* they look 4 rows ahead */
  shape.outer = plan->outer_columns;
  shape.chunk_log2 = plan->chunk_log2;
  shape.absolute_mask = permi_absolute_mask(plan, 12);
  shape.run = kernel->run;
  const size_t table = (size_t)shape.rows * (size_t)(pairs ? lanes : lanes * settings);
  /* tables leave a quarter of a first-level cache of 32 KiB (docs/engines.md) */
  while (plan->lane_columns != 3 && shape.tabled < PERMI_MOST_TABLED && shape.tabled + 4 < plan->outer_columns &&
         table << (shape.tabled + 1) <= 24576 / sizeof(double))
    shape.tabled++;
  permi_dense *dense =
      permi_dense_open(&shape, &maker, allocator, plan->lane_columns + (pairs ? 0 : plan->block_columns), table,
                       (size_t)((n + 1) / 2 * settings * parts));
  if (!dense)
    return PERM_ERROR_MEMORY;
  double *constant = dense->constant;
  for (int i = 0; i < n; i++) {
    double(*a)[PERM_MAX_N] = row[pairs & i];
    permi_plan_row(plan, view, i, a);
    if (!pairs) {
      permi_row_words(plan, parts, divide, !divide, a, word, &lost[i]);
      for (int j = 0; j < words; j++)
        permi_dense_row(&maker, word[j] + divide); /* y + 1 is exact too */
      if (divide)
        permi_leaf_scale_by(leaf, 1, a[0][0], 0);
    } else if (i & 1 || i == n - 1) {
      constant = permi_dense_pair(plan, &maker, row, 1 + (i & 1), parts, constant);
    }
  }
  permi_lost_entries(plan, view, lost, leaf);
  leaf->context = dense;
  leaf->release = permi_release;
  leaf->run_chunk = permi_dense_chunk;
  return PERM_OK;
}

PERMI_BRIEF_BEGIN

/* ============================================================================================ >>gpu
   What perm.h asks of perm_cuda.cu; without PERM_WITH_CUDA plans of GPUs are made, merged and explained, runs refused.
   The columns of dense sums:
     pivot    1 (PERM_GPU_PIVOT only): rows divided by it multiply by x + 1 and x - 1, x the other columns; rows of a
              zero or small pivot c come last: (x + c), (x - c), one operation more
     fixed    1, always +
     block    unrolled in a thread, in Gray order, as constants
     walk     in Gray order, from a table in shared memory
     high     bits of the thread's number: 2^PERM_GPU_THREADS_LOG2 threads are a chunk */

#define PERMI_GPU_LEAST_N 13
#define PERMI_FLOAT_SQUARE (32 * PERMI_UNIT) /* u^2, u = 2^-24 */
#ifndef PERMI_FLOATS_GAIN
#define PERMI_FLOATS_GAIN 2.0 /* chosen: times faster than doubles */
#endif

struct permi_exact_rows;
struct permi_minors;
struct permi_minors_call;
struct permi_minors_total;
struct permi_batch;
typedef struct permi_gpu_lines {
  int order[PERM_MAX_N]; /* of rows; the last `plain` have no pivot */
  int plain, low;        /* low: rows have low words */
} permi_gpu_lines;

#if defined(PERM_WITH_CUDA)
#define PERMI_DEVICE static /* defined in perm_cuda.cu */
/* How many GPUs are usable; 0: message says why. */
PERMI_DEVICE int permi_gpu_devices(int gpus, char *message);
/* The first's time over an H200's; 1: none, or unknown. */
PERMI_DEVICE double permi_gpu_slower(perm_gpu_pipe pipe);
/* run_range of leaves whose context begins with permi_gpu, and the makers of such contexts. */
PERMI_DEVICE perm_status permi_gpu_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                         perm_partial *partial);
PERMI_DEVICE perm_status permi_gpu_tables(const permi_dense_plan *plan, const permi_view *view,
                                          const permi_gpu_lines *lines, const perm_allocator *allocator,
                                          permi_leaf *leaf);
/* Pairs of floats where good enough and faster. */
PERMI_DEVICE void permi_floats_plan(permi_dense_plan *plan, const permi_view *view, const perm_options *options);
PERMI_DEVICE perm_status permi_floats_leaf(const permi_dense_plan *plan, const permi_view *view,
                                           const perm_allocator *allocator, permi_leaf *leaf);
PERMI_DEVICE perm_status permi_exact_gpu_tables(const struct permi_exact_rows *rows, const perm_gpu_exact *shape,
                                                const perm_allocator *allocator, permi_leaf *leaf);
#if !defined(PERM_NO_EXTRAS)
/* Returns 1 and changes `minors` if GPUs take them; the next runs them. */
PERMI_DEVICE int permi_minors_gpu_takes(struct permi_minors *minors, const perm_options *options, double *full);
PERMI_DEVICE perm_status permi_minors_gpu_execute(const struct permi_minors *minors, const perm_options *options,
                                                  permi_control *control, struct permi_minors_total *total);
PERMI_DEVICE perm_status permi_batch_on_gpus(struct permi_batch *batch, int threads, perm_result *result);
PERMI_DEVICE perm_status permi_batch_resident(struct permi_batch *batch, perm_result *result);
PERMI_DEVICE perm_status permi_minors_resident(const struct permi_minors_call *call, const perm_options *options,
                                               perm_result *result);
#endif
#else
#define permi_gpu_slower(pipe) 1.0
#define permi_gpu_tables(plan, view, lines, allocator, leaf) PERM_OK
#define permi_floats_plan(plan, view, options) (void)0
#define permi_floats_leaf(plan, view, allocator, leaf) PERM_OK
#define permi_exact_gpu_tables(rows, shape, allocator, leaf) PERM_OK
#define permi_minors_gpu_takes(minors, options, full) permi_gpu_missed(options, (minors)->total, (minors)->seconds)
#define permi_minors_gpu_execute(minors, options, control, total) permi_gpu_range(NULL, 0, 0, control, NULL)
#define permi_gpu_absent(result) permi_fail(result, PERM_ERROR_DEVICE, 0, "perm.h was compiled without PERM_WITH_CUDA")
#define permi_batch_resident(batch, result) permi_gpu_absent(result)
#define permi_minors_resident(call, options, result) permi_gpu_absent(result)

static PERMI_ALWAYS_INLINE int permi_gpu_devices(int gpus, char *message)
{
  (void)gpus;
  snprintf(message, PERM_MESSAGE_BYTES, "perm.h was compiled without PERM_WITH_CUDA");
  return 0;
}

static perm_status permi_gpu_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                   perm_partial *partial)
{
  (void)leaf, (void)begin, (void)end, (void)partial;
  if (control)
    permi_gpu_devices(1, control->message);
  return PERM_ERROR_DEVICE;
}

/* Returns 1 to refuse: a GPU is wanted, perhaps faster than `seconds`. */
PERMI_UNUSED static int permi_gpu_missed(const perm_options *options, int n, double seconds)
{
  return options->gpu.devices && !options->gpu.cpu_fallback && n >= PERMI_GPU_LEAST_N && n <= PERM_MAX_N &&
         (options->isa == PERM_ISA_CUDA || seconds > PERMI_GPU_START_SECONDS);
}
#endif

/* Unrolled columns from n = 37 on; other products gain nothing. */
#ifndef PERMI_GPU_BLOCK
#define PERMI_GPU_BLOCK(n) ((n) < 52 ? 3 : 2)
#endif

static int permi_clamp(int x, int low, int high)
{
  return x < low ? low : x > high ? high : x;
}

/* Returns how much may move, where split rows take three times as long: less than their second rounding for uniform
   entries, n u exp(n/3) of the permanent and more; most move by n u times 300 (n = 20) to 2,000. */
static double permi_moves_allowed(int n) { return n * PERMI_UNIT * exp(0.3 * n); }

static int permi_rows_kind(double moves, double allowed) { return moves == 0 ? 1 : moves <= allowed ? 2 : 0; }

static perm_gpu_product permi_gpu_product_of(const permi_dense_plan *plan)
{
  return plan->form == PERMI_FORM_FLOATS         ? PERM_GPU_FLOATS
         : plan->form != PERMI_FORM_SPLIT        ? PERM_GPU_PIVOT
         : plan->precision == PERM_PRECISION_DD ? PERM_GPU_DOUBLED
                                                : PERM_GPU_ROUNDED;
}

static double permi_gpu_seconds(double elements, int parts, int product)
{
  static const double rate[4][2] = PERMI_GPU_DENSE_RATES;
  return elements / rate[product][parts - 1] *
             permi_gpu_slower(product == PERM_GPU_FLOATS ? PERM_GPU_32 : PERM_GPU_FP64) + PERMI_GPU_DENSE_COMPILE;
}

static void permi_gpu_plan(permi_dense_plan *plan, const permi_view *view)
{
  const int n = plan->n;
  int product, i, j;
  plan->isa = PERM_ISA_CUDA;
  plan->exact_rows = 0;
  plan->form = PERMI_FORM_SPLIT;
  if (plan->precision != PERM_PRECISION_DD) {
    const double allowed = plan->certify ? permi_moves_allowed(n) : 0;
    int safe, best = -1;
    for (j = 0; j < n; j++) {
      for (i = 0, safe = 0; i < n; i++)
        safe += permi_pivot_is_safe(plan, view, i, j);
      if (safe > best) {
        best = safe;
        plan->pivot = j;
      }
    }
    plan->form = PERMI_FORM_NORMALISED;
    if (best == 0 || permi_plan_growth(plan, view) >= 900)
      plan->form = PERMI_FORM_PLAIN;
    plan->exact_rows = permi_rows_kind(permi_plan_moves(plan, view, allowed), allowed);
    if (plan->certify && !plan->exact_rows) {
      plan->form = PERMI_FORM_PLAIN;
      plan->exact_rows = permi_rows_kind(permi_plan_moves(plan, view, 0), 0);
      plan->form = plan->exact_rows ? PERMI_FORM_PLAIN : PERMI_FORM_SPLIT;
    }
  }
  product = (int)permi_gpu_product_of(plan);
  if (product != PERM_GPU_PIVOT)
    plan->pivot = 0;
  plan->lane_columns = 0;
  plan->block_columns = product != PERM_GPU_PIVOT || view->parts == 2 ? 0 : n <= 36 ? 1 : PERMI_GPU_BLOCK(n);
  plan->outer_columns = n - 1 - (product == PERM_GPU_PIVOT) - plan->block_columns;
  i = plan->outer_columns - PERM_GPU_THREADS_LOG2;
  i = permi_clamp(i - 12, i < 3 ? i : 3, product == PERM_GPU_PIVOT ? 10 : 9); /* walk columns */
  plan->chunk_log2 = i + PERM_GPU_THREADS_LOG2;
  plan->seconds = permi_gpu_seconds(plan->elements, view->parts, product);
}

static permi_gpu_lines permi_gpu_lines_of(const permi_dense_plan *plan, const permi_view *view)
{
  const int n = plan->n, pivot = permi_gpu_product_of(plan) == PERM_GPU_PIVOT;
  permi_gpu_lines lines;
  int i, k = 0, divided;
  lines.plain = 0;
  lines.low = !pivot && permi_plan_moves(plan, view, 0) > 0;
  for (divided = 1; divided >= 0; divided--)
    for (i = 0; i < n; i++)
      if (permi_row_divides(plan, view, i) == divided) {
        lines.order[k++] = i;
        lines.plain += pivot && !divided;
      }
  if (lines.plain && !plan->exact_rows) /* eights: fewer kernels to compile */
    lines.plain = permi_clamp((lines.plain + 7) / 8 * 8, 0, n);
  return lines;
}

static int permi_gpu_divides(const permi_dense_plan *plan, const permi_gpu_lines *lines, int r)
{
  return permi_gpu_product_of(plan) == PERM_GPU_PIVOT && r < plan->n - lines->plain;
}

/* Scales by pivots; adds what grids do not hold to the bound. */
static perm_status permi_gpu_leaf(const permi_dense_plan *plan, const permi_view *view, const perm_allocator *allocator,
                                  permi_leaf *leaf)
{
  const permi_gpu_lines lines = permi_gpu_lines_of(plan, view);
  const int parts = view->parts;
  double a[2][PERM_MAX_N], word[4][PERM_MAX_N], lost[PERM_MAX_N] = {0};
  if (plan->form == PERMI_FORM_FLOATS)
    return permi_floats_leaf(plan, view, allocator, leaf);
  for (int r = 0; r < plan->n; r++) {
    const int i = lines.order[r], divide = permi_gpu_divides(plan, &lines, r);
    permi_plan_row(plan, view, i, a);
    permi_row_words(plan, parts, divide, lines.low, a, word, &lost[i]);
    if (divide)
      permi_leaf_scale_by(leaf, parts, a[0][0], parts == 2 ? a[1][0] : 0);
  }
  permi_lost_entries(plan, view, lost, leaf);
  leaf->release = permi_release;
  leaf->run_range = permi_gpu_range;
  (void)allocator;
  return permi_gpu_tables(plan, view, &lines, allocator, leaf);
}

PERMI_BRIEF_END

/* =========================================================================================== >>plan
   Bits follow from matrix, options and kernel family alone, never from threads, time or load. */

/* Scales as >>scale, then row sums of |a| to at most 1, so no term overflows. exponent has 2n rows. */
static void permi_plan_scale(permi_dense_plan *plan, const permi_view *view, int (*exponent)[PERM_MAX_N])
{
  int n = plan->n, i, j, part;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double x = fabs(permi_at(view, i, j, 0));
      if (view->parts == 2)
        x = fmax(x, fabs(permi_at(view, i, j, 1)));
      exponent[i][j] = x != 0 ? permi_exponent(x) : PERMI_NO_EXPONENT;
    }
  plan->zero = !permi_scale_exponents(n, exponent, plan->row_exp2, plan->column_exp2);
  for (i = 0; i < n && !plan->zero; i++) {
    double sum = 0;
    for (part = 0; part < view->parts; part++)
      for (j = 0; j < n; j++)
        sum += fabs(permi_scaled(plan, view, i, j, part));
    plan->row_exp2[i] -= permi_log2_ceiling(sum * (1 + 1e-12));
    for (part = 0; part < view->parts; part++)
      for (j = 0; j < n; j++) {
        double x = permi_at(view, i, j, part);
        plan->lossy |= x != 0 && exponent[i][j] > PERMI_NO_EXPONENT &&
                       permi_exponent(x) + plan->row_exp2[i] + plan->column_exp2[j] < DBL_MIN_EXP;
      }
  }
}

/* Chooses the column of largest least |pivot| / max|row|. If that is below 2^-10, or products could pass 2^900, the
   pair form divides by nothing. */
static void permi_plan_pivot(permi_dense_plan *plan, const permi_view *view)
{
  double least[PERM_MAX_N], best = -1;
  int n = plan->n, i, j;
  for (j = 0; j < n; j++)
    least[j] = (double)INFINITY;
  for (i = 0; i < n; i++) {
    double row[PERM_MAX_N], most = 0;
    for (j = 0; j < n; j++) {
      row[j] = fabs(permi_scaled(plan, view, i, j, 0));
      most = row[j] > most ? row[j] : most;
    }
    for (j = 0; j < n; j++)
      least[j] = row[j] < least[j] * most ? row[j] / most : least[j];
  }
  for (j = 0; j < n; j++)
    if (least[j] > best) {
      best = least[j];
      plan->pivot = j;
    }
  plan->form = PERMI_FORM_NORMALISED;
  if (best < 1.0 / 1024 || permi_plan_growth(plan, view) >= 900)
    plan->form = PERMI_FORM_PAIR;
}

/* Returns the largest power of two that divides x; 2^1000 for 0. */
static double permi_unit_of(double x)
{
  return permi_shift(1, x == 0 ? 1000
                               : (int)(permi_bits(x) >> 52 & 2047) - 1075 +
                                     permi_trailing_zeros((permi_bits(x) << 12 >> 12) | UINT64_C(1) << 52));
}

/* Returns 1 if all before the products of pairs is exact: rows of multiples of g_i with sums of moduli R_i make parts
   of E and O (>>dense_kernels) multiples of g_i g_j up to R_i R_j (complex: 4 times that). */
static int permi_plan_exact_pairs(const permi_dense_plan *plan, const permi_view *view)
{
  double before = 1;
  for (int i = 0; i < plan->n; i++) {
    double sum = 0, unit = permi_shift(1, 1000);
    for (int part = 0; part < view->parts; part++)
      for (int j = 0; j < plan->n; j++) {
        double x = permi_scaled(plan, view, i, j, part);
        sum += fabs(x);
        unit = fmin(unit, permi_unit_of(x));
      }
    sum = sum / unit * (1 + 1e-12);
    if (sum * (i & 1 ? before : 1) > 1125899906842624.0) /* 2^50 */
      return 0;
    before = sum;
  }
  return !plan->lossy;
}

static void permi_plan_fingerprint(permi_dense_plan *plan, const permi_view *view)
{
  uint64_t hash = PERMI_HASH_START;
  const int fields[] = {plan->version, plan->n, plan->is_complex, (int)plan->method,
                        permi_precision_number(plan->precision), plan->certify, (int)plan->isa, (int)plan->form,
                        plan->pivot, plan->lane_columns, plan->block_columns, plan->outer_columns, plan->chunk_log2,
                        plan->zero, plan->lossy, plan->exact_rows};
  for (int i = 0; i < (int)(sizeof fields / sizeof fields[0]); i++)
    hash = permi_hash(hash, (uint64_t)fields[i]);
  hash = permi_hash(hash, plan->form == PERMI_FORM_FLOATS ? plan->chunks ^ (uint64_t)plan->group << 32 : plan->chunks);
  for (int i = 0; i < plan->n; i++) {
    uint64_t row = (uint64_t)(uint32_t)plan->row_exp2[i] << 32 | (uint32_t)plan->column_exp2[i];
    for (int j = 0; j < plan->n * view->parts; j++)
      row = permi_hash_double(row, view->a[(ptrdiff_t)i * view->ld * view->parts + j]);
    hash = permi_hash(hash, row);
  }
  plan->fingerprint = hash;
}

static double permi_wanted_relative(const perm_options *options)
{
  return options->tolerance > 0 ? options->tolerance : 1e-10;
}

/* Returns the expected relative error of doubles, 0 of others. sum |terms| / |permanent| is e^(n/2) for ones, less for
   random and unitary matrices, more where terms cancel. */
static double permi_expected_relative(int n, perm_precision precision)
{
  return precision == PERM_PRECISION_DEFAULT ? n * PERMI_UNIT * exp(0.5 * n) : 0;
}

/* Returns 1 if a job in pieces, which cannot escalate, needs a higher precision. */
static int permi_plans_higher(const perm_options *options, double relative)
{
  return options->tolerance > 0 && permi_in_pieces(options) && relative > options->tolerance;
}

static const char *permi_plan_refusal(const perm_options *options, perm_method method)
{
  const int scalar = method == PERM_METHOD_GLYNN || method == PERM_METHOD_RYSER;
  if (method >= PERM_METHOD_FRONTIER)
    return "this method is for sparse matrices: perm_compute_sparse of perm_sparse.h";
  if (!scalar && method != PERM_METHOD_DENSE && method != PERM_METHOD_EXPANSION)
    return "this method has no plan: use perm_compute_real, perm_compute_complex";
  if (options->precision == PERM_PRECISION_EXACT || options->modulus)
    return "precision exact and modulus are for integers: perm_compute_integer, perm_compute_gaussian";
  if (options->precision == PERM_PRECISION_KAHAN && !scalar)
    return "precision kahan is for methods glynn and ryser: dd is better";
  if (options->certify && scalar)
    return "methods glynn and ryser have no guaranteed bound: certify needs method dense or auto";
  return NULL;
}

/* Returns 1 if a bound costs at most 15 % of a call, 5 us beside its kernel, and tables of complex pairs. */
static int permi_plan_proof_is_cheap(const permi_dense_plan *plan, const permi_view *view, const perm_options *options)
{
  const permi_kernel_table *kernels = &view->reach->kernels;
  const perm_isa isa = permi_isa(options);
  const int parts = view->parts, n = plan->n;
  const permi_kernel *usual =
      permi_kernel_for(kernels, isa, parts == 2 ? PERMI_FORM_PAIR : PERMI_FORM_NORMALISED, PERMI_ROUNDED, n);
  const permi_kernel *proven = permi_kernel_for(kernels, isa, PERMI_FORM_SPLIT, PERMI_ROUNDED, n);
  const double seconds = plan->elements / usual->rate, tables = parts == 2 ? 2e-8 * n * n : 0;
  return n <= PERMI_NEAR_N && plan->elements / proven->rate - seconds <= 0.15 * (5e-6 + seconds) + tables;
}

static const permi_kernel *permi_plan_dense(permi_dense_plan *plan, const permi_view *view, const perm_options *options)
{
  const int proven = plan->certify || permi_plan_proof_is_cheap(plan, view, options);
  const double allowed = proven ? permi_moves_allowed(plan->n) : 0;
  const permi_kernel *kernel;
  int product = PERMI_ROUNDED;
  if (plan->precision == PERM_PRECISION_DD) {
    product = PERMI_DOUBLED;
    plan->form = PERMI_FORM_SPLIT;
  } else {
    plan->form = PERMI_FORM_PAIR;
    if (view->parts == 1 && (!proven || plan->n > PERMI_NEAR_N))
      permi_plan_pivot(plan, view);
    plan->exact_rows = plan->form == PERMI_FORM_NORMALISED
                           ? permi_rows_kind(permi_plan_moves(plan, view, allowed), allowed)
                           : permi_plan_exact_pairs(plan, view);
    if (proven && !plan->exact_rows) { /* pairs cost a quarter more, split rows 2.6 times as much */
      plan->exact_rows = permi_plan_exact_pairs(plan, view);
      plan->form = plan->exact_rows ? PERMI_FORM_PAIR : PERMI_FORM_SPLIT;
    }
  }
  if (plan->form != PERMI_FORM_NORMALISED)
    plan->pivot = 0;
  kernel = permi_kernel_for(&view->reach->kernels, permi_isa(options), plan->form, product, plan->n);
  plan->isa = kernel->isa;
  plan->lane_columns = kernel->lane_columns;
  plan->block_columns = kernel->block_columns;
  plan->outer_columns = plan->n - 1 - (plan->form != PERMI_FORM_SPLIT) - plan->lane_columns - plan->block_columns;
  plan->seconds = plan->elements / kernel->rate;
  return kernel;
}

static int permi_gpu_wanted(const perm_options *options, int n)
{
  char message[PERM_MESSAGE_BYTES];
  return options->gpu.devices && n >= PERMI_GPU_LEAST_N &&
         (!options->gpu.cpu_fallback || permi_gpu_devices(options->gpu.devices, message));
}

static void permi_plan_gpu(permi_dense_plan *plan, const permi_view *view, const perm_options *options)
{
  permi_dense_plan gpu = *plan;
  if (!options->gpu.devices || plan->n < PERMI_GPU_LEAST_N ||
      (options->isa != PERM_ISA_CUDA && plan->seconds < PERMI_GPU_DENSE_COMPILE))
    return;
  permi_gpu_plan(&gpu, view);
  if ((options->isa == PERM_ISA_CUDA || gpu.seconds < plan->seconds) && permi_gpu_wanted(options, plan->n))
    *plan = gpu;
  if (plan->isa == PERM_ISA_CUDA)
    permi_floats_plan(plan, view, options);
}

static perm_status permi_plan(int n, const permi_view *view, const perm_options *options, permi_dense_plan *plan,
                              perm_result *result)
{
  double visits = 1, terms = 1;
  int i, most_chunk = 18, (*exponent)[PERM_MAX_N];
  memset(plan, 0, sizeof *plan);
  plan->version = PERMI_VERSION;
  plan->n = n;
  plan->is_complex = view->parts == 2;
  plan->method = options->method != PERM_METHOD_AUTO ? options->method
                 : n <= 4                            ? PERM_METHOD_EXPANSION
                                                     : PERM_METHOD_DENSE;
  plan->precision = options->precision;
  plan->certify = options->certify;
  plan->isa = PERM_ISA_PLAIN;
  plan->chunks = 1;
  const char *refusal = permi_plan_refusal(options, plan->method);
#if defined(PERM_NO_COMPLEX)
  if (view->parts == 2)
    refusal = "complex matrices are left out of this build (PERM_NO_COMPLEX)";
#endif
  if (refusal)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 5, "options: %s", refusal);
  if (n > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "order %d: dense engines go up to %d", n, PERM_MAX_N);
  plan->elements = (double)n * ldexp(1, n - 1);
  exponent = permi_scale_room(&options->allocator, n);
  if (!exponent)
    return permi_fail_memory(result);
  permi_plan_scale(plan, view, exponent);
  permi_release(&options->allocator, exponent);
  if (plan->zero) {
    plan->method = PERM_METHOD_STRUCTURE;
    permi_plan_fingerprint(plan, view);
    return PERM_OK;
  }
  if (plan->method == PERM_METHOD_EXPANSION && n > 20)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "n is %d; the expansion goes up to 20: take method auto", n);
  if (plan->method == PERM_METHOD_RYSER && n == PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "n is 64; Ryser's 2^n subsets go up to 63: take method auto");
  if (plan->method == PERM_METHOD_EXPANSION) {
    for (i = 0; i < n; i++) {
      terms *= n - i;
      visits += terms;
    }
    plan->seconds = visits / (PERMI_RATE_GLYNN / 20);
  } else if (plan->method == PERM_METHOD_DENSE && n < 4) {
    plan->method = PERM_METHOD_EXPANSION;
    plan->seconds = 1e-7;
  } else if (plan->method == PERM_METHOD_DENSE) {
    most_chunk = permi_plan_dense(plan, view, options)->product == PERMI_ROUNDED ? 18 : 10;
    if (view->reach->gpu)
      view->reach->gpu->plan(plan, view, options);
  } else {
    plan->outer_columns = n - (plan->method == PERM_METHOD_GLYNN);
    plan->seconds = plan->elements / (PERMI_RATE_GLYNN / (plan->method == PERM_METHOD_GLYNN ? 1 : 2));
    plan->seconds *= view->parts * view->parts * (plan->precision == PERM_PRECISION_DD ? 20 : 1);
  }
  /* Chunks are small enough to share and stop; starting one costs nothing. */
  if (plan->isa != PERM_ISA_CUDA)
    plan->chunk_log2 = permi_clamp(plan->outer_columns, 0, permi_clamp(plan->outer_columns - 12, 10, most_chunk));
  plan->chunks = UINT64_C(1) << (plan->outer_columns - plan->chunk_log2);
  plan->bytes =
      16e3 + (double)n * view->parts * (16.0 * (double)(1 << (plan->lane_columns + plan->block_columns)) + 80.0 * n);
  permi_plan_fingerprint(plan, view);
  return PERM_OK;
}

static size_t permi_plan_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const perm_leaf *information = &leaf->information;
  return permi_say(
      buffer, size, "block of order %d: %s, %s, %s of %.0f chunk%s, %.3g elements, %.3g s on one %s, %.3g bytes\n",
      information->n, perm_name("method", information->method), perm_name("isa", information->isa),
      information->kind == PERM_LEAF_TASK ? "task" : "range", (double)information->chunks,
      information->chunks == 1 ? "" : "s", information->work, information->seconds,
      information->isa == PERM_ISA_CUDA ? "GPU" : "thread", information->bytes);
}

PERMI_BRIEF_BEGIN

/* ========================================================================================= >>bounds
   Estimate, bound and leaf of a plan. */

/* Grids, divided rows and products of pairs are off by about f = sqrt(n) u/2 times the row's sum of moduli: by f / |row
   sum| of the term, which no sum of |terms| shows. Around blocks (1 1; 1 -1) a row sum cancels in every term. */
typedef struct permi_rounded_rows {
  double share;   /* f / |row sum|: root sum of squares over rows, mean over terms by size */
  double usual;   /* the same if row sums were norms */
  double typical; /* permanent in the unit of terms: product of row norms and spreads */
  double largest; /* sampled term */
} permi_rounded_rows;

#define PERMI_SAMPLED_TERMS 8
#define PERMI_SAMPLED_FIRST 32
#define PERMI_SAMPLED_MOST 512 /* chosen, where terms vanish */
#define PERMI_NO_MEASURE 1e-3 /* above: terms are all rounding */

/* Returns 1 if grids and products of two rows round nothing (tests/proofs/dense.g). */
static int permi_few_digits(const double *row, int n, double moduli)
{
  const double scale = permi_shift(1, 24 - permi_log2_ceiling(moduli)), big = 6755399441055744.0; /* 1.5 * 2^52 */
  for (int j = 0; j < n; j++) {
    const double x = row[j] * scale;
    if (x + big - big != x)
      return 0;
  }
  return 1;
}

/* Sets size[] to |row sum| in the terms of sign[column][term]; returns f over sqrt(n) u/2. Multiplies *spread by the
   root of (k!)^(1/k) / k (Stirling's formula), k = moduli^2 / square: the mean square over signs is at most about the
   product of these and of the rows' squares [Bre73]. */
static double permi_sampled_row(const permi_dense_plan *plan, const permi_view *view, int i,
                                double (*sign)[PERMI_SAMPLED_TERMS], double *size, double *norm, double *spread)
{
  double row[2][PERM_MAX_N], y[2][PERMI_SAMPLED_TERMS], moduli = 0, square = 0, number;
  const int n = plan->n;
  int e, j, k, part;
  permi_plan_row(plan, view, i, row);
  for (part = 0; part < view->parts; part++) {
    double sum[PERMI_SAMPLED_TERMS] = {0};
    for (j = 0; j < n; j++) {
      const double x = row[part][j];
      moduli += fabs(x);
      square += x * x;
      PERMI_EVERY(k, PERMI_SAMPLED_TERMS, sum[k] += sign[j][k] * x);
    }
    memcpy(y[part], sum, sizeof sum);
  }
  for (k = 0; k < PERMI_SAMPLED_TERMS; k++)
    size[k] = view->parts == 1 ? fabs(y[0][k]) : sqrt(y[0][k] * y[0][k] + y[1][k] * y[1][k]);
  *norm = sqrt(square);
  number = fmax(1, moduli * moduli / (square * view->parts));
  *spread *= 0.6065 * pow(3.1416 * (2 * number + 1.0 / 3), 0.25 / number);
  return permi_few_digits(row[0], n, moduli) && (view->parts == 1 || permi_few_digits(row[1], n, moduli)) &&
                 (view->parts == 2 ? plan->form != PERMI_FORM_NORMALISED && plan->form != PERMI_FORM_FLOATS
                                   : plan->form != PERMI_FORM_NORMALISED || fabs(frexp(row[0][0], &e)) == 0.5)
             ? 0
             : moduli;
}

/* Sets the signs of terms begin, ...: all up to order 6 (after PERMI_SAMPLED_FIRST 10), then by a hash. Term 0, often
   the largest, is all +. */
static void permi_sampled_signs(int n, int begin, double (*sign)[PERMI_SAMPLED_TERMS])
{
  const int first = n <= 6 ? begin : begin - PERMI_SAMPLED_FIRST, in_turn = n <= (first < 0 ? 6 : 10);
  for (int j = 0; j < n; j++) {
    const unsigned hash = permi_scatter((uint64_t)(j + 1 + 8 * begin));
    for (int k = 0; k < PERMI_SAMPLED_TERMS; k++)
      sign[j][k] = (in_turn ? (first + k) << 1 >> j : (int)(hash >> k)) & 1 ? -1 : 1;
    sign[j][0] = begin ? sign[j][0] : 1;
  }
}

/* Returns the product, at least `least`; adds its squared relative error, of a loss `off`, to *square. */
static double permi_rounded_product(double product, double off, double least, double *square)
{
  const double size = product > off ? product : off, quotient = size > 0 ? off / size : 0;
  *square += product > 0 || off == 0 ? quotient * quotient : 1e30;
  return product > least ? product : least;
}

/* Adds terms from `begin` on; returns the sum of weights. */
static double permi_sample_terms(const permi_dense_plan *plan, const permi_view *view, int begin,
                                 permi_rounded_rows *rounded)
{
  double weight[PERMI_SAMPLED_TERMS], squares[PERMI_SAMPLED_TERMS], size[2][PERMI_SAMPLED_TERMS];
  const double unit = PERMI_UNIT * (plan->form == PERMI_FORM_FLOATS ? 384 : 0.5 * sqrt((double)plan->n));
  double sign[PERM_MAX_N][PERMI_SAMPLED_TERMS], unit_term = 1, spread = 1, weights = 0, usual = 0;
  permi_sampled_signs(plan->n, begin, sign);
  for (int k = 0; k < PERMI_SAMPLED_TERMS; k++) {
    weight[k] = 1;
    squares[k] = 0;
  }
  for (int i = 0; i < plan->n; i++) {
    const int paired = plan->form == PERMI_FORM_PAIR && i + 1 < plan->n;
    double norm, norm_of[2] = {0, 0}, lost[2] = {0, 0}, least, inverse;
    lost[0] = unit * permi_sampled_row(plan, view, i, sign, size[0], &norm_of[0], &spread);
    if (norm_of[0] == 0)
      continue; /* of minors */
    norm = norm_of[0];
    unit_term *= norm / (permi_row_divides(plan, view, i) ? permi_scaled_modulus(plan, view, i, plan->pivot) : 1);
    if (paired) {
      i++;
      lost[1] = unit * permi_sampled_row(plan, view, i, sign, size[1], &norm_of[1], &spread);
      norm *= norm_of[1];
      unit_term *= norm_of[1];
    }
    inverse = 1 / norm;
    least = plan->form == PERMI_FORM_SCALAR ? fmax(lost[0], norm / 1024) : lost[0];
    for (int k = 0; k < PERMI_SAMPLED_TERMS; k++) {
      double with;
      if (paired) {
        const double off = lost[0] * (size[1][k] + norm_of[1]) + lost[1] * (size[0][k] + norm_of[0]);
        with = permi_rounded_product(size[0][k] * size[1][k], off, off, &squares[k]);
      } else {
        with = permi_rounded_product(size[0][k], lost[0], least, &squares[k]);
      }
      weight[k] *= with * inverse;
      weight[k] = with > 0 && weight[k] < 1e-280 ? 1e-280 : weight[k];
    }
    permi_rounded_product(norm, paired ? 2 * (lost[0] * norm_of[1] + lost[1] * norm_of[0]) : lost[0], 0, &usual);
  }
  for (int k = 0; k < PERMI_SAMPLED_TERMS; k++) {
    weights += weight[k];
    rounded->share += weight[k] * sqrt(squares[k]);
    rounded->largest = fmax(rounded->largest, weight[k] * unit_term);
  }
  rounded->usual = sqrt(usual);
  rounded->typical = unit_term * spread;
  return weights;
}

/* Samples `terms` terms, and more while all are below 2^-n / 8 of the norms' product (usual: exp(-n/2)). */
static permi_rounded_rows permi_plan_rounded_rows(const permi_dense_plan *plan, const permi_view *view, int terms)
{
  const int n = plan->n, most = PERMI_SAMPLED_FIRST + (n <= 10 ? 1 << (n - 1) : PERMI_SAMPLED_MOST);
  const double little = ldexp(0.125, -n);
  permi_rounded_rows rounded = {0, 0, 0, 0};
  double weights = 0;
  int k = 0;
  do {
    weights += permi_sample_terms(plan, view, k, &rounded);
    k += PERMI_SAMPLED_TERMS;
  } while (k < terms || (weights < little * k && k < most));
  rounded.share = weights > 0 ? rounded.share / weights : 0;
  return rounded;
}

/* Sets the estimate of a leaf without a bound (docs/proofs-rounding.md). Rounded rows multiply minors: that part
   of the share counts where row sums are usual, all of it where they cancel 100 times as much. */
static void permi_rounded_estimate(const permi_dense_plan *plan, const permi_view *view, permi_leaf *leaf)
{
  const permi_rounded_rows rounded = permi_plan_rounded_rows(plan, view, PERMI_SAMPLED_TERMS);
  const double n = plan->n, above = rounded.share / (100 * rounded.usual + 1e-300);
  const double part = view->parts == 1 ? fmin(1, 1.8 * exp(-0.2 * n)) : fmin(1, 100 * exp(-0.5 * n));
  leaf->estimate_relative = PERMI_UNIT * (plan->form == PERMI_FORM_FLOATS ? 512
                                          : view->parts == 1              ? 0.3
                                                                          : 0.1 + 3 * exp2(-0.25 * n));
  leaf->estimate_relative += rounded.share * (part + (1 - part) * fmin(1, above * above));
  leaf->shared.relative = 0.5 * rounded.usual;
  leaf->shared.most = (double)INFINITY;
  leaf->estimate_absolute += ldexp(0.5 * rounded.usual * rounded.typical, plan->n - 1);
  leaf->estimate_squares = n * PERMI_UNIT * PERMI_UNIT * rounded.largest;
  if (rounded.share > PERMI_NO_MEASURE)
    leaf->estimate_relative = (double)INFINITY;
}

/* THE BOUND. Sets the error measures, relative to the sum of |terms| and absolute; u = 2^-53.
   1. Products of exact numbers: n u; split, with n row sums, 2 n u; exact pairs: (n + 1) / 2 u.
   2. A complex product is off by 2 u, without FMA 2.42 u.
   3. A double-double product is off by 14 u^2, complex 60 u^2.
   4. Rounded sums: K + 1 additions in a state, 8 in a group, and TwoSum's rests: K + 10 units.
   5. Double-double sums: (2^K + 2) 2 u A twice a term, A the chunk's sum of |terms|: 40 u^2 A.
   6. Second order and the rounding of sum |terms|: a factor 1.0001.
   7. Underflow and lost entries: n^2 2^(growth - 1070) for each of 2^(n-1) terms.
   8. Entries >= 0 that move by at most e_i of each in row i move the permanent by sum e_i of itself, and second order.
   Entries of both signs would need minors: they take split rows.
   Machines prove 1, 4, 6 (tests/proofs/chains.v), 2, 3 (tests/proofs/complex.v), 1, 3, 4 (tests/proofs/dense.g), 4 to 7
   (tests/proofs/dense_orders.sh) and search for counterexamples (tests/attack/climb.c). */
static void permi_plan_bounds(const permi_dense_plan *plan, const permi_view *view, permi_leaf *leaf)
{
  const double n = plan->n, parts = view->parts, square = PERMI_UNIT * PERMI_UNIT;
  const double product = parts == 1 ? 1 : plan->isa == PERM_ISA_PLAIN ? 2.42 : 2; /* in u */
  const int gpu = plan->isa == PERM_ISA_CUDA;
  const int block = gpu ? 12 : plan->block_columns; /* GPUs: at most 18 additions before a sum is exact */
  const int terms_log2 = plan->chunk_log2 + plan->block_columns + (gpu ? 1 - PERM_GPU_THREADS_LOG2 : 0);
  leaf->bound_relative = (double)INFINITY;
  if (plan->method == PERM_METHOD_EXPANSION) {
    /* n - 1 double-double products a term (complex: 4 each); underflow loses 2^-1070 in each of n! products */
    leaf->bound_relative = (n + 1) * PERMI_DD_UNIT * parts * parts;
    leaf->bound_absolute = ldexp(n * n, permi_clamp((int)(n * log2(n + 1.0)) - 1070, -1070, 0));
    leaf->estimate_relative = n * PERMI_DD_UNIT * parts;
  }
  if (plan->method != PERM_METHOD_DENSE)
    return;
  leaf->bound_absolute += ldexp(n * n, plan->n - 1 - 1070 + permi_plan_growth(plan, view));
  if (plan->precision == PERM_PRECISION_DD) {
    leaf->bound_relative = ((parts == 2 ? 60 : 14) * n + ldexp(40, terms_log2)) * square * 1.0001;
    leaf->estimate_relative = (8 * n * parts + ldexp(8, terms_log2 / 2)) * square;
  } else if (plan->form == PERMI_FORM_SPLIT || plan->exact_rows) {
    const double products = plan->form == PERMI_FORM_SPLIT  ? (1 + product) * n
                            : plan->form == PERMI_FORM_PAIR ? product * (n + 1) / 2
                                                           : product * n;
    leaf->bound_relative = (products + block + 10) * PERMI_UNIT * 1.0001;
    if (plan->exact_rows == 2)
      leaf->bound_value = 1.0001 * permi_plan_moves(plan, view, (double)INFINITY);
    leaf->bound_relative *= 1 + leaf->bound_value;
    leaf->bound_absolute *= 1 + leaf->bound_value;
    leaf->estimate_relative = leaf->bound_relative / 10;
  } else {
    permi_rounded_estimate(plan, view, leaf);
  }
  leaf->estimate_relative = fmin(leaf->estimate_relative, leaf->bound_relative);
}

static perm_status permi_plan_leaf(const permi_dense_plan *plan, const permi_view *view,
                                   const perm_allocator *allocator, permi_leaf *leaf)
{
  const int n = plan->n;
  const perm_leaf information = {plan->method == PERM_METHOD_EXPANSION ? PERM_LEAF_TASK : PERM_LEAF_RANGE, plan->method,
                                 plan->isa, n, plan->chunks, plan->elements, plan->seconds, plan->bytes,
                                 plan->fingerprint};
  const permi_plain made = {n, view->parts, plan->method == PERM_METHOD_RYSER, plan->chunk_log2, plan->precision, {0}};
  permi_plain *plain;
  memset(leaf, 0, sizeof *leaf);
  leaf->information = information;
  leaf->explain = permi_plan_explain;
  leaf->scale = permi_dd_make(1);
  for (int i = 0; i < n; i++)
    leaf->scale_exp2 -= plan->row_exp2[i] + plan->column_exp2[i];
  permi_plan_bounds(plan, view, leaf);
  if (plan->method == PERM_METHOD_DENSE) {
    const int product = plan->precision == PERM_PRECISION_DD ? PERMI_DOUBLED : PERMI_ROUNDED;
    leaf->scale_exp2 -= n - 1;
    if (plan->isa == PERM_ISA_CUDA)
      return view->reach->gpu->leaf(plan, view, allocator, leaf);
    return permi_dense_tables(plan, view, permi_kernel_for(&view->reach->kernels, plan->isa, plan->form, product, n),
                              allocator, leaf);
  }
  plain = (permi_plain *)permi_allocate(allocator, 1, sizeof *plain + (size_t)(view->parts * n * n) * sizeof(double));
  if (!plain)
    return PERM_ERROR_MEMORY;
  *plain = made;
  for (int part = 0; part < view->parts; part++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        plain->a[(part * n + j) * n + i] = permi_scaled(plan, view, i, j, part);
  leaf->context = plain;
  leaf->release = permi_release;
  if (plan->method == PERM_METHOD_EXPANSION) {
    leaf->run_task = permi_expansion_task;
    return PERM_OK;
  }
  leaf->estimate_relative = permi_plain_rounding(plain);
  leaf->run_chunk = view->reach->gray;
  leaf->scale_exp2 -= plan->method == PERM_METHOD_GLYNN ? n - 1 : 0;
  return PERM_OK;
}

PERMI_UNUSED
static double permi_dense_rate(const perm_options *options)
{
  static const permi_kernel_table real = PERMI_KERNEL_TABLE(permi_kernels_real);
  return permi_kernel_for(&real, permi_isa(options), PERMI_FORM_NORMALISED, PERMI_ROUNDED, PERM_MAX_N)->rate;
}

PERMI_BRIEF_END

/* ======================================================================================== >>residues */

/* Montgomery's products (Math. Comp. 44 (1985) 519-521) are a b 2^-64. */
typedef struct permi_odd_modulus {
  uint64_t p;       /* odd, below 2^63; a prime for permi_prime_ */
  uint64_t inverse; /* of p modulo 2^64 */
  uint64_t one;     /* 2^64 mod p */
  uint64_t square;  /* 2^128 mod p: permi_montgomery(a, square) is a 2^64 */
} permi_odd_modulus;

/* Returns a b 2^-64: with t = a b < 2^64 p and q = t / p modulo 2^64, t - q p is a multiple of 2^64. */
static PERMI_ALWAYS_INLINE uint64_t permi_montgomery(uint64_t a, uint64_t b, const permi_odd_modulus *modulus)
{
  const permi_wide t = permi_multiply_words(a, b);
  const uint64_t high = permi_multiply_words(t.low * modulus->inverse, modulus->p).high;
  return t.high - high + (t.high < high ? modulus->p : 0);
}

static PERMI_ALWAYS_INLINE uint64_t permi_residue_add(uint64_t a, uint64_t b, int minus, uint64_t p)
{
  if (minus)
    return a - b + (a < b ? p : 0);
  a += b;
  return a - (a >= p ? p : 0);
}

static permi_odd_modulus permi_odd_modulus_of(uint64_t p)
{
  permi_odd_modulus prime;
  prime.p = p;
  prime.inverse = p; /* modulo 8; each round doubles the bits */
  for (int k = 0; k < 5; k++)
    prime.inverse *= 2 - p * prime.inverse;
  prime.one = permi_residue_wide(1, 0, p);
  prime.square = permi_residue_multiply(prime.one, prime.one, p);
  return prime;
}

/* ========================================================================================== >>exact
   Permanents of integers without rounding.
     Glynn: 2^(n-1) per A = sum over x in {+-1}^n, x_0 = 1, of (prod_j x_j) prod_i y_i, y = A x or A^T x.
     Even rows: y_i has the parity of its row's sum. Up to n - 1 rows of even sum are halved.
     Groups: |y_i| <= norm = sum_j |a_ij|. A word multiplies rows whose norms' product it holds.
     Zeros: only even rows can be 0; a row of r ones is in about sqrt(2/(pi r)) of the terms. Two operations find a
     row's zeros among 64 sign vectors. */

typedef struct permi_exact_rows {
  int n, parts, transposed, halved;
  const int64_t *a;
  ptrdiff_t line, along; /* steps to the next row, entry */
  int half[PERM_MAX_N];
  int order[PERM_MAX_N];      /* rows, largest norm first */
  uint64_t norm[PERM_MAX_N];  /* halved with the row, at least 1; UINT64_MAX: 2^63 or more */
  double bits_of[PERM_MAX_N]; /* at least log2 of the norm */
  double bits;
} permi_exact_rows;

static int64_t permi_exact_at(const permi_exact_rows *rows, int i, int j, int part)
{
  return rows->a[i * rows->line + j * rows->along + part];
}

static permi_exact_rows permi_exact_look(const permi_integer_view *view, int n, int transposed)
{
  const ptrdiff_t row = view->ld * view->parts;
  permi_exact_rows rows = {n, view->parts, transposed, 0, view->a, transposed ? view->parts : row,
                           transposed ? row : view->parts, {0}, {0}, {0}, {0}, 0};
  for (int i = 0, j; i < n; i++) {
    uint64_t low = 0, high = 0, odd[2] = {0, 0}; /* norm; parities */
    for (j = 0; j < n; j++)
      for (int part = 0; part < rows.parts; part++) {
        const int64_t x = permi_exact_at(&rows, i, j, part);
        const uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
        low += size;
        high += low < size;
        odd[part] ^= size;
      }
    rows.half[i] = !((odd[0] | odd[1]) & 1) && rows.halved < n - 1;
    rows.halved += rows.half[i];
    rows.bits_of[i] = log2(fmax(1, high ? ldexp((double)high, 64) + (double)low : (double)low)) - rows.half[i] + 1e-9;
    rows.bits += rows.bits_of[i];
    if (rows.half[i]) {
      low = low >> 1 | high << 63;
      high >>= 1;
    }
    rows.norm[i] = high || low >> 63 ? UINT64_MAX : low ? low : 1;
    for (j = i; j > 0 && rows.norm[rows.order[j - 1]] < rows.norm[i]; j--)
      rows.order[j] = rows.order[j - 1];
    rows.order[j] = i;
  }
  return rows;
}

/* Returns what x_j = -1 takes from y_i. */
static permi_wide permi_exact_step(const permi_exact_rows *rows, int i, int j, int part)
{
  permi_wide step = permi_wide_of(permi_exact_at(rows, i, j, part));
  if (!rows->half[i])
    permi_wide_add(&step, step);
  return step;
}

/* Returns y_i for x = (1, ..., 1). */
static permi_wide permi_exact_start(const permi_exact_rows *rows, int i, int part)
{
  permi_wide sum = {0, 0};
  for (int j = 0; j < rows->n; j++)
    permi_wide_add(&sum, permi_wide_of(permi_exact_at(rows, i, j, part)));
  if (rows->half[i]) { /* arithmetic shift */
    sum.low = sum.low >> 1 | sum.high << 63;
    sum.high = sum.high >> 1 | (sum.high & UINT64_C(1) << 63);
  }
  return sum;
}

/* Puts rows, largest norm first, into the first group whose norms then multiply to at most `reach`. Returns the number
   of groups. order: rows by group; bound: products of norms. */
static int permi_exact_groups(const permi_exact_rows *rows, uint64_t reach, uint64_t *bound, short *first, int *order)
{
  int group_of[PERM_MAX_N], groups = 0, used = 0, g, i, k;
  for (k = 0; k < rows->n; k++) {
    const uint64_t norm = rows->norm[rows->order[k]];
    for (g = 0; g < groups && bound[g] > reach / norm; g++)
      ;
    if (g == groups)
      bound[groups++] = 1;
    bound[g] *= norm;
    group_of[rows->order[k]] = g;
  }
  for (g = 0; g < groups; g++) {
    first[g] = (short)used;
    for (i = 0; i < rows->n; i++)
      if (group_of[i] == g)
        order[used++] = i;
  }
  first[groups] = (short)used;
  return groups;
}

/* The portable kernel: 64-bit limbs, or residues modulo an odd p. */
typedef struct permi_exact_plain {
  int n, parts, chunk_log2;
  int groups, wide_groups;     /* wide: sums of two words */
  short first[PERM_MAX_N + 1]; /* each group's first row */
  int words[PERM_MAX_N];       /* of the product through each group */
  int sum_words;
  permi_odd_modulus modulus;
  uint64_t one;         /* 2^(64 n) mod p */
  uint64_t *low, *high; /* [n][n * parts]: y for x = (1, ..., 1), then the steps of columns 1 .. */
} permi_exact_plain;

#define PERMI_EXACT_ROOM (PERM_INTEGER_WORDS + 4)

/* Sets out = p c modulo 2^(64 words), c signed, of two words if `wide`. */
static void permi_signed_product(const uint64_t *p, int words, uint64_t low, uint64_t high, int wide, uint64_t *out)
{
  permi_words_times(out, p, words, low, 0);
  if (wide)
    permi_words_times(out + 1, p, words - 1, high, 1);
  if ((wide ? high : low) >> 63)
    permi_words_subtract(out + 1 + wide, p, words - 1 - wide);
}

static void permi_signed_grow(uint64_t *p, int words, int grown)
{
  const uint64_t sign = p[words - 1] >> 63 ? UINT64_MAX : 0;
  for (; words < grown; words++)
    p[words] = sign;
}

static void permi_exact_plain_term(const permi_exact_plain *plain, const uint64_t *low, const uint64_t *high, int minus,
                                   uint64_t (*total)[PERMI_EXACT_ROOM])
{
  const int parts = plain->parts;
  uint64_t room[2][2][PERMI_EXACT_ROOM], other[PERMI_EXACT_ROOM];
  int words = 1, g, k, part;
  room[0][0][0] = 1;
  room[0][1][0] = 0;
  for (g = 0; g < plain->groups; g++) {
    const int row = plain->first[g] * parts, end = plain->first[g + 1] * parts, wide = g < plain->wide_groups;
    const int grown = plain->words[g];
    uint64_t(*product)[PERMI_EXACT_ROOM] = room[g & 1], (*next)[PERMI_EXACT_ROOM] = room[~g & 1];
    uint64_t re = low[row], im = parts == 2 ? low[row + 1] : 0;
    for (k = row + parts; k < end; k += parts) {
      const uint64_t was = re;
      re *= low[k];
      if (parts == 2) {
        re -= im * low[k + 1];
        im = was * low[k + 1] + im * low[k];
      }
    }
    for (part = 0; part < parts; part++) {
      permi_signed_grow(product[part], words, grown);
      permi_signed_product(product[part], grown, re, high[row], wide, next[part]);
    }
    words = grown;
    if (parts == 1)
      continue;
    permi_signed_product(product[1], words, im, high[row + 1], wide, other);
    permi_words_subtract(next[0], other, words);
    permi_signed_product(product[0], words, im, high[row + 1], wide, other);
    permi_words_add(next[1], other, words);
  }
  for (part = 0; part < parts; part++) {
    uint64_t *product = room[g & 1][part];
    permi_signed_grow(product, words, plain->sum_words);
    if (minus)
      permi_words_subtract(total[part], product, plain->sum_words);
    else
      permi_words_add(total[part], product, plain->sum_words);
  }
}

/* Multiplications bring factors 2^-64: the product starts with 2^(64 n). */
static void permi_modular_term(const permi_exact_plain *plain, const uint64_t *low, int minus,
                               uint64_t (*total)[PERMI_EXACT_ROOM])
{
  const permi_odd_modulus *modulus = &plain->modulus;
  const uint64_t p = modulus->p, *end = low + plain->n * plain->parts;
  uint64_t re = plain->one, im = 0;
  for (; low < end; low += plain->parts) {
    const uint64_t was = re;
    re = permi_montgomery(re, low[0], modulus);
    if (plain->parts == 2) {
      re = permi_residue_add(re, permi_montgomery(im, low[1], modulus), 1, p);
      im = permi_residue_add(permi_montgomery(im, low[0], modulus), permi_montgomery(was, low[1], modulus), 0, p);
    }
  }
  total[0][0] = permi_residue_add(total[0][0], re, minus, p);
  total[1][0] = permi_residue_add(total[1][0], im, minus, p);
}

static void permi_exact_plain_move(const permi_exact_plain *plain, int j, int minus, uint64_t *low, uint64_t *high)
{
  const int size = plain->n * plain->parts;
  const uint64_t *step = plain->low + j * size, *high_step = plain->high + j * size;
  const uint64_t p = plain->modulus.p, flip = minus ? UINT64_MAX : 0; /* a - b = ~(~a + b) */
  for (int k = 0; k < size && p; k++)
    low[k] = permi_residue_add(low[k], step[k], minus, p);
  for (int k = 0; k < size && !p; k++) {
    const uint64_t sum = (low[k] ^ flip) + step[k];
    high[k] = ((high[k] ^ flip) + high_step[k] + (sum < step[k])) ^ flip;
    low[k] = sum ^ flip;
  }
}

static void permi_exact_plain_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_exact_plain *plain = (const permi_exact_plain *)leaf->context;
  const size_t size = (size_t)(plain->n * plain->parts);
  uint64_t low[2 * PERM_MAX_N], high[2 * PERM_MAX_N], total[2][PERMI_EXACT_ROOM];
  uint64_t s = chunk << plain->chunk_log2, last = s + (UINT64_C(1) << plain->chunk_log2);
  (void)workspace;
  memset(total, 0, sizeof total);
  memcpy(low, plain->low, size * sizeof *low);
  memcpy(high, plain->high, size * sizeof *high);
  for (int j = 1; j < plain->n; j++)
    if ((s ^ s >> 1) >> (j - 1) & 1)
      permi_exact_plain_move(plain, j, 1, low, high);
  for (;;) {
    if (leaf->modulus)
      permi_modular_term(plain, low, (int)(s & 1), total);
    else
      permi_exact_plain_term(plain, low, high, (int)(s & 1), total);
    if (++s == last)
      break;
    const int j = permi_trailing_zeros(s) + 1;
    permi_exact_plain_move(plain, j, (int)((s ^ s >> 1) >> (j - 1) & 1), low, high);
  }
  for (int part = 0; part < plain->parts; part++)
    permi_sum_add_signed(part ? &partial->imaginary : &partial->value, total[part], plain->sum_words);
  partial->terms += ldexp(1, plain->chunk_log2);
}

static size_t permi_exact_say(const permi_leaf *leaf, int parts, const char *how, double survivors, char *buffer,
                              size_t size)
{
  const perm_isa isa = leaf->information.isa;
  char skipped[64] = "";
  if (survivors < 1)
    permi_say(skipped, sizeof skipped, ", zeros skipped (%.2g of the terms expected)", survivors);
  return permi_say(buffer, size, "exact, n = %d: %s kernel%s, %s%s; %.3g elements, %llu chunks, %.3g s%s\n",
                   leaf->information.n, isa == PERM_ISA_PLAIN ? "portable" : perm_name("isa", isa),
                   parts == 2 ? " (complex)" : "", how, skipped, leaf->information.work,
                   (unsigned long long)leaf->information.chunks, leaf->information.seconds,
                   isa == PERM_ISA_CUDA ? " on one GPU" : "");
}

static size_t permi_exact_plain_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_exact_plain *plain = (const permi_exact_plain *)leaf->context;
  char how[64];
  if (plain->modulus.p)
    snprintf(how, sizeof how, "residues modulo %llu", (unsigned long long)plain->modulus.p);
  else
    snprintf(how, sizeof how, "%d groups of rows, %d of two words", plain->groups, plain->wide_groups);
  return permi_exact_say(leaf, plain->parts, how, 1, buffer, size);
}

static double permi_exact_plain_seconds(const permi_exact_rows *rows, uint64_t modulus)
{
  const double terms = ldexp(1, rows->n - 1) * (rows->parts == 2 ? 4 : 1), words = rows->bits / 63 + 1;
  if (modulus)
    return terms * rows->n / PERMI_RATE_EXACT_WORDS;
  return terms * (rows->n / PERMI_RATE_GLYNN + words * (words + 1) / 2 / PERMI_RATE_EXACT_WORDS);
}

static void permi_exact_fill(const permi_exact_rows *rows, perm_isa isa, int fixed_column, int chunk_log2,
                             double seconds, double bytes, void *context, permi_leaf *leaf)
{
  uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)rows->n * 4 + (uint64_t)rows->parts);
  const perm_leaf information = {PERM_LEAF_RANGE, PERM_METHOD_EXACT, isa, rows->n,
                                 UINT64_C(1) << (rows->n - 1 - chunk_log2), rows->n * ldexp(1, rows->n - 1), seconds,
                                 bytes, 0};
  memset(leaf, 0, sizeof *leaf);
  leaf->information = information;
  for (int i = 0; i < rows->n; i++)
    for (int j = 0; j < rows->n; j++)
      for (int part = 0; part < rows->parts; part++)
        hash = permi_hash(hash, (uint64_t)permi_exact_at(rows, i, j, part));
  hash = permi_hash(hash, (uint64_t)chunk_log2 * 64 + (uint64_t)fixed_column);
  leaf->information.fingerprint = permi_hash(hash, (uint64_t)rows->transposed);
  leaf->integer = 1;
  leaf->scale = permi_dd_make(1);
  leaf->scale_exp2 = rows->halved - (rows->n - 1);
  leaf->context = context;
  leaf->release = permi_release;
}

static perm_status permi_exact_plain_leaf(const perm_options *options, const permi_exact_rows *rows, uint64_t modulus,
                                          permi_leaf *leaf, perm_result *result)
{
  const int n = rows->n, parts = rows->parts, size = n * parts;
  const size_t table = (size_t)n * (size_t)size;
  const size_t bytes = sizeof(permi_exact_plain) + 2 * table * sizeof(uint64_t);
  permi_exact_plain *plain = (permi_exact_plain *)permi_allocate_zeros(&options->allocator, 1, bytes);
  uint64_t bound[PERM_MAX_N];
  double bits = 1;
  int order[PERM_MAX_N], g, j, k, part;
  if (!plain)
    return permi_fail_memory(result);
  plain->low = (uint64_t *)(plain + 1);
  plain->high = plain->low + table;
  plain->n = n;
  plain->parts = parts;
  plain->chunk_log2 = n - 1 < 12 ? n - 1 : 12;
  plain->groups = permi_exact_groups(rows, UINT64_MAX >> 1, bound, plain->first, order);
  for (g = 0; g < plain->groups; g++) {
    const int wide = bound[g] == UINT64_MAX;
    plain->wide_groups += wide;
    bits += wide ? 70 : log2((double)bound[g]) + 1e-9; /* norms < 2^(63 + 1 + 6) */
    plain->words[g] = (int)(bits / 64) + 1;
  }
  plain->sum_words = (int)((bits + n) / 64) + 1;
  for (k = 0; k < n; k++)
    for (part = 0; part < parts; part++)
      for (j = 0; j < n; j++) {
        const permi_wide x = j ? permi_exact_step(rows, order[k], j, part) : permi_exact_start(rows, order[k], part);
        plain->low[j * size + k * parts + part] = modulus ? permi_wide_residue(x, modulus) : x.low;
        plain->high[j * size + k * parts + part] = x.high;
      }
  if (modulus) {
    plain->modulus = permi_odd_modulus_of(modulus);
    for (plain->one = 1, k = 0; k < n; k++)
      plain->one = permi_residue_wide(plain->one, 0, modulus);
  }
  permi_exact_fill(rows, PERM_ISA_PLAIN, 0, plain->chunk_log2, permi_exact_plain_seconds(rows, modulus),
                   (double)bytes, plain, leaf);
  leaf->information.fingerprint = permi_hash(leaf->information.fingerprint, modulus);
  leaf->modulus = modulus;
  leaf->explain = permi_exact_plain_explain;
  leaf->run_chunk = permi_exact_plain_chunk;
  return PERM_OK;
}

PERMI_BRIEF_BEGIN

/* ========================================================================================== >>limbs
   Tables of >>exact_kernels: rows in atoms, halves and limbs; ranges: tests/proofs/limbs.g. */

typedef struct permi_exact_family {
  perm_isa isa;
  int lanes_log2; /* of int16 */
  int window;
  double rate;
  permi_exact_run all, skip;
  permi_exact_evaluate gaussian, real[7]; /* [0]: any limbs, [k]: k, of atoms */
} permi_exact_family;

#define PERMI_EXACT_FAMILY(isa, family, lanes_log2, rate, window, name)                                                \
  {                                                                                                                    \
    isa, lanes_log2, window, rate, permi_exact_all_##family, permi_exact_skip_##family, permi_gaussian_many_##family,  \
    {                                                                                                                  \
      permi_exact_many_##family, NULL, permi_##name##_2_##family, permi_##name##_3_##family,                           \
          permi_##name##_4_##family, permi_##name##_5_##family, permi_##name##_6_##family                              \
    }                                                                                                                  \
  }

/* Rates: AVX-512 of a Cascade Lake at 2.5 GHz, IFMA of a later Xeon, AVX2 of a Zen 3 core; NEON: a guess. */
static const permi_exact_family permi_exact_families[] = {
#if PERMI_X86 && !defined(PERM_NO_EXACT)
    PERMI_EXACT_FAMILY(PERM_ISA_AVX512IFMA, avx512, 5, 3.5e9, PERMI_EXACT_WINDOW + 1, ifma),
    PERMI_EXACT_FAMILY(PERM_ISA_AVX512, avx512, 5, 2.8e9, PERMI_EXACT_WINDOW, exact),
    PERMI_EXACT_FAMILY(PERM_ISA_AVX2, avx2, 4, 4e9, PERMI_EXACT_WINDOW, exact),
#elif PERMI_ARM && !defined(PERM_NO_EXACT)
    PERMI_EXACT_FAMILY(PERM_ISA_NEON, neon, 3, 3.2e9, PERMI_EXACT_WINDOW, exact),
#endif
    {PERM_ISA_PLAIN, 0, 0, 0, NULL, NULL, NULL, {NULL}}};

typedef struct permi_exact_packing {
  int limbs, narrow, few, fifths, wide;           /* few: 0 for exact_many; fifths: limbs of five; wide: rows */
  int rows[PERMI_EXACT_LIMBS][PERMI_EXACT_ATOMS]; /* in atoms; [0]: in a wide limb */
  int atom_of[PERM_MAX_N];
} permi_exact_packing;

#define PERMI_EXACT_LARGEST ((UINT64_C(1) << 15) - 1) /* norm of an atom; any four make halves below 2^31 */

/* Returns the atom for a row, or -1: the least of four, else the fifth, in the half of 0 and 1, below 2^31. fits:
   largest products before, of an atom, of that half. */
static int permi_exact_atom(const uint64_t *atom, const uint64_t *fits)
{
  const int half = atom[0] * atom[1] * atom[4] <= fits[1];
  int k, least = -1;
  for (k = half ? 0 : 2; k < 4; k++)
    if (atom[k] <= fits[0] && (least < 0 || atom[k] < atom[least]))
      least = k;
  return least >= 0 ? least : half && atom[4] <= fits[0] ? 4 : -1;
}

/* Packs rows, largest norm first, into the limb and atom of least product. Returns 0 if they do not fit. */
static int permi_exact_pack_into(const permi_exact_rows *rows, int limbs, int narrow, permi_exact_packing *packing)
{
  const uint64_t cap = (UINT64_C(1) << (rows->parts == 1 && limbs <= 6 ? 51 : 50)) - 1024; /* see >>exact_kernels */
  uint64_t limb[PERMI_EXACT_LIMBS], atom[PERMI_EXACT_LIMBS][PERMI_EXACT_ATOMS];
  memset(packing, 0, sizeof *packing);
  packing->limbs = limbs;
  packing->narrow = narrow;
  packing->few = limbs <= 6 && narrow == limbs ? limbs : 0;
  for (int k = 0; k < limbs * PERMI_EXACT_ATOMS; k++)
    limb[k / PERMI_EXACT_ATOMS] = atom[k / PERMI_EXACT_ATOMS][k % PERMI_EXACT_ATOMS] = 1;
  for (int r = 0; r < rows->n; r++) {
    const uint64_t norm = rows->norm[rows->order[r]], fits = cap / norm;
    const uint64_t fits_atom[2] = {PERMI_EXACT_LARGEST / norm, INT32_MAX / norm};
    int best = -1, best_atom = 0;
    for (int h = 0; h < limbs; h++) {
      if (limb[h] > fits || (best >= 0 && limb[h] >= limb[best]))
        continue;
      const int in_limb = h < narrow ? permi_exact_atom(atom[h], fits_atom) : 0;
      if (in_limb < 0)
        continue;
      best = h;
      best_atom = in_limb;
    }
    if (best < 0)
      return 0;
    limb[best] *= norm;
    atom[best][best_atom] *= norm;
    packing->fifths += best_atom == 4 && !packing->rows[best][4];
    packing->wide += best >= narrow;
    packing->rows[best][best_atom]++;
    packing->atom_of[rows->order[r]] = best * PERMI_EXACT_ATOMS + best_atom;
  }
  return 1;
}

/* Packs into the fewest limbs, the fewest of them wide; Gaussian ones all are. Returns 0 if they do not fit. */
static int permi_exact_pack(const permi_exact_rows *rows, permi_exact_packing *packing)
{
  double wide_bits = 0;
  for (int i = 0; i < rows->n; i++)
    wide_bits += rows->norm[i] > PERMI_EXACT_LARGEST ? rows->bits_of[i] : 0;
  const int least = wide_bits > 0 ? (int)(wide_bits / PERMI_EXACT_WINDOW) + 1 : 0;
  int limbs = (int)(rows->bits / PERMI_EXACT_WINDOW);
  for (limbs = limbs < 2 ? 2 : limbs; limbs <= PERMI_EXACT_LIMBS; limbs++)
    for (int wide = rows->parts == 2 ? limbs : least; wide <= (rows->parts == 2 || least ? limbs : 0); wide++)
      if (permi_exact_pack_into(rows, limbs, limbs - wide, packing))
        return 1;
  return 0;
}

/* Returns the share of sign vectors without a zero row, as if rows were independent; norms <= 127. now: the
   distribution of added moduli; half of their sum makes 0. */
static double permi_exact_survivors(const permi_exact_rows *rows)
{
  double part = 1;
  for (int i = 0; i < rows->n; i++) {
    double now[256] = {1};
    int reach = 0;
    for (int j = 0; j < rows->n && rows->half[i]; j++) {
      const int a = abs((int)permi_exact_at(rows, i, j, 0));
      for (int k = reach += a; k >= 0; k--)
        now[k] = 0.5 * (now[k] + (k >= a ? now[k - a] : 0));
    }
    part *= rows->half[i] ? 1 - now[reach / 2] : 1;
  }
  return part;
}

typedef struct permi_exact_plan {
  permi_exact_rows rows;
  permi_exact_packing packing;
  const permi_exact_family *family; /* NULL: the portable kernel */
  uint64_t modulus;                 /* 0: integers */
  int can_skip, skip, gpu;
  double survivors, seconds;
} permi_exact_plan;

static void permi_exact_plan_rows(const perm_options *options, permi_exact_plan *plan)
{
  const perm_isa isa = permi_isa_asked(options);
  const permi_exact_family *family = permi_exact_families;
  const permi_exact_rows *rows = &plan->rows;
  const permi_exact_packing *packing = &plan->packing;
  const int n = rows->n;
  memset(&plan->packing, 0, sizeof plan->packing);
  plan->family = NULL;
  plan->modulus = 0;
  plan->can_skip = plan->skip = plan->gpu = 0;
  plan->survivors = 1;
  plan->seconds = permi_exact_plain_seconds(rows, 0);
  while (family->isa > isa || (family->all && n < family->lanes_log2 + PERMI_EXACT_BLOCK_LOG2 + 1))
    family++;
  if (!family->all || !permi_arithmetic_is_sound() || !permi_exact_pack(rows, &plan->packing))
    return;
  plan->family = family;
  const int limbs = packing->limbs;
  const int first = (limbs + 1) / 2;
  const int second = limbs - first;
  const double inner = 0.5 * (first * (first - 1) + second * (second - 1));
  /* behind row sums or atoms, for a vector of int16 */
  double operations = 6 * packing->fifths + 20 * packing->narrow + 8 * packing->wide;
  operations += rows->parts == 1 ? 4 * (4 * inner + 5 * first * second)
                                 : 4 * (18 * inner + 6 * n) + 4 * 4 * 5 * limbs * limbs / 4;
  plan->seconds = (4 * (2 * n - 3 * limbs + operations) + n / 4.0 + 20) / (packing->few ? 1 : 0.5) / family->rate *
                  ldexp(1, n - 1 - PERMI_EXACT_BLOCK_LOG2 - family->lanes_log2);
  plan->can_skip =
      rows->parts == 1 && rows->norm[rows->order[0]] <= 127 && n >= family->lanes_log2 + PERMI_EXACT_SKIP_LOG2 + 2;
  if (plan->can_skip && rows->halved) {
    /* of a vector of int8 */
    const double vector = ldexp(1, n - 1 - (family->lanes_log2 + 1)) / family->rate;
    const double search = (2 * rows->halved + 40) * vector, each = (10 * n + 2 * operations) * vector;
    const double survivors = search < plan->seconds ? permi_exact_survivors(rows) : 1;
    const double seconds = search + survivors * each;
    if (seconds < plan->seconds) {
      plan->skip = 1;
      plan->survivors = survivors;
      plan->seconds = seconds;
    }
  }
}

/* Adds sum_k total[k] 2^(window k) to *sum, or subtracts it. */
static void permi_exact_add(const permi_exact *exact, const permi_wide *total, int minus, perm_sum *sum)
{
  for (int k = 0; k <= exact->limbs; k++) {
    uint64_t word[2];
    const int negative = permi_words_magnitude(word, &total[k].low, 2);
    permi_sum_add_bits(sum, word[0], 1074 + k * exact->window, negative ^ minus);
    permi_sum_add_bits(sum, word[1], 1074 + k * exact->window + 64, negative ^ minus);
  }
}

static void permi_exact_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_exact *exact = (const permi_exact *)leaf->context;
  permi_exact_total total;
  memset(&total, 0, sizeof total);
  exact->run(exact, chunk, (permi_exact_work *)workspace, &total);
  permi_exact_add(exact, total.plane[0], 0, &partial->value);
  if (exact->parts == 2) {
    permi_exact_add(exact, total.plane[1], 1, &partial->value);
    permi_exact_add(exact, total.plane[2], 0, &partial->imaginary);
    permi_exact_add(exact, total.plane[0], 1, &partial->imaginary);
    permi_exact_add(exact, total.plane[1], 1, &partial->imaginary);
  }
  partial->terms += leaf->information.work / (double)exact->n / (double)leaf->information.chunks;
}

static size_t permi_exact_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_exact *exact = (const permi_exact *)leaf->context;
  char how[128];
  snprintf(how, sizeof how, "%s in %d limbs, %d of them halved", exact->transposed ? "columns" : "rows", exact->limbs,
           exact->n - 1 + (int)leaf->scale_exp2);
  return permi_exact_say(leaf, exact->parts, how, exact->survivors, buffer, size);
}

/* Sets table[s] = base - steps of the columns in s, in fields of 1 or 2 `bytes`. */
static void permi_exact_settings(const uint64_t *step, int columns, uint64_t base, int bytes, uint8_t *table)
{
  uint64_t value[256];
  for (int q = 0; q < 1 << columns; q++) {
    const uint16_t field = (uint16_t)((value[q] = q ? value[q & (q - 1)] - step[permi_trailing_zeros((uint64_t)q)]
                                                    : base) & 0xffff);
    if (bytes == 1)
      table[q] = (uint8_t)(field & 0xff);
    else
      memcpy(table + 2 * q, &field, 2);
  }
}

/* Fills in part `part` of row i in doubles, from `entry` on. */
static void permi_exact_doubles(const permi_exact *exact, const permi_exact_rows *rows, int i, int part, int entry,
                                double *table, double *step)
{
  const int inner = rows->n - 1 - exact->outer, width = 1 << (inner - PERMI_EXACT_BLOCK_LOG2 - 2);
  double sums[256];
  for (int q = 0; q < 1 << inner; q++) { /* places 1 and 2 are lanes 2 and 1 modulo 4 */
    const int place = (q & 1) * 2 + (q >> 1 & 1), lane = q >> 2 & (width - 1);
    const int column = q ? permi_trailing_zeros((uint64_t)q) : 0;
    sums[q] = q ? sums[q & (q - 1)] - (double)(int64_t)permi_exact_step(rows, i, column, part).low
                : (double)(int64_t)permi_exact_start(rows, i, part).low;
    table[(((q / (4 * width)) * exact->wide_entries + entry) * 4 + place) * width + lane] = sums[q];
  }
  for (int j = 0; j < exact->outer; j++)
    step[j * exact->wide_padded + entry] = (double)(int64_t)permi_exact_step(rows, i, inner + 1 + j, part).low;
}

static void permi_exact_form(permi_exact *exact, const permi_exact_plan *plan, int inner)
{
  const permi_exact_family *family = plan->family;
  const permi_exact_packing *packing = &plan->packing;
  const int parts = plan->rows.parts, limbs = packing->limbs, first = (limbs + 1) / 2;
  const int few = packing->few, terms_log2 = parts == 2 ? 14 : 18; /* milliseconds */
  exact->n = plan->rows.n;
  exact->parts = parts;
  exact->padded = (exact->n + 15) & ~15;
  exact->limbs = limbs;
  exact->narrow = packing->narrow;
  exact->wide_padded = (packing->wide * parts + 7) & ~7;
  exact->wide_entries = packing->wide * parts;
  exact->transposed = plan->rows.transposed;
  exact->outer = exact->n - 1 - inner;
  exact->chunk_log2 = exact->outer + inner < terms_log2 ? exact->outer : terms_log2 - inner;
  exact->survivors = plan->survivors;
  exact->run = plan->skip ? family->skip : family->all;
  exact->evaluate = parts == 2 ? family->gaussian : family->real[few];
  exact->window = few ? family->window : PERMI_EXACT_WINDOW;
  exact->settings = exact->window > PERMI_EXACT_WINDOW ? 64 : limbs <= 6 ? 128 : 32;
  exact->unit = ldexp(1, limbs > 16 ? -650 : 0); /* 2^(51 * 30 + 104 - 650) is a double */
  for (int k = 0; k + 1 < limbs; k++) {
    const double unit = ldexp(exact->unit, k * PERMI_EXACT_WINDOW);
    exact->round[k] = 1.5 * ldexp(unit, 103);
    exact->rest[k] = exact->round[k] + 1.5 * ldexp(unit, 52);
  }
  for (int k = 0; k < PERMI_EXACT_HALF; k++)
    exact->second[k] = 1.5 * ldexp(1, 103 + k * PERMI_EXACT_WINDOW);
  for (int i = 0; i < first; i++)
    for (int j = 0; j < limbs - first && exact->window == PERMI_EXACT_WINDOW; j++) {
      const double constant[2] = {exact->rest[i + j] - exact->round[i + j], exact->round[i + j]};
      for (int k = 0; k < 2; k++) {
        uint64_t bits;
        memcpy(&bits, &constant[k], sizeof bits);
        exact->bias[i + j + k] += bits;
      }
    }
  for (int i = 0; i < 32; i++)
    exact->parity[i] = (i ^ i >> 1 ^ i >> 2 ^ i >> 3 ^ i >> 4) & 1 ? 255 : 0;
  memset(exact->ends, 255, 64);
}

/* Fills in row i, the r-th of the atoms'. Columns are lanes, block or settings, the fixed one, outer ones. `step` is [1
   + outer + settings][padded]; `bytes` has settings, or lanes' bytes and nibbles. */
static void permi_exact_row_tables(permi_exact *exact, const permi_exact_rows *rows, int i, int r, int skip, int lanes,
                                   uint32_t *to, uint8_t *bytes)
{
  const int outer = exact->outer, inner = rows->n - 1 - outer, padded = exact->padded;
  const uint32_t copies = skip ? 0x01010101u : 0x10001u, part = skip ? 0xff : 0xffff;
  const int64_t *a = rows->a + i * rows->line;
  uint64_t step[PERM_MAX_N], all_plus = 0;
  for (int j = 0; j < rows->n; j++, a += rows->along)
    all_plus += step[j] = (uint64_t)*a << !rows->half[i];
  all_plus >>= 1;
  for (int j = 0; j < outer; j++)
    to[(j + 1) * padded + r] = ((uint32_t)step[inner + 1 + j] & part) * copies;
  if (!skip) {
    permi_exact_settings(step, inner, all_plus, 2, bytes + ((ptrdiff_t)r * 2 << inner));
    return;
  }
  to[r] = ((uint32_t)all_plus & part) * copies;
  for (int j = 2; j < PERMI_EXACT_SKIP_LOG2; j++)
    to[(outer - 1 + j) * padded + r] = ((uint32_t)step[lanes + j] & part) * copies;
  if (rows->half[i]) {
    permi_exact_settings(step, lanes + 2, 0, 1, bytes + ((ptrdiff_t)exact->even_rows << (lanes + 2)));
    exact->even_row[exact->even_rows++] = r;
  }
  bytes += ((ptrdiff_t)rows->halved << (lanes + 2)) + 48 * r;
  for (int j = 0; j < 3; j++)
    permi_exact_settings(step + 4 * j, 4 * j + 4 <= inner ? 4 : inner - 4 * j, 0, 1, bytes + 16 * j);
}

static perm_status permi_exact_tables(const perm_options *options, const permi_exact_plan *plan, permi_leaf *leaf,
                                      perm_result *result)
{
  const permi_exact_rows *rows = &plan->rows;
  const int n = rows->n, skip = plan->skip, lanes = plan->family->lanes_log2 + skip;
  const int inner = lanes + (skip ? PERMI_EXACT_SKIP_LOG2 : PERMI_EXACT_BLOCK_LOG2), outer = n - 1 - inner;
  const int padded = (n + 15) & ~15, steps = outer + 1 + PERMI_EXACT_SKIP_LOG2;
  const size_t table = skip ? ((size_t)rows->halved << (lanes + 2)) + (size_t)n * 48 : (size_t)n * 2 << inner;
  const size_t wide = (size_t)(plan->packing.wide * rows->parts);
  const size_t wide_table = wide ? (wide << inner) + (wide + 32) * (size_t)outer : 0;
  const size_t bytes = sizeof(permi_exact) + 128 + table + wide_table * sizeof(double) +
                       (size_t)(padded * steps) * sizeof(uint32_t);
  permi_exact *exact = (permi_exact *)permi_allocate_zeros(&options->allocator, 1, bytes);
  int a, i, part, r = 0, entry = 0;
  if (!exact)
    return permi_fail_memory(result);
  uint32_t *step = (uint32_t *)(void *)(((uintptr_t)(exact + 1) + 63) & ~(uintptr_t)63);
  uint8_t *at = (uint8_t *)(step + padded * steps); /* a multiple of 64 bytes on */
  exact->start = step;
  exact->step = step + padded;
  exact->setting_step = exact->step + padded * outer;
  exact->table = (const int16_t *)(const void *)at;
  double *doubles = (double *)(void *)(at + ((table + 63) & ~(size_t)63));
  exact->wide_table = doubles;
  exact->wide_step = doubles + (wide << inner);
  exact->lane_bytes = at;
  exact->nibbles = at + ((size_t)rows->halved << (lanes + 2)); /* a multiple of 128 bytes on */
  permi_exact_form(exact, plan, inner);
  for (a = 0; a < exact->limbs * PERMI_EXACT_ATOMS; a++) {
    const int h = a / PERMI_EXACT_ATOMS, in_limb = a % PERMI_EXACT_ATOMS;
    exact->atom_rows[a] = plan->packing.rows[h][in_limb];
    exact->fifth[h] = in_limb == 4 && exact->atom_rows[a];
    for (i = 0; i < n && exact->atom_rows[a]; i++)
      if (plan->packing.atom_of[i] == a && h < exact->narrow)
        permi_exact_row_tables(exact, rows, i, r++, skip, lanes, step, at);
      else if (plan->packing.atom_of[i] == a)
        for (part = 0; part < rows->parts; part++)
          permi_exact_doubles(exact, rows, i, part, entry++, doubles, doubles + (wide << inner));
  }
  permi_exact_fill(rows, plan->family->isa, inner, inner + exact->chunk_log2, plan->seconds, (double)bytes, exact,
                   leaf);
  leaf->explain = permi_exact_explain;
  leaf->run_chunk = permi_exact_chunk;
  leaf->workspace = sizeof(permi_exact_work);
  return PERM_OK;
}

PERMI_BRIEF_END

/* ====================================================================================== >>small_exact
   Integer matrices of order 2 to 16 without a plan, a job or an allocation.
     exact in doubles    No number of the kernels of >>small exceeds 2^(n-3) prod_i R_i, R_i = sum_j |re a_ij| +
                         |im a_ij|: nothing rounds below 2^53.
     modulo 2^128        n <= 8, Gaussian 7: f(S) = sum_{j in S} a_kj f(S - j), k = |S| - 1, over subsets S of columns:
                         n 2^(n-1) products. Larger orders take as long as a job. */

#define PERMI_SMALL_SUBSETS_N 8

/* Copies entries. Returns the product of the R_i, INFINITY if an entry needs over 53 bits. */
static double permi_small_integers(int n, int parts, const int64_t *a, ptrdiff_t ld, double *real)
{
  const double most = 9007199254740992.0; /* 2^53 */
  double product = 1, largest = 0;
  for (int i = 0; i < n; i++) {
    const int64_t *row = a + i * ld * parts;
    double sum = 0;
    for (int j = 0; j < n * parts; j++) {
      const double x = (double)row[j], size = fabs(x);
      *real++ = x;
      sum += size;
      largest = size > largest ? size : largest;
    }
    product *= sum;
  }
  return largest <= most ? product : (double)INFINITY;
}

/* Sets the value of a matrix whose R_i multiply to less than 2^127. */
static void permi_small_subsets(int n, int parts, const int64_t *a, ptrdiff_t ld, permi_wide *value)
{
  permi_wide f[1 << PERMI_SMALL_SUBSETS_N][2];
  uint8_t size[1 << PERMI_SMALL_SUBSETS_N];
  memset(f[0], 0, sizeof f[0]);
  f[0][0].low = 1;
  size[0] = 0;
  for (unsigned set = 1; set < 1u << n; set++) {
    const int64_t *row = a + size[set & (set - 1)] * ld * parts;
    size[set] = (uint8_t)(size[set & (set - 1)] + 1);
    memset(f[set], 0, sizeof f[set]);
    for (unsigned rest = set; rest; rest &= rest - 1) {
      const int64_t *x = row + permi_trailing_zeros(rest) * parts;
      const permi_wide *from = f[set & ~(rest & (0 - rest))];
      permi_wide_add_product(&f[set][0], &from[0], x[0]);
      if (parts == 2) {
        permi_wide_add_product(&f[set][0], &from[1], -x[1]);
        permi_wide_add_product(&f[set][1], &from[0], x[1]);
        permi_wide_add_product(&f[set][1], &from[1], x[0]);
      }
    }
  }
  memcpy(value, f[(1 << n) - 1], sizeof f[0]);
}

static double permi_small_set(perm_integer *integer, permi_wide x)
{
  int e;
  integer->negative = permi_words_magnitude(integer->word, &x.low, 2);
  integer->words = integer->word[1] ? 2 : integer->word[0] != 0;
  if (integer->words == 2) {
    const double value = permi_integer_double(integer, &e);
    return ldexp(value, e);
  }
  const double value = (double)integer->word[0];
  return integer->negative ? -value : integer->words ? value : 0; /* rounding down, clang converts 0 to -0 */
}

/* Fills in a result, 2 <= n <= 16, isa not AUTO. Returns 0 if the general path must. */
static int permi_small_exact(perm_isa isa, int n, int parts, const int64_t *a, ptrdiff_t ld, perm_result *result)
{
  double real[2 * PERMI_SMALL_N * PERMI_SMALL_N], out[4] = {0, 0, 0, 0}, product;
  const double sums = (double)(1 << (n < 4 ? 0 : n - 3));
  permi_wide value[2];
#if defined(PERM_NO_COMPLEX)
  if (parts == 2)
    return 0;
#endif
  real[0] = 0; /* gcc does not see that n > 0 */
  product = permi_small_integers(n, parts, a, ld, real);
  const int large = !(sums * product < 9007199254740992.0);
  if (large && (n + parts - 1 > PERMI_SMALL_SUBSETS_N || !(product <= 8.5e37))) /* 2^126 */
    return 0;
  if (large)
    permi_small_subsets(n, parts, a, ld, value);
  else if (n < 5 && parts == 1)
    out[0] = permi_small(n, real);
#if !defined(PERM_NO_COMPLEX)
  else if (n < 5) {
    const permi_number_plain sum = permi_small_expand_complex(n, real);
    out[0] = sum.re;
    out[1] = sum.im;
  } else if (parts == 2)
    permi_small_kernel_complex(isa, n)(n, real, out);
#endif
  else
    permi_small_kernel_real(isa, n)(n, real, out);
  if (!large) {
    value[0] = permi_wide_of((int64_t)out[0]);
    value[1] = permi_wide_of(parts == 2 ? (int64_t)out[1] : 0);
  }
  permi_result_clear(result);
  result->value = permi_small_set(&result->integer, value[0]);
  if (parts == 2)
    result->imaginary = permi_small_set(&result->imaginary_integer, value[1]);
  result->exact = 1;
  permi_result_by(result, parts, PERM_METHOD_EXACT, PERM_PRECISION_EXACT, n < 5 || large ? PERM_ISA_PLAIN : isa,
                  (double)(1 << (n - 1)));
  return 1;
}

PERMI_BRIEF_BEGIN

/* ==================================================================================== >>exact_device
   Integers on GPUs, and the fastest plan. */

#define PERMI_EXACT_GPU_BLOCK 6
#define PERMI_EXACT_GPU_PRODUCTS 3000 /* of words in a term: 15 s to compile */

/* Sets words of groups and products. Returns the products of words in a term. */
static int permi_exact_gpu_products(const permi_exact_rows *rows, perm_gpu_exact *shape, const uint64_t *bound)
{
  const int parts = rows->parts;
  double bits = 0;
  int products = 0, g;
  for (g = 0; g < shape->groups; g++) {
    const int wide = bound[g] == UINT64_MAX ? 3 : bound[g] > INT32_MAX ? 2 : 1;
    const int most = (g ? shape->product[g - 1] : 0) + wide;
    bits += wide == 3 ? 70 : log2((double)bound[g]) + 1e-9; /* norms < 2^(63 + 1 + 6) */
    int words = (int)((bits + (parts == 2)) / 32) + 1;
    words = parts == 1 && words > most ? most : words;
    if (words > PERM_GPU_EXACT_WORDS)
      return PERMI_EXACT_GPU_PRODUCTS + 1;
    shape->wide[g] = (short)wide;
    shape->product[g] = (short)words;
    products += g ? parts * parts * words * wide : 0;
  }
  shape->sum = (int)((bits + rows->n + 1) / 32) + 1;
  return products;
}

/* Places lines by size: four, two, one a word, then longer ones. */
static void permi_exact_gpu_lines(const permi_exact_rows *rows, perm_gpu_exact *shape)
{
  int at = 0, kind, g, k, r, part;
  for (kind = 0; kind < 4; kind++) {
    const int fields = kind == 0 ? 4 : kind == 1 ? 2 : 1;
    int field = 0;
    for (r = 0, g = 0; r < rows->n; r++) {
      const uint64_t norm = rows->norm[shape->order[r]];
      g += r == shape->first[g + 1];
      if (kind != (norm <= 127 ? 0 : norm <= 32767 ? 1 : norm <= INT32_MAX ? 2 : 3))
        continue;
      for (part = 0; part < rows->parts; part++) {
        const int line = r * rows->parts + part;
        shape->at[line] = (short)at;
        shape->kind[line] = (short)(kind == 0 ? field : kind == 1 ? 4 + field : 6);
        for (k = 1; k < shape->wide[g]; k++)
          shape->carries[at + k] = 1;
        field = (field + 1) % fields;
        at += field == 0 ? shape->wide[g] : 0;
      }
    }
    at += field != 0;
  }
  shape->words = at;
  shape->stride = (at + 3) & ~3;
}

/* Returns predicted seconds, or INFINITY. */
static double permi_exact_gpu_shape(const permi_exact_rows *rows, perm_gpu_exact *shape)
{
  const int n = rows->n, parts = rows->parts, bytes = rows->norm[rows->order[0]] <= 127;
  const double terms = ldexp(1, n - 1);
  uint64_t bound[PERM_MAX_N];
  memset(shape, 0, sizeof *shape);
  shape->parts = parts;
  shape->survivors = 1;
  if (n < PERMI_GPU_LEAST_N)
    return (double)INFINITY;
  shape->groups = permi_exact_groups(rows, INT32_MAX, bound, shape->first, shape->order);
  const int products = permi_exact_gpu_products(rows, shape, bound);
  if (products > PERMI_EXACT_GPU_PRODUCTS)
    return (double)INFINITY;
  permi_exact_gpu_lines(rows, shape);
  for (int r = 0; r < n && bytes; r++)
    if (rows->half[shape->order[r]]) {
      const int norm = (int)rows->norm[shape->order[r]];
      shape->zero_line[shape->zeros] = (short)(r * parts);
      shape->zero_base[shape->zeros++] = (short)(shape->masks + norm - 128);
      shape->masks += 2 * norm + 1;
    }
  shape->masks = (shape->masks + 1) & ~1;
  const double each = 3.0 * shape->words + 2.0 * n * parts * parts + 3.0 * parts * shape->sum + 3.0 * products;
  double seconds = terms * each;
  if (parts == 1 && bytes && rows->halved && n >= 8 + PERMI_EXACT_GPU_BLOCK) {
    const double survive = permi_exact_survivors(rows);
    const double skipping = /* survivors thrice: rows depend on each other */
        terms * (3 * survive * (each + 2 * shape->words + 30) + (12.0 * shape->zeros + 120) / 64 + 2);
    if (skipping < seconds) {
      seconds = skipping;
      shape->skip = 1;
      shape->survivors = survive;
    }
  }
  if (!shape->skip)
    shape->zeros = shape->masks = 0;
  const int columns = n - 1 - (shape->skip ? PERMI_EXACT_GPU_BLOCK : 0) - PERM_GPU_THREADS_LOG2;
  shape->walk = permi_clamp(columns - 12, columns < 3 ? columns : 3, 10);
  shape->high = columns + PERM_GPU_THREADS_LOG2 - shape->walk;
  shape->sums = shape->stride * (2 + shape->high + 2 * shape->walk + (shape->skip ? 64 : 0));
  seconds *= permi_gpu_slower(PERM_GPU_32) / PERMI_EXACT_GPU_RATE;
  return seconds + 0.5 + 0.005 * products; /* the rest is for compiling */
}

/* Makes the fastest plan, also of residues if options.modulus is odd and below 2^63. */
PERMI_UNUSED PERMI_NEVER_INLINE
static void permi_exact_fastest(const perm_options *options, int n, const permi_integer_view *view,
                                permi_exact_plan *plan)
{
  permi_exact_plan other;
  perm_gpu_exact shape;
  char message[PERM_MESSAGE_BYTES];
  for (int transposed = 0; transposed < 2; transposed++) {
    other.rows = permi_exact_look(view, n, transposed);
    permi_exact_plan_rows(options, &other);
    if (!transposed || other.seconds < plan->seconds)
      *plan = other;
  }
  double seconds = options->isa == PERM_ISA_CUDA ? (double)INFINITY : plan->seconds;
  const int gpu = options->gpu.devices && n >= PERMI_GPU_LEAST_N && seconds >= 1;
  for (int transposed = 0; gpu && transposed < 2; transposed++) {
    other.rows = permi_exact_look(view, n, transposed);
    const double here = permi_exact_gpu_shape(&other.rows, &shape);
    if (here < seconds &&
        (plan->gpu || !options->gpu.cpu_fallback || permi_gpu_devices(options->gpu.devices, message))) {
      plan->gpu = 1;
      plan->rows = other.rows;
      plan->seconds = seconds = here;
    }
  }
  if (options->modulus & 1 && options->modulus < UINT64_C(1) << 63) {
    other.rows = permi_exact_look(view, n, 0);
    const double here = permi_exact_plain_seconds(&other.rows, options->modulus);
    if (here < plan->seconds) {
      memset(plan, 0, sizeof *plan);
      plan->rows = other.rows;
      plan->modulus = options->modulus;
      plan->seconds = here;
    }
  }
}

PERMI_UNUSED
static perm_status permi_exact_leaf(const perm_options *options, const permi_exact_plan *plan, permi_leaf *leaf,
                                    perm_result *result)
{
  perm_gpu_exact shape;
  if (plan->family && !plan->gpu)
    return permi_exact_tables(options, plan, leaf, result);
  if (!plan->gpu)
    return permi_exact_plain_leaf(options, &plan->rows, plan->modulus, leaf, result);
  const double seconds = permi_exact_gpu_shape(&plan->rows, &shape);
  const int block = shape.skip ? PERMI_EXACT_GPU_BLOCK : 0;
  const double bytes = (shape.sums + 2.0 * shape.masks) * sizeof(uint32_t);
  permi_exact_fill(&plan->rows, PERM_ISA_CUDA, 0, PERM_GPU_THREADS_LOG2 + shape.walk + block, seconds, bytes, NULL,
                   leaf);
  leaf->information.fingerprint = permi_hash(leaf->information.fingerprint, (uint64_t)(PERM_ISA_CUDA + 64 * block));
  leaf->run_range = permi_gpu_range;
  leaf->explain = permi_plan_explain;
  return permi_exact_gpu_tables(&plan->rows, &shape, &options->allocator, leaf) == PERM_OK ? PERM_OK
                                                                                            : permi_fail_memory(result);
}

/* ========================================================================================= >>counts
   Equal rows and columns stand once, with counts, declared or found here; the choice of the engine. permi_counted is
   what is left: rows <= columns (else transposed), no count 0, no equal lines, no zero lines where some are to
   spare. An engine takes one side as digits, v_d = 0 .. count_d of them used, the other as forms. Forms to spare
   stay unused ("skips"). The engines:
     subsets         >>subsets: each form takes up one more digit, or none. 2^m m n / 2 for m < n without counts;
                     subtracts nothing that the permanent does not
     multiplicities  >>sign_sums: Glynn's sum over signs, or numbers, of digits
     short           the same for rectangular matrices: over the short side, 2^(m-1) m n */

typedef struct permi_counted {
  int m, n, parts;   /* distinct rows and columns */
  int rows, columns; /* with counts; rows <= columns */
  int zero, *row_count, *column_count;
  double *real;     /* [m][n][parts]; NULL if integers */
  int64_t *integer;
  int scaled, exp2; /* scaled: doubles are integers times 2^exp2 */
  const permi_reach *reach;
} permi_counted;

/* Returns the bits of an entry, for -0 those of 0. */
PERMI_NEVER_INLINE static uint64_t permi_line_bits(const permi_problem *problem, int by_columns, int line, int other,
                                                   int part)
{
  const ptrdiff_t i = by_columns ? other : line, j = by_columns ? line : other;
  const ptrdiff_t at = (i * problem->ld + j) * problem->parts + part;
  uint64_t bits;
  if (problem->integer)
    return (uint64_t)problem->integer[at];
  double x = problem->real[at] + 0;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

typedef struct permi_lines {
  int *line, *count, lines;
  int total; /* of the counts */
} permi_lines;

/* y < 0: a line of zeros. */
static int permi_lines_equal(const permi_problem *problem, int by_columns, int x, int y, const permi_lines *other)
{
  for (int k = 0; k < other->lines; k++)
    for (int part = 0; part < problem->parts; part++)
      if (permi_line_bits(problem, by_columns, x, other->line[k], part) !=
          (y < 0 ? 0 : permi_line_bits(problem, by_columns, y, other->line[k], part)))
        return 0;
  return 1;
}

/* Of a square matrix up to PERM_MAX_N; zero lines count as equal. */
static int permi_lines_differ(const permi_problem *problem)
{
  int line[PERM_MAX_N], side, i, j;
  const permi_lines all = {line, NULL, problem->n, 0};
  for (i = 0; i < problem->n; i++)
    line[i] = i;
  for (side = 0; side < 2; side++)
    for (i = 0; i < problem->n; i++)
      for (j = -1; j < i; j++)
        if (permi_lines_equal(problem, side, i, j, &all))
          return 0;
  return 1;
}

/* Most lines differ in their first places (`first` is room for these). */
static void permi_lines_merge(const permi_problem *problem, int by_columns, const permi_lines *other,
                              permi_lines *lines, uint64_t *first)
{
  const int size = by_columns ? problem->n : problem->m;
  const int *given = by_columns ? problem->column_count : problem->row_count;
  int used = 0, x, k;
  for (x = 0; x < size && other->lines; x++) {
    const int times = given ? given[x] : 1;
    const uint64_t place = permi_line_bits(problem, by_columns, x, other->line[0], 0);
    if (!times)
      continue;
    for (k = 0; k < used; k++)
      if (first[k] == place && permi_lines_equal(problem, by_columns, lines->line[k], x, other))
        break;
    if (k == used) {
      first[used] = place;
      lines->line[used] = x;
      lines->count[used++] = 0;
    }
    lines->count[k] += times;
    lines->total += times;
  }
  lines->lines = used;
}

static size_t permi_counted_entries(const permi_counted *counted)
{
  return (size_t)counted->m * (size_t)counted->n * (size_t)counted->parts;
}

static int permi_counted_room(const perm_allocator *allocator, permi_counted *counted)
{
  const size_t entries = permi_counted_entries(counted), counts = (size_t)(counted->m + counted->n);
  counted->real = (double *)permi_allocate(allocator, 1, entries * sizeof(double) + counts * sizeof(int));
  if (!counted->real)
    return 0;
  counted->row_count = (int *)(counted->real + entries);
  counted->column_count = counted->row_count + counted->m;
  return 1;
}

/* Makes *counted, in O(m n) where lines differ. */
PERMI_COLD static perm_status permi_counted_make(const permi_problem *problem, const perm_allocator *allocator,
                                                 permi_counted *counted)
{
  const int most = problem->m > problem->n ? problem->m : problem->n;
  permi_lines side[2];
  uint64_t *first = (uint64_t *)permi_allocate(allocator, (size_t)most, sizeof *first + 4 * sizeof(int));
  memset(counted, 0, sizeof *counted);
  if (!first)
    return PERM_ERROR_MEMORY;
  for (int s = 0; s < 2; s++) {
    side[s].line = (int *)(first + most) + 2 * s * most;
    side[s].count = side[s].line + most;
    side[s].total = 0;
  }
  for (int j = 0; j < problem->n; j++)
    side[1].line[j] = j;
  side[1].lines = problem->n;
  for (int s = 0; s < 2; s++)
    permi_lines_merge(problem, s, &side[1 - s], &side[s], first);
  const int needed = side[0].total < side[1].total ? side[0].total : side[1].total;
  for (int s = 0; s < 2; s++) { /* harmless where lines are to spare */
    permi_lines *lines = &side[s];
    const int all = lines->lines;
    for (int i = lines->lines = 0; i < all; i++) {
      const int zero = permi_lines_equal(problem, s, lines->line[i], -1, &side[1 - s]);
      lines->line[lines->lines] = lines->line[i];
      lines->count[lines->lines] = lines->count[i];
      lines->total -= zero ? lines->count[i] : 0;
      lines->lines += !zero;
    }
    counted->zero |= side[s].total < needed;
  }
  const int s = side[0].total > side[1].total;
  const permi_lines *rows = &side[s], *columns = &side[1 - s];
  counted->m = rows->lines;
  counted->n = columns->lines;
  counted->rows = rows->total;
  counted->columns = columns->total;
  counted->parts = problem->parts;
  counted->reach = problem->reach;
  if (!permi_counted_room(allocator, counted)) {
    permi_release(allocator, first);
    return PERM_ERROR_MEMORY;
  }
  double *to = counted->real;
  if (problem->integer)
    counted->integer = (int64_t *)(void *)to;
  for (int i = 0; i < counted->m; i++)
    for (int j = 0; j < counted->n; j++)
      for (int part = 0; part < problem->parts; part++) {
        const uint64_t bits = permi_line_bits(problem, s, rows->line[i], columns->line[j], part);
        memcpy(to++, &bits, sizeof bits);
      }
  memcpy(counted->row_count, rows->count, (size_t)counted->m * sizeof(int));
  memcpy(counted->column_count, columns->count, (size_t)counted->n * sizeof(int));
  permi_release(allocator, first);
  return PERM_OK;
}

/* Doubles become multiples of their least bit. Returns 0 if that takes over 62 bits, or without memory. */
PERMI_COLD static int permi_counted_whole(const permi_counted *counted, const perm_allocator *allocator,
                                          permi_counted *whole)
{
  const size_t entries = permi_counted_entries(counted);
  int least = INT_MAX, most = INT_MIN;
  for (size_t k = 0; k < entries; k++)
    if (counted->real[k] != 0) {
      const int e = permi_exponent(counted->real[k]);
      const int low = e - 53 + permi_trailing_zeros((uint64_t)ldexp(fabs(counted->real[k]), 53 - e));
      most = e > most ? e : most;
      least = low < least ? low : least;
    }
  if (most - least > 62)
    return 0;
  *whole = *counted;
  if (!permi_counted_room(allocator, whole))
    return 0;
  memcpy(whole->row_count, counted->row_count, (size_t)(counted->m + counted->n) * sizeof(int));
  whole->integer = (int64_t *)(void *)whole->real;
  whole->scaled = 1;
  whole->exp2 = least;
  for (size_t k = 0; k < entries; k++) {
    const int64_t x = (int64_t)ldexp(counted->real[k], -least);
    memcpy(whole->real + k, &x, sizeof x);
  }
  return 1;
}

static void permi_counted_free(const perm_allocator *allocator, permi_counted *counted)
{
  permi_release(allocator, counted->real);
}

PERMI_COLD static uint64_t permi_counted_fingerprint(const permi_counted *counted)
{
  const size_t entries = permi_counted_entries(counted);
  uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)counted->m);
  for (int x = 0; x < counted->m + counted->n; x++)
    hash = permi_hash(hash, (uint64_t)counted->row_count[x]);
  for (size_t k = 0; k < entries; k++) {
    uint64_t bits;
    memcpy(&bits, counted->real + k, sizeof bits);
    hash = permi_hash(hash, bits);
  }
  return hash;
}

#define PERMI_MOST_DIGITS 62
#define PERMI_MOST_FORMS 512
#define PERMI_MOST_NEEDED 128
#define PERMI_MOST_CELLS 8192
#define PERMI_MOST_WALKED 900 /* total of digits: binomials are scaled by 2^-total */

typedef struct permi_shape {
  int digits, forms, digit_total, form_total;
  int needed, skips; /* in a product, to spare */
  const int *digit_count, *form_count;
} permi_shape;

typedef struct permi_choice {
  perm_method method;
  int by_columns; /* digits are columns */
  permi_shape shape;
  perm_precision precision;
  int words;
  uint64_t modulus;
  perm_isa isa;
  double terms, work, seconds, bytes; /* seconds: INFINITY if the engine cannot */
  const char *why;                    /* why it cannot */
} permi_choice;

static permi_shape permi_shape_of(const permi_counted *counted, int by_columns)
{
  const permi_shape rows = {counted->m, counted->n, counted->rows, counted->columns, counted->rows,
                            counted->columns - counted->rows, counted->row_count, counted->column_count};
  const permi_shape columns = {counted->n, counted->m, counted->columns, counted->rows, counted->rows,
                               0, counted->column_count, counted->row_count};
  return by_columns ? columns : rows;
}

static size_t permi_counted_at(const permi_counted *counted, int by_columns, int digit, int form, int part)
{
  const size_t i = (size_t)(by_columns ? form : digit), j = (size_t)(by_columns ? digit : form);
  return (i * (size_t)counted->n + j) * (size_t)counted->parts + (size_t)part;
}

/* By rows and by columns: log2 of the product of the lines' sums of moduli, with counts; their sum. */
typedef struct permi_counted_bound {
  double bits[2], sums[2];
} permi_counted_bound;

/* `one`: the time of an operation in dd or exact. */
PERMI_COLD static void permi_signs_price(int parts, double one, double size, permi_choice *choice)
{
  const permi_shape *shape = &choice->shape;
  const int plain = choice->precision == PERM_PRECISION_DEFAULT, skips = shape->skips, needed = shape->needed;
  double powers = 0;
  for (int f = 0; f < shape->forms; f++)
    powers += parts == 2 ? shape->form_count[f] : 1 + log2(shape->form_count[f]);
  choice->work = choice->terms * (skips ? needed * (skips + 1.0) : shape->form_total);
  choice->bytes = 8.0 * parts * (2.0 * shape->digits * shape->forms + 4e3) + 65536;
  if (shape->forms > PERMI_MOST_FORMS || needed > (skips ? PERMI_MOST_NEEDED : PERMI_MOST_WALKED))
    choice->why = "the totals are too large for sums over signs";
  else if (!plain && (shape->digits + 4.0 + (skips ? needed : 0)) * size > PERMI_MOST_CELLS)
    choice->why = "the numbers are too long for sums over signs";
  else if (plain)
    choice->seconds =
        choice->terms * (PERMI_SECONDS_TERM + permi_seconds_form[parts - 1] *
                                                  (parts * shape->forms + (skips ? shape->forms : powers))) +
        (skips ? choice->work * permi_seconds_e[parts - 1] : 0);
  else
    choice->seconds = PERMI_SECONDS_TERM * choice->terms * size + one * choice->work;
}

/* `bound` is of integers. */
PERMI_COLD static permi_choice permi_choice_make(const permi_counted *counted, perm_method method, int by_columns,
                                                 perm_precision precision, uint64_t modulus,
                                                 const permi_counted_bound *bound)
{
  const permi_shape shape = permi_shape_of(counted, by_columns);
  const int exact = precision == PERM_PRECISION_EXACT, dd = precision == PERM_PRECISION_DD;
  const int parts = counted->parts, skips = shape.skips;
  permi_choice choice = {method, by_columns, shape, precision, 0, 0, PERM_ISA_PLAIN, 0, 0, (double)INFINITY, 0, NULL};
  double product = 1, fraction = 0, one, size;
  int odd = 0, largest = 0, d;
  if (exact) {
    const int signs = method != PERM_METHOD_SUBSETS;
    double bits = bound->bits[signs && !by_columns && !skips];
    if (signs && skips) /* |e_M| <= (sum of |forms|)^M / M! */
      bits = fmax(0, shape.needed * log2(fmax(bound->sums[0], 1)) - permi_log2_factorial(shape.needed)) + 1;
    bits = ceil((bits + (signs ? shape.digit_total : 0)) * (1 + 1e-9)) + 3;
    choice.words = bits > 64.0 * PERM_INTEGER_WORDS - 1 ? 0 : (int)(bits / 64) + 1; /* with sign, in every sum */
    if (!choice.words && modulus && method == PERM_METHOD_SUBSETS) { /* only multiplies and adds */
      choice.words = 1;
      choice.modulus = modulus;
    }
    if (!choice.words) {
      choice.why = modulus ? "the exact integers are too long, even modulo a number, for all methods but subsets"
                           : "the exact integers may be over 4544 bits long; modulo a number (options.modulus) they "
                             "fit";
      return choice;
    }
  }
  size = parts * (exact ? choice.words : dd ? 2 : 1);
  one = permi_seconds_exact[parts - 1] + permi_seconds_word[parts - 1] * choice.words;
  if (dd)
    one = method == PERM_METHOD_SUBSETS ? permi_seconds_sweep_dd[parts - 1]
          : skips ? permi_seconds_e_dd[parts - 1]
                  : permi_seconds_form_dd[parts - 1];
  for (d = 0; d < shape.digits; d++) {
    const int used = shape.digit_count[d] < shape.needed ? shape.digit_count[d] : shape.needed;
    product *= used + 1.0;
    fraction += used / (used + 1.0);
    largest = used > largest ? used : largest;
    odd |= used & 1;
  }
  choice.terms = product;
  if (shape.digits > PERMI_MOST_DIGITS || product > 2e18) {
    choice.terms = 0;
    choice.why = "there are too many distinct rows and columns";
  } else if (method == PERM_METHOD_SUBSETS) {
    const int plain = !exact && !dd;
    double scan = shape.form_total * product / (largest + 1.0) * PERMI_SECONDS_SCAN;
    if (plain && skips) /* rows of up to 64 states */
      scan = shape.form_total * (PERMI_STEP_SECONDS + product / 64 * PERMI_SECONDS_SCAN);
    choice.work = product * (skips + 1.0) * fraction;
    choice.bytes = product * 8 * (size + 1);
    choice.seconds = choice.work * (plain ? permi_seconds_sweep[parts - 1] * (skips ? 1 : 2) : one) + scan;
  } else { /* the last digit counts half: an odd one, or the largest */
    choice.terms = odd ? product / 2 : product / (largest + 1) * (largest / 2 + 1);
    permi_signs_price(parts, one, size, &choice);
  }
  return choice;
}

/* The cheapest engine, or the requested one. Subsets, which do not cancel, may take twice as long. */
PERMI_COLD static permi_choice permi_choose(const permi_counted *counted, const perm_options *options,
                                            perm_precision precision)
{
  static const perm_method engines[] = {PERM_METHOD_SUBSETS, PERM_METHOD_MULTIPLICITIES, PERM_METHOD_SHORT};
  const int square = counted->rows == counted->columns, chosen = options->method == PERM_METHOD_AUTO;
  /* for complex terms the estimate asks for dd in either case */
  const double favour = square && counted->parts == 2 ? 1 : 2;
  permi_counted_bound bound = {{0, 0}, {0, 0}};
  permi_choice best;
  memset(&best, 0, sizeof best);
  best.seconds = (double)INFINITY;
  best.why = "this method is for square matrices without counts";
  for (int side = 0; side < 2 && precision == PERM_PRECISION_EXACT; side++) {
    const permi_shape shape = permi_shape_of(counted, side);
    for (int x = 0; x < shape.digits; x++) {
      double sum = 0;
      for (int k = 0; k < shape.forms; k++)
        for (int part = 0; part < counted->parts; part++)
          sum += shape.form_count[k] * fabs((double)counted->integer[permi_counted_at(counted, side, x, k, part)]);
      bound.bits[side] += shape.digit_count[x] * log2(fmax(sum, 1) * (1 + 1e-12));
      bound.sums[side] += shape.digit_count[x] * sum;
    }
  }
  for (int k = 0; k < 6; k++) {
    const perm_method method = engines[k / 2];
    const int by_columns = k & 1;
    if ((chosen ? method == (square ? PERM_METHOD_SHORT : PERM_METHOD_MULTIPLICITIES) : method != options->method) ||
        (by_columns && method != PERM_METHOD_SUBSETS && !square))
      continue;
    permi_choice choice = permi_choice_make(counted, method, by_columns, precision, options->modulus, &bound);
    if (chosen && method == PERM_METHOD_SUBSETS) {
      if (choice.bytes > (options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES / 4))
        choice.seconds = (double)INFINITY;
      choice.seconds /= favour;
    }
    if (choice.seconds < best.seconds || best.method == PERM_METHOD_AUTO)
      best = choice;
  }
  if (chosen && best.method == PERM_METHOD_SUBSETS)
    best.seconds *= favour;
#if PERMI_X86
  if (best.precision == PERM_PRECISION_DEFAULT && permi_lanes(permi_isa(options)) >= 4)
    best.isa = PERM_ISA_AVX2;
#endif
  return best;
}

/* ======================================================================================== >>subsets
   The dynamic program over counts of used rows or columns, and the digits and forms of all engines for counts.
   A cell is a value of >>ring: double-doubles, integers or residues. state[v] is the sum of products over the ways in
   which the forms so far take up v_d copies of each digit d. The next form gives, in place, v descending, where the end
   can be reached,
     state'[v] = state[v] (if forms may stay unused) + sum_d (count_d - (v_d - 1)) a_fd state[v - e_d]. */

typedef struct permi_counts {
  perm_allocator allocator;
  permi_numbers numbers;
  size_t size;
  int plain;
  const permi_counts_kernels *kernels;
  perm_method method;
  int parts, digits, forms, digit_total, form_total, needed;
  int skips;          /* unused forms: sums over signs take e_M of all */
  int *digit_count, *form_count, *radix;
  double *high, *low; /* [digit][part][form], scaled; low: the rest for split sums */
  int64_t *integer;
  int whole;
  int lossy;          /* scaling rounded some tiny entry */
  int signs;          /* some entry is negative or complex: |terms| are summed apart */
  uint64_t terms, chunks;
  unsigned absolute_mask; /* one of mask + 1 values of e_M enters the sum of |terms| */
  int *weight_at;
  uint64_t *weight;
} permi_counts;

static size_t permi_counts_at(const permi_counts *counts, int digit, int part, int form)
{
  return ((size_t)digit * (size_t)counts->parts + (size_t)part) * (size_t)counts->forms + (size_t)form;
}

static double permi_counts_entry(const permi_counts *counts, int digit, int part, int form)
{
  const size_t at = permi_counts_at(counts, digit, part, form);
  return counts->integer ? (double)counts->integer[at] : counts->high[at];
}

PERMI_NEVER_INLINE static double permi_counts_modulus(const permi_counts *counts, int digit, int form)
{
  return fabs(permi_counts_entry(counts, digit, 0, form)) +
         (counts->parts == 2 ? fabs(permi_counts_entry(counts, digit, 1, form)) : 0);
}

typedef struct permi_factor {
  permi_coefficient c;
  uint64_t magnitude[2][2];
  int negative[2];
} permi_factor;

/* Sets a part of a factor, the real one first. */
static void permi_factor_set(const permi_counts *counts, int part, permi_dd x, permi_wide integer, permi_factor *factor)
{
  const uint64_t modulus = counts->numbers.modulus;
  if (counts->integer) {
    factor->negative[part] = permi_words_magnitude(factor->magnitude[part], &integer.low, 2);
    factor->c.integer[part] = modulus ? (int64_t)permi_wide_residue(integer, modulus) : 0;
  } else if (part) {
    factor->c.imaginary = x.hi;
    factor->c.imaginary_low = x.lo;
  } else {
    factor->c.real = x.hi;
    factor->c.real_low = x.lo;
    factor->c.imaginary = factor->c.imaginary_low = 0;
  }
}

static void permi_counts_factor(const permi_counts *counts, int digit, int form, int times, permi_factor *factor)
{
  permi_dd x = {0, 0};
  for (int part = 0; part < counts->parts; part++) {
    const size_t at = permi_counts_at(counts, digit, part, form);
    permi_wide integer = {0, 0};
    if (counts->integer) {
      const permi_wide entry = permi_wide_of(counts->integer[at]);
      permi_wide_add_product(&integer, &entry, times);
    } else {
      x = permi_dd_multiply(permi_dd_make(counts->high[at]), permi_dd_make(times));
    }
    permi_factor_set(counts, part, x, integer, factor);
  }
}

/* Adds from * factor; fresh: sets it. */
PERMI_NEVER_INLINE static void permi_cell_fuse(const permi_counts *counts, void *to, const void *from,
                                               const permi_factor *factor, int fresh)
{
  const permi_numbers *numbers = &counts->numbers;
  if (numbers->algebra == PERMI_MAGNITUDES_DD) {
    permi_value_add(PERMI_MAGNITUDES_DD, numbers, &factor->c, to, from, fresh);
  } else if (numbers->algebra == PERMI_PAIR_DD_VALUES) {
    permi_value_add(PERMI_PAIR_DD_VALUES, numbers, &factor->c, to, from, fresh);
  } else if (numbers->algebra == PERMI_RESIDUES) {
    permi_value_add(PERMI_RESIDUES, numbers, &factor->c, to, from, fresh);
  } else {
    if (fresh)
      memset(to, 0, counts->size * sizeof(uint64_t));
    for (int p = 0; p < numbers->parts; p++)
      for (int q = 0; q < numbers->parts; q++)
        permi_words_fuse((uint64_t *)to + (p ^ q) * numbers->words, (const uint64_t *)from + q * numbers->words,
                         numbers->words, factor->magnitude[p], 2, factor->negative[p] != (p & q));
  }
}

/* Returns about the modulus of a cell of double-doubles, 0 for integers. */
static double permi_cell_modulus(const permi_counts *counts, const void *cell)
{
  const permi_dd *x = (const permi_dd *)cell;
  return counts->integer ? 0 : fabs(x[0].hi) + (counts->parts == 2 ? fabs(x[1].hi) : 0);
}

#define PERMI_SWEEP_ROW 64

typedef struct permi_subsets {
  const permi_counts *counts;
  size_t stride[PERMI_MOST_DIGITS], states;
  int v[PERMI_MOST_DIGITS];
  double *plane[3];          /* states: real, imaginary, absolute; or NULL */
  uint64_t *cell;            /* instead of the first two planes */
  int at[PERMI_MOST_DIGITS]; /* where digit d's weights, by v_d, begin */
  double *weight[3];         /* real, imaginary, absolute */
  permi_factor *factor;      /* instead of the first two weights */
  double *sum[3];
  int block, row;            /* digits 0 .. block - 1 span a row of so many states */
  double *inner[4];          /* [digit][row]: weights, and -imaginary; 0 where v_d is */
  int inner_total;           /* the largest total of a row's digits */
  permi_control *control;
  double least_state, least_weight; /* not 0: tell where products cannot underflow */
  /* digits to take back from the row: offsets and weights */
  int active;
  size_t offset[PERMI_MOST_DIGITS];
  int which[PERMI_MOST_DIGITS];
} permi_subsets;

/* Moves the states base + x0 .. base + x1. Returns the largest modulus. */
static double permi_subsets_states(permi_subsets *dp, size_t base, int x0, int x1)
{
  const permi_counts *counts = dp->counts;
  double most = 0;
  for (int x = x1; x >= x0; x--) {
    const size_t at = base + (size_t)x;
    uint64_t *to = dp->cell ? dp->cell + at * counts->size : NULL;
    double sum[3] = {0, 0, 0};
    if (to && !counts->skips)
      memset(to, 0, counts->size * sizeof *to);
    else if (dp->plane[2] && counts->skips)
      sum[2] = dp->plane[2][at];
    for (int k = x ? -1 : 0; k < dp->active; k++) {
      const size_t from = at - (k < 0 ? 1 : dp->offset[k]);
      const int which = k < 0 ? x : dp->which[k];
      if (to) {
        permi_cell_fuse(counts, to, dp->cell + from * counts->size, &dp->factor[which], 0);
      } else {
        const double re = dp->plane[0][from], w = dp->weight[0][which];
        sum[0] += w * re;
        if (dp->plane[1]) {
          const double im = dp->plane[1][from], z = dp->weight[1][which];
          sum[0] -= z * im;
          sum[1] += w * im + z * re;
        }
      }
      if (dp->plane[2])
        sum[2] += dp->weight[2][which] * dp->plane[2][from];
    }
    for (int k = 0; to && k < counts->parts && !counts->integer; k++)
      permi_size_seen(fabs(((const permi_dd *)(const void *)to)[k].hi), &most, &dp->least_state);
    for (int plane = 0; plane < 3; plane++)
      if (dp->plane[plane]) {
        dp->plane[plane][at] = sum[plane];
        permi_size_seen(fabs(sum[plane]), &most, &dp->least_state);
      }
  }
  return most;
}

/* The same by vectors, in doubles where forms may stay unused. */
static double permi_subsets_row(permi_subsets *dp, size_t base, int x0, int x1)
{
  const permi_counts_kernels *kernels = dp->counts->kernels;
  const double *from[2 * PERMI_MOST_DIGITS];
  double weight[2 * PERMI_MOST_DIGITS], most = 0;
  const int states = x1 - x0 + 1;
  int plane, k, terms;
  for (plane = 0; plane < 3; plane++) {
    const double *state = dp->plane[plane] ? dp->plane[plane] + base : NULL;
    const double *other = plane < 2 && dp->plane[1] ? dp->plane[1 - plane] + base : NULL;
    double *sum = dp->sum[plane];
    const int which = plane == 2 ? 2 : 0, turned = plane ? 1 : 3;
    if (!state)
      continue;
    memcpy(sum + x0, state + x0, (size_t)states * sizeof *sum);
    for (k = 0; k < dp->block; k++) {
      const int stride = (int)dp->stride[k], x = x0 > stride ? x0 : stride, at = k * dp->row + x;
      kernels->add_weighted(sum + x, state + x - stride, dp->inner[which] + at, x1 - x + 1);
      if (other)
        kernels->add_weighted(sum + x, other + x - stride, dp->inner[turned] + at, x1 - x + 1);
    }
    for (k = terms = 0; k < dp->active; k++) {
      from[terms] = state + x0 - dp->offset[k];
      weight[terms++] = dp->weight[which][dp->which[k]];
      if (other) {
        from[terms] = other + x0 - dp->offset[k];
        weight[terms++] = (plane ? 1 : -1) * dp->weight[1][dp->which[k]];
      }
    }
    kernels->add_scaled(sum + x0, from, weight, terms, states);
  }
  for (plane = 0; plane < 3; plane++)
    if (dp->plane[plane])
      kernels->store_states(dp->plane[plane] + base + x0, dp->sum[plane] + x0, states, &most, &dp->least_state);
  return most;
}

/* Lets one form take up its digit; totals become least .. most. */
PERMI_NEVER_INLINE static double permi_subsets_step(permi_subsets *dp, int least, int most)
{
  const permi_counts *counts = dp->counts;
  const int words = counts->numbers.words, products = counts->parts * counts->parts;
  const double each = dp->cell ? (10.0 + 5 * words) * products : 1;
  size_t base = dp->states;
  double largest = 0;
  int total = 0, d;
  for (d = dp->block; d < counts->digits; d++)
    total += dp->v[d] = counts->radix[d] - 1;
  for (;;) {
    double units = 2;
    base -= (size_t)dp->row;
    if (total <= most && total + dp->inner_total >= least) {
      /* several digits: all totals; other states are right or never read */
      const int x0 = dp->block == 1 && least > total ? least - total : 0;
      const int x1 = dp->block == 1 && most - total < dp->row - 1 ? most - total : dp->row - 1;
      double size;
      dp->active = 0;
      for (d = dp->block; d < counts->digits; d++)
        if (dp->v[d] && dp->weight[2][dp->at[d] + dp->v[d]] != 0) {
          dp->offset[dp->active] = dp->stride[d];
          dp->which[dp->active++] = dp->at[d] + dp->v[d];
        }
      size = counts->skips && !dp->cell ? permi_subsets_row(dp, base, x0, x1) : permi_subsets_states(dp, base, x0, x1);
      largest = size > largest ? size : largest;
      units += (double)(x1 - x0 + 1) * (1 + dp->block + dp->active) * each;
    }
    if (permi_watch(dp->control, units))
      return largest;
    for (d = dp->block; d < counts->digits && dp->v[d] == 0; d++)
      total += dp->v[d] = counts->radix[d] - 1;
    if (d == counts->digits)
      return largest;
    dp->v[d]--;
    total--;
  }
}

/* Makes weights by digit and v_d: the entry times the copies that v_d - 1 used ones leave. */
static void permi_subsets_weights(permi_subsets *dp, int form)
{
  const permi_counts *counts = dp->counts;
  double unused = 0;
  dp->least_weight = 1;
  for (int d = 0; d < counts->digits; d++) {
    for (int part = 0; part < counts->parts; part++)
      permi_size_seen(fabs(permi_counts_entry(counts, d, part, form)), &unused, &dp->least_weight);
    for (int v = 1; v < counts->radix[d]; v++) {
      const int left = counts->digit_count[d] - (v - 1), at = dp->at[d] + v;
      dp->weight[2][at] = left * permi_counts_modulus(counts, d, form);
      if (dp->factor)
        permi_counts_factor(counts, d, form, left, &dp->factor[at]);
      for (int part = 0; part < counts->parts && !dp->factor; part++)
        dp->weight[part][at] = left * permi_counts_entry(counts, d, part, form);
    }
  }
  for (int d = 0; d < dp->block && counts->skips && !dp->factor; d++) {
    const int stride = (int)dp->stride[d];
    for (int plane = 0; plane < 4; plane++) {
      const double *weight = dp->weight[plane == 3 ? 1 : plane] + dp->at[d], sign = plane == 3 ? -1 : 1;
      double *inner = dp->inner[plane] + d * dp->row;
      if (plane == 2 ? !dp->plane[2] : plane && !dp->plane[1])
        continue;
      for (int x = 0, v = 0; x < dp->row; x += stride, v = v + 1 < counts->radix[d] ? v + 1 : 0)
        for (int k = x; k < x + stride; k++)
          inner[k] = v ? sign * weight[v] : 0;
    }
  }
}

PERMI_COLD static void permi_subsets_finish(permi_subsets *dp, perm_partial *partial)
{
  const permi_counts *counts = dp->counts;
  int d, total = 0;
  memset(dp->v, 0, sizeof dp->v);
  for (size_t s = 0; s < dp->states; s++) {
    if (total == counts->needed) {
      const uint64_t *cell = dp->cell ? dp->cell + s * counts->size : NULL;
      if (cell)
        permi_value_sum_parts(&counts->numbers, cell, partial);
      else
        permi_sum_add_double(&partial->value, dp->plane[0][s]);
      if (dp->plane[1])
        permi_sum_add_double(&partial->imaginary, dp->plane[1][s]);
      permi_sum_add_double(&partial->absolute, dp->plane[2] ? dp->plane[2][s]
                                               : cell       ? permi_cell_modulus(counts, cell)
                                                            : dp->plane[0][s]);
    }
    for (d = 0; d < counts->digits && dp->v[d] == counts->radix[d] - 1; d++) {
      total -= dp->v[d];
      dp->v[d] = 0;
    }
    if (d < counts->digits) {
      dp->v[d]++;
      total++;
    }
  }
}

/* Several least doubles, more than underflow costs an operation on double-doubles. */
#define PERMI_LEAST 4e-323

PERMI_COLD static perm_status permi_subsets_run(permi_subsets *dp, double seconds, perm_partial *partial)
{
  const permi_counts *counts = dp->counts;
  permi_control *control = dp->control;
  permi_dd *cell = (permi_dd *)(void *)dp->cell;
  double lost = 0;
  int form, copy, plane, step = 0;
  if (control)
    control->done = 0;
  dp->least_state = 1;
  for (form = 0; form < counts->forms; form++) {
    permi_subsets_weights(dp, form);
    for (copy = 0; copy < counts->form_count[form]; copy++) {
      const int reach = ++step < counts->needed ? step : counts->needed, left = counts->form_total - step;
      const int safe = dp->least_state * dp->least_weight > 1e-250; /* leaves room for low parts */
      dp->least_state = (double)INFINITY;
      const double most = permi_subsets_step(dp, counts->needed > left ? counts->needed - left : 0, reach);
      if (control && control->stopped != PERM_OK)
        return control->stopped;
      if (control)
        control->done = seconds * step / counts->form_total;
      if (counts->integer || counts->whole)
        continue;
      lost += safe ? 0 : PERMI_LEAST * (counts->digits + 2.0) * (double)dp->states;
      if (most > 0 && (most < 1e120 || most > 1e200)) { /* to about 2^600, far above underflow */
        const int e = permi_exponent(most) - 600;
        for (plane = 0; plane < 3; plane++)
          for (size_t s = 0; dp->plane[plane] && s < dp->states; s++)
            dp->plane[plane][s] = ldexp(dp->plane[plane][s], -e);
        for (size_t s = 0; cell && s < dp->states * (size_t)counts->parts; s++)
          cell[s] = permi_dd_scale(cell[s], -e);
        partial->exp2 += e;
        lost = ldexp(lost, -e) + (dp->least_state > 1e-190 ? 0 : PERMI_LEAST * (double)dp->states);
        dp->least_state = ldexp(dp->least_state, -e);
      }
    }
  }
  permi_subsets_finish(dp, partial);
  partial->lost += lost;
  partial->terms += (double)dp->states * counts->form_total;
  return PERM_OK;
}

PERMI_COLD static perm_status permi_subsets_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_counts *counts = (const permi_counts *)leaf->context;
  const int absolute = counts->signs && !counts->integer;
  permi_pool pool = {&counts->allocator, NULL, 0};
  permi_subsets dp;
  perm_partial mine = *partial;
  perm_status status = PERM_ERROR_MEMORY;
  const size_t size = (counts->plain ? (size_t)counts->parts : counts->size) + (size_t)absolute;
  double *next, states = 1;
  size_t weights = 0;
  memset(&dp, 0, sizeof dp);
  dp.counts = counts;
  dp.control = control;
  for (int d = 0; d < counts->digits; d++) {
    dp.at[d] = (int)weights;
    weights += (size_t)counts->radix[d];
    dp.stride[d] = d ? dp.stride[d - 1] * (size_t)counts->radix[d - 1] : 1;
    states *= counts->radix[d];
  }
  if (states >= fmin(1e18, (double)(SIZE_MAX / 32 / size)))
    return PERM_ERROR_MEMORY;
  dp.states = (size_t)states;
  dp.block = 1;
  dp.row = counts->radix[0];
  while (counts->skips && counts->plain && dp.block < counts->digits &&
         dp.row * counts->radix[dp.block] <= PERMI_SWEEP_ROW)
    dp.row *= counts->radix[dp.block++];
  for (int d = 0; d < dp.block; d++)
    dp.inner_total += counts->radix[d] - 1;
  next = (double *)permi_pool_get(&pool, dp.states * size + (3 + 4 * (size_t)dp.block) * (size_t)dp.row + 3 * weights,
                                  sizeof *next);
  if (!counts->plain)
    dp.factor = (permi_factor *)permi_pool_get(&pool, weights, sizeof *dp.factor);
  if (!pool.failed) {
    for (int plane = 0; plane < 3; plane++, next += weights + (size_t)dp.row) {
      dp.weight[plane] = next;
      dp.sum[plane] = next + weights;
    }
    memset(dp.weight[1], 0, weights * sizeof(double));
    for (int plane = 0; plane < 4; plane++, next += dp.block * dp.row)
      dp.inner[plane] = next;
    if (control)
      control->activity = "subsets";
    if (!permi_copy(control, next, NULL, dp.states * size * sizeof(double))) {
      status = control->stopped;
    } else {
      for (int plane = 0; plane < 3; plane++)
        if (plane == 2 ? absolute : counts->plain && plane < counts->parts) {
          dp.plane[plane] = next;
          next += dp.states;
          dp.plane[plane][0] = plane == 1 ? 0 : 1;
        }
      if (!counts->plain) {
        dp.cell = (uint64_t *)(void *)next;
        permi_value_one(&counts->numbers, dp.cell);
      }
      status = permi_subsets_run(&dp, leaf->information.seconds, &mine);
    }
  }
  permi_pool_release(&pool);
  if (status == PERM_OK)
    *partial = mine;
  return status;
}

/* ======================================================================================= >>sign_sums
   Glynn's sum over numbers v_d = 0 .. c_d of copies of each digit [Gly10, CH18], in n-ary reflected Gray code:
     2^-M sum_v prod_d (-1)^v_d binom(c_d, v_d) F(sum_d (c_d - 2 v_d) a_fd)
   The weights are scaled by 2^-c_d. F is the product of the forms with their counts; for M rows and N > M columns as
   forms, their elementary symmetric function e_M [MRA]. v -> c - v keeps the terms, so the last digit takes v <= c/2,
   doubled unless v = c/2. Forms are exact: entries lie on two grids, as in PERMI_FORM_SPLIT, or are 128 bits. */

typedef struct permi_nary {
  int v[PERMI_MOST_DIGITS], up[PERMI_MOST_DIGITS]; /* up: 1 or -1 */
  int total, digit;                                /* digit: the last moved */
  uint64_t left;
} permi_nary;

/* Returns a chunk's first term; sizes of chunks differ by at most 1. */
static uint64_t permi_nary_begin(const permi_counts *counts, uint64_t chunk)
{
  const uint64_t size = counts->terms / counts->chunks, rest = counts->terms % counts->chunks;
  return chunk * size + (chunk < rest ? chunk : rest);
}

PERMI_NEVER_INLINE static void permi_nary_start(const permi_counts *counts, uint64_t chunk, permi_nary *walk)
{
  uint64_t s = permi_nary_begin(counts, chunk);
  walk->left = permi_nary_begin(counts, chunk + 1) - s;
  walk->total = 0;
  walk->digit = counts->digits - 1;
  for (int d = 0; d < counts->digits; d++) {
    const uint64_t radix = (uint64_t)counts->radix[d];
    const int plain = (int)(s % radix);
    s /= radix;
    walk->up[d] = s & 1 ? -1 : 1; /* each turn of the higher digits reverses it */
    walk->v[d] = s & 1 ? counts->radix[d] - 1 - plain : plain;
    walk->total += walk->v[d];
  }
}

/* Returns 0 after the last. */
static int permi_nary_next(const permi_counts *counts, permi_nary *walk)
{
  int d;
  if (!--walk->left)
    return 0;
  for (d = 0; walk->v[d] + walk->up[d] < 0 || walk->v[d] + walk->up[d] == counts->radix[d]; d++)
    walk->up[d] = -walk->up[d];
  walk->v[d] += walk->up[d];
  walk->total += walk->up[d];
  walk->digit = d;
  return 1;
}

/* form: [row][lane], PERMI_TERMS or, for symmetric functions, PERMI_SETS lanes; e: their values. */
typedef struct permi_form_batch {
  double form[2 * PERMI_MOST_FORMS * PERMI_TERMS], e[2 * (PERMI_MOST_NEEDED + 1) * PERMI_SETS], weight[PERMI_TERMS];
  int room, lanes;
} permi_form_batch;

/* Returns e_M of PERMI_SETS sets of forms, or of |forms|; imaginary parts M + 1 numbers on. */
static const double *permi_symmetric(const permi_counts *counts, permi_form_batch *batch, int absolute)
{
  const int parts = absolute ? 1 : counts->parts, needed = counts->needed;
  const double *other = batch->form + counts->forms * PERMI_SETS;
  double *e = batch->e, *imaginary = e + (needed + 1) * PERMI_SETS;
  int f, copy, k, step = 0;
  memset(e, 0, (size_t)((needed + 1) * parts * PERMI_SETS) * sizeof *e);
  for (k = 0; k < PERMI_SETS; k++)
    e[k] = 1;
  for (f = 0; f < counts->forms; f++) {
    const double *x = batch->form + f * PERMI_SETS, *y = other + f * PERMI_SETS;
    double size[PERMI_SETS];
    if (absolute) {
      for (k = 0; k < PERMI_SETS; k++)
        size[k] = fabs(x[k]) + (counts->parts == 2 ? fabs(y[k]) : 0);
      x = size;
    }
    for (copy = 0; copy < counts->form_count[f]; copy++) {
      const int most = ++step < needed ? step : needed, least = needed - (counts->form_total - step);
      if (parts == 2)
        counts->kernels->symmetric_complex(x, y, e, imaginary, most, least > 1 ? least : 1);
      else
        counts->kernels->symmetric_real(x, e, most, least > 1 ? least : 1);
    }
  }
  return e + needed * PERMI_SETS;
}

/* Products go to their lanes, e_M to lane 0, e_M of moduli where the mask says so. */
static void permi_batch_sum(const permi_counts *counts, permi_form_batch *batch, uint64_t place, permi_lane_sums *sums)
{
  for (int lane = batch->lanes; lane < batch->room; lane++) {
    for (int f = 0; f < counts->forms * counts->parts; f++)
      batch->form[f * batch->room + lane] = 0;
    batch->weight[lane] = 0;
  }
  batch->lanes = 0;
  if (!counts->skips) {
    counts->kernels->add_products(counts->forms, counts->form_count, batch->form, batch->weight, sums);
    return;
  }
  const double *last = permi_symmetric(counts, batch, 0);
  for (int part = 0; part < counts->parts; part++, last += (counts->needed + 1) * PERMI_SETS)
    for (int lane = 0; lane < PERMI_SETS; lane++) {
      permi_dd sum = {sums->hi[part][0], sums->lo[part][0]};
      sum = permi_dd_add_double(sum, batch->weight[lane] * last[lane]);
      sums->hi[part][0] = sum.hi;
      sums->lo[part][0] = sum.lo;
    }
  if (permi_scatter(place) & counts->absolute_mask)
    return;
  last = permi_symmetric(counts, batch, 1);
  for (int lane = 0; lane < PERMI_SETS; lane++)
    sums->absolute[0] += (counts->absolute_mask + 1.0) * fabs(batch->weight[lane]) * last[lane];
}

typedef struct permi_forms {
  double high[2 * PERMI_MOST_FORMS], low[2 * PERMI_MOST_FORMS];
  permi_wide word[2 * PERMI_MOST_FORMS];
} permi_forms;

typedef struct permi_nary_work {
  permi_forms forms;
  union {
    permi_form_batch batch;
    struct {
      uint64_t cell[PERMI_MOST_CELLS];
      double e[PERMI_MOST_NEEDED + 1];
    } terms;
  } of;
} permi_nary_work;

PERMI_NEVER_INLINE static void permi_forms_move(const permi_counts *counts, permi_forms *forms, int digit, int times)
{
  const int rows = counts->forms * counts->parts;
  for (int f = 0; f < rows; f++)
    if (counts->integer) {
      const permi_wide entry = permi_wide_of(counts->integer[digit * rows + f]);
      permi_wide_add_product(&forms->word[f], &entry, times);
    } else {
      forms->high[f] += times * counts->high[digit * rows + f];
      forms->low[f] += times * counts->low[digit * rows + f];
    }
}

static void permi_nary_plain(const permi_counts *counts, permi_nary *walk, uint64_t place, permi_nary_work *work,
                             perm_partial *partial)
{
  const double *digit_weight = (const double *)(const void *)counts->weight;
  const int rows = counts->forms * counts->parts;
  double weight[PERMI_MOST_DIGITS + 1], step = 0;
  permi_lane_sums sums;
  permi_form_batch *batch = &work->of.batch;
  batch->room = counts->skips ? PERMI_SETS : PERMI_TERMS;
  batch->lanes = 0;
  memset(&sums, 0, sizeof sums);
  weight[counts->digits] = 1;
  for (;; place++) {
    counts->kernels->move_forms(rows, step, counts->high + walk->digit * rows, counts->low + walk->digit * rows,
                                work->forms.high, work->forms.low, batch->form + batch->lanes, batch->room);
    for (int d = walk->digit; d >= 0; d--)
      weight[d] = weight[d + 1] * digit_weight[counts->weight_at[d] + walk->v[d]];
    batch->weight[batch->lanes++] = walk->total & 1 ? -weight[0] : weight[0];
    if (batch->lanes == batch->room)
      permi_batch_sum(counts, batch, place, &sums);
    if (!permi_nary_next(counts, walk))
      break;
    step = -2 * walk->up[walk->digit];
  }
  if (batch->lanes)
    permi_batch_sum(counts, batch, place, &sums);
  for (int lane = 0; lane < PERMI_TERMS; lane++) {
    for (int d = 0; d < counts->parts; d++) {
      permi_sum_add_double(d ? &partial->imaginary : &partial->value, sums.hi[d][lane]);
      permi_sum_add_double(d ? &partial->imaginary : &partial->value, sums.lo[d][lane]);
    }
    permi_sum_add_double(&partial->absolute, sums.absolute[lane]);
  }
}

/* Returns the place of the term times F; e gets e_k of moduli. */
static uint64_t *permi_cells_term(const permi_counts *counts, const permi_forms *forms, uint64_t *term, double *e,
                                  uint64_t *room)
{
  const size_t size = counts->size;
  const int needed = counts->needed;
  int f, copy, k, part, step = 0;
  if (counts->skips) {
    memset(term + size, 0, (size_t)needed * size * sizeof *term);
    memset(e + 1, 0, (size_t)needed * sizeof *e);
  }
  for (f = 0; f < counts->forms; f++) {
    permi_factor factor;
    for (part = 0; part < counts->parts; part++) {
      const int row = f + part * counts->forms;
      permi_factor_set(counts, part, permi_two_sum(forms->high[row], forms->low[row]), forms->word[row], &factor);
    }
    const double modulus = counts->integer ? 0 : fabs(factor.c.real) + fabs(factor.c.imaginary);
    for (copy = 0; copy < counts->form_count[f]; copy++) {
      const int left = counts->form_total - ++step;
      if (!counts->skips) {
        uint64_t *product = room;
        permi_cell_fuse(counts, product, term, &factor, 1);
        room = term;
        term = product;
      }
      for (k = step < needed ? step : needed; counts->skips && k >= 1 && k >= needed - left; k--) {
        permi_cell_fuse(counts, term + (size_t)k * size, term + (size_t)(k - 1) * size, &factor, 0);
        e[k] += e[k - 1] * modulus;
      }
    }
  }
  return term + (counts->skips ? (size_t)needed * size : 0);
}

static void permi_nary_cells(const permi_counts *counts, permi_nary *walk, permi_nary_work *work, perm_partial *partial)
{
  const permi_numbers *numbers = &counts->numbers;
  const int size = (int)counts->size, needed = counts->needed, words = numbers->words;
  uint64_t *weight = work->of.terms.cell, *term = weight + (counts->digits + 1) * size;
  uint64_t *room = term + ((counts->skips ? needed : 0) + 1) * size, *total = room + size;
  double *e = work->of.terms.e;
  permi_value_one(numbers, weight + counts->digits * size);
  memset(total, 0, counts->size * sizeof *total);
  for (;;) {
    const int negative = walk->total & 1;
    for (int d = walk->digit; d >= 0; d--) {
      uint64_t *to = weight + d * size;
      const uint64_t *times = counts->weight + (counts->weight_at[d] + walk->v[d]) * size;
      memset(to, 0, counts->size * sizeof *to);
      if (counts->integer)
        permi_words_fuse(to, to + size, words, times, words, 0);
      else
        *(permi_dd *)(void *)to = permi_dd_multiply(*(const permi_dd *)(const void *)(to + size),
                                                    *(const permi_dd *)(const void *)times);
    }
    memcpy(term, weight, counts->size * sizeof *term);
    if (negative && !counts->integer)
      *(permi_dd *)(void *)term = permi_dd_negate(*(const permi_dd *)(const void *)term);
    e[0] = permi_cell_modulus(counts, term);
    const uint64_t *product = permi_cells_term(counts, &work->forms, term, e, room);
    for (int part = 0; part < counts->parts && counts->integer; part++)
      if (negative)
        permi_words_subtract(total + part * words, product + part * words, words);
      else
        permi_words_add(total + part * words, product + part * words, words);
    if (!counts->integer) {
      permi_sum_add_double(&partial->absolute, counts->skips ? e[needed] : permi_cell_modulus(counts, product));
      permi_value_sum_parts(numbers, product, partial);
    }
    if (!permi_nary_next(counts, walk))
      break;
    permi_forms_move(counts, &work->forms, walk->digit, -2 * walk->up[walk->digit]);
  }
  permi_value_sum_parts(numbers, total, partial);
}

static void permi_nary_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_counts *counts = (const permi_counts *)leaf->context;
  permi_nary_work *work = (permi_nary_work *)workspace;
  permi_nary walk;
  permi_nary_start(counts, chunk, &walk);
  partial->terms += (double)walk.left;
  if (!walk.left)
    return;
  for (int d = 0; d < counts->forms * counts->parts; d++) {
    work->forms.high[d] = work->forms.low[d] = 0;
    work->forms.word[d].low = work->forms.word[d].high = 0;
  }
  for (int d = 0; d < counts->digits; d++)
    permi_forms_move(counts, &work->forms, d, counts->digit_count[d] - 2 * walk.v[d]);
  if (counts->plain)
    permi_nary_plain(counts, &walk, permi_nary_begin(counts, chunk), work, partial);
  else
    permi_nary_cells(counts, &walk, work, partial);
}

/* Fills in binom(c, v), v = 0 .. most, times 2^-c unless integers. half: doubled unless v = c/2. */
PERMI_COLD static void permi_digit_weights(const permi_counts *counts, int c, int most, int half, uint64_t *weight)
{
  const size_t size = counts->size;
  permi_dd b = permi_dd_make(permi_shift(1, -c));
  memset(weight, 0, ((size_t)most + 1) * size * sizeof *weight);
  for (int v = 0; v <= most && !counts->integer; v++) {
    const double over = v + 1, first = 1.0 / over;
    const permi_dd x = permi_dd_scale(b, half && 2 * v != c);
    const permi_dd inverse = {first, PERMI_REST(-first, over, -1.0) / over};
    memcpy(weight + (size_t)v * size, &x, counts->plain ? sizeof x.hi : sizeof x);
    b = permi_dd_multiply(permi_dd_multiply(b, permi_dd_make(c - v)), inverse);
  }
  if (!counts->integer)
    return;
  weight[0] = 1;
  for (int k = 1; k <= c; k++)
    for (int v = k < most ? k : most; v > 0; v--)
      permi_words_add(weight + (size_t)v * size, weight + (size_t)(v - 1) * size, counts->numbers.words);
  for (int v = 0; half && v <= most; v++)
    if (2 * v != c)
      permi_words_add(weight + (size_t)v * size, weight + (size_t)v * size, counts->numbers.words);
}

/* ===================================================================================== >>counts_leaf
   The leaf of the chosen engine: entries are scaled by powers of two and put on grids, the loss is bounded. The sums
   of moduli of forms, if all are used, else of digits, become at most 1: no sum of products exceeds 1 except by
   binomials, and losses do not grow. */

#define PERMI_SCALE_WIDE 400 /* entries further apart: scaled by a transversal of largest product */

/* Sets exp2 by >>scale, repeated lines written out: the largest products become about 1, where means of exponents leave
   2^-3000 and no bounds. Returns 0 if too large, not wide, or without transversal, -1 without memory. */
PERMI_COLD static int permi_counts_scale_wide(const permi_counts *counts, int *const exp2[2])
{
  int(*exponent)[PERM_MAX_N], line_exp2[2][PERM_MAX_N];
  const int n = counts->digit_total, parts = counts->parts;
  int scaled = 0, d, f, i, j, at, side, least = INT_MAX, most = INT_MIN;
  exponent = n <= PERM_MAX_N ? permi_scale_room(&counts->allocator, n) : NULL;
  if (!exponent)
    return n <= PERM_MAX_N ? -1 : 0;
  for (d = i = 0; d < counts->digits; i += counts->digit_count[d++])
    for (f = j = 0; f < counts->forms; j += counts->form_count[f++]) {
      const double x = permi_counts_entry(counts, d, 0, f), y = permi_counts_entry(counts, d, parts - 1, f);
      const double size = fmax(fabs(x), fabs(y));
      const int e = size != 0 ? permi_exponent(size) : PERMI_NO_EXPONENT;
      least = size != 0 && e < least ? e : least;
      most = size != 0 && e > most ? e : most;
      for (at = 0; at < counts->digit_count[d] * counts->form_count[f]; at++)
        exponent[i + at / counts->form_count[f]][j + at % counts->form_count[f]] = e;
    }
  if (most - (double)least > PERMI_SCALE_WIDE)
    scaled = permi_scale_exponents(n, exponent, line_exp2[0], line_exp2[1]);
  permi_release(&counts->allocator, exponent);
  for (side = 0; scaled && side < 2; side++) {
    const int *count = side ? counts->form_count : counts->digit_count;
    for (d = i = 0; d < (side ? counts->forms : counts->digits); i += count[d++])
      exp2[side][d] = line_exp2[side][i];
  }
  return scaled;
}

typedef enum permi_scale_rule { PERMI_SCALE_MEAN, PERMI_SCALE_LARGEST, PERMI_SCALE_SUM } permi_scale_rule;

/* Sets exp2 of one side, given the other's: each line's mean exponent is about 0, or its largest entry or its sum of
   moduli, with counts, at most 1. */
PERMI_COLD static void permi_counts_scale_lines(const permi_counts *counts, int of_forms, permi_scale_rule rule,
                                                int *const exp2[2])
{
  const int lines = of_forms ? counts->forms : counts->digits, others = of_forms ? counts->digits : counts->forms;
  const int *other = of_forms ? counts->digit_count : counts->form_count;
  for (int x = 0; x < lines; x++) {
    int most = INT_MIN, used = 0;
    long long sum = 0;
    double total = 0;
    for (int k = 0; k < others; k++) {
      const double size = permi_counts_modulus(counts, of_forms ? k : x, of_forms ? x : k);
      const int e = size == 0 ? 0 : (size <= DBL_MAX ? permi_exponent(size) : 1025) + exp2[!of_forms][k];
      sum += e;
      used += size != 0;
      most = size != 0 && e > most ? e : most;
    }
    if (!used)
      continue;
    exp2[of_forms][x] = rule == PERMI_SCALE_MEAN ? (int)-(sum / used) : -most;
    for (int k = 0; rule == PERMI_SCALE_SUM && k < others; k++) {
      const int d = of_forms ? k : x, f = of_forms ? x : k;
      double size = 0;
      for (int part = 0; part < counts->parts; part++)
        size += ldexp(fabs(permi_counts_entry(counts, d, part, f)), exp2[0][d] + exp2[1][f]);
      total += other[k] * size;
    }
    if (rule == PERMI_SCALE_SUM)
      exp2[of_forms][x] -= permi_log2_ceiling(total * (1 + 1e-12));
  }
}

/* Multiplies permanents by 2^-*scale_exp2. Returns 1 if exact, 0 if an entry is off by up to half the least double, -1
   without memory. exp2: zeros. */
PERMI_COLD static int permi_counts_scale(const permi_counts *counts, int *const exp2[2], long long *scale_exp2)
{
  const int wide = counts->digit_total == counts->form_total ? permi_counts_scale_wide(counts, exp2) : 1;
  int d, f, exact = 1;
  if (wide < 0)
    return -1;
  if (!wide) {
    permi_counts_scale_lines(counts, 0, PERMI_SCALE_MEAN, exp2);
    permi_counts_scale_lines(counts, 1, PERMI_SCALE_MEAN, exp2);
    permi_counts_scale_lines(counts, 0, PERMI_SCALE_LARGEST, exp2);
  }
  permi_counts_scale_lines(counts, !counts->skips, PERMI_SCALE_SUM, exp2);
  for (d = 0; d < counts->digits * counts->parts; d++)
    for (f = 0; f < counts->forms; f++) {
      double *x = &counts->high[d * counts->forms + f];
      const int shift = exp2[0][d / counts->parts] + exp2[1][f];
      const double given = *x;
      *x = permi_shift(given, shift);
      exact = exact && ldexp(*x, -shift) == given;
    }
  for (d = 0; d < counts->digits; d++)
    *scale_exp2 -= (long long)counts->digit_count[d] * exp2[0][d];
  for (f = 0; f < counts->forms; f++)
    *scale_exp2 -= (long long)counts->form_count[f] * exp2[1][f];
  return exact;
}

/* Returns 1 if nothing rounds: sums are below 2^53 units, a unit for each line all used. */
PERMI_COLD static int permi_counts_whole(const permi_counts *counts)
{
  const int of_forms = !counts->skips;
  const int lines = of_forms ? counts->forms : counts->digits, others = of_forms ? counts->digits : counts->forms;
  const int *count = of_forms ? counts->form_count : counts->digit_count;
  const int *other = of_forms ? counts->digit_count : counts->form_count;
  double most = of_forms ? 1 : ldexp(1, counts->digit_total < 60 ? counts->digit_total : 60);
  for (int x = 0; x < lines; x++) {
    double sum = 0, unit = permi_shift(1, 1000);
    for (int k = 0; k < others; k++)
      for (int part = 0; part < counts->parts; part++) {
        const double y = permi_counts_entry(counts, of_forms ? k : x, part, of_forms ? x : k);
        sum += other[k] * fabs(y);
        if (y != 0 && fabs(y) < DBL_MIN)
          return 0;
        unit = fmin(unit, permi_unit_of(y));
      }
    for (int k = count[x]; k > 0 && most < 9e15; k--)
      most *= sum / unit * (1 + 1e-12);
    if (!(most < 9e15))
      return 0;
  }
  return 1;
}

/* Splits entries onto two grids of exact sums. Returns a bound of what forms lose, with counts. */
PERMI_COLD static double permi_counts_split(const permi_counts *counts)
{
  const int low_bits = 53 - permi_log2_ceiling(counts->digit_total);
  double lost = 0;
  for (int f = 0; f < counts->forms; f++) {
    double sum = 0, power, low_power;
    for (int d = 0; d < counts->digits; d++)
      sum += counts->digit_count[d] * permi_counts_modulus(counts, d, f);
    power = sum > 0 ? permi_shift(1, permi_log2_ceiling(sum * (1 + 1e-12))) : 0;
    low_power = ldexp(power, -low_bits);
    for (int d = 0; d < counts->digits; d++)
      for (int part = 0; part < counts->parts; part++) {
        const size_t at = permi_counts_at(counts, d, part, f);
        const double x = counts->high[at], high = permi_to_grid(x, power), low = permi_to_grid(x - high, low_power);
        counts->high[at] = high;
        counts->low[at] = low;
        lost += counts->form_count[f] * (counts->digit_count[d] * fabs(x - high - low));
      }
  }
  return lost * (1 + 1e-12);
}

/* THE BOUND. Sets bounds and estimates for M of N forms in a product (tests/proofs/dense_orders.sh). */
PERMI_COLD static void permi_counts_bounds(const permi_counts *counts, double lost, permi_leaf *leaf)
{
  const double M = counts->needed, N = counts->form_total, unit = counts->plain ? PERMI_UNIT : PERMI_DD_UNIT;
  const int parts = counts->parts, skips = counts->skips;
  double steps = 0;
  if (counts->integer || (counts->method == PERM_METHOD_SUBSETS && counts->whole))
    return;
  leaf->estimate_relative = (M + 4) * unit * parts;
  if (counts->method == PERM_METHOD_SUBSETS) {
    for (int f = 0; f < counts->forms; f++) {
      double size = 4;
      for (int d = 0; d < counts->digits; d++)
        size += permi_counts_modulus(counts, d, f) != 0;
      steps += counts->form_count[f] * size;
    }
    leaf->bound_relative = steps * unit * (counts->plain ? 1 : parts * parts);
    leaf->bound_absolute = counts->lossy ? PERMI_LEAST * N * counts->digit_total : 0; /* the rest is the partial's */
  } else {
    steps = (skips ? N + (parts == 2 ? 4 : 2) * M : (parts == 2 ? 3.5 : 2) * M) + 2 * counts->digits + 8;
    if (!counts->plain)
      steps += 2 * counts->digit_total + (parts == 2 ? 4 : 1) * (M + N);
    leaf->bound_relative = counts->plain && skips && counts->absolute_mask ? (double)INFINITY : steps * unit;
    leaf->bound_absolute = (lost + PERMI_LEAST * 8 * (M + 1) * (N + 1)) * (skips ? exp(M) : 1) * 1.001;
  }
  leaf->estimate_absolute = leaf->bound_absolute; /* lines of very different sizes come close to it */
  leaf->bound_relative *= 1.0001;
  leaf->estimate_relative = fmin(leaf->estimate_relative, leaf->bound_relative);
}

/* Makes counts with exp2, zeros, in their memory. */
PERMI_COLD static permi_counts *permi_counts_new(const permi_counted *counted, const permi_choice *choice,
                                                 const perm_allocator *allocator, int *exp2[2])
{
  const permi_shape *shape = &choice->shape;
  const int parts = counted->parts, digits = shape->digits, forms = shape->forms, needed = shape->needed;
  const int plain = choice->precision == PERM_PRECISION_DEFAULT;
  const size_t entries = (size_t)digits * (size_t)forms * (size_t)parts, integers = (size_t)(5 * digits + 2 * forms);
  const permi_numbers numbers = {choice->modulus ? PERMI_RESIDUES
                                 : choice->words ? PERMI_WORDS
                                 : parts == 2    ? PERMI_PAIR_DD_VALUES
                                                 : PERMI_MAGNITUDES_DD, parts, choice->words, choice->modulus};
  const size_t size = plain ? 1 : permi_numbers_words(&numbers);
  size_t weights = 0;
  if (choice->method != PERM_METHOD_SUBSETS)
    weights = (size_t)(shape->digit_total + digits) * size;
  permi_counts *counts = (permi_counts *)permi_allocate_zeros(
      allocator, 1, sizeof *counts + (2 * entries + weights) * sizeof(double) + integers * sizeof(int));
  if (!counts)
    return NULL;
  counts->allocator = *allocator;
  counts->numbers = numbers;
  counts->size = size;
  counts->plain = plain;
  counts->method = choice->method;
  counts->kernels = counted->reach->counts[choice->isa != PERM_ISA_PLAIN];
  counts->parts = parts;
  counts->digits = digits;
  counts->forms = forms;
  counts->digit_total = shape->digit_total;
  counts->form_total = shape->form_total;
  counts->needed = needed;
  counts->skips = shape->skips;
  counts->high = (double *)(counts + 1);
  counts->low = counts->high + entries;
  counts->weight = (uint64_t *)(void *)(counts->low + entries);
  counts->digit_count = (int *)(counts->weight + weights);
  counts->radix = counts->digit_count + digits;
  counts->weight_at = counts->radix + digits;
  counts->form_count = counts->weight_at + digits;
  exp2[0] = counts->form_count + forms;
  exp2[1] = exp2[0] + digits;
  int *order = exp2[1] + forms;
  for (int d = 0; d < digits; d++) { /* stably by falling count */
    int k = d;
    for (; k > 0 && shape->digit_count[order[k - 1]] < shape->digit_count[d]; k--)
      order[k] = order[k - 1];
    order[k] = d;
  }
  if (choice->method != PERM_METHOD_SUBSETS) { /* the last odd one, else the first, counts half at the end */
    int at = digits - 1;
    while (at > 0 && !(shape->digit_count[order[at]] & 1))
      at--;
    const int half = order[at];
    memmove(order + at, order + at + 1, (size_t)(digits - 1 - at) * sizeof *order);
    order[digits - 1] = half;
  }
  memcpy(counts->form_count, shape->form_count, (size_t)forms * sizeof *counts->form_count);
  for (int d = 0; d < digits; d++) {
    const int count = counts->digit_count[d] = shape->digit_count[order[d]];
    counts->radix[d] = (count < needed ? count : needed) + 1;
    for (int f = 0; f < forms; f++)
      for (int part = 0; part < parts; part++) {
        double *to = counts->high + permi_counts_at(counts, d, part, f);
        memcpy(to, counted->real + permi_counted_at(counted, choice->by_columns, order[d], f, part), sizeof *to);
        counts->signs |= parts == 2 || (!counted->integer && *to < 0);
      }
  }
  if (counted->integer) {
    counts->integer = (int64_t *)(void *)counts->high;
    counts->low = NULL;
    counts->signs = 0;
  }
  return counts;
}

/* Completes the leaf; returns a bound of what its forms lose. */
PERMI_COLD static double permi_signs_leaf(permi_counts *counts, int certify, permi_leaf *leaf)
{
  const size_t size = counts->size;
  const double seconds = leaf->information.seconds;
  int chunks_log2 = 0, at = 0, d;
  counts->terms = 1;
  for (d = 0; d < counts->digits; d++) {
    const int half = d == counts->digits - 1;
    if (half)
      counts->radix[d] = counts->digit_count[d] / 2 + 1;
    counts->weight_at[d] = at;
    permi_digit_weights(counts, counts->digit_count[d], counts->radix[d] - 1, half,
                        counts->weight + (size_t)at * size);
    at += counts->radix[d];
    counts->terms *= (uint64_t)counts->radix[d];
  }
  while (ldexp(seconds, -chunks_log2) > (chunks_log2 < 30 ? 4e-4 : 0.1) && counts->terms >> chunks_log2 > 32)
    chunks_log2++;
  counts->chunks = UINT64_C(1) << chunks_log2;
  counts->absolute_mask = certify || counts->terms < 2048 ? 0 : 15;
  leaf->information.kind = PERM_LEAF_RANGE;
  leaf->information.chunks = counts->chunks;
  leaf->run_chunk = permi_nary_chunk;
  leaf->workspace = sizeof(permi_nary_work);
  if (counts->integer)
    leaf->scale_exp2 = -counts->digit_total;
  return counts->integer ? 0 : permi_counts_split(counts);
}

PERMI_COLD static perm_status permi_choice_leaf(const permi_counted *counted, const permi_choice *choice, int certify,
                                                uint64_t fingerprint, const perm_allocator *allocator, permi_leaf *leaf)
{
  int *exp2[2];
  permi_counts *counts = permi_counts_new(counted, choice, allocator, exp2);
  perm_leaf information = {PERM_LEAF_TASK, choice->method,  choice->isa,   0, 1,
                           choice->work,   choice->seconds, choice->bytes, 0};
  memset(leaf, 0, sizeof *leaf);
  if (!counts)
    return PERM_ERROR_MEMORY;
  if (!counts->integer) {
    const int exact = permi_counts_scale(counts, exp2, &leaf->scale_exp2);
    if (exact < 0) {
      permi_release(allocator, counts);
      return PERM_ERROR_MEMORY;
    }
    counts->lossy = !exact;
    counts->whole = exact && permi_counts_whole(counts);
  }
  leaf->scale = permi_dd_make(1);
  leaf->context = counts;
  leaf->release = permi_release;
  leaf->explain = permi_plan_explain;
  information.n = counts->needed;
  leaf->information = information;
  leaf->integer = counts->integer != NULL;
  leaf->run_task = permi_subsets_task;
  permi_counts_bounds(counts, choice->method == PERM_METHOD_SUBSETS ? 0 : permi_signs_leaf(counts, certify, leaf),
                      leaf);
  const int fields[] = {(int)choice->method, (int)choice->isa, choice->by_columns, (int)choice->precision,
                        counts->parts, leaf->integer, (int)counts->absolute_mask};
  for (int k = 0; k < 7; k++)
    fingerprint = permi_hash(fingerprint, (uint64_t)fields[k]);
  if (choice->modulus)
    fingerprint = permi_hash(fingerprint, choice->modulus);
  fingerprint = permi_hash(fingerprint, leaf->information.chunks);
  leaf->information.fingerprint = fingerprint;
  if (counted->scaled) { /* not an integer: rounded to double-double */
    leaf->integer = 0;
    leaf->scale_exp2 += (long long)counted->exp2 * counted->rows;
    leaf->bound_relative = leaf->estimate_relative = PERMI_DD_UNIT;
  }
  return PERM_OK;
}

PERMI_BRIEF_END

/* ========================================================================================== >>check */

PERMI_UNUSED
static perm_status permi_check_whole(const perm_options *options, int argument, perm_result *result)
{
  const perm_status status = permi_check_options(options, argument, result);
  return status == PERM_OK && permi_in_pieces(options)
             ? permi_fail(result, PERM_ERROR_OPTION, argument,
                          "options: checkpoint, parts and merge are for single permanents that a job computes")
             : status;
}

/* `a` is NULL for integers. */
static perm_status permi_check_entries(int m, int n, const double *a, int given, ptrdiff_t ld, int parts,
                                       perm_result *result)
{
  if (!given)
    return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL for a %d x %d matrix", m, n);
  if (!permi_stride_fits(m, n, ld, 8 * parts))
    return permi_fail_stride(result, 4, "ld", m, n, ld);
  for (int i = 0; a && i < m; i++)
    for (int j = 0; j < parts * n; j++) {
      const char *bad = permi_not_finite(a[(ptrdiff_t)i * ld * parts + j]);
      if (bad)
        return permi_fail(result, PERM_ERROR_NOT_FINITE, 3, "a has %s in row %d, column %d (counted from 1)", bad,
                          i + 1, j / parts + 1);
    }
  return PERM_OK;
}

static perm_status permi_check_order(int m, int n, perm_result *result)
{
  if (m < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "m is negative (%d rows)", m);
  if (n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "n is negative (%d columns)", n);
  return PERM_OK;
}

static perm_status permi_check_matrix(int m, int n, const permi_view *view, perm_result *result)
{
  if (m == 0 || n == 0 || m < 0 || n < 0)
    return permi_check_order(m, n, result);
  if (m > PERM_MAX_N || n > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, m > PERM_MAX_N ? 1 : 2,
                      "the matrix is %d x %d; dense engines go up to order %d, perm_estimate_* further", m, n,
                      PERM_MAX_N);
  return permi_check_entries(m, n, view->a, view->a != NULL, view->ld, view->parts, result);
}

PERMI_COLD static perm_status permi_check_counts(const int *count, int lines, int argument, const char *name,
                                                 int *total, perm_result *result)
{
  *total = 0;
  for (int k = 0; k < lines; k++) {
    const int times = count ? count[k] : 1;
    if (times < 0)
      return permi_fail(result, PERM_ERROR_COUNTS, argument, "%s_counts: number %d (counted from 1) is negative (%d)",
                        name, k + 1, times);
    if (times > PERM_MAX_LINES - *total)
      return permi_fail(result, PERM_ERROR_SIZE, count ? argument : argument - 4,
                        "more than %d %ss in all, the most that this version takes", PERM_MAX_LINES, name);
    *total += times;
  }
  return PERM_OK;
}

/* With `equal` the totals of the counts must agree. */
PERMI_COLD static perm_status permi_check_problem(const permi_problem *problem, int equal, perm_result *result)
{
  const int m = problem->m, n = problem->n;
  int rows, columns;
  perm_status status = permi_check_order(m, n, result);
  if (status != PERM_OK)
    return status;
  if (m > PERM_MAX_LINES || n > PERM_MAX_LINES)
    return permi_fail(result, PERM_ERROR_SIZE, m > PERM_MAX_LINES ? 1 : 2,
                      "the matrix is %d x %d; this version takes up to %d rows or columns", m, n, PERM_MAX_LINES);
  status = permi_check_counts(problem->row_count, m, 5, "row", &rows, result);
  if (status == PERM_OK)
    status = permi_check_counts(problem->column_count, n, 6, "column", &columns, result);
  if (status != PERM_OK)
    return status;
  if (equal && rows != columns)
    return permi_fail(result, PERM_ERROR_COUNTS, 6, "%d rows in all, but %d columns: with counts they must be as many",
                      rows, columns);
  if (m == 0 || n == 0)
    return PERM_OK;
  return permi_check_entries(m, n, problem->real, problem->real || problem->integer, problem->ld, problem->parts,
                               result);
}

PERMI_BRIEF_BEGIN

/* ============================================================================================ >>run
   Runs a job under limits, with checkpoint and parts; merges files. */

static int permi_leaf_threads(const permi_leaf *leaf, const perm_options *options)
{
  const int shared = leaf->information.kind == PERM_LEAF_RANGE && !leaf->run_range ? 1 : leaf->threaded;
  return shared && leaf->information.seconds >= PERMI_PARALLEL_SECONDS ? permi_threads(options) : 1;
}

static perm_status permi_stopped(perm_status status, const permi_control *control, perm_result *result)
{
  return permi_fail(result, status, 0, "%s",
                    status < 0 && control->message[0] ? control->message : perm_status_text(status));
}

PERM_API perm_status perm_job_range(const perm_job *job, int leaf, uint64_t begin, uint64_t end,
                                    const perm_options *options_given, perm_partial *partial, perm_result *result)
{
  const perm_options *options = permi_options(options_given);
  permi_environment environment;
  permi_result_clear(result);
  if (!job || !partial)
    return permi_fail(result, PERM_ERROR_NULL, job ? 6 : 1, "%s is NULL", job ? "partial" : "job");
  memset(partial, 0, sizeof *partial);
  perm_status status = permi_check_options(options, 5, result);
  if (status != PERM_OK)
    return status;
  if (leaf < 0 || leaf >= job->leaves || begin > end || end > job->leaf[leaf].information.chunks)
    return permi_fail(result, PERM_ERROR_RANGE, 2, "leaf %d has no chunks %llu to %llu", leaf,
                      (unsigned long long)begin, (unsigned long long)end);
  permi_control control = permi_control_begin(options);
  control.work_total = job->leaf[leaf].information.seconds * ((double)(end - begin) /
                                                              (double)job->leaf[leaf].information.chunks);
  status = PERMI_SOUNDLY(&environment, permi_run_range(job, &job->leaf[leaf], begin, end, &control,
                                                       permi_leaf_threads(&job->leaf[leaf], options), partial));
  if (status != PERM_OK)
    status = permi_meter_verdict(&job->allocator, permi_stopped(status, &control, result), result);
  if (result) {
    result->gpus = control.gpus;
    result->seconds = permi_seconds() - control.start;
  }
  return status;
}

static permi_interval permi_wanted(const perm_job *job, int leaf, const perm_options *options)
{
  return permi_part_of(job->leaf[leaf].information.chunks, leaf,
                       options->checkpoint.parts ? options->checkpoint.part : 1,
                       options->checkpoint.parts ? options->checkpoint.parts : 1);
}

/* Returns 0 if none is left. */
static int permi_leaf_left(const perm_job *job, const perm_state *state, const perm_options *options, int leaf,
                           uint64_t from, permi_interval *range)
{
  const permi_interval wanted = permi_wanted(job, leaf, options);
  perm_state_left(job, state, leaf, from > wanted.begin ? from : wanted.begin, &range->begin, &range->end);
  range->end = range->end < wanted.end ? range->end : wanted.end;
  return range->begin < range->end;
}

static int permi_next_range(const perm_job *job, const perm_state *state, const perm_options *options, int *leaf,
                            permi_interval *range)
{
  while (*leaf < job->leaves && !permi_leaf_left(job, state, options, *leaf, 0, range))
    ++*leaf;
  return *leaf < job->leaves;
}

/* Adds what the next range lacks, or a prefix. */
static perm_status permi_run_next(const perm_job *job, perm_state *state, int leaf, permi_interval range,
                                  permi_control *control, int threads, perm_result *result)
{
  const perm_leaf *information = &job->leaf[leaf].information;
  perm_partial done;
  memset(&done, 0, sizeof done);
  const perm_status stopped = permi_run_range(job, &job->leaf[leaf], range.begin, range.end, control, threads, &done);
  control->work_before += information->seconds / (double)information->chunks * (double)done.chunks;
  const perm_status status = perm_state_add(job, state, leaf, range.begin, range.begin + done.chunks, &done, result);
  if (status == PERM_OK)
    return stopped;
  snprintf(control->message, sizeof control->message, "%s", result->message);
  return status;
}

static void permi_work(const perm_job *job, const perm_state *state, const perm_options *options,
                       permi_control *control, double *task_seconds)
{
  *task_seconds = 0;
  for (int i = 0; i < job->leaves; i++) {
    const perm_leaf *leaf = &job->leaf[i].information;
    const permi_interval wanted = permi_wanted(job, i, options);
    const double each = leaf->seconds / (double)leaf->chunks;
    permi_interval range = {0, 0};
    uint64_t left = 0;
    while (permi_leaf_left(job, state, options, i, range.end, &range))
      left += range.end - range.begin;
    control->work_total += each * (double)(wanted.end - wanted.begin);
    control->work_before += each * (double)(wanted.end - wanted.begin - left);
    *task_seconds += leaf->kind == PERM_LEAF_TASK ? each * (double)left : 0;
  }
  control->fraction_start = control->work_before / (control->work_total > 0 ? control->work_total : 1);
}

#define PERMI_CHECKPOINT_SECONDS 60.0

/* Keeps the work in the checkpoint. A failure goes to *why, and is told when the run ends. */
static void permi_keep(const perm_job *job, const perm_state *state, permi_control *control, perm_result *why)
{
  const perm_options *options = control->options;
  if (!options->checkpoint.file)
    return;
  permi_result_clear(why);
  control->unwritten =
      permi_checkpoint_write(job, state, options->checkpoint.file, options, /* the first one cleans up */
                             control->next_checkpoint == (double)INFINITY, why) != PERM_OK;
  control->next_checkpoint =
      permi_seconds() + (options->checkpoint.seconds > 0 ? options->checkpoint.seconds : PERMI_CHECKPOINT_SECONDS);
}

static perm_status permi_begin(const perm_job *job, perm_state *state, permi_control *control, int *found,
                               perm_result *result)
{
  const perm_options *options = control->options;
  const char *const *merge = options->checkpoint.merge;
  perm_status status = PERM_OK;
  int i, empty = 1;
  for (i = 0; i < job->leaves; i++)
    empty &= !state->finished[i].count;
  for (i = options->checkpoint.file ? -1 : 0; status == PERM_OK && (i < 0 || (merge && merge[i])); i++) {
    const char *path = i < 0 ? options->checkpoint.file : merge[i];
    perm_options any = *options;
    perm_state *kept = NULL;
    int missing;
    any.checkpoint.parts = i < 0 ? options->checkpoint.parts : 0;
    status = permi_checkpoint_read(job, path, &any, &kept, &missing, result);
    if (i < 0 && missing)
      status = PERM_OK;
    else if (status == PERM_OK && (i >= 0 || empty)) {
      status = perm_state_merge(job, state, kept, result);
      if (status == PERM_OK && i >= 0 && job->sample)
        status = job->sample(job, kept, control, result);
      if (status == PERM_ERROR_STATE && result) {
        char why[PERM_MESSAGE_BYTES];
        snprintf(why, sizeof why, "%.100s", result->message);
        permi_fail(result, status, 0, "%s: merging it: %s", path, why);
      }
    }
    *found |= i < 0 && kept;
    perm_state_free(kept);
  }
  return status;
}

static void permi_so_far(const perm_job *job, const perm_state *state, int index, perm_result *result)
{
  const perm_partial *partial = &state->partial[index];
  permi_leaf leaf = job->leaf[index];
  permi_number number;
  perm_integer residue[2];
  if (job->modulus && leaf.integer && !leaf.finish && !job->sweep && permi_sum_integer(&partial->value, &residue[0]) &&
      permi_sum_integer(&partial->imaginary, &residue[1])) {
    permi_result_clear(result);
    for (int i = 0; i < 2; i++) {
      uint64_t *word = residue[i].word;
      permi_integer_reduce(&residue[i], job->modulus);
      word[0] &= word[0] >> 53 ? ~(uint64_t)1023 : ~(uint64_t)0;
      *(i ? &result->partial_imaginary : &result->partial_sum) = (double)word[0];
    }
    result->exp2 = residue[0].words || residue[1].words ? leaf.scale_exp2 + partial->exp2 : 0;
  } else if (leaf.finish || job->sweep) { /* residues say nothing */
    permi_result_clear(result);
  } else {
    leaf.integer = 0;
    permi_leaf_number(&leaf, partial, &number);
    permi_number_result(&number, result);
    result->partial_sum = result->value;
    result->partial_imaginary = result->imaginary;
  }
  result->value = result->imaginary = (double)NAN;
  result->error_bound = result->error_estimate = (double)INFINITY;
  result->is_complex = job->is_complex;
  result->modulus = job->modulus;
  result->method = leaf.information.method;
  result->isa = leaf.information.isa;
  result->precision = job->precision;
  result->plan_seconds = job->plan_seconds;
  for (int i = 0; i < job->leaves; i++)
    result->terms += state->partial[i].terms;
}

static perm_status permi_execute(const perm_job *job, perm_state *state, const perm_options *options_given,
                                 perm_result *result)
{
  const perm_options *options = permi_options(options_given);
  permi_interval range;
  perm_result unwritten;
  perm_status status, stopped = PERM_OK;
  double task_seconds = 0;
  int i, threads = 1, leaf = 0, left, kept = 0;
  uint64_t begin = 0, end = 0;
  if (!result)
    return PERM_ERROR_NULL;
  status = permi_check_state(job, state, 2, result);
  if (status == PERM_OK)
    status = permi_check_options(options, 3, result);
  permi_control control = permi_control_begin(options);
  if (status == PERM_OK && (options->checkpoint.file || options->checkpoint.merge))
    status = permi_begin(job, state, &control, &kept, result);
  if (status != PERM_OK)
    return status;
  permi_result_clear(&unwritten);
  permi_work(job, state, options, &control, &task_seconds);
  for (i = 0; i < job->leaves; i++)
    threads = threads == 1 ? permi_leaf_threads(&job->leaf[i], options) : threads;
  control.expected = options->gpu.devices ? 0 : control.work_total / threads;
  if (options->max_seconds > 0 && task_seconds > options->max_seconds)
    return permi_fail(result, PERM_ERROR_LIMIT, 3,
                      "predicted to take %s in tasks that cannot be resumed, over max_seconds, of which %s are left",
                      permi_time_words(task_seconds).text, permi_time_words(options->max_seconds).text);
  left = !options->checkpoint.merge && permi_next_range(job, state, options, &leaf, &range);
  if (left && options->checkpoint.file) {
    permi_keep(job, state, &control, &unwritten);
    if (control.unwritten) {
      *result = unwritten;
      return result->status;
    }
  }
  kept &= !left;
  while (left && (stopped == PERM_OK || stopped == PERMI_CHECKPOINT_DUE)) {
    if (control.next_checkpoint < (double)INFINITY && permi_seconds() >= control.next_checkpoint)
      permi_keep(job, state, &control, &unwritten);
    stopped = job->sweep ? job->sweep(job, state, leaf, &control, threads, result)
                         : permi_run_next(job, state, leaf, range, &control, threads, result);
    if (stopped >= 0)
      left = permi_next_range(job, state, options, &leaf, &range);
  }
  if (!left && stopped > 0) /* with the last chunk: nothing is left to stop */
    stopped = PERM_OK;
  for (i = 0; i < job->leaves && !left && begin == end; i++)
    perm_state_left(job, state, leaf = i, 0, &begin, &end);
  if (begin < end && !options->checkpoint.merge)
    stopped = PERM_PART_DONE;
  if (!kept && !(begin < end && options->checkpoint.merge))
    permi_keep(job, state, &control, &unwritten);
  if (stopped > 0 && control.unwritten) {
    *result = unwritten;
    stopped = unwritten.status;
  } else if (stopped < 0) {
    stopped = permi_meter_verdict(&job->allocator, permi_stopped(stopped, &control, result), result);
  } else if (stopped == PERM_OK) {
    stopped = permi_state_finish(job, state, state, &control, result);
    if (stopped == PERM_ERROR_STATE && job->inspect) /* without what is wrong */
      permi_keep(job, state, &control, &unwritten);
    if (stopped == PERM_OK && control.unwritten)
      memcpy(result->message, unwritten.message, sizeof result->message);
  } else {
    permi_so_far(job, state, leaf, result);
    snprintf(result->message, sizeof result->message, "%s; there is no value, only the sum of the terms so far",
             stopped == PERM_PART_DONE ? perm_status_text(stopped) : permi_early_words(&control, stopped).text);
  }
  result->status = stopped;
  result->threads = threads;
  result->gpus = control.gpus;
  result->seconds = permi_seconds() - control.start;
  return stopped;
}

PERM_API perm_status perm_job_execute(const perm_job *job, perm_state *state, const perm_options *options,
                                      perm_result *result)
{
  permi_environment environment;
  return PERMI_SOUNDLY(&environment, permi_execute(job, state, options, result));
}

static perm_status permi_run_state(const perm_job *job, const perm_options *options, perm_result *result)
{
  perm_state *state = NULL;
  const perm_status status = perm_state_create(job, &state) != PERM_OK ? permi_fail_memory(result)
                             : options->execute && !options->checkpoint.merge
                                 ? options->execute(job, state, options, result)
                                 : perm_job_execute(job, state, options, result);
  perm_state_free(state);
  return status;
}

/* Runs without a state, with the same bits. Returns 0 if something may stop or observe the job. */
#define PERMI_PLAIN_LEAVES 2 /* on the stack */
static int permi_run_plain(const perm_job *job, const perm_options *options, perm_result *result)
{
  perm_partial few[PERMI_PLAIN_LEAVES], *partial = few;
  perm_status status = PERM_OK;
  int i, threads = 1;
  if (job->sweep || job->inspect || options->execute || options->progress || options->cancel ||
      options->max_seconds > 0 || permi_in_pieces(options))
    return 0;
  permi_control control = permi_control_begin(options);
  if (job->leaves > PERMI_PLAIN_LEAVES)
    partial = (perm_partial *)permi_allocate(&job->allocator, (size_t)job->leaves, sizeof *partial);
  if (!partial)
    status = PERM_ERROR_MEMORY;
  for (i = 0; i < job->leaves && status == PERM_OK; i++) {
    const int here = permi_leaf_threads(&job->leaf[i], options);
    memset(&partial[i], 0, sizeof *partial);
    status = permi_run_range(job, &job->leaf[i], 0, job->leaf[i].information.chunks, &control, here, &partial[i]);
    threads = here > threads ? here : threads;
  }
  if (status == PERM_OK)
    perm_job_finish(job, partial, result);
  else
    permi_meter_verdict(&job->allocator, permi_stopped(status, &control, result), result);
  if (partial != few)
    permi_release(&job->allocator, partial);
  result->threads = threads;
  result->gpus = control.gpus;
  result->seconds = permi_seconds() - control.start;
  return 1;
}

static perm_status permi_run_job(perm_job *job, const perm_options *options, const permi_reach *reach,
                                 perm_result *result)
{
  const perm_status status = permi_run_plain(job, options, result) ? result->status : reach->run(job, options, result);
  perm_job_free(job);
  return status;
}

/* ========================================================================================= >>engine
   The interface of engines for arrays (>>offers) and blocks of sparse matrices (>>choose), and the chooser. */

struct permi_array;
struct permi_block;
struct permi_working;
struct permi_account;
struct permi_layouts;
struct permi_maker;
struct permi_offers;

typedef struct permi_offer {
  double seconds, bytes; /* predicted for one thread; INFINITY: refused */
  char why[160];         /* of a refusal: the block "is not a band of at most ..."; else a remark */
  perm_status status;    /* of a refusal by name; OVERFLOW: integers too long */
  double least;          /* seconds that no plan of the engine goes below */
  double likely;         /* what its plan may well take; INFINITY: unknown */
  int bounded, asked;    /* 1: both are found; the turn of the offer, from 1 */
  void *plan;
} permi_offer;

static perm_status permi_refuse(permi_offer *offer, perm_status status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  permi_vsay(offer->why, sizeof offer->why, format, arguments);
  va_end(arguments);
  offer->seconds = (double)INFINITY;
  offer->status = status;
  return PERM_OK;
}

typedef enum permi_engine_flags {
  PERMI_NAMED = 1,   /* only by name */
  PERMI_PROVEN = 2,  /* proven bounds, little cancellation: wins below permi_offers.favour */
  PERMI_CAUTION = 4, /* must be PERMI_HYBRID_CAUTION times faster than dense sums */
  PERMI_FULL = 8,    /* looks for a structure that blocks without zeros may have */
  PERMI_ARRAY = 16,  /* takes blocks as arrays */
  PERMI_FREE = 32,   /* takes blocks with free lines */
  PERMI_LONE = 64    /* has one precision: exact, or doubles alone */
} permi_engine_flags;

typedef struct permi_engine {
  perm_method method;
  int flags;
  double planning; /* seconds per vertex and entry of a block: the engine is never sooner done */
  /* Raises offer->least and finds offer->likely. Takes microseconds or a small share of `rival`. May be NULL. */
  perm_status (*least)(struct permi_maker *maker, const struct permi_block *block, double rival, permi_offer *offer);
  /* Fills in *offer, at first a refusal. May give up on times above `rival`, which is INFINITY by name. Planning takes
     at most a few per cent of the lesser of `rival` and the offer, and depends on problem, options and rival alone.
     block: NULL for an array. */
  perm_status (*offer)(struct permi_maker *maker, const struct permi_block *block, double rival, permi_offer *offer);
  /* Takes offer->plan over, and sets it to NULL, or leaves it to be released. */
  perm_status (*make)(struct permi_maker *maker, const struct permi_block *block, permi_offer *offer,
                      permi_leaf *leaf);
  void (*release)(const perm_allocator *allocator, void *plan);
} permi_engine;

static const permi_engine *permi_engine_of(const permi_engine *engine, int engines, perm_method method)
{
  for (; engines > 0; engines--, engine++)
    if (engine->method == method)
      return engine;
  return NULL;
}

typedef struct permi_maker {
  const perm_options *options;
  perm_result *result;
  permi_control *watch;
  const permi_reach *reach;
  int n, integer, doubles;   /* the order of the array or block; 1: of integers; 1: not in pairs of floats */
  struct permi_array *array; /* of a block: see permi_array_ready */
  perm_status (*as_array)(struct permi_maker *maker, const struct permi_block *block);
  /* Hears an offer and its status; returns the status that counts. */
  perm_status (*hear)(struct permi_maker *maker, const struct permi_block *block, const permi_engine *engine,
                      permi_offer *offer, perm_status status);
  /* for blocks of sparse matrices: */
  struct permi_working *working;
  struct permi_offers *offers;
  int equal_lines;
  double *binomial; /* of >>order; made when first needed */
  double *subsets; /* two numbers a subset of PERMI_MAJORANT_ORDER columns */
  perm_job *job;
  double task_seconds;
  double worth; /* seconds that an offer must beat */
  int seen; /* 1: the job is explained or kept: offers are noted, leaves have fingerprints */
  int blocks_noted;
  int keeps; double kept; /* for >>sample: 1: states are kept, so far in `kept` bytes */
  struct permi_account *account;
  struct permi_layouts *layouts; /* of the hybrid, begun; or NULL */
} permi_maker;

typedef struct permi_offers {
  const permi_engine *engine;
  permi_offer *offer;
  int engines;
  int chosen; /* -1: none */
  int turns, too_long;
  double best, proven; /* of the chosen; the least of proven engines */
  double rival;        /* of the engine that is asked */
  double favour;       /* seconds below which proven engines win */
  double most_bytes;
  double glance;          /* seconds of permi_frontier_glance; below 0: not asked yet */
  int *glanced;           /* its order, allocated, or NULL */
  const int *elimination; /* an order of the block, from the offer of trees; or NULL */
} permi_offers;

static void permi_offers_begin(permi_offers *offers, const permi_engine *engine, int engines, permi_offer *offer)
{
  memset(offers, 0, sizeof *offers);
  offers->engine = engine;
  offers->offer = offer;
  offers->engines = engines;
  offers->chosen = -1;
  offers->best = offers->proven = offers->rival = offers->most_bytes = (double)INFINITY;
  offers->glance = -1;
  memset(offer, 0, (size_t)engines * sizeof *offer); /* gcc 12 warns about loops over why[0] at -O3 */
  while (engines-- > 0)
    offer[engines].seconds = offer[engines].likely = (double)INFINITY;
}

/* Returns the seconds below which an offer of engine i wins: the best offer's. Proven engines also win below `favour`
   over what is not proven, and there the least of them wins. */
static double permi_offers_limit(const permi_offers *offers, int i)
{
  double limit = offers->proven < offers->favour ? 0 : offers->best;
  if (offers->engine[i].flags & PERMI_PROVEN)
    return fmax(offers->best, fmin(offers->proven, offers->favour));
  for (int k = 0; k < offers->engines && offers->engine[i].flags & PERMI_CAUTION; k++)
    if ((offers->engine[k].flags & (PERMI_ARRAY | PERMI_PROVEN)) == PERMI_ARRAY)
      limit = fmin(limit, offers->offer[k].likely / PERMI_HYBRID_CAUTION);
  return limit;
}

static perm_status permi_ask(permi_maker *maker, const struct permi_block *block, permi_offers *offers, int i)
{
  const permi_engine *engine = &offers->engine[i];
  permi_offer *offer = &offers->offer[i];
  const int bounds = engine->least && !offer->bounded;
  offers->rival = offers->best; /* or what another engine is likely to take */
  for (int k = 0; k < offers->engines; k++)
    if (k != i && !offers->offer[k].asked)
      offers->rival = fmin(offers->rival, offers->offer[k].likely);
  offer->bounded = 1;
  perm_status status = (bounds ? engine->least : engine->offer)(maker, block, offers->rival, offer);
  if (bounds && status == PERM_OK)
    return PERM_OK;
  offer->asked = ++offers->turns;
  if (maker->hear)
    status = maker->hear(maker, block, engine, offer, status);
  offers->too_long |= offer->status == PERM_ERROR_OVERFLOW;
  if (offer->bytes > offers->most_bytes && offers->rival < (double)INFINITY)
    return status;
  if (offer->seconds < permi_offers_limit(offers, i)) {
    offers->best = offer->seconds;
    offers->chosen = i;
  }
  if (engine->flags & PERMI_PROVEN)
    offers->proven = fmin(offers->proven, offer->seconds);
  if (maker->watch)
    maker->watch->work_total = offers->best;
  return status;
}

/* Engine i before engine k: by lower bound, quicker planning, a better bound to give, method. */
static int permi_asked_before(const permi_offers *offers, int i, int k)
{
  const permi_engine *one = &offers->engine[i], *other = &offers->engine[k];
  const permi_offer *here = &offers->offer[i], *there = &offers->offer[k];
  const int bounds = one->least && !here->bounded, others = other->least && !there->bounded;
  return here->least != there->least        ? here->least < there->least
         : one->planning != other->planning ? one->planning < other->planning
         : bounds != others                 ? bounds
                                            : one->method < other->method;
}

/* Of those that can win if `winners`; -1: none is left. */
static int permi_next_engine(const permi_offers *offers, int winners)
{
  int i, next = -1;
  for (i = 0; i < offers->engines; i++)
    if (!offers->offer[i].asked && (!(offers->engine[i].flags & PERMI_NAMED) || offers->engines == 1) &&
        (next < 0 || permi_asked_before(offers, i, next)) &&
        (!winners || offers->offer[i].least < permi_offers_limit(offers, i)))
      next = i;
  return next;
}

/* The chooser: asks while an engine can win. */
static perm_status permi_ask_engines(permi_maker *maker, const struct permi_block *block, permi_offers *offers)
{
  perm_status status = PERM_OK;
  int next = 0;
  while (status == PERM_OK && !permi_watch(maker->watch, 1e3) && (next = permi_next_engine(offers, 1)) >= 0)
    status = permi_ask(maker, block, offers, next);
  return status;
}

static int permi_is_counts_method(perm_method method)
{
  return method == PERM_METHOD_SUBSETS || method == PERM_METHOD_MULTIPLICITIES || method == PERM_METHOD_SHORT;
}

/* PERM_PRECISION_COUNT at the top. Counts may end with exact integers. */
static perm_precision permi_next_precision(const permi_engine *engines, int count, perm_method method,
                                           perm_precision precision)
{
  const permi_engine *engine = permi_engine_of(engines, count, method);
  const int counts = permi_is_counts_method(method);
  const int doubles = counts || method == PERM_METHOD_GLYNN || method == PERM_METHOD_RYSER ||
                      (engine && !(engine->flags & PERMI_LONE));
  return precision == PERM_PRECISION_DD && counts         ? PERM_PRECISION_EXACT
         : precision == PERM_PRECISION_DEFAULT && doubles ? PERM_PRECISION_DD
                                                          : PERM_PRECISION_COUNT;
}

PERMI_COLD static const char *permi_counts_refusal(const permi_problem *problem, const perm_options *options)
{
  if (options->method != PERM_METHOD_AUTO && !permi_is_counts_method(options->method))
    return "this method is for square matrices without counts";
  if (options->precision == PERM_PRECISION_KAHAN)
    return "precision kahan is for square matrices without counts";
  if (problem->integer) {
    if (options->precision != PERM_PRECISION_DEFAULT && options->precision != PERM_PRECISION_EXACT)
      return "integers are computed exactly: leave precision as it is";
  } else if (options->precision == PERM_PRECISION_EXACT) {
    return "precision exact is for integers: use perm_compute_integer or perm_compute_repeated_integer";
  } else if (options->modulus) {
    return "modulus is for integers";
  }
  return NULL;
}

/* Chooses in the precision asked for, or a better one that is nearly free. */
PERMI_COLD static permi_choice permi_counts_choice(const permi_counted *counted, const perm_options *options)
{
  const double expected = permi_expected_relative(counted->rows, PERM_PRECISION_DEFAULT);
  perm_precision precision = counted->integer ? PERM_PRECISION_EXACT
                             : options->precision == PERM_PRECISION_DD ||
                                     permi_plans_higher(options, expected)
                                 ? PERM_PRECISION_DD
                                 : PERM_PRECISION_DEFAULT;
  permi_choice choice = permi_choose(counted, options, precision);
  if (precision == PERM_PRECISION_DEFAULT && options->precision == PERM_PRECISION_DEFAULT) {
    permi_choice better = permi_choose(counted, options, PERM_PRECISION_DD);
    if (better.seconds < PERMI_COUNTS_CHEAP_SECONDS)
      choice = better;
  }
  return choice;
}

typedef struct permi_array {
  const permi_problem *problem;
  const permi_engine *engine;
  int argument;                 /* position of the options; 0: a block, which no limit refuses */
  int constant;                 /* the known permanent, 0 or 1; -1: unknown */
  int reduced;                  /* 1: dense sums do not take the problem */
  int counted_made, exact_planned;
  permi_counted counted, whole; /* whole: the doubles as integers */
  permi_choice choice;
  permi_dense_plan plan;
  permi_exact_plan exact;
  perm_precision precision;
} permi_array;

static void permi_array_of(permi_maker *maker, permi_array *array, const permi_problem *problem, int argument)
{
  maker->array = array;
  maker->reach = problem->reach;
  maker->n = problem->n;
  maker->integer = problem->integer != NULL;
  array->problem = problem;
  array->engine = NULL;
  array->argument = argument;
  array->reduced = array->counted_made = array->exact_planned = 0;
  array->constant = -1;
  memset(&array->counted, 0, sizeof array->counted);
  array->whole.real = NULL;
}

static void permi_array_begin(permi_maker *maker, permi_array *array, const permi_problem *problem, int argument)
{
  memset(maker, 0, sizeof *maker);
  permi_array_of(maker, array, problem, argument);
}

static perm_status permi_array_ready(permi_maker *maker, const struct permi_block *block)
{
  return maker->array ? PERM_OK : maker->as_array(maker, block);
}

static const permi_engine *permi_array_engine(const permi_reach *reach, perm_method method)
{
  return permi_engine_of(reach->engines, reach->engine_count, method);
}

static void permi_array_free(permi_array *array, const perm_allocator *allocator)
{
  permi_counted_free(allocator, &array->counted);
  permi_counted_free(allocator, &array->whole);
}

/* ========================================================================================= >>offers
   The engines for arrays, also of sparse blocks, and an array's job. */

/* Returns 1 for certified small orders (to about 12 with AVX-512, 10 with AVX2, 8 without), where double-double takes
   at most 2.5 times the call, as split rows may, and bounds the error by the value's rounding. */
static int permi_doubling_is_cheap(const permi_problem *problem, const perm_options *options)
{
  const permi_kernel_table *kernels = &problem->reach->kernels;
  const int n = problem->n;
  if (!options->certify || options->precision != PERM_PRECISION_DEFAULT || n < 4 || n > PERMI_NEAR_N ||
      options->method != PERM_METHOD_AUTO)
    return 0;
  const permi_kernel *usual = permi_kernel_for(kernels, permi_isa(options), PERMI_FORM_PAIR, PERMI_ROUNDED, n);
  const permi_kernel *doubled = permi_kernel_for(kernels, permi_isa(options), PERMI_FORM_SPLIT, PERMI_DOUBLED, n);
  const double elements = (double)n * (double)(1 << (n - 1));
  return elements / doubled->rate <= 1.5 * (5e-6 + elements / usual->rate);
}

static perm_status permi_plan_array(const permi_problem *problem, const perm_options *options, permi_dense_plan *plan,
                                    perm_result *result)
{
  const int m = problem->m, n = problem->n;
  const permi_view view = permi_view_of(problem->real, problem->ld, problem->parts, problem->reach);
  permi_fail(result, PERM_OK, 0, "%s", "");
  perm_status status = permi_check_options(options, 5, result);
  if (status == PERM_OK)
    status = permi_check_matrix(m, n, &view, result);
  if (status != PERM_OK)
    return status;
  if (m == 0 || n == 0) {
    memset(plan, 0, sizeof *plan);
    plan->method = PERM_METHOD_STRUCTURE;
    plan->is_complex = problem->parts == 2;
    plan->version = PERMI_VERSION;
    permi_plan_fingerprint(plan, &view);
    return PERM_OK;
  }
  perm_options raised = *options;
  if (permi_doubling_is_cheap(problem, options))
    raised.precision = PERM_PRECISION_DD;
  return permi_plan(n, &view, &raised, plan, result);
}

static double permi_dense_seconds(const permi_maker *maker)
{
  const perm_options *options = maker->options;
  const int n = maker->n, parts = maker->reach->parts;
  const int product = options->precision == PERM_PRECISION_DD ? PERMI_DOUBLED : PERMI_ROUNDED;
  const permi_form form = product == PERMI_DOUBLED ? PERMI_FORM_SPLIT
                         : parts == 2             ? PERMI_FORM_PAIR
                                                  : PERMI_FORM_NORMALISED;
  const permi_kernel *kernel = permi_kernel_for(&maker->reach->kernels, permi_isa(options), form, product, PERM_MAX_N);
  const double elements = n * ldexp(1, n - 1);
  const double seconds = elements / (kernel ? kernel->rate : permi_dense_rate(options));
  if (seconds <= 1 || !maker->reach->gpu || !permi_gpu_wanted(options, n))
    return seconds;
  const double gpu = maker->reach->gpu->seconds(elements, parts, product == PERMI_DOUBLED         ? PERM_GPU_DOUBLED
                                                          : options->certify && parts == 2 ? PERM_GPU_ROUNDED
                                                                                           : PERM_GPU_PIVOT);
  return fmin(seconds, product == PERMI_DOUBLED
                           ? gpu
                           : fmin(gpu, maker->reach->gpu->seconds(elements, parts, PERM_GPU_FLOATS)));
}

/* Arrays above PERM_MAX_N are asked last, and refused; small ones always: zeros alone may make 0. */
static perm_status permi_dense_least(permi_maker *maker, const struct permi_block *block, double rival,
                                     permi_offer *offer)
{
  (void)rival;
  offer->likely = maker->integer || (maker->n > PERM_MAX_N && block) ? (double)INFINITY
                  : maker->n > PERM_MAX_N                            ? DBL_MAX
                                                                     : permi_dense_seconds(maker);
  offer->least = block || maker->integer || maker->n > PERMI_SMALL_N ? offer->likely : 0;
  return PERM_OK;
}

static perm_status permi_refuse_order(perm_method method, permi_offer *offer)
{
  return permi_refuse(offer, PERM_ERROR_LIMIT, "is too large for method %s, which takes at most %d",
                      perm_name("method", method), PERM_MAX_N);
}

/* Raises the precision as a tolerance in pieces needs. */
static perm_status permi_dense_offer(permi_maker *maker, const struct permi_block *block, double rival,
                                     permi_offer *offer)
{
  perm_options options = *maker->options;
  (void)rival;
  if (block && maker->n > PERM_MAX_N)
    return permi_refuse_order(PERM_METHOD_DENSE, offer);
  perm_status status = permi_array_ready(maker, block);
  if (status != PERM_OK || maker->integer || maker->array->reduced)
    return status;
  permi_array *array = maker->array;
  permi_dense_plan *plan = &array->plan;
  const permi_problem *problem = array->problem;
  const permi_view view = permi_view_of(problem->real, problem->ld, problem->parts, problem->reach);
  const double tolerance = options.tolerance;
  options.tolerance = maker->doubles ? DBL_MIN : tolerance; /* no floats */
  status = block ? permi_plan(problem->n, &view, &options, plan, maker->result)
                 : permi_plan_array(problem, &options, plan, maker->result);
  options.tolerance = tolerance;
  while (status == PERM_OK && !block &&
         permi_plans_higher(&options, permi_expected_relative(plan->n, plan->precision))) {
    options.precision = permi_next_precision(maker->reach->engines, maker->reach->engine_count, plan->method,
                                             plan->precision);
    if (options.precision == PERM_PRECISION_COUNT)
      break;
    status = permi_plan_array(problem, &options, plan, maker->result);
  }
  if (status != PERM_OK)
    return status;
  offer->seconds = plan->seconds;
  array->precision = plan->precision;
  array->constant = plan->method == PERM_METHOD_STRUCTURE ? !plan->zero : -1;
  return PERM_OK;
}

static perm_status permi_dense_make(permi_maker *maker, const struct permi_block *block, permi_offer *offer,
                                    permi_leaf *leaf)
{
  permi_array *array = maker->array;
  const permi_problem *problem = array->problem;
  const permi_view view = permi_view_of(problem->real, problem->ld, problem->parts, problem->reach);
  (void)block, (void)offer;
  if (array->plan.form == PERMI_FORM_FLOATS)
    maker->job->floats = 1;
  return permi_plan_leaf(&array->plan, &view, &maker->options->allocator, leaf) == PERM_OK
             ? PERM_OK
             : permi_fail_memory(maker->result);
}

#define PERMI_REPEATS_LEAST 8

/* Returns 1 if two lines of doubles are equal, or one is zero, where the look is worth a microsecond (n = 20). */
static int permi_array_repeats(const permi_problem *problem, const perm_options *options)
{
  const int n = problem->n;
  return options->method == PERM_METHOD_AUTO && problem->m == n && n >= PERMI_REPEATS_LEAST && n <= PERM_MAX_N &&
         problem->real && permi_stride_fits(n, n, problem->ld, 8 * problem->parts) && !permi_lines_differ(problem);
}

static int permi_array_square(const permi_problem *problem)
{
  return problem->m == problem->n && problem->n <= PERM_MAX_N && !problem->row_count && !problem->column_count;
}

PERMI_COLD static perm_status permi_counted_price(permi_array *array, const perm_options *options, permi_offer *offer)
{
  const permi_counted *counted = &array->counted;
  if (counted->zero || !counted->rows) {
    array->constant = !counted->zero;
    array->precision = options->precision;
    offer->seconds = 0;
    return PERM_OK;
  }
  if (options->method == PERM_METHOD_EXACT)
    return PERM_OK;
  if (!array->engine) {
    array->choice = permi_counts_choice(counted, options);
  } else {
    if (options->precision == PERM_PRECISION_EXACT) {
      if (!permi_counted_whole(counted, &options->allocator, &array->whole))
        return PERM_ERROR_UNSUPPORTED;
      counted = &array->whole;
    }
    array->choice = permi_choose(counted, options, options->precision);
  }
  offer->seconds = array->choice.seconds;
  return PERM_OK;
}

#define PERMI_EQUAL_SECONDS 1e-4 /* of dense sums: shorter blocks are not worth the look */
static perm_status permi_counted_least(permi_maker *maker, const struct permi_block *block, double rival,
                                       permi_offer *offer)
{
  (void)rival;
  if (block && (maker->n > PERM_MAX_N || (!maker->integer && (!maker->equal_lines ||
                                                              permi_dense_seconds(maker) <= PERMI_EQUAL_SECONDS)))) {
    offer->least = (double)INFINITY;
    return PERM_OK;
  }
  const perm_status status = permi_array_ready(maker, block);
  if (status != PERM_OK)
    return status;
  const permi_problem *problem = maker->array->problem;
  if (!maker->integer && !block && !maker->array->reduced && !permi_array_repeats(problem, maker->options))
    offer->least = (double)INFINITY;
  else if (maker->integer && !maker->options->gpu.devices && maker->n > 1 && permi_array_square(problem) &&
           ((block && !maker->equal_lines) || permi_lines_differ(problem)))
    offer->least = problem->n * ldexp(1, problem->n - 1) *
                   (permi_seconds_exact[problem->parts - 1] + permi_seconds_word[problem->parts - 1]);
  return PERM_OK;
}

/* Leaves it to the dense engine to say why an array of doubles is refused. */
static perm_status permi_counted_offer(permi_maker *maker, const struct permi_block *block, double rival,
                                       permi_offer *offer)
{
  const perm_options *options = maker->options;
  const perm_status status = permi_array_ready(maker, block);
  permi_array *array = maker->array;
  (void)rival;
  if (status != PERM_OK)
    return status;
  permi_counted *counted = &array->counted;
  if (!array->counted_made) {
    const int whole = block || array->reduced;
    if (!whole && (permi_check_options(options, array->argument, maker->result) != PERM_OK ||
                   permi_counts_refusal(array->problem, options) ||
                   permi_check_problem(array->problem, 0, maker->result) != PERM_OK))
      return PERM_OK;
    if (permi_counted_make(array->problem, &options->allocator, counted) != PERM_OK)
      return whole ? permi_fail_memory(maker->result) : PERM_OK;
    array->counted_made = 1;
  }
  if (block && !maker->integer && !array->reduced && counted->m == counted->rows && counted->n == counted->rows)
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has no equal lines");
  return permi_counted_price(array, options, offer);
}

PERMI_COLD static perm_status permi_choice_refuse(const permi_choice *choice, const perm_options *options, int argument,
                                                  perm_result *result)
{
  const double most = options->max_bytes;
  if (choice->seconds == (double)INFINITY)
    return permi_fail(result,
                      choice->why && choice->precision == PERM_PRECISION_EXACT ? PERM_ERROR_OVERFLOW : PERM_ERROR_LIMIT,
                      options->method == PERM_METHOD_AUTO ? 0 : argument, "%s: %s%s", perm_name("method",
                                                                                                options->method),
                      choice->why ? choice->why : "more memory than max_bytes = ",
                      choice->why ? "" : permi_size_words(most > 0 ? most : PERMI_DEFAULT_BYTES / 4).text);
  if (most > 0 && choice->bytes > permi_max_bytes(options))
    return permi_fail(result, PERM_ERROR_LIMIT, argument,
                      "predicted to need %s beside the matrix and %s, over max_bytes = %s",
                      permi_size_words(choice->bytes).text, permi_time_words(choice->seconds).text,
                      permi_size_words(most).text);
  return PERM_OK;
}

PERMI_COLD static perm_status permi_counted_leaf(permi_maker *maker, const struct permi_block *block,
                                                 permi_offer *offer, permi_leaf *leaf)
{
  permi_array *array = maker->array;
  const perm_options *options = maker->options;
  const permi_choice *choice = &array->choice;
  const int whole = choice->precision == PERM_PRECISION_EXACT && !array->counted.integer;
  perm_status status = PERM_OK;
  (void)block, (void)offer;
  if (array->argument)
    status = permi_choice_refuse(choice, options, array->argument, maker->result);
  if (status != PERM_OK)
    return status;
  array->precision = choice->precision;
  return permi_choice_leaf(whole ? &array->whole : &array->counted, choice, options->certify,
                           permi_counted_fingerprint(&array->counted), &options->allocator, leaf) == PERM_OK
             ? PERM_OK
             : permi_fail_memory(maker->result);
}

static const permi_exact_plan *permi_array_exact(permi_array *array, const perm_options *options)
{
  const permi_problem *problem = array->problem;
  const permi_integer_view view = {problem->integer, problem->ld, problem->parts};
  if (!array->exact_planned)
    permi_exact_fastest(options, problem->n, &view, &array->exact);
  array->exact_planned = 1;
  return &array->exact;
}

#define PERMI_EXACT_PLAN 36 /* above it a plan takes over 0.1 ms */
static perm_status permi_exact_least(permi_maker *maker, const struct permi_block *block, double rival,
                                     permi_offer *offer)
{
  const perm_options *options = maker->options;
  const int n = maker->n;
  perm_status status = PERM_OK;
  (void)rival;
  if (!maker->integer || n < 1 || n > PERM_MAX_N || (maker->array && !permi_array_square(maker->array->problem)) ||
      (options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_EXACT)) {
    offer->least = (double)INFINITY;
  } else if (n <= PERMI_EXACT_PLAN) {
    status = permi_array_ready(maker, block);
    if (status == PERM_OK)
      offer->least = offer->likely = permi_array_exact(maker->array, options)->seconds;
  } else {
    offer->least = n * ldexp(1, n - 1) / PERMI_RIVAL_RATE;
    if (options->gpu.devices)
      offer->least = fmin(offer->least, 0.5 + n * ldexp(1, n - 1) / (50 * PERMI_EXACT_GPU_RATE));
    offer->likely = permi_exact_spread[permi_isa(options) == PERM_ISA_PLAIN] * offer->least;
  }
  return status;
}

static perm_status permi_exact_offer(permi_maker *maker, const struct permi_block *block, double rival,
                                     permi_offer *offer)
{
  (void)rival;
  if (maker->n > PERM_MAX_N)
    return permi_refuse_order(PERM_METHOD_EXACT, offer);
  const perm_status status = permi_array_ready(maker, block);
  if (status == PERM_OK)
    offer->seconds = permi_array_exact(maker->array, maker->options)->seconds;
  return status;
}

static perm_status permi_exact_make(permi_maker *maker, const struct permi_block *block, permi_offer *offer,
                                    permi_leaf *leaf)
{
  (void)block, (void)offer;
  maker->array->precision = PERM_PRECISION_EXACT;
  return permi_exact_leaf(maker->options, permi_array_exact(maker->array, maker->options), leaf, maker->result);
}

/* Engines that blocks of sparse matrices have, too. */
#define PERMI_DOUBLE_ENGINES                                                                                           \
  {PERM_METHOD_DENSE, PERMI_ARRAY, 0, permi_dense_least, permi_dense_offer, permi_dense_make, NULL},                   \
  {PERM_METHOD_MULTIPLICITIES, PERMI_ARRAY | PERMI_PROVEN, 0, permi_counted_least, permi_counted_offer,                \
   permi_counted_leaf,                                                                                                 \
   NULL}
#define PERMI_ARRAY_ENGINES PERMI_DOUBLE_ENGINES,                                                                      \
  {PERM_METHOD_EXACT, PERMI_ARRAY | PERMI_PROVEN | PERMI_LONE, 0, permi_exact_least, permi_exact_offer,                \
   permi_exact_make, NULL}
static const permi_engine permi_double_engines[] = {PERMI_DOUBLE_ENGINES};
static const permi_engine permi_array_engines[] = {PERMI_ARRAY_ENGINES};
enum {
  PERMI_DOUBLE_ENGINE_COUNT = sizeof permi_double_engines / sizeof *permi_double_engines,
  PERMI_ARRAY_ENGINE_COUNT = sizeof permi_array_engines / sizeof *permi_array_engines
};

/* Asks the engine named, or all (exact: for zeros), later the chosen one. Without an offer its make says why. */
static perm_status permi_array_plan(void *context, const perm_options *options, double *seconds, perm_job **job,
                                    perm_result *result)
{
  permi_maker *maker = (permi_maker *)context;
  permi_array *array = maker->array;
  const permi_reach *reach = array->problem->reach;
  const permi_engine *named = permi_array_engine(reach, options->method), *one = array->engine;
  permi_control watch = permi_control_begin(options);
  permi_offer offer[PERMI_ARRAY_ENGINE_COUNT];
  permi_offers offers;
  (void)job;
  watch.activity = "planning";
  maker->watch = &watch;
  maker->options = options;
  maker->result = result;
  if (!one && options->method != PERM_METHOD_EXACT)
    one = named;
  permi_offers_begin(&offers, one ? one : reach->engines, one ? 1 : reach->engine_count, offer);
  const perm_status status = permi_ask_engines(maker, NULL, &offers);
  *seconds = offers.best;
  if (offers.chosen >= 0)
    array->engine = &offers.engine[offers.chosen];
  else if (!array->engine)
    array->engine = named ? named : permi_array_engine(reach, PERM_METHOD_MULTIPLICITIES);
  maker->watch = NULL;
  return watch.stopped == PERM_OK ? status : permi_fail_stopped(&watch, result);
}

static perm_status permi_array_make(void *context, const perm_options *options, perm_job **job, perm_result *result)
{
  permi_maker *maker = (permi_maker *)context;
  permi_array *array = maker->array;
  permi_leaf leaf;
  perm_status status = PERM_OK;
  maker->options = options;
  maker->result = result;
  *job = permi_job_new(&options->allocator, PERM_PRECISION_DEFAULT);
  if (!*job)
    return permi_fail_memory(result);
  maker->job = *job;
  if (array->constant >= 0)
    permi_job_set_constant(*job, array->constant);
  else
    status = array->engine->make(maker, NULL, NULL, &leaf);
  if (status == PERM_OK && array->constant < 0 && !permi_job_push_leaf(*job, &leaf))
    status = permi_fail_memory(result);
  (*job)->precision = array->precision;
  (*job)->is_complex = array->problem->parts == 2;
  (*job)->modulus = array->problem->integer ? options->modulus : 0;
  if (status != PERM_OK) {
    perm_job_free(*job);
    *job = NULL;
  }
  return status;
}

static perm_precision permi_array_next(const void *context, const perm_options *options, const perm_result *result)
{
  const permi_maker *maker = (const permi_maker *)context;
  const permi_array *array = maker->array;
  const perm_method method = array->engine->method;
  (void)options, (void)result;
  return array->constant >= 0
             ? PERM_PRECISION_COUNT
             : permi_next_precision(maker->reach->engines, maker->reach->engine_count,
                                    method == PERM_METHOD_DENSE ? array->plan.method : method, array->precision);
}

PERMI_BRIEF_END

/* ========================================================================================== >>judge
   What public calls may reach (permi_reach). Escalation. */

#ifdef PERMI_ROUTE
static int PERMI_ROUTE(const permi_problem *problem, const perm_options *options, int argument, perm_result *result);
#define PERMI_ROUTE_HERE PERMI_ROUTE
#else
#define PERMI_ROUTE_HERE NULL
#endif

static const permi_gpu_engines permi_gpus = {permi_plan_gpu, permi_gpu_seconds, permi_gpu_leaf};

#if defined(PERM_NO_COMPLEX)
#define PERMI_COMPLEX_TABLE {NULL, 0}
#else
#define PERMI_COMPLEX_TABLE PERMI_KERNEL_TABLE(permi_kernels_complex)
#endif

#if PERMI_X86
#define PERMI_COUNTS_TABLES(parts) {&permi_counts_kernels_##parts##_plain, &permi_counts_kernels_##parts##_avx2}
#else
#define PERMI_COUNTS_TABLES(parts) {&permi_counts_kernels_##parts##_plain, NULL}
#endif

static const permi_reach permi_bare_real = {
    1, PERMI_KERNEL_TABLE(permi_kernels_real), PERMI_COUNTS_TABLES(real), NULL, NULL,
    permi_double_engines, PERMI_DOUBLE_ENGINE_COUNT, NULL, PERMI_ROUTE_HERE};
static const permi_reach permi_reach_real = {
    1, PERMI_KERNEL_TABLE(permi_kernels_real), PERMI_COUNTS_TABLES(real), permi_gray, &permi_gpus,
    permi_array_engines, PERMI_ARRAY_ENGINE_COUNT, permi_run_state, PERMI_ROUTE_HERE};
static const permi_reach permi_reach_complex = {
    2, PERMI_COMPLEX_TABLE, PERMI_COUNTS_TABLES(complex), permi_gray, &permi_gpus,
    permi_array_engines, PERMI_ARRAY_ENGINE_COUNT, permi_run_state, PERMI_ROUTE_HERE};

static const permi_reach *permi_reach_of(int parts)
{
  return parts == 2 ? &permi_reach_complex : &permi_reach_real;
}

PERMI_UNUSED static permi_view permi_view_make(const double *a, ptrdiff_t ld, int parts)
{
  return permi_view_of(a, ld, parts, permi_reach_of(parts));
}

static permi_problem permi_problem_make(int m, int n, const double *real, const int64_t *integer, ptrdiff_t ld,
                                        const permi_reach *reach, const int *row_counts, const int *column_counts)
{
  const permi_problem problem = {m, n, reach->parts, real, integer,
                                 m == 1 && ld > n ? n : ld, /* no second row: products may overflow */
                                 row_counts, column_counts, reach};
  return problem;
}

static double permi_problem_bytes(const permi_problem *problem)
{
  return 8.0 * fmax(problem->m, 0) * fmax(problem->n, 0) * problem->parts;
}

static int permi_wants_more(const perm_options *options, const perm_result *result)
{
  return permi_relative(options, result) > permi_wanted_relative(options);
}

/* Estimates and predictions decide, so load changes no bits. */
static int permi_escalates(const perm_options *options, const perm_result *result, double next_seconds)
{
  if (!permi_wants_more(options, result))
    return 0;
  if (options->tolerance > 0)
    return options->max_seconds == 0 || next_seconds <= options->max_seconds;
  return next_seconds < PERMI_ESCALATE_SECONDS;
}

/* Returns at least a millisecond: 0 would mean no limit. */
static double permi_seconds_left(const perm_options *options, double start)
{
  return options->max_seconds == 0
             ? 0
             : fmin(options->max_seconds, fmax(1e-3, options->max_seconds - (permi_seconds() - start)));
}

/* Returns 1 if the lower result stands. Bits of a job in pieces may depend on max_bytes, which plans heed, but not on
   stops and times. */
static int permi_stands(const perm_options *options, perm_status status)
{
  return status != PERM_OK && !(permi_in_pieces(options) && (status > 0 || status == PERM_ERROR_LIMIT));
}

static void permi_keep_better(const perm_options *options, const perm_result *lower, perm_result *result)
{
  const double error = permi_error(options, lower);
  if (!result->exact && error < (double)INFINITY &&
      permi_ldexp(error, lower->exp2 - result->exp2) < permi_error(options, result)) {
    const int escalated = result->escalated;
    *result = *lower;
    result->escalated = escalated;
  }
}

/* `plan` predicts *seconds and may make *job; else `make` does. `next` is PERM_PRECISION_COUNT at the top. */
typedef struct permi_solver {
  perm_status (*plan)(void *attempt, const perm_options *options, double *seconds, perm_job **job, perm_result *result);
  perm_status (*make)(void *attempt, const perm_options *options, perm_job **job, perm_result *result);
  perm_precision (*next)(const void *attempt, const perm_options *options, const perm_result *result);
} permi_solver;

/* Raises the precision while the result is worse than wanted; first *doubles after floats. */
static perm_status permi_solve(const permi_solver *solver, void *attempt, int *doubles, const permi_reach *reach,
                               const perm_options *options_given, double start, perm_result *result)
{
  perm_options options = *options_given, run;
  perm_result finished;
  double began = start, planned = 0, seconds;
  int escalated = 0;
  perm_job *job = NULL;
  perm_status status = solver->plan(attempt, &options, &seconds, &job, result), next;
  finished.error_bound = (double)INFINITY;
  while (status == PERM_OK) {
    if (!job)
      status = solver->make(attempt, &options, &job, result);
    if (status != PERM_OK)
      break;
    planned += permi_seconds() - began;
    options.max_seconds = permi_seconds_left(options_given, start);
    run = options;
    if (escalated) { /* no files: this job is short and not the checkpoint's */
      run.checkpoint.file = NULL;
      run.checkpoint.part = run.checkpoint.parts = 0;
      run.checkpoint.merge = NULL;
    }
    const int floats = job->floats && !*doubles;
    status = permi_run_job(job, &run, reach, result);
    job = NULL;
    result->plan_seconds = planned;
    result->escalated = escalated;
    if (status == PERM_OK && escalated)
      permi_keep_better(options_given, &finished, result);
    if (status != PERM_OK || !permi_wants_more(options_given, result))
      break;
    began = permi_seconds();
    if (floats)
      *doubles = 1;
    else
      options.precision = solver->next(attempt, &options, result);
    options.max_seconds = options_given->max_seconds; /* plans heed limits, no clock */
    if (options.precision == PERM_PRECISION_COUNT || (options.tolerance > 0 && permi_in_pieces(&options)))
      break; /* pieces planned it at once (permi_plans_higher) */
    finished = *result;
    next = solver->plan(attempt, &options, &seconds, &job, result);
    if (next > 0 && permi_in_pieces(options_given)) {
      status = next;
      break;
    }
    *result = finished;
    if (next != PERM_OK || !permi_escalates(options_given, result, seconds))
      break;
    escalated++;
  }
  perm_job_free(job);
  if (escalated && permi_stands(options_given, status))
    *result = finished;
  result->seconds = permi_seconds() - start;
  return permi_judge(options_given, result);
}

static const permi_solver permi_array_solver = {permi_array_plan, permi_array_make, permi_array_next};

/* ======================================================================================== >>compute */

/* `a` may be NULL. */
static permi_problem permi_integers(int m, int n, const int64_t *a, ptrdiff_t ld, const permi_reach *reach,
                                    const int *row_counts, const int *column_counts)
{
  static const int64_t nothing = 0;
  return permi_problem_make(m, n, NULL, !a && (m == 0 || n == 0) ? &nothing : a, ld, reach, row_counts, column_counts);
}

static permi_problem permi_doubles(int m, int n, const double *a, ptrdiff_t ld, const permi_reach *reach,
                                   const int *row_counts, const int *column_counts)
{
  return permi_problem_make(m, n, a, NULL, ld, reach, row_counts, column_counts);
}

static perm_status permi_array_reduce(permi_array *array, int equal, const perm_options *options, perm_result *result)
{
  const permi_problem *problem = array->problem;
  perm_options others = *options; /* >>counts knows no engines */
  perm_status status = permi_check_options(options, array->argument, result);
  if (status == PERM_OK)
    status = permi_check_problem(problem, equal, result);
  if (status != PERM_OK)
    return status;
  if (problem->integer && permi_array_square(problem) && options->method != PERM_METHOD_DENSE &&
      permi_array_engine(problem->reach, options->method))
    others.method = PERM_METHOD_AUTO;
  const char *refusal = permi_counts_refusal(problem, &others);
  if (refusal)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, array->argument, "options: %s", refusal);
  array->reduced = 1;
  if (problem->integer) /* counted when that engine is asked */
    return PERM_OK;
  array->counted_made = 1;
  return permi_counted_make(problem, &options->allocator, &array->counted) == PERM_OK ? PERM_OK
                                                                                       : permi_fail_memory(result);
}

static int permi_is_rectangular(const permi_problem *problem)
{
  return problem->m > 0 && problem->n > 0 && problem->m != problem->n;
}

static perm_status permi_problem_job(const permi_problem *problem, int argument, const perm_options *options,
                                     perm_job **job, perm_result *result)
{
  double start = permi_seconds(), seconds;
  permi_array array;
  permi_maker maker;
  *job = NULL;
  permi_array_begin(&maker, &array, problem, argument);
  perm_status status = problem->integer || permi_is_rectangular(problem) || permi_is_counts_method(options->method)
                           ? permi_array_reduce(&array, 0, options, result)
                           : PERM_OK;
  if (status == PERM_OK)
    status = permi_array_plan(&maker, options, &seconds, NULL, result);
  if (status == PERM_OK)
    status = permi_array_make(&maker, options, job, result);
  permi_array_free(&array, &options->allocator);
  if (status == PERM_OK)
    (*job)->plan_seconds = permi_seconds() - start;
  return status;
}

static perm_status permi_square_compute(const permi_problem *problem, int argument, const perm_options *options,
                                        double start, perm_result *result)
{
  const permi_reach *reach = problem->reach;
  permi_array array;
  permi_maker maker;
  if (reach->route && reach->route(problem, options, argument, result))
    return result->status;
  permi_array_begin(&maker, &array, problem, argument);
  const perm_status status = permi_solve(&permi_array_solver, &maker, &maker.doubles, reach, options, start, result);
  permi_array_free(&array, &options->allocator);
  return status;
}

PERMI_COLD static int permi_reduced_is_dense(const permi_array *array, const permi_problem *square,
                                             const perm_options *options, perm_status *status, perm_result *result)
{
  const permi_counted *counted = &array->counted;
  const permi_view view = permi_view_of(square->real, square->ld, square->parts, square->reach);
  permi_dense_plan plan;
  if (options->method != PERM_METHOD_AUTO || !counted->real || counted->integer || counted->zero ||
      counted->m != counted->rows || counted->n != counted->columns || counted->rows != counted->columns ||
      counted->n < 5 || counted->n > PERM_MAX_N)
    return 0;
  permi_choice choice = permi_counts_choice(counted, options);
  if (choice.precision != PERM_PRECISION_DEFAULT)
    return 0;
  *status = permi_plan(counted->n, &view, options, &plan, result);
  if (*status != PERM_OK && *status != PERM_ERROR_MEMORY)
    *status = PERM_OK;
  else if (*status == PERM_OK)
    return plan.seconds < choice.seconds;
  return 0;
}

static perm_status permi_reduced_compute(const permi_problem *problem, int equal, int argument,
                                         const perm_options *options, double start, perm_result *result)
{
  const permi_reach *reach = problem->reach;
  permi_problem square;
  permi_array array;
  permi_maker maker;
  if ((problem->integer || (permi_is_rectangular(problem) && !permi_counts_refusal(problem, options))) &&
      reach->route && reach->route(problem, options, argument, result))
    return result->status;
  permi_array_begin(&maker, &array, problem, argument);
  perm_status status = permi_array_reduce(&array, equal, options, result);
  square = permi_problem_make(array.counted.n, array.counted.n, array.counted.real, NULL, array.counted.n, reach, NULL,
                              NULL);
  if (status == PERM_OK && permi_reduced_is_dense(&array, &square, options, &status, result))
    status = permi_square_compute(&square, argument, options, start, result);
  else if (status == PERM_OK)
    status = permi_solve(&permi_array_solver, &maker, &maker.doubles, reach, options, start, result);
  permi_array_free(&array, &options->allocator);
  return status;
}

typedef enum permi_looking { PERMI_AS_IT_STANDS, PERMI_BY_LINES, PERMI_WITH_COUNTS } permi_looking;

static perm_status permi_compute(const permi_problem *problem, permi_looking looking, int argument,
                                 const perm_options *options_given, perm_result *result)
{
  const double start = permi_seconds();
  permi_metered call;
  perm_status status;
  if (!result)
    return PERM_ERROR_NULL;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_problem_bytes(problem));
  status = looking != PERMI_AS_IT_STANDS || permi_is_rectangular(problem) || permi_is_counts_method(options->method)
               ? permi_reduced_compute(problem, looking == PERMI_WITH_COUNTS, argument, options, start, result)
               : permi_square_compute(problem, argument, options, start, result);
  return permi_kind(permi_meter_end(&call, status, result), problem->parts, options_given, result);
}

static perm_status permi_compute_array(const permi_problem *problem, const perm_options *options, perm_result *result)
{
  const int n = problem->n, parts = problem->parts;
  permi_environment environment;
  permi_environment_begin(&environment);
  if (n >= 2 && n <= PERMI_SMALL_N && n == problem->m && (problem->real || problem->integer) && result &&
      permi_stride_fits(n, n, problem->ld, 8 * parts) &&
      permi_asks_no_more(options, problem->integer != NULL, permi_problem_bytes(problem))) {
    const perm_isa isa = permi_isa(permi_options(options));
    if (problem->integer ? permi_small_exact(isa, n, parts, problem->integer, problem->ld, result)
                         : permi_small_result(isa, n, parts, problem->real, problem->ld, result) &&
                               !(options && permi_wants_more(options, result)))
      return permi_environment_end(&environment, PERM_OK);
  }
  return permi_environment_end(&environment,
      permi_compute(problem, problem->integer ? PERMI_BY_LINES : PERMI_AS_IT_STANDS, 5, options, result));
}

/* Engines that count copies plan for longer. */
PERMI_NEVER_INLINE static int permi_copies_at_once(const permi_problem *problem, const perm_options *options,
                                                   perm_result *result)
{
  const int exact = problem->integer != NULL, parts = problem->parts;
  const perm_isa isa = permi_isa(permi_options(options));
  const permi_copies copies = {problem->m, problem->n, exact ? (const void *)problem->integer : problem->real,
                               problem->ld, problem->row_count, problem->column_count};
  union {
    double real[2 * PERMI_WRITTEN_OUT_N * PERMI_WRITTEN_OUT_N];
    int64_t integer[2 * PERMI_WRITTEN_OUT_N * PERMI_WRITTEN_OUT_N];
  } full;
  if (!copies.a || copies.m > PERM_MAX_LINES || copies.n > PERM_MAX_LINES ||
      !permi_stride_fits(copies.m, copies.n, copies.ld, 8 * parts))
    return 0;
  const int n = permi_small_write_out(&copies, parts, 0, &full);
  if (n < 2)
    return 0;
  if (exact)
    return permi_small_exact(isa, n, parts, full.integer, n, result);
  return permi_check_entries(copies.m, copies.n, problem->real, 1, copies.ld, parts, NULL) == PERM_OK &&
         permi_small_result(isa, n, parts, full.real, n, result) && !(options && permi_wants_more(options, result));
}

static perm_status permi_compute_copies(const permi_problem *problem, const perm_options *options, perm_result *result)
{
  permi_environment environment;
  permi_environment_begin(&environment);
  if (result && permi_asks_no_more(options, problem->integer != NULL, permi_problem_bytes(problem)) &&
      permi_copies_at_once(problem, options, result))
    return permi_environment_end(&environment, PERM_OK);
  return permi_environment_end(&environment, permi_compute(problem, PERMI_WITH_COUNTS, 7, options, result));
}

static perm_status permi_array_job(const permi_problem *problem, const perm_options *options_given, perm_job **job,
                                   perm_result *result)
{
  permi_metered call;
  permi_result_clear(result);
  if (!job)
    return permi_fail(result, PERM_ERROR_NULL, 6, "job is NULL");
  const perm_options *options = permi_meter_begin(&call, options_given, permi_problem_bytes(problem));
  return permi_meter_end(
      &call, permi_job_asked(permi_problem_job(problem, 5, options, job, result), options, job), result);
}

#define PERMI_PUBLIC(name, entry, problem_of, reach)                                                                   \
  PERM_API perm_status perm_compute_##name(int m, int n, const entry *a, ptrdiff_t ld, const perm_options *options,    \
                                           perm_result *result)                                                        \
  {                                                                                                                    \
    const permi_problem problem = problem_of(m, n, a, ld, reach, NULL, NULL);                                          \
    return permi_compute_array(&problem, options, result);                                                             \
  }                                                                                                                    \
  PERM_API perm_status perm_compute_repeated_##name(int m, int n, const entry *a, ptrdiff_t ld, const int *row_counts, \
                                                    const int *column_counts, const perm_options *options,             \
                                                    perm_result *result)                                               \
  {                                                                                                                    \
    const permi_problem problem = problem_of(m, n, a, ld, reach, row_counts, column_counts);                           \
    return permi_compute_copies(&problem, options, result);                                                            \
  }                                                                                                                    \
  PERM_API perm_status perm_job_##name(int m, int n, const entry *a, ptrdiff_t ld, const perm_options *options,        \
                                       perm_job **job, perm_result *result)                                            \
  {                                                                                                                    \
    const permi_problem problem = problem_of(m, n, a, ld, reach, NULL, NULL);                                          \
    return permi_array_job(&problem, options, job, result);                                                            \
  }
PERMI_PUBLIC(real, double, permi_doubles, &permi_reach_real)
PERMI_PUBLIC(complex, double, permi_doubles, &permi_reach_complex)
PERMI_PUBLIC(integer, int64_t, permi_integers, &permi_reach_real)
PERMI_PUBLIC(gaussian, int64_t, permi_integers, &permi_reach_complex)

PERMI_NEVER_INLINE static double permi_real_general(int n, const double *a)
{
  const permi_problem problem = permi_doubles(n, n, a, n, &permi_bare_real, NULL, NULL);
  perm_result result;
  permi_compute(&problem, PERMI_AS_IT_STANDS, 5, NULL, &result);
  return permi_ldexp(result.value, result.exp2);
}

/* Up to this order perm_real and perm_complex save the look at the environment, 2 ns: what they promise holds in others
   (tests/proofs/small.g). */
#define PERMI_UNLOOKED_N 8

PERM_API double perm_real(int n, const double *a)
{
  double out[3];
  if (n >= 2 && n <= PERMI_SMALL_N && a && (n <= PERMI_UNLOOKED_N || permi_rounding_is_sound()) &&
      permi_small_real(n < 4 ? PERM_ISA_PLAIN : permi_isa_doubles(perm_isa_best()), n, a, out))
    return out[0];
  return permi_real_general(n, a);
}

PERMI_NEVER_INLINE static perm_status permi_complex_general(int n, const double *a, double *value)
{
  perm_result result;
  perm_status status = perm_compute_complex(n, n, a, n, NULL, &result);
  value[0] = permi_ldexp(result.value, result.exp2);
  value[1] = permi_ldexp(result.imaginary, result.exp2);
  return status;
}

PERM_API perm_status perm_complex(int n, const double *a, double *value)
{
  double out[4];
  if (!value)
    return PERM_ERROR_NULL;
  if (n >= 2 && n <= PERMI_SMALL_N && a && (n <= PERMI_UNLOOKED_N || permi_rounding_is_sound()) &&
      permi_small_complex(permi_isa_doubles(perm_isa_best()), n, a, out)) {
    value[0] = out[0];
    value[1] = out[1];
    return PERM_OK;
  }
  return permi_complex_general(n, a, value);
}

PERMI_BRIEF_BEGIN

/* ========================================================================================= >>minors
   Permanents without one row and one column: by kernels that write copies out (>>minors_dense), of non-negative
   matrices by a dynamic program, else, and in double-double, each as a permanent of its own. */

#if !defined(PERM_NO_EXTRAS)
#define PERMI_MINORS_TOTAL 256 /* products of binomials stay below 2^256 */

typedef struct permi_minors {
  int parts, lines[2]; /* distinct; a wanted row is last */
  int least;           /* the first wanted row */
  int total;           /* of copies */
  int count[2][PERM_MAX_N], origin[2][PERM_MAX_N], exp2[2][PERM_MAX_N]; /* of rows and columns */
  int lossy, drops;   /* drops: entries on no transversal */
  double below, lost; /* by the grid; by underflow, times 2^scale_exp2 */
  const permi_minors_kernel *kernel; /* or NULL */
  permi_minors_sum sum;
  int subsets, in_doubles; /* in_doubles: not permanents of their own */
  int transposed;          /* for subsets */
  uint64_t chunks;
  double terms, seconds;
  double estimate_relative;   /* to the sum of |terms|, or to the largest error */
  int scale_exp2;             /* of sums, */
  long long unit_exp2;        /* of the permanent, over scaled minors */
  double largest;             /* modulus of what was written */
  double entry[PERM_MAX_N][PERM_MAX_N][2]; /* not scaled; last: not cleared */
} permi_minors;

/* absolute: by row, sums of |terms| or the largest error, times 2^absolute_exp2. */
typedef struct permi_minors_total {
  permi_dd *value;
  long long *exp2;
  double *absolute;
  long long absolute_exp2[PERM_MAX_N];
  int count; /* of values */
} permi_minors_total;

static double permi_minors_scaled(const permi_minors *minors, int turned, int i, int j, int part)
{
  const double x = turned ? minors->entry[j][i][part] : minors->entry[i][j][part];
  return permi_shift(x, minors->exp2[turned][i] + minors->exp2[!turned][j]);
}

static int permi_minors_exponent(const permi_minors *minors, int turned, int i, int j, int part)
{
  const double x = turned ? minors->entry[j][i][part] : minors->entry[i][j][part];
  return x != 0 ? permi_exponent(x) + minors->exp2[turned][i] + minors->exp2[!turned][j] : INT_MIN;
}

/* Returns a minor's place, negative if it is not wanted. */
static int permi_minors_place(const permi_minors *minors, int turned, int i, int j)
{
  return ((turned ? j : i) - minors->least) * minors->lines[1] + (turned ? i : j);
}

static int permi_minors_most(const permi_minors *minors, int side, int i, int others)
{
  int j, part, most = INT_MIN;
  for (j = 0; j < others; j++)
    for (part = 0; part < minors->parts; part++) {
      const int e = permi_minors_exponent(minors, side, i, j, part);
      most = e > most ? e : most;
    }
  return most;
}

/* Scales rows to sums of at most 1; sets lossy and unit_exp2. */
static void permi_minors_scale_rows(permi_minors *minors)
{
  minors->lossy = 0;
  for (int i = 0; i < minors->lines[0]; i++) {
    const int most = permi_minors_most(minors, 0, i, minors->lines[1]);
    double sum = 0;
    if (most == INT_MIN)
      continue;
    minors->exp2[0][i] -= most;
    for (int j = 0; j < minors->lines[1]; j++)
      for (int part = 0; part < minors->parts; part++)
        sum += minors->count[1][j] * fabs(permi_minors_scaled(minors, 0, i, j, part));
    minors->exp2[0][i] -= permi_log2_ceiling(sum * (1 + 1e-12));
    for (int j = 0; j < minors->lines[1]; j++)
      for (int part = 0; part < minors->parts; part++) {
        const int e = permi_minors_exponent(minors, 0, i, j, part);
        minors->lossy |= e > INT_MIN && e < DBL_MIN_EXP;
      }
  }
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < minors->lines[side]; i++)
      minors->unit_exp2 -= (long long)minors->count[side][i] * minors->exp2[side][i];
}

static void permi_minors_write_out(const permi_minors *minors, int turned, double *full)
{
  for (int i = 0; i < minors->lines[turned]; i++)
    for (int copy = 0; copy < minors->count[turned][i]; copy++)
      for (int j = 0; j < minors->lines[!turned]; j++)
        for (int k = 0; k < minors->count[!turned][j]; k++)
          for (int part = 0; part < minors->parts; part++)
            *full++ = permi_minors_scaled(minors, turned, i, j, part);
}

/* Scales columns as >>scale unless that drops entries that minors need, else to largest entries of about 1; then rows.
   Returns 0 if all that is wanted is 0. full: room for PERM_MAX_N rows, or NULL. */
static int permi_minors_scale(permi_minors *minors, double *full)
{
  const int one_row = minors->least == minors->lines[0] - 1, n = minors->total;
  permi_dense_plan plan;
  int side, i, j, first, useful = full != NULL;
  if (full) {
    const permi_view view = permi_view_of(full, n, minors->parts, NULL);
    permi_minors_write_out(minors, 0, full);
    for (j = 0; one_row && j < n * minors->parts; j++)
      full[(size_t)(n - 1) * (size_t)(n * minors->parts) + (size_t)j] = 1;
    memset(&plan, 0, sizeof plan);
    plan.n = n;
    permi_plan_scale(&plan, &view, (int (*)[PERM_MAX_N])(void *)(full + n * n * view.parts));
    if (plan.zero && (one_row || minors->drops))
      return 0;
    useful = !plan.zero;
    for (i = 0; i < n && !one_row && !minors->drops && useful; i++)
      for (j = 0; j < n * view.parts; j++) {
        const double x = permi_at(&view, i, j / view.parts, j % view.parts);
        useful &= x == 0 || permi_exponent(x) + plan.row_exp2[i] + plan.column_exp2[j / view.parts] >= DBL_MIN_EXP;
      }
    for (j = 0, first = 0; j < minors->lines[1] && useful; first += minors->count[1][j++])
      for (i = 1; i < minors->count[1][j]; i++) /* copies must be scaled alike */
        useful &= plan.column_exp2[first + i] == plan.column_exp2[first];
  }
  for (side = 0; side < 2; side++)
    for (i = 0; i < minors->lines[side]; i++) {
      const int most = permi_minors_most(minors, side, i, minors->lines[!side] - (side && one_row));
      minors->exp2[side][i] = most > INT_MIN ? -most : 0;
    }
  for (j = 0, first = 0; j < minors->lines[1] && useful; first += minors->count[1][j++])
    minors->exp2[1][j] = plan.column_exp2[first];
  permi_minors_scale_rows(minors);
  return 1;
}

static permi_dd permi_dd_divide_double(permi_dd a, double b)
{
  const double quotient = a.hi / b;
  const permi_dd rest = permi_dd_add(a, permi_dd_multiply(permi_dd_make(quotient), permi_dd_make(-b)));
  return permi_two_sum(quotient, rest.hi / b);
}

/* Permanents inside a call report to its control by this. */
typedef struct permi_inner {
  permi_control *control;
  double before, each; /* of the call's predicted work */
} permi_inner;

static int permi_inner_progress(const perm_progress *progress, void *user_data)
{
  const permi_inner *inner = (const permi_inner *)user_data;
  inner->control->stopped =
      permi_control_poll(inner->control, inner->before + inner->each * progress->fraction, progress->activity);
  return inner->control->stopped != PERM_OK;
}

static double permi_minors_terms(const permi_minors *minors, int side, int half)
{
  const int *count = minors->count[side], last = minors->lines[side] - 1;
  double terms = (half ? count[last] / 2 : count[last]) + 1;
  for (int j = 0; j < last; j++)
    terms *= count[j] + 1;
  return terms;
}

static void permi_minors_plan_permanents(permi_minors *minors)
{
  const int copies = minors->total > minors->lines[0] || minors->total > minors->lines[1];
  const double each = copies ? permi_seconds_form_dd[minors->parts - 1] : PERMI_MINORS_DD_SECONDS * minors->parts;
  minors->kernel = NULL;
  minors->subsets = 0;
  minors->terms = fmin(permi_minors_terms(minors, 0, 1), permi_minors_terms(minors, 1, 1));
  minors->seconds = each * minors->terms * minors->total * (minors->lines[0] - minors->least) * minors->lines[1];
  minors->chunks = 1;
  minors->scale_exp2 = 0;
  minors->estimate_relative = 1;
}

/* Minor (i, j) in double-double. */
static perm_status permi_minors_permanent(const permi_minors *minors, int i, int j, const perm_options *options,
                                          double *entry, permi_minors_total *total, perm_result *result)
{
  const int parts = minors->parts, row = i - minors->least, place = row * minors->lines[1] + j;
  const long long unit = minors->unit_exp2 + minors->exp2[0][i] + minors->exp2[1][j];
  int line[2][PERM_MAX_N], count[2][PERM_MAX_N], kept[2], side, k, r, s, part, e, copies = 0;
  perm_options own = *options;
  double *to = entry;
  for (side = 0; side < 2; side++)
    for (k = kept[side] = 0; k < minors->lines[side]; k++) {
      const int left = minors->count[side][k] - (k == (side ? j : i));
      copies |= left > 1;
      if (left) {
        line[side][kept[side]] = k;
        count[side][kept[side]++] = left;
      }
    }
  for (r = 0; r < kept[0]; r++)
    for (s = 0; s < kept[1]; s++)
      for (part = 0; part < parts; part++)
        *to++ = minors->entry[line[0][r]][line[1][s]][part];
  own.method = options->method != PERM_METHOD_GLYNN ? PERM_METHOD_AUTO
               : copies                             ? PERM_METHOD_MULTIPLICITIES
                                                    : PERM_METHOD_GLYNN;
  const permi_problem problem = permi_problem_make(kept[0], kept[1], entry, NULL, kept[1], permi_reach_of(parts),
                                                   copies ? count[0] : NULL, copies ? count[1] : NULL);
  permi_compute(&problem, copies ? PERMI_WITH_COUNTS : PERMI_AS_IT_STANDS, 7, &own, result);
  for (part = 0; part < parts; part++) { /* times copies it may leave double's range */
    total->value[place * parts + part] = permi_dd_make(frexp(part ? result->imaginary : result->value, &e));
    total->exp2[place * parts + part] = result->exp2 - unit + e;
  }
  if (result->error_estimate > permi_ldexp(total->absolute[row], total->absolute_exp2[row] - result->exp2 + unit)) {
    total->absolute[row] = result->error_estimate;
    total->absolute_exp2[row] = result->exp2 - unit;
  }
  return result->status;
}

PERMI_NEVER_INLINE static perm_status permi_minors_permanents(permi_minors *minors, const perm_options *options,
                                                              permi_control *control, permi_minors_total *total,
                                                              perm_result *result)
{
  const int rows = minors->lines[0] - minors->least, columns = minors->lines[1];
  perm_options own = *options;
  permi_inner inner = {control, 0, minors->seconds / (rows * columns)};
  double *entry = (double *)permi_allocate(&options->allocator, sizeof minors->entry, 1);
  perm_result one;
  perm_status status = entry ? PERM_OK : PERM_ERROR_MEMORY;
  own.precision = PERM_PRECISION_DD;
  own.tolerance = own.max_seconds = 0;
  own.gpu.devices = 0;
  own.isa = options->isa == PERM_ISA_CUDA ? PERM_ISA_AUTO : options->isa;
  own.progress = permi_inner_progress;
  own.user_data = &inner;
  minors->terms = 0;
  result->precision = PERM_PRECISION_DD;
  for (int k = 0; k < rows * columns && status == PERM_OK; k++) {
    inner.before = k * inner.each;
    status = permi_minors_permanent(minors, minors->least + k / columns, k % columns, &own, entry, total, &one);
    minors->terms += one.terms;
    result->method = one.method;
    result->isa = one.isa;
    result->threads = one.threads > result->threads ? one.threads : result->threads;
    if (status < 0)
      memcpy(control->message, one.message, sizeof control->message);
    else if (status > 0 && control->stopped != PERM_OK)
      status = control->stopped;
    else if (status == PERM_OK)
      status = permi_control_poll(control, inner.before + inner.each, "summing");
  }
  permi_release(&options->allocator, entry);
  return status;
}

/* Minors of non-negative matrices by a dynamic program: v_i = 0..r_i of the r_i copies of row i are used, columns with
   copies are places, and |v| is the next.
       before[v]          permanent of v's rows and the first |v| places: sum_i v_i a_ip before[v - e_i], p = |v|
       after[v]           d per / d before[v]: after[v - e_i] sums v_i a_ip after[v]
       d per / d a_ip     sum over |v| = p of v_i after[v] before[v - e_i]: r_i times the minor
   THE BOUND: a minor errs by (N (rows + 2) + PERMI_PLACING_APART + 8) u of itself, N places, to a thousandth;
   underflow loses less than 2^-498 states rows. */
#define PERMI_PLACING_EXP2 1000
#define PERMI_PLACING_APART 256
#define PERMI_PLACING_BYTES 1e9 /* chosen: of both tables */

typedef struct permi_placing {
  int rows, places;
  const int *count;
  double *entry, *recent; /* [place][row]; recent: last derivatives */
  permi_dd *derivative;   /* in units of 2^(N - PERMI_PLACING_EXP2) */
} permi_placing;

static void permi_placing_gather(permi_placing *of)
{
  for (int k = 0; k < of->rows * of->places; k++) {
    of->derivative[k] = permi_dd_add(of->derivative[k], permi_dd_make(of->recent[k]));
    of->recent[k] = 0;
  }
}

static perm_status permi_placing_sum(permi_placing *of, size_t states, double *before, double *after, double seconds,
                                    permi_control *control)
{
  const int rows = of->rows, *count = of->count;
  size_t stride[PERM_MAX_N], s;
  double v[PERM_MAX_N];
  uint64_t some = 0, left; /* rows of which v is not 0 */
  perm_status status = PERM_OK;
  int i, used = 0;
  for (i = 0; i < rows; i++) {
    stride[i] = i ? stride[i - 1] * (size_t)(count[i - 1] + 1) : 1;
    v[i] = 0;
  }
  before[0] = ldexp(1, PERMI_PLACING_EXP2 / 2);
  for (s = 1; s < states && status == PERM_OK; s++) {
    double sum = 0;
    for (i = 0; v[i] == count[i]; i++) {
      used -= count[i];
      v[i] = 0;
    }
    v[i]++;
    some = (some >> i | 1) << i;
    const double *a = of->entry + used++ * rows;
    for (left = some; left; left &= left - 1) {
      i = permi_trailing_zeros(left);
      sum += v[i] * a[i] * before[s - stride[i]];
    }
    before[s] = sum;
    if (!(s & 0xffff))
      status = permi_control_poll(control, seconds * (double)s / (3.0 * (double)states), "subsets");
  }
  after[states - 1] = ldexp(1, PERMI_PLACING_EXP2 / 2 - of->places);
  for (s = states - 1; s > 0 && status == PERM_OK; s--) {
    const double *a = of->entry + --used * rows;
    double *sum = of->recent + used * rows;
    for (left = after[s] > 0 ? some : 0; left; left &= left - 1) {
      i = permi_trailing_zeros(left);
      const double weight = v[i] * after[s];
      sum[i] += weight * before[s - stride[i]];
      after[s - stride[i]] += weight * a[i];
    }
    for (i = 0; v[i] == 0; i++) {
      v[i] = count[i];
      used += count[i];
    }
    v[i]--;
    some = v[i] > 0 ? some | ((UINT64_C(1) << i) - 1) : some - 1;
    if (!(s % PERMI_PLACING_APART))
      permi_placing_gather(of);
    if (!(s & 0xffff))
      status = permi_control_poll(control, seconds * (1 - (double)s / (1.5 * (double)states)), "subsets");
  }
  permi_placing_gather(of);
  return status;
}

static void permi_minors_plan_subsets(permi_minors *minors, const perm_options *options)
{
  const double states[2] = {permi_minors_terms(minors, 0, 0), permi_minors_terms(minors, 1, 0)};
  const int turned = states[1] * minors->lines[1] < states[0] * minors->lines[0], rows = minors->lines[turned];
  const double bytes = options->max_bytes > 0 ? fmin(PERMI_PLACING_BYTES, options->max_bytes / 2) : PERMI_PLACING_BYTES;
  const double seconds = PERMI_TERMS_SECONDS / 10 * states[turned] * rows;
  if (minors->parts == 2 || 16 * states[turned] > bytes || seconds >= minors->seconds)
    return;
  for (int i = 0; i < minors->lines[0]; i++)
    for (int j = 0; j < minors->lines[1]; j++)
      if (minors->entry[i][j][0] < 0)
        return;
  minors->subsets = 1;
  minors->transposed = turned;
  minors->terms = states[turned];
  minors->seconds = seconds;
  minors->scale_exp2 = PERMI_PLACING_EXP2 - minors->total;
  minors->estimate_relative = 1.001 * PERMI_UNIT * (minors->total * (rows + 2) + PERMI_PLACING_APART + 8);
  minors->lost = ldexp(minors->terms * rows, 2 - PERMI_PLACING_EXP2 / 2);
}

static perm_status permi_minors_subsets(const permi_minors *minors, const perm_options *options,
                                        permi_control *control, permi_minors_total *total)
{
  const int turned = minors->transposed, rows = minors->lines[turned], places = minors->total;
  const int lines = minors->lines[!turned], *copies = minors->count[!turned];
  const size_t many = (size_t)rows * (size_t)places, states = (size_t)minors->terms;
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_dd *derivative = (permi_dd *)permi_pool_zeros(&pool, many, sizeof *derivative);
  double *entry = (double *)permi_pool_zeros(&pool, 2 * many, sizeof *entry);
  double *table = (double *)permi_pool_get(&pool, 2 * states, sizeof *table);
  permi_placing of = {rows, places, minors->count[turned], entry, entry, derivative};
  perm_status status = PERM_ERROR_MEMORY;
  if (!pool.failed) {
    of.recent += many;
    for (int line = 0, p = 0; line < lines; line++)
      for (int copy = 0; copy < copies[line]; copy++, p++)
        for (int i = 0; i < rows; i++)
          entry[p * rows + i] = permi_minors_scaled(minors, turned, i, line, 0);
    status = permi_copy(control, table + states, NULL, states * sizeof *table)
                 ? permi_placing_sum(&of, states, table, table + states, minors->seconds, control)
                 : control->stopped;
    memset(total->exp2, 0, (size_t)total->count * sizeof *total->exp2);
    for (int line = 0, p = 0; line < lines; p += copies[line++])
      for (int i = 0; i < rows; i++) {
        const int place = permi_minors_place(minors, turned, i, line);
        const permi_dd minor = permi_dd_divide_double(derivative[p * rows + i], of.count[i]);
        const int row = place / minors->lines[1];
        if (place < 0)
          continue;
        total->value[place] = minor;
        total->absolute[row] = fmax(total->absolute[row], minor.hi);
      }
  }
  permi_pool_release(&pool);
  return status;
}
#endif

PERMI_BRIEF_END

/* =================================================================================== >>minors_dense */

#if !defined(PERM_NO_EXTRAS)
static const permi_minors_kernel *permi_minors_kernel_for(perm_isa isa, int n, int parts)
{
  const permi_minors_kernel *kernel = permi_minors_kernels;
  const permi_minors_kernel *const end = kernel + sizeof permi_minors_kernels / sizeof *permi_minors_kernels;
  for (; kernel < end; kernel++)
    if (kernel->isa <= isa && kernel->parts == parts && kernel->least <= n)
      return kernel;
  return NULL;
}

#define PERMI_MINORS_FREE 16 /* columns of a chunk */

/* Returns 0 below order 3; `full` is where the matrix will be. */
static int permi_minors_plan_dense(permi_minors *minors, perm_isa isa, const double *full)
{
  const int n = minors->total, one_row = minors->least > 0;
  const int fixed = n < PERMI_MINORS_FREE ? 0 : n - PERMI_MINORS_FREE;
  const permi_minors_sum sum = {n - one_row, n, one_row ? 1 : n, fixed, full};
  const permi_minors_kernel *kernel = permi_minors_kernel_for(isa, n, minors->parts);
  if (!kernel)
    return 0;
  minors->kernel = kernel;
  minors->sum = sum;
  minors->subsets = 0;
  minors->terms = ldexp(1, n - 1);
  minors->seconds = minors->terms * n / kernel->rate * (one_row ? 1 : 3);
  minors->chunks = UINT64_C(1) << fixed;
  minors->scale_exp2 = fixed;
  minors->estimate_relative = 4 * n * PERMI_UNIT;
  return 1;
}

typedef struct permi_minors_sharing {
  const permi_minors *minors;
  permi_control *control;
  size_t room, per_thread; /* of the kernel and of all, in doubles */
  double *memory;
  perm_sum *sums; /* of minors, then of rows' moduli */
  int count, rows;
} permi_minors_sharing;

static perm_status permi_minors_chunk(void *context, uint64_t chunk, int thread)
{
  const permi_minors_sharing *run = (const permi_minors_sharing *)context;
  const permi_minors *minors = run->minors;
  const int n = minors->total, parts = minors->parts;
  double *work = run->memory + (size_t)thread * run->per_thread, *out;
  perm_sum *mine = run->sums + (size_t)thread * (size_t)(run->count + run->rows), *moduli = mine + run->count;
  work += (64 - ((uintptr_t)work & 63)) % 64 / sizeof(double);
  out = work + run->room;
  minors->kernel->run(&minors->sum, chunk, work, out);
  for (int i = minors->least; i < minors->lines[0]; out += minors->count[0][i++] * (n * parts + 1)) {
    const double *minor = out; /* of first copies */
    for (int j = 0; j < minors->lines[1]; minor += minors->count[1][j++] * parts)
      for (int part = 0; part < parts; part++)
        permi_sum_add_double(mine++, minor[part]);
    permi_sum_add_double(moduli++, out[n * parts]);
  }
  return thread ? PERM_OK
                : permi_control_poll(run->control, (double)(chunk + 1) * minors->seconds / (double)minors->chunks,
                                     "summing");
}

static void permi_minors_collect(const perm_sum *sums, int rows, permi_minors_total *total)
{
  long long e;
  for (int i = 0; i < total->count; i++)
    total->value[i] = permi_sum_value(&sums[i], &total->exp2[i]);
  for (int i = 0; i < rows; i++) {
    total->absolute[i] = permi_sum_value(&sums[total->count + i], &e).hi;
    total->absolute[i] = permi_ldexp(total->absolute[i], e);
  }
}

/* Row sums round by units of norms, which |terms| hide if a row cancels in all. */
static perm_status permi_minors_execute(const permi_minors *minors, const perm_options *options, permi_control *control,
                                        int threads, double *full, permi_minors_total *total)
{
  const permi_minors_sum *sum = &minors->sum;
  const int rows = minors->lines[0] - minors->least, sums = total->count + rows, parts = minors->parts;
  const size_t room = (size_t)(sum->rows * PERMI_MINORS_ROW(parts) +
                               sum->group * PERMI_MINORS_SUMS(sum->n - sum->fixed, parts));
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_minors_sharing run = {minors, control, room, room + 8 + (size_t)(sum->group * (sum->n * parts + 1)), NULL, NULL,
                              total->count, rows};
  perm_status status = PERM_ERROR_MEMORY;
  int i, k, all;
  run.memory = (double *)permi_pool_get(&pool, (size_t)threads, run.per_thread * sizeof(double));
  run.sums = (perm_sum *)permi_pool_zeros(&pool, (size_t)(threads * sums), sizeof *run.sums);
  if (!pool.failed) {
    permi_minors_write_out(minors, 0, full);
    permi_small_size size = permi_small_sizes_plain(sum->rows, sum->n * parts, full);
    status = permi_share(threads, 0, minors->chunks, permi_minors_chunk, &run, &all);
    status = all ? PERM_OK : status;
    for (k = 1; k < threads; k++)
      for (i = 0; i < sums; i++)
        permi_sum_add(&run.sums[i], &run.sums[k * sums + i]);
    permi_minors_collect(run.sums, rows, total);
    for (i = 0; i < rows; i++)
      total->absolute[i] += ldexp(sqrt(minors->least ? size.squares : size.other_squares), minors->scale_exp2);
  }
  permi_pool_release(&pool);
  return status;
}

/* Small minors have no plan, job or clock: n <= 16, with copies 12; by expansion up to n = 4. THE BOUND: K u / (1 - K
   u) times prod R_i over a minor's rows, R_i = sum_j |a_ij|, K = permi_small_roundings, and underflow
   (tests/proofs/small.g). Estimates: 4 n u times the sum of |terms| and the product of rows' norms. */
#define PERMI_SMALL_MINORS_LARGEST 1e13 /* sum of the R_i, n > 4: no product of squares overflows */
#define PERMI_FAR_MINORS_LARGEST 1e10   /* n > 12 */
#define PERMI_SMALL_MINORS_ROOM 900 /* doubles on the stack */
#define PERMI_SMALL_MINORS_DOUBLES (PERMI_SMALL_N * (2 * PERMI_SMALL_N + 1)) /* with sums of |terms| */

/* gradient: 1 for all rows; counts may be NULL. */
typedef struct permi_minors_call {
  int m, n, row, gradient, marginals;
  permi_view view;
  const int *counts[2];
  double *out;
} permi_minors_call;

/* rows: n for gradients, else n - 1; factor: of minors, at most. */
typedef struct permi_small_minors {
  perm_isa isa;
  int n, parts, rows;
  const double *a;
  double factor, bound, estimate;
} permi_small_minors;

/* Minors of rows a, b, c by expansion along c. */
PERMI_INLINE void permi_small_minors_expand(const permi_number_plain *a, const permi_number_plain *b,
                                            const permi_number_plain *c, int n, double *out, int parts)
{
  static const int others[4][3] = {{3, 2, 1}, {3, 2, 0}, {3, 1, 0}, {2, 1, 0}};
  permi_number_plain pair[4][4];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++)
      pair[i][j] = permi_plus_times_plain(permi_times_plain(a[i], b[j], parts), b[i], a[j], parts);
  for (int j = 0; j < n; j++) {
    const int *at = others[j];
    permi_number_plain x = permi_times_plain(c[at[0]], pair[at[1]][at[2]], parts);
    x = permi_plus_times_plain(x, c[at[1]], pair[at[0]][at[2]], parts);
    x = permi_plus_times_plain(x, c[at[2]], pair[at[0]][at[1]], parts);
    permi_put_plain(out + j * parts, 1, x, parts);
  }
}

/* Minors for n <= 4, which an identity makes 4; the permanent of moduli stands for the sum of |terms|. */
static void permi_small_minors_few(const permi_small_minors *of, double *out)
{
  const int n = of->n, parts = of->parts, gradient = of->rows == n;
  permi_number_plain row[4][4], size[4][4];
  double moduli[4];
  int i, j, k;
  memset(row, 0, sizeof row);
  memset(size, 0, sizeof size);
  for (i = k = 0; i < of->rows; i++)
    for (j = 0; j < n; j++, k += parts) {
      row[i][j] = permi_spread_plain(of->a + k, 1, parts);
      size[i][j].re = fabs(row[i][j].re) + (parts == 2 ? fabs(row[i][j].im) : 0);
    }
  for (j = n; j < 4; j++, i++)
    row[i][j].re = size[i][j].re = 1;
  for (i = gradient ? 0 : 3; i < (gradient ? n : 4); i++, out += n * parts + 1) {
    const int first = i == 0, second = 1 + (i < 2), third = 2 + (i < 3);
    permi_small_minors_expand(size[first], size[second], size[third], n, moduli, 1);
    if (parts == 2)
      permi_small_minors_expand(row[first], row[second], row[third], n, out, 2);
    else
      permi_small_minors_expand(row[first], row[second], row[third], n, out, 1);
    for (j = 0, out[n * parts] = 0; j < n; j++)
      out[n * parts] = moduli[j] > out[n * parts] ? moduli[j] : out[n * parts];
  }
}

PERMI_NEVER_INLINE static int permi_small_minors_compute(permi_small_minors *of, const perm_allocator *allocator,
                                                         double *out)
{
  const int n = of->n, width = n * of->parts, gradient = of->rows == n;
  const permi_small_size size = permi_small_sizes(gradient ? PERM_ISA_PLAIN : of->isa, of->rows, width, of->a);
  const double moduli = gradient ? size.other_sums : size.sums;
  const double largest = n > PERMI_NEAR_N ? PERMI_FAR_MINORS_LARGEST
                         : n > 4          ? PERMI_SMALL_MINORS_LARGEST
                                          : PERMI_FOUR_LARGEST;
  const permi_minors_sum sum = {of->rows, n, gradient ? n : 1, 0, of->a};
  const int room = n * PERMI_MINORS_ROW(of->parts) + sum.group * PERMI_MINORS_SUMS(n, of->parts);
  double few[PERMI_SMALL_MINORS_ROOM] PERMI_ALIGN64, *work = few, *many = NULL, most = 0;
  if (permi_not_finite(size.moduli) || size.moduli > largest)
    return 0;
  if (n > 4 && room > PERMI_SMALL_MINORS_ROOM) {
    many = (double *)permi_allocate(allocator, (size_t)room + 8, sizeof *many);
    if (!many)
      return 0;
    work = (double *)(void *)(((uintptr_t)many + 63) & ~(uintptr_t)63);
  }
  if (n > 4)
    permi_minors_kernel_for(of->isa, n, of->parts)->run(&sum, 0, work, out);
  else
    permi_small_minors_few(of, out);
  permi_release(allocator, many);
  for (int i = 0; i < (gradient ? n : 1); i++)
    most = out[i * (width + 1) + width] > most ? out[i * (width + 1) + width] : most;
  if (permi_small_rounds_nothing(n, of->rows * width, of->a, 4 * of->factor * moduli)) {
    of->bound = of->estimate = 0;
    return 1;
  }
  of->bound = n > 4 ? 1.001 * PERMI_UNIT * permi_small_roundings(n) * moduli + 1e-170
                    : 1.001 * PERMI_UNIT * 16 * most + 1e-200;
  of->estimate = n > 4 ? 4 * n * PERMI_UNIT * (most + sqrt(gradient ? size.other_squares : size.squares))
                       : 0.1 * of->bound;
  of->estimate = of->estimate < of->bound ? of->estimate : of->bound;
  return 1;
}

static int permi_small_minors_write_out(const permi_minors_call *call, permi_small_minors *task, double *full)
{
  const permi_view *view = &call->view;
  const int m = call->m, n = call->n, gradient = call->gradient;
  int rows[PERM_MAX_N], most[2] = {1, 1}, i, j, finite = 1;
  const permi_copies copies = {m, n, view->a, view->ld, rows, call->counts[1]};
  if (m > PERM_MAX_N || n > PERM_MAX_N)
    return 0;
  for (i = 0; i < m; i++) {
    rows[i] = call->counts[0] ? call->counts[0][i] : 1;
    most[0] = rows[i] > most[0] ? rows[i] : most[0];
    for (j = 0; j < n * view->parts; j++) /* in lines without a copy, too */
      finite &= !permi_not_finite(view->a[i * view->ld * view->parts + j]);
  }
  for (j = 0; j < n && call->counts[1]; j++)
    most[1] = call->counts[1][j] > most[1] ? call->counts[1][j] : most[1];
  if (!gradient && rows[call->row] <= 0)
    return 0;
  if (!gradient)
    rows[call->row]--;
  task->n = permi_small_write_out(&copies, view->parts, !gradient, full);
  task->factor = gradient ? (double)most[0] * most[1] : 1;
  return finite && task->n >= 2;
}

static int permi_small_minors_rows(const permi_minors_call *call, permi_small_minors *task, double *full)
{
  const permi_view *view = &call->view;
  const int n = call->n, width = n * view->parts, row = call->gradient ? -1 : call->row;
  double *to = full;
  if (call->m < 1 || n < 1 || row < -call->gradient || row >= call->m || !view->a || !call->out ||
      !permi_stride_fits(call->m, n, view->ld, 8 * view->parts))
    return 0;
  task->n = n;
  task->factor = 1;
  task->a = full;
  if (call->counts[0] || call->counts[1]) {
    if (!permi_small_minors_write_out(call, task, full))
      return 0;
  } else if (call->m != n || n < 2 || n > PERMI_SMALL_N) {
    return 0;
  } else if (view->ld == n && (row < 0 || row == n - 1)) {
    task->a = view->a;
  } else {
    for (int i = 0; i < n; i++)
      if (i != row) {
        memcpy(to, view->a + i * view->ld * view->parts, (size_t)width * sizeof *to);
        to += width;
      }
  }
  task->rows = task->n - !call->gradient;
  return 1;
}

/* Returns 0 if products may leave the range. */
static int permi_small_minors_value(const permi_minors_call *call, int i, const double *from, double *value)
{
  const int parts = call->view.parts;
  const double *a = call->view.a + i * call->view.ld * parts;
  double size = 0, row = 0;
  for (int j = 0; j < call->n; j++, a += parts) {
    const int columns = call->counts[1] ? call->counts[1][j] : 1;
    if (!columns)
      continue;
    row += fabs(a[0]);
    size += fabs(a[0] * from[0]);
    value[0] += columns * a[0] * from[0];
    if (parts == 2) {
      row += fabs(a[1]);
      size += fabs(a[1] * from[0]) + fabs(a[0] * from[1]) + fabs(a[1] * from[1]);
      value[0] -= columns * a[1] * from[1];
      value[1] += columns * (a[0] * from[1] + a[1] * from[0]);
    }
    from += columns * parts;
  }
  return permi_is_zero(row) || (!permi_not_finite(size) && size >= 1e-250 && size <= 1e250);
}

/* Returns the largest modulus. */
static double permi_small_minors_place(const permi_minors_call *call, int n, const double *raw)
{
  const int parts = call->view.parts, gradient = call->gradient;
  double *out = call->out, largest = 0;
  for (int i = 0; i < (gradient ? call->m : 1); i++) {
    const int rows = gradient && call->counts[0] ? call->counts[0][i] : 1;
    const double *from = raw;
    for (int j = 0; j < call->n; j++, out += parts) {
      const int columns = call->counts[1] ? call->counts[1][j] : 1, copies = rows * columns;
      const double factor = gradient ? copies : 1;
      for (int part = 0; part < parts; part++) {
        const double x = copies ? factor * from[part] : 0, size = fabs(x);
        out[part] = x;
        largest = size > largest ? size : largest;
      }
      from += columns * parts;
    }
    raw += rows * (n * parts + 1);
  }
  return largest;
}

/* Returns 0 for the general path. */
PERMI_NEVER_INLINE static int permi_small_minors_result(const permi_minors_call *call, const perm_options *options,
                                                        perm_result *result)
{
  const int parts = call->view.parts;
  double full[2 * PERMI_SMALL_N * PERMI_SMALL_N], raw[PERMI_SMALL_MINORS_DOUBLES], value[2] = {0, 0};
  int row;
  permi_small_minors task;
#if defined(PERM_NO_COMPLEX)
  if (parts == 2)
    return 0;
#endif
  if (!result || !permi_asks_no_more(options, 0, options ? permi_view_bytes(call->m, call->n, &call->view) : 0) ||
      !permi_small_minors_rows(call, &task, full))
    return 0;
  task.isa = task.n > 4 ? permi_isa(permi_options(options)) : PERM_ISA_PLAIN;
  task.parts = parts;
  if (!permi_small_minors_compute(&task, &permi_options(options)->allocator, raw))
    return 0;
  for (row = call->gradient ? 0 : call->row; call->counts[0] && !call->counts[0][row]; row++)
    ;
  if (!permi_small_minors_value(call, row, raw, value))
    return 0;
  const double largest = permi_small_minors_place(call, task.n, raw);
  if (task.estimate > 0 &&
      (!(largest >= PERMI_SMALL_LEAST) ||
       !(task.factor * task.estimate <= permi_wanted_relative(permi_options(options)) * largest)))
    return 0;
  permi_result_clear_brief(result);
  result->value = value[0];
  result->imaginary = value[1];
  result->error_bound = task.factor * task.bound + (task.factor > 1 && task.bound > 0 ? PERMI_UNIT * largest : 0);
  result->error_estimate = task.factor * task.estimate;
  permi_result_by(result, parts, task.n > 4 ? PERM_METHOD_DENSE : PERM_METHOD_EXPANSION, PERM_PRECISION_DEFAULT,
                  task.isa, (double)(1 << (task.n - 1)));
  return 1;
}
#endif

/* ========================================================================================== >>batch
   Many small matrices, one for each element of a vector: Laplace expansion (n = 2 .. 4), also along halves of the rows
   (real, n = 5 .. 8), or Glynn's signs (complex, n = 5 .. 11). Single calls take other orders, and values not large
   against their rounding errors. Blocks are copied: entries a power of two apart drive each other out of the cache. */

#if !defined(PERM_NO_EXTRAS)
#define PERMI_BATCH_TASK 256 /* matrices of a task up to order 14; 8 above, */
#define PERMI_BATCH_LARGE 14
#define PERMI_BATCH_APART 20 /* one, which threads share, above this */
#define PERMI_BATCH_ROW 544  /* doubles for tables of signs, times n + 1 */

typedef enum permi_batch_kind { PERMI_BATCH_MATRICES, PERMI_BATCH_ENTRIES, PERMI_BATCH_SELECTIONS } permi_batch_kind;

/* `most` is the largest order; `above` takes orders from 5 on. */
typedef struct permi_batch_kernel {
  perm_isa isa;
  int parts, width, most;
  int (*stream)(int n, const double *a, size_t stride, size_t vectors, double largest, double least, double *values);
  unsigned (*above)(const permi_batch_split *split, int n, const double *a, size_t stride, double least, double *out);
} permi_batch_kernel;

static const permi_batch_kernel permi_batch_kernels[] = {
#if PERMI_X86
    {PERM_ISA_AVX512, 1, 8, 8, permi_batch_stream_real_avx512, permi_batch_halves_real_avx512},
    {PERM_ISA_AVX2, 1, 4, 8, permi_batch_stream_real_avx2, permi_batch_halves_real_avx2},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_AVX512, 2, 8, 11, permi_batch_stream_complex_avx512, permi_batch_signs_complex_avx512},
    {PERM_ISA_AVX2, 2, 4, 11, permi_batch_stream_complex_avx2, permi_batch_signs_complex_avx2},
#endif
#elif PERMI_ARM
    {PERM_ISA_NEON, 1, 2, 4, permi_batch_stream_real_neon, NULL},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_NEON, 2, 2, 4, permi_batch_stream_complex_neon, NULL},
#endif
#endif
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_PLAIN, 2, 1, 4, permi_batch_stream_complex_plain, NULL},
#endif
    {PERM_ISA_PLAIN, 1, 1, 4, permi_batch_stream_real_plain, NULL}};

typedef struct permi_batch {
  permi_batch_kind kind;
  int n, parts, floats; /* floats: of GPUs */
  size_t count;
  const double *a;
  size_t stride;
  ptrdiff_t ld;
  const int *rows, *columns;
  const perm_options *options;
  const permi_batch_kernel *kernel;
  permi_batch_split split[70]; /* of halves */
  int plain;
  perm_isa isa;
  double *out;
  unsigned char *todo; /* 1: left by GPUs; NULL: GPUs not asked */
  size_t *list;        /* NULL, or what GPUs take */
  const size_t *place; /* of the caller's, or NULL */
  permi_control *control;
} permi_batch;

static size_t permi_batch_step(const permi_batch *batch)
{
  const size_t numbers = batch->kind == PERMI_BATCH_MATRICES ? batch->stride : (size_t)(batch->n * batch->n);
  return numbers * (size_t)batch->parts;
}

/* Returns row-major matrices, which other layouts copy to `to`. */
static const double *permi_batch_matrices(const permi_batch *batch, size_t first, size_t count, double *to)
{
  const int n = batch->n, parts = batch->parts;
  const size_t step = permi_batch_step(batch);
  const double *const matrices = to;
  size_t e, k;
  if (batch->kind == PERMI_BATCH_MATRICES)
    return batch->a + first * step;
  for (e = 0; e < step && batch->kind == PERMI_BATCH_ENTRIES; e++) {
    const double *from = batch->a + (e / (size_t)parts * batch->stride + first) * (size_t)parts + e % (size_t)parts;
    for (k = 0; k < count; k++, from += parts)
      to[k * step + e] = *from;
  }
  for (k = first * (size_t)n; k < (first + count) * (size_t)n && batch->kind == PERMI_BATCH_SELECTIONS; k += (size_t)n)
    for (int i = 0; i < n; i++) {
      const double *row = batch->a + (batch->rows ? batch->rows[k + (size_t)i] : i) * batch->ld * parts;
      for (int j = 0; j < n; j++, to += parts) {
        const double *entry = row + batch->columns[k + (size_t)j] * parts;
        to[0] = entry[0];
        to[parts - 1] = entry[parts - 1];
      }
    }
  return matrices;
}

/* Copies pairs x[0], x[other]: stores take longest. */
PERMI_INLINE void permi_batch_copy(const double *x, size_t other, size_t next, double *to, size_t apart, size_t times)
{
  PERMI_UNROLL_UP_TO(3)
  for (size_t k = 0; k < times; k++, x += next, to += apart) {
    const double two[2] = {x[0], x[other]};
    memcpy(to, two, sizeof two);
  }
}

/* Writes [entry][part][matrix]; the last matrix repeats. room: for the matrices. */
static void permi_batch_load(const permi_batch *batch, size_t first, size_t count, double *room, double *to)
{
  const size_t parts = (size_t)batch->parts, entries = (size_t)(batch->n * batch->n) * parts;
  const size_t step = permi_batch_step(batch);
  if (batch->kind == PERMI_BATCH_ENTRIES && count == PERMI_BATCH_BLOCK) {
    for (size_t e = 0; e < entries; e++, to += PERMI_BATCH_BLOCK)
      permi_batch_copy(batch->a + (e / parts * batch->stride + first) * parts + e % parts, parts, 2 * parts, to, 2,
                       PERMI_BATCH_BLOCK / 2);
    return;
  }
  const double *from = permi_batch_matrices(batch, first, count, room);
  for (size_t k = 0; k < PERMI_BATCH_BLOCK; k += 2)
    permi_batch_copy(from + (k < count ? k : count - 1) * step, k + 1 < count ? step : 0, 1, to + k, PERMI_BATCH_BLOCK,
                     entries);
}

/* Computes a matrix as a single call; NaN if stopped. */
PERMI_NEVER_INLINE static perm_status permi_batch_general(const permi_batch *batch, const double *matrix, int threads,
                                                          double *value)
{
  const double each = 1 / (double)batch->count;
  const int apart = batch->n > PERMI_BATCH_APART;
  permi_inner inner = {batch->control, (double)((size_t)(value - batch->out) / (size_t)batch->parts) * each, each};
  perm_options options = *batch->options;
  perm_result result;
  const permi_problem problem =
      permi_problem_make(batch->n, batch->n, matrix, NULL, batch->n, permi_reach_of(batch->parts), NULL, NULL);
  options.threads = threads;
  if (batch->todo) {
    options.gpu.devices = 0;
    options.isa = options.isa == PERM_ISA_CUDA ? PERM_ISA_AUTO : options.isa;
  }
  options.progress = apart ? permi_inner_progress : NULL;
  options.user_data = &inner;
  options.cancel = apart ? options.cancel : NULL;
  options.max_seconds = 0;
  permi_compute(&problem, PERMI_AS_IT_STANDS, 5, &options, &result);
  if (result.status == PERM_STOPPED_CANCELLED) {
    value[0] = value[batch->parts - 1] = (double)NAN;
    batch->control->stopped = batch->control->stopped != PERM_OK ? batch->control->stopped : result.status;
    return result.status;
  }
  value[batch->parts - 1] = permi_ldexp(result.imaginary, result.exp2);
  value[0] = permi_ldexp(result.value, result.exp2);
  return result.status;
}

/* Returns 1 if nothing was rounded or, by expansion, nothing lost or cancelled. */
static int permi_batch_stands(const permi_batch *batch, const double *a, const double *out, const double *value)
{
  const int n = batch->n, parts = batch->parts, entries = n * n * parts;
  int e, stands = fabs(value[0]) >= PERMI_SMALL_LEAST || fabs(value[parts - 1]) >= PERMI_SMALL_LEAST;
  if (n > 4)
    return out[parts * PERMI_BATCH_BLOCK] <= 1e30 &&
           permi_small_rounds_nothing(
               n, entries, a, 4 * sqrt(out[(parts + 1) * PERMI_BATCH_BLOCK]) * pow(n * parts, 0.5 * n));
  for (e = 0; e < entries; e++)
    stands &= fabs(a[e]) <= PERMI_FOUR_LARGEST;
  return stands || permi_small_is_safe(entries, a);
}

/* `failed` is the first that failed, or count. */
typedef struct permi_batch_task {
  const permi_batch *batch;
  int threads;
  double *memory;
  size_t failed;
  perm_status status;
} permi_batch_task;

static void permi_batch_one(permi_batch_task *task, size_t at, const double *matrix)
{
  const permi_batch *batch = task->batch;
  const int n = batch->n;
  double *value = batch->out + at * (size_t)batch->parts;
  perm_status status = PERM_OK;
  if (!(batch->plain && n >= 2 && n <= PERMI_SMALL_N && permi_small_value(batch->isa, n, batch->parts, matrix, value)))
    status = permi_batch_general(batch, matrix, task->threads, value);
  if (status < 0 && task->failed == batch->count) {
    task->failed = at;
    task->status = status;
  }
}

static void permi_batch_singles(permi_batch_task *task, size_t begin, size_t end)
{
  const permi_batch *batch = task->batch;
  for (size_t first = begin; first < end; first += PERMI_BATCH_BLOCK) {
    const size_t count = end - first < PERMI_BATCH_BLOCK ? end - first : PERMI_BATCH_BLOCK;
    const double *matrix = permi_batch_matrices(batch, first, count, task->memory);
    for (size_t k = first; k < first + count; k++, matrix += permi_batch_step(batch))
      if (!batch->todo || batch->todo[k])
        permi_batch_one(task, k, matrix);
  }
}

/* Values without a bit in `stand` are computed again unless they stand. */
static void permi_batch_write(permi_batch_task *task, size_t first, size_t count, const double *out, unsigned stand)
{
  const permi_batch *batch = task->batch;
  const int parts = batch->parts;
  double *value = batch->out + first * (size_t)parts;
  for (size_t k = 0; k < count; k++, value += parts, stand >>= 1) {
    value[0] = out[k];
    if (parts == 2)
      value[1] = out[PERMI_BATCH_BLOCK + k];
    if (!(stand & 1)) {
      const double *matrix = permi_batch_matrices(batch, first + k, 1, task->memory);
      if (!permi_batch_stands(batch, matrix, out + k, value))
        permi_batch_one(task, first + k, matrix);
    }
  }
}

static void permi_batch_vectors(permi_batch_task *task, size_t begin, size_t end)
{
  const permi_batch *batch = task->batch;
  const permi_batch_kernel *kernel = batch->kernel;
  const int n = batch->n, parts = batch->parts, entries = n * n * parts;
  const int in_place = parts == 1 && batch->kind == PERMI_BATCH_ENTRIES && (n < 4 || batch->stride % 512);
  double *lanes = task->memory + entries * PERMI_BATCH_BLOCK, *out;
  size_t first, count;
  lanes += (64 - ((uintptr_t)lanes & 63)) % 64 / sizeof(double);
  out = lanes + entries * PERMI_BATCH_BLOCK;
  if (in_place && n <= 4) {
    count = (end - begin) / (size_t)kernel->width;
    if (kernel->stream(n, batch->a + begin, batch->stride, count, PERMI_FOUR_LARGEST, PERMI_SMALL_LEAST,
                       batch->out + begin))
      begin += count * (size_t)kernel->width;
  }
  for (first = begin; first < end; first += count) {
    const int whole = end - first >= PERMI_BATCH_BLOCK, given = whole && in_place && n > 4;
    const double *a = given ? batch->a + first : lanes;
    const size_t stride = given ? batch->stride : (size_t)(PERMI_BATCH_BLOCK * parts);
    double *values = n <= 4 && parts == 1 && whole ? batch->out + first : out;
    unsigned stand = 0;
    count = whole ? PERMI_BATCH_BLOCK : end - first;
    if (!given)
      permi_batch_load(batch, first, count, task->memory, lanes);
    if (n > 4)
      stand = kernel->above(batch->split, n, a, stride, PERMI_SMALL_LEAST, values);
    else if (kernel->stream(n, a, stride, PERMI_BATCH_BLOCK / (size_t)kernel->width, PERMI_FOUR_LARGEST,
                            PERMI_SMALL_LEAST, values) ||
             permi_small_is_safe(entries * PERMI_BATCH_BLOCK, a))
      stand = ~0u;
    if (values == out || !stand)
      permi_batch_write(task, first, count, values, stand);
  }
}

#if !defined(PERM_WITH_CUDA)
static perm_status permi_batch_on_gpus(const permi_batch *batch, int threads, perm_result *result)
{
  static const double rate[2] = PERMI_BATCH_RATE;
  const int n = batch->n, fits = batch->plain && n >= PERM_GPU_BATCH_LEAST_N && n <= PERM_GPU_BATCH_MOST_N && threads;
  return permi_gpu_missed(batch->options, fits ? PERM_MAX_N : 0,
                          (double)batch->count * ldexp(n, n - 1) / rate[batch->parts - 1])
             ? permi_gpu_absent(result)
             : PERM_OK;
}
#endif

typedef struct permi_batch_sharing {
  permi_batch *batch;
  size_t step, tasks, failed;
  perm_status failure;
  size_t room;
  double *memory;
  int threads_inside;
} permi_batch_sharing;

static perm_status permi_batch_sharing_task(void *context, uint64_t number, int thread)
{
  permi_batch_sharing *run = (permi_batch_sharing *)context;
  permi_batch *batch = run->batch;
  permi_control *control = batch->control;
  const size_t first = (size_t)number * run->step, last = (size_t)number + 1 == run->tasks;
  permi_batch_task task = {batch, run->threads_inside, run->memory + (size_t)thread * run->room, batch->count, PERM_OK};
  (batch->kernel && !batch->todo ? permi_batch_vectors : permi_batch_singles)(&task, first,
                                                                              last ? batch->count : first + run->step);
  if (task.failed < batch->count) {
    PERMI_OMP(critical(permi_batch_failed))
    if (task.failed < run->failed) {
      run->failed = task.failed;
      run->failure = task.status;
    }
  }
  if (thread)
    return PERM_OK;
  const perm_status status = permi_control_poll(control, (double)(number + 1) / (double)run->tasks, "summing");
  return control->stopped != PERM_OK ? control->stopped : last ? PERM_OK : status;
}

/* Lists the factors of the products of rows that take `columns`. */
static void permi_batch_products(int columns, unsigned char *to)
{
  static const unsigned char four[6][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}};
  int at[4] = {0, 0, 0, 0}, few = 0, j;
  for (j = 0; j < 8; j++)
    if (columns >> j & 1)
      at[few++] = j;
  for (j = 0; j < 6; j++) {
    const int x = at[few % 2 ? j == 1 : four[j][0]], y = at[few % 2 ? 2 - (j == 5) : four[j][1]];
    to[j] = (unsigned char)(few % 2 && j % 2 == 0 ? at[j / 2] : x + y * (y - 1) / 2);
  }
}

static void permi_batch_splits(int n, permi_batch_split *split)
{
  const int free = n < 8 ? n : 7, step = n > 6 ? 2 : 1;
  for (int first = 0; first < step; first++)
    for (int m = (1 << free) - 1 - first; m > 0; m -= step) {
      int columns = n == 8 ? 128 : 0, few = n == 8;
      for (int j = 0; j < free; j++) {
        columns |= (m >> (free - 1 - j) & 1) << j;
        few += m >> j & 1;
      }
      if (few != n - 4)
        continue;
      permi_batch_products(((1 << n) - 1) ^ columns, split->upper);
      permi_batch_products(columns, split->lower);
      if (n == 8) {
        memcpy(split[1].upper, split->lower, sizeof split->upper);
        memcpy(split[1].lower, split->upper, sizeof split->lower);
      }
      split += 1 + (n == 8);
    }
}

static void permi_batch_prepare(permi_batch *batch)
{
  const perm_options *options = batch->options;
  const int n = batch->n;
  batch->isa = permi_isa(options);
  batch->plain = (options->method == PERM_METHOD_AUTO || options->method == PERM_METHOD_DENSE) &&
                 options->precision == PERM_PRECISION_DEFAULT && !options->certify &&
                 (options->tolerance == 0 || options->tolerance >= 1e-10) && permi_arithmetic_is_sound();
  for (size_t k = 0; k < sizeof permi_batch_kernels / sizeof *permi_batch_kernels && batch->plain && n >= 2; k++)
    if (!batch->kernel && permi_batch_kernels[k].isa <= batch->isa &&
        permi_batch_kernels[k].parts == batch->parts && n <= permi_batch_kernels[k].most)
      batch->kernel = &permi_batch_kernels[k];
}

static perm_status permi_batch_metered(permi_batch *batch, perm_result *result)
{
  const perm_options *options = batch->options;
  const int n = batch->n, parts = batch->parts, apart = n > PERMI_BATCH_APART;
  const size_t count = batch->count, step = apart ? 1 : n > PERMI_BATCH_LARGE ? 8 : PERMI_BATCH_TASK;
  const double start = permi_seconds(), terms = (double)count * (n ? ldexp(1, n - 1) : 1);
  permi_control control = permi_control_begin(options);
  permi_batch_sharing run = {batch, step, count / step + (count % step != 0), count, PERM_OK, 0, NULL,
                             apart ? options->threads : 1};
  int threads = permi_threads(options), all = 0;
  batch->control = &control;
  control.work_total = 1;
  for (size_t k = 0; k < count * (size_t)parts; k++)
    batch->out[k] = (double)NAN;
  permi_batch_prepare(batch);
  if (batch->kernel && parts == 1 && n > 4)
    permi_batch_splits(n, batch->split);
  run.room = (size_t)(n * n * parts) * PERMI_BATCH_BLOCK;
  if (batch->kernel)
    run.room += run.room + 4 * PERMI_BATCH_BLOCK + 8 + (size_t)(n + 1) * PERMI_BATCH_ROW;
  perm_status status = permi_batch_on_gpus(batch, threads, result);
  if (status < 0) {
    permi_release(&options->allocator, batch->todo);
    return status;
  }
  if (apart || run.tasks < 2 || n * terms * 1e-9 < PERMI_PARALLEL_SECONDS) /* at 1e9 elements a second */
    threads = 1;
  if (status == PERM_OK && run.tasks) {
    run.memory = (double *)permi_allocate(&options->allocator, (size_t)threads, run.room * sizeof(double));
    status = run.memory ? permi_share(threads, 0, run.tasks, permi_batch_sharing_task, &run, &all) : PERM_ERROR_MEMORY;
    status = all ? PERM_OK : status;
    permi_release(&options->allocator, run.memory);
  }
  if (status == PERM_OK && control.stopped != PERM_OK)
    status = control.stopped;
  const perm_isa isa = batch->todo ? PERM_ISA_CUDA : batch->kernel ? batch->kernel->isa : batch->isa;
  permi_release(&options->allocator, batch->todo);
  if (status < 0)
    return permi_fail_memory(result);
  if (run.failed < count)
    status = permi_fail(result, run.failure, 0, "matrix %llu (counted from 0): %s",
                        (unsigned long long)(batch->place ? batch->place[run.failed] : run.failed),
                        run.failure == PERM_ERROR_NOT_FINITE ? "an entry is NaN or infinite"
                                                             : perm_status_text(run.failure));
  if (result) {
    result->status = status;
    if (status > 0)
      snprintf(result->message, sizeof result->message, "%s; what is missing is NaN", perm_status_text(status));
    result->value = result->imaginary = 0;
    result->error_bound = result->error_estimate = (double)INFINITY;
    result->is_complex = parts == 2;
    result->method = batch->kernel && n <= 4 ? PERM_METHOD_EXPANSION : PERM_METHOD_DENSE;
    result->precision = options->precision;
    result->isa = isa;
    result->gpus = control.gpus;
    result->threads = apart ? permi_threads(options) : threads;
    result->terms = terms;
    result->seconds = permi_seconds() - start;
  }
  return status;
}

static perm_status permi_batch_run(permi_batch *batch, double input, perm_result *result)
{
  permi_metered call;
  batch->options = permi_meter_begin(&call, batch->options, input);
  const perm_status status = batch->options->gpu.resident ? permi_batch_resident(batch, result)
                                                          : permi_batch_metered(batch, result);
  return permi_meter_end(&call, status, result);
}

static permi_batch permi_batch_of(permi_batch_kind kind, int n, int parts, size_t count, const double *a, size_t stride,
                                  const perm_options *options, double *permanents)
{
  permi_batch batch;
  memset(&batch, 0, sizeof batch);
  batch.kind = kind;
  batch.n = n;
  batch.parts = parts;
  batch.count = count;
  batch.a = a;
  batch.stride = stride;
  batch.options = permi_options(options);
  batch.out = permanents;
  return batch;
}

static perm_status permi_batch_laid_out(permi_batch batch, perm_result *result)
{
  const int n = batch.n;
  const size_t count = batch.count, stride = batch.stride, square = (size_t)(n > 0 ? n : 0) * (size_t)(n > 0 ? n : 0);
  const size_t least = batch.kind == PERMI_BATCH_ENTRIES ? count : square;
  permi_result_clear(result);
  if (n < 0 || n > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "n is %d, not 0 to %d", n, PERM_MAX_N);
  if (!batch.a && n && count)
    return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL for %llu matrices", (unsigned long long)count);
  if (n && count && stride < least)
    return permi_fail(result, PERM_ERROR_STRIDE, 4, "the stride is %llu, smaller than %llu", (unsigned long long)stride,
                      (unsigned long long)least);
  if (n && count && /* numbers of 16 bytes, at most */
      (double)stride * ((double)(least == count ? square : count) - 1) + (double)least >= (double)(PTRDIFF_MAX / 16))
    return permi_fail(result, PERM_ERROR_STRIDE, 4, "the stride is %llu: so many numbers apart, %llu matrices are more "
                      "bytes than memory has", (unsigned long long)stride, (unsigned long long)count);
  const perm_status status = permi_check_whole(batch.options, 5, result);
  if (status != PERM_OK)
    return status;
  if (!batch.out && count)
    return permi_fail(result, PERM_ERROR_NULL, 6, "permanents is NULL");
  return permi_batch_run(&batch, 8.0 * batch.parts * n * n * (double)count, result);
}

#define PERMI_BATCH(name, kind, parts)                                                                                 \
  PERM_API perm_status name(int n, size_t count, const double *a, size_t stride, const perm_options *options,          \
                            double *permanents, perm_result *result)                                                   \
  { return permi_batch_laid_out(permi_batch_of(kind, n, parts, count, a, stride, options, permanents), result); }
PERMI_BATCH(perm_batch_real, PERMI_BATCH_MATRICES, 1)
PERMI_BATCH(perm_batch_complex, PERMI_BATCH_MATRICES, 2)
PERMI_BATCH(perm_batch_real_soa, PERMI_BATCH_ENTRIES, 1)
PERMI_BATCH(perm_batch_complex_soa, PERMI_BATCH_ENTRIES, 2)

static perm_status permi_select(permi_batch batch, int m, int n, ptrdiff_t ld, const int *rows, const int *columns,
                                perm_result *result)
{
  const int k = batch.n;
  const size_t count = batch.count;
  permi_result_clear(result);
  batch.ld = ld;
  batch.rows = rows;
  batch.columns = columns;
  const perm_status status = permi_check_whole(batch.options, 9, result);
  if (status != PERM_OK)
    return status;
  if (m < 0 || n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, m < 0 ? 1 : 2, "the matrix is %d x %d", m, n);
  if (k < 0 || k > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 5, "k is %d, not 0 to %d", k, PERM_MAX_N);
  if (k && count) {
    if (!batch.a)
      return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL for a %d x %d matrix", m, n);
    if (!permi_stride_fits(m, n, ld, 8 * batch.parts))
      return permi_fail_stride(result, 4, "ld", m, n, ld);
    if (!columns)
      return permi_fail(result, PERM_ERROR_NULL, 8, "columns is NULL");
    if (!rows && k > m)
      return permi_fail(result, PERM_ERROR_RANGE, 7, "rows is NULL: the first %d of %d rows", k, m);
  }
  if (!batch.out && count)
    return permi_fail(result, PERM_ERROR_NULL, 10, "permanents is NULL");
  for (size_t s = 0; s < count * (size_t)k; s++)
    if ((rows && (rows[s] < 0 || rows[s] >= m)) || columns[s] < 0 || columns[s] >= n)
      return permi_fail(result, PERM_ERROR_RANGE, rows && (rows[s] < 0 || rows[s] >= m) ? 7 : 8,
                        "selection %llu (counted from 0) leaves the %d x %d matrix",
                        (unsigned long long)(s / (size_t)k), m, n);
  return permi_batch_run(&batch, 8.0 * batch.parts * m * n + 4.0 * (rows ? 2 : 1) * k * (double)count, result);
}

PERM_API perm_status perm_select_real(int m, int n, const double *a, ptrdiff_t ld, int k, size_t count, const int *rows,
                                      const int *columns, const perm_options *options, double *permanents,
                                      perm_result *result)
{
  return permi_select(permi_batch_of(PERMI_BATCH_SELECTIONS, k, 1, count, a, 0, options, permanents), m, n, ld, rows,
                      columns, result);
}

PERM_API perm_status perm_select_complex(int m, int n, const double *a, ptrdiff_t ld, int k, size_t count,
                                         const int *rows, const int *columns, const perm_options *options,
                                         double *permanents, perm_result *result)
{
  return permi_select(permi_batch_of(PERMI_BATCH_SELECTIONS, k, 2, count, a, 0, options, permanents), m, n, ld, rows,
                      columns, result);
}
#endif

PERMI_BRIEF_BEGIN

/* =================================================================================== >>minors_calls */

#if !defined(PERM_NO_EXTRAS)
/* Times 2^absolute_exp2. */
static double permi_minors_lost(const permi_minors *minors, const permi_minors_total *total, int i)
{
  return (minors->estimate_relative + 2 * minors->below) * total->absolute[i - minors->least] +
         (minors->subsets ? minors->lost : 0) +
         (minors->lossy && minors->in_doubles ? ldexp(DBL_MIN, minors->scale_exp2) : 0);
}

/* Rounding of minors that are 0 in truth leaves doubles' range. */
static permi_number permi_minors_value(const permi_minors *minors, const permi_minors_total *total)
{
  const int parts = minors->parts, row = minors->lines[0] - 1;
  permi_number sum, x, y;
  memset(&sum, 0, sizeof sum);
  for (int j = 0; j < minors->lines[1]; j++) {
    const int re = permi_minors_place(minors, 0, row, j) * parts, im = re + parts - 1;
    memset(&x, 0, sizeof x);
    memset(&y, 0, sizeof y);
    y.exp2 = total->exp2[re] > total->exp2[im] ? total->exp2[re] : total->exp2[im];
    for (int part = 0; part < parts; part++) {
      (part ? &x.imaginary : &x.value)->hi = minors->entry[row][j][part];
      *(part ? &y.imaginary : &y.value) =
          permi_dd_scale(total->value[re + part], permi_int_exponent(total->exp2[re + part] - y.exp2));
    }
    permi_number_multiply(&x, &y);
    if (x.value.hi == 0 && x.imaginary.hi == 0)
      continue;
    x.exp2 += minors->exp2[0][row] + minors->exp2[1][j];
    if (sum.value.hi == 0 && sum.imaginary.hi == 0)
      sum.exp2 = x.exp2;
    permi_number_raise(x.exp2 > sum.exp2 ? &sum : &x, llabs(x.exp2 - sum.exp2));
    sum.value = permi_dd_add(sum.value, permi_dd_multiply(x.value, permi_dd_make(minors->count[1][j])));
    sum.imaginary = permi_dd_add(sum.imaginary, permi_dd_multiply(x.imaginary, permi_dd_make(minors->count[1][j])));
  }
  permi_number_normalise(&sum);
  return sum;
}

static void permi_minors_marginals(const permi_minors_call *call, permi_minors *minors,
                                   const permi_minors_total *total, perm_result *result)
{
  const int rows = minors->lines[0], columns = minors->lines[1];
  int spare = 1, i, j, k; /* lines of ones */
  double error = result->value = result->error_estimate = 0;
  permi_number whole = permi_minors_value(minors, total);
  const long long unit = whole.exp2;
  const double value = whole.value.hi;
  if (!(value > 0))
    return;
  const double of_value =
      permi_ldexp(permi_minors_lost(minors, total, rows - 1), total->absolute_exp2[rows - 1] - unit) / value +
      columns * PERMI_UNIT;
  for (i = k = 0; i < rows; i++)
    for (j = 0; j < columns; j++, k++) {
      const int row = minors->origin[0][i], column = minors->origin[1][j];
      const double weight = (double)minors->count[0][i] * minors->count[1][j] * permi_minors_scaled(minors, 0, i, j, 0);
      const double made = weight * permi_ldexp(total->value[k].hi, total->exp2[k] - unit) / value;
      const double most = fmin(minors->count[0][i], minors->count[1][j]);
      const double x = made <= 2 * most ? (made < 0 ? 0 : made) + 0 : most;
      if (row == call->m || column == call->n) {
        spare = row == call->m ? minors->count[0][i] : minors->count[1][j];
        continue;
      }
      call->out[row * call->n + column] = x;
      minors->largest = fmax(minors->largest, x);
      const double lost = permi_ldexp(permi_minors_lost(minors, total, i), total->absolute_exp2[i] - unit);
      error = fmax(error, fmin(weight * lost / value + x * (of_value + 8 * PERMI_UNIT), most));
    }
  for (k = 2; k <= spare; k++) { /* they are not told apart */
    whole.value.hi /= k;
    permi_number_normalise(&whole);
  }
  whole.value.lo = 0;
  whole.exp2 += minors->unit_exp2 - minors->scale_exp2;
  permi_number_result(&whole, result);
  result->error_estimate = minors->below > PERMI_NO_MEASURE ? (double)INFINITY : 1.001 * error;
}

/* Returns one exponent for permanent (normalised) and derivatives, whose own are least to most (LLONG_MIN: all 0): 0
   if no double is then small. */
static long long permi_minors_common(const permi_number *permanent, long long most, long long least)
{
  const int some = permanent->value.hi != 0 || permanent->imaginary.hi != 0;
  const long long whole = some ? permanent->exp2 : most;
  if (some) { /* stays a double */
    most = most == LLONG_MIN || whole - 1000 > most ? whole - 1000 : most;
    least = whole < least ? whole : least;
  }
  if (most == LLONG_MIN || (most < 1000 && least > -1000 && whole < 1000))
    most = 0;
  return !some || whole >= most - 1000 ? most : whole > most - 2000 ? whole + 1000 : most - 1000;
}

static void permi_minors_output(const permi_minors_call *call, permi_minors *minors, permi_minors_total *total,
                                perm_result *result)
{
  const int parts = minors->parts, columns = minors->lines[1], rows = minors->lines[0], gradient = call->gradient;
  const long long unit_exp2 = minors->unit_exp2 - minors->scale_exp2;
  long long most = LLONG_MIN, least = LLONG_MAX, estimate_exp2 = 0;
  double estimate = 0;
  permi_number value = permi_minors_value(minors, total);
  for (int i = minors->least, k = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      const double factor = gradient ? (double)minors->count[0][i] * minors->count[1][j] : 1;
      const long long unit = unit_exp2 + minors->exp2[0][i] + minors->exp2[1][j];
      const double lost = permi_minors_lost(minors, total, i) * factor;
      for (int part = 0; part < parts; part++, k++) {
        total->value[k].hi = (total->value[k].hi + total->value[k].lo) * factor;
        total->exp2[k] += unit;
        if (total->value[k].hi != 0) {
          const long long e = total->exp2[k] + permi_exponent(total->value[k].hi);
          most = e > most ? e : most;
          least = e < least ? e : least;
        }
      }
      const long long lost_exp2 = unit + total->absolute_exp2[i - minors->least];
      if (lost > permi_ldexp(estimate, estimate_exp2 - lost_exp2)) {
        estimate = lost;
        estimate_exp2 = lost_exp2;
      }
    }
  if (estimate != 0 && most == LLONG_MIN)
    most = least = estimate_exp2 + permi_exponent(estimate);
  value.exp2 += unit_exp2;
  const long long common = permi_minors_common(&value, most, least);
  result->exp2 = common;
  permi_number_raise(&value, common - value.exp2);
  result->value = value.value.hi;
  result->imaginary = value.imaginary.hi;
  result->error_estimate = permi_ldexp(estimate, estimate_exp2 - common);
  for (int i = minors->least, k = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      for (int part = 0; part < parts; part++, k++) {
        const double x = permi_ldexp(total->value[k].hi, total->exp2[k] - common);
        call->out[((gradient ? minors->origin[0][i] * call->n : 0) + minors->origin[1][j]) * parts + part] = x;
        minors->largest = fmax(minors->largest, fabs(x));
        if (total->value[k].hi != 0 && fabs(x) < DBL_MIN)
          result->error_estimate += DBL_MIN;
      }
  result->error_estimate += PERMI_UNIT * parts * minors->largest;
  if (minors->below > PERMI_NO_MEASURE)
    result->error_estimate = (double)INFINITY;
}

/* ONE: permanents or subsets. */
typedef enum permi_minors_by { PERMI_MINORS_BY_PERMANENTS, PERMI_MINORS_BY_ONE, PERMI_MINORS_BY_ANY } permi_minors_by;

static void permi_minors_plan_one(permi_minors *minors, const perm_options *options, permi_minors_by by)
{
  permi_minors_plan_permanents(minors);
  if (by != PERMI_MINORS_BY_PERMANENTS && options->method == PERM_METHOD_AUTO)
    permi_minors_plan_subsets(minors, options);
}

/* Returns 1 for GPUs. `full` is room, or NULL. */
static int permi_minors_choose(permi_minors *minors, const perm_options *options, permi_minors_by by, double *full)
{
  permi_minors_plan_one(minors, options, by);
  minors->below = 0;
  if (!full || by != PERMI_MINORS_BY_ANY)
    return 0;
  const double seconds = minors->seconds - (minors->subsets ? 5 * PERMI_STEP_SECONDS : 0);
  if (permi_minors_plan_dense(minors, permi_isa(options), full) && minors->seconds > seconds &&
      options->method != PERM_METHOD_DENSE)
    permi_minors_plan_one(minors, options, by);
  return permi_minors_gpu_takes(minors, options, full);
}

static perm_status permi_minors_run(const permi_minors_call *call, permi_minors *minors, const perm_options *options,
                                    permi_minors_by by, double *full, permi_minors_total *total,
                                    permi_control *control, perm_result *result)
{
  const int on_gpu = permi_minors_choose(minors, options, by, full);
  const int threads =
      on_gpu || minors->seconds < PERMI_PARALLEL_SECONDS || minors->chunks == 1 ? 1 : permi_threads(options);
  if (minors->terms >= 1e18)
    return permi_fail(result, PERM_ERROR_LIMIT, 0, "%.3g terms are too many", minors->terms);
  if (options->max_seconds > 0 && minors->seconds > 100 * options->max_seconds)
    return permi_fail(result, PERM_ERROR_LIMIT, 0, "predicted to take %s, far over max_seconds = %.3g",
                      permi_time_words(minors->seconds).text, options->max_seconds);
  control->work_total = minors->seconds;
  memset(total->absolute, 0, (size_t)(minors->lines[0] - minors->least) * sizeof *total->absolute);
  memset(total->absolute_exp2, 0, sizeof total->absolute_exp2);
  const perm_status status = on_gpu            ? permi_minors_gpu_execute(minors, options, control, total)
                             : minors->subsets ? permi_minors_subsets(minors, options, control, total)
                             : minors->kernel  ? permi_minors_execute(minors, options, control, threads, full, total)
                                               : permi_minors_permanents(minors, options, control, total, result);
  if (status != PERM_OK)
    return permi_fail(result, status, 0, "%s",
                      status > 0            ? permi_early_words(control, status).text
                      : control->message[0] ? control->message
                                            : perm_status_text(status));
  minors->in_doubles = on_gpu || minors->kernel || minors->subsets;
  minors->largest = 0;
  if (call->marginals)
    permi_minors_marginals(call, minors, total, result);
  else
    permi_minors_output(call, minors, total, result);
  result->error_bound = minors->subsets && permi_rounding_is_sound() ? result->error_estimate : (double)INFINITY;
  result->gpus = on_gpu ? control->gpus : 0;
  if (minors->in_doubles) {
    result->method = minors->subsets ? PERM_METHOD_SUBSETS : PERM_METHOD_DENSE;
    result->precision = options->precision;
    result->isa = on_gpu ? PERM_ISA_CUDA : minors->kernel ? minors->kernel->isa : PERM_ISA_PLAIN;
    result->threads = threads;
  }
  result->terms += minors->terms;
  return status;
}

static perm_status permi_minors_check(const permi_minors_call *call, const perm_options *options,
                                      int (*counts)[PERM_MAX_N], int *total, perm_result *result)
{
  const int m = call->m, n = call->n, gradient = call->gradient, arguments = gradient ? 7 : 8;
  const char *refusal = options->certify                             ? "minors have no guaranteed bound (certify)"
                        : options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_DENSE &&
                                options->method != PERM_METHOD_GLYNN ? "minors have methods auto, dense and glynn"
                        : options->precision > PERM_PRECISION_DD
                            ? "minors have precisions default and dd"
                            : NULL;
  perm_status status = permi_check_whole(options, arguments, result);
  if (status == PERM_OK)
    status = permi_check_matrix(m, n, &call->view, result);
  if (status != PERM_OK)
    return status;
  if (!call->out && n > 0 && (m > 0 || !gradient))
    return permi_fail(result, PERM_ERROR_NULL, arguments + 1, "%s is NULL",
                      call->marginals ? "marginals" : gradient ? "gradient" : "minors");
#if defined(PERM_NO_COMPLEX)
  if (call->view.parts == 2)
    refusal = "complex matrices are left out of this build (PERM_NO_COMPLEX)";
#endif
  if (refusal)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, arguments, "options: %s", refusal);
  if (m > PERM_MAX_N || n > PERM_MAX_N) /* an empty side leaves the other unchecked */
    return permi_fail(result, PERM_ERROR_SIZE, m > PERM_MAX_N ? 1 : 2, "the matrix is %d x %d; at most %d", m, n,
                      PERM_MAX_N);
  for (int side = 0; side < 2; side++)
    for (int i = total[side] = 0; i < (side ? n : m); i++) {
      const int copies = call->counts[side] ? call->counts[side][i] : 1;
      if (copies < 0 || copies > 1 << 20)
        return permi_fail(result, PERM_ERROR_COUNTS, 5 + side, "a multiplicity is negative or above a million");
      total[side] += counts[side][i] = copies;
    }
  const int larger = total[0] < total[1];
  if (total[0] != total[1] && !call->marginals)
    return permi_fail(result, PERM_ERROR_COUNTS, 6,
                      "%d rows with their copies, but %d columns: minors are of as many", total[0], total[1]);
  if (total[larger] > PERMI_MINORS_TOTAL)
    return permi_fail(result, PERM_ERROR_SIZE, 5 + larger, "%d %s with their copies; at most %d", total[larger],
                      larger ? "columns" : "rows", PERMI_MINORS_TOTAL);
  if (total[0] != total[1] && (larger ? m : n) == PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 2 - larger, "%d different %s, and some %s left; at most %d",
                      PERM_MAX_N, larger ? "rows" : "columns", larger ? "columns" : "rows", PERM_MAX_N - 1);
  for (int i = 0; call->marginals && i < m; i++)
    for (int j = 0; j < n; j++)
      if (permi_at(&call->view, i, j, 0) < 0)
        return permi_fail(result, PERM_ERROR_UNSUPPORTED, 3, "a has %.17g in row %d, column %d (counted from 1): "
                          "marginals are of weights; derivatives by any entries: perm_gradient_real",
                          permi_at(&call->view, i, j, 0), i + 1, j + 1);
  if (!gradient && (call->row < 0 || call->row >= m || counts[0][call->row] == 0))
    return permi_fail(result, PERM_ERROR_RANGE, 7, "row is %d, of %d rows (counted from 0)%s", call->row, m,
                      call->row < 0 || call->row >= m ? "" : ", and has no copy");
  return PERM_OK;
}

static void permi_minors_take(permi_minors *minors, int side, int line, int count)
{
  if (!count)
    return;
  minors->origin[side][minors->lines[side]] = line;
  minors->count[side][minors->lines[side]++] = count;
}

/* Puts the wanted row last; marginals get ones for missing copies. */
static void permi_minors_gather(const permi_minors_call *call, int (*counts)[PERM_MAX_N], const int *total,
                                permi_minors *minors)
{
  const int m = call->m, n = call->n;
  memset(minors, 0, offsetof(permi_minors, entry));
  minors->parts = call->view.parts;
  minors->total = total[0] > total[1] ? total[0] : total[1];
  minors->drops = call->marginals;
  for (int i = 0; i < m; i++)
    permi_minors_take(minors, 0, i, call->gradient || i != call->row ? counts[0][i] : 0);
  permi_minors_take(minors, 0, call->gradient ? m : call->row,
                    call->gradient ? minors->total - total[0] : counts[0][call->row]);
  for (int j = 0; j < n; j++)
    permi_minors_take(minors, 1, j, counts[1][j]);
  permi_minors_take(minors, 1, n, minors->total - total[1]);
  minors->least = call->gradient ? 0 : minors->lines[0] - 1;
  for (int i = 0; i < minors->lines[0]; i++)
    for (int j = 0; j < minors->lines[1]; j++)
      for (int part = 0; part < minors->parts; part++) {
        const int row = minors->origin[0][i], column = minors->origin[1][j];
        minors->entry[i][j][part] = row == m || column == n ? 1 : permi_at(&call->view, row, column, part);
      }
}

static perm_status permi_minors_solve(const permi_minors_call *call, permi_minors *minors, const perm_options *options,
                                      double *full, permi_minors_total *total, perm_result *result)
{
  permi_minors_by by = options->precision == PERM_PRECISION_DD || options->method == PERM_METHOD_GLYNN
                           ? PERMI_MINORS_BY_PERMANENTS
                           : PERMI_MINORS_BY_ANY;
  permi_control control = permi_control_begin(options);
  perm_status status = permi_minors_run(call, minors, options, by, full, total, &control, result);
  double relative = status == PERM_OK && result->error_estimate > 0 ? result->error_estimate / minors->largest : 0;
  while (status == PERM_OK && minors->in_doubles && relative > permi_wanted_relative(options)) {
    const perm_result finished = *result;
    by = minors->subsets ? PERMI_MINORS_BY_PERMANENTS : PERMI_MINORS_BY_ONE;
    permi_minors_plan_one(minors, options, by);
    if ((options->tolerance > 0 ? options->max_seconds > 0 && minors->seconds > options->max_seconds
                                : minors->seconds >= PERMI_ESCALATE_SECONDS) ||
        permi_minors_run(call, minors, options, by, full, total, &control, result) != PERM_OK) {
      *result = finished;
      break;
    }
    result->escalated = 1;
    relative = result->error_estimate > 0 ? result->error_estimate / minors->largest : 0;
  }
  if (status == PERM_OK && options->tolerance > 0 && relative > options->tolerance) {
    status = result->status = PERM_TOLERANCE_NOT_MET;
    permi_say(result->message, sizeof result->message,
              "tolerance %.3g not met: the estimated error relative to the largest minor is %.3g", options->tolerance,
              relative);
  }
  return status;
}

static void permi_minors_fill(const permi_minors_call *call, int entries, double x)
{
  for (int k = 0; k < entries; k++)
    call->out[k] = x;
}

static perm_status permi_minors_metered(const permi_minors_call *call, const perm_options *options, perm_result *result)
{
  const double start = permi_seconds();
  const int parts = call->view.parts, rows = call->gradient ? call->m : 1, n = call->n;
  const int entries = call->out && rows > 0 && n > 0 && rows <= PERM_MAX_N && n <= PERM_MAX_N ? rows * n * parts : 0;
  int counts[2][PERM_MAX_N], totals[2], full;
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_minors_total total;
  permi_minors_fill(call, entries, (double)NAN);
  if (!result)
    return call->gradient || call->row >= 0 ? PERM_ERROR_NULL : PERM_ERROR_RANGE;
  permi_result_clear(result);
  perm_status status = permi_minors_check(call, options, counts, totals, result);
  if (status != PERM_OK)
    return status;
  permi_minors *minors = (permi_minors *)permi_pool_get(&pool, 1, sizeof *minors);
  if (!minors)
    return permi_fail_memory(result);
  permi_minors_gather(call, counts, totals, minors);
  total.count = (minors->lines[0] - minors->least) * minors->lines[1] * parts;
  full = minors->total <= PERM_MAX_N ? minors->total * (minors->total * parts + PERM_MAX_N) : 0;
  total.value = (permi_dd *)permi_pool_get(&pool, (size_t)total.count, sizeof *total.value);
  total.exp2 = (long long *)permi_pool_get(&pool, (size_t)total.count, sizeof *total.exp2);
  total.absolute = (double *)permi_pool_get(&pool, (size_t)(minors->lines[0] + full), sizeof *total.absolute);
  if (pool.failed) {
    permi_pool_release(&pool);
    return permi_fail_memory(result);
  }
  permi_minors_fill(call, entries, 0);
  result->method = PERM_METHOD_STRUCTURE;
  result->isa = PERM_ISA_PLAIN;
  result->threads = 1;
  result->value = minors->lines[0] == 0;
  if (minors->lines[0] && permi_minors_scale(minors, full ? total.absolute + minors->lines[0] : NULL))
    status = permi_minors_solve(call, minors, options, full ? total.absolute + minors->lines[0] : NULL, &total, result);
  else
    result->error_bound = 0;
  if (status == PERM_OK && call->marginals && result->value == 0)
    status = permi_fail(result, PERM_ERROR_ZERO, 3, "the permanent is 0: no assignment has a weight");
  if (status == PERM_OK || status == PERM_TOLERANCE_NOT_MET)
    result->is_complex = parts == 2;
  else
    permi_minors_fill(call, entries, (double)NAN);
  result->seconds = permi_seconds() - start;
  permi_pool_release(&pool);
  return status;
}

static perm_status permi_minors_compute(const permi_minors_call *call, const perm_options *options_given,
                                        perm_result *result)
{
  permi_environment environment;
  perm_status status = PERM_OK;
  if (options_given && options_given->gpu.resident & 2)
    return permi_minors_resident(call, options_given, result);
  permi_environment_begin(&environment);
  if (call->marginals || !permi_small_minors_result(call, options_given, result)) {
    permi_metered meter;
    const double bytes = permi_view_bytes(call->m, call->n, &call->view);
    const perm_options *options = permi_meter_begin(&meter, options_given, bytes);
    status = permi_minors_metered(call, options, result);
    status = permi_kind(permi_meter_end(&meter, status, result), call->view.parts, options_given, result);
  }
  return permi_environment_end(&environment, status);
}

#define PERMI_MINORS(name, parts)                                                                                      \
  PERM_API perm_status name(int m, int n, const double *a, ptrdiff_t ld, const int *rows, const int *columns, int row, \
                            const perm_options *options, double *minors, perm_result *result)                          \
  { const permi_minors_call call = {m, n, row, 0, 0, permi_view_of(a, ld, parts, NULL), {rows, columns}, minors};      \
    return permi_minors_compute(&call, options, result); }
#define PERMI_GRADIENT(name, parts, marginals)                                                                         \
  PERM_API perm_status name(int m, int n, const double *a, ptrdiff_t ld, const int *rows, const int *columns,          \
                            const perm_options *options, double *out, perm_result *result)                             \
  { const permi_minors_call call = {m, n, 0, 1, marginals, permi_view_of(a, ld, parts, NULL), {rows, columns}, out};   \
    return permi_minors_compute(&call, options, result); }
PERMI_MINORS(perm_minors_real, 1)
PERMI_MINORS(perm_minors_complex, 2)
PERMI_GRADIENT(perm_gradient_real, 1, 0)
PERMI_GRADIENT(perm_gradient_complex, 2, 0)
PERMI_GRADIENT(perm_marginals_real, 1, 1)
#endif

#if defined(PERM_WITH_CUDA)
#define PERMI_CUDA_HOST 1
#include PERM_CUDA_FILE
#undef PERMI_CUDA_HOST
#endif
PERMI_BRIEF_END

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif
#endif /* PERM_PERMANENT_IMPLEMENTED */
#endif /* PERM_IMPLEMENTATION */

#else /* a family */
#if !defined(PERMI_FAMILY_WIDTH)
#undef PERMI_FAMILY
#if PERMI_X86
#define PERMI_FAMILY avx512
#define PERMI_FAMILY_WIDTH 8
#include PERM_HEADER_FILE
#define PERMI_FAMILY avx2
#define PERMI_FAMILY_WIDTH 4
#include PERM_HEADER_FILE
#elif PERMI_ARM
#define PERMI_FAMILY neon
#define PERMI_FAMILY_WIDTH 2
#include PERM_HEADER_FILE
#endif
#define PERMI_FAMILY plain
#define PERMI_FAMILY_WIDTH 1
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion" /* at -O0 gcc's _mm512_range_pd is a macro, which warns */
#if defined(__cplusplus) /* gcc 12 warns of its own AVX-512 intrinsics */
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

/* ===================================================================================== >>vocabulary
   The words of an instruction set (PERMI_FAMILY; PERMI_FAMILY_WIDTH doubles a vector). Kernels are always inlined with
   constant arguments; PERMI_NAME(setting) is permi_setting_avx512. Small arrays of vectors live in registers once loops
   are unrolled (PERMI_UNROLL):
     - inside a single-turn loop clang unrolls too late (0.9 of the speed);
     - needless loop levels make gcc miss the hot loop (0.95);
     - clang may fuse a * b + c in one expression: a product to be rounded has its own statement.
   FMA(a, b, c) = ab + c, FMS = ab - c, FNMA = c - ab; FMS_EXACT rounds once in every family; LARGER = max(|a|, |b|);
   _ANY: unaligned. KEEP hides a product from gcc, which contracts even intrinsics. LEAVE clears upper register halves
   (docs/engines.md). */

#define PERMI_WIDTH PERMI_FAMILY_WIDTH
#define PERMI_JOIN_(name, family) name##family
#define PERMI_JOIN(name, family) PERMI_JOIN_(name, family)
#define PERMI_NAME(name) PERMI_JOIN(permi_##name##_, PERMI_FAMILY)
#define PERMI_KERNEL PERMI_ALIGN_LOOPS PERMI_TARGET static void
#define PERMI_P PERMI_NAME(prime)
#if PERMI_WIDTH >= 4
#define PERMI_LEAVE() _mm256_zeroupper()
#define PERMI_LOAD(p) PERMI_MM(load_pd)(p)
#define PERMI_LOAD_ANY(p) PERMI_MM(loadu_pd)(p)
#define PERMI_STORE(p, v) PERMI_MM(store_pd)(p, v)
#define PERMI_STORE_ANY(p, v) PERMI_MM(storeu_pd)(p, v)
#define PERMI_SET(x) PERMI_MM(set1_pd)(x)
#define PERMI_FMA(a, b, c) PERMI_MM(fmadd_pd)(a, b, c)
#define PERMI_FMS(a, b, c) PERMI_MM(fmsub_pd)(a, b, c)
#define PERMI_FNMA(a, b, c) PERMI_MM(fnmadd_pd)(a, b, c)
#define PERMI_LESSER(a, b) PERMI_MM(min_pd)(a, b)
#define PERMI_ROOT(a) PERMI_MM(sqrt_pd)(a)
#define PERMI_XOR(a, b) PERMI_MM(xor_pd)(a, b)
#define PERMI_KEEP(v) __asm__("" : "+v"(v))
#define PERMI_I_LOAD(p) (*(const PERMI_I *)(const void *)(p))
#define PERMI_I_STORE(p, v) (*(PERMI_I *)(void *)(p) = (v))
#define PERMI_I_SET(x) PERMI_MM(set1_epi32)((int)(x))
#define PERMI_I_ADD8(a, b) PERMI_MM(add_epi8)(a, b)
#define PERMI_I_SUB8(a, b) PERMI_MM(sub_epi8)(a, b)
#define PERMI_I_LEAST8(a, b) PERMI_MM(min_epu8)(a, b)
#define PERMI_I_LOOKUP(table, v) PERMI_MM(shuffle_epi8)(table, v)
#define PERMI_I_ADD16(a, b) PERMI_MM(add_epi16)(a, b)
#define PERMI_I_SUB16(a, b) PERMI_MM(sub_epi16)(a, b)
#define PERMI_I_MUL16(a, b) PERMI_MM(mullo_epi16)(a, b)
#define PERMI_I_PAIRS16(a, b) PERMI_MM(madd_epi16)(a, b)
#define PERMI_I_SHL16(a, k) PERMI_MM(slli_epi16)(a, k)
#define PERMI_I_SHR16(a, k) PERMI_MM(srli_epi16)(a, k)
#define PERMI_I_SAR16(a, k) PERMI_MM(srai_epi16)(a, k)
#define PERMI_I_MUL32(a, b) PERMI_MM(mullo_epi32)(a, b)
#define PERMI_I_EVEN32(a, b) PERMI_MM(mul_epi32)(a, b)
#define PERMI_I_HIGH32(a) PERMI_MM(srli_epi64)(a, 32)
#define PERMI_I_ADD64(a, b) PERMI_MM(add_epi64)(a, b)
#endif
#if PERMI_WIDTH == 8
#define PERMI_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,popcnt")))
#define PERMI_MM(name) _mm512_##name
#define PERMI_V __m512d
#define PERMI_ABS(a) _mm512_range_pd(a, a, 11)
#define PERMI_EVEN(a, b) _mm512_permutex2var_pd(a, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), b)
#define PERMI_ODD(a, b) _mm512_permutex2var_pd(a, _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1), b)
#define PERMI_LARGER(a, b) _mm512_range_pd(a, b, 11)
#define PERMI_ABS_SUM(a, b) _mm512_range_pd((a) + (b), (a) - (b), 11) /* max(|a + b|, |a - b|) */
#define PERMI_I __m512i
#define PERMI_I_LOAD_ANY(p) _mm512_loadu_si512((const void *)(p))
#define PERMI_I_STORE_ANY(p, v) _mm512_storeu_si512((void *)(p), v)
#define PERMI_I_TABLE(p) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define PERMI_I_NONZERO8(a) _mm512_test_epi8_mask(a, a)
#define PERMI_I_DOUBLES(a) _mm512_cvtepi64_pd(a)
#define PERMI_I_BITS(v) _mm512_castpd_si512(v)
#elif PERMI_WIDTH == 4
#define PERMI_TARGET __attribute__((target("avx2,fma,popcnt")))
#define PERMI_MM(name) _mm256_##name
#define PERMI_V __m256d
#define PERMI_ABS(a) _mm256_andnot_pd(_mm256_set1_pd(-0.0), a)
#define PERMI_EVEN(a, b) _mm256_permute4x64_pd(_mm256_unpacklo_pd(a, b), 0xd8) /* elements 0, 2, .. of both */
#define PERMI_ODD(a, b) _mm256_permute4x64_pd(_mm256_unpackhi_pd(a, b), 0xd8)
#define PERMI_LARGER(a, b) _mm256_max_pd(PERMI_ABS(a), PERMI_ABS(b))
#define PERMI_GREATER(a, b) _mm256_max_pd(a, b)
#define PERMI_UNLESS_ZERO(a, b) _mm256_blendv_pd(a, b, _mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_EQ_OQ))
#define PERMI_ELEMENT(v, k) (v)[k]
#define PERMI_I __m256i
#define PERMI_I_LOAD_ANY(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define PERMI_I_STORE_ANY(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define PERMI_I_TABLE(p) _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define PERMI_I_NONZERO8(a) (uint32_t)~_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, _mm256_setzero_si256()))
/* For |a| < 2^51: in the binade of 1.5 * 2^52 bits count ones. */
#define PERMI_I_DOUBLES(a)                                                                                             \
  _mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(a, _mm256_set1_epi64x(0x4338000000000000))),                     \
                _mm256_set1_pd(6755399441055744.0))
#define PERMI_I_BITS(v) _mm256_castpd_si256(v)
#elif PERMI_WIDTH == 2
#define PERMI_V float64x2_t
#define PERMI_LOAD(p) vld1q_f64(p)
#define PERMI_STORE(p, v) vst1q_f64(p, v)
#define PERMI_SET(x) vdupq_n_f64(x)
#define PERMI_FMA(a, b, c) vfmaq_f64(c, a, b)
#define PERMI_FMS(a, b, c) vnegq_f64(vfmsq_f64(c, a, b))
#define PERMI_FNMA(a, b, c) vfmsq_f64(c, a, b)
#define PERMI_KEEP(v) __asm__("" : "+w"(v))
#define PERMI_ABS(a) vabsq_f64(a)
#define PERMI_ROOT(a) vsqrtq_f64(a)
#define PERMI_LARGER(a, b) vmaxq_f64(vabsq_f64(a), vabsq_f64(b))
#define PERMI_LESSER(a, b) vminq_f64(a, b)
#define PERMI_EVEN(a, b) vuzp1q_f64(a, b)
#define PERMI_ODD(a, b) vuzp2q_f64(a, b)
#define PERMI_XOR(a, b) vreinterpretq_f64_u64(vreinterpretq_u64_f64(a) ^ vreinterpretq_u64_f64(b))
#define PERMI_I int64x2_t
#define PERMI_S8(a) vreinterpretq_s8_s64(a)
#define PERMI_U8(a) vreinterpretq_u8_s64(a)
#define PERMI_S16(a) vreinterpretq_s16_s64(a)
#define PERMI_S32(a) vreinterpretq_s32_s64(a)
#define PERMI_U64(a) vreinterpretq_u64_s64(a)
#define PERMI_I_LOAD(p) vreinterpretq_s64_u8(vld1q_u8((const uint8_t *)(const void *)(p)))
#define PERMI_I_STORE(p, v) vst1q_u8((uint8_t *)(void *)(p), PERMI_U8(v))
#define PERMI_I_LOAD_ANY(p) PERMI_I_LOAD(p)
#define PERMI_I_STORE_ANY(p, v) PERMI_I_STORE(p, v)
#define PERMI_I_TABLE(p) PERMI_I_LOAD(p)
#define PERMI_I_SET(x) vreinterpretq_s64_s32(vdupq_n_s32((int32_t)(x)))
#define PERMI_I_ADD8(a, b) vreinterpretq_s64_s8(vaddq_s8(PERMI_S8(a), PERMI_S8(b)))
#define PERMI_I_SUB8(a, b) vreinterpretq_s64_s8(vsubq_s8(PERMI_S8(a), PERMI_S8(b)))
#define PERMI_I_LEAST8(a, b) vreinterpretq_s64_u8(vminq_u8(PERMI_U8(a), PERMI_U8(b)))
#define PERMI_I_LOOKUP(table, v) vreinterpretq_s64_u8(vqtbl1q_u8(PERMI_U8(table), PERMI_U8(v)))
#define PERMI_I_NONZERO8(a) permi_nonzero8_neon(PERMI_U8(a))
#define PERMI_I_ADD16(a, b) vreinterpretq_s64_s16(vaddq_s16(PERMI_S16(a), PERMI_S16(b)))
#define PERMI_I_SUB16(a, b) vreinterpretq_s64_s16(vsubq_s16(PERMI_S16(a), PERMI_S16(b)))
#define PERMI_I_MUL16(a, b) vreinterpretq_s64_s16(vmulq_s16(PERMI_S16(a), PERMI_S16(b)))
#define PERMI_I_PAIRS16(a, b) permi_pairs16_neon(PERMI_S16(a), PERMI_S16(b))
#define PERMI_I_SHL16(a, k) vreinterpretq_s64_s16(vshlq_s16(PERMI_S16(a), vdupq_n_s16((int16_t)(k))))
#define PERMI_I_SHR16(a, k) vreinterpretq_s64_u16(vshlq_u16(vreinterpretq_u16_s64(a), vdupq_n_s16((int16_t)-(k))))
#define PERMI_I_SAR16(a, k) vreinterpretq_s64_s16(vshlq_s16(PERMI_S16(a), vdupq_n_s16((int16_t)-(k))))
#define PERMI_I_MUL32(a, b) vreinterpretq_s64_s32(vmulq_s32(PERMI_S32(a), PERMI_S32(b)))
#define PERMI_I_EVEN32(a, b) vmull_s32(vmovn_s64(a), vmovn_s64(b))
#define PERMI_I_HIGH32(a) vreinterpretq_s64_u64(vshrq_n_u64(PERMI_U64(a), 32))
#define PERMI_I_ADD64(a, b) vaddq_s64(a, b)
#define PERMI_I_DOUBLES(a) vcvtq_f64_s64(a)
#define PERMI_I_BITS(v) vreinterpretq_s64_f64(v)
#else
#define PERMI_V double
#define PERMI_LOAD(p) (*(p))
#define PERMI_STORE(p, v) (*(p) = (v))
#define PERMI_SET(x) (x)
#define PERMI_FMA(a, b, c) ((a) * (b) + (c))
#define PERMI_FMS(a, b, c) ((a) * (b) - (c))
#define PERMI_FNMA(a, b, c) ((c) - (a) * (b))
#define PERMI_FMS_EXACT(a, b, c) permi_times_minus(a, b, c)
#define PERMI_KEEP(v) PERMI_KEEP_DOUBLE(v)
#define PERMI_ABS(a) fabs(a)
#define PERMI_ROOT(a) sqrt(a)
#define PERMI_LARGER(a, b) (fabs(b) > fabs(a) ? fabs(b) : fabs(a))
#define PERMI_LESSER(a, b) ((a) < (b) ? (a) : (b))
#define PERMI_EVEN(a, b) (a)
#define PERMI_ODD(a, b) (b)
#define PERMI_GREATER(a, b) ((a) > (b) ? (a) : (b))
#define PERMI_UNLESS_ZERO(a, b) ((a) != 0 ? (a) : (b))
#define PERMI_ELEMENT(v, k) (v)
#endif

#if !defined(PERMI_FMS_EXACT)
#define PERMI_FMS_EXACT(a, b, c) PERMI_FMS(a, b, c)
#endif
#if PERMI_WIDTH <= 2
#define PERMI_TARGET
#define PERMI_LEAVE()
#define PERMI_LOAD_ANY(p) PERMI_LOAD(p)
#define PERMI_STORE_ANY(p, v) PERMI_STORE(p, v)
#endif
#if PERMI_WIDTH != 8
#define PERMI_ABS_SUM(a, b) ((PERMI_V)(PERMI_ABS(a) + PERMI_ABS(b))) /* gcc: its own type */
#endif

#if defined(PERMI_FAMILY_TEXT) /* kernels of another header in these words */
#include PERMI_FAMILY_TEXT
#else

/* ===================================================================================== >>arithmetic
   Arithmetic of all kernels; exact rests: tests/proofs/exact_sums.v. */

/* Returns a + b rounded; *error is the exact rest. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(vector_two_sum)(PERMI_V a, PERMI_V b, PERMI_V *error)
{
  const PERMI_V sum = a + b, other = sum - a;
  *error = (b - other) + (a - (sum - other));
  return sum;
}

/* The same for |a| >= |b|, or for a multiple of b's last place a [BGM17]. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(vector_fast_two_sum)(PERMI_V a, PERMI_V b, PERMI_V *error)
{
  const PERMI_V sum = a + b;
  *error = b - (sum - a);
  return sum;
}

PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(kept)(PERMI_V v)
{
  PERMI_KEEP(v);
  return v;
}

/* Returns ab rounded; *error is the exact rest. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(vector_two_product)(PERMI_V a, PERMI_V b, PERMI_V *error)
{
  const PERMI_V product = PERMI_NAME(kept)(a * b);
  *error = PERMI_FMS_EXACT(a, b, product);
  return product;
}

/* Residues modulo a prime below 2^50, of either sign. */
typedef struct PERMI_P {
  PERMI_V prime, inverse;
} PERMI_P;

PERMI_TARGET PERMI_INLINE PERMI_P PERMI_NAME(prime_of)(double prime, double inverse)
{
  PERMI_P p;
  p.prime = PERMI_SET(prime);
  p.inverse = PERMI_SET(inverse);
  return p;
}

/* Returns the integer next to x / p, at most 2^51. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(prime_quotient)(PERMI_V x, PERMI_P p)
{
  const PERMI_V ones = PERMI_SET(6755399441055744.0);
  return PERMI_FMA(x, p.inverse, ones) - ones;
}

/* Returns a residue of x, |x| <= 2^52, of size p / 2 and hardly more. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(prime_reduce)(PERMI_V x, PERMI_P p)
{
  return PERMI_FNMA(PERMI_NAME(prime_quotient)(x, p), p.prime, x);
}

/* Returns a residue of ab, |ab| <= p^2, of size 3/4 p at most.
   1. high is a multiple of its last place, at most 2^47; |low| is at most half of that.
   2. The quotient is ab / p up to a share of 2^-52, at most 1/4, and rounded: off by 3/4 at most.
   3. So high minus its multiple of p is below 2^53: the subtraction is exact, and so is the sum with low. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(prime_product)(PERMI_V a, PERMI_V b, PERMI_P p)
{
  PERMI_V low;
  const PERMI_V high = PERMI_NAME(vector_two_product)(a, b, &low);
  return low - PERMI_FMS_EXACT(PERMI_NAME(prime_quotient)(high, p), p.prime, high);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(multiply_by)(PERMI_V *re, PERMI_V *im, PERMI_V ar, PERMI_V ai)
{
  const PERMI_V r = *re, i = *im;
  *im = PERMI_FMA(r, ai, i * ar); /* first: NEON, gcc -O3 spills 4, not 7 */
  *re = PERMI_FMS(r, ar, i * ai);
}

/* Numbers of 1 or 2 parts; in memory `apart` doubles apart. */
typedef struct PERMI_NAME(number) {
  PERMI_V re, im;
} PERMI_NAME(number);
#define PERMI_N PERMI_NAME(number)

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(get)(const double *p, int apart, int parts)
{
  PERMI_N x;
  x.re = PERMI_LOAD(p);
  x.im = parts == 2 ? PERMI_LOAD(p + apart) : x.re;
  return x;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(put)(double *p, int apart, PERMI_N x, int parts)
{
  PERMI_STORE(p, x.re);
  if (parts == 2)
    PERMI_STORE(p + apart, x.im);
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(spread)(const double *p, int apart, int parts)
{
  PERMI_N x;
  x.re = PERMI_SET(p[0]);
  x.im = PERMI_SET(p[parts == 2 ? apart : 0]);
  return x;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(times)(PERMI_N a, PERMI_N b, int parts)
{
  PERMI_N x;
  if (parts == 1) {
    x.re = x.im = a.re * b.re;
    return x;
  }
  x.re = PERMI_FMS(a.re, b.re, a.im * b.im);
  x.im = PERMI_FMA(a.re, b.im, a.im * b.re);
  return x;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(plus)(PERMI_N a, PERMI_N b)
{
  a.re = a.re + b.re;
  a.im = a.im + b.im;
  return a;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(minus)(PERMI_N a, PERMI_N b)
{
  a.re = a.re - b.re;
  a.im = a.im - b.im;
  return a;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(plus_times)(PERMI_N x, PERMI_N a, PERMI_N b, int parts)
{
  if (parts == 1) {
    x.re = x.im = PERMI_FMA(a.re, b.re, x.re);
    return x;
  }
  x.re = PERMI_FMA(a.re, b.re, PERMI_FNMA(a.im, b.im, x.re));
  x.im = PERMI_FMA(a.re, b.im, PERMI_FMA(a.im, b.re, x.im));
  return x;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(move)(double *x, const double *step, int padded)
{
  for (int i = 0; i < padded; i += PERMI_WIDTH)
    PERMI_STORE(x + i, PERMI_LOAD(x + i) + PERMI_LOAD(step + i));
}

/* Sets x to the row sums of Gray state c, exactly; walk_to moves those of state c - 1. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(walk_from)(const permi_dense *dense, uint64_t c, double *x)
{
  for (int i = 0; i < dense->padded; i += PERMI_WIDTH)
    PERMI_STORE(x + i, PERMI_LOAD(dense->start + i));
  for (int k = dense->tabled; k < dense->outer; k++)
    if ((c ^ c >> 1) >> k & 1)
      PERMI_NAME(move)(x, dense->step + (size_t)(2 * k + 1) * (size_t)dense->padded, dense->padded);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(walk_to)(const permi_dense *dense, uint64_t c, double *x)
{
  const int k = permi_trailing_zeros(c), minus = (int)((c ^ c >> 1) >> k & 1);
  if (k >= dense->tabled)
    PERMI_NAME(move)(x, dense->step + (size_t)(2 * k + minus) * (size_t)dense->padded, dense->padded);
}

/* ================================================================================== >>dense_kernels
   Glynn's sum in blocks (>>dense). Constants: form; parts, 1 real, 2 complex; product; block: K columns. A setting has
   a bit for each minus; even ones come first. Row loops take the outer state's sign, `one`, to products p and, with the
   pivot turned, m (split: low parts c). */

/* Returns the setting in place k: 0 3 5 6 1 2 4 7, or 0 3 1 2, or 0 1. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(setting)(int k, int block)
{
  const int odd = k >> (block - 1), half = k - (odd << (block - 1));
  return 2 * half + ((half ^ half >> 1 ^ odd) & 1);
}

/* Returns the sum over even settings; *odd: over odd ones. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(sum_by_parity)(const PERMI_V *term, int block, PERMI_V *odd)
{
  *odd = block == 1 ? term[1]
                    : (PERMI_V)(block == 2 ? term[2] + term[3] : (term[4] + term[5]) + (term[6] + term[7]));
  return block == 1 ? term[0]
                    : (PERMI_V)(block == 2 ? term[0] + term[1] : (term[0] + term[1]) + (term[2] + term[3]));
}

/* Returns a table's number plus a row sum; with 32 registers by a load of its own (docs/engines.md). */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(table_sum)(const double *t, const double *x)
{
  PERMI_V y = PERMI_LOAD(t);
#if PERMI_WIDTH == 8
  PERMI_KEEP(y);
#endif
  return y + PERMI_SET(*x);
}

/* The pivot is 1: P (y + 1) = P y + P and M (y - 1) = M y - M, rounded once. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(times_normalised)(PERMI_V *p, PERMI_V *m, PERMI_V y)
{
#if PERMI_WIDTH > 1
  *p = PERMI_FMA(*p, y, *p);
  *m = PERMI_FMS(*m, y, *m);
#else /* the grid holds y + 1 */
  *p = *p * (y + 1);
  *m = *m * (y - 1);
#endif
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(rows_normalised)(const permi_dense *dense, const double *t, const double *x,
                                                           PERMI_V one, PERMI_UNUSED int product, int block,
                                                           PERMI_V (*p)[8], PERMI_V (*m)[8])
{
  const int settings = 1 << block;
  int i, k;
  PERMI_EVERY(k, settings, p[0][k] = m[0][k] = one);
  for (i = 0; i < dense->rows; i++) {
    const PERMI_V outer = PERMI_SET(x[i]);
    PERMI_EVERY(k, settings, PERMI_NAME(times_normalised)(
                              p[0] + k, m[0] + k, outer + PERMI_LOAD(t + PERMI_NAME(setting)(k, block) * PERMI_WIDTH)));
    t += settings * PERMI_WIDTH;
  }
}

/* Rows i, j with y = z + l, l over pivot and block columns: turning l's signs takes (z_i z_j + l_i l_j) + (z_i l_j +
   z_j l_i) = E + O to E - O. l_i l_j are constants; O, linear in z's signs, is a virtual row a setting: (2^K + 2 + 6
   2^K) / 4 2^K operations an element, no division. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(times_pair_real)(PERMI_V *p, PERMI_V *m, PERMI_V even, PERMI_V odd)
{
  *p = *p * (even + odd);
  *m = *m * (even - odd);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(rows_pair_real)(const permi_dense *dense, const double *t, const double *x,
                                                          PERMI_V one, PERMI_UNUSED int product, int block,
                                                          PERMI_V (*p)[8], PERMI_V (*m)[8])
{
  const double *constant = dense->constant;
  const int settings = 1 << block;
  int i, k;
  PERMI_EVERY(k, settings, p[0][k] = m[0][k] = one);
  for (i = 0; i + 1 < dense->n; i += 2) {
    const PERMI_V zi = PERMI_LOAD(t) + PERMI_SET(x[0]), zj = PERMI_LOAD(t + PERMI_WIDTH) + PERMI_SET(x[1]);
    PERMI_EVERY(k, settings, const int q = PERMI_NAME(setting)(k, block);
                PERMI_NAME(times_pair_real)(p[0] + k, m[0] + k, PERMI_FMA(zi, zj, PERMI_SET(constant[q])),
                                            PERMI_LOAD(t + (2 + q) * PERMI_WIDTH) + PERMI_SET(x[2 + q])));
    x += 2 + settings;
    t += (2 + settings) * PERMI_WIDTH;
    constant += settings;
  }
  if (i < dense->n) {
    const PERMI_V z = PERMI_LOAD(t) + PERMI_SET(x[0]);
    PERMI_EVERY(k, settings, PERMI_NAME(times_pair_real)(p[0] + k, m[0] + k, z,
                                                        PERMI_SET(constant[PERMI_NAME(setting)(k, block)])));
  }
}

/* Complex, K = 2: 4.4 operations an element, single rows 5. z_i z_j plus setting 0's constant is made half a pair
   ahead. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(pair_product)(const double *t, const double *x, const double *constant)
{
  const PERMI_V ur = PERMI_NAME(table_sum)(t, x), ui = PERMI_NAME(table_sum)(t + PERMI_WIDTH, x + 1);
  const PERMI_V vr = PERMI_NAME(table_sum)(t + 2 * PERMI_WIDTH, x + 2);
  const PERMI_V vi = PERMI_NAME(table_sum)(t + 3 * PERMI_WIDTH, x + 3);
  PERMI_N z;
  z.re = PERMI_FMA(ur, vr, PERMI_FNMA(ui, vi, PERMI_SET(constant[0])));
  z.im = PERMI_FMA(ur, vi, PERMI_FMA(ui, vr, PERMI_SET(constant[1])));
  return z;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(times_pair_complex)(PERMI_V (*p)[8], PERMI_V (*m)[8], PERMI_N even,
                                                              PERMI_N odd, int k)
{
  const PERMI_N plus = PERMI_NAME(plus)(even, odd), minus = PERMI_NAME(minus)(even, odd);
  PERMI_NAME(multiply_by)(&p[0][k], &p[1][k], plus.re, plus.im);
  PERMI_NAME(multiply_by)(&m[0][k], &m[1][k], minus.re, minus.im);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(pair_complex_setting)(PERMI_V (*p)[8], PERMI_V (*m)[8], const double *t,
                                                                const double *x, const double *constant, PERMI_N z,
                                                                int k, int block)
{
  const int q = 2 * PERMI_NAME(setting)(k, block);
  PERMI_N odd;
  odd.re = PERMI_NAME(table_sum)(t + q * PERMI_WIDTH, x + q);
  odd.im = PERMI_NAME(table_sum)(t + (q + 1) * PERMI_WIDTH, x + q + 1);
  if (q) {
    z.re = z.re + PERMI_SET(constant[q]);
    z.im = z.im + PERMI_SET(constant[q + 1]);
  }
  PERMI_NAME(times_pair_complex)(p, m, z, odd, k);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(rows_pair_complex)(const permi_dense *dense, const double *t,
                                                             const double *x, PERMI_V one, PERMI_UNUSED int product,
                                                             int block, PERMI_V (*p)[8], PERMI_V (*m)[8])
{
  const double *constant = dense->constant;
  const int settings = 1 << block;
  int i, k;
  PERMI_EVERY(k, settings, p[0][k] = m[0][k] = one);
  PERMI_EVERY(k, settings, p[1][k] = m[1][k] = PERMI_SET(0.0));
  PERMI_N z = PERMI_NAME(pair_product)(t, x, constant);
  for (i = 0; i + 1 < dense->n; i += 2) {
    const double *odd_t = t + 4 * PERMI_WIDTH, *odd_x = x + 4, *c = constant;
    PERMI_N next = z;
    x += 4 + 2 * settings;
    t += (4 + 2 * settings) * PERMI_WIDTH;
    constant += 2 * settings;
    PERMI_EVERY(k, settings,
                if (k == settings / 2) next = PERMI_NAME(pair_product)(t, x, constant);
                PERMI_NAME(pair_complex_setting)(p, m, odd_t, odd_x, c, z, k, block));
    z = next;
  }
  if (i < dense->n) {
    z.re = PERMI_SET(x[0]) + PERMI_LOAD(t);
    z.im = PERMI_SET(x[1]) + PERMI_LOAD(t + PERMI_WIDTH);
    PERMI_EVERY(k, settings, PERMI_NAME(times_pair_complex)(
                              p, m, z, PERMI_NAME(spread)(constant + 2 * PERMI_NAME(setting)(k, block), 1, 2), k));
  }
}

/* Row sums Y + L are exact multiples of both grids' units. ROUNDED: fl(Y + L) is rounded once. DOUBLED: Y + L = s + l
   exactly; P + C is a renormalised double-double. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(split_real_setting)(PERMI_V *p, PERMI_V *c, const double *t, int apart,
                                                              const double *x, int product)
{
  PERMI_V y = PERMI_SET(x[0]) + PERMI_LOAD(t), l = PERMI_SET(x[1]) + PERMI_LOAD(t + apart);
  const PERMI_V before = *p;
  PERMI_V e;
  if (product == PERMI_ROUNDED) {
    *p = *p * (y + l);
    return;
  }
  y = PERMI_NAME(vector_fast_two_sum)(y, l, &l);
  *p = PERMI_NAME(vector_two_product)(before, y, &e);
  *c = PERMI_FMA(*c, y, PERMI_FMA(before, l, e));
  *p = PERMI_NAME(vector_fast_two_sum)(*p, PERMI_NAME(kept)(*c), c);
}

/* The same by parts; products may cancel, so sums take TwoSum. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(split_complex_setting)(PERMI_V (*p)[8], PERMI_V (*c)[8], const double *t,
                                                                 int apart, const double *x, int product, int k)
{
  PERMI_V pr = p[0][k], pi = p[1][k], cr = c[0][k], ci = c[1][k];
  PERMI_V sr = PERMI_NAME(table_sum)(t, x), lr = PERMI_NAME(table_sum)(t + apart, x + 1);
  PERMI_V si = PERMI_NAME(table_sum)(t + 2 * apart, x + 2), li = PERMI_NAME(table_sum)(t + 3 * apart, x + 3);
  PERMI_V rr, rr_e, ii, ii_e, ri, ri_e, ir, ir_e, hr, hr_e, hi, hi_e;
  if (product == PERMI_ROUNDED) {
    PERMI_NAME(multiply_by)(&pr, &pi, sr + lr, si + li);
    p[0][k] = pr;
    p[1][k] = pi;
    return;
  }
  sr = PERMI_NAME(vector_fast_two_sum)(sr, lr, &lr);
  si = PERMI_NAME(vector_fast_two_sum)(si, li, &li);
  rr = PERMI_NAME(vector_two_product)(pr, sr, &rr_e);
  ii = PERMI_NAME(vector_two_product)(pi, si, &ii_e);
  ri = PERMI_NAME(vector_two_product)(pr, si, &ri_e);
  ir = PERMI_NAME(vector_two_product)(pi, sr, &ir_e);
  hr = PERMI_NAME(vector_two_sum)(rr, PERMI_SET(0.0) - ii, &hr_e);
  hi = PERMI_NAME(vector_two_sum)(ri, ir, &hi_e);
  hr_e = hr_e + (rr_e - ii_e);
  hi_e = hi_e + (ri_e + ir_e);
  hr_e = PERMI_FNMA(ci, si, PERMI_FMA(cr, sr, PERMI_FNMA(pi, li, PERMI_FMA(pr, lr, hr_e))));
  hi_e = PERMI_FMA(ci, sr, PERMI_FMA(cr, si, PERMI_FMA(pi, lr, PERMI_FMA(pr, li, hi_e))));
  PERMI_KEEP(hr_e);
  PERMI_KEEP(hi_e);
  p[0][k] = PERMI_NAME(vector_two_sum)(hr, hr_e, &c[0][k]);
  p[1][k] = PERMI_NAME(vector_two_sum)(hi, hi_e, &c[1][k]);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(rows_split_real)(const permi_dense *dense, const double *t, const double *x,
                                                           PERMI_V one, int product, int block, PERMI_V (*p)[8],
                                                           PERMI_V (*c)[8])
{
  const int settings = 1 << block, apart = settings * PERMI_WIDTH;
  int i, k;
  PERMI_EVERY(k, settings, p[0][k] = one);
  PERMI_EVERY(k, settings, c[0][k] = PERMI_SET(0.0));
  for (i = 0; i < dense->rows; i += 2, x += 2, t += 2 * apart) {
    PERMI_EVERY(k, settings, PERMI_NAME(split_real_setting)(
                              p[0] + k, c[0] + k, t + PERMI_NAME(setting)(k, block) * PERMI_WIDTH, apart, x, product));
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(rows_split_complex)(const permi_dense *dense, const double *t,
                                                              const double *x, PERMI_V one, int product, int block,
                                                              PERMI_V (*p)[8], PERMI_V (*c)[8])
{
  const int settings = 1 << block, apart = settings * PERMI_WIDTH;
  int i, k;
  PERMI_EVERY(k, settings, p[0][k] = one);
  PERMI_EVERY(k, settings, p[1][k] = c[0][k] = c[1][k] = PERMI_SET(0.0));
  for (i = 0; i < dense->rows; i += 4, x += 4, t += 4 * apart) {
    PERMI_EVERY(k, settings, PERMI_NAME(split_complex_setting)(
                              p, c, t + PERMI_NAME(setting)(k, block) * PERMI_WIDTH, apart, x, product, k));
  }
}

/* Sums of the present group, and of all before. */
typedef struct PERMI_NAME(total) {
  PERMI_V group, hi, lo;
} PERMI_NAME(total);

PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(modulus)(PERMI_V (*p)[8], PERMI_V (*m)[8], int form, int parts, int k)
{
  const PERMI_V re = form == PERMI_FORM_SPLIT ? PERMI_ABS(p[0][k]) : PERMI_ABS_SUM(p[0][k], m[0][k]);
  if (parts == 1)
    return re;
  return re + (form == PERMI_FORM_SPLIT ? PERMI_ABS(p[1][k]) : PERMI_ABS_SUM(p[1][k], m[1][k]));
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(add_wide_term)(PERMI_NAME(total) *total, PERMI_V term, PERMI_V low, int minus)
{
  PERMI_V error;
  if (minus)
    term = PERMI_SET(0.0) - term;
  total->hi = PERMI_NAME(vector_two_sum)(total->hi, term, &error);
  total->lo = total->lo + (minus ? error - low : error + low);
}

/* Adds a state's terms, to the sum of all if it is the group's last. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(add_terms)(PERMI_NAME(total) *total, const PERMI_V *p, const PERMI_V *m,
                                                     int last, int form, int product, int block)
{
  const int settings = 1 << block;
  PERMI_V term[8], even, odd, error;
  int k;
  if (product == PERMI_ROUNDED) {
    PERMI_EVERY(k, settings,
                if (form == PERMI_FORM_SPLIT) term[k] = p[k];
                else if (form == PERMI_FORM_PAIR && block % 2 != 0) term[k] = p[k] + m[k]; /* m: K + 1 signs */
                else term[k] = p[k] - m[k]);
    even = PERMI_NAME(sum_by_parity)(term, block, &odd);
    total->group = total->group + (even - odd);
    if (last) {
      total->hi = PERMI_NAME(vector_two_sum)(total->hi, total->group, &error);
      total->lo = total->lo + error;
      total->group = PERMI_SET(0.0);
    }
    return;
  }
  /* renormalised once a state */
  PERMI_EVERY(k, settings, PERMI_NAME(add_wide_term)(total, p[k], m[k], k >= settings / 2));
  total->hi = PERMI_NAME(vector_two_sum)(total->hi, total->lo, &total->lo);
}

/* From 2^12 outer states on an estimate takes one in four groups, by a hash: fixed patterns may miss a matrix' terms.
   */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(add_moduli)(PERMI_V *absolute, PERMI_V (*p)[8], PERMI_V (*m)[8], int form,
                                                      int parts, int block)
{
  const int settings = 1 << block;
  PERMI_V modulus[8], even, odd;
  int k;
  PERMI_EVERY(k, settings, modulus[k] = PERMI_NAME(modulus)(p, m, form, parts, k));
  even = PERMI_NAME(sum_by_parity)(modulus, block, &odd);
  *absolute = *absolute + (even + odd);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(dense_end)(PERMI_NAME(total) re, PERMI_NAME(total) im, PERMI_V absolute,
                                                     int parts, permi_chunk_sum *out)
{
  double hi[2][8] PERMI_ALIGN64, lo[2][8] PERMI_ALIGN64, moduli[8] PERMI_ALIGN64;
  PERMI_STORE(hi[0], re.hi);
  PERMI_STORE(lo[0], re.lo);
  PERMI_STORE(hi[1], im.hi);
  PERMI_STORE(lo[1], im.lo);
  PERMI_STORE(moduli, absolute);
  PERMI_LEAVE();
  memset(out, 0, sizeof *out);
  for (int i = 0; i < PERMI_WIDTH; i++) {
    const double sign = (i ^ i >> 1 ^ i >> 2) & 1 ? -1.0 : 1.0;
    out->value = permi_dd_add(out->value, permi_two_sum(sign * hi[0][i], sign * lo[0][i]));
    if (parts == 2)
      out->imaginary = permi_dd_add(out->imaginary, permi_two_sum(sign * hi[1][i], sign * lo[1][i]));
    out->absolute += moduli[i];
  }
}

/* for 32 registers, or 16; split_complex with 3 has tables > 32 KiB */
#define PERMI_REAL (PERMI_WIDTH == 8 || PERMI_WIDTH == 2 ? 3 : 2)
#define PERMI_COMPLEX (PERMI_REAL - 1)
/* A macro: gcc would compile a function with the rows of all forms, too. */
#define PERMI_INSTANCE(name, rows, form, parts, product, block)                                                        \
  PERMI_KERNEL PERMI_NAME(name)(const permi_dense *dense, uint64_t chunk, permi_chunk_sum *sum)                        \
  {                                                                                                                    \
    double x[PERMI_VIRTUAL_ROWS] PERMI_ALIGN64;                                                                        \
    const uint64_t last = (chunk + 1) << dense->chunk_log2, tables = (UINT64_C(1) << dense->tabled) - 1;               \
    const int group_log2 = dense->chunk_log2 < PERMI_GROUP_LOG2 ? dense->chunk_log2 : PERMI_GROUP_LOG2;                \
    const uint64_t group = (UINT64_C(1) << group_log2) - 1;                                                            \
    PERMI_V absolute = PERMI_SET(0.0);                                                                                 \
    PERMI_NAME(total) re, im;                                                                                          \
    uint64_t c = chunk << dense->chunk_log2;                                                                           \
    re.group = re.hi = re.lo = im.group = im.hi = im.lo = absolute;                                                    \
    for (PERMI_NAME(walk_from)(dense, c, x);; PERMI_NAME(walk_to)(dense, c, x)) {                                      \
      PERMI_V p[2][8], m[2][8];                                                                                        \
      PERMI_NAME(rows)(dense, dense->table + (size_t)((c ^ c >> 1) & tables) * dense->table_size, x,                   \
                       PERMI_SET(c & 1 ? -1.0 : 1.0), product, block, p, m);                                           \
      if (!(permi_scatter(c >> PERMI_GROUP_LOG2) & dense->absolute_mask))                                              \
        PERMI_NAME(add_moduli)(&absolute, p, m, form, parts, block);                                                   \
      c++;                                                                                                             \
      PERMI_NAME(add_terms)(&re, p[0], m[0], !(c & group), form, product, block);                                      \
      if (parts == 2) PERMI_NAME(add_terms)(&im, p[1], m[1], !(c & group), form, product, block);                      \
      if (c == last) break;                                                                                            \
    }                                                                                                                  \
    PERMI_NAME(dense_end)(re, im, absolute, parts, sum);                                                               \
  }
PERMI_INSTANCE(glynn_real, rows_normalised, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, PERMI_REAL)
PERMI_INSTANCE(pair_real, rows_pair_real, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, PERMI_REAL)
#if PERMI_WIDTH == 8
PERMI_INSTANCE(glynn_real_k2, rows_normalised, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 2)
PERMI_INSTANCE(pair_real_k2, rows_pair_real, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 2)
#endif
PERMI_INSTANCE(split_real, rows_split_real, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, (PERMI_WIDTH > 1 ? 3 : 2))
PERMI_INSTANCE(dd_real, rows_split_real, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, PERMI_REAL)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(pair_complex, rows_pair_complex, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, PERMI_COMPLEX)
PERMI_INSTANCE(split_complex, rows_split_complex, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, (PERMI_WIDTH > 1 ? 2 : 1))
PERMI_INSTANCE(dd_complex, rows_split_complex, PERMI_FORM_SPLIT, 2, PERMI_DOUBLED, PERMI_COMPLEX)
#endif
#undef PERMI_REAL
#undef PERMI_COMPLEX
#undef PERMI_INSTANCE

/* ================================================================================== >>small_kernels
   Columns 0 and 1 expanded exactly, Glynn's signs for the other n - 2, the third +. With z_i the signed sum of row i,
   the permanent is
       2^-(n-3) sum over signs of (product of the signs) [x y] prod_i (z_i + a_i0 x + a_i1 y),  x^2 = y^2 = 0.
   A pair of rows is p + u x + v y + c xy: p = z_i z_j; u = a_i0 z_j + a_j0 z_i and v, linear in the signs, come from
   tables like z_i (tests/proofs/small_orders.sh).
   Constants: order, or 0 if n is an argument (n = 3 + lane + block columns: all in registers); parts; block columns, 0
   to 2.
   out: value; the sum of the larger modulus of each term's halves, to which errors are relative (no cancelled term
   looks accurate); at least the sum of squares. */
#define PERMI_LANES (PERMI_WIDTH == 8 ? 3 : PERMI_WIDTH == 4 ? 2 : PERMI_WIDTH == 2)
#define PERMI_TABLE (5 - PERMI_LANES) /* 32 table numbers and 16 outer ones a row */
#define PERMI_EXPANDED PERMI_NAME(small_expanded)
#define PERMI_EVERY_SETTING(q, call) /* a loop's arrays stay in clang's memory */                                      \
  do { q = 0; call; if (block >= 1) { q = 1; call; }                                                                   \
    if (block == 2) { q = 2; call; q = 3; call; }                                                                      \
  } while (0)

typedef struct {
  PERMI_N p, u, v, c;
} PERMI_EXPANDED;
typedef struct {
  PERMI_N i0, i1, j0, j1;
} PERMI_NAME(small_entries);
typedef struct {
  PERMI_V sign0, sign1, sign2;
} PERMI_NAME(small_lanes);
typedef struct {
  PERMI_N even, odd; /* of minus block signs */
  PERMI_V absolute;
} PERMI_NAME(small_sums);

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_signed)(PERMI_N x, PERMI_V sign, PERMI_N y, int parts)
{
  x.re = PERMI_FMA(sign, y.re, x.re);
  if (parts == 2)
    x.im = PERMI_FMA(sign, y.im, x.im);
  return x;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_lane_sum)(PERMI_N z, const double *row, int columns,
                                                             PERMI_NAME(small_lanes) lanes, int parts)
{
  if (PERMI_LANES > 0 && columns > 0)
    z = PERMI_NAME(small_signed)(z, lanes.sign0, PERMI_NAME(spread)(row, 1, parts), parts);
  if (PERMI_LANES > 1 && columns > 1)
    z = PERMI_NAME(small_signed)(z, lanes.sign1, PERMI_NAME(spread)(row + parts, 1, parts), parts);
  if (PERMI_LANES > 2 && columns > 2)
    z = PERMI_NAME(small_signed)(z, lanes.sign2, PERMI_NAME(spread)(row + 2 * parts, 1, parts), parts);
  return z;
}

/* z by setting: 1 turns the first block column, 2 the second, 3 both. */
typedef struct {
  PERMI_N z[4];
} PERMI_NAME(small_row);
PERMI_TARGET PERMI_INLINE PERMI_NAME(small_row)
    PERMI_NAME(small_row_sums)(const double *row, PERMI_NAME(small_lanes) lanes, int parts, int block)
{
  const PERMI_N fixed = PERMI_NAME(spread)(row + 2 * parts, 1, parts);
  PERMI_NAME(small_row) sums;
  sums.z[0] = PERMI_NAME(small_lane_sum)(fixed, row + 3 * parts, PERMI_LANES, lanes, parts);
  if (block >= 1) {
    const PERMI_N e = PERMI_NAME(spread)(row + (3 + PERMI_LANES) * parts, 1, parts);
    sums.z[1] = PERMI_NAME(minus)(sums.z[0], e);
    sums.z[0] = PERMI_NAME(plus)(sums.z[0], e);
  }
  if (block == 2) {
    const PERMI_N e = PERMI_NAME(spread)(row + (4 + PERMI_LANES) * parts, 1, parts);
    sums.z[2] = PERMI_NAME(minus)(sums.z[0], e);
    sums.z[0] = PERMI_NAME(plus)(sums.z[0], e);
    sums.z[3] = PERMI_NAME(minus)(sums.z[1], e);
    sums.z[1] = PERMI_NAME(plus)(sums.z[1], e);
  }
  return sums;
}

/* Returns [x] of (w_i + a_i x) (w_j + a_j x). */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_linear)(PERMI_N ai, PERMI_N wj, PERMI_N aj,
                                                                PERMI_N wi, int parts)
{
  return PERMI_NAME(plus_times)(PERMI_NAME(times)(ai, wj, parts), aj, wi, parts);
}

/* This order keeps gcc's AVX2 kernels in registers: 0.87 to 0.92 of the time. */
PERMI_TARGET PERMI_INLINE PERMI_EXPANDED PERMI_NAME(small_multiply)(PERMI_EXPANDED f, PERMI_EXPANDED by, int parts)
{
  PERMI_EXPANDED g;
  g.c = PERMI_NAME(plus_times)(PERMI_NAME(times)(by.c, f.p, parts), by.v, f.u, parts);
  g.c = PERMI_NAME(plus_times)(g.c, by.u, f.v, parts);
  g.c = PERMI_NAME(plus_times)(g.c, by.p, f.c, parts);
  g.u = PERMI_NAME(plus_times)(PERMI_NAME(times)(by.u, f.p, parts), by.p, f.u, parts);
  g.v = PERMI_NAME(plus_times)(PERMI_NAME(times)(by.v, f.p, parts), by.p, f.v, parts);
  g.p = PERMI_NAME(times)(by.p, f.p, parts);
  return g;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_finish)(PERMI_NAME(small_sums) * sums, PERMI_N g, PERMI_N h,
                                                        PERMI_V sign, int setting, int parts)
{
  PERMI_N *sum = setting == 1 || setting == 2 ? &sums->odd : &sums->even;
  PERMI_V larger = PERMI_LARGER(g.re, h.re);
  *sum = PERMI_NAME(small_signed)(*sum, sign, PERMI_NAME(plus)(g, h), parts);
  if (parts == 2)
    larger = larger + PERMI_LARGER(g.im, h.im);
  sums->absolute = sums->absolute + larger;
}

/* Adds [xy] of f times a pair. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_end_pair)(PERMI_NAME(small_sums) * sums, PERMI_EXPANDED f,
                                                          PERMI_EXPANDED last, PERMI_V sign, int setting, int parts)
{
  const PERMI_N h = PERMI_NAME(plus_times)(PERMI_NAME(times)(last.u, f.v, parts), last.v, f.u, parts);
  const PERMI_N g = PERMI_NAME(plus_times)(PERMI_NAME(times)(last.c, f.p, parts), last.p, f.c, parts);
  PERMI_NAME(small_finish)(sums, g, h, sign, setting, parts);
}

/* The same of f times a last row. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_end_row)(PERMI_NAME(small_sums) * sums, PERMI_EXPANDED f,
                                                         PERMI_N z, const double *row, PERMI_V sign, int setting,
                                                         int parts)
{
  const PERMI_N a0 = PERMI_NAME(spread)(row, 1, parts), a1 = PERMI_NAME(spread)(row + parts, 1, parts);
  const PERMI_N h = PERMI_NAME(plus_times)(PERMI_NAME(times)(a0, f.v, parts), a1, f.u, parts);
  PERMI_NAME(small_finish)(sums, PERMI_NAME(times)(z, f.c, parts), h, sign, setting, parts);
}

/* *c = a_i0 a_j1 + a_i1 a_j0. */
PERMI_TARGET PERMI_INLINE PERMI_NAME(small_entries)
    PERMI_NAME(small_exact)(const double *i, const double *j, PERMI_N *c, int parts)
{
  PERMI_NAME(small_entries) entries;
  entries.i0 = PERMI_NAME(spread)(i, 1, parts);
  entries.i1 = PERMI_NAME(spread)(i + parts, 1, parts);
  entries.j0 = PERMI_NAME(spread)(j, 1, parts);
  entries.j1 = PERMI_NAME(spread)(j + parts, 1, parts);
  *c = PERMI_NAME(small_linear)(entries.i0, entries.j1, entries.i1, entries.j0, parts);
  return entries;
}

/* Forms 4k + (0, 1, 2, 3) are z_i, z_j, u, v of pair k, a part 32 doubles of `table` and 16 of `outer`; cross is c. */
#define PERMI_ROOM_TABLE (8 * 4 * 32)
#define PERMI_ROOM_OUTER (8 * 4 * 16)
#define PERMI_ROOM (PERMI_ROOM_TABLE + PERMI_ROOM_OUTER + 8 * PERMI_WIDTH)

/* Makes `count` numbers z to z + y, the next ones to z - y. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_double)(double *z, int count, PERMI_N y, int apart, int parts)
{
  for (int at = 0; at < count; at += PERMI_WIDTH) {
    const PERMI_N before = PERMI_NAME(get)(z + at, apart, parts);
    PERMI_NAME(put)(z + at + count, apart, PERMI_NAME(minus)(before, y), parts);
    PERMI_NAME(put)(z + at, apart, PERMI_NAME(plus)(before, y), parts);
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_table_row)(const double *row, double *t, int columns,
                                                           PERMI_NAME(small_lanes) lanes, int parts, int block)
{
  const PERMI_NAME(small_row) sums = PERMI_NAME(small_row_sums)(row, lanes, parts, block);
  int b;
  PERMI_EVERY_SETTING(b, PERMI_NAME(put)(t + b * PERMI_WIDTH, 32, sums.z[b], parts));
  for (b = block; b < columns; b++)
    PERMI_NAME(small_double)(t, PERMI_WIDTH << b, PERMI_NAME(spread)(row + (3 + PERMI_LANES + b) * parts, 1, parts), 32,
                             parts);
}

/* Sets x to sums of `count` columns for all signs; the `more` that follow have the signs of `away`. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_outer_row)(const double *row, double *x, int apart, int count, int more,
                                                           uint64_t away, PERMI_NAME(small_lanes) lanes, int parts)
{
  PERMI_N z = PERMI_NAME(spread)(permi_lane_zero, 1, parts);
  for (int b = 0; b < more; b++)
    z = PERMI_NAME(small_signed)(z, PERMI_SET(permi_parity_signs[away >> b & 1]),
                                 PERMI_NAME(spread)(row + (count + b) * parts, 1, parts), parts);
  PERMI_NAME(put)(x, apart, PERMI_NAME(small_lane_sum)(z, row, count, lanes, parts), parts);
  for (int b = PERMI_LANES; b < count; b++)
    PERMI_NAME(small_double)(x, 1 << b, PERMI_NAME(spread)(row + b * parts, 1, parts), apart, parts);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_mix)(double *from, int count, PERMI_NAME(small_entries) entries,
                                                     int apart, int parts)
{
  for (int at = 0; at < count; at += PERMI_WIDTH, from += PERMI_WIDTH) {
    const PERMI_N zi = PERMI_NAME(get)(from, apart, parts), zj = PERMI_NAME(get)(from + parts * apart, apart, parts);
    const PERMI_N u = PERMI_NAME(small_linear)(entries.i0, zj, entries.j0, zi, parts);
    const PERMI_N v = PERMI_NAME(small_linear)(entries.i1, zj, entries.j1, zi, parts);
    PERMI_NAME(put)(from + 2 * parts * apart, apart, u, parts);
    PERMI_NAME(put)(from + 3 * parts * apart, apart, v, parts);
  }
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_form)(const double *from, PERMI_N x, int q, int parts)
{
  return PERMI_NAME(plus)(PERMI_NAME(get)(from + q * PERMI_WIDTH, 32, parts), x);
}

typedef struct {
  const double *a, *table, *outer, *cross;
  PERMI_NAME(small_lanes) lanes;
  PERMI_V squares;
  int n;
} PERMI_NAME(small_source);
typedef struct {
  PERMI_NAME(small_row) i, j;
  PERMI_NAME(small_entries) entries;
  const double *table;
  PERMI_N zi, zj, u, v; /* outer columns' */
  PERMI_N c;
} PERMI_NAME(small_rows);

/* Fetches rows 2k and, unless `single`, 2k + 1. */
PERMI_TARGET PERMI_INLINE PERMI_NAME(small_rows)
    PERMI_NAME(small_fetch)(const PERMI_NAME(small_source) * from, int k, int single, int tables, int parts,
                             int block)
{
  const double *a = from->a + 2 * k * from->n * parts, *other = a + from->n * parts;
  PERMI_NAME(small_rows) rows;
  if (tables) {
    const double *outer = from->outer + k * 64 * parts;
    rows.table = from->table + k * 128 * parts;
    rows.zi = PERMI_NAME(spread)(outer, 16, parts);
    if (!single) {
      rows.zj = PERMI_NAME(spread)(outer + 16 * parts, 16, parts);
      rows.u = PERMI_NAME(spread)(outer + 32 * parts, 16, parts);
      rows.v = PERMI_NAME(spread)(outer + 48 * parts, 16, parts);
      rows.c = PERMI_NAME(get)(from->cross + k * parts * PERMI_WIDTH, PERMI_WIDTH, parts);
    }
  } else {
    rows.i = PERMI_NAME(small_row_sums)(a, from->lanes, parts, block);
    if (!single) {
      rows.j = PERMI_NAME(small_row_sums)(other, from->lanes, parts, block);
      rows.entries = PERMI_NAME(small_exact)(a, other, &rows.c, parts);
    }
  }
  return rows;
}

PERMI_TARGET PERMI_INLINE PERMI_EXPANDED PERMI_NAME(small_pair)(const PERMI_NAME(small_rows) * rows, int q, int tables,
                                                                int parts)
{
  const PERMI_NAME(small_entries) *entries = &rows->entries;
  const double *table = rows->table;
  PERMI_EXPANDED pair;
  PERMI_N zi, zj;
  if (tables) {
    zi = PERMI_NAME(small_form)(table, rows->zi, q, parts);
    zj = PERMI_NAME(small_form)(table + 32 * parts, rows->zj, q, parts);
    pair.u = PERMI_NAME(small_form)(table + 64 * parts, rows->u, q, parts);
    pair.v = PERMI_NAME(small_form)(table + 96 * parts, rows->v, q, parts);
    pair.p = PERMI_NAME(times)(zi, zj, parts);
  } else {
    zi = rows->i.z[q];
    zj = rows->j.z[q];
    pair.p = PERMI_NAME(times)(zi, zj, parts);
    pair.u = PERMI_NAME(small_linear)(entries->i0, zj, entries->j0, zi, parts);
    pair.v = PERMI_NAME(small_linear)(entries->i1, zj, entries->j1, zi, parts);
  }
  pair.c = rows->c;
  return pair;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_terms)(PERMI_NAME(small_sums) * sums,
                                                       const PERMI_NAME(small_source) * from, PERMI_V sign, int tables,
                                                       int parts, int block)
{
  const int n = from->n;
  const double *last = from->a + (n - 1) * n * parts;
  PERMI_NAME(small_rows) rows = PERMI_NAME(small_fetch)(from, 0, 0, tables, parts, block);
  PERMI_EXPANDED f[4];
  int k, q;
  PERMI_EVERY_SETTING(q, f[q] = PERMI_NAME(small_pair)(&rows, q, tables, parts));
  for (k = 1; k < (n - 1) / 2; k++) {
    rows = PERMI_NAME(small_fetch)(from, k, 0, tables, parts, block);
    PERMI_EVERY_SETTING(q,
                f[q] = PERMI_NAME(small_multiply)(f[q], PERMI_NAME(small_pair)(&rows, q, tables, parts), parts));
  }
  rows = PERMI_NAME(small_fetch)(from, k, n % 2, tables, parts, block);
  if (n % 2) {
    PERMI_EVERY_SETTING(q, PERMI_NAME(small_end_row)(
                              sums, f[q], tables ? PERMI_NAME(small_form)(rows.table, rows.zi, q, parts)
                                                 : rows.i.z[q], last, sign, q, parts));
  } else {
    PERMI_EVERY_SETTING(q, PERMI_NAME(small_end_pair)(
                              sums, f[q], PERMI_NAME(small_pair)(&rows, q, tables, parts), sign, q, parts));
  }
}

/* Far columns, from PERMI_NEAR_N on, turn last: each of their settings makes the outer tables again, and has sums of
   its own, as one sum rounds too often. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_by_tables)(PERMI_NAME(small_sums) * sums,
                                                           PERMI_NAME(small_source) from, int parts, int block)
{
  double room[2 * PERMI_ROOM] PERMI_ALIGN64; /* real: half of it */
  double *table = room, *outer = table + PERMI_ROOM_TABLE * parts, *cross = outer + PERMI_ROOM_OUTER * parts;
  const double *a = from.a;
  const int n = from.n, near_columns = n < PERMI_NEAR_N ? n : PERMI_NEAR_N, rest = near_columns - 3 - PERMI_LANES;
  const int columns = rest < PERMI_TABLE ? rest : PERMI_TABLE, stride = n * parts;
  const int settings = 1 << columns, states = 1 << (rest - columns);
  for (int i = 0; i < n; i++)
    PERMI_NAME(small_table_row)(a + i * stride, table + (i / 2 * 4 + i % 2) * 32 * parts, columns, from.lanes, parts,
                                block);
  for (int k = 0; k < n / 2; k++) {
    PERMI_N c;
    const double *row = a + 2 * k * stride;
    const PERMI_NAME(small_entries) entries = PERMI_NAME(small_exact)(row, row + stride, &c, parts);
    PERMI_NAME(put)(cross + k * parts * PERMI_WIDTH, PERMI_WIDTH, c, parts);
    PERMI_NAME(small_mix)(table + 4 * k * parts * 32, settings * PERMI_WIDTH, entries, 32, parts);
  }
  from.cross = cross;
  for (int away = 0; away < 1 << (n - near_columns); away++) {
    PERMI_NAME(small_sums) group = *sums;
    if (away)
      group.even = group.odd = PERMI_NAME(spread)(permi_lane_zero, 1, parts);
    for (int i = 0; i < n; i++)
      PERMI_NAME(small_outer_row)(a + i * stride + (near_columns - rest + columns) * parts,
                                  outer + (i / 2 * 4 + i % 2) * 16 * parts, 16, rest - columns, n - near_columns,
                                  (uint64_t)away, from.lanes, parts);
    for (int k = 0; k < n / 2; k++) {
      PERMI_N c;
      const double *row = a + 2 * k * stride;
      PERMI_NAME(small_mix)(outer + 4 * k * parts * 16, states,
                            PERMI_NAME(small_exact)(row, row + stride, &c, parts), 16, parts);
    }
    for (int s = 0; s < states; s++)
      for (int set = 0; set < settings; set += 1 << block) {
        from.table = table + set * PERMI_WIDTH;
        from.outer = outer + s;
        PERMI_NAME(small_terms)(&group, &from, PERMI_SET(permi_parity_signs[s ^ set >> block ^ away]), 1, parts,
                                block);
      }
    if (away) {
      group.even = PERMI_NAME(plus)(sums->even, group.even);
      group.odd = PERMI_NAME(plus)(sums->odd, group.odd);
    }
    *sums = group;
  }
}

PERMI_TARGET PERMI_INLINE PERMI_NAME(small_source)
    PERMI_NAME(small_begin)(int n, const double *a, PERMI_NAME(small_sums) * sums, int parts)
{
  const int entries = n * n * parts;
  const PERMI_V zero = PERMI_SET(0.0);
  PERMI_V squares0 = zero, squares1 = zero;
  PERMI_NAME(small_source) from;
  from.a = a;
  from.table = NULL;
  from.n = n;
  from.lanes.sign0 = PERMI_LANES > 0 ? PERMI_LOAD(permi_lane_signs[0]) : zero;
  from.lanes.sign1 = PERMI_LANES > 1 ? PERMI_LOAD(permi_lane_signs[1]) : zero;
  from.lanes.sign2 = PERMI_LANES > 2 ? PERMI_LOAD(permi_lane_signs[2]) : zero;
  sums->even = sums->odd = PERMI_NAME(spread)(permi_lane_zero, 1, parts);
  sums->absolute = zero;
  for (int i = 0; i < entries; i += 2 * PERMI_WIDTH) { /* some squares count twice */
    const double *at = a + (i + 2 * PERMI_WIDTH <= entries ? i : entries - 2 * PERMI_WIDTH);
    const PERMI_V x0 = PERMI_LOAD_ANY(at), x1 = PERMI_LOAD_ANY(at + PERMI_WIDTH);
    squares0 = PERMI_FMA(x0, x0, squares0);
    squares1 = PERMI_FMA(x1, x1, squares1);
  }
  from.squares = squares0 + squares1;
  return from;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_end)(const PERMI_NAME(small_source) * from,
                                                     const PERMI_NAME(small_sums) * sums, double *out, int parts)
{
  double lane[8 * 4] PERMI_ALIGN64;
  PERMI_NAME(put)(lane, 8, PERMI_NAME(minus)(sums->even, sums->odd), parts);
  PERMI_STORE(lane + 8 * parts, sums->absolute);
  PERMI_STORE(lane + 8 * parts + 8, from->squares);
  PERMI_LEAVE();
  permi_small_fold(lane, PERMI_WIDTH, parts, from->n, out);
}

/* order 0: any, by tables; else in registers */
#define PERMI_SMALL(order, parts, block)                                                                               \
  PERMI_NAME(small_sums) sums;                                                                                         \
  const PERMI_NAME(small_source) from = PERMI_NAME(small_begin)(order ? order : n, a, &sums, parts);                   \
  if (order) PERMI_NAME(small_terms)(&sums, &from, PERMI_SET(1.0), 0, parts, block);                                   \
  else PERMI_NAME(small_by_tables)(&sums, from, parts, block);
#define PERMI_INSTANCE(name, order, parts, block)                                                                      \
  PERMI_KERNEL PERMI_NAME(name)(int n, const double *a, double *out)                                                   \
  { PERMI_SMALL(order, parts, block)                                                                                   \
    PERMI_NAME(small_end)(&from, &sums, out, parts);                                                                   \
  }
#if PERMI_WIDTH == 8
PERMI_INSTANCE(small_real_n6, 6, 1, 0)
PERMI_INSTANCE(small_real_n7, 7, 1, 1)
PERMI_INSTANCE(small_real_n8, 8, 1, 2)
#elif PERMI_WIDTH == 4
PERMI_INSTANCE(small_real_n5, 5, 1, 0)
PERMI_INSTANCE(small_real_n6, 6, 1, 1)
#elif PERMI_WIDTH == 1
PERMI_INSTANCE(small_real_n5, 5, 1, 2)
#endif
PERMI_INSTANCE(small_real, 0, 1, (PERMI_WIDTH == 8 ? 2 : 1))
#if !defined(PERM_NO_COMPLEX)
#if PERMI_WIDTH == 8
PERMI_INSTANCE(small_complex_n6, 6, 2, 0)
PERMI_INSTANCE(small_complex_n7, 7, 2, 1)
#elif PERMI_WIDTH == 4
PERMI_INSTANCE(small_complex_n5, 5, 2, 0)
#endif
PERMI_INSTANCE(small_complex, 0, 2, (PERMI_WIDTH == 8))
#endif

#undef PERMI_INSTANCE
#undef PERMI_SMALL
#undef PERMI_LANES
#undef PERMI_TABLE
#undef PERMI_EXPANDED
#undef PERMI_EVERY_SETTING
#undef PERMI_ROOM
#undef PERMI_ROOM_TABLE
#undef PERMI_ROOM_OUTER

PERMI_BRIEF_BEGIN

/* ================================================================================== >>exact_kernels
   Kernels of >>exact. `atom` has four vectors of 4 WIDTH int16 an atom, the first `settings` in use.
     atoms    products of rows below 2^15, int16; 4 or 5 a limb; 1 without rows
     halves   atoms 0 1 (4) and 2 3, below 2^31, int32: PAIRS16 adds products of neighbours, one of them cleared
     limbs    products of halves, |g| <= G < 2^51, the plan's cap: exact doubles
     terms    (prod of the first limbs) (prod of the others), limbs of weights u_k = 2^(51 k), IFMA: 2^(52 k)
   A number is sum_i a_i, its limbs a_i multiples of u_i = 2^(51 i) unit, below 2^52 u_i; round[i] = C_i = 1.5 *
   2^103 u_i. fma(a, g, C_i) = C_i + h and l = fma(a, g, -h) split ag = h + l exactly. A vector of atoms ends as
   four of limbs, the places, lanes 0, 2, 1, 3 modulo 4. Bit q of `negative` turns setting q, place_signs lanes 1
   and 2 modulo 4. Accumulators stay below 2^63 (docs/proofs-rounding.md; tests/proofs/limbs.g,
   tests/proofs/limbs_orders.sh). */

#if defined(PERMI_I) && !defined(PERM_NO_EXACT)
#define PERMI_LANES (4 * PERMI_WIDTH) /* of int16; twice as many bytes */

PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_limb)(const permi_exact *exact, const permi_exact_work *work, int k,
                                                      int q, PERMI_I *limb)
{
  const PERMI_I even = PERMI_I_SET(0xffff), odd = PERMI_I_SET(0xffff0000);
  const int16_t *from = work->atom + (k * PERMI_EXACT_ATOMS * 4 + q) * PERMI_LANES;
  const PERMI_I a = PERMI_I_LOAD(from), b = PERMI_I_LOAD(from + 4 * PERMI_LANES);
  const PERMI_I c = PERMI_I_LOAD(from + 8 * PERMI_LANES), d = PERMI_I_LOAD(from + 12 * PERMI_LANES);
  const PERMI_I f0 = PERMI_I_PAIRS16(c & even, d), f1 = PERMI_I_PAIRS16(c & odd, d);
  PERMI_I e0 = PERMI_I_PAIRS16(a & even, b), e1 = PERMI_I_PAIRS16(a & odd, b);
  if (exact->fifth[k]) {
    const PERMI_I fifth = PERMI_I_LOAD(from + 16 * PERMI_LANES);
    e0 = PERMI_I_MUL32(e0, PERMI_I_PAIRS16(fifth, PERMI_I_SET(1)));
    e1 = PERMI_I_MUL32(e1, PERMI_I_PAIRS16(fifth, PERMI_I_SET(0x10000)));
  }
  limb[0] = PERMI_I_EVEN32(e0, f0);
  limb[1] = PERMI_I_EVEN32(PERMI_I_HIGH32(e0), PERMI_I_HIGH32(f0));
  limb[2] = PERMI_I_EVEN32(e1, f1);
  limb[3] = PERMI_I_EVEN32(PERMI_I_HIGH32(e1), PERMI_I_HIGH32(f1));
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_limb_doubles)(const permi_exact *exact, const permi_exact_work *work,
                                                              int k, int q, double *to)
{
  PERMI_I limb[4];
  PERMI_NAME(exact_limb)(exact, work, k, q, limb);
  PERMI_UNROLL
  for (int place = 0; place < 4; place++)
    PERMI_STORE(to + place * PERMI_WIDTH, PERMI_I_DOUBLES(limb[place]));
}

PERMI_TARGET PERMI_INLINE int PERMI_NAME(exact_sign)(int negative, int place_signs, int q, int place)
{
  return (negative >> q ^ (place_signs & (place ^ place >> 1))) & 1;
}

/* Adds l and h of a g to low and high, or sets these if fresh. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_split)(PERMI_V a, PERMI_V g, PERMI_V c, int fresh_low, PERMI_V *low,
                                                       int fresh_high, PERMI_V *high)
{
  PERMI_V h = PERMI_FMA(a, g, c) - c, l = PERMI_FMS(a, g, h);
  if (!fresh_low)
    l = l + *low;
  if (!fresh_high)
    h = h + *high;
  *low = l;
  *high = h;
}

/* Sets a[0 .. k] = a[0 .. k - 1] g, limbs `apart`; parts of g are four vectors apart. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_times)(PERMI_V *a, int k, const double *g, const double *round,
                                                       int apart, int parts)
{
  const PERMI_V re = PERMI_LOAD(g);
  PERMI_V carry[2];
  carry[0] = carry[1] = PERMI_SET(0);
  PERMI_UNROLL_UP_TO(3)
  for (int i = 0; i < k; i++, a += apart) {
    const PERMI_V c = PERMI_SET(round[i]);
    PERMI_V low[2] = {carry[0], carry[1]};
    PERMI_NAME(exact_split)(a[0], re, c, !i, low, 1, carry);
    if (parts == 2) {
      const PERMI_V im = PERMI_LOAD(g + 4 * PERMI_WIDTH);
      PERMI_NAME(exact_split)(a[1], PERMI_SET(0) - im, c, 0, low, 0, carry);
      PERMI_NAME(exact_split)(a[0], im, c, !i, low + 1, 1, carry + 1);
      PERMI_NAME(exact_split)(a[1], re, c, 0, low + 1, 0, carry + 1);
      a[1] = low[1];
    }
    a[0] = low[0];
  }
  a[0] = carry[0];
  if (parts == 2)
    a[1] = carry[1];
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_sum)(PERMI_I *to, PERMI_V a, PERMI_V b, PERMI_V round, PERMI_V rest)
{
  const PERMI_V high = PERMI_FMA(a, b, round), low = PERMI_FMA(a, b, rest - high);
  to[0] = PERMI_I_ADD64(to[0], PERMI_I_BITS(low));
  to[1] = PERMI_I_ADD64(to[1], PERMI_I_BITS(high));
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_few)(const permi_exact *exact, permi_exact_work *work, int settings,
                                                     int negative, int place_signs, int limbs)
{
  const int first = (limbs + 1) / 2, second = limbs - first;
  const PERMI_V minus = PERMI_SET(-0.0), plus = PERMI_SET(0.0);
  double limb[6 * 4 * PERMI_WIDTH] PERMI_ALIGN64;
  uint64_t *accumulator = work->accumulator[0];
  PERMI_I sum[7];
  int i, j, k, q, place;
  PERMI_UNROLL
  for (k = 0; k <= limbs; k++)
    sum[k] = PERMI_I_LOAD(accumulator + k * PERMI_WIDTH);
  for (q = 0; q < settings; q++) {
    PERMI_UNROLL
    for (k = 0; k < limbs; k++)
      PERMI_NAME(exact_limb_doubles)(exact, work, k, q, limb + k * 4 * PERMI_WIDTH);
    for (place = 0; place < 4; place++) {
      const double *from = limb + place * PERMI_WIDTH, *other = from + first * 4 * PERMI_WIDTH;
      PERMI_V a[3], b[3];
      a[0] = PERMI_XOR(PERMI_LOAD(from), PERMI_NAME(exact_sign)(negative, place_signs, q, place) ? minus : plus);
      b[0] = PERMI_LOAD(other);
      PERMI_EVERY(k, 2, if (k + 1 < first)
                  PERMI_NAME(exact_times)(a, k + 1, from + (k + 1) * 4 * PERMI_WIDTH, exact->round, 1, 1));
      PERMI_EVERY(k, 2, if (k + 1 < second)
                  PERMI_NAME(exact_times)(b, k + 1, other + (k + 1) * 4 * PERMI_WIDTH, exact->round, 1, 1));
      PERMI_UNROLL_UP_TO(3)
      for (i = 0; i < first; i++) {
        PERMI_UNROLL_UP_TO(3)
        for (j = 0; j < second; j++)
          PERMI_NAME(exact_sum)(sum + i + j, a[i], b[j], PERMI_SET(exact->round[i + j]), PERMI_SET(exact->rest[i + j]));
      }
    }
  }
  PERMI_UNROLL
  for (k = 0; k <= limbs; k++)
    PERMI_I_STORE(accumulator + k * PERMI_WIDTH, sum[k]);
}

/* Stores wide limbs of setting q, [limb][part][4]. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_factors)(const permi_exact *exact, const double *x, int q, double *to,
                                                         int parts)
{
  const double *table = exact->wide_table + q * exact->wide_entries * 4 * PERMI_WIDTH;
  for (int k = 0; k < exact->limbs - exact->narrow; k++, to += 4 * parts * PERMI_WIDTH) {
    const int rows = exact->atom_rows[(exact->narrow + k) * PERMI_EXACT_ATOMS];
    PERMI_V product[4][2];
    PERMI_UNROLL
    for (int place = 0; place < 4; place++) {
      product[place][0] = PERMI_SET(1);
      product[place][1] = PERMI_SET(0);
    }
    for (int i = 0; i < rows; i++, table += 4 * parts * PERMI_WIDTH, x += parts) {
      const PERMI_V re = PERMI_SET(x[0]), im = PERMI_SET(parts == 2 ? x[1] : 0);
      PERMI_UNROLL
      for (int place = 0; place < 4; place++) {
        const PERMI_V y = re + PERMI_LOAD(table + place * PERMI_WIDTH);
        if (parts == 1) {
          product[place][0] = product[place][0] * y;
        } else {
          const PERMI_V z = im + PERMI_LOAD(table + (4 + place) * PERMI_WIDTH), was = product[place][0];
          const PERMI_V cross = product[place][1] * z, other = product[place][1] * y; /* integers below 2^51 */
          product[place][0] = PERMI_FMS(was, y, cross);
          product[place][1] = PERMI_FMA(was, z, other);
        }
      }
    }
    PERMI_UNROLL
    for (int place = 0; place < 4; place++) {
      PERMI_STORE(to + place * PERMI_WIDTH, product[place][0]);
      if (parts == 2)
        PERMI_STORE(to + (4 + place) * PERMI_WIDTH, product[place][1]);
    }
  }
}

/* Multiplies one half; Gaussian limbs are carried to at most 2^50. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_half)(PERMI_V *a, const double *limb, int limbs, const double *round,
                                                      int parts)
{
  for (int k = 1; k < limbs; k++) {
    PERMI_UNROLL
    for (int place = 0; place < 4; place++)
      PERMI_NAME(exact_times)(a + parts * place, k, limb + (k * 4 * parts + place) * PERMI_WIDTH, round, 4 * parts,
                              parts);
  }
  for (int k = 0; parts == 2 && k + 1 < limbs; k++)
    for (int v = 0; v < 8; v++, a++) {
      const PERMI_V c = PERMI_SET(round[k]), sum = *a + c, high = sum - c;
      *a = *a - high;
      a[8] = a[8] + high;
    }
}

/* Evaluates any limbs; Gaussian planes are re re', im im', (re + im)(re' + im'). */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_any)(const permi_exact *exact, permi_exact_work *work, int settings,
                                                     int negative, int place_signs, int parts)
{
  const int limbs = exact->limbs, first = (limbs + 1) / 2, second = limbs - first;
  const int many = 4 * parts, planes = 2 * parts - 1;
  double *limb = work->limb, *other = limb + first * many * PERMI_WIDTH;
  PERMI_V *a = (PERMI_V *)(void *)work->first, *b = (PERMI_V *)(void *)work->second;
  PERMI_V *a_sum = a + 8 * PERMI_EXACT_HALF, *b_sum = b + 8 * PERMI_EXACT_HALF;
  PERMI_I sum[3][PERMI_EXACT_LIMBS + 1];
  for (int plane = 0; plane < planes; plane++)
    for (int k = 0; k <= limbs; k++)
      sum[plane][k] = PERMI_I_LOAD(work->accumulator[plane] + k * PERMI_WIDTH);
  for (int q = 0; q < settings; q++) {
    for (int k = 0; k < exact->narrow; k++)
      PERMI_NAME(exact_limb_doubles)(exact, work, k, q, limb + k * 4 * PERMI_WIDTH);
    PERMI_NAME(exact_factors)(exact, work->x, q, limb + exact->narrow * many * PERMI_WIDTH, parts);
    for (int place = 0; place < 4; place++) {
      const int sign = PERMI_NAME(exact_sign)(negative, place_signs, q, place);
      for (int part = 0; part < parts; part++) {
        a[parts * place + part] =
            PERMI_LOAD(limb + (4 * part + place) * PERMI_WIDTH) * PERMI_SET(sign ? -exact->unit : exact->unit);
        b[parts * place + part] = PERMI_LOAD(other + (4 * part + place) * PERMI_WIDTH);
      }
    }
    PERMI_NAME(exact_half)(a, limb, first, exact->round, parts);
    PERMI_NAME(exact_half)(b, other, second, exact->second, parts);
    for (int k = 0; parts == 2 && k < 4 * first; k++)
      a_sum[k] = a[2 * k] + a[2 * k + 1];
    for (int k = 0; parts == 2 && k < 4 * second; k++)
      b_sum[k] = b[2 * k] + b[2 * k + 1];
    for (int plane = 0; plane < planes; plane++) {
      const int apart = plane == 2 ? 1 : parts;
      const PERMI_V *x = plane == 2 ? a_sum : a + plane, *y = plane == 2 ? b_sum : b + plane;
      for (int i = 0; i < first; i++)
        for (int j = 0; j < second; j++) {
          const PERMI_V round = PERMI_SET(exact->round[i + j]), rest = PERMI_SET(exact->rest[i + j]);
          PERMI_UNROLL
          for (int place = 0; place < 4; place++)
            PERMI_NAME(exact_sum)(sum[plane] + i + j, x[apart * (4 * i + place)], y[apart * (4 * j + place)], round,
                                  rest);
        }
    }
  }
  for (int plane = 0; plane < planes; plane++)
    for (int k = 0; k <= limbs; k++)
      PERMI_I_STORE(work->accumulator[plane] + k * PERMI_WIDTH, sum[plane][k]);
}

#if PERMI_WIDTH == 8
#define PERMI_IFMA __attribute__((target("avx512f,avx512dq,avx512bw,popcnt,avx512ifma")))
/* Sets a[0 .. k] = a[0 .. k - 1] a[k], k <= most. */
PERMI_IFMA PERMI_INLINE void permi_ifma_times(__m512i *a, int k, int most)
{
  const __m512i g = a[k], zero = _mm512_setzero_si512();
  __m512i above = zero, carry = zero;
  PERMI_UNROLL
  for (int i = 0; i < most; i++) {
    if (i < k) {
      const __m512i at = _mm512_add_epi64(_mm512_madd52lo_epu64(above, a[i], g), carry);
      above = _mm512_madd52hi_epu64(zero, a[i], g);
      carry = _mm512_srli_epi64(at, 52);
      a[i] = at;
    }
  }
  a[k] = _mm512_add_epi64(above, carry);
}

PERMI_IFMA PERMI_INLINE void permi_ifma_few(const permi_exact *exact, permi_exact_work *work, int settings,
                                            int negative, int place_signs, int limbs)
{
  const int first = (limbs + 1) / 2;
  __m512i limb[6][4], sum[7];
  uint64_t *accumulator = work->accumulator[0];
  int i, j, k, q, place;
  PERMI_UNROLL
  for (k = 0; k <= limbs; k++)
    sum[k] = PERMI_I_LOAD(accumulator + k * PERMI_WIDTH);
  for (q = 0; q < settings; q++) {
    PERMI_UNROLL
    for (k = 0; k < limbs; k++)
      permi_exact_limb_avx512(exact, work, k, q, limb[k]);
    for (place = 0; place < 4; place++) {
      __m512i sign = _mm512_set1_epi64(permi_exact_sign_avx512(negative, place_signs, q, place) ? -1 : 0);
      __m512i magnitude[6], term[6];
      PERMI_UNROLL
      for (k = 0; k < limbs; k++) {
        const __m512i g = limb[k][place];
        sign = _mm512_xor_si512(sign, g);
        magnitude[k] = _mm512_abs_epi64(g);
        term[k] = _mm512_setzero_si512();
      }
      PERMI_EVERY(k, 2, if (k + 1 < first) permi_ifma_times(magnitude, k + 1, first));
      PERMI_EVERY(k, 2, if (k + 1 < limbs - first) permi_ifma_times(magnitude + first, k + 1, first));
      PERMI_UNROLL
      for (i = 0; i < first; i++) {
        PERMI_UNROLL
        for (j = first; j < limbs; j++) {
          const int to = i + j - first;
          term[to] = _mm512_madd52lo_epu64(term[to], magnitude[i], magnitude[j]);
          term[to + 1] = _mm512_madd52hi_epu64(term[to + 1], magnitude[i], magnitude[j]);
        }
      }
      sign = _mm512_srai_epi64(sign, 63);
      PERMI_UNROLL
      for (k = 0; k < limbs; k++)
        sum[k] = _mm512_add_epi64(sum[k], _mm512_sub_epi64(_mm512_xor_si512(term[k], sign), sign));
    }
  }
  PERMI_UNROLL
  for (k = 0; k <= limbs; k++)
    PERMI_I_STORE(accumulator + k * PERMI_WIDTH, sum[k]);
}
#endif

#define PERMI_INSTANCE(name, target, few, limbs)                                                                       \
  target static void PERMI_NAME(name)(const permi_exact *exact, permi_exact_work *work, int settings, int negative,    \
                                      int place_signs)                                                                 \
  { few(exact, work, settings, negative, place_signs, limbs); }
PERMI_INSTANCE(exact_many, PERMI_TARGET, PERMI_NAME(exact_any), 1)
PERMI_INSTANCE(gaussian_many, PERMI_TARGET, PERMI_NAME(exact_any), 2)
PERMI_INSTANCE(exact_2, PERMI_TARGET, PERMI_NAME(exact_few), 2)
PERMI_INSTANCE(exact_3, PERMI_TARGET, PERMI_NAME(exact_few), 3)
PERMI_INSTANCE(exact_4, PERMI_TARGET, PERMI_NAME(exact_few), 4)
PERMI_INSTANCE(exact_5, PERMI_TARGET, PERMI_NAME(exact_few), 5)
PERMI_INSTANCE(exact_6, PERMI_TARGET, PERMI_NAME(exact_few), 6)
#if PERMI_WIDTH == 8
PERMI_INSTANCE(ifma_2, PERMI_IFMA, permi_ifma_few, 2)
PERMI_INSTANCE(ifma_3, PERMI_IFMA, permi_ifma_few, 3)
PERMI_INSTANCE(ifma_4, PERMI_IFMA, permi_ifma_few, 4)
PERMI_INSTANCE(ifma_5, PERMI_IFMA, permi_ifma_few, 5)
PERMI_INSTANCE(ifma_6, PERMI_IFMA, permi_ifma_few, 6)
#endif
#undef PERMI_INSTANCE
#undef PERMI_IFMA

PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_step)(uint32_t *x, const uint32_t *step, int padded, int minus,
                                                      int bytes)
{
  for (int i = 0; i < padded; i += 2 * PERMI_WIDTH) {
    const PERMI_I a = PERMI_I_LOAD(x + i), b = PERMI_I_LOAD(step + i);
    if (bytes == 1)
      PERMI_I_STORE(x + i, minus ? PERMI_I_SUB8(a, b) : PERMI_I_ADD8(a, b));
    else
      PERMI_I_STORE(x + i, minus ? PERMI_I_SUB16(a, b) : PERMI_I_ADD16(a, b));
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_move)(const permi_exact *exact, int j, int minus, uint32_t *x,
                                                      double *wide_x)
{
  const double *step = exact->wide_step + j * exact->wide_padded;
  PERMI_NAME(exact_step)(x, exact->step + j * exact->padded, exact->padded, minus, 2);
  for (int i = 0; i < exact->wide_padded; i += PERMI_WIDTH) {
    const PERMI_V a = PERMI_LOAD(wide_x + i), b = PERMI_LOAD(step + i);
    PERMI_STORE(wide_x + i, minus ? a - b : a + b);
  }
}

/* Makes room for `settings` more; moves what is there to *total. */
PERMI_TARGET static void PERMI_NAME(exact_room)(const permi_exact *exact, int settings, int lane_signs, int *used,
                                                permi_exact_work *work, permi_exact_total *total)
{
  if (*used + settings <= exact->settings)
    return;
  for (int plane = 0; plane < 2 * exact->parts - 1; plane++)
    for (int k = 0; k <= exact->limbs; k++)
      permi_exact_empty(work->accumulator[plane] + k * PERMI_WIDTH, PERMI_WIDTH, lane_signs,
                        4 * (uint64_t)*used * exact->bias[k], &total->plane[plane][k]);
  memset(work->accumulator, 0, sizeof work->accumulator);
  *used = 0;
}

PERMI_TARGET static void PERMI_NAME(exact_all)(const permi_exact *exact, uint64_t chunk, permi_exact_work *work,
                                               permi_exact_total *total)
{
  const int atoms = exact->narrow * PERMI_EXACT_ATOMS;
  int16_t *atom = work->atom;
  double *wide_x = work->x;
  uint32_t x[PERM_MAX_N] PERMI_ALIGN64;
  uint64_t s = chunk << exact->chunk_log2, last = s + (UINT64_C(1) << exact->chunk_log2);
  int i, j, k, q, used = 0;
  memcpy(x, exact->start, (size_t)exact->padded * sizeof *x);
  memset(wide_x, 0, (size_t)exact->wide_padded * sizeof *wide_x);
  for (j = 0; j < exact->outer; j++)
    if ((s ^ s >> 1) >> j & 1)
      PERMI_NAME(exact_move)(exact, j, 1, x, wide_x);
  for (k = 0; k < 4 * atoms * PERMI_LANES; k++)
    atom[k] = 1;
  memset(work->accumulator, 0, sizeof work->accumulator);
  for (;;) {
    const int16_t *table = exact->table;
    const uint32_t *row_sum = x;
    for (k = 0; k < atoms; k++) {
      const int rows = exact->atom_rows[k];
      int16_t *to = atom + k * 4 * PERMI_LANES;
      if (rows) {
        PERMI_I p[4], y = PERMI_I_SET(*row_sum++);
        PERMI_EVERY(q, 4, p[q] = PERMI_I_ADD16(y, PERMI_I_LOAD(table + q * PERMI_LANES)));
        for (i = 1, table += 4 * PERMI_LANES; i < rows; i++, table += 4 * PERMI_LANES) {
          y = PERMI_I_SET(*row_sum++);
          PERMI_EVERY(q, 4, p[q] = PERMI_I_MUL16(p[q], PERMI_I_ADD16(y, PERMI_I_LOAD(table + q * PERMI_LANES))));
        }
        PERMI_EVERY(q, 4, PERMI_I_STORE(to + q * PERMI_LANES, p[q]));
      }
    }
    PERMI_NAME(exact_room)(exact, 4, 1, &used, work, total);
    exact->evaluate(exact, work, 4, s & 1 ? 9 : 6, 1); /* settings 1 and 2 have one minus */
    used += 4;
    if (++s == last)
      break;
    j = permi_trailing_zeros(s);
    PERMI_NAME(exact_move)(exact, j, (int)((s ^ s >> 1) >> j & 1), x, wide_x);
  }
  PERMI_NAME(exact_room)(exact, exact->settings + 1, 1, &used, work, total);
  PERMI_LEAVE();
}

/* Sums sign vectors without a zero row, for norms <= 127. A step has 2^6 settings, two columns from a table and four in
   Gray order, each a vector of int8 sums. A term vanishes where the least unsigned sum over even rows is 0. Survivors
   are listed by lane and setting, whose bits choose three bytes, from tables of 16, for each row's sum. */
PERMI_TARGET static void PERMI_NAME(exact_skip)(const permi_exact *exact, uint64_t chunk, permi_exact_work *work,
                                                permi_exact_total *total)
{
  const int atoms = exact->narrow * PERMI_EXACT_ATOMS, bytes = 2 * PERMI_LANES;
  const int shift = PERMI_WIDTH / 4;
  const PERMI_I low = PERMI_I_SET(0x0f0f0f0f), high = PERMI_I_SET((15 << shift & 15) * 0x01010101);
  int16_t *atom = work->atom;
  uint32_t x[PERM_MAX_N] PERMI_ALIGN64, y[PERM_MAX_N] PERMI_ALIGN64;
  uint8_t first[16 * PERM_MAX_N] PERMI_ALIGN64, *lane = work->lane, *setting = work->setting;
  uint64_t s = chunk << exact->chunk_log2, last = s + (UINT64_C(1) << exact->chunk_log2), outer;
  int i, j, k, q, used = 0;
  memcpy(x, exact->start, (size_t)exact->padded * sizeof *x);
  for (j = 0; j < exact->outer; j++)
    if ((s ^ s >> 1) >> j & 1)
      PERMI_NAME(exact_step)(x, exact->step + j * exact->padded, exact->padded, 1, 1);
  for (k = 0; k < 4 * atoms * PERMI_LANES; k++)
    atom[k] = 1;
  memset(work->accumulator, 0, sizeof work->accumulator);
  for (outer = s;;) {
    const PERMI_I parity = PERMI_I_TABLE(exact->parity + 16 * (outer & 1));
    int survivors = 0, done;
    memcpy(y, x, (size_t)exact->padded * sizeof *y);
    for (s = 0;;) {
      const uint8_t *table = exact->lane_bytes;
      PERMI_I least[4];
      uint64_t mask[4];
      PERMI_EVERY(q, 4, least[q] = PERMI_I_SET(-1));
      for (k = 0; k < exact->even_rows; k++, table += 4 * bytes) {
        const PERMI_I sum = PERMI_I_SET(y[exact->even_row[k]]);
        PERMI_EVERY(q, 4, least[q] = PERMI_I_LEAST8(least[q], PERMI_I_ADD8(sum, PERMI_I_LOAD(table + q * bytes))));
      }
      PERMI_EVERY(q, 4, mask[q] = PERMI_I_NONZERO8(least[q]));
      for (k = 0; k < 4; k++) {
        uint64_t left = mask[k];
        uint8_t *to = lane + survivors;
        PERMI_I_STORE_ANY(setting + survivors, PERMI_I_SET(((uint32_t)(s ^ s >> 1) * 4 + (uint32_t)k) * 0x01010101u));
        survivors += __builtin_popcountll(left);
        for (; left; to += 8) { /* always eight: easier to predict */
          PERMI_UNROLL
          for (i = 0; i < 8; i++, left &= left - 1)
            to[i] = (uint8_t)__builtin_ctzll(left | UINT64_C(1) << 63);
        }
      }
      if (++s == 16)
        break;
      j = permi_trailing_zeros(s);
      PERMI_NAME(exact_step)(y, exact->setting_step + j * exact->padded, exact->padded,
                             (int)((s ^ s >> 1) >> j & 1), 1);
    }
    for (k = 0; k < exact->n; k++)
      permi_exact_nibbles(exact->nibbles + 48 * k, x[k], first + 16 * k);
    for (done = 0; done < survivors; done += bytes) {
      const PERMI_I where = PERMI_I_LOAD_ANY(lane + done), what = PERMI_I_LOAD_ANY(setting + done);
      const PERMI_I b0 = where & low, b2 = PERMI_I_SHR16(what, 4 - shift) & low;
      const PERMI_I b1 = (PERMI_I_SHR16(where, 4) & low) | (PERMI_I_SHL16(what, shift) & high);
      const PERMI_I sign = PERMI_I_LOOKUP(parity, b0 ^ b1 ^ b2);
      const int rest = survivors - done < bytes ? survivors - done : bytes;
      const uint8_t *nibbles = exact->nibbles, *with_first = first;
      for (k = 0; k < atoms; k++) {
        const int rows = exact->atom_rows[k];
        PERMI_I p0 = low, p1 = low;
        for (i = 0; i < rows; i++, nibbles += 48, with_first += 16) {
          PERMI_I z = PERMI_I_ADD8(PERMI_I_LOOKUP(PERMI_I_TABLE(with_first), b0),
                                   PERMI_I_ADD8(PERMI_I_LOOKUP(PERMI_I_TABLE(nibbles + 16), b1),
                                                PERMI_I_LOOKUP(PERMI_I_TABLE(nibbles + 32), b2)));
          if (with_first == first) /* it has the sign, 0 beyond the lists */
            z = PERMI_I_SUB8(z ^ sign, sign) & PERMI_I_LOAD_ANY(exact->ends + 64 - rest);
          PERMI_I even = PERMI_I_SAR16(PERMI_I_SHL16(z, 8), 8);
          z = PERMI_I_SAR16(z, 8);
          p0 = i ? PERMI_I_MUL16(p0, even) : even;
          p1 = i ? PERMI_I_MUL16(p1, z) : z;
        }
        if (rows) {
          PERMI_I_STORE(atom + k * 4 * PERMI_LANES, p0);
          PERMI_I_STORE(atom + (k * 4 + 1) * PERMI_LANES, p1);
        }
      }
      PERMI_NAME(exact_room)(exact, 2, 0, &used, work, total);
      exact->evaluate(exact, work, 2, 0, 0);
      used += 2;
    }
    s = ++outer;
    if (s == last)
      break;
    j = permi_trailing_zeros(s);
    PERMI_NAME(exact_step)(x, exact->step + j * exact->padded, exact->padded, (int)((s ^ s >> 1) >> j & 1), 1);
  }
  PERMI_NAME(exact_room)(exact, exact->settings + 1, 0, &used, work, total);
  PERMI_LEAVE();
}
#undef PERMI_LANES
#endif

/* ================================================================================= >>minors_kernels */

#if !defined(PERM_NO_EXTRAS)
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(get_any)(const double *p, int apart, int parts)
{
  PERMI_N x;
  x.re = PERMI_LOAD_ANY(p);
  x.im = parts == 2 ? PERMI_LOAD_ANY(p + apart) : x.re;
  return x;
}

/* With z_i = sum_j d_j a_ij over signs d_j of the n columns, the first +, minors of all columns are
       2^-(n-1) sum over signs of (product of the signs) d_j P,  P = product of the rows' z_i.
   A term enters all columns' sums at once:
     block columns     two, in registers: sums and differences of four products
     state columns     a binary counter: two blocks of 2^k states give column k their difference, column k + 1 the sum
     the first, lanes  the sum over all states, by lane
   z_i is a table's number plus one of eight of outer columns, renewed for each setting of the next three, whose eight
   are renewed for each of the last. The signs of `fixed` columns are the chunk's bits: a sum is of 2^13 states.
   n - 1 rows give minors of the row left out, n rows the gradient, `group` rows at once, by prefixes and suffixes of
   their product. The sum of |terms| follows each row. */

#define PERMI_LANES (PERMI_WIDTH == 8 ? 3 : PERMI_WIDTH == 4 ? 2 : PERMI_WIDTH == 2)
#define PERMI_TABLE (5 - PERMI_LANES) /* a row has 32 table numbers */
#define PERMI_ROWS PERMI_NAME(minors_rows)

/* outer: low plus high; sums: for each row of a group those of block and state columns, waiting states and |terms|. */
typedef struct {
  double *table, *low, *high, *outer, *front, *sums;
  int rows, group, states, apart;
} PERMI_ROWS;

/* Multiplies p by four settings of row i. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_row)(PERMI_N *p, const PERMI_ROWS *from, int i, int at, int s,
                                                            int parts)
{
  const PERMI_N outer = PERMI_NAME(spread)(from->outer + i * parts * 8 + s, 8, parts);
  const double *table = from->table + i * parts * 32 + at;
  int q;
  PERMI_EVERY(q, 4, p[q] = PERMI_NAME(times)(
                        p[q], PERMI_NAME(plus)(PERMI_NAME(get)(table + q * PERMI_WIDTH, 32, parts), outer), parts));
}

/* The bits of state c are minus signs. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_add)(const PERMI_ROWS *to, int row, const PERMI_N *t, int c,
                                                      int parts)
{
  const PERMI_V sign = PERMI_SET(permi_parity_signs[(c ^ c >> 5 ^ c >> 10) & 31]);
  const PERMI_N both0 = PERMI_NAME(plus)(t[0], t[1]), turn0 = PERMI_NAME(minus)(t[0], t[1]);
  const PERMI_N both1 = PERMI_NAME(plus)(t[2], t[3]), turn1 = PERMI_NAME(minus)(t[2], t[3]);
  const int number = PERMI_WIDTH * parts;
  PERMI_V absolute = PERMI_LARGER(both0.re, turn0.re) + PERMI_LARGER(both1.re, turn1.re); /* |t_0| + |t_1|, .. */
  PERMI_N now = PERMI_NAME(minus)(turn0, turn1);
  double *column = to->sums + row * to->apart, *waiting = column + (2 + to->states) * number;
  double *moduli = waiting + (1 + to->states) * number;
  if (parts == 2)
    absolute = absolute + (PERMI_LARGER(both0.im, turn0.im) + PERMI_LARGER(both1.im, turn1.im));
  PERMI_STORE(moduli, PERMI_LOAD(moduli) + absolute);
  PERMI_NAME(put)(column, PERMI_WIDTH,
                  PERMI_NAME(small_signed)(PERMI_NAME(get)(column, PERMI_WIDTH, parts), sign,
                                           PERMI_NAME(minus)(both0, both1), parts), parts);
  column += number;
  PERMI_NAME(put)(column, PERMI_WIDTH,
                  PERMI_NAME(small_signed)(PERMI_NAME(get)(column, PERMI_WIDTH, parts), sign,
                                           PERMI_NAME(plus)(turn0, turn1), parts), parts);
  now.re = sign * now.re;
  now.im = sign * now.im;
  for (; c & 1; c >>= 1, waiting += number) {
    const PERMI_N before = PERMI_NAME(get)(waiting, PERMI_WIDTH, parts);
    column += number;
    PERMI_NAME(put)(column, PERMI_WIDTH,
                    PERMI_NAME(plus)(PERMI_NAME(get)(column, PERMI_WIDTH, parts), PERMI_NAME(minus)(before, now)),
                    parts);
    now = PERMI_NAME(plus)(before, now);
  }
  PERMI_NAME(put)(waiting, PERMI_WIDTH, now, parts);
}

/* Adds state c, `sign` times products of other rows, for `group` rows from `first` on. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_state)(const PERMI_ROWS *from, int first, double sign, int at, int s,
                                                        int c, int parts)
{
  const double turn[2] = {sign, 0}, one[2] = {1, 0};
  const int number = PERMI_WIDTH * parts, group = from->group, rows = from->rows;
  double *front = from->front;
  PERMI_N p[4], back[4];
  int i, k, q;
  PERMI_EVERY(q, 4, p[q] = PERMI_NAME(spread)(turn, 1, parts));
  PERMI_EVERY(q, 4, back[q] = PERMI_NAME(spread)(one, 1, parts));
  for (i = first + group; i < first + (first < rows ? rows : rows + 1); i++)
    PERMI_NAME(minors_row)(p, from, i < rows ? i : i - rows - (first == rows), at, s, parts);
  for (k = 0; k + 1 < group; k++) {
    PERMI_EVERY(q, 4, PERMI_NAME(put)(front + (4 * k + q) * number, PERMI_WIDTH, p[q], parts));
    PERMI_NAME(minors_row)(p, from, first + k, at, s, parts);
  }
  for (;; k--) {
    PERMI_NAME(minors_add)(from, k, p, c, parts);
    if (!k)
      break;
    PERMI_NAME(minors_row)(back, from, first + k, at, s, parts);
    PERMI_EVERY(q, 4, p[q] = PERMI_NAME(times)(
                          PERMI_NAME(get)(front + (4 * (k - 1) + q) * number, PERMI_WIDTH, parts), back[q], parts));
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_tables)(const PERMI_ROWS *to, int n, const double *a, int columns,
                                                               int low, PERMI_NAME(small_lanes) lanes, int parts)
{
  const double *row = a;
  for (int i = 0; i < to->rows; i++, row += n * parts) {
    const double *next = row + (1 + PERMI_LANES) * parts;
    double *table = to->table + i * parts * 32;
    PERMI_NAME(put)(table, 32, PERMI_NAME(small_lane_sum)(PERMI_NAME(spread)(row, 1, parts), row + parts, PERMI_LANES,
                                                          lanes, parts), parts);
    for (int b = 0; b < columns; b++, next += parts)
      PERMI_NAME(small_double)(table, PERMI_WIDTH << b, PERMI_NAME(spread)(next, 1, parts), 32, parts);
    PERMI_NAME(small_outer_row)(next, to->low + i * parts * 8, 8, low, 0, 0, lanes, parts);
  }
}

/* Sums lanes with their signs, leaving out bit `but`. */
PERMI_TARGET PERMI_INLINE double PERMI_NAME(minors_lanes)(const double *from, int but)
{
  double x[PERMI_WIDTH];
  int k, bit;
  PERMI_EVERY(k, PERMI_WIDTH, x[k] = from[k]);
  PERMI_UNROLL
  for (bit = PERMI_LANES - 1; bit >= 0; bit--) {
    PERMI_UNROLL
    for (k = 0; k < 1 << bit; k++)
      x[k] = but == bit ? x[k] + x[k + (1 << bit)] : x[k] - x[k + (1 << bit)];
  }
  return x[0];
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_fold)(const double *sums, int n, int fixed, uint64_t chunk,
                                                       double *out, int parts)
{
  const double *waiting = sums + (n - 1 - PERMI_LANES) * parts * PERMI_WIDTH, *moduli;
  const double scale = 2.0 / (double)(1 << n); /* 2^-(n-1) */
  const int states = n - 3 - PERMI_LANES;
  double sum = 0;
  for (int part = 0; part < parts; part++) {
    const double *from = waiting + (states * parts + part) * PERMI_WIDTH;
    PERMI_UNROLL
    for (int j = 0; j <= PERMI_LANES; j++)
      out[j * parts + part] = scale * PERMI_NAME(minors_lanes)(from, j - 1);
    from = sums + part * PERMI_WIDTH;
    for (int j = 1 + PERMI_LANES; j < n; j++, from += parts * PERMI_WIDTH)
      out[j * parts + part] = scale * PERMI_NAME(minors_lanes)(from, -1);
    for (int j = 0; j < fixed; j++)
      out[(n + j) * parts + part] = chunk >> j & 1 ? -out[part] : out[part];
  }
  moduli = waiting + (1 + states) * parts * PERMI_WIDTH;
  for (int j = 0; j < PERMI_WIDTH; j++)
    sum += moduli[j];
  out[(n + fixed) * parts] = scale * sum;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors)(const permi_minors_sum *of, uint64_t chunk, double *work,
                                                        double *out, int parts)
{
  const double *a = of->a;
  const int rows = of->rows, all = of->n, fixed = of->fixed, n = all - fixed, gradient = rows == all, group = of->group;
  const int rest = n - 1 - PERMI_LANES, columns = rest < PERMI_TABLE ? rest : PERMI_TABLE;
  const int low = rest - columns < 3 ? rest - columns : 3, left = rest - columns - low;
  const int high = left < 3 ? left : 3, more = left - high, last = n - left, row = rows * parts;
  const int number = parts * PERMI_WIDTH, apart = (2 * rest - 1) * number + PERMI_WIDTH;
  const PERMI_V zero = PERMI_SET(0.0);
  double *const front = work + row * 56;
  const PERMI_ROWS from = {work, work + row * 32, work + row * 40, work + row * 48, front, front + group * 4 * number,
                           rows, group, rest - 2, apart};
  PERMI_NAME(small_lanes) lanes;
  double sign = 1;
  int first, h, s, at, c, i, k;
  for (i = 0; i < fixed; i++)
    sign = chunk >> i & 1 ? -sign : sign;
  lanes.sign0 = PERMI_LANES > 0 ? PERMI_LOAD(permi_lane_signs[0]) : zero;
  lanes.sign1 = PERMI_LANES > 1 ? PERMI_LOAD(permi_lane_signs[1]) : zero;
  lanes.sign2 = PERMI_LANES > 2 ? PERMI_LOAD(permi_lane_signs[2]) : zero;
  PERMI_NAME(minors_tables)(&from, all, a, columns, low, lanes, parts);
  for (first = gradient ? 0 : rows;; first = first + 2 * group > rows ? rows - group : first + group) {
    for (k = 0; k < group; k++) {
      for (i = 0; i < rest * parts; i++)
        PERMI_STORE(from.sums + k * apart + i * PERMI_WIDTH, zero);
      PERMI_STORE(from.sums + (k + 1) * apart - PERMI_WIDTH, zero);
    }
    for (c = h = 0; h < 1 << left; h++) {
      const int here = h & ((1 << high) - 1);
      const uint64_t away = (uint64_t)(h >> high) | chunk << more;
      for (i = 0; i < rows && !here; i++)
        PERMI_NAME(small_outer_row)(a + (i * all + last) * parts, from.high + i * parts * 8, 8, high, more + fixed,
                                    away, lanes, parts);
      for (i = 0; i < row; i++)
        for (k = 0; k < 8; k += PERMI_WIDTH)
          PERMI_STORE(from.outer + i * 8 + k, PERMI_LOAD(from.low + i * 8 + k) + PERMI_SET(from.high[i * 8 + here]));
      for (s = 0; s < 1 << low; s++)
        for (at = 0; at < PERMI_WIDTH << columns; at += 4 * PERMI_WIDTH, c++)
          PERMI_NAME(minors_state)(&from, first, sign, at, s, c, parts);
    }
    for (k = 0; k < group; k++)
      PERMI_NAME(minors_fold)(from.sums + k * apart, n, fixed, chunk,
                              out + (gradient ? first + k : 0) * (all * parts + 1), parts);
    if (first + group >= rows)
      break;
  }
  PERMI_LEAVE();
}

#define PERMI_INSTANCE(name, parts)                                                                                    \
  PERMI_KERNEL PERMI_NAME(name)(const permi_minors_sum *of, uint64_t chunk, double *work, double *out)                 \
  {                                                                                                                    \
    PERMI_NAME(minors)(of, chunk, work, out, parts);                                                             \
  }
PERMI_INSTANCE(minors_real, 1)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(minors_complex, 2)
#endif
#undef PERMI_INSTANCE
#undef PERMI_LANES
#undef PERMI_TABLE
#undef PERMI_ROWS
#endif

/* ================================================================================= >>counts_kernels
   For >>subsets and >>sign_sums. AVX-512 uses those of AVX2, NEON those of plain C, which multiply in their own
   order. */

#if PERMI_WIDTH == 4 || PERMI_WIDTH == 1
/* Adds sum_k weight[k] from[k]; four vectors overlap. */
PERMI_TARGET static void PERMI_NAME(add_scaled)(double *to, const double *const *from, const double *weight, int count,
                                                int n)
{
  int x = 0, k, j;
  for (; x + 4 * PERMI_WIDTH <= n; x += 4 * PERMI_WIDTH) {
    PERMI_V sum[4];
    PERMI_UNROLL
    for (j = 0; j < 4; j++)
      sum[j] = PERMI_LOAD_ANY(to + x + j * PERMI_WIDTH);
    for (k = 0; k < count; k++) {
      const PERMI_V all = PERMI_SET(weight[k]);
      const double *other = from[k] + x;
      PERMI_UNROLL
      for (j = 0; j < 4; j++)
        sum[j] = PERMI_FMA(all, PERMI_LOAD_ANY(other + j * PERMI_WIDTH), sum[j]);
    }
    PERMI_UNROLL
    for (j = 0; j < 4; j++)
      PERMI_STORE_ANY(to + x + j * PERMI_WIDTH, sum[j]);
  }
  for (; x < n; x++)
    for (k = 0; k < count; k++)
      to[x] = PERMI_WIDTH > 1 ? fma(weight[k], from[k][x], to[x]) : weight[k] * from[k][x] + to[x];
}

PERMI_TARGET static void PERMI_NAME(add_weighted)(double *to, const double *from, const double *weight, int n)
{
  int x;
  for (x = 0; x + PERMI_WIDTH <= n; x += PERMI_WIDTH)
    PERMI_STORE_ANY(to + x,
                    PERMI_FMA(PERMI_LOAD_ANY(weight + x), PERMI_LOAD_ANY(from + x), PERMI_LOAD_ANY(to + x)));
  for (; PERMI_WIDTH > 1 && x < n; x++)
    to[x] = fma(weight[x], from[x], to[x]);
}

PERMI_TARGET static void PERMI_NAME(store_states)(double *to, const double *from, int n, double *most, double *least)
{
  const PERMI_V infinite = PERMI_SET((double)INFINITY);
  PERMI_V large = PERMI_SET(0.0), lesser = infinite;
  double largest[PERMI_WIDTH], smallest[PERMI_WIDTH];
  int x, k;
  for (x = 0; x + PERMI_WIDTH <= n; x += PERMI_WIDTH) {
    const PERMI_V state = PERMI_LOAD_ANY(from + x), size = PERMI_ABS(state);
    PERMI_STORE_ANY(to + x, state);
    large = PERMI_GREATER(large, size);
    lesser = PERMI_LESSER(PERMI_UNLESS_ZERO(size, infinite), lesser);
  }
  PERMI_STORE_ANY(largest, large);
  PERMI_STORE_ANY(smallest, lesser);
  for (k = 0; k < PERMI_WIDTH; k++) {
    *most = largest[k] > *most ? largest[k] : *most;
    *least = smallest[k] < *least ? smallest[k] : *least;
  }
  for (; PERMI_WIDTH > 1 && x < n; x++) {
    to[x] = from[x];
    permi_size_seen(fabs(from[x]), most, least);
  }
}

/* Adds `times` a digit's entries exactly; form: high + low. */
PERMI_TARGET static void PERMI_NAME(move_forms)(int rows, double times, const double *high_step,
                                                const double *low_step, double *high, double *low, double *form,
                                                int apart)
{
  const PERMI_V all = PERMI_SET(times);
  int f, k;
  for (f = 0; f + PERMI_WIDTH <= rows; f += PERMI_WIDTH) {
    const PERMI_V h = PERMI_FMA(all, PERMI_LOAD_ANY(high_step + f), PERMI_LOAD_ANY(high + f));
    const PERMI_V l = PERMI_FMA(all, PERMI_LOAD_ANY(low_step + f), PERMI_LOAD_ANY(low + f));
    const PERMI_V sum = h + l;
    PERMI_STORE_ANY(high + f, h);
    PERMI_STORE_ANY(low + f, l);
    PERMI_UNROLL
    for (k = 0; k < PERMI_WIDTH; k++)
      form[(f + k) * apart] = PERMI_ELEMENT(sum, k);
  }
  for (; PERMI_WIDTH > 1 && f < rows; f++) {
    high[f] += times * high_step[f];
    low[f] += times * low_step[f];
    form[f * apart] = high[f] + low[f];
  }
}

/* Multiplies *re (+ i *im) by powers of forms, whose parts are PERMI_TERMS apart. */
#if PERMI_WIDTH > 1
/* Squaring rounds no more often than copies. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(multiply_forms)(int forms, const int *count, const double *form,
                                                          const double *other, PERMI_V *re, PERMI_V *im, int parts)
{
  for (int f = 0; f < forms; f++) {
    PERMI_V u = PERMI_LOAD_ANY(form + f * PERMI_TERMS), v = u;
    if (parts == 1) {
      for (int k = count[f]; k > 1; k /= 2) {
        if (k & 1)
          *re = *re * u;
        u = u * u;
      }
      *re = *re * u;
      continue;
    }
    v = PERMI_LOAD_ANY(other + f * PERMI_TERMS);
    for (int k = count[f]; k > 1; k /= 2) {
      const PERMI_V twice = u + u;
      if (k & 1)
        PERMI_NAME(multiply_by)(re, im, u, v);
      u = PERMI_FMS(u, u, v * v);
      v = twice * v;
    }
    PERMI_NAME(multiply_by)(re, im, u, v);
  }
}
#else
/* The same into two products, which overlap. */
PERMI_INLINE void PERMI_NAME(multiply_forms)(int forms, const int *count, const double *form, const double *other,
                                             double *re, double *im, int parts)
{
  double even = *re, odd = 1;
  for (int f = 0; f < forms && parts == 1; f++) {
    double power = form[f * PERMI_TERMS], product = 1;
    for (int k = count[f]; k > 1; k /= 2) {
      product *= k & 1 ? power : 1;
      power *= power;
    }
    product = even * (power * product);
    even = odd;
    odd = product;
  }
  if (parts == 1)
    *re = even * odd;
  for (int f = 0; f < forms && parts == 2; f++)
    for (int k = 0; k < count[f]; k++)
      PERMI_NAME(multiply_by)(re, im, form[f * PERMI_TERMS], other[f * PERMI_TERMS]);
}
#endif

PERMI_TARGET PERMI_INLINE void PERMI_NAME(add_products)(int forms, const int *count, const double *form,
                                                        const double *weight, permi_lane_sums *sums, int parts)
{
  for (int lane = 0; lane < PERMI_TERMS; lane += PERMI_WIDTH) {
    PERMI_V term[2], absolute = PERMI_LOAD_ANY(sums->absolute + lane);
    term[0] = PERMI_LOAD_ANY(weight + lane);
    term[1] = PERMI_SET(0.0);
    PERMI_NAME(multiply_forms)(forms, count, form + lane, form + forms * PERMI_TERMS + lane, &term[0], &term[1], parts);
    for (int part = 0; part < parts; part++) { /* as permi_dd_add_double */
      PERMI_V error;
      const PERMI_V sum = PERMI_NAME(vector_two_sum)(PERMI_LOAD_ANY(sums->hi[part] + lane), term[part], &error);
      const PERMI_V low = error + PERMI_LOAD_ANY(sums->lo[part] + lane);
      PERMI_STORE_ANY(sums->hi[part] + lane, PERMI_NAME(vector_fast_two_sum)(sum, low, &error));
      PERMI_STORE_ANY(sums->lo[part] + lane, error);
    }
    if (parts == 1)
      absolute = absolute + PERMI_ABS(term[0]);
    else if (PERMI_WIDTH == 1)
      absolute = absolute + PERMI_ABS_SUM(term[0], term[1]);
    else
      absolute = absolute + PERMI_ABS(term[0]) + PERMI_ABS(term[1]);
    PERMI_STORE_ANY(sums->absolute + lane, absolute);
  }
}

PERMI_TARGET static void PERMI_NAME(add_products_real)(int forms, const int *count, const double *form,
                                                       const double *weight, permi_lane_sums *sums)
{
  PERMI_NAME(add_products)(forms, count, form, weight, sums, 1);
}

PERMI_TARGET static void PERMI_NAME(add_products_complex)(int forms, const int *count, const double *form,
                                                          const double *weight, permi_lane_sums *sums)
{
  PERMI_NAME(add_products)(forms, count, form, weight, sums, 2);
}

/* Adds a form, x (+ iy), to PERMI_SETS sets e (+ if), lanes adjacent: e_k += x e_(k-1) for k from `most` down to
   `least`. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(symmetric)(const double *x, const double *y, double *e, double *f, int most,
                                                     int least, int parts)
{
  PERMI_V real[PERMI_SETS / PERMI_WIDTH], imaginary[PERMI_SETS / PERMI_WIDTH];
  PERMI_UNROLL
  for (int lane = 0; lane < PERMI_SETS / PERMI_WIDTH; lane++) {
    real[lane] = PERMI_LOAD_ANY(x + lane * PERMI_WIDTH);
    imaginary[lane] = PERMI_LOAD_ANY(y + lane * PERMI_WIDTH);
  }
  for (int k = most * PERMI_SETS; k >= least * PERMI_SETS; k -= PERMI_SETS) {
    PERMI_UNROLL
    for (int lane = 0; lane < PERMI_SETS / PERMI_WIDTH; lane++) {
      const int at = k + lane * PERMI_WIDTH;
      const PERMI_V a = real[lane], b = imaginary[lane], re = PERMI_LOAD_ANY(e + at - PERMI_SETS);
      PERMI_V sum = PERMI_LOAD_ANY(e + at), im, other;
      if (parts == 1) {
        PERMI_STORE_ANY(e + at, PERMI_FMA(a, re, sum));
        continue;
      }
      im = PERMI_LOAD_ANY(f + at - PERMI_SETS);
      other = PERMI_LOAD_ANY(f + at);
      if (PERMI_WIDTH == 1) {
        sum = sum + PERMI_FMS(a, re, b * im);
        other = other + PERMI_FMA(a, im, b * re);
      } else {
        sum = PERMI_FNMA(b, im, PERMI_FMA(a, re, sum));
        other = PERMI_FMA(b, re, PERMI_FMA(a, im, other));
      }
      PERMI_STORE_ANY(e + at, sum);
      PERMI_STORE_ANY(f + at, other);
    }
  }
}

PERMI_TARGET static void PERMI_NAME(symmetric_real)(const double *x, double *e, int most, int least)
{
  PERMI_NAME(symmetric)(x, x, e, e, most, least, 1);
}

PERMI_TARGET static void PERMI_NAME(symmetric_complex)(const double *x, const double *y, double *e, double *f,
                                                       int most, int least)
{
  PERMI_NAME(symmetric)(x, y, e, f, most, least, 2);
}

static const permi_counts_kernels PERMI_NAME(counts_kernels_real) = {
    PERMI_NAME(add_scaled), PERMI_NAME(add_weighted),      PERMI_NAME(store_states),
    PERMI_NAME(move_forms), PERMI_NAME(add_products_real), PERMI_NAME(symmetric_real),
    NULL};
static const permi_counts_kernels PERMI_NAME(counts_kernels_complex) = {
    PERMI_NAME(add_scaled), PERMI_NAME(add_weighted),         PERMI_NAME(store_states),
    PERMI_NAME(move_forms), PERMI_NAME(add_products_complex), PERMI_NAME(symmetric_real),
    PERMI_NAME(symmetric_complex)};
#endif

PERMI_BRIEF_END

/* ================================================================================== >>batch_kernels */

#if !defined(PERM_NO_EXTRAS)
/* Numbers are `stride` apart, parts half of that. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(entry)(const double *a, size_t stride, int n, int i, int j, int parts)
{
  return PERMI_NAME(get_any)(a + (size_t)(i * n + j) * stride, parts == 2 ? (int)(stride / 2) : 0, parts);
}

/* Makes the permanents of rows i, i + 1 by pairs (0, 1), (0, 2), .. of columns. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(expand_pairs)(PERMI_N *pair, const double *a, size_t stride, int n, int i,
                                                        int parts)
{
  PERMI_N x[4], y[4];
  PERMI_UNROLL
  for (int j = 0; j < n; j++) {
    x[j] = PERMI_NAME(entry)(a, stride, n, i, j, parts);
    y[j] = PERMI_NAME(entry)(a, stride, n, i + 1, j, parts);
  }
  PERMI_UNROLL
  for (int j = 0; j < n; j++)
    PERMI_UNROLL
    for (int k = j + 1; k < n; k++)
      *pair++ = PERMI_NAME(plus_times)(PERMI_NAME(times)(x[j], y[k], parts), x[k], y[j], parts);
}

/* Returns the permanent, n = 2 .. 4; raises *largest to moduli of parts. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(expand)(int n, const double *a, size_t stride, PERMI_V *largest, int parts)
{
  const size_t apart = stride / (size_t)parts;
  const int vectors = n * n * parts, pairs = n * (n - 1) / 2;
  PERMI_V large = *largest;
  PERMI_N upper[6], lower[6], sum;
  PERMI_UNROLL
  for (int i = 0; i + 1 < vectors; i += 2) { /* pairs first: a shorter chain */
    const double *p = a + (size_t)i * apart;
    large = PERMI_LARGER(large, PERMI_LARGER(PERMI_LOAD_ANY(p), PERMI_LOAD_ANY(p + apart)));
  }
  if (vectors % 2)
    large = PERMI_LARGER(large, PERMI_LOAD_ANY(a + (size_t)(vectors - 1) * apart));
  *largest = large;
  PERMI_NAME(expand_pairs)(lower, a, stride, n, n - 2, parts);
  if (n == 2)
    return lower[0];
  if (n == 4)
    PERMI_NAME(expand_pairs)(upper, a, stride, n, 0, parts);
  sum.re = sum.im = PERMI_SET(0.0);
  PERMI_UNROLL
  for (int i = 0; i < pairs; i++)
    sum = PERMI_NAME(plus_times)(sum, n == 4 ? upper[i] : PERMI_NAME(entry)(a, stride, n, 0, i, parts),
                                 lower[pairs - 1 - i], parts);
  return sum;
}

/* poison: 0 or NaN */
typedef struct PERMI_NAME(stream) {
  PERMI_V large, least, poison;
} PERMI_NAME(stream);

PERMI_TARGET PERMI_INLINE void PERMI_NAME(stream_order)(PERMI_NAME(stream) *stream, int n, const double *a,
                                                        size_t stride, size_t vectors, double *values, int parts)
{
  for (size_t v = 0; v < vectors; v++, a += PERMI_WIDTH, values += PERMI_WIDTH) {
    const PERMI_N value = PERMI_NAME(expand)(n, a, stride, &stream->large, parts);
    PERMI_V modulus = PERMI_ABS(value.re);
    PERMI_STORE_ANY(values, value.re);
    stream->poison = PERMI_FMA(value.re, PERMI_SET(0.0), stream->poison);
    if (parts == 2) {
      PERMI_STORE_ANY(values + PERMI_BATCH_BLOCK, value.im);
      modulus = PERMI_LARGER(value.re, value.im);
      stream->poison = PERMI_FMA(value.im, PERMI_SET(0.0), stream->poison);
    }
    stream->least = PERMI_LESSER(modulus, stream->least);
  }
}

/* Returns 1 if all entries are up to `largest`, all |values| from `least` on and none NaN. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(batch_stream)(int n, const double *a, size_t stride, size_t vectors,
                                                       double largest, double least, double *values, int parts)
{
  PERMI_NAME(stream) stream;
  double extremes[3 * PERMI_WIDTH] PERMI_ALIGN64;
  int k, stand = 1;
  stream.large = stream.poison = PERMI_SET(0.0);
  stream.least = PERMI_SET(least);
  if (n == 4)
    PERMI_NAME(stream_order)(&stream, 4, a, stride, vectors, values, parts);
  else if (n == 3)
    PERMI_NAME(stream_order)(&stream, 3, a, stride, vectors, values, parts);
  else
    PERMI_NAME(stream_order)(&stream, 2, a, stride, vectors, values, parts);
  PERMI_STORE(extremes, stream.large);
  PERMI_STORE(extremes + PERMI_WIDTH, stream.least);
  PERMI_STORE(extremes + 2 * PERMI_WIDTH, stream.poison);
  PERMI_LEAVE();
  for (k = 0; k < PERMI_WIDTH; k++)
    stand &= (extremes[k] <= largest) & (extremes[PERMI_WIDTH + k] >= least) & (extremes[2 * PERMI_WIDTH + k] == 0);
  return stand;
}

#define PERMI_INSTANCE(name, parts)                                                                                    \
  PERMI_TARGET static int PERMI_NAME(name)(int n, const double *a, size_t stride, size_t vectors, double largest,      \
                                           double least, double *values)                                               \
  { return PERMI_NAME(batch_stream)(n, a, stride, vectors, largest, least, values, parts); }
PERMI_INSTANCE(batch_stream_real, 1)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(batch_stream_complex, 2)
#endif
#undef PERMI_INSTANCE

#if PERMI_WIDTH >= 4
/* n = 5 .. 8, real: Laplace expansion by permanents of two rows, of four and of the others: 75, 195, 476, 1134
   operations, fewer than signs take. Vectors of 16 matrices share indices. */
#define PERMI_HALVES (16 / PERMI_WIDTH)
#define PERMI_HALVES_NORMS 64.0 /* the square of 8: per |A| is up to 9.8 times the rows' norms, rounded some 10 times */
#define PERMI_PAIR_AT(p, k, q) PERMI_LOAD((p) + (size_t)(k) * 16 + (q) * PERMI_WIDTH)
#define PERMI_ENTRY_AT(p, k, q) PERMI_LOAD_ANY((p) + (size_t)(k) * stride + (q) * PERMI_WIDTH)

PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_pairs)(double *pair, const double *a, size_t stride, int n)
{
  const double *b = a + (size_t)n * stride;
  PERMI_V x[PERMI_HALVES], y[PERMI_HALVES];
  int j, k, q;
  for (k = 1; k < n; k++) {
    PERMI_EVERY(q, PERMI_HALVES, x[q] = PERMI_ENTRY_AT(a, k, q));
    PERMI_EVERY(q, PERMI_HALVES, y[q] = PERMI_ENTRY_AT(b, k, q));
    for (j = 0; j < k; j++, pair += 16)
      PERMI_EVERY(q, PERMI_HALVES, PERMI_STORE(pair + q * PERMI_WIDTH,
                                               PERMI_FMA(PERMI_ENTRY_AT(a, j, q), y[q],
                                                         x[q] * PERMI_ENTRY_AT(b, j, q))));
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_four)(PERMI_V *sum, const double *x, const double *y,
                                                      const unsigned char *at)
{
  int k, q;
  PERMI_EVERY(q, PERMI_HALVES, sum[q] = PERMI_FMA(PERMI_PAIR_AT(x, at[0], q), PERMI_PAIR_AT(y, at[1], q),
                                                  PERMI_PAIR_AT(x, at[1], q) * PERMI_PAIR_AT(y, at[0], q)));
  PERMI_UNROLL
  for (k = 2; k < 6; k++)
    PERMI_EVERY(q, PERMI_HALVES, sum[q] = PERMI_FMA(PERMI_PAIR_AT(x, at[k], q), PERMI_PAIR_AT(y, at[k ^ 1], q),
                                                    sum[q]));
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_halves)(PERMI_V *sum, const permi_batch_split *split, int n,
                                                        const double *a, size_t stride)
{
  double pair[4 * 28 * 16] PERMI_ALIGN64;
  const double *p0 = pair, *p1 = p0 + 28 * 16, *p2 = p1 + 28 * 16, *p3 = p2 + 28 * 16;
  const double *last = a + (size_t)((n - 1) * n) * stride;
  const int splits = n == 8 ? 70 : n == 7 ? 35 : n == 6 ? 15 : 5;
  PERMI_V upper[PERMI_HALVES], lower[PERMI_HALVES];
  int k, q;
  for (k = 0; k < n / 2; k++)
    PERMI_NAME(batch_pairs)(pair + k * 28 * 16, a + (size_t)(2 * k * n) * stride, stride, n);
  PERMI_EVERY(q, PERMI_HALVES, sum[q] = PERMI_SET(0.0));
  for (k = 0; k < splits; k++, split++) {
    const unsigned char *at = split->lower;
    PERMI_NAME(batch_four)(upper, p0, p1, split->upper);
    if (n == 8) {
      PERMI_NAME(batch_four)(lower, p2, p3, at);
    } else if (n == 6) {
      PERMI_EVERY(q, PERMI_HALVES, lower[q] = PERMI_PAIR_AT(p2, at[0], q));
    } else {
      PERMI_EVERY(q, PERMI_HALVES, lower[q] = PERMI_ENTRY_AT(last, at[0], q));
      if (n == 7)
        PERMI_EVERY(q, PERMI_HALVES, lower[q] = PERMI_FMA(PERMI_ENTRY_AT(last, at[4], q), PERMI_PAIR_AT(p2, at[5], q),
                                                          PERMI_FMA(PERMI_ENTRY_AT(last, at[2], q),
                                                                    PERMI_PAIR_AT(p2, at[3], q),
                                                                    lower[q] * PERMI_PAIR_AT(p2, at[1], q))));
    }
    PERMI_EVERY(q, PERMI_HALVES, sum[q] = PERMI_FMA(lower[q], upper[q], sum[q]));
  }
}
#undef PERMI_PAIR_AT
#undef PERMI_ENTRY_AT

PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(batch_square)(PERMI_V norm, PERMI_N x, int parts)
{
  norm = PERMI_FMA(x.re, x.re, norm);
  return parts == 2 ? PERMI_FMA(x.im, x.im, norm) : norm;
}

/* Writes rows' largest squared norms, and products of all, after values. Returns a bit for each value of which `sure`,
   its modulus less its error, is at least `least`, and large against the root of `factor` times the product. */
PERMI_TARGET PERMI_INLINE unsigned PERMI_NAME(batch_sure)(int n, const double *a, size_t stride, double least,
                                                          const PERMI_V *sure, double factor, double *out, int parts)
{
  const PERMI_V unit = PERMI_SET(4e10 * n * PERMI_UNIT), bottom = PERMI_SET(DBL_MIN); /* for what underflows */
  const int vectors = parts == 1 ? PERMI_HALVES : 1;
  PERMI_V norm[PERMI_HALVES], norms[PERMI_HALVES], large[PERMI_HALVES];
  double extremes[PERMI_WIDTH] PERMI_ALIGN64;
  unsigned stand = 0;
  int i, j, q;
  PERMI_EVERY(q, vectors, norms[q] = large[q] = PERMI_SET(1.0));
  for (i = 0; i < n; i++) {
    PERMI_EVERY(q, vectors, norm[q] = bottom);
    for (j = 0; j < n; j++)
      PERMI_EVERY(q, vectors, norm[q] = PERMI_NAME(batch_square)(
                                  norm[q], PERMI_NAME(entry)(a + q * PERMI_WIDTH, stride, n, i, j, parts), parts));
    PERMI_EVERY(q, vectors, large[q] = PERMI_LARGER(large[q], norm[q]));
    PERMI_EVERY(q, vectors, norms[q] = PERMI_LARGER(norms[q] * norm[q], bottom));
  }
  for (q = 0; q < vectors; q++, out += PERMI_WIDTH) {
    PERMI_STORE(out + parts * PERMI_BATCH_BLOCK, large[q]);
    PERMI_STORE(out + (parts + 1) * PERMI_BATCH_BLOCK, norms[q]);
    norms[q] = PERMI_FNMA(unit * unit, norms[q] * PERMI_SET(factor), sure[q] * sure[q]);
    norms[q] = PERMI_LESSER(sure[q] - PERMI_SET(least), norms[q]);
    PERMI_STORE(extremes, PERMI_LESSER(PERMI_SET(1e24) - large[q], norms[q])); /* keeps a NaN */
    for (i = 0; i < PERMI_WIDTH; i++)
      stand |= (unsigned)(extremes[i] >= 0) << (q * PERMI_WIDTH + i);
  }
  return stand;
}

PERMI_TARGET static unsigned PERMI_NAME(batch_halves_real)(const permi_batch_split *split, int n, const double *a,
                                                           size_t stride, double least, double *out)
{
  unsigned stand = 0;
  int v, q;
  for (v = 0; v < PERMI_BATCH_BLOCK; v += 16) {
    PERMI_V value[PERMI_HALVES];
    PERMI_NAME(batch_halves)(value, split, n, a + v, stride);
    PERMI_EVERY(q, PERMI_HALVES, PERMI_STORE(out + v + q * PERMI_WIDTH, value[q]));
    PERMI_EVERY(q, PERMI_HALVES, value[q] = PERMI_ABS(value[q]));
    stand |= PERMI_NAME(batch_sure)(n, a + v, stride, least, value, PERMI_HALVES_NORMS, out + v, 1) << v;
  }
  PERMI_LEAVE();
  return stand;
}
#undef PERMI_HALVES_NORMS

#if !defined(PERM_NO_COMPLEX)
/* n = 5 .. 11, complex, as in >>small_kernels. A form, z_i, z_j, u, v of a pair of rows, is a table's number, for the
   signs of three columns, plus an outer one, for the next three's, renewed for each `away` of the others'. Sums are
   rounded n - 3 times: nothing drifts. */
#define PERMI_BATCH_FORM (16 * PERMI_WIDTH) /* eight settings */
#define PERMI_BATCH_PAIR (4 * PERMI_BATCH_FORM + 2 * PERMI_WIDTH) /* and c */

/* Writes the outer numbers or, if away < 0, the table. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_forms)(int n, const double *a, size_t stride, int away, double *to)
{
  const int first = away < 0 ? 3 : 6, left = n < first ? 0 : n - first, columns = left < 3 ? left : 3;
  const int apart = 8 * PERMI_WIDTH;
  for (int i = 0; i < n; i++, to += i % 2 ? PERMI_BATCH_FORM : PERMI_BATCH_PAIR - PERMI_BATCH_FORM) {
    PERMI_N y = PERMI_NAME(entry)(a, stride, n, i, 2, 2);
    if (away >= 0)
      y = PERMI_NAME(spread)(permi_lane_zero, 1, 2);
    for (int j = 9; j < n && away >= 0; j++)
      y = PERMI_NAME(small_signed)(y, PERMI_SET(permi_parity_signs[away >> (j - 9) & 1]),
                                   PERMI_NAME(entry)(a, stride, n, i, j, 2), 2);
    PERMI_NAME(put)(to, apart, y, 2);
    for (int j = 0; j < columns; j++)
      PERMI_NAME(small_double)(to, PERMI_WIDTH << j, PERMI_NAME(entry)(a, stride, n, i, first + j, 2), apart, 2);
    if (i % 2) {
      const PERMI_NAME(small_entries) entries = {
          PERMI_NAME(entry)(a, stride, n, i - 1, 0, 2), PERMI_NAME(entry)(a, stride, n, i - 1, 1, 2),
          PERMI_NAME(entry)(a, stride, n, i, 0, 2), PERMI_NAME(entry)(a, stride, n, i, 1, 2)};
      PERMI_NAME(small_mix)(to - PERMI_BATCH_FORM, PERMI_WIDTH << columns, entries, apart, 2);
      PERMI_NAME(put)(to + 3 * PERMI_BATCH_FORM, PERMI_WIDTH,
                      PERMI_NAME(small_linear)(entries.i0, entries.j1, entries.i1, entries.j0, 2), 2);
    }
  }
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(batch_form)(const double *form, int q, int outer)
{
  const PERMI_N x = PERMI_NAME(get)(form + q * PERMI_WIDTH, 8 * PERMI_WIDTH, 2);
  return outer ? PERMI_NAME(plus)(x, PERMI_NAME(get)(form + outer, 8 * PERMI_WIDTH, 2)) : x;
}

PERMI_TARGET PERMI_INLINE PERMI_NAME(small_expanded) PERMI_NAME(batch_pair)(const double *form, int q, int outer)
{
  PERMI_NAME(small_expanded) pair;
  pair.p = PERMI_NAME(times)(PERMI_NAME(batch_form)(form, q, outer),
                             PERMI_NAME(batch_form)(form + PERMI_BATCH_FORM, q, outer), 2);
  pair.u = PERMI_NAME(batch_form)(form + 2 * PERMI_BATCH_FORM, q, outer);
  pair.v = PERMI_NAME(batch_form)(form + 3 * PERMI_BATCH_FORM, q, outer);
  pair.c = PERMI_NAME(get)(form + 4 * PERMI_BATCH_FORM, PERMI_WIDTH, 2);
  return pair;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_terms)(PERMI_NAME(small_sums) * sums, int n, const double *a,
                                                       size_t stride, const double *form, int first, int outer,
                                                       double sign)
{
  const PERMI_V signs = PERMI_SET(sign);
  PERMI_NAME(small_expanded) f[2];
  int k, q;
  PERMI_EVERY(q, PERMI_WIDTH / 4, f[q] = PERMI_NAME(batch_pair)(form, first + q, outer));
  for (k = 1, form += PERMI_BATCH_PAIR; k < (n - 1) / 2; k++, form += PERMI_BATCH_PAIR)
    PERMI_EVERY(q, PERMI_WIDTH / 4, f[q] = PERMI_NAME(small_multiply)(
                                        f[q], PERMI_NAME(batch_pair)(form, first + q, outer), 2));
  if (n % 2) {
    const PERMI_N a0 = PERMI_NAME(entry)(a, stride, n, n - 1, 0, 2), a1 = PERMI_NAME(entry)(a, stride, n, n - 1, 1, 2);
    PERMI_EVERY(q, PERMI_WIDTH / 4, PERMI_NAME(small_finish)(
                                        sums, PERMI_NAME(times)(PERMI_NAME(batch_form)(form, first + q, outer),
                                                                f[q].c, 2),
                                        PERMI_NAME(small_linear)(a0, f[q].v, a1, f[q].u, 2), signs, q, 2));
  } else {
    PERMI_EVERY(q, PERMI_WIDTH / 4, PERMI_NAME(small_end_pair)(
                                        sums, f[q], PERMI_NAME(batch_pair)(form, first + q, outer), signs, q, 2));
  }
}

PERMI_TARGET PERMI_INLINE unsigned PERMI_NAME(batch_signs)(int n, const double *a, size_t stride, double least,
                                                          double *table, double *out)
{
  const PERMI_V unit = PERMI_SET(4e10 * n * PERMI_UNIT), scale = PERMI_SET(8.0 / (double)(1 << n));
  const int outer = (n + 1) / 2 * PERMI_BATCH_PAIR, at_once = PERMI_WIDTH / 4;
  const int settings = n < 6 ? 4 : 8, states = n < 7 ? 1 : n < 9 ? 1 << (n - 6) : 8;
  PERMI_NAME(small_sums) sums;
  sums.absolute = sums.even.re = sums.even.im = sums.odd.re = sums.odd.im = PERMI_SET(0.0);
  for (int away = -1; away < (n < 9 ? 1 : 1 << (n - 9)); away++) {
    if (away < 0 || n > 6)
      PERMI_NAME(batch_forms)(n, a, stride, away, away < 0 ? table : table + outer);
    for (int s = 0; s < states && away >= 0; s++)
      for (int t = 0; t < settings; t += at_once)
        PERMI_NAME(batch_terms)(&sums, n, a, stride, table, t, n > 6 ? outer + s * PERMI_WIDTH : 0,
                                permi_parity_signs[t / at_once ^ s ^ away]);
  }
  PERMI_N value = PERMI_NAME(minus)(sums.even, sums.odd);
  value.re = scale * value.re;
  value.im = scale * value.im;
  PERMI_NAME(put)(out, PERMI_BATCH_BLOCK, value, 2);
  PERMI_V sure = PERMI_FNMA(unit, scale * sums.absolute, PERMI_LARGER(value.re, value.im));
  return PERMI_NAME(batch_sure)(n, a, stride, least, &sure, 1.0, out, 2);
}

PERMI_TARGET static unsigned PERMI_NAME(batch_signs_complex)(const permi_batch_split *split, int n, const double *a,
                                                             size_t stride, double least, double *out)
{
  unsigned stand = 0;
  (void)split;
  for (int v = 0; v < PERMI_BATCH_BLOCK; v += PERMI_WIDTH)
    stand |= PERMI_NAME(batch_signs)(n, a + v, stride, least, out + 4 * PERMI_BATCH_BLOCK, out + v) << v;
  PERMI_LEAVE();
  return stand;
}
#undef PERMI_BATCH_FORM
#undef PERMI_BATCH_PAIR
#endif
#undef PERMI_HALVES
#endif
#endif

#endif

/* ================================================================================= >>vocabulary_end
   Undefines the words that the next family defines otherwise. */

#undef PERMI_TARGET
#undef PERMI_LEAVE
#undef PERMI_MM
#undef PERMI_V
#undef PERMI_N
#undef PERMI_LOAD
#undef PERMI_LOAD_ANY
#undef PERMI_STORE_ANY
#undef PERMI_STORE
#undef PERMI_SET
#undef PERMI_FMA
#undef PERMI_FMS
#undef PERMI_FNMA
#undef PERMI_FMS_EXACT
#undef PERMI_KEEP
#undef PERMI_ABS
#undef PERMI_EVEN
#undef PERMI_ODD
#undef PERMI_ROOT
#undef PERMI_LARGER
#undef PERMI_LESSER
#undef PERMI_GREATER
#undef PERMI_UNLESS_ZERO
#undef PERMI_ELEMENT
#undef PERMI_ABS_SUM
#undef PERMI_I_DOUBLES
#undef PERMI_I_BITS
#undef PERMI_I_LOAD_ANY
#undef PERMI_I_STORE_ANY
#undef PERMI_I_TABLE
#undef PERMI_I_NONZERO8
#undef PERMI_I
#undef PERMI_FAMILY
#undef PERMI_FAMILY_WIDTH

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif /* PERMI_FAMILY */

/* So many lines leave gcc no columns to judge indentation by, and it says so unless it has seen a #line, of any
   number. */
#if defined(__GNUC__) && !defined(__clang__)
#line 1
#endif

/* MIT License; SPDX-License-Identifier: MIT

   Copyright (c) 2026 the perm authors

   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
   documentation files (the "Software"), to deal in the Software without restriction, including without limitation
   the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and
   to permit persons to whom the Software is furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all copies or substantial portions of
   the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO
   THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
   AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
   CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
   DEALINGS IN THE SOFTWARE. */
