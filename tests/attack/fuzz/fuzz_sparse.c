/* Fuzzing the sparse pipeline: bytes make a small matrix (pattern, integer, real, complex; extreme exponents, positions
   twice, rectangular) and options (methods by name, precisions, threads, limits, moduli, nonsense). A result must be
   within its bound of the permanent (an exact expansion of its own), or equal it; statuses are clean, memory is given
   back, the job in pieces gives the bits of the whole; orders beyond the expansion: two methods agree. */
#ifndef PERM_FUZZ_LINKED
#define PERM_IMPLEMENTATION
#endif
#include "perm_more.h"
#include "fuzz.h"
#include "fuzz_result.h"

enum { FUZZ_MOST = 40 };

typedef struct fuzz_triplets {
  int m, n, count, row[FUZZ_MOST * FUZZ_MOST], column[FUZZ_MOST * FUZZ_MOST];
  double real[FUZZ_MOST * FUZZ_MOST], imaginary[FUZZ_MOST * FUZZ_MOST];
  int64_t integer[FUZZ_MOST * FUZZ_MOST];
  perm_kind kind;
} fuzz_triplets;

/* Every engine's task in two orders of pieces: through perm_job_range and perm_state_add, and at once. */
static void fuzz_pieces(const perm_matrix *matrix, const perm_options *options, const perm_result *whole)
{
  perm_job *job = NULL;
  perm_state *state = NULL;
  perm_result r, again;
  perm_status status = perm_sparse_job(matrix, options, &job, &r);
  char text[400];
  int leaf;
  FUZZ_REQUIRE(status == r.status && (status == PERM_OK ? job != NULL : !job || status == PERM_ERROR_LIMIT));
  if (status != PERM_OK) {
    perm_job_free(job);
    return;
  }
  FUZZ_REQUIRE(perm_job_explain(job, NULL, 0) == perm_job_explain(job, text, sizeof text));
  status = perm_state_create(job, &state);
  FUZZ_REQUIRE(status == PERM_OK || (status == PERM_ERROR_MEMORY && !state));
  for (leaf = 0; state && leaf < perm_job_leaves(job) && status == PERM_OK; leaf++) {
    perm_leaf information;
    uint64_t middle, from;
    FUZZ_REQUIRE(perm_job_leaf(job, leaf, &information) == PERM_OK && information.chunks > 0);
    middle = information.chunks / 3;
    for (from = middle; status == PERM_OK && middle <= information.chunks;) { /* the later part first */
      const uint64_t to = from == middle ? information.chunks : middle;
      perm_partial partial;
      if (from == 0 && middle == 0 && to == 0)
        break;
      status = perm_job_range(job, leaf, from, to, options, &partial, &r);
      FUZZ_REQUIRE(status == r.status);
      if (status == PERM_OK)
        FUZZ_REQUIRE((status = perm_state_add(job, state, leaf, from, to, &partial, &r)) == r.status);
      if (from == 0)
        break;
      from = 0;
    }
  }
  if (state && status == PERM_OK) {
    FUZZ_REQUIRE(perm_state_finish(job, state, &r) >= PERM_OK); /* or the tolerance is not met */
    status = perm_job_execute(job, state, options, &again);
    FUZZ_REQUIRE(status >= 0 && fuzz_same_bits(&r, &again));
    if (whole && !whole->escalated && whole->precision == r.precision && whole->method == r.method)
      FUZZ_REQUIRE(fuzz_same_bits(&r, whole));
  }
  perm_state_free(state);
  perm_job_free(job);
}

