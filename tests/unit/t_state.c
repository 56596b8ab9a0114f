/* >>state, >>job */
/* Sets of intervals against a bitmap, index arithmetic at orders 63 and 64, partials as bytes. */

/* A leaf whose sums have a closed form, so that a range of 2^63 chunks takes no time: chunk k has the term k + 1. */
static void state_add_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, perm_partial *partial)
{
  const int odd[2] = {(int)(begin & 1), (int)(end & 1)}; /* k (k + 1) / 2 without overflow */
  uint64_t high[2], low = oracle_product((end + odd[1]) / 2, end + !odd[1], &high[1]);
  const uint64_t before = oracle_product((begin + odd[0]) / 2, begin + !odd[0], &high[0]);
  high[1] -= high[0] + (low < before);
  low -= before;
  permi_sum_add_bits(&partial->value, low, 1074, 0);
  permi_sum_add_bits(&partial->value, high[1], 1074 + 64, 0);
  permi_partial_count(partial, begin, end);
  partial->fingerprint = leaf->information.fingerprint;
}

static perm_status state_run_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                   perm_partial *partial)
{
  (void)control;
  state_add_range(leaf, begin, end, partial);
  return PERM_OK;
}

static void state_release(const perm_allocator *allocator, void *context)
{
  (void)allocator;
  (void)context;
}

static size_t state_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  (void)leaf;
  return (size_t)snprintf(buffer, size, "\n");
}

/* The product of `leaves` such leaves. */
static perm_job *state_job(int leaves, const uint64_t *chunks, const perm_allocator *allocator)
{
  const perm_allocator plain = {NULL, NULL, NULL};
  perm_job *job = permi_job_new(allocator ? allocator : &plain, PERM_PRECISION_DEFAULT);
  int i;
  if (job)
    job->value = permi_job_product;
  for (i = 0; job && i < leaves; i++) {
    permi_leaf leaf;
    memset(&leaf, 0, sizeof leaf);
    leaf.information.chunks = chunks[i];
    leaf.information.fingerprint = 1000 + (uint64_t)i;
    leaf.information.seconds = 1e-6;
    leaf.run_range = state_run_range;
    leaf.release = state_release;
    leaf.explain = state_explain;
    leaf.scale = permi_dd_make(1);
    if (!permi_job_push_leaf(job, &leaf)) {
      perm_job_free(job);
      return NULL;
    }
  }
  return job;
}

static perm_status state_add(const perm_job *job, perm_state *state, int leaf, uint64_t begin, uint64_t end,
                             perm_result *result)
{
  perm_partial partial;
  memset(&partial, 0, sizeof partial);
  state_add_range(&job->leaf[leaf], begin, end, &partial);
  return perm_state_add(job, state, leaf, begin, end, &partial, result);
}

static int state_equal(const perm_state *a, const perm_state *b)
{
  int i;
  for (i = 0; i < a->leaves; i++)
    if (a->finished[i].count != b->finished[i].count ||
        memcmp(&a->partial[i], &b->partial[i], sizeof *a->partial) != 0 ||
        (a->finished[i].count && memcmp(a->finished[i].list, b->finished[i].list,
                                          a->finished[i].count * sizeof *a->finished[i].list) != 0))
      return 0;
  return 1;
}

/* Some large number, near a power of two or not. */
static uint64_t state_large(void)
{
  const uint64_t power = UINT64_C(1) << (56 + test_below(8)), few = (uint64_t)test_below(7);
  switch (test_below(4)) {
  case 0: return power;
  case 1: return power - 1 - few;
  case 2: return power + few <= UINT64_C(1) << 63 ? power + few : power;
  default: return test_random() >> (1 + test_below(8));
  }
}

/* Against sums made step by step, and at large numbers by what one more number adds. */
TEST(t_prefix_sums)
{
  uint64_t n, indices, squares, sum = 0, square = 0;
  int k;
  for (n = 0; n < 3000; n++) {
    permi_prefix_sums(n, &indices, &squares);
    CHECK(indices == sum && squares == square);
    sum += n;
    square += n * n;
  }
  for (k = 0; k < 20000; k++) {
    uint64_t more, squares_more;
    n = state_large();
    n -= n == UINT64_C(1) << 63;
    permi_prefix_sums(n, &indices, &squares);
    permi_prefix_sums(n + 1, &more, &squares_more);
    CHECK(more - indices == n && squares_more - squares == n * n);
  }
}

