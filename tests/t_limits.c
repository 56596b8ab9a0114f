/* Limits hold everywhere: cancel and max_seconds reach reading, planning, preparation and every kind of call; chunks
   are short at any order; planning keeps to its budget, which is counted in work and not in seconds. */

#if defined(__unix__)
#include <signal.h>
#include <sys/time.h>

#define LIMITS_AFTER 0.12  /* seconds of the processor until somebody cancels */
#define LIMITS_LATENCY 0.3 /* and until the call must be back */

static volatile int limits_cancel;
static volatile clock_t limits_told;

static void limits_alarm(int number)
{
  (void)number;
  limits_cancel = 1;
  limits_told = clock();
}

/* Options of one thread whose `cancel` is set after so many seconds of the processor; 0: at once. */
static perm_options limits_options(double after)
{
  struct itimerval timer;
  perm_options options;
  memset(&options, 0, sizeof options);
  memset(&timer, 0, sizeof timer);
  options.threads = 1;
  options.cancel = &limits_cancel;
  limits_cancel = after == 0;
  limits_told = clock();
  if (after > 0) {
    signal(SIGPROF, limits_alarm);
    timer.it_value.tv_usec = (suseconds_t)(after * 1e6);
    setitimer(ITIMER_PROF, &timer, NULL);
  }
  return options;
}

/* Seconds of the processor since then. Instrumented code is slower by far. */
static int limits_in_time(void)
{
  struct itimerval none;
  const double seconds = (double)(clock() - limits_told) / (double)CLOCKS_PER_SEC;
  memset(&none, 0, sizeof none);
  setitimer(ITIMER_PROF, &none, NULL);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
  return limits_cancel && seconds < 20 * LIMITS_LATENCY;
#else
  return limits_cancel && seconds < LIMITS_LATENCY;
#endif
}

TEST(t_limits_reading_stops)
{
  const size_t lines = 300000, bytes = 20 * lines;
  char *text = (char *)malloc(bytes + 64);
  perm_options options = limits_options(0);
  perm_matrix matrix;
  perm_result result;
  size_t k, kind;
  for (kind = 0; kind < 2; kind++) {
    size_t used = kind ? (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n",
                                         (int)lines, (int)lines, (int)lines)
                       : 0;
    for (k = 0; k < lines; k++)
      used += (size_t)sprintf(text + used, kind ? "%d %d\n" : "%d 1 %d\n", (int)k + 1, (int)(lines - k));
    options = limits_options(0);
    CHECK(perm_matrix_read_memory(text, used, "text", &options, &matrix, &result) == PERM_STOPPED_CANCELLED);
    CHECK_TEXT(result.message, "text: cancelled");
    CHECK(!matrix.row_start && isnan(result.value));
    limits_cancel = 0;
    options.max_seconds = 1e-6;
    CHECK(perm_matrix_read_memory(text, used, "text", &options, &matrix, &result) == PERM_STOPPED_TIME);
    CHECK(!matrix.row_start);
    options.max_seconds = 0;
    CHECK(perm_matrix_read_memory(text, used, "text", &options, &matrix, &result) == PERM_OK);
    CHECK(result.seconds > 0);
    perm_matrix_free(&matrix);
  }
  free(text);
}

TEST(t_limits_preparing_stops)
{
  static const char *const name[] = {"band:40000:3", "tree:100000"};
  perm_options options;
  perm_preparation report;
  perm_matrix matrix;
  perm_result result;
  perm_job *job;
  size_t k;
  for (k = 0; k < sizeof name / sizeof name[0]; k++) {
    CHECK(perm_generate(name[k], 1, NULL, &matrix, NULL) == PERM_OK);
    options = limits_options(0);
    CHECK(perm_sparse_report(&matrix, &options, &report, &result) == PERM_STOPPED_CANCELLED);
    CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_STOPPED_CANCELLED && !job);
    CHECK_TEXT(result.message, "while preparing");
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_CANCELLED && isnan(result.value));
    perm_matrix_free(&matrix);
  }
  options = limits_options(0);
  CHECK(perm_generate("er:2000:0.2", 1, &options, &matrix, &result) == PERM_STOPPED_CANCELLED);
  CHECK_TEXT(result.message, "while generating");
  CHECK(!matrix.row_start);
}

