/* >>control, >>proof_check */
/* Stops in the check of proofs and in parts that are merged; what a refusal says of them. The stops are those of
   t_stops.c. */

/* Stops at every look of a call, which leaves no value, and of a state what is right; returns the number of stops. */
typedef struct stop_proof {
  perm_job *job;
  perm_state *state;
  double right; /* value */
  int wrong;    /* the leaf that is, or -1; a call that strikes it may be stopped, and the next computes it again */
} stop_proof;

static long stop_each(int call, const perm_options *options, const stop_proof *proof, perm_status end)
{
  const long live = fault_own.live;
  perm_result r;
  perm_status status;
  long at;
  int k;
  for (at = 1;; at++) {
    perm_state *fresh = NULL;
    stop_fault.looks = 0;
    stop_fault.at = at;
    if (call == 0) {
      status = perm_job_execute(proof->job, proof->state, options, &r);
      for (k = 0; k < proof->job->leaves; k++)
        CHECK(proof->state->finished[k].count || k == proof->wrong);
    } else {
      CHECK(perm_state_create(proof->job, &fresh) == PERM_OK);
      status = perm_job_execute(proof->job, fresh, options, &r);
      perm_state_free(fresh);
    }
    CHECK(r.status == status && fault_own.live == live);
    if (status != PERM_STOPPED_CANCELLED)
      break;
    CHECK(r.value != r.value && r.message[0]);
    if (at > 3)
      at += at / 4;
  }
  if (proof && status == PERM_OK)
    CHECK(r.value == proof->right);
  CHECK_SHOW(status == end || (proof && proof->wrong >= 0 && status == PERM_OK), "call %d: %s, %s", call,
             perm_name("status", status), r.message);
  stop_fault.at = 0;
  return at - 1;
}

/* Proofs before they leave and parts of them that are merged. */
TEST(t_stops_proofs)
{
  enum { N = 20, SMALL = 8 };
  static const char path[] = "build/stop_proof.ck", *const merge[] = {path, NULL};
  int64_t a[N * N];
  stop_proof proof = {NULL, NULL, 0, -1};
  perm_options options;
  perm_result r;
  permi_control watch;
  double b[2 * N * N];
  int k;
  memset(&options, 0, sizeof options);
  memset(&fault_own, 0, sizeof fault_own);
  options.threads = 1;
  options.allocator.allocate = fault_allocate;
  options.allocator.release = fault_release;
  options.allocator.user_data = &fault_own;
  for (k = 0; k < N * N; k++)
    a[k] = k / N + k % N;
  for (k = 0; k < 2 * N * N; k++)
    b[k] = test_uniform();
  test_watch_units = 0;
  test_watch_steps = 1;
  for (k = 1; k <= 2; k++) {
    stop_fault.looks = 0;
    watch = permi_control_begin(&options);
    permi_estimate_most(b, N, k, NULL, &watch);
    CHECK_SHOW(stop_fault.looks == N, "%ld looks", stop_fault.looks);
  }
  CHECK(t_proof_job(SMALL, 1, a, N, &options, &proof.job, &r) == PERM_OK);
  CHECK(perm_state_create(proof.job, &proof.state) == PERM_OK);
  remove(path);
  options.checkpoint.file = path;
  CHECK(perm_job_execute(proof.job, proof.state, &options, &r) == PERM_OK);
  options.checkpoint.file = NULL;
  proof.right = r.value;
  CHECK(stop_each(0, &options, &proof, PERM_OK) > 100);
  for (k = 0; k < 2; k++) { /* one value is wrong; a range */
    uint64_t *word = proof.state->partial[0].value.word;
    memset(word, 0, (size_t)(k ? 20 : 1) * sizeof *word);
    proof.wrong = 0;
    CHECK(stop_each(0, &options, &proof, PERM_ERROR_STATE) > 100);
    CHECK(perm_job_execute(proof.job, proof.state, &options, &r) == PERM_OK);
  }
  options.checkpoint.merge = merge;
  CHECK(stop_each(1, &options, &proof, PERM_OK) > 100);
  remove(path);
  perm_state_free(proof.state);
  perm_job_free(proof.job);
  CHECK(fault_own.live == 0);
  test_watch_units = 1e7;
  test_watch_steps = 65536;
}

static void *stop_slow_allocate(size_t bytes, void *user_data)
{
  const double until = permi_seconds() + 2e-3;
  (void)user_data;
  while (permi_seconds() < until)
    ;
  return malloc(bytes);
}

static void stop_slow_release(void *pointer, void *user_data)
{
  (void)user_data;
  free(pointer);
}

/* Planning takes some of max_seconds; the refusal says what it left. */
TEST(t_stops_say_what_is_left)
{
  enum { N = 28 };
  static int64_t a[N * N];
  double left = -1;
  int64_t k;
  const char *of;
  perm_options options;
  perm_result r;
  memset(&options, 0, sizeof options);
  for (k = 0; k < N * N; k++)
    a[k] = test_below(100);
  options.method = PERM_METHOD_SUBSETS;
  options.max_seconds = 0.5;
  options.allocator.allocate = stop_slow_allocate;
  options.allocator.release = stop_slow_release;
  CHECK(perm_compute_integer(N, N, a, N, &options, &r) == PERM_ERROR_LIMIT);
  CHECK_TEXT(r.message, "over max_seconds, of which ");
  of = strstr(r.message, "of which ");
  CHECK_SHOW(of && sscanf(of, "of which %lf ms are left", &left) == 1 && left > 0 && left < 499, "%s", r.message);
}
/* SPDX-License-Identifier: MIT */
