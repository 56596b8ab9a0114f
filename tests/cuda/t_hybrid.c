/* >>programs, >>program_plan */
/* Generated kernels: hybrid sums of sparse matrices. */

/* ---- generated kernels: hybrid sums of sparse matrices */
static perm_matrix cuda_sparse(int n, double p, int parts, int spread)
{
  static double a[2 * 64 * 64], re[64 * 64], im[64 * 64];
  static int row[64 * 64], column[64 * 64];
  perm_matrix matrix;
  perm_result result;
  const int shift = test_below(n), diagonal = test_below(8) > 0;
  size_t nnz = 0;
  int i, j, k;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      const int entry = test_uniform() < p || (diagonal && j == (i + shift) % n);
      for (k = 0; k < parts; k++)
        a[(i * n + j) * parts + k] = entry ? ldexp(test_below(3) ? test_uniform() : test_uniform() - 0.5,
                                                   spread ? test_below(2 * spread) - spread : 0)
                                           : 0;
    }
  for (i = 0; i < n * n; i++)
    if (a[i * parts] != 0 || a[i * parts + parts - 1] != 0) {
      row[nnz] = i / n;
      column[nnz] = i % n;
      re[nnz] = a[i * parts];
      im[nnz++] = parts == 2 ? a[i * 2 + 1] : 0;
    }
  CHECK(perm_matrix_from_triplets(n, n, nnz, row, column, re, im, NULL,
                                  parts == 2 ? PERM_KIND_COMPLEX : PERM_KIND_REAL, NULL, &matrix, &result) == PERM_OK);
  return matrix;
}

/* k = 2, 3, 6, 7 dd, 4, 5 certified, 8, 9 both. */
static perm_options cuda_sparse_options(int k)
{
  perm_options options = cuda_options(k >= 6 || k / 2 == 1 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT,
                                      k / 2 == 2 || k / 2 == 4);
  options.method = PERM_METHOD_HYBRID;
  return options;
}

static perm_options cuda_codegen_options(void)
{
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  options.method = PERM_METHOD_CODEGEN;
  options.isa = PERM_ISA_AUTO;
  return options;
}

/* Within their estimates of the CPU's double-doubles: densities, blocks, singular, either orientation. */
static void cuda_sparse_against_cpu(int rounds, int n_most)
{
  int round, k, kernels = 0, zeros = 0, transposed = 0;
  double worst = 0;
  for (round = 0; round < rounds; round++) {
    const int parts = round % 4 == 3 ? 2 : 1, n = 13 + test_below(n_most - 12);
    perm_matrix a = cuda_sparse(n, 0.1 + 0.9 * test_uniform(), parts, round % 3 ? 0 : 8);
    perm_options exact = cuda_options(PERM_PRECISION_DD, 0);
    perm_result truth;
    exact.isa = PERM_ISA_AUTO;
    exact.gpu.devices = 0;
    truth = cuda_compute_sparse(&a, &exact);
    CHECK_SHOW(truth.status == PERM_OK, "%s", truth.message);
    for (k = 0; k < 4; k++) {
      perm_options options = cuda_sparse_options(k);
      perm_result r = cuda_compute_sparse(&a, &options);
      const double scale = ldexp(1, permi_int_exponent(truth.exp2 - r.exp2));
      const double error = permi_modulus(r.value - truth.value * scale, r.imaginary - truth.imaginary * scale);
      const double slack = (truth.error_bound < HUGE_VAL ? truth.error_bound : truth.error_estimate) * scale +
                           4 * PERMI_UNIT * permi_modulus(r.value, r.imaginary);
      CHECK_SHOW(r.status == PERM_OK || r.status == PERM_TOLERANCE_NOT_MET, "%s", r.message);
      CHECK_SHOW(error <= r.error_estimate + slack, "n %d parts %d way %d: %.17g, not %.17g: error %g, estimate %g", n,
                 parts, k, r.value, truth.value * scale, error, r.error_estimate);
      zeros += r.value == 0 && truth.value == 0;
      kernels += r.isa == PERM_ISA_CUDA && r.gpus == 1 && r.method == options.method;
      if (r.isa == PERM_ISA_CUDA && r.error_estimate > 0 && r.error_estimate < HUGE_VAL && k < 2)
        worst = fmax(worst, error / r.error_estimate);
      if (r.isa == PERM_ISA_CUDA) {
        perm_job *job;
        CHECK(perm_sparse_job(&a, &options, &job, &r) == PERM_OK);
        if (job->leaf[0].information.isa == PERM_ISA_CUDA)
          transposed += ((const permi_hybrid *)job->leaf[0].context)->transposed;
        perm_job_free(job);
      }
    }
    perm_matrix_free(&a);
  }
  CHECK_SHOW(kernels > 2 * rounds && transposed > kernels / 8 && transposed < kernels, "%d kernels, %d transposed",
             kernels, transposed);
  if (test_verbose)
    printf("  %d kernels, %d transposed, %d zeros, worst error / estimate %.2g\n", kernels, transposed, zeros, worst);
}

