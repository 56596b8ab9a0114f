/* >>signs_gpu */
/* The sign search on a GPU, or its twin, against the search of the CPU. */

static perm_options cuda_signs_options(int gpu)
{
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  options.method = PERM_METHOD_SIGNS;
  if (!gpu) {
    options.gpu.devices = 0;
    options.isa = PERM_ISA_AUTO;
  }
  return options;
}

/* n x n with `ones` cyclic diagonals, of entries up to `most`. */
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
      a[i * n + (i + shift) % n] = 1 + test_below(most);
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

static void cuda_signs_against_cpu(int rounds, int most)
{
  int round, kernels = 0;
  for (round = 0; round < rounds; round++) {
    const int n = 22 + test_below(most - 21);
    perm_matrix a = cuda_signs_matrix(n, 3 + test_below(5), round % 3 ? 1 : 3);
    perm_options gpu = cuda_signs_options(1), cpu = cuda_signs_options(0);
    perm_result r = cuda_compute_sparse(&a, &gpu), truth = cuda_compute_sparse(&a, &cpu);
    CHECK_SHOW(truth.status == PERM_OK, "%s", truth.message);
    CHECK_SHOW(r.status == PERM_OK || r.status == PERM_ERROR_UNSUPPORTED, "%s", r.message);
    kernels += r.status == PERM_OK && r.isa == PERM_ISA_CUDA && r.method == PERM_METHOD_SIGNS;
    CHECK_SHOW(r.status != PERM_OK || (r.exact && !memcmp(&r.integer, &truth.integer, sizeof r.integer)),
               "round %d, n %d: %.17g, not %.17g", round, n, r.value, truth.value);
    perm_matrix_free(&a);
  }
  CHECK_SHOW(kernels > rounds / 4, "%d kernels of %d", kernels, rounds);
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
