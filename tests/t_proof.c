/* >>polynomial >>proof >>proof_kernels: the value and the file of a proof, against other engines, Horner's scheme and
   the file of another kernel family. tests/false_proofs.c has examples/perm_verify.c refuse false ones. */

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
    options.prove = t_proof_file;
    t_proof_compute(n, parts, a, &options, &proved);
    CHECK_SHOW(t_proof_same(&right, &proved) && proved.method == PERM_METHOD_PROOF, "n = %d, parts %d, isa %d: %s", n,
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
  static const char *const parts[] = {"t_proof.1.tmp", "t_proof.2.tmp", "t_proof.3.tmp"};
  const int n = 14;
  int64_t a[2 * 14 * 14];
  perm_options options = {0};
  perm_result result;
  unsigned char *whole, *bytes;
  size_t size, other;
  int k;
  t_proof_fill(n, 2, 5, a);
  options.prove = t_proof_file;
  options.threads = 1;
  CHECK(perm_compute_gaussian(n, n, a, n, &options, &result) == PERM_OK);
  whole = t_proof_take(t_proof_file, &size);
  options.threads = 3;
  CHECK(perm_compute_gaussian(n, n, a, n, &options, &result) == PERM_OK);
  bytes = t_proof_take(t_proof_file, &other);
  CHECK(whole && bytes && size == other && !memcmp(whole, bytes, size));
  free(bytes);
  for (k = 0; k < 3; k++) {
    remove(parts[k]);
    options.checkpoint.file = parts[k];
    options.checkpoint.part = k + 1;
    options.checkpoint.parts = 3;
    CHECK(perm_compute_gaussian(n, n, a, n, &options, &result) == PERM_PART_DONE);
  }
  memset(&options.checkpoint, 0, sizeof options.checkpoint);
  options.checkpoint.merge = parts;
  options.checkpoint.merges = 2;
  CHECK(perm_compute_gaussian(n, n, a, n, &options, &result) == PERM_ERROR_STATE);
  CHECK(!t_proof_take(t_proof_file, &other));
  options.checkpoint.merges = 3;
  CHECK(perm_compute_gaussian(n, n, a, n, &options, &result) == PERM_OK);
  bytes = t_proof_take(t_proof_file, &other);
  CHECK(whole && bytes && size == other && !memcmp(whole, bytes, size));
  free(bytes);
  options.prove = parts[1];
  CHECK(perm_compute_gaussian(n, n, a, n, &options, &result) == PERM_ERROR_OPTION && strstr(result.message, "replace"));
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
  options.prove = t_proof_file;
  options.checkpoint.file = kept;
  options.threads = 1;
  options.progress = t_proof_stops;
  for (calls = 0; calls < 3; calls++) {
    options.cancel = &cancel;
    CHECK(perm_compute_integer(n, n, a, n, &options, &result) == PERM_STOPPED_CANCELLED && isnan(result.value));
    CHECK(!t_proof_take(t_proof_file, &size));
  }
  options.cancel = NULL;
  options.progress = NULL;
  CHECK(perm_compute_integer(n, n, a, n, &options, &result) == PERM_OK && t_proof_same(&result, &right));
  bytes = t_proof_take(t_proof_file, &size);
  CHECK(bytes && size > 8 * 19 * 511);
  free(bytes);
  remove(kept);
}

/* A modulus changes the value, not the proof; a sparse matrix is proved whole; method proof needs no file. */
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
  options.method = PERM_METHOD_PROOF;
  CHECK(perm_compute_integer(n, n, a, n, &options, &result) == PERM_OK && t_proof_same(&right, &result));
  CHECK(result.method == PERM_METHOD_PROOF && result.modulus == 1000003);
  options.modulus = 0;
  CHECK(perm_compute_integer(n, n, a, n, &options, &right) == PERM_OK);
  CHECK(perm_matrix_from_dense(n, n, x, n, NULL, &matrix, &result) == PERM_OK);
  options.prove = t_proof_file;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && t_proof_same(&right, &result));
  CHECK(remove(t_proof_file) == 0);
  perm_matrix_free(&matrix);
}

TEST(t_proof_refusals)
{
  int64_t a[45 * 45] = {1, 2, 3, 4};
  const double x[4] = {1, 2, 3, 4};
  const int counts[2] = {1, 1};
  double minors[4];
  int columns[2];
  perm_integer numbers[3];
  perm_matrix matrix;
  perm_options options = {0};
  perm_result result;
  options.prove = t_proof_file;
  CHECK(perm_compute_real(2, 2, x, 2, &options, &result) == PERM_ERROR_UNSUPPORTED);
  CHECK_TEXT(result.message, "integers");
  CHECK(perm_compute_integer(2, 1, a, 2, &options, &result) == PERM_ERROR_SIZE);
  CHECK(perm_compute_integer(0, 0, a, 0, &options, &result) == PERM_ERROR_SIZE);
  CHECK(perm_compute_integer(45, 45, a, 45, &options, &result) == PERM_ERROR_SIZE);
  CHECK(perm_compute_repeated_integer(2, 2, a, 2, counts, counts, &options, &result) == PERM_ERROR_SIZE);
  options.method = PERM_METHOD_EXACT;
  CHECK(perm_compute_integer(2, 2, a, 2, &options, &result) == PERM_ERROR_OPTION);
  options.method = PERM_METHOD_AUTO;
  options.precision = PERM_PRECISION_DD;
  CHECK(perm_compute_integer(2, 2, a, 2, &options, &result) == PERM_ERROR_OPTION);
  options.precision = PERM_PRECISION_DEFAULT;
  CHECK(perm_minors_real(2, 2, x, 2, NULL, NULL, 0, &options, minors, &result) == PERM_ERROR_OPTION);
  CHECK_TEXT(result.message, "prove");
  CHECK(perm_gradient_real(2, 2, x, 2, NULL, NULL, &options, minors, &result) == PERM_ERROR_OPTION);
  CHECK(perm_compute_low_rank_real(2, 1, x, 1, x, 2, &options, &result) == PERM_ERROR_OPTION);
  CHECK_TEXT(result.message, "prove");
  CHECK(perm_sample_real(2, 2, x, 2, &options, 1, 0, 1, columns, &result) == PERM_ERROR_OPTION && result.argument == 5);
  CHECK(perm_matrix_from_dense(2, 2, x, 2, NULL, &matrix, &result) == PERM_OK);
  CHECK(perm_sample_sparse(&matrix, &options, 1, 0, 1, columns, &result) == PERM_ERROR_OPTION && result.argument == 2);
  CHECK(perm_rook_numbers(&matrix, &options, numbers, &result) == PERM_ERROR_OPTION && result.argument == 2);
  CHECK_TEXT(result.message, "prove");
  perm_matrix_free(&matrix);
  options.prove = "no such directory/proof";
  CHECK(perm_compute_integer(2, 2, a, 2, &options, &result) == PERM_ERROR_FILE && isnan(result.value));
}
/* SPDX-License-Identifier: MIT */