TEST(t_cuda_twin_sparse_against_cpu)
{
  perm_cuda_test_driver(1);
  cuda_sparse_against_cpu(120, 17);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_sparse_against_cpu)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  cuda_sparse_against_cpu(12, 24);
}

/* Integers of up to `bits` bits, of both signs; 0: ones. */
static perm_matrix cuda_sparse_integers(int n, double p, int bits)
{
  static int64_t integer[64 * 64];
  static int row[64 * 64], column[64 * 64];
  perm_matrix a;
  perm_result result;
  size_t nnz = 0;
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if (i == j || test_uniform() < p) {
        row[nnz] = i;
        column[nnz] = j;
        integer[nnz++] = bits ? (int64_t)((2 * test_uniform() - 1) * ldexp(1, bits)) : 1;
      }
  CHECK(perm_matrix_from_triplets(n, n, nnz, row, column, NULL, NULL, integer, PERM_KIND_INTEGER, NULL, &a, &result) ==
        PERM_OK);
  return a;
}

/* Gaussian integers of up to `bits` bits, some rows of real ones, some of imaginary ones. */
static perm_matrix cuda_sparse_gaussian(int n, double p, int bits)
{
  static double real[64 * 64], imaginary[64 * 64];
  static int row[64 * 64], column[64 * 64];
  const uint64_t imaginary_rows = test_random() | UINT64_C(1) << test_below(n);
  const uint64_t real_rows = test_random() | test_random() | ~imaginary_rows;
  perm_matrix a;
  perm_result result;
  size_t nnz = 0;
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if (i == j || test_uniform() < p) {
        row[nnz] = i;
        column[nnz] = j;
        real[nnz] = real_rows >> i & 1 ? trunc((2 * test_uniform() - 1) * ldexp(1, bits)) : 0;
        imaginary[nnz++] = imaginary_rows >> i & 1 ? trunc((2 * test_uniform() - 1) * ldexp(1, bits)) : 0;
      }
  CHECK(perm_matrix_from_triplets(n, n, nnz, row, column, real, imaginary, NULL, PERM_KIND_COMPLEX, NULL, &a,
                                  &result) == PERM_OK);
  return a;
}

/* Ones, as doubles times powers of two: their double-doubles are exact in one double while products are short. */
static perm_matrix cuda_sparse_ones(int n, double p)
{
  perm_matrix a = cuda_sparse(n, p, 1, 0);
  size_t e;
  for (e = 0; e < a.nnz; e++)
    a.real[e] = ldexp(test_below(4) ? 1 : -3, 5);
  return a;
}

/* What kernels of whole numbers did. */
typedef struct cuda_whole_seen {
  int whole, primes, most, halved, roots, reduced, signs;
} cuda_whole_seen;

