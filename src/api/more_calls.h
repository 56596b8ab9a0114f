/* ===================================================================================== >>more_calls
   Every public type and function. >>calls says what holds for all. */
#pragma once
#include "more_config.h"
#include "sparse_calls.h"

#define PERM_CAUCHY_MAX_N 512
#define PERM_ESTIMATE_MAX_N 20000

/* Permanent of u v: u is n x r, v is r x n, row strides ldu >= r and ldv >= n. C(n + r - 1, r - 1) monomials of n r
   double-double operations; error_bound is about 1e-29 of the sum of |terms|. PERM_ERROR_RANK: r < 0 or r > n.
   PERM_ERROR_LIMIT: too many monomials. [Bar96] */
PERM_MORE_API perm_status perm_compute_low_rank_real(int n, int r, const double *u, ptrdiff_t ldu, const double *v,
                                                     ptrdiff_t ldv, const perm_options *options, perm_result *result);
PERM_MORE_API perm_status perm_compute_low_rank_complex(int n, int r, const double *u, ptrdiff_t ldu, const double *v,
                                                        ptrdiff_t ldv, const perm_options *options,
                                                        perm_result *result);

/* Permanent of the Cauchy matrix 1 / (x_i - y_j), n nodes each, n <= PERM_CAUCHY_MAX_N, in O(n^3) double-double
   operations. *condition (may be NULL): the largest factor on a relative error of the squared matrix's entries; 30
   digits less its logarithm are right (error_estimate; no error_bound). If too few, n is small and method is auto,
   perm_compute_real (_complex) computes it. PERM_ERROR_NODES: two equal nodes. [Bor55] */
PERM_MORE_API perm_status perm_compute_cauchy_real(int n, const double *x, const double *y, const perm_options *options,
                                                   double *condition, perm_result *result);
PERM_MORE_API perm_status perm_compute_cauchy_complex(int n, const double *x, const double *y,
                                                      const perm_options *options, double *condition,
                                                      perm_result *result);

/* Permanent of a square matrix of integers (Gaussian: complex ones; sparse: below 2^53), n <= 44, with a proof in the
   file `path` (docs/proofs.md); path NULL: the value alone. (n + 1) n 2^(n-1) products, on the CPU, for each 50 bits of
   a bound on the permanent. The file is replaced as a whole; a name that cannot be written is refused at once.
   Method auto, precision default or exact. PERM_ERROR_STATE: finished values are wrong; the same call computes them
   again. */
PERM_MORE_API perm_status perm_prove_integer(int m, int n, const int64_t *a, ptrdiff_t ld, const char *path,
                                             const perm_options *options, perm_result *result);
PERM_MORE_API perm_status perm_prove_gaussian(int m, int n, const int64_t *a, ptrdiff_t ld, const char *path,
                                              const perm_options *options, perm_result *result);
PERM_MORE_API perm_status perm_prove_sparse(const perm_matrix *matrix, const char *path, const perm_options *options,
                                            perm_result *result);

/* Unbiased estimates by samples, up to the first limit: samples (rounded up to blocks of 256), relative_error (standard
   error over value; PERM_TOLERANCE_NOT_MET: another limit came first), options.max_seconds. */
typedef enum perm_estimator {
  PERM_ESTIMATOR_AUTO,
  PERM_ESTIMATOR_GLYNN,    /* products of signed row sums: any matrix */
  PERM_ESTIMATOR_SINKHORN, /* permutations drawn by doubly stochastic weights: non-negative matrices */
  PERM_ESTIMATOR_REJECTION, /* the same, n <= 2000: relative_error (0: 0.1) is kept with chance `confidence`, proved */
  PERM_ESTIMATOR_COUNT, PERM_ESTIMATOR_MAKE_INT = 0x7fffffff
} perm_estimator;

typedef struct perm_estimate_plan {
  perm_estimator estimator;
  double samples;        /* 0: no limit, or 65536 if there is no other; REJECTION: no limit */
  double relative_error; /* 0: none */
  double confidence;     /* of the interval; 0: 0.95 */
  uint64_t seed;
  int guarantee;         /* 1: AUTO is REJECTION or, with signs, GLYNN; real matrices are computed if that is sooner
                            by prediction (samples 0; message); PERM_TOLERANCE_NOT_MET: proved_radius over value
                            exceeds relative_error (0: 0.1) */
} perm_estimate_plan;

