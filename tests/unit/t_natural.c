/* >>polynomial_calls, >>rook, >>several, >>coefficients, >>circle, >>control */
/* Every public function that computes with a matrix, on structure as users have it, of orders up to 200, under small
   limits: it returns soon, with a status, with a message where it refuses, and with a number where it has one. */

enum { NATURAL_KINDS = 14, NATURAL_ORDERS = 12, NATURAL_MOST = 200, NATURAL_LIMITS = 6 };
#define NATURAL_SECONDS 0.02
#define NATURAL_PATIENCE 8.0 /* seconds: other work on the machine, sanitizers */

typedef struct natural_try {
  int kind, m, n, limit, every; /* every: one call of so many */
  uint64_t turn;
  const char *call, *only; /* only: all calls that begin so, unless NULL */
  double start;
  perm_status status;
  perm_options options;
} natural_try;

static const volatile int natural_never; /* asked for, so that stop_fault is, too */

static double natural_entry(int kind, int i, int j, int n)
{
  static const double density[] = {0.1, 0.3, 0.5, 0.9, 0.1, 0.4, 1, 0.5};
  switch (kind) {
  case 0: return 1;
  case 1: return j <= i + 2;
  case 2: return i != j;
  case 3: return i != j && j != (i + 1) % n;
  case 4: return abs(i - j) <= 3;
  case 5: return 0;
  default: break;
  }
  if (test_uniform() >= density[kind - 6])
    return 0;
  return kind < 10 ? 1 : test_uniform() - (kind == 13 ? 0.5 : 0);
}

/* The names of all calls, a blank before and after each. */
static char natural_names[8192] = " ";

static void natural_note(const char *call)
{
  char name[80];
  snprintf(name, sizeof name, " %.*s ", (int)strcspn(call + (*call == '('), "("), call + (*call == '('));
  if (!strstr(natural_names, name) && strlen(natural_names) + strlen(name) < sizeof natural_names)
    strcat(natural_names, name + 1);
}

/* Whether it is this call's turn; starts its limits. */
static int natural_wants(natural_try *t, const char *call)
{
  const int often = strstr(call, "rook") ? 16 : 1;
  t->turn++;
  natural_note(call);
  if (t->only ? strncmp(call, t->only, strlen(t->only)) != 0
              : (t->turn * UINT64_C(0x9e3779b97f4a7c15) >> 32) % (uint64_t)(t->every / often) != 0)
    return 0;
  memset(&t->options, 0, sizeof t->options);
  t->options.threads = t->only ? 1 : 1 + (int)(t->turn % 2);
  t->options.max_seconds = t->only ? 0.05 : t->limit % 3 != 1 || !strstr(call, "rook") ? NATURAL_SECONDS : 0;
  t->options.max_bytes = t->limit % 3 != 0 ? 1e7 : 0;
  t->options.cancel = &natural_never;
  t->options.modulus = t->limit >= 3 ? 101 : 0;
  t->call = call;
  t->start = test_seconds();
  stop_fault.by = t->options.max_seconds > 0 ? 0 : t->start + NATURAL_SECONDS;
  return 1;
}

static void natural_check(const natural_try *t, double value, const char *message)
{
  const double seconds = test_seconds() - t->start;
  const perm_status status = t->status;
  stop_fault.by = 0;
  CHECK_SHOW(status >= PERM_ERROR_ZERO && status <= PERM_TOLERANCE_NOT_MET, "status %d", (int)status);
  CHECK_SHOW((status >= 0 || *message) && (status != PERM_OK || !isnan(value)) && seconds < NATURAL_PATIENCE,
             "kind %d, %d x %d, limit %d: %s: %s after %.2f s: %g, %s", t->kind, t->m, t->n, t->limit, t->call,
             perm_name("status", status), seconds, value, message);
}