static void cuda_sparse_whole_look(const perm_matrix *a, const perm_options *options, cuda_whole_seen *seen)
{
  perm_job *job = NULL;
  perm_result r;
  if (perm_sparse_job(a, options, &job, &r) == PERM_OK && job->leaf[0].information.isa == PERM_ISA_CUDA) {
    const permi_hybrid *hybrid = (const permi_hybrid *)job->leaf[0].context;
    *(hybrid->runs->primes ? &seen->primes : &seen->whole) += 1;
    seen->most = hybrid->runs->primes > seen->most ? hybrid->runs->primes : seen->most;
    seen->halved += hybrid->halvings > 0;
    seen->roots += hybrid->runs->passes > hybrid->runs->primes;
    seen->reduced += hybrid->code->residues > 0;
  }
  perm_job_free(job);
}

/* Exact integers of any size and Gaussian ones, by residues or not, modulo anything, against the CPU's frontier. */
static void cuda_sparse_whole(int rounds, int n_most)
{
  cuda_whole_seen seen;
  int round;
  memset(&seen, 0, sizeof seen);
  for (round = 0; round < rounds; round++) {
    const int n = 13 + test_below(n_most - 12), gaussian = round % 4 == 3;
    const int bits = round % 3 ? 1 + test_below(gaussian ? 52 : 62) : 0;
    const double density = 0.1 + 0.9 * test_uniform();
    perm_matrix a = gaussian ? cuda_sparse_gaussian(n, density, bits ? bits : 2)
                             : cuda_sparse_integers(n, density, bits);
    perm_options options = cuda_sparse_options(round / 2 & 1), exact;
    perm_result truth, r;
    memset(&exact, 0, sizeof exact);
    exact.method = PERM_METHOD_FRONTIER;
    exact.precision = options.precision = PERM_PRECISION_EXACT;
    exact.modulus = options.modulus = round % 5 == 4 ? 2 + (uint64_t)test_below(1000000) : 0;
    truth = cuda_compute_sparse(&a, &exact);
    CHECK_SHOW(truth.status == PERM_OK && truth.exact, "%s", truth.message);
    r = cuda_compute_sparse(&a, &options);
    CHECK_SHOW(r.status == PERM_OK && r.exact && !memcmp(&r.integer, &truth.integer, sizeof r.integer) &&
                   !memcmp(&r.imaginary_integer, &truth.imaginary_integer, sizeof r.integer),
               "n %d, %d bits%s: %s, %.17g + %.17g i, not %.17g + %.17g i", n, bits, gaussian ? ", Gaussian" : "",
               r.message, r.value, r.imaginary, truth.value, truth.imaginary);
    seen.signs += r.imaginary_integer.negative && r.imaginary_integer.words;
    if (r.isa == PERM_ISA_CUDA)
      cuda_sparse_whole_look(&a, &options, &seen);
    perm_matrix_free(&a);
  }
  CHECK_SHOW(seen.primes > rounds / 3 && seen.roots > rounds / 8, "%d kernels, %d with roots", seen.primes, seen.roots);
  CHECK_SHOW(rounds < 100 || (seen.whole > rounds / 10 && seen.halved > rounds / 10 && seen.most > 8 &&
                              seen.reduced > seen.roots + rounds / 20 && seen.signs > 3),
             "%d without primes, %d with, at most %d; %d with halves, %d with roots, %d with reduced rows, %d signs",
             seen.whole, seen.primes, seen.most, seen.halved, seen.roots, seen.reduced, seen.signs);
  if (test_verbose)
    printf("  %d kernels without primes, %d with, at most %d; %d with halves, %d with roots, %d with reduced rows\n",
           seen.whole, seen.primes, seen.most, seen.halved, seen.roots, seen.reduced);
}

TEST(t_cuda_twin_sparse_integers)
{
  perm_cuda_test_driver(1);
  cuda_sparse_whole(test_some(100), 17);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_sparse_integers)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  cuda_sparse_whole(12, 26);
}

