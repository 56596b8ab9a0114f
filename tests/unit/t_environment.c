/* >>platform: rounding modes, flush-to-zero and denormals-are-zero, in the calling thread, in OpenMP's threads,
   which keep what an earlier loop set, or in both; jobs planned, executed and finished in different ones. Every call
   gives the bits that it gives at nearest with denormals, and leaves the thread as it was. perm_real and perm_complex,
   which take no look at small orders, keep their promise. */

#if defined(__clang__) /* its constants would be folded, and operations moved, across the changes */
#define ENVIRONMENT_STILL __attribute__((noinline, optnone))
#else
#define ENVIRONMENT_STILL __attribute__((noinline))
#endif

typedef struct environment_mode {
  int rounding, flush; /* flush: 1 results, 2 operands */
} environment_mode;

static const int environment_roundings[] = {
    FE_TONEAREST,
#if defined(FE_UPWARD)
    FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO
#endif
};
enum { ENVIRONMENT_ROUNDINGS = sizeof environment_roundings / sizeof *environment_roundings };
#if PERMI_X86
enum { ENVIRONMENT_FLUSHES = 4 };
#elif PERMI_ARM
enum { ENVIRONMENT_FLUSHES = 2 };
#else
enum { ENVIRONMENT_FLUSHES = 1 };
#endif
enum { ENVIRONMENT_MODES = ENVIRONMENT_ROUNDINGS * ENVIRONMENT_FLUSHES };

static int environment_flush(void)
{
#if PERMI_X86
  const unsigned word = _mm_getcsr();
  return (word & 0x8000 ? 1 : 0) | (word & 0x40 ? 2 : 0);
#elif PERMI_ARM
  uint64_t word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  return (int)(word >> 24 & 1);
#else
  return 0;
#endif
}

ENVIRONMENT_STILL static void environment_set(int mode)
{
  const int flush = mode / ENVIRONMENT_ROUNDINGS;
  fesetround(environment_roundings[mode % ENVIRONMENT_ROUNDINGS]);
#if PERMI_X86
  _mm_setcsr((_mm_getcsr() & ~0x8040u) | (flush & 1 ? 0x8000u : 0) | (flush & 2 ? 0x40u : 0));
#elif PERMI_ARM
  uint64_t word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  word = (word & ~((uint64_t)1 << 24)) | (uint64_t)flush << 24;
  __asm__ volatile("msr fpcr, %0" : : "r"(word) : "memory");
#endif
  (void)flush;
}

ENVIRONMENT_STILL static int environment_is(int mode)
{
  return fegetround() == environment_roundings[mode % ENVIRONMENT_ROUNDINGS] &&
         environment_flush() == mode / ENVIRONMENT_ROUNDINGS;
}

enum { ENVIRONMENT_THREADS = 3 };
static void environment_set_all(int caller, int workers)
{
  PERMI_OMP(parallel num_threads(ENVIRONMENT_THREADS))
  {
    environment_set(workers);
  }
  environment_set(caller);
}

/* What a call gave, as bytes. */
typedef struct environment_outcome {
  size_t bytes;
  unsigned char byte[8192];
} environment_outcome;

static void environment_note(environment_outcome *outcome, const void *from, size_t bytes)
{
  if (outcome->bytes + bytes > sizeof outcome->byte)
    abort();
  memcpy(outcome->byte + outcome->bytes, from, bytes);
  outcome->bytes += bytes;
}

static void environment_result(environment_outcome *outcome, const perm_result *r)
{
  const double number[] = {r->value, r->imaginary, r->error_bound, r->error_estimate, (double)r->exp2};
  const int code[] = {(int)r->status, r->exact, (int)r->method, (int)r->precision};
  char text[1500];
  environment_note(outcome, number, sizeof number);
  environment_note(outcome, code, sizeof code);
  perm_result_text(r, text, sizeof text);
  environment_note(outcome, text, strlen(text));
}

/* A matrix: uniform, signed, near the least numbers, of all sizes, or whole numbers; some zeros. */
enum { ENVIRONMENT_N = 26, ENVIRONMENT_ENTRIES = 2 * ENVIRONMENT_N * ENVIRONMENT_N };
typedef struct environment_case {
  int kind, mixture, n;
  double a[ENVIRONMENT_ENTRIES];
  int64_t whole[ENVIRONMENT_ENTRIES];
  double single[ENVIRONMENT_ENTRIES]; /* of single precision */
  perm_matrix sparse, integers;
} environment_case;