static int limits_compare(const void *left, const void *right)
{
  const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

/* Long sorts, and matrices that are made dense. */
TEST(t_limits_sorts_and_generators_stop)
{
  const size_t count = 400000;
  uint64_t *key = (uint64_t *)malloc(count * sizeof *key), state = 1;
  perm_options options = limits_options(0);
  perm_matrix matrix;
  perm_result result;
  permi_control watch;
  size_t k;
  int kind;
  for (kind = 0; kind < 4; kind++) {
    limits_cancel = kind == 3;
    watch = permi_control_begin(&options);
    for (k = 0; k < count; k++) { /* ascending, descending, any */
      state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
      key[k] = kind == 0 ? k : kind == 1 ? count - k : (state >> 20 << 20) + k;
    }
    CHECK(permi_sort(key, count, sizeof *key, limits_compare, &watch) == (kind < 3));
    for (k = 1; k < count && kind < 3; k++)
      if (key[k - 1] >= key[k])
        break;
    CHECK_SHOW(kind == 3 || k == count, "kind %d: place %d", kind, (int)k);
    CHECK(kind < 3 || watch.stopped == PERM_STOPPED_CANCELLED);
  }
  free(key);
  options = limits_options(LIMITS_AFTER);
  CHECK(perm_generate("unitary:1024", 1, &options, &matrix, &result) == PERM_STOPPED_CANCELLED);
  CHECK(limits_in_time());
}

/* max_bytes is for every call: 3,000 bytes are too few beside the input, 10^8 are enough, and the value is the same. */
TEST(t_limits_memory_of_every_call)
{
  enum { N = 12, CALLS = 10 };
  static double a[2 * N * N], out[2][N * N], x[2 * N];
  double seen[2] = {0, 0};
  perm_estimate_plan sampling;
  perm_options options;
  perm_preparation report;
  perm_estimate estimate;
  perm_matrix matrix;
  perm_result result;
  perm_plan plan;
  perm_job *job;
  int call, much, k;
  for (k = 0; k < 2 * N * N; k++)
    a[k] = 0.25 + (double)(k * 7919 % 101) / 128;
  for (k = 0; k < N; k++) {
    x[k] = k;
    x[N + k] = -1.5 - k;
  }
  memset(&sampling, 0, sizeof sampling);
  sampling.samples = 2000;
  CHECK(perm_generate("er:40:0.2", 1, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_plan_real(N, N, a, N, NULL, &plan, &result) == PERM_OK);
  for (call = 0; call < CALLS; call++)
    for (much = 0; much < 2; much++) {
      perm_status status = PERM_OK;
      const char *said = result.message;
      const double input = call == 6 ? 16.0 * N : call == 4 || call == 7 ? 8.0 * N * N * 2
                           : call > 7 ? 9000 : 8.0 * N * N;
      memset(&options, 0, sizeof options);
      options.threads = 1;
      options.max_bytes = much ? 1e8 : input + 300;
      memset(&result, 0, sizeof result);
      switch (call) {
      case 0: status = perm_minors_real(N, N, a, N, NULL, NULL, 0, &options, out[much], &result); break;
      case 1: status = perm_gradient_real(N, N, a, N, NULL, NULL, &options, out[much], &result); break;
      case 2: status = perm_job_create_real(&plan, a, N, &options, &job, &result); perm_job_free(job); break;
      case 3: status = perm_compute_real(N, N, a, N, &options, &result); break;
      case 4: status = perm_batch_real(N, 2, a, N * N, &options, out[much], &result); break;
      case 5:
        status = perm_estimate_real(N, a, N, &sampling, &options, &estimate);
        said = estimate.message;
        seen[much] = estimate.value;
        break;
      case 6: status = perm_compute_cauchy_real(N, x, x + N, &options, NULL, &result); break;
      case 7: status = perm_compute_low_rank_real(N, 3, a, 3, a, N, &options, &result); break;
      case 8: status = perm_sparse_report(&matrix, &options, &report, &result); break;
      default: status = perm_sparse_spy(&matrix, &options, "build/limits.svg", &result); break;
      }
      CHECK_SHOW(status == (much ? PERM_OK : PERM_ERROR_LIMIT), "call %d, much %d: %s, %s", call, much,
                 perm_status_name(status), said);
      CHECK_SHOW(much || strstr(said, "max_bytes") || strstr(said, "bytes"), "call %d: %s", call, said);
    }
  CHECK(seen[1] > 0);
  perm_matrix_free(&matrix);
  remove("build/limits.svg");
}

static int limits_activity(const perm_progress *progress, void *user_data)
{
  *(const char **)user_data = progress->activity;
  return progress->fraction > 1 || progress->fraction < 0;
}

/* Planning that would take seconds: cancelled in it, out of time in it, with reports of what is going on. */
TEST(t_limits_planning_stops)
{
  const char *activity = "";
  perm_options options;
  perm_matrix matrix;
  perm_result result;
  CHECK(perm_generate("grid:30:30", 1, NULL, &matrix, NULL) == PERM_OK);
  options = limits_options(LIMITS_AFTER);
  options.plan_effort = 100;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_CANCELLED && isnan(result.value));
  CHECK_TEXT(result.message, "while planning");
  CHECK(limits_in_time());
  limits_cancel = 0;
  options.max_seconds = 0.5;
  options.progress = limits_activity;
  options.user_data = &activity;
  limits_told = clock();
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_TIME && isnan(result.value));
  CHECK(!strcmp(activity, "planning"));
  CHECK((double)(clock() - limits_told) / (double)CLOCKS_PER_SEC < 20);
  perm_matrix_free(&matrix);
}