/* A job's one leaf as a number; 0: it has others. */
static int cuda_leaf_number(perm_job *job, permi_number *number, long long *exp2, double *absolute)
{
  perm_partial partial;
  long long e;
  int power;
  if (job->leaves != 1 || !job->numbered || fabs(frexp(job->number.value.hi, &power)) != 0.5)
    return 0;
  memset(&partial, 0, sizeof partial);
  CHECK(perm_job_run(job, 0, 0, job->leaf[0].information.chunks, &partial) == PERM_OK);
  CHECK(permi_leaf_number(&job->leaf[0], &partial, number) == PERM_OK);
  *absolute = permi_sum_value(&partial.absolute, &e).hi;
  *absolute = ldexp(*absolute, (int)(e + job->leaf[0].scale_exp2 - number->exp2));
  *exp2 = number->exp2 + job->number.exp2 + power - 1;
  return 1;
}

/* Certified doubles, complex numbers and double-doubles, and dd without a bound, in both words against the CPU's: off
   by no more than their bounds and estimates, which are narrow. */
static void cuda_sparse_bounds(int rounds, int n_most)
{
  int round, k, ran[5] = {0, 0, 0, 0, 0}, complex_doubled = 0;
  double tight[5] = {0, 0, 0, 0, 0};
  for (round = 0; round < rounds; round++) {
    const int parts = round % 3 == 2 ? 2 : 1, n = 13 + test_below(n_most - 12);
    perm_matrix a = round % 6 == 1 ? cuda_sparse_ones(n, 0.1 + 0.9 * test_uniform())
                                   : cuda_sparse(n, 0.1 + 0.9 * test_uniform(), parts, round % 4 ? 0 : 20);
    for (k = 4; k < 10; k++) {
      perm_options options = cuda_sparse_options(k), cpu = options;
      perm_job *job[2] = {NULL, NULL};
      permi_number number[2];
      long long exp2[2];
      double absolute[2];
      perm_result r;
      cpu.isa = PERM_ISA_AUTO;
      cpu.gpu.devices = 0;
      cpu.precision = PERM_PRECISION_DD;
      cpu.certify = 1;
      cpu.method = parts == 2 ? PERM_METHOD_DENSE : options.method;
      if (perm_sparse_job(&a, &options, &job[0], &r) == PERM_OK && perm_sparse_job(&a, &cpu, &job[1], &r) == PERM_OK &&
          job[0]->leaves == 1 && job[0]->leaf[0].information.isa == PERM_ISA_CUDA &&
          cuda_leaf_number(job[0], &number[0], &exp2[0], &absolute[0]) &&
          cuda_leaf_number(job[1], &number[1], &exp2[1], &absolute[1])) {
        const double unit = k / 2 == 2 ? PERMI_UNIT : PERMI_UNIT * PERMI_UNIT;
        const double scale = ldexp(job[0]->number.value.hi * job[1]->number.value.hi < 0 ? -1 : 1,
                                   permi_int_exponent(exp2[1] - exp2[0]));
        const double whole_off = permi_modulus((number[0].value.hi - scale * number[1].value.hi) +
                                             (number[0].value.lo - scale * number[1].value.lo),
                                         (number[0].imaginary.hi - scale * number[1].imaginary.hi) +
                                             (number[0].imaginary.lo - scale * number[1].imaginary.lo));
        const double off = whole_off - fabs(scale) * number[1].error;
        const double limit = k < 6 || k > 7 ? number[0].error : number[0].estimate + 1e-30 * absolute[0];
        CHECK_SHOW(off <= limit, "n %d parts %d way %d: off by %g, at most %g", n, parts, k, off, limit);
        CHECK_SHOW(limit <= 20000 * unit * absolute[0] || round % 4 == 0, "n %d parts %d way %d: %g of %g", n, parts, k,
                   limit, absolute[0]);
        complex_doubled += parts == 2 && k > 5;
        tight[k / 2] = fmax(tight[k / 2], (k < 6 ? off : whole_off) / (limit + DBL_MIN));
        CHECK_SHOW(k < 6 || round % 4 == 0 || whole_off <= 1e-29 * absolute[0], "n %d way %d: dd off by %g of %g", n, k,
                   whole_off, absolute[0]);
        ran[k / 2]++;
      }
      perm_job_free(job[0]);
      perm_job_free(job[1]);
    }
    perm_matrix_free(&a);
  }
  CHECK_SHOW(complex_doubled > rounds / 3, "%d complex", complex_doubled);
  CHECK_SHOW(ran[2] > rounds && ran[3] > rounds / 2 && ran[4] > rounds / 2, "%d, %d, %d ran", ran[2], ran[3], ran[4]);
  if (test_verbose)
    printf("  certified: %d, error / bound at most %.2g; dd: %d, %.2g; certified %d, %.2g\n", ran[2], tight[2], ran[3],
           tight[3], ran[4], tight[4]);
}

