/* >>control, >>order, >>prices */
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

/* Long sorts, and matrices that are made dense. */
TEST(t_limits_sorts_and_generators_stop)
{
  const size_t count = 400000;
  uint64_t *key = (uint64_t *)malloc(2 * count * sizeof *key), *sorted, state = 1;
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
    sorted = (uint64_t *)permi_sort(key, key + count, count, sizeof *key, &watch);
    CHECK((sorted != NULL) == (kind < 3));
    for (k = 1; k < count && kind < 3; k++)
      if (sorted[k - 1] >= sorted[k])
        break;
    CHECK_SHOW(kind == 3 || k == count, "kind %d: place %d", kind, (int)k);
    CHECK(kind < 3 || watch.stopped == PERM_STOPPED_CANCELLED);
  }
  free(key);
  options = limits_options(LIMITS_AFTER);
  CHECK(perm_generate("unitary:1024", 1, &options, &matrix, &result) == PERM_STOPPED_CANCELLED);
  CHECK(limits_in_time());
}

/* A file that is being written stays as it was; without a limit it is the same as ever. */
TEST(t_limits_writing_stops)
{
  const char *path = "build/limits_write.mtx";
  perm_options options = limits_options(0);
  perm_matrix large, small, back;
  perm_result result;
  CHECK(perm_generate("band:20000:4", 1, NULL, &large, NULL) == PERM_OK);
  CHECK(perm_generate("ones:2", 1, NULL, &small, NULL) == PERM_OK);
  CHECK(perm_matrix_write(path, &small, NULL, &result) == PERM_OK);
  limits_cancel = 1;
  CHECK(perm_matrix_write(path, &large, &options, &result) == PERM_STOPPED_CANCELLED);
  CHECK_TEXT(result.message, "while writing");
  limits_cancel = 0;
  options.max_seconds = 1e-6;
  CHECK(perm_matrix_write(path, &large, &options, &result) == PERM_STOPPED_TIME && result.seconds > 0);
  CHECK(perm_matrix_read(path, NULL, &back, NULL, &result) == PERM_OK && back.n == 2 && back.nnz == 4);
  perm_matrix_free(&back);
  options.max_seconds = 100;
  CHECK(perm_matrix_write(path, &large, &options, &result) == PERM_OK && result.status == PERM_OK);
  CHECK(perm_matrix_read(path, NULL, &back, NULL, &result) == PERM_OK && back.nnz == large.nnz);
  CHECK(!memcmp(back.real, large.real, large.nnz * sizeof *large.real));
  perm_matrix_free(&back);
  perm_matrix_free(&large);
  perm_matrix_free(&small);
  remove(path);
}

static int limits_among_samples(const perm_progress *progress, void *user_data)
{
  (void)user_data;
  if (!limits_cancel && !strcmp(progress->activity, "samples"))
    limits_alarm(0);
  return 0;
}

