/* Joined by `make headers` from the files of src/: change those. */
/* perm_more.h: estimates of permanents, random permutations, rook numbers, matrices given by thin factors or nodes,
   proofs, pictures.

   In one source file:

       #define PERM_IMPLEMENTATION
       #include "perm_more.h"                                   // includes perm_sparse.h, which includes perm.h

   If another file has the implementation of the other two, define PERM_MORE_IMPLEMENTATION alone, and include this
   header before them. PERM_NO_EXTRAS leaves nothing of it.

   EXAMPLE
       double a[9] = {1,1,0, 1,1,1, 0,1,1};                     // its permanent is 3
       perm_estimate e;
       perm_estimate_real(3, a, 3, NULL, NULL, &e);
       printf("%.2f to %.2f\n", e.low, e.high);                 // 2.99 to 3.00

   WHICH CALL
       perm_estimate_*              the permanent by random samples, with an interval; plan.guarantee 1: a proved one
       perm_sample_sparse           random permutations, in proportion to their products
       perm_gradient_sparse*        derivatives by all entries: minors
       perm_marginals_sparse*       probabilities of entries, empty lines; _batch: of many matrices
       perm_polynomial_*            all coefficients of per(C + x L)
       perm_permanental_polynomial* of per(x I - A)
       perm_rook_numbers            the sums of all k x k permanents: matching polynomials
       perm_amplitudes_*            all amplitudes or probabilities of photons in an interferometer
       perm_compute_low_rank_*      two thin factors, of declared rank
       perm_compute_cauchy_*        the nodes of a Cauchy matrix
       perm_prove_integer, _gaussian, _sparse    an exact permanent with a proof that anyone can check
       perm_sparse_spy              structure and plan as a picture, SVG

   GUARANTEES
     - The samples of one seed are the same for any number of threads.
     - Derivatives and marginals are within proved bounds, or error_bound is INFINITY; same bits for any threads.
     - Rook numbers and polynomials of integers are exact, and integers are sampled without rounding.
     - Every promise of the other two headers about memory, limits, stops and files holds.

   CONTENTS  Rooms as in perm.h.
     api/            >>more_config, >>more_calls: macros, types, functions
     lowrank/        >>low_rank, >>cauchy
     proof/          >>lanes, >>polynomial, >>proof_check, >>sweep, >>proof, >>proof_kernels: perm_prove_*
     estimate/       >>estimate, >>rejection, >>estimate_calls: random samples
     picture/        >>spy: perm_sparse_spy
     polynomial/     >>points, >>coefficients, >>circle, >>several, >>rook, >>polynomial_calls: perm_polynomial_*,
                     perm_rook_numbers
     sample/         >>trace, >>trace_frontier, >>trace_classes, >>trace_tree, >>derive_frontier, >>derive_tree,
                     >>derive_hybrid, >>derive_kernels, >>sample, >>derive: perm_sample_sparse, _gradient_, _marginals_
     amplitudes/     >>outputs, >>amplitudes, >>amplitudes_bound, >>amplitudes_calls, >>amplitudes_kernels:
                     perm_amplitudes_*

   REFERENCES  besides those of perm.h
     [Bar96] Barvinok, Math. Oper. Res. 21 (1996) 65-84: fixed rank.
     [HMSV23] Heurtel, Mansfield, Senellart, Valiron, Comput. Phys. Commun. 291 (2023) 108848: SLOS.
     [Gur05] Gurvits, MFCS 2005, LNCS 3618, 447-458: mixed discriminants.
     [SB99]  Beichl, Sullivan, J. Comput. Phys. 149 (1999) 128-147: importance sampling.
     [Bor55] Borchardt, J. reine angew. Math. 53 (1855) 193-198: Cauchy matrices.
     [HL08]  Huber, Law, SODA 2008, 681-689: a bound that nests.
     [HRK21] Harviainen, Royskoe, Koivisto, NeurIPS 2021: deeper bounds.
     [Hub17] Huber, Random Struct. Algorithms 50 (2017) 167-182: Bernoulli variables.
     [Sch98] Schrijver, J. Combin. Theory B 72 (1998) 122-135; [Gur11] L. Gurvits, arXiv:1106.2844: a lower bound.
     [AMS09] Audibert, Munos, Szepesvari, Theor. Comput. Sci. 410 (2009) 1876-1902: Bernstein's bound.
*/
#ifndef PERMI_FAMILY
#ifndef PERM_MORE_H_INCLUDED
#define PERM_MORE_H_INCLUDED

/* ==================================================================================== >>more_config
   Names of files, if renamed, and linkage of this header. */

#ifndef PERM_SPARSE_HEADER_FILE
#define PERM_SPARSE_HEADER_FILE "perm_sparse.h"
#endif
#ifndef PERM_MORE_HEADER_FILE
#define PERM_MORE_HEADER_FILE "perm_more.h"
#endif

/* As PERM_SPARSE_API, with PERM_MORE_IMPLEMENTATION. */
#if defined(PERM_STATIC) && defined(__GNUC__)
#define PERM_MORE_API static __attribute__((unused))
#elif defined(PERM_STATIC)
#define PERM_MORE_API static
#elif defined(__cplusplus)
#define PERM_MORE_API extern "C"
#else
#define PERM_MORE_API extern
#endif

#if defined(PERM_MORE_IMPLEMENTATION) && !defined(PERM_IMPLEMENTATION)
#if defined(PERM_PERMANENT_H_INCLUDED)
#error "with PERM_MORE_IMPLEMENTATION alone, include perm_more.h before perm.h and perm_sparse.h"
#endif
#if !defined(PERM_SPARSE_IMPLEMENTATION)
#ifndef PERM_STATIC
#define PERM_STATIC
#endif
#define PERM_IMPLEMENTATION
#endif
#endif
#include PERM_SPARSE_HEADER_FILE

#if !defined(PERM_NO_EXTRAS)

/* ===================================================================================== >>more_calls
   Every public type and function. >>calls says what holds for all. */

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

#endif
#endif /* PERM_MORE_H_INCLUDED */

#if (defined(PERM_IMPLEMENTATION) || defined(PERM_MORE_IMPLEMENTATION)) && !defined(PERM_NO_EXTRAS)
#ifndef PERM_MORE_IMPLEMENTED
#define PERM_MORE_IMPLEMENTED
#ifndef PERM_SPARSE_IMPLEMENTED
#include PERM_SPARSE_HEADER_FILE
#endif
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675, 128, 550
#endif

/* ======================================================================================= >>low_rank
   Products of thin factors [Bar96]. A = U V with r columns in U: with
     prod_i sum_t u_it x_t = sum_k p_k x^k,   prod_j sum_t v_tj y_t = sum_k q_k y^k,   per(A) = sum_k k! p_k q_k
   over the C(n + r - 1, r - 1) exponents k of degree n, k! = prod k_t!, in double-double; non-negative factors do not
   cancel. Exponents without k_r are numbered by degree: with c_t = k_t + .. + k_(r-1) and d_t = c_t + r - 1 - t, k has
   number sum_t C(d_t, r - t), and k with k_t one less that number less sum over s <= t of C(d_s - 1, r - s - 1). */

/* Returns C(n, k), or more than any size_t. */
static double permi_binomial(int n, int k)
{
  double c = 1;
  for (int i = 1; i <= k; i++)
    c = c * (n - k + i) / i;
  return k < 0 || k > n ? 0 : c;
}

typedef struct permi_factors {
  int n, r, parts;
  permi_view view[2];
} permi_factors;

typedef struct permi_low_rank {
  permi_owned owned;
  int n, r, parts, *factorial_exp2;
  size_t count;
  uint32_t *below;              /* the task's: (r - 1) each: number with k_t one less; UINT32_MAX: k_t is 0 */
  permi_dd *factorial, *weight; /* t! 2^-factorial_exp2[t]; the task's: k! 2^-factorial_exp2[n] */
  double *factor[2];            /* U's rows, V's columns: moduli sum to at most 1 */
} permi_low_rank;

static perm_status permi_low_rank_exponents(const permi_low_rank *low, permi_control *control)
{
  int d[20], t, r = low->r, n = low->n; /* r <= n, C(2 r - 1, r - 1) <= 4e9 */
  for (t = 1; t < r; t++)
    d[t] = r - 1 - t;
  for (size_t number = 0; number < low->count; number++) {
    double less = 0;
    int degree = 0, exp2 = -low->factorial_exp2[n];
    permi_dd weight = permi_dd_make(1);
    if (permi_watch_step(control, number, 5.0 * r * r))
      return control->stopped;
    for (t = 1; t < r; t++) {
      const int k = d[t] - (r - 1 - t) - (t + 1 < r ? d[t + 1] - (r - 2 - t) : 0);
      less += permi_binomial(d[t] - 1, r - t - 1);
      low->below[number * (size_t)(r - 1) + (size_t)(t - 1)] = k ? (uint32_t)((double)number - less) : UINT32_MAX;
      weight = permi_dd_multiply(weight, low->factorial[k]);
      exp2 += low->factorial_exp2[k];
      degree += k;
    }
    weight = permi_dd_multiply(weight, low->factorial[n - degree]);
    low->weight[number] = permi_dd_scale(weight, exp2 + low->factorial_exp2[n - degree]);
    for (t = r - 1; t > 1 && d[t] + 1 == d[t - 1]; t--)
      d[t] = r - 1 - t;
    if (r > 1)
      d[t]++;
  }
  return PERM_OK;
}

/* Works in place, highest exponents first. */
static perm_status permi_linear_product(const permi_low_rank *low, int side, permi_control *control, double done,
                                        double work, permi_dd *product, double *absolute)
{
  const int r = low->r, parts = low->parts;
  double before = 1, units = 1e9 * work / ((double)low->count * low->n);
  product[parts - 1] = permi_dd_make(0);
  product[0] = permi_dd_make(1);
  absolute[0] = 1;
  for (int i = 0; i < low->n; i++) {
    const double *row = low->factor[side] + (size_t)i * (size_t)(r * parts);
    const double after = permi_binomial(i + r, r - 1);
    size_t number = (size_t)after;
    if (control)
      control->done = done + work * i / low->n;
    permi_watch(control, i ? units * before : PERMI_WATCH_UNITS);
    while (number-- > 0) {
      const uint32_t *below = low->below + number * (size_t)(r - 1);
      permi_dd re = {0, 0}, im = {0, 0};
      double sum = 0;
      if (permi_watch_step(control, number, units))
        return control->stopped;
      for (int t = 0; t < r; t++) {
        const size_t from = t < r - 1 ? below[t] : number;
        const double *u = row + t * parts;
        if ((double)from >= before) /* or none */
          continue;
        permi_dd a = product[from * (size_t)parts];
        if (parts == 1) {
          re = permi_dd_add(re, permi_dd_multiply(a, permi_dd_make(u[0])));
          sum += absolute[from] * fabs(u[0]);
          continue;
        }
        permi_dd b = product[from * 2 + 1];
        permi_dd_multiply_complex(&a, &b, permi_dd_make(u[0]), permi_dd_make(u[1]));
        re = permi_dd_add(re, a);
        im = permi_dd_add(im, b);
        sum += absolute[from] * (fabs(u[0]) + fabs(u[1]));
      }
      product[number * (size_t)parts] = re;
      if (parts == 2)
        product[number * 2 + 1] = im;
      absolute[number] = sum;
    }
    before = after;
  }
  return PERM_OK;
}

static perm_status permi_low_rank_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  permi_low_rank copy = *(const permi_low_rank *)leaf->context, *low = &copy;
  const size_t parts = (size_t)low->parts;
  const double half = leaf->information.seconds / 2;
  permi_pool pool = {&low->owned.allocator, NULL, 0};
  permi_dd *product[2];
  double *absolute[2];
  for (int side = 0; side < 2; side++) {
    product[side] = (permi_dd *)permi_pool_get(&pool, low->count * parts, sizeof(permi_dd));
    absolute[side] = (double *)permi_pool_get(&pool, low->count, sizeof(double));
  }
  low->below = (uint32_t *)permi_pool_get(&pool, low->count * (size_t)(low->r - 1), sizeof *low->below);
  low->weight = (permi_dd *)permi_pool_get(&pool, low->count, sizeof *low->weight);
  if (control)
    control->activity = "low rank";
  perm_status status = pool.failed ? PERM_ERROR_MEMORY : permi_low_rank_exponents(low, control);
  for (int side = 0; side < 2 && status == PERM_OK; side++)
    status = permi_linear_product(low, side, control, half * side, half, product[side], absolute[side]);
  for (size_t k = 0; status == PERM_OK && k < low->count; k++) {
    status = permi_watch_step(control, k, 20) ? control->stopped : PERM_OK;
    permi_dd a = product[0][k * parts], b = permi_dd_make(0);
    if (low->parts == 2) {
      b = product[0][2 * k + 1];
      permi_dd_multiply_complex(&a, &b, product[1][2 * k], product[1][2 * k + 1]);
      permi_sum_add_dd(&partial->imaginary, permi_dd_multiply(b, low->weight[k]));
    } else {
      a = permi_dd_multiply(a, product[1][k]);
    }
    permi_sum_add_dd(&partial->value, permi_dd_multiply(a, low->weight[k]));
    permi_sum_add_double(&partial->absolute, absolute[0][k] * absolute[1][k] * low->weight[k].hi);
  }
  if (status == PERM_OK) {
    partial->terms += (double)low->count;
    partial->lost += 8.0 * low->n * (double)low->count * low->r * low->parts * DBL_MIN;
  }
  permi_pool_release(&pool);
  return status;
}

static size_t permi_low_rank_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_low_rank *low = (const permi_low_rank *)leaf->context;
  return permi_say(buffer, size, "low rank, order %d, rank %d: %.0f monomials, predicted %.3g s, %.3g bytes\n",
                   low->n, low->r, (double)low->count, leaf->information.seconds, leaf->information.bytes);
}

/* Returns 0 if a line is zero. */
static int permi_low_rank_lines(permi_low_rank *low, int side, const double *from, ptrdiff_t line, ptrdiff_t step,
                                long long *exp2)
{
  const int parts = low->parts;
  double *to = low->factor[side];
  for (int i = 0; i < low->n; i++) {
    double largest = 0;
    for (int t = 0; t < low->r * parts; t++)
      largest = fmax(largest, fabs(from[(i * line + t / parts * step) * parts + t % parts]));
    if (largest == 0)
      return 0;
    const int e = permi_exponent(largest) + permi_log2_ceiling(low->r * parts);
    for (int t = 0; t < low->r * parts; t++)
      *to++ = ldexp(from[(i * line + t / parts * step) * parts + t % parts], -e);
    *exp2 += e;
  }
  return 1;
}

/* There are `count` exponents, r >= 1; sets *zero if a line is zero. THE BOUND: 2 n r + 2 n + r + 8 double-double
   operations (complex: thrice), underflow (tests/proofs/doubles.g). */
static perm_status permi_low_rank_leaf(const permi_factors *factors, const perm_allocator *allocator, double count,
                                       double bytes, permi_leaf *leaf, int *zero)
{
  const permi_view *u = &factors->view[0], *v = &factors->view[1];
  const int n = factors->n, r = factors->r, parts = factors->parts;
  const size_t entries = (size_t)n * (size_t)(r * parts);
  permi_low_rank *low = (permi_low_rank *)permi_owned_new(allocator, sizeof *low);
  long long exp2 = 0;
  uint64_t hash = PERMI_HASH_START;
  if (!low)
    return PERM_ERROR_MEMORY;
  permi_pool *pool = &low->owned.pool;
  permi_dd *factorial = low->factorial = (permi_dd *)permi_pool_get(pool, (size_t)n + 1, sizeof *factorial);
  int e, *factorial_exp2 = low->factorial_exp2 = (int *)permi_pool_zeros(pool, (size_t)n + 1, sizeof *factorial_exp2);
  low->n = n;
  low->r = r;
  low->parts = parts;
  low->count = (size_t)count;
  low->factor[0] = (double *)permi_pool_get(pool, 2 * entries, sizeof(double));
  if (pool->failed) {
    permi_owned_release(allocator, low);
    return PERM_ERROR_MEMORY;
  }
  low->factor[1] = low->factor[0] + entries;
  *zero = !permi_low_rank_lines(low, 0, u->a, u->ld, 1, &exp2) || !permi_low_rank_lines(low, 1, v->a, 1, v->ld, &exp2);
  factorial[0] = permi_dd_make(1);
  for (int t = 1; t <= n; t++) {
    factorial[t] = permi_dd_multiply(factorial[t - 1], permi_dd_make(t));
    frexp(factorial[t].hi, &e);
    factorial[t] = permi_dd_scale(factorial[t], -e);
    factorial_exp2[t] = factorial_exp2[t - 1] + e;
  }
  for (size_t k = 0; k < entries && !*zero; k++)
    hash = permi_hash_double(permi_hash_double(hash, low->factor[0][k]), low->factor[1][k]);
  const perm_leaf information = {PERM_LEAF_TASK, PERM_METHOD_LOW_RANK, PERM_ISA_PLAIN, n, 1, 2 * count * n,
                                 2 * count * n * PERMI_LOW_RANK_SECONDS * (parts == 2 ? 5 : 1), bytes,
                                 permi_hash(permi_hash(hash, (uint64_t)r), (uint64_t)exp2)};
  memset(leaf, 0, sizeof *leaf);
  leaf->information = information;
  leaf->scale = permi_dd_make(1);
  leaf->context = low;
  leaf->run_task = permi_low_rank_task;
  leaf->release = permi_owned_release;
  leaf->explain = permi_low_rank_explain;
  leaf->scale_exp2 = exp2 + factorial_exp2[n];
  leaf->bound_relative = 1.001 * PERMI_DD_UNIT * (parts == 2 ? 3 : 1) * (2.0 * n * r + 2.0 * n + r + 8);
  leaf->estimate_relative = leaf->bound_relative;
  return PERM_OK;
}

static perm_status permi_factors_check(const permi_factors *factors, const perm_options *options, perm_result *result)
{
  const int n = factors->n, r = factors->r;
  perm_status status = permi_check_options(options, 7, result);
  if (status != PERM_OK)
    return status;
  if (n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "n is negative (%d)", n);
  if (r < 0 || r > n)
    return permi_fail(result, PERM_ERROR_RANK, 2, "the rank %d is not between 0 and the order %d", r, n);
  if (options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_LOW_RANK)
    return permi_fail(result, PERM_ERROR_OPTION, 7, "options: method %s does not take factors",
                      perm_name("method", options->method));
  if (options->precision == PERM_PRECISION_EXACT || options->modulus)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 7, "options: factors are computed in double-double only");
  for (int side = 0; side < 2 && r; side++) {
    const permi_view *view = &factors->view[side];
    const int rows = side ? r : n, columns = side ? n : r;
    if (!view->a)
      return permi_fail(result, PERM_ERROR_NULL, 3 + 2 * side, "%s is NULL", side ? "v" : "u");
    if (!permi_stride_fits(rows, columns, view->ld, 8 * view->parts))
      return permi_fail_stride(result, 4 + 2 * side, side ? "ldv" : "ldu", rows, columns, view->ld);
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns * view->parts; j++)
        if (permi_not_finite(view->a[(ptrdiff_t)i * view->ld * view->parts + j]))
          return permi_fail(result, PERM_ERROR_NOT_FINITE, 3 + 2 * side,
                            "%s has a NaN or infinity in row %d, column %d (counted from 1)", side ? "v" : "u", i + 1,
                            j / view->parts + 1);
  }
  return PERM_OK;
}

static perm_status permi_low_rank_metered(const permi_factors *factors, const perm_options *options,
                                          perm_result *result)
{
  const int n = factors->n, r = factors->r, parts = factors->parts;
  const double start = permi_seconds();
  const double limit = options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES;
  permi_leaf leaf;
  int zero = n > 0;
  if (!result)
    return PERM_ERROR_NULL;
  permi_result_clear(result);
  const perm_status status = permi_factors_check(factors, options, result);
  if (status != PERM_OK)
    return status;
  const double count = r ? permi_binomial(n + r - 1, r - 1) : 1;
  const double bytes = count * (4.0 * r + 24 + (parts == 2 ? 80 : 48));
  if (bytes > limit || count > 4e9)
    return permi_fail(result, PERM_ERROR_LIMIT, 2, "%.3g monomials are predicted to need %s, over %s", count,
                      permi_size_words(bytes).text, permi_size_words(limit).text);
  if (r && permi_low_rank_leaf(factors, &options->allocator, count, bytes, &leaf, &zero) != PERM_OK)
    return permi_fail_memory(result);
  perm_job *job = permi_job_new(&options->allocator, PERM_PRECISION_DD);
  if (r && (zero || !job))
    leaf.release(&options->allocator, leaf.context);
  if (!job)
    return permi_fail_memory(result);
  job->is_complex = parts == 2;
  if (!r || zero) {
    permi_job_set_constant(job, !zero);
  } else if (!permi_job_push_leaf(job, &leaf)) {
    perm_job_free(job);
    return permi_fail_memory(result);
  }
  job->plan_seconds = permi_seconds() - start;
  permi_run_job(job, options, &permi_reach_real, result);
  result->seconds = permi_seconds() - start;
  return permi_judge(options, result);
}

static perm_status permi_compute_low_rank(const permi_factors *factors, const perm_options *options_given,
                                          perm_result *result)
{
  const int parts = factors->parts;
  permi_metered call;
  const perm_options *options =
      permi_meter_begin(&call, options_given, 16.0 * parts * fmax(factors->n, 0) * fmax(factors->r, 0));
  perm_status status = permi_low_rank_metered(factors, options, result);
  return permi_kind(permi_meter_end(&call, status, result), parts, options_given, result);
}

PERM_MORE_API perm_status perm_compute_low_rank_real(int n, int r, const double *u, ptrdiff_t ldu, const double *v,
                                                     ptrdiff_t ldv, const perm_options *options, perm_result *result)
{
  const permi_factors factors = {n, r, 1, {{u, ldu, 1, NULL}, {v, ldv, 1, NULL}}};
  return permi_compute_low_rank(&factors, options, result);
}

PERM_MORE_API perm_status perm_compute_low_rank_complex(int n, int r, const double *u, ptrdiff_t ldu, const double *v,
                                                        ptrdiff_t ldv, const perm_options *options, perm_result *result)
{
  const permi_factors factors = {n, r, 2, {{u, ldu, 2, NULL}, {v, ldv, 2, NULL}}};
  return permi_compute_low_rank(&factors, options, result);
}

/* ========================================================================================= >>cauchy
   Cauchy matrices a_ij = 1 / (x_i - y_j) by Borchardt's identity [Bor55]:
     per(A) = det(a_ij^2) / det(a_ij),   det(a_ij) = prod_(i<j) (x_j - x_i) (y_i - y_j) / prod_ij (x_i - y_j).
   Differences are exact double-doubles, so the second determinant has all digits; the first, M = (a_ij^2) = L U by
   complete pivoting, loses what its condition takes. As d det / det = trace(M^-1 dM), a relative change e of entries
   changes the permanent by at most e sum_ij |m_ij| |M^-1_ji|, the condition. Elimination errs like a change of
   n w |L| |U|, w the unit of double-double. */

typedef struct permi_nodes {
  int n, parts;
  const double *node[2]; /* x, y */
} permi_nodes;

static permi_dd_complex permi_dd_complex_less(permi_dd_complex a, permi_dd_complex b, permi_dd_complex c)
{
  b = permi_dd_complex_times(b, c, 2);
  a.re = permi_dd_subtract(a.re, b.re);
  a.im = permi_dd_subtract(a.im, b.im);
  return a;
}

static double permi_dd_complex_modulus(permi_dd_complex a)
{
  return fabs(a.re.hi) + fabs(a.im.hi);
}

static permi_dd_complex permi_dd_complex_scale(permi_dd_complex a, int exp2)
{
  a.re = permi_dd_scale(a.re, exp2);
  a.im = permi_dd_scale(a.im, exp2);
  return a;
}

/* Returns 1 / a for a != 0, by two Newton steps for the norm's. */
static permi_dd_complex permi_dd_complex_reciprocal(permi_dd_complex a)
{
  const permi_dd two = permi_dd_make(2);
  const int e = permi_exponent(permi_dd_complex_modulus(a));
  a = permi_dd_complex_scale(a, -e);
  permi_dd norm = permi_dd_add(permi_dd_multiply(a.re, a.re), permi_dd_multiply(a.im, a.im));
  permi_dd x = permi_dd_make(1 / norm.hi);
  for (int step = 0; step < 2; step++)
    x = permi_dd_multiply(x, permi_dd_subtract(two, permi_dd_multiply(norm, x)));
  a.re = permi_dd_multiply(a.re, x);
  a.im = permi_dd_multiply(permi_dd_negate(a.im), x);
  return permi_dd_complex_scale(a, -e);
}

static permi_dd_complex permi_node_difference(const permi_nodes *nodes, int side, int i, int other, int j)
{
  const double *x = nodes->node[side] + i * nodes->parts, *y = nodes->node[other] + j * nodes->parts;
  const permi_dd zero = {0, 0};
  const permi_dd_complex d = {permi_two_sum(x[0], -y[0]), nodes->parts == 2 ? permi_two_sum(x[1], -y[1]) : zero};
  return d;
}

static void permi_number_times(permi_number *a, permi_dd_complex b)
{
  permi_number factor;
  memset(&factor, 0, sizeof factor);
  factor.value = b.re;
  factor.imaginary = b.im;
  a->exact = 0;
  permi_number_multiply(a, &factor);
}

/* Makes m = L U; *odd is the parity. Returns 0 if m is singular, or if stopped. */
static int permi_eliminate(permi_dd_complex *m, int n, int *row, int *column, int *odd, permi_control *watch)
{
  *odd = 0;
  for (int i = 0; i < n; i++)
    row[i] = column[i] = i;
  for (int k = 0; k < n; k++) {
    int best_row = k, best_column = k;
    double best = -1;
    for (int i = k; i < n; i++)
      for (int j = k; j < n; j++)
        if (permi_dd_complex_modulus(m[row[i] * n + column[j]]) > best) {
          best = permi_dd_complex_modulus(m[row[i] * n + column[j]]);
          best_row = i;
          best_column = j;
        }
    if (!(best > 1e-270) || permi_watch(watch, 60.0 * (n - k) * (n - k))) /* rows are near 1 */
      return 0;
    *odd ^= (best_row != k) ^ (best_column != k);
    int swap = row[k];
    row[k] = row[best_row];
    row[best_row] = swap;
    swap = column[k];
    column[k] = column[best_column];
    column[best_column] = swap;
    permi_dd_complex pivot = permi_dd_complex_reciprocal(m[row[k] * n + column[k]]);
    for (int i = k + 1; i < n; i++) {
      permi_dd_complex *line = m + row[i] * n, factor = permi_dd_complex_times(line[column[k]], pivot, 2);
      line[column[k]] = factor;
      for (int j = k + 1; j < n; j++)
        line[column[j]] = permi_dd_complex_less(line[column[j]], factor, m[row[k] * n + column[j]]);
    }
  }
  return 1;
}

/* Sets *condition; returns it with |L| |U| for |M|. x: room for n. */
static double permi_cauchy_condition(const permi_dd_complex *lu, const double *moduli, int n, const int *row,
                                     const int *column, permi_dd_complex *x, double *condition, permi_control *watch)
{
  double growth = 0;
  *condition = 0;
  for (int c = 0; c < n && !permi_watch(watch, 60.0 * n * n); c++) {
    for (int i = 0; i < n; i++) {
      x[i].re = permi_dd_make(i == c);
      x[i].im = permi_dd_make(0);
      for (int k = c; k < i; k++)
        x[i] = permi_dd_complex_less(x[i], lu[row[i] * n + column[k]], x[k]);
    }
    for (int i = n - 1; i >= 0; i--) {
      for (int k = i + 1; k < n; k++)
        x[i] = permi_dd_complex_less(x[i], lu[row[i] * n + column[k]], x[k]);
      x[i] = permi_dd_complex_times(x[i], permi_dd_complex_reciprocal(lu[row[i] * n + column[i]]), 2);
    }
    for (int j = 0; j < n; j++) {
      double sum = 0, inverse = permi_dd_complex_modulus(x[j]);
      for (int k = 0; k <= c && k <= j; k++)
        sum += (k == c ? 1 : permi_dd_complex_modulus(lu[row[c] * n + column[k]])) *
               permi_dd_complex_modulus(lu[row[k] * n + column[j]]);
      *condition += moduli[row[c] * n + column[j]] * inverse;
      growth += sum * inverse;
    }
  }
  return growth;
}

/* Rounding entries costs n units of the permanent of moduli, which is computed, too, if there are signs, or bounded by
   the product of rows' sums. */
static perm_status permi_cauchy_general(const permi_nodes *nodes, const perm_options *options, double start,
                                        perm_result *result)
{
  const int n = nodes->n, parts = nodes->parts;
  double *a = (double *)permi_allocate(&options->allocator, (size_t)(n * n * parts), sizeof *a);
  const permi_problem problem = permi_problem_make(n, n, a, NULL, n, permi_reach_of(parts), NULL, NULL);
  const permi_problem moduli = permi_problem_make(n, n, a, NULL, n, &permi_reach_real, NULL, NULL);
  perm_options general = *options;
  permi_dense_plan plan;
  perm_status status = PERM_ERROR_MEMORY;
  double sum, sums = 0;
  int i, j, signs = parts == 2;
  permi_result_clear(result);
  general.method = PERM_METHOD_AUTO;
  general.certify = 0;
  for (i = 0; a && i < n; i++)
    for (j = 0; j < n; j++) {
      permi_dd_complex entry = permi_dd_complex_reciprocal(permi_node_difference(nodes, 0, i, 1, j));
      a[(i * n + j) * parts] = entry.re.hi;
      if (parts == 2)
        a[(i * n + j) * 2 + 1] = entry.im.hi;
    }
  if (a)
    status = permi_plan_array(&problem, &general, &plan, result);
  if (status == PERM_OK && plan.seconds > (options->max_seconds > 0 ? options->max_seconds : PERMI_ESCALATE_SECONDS))
    status = PERM_ERROR_LIMIT;
  if (status == PERM_OK)
    status = permi_compute(&problem, PERMI_AS_IT_STANDS, 5, &general, result);
  if (status == PERM_OK || status == PERM_TOLERANCE_NOT_MET) { /* judged at the end */
    result->status = PERM_OK;
    result->message[0] = 0;
    for (i = 0; i < n; i++, sums += log2(sum))
      for (sum = 0, j = i * n; j < (i + 1) * n; j++) {
        signs = signs || a[j] < 0;
        sum += a[j] = parts == 2 ? hypot(a[2 * j], a[2 * j + 1]) : fabs(a[j]);
      }
    general.tolerance = 0.1;
    general.max_seconds = permi_seconds_left(options, start);
    general.progress = NULL;
    perm_result largest = *result;
    status = signs ? permi_compute(&moduli, PERMI_AS_IT_STANDS, 5, &general, &largest) : PERM_OK;
    result->exact = 0;
    result->error_bound = (double)INFINITY;
    result->error_estimate += 1.1 * n * parts * PERMI_UNIT *
        (status == PERM_OK ? permi_ldexp(largest.value, largest.exp2 - result->exp2)
                           : exp2(sums - (double)result->exp2));
    status = status == PERM_STOPPED_CANCELLED ? status : PERM_OK;
  }
  permi_release(&options->allocator, a);
  return status;
}

#define PERMI_CAUCHY_RANGE 400 /* entries below 2^-800 of the largest are 0 */

static perm_status permi_cauchy_check(const permi_nodes *nodes, const perm_options *options, perm_result *result)
{
  static const char *const name[] = {"x", "y"};
  const int n = nodes->n, parts = nodes->parts;
  perm_status status = permi_check_whole(options, 4, result);
  if (status != PERM_OK)
    return status;
  if (n < 0 || n > PERM_CAUCHY_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "n is %d, not between 0 and %d", n, PERM_CAUCHY_MAX_N);
  if (options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_BORCHARDT)
    return permi_fail(result, PERM_ERROR_OPTION, 4, "options: method %s does not take nodes",
                      perm_name("method", options->method));
  if (options->precision == PERM_PRECISION_EXACT || options->modulus)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 4, "options: nodes are computed with in double-double only");
  for (int side = 0; side < 2 && n; side++) {
    if (!nodes->node[side])
      return permi_fail(result, PERM_ERROR_NULL, 2 + side, "%s is NULL", name[side]);
    for (int i = 0; i < n * parts; i++)
      if (permi_not_finite(nodes->node[side][i]) || fabs(nodes->node[side][i]) > DBL_MAX / 8)
        return permi_fail(result, PERM_ERROR_NOT_FINITE, 2 + side, "%s[%d] is not finite, or too large", name[side],
                          i / parts);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (permi_dd_complex_modulus(permi_node_difference(nodes, 0, i, 1, j)) == 0)
        return permi_fail(result, PERM_ERROR_NODES, 2, "x[%d] and y[%d] coincide: the entry is infinite", i, j);
      for (int side = 0; side < 2; side++)
        if (j < i && permi_dd_complex_modulus(permi_node_difference(nodes, side, i, side, j)) == 0)
          return permi_fail(result, PERM_ERROR_NODES, 2 + side,
                            "%s[%d] and %s[%d] coincide: both determinants are 0, use perm_compute_%s", name[side], j,
                            name[side], i, parts == 2 ? "complex" : "real");
    }
  return PERM_OK;
}

/* M has rows near 1; sets *number to the product of all x - y, with the powers that rows took, and *below to that of x
   - x and y - y. Returns 1 if an entry is lost. */
static int permi_cauchy_fill(const permi_nodes *nodes, permi_dd_complex *m, permi_number *number, permi_number *below,
                             permi_control *watch)
{
  const int n = nodes->n;
  int i, j, side, lossy = 0;
  for (i = 0; i < n && !permi_watch(watch, 500.0 * n); i++) {
    double least = (double)INFINITY;
    for (j = 0; j < n; j++)
      least = fmin(least, permi_dd_complex_modulus(permi_node_difference(nodes, 0, i, 1, j)));
    const int row_exp2 = permi_exponent(least);
    number->exp2 -= 2 * (long long)row_exp2;
    for (j = 0; j < n; j++) {
      permi_dd_complex d = permi_node_difference(nodes, 0, i, 1, j);
      permi_number_times(number, d);
      const int exp2 = permi_exponent(permi_dd_complex_modulus(d));
      if (exp2 - row_exp2 > PERMI_CAUCHY_RANGE) {
        memset(&m[i * n + j], 0, sizeof *m);
        lossy = 1;
      } else {
        d = permi_dd_complex_reciprocal(permi_dd_complex_scale(d, -row_exp2));
        m[i * n + j] = permi_dd_complex_times(d, d, 2);
      }
      for (side = 0; side < 2 && j < i; side++)
        permi_number_times(below, permi_node_difference(nodes, side, i, side, j));
    }
  }
  return lossy;
}

static perm_status permi_cauchy_number(const permi_nodes *nodes, permi_control *watch, permi_number *value,
                                       double *condition)
{
  const int n = nodes->n;
  const size_t entries = (size_t)n * (size_t)n;
  permi_pool pool = {&watch->options->allocator, NULL, 0};
  permi_dd_complex *m = (permi_dd_complex *)permi_pool_get(&pool, entries, sizeof *m);
  permi_dd_complex *room = (permi_dd_complex *)permi_pool_get(&pool, (size_t)n, sizeof *room);
  double *moduli = (double *)permi_pool_get(&pool, entries, sizeof *moduli);
  int *row = (int *)permi_pool_get(&pool, (size_t)n, sizeof *row);
  int *column = (int *)permi_pool_get(&pool, (size_t)n, sizeof *column);
  permi_number number = permi_number_one(), below = permi_number_one();
  double growth;
  int odd;
  if (pool.failed) {
    permi_pool_release(&pool);
    return PERM_ERROR_MEMORY;
  }
  const int lossy = permi_cauchy_fill(nodes, m, &number, &below, watch);
  for (size_t i = 0; i < entries; i++)
    moduli[i] = permi_dd_complex_modulus(m[i]);
  const int regular = permi_eliminate(m, n, row, column, &odd, watch);
  *condition = growth = (double)INFINITY;
  if (regular) {
    growth = permi_cauchy_condition(m, moduli, n, row, column, room, condition, watch);
    for (size_t i = 0; i < (size_t)n; i++)
      permi_number_times(&number, m[row[i] * n + column[i]]);
  }
  permi_number_normalise(&below);
  const permi_dd_complex q = {below.value, below.imaginary};
  permi_number_times(&number, permi_dd_complex_reciprocal(q));
  number.exp2 -= below.exp2;
  if ((odd + n * (n - 1) / 2) & 1) { /* the gaps of y are taken as y_j - y_i */
    number.value = permi_dd_negate(number.value);
    number.imaginary = permi_dd_negate(number.imaginary);
  }
  number.error = (double)INFINITY;
  permi_number_normalise(&number);
  number.estimate = regular && !lossy ? (4.0 * n * growth + 8.0 * n * n + 8) * PERMI_DD_UNIT *
                                            permi_modulus(number.value.hi, number.imaginary.hi) : (double)INFINITY;
  permi_pool_release(&pool);
  *value = number;
  return watch->stopped;
}

static perm_status permi_cauchy_metered(const permi_nodes *nodes, const perm_options *options, double *condition,
                                        perm_result *result)
{
  permi_control watch = permi_control_begin(options);
  const int n = nodes->n;
  double here = 0;
  permi_number number = permi_number_one();
  if (!result)
    return PERM_ERROR_NULL;
  permi_result_clear(result);
  if (condition)
    *condition = (double)NAN;
  perm_status status = permi_cauchy_check(nodes, options, result);
  if (status != PERM_OK)
    return status;
  watch.activity = "eliminating";
  status = n ? permi_cauchy_number(nodes, &watch, &number, &here) : PERM_OK;
  if (status != PERM_OK)
    return status < 0 ? permi_fail_memory(result) : permi_fail_stopped(&watch, result);
  permi_number_result(&number, result);
  permi_result_by(result, nodes->parts, n ? PERM_METHOD_BORCHARDT : PERM_METHOD_STRUCTURE, PERM_PRECISION_DD,
                  PERM_ISA_PLAIN, (double)n * n * n / 3);
  if (options->method == PERM_METHOD_AUTO && n <= PERM_MAX_N && permi_wants_more(options, result)) {
    perm_result general;
    if (permi_cauchy_general(nodes, options, watch.start, &general) == PERM_OK &&
        permi_relative(options, &general) < permi_relative(options, result))
      *result = general;
  }
  if (condition)
    *condition = here;
  result->seconds = permi_seconds() - watch.start;
  return permi_judge(options, result);
}

static perm_status permi_cauchy(int n, const double *x, const double *y, int parts, const perm_options *options_given,
                                double *condition, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, 16.0 * parts * fmax(n, 0));
  const permi_nodes nodes = {n, parts, {x, y}};
  perm_status status = permi_cauchy_metered(&nodes, options, condition, result);
  return permi_kind(permi_meter_end(&call, status, result), parts, options_given, result);
}

PERM_MORE_API perm_status perm_compute_cauchy_real(int n, const double *x, const double *y, const perm_options *options,
                                                   double *condition, perm_result *result)
{
  return permi_cauchy(n, x, y, 1, options, condition, result);
}

PERM_MORE_API perm_status perm_compute_cauchy_complex(int n, const double *x, const double *y,
                                                      const perm_options *options, double *condition,
                                                      perm_result *result)
{
  return permi_cauchy(n, x, y, 2, options, condition, result);
}

/* ========================================================================================== >>lanes
   Inputs of the vector kernels of >>polynomial and >>amplitudes. */

/* A polynomial modulo a prime below 2^50; residues have either sign and at most half of it. */
#define PERMI_PROOF_POINTS 24 /* evaluated at once: three AVX-512 vectors */
#define PERMI_PROOF_INNER 5   /* columns in the table */
typedef struct permi_polynomial {
  int n, signs;         /* columns whose signs are polynomials */
  int settings, outer;  /* settings of the table, a multiple of 4; columns beside it */
  double prime, inverse;
  const double *entry;  /* [row][signs] */
  const double *weight; /* [2^signs]: Lagrange's */
  const double *parity; /* [2^signs]: +-1 */
  const double *table;  /* [settings / 4][row][4]: sums over the table's columns */
  const double *sign;   /* [settings]: theirs, or 0 */
  const double *start;  /* [row]: the other columns, all + */
  const double *step;   /* [outer][row]: twice a column */
} permi_polynomial;
/* value[PERMI_PROOF_POINTS]: P at first, first + 1, ... */
typedef void (*permi_polynomial_run)(const permi_polynomial *polynomial, uint64_t first, double *workspace,
                                     double *value);

/* Back through a program: >>derive_hybrid. */
typedef struct permi_back_family {
  void (*back[2])(const permi_hybrid *hybrid, double *values, double *bars, unsigned turned, double minus);
  void (*sums)(const permi_hybrid *hybrid, int algebra, int i, int lines, double *values);
  void (*row)(double *bars, int slot, int end, double *each, double *sum, const unsigned char *column, uint64_t gray,
              double *entry);
} permi_back_family;

/* A block of amplitudes: those of (s_1 .. s_g) with one sum, next to each other. Sources add c from[state - below];
   within the block pairs of states have `width` sources in the block with a photon less, filled up with zeros. */
typedef struct permi_amplitude_source {
  ptrdiff_t below;
  int mode, photons;
  double c[2];
} permi_amplitude_source;
typedef struct permi_amplitude_block {
  int states, width;
  int32_t *at;            /* [pair][width][2] */
  double *c;              /* [pair][width][8]: Re c, Re c of both, Im c, Im c of both */
  const double *from;     /* the layer before */
  ptrdiff_t place, lower; /* of the block, and of the one with a photon less */
  const permi_amplitude_source *source;
  int sources;
  double *room, *to;      /* room: for the block and a vector; to: may be it, or `from` at the block */
} permi_amplitude_block;

#define PERMI_FAMILY_TEXT PERM_MORE_HEADER_FILE
#define PERMI_FAMILY
#include PERM_HEADER_FILE
#undef PERMI_FAMILY_TEXT

PERMI_BRIEF_BEGIN

/* ====================================================================================== >>polynomial
   The polynomial that proves a permanent (R. Williams, CCC 2016, 2; A. Bjorklund, P. Kaski, PODC 2016), of Glynn's sum.
   h = n / 2, N = 2^h. D_j and S have degree N - 1; at t = 0 .. N - 1 D_j(t), j < h, is -1 where bit j of t is set, else
   1, and S(t) their product. Modulo a prime p, with i = a root of -1,

       P(t) = S(t) sum_v sign(v) prod_i (sum_{j < h} a_ij D_j(t) + a_ih + sum_{j > h} v_j a_ij),  v all signs,

   has degree d = (n + 1)(N - 1) at most, so its values at 0 .. d fix it, and P(0) + .. + P(N - 1) = 2^(n-1) per(a).
   A chunk is PERMI_PROOF_POINTS values; a prime takes (n + 1) N n 2^(n-h-1) products. */

#define PERMI_PROOF_MAX_N 44      /* 1.7e16 products and 1.5 GB a prime */

#define PERMI_RATE_PROOF 2e7           /* products modulo a prime, by kernel family: Zen 4 */
#define PERMI_RATE_PROOF_AVX2 2.5e9
#define PERMI_RATE_PROOF_AVX512 5e9
#define PERMI_PROOF_PRIME_BITS 50
#define PERMI_PROOF_PRIMES 64     /* 62 for order 44 of 63-bit Gaussian entries */
#define PERMI_PROOF_LEAF (3 * PERM_SUM_WORDS) /* values: a residue in each word of a partial */
#define PERMI_PROOF_SYNDROMES 8   /* extra values, for >>proof_check */

typedef struct permi_proof permi_proof;
typedef struct permi_proof_leaf {
  const permi_proof *proof;
  const permi_polynomial *polynomial;
  uint64_t first, end; /* its points */
} permi_proof_leaf;

struct permi_proof {
  permi_owned owned;
  int n, parts, primes, signs;
  int runs;             /* polynomials: a prime, or a prime and a root of -1 */
  int leaves;           /* of each */
  uint64_t values;      /* d + 1; PERMI_PROOF_SYNDROMES more are evaluated */
  uint64_t fingerprint; /* of the matrix */
  permi_odd_modulus prime[PERMI_PROOF_PRIMES];
  uint64_t root[PERMI_PROOF_PRIMES]; /* of -1, the lesser */
  uint64_t *residue;                 /* [run][row][column]: the matrix */
  permi_polynomial *polynomial;
  permi_proof_leaf *leaf;
  permi_polynomial_run run;
};

/* Returns log2 of a bound, from sums of rows or columns. */
static double permi_proof_bits(const permi_problem *problem)
{
  const int n = problem->n, parts = problem->parts;
  double bits[2] = {0, 0};
  for (int by = 0; by < 2; by++)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++)
        for (int part = 0; part < parts; part++)
          sum += fabs((double)problem->integer[((by ? j : i) * problem->ld + (by ? i : j)) * parts + part]);
      bits[by] += sum > 0 ? log2(sum) : 0;
    }
  return fmin(bits[0], bits[1]);
}

static double permi_balanced(uint64_t x, uint64_t p)
{
  return x > p / 2 ? -(double)(p - x) : (double)x;
}

/* weight[s] := (-1)^(N-1-s) / (s! (N-1-s)!), Lagrange's factor of 1 / (t - s). inverse: N words. */
static void permi_proof_weights(const permi_odd_modulus *prime, int N, uint64_t *inverse, double *weight)
{
  uint64_t factorial = prime->one;
  for (int s = 2; s < N; s++)
    factorial = permi_montgomery(factorial, permi_montgomery((uint64_t)s, prime->square, prime), prime);
  factorial = permi_prime_inverse(permi_montgomery(factorial, 1, prime), prime);
  for (int s = N - 1; s >= 0; s--) {
    inverse[s] = factorial; /* 2^64 / s! */
    factorial = permi_montgomery(factorial, permi_montgomery((uint64_t)s, prime->square, prime), prime);
  }
  for (int s = 0; s < N; s++) {
    const uint64_t x = permi_montgomery(permi_montgomery(inverse[s], inverse[N - 1 - s], prime), 1, prime);
    weight[s] = ((N - 1 - s) & 1 ? -1 : 1) * permi_balanced(x, prime->p);
  }
}

/* a is the matrix modulo p; *memory moves on. */
static permi_polynomial permi_polynomial_tables(const permi_proof *proof, const uint64_t *a, uint64_t p, int inner,
                                                const double *weight, const double *parity, const double *sign,
                                                double **memory)
{
  const int n = proof->n, signs = proof->signs, outer = n - signs - 1 - inner;
  const int settings = (1 << inner) < 4 ? 4 : 1 << inner;
  double *entry = *memory, *table = entry + n * signs, *start = table + settings * n, *step = start + n;
  for (int i = 0; i < n; i++, a += n) {
    const uint64_t *other = a + signs + 1 + inner;
    uint64_t all = a[signs];
    for (int j = 0; j < signs; j++)
      entry[i * signs + j] = permi_balanced(a[j], p);
    for (int s = 0; s < settings; s++) {
      uint64_t sum = 0;
      for (int j = 0; j < inner; j++)
        sum += s >> j & 1 ? p - a[signs + 1 + j] : a[signs + 1 + j];
      table[(s / 4 * n + i) * 4 + s % 4] = permi_balanced(sum % p, p);
    }
    for (int j = 0; j < outer; j++) {
      all += other[j];
      step[j * n + i] = permi_balanced(2 * other[j] % p, p);
    }
    start[i] = permi_balanced(all % p, p);
  }
  const permi_polynomial made = {n, signs, settings, outer, (double)p, 1 / (double)p, entry, weight, parity, table,
                                 sign, start, step};
  *memory = step + outer * n;
  return made;
}

/* Returns 0 without memory, or stopped. work: N words. */
static int permi_proof_tables(permi_proof *proof, const permi_problem *problem, uint64_t *work, permi_control *watch)
{
  const int n = proof->n, N = 1 << proof->signs, rest = n - proof->signs - 1;
  const int inner = rest < PERMI_PROOF_INNER ? rest : PERMI_PROOF_INNER, settings = (1 << inner) < 4 ? 4 : 1 << inner;
  const size_t each = (size_t)(n * (proof->signs + settings + 1 + (rest - inner)));
  const size_t doubles = (size_t)N * (size_t)(1 + proof->primes) + (size_t)settings + each * (size_t)proof->runs;
  permi_pool *pool = &proof->owned.pool;
  double *parity = (double *)permi_pool_get(pool, doubles, sizeof *parity);
  uint64_t *a = (uint64_t *)permi_pool_get(pool, (size_t)(n * n) * (size_t)proof->runs, sizeof *a);
  if (pool->failed)
    return 0;
  proof->residue = a;
  double *sign = parity + N, *weight = sign + settings, *next = weight + (size_t)N * (size_t)proof->primes;
  for (int s = 0; s < N; s++)
    parity[s] = s == 0 ? 1 : s & 1 ? -parity[s >> 1] : parity[s >> 1];
  for (int s = 0; s < settings; s++)
    sign[s] = s < 1 << inner ? permi_parity_signs[s] : 0;
  for (int r = 0; r < proof->runs && !permi_watch(watch, 20.0 * N); r++, a += n * n) {
    const int k = r / proof->parts;
    const permi_odd_modulus *prime = &proof->prime[k];
    const uint64_t p = prime->p, root = r % proof->parts ? p - proof->root[k] : proof->root[k];
    double *const own = weight + (size_t)N * (size_t)k;
    if (r % proof->parts == 0)
      permi_proof_weights(prime, N, work, own);
    for (int i = 0; i < n * n; i++) { /* modulo the prime, with i = root */
      const int64_t *x = problem->integer + (i / n * problem->ld + i % n) * problem->parts;
      a[i] = permi_residue_of(x[0], p);
      if (problem->parts == 2)
        a[i] = permi_residue_add(a[i], permi_residue_multiply(permi_residue_of(x[1], p), root, p), 0, p);
    }
    proof->polynomial[r] = permi_polynomial_tables(proof, a, p, inner, own, parity, sign, &next);
  }
  return watch->stopped == PERM_OK;
}

static uint64_t *permi_proof_word(perm_partial *partial, uint64_t k)
{
  perm_sum *const sum[3] = {&partial->value, &partial->imaginary, &partial->absolute};
  return &sum[k / PERM_SUM_WORDS]->word[k % PERM_SUM_WORDS];
}

/* Each value has a word of its own, so partials merge without carries. */
static void permi_proof_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_proof_leaf *own = (const permi_proof_leaf *)leaf->context;
  double value[PERMI_PROOF_POINTS];
  uint64_t k, at = chunk * PERMI_PROOF_POINTS;
  own->proof->run(own->polynomial, own->first + at, (double *)workspace, value);
  for (k = 0; k < PERMI_PROOF_POINTS && own->first + at + k < own->end; k++)
    *permi_proof_word(partial, at + k) += (uint64_t)value[k];
  partial->terms += leaf->information.work / (double)own->proof->n / (double)leaf->information.chunks;
}

/* ====================================================================================== >>proof_check
   Values are checked in integers, apart from the kernels. The job evaluates PERMI_PROOF_SYNDROMES values more than a
   polynomial P of degree d needs. With D + 1 values y in all,

       S_k = sum_t (-1)^(D-t) C(D, t) t^k y_t,  k < D - d,

   vanishes if y is such a polynomial: it is a divided difference of order D of t^k P. 1. Up to D - d wrong values are
   always seen; more, unless they form a polynomial, except with probability p^-(D-d). 2. The place of a single one is
   S_1 / S_0. 3. If there are more, a random value of each range is computed again. 4. Another polynomial agrees with P
   at a random point with probability d / p. Random numbers derive from all values, which faults, other than forgers, do
   not foresee. */

#define PERMI_PROOF_SAMPLES 4 /* values of each polynomial of a merged file */

static uint64_t permi_proof_listed(const permi_proof *proof, const perm_partial *partials, int run, uint64_t t)
{
  const uint64_t leaf = (uint64_t)run * (uint64_t)proof->leaves + t / PERMI_PROOF_LEAF;
  return *permi_proof_word((perm_partial *)(uintptr_t)&partials[leaf], t % PERMI_PROOF_LEAF);
}

/* Sets D_j and S at t, times 2^64; weight has N words. */
static void permi_proof_signs(const permi_odd_modulus *prime, int signs, uint64_t t, uint64_t *weight, uint64_t *d)
{
  const uint64_t p = prime->p, last = (UINT64_C(1) << signs) - 1;
  uint64_t less = permi_montgomery(t, prime->square, prime), other = permi_montgomery(last, prime->square, prime);
  uint64_t x = prime->one, factorial = x, s;
  memset(d, 0, (size_t)(signs + 1) * sizeof *d);
  for (s = 0; s <= last; s++) { /* +-prod_{r != s} (t - r) / (s! (last - s)!): those below s, */
    weight[s] = x;
    x = permi_montgomery(x, permi_montgomery(less, other, prime), prime);
    less = permi_residue_add(less, prime->one, 1, p);
    other = permi_residue_add(other, prime->one, 1, p);
  }
  for (s = last, x = other = prime->one; s > 0; s--) { /* those above, and last!^2 below both */
    other = permi_montgomery(s, prime->square, prime);
    less = permi_residue_add(less, prime->one, 0, p);
    weight[s] = permi_montgomery(weight[s], x, prime);
    x = permi_montgomery(x, permi_montgomery(less, other, prime), prime);
    factorial = permi_montgomery(factorial, other, prime);
  }
  weight[0] = permi_montgomery(weight[0], x, prime);
  factorial = permi_montgomery(permi_montgomery(factorial, factorial, prime), 1, prime);
  factorial = permi_prime_inverse(factorial, prime);
  for (s = 0; s <= last; s++) {
    int odd = 0;
    x = permi_montgomery(weight[s], factorial, prime);
    x = (last - s) & 1 ? permi_residue_add(0, x, 1, p) : x;
    for (int j = 0; j < signs; odd ^= (int)(s >> j++ & 1))
      d[j] = permi_residue_add(d[j], x, (int)(s >> j & 1), p);
    d[signs] = permi_residue_add(d[signs], x, odd, p);
  }
}

typedef struct permi_proof_room {
  uint64_t *weight; /* N words */
  permi_control *watch; /* or NULL; a stopped value says nothing */
} permi_proof_room;

static uint64_t permi_proof_formula(const permi_proof *proof, int run, uint64_t t, const permi_proof_room *room)
{
  const permi_odd_modulus *prime = &proof->prime[run / proof->parts];
  const uint64_t p = prime->p, *a = proof->residue + (size_t)run * (size_t)(proof->n * proof->n), *step;
  const int n = proof->n, signs = proof->signs;
  uint64_t d[PERMI_PROOF_MAX_N], sum[PERMI_PROOF_MAX_N], total = 0, gray = 0;
  int i, j;
  permi_proof_signs(prime, signs, t, room->weight, d);
  for (i = 0; i < n; i++) /* sums times 2^64, of entries as they are */
    for (sum[i] = 0, j = 0; j < n; j++) {
      const uint64_t x = permi_montgomery(a[i * n + j], j < signs ? d[j] : prime->one, prime);
      sum[i] = permi_residue_add(sum[i], permi_montgomery(x, prime->square, prime), 0, p);
    }
  while (!permi_watch(room->watch, 4.0 * n)) {
    uint64_t product[2] = {prime->one, prime->one}; /* two chains at once */
    for (i = 0; i < n; i++)
      product[i & 1] = permi_montgomery(product[i & 1], sum[i], prime);
    total = permi_residue_add(total, permi_montgomery(product[0], product[1], prime), (int)(gray & 1), p);
    if (++gray >> (n - signs - 1))
      break;
    j = permi_trailing_zeros(gray);
    for (i = 0, step = a + signs + 1 + j; i < n; i++, step += n) {
      const uint64_t x = permi_montgomery(permi_residue_add(*step, *step, 0, p), prime->square, prime);
      sum[i] = permi_residue_add(sum[i], x, (int)((gray ^ gray >> 1) >> j & 1), p);
    }
  }
  return permi_montgomery(permi_montgomery(total, d[signs], prime), 1, prime);
}

typedef struct permi_proof_look {
  uint64_t syndrome[PERMI_PROOF_SYNDROMES];
  uint64_t seed;
  int outside; /* 1: a value is not below its modulus */
  int other;   /* 1: the values disagree with P at a random point */
} permi_proof_look;

static permi_proof_look permi_proof_look_at(const permi_proof *proof, const perm_partial *partials, int run,
                                            const permi_proof_room *room)
{
  const permi_odd_modulus *prime = &proof->prime[run / proof->parts];
  const uint64_t p = prime->p, one = prime->one, last = proof->values - 1, all = last + PERMI_PROOF_SYNDROMES;
  uint64_t t, times = 0, rest = permi_montgomery(all, prime->square, prime), binomial = one; /* times 2^64 */
  uint64_t left = permi_montgomery(last, prime->square, prime), less, before = one, factorial = one;
  uint64_t at = 0, point; /* d!^2 P(point), by Lagrange as in examples/perm_verify.c */
  permi_proof_look look;
  memset(&look, 0, sizeof look);
  look.seed = PERMI_HASH_START;
  for (t = 0; t <= all && !permi_watch(room->watch, 5); t++)
    look.seed = permi_hash(look.seed, permi_proof_listed(proof, partials, run, t));
  point = (look.seed >> 12) % p;
  less = permi_montgomery(point, prime->square, prime);
  for (t = 0; t <= all && !permi_watch(room->watch, 60); t++) {
    uint64_t y = permi_proof_listed(proof, partials, run, t), x;
    look.outside |= y >= p;
    y %= p;
    x = permi_montgomery((all - t) & 1 ? permi_residue_add(0, y, 1, p) : y, binomial, prime);
    for (int k = 0; k < PERMI_PROOF_SYNDROMES; k++) { /* D! times the sum, without a division */
      look.syndrome[k] = permi_residue_add(permi_montgomery(look.syndrome[k], times, prime), x, 0, p);
      x = permi_montgomery(x, times, prime);
    }
    binomial = permi_montgomery(binomial, rest, prime);
    if (t <= last) {
      factorial = t ? permi_montgomery(factorial, times, prime) : factorial;
      x = permi_montgomery((last - t) & 1 ? permi_residue_add(0, y, 1, p) : y, before, prime);
      at = permi_residue_add(permi_montgomery(at, permi_montgomery(less, times, prime), prime), x, 0, p);
      before = permi_montgomery(before, permi_montgomery(less, left, prime), prime);
      left = permi_residue_add(left, one, 1, p);
      less = permi_residue_add(less, one, 1, p);
    }
    times = permi_residue_add(times, one, 0, p);
    rest = permi_residue_add(rest, one, 1, p);
  }
  factorial = permi_montgomery(factorial, factorial, prime);
  look.other = permi_montgomery(permi_proof_formula(proof, run, point, room), factorial, prime) != at;
  return look;
}

/* Returns the place of the only wrong value, where S_k = t^k S_0, or -1. */
static int64_t permi_proof_single(const permi_proof *proof, const perm_partial *partials, int run,
                                  const permi_proof_look *look, const permi_proof_room *room)
{
  const permi_odd_modulus *prime = &proof->prime[run / proof->parts];
  int k, found = 1;
  if (look->outside || !look->syndrome[0])
    return -1;
  const uint64_t t = permi_montgomery(look->syndrome[1], permi_prime_inverse(look->syndrome[0], prime), prime);
  for (k = 1; k < PERMI_PROOF_SYNDROMES; k++)
    found &= permi_residue_multiply(look->syndrome[k - 1], t, prime->p) == look->syndrome[k];
  return found && t < proof->values + PERMI_PROOF_SYNDROMES &&
                 permi_proof_formula(proof, run, t, room) != permi_proof_listed(proof, partials, run, t) &&
                 !permi_watch(room->watch, 0)
             ? (int64_t)t
             : -1;
}

static void permi_state_strike(perm_state *state, int leaf)
{
  if (!state)
    return;
  memset(&state->partial[leaf], 0, sizeof state->partial[leaf]);
  state->finished[leaf].count = 0;
}

/* Returns 1 if a random value of a leaf is wrong, or one is not below its modulus. */
static int permi_proof_range_wrong(const permi_proof *proof, const perm_partial *partials, int index, uint64_t seed,
                                   const permi_proof_room *room)
{
  const permi_proof_leaf *leaf = &proof->leaf[index];
  const int run = index / proof->leaves;
  for (uint64_t t = leaf->first; t < leaf->end; t++)
    if (permi_proof_listed(proof, partials, run, t) >= proof->prime[run / proof->parts].p)
      return 1;
  const uint64_t t = leaf->first + permi_hash(seed, (uint64_t)index) % (leaf->end - leaf->first);
  return permi_proof_formula(proof, run, t, room) != permi_proof_listed(proof, partials, run, t) &&
         !permi_watch(room->watch, 0);
}

/* Strikes leaves with wrong values out of `strike` unless NULL; text: the first place. Returns how many places. */
static int permi_proof_locate(const permi_proof *proof, const perm_partial *partials, int run,
                              const permi_proof_look *look, const permi_proof_room *room, perm_state *strike,
                              char text[64])
{
  const int64_t single = permi_proof_single(proof, partials, run, look, room);
  const int first = run * proof->leaves;
  int places = 0, k;
  if (single >= 0) {
    permi_state_strike(strike, first + (int)(single / PERMI_PROOF_LEAF));
    snprintf(text, 64, "value %lld", (long long)single);
    return 1;
  }
  for (k = first; k < first + proof->leaves && !permi_watch(room->watch, 0); k++)
    if (permi_proof_range_wrong(proof, partials, k, look->seed, room)) {
      const permi_proof_leaf *leaf = &proof->leaf[k];
      if (!places++)
        snprintf(text, 64, "values %llu to %llu", (unsigned long long)leaf->first, (unsigned long long)leaf->end - 1);
      permi_state_strike(strike, k);
    }
  if (places)
    return places;
  snprintf(text, 64, "some of all values"); /* few in many ranges */
  for (k = first; k < first + proof->leaves && strike && !permi_watch(room->watch, 0); k++)
    permi_state_strike(strike, k);
  return 1;
}

static uint64_t *permi_proof_weights_room(const permi_proof *proof, const perm_allocator *allocator)
{
  return (uint64_t *)permi_allocate(allocator, (size_t)1 << proof->signs, sizeof(uint64_t));
}

static perm_status permi_proof_check(const perm_job *job, const perm_partial *partials, perm_state *strike,
                                     permi_control *watch, perm_result *result)
{
  const permi_proof *proof = (const permi_proof *)job->context;
  const permi_proof_room room = {permi_proof_weights_room(proof, &job->allocator), watch};
  uint64_t p = 0;
  char text[64], more[64] = "";
  int places = 0;
  if (!room.weight)
    return permi_fail_memory(result);
  if (watch)
    watch->activity = "checking the proof";
  for (int run = 0; run < proof->runs && !permi_watch(watch, 0); run++) {
    const permi_proof_look look = permi_proof_look_at(proof, partials, run, &room);
    int wrong = look.outside || look.other;
    char other[64];
    for (int k = 0; k < PERMI_PROOF_SYNDROMES; k++)
      wrong |= look.syndrome[k] != 0;
    if (!wrong || permi_watch(watch, 0))
      continue;
    if (!places)
      p = proof->prime[run / proof->parts].p;
    places += permi_proof_locate(proof, partials, run, &look, &room, strike, places ? other : text);
  }
  permi_release(&job->allocator, room.weight);
  if (permi_watch(watch, 0))
    return permi_fail_stopped(watch, result);
  if (!places)
    return PERM_OK;
  if (places > 1)
    snprintf(more, sizeof more, ", and %d places more", places - 1);
  return permi_fail(result, PERM_ERROR_STATE, 0,
                    "proof: %s modulo %llu %s wrong%s: a processor computed falsely, or memory or a file was damaged; "
                    "another call computes them again",
                    text, (unsigned long long)p, strncmp(text, "value ", 6) ? "are" : "is", more);
}

static perm_status permi_proof_sample(const perm_job *job, const perm_state *state, permi_control *watch,
                                      perm_result *result)
{
  const permi_proof *proof = (const permi_proof *)job->context;
  const permi_proof_room room = {permi_proof_weights_room(proof, &job->allocator), watch};
  uint64_t seed = PERMI_HASH_START;
  int run, k, i, wrong = 0;
  if (!room.weight)
    return permi_fail_memory(result);
  watch->activity = "checking a part of the proof";
  for (run = 0; run < proof->runs && !wrong; run++)
    for (k = 0; k < PERMI_PROOF_SAMPLES && !wrong; k++) {
      seed = permi_hash(seed, (uint64_t)k);
      for (i = 0; i < proof->leaves && !wrong; i++) {
        const int index = run * proof->leaves + (int)((seed + (uint64_t)i) % (uint64_t)proof->leaves);
        const permi_intervals *done = &state->finished[index];
        const permi_proof_leaf *leaf = &proof->leaf[index];
        if (!done->count)
          continue;
        seed = permi_hash(seed, state->partial[index].value.word[0]);
        uint64_t t = leaf->first + done->list[0].begin * PERMI_PROOF_POINTS;
        const uint64_t end = leaf->first + done->list[0].end * PERMI_PROOF_POINTS;
        t += seed % ((end < leaf->end ? end : leaf->end) - t);
        wrong = permi_proof_formula(proof, run, t, &room) != permi_proof_listed(proof, state->partial, run, t);
        if (wrong)
          permi_fail(result, PERM_ERROR_STATE, 0, "value %llu modulo %llu is wrong: trust no other of it either",
                     (unsigned long long)t, (unsigned long long)proof->prime[run / proof->parts].p);
        break;
      }
    }
  permi_release(&job->allocator, room.weight);
  if (permi_watch(watch, 0))
    return permi_fail_stopped(watch, result);
  watch->activity = NULL;
  return wrong ? PERM_ERROR_STATE : PERM_OK;
}

/* =========================================================================================== >>sweep
   Runs jobs of leaves that are many and alike: each thread takes whole ones. */

typedef struct permi_sweep {
  const perm_job *job;
  const perm_state *state;
  permi_control *control;
  uint64_t first;
  void *memory;
  perm_partial *done; /* of leaves first, first + 1, ... */
} permi_sweep;

#define PERMI_SWEEP_LEAVES 64 /* a thread, before threads wait for one another */

static perm_status permi_sweep_leaf(void *context, uint64_t part, int thread)
{
  const permi_sweep *sweep = (const permi_sweep *)context;
  const permi_leaf *leaf = &sweep->job->leaf[part];
  const double before = (double)(part - sweep->first) * leaf->information.seconds;
  perm_partial *done = &sweep->done[part - sweep->first];
  void *workspace = permi_workspace_of(leaf, sweep->memory, thread);
  perm_status status = PERM_OK;
  permi_interval range;
  if (!permi_leaf_left(sweep->job, sweep->state, sweep->control->options, (int)part, 0, &range))
    return PERM_OK;
  for (uint64_t chunk = range.begin; chunk < range.end && status == PERM_OK; chunk++) {
    permi_leaf_run(leaf, chunk, chunk + 1, workspace, NULL, done);
    if (!thread)
      status = permi_control_poll_range(sweep->control, before, "summing");
  }
  return status;
}

static perm_status permi_run_sweep(const perm_job *job, perm_state *state, int first, permi_control *control,
                                   int threads, perm_result *result)
{
  const int room = PERMI_SWEEP_LEAVES * threads;
  const int count = job->leaves - first < room ? job->leaves - first : room;
  perm_status status = PERM_ERROR_MEMORY, added = PERM_OK;
  permi_interval range;
  permi_sweep sweep = {job, state, control, (uint64_t)first, NULL, NULL};
  sweep.done = (perm_partial *)permi_allocate_zeros(&job->allocator, (size_t)count, sizeof *sweep.done);
  if (permi_workspace_make(&job->allocator, &job->leaf[first], threads, &sweep.memory) && sweep.done) {
    status = permi_share(threads, sweep.first, sweep.first + (uint64_t)count, permi_sweep_leaf, &sweep, NULL);
    for (int k = 0; k < count && added == PERM_OK; k++)
      if (sweep.done[k].chunks && permi_leaf_left(job, state, control->options, first + k, 0, &range)) {
        const perm_leaf *leaf = &job->leaf[first + k].information;
        added = permi_state_put(state, first + k, range.begin, range.begin + sweep.done[k].chunks, &sweep.done[k],
                                result);
        control->work_before += leaf->seconds / (double)leaf->chunks * (double)sweep.done[k].chunks;
      }
  }
  permi_release(&job->allocator, sweep.memory);
  permi_release(&job->allocator, sweep.done);
  if (added != PERM_OK)
    snprintf(control->message, sizeof control->message, "%s", result->message);
  return added != PERM_OK ? added : status;
}

/* =========================================================================================== >>proof
   The job that evaluates >>polynomial, and the file (format: docs/proofs.md), which examples/perm_verify.c checks
   without this library. */

#define PERMI_PROOF_MAGIC "\211PROOF\r\n"
#define PERMI_PROOF_HEAD 48

static void permi_proof_leaf_release(const perm_allocator *allocator, void *context)
{
  (void)allocator, (void)context; /* the job has them all */
}

static size_t permi_proof_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_proof_leaf *own = (const permi_proof_leaf *)leaf->context;
  const permi_proof *proof = own->proof;
  const double leaves = (double)proof->values / (double)(own->end - own->first) * proof->runs;
  if (own != proof->leaf) /* one line says it for all */
    return permi_say(buffer, size, "%s", "");
  return permi_say(buffer, size,
                   "proof, n = %d: %s kernel%s, %d prime%s, polynomials of %llu values, a file of %.3g MB; %.3g "
                   "products, %.3g s\n",
                   proof->n, perm_name("isa", leaf->information.isa), proof->parts == 2 ? " (complex)" : "",
                   proof->primes, proof->primes == 1 ? "" : "s", (unsigned long long)proof->values,
                   8e-6 * (double)proof->values * proof->runs,
                   leaf->information.work * leaves, leaf->information.seconds * leaves);
}

static void permi_proof_residue(const permi_proof *proof, int k, const perm_partial *partials, uint64_t *real,
                                uint64_t *imaginary)
{
  const permi_odd_modulus *prime = &proof->prime[k];
  const uint64_t N = UINT64_C(1) << proof->signs;
  uint64_t value[2] = {0, 0}, power = prime->one;
  for (int i = 1; i < proof->n; i++)
    power = permi_residue_add(power, power, 0, prime->p);
  power = permi_prime_inverse(permi_montgomery(power, 1, prime), prime);
  for (int r = 0; r < proof->parts; r++) {
    for (uint64_t at = 0; at < N; at++)
      value[r] = permi_residue_add(value[r], permi_proof_listed(proof, partials, k * proof->parts + r, at), 0,
                                   prime->p);
    value[r] = permi_montgomery(value[r], power, prime);
  }
  *real = value[0];
  if (proof->parts == 2)
    permi_residue_parts(value, proof->root[k], prime, real, imaginary);
}

static perm_status permi_proof_value(const perm_job *job, const perm_partial *partials, permi_number *number)
{
  const permi_proof *proof = (const permi_proof *)job->context;
  uint64_t residue[2][PERMI_PROOF_PRIMES], word[2 * (PERMI_PROOF_PRIMES + 1)];
  perm_status status = PERM_OK;
  perm_sum sum;
  for (int k = 0; k < proof->primes; k++)
    permi_proof_residue(proof, k, partials, &residue[0][k], &residue[1][k]);
  *number = permi_number_one();
  for (int i = 0; i < proof->parts && status == PERM_OK; i++) {
    memset(&sum, 0, sizeof sum);
    status = permi_residues_sum(proof->prime, residue[i], proof->primes, job->modulus, word, &sum);
    if (status == PERM_OK && !permi_sum_integer(&sum, i ? &number->imaginary_integer : &number->integer))
      status = PERM_ERROR_OVERFLOW;
  }
  return status;
}

typedef struct permi_proof_file {
  const permi_proof *proof;
  const perm_partial *partials;
} permi_proof_file;

static int permi_proof_words(FILE *stream, const uint64_t *word, int words, uint64_t *hash)
{
  unsigned char bytes[8 * PERM_SUM_WORDS];
  for (int k = 0; k < words; k++) {
    permi_put(bytes + 8 * k, word[k], 8);
    *hash = permi_hash(*hash, word[k]);
  }
  return fwrite(bytes, 8, (size_t)words, stream) == (size_t)words;
}

static int permi_proof_print(FILE *stream, const void *what)
{
  const permi_proof_file *file = (const permi_proof_file *)what;
  const permi_proof *proof = file->proof;
  uint64_t head[PERMI_PROOF_HEAD / 8], hash = PERMI_HASH_START, unused = 0;
  memcpy(head, PERMI_PROOF_MAGIC, 8);
  head[0] = permi_get((const unsigned char *)head, 8);
  head[1] = 1 | (uint64_t)proof->n << 32;
  head[2] = PERMI_PROOF_HEAD + 8 * ((uint64_t)proof->primes + (uint64_t)proof->runs * proof->values + 1);
  head[3] = proof->fingerprint;
  head[4] = (uint64_t)proof->parts | (uint64_t)proof->primes << 32;
  head[5] = proof->values;
  int good = permi_proof_words(stream, head, PERMI_PROOF_HEAD / 8, &hash);
  for (int k = 0; k < proof->primes && good; k++)
    good = permi_proof_words(stream, &proof->prime[k].p, 1, &hash);
  for (int k = 0; k < proof->runs * proof->leaves && good; k++) {
    const permi_proof_leaf *leaf = &proof->leaf[k];
    const uint64_t *word[3] = {file->partials[k].value.word, file->partials[k].imaginary.word,
                               file->partials[k].absolute.word};
    const uint64_t end = leaf->end < proof->values ? leaf->end : proof->values;
    int left = leaf->first < end ? (int)(end - leaf->first) : 0;
    for (int i = 0; i < 3 && left > 0 && good; i++, left -= PERM_SUM_WORDS)
      good = permi_proof_words(stream, word[i], left < PERM_SUM_WORDS ? left : PERM_SUM_WORDS, &hash);
  }
  return good && permi_proof_words(stream, &hash, 1, &unused);
}

/* Only tries if state is NULL. */
static perm_status permi_proof_write(const perm_job *job, const perm_state *state, const char *path,
                                     perm_result *result)
{
  const permi_proof_file file = {(const permi_proof *)job->context, state ? state->partial : NULL};
  const char *failed, *why = permi_file_replace(path, &job->allocator, 1, permi_proof_print,
                                                state ? &file : NULL, &failed);
  if (!why)
    return PERM_OK;
  return failed ? permi_fail(result, PERM_ERROR_FILE, 0, "%s: cannot %s it: %s", path, failed, why)
                : permi_fail_memory(result);
}

/* *rate: products a second. */
static permi_proof *permi_proof_make(const permi_problem *problem, permi_control *watch, double *rate)
{
  static const double rates[3] = {PERMI_RATE_PROOF_AVX512, PERMI_RATE_PROOF_AVX2, PERMI_RATE_PROOF};
  const perm_isa isa = permi_isa(watch->options);
  const perm_allocator *allocator = &watch->options->allocator;
  permi_proof *proof = (permi_proof *)permi_owned_new(allocator, sizeof *proof);
  if (!proof)
    return NULL;
  proof->n = problem->n;
  proof->parts = problem->parts;
  proof->signs = problem->n / 2;
  proof->primes = (int)((permi_proof_bits(problem) + 1.001) / (PERMI_PROOF_PRIME_BITS - 1e-4)) + 1;
  proof->runs = proof->primes * proof->parts;
  proof->values = (uint64_t)(proof->n + 1) * ((UINT64_C(1) << proof->signs) - 1) + 1;
  proof->run = PERMI_OF_FAMILY(permi_polynomial, isa);
  *rate = permi_lanes(isa) == 2 ? PERMI_RATE_PROOF_AVX2 / 2 : rates[permi_lanes_row(isa)];
  proof->leaves = (int)((proof->values + PERMI_PROOF_SYNDROMES + PERMI_PROOF_LEAF - 1) / PERMI_PROOF_LEAF);
  proof->fingerprint = permi_hash(PERMI_HASH_START, (uint64_t)problem->n * 4 + (uint64_t)problem->parts);
  for (int i = 0; i < problem->n; i++)
    for (int j = 0; j < problem->n * problem->parts; j++)
      proof->fingerprint =
          permi_hash(proof->fingerprint, (uint64_t)problem->integer[i * problem->ld * problem->parts + j]);
  permi_primes_choose(proof->prime, (size_t)proof->primes, proof->parts == 2, PERMI_PROOF_PRIME_BITS);
  for (int k = 0; k < proof->primes && proof->parts == 2; k++) {
    const uint64_t root = permi_prime_root(&proof->prime[k]), other = proof->prime[k].p - root;
    proof->root[k] = root < other ? root : other;
  }
  const size_t leaves = (size_t)proof->leaves * (size_t)proof->runs;
  proof->polynomial =
      (permi_polynomial *)permi_pool_get(&proof->owned.pool, (size_t)proof->runs, sizeof *proof->polynomial);
  proof->leaf = (permi_proof_leaf *)permi_pool_get(&proof->owned.pool, leaves, sizeof *proof->leaf);
  uint64_t *work = permi_proof_weights_room(proof, allocator);
  if (!work || !permi_proof_tables(proof, problem, work, watch)) {
    permi_owned_release(allocator, proof);
    proof = NULL;
  }
  permi_release(allocator, work);
  return proof;
}

static int permi_proof_push(perm_job *job, permi_proof *proof, int index, perm_isa isa, double rate)
{
  const uint64_t all = proof->values + PERMI_PROOF_SYNDROMES;
  permi_proof_leaf *own = &proof->leaf[index];
  permi_leaf leaf;
  own->proof = proof;
  own->polynomial = &proof->polynomial[index / proof->leaves];
  own->first = (uint64_t)(index % proof->leaves) * PERMI_PROOF_LEAF;
  own->end = own->first + PERMI_PROOF_LEAF < all ? own->first + PERMI_PROOF_LEAF : all;
  const double work = ldexp((double)proof->n, proof->n - proof->signs - 1) * (double)(own->end - own->first);
  const perm_leaf information = {
      PERM_LEAF_RANGE, PERM_METHOD_EXACT, isa, proof->n,
      (own->end - own->first + PERMI_PROOF_POINTS - 1) / PERMI_PROOF_POINTS, work, work / rate,
      sizeof(perm_partial) + sizeof(permi_intervals) + sizeof leaf + sizeof *own,
      permi_hash(permi_hash(proof->fingerprint, (uint64_t)index),
                 (uint64_t)proof->primes + 256 * PERMI_PROOF_SYNDROMES + 65536 * PERMI_PROOF_LEAF)};
  memset(&leaf, 0, sizeof leaf);
  leaf.information = information;
  leaf.run_chunk = permi_proof_chunk;
  leaf.release = permi_proof_leaf_release;
  leaf.explain = permi_proof_explain;
  leaf.context = own;
  leaf.workspace = ((size_t)(proof->signs + 3 + proof->n) * PERMI_PROOF_POINTS + /* forms, rows; inverses */
                    2 * (((size_t)1 << proof->signs) + PERMI_PROOF_POINTS + 32)) * sizeof(double);
  leaf.integer = 1;
  leaf.scale = permi_dd_make(1);
  return permi_job_push_leaf(job, &leaf);
}

/* Checks all but entries; `argument` is the position of the options, after the path. */
static perm_status permi_proof_refuse(const permi_problem *problem, const char *path, const perm_options *options,
                                      int argument, perm_result *result)
{
  const perm_checkpoint_file *kept = &options->checkpoint;
  if (options->method != PERM_METHOD_AUTO)
    return permi_fail(result, PERM_ERROR_OPTION, argument, "options: proofs go with method auto, not %s",
                      perm_name("method", options->method));
  if (options->precision != PERM_PRECISION_DEFAULT && options->precision != PERM_PRECISION_EXACT)
    return permi_fail(result, PERM_ERROR_OPTION, argument, "options: proofs are exact, so leave precision as it is");
  if (problem->m != problem->n || problem->n < 1 || problem->n > PERMI_PROOF_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "the matrix is %d x %d; proofs are of square ones of order 1 to %d",
                      problem->m, problem->n, PERMI_PROOF_MAX_N);
  if (path && !*path)
    return permi_fail(result, PERM_ERROR_OPTION, argument - 1, "path is an empty name (NULL means no file)");
  for (int i = kept->file ? -1 : 0; path && (i < 0 || (kept->merge && kept->merge[i])); i++)
    if (!strcmp(path, i < 0 ? kept->file : kept->merge[i]))
      return permi_fail(result, PERM_ERROR_OPTION, argument - 1, "the proof would replace the checkpoint %s", path);
  return PERM_OK;
}

static perm_status permi_proof_job(const permi_problem *problem, const char *path, const perm_options *options,
                                   int argument, perm_job **job, perm_result *result)
{
  const double start = permi_seconds();
  permi_control watch = permi_control_begin(options);
  perm_status status = permi_check_options(options, argument, result);
  double rate;
  *job = NULL;
  watch.activity = "planning";
  if (status == PERM_OK)
    status = permi_check_problem(problem, 0, result);
  if (status == PERM_OK)
    status = permi_proof_refuse(problem, path, options, argument, result);
  if (status != PERM_OK)
    return status;
  permi_proof *proof = permi_proof_make(problem, &watch, &rate);
  *job = proof ? permi_job_new(&options->allocator, PERM_PRECISION_EXACT) : NULL;
  if (!*job) {
    permi_owned_release(&options->allocator, proof);
    return watch.stopped == PERM_OK ? permi_fail_memory(result) : permi_fail_stopped(&watch, result);
  }
  (*job)->context = proof;
  (*job)->release = permi_owned_release;
  (*job)->value = permi_proof_value;
  (*job)->sweep = permi_run_sweep;
  (*job)->inspect = permi_proof_check;
  (*job)->sample = permi_proof_sample;
  (*job)->is_complex = proof->parts == 2;
  (*job)->modulus = options->modulus;
  const int leaves = proof->runs * proof->leaves; /* may take a gigabyte: copies while they grow would take long */
  (*job)->leaf = (permi_leaf *)permi_allocate(&options->allocator, (size_t)leaves, sizeof(permi_leaf));
  (*job)->leaf_room = (*job)->leaf ? leaves : 0;
  for (int i = 0; i < leaves; i++)
    if (permi_watch(&watch, 2000) || !permi_proof_push(*job, proof, i, permi_isa(options), rate)) {
      permi_job_replace(job, NULL);
      return watch.stopped == PERM_OK ? permi_fail_memory(result) : permi_fail_stopped(&watch, result);
    }
  (*job)->plan_seconds = permi_seconds() - start;
  return PERM_OK;
}

/* A path that cannot be written is refused before the work. */
static perm_status permi_proof_run(const permi_problem *problem, int argument, const char *path, double start,
                                   const perm_options *options_given, perm_result *result)
{
  perm_options options = *options_given;
  perm_state *state = NULL;
  perm_job *job;
  perm_status status = permi_proof_job(problem, path, &options, argument, &job, result);
  if (status == PERM_OK && path)
    status = permi_proof_write(job, NULL, path, result);
  if (status == PERM_OK && perm_state_create(job, &state) != PERM_OK)
    status = permi_fail_memory(result);
  options.max_seconds = permi_seconds_left(options_given, start);
  if (status == PERM_OK)
    status = options.execute && !options.checkpoint.merge ? options.execute(job, state, &options, result)
                                                          : perm_job_execute(job, state, &options, result);
  if (status == PERM_OK && path)
    status = permi_proof_write(job, state, path, result);
  perm_state_free(state);
  perm_job_free(job);
  result->seconds = permi_seconds() - start;
  return status;
}

static perm_status permi_prove(const permi_problem *problem, const char *path, const perm_options *options_given,
                               perm_result *result)
{
  const double start = permi_seconds();
  permi_metered call;
  if (!result)
    return PERM_ERROR_NULL;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_problem_bytes(problem));
  const perm_status status = permi_proof_run(problem, 6, path, start, options, result);
  return permi_kind(permi_meter_end(&call, status, result), problem->parts, options_given, result);
}

#define PERMI_PROVE(name, reach)                                                                                       \
  PERM_MORE_API perm_status name(int m, int n, const int64_t *a, ptrdiff_t ld, const char *path,                       \
                                 const perm_options *options, perm_result *result)                                     \
  { const permi_problem problem = permi_integers(m, n, a, ld, reach, NULL, NULL);                                      \
    return permi_prove(&problem, path, options, result); }
PERMI_PROVE(perm_prove_integer, &permi_reach_real)
PERMI_PROVE(perm_prove_gaussian, &permi_reach_complex)

PERM_MORE_API perm_status perm_prove_sparse(const perm_matrix *matrix, const char *path,
                                            const perm_options *options_given, perm_result *result)
{
  const double start = permi_seconds();
  const int parts = matrix && matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  permi_metered call;
  permi_problem problem;
  void *entries = NULL;
  if (!result)
    return PERM_ERROR_NULL;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  permi_control watch = permi_control_begin(options);
  perm_status status = permi_check_input(matrix, options, &watch, result);
  if (status == PERM_OK) {
    problem = permi_integers(matrix->m, matrix->n, NULL, matrix->n, permi_reach_of(parts), NULL, NULL);
    status = permi_proof_refuse(&problem, path, options, 3, result);
  }
  if (status == PERM_OK)
    status = permi_check_integers(matrix, &watch, result);
  if (status == PERM_OK)
    status = permi_sparse_array(matrix, &options->allocator, 1, &problem, &entries, result);
  if (status != PERM_OK && result->argument == 2 && !(path && !*path)) /* there the options are argument 2 */
    result->argument = 3;
  if (status == PERM_OK)
    status = permi_proof_run(&problem, 3, path, start, options, result);
  permi_release(&options->allocator, entries);
  return permi_kind(permi_meter_end(&call, status, result), parts, options_given, result);
}

/* ======================================================================================= >>estimate
   Unbiased estimates.
     GLYNN [Gly10, Gur05]: for random signs z the mean of prod z_j prod_i (sum_j a_ij z_j) is the permanent. Lines are
     scaled to sums of squares of about 1, which lessens the spread.
     SINKHORN [Sin64, SB99]: entries >= 0, lines scaled to sum 1. Rows, fewest entries first, draw a free column with
     the chances of their entries; a sample is the product of their sums over free columns. A permutation has the chance
     of its product over that, so the mean is the permanent.
   Sample s is seeded with (seed, s), and blocks are added in order: threads change nothing. */

#define PERMI_BLOCK_SAMPLES 256
#define PERMI_ESTIMATE_SWEEPS 100

/* splitmix64 */
static PERMI_ALWAYS_INLINE uint64_t permi_random(uint64_t *state)
{
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static double permi_random_uniform(uint64_t *state)
{
  return (double)(permi_random(state) >> 11) * (1.0 / 9007199254740992.0);
}

/* The largest sample sets the unit, 2^exp2. */
typedef struct permi_moments {
  double samples, value, imaginary, squares;
  int exp2;
} permi_moments;

typedef struct permi_sampler {
  int n, parts, signs;
  double most; /* log2 of the largest modulus of a sample, or INFINITY */
  uint64_t seed;
  const double *a;
  const int *order; /* of the rows */
  permi_control *watch;
  int *stop;              /* 1 once watch stops; NULL for short blocks */
  uint64_t block;
  double *rooms;          /* n a thread, doubles or ints */
  permi_moments *moments; /* of samples */
} permi_sampler;

/* Returns 1 to stop; `master`, the calling thread, asks `watch` for all. */
static int permi_sample_stop(const permi_sampler *sampler, int master, double units)
{
  int stopping;
  if (!sampler->stop)
    return 0;
  if (master && permi_watch(sampler->watch, units)) {
    PERMI_OMP(atomic write)
    *sampler->stop = 1;
  }
  PERMI_OMP(atomic read)
  stopping = *sampler->stop;
  return stopping;
}

static void permi_moments_raise(permi_moments *moments, int exp2)
{
  const int shift = permi_int_exponent((long long)moments->exp2 - exp2);
  moments->value = ldexp(moments->value, shift);
  moments->imaginary = ldexp(moments->imaginary, shift);
  moments->squares = ldexp(moments->squares, 2 * shift);
  moments->exp2 = exp2;
}

/* Chan, Golub and LeVeque's update. */
static void permi_moments_merge(permi_moments *into, const permi_moments *given)
{
  const double all = into->samples + given->samples, share = given->samples / all;
  permi_moments from = *given;
  if (into->samples == 0)
    into->exp2 = from.exp2;
  else if (into->exp2 < from.exp2)
    permi_moments_raise(into, from.exp2);
  else
    permi_moments_raise(&from, into->exp2);
  const double x = from.value - into->value, y = from.imaginary - into->imaginary;
  into->squares += from.squares + (x * x + y * y) * (into->samples * share);
  into->value += x * share;
  into->imaginary += y * share;
  into->samples = all;
}

/* 0 gets the least unit. */
static void permi_sample_normalise(permi_moments *sample)
{
  double largest = fmax(fabs(sample->value), fabs(sample->imaginary));
  const int e = permi_exponent(largest);
  if (largest > 1e-100 && largest < 1e100)
    return;
  sample->value = ldexp(sample->value, -e);
  sample->imaginary = ldexp(sample->imaginary, -e);
  sample->exp2 = largest == 0 ? INT_MIN / 2 : sample->exp2 + e;
}

static void permi_sample_signs(const permi_sampler *sampler, uint64_t state, int master, double *sign,
                               permi_moments *sample)
{
  const int n = sampler->n, parts = sampler->parts;
  uint64_t bits = 0;
  for (int j = 0; j < n; j++) {
    bits = j % 64 ? bits >> 1 : permi_random(&state);
    sign[j] = bits & 1 ? -1 : 1;
    sample->value *= sign[j];
  }
  for (int i = 0; i < n; i++) {
    const double *row = sampler->a + (size_t)sampler->order[i] * (size_t)(n * parts);
    double re[2] = {0, 0}, im = 0;
    if (parts == 1) {
      for (int j = 0; j + 1 < n; j += 2)
        for (int k = 0; k < 2; k++)
          re[k] += row[j + k] * sign[j + k];
      if (n & 1)
        re[0] += row[n - 1] * sign[n - 1];
      sample->value *= re[0] + re[1];
    } else {
      const double x = sample->value, y = sample->imaginary;
      for (int j = 0; j < n; j++) {
        re[0] += row[2 * j] * sign[j];
        im += row[2 * j + 1] * sign[j];
      }
      sample->value = x * re[0] - y * im;
      sample->imaginary = x * im + y * re[0];
    }
    permi_sample_normalise(sample);
    if ((sample->value == 0 && sample->imaginary == 0) || permi_sample_stop(sampler, master, 0.5 * n * parts))
      return;
  }
}

static void permi_sample_matching(const permi_sampler *sampler, uint64_t state, int master, int *column,
                                  permi_moments *sample)
{
  const int n = sampler->n;
  int i, j, free_columns = n;
  for (j = 0; j < n; j++)
    column[j] = j;
  for (i = 0; i < n && sample->value != 0 && !permi_sample_stop(sampler, master, 1.5 * n); i++) {
    const double *row = sampler->a + (size_t)sampler->order[i] * (size_t)n;
    double sum = 0, at;
    int last = -1;
    for (j = 0; j < free_columns; j++)
      sum += row[column[j]];
    sample->value *= sum;
    at = sum * permi_random_uniform(&state);
    for (j = 0; j < free_columns; j++) {
      const double entry = row[column[j]];
      if (entry > 0) { /* never of chance 0 */
        last = j;
        at -= entry;
        if (at < 0)
          break;
      }
    }
    if (last >= 0)
      column[last] = column[--free_columns];
    permi_sample_normalise(sample);
  }
}

static perm_status permi_sample_one(void *context, uint64_t s, int thread)
{
  const permi_sampler *sampler = (const permi_sampler *)context;
  const uint64_t state = permi_hash(permi_hash(PERMI_HASH_START, sampler->seed),
                                    sampler->block * PERMI_BLOCK_SAMPLES + s);
  double *room = sampler->rooms + (size_t)thread * (size_t)sampler->n;
  permi_moments sample = {1, 1, 0, 0, 0};
  if (permi_sample_stop(sampler, !thread, 0))
    return thread ? PERM_OK : sampler->watch->stopped;
  if (sampler->signs)
    permi_sample_signs(sampler, state, !thread, room, &sample);
  else
    permi_sample_matching(sampler, state, !thread, (int *)(void *)room, &sample);
  sampler->moments[s] = sample;
  return PERM_OK;
}

/* Scales lines by powers of two. Returns 0 if one is zero, -1 if an entry is too small beside others. shift: 2 n. */
static int permi_estimate_copy(const permi_view *view, int n, int parts, int *shift, double *a, long long *exp2,
                               permi_control *watch)
{
  memset(shift, 0, 2 * (size_t)n * sizeof *shift);
  for (int sweep = 0; sweep < 4; sweep++) {
    const int side = sweep & 1, *others = shift + (1 - side) * n;
    const ptrdiff_t line = side ? 1 : view->ld, along = side ? view->ld : 1;
    for (int i = 0; i < n; i++) {
      int largest = INT_MIN;
      if (permi_watch(watch, 8.0 * n * parts))
        return 1;
      for (int j = 0; j < n * parts; j++) {
        const double x = view->a[(i * line + j / parts * along) * view->parts + j % parts];
        const int e = x != 0 ? permi_exponent(x) - others[j / parts] : INT_MIN;
        largest = e > largest ? e : largest;
      }
      if (largest == INT_MIN)
        return 0;
      shift[side * n + i] = largest;
    }
  }
  for (int i = 0; i < n; i++)
    *exp2 += (long long)shift[i] + shift[n + i];
  for (int i = 0; i < n && !permi_watch(watch, 10.0 * n * parts); i++)
    for (int j = 0; j < n * parts; j++, a++) {
      const double x = view->a[((ptrdiff_t)i * view->ld + j / parts) * view->parts + j % parts];
      *a = ldexp(x, -(shift[i] + shift[n + j / parts]));
      if (x != 0 && fabs(*a) < 1e-280)
        return -1;
    }
  return 1;
}

static void permi_number_by(permi_number *a, double x, long long exp2)
{
  permi_number by;
  memset(&by, 0, sizeof by);
  by.value = permi_dd_make(x);
  by.exp2 = exp2;
  permi_number_multiply(a, &by);
}

/* Scales lines until moduli to the power p sum to 1 to `within`; *scale keeps the permanent. */
static void permi_sinkhorn(double *a, int n, int parts, int p, double within, permi_number *scale, permi_control *watch)
{
  for (int sweep = 0; sweep < (within < 1e-3 ? 10 : 1) * PERMI_ESTIMATE_SWEEPS; sweep++) {
    double moved = 0;
    for (int side = 0; side < 2; side++)
      for (int i = 0; i < n; i++) {
        const ptrdiff_t step = side ? (ptrdiff_t)n * parts : parts;
        double *line = a + (side ? (ptrdiff_t)i * parts : (ptrdiff_t)i * n * parts), sum = 0, largest = 0, factor;
        if (permi_watch(watch, 10.0 * n * parts))
          return;
        for (int j = 0; j < n; j++)
          largest = fmax(largest, fmax(fabs(line[j * step]), fabs(line[j * step + parts - 1])));
        for (int j = 0; j < n; j++) {
          double x = line[j * step] / largest, y = parts == 2 ? line[j * step + 1] / largest : 0;
          sum += p == 2 ? x * x + y * y : x;
        }
        factor = largest * (p == 2 ? sqrt(sum) : sum);
        for (int j = 0; j < n; j++)
          for (int k = 0; k < parts; k++)
            line[j * step + k] /= factor;
        permi_number_by(scale, factor, 0);
        moved = fmax(moved, sweep ? fabs(factor - 1) : 1);
      }
    if (moved < within)
      break;
  }
}

/* Rows, fewest entries first; entries has room for n. */
static void permi_estimate_order(const double *a, int n, int parts, int *order, int *entries, permi_control *watch)
{
  for (int i = 0; i < n && !permi_watch(watch, 4.0 * n * parts); i++) {
    int count = 0, k = i;
    for (int j = 0; j < n; j++)
      count += a[(i * n + j) * parts] != 0 || (parts == 2 && a[(i * n + j) * 2 + 1] != 0);
    for (; k > 0 && entries[k - 1] > count; k--) {
      entries[k] = entries[k - 1];
      order[k] = order[k - 1];
    }
    entries[k] = count;
    order[k] = i;
  }
}

/* Bounds log2 of the spectral norm by a root of the Frobenius norm of the Gram matrix' 256th power. Squarings are off
   by gamma_m sqrt(m) each, in all less than the last summand. room: 2 m^2, m = n parts; complex: real, of order 2 n. */
static double permi_estimate_norm(const double *a, int n, int parts, double *room, permi_control *watch)
{
  const int m = n * parts;
  double *from = room, *to = room + (size_t)m * (size_t)m, log2_norm = 0, weight = 0.5;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      const double *entry = a + (size_t)((i % n) * n + j % n) * (size_t)parts;
      from[(size_t)i * (size_t)m + (size_t)j] = i / n == j / n ? entry[0] : i / n ? entry[1] : -entry[1];
    }
  for (int round = 0; round < 9; round++, weight *= 0.5) {
    double sum = 0, *next = to;
    for (int i = 0; i < m && !permi_watch(watch, 0.7 * m * m); i++)
      for (int j = 0; j <= i; j++) { /* columns' products first, then symmetric squares */
        const size_t step = round ? 1 : (size_t)m;
        const double *x = from + (size_t)i * (round ? (size_t)m : 1), *y = from + (size_t)j * (round ? (size_t)m : 1);
        double dot = 0;
        for (int k = 0; k < m; k++)
          dot += x[(size_t)k * step] * y[(size_t)k * step];
        to[(size_t)i * (size_t)m + (size_t)j] = to[(size_t)j * (size_t)m + (size_t)i] = dot;
        sum += dot * dot * (i == j ? 1 : 2);
      }
    sum = sqrt(sum);
    if (!(sum > 1e-150) || watch->stopped != PERM_OK)
      return (double)INFINITY;
    log2_norm += weight * log2(sum);
    for (int i = 0; i < m * m; i++)
      to[i] /= sum;
    to = from;
    from = next;
  }
  return log2_norm + 1e-9;
}

/* The largest sample is at most the product of rows' sums of moduli, and a power of the norm. */
#define PERMI_ESTIMATE_NORM 256 /* chosen: above, the norm takes seconds */
static double permi_estimate_most(const double *a, int n, int parts, double *room, permi_control *watch)
{
  double rows = 0;
  for (int i = 0; i < n && !permi_watch(watch, 5.0 * n * parts); i++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += parts == 2 ? hypot(a[(i * n + j) * 2], a[(i * n + j) * 2 + 1]) : fabs(a[i * n + j]);
    rows += log2(sum * (1 + 2 * n * PERMI_UNIT));
  }
  rows += n * 1e-14;
  return room ? fmin(rows, n * permi_estimate_norm(a, n, parts, room, watch)) : rows;
}

/* `rounding` is that of a mean, relative to samples' root mean square: n products of sums of n
   entries >= 0, divided twice a sweep. Signed sums may cancel, so there it is no bound, but then samples differ by
   more. The k-th of `looks` whether to stop has 1 / (k (k + 1)) of the chance to err. */
static void permi_estimate_value(const permi_sampler *sampler, const permi_moments *moments, const permi_number *scale,
                                 double looks, perm_estimate *estimate)
{
  const double samples = moments->samples, parts = estimate->is_complex ? 2 : 1, most = sampler->most;
  const double rounding = PERMI_UNIT * sampler->n * (sampler->n + 2.0 + 2 * PERMI_ESTIMATE_SWEEPS);
  /* empirical Bernstein [AMS09]: a mean of samples in [-largest, largest] is off by more with chance delta */
  const double delta = (1 - estimate->confidence) / (parts * looks * (looks + 1)), logarithm = log(3 / delta);
  const double variance = moments->squares / samples;
  const double largest = permi_ldexp(exp2(most - floor(most)), (long long)fmin(floor(most), 1e6) - moments->exp2);
  double proved = (sqrt(2 * variance * logarithm / samples) + 6 * largest * logarithm / samples) * sqrt(parts);
  double error = sqrt(moments->squares / (samples - 1) / samples), low = 0, quantile = 40, rounded;
  permi_number number = *scale;
  for (int i = 0; i < 100; i++) { /* of a normal variable: erfc(quantile / sqrt 2) = 1 - confidence */
    const double middle = 0.5 * (low + quantile);
    *(erfc(middle * 0.7071067811865476) > 1 - estimate->confidence ? &low : &quantile) = middle;
  }
  permi_number_normalise(&number);
  number.exp2 += moments->value == 0 && moments->squares == 0 ? 0 : moments->exp2;
  /* equal samples still have rounding */
  error = fmax(error, 64 * PERMI_UNIT * hypot(moments->value, moments->imaginary));
  if (!(error <= DBL_MAX))
    error = (double)INFINITY;
  estimate->value = moments->value * number.value.hi;
  estimate->imaginary = moments->imaginary * number.value.hi;
  estimate->standard_error = error * fabs(number.value.hi);
  estimate->exp2 = number.exp2;
  if (estimate->is_complex) /* a circular normal variable reaches farther */
    quantile = fmax(quantile, sqrt(-log(1 - estimate->confidence)));
  if (error < (double)INFINITY && (estimate->value != 0 || estimate->imaginary != 0)) {
    int e = permi_exponent(fmax(fabs(estimate->value), fabs(estimate->imaginary)));
    if (number.exp2 + e > -900 && number.exp2 + e < 900)
      e = -(int)number.exp2;
    estimate->value = ldexp(estimate->value, -e);
    estimate->imaginary = ldexp(estimate->imaginary, -e);
    estimate->standard_error = ldexp(estimate->standard_error, -e);
    estimate->exp2 += e;
    proved *= ldexp(1, -e);
  }
  proved *= fabs(number.value.hi) * (1 + 1e-9);
  rounded = rounding * (hypot(estimate->value, estimate->imaginary) + sqrt(samples) * estimate->standard_error);
  proved += fmax(1e-9 * hypot(estimate->value, estimate->imaginary), rounded); /* for what samples round */
  estimate->proved_radius = proved <= DBL_MAX ? proved : (double)INFINITY;
  estimate->radius = quantile * estimate->standard_error + rounded;
  estimate->low = estimate->value - estimate->radius;
  estimate->high = estimate->value + estimate->radius;
  estimate->samples = samples;
}

#define PERMI_ESTIMATE_POLL 5e7
#define PERMI_ESTIMATE_TOGETHER 64 /* blocks */
#define PERMI_ESTIMATE_SAMPLES 65536.0 /* when nothing else stops */

/* Without a block *estimate stays as it is. */
PERMI_NEVER_INLINE static perm_status permi_estimate_run(permi_sampler *sampler, const perm_estimate_plan *plan,
                                                         const permi_number *scale, permi_moments *sample,
                                                         perm_estimate *estimate)
{
  permi_control *control = sampler->watch;
  const double most = plan->samples > 0                                                 ? plan->samples
                      : plan->relative_error > 0 || control->options->max_seconds > 0 ? 9e15
                                                                                        : PERMI_ESTIMATE_SAMPLES;
  const double units = (double)PERMI_BLOCK_SAMPLES * sampler->n * sampler->n + 1, limit = control->options->max_seconds;
  const double short_blocks = floor(PERMI_ESTIMATE_POLL / units);
  const double together = fmax(1, fmin(PERMI_ESTIMATE_TOGETHER, estimate->threads * short_blocks));
  uint64_t blocks = (uint64_t)ceil(most / PERMI_BLOCK_SAMPLES), done = 0, round = 4;
  double looks = 1;
  permi_moments moments = {0, 0, 0, 0, 0}, part;
  perm_status status = PERM_OK;
  int stop = 0, count, s;
  sampler->stop = units > PERMI_ESTIMATE_POLL ? &stop : NULL;
  sampler->moments = sample;
  control->work_total = (double)blocks;
  control->activity = "samples";
  while (done < blocks && status == PERM_OK) {
    sampler->block = done;
    count = (int)fmin((double)(blocks - done), together) * PERMI_BLOCK_SAMPLES;
    permi_share(estimate->threads, 0, (uint64_t)count, permi_sample_one, sampler, NULL);
    control->done = limit > 0 ? control->work_total * (permi_seconds() - control->start) / limit : 0;
    if (control->stopped != PERM_OK) {
      status = control->stopped;
      break;
    }
    memset(&part, 0, sizeof part);
    for (s = 0; s < count && done < blocks; s++) {
      permi_moments_merge(&part, &sample[s]);
      if ((s + 1) % PERMI_BLOCK_SAMPLES)
        continue;
      permi_moments_merge(&moments, &part);
      memset(&part, 0, sizeof part);
      done++;
      if (plan->relative_error > 0 && done >= round) { /* asks seldom: stopping at a lucky moment biases */
        permi_estimate_value(sampler, &moments, scale, looks++, estimate);
        if (estimate->standard_error <= plan->relative_error * hypot(estimate->value, estimate->imaginary) &&
            (estimate->standard_error > 0 || (double)done * PERMI_BLOCK_SAMPLES >= PERMI_ESTIMATE_SAMPLES))
          blocks = done;
        round = 2 * done;
      }
    }
    if (done < blocks)
      status = permi_control_poll(control, fmax(control->done, (double)done), control->activity);
  }
  if (!done)
    return status;
  permi_estimate_value(sampler, &moments, scale, looks, estimate);
  if (status == PERM_STOPPED_TIME && plan->samples == 0)
    status = PERM_OK;
  if (status == PERM_OK && plan->relative_error > 0 &&
      estimate->standard_error > plan->relative_error * hypot(estimate->value, estimate->imaginary))
    status = PERM_TOLERANCE_NOT_MET;
  return status;
}

/* ====================================================================================== >>rejection
   Estimates for entries >= 0 whose relative error is kept with a proved chance.
     Entries are in [0, 1]; r is the sum of a row's entries in free columns. The permanent is at most the product over
     rows of h(r) / e, h(r) = r + ln(r) / 2 + e - 1 from 1 on, 1 + (e - 1) r below. With one column assigned, its
     entries times the bounds of the rest sum up to no more [HL08]: columns draw rows with these chances, what is
     missing to 1 rejects, and a trial is accepted with chance permanent / bound [HRK21]. An exact programme over
     subsets of the first columns draws those, for a nearer bound.
     Each trial adds an exponential variable of mean 1 until k are accepted: the sum is Gamma(k) / chance, and k - 1
     over it estimates the chance [Hub17]. k follows from the error and its chance.
     Blocks of entries in perfect matchings are taken apart first; small ones are computed.
   Trial t is seeded with (seed, block, t); blocks are added in order. Chances are right to about n^2 u. */

#define PERMI_REJECTION_MOST 2000   /* chosen: the tables take 28 n^2 bytes */
#define PERMI_REJECTION_COMPUTED 20 /* chosen: such blocks take a millisecond */
#define PERMI_REJECTION_TABLE 20    /* log2 of the numbers of the programme */
#define PERMI_REJECTION_SHARE 4 /* chosen: its steps over those of trials that are all accepted */
#define PERMI_REJECTION_TRIALS 64
#define PERMI_E 2.718281828459045
#define PERMI_RATHER_LEAST 0.1 /* chosen: computed, if in less */

typedef struct permi_rather {
  int n, guarantee;
  const permi_view *view;
  permi_control *watch;
  double asked, computed; /* seconds: of samples when asked last; of the permanent */
  perm_result *result;
} permi_rather;

/* Returns PERM_PART_DONE with the permanent in *result, PERM_OK if samples, of `seconds`, are sooner. */
static perm_status permi_rather_exact(permi_rather *rather, double seconds)
{
  const permi_view *view = rather->view;
  perm_options options = *rather->watch->options;
  const double limit = options.max_seconds, left = rather->watch->deadline - permi_seconds();
  perm_matrix matrix;
  perm_job *job;
  size_t at;
  int row;
  if (!rather->guarantee || view->parts == 2 || left <= 0 || rather->n > PERMI_REJECTION_MOST ||
      seconds < fmax(PERMI_RATHER_LEAST, 1.4 * rather->asked) ||
      perm_matrix_from_dense(rather->n, rather->n, view->a, view->ld, &options, &matrix, rather->result) != PERM_OK)
    return PERM_OK;
  rather->asked = seconds;
  options.certify = 1;
  options.tolerance = 1e-6;
  options.modulus = 0;
  options.precision = permi_matrix_integers(&matrix, &row, &at, rather->watch) ? PERM_PRECISION_EXACT
                                                                               : PERM_PRECISION_DEFAULT;
  options.max_seconds = fmin(seconds, left);
  perm_status status = perm_sparse_job(&matrix, &options, &job, rather->result);
  rather->computed = status == PERM_OK ? permi_job_seconds(job) : (double)INFINITY;
  perm_job_free(job);
  options.max_seconds = limit > 0 ? left : 0;
  if (rather->computed < seconds)
    status = perm_compute_sparse(&matrix, &options, rather->result);
  else if (status != PERM_STOPPED_CANCELLED)
    status = PERM_ERROR_LIMIT;
  perm_matrix_free(&matrix);
  return status == PERM_OK ? PERM_PART_DONE : status == PERM_TOLERANCE_NOT_MET || status < 0 ? PERM_OK : status;
}

typedef struct permi_rejection {
  int n, deep;
  uint64_t seed, first; /* the first trial of a round */
  double *a;
  double *ratio;  /* h of row i after column j, by before: [j n + i] */
  double *weight; /* a_ij e / h of row i after column j */
  double *table;  /* (n + 1) 2^deep: rows before i, columns taken */
  double *taken;  /* n (deep + 1): a row's factors, free at last */
  int *rooms;     /* n a thread */
  int *order;     /* of the columns */
  double *waited; /* of blocks of trials: exponentials, accepted ones */
  int *accepted;
} permi_rejection;

static double permi_rejection_h(double r)
{
  return r >= 1 ? r + 0.5 * log(r) + PERMI_E - 1 : 1 + (PERMI_E - 1) * fmax(r, 0);
}

/* Draws rows for the first columns; returns how many are free, in *row. */
static int permi_rejection_deep(const permi_rejection *r, uint64_t *state, int *row)
{
  const size_t size = (size_t)1 << r->deep;
  size_t mask = size - 1;
  int i, j, last, live = 0;
  for (i = r->n - 1; i >= 0; i--) {
    const double *before = r->table + (size_t)i * size, *factor = r->taken + (size_t)i * (size_t)(r->deep + 1);
    double at = permi_random_uniform(state) * before[size + mask] - before[mask] * factor[r->deep];
    last = -1;
    for (j = 0; j < r->deep && (at >= 0 || (last < 0 && before[mask] == 0)); j++)
      if (mask >> j & 1 && factor[j] > 0 && before[mask ^ (size_t)1 << j] > 0) {
        last = j;
        at -= before[mask ^ (size_t)1 << j] * factor[j];
      }
    if (last < 0)
      row[live++] = i;
    else
      mask ^= (size_t)1 << last;
  }
  return live;
}

/* Returns 1 if accepted; *waited grows by an exponential. */
static int permi_rejection_trial(const permi_rejection *r, uint64_t trial, int *row, double *waited)
{
  const int n = r->n;
  uint64_t state = permi_hash(permi_hash(PERMI_HASH_START, r->seed), trial);
  *waited -= log(1 - permi_random_uniform(&state));
  int live = permi_rejection_deep(r, &state, row), i, j;
  for (j = r->deep; j < n; j++) {
    const double *ratio = r->ratio + (size_t)j * (size_t)n, *weight = r->weight + (size_t)j * (size_t)n;
    double product[4] = {1, 1, 1, 1}, at = permi_random_uniform(&state), all;
    for (i = 0; i + 4 <= live; i += 4)
      for (int k = 0; k < 4; k++)
        product[k] *= ratio[row[i + k]];
    for (; i < live; i++)
      product[0] *= ratio[row[i]];
    all = (product[0] * product[1]) * (product[2] * product[3]);
    for (i = 0; i < live && at >= 0; i++)
      at -= weight[row[i]] * all;
    if (at >= 0)
      return 0;
    row[i - 1] = row[--live];
  }
  return 1;
}

static perm_status permi_rejection_block(void *context, uint64_t b, int thread)
{
  const permi_rejection *r = (const permi_rejection *)context;
  int *row = r->rooms + (size_t)thread * (size_t)r->n, t;
  r->waited[b] = 0;
  r->accepted[b] = 0;
  for (t = 0; t < PERMI_REJECTION_TRIALS; t++)
    r->accepted[b] += permi_rejection_trial(r, r->first + b * PERMI_REJECTION_TRIALS + (uint64_t)t, row, &r->waited[b]);
  return PERM_OK;
}

/* Returns the chance that Gamma(k) is above x, by a Poisson distribution. */
static double permi_gamma_above(double k, double x)
{
  double below = 1, above = 0, term = 1, i;
  for (i = k - 1; i > 0 && term > 1e-18 * below; i--)
    below += term *= i / x;
  for (i = k, term = x / k; term > 1e-18 * (above + term); term *= x / ++i)
    above += term;
  return below / (below + above);
}

static double permi_gamma_misses(double k, double epsilon)
{
  return 1 - permi_gamma_above(k, (k - 1) / (1 + epsilon)) + permi_gamma_above(k, (k - 1) / (1 - epsilon));
}

#define PERMI_REJECTION_ACCEPTED 1e9
/* Returns how many accepted trials miss an error of epsilon with chance delta, or INFINITY. */
static double permi_rejection_accepted(double epsilon, double delta)
{
  double low = 2, high = 4, middle;
  while (permi_gamma_misses(high, epsilon) > delta)
    if ((high *= 2) > PERMI_REJECTION_ACCEPTED)
      return (double)INFINITY;
  while (high - low > 1) {
    middle = floor(0.5 * (low + high));
    *(permi_gamma_misses(middle, epsilon) > delta ? &low : &high) = middle;
  }
  return high;
}

/* Draws until k trials are accepted; *chance estimates theirs. */
static perm_status permi_rejection_run(permi_rejection *r, permi_rather *rather, double k, int threads, double *chance,
                                       double *trials)
{
  permi_control *watch = rather->watch;
  const double block = PERMI_TRIAL_SECONDS * PERMI_REJECTION_TRIALS * r->n * r->n;
  double waited[64], sum = 0, accepted = 0;
  int count[64], b, t, together = (int)fmin(64, threads * fmax(1, floor(1e-9 * PERMI_ESTIMATE_POLL / block)));
  perm_status status = PERM_OK;
  r->waited = waited;
  r->accepted = count;
  for (r->first = 0; status == PERM_OK; r->first += (uint64_t)together * PERMI_REJECTION_TRIALS) {
    permi_share(threads, 0, (uint64_t)together, permi_rejection_block, r, NULL);
    for (b = 0; b < together && status == PERM_OK; b++) {
      const uint64_t blocks = r->first / PERMI_REJECTION_TRIALS + (uint64_t)b + 1;
      if (accepted + count[b] >= k) { /* trial by trial, as it ends in this block */
        const uint64_t begin = r->first + (uint64_t)b * PERMI_REJECTION_TRIALS;
        for (t = 0; accepted < k; t++)
          accepted += permi_rejection_trial(r, begin + (uint64_t)t, r->rooms, &sum);
        *chance = (k - 1) / sum;
        *trials += (double)begin + t;
        watch->work_before++;
        return PERM_OK;
      }
      sum += waited[b];
      accepted += count[b];
      if (!(blocks & (blocks - 1))) /* of any threads */
        status = permi_rather_exact(rather, block * k * (double)blocks / (accepted + 1));
    }
    if (status == PERM_OK)
      status = permi_control_poll(watch, accepted / k, "samples");
  }
  *trials += (double)r->first;
  return status;
}

/* Orders columns, large entries first, and makes the bounds of rows. */
static void permi_rejection_rows(permi_rejection *work, permi_number *scale)
{
  const int n = work->n;
  double *a = work->a, *key = work->ratio;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    int k = j;
    for (int i = 0; i < n; i++)
      sum += a[i * n + j] * a[i * n + j];
    for (; k > 0 && key[k - 1] < sum; k--) {
      key[k] = key[k - 1];
      work->order[k] = work->order[k - 1];
    }
    key[k] = sum;
    work->order[k] = j;
  }
  for (int i = 0; i < n; i++) {
    double largest = 0, sum = 0, *row = a + (size_t)i * (size_t)n;
    memcpy(key, row, (size_t)n * sizeof *key);
    for (int j = 0; j < n; j++)
      largest = fmax(largest, key[j]);
    for (int j = 0; j < n; j++)
      sum += row[j] = key[work->order[j]] / largest;
    permi_number_by(scale, largest * (permi_rejection_h(sum) / PERMI_E), 0);
  }
}

/* Returns the programme's bound over that of the rows. */
static double permi_rejection_tables(const permi_rejection *work)
{
  const int n = work->n, deep = work->deep;
  const size_t size = (size_t)1 << deep;
  for (int i = 0; i < n; i++) {
    const double *row = work->a + (size_t)i * (size_t)n;
    double *factor = work->taken + (size_t)i * (size_t)(deep + 1), rest = 0, h = permi_rejection_h(0), before;
    for (int j = n - 1; j >= 0; j--, h = before) {
      work->weight[(size_t)j * (size_t)n + (size_t)i] = row[j] * PERMI_E / h;
      if (j == deep - 1)
        factor[deep] = h;
      rest += row[j];
      before = permi_rejection_h(rest);
      work->ratio[(size_t)j * (size_t)n + (size_t)i] = h / before;
    }
    for (int j = 0; j < deep; j++)
      factor[j] = row[j] * PERMI_E / h;
    factor[deep] = deep ? factor[deep] / h : 1;
  }
  memset(work->table, 0, size * sizeof(double));
  work->table[0] = 1;
  for (int i = 0; i < n; i++) {
    const double *before = work->table + (size_t)i * size, *factor = work->taken + (size_t)i * (size_t)(deep + 1);
    double *now = work->table + (size_t)(i + 1) * size;
    for (size_t mask = 0; mask < size; mask++)
      now[mask] = before[mask] * factor[deep];
    for (int j = 0; j < deep; j++)
      for (size_t mask = 0; factor[j] > 0 && mask < size; mask++)
        if (mask >> j & 1)
          now[mask] += before[mask ^ (size_t)1 << j] * factor[j];
  }
  return work->table[(size_t)n * size + size - 1];
}

/* Returns the logarithm of the product of (1 - a_ij)^(1 - a_ij), or -INFINITY: at most the permanent if lines sum to 1
   [Sch98, Gur11]. If they are off by `off`, a tree of entries carries that, at most 2 n off each, which moves the
   logarithm by at most 3 + ln(1 / least entry) times that. */
static double permi_rejection_floor(const double *a, int n)
{
  double off = 0, least = 1, sum = 0;
  for (int i = 0; i < n; i++) {
    double row = 0, column = 0;
    for (int j = 0; j < n; j++) {
      const double x = a[i * n + j];
      row += x;
      column += a[j * n + i];
      if (x > 0)
        least = fmin(least, x);
      if (x > 0 && x < 1)
        sum += (1 - x) * log1p(-x);
    }
    off = fmax(off, fmax(fabs(row - 1), fabs(column - 1)));
  }
  off += 2 * n * PERMI_UNIT;
  return 4.0 * n * off < least ? sum - 8.0 * n * n * off * (3 - log(least)) : -(double)INFINITY;
}

/* mate[i] is the column of row i, owner[j] the row of column j. */
typedef struct permi_pairing {
  const double *a; /* n x n x parts */
  int n, parts, *mate, *owner, *block, *mark, *queue;
  permi_control *watch;
} permi_pairing;

static int permi_pairing_entry(const permi_pairing *pairing, int i, int j)
{
  const double *entry = pairing->a + ((size_t)i * (size_t)pairing->n + (size_t)j) * (size_t)pairing->parts;
  return entry[0] != 0 || (pairing->parts == 2 && entry[1] != 0);
}

/* Returns 0 without a perfect matching. integers: 5 n. */
static int permi_rejection_match(permi_pairing *pairing, const double *a, int n, int parts, int *integers,
                                 permi_control *watch)
{
  const permi_pairing made = {a, n, parts, integers, integers + n, integers + 2 * n, integers + 3 * n, integers + 4 * n,
                              watch};
  int *mate = made.mate, *owner = made.owner, *from = made.mark, *queue = made.queue;
  *pairing = made;
  for (int i = 0; i < n; i++)
    mate[i] = owner[i] = -1;
  for (int start = 0; start < n && !permi_watch(watch, 2.0 * n); start++) {
    int end = -1;
    for (int j = 0; j < n; j++)
      from[j] = -1;
    queue[0] = start;
    for (int head = 0, tail = 1; head < tail && end < 0 && !permi_watch(watch, 1.0 * n); head++)
      for (int i = queue[head], j = 0; j < n && end < 0; j++)
        if (from[j] < 0 && permi_pairing_entry(pairing, i, j)) {
          from[j] = i;
          if (owner[j] < 0)
            end = j;
          else
            queue[tail++] = owner[j];
        }
    if (end < 0)
      return watch->stopped != PERM_OK;
    for (int j = end, next; j >= 0; j = next) {
      const int i = from[j];
      next = mate[i];
      owner[j] = i;
      mate[i] = j;
    }
  }
  return 1;
}

/* Strong components are numbered as rows come; entries outside are in no perfect matching. Returns 0 without memory. */
static int permi_rejection_blocks(permi_pairing *pairing, permi_pool *pool)
{
  const int n = pairing->n;
  const size_t all = (size_t)n;
  size_t *start = (size_t *)permi_pool_get(pool, 2 * all + 1, sizeof *start), used = 0;
  int *column = (int *)permi_pool_get(pool, all * all + 4 * all, sizeof *column), *number = pairing->mark;
  int *component = pairing->queue, blocks = 0, i, j;
  if (pool->failed)
    return 0;
  for (i = 0; i < n; i++) {
    start[i] = used;
    number[i] = -1;
    for (j = 0; j < n; j++)
      if (permi_pairing_entry(pairing, i, j))
        column[used++] = j;
  }
  start[n] = used;
  permi_watch(pairing->watch, 2.0 * n * n);
  permi_components(n, start, column, pairing->owner, component, column + used, start + n + 1, pairing->watch);
  for (i = 0; i < n && pairing->watch->stopped == PERM_OK; i++) {
    if (number[component[i]] < 0)
      number[component[i]] = blocks++;
    pairing->block[i] = number[component[i]];
  }
  return blocks;
}

/* floor and top are logarithms of certain bounds. */
typedef struct permi_rejection_call {
  permi_control *watch;
  const perm_options *options;
  uint64_t seed;
  double delta, accepted, trials, floor, top;
  int threads, drawn; /* drawn: blocks so far */
  permi_rather *rather;
} permi_rejection_call;

static double permi_number_log(const permi_number *number)
{
  permi_number x = *number;
  permi_number_normalise(&x);
  return log(x.value.hi) + (double)x.exp2 * log(2);
}

/* *scale takes the permanent, floor and top what is certain. */
static perm_status permi_rejection_one(permi_rejection_call *call, permi_rejection *r, permi_number *scale)
{
  const int n = r->n;
  permi_number own = permi_number_one();
  double bound, chance = 1;
  perm_status status = PERM_OK;
  perm_result result;
  permi_sinkhorn(r->a, n, 1, 1, 1e-13, &own, call->watch);
  if (n <= PERMI_REJECTION_COMPUTED) {
    perm_options options; /* samples know few of the caller's */
    memset(&options, 0, sizeof options);
    options.allocator = call->options->allocator;
    options.threads = call->threads;
    status = perm_compute_real(n, n, r->a, n, &options, &result);
    permi_number_by(&own, result.value, result.exp2);
    permi_number_multiply(scale, &own);
    call->floor += permi_number_log(&own);
    call->top += permi_number_log(&own);
    return status;
  }
  call->floor += permi_number_log(&own) + permi_rejection_floor(r->a, n);
  permi_rejection_rows(r, &own);
  r->seed = permi_hash(permi_hash(PERMI_HASH_START, call->seed), (uint64_t)call->drawn++);
  for (r->deep = 0; r->deep < n && (n + 1.0) * ldexp(2, r->deep) <= ldexp(1, PERMI_REJECTION_TABLE) &&
                    ldexp(r->deep + 2, r->deep + 1) <= PERMI_REJECTION_SHARE * call->accepted * n;)
    r->deep++;
  bound = permi_rejection_tables(r);
  call->top += permi_number_log(&own) + log(bound);
  status = call->watch->stopped;
  if (status == PERM_OK)
    status = permi_rejection_run(r, call->rather, call->accepted, call->threads, &chance, &call->trials);
  permi_number_by(&own, bound * chance, 0);
  permi_number_multiply(scale, &own);
  return status;
}

static perm_status permi_rejection_estimate(permi_pairing *pairing, double epsilon, permi_rejection_call *call,
                                            permi_pool *pool, permi_number *scale)
{
  const int n = pairing->n, blocks = permi_rejection_blocks(pairing, pool);
  const size_t all = (size_t)n, square = all * all, table = ((size_t)1 << PERMI_REJECTION_TABLE) + all + 1;
  permi_rejection work;
  int large = 0, b, i, j, k;
  perm_status status = call->watch->stopped;
  work.order = pairing->queue;
  work.a = (double *)permi_pool_get(pool, square, sizeof(double));
  work.ratio = (double *)permi_pool_get(pool, square + 1, sizeof(double));
  work.weight = (double *)permi_pool_get(pool, square + 1, sizeof(double));
  work.table = (double *)permi_pool_get(pool, table, sizeof(double));
  work.taken = (double *)permi_pool_get(pool, all * (PERMI_REJECTION_TABLE + 1), sizeof(double));
  work.rooms = (int *)permi_pool_get(pool, all * (size_t)call->threads, sizeof(int));
  if (status != PERM_OK || pool->failed)
    return status != PERM_OK ? status : PERM_ERROR_MEMORY;
  for (b = 0; b < blocks; b++) {
    for (i = k = 0; i < n; i++)
      k += pairing->block[i] == b;
    large += k > PERMI_REJECTION_COMPUTED;
  }
  call->watch->work_total = large;
  if (large) /* errors multiply, chances add up */
    call->accepted = permi_rejection_accepted(large == 1 ? epsilon : expm1(log1p(epsilon) / large),
                                              call->delta / large);
  if (call->accepted == (double)INFINITY)
    return PERM_ERROR_LIMIT;
  if (large)
    status = permi_rather_exact(call->rather, PERMI_RATHER_LEAST + PERMI_TRIAL_SECONDS * n * n * call->accepted);
  for (b = 0; b < blocks && status == PERM_OK && call->watch->stopped == PERM_OK; b++) {
    double *to = work.a;
    int *row = pairing->mark;
    work.n = 0;
    for (i = 0; i < n; i++)
      if (pairing->block[i] == b)
        row[work.n++] = i;
    for (i = 0; i < work.n; i++)
      for (j = 0; j < work.n; j++)
        *to++ = pairing->a[(size_t)row[i] * (size_t)n + (size_t)pairing->mate[row[j]]];
    status = permi_rejection_one(call, &work, scale);
  }
  return status != PERM_OK ? status : call->watch->stopped;
}

/* ================================================================================= >>estimate_calls */

/* With signs a guarantee does not stop at an error. */
static perm_status permi_estimate_check(int n, const permi_view *view, perm_estimate_plan *plan,
                                        permi_control *watch, int *negative, perm_result *result)
{
  const int parts = view->parts;
  const char *wrong;
  *negative = 0;
  wrong = (int)plan->estimator < 0 || plan->estimator >= PERM_ESTIMATOR_COUNT ? "estimator is not one of perm_estimator"
          : !(plan->samples >= 0) || plan->samples > 9e15
              ? "samples is negative, NaN or above 9e15 (0 means until another limit)"
          : !(plan->relative_error >= 0) || plan->relative_error == (double)INFINITY
              ? "relative_error is negative or not finite (0 means none)"
          : !(plan->confidence >= 0) || plan->confidence >= 1 ? "confidence is not between 0 and 1 (0 means 0.95)"
          : plan->guarantee && plan->estimator != PERM_ESTIMATOR_AUTO
              ? "guarantee chooses the estimator, which has to be auto" : NULL;
  if (wrong)
    return permi_fail(result, PERM_ERROR_OPTION, 4, "plan: %s", wrong);
  const perm_status status = permi_check_whole(watch->options, 5, result);
  if (status != PERM_OK)
    return status;
  if (n < 0 || n > PERM_ESTIMATE_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "n is negative or above PERM_ESTIMATE_MAX_N");
  if (n && !view->a)
    return permi_fail(result, PERM_ERROR_NULL, 2, "a is NULL");
  if (n && !permi_stride_fits(n, n, view->ld, 8 * parts))
    return permi_fail_stride(result, 3, "ld", n, n, view->ld);
  watch->activity = "preparing";
  for (int i = 0; i < n && !permi_watch(watch, 1.5 * n * parts); i++)
    for (int j = 0; j < n * parts; j++) {
      const double x = view->a[(ptrdiff_t)i * view->ld * parts + j];
      if (permi_not_finite(x))
        return permi_fail(result, PERM_ERROR_NOT_FINITE, 2, "a has a NaN or an infinity");
      *negative |= x < 0 || (parts == 2 && x != 0);
    }
  if (watch->stopped != PERM_OK)
    return permi_fail(result, watch->stopped, 0, "%s before there were %d samples", perm_status_text(watch->stopped),
                      PERMI_BLOCK_SAMPLES);
  if (plan->estimator >= PERM_ESTIMATOR_SINKHORN && *negative)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 4,
                      "plan: estimator %s is for matrices without negative or complex entries; glynn takes any",
                      perm_name("estimator", plan->estimator));
  if (plan->estimator == PERM_ESTIMATOR_AUTO)
    plan->estimator = *negative ? PERM_ESTIMATOR_GLYNN
                      : plan->guarantee ? PERM_ESTIMATOR_REJECTION : PERM_ESTIMATOR_SINKHORN;
  if (plan->guarantee && *negative)
    plan->relative_error = 0;
  if (plan->estimator != PERM_ESTIMATOR_REJECTION)
    return PERM_OK;
  if (plan->relative_error >= 1 || plan->confidence > 1 - 1e-9)
    return permi_fail(result, PERM_ERROR_OPTION, 4,
                      "plan: estimator rejection takes a relative_error below 1 and a confidence up to 1 - 1e-9");
  if (n > PERMI_REJECTION_MOST)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "n = %d is above %d, up to which estimator rejection goes; sinkhorn "
                      "goes further%s", n, PERMI_REJECTION_MOST, plan->guarantee ? ", without a guarantee" : "");
  return PERM_OK;
}

static void permi_rejection_value(const permi_rejection_call *call, const permi_number *scale, double epsilon,
                                  perm_estimate *estimate)
{
  permi_number number = *scale;
  permi_number_normalise(&number);
  if (number.exp2 > -900 && number.exp2 < 900) {
    number.value.hi = ldexp(number.value.hi, (int)number.exp2);
    number.exp2 = 0;
  }
  const double unit = log(2) * (double)number.exp2;
  estimate->value = number.value.hi;
  estimate->exp2 = number.exp2;
  estimate->low = estimate->value / (1 + epsilon);
  estimate->high = estimate->value / (1 - epsilon);
  estimate->radius = estimate->proved_radius = estimate->high - estimate->value;
  estimate->standard_error = call->accepted > 2 ? estimate->value / sqrt(call->accepted - 2) : estimate->radius;
  estimate->certain_low = exp(call->floor - unit) * (1 - 1e-9);
  estimate->certain_high = exp(call->top - unit) * (1 + 1e-9);
  estimate->samples = call->trials;
}

PERMI_NEVER_INLINE static perm_status permi_estimate_metered(int n, const permi_view *view, perm_estimate_plan *plan,
                                                             const perm_options *options, perm_estimate *estimate,
                                                             perm_result *result)
{
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_control watch = permi_control_begin(options);
  permi_number scale = permi_number_one();
  permi_sampler sampler = {n, 1, 0, (double)INFINITY, plan->seed, NULL, NULL, &watch, NULL, 0, NULL, NULL};
  permi_pairing pairing;
  int negative;
  permi_rather rather = {n, plan->guarantee, view, &watch, 0, 0, result};
  perm_status status = permi_estimate_check(n, view, plan, &watch, &negative, result);
  memset(estimate, 0, sizeof *estimate);
  if (status != PERM_OK)
    return status;
  sampler.signs = plan->estimator == PERM_ESTIMATOR_GLYNN;
  const int parts = sampler.parts = sampler.signs ? view->parts : 1;
  estimate->estimator = plan->estimator;
  estimate->seed = plan->seed;
  estimate->confidence = plan->confidence > 0 ? plan->confidence : 0.95;
  estimate->threads = permi_threads(options);
  estimate->is_complex = view->parts == 2;
  estimate->certain_high = estimate->proved_radius = (double)INFINITY;
  estimate->certain_low = negative ? -(double)INFINITY : 0;
  double *a = (double *)permi_pool_get(&pool, (size_t)n * (size_t)(n * parts), sizeof *a);
  int *integers = (int *)permi_pool_get(&pool, 5 * (size_t)n, sizeof *integers);
  sampler.rooms = (double *)permi_pool_get(&pool, (size_t)n * (size_t)estimate->threads, sizeof(double));
  permi_moments *sample =
      (permi_moments *)permi_pool_get(&pool, PERMI_ESTIMATE_TOGETHER * PERMI_BLOCK_SAMPLES, sizeof *sample);
  const int copied = pool.failed ? 0 : permi_estimate_copy(view, n, parts, integers, a, &scale.exp2, &watch);
  if (pool.failed) {
    status = permi_fail_memory(result);
  } else if (copied < 0) {
    status = permi_fail(result, PERM_ERROR_UNSUPPORTED, 2, "the entries span too wide a range for samples in double");
  } else if (!n || !copied || !permi_rejection_match(&pairing, a, n, parts, integers, &watch)) {
    estimate->value = estimate->low = estimate->high = estimate->certain_low = estimate->certain_high = !n;
    estimate->proved_radius = 0;
  } else if (plan->estimator == PERM_ESTIMATOR_REJECTION) {
    const double epsilon = plan->relative_error > 0 ? plan->relative_error : 0.1;
    permi_rejection_call call = {&watch, options, plan->seed, 1 - estimate->confidence, 0, 0, 0,
                                 (double)scale.exp2 * log(2), estimate->threads, 0, &rather};
    call.floor = call.top;
    status = permi_rejection_estimate(&pairing, epsilon, &call, &pool, &scale);
    if (status == PERM_ERROR_LIMIT)
      permi_fail(result, status, 4, "plan: relative_error %.3g with confidence %.3g would take more than %.0e accepted "
                 "trials; ask for less", epsilon, estimate->confidence, PERMI_REJECTION_ACCEPTED);
    else if (status < 0)
      status = permi_fail_memory(result);
    else if (status > 0 && status != PERM_PART_DONE)
      permi_fail(result, status, 0, "%s before %.0f trials were accepted: nothing is known with that chance; twice "
                 "the relative_error takes a quarter of them", perm_status_text(status), call.accepted);
    else if (status == PERM_OK) /* blocks are computed to ten digits */
      permi_rejection_value(&call, &scale, call.accepted > 0 ? epsilon : 1e-10 * n, estimate);
  } else if ((status = permi_rather_exact(&rather, PERMI_TRIAL_SECONDS * n * n *
                                          (plan->samples > 0 ? plan->samples : PERMI_ESTIMATE_SAMPLES))) == PERM_OK) {
    permi_sinkhorn(a, n, parts, sampler.signs ? 2 : 1, 1e-3, &scale, &watch);
    permi_estimate_order(a, n, parts, integers, integers + n, &watch);
    sampler.a = a;
    if (sampler.signs) {
      const size_t m = n > PERMI_ESTIMATE_NORM ? 0 : (size_t)(n * parts);
      double *room = (double *)permi_allocate(&options->allocator, 2 * m * m, sizeof *room);
      sampler.most = permi_estimate_most(a, n, parts, m && room ? room : NULL, &watch);
      permi_release(&options->allocator, room);
    }
    sampler.order = integers;
    status = watch.stopped;
    if (status == PERM_OK)
      status = permi_estimate_run(&sampler, plan, &scale, sample, estimate);
    if (status >= 0 && estimate->samples > 0 && estimate->standard_error == 0) { /* all are 0: no proof */
      estimate->standard_error = (double)INFINITY;
      estimate->radius = estimate->proved_radius;
      estimate->low = fmax(estimate->certain_low, -estimate->radius);
      estimate->high = estimate->radius;
      status = status == PERM_OK && plan->relative_error > 0 ? PERM_TOLERANCE_NOT_MET : status;
    }
    if (status > 0 && estimate->samples == 0)
      permi_fail(result, status, 0, "%s before there were %d samples", perm_status_text(status), PERMI_BLOCK_SAMPLES);
  }
  permi_pool_release(&pool);
  if (status != PERM_PART_DONE)
    return status;
  const double rounded = fabs(result->value) < 9007199254740992.0 ? 0 : 2 * PERMI_UNIT * fabs(result->value);
  estimate->value = result->value;
  estimate->exp2 = result->exp2;
  estimate->radius = estimate->proved_radius = estimate->standard_error = result->exact ? rounded : result->error_bound;
  estimate->low = estimate->certain_low = result->value - estimate->radius;
  estimate->high = estimate->certain_high = result->value + estimate->radius;
  permi_say(estimate->message, sizeof estimate->message, "computed: method %s is predicted to take %s, samples %s or "
            "more", perm_name("method", result->method), permi_time_words(rather.computed).text,
            permi_time_words(rather.asked).text);
  return PERM_OK;
}

static perm_status permi_estimate(int n, permi_view view, const perm_estimate_plan *plan_given,
                                  const perm_options *options_given, perm_estimate *estimate)
{
  static const perm_estimate_plan no_plan = {PERM_ESTIMATOR_AUTO, 0, 0, 0, 0, 0};
  perm_estimate_plan plan = plan_given ? *plan_given : no_plan;
  const double wanted = plan.relative_error > 0 ? plan.relative_error : 0.1;
  const double start = permi_seconds();
  permi_metered call;
  perm_result result;
  if (!estimate)
    return PERM_ERROR_NULL;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_view_bytes(n, n, &view));
  perm_status status = permi_estimate_metered(n, &view, &plan, options, estimate, &result);
  status = permi_meter_end(&call, status, &result);
  const double size = hypot(estimate->value, estimate->imaginary);
  if (status < 0 || (status > 0 && estimate->samples == 0)) {
    memset(estimate, 0, sizeof *estimate);
    estimate->value = estimate->imaginary = estimate->low = estimate->high = (double)NAN;
    estimate->standard_error = estimate->radius = estimate->proved_radius = estimate->certain_high = (double)INFINITY;
    estimate->certain_low = -(double)INFINITY;
    estimate->argument = result.argument;
    snprintf(estimate->message, sizeof estimate->message, "%s", result.message);
  } else if (status > 0) {
    snprintf(estimate->message, sizeof estimate->message, "%s", perm_status_text(status));
  } else if (plan.guarantee && estimate->estimator == PERM_ESTIMATOR_GLYNN &&
             !(estimate->proved_radius <= wanted * size)) {
    status = PERM_TOLERANCE_NOT_MET;
    permi_say(estimate->message, sizeof estimate->message,
              "the error asked for is not met: entries are negative or complex, and what is proved of them is the "
              "radius, %.2g times the value", estimate->proved_radius / size);
  }
  estimate->status = status;
  estimate->seconds = permi_seconds() - start;
  return status;
}

#define PERMI_ESTIMATES(name, parts)                                                                                   \
  PERM_MORE_API perm_status name(int n, const double *a, ptrdiff_t ld, const perm_estimate_plan *plan,                 \
                                 const perm_options *options, perm_estimate *estimate)                                 \
  { return permi_estimate(n, permi_view_make(a, ld, parts), plan, options, estimate); }
PERMI_ESTIMATES(perm_estimate_real, 1)
PERMI_ESTIMATES(perm_estimate_complex, 2)

#define PERMI_PLAN(member) PERMI_MEMBER(perm_estimate_plan, member)
#define PERMI_ESTIMATE(member) PERMI_MEMBER(perm_estimate, member)
#define PERMI_MATRIX(member) PERMI_MEMBER(perm_matrix, member)
static const permi_member permi_more_members[] = {
    {"perm_estimate_plan", 0, sizeof(perm_estimate_plan)}, PERMI_PLAN(estimator), PERMI_PLAN(samples),
    PERMI_PLAN(relative_error), PERMI_PLAN(confidence), PERMI_PLAN(seed), PERMI_PLAN(guarantee),
    {"perm_estimate", 0, sizeof(perm_estimate)}, PERMI_ESTIMATE(value), PERMI_ESTIMATE(imaginary), PERMI_ESTIMATE(exp2),
    PERMI_ESTIMATE(standard_error), PERMI_ESTIMATE(low), PERMI_ESTIMATE(high), PERMI_ESTIMATE(radius),
    PERMI_ESTIMATE(proved_radius), PERMI_ESTIMATE(certain_low), PERMI_ESTIMATE(certain_high),
    PERMI_ESTIMATE(confidence), PERMI_ESTIMATE(samples), PERMI_ESTIMATE(seed), PERMI_ESTIMATE(estimator),
    PERMI_ESTIMATE(is_complex), PERMI_ESTIMATE(threads), PERMI_ESTIMATE(seconds), PERMI_ESTIMATE(status),
    PERMI_ESTIMATE(argument), PERMI_ESTIMATE(message),
    {"perm_outputs", 0, sizeof(perm_outputs)},
    PERMI_MEMBER(perm_outputs, most), PERMI_MEMBER(perm_outputs, exactly), PERMI_MEMBER(perm_outputs, probabilities),
    PERMI_MEMBER(perm_outputs, on_gpu), PERMI_MEMBER(perm_outputs, block), PERMI_MEMBER(perm_outputs, user_data),
    {"perm_matrix", 0, sizeof(perm_matrix)}, PERMI_MATRIX(m), PERMI_MATRIX(n), PERMI_MATRIX(nnz), PERMI_MATRIX(kind),
    PERMI_MATRIX(row_start), PERMI_MATRIX(column), PERMI_MATRIX(real), PERMI_MATRIX(imaginary), PERMI_MATRIX(integer),
    PERMI_MATRIX(allocator)};

PERM_MORE_API perm_status perm_more_layout(const char *name, size_t *offset, size_t *bytes)
{
  const size_t count = sizeof permi_more_members / sizeof *permi_more_members;
  return permi_member_find(permi_more_members, count, name, offset, bytes);
}

/* ============================================================================================ >>spy
   All coordinates are whole: a locale may write a comma. */

#define PERMI_SPY_EXACT 600     /* up to this order and */
#define PERMI_SPY_ENTRIES 20000 /* so many entries: a square each, */
#define PERMI_SPY_CELLS 160     /* else so many a side */
#define PERMI_SPY_PANEL 290
#define PERMI_SPY_LEFT 74 /* of the first map; the other 356 apart */
#define PERMI_SPY_TOP 104
#define PERMI_SPY_CURVES 490
#define PERMI_SPY_LINE 120   /* characters */
#define PERMI_SPY_ROWS 14
#define PERMI_SPY_OUTLINES 500
#define PERMI_SPY_POINTS 1000
/* Okabe and Ito's colours, which the colour-blind tell apart. */
#define PERMI_SPY_BLUE "#0072b2"
#define PERMI_SPY_ORANGE "#d55e00"
#define PERMI_SPY_GREEN "#009e73"

typedef struct permi_spy {
  const perm_matrix *matrix;
  const char *name;
  int cells[2];     /* down, across */
  unsigned *entries; /* in cells: of the matrix as given and block triangular, live and dead */
  int blocks, outlines, singular;
  int *first, *order;
  const perm_job *job;
  char message[PERM_MESSAGE_BYTES];
  const permi_leaf *leaf;
  int steps;
  double *width; /* of each step */
  double dropped;
  permi_control *watch;
  permi_pool pool;
} permi_spy;

PERMI_PRINTF(5, 6)
static void permi_spy_label(FILE *file, int x, int y, const char *attributes, const char *format, ...)
{
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  permi_vsay(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(file, "<text x=\"%d\" y=\"%d\" %s>", x, y, attributes);
  for (const char *at = text; *at; at++)
    if (*at == '<' || *at == '>' || *at == '&')
      fputs(*at == '<' ? "&lt;" : *at == '>' ? "&gt;" : "&amp;", file);
    else
      putc((unsigned char)*at < 32 ? ' ' : (unsigned char)*at > 126 ? '?' : *at, file); /* any bytes make XML */
  fputs("</text>\n", file);
}

static void permi_spy_box(FILE *file, int x, int y, int width, int height, const char *paint)
{
  fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" %s/>\n", x, y, width, height, paint);
}

static unsigned *permi_spy_entries(const permi_spy *spy, int which, int dead, int i, int j)
{
  const size_t down = (size_t)spy->cells[0], across = (size_t)spy->cells[1];
  return spy->entries + ((size_t)(2 * which + dead) * down + (size_t)i) * across + (size_t)j;
}

/* 0 to 3 by density, 4: dead, -1: empty. */
static int permi_spy_shade(const permi_spy *spy, int which, int i, int j, double area)
{
  const double density = *permi_spy_entries(spy, which, 0, i, j) / area;
  const int empty = *permi_spy_entries(spy, which, 1, i, j) ? 4 : -1;
  return density > 0 ? (density > 0.03) + (density > 0.1) + (density > 0.3) : empty;
}

static void permi_spy_draw_map(FILE *file, const permi_spy *spy, int which, int width, int height)
{
  static const char *const colour[5] = {"#a6cfe6", "#5fabd4", "#2a8cc4", PERMI_SPY_BLUE, PERMI_SPY_ORANGE};
  const int m = spy->matrix->m, n = spy->matrix->n, x = PERMI_SPY_LEFT + 356 * which, y = PERMI_SPY_TOP;
  const int down = spy->cells[0], across = spy->cells[1];
  const double area = ((double)m / (down ? down : 1)) * ((double)n / (across ? across : 1));
  permi_spy_box(file, x, y, width, height, "fill=\"#ffffff\" stroke=\"#777777\"");
  fprintf(file, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\">\n",
          x, y, width, height, across ? across : 1, down ? down : 1);
  for (int shade = 0; shade < 5; shade++) {
    int used = 0;
    for (int i = 0; i < down; i++)
      for (int j = 0, end; j < across; j = end + 1) {
        for (end = j; end < across && permi_spy_shade(spy, which, i, end, area) == shade; end++)
          ;
        if (end > j) {
          fprintf(file, "%sM%d %dh%dv1h%dz", used ? "" : "<path d=\"", j, i, end - j, j - end);
          used = 1;
        }
      }
    if (used)
      fprintf(file, "\" fill=\"%s\"/>\n", colour[shade]);
  }
  fputs("</svg>\n", file);
  if (!down || !across)
    return;
  permi_spy_label(file, x - 6, y + 12, "text-anchor=\"end\"", "1");
  permi_spy_label(file, x, y + height + 19, "", "1");
  if (m > 1 && height > 30)
    permi_spy_label(file, x - 6, y + height, "text-anchor=\"end\"", "%d", m);
  if (n > 1 && width > 60)
    permi_spy_label(file, x + width, y + height + 19, "text-anchor=\"end\"", "%d", n);
  if (width > 160)
    permi_spy_label(file, x + width / 2, y + height + 19, "text-anchor=\"middle\"", "columns");
}

static void permi_spy_head(FILE *file, int which, const char *head, const char *below)
{
  permi_spy_label(file, PERMI_SPY_LEFT + 356 * which, PERMI_SPY_TOP - 32, "class=\"h\"", "%s", head);
  permi_spy_label(file, PERMI_SPY_LEFT + 356 * which, PERMI_SPY_TOP - 11, "", "%s", below);
}

static void permi_spy_maps(FILE *file, const permi_spy *spy)
{
  static const char outline[] = "fill=\"none\" stroke=\"" PERMI_SPY_GREEN "\" stroke-width=\"2\"";
  const perm_matrix *matrix = spy->matrix;
  const double longest = matrix->m > matrix->n ? matrix->m : matrix->n, scale = PERMI_SPY_PANEL;
  const int tall = longest > 0 ? (int)(scale * (matrix->m / longest)) + 1 : PERMI_SPY_PANEL;
  const int wide = longest > 0 ? (int)(scale * (matrix->n / longest)) + 1 : PERMI_SPY_PANEL, legend = 450;
  char text[64];
  permi_spy_label(file, 20, 34, "class=\"t\"", "%.60s%s%d x %d, %.0f entries", spy->name ? spy->name : "",
                  spy->name ? ": " : "", matrix->m, matrix->n, (double)matrix->nnz);
  permi_spy_head(file, 0, "As given", "");
  permi_spy_draw_map(file, spy, 0, wide, tall);
  if (matrix->m == matrix->n) {
    permi_say(text, sizeof text, "%d block%s, %.0f dead entries", spy->blocks, spy->blocks == 1 ? "" : "s",
              spy->dropped);
    permi_spy_head(file, 1, spy->singular ? "No perfect matching: the permanent is 0" : "Block triangular",
                   spy->singular ? "" : text);
    permi_spy_draw_map(file, spy, 1, wide, tall);
    for (int i = 0; i < spy->outlines; i++) {
      const int from = (int)(wide * (spy->first[i] / longest)), length = (int)(wide * (spy->order[i] / longest));
      const int size = length > 1 ? length : 1;
      permi_spy_box(file, PERMI_SPY_LEFT + 356 + from, PERMI_SPY_TOP + from, size, size, outline);
    }
  }
  permi_spy_box(file, PERMI_SPY_LEFT, legend - 12, 14, 14, "fill=\"" PERMI_SPY_BLUE "\"");
  permi_spy_box(file, 270, legend - 12, 14, 14, "fill=\"" PERMI_SPY_ORANGE "\"");
  permi_spy_box(file, 510, legend - 12, 14, 14, outline);
  permi_spy_label(file, PERMI_SPY_LEFT + 22, legend, "", "entries%s",
                  spy->cells[0] < matrix->m ? ", by density" : "");
  permi_spy_label(file, 292, legend, "", "in no perfect matching");
  permi_spy_label(file, 532, legend, "", "blocks");
}

/* Returns 1, 2 or 5 times a power of ten, at most six in a range. */
static double permi_spy_step(double range)
{
  double power = 1;
  while (power * 50 < range)
    power *= 10;
  return power * (range <= 5 * power ? 1 : range <= 10 * power ? 2 : range <= 25 * power ? 5 : 10);
}

static void permi_spy_curve(FILE *file, const permi_spy *spy)
{
  const int left = 110, right = 1060, height = 150, top = PERMI_SPY_CURVES, y = top + 12;
  const int stride = spy->steps / PERMI_SPY_POINTS + 1, tree = spy->leaf->information.method == PERM_METHOD_TREE;
  double scale = 1, step, tick;
  int p, q, last = -1;
  permi_spy_label(file, PERMI_SPY_LEFT, top, "class=\"h\"", "Vertices of the %s along the order of %s, n = %d",
                  tree ? "tables" : "frontier", tree ? "the tree" : "elimination", spy->leaf->information.n);
  for (p = 0; p < spy->steps; p++)
    scale = fmax(scale, spy->width[p]);
  step = permi_spy_step(scale);
  for (tick = 0; tick <= scale; tick += step) {
    const int at = y + height - (int)((height - 8) * tick / scale);
    fprintf(file, "<path d=\"M%d %dH%d\" stroke=\"#dddddd\"/>\n", left, at, right);
    permi_spy_label(file, left - 8, at + 5, "text-anchor=\"end\"", "%.3g", tick);
  }
  step = permi_spy_step(spy->steps);
  for (tick = 0; tick <= spy->steps; tick += step) {
    const int at = left + (int)((right - left) * tick / (spy->steps + 1));
    fprintf(file, "<path d=\"M%d %dV%d\" stroke=\"#dddddd\"/>\n", at, y, y + height);
    permi_spy_label(file, at, y + height + 19, "text-anchor=\"middle\"", "%.0f", tick);
  }
  permi_spy_box(file, left, y, right - left, height, "fill=\"none\" stroke=\"#777777\"");
  fputs("<polyline fill=\"none\" stroke=\"" PERMI_SPY_BLUE "\" stroke-width=\"3\" points=\"", file);
  for (p = 0; p < spy->steps; p += stride) {
    const int x = left + (int)((double)(right - left) * (p + 1) / (spy->steps + 1));
    double here = 0;
    for (q = p; q < spy->steps && q < p + stride; q++)
      here = fmax(here, spy->width[q]);
    if (x != last)
      fprintf(file, "%d,%d ", x, y + height - (int)((height - 8) * here / scale));
    last = x;
  }
  fputs("\"/>\n", file);
  permi_spy_label(file, 585, top + 202, "text-anchor=\"middle\"", "steps: vertices eliminated");
}

static int permi_spy_print(FILE *file, const void *what)
{
  const permi_spy *spy = (const permi_spy *)what;
  const int table = PERMI_SPY_CURVES + (spy->leaf ? 224 : 0), leaves = spy->job ? spy->job->leaves : 0;
  const int rows = leaves < PERMI_SPY_ROWS ? leaves : PERMI_SPY_ROWS;
  const int bottom = table + 84 + 24 * (spy->job ? rows : 3);
  const char *message = spy->message;
  double seconds = 0, rest = 0;
  fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1090\" height=\"%d\" viewBox=\"0 0 1090 %d\" "
                "font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" font-size=\"15\" fill=\"#333333\">\n",
          bottom, bottom);
  fputs("<style>.t{font-size:19px;font-weight:bold}.h{font-size:16px;font-weight:bold}</style>\n", file);
  fprintf(file, "<rect width=\"1090\" height=\"%d\" fill=\"#ffffff\"/>\n", bottom);
  permi_spy_maps(file, spy);
  if (spy->leaf)
    permi_spy_curve(file, spy);
  for (int i = 0; i < leaves; i++) {
    seconds += spy->job->leaf[i].information.seconds;
    rest += i < rows ? 0 : spy->job->leaf[i].information.seconds;
  }
  if (spy->job) {
    permi_spy_label(file, PERMI_SPY_LEFT, table + 20, "class=\"h\"",
                    "Plan: %d block%s after reductions, predicted %s on one thread", leaves, leaves == 1 ? "" : "s",
                    permi_time_words(seconds).text);
  } else {
    permi_spy_label(file, PERMI_SPY_LEFT, table + 20, "class=\"h\"", "No plan");
    for (int i = table + 44, length; *message; message += length, i += 22) {
      length = (int)strlen(message);
      if (length > PERMI_SPY_LINE)
        for (length = PERMI_SPY_LINE; length > PERMI_SPY_LINE / 2 && message[length] != ' '; length--)
          ;
      permi_spy_label(file, PERMI_SPY_LEFT, i, "", "%.*s", length, message);
    }
  }
  for (int i = 0; i < rows; i++) {
    const perm_leaf *leaf = &spy->job->leaf[i].information;
    const int y = table + 46 + 24 * i;
    permi_spy_label(file, PERMI_SPY_LEFT, y, "", "order %d", leaf->n);
    permi_spy_label(file, 200, y, "", "%s", perm_name("method", leaf->method));
    permi_spy_label(file, 450, y, "text-anchor=\"end\"", "%s", permi_time_words(leaf->seconds).text);
    if (leaf->bytes > 0)
      permi_spy_label(file, 600, y, "text-anchor=\"end\"", "%s", permi_size_words(leaf->bytes).text);
  }
  if (leaves > rows)
    permi_spy_label(file, PERMI_SPY_LEFT, table + 46 + 24 * rows, "", "and %d more, %s", leaves - rows,
                    permi_time_words(rest).text);
  return fputs("</svg>\n", file) >= 0 && fflush(file) == 0 && !ferror(file);
}

/* Incomplete if watch stops. */
static perm_status permi_spy_matrix(permi_spy *spy, int *numbers)
{
  const perm_matrix *matrix = spy->matrix;
  const int n = matrix->n, square = matrix->m == n && n > 0;
  int *row_place = numbers, *column_place = numbers + n, *start = column_place + n, i, k;
  permi_working working;
  memset(&working, 0, sizeof working);
  if (square) {
    if (!permi_working_create(&working, spy->pool.allocator, n, matrix->nnz))
      return PERM_ERROR_MEMORY;
    working.watch = spy->watch;
    permi_sparse_fill(matrix, 0, 0, &working);
    spy->singular = !permi_split(&working);
  }
  if (square && !spy->singular) { /* components: in reverse topological order */
    const int *column_match = working.work + 3 * (size_t)n; /* left by permi_split */
    spy->blocks = working.blocks;
    spy->dropped = (int)working.report.dead_entries;
    memset(start, 0, ((size_t)spy->blocks + 1) * sizeof *start);
    for (i = 0; i < n; i++)
      start[spy->blocks - working.component[i]]++;
    for (k = 0; k < spy->blocks; k++) {
      if (start[k + 1] > 1 && spy->outlines < PERMI_SPY_OUTLINES) {
        spy->first[spy->outlines] = start[k];
        spy->order[spy->outlines++] = start[k + 1];
      }
      start[k + 1] += start[k];
    }
    for (i = 0; i < n; i++)
      row_place[i] = start[spy->blocks - 1 - working.component[i]]++;
    for (i = 0; i < n; i++)
      column_place[i] = row_place[column_match[i]];
  }
  for (i = 0; i < matrix->m; i++)
    for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1] && !permi_watch_step(spy->watch, e, 20); e++) {
      const int j = matrix->column[e], known = square && !spy->singular;
      const int dead = square && (spy->singular || working.component[i] != working.component[n + j]);
      for (k = 0; k < 1 + square; k++) {
        const int row = k && known ? row_place[i] : i, column = k && known ? column_place[j] : j;
        const size_t down = (size_t)row * (size_t)spy->cells[0] / (size_t)matrix->m;
        const size_t across = (size_t)column * (size_t)spy->cells[1] / (size_t)n;
        ++*permi_spy_entries(spy, k, dead, (int)down, (int)across);
      }
    }
  if (square)
    permi_pool_release(&working.pool);
  return PERM_OK;
}

/* Takes the largest block with an order. Returns 0 without memory. */
static int permi_spy_elimination(permi_spy *spy)
{
  for (int i = 0; spy->job && i < spy->job->leaves; i++) {
    const permi_leaf *leaf = &spy->job->leaf[i];
    if ((leaf->run_task == permi_frontier_run || leaf->run_task == permi_arrays_run_task ||
         leaf->run_task == permi_sorting_run || leaf->run_task == permi_tree_task) &&
        (!spy->leaf || leaf->information.n > spy->leaf->information.n))
      spy->leaf = leaf;
  }
  if (!spy->leaf)
    return 1;
  const permi_frontier *frontier = (const permi_frontier *)spy->leaf->context;
  const permi_tree *tree = spy->leaf->run_task == permi_tree_task ? (const permi_tree *)spy->leaf->context : NULL;
  spy->steps = tree ? tree->nodes : frontier->steps;
  spy->width = (double *)permi_pool_zeros(&spy->pool, (size_t)spy->steps, sizeof(double));
  for (int p = 0; tree && p < spy->steps && spy->width; p++)
    spy->width[p] = permi_count_ones(tree->node[p].all) - 1;
  for (int v = 0; !tree && v < frontier->vertices && spy->width; v++)
    for (int p = frontier->birth[v]; p >= 0 && p < frontier->death[v]; p++)
      spy->width[p]++;
  return spy->width != NULL;
}

static perm_status permi_sparse_spy(const perm_matrix *matrix, const perm_options *options, const char *path,
                                    const char *name, perm_result *result)
{
  permi_control watch = permi_control_begin(options);
  perm_job *job = NULL;
  perm_result planned;
  permi_spy spy;
  int *numbers, most = PERMI_SPY_CELLS;
  permi_result_clear(result);
  if (!path)
    return permi_fail(result, PERM_ERROR_NULL, 3, "path is NULL");
  watch.activity = "drawing";
  perm_status status = permi_check_sparse(matrix, &watch, result);
  if (status != PERM_OK)
    return status;
  memset(&spy, 0, sizeof spy);
  spy.watch = &watch;
  spy.pool.allocator = &options->allocator;
  memset(&planned, 0, sizeof planned);
  status = permi_job_or_none(perm_sparse_job(matrix, options, &job, &planned), &job);
  if (status != PERM_OK && status != PERM_ERROR_LIMIT && status != PERM_ERROR_UNSUPPORTED &&
      status != PERM_ERROR_OVERFLOW && status != PERM_ERROR_SIZE)
    return permi_fail(result, status, planned.argument, "%s", planned.message);
  spy.matrix = matrix;
  spy.job = job;
  memcpy(spy.message, planned.message, sizeof spy.message);
  spy.name = name;
  if (matrix->m <= PERMI_SPY_EXACT && matrix->n <= PERMI_SPY_EXACT && matrix->nnz <= PERMI_SPY_ENTRIES)
    most = PERMI_SPY_EXACT;
  spy.cells[0] = permi_clamp(matrix->m, 0, most);
  spy.cells[1] = permi_clamp(matrix->n, 0, most);
  spy.entries = (unsigned *)permi_pool_zeros(&spy.pool, 4 * (size_t)spy.cells[0] * (size_t)spy.cells[1] + 1,
                                             sizeof *spy.entries);
  numbers = (int *)permi_pool_get(&spy.pool, 3 * (size_t)matrix->n + 2 + 2 * PERMI_SPY_OUTLINES, sizeof *numbers);
  if (!spy.pool.failed) {
    spy.first = numbers + 3 * (size_t)matrix->n + 2;
    spy.order = spy.first + PERMI_SPY_OUTLINES;
  }
  if (spy.pool.failed || permi_spy_matrix(&spy, numbers) != PERM_OK || !permi_spy_elimination(&spy))
    status = permi_fail_memory(result);
  else if (watch.stopped != PERM_OK)
    status = permi_fail_stopped(&watch, result);
  else
    status = permi_write_file(path, &options->allocator, permi_spy_print, &spy, result);
  permi_pool_release(&spy.pool);
  perm_job_free(job);
  return status;
}

PERM_MORE_API perm_status perm_sparse_spy(const perm_matrix *matrix, const perm_options *options_given,
                                          const char *path, const char *name, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  return permi_meter_end(&call, permi_sparse_spy(matrix, options, path, name, result), result);
}

/* ========================================================================================== >>points
   P(x) = per(C + x L) of integers: values at 0, 1, -1, 2, ..., as they are or modulo primes, interpolated by Newton
   modulo primes. The coefficients' moduli add up to per(|C| + |L|), at most the product of sums of lines. */

typedef enum permi_side_kind {
  PERMI_SIDE_MATRIX, PERMI_SIDE_ARRAY, PERMI_SIDE_ONES, PERMI_SIDE_IDENTITY
} permi_side_kind;
typedef struct permi_side { /* C or L */
  permi_side_kind kind;
  const perm_matrix *matrix;
  const double *real; /* of an array: this or the next */
  const int64_t *integer;
  ptrdiff_t ld;
} permi_side;

typedef struct permi_pencil_call {
  permi_side side[2];
  int m, n, parts, degree, alternates; /* alternates: per(x I - C) */
  int at[5];                           /* arguments: C, L, degree, options, coefficients */
  perm_integer *integers;
  double *values, *bounds;
  int forms; /* or 0; side[0]: C, L_1, .. one below the other; degree + 1 coefficients in all */
  const int *cuts;
} permi_pencil_call;

typedef struct permi_pencil {
  int m, n, parts, most, degree; /* most: P's degree, at most; degree: asked for */
  int certify, negative, shift;  /* negative: or complex entries; shift: log2 of C's size over L's */
  double largest[2];             /* modulus in C, in L */
  const perm_options *options;
  permi_control *watch;
  perm_result *result;
  permi_pool pool;
  permi_cell *cell;   /* two an entry: of C, of L */
  double *line_sum;   /* of rows, columns */
  perm_matrix matrix; /* entries at a point */
} permi_pencil;

/* Returns the column of a row's k-th entry; n or more: none. */
static int permi_side_entry(const permi_side *side, int i, size_t k, int n, int parts, permi_cell *cell)
{
  const ptrdiff_t at = (side->ld * i + (ptrdiff_t)k) * parts;
  const perm_matrix *matrix = side->matrix;
  int column = side->kind == PERMI_SIDE_IDENTITY ? k ? n : i : (int)k;
  *cell = permi_cell_one();
  if (matrix) {
    if (k >= matrix->row_start[i + 1] - matrix->row_start[i])
      return n;
    permi_matrix_entry(matrix, matrix->row_start[i] + k, cell);
    column = matrix->column[matrix->row_start[i] + k];
  } else if (side->kind == PERMI_SIDE_ARRAY && column < n) {
    cell->integer = side->integer ? side->integer[at] : 0;
    cell->imaginary_integer = side->integer && parts == 2 ? side->integer[at + 1] : 0;
    cell->real = side->real ? side->real[at] : (double)cell->integer;
    cell->imaginary = side->real && parts == 2 ? side->real[at + 1] : (double)cell->imaginary_integer;
  }
  cell->absolute = hypot(cell->real, cell->imaginary);
  return column;
}

/* Counts entries or, with pencil->cell, takes them. mark: columns with an L. */
static size_t permi_pencil_merge(permi_pencil *pencil, const permi_side *side, unsigned char *mark)
{
  size_t used = 0, k[2];
  int some, in_row, column[2];
  for (int i = 0; i < pencil->m && !permi_watch(pencil->watch, 50); i++, pencil->most += in_row) {
    if (pencil->cell)
      pencil->matrix.row_start[i] = used;
    for (k[0] = k[1] = 0, in_row = 0;; used += some != 0) {
      permi_cell cell[2];
      for (int s = 0; s < 2; s++)
        column[s] = permi_side_entry(&side[s], i, k[s], pencil->n, pencil->parts, &cell[s]);
      const int least = column[0] < column[1] ? column[0] : column[1];
      if (least >= pencil->n)
        break;
      some = 0;
      for (int s = 0; s < 2; s++) {
        if (column[s] != least)
          memset(&cell[s], 0, sizeof cell[s]);
        k[s] += column[s] == least;
        some |= cell[s].absolute > 0 ? 1 << s : 0;
        pencil->largest[s] = fmax(pencil->largest[s], cell[s].absolute);
        pencil->negative |= cell[s].real < 0 || cell[s].imaginary != 0;
      }
      if (!pencil->cell || !some)
        continue;
      memcpy(pencil->cell + 2 * used, cell, sizeof cell);
      pencil->matrix.column[used] = least;
      in_row |= some >> 1;
      mark[least] |= (unsigned char)(some >> 1);
    }
  }
  return used;
}

/* Returns 0 without memory. */
static int permi_pencil_open(permi_pencil *pencil, const permi_side *side)
{
  const size_t m = (size_t)pencil->m, n = (size_t)pencil->n, nnz = permi_pencil_merge(pencil, side, NULL);
  perm_matrix *matrix = &pencil->matrix;
  permi_pool *pool = &pencil->pool;
  unsigned char *mark = (unsigned char *)permi_pool_zeros(pool, n + 1, 1);
  int columns = 0;
  matrix->row_start = (size_t *)permi_pool_zeros(pool, m + 1, sizeof(size_t));
  matrix->column = (int *)permi_pool_get(pool, nnz + 1, sizeof(int));
  matrix->integer = (int64_t *)permi_pool_get(pool, nnz + 1, 8);
  matrix->real = (double *)permi_pool_get(pool, 2 * nnz + 1, 8);
  pencil->line_sum = (double *)permi_pool_get(pool, m + n + 1, sizeof(double));
  pencil->cell = (permi_cell *)permi_pool_get(pool, nnz + 1, 2 * sizeof(permi_cell));
  if (pool->failed)
    return 0;
  matrix->imaginary = matrix->real + nnz;
  pencil->most = 0;
  matrix->nnz = matrix->row_start[m] = permi_pencil_merge(pencil, side, mark);
  for (int j = 0; j < pencil->n; j++)
    columns += mark[j];
  pencil->most = columns < pencil->most ? columns : pencil->most;
  pencil->degree = pencil->degree < pencil->most ? pencil->degree : pencil->most;
  return 1;
}

/* Returns log2 of a bound on per(|C| + t |L|). */
static double permi_pencil_bits(permi_pencil *pencil, double t)
{
  const perm_matrix *matrix = &pencil->matrix;
  double bits[2] = {0, 0};
  memset(pencil->line_sum, 0, (size_t)(pencil->m + pencil->n) * sizeof(double));
  for (int i = 0; i < pencil->m; i++)
    for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++) {
      const double x = pencil->cell[2 * e].absolute + t * pencil->cell[2 * e + 1].absolute;
      pencil->line_sum[i] += x;
      pencil->line_sum[pencil->m + matrix->column[e]] += x;
    }
  for (int i = 0; i < pencil->m + pencil->n; i++)
    bits[i >= pencil->m] += log2(fmax(pencil->line_sum[i], 1));
  if (pencil->m != pencil->n)
    bits[0] = bits[1] = bits[pencil->m > pencil->n];
  return fmin(bits[0], bits[1]) * (1 + 1e-12) + 1e-9;
}

/* The matrix becomes C + x L, modulo p unless 0. */
static void permi_pencil_at(permi_pencil *pencil, int64_t x, uint64_t p)
{
  perm_matrix *matrix = &pencil->matrix;
  matrix->kind = pencil->parts == 2 ? PERM_KIND_COMPLEX : PERM_KIND_INTEGER;
  for (size_t e = 0; e < matrix->nnz; e++)
    for (int part = 0; part < pencil->parts; part++) {
      const permi_cell *cell = pencil->cell + 2 * e;
      const int64_t c = part ? cell[0].imaginary_integer : cell[0].integer;
      const int64_t l = part ? cell[1].imaginary_integer : cell[1].integer;
      const uint64_t lx = p ? permi_residue_multiply(permi_residue_of(l, p), permi_residue_of(x, p), p) : 0;
      const int64_t y = p ? (int64_t)permi_balanced(permi_residue_add(permi_residue_of(c, p), lx, 0, p), p) : c + l * x;
      (part ? matrix->imaginary : matrix->real)[e] = (double)y;
      matrix->integer[e] = part ? 0 : y;
    }
}

/* Sparse plans would take longer than its permanent. */
static int permi_pencil_is_dense(const permi_pencil *pencil)
{
  return 2.0 * (double)pencil->matrix.nnz > (double)pencil->m * pencil->n && pencil->m <= PERM_MAX_LINES &&
         pencil->n <= PERM_MAX_LINES;
}

/* Exactly, modulo `modulus` unless 0, or in doubles; job: only plans, unless NULL. */
static perm_status permi_pencil_permanent(const permi_pencil *pencil, int exact, uint64_t modulus, perm_job **job)
{
  permi_control *watch = pencil->watch;
  permi_inner inner = {watch, watch->done, watch->work_total / (pencil->most + 1)};
  perm_options one = *pencil->options;
  perm_result *result = pencil->result;
  permi_problem problem;
  void *entries = NULL;
  perm_status status = PERM_OK;
  one.method = PERM_METHOD_AUTO;
  one.precision = exact ? PERM_PRECISION_EXACT : one.precision;
  one.certify = !exact && pencil->certify;
  one.modulus = modulus;
  one.progress = one.progress ? permi_inner_progress : NULL;
  one.user_data = &inner;
  if (one.max_seconds > 0)
    one.max_seconds = fmax(watch->deadline - permi_seconds(), 1e-9);
  if (permi_pencil_is_dense(pencil)) {
    status = permi_sparse_array(&pencil->matrix, &one.allocator, exact, &problem, &entries, result);
    if (status == PERM_OK)
      status = job ? permi_problem_job(&problem, 2, &one, job, result) : permi_compute_array(&problem, &one, result);
    permi_release(&one.allocator, entries);
  } else {
    status = job ? perm_sparse_job(&pencil->matrix, &one, job, result)
                 : perm_compute_sparse(&pencil->matrix, &one, result);
  }
  if (status > 0 && status != PERM_TOLERANCE_NOT_MET && watch->stopped == PERM_OK)
    watch->stopped = status;
  return status == PERM_TOLERANCE_NOT_MET ? PERM_OK : status;
}

static double permi_pencil_seconds(const permi_pencil *pencil, int exact, uint64_t modulus, perm_status *status)
{
  perm_job *job = NULL;
  double seconds = (double)INFINITY;
  *status = permi_pencil_permanent(pencil, exact, modulus, &job);
  if (*status == PERM_OK)
    seconds = permi_job_seconds(job);
  perm_job_free(job);
  return seconds;
}

/* Lowers *bits to a proved log2 of per(|C| + r |L|). */
static perm_status permi_pencil_moduli(permi_pencil *pencil, double r, double *bits)
{
  const int certify = pencil->certify;
  const perm_result *result = pencil->result;
  pencil->matrix.kind = PERM_KIND_REAL;
  for (size_t e = 0; e < pencil->matrix.nnz; e++)
    pencil->matrix.real[e] = pencil->cell[2 * e].absolute + r * pencil->cell[2 * e + 1].absolute;
  pencil->certify = 1;
  const perm_status status = permi_pencil_permanent(pencil, 0, 0, NULL);
  pencil->certify = certify;
  if (status == PERM_OK) /* sums are rounded */
    *bits = fmin(*bits, log2(result->value + result->error_bound) + (double)result->exp2 + 1e-9);
  return status;
}

static perm_status permi_pencil_overflows(const permi_pencil *pencil, double bits)
{
  return permi_fail(pencil->result, PERM_ERROR_OVERFLOW, 0, "the coefficients may need %.0f bits, more than %d",
                    bits + 2, 64 * PERM_INTEGER_WORDS);
}

/* planning: why seconds may be INFINITY. */
static perm_status permi_pencil_may(const permi_pencil *pencil, double seconds, perm_status planning)
{
  const perm_options *options = pencil->options;
  pencil->watch->work_total = seconds;
  pencil->watch->activity = "computing a polynomial";
  if (pencil->watch->stopped != PERM_OK)
    return pencil->watch->stopped;
  if (seconds == (double)INFINITY)
    return permi_fail(pencil->result, planning < 0 ? planning : PERM_ERROR_LIMIT, 0, "polynomial: no engine, %s",
                      options->method == PERM_METHOD_FRONTIER
                          ? "the frontier takes real integers, or numbers >= 0, with few states"
                          : perm_status_text(planning));
  if (options->max_seconds > 0 && seconds > pencil->watch->deadline - permi_seconds())
    return permi_fail(pencil->result, PERM_ERROR_LIMIT, 0, "polynomial: %s predicted, more than max_seconds = %.3g",
                      permi_time_words(seconds).text, options->max_seconds);
  return PERM_OK;
}

static int64_t permi_point(int j)
{
  return j & 1 ? j / 2 + 1 : -(j / 2);
}

/* Values as they are. */
static int permi_points_fit(permi_pencil *pencil)
{
  const double last = (pencil->most + 1) / 2;
  return pencil->largest[0] + last * pencil->largest[1] < ldexp(1, pencil->parts == 2 ? 53 : 62) &&
         permi_pencil_bits(pencil, last) <= 64 * PERM_INTEGER_WORDS - 2;
}

/* Below 2^50: doubles have Gaussian entries modulo these. */
static int permi_points_primes(double bits)
{
  return (int)((bits + 1) / 49.99) + 1;
}

static double permi_points_seconds(permi_pencil *pencil, double bits, int modular, perm_status *status)
{
  const uint64_t modulus = modular ? UINT64_C(1) << 50 : 0;
  permi_pencil_at(pencil, (pencil->most + 1) / 2, modulus);
  return (pencil->most + 1) * permi_pencil_seconds(pencil, 1, modulus, status) *
         (modular ? permi_points_primes(bits) : 1);
}

/* Values become coefficients. inverse: room for `most` + 1. */
static void permi_points_interpolate(uint64_t *f, int most, const permi_odd_modulus *prime, uint64_t *inverse)
{
  const uint64_t p = prime->p;
  for (int k = 1; k <= most; k++) /* 2^64 / k */
    inverse[k] = permi_prime_inverse((uint64_t)k, prime);
  for (int k = 1; k <= most; k++)
    for (int i = most; i >= k; i--) {
      const int64_t apart = permi_point(i) - permi_point(i - k);
      const uint64_t rise = permi_residue_add(f[i - (apart < 0)], f[i - (apart > 0)], 1, p);
      f[i] = permi_montgomery(rise, inverse[apart < 0 ? -apart : apart], prime);
    }
  for (int k = most - 1; k >= 0; k--)
    for (int i = k; i < most; i++)
      f[i] = permi_residue_add(f[i], permi_residue_multiply(f[i + 1], permi_residue_of(permi_point(k), p), p), 1, p);
}

/* word: 2 (primes + 1). */
static void permi_chinese_integer(const permi_odd_modulus *prime, const uint64_t *residue, int primes, uint64_t *word,
                                  perm_integer *number)
{
  const size_t words = (size_t)primes + 1;
  memset(number, 0, sizeof *number);
  number->negative = permi_chinese_remainder(prime, residue, primes, word, word + words);
  memcpy(number->word, word, 8 * (words < PERM_INTEGER_WORDS ? words : PERM_INTEGER_WORDS));
  permi_integer_trim(number);
}

/* Sets coefficients below 2^bits. */
static perm_status permi_points_run(permi_pencil *pencil, double bits, int modular, perm_integer *numbers)
{
  const int parts = pencil->parts, primes = permi_points_primes(bits), runs = modular ? primes : 1;
  const size_t points = (size_t)pencil->most + 1, words = (size_t)primes + 1, count = (size_t)(pencil->degree + 1);
  permi_control *watch = pencil->watch;
  permi_pool *pool = &pencil->pool;
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_pool_get(pool, words, sizeof *prime);
  uint64_t *residue = (uint64_t *)permi_pool_zeros(pool, 2 * count * words, sizeof *residue);
  uint64_t *f = (uint64_t *)permi_pool_get(pool, 3 * points + 2 * words, sizeof *f);
  perm_integer *value = (perm_integer *)permi_pool_get(pool, 2 * points, sizeof *value);
  perm_status status = pool->failed ? PERM_ERROR_MEMORY : PERM_OK;
  if (status == PERM_OK)
    permi_primes_choose(prime, (size_t)primes, 0, 50);
  for (int q = 0; q < primes && status == PERM_OK; q++) {
    for (size_t j = 0; j < points && status == PERM_OK && q < runs; j++) {
      permi_pencil_at(pencil, permi_point((int)j), modular ? prime[q].p : 0);
      status = permi_pencil_permanent(pencil, 1, modular ? prime[q].p : 0, NULL);
      value[j] = pencil->result->integer;
      value[points + j] = pencil->result->imaginary_integer;
      watch->done = watch->work_total * ((double)q * (double)points + (double)(j + 1)) / ((double)points * runs);
      if (status == PERM_OK && permi_watch(watch, PERMI_WATCH_UNITS))
        status = watch->stopped;
    }
    for (int part = 0; part < parts && status == PERM_OK; part++) {
      const perm_integer *x = value + (size_t)part * points;
      for (size_t j = 0; j < points; j++)
        f[j] = permi_words_residue(x[j].word, x[j].words, x[j].negative, prime[q].p);
      permi_points_interpolate(f, pencil->most, &prime[q], f + points);
      for (size_t j = 0; j < count; j++)
        residue[(j * (size_t)parts + (size_t)part) * (size_t)primes + (size_t)q] = f[j];
      if (permi_watch(watch, 10.0 * (double)points * (double)points))
        status = watch->stopped;
    }
  }
  for (size_t j = 0; j < count * (size_t)parts && status == PERM_OK; j++)
    permi_chinese_integer(prime, residue + j * (size_t)primes, primes, f + 3 * points, &numbers[j]);
  return status;
}

/* ==================================================================================== >>coefficients
   Polynomials in >>arrays: K words a state, the coefficients of x^0, x^1, ..; a block has its states' coefficients of
   x^0, then of x^1, .. An entry c + l x adds c times a value and l times one of a power less. Coefficients are modulo
   primes or, of entries >= 0, doubles. With fewer rows than columns these are free (>>reduce). */

#define PERMI_COEFFICIENT_DENSE 10       /* order */
#define PERMI_COEFFICIENT_WIDE 14        /* slots: below it tables take longer than values, with more bits than */
#define PERMI_COEFFICIENT_LOW 8
#define PERMI_COEFFICIENT_BYTES 1e6      /* several primes at once take no more */
#define PERMI_COEFFICIENT_SECONDS 1.2e-9 /* a block's coefficient; a block's way; a word of a way's table */
#define PERMI_COEFFICIENT_BLOCK_SECONDS 1.8e-8
#define PERMI_COEFFICIENT_TABLE_SECONDS 4.5e-9

typedef struct permi_coefficients {
  permi_working working;
  permi_block block;
  permi_frontier *frontier;
  const permi_cell *cell; /* two an edge's integer, of C and L; NULL: rook numbers (>>rook) */
  permi_cell *alone;      /* two a row, or NULL: 1 and x */
  int degree, shift[2];   /* entries become c 2^-shift[0], l 2^-shift[1] */
  int turned, bits;       /* turned: columns alone, not rows, weigh x; bits: of primes */
  double most;            /* log2 of a bound on integers; 0: doubles */
  double seconds, roundings, ways; /* of a pass; of a coefficient; terms of all values */
} permi_coefficients;

typedef struct permi_coefficients_run {
  permi_arrays_run base;
  permi_block_kernel kernel[2];   /* second: of moduli above `most` */
  const permi_odd_modulus *prime; /* of a pass, or NULL: doubles */
  int primes, room;               /* room: of a value, for so many primes */
  double most;
} permi_coefficients_run;

/* given: a run's. */
static void permi_coefficients_block(const permi_numbers *given, void *to, size_t count, const permi_origin *origin,
                                     int origins)
{
  const permi_coefficients_run *run =
      (const permi_coefficients_run *)(const void *)((const char *)given - offsetof(permi_arrays_run, numbers));
  permi_origin *way = run->base.origin + (origin - run->base.origin) + origins;
  const size_t room = (size_t)run->room, before = run->base.from / 8 / room, words = run->base.bytes / 8 / room;
  permi_numbers numbers = *given;
  for (int q = 0; q < run->primes; q++) {
    double *y = (double *)to + (size_t)q * words * count, weight = 0;
    const uint64_t p = run->prime ? run->prime[q].p : 0;
    int constants = 0, ways = 0, moves = 0;
    for (int side = 0; side < 2; side++) {
      constants = ways;
      for (int s = 0; s < origins; s++) {
        const int64_t x = origin[s].c->integer[side];
        const double real = !p                              ? (side ? origin[s].c->imaginary : origin[s].c->real)
                            : x < 1 << 30 && x > -(1 << 30) ? (double)x : permi_balanced(permi_residue_of(x, p), p);
        if (real == 0)
          continue;
        way[ways] = origin[s];
        way[ways].x = (const double *)origin[s].x + (size_t)q * before * origin[s].count;
        way[ways++].real = real;
        moves |= origin[s].place != NULL;
        weight += fabs(real);
      }
    }
    const permi_block_kernel kernel = run->kernel[weight > run->most];
    numbers.modulus = p;
    for (size_t k = 0, more; k < words; k += more) { /* without places coefficients follow each other */
      const int first = k < before ? 0 : constants, last = k ? ways : constants;
      more = k && k < before ? (before < words ? before : words) - k : 1;
      numbers.words = moves ? (int)more : 1;
      kernel(&numbers, y + k * count, moves ? count : more * count, way + first, last - first);
      for (int s = first; s < last; s++)
        way[s].x = (const double *)way[s].x + more * way[s].count;
    }
  }
}

/* Sets c and l of a stream. */
static void permi_coefficients_cells(const permi_coefficients *plan, int stream, permi_cell *cell)
{
  const int e = plan->frontier->entry[stream], v = -1 - e, stays = e < 0 && e != INT_MIN;
  const int is_row = stays && v < plan->block.n;
  const permi_cell *from = e >= 0 ? plan->cell : plan->alone;
  const int64_t entry = e >= 0 ? plan->block.integer[e] : v + 1;
  memset(cell, 0, 2 * sizeof *cell);
  if ((e >= 0 || is_row) && from)
    memcpy(cell, from + 2 * (entry - 1), 2 * sizeof *cell);
  else if (e >= 0)
    cell->real = (double)(cell->integer = entry);
  else
    cell[stays && !plan->cell && is_row != plan->turned] = permi_cell_one();
  for (int k = 0; k < 2 && e >= 0; k++)
    cell[k].real = ldexp(cell[k].real, -plan->shift[k]);
}

/* Sets words and coefficients, what a pass takes and loses. mark: of vertices with an L. */
static void permi_coefficients_fill(permi_coefficients *plan, unsigned char *mark)
{
  permi_frontier *frontier = plan->frontier;
  const permi_arrays *arrays = frontier->arrays;
  const double each = permi_residue_seconds[permi_lanes_row(arrays->isa)][0];
  int touched[2] = {0, 0}, words = 1;
  memset(mark, 0, (size_t)plan->block.vertices);
  plan->seconds = plan->roundings = plan->ways = 0;
  for (int p = 0; p <= frontier->steps; p++) {
    const double *cost = frontier->cost + p, states = frontier->states[p];
    int grows = 0;
    frontier->words[p] = frontier->numbers.words = words;
    plan->roundings++;
    if (p > 0) {
      const double streams = frontier->stream_start[p] - frontier->stream_start[p - 1];
      const double blocks = fmin(states, states / 64 + arrays->low), bits = permi_count_ones(arrays->occupied[p]);
      plan->seconds += PERMI_STEP_SECONDS + streams * (blocks * PERMI_COEFFICIENT_BLOCK_SECONDS +
                                                       ldexp(PERMI_COEFFICIENT_TABLE_SECONDS,
                                                             (int)fmin(bits, arrays->low))) +
                       words * ((cost[0] - cost[-1]) * each + blocks * PERMI_COEFFICIENT_SECONDS +
                                (8 * states * words > PERMI_ARRAY_CACHE_BYTES ? 16 * states * PERMI_ARRAY_MISS_SECONDS
                                                                              : 0));
    }
    for (int s = frontier->stream_start[p]; p < frontier->steps && s < frontier->stream_start[p + 1]; s++) {
      permi_coefficient *c = &frontier->coefficient[s];
      permi_cell cell[2];
      const int end[2] = {frontier->sequence[p], frontier->partner[s]};
      permi_coefficients_cells(plan, s, cell);
      plan->roundings += 2;
      plan->ways += 2 * frontier->states[p + 1];
      c->integer[0] = cell[0].integer;
      c->integer[1] = cell[1].integer;
      c->real = cell[0].real;
      c->imaginary = cell[1].real;
      grows |= c->imaginary != 0;
      for (int k = 0; k < 2 && c->imaginary != 0; k++) {
        const int v = end[k], side = v < 0 ? *end < plan->block.n : v >= plan->block.n; /* -1: a line of its own */
        touched[side] += v < 0 || !mark[v];
        mark[v < 0 ? *end : v] = 1;
      }
    }
    words += grows;
    for (int k = 0; k < 2; k++)
      words = words > touched[k] + 1 ? touched[k] + 1 : words;
    words = words > plan->degree + 1 ? plan->degree + 1 : words;
  }
}

/* Sets an order by least degree, of a tree's vertices after those of its parts; returns 0 if there is none. */
static int permi_coefficients_first(const permi_block *block, const perm_allocator *allocator, permi_control *watch,
                                    int *order)
{
  permi_tree like, *tree = NULL;
  permi_tree_graph graph;
  memset(&like, 0, sizeof like);
  like.numbers.words = like.size = 1;
  like.numbers.algebra = PERMI_WORD;
  like.nodes = block->vertices;
  memset(&graph, 0, sizeof graph);
  graph.allocator = allocator;
  graph.watch = watch;
  graph.seed = UINT64_C(88172645463325252);
  if (permi_tree_order(&graph, block, 0, (double)INFINITY) == PERM_OK)
    tree = permi_tree_new(allocator, &like, block->free_lines);
  const int found = tree && permi_tree_build(block, &graph, 0, tree) && watch->stopped == PERM_OK;
  if (found)
    memcpy(order, tree->vertex, (size_t)block->vertices * sizeof *order);
  permi_owned_release(allocator, tree);
  permi_tree_graph_release(&graph);
  return found;
}

/* Of the listed lines. The order has `room`; plan->seconds: INFINITY: none. */
static perm_status permi_coefficients_frontier(permi_coefficients *plan, const perm_options *options,
                                               permi_control *watch, const int *line, const int *counts, int *order)
{
  const permi_account account = {watch, watch->worked, 0, PERMI_PLAN_SECONDS, PERMI_PLAN_SECONDS, PERMI_GREEDY_SHARE,
                                 permi_account_most(options)};
  const permi_exactness exactness = {0, 0, 3, 0};
  const perm_isa isa = permi_isa(options);
  const double bytes = options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES;
  const double words = 1 + fmin(plan->degree, fmin(counts[0], counts[1]));
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_budget budget;
  double cost = 0;
  plan->seconds = (double)INFINITY;
  if (!permi_block_create(&plan->working, line, line + counts[0], counts[0], counts[1], &plan->block))
    return PERM_ERROR_MEMORY;
  double *binomial = permi_binomials(&options->allocator, plan->working.n);
  unsigned char *mark = (unsigned char *)permi_pool_get(&pool, (size_t)plan->block.vertices, 1);
  memset(&budget, 0, sizeof budget);
  budget.effort = options->plan_effort > 0 ? options->plan_effort : 1;
  budget.most = 0.05 * bytes / words;
  budget.rival = (double)INFINITY;
  budget.each = budget.quick = 0.5 * words * permi_residue_seconds[permi_lanes_row(isa)][0] * fmax(plan->most / 48, 1);
  budget.quick_width = PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH;
  budget.account = &account;
  int *first = (int *)permi_pool_get(&pool, (size_t)plan->block.vertices, sizeof *first);
  if (first && permi_coefficients_first(&plan->block, &options->allocator, watch, first))
    budget.first[0] = first;
  perm_status status = PERM_ERROR_MEMORY;
  if (!pool.failed && binomial && permi_order(&options->allocator, &plan->block, binomial, &budget, order, &cost))
    status = cost >= PERMI_ORDER_MOST ? PERM_ERROR_LIMIT
                                      : permi_frontier_create(&options->allocator, &plan->block, order, binomial,
                                                              &exactness, watch, &plan->frontier);
  permi_frontier *frontier = plan->frontier;
  if (status == PERM_OK) {
    frontier->words = (int *)permi_pool_get(&frontier->owned.pool, (size_t)frontier->steps + 1, sizeof(int));
    frontier->numbers.algebra = PERMI_WORDS;
    frontier->numbers.parts = 1;
    if (!frontier->words ||
        !permi_arrays_create(&plan->block, frontier, isa == PERM_ISA_CUDA ? perm_isa_best() : isa,
                             frontier->slot_count < PERMI_COEFFICIENT_WIDE ? PERMI_COEFFICIENT_LOW : PERMI_ARRAY_LOW,
                             watch))
      status = PERM_ERROR_MEMORY;
  }
  if (status == PERM_OK && frontier->arrays) {
    const double ways = 2 * permi_frontier_streams_most(frontier);
    for (; 1.25 * ways * (ldexp(1, plan->bits - 1) + 1) > PERMI_ARRAY_RESIDUE_ROOM; plan->bits--)
      ;
    permi_coefficients_fill(plan, mark);
    if (!plan->cell) {
      const double rows = plan->seconds;
      plan->turned = 1;
      permi_coefficients_fill(plan, mark);
      plan->turned = plan->seconds < rows;
      permi_coefficients_fill(plan, mark);
    }
    if (!permi_places_measure(frontier, watch))
      status = PERM_ERROR_MEMORY;
    else if ((options->max_bytes > 0 || options->method == PERM_METHOD_AUTO) &&
             permi_arrays_bytes(frontier->arrays) > bytes)
      plan->seconds = (double)INFINITY;
  }
  permi_release(&options->allocator, binomial);
  permi_pool_release(&pool);
  return watch->stopped != PERM_OK ? watch->stopped : status == PERM_ERROR_LIMIT ? PERM_OK : status;
}

/* Plans a real pencil. plan->seconds: INFINITY: no plan; 0, without a frontier: P is 0. The caller releases the cleared
   plan. */
static perm_status permi_coefficients_plan(permi_pencil *pencil, permi_coefficients *plan)
{
  const int m = permi_matrix_shorter(&pencil->matrix), n = permi_matrix_longer(&pencil->matrix);
  permi_working *working = &plan->working;
  int *line = (int *)permi_pool_get(&pencil->pool, 4 * (size_t)n + 1, sizeof *line), counts[2] = {0, 0}, zero = 0;
  perm_status status = PERM_OK;
  plan->seconds = (double)INFINITY;
  plan->degree = pencil->degree;
  plan->cell = pencil->cell;
  if (!m || pencil->parts == 2 || pencil->options->method == PERM_METHOD_EXACT ||
      (pencil->options->method == PERM_METHOD_AUTO && m > PERMI_COEFFICIENT_DENSE && permi_pencil_is_dense(pencil)))
    return PERM_OK;
  pencil->matrix.kind = PERM_KIND_INTEGER;
  for (size_t e = 0; e < pencil->matrix.nnz; e++)
    pencil->matrix.integer[e] = (int64_t)e + 1;
  if (pencil->pool.failed || !permi_working_create(working, &pencil->options->allocator, n, pencil->matrix.nnz))
    return PERM_ERROR_MEMORY;
  working->watch = pencil->watch;
  working->zeros = m < n;
  working->keep = fmax(pencil->largest[0], pencil->largest[1]) * n >= ldexp(1, 62);
  permi_sparse_fill(&pencil->matrix, 1, pencil->m > pencil->n, working);
  if (m < n)
    status = permi_prepare_free(working, m, 1, 1, &zero);
  else
    zero = !permi_split(working);
  if (zero || status != PERM_OK || pencil->watch->stopped != PERM_OK) {
    plan->seconds = 0;
    return pencil->watch->stopped != PERM_OK ? pencil->watch->stopped : status;
  }
  for (int v = 0; v < 2 * n; v++) {
    line[counts[0] + counts[1]] = v;
    counts[v >= n] += working->degree[v] >= 0;
  }
  if (m < n)
    plan->alone = (permi_cell *)permi_pool_zeros(&pencil->pool, 2 * (size_t)m, sizeof *plan->alone);
  if (pencil->pool.failed)
    return PERM_ERROR_MEMORY;
  for (int v = 0; v < m && m < n; v++) {
    const permi_cell *alone = &working->alone[line[v]];
    for (int i = alone->vertex[1] ? alone->next[0] : -1; i >= 0; i = working->cell[i].next[0])
      for (int k = 0; k < 2; k++) {
        const permi_cell *cell = &pencil->cell[2 * (working->cell[i].integer - 1) + k];
        plan->alone[2 * v + k].integer += cell->integer;
        plan->alone[2 * v + k].real += ldexp(cell->real, -plan->shift[k]);
      }
  }
  return permi_coefficients_frontier(plan, pencil->options, pencil->watch, line, counts, line + 2 * n + 1);
}

static int permi_coefficients_primes(const permi_coefficients *plan, double bits)
{
  return (int)((bits + 1) / (plan->bits - PERMI_ARRAY_RESIDUE_MARGIN)) + 1;
}

/* Modulo `primes` of as many as have room, or in doubles. */
static perm_status permi_coefficients_pass(permi_coefficients_run *run, const permi_odd_modulus *prime, int primes)
{
  const permi_frontier *frontier = run->base.frontier;
  const perm_isa isa = frontier->arrays->isa;
  run->prime = prime;
  run->primes = primes;
  run->most = prime ? PERMI_ARRAY_RESIDUE_ROOM / (0.5 * (double)prime->p + 1) * (1 - 1e-12) : (double)INFINITY;
  run->kernel[0] = prime ? PERMI_OF_X86(permi_block_short, isa) : PERMI_OF_X86(permi_block_double, isa);
  run->kernel[1] = PERMI_OF_X86(permi_block_long, isa);
  permi_layout_fill(run->base.arrays, &run->base.layout[0], 0, 0, 0);
  permi_places_start(run->base.places);
  permi_arrays_shorten(&run->base, 0);
  for (int q = 0; q < primes; q++)
    ((double *)(void *)permi_array_values(&run->base, 0, 0))[q] = 1;
  const perm_status status = permi_runner_go(&run->base.base, 0, frontier->steps, permi_arrays_advance);
  if (status > 0)
    run->base.base.control->stopped = status;
  return status;
}

/* Returns 0 without memory. */
static int permi_coefficients_open(permi_coefficients *plan, int room, permi_control *watch,
                                   permi_coefficients_run *run)
{
  memset(run, 0, sizeof *run);
  run->base.own = permi_coefficients_block;
  run->room = room;
  for (int p = 0; p <= plan->frontier->steps; p++)
    plan->frontier->words[p] *= room;
  return (room == 1 || permi_places_measure(plan->frontier, watch)) &&
         permi_arrays_open(&run->base, plan->frontier, watch, plan->seconds * room);
}

static void permi_coefficients_close(permi_coefficients_run *run, perm_result *result)
{
  result->terms = run->base.base.visited;
  result->threads = run->base.base.threads;
  permi_pool_release(&run->base.base.pool);
}

/* Lowers *bits, below 1000, to log2 of the sum of all coefficients' moduli, or more. */
static perm_status permi_coefficients_lower(permi_coefficients *plan, permi_control *watch, double *bits,
                                            perm_result *result)
{
  permi_frontier *frontier = plan->frontier;
  int *const words = frontier->words;
  permi_coefficients_run run;
  perm_status status = PERM_ERROR_MEMORY;
  frontier->words = (int *)permi_pool_get(&frontier->owned.pool, (size_t)frontier->steps + 1, sizeof(int));
  for (int p = 0; p <= frontier->steps && frontier->words; p++)
    frontier->words[p] = 1;
  for (int s = 0; s < frontier->stream_start[frontier->steps]; s++) {
    permi_coefficient *c = &frontier->coefficient[s];
    c->real = fabs((double)c->integer[0]) + fabs((double)c->integer[1]);
    c->imaginary = 0;
  }
  if (frontier->words && permi_coefficients_open(plan, 1, watch, &run))
    status = permi_coefficients_pass(&run, NULL, 1);
  if (status == PERM_OK) /* fewer than 1e9 roundings */
    *bits = fmax(0, fmin(*bits, log2(*(double *)(void *)permi_arrays_last(&run.base)) + 1e-6));
  if (frontier->words)
    permi_coefficients_close(&run, result);
  frontier->words = words;
  return status;
}

/* Sets integers below 2^bits or, of entries >= 0, doubles. */
static perm_status permi_coefficients_compute(permi_coefficients *plan, permi_control *watch, double bits,
                                              perm_integer *numbers, double *doubles, perm_result *result)
{
  const int primes = doubles ? 1 : permi_coefficients_primes(plan, bits), steps = plan->frontier->steps;
  const int most = (int)fmin(primes, fmax(1, PERMI_COEFFICIENT_BYTES / plan->frontier->arrays->bytes));
  const int passes = (primes + most - 1) / most, room = (primes + passes - 1) / passes;
  const int values = plan->frontier->words[steps];
  const size_t words = (size_t)primes + 1, count = (size_t)plan->degree + 1;
  permi_pool pool = {&watch->options->allocator, NULL, 0};
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_pool_get(&pool, words, sizeof *prime);
  uint64_t *residue = (uint64_t *)permi_pool_zeros(&pool, words * (count + 2), sizeof *residue);
  permi_coefficients_run run;
  perm_status status = PERM_ERROR_MEMORY;
  if (permi_coefficients_open(plan, room, watch, &run) && !pool.failed) {
    permi_primes_choose(prime, (size_t)primes, 0, plan->bits);
    status = PERM_OK;
  }
  for (int q = 0; q < primes && status == PERM_OK; q += room) {
    const int some = primes - q < room ? primes - q : room;
    run.base.again = q > 0;
    run.base.seconds_before = q * plan->seconds;
    status = permi_coefficients_pass(&run, doubles ? NULL : prime + q, some);
    const double *x = (const double *)(void *)permi_arrays_last(&run.base);
    for (int k = 0; k < some * values && status == PERM_OK; k++) {
      const int which = q + k / values;
      if (doubles)
        doubles[k] = x[k];
      else
        residue[(size_t)(k % values * primes + which)] = permi_residue_of_double(x[k], prime[which].p);
    }
  }
  for (size_t k = 0; k < count && status == PERM_OK && numbers; k++)
    permi_chinese_integer(prime, residue + k * (size_t)primes, primes, residue + count * words, &numbers[k]);
  permi_coefficients_close(&run, result);
  result->isa = plan->frontier->arrays->isa;
  permi_pool_release(&pool);
  return status;
}

/* ========================================================================================== >>circle
   Coefficients in doubles: by >>coefficients, or by values at the N roots of unity times r = 2^shift, N - 1 at least
   the degree: a_k is r^-k times their discrete Fourier transform. Of real pencils half the points are enough.
   THE BOUND, u = 2^-53:
   1. Of entries that are not negative every term of a sum is positive: a coefficient is wrong by gamma(roundings) of
      itself, and by what underflow loses, 2^-1074 a term, times at most 2^room, what other rows have.
   2. Else, with M >= per(|C| + r |L|) >= |P(x_j)|: a root is wrong by 12 u, so an entry c + l x_j by 16 u (|c| + r
      |l|), and a permanent by ((1 + 16 u)^lines - 1) M, besides its own error_bound. A term of the transform is a
      product with a root, and one of N: (N + 20) u (M + its error) for all. a_k is wrong by r^-k times the mean. */

/* log2 of a bound on sums of products of rows, of entries of at most 1. */
static int permi_circle_room(const permi_pencil *pencil)
{
  double bits = 2;
  for (int i = 0; i < pencil->m; i++)
    bits += log2(2.0 * (double)(pencil->matrix.row_start[i + 1] - pencil->matrix.row_start[i]) + 1);
  return (int)fmin(bits, 1e6);
}

static void permi_circle_at(permi_pencil *pencil, double re, double im)
{
  perm_matrix *matrix = &pencil->matrix;
  matrix->kind = pencil->parts == 2 || im != 0 ? PERM_KIND_COMPLEX : PERM_KIND_REAL;
  for (size_t e = 0; e < matrix->nnz; e++) {
    const permi_cell *c = pencil->cell + 2 * e, *l = c + 1;
    matrix->real[e] = c->real + (l->real * re - l->imaginary * im);
    matrix->imaginary[e] = c->imaginary + (l->real * im + l->imaginary * re);
  }
}

static perm_status permi_circle_run(permi_pencil *pencil, double *values, double *bounds)
{
  const int N = pencil->most + 1, parts = pencil->parts, last = parts == 1 ? N / 2 : N - 1;
  const int lines = pencil->m < pencil->n ? pencil->m : pencil->n;
  const double r = ldexp(1, pencil->shift);
  double *root = (double *)permi_pool_get(&pencil->pool, 4 * (size_t)N, sizeof *root), *value = root + 2 * N;
  double bits = (double)INFINITY, error = 0, most;
  perm_result *result = pencil->result;
  perm_status status = root ? permi_pencil_moduli(pencil, r, &bits) : PERM_ERROR_MEMORY;
  const long long unit = bits > -1e9 && bits < 1e9 ? (long long)ceil(bits) : 0;
  most = bits < 1e9 ? exp2(bits - (double)unit) : bits;
  for (size_t e = 0; e < pencil->matrix.nnz; e++) /* a denormal r l is not rounded by u */
    most = pencil->cell[2 * e + 1].absolute > 0 && !(pencil->matrix.real[e] > 4 * DBL_MIN) ? (double)INFINITY : most;
  for (int j = 0; j <= last && status == PERM_OK; j++) {
    const double angle = 6.283185307179586 * (2 * j > N ? j - N : j) / N;
    root[2 * j] = cos(angle);
    root[2 * j + 1] = 2 * j % N ? sin(angle) : 0;
    permi_circle_at(pencil, r * root[2 * j], r * root[2 * j + 1]);
    status = permi_pencil_permanent(pencil, 0, 0, NULL);
    bits = (parts == 1 && j > 0 && 2 * j < N ? 2.0 : 1.0) / N; /* its weight */
    value[2 * j] = bits * permi_ldexp(result->value, result->exp2 - unit);
    value[2 * j + 1] = bits * permi_ldexp(result->imaginary, result->exp2 - unit);
    error += bits * permi_ldexp(result->error_bound, result->exp2 - unit);
    pencil->watch->done = pencil->watch->work_total * (j + 1) / (last + 1);
    status = status == PERM_OK && permi_watch(pencil->watch, PERMI_WATCH_UNITS) ? pencil->watch->stopped : status;
  }
  error += expm1(lines * log1p(16 * PERMI_UNIT)) * most + (N + 20) * PERMI_UNIT * (most + error);
  for (int k = 0; k <= pencil->degree && status == PERM_OK; k++) {
    const long long shift = unit - (long long)pencil->shift * k;
    double sum[2] = {0, 0};
    for (int j = 0; j <= last; j++) {
      const int at = (int)((long long)j * k % N), other = parts == 1 && 2 * at > N;
      const double *w = root + 2 * (other ? N - at : at), *v = value + 2 * j, im = other ? -w[1] : w[1];
      sum[0] += v[0] * w[0] + v[1] * im;
      sum[1] += v[1] * w[0] - v[0] * im;
    }
    for (int j = 0; j < parts; j++)
      values[k * parts + j] = permi_ldexp(sum[j], shift);
    bounds[k] = permi_ldexp(error * (1 + 1e-9), shift) + DBL_MIN;
  }
  return status;
}

static perm_status permi_circle_compute(permi_pencil *pencil, permi_coefficients *plan, double *values, double *bounds)
{
  perm_status status = PERM_OK, planning = PERM_ERROR_LIMIT;
  double points = (double)INFINITY;
  if (pencil->largest[1] > 0)
    pencil->shift = permi_exponent(pencil->largest[0] > 0 ? fmax(pencil->largest[0], 1e-280) : 0) -
                    permi_exponent(pencil->largest[1]);
  pencil->shift = pencil->shift < -500 ? -500 : pencil->shift > 500 ? 500 : pencil->shift;
  plan->seconds = points;
  plan->shift[0] = permi_exponent(pencil->largest[0]);
  plan->shift[1] = plan->shift[0] - pencil->shift;
  if (!pencil->negative && permi_circle_room(pencil) < 900)
    status = permi_coefficients_plan(pencil, plan);
  const int huge = fmax(pencil->largest[0], ldexp(pencil->largest[1], pencil->shift)) > 2e307;
  if (status == PERM_OK && huge && plan->seconds == points)
    return permi_fail(pencil->result, PERM_ERROR_UNSUPPORTED, 0, "entries are beyond 2e307: scale them");
  if (status == PERM_OK && pencil->options->method != PERM_METHOD_FRONTIER && !huge) {
    permi_circle_at(pencil, ldexp(0.75, pencil->shift), pencil->most > 1 ? ldexp(0.66, pencil->shift) : 0);
    points = (pencil->most + 2) * (pencil->parts == 1 ? 0.5 : 1) * permi_pencil_seconds(pencil, 0, 0, &planning);
  }
  if (status == PERM_OK)
    status = permi_pencil_may(pencil, fmin(points, plan->seconds), planning);
  if (status == PERM_OK && plan->seconds > points) {
    status = permi_circle_run(pencil, values, bounds);
  } else if (status == PERM_OK && plan->frontier) { /* of C and L with a largest entry from 1/2 to 1 */
    const double gamma = permi_gamma(plan->roundings), lost = ldexp(plan->ways, permi_circle_room(pencil) - 1074);
    const int c = plan->shift[0], l = plan->shift[1], lines = permi_matrix_shorter(&pencil->matrix);
    status = permi_coefficients_compute(plan, pencil->watch, 0, NULL, values, pencil->result);
    for (int k = 0; k <= pencil->degree && status == PERM_OK; k++) {
      const long long unit = (long long)c * (lines - k) + (long long)l * k;
      bounds[k] = fmax(permi_ldexp(gamma / (1 - gamma) * values[k] + lost, unit) * (1 + 1e-9), DBL_MIN);
      values[k] = permi_ldexp(values[k], unit);
    }
  }
  if (status == PERM_OK && plan->seconds <= points)
    pencil->result->method = PERM_METHOD_FRONTIER;
  return status;
}

/* ========================================================================================= >>several
   per(C + x_1 L_1 + ..), the degree in each variable cut: for all sets S of columns the permanents of the first |S|
   rows there, as sums over the columns of S, without signs: in doubles, beside moduli, or modulo primes below 2^62.
   THE BOUND, u = 2^-53: row i adds at most 2 (v + 1) i products to a part, and moduli are rounded thrice: a complex sum
   is wrong by sqrt(2) gamma(2 (v + 1) i + 6) times that of moduli, a coefficient by gamma of 3/2 the sum over rows, and
   of what is added at the end. What underflows, 2^-1074 a product, meets rows of (v + 1) n entries of at most 1. */

#define PERMI_SEVERAL_LINES 30

typedef struct permi_several {
  int m, n, forms, planes; /* m <= n; forms: C, L_1, .. */
  size_t count;            /* coefficients */
  int *unit;               /* of forms: the exponent of the largest entry */
  size_t *step;            /* of forms: the distance of x_k; then periods */
  double *entry, least;    /* of row i, column j, form k: re, im, modulus, of at most 1; the least */
  uint64_t *residue;       /* re 2^64, im 2^64, modulo p */
  double *value;           /* of sets: re, im, moduli */
  uint64_t *word;          /* there, too: residues */
  permi_control *watch;
} permi_several;

/* to += c x_k from. */
static void permi_several_add(const permi_several *s, int k, const double *c, const double *from, double *to)
{
  const size_t count = s->count, period = s->step[s->forms + k], step = s->step[k];
  for (size_t base = 0; base < count; base += period)
    for (size_t t = base + step; t < base + period; t++) {
      const double *x = from + t - step;
      if (s->planes == 3) {
        to[t] += c[0] * x[0] - c[1] * x[count];
        to[t + count] += c[0] * x[count] + c[1] * x[0];
        to[t + 2 * count] += c[2] * x[2 * count];
      } else {
        to[t] += c[0] * x[0];
        to[t + count] += c[2] * x[count];
      }
    }
}

static void permi_several_add_residues(const permi_several *s, int k, const uint64_t *c, const uint64_t *from,
                                       uint64_t *to, const permi_odd_modulus *prime)
{
  const size_t count = s->count, period = s->step[s->forms + k], step = s->step[k];
  for (size_t base = 0; base < count; base += period)
    for (size_t t = base + step; t < base + period; t++)
      for (int part = 0; part < s->planes; part++)
        for (int other = 0; other < s->planes; other++) { /* i times i is -1 */
          uint64_t *y = to + (size_t)(part ^ other) * count + t;
          const uint64_t product = permi_montgomery(c[part], from[(size_t)other * count + t - step], prime);
          *y = permi_residue_add(*y, product, part & other, prime->p);
        }
}

/* The sum goes behind the sets. */
static perm_status permi_several_pass(permi_several *s, const permi_odd_modulus *prime)
{
  permi_control *watch = s->watch;
  const size_t size = s->count * (size_t)s->planes, sets = (size_t)1 << s->n, all = sets * size;
  memset(s->value, 0, size * sizeof *s->value);
  memset(s->value + all, 0, size * sizeof *s->value);
  if (prime)
    s->word[0] = 1;
  else
    s->value[0] = s->value[size - s->count] = 1;
  for (size_t set = s->m > 0; set < sets; set++) {
    const size_t to = set * size;
    const int row = permi_count_ones(set) - 1;
    if (row >= s->m)
      continue;
    if (set)
      memset(s->value + to, 0, size * sizeof *s->value);
    for (int j = 0; j < s->n; j++)
      for (int k = 0; k < s->forms && set >> j & 1; k++) {
        const size_t at = ((size_t)(row * s->n + j) * (size_t)s->forms + (size_t)k) * 3;
        const size_t from = (set ^ (size_t)1 << j) * size;
        if (prime && s->entry[at + 2] > 0)
          permi_several_add_residues(s, k, s->residue + at, s->word + from, s->word + to, prime);
        else if (s->entry[at + 2] > 0)
          permi_several_add(s, k, s->entry + at, s->value + from, s->value + to);
      }
    for (size_t t = 0; t < size && row == s->m - 1; t++)
      if (prime)
        s->word[all + t] = permi_residue_add(s->word[all + t], s->word[to + t], 0, prime->p);
      else
        s->value[all + t] += s->value[to + t];
    const double units = (row + 1.0) * s->forms * (double)size * (prime ? 4 : 1);
    watch->done += 1e-9 * units;
    if (permi_watch(watch, units))
      return watch->stopped;
  }
  return PERM_OK;
}

/* Of the transpose if m > n. Returns log2 of a bound on the sum of moduli. */
static double permi_several_fill(permi_several *s, const permi_pencil_call *call, const permi_odd_modulus *prime)
{
  const int by = call->m > call->n;
  double bits = 0;
  for (int k = 0; k < s->forms; k++) {
    double largest = 0;
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < s->m; i++)
        for (int j = 0; j < s->n; j++) {
          const size_t at = ((size_t)(i * s->n + j) * (size_t)s->forms + (size_t)k) * 3;
          double *to = s->entry + at;
          permi_cell cell;
          permi_side_entry(&call->side[0], k * call->m + (by ? j : i), (size_t)(by ? i : j), call->n, call->parts,
                           &cell);
          largest = fmax(largest, fmax(fabs(cell.real), fabs(cell.imaginary)));
          to[0] = call->integers ? cell.real : ldexp(cell.real, -s->unit[k]);
          to[1] = call->integers ? cell.imaginary : ldexp(cell.imaginary, -s->unit[k]);
          to[2] = hypot(to[0], to[1]);
          s->least = pass && cell.absolute > 0 && to[2] < s->least ? to[2] : s->least;
          for (int part = 0; part < 2 && prime; part++)
            s->residue[at + (size_t)part] = permi_montgomery(
                permi_residue_of(part ? cell.imaginary_integer : cell.integer, prime->p), prime->square, prime);
          s->unit[k] = largest > 0 ? permi_exponent(largest) + (call->parts == 2) : 0;
        }
  }
  for (int i = 0; i < s->m; i++) {
    double sum = 0;
    for (size_t t = 0; t < (size_t)s->n * (size_t)s->forms; t++)
      sum += s->entry[((size_t)(i * s->n) * (size_t)s->forms + t) * 3 + 2];
    bits += log2(fmax(sum, 1));
  }
  return bits * (1 + 1e-12) + 1e-9;
}

static void permi_several_doubles(const permi_several *s, const permi_pencil_call *call, double roundings, double lost)
{
  const int parts = call->parts;
  const double gamma = permi_gamma(roundings), *all = s->value + ((size_t)s->planes * s->count << s->n);
  for (size_t t = 0; t < s->count; t++) {
    const double moduli = all[(size_t)parts * s->count + t];
    long long unit = (long long)s->unit[0] * s->m;
    for (int k = 1; k < s->forms; k++)
      unit += (long long)(t % s->step[s->forms + k] / s->step[k]) * (s->unit[k] - s->unit[0]);
    for (int part = 0; part < parts; part++)
      call->values[t * (size_t)parts + (size_t)part] = permi_ldexp(all[(size_t)part * s->count + t], unit);
    call->bounds[t] = moduli > 0 || pow(s->least, s->m) < 1e-290 /* or underflowed */
                          ? permi_ldexp(gamma / (1 - gamma) * moduli + lost, unit) * (1 + 1e-9) + DBL_MIN : 0;
  }
}

static perm_status permi_several_integers(permi_several *s, permi_pencil *pencil, const permi_pencil_call *call,
                                          int primes)
{
  const size_t parts = (size_t)call->parts, words = (size_t)primes + 1, numbers = s->count * parts;
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_pool_get(&pencil->pool, words, sizeof *prime);
  uint64_t *residue = (uint64_t *)permi_pool_get(&pencil->pool, numbers * words + 2 * words, sizeof *residue);
  s->residue = (uint64_t *)permi_pool_get(&pencil->pool, (size_t)(s->m * s->n) * (size_t)s->forms * 3 + 1, 8);
  const uint64_t *all = s->word + ((parts * s->count) << s->n);
  perm_status status = pencil->pool.failed ? PERM_ERROR_MEMORY : PERM_OK;
  if (status == PERM_OK)
    permi_primes_choose(prime, (size_t)primes, 0, 62);
  for (int q = 0; q < primes && status == PERM_OK; q++) {
    permi_several_fill(s, call, &prime[q]);
    status = permi_several_pass(s, &prime[q]);
    for (size_t t = 0; t < numbers; t++)
      residue[t * (size_t)primes + (size_t)q] = all[t % parts * s->count + t / parts];
  }
  for (size_t t = 0; t < numbers && status == PERM_OK; t++)
    permi_chinese_integer(prime, residue + t * (size_t)primes, primes, residue + numbers * words, &call->integers[t]);
  return status;
}

static perm_status permi_several_compute(permi_pencil *pencil, permi_pencil_call *call)
{
  const int by = call->m > call->n, forms = call->forms, exact = call->integers != NULL;
  permi_several s = {by ? call->n : call->m, by ? call->m : call->n, forms, call->parts + !exact,
                     (size_t)call->degree + 1, NULL, NULL, NULL, 1, NULL, NULL, NULL, pencil->watch};
  const double most = pencil->options->max_bytes > 0 ? permi_max_bytes(pencil->options) : PERMI_DEFAULT_BYTES;
  const double bytes = (ldexp(1, s.n) + 1) * 8 * s.planes * (double)s.count;
  permi_pool *pool = &pencil->pool;
  double sets = 1, ways = 0, roundings = 0;
  if (s.n > PERMI_SEVERAL_LINES || bytes > most)
    return permi_fail(pencil->result, PERM_ERROR_LIMIT, 0, "polynomials in several variables: %s of sets, over %s",
                      permi_size_words(bytes).text, permi_size_words(most).text);
  for (int i = 1; i <= s.m; i++) {
    sets *= (s.n - i + 1.0) / i;
    ways += sets * i * forms;
    roundings += 1.5 * (2.0 * forms * i + 6);
  }
  s.unit = (int *)permi_pool_zeros(pool, (size_t)forms, sizeof(int));
  s.step = (size_t *)permi_pool_zeros(pool, 2 * (size_t)forms, sizeof(size_t));
  s.entry = (double *)permi_pool_get(pool, (size_t)(s.m * s.n) * (size_t)forms * 3 + 1, sizeof(double));
  s.value = (double *)permi_pool_get(pool, (((size_t)1 << s.n) + 1) * (size_t)s.planes * s.count, sizeof(double));
  if (pool->failed)
    return PERM_ERROR_MEMORY;
  s.word = (uint64_t *)(void *)s.value;
  s.step[forms] = s.count;
  for (int k = 1; k < forms; k++) {
    s.step[k] = k > 1 ? s.step[forms + k - 1] : 1;
    s.step[forms + k] = s.step[k] * ((size_t)call->cuts[k - 1] + 1);
  }
  const double bits = permi_several_fill(&s, call, NULL);
  const int primes = exact ? (int)((bits + 1) / 61.99) + 1 : 0;
  if (exact && bits > 64 * PERM_INTEGER_WORDS - 2)
    return permi_pencil_overflows(pencil, bits);
  pencil->result->method = PERM_METHOD_FRONTIER;
  pencil->result->terms = ways;
  perm_status status = permi_pencil_may(pencil, 1e-9 * ways * (double)s.count * s.planes * (exact ? 4 * primes : 1),
                                        PERM_OK);
  if (status == PERM_OK && exact)
    return permi_several_integers(&s, pencil, call, primes);
  if (status == PERM_OK)
    status = permi_several_pass(&s, NULL);
  if (status == PERM_OK)
    permi_several_doubles(&s, call, roundings + sets, ldexp(4 * ways * pow(forms * s.n, s.m), -1074));
  return status;
}

/* =========================================================================================== >>rook
   Rook numbers by two engines:
   - frontier (>>coefficients): lines stay unmatched, rows by x, columns by 1, or the other way round; of r rows
     r_k is the coefficient of x^(r - k), and states have as many as rows are eliminated;
   - exact: for m <= n, per(A + x J) = sum over j of r_(m-j) x^j (n-m+j)! / (n-m)!, as j rows that take x choose among
     n-m+j columns: by values of >>points. */

#define PERMI_ROOK_TRIED 2e-4 /* seconds that no further engine improves */

/* a /= d, which divides it; d below 2^32. */
static void permi_integer_divide(perm_integer *a, uint64_t d)
{
  uint64_t rest = 0;
  for (int i = a->words - 1; i >= 0; i--) {
    const uint64_t high = rest << 32 | a->word[i] >> 32, low = high % d << 32 | (a->word[i] & UINT32_MAX);
    a->word[i] = high / d << 32 | low / d;
    rest = low % d;
  }
  permi_integer_trim(a);
}

static perm_status permi_rook_evaluate(permi_pencil *pencil, perm_integer *numbers)
{
  const int m = permi_matrix_shorter(&pencil->matrix), n = permi_matrix_longer(&pencil->matrix);
  const perm_status status = permi_points_run(pencil, permi_pencil_bits(pencil, 1), 0, numbers);
  for (int k = 1; k <= m && status == PERM_OK; k++)
    for (int i = 1; i <= k; i++)
      permi_integer_divide(&numbers[k], (uint64_t)(n - m + i));
  for (int k = 0; k < m - k && status == PERM_OK; k++) { /* the coefficient of x^j is r_(m - j) */
    const perm_integer x = numbers[k];
    numbers[k] = numbers[m - k];
    numbers[m - k] = x;
  }
  return status;
}

static perm_status permi_rook_place(permi_coefficients *plan, permi_pencil *pencil, perm_integer *numbers)
{
  const size_t degree = (size_t)plan->degree, rows = (size_t)plan->block.n;
  perm_integer *all = (perm_integer *)permi_pool_get(&pencil->pool, degree + 1, sizeof *all);
  perm_status status = all ? PERM_OK : PERM_ERROR_MEMORY;
  double bits = plan->most;
  if (status == PERM_OK && bits < 1000 && permi_coefficients_primes(plan, bits) > 1 &&
      permi_coefficients_primes(plan, bits) * plan->seconds > PERMI_FREE_SECONDS)
    status = permi_coefficients_lower(plan, pencil->watch, &bits, pencil->result);
  if (status == PERM_OK)
    status = permi_coefficients_compute(plan, pencil->watch, bits, all, NULL, pencil->result);
  for (size_t k = 0; k <= degree && k <= rows && status == PERM_OK; k++)
    numbers[k] = all[degree - k];
  return status;
}

static perm_status permi_rook_solve(permi_coefficients *plan, permi_pencil *pencil, const permi_side *side,
                                    perm_integer *numbers)
{
  const perm_options *options = pencil->options;
  perm_result *result = pencil->result;
  permi_control *watch = pencil->watch;
  const int empty = plan->block.n == 0, evaluated = options->method == PERM_METHOD_EXACT && pencil->m && pencil->n;
  const double first = evaluated ? (double)INFINITY : plan->seconds * permi_coefficients_primes(plan, plan->most);
  double second = (double)INFINITY;
  perm_status planning = PERM_ERROR_LIMIT;
  if (options->method != PERM_METHOD_FRONTIER && first > PERMI_ROOK_TRIED && pencil->m <= PERM_MAX_LINES &&
      pencil->n <= PERM_MAX_LINES) {
    if (!permi_pencil_open(pencil, side))
      return PERM_ERROR_MEMORY;
    if (permi_points_fit(pencil))
      second = permi_points_seconds(pencil, 0, 0, &planning);
  }
  const double planned = permi_seconds() - watch->start;
  watch->work_total = fmin(first, second);
  watch->activity = "placing rooks";
  if (permi_watch(watch, 0) || (watch->work_total == (double)INFINITY && planning == PERM_ERROR_MEMORY))
    return watch->stopped != PERM_OK ? watch->stopped : planning;
  if (watch->work_total == (double)INFINITY && evaluated)
    return permi_fail(result, PERM_ERROR_LIMIT, 0,
                      "rook numbers: method exact takes entries below 2^62, up to %d rows and columns, and what "
                      "max_bytes = %s allows: try method frontier", PERM_MAX_LINES,
                      options->max_bytes > 0 ? permi_size_words(options->max_bytes).text : "0");
  if (watch->work_total == (double)INFINITY)
    return permi_fail(result, PERM_ERROR_LIMIT, 0,
                      "rook numbers: no engine, the frontier would %s: try a sparser matrix",
                      plan->frontier && plan->frontier->arrays ? "need more than max_bytes" : "have too many vertices");
  if (options->max_seconds > 0 && watch->work_total > watch->deadline - permi_seconds())
    return permi_fail(result, PERM_ERROR_LIMIT, 0, "rook numbers: %s predicted, more than max_seconds = %.3g",
                      permi_time_words(watch->work_total).text, options->max_seconds);
  perm_status status = PERM_OK;
  if (first > second)
    status = permi_rook_evaluate(pencil, numbers);
  else if (!empty)
    status = permi_rook_place(plan, pencil, numbers);
  result->method = first <= second ? PERM_METHOD_FRONTIER : PERM_METHOD_EXACT;
  result->plan_seconds = planned;
  return status;
}

static perm_status permi_rook_check(const permi_pencil_call *call, const perm_options *options, permi_control *watch,
                                    perm_result *result)
{
  const perm_matrix *matrix = call->side[0].matrix;
  const perm_method method = options->method;
  perm_options checked = *options;
  size_t at;
  int row;
  checked.method = PERM_METHOD_AUTO;
  const perm_status status = permi_check_input(matrix, &checked, watch, result);
  if (status != PERM_OK)
    return status;
  if (!call->integers)
    return permi_fail(result, PERM_ERROR_NULL, 3, "numbers is NULL");
  if ((method != PERM_METHOD_AUTO && method != PERM_METHOD_FRONTIER && method != PERM_METHOD_EXACT) ||
      (options->precision != PERM_PRECISION_DEFAULT && options->precision != PERM_PRECISION_EXACT) ||
      options->checkpoint.file)
    return permi_fail(result, PERM_ERROR_OPTION, 2,
                      "rook numbers are exact, by method auto, frontier or exact, and have no checkpoints");
  if (matrix->kind == PERM_KIND_COMPLEX || (matrix->m && !permi_matrix_integers(matrix, &row, &at, watch)))
    return watch->stopped != PERM_OK
               ? watch->stopped
               : permi_fail(result, PERM_ERROR_UNSUPPORTED, 1, "rook numbers are of integers, and the matrix has "
                                                               "others: try it times a common denominator "
                                                               "d, with which r_k is d^k times as large");
  return PERM_OK;
}

/* log2 of the product over rows, or columns, of 1 + sum of |entries|. */
static double permi_rook_bits(const permi_working *working)
{
  double bits[2] = {0, 0};
  for (int v = 0; v < 2 * working->n; v++) {
    const int side = v >= working->n;
    double sum = 1;
    for (int i = working->head[v]; i >= 0; i = working->cell[i].next[side])
      sum += fabs((double)working->cell[i].integer);
    bits[side] += log2(sum) * (1 + 1e-12) + 1e-12;
  }
  return fmin(bits[0], bits[1]);
}

static perm_status permi_rook_compute(permi_pencil *pencil, permi_coefficients *plan, const permi_pencil_call *call)
{
  const perm_matrix *matrix = call->side[0].matrix;
  const perm_options *options = pencil->options;
  permi_control *watch = pencil->watch;
  permi_working *working = &plan->working;
  const int m = permi_matrix_shorter(matrix), n = permi_matrix_longer(matrix);
  int *line = (int *)permi_pool_get(&pencil->pool, 4 * (size_t)n + 2, sizeof *line), counts[2] = {0, 0};
  if (!line || !permi_working_create(working, &options->allocator, n, matrix->nnz))
    return PERM_ERROR_MEMORY;
  working->watch = watch;
  permi_sparse_fill(matrix, 1, matrix->m > matrix->n, working);
  working->alone = (permi_cell *)permi_pool_get(&working->pool, (size_t)m, sizeof *working->alone);
  if (working->pool.failed || watch->stopped != PERM_OK) /* the graph may not be whole */
    return working->pool.failed ? PERM_ERROR_MEMORY : watch->stopped;
  for (int v = 0; v < 2 * n; v++) {
    if (v < m)
      working->alone[v] = permi_cell_one();
    line[counts[0] + counts[1]] = v;
    counts[v >= n] += working->degree[v] > 0;
  }
  memset(call->integers, 0, ((size_t)m + 1) * sizeof *call->integers);
  call->integers[0] = permi_integer_of(1);
  plan->degree = counts[0] > counts[1] ? counts[0] : counts[1];
  if ((plan->most = permi_rook_bits(working)) > 64 * PERM_INTEGER_WORDS - 2)
    return permi_fail(pencil->result, PERM_ERROR_OVERFLOW, 0, "the rook numbers may need %.0f bits, more than %d: try "
                                                              "a smaller matrix or smaller entries",
                      plan->most + 2, 64 * PERM_INTEGER_WORDS);
  const perm_status status =
      plan->degree ? permi_coefficients_frontier(plan, options, watch, line, counts, line + 2 * n + 1) : PERM_OK;
  plan->degree = counts[plan->turned];
  return status == PERM_OK ? permi_rook_solve(plan, pencil, call->side, call->integers) : status;
}

/* ================================================================================ >>polynomial_calls
   perm_polynomial_*, perm_permanental_polynomial_* and perm_rook_numbers: check, choose, run. */

static perm_status permi_pencil_check_side(const permi_pencil_call *call, int s, permi_control *watch,
                                           perm_result *result)
{
  const permi_side *side = &call->side[s];
  const perm_matrix *matrix = side->matrix;
  char message[PERM_MESSAGE_BYTES];
  perm_status status = PERM_OK;
  int row;
  size_t e;
  if (side->kind == PERMI_SIDE_ARRAY && call->m && call->n)
    status = permi_check_entries(call->m * (call->forms ? call->forms : 1), call->n, side->real,
                                 side->real || side->integer, side->ld, call->parts, result);
  else if (side->kind == PERMI_SIDE_MATRIX)
    status = permi_check_sparse(matrix, watch, result);
  if (status == PERM_OK && matrix && (matrix->m != call->m || matrix->n != call->n))
    status = permi_fail(result, PERM_ERROR_SIZE, 0, "the matrix is %d x %d, not %d x %d", matrix->m, matrix->n, call->m,
                        call->n);
  if (status == PERM_OK && matrix && matrix->m && call->integers && !permi_matrix_integers(matrix, &row, &e, watch))
    status = permi_fail(result, PERM_ERROR_UNSUPPORTED, 0, "row %d (counted from 1) has an entry that is no integer",
                        row + 1);
  if (status < 0) {
    memcpy(message, result->message, sizeof message);
    permi_fail(result, status, call->at[s] + (status == PERM_ERROR_STRIDE), "%c: %.200s",
               s ? 'L' : call->forms ? 'A' : 'C', message);
  }
  return watch->stopped != PERM_OK ? watch->stopped : status;
}

static int permi_pencil_is_rook(const permi_pencil_call *call)
{
  return call->side[1].kind == PERMI_SIDE_ONES;
}

static perm_status permi_pencil_check(const permi_pencil_call *call, const perm_options *options, permi_control *watch,
                                      perm_result *result)
{
  const perm_method method = options->method;
  if (permi_pencil_is_rook(call))
    return permi_rook_check(call, options, watch, result);
  perm_status status = permi_check_whole(options, call->at[3], result);
  if (status == PERM_OK && ((method != PERM_METHOD_AUTO && (call->forms || method != PERM_METHOD_FRONTIER) &&
                             (call->forms || method != PERM_METHOD_EXACT || call->values)) ||
                            (options->precision != PERM_PRECISION_DEFAULT &&
                             (options->precision == PERM_PRECISION_EXACT) != !call->values) ||
                            (options->modulus && call->values)))
    return permi_fail(result, PERM_ERROR_OPTION, call->at[3],
                      "polynomials are computed by method auto or, in one variable, frontier, those of integers also "
                      "by method exact, always with precision exact, or with a modulus");
  if (status == PERM_OK)
    status = permi_check_order(call->m, call->n, result);
  if (status == PERM_OK && call->forms && (call->degree < 0 || call->m > 32767))
    return permi_fail(result, PERM_ERROR_SIZE, call->at[2],
                      "variables or cuts are negative, or would have too many coefficients");
  for (int s = 0; s < 2 && status == PERM_OK; s++)
    status = permi_pencil_check_side(call, s, watch, result);
  if (status == PERM_OK && call->degree < 0)
    status = permi_fail(result, PERM_ERROR_SIZE, call->at[2], "degree is negative (%d)", call->degree);
  if (status == PERM_OK && !call->integers && !call->values)
    status = permi_fail(result, PERM_ERROR_NULL, call->at[4], "coefficients is NULL");
  return status;
}

static perm_status permi_pencil_exact(permi_pencil *pencil, permi_coefficients *plan, perm_integer *numbers)
{
  const int frontier = pencil->options->method == PERM_METHOD_FRONTIER;
  double bits = permi_pencil_bits(pencil, 1), points = (double)INFINITY;
  perm_status status, planning = PERM_ERROR_LIMIT;
  int modular = 0;
  if (bits > 64 * PERM_INTEGER_WORDS - 2)
    return permi_pencil_overflows(pencil, bits);
  plan->most = bits;
  status = permi_coefficients_plan(pencil, plan);
  if (status == PERM_OK && !frontier) {
    modular = !permi_points_fit(pencil);
    points = permi_points_seconds(pencil, bits, modular, &planning);
  }
  if (status == PERM_OK && plan->frontier && plan->seconds < (double)INFINITY && bits > 48 && bits < 1000 &&
      fmin(points, plan->seconds) > PERMI_FREE_SECONDS) /* where fewer bits help */
    status = permi_coefficients_lower(plan, pencil->watch, &bits, pencil->result);
  if (status != PERM_OK)
    return status;
  const double vectors = plan->seconds * permi_coefficients_primes(plan, bits);
  status = permi_pencil_may(pencil, fmin(vectors, points), planning);
  if (status == PERM_OK && vectors > points)
    status = permi_points_run(pencil, bits, modular, numbers);
  else if (status == PERM_OK && plan->frontier)
    status = permi_coefficients_compute(plan, pencil->watch, bits, numbers, NULL, pencil->result);
  else if (status == PERM_OK)
    memset(numbers, 0, ((size_t)pencil->degree + 1) * sizeof *numbers);
  if (status == PERM_OK)
    pencil->result->method = vectors > points ? PERM_METHOD_EXACT : PERM_METHOD_FRONTIER;
  return status;
}

/* given: degree of what was computed. */
static perm_status permi_pencil_write(const permi_pencil_call *call, const perm_options *options, int given,
                                      perm_result *result)
{
  permi_number first = permi_number_one();
  const int parts = call->parts;
  double worst = 0;
  for (int k = 0; k < (call->degree + 1) * parts; k++) {
    if (call->values) {
      call->values[k] = k / parts > given ? 0 : call->values[k];
      worst = fmax(worst, k / parts > given ? 0 : call->bounds[k / parts]);
      if (permi_not_finite(call->values[k]))
        return permi_fail(result, PERM_ERROR_UNSUPPORTED, 0,
                          "the coefficient of x^%d is beyond doubles: scale the entries", k / parts);
      continue;
    }
    if (k / parts > given)
      memset(&call->integers[k], 0, sizeof *call->integers);
    call->integers[k].negative ^= call->alternates && call->integers[k].words && (call->n - k / parts) & 1;
    if (options->modulus)
      permi_integer_reduce(&call->integers[k], options->modulus);
  }
  if (call->values) {
    result->value = call->values[0];
    result->imaginary = parts == 2 ? call->values[1] : 0;
    result->exp2 = 0;
    result->error_bound = result->error_estimate = worst;
  } else {
    first.integer = call->integers[permi_pencil_is_rook(call) ? call->degree : 0];
    first.imaginary_integer = parts == 2 ? call->integers[1] : permi_integer_of(0);
    permi_number_result(&first, result);
    result->modulus = options->modulus;
    result->precision = PERM_PRECISION_EXACT;
  }
  result->is_complex = parts == 2;
  return PERM_OK;
}

static perm_status permi_pencil_compute(permi_pencil_call *call, const perm_options *options, permi_control *watch,
                                        perm_result *result)
{
  double *const bounds = call->bounds;
  const int rook = permi_pencil_is_rook(call);
  permi_pencil pencil;
  permi_coefficients plan;
  perm_status status = permi_pencil_check(call, options, watch, result);
  if (status != PERM_OK)
    return status > 0 ? permi_fail_stopped(watch, result) : status;
  memset(&pencil, 0, sizeof pencil);
  memset(&plan, 0, sizeof plan);
  plan.bits = 50;
  pencil.m = pencil.matrix.m = call->m;
  pencil.n = pencil.matrix.n = call->n;
  pencil.parts = call->parts;
  pencil.options = options;
  pencil.watch = watch;
  pencil.result = result;
  pencil.pool.allocator = &options->allocator;
  watch->activity = rook ? NULL : "planning a polynomial";
  pencil.degree = call->degree;
  pencil.certify = options->certify || bounds;
  status = call->forms || rook || permi_pencil_open(&pencil, call->side) ? watch->stopped : PERM_ERROR_MEMORY;
  if (status == PERM_OK && call->values && !bounds)
    call->bounds = (double *)permi_pool_get(&pencil.pool, (size_t)pencil.degree + 1, sizeof *bounds);
  if (status == PERM_OK && pencil.pool.failed)
    status = PERM_ERROR_MEMORY;
  if (status == PERM_OK && call->forms) {
    status = permi_several_compute(&pencil, call);
  } else if (status == PERM_OK && call->values) {
    for (size_t k = 0; k <= (size_t)(bounds ? call->degree : pencil.degree); k++)
      call->values[k] = call->bounds[k] = 0;
    status = permi_circle_compute(&pencil, &plan, call->values, call->bounds);
  } else if (status == PERM_OK) {
    status = rook ? permi_rook_compute(&pencil, &plan, call) : permi_pencil_exact(&pencil, &plan, call->integers);
  }
  if (status == PERM_OK)
    status = permi_pencil_write(call, options, pencil.degree, result);
  permi_owned_release(&options->allocator, plan.frontier);
  permi_pool_release(&plan.block.pool);
  permi_pool_release(&plan.working.pool);
  permi_pool_release(&pencil.pool);
  if (watch->stopped != PERM_OK)
    return permi_fail_stopped(watch, result);
  return status == PERM_ERROR_MEMORY ? permi_fail_memory(result) : status;
}

static perm_status permi_pencil_run(permi_pencil_call *call, const perm_options *options_given, perm_result *result)
{
  const perm_matrix *c = call->side[0].matrix, *l = call->side[1].matrix;
  const double area = c ? 0 : fmax(call->m, 0) * fmax(call->n, 0), sides = call->forms ? call->forms : 2;
  permi_metered meter;
  const perm_options *options =
      permi_meter_begin(&meter, options_given, 8 * call->parts * sides * area + permi_matrix_cost(c) +
                                                   permi_matrix_cost(l));
  permi_control watch = permi_control_begin(options);
  perm_result unused;
  result = result ? result : &unused;
  permi_result_clear(result);
  const perm_status status = permi_meter_end(&meter, permi_pencil_compute(call, options, &watch, result), result);
  result->seconds = permi_seconds() - watch.start;
  for (int k = 0; k < (call->degree + 1) * call->parts && call->values && status != PERM_OK; k++)
    call->values[k] = (double)NAN;
  return result->status = permi_kind(status, call->parts, options_given, result);
}

static permi_pencil_call permi_sparse_call(const perm_matrix *c, permi_side_kind kind, const perm_matrix *l, int degree,
                                           perm_integer *integers, double *values, double *bounds)
{
  const int parts = (c && c->kind == PERM_KIND_COMPLEX) || (l && l->kind == PERM_KIND_COMPLEX) ? 2 : 1;
  const permi_pencil_call call = {{{PERMI_SIDE_MATRIX, c, NULL, NULL, 0}, {kind, l, NULL, NULL, 0}}, c ? c->m : 0,
                                  c ? c->n : 0, parts, degree, 0, {1, 2, 3, 4, 5}, integers, values, bounds, 0, NULL};
  return call;
}

static permi_pencil_call permi_several_call(int m, int n, int parts, const double *real, const int64_t *integer,
                                            ptrdiff_t ld, int variables, const int *cuts)
{
  permi_pencil_call call = {{{PERMI_SIDE_ARRAY, NULL, real, integer, ld}, {PERMI_SIDE_IDENTITY, NULL, NULL, NULL, 0}},
                            m, n, parts, -1, 0, {4, 4, 6, 7, 8}, NULL, NULL, NULL, variables + 1, cuts};
  double count = variables < 0 || (variables > 0 && !cuts) ? 0 : 1;
  for (int k = 0; k < variables && count > 0; k++)
    count = cuts[k] < 0 || count * (cuts[k] + 1.0) > 1e7 ? 0 : count * (cuts[k] + 1.0);
  call.degree += (int)count;
  return call;
}

#define PERMI_POLYNOMIAL_EXACT(name, parts)                                                                            \
  PERM_MORE_API perm_status name(int m, int n, const int64_t *c, ptrdiff_t ldc, const int64_t *l, ptrdiff_t ldl,       \
                                 int degree, const perm_options *options, perm_integer *to, perm_result *result)       \
  { permi_pencil_call call = {{{PERMI_SIDE_ARRAY, NULL, NULL, c, ldc}, {PERMI_SIDE_ARRAY, NULL, NULL, l, ldl}}, m, n,  \
      parts, degree, 0, {3, 5, 7, 8, 9}, to, NULL, NULL, 0, NULL}; return permi_pencil_run(&call, options, result); }
#define PERMI_POLYNOMIAL(name, parts)                                                                                  \
  PERM_MORE_API perm_status name(int m, int n, const double *c, ptrdiff_t ldc, const double *l, ptrdiff_t ldl,         \
                                 int degree, const perm_options *o, double *to, double *sure, perm_result *result)     \
  { permi_pencil_call call = {{{PERMI_SIDE_ARRAY, NULL, c, NULL, ldc}, {PERMI_SIDE_ARRAY, NULL, l, NULL, ldl}}, m, n,  \
      parts, degree, 0, {3, 5, 7, 8, 9}, NULL, to, sure, 0, NULL}; return permi_pencil_run(&call, o, result); }
PERMI_POLYNOMIAL_EXACT(perm_polynomial_integer, 1)
PERMI_POLYNOMIAL_EXACT(perm_polynomial_gaussian, 2)
PERMI_POLYNOMIAL(perm_polynomial_real, 1)
PERMI_POLYNOMIAL(perm_polynomial_complex, 2)

PERM_MORE_API perm_status perm_polynomial_sparse_integer(const perm_matrix *c, const perm_matrix *l, int degree,
                                                         const perm_options *options, perm_integer *coefficients,
                                                         perm_result *result)
{
  permi_pencil_call call = permi_sparse_call(c, PERMI_SIDE_MATRIX, l, degree, coefficients, NULL, NULL);
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_polynomial_sparse(const perm_matrix *c, const perm_matrix *l, int degree,
                                                 const perm_options *options, double *coefficients, double *bounds,
                                                 perm_result *result)
{
  permi_pencil_call call = permi_sparse_call(c, PERMI_SIDE_MATRIX, l, degree, NULL, coefficients, bounds);
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_permanental_polynomial(int n, const int64_t *a, ptrdiff_t lda,
                                                      const perm_options *options, perm_integer *coefficients,
                                                      perm_result *result)
{
  permi_pencil_call call = {{{PERMI_SIDE_ARRAY, NULL, NULL, a, lda}, {PERMI_SIDE_IDENTITY, NULL, NULL, NULL, 0}},
                            n, n, 1, n, 1, {2, 2, 1, 4, 5}, coefficients, NULL, NULL, 0, NULL};
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_permanental_polynomial_sparse(const perm_matrix *matrix, const perm_options *options,
                                                             perm_integer *coefficients, perm_result *result)
{
  permi_pencil_call call = permi_sparse_call(matrix, PERMI_SIDE_IDENTITY, NULL, matrix ? matrix->n : 0, coefficients,
                                             NULL, NULL);
  call.alternates = 1;
  const int at[5] = {1, 1, 1, 2, 3};
  memcpy(call.at, at, sizeof at);
  call.m = call.n;
  return permi_pencil_run(&call, options, result);
}

PERM_MORE_API perm_status perm_rook_numbers(const perm_matrix *matrix, const perm_options *options,
                                            perm_integer *numbers, perm_result *result)
{
  const int degree = matrix ? permi_matrix_shorter(matrix) : 0;
  permi_pencil_call call = permi_sparse_call(matrix, PERMI_SIDE_ONES, NULL, degree, numbers, NULL, NULL);
  return permi_pencil_run(&call, options, result);
}

#define PERMI_SEVERAL_EXACT(name, parts)                                                                               \
  PERM_MORE_API perm_status name(int m, int n, int variables, const int64_t *a, ptrdiff_t lda, const int *cuts,        \
                                 const perm_options *options, perm_integer *to, perm_result *result)                   \
  { permi_pencil_call call = permi_several_call(m, n, parts, NULL, a, lda, variables, cuts); call.integers = to;       \
    return permi_pencil_run(&call, options, result); }
#define PERMI_SEVERAL(name, parts)                                                                                     \
  PERM_MORE_API perm_status name(int m, int n, int variables, const double *a, ptrdiff_t lda, const int *cuts,         \
                                 const perm_options *options, double *to, double *sure, perm_result *result)           \
  { permi_pencil_call call = permi_several_call(m, n, parts, a, NULL, lda, variables, cuts); call.values = to;         \
    call.bounds = sure; return permi_pencil_run(&call, options, result); }
PERMI_SEVERAL_EXACT(perm_polynomial_several_integer, 1)
PERMI_SEVERAL_EXACT(perm_polynomial_several_gaussian, 2)
PERMI_SEVERAL(perm_polynomial_several_real, 1)
PERMI_SEVERAL(perm_polynomial_several_complex, 2)

/* ========================================================================================== >>trace
   Samples from a run that kept its states. A state's value is a sum over ways: values of states before times a
   coefficient. From the last state back, a draw chooses ways with probability weight / sum of weights and notes their
   entries: this telescopes to (product of entries) / permanent.

   Integer weights are exact, and numbers below their sum drawn by rejection, so probabilities are exact. A weight is
   below Bregman's bound, or the product of row sums, of rows matched so far; counted states have the columns' factor
   too. */

#define PERMI_SAMPLE_PART 32 /* samples at a time */

struct permi_tracer;

typedef struct permi_derived {
  const permi_numbers *numbers; /* NULL: the derivative is 1 */
  size_t size;
  int count, *of; /* derivatives; by which entry of the block, -1 - v: that v stays, or INT_MIN */
  uint64_t *value;
  permi_sizes *sizes;
  double (*error)[2]; /* bounds and estimates, the permanent's last; NULL: by roundings */
  struct {
    uint64_t *value;
    permi_sizes sizes;
  } whole; /* the permanent */
  double roundings[2]; /* in it, in a derivative, at most */
} permi_derived;

typedef struct permi_trace {
  const struct permi_tracer *tracer;
  permi_pool pool;
  void *plan; /* the engine's */
  void (*release)(const perm_allocator *allocator, void *plan);
  void *kept; /* its states */
  const int *row, *column; /* lines of the matrix */
  int n;
  double visited;
  double lost; /* by underflow, over the last value, at most */
  const permi_numbers *numbers; /* of weights: */
  size_t size;
  int integers;
  size_t words, room;    /* of a draw: words of a record, bytes of room */
  uint64_t begin, steps; /* of states in records */
  permi_pool lasting;     /* of: */
  permi_derived *derived; /* or NULL */
  double given; /* roundings of entries in a product */
  int zeros;    /* 1: some are stored */
} permi_trace;

/* Of a thread, `count` samples at a time. Records in `word`, kept while there is room, tell what draws may do: a state,
   the number of ways, the sum of weights, each way's weight and what it does. */
typedef struct permi_draw {
  const permi_trace *trace;
  uint64_t random[PERMI_SAMPLE_PART], *word, *record; /* record: the last made */
  uint32_t *slot; /* 2^(64 - shift), by hash: where in `word`; 0: free */
  size_t words, used, kept, most; /* most: of a record */
  char *room;
  int shift, count, m, *columns, total; /* of each sample the column of each row of the matrix, minus `total` */
} permi_draw;

typedef struct permi_tracer {
  double (*bytes)(const void *plan); /* predicted, of what is kept */
  perm_status (*record)(permi_trace *trace, permi_control *control);
  void (*draw)(permi_draw *draw);
  void (*ways)(permi_draw *draw, int step, int part, const void *state); /* weighs them */
} permi_tracer;

static double permi_sample_limit(const perm_options *options)
{
  return options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES;
}

/* Returns the bytes that max_bytes leaves now. */
static double permi_sample_left(const perm_options *options)
{
  const permi_meter *meter = (const permi_meter *)options->allocator.user_data;
  return options->allocator.allocate == permi_meter_allocate ? meter->limit - (double)meter->live
                                                             : permi_sample_limit(options);
}

static void permi_trace_ways(permi_trace *trace, const permi_numbers *numbers, size_t ways)
{
  trace->numbers = numbers;
  trace->size = permi_numbers_words(numbers);
  trace->integers = permi_algebra_is_integer(numbers->algebra);
  trace->words = 2 + trace->size + (ways + 1) * (trace->size + 1);
}

static void permi_trace_lose(permi_trace *trace, const permi_numbers *numbers, const void *value, double loss)
{
  const double *last = (const double *)value;
  if (!permi_algebra_is_integer(numbers->algebra))
    trace->lost = last && *last > 0 ? loss / *last : (double)INFINITY;
}

/* Adds a way of weight c x, or a x, unless that is 0; x NULL: 0. */
static void permi_draw_weigh(permi_draw *draw, const permi_coefficient *c, const void *a, const void *x, uint64_t does)
{
  const permi_numbers *numbers = draw->trace->numbers;
  const size_t size = draw->trace->size;
  uint64_t *total = draw->record + 2, *weight = total + size + draw->record[1] * (size + 1), any = 0;
  if (!x)
    return;
  memset(weight, 0, 8 * size);
  if (c)
    permi_value_add(numbers->algebra, numbers, c, weight, x, 0);
  else
    permi_value_fuse(numbers->algebra, numbers, a, weight, x);
  for (size_t w = 0; w < size; w++)
    any |= weight[w];
  if (draw->trace->integers)
    permi_words_add(total, weight, (int)size);
  else
    *(double *)(void *)total += *(const double *)(void *)weight;
  weight[size] = does;
  draw->record[1] += any != 0;
}

#define PERMI_STATE_BITS 40 /* longer ones, as UINT64_MAX, are not kept */
static uint64_t permi_draw_state(const permi_draw *draw, int step, uint64_t mask)
{
  return mask >> PERMI_STATE_BITS ? UINT64_MAX : (draw->trace->begin + (uint64_t)step) << PERMI_STATE_BITS | mask;
}

/* Makes a record, in which doubles end at the last way. */
PERMI_NEVER_INLINE static const uint64_t *permi_draw_make(permi_draw *draw, uint64_t state, size_t at, int step,
                                                          int part, const void *of)
{
  const permi_trace *trace = draw->trace;
  uint64_t *record = draw->record = draw->word + draw->used;
  memset(record, 0, (2 * trace->size + 3) * sizeof *record);
  record[0] = state;
  trace->tracer->ways(draw, step, part, of);
  double *last = (double *)(void *)(record + 1 + 2 * (record[1] + !record[1]));
  if (!trace->integers) {
    last[0] = (double)INFINITY;
    last[2] = 0;
  }
  if (state != UINT64_MAX && draw->kept < UINT64_MAX >> draw->shift >> 1 &&
      draw->used + 2 * draw->most <= draw->words) {
    draw->slot[at] = (uint32_t)draw->used;
    draw->used += 3 + trace->size + record[1] * (trace->size + 1);
    draw->kept++;
  }
  return record;
}

static const uint64_t *permi_draw_integer(const uint64_t *total, const uint64_t *way, size_t size, uint64_t *random)
{
  uint64_t at[PERM_INTEGER_WORDS], ones;
  int w, top = (int)size;
  while (top && !total[top - 1])
    top--;
  if (!top)
    return way;
  for (ones = UINT64_MAX; ones >> 1 >= total[top - 1];)
    ones >>= 1;
  do { /* `total` is above half of the range */
    for (w = 0; w < top; w++)
      at[w] = permi_random(random);
    at[top - 1] &= ones;
    for (w = top - 1; w > 0 && at[w] == total[w]; w--)
      ;
  } while (at[w] >= total[w]);
  while (!permi_words_subtract(at, way, top))
    way += size + 1;
  return way;
}

/* Draws a way of a state, of a part of a step; returns what it does. There is one: states have positive values. */
static PERMI_ALWAYS_INLINE uint64_t permi_draw_way(permi_draw *draw, int sample, uint64_t state, int step, int part,
                                                   const void *of)
{
  const size_t size = draw->trace->size;
  size_t slot = (size_t)(state * UINT64_C(0x9e3779b97f4a7c15) >> draw->shift);
  while (draw->slot[slot] && draw->word[draw->slot[slot]] != state)
    slot = (slot + 1) & (size_t)(UINT64_MAX >> draw->shift);
  const uint64_t *record = draw->slot[slot] ? draw->word + draw->slot[slot]
                                            : permi_draw_make(draw, state, slot, step, part, of);
  const uint64_t *way = record + 2 + size;
  if (draw->trace->integers)
    return permi_draw_integer(record + 2, way, size, &draw->random[sample])[size];
  const double *weight = (const double *)(const void *)way;
  double at = weight[-1] * permi_random_uniform(&draw->random[sample]);
  do { /* branches that nobody can predict took a third of the time */
    way += 2 * ((at -= weight[0]) >= 0);
    way += 2 * ((at -= weight[2]) >= 0);
    weight += 4;
  } while (at >= 0);
  return way[1];
}

/* Returns 0 without memory. */
static int permi_derived_begin(permi_trace *trace, const permi_numbers *numbers, int count)
{
  permi_derived *derived = (permi_derived *)permi_pool_zeros(&trace->lasting, 1, sizeof *derived);
  trace->derived = derived;
  if (!derived)
    return 0;
  derived->numbers = numbers;
  derived->size = permi_numbers_words(numbers);
  derived->count = count;
  derived->of = (int *)permi_pool_get(&trace->lasting, (size_t)count, sizeof *derived->of);
  derived->value = (uint64_t *)permi_pool_zeros(&trace->lasting, (size_t)count, 8 * derived->size);
  derived->sizes = (permi_sizes *)permi_pool_zeros(&trace->lasting, (size_t)count, sizeof *derived->sizes);
  derived->whole.value = (uint64_t *)permi_pool_zeros(&trace->lasting, 1, 8 * derived->size);
  derived->roundings[0] = trace->given;
  return !trace->lasting.failed;
}

static void permi_draw_match(const permi_draw *draw, int sample, int u, int v)
{
  const permi_trace *trace = draw->trace;
  const int row = u < v ? u : v, column = (u < v ? v : u) - trace->n;
  draw->columns[(size_t)sample * (size_t)draw->m + (size_t)trace->row[row]] = trace->column[column] - draw->total;
}

/* Lengthens integers of counted states: a product has at most one entry or factor for each row and each column.
   0: too long. */
static int permi_trace_words(permi_numbers *numbers, const permi_block *block)
{
  double bits[2] = {0, 0};
  if (!permi_algebra_is_integer(numbers->algebra))
    return 1;
  for (int v = 0; v < 2 * block->n; v++) {
    double sum = 1;
    for (int e = block->start[v]; e < block->start[v + 1]; e++)
      sum += fabs((double)block->integer[block->edge[e]]);
    bits[v >= block->n] += log2(sum);
  }
  const int words = permi_words_of_bits((bits[0] + bits[1]) * (1 + 1e-10) + 1e-6);
  if (words > PERM_INTEGER_WORDS)
    return 0;
  permi_numbers_lengthen(numbers, words);
  return 1;
}

/* ================================================================================= >>trace_frontier
   Samples from the frontier's lists and arrays. */

/* The states before each step, for derivatives those of each `every`-th, the last, and now and then others (within) in
   a pool of their own. Values of arrays are ordered by their words' index. */
typedef struct permi_frontier_kept {
  permi_pool *pool;
  int every, within;
  permi_sizes *sizes;
  permi_list *list;
  uint64_t **value; /* arrays, or NULL */
  uint64_t words[PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH + 1][PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH + 1];
} permi_frontier_kept;

/* Returns how many words of t bits have `least` to `most` ones; kept->words[t]: at most so many. */
static uint64_t permi_kept_words(const permi_frontier_kept *kept, int t, int least, int most)
{
  const uint64_t *words = kept->words[t];
  if (most < least || most < 0)
    return 0;
  return words[most < t ? most : t] - (least < 1 ? 0 : words[least - 1 < t ? least - 1 : t]);
}

static double permi_frontier_kept_bytes(const void *plan)
{
  const permi_frontier *frontier = (const permi_frontier *)plan;
  double bytes = 0;
  for (int p = 0; p < frontier->steps; p++)
    bytes += frontier->states[p] * (frontier->arrays ? (double)permi_arrays_bytes_at(frontier, p)
                                                     : (double)permi_value_bytes(frontier) + PERMI_GROUP_BYTES);
  return bytes;
}

static int permi_kept_skips(const permi_frontier_kept *kept, int p, int steps)
{
  return kept->within == (p % kept->every == 0 || p == steps);
}

static perm_status permi_lists_keep(permi_runner *runner, int p)
{
  const permi_run *run = (const permi_run *)runner;
  permi_frontier_kept *kept = (permi_frontier_kept *)((permi_trace *)runner->keeper)->kept;
  permi_pool *pool = kept->pool;
  const permi_list *from = &run->list[p & 1];
  permi_list *to = &kept->list[p];
  const size_t groups = from->groups, patterns = (size_t)from->patterns.count, low = from->patterns.first[patterns];
  if (permi_kept_skips(kept, p, run->frontier->steps))
    return PERM_OK;
  kept->sizes[p] = runner->sizes;
  *to = *from;
  to->high = (uint64_t *)permi_pool_kept(pool, from->high, groups * (size_t)from->words, sizeof *to->high);
  to->first = (size_t *)permi_pool_kept(pool, from->first, groups, sizeof *to->first);
  to->pattern = (int *)permi_pool_kept(pool, from->pattern, groups, sizeof *to->pattern);
  to->value = permi_pool_kept(pool, from->value, from->states, permi_value_bytes(run->frontier));
  to->patterns.first = (size_t *)permi_pool_kept(pool, from->patterns.first, patterns + 1, sizeof(size_t));
  to->patterns.low = (uint16_t *)permi_pool_kept(pool, from->patterns.low, low, sizeof(uint16_t));
  to->patterns.bits =
      (uint64_t *)permi_pool_kept(pool, from->patterns.bits, patterns, PERMI_LOW_WORDS * sizeof(uint64_t));
  return pool->failed ? PERM_ERROR_MEMORY : PERM_OK;
}

/* NULL: not reached. */
static const void *permi_list_find(const permi_list *list, const uint64_t *mask, size_t bytes)
{
  const unsigned low = (unsigned)mask[0] & (PERMI_LOW_STATES - 1);
  const int words = list->words;
  uint64_t key[PERMI_MASK_WORDS];
  int w;
  for (w = 0; w < words; w++)
    key[w] = mask[w] >> PERMI_LOW_BITS | (w + 1 < words ? mask[w + 1] << (64 - PERMI_LOW_BITS) : 0);
  const size_t begin = permi_list_seek(list, key, 0);
  if (begin == list->groups || permi_key_compare(list->high + begin * (size_t)words, key, words) != 0)
    return NULL;
  size_t first = list->patterns.first[list->pattern[begin]];
  const size_t last = list->patterns.first[list->pattern[begin] + 1];
  for (w = 0; first < last && list->patterns.low[first] < low; w++)
    first++;
  return first < last && list->patterns.low[first] == low
             ? (const char *)list->value + (list->first[begin] + (size_t)w) * bytes : NULL;
}

static const void *permi_array_find(const permi_frontier *frontier, const permi_frontier_kept *kept, int p,
                                    uint64_t mask)
{
  const permi_arrays *arrays = frontier->arrays;
  const uint64_t occupied = arrays->occupied[p], low = (UINT64_C(1) << arrays->low) - 1;
  uint64_t word = mask ^ arrays->rows[p], rank;
  const int ones = permi_count_ones(word), below = permi_count_ones(word & low);
  const int least = frontier->ones[p] - ones, most = frontier->most[p] - ones;
  if (word & ~occupied || least > 0 || most < 0)
    return NULL;
  rank = permi_kept_words(kept, permi_count_ones(occupied & low), below + least, below - 1);
  for (int seen = 1; word; word &= word - 1, seen++) {
    const uint64_t smaller = (word & (0 - word)) - 1;
    const int high = smaller >= low;
    rank += permi_kept_words(kept, permi_count_ones(occupied & smaller), seen + high * least, seen + high * most);
  }
  return kept->value[p] + rank * (permi_arrays_bytes_at(frontier, p) / 8);
}

static perm_status permi_lists_resume(permi_run *run, const permi_list *from, int p)
{
  const perm_allocator *allocator = &run->base.locked;
  permi_list *to = &run->list[p & 1];
  int k, complete = permi_list_room(allocator, to, from->groups);
  permi_patterns_clear(&to->patterns);
  for (k = 0; k < from->patterns.count && complete; k++)
    complete = permi_patterns_find(allocator, &to->patterns, from->patterns.bits + k * PERMI_LOW_WORDS) >= 0;
  if (!complete)
    return PERM_ERROR_MEMORY;
  memcpy(to->high, from->high, from->groups * (size_t)from->words * sizeof *to->high);
  memcpy(to->first, from->first, from->groups * sizeof *to->first);
  memcpy(to->pattern, from->pattern, from->groups * sizeof *to->pattern);
  memcpy(to->value, from->value, from->states * permi_value_bytes(run->frontier));
  to->groups = from->groups;
  to->states = from->states;
  return PERM_OK;
}

/* All layers, or from a kept one, `begin`, to `end`. */
static perm_status permi_lists_layers(permi_trace *trace, permi_control *control, const permi_frontier *frontier,
                                      int begin, int end)
{
  const permi_frontier_kept *kept = (const permi_frontier_kept *)trace->kept;
  permi_run run;
  const permi_list *last = &run.list[frontier->steps & 1];
  memset(&run, 0, sizeof run);
  run.base.keep = permi_lists_keep;
  run.base.keeper = trace;
  perm_status status = permi_run_open(frontier, control, permi_run_step, &run);
  if (status == PERM_OK && kept->within) {
    status = permi_lists_resume(&run, &kept->list[begin], begin);
    run.base.sizes = kept->sizes[begin];
  }
  if (status == PERM_OK)
    status = permi_runner_go(&run.base, begin, end, permi_run_advance);
  if (status == PERM_OK && trace->derived)
    status = permi_lists_keep(&run.base, end);
  if (status == PERM_OK && end == frontier->steps) {
    permi_trace_lose(trace, &frontier->numbers, last->states ? last->value : NULL, run.base.sizes.loss);
    trace->visited = run.base.visited;
  }
  permi_run_release(&run);
  return status;
}

static perm_status permi_arrays_keep(permi_runner *runner, int p)
{
  permi_arrays_run *run = (permi_arrays_run *)runner;
  permi_frontier_kept *kept = (permi_frontier_kept *)((permi_trace *)runner->keeper)->kept;
  const permi_layout *layout = &run->layout[p & 1];
  if (permi_kept_skips(kept, p, run->frontier->steps))
    return PERM_OK;
  char *to = (char *)permi_pool_get(kept->pool, layout->states + 1, run->bytes);
  if (!to)
    return PERM_ERROR_MEMORY;
  kept->value[p] = (uint64_t *)(void *)to;
  kept->sizes[p] = runner->sizes;
  for (int k = 0; k < layout->tops; k++)
    memcpy(to + layout->top_offset[layout->top[k]] * run->bytes, permi_array_values(run, p, layout->top[k]),
           permi_layout_states(layout, layout->top[k]) * run->bytes);
  return PERM_OK;
}

static perm_status permi_arrays_resume(permi_arrays_run *run, int begin, int end)
{
  const permi_frontier *frontier = run->frontier;
  const permi_frontier_kept *kept = (const permi_frontier_kept *)((permi_trace *)run->base.keeper)->kept;
  const char *from = (const char *)kept->value[begin];
  permi_layout *layout = &run->layout[begin & 1];
  run->base.sizes = kept->sizes[begin];
  permi_layout_fill(run->arrays, layout, run->arrays->occupied[begin], frontier->ones[begin], frontier->most[begin]);
  permi_places_start(run->places);
  for (int p = 0; p < begin; p++)
    for (permi_places_step(run->places, p); !run->places->done; permi_places_turned(run->places, (p + 1) & 1))
      permi_places_turn(run->places, (p + 1) & 1, run->top);
  permi_arrays_shorten(run, begin);
  for (int k = 0; k < layout->tops; k++)
    memcpy(permi_array_values(run, begin, layout->top[k]), from + layout->top_offset[layout->top[k]] * run->bytes,
           permi_layout_states(layout, layout->top[k]) * run->bytes);
  return permi_runner_go(&run->base, begin, end, permi_arrays_advance);
}

static perm_status permi_frontier_layers(permi_trace *trace, permi_control *control, const permi_frontier *frontier,
                                         int absolute, int begin, int end)
{
  permi_arrays_run run;
  perm_status status = PERM_ERROR_MEMORY;
  if (!frontier->arrays)
    return permi_lists_layers(trace, control, frontier, begin, end);
  memset(&run, 0, sizeof run);
  run.base.keep = permi_arrays_keep;
  run.base.keeper = trace;
  if (permi_arrays_measured(frontier, control) &&
      permi_arrays_open(&run, frontier, control, permi_arrays_seconds(frontier))) {
    permi_arrays_aim(&run, absolute);
    status = end < frontier->steps ? permi_arrays_resume(&run, begin, end) : permi_arrays_pass(&run);
  }
  if (status == PERM_OK && trace->derived)
    status = permi_arrays_keep(&run.base, end);
  if (status == PERM_OK && end == frontier->steps) {
    permi_trace_lose(trace, &frontier->numbers, permi_arrays_last(&run), run.base.sizes.loss);
    trace->visited += run.base.visited;
  }
  permi_pool_release(&run.base.pool);
  return status;
}

static perm_status permi_frontier_keep(permi_trace *trace, permi_control *control, const permi_frontier *frontier,
                                       int absolute, int every)
{
  const size_t steps = (size_t)frontier->steps + 1;
  permi_frontier_kept *kept = (permi_frontier_kept *)permi_pool_zeros(&trace->pool, 1, sizeof *kept);
  trace->kept = kept;
  permi_trace_ways(trace, &frontier->numbers, (size_t)permi_frontier_streams_most(frontier));
  trace->room = PERMI_SAMPLE_PART * (size_t)frontier->mask_words * sizeof(uint64_t);
  trace->steps = (uint64_t)frontier->steps;
  if (kept) {
    kept->pool = &trace->pool;
    kept->every = every;
    kept->sizes = (permi_sizes *)permi_pool_get(&trace->pool, steps, sizeof *kept->sizes);
  }
  if (kept && frontier->arrays)
    kept->value = (uint64_t **)permi_pool_get(&trace->pool, steps, sizeof *kept->value);
  else if (kept)
    kept->list = (permi_list *)permi_pool_get(&trace->pool, steps, sizeof *kept->list);
  if (trace->pool.failed)
    return PERM_ERROR_MEMORY;
  for (int t = 0; t <= frontier->slot_count && frontier->arrays; t++)
    for (int k = 0; k <= t; k++)
      kept->words[t][k] = k == t ? UINT64_C(1) << t : k == 0 ? 1 : kept->words[t - 1][k - 1] + kept->words[t - 1][k];
  return permi_frontier_layers(trace, control, frontier, absolute, 0, frontier->steps);
}

static perm_status permi_frontier_record(permi_trace *trace, permi_control *control)
{
  return permi_frontier_keep(trace, control, (const permi_frontier *)trace->plan, 0, 1);
}

static void permi_frontier_ways(permi_draw *draw, int p, int part, const void *state)
{
  const permi_frontier *frontier = (const permi_frontier *)draw->trace->plan;
  const uint64_t *mask = (const uint64_t *)state;
  const permi_frontier_kept *kept = (const permi_frontier_kept *)draw->trace->kept;
  const size_t words = draw->trace->size, bytes = 8 * words;
  const int first = frontier->stream_start[p], streams = frontier->stream_start[p + 1] - first;
  const size_t given = kept->value ? permi_arrays_bytes_at(frontier, p) / 8 : words;
  uint64_t from[PERMI_MASK_WORDS], longer[PERM_INTEGER_WORDS];
  (void)part;
  for (int s = 0; s < streams; s++) {
    uint64_t differs = 0;
    for (int w = 0; w < frontier->mask_words; w++) {
      from[w] = mask[w] ^ permi_stream_word(frontier, first + s, 2, w);
      differs |= (from[w] & permi_stream_word(frontier, first + s, 0, w)) ^
                 permi_stream_word(frontier, first + s, 1, w);
    }
    const void *value = differs       ? NULL
                        : kept->value ? permi_array_find(frontier, kept, p, from[0])
                                      : permi_list_find(&kept->list[p], from, bytes);
    if (value && given < words) { /* arrays keep early integers short */
      memset(longer, 0, bytes);
      memcpy(longer, value, 8 * given);
      value = longer;
    }
    permi_draw_weigh(draw, &frontier->coefficient[first + s], NULL, value, (uint64_t)s);
  }
}

static void permi_frontier_draw(permi_draw *draw)
{
  const permi_frontier *frontier = (const permi_frontier *)draw->trace->plan;
  const int words = frontier->mask_words;
  uint64_t *mask = (uint64_t *)(void *)draw->room;
  memset(mask, 0, draw->trace->room);
  for (int p = frontier->steps - 1; p >= 0; p--)
    for (int k = 0; k < draw->count; k++) {
      uint64_t *at = mask + k * words;
      const uint64_t state = permi_draw_state(draw, p, words == 1 ? *at : UINT64_MAX);
      const int s = frontier->stream_start[p] + (int)permi_draw_way(draw, k, state, p, 0, at);
      for (int w = 0; w < words; w++)
        at[w] ^= permi_stream_word(frontier, s, 2, w);
      if (frontier->partner[s] >= 0)
        permi_draw_match(draw, k, frontier->sequence[p], frontier->partner[s]);
    }
}

static const permi_tracer permi_frontier_tracer = {permi_frontier_kept_bytes, permi_frontier_record,
                                                   permi_frontier_draw, permi_frontier_ways};

/* ================================================================================== >>trace_classes
   Samples from method twins. */

/* A state knows how many members of a class wait, not which. A vertex matched with one stays pending; a member that
   waited gets any pending vertex: members' remaining entries are proportional, so all pairings have the same product.
   Where classes merged, pending vertices are shared at random, as many as waited in each. */
typedef struct permi_class_level {
  permi_class_list before; /* states */
  size_t *first;           /* of a state's links */
  permi_class_link *link;
  size_t targets; /* states after the step */
} permi_class_level;

typedef struct permi_class_pending {
  int vertex, number; /* number: of the class */
} permi_class_pending;

/* Lists double their room; links count all ways. */
static double permi_classes_kept_bytes(const void *plan)
{
  const permi_classes *classes = (const permi_classes *)plan;
  double bytes = 0;
  for (int p = 0; p < classes->steps; p++)
    bytes += classes->step[p].states *
             (8.0 * (classes->words + (int)permi_numbers_words(&classes->numbers) + 2) +
              (double)sizeof(permi_class_link) * (classes->step[p].parts + 1));
  return 2 * bytes;
}

/* 0: out of memory. */
static int permi_class_keep_states(permi_trace *trace, const permi_class_run *run, int p)
{
  const permi_class_list *list = run->list[p & 1];
  permi_class_list *to = &((permi_class_level *)trace->kept)[p].before;
  const size_t words = (size_t)run->plan->words;
  size_t states = 1, at = 0;
  for (int k = 0; k < run->shares; k++)
    states += list[k].count;
  to->key = (uint64_t *)permi_pool_get(&trace->pool, states, words * sizeof(uint64_t));
  to->value = (char *)permi_pool_get(&trace->pool, states, run->bytes);
  to->exp2 = (int64_t *)permi_pool_get(&trace->pool, states, sizeof(int64_t));
  for (int k = 0; k < run->shares && !trace->pool.failed; at += list[k++].count)
    if (list[k].count) {
      memcpy(to->key + at * words, list[k].key, list[k].count * words * sizeof(uint64_t));
      memcpy(to->value + at * run->bytes, list[k].value, list[k].count * run->bytes);
      memcpy(to->exp2 + at, list[k].exp2, list[k].count * sizeof(int64_t));
    }
  return !trace->pool.failed;
}

/* Sorts them by the states after the step. 0: out of memory. */
static int permi_class_keep_links(permi_trace *trace, permi_class_run *run, int p)
{
  const permi_class_list *from = run->list[p & 1], *into = run->list[(p + 1) & 1];
  permi_class_level *level = (permi_class_level *)trace->kept + p;
  size_t base[2][PERMI_CLASS_SHARES + 1] = {{0}, {0}}, links = 0, k, total;
  for (int share = 0; share < run->shares; share++) {
    base[0][share + 1] = base[0][share] + from[share].count;
    base[1][share + 1] = base[1][share] + into[share].count;
    links += run->links[share].count;
  }
  level->targets = total = base[1][run->shares];
  level->first = (size_t *)permi_pool_zeros(&trace->pool, total + 2, sizeof(size_t));
  level->link = (permi_class_link *)permi_pool_get(&trace->pool, links + 1, sizeof *level->link);
  if (trace->pool.failed)
    return 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int share = 0; share < run->shares; share++)
      for (k = 0; k < run->links[share].count; k++) {
        permi_class_link link = run->links[share].link[k];
        const size_t state = base[1][share] + link.into;
        link.state += (uint32_t)base[0][link.share];
        if (pass)
          level->link[level->first[state + 1]++] = link; /* first[state + 1] runs from its begin to its end */
        else
          level->first[state + 2]++;
      }
    for (k = 2; !pass && k < total + 2; k++)
      level->first[k] += level->first[k - 1];
  }
  for (int share = 0; share < run->shares; share++)
    run->links[share].count = 0;
  return 1;
}

static perm_status permi_class_keep(permi_runner *runner, int p)
{
  permi_class_run *run = (permi_class_run *)runner;
  permi_trace *trace = (permi_trace *)runner->keeper;
  return (p == 0 || permi_class_keep_links(trace, run, p - 1)) &&
                 (p == run->plan->steps || permi_class_keep_states(trace, run, p))
             ? PERM_OK : PERM_ERROR_MEMORY;
}

static perm_status permi_classes_record(permi_trace *trace, permi_control *control)
{
  const permi_classes *plan = (const permi_classes *)trace->plan;
  permi_class_links links[PERMI_CLASS_SHARES];
  permi_class_run run;
  perm_status status = PERM_ERROR_MEMORY;
  size_t ways = 1, k;
  memset(links, 0, sizeof links);
  memset(&run, 0, sizeof run);
  run.links = links;
  run.base.keep = permi_class_keep;
  run.base.keeper = trace;
  trace->kept = permi_pool_zeros(&trace->pool, (size_t)plan->steps, sizeof(permi_class_level));
  trace->room = 2 * (size_t)trace->n * sizeof(permi_class_pending);
  if (trace->kept && permi_class_run_open(&run, plan, control))
    status = permi_runner_go(&run.base, 0, plan->steps, permi_class_advance);
  if (status == PERM_OK)
    status = permi_class_keep(&run.base, plan->steps);
  for (int p = 0; p < plan->steps && status == PERM_OK; p++) {
    const permi_class_level *level = (const permi_class_level *)trace->kept + p;
    for (k = 0; k < level->targets; k++)
      ways = level->first[k + 1] - level->first[k] > ways ? level->first[k + 1] - level->first[k] : ways;
  }
  trace->visited = run.base.visited;
  permi_trace_ways(trace, &plan->numbers, ways);
  trace->steps = (uint64_t)plan->steps;
  for (int p = 0; p < PERMI_CLASS_SHARES; p++)
    permi_release(&run.base.locked, links[p].link);
  permi_class_run_close(&run);
  return status;
}

/* Returns a random pending vertex. */
static int permi_class_pick(const permi_class_pending *pending, int count, int number, uint64_t *random)
{
  uint64_t all = 0, x;
  int k;
  for (k = 0; k < count; k++)
    all += pending[k].number == number;
  do
    x = permi_random(random);
  while (x > UINT64_MAX - (UINT64_MAX % all + 1) % all);
  for (k = 0, x %= all; pending[k].number != number || x-- > 0; k++)
    ;
  return k;
}

static void permi_class_undo(permi_draw *draw, int sample, const permi_classes *plan, const permi_class_step *step,
                             const uint64_t *key, int way, int *count)
{
  permi_class_pending *pending = (permi_class_pending *)(void *)draw->room;
  const permi_class_part *part = plan->part + step->part;
  if (!way) {
    const int at = permi_class_pick(pending, *count, step->joins, &draw->random[sample]);
    permi_draw_match(draw, sample, step->vertex, pending[at].vertex);
    pending[at] = pending[--*count];
  }
  for (int k = 0; k < step->parts; k++)
    if (part[k].from != part[k].into && part[k].into > 1)
      for (int moves = permi_class_number(&plan->class_of[part[k].from], key) - (k == way - 1); moves > 0; moves--)
        pending[permi_class_pick(pending, *count, part[k].into, &draw->random[sample])].number = part[k].from;
  if (way) {
    pending[*count].vertex = step->vertex;
    pending[(*count)++].number = part[way - 1].from;
  }
}

static void permi_classes_ways(permi_draw *draw, int p, int part, const void *of)
{
  const permi_class_level *level = (const permi_class_level *)draw->trace->kept + p;
  const size_t *first = level->first + *(const size_t *)of;
  const permi_class_link *link = level->link + first[0];
  const permi_coefficient one = permi_coefficient_one();
  uint64_t value[2 * PERM_INTEGER_WORDS];
  int64_t exp2, most = INT64_MIN;
  permi_class_run run;
  permi_class_list target = {0, 0, 0, 0, 0, 0, NULL, (char *)value, &exp2, NULL};
  (void)part;
  memset(&run, 0, sizeof run);
  run.plan = (const permi_classes *)draw->trace->plan;
  run.bytes = 8 * draw->trace->size;
  run.p = p;
  for (int pass = draw->trace->integers; pass < 2; pass++) /* doubles: first finds the largest exponent */
    for (size_t k = 0; k < first[1] - first[0]; k++) {
      double *x = (double *)(void *)value;
      int e = 0;
      memset(value, 0, run.bytes);
      exp2 = 0;
      permi_class_add_way(&run, &level->before, link[k].state, (int)link[k].way, &target, 0);
      if (!draw->trace->integers)
        *x = pass ? permi_ldexp(*x, exp2 - most) : frexp(*x, &e);
      most = pass || exp2 + e < most ? most : exp2 + e;
      if (pass)
        permi_draw_weigh(draw, &one, NULL, value, k);
    }
}

static void permi_classes_draw(permi_draw *draw)
{
  const permi_classes *plan = (const permi_classes *)draw->trace->plan;
  for (int k = 0; k < draw->count; k++) {
    size_t state = 0;
    int pending = 0;
    for (int p = plan->steps - 1; p >= 0; p--) {
      const permi_class_level *level = (const permi_class_level *)draw->trace->kept + p;
      const permi_class_link *link = level->link + level->first[state] +
                                     permi_draw_way(draw, k, permi_draw_state(draw, p, state), p, 0, &state);
      state = link->state;
      permi_class_undo(draw, k, plan, &plan->step[p], level->before.key + state * (size_t)plan->words, (int)link->way,
                       &pending);
    }
  }
}

static const permi_tracer permi_classes_tracer = {permi_classes_kept_bytes, permi_classes_record, permi_classes_draw,
                                                  permi_classes_ways};

/* ===================================================================================== >>trace_tree
   Samples from a tree of tables. */

/* Tables of nodes; products of children, last child first. */
typedef struct permi_tree_kept {
  permi_tree_table *own, *product;
  int *first;            /* of a node's products; nodes + 1 */
  int *child, *children; /* those of a node begin at children[node] */
  int *stack, depth, products, listed;
  uint64_t *room; /* of the next table */
} permi_tree_kept;

static double permi_tree_kept_bytes(const void *plan)
{
  const permi_tree *tree = (const permi_tree *)plan;
  return 8.0 * tree->size * (tree->states + tree->node[tree->nodes].edge) +
         (sizeof(permi_tree_table) + 32.0) * (tree->joins + tree->nodes);
}

static void permi_tree_keep(void *keeper, const permi_tree_node *node, const permi_tree_table *table, int own)
{
  permi_trace *trace = (permi_trace *)keeper;
  const permi_tree *tree = (const permi_tree *)trace->plan;
  permi_tree_kept *kept = (permi_tree_kept *)trace->kept;
  permi_tree_table *to = own ? &kept->own[node - tree->node] : &kept->product[kept->products++];
  const int number = (int)(node - tree->node);
  *to = *table;
  to->value = kept->room;
  kept->room += table->states * (size_t)tree->size;
  memcpy(to->value, table->value, table->states * 8 * (size_t)tree->size);
  if (!own)
    return;
  if (number == tree->nodes - 1)
    permi_trace_lose(trace, &tree->numbers, table->states ? to->value : NULL, table->sizes.loss);
  kept->first[number + 1] = kept->products;
  kept->children[number] = kept->listed;
  for (int k = node->children; k > 0; k--)
    kept->child[kept->listed++] = kept->stack[kept->depth - k];
  kept->depth -= node->children;
  kept->stack[kept->depth++] = number;
}

static perm_status permi_tree_keep_all(permi_trace *trace, permi_control *control, permi_tree_run *run)
{
  const permi_tree *tree = (const permi_tree *)trace->plan;
  const size_t nodes = (size_t)tree->nodes;
  permi_tree_kept *kept = (permi_tree_kept *)permi_pool_zeros(&trace->pool, 1, sizeof *kept);
  int common = 0;
  trace->kept = kept;
  if (!kept)
    return PERM_ERROR_MEMORY;
  kept->own = (permi_tree_table *)permi_pool_get(&trace->pool, nodes, sizeof *kept->own);
  kept->product = (permi_tree_table *)permi_pool_get(&trace->pool, (size_t)tree->joins + 1, sizeof *kept->product);
  kept->first = (int *)permi_pool_get(&trace->pool, 4 * nodes + 1, sizeof(int));
  kept->room = (uint64_t *)permi_pool_get(&trace->pool, (size_t)tree->states + (size_t)tree->node[nodes].edge + 1,
                                          8 * (size_t)tree->size);
  if (trace->pool.failed)
    return PERM_ERROR_MEMORY;
  kept->child = kept->first + nodes + 1;
  kept->children = kept->child + nodes;
  kept->stack = kept->children + nodes;
  kept->first[0] = 0;
  while (ldexp(1, common) < tree->most_groups) /* ways: entries of a star, or shares of a join's common vertices */
    common++;
  size_t ways = permi_tree_choose(tree, common, common / 2);
  ways = ways > PERMI_TREE_WIDTH + 3 ? ways : PERMI_TREE_WIDTH + 3;
  permi_trace_ways(trace, &tree->numbers, ways);
  trace->room = PERMI_SAMPLE_PART * (nodes + 2) * sizeof(uint32_t);
  trace->steps = nodes;
  run->keep = permi_tree_keep;
  run->base.keeper = trace;
  const perm_status status = permi_tree_nodes(tree, control, run);
  trace->visited = run->base.visited;
  return status;
}

/* NULL: not in the table. */
static const uint64_t *permi_tree_value_of(const permi_tree *tree, const permi_tree_table *table, uint32_t rows,
                                       uint32_t matched)
{
  const uint32_t word = permi_tree_extract((matched ^ rows) & table->set, table->set);
  const int ones = permi_count_ones(rows & table->set) - table->difference;
  if ((matched & ~table->set) || (!tree->alone && permi_count_ones(word) != ones))
    return NULL;
  return table->value + (size_t)tree->size * permi_tree_rank_of(tree, word, 0, ones);
}

static perm_status permi_tree_record(permi_trace *trace, permi_control *control)
{
  permi_tree_run run;
  memset(&run, 0, sizeof run);
  const perm_status status = permi_tree_keep_all(trace, control, &run);
  permi_pool_release(&run.base.pool);
  return status;
}

/* Of a node's star: an entry's match, from 1, and the product's state; of the join of `part`: both states. */
static void permi_tree_ways(permi_draw *draw, int number, int part, const void *state)
{
  const permi_tree *tree = (const permi_tree *)draw->trace->plan;
  const permi_tree_kept *kept = (const permi_tree_kept *)draw->trace->kept;
  const permi_tree_node *node = &tree->node[number];
  const int *child = kept->child + kept->children[number], joins = node->children - 1;
  const permi_tree_table *product = kept->product + kept->first[number], *last = &kept->own[child[joins]], *with = last;
  const uint32_t matched = *(const uint32_t *)state, set = part ? node->all : last->set, rows = node->rows;
  if (part < joins) { /* product j joins child[joins - 1 - j] */
    last = part ? &product[part - 1] : last;
    with = &kept->own[child[joins - 1 - part]];
    const uint32_t common = matched & with->set & last->set, own = matched & ~last->set;
    uint32_t shared = 0;
    do {
      const uint32_t rest = matched ^ own ^ shared;
      const uint64_t *x = permi_tree_value_of(tree, with, rows, own | shared);
      if (x)
        permi_draw_weigh(draw, NULL, x, permi_tree_value_of(tree, last, rows, rest),
                         (uint64_t)permi_tree_extract(own | shared, with->set) << 32 | permi_tree_extract(rest, set));
      shared = (shared - common) & common;
    } while (shared);
    return;
  }
  const permi_coefficient one = permi_coefficient_one(), *alone = permi_tree_alone(tree, node);
  const int products = kept->first[number + 1] - kept->first[number]; /* more than joins if the last is with the unit */
  const permi_tree_table *table = products ? &product[products - 1] : last;
  for (int e = node->edge; e <= node[1].edge + (alone != NULL); e++) {
    const int entry = e < node[1].edge, below = e == node[1].edge;
    const uint32_t bit = entry ? 1u << tree->edge[e].bit : node->all & ~(node->all >> 1);
    const uint32_t before = entry ? matched & ~bit : below ? matched | bit : matched;
    if (!entry || matched & bit)
      permi_draw_weigh(draw, entry ? &tree->edge[e].c : below ? &one : alone, NULL,
                       permi_tree_value_of(tree, table, rows, before),
                       (uint64_t)(entry ? e + 1 : 0) << 32 | permi_tree_extract(before, set));
  }
}

static void permi_tree_draw(permi_draw *draw)
{
  const permi_tree *tree = (const permi_tree *)draw->trace->plan;
  const permi_tree_kept *kept = (const permi_tree_kept *)draw->trace->kept;
  const int count = draw->count;
  uint32_t *state = (uint32_t *)(void *)draw->room, *rest = state + tree->nodes * count, *entry = rest + count;
  memset(rest - count, 0, (size_t)count * sizeof *rest);
  for (int i = tree->nodes - 1; i >= 0; i--) {
    const permi_tree_node *node = &tree->node[i];
    const int *child = kept->child + kept->children[i];
    const uint32_t *from = state + i * count;
    for (int j = node->children - 1; j >= 0; j--, from = rest) {
      const uint64_t base = permi_draw_state(draw, kept->children[i] + j, 0);
      uint32_t *one = j == node->children - 1 ? entry : state + child[node->children - 2 - j] * count;
      uint32_t *other = j ? rest : state + child[node->children - 1] * count;
      for (int k = 0; k < count; k++) {
        const uint64_t way = permi_draw_way(draw, k, base | from[k], i, j, from + k);
        one[k] = (uint32_t)(way >> 32);
        other[k] = (uint32_t)way;
      }
    }
    for (int k = 0; k < count; k++) {
      int e = node->children ? (int)entry[k] - 1 : node[1].edge - 1;
      while (!node->children && e >= node->edge && !(from[k] >> tree->edge[e].bit & 1))
        e--;
      if (e >= node->edge)
        permi_draw_match(draw, k, node->vertex, tree->edge[e].vertex);
    }
  }
}

static const permi_tracer permi_tree_tracer = {permi_tree_kept_bytes, permi_tree_record, permi_tree_draw,
                                               permi_tree_ways};

/* ================================================================================ >>derive_frontier
   Derivatives of a block's permanent, by one pass back through the kept states of lists and arrays. Adjoints are 1 at
   the end and x' = sum over streams from x to y of c y', a derivative is c' = sum of x y'. So adjoints are values of
   the reversed program, with the lists that are kept. THE BOUND: docs/proofs-rounding.md (tests/proofs/chains.v). */

#define PERMI_BACK_GROUPS 1024 /* of a list, summed apart */

typedef struct permi_back {
  permi_trace *trace;
  permi_control *control;
  const permi_frontier *frontier;
  int every, begin;        /* of kept layers; the one before those in `within`, or -1 */
  permi_pool within;
  permi_frontier reversed; /* layer q, stream r: steps - q, streams - 1 - r */
  permi_sizes *sizes;      /* by stream, of this pass */
  size_t offset, bytes;    /* of its part of a derivative: words before; bytes */
  double terms;            /* of a dot, at most */
  uint64_t *sum;           /* lists: by stream of a step */
  char *bar[2];            /* lists: adjoints */
  double **part;           /* arrays: by stream, for each piece */
} permi_back;

static PERMI_ALWAYS_INLINE void permi_values_dot_of(permi_algebra algebra, const permi_numbers *numbers, const char *x,
                                                    const char *bar, const uint32_t *pair, const uint16_t *place,
                                                    size_t count, void *to)
{
  const permi_coefficient one = permi_coefficient_one();
  const size_t bytes = 8 * permi_value_words(algebra, numbers);
  uint64_t sum[2 * PERM_INTEGER_WORDS];
  memset(sum, 0, bytes);
  for (size_t k = 0; k < count; k++) {
    const size_t i = pair ? pair[k] >> 16 : k, j = pair ? pair[k] & 65535 : place ? place[k] : k;
    if (!place || j != PERMI_ARRAY_NOWHERE)
      permi_value_fuse(algebra, numbers, x + i * bytes, sum, bar + j * bytes);
  }
  permi_value_add(algebra, numbers, &one, to, sum, 0);
}

/* Adds sums of x bar: at pairs (bar's place | x's << 16), or at x's `place` in bar, or in step. */
static void permi_values_dot(const permi_numbers *numbers, const void *x, const void *bar, const uint32_t *pair,
                             const uint16_t *place, size_t count, void *to)
{
  const char *from = (const char *)x, *with = (const char *)bar;
  switch (numbers->algebra) {
#define PERMI_CASE(algebra, as)                                                                                        \
  case algebra: permi_values_dot_of(as, numbers, from, with, pair, place, count, to); break;
    PERMI_CASE(PERMI_MAGNITUDES, PERMI_MAGNITUDES) PERMI_CASE(PERMI_SIGNED, PERMI_SIGNED)
    PERMI_CASE(PERMI_COMPLEX, PERMI_COMPLEX) PERMI_CASE(PERMI_PAIR_VALUES, PERMI_PAIR_VALUES)
    PERMI_CASE(PERMI_WORD, PERMI_WORD) PERMI_CASE(PERMI_WIDE, PERMI_WORDS) PERMI_CASE(PERMI_WORDS, PERMI_WORDS)
    PERMI_CASE(PERMI_RESIDUES, PERMI_RESIDUES)
#undef PERMI_CASE
  default: break; /* never chosen */
  }
}

static void permi_block_dots(const permi_numbers *numbers, void *x, size_t count, const permi_origin *origin,
                             int origins)
{
  for (; origins > 0; origins--, origin++)
    if (origin->sum)
      permi_values_dot(numbers, x, origin->x, NULL, origin->place, count, origin->sum);
}

static int permi_back_reverse(permi_pool *pool, const permi_frontier *from, permi_frontier *to)
{
  const int steps = from->steps, words = from->mask_words, last = from->stream_start[steps] - 1;
  const size_t layers = (size_t)steps + 1, streams = (size_t)last + 1;
  uint64_t *born = (uint64_t *)permi_pool_zeros(pool, layers * (size_t)(words + 3), sizeof *born), *bits;
  permi_arrays *arrays = (permi_arrays *)permi_pool_get(pool, 1, sizeof *arrays);
  *to = *from;
  to->mask = (uint64_t *)permi_pool_get(pool, streams, 3 * (size_t)words * sizeof *to->mask);
  to->coefficient = (permi_coefficient *)permi_pool_get(pool, streams, sizeof *to->coefficient);
  to->states = (double *)permi_pool_get(pool, layers, 2 * sizeof *to->states);
  if (!permi_pool_ints(pool, &to->stream_start, layers, &to->ones, layers, &to->most, layers, (int **)NULL) ||
      pool->failed)
    return 0;
  bits = born + layers * (size_t)words;
  to->rows = 0;
  to->cost = to->states + layers;
  to->room[steps & 1] = from->room[0];
  to->room[1 - (steps & 1)] = from->room[1];
  if (from->arrays) {
    *arrays = *from->arrays;
    arrays->bytes = 0;
    arrays->occupied = bits;
    arrays->rows = bits + layers;
    arrays->born = arrays->rows + layers;
    to->arrays = arrays;
  }
  for (int v = 0; v < from->vertices; v++)
    if (from->slot[v] >= 0) {
      const uint64_t bit = UINT64_C(1) << (from->slot[v] & 63);
      born[(from->birth[v] + 1) * words + (from->slot[v] >> 6)] |= bit;
      bits[2 * layers + (size_t)(steps - from->death[v])] |= bit;
    }
  for (int q = 0; q <= steps; q++) {
    const int p = steps - q;
    to->stream_start[q] = last + 1 - from->stream_start[p];
    to->ones[q] = from->ones[p];
    to->most[q] = from->most[p];
    to->states[q] = from->states[p];
    to->cost[q] = from->cost[steps] - from->cost[p];
    bits[q] = from->arrays ? from->arrays->occupied[p] : 0;
    bits[layers + (size_t)q] = from->arrays ? from->arrays->rows[p] : 0;
    for (int s = from->stream_start[p]; p < steps && s < from->stream_start[p + 1]; s++) {
      uint64_t *test = to->mask + (last - s) * 3 * words, *want = test + words;
      to->coefficient[last - s] = from->coefficient[s];
      for (int w = 0; w < words; w++) {
        const uint64_t flip = want[words + w] = permi_stream_word(from, s, 2, w);
        test[w] = permi_stream_word(from, s, 0, w) | born[(p + 1) * words + w];
        want[w] = (permi_stream_word(from, s, 1, w) ^ flip) & test[w];
      }
    }
  }
  return 1;
}

/* The sum of `states` products was added to the derivative by stream s. */
static void permi_back_derived(permi_back *back, int s, const permi_sizes *kept, const permi_sizes *bar, double states)
{
  back->sizes[s].exp2 = kept->exp2 + bar->exp2;
  back->sizes[s].loss = permi_tree_join_loss(kept, bar, states);
}

/* A dot of `states` terms has been summed in three levels. */
static void permi_back_terms(permi_back *back, double first, double second, double third, double states)
{
  back->terms = fmax(back->terms, fmin(first, states) + fmin(second, states) + fmin(third, states));
}

static void *permi_back_place(const permi_back *back, int s)
{
  const permi_derived *derived = back->trace->derived;
  return derived->value + (size_t)s * derived->size + back->offset;
}

/* Computes layers from the last kept one to p again. */
static perm_status permi_back_again(permi_back *back, int p, int absolute)
{
  permi_frontier_kept *kept = (permi_frontier_kept *)back->trace->kept;
  const int begin = p - p % back->every;
  if (p == begin || back->begin == begin)
    return PERM_OK;
  permi_pool_release(&back->within);
  back->begin = begin;
  kept->pool = &back->within;
  kept->within = 1;
  return permi_frontier_layers(back->trace, back->control, back->frontier, absolute, begin, p);
}

/* Makes the adjoints of a kept list. */
static perm_status permi_lists_back(permi_run *run, int q)
{
  permi_back *back = (permi_back *)run->base.keeper;
  const permi_frontier *frontier = back->frontier;
  const int p = frontier->steps - 1 - q, last = frontier->stream_start[p + 1] - 1;
  const permi_frontier_kept *kept = (const permi_frontier_kept *)back->trace->kept;
  const permi_numbers *numbers = &frontier->numbers;
  const permi_coefficient one = permi_coefficient_one();
  const size_t size = permi_numbers_words(numbers), bytes = 8 * size, words = (size_t)frontier->mask_words;
  const permi_list *source = &run->list[q & 1];
  permi_list *target = &run->list[(q + 1) & 1];
  const permi_sizes sizes = run->base.sizes;
  perm_status status = permi_back_again(back, p, 0);
  size_t g, longest = 0;
  if (status != PERM_OK)
    return status;
  run->base.done += frontier->cost[frontier->steps] * PERMI_STATE_SECONDS;
  *target = kept->list[p];
  target->value = back->bar[(q + 1) & 1];
  permi_run_prepare(run, q);
  memset(back->sum, 0, (size_t)run->streams * bytes);
  for (g = 0; g < target->groups && status == PERM_OK; g++) {
    const uint64_t *key = target->high + g * words;
    const int pattern = target->pattern[g];
    const size_t count = target->patterns.first[pattern + 1] - target->patterns.first[pattern];
    const char *x = (const char *)kept->list[p].value + target->first[g] * bytes;
    char *y = (char *)target->value + target->first[g] * bytes;
    longest = count > longest ? count : longest;
    memset(y, 0, count * bytes);
    for (int s = 0; s < run->streams; s++) {
      permi_cursor *cursor = &run->cursor[s];
      while (permi_key_compare(cursor->key, key, (int)words) < 0) {
        cursor->group++;
        permi_cursor_settle(cursor, source, (int)words);
      }
      if (permi_key_compare(cursor->key, key, (int)words) == 0) {
        const char *bar = (const char *)source->value + source->first[cursor->group] * bytes;
        const permi_move *move = permi_moves_find(run->moves, run->step, s, cursor, &source->patterns,
                                                  source->pattern[cursor->group], &target->patterns, pattern);
        const uint32_t *pair = move->whole ? NULL : run->moves->pair + move->first;
        permi_values_adders[numbers->algebra](numbers, &cursor->c, y, bar, pair, (size_t)move->count, 0);
        if (frontier->entry[last - s] != INT_MIN)
          permi_values_dot(numbers, x, bar, pair, NULL, (size_t)move->count, back->sum + (size_t)s * size);
      }
    }
    if ((g + 1) % PERMI_BACK_GROUPS == 0 || g + 1 == target->groups) {
      for (int s = 0; s < run->streams; s++)
        permi_values_add(numbers, &one, permi_back_place(back, last - s), back->sum + (size_t)s * size, 1);
      memset(back->sum, 0, (size_t)run->streams * bytes);
      status = permi_runner_poll(&run->base, PERMI_RUNNER_POLL / 16, run->base.done, 0);
    }
  }
  for (int s = 0; s < run->streams; s++)
    permi_back_derived(back, last - s, &kept->sizes[p], &sizes, (double)target->states);
  permi_back_terms(back, (double)longest, PERMI_BACK_GROUPS, (double)target->groups / PERMI_BACK_GROUPS + 1,
                   (double)target->states);
  if (run->tracking)
    permi_values_track(numbers->algebra, target->value, target->states, &run->base.sizes);
  return status;
}

static perm_status permi_lists_pass_back(permi_back *back, permi_control *control)
{
  const permi_frontier *frontier = back->frontier;
  permi_run run;
  memset(&run, 0, sizeof run);
  run.base.keeper = back;
  perm_status status = permi_run_open(&back->reversed, control, permi_run_step, &run);
  run.advance = permi_lists_back;
  if (status == PERM_OK) {
    permi_list first = ((permi_frontier_kept *)back->trace->kept)->list[frontier->steps];
    for (int k = 0; k < 2; k++) {
      back->bar[k] = (char *)run.list[k].value;
      permi_list_release(&run.base.locked, &run.list[k]);
    }
    first.value = back->bar[0];
    run.list[0] = first;
    back->sum = (uint64_t *)permi_pool_get(&run.base.pool, (size_t)permi_frontier_streams_most(frontier),
                                           permi_value_bytes(frontier));
    status = back->sum ? permi_runner_go(&run.base, 0, frontier->steps, permi_run_advance) : PERM_ERROR_MEMORY;
    memset(run.list, 0, sizeof run.list); /* the trace's */
  }
  permi_run_release(&run);
  return status;
}

/* Adds to derivatives by a step's streams; the adjoints of their targets are in memory, layer q of the reversed. */
static perm_status permi_arrays_back(permi_arrays_run *run, int q)
{
  permi_back *back = (permi_back *)run->base.keeper;
  const permi_frontier *frontier = back->frontier;
  const permi_frontier_kept *kept = (const permi_frontier_kept *)back->trace->kept;
  const int p = frontier->steps - 1 - q, last = frontier->stream_start[p + 1] - 1;
  const int streams = last + 1 - frontier->stream_start[p];
  const permi_layout *target = &run->layout[(q + 1) & 1];
  const permi_block_kernel kernel = run->kernel;
  const size_t words = run->bytes / 8, pieces = (size_t)target->tops * PERMI_ARRAY_PIECES;
  permi_array_stepping step = {run, q, run->base.done, 0, 0, NULL, back->part, words};
  uint64_t one[2 * PERM_INTEGER_WORDS];
  double block = 0, blocks = 0, *room = back->part[run->most];
  perm_status status = permi_back_again(back, p, run->absolute);
  if (status != PERM_OK)
    return status;
  step.kept = (char *)kept->value[p];
  run->kernel = permi_block_dots;
#if PERMI_X86
  if (run->numbers.algebra == PERMI_MAGNITUDES && permi_lanes(run->arrays->isa) >= 4) {
    step.sums = permi_lanes(run->arrays->isa) == 4 ? 4 : 8;
    run->kernel = step.sums == 4 ? permi_block_dots_avx2 : permi_block_dots_avx512;
  }
#endif
  memset(room, 0, (size_t)streams * pieces * step.sums * sizeof *room);
  memcpy(run->top, target->top, (size_t)target->tops * sizeof *run->top);
  for (int s = 0; s < streams; s++)
    back->part[s] = frontier->entry[last - s] == INT_MIN ? NULL : room + (size_t)s * pieces * step.sums;
  run->tracking = 0;
  status = permi_share(frontier->states[p] < PERMI_PARALLEL_STATES ? 1 : run->base.threads, 0, pieces,
                       permi_array_piece, &step, NULL);
  run->kernel = kernel;
  permi_value_one(&run->numbers, one);
  for (int s = 0; s < streams; s++) {
    for (size_t k = 0; k < pieces * step.sums && back->part[s]; k += words)
      permi_values_dot(&run->numbers, back->part[s] + k, one, NULL, NULL, 1, permi_back_place(back, last - s));
    permi_back_derived(back, last - s, &kept->sizes[p], &run->base.sizes, (double)target->states);
  }
  for (int s = 0; s <= target->low; s++)
    block = fmax(block, target->start[s + 1] - target->start[s]);
  for (int ones = 0; ones <= run->arrays->top; ones++)
    blocks = fmax(blocks, target->middle_start[ones + 1] - target->middle_start[ones]);
  permi_back_terms(back, block, blocks / PERMI_ARRAY_PIECES + 1, (double)(pieces * step.sums / words),
                   (double)target->states);
  return status;
}

static perm_status permi_arrays_pass_back(permi_back *back, permi_control *control, int absolute)
{
  const permi_frontier *frontier = back->frontier;
  const double seconds = permi_arrays_seconds(frontier);
  permi_arrays_run run;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&run, 0, sizeof run);
  run.back = permi_arrays_back;
  run.base.keeper = back;
  if (permi_arrays_measured(&back->reversed, control) && permi_arrays_open(&run, &back->reversed, control, seconds)) {
    const size_t most = (size_t)run.most, pieces = PERMI_ARRAY_PIECES * permi_places_tops(frontier);
    permi_arrays_aim(&run, absolute);
    run.seconds_before = seconds;
    back->part = (double **)permi_pool_get(&run.base.pool, most + 1, sizeof *back->part);
    if (back->part)
      back->part[most] = (double *)permi_pool_get(&run.base.pool, most * pieces,
                                                  permi_value_bytes(frontier) + 8 * sizeof(double));
    if (!run.base.pool.failed)
      status = permi_arrays_pass(&run);
  }
  permi_pool_release(&run.base.pool);
  return status;
}

/* One pass keeps states, and goes back over them; arrays with moduli, for these the second time. */
static perm_status permi_back_pass(permi_back *back, permi_control *control, int pass, permi_sizes *whole)
{
  permi_trace *trace = back->trace;
  const permi_frontier *frontier = back->frontier;
  const int last = frontier->steps;
  const void *value = NULL;
  perm_status status = permi_frontier_keep(trace, control, frontier, pass, back->every);
  if (status != PERM_OK)
    return status;
  const permi_frontier_kept *kept = (const permi_frontier_kept *)trace->kept;
  if (frontier->arrays)
    value = kept->value[last];
  else if (kept->list[last].states)
    value = kept->list[last].value;
  if (value)
    memcpy(trace->derived->whole.value + back->offset, value, back->bytes);
  *whole = kept->sizes[last];
  back->begin = -1;
  status = frontier->arrays ? permi_arrays_pass_back(back, control, pass) : permi_lists_pass_back(back, control);
  permi_pool_release(&back->within);
  permi_pool_release(&trace->pool);
  return status;
}

/* Returns the bytes of layers, where each `every`-th is kept, and of `runs`. */
static double permi_back_bytes(const permi_frontier *frontier, int every, int runs)
{
  const double bytes = (double)permi_value_bytes(frontier) + PERMI_GROUP_BYTES, *states = frontier->states;
  double kept = 0, within = 0, most = 0;
  for (int p = 0; p <= frontier->steps; p++) {
    const int keeps = p % every == 0 || p == frontier->steps;
    kept += keeps ? states[p] : 0;
    within = keeps ? 0 : within + states[p];
    most = fmax(most, within);
  }
  return (kept + most + runs * (frontier->room[0] + frontier->room[1])) * bytes +
         runs * (frontier->arrays ? 65536.0 : (double)sizeof(permi_moves)) +
         frontier->stream_start[frontier->steps] * (2 * bytes + 200);
}

/* 1: all layers are kept; else so few that they fit, or that they take the fewest bytes. */
static int permi_back_every(const permi_frontier *frontier, double limit)
{
  double least = permi_back_bytes(frontier, 1, 1);
  int every, best = 1;
  for (every = 2; every < frontier->steps && least > limit; every += 1 + every / 8) {
    const double bytes = permi_back_bytes(frontier, every, 2);
    best = bytes < least ? every : best;
    least = fmin(bytes, least);
  }
  return best;
}

static perm_status permi_frontier_derive(permi_trace *trace, permi_control *control)
{
  const permi_frontier *plan = (const permi_frontier *)trace->plan;
  const int streams = plan->stream_start[plan->steps], passes = plan->arrays ? permi_arrays_passes(plan) : 1;
  const size_t size = permi_numbers_words(&plan->numbers);
  const double product = plan->numbers.algebra == PERMI_COMPLEX ? 3 : 1;
  permi_pool pool = {&plan->owned.allocator, NULL, 0};
  permi_frontier frontier = *plan;
  permi_arrays arrays;
  permi_sizes whole[2];
  permi_back back;
  perm_status status = PERM_OK;
  memset(&back, 0, sizeof back);
  frontier.words = NULL; /* adjoints are long */
  if (plan->arrays) {
    arrays = *plan->arrays;
    arrays.bytes = plan->words ? 0 : arrays.bytes;
    frontier.arrays = &arrays;
  }
  back.trace = trace;
  back.control = control;
  back.within.allocator = &plan->owned.allocator;
  back.every = permi_back_every(plan, permi_sample_left(control->options));
  back.frontier = &frontier;
  if (!permi_derived_begin(trace, &plan->numbers, streams))
    return PERM_ERROR_MEMORY;
  permi_derived *derived = trace->derived;
  back.sizes = derived->sizes;
  if (!permi_back_reverse(&pool, &frontier, &back.reversed))
    status = PERM_ERROR_MEMORY;
  for (int pass = 0; pass < passes && status == PERM_OK; pass++) {
    back.bytes = 8 * (passes == 1 ? size : pass ? 1 : size - 1);
    if (pass) {
      back.offset = size - 1;
      back.sizes = (permi_sizes *)permi_pool_zeros(&pool, (size_t)streams, sizeof *back.sizes);
    }
    status = back.sizes ? permi_back_pass(&back, control, pass, &whole[pass]) : PERM_ERROR_MEMORY;
  }
  for (int s = 0; s < streams && status == PERM_OK; s++) {
    permi_sizes both[2] = {derived->sizes[s], back.sizes[s]};
    derived->of[s] = plan->entry[s];
    if (passes == 2)
      permi_arrays_join((double *)(void *)(derived->value + (size_t)s * size), (int)size - 1, both);
    derived->sizes[s] = both[0];
    derived->roundings[1] += 1;
  }
  if (status == PERM_OK && passes == 2)
    permi_arrays_join((double *)(void *)derived->whole.value, (int)size - 1, whole);
  derived->whole.sizes = whole[0];
  derived->roundings[0] += product * trace->n + plan->additions;
  derived->roundings[1] += derived->roundings[0] + product + back.terms;
  permi_pool_release(&pool);
  return status;
}

/* Besides a run, which the offer counts. */
static double permi_frontier_derive_bytes(const void *plan)
{
  const permi_frontier *frontier = (const permi_frontier *)plan;
  const int every = permi_back_every(frontier, 0);
  return permi_back_bytes(frontier, every, every > 1);
}

static const permi_tracer permi_frontier_deriver = {permi_frontier_derive_bytes, permi_frontier_derive, NULL, NULL};

/* ================================================================================== >>derive_hybrid
   Derivatives of a block of doubles by one pass back through the program of >>hybrid_layout, whose slots all stay.
   Where y_i = sum of a_ij d_j the derivative by a_ij is the sum over the signs d of d_j times the adjoint of y_i. An
   adjoint collects terms while its value stays: before a column turns, operations that depend on it hand theirs on to
   their operands, and rows that it touches add theirs to derivatives, with the step's signs. Inner columns have
   adjoints by setting, lanes by lane. A second program sums moduli of terms by row: of every block with certify, else
   of samples, for the estimate. Chunks are summed in order. THE BOUND: docs/proofs-rounding.md. */

#define PERMI_REVERSE_STEPS 128     /* that are summed in blocks */
#define PERMI_REVERSE_CHUNKS_LOG2 8 /* at most, */
#define PERMI_REVERSE_LEAST_LOG2 8  /* of so many steps at least */
#define PERMI_REVERSE_WIDE 1.65     /* prod (1 + 1 / 2n): sums of moduli with floors */
#define PERMI_REVERSE_ZERO 30       /* log2 of a stored zero's scale over that of entries */
#define PERMI_REVERSE_FEW 1e-9      /* relative error, beyond which others win that take less than */
#define PERMI_REVERSE_WORTH 20      /* times as long */

typedef struct permi_reverse {
  permi_owned owned;
  permi_hybrid *hybrid;
  permi_hybrid back; /* the program of adjoints; slots, then sums of rows by constant; slot_count: lines of these */
  const permi_back_family *family;
  permi_numbers numbers;
  int edges, *edge, *place; /* by rows of the program: the block's, the column's place in the order */
  int start[65], high_start[65];
  unsigned char *column; /* [row][start + row]: high columns, then 255 */
  double size[64];       /* rows' sums of moduli */
  double additions, bytes, each;
  int exp2[2];           /* most of entries: zeros, others */
} permi_reverse;

typedef struct permi_reverse_slot {
  int reads, set; /* h and g are read once a group; set: its adjoint is written, not added to */
  unsigned dirty;
  double additions; /* in its adjoint, at most */
} permi_reverse_slot;

static void permi_reverse_release(const perm_allocator *allocator, void *plan)
{
  if (plan)
    permi_hybrid_release(allocator, ((permi_reverse *)plan)->hybrid);
  permi_owned_release(allocator, plan);
}

/* Makes an operation one of few kinds: sums of rows are operands like others. */
static void permi_reverse_turn(const permi_hybrid *hybrid, permi_instruction *operation, permi_statement *t)
{
  const int opcode = operation->opcode, lines = hybrid->slot_count, bases = permi_hybrid_line(hybrid->n);
  const int rows = opcode == PERMI_OP_ROW || opcode == PERMI_OP_ROWS || opcode == PERMI_OP_TIMES_ROW ||
                   opcode == PERMI_OP_FOLD_ROW;
  const permi_statement *end = t + operation->count;
  operation->opcode = (uint16_t)(opcode == PERMI_OP_ROWS || opcode == PERMI_OP_TIMES_ROW ? PERMI_OP_TIMES
                                 : opcode == PERMI_OP_FOLD_ROW                            ? PERMI_OP_FOLD
                                                                                          : opcode);
  for (; t < end; t++) {
    if (opcode == PERMI_OP_CHAIN && t->p < bases) {
      int i = 0;
      while (permi_hybrid_line(i) < t->p)
        i++;
      t->p = (uint16_t)permi_hybrid_line(lines + hybrid->row_constant[i]);
    }
    if (opcode == PERMI_OP_ROWS)
      t->p = t->q = (uint16_t)permi_hybrid_line(lines + t->p);
    if (rows)
      t->h = (uint16_t)permi_hybrid_line(lines + t->h);
    if (rows && opcode != PERMI_OP_ROW)
      t->g = (uint16_t)permi_hybrid_line(lines + t->g);
  }
}

/* Decides which adjoints are written once, by an operation that runs whenever the slot's own does. */
static void permi_reverse_sets(permi_instruction *operation, const permi_statement *t, int sums,
                               permi_reverse_slot *slot)
{
  const permi_statement *end = t + operation->count, *first = t;
  const int folds = operation->opcode == PERMI_OP_FOLD;
  int sets = operation->opcode == PERMI_OP_TIMES || folds, holds = sets, k;
  for (; t < end && (sets || holds); t++)
    for (k = 0; k < (folds ? 2 : 1); k++) {
      const int p = k ? t->q : t->p, h = k ? t->g : t->h;
      sets &= p < sums && slot[p].reads == 1 && slot[p].dirty == operation->dirty;
      holds &= h < sums && slot[h].reads == 1 && slot[h].dirty == operation->dirty;
    }
  operation->growth = sets;
  operation->halved = holds;
  for (t = first; t < end; t++) {
    slot[t->p].set |= sets;
    slot[t->h].set |= holds;
    if (folds) {
      slot[t->q].set |= sets;
      slot[t->g].set |= holds;
    }
  }
}

/* Returns 0 without memory. */
static int permi_reverse_program(permi_reverse *reverse)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  permi_hybrid *back = &reverse->back;
  permi_pool pool = {reverse->owned.pool.allocator, NULL, 0}, *lasting = &reverse->owned.pool;
  const int lines = permi_hybrid_line(hybrid->slot_count + hybrid->constants);
  const int sums = permi_hybrid_line(hybrid->slot_count);
  const double own = ldexp(1, hybrid->low);
  permi_reverse_slot *slot = (permi_reverse_slot *)permi_pool_zeros(&pool, (size_t)lines, sizeof *slot);
  int k, i;
  *back = *hybrid;
  back->slot_count = lines;
  back->operation = (permi_instruction *)permi_pool_kept(lasting, hybrid->operation, (size_t)hybrid->operations,
                                                         sizeof *back->operation);
  back->statement = (permi_statement *)permi_pool_kept(lasting, hybrid->statement, (size_t)hybrid->statements,
                                                       sizeof *back->statement);
  if (!slot || lasting->failed) {
    permi_pool_release(&pool);
    return 0;
  }
  for (k = 0; k < back->operations; k++) {
    permi_instruction *operation = &back->operation[k];
    permi_statement *t = back->statement + operation->first;
    permi_reverse_turn(hybrid, operation, t);
    const int opcode = operation->opcode, folds = opcode == PERMI_OP_FOLD, factors = folds || opcode == PERMI_OP_TIMES;
    for (i = 0; i < operation->count; i++, t++) {
      const int first = !operation->group || i % operation->group == 0;
      slot[t->p].reads += opcode == PERMI_OP_CHAIN ? 2 : opcode != PERMI_OP_ROW;
      slot[t->q].reads += folds || opcode == PERMI_OP_DIFFERENCE;
      slot[t->h].reads += (factors && first) || opcode == PERMI_OP_ROW;
      slot[t->g].reads += folds && first;
      slot[t->out].dirty = operation->dirty;
    }
  }
  for (k = 0; k < back->operations; k++)
    permi_reverse_sets(&back->operation[k], back->statement + back->operation[k].first, sums, slot);
  while (--k >= 0) {
    permi_instruction *operation = &back->operation[k];
    permi_statement *t = back->statement + operation->first;
    operation->other = !slot[t->out].set;
    for (i = 0; i < operation->count; i++, t++) { /* its adjoint's additions, its own while it collects, a group's */
      const permi_reverse_slot *out = &slot[t->out];
      const int operand[4] = {t->p, t->q, t->h, t->g};
      const double all = out->additions + (out->set ? 0 : own * out->reads);
      for (int q = 0; q < 4; q++) /* at 0 is none */
        slot[operand[q]].additions = fmax(slot[operand[q]].additions, q < 2 ? all : all + operation->group);
    }
  }
  for (k = 0; k < hybrid->constants; k++) {
    const permi_reverse_slot *sum = &slot[permi_hybrid_line(hybrid->slot_count + k)];
    reverse->additions = fmax(reverse->additions, sum->additions + PERMI_REVERSE_STEPS * (sum->reads + 1));
  }
  for (i = 0, k = 0; i < hybrid->n; i++)
    k = permi_count_ones(hybrid->row_scope[i]) > k ? permi_count_ones(hybrid->row_scope[i]) : k;
  reverse->additions += ldexp(1, k) + PERMI_HYBRID_DOUBLES;
  permi_pool_release(&pool);
  return 1;
}

/* Orders the block's entries by rows of the program and places in its order. */
static int permi_reverse_entries(permi_reverse *reverse, const permi_block *block)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const int n = hybrid->n, turned = hybrid->transposed;
  int i, k, e, exp2, *most, count = 0, marks = 0, highs = 0;
  reverse->exp2[0] = reverse->exp2[1] = INT_MIN / 2;
  reverse->edges = block->edges;
  reverse->column = (unsigned char *)permi_pool_get(&reverse->owned.pool, (size_t)(block->edges + n), 1);
  if (!permi_pool_ints(&reverse->owned.pool, &reverse->edge, (size_t)block->edges, &reverse->place,
                       (size_t)block->edges, (int **)NULL) || reverse->owned.pool.failed)
    return 0;
  for (i = 0; i < n; i++) {
    const int v = turned ? n + i : i;
    reverse->start[i] = count;
    reverse->high_start[i] = highs;
    for (k = 0; k < n; k++)
      for (e = block->start[v]; e < block->start[v + 1]; e++) {
        const int j = hybrid->order[k], high = k - hybrid->inner;
        if (block->neighbour[e] != (turned ? j : n + j))
          continue;
        exp2 = hybrid->line_exp2[0][i] + hybrid->line_exp2[1][j];
        most = &reverse->exp2[block->absolute[block->edge[e]] > 0];
        *most = exp2 > *most ? exp2 : *most;
        reverse->edge[count] = block->edge[e];
        reverse->place[count++] = k;
        reverse->size[i] += ldexp(block->absolute[block->edge[e]], exp2) * (1 + 1e-13);
        if (high >= 0 && high < hybrid->high) {
          reverse->column[marks++] = (unsigned char)high;
          highs++;
        }
      }
    reverse->column[marks++] = 255;
  }
  reverse->start[n] = count;
  reverse->high_start[n] = highs;
  return 1;
}

/* Doubles of a thread's program: totals, values, adjoints, a chain, sums by row, by constant, by high entry. */
static size_t permi_reverse_doubles(const permi_reverse *reverse, int signs)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const size_t blocks = (size_t)(64 + PERMI_HYBRID_INNER + hybrid->n) +
                        (signs ? (size_t)(hybrid->constants + reverse->high_start[hybrid->n]) : 0);
  return 16 * (size_t)reverse->back.slot_count + PERMI_HYBRID_DOUBLES * (2 + blocks);
}

static size_t permi_reverse_results(const permi_reverse *reverse)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  return (size_t)(reverse->edges * hybrid->parts + hybrid->parts + hybrid->n + 1);
}

static perm_status permi_reverse_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  permi_reverse *reverse;
  const perm_status status = permi_hybrid_offer(maker, block, rival, offer);
  permi_hybrid *hybrid = (permi_hybrid *)offer->plan;
  if (status != PERM_OK || !hybrid)
    return status;
  offer->plan = reverse = (permi_reverse *)permi_owned_new(allocator, sizeof *reverse);
  if (!reverse) {
    permi_hybrid_release(allocator, hybrid);
    return permi_fail_memory(maker->result);
  }
  reverse->hybrid = hybrid;
  reverse->family = PERMI_OF_X86(permi_back_family, hybrid->isa);
  reverse->numbers.algebra = hybrid->parts == 2 ? PERMI_COMPLEX : PERMI_SIGNED;
  reverse->numbers.parts = hybrid->parts;
  const int least = hybrid->high < PERMI_REVERSE_LEAST_LOG2 ? hybrid->high : PERMI_REVERSE_LEAST_LOG2;
  hybrid->chunk_log2 = permi_clamp(hybrid->high - PERMI_REVERSE_CHUNKS_LOG2, least, hybrid->high);
  reverse->each = offer->seconds / ldexp(1, hybrid->high);
  offer->likely = offer->seconds; /* sums of |terms| are seen to be at most e^(0.4 n) times a positive permanent */
  if (PERMI_HYBRID_ALIKE(hybrid->n) * sqrt(2 * hybrid->n) * PERMI_UNIT * exp(0.4 * hybrid->n) > PERMI_REVERSE_FEW)
    offer->seconds *= PERMI_REVERSE_WORTH;
  if (!permi_reverse_entries(reverse, block) || !permi_reverse_program(reverse))
    return permi_fail_memory(maker->result);
  if (reverse->exp2[0] > reverse->exp2[1] + PERMI_REVERSE_ZERO) { /* without zeros it falls into parts */
    permi_reverse_release(allocator, reverse);
    offer->plan = NULL;
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has stored zeros whose minors have no scale");
  }
  reverse->bytes = ldexp(sizeof(permi_dd) * (double)permi_reverse_results(reverse), hybrid->high - hybrid->chunk_log2) +
                   8.0 * permi_threads(maker->options) *
                       (double)(permi_reverse_doubles(reverse, 1) + permi_reverse_doubles(reverse, 0)) +
                   sizeof *reverse + 16.0 * (hybrid->operations + hybrid->statements) + 20.0 * block->edges;
  return PERM_OK;
}

typedef struct permi_reverse_side {
  double *values, *bars, *sum, *each, *entry; /* by row, by constant, by high entry */
} permi_reverse_side;

typedef struct permi_reverse_run {
  permi_runner base;
  const permi_reverse *reverse;
  double *room;
  size_t doubles; /* of a thread */
  permi_dd *result; /* by chunk: derivatives, the permanent, sums of moduli by row and of terms */
} permi_reverse_run;

static permi_reverse_side permi_reverse_side_of(const permi_reverse *reverse, double *room, int signs)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const size_t lines = (size_t)reverse->back.slot_count;
  permi_reverse_side side;
  side.values = room + 2 * PERMI_HYBRID_DOUBLES;
  side.bars = side.values + 8 * lines;
  side.sum = side.bars + 8 * lines + (64 + PERMI_HYBRID_INNER) * PERMI_HYBRID_DOUBLES;
  side.each = signs ? side.sum + hybrid->n * PERMI_HYBRID_DOUBLES : NULL;
  side.entry = signs ? side.each + hybrid->constants * PERMI_HYBRID_DOUBLES : NULL;
  return side;
}

/* Returns the sum of lanes, of those with this bit minus. */
static double permi_reverse_lanes(const double *x, int lanes, int bit)
{
  double sum[8] = {0};
  for (int k = 0; k < lanes; k++)
    sum[k & 7] += bit >= 0 && k >> bit & 1 ? -x[k] : x[k];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* Moves row i's adjoints on, gray: the high columns with -. */
static void permi_reverse_row(const permi_reverse *reverse, const permi_reverse_side *side, int i, uint64_t gray)
{
  static const unsigned char none = 255;
  const permi_hybrid *hybrid = reverse->hybrid;
  const int slot = hybrid->slot_count + hybrid->row_constant[i], end = hybrid->slot_count + hybrid->row_constant[i + 1];
  const int signs = side->each != NULL;
  reverse->family->row(side->bars, slot, end,
                       signs ? side->each + hybrid->row_constant[i] * PERMI_HYBRID_DOUBLES : NULL,
                       side->sum + i * PERMI_HYBRID_DOUBLES,
                       signs ? reverse->column + reverse->high_start[i] + i : &none, gray,
                       signs ? side->entry + reverse->high_start[i] * PERMI_HYBRID_DOUBLES : side->sum);
}

/* Adds row i's blocks to derivatives, and clears them. */
static void permi_reverse_collect(const permi_reverse *reverse, const permi_reverse_side *side, int i, permi_dd *result)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const int lanes = hybrid->lanes, parts = hybrid->parts, inner = hybrid->inner;
  const int settings = hybrid->row_constant[i + 1] - hybrid->row_constant[i];
  double *each = side->each + hybrid->row_constant[i] * PERMI_HYBRID_DOUBLES;
  double *entry = side->entry + reverse->high_start[i] * PERMI_HYBRID_DOUBLES;
  double *sum = side->sum + i * PERMI_HYBRID_DOUBLES, of[2];
  for (int s = 0; s < settings; s++) {
    double *block = each + s * PERMI_HYBRID_DOUBLES;
    for (int p = 0; p < parts; p++)
      of[p] = permi_reverse_lanes(block + p * lanes, lanes, -1);
    memcpy(block, of, (size_t)parts * sizeof *of);
  }
  for (int e = reverse->start[i]; e < reverse->start[i + 1]; e++) {
    const int k = reverse->place[e], high = k >= inner && k < inner + hybrid->high;
    const int bit = k < inner ? permi_count_ones(hybrid->row_scope[i] & ((1u << k) - 1)) : k - inner - hybrid->high;
    for (int p = 0; p < parts; p++) {
      double x = 0;
      for (int s = 0; k < inner && s < settings; s++)
        x += s >> bit & 1 ? -each[s * PERMI_HYBRID_DOUBLES + p] : each[s * PERMI_HYBRID_DOUBLES + p];
      if (high)
        x = permi_reverse_lanes(entry + p * lanes, lanes, -1);
      else if (k >= inner)
        x = permi_reverse_lanes(sum + p * lanes, lanes, k == hybrid->n - 1 ? -1 : bit);
      result[e * parts + p] = permi_dd_add_double(result[e * parts + p], x);
    }
    if (high) {
      memset(entry, 0, PERMI_HYBRID_DOUBLES * sizeof *entry);
      entry += PERMI_HYBRID_DOUBLES;
    }
  }
  memset(each, 0, (size_t)settings * PERMI_HYBRID_DOUBLES * sizeof *each);
  memset(sum, 0, PERMI_HYBRID_DOUBLES * sizeof *sum);
}

/* Computes the moduli of the block at hand, of which what `owed` says has changed since the last. */
static double permi_reverse_moduli(const permi_reverse *reverse, const permi_reverse_side *side, unsigned owed,
                                   double weight)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const int algebra = hybrid->parts == 2 ? PERMI_HYBRID_COMPLEX_MODULI : PERMI_HYBRID_MODULI;
  double *result = permi_hybrid_slot(side[1].values, hybrid->result), sum = 0;
  double *bar = permi_hybrid_slot(side[1].bars, hybrid->result);
  const int *row;
  reverse->family->back[0](&reverse->back, side[1].values, side[1].bars, owed, 1);
  memcpy(side[1].values, side[0].values, (size_t)permi_hybrid_line(hybrid->n) * 8 * sizeof(double));
  for (int i = 0; owed & PERMI_HYBRID_ALL && i < hybrid->n; i++)
    reverse->family->sums(hybrid, algebra, i, hybrid->slot_count, side[1].values);
  for (int j = 0; !(owed & PERMI_HYBRID_ALL) && j < hybrid->low; j++)
    for (row = hybrid->touched[j]; owed >> j & 1 && *row >= 0; row++)
      reverse->family->sums(hybrid, algebra, *row, hybrid->slot_count, side[1].values);
  hybrid->family->absolute[hybrid->algebra](hybrid, side[1].values, owed);
  for (int k = 0; k < hybrid->lanes; k++) {
    bar[k] = weight * fabs(hybrid->sign[k]);
    sum += bar[k] * result[k];
  }
  return sum;
}

static perm_status permi_reverse_chunk(void *context, uint64_t chunk, int thread)
{
  permi_reverse_run *run = (permi_reverse_run *)context;
  const permi_reverse *reverse = run->reverse;
  const permi_hybrid *hybrid = reverse->hybrid;
  const permi_hybrid_family *family = hybrid->family;
  const int parts = hybrid->parts, lanes = hybrid->lanes, lines = hybrid->slot_count;
  const size_t results = permi_reverse_results(reverse);
  double *room = run->room + (size_t)thread * run->doubles, *total = room, absolute = 0;
  permi_dd *result = run->result + chunk * results, *whole = result + reverse->edges * parts, *moduli = whole + parts;
  const permi_reverse_side side[2] = {permi_reverse_side_of(reverse, room, 1),
                                      permi_reverse_side_of(reverse, room + permi_reverse_doubles(reverse, 1), 0)};
  double *values = side[0].values, *bar = permi_hybrid_slot(side[0].bars, hybrid->result);
  uint64_t s = chunk << hybrid->chunk_log2, last = s + (UINT64_C(1) << hybrid->chunk_log2), gray = s ^ s >> 1;
  unsigned turned = PERMI_HYBRID_ALL, owed = PERMI_HYBRID_ALL;
  perm_status status = PERM_OK;
  const int *row;
  memset(total, 0, 2 * PERMI_HYBRID_DOUBLES * sizeof *total);
  permi_hybrid_bases(hybrid, gray, values);
  for (int i = 0; i < hybrid->n; i++)
    reverse->family->sums(hybrid, (int)hybrid->algebra, i, lines, values);
  for (; status == PERM_OK; gray = s ^ s >> 1) {
    const double weight = permi_hybrid_weight(hybrid, s);
    family->execute[hybrid->algebra](hybrid, values, turned);
    family->add(hybrid, permi_hybrid_slot(values, hybrid->result), total, (int)(s & 1));
    for (int k = 0; k < lanes; k++)
      bar[k] = s & 1 ? -hybrid->sign[k] : hybrid->sign[k];
    if (weight > 0) {
      absolute += permi_reverse_moduli(reverse, side, owed, weight);
      owed = 0;
    }
    const int all = ++s == last || s % PERMI_REVERSE_STEPS == 0;
    const int j = permi_trailing_zeros(s);
    turned = !all && j < hybrid->low ? 1u << j : PERMI_HYBRID_ALL;
    owed |= turned;
    if (all) { /* goes back through all of both programs */
      reverse->family->back[parts - 1](&reverse->back, values, side[0].bars, PERMI_HYBRID_ALL, -1);
      reverse->family->back[0](&reverse->back, side[1].values, side[1].bars, PERMI_HYBRID_ALL, 1);
      for (int i = 0; i < hybrid->n; i++) {
        double *sum = side[1].sum + i * PERMI_HYBRID_DOUBLES;
        permi_reverse_row(reverse, &side[0], i, gray);
        permi_reverse_row(reverse, &side[1], i, gray);
        permi_reverse_collect(reverse, &side[0], i, result);
        moduli[i] = permi_dd_add_double(moduli[i], permi_reverse_lanes(sum, lanes, -1));
        memset(sum, 0, PERMI_HYBRID_DOUBLES * sizeof *sum);
      }
      status = permi_runner_poll(&run->base, PERMI_RUNNER_POLL, ldexp(reverse->each, hybrid->high) *
                                 ((double)s / ldexp(1, hybrid->high)), thread);
    } else {
      reverse->family->back[parts - 1](&reverse->back, values, side[0].bars, turned, -1);
      for (row = hybrid->touched[j]; *row >= 0; row++)
        permi_reverse_row(reverse, &side[0], *row, gray);
    }
    if (s == last)
      break;
    family->turn(hybrid, j, (int)((s ^ s >> 1) >> j & 1), values);
    for (row = hybrid->touched[j]; *row >= 0; row++)
      reverse->family->sums(hybrid, (int)hybrid->algebra, *row, lines, values);
  }
  for (int k = 0; k < lanes; k++)
    for (int p = 0; p < 2 * parts && hybrid->sign[k] != 0; p++)
      whole[p / 2] = permi_dd_add_double(whole[p / 2], hybrid->sign[k] *
                                         total[p % 2 * PERMI_HYBRID_DOUBLES + p / 2 * lanes + k]);
  result[results - 1] = permi_dd_make(absolute);
  return status;
}

/* Writes bound and estimate of what is off by K roundings of terms, given the product of row sums of moduli and the sum
   of |terms|, sampled unless certified. largest: the largest number. The estimate is permi_hybrid_estimate's. */
static void permi_reverse_error(const permi_trace *trace, const permi_reverse *reverse, double product, double terms,
                                double largest, double *error)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const permi_hybrid_rounding *rounding = &hybrid->rounding;
  const int parts = hybrid->parts, n = hybrid->n;
  const double roundings = (2 * parts - 1) * n + hybrid->inner +
                           parts * reverse->additions + 4;
  const double alike = PERMI_HYBRID_ALIKE(n) * parts;
  const double most = ldexp(product, n - 1), moduli = permi_gamma(2 * roundings + 5 * n);
  const double absolute = ldexp(rounding->growth * rounding->unfloored, n + 1) +
                          ldexp(rounding->growth * (12 * roundings + 4 * n * n), n - 1073);
  const double given = permi_entry_bound(trace->given) * most, lost = rounding->losses;
  const double sum = hybrid->absolute_mask ? PERMI_REVERSE_WIDE * most : terms * (1 + 4 * moduli);
  error[0] = lost < 1 ? (permi_gamma(roundings) + lost) * sum * 1.0001 + given + absolute : (double)INFINITY;
  error[1] = 2 * PERMI_UNIT * terms * (alike * sqrt(2 * n + hybrid->inner + 30) + trace->given) +
             rounding->shared.relative * (rounding->shared.part * terms + largest) + PERMI_UNIT * largest + absolute;
  error[1] = fmin(error[1], error[0]);
}

static perm_status permi_reverse_values(permi_trace *trace, const permi_reverse *reverse, const permi_dd *result)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const int n = hybrid->n, parts = hybrid->parts, edges = reverse->edges;
  const permi_dd *moduli = result + (edges + 1) * parts;
  permi_derived *derived = trace->derived;
  double product = 1;
  derived->error = (double (*)[2])permi_pool_get(&trace->lasting, (size_t)edges + 1, sizeof *derived->error);
  if (trace->lasting.failed)
    return PERM_ERROR_MEMORY;
  for (int i = 0; i <= n; i++) {
    const int first = i < n ? reverse->start[i] * parts : edges * parts;
    const int end = i < n ? reverse->start[i + 1] * parts : first + parts;
    double *value = (double *)(void *)derived->whole.value, error[2], largest = 0;
    for (int e = first; e < end; e++)
      largest = fmax(largest, 1.5 * fabs(result[e].hi));
    product = 1;
    for (int l = 0; l < n; l++)
      product *= l == i ? 1 : reverse->size[l] * (1 + 1e-12);
    permi_reverse_error(trace, reverse, product, moduli[i].hi, largest, error);
    for (int e = reverse->start[i]; i < n && e < reverse->start[i + 1]; e++) {
      const int at = reverse->edge[e];
      value = (double *)(void *)(derived->value + (size_t)at * derived->size);
      for (int p = 0; p < parts; p++)
        value[p] = result[e * parts + p].hi;
      derived->of[at] = at;
      derived->sizes[at].exp2 = hybrid->scale_exp2 - (n - 1) + hybrid->line_exp2[0][i] +
                                hybrid->line_exp2[1][hybrid->order[reverse->place[e]]];
      memcpy(derived->error[at], error, sizeof error);
    }
    for (int p = 0; i == n && p < parts; p++)
      value[p] = result[edges * parts + p].hi;
    if (i == n)
      memcpy(derived->error[edges], error, sizeof error);
  }
  derived->whole.sizes.exp2 = hybrid->scale_exp2 - (n - 1);
  return PERM_OK;
}

static perm_status permi_reverse_derive(permi_trace *trace, permi_control *control)
{
  const permi_reverse *reverse = (const permi_reverse *)trace->plan;
  const permi_hybrid *hybrid = reverse->hybrid;
  const size_t results = permi_reverse_results(reverse);
  const uint64_t chunks = UINT64_C(1) << (hybrid->high - hybrid->chunk_log2);
  permi_reverse_run run;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&run, 0, sizeof run);
  permi_runner_begin(&run.base, reverse->owned.pool.allocator, control, "hybrid");
  const int threads = ldexp(reverse->each, hybrid->high) < PERMI_PARALLEL_SECONDS ? 1 : run.base.threads;
  run.reverse = reverse;
  run.doubles = permi_reverse_doubles(reverse, 1) + permi_reverse_doubles(reverse, 0);
  run.room = (double *)permi_pool_zeros(&run.base.pool, run.doubles * (size_t)threads + 8, sizeof(double));
  run.result = (permi_dd *)permi_pool_zeros(&run.base.pool, results * (size_t)chunks, sizeof *run.result);
  const int fine = permi_derived_begin(trace, &reverse->numbers, reverse->edges);
  if (!run.base.pool.failed && fine) {
    run.room += (64 - ((uintptr_t)run.room & 63)) % 64 / sizeof(double);
    status = permi_share(threads, 0, chunks, permi_reverse_chunk, &run, NULL);
  }
  for (uint64_t chunk = 1; chunk < chunks && status == PERM_OK; chunk++)
    for (size_t k = 0; k < results; k++)
      run.result[k] = permi_dd_add(run.result[k], run.result[chunk * results + k]);
  if (status == PERM_OK)
    status = permi_reverse_values(trace, reverse, run.result);
  trace->visited = ldexp(hybrid->rows_a_term, hybrid->n - 1 - hybrid->inner);
  permi_pool_release(&run.base.pool);
  return status;
}

static double permi_reverse_bytes(const void *plan)
{
  return ((const permi_reverse *)plan)->bytes;
}

static const permi_tracer permi_hybrid_deriver = {permi_reverse_bytes, permi_reverse_derive, NULL, NULL};

/* ==================================================================================== >>derive_tree
   Derivatives of a block's permanent, by one pass back through its tree. T' is that by table T, 1 by the last:
     star of P     P'[matched half] = T', P'[s] = alone T'[s] + sum over entries c to t of c T'[s | t],
                   c' = sum of P[s] T'[s | t], alone' = sum of P[s] T'[s]
     join C = A B  A'[a] = sum over b disjoint from a of B[b] C'[a | b], and B' in the same way
     leaf          c' = T'[t], alone' = T'[0]
   Adjoints lie where the tables lay. Joins skip zeros only where all are structural. One thread sums a place; dots
   have as many parts for any number of threads. THE BOUND: docs/proofs-rounding.md (tests/proofs/chains.v). */

#define PERMI_TREE_DOT_STATES 4096 /* chosen: more are summed in */
#define PERMI_TREE_DOT_PARTS 64

typedef struct permi_tree_back {
  permi_tree_run *run;
  const permi_tree_kept *kept;
  permi_derived *derived;
  uint64_t *bar, *sum; /* a node's adjoint; parts of a dot */
  double *roundings;   /* by node, in its adjoint */
  double product;      /* of a product */
} permi_tree_back;

/* Adds sums of x y, x in `group`, y adjoints: at each of `of` with its partners. */
static PERMI_ALWAYS_INLINE void permi_tree_gather_of(permi_algebra algebra, const permi_numbers *numbers,
                                                     const permi_tree_product *join, const permi_tree_group *of,
                                                     const permi_tree_group *group, const uint64_t *bar, uint64_t *to)
{
  const permi_tree_rank *rank = &join->run->rank;
  const permi_coefficient one = permi_coefficient_one();
  const size_t size = permi_value_words(algebra, numbers);
  uint64_t sum[2 * PERM_INTEGER_WORDS];
  if (algebra == PERMI_WIDE || algebra == PERMI_MAGNITUDES_DD) /* never chosen */
    return;
  for (size_t i = 0; i < of->count; i++) {
    const uint32_t m = of->mask[i] ^ join->rows;
    memset(sum, 0, 8 * size);
    for (size_t k = 0; k < group->count; k++) {
      const uint32_t state = group->mask[k] ^ m;
      const size_t place = rank->low[state & ((1u << PERMI_TREE_LOW) - 1)] + rank->high[state >> PERMI_TREE_LOW];
      permi_value_fuse(algebra, numbers, group->value + size * group->index[k], sum, bar + size * place);
    }
    permi_value_add(algebra, numbers, &one, to + size * of->index[i], sum, 0);
  }
}

typedef void (*permi_tree_gatherer)(const permi_numbers *numbers, const permi_tree_product *join,
                                    const permi_tree_group *of, const permi_tree_group *group, const uint64_t *bar,
                                    uint64_t *to);
#define PERMI_INSTANCE(name, algebra)                                                                                  \
  static void permi_tree_gather_##name(const permi_numbers *numbers, const permi_tree_product *join,                   \
                                       const permi_tree_group *of, const permi_tree_group *group, const uint64_t *bar, \
                                       uint64_t *to)                                                                   \
  { permi_tree_gather_of(algebra, numbers, join, of, group, bar, to); }
PERMI_ALGEBRAS(PERMI_INSTANCE)
#undef PERMI_INSTANCE

#define PERMI_NAMED(name, algebra) permi_tree_gather_##name,
static const permi_tree_gatherer permi_tree_gatherers[] = {PERMI_ALGEBRAS(PERMI_NAMED) NULL};
#undef PERMI_NAMED

static void permi_tree_ray_back(const permi_tree_ray *ray, int part, size_t from, size_t to, size_t count)
{
  const permi_tree *tree = ray->tree;
  const size_t size = (size_t)tree->size;
  permi_values_add(&tree->numbers, ray->c, ray->open_bar + from * size, ray->matched + to * size, count);
  permi_values_dot(&tree->numbers, ray->open + from * size, ray->matched + to * size, NULL, NULL, count,
                   ray->sum + (size_t)part * size);
}

/* By edge e, or, before the node's, by `alone`. */
static void permi_tree_derived(const permi_tree_back *back, const permi_tree_node *node, int e, const uint64_t *value,
                               const permi_sizes *sizes, double roundings)
{
  const permi_tree *tree = back->run->tree;
  permi_derived *derived = back->derived;
  const int at = e >= node->edge ? e : tree->node[tree->nodes].edge + (int)(node - tree->node);
  memcpy(derived->value + (size_t)at * derived->size, value, derived->size * sizeof *value);
  derived->sizes[at] = *sizes;
  derived->roundings[1] = fmax(derived->roundings[1], roundings);
}

static void permi_tree_star_back(permi_tree_back *back, const permi_tree_node *node, const permi_tree_table *product,
                                 const permi_tree_table *table, double roundings, permi_tree_table *bar)
{
  permi_tree_run *run = back->run;
  const permi_tree *tree = run->tree;
  const size_t size = (size_t)tree->size;
  const int edges = node[1].edge - node->edge, threads = permi_tree_threads(run, product->states);
  const int parts = product->states > PERMI_TREE_DOT_STATES ? PERMI_TREE_DOT_PARTS : 1;
  const permi_coefficient one = permi_coefficient_one();
  permi_tree_ray ray = permi_tree_ray_begin(tree, node, product, parts), to = permi_tree_ray_begin(tree, node, bar, 1);
  permi_sizes sizes = table->sizes;
  double weight = 1, least = 1;
  memset(bar->value, 0, bar->states * size * sizeof *bar->value);
  memcpy(to.matched, table->value, table->states * size * sizeof *table->value);
  ray.back = permi_tree_ray_back;
  ray.matched = table->value;
  ray.open_bar = (uint64_t *)(uintptr_t)to.open;
  ray.sum = back->sum;
  for (int e = node->edge - 1; e < node[1].edge; e++) {
    const int some = permi_tree_ray_aim(&ray, node, e);
    const double highs = 1u << (ray.bit < ray.t ? ray.t - 1 - ray.bit : 0), slices = parts > highs ? parts : 1;
    const double states = (double)product->states;
    if (!some && !(tree->alone && run->zeros))
      continue;
    permi_coefficient_weigh(ray.c, &weight, &least);
    memset(ray.sum, 0, (size_t)parts * size * sizeof *ray.sum);
    permi_share(threads, 0, (uint64_t)parts, permi_tree_ray_part, &ray, NULL);
    for (int part = 1; part < parts; part++)
      permi_values_add(&tree->numbers, &one, ray.sum, ray.sum + (size_t)part * size, 1);
    sizes.exp2 = table->sizes.exp2 + product->sizes.exp2;
    sizes.loss = permi_tree_join_loss(&table->sizes, &product->sizes, states);
    permi_tree_derived(back, node, e, ray.sum, &sizes,
                       roundings + back->product + parts + fmin(states, (1u << ray.bit) / slices + 1) +
                           fmin(states, highs * slices / parts + 1));
  }
  bar->sizes = table->sizes;
  bar->sizes.loss = permi_loss_scaled(table->sizes.loss, weight * (1 + 1e-12), 0);
  if (table->sizes.smallest * least < PERMI_SAFE_PRODUCT)
    bar->sizes.loss += (edges + 1) * PERMI_TREE_LOST;
  permi_tree_rescale(run, bar);
}

/* Of groups with the same heavy bits. */
static perm_status permi_tree_join_back_part(void *context, uint64_t number, int thread)
{
  const permi_tree_product *join = (const permi_tree_product *)context;
  permi_tree_run *run = join->run;
  const permi_tree_gatherer gather = permi_tree_gatherers[run->tree->numbers.algebra];
  const int side = join->inner, other = 1 - side, bits = permi_count_ones(join->common) - join->cut;
  const uint32_t all = (1u << permi_count_ones(join->common)) - 1;
  uint32_t g = (uint32_t)number << bits, h;
  const uint32_t last = g + (1u << bits);
  perm_status status = PERM_OK;
  for (; g < last && status == PERM_OK; g++) {
    const permi_tree_group of = permi_tree_group_of(join, side, g);
    const uint32_t rest = all ^ g;
    if (!of.count)
      continue;
    status = permi_runner_poll(&run->base, 0.125 * (1u << permi_count_ones(rest)), run->base.done, thread);
    for (h = rest; status == PERM_OK; h = (h - 1) & rest) {
      const permi_tree_group group = permi_tree_group_of(join, other, h);
      if (group.count) {
        gather(&run->tree->numbers, join, &of, &group, join->out->value, (uint64_t *)(void *)join->bar);
        status = permi_runner_poll(&run->base, 0.125 * (double)group.count * (double)of.count, run->base.done, thread);
      }
      if (!h)
        break;
    }
  }
  return status;
}

/* Makes the factors' adjoints bar[k], unless NULL, directly by whole tables; adds to roundings[k]. */
static perm_status permi_tree_join_back_to(permi_tree_back *back, const permi_tree_node *node,
                                           const permi_tree_table *const *factor, const permi_tree_table *product,
                                           permi_tree_table *const *bar, double *roundings)
{
  permi_tree_run *run = back->run;
  permi_tree_table out = *product;
  permi_tree_product join = permi_tree_join_begin(run, node->rows, product->set, factor[0], factor[1], &out);
  const int threads = join.parts > 1 ? run->base.threads : 1;
  const int common = permi_count_ones(factor[0]->set & factor[1]->set);
  int direct[2], sorted = 0, k;
  perm_status status = PERM_OK;
  for (k = 0; k < 2; k++) {
    const permi_tree_table *own = factor[k], *other = factor[1 - k];
    direct[k] = bar[k] && run->tree->alone && run->tree->numbers.algebra == PERMI_MAGNITUDES &&
                (permi_count_ones(other->set | own->set) <= PERMI_TREE_SMALL ||
                 permi_tree_disjoint(other->set, other->difference, own->set, PERMI_TREE_WIDTH) <=
                     4 * permi_tree_disjoint(other->set, other->difference, own->set, own->difference));
    sorted |= bar[k] && !direct[k];
  }
  if (sorted)
    status = permi_share(threads, 0, 2, permi_tree_join_prepare, &join, NULL);
  for (k = 0; k < 2 && status == PERM_OK; k++) {
    const permi_tree_table *other = factor[1 - k];
    const int bits = permi_count_ones(other->set);
    const double states = !run->tree->alone ? (double)other->states :
                          permi_tree_terms(run->tree, other->set, other->difference, other->difference);
    if (!bar[k])
      continue;
    join.inner = k;
    join.bar = (double *)(void *)bar[k]->value;
    memset(bar[k]->value, 0, bar[k]->states * (size_t)run->tree->size * sizeof *bar[k]->value);
    status = permi_share(threads, 0, (uint64_t)1 << join.cut,
                         direct[k] ? permi_tree_direct_part : permi_tree_join_back_part, &join, NULL);
    for (uint32_t s = 0; direct[k] && s < factor[k]->states; s++) /* possible states alone, or without `zeros` not 0 */
      if (permi_count_ones(s) > factor[k]->difference ||
          (!run->zeros && ((const double *)(const void *)factor[k]->value)[s] == 0))
        join.bar[s] = 0;
    bar[k]->sizes.exp2 = product->sizes.exp2 + other->sizes.exp2;
    bar[k]->sizes.loss = permi_tree_join_loss(&product->sizes, &other->sizes, states);
    permi_tree_rescale(run, bar[k]);
    roundings[k] += back->product +
                    (direct[k] ? states : fmin(states, 1u << (bits - common)) + fmin(states, 1u << common));
  }
  return status;
}

/* Makes the children's adjoints, on the stack. */
static perm_status permi_tree_node_back(permi_tree_back *back, int i, const permi_tree_table *table)
{
  permi_tree_run *run = back->run;
  const permi_tree *tree = run->tree;
  const permi_tree_kept *kept = back->kept;
  const permi_tree_node *node = &tree->node[i];
  const permi_tree_table *products = kept->product + kept->first[i], *factor[2];
  const int *child = kept->child + kept->children[i], children = node->children;
  permi_tree_table *bars = run->table + run->stacked, *bar[2], unit, product;
  uint64_t one[2 * PERM_INTEGER_WORDS + 2], *place;
  double roundings[2], through = back->roundings[i];
  int j = kept->first[i + 1] - kept->first[i], k, side = 0;
  perm_status status = PERM_OK;
  place = run->stacked ? bars[-1].value + bars[-1].states * (size_t)tree->size : run->values;
  for (k = 0; k < children; k++) {
    bars[k] = kept->own[child[k]];
    bars[k].value = place;
    place += bars[k].states * (size_t)tree->size;
  }
  run->stacked += children;
  permi_tree_unit(tree, &unit, one);
  product = j ? products[j - 1] : bars[0];
  product.value = j ? run->work[0] : bars[0].value;
  permi_tree_star_back(back, node, j ? &products[j - 1] : &kept->own[child[0]], table, through, &product);
  through += node[1].edge - node->edge + (tree->alone != NULL) + back->product;
  bars[0].sizes = product.sizes; /* if it is the product */
  back->roundings[child[0]] = through;
  while (j-- > 0 && status == PERM_OK) {
    permi_tree_table before = j ? products[j - 1] : kept->own[child[children - 1]];
    k = children - 2 - j;
    factor[0] = k >= 0 ? &kept->own[child[k]] : &unit;
    factor[1] = j ? &products[j - 1] : &kept->own[child[children - 1]];
    before.value = run->work[side = 1 - side];
    bar[0] = k >= 0 ? &bars[k] : NULL;
    bar[1] = j ? &before : &bars[children - 1];
    roundings[0] = roundings[1] = through;
    back->derived->roundings[0] += back->product + permi_tree_terms(tree, factor[0]->set & factor[1]->set,
                                                                    factor[0]->difference, factor[1]->difference);
    status = permi_tree_join_back_to(back, node, factor, &product, bar, roundings);
    if (k >= 0)
      back->roundings[child[k]] = roundings[0];
    through = roundings[1];
    product = before;
  }
  if (children > 1)
    back->roundings[child[children - 1]] = through;
  return status;
}

static perm_status permi_tree_pass_back(permi_trace *trace, permi_tree_run *run)
{
  const permi_tree *tree = run->tree;
  const permi_tree_kept *kept = (const permi_tree_kept *)trace->kept;
  const size_t size = (size_t)tree->size;
  const double whole = tree->cost[tree->nodes];
  permi_derived *derived = trace->derived;
  permi_pool *pool = &run->base.pool;
  permi_tree_back back = {run, kept, derived, NULL, NULL, NULL, 1};
  permi_tree_table table = kept->own[tree->nodes - 1];
  perm_status status = PERM_OK;
  size_t most = 1;
  for (int i = 0; i < tree->nodes; i++)
    most = kept->own[i].states > most ? kept->own[i].states : most;
  derived->whole.sizes = table.sizes;
  memcpy(derived->whole.value, table.value, 8 * size);
  back.bar = (uint64_t *)permi_pool_get(pool, most, 8 * size);
  back.sum = (uint64_t *)permi_pool_get(pool, PERMI_TREE_DOT_PARTS, 8 * size);
  back.roundings = (double *)permi_pool_get(pool, (size_t)tree->nodes, sizeof(double));
  if (pool->failed)
    return PERM_ERROR_MEMORY;
  for (int i = 0; i < tree->nodes && tree->alone; i++)
    derived->of[tree->node[tree->nodes].edge + i] = -1 - tree->node[i].vertex;
  for (int e = 0; e < tree->node[tree->nodes].edge; e++)
    derived->of[e] = tree->edge[e].entry;
  back.product = tree->numbers.algebra == PERMI_COMPLEX ? 3 : 1;
  run->zeros = trace->zeros || tree->numbers.algebra != PERMI_MAGNITUDES || table.sizes.loss != 0;
  permi_tree_unit(tree, run->table, run->values);
  run->stacked = 1;
  back.roundings[tree->nodes - 1] = 0;
  for (int i = tree->nodes - 1; i >= 0 && status == PERM_OK; i--) {
    const permi_tree_node *node = &tree->node[i];
    run->base.done = whole + 2 * (whole - tree->cost[i + 1]);
    status = permi_runner_poll(&run->base, PERMI_RUNNER_POLL / 16, run->base.done, 0);
    table = run->table[--run->stacked];
    derived->roundings[0] += back.product + node[1].edge - node->edge + (tree->alone != NULL);
    if (node->children) {
      memcpy(back.bar, table.value, table.states * 8 * size);
      table.value = back.bar;
      status = status == PERM_OK ? permi_tree_node_back(&back, i, &table) : status;
    } else {
      table.set = node->all >> 1;
      for (int e = node->edge - (tree->alone != NULL); e < node[1].edge; e++)
        permi_tree_derived(&back, node, e, permi_tree_value_of(tree, &table, node->rows, e < node->edge
                                                                   ? 0 : 1u << tree->edge[e].bit),
                           &table.sizes, back.roundings[i]);
    }
  }
  derived->roundings[1] += derived->roundings[0];
  return status;
}

static perm_status permi_tree_derive(permi_trace *trace, permi_control *control)
{
  const permi_tree *tree = (const permi_tree *)trace->plan;
  permi_tree_run run;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&run, 0, sizeof run);
  control->work_total = 3 * tree->cost[tree->nodes];
  if (permi_derived_begin(trace, &tree->numbers, tree->node[tree->nodes].edge + (tree->alone ? tree->nodes : 0)))
    status = permi_tree_keep_all(trace, control, &run);
  if (status == PERM_OK)
    status = permi_tree_pass_back(trace, &run);
  permi_pool_release(&run.base.pool);
  permi_pool_release(&trace->pool);
  return status;
}

static double permi_tree_derive_bytes(const void *plan)
{
  const permi_tree *tree = (const permi_tree *)plan;
  return permi_tree_kept_bytes(plan) +
         (8.0 * tree->size + sizeof(permi_sizes) + sizeof(int)) * (tree->node[tree->nodes].edge + tree->nodes);
}

static const permi_tracer permi_tree_deriver = {permi_tree_derive_bytes, permi_tree_derive, NULL, NULL};

/* ========================================================================================= >>sample
   Draws permutations, each block by the engine of >>trace that is predicted the quickest within memory. For doubles,
   u = 2^-53, the total variation distance is at most 4 (G + ways + steps) u to first order: G roundings in a value (THE
   BOUND); a draw has 53 bits, and for each way an addition and a subtraction. Underflow above 2^-60 of the last value
   and entries lost by scaling are refused. Sample i is seeded with (seed, i). */

#define PERMI_SAMPLE_LOST 8.673617379884035e-19 /* 2^-60 */

/* With planning as of permi_engines. The last is for derivatives in doubles alone. */
static const permi_engine permi_sample_engines[] = {
    {PERM_METHOD_TREE, PERMI_PROVEN | PERMI_FREE, PERMI_ORDER_PLAN_SECONDS * 2 / 3, permi_tree_worth, permi_tree_offer,
     NULL, permi_owned_release},
    {PERM_METHOD_TWINS, PERMI_PROVEN, PERMI_CLASS_PLAN_SECONDS, permi_classes_least, permi_classes_offer, NULL,
     permi_owned_release},
    {PERM_METHOD_FRONTIER, PERMI_PROVEN | PERMI_FREE, PERMI_ORDER_PLAN_SECONDS, permi_frontier_least,
     permi_frontier_offer, NULL, permi_owned_release},
    {PERM_METHOD_LISTS, PERMI_NAMED | PERMI_FREE, 0, NULL, permi_frontier_offer, NULL, permi_owned_release},
    {PERM_METHOD_ARRAYS, PERMI_NAMED | PERMI_FREE, 0, NULL, permi_frontier_offer, NULL, permi_owned_release},
    {PERM_METHOD_HYBRID, 0, PERMI_ORDER_PLAN_SECONDS, permi_hybrid_least, permi_reverse_offer, NULL,
     permi_reverse_release}};
static const permi_tracer *const permi_tracers[] = {&permi_tree_tracer, &permi_classes_tracer, &permi_frontier_tracer,
                                                    &permi_frontier_tracer, &permi_frontier_tracer};
#define PERMI_TRACERS ((int)(sizeof permi_sample_engines / sizeof *permi_sample_engines))
static const permi_tracer *const permi_derivers[] = {&permi_tree_deriver, NULL, &permi_frontier_deriver,
                                                     &permi_frontier_deriver, &permi_frontier_deriver,
                                                     &permi_hybrid_deriver};

typedef struct permi_sampling {
  const perm_options *options;
  permi_control *watch;
  perm_result *result;
  permi_working working;
  permi_trace *trace; /* of a block */
  int blocks;
  int *forced; /* the column of a row that is a block by itself, or -1 */
  permi_draw *draw; /* of a thread */
  size_t words, room; /* the most of a block's trace */
  uint64_t steps;
  double visited, most;
  perm_method method; /* of the block with the most states */
  uint64_t seed, begin, count;
  int m, *columns;
  int engines; /* of permi_sample_engines */
  const permi_tracer *const *tracer;
  double worth; /* seconds to be beaten */
} permi_sampling;

static perm_status permi_draw_part(void *context, uint64_t part, int thread)
{
  permi_sampling *sampling = (permi_sampling *)context;
  const size_t m = (size_t)sampling->m;
  const uint64_t begin = part * PERMI_SAMPLE_PART;
  permi_draw draw = sampling->draw[thread]; /* a copy: threads share no line of caches */
  draw.count = (int)fmin(PERMI_SAMPLE_PART, (double)(sampling->count - begin));
  draw.columns = sampling->columns + (size_t)begin * m;
  for (int k = 0; k < draw.count; k++) {
    memcpy(draw.columns + (size_t)k * m, sampling->forced, m * sizeof *draw.columns);
    draw.random[k] = sampling->seed;
    draw.random[k] = permi_random(&draw.random[k]) + sampling->begin + begin + (uint64_t)k;
    draw.random[k] = permi_random(&draw.random[k]);
  }
  for (int b = 0; b < sampling->blocks; b++) {
    draw.trace = &sampling->trace[b];
    draw.trace->tracer->draw(&draw);
  }
  sampling->draw[thread] = draw;
  return thread ? PERM_OK : permi_control_poll(sampling->watch, 0, "drawing");
}

static perm_status permi_sample_hear(permi_maker *maker, const permi_block *block, const permi_engine *engine,
                                     permi_offer *offer, perm_status status)
{
  const double limit = permi_sample_limit(maker->options);
  const permi_tracer *const *tracer = maker->keeps > 1 ? permi_derivers : permi_tracers;
  if (status != PERM_OK || !(offer->seconds < (double)INFINITY))
    return status;
  if (engine->method == PERM_METHOD_TWINS && !permi_trace_words(&((permi_classes *)offer->plan)->numbers, block)) {
    permi_refuse(offer, PERM_ERROR_OVERFLOW, "would need integers of more than %d bits", 64 * PERM_INTEGER_WORDS);
    return status;
  }
  offer->bytes += tracer[engine - permi_sample_engines]->bytes(offer->plan);
  if (offer->bytes > limit)
    permi_refuse(offer, PERM_ERROR_LIMIT, "by method %s: the states of all steps are kept, predicted %s, over %s",
                 perm_name("method", engine->method), permi_size_words(offer->bytes).text,
                 permi_size_words(limit).text);
  return status;
}

static perm_status permi_sample_refuse(permi_maker *maker, const permi_block *block, const permi_offers *offers)
{
  const permi_offer *why = NULL;
  for (int i = 0; i < offers->engines; i++) /* the frontier's reason says most */
    why = offers->offer[i].why[0] ? &offers->offer[i] : why;
  if (maker->watch->stopped != PERM_OK)
    return maker->watch->stopped;
  if (offers->too_long)
    return permi_fail_long(maker->result);
  if (maker->options->method == PERM_METHOD_HYBRID && why)
    return permi_fail(maker->result, PERM_ERROR_LIMIT, 2, "a block of order %d %s", block->n, why->why);
  return permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                    "a block of order %d %s: raise max_bytes, now %s, or plan_effort to find fewer states",
                    block->n, why ? why->why : "has no plan",
                    permi_size_words(permi_sample_limit(maker->options)).text);
}

static perm_status permi_sampling_block(permi_sampling *sampling, permi_maker *maker, permi_trace *trace, int columns)
{
  const perm_options *options = maker->options;
  permi_block block;
  const permi_engine *named = permi_engine_of(permi_sample_engines, sampling->engines, options->method);
  permi_offer offer[PERMI_TRACERS];
  permi_offers offers;
  perm_status status = PERM_OK;
  if (!permi_block_create(&sampling->working, trace->row, trace->column, trace->n, columns, &block))
    return PERM_ERROR_MEMORY;
  trace->given = permi_entry_roundings(&sampling->working, trace->n) + block.additions;
  permi_offers_begin(&offers, permi_sample_engines, sampling->engines, offer);
  offers.best = sampling->worth;
  for (int i = 0; i < sampling->engines; i++)
    offer[i].least = sampling->tracer[i] ? permi_least_seconds(&block, &permi_sample_engines[i]) : (double)INFINITY;
  maker->offers = &offers;
  if (named)
    offer[named - permi_sample_engines].bounded = 1; /* by name no bound counts */
  if (sampling->watch->stopped == PERM_OK)
    status = named ? permi_ask(maker, &block, &offers, (int)(named - permi_sample_engines))
                   : permi_ask_engines(maker, &block, &offers);
  maker->offers = NULL;
  permi_release(&options->allocator, offers.glanced);
  permi_release(&options->allocator, maker->layouts);
  maker->layouts = NULL;
  permi_offer *best = offers.chosen >= 0 ? &offer[offers.chosen] : NULL;
  if (status == PERM_OK && (!best || sampling->watch->stopped != PERM_OK))
    status = permi_sample_refuse(maker, &block, &offers);
  if (status == PERM_OK && sampling->tracer[offers.chosen] == &permi_hybrid_deriver)
    best->seconds = best->likely;
  if (status == PERM_OK && options->max_seconds > 0 && best->seconds > options->max_seconds)
    status = permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                        "a block of order %d: predicted %s, over max_seconds = %.3g", block.n,
                        permi_time_words(best->seconds).text, options->max_seconds);
  if (status == PERM_OK) {
    maker->kept += best->bytes;
    trace->plan = best->plan;
    trace->tracer = sampling->tracer[offers.chosen];
    trace->release = permi_sample_engines[offers.chosen].release;
    best->plan = NULL;
    if (maker->kept > permi_sample_limit(options))
      status = permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                          "the states that are kept are predicted to take %s, over %s: raise max_bytes",
                          permi_size_words(maker->kept).text, permi_size_words(permi_sample_limit(options)).text);
    else
      status = trace->tracer->record(trace, sampling->watch);
  }
  if (status == PERM_OK && trace->lost > PERMI_SAMPLE_LOST && !trace->derived)
    status = permi_fail(sampling->result, PERM_ERROR_UNSUPPORTED, 1,
                        "matrix: its products range beyond doubles; integers are drawn exactly");
  if (status == PERM_OK && trace->visited > sampling->most) {
    sampling->most = trace->visited;
    sampling->method = permi_sample_engines[offers.chosen].method;
  }
  sampling->visited += trace->visited;
  sampling->words = trace->words > sampling->words ? trace->words : sampling->words;
  sampling->room = trace->room > sampling->room ? trace->room : sampling->room;
  sampling->steps += trace->steps;
  for (int i = 0; i < sampling->engines; i++)
    permi_offer_clear(&options->allocator, &permi_sample_engines[i], &offer[i]);
  permi_pool_release(&block.pool);
  return status;
}

/* Says if block k is one entry, or one row. */
static int permi_sample_single(const permi_sampling *sampling, int k)
{
  const int *first = sampling->working.first + k, *wide = first + sampling->working.blocks;
  return first[1] - first[0] == 1 && (!sampling->working.alone || wide[1] == wide[0]);
}

static perm_status permi_sample_blocks(permi_sampling *sampling)
{
  permi_working *working = &sampling->working;
  const perm_allocator *allocator = &sampling->options->allocator;
  const int n = working->n;
  perm_options asked = *sampling->options;
  permi_maker maker;
  perm_status status = permi_block_lines(working);
  if (status != PERM_OK)
    return status;
  sampling->trace = (permi_trace *)permi_pool_zeros(&working->pool, (size_t)working->blocks, sizeof(permi_trace));
  sampling->forced = (int *)permi_pool_get(&working->pool, (size_t)n, sizeof *sampling->forced);
  if (working->pool.failed)
    return PERM_ERROR_MEMORY;
  memset(&maker, 0, sizeof maker);
  permi_account account = {sampling->watch, sampling->watch->worked, 0, PERMI_PLAN_SECONDS, PERMI_PLAN_SECONDS,
                           PERMI_PLAN_SHARE * fmax(asked.plan_effort, 1), permi_account_most(&asked)};
  asked.precision = PERM_PRECISION_DEFAULT;
  memset(&asked.gpu, 0, sizeof asked.gpu);
  asked.isa = asked.isa == PERM_ISA_CUDA ? PERM_ISA_AUTO : asked.isa;
  maker.watch = sampling->watch;
  maker.options = &asked;
  maker.hear = permi_sample_hear;
  maker.keeps = sampling->tracer == permi_derivers ? 2 : 1;
  maker.account = &account;
  maker.working = working;
  maker.result = sampling->result;
  for (int k = 0; k < working->blocks && status == PERM_OK; k++) {
    const int *first = working->first + k, *wide = first + working->blocks, order = first[1] - first[0];
    const int *row = working->line + first[0], *column = working->line + wide[0];
    permi_trace *trace = &sampling->trace[sampling->blocks];
    sampling->forced[*row] = order == 1 && !working->alone ? *column - n : -1;
    if (permi_sample_single(sampling, k))
      continue;
    trace->pool.allocator = trace->lasting.allocator = allocator;
    trace->row = row;
    trace->column = column;
    trace->n = order;
    trace->zeros = working->zeros > 1;
    trace->begin = sampling->steps;
    sampling->blocks++;
    status = permi_sampling_block(sampling, &maker, trace, wide[1] - wide[0]);
    maker.kept = trace->derived ? 0 : maker.kept;
  }
  permi_release(allocator, maker.binomial);
  return status;
}

static perm_status permi_sample_weights_check(const perm_matrix *matrix, permi_control *watch, perm_result *result)
{
  permi_cell cell;
  for (int i = 0; i < matrix->m; i++)
    for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1] && !permi_watch_step(watch, e, 5); e++) {
      permi_matrix_entry(matrix, e, &cell);
      if (cell.imaginary != 0 || cell.real < 0)
        return permi_fail(result, PERM_ERROR_UNSUPPORTED, 1,
                          "matrix: row %d, column %d (counted from 1) has %.17g%s: entries below 0 have no chances",
                          i + 1, matrix->column[e] + 1, cell.imaginary != 0 ? cell.imaginary : cell.real,
                          cell.imaginary != 0 ? " i" : "");
    }
  return PERM_OK;
}

static perm_status permi_sample_check(const perm_matrix *matrix, const permi_sampling *sampling)
{
  const perm_options *options = sampling->options;
  const uint64_t count = sampling->count;
  perm_result *result = sampling->result;
  const int takes = options->method == PERM_METHOD_AUTO ||
                    permi_engine_of(permi_sample_engines, PERMI_TRACERS - 1, options->method) != NULL;
  if (matrix->m > matrix->n)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: %d x %d has more rows than columns; transpose it",
                      matrix->m, matrix->n);
  if (matrix->m < matrix->n && options->method == PERM_METHOD_TWINS)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2,
                      "options: samples of %d x %d take methods auto, tree, frontier, lists and arrays; method twins "
                      "is for square matrices", matrix->m, matrix->n);
  if (options->modulus || options->certify || options->tolerance > 0 || options->checkpoint.file || !takes ||
      (options->precision != PERM_PRECISION_DEFAULT && options->precision != PERM_PRECISION_EXACT))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2,
                      "options: samples take methods auto, tree, twins, frontier, lists and arrays, precisions "
                      "default and exact, and no modulus, certify, tolerance or checkpoint");
  if (count && matrix->m && !sampling->columns)
    return permi_fail(result, PERM_ERROR_NULL, 6, "columns is NULL");
  if (matrix->m && count > SIZE_MAX / sizeof(int) / (uint64_t)matrix->m)
    return permi_fail(result, PERM_ERROR_SIZE, 5, "count is too large");
  return permi_sample_weights_check(matrix, sampling->watch, result);
}

static perm_status permi_sample_zero(const permi_sampling *sampling)
{
  return permi_fail(sampling->result, PERM_ERROR_ZERO, 1, "matrix: its permanent is 0, no assignment has a weight: %s",
                    sampling->working.report.hall);
}

static perm_status permi_sample_prepare(permi_sampling *sampling, const perm_matrix *matrix, int exact, int *zero)
{
  permi_working *working = &sampling->working;
  permi_control *watch = sampling->watch;
  perm_result *result = sampling->result;
  perm_status status = PERM_OK;
  working->watch = watch;
  watch->activity = "preparing";
  permi_sparse_fill(matrix, exact, matrix->m > matrix->n, working);
  if (matrix->m != matrix->n)
    status = permi_prepare_free(working, permi_matrix_shorter(matrix), exact, 1, zero);
  else
    *zero = !permi_split(working);
  if (status != PERM_OK ||
      (watch->stopped == PERM_OK && !*zero && !exact && !working->alone && !permi_scale(working)))
    return PERM_ERROR_MEMORY;
  if (watch->stopped == PERM_OK && working->lost)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 1, "matrix: its entries range beyond doubles; %s",
                      working->zeros ? "leave out those too small to count; perm_gradient_sparse_integer is exact"
                                     : "integers are drawn exactly");
  watch->activity = "planning";
  return watch->stopped;
}

static perm_status permi_sample_end(permi_sampling *sampling, perm_status status, const char *doing)
{
  const perm_allocator *allocator = &sampling->options->allocator;
  for (int b = 0; b < sampling->blocks; b++) {
    permi_pool_release(&sampling->trace[b].pool);
    permi_pool_release(&sampling->trace[b].lasting);
    if (sampling->trace[b].plan)
      sampling->trace[b].release(allocator, sampling->trace[b].plan);
  }
  permi_pool_release(&sampling->working.pool);
  if (status > 0)
    return permi_fail(sampling->result, status, 0, "%s while %s", perm_status_text(status), doing);
  return status == PERM_ERROR_MEMORY ? permi_fail_memory(sampling->result) : status;
}

/* A thread's records have room for states that it may meet, up to 30 MB and a quarter of what max_bytes leaves: 64
   bytes a slot, of which half are free. 0: out of memory. */
static int permi_sample_rooms(permi_sampling *sampling, int threads)
{
  const double limit = fmin(3e7, 0.25 * permi_sample_left(sampling->options) / threads);
  const double met = ((double)sampling->count / threads - 1) * (double)sampling->steps;
  permi_pool *pool = &sampling->working.pool;
  int bits = 1;
  permi_draw draw;
  memset(&draw, 0, sizeof draw);
  draw.used = 1;
  while (sampling->steps >> (64 - PERMI_STATE_BITS) == 0 && ldexp(128, bits) < limit &&
         ldexp(1, bits) < 2 * fmin(sampling->visited, met))
    bits++;
  draw.shift = 64 - bits;
  draw.most = sampling->words;
  draw.words = 1 + 2 * draw.most + ((size_t)8 << bits);
  draw.total = sampling->working.n;
  draw.m = sampling->m;
  sampling->draw = (permi_draw *)permi_pool_get(pool, (size_t)threads, sizeof draw);
  for (int k = 0; k < threads && !pool->failed; k++) {
    draw.word = (uint64_t *)permi_pool_get(pool, draw.words, sizeof *draw.word);
    draw.slot = (uint32_t *)permi_pool_zeros(pool, (size_t)1 << bits, sizeof *draw.slot);
    draw.room = (char *)permi_pool_get(pool, sampling->room + 1, 1);
    sampling->draw[k] = draw;
  }
  return !pool->failed;
}

static perm_status permi_sample(permi_sampling *sampling, const perm_matrix *matrix)
{
  const perm_options *options = sampling->options;
  const uint64_t parts = sampling->count / PERMI_SAMPLE_PART + (sampling->count % PERMI_SAMPLE_PART > 0);
  const int threads = parts < (uint64_t)permi_threads(options) ? 1 : permi_threads(options);
  size_t at;
  int row, zero = 0;
  const int exact = permi_matrix_integers(matrix, &row, &at, sampling->watch);
  if (options->precision == PERM_PRECISION_EXACT && !exact && sampling->watch->stopped == PERM_OK)
    return permi_fail(sampling->result, PERM_ERROR_OPTION, 2,
                      "options: precision exact needs integers below 2^53, but row %d, column %d (counted from 1) has "
                      "%.17g", row + 1, matrix->column[at] + 1, matrix->real[at]);
  if (!permi_working_create(&sampling->working, &options->allocator, matrix->n, matrix->nnz))
    return permi_fail_memory(sampling->result);
  sampling->engines = PERMI_TRACERS - 1;
  sampling->tracer = permi_tracers;
  sampling->worth = (double)INFINITY;
  perm_status status = permi_sample_prepare(sampling, matrix, exact, &zero);
  if (status == PERM_OK && zero)
    status = permi_sample_zero(sampling);
  if (status == PERM_OK)
    status = permi_sample_blocks(sampling);
  if (status == PERM_OK)
    status = permi_sample_rooms(sampling, threads) ? permi_share(threads, 0, parts, permi_draw_part, sampling, NULL)
                                                   : PERM_ERROR_MEMORY;
  return permi_sample_end(sampling, status, "sampling");
}

static perm_status permi_sample_begin(permi_sampling *sampling, const perm_matrix *matrix,
                                      const perm_options *options_given, permi_metered *call, permi_control *watch,
                                      perm_result *result)
{
  memset(sampling, 0, sizeof *sampling);
  sampling->options = permi_meter_begin(call, options_given, permi_matrix_cost(matrix));
  sampling->watch = watch;
  sampling->result = result;
  permi_result_clear(result);
  *watch = permi_control_begin(sampling->options);
  return permi_check_input(matrix, sampling->options, watch, result);
}

PERM_MORE_API perm_status perm_sample_sparse(const perm_matrix *matrix, const perm_options *options, uint64_t seed,
                                             uint64_t first, uint64_t count, int *columns, perm_result *result)
{
  const double start = permi_seconds();
  permi_sampling sampling;
  permi_metered call;
  permi_control watch;
  if (!result)
    return PERM_ERROR_NULL;
  perm_status status = permi_sample_begin(&sampling, matrix, options, &call, &watch, result);
  sampling.seed = seed;
  sampling.begin = first;
  sampling.count = count;
  sampling.columns = columns;
  if (status == PERM_OK)
    status = permi_sample_check(matrix, &sampling);
  sampling.m = status == PERM_OK ? matrix->m : 0;
  if (sampling.m > 0)
    status = permi_sample(&sampling, matrix);
  if (status == PERM_OK) {
    result->method = sampling.method;
    result->terms = sampling.visited;
    result->threads = permi_threads(sampling.options);
  }
  result->status = status;
  result->seconds = permi_seconds() - start;
  return permi_meter_end(&call, status, result);
}

/* ========================================================================================= >>derive
   Derivatives by stored entries: >>derive_tree or >>derive_frontier times the other blocks' permanents. Stored zeros
   count, and lines of degree 2 stay. An entry in no perfect matching has derivative 0. */

#define PERMI_DERIVE_LOST 1e-290 /* of a marginal, besides its bound */
#define PERMI_DERIVE_TOLD 1e-9   /* of value */

typedef enum permi_derive_what {
  PERMI_DERIVATIVES, PERMI_CHANCES, PERMI_RESIDUE_DERIVATIVES, PERMI_INTEGER_DERIVATIVES
} permi_derive_what;

typedef struct permi_derivation {
  permi_sampling sampling;
  const perm_matrix *matrix;
  permi_derive_what wanted;
  void *out; /* by entry */
  double *unmatched;
  permi_number *whole, *rest; /* by block: its permanent, the others' product */
  permi_number permanent;
  long long *exp2; /* of derivatives */
  double worst[2];     /* error and estimate, times 2^worst_exp2 */
  long long worst_exp2;
  double relative, lost; /* errors of marginals, at most: all, by underflow */
} permi_derivation;

static permi_number permi_derive_number(const permi_numbers *numbers, const uint64_t *value, long long exp2,
                                        double roundings, double loss, const double *error)
{
  const size_t size = permi_numbers_words(numbers);
  permi_number number;
  memset(&number, 0, sizeof number);
  if (permi_algebra_is_integer(numbers->algebra)) {
    number.exact = 1;
    if (numbers->algebra == PERMI_RESIDUES)
      number.integer.word[0] = *value;
    else
      number.integer.negative = permi_words_magnitude(number.integer.word, value, (int)size);
    permi_integer_trim(&number.integer);
  } else {
    const permi_coefficient c = permi_coefficient_from(numbers->algebra, numbers, value);
    const double bound = permi_entry_bound(roundings);
    number.value.hi = c.real;
    number.imaginary.hi = c.imaginary;
    number.exp2 = exp2;
    number.error = permi_times(bound, c.absolute) * (1 + 1e-12) + 2 * loss;
    number.estimate = permi_times(fmin(4 * sqrt(PERMI_UNIT * bound), bound), c.absolute) + 2 * loss;
    if (error) {
      number.error = error[0];
      number.estimate = error[1];
    }
  }
  return number;
}

/* The factor of a block of one row. */
static const permi_cell *permi_derive_single(const permi_sampling *sampling, int k)
{
  const permi_working *working = &sampling->working;
  const int row = working->line[working->first[k]];
  return working->alone ? &working->alone[row] : &working->cell[working->head[row]];
}

static perm_status permi_derive_multiply(const permi_derivation *derivation, permi_number *a, const permi_number *b)
{
  const perm_status status = permi_number_multiply(a, b);
  permi_number_reduce(a, derivation->sampling.options->modulus);
  return status;
}

static perm_status permi_derive_products(permi_derivation *derivation)
{
  permi_sampling *sampling = &derivation->sampling;
  permi_working *working = &sampling->working;
  const int blocks = working->blocks;
  const permi_trace *trace = sampling->trace;
  permi_number product = permi_number_one();
  perm_status status = PERM_OK;
  derivation->whole = (permi_number *)permi_pool_get(&working->pool, (size_t)blocks, sizeof product);
  derivation->rest = (permi_number *)permi_pool_get(&working->pool, (size_t)blocks, sizeof product);
  if (working->pool.failed)
    return PERM_ERROR_MEMORY;
  permi_number_reduce(&product, sampling->options->modulus);
  for (int k = 0; k < blocks && status == PERM_OK && !permi_watch_step(sampling->watch, (size_t)k, 500); k++) {
    if (permi_sample_single(sampling, k)) {
      derivation->whole[k] = permi_cell_number(working, permi_derive_single(sampling, k));
    } else {
      const permi_derived *derived = (trace++)->derived;
      derivation->whole[k] = permi_derive_number(derived->numbers, derived->whole.value, derived->whole.sizes.exp2,
                                                 derived->roundings[0], derived->whole.sizes.loss,
                                                 derived->error ? derived->error[derived->count] : NULL);
    }
    permi_number_reduce(&derivation->whole[k], sampling->options->modulus);
    derivation->rest[k] = product;
    status = permi_derive_multiply(derivation, &product, &derivation->whole[k]);
  }
  derivation->permanent = product;
  product = permi_number_one();
  for (int k = derivation->wanted == PERMI_CHANCES ? -1 : blocks - 1;
       k >= 0 && status == PERM_OK && !permi_watch_step(sampling->watch, (size_t)k, 500); k--) {
    status = permi_derive_multiply(derivation, &derivation->rest[k], &product);
    if (status == PERM_OK)
      status = permi_derive_multiply(derivation, &product, &derivation->whole[k]);
  }
  return status == PERM_OK ? sampling->watch->stopped : status;
}

static void permi_derive_put(permi_derivation *derivation, size_t e, permi_number number)
{
  const permi_working *working = &derivation->sampling.working;
  const permi_cell *cell = &working->cell[e];
  double *out = (double *)derivation->out + (working->is_complex ? 2 : 1) * e;
  permi_number_normalise(&number);
  number.exp2 += working->exp2 + (long long)(working->shift[cell->vertex[0]] + working->shift[cell->vertex[1]]);
  number.error += permi_modulus(number.value.lo, number.imaginary.lo);
  out[0] = number.value.hi;
  if (working->is_complex)
    out[1] = number.imaginary.hi;
  derivation->exp2[e] = number.exp2;
  if (!(number.error <= permi_ldexp(derivation->worst[0], derivation->worst_exp2 - number.exp2))) {
    derivation->worst[0] = number.error >= 0 ? number.error : (double)INFINITY;
    derivation->worst[1] = number.error >= 0 ? number.estimate : (double)INFINITY;
    derivation->worst_exp2 = number.exp2;
  }
}

/* Returns c c' / permanent of the block. */
static double permi_derive_chance(permi_derivation *derivation, const permi_derived *derived, double factor, int e)
{
  const double whole = *(const double *)(const void *)derived->whole.value; /* within 2^-100, 2^100 */
  const double derivative = ((const double *)(const void *)derived->value)[e];
  const long long exp2 = derived->sizes[e].exp2 - derived->whole.sizes.exp2;
  int of_c, of_x;
  const double c = frexp(factor, &of_c), x = frexp(derivative, &of_x);
  const double chance = permi_ldexp(c * x / whole, exp2 + of_c + of_x);
  const double lost = permi_ldexp(2 * derived->sizes[e].loss * c / whole, exp2 + of_c);
  derivation->lost = lost > PERMI_DERIVE_LOST ? fmax(derivation->lost, lost / chance) : derivation->lost;
  return factor == 0 ? 0 : chance;
}

static void permi_derive_relative(permi_derivation *derivation, const permi_derived *derived)
{
  const double relative = permi_gamma(derived->roundings[0] + derived->roundings[1] + 2) +
                          2 * derived->whole.sizes.loss / *(const double *)(const void *)derived->whole.value;
  derivation->relative = fmax(derivation->relative, relative);
}

/* Writes entry `at` by derivative e of block k. */
static perm_status permi_derive_entry(permi_derivation *derivation, int k, int at, const permi_derived *derived, int e)
{
  permi_number number;
  perm_status status = PERM_OK;
  if (derivation->wanted == PERMI_CHANCES) {
    ((double *)derivation->out)[at] =
        permi_derive_chance(derivation, derived, derivation->sampling.working.cell[at].real, e);
    return PERM_OK;
  }
  number = derived->numbers ? permi_derive_number(derived->numbers, derived->value + (size_t)e * derived->size,
                                                  derived->sizes[e].exp2, derived->roundings[1], derived->sizes[e].loss,
                                                  derived->error ? derived->error[e] : NULL)
                            : permi_number_one();
  permi_number_reduce(&number, derivation->sampling.options->modulus);
  if (derivation->sampling.working.blocks > 1)
    status = permi_derive_multiply(derivation, &number, &derivation->rest[k]);
  if (derivation->wanted == PERMI_INTEGER_DERIVATIVES)
    ((perm_integer *)derivation->out)[at] = number.integer;
  else if (derivation->wanted == PERMI_RESIDUE_DERIVATIVES)
    ((uint64_t *)derivation->out)[at] = number.integer.word[0];
  else
    permi_derive_put(derivation, (size_t)at, number);
  return status;
}

/* The same of a row's free columns of one entry. */
static perm_status permi_derive_peeled(permi_derivation *derivation, int k, int row, const permi_derived *derived,
                                       int e)
{
  const permi_working *working = &derivation->sampling.working;
  perm_status status = PERM_OK;
  int at = working->alone && working->alone[row].vertex[1] ? working->alone[row].next[0] : -1;
  for (; at >= 0 && status == PERM_OK; at = working->cell[at].next[0])
    status = permi_derive_entry(derivation, k, at, derived, e);
  return status;
}

static perm_status permi_derive_block(permi_derivation *derivation, int k, const permi_trace *trace)
{
  const permi_working *working = &derivation->sampling.working;
  const permi_derived *derived = trace->derived;
  perm_status status = PERM_OK;
  int *cell = working->column, i, e = 0, at;
  if (derivation->wanted == PERMI_CHANCES)
    permi_derive_relative(derivation, derived);
  for (i = 0; i < trace->n; i++)
    for (at = working->head[trace->row[i]]; at >= 0; at = working->cell[at].next[0])
      cell[e++] = at;
  for (e = 0; e < derived->count && status == PERM_OK; e++) {
    const int of = derived->of[e], v = -1 - of;
    if (permi_watch_step(derivation->sampling.watch, (size_t)e, 500))
      return PERM_OK;
    if (of >= 0)
      status = permi_derive_entry(derivation, k, cell[of], derived, e);
    else if (of != INT_MIN && v < trace->n)
      status = permi_derive_peeled(derivation, k, trace->row[v], derived, e);
    else if (of != INT_MIN && derivation->unmatched)
      derivation->unmatched[trace->column[v - trace->n] - working->n] =
          permi_derive_chance(derivation, derived, 1, e);
  }
  return status;
}

static void permi_derive_unmatched(permi_derivation *derivation)
{
  permi_working *working = &derivation->sampling.working;
  const double *chance = (const double *)derivation->out, relative = derivation->relative;
  for (int row = 0; row < permi_matrix_shorter(derivation->matrix); row++) {
    permi_cell *alone = &working->alone[row];
    int terms = 2;
    double sum = 0;
    for (int at = working->head[row]; at >= 0; at = working->cell[at].next[0], terms++)
      sum += chance[at];
    for (int pass = 0; pass < 2 && alone->vertex[1]; pass++, sum = 0) { /* the columns before it; those after it */
      int last = -1;
      for (int at = alone->next[0], next; at >= 0; at = next, terms++) {
        double *to = &derivation->unmatched[working->cell[at].vertex[1] - working->n];
        *to = pass ? *to + sum : sum;
        sum += chance[at];
        next = working->cell[at].next[0];
        working->cell[at].next[0] = last;
        last = at;
      }
      alone->next[0] = last;
    }
    derivation->relative = fmax(derivation->relative, relative + permi_gamma(terms) * (1 + 1e-5));
  }
}

static perm_status permi_derive_entries(permi_derivation *derivation)
{
  permi_sampling *sampling = &derivation->sampling;
  const permi_working *working = &sampling->working;
  const permi_trace *trace = sampling->trace;
  perm_status status = PERM_OK;
  for (int k = 0; k < working->blocks && status == PERM_OK && !permi_watch_step(sampling->watch, (size_t)k, 500); k++) {
    if (permi_sample_single(sampling, k)) {
      const permi_cell *single = permi_derive_single(sampling, k);
      double value[2] = {1, single->real};
      permi_sizes sizes = {1, 1, 0, 0};
      permi_derived derived;
      memset(&derived, 0, sizeof derived);
      derived.value = (uint64_t *)(void *)value;
      derived.whole.value = derived.value + 1;
      derived.sizes = &sizes;
      derived.roundings[0] = permi_entry_roundings(working, 1) + single->rounded;
      permi_derive_relative(derivation, &derived);
      status = working->alone ? permi_derive_peeled(derivation, k, single->vertex[0], &derived, 0)
                              : permi_derive_entry(derivation, k, (int)(single - working->cell), &derived, 0);
    } else {
      status = permi_derive_block(derivation, k, trace++);
    }
  }
  derivation->relative = (derivation->relative + derivation->lost) * (1 + 1e-5);
  if (status == PERM_OK && derivation->unmatched && working->alone)
    permi_derive_unmatched(derivation);
  return status == PERM_OK ? sampling->watch->stopped : status;
}

/* One exponent for all: 0 if no double is then small. */
static void permi_derive_align(permi_derivation *derivation, perm_result *result)
{
  permi_number *permanent = &derivation->permanent;
  const int parts = derivation->sampling.working.is_complex ? 2 : 1;
  const size_t count = derivation->matrix->nnz * (size_t)parts;
  double *gradient = (double *)derivation->out, largest = 0, error = derivation->worst[0] > 0 ? DBL_MIN : 0;
  double lost, bound, estimate, least_told;
  long long most = LLONG_MIN, least = LLONG_MAX;
  permi_number_normalise(permanent);
  for (size_t k = 0; k < count; k++)
    if (gradient[k] != 0) {
      const long long e = derivation->exp2[k / (size_t)parts] + permi_exponent(gradient[k]);
      most = e > most ? e : most;
      least = e < least ? e : least;
    }
  const long long common = permi_minors_common(permanent, most, least);
  for (size_t k = 0; k < count; k++) {
    const double x = gradient[k], y = permi_ldexp(x, derivation->exp2[k / (size_t)parts] - common);
    gradient[k] = y + 0;
    error = x != 0 && fabs(y) < DBL_MIN ? DBL_MIN : error;
    largest = fmax(largest, fabs(y));
  }
  result->value = permi_ldexp(permanent->value.hi, permanent->exp2 - common);
  result->imaginary = permi_ldexp(permanent->imaginary.hi, permanent->exp2 - common);
  result->exp2 = common;
  result->error_bound = permi_ldexp(derivation->worst[0], derivation->worst_exp2 - common) * (1 + 1e-12) + 2 * error;
  result->error_estimate = permi_ldexp(derivation->worst[1], derivation->worst_exp2 - common) + error;
  result->error_estimate = fmin(result->error_estimate + PERMI_UNIT * largest, result->error_bound);
  lost = permi_modulus(permanent->value.hi, permanent->imaginary.hi) + permanent->error > 0 ? DBL_MIN * DBL_EPSILON : 0;
  least_told = PERMI_DERIVE_TOLD * permi_modulus(result->value, result->imaginary);
  bound = permi_ldexp(permanent->error, permanent->exp2 - common) + 2 * lost;
  estimate = permi_ldexp(permanent->estimate, permanent->exp2 - common) + 2 * lost;
  if (bound > least_told)
    result->error_bound = fmax(result->error_bound, bound);
  if (estimate > least_told) {
    permi_say(result->message, sizeof result->message, "value has lost digits: error_bound is of it, too");
    result->error_estimate = fmax(result->error_estimate, estimate);
  }
}

static perm_status permi_derive_array(permi_derivation *derivation, perm_result *result)
{
  const perm_matrix *matrix = derivation->matrix;
  const perm_options *options = derivation->sampling.options;
  const int n = matrix->n, parts = matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  const int chances = derivation->wanted == PERMI_CHANCES;
  permi_minors_call call = {n, n, 0, 1, 0, permi_view_of(NULL, n, parts, NULL), {NULL, NULL}, NULL};
  double *out = (double *)derivation->out;
  permi_problem problem;
  void *entries;
  perm_status status = permi_sparse_array(matrix, &options->allocator, 0, &problem, &entries, result);
  call.out = (double *)permi_allocate(&options->allocator, (size_t)n * (size_t)n * (size_t)parts, sizeof *call.out);
  if (status == PERM_OK && !call.out)
    status = permi_fail_memory(result);
  call.marginals = chances;
  if (status == PERM_OK) {
    call.view = permi_view_of(problem.real, n, parts, NULL);
    status = permi_minors_metered(&call, options, result);
    result->argument = status < 0 && result->argument ? 1 : result->argument;
  }
  for (int i = 0; i < n && status == PERM_OK; i++)
    for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++)
      for (int part = 0; part < parts; part++)
        out[e * (size_t)parts + (size_t)part] = call.out[(i * n + matrix->column[e]) * parts + part];
  if (chances || permi_sparse_rounds(matrix, derivation->sampling.watch))
    result->error_bound = (double)INFINITY;
  permi_release(&options->allocator, call.out);
  permi_release(&options->allocator, entries);
  return status;
}

#define PERMI_DERIVE_FREE 0.02 /* seconds; chosen: trees win below it */
static perm_status permi_derive(permi_derivation *derivation)
{
  permi_sampling *sampling = &derivation->sampling;
  permi_working *working = &sampling->working;
  const perm_matrix *matrix = derivation->matrix;
  const perm_options *options = sampling->options;
  const int longer = permi_matrix_longer(matrix), chances = derivation->wanted == PERMI_CHANCES;
  const int array = derivation->wanted < PERMI_RESIDUE_DERIVATIVES && matrix->n <= PERM_MAX_N &&
                    matrix->m == matrix->n && !options->certify && options->method == PERM_METHOD_AUTO;
  const double seconds = array ? 8 * matrix->n * ldexp(1, matrix->n - 1) / permi_dense_rate(options) : (double)INFINITY;
  perm_result *result = sampling->result;
  perm_status status = PERM_ERROR_MEMORY;
  int zero = 0;
  if (!permi_working_create(working, &sampling->options->allocator, longer, matrix->nnz))
    return permi_fail_memory(result);
  sampling->engines = derivation->wanted == PERMI_DERIVATIVES ? PERMI_TRACERS : PERMI_TRACERS - 1;
  sampling->tracer = permi_derivers;
  sampling->worth = array ? fmax(PERMI_DERIVE_FREE, seconds) / 3 : seconds; /* a gradient is about 8 permanents */
  working->is_complex = matrix->kind == PERM_KIND_COMPLEX;
  working->zeros = 1;
  working->shift = (double *)permi_pool_zeros(&working->pool, 2 * (size_t)longer, sizeof(double));
  derivation->exp2 = (long long *)permi_pool_zeros(&working->pool, matrix->nnz, sizeof *derivation->exp2);
  if (!working->pool.failed)
    status = permi_sample_prepare(sampling, matrix, derivation->wanted >= PERMI_RESIDUE_DERIVATIVES, &zero);
  if (status == PERM_OK && zero) {
    memset(&derivation->permanent, 0, sizeof derivation->permanent);
    derivation->permanent.exact = working->integer;
    if (chances)
      status = permi_sample_zero(sampling);
  } else if (status == PERM_OK) {
    status = permi_sample_blocks(sampling);
    if (status == PERM_OK)
      status = permi_derive_products(derivation);
    if (status == PERM_OK && chances && derivation->permanent.value.hi == 0)
      status = permi_fail(result, PERM_ERROR_ZERO, 1, "matrix: its permanent is 0: nothing has a chance");
    if (status == PERM_OK)
      status = permi_derive_entries(derivation);
    if (status == PERM_ERROR_OVERFLOW && !result->message[0])
      status = permi_fail_long(result);
    if (status == PERM_OK && chances && !(derivation->relative < 1e-6))
      status = permi_fail(result, PERM_ERROR_UNSUPPORTED, 1, "matrix: its products range beyond doubles");
  }
  if (status == PERM_OK) {
    derivation->permanent.exp2 += working->exp2;
    if (derivation->wanted == PERMI_DERIVATIVES)
      permi_derive_align(derivation, result);
    else
      permi_number_result(&derivation->permanent, result);
    if (chances)
      result->error_bound = result->error_estimate = derivation->relative;
    if (!result->exact && !permi_rounding_is_sound())
      result->error_bound = (double)INFINITY;
    result->method = sampling->method ? sampling->method : PERM_METHOD_STRUCTURE;
    result->terms = sampling->visited;
    result->threads = permi_threads(sampling->options);
    result->isa = PERM_ISA_PLAIN;
  }
  status = permi_sample_end(sampling, status, "differentiating");
  if (status == PERM_ERROR_LIMIT && seconds < PERMI_HOPELESS_SECONDS) {
    permi_result_clear(result);
    status = permi_derive_array(derivation, result);
  }
  return status;
}

static perm_status permi_derive_check(const permi_derivation *derivation, permi_control *watch, perm_result *result)
{
  const perm_options *options = watch->options;
  const perm_matrix *matrix = derivation->matrix;
  const int exact = derivation->wanted >= PERMI_RESIDUE_DERIVATIVES;
  const permi_engine *named = permi_engine_of(permi_sample_engines, PERMI_TRACERS, options->method);
  if (options->method == PERM_METHOD_HYBRID && (derivation->wanted != PERMI_DERIVATIVES || matrix->m != matrix->n))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2, "options: method hybrid is for derivatives of square matrices "
                      "in doubles; leave method as it is");
  if ((options->method != PERM_METHOD_AUTO && (options->method == PERM_METHOD_TWINS || !named)) ||
      options->tolerance > 0 || permi_in_pieces(options) ||
      (options->precision != PERM_PRECISION_DEFAULT && !(exact && options->precision == PERM_PRECISION_EXACT)))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2, "options: derivatives take methods auto, tree, frontier, "
                      "lists and arrays (of squares in doubles also hybrid), precision default (of integers also "
                      "exact), and no tolerance or checkpoint");
  if (!options->modulus != (derivation->wanted != PERMI_RESIDUE_DERIVATIVES))
    return permi_fail(result, PERM_ERROR_OPTION, 2, "options: %s", options->modulus
                      ? "a modulus is for perm_gradient_sparse_mod" : "perm_gradient_sparse_mod needs a modulus");
  if (!derivation->out && matrix->nnz)
    return permi_fail(result, PERM_ERROR_NULL, 3, "%s is NULL",
                      derivation->wanted == PERMI_CHANCES ? "marginal" : "gradient");
  if (exact && matrix->kind == PERM_KIND_COMPLEX)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 1, "matrix: exact derivatives are of real integers");
  if (exact)
    return permi_check_integers(matrix, watch, result);
  return derivation->wanted == PERMI_CHANCES ? permi_sample_weights_check(matrix, watch, result) : PERM_OK;
}

static void permi_derive_fill(const permi_derivation *derivation, perm_status status)
{
  static const size_t bytes[] = {sizeof(double), sizeof(double), sizeof(uint64_t), sizeof(perm_integer)};
  const perm_matrix *matrix = derivation->matrix;
  const size_t parts = derivation->wanted == PERMI_DERIVATIVES && matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  const size_t count = derivation->out ? parts * matrix->nnz : 0;
  if (count)
    memset(derivation->out, 0, count * bytes[derivation->wanted]);
  for (size_t k = 0; status != PERM_OK && derivation->wanted <= PERMI_CHANCES && k < count; k++)
    ((double *)derivation->out)[k] = (double)NAN;
  for (size_t k = 0; derivation->unmatched && k < (size_t)permi_matrix_longer(matrix); k++)
    derivation->unmatched[k] = status != PERM_OK ? (double)NAN : matrix->m != matrix->n;
}

/* before: why not to begin, or PERM_OK. */
static perm_status permi_derive_call(const perm_matrix *matrix, const perm_options *options_given,
                                     permi_derive_what wanted, void *out, double *unmatched, perm_status before,
                                     perm_result *result)
{
  const double start = permi_seconds();
  permi_derivation derivation;
  permi_metered call;
  permi_control watch;
  perm_matrix real;
  if (!result)
    return PERM_ERROR_NULL;
  memset(&derivation, 0, sizeof derivation);
  perm_status status = permi_sample_begin(&derivation.sampling, matrix, options_given, &call, &watch, result);
  derivation.matrix = matrix;
  derivation.wanted = wanted;
  derivation.out = out;
  derivation.unmatched = unmatched;
  if (status == PERM_OK) {
    permi_derive_fill(&derivation, PERM_OK);
    derivation.permanent = permi_number_one();
    status = before == PERM_OK ? permi_derive_check(&derivation, &watch, result)
                               : permi_fail(result, before, 0, before > 0 ? "%s; what is missing is NaN" : "%s",
                                            perm_status_text(before));
    if (status == PERM_OK && wanted == PERMI_CHANCES) { /* imaginary parts are 0 */
      real = *matrix;
      real.kind = matrix->kind == PERM_KIND_COMPLEX ? PERM_KIND_REAL : matrix->kind;
      derivation.matrix = &real;
    }
    if (status == PERM_OK && permi_matrix_shorter(matrix) > 0)
      status = permi_derive(&derivation);
    else if (status == PERM_OK)
      permi_number_result(&derivation.permanent, result);
    if (status != PERM_OK)
      permi_derive_fill(&derivation, status);
  }
  if (status == PERM_OK) {
    result->is_complex = matrix->kind == PERM_KIND_COMPLEX;
    result->precision = result->exact ? PERM_PRECISION_EXACT : PERM_PRECISION_DEFAULT;
    result->modulus = derivation.sampling.options->modulus;
    status = permi_judge(derivation.sampling.options, result);
  }
  result->seconds = permi_seconds() - start;
  return permi_meter_end(&call, status, result);
}

#define PERMI_ENTRY_GRADIENT(name, type, wanted)                                                                       \
  PERM_MORE_API perm_status name(const perm_matrix *matrix, const perm_options *options, type *gradient,               \
                                 perm_result *result)                                                                  \
  { return permi_derive_call(matrix, options, wanted, gradient, NULL, PERM_OK, result); }
PERMI_ENTRY_GRADIENT(perm_gradient_sparse, double, PERMI_DERIVATIVES)
PERMI_ENTRY_GRADIENT(perm_gradient_sparse_mod, uint64_t, PERMI_RESIDUE_DERIVATIVES)
PERMI_ENTRY_GRADIENT(perm_gradient_sparse_integer, perm_integer, PERMI_INTEGER_DERIVATIVES)

PERM_MORE_API perm_status perm_marginals_sparse(const perm_matrix *matrix, const perm_options *options,
                                                double *marginal, double *unmatched, perm_result *result)
{
  return permi_derive_call(matrix, options, PERMI_CHANCES, marginal, unmatched, PERM_OK, result);
}

typedef struct permi_scenes {
  const perm_matrix *const *matrix;
  const perm_options *options;
  double *const *marginal, *const *unmatched;
  perm_result *result;
  perm_allocator *workspace; /* by thread, or NULL */
  perm_status before;
  permi_control control;
  int stopped;
} permi_scenes;

typedef struct permi_scene {
  permi_scenes *scenes;
  double number;
  int thread;
} permi_scene;

static perm_status permi_scene_poll(const permi_scene *scene, double done)
{
  permi_scenes *scenes = scene->scenes;
  const volatile int *cancel = scenes->options->cancel;
  const double deadline = scenes->control.deadline;
  int stopped;
  PERMI_OMP(atomic read)
  stopped = scenes->stopped;
  if (stopped)
    return (perm_status)stopped;
  if (scene->thread == 0)
    stopped = (int)permi_control_poll(&scenes->control, scene->number + done, "differentiating");
  else if (cancel && *cancel)
    stopped = PERM_STOPPED_CANCELLED;
  else if (deadline < (double)INFINITY && permi_seconds() >= deadline)
    stopped = PERM_STOPPED_TIME;
  if (stopped) {
    PERMI_OMP(atomic write)
    scenes->stopped = stopped;
  }
  return (perm_status)stopped;
}

static int permi_scene_progress(const perm_progress *progress, void *user_data)
{
  return permi_scene_poll((const permi_scene *)user_data, progress->fraction) != PERM_OK;
}

/* Where it is not to begin, nothing stops it: all becomes NaN. */
static perm_status permi_scene_call(permi_scene *scene, size_t k, perm_status before)
{
  const permi_scenes *scenes = scene->scenes;
  perm_options options = *scenes->options;
  options.progress = before == PERM_OK ? permi_scene_progress : NULL;
  options.user_data = scene;
  options.cancel = before == PERM_OK ? options.cancel : NULL;
  options.max_seconds = before == PERM_OK ? options.max_seconds : 0;
  options.threads = scenes->workspace ? 1 : options.threads;
  options.allocator = scenes->workspace ? scenes->workspace[scene->thread] : options.allocator;
  return permi_derive_call(scenes->matrix ? scenes->matrix[k] : NULL, &options, PERMI_CHANCES,
                           scenes->marginal ? scenes->marginal[k] : NULL,
                           scenes->unmatched ? scenes->unmatched[k] : NULL, before, &scenes->result[k]);
}

static perm_status permi_scene_run(void *context, uint64_t k, int thread)
{
  permi_scenes *scenes = (permi_scenes *)context;
  permi_scene scene = {scenes, (double)k, thread};
  const int done = scenes->result[k].status != PERM_ERROR_LIMIT && scenes->result[k].status != PERM_ERROR_MEMORY;
  const perm_status before = done || scenes->before != PERM_OK ? scenes->before : permi_scene_poll(&scene, 0);
  const perm_status status = done ? PERM_OK : permi_scene_call(&scene, (size_t)k, before);
  if (before == PERM_OK && (status == PERM_STOPPED_CANCELLED || status == PERM_STOPPED_TIME)) {
    const perm_status all = permi_scene_poll(&scene, 0);
    permi_scene_call(&scene, (size_t)k, all != PERM_OK ? all : status);
  }
  return PERM_OK;
}

static void *permi_scenes_allocate(size_t bytes, void *user_data)
{
  void *memory;
  PERMI_OMP(critical(permi_scenes))
  memory = permi_allocate((const perm_allocator *)user_data, bytes, 1);
  return memory;
}

static void permi_scenes_release(void *pointer, void *user_data)
{
  PERMI_OMP(critical(permi_scenes))
  permi_release((const perm_allocator *)user_data, pointer);
}

PERM_MORE_API perm_status perm_marginals_sparse_batch(size_t count, const perm_matrix *const *matrices,
                                                      const perm_options *options, double *const *marginal,
                                                      double *const *unmatched, perm_result *results)
{
  permi_scenes scenes;
  perm_allocator under = {NULL, NULL, NULL};
  permi_metered call;
  perm_status status = PERM_OK;
  size_t threads, made, k;
  if (!results && count)
    return PERM_ERROR_NULL;
  memset(&scenes, 0, sizeof scenes);
  scenes.matrix = matrices;
  scenes.options = permi_meter_begin(&call, options, 0);
  scenes.marginal = marginal;
  scenes.unmatched = unmatched;
  scenes.result = results;
  scenes.control = permi_control_begin(scenes.options);
  scenes.control.work_total = (double)count;
  threads = permi_bad_option(scenes.options) ? 0 : (size_t)permi_threads(scenes.options);
  threads = threads < count ? threads : count;
  if (threads && scenes.options->allocator.allocate) {
    under.allocate = permi_scenes_allocate;
    under.release = permi_scenes_release;
    under.user_data = (void *)&scenes.options->allocator;
  }
  for (k = 0; k < count; k++)
    results[k].status = PERM_ERROR_LIMIT;
  for (;; threads /= 2) { /* at last single calls */
    scenes.options = threads ? scenes.options : permi_options(options);
    scenes.workspace = threads ? (perm_allocator *)permi_allocate_zeros(&under, threads, sizeof under) : NULL;
    for (made = 0; scenes.workspace && made < threads && !perm_workspace_create(&under, &scenes.workspace[made]);)
      made++;
    scenes.before = made < threads ? PERM_ERROR_MEMORY : PERM_OK;
    permi_share(made < threads ? 1 : (int)threads, 0, count, permi_scene_run, &scenes, NULL);
    for (k = 0; k < made; k++)
      perm_workspace_free(&scenes.workspace[k]);
    permi_release(&under, scenes.workspace);
    for (k = 0; k < count && results[k].status != PERM_ERROR_LIMIT && results[k].status != PERM_ERROR_MEMORY;)
      k++;
    if (k == count || !call.meter || !threads)
      break;
  }
  for (k = 0; k < count && status == PERM_OK; k++)
    status = results[k].status;
  return (permi_meter_end(&call, PERM_OK, NULL), status);
}

/* ========================================================================================= >>outputs
   Ranks. Modes are rows from the last on, unseen ones (of outputs all as one) first, heralded ones behind: s_1 .. s_m,
   d_j = s_1 + .. + s_j. States go by (d_(m-1), .., d_1). With P_j(d) of modes 1 .. j, in limits, of under d photons,
       rank(s) = sum over j < m of P_j(d_j) - P_j(max(0, d_(j+1) - most_(j+1))). */

typedef struct permi_ranks {
  int modes, n;
  int open, loose;      /* modes without heralds, their photons, below 0: too few */
  int unseen;
  int *most, *row;      /* of mode j at j - 1; row -1: none */
  size_t *first, *turn; /* P_j(d) at j (n + 2) + d, j < modes; T_j(d) of >>amplitudes */
} permi_ranks;

static size_t permi_ranks_first(const permi_ranks *ranks, int level, int d)
{
  return ranks->first[(size_t)level * ((size_t)ranks->n + 2) + (size_t)(d > 0 ? d : 0)];
}

static size_t permi_ranks_states(const permi_ranks *ranks, int level, int d)
{
  return permi_ranks_first(ranks, level, d + 1) - permi_ranks_first(ranks, level, d);
}

/* Returns the most photons of row i, or those heralded, up to photons + 1. *side: 1: herald; -1: unseen; 0. */
static int permi_outputs_limit(const perm_outputs *outputs, int i, int photons, int *side)
{
  const int exactly = outputs && outputs->exactly ? outputs->exactly[i] : -1;
  *side = exactly >= 0 ? 1 : -(exactly == PERM_MODE_UNSEEN);
  const int *limit = !outputs ? NULL : *side > 0 ? outputs->exactly : outputs->most;
  return limit && limit[i] >= 0 && limit[i] <= photons ? limit[i] : photons + 1;
}

/* ints: 2 m + 4 zeros. all: also heralded ones, each unseen one. */
static void permi_ranks_modes(permi_ranks *ranks, int m, int photons, const perm_outputs *outputs, int all, int *ints)
{
  memset(ranks, 0, sizeof *ranks);
  ranks->most = ints;
  ranks->row = ints + m + 2;
  ranks->loose = photons;
  for (int side = -1; side < 2; side++)
    for (int i = m - 1; i >= 0; i--) {
      int of;
      const int most = permi_outputs_limit(outputs, i, photons, &of), j = side < 0 && !all ? 0 : ranks->modes;
      ranks->loose -= of > 0 && side > 0 && ranks->loose >= 0 ? most : 0;
      if (of != side || most == 0 || (of > 0 && !all))
        continue;
      ranks->row[j] = i;
      ranks->most[j] = ranks->most[j] + most > photons ? photons + 1 : ranks->most[j] + most;
      ranks->modes = j + 1;
      ranks->open += side < 1 && j == ranks->open;
      ranks->unseen = side < 0 ? j + 1 : ranks->unseen;
    }
  for (; ranks->modes < 1 + all; ranks->modes++)
    ranks->row[ranks->modes] = -1;
  ranks->n = all ? photons : ranks->loose;
}

/* Returns the number of states of n photons (SIZE_MAX: too many), counts none that none completes. turn given: of up
   to n photons in modes 1 .. modes - 1, `loose` where no herald is. */
static size_t permi_ranks_fill(permi_ranks *ranks)
{
  const int n = ranks->n;
  int low = ranks->turn ? 0 : n, j;
  if (ranks->loose < 0)
    return 0;
  for (j = 0; j < ranks->modes && !ranks->turn; j++)
    low -= ranks->most[j];
  for (int d = 0; d < n + 2; d++)
    ranks->first[d] = d > 0;
  for (j = 1; j < ranks->modes; j++) {
    const int full = ranks->most[j - 1], high = j <= ranks->open ? ranks->loose : n;
    const size_t row = (size_t)j * ((size_t)n + 2);
    size_t total = 0;
    low += ranks->turn ? 0 : full;
    for (int d = 0; d < n + 2; d++) {
      const size_t gone = d <= n ? permi_ranks_first(ranks, j - 1, d - full) : 0;
      ranks->first[row + (size_t)d] = total;
      if (d > 0 && d <= n && ranks->turn)
        ranks->turn[row + (size_t)d] = permi_ranks_states(ranks, j, d - 1) - gone +
                                       permi_ranks_first(ranks, j - 1, d - 1 - full);
      if (d < low || d > high)
        continue;
      if (permi_ranks_first(ranks, j - 1, d + 1) - gone > SIZE_MAX - 1 - total)
        return SIZE_MAX;
      total += permi_ranks_first(ranks, j - 1, d + 1) - gone;
    }
  }
  return permi_ranks_first(ranks, j - 1, n + 1) -
         (ranks->turn ? 0 : permi_ranks_first(ranks, j - 1, n - ranks->most[j - 1]));
}

/* Sets state to that of *index, or *index to that of `given`, or to their number. */
static perm_status permi_outputs_rank(int m, int photons, const perm_outputs *outputs, size_t *index, const int *given,
                                      int *state)
{
  const perm_allocator *allocator = &permi_options(NULL)->allocator;
  size_t left = *index;
  permi_ranks ranks;
  int side, unseen = 0;
  if (m < 0 || m > PERM_MAX_LINES || photons < 0 || photons > PERM_MAX_LINES)
    return PERM_ERROR_SIZE;
  int *ints = (int *)permi_allocate_zeros(allocator, (size_t)m + 2, sizeof(size_t) * ((size_t)photons + 3));
  if (!ints)
    return PERM_ERROR_MEMORY;
  permi_ranks_modes(&ranks, m, photons, outputs, 0, ints);
  ranks.first = (size_t *)(void *)(ints + 2 * m + 4);
  *index = permi_ranks_fill(&ranks);
  for (int j = 0; j < m && (given || state); j++) {
    const int most = permi_outputs_limit(outputs, j, photons, &side);
    if (state)
      state[j] = side > 0 ? most : 0;
    else if (side < 0)
      unseen += given[j];
    else if (given[j] > most || (side > 0 && given[j] < most))
      *index = 0;
  }
  if (unseen > (ranks.unseen ? ranks.most[0] : 0))
    *index = 0;
  const perm_status status = *index == SIZE_MAX                      ? PERM_ERROR_OVERFLOW
                             : (given || state) && left >= *index ? PERM_ERROR_RANGE : PERM_OK;
  *index = given || status ? 0 : *index;
  for (int j = 1, d = unseen; given && j < ranks.modes && status == PERM_OK; j++) {
    d += ranks.unseen >= j ? 0 : given[ranks.row[j - 1]];
    *index += permi_ranks_first(&ranks, j, d) - permi_ranks_first(&ranks, j, d + given[ranks.row[j]] - ranks.most[j]);
  }
  for (int j = ranks.modes - 1, from = ranks.n; state && j >= 0 && ranks.row[j] >= 0 && status == PERM_OK; j--) {
    int d = j && from > ranks.most[j] ? from - ranks.most[j] : 0;
    for (left += permi_ranks_first(&ranks, j, d); j && permi_ranks_first(&ranks, j, d + 1) <= left;)
      d++;
    left -= permi_ranks_first(&ranks, j, d);
    state[ranks.row[j]] = from - d;
    from = d;
  }
  permi_release(allocator, ints);
  return status;
}

PERM_MORE_API perm_status perm_amplitudes_count(int m, int photons, const perm_outputs *outputs, size_t *count)
{
  if (!count)
    return PERM_ERROR_NULL;
  *count = 0;
  return permi_outputs_rank(m, photons, outputs, count, NULL, NULL);
}

PERM_MORE_API perm_status perm_amplitudes_index(int m, const int *state, const perm_outputs *outputs, size_t *index)
{
  int photons = 0, none = 0;
  if (!index || (m > 0 && !state))
    return PERM_ERROR_NULL;
  *index = 0;
  for (int i = 0; i < m && i < PERM_MAX_LINES; i++) {
    if (state[i] < 0 || state[i] > PERM_MAX_LINES - photons)
      return state[i] < 0 ? PERM_ERROR_COUNTS : PERM_ERROR_SIZE;
    photons += state[i];
  }
  return permi_outputs_rank(m, photons, outputs, index, state ? state : &none, NULL);
}

PERM_MORE_API perm_status perm_amplitudes_state(int m, int photons, const perm_outputs *outputs, size_t index,
                                                int *state)
{
  int none;
  return m > 0 && !state ? PERM_ERROR_NULL
                         : permi_outputs_rank(m, photons, outputs, &index, NULL, state ? state : &none);
}

/* ====================================================================================== >>amplitudes
   All amplitudes per(U[s, t]) / sqrt(prod s! prod t!), by the recursion of SLOS [HMSV23] over photons k = 1 .. n:
       A_k(s) = sum over j of u_jc sqrt(s_j / r) A_(k-1)(s - e_j),  the k-th in column c, its r-th there.
   1. Places are ranks (>>outputs) of s_1 .. s_(m-1), whatever k. Mode m's source is the same place, others are at
   d_(m-1) less 1: in place, d_(m-1) going down; states of one d_(m-1) are independent.
   2. Blocks of one s_(g+1) .. s_(m-1) and d_g are contiguous. A photon of mode i > g comes from a block as long, below
   by the sum over i <= j < m of T_j(d_j), T_j(d) = P_j(d) - P_j(d - 1) less that of P_(j-1)(max(0, d - most_j)); of
   others by a table for each d_g.
   3. Outputs are the last layer's places from one on; with heralds a block; of unseen rows sums of blocks.
   4. Next is the photon of the column with the largest share left: errors hardly grow (>>amplitudes_bound).
   Parts of a layer, and so sums, are the same for any threads. */

#define PERMI_AMPLITUDES_PART 8192         /* states */
#define PERMI_AMPLITUDES_CALL 131072       /* outputs handed out together, and a block */
#define PERMI_AMPLITUDES_TABLE 131072.0    /* sources within blocks */
#define PERMI_AMPLITUDES_BLOCK 40          /* states, where photons lie evenly */
#define PERMI_AMPLITUDES_RANGE 400.0       /* log2 of amplitudes that need no exponent */
#define PERMI_AMPLITUDES_TERM_SECONDS 1e-9 /* AVX-512, 2026; plain C: twice */

typedef struct permi_amplitudes permi_amplitudes;
typedef struct permi_amplitude_walk { /* of a thread */
  const permi_amplitudes *of;
  permi_amplitude_source *source;
  double *room;
  permi_amplitude_block *table; /* to be filled, or NULL */
  int sources, inner;
  size_t low, high, end; /* blocks that begin in between; of outputs */
  double norm;
} permi_amplitude_walk;

struct permi_amplitudes {
  permi_ranks ranks;
  int n, modes, inner, columns, threads;   /* inner: g */
  int *column, *times, *used, *order;      /* order: the k-th's column */
  int *seen;                               /* the next output's d_j */
  int layer, top[2];                       /* top: d_(m-1) of parts */
  int elsewhere, pieces, on_gpu, exp2;     /* the last layer does not go to `work`; nor to `given` */
  perm_outputs asked;                      /* zeros: NULL */
  double *u, *unit, *root;                 /* [mode][column][2], units of 2^exp2; the layer's; of 0 .. n */
  double scale;                            /* log2 of a layer's, or 0 */
  size_t offset, count, from, to, shown;   /* the first output's place; outputs; places of parts; out[0]'s output */
  double *work, *out, *given, *norm, total; /* given: to the call; norm: of parts; total: of |A|^2 */
  size_t handed, left;                     /* outputs; states that the next one's sum lacks */
  permi_dd sum;
  permi_amplitude_block *table;            /* by d_g */
  uint16_t (*photon)[2];                   /* of tables: mode, photons */
  size_t entries, longest;                 /* of all tables; of a block */
  permi_amplitude_walk *walk;
  void (*kernel)(const permi_amplitude_block *block);
  permi_control *watch;
  double each, done, places; /* seconds of a state, of what is done; of all layers */
};

/* Computes a block, or fills a table's state. */
static void permi_amplitudes_leaf(permi_amplitude_walk *walk, int d, size_t place, size_t shift)
{
  const permi_amplitudes *p = walk->of;
  permi_amplitude_block block = walk->table ? *walk->table : p->table[d];
  const size_t out = place - p->offset;
  const int last = p->layer == p->n;
  double sum[4] = {0, 0, 0, 0};
  for (int k = 0; k < walk->sources && walk->table; k++) {
    const size_t at = 2 * (place / 2 * (size_t)block.width + (size_t)k) + place % 2;
    uint16_t *photon = p->photon[(size_t)(block.at - p->table->at) + at];
    block.at[at] = (int32_t)((ptrdiff_t)place + block.lower - walk->source[k].below);
    photon[0] = (uint16_t)walk->source[k].mode;
    photon[1] = (uint16_t)walk->source[k].photons;
  }
  if (walk->table)
    return;
  block.from = p->work;
  block.place = (ptrdiff_t)place;
  block.lower = (ptrdiff_t)(place - shift) - block.lower;
  block.source = walk->source;
  block.sources = walk->sources;
  block.room = walk->room;
  block.to = !last ? p->work + 2 * place : p->asked.probabilities ? walk->room : p->out + 2 * (out - p->shown);
  p->kernel(&block);
  for (int k = 0; k < block.states && last; k++) {
    const double square = block.to[2 * k] * block.to[2 * k] + block.to[2 * k + 1] * block.to[2 * k + 1];
    sum[k & 3] += square;
    if (p->asked.probabilities)
      p->out[out - p->shown + (size_t)k] = square;
  }
  walk->norm += (sum[0] + sum[1]) + (sum[2] + sum[3]);
  if (last && out + (size_t)block.states > walk->end)
    walk->end = out + (size_t)block.states;
}

/* d photons are in modes 1 .. top. place: the first; shift: the sum of T_j over j >= top. */
static void permi_amplitudes_walk(permi_amplitude_walk *walk, int top, int d, size_t place, size_t shift)
{
  const permi_amplitudes *p = walk->of;
  const size_t levels = (size_t)p->n + 2, states = permi_ranks_states(&p->ranks, top, d);
  permi_amplitude_source *source = walk->source + walk->sources++;
  for (int i = place < walk->high && place + states > walk->low ? top : 0;
       i > walk->inner && d > 0 && permi_ranks_states(&p->ranks, i, d); i--) {
    const int full = p->ranks.most[i - 1]; /* i: the highest with photons */
    const size_t row = (size_t)(i - 1) * levels + (size_t)d, *ranks = p->ranks.first + row, *turn = p->ranks.turn + row;
    place -= d > full ? ranks[-full] : 0;
    source->below = (ptrdiff_t)shift;
    source->mode = i - 1;
    for (int s = 1; s <= d && s <= full; s++) {
      source->photons = s;
      source->c[0] = p->unit[2 * i - 2] * p->root[s];
      source->c[1] = p->unit[2 * i - 1] * p->root[s];
      permi_amplitudes_walk(walk, i - 1, d - s, place + ranks[-s], shift + turn[-s]);
    }
    place += ranks[0];
    shift += turn[0];
  }
  walk->sources--;
  if (place >= walk->low && place < walk->high && permi_ranks_states(&p->ranks, walk->inner, d))
    permi_amplitudes_leaf(walk, d, place, shift);
}

static perm_status permi_amplitudes_part(void *context, uint64_t part, int thread)
{
  permi_amplitudes *p = (permi_amplitudes *)context;
  permi_amplitude_walk *walk = &p->walk[thread];
  const int last = p->modes - 1;
  walk->low = p->from + (size_t)part * PERMI_AMPLITUDES_PART;
  walk->high = p->to - walk->low > PERMI_AMPLITUDES_PART ? walk->low + PERMI_AMPLITUDES_PART : p->to;
  walk->norm = 0;
  for (int d = p->top[0]; d <= p->top[1]; d++) {
    const int s = p->layer - d;
    walk->sources = s > 0;
    walk->source->below = 0;
    walk->source->c[0] = p->unit[2 * last] * p->root[s];
    walk->source->c[1] = p->unit[2 * last + 1] * p->root[s];
    permi_amplitudes_walk(walk, last, d, permi_ranks_first(&p->ranks, last, d),
                          p->ranks.turn[(size_t)last * ((size_t)p->n + 2) + (size_t)d]);
  }
  p->norm[part] = walk->norm;
  if (thread)
    return PERM_OK;
  p->watch->done = p->done + (double)part * PERMI_AMPLITUDES_PART * p->each;
  return permi_watch(p->watch, PERMI_AMPLITUDES_PART * 1e9 * p->each) ? p->watch->stopped : PERM_OK;
}

static perm_status permi_amplitudes_share(permi_amplitudes *p, size_t from, size_t to, int low, int high)
{
  const uint64_t parts = (to - from) / PERMI_AMPLITUDES_PART + ((to - from) % PERMI_AMPLITUDES_PART > 0);
  const double seconds = (double)(to - from) * p->each;
  p->from = from;
  p->to = to;
  p->top[0] = low;
  p->top[1] = high;
  const int threads = seconds < PERMI_SHARE_SECONDS ? 1 : p->threads;
  const perm_status status = permi_share(threads, 0, parts, permi_amplitudes_part, p, NULL);
  p->done += seconds;
  for (uint64_t k = 0; k < parts && status == PERM_OK; k++)
    p->total += p->norm[k];
  return status;
}

/* Sets the layer's column and tables. */
static void permi_amplitudes_layer(permi_amplitudes *p)
{
  const int column = p->order[p->layer - 1];
  const double exp2 = floor(p->layer * p->scale + 0.5) - floor((p->layer - 1) * p->scale + 0.5);
  const double root = sqrt((double)++p->used[column]);
  const size_t entries = p->layer < p->n ? (size_t)(p->table[p->layer + 1].at - p->table->at) : p->entries;
  for (int j = 0; j < 2 * p->modes; j++)
    p->unit[j] = ldexp(p->u[2 * ((size_t)(j / 2) * (size_t)p->columns + (size_t)column) + (size_t)(j & 1)],
                       p->exp2 - (int)exp2) / root;
  for (size_t k = 0; k < entries; k++) {
    const double *unit = p->unit + 2 * p->photon[k][0], size = p->root[p->photon[k][1]];
    double *c = p->table->c + 8 * (k / 2) + 2 * (k % 2);
    c[0] = c[1] = size * unit[0];
    c[4] = c[5] = size * unit[1];
  }
}

/* Returns how many sums are complete; they take the place of states. */
static size_t permi_amplitudes_add(permi_amplitudes *p, size_t states)
{
  const permi_ranks *ranks = &p->ranks;
  const int unseen = ranks->unseen, open = ranks->open;
  size_t count = 0;
  for (size_t k = 0; k < states; count += !p->left) {
    permi_dd sum = {0, 0};
    int *d = p->seen, j = p->handed + count ? unseen : open;
    if (!p->left) {
      d[open] = ranks->loose;
      while (j < open && (d[j] == d[j + 1] || !permi_ranks_states(ranks, j, d[j] + 1)))
        j++;
      for (d[j] += j < open; j > unseen; j--)
        d[j - 1] = d[j] > ranks->most[j - 1] ? d[j] - ranks->most[j - 1] : 0;
      p->left = unseen < open ? permi_ranks_states(ranks, unseen, d[unseen]) : p->count;
      p->sum = sum;
    }
    for (; k < states && p->left; p->left--) {
      const permi_dd next = permi_two_sum(sum.hi, p->out[k++]);
      sum.hi = next.hi;
      sum.lo += next.lo;
    }
    p->sum = permi_dd_add(p->sum, sum);
    p->out[count] = p->sum.hi + p->sum.lo;
  }
  return count;
}

/* Hands out p->out. */
static perm_status permi_amplitudes_hand(permi_amplitudes *p, size_t states)
{
  const size_t count = p->ranks.unseen ? permi_amplitudes_add(p, states) : states;
  if (!p->asked.block)
    memcpy(p->given + p->handed, p->out, count * (p->asked.probabilities ? 1 : 2) * sizeof *p->out);
  else if (count && p->asked.block(p->asked.user_data, p->handed, count, p->out))
    p->watch->stopped = PERM_STOPPED_CANCELLED;
  p->handed += count;
  if (p->asked.block) /* which may take long */
    permi_watch(p->watch, PERMI_WATCH_UNITS);
  return p->watch->stopped;
}

static perm_status permi_amplitudes_run(permi_amplitudes *p)
{
  const int last = p->modes - 1, n = p->n;
  const size_t end = p->offset + p->count, step = p->pieces ? PERMI_AMPLITUDES_CALL : p->count;
  perm_status status = PERM_OK;
  for (p->layer = 1; p->layer < n + !p->elsewhere && status == PERM_OK; p->layer++) {
    permi_amplitudes_layer(p);
    for (int d = p->layer; d >= 0 && p->layer - d <= p->ranks.most[last] && status == PERM_OK; d--)
      status = permi_amplitudes_share(p, permi_ranks_first(&p->ranks, last, d),
                                      permi_ranks_first(&p->ranks, last, d + 1), d, d);
  }
  if (status != PERM_OK || !p->elsewhere)
    return status;
  permi_amplitudes_layer(p);
  for (size_t at = p->offset; at < end && status == PERM_OK; at += step) {
    size_t next = p->shown;
    status = permi_amplitudes_share(p, at, end - at > step ? at + step : end, 0, n);
    for (int k = 0; k < p->threads; k++)
      next = p->walk[k].end > next ? p->walk[k].end : next;
    if (status == PERM_OK && p->pieces)
      status = permi_amplitudes_hand(p, next - p->shown);
    p->shown = next;
  }
  return status;
}

/* ================================================================================ >>amplitudes_bound */

/* Sets p->u; returns log2 of a bound on ||U||_2, -INFINITY for zeros. room: 4 K^2 doubles, K the lesser side. With G
   = U U* or U* U: ||U||^2q = ||G^q|| <= the largest row sum of moduli, q = 1, 2, 4, .. 64. An entry of G is off by at
   most gamma of 2 L + 8 times its norm, L the sum's length, the norm by K times that; squares count half. */
static double permi_amplitudes_norm(permi_amplitudes *p, const permi_view *view, double *room)
{
  const int across = p->columns < p->modes, size = across ? p->columns : p->modes;
  const size_t square = 2 * (size_t)size * (size_t)size;
  int length = across ? p->modes : p->columns, line = across ? 2 : 2 * p->columns, step = across ? 2 * p->columns : 2;
  const double slack = 3.0 * size * (2.0 * (size > length ? size : length) + 8) * PERMI_UNIT;
  double *from = p->u, *to = room, best = (double)INFINITY, exp2 = 0, power = 2, largest = 0, sums = 0;
  int e = INT_MIN;
  for (int i = 0; i < p->modes * 2 * p->columns; i++) {
    const int row = p->ranks.row[i / 2 / p->columns];
    p->u[i] = row < 0 ? 0 : permi_at(view, row, p->column[i / 2 % p->columns], i & 1);
    e = p->u[i] != 0 && permi_exponent(p->u[i]) > e ? permi_exponent(p->u[i]) : e;
  }
  if (e == INT_MIN)
    return -(double)INFINITY;
  p->exp2 = e;
  for (int i = 0; i < p->modes * 2 * p->columns; i++)
    p->u[i] = ldexp(p->u[i], -e);
  const int rounds = size > 200 ? 1 : 7;
  for (int round = 0; round < rounds && (round != 1 || sums > largest * (1 + 1e-9)); round++, power *= 2) {
    sums = 0;
    for (int i = 0; i < size; i++) {
      double sum = 0;
      for (int j = 0; j < size; j++) {
        const double *x = from + i * line, *y = from + j * line;
        double re = 0, im = 0;
        for (int k = 0; k < length; k++, x += step, y += step) {
          re += x[0] * y[0] + x[1] * y[1];
          im += x[1] * y[0] - x[0] * y[1];
        }
        to[2 * (i * size + j)] = re;
        to[2 * (i * size + j) + 1] = im;
        sum += sqrt(re * re + im * im);
        largest = round == 0 && re > largest ? re : largest;
      }
      sums = fmax(sums, sum);
    }
    best = fmin(best, (log2(sums) + exp2) / power);
    const int k = permi_exponent(sums);
    exp2 = 2 * (exp2 + k);
    for (int i = 0; i < (int)square; i++)
      to[i] = ldexp(to[i], -k);
    from = to;
    to = to == room ? room + square : room;
    length = size;
    line = 2 * size;
    step = 2;
  }
  return e + best + slack;
}

/* THE BOUND (docs/proofs-rounding.md, tests/proofs/amplitudes.g): of ||computed - exact||_2, U with norm 2^norm, in
   units of the result. Layer k, of its column's j-th photon, is off by at most 2^(1/2) gamma_(nu + 6) (k / j)^(1/2) of
   the norm before, 1 and its error, nu = min(k, m); q_c photons to come, of t_c, enlarge that by alpha_k at most:
   alpha_k^2 = max over r >= 0, sum r_c <= k, of the product of C(r_c + q_c, q_c) / C(t_c, q_c), by largest steps.
   Underflow is below 2^-1022 a layer. A last unit is for squares and their sums. */
static double permi_amplitudes_bound(const permi_amplitudes *p, double norm, double *room, int *reached)
{
  const int n = p->n, columns = p->columns;
  const double size = exp2(n * norm - floor(n * p->scale + 0.5)), tiny = DBL_MIN * fmax(p->scale != 0 ? 2 : size, 1);
  double *log_factorial = room, *before = room + 2 * n + 1, total = 2 * PERMI_UNIT * size;
  int *left = reached + columns, *taken = left + columns;
  for (int k = 0; k <= 2 * n; k++)
    log_factorial[k] = permi_log2_factorial(k);
  for (int c = 0; c < columns; c++)
    left[c] = p->times[c];
  for (int k = 1; k <= n; k++) {
    const int copy = p->times[p->order[k - 1]] - --left[p->order[k - 1]];
    const double nu = k < p->modes ? k : p->modes;
    const double local = 1.4142136 * (nu + 6) * PERMI_UNIT * (1 + 1e-6) * sqrt((double)k / copy) * (1 + before[k - 1]);
    double grows = 0, square = 1;
    int rest = k < n ? k : 0;
    for (int c = 0; c < columns; c++) {
      const int q = left[c], r = k < n ? (int)((int64_t)q * k / (n - k)) : 0;
      reached[c] = r;
      rest -= r;
      taken[c] = p->times[c] - q;
      grows += log_factorial[r + q] - log_factorial[r] - log_factorial[p->times[c]] + log_factorial[taken[c]];
    }
    for (int tries = 0, best = 0, one; rest > 0; rest -= one) {
      double most = 0;
      for (int c = 0; c < columns; c++)
        if ((double)left[c] / (reached[c] + 1) > most) {
          most = (double)left[c] / (reached[c] + 1);
          best = c;
        }
      one = tries++ < 64 ? 1 : rest;
      reached[best]++;
      grows += one * log2(1 + most);
    }
    total += exp2(grows / 2) * (local * size + tiny);
    before[k] += local;
    for (int later = k; later < n; later++) {
      const int next = p->order[later], copies = taken[next]++;
      square *= (later + 1.0) / (later + 1 - k) * (copies + 1 - p->times[next] + left[next]) / (copies + 1);
      before[later + 1] += sqrt(square) * local;
    }
  }
  return norm > -(double)INFINITY ? total * (1 + 1e-6) : 0;
}

/* ================================================================================ >>amplitudes_calls */

/* Orders photons; returns 0 without memory. */
static int permi_amplitudes_order(permi_amplitudes *p, int columns, const int *counts, permi_pool *pool)
{
  const size_t room = (size_t)columns + 1;
  p->column = (int *)permi_pool_zeros(pool, 3 * room + (size_t)p->n, sizeof(int));
  if (!p->column)
    return 0;
  p->times = p->column + room;
  p->used = p->times + room;
  p->order = p->used + room;
  for (int j = 0; j < columns; j++)
    if (!counts || counts[j]) {
      p->column[p->columns] = j;
      p->times[p->columns++] = counts ? counts[j] : 1;
    }
  for (int k = 0; k < p->n; p->used[p->order[k++]]++)
    for (int j = 1; j < p->columns; j++) {
      const int best = p->order[k];
      if ((double)(p->times[j] - p->used[j]) / (p->used[j] + 1) >
          (double)(p->times[best] - p->used[best]) / (p->used[best] + 1))
        p->order[k] = j;
    }
  memset(p->used, 0, room * sizeof *p->used);
  return 1;
}

#if defined(PERM_WITH_CUDA)
PERMI_DEVICE int permi_amplitudes_gpu_takes(permi_amplitudes *p, const perm_options *options);
PERMI_DEVICE perm_status permi_amplitudes_gpu_run(permi_amplitudes *p, perm_result *result);
#else
#define permi_amplitudes_gpu_takes(p, options) permi_gpu_missed(options, PERMI_GPU_LEAST_N, (p)->places * (p)->each)
#define permi_amplitudes_gpu_run(p, result) permi_gpu_absent(result)
#endif

/* Chooses g, and predicts. */
static void permi_amplitudes_plan(permi_amplitudes *p, const perm_options *options)
{
  const perm_isa isa = permi_isa(options);
  const permi_ranks *ranks = &p->ranks;
  const int last = p->modes - 1, most = ranks->open < 1 ? 1 : ranks->open < last ? ranks->open : last;
  const size_t all = permi_ranks_first(ranks, last, p->n + 1);
  size_t even = 0;
  p->kernel = PERMI_OF_X86(permi_amplitude_block, isa);
  p->each = PERMI_AMPLITUDES_TERM_SECONDS * (1 + (double)p->n * p->modes / (p->n + p->modes)) *
            (permi_lanes(isa) >= 4 ? 1 : 2);
  for (int d = 1; d <= p->n; d++)
    p->places += (double)permi_ranks_first(ranks, last, d + 1);
  p->on_gpu = permi_amplitudes_gpu_takes(p, options);
  for (int g = 1; g <= (p->on_gpu ? 1 : most) && even < PERMI_AMPLITUDES_BLOCK; g++) {
    double entries = 0;
    for (int d = 0; d <= p->n; d++)
      entries += (double)((permi_ranks_states(ranks, g, d) + 1) / 2 * 2) * (d < g ? d : g);
    if (g > 1 && entries > fmax(PERMI_AMPLITUDES_TABLE, 2.0 * (double)all))
      break;
    p->inner = g;
    p->entries = (size_t)entries;
    even = permi_ranks_states(ranks, g, (int)((double)p->n * g / p->modes));
  }
  p->each += p->on_gpu ? 0 : 3e-8 / (double)(even + 1);
  p->watch->work_total = p->places * p->each;
  for (int d = 0; d <= p->n; d++) {
    const size_t states = permi_ranks_states(ranks, p->inner, d);
    p->longest = states > p->longest ? states : p->longest;
  }
}

/* Takes memory, the largest last. */
static void permi_amplitudes_room(permi_amplitudes *p, double *out, permi_pool *pool)
{
  const size_t modes = (size_t)p->modes, n = (size_t)p->n;
  const int g = p->inner, full = p->ranks.most[g - 1];
  const size_t states = p->elsewhere ? permi_ranks_first(&p->ranks, p->modes - 1, p->n) : p->count;
  const double one[2] = {1, 0};
  size_t at = 0;
  int32_t *place = (int32_t *)permi_pool_zeros(pool, p->entries + 1, sizeof *place);
  double *c = (double *)permi_pool_get(pool, p->entries + 1, 4 * sizeof *c);
  p->photon = (uint16_t (*)[2])permi_pool_zeros(pool, p->entries + 1, sizeof *p->photon);
  p->u = (double *)permi_pool_get(pool, modes * (size_t)p->columns, 2 * sizeof(double));
  p->unit = (double *)permi_pool_zeros(pool, 2 * modes + n + 1, sizeof(double));
  p->walk = (permi_amplitude_walk *)permi_pool_zeros(pool, (size_t)p->threads, sizeof *p->walk);
  p->table = (permi_amplitude_block *)permi_pool_zeros(pool, n + 1, sizeof *p->table);
  for (int k = 0; k < p->threads && !pool->failed; k++) {
    p->walk[k].of = p;
    p->walk[k].inner = g;
    p->walk[k].source = (permi_amplitude_source *)permi_pool_get(pool, n + 2, sizeof(permi_amplitude_source));
    p->walk[k].room = (double *)permi_pool_get(pool, p->longest + 4, 2 * sizeof(double));
  }
  p->norm = (double *)permi_pool_get(pool, (states > p->count ? states : p->count) / PERMI_AMPLITUDES_PART + 2,
                                     sizeof(double));
  p->work = p->out = p->given = out;
  if (p->pieces)
    p->out = (double *)permi_pool_get(pool, PERMI_AMPLITUDES_CALL + p->longest,
                                      (p->asked.probabilities ? 1 : 2) * sizeof(double));
  if (p->elsewhere && !p->on_gpu)
    p->work = (double *)permi_pool_get(pool, states + 1, 2 * sizeof(double));
  if (pool->failed)
    return;
  if (!p->on_gpu)
    memcpy(p->work, one, sizeof one);
  p->root = p->unit + 2 * modes;
  for (int d = 0; d <= p->n; d++) {
    permi_amplitude_block *table = &p->table[d];
    permi_amplitude_walk fill = p->walk[0];
    p->root[d] = sqrt((double)d);
    table->states = (int)permi_ranks_states(&p->ranks, g, d);
    table->width = d < g ? d : g;
    table->lower = d > 0 ? (ptrdiff_t)(permi_ranks_first(&p->ranks, g - 1, d - full) -
                                       permi_ranks_first(&p->ranks, g - 1, d - 1 - full)) : 0;
    table->at = place + at;
    table->c = c + 4 * at;
    at += ((size_t)table->states + 1) / 2 * 2 * (size_t)table->width;
    fill.table = table;
    fill.inner = 0;
    fill.high = SIZE_MAX;
    permi_amplitudes_walk(&fill, g, d, 0, 0);
  }
}

/* Checks; makes ranks. */
static perm_status permi_amplitudes_begin(permi_amplitudes *p, const permi_problem *problem, const double *out,
                                          permi_pool *pool, perm_result *result)
{
  const perm_options *options = p->watch->options;
  permi_ranks *ranks = &p->ranks;
  permi_problem bare = *problem;
  bare.column_count = NULL; /* is another argument here */
  perm_status status = permi_check_whole(options, 7, result);
  if (status == PERM_OK && ((options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_SUBSETS) ||
                            options->precision != PERM_PRECISION_DEFAULT))
    return permi_fail(result, PERM_ERROR_OPTION, 7, "options: amplitudes have methods auto and subsets, and precision "
                                                    "default");
  if (status == PERM_OK)
    status = permi_check_problem(&bare, 0, result);
  if (status == PERM_OK)
    status = permi_check_counts(problem->column_count, problem->n, 5, "column", &p->n, result);
  if (status != PERM_OK)
    return status;
  const size_t levels = (size_t)p->n + 2;
  int *ints = (int *)permi_pool_zeros(pool, 3 * (size_t)problem->m + 6, sizeof *ints);
  if (!ints || !permi_amplitudes_order(p, problem->n, problem->column_count, pool))
    return PERM_ERROR_MEMORY;
  permi_ranks_modes(ranks, problem->m, p->n, &p->asked, 1, ints);
  p->modes = ranks->modes;
  ranks->first = (size_t *)permi_pool_zeros(pool, 2 * (size_t)ranks->modes, levels * sizeof(size_t));
  if (!ranks->first)
    return PERM_ERROR_MEMORY;
  ranks->turn = ranks->first + (size_t)ranks->modes * levels;
  const size_t states = permi_ranks_fill(ranks);
  if (states > PTRDIFF_MAX / 64)
    return permi_fail(result, PERM_ERROR_LIMIT, 6, "outputs: there are too many, or states before the last photon: "
                                                   "limit the photons of rows (most)");
  p->offset = permi_ranks_first(ranks, p->modes - 1, p->n - ranks->most[p->modes - 1]);
  p->count = ranks->open < p->modes ? permi_ranks_states(ranks, ranks->open, ranks->loose) : states - p->offset;
  p->elsewhere = p->asked.probabilities || p->asked.block || p->count != states;
  p->pieces = ranks->unseen || p->asked.block;
  p->seen = ints + 2 * problem->m + 4;
  if (p->count && !out && !p->asked.block)
    return permi_fail(result, PERM_ERROR_NULL, 8, "out is NULL");
  if (p->asked.on_gpu && (p->pieces || !p->n || !options->gpu.devices))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 6, "outputs: on_gpu takes photons, options.gpu.devices, no block "
                                                         "and no row that is unseen");
  if (ranks->unseen && !p->asked.probabilities)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 6, "outputs: an unseen row has probabilities, no amplitudes");
  return PERM_OK;
}

PERMI_NEVER_INLINE static perm_status permi_amplitudes_solve(permi_amplitudes *p, const permi_problem *problem,
                                                             double *out, permi_pool *pool, perm_result *result)
{
  const perm_options *options = p->watch->options;
  const permi_view view = permi_view_make(problem->real, problem->ld, 2);
  double norm = 0, one[2] = {1, 0};
  perm_status status = permi_amplitudes_begin(p, problem, out, pool, result);
  if (status == PERM_OK && p->count && p->n == 0) {
    p->total = 1;
    p->out = one;
    p->given = out;
    status = permi_amplitudes_hand(p, 1);
  } else if (status == PERM_OK && p->count) {
    const size_t side = (size_t)(p->columns < p->modes ? p->columns : p->modes), spare = 4 * side * side;
    permi_amplitudes_plan(p, options);
    if (p->asked.on_gpu && !p->on_gpu)
      return permi_fail(result, PERM_ERROR_DEVICE, 6, "outputs: on_gpu, but there is no GPU");
    double *room = (double *)permi_pool_zeros(pool, spare + 3 * ((size_t)p->n + 2), sizeof *room);
    int *reached = (int *)permi_pool_get(pool, 3 * (size_t)p->columns, sizeof *reached);
    permi_amplitudes_room(p, out, pool);
    if (pool->failed)
      return PERM_ERROR_MEMORY;
    const double size = permi_amplitudes_norm(p, &view, room);
    p->scale = size > -(double)INFINITY && fabs(p->n * size) > PERMI_AMPLITUDES_RANGE ? size : 0;
    norm = permi_amplitudes_bound(p, size, room + spare, reached);
    status = p->on_gpu ? permi_amplitudes_gpu_run(p, result) : permi_amplitudes_run(p);
  }
  if (status != PERM_OK || p->watch->stopped != PERM_OK)
    return status;
  result->exp2 = (long long)floor(p->n * p->scale + 0.5);
  result->error_bound = result->error_estimate = norm;
  result->terms = p->n ? floor(p->done / p->each + 0.5) : 1;
  result->method = PERM_METHOD_SUBSETS;
  result->isa = p->on_gpu ? PERM_ISA_CUDA : permi_lanes(permi_isa(options)) >= 4 ? permi_isa(options) : PERM_ISA_PLAIN;
  result->gpus = p->on_gpu;
  result->threads = p->threads;
  result->is_complex = 1;
  result->seconds = permi_seconds() - p->watch->start;
  result->value = sqrt(p->total); /* what the tolerance is relative to */
  status = permi_judge(options, result);
  result->value = p->total;
  return status;
}

PERM_MORE_API perm_status perm_amplitudes_complex(int m, int columns, const double *a, ptrdiff_t ld,
                                                  const int *column_counts, const perm_outputs *outputs,
                                                  const perm_options *options_given, double *out, perm_result *result)
{
  const permi_problem problem = {m, columns, 2, a, NULL, ld, NULL, column_counts, NULL};
  permi_amplitudes plan;
  permi_metered call;
  perm_result unused;
  const perm_options *options = permi_meter_begin(&call, options_given, 16.0 * fmax(m, 0) * fmax(columns, 0));
  permi_control watch = permi_control_begin(options);
  permi_pool pool = {&options->allocator, NULL, 0};
  result = result ? result : &unused;
  permi_result_clear(result);
  memset(&plan, 0, sizeof plan);
  plan.watch = &watch;
  plan.threads = permi_threads(options);
  if (outputs)
    plan.asked = *outputs;
  plan.asked.on_gpu |= options->gpu.resident >> 1;
  watch.activity = "adding photons";
  perm_status status = permi_amplitudes_solve(&plan, &problem, out, &pool, result);
  permi_pool_release(&pool);
  if (status == PERM_ERROR_MEMORY)
    permi_fail_memory(result);
  else if (watch.stopped != PERM_OK)
    status = permi_fail_stopped(&watch, result);
  result->status = permi_meter_end(&call, status, result);
  return permi_kind(result->status, 2, options_given, result);
}

#if defined(PERM_WITH_CUDA)
#define PERMI_CUDA_HOST 3
#include PERM_CUDA_FILE
#undef PERMI_CUDA_HOST
#endif
PERMI_BRIEF_END

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif
#endif /* PERM_MORE_IMPLEMENTED */
#endif /* PERM_IMPLEMENTATION || PERM_MORE_IMPLEMENTATION */

#else /* PERMI_FAMILY */
PERMI_BRIEF_BEGIN

/* ================================================================================== >>proof_kernels
   The polynomial of >>polynomial; a vector is of consecutive points. */

#define PERMI_STRANDS 4
#define PERMI_GROUPS (PERMI_WIDTH == 8 ? 3 : PERMI_WIDTH == 1 ? 4 : 2) /* vectors at once, by four settings */

/* x[k] := 1 / x[k] for `count` vectors, as the power p - 2; power: as many. */
PERMI_TARGET static void PERMI_NAME(proof_invert)(PERMI_P p, double prime, double *x, double *power, int count)
{
  uint64_t e = (uint64_t)prime - 2;
  for (int k = 0; k < count * PERMI_WIDTH; k++)
    power[k] = 1;
  for (; e; e >>= 1)
    for (int k = 0; k < count * PERMI_WIDTH; k += PERMI_WIDTH) {
      const PERMI_V v = PERMI_LOAD(x + k);
      if (e & 1)
        PERMI_STORE(power + k, PERMI_NAME(prime_product)(PERMI_LOAD(power + k), v, p));
      PERMI_STORE(x + k, PERMI_NAME(prime_product)(v, v, p));
    }
  memcpy(x, power, (size_t)(count * PERMI_WIDTH) * sizeof *x);
}

/* inverse[k] := 1 / (least + k), or 1 for 1 / 0, k < size, a multiple of PERMI_STRANDS vectors, by one inversion for
   each lane of a strand. before: as many. */
PERMI_TARGET static void PERMI_NAME(proof_inverses)(const permi_polynomial *polynomial, PERMI_P p, int64_t least,
                                                    int size, double *inverse, double *before)
{
  PERMI_V strand[PERMI_STRANDS];
  double end[2][PERMI_STRANDS * PERMI_WIDTH] PERMI_ALIGN64;
  for (int k = 0; k < size; k++)
    inverse[k] = least + k == 0 ? 1 : (double)(least + k);
  PERMI_UNROLL
  for (int s = 0; s < PERMI_STRANDS; s++)
    strand[s] = PERMI_SET(1.0);
  for (int k = 0; k < size; k += PERMI_STRANDS * PERMI_WIDTH) {
    PERMI_UNROLL
    for (int s = 0; s < PERMI_STRANDS; s++) {
      PERMI_STORE(before + k + s * PERMI_WIDTH, strand[s]);
      strand[s] = PERMI_NAME(prime_product)(strand[s], PERMI_LOAD(inverse + k + s * PERMI_WIDTH), p);
    }
  }
  PERMI_UNROLL
  for (int s = 0; s < PERMI_STRANDS; s++)
    PERMI_STORE(end[0] + s * PERMI_WIDTH, strand[s]);
  PERMI_NAME(proof_invert)(p, polynomial->prime, end[0], end[1], PERMI_STRANDS);
  PERMI_UNROLL
  for (int s = 0; s < PERMI_STRANDS; s++)
    strand[s] = PERMI_LOAD(end[0] + s * PERMI_WIDTH);
  for (int k = size - PERMI_STRANDS * PERMI_WIDTH; k >= 0; k -= PERMI_STRANDS * PERMI_WIDTH) {
    PERMI_UNROLL
    for (int s = 0; s < PERMI_STRANDS; s++) {
      double *at = inverse + k + s * PERMI_WIDTH;
      const PERMI_V x = PERMI_LOAD(at);
      PERMI_STORE(at, PERMI_NAME(prime_product)(strand[s], PERMI_LOAD(before + k + s * PERMI_WIDTH), p));
      strand[s] = PERMI_NAME(prime_product)(strand[s], x, p);
    }
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(proof_add)(double *sum, PERMI_V x, double sign, PERMI_P p)
{
  PERMI_STORE(sum, PERMI_NAME(prime_reduce)(PERMI_FMA(PERMI_SET(sign), x, PERMI_LOAD(sum)), p));
}

/* form[j * POINTS] := D_j and S, times the sum of all Lagrange weights, which follows. inverse: of point - (N - 1) on.
   Setting s is (high, low): D_j of a low column sums the 2^low vectors of `column`, that of a high one sums over low
   settings. */
PERMI_TARGET static void PERMI_NAME(proof_signs)(const permi_polynomial *polynomial, PERMI_P p, const double *inverse,
                                                 double *column, double *form)
{
  const int signs = polynomial->signs, low = signs / 2, lows = 1 << low, highs = 1 << (signs - low);
  const double *weight = polynomial->weight, *parity = polynomial->parity;
  double *product = form + signs * PERMI_PROOF_POINTS, *total = product + PERMI_PROOF_POINTS;
  memset(column, 0, (size_t)(lows * PERMI_WIDTH) * sizeof *column);
  for (int j = 0; j < signs + 2; j++)
    PERMI_STORE(form + j * PERMI_PROOF_POINTS, PERMI_SET(0.0));
  for (int s = 0; s < highs; s++) {
    const double *from = inverse + lows * (highs - s) - 1;
    PERMI_V sum = PERMI_SET(0.0), signed_sum = sum;
    for (int t = 0; t < lows; t++) {
      const PERMI_V x = PERMI_NAME(prime_product)(PERMI_LOAD_ANY(from - t), PERMI_SET(weight[s * lows + t]), p);
      sum = sum + x;
      signed_sum = PERMI_FMA(PERMI_SET(parity[t]), x, signed_sum);
      PERMI_NAME(proof_add)(column + t * PERMI_WIDTH, x, 1, p);
      if (t % 4 == 3) { /* of at most 4 1/2 primes */
        sum = PERMI_NAME(prime_reduce)(sum, p);
        signed_sum = PERMI_NAME(prime_reduce)(signed_sum, p);
      }
    }
    PERMI_NAME(proof_add)(total, sum, 1, p);
    PERMI_NAME(proof_add)(product, signed_sum, parity[s], p);
    for (int j = low; j < signs; j++)
      PERMI_NAME(proof_add)(form + j * PERMI_PROOF_POINTS, sum, s >> (j - low) & 1 ? -1 : 1, p);
  }
  for (int t = 0; t < lows; t++)
    for (int j = 0; j < low; j++)
      PERMI_NAME(proof_add)(form + j * PERMI_PROOF_POINTS, PERMI_LOAD(column + t * PERMI_WIDTH), t >> j & 1 ? -1 : 1,
                            p);
}

/* form[j][point] := D_j, and last S; at points below N the signs themselves. */
PERMI_TARGET static void PERMI_NAME(proof_forms)(const permi_polynomial *polynomial, PERMI_P p, uint64_t first,
                                                 double *form, double *inverse)
{
  const int signs = polynomial->signs, N = 1 << signs, stride = PERMI_STRANDS * PERMI_WIDTH;
  const int size = (N + PERMI_PROOF_POINTS + stride - 1) / stride * stride;
  double *total = form + (signs + 1) * PERMI_PROOF_POINTS, *power = total + PERMI_PROOF_POINTS;
  if (first + PERMI_PROOF_POINTS > (uint64_t)N) {
    PERMI_NAME(proof_inverses)(polynomial, p, (int64_t)first - N + 1, size, inverse, inverse + size);
    for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_WIDTH)
      PERMI_NAME(proof_signs)(polynomial, p, inverse + k, inverse + size, form + k);
    PERMI_NAME(proof_invert)(p, polynomial->prime, total, power, PERMI_PROOF_POINTS / PERMI_WIDTH);
    for (int j = 0; j <= signs; j++)
      for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_WIDTH) {
        double *at = form + j * PERMI_PROOF_POINTS + k;
        PERMI_STORE(at, PERMI_NAME(prime_product)(PERMI_LOAD(at), PERMI_LOAD(total + k), p));
      }
  }
  for (int k = 0; k < PERMI_PROOF_POINTS && first + (uint64_t)k < (uint64_t)N; k++) {
    for (int j = 0; j < signs; j++)
      form[j * PERMI_PROOF_POINTS + k] = (first + (uint64_t)k) >> j & 1 ? -1 : 1;
    form[signs * PERMI_PROOF_POINTS + k] = polynomial->parity[first + (uint64_t)k];
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(proof_products)(int n, PERMI_P p, const double *row, const double *table,
                                                          const double *sign, double *total)
{
  PERMI_V product[4 * PERMI_GROUPS];
  PERMI_UNROLL
  for (int g = 0; g < PERMI_GROUPS; g++) {
    PERMI_UNROLL
    for (int k = 0; k < 4; k++)
      product[4 * g + k] = PERMI_LOAD(row + g * PERMI_WIDTH) + PERMI_SET(table[k]);
  }
  for (int i = 1; i < n; i++) {
    row += PERMI_PROOF_POINTS;
    table += 4;
    PERMI_UNROLL
    for (int g = 0; g < PERMI_GROUPS; g++) {
      const PERMI_V x = PERMI_LOAD(row + g * PERMI_WIDTH);
      PERMI_UNROLL
      for (int k = 0; k < 4; k++)
        product[4 * g + k] = PERMI_NAME(prime_product)(product[4 * g + k], x + PERMI_SET(table[k]), p);
    }
  }
  PERMI_UNROLL
  for (int g = 0; g < PERMI_GROUPS; g++) {
    PERMI_V sum = PERMI_LOAD(total + g * PERMI_WIDTH);
    PERMI_UNROLL
    for (int k = 0; k < 4; k++)
      sum = PERMI_FMA(PERMI_SET(sign[k]), product[4 * g + k], sum);
    PERMI_STORE(total + g * PERMI_WIDTH, PERMI_NAME(prime_reduce)(sum, p));
  }
}

PERMI_KERNEL PERMI_NAME(polynomial)(const permi_polynomial *polynomial, uint64_t first, double *workspace,
                                    double *value)
{
  const int n = polynomial->n, signs = polynomial->signs, all = n * PERMI_PROOF_POINTS;
  const PERMI_P p = PERMI_NAME(prime_of)(polynomial->prime, polynomial->inverse);
  double *form = workspace, *row = form + (signs + 3) * PERMI_PROOF_POINTS;
  double total[PERMI_PROOF_POINTS] PERMI_ALIGN64;
  uint64_t state = 0;
  PERMI_NAME(proof_forms)(polynomial, p, first, form, row + all);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_WIDTH) {
      PERMI_V x = PERMI_SET(polynomial->start[i]);
      for (int j = 0; j < signs; j++)
        x = PERMI_NAME(prime_reduce)(x + PERMI_NAME(prime_product)(PERMI_LOAD(form + j * PERMI_PROOF_POINTS + k),
                                                                   PERMI_SET(polynomial->entry[i * signs + j]), p), p);
      PERMI_STORE(row + i * PERMI_PROOF_POINTS + k, x);
    }
  memset(total, 0, sizeof total);
  for (;;) {
    for (int s = 0; s < polynomial->settings; s += 4)
      for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_GROUPS * PERMI_WIDTH)
        PERMI_NAME(proof_products)(n, p, row + k, polynomial->table + s * n, polynomial->sign + s, total + k);
    if (++state >> polynomial->outer)
      break;
    const int j = permi_trailing_zeros(state);
    for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_WIDTH) /* its sign is that of the terms to come */
      PERMI_STORE(total + k, PERMI_SET(0.0) - PERMI_LOAD(total + k));
    for (int i = 0; i < n; i++)
      for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_WIDTH)
        PERMI_NAME(proof_add)(row + i * PERMI_PROOF_POINTS + k, PERMI_SET(polynomial->step[j * n + i]),
                              (state ^ state >> 1) >> j & 1 ? -1 : 1, p);
  }
  form += signs * PERMI_PROOF_POINTS; /* S */
  for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_WIDTH)
    PERMI_STORE(total + k, PERMI_NAME(prime_product)(PERMI_LOAD(total + k), PERMI_LOAD(form + k), p));
  for (int k = 0; k < PERMI_PROOF_POINTS; k++)
    value[k] = (polynomial->outer && total[k] != 0 ? -1 : 1) * total[k];
  for (int k = 0; k < PERMI_PROOF_POINTS; k++)
    value[k] += value[k] < 0 ? polynomial->prime : 0;
  PERMI_LEAVE();
}
#undef PERMI_STRANDS
#undef PERMI_GROUPS

PERMI_BRIEF_END

/* ================================================================================= >>derive_kernels
   Sums of x y for >>derive_frontier, a vector for each origin of a block of doubles (>>array_kernels); the pass back
   through a program for >>derive_hybrid. */

#if PERMI_WIDTH >= 4
PERMI_TARGET static void PERMI_NAME(block_dots)(const permi_numbers *numbers, void *block, size_t count,
                                                const permi_origin *origin, int origins)
{
  const double *x = (const double *)block;
  const size_t whole = count - count % PERMI_WIDTH, left = count - whole;
#if PERMI_WIDTH == 8
  const __mmask8 mask = (__mmask8)((1u << left) - 1);
#else
  const __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)left), _mm256_setr_epi64x(0, 1, 2, 3));
#endif
  size_t k;
  (void)numbers;
  for (; origins > 0; origins--, origin++) {
    const double *y = (const double *)origin->x;
    PERMI_V sum, more, other;
    if (!origin->sum)
      continue;
    sum = PERMI_LOAD_ANY((double *)origin->sum);
    for (k = 0; k < whole; k += PERMI_WIDTH)
      if (!PERMI_NAME(array_nothing)(origin, k))
        sum = PERMI_FMA(PERMI_LOAD_ANY(x + k), origin->place ? PERMI_NAME(array_fetch)(y, origin, k, PERMI_WIDTH)
                                                             : PERMI_LOAD_ANY(y + k), sum);
    if (left && !PERMI_NAME(array_nothing)(origin, k)) {
#if PERMI_WIDTH == 8
      more = _mm512_maskz_loadu_pd(mask, x + k);
      other = origin->place ? PERMI_NAME(array_fetch)(y, origin, k, left) : _mm512_maskz_loadu_pd(mask, y + k);
#else
      more = _mm256_maskload_pd(x + k, mask);
      other = origin->place ? PERMI_NAME(array_fetch)(y, origin, k, left) : _mm256_maskload_pd(y + k, mask);
#endif
      sum = PERMI_FMA(more, other, sum);
    }
    PERMI_STORE_ANY((double *)origin->sum, sum);
  }
}
#endif

#if PERMI_WIDTH != 2
#define PERMI_H(name) PERMI_NAME(hybrid_##name)
#define PERMI_N PERMI_H(number)
/* Vectors at a time, so that two factors and their adjoints stay in registers. */
#define PERMI_BACK_VECTORS (PERMI_WIDTH == 8 ? 4 : PERMI_WIDTH == 1 ? 8 : 2)
#define PERMI_NUMBERS(...) PERMI_UNROLL for (k = 0; k < some; k++) __VA_ARGS__

/* Returns c + a b. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(back_fuse)(int parts, PERMI_N a, PERMI_N b, PERMI_N c)
{
  if (parts == 2) {
    c.p[0] = PERMI_FNMA(a.p[1], b.p[1], c.p[0]);
    c.p[1] = PERMI_FMA(a.p[0], b.p[1], c.p[1]);
    c.p[1] = PERMI_FMA(a.p[1], b.p[0], c.p[1]);
  }
  c.p[0] = PERMI_FMA(a.p[0], b.p[0], c.p[0]);
  return c;
}

/* Writes x, or adds it. */
PERMI_TARGET PERMI_INLINE void PERMI_H(back_add)(int parts, int adds, double *slot, int k, PERMI_N x)
{
  const PERMI_N y = PERMI_H(get)(parts, slot, k);
  if (adds) {
    x.p[0] = x.p[0] + y.p[0];
    x.p[1] = x.p[1] + y.p[1];
  }
  PERMI_H(put)(parts, slot, k, x);
}

/* Of out = p h - q g, or p h unless `folds`, for a group of the same h and g.
   minus: -1, of moduli 1. */
PERMI_TARGET PERMI_INLINE void PERMI_H(back_group)(int parts, int folds, const permi_instruction *operation,
                                                   const permi_statement *first, double *values, double *bars,
                                                   double minus)
{
  const int some = PERMI_BACK_VECTORS / parts, most = PERMI_HYBRID_DOUBLES / parts / PERMI_WIDTH;
  const int clears = operation->other, adds = !operation->halved, sets = operation->growth;
  const permi_statement *end = first + operation->group, *t;
  const PERMI_N zero = PERMI_H(one)(PERMI_SET(0.0));
  double *h_bar = permi_hybrid_slot(bars, first->h), *g_bar = permi_hybrid_slot(bars, first->g);
  int k, at;
  for (at = 0; at < most; at += some) {
    PERMI_N h[8], g[8], h_sum[8], g_sum[8];
    PERMI_NUMBERS({
      h[k] = PERMI_H(get)(parts, permi_hybrid_slot(values, first->h), at + k);
      h_sum[k] = zero;
      if (folds) {
        g[k] = PERMI_H(get)(parts, permi_hybrid_slot(values, first->g), at + k);
        g_sum[k] = zero;
      }
    })
    for (t = first; t < end; t++) {
      const double *p = permi_hybrid_slot(values, t->p), *q = permi_hybrid_slot(values, t->q);
      double *p_bar = permi_hybrid_slot(bars, t->p), *q_bar = permi_hybrid_slot(bars, t->q);
      double *out = permi_hybrid_slot(bars, t->out);
      PERMI_NUMBERS({
        PERMI_N b = PERMI_H(get)(parts, out, at + k);
        if (clears)
          PERMI_H(put)(parts, out, at + k, zero);
        h_sum[k] = PERMI_H(back_fuse)(parts, PERMI_H(get)(parts, p, at + k), b, h_sum[k]);
        PERMI_H(put)(parts, p_bar, at + k, PERMI_H(back_fuse)(parts, b, h[k],
                                                              sets ? zero : PERMI_H(get)(parts, p_bar, at + k)));
        if (folds) {
          b.p[0] = b.p[0] * PERMI_SET(minus);
          b.p[1] = b.p[1] * PERMI_SET(minus);
          g_sum[k] = PERMI_H(back_fuse)(parts, PERMI_H(get)(parts, q, at + k), b, g_sum[k]);
          PERMI_H(put)(parts, q_bar, at + k, PERMI_H(back_fuse)(parts, b, g[k],
                                                                sets ? zero : PERMI_H(get)(parts, q_bar, at + k)));
        }
      })
    }
    PERMI_NUMBERS({
      PERMI_H(back_add)(parts, adds, h_bar, at + k, h_sum[k]);
      if (folds)
        PERMI_H(back_add)(parts, adds, g_bar, at + k, g_sum[k]);
    })
  }
}

/* out = h, or p - q */
PERMI_TARGET PERMI_INLINE void PERMI_H(back_copies)(const permi_instruction *operation, const permi_statement *t,
                                                    double *bars, double minus)
{
  const permi_statement *end = t + operation->count;
  const int folds = operation->opcode == PERMI_OP_DIFFERENCE, clears = operation->other;
  for (; t < end; t++) {
    double *out = permi_hybrid_slot(bars, t->out), *p = permi_hybrid_slot(bars, folds ? t->p : t->h);
    double *q = permi_hybrid_slot(bars, t->q);
    for (int k = 0; k < PERMI_HYBRID_DOUBLES; k += PERMI_WIDTH) {
      const PERMI_V b = PERMI_LOAD(out + k);
      PERMI_STORE(p + k, PERMI_LOAD(p + k) + b);
      if (folds)
        PERMI_STORE(q + k, PERMI_FMA(b, PERMI_SET(minus), PERMI_LOAD(q + k)));
      if (clears)
        PERMI_STORE(out + k, PERMI_SET(0.0));
    }
  }
}

/* Each factor gets the adjoint times the product of the others; prefix products stand behind all adjoints. */
PERMI_TARGET PERMI_INLINE void PERMI_H(back_chain)(int parts, const permi_hybrid *hybrid,
                                                   const permi_instruction *operation, double *values, double *bars)
{
  const permi_statement *first = hybrid->statement + operation->first, *end = first + operation->count, *t;
  const int algebra = parts == 2 ? PERMI_HYBRID_COMPLEX : PERMI_HYBRID_REAL;
  double *out = permi_hybrid_slot(bars, first->out), *prefix = permi_hybrid_slot(bars, hybrid->slot_count);
  const PERMI_P prime = PERMI_NAME(prime_of)(0, 0);
  for (int k = 0; k < PERMI_HYBRID_DOUBLES / parts / PERMI_WIDTH; k++) {
    PERMI_N x = PERMI_H(get)(parts, out, k);
    PERMI_H(put)(parts, out, k, PERMI_H(one)(PERMI_SET(0.0)));
    for (t = first; t < end; t++) {
      PERMI_H(put)(parts, prefix + (t - first) * PERMI_HYBRID_DOUBLES, k, x);
      x = PERMI_H(times)(algebra, x, PERMI_H(get)(parts, permi_hybrid_slot(values, t->p), k), prime);
    }
    x = PERMI_H(one)(PERMI_SET(1.0));
    x.p[1] = PERMI_SET(0.0);
    while (t-- > first) {
      double *bar = permi_hybrid_slot(bars, t->p);
      PERMI_H(put)(parts, bar, k, PERMI_H(back_fuse)(parts, x, PERMI_H(get)(parts, prefix + (t - first) *
                                                     PERMI_HYBRID_DOUBLES, k), PERMI_H(get)(parts, bar, k)));
      x = PERMI_H(times)(algebra, x, PERMI_H(get)(parts, permi_hybrid_slot(values, t->p), k), prime);
    }
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_H(back_operation)(int parts, const permi_hybrid *hybrid,
                                                       const permi_instruction *operation, double *values,
                                                       double *bars, double minus)
{
  const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
  const int group = operation->group;
  if (operation->opcode == PERMI_OP_CHAIN)
    PERMI_H(back_chain)(parts, hybrid, operation, values, bars);
  else if (operation->opcode == PERMI_OP_ROW || operation->opcode == PERMI_OP_DIFFERENCE)
    PERMI_H(back_copies)(operation, t, bars, minus);
  else if (operation->opcode == PERMI_OP_FOLD)
    for (; t < last; t += group)
      PERMI_H(back_group)(parts, 1, operation, t, values, bars, minus);
  else
    for (; t < last; t += group)
      PERMI_H(back_group)(parts, 0, operation, t, values, bars, minus);
}

PERMI_KERNEL PERMI_H(back_real)(const permi_hybrid *hybrid, double *values, double *bars, unsigned turned, double minus)
{
  const permi_instruction *operation = hybrid->operation + hybrid->operations;
  while (operation-- > hybrid->operation)
    if (operation->dirty & turned)
      PERMI_H(back_operation)(1, hybrid, operation, values, bars, minus);
}

#if !defined(PERM_NO_COMPLEX)
PERMI_KERNEL PERMI_H(back_complex)(const permi_hybrid *hybrid, double *values, double *bars, unsigned turned,
                                   double minus)
{
  const permi_instruction *operation = hybrid->operation + hybrid->operations;
  while (operation-- > hybrid->operation)
    if (operation->dirty & turned)
      PERMI_H(back_operation)(2, hybrid, operation, values, bars, minus);
}
#endif

/* Writes a row's sums of all settings. */
PERMI_TARGET PERMI_INLINE void PERMI_H(back_sums_of)(int algebra, const permi_hybrid *hybrid, int i, int lines,
                                                     double *values)
{
  const int parts = permi_hybrid_parts(algebra), row_parts = permi_hybrid_row_parts(algebra);
  const double *base = permi_hybrid_slot(values, permi_hybrid_line(i)), least = hybrid->floor[permi_hybrid_line(i)];
  const int end = hybrid->row_constant[i + 1];
  const PERMI_P prime = PERMI_NAME(prime_of)(0, 0);
  for (int s = hybrid->row_constant[i]; s < end; s++) {
    const PERMI_N c = PERMI_H(constant)(algebra, hybrid, s);
    double *to = permi_hybrid_slot(values, permi_hybrid_line(lines + s));
    for (int k = 0; k < PERMI_H(count)(algebra); k++)
      PERMI_H(put)(parts, to, k, PERMI_H(row)(algebra, PERMI_H(get)(row_parts, base, k), c, least, prime));
  }
}

PERMI_TARGET static void PERMI_H(back_sums)(const permi_hybrid *hybrid, int algebra, int i, int lines, double *values)
{
  if (algebra == PERMI_HYBRID_REAL)
    PERMI_H(back_sums_of)(PERMI_HYBRID_REAL, hybrid, i, lines, values);
  else if (algebra == PERMI_HYBRID_MODULI)
    PERMI_H(back_sums_of)(PERMI_HYBRID_MODULI, hybrid, i, lines, values);
#if !defined(PERM_NO_COMPLEX)
  else if (algebra == PERMI_HYBRID_COMPLEX)
    PERMI_H(back_sums_of)(PERMI_HYBRID_COMPLEX, hybrid, i, lines, values);
  else
    PERMI_H(back_sums_of)(PERMI_HYBRID_COMPLEX_MODULI, hybrid, i, lines, values);
#endif
}

/* Adds the adjoints of slots to `each`, unless NULL, and to `sum`, and clears them; adds +- their sum to blocks at
   `entry`, by the signs of columns up to the first above 63. */
PERMI_TARGET static void PERMI_H(back_row)(double *bars, int slot, int end, double *each, double *sum,
                                           const unsigned char *column, uint64_t gray, double *entry)
{
  for (int k = 0; k < PERMI_HYBRID_DOUBLES; k += PERMI_WIDTH) {
    PERMI_V all = PERMI_SET(0.0);
    for (int s = slot; s < end; s++) {
      double *at = permi_hybrid_slot(bars, permi_hybrid_line(s)) + k;
      const PERMI_V x = PERMI_LOAD(at);
      all = all + x;
      if (each) {
        double *to = each + (size_t)(s - slot) * PERMI_HYBRID_DOUBLES + k;
        PERMI_STORE(to, PERMI_LOAD(to) + x);
      }
      PERMI_STORE(at, PERMI_SET(0.0));
    }
    PERMI_STORE(sum + k, PERMI_LOAD(sum + k) + all);
    for (int s = 0; column[s] < 64; s++) {
      double *to = entry + s * PERMI_HYBRID_DOUBLES + k;
      PERMI_STORE(to, gray >> column[s] & 1 ? PERMI_LOAD(to) - all : PERMI_LOAD(to) + all);
    }
  }
}

static const permi_back_family PERMI_NAME(back_family) = {
    {PERMI_H(back_real),
#if defined(PERM_NO_COMPLEX)
     NULL},
#else
     PERMI_H(back_complex)},
#endif
    PERMI_H(back_sums), PERMI_H(back_row)};
#undef PERMI_NUMBERS
#undef PERMI_BACK_VECTORS
#undef PERMI_N
#undef PERMI_H
#endif

/* ============================================================================= >>amplitudes_kernels
   Blocks of >>amplitudes. Sums of x Re c and x Im c are joined once: i (a, b) = (-b, a). The block's own sources come
   last: a vector cannot be loaded from pairs just stored. */

#if PERMI_WIDTH != 2 /* NEON runs plain C */
#if PERMI_WIDTH >= 4
/* `vectors` vectors of states from k on, the last of `left`. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(amplitude_sums)(const permi_amplitude_block *block, int k, int vectors,
                                                          int left)
{
  const permi_amplitude_source *source = block->source, *const end = source + block->sources;
  PERMI_V re[4], im[4];
  PERMI_UNROLL
  for (int v = 0; v < vectors; v++)
    re[v] = im[v] = PERMI_SET(0.0);
  for (; source < end; source++) {
    const double *x = block->from + 2 * (block->place + k - source->below);
    const PERMI_V a = PERMI_SET(source->c[0]), b = PERMI_SET(source->c[1]);
    PERMI_UNROLL
    for (int v = 0; v < vectors; v++) {
#if PERMI_WIDTH == 8
      const PERMI_V z = left == 4 ? PERMI_LOAD_ANY(x + 8 * v)
                                  : _mm512_maskz_loadu_pd((__mmask8)(255 >> (8 - 2 * left)), x);
#else
      const PERMI_V z = left == 2 ? PERMI_LOAD_ANY(x + 4 * v) : _mm256_castpd128_pd256(_mm_loadu_pd(x));
#endif
      re[v] = PERMI_FMA(z, a, re[v]);
      im[v] = PERMI_FMA(z, b, im[v]);
    }
  }
  PERMI_UNROLL
  for (int v = 0; v < vectors; v++)
#if PERMI_WIDTH == 8
    re[v] = _mm512_fmaddsub_pd(re[v], PERMI_SET(1.0), _mm512_permute_pd(im[v], 0x55));
#else
    re[v] = _mm256_addsub_pd(re[v], _mm256_permute_pd(im[v], 5));
#endif
  PERMI_UNROLL
  for (int v = 0; v < vectors; v++)
    PERMI_STORE_ANY(block->room + 2 * k + v * PERMI_WIDTH, re[v]);
}
#endif

PERMI_TARGET PERMI_INLINE void PERMI_NAME(amplitude_inner)(const permi_amplitude_block *block, int width)
{
  const double *x = block->from + 2 * block->lower, *c = block->c, *room = block->room;
  const int32_t *at = block->at;
  double *to = block->to;
  for (int left = block->states; left > 0; left -= 2, at += 2 * width, c += 8 * width, room += 4, to += 4) {
#if PERMI_WIDTH == 1
    double y[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int q = 0; q < width; q++)
      PERMI_UNROLL
      for (int v = 0; v < 8; v++)
        y[v] += x[2 * (ptrdiff_t)at[2 * q + (v >> 1 & 1)] + (v & 1)] * c[8 * q + v];
    for (int v = 0; v < (left > 1 ? 4 : 2); v += 2) {
      to[v] = (y[v] - y[v + 5]) + room[v];
      to[v + 1] = (y[v + 1] + y[v + 4]) + room[v + 1];
    }
#else
    __m256d sum, im;
#if PERMI_WIDTH == 8
    PERMI_V y = PERMI_SET(0.0);
    PERMI_UNROLL_UP_TO(8)
    for (int q = 0; q < width; q++) {
      const PERMI_V z = _mm512_broadcast_f64x2(_mm_loadu_pd(x + 2 * (ptrdiff_t)at[2 * q]));
      y = PERMI_FMA(_mm512_mask_broadcast_f64x2(z, 0xcc, _mm_loadu_pd(x + 2 * (ptrdiff_t)at[2 * q + 1])),
                    PERMI_LOAD_ANY(c + 8 * q), y);
    }
    sum = _mm512_castpd512_pd256(y);
    im = _mm512_extractf64x4_pd(y, 1);
#else
    sum = im = PERMI_SET(0.0);
    PERMI_UNROLL_UP_TO(8)
    for (int q = 0; q < width; q++) {
      const PERMI_V z = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(x + 2 * (ptrdiff_t)at[2 * q])),
                                             _mm_loadu_pd(x + 2 * (ptrdiff_t)at[2 * q + 1]), 1);
      sum = PERMI_FMA(z, PERMI_LOAD_ANY(c + 8 * q), sum);
      im = PERMI_FMA(z, PERMI_LOAD_ANY(c + 8 * q + 4), im);
    }
#endif
    sum = _mm256_add_pd(_mm256_addsub_pd(sum, _mm256_permute_pd(im, 5)), _mm256_loadu_pd(room));
    if (left > 1)
      _mm256_storeu_pd(to, sum);
    else
      _mm_storeu_pd(to, _mm256_castpd256_pd128(sum));
#endif
  }
}

PERMI_KERNEL PERMI_NAME(amplitude_block)(const permi_amplitude_block *block)
{
  const int states = block->states;
  int k = 0;
#if PERMI_WIDTH >= 4
  for (; k + 2 * PERMI_WIDTH <= states; k += 2 * PERMI_WIDTH)
    PERMI_NAME(amplitude_sums)(block, k, 4, PERMI_WIDTH / 2);
  for (; k + PERMI_WIDTH / 2 <= states; k += PERMI_WIDTH / 2)
    PERMI_NAME(amplitude_sums)(block, k, 1, PERMI_WIDTH / 2);
  if (k < states)
    PERMI_NAME(amplitude_sums)(block, k, 1, PERMI_WIDTH == 4 ? 1 : states - k);
#else
  for (; k < states; k++) {
    double y[4] = {0, 0, 0, 0};
    for (int s = 0; s < block->sources; s++) {
      const double *c = block->source[s].c, *x = block->from + 2 * (block->place + k - block->source[s].below);
      PERMI_UNROLL
      for (int v = 0; v < 4; v++)
        y[v] += x[v & 1] * c[v >> 1];
    }
    block->room[2 * k] = y[0] - y[3];
    block->room[2 * k + 1] = y[1] + y[2];
  }
#endif
  switch (block->width) {
  case 2: PERMI_NAME(amplitude_inner)(block, 2); break;
  case 3: PERMI_NAME(amplitude_inner)(block, 3); break;
  case 4: PERMI_NAME(amplitude_inner)(block, 4); break;
  case 5: PERMI_NAME(amplitude_inner)(block, 5); break;
  default: PERMI_NAME(amplitude_inner)(block, block->width);
  }
  PERMI_LEAVE();
}
#endif

#endif /* PERMI_FAMILY */

/* Copyright (c) 2026 the perm authors. SPDX-License-Identifier: MIT; its text stands at the end of perm.h. */
