/* >>codegen */
/* Generated kernels after the literature. */

/* ---- generated kernels after the literature */
/* Structure `kind`: random ones, singular ones, empty lines, full ones, bordered, equal rows; entries of both signs, or
   small integers, whose row sums vanish often. Transposed every other time. */
enum { CUDA_STRUCTURES = 6 };
static perm_matrix cuda_structure(int kind, int n, int turned)
{
  static double value[64 * 64], none[64 * 64];
  static int row[64 * 64], column[64 * 64];
  const double density = 0.15 + 0.7 * test_uniform();
  const int integers = test_below(3) == 0;
  perm_matrix matrix;
  perm_result result;
  size_t nnz = 0;
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      int entry = test_uniform() < density || (kind != 1 && j == (i + 1) % n);
      switch (kind) {
      case 2: entry = entry && i != n / 2; break;
      case 3: entry = 1; break;
      case 4: entry = i < 2 || j < 2 || i == j || j == i - 1; break;
      default: break;
      }
      value[nnz] = integers ? test_below(2) ? 1 : -1 : test_uniform() - (test_below(2) ? 0 : 0.5);
      if (kind == 5 && i % 2 && !integers)
        value[nnz] = 1 + j;
      row[nnz] = turned ? j : i;
      column[nnz] = turned ? i : j;
      nnz += entry != 0;
    }
  CHECK(perm_matrix_from_triplets(n, n, nnz, row, column, value, none, NULL, PERM_KIND_REAL, NULL, &matrix, &result) ==
        PERM_OK);
  return matrix;
}

/* The first columns need no rows but those in registers, and no more of these are kept than they need. */
static void cuda_codegen_columns(const permi_codegen *codegen)
{
  const permi_ryser *ryser = &codegen->ryser;
  int e, most = 0;
  for (e = 0; e < ryser->column_start[codegen->quick]; e++)
    most = codegen->place[ryser->touched[e]] >= most ? codegen->place[ryser->touched[e]] + 1 : most;
  CHECK(codegen->kept == ryser->n ? most <= codegen->kept : most == codegen->kept);
}

/* The exact value of the CPU's double-doubles, the CPU's sums by name, and bounds. */
static void cuda_codegen_against_cpu(int rounds, int n_most)
{
  int round, k, kernels = 0, zeros = 0, transposed = 0, memory = 0;
  double worst = 0;
  for (round = 0; round < rounds; round++) {
    const int n = 1 + test_below(n_most);
    perm_matrix a = cuda_structure(round % CUDA_STRUCTURES, n, round & 1);
    perm_options exact = cuda_options(PERM_PRECISION_DD, 0), plain = cuda_options(PERM_PRECISION_DEFAULT, 0);
    perm_result truth, sums[2];
    exact.isa = plain.isa = PERM_ISA_AUTO;
    exact.gpu.devices = plain.gpu.devices = 0;
    truth = cuda_compute_sparse(&a, &exact);
    CHECK_SHOW(truth.status == PERM_OK || truth.status == PERM_TOLERANCE_NOT_MET, "%s", truth.message);
    for (k = 0; k < 2; k++) {
      plain.method = k ? PERM_METHOD_HYBRID : PERM_METHOD_SPARYSER;
      sums[k] = cuda_compute_sparse(&a, &plain);
      CHECK_SHOW(sums[k].status == PERM_OK || sums[k].status == PERM_TOLERANCE_NOT_MET, "%s", sums[k].message);
    }
    for (k = 0; k < 4; k++) {
      perm_options options = cuda_codegen_options();
      perm_result r;
      perm_job *job;
      double scale, error, slack, terms, counted;
      int other;
      options.certify = k / 2;
      r = cuda_compute_sparse(&a, &options);
      counted = r.terms;
      CHECK_SHOW(r.status == PERM_OK || r.status == PERM_TOLERANCE_NOT_MET, "%s", r.message);
      scale = ldexp(1, permi_int_exponent(truth.exp2 - r.exp2));
      error = fabs(r.value - truth.value * scale);
      slack = (truth.error_bound < HUGE_VAL ? truth.error_bound : truth.error_estimate) * scale +
              4 * PERMI_UNIT * fabs(r.value);
      CHECK_SHOW(error <= r.error_estimate + slack, "n %d way %d round %d: %.17g, not %.17g: error %g, estimate %g", n,
                 k, round, r.value, truth.value * scale, error, r.error_estimate);
      CHECK_SHOW(error <= r.error_bound + slack && (!options.certify || r.error_bound < HUGE_VAL),
                 "n %d way %d: error %g, bound %g", n, k, error, r.error_bound);
      for (other = 0; other < 2; other++) {
        const double off = ldexp(1, permi_int_exponent(sums[other].exp2 - r.exp2));
        CHECK_SHOW(fabs(r.value - sums[other].value * off) <=
                       2 * (r.error_estimate + sums[other].error_estimate * off) + slack,
                   "n %d way %d: %.17g, on the CPU %.17g", n, k, r.value, sums[other].value * off);
      }
      CHECK(r.method == options.method || r.method == PERM_METHOD_STRUCTURE);
      CHECK(r.method == PERM_METHOD_STRUCTURE || (r.isa == PERM_ISA_CUDA && r.gpus == 1));
      zeros += r.value == 0 && truth.value == 0;
      if (r.method == PERM_METHOD_STRUCTURE)
        continue;
      kernels++;
      if (r.error_estimate > 0)
        worst = fmax(worst, error / r.error_estimate);
      CHECK(perm_sparse_job(&a, &options, &job, &r) == PERM_OK);
      if (job->leaves) {
        const permi_codegen *codegen = (const permi_codegen *)job->leaf[0].context;
        transposed += codegen->ryser.transposed;
        memory += codegen->kept < codegen->ryser.n;
        CHECK(codegen->kept > 0 && codegen->quick > 0);
        cuda_codegen_columns(codegen);
        terms = codegen->ryser.terms;
        CHECK(job->leaves > 1 || counted == terms);
      }
      perm_job_free(job);
    }
    perm_matrix_free(&a);
  }
  CHECK_SHOW(kernels > rounds && transposed > kernels / 8 && transposed < kernels && zeros > rounds / 20 &&
                 memory > kernels / 20,
             "%d kernels, %d transposed, %d with memory, %d zeros", kernels, transposed, memory, zeros);
  if (test_verbose)
    printf("  %d kernels, %d transposed, %d with memory, %d zeros, worst error / estimate %.2g\n", kernels, transposed,
           memory, zeros, worst);
}

