/* ========================================================================================== >>calls
   The public functions. Unless it says otherwise, a function is thread-safe and leaves inputs alone. Matrices are
   row-major with row stride ld >= n; complex and Gaussian ones are pairs, as C99's and C++'s, and ld counts pairs.
   options may be NULL. *result is overwritten, its status returned; only where it gets no permanent or minors it may be
   NULL. Jobs and states copy what they need; perm_job_free and perm_state_free free them. */
#pragma once
#include "types.h"

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
/* SPDX-License-Identifier: MIT */