/* A block of samples of a large matrix is dropped when it is stopped, and without a block there is no value. */
TEST(t_limits_estimates_stop)
{
  enum { N = 2000 };
  static const perm_estimator estimator[] = {PERM_ESTIMATOR_REJECTION, PERM_ESTIMATOR_AUTO, PERM_ESTIMATOR_GLYNN,
                                             PERM_ESTIMATOR_AUTO};
  double *a = (double *)malloc(sizeof(double) * 2 * N * N);
  perm_estimate_plan plan;
  perm_estimate estimate;
  perm_options options;
  double whole;
  int call;
  for (call = 0; call < 2 * N * N; call++)
    a[call] = 0.25 + (double)(call % 7919) / 8192;
  memset(&plan, 0, sizeof plan);
  plan.samples = 256;
  for (call = 0; call < 4; call++) {
    perm_status status;
    plan.estimator = estimator[call];
    options = limits_options(call ? 0 : LIMITS_AFTER);
    limits_cancel = 0;
    options.progress = call ? limits_among_samples : NULL;
    status = call == 3 ? perm_estimate_complex(N, a, N, &plan, &options, &estimate)
                       : perm_estimate_real(N, a, N, &plan, &options, &estimate);
    CHECK_SHOW(status == PERM_STOPPED_CANCELLED && estimate.status == status, "call %d: %s", call,
               perm_name("status", status));
    CHECK_SHOW(isnan(estimate.value) && estimate.samples == 0 && estimate.standard_error == (double)INFINITY,
               "call %d: %g", call, estimate.value);
    CHECK_SHOW(limits_in_time(), "call %d", call);
  }
  CHECK_TEXT(estimate.message, "before there were 256 samples");
  for (call = 0; call < N * N; call++) /* each row reaches all below, and is a block by itself */
    a[call] = call % N < call / N ? 0 : 1;
  plan.estimator = PERM_ESTIMATOR_REJECTION;
  options = limits_options(0);
  limits_cancel = 0;
  CHECK(perm_estimate_real(N, a, N, &plan, &options, &estimate) == PERM_OK && estimate.value == 1);
  whole = (double)(clock() - limits_told) / (double)CLOCKS_PER_SEC;
  options = limits_options(fmin(LIMITS_AFTER, whole / 4)); /* it may take hardly longer than LIMITS_AFTER */
  CHECK(perm_estimate_real(N, a, N, &plan, &options, &estimate) == PERM_STOPPED_CANCELLED && isnan(estimate.value));
  CHECK(limits_in_time());
  free(a);
}

/* Shared by threads and looked into, a block has the bits that one thread gives it. */
TEST(t_limits_blocks_of_samples_keep_their_bits)
{
  enum { N = 24, THREADS = 3 };
  static double a[2 * N * N], rooms[N * THREADS];
  static permi_moments sample[3][PERMI_BLOCK_SAMPLES];
  static int order[N];
  perm_options options;
  permi_control watch;
  permi_sampler sampler;
  int kind, stop = 0;
  memset(&options, 0, sizeof options);
  watch = permi_control_begin(&options);
  for (kind = 0; kind < 2 * N * N; kind++)
    a[kind] = 0.25 + (double)(kind * 7919 % 101) / 128;
  for (kind = 0; kind < N; kind++)
    order[kind] = kind;
  for (kind = 0; kind < 3; kind++) {
    int way, s, values = 0;
    memset(&sampler, 0, sizeof sampler);
    sampler.n = N;
    sampler.a = a;
    sampler.order = order;
    sampler.rooms = rooms;
    sampler.block = 3;
    sampler.seed = 7;
    sampler.signs = kind > 0;
    sampler.parts = kind == 2 ? 2 : 1;
    sampler.watch = &watch;
    for (way = 0; way < 3; way++) { /* not asking whether to stop; asking; by threads */
      sampler.moments = sample[way];
      sampler.stop = way ? &stop : NULL;
      CHECK(permi_share(way > 1 ? THREADS : 1, 0, PERMI_BLOCK_SAMPLES, permi_sample_one, &sampler, NULL) == PERM_OK);
      for (s = 0; s < PERMI_BLOCK_SAMPLES; s++) {
        const permi_moments *one = &sample[way][s], *first = &sample[0][s];
        values += one->value != 0;
        CHECK(one->samples == 1 && one->value == first->value && one->exp2 == first->exp2 &&
              one->imaginary == first->imaginary);
      }
    }
    CHECK(values > PERMI_BLOCK_SAMPLES);
  }
}