static void fuzz_report(const perm_matrix *matrix, const perm_options *options)
{
  perm_preparation report;
  perm_result r;
  perm_status status = perm_sparse_report(matrix, options, &report, &r);
  FUZZ_REQUIRE(status == r.status);
  if (status != PERM_OK)
    return;
  if (getenv("FUZZ_VERBOSE"))
    fprintf(stderr, "report: %d x %d, %zu entries; matrix %d x %d, %zu\n", report.m, report.n, report.entries,
            matrix->m, matrix->n, matrix->nnz);
  FUZZ_REQUIRE(report.m == matrix->m && report.n == matrix->n);
  FUZZ_REQUIRE(report.entries == matrix->nnz);
  FUZZ_REQUIRE(report.structural_rank >= 0 && report.structural_rank <= matrix->m &&
               report.structural_rank <= matrix->n);
  FUZZ_REQUIRE(report.dead_entries <= report.entries && report.entries_left <= report.entries);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count, (void)arguments;
  fuzz_begin_openmp();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static fuzz_triplets t;
  static oracle_entry entry[2 * 16 * 16];
  fuzz_bytes from = {data, size, 0};
  fuzz_memory memory = {0, 400u << 20, 0};
  const unsigned head = fuzz_byte(&from), order = fuzz_byte(&from), shape = fuzz_byte(&from);
  perm_options options = fuzz_options(&from), second;
  perm_matrix matrix;
  perm_result r, other;
  perm_status status;
  oracle_exact exact;
  int i, j, k, parts, transposed;
  unsigned walk = 0;
  perm_options making;
  if (size < 8)
    return 0;
  options.allocator.allocate = fuzz_allocate;
  options.allocator.release = fuzz_release;
  options.allocator.user_data = &memory;
  making = options; /* the matrix is made without the limits */
  making.max_bytes = making.max_seconds = 0;
  t.kind = (perm_kind)(head & 3);
  t.n = order < 240 ? (int)(order % 13) : (int)(13 + (order - 240) * 27 / 15);
  t.m = head >> 2 & 7 ? t.n : (int)(shape % 13);
  t.count = 0;
  parts = t.kind == PERM_KIND_COMPLEX ? 2 : 1;
  for (i = 0; i < t.m; i++)
    for (j = 0; j < t.n; j++) {
      const int style = (int)(shape >> 4 & 3), at = t.count;
      if (shape >> 6 == 1 && abs(i - j) > 2 + (int)(shape & 3)) /* a band */
        continue;
      if (shape >> 6 == 2 || t.n > 12) { /* sparse */
        walk = walk * 1103515245u + fuzz_byte(&from) + 12345u;
        if ((walk >> 16) % (unsigned)(t.n > 12 ? t.n : 4) > 2)
          continue;
      }
      t.real[at] = t.imaginary[at] = 0;
      t.integer[at] = 1;
      if (t.kind == PERM_KIND_PATTERN && !(fuzz_byte(&from) & 1))
        continue;
      if (t.kind == PERM_KIND_INTEGER)
        t.integer[at] = fuzz_integer(&from, style);
      if (t.kind >= PERM_KIND_REAL)
        t.real[at] = fuzz_entry(&from, style);
      if (t.kind == PERM_KIND_COMPLEX)
        t.imaginary[at] = fuzz_entry(&from, style);
      t.row[at] = i;
      t.column[at] = j;
      t.count++;
    }
  if (head >> 5 == 7 && t.count) { /* a position twice, or an index beyond */
    t.row[t.count] = head & 1 ? t.row[0] : -1 - (int)(shape & 1) * 7;
    t.column[t.count] = t.column[0];
    t.real[t.count] = t.imaginary[t.count] = 1;
    t.integer[t.count] = 1;
    status = perm_matrix_from_triplets(t.m, t.n, (size_t)t.count + 1, t.row, t.column, t.real, t.imaginary, t.integer,
                                       t.kind, &making, &matrix, &r);
    FUZZ_REQUIRE(status == r.status && matrix.nnz == 0 && memory.live == 0);
    FUZZ_REQUIRE(status == (head & 1 ? PERM_ERROR_FORMAT : PERM_ERROR_RANGE));
  }
  status = perm_matrix_from_triplets(t.m, t.n, (size_t)t.count, t.row, t.column, t.real, t.imaginary, t.integer, t.kind,
                                     &making, &matrix, &r);
  FUZZ_REQUIRE(status == PERM_OK);
  if (getenv("FUZZ_VERBOSE")) {
    fprintf(stderr, "%d x %d %s, method %s, precision %s, isa %d, %d threads, certify %d, tolerance %g, modulus %llu, "
            "effort %g, bytes %g, seconds %g\n", t.m, t.n, matrix.kind == PERM_KIND_PATTERN ? "pattern" :
            matrix.kind == PERM_KIND_INTEGER ? "integer" : parts == 1 ? "real" : "complex",
            perm_name("method", options.method), perm_name("precision", options.precision), (int)options.isa,
                options.threads,
            options.certify, options.tolerance, (unsigned long long)options.modulus, options.plan_effort,
            options.max_bytes, options.max_seconds);
    perm_matrix_write("-", &matrix, NULL, NULL);
  }
  /* the permanent by other code */
  exact.words = 0;
  transposed = t.m > t.n;
  if (t.m <= 12 && t.n <= 12) {
    const int m = transposed ? t.n : t.m, n = transposed ? t.m : t.n;
    memset(entry, 0, sizeof entry);
    for (k = 0; k < t.count; k++) {
      oracle_entry *at = &entry[(transposed ? t.column[k] * n + t.row[k] : t.row[k] * n + t.column[k]) * parts];
      const int64_t x = t.integer[k];
      at[0] = t.kind == PERM_KIND_PATTERN ? oracle_whole(1, 0, 0)
              : t.kind == PERM_KIND_INTEGER ? oracle_whole(x < 0 ? 0 - (uint64_t)x : (uint64_t)x, 0, x < 0)
                                            : oracle_double(t.real[k]);
      if (parts == 2)
        at[1] = oracle_double(t.imaginary[k]);
    }
    exact = oracle_exact_entries(parts, m, n, entry, 3e6);
  }
  memset(&r, 0x55, sizeof r);
  status = perm_compute_sparse(&matrix, &options, &r);
  fuzz_check_result(status, &r);
  if (status == PERM_OK && exact.words)
    fuzz_check_value(&r, &exact, 1e6);
  if (status == PERM_OK && options.certify)
    FUZZ_RESULT(r.error_bound <= DBL_MAX, &r);
  if (status == PERM_OK && options.tolerance > 0)
    FUZZ_RESULT(
        (options.certify ? r.error_bound : r.error_estimate) <= options.tolerance * fuzz_modulus(&r) * (1 + 1e-14), &r);
  second = options;
  if ((t.m > 12 || t.n > 12) && status == PERM_OK) {
    second.method = (perm_method)(head >> 4 & 1 ? PERM_METHOD_AUTO : PERM_METHOD_COUNT - 1 - shape % PERM_METHOD_COUNT);
    second.certify = 0;
    second.tolerance = 0;
    if (perm_compute_sparse(&matrix, &second, &other) == PERM_OK && r.modulus == other.modulus) {
      if (r.exact && other.exact)
        FUZZ_REQUIRE(!memcmp(&r.integer, &other.integer, sizeof r.integer) &&
                     !memcmp(&r.imaginary_integer, &other.imaginary_integer, sizeof r.integer));
      else if (!r.modulus && !r.exact && !other.exact && r.exp2 == other.exp2)
        FUZZ_REQUIRE(hypot(r.value - other.value, r.imaginary - other.imaginary) <=
                     r.error_bound + other.error_bound + DBL_EPSILON * fuzz_modulus(&r));
    }
  }
  if (shape & 8)
    fuzz_pieces(&matrix, &options, status == PERM_OK ? &r : NULL);
  else if ((shape & 7) == 1)
    fuzz_report(&matrix, &options);
  else if ((shape & 7) == 2)
    FUZZ_REQUIRE(perm_sparse_spy(&matrix, &options, "/dev/null", NULL, &r) == r.status);
  if (status == PERM_OK && (shape & 7) == 3) { /* other threads, the same bits */
    second = options;
    second.threads = 3 - options.threads;
    if (options.threads > 0 && perm_compute_sparse(&matrix, &second, &other) == PERM_OK &&
        other.escalated == r.escalated && other.method == r.method && other.precision == r.precision)
      FUZZ_REQUIRE(fuzz_same_bits(&r, &other));
  }
  if (exact.words)
    oracle_exact_free(&exact);
  perm_matrix_free(&matrix);
  FUZZ_REQUIRE(memory.live == 0);
  return 0;
}

#if defined(PERM_FUZZ_STANDALONE)
int main(int count, char **arguments)
{
  return fuzz_random_main(count, arguments, 300);
}
#endif
/* SPDX-License-Identifier: MIT */