/* The permanent is about (value + i imaginary) 2^exp2; the rest has the same unit. */
typedef struct perm_estimate {
  double value, imaginary;
  long long exp2;
  double standard_error; /* of value; complex: root of the mean squared modulus */
  double low, high;      /* of the real part: value -+ radius */
  double radius;         /* with what samples round; complex: of the disc around the value */
  double proved_radius;  /* holds with probability `confidence`, proved, for any distribution; or INFINITY */
  double certain_low, certain_high; /* the permanent is between them: of rejection; else INFINITY and 0, or, if
                                       an entry is negative or complex, -INFINITY */
  double confidence, samples;
  uint64_t seed;
  perm_estimator estimator;
  int is_complex, threads;
  double seconds;
  perm_status status;
  int argument;
  char message[PERM_MESSAGE_BYTES];
} perm_estimate;

/* Of an n x n matrix, n <= PERM_ESTIMATE_MAX_N. plan NULL: all 0. O(n^2) a sample. checkpoint is refused. Stopped in
   the first block: value NaN, standard_error INFINITY. All samples 0, but some product is not: value 0, standard_error
   INFINITY. [Gur05] [SB99] */
PERM_MORE_API perm_status perm_estimate_real(int n, const double *a, ptrdiff_t ld, const perm_estimate_plan *plan,
                                             const perm_options *options, perm_estimate *estimate);
PERM_MORE_API perm_status perm_estimate_complex(int n, const double *a, ptrdiff_t ld, const perm_estimate_plan *plan,
                                                const perm_options *options, perm_estimate *estimate);

/* Rook numbers r_k: numbers[k], k = 0 .. min(m, n), is the sum of the permanents of all k x k submatrices: of 0/1,
   placements of k rooks that do not attack. (-1)^k r_k is the coefficient of x^(m + n - 2k) in the matching
   polynomial of the bipartite graph. Whole entries, else PERM_ERROR_UNSUPPORTED (times d, r_k is d^k times as large).
   per(A) is the result's integer. Methods auto, frontier (2^(frontier vertices) polynomials) and exact (min(m, n) + 1
   permanents of A + x). PERM_ERROR_OVERFLOW over 4544 bits. Checkpoints are refused. On errors numbers are
   undefined. */
PERM_MORE_API perm_status perm_rook_numbers(const perm_matrix *matrix, const perm_options *options,
                                            perm_integer *numbers, perm_result *result);

/* per(C + x L) of two m x n matrices, row strides ldc, ldl >= n: coefficients[k], k = 0 .. degree, is that of x^k,
   exact; Gaussian integers, complex numbers (and results of sparse ones, if one is complex) are pairs. What exceeds
   min(m, n) is 0. Coefficient 0, per(C), is the result's value. For real matrices with few frontier states in one
   pass of polynomials (method frontier: states times degree words), else (exact) by as many permanents as there may
   be coefficients. options.modulus: residues. PERM_ERROR_OVERFLOW: they may exceed 4544 bits. PERM_ERROR_LIMIT:
   predicted. Checkpoints are refused. On errors integers are undefined. */
PERM_MORE_API perm_status perm_polynomial_integer(int m, int n, const int64_t *c, ptrdiff_t ldc, const int64_t *l,
                                                  ptrdiff_t ldl, int degree, const perm_options *options,
                                                  perm_integer *coefficients, perm_result *result);
PERM_MORE_API perm_status perm_polynomial_gaussian(int m, int n, const int64_t *c, ptrdiff_t ldc, const int64_t *l,
                                                   ptrdiff_t ldl, int degree, const perm_options *options,
                                                   perm_integer *coefficients, perm_result *result);
/* The same in doubles, NaN on errors. bounds (or NULL): degree + 1 proved bounds on errors (moduli), or INFINITY; the
   result has the worst. Of a sparse matrix without negative entries they are about 1e-13 of each coefficient.
   Others come from values on a circle of radius r, with bounds of about 1e-14 per(|C| + r |L|) / r^k: all digits of a
   small coefficient may be lost. PERM_ERROR_UNSUPPORTED: beyond doubles. Methods auto and frontier. */
PERM_MORE_API perm_status perm_polynomial_real(int m, int n, const double *c, ptrdiff_t ldc, const double *l,
                                               ptrdiff_t ldl, int degree, const perm_options *options,
                                               double *coefficients, double *bounds, perm_result *result);
PERM_MORE_API perm_status perm_polynomial_complex(int m, int n, const double *c, ptrdiff_t ldc, const double *l,
                                                  ptrdiff_t ldl, int degree, const perm_options *options,
                                                  double *coefficients, double *bounds, perm_result *result);
PERM_MORE_API perm_status perm_polynomial_sparse(const perm_matrix *c, const perm_matrix *l, int degree,
                                                 const perm_options *options, double *coefficients, double *bounds,
                                                 perm_result *result);
/* Of sparse matrices with whole entries, else PERM_ERROR_UNSUPPORTED. */
PERM_MORE_API perm_status perm_polynomial_sparse_integer(const perm_matrix *c, const perm_matrix *l, int degree,
                                                         const perm_options *options, perm_integer *coefficients,
                                                         perm_result *result);