TEST(t_cuda_twin_sparse_bounds)
{
  perm_cuda_test_driver(1);
  cuda_sparse_bounds(36, 16);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_sparse_bounds)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  cuda_sparse_bounds(6, 17);
}

/* Where all patterns are samples, the sum of |terms| is that of the interpreter's programs; without inner columns every
   layout of an orientation has the same terms. */
TEST(t_cuda_twin_sparse_moduli)
{
  int round, compared = 0;
  perm_cuda_test_driver(1);
  for (round = 0; round < 30; round++) {
    const int parts = round % 3 == 2 ? 2 : 1;
    perm_matrix a = cuda_sparse(13 + test_below(3), 0.2 + 0.5 * test_uniform(), parts, 0);
    double absolute[2] = {0, 0};
    int transposed[2] = {0, 1}, way;
    for (way = 0; way < 2; way++) {
      perm_options options = cuda_sparse_options(1);
      perm_result r;
      perm_job *job = NULL;
      options.isa = way ? PERM_ISA_CUDA : PERM_ISA_AUTO;
      options.gpu.devices = way;
      if (perm_sparse_job(&a, &options, &job, &r) == PERM_OK && job->leaves == 1 &&
          job->leaf[0].information.method == PERM_METHOD_HYBRID && job->leaf[0].information.n >= PERMI_GPU_LEAST_N) {
        const permi_hybrid *hybrid = (const permi_hybrid *)job->leaf[0].context;
        perm_partial partial;
        memset(&partial, 0, sizeof partial);
        CHECK(perm_job_run(job, 0, 0, job->leaf[0].information.chunks, &partial) == PERM_OK);
        CHECK(way == 0 || hybrid->code->samples_log2 == hybrid->code->walk);
        absolute[way] = cuda_value(&partial.absolute);
        transposed[way] = hybrid->transposed;
      }
      perm_job_free(job);
    }
    if (transposed[0] == transposed[1] && absolute[1] > 0) {
      compared++;
      CHECK_SHOW(fabs(absolute[1] - absolute[0]) < 1e-12 * absolute[0], "%.17g and %.17g", absolute[0], absolute[1]);
    }
    perm_matrix_free(&a);
  }
  CHECK_SHOW(compared > 4, "%d compared", compared);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_sparse_has_the_bits_of_its_twin)
{
  int round, k;
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  for (round = 0; round < 6; round++)
    for (k = round < 4 ? 0 : 4; k < (round >= 4 ? 14 : 4); k++) {
      const int parts = round % 3 == 2 ? 2 : 1, n = 15 + test_below(3);
      const double density = 0.2 + 0.4 * test_uniform();
      perm_matrix a = k < 10   ? cuda_sparse(n, density, parts, 0)
                      : k < 12 ? cuda_sparse_integers(n, density, 12 * round)
                               : cuda_sparse_gaussian(n, density, 10 * round);
      perm_options options = cuda_sparse_options(k < 10 ? k : k & 1);
      perm_result gpu, twin;
      options.precision = k < 10 ? options.precision : PERM_PRECISION_EXACT;
      perm_cuda_test_driver(0);
      gpu = cuda_compute_sparse(&a, &options);
      perm_cuda_test_driver(1);
      twin = cuda_compute_sparse(&a, &options);
      CHECK_SHOW(gpu.status == PERM_OK && cuda_same_bits(&gpu, &twin) && !memcmp(&gpu.integer, &twin.integer,
                                                                                  sizeof gpu.integer),
                 "%d: %.17g +- %g, twin %.17g +- %g", k, gpu.value, gpu.error_estimate, twin.value,
                 twin.error_estimate);
      perm_matrix_free(&a);
    }
  perm_cuda_test_driver(0);
}

