/* ===================================================================================== >>more_calls
   Every public type and function. >>calls says what holds for all: threads, NULL, result. */
#pragma once
#include "more_config.h"
#include "sparse_calls.h"

#define PERM_CAUCHY_MAX_N 512
#define PERM_ESTIMATE_MAX_N 20000

/* Permanent of u v, of declared rank r: u is n x r, v is r x n, with row strides ldu >= r and ldv >= n. C(n + r - 1, r
   - 1) monomials of n r double-double operations; error_bound is guaranteed, about 1e-29 of the sum of moduli, for u
   and v as given. PERM_ERROR_RANK: r < 0 or r > n. PERM_ERROR_LIMIT: too many monomials. [Bar96] */
PERM_MORE_API perm_status perm_compute_low_rank_real(int n, int r, const double *u, ptrdiff_t ldu, const double *v,
                                                     ptrdiff_t ldv, const perm_options *options, perm_result *result);
PERM_MORE_API perm_status perm_compute_low_rank_complex(int n, int r, const double *u, ptrdiff_t ldu, const double *v,
                                                        ptrdiff_t ldv, const perm_options *options,
                                                        perm_result *result);

/* Permanent of the Cauchy matrix 1 / (x_i - y_j), n nodes each, n <= PERM_CAUCHY_MAX_N, in O(n^3) double-double
   operations. *condition (may be NULL): the largest factor on an entrywise relative error of the squared matrix; 30
   digits less its logarithm are right, as error_estimate says (error_bound is INFINITY). Where that is too few, n is
   small and method is auto, perm_compute_real (_complex) computes it. PERM_ERROR_NODES: x_i = y_j, or two equal x or y.
   [Bor55] */
PERM_MORE_API perm_status perm_compute_cauchy_real(int n, const double *x, const double *y, const perm_options *options,
                                                   double *condition, perm_result *result);
PERM_MORE_API perm_status perm_compute_cauchy_complex(int n, const double *x, const double *y,
                                                      const perm_options *options, double *condition,
                                                      perm_result *result);

/* Permanent of a square matrix of integers (Gaussian: complex ones; sparse: below 2^53) with a proof of its value,
   written to the file `path`, which examples/perm_verify.c checks (docs/proofs.md); path NULL: the value alone. The
   matrix is proved as given: zeros and equal lines save nothing. n <= 44; (n + 1) n 2^(n-1) products for each 50 bits
   of a bound on the permanent. result is as of perm_compute_integer. The file is replaced as a whole, or not at all; a
   name that cannot be written is refused before the work. Method auto, precision default or exact; threads, isa, gpu,
   modulus (of the value, not of the proof), limits, progress, cancel, allocator, checkpoint, parts, merge and execute
   count. PERM_ERROR_STATE: finished values turned out to be wrong; the same call computes them again. */
PERM_MORE_API perm_status perm_prove_integer(int m, int n, const int64_t *a, ptrdiff_t ld, const char *path,
                                             const perm_options *options, perm_result *result);
PERM_MORE_API perm_status perm_prove_gaussian(int m, int n, const int64_t *a, ptrdiff_t ld, const char *path,
                                              const perm_options *options, perm_result *result);
PERM_MORE_API perm_status perm_prove_sparse(const perm_matrix *matrix, const char *path, const perm_options *options,
                                            perm_result *result);

/* Unbiased estimates by random samples; the interval holds as far as the mean is nearly normal. Stops at the first
   limit: samples (rounded up to blocks of 256), relative_error (standard error over value; PERM_TOLERANCE_NOT_MET if
   another limit came first), options.max_seconds. */
typedef enum perm_estimator {
  PERM_ESTIMATOR_AUTO,
  PERM_ESTIMATOR_GLYNN,    /* products of signed row sums: any matrix */
  PERM_ESTIMATOR_SINKHORN, /* permutations drawn by doubly stochastic weights: non-negative matrices */
  PERM_ESTIMATOR_REJECTION, /* the same, n <= 2000: relative_error (0: 0.1) is kept with chance `confidence`, proved */
  PERM_ESTIMATOR_COUNT, PERM_ESTIMATOR_MAKE_INT = 0x7fffffff
} perm_estimator;

typedef struct perm_estimate_plan {
  perm_estimator estimator;
  double samples;        /* 0: no limit, or 65536 if there is no other */
  double relative_error; /* 0: none */
  double confidence;     /* of the interval; 0: 0.95 */
  uint64_t seed;         /* the same seed gives the same samples for any number of threads */
  int guarantee;         /* 1: AUTO is REJECTION or, with signs, GLYNN; PERM_TOLERANCE_NOT_MET: proved_radius is larger
                            than relative_error (0: 0.1) times the value */
} perm_estimate_plan;