static double environment_entry(int mixture)
{
  const double x = 0.1 + test_uniform(), sign = test_random() & 1 ? 1 : -1;
  switch (mixture) {
  case 0: return x;
  case 1: return sign * x;
  case 2: return test_random() & 1 ? x * 1e-308 : x * 1e-311;
  case 3: return sign * x * (test_random() & 1 ? 1e300 : 1e-310);
  case 4: return test_below(3) ? x : x * 1e-309;
  default: return test_below(8) ? sign * (test_below(9) + 1) : 0;
  }
}

typedef enum environment_kind {
  ENVIRONMENT_INTEGER, ENVIRONMENT_GAUSSIAN, ENVIRONMENT_MODULO, ENVIRONMENT_HYBRID, ENVIRONMENT_WIDE,
  ENVIRONMENT_REAL, ENVIRONMENT_CERTIFIED, ENVIRONMENT_DD, ENVIRONMENT_COMPLEX,
  ENVIRONMENT_FLOAT, ENVIRONMENT_SPARSE, ENVIRONMENT_ENGINES, ENVIRONMENT_STRUCTURE, ENVIRONMENT_BATCH,
  ENVIRONMENT_MINORS, ENVIRONMENT_GRADIENT, ENVIRONMENT_COUNTS, ENVIRONMENT_ROOK, ENVIRONMENT_SAMPLE,
  ENVIRONMENT_ESTIMATE, ENVIRONMENT_GUARANTEE, ENVIRONMENT_LOW_RANK, ENVIRONMENT_CAUCHY, ENVIRONMENT_FILES,
  ENVIRONMENT_PLANAR, ENVIRONMENT_KINDS
} environment_kind;

static void environment_make(environment_case *c, int kind, int trial)
{
  const int shared = kind == ENVIRONMENT_HYBRID || kind == ENVIRONMENT_WIDE;
  double zeros = trial % 3 ? 0.3 : 0;
  int row[ENVIRONMENT_N * ENVIRONMENT_N], column[ENVIRONMENT_N * ENVIRONMENT_N], i, entries = 0;
  perm_result r;
  c->kind = kind;
  c->mixture = trial % 6;
  c->n = shared || kind == ENVIRONMENT_MODULO ? 22 + trial % 4 : 2 + test_below(9);
  if ((kind == ENVIRONMENT_REAL || kind == ENVIRONMENT_CERTIFIED || kind == ENVIRONMENT_COMPLEX ||
       kind == ENVIRONMENT_INTEGER) && trial % 4 == 3)
    c->n = 20;
  if (kind == ENVIRONMENT_PLANAR)
    c->n = 4 + test_below(5);
  if (shared || kind == ENVIRONMENT_MODULO)
    zeros = 0.75;
  for (i = 0; i < ENVIRONMENT_ENTRIES; i++) {
    const int here = test_uniform() >= zeros || (i < c->n * c->n && i % (c->n + 1) == 0);
    const int most = kind == ENVIRONMENT_MODULO || kind == ENVIRONMENT_WIDE ? 1000000 : 9;
    c->a[i] = here ? environment_entry(c->mixture) : 0;
    c->single[i] = (double)(float)(c->mixture == 3   ? test_uniform() * 1e-39
                                   : c->mixture == 2 ? c->a[i] * 1e268
                                                     : c->a[i]);
    c->whole[i] = here ? (test_below(2 * most + 1) - most) : 0;
    if (kind == ENVIRONMENT_PLANAR && abs(i / c->n - i % c->n) > 1)
      c->a[i] = 0;
    if (i < c->n * c->n) {
      row[entries] = i / c->n;
      column[entries] = i % c->n;
      c->whole[i] += i % (c->n + 1) == 0 && !c->whole[i];
      entries++;
    }
  }
  CHECK(perm_matrix_from_triplets(c->n, c->n, (size_t)entries, row, column, NULL, NULL, c->whole, PERM_KIND_INTEGER,
                                  NULL, &c->integers, &r) == PERM_OK);
  CHECK(perm_matrix_from_dense(c->n, c->n, c->a, c->n, NULL, &c->sparse, &r) == PERM_OK);
}

