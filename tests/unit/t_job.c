/* >>job, >>run, >>check */
/* The same bits however the work is cut, and every bad argument named. */

static void job_matrix(int n, double *a)
{
  dense_random(n, a, 1);
}

static perm_job *job_make(int n, const double *a, perm_options *options, permi_dense_plan *plan)
{
  perm_job *job = NULL;
  perm_result result;
  CHECK(inside_plan_real(n, n, a, n, options, plan, &result) == PERM_OK);
  CHECK(inside_job_real(plan, a, n, options, &job, &result) == PERM_OK);
  return job;
}

static int job_same_bits(const perm_result *a, const perm_result *b)
{
  return !memcmp(&a->value, &b->value, sizeof a->value) && a->exp2 == b->exp2 &&
         !memcmp(&a->error_estimate, &b->error_estimate, sizeof a->error_estimate);
}

/* Any cutting into ranges, any order of merging: the bits of the whole. */
TEST(t_splits_give_the_same_bits)
{
  static const perm_method methods[] = {PERM_METHOD_DENSE, PERM_METHOD_GLYNN, PERM_METHOD_RYSER};
  double a[19 * 19];
  int k, isa, trial, n;
  for (k = 0; k < 3; k++)
    for (isa = isa_first(); isa; isa = isa_next(k ? PERM_ISA_COUNT : isa)) {
      perm_options options;
      permi_dense_plan plan;
      perm_partial whole, reversed;
      perm_result r, s;
      perm_job *job;
      uint64_t chunk;
      memset(&options, 0, sizeof options);
      options.method = methods[k];
      options.isa = (perm_isa)isa;
      n = k ? 14 : isa == PERM_ISA_PLAIN ? 17 : 19;
      job_matrix(n, a);
      job = job_make(n, a, &options, &plan);
      CHECK(plan.chunks >= 2);
      memset(&whole, 0, sizeof whole);
      CHECK(perm_job_run(job, 0, 0, plan.chunks, &whole) == PERM_OK);
      CHECK(perm_job_finish(job, &whole, &r) == PERM_OK);
      memset(&reversed, 0, sizeof reversed);
      for (chunk = plan.chunks; chunk-- > 0;)
        CHECK(perm_job_run(job, 0, chunk, chunk + 1, &reversed) == PERM_OK);
      CHECK(perm_job_finish(job, &reversed, &s) == PERM_OK);
      CHECK(job_same_bits(&r, &s));
      for (trial = 0; trial < 3; trial++) {
        perm_partial left, right;
        uint64_t cut = test_random() % (plan.chunks + 1);
        memset(&left, 0, sizeof left);
        memset(&right, 0, sizeof right);
        CHECK(perm_job_run(job, 0, cut, plan.chunks, &right) == PERM_OK);
        CHECK(perm_job_run(job, 0, 0, cut, &left) == PERM_OK);
        CHECK(perm_partial_merge(&right, &left) == PERM_OK);
        CHECK(perm_job_finish(job, &right, &s) == PERM_OK);
        CHECK(job_same_bits(&r, &s));
      }
      perm_job_free(job);
    }
}

TEST(t_threads_give_the_same_bits)
{
  double a[22 * 22];
  perm_options options;
  perm_result first, r;
  int threads;
  job_matrix(22, a);
  memset(&options, 0, sizeof options);
  for (threads = 1; threads <= 5; threads++) {
    options.threads = threads;
    CHECK(perm_compute_real(22, 22, a, 22, &options, &r) == PERM_OK);
    if (threads == 1)
      first = r;
    CHECK(job_same_bits(&first, &r));
#if defined(_OPENMP)
    CHECK(r.threads == threads);
#endif
  }
}

typedef struct job_watch { int calls, cancel_at; double last; int backwards; } job_watch;

static perm_status job_execute(const perm_job *job, perm_state *state, const perm_options *options, perm_result *result)
{
  ++*(int *)options->user_data;
  return perm_job_execute(job, state, options, result);
}