TEST(t_cuda_twin_codegen_against_cpu)
{
  perm_cuda_test_driver(1);
  cuda_codegen_against_cpu(600, 12);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_codegen_against_cpu)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  cuda_codegen_against_cpu(12, 24);
}

/* Launches: every term in one of them and only there, from the first chunk's to the last, also where they are small. */
TEST(t_cuda_codegen_launches)
{
  int n, k, blocks, several = 0;
  for (n = 2; n <= 64; n++)
    for (blocks = 1; blocks <= PERMI_CODEGEN_BLOCKS; blocks++) {
      static permi_codegen codegen;
      uint64_t term = 0;
      memset(&codegen, 0, sizeof codegen);
      codegen.ryser.digits = n - 1;
      codegen.blocks = blocks;
      permi_codegen_launches(&codegen);
      several += codegen.launches > 4;
      CHECK(codegen.launches >= 1 && codegen.launches <= (int)(sizeof codegen.launch / sizeof codegen.launch[0]));
      CHECK(codegen.chunks == 1 || (codegen.chunks % 2 == 0 && codegen.chunks % 3));
      for (k = 0; k < codegen.launches; k++) {
        const permi_codegen_launch *launch = &codegen.launch[k];
        const uint64_t end = k + 1 < codegen.launches ? launch[1].chunk : codegen.chunks;
        CHECK(launch->term == term && launch->term % (UINT64_C(1) << launch->walk) == 0 && launch->chunk < end);
        CHECK(k == 0 || (launch->walk <= launch[-1].walk && launch->walk >= PERMI_CODEGEN_LEAST));
        CHECK(k + 1 == codegen.launches || launch[1].walk < launch->walk || k + 2 == codegen.launches);
        term += ((end - launch->chunk) << launch->walk) * 128;
        CHECK(k + 1 == codegen.launches || term < UINT64_C(1) << (n - 1));
      }
      CHECK(term >= UINT64_C(1) << (n - 1));
    }
  CHECK_SHOW(several > 100, "%d", several);
}

