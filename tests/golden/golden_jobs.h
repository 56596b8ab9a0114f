/* golden_jobs.h: part of golden_calls.h, jobs in pieces, stops and refusals. */

static void golden_fingerprint(uint64_t number)
{
  golden_now.versioned = 1;
  golden_say(" fingerprint=%016llx", (unsigned long long)number);
  golden_end();
}

/* A job of any kind, described; NULL and a line if there is none. */
static perm_job *golden_job(int kind, perm_options *options)
{
  const int big = golden_below(3) == 0;
  perm_job *job = NULL;
  perm_result r;
  int n, ld;
  memset(&r, 0, sizeof r);
  if (kind < 2) {
    n = big ? golden_from(18, 22 - kind) : golden_from(1, 15);
    ld = golden_matrix(n, n, kind + 1);
    *options = golden_options(GOLDEN_ALL_OPTIONS);
    (kind ? perm_job_complex : perm_job_real)(n, n, golden_a, ld, options, &job, &r);
  } else if (kind < 4) {
    n = big ? golden_from(16, 21 - kind) : golden_from(1, 13);
    ld = golden_integers(n, n, kind - 1);
    *options = golden_options(GOLDEN_FORCE);
    golden_modulus(options);
    (kind == 3 ? perm_job_gaussian : perm_job_integer)(n, n, golden_i, ld, options, &job, &r);
  } else {
    const int square = golden_sparse_order(24);
    perm_matrix matrix;
    memset(options, 0, sizeof *options);
    matrix = golden_sparse_matrix(square, square, (perm_kind)golden_below(4), options);
    *options = golden_options(GOLDEN_ALL_OPTIONS);
    if (golden_below(3) == 0) {
      static const perm_method method[] = {PERM_METHOD_HYBRID, PERM_METHOD_HYBRID, PERM_METHOD_SPARYSER,
                                           PERM_METHOD_DOMINATING, PERM_METHOD_DENSE};
      options->method = method[golden_below(5)];
      golden_describe(" %s", perm_name("method", options->method));
    }
    perm_sparse_job(&matrix, options, &job, &r);
    perm_matrix_free(&matrix);
  }
  if (!job) {
    golden_failure(r.status, &r);
    golden_end();
  }
  return job;
}

/* Leaves, their chunks in several partials, as bytes and back, merged, finished; lines of their own for what has
   fingerprints in it. */
static void golden_pieces(int index)
{
  enum { MOST = 16 };
  static unsigned char bytes[PERM_PARTIAL_BYTES];
  static perm_partial partial[MOST], part;
  perm_options options;
  perm_job *job = golden_job(index % 5, &options);
  perm_result r;
  uint64_t hash = GOLDEN_HASH;
  int leaf, leaves;
  if (!job)
    return;
  leaves = perm_job_leaves(job);
  golden_say(" leaves=%d", leaves);
  for (leaf = 0; leaf < leaves && leaves <= MOST; leaf++) {
    perm_leaf information;
    uint64_t at = 0, chunks;
    perm_job_leaf(job, leaf, &information);
    chunks = information.chunks;
    golden_say(" %s:%d:%llu", perm_name("method", information.method), information.n, (unsigned long long)chunks);
    memset(&partial[leaf], 0, sizeof partial[leaf]);
    while (at < chunks) {
      const uint64_t left = chunks - at, step = 1 + golden_bits() % left;
      memset(&part, 0, sizeof part);
      if (golden_below(2))
        perm_job_run(job, leaf, at, at + step, &part);
      else
        perm_job_range(job, leaf, at, at + step, &options, &part, NULL);
      if (perm_partial_encode(&part, bytes, sizeof bytes) != sizeof bytes ||
          perm_partial_decode(bytes, sizeof bytes, &part) != PERM_OK ||
          perm_partial_merge(&partial[leaf], &part) != PERM_OK)
        golden_say(" partials=bad");
      hash = golden_hash_bytes(hash, bytes, sizeof bytes);
      at += step;
    }
  }
  if (leaves <= MOST) {
    perm_job_finish(job, partial, &r);
    golden_result(&r);
  }
  golden_end();
  golden_say(" bytes=%016llx", (unsigned long long)hash);
  golden_fingerprint(perm_job_fingerprint(job));
  perm_job_free(job);
}