static void environment_estimate(const environment_case *c, int guarantee, const perm_options *options,
                                 environment_outcome *outcome)
{
  double a[ENVIRONMENT_N * ENVIRONMENT_N];
  perm_estimate_plan plan;
  perm_estimate e;
  int i;
  memset(&plan, 0, sizeof plan);
  plan.samples = guarantee ? 0 : 1024;
  plan.relative_error = guarantee ? 0.5 : 0;
  plan.guarantee = guarantee;
  plan.seed = 5;
  for (i = 0; i < c->n * c->n; i++)
    a[i] = c->mixture == 1 && !guarantee ? c->a[i] : fabs(c->a[i]);
  if (c->mixture == 1 && !guarantee)
    perm_estimate_complex(c->n, c->a, c->n, &plan, options, &e);
  else
    perm_estimate_real(c->n, a, c->n, &plan, options, &e);
  {
    const double number[] = {e.value, e.imaginary, e.standard_error, e.low, e.high, e.radius, e.proved_radius,
                             e.certain_low, e.certain_high, (double)e.exp2, e.samples, (double)e.status};
    environment_note(outcome, number, sizeof number);
  }
}

static void environment_files(const environment_case *c, environment_outcome *outcome)
{
  static const char text[] = "0.1 1e-310 3.3333333333333331 4.9e-324\n1e300 7e-309 0 1\n"
                             "0.7 0 2.2250738585072011e-308 1\n1 1 1e-320 0.3\n";
  const char *path = "build/environment.mtx";
  perm_matrix matrix;
  perm_result r;
  FILE *file;
  int byte;
  CHECK(perm_matrix_read_memory(text, sizeof text - 1, "a", NULL, &matrix, &r) == PERM_OK);
  environment_note(outcome, matrix.real, matrix.nnz * sizeof *matrix.real);
  perm_compute_sparse(&matrix, NULL, &r);
  environment_result(outcome, &r);
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_write(path, &c->sparse, NULL, &r) == PERM_OK);
  file = fopen(path, "rb");
  for (byte = file ? fgetc(file) : EOF; byte != EOF; byte = fgetc(file)) {
    const unsigned char one = (unsigned char)byte;
    environment_note(outcome, &one, 1);
  }
  if (file)
    fclose(file);
  remove(path);
}