/* A matrix that is handed over is checked under the limits: its last entry is wrong, and that is not even seen. */
TEST(t_limits_checking_stops)
{
  enum { N = 1500000 };
  perm_options options = limits_options(0);
  perm_preparation report;
  perm_matrix matrix;
  perm_result result;
  int i;
  memset(&matrix, 0, sizeof matrix);
  matrix.m = matrix.n = N;
  matrix.nnz = N;
  matrix.row_start = (size_t *)malloc((N + 1) * sizeof *matrix.row_start);
  matrix.column = (int *)malloc(N * sizeof *matrix.column);
  for (i = 0; i < N; i++) {
    matrix.row_start[i] = (size_t)i;
    matrix.column[i] = i;
  }
  matrix.row_start[N] = N;
  matrix.column[N - 1] = N;
  CHECK(perm_compute_sparse(&matrix, NULL, &result) == PERM_ERROR_SIZE);
  limits_cancel = 1;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_CANCELLED && isnan(result.value));
  CHECK_TEXT(result.message, "while preparing");
  CHECK(perm_sparse_report(&matrix, &options, &report, &result) == PERM_STOPPED_CANCELLED);
  CHECK(perm_sparse_spy(&matrix, &options, "build/limits.svg", NULL, &result) == PERM_STOPPED_CANCELLED);
  free(matrix.row_start);
  free(matrix.column);
}

/* Slots and trees of long eliminations, in the middle of planning. */
TEST_LONG(t_limits_long_eliminations_stop)
{
  enum { N = 400000 };
  int *number = (int *)malloc(3 * N * sizeof *number), v, slots;
  permi_ranked *life = (permi_ranked *)malloc(2 * N * sizeof *life);
  uint64_t *busy = (uint64_t *)malloc((N + 1) * sizeof *busy * PERMI_MASK_WORDS);
  perm_options options = limits_options(0);
  permi_frontier frontier;
  permi_control watch;
  perm_matrix matrix;
  perm_result result;
  perm_job *job;
  memset(&frontier, 0, sizeof frontier);
  frontier.steps = N;
  frontier.birth = number;
  frontier.death = number + N;
  frontier.slot = number + 2 * N;
  frontier.states = (double *)malloc((N + 1) * sizeof *frontier.states);
  for (v = 0; v <= N; v++)
    frontier.states[v] = 1 + v % 7;
  for (v = 0; v < N; v++) {
    number[v] = v;
    number[N + v] = v + 8 < N ? v + 8 : N;
  }
  for (v = 0; v < 2; v++) {
    limits_cancel = v == 1;
    watch = permi_control_begin(&options);
    slots = permi_frontier_slots(&frontier, N, life, busy, &watch);
    CHECK_SHOW(v ? slots == 0 : slots >= 8, "%d slots", slots);
    CHECK((watch.stopped == PERM_STOPPED_CANCELLED) == v);
  }
  free(number);
  free(life);
  free(busy);
  free(frontier.states);
  CHECK(perm_generate("arrow:120000:5", 1, NULL, &matrix, NULL) == PERM_OK);
  options = limits_options(0.5);
  options.method = PERM_METHOD_TREE;
  CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_STOPPED_CANCELLED && !job);
  CHECK(limits_in_time());
  perm_matrix_free(&matrix);
}

/* All of a file, freshly allocated; NULL: none. */
static char *limits_text(const char *path)
{
  FILE *file = fopen(path, "rb");
  char *text = (char *)calloc(1, 1 << 20);
  if (file && text)
    text[fread(text, 1, (1 << 20) - 1, file)] = 0;
  if (file)
    fclose(file);
  return text;
}

/* max_bytes is for every call: 300 bytes are too few beside the input, 10^8 are enough, and what comes out is the same
   as without a limit, bit for bit. */
