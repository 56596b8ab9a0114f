/* >>lanes >>polynomial >>sweep >>proof >>proof_check >>proof_kernels: the value and the file of a proof, against other
   engines, the formula in integers and the file of another kernel family; wrong values, in memory and in checkpoints,
   are found. tests/attack/false_proofs.c has examples/perm_verify.c refuse false ones. */

static void t_proof_fill(int n, int parts, int range, int64_t *a)
{
  int i;
  for (i = 0; i < n * n * parts; i++)
    a[i] = test_below(2 * range + 1) - range;
}

static perm_status t_proof_compute(int n, int parts, const int64_t *a, const perm_options *options, perm_result *result)
{
  return parts == 2 ? perm_compute_gaussian(n, n, a, n, options, result)
                    : perm_compute_integer(n, n, a, n, options, result);
}

static perm_status t_proof_prove(int n, int parts, const int64_t *a, const char *path, const perm_options *options,
                                 perm_result *result)
{
  return parts == 2 ? perm_prove_gaussian(n, n, a, n, path, options, result)
                    : perm_prove_integer(n, n, a, n, path, options, result);
}

static int t_proof_same(const perm_result *a, const perm_result *b)
{
  return a->status == PERM_OK && b->status == PERM_OK && a->exact && b->exact &&
         !memcmp(&a->integer, &b->integer, sizeof a->integer) &&
         !memcmp(&a->imaginary_integer, &b->imaginary_integer, sizeof a->integer);
}

/* The bytes of a file that is deleted; NULL: none. */
static unsigned char *t_proof_take(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  unsigned char *bytes = NULL;
  *size = 0;
  if (file) {
    bytes = (unsigned char *)malloc(1 << 22);
    *size = bytes ? fread(bytes, 1, 1 << 22, file) : 0;
    fclose(file);
    remove(path);
  }
  return bytes;
}

static const char t_proof_file[] = "t_proof.tmp";

static void t_proof_compare(int n, int parts, const int64_t *a)
{
  static const perm_isa isas[] = {PERM_ISA_PLAIN, PERM_ISA_AVX2, PERM_ISA_AVX512, PERM_ISA_NEON};
  perm_options options = {0};
  perm_result right, proved;
  unsigned char *first = NULL;
  size_t first_size = 0, size;
  int k;
  CHECK(t_proof_compute(n, parts, a, &options, &right) == PERM_OK);
  for (k = 0; k < 4; k++) {
    unsigned char *bytes;
    if (!permi_isa_here(isas[k]) || (isas[k] == PERM_ISA_PLAIN && n > 13))
      continue;
    options.isa = isas[k];
    t_proof_prove(n, parts, a, t_proof_file, &options, &proved);
    CHECK_SHOW(t_proof_same(&right, &proved) && proved.method == PERM_METHOD_EXACT, "n = %d, parts %d, isa %d: %s", n,
               parts, (int)isas[k], proved.message);
    bytes = t_proof_take(t_proof_file, &size);
    CHECK_SHOW(bytes && (!first || (size == first_size && !memcmp(bytes, first, size))), "n = %d, isa %d: %zu bytes", n,
               (int)isas[k], size);
    if (!first) {
      first = bytes;
      first_size = size;
    } else {
      free(bytes);
    }
  }
  free(first);
}

TEST(t_proof_matches_other_engines)
{
  int64_t a[2 * 16 * 16];
  int n, parts, round;
  for (n = 1; n <= 15; n++)
    for (parts = 1; parts <= 2; parts++)
      for (round = 0; round < (n < 8 ? 4 : 1); round++) {
        t_proof_fill(n, parts, round == 1 ? 1 : round == 2 ? 1000000000 : 9, a);
        t_proof_compare(n, parts, a);
      }
}