/* A chunk of large kernels: the same. */
TEST(t_cuda_gpu_sparse_chunks)
{
  int k;
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  for (k = 0; k < 11; k++) { /* 9, 10: dd of zeros and ones, complex dd */
    perm_matrix a = k == 7   ? cuda_sparse_integers(40, 0.25, 20)
                    : k == 8 ? cuda_sparse_gaussian(36, 0.25, 20)
                    : k == 9 ? cuda_sparse_ones(40, 0.25)
                             : cuda_sparse(k == 4 || k == 10 ? 34 : k > 4 ? 36 : 52 - 6 * k, 0.25,
                                           k == 4 || k == 10 ? 2 : 1, 0);
    perm_options options = cuda_sparse_options(k == 5 ? 4 : k == 6 || k > 8 ? 8 : k > 6 ? 0 : k % 4);
    perm_partial gpu, twin;
    perm_result r;
    perm_job *job;
    uint64_t chunk;
    options.precision = k != 8 ? options.precision : PERM_PRECISION_EXACT;
    CHECK_SHOW(perm_sparse_job(&a, &options, &job, &r) == PERM_OK, "%s", r.message);
    memset(&gpu, 0, sizeof gpu);
    memset(&twin, 0, sizeof twin);
    chunk = job->leaf[0].information.chunks / 3;
    perm_cuda_test_driver(0);
    CHECK(perm_job_run(job, 0, chunk, chunk + 1, &gpu) == PERM_OK);
    perm_cuda_test_driver(1);
    CHECK(perm_job_run(job, 0, chunk, chunk + 1, &twin) == PERM_OK);
    CHECK_SHOW(!memcmp(&gpu, &twin, sizeof gpu), "%d", k);
    perm_job_free(job);
    perm_matrix_free(&a);
  }
  perm_cuda_test_driver(0);
}