/* The parts of any number of chunks into any number of parts: in turn, without gaps, nearly equal. */
TEST(t_parts_share_all)
{
  int k, i;
  for (k = 0; k < 20000; k++) {
    const uint64_t chunks = k % 3 ? state_large() : (uint64_t)test_below(50);
    const int parts = k % 2 ? 1 + test_below(12) : 1 + test_below(1000000000), leaf = test_below(5);
    uint64_t total = 0;
    for (i = 0; i < (parts < 13 ? parts : 3); i++) { /* the part that has the i-th share, and the next one */
      const int part = (int)(((int64_t)i - leaf % parts + parts) % parts) + 1;
      const int next = part % parts + 1;
      const permi_interval share = permi_part_of(chunks, leaf, part, parts),
                           after = permi_part_of(chunks, leaf, next, parts);
      CHECK(share.begin == total && share.end >= share.begin);
      total = share.end;
      CHECK(i == parts - 1 ? after.begin == 0 && share.end == chunks : after.begin == share.end);
      CHECK(share.end - share.begin - chunks / (uint64_t)parts <= 1);
    }
  }
  for (i = 0; i < 4; i++) /* tasks, of one chunk each, go to different parts */
    CHECK(permi_part_of(1, i, (4 - i) % 4 + 1, 4).end == 1);
}

/* Random intervals, added one by one or as states merged, against a bitmap. */
TEST(t_state_is_a_set_of_chunks)
{
  const uint64_t chunks[2] = {40, 1};
  perm_job *job = state_job(2, chunks, NULL);
  perm_result wanted, r;
  perm_state *whole = NULL;
  int trial, refused = 0;
  CHECK(perm_state_create(job, &whole) == PERM_OK);
  CHECK(state_add(job, whole, 0, 0, 40, &r) == PERM_OK && state_add(job, whole, 1, 0, 1, &r) == PERM_OK);
  CHECK(perm_state_finish(job, whole, &wanted) == PERM_OK && wanted.value == 40 * 41 / 2);
  for (trial = 0; trial < 60; trial++) {
    perm_state *state = NULL, *copy = NULL;
    char there[40] = {0}, task = 0;
    int left = 41, k;
    CHECK(perm_state_create(job, &state) == PERM_OK);
    while (left) {
      const int leaf = test_below(8) == 0, merge = test_below(2);
      const int begin = leaf ? 0 : test_below(40), end = leaf ? 1 : begin + 1 + test_below(trial % 2 ? 4 : 40 - begin);
      const int last = end < (int)chunks[leaf] ? end : (int)chunks[leaf];
      perm_state *other = NULL;
      perm_status status;
      int overlap = leaf && task;
      for (k = begin; k < last && !leaf; k++)
        overlap |= there[k];
      CHECK(perm_state_create(job, &copy) == PERM_OK && perm_state_merge(job, copy, state, &r) == PERM_OK);
      CHECK(state_equal(copy, state));
      if (merge) {
        CHECK(perm_state_create(job, &other) == PERM_OK);
        CHECK(state_add(job, other, leaf, (uint64_t)begin, (uint64_t)last, &r) == PERM_OK);
        status = perm_state_merge(job, state, other, &r);
        perm_state_free(other);
      } else {
        status = state_add(job, state, leaf, (uint64_t)begin, (uint64_t)last, &r);
      }
      CHECK(status == (overlap ? PERM_ERROR_STATE : PERM_OK));
      if (overlap) {
        CHECK(state_equal(copy, state));
        CHECK_TEXT(r.message, "are there already");
        refused++;
      } else {
        for (k = begin; k < last && !leaf; k++)
          there[k] = 1;
        task |= (char)leaf;
        left -= last - begin;
      }
      perm_state_free(copy);
      for (k = 0; k <= 41; k++) {
        uint64_t from, to;
        int first = k, stop;
        while (first < 40 && there[first])
          first++;
        first = first < 40 ? first : 40;
        for (stop = first; stop < 40 && !there[stop];)
          stop++;
        CHECK(perm_state_left(job, state, 0, (uint64_t)k, &from, &to) == PERM_OK);
        CHECK_SHOW(from == (uint64_t)first && to == (uint64_t)stop, "from %d: [%d, %d)", k, (int)from, (int)to);
      }
      CHECK(perm_state_finish(job, state, &r) == (left ? PERM_ERROR_STATE : PERM_OK));
      if (left)
        CHECK_TEXT(r.message, "are missing");
    }
    CHECK(job_same_bits(&wanted, &r) && state_equal(state, whole));
    perm_state_free(state);
  }
  CHECK_SHOW(refused > 200, "%d", refused);
  perm_state_free(whole);
  perm_job_free(job);
}