TEST(t_proof_takes_extreme_entries)
{
  int64_t a[2 * 11 * 11];
  int parts, i, k;
  for (parts = 1; parts <= 2; parts++)
    for (k = 0; k < 4; k++) {
      const int n = 6 + k;
      for (i = 0; i < n * n * parts; i++)
        a[i] = k == 0 ? INT64_MIN : k == 1 ? INT64_MAX : k == 2 ? 0 : (test_below(2) ? INT64_MIN : INT64_MAX);
      t_proof_compare(n, parts, a);
    }
}

/* Parts merged, a run that stops again and again, threads: the same file. */
TEST(t_proof_in_pieces_is_the_same)
{
  static const char *const parts[] = {"t_proof.1.tmp", "t_proof.2.tmp", "t_proof.3.tmp", NULL};
  const char *const two[] = {parts[0], parts[1], NULL};
  const int n = 14;
  int64_t a[2 * 14 * 14];
  perm_options options = {0};
  perm_result result;
  unsigned char *whole, *bytes;
  size_t size, other;
  int k;
  t_proof_fill(n, 2, 5, a);
  options.threads = 1;
  CHECK(perm_prove_gaussian(n, n, a, n, t_proof_file, &options, &result) == PERM_OK);
  whole = t_proof_take(t_proof_file, &size);
  options.threads = 3;
  CHECK(perm_prove_gaussian(n, n, a, n, t_proof_file, &options, &result) == PERM_OK);
  bytes = t_proof_take(t_proof_file, &other);
  CHECK(whole && bytes && size == other && !memcmp(whole, bytes, size));
  free(bytes);
  for (k = 0; k < 3; k++) {
    remove(parts[k]);
    options.checkpoint.file = parts[k];
    options.checkpoint.part = k + 1;
    options.checkpoint.parts = 3;
    CHECK(perm_prove_gaussian(n, n, a, n, t_proof_file, &options, &result) == PERM_PART_DONE);
  }
  memset(&options.checkpoint, 0, sizeof options.checkpoint);
  options.checkpoint.merge = two;
  CHECK(perm_prove_gaussian(n, n, a, n, t_proof_file, &options, &result) == PERM_ERROR_STATE);
  CHECK(!t_proof_take(t_proof_file, &other));
  options.checkpoint.merge = parts;
  CHECK(perm_prove_gaussian(n, n, a, n, t_proof_file, &options, &result) == PERM_OK);
  bytes = t_proof_take(t_proof_file, &other);
  CHECK(whole && bytes && size == other && !memcmp(whole, bytes, size));
  free(bytes);
  CHECK(perm_prove_gaussian(n, n, a, n, parts[1], &options, &result) == PERM_ERROR_OPTION && result.argument == 5);
  CHECK_TEXT(result.message, "replace");
  for (k = 0; k < 3; k++)
    remove(parts[k]);
  free(whole);
}

static int t_proof_stops(const perm_progress *progress, void *user_data)
{
  (void)progress, (void)user_data;
  return 1;
}

TEST(t_proof_goes_on_after_a_stop)
{
  static const char kept[] = "t_proof.ck.tmp";
  const int n = 18;
  int64_t a[18 * 18];
  perm_options options = {0};
  perm_result result, right;
  const volatile int cancel = 1;
  unsigned char *bytes;
  size_t size;
  int calls;
  t_proof_fill(n, 1, 9, a);
  CHECK(perm_compute_integer(n, n, a, n, &options, &right) == PERM_OK);
  remove(kept);
  options.checkpoint.file = kept;
  options.threads = 1;
  options.progress = t_proof_stops;
  for (calls = 0; calls < 3; calls++) {
    options.cancel = &cancel;
    CHECK(perm_prove_integer(n, n, a, n, t_proof_file, &options, &result) == PERM_STOPPED_CANCELLED);
    CHECK(isnan(result.value));
    CHECK(!t_proof_take(t_proof_file, &size));
  }
  options.cancel = NULL;
  options.progress = NULL;
  CHECK(perm_prove_integer(n, n, a, n, t_proof_file, &options, &result) == PERM_OK && t_proof_same(&result, &right));
  bytes = t_proof_take(t_proof_file, &size);
  CHECK(bytes && size > 8 * 19 * 511);
  free(bytes);
  remove(kept);
  options.checkpoint.seconds = 1e-9; /* the interval is over with the last values, too */
  CHECK(perm_prove_integer(n, n, a, n, t_proof_file, &options, &result) == PERM_OK && t_proof_same(&result, &right));
  options.progress = t_proof_stops; /* a stop after them has nothing left to stop */
  CHECK(perm_prove_integer(n, n, a, n, t_proof_file, &options, &result) == PERM_OK && t_proof_same(&result, &right));
  remove(kept);
}