TEST(t_limits_dense_calls_stop)
{
  enum { MOST = 40 };
  double *a = (double *)malloc(sizeof(double) * 3 * 2 * MOST * MOST), *out = (double *)malloc(sizeof(double) * 4000);
  perm_options options;
  perm_result result;
  int call;
  dense_random(MOST * 2, a, 1);
  for (call = 0; call < 7; call++) {
    perm_status status = PERM_OK;
    options = limits_options(LIMITS_AFTER);
    switch (call) {
    case 0: status = perm_minors_real(38, 38, a, 38, NULL, NULL, 0, &options, out, &result); break;
    case 1: status = perm_gradient_complex(34, 34, a, 34, NULL, NULL, &options, out, &result); break;
    case 2:
      options.certify = 1;
      status = perm_compute_complex(38, 38, a, 38, &options, &result);
      break;
    case 3: status = perm_batch_real(40, 3, a, 40 * 40, &options, out, &result); break;
    case 4:
      limits_cancel = 0;
      options.cancel = NULL; /* the time alone: looked at inside a matrix as well */
      options.max_seconds = 0.05;
      status = perm_batch_complex(36, 2, a, 36 * 36, &options, out, &result);
      limits_cancel = 1;
      limits_told = clock() - (clock_t)(0.2 * (double)CLOCKS_PER_SEC);
      break;
    case 5:
      options.method = PERM_SUBSETS;
      status = perm_compute_real(24, 80, a, 80, &options, &result);
      break;
    default:
      options.precision = PERM_PRECISION_DD;
      status = perm_compute_real(36, 36, a, 36, &options, &result);
      break;
    }
    CHECK_SHOW(status == (call == 4 ? PERM_STOPPED_TIME : PERM_STOPPED_CANCELLED), "call %d: %s", call,
               result.message);
    CHECK_SHOW(limits_in_time(), "call %d", call);
    if (call == 3 || call == 4)
      CHECK_SHOW(isnan(out[0]) && isnan(out[call == 4]) && isnan(out[2]), "call %d", call);
  }
  free(a);
  free(out);
}

TEST(t_limits_sparse_engines_stop)
{
  static const struct { const char *name; perm_method method; } job[] = {
      {"er:54:0.3", PERM_SPARYSER}, {"er:54:0.3", PERM_DOMINATING}, {"er:44:0.3", PERM_DECOMPOSE},
      {"er:44:0.3", PERM_TRANSVERSALS}, {"band:20000:9", PERM_BAND}, {"grid:26:26", PERM_LISTS},
      {"grid:24:24", PERM_SORTING}, {"grid:26:26", PERM_ARRAYS}, {"er:48:0.3", PERM_HYBRID},
      {"grid:16:400", PERM_TREE}};
  size_t k;
  for (k = 0; k < sizeof job / sizeof job[0]; k++) {
    perm_options options;
    perm_matrix matrix;
    perm_result result;
    CHECK(perm_generate(job[k].name, 1, NULL, &matrix, NULL) == PERM_OK);
    options = limits_options(LIMITS_AFTER);
    options.method = job[k].method;
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_CANCELLED, "%s by %s: %s", job[k].name,
               perm_method_name(job[k].method), result.message);
    CHECK_SHOW(limits_in_time(), "%s by %s", job[k].name, perm_method_name(job[k].method));
    perm_matrix_free(&matrix);
  }
}
#endif