TEST(t_state_refuses)
{
  const uint64_t chunks[2] = {10, 5};
  perm_job *job = state_job(2, chunks, NULL), *smaller = state_job(1, chunks, NULL);
  perm_state *state = NULL, *other = NULL;
  perm_partial partial;
  perm_result r;
  uint64_t begin, end;
  CHECK(perm_state_create(job, &state) == PERM_OK && perm_state_create(smaller, &other) == PERM_OK);
  CHECK(state_add(job, state, 0, 2, 5, &r) == PERM_OK);
  memset(&partial, 0, sizeof partial);
  state_add_range(&job->leaf[0], 6, 8, &partial);
  CHECK(perm_state_add(job, state, 0, 6, 9, &partial, &r) == PERM_ERROR_STATE); /* not these chunks */
  CHECK_TEXT(r.message, "not of the chunks 6 to 9");
  CHECK(perm_state_add(job, state, 0, 7, 9, &partial, &r) == PERM_ERROR_STATE); /* as many, but others */
  CHECK(perm_state_add(job, state, 1, 2, 4, &partial, &r) == PERM_ERROR_STATE); /* another leaf's */
  CHECK(perm_state_add(job, state, 0, 9, 11, &partial, &r) == PERM_ERROR_RANGE);
  CHECK(perm_state_add(job, state, 0, 8, 6, &partial, &r) == PERM_ERROR_RANGE);
  CHECK(perm_state_add(job, state, 2, 6, 8, &partial, &r) == PERM_ERROR_RANGE);
  CHECK(perm_state_add(job, state, -1, 6, 8, &partial, NULL) == PERM_ERROR_RANGE);
  CHECK(perm_state_add(job, state, 0, 6, 8, NULL, &r) == PERM_ERROR_NULL && r.argument == 6);
  CHECK(perm_state_add(job, NULL, 0, 6, 8, &partial, &r) == PERM_ERROR_NULL && r.argument == 2);
  CHECK(perm_state_merge(job, state, other, &r) == PERM_ERROR_STATE);
  CHECK_TEXT(r.message, "a job of 1 leaves, not 2");
  partial.fingerprint++;
  CHECK(perm_state_add(job, state, 0, 6, 8, &partial, &r) == PERM_ERROR_STATE);
  memset(&partial, 0, sizeof partial);
  CHECK(perm_state_add(job, state, 0, 3, 3, &partial, &r) == PERM_OK); /* nothing, wherever */
  CHECK(perm_state_left(job, state, 0, 0, &begin, &end) == PERM_OK && begin == 0 && end == 2);
  CHECK(perm_state_left(job, state, 0, 2, &begin, &end) == PERM_OK && begin == 5 && end == 10);
  CHECK(perm_state_left(job, state, 0, UINT64_MAX, &begin, &end) == PERM_OK && begin == end);
  begin = end = 7;
  CHECK(perm_state_left(job, state, 2, 0, &begin, &end) == PERM_ERROR_RANGE && begin == 0 && end == 0);
  CHECK(perm_state_left(job, state, -1, 0, &begin, &end) == PERM_ERROR_RANGE);
  CHECK(perm_state_left(job, other, 1, 0, &begin, &end) == PERM_ERROR_RANGE); /* a state of one leaf */
  CHECK(perm_state_left(NULL, state, 0, 0, &begin, &end) == PERM_ERROR_NULL);
  CHECK(perm_state_left(job, NULL, 0, 0, &begin, &end) == PERM_ERROR_NULL);
  CHECK(perm_state_left(job, state, 0, 0, NULL, &end) == PERM_ERROR_NULL);
  CHECK(perm_state_left(job, state, 0, 0, &begin, NULL) == PERM_ERROR_NULL);
  CHECK(perm_state_create(NULL, &other) == PERM_ERROR_NULL && perm_state_create(job, NULL) == PERM_ERROR_NULL);
  CHECK(perm_state_finish(job, state, &r) == PERM_ERROR_STATE);
  CHECK_TEXT(r.message, "chunks 0 to 1 of the 10 of leaf 0 are missing");
  CHECK(state_add(job, state, 0, 3, 10, &r) == PERM_ERROR_STATE && r.argument == 0);
  CHECK_TEXT(r.message, "chunks 3 to 4 of leaf 0 are there already");
  memset(&partial, 0, sizeof partial); /* no chunks, but of a leaf that is not there */
  CHECK(perm_state_add(job, state, 2, 0, 0, &partial, &r) == PERM_ERROR_RANGE && r.argument == 3);
  CHECK(perm_state_add(job, state, -1, 0, 0, &partial, &r) == PERM_ERROR_RANGE && r.argument == 3);
  CHECK(perm_state_left(smaller, state, 1, 0, &begin, &end) == PERM_ERROR_RANGE); /* the state has this leaf */
  CHECK(perm_state_finish(NULL, state, &r) == PERM_ERROR_NULL && r.argument == 1);
  CHECK(perm_state_finish(job, NULL, &r) == PERM_ERROR_NULL && r.argument == 2);
  CHECK(perm_state_finish(job, other, &r) == PERM_ERROR_STATE && r.argument == 2);
  CHECK_TEXT(r.message, "a job of 1 leaves, not 2");
  CHECK(perm_state_finish(job, state, NULL) == PERM_ERROR_NULL);
  { /* the same leaf by a plan that scales otherwise: the sums cannot be added */
    memset(&partial, 0, sizeof partial);
    state_add_range(&job->leaf[0], 6, 8, &partial);
    partial.exp2 = 1;
    CHECK(perm_state_add(job, state, 0, 6, 8, &partial, &r) == PERM_ERROR_STATE && r.argument == 0);
    CHECK_TEXT(r.message, "partials of leaf 0 belong to different jobs");
  }
  perm_state_free(state);
  perm_state_free(other);
  perm_job_free(job);
  perm_job_free(smaller);
}