static perm_status t_proof_job(int n, int parts, const int64_t *a, ptrdiff_t ld, const perm_options *options,
                               perm_job **job, perm_result *result)
{
  const permi_problem problem = permi_integers(n, n, a, ld, permi_reach_of(parts), NULL, NULL);
  permi_result_clear(result);
  return permi_proof_job(&problem, NULL, options, 6, job, result);
}

/* The job of a proof with all its values. */
static perm_job *t_proof_done(int n, int parts, const int64_t *a, perm_state **state, perm_result *result)
{
  perm_options options = {0};
  perm_job *job = NULL;
  options.threads = 1;
  CHECK(t_proof_job(n, parts, a, n, &options, &job, result) == PERM_OK);
  CHECK(job && perm_state_create(job, state) == PERM_OK);
  CHECK(perm_job_execute(job, *state, &options, result) == PERM_OK);
  return job;
}

static uint64_t *t_proof_value(const permi_proof *proof, perm_state *state, int run, uint64_t t)
{
  return permi_proof_word(&state->partial[(uint64_t)run * (uint64_t)proof->leaves + t / PERMI_PROOF_LEAF],
                          t % PERMI_PROOF_LEAF);
}

/* The kernels' values are the formula's, at listed points; the formula is the values' polynomial, at others. */
TEST(t_proof_formula_is_the_kernels)
{
  int64_t a[2 * 12 * 12];
  int n, parts, run, k;
  for (n = 1; n <= 12; n++)
    for (parts = 1; parts <= 2; parts++) {
      uint64_t weight[64], t;
      const permi_proof_room room = {weight, NULL};
      perm_state *state;
      perm_result result;
      perm_job *job;
      const permi_proof *proof;
      t_proof_fill(n, parts, 99, a);
      job = t_proof_done(n, parts, a, &state, &result);
      proof = (const permi_proof *)job->context;
      for (run = 0; run < proof->runs; run++) {
        permi_proof_look look = permi_proof_look_at(proof, state->partial, run, &room);
        const uint64_t all = proof->values + PERMI_PROOF_SYNDROMES;
        CHECK(!look.outside && !look.other && !look.syndrome[0] && !look.syndrome[PERMI_PROOF_SYNDROMES - 1]);
        for (t = 0; t < all; t += 1 + (uint64_t)test_below((int)(all / 50) + 1))
          CHECK_SHOW(permi_proof_formula(proof, run, t, &room) == *t_proof_value(proof, state, run, t),
                     "n = %d, parts %d, value %llu", n, parts, (unsigned long long)t);
        for (t = 0; t < all; t++) { /* a polynomial of degree d + 1 shows in the last syndrome alone */
          const permi_odd_modulus *prime = &proof->prime[run / parts];
          const uint64_t power = permi_prime_power(permi_montgomery(t, prime->square, prime), proof->values, prime);
          uint64_t *value = t_proof_value(proof, state, run, t);
          *value = permi_residue_add(*value, permi_montgomery(power, 1, prime), 0, prime->p);
        }
        look = permi_proof_look_at(proof, state->partial, run, &room);
        for (k = 0; k < PERMI_PROOF_SYNDROMES; k++)
          CHECK((look.syndrome[k] != 0) == (k == PERMI_PROOF_SYNDROMES - 1));
        CHECK(look.other == (n > 1));
      }
      perm_state_free(state);
      perm_job_free(job);
    }
}