/* Short jobs run without a state, which `execute` asks for: dense, exact, counted, sparse of one block and of many. */
TEST(t_short_jobs_give_the_same_bits)
{
  static const char *const sparse[] = {"er:30:0.1", "band:14:2", "regular:20:3"};
  int kind, run, states = 0;
  for (kind = 0; kind < 8; kind++)
    for (run = 0; run < 4; run++) {
      double a[2 * 17 * 17];
      int64_t whole[15 * 15];
      int counts[6], i, call;
      perm_matrix matrix;
      perm_options options;
      perm_result r[2];
      memset(&options, 0, sizeof options);
      options.threads = 1;
      options.certify = run & 1;
      for (i = 0; i < 2 * 17 * 17; i++)
        a[i] = 2 * test_uniform() - 1;
      for (i = 0; i < 15 * 15; i++)
        whole[i] = test_below(9) - 4;
      for (i = 0; i < 6; i++)
        counts[i] = 1 + (i + run) % 4;
      if (kind >= 5)
        CHECK(perm_generate(sparse[kind - 5], 1 + (uint64_t)run, NULL, &matrix, NULL) == PERM_OK);
      for (call = 0; call < 2; call++) {
        options.execute = call ? job_execute : NULL;
        options.user_data = &states;
        switch (kind) {
        case 0: perm_compute_real(17, 17, a, 17, &options, &r[call]); break;
        case 1: perm_compute_complex(17, 17, a, 17, &options, &r[call]); break;
        case 2: perm_compute_integer(15, 15, whole, 15, &options, &r[call]); break;
        case 3: perm_compute_repeated_real(6, 6, a, 6, counts, counts, &options, &r[call]); break;
        case 4: perm_compute_real(4, 14, a, 14, &options, &r[call]); break;
        default: perm_compute_sparse(&matrix, &options, &r[call]);
        }
        CHECK_SHOW(r[call].status == PERM_OK, "kind %d: %s", kind, r[call].message);
      }
      CHECK_SHOW(job_same_bits(&r[0], &r[1]) && r[0].terms == r[1].terms && r[0].isa == r[1].isa &&
                     r[0].method == r[1].method && r[0].threads == r[1].threads && r[0].exact == r[1].exact,
                 "kind %d, run %d: %.17g, not %.17g", kind, run, r[0].value, r[1].value);
      if (kind >= 5)
        perm_matrix_free(&matrix);
    }
  CHECK_SHOW(states >= 20, "%d states", states);
}

static int job_watch_progress(const perm_progress *progress, void *user_data)
{
  job_watch *watch = (job_watch *)user_data;
  watch->backwards |= progress->fraction < watch->last;
  watch->last = progress->fraction;
  return ++watch->calls == watch->cancel_at;
}

/* Stopped by time again and again, resumed with another number of threads: the bits of one run. */
TEST(t_stop_and_resume)
{
  double a[24 * 24];
  perm_options options;
  permi_dense_plan plan;
  perm_result whole, r;
  perm_state *state = NULL;
  perm_job *job;
  int stops = 0;
  job_matrix(24, a);
  memset(&options, 0, sizeof options);
  options.isa = PERM_ISA_PLAIN; /* slow enough to be stopped */
  options.threads = 1;
  job = job_make(24, a, &options, &plan);
  CHECK(perm_state_create(job, &state) == PERM_OK);
  CHECK(perm_job_execute(job, state, &options, &whole) == PERM_OK);
  perm_state_free(state);
  CHECK(perm_state_create(job, &state) == PERM_OK);
  options.max_seconds = 0.005;
  for (;;) {
    perm_status status = perm_job_execute(job, state, &options, &r);
    options.threads = 1 + stops % 3;
    if (status == PERM_OK)
      break;
    CHECK(status == PERM_STOPPED_TIME);
    CHECK(r.error_estimate == (double)INFINITY && r.error_bound == (double)INFINITY && isnan(r.value));
    CHECK_TEXT(r.message, "max_seconds reached");
    if (++stops > 10000)
      break;
  }
  CHECK_SHOW(stops >= 2, "%d stops", stops);
  CHECK(job_same_bits(&whole, &r));
  CHECK(perm_job_execute(job, state, &options, &r) == PERM_OK); /* finished stays finished */
  CHECK(job_same_bits(&whole, &r));
  perm_state_free(state);
  perm_job_free(job);
}