/* The same bits on the GPU as on its twin: whole sums of small orders; of large ones, chunks of all launches. */
TEST(t_cuda_gpu_codegen_has_the_bits_of_its_twin)
{
  static const int order[] = {3, 5, 9, 13, 18, 20};
  int round, k;
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  for (round = 0; round < 6; round++)
    for (k = 0; k < 2; k++) {
      perm_matrix a = cuda_sparse(order[round], 0.3 + 0.4 * test_uniform(), 1, 0);
      perm_options options = cuda_codegen_options();
      perm_result gpu, twin;
      perm_cuda_test_driver(0);
      gpu = cuda_compute_sparse(&a, &options);
      perm_cuda_test_driver(1);
      twin = cuda_compute_sparse(&a, &options);
      CHECK_SHOW(gpu.status == PERM_OK && cuda_same_bits(&gpu, &twin), "%d: %.17g +- %g, twin %.17g +- %g %s", k,
                 gpu.value, gpu.error_estimate, twin.value, twin.error_estimate, gpu.message);
      perm_matrix_free(&a);
    }
  for (k = 0; k < 8; k++) {
    perm_matrix a = cuda_sparse(k == 7 ? 64 : 30 + 2 * k, k < 4 ? 0.2 : 0.35, 1, 0);
    perm_options options = cuda_codegen_options();
    const permi_codegen *codegen;
    perm_result r;
    perm_job *job;
    int i;
    CHECK_SHOW(perm_sparse_job(&a, &options, &job, &r) == PERM_OK, "%s", r.message);
    codegen = (const permi_codegen *)job->leaf[0].context;
    for (i = 0; i <= codegen->launches; i++) { /* the first chunk of each, and the very last */
      const uint64_t chunk = i == codegen->launches ? codegen->chunks - 1 : codegen->launch[i].chunk;
      perm_partial gpu, twin;
      memset(&gpu, 0, sizeof gpu);
      memset(&twin, 0, sizeof twin);
      perm_cuda_test_driver(0);
      CHECK(perm_job_run(job, 0, chunk, chunk + 1, &gpu) == PERM_OK);
      perm_cuda_test_driver(1);
      CHECK(perm_job_run(job, 0, chunk, chunk + 1, &twin) == PERM_OK);
      CHECK_SHOW(!memcmp(&gpu, &twin, sizeof gpu), "%d, launch %d", k, i);
    }
    perm_job_free(job);
    perm_matrix_free(&a);
  }
  perm_cuda_test_driver(0);
}

TEST(t_cuda_twin_codegen_runs)
{
  perm_cuda_test_driver(3);
  cuda_sparse_runs(20, 3, 8);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_codegen_runs)
{
  const int gpus = cuda_real_gpus();
  if (!gpus)
    SKIP("no GPU, driver or NVRTC");
  cuda_sparse_runs(34, gpus, 8);
}

/* Every allocation of planning and making a job fails once: nothing stays behind. */
typedef struct cuda_memory {
  long calls, fail_at, live;
} cuda_memory;

static void *cuda_allocate(size_t bytes, void *user_data)
{
  cuda_memory *memory = (cuda_memory *)user_data;
  void *pointer = ++memory->calls == memory->fail_at ? NULL : malloc(bytes);
  memory->live += pointer != NULL;
  return pointer;
}

static void cuda_release(void *pointer, void *user_data)
{
  ((cuda_memory *)user_data)->live -= pointer != NULL;
  free(pointer);
}

TEST(t_cuda_codegen_fails_every_allocation)
{
  int k;
  perm_cuda_test_driver(1);
  for (k = 0; k < 2; k++) {
    perm_matrix a = cuda_sparse(14, 0.4, 1, 0);
    perm_options options = cuda_codegen_options();
    cuda_memory memory = {0, 0, 0};
    perm_status status;
    long fail;
    options.allocator.allocate = cuda_allocate;
    options.allocator.release = cuda_release;
    options.allocator.user_data = &memory;
    for (fail = 1;; fail++) {
      perm_result r;
      memory.calls = 0;
      memory.fail_at = fail;
      status = perm_compute_sparse(&a, &options, &r);
      CHECK_SHOW(memory.live == 0, "call %ld: %ld live", fail, memory.live);
      if (memory.calls < fail) {
        CHECK_SHOW(status == PERM_OK && r.method == options.method, "%s", r.message);
        break;
      }
      CHECK_SHOW(status == PERM_ERROR_MEMORY, "call %ld: status %d %s", fail, status, r.message);
    }
    CHECK(fail > 15);
    perm_matrix_free(&a);
  }
  perm_cuda_test_driver(0);
}

