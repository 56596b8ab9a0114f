/* >>proof_gpu, >>text_proof */
/* Proofs made on a GPU, or its twin, against those of the CPU: the same bytes. */

static const char proof_file[] = "build/proof.tmp";

static perm_status proof_compute(int n, int parts, const int64_t *a, const perm_options *options, perm_result *result)
{
  return parts == 2 ? perm_prove_gaussian(n, n, a, n, proof_file, options, result)
                    : perm_prove_integer(n, n, a, n, proof_file, options, result);
}

static perm_status proof_job(int n, const int64_t *a, ptrdiff_t ld, const perm_options *options, perm_job **job,
                             perm_result *result)
{
  const permi_problem problem = permi_integers(n, n, a, ld, &permi_reach_real, NULL, NULL);
  permi_result_clear(result);
  return permi_proof_job(&problem, NULL, options, 6, job, result);
}

/* The bytes of the proof, which is deleted; NULL: none. */
static unsigned char *proof_take(size_t *size)
{
  FILE *file = fopen(proof_file, "rb");
  unsigned char *bytes = file ? (unsigned char *)malloc(1 << 24) : NULL;
  *size = bytes ? fread(bytes, 1, 1 << 24, file) : 0;
  if (file) {
    fclose(file);
    remove(proof_file);
  }
  return bytes;
}

static void proof_fill(int n, int parts, int range, int64_t *a)
{
  int i;
  for (i = 0; i < n * n * parts; i++)
    a[i] = test_below(2 * range + 1) - range;
}

static perm_options proof_options(int gpus)
{
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  options.method = PERM_METHOD_AUTO;
  options.tolerance = 0;
  if (!gpus) {
    options.gpu.devices = 0;
    options.isa = PERM_ISA_AUTO;
  }
  return options;
}

static void proof_against_cpu(int n, int parts, int range, int gpus)
{
  static int64_t a[2 * 44 * 44];
  const perm_options there = proof_options(1), here = proof_options(0);
  perm_result result, truth;
  unsigned char *bytes, *right;
  size_t size, right_size;
  proof_fill(n, parts, range, a);
  CHECK(proof_compute(n, parts, a, &here, &truth) == PERM_OK);
  right = proof_take(&right_size);
  perm_cuda_test_driver(gpus);
  CHECK_SHOW(proof_compute(n, parts, a, &there, &result) == PERM_OK && result.isa == PERM_ISA_CUDA && result.gpus >= 1,
             "n = %d, parts %d, range %d: %s", n, parts, range, result.message);
  bytes = proof_take(&size);
  CHECK_SHOW(right && bytes && size == right_size && !memcmp(bytes, right, size), "n = %d, parts %d, range %d: %zu", n,
             parts, range, size);
  CHECK(!memcmp(&result.integer, &truth.integer, sizeof truth.integer));
  free(bytes);
  free(right);
}

TEST(t_cuda_proof_matches_cpu)
{
  int n, parts;
  for (n = 13; n <= 17; n++)
    for (parts = 1; parts <= 2; parts++)
      proof_against_cpu(n, parts, n & 1 ? 1 : 1000000, 1 + n % 3);
}

/* Chunks of larger orders, below and above 2^signs, against the formula. */
TEST(t_cuda_proof_chunks_match_the_formula)
{
  static int64_t a[44 * 44];
  int n;
  perm_cuda_test_driver(1);
  for (n = 18; n <= 28; n += 5) {
    const perm_options options = proof_options(1);
    perm_result result;
    perm_partial partial;
    perm_job *job = NULL;
    const permi_proof *proof;
    uint64_t *weight = (uint64_t *)malloc(sizeof *weight << n / 2), t;
    const permi_proof_room room = {weight, NULL};
    int leaf, k;
    proof_fill(n, 1, 1000, a);
    CHECK(proof_job(n, a, n, &options, &job, &result) == PERM_OK);
    proof = (const permi_proof *)job->context;
    for (leaf = 1; leaf < proof->leaves; leaf += proof->leaves - 2) {
      const uint64_t chunk = (uint64_t)test_below(8);
      CHECK(perm_job_range(job, leaf, chunk, chunk + 1, &options, &partial, &result) == PERM_OK);
      for (k = 0; k < 32; k += 1 + test_below(8)) {
        t = (uint64_t)leaf * 256 + chunk * 32 + (uint64_t)k;
        CHECK_SHOW(*permi_proof_word(&partial, chunk * 32 + (uint64_t)k) == permi_proof_formula(proof, 0, t, &room),
                   "n = %d, value %llu", n, (unsigned long long)t);
      }
    }
    perm_job_free(job);
    free(weight);
  }
}