static int job_time_left(const perm_progress *progress, void *user_data)
{
  *(double *)user_data = progress->seconds_left;
  return 0;
}

/* The time left that is reported after so much of the work. */
static double job_left_after(permi_control *control, double work)
{
  control->next_report = 0;
  CHECK(permi_control_poll(control, work, "") == PERM_OK);
  return *(double *)control->options->user_data;
}

/* A GPU's start of 1000 seconds, in which a trial finishes a millionth, is not taken for the pace of the rest. */
TEST(t_progress_time_left_after_a_slow_start)
{
  double left = 0;
  perm_options options = {0};
  permi_control control;
  options.progress = job_time_left;
  options.user_data = &left;
  control = permi_control_begin(&options);
  control.work_total = 1;
  control.start -= 1000;
  CHECK(job_left_after(&control, 0) == (double)INFINITY);
  CHECK_SHOW(fabs(job_left_after(&control, 0.5) - 1000) < 1, "%g s", left);
  options.gpu.devices = 1;
  CHECK(job_left_after(&control, 0) == (double)INFINITY);
  CHECK(job_left_after(&control, 1e-6) == (double)INFINITY);
  control.fraction_time -= 10; /* ten seconds later */
  CHECK_SHOW(fabs(job_left_after(&control, 0.5 + 1e-6) - 10) < 1, "%g s", left);
}

/* The plan, 84 s, outweighs the first chunks, of which one alone stands for hours, and not what was measured later. */
TEST(t_progress_time_left_by_the_plan)
{
  double left = 0;
  perm_options options = {0};
  permi_control control;
  options.progress = job_time_left;
  options.user_data = &left;
  control = permi_control_begin(&options);
  control.work_total = 168;
  control.expected = 84;
  control.start -= 2.5;
  CHECK(job_left_after(&control, 0) == (double)INFINITY);
  CHECK_SHOW(job_left_after(&control, 0.02) > 84 && left < 400, "%g s", left);
  control.start -= 97.5;
  CHECK_SHOW(fabs(job_left_after(&control, 84) - 100) < 2, "%g s", left);
  control.fraction_start = 0.25; /* of a checkpoint */
  CHECK_SHOW(fabs(job_left_after(&control, 84) - 200) < 8, "%g s", left);
}

TEST(t_progress_and_cancel)
{
  static double a[28 * 28];
  perm_options options;
  perm_result r;
  job_watch watch;
  volatile int cancel = 1;
  job_matrix(28, a);
  memset(&options, 0, sizeof options);
  memset(&watch, 0, sizeof watch);
  options.isa = PERM_ISA_PLAIN; /* seconds, if it were not cancelled at the second report */
  options.threads = 1;
  options.progress = job_watch_progress;
  options.user_data = &watch;
  watch.cancel_at = 2;
  CHECK(perm_compute_real(28, 28, a, 28, &options, &r) == PERM_STOPPED_CANCELLED);
  CHECK(watch.calls == 2 && !watch.backwards && watch.last > 0 && watch.last < 1);
  CHECK(isnan(r.value) && r.partial_sum != 0 && r.error_estimate == (double)INFINITY);
  options.progress = NULL;
  options.cancel = &cancel;
  CHECK(perm_compute_real(28, 28, a, 28, &options, &r) == PERM_STOPPED_CANCELLED);
  options.method = PERM_METHOD_EXPANSION; /* a task: cancelled inside */
  CHECK(perm_compute_real(14, 14, a, 28, &options, &r) == PERM_STOPPED_CANCELLED);
  options.cancel = NULL;
  options.max_seconds = 1e-3; /* and refused beforehand by a limit */
  CHECK(perm_compute_real(14, 14, a, 28, &options, &r) == PERM_ERROR_LIMIT);
  CHECK_TEXT(r.message, "predicted to take");
}