/* A single one: where; up to 8: that; all of a range, a word beyond its modulus, another matrix's. What is wrong
   leaves the state, and is computed again. */
TEST(t_proof_finds_wrong_values)
{
  const int n = 11, kinds = PERMI_PROOF_SYNDROMES + 4;
  int64_t a[2 * 11 * 11], other[2 * 11 * 11];
  int parts, kind, k;
  for (parts = 1; parts <= 2; parts++)
    for (kind = 1; kind < kinds; kind++) {
      perm_state *state, *false_state;
      perm_result result, right;
      perm_options options = {0};
      perm_job *job, *false_job;
      const permi_proof *proof;
      char expected[64];
      int run;
      t_proof_fill(n, parts, 99, a);
      job = t_proof_done(n, parts, a, &state, &right);
      proof = (const permi_proof *)job->context;
      run = test_below(proof->runs);
      snprintf(expected, sizeof expected, "wrong");
      if (kind <= PERMI_PROOF_SYNDROMES) {
        const uint64_t apart = (proof->values + PERMI_PROOF_SYNDROMES) / (uint64_t)kind;
        for (k = 0; k < kind; k++) { /* one of every `apart` */
          const uint64_t t = kind == 1 && parts == 2 ? proof->values + 3 /* which only syndromes look at */
                                                     : apart * (uint64_t)k + (uint64_t)test_below((int)apart);
          uint64_t *value = t_proof_value(proof, state, run, t);
          *value = (*value + 1 + (uint64_t)test_below(1 << 30)) % proof->prime[run / parts].p;
          if (kind == 1)
            snprintf(expected, sizeof expected, "value %llu modulo %llu is wrong:", (unsigned long long)t,
                     (unsigned long long)proof->prime[run / parts].p);
        }
      } else if (kind == kinds - 3) { /* a range */
        const permi_proof_leaf *leaf = &proof->leaf[run * proof->leaves + 1];
        for (k = 0; k < (int)(leaf->end - leaf->first); k++)
          *t_proof_value(proof, state, run, leaf->first + (uint64_t)k) ^= 1;
        snprintf(expected, sizeof expected, "values %d to %d modulo", (int)leaf->first, (int)leaf->end - 1);
      } else if (kind == kinds - 2) {
        *t_proof_value(proof, state, run, 300) += proof->prime[run / parts].p;
        snprintf(expected, sizeof expected, "values %d to ", (int)(300 / PERMI_PROOF_LEAF * PERMI_PROOF_LEAF));
      } else {
        memcpy(other, a, sizeof a);
        other[7]++;
        false_job = t_proof_done(n, parts, other, &false_state, &result);
        for (k = run * proof->leaves; k < (run + 1) * proof->leaves; k++) {
          false_state->partial[k].fingerprint = state->partial[k].fingerprint;
          state->partial[k] = false_state->partial[k];
        }
        snprintf(expected, sizeof expected, "values 0 to ");
        perm_state_free(false_state);
        perm_job_free(false_job);
      }
      CHECK(perm_state_finish(job, state, &result) == PERM_ERROR_STATE && isnan(result.value));
      CHECK_TEXT(result.message, expected);
      options.threads = 1;
      CHECK(perm_job_execute(job, state, &options, &result) == PERM_ERROR_STATE && isnan(result.value));
      CHECK_TEXT(result.message, expected);
      CHECK(perm_state_finish(job, state, &result) == PERM_ERROR_STATE);
      CHECK_TEXT(result.message, "missing");
      CHECK(perm_job_execute(job, state, &options, &result) == PERM_OK && t_proof_same(&result, &right));
      perm_state_free(state);
      perm_job_free(job);
    }
}