/* A stop and parts leave prefixes and holes, which other calls fill; one leaf by itself. */
TEST(t_cuda_proof_in_pieces)
{
  static const char *const parts[] = {"build/proof.1.tmp", "build/proof.2.tmp", "build/proof.3.tmp", NULL};
  const int n = 14;
  int64_t a[14 * 14];
  perm_options options = proof_options(0);
  perm_result result, truth;
  unsigned char *bytes, *right;
  perm_partial whole, piece;
  perm_job *job = NULL;
  size_t size, right_size;
  int k;
  proof_fill(n, 1, 9, a);
  CHECK(proof_compute(n, 1, a, &options, &truth) == PERM_OK);
  right = proof_take(&right_size);
  options = proof_options(1);
  perm_cuda_test_driver(2);
  for (k = 0; k < 3; k++) {
    remove(parts[k]);
    options.checkpoint.file = parts[k];
    options.checkpoint.part = k + 1;
    options.checkpoint.parts = 3;
    CHECK(proof_compute(n, 1, a, &options, &result) == PERM_PART_DONE);
  }
  memset(&options.checkpoint, 0, sizeof options.checkpoint);
  options.checkpoint.merge = parts;
  CHECK_SHOW(proof_compute(n, 1, a, &options, &result) == PERM_OK, "%s", result.message);
  bytes = proof_take(&size);
  CHECK(right && bytes && size == right_size && !memcmp(bytes, right, size));
  free(bytes);
  memset(&options.checkpoint, 0, sizeof options.checkpoint);
  CHECK(proof_job(n, a, n, &options, &job, &result) == PERM_OK);
  CHECK(perm_job_range(job, 1, 2, 7, &options, &whole, &result) == PERM_OK && whole.chunks == 5);
  CHECK(perm_job_range(job, 1, 2, 4, &options, &piece, &result) == PERM_OK);
  CHECK(perm_job_run(job, 1, 4, 7, &piece) == PERM_OK && !memcmp(&piece, &whole, sizeof whole));
  perm_job_free(job);
  for (k = 0; k < 3; k++)
    remove(parts[k]);
  free(right);
}

/* A device that fails after some pieces leaves a prefix in the checkpoint; one that computes falsely is named. */
TEST(t_cuda_proof_faults)
{
  static const char kept[] = "build/proof.ck.tmp";
  const int n = 15;
  int64_t a[15 * 15];
  perm_options options = proof_options(0);
  perm_result result, truth;
  unsigned char *bytes, *right;
  size_t size, right_size;
  long fault;
  int failed = 0;
  proof_fill(n, 1, 9, a);
  CHECK(proof_compute(n, 1, a, &options, &truth) == PERM_OK);
  right = proof_take(&right_size);
  options = proof_options(1);
  options.checkpoint.file = kept;
  for (fault = 20; fault < 60; fault += 7) {
    remove(kept);
    perm_cuda_test_driver(1);
    perm_cuda_test_fault(fault);
    failed += proof_compute(n, 1, a, &options, &result) == PERM_ERROR_DEVICE;
    perm_cuda_test_fault(-1);
    perm_cuda_test_driver(1);
    CHECK_SHOW(proof_compute(n, 1, a, &options, &result) == PERM_OK, "%s", result.message);
    bytes = proof_take(&size);
    CHECK(right && bytes && size == right_size && !memcmp(bytes, right, size));
    free(bytes);
  }
  CHECK(failed > 2);
  remove(kept);
  memset(&options.checkpoint, 0, sizeof options.checkpoint);
  perm_cuda_test_driver(1);
  perm_cuda_test_proof_add(1);
  CHECK(proof_compute(n, 1, a, &options, &result) == PERM_ERROR_DEVICE && isnan(result.value));
  CHECK_TEXT(result.message, "not to be trusted");
  perm_cuda_test_proof_add(0);
  CHECK(!proof_take(&size));
  free(right);
}

TEST(t_cuda_proof_where)
{
  int64_t a[34 * 34];
  perm_options options = proof_options(1);
  perm_result result;
  perm_job *job = NULL;
  perm_leaf leaf;
  proof_fill(34, 1, 1, a);
  CHECK(proof_job(12, a, 12, &options, &job, &result) == PERM_ERROR_UNSUPPORTED);
  CHECK_TEXT(result.message, "order 13 to 44");
  options.isa = PERM_ISA_AUTO;
  CHECK(proof_job(34, a, 34, &options, &job, &result) == PERM_OK);
  CHECK(perm_job_leaf(job, 0, &leaf) == PERM_OK && leaf.isa == PERM_ISA_CUDA && leaf.chunks == 8);
  perm_job_free(job);
  CHECK(proof_job(14, a, 34, &options, &job, &result) == PERM_OK);
  CHECK(perm_job_leaf(job, 0, &leaf) == PERM_OK && leaf.isa != PERM_ISA_CUDA);
  perm_job_free(job);
}

TEST(t_cuda_proof_kernels_compile)
{
  static const int orders[] = {13, 30, 44};
  static int64_t a[44 * 44];
  int k;
  perm_cuda_test_driver(0);
  proof_fill(44, 1, 1, a);
  for (k = 0; k < 3; k++) {
    const perm_options options = proof_options(1);
    permi_proof_gpu gpu;
    perm_result result;
    perm_job *job = NULL;
    char message[PERM_MESSAGE_BYTES] = "", *image;
    size_t size = 0;
    CHECK(proof_job(orders[k], a, 44, &options, &job, &result) == PERM_OK);
    permi_proof_gpu_open(&gpu, (const permi_proof *)job->context, 0);
    image = perm_cuda_test_compile(&gpu.work, 90, &size, message);
    if (!image && strstr(message, "no NVRTC"))
      SKIP("no NVRTC");
    CHECK_SHOW(image && size > 1000, "n = %d: %s", orders[k], message);
    free(image);
    perm_job_free(job);
  }
}

TEST(t_cuda_gpu_proof)
{
  if (!cuda_real_gpus())
    SKIP("no GPU");
  proof_against_cpu(13, 2, 1 << 30, 0);
  proof_against_cpu(20, 1, 1, 0);
  proof_against_cpu(23, 1, 99, 0);
}
/* SPDX-License-Identifier: MIT */