/* per(C + x_1 L_1 + .. + x_v L_v), the degree in x_k cut at cuts[k - 1]. a: C, L_1, .. L_v, one below the other, of (v
   + 1) m rows. The coefficient of x_1^i x_2^j .. is number i + (cuts[0] + 1) (j + (cuts[1] + 1) ..). Else as above;
   bounds are about 1e-13 of the sum of the moduli that cancel in a coefficient. Method auto, one thread: sets of at
   most 30 columns (of the longer side), each with all coefficients in memory, or PERM_ERROR_LIMIT. */
PERM_MORE_API perm_status perm_polynomial_several_integer(int m, int n, int variables, const int64_t *a, ptrdiff_t lda,
                                                          const int *cuts, const perm_options *options,
                                                          perm_integer *coefficients, perm_result *result);
PERM_MORE_API perm_status perm_polynomial_several_gaussian(int m, int n, int variables, const int64_t *a,
                                                           ptrdiff_t lda, const int *cuts, const perm_options *options,
                                                           perm_integer *coefficients, perm_result *result);
PERM_MORE_API perm_status perm_polynomial_several_real(int m, int n, int variables, const double *a, ptrdiff_t lda,
                                                       const int *cuts, const perm_options *options,
                                                       double *coefficients, double *bounds, perm_result *result);
PERM_MORE_API perm_status perm_polynomial_several_complex(int m, int n, int variables, const double *a, ptrdiff_t lda,
                                                          const int *cuts, const perm_options *options,
                                                          double *coefficients, double *bounds, perm_result *result);
/* The permanental polynomial per(x I - A) of an n x n matrix: n + 1 coefficients, as above. */
PERM_MORE_API perm_status perm_permanental_polynomial(int n, const int64_t *a, ptrdiff_t lda,
                                                      const perm_options *options, perm_integer *coefficients,
                                                      perm_result *result);
PERM_MORE_API perm_status perm_permanental_polynomial_sparse(const perm_matrix *matrix, const perm_options *options,
                                                             perm_integer *coefficients, perm_result *result);

/* Draws permutations (m < n: injections of the rows) of a matrix without negative entries with probability (product of
   entries) / permanent: sample k, k < count, is columns[k m + row], from 0, and depends on matrix, options, seed and
   first + k only. Integers are drawn without rounding; for others the total variation distance is a few units of 2^-53
   for each entry and line (>>sample). Blocks are computed once, by method tree, frontier (lists, arrays) or, if
   m = n, twins, with all states in memory (max_bytes; 0: 16 GB); then a sample takes O(nnz log states) or, of a tree,
   2^width a join. No value is returned.
   columns: count m ints, undefined on errors. PERM_ERROR_ZERO: the permanent is. PERM_ERROR_UNSUPPORTED: a negative or
   complex entry, products beyond doubles. PERM_ERROR_SIZE: m > n. PERM_ERROR_LIMIT: predicted. */
PERM_MORE_API perm_status perm_sample_sparse(const perm_matrix *matrix, const perm_options *options, uint64_t seed,
                                             uint64_t first, uint64_t count, int *columns, perm_result *result);

/* Derivatives by stored entries, also zeros: gradient[e], e < nnz (complex: pairs), is the permanent without entry e's
   row and column, times 2^result->exp2; below 2^-1000 of the largest it may be 0. result is the permanent, with that
   exponent; error_bound and error_estimate are absolute, of the worst derivative. value has nine digits, by estimate,
   or message says that it lost some, and that error_bound is of it, too. By method tree, lists or arrays, as about
   three permanents, all states in memory (max_bytes; 0: 16 GB; lists and arrays with less). Squares of up to 64 lines
   also by hybrid, as 3 to 8 of its permanents: error_bound is wide without certify; where terms cancel to less than
   nine digits (from 44 lines on) auto takes others that take up to 20 times as long. Or as perm_gradient_real: no
   error_bound. After an error doubles are NaN, others 0. */
PERM_MORE_API perm_status perm_gradient_sparse(const perm_matrix *matrix, const perm_options *options,
                                               double *gradient, perm_result *result);

/* The same of integers, exact: modulo options.modulus, or as they are. */
PERM_MORE_API perm_status perm_gradient_sparse_mod(const perm_matrix *matrix, const perm_options *options,
                                                   uint64_t *gradient, perm_result *result);
PERM_MORE_API perm_status perm_gradient_sparse_integer(const perm_matrix *matrix, const perm_options *options,
                                                       perm_integer *gradient, perm_result *result);