/* Changes values in a checkpoint, whose checksum is right again; changed: 0 one value, 1 all. */
static void t_proof_spoil(int n, const int64_t *a, const char *path, const perm_options *given, int changed)
{
  perm_options options = *given;
  perm_result result;
  perm_state *state = NULL;
  perm_job *job = NULL;
  int missing, k, w;
  CHECK(t_proof_job(n, 1, a, n, &options, &job, &result) == PERM_OK);
  CHECK(job && permi_checkpoint_read(job, path, &options, &state, &missing, &result) == PERM_OK && state);
  for (k = 0; k < job->leaves; k++) {
    const permi_proof_leaf *leaf = (const permi_proof_leaf *)job->leaf[k].context;
    for (w = 0; w < (int)(leaf->end - leaf->first); w++) {
      uint64_t *word = permi_proof_word(&state->partial[k], (uint64_t)w);
      if (*word && (changed || (k == 1 && w == 3)))
        *word ^= 2;
    }
  }
  CHECK(permi_checkpoint_write(job, state, path, &options, 1, &result) == PERM_OK);
  perm_state_free(state);
  perm_job_free(job);
}

TEST(t_proof_no_false_one_leaves)
{
  static const char *const parts[] = {"t_proof.1.tmp", "t_proof.2.tmp", "t_proof.3.tmp", NULL};
  const int n = 12;
  int64_t a[12 * 12];
  perm_options options = {0};
  perm_result result, right;
  unsigned char *whole, *bytes;
  size_t size, other;
  int k, changed;
  t_proof_fill(n, 1, 9, a);
  options.threads = 1;
  CHECK(perm_prove_integer(n, n, a, n, t_proof_file, &options, &right) == PERM_OK);
  whole = t_proof_take(t_proof_file, &size);
  for (changed = 0; changed < 2; changed++) {
    for (k = 0; k < 3; k++) { /* three machines, of which the second is not to be trusted */
      remove(parts[k]);
      options.checkpoint.file = parts[k];
      options.checkpoint.part = k + 1;
      options.checkpoint.parts = 3;
      CHECK(perm_prove_integer(n, n, a, n, t_proof_file, &options, &result) == PERM_PART_DONE);
      if (k == 1 || (k == 2 && !changed)) /* leaf 1's chunk 0 is in the third */
        t_proof_spoil(n, a, parts[k], &options, changed);
    }
    memset(&options.checkpoint, 0, sizeof options.checkpoint);
    options.checkpoint.merge = parts;
    CHECK(perm_prove_integer(n, n, a, n, t_proof_file, &options, &result) == PERM_ERROR_STATE && isnan(result.value));
    CHECK_TEXT(result.message, changed ? parts[1] : "wrong");
    CHECK_TEXT(result.message, changed ? "wrong: trust" : "value 267 modulo");
    CHECK(!t_proof_take(t_proof_file, &other));
    for (k = 0; k < 3; k++)
      remove(parts[k]);
    options.checkpoint.merge = NULL; /* a checkpoint in which all is done: its wrong values leave it */
    options.checkpoint.file = parts[0];
    CHECK(perm_prove_integer(n, n, a, n, t_proof_file, &options, &result) == PERM_OK && t_proof_same(&result, &right));
    free(t_proof_take(t_proof_file, &other));
    t_proof_spoil(n, a, parts[0], &options, changed);
    CHECK(perm_prove_integer(n, n, a, n, t_proof_file, &options, &result) == PERM_ERROR_STATE && isnan(result.value));
    CHECK_TEXT(result.message, changed ? "values 0 to 263 modulo" : "value 267 modulo");
    CHECK(!t_proof_take(t_proof_file, &other));
    CHECK(perm_prove_integer(n, n, a, n, t_proof_file, &options, &result) == PERM_OK && t_proof_same(&result, &right));
    bytes = t_proof_take(t_proof_file, &other);
    CHECK(whole && bytes && size == other && !memcmp(whole, bytes, size));
    free(bytes);
    memset(&options.checkpoint, 0, sizeof options.checkpoint);
    remove(parts[0]);
  }
  free(whole);
}