/* 2^62 and 2^63 chunks: cut into parts, executed around what is done already, merged in any order: the same bits. */
TEST(t_state_at_orders_63_and_64)
{
  int trial, i;
  for (trial = 0; trial < 60; trial++) {
    const uint64_t chunks[2] = {trial % 3 ? state_large() : UINT64_C(1) << (62 + trial % 2),
                                1 + (uint64_t)test_below(9)};
    perm_job *job = state_job(2, chunks, NULL);
    const int parts = 1 + test_below(9);
    perm_state *part[9], *whole = NULL;
    perm_options options;
    perm_result r, wanted;
    double product;
    CHECK(perm_state_create(job, &whole) == PERM_OK);
    CHECK(perm_job_execute(job, whole, NULL, &wanted) == PERM_OK);
    product = (double)((oracle_int)chunks[0] * ((oracle_int)chunks[0] + 1) / 2) *
              (double)(chunks[1] * (chunks[1] + 1) / 2);
    CHECK(fabs(ldexp(wanted.value, (int)wanted.exp2) - product) <= 2 * PERMI_UNIT * product);
    perm_state_free(whole);
    memset(&options, 0, sizeof options);
    options.checkpoint.parts = parts;
    for (i = 0; i < parts; i++) {
      options.checkpoint.part = i + 1;
      CHECK(perm_state_create(job, &part[i]) == PERM_OK);
      if (chunks[0] > 1000) { /* somewhere in the middle is done already */
        const permi_interval share = permi_part_of(chunks[0], 0, i + 1, parts);
        const uint64_t at = share.begin + test_random() % (share.end - share.begin - 20);
        CHECK(state_add(job, part[i], 0, at, at + 1 + (uint64_t)test_below(19), &r) == PERM_OK);
      }
      CHECK(perm_job_execute(job, part[i], &options, &r) == (parts == 1 ? PERM_OK : PERM_PART_DONE));
      CHECK(perm_job_execute(job, part[i], &options, &r) == (parts == 1 ? PERM_OK : PERM_PART_DONE));
    }
    for (i = parts - 1; i > 0; i--) {
      const int into = test_below(i);
      CHECK(perm_state_merge(job, part[into], part[into], &r) == PERM_ERROR_STATE);
      CHECK(perm_state_merge(job, part[into], part[i], &r) == PERM_OK);
    }
    CHECK(perm_state_finish(job, part[0], &r) == PERM_OK && job_same_bits(&wanted, &r));
    for (i = 0; i < parts; i++)
      perm_state_free(part[i]);
    perm_job_free(job);
  }
}