/* States: some chunks at a time, two states merged, as bytes and as a file. */
static void golden_states(int index)
{
  static unsigned char bytes[1 << 20];
  static perm_partial part;
  perm_options options, read;
  perm_job *job = golden_job(index % 5, &options);
  perm_state *state[3] = {NULL, NULL, NULL};
  perm_result r;
  uint64_t begin, end, at = 0;
  size_t size;
  int leaf, turn = 0;
  if (!job)
    return;
  if (perm_state_create(job, &state[0]) != PERM_OK || perm_state_create(job, &state[1]) != PERM_OK)
    golden_die("no state", NULL);
  for (leaf = 0; leaf < perm_job_leaves(job); leaf++)
    for (at = 0; perm_state_left(job, state[0], leaf, at, &begin, &end) == PERM_OK && begin < end; at = end, turn++) {
      const uint64_t step = 1 + golden_bits() % (end - begin);
      end = begin + step;
      memset(&part, 0, sizeof part);
      perm_job_range(job, leaf, begin, end, &options, &part, NULL);
      if (perm_state_add(job, state[turn % 2], leaf, begin, end, &part, &r) != PERM_OK)
        golden_failure(r.status, &r);
    }
  if (turn > 1 && perm_state_finish(job, state[0], &r) != PERM_OK)
    golden_failure(r.status, NULL);
  if (perm_state_merge(job, state[0], state[1], &r) != PERM_OK)
    golden_failure(r.status, &r);
  size = perm_state_encode(job, state[0], &options, bytes, sizeof bytes);
  if (perm_state_decode(job, bytes, size, &state[2], &r) != PERM_OK)
    golden_failure(r.status, &r);
  else
    perm_state_finish(job, state[2], &r);
  golden_result(&r);
  golden_end();
  golden_hash("state", bytes, size);
  golden_fingerprint(perm_job_fingerprint(job));
  if (size) { /* damaged */
    perm_state_free(state[2]);
    state[2] = NULL;
    bytes[golden_below((int)size)] ^= 1;
    golden_failure(perm_state_decode(job, bytes, size - (size_t)golden_below(2), &state[2], &r), &r);
    golden_now.versioned = 1;
    golden_end();
  }
  options.checkpoint.note = "a note";
  if (perm_checkpoint_write(job, state[0], "state.ck", &options, &r) != PERM_OK)
    golden_failure(r.status, &r);
  perm_state_free(state[2]);
  state[2] = NULL;
  if (perm_checkpoint_read(job, "state.ck", &options, &state[2], &r) == PERM_OK)
    perm_job_execute(job, state[2], &options, &r);
  golden_result(&r);
  memset(&read, 0, sizeof read);
  {
    char *note = NULL;
    golden_failure(perm_checkpoint_options("state.ck", &read, &note, &r), &r);
    golden_say(" method=%d precision=%d certify=%d modulus=%llu note=%d", (int)read.method,
               (int)read.precision + 2 * (read.precision > 0), /* as it was when there were more */
               read.certify, (unsigned long long)read.modulus, note ? (int)strlen(note) : 0);
    free(note);
  }
  remove("state.ck");
  golden_end();
  for (turn = 0; turn < 3; turn++)
    perm_state_free(state[turn]);
  perm_job_free(job);
}