/* Refused by name where they cannot work, with the reason; the CPU's sum where the options allow it. */
TEST(t_cuda_codegen_refusals)
{
  static const double dense[4] = {1, 2, 3, 4};
  perm_matrix a = cuda_sparse(12, 0.4, 1, 0), z = cuda_sparse(12, 0.4, 2, 0);
  int k;
  for (k = 0; k < 2; k++) {
    perm_options options = cuda_codegen_options();
    perm_result r, sparyser;
    const int there = cuda_real_gpus();
    r = cuda_compute_sparse(&a, &options);
    CHECK_SHOW(there || (r.status == PERM_ERROR_DEVICE && r.message[0] && r.value != r.value), "%s", r.message);
    options.gpu.devices = 0;
    r = cuda_compute_sparse(&a, &options);
    CHECK_SHOW(r.status == PERM_ERROR_DEVICE && strstr(r.message, "options.gpu.devices"), "%s", r.message);
    options.gpu.cpu_fallback = 1;
    r = cuda_compute_sparse(&a, &options);
    options.method = PERM_METHOD_SPARYSER;
    sparyser = cuda_compute_sparse(&a, &options);
    CHECK(r.status == PERM_OK && r.method == PERM_METHOD_SPARYSER && r.gpus == 0 && cuda_same_bits(&r, &sparyser));
    options = cuda_codegen_options();
    options.gpu.cpu_fallback = 1;
    r = cuda_compute_sparse(&a, &options);
    CHECK_SHOW(r.status == PERM_OK && r.method == (there ? cuda_codegen_options().method : PERM_METHOD_SPARYSER), "%s",
               r.message);
    perm_cuda_test_driver(1);
    options = cuda_codegen_options();
    r = cuda_compute_sparse(&z, &options);
    CHECK_SHOW(r.status == PERM_ERROR_UNSUPPORTED && strstr(r.message, "complex"), "%s", r.message);
    options.precision = PERM_PRECISION_DD;
    r = cuda_compute_sparse(&a, &options);
    CHECK_SHOW(r.status == PERM_ERROR_UNSUPPORTED && strstr(r.message, "precision"), "%s", r.message);
    perm_compute_real(2, 2, dense, 2, &options, &r);
    CHECK_SHOW(r.status == PERM_ERROR_UNSUPPORTED && strstr(r.message, "sparse"), "%s", r.message);
    perm_cuda_test_driver(0);
  }
  perm_matrix_free(&a);
  perm_matrix_free(&z);
}

/* NVRTC takes the text, with memory of both kinds. With PERM_CUDA_KEEP, machine code goes to build/codegen_*.cubin. */
TEST(t_cuda_codegen_compiles)
{
  static const int order[] = {5, 40, 40, 64, 48, 64};
  static const double density[] = {1, 0.3, 0.2, 0.3, 0.1, 0.06};
  int k, shared = 0, global = 0;
  for (k = 0; k < 6; k++) {
    perm_matrix a = cuda_sparse(order[k], density[k], 1, 0);
    perm_options options = cuda_codegen_options();
    const permi_codegen *codegen;
    perm_job *job;
    perm_result r;
    char message[PERM_MESSAGE_BYTES] = "", text[2000], *image;
    size_t size = 0;
    double start;
    CHECK_SHOW(perm_sparse_job(&a, &options, &job, &r) == PERM_OK && job->leaves == 1, "%s", r.message);
    codegen = (const permi_codegen *)job->leaf[0].context;
    shared += codegen->shared && codegen->kept < codegen->ryser.n;
    global += !codegen->shared;
    cuda_codegen_columns(codegen);
    perm_job_explain(job, text, sizeof text);
    start = permi_seconds();
    image = perm_cuda_test_compile(&codegen->gpu.work, 90, &size, message);
    perm_job_free(job);
    perm_matrix_free(&a);
    if (!image && strstr(message, "no NVRTC"))
      SKIP("no NVRTC");
    CHECK_SHOW(image && size > 1000, "%d: %s", k, message);
    if (test_verbose)
      printf("  %d: %zu bytes, %.2f s\n%s", k, size, permi_seconds() - start, text);
    if (image && getenv("PERM_CUDA_KEEP")) {
      char name[64];
      FILE *file;
      snprintf(name, sizeof name, "build/codegen_%d.cubin", k);
      file = fopen(name, "wb");
      if (file && fwrite(image, 1, size, file) == size)
        fclose(file);
    }
    free(image);
  }
  CHECK_SHOW(shared && global, "%d shared, %d global", shared, global);
}
/* SPDX-License-Identifier: MIT */