/* A decimal number modulo p. */
static double job_residue(const perm_integer *integer, uint64_t p)
{
  char text[PERM_TEXT_BYTES], *digit = text;
  uint64_t rest = 0;
  perm_integer_text(integer, text, sizeof text);
  for (digit += *text == '-'; *digit; digit++)
    rest = (rest * 10 + (uint64_t)(*digit - '0')) % p;
  return (double)(*text == '-' && rest ? p - rest : rest);
}

/* Stopped with a modulus: the sum so far is a residue, and the result says of what. */
TEST(t_stopped_modulo)
{
  enum { N = 30 };
  static const uint64_t modulus[2] = {1000003, 1000002};
  static int64_t a[2 * N * N];
  int parts, k;
  for (k = 0; k < 2 * N * N; k++)
    a[k] = (int64_t)(test_random() % 7) - 3;
  for (parts = 1; parts <= 2; parts++)
    for (k = 0; k < 2; k++) {
      perm_options options;
      perm_integer sum[2];
      perm_result r;
      perm_state *state = NULL;
      perm_job *job = NULL;
      job_watch watch;
      memset(&options, 0, sizeof options);
      memset(&watch, 0, sizeof watch);
      options.modulus = modulus[k];
      options.isa = PERM_ISA_PLAIN;
      options.threads = 1;
      options.progress = job_watch_progress;
      options.user_data = &watch;
      watch.cancel_at = 2;
      CHECK((parts == 1 ? perm_job_integer : perm_job_gaussian)(N, N, a, N, &options, &job, &r) == PERM_OK);
      CHECK(perm_state_create(job, &state) == PERM_OK);
      CHECK(perm_job_execute(job, state, &options, &r) == PERM_STOPPED_CANCELLED);
      CHECK(r.modulus == modulus[k] && r.is_complex == (parts == 2) && isnan(r.value) && r.terms > 0);
      CHECK(permi_sum_integer(&state->partial[0].value, &sum[0]) && sum[0].words > 0);
      CHECK(permi_sum_integer(&state->partial[0].imaginary, &sum[1]) && (sum[1].words > 0) == (parts == 2));
      CHECK_SHOW(r.partial_sum == job_residue(&sum[0], modulus[k]), "%g modulo %g", r.partial_sum, (double)modulus[k]);
      CHECK_SHOW(r.partial_imaginary == job_residue(&sum[1], modulus[k]), "%g", r.partial_imaginary);
      CHECK(r.exp2 == job->leaf[0].scale_exp2);
      perm_state_free(state);
      perm_job_free(job);
    }
}

/* Wherever a call is stopped, the result says whether the value would be complex, and modulo what. */
TEST(t_stopped_says_of_what)
{
  enum { N = 28 };
  static double a[2 * N * N], out[2 * N * N], condition;
  static int64_t whole[2 * N * N];
  volatile int cancel = 1;
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  int call, stopped = 0, counts[N];
  for (call = 0; call < 2 * N * N; call++) {
    a[call] = 0.25 + (double)(call * 7919 % 101) / 128;
    whole[call] = call * 7919 % 11 - 5;
  }
  for (call = 0; call < N; call++)
    counts[call] = 1 + call % 2;
  CHECK(perm_generate("unitary:24", 1, NULL, &matrix, NULL) == PERM_OK);
  for (call = 0; call < 8; call++) {
    perm_status status = PERM_OK;
    memset(&options, 0, sizeof options);
    options.cancel = &cancel;
    options.modulus = call == 3 || call == 4 ? 1000003 : 0;
    switch (call) {
    case 0: status = perm_compute_complex(N, N, a, N, &options, &r); break;
    case 1: status = perm_gradient_complex(N, N, a, N, NULL, NULL, &options, out, &r); break;
    case 2: status = perm_minors_complex(N, N, a, N, NULL, NULL, 1, &options, out, &r); break;
    case 3: status = perm_compute_gaussian(N, N, whole, N, &options, &r); break;
    case 4: status = perm_compute_repeated_gaussian(N, N, whole, N, counts, counts, &options, &r); break;
    case 5: status = perm_compute_repeated_complex(N, N, a, N, counts, counts, &options, &r); break;
    case 6: status = perm_compute_low_rank_complex(N, 4, a, 4, a, N, &options, &r); break;
    default: status = perm_compute_sparse(&matrix, &options, &r); break;
    }
    stopped += status == PERM_STOPPED_CANCELLED;
    if (status == PERM_STOPPED_CANCELLED)
      CHECK_SHOW(r.is_complex && r.modulus == options.modulus && isnan(r.value), "call %d: %s", call, r.message);
    else
      CHECK_SHOW(status == PERM_OK, "call %d: %s", call, r.message);
  }
  CHECK_SHOW(stopped == 8, "%d stopped", stopped);
  CHECK(perm_compute_cauchy_complex(2, a, a + 4, NULL, &condition, &r) == PERM_OK && r.is_complex);
  perm_matrix_free(&matrix);
}

