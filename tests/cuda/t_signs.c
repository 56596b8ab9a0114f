/* >>signs_gpu >>text_signs */
/* The sign search on a GPU, or its twin, against the search of the CPU. */

static perm_options cuda_signs_options(int gpu)
{
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  options.method = PERM_METHOD_SIGN_SEARCH;
  if (!gpu) {
    options.gpu.devices = 0;
    options.isa = PERM_ISA_AUTO;
  }
  return options;
}

/* n x n with `ones` cyclic diagonals, of entries up to `most`, or also -1 if that is 0. */
static perm_matrix cuda_signs_matrix(int n, int ones, int most)
{
  static int64_t a[64 * 64], value[64 * 64];
  static int row[64 * 64], column[64 * 64];
  perm_matrix matrix;
  perm_result result;
  size_t nnz = 0;
  int i, k;
  memset(a, 0, sizeof a);
  for (k = 0; k < ones; k++) {
    const int shift = test_below(n);
    for (i = 0; i < n; i++)
      a[i * n + (i + shift) % n] = most ? 1 + test_below(most) : 2 * test_below(2) - 1;
  }
  for (i = 0; i < n; i++) { /* no longer cyclic */
    const int from = test_below(n), to = test_below(n);
    for (k = 0; k < n; k++) {
      const int64_t x = a[from * n + k];
      if (test_below(2)) {
        a[from * n + k] = a[to * n + k];
        a[to * n + k] = x;
      }
    }
  }
  for (i = 0; i < n * n; i++)
    if (a[i]) {
      row[nnz] = i / n;
      column[nnz] = i % n;
      value[nnz++] = a[i];
    }
  CHECK_SHOW(perm_matrix_from_triplets(n, n, nnz, row, column, NULL, NULL, value, PERM_KIND_INTEGER, NULL, &matrix,
                                       &result) == PERM_OK,
             "%s", result.message);
  return matrix;
}

/* 0/1, with digits of 4 and of 8 bits; both signs; entries up to 3. */
static void cuda_signs_against_cpu(int rounds, int most)
{
  static const int entries[5] = {1, 3, 1, 0, 1};
  int round, kernels = 0, small = 0, mixed = 0;
  for (round = 0; round < rounds; round++) {
    const int n = 22 + test_below(most - 21);
    perm_matrix a = cuda_signs_matrix(n, round % 5 == 4 ? 8 : 3 + test_below(5), entries[round % 5]);
    perm_options gpu = cuda_signs_options(1), cpu = cuda_signs_options(0);
    perm_result r = cuda_compute_sparse(&a, &gpu), truth = cuda_compute_sparse(&a, &cpu);
    CHECK_SHOW(truth.status == PERM_OK, "%s", truth.message);
    CHECK_SHOW(r.status == PERM_OK || r.status == PERM_ERROR_UNSUPPORTED, "%s", r.message);
    if (r.status == PERM_OK && r.isa == PERM_ISA_CUDA && r.method == PERM_METHOD_SIGN_SEARCH) {
      kernels++;
      small += round % 5 == 4;
      mixed += round % 5 == 3;
    }
    CHECK_SHOW(r.status != PERM_OK || (r.exact && !memcmp(&r.integer, &truth.integer, sizeof r.integer)),
               "round %d, n %d: %.17g, not %.17g", round, n, r.value, truth.value);
    perm_matrix_free(&a);
  }
  CHECK_SHOW(kernels > rounds / 4 && small > 1 && mixed, "%d kernels of %d, %d, %d", kernels, rounds, small, mixed);
}

TEST(t_cuda_twin_signs_against_cpu)
{
  perm_cuda_test_driver(1);
  cuda_signs_against_cpu(20, 30);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_signs_against_cpu)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  cuda_signs_against_cpu(20, 36);
}

/* Products that fill three words, as factors and as powers of 2 and 3, modulo 2^31 - 1. */
TEST(t_cuda_signs_adds)
{
  const uint64_t p = 2147483647;
  int trial, k;
  for (trial = 0; trial < 20000; trial++) {
    const int small = trial & 1, twos = test_below(129), threes = test_below(twos < 64 ? 65 : 1 + (128 - twos) / 2);
    const uint64_t minus = (uint64_t)test_below(2);
    unsigned sum[6] = {0, 0, 0, 0, 0, 0};
    long long value[4] = {0, 0, 0, 0};
    uint64_t expected = 1, residue = 0;
    for (k = 0; k < 4 && !small; k++) {
      value[k] = 1 + (k < 2 ? test_below(1 << 30) : (long long)test_below(1 << 30) << 31 | test_below(1 << 30));
      value[k] = k == 0 && minus ? -value[k] : value[k];
      expected = expected * ((uint64_t)(value[k] < 0 ? -value[k] : value[k]) % p) % p;
    }
    if (small) {
      value[0] = threes * 129 + (long long)(minus << 31);
      value[3] = twos;
      for (k = 0; k < twos + threes; k++)
        expected = expected * (k < twos ? 2 : 3) % p;
    }
    perm_cuda_test_signs_add(small, value, sum);
    perm_cuda_test_signs_add(small, value, sum); /* carries */
    for (k = 5; k >= 0; k--)
      residue = ((residue << 32 | sum[k]) % p);
    if (sum[5] >> 31)
      residue = (residue + p - 64) % p; /* 2^192 = 64 */
    expected = 2 * (minus ? p - expected : expected) % p;
    CHECK_SHOW(residue == expected, "%s 2^%d 3^%d: %.0f, not %.0f", small ? "codes" : "factors", twos, threes,
               (double)residue, (double)expected);
  }
}