TEST(t_limits_memory_of_every_call)
{
  enum { N = 17, CALLS = 12, LITTLE = 0, MUCH = 1, NONE = 2 };
  static double a[2 * N * N], out[3][2 * N * N], x[2 * N];
  static perm_preparation report[3];
  perm_estimate_plan sampling;
  perm_options options;
  perm_estimate estimate;
  perm_matrix matrix;
  perm_result result;
  perm_partial partial;
  perm_leaf leaf;
  perm_job *job;
  int call, limit, k;
  for (k = 0; k < 2 * N * N; k++)
    a[k] = 0.25 + (double)(k * 7919 % 101) / 128;
  for (k = 0; k < N; k++) {
    x[k] = k;
    x[N + k] = -1.5 - k;
  }
  memset(&sampling, 0, sizeof sampling);
  sampling.samples = 2000;
  CHECK(perm_generate("er:40:0.2", 1, NULL, &matrix, NULL) == PERM_OK);
  for (call = 0; call < CALLS; call++) {
    char *picture[3] = {NULL, NULL, NULL};
    memset(out, 0, sizeof out);
    memset(report, 0, sizeof report);
    for (limit = LITTLE; limit <= NONE; limit++) {
      perm_status status = PERM_OK;
      const char *said = result.message;
      const double input = call == 6 ? 16.0 * N : call == 4 || call == 7 || call == 11 ? 8.0 * N * N * 2
                           : call == 8 || call == 9 ? 9000 : 8.0 * N * N;
      memset(&options, 0, sizeof options);
      memset(&partial, 0, sizeof partial);
      options.threads = 1;
      options.max_bytes = limit == LITTLE ? input + 300 : limit == MUCH ? 1e8 : 0;
      memset(&result, 0, sizeof result);
      switch (call) {
      case 0: status = perm_minors_real(N, N, a, N, NULL, NULL, 0, &options, out[limit], &result); break;
      case 1: status = perm_gradient_real(N, N, a, N, NULL, NULL, &options, out[limit], &result); break;
      case 2:
        status = perm_job_real(N, N, a, N, &options, &job, &result);
        if (status == PERM_OK) {
          CHECK(perm_job_leaf(job, 0, &leaf) == PERM_OK && perm_job_run(job, 0, 0, leaf.chunks, &partial) == PERM_OK);
          CHECK(perm_job_finish(job, &partial, &result) == PERM_OK);
        }
        perm_job_free(job);
        break;
      case 3: status = perm_compute_real(N, N, a, N, &options, &result); break;
      case 4: status = perm_batch_real(N, 2, a, N * N, &options, out[limit], &result); break;
      case 5:
        status = perm_estimate_real(N, a, N, &sampling, &options, &estimate);
        said = estimate.message;
        out[limit][0] = estimate.value;
        break;
      case 6: status = perm_compute_cauchy_real(N, x, x + N, &options, NULL, &result); break;
      case 7: status = perm_compute_low_rank_real(N, 3, a, 3, a, N, &options, &result); break;
      case 8: status = perm_sparse_report(&matrix, &options, &report[limit], &result); break;
      case 9:
        status = perm_sparse_spy(&matrix, &options, "build/limits.svg", NULL, &result);
        picture[limit] = status == PERM_OK ? limits_text("build/limits.svg") : NULL;
        break;
      default:
        status = call == 10 ? perm_job_real(N, N, a, N, &options, &job, &result)
                            : perm_job_complex(N, N, a, N, &options, &job, &result);
        out[limit][0] = status == PERM_OK ? (double)perm_job_fingerprint(job) : 0;
        perm_job_free(job);
        break;
      }
      if (status == PERM_OK && (call == 2 || call == 3 || call == 6 || call == 7))
        out[limit][0] = result.value;
      CHECK_SHOW(status == (limit == LITTLE ? PERM_ERROR_LIMIT : PERM_OK), "call %d, limit %d: %s, %s", call, limit,
                 perm_name("status", status), said);
      CHECK_SHOW(limit != LITTLE || strstr(said, "bytes") || strstr(said, " kB"), "call %d: %s", call, said);
    }
    CHECK_SHOW(!memcmp(out[MUCH], out[NONE], sizeof out[0]), "call %d", call);
    CHECK_SHOW(call == 8 || call == 9 || out[MUCH][0] > 0, "call %d: %g", call, out[MUCH][0]);
    CHECK(call != 8 || (report[MUCH].n == 40 && !memcmp(&report[MUCH], &report[NONE], sizeof report[0])));
    CHECK(call != 9 || (picture[MUCH] && picture[NONE] && !strcmp(picture[MUCH], picture[NONE])));
    for (k = 0; k < 3; k++)
      free(picture[k]);
  }
  perm_matrix_free(&matrix);
  remove("build/limits.svg");
}