/* A call, from arguments to what it gives; nothing is computed here. */
static void environment_call(const environment_case *c, int threads, environment_outcome *outcome)
{
  static const perm_method engines[] = {PERM_METHOD_LISTS, PERM_METHOD_SORTING, PERM_METHOD_ARRAYS, PERM_METHOD_TREE,
                                        PERM_METHOD_BAND, PERM_METHOD_TWINS, PERM_METHOD_TRANSVERSALS,
                                        PERM_METHOD_SPARYSER, PERM_METHOD_DECOMPOSE, PERM_METHOD_DOMINATING,
                                        PERM_METHOD_HYBRID, PERM_METHOD_SIGN_SEARCH, PERM_METHOD_MULTIPLICITIES,
                                        PERM_METHOD_SUBSETS};
  static const int counts[] = {2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1};
  const int n = c->n;
  const size_t square = (size_t)n * (size_t)n;
  double out[2 * ENVIRONMENT_N * ENVIRONMENT_N];
  perm_options options;
  perm_result r;
  size_t k;
  memset(&options, 0, sizeof options);
  memset(&r, 0, sizeof r);
  options.threads = threads;
  switch ((environment_kind)c->kind) {
  case ENVIRONMENT_INTEGER: perm_compute_integer(n, n, c->whole, n, &options, &r); break;
  case ENVIRONMENT_GAUSSIAN: perm_compute_gaussian(n, n, c->whole, n, &options, &r); break;
  case ENVIRONMENT_MODULO:
    options.modulus = UINT64_C(0x1fffffffffffffff);
    perm_compute_sparse(&c->integers, &options, &r);
    break;
  case ENVIRONMENT_HYBRID:
  case ENVIRONMENT_WIDE:
    options.method = PERM_METHOD_HYBRID;
    perm_compute_sparse(&c->integers, &options, &r);
    break;
  case ENVIRONMENT_REAL: perm_compute_real(n, n, c->a, n, &options, &r); break;
  case ENVIRONMENT_CERTIFIED:
    options.certify = 1;
    perm_compute_real(n, n, c->a, n, &options, &r);
    break;
  case ENVIRONMENT_DD:
    options.precision = PERM_PRECISION_DD;
    perm_compute_real(n, n, c->a, n, &options, &r);
    break;
  case ENVIRONMENT_COMPLEX: perm_compute_complex(n, n, c->a, n, &options, &r); break;
  case ENVIRONMENT_FLOAT: perm_compute_real(n, n, c->single, n, &options, &r); break;
  case ENVIRONMENT_PLANAR: options.method = PERM_METHOD_PLANAR; /* fall through */
  case ENVIRONMENT_SPARSE: perm_compute_sparse(&c->sparse, &options, &r); break;
  case ENVIRONMENT_STRUCTURE: {
    perm_matrix matrix;
    if (perm_matrix_from_dense(n, n, c->a, n, NULL, &matrix, &r) == PERM_OK) {
      environment_note(outcome, matrix.real, matrix.nnz * sizeof *matrix.real);
      perm_matrix_free(&matrix);
    }
    perm_matrix_borrow_csr(n, n, c->sparse.row_start, c->sparse.column, c->sparse.real, NULL, NULL, PERM_KIND_REAL,
                           &matrix, &r);
    break;
  }
  case ENVIRONMENT_ENGINES:
    for (k = 0; k < sizeof engines / sizeof *engines; k++) {
      options.method = engines[k];
      if (engines[k] >= PERM_METHOD_FRONTIER)
        perm_compute_sparse(k % 2 ? &c->sparse : &c->integers, &options, &r);
      else
        perm_compute_real(n, n, c->a, n, &options, &r);
      environment_result(outcome, &r);
    }
    break;
  case ENVIRONMENT_BATCH:
    perm_batch_real(n < 6 ? n : 5, 4, c->a, 25, &options, out, &r);
    environment_note(outcome, out, 4 * sizeof *out);
    perm_batch_complex(n < 6 ? n : 5, 4, c->a, 25, &options, out, &r);
    environment_note(outcome, out, 8 * sizeof *out);
    perm_batch_real_soa(n < 6 ? n : 5, 4, c->single, 4, &options, out, &r);
    environment_note(outcome, out, 4 * sizeof *out);
    break;
  case ENVIRONMENT_MINORS:
    perm_minors_complex(n, n, c->a, n, NULL, NULL, 1, &options, out, &r);
    environment_note(outcome, out, 2 * (size_t)n * sizeof *out);
    break;
  case ENVIRONMENT_GRADIENT:
    perm_gradient_real(n, n, c->a, n, NULL, NULL, &options, out, &r);
    environment_note(outcome, out, square * sizeof *out);
    break;
  case ENVIRONMENT_COUNTS:
    perm_compute_repeated_integer(n, n, c->whole, n, counts, counts, &options, &r);
    environment_result(outcome, &r);
    perm_compute_repeated_real(n, n, c->a, n, counts, counts, &options, &r);
    break;
  case ENVIRONMENT_ROOK: {
    perm_integer number[ENVIRONMENT_N + 1];
    perm_rook_numbers(&c->integers, &options, number, &r);
    for (k = 0; k <= (size_t)n; k++)
      environment_note(outcome, number[k].word, (size_t)number[k].words * sizeof number[k].word[0]);
    break;
  }
  case ENVIRONMENT_SAMPLE: {
    int columns[64 * ENVIRONMENT_N];
    double a[ENVIRONMENT_N * ENVIRONMENT_N];
    for (k = 0; k < square; k++)
      memcpy(&a[k], &c->a[k], sizeof *a), a[k] = fabs(a[k]);
    memset(columns, 0, sizeof columns);
    if (inside_sample_real(n, n, a, n, &options, 3, 0, 64, columns, &r) == PERM_OK)
      environment_note(outcome, columns, 64 * (size_t)n * sizeof *columns);
    break;
  }
  case ENVIRONMENT_ESTIMATE: environment_estimate(c, 0, &options, outcome); return;
  case ENVIRONMENT_GUARANTEE: environment_estimate(c, 1, &options, outcome); return;
  case ENVIRONMENT_LOW_RANK: perm_compute_low_rank_real(n, 2, c->a, 2, c->a + 2 * n, n, &options, &r); break;
  case ENVIRONMENT_CAUCHY: perm_compute_cauchy_real(n, c->a, c->a + n, &options, NULL, &r); break;
  case ENVIRONMENT_FILES: environment_files(c, outcome); return;
  case ENVIRONMENT_KINDS: return;
  }
  environment_result(outcome, &r);
}