/* Plans, states and partials of something else are refused. */
TEST(t_strangers_are_refused)
{
  double a[15 * 15], b[15 * 15];
  perm_options options;
  permi_dense_plan plan, other_plan;
  perm_result r;
  perm_job *job, *other;
  perm_state *state = NULL;
  perm_partial x, y;
  perm_leaf leaf;
  job_matrix(15, a);
  memcpy(b, a, sizeof b);
  b[100] = nextafter(b[100], 2);
  memset(&options, 0, sizeof options);
  options.isa = PERM_ISA_PLAIN;
  job = job_make(15, a, &options, &plan);
  other = job_make(15, b, &options, &other_plan);
  memset(&x, 0, sizeof x);
  memset(&y, 0, sizeof y);
  CHECK(perm_job_run(job, 0, 0, 1, &x) == PERM_OK);
  CHECK(perm_job_run(other, 0, 0, 1, &y) == PERM_OK);
  CHECK(perm_partial_merge(&x, &y) == PERM_ERROR_STATE);
  CHECK(perm_job_run(job, 0, 0, 1, &y) == PERM_ERROR_STATE);
  CHECK(perm_job_finish(job, &y, &r) == PERM_ERROR_STATE);
  CHECK(plan.chunks > 1 && perm_job_finish(job, &x, &r) == PERM_ERROR_STATE);
  CHECK_TEXT(r.message, "holds 1 chunks, not each");
  CHECK(perm_state_create(job, &state) == PERM_OK);
  CHECK(perm_job_execute(job, state, NULL, &r) == PERM_OK);
  CHECK(perm_job_execute(other, state, NULL, &r) == PERM_ERROR_STATE);
  CHECK(isnan(r.value) && r.error_bound == (double)INFINITY);
  CHECK(perm_job_run(job, 1, 0, 1, &x) == PERM_ERROR_RANGE);
  CHECK(perm_job_run(job, -1, 0, 1, &x) == PERM_ERROR_RANGE);
  CHECK(perm_job_run(job, 0, 1, 0, &x) == PERM_ERROR_RANGE);
  CHECK(perm_job_run(job, 0, 0, plan.chunks + 1, &x) == PERM_ERROR_RANGE);
  CHECK(perm_job_leaf(job, 1, &leaf) == PERM_ERROR_RANGE);
  CHECK(perm_job_leaf(job, 0, &leaf) == PERM_OK && leaf.chunks == plan.chunks && leaf.n == 15);
  CHECK(perm_job_leaves(job) == 1 && perm_job_leaves(NULL) == 0);
  perm_state_free(state);
  perm_job_free(job);
  perm_job_free(other);
  perm_job_free(NULL);
  perm_state_free(NULL);
}

static void job_release_nothing(void *pointer, void *user_data)
{
  (void)pointer;
  (void)user_data;
}