/* A modulus changes the value, not the proof; a sparse matrix is proved whole; no file is needed. */
TEST(t_proof_of_residues_and_sparse_matrices)
{
  const int n = 8;
  int64_t a[64];
  double x[64];
  perm_options options = {0};
  perm_result right, result;
  perm_matrix matrix;
  int i;
  t_proof_fill(n, 1, 1, a);
  for (i = 0; i < 64; i++)
    x[i] = (double)a[i];
  options.modulus = 1000003;
  CHECK(perm_compute_integer(n, n, a, n, &options, &right) == PERM_OK);
  CHECK(perm_prove_integer(n, n, a, n, NULL, &options, &result) == PERM_OK && t_proof_same(&right, &result));
  CHECK(result.method == PERM_METHOD_EXACT && result.modulus == 1000003);
  options.modulus = 0;
  CHECK(perm_compute_integer(n, n, a, n, &options, &right) == PERM_OK);
  CHECK(perm_matrix_from_dense(n, n, x, n, NULL, &matrix, &result) == PERM_OK);
  CHECK(perm_prove_sparse(&matrix, t_proof_file, &options, &result) == PERM_OK && t_proof_same(&right, &result));
  CHECK(remove(t_proof_file) == 0);
  perm_matrix_free(&matrix);
}