static struct { long calls, wrong, kind[ENVIRONMENT_KINDS]; } environment_tally;

static void environment_compare(const environment_case *c, const environment_outcome *right, int caller, int workers)
{
  static environment_outcome outcome;
  int kept;
  outcome.bytes = 0;
  environment_set_all(caller, workers);
  environment_call(c, ENVIRONMENT_THREADS, &outcome);
  kept = environment_is(caller);
  environment_set_all(0, 0);
  environment_tally.calls++;
  if (outcome.bytes != right->bytes || memcmp(outcome.byte, right->byte, right->bytes) || !kept) {
    environment_tally.wrong++;
    environment_tally.kind[c->kind]++;
  }
  CHECK_SHOW(kept, "kind %d caller %d workers %d: the thread's environment is another", c->kind, caller, workers);
  CHECK_SHOW(outcome.bytes == right->bytes && !memcmp(outcome.byte, right->byte, right->bytes),
             "kind %d mixture %d n %d, caller in mode %d, workers in %d", c->kind, c->mixture, c->n, caller, workers);
}

/* `modes` pairs of modes for each of `trials` cases of a kind. */
static void environment_kind_is_right(int kind, int trials, int modes)
{
  static environment_case c;
  static environment_outcome right;
  int trial, k;
  for (trial = 0; trial < trials; trial++) {
    environment_set_all(0, 0);
    environment_make(&c, kind, trial);
    right.bytes = 0;
    environment_call(&c, ENVIRONMENT_THREADS, &right);
    CHECK(right.bytes > 0);
    for (k = 0; k < modes; k++) {
      const int mode = 1 + (trial + k * 7) % (ENVIRONMENT_MODES - 1), place = (trial + k) % 3;
      const int workers = place == 1 ? mode : place ? test_below(ENVIRONMENT_MODES) : 0;
      environment_compare(&c, &right, place != 1 ? mode : 0, workers);
    }
    perm_matrix_free(&c.sparse);
    perm_matrix_free(&c.integers);
  }
}

TEST(t_environment_changes_no_bits)
{
  int kind;
  test_seed(4001);
  if (ENVIRONMENT_MODES < 2)
    SKIP("one mode only");
  for (kind = 0; kind < ENVIRONMENT_KINDS; kind++)
    environment_kind_is_right(kind, 6, 4);
}

TEST_LONG(t_environment_changes_no_bits_of_many)
{
  int kind;
  test_seed(4002);
  if (ENVIRONMENT_MODES < 2)
    SKIP("one mode only");
  memset(&environment_tally, 0, sizeof environment_tally);
  for (kind = 0; kind < ENVIRONMENT_KINDS; kind++)
    environment_kind_is_right(kind, 24, 6);
  printf("environments: %ld calls in strange modes, %ld wrong; by kind:", environment_tally.calls,
         environment_tally.wrong);
  for (kind = 0; kind < ENVIRONMENT_KINDS; kind++)
    printf(" %ld", environment_tally.kind[kind]);
  printf("\n");
}