TEST(t_bad_arguments_are_named)
{
  double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  perm_options options;
  perm_result r;
  perm_job *job = NULL;
#define JOB_BAD(call, status_, argument_, text_)                                                                       \
  CHECK((call) == (status_) && r.status == (status_) && r.argument == (argument_));                                    \
  CHECK(isnan(r.value) && r.error_bound == (double)INFINITY && r.error_estimate == (double)INFINITY);                  \
  CHECK_TEXT(r.message, text_);
  CHECK(perm_compute_real(3, 3, a, 3, NULL, NULL) == PERM_ERROR_NULL);
  JOB_BAD(perm_compute_real(-1, 3, a, 3, NULL, &r), PERM_ERROR_SIZE, 1, "m is negative (-1 rows)")
  JOB_BAD(perm_compute_real(3, -2, a, 3, NULL, &r), PERM_ERROR_SIZE, 2, "n is negative (-2 columns)")
  JOB_BAD(perm_compute_real(3, 3, NULL, 3, NULL, &r), PERM_ERROR_NULL, 3, "a is NULL for a 3 x 3 matrix")
  JOB_BAD(perm_compute_real(3, 3, a, 2, NULL, &r), PERM_ERROR_STRIDE, 4, "ld is 2, smaller than the 3 columns")
  JOB_BAD(perm_job_real(3, 3, a, 3, NULL, NULL, &r), PERM_ERROR_NULL, 6, "job is NULL")
  JOB_BAD(perm_job_real(3, 3, NULL, 3, NULL, &job, &r), PERM_ERROR_NULL, 3, "a is NULL")
  JOB_BAD(perm_job_real(-1, 3, a, 3, NULL, &job, &r), PERM_ERROR_SIZE, 1, "m is negative (-1 rows)")
  JOB_BAD(perm_job_real(2, 3, a, 2, NULL, &job, &r), PERM_ERROR_STRIDE, 4, "ld is 2, smaller than the 3 columns")
  a[5] = NAN;
  JOB_BAD(perm_compute_real(3, 3, a, 3, NULL, &r), PERM_ERROR_NOT_FINITE, 3, "NaN in row 2, column 3")
  a[5] = -INFINITY;
  JOB_BAD(perm_compute_real(3, 3, a, 3, NULL, &r), PERM_ERROR_NOT_FINITE, 3, "an infinity in row 2, column 3")
  a[5] = 6;
#define JOB_OPTION(field, value_, text_)                                                       \
  memset(&options, 0, sizeof options);                                                         \
  options.field = value_;                                                                      \
  JOB_BAD(perm_compute_real(3, 3, a, 3, &options, &r), PERM_ERROR_OPTION, 5, text_)            \
  CHECK(perm_job_real(3, 3, a, 3, &options, &job, NULL) == PERM_ERROR_OPTION && !job);
  JOB_OPTION(method, (perm_method)99, "method is not one")
  JOB_OPTION(method, PERM_METHOD_STRUCTURE, "method is not one")
  JOB_OPTION(precision, (perm_precision)-1, "precision is not one")
  JOB_OPTION(isa, (perm_isa)99, "isa is not one")
  JOB_OPTION(threads, -1, "threads is negative")
  JOB_OPTION(tolerance, -1e-3, "tolerance is negative")
  JOB_OPTION(tolerance, NAN, "tolerance is negative or not finite")
  JOB_OPTION(max_seconds, NAN, "max_seconds is negative or NaN")
  JOB_OPTION(plan_effort, -1, "plan_effort is not between 0 and 1e6")
  JOB_OPTION(max_bytes, -1, "max_bytes is negative or NaN")
  JOB_OPTION(allocator.release, job_release_nothing, "allocator needs both")
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_FRONTIER;
  JOB_BAD(perm_compute_real(3, 3, a, 3, &options, &r), PERM_ERROR_UNSUPPORTED, 5, "perm_sparse.h")
  options.method = PERM_METHOD_AUTO;
  options.precision = PERM_PRECISION_EXACT;
  JOB_BAD(perm_compute_real(3, 3, a, 3, &options, &r), PERM_ERROR_UNSUPPORTED, 5, "perm_compute_integer")
  CHECK(perm_compute_real(0, 0, NULL, 0, NULL, &r) == PERM_OK && r.value == 1 && r.exact);
  CHECK(perm_compute_real(0, 5, NULL, 0, NULL, &r) == PERM_OK && r.value == 1 && r.exact);
  CHECK(perm_compute_real(5, 0, a, 0, NULL, &r) == PERM_OK && r.value == 1 && r.exact);
}

/* perm_job_real and _complex make the job that perm_compute_ starts with: dense sums, equal lines,
   rectangular arrays, methods by name. */