TEST(t_proof_refusals)
{
  int64_t a[45 * 45] = {1, 2, 3, 4};
  const double half[4] = {0.5, 2, 3, 4};
  perm_matrix matrix, none;
  perm_options options = {0};
  perm_result result;
  int i;
  CHECK(perm_prove_integer(2, 2, a, 2, NULL, NULL, NULL) == PERM_ERROR_NULL);
  CHECK(perm_prove_sparse(NULL, NULL, NULL, NULL) == PERM_ERROR_NULL);
#define PROOF_BAD(call, status_, argument_, text_)                                       \
  CHECK((call) == (status_) && result.argument == (argument_) && isnan(result.value)); \
  CHECK_TEXT(result.message, text_);
  PROOF_BAD(perm_prove_integer(2, 2, NULL, 2, NULL, NULL, &result), PERM_ERROR_NULL, 3, "a is NULL")
  PROOF_BAD(perm_prove_integer(2, 2, a, 1, NULL, NULL, &result), PERM_ERROR_STRIDE, 4, "ld")
  PROOF_BAD(perm_prove_integer(2, 1, a, 2, t_proof_file, &options, &result), PERM_ERROR_SIZE, 1, "square")
  PROOF_BAD(perm_prove_integer(0, 0, a, 0, t_proof_file, &options, &result), PERM_ERROR_SIZE, 1, "order 1 to 44")
  PROOF_BAD(perm_prove_gaussian(45, 45, a, 45, t_proof_file, &options, &result), PERM_ERROR_SIZE, 1, "45 x 45")
  PROOF_BAD(perm_prove_integer(2, 2, a, 2, "", &options, &result), PERM_ERROR_OPTION, 5, "empty name")
  CHECK(perm_matrix_from_dense(2, 2, half, 2, NULL, &matrix, &result) == PERM_OK);
  PROOF_BAD(perm_prove_sparse(&matrix, "", NULL, &result), PERM_ERROR_OPTION, 2, "empty name")
  PROOF_BAD(perm_prove_sparse(NULL, NULL, NULL, &result), PERM_ERROR_NULL, 1, "NULL")
  PROOF_BAD(perm_prove_sparse(&matrix, NULL, NULL, &result), PERM_ERROR_OPTION, 3, "2^53, and so does a modulus, but")
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_from_dense(1, 2, half, 2, NULL, &matrix, &result) == PERM_OK);
  PROOF_BAD(perm_prove_sparse(&matrix, NULL, NULL, &result), PERM_ERROR_SIZE, 1, "the matrix is 1 x 2; proofs are of ")
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_from_triplets(0, 0, 0, NULL, NULL, NULL, NULL, NULL, PERM_KIND_PATTERN, NULL, &none, NULL) ==
        PERM_OK);
  PROOF_BAD(perm_prove_sparse(&none, NULL, NULL, &result), PERM_ERROR_SIZE, 1,
            "the matrix is 0 x 0; proofs are of square ones of order 1 to 44")
  options.threads = -1;
  PROOF_BAD(perm_prove_sparse(&none, NULL, &options, &result), PERM_ERROR_OPTION, 3, "threads")
  PROOF_BAD(perm_prove_integer(2, 2, a, 2, NULL, &options, &result), PERM_ERROR_OPTION, 6, "threads")
  options.threads = 0;
  perm_matrix_free(&none);
  options.method = PERM_METHOD_EXACT;
  PROOF_BAD(perm_prove_integer(2, 2, a, 2, NULL, &options, &result), PERM_ERROR_OPTION, 6, "method auto, not exact")
  options.method = PERM_METHOD_AUTO;
  options.precision = PERM_PRECISION_DD;
  PROOF_BAD(perm_prove_integer(2, 2, a, 2, NULL, &options, &result), PERM_ERROR_OPTION, 6, "leave precision")
  options.precision = PERM_PRECISION_DEFAULT;
  options.max_seconds = 1e-3; /* hundreds of thousands of leaves take longer */
  for (i = 0; i < 40 * 40; i++)
    a[i] = 1;
  CHECK(perm_prove_integer(40, 40, a, 40, NULL, &options, &result) == PERM_STOPPED_TIME);
  CHECK_TEXT(result.message, "max_seconds reached while planning");
  options.max_seconds = 0;
  PROOF_BAD(perm_prove_integer(2, 2, a, 2, "no such directory/proof", &options, &result), PERM_ERROR_FILE, 0, "create")
  options.max_seconds = 5; /* before the work, which takes minutes */
  CHECK(perm_prove_integer(30, 30, a, 40, "no such directory/proof", &options, &result) == PERM_ERROR_FILE);
#undef PROOF_BAD
}

/* options.execute gets the job, and its end is the call's. */
static perm_status t_proof_looks(const perm_job *job, perm_state *state, const perm_options *options,
                                 perm_result *result)
{
  int *looked = (int *)options->user_data;
  perm_leaf leaf;
  *looked = perm_job_leaves(job);
  CHECK(state && perm_job_leaf(job, 0, &leaf) == PERM_OK && leaf.method == PERM_METHOD_EXACT);
  return *looked == 1 ? perm_job_execute(job, state, options, result) : PERM_STOPPED_CANCELLED;
}

TEST(t_proof_is_executed_by_others)
{
  int64_t a[16 * 16];
  perm_options options = {0};
  perm_result result, right;
  int n, looked;
  size_t size;
  for (n = 2; n <= 16; n += 14) {
    t_proof_fill(n, 1, 9, a);
    CHECK(perm_compute_integer(n, n, a, n, NULL, &right) == PERM_OK);
    options.execute = t_proof_looks;
    options.user_data = &looked;
    looked = 0;
    CHECK(perm_prove_integer(n, n, a, n, t_proof_file, &options, &result) ==
          (n == 2 ? PERM_OK : PERM_STOPPED_CANCELLED));
    CHECK(n == 2 ? looked == 1 && t_proof_same(&result, &right) : looked > 1);
    free(t_proof_take(t_proof_file, &size));
    CHECK((size > 0) == (n == 2));
  }
}
/* SPDX-License-Identifier: MIT */