/* Planned, executed by ranges and by perm_job_execute, merged and finished in modes of their own. */
static void environment_job(int trial, const int *mode)
{
  static environment_case c;
  perm_options options;
  perm_result whole, r[2];
  perm_job *job = NULL;
  perm_state *state = NULL;
  perm_partial *partial = NULL, *half = NULL;
  perm_status status;
  int leaf, leaves;
  environment_set_all(0, 0);
  environment_make(&c, trial % 2 ? ENVIRONMENT_WIDE : ENVIRONMENT_HYBRID, trial);
  memset(&options, 0, sizeof options);
  options.threads = ENVIRONMENT_THREADS;
  options.method = trial % 3 ? PERM_METHOD_HYBRID : PERM_METHOD_AUTO;
  if (trial % 5 == 4)
    options.modulus = UINT64_C(0x7fffffffffffffe7);
  perm_compute_sparse(&c.integers, &options, &whole);
  environment_set_all(mode[0], mode[1]);
  status = perm_sparse_job(&c.integers, &options, &job, &r[0]);
  environment_set_all(mode[2], mode[1]);
  leaves = perm_job_leaves(job);
  partial = (perm_partial *)calloc((size_t)leaves + 1, sizeof *partial);
  half = (perm_partial *)calloc(1, sizeof *half);
  for (leaf = 0; leaf < leaves && status == PERM_OK; leaf++) {
    perm_leaf of;
    perm_job_leaf(job, leaf, &of);
    memset(half, 0, sizeof *half);
    status = perm_job_run(job, leaf, 0, of.chunks / 2, half);
    environment_set(mode[3]);
    if (status == PERM_OK)
      status = perm_job_range(job, leaf, of.chunks / 2, of.chunks, &options, &partial[leaf], &r[0]);
    environment_set(mode[4]);
    if (status == PERM_OK)
      status = perm_partial_merge(&partial[leaf], half);
  }
  if (status == PERM_OK)
    perm_job_finish(job, partial, &r[0]);
  environment_set(mode[0]);
  if (status == PERM_OK)
    status = perm_state_create(job, &state);
  environment_set(mode[3]);
  if (status == PERM_OK)
    perm_job_execute(job, state, &options, &r[1]);
  environment_set_all(0, 0);
  CHECK_SHOW(status == PERM_OK, "trial %d: status %d", trial, (int)status);
  for (leaf = 0; leaf < 2 && status == PERM_OK; leaf++) {
    CHECK_SHOW(r[leaf].status == PERM_OK && r[leaf].exact && r[leaf].integer.words == whole.integer.words &&
                   r[leaf].integer.negative == whole.integer.negative && r[leaf].value == whole.value &&
                   !memcmp(r[leaf].integer.word, whole.integer.word,
                           (size_t)whole.integer.words * sizeof whole.integer.word[0]),
               "trial %d: %.17g for %.17g, exact %d", trial, r[leaf].value, whole.value, r[leaf].exact);
  }
  perm_state_free(state);
  perm_job_free(job);
  free(partial);
  free(half);
  perm_matrix_free(&c.sparse);
  perm_matrix_free(&c.integers);
}

static void environment_jobs(int trials)
{
  int trial, k, mode[5];
  for (trial = 0; trial < trials; trial++) {
    for (k = 0; k < 5; k++)
      mode[k] = test_below(3) ? test_below(ENVIRONMENT_MODES) : 0;
    environment_job(trial, mode);
  }
}

TEST(t_environment_of_plan_execution_and_finish)
{
  test_seed(4003);
  environment_jobs(8);
}

TEST_LONG(t_environment_of_many_plans)
{
  test_seed(4004);
  environment_jobs(60);
}

/* The integers of a strange environment against an oracle in integers. */
TEST(t_environment_integers_are_right)
{
  int trial;
  test_seed(4005);
  for (trial = 0; trial < 60; trial++) {
    const int n = 2 + trial % 11;
    double real[12 * 12];
    int64_t a[12 * 12];
    oracle_exact expected;
    perm_result r;
    int i;
    for (i = 0; i < n * n; i++)
      real[i] = (double)(a[i] = test_below(2001) - 1000);
    environment_set(trial % ENVIRONMENT_MODES);
    perm_compute_integer(n, n, a, n, NULL, &r);
    environment_set(0);
    expected = oracle_exact_make(1, n, real); /* more than 113 bits */
    CHECK(r.status == PERM_OK && r.exact);
    CHECK(oracle_exact_is(&expected, 0, r.integer.negative, r.integer.words, r.integer.word, 0));
    oracle_exact_free(&expected);
  }
}

/* A zero is what has the bits of one: never a subnormal number. */
TEST(t_environment_zeros_are_zeros)
{
  static const double tiny[2][4] = {{1e-310, 0, 0, 1e300}, {1e-310, 0, 0, 1000}};
  int mode, k;
  for (mode = 0; mode < ENVIRONMENT_MODES; mode++)
    for (k = 0; k < 2; k++) {
      const double right = k ? 1e-307 : 1e-10;
      perm_options options;
      perm_matrix matrix;
      perm_result r[4];
      double value, pair[2] = {0, 0}, complex_tiny[8] = {0, 0, 0, 0, 0, 0, 0, 0};
      size_t nnz;
      int i;
      for (i = 0; i < 4; i++)
        complex_tiny[2 * i + 1] = tiny[k][i];
      memset(&options, 0, sizeof options);
      options.certify = 1;
      environment_set(mode);
      value = perm_real(2, tiny[k]);
      perm_complex(2, complex_tiny, pair);
      perm_compute_real(2, 2, tiny[k], 2, NULL, &r[0]);
      perm_compute_real(2, 2, tiny[k], 2, &options, &r[1]);
      perm_matrix_from_dense(2, 2, tiny[k], 2, NULL, &matrix, &r[2]);
      nnz = matrix.nnz;
      perm_compute_sparse(&matrix, &options, &r[2]);
      perm_batch_real(2, 1, tiny[k], 4, NULL, &r[3].value, NULL);
      environment_set(0);
      perm_matrix_free(&matrix);
      r[3].exp2 = 0;
      CHECK(nnz == 2);
      CHECK_SHOW(fabs(value - right) < 1e-10 * right, "mode %d: perm_real %g", mode, value);
      CHECK_SHOW(fabs(pair[0] + right) < 1e-10 * right && pair[1] == 0, "mode %d: perm_complex %g", mode, pair[0]);
      for (i = 0; i < 4; i++)
        CHECK_SHOW(fabs(ldexp(r[i].value, (int)r[i].exp2) - right) < 1e-10 * right, "mode %d call %d: %g", mode, i,
                   r[i].value);
    }
}