/* Chunks of what takes longest. */
TEST(t_limits_chunks_are_short)
{
  static const struct { const char *name; perm_method method; int sparse; } job[] = {
      {"er:54:0.3", PERM_SPARYSER, 1}, {"er:64:0.2", PERM_SPARYSER, 1}, {"er:54:0.3", PERM_DOMINATING, 1},
      {"er:64:0.25", PERM_DOMINATING, 1}, {"er:64:0.3", PERM_HYBRID, 1}, {"er:64:0.3", PERM_CACHED, 1},
      {"uniform:64", PERM_DENSE, 0}, {"complex-gauss:64", PERM_DENSE, 0}, {"bernoulli:64", PERM_EXACT, 0}};
  size_t k;
  for (k = 0; k < sizeof job / sizeof job[0]; k++) {
    perm_options options;
    perm_matrix matrix;
    perm_result result;
    perm_job *made = NULL;
    memset(&options, 0, sizeof options);
    options.method = job[k].method;
    CHECK(perm_generate(job[k].name, 1, NULL, &matrix, NULL) == PERM_OK);
    CHECK_SHOW(perm_sparse_job(&matrix, &options, &made, &result) == PERM_OK, "%s", result.message);
    if (made) {
      perm_leaf leaf = {PERM_LEAF_TASK, PERM_AUTO, PERM_ISA_AUTO, 0, 0, 0, 0, 0, 0, 0};
      perm_job_leaf(made, 0, &leaf);
      CHECK_SHOW(leaf.seconds / (double)leaf.chunks <= 1, "%s by %s: chunks of %g s", job[k].name,
                 perm_method_name(job[k].method), leaf.seconds / (double)leaf.chunks);
    }
    perm_job_free(made);
    perm_matrix_free(&matrix);
  }
}

/* A digit that is cut into shares: every value once. */
TEST(t_limits_shares_of_a_digit)
{
  perm_matrix matrix;
  perm_options options;
  int shares;
  memset(&options, 0, sizeof options);
  options.method = PERM_DOMINATING;
  CHECK(perm_generate("binary:14:0.5", 3, NULL, &matrix, NULL) == PERM_OK);
  for (shares = 1; shares <= 5; shares++) {
    perm_partial partial;
    perm_result result, whole;
    perm_job *job = NULL;
    CHECK(perm_sparse_job(&matrix, &options, &job, &whole) == PERM_OK);
    memset(&partial, 0, sizeof partial);
    if (job && job->leaves == 1) {
      permi_ryser *ryser = (permi_ryser *)job->leaf[0].context;
      uint64_t chunks = 1;
      CHECK(ryser->shares == 1 && ryser->low > 0 && ryser->radix[ryser->low - 1] >= 1);
      ryser->shares = shares < ryser->radix[ryser->low - 1] ? shares : ryser->radix[ryser->low - 1];
      ryser->combinations *= (uint64_t)ryser->shares;
      while (chunks < ryser->combinations)
        chunks *= 2;
      job->leaf[0].information.chunks = chunks;
      CHECK(perm_job_run(job, 0, 0, chunks, &partial) == PERM_OK);
      CHECK(perm_job_finish(job, &partial, &result) == PERM_OK);
      CHECK(perm_compute_sparse(&matrix, NULL, &whole) == PERM_OK && whole.exact && result.exact);
      CHECK(!memcmp(&whole.integer, &result.integer, sizeof whole.integer));
    } else {
      CHECK(job && job->leaves == 1);
    }
    perm_job_free(job);
  }
  perm_matrix_free(&matrix);
}