/* Nine million exponents: cancelled and refused before all are numbered. */
TEST(t_limits_low_rank_stops)
{
  double a[17 * 17];
  perm_options options;
  perm_result result;
  int limit;
  dense_random(17, a, 1);
  for (limit = 0; limit < 2; limit++) {
    options = limits_options(limit ? 0 : LIMITS_AFTER);
    options.max_seconds = limit ? 0.3 : 0;
    options.cancel = limit ? NULL : options.cancel;
    CHECK(perm_compute_low_rank_real(40, 7, a, 7, a, 40, &options, &result) ==
          (limit ? PERM_ERROR_LIMIT : PERM_STOPPED_CANCELLED));
    CHECK_SHOW(limits_in_time(), "limit %d", limit);
  }
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
  options.method = PERM_METHOD_FRONTIER; /* auto knows better */
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_CANCELLED && isnan(result.value));
  CHECK_TEXT(result.message, "while planning");
  CHECK(limits_in_time());
  limits_cancel = 0;
  options.max_seconds = 0.5;
  options.checkpoint.part = options.checkpoint.parts = 1; /* planned as without a limit */
  options.progress = limits_activity;
  options.user_data = &activity;
  limits_told = clock();
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_TIME && isnan(result.value));
  CHECK(!strcmp(activity, "planning"));
  CHECK((double)(clock() - limits_told) / (double)CLOCKS_PER_SEC < 20);
  perm_matrix_free(&matrix);
}