/* perm_real and perm_complex are right to 1e-10, also where much cancels, or numbers are flushed beside large ones. */
static void environment_promises(int trials)
{
  int trial;
  double worst = 0;
  for (trial = 0; trial < trials; trial++) {
    const int n = 2 + trial % 9, parts = 1 + trial / 9 % 2, mixture = trial / 18 % 4, mode = trial % ENVIRONMENT_MODES;
    double a[2 * 10 * 10], value[2] = {0, 0}, error, size, least;
    perm_result r;
    perm_options options;
    int i;
    memset(&options, 0, sizeof options);
    options.precision = PERM_PRECISION_DD;
    for (i = 0; i < n * n * parts; i++) {
      a[i] = mixture == 3 ? environment_entry(1) : environment_entry(1) * (test_below(3) ? 1 : mixture == 1 ? 1e-9 : 0);
      if (mixture == 2 && n <= 4) /* a row at the edge of the normal numbers, the others large */
        a[i] = environment_entry(1) * (i < n * parts ? (i % 2 ? 3e-308 : 1e-309) : 1e59 / n);
    }
    if (parts == 1) { /* nearly singular for this sum: the last row's first entry cancels most */
      double *x = &a[(n - 1) * n], other[10 * 10], minor;
      for (i = 0; i < (n - 1) * (n - 1); i++)
        other[i] = a[i / (n - 1) * n + 1 + i % (n - 1)];
      perm_compute_real(n - 1, n - 1, other, n - 1, &options, &r);
      minor = ldexp(r.value, (int)r.exp2);
      *x = 0;
      perm_compute_real(n, n, a, n, &options, &r);
      if (mixture != 2 && minor != 0 && test_below(2))
        *x = -ldexp(r.value, (int)r.exp2) / minor * (1 + test_uniform() * pow(10, -test_below(8)));
    }
    environment_set(mode);
    if (parts == 2)
      perm_complex(n, a, value);
    else
      value[0] = perm_real(n, a);
    environment_set(0);
    if (parts == 2)
      perm_compute_complex(n, n, a, n, &options, &r);
    else
      perm_compute_real(n, n, a, n, &options, &r);
    r.value = ldexp(r.value, (int)r.exp2);
    r.imaginary = ldexp(r.imaginary, (int)r.exp2);
    error = hypot(value[0] - r.value, value[1] - r.imaginary);
    size = hypot(r.value, r.imaginary);
    least = ldexp(r.error_estimate, (int)r.exp2) + 1e-300;
    if (r.error_estimate < 1e-13 * fabs(r.value) && size > 1e-290)
      worst = error / size > worst ? error / size : worst;
    CHECK_SHOW(error <= 1e-10 * size + 10 * least, "n %d parts %d mixture %d mode %d: %.17g %.17g for %.17g %.17g", n,
               parts, mixture, mode, value[0], value[1], r.value, r.imaginary);
  }
  if (test_verbose)
    printf("perm_real, perm_complex: off by %.2g of themselves at most\n", worst);
}

TEST(t_environment_at_once_keeps_the_promise)
{
  test_seed(4006);
  environment_promises(20000);
}

TEST_LONG(t_environment_at_once_keeps_the_promise_of_many)
{
  test_seed(4007);
  environment_promises(400000);
}
/* SPDX-License-Identifier: MIT */