/* The real plans of orders 63 and 64: all of the half cube, and its last chunk alone. */
TEST(t_last_chunk_at_orders_63_and_64)
{
  static double a[64 * 64];
  int n, k;
  for (n = 63; n <= 64; n++)
    for (k = 0; k < (n == 63 ? 3 : 2); k++) { /* Ryser's sum has twice the terms */
      static const perm_method method[] = {PERM_METHOD_DENSE, PERM_METHOD_GLYNN, PERM_METHOD_RYSER};
      perm_options options;
      permi_dense_plan plan;
      perm_partial partial;
      perm_state *state = NULL;
      perm_result r;
      perm_job *job;
      uint64_t begin, end;
      job_matrix(n, a);
      memset(&options, 0, sizeof options);
      options.method = method[k];
      job = job_make(n, a, &options, &plan);
      CHECK(plan.chunks == UINT64_C(1) << ((k ? n - (k == 1) : plan.outer_columns) - plan.chunk_log2));
      CHECK(perm_job_range(job, 0, plan.chunks - 1, plan.chunks, &options, &partial, &r) == PERM_OK);
      CHECK(partial.chunks == 1 && partial.indices == plan.chunks - 1 && partial.terms > 0);
      CHECK(perm_state_create(job, &state) == PERM_OK);
      CHECK(perm_state_add(job, state, 0, plan.chunks - 1, plan.chunks, &partial, &r) == PERM_OK);
      CHECK(perm_state_left(job, state, 0, 0, &begin, &end) == PERM_OK && begin == 0 && end == plan.chunks - 1);
      CHECK(perm_state_left(job, state, 0, end, &begin, &end) == PERM_OK && begin == end);
      CHECK(perm_state_finish(job, state, &r) == PERM_ERROR_STATE);
      perm_state_free(state);
      perm_job_free(job);
    }
}