/* A job of any pieces: a launch of one chunk, of several. */
TEST(t_cuda_twin_signs_ranges)
{
  perm_matrix a;
  perm_options options = cuda_signs_options(1);
  perm_job *job = NULL;
  perm_result whole, r;
  perm_leaf leaf;
  perm_partial sum, part;
  uint64_t begin, end;
  memset(&leaf, 0, sizeof leaf);
  memset(&sum, 0, sizeof sum);
  CHECK(perm_generate("regular:34:6", 1, NULL, &a, NULL) == PERM_OK);
  perm_cuda_test_driver(1);
  whole = cuda_compute_sparse(&a, &options);
  CHECK_SHOW(whole.status == PERM_OK && whole.isa == PERM_ISA_CUDA, "%s", whole.message);
  CHECK(perm_sparse_job(&a, &options, &job, &r) == PERM_OK && perm_job_leaf(job, 0, &leaf) == PERM_OK);
  CHECK_SHOW(leaf.chunks > 4, "%d chunks", (int)leaf.chunks);
  for (begin = 0; begin < leaf.chunks; begin = end) {
    end = begin ? begin + 1 + (uint64_t)test_below((int)(leaf.chunks - begin)) : 1;
    memset(&part, 0, sizeof part);
    CHECK(perm_job_run(job, 0, begin, end, &part) == PERM_OK && perm_partial_merge(&sum, &part) == PERM_OK);
  }
  CHECK(perm_job_finish(job, &sum, &r) == PERM_OK && !memcmp(&r.integer, &whole.integer, sizeof r.integer));
  perm_cuda_test_driver(0);
  perm_job_free(job);
  perm_matrix_free(&a);
}

/* Blocks that share tasks fill a GPU, however slow chunks are; others come in pieces of equal seconds. */
TEST(t_cuda_signs_pieces)
{
  CHECK(perm_cuda_test_piece(1, 5, 100000) == 240);
  CHECK(perm_cuda_test_piece(1, 50000, 100000) == 5000);
  CHECK(perm_cuda_test_piece(1, 5, 100) == 100);
  CHECK(perm_cuda_test_piece(0, 50, 100000) == 5);
}

/* With GPUs signs are chosen where a core would take seconds. */
TEST(t_cuda_twin_signs_chosen)
{
  perm_options options = cuda_signs_options(1);
  perm_matrix a;
  perm_job *job = NULL;
  perm_result r;
  options.method = PERM_METHOD_AUTO;
  options.isa = PERM_ISA_AUTO;
  CHECK(perm_generate("regular:48:6", 1, NULL, &a, NULL) == PERM_OK);
  perm_cuda_test_driver(1);
  CHECK_SHOW(perm_sparse_job(&a, &options, &job, &r) == PERM_OK, "%s", r.message);
  perm_cuda_test_driver(0);
  CHECK_SHOW(job->leaves == 1 && job->leaf[0].information.method == PERM_METHOD_SIGN_SEARCH &&
                 job->leaf[0].information.isa == PERM_ISA_CUDA,
             "%s", perm_name("method", job->leaf[0].information.method));
  perm_job_free(job);
  perm_matrix_free(&a);
}

TEST(t_cuda_signs_compiles)
{
  perm_matrix a = cuda_signs_matrix(32, 6, 1);
  perm_options options = cuda_signs_options(1);
  perm_job *job;
  perm_result r;
  char message[PERM_MESSAGE_BYTES] = "", *image;
  size_t size = 0;
  perm_cuda_test_driver(1);
  CHECK_SHOW(perm_sparse_job(&a, &options, &job, &r) == PERM_OK && job->leaves >= 1, "%s", r.message);
  perm_cuda_test_driver(0);
  image = perm_cuda_test_compile(&((const permi_gpu *)job->leaf[0].context)->work, 90, &size, message);
  perm_job_free(job);
  perm_matrix_free(&a);
  if (!image && strstr(message, "no NVRTC"))
    SKIP("no NVRTC");
  CHECK_SHOW(image && size > 1000, "%s", message);
  free(image);
}
/* SPDX-License-Identifier: MIT */