TEST_LONG(t_limits_dense_calls_stop)
{
  enum { MOST = 40 };
  static int64_t whole[20 * 40];
  int counts[20], k;
  double *a = (double *)malloc(sizeof(double) * 3 * 2 * MOST * MOST), *out = (double *)malloc(sizeof(double) * 4000);
  perm_options options;
  perm_result result;
  int call;
  dense_random(MOST * 2, a, 1);
  for (call = 0; call < 20; call++) {
    counts[call] = 1 + call % 2;
    for (k = 0; k < 40; k++)
      whole[40 * call + k] = (40 * call + k) * 7919 % 11 - 5;
  }
  for (call = 0; call < 8; call++) {
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
      options.method = PERM_METHOD_SUBSETS;
      status = perm_compute_real(24, 80, a, 80, &options, &result);
      break;
    case 6: /* states of integers of many words */
      options.method = PERM_METHOD_SUBSETS;
      status = perm_compute_repeated_gaussian(20, 20, whole, 20, counts, counts, &options, &result);
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

TEST_LONG(t_limits_sparse_engines_stop)
{
  static const struct {
    const char *name;
    perm_method method;
  } job[] = {{"er:54:0.3", PERM_METHOD_SPARYSER},  {"er:54:0.3", PERM_METHOD_DOMINATING},
             {"er:44:0.3", PERM_METHOD_DECOMPOSE}, {"er:44:0.3", PERM_METHOD_TRANSVERSALS},
             {"band:20000:9", PERM_METHOD_BAND},   {"grid:26:26", PERM_METHOD_LISTS},
             {"grid:24:24", PERM_METHOD_SORTING},  {"grid:26:26", PERM_METHOD_ARRAYS},
             {"er:48:0.3", PERM_METHOD_HYBRID},    {"grid:16:400", PERM_METHOD_TREE},
             {"er:30:0.5", PERM_METHOD_TWINS}};
  size_t k;
  for (k = 0; k < sizeof job / sizeof job[0]; k++) {
    perm_options options;
    perm_matrix matrix;
    perm_result result;
    CHECK(perm_generate(job[k].name, 1, NULL, &matrix, NULL) == PERM_OK);
    options = limits_options(LIMITS_AFTER);
    options.method = job[k].method;
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_CANCELLED, "%s by %s: %s", job[k].name,
               perm_name("method", job[k].method), result.message);
    CHECK_SHOW(limits_in_time(), "%s by %s", job[k].name, perm_name("method", job[k].method));
    perm_matrix_free(&matrix);
  }
}
#endif

/* Scans of all entries before and after planning, and a hub whose neighbours are gone. */
TEST(t_limits_scans_stop)
{
  enum { COUNT = 4000000 };
  volatile int cancel = 0;
  perm_options options;
  perm_matrix matrix;
  perm_job *job = permi_job_new(&permi_options(NULL)->allocator, PERM_PRECISION_DEFAULT);
  int *turn = (int *)calloc(COUNT, sizeof *turn), *link = (int *)calloc(COUNT, 2 * sizeof *link);
  int head = 0, neighbour[PERMI_TREE_WIDTH], stops, k;
  permi_tree_graph graph;
  size_t row_start[2] = {0, COUNT};
  memset(&options, 0, sizeof options);
  memset(&matrix, 0, sizeof matrix);
  options.cancel = &cancel;
  options.tolerance = 1e-30;
  options.checkpoint.parts = 2;
  matrix.nnz = COUNT;
  matrix.kind = PERM_KIND_INTEGER;
  matrix.integer = (int64_t *)calloc(COUNT, sizeof *matrix.integer);
  matrix.integer[COUNT - 1] = INT64_C(1) << 53;
  matrix.column = (int *)calloc(COUNT, sizeof *matrix.column);
  matrix.m = 1;
  matrix.n = COUNT;
  matrix.row_start = row_start;
  for (stops = 0; stops < 2; stops++) {
    const perm_status expected = stops ? PERM_STOPPED_CANCELLED : PERM_OK;
    permi_control watch = permi_control_begin(&options);
    cancel = stops;
    CHECK(permi_sparse_rounds(&matrix, &watch) == !stops && watch.stopped == expected);
    watch = permi_control_begin(&options);
    CHECK(permi_sparse_higher(&matrix, &watch, &options, job) == PERM_PRECISION_COUNT && watch.stopped == expected);
    watch = permi_control_begin(&options);
    memset(&graph, 0, sizeof graph);
    graph.watch = &watch;
    graph.head = &head;
    graph.turn = turn;
    graph.link = link;
    for (head = k = 0; k < COUNT; k++) /* all to vertex 0, which is gone */
      link[2 * k + 1] = k + 1 < COUNT ? k + 1 : -1;
    CHECK(permi_tree_neighbours(&graph, 0, neighbour) == 0 && (head == -1) == !stops && watch.stopped == expected);
  }
  perm_job_free(job);
  free(matrix.integer);
  free(matrix.column);
  free(turn);
  free(link);
}

/* Chunks of what takes longest. */
TEST(t_limits_chunks_are_short)
{
  static const struct {
    const char *name;
    perm_method method;
    int sparse;
  } job[] = {{"er:54:0.3", PERM_METHOD_SPARYSER, 1},   {"er:64:0.2", PERM_METHOD_SPARYSER, 1},
             {"er:54:0.3", PERM_METHOD_DOMINATING, 1}, {"er:64:0.25", PERM_METHOD_DOMINATING, 1},
             {"er:64:0.3", PERM_METHOD_HYBRID, 1},     {"uniform:64", PERM_METHOD_DENSE, 0},
             {"complex-gauss:64", PERM_METHOD_DENSE, 0}, {"bernoulli:64", PERM_METHOD_EXACT, 0}};
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
      perm_leaf leaf = {PERM_LEAF_TASK, PERM_METHOD_AUTO, PERM_ISA_AUTO, 0, 0, 0, 0, 0, 0};
      perm_job_leaf(made, 0, &leaf);
      CHECK_SHOW(leaf.seconds / (double)leaf.chunks <= 1, "%s by %s: chunks of %g s", job[k].name,
                 perm_name("method", job[k].method), leaf.seconds / (double)leaf.chunks);
    }
    perm_job_free(made);
    perm_matrix_free(&matrix);
  }
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
    CHECK(permi_make_job(matrix, 0, &watch, exact, (double)INFINITY, &job, &result) == PERM_OK);
    least = fmin(least, (double)(clock() - start) / (double)CLOCKS_PER_SEC);
    perm_job_free(job);
  }
  return least;
}