TEST(t_jobs_of_arrays_are_those_of_compute)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_DENSE, PERM_METHOD_GLYNN, PERM_METHOD_SUBSETS};
  double a[2 * 14 * 14];
  int parts, kind, k, i;
  for (parts = 1; parts <= 2; parts++)
    for (kind = 0; kind < 4; kind++)
      for (k = 0; k < 4; k++) {
        const int m = kind == 3 ? 5 : 14, n = kind == 3 && k % 3 ? 5 : 14; /* two are rectangular */
        perm_options options = {0};
        perm_result whole, result;
        perm_state *state;
        perm_job *job;
        perm_leaf leaf;
        perm_status status;
        for (i = 0; i < 2 * 14 * 14; i++)
          a[i] = kind == 2 ? 1 + i / parts / 14 % 14 * (i / parts % 14) : test_uniform();
        for (i = 0; i < 14 * parts && kind == 1; i++)
          a[i] = a[i + 14 * parts];
        options.method = methods[k];
        options.precision = k == 1 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
        status = parts == 2 ? perm_compute_complex(m, n, a, n, &options, &whole)
                            : perm_compute_real(m, n, a, n, &options, &whole);
        CHECK((parts == 2 ? perm_job_complex(m, n, a, n, &options, &job, &result)
                          : perm_job_real(m, n, a, n, &options, &job, &result)) == status);
        if (status != PERM_OK) {
          CHECK(!job && !strcmp(result.message, whole.message));
          continue;
        }
        CHECK(perm_job_leaf(job, 0, &leaf) == PERM_OK && leaf.chunks >= 1 && leaf.seconds > 0);
        CHECK(perm_state_create(job, &state) == PERM_OK);
        CHECK(perm_job_execute(job, state, &options, &result) == PERM_OK && result.is_complex == (parts == 2));
        if (whole.terms > 0 && whole.escalated == 0 && whole.plan_seconds > 0)
          CHECK_SHOW(result.method == whole.method && result.value == whole.value &&
                         result.imaginary == whole.imaginary,
                     "parts %d, kind %d, method %d: %s, %.17g; %s, %.17g", parts, kind, k,
                     perm_name("method", result.method), result.value, perm_name("method", whole.method), whole.value);
        perm_state_free(state);
        perm_job_free(job);
      }
}

/* A chunk twice instead of another: the count is right, the sum is not. */
TEST(t_chunks_go_in_once)
{
  double a[17 * 17];
  perm_options options;
  permi_dense_plan plan;
  perm_job *job;
  perm_partial partial;
  perm_result r;
  job_matrix(15, a);
  memset(&options, 0, sizeof options);
  options.isa = PERM_ISA_PLAIN;
  job = job_make(15, a, &options, &plan);
  CHECK(plan.chunks >= 2);
  memset(&partial, 0, sizeof partial);
  CHECK(perm_job_run(job, 0, 0, plan.chunks - 1, &partial) == PERM_OK);
  CHECK(perm_job_run(job, 0, 0, 1, &partial) == PERM_OK);
  CHECK(perm_job_finish(job, &partial, &r) == PERM_ERROR_STATE && isnan(r.value));
  perm_job_free(job);
}

/* A rerun in higher precision that is cancelled leaves the finished result, not a prefix of the rerun. */
static int job_cancel_second(const perm_progress *progress, void *user_data)
{
  job_watch *watch = (job_watch *)user_data;
  watch->calls++;
  watch->backwards |= progress->fraction < watch->last; /* the second run begins again */
  watch->last = progress->fraction;
  return watch->backwards;
}

TEST(t_cancelled_rerun_keeps_the_result)
{
  double a[26 * 26];
  perm_options options;
  perm_result r, fast;
  job_watch watch;
  job_matrix(26, a);
  memset(&options, 0, sizeof options);
  memset(&watch, 0, sizeof watch);
  options.isa = PERM_ISA_PLAIN; /* over 0.2 s a run, so that it reports */
  options.threads = 1;
  options.tolerance = 1;
  CHECK(perm_compute_real(26, 26, a, 26, &options, &fast) == PERM_OK);
  options.tolerance = 1e-17;
  options.progress = job_cancel_second;
  options.user_data = &watch;
  CHECK(perm_compute_real(26, 26, a, 26, &options, &r) == PERM_TOLERANCE_NOT_MET);
  if (watch.backwards) /* on a fast machine one rerun may be over before it reports */
    CHECK(r.escalated > 0 ? r.error_estimate <= fast.error_estimate : job_same_bits(&fast, &r));
  CHECK(watch.calls > 0);
}