/* perm_job_range, any cut and number of threads: the bits of the whole; a stop leaves a prefix. */
TEST(t_job_range)
{
  double a[24 * 24];
  perm_options options;
  permi_dense_plan plan;
  perm_partial whole, part;
  perm_state *state = NULL;
  perm_result wanted, r;
  perm_job *job;
  volatile int cancel = 1;
  int k;
  job_matrix(24, a);
  memset(&options, 0, sizeof options);
  options.isa = PERM_ISA_PLAIN;
  job = job_make(24, a, &options, &plan);
  memset(&whole, 0, sizeof whole);
  CHECK(perm_job_run(job, 0, 0, plan.chunks, &whole) == PERM_OK);
  CHECK(perm_job_finish(job, &whole, &wanted) == PERM_OK && plan.chunks > 8);
  for (k = 1; k <= 3; k++) {
    const uint64_t cut = test_random() % plan.chunks;
    options.threads = k;
    CHECK(perm_state_create(job, &state) == PERM_OK);
    CHECK(perm_job_range(job, 0, cut, plan.chunks, &options, &part, &r) == PERM_OK && part.chunks == plan.chunks - cut);
    CHECK(perm_state_add(job, state, 0, cut, plan.chunks, &part, &r) == PERM_OK);
    CHECK(perm_job_range(job, 0, 0, cut, &options, &part, NULL) == PERM_OK);
    CHECK(perm_state_add(job, state, 0, 0, cut, &part, &r) == PERM_OK);
    CHECK(perm_state_finish(job, state, &r) == PERM_OK && job_same_bits(&wanted, &r));
    perm_state_free(state);
  }
  options.cancel = &cancel;
  CHECK(perm_job_range(job, 0, 5, plan.chunks, &options, &part, &r) == PERM_STOPPED_CANCELLED);
  CHECK(part.chunks >= 1 && part.chunks < plan.chunks - 5 && permi_partial_covers(&part, 5, 5 + part.chunks));
  CHECK(r.status == PERM_STOPPED_CANCELLED && isnan(r.value));
  CHECK_TEXT(r.message, "cancelled");
  CHECK(perm_job_range(job, 0, 5, 4, &options, &part, &r) == PERM_ERROR_RANGE && !part.chunks);
  CHECK(perm_job_range(job, 1, 0, 1, &options, &part, &r) == PERM_ERROR_RANGE);
  CHECK(perm_job_range(job, 0, 0, 1, &options, NULL, &r) == PERM_ERROR_NULL && r.argument == 6);
  perm_job_free(job);
}

/* The layout that the table says, there and back. */
TEST(t_partial_as_bytes)
{
  unsigned char bytes[PERM_PARTIAL_BYTES + 1];
  perm_partial partial, back;
  int trial, i;
  for (trial = 0; trial < 50; trial++) {
    memset(&partial, 0, sizeof partial);
    partial.fingerprint = test_random();
    partial.chunks = test_random();
    partial.indices = test_random();
    partial.squares = test_random();
    partial.exp2 = (long long)(test_random() >> 4) * (trial % 2 ? 1 : -1) - (trial == 2);
    partial.lost = trial % 3 ? test_uniform() : (double)INFINITY;
    partial.terms = 1e300 * test_uniform();
    for (i = 0; i < PERM_SUM_WORDS; i++) {
      partial.value.word[i] = test_random();
      partial.imaginary.word[i] = test_random();
      partial.absolute.word[i] = test_random();
    }
    memset(bytes, 0x55, sizeof bytes);
    CHECK(perm_partial_encode(&partial, NULL, 0) == PERM_PARTIAL_BYTES);
    CHECK(perm_partial_encode(&partial, bytes, PERM_PARTIAL_BYTES - 1) == PERM_PARTIAL_BYTES && bytes[0] == 0x55);
    CHECK(perm_partial_encode(&partial, bytes, sizeof bytes) == PERM_PARTIAL_BYTES);
    CHECK(bytes[PERM_PARTIAL_BYTES] == 0x55);
    CHECK(perm_partial_decode(bytes, PERM_PARTIAL_BYTES, &back) == PERM_OK);
    CHECK(!memcmp(&back, &partial, sizeof back));
    CHECK(perm_partial_decode(bytes, sizeof bytes, &back) == PERM_ERROR_FORMAT && !back.chunks);
    CHECK(perm_partial_decode(bytes, PERM_PARTIAL_BYTES - 1, &back) == PERM_ERROR_FORMAT);
    CHECK(bytes[8] == (partial.chunks & 255) && bytes[15] == partial.chunks >> 56);
    CHECK(bytes[56] == (partial.value.word[0] & 255) && bytes[760] == (partial.imaginary.word[0] & 255));
    CHECK(bytes[1464] == (partial.absolute.word[0] & 255) && bytes[2167] == partial.absolute.word[87] >> 56);
    permi_put(bytes + 40, permi_bits(-1.0), 8);
    CHECK(perm_partial_decode(bytes, PERM_PARTIAL_BYTES, &back) == PERM_ERROR_FORMAT);
    permi_put(bytes + 40, permi_bits(NAN), 8);
    CHECK(perm_partial_decode(bytes, PERM_PARTIAL_BYTES, &back) == PERM_ERROR_FORMAT);
    permi_put(bytes + 40, permi_bits(0), 8);
    permi_put(bytes + 48, permi_bits((double)INFINITY), 8);
    CHECK(perm_partial_decode(bytes, PERM_PARTIAL_BYTES, &back) == PERM_ERROR_FORMAT);
    permi_put(bytes + 48, permi_bits(DBL_MAX), 8);
    CHECK(perm_partial_decode(bytes, PERM_PARTIAL_BYTES, &back) == PERM_OK && back.terms == DBL_MAX);
    permi_put(bytes + 48, permi_bits(0), 8);
    CHECK(bytes[56] == (partial.value.word[0] & 255)); /* eight bytes, no more */
    permi_put(bytes + 32, UINT64_C(1) << 60, 8);
    CHECK(perm_partial_decode(bytes, PERM_PARTIAL_BYTES, &back) == PERM_OK && back.exp2 == INT64_C(1) << 60);
    permi_put(bytes + 32, (UINT64_C(1) << 60) + 1, 8); /* exponents that overflow when others are added */
    CHECK(perm_partial_decode(bytes, PERM_PARTIAL_BYTES, &back) == PERM_ERROR_FORMAT);
    permi_put(bytes + 32, UINT64_MAX - (UINT64_C(1) << 60) + 1, 8);
    CHECK(perm_partial_decode(bytes, PERM_PARTIAL_BYTES, &back) == PERM_OK && back.exp2 == -(INT64_C(1) << 60));
    permi_put(bytes + 32, UINT64_MAX - (UINT64_C(1) << 60), 8);
    CHECK(perm_partial_decode(bytes, PERM_PARTIAL_BYTES, &back) == PERM_ERROR_FORMAT);
    permi_put(bytes + 32, UINT64_C(1) << 63, 8);
    CHECK(perm_partial_decode(bytes, PERM_PARTIAL_BYTES, &back) == PERM_ERROR_FORMAT);
  }
}