/* Parts through the options of one call, then put together. */
static void golden_parts(int index)
{
  static const char *const name[] = {"1.ck", "2.ck", "3.ck"};
  const char *merge[4] = {NULL, NULL, NULL, NULL};
  const int kind = index % 4, parts = golden_from(1, 3), n = golden_from(2, kind < 2 ? 18 : 15);
  const int ld = kind < 2 ? golden_matrix(n, n, kind + 1) : golden_integers(n, n, kind - 1);
  perm_options options = golden_options(kind < 2 ? GOLDEN_PRECISION | GOLDEN_CERTIFY : 0);
  perm_result r;
  int part;
  golden_describe(" %d parts", parts);
  for (part = 1; part <= parts + 1; part++) {
    options.checkpoint.part = part <= parts ? part : 0;
    options.checkpoint.parts = part <= parts ? parts : 0;
    options.checkpoint.file = part <= parts ? name[part - 1] : NULL;
    if (part <= parts - (index % 7 == 6))
      merge[part - 1] = name[part - 1];
    options.checkpoint.merge = part > parts && merge[0] ? merge : NULL;
    switch (kind) {
    case 0: perm_compute_real(n, n, golden_a, ld, &options, &r); break;
    case 1: perm_compute_complex(n, n, golden_a, ld, &options, &r); break;
    case 2: perm_compute_integer(n, n, golden_i, ld, &options, &r); break;
    default: perm_compute_gaussian(n, n, golden_i, ld, &options, &r); break;
    }
    golden_result(&r);
    golden_end();
  }
  for (part = 0; part < parts; part++)
    remove(name[part]);
}

/* ------------------------------------------------------------------------------------------- stops and refusals */
static int golden_no(const perm_progress *progress, void *user_data)
{
  (void)progress;
  (void)user_data;
  return 1;
}

static void golden_stops(int index)
{
  static const volatile int now = 1;
  const int what = index % 6, sparse = index / 6 % 2, n = golden_from(5, 17);
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  int ld = 0;
  memset(&options, 0, sizeof options);
  memset(&matrix, 0, sizeof matrix);
  if (sparse)
    matrix = golden_sparse_matrix(n, n, (perm_kind)golden_below(4), &options);
  else
    ld = golden_matrix(n, n, 1);
  options = golden_options(GOLDEN_PRECISION);
  switch (what) {
  case 0:
    options.cancel = &now;
    golden_describe(" cancelled");
    break;
  case 1:
    options.progress = golden_no;
    golden_describe(" no progress");
    break;
  case 2:
    options.max_bytes = 100;
    golden_describe(" 100 bytes");
    break;
  case 3:
    options.max_bytes = 1e12;
    golden_describe(" 1e12 bytes");
    break;
  case 4:
    options.max_seconds = 1e-12;
    golden_describe(" 1e-12 seconds");
    break;
  default:
    options.max_seconds = 1e9;
    options.tolerance = 1e-25;
    golden_describe(" to 1e-25 in 1e9 seconds");
    break;
  }
  if (sparse)
    perm_compute_sparse(&matrix, &options, &r);
  else
    perm_compute_real(n, n, golden_a, ld, &options, &r);
  golden_result(&r);
  golden_end();
  perm_matrix_free(&matrix);
}