/* The k-th allocation fails, for every k: a status, and everything given back. */
typedef struct job_memory { long calls, fail_at, balance; size_t last; } job_memory; /* last: bytes asked for */

static void *job_allocate(size_t bytes, void *user_data)
{
  job_memory *memory = (job_memory *)user_data;
  memory->last = bytes;
  if (++memory->calls == memory->fail_at)
    return NULL;
  memory->balance++;
  return malloc(bytes);
}

static void job_release(void *pointer, void *user_data)
{
  ((job_memory *)user_data)->balance--;
  free(pointer);
}

TEST(t_every_allocation_may_fail)
{
  double a[100];
  int n;
  for (n = 0; n <= 10; n += 2) {
    job_memory memory;
    perm_options options;
    long k;
    job_matrix(n, a);
    memset(&options, 0, sizeof options);
    memset(&memory, 0, sizeof memory);
    options.allocator.allocate = job_allocate;
    options.allocator.release = job_release;
    options.allocator.user_data = &memory;
    options.certify = 1; /* not at once, without memory */
    for (k = 1;; k++) {
      perm_result r;
      perm_status status;
      memory.calls = 0;
      memory.fail_at = k;
      status = perm_compute_real(n, n, a, n, &options, &r);
      CHECK(memory.balance == 0);
      if (status == PERM_OK)
        break;
      CHECK(status == PERM_ERROR_MEMORY && isnan(r.value));
      CHECK_TEXT(r.message, "out of memory");
    }
    CHECK_SHOW(k > (n ? 4 : 1), "order %d: only %ld allocations", n, k - 1);
  }
}

/* A job of several leaves: (per A)(per B) + 5, with A a range and B a task. */
TEST(t_expression_of_leaves)
{
  double a[12 * 12], b[9], wanted;
  perm_options options;
  perm_result r;
  perm_job *job;
  perm_state *state = NULL;
  permi_leaf leaf;
  permi_number five;
  char text[600];
  permi_view va, vb;
  perm_precision precision;
  job_matrix(12, a);
  job_matrix(3, b);
  va = permi_view_make(a, 12, 1);
  vb = permi_view_make(b, 3, 1);
  memset(&options, 0, sizeof options);
  job = permi_job_new(&options.allocator, PERM_PRECISION_DEFAULT);
  CHECK(inside_dense_leaf(&options, 12, &va, &leaf, &precision, &r) == PERM_OK && permi_job_push_leaf(job, &leaf));
  CHECK(inside_dense_leaf(&options, 3, &vb, &leaf, &precision, &r) == PERM_OK && permi_job_push_leaf(job, &leaf));
  core_number(&five, 5);
  job->value = permi_job_product;
  job->number = five;
  job->numbered = 1;
  CHECK(perm_state_create(job, &state) == PERM_OK);
  CHECK(perm_job_execute(job, state, NULL, &r) == PERM_OK);
  wanted = (double)(oracle_real(12, a) * oracle_real(3, b) * 5);
  CHECK_SHOW(fabs(r.value - wanted) <= r.error_estimate, "%.17g, wanted %.17g", r.value, wanted);
  CHECK(r.error_estimate < 1e-8);
  CHECK(perm_job_explain(job, NULL, 0) == perm_job_explain(job, text, sizeof text));
  CHECK_TEXT(text, "block of order 12: dense");
  CHECK_TEXT(text, "block of order 3: expansion");
  CHECK(strlen(text) == perm_job_explain(job, text, 10));
  CHECK(strlen(text) < 10);
  perm_state_free(state);
  perm_job_free(job);
}
/* SPDX-License-Identifier: MIT */