/* The k-th allocation fails, for every k: PERM_ERROR_MEMORY, nothing has changed, everything is given back. */
TEST(t_state_allocations_may_fail)
{
  const uint64_t chunks[2] = {30, 2};
  perm_allocator allocator = {job_allocate, job_release, NULL};
  job_memory memory;
  perm_result r;
  long k;
  int failures = 0;
  memset(&memory, 0, sizeof memory);
  allocator.user_data = &memory;
  for (k = 1; k < 40; k++) {
    perm_job *job;
    perm_state *state = NULL, *other = NULL;
    perm_status status;
    memory.calls = memory.fail_at = 0;
    job = state_job(2, chunks, &allocator);
    CHECK(perm_state_create(job, &state) == PERM_OK && perm_state_create(job, &other) == PERM_OK);
    CHECK(state_add(job, state, 0, 4, 6, &r) == PERM_OK && state_add(job, other, 0, 8, 9, &r) == PERM_OK);
    CHECK(state_add(job, other, 1, 0, 2, &r) == PERM_OK);
    memory.calls = 0;
    memory.fail_at = k;
    status = state_add(job, state, 0, 10, 12, &r);
    if (status != PERM_OK)
      failures += status == PERM_ERROR_MEMORY && state->finished[0].count == 1 && state->partial[0].chunks == 2;
    else if ((status = perm_state_merge(job, state, other, &r)) != PERM_OK)
      failures += status == PERM_ERROR_MEMORY && state->finished[0].count == 2 && !state->finished[1].count;
    CHECK_SHOW((status == PERM_OK) == (k > 6) && (status == PERM_OK || failures == k), "k = %ld: %d", k, status);
    perm_state_free(state);
    perm_state_free(other);
    perm_job_free(job);
    CHECK(memory.balance == 0);
  }
}
/* SPDX-License-Identifier: MIT */