/* The same bits for any number of GPUs and any pieces; faults and stops leave a prefix from which it goes on. */
static void cuda_sparse_runs(int n, int gpus, int first_way)
{
  int k;
  for (k = first_way; k < (first_way ? 10 : 3); k++) {
    perm_matrix a = cuda_sparse(n, 0.3, 1, 0);
    perm_options options = k < 8 ? cuda_sparse_options(k) : cuda_codegen_options();
    perm_result first, again;
    perm_partial pieces, piece;
    perm_job *job;
    perm_state *state;
    uint64_t chunks, begin, width;
    volatile int cancel = 1;
    long call, failed = 0;
    int g, calls = 0, stops = 0;
    options.gpu.devices = 1;
    options.tolerance = k < 8; /* Ryser's sums of signed matrices cancel; they have one precision */
    CHECK(perm_sparse_job(&a, &options, &job, &again) == PERM_OK && job->leaves == 1);
    CHECK(job->leaf[0].information.isa == PERM_ISA_CUDA);
    chunks = job->leaf[0].information.chunks;
    CHECK(perm_state_create(job, &state) == PERM_OK && perm_job_execute(job, state, &options, &first) == PERM_OK);
    perm_state_free(state);
    for (g = 2; g <= gpus; g++) {
      options.gpu.devices = g;
      again = cuda_compute_sparse(&a, &options);
      CHECK_SHOW(cuda_same_bits(&first, &again), "n %d way %d, %d GPUs", n, k, g);
    }
    memset(&pieces, 0, sizeof pieces);
    width = chunks / 5 + 1;
    for (begin = (chunks - 1) / width * width;; begin -= width) {
      memset(&piece, 0, sizeof piece);
      CHECK(perm_job_run(job, 0, begin, begin + width < chunks ? begin + width : chunks, &piece) == PERM_OK);
      CHECK(perm_partial_merge(&pieces, &piece) == PERM_OK);
      if (begin == 0)
        break;
    }
    CHECK(perm_job_finish(job, &pieces, &again) == PERM_OK && cuda_same_bits(&first, &again));
    for (call = 0; call < 60; call++) {
      CHECK(perm_state_create(job, &state) == PERM_OK);
      perm_cuda_test_fault(call);
      perm_job_execute(job, state, &options, &again);
      if (perm_cuda_test_fault(-1) >= 0) {
        perm_state_free(state);
        break;
      }
      failed++;
      if (again.status == PERM_OK)
        CHECK(cuda_same_bits(&first, &again));
      else
        CHECK_SHOW(again.status == PERM_ERROR_DEVICE && again.value != again.value, "call %ld: %s", call,
                   again.message);
      perm_job_execute(job, state, &options, &again);
      CHECK_SHOW(again.status == PERM_OK && cuda_same_bits(&first, &again), "resumed after call %ld", call);
      perm_state_free(state);
    }
    CHECK_SHOW(failed > 8, "%ld faults", failed);
    CHECK(perm_state_create(job, &state) == PERM_OK);
    do {
      options.cancel = calls % 2 ? &cancel : NULL;
      options.max_seconds = calls % 2 ? 0 : 1e-6;
      perm_job_execute(job, state, &options, &again);
      stops += again.status == PERM_STOPPED_CANCELLED || again.status == PERM_STOPPED_TIME;
      CHECK_SHOW(again.status >= 0, "%s", again.message);
    } while (again.status != PERM_OK && ++calls < 100000);
    CHECK_SHOW(cuda_same_bits(&first, &again) && (chunks < 64 || n > 30 || stops > 0), "%d stops of %d calls", stops,
               calls); /* n > 30: a GPU, which may be done before it is asked to stop */
    perm_state_free(state);
    perm_job_free(job);
    perm_matrix_free(&a);
  }
}

TEST(t_cuda_twin_sparse_runs)
{
  perm_cuda_test_driver(3);
  cuda_sparse_runs(20, 3, 0);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_sparse_runs)
{
  const int gpus = cuda_real_gpus();
  if (!gpus)
    SKIP("no GPU, driver or NVRTC");
  cuda_sparse_runs(36, gpus, 0);
}

/* Planning: GPUs where they are faster, the same plan whatever their number, no trace of them without. */
TEST(t_cuda_sparse_plans)
{
  static const double density[] = {0.25, 0.35, 0.5, 0.35};
  static const int order[] = {40, 40, 38, 20};
  perm_options options;
  perm_result r;
  int k;
  for (k = 0; k < 4; k++) {
    perm_matrix a = cuda_sparse(order[k], density[k], 1, 0);
    perm_job *job, *more;
    char text[4000];
    memset(&options, 0, sizeof options);
    options.gpu.devices = 1;
    CHECK_SHOW(perm_sparse_job(&a, &options, &job, &r) == PERM_OK, "%s", r.message);
    options.gpu.devices = 8;
    options.threads = 2;
    CHECK_SHOW(perm_sparse_job(&a, &options, &more, &r) == PERM_OK, "%s", r.message);
    CHECK(job->leaf[0].information.fingerprint == more->leaf[0].information.fingerprint);
    perm_job_explain(job, text, sizeof text);
    CHECK_SHOW((job->leaf[0].information.isa == PERM_ISA_CUDA) == (k < 3), "%d: %s", k, text);
    CHECK_SHOW(k == 3 || (strstr(text, k < 2 ? "hybrid, cuda" : ", cuda") && strstr(text, "on one GPU")), "%s", text);
    perm_job_free(job);
    perm_job_free(more);
    options.gpu.devices = 0;
    CHECK_SHOW(perm_sparse_job(&a, &options, &job, &r) == PERM_OK, "%s", r.message);
    CHECK(job->leaf[0].information.isa != PERM_ISA_CUDA);
    perm_job_free(job);
    perm_matrix_free(&a);
  }
}