/* Work spent on a plan, against what it predicts: at most 5 % of it, or 20 ms (2 ms without zeros), the same whether
   anybody watches or not. What is counted is what the processor does: the pace, seconds for a second that is counted,
   is measured on one matrix, so that it holds on slow machines as well. */
TEST_LONG(t_limits_planning_keeps_its_budget)
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
    CHECK_SHOW(permi_make_job(&matrix, 0, &watch, exact, (double)INFINITY, &job, &result) == PERM_OK, "%s: %s", name[k],
               result.message);
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
      CHECK(permi_make_job(&matrix, 0, &watch, exact, (double)INFINITY, &watched, &result) == PERM_OK);
      CHECK(watched && watched->leaf[0].information.fingerprint == job->leaf[0].information.fingerprint);
    }
    perm_job_free(job);
    perm_job_free(watched);
    perm_matrix_free(&matrix);
  }
}

/* A tree of a large block, whose order is all that is searched for, takes little of what it predicts: it is found by
   lists of degrees, and no worse than with random ties (5.4 s, and as much again for the order). */
TEST_LONG(t_limits_tree_of_a_large_block)
{
  perm_options options;
  perm_matrix matrix;
  perm_result result;
  perm_job *job = NULL;
  permi_control watch;
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_TREE; /* auto takes the frontier in the tree's order: planned in 0.7 s, run in 0.35 */
  CHECK(perm_generate("arrow:60000:5", 1, NULL, &matrix, NULL) == PERM_OK);
  watch = permi_control_begin(&options);
  CHECK(permi_make_job(&matrix, 0, &watch, 0, (double)INFINITY, &job, &result) == PERM_OK);
  if (job) {
    const double seconds = permi_job_seconds(job);
    CHECK(job->leaves == 1 && job->leaf[0].information.method == PERM_METHOD_TREE && seconds < 4.6);
    CHECK_SHOW(1e-9 * watch.worked < 0.25 * seconds, "%g s for %g s", 1e-9 * watch.worked, seconds);
  }
  perm_job_free(job);
  perm_matrix_free(&matrix);
}

/* An order of 3.6e8 transitions, in seconds of exact integers. Regressed: the search was paid for at the price of
   doubles, and its order took 3.4 s. */
TEST(t_limits_search_finds_what_pays)
{
  perm_options options;
  perm_matrix matrix;
  perm_result result;
  perm_job *job = NULL;
  memset(&options, 0, sizeof options);
  CHECK(perm_generate("mycielskian:7", 1, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK);
  CHECK_SHOW(job && permi_job_seconds(job) < 2.5, "%g s", job ? permi_job_seconds(job) : 0);
  perm_job_free(job);
  perm_matrix_free(&matrix);
}

/* What one engine lacks in memory another one need not: a job that is made says nothing else in its result. */
TEST(t_limits_bytes_of_an_engine_are_not_the_result)
{
  static const char *const name[2] = {"grid:12:12", "er:24:0.3"};
  int k, made = 0, refused = 0;
  for (k = 0; k < 2; k++) {
    perm_options options = {0};
    perm_matrix matrix;
    perm_result result;
    perm_job *job;
    CHECK(perm_generate(name[k], 1, NULL, &matrix, NULL) == PERM_OK);
    for (options.max_bytes = 5e4; options.max_bytes < 1e6; options.max_bytes *= 1.02) {
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
/* SPDX-License-Identifier: MIT */