/* Marginals, as perm_marginals_real: marginal[e] = entry * derivative / permanent, of entries >= 0. unmatched (or
   NULL): probabilities that a column, or of m > n a row, is not taken. result: the permanent; error_bound is relative,
   of every probability, besides 1e-290 (docs/proofs-rounding.md, Marginals); INFINITY: computed as an array, with an
   absolute error_estimate. Refusals as of samples; else as the gradient. */
PERM_MORE_API perm_status perm_marginals_sparse(const perm_matrix *matrix, const perm_options *options,
                                                double *marginal, double *unmatched, perm_result *result);

/* The same bits of matrices[k], k < count, in marginal[k], unmatched[k] (or unmatched NULL) and results[k], one thread
   each. Returns the first status that is not PERM_OK. max_seconds and cancel stop all (what is missing is NaN).
   max_bytes is of all: fewer threads take what does not fit, at last a single call. One workspace is enough. */
PERM_MORE_API perm_status perm_marginals_sparse_batch(size_t count, const perm_matrix *const *matrices,
                                                      const perm_options *options, double *const *marginal,
                                                      double *const *unmatched, perm_result *results);

/* Draws as SVG: entries as given and in block triangular form; vertices of the largest frontier or tree along its
   order; engine and prediction of blocks, or why there is no plan. Options as for perm_sparse_job, path as for
   perm_matrix_write; name: of the matrix, or NULL. At most about 1.5 MB. */
PERM_MORE_API perm_status perm_sparse_spy(const perm_matrix *matrix, const perm_options *options, const char *path,
                                          const char *name, perm_result *result);

#define PERM_MODE_UNSEEN (-2)

/* Which states (s_1, .., s_m) of m rows, in descending order: (n,0,..,0), (n-1,1,0,..), .. NULL or zeros: all,
   amplitudes. Unseen rows count as one, the last, which states give at the first of them: probabilities (alone, not
   on_gpu) are added up over their photons, within limits. */
typedef struct perm_outputs {
  const int *most;    /* photons of a row at most; below 0: any. All 1: without collisions */
  const int *exactly; /* heralds: photons of a row; PERM_MODE_UNSEEN; others below 0: none */
  int probabilities;  /* 1: |amplitude|^2 */
  int on_gpu;         /* 1: as options.gpu.resident 2 */
  /* Unless NULL, takes the outputs in order, by the calling thread, instead of `out`; non-zero cancels. */
  int (*block)(void *user_data, size_t first, size_t count, const double *values);
  void *user_data;
} perm_outputs;

/* Amplitudes per(A[s, t]) / sqrt(s_1! .. s_m! t_1! ..) of all outputs s of t_c = column_counts[c] photons (NULL: one)
   in column c of the m x columns matrix a, as pairs out[2 k] (probabilities: out[k]), k as perm_amplitudes_index says,
   in units of 2^result->exp2 (of its square), not 0 only if one could be beyond 2^+-400.
   result: value is the sum of |amplitude|^2; error_bound, proved, is of the root of the sum of |errors|^2; total
   variation (half the sum of errors of probabilities) is at most error_bound (sqrt(value) + error_bound / 2). For c
   orthonormal columns taken as often each it is about 1.6e-16 n (m + 6) sqrt(c), for a norm s times s^n. tolerance is
   of error_bound / sqrt(value).
   O(min(n, m)) a state of 1 .. n photons in m rows. Memory: out, tables, and 16 bytes a state of n - 1 photons for
   probabilities, limits or blocks. Up to PERM_MAX_LINES rows and photons. After errors and stops out is undefined.
   PERM_ERROR_LIMIT: too many states. [HMSV23] */
PERM_MORE_API perm_status perm_amplitudes_complex(int m, int columns, const double *a, ptrdiff_t ld,
                                                  const int *column_counts, const perm_outputs *outputs,
                                                  const perm_options *options, double *out, perm_result *result);

/* The number of outputs, an output's index, and an index's output. O(m photons). PERM_ERROR_OVERFLOW: more than size_t
   counts. PERM_ERROR_RANGE: not among the outputs. PERM_ERROR_COUNTS: a negative number. */
PERM_MORE_API perm_status perm_amplitudes_count(int m, int photons, const perm_outputs *outputs, size_t *count);
PERM_MORE_API perm_status perm_amplitudes_index(int m, const int *state, const perm_outputs *outputs, size_t *index);
PERM_MORE_API perm_status perm_amplitudes_state(int m, int photons, const perm_outputs *outputs, size_t index,
                                                int *state);

/* perm_layout of perm_estimate_plan, perm_estimate, perm_matrix and perm_outputs. */
PERM_MORE_API perm_status perm_more_layout(const char *name, size_t *offset, size_t *bytes);
/* SPDX-License-Identifier: MIT */