/* The permanent is about (value + i imaginary) 2^exp2; the rest in the same unit. */
typedef struct perm_estimate {
  double value, imaginary;
  long long exp2;
  double standard_error; /* of value; complex: root of the mean squared modulus */
  double low, high;      /* of the real part: value -+ radius */
  double radius;         /* with what samples round; complex: of the disc around the value */
  double proved_radius;  /* holds with chance `confidence` by a theorem, however samples are distributed; or INFINITY */
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

/* Estimates the permanent of an n x n matrix, n <= PERM_ESTIMATE_MAX_N. plan may be NULL: all zero, the best
   estimator, 65536 samples, 95 %. O(n^2) a sample. Of the options threads, max_seconds, max_bytes, progress, cancel and
   allocator count; checkpoint is refused. Stopped before the first block, value is NaN and standard_error
   INFINITY. All samples 0, but some product is not: value 0, standard_error INFINITY, PERM_OK (with a relative_error
   PERM_TOLERANCE_NOT_MET). [Gur05] [SB99] */
PERM_MORE_API perm_status perm_estimate_real(int n, const double *a, ptrdiff_t ld, const perm_estimate_plan *plan,
                                             const perm_options *options, perm_estimate *estimate);
PERM_MORE_API perm_status perm_estimate_complex(int n, const double *a, ptrdiff_t ld, const perm_estimate_plan *plan,
                                                const perm_options *options, perm_estimate *estimate);

/* Rook numbers: numbers[k], k = 0 .. min(m, n), the caller's array, is the sum of the permanents of all k x k
   submatrices; of a 0/1 matrix, the placements of k rooks that do not attack. Integers of any sign, or doubles that are
   whole; others are PERM_ERROR_UNSUPPORTED: take them times a d that makes them whole, r_k is d^k times as large. The
   last one, per(A), is the result's integer. Methods auto, frontier (of rows and columns, which may stay unmatched:
   2^(frontier vertices) states of a polynomial each; threads) and exact (min(m, n) + 1 permanents of A + x).
   PERM_ERROR_OVERFLOW over 4544 bits. Heeds modulus, plan_effort, isa, threads, max_seconds, max_bytes, cancel,
   progress, allocator; refuses checkpoints. On an error numbers are undefined. */
PERM_MORE_API perm_status perm_rook_numbers(const perm_matrix *matrix, const perm_options *options,
                                            perm_integer *numbers, perm_result *result);

/* coefficients[e], e = 0 .. m + n, of x^e in the matching polynomial of the bipartite graph: the sum over k of (-1)^k
   r_k x^(m + n - 2k). Both arrays are the caller's. Not after a modulus. */
PERM_MORE_API void perm_rook_matching_polynomial(int m, int n, const perm_integer *numbers,
                                                 perm_integer *coefficients);

/* Draws permutations of a matrix without negative entries, each with probability (product of its entries) / permanent:
   sample k, from 0 to count - 1, is columns[k m + row], counted from 0. With fewer rows than columns, injections of the
   rows. The samples depend on matrix, options, seed and first + k only, not on threads: ranges of samples agree.
   Integers, also doubles below 2^53, are drawn without rounding, as exactly as splitmix64 is
   random. Others in doubles: the total variation distance to the true distribution is a few units of 2^-53 for each
   entry and line, see >>sample. Each block is computed once, by method band, tree, twins or frontier (lists, arrays),
   whichever is predicted to be the fastest within max_bytes (16 GB if it is 0), for all its states are kept; then a
   sample takes O(nnz log states) or, of a tree, 2^width a join. A full matrix has 2^n states. If max_bytes is short of
   them, the frontier keeps about the root of its steps and computes the others again, once for all samples: the block
   takes twice the time, a sample 72 bytes, and the samples are the same. No value is returned. Of
   the options method, threads, precision, max_seconds, max_bytes, plan_effort, progress, cancel and allocator count.
   columns: count m ints, undefined on errors. PERM_ERROR_UNSUPPORTED: a negative or complex entry, which is named; the
   permanent is 0; products that range beyond doubles. PERM_ERROR_SIZE: more rows than columns. PERM_ERROR_LIMIT:
   predicted to exceed max_bytes or max_seconds. */
PERM_MORE_API perm_status perm_sample_sparse(const perm_matrix *matrix, const perm_options *options, uint64_t seed,
                                             uint64_t first, uint64_t count, int *columns, perm_result *result);

/* Draws as SVG: the entries as given and in block triangular form (entries in no perfect matching in another color;
   over order 600 or 20000 entries densities); of the largest block with a frontier or a tree the vertices on the way;
   engine and prediction of every block, or why there is no plan. Options as for perm_sparse_job; path as for
   perm_matrix_write; name: of the matrix, for the title, or NULL. The file stays below about a megabyte and a half. */
PERM_MORE_API perm_status perm_sparse_spy(const perm_matrix *matrix, const perm_options *options, const char *path,
                                          const char *name, perm_result *result);

/* perm_layout of perm_estimate_plan, perm_estimate and perm_matrix. */
PERM_MORE_API perm_status perm_more_layout(const char *name, size_t *offset, size_t *bytes);
/* SPDX-License-Identifier: MIT */