#define NATURAL_OF(value_, message_, call) \
  if (natural_wants(t, #call) && (t->status = call, 1)) natural_check(t, value_, message_);
#define NATURAL(call) NATURAL_OF(r.value, r.message, call)
#define NATURAL_JOB(call) NATURAL_OF(0, r.message, call) perm_job_free(job); job = NULL;
#define NATURAL_TWO(by, of, ...) by(of##real(m, n, a, n, __VA_ARGS__)) by(of##complex(m, n, z, n, __VA_ARGS__))
#define NATURAL_FOUR(by, of, ...) NATURAL_TWO(by, of, __VA_ARGS__) \
  by(of##integer(m, n, whole, n, __VA_ARGS__)) by(of##gaussian(m, n, pairs, n, __VA_ARGS__))
#define NATURAL_INTO(call) out[0] = 0; NATURAL_OF(r.value + out[0], r.message, call)

static int natural_block(void *user_data, size_t first, size_t count, const double *values)
{
  return (void)user_data, (void)first, (void)count, (void)values, 0;
}

/* a and whole: two matrices, one below the other; z and pairs: the same of complex numbers. */
static void natural_call_all(natural_try *t, const double *a, const double *z, const int64_t *whole,
                             const int64_t *pairs, perm_integer *numbers, double *out)
{
  static int index[NATURAL_MOST], columns[2 * NATURAL_MOST];
  const int m = t->m, n = t->n, k = m < n ? m : n, rank = k < 2 ? k : 2, cuts[1] = {1};
  const perm_options *o = &t->options;
  const perm_outputs outputs = {NULL, NULL, 1, 0, natural_block, NULL};
  double x[NATURAL_MOST], y[NATURAL_MOST], *const outs[1] = {out};
  perm_job *job = NULL;
  perm_matrix matrix, other;
  const perm_matrix *const matrices[1] = {&matrix};
  perm_preparation report;
  perm_estimate e;
  perm_result r;
  for (int i = 0; i < k; i++) {
    index[i] = i;
    x[i] = i + 1;
    y[i] = -0.5 - i;
  }
  CHECK(perm_matrix_from_dense(m, n, a, n, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_matrix_from_dense(m, n, a + m * n, n, NULL, &other, NULL) == PERM_OK);
  if (k <= 20 || k > PERM_MAX_N) { /* they have no limits */
    NATURAL_OF(0, "", (perm_real(k, a), PERM_OK)) NATURAL_OF(0, "none", perm_complex(k, z, out))
  }
  NATURAL_FOUR(NATURAL, perm_compute_, o, &r)
  NATURAL_FOUR(NATURAL, perm_compute_repeated_, NULL, NULL, o, &r)
  NATURAL_FOUR(NATURAL_JOB, perm_job_, o, &job, &r)
  NATURAL_JOB(perm_sparse_job(&matrix, o, &job, &r)) NATURAL(perm_compute_sparse(&matrix, o, &r))
  NATURAL_OF(0, r.message, perm_sparse_report(&matrix, o, &report, &r))
  NATURAL_TWO(NATURAL_INTO, perm_minors_, NULL, NULL, 0, o, out, &r)
  NATURAL_TWO(NATURAL_INTO, perm_gradient_, NULL, NULL, o, out, &r)
  NATURAL_INTO(perm_marginals_real(m, n, a, n, NULL, NULL, o, out, &r))
  NATURAL_INTO(perm_batch_real(k, 2, a, (size_t)(k * k), o, out, &r))
  NATURAL_INTO(perm_batch_complex(k, 2, z, (size_t)(k * k), o, out, &r))
  NATURAL_INTO(perm_batch_real_soa(k, 1, a, 1, o, out, &r)) NATURAL_INTO(perm_batch_complex_soa(k, 1, z, 1, o, out, &r))
  NATURAL_TWO(NATURAL_INTO, perm_select_, k, 1, index, index, o, out, &r)
  NATURAL(perm_compute_low_rank_real(k, rank, a, n, a, n, o, &r))
  NATURAL(perm_compute_low_rank_complex(k, rank, z, n, z, n, o, &r))
  NATURAL(perm_compute_cauchy_real(k, x, y, o, NULL, &r)) NATURAL(perm_compute_cauchy_complex(k / 2, x, y, o, NULL, &r))
  NATURAL(perm_prove_integer(m, n, whole, n, NULL, o, &r)) NATURAL(perm_prove_gaussian(m, n, pairs, n, NULL, o, &r))
  NATURAL(perm_prove_sparse(&matrix, NULL, o, &r))
  NATURAL_OF(e.value, e.message, perm_estimate_real(k, a, n, NULL, o, &e))
  NATURAL_OF(e.value, e.message, perm_estimate_complex(k, z, n, NULL, o, &e))
  NATURAL(perm_rook_numbers(&matrix, o, numbers, &r))
  NATURAL(perm_polynomial_integer(m, n, whole, n, whole + m * n, n, k, o, numbers, &r))
  NATURAL(perm_polynomial_gaussian(m, n, pairs, n, pairs + 2 * m * n, n, k, o, numbers, &r))
  NATURAL_INTO(perm_polynomial_real(m, n, a, n, a + m * n, n, k, o, out, NULL, &r))
  NATURAL_INTO(perm_polynomial_complex(m, n, z, n, z + 2 * m * n, n, k, o, out, NULL, &r))
  NATURAL_INTO(perm_polynomial_sparse(&matrix, &other, k, o, out, NULL, &r))
  NATURAL(perm_polynomial_sparse_integer(&matrix, &other, k, o, numbers, &r))
  NATURAL(perm_polynomial_several_integer(m, n, 1, whole, n, cuts, o, numbers, &r))
  NATURAL(perm_polynomial_several_gaussian(m, n, 1, pairs, n, cuts, o, numbers, &r))
  NATURAL_INTO(perm_polynomial_several_real(m, n, 1, a, n, cuts, o, out, NULL, &r))
  NATURAL_INTO(perm_polynomial_several_complex(m, n, 1, z, n, cuts, o, out, NULL, &r))
  NATURAL(perm_permanental_polynomial(k, whole, n, o, numbers, &r))
  NATURAL(perm_permanental_polynomial_sparse(&matrix, o, numbers, &r))
  NATURAL_OF(0, r.message, perm_sample_sparse(&matrix, o, 1, 0, 2, columns, &r))
  NATURAL_INTO(perm_gradient_sparse(&matrix, o, out, &r))
  NATURAL(perm_gradient_sparse_mod(&matrix, o, (uint64_t *)(void *)out, &r))
  NATURAL(perm_gradient_sparse_integer(&matrix, o, numbers, &r))
  NATURAL_INTO(perm_marginals_sparse(&matrix, o, out, NULL, &r))
  NATURAL_INTO(perm_marginals_sparse_batch(1, matrices, o, outs, NULL, &r))
  NATURAL_OF(0, r.message, perm_sparse_spy(&matrix, o, "build/natural.svg", NULL, &r))
  NATURAL_OF(r.value, r.message, perm_amplitudes_complex(m, n, z, n, NULL, &outputs, o, NULL, &r))
  perm_matrix_free(&matrix);
  perm_matrix_free(&other);
}

static void natural_fill(const natural_try *t, double *a, double *z, int64_t *whole, int64_t *pairs)
{
  for (int e = 0; e < 2 * t->m * t->n; e++) {
    const int i = e / t->n % t->m, j = e / t->n < t->m ? e % t->n : t->n - 1 - e % t->n;
    a[e] = z[2 * e] = natural_entry(t->kind, i, j, t->n);
    z[2 * e + 1] = 0.5 * a[e];
    whole[e] = pairs[2 * e] = pairs[2 * e + 1] = (int64_t)ceil(3 * a[e]);
  }
}

/* Each public call with options is called above, but for those named here, whose limits other tests reach. */
static void natural_list(void)
{
  static const char *const rooms[] = {"src/api/calls.h", "src/api/sparse_calls.h", "src/api/more_calls.h"};
  static const char others[] =
      " perm_checkpoint_options perm_checkpoint_read perm_checkpoint_write perm_job_execute perm_job_range "
      "perm_matrix_from_csr perm_matrix_from_dense perm_matrix_from_edges perm_matrix_from_triplets perm_matrix_read "
      "perm_matrix_read_each perm_matrix_read_memory perm_matrix_write ";
  static char text[65536];
  int found = 0;
  for (int k = 0; k < 3; k++) {
    FILE *file = fopen(rooms[k], "rb");
    char *at = text, name[80];
    if (!file)
      return;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    while ((at = strstr(at, "_API perm_status perm_")) != NULL) {
      char *end = strchr(at, ';'), *options = strstr(at, "perm_options *");
      at += strlen("_API perm_status");
      snprintf(name, sizeof name, "%.*s ", (int)strcspn(at, "("), at);
      found += options && options < end;
      CHECK_SHOW(!options || options > end || strstr(natural_names, name) || strstr(others, name), "%s", name);
    }
  }
  CHECK(found > 60);
}

static double natural_a[2 * NATURAL_MOST * NATURAL_MOST], natural_z[2 * 2 * NATURAL_MOST * NATURAL_MOST];
static int64_t natural_whole[2 * NATURAL_MOST * NATURAL_MOST], natural_pairs[2 * 2 * NATURAL_MOST * NATURAL_MOST];

/* Calls that ended late, for their planning did not look at the limits. Other work takes none of their CPU time. */
TEST(t_natural_ends_in_time)
{
  static const struct { const char *call; int kind, n; } late[] = {
      {"perm_rook_numbers", 3, 43}, {"perm_prove_gaussian", 0, 43},
      {"perm_permanental_polynomial(", 7, 64}, {"perm_permanental_polynomial(", 11, 50}};
  perm_integer *numbers = (perm_integer *)malloc(NATURAL_MOST * NATURAL_MOST * sizeof *numbers);
  double *out = (double *)malloc(2 * NATURAL_MOST * NATURAL_MOST * sizeof *out);
  for (int k = 0; k < (int)(sizeof late / sizeof *late); k++) {
    natural_try t = {late[k].kind, late[k].n, late[k].n, 3, 1, 1, "", late[k].call, 0, PERM_OK, {0}};
    natural_fill(&t, natural_a, natural_z, natural_whole, natural_pairs);
    const clock_t start = clock();
    natural_call_all(&t, natural_a, natural_z, natural_whole, natural_pairs, numbers, out);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK_SHOW(t.status != PERM_OK && seconds < 0.4, "%s: %.2f s", late[k].call, seconds);
    if (test_verbose)
      printf("     %s: %.3f s\n", late[k].call, seconds);
  }
  natural_try years = {12, 60, 60, 0, 1, 1, "", "", 0, PERM_OK, {0}};
  natural_fill(&years, natural_a, natural_z, natural_whole, natural_pairs);
  perm_job *job;
  perm_leaf leaf;
  CHECK(perm_job_integer(60, 60, natural_whole, 60, NULL, &job, NULL) == PERM_OK &&
        perm_job_leaf(job, 0, &leaf) == PERM_OK);
  CHECK_SHOW(leaf.seconds > 1e9 && leaf.seconds / (double)leaf.chunks <= 0.1, "%g s, %g chunks", leaf.seconds,
             (double)leaf.chunks);
  perm_job_free(job);
  free(numbers);
  free(out);
}

TEST(t_natural_matrices)
{
  static const int orders[NATURAL_ORDERS] = {0, 1, 2, 3, 20, 43, 46, 60, 64, 65, 100, 200};
  perm_integer *numbers = (perm_integer *)malloc(NATURAL_MOST * NATURAL_MOST * sizeof *numbers);
  double *out = (double *)malloc(2 * NATURAL_MOST * NATURAL_MOST * sizeof *out);
  natural_try t = {0, 0, 0, 0, test_quick ? 800 : 400, 0, "", NULL, 0, PERM_OK, {0}};
  for (int k = 0; k < NATURAL_KINDS * NATURAL_ORDERS * 3; k++) {
    const int order = orders[k / 3 % NATURAL_ORDERS];
    t.kind = k / 3 / NATURAL_ORDERS;
    t.m = k % 3 == 1 ? (order + 1) / 2 : order;
    t.n = k % 3 == 2 ? (order + 1) / 2 : order;
    natural_fill(&t, natural_a, natural_z, natural_whole, natural_pairs);
    for (t.limit = 0; t.limit < NATURAL_LIMITS; t.limit++)
      natural_call_all(&t, natural_a, natural_z, natural_whole, natural_pairs, numbers, out);
  }
  natural_list();
  remove("build/natural.svg");
  free(numbers);
  free(out);
}
/* SPDX-License-Identifier: MIT */