/* Bad arguments of every call, a line each. */
#define GOLDEN_BAD(call) (memset(&r, 0, sizeof r), golden_say(" %s", #call), golden_failure(call, &r), golden_end())
static void golden_bad(int index)
{
  const double nan = golden_keep((double)INFINITY) - (double)INFINITY;
  static double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, bad[9], out[20];
  static int64_t whole[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  static const int counts[3] = {1, 1, 1}, wrong[3] = {2, 1, 1}, below[3] = {-1, 2, 2}, far[3] = {0, 1, 7};
  perm_options o;
  perm_result r;
  perm_job *job = NULL, *other = NULL;
  perm_matrix matrix;
  perm_estimate e;
  perm_estimate_plan ep;
  const char *none = NULL;
  perm_partial partial;
  perm_state *state = NULL;
  size_t size = 0;
  memcpy(bad, a, sizeof a);
  bad[4] = index % 2 ? nan : (double)INFINITY;
  memset(&o, 0, sizeof o);
  memset(&e, 0, sizeof e);
  memset(&ep, 0, sizeof ep);
  memset(&matrix, 0, sizeof matrix);
  memset(&partial, 0, sizeof partial);
  o.threads = 1;
  switch (index / 2) {
  case 0:
    GOLDEN_BAD(perm_compute_real(3, 3, NULL, 3, &o, &r));
    GOLDEN_BAD(perm_compute_real(-1, 3, a, 3, &o, &r));
    GOLDEN_BAD(perm_compute_real(3, -3, a, 3, &o, &r));
    GOLDEN_BAD(perm_compute_real(3, 3, a, 2, &o, &r));
    GOLDEN_BAD(perm_compute_real(3, 3, bad, 3, &o, &r));
    GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, NULL));
    GOLDEN_BAD(perm_compute_real(5000, 5000, a, 5000, &o, &r));
    GOLDEN_BAD(perm_compute_complex(1, 1, bad + 3, 1, &o, &r));
    GOLDEN_BAD(perm_compute_complex(2, 2, NULL, 2, &o, &r));
    GOLDEN_BAD(perm_compute_real(3, 3, NULL, 3, &o, &r));
    GOLDEN_BAD(perm_compute_real(3, 3, a, 1, &o, &r));
    GOLDEN_BAD(perm_complex(2, a, NULL));
    GOLDEN_BAD(perm_complex(-2, a, out));
    golden_double("v", perm_real(3, bad));
    golden_double("w", perm_real(-1, a));
    golden_double("x", perm_real(3, NULL));
    golden_end();
    break;
  case 1:
    o.threads = -1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.threads = 1;
    o.tolerance = -1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.tolerance = 0;
    o.tolerance = nan, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.tolerance = 0;
    o.method = (perm_method)99, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.method = PERM_METHOD_AUTO;
    o.precision = (perm_precision)99, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r));
    o.precision = PERM_PRECISION_DEFAULT;
    o.isa = (perm_isa)99, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.isa = PERM_ISA_AUTO;
    o.max_seconds = -1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.max_seconds = 0;
    o.max_bytes = -1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.max_bytes = 0;
    o.plan_effort = -1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.plan_effort = 0;
    o.modulus = 7, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.modulus = 0;
    o.modulus = 1, GOLDEN_BAD(perm_compute_integer(3, 3, whole, 3, &o, &r)), o.modulus = 0;
    o.certify = 7, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.certify = 0;
    o.checkpoint.part = 3, o.checkpoint.parts = 2, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)),
    o.checkpoint.part = o.checkpoint.parts = 0;
    o.checkpoint.merge = &none, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.checkpoint.merge = NULL;
    o.gpu.devices = 1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.gpu.devices = 0;
    o.gpu.devices = -7, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.gpu.devices = 0;
    o.checkpoint.seconds = -1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r));
    break;
  case 2:
    GOLDEN_BAD(perm_compute_integer(3, 3, NULL, 3, &o, &r));
    GOLDEN_BAD(perm_compute_integer(3, 3, whole, 2, &o, &r));
    GOLDEN_BAD(perm_compute_gaussian(2, -2, whole, 2, &o, &r));
    GOLDEN_BAD(perm_compute_repeated_real(3, 3, a, 3, counts, wrong, &o, &r));
    GOLDEN_BAD(perm_compute_repeated_real(3, 3, a, 3, below, counts, &o, &r));
    GOLDEN_BAD(perm_compute_repeated_complex(1, 1, NULL, 1, counts, counts, &o, &r));
    GOLDEN_BAD(perm_compute_repeated_integer(3, 3, whole, 3, below, below, &o, &r));
    GOLDEN_BAD(perm_compute_repeated_gaussian(2, 2, whole, 1, NULL, NULL, &o, &r));
    GOLDEN_BAD(perm_compute_low_rank_real(3, 4, a, 4, a, 3, &o, &r));
    GOLDEN_BAD(perm_compute_low_rank_real(3, 1, NULL, 1, a, 3, &o, &r));
    GOLDEN_BAD(perm_compute_low_rank_complex(2, 1, a, 0, a, 2, &o, &r));
    GOLDEN_BAD(perm_compute_cauchy_real(3, a, a, &o, out, &r));
    GOLDEN_BAD(perm_compute_cauchy_real(3, a, bad + 3, &o, out, &r));
    GOLDEN_BAD(perm_compute_cauchy_complex(-1, a, a, &o, out, &r));
    break;
  case 3:
    GOLDEN_BAD(perm_minors_real(3, 3, a, 3, NULL, NULL, 3, &o, out, &r));
    GOLDEN_BAD(perm_minors_real(3, 3, a, 3, counts, wrong, 0, &o, out, &r));
    GOLDEN_BAD(perm_minors_complex(2, 2, a, 2, NULL, NULL, 0, &o, NULL, &r));
    GOLDEN_BAD(perm_gradient_real(3, 2, a, 3, NULL, NULL, &o, out, &r));
    GOLDEN_BAD(perm_gradient_complex(2, 2, NULL, 2, NULL, NULL, &o, out, &r));
    GOLDEN_BAD(perm_batch_real(3, 1, bad, 9, &o, out, &r));
    GOLDEN_BAD(perm_batch_real(3, 2, a, 8, &o, out, &r));
    GOLDEN_BAD(perm_batch_real(-3, 1, a, 9, &o, out, &r));
    GOLDEN_BAD(perm_batch_complex(2, 1, NULL, 4, &o, out, &r));
    GOLDEN_BAD(perm_batch_real(3, 1, a, 9, &o, NULL, &r));
    GOLDEN_BAD(perm_batch_real_soa(3, 2, a, 1, &o, out, &r));
    GOLDEN_BAD(perm_batch_complex_soa(99, 1, a, 1, &o, out, &r));
    GOLDEN_BAD(perm_batch_real_soa(3, 2, a, 1, &o, out, &r));
    GOLDEN_BAD(perm_select_real(3, 3, a, 3, 2, 1, far + 1, counts, &o, out, &r));
    GOLDEN_BAD(perm_select_complex(2, 2, a, 2, 2, 1, counts, NULL, &o, out, &r));
    break;
  case 4:
    GOLDEN_BAD(perm_estimate_real(3, NULL, 3, NULL, &o, &e)), golden_text(e.message), golden_end();
    GOLDEN_BAD(perm_estimate_real(3, bad, 3, NULL, &o, &e)), golden_text(e.message), golden_end();
    GOLDEN_BAD(perm_estimate_complex(2, a, 1, NULL, &o, &e)), golden_text(e.message), golden_end();
    ep.estimator = (perm_estimator)9;
    GOLDEN_BAD(perm_estimate_real(3, a, 3, &ep, &o, &e)), golden_text(e.message), golden_end();
    ep.estimator = PERM_ESTIMATOR_AUTO, ep.samples = -1;
    GOLDEN_BAD(perm_estimate_real(3, a, 3, &ep, &o, &e)), golden_text(e.message), golden_end();
    ep.samples = 0, ep.confidence = 2;
    GOLDEN_BAD(perm_estimate_real(3, a, 3, &ep, &o, &e)), golden_text(e.message), golden_end();
    break;
  case 5:
    GOLDEN_BAD(perm_job_real(-1, 4, a, 4, &o, &job, &r));
    GOLDEN_BAD(perm_job_real(5000, 5000, a, 5000, &o, &job, &r));
    GOLDEN_BAD(perm_job_complex(2, 2, a, 2, &o, NULL, &r));
    GOLDEN_BAD(perm_job_real(3, 3, NULL, 3, &o, &job, &r));
    GOLDEN_BAD(perm_job_real(3, 3, a, 2, &o, &job, &r));
    GOLDEN_BAD(perm_job_complex(2, -2, a, 2, &o, &job, &r));
    GOLDEN_BAD(perm_job_complex(5000, 5000, a, 5000, &o, &job, &r));
    GOLDEN_BAD(perm_job_integer(3, 3, whole, 3, &o, &job, &r));
    GOLDEN_BAD(perm_job_gaussian(2, 2, whole, 2, &o, &other, &r));
    GOLDEN_BAD(perm_job_run(job, 5, 0, 1, &partial));
    GOLDEN_BAD(perm_job_run(job, 0, 1, 0, &partial));
    GOLDEN_BAD(perm_job_range(job, 0, 0, UINT64_C(1) << 60, &o, &partial, &r));
    GOLDEN_BAD(perm_job_finish(job, &partial, &r));
    GOLDEN_BAD(perm_job_run(job, 0, 0, 1, &partial));
    GOLDEN_BAD(perm_job_finish(other, &partial, &r));
    GOLDEN_BAD(perm_job_leaf(job, -1, NULL));
    GOLDEN_BAD(perm_partial_decode(a, 8, &partial));
    GOLDEN_BAD(perm_state_create(job, &state));
    GOLDEN_BAD(perm_state_finish(job, state, &r));
    GOLDEN_BAD(perm_state_finish(other, state, &r));
    GOLDEN_BAD(perm_state_merge(job, state, state, &r));
    GOLDEN_BAD(perm_state_add(job, state, 0, 0, 2, &partial, &r));
    GOLDEN_BAD(perm_job_execute(other, state, &o, &r));
    GOLDEN_BAD(perm_checkpoint_write(job, state, "missing/a.ck", &o, &r));
    GOLDEN_BAD(perm_checkpoint_write(job, state, "a.ck", &o, &r));
    perm_state_free(state), state = NULL;
    GOLDEN_BAD(perm_checkpoint_read(other, "a.ck", &o, &state, &r));
    o.checkpoint.part = 1, o.checkpoint.parts = 2, GOLDEN_BAD(perm_checkpoint_read(job, "a.ck", &o, &state, &r)),
    o.checkpoint.part = o.checkpoint.parts = 0;
    remove("a.ck");
    GOLDEN_BAD(perm_checkpoint_read(job, "missing.ck", &o, &state, &r));
    GOLDEN_BAD(perm_checkpoint_options("missing.ck", &o, NULL, &r));
    perm_job_free(job);
    perm_job_free(other);
    break;
  case 6:
    GOLDEN_BAD(perm_compute_sparse(NULL, &o, &r));
    GOLDEN_BAD(perm_sparse_job(NULL, &o, &job, &r));
    GOLDEN_BAD(perm_sparse_report(&matrix, &o, NULL, &r));
    GOLDEN_BAD(perm_sparse_spy(&matrix, &o, NULL, NULL, &r));
    GOLDEN_BAD(perm_rook_numbers(NULL, &o, NULL, &r));
    GOLDEN_BAD(perm_sample_sparse(NULL, &o, 1, 0, 1, NULL, &r));
    GOLDEN_BAD(perm_sparse_spy(&matrix, &o, "missing/spy.svg", NULL, &r));
    GOLDEN_BAD(perm_matrix_write("missing/a.mtx", &matrix, NULL, &r));
    GOLDEN_BAD(perm_matrix_from_dense(3, 3, bad, 3, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_dense(3, 3, a, 1, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_triplets(3, 3, 3, far, counts, a, a, whole, PERM_KIND_REAL, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_triplets(3, 3, 3, counts, counts, a, a, whole, PERM_KIND_REAL, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_triplets(8, 8, 3, far, counts, bad + 3, a, whole, PERM_KIND_REAL, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_triplets(8, 8, 3, far, NULL, a, a, whole, PERM_KIND_REAL, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_triplets(8, 8, 3, far, counts, a, a, whole, (perm_kind)9, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_read_memory(NULL, 5, NULL, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_read_memory("", 0, NULL, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_read(NULL, &o, &matrix, NULL, &r));
    GOLDEN_BAD(perm_matrix_read("missing.txt", &o, &matrix, NULL, &r));
    GOLDEN_BAD(perm_matrix_from_csr(3, 3, NULL, counts, a, a, whole, PERM_KIND_REAL, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_borrow_csr(3, 3, NULL, counts, a, a, whole, PERM_KIND_REAL, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_edges(3, 3, 1, far, NULL, 0, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_edges(3, 4, 1, far, a, 1, &o, &matrix, &r));
    GOLDEN_BAD(perm_amplitudes_complex(-1, 1, a, 1, NULL, NULL, &o, out, &r));
    GOLDEN_BAD(perm_amplitudes_count(-1, 1, NULL, &size));
    GOLDEN_BAD(perm_amplitudes_index(2, NULL, NULL, &size));
    GOLDEN_BAD(perm_amplitudes_state(2, 1, NULL, 5, NULL));
    break;
  default:
    GOLDEN_BAD(perm_layout("perm_result", &size, NULL));
    golden_say(" result=%d", (int)size);
    GOLDEN_BAD(perm_layout("perm_result.nothing", &size, &size));
    GOLDEN_BAD(perm_layout(NULL, &size, &size));
    perm_more_layout("perm_matrix", &size, &size);
    golden_say(" matrix=%d", (int)size);
    golden_end();
    break;
  }
}
/* SPDX-License-Identifier: MIT */