/* Seconds of the processor that the job takes to plan, the least of three. */
static double limits_planning(const perm_matrix *matrix, const perm_options *options, int exact)
{
  double least = (double)INFINITY;
  int k;
  for (k = 0; k < 3; k++) {
    permi_control watch = permi_control_begin(options);
    const clock_t start = clock();
    perm_result result;
    perm_job *job = NULL;
    CHECK(permi_make_job(matrix, &watch, exact, &job, &result) == PERM_OK);
    least = fmin(least, (double)(clock() - start) / (double)CLOCKS_PER_SEC);
    perm_job_free(job);
  }
  return least;
}

/* Work spent on a plan, against what it predicts: at most 5 % of it, or 20 ms (2 ms without zeros), the same whether
   anybody watches or not. What is counted is what the processor does: the pace, seconds for a second that is counted,
   is measured on one matrix, so that it holds on slow machines as well. */
TEST(t_limits_planning_keeps_its_budget)
{
  static const char *const name[] = {"uniform:24", "uniform:62", "dft:40", "er:34:0.3", "er:36:0.2", "er:28:0.6",
                                     "er:30:0.5", "er:32:0.4", "er:40:0.2", "regular:60:3", "regular:80:3",
                                     "grid:20:20", "grid:16:30", "er:40:0.1", "mycielskian:6", "er:38:0.15",
                                     "er:44:0.1", "er:48:0.1", "regular:36:6", "regular:40:5", "binary:34:0.2",
                                     "arrow:60:8", "blocks:10:30:0.3", "blocks:8:34:0.2"};
  double pace = 0;
  size_t k;
  for (k = 0; k < sizeof name / sizeof name[0]; k++) {
    const int full = k < 3;
    volatile int cancel = 0;
    perm_options options;
    perm_matrix matrix;
    perm_result result;
    perm_job *job = NULL, *watched = NULL;
    permi_control watch;
    int exact;
    memset(&options, 0, sizeof options);
    options.threads = 1;
    CHECK(perm_generate(name[k], 1, NULL, &matrix, NULL) == PERM_OK);
    exact = matrix.kind <= PERM_KIND_INTEGER;
    watch = permi_control_begin(&options);
    CHECK_SHOW(permi_make_job(&matrix, &watch, exact, &job, &result) == PERM_OK, "%s: %s", name[k], result.message);
    if (job) {
      const double seconds = permi_job_seconds(job), budget = fmax(0.05 * seconds, full ? 2e-3 : 20e-3);
      const double worked = 1e-9 * watch.worked, planning = limits_planning(&matrix, &options, exact);
      CHECK_SHOW(worked <= budget, "%s: %g s for %g s", name[k], worked, seconds);
      if (!strcmp(name[k], "er:34:0.3"))
        pace = fmax(planning / worked, 1);
      CHECK_SHOW(pace == 0 || planning <= 1.5 * pace * budget, "%s: %g s at a pace of %g for %g s", name[k], planning,
                 pace, seconds);
      options.cancel = &cancel;
      options.max_seconds = 1e9;
      watch = permi_control_begin(&options);
      CHECK(permi_make_job(&matrix, &watch, exact, &watched, &result) == PERM_OK);
      CHECK(watched && watched->leaf[0].information.fingerprint == job->leaf[0].information.fingerprint);
    }
    perm_job_free(job);
    perm_job_free(watched);
    perm_matrix_free(&matrix);
  }
}

/* What one engine lacks in memory another one need not: a job that is made says nothing else in its result. */
TEST(t_limits_bytes_of_an_engine_are_not_the_result)
{
  static const char *const name[2] = {"grid:12:12", "er:24:0.3"};
  int k, made = 0, refused = 0;
  for (k = 0; k < 2; k++) {
    perm_options options = {PERM_AUTO};
    perm_matrix matrix;
    perm_result result;
    perm_job *job;
    CHECK(perm_generate(name[k], 1, NULL, &matrix, NULL) == PERM_OK);
    for (options.max_bytes = 1e5; options.max_bytes < 1e6; options.max_bytes *= 1.02) {
      const perm_status status = perm_sparse_job(&matrix, &options, &job, &result);
      CHECK_SHOW(status == result.status, "%s, %g bytes: %d, %s", name[k], options.max_bytes, (int)status,
                 result.message);
      made += status == PERM_OK;
      refused += status == PERM_ERROR_LIMIT;
      perm_job_free(job);
    }
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(made > 20 && refused > 20, "%d made, %d refused", made, refused);
}