/* Whatever allocation fails while a kernel is planned: out of memory, and nothing stays behind. */
typedef struct cuda_heap {
  long left, used;
} cuda_heap;

static void *cuda_heap_allocate(size_t bytes, void *user_data)
{
  cuda_heap *heap = (cuda_heap *)user_data;
  void *p = heap->left-- == 0 ? NULL : malloc(bytes);
  heap->used += p != NULL;
  return p;
}

static void cuda_heap_release(void *pointer, void *user_data)
{
  ((cuda_heap *)user_data)->used -= pointer != NULL;
  free(pointer);
}

TEST(t_cuda_sparse_allocations_fail)
{
  perm_matrix a = cuda_sparse(15, 0.4, 1, 0);
  perm_options options = cuda_sparse_options(0);
  long k;
  int done = 0;
  perm_cuda_test_driver(1);
  for (k = 0; k < 2000 && !done; k++) {
    cuda_heap heap = {k, 0};
    perm_result r;
    options.allocator.allocate = cuda_heap_allocate;
    options.allocator.release = cuda_heap_release;
    options.allocator.user_data = &heap;
    perm_compute_sparse(&a, &options, &r);
    done = r.status == PERM_OK && heap.left >= 0;
    CHECK_SHOW(done ? r.isa == PERM_ISA_CUDA : r.status == PERM_ERROR_MEMORY || r.status == PERM_OK, "%ld: %s", k,
               r.message);
    CHECK_SHOW(heap.used == 0, "%ld: %ld pieces left", k, heap.used);
  }
  CHECK_SHOW(done && k > 50, "%ld allocations", k);
  perm_cuda_test_driver(0);
  perm_matrix_free(&a);
}

/* NVRTC takes the text of every algebra, shared memory above 48 KB included. */
TEST(t_cuda_sparse_compiles)
{
  int k;
  for (k = 0; k < 12; k++) {
    perm_matrix a = k == 8   ? cuda_sparse_integers(32, 0.25, 20)
                    : k == 9 ? cuda_sparse_gaussian(32, 0.25, 20)
                    : k == 10 ? cuda_sparse_ones(40, 0.25)
                             : cuda_sparse(k == 4 || k == 11 ? 28 : k == 5 ? 56 : 32, 0.25, k == 4 || k == 11 ? 2 : 1,
                                           0);
    perm_options options = cuda_sparse_options(k == 6 ? 4 : k == 7 ? 6 : k > 9 ? 8 : k % 4);
    perm_job *job;
    perm_result r;
    char message[PERM_MESSAGE_BYTES] = "", *image;
    size_t size = 0;
    double start;
    options.precision = k != 9 ? options.precision : PERM_PRECISION_EXACT;
    CHECK_SHOW(perm_sparse_job(&a, &options, &job, &r) == PERM_OK, "%s", r.message);
    start = permi_seconds();
    image = perm_cuda_test_compile(&((const permi_gpu *)job->leaf[0].context)->work, 90, &size, message);
    perm_job_free(job);
    perm_matrix_free(&a);
    if (!image && strstr(message, "no NVRTC"))
      SKIP("no NVRTC");
    CHECK_SHOW(image && size > 1000, "%d: %s", k, message);
    if (test_verbose)
      printf("  way %d: %zu bytes, %.2f s\n", k, size, permi_seconds() - start);
    free(image);
  }
}
/* SPDX-License-Identifier: MIT */
