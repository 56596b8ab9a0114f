/* Tests of GPUs. Every kernel has a twin on the CPU, with the same bits: see perm_cuda.cu. Where there is no GPU the
   twin is tested for itself: tables, planning, chunk arithmetic, sharing out, faults.
   Usage: tests_cuda [-v] [FILTER...] */
#define PERM_WITH_CUDA
#include <stdint.h>
static void permi_code_twin(const void *context, uint64_t chunk, double *sums); /* of generated kernels: twins.h */
static void permi_codegen_twin(const void *context, uint64_t chunk, double *sums);
#define PERMI_CODE_TWIN permi_code_twin
#define PERMI_CODEGEN_TWIN permi_codegen_twin
#define PERMI_GPU_TUNE_SECONDS 0
#define PERM_IMPLEMENTATION
#include "perm_sparse.h"
#include "twins.h"

#include "../../examples/perm_generate.h"
#include "test.h"

void perm_cuda_test_driver(int devices);
void perm_cuda_test_shared(int bytes);
long perm_cuda_test_fault(long calls);
char *perm_cuda_test_compile_batch(int n, int parts, int arch, size_t *size, char *message);
char *perm_cuda_test_compile(const perm_gpu_work *work, int arch, size_t *size, char *message);

static int cuda_real_gpus(void)
{
  char message[PERM_MESSAGE_BYTES];
  perm_cuda_test_driver(0);
  return perm_cuda_devices(PERM_ALL_GPUS, message);
}

/* The kinds of matrices: every kernel form comes up. */
enum { CUDA_UNIFORM, CUDA_SIGNED, CUDA_SPARSE, CUDA_ONES, CUDA_INTEGERS, CUDA_WILD, CUDA_HALF_PLAIN, CUDA_KINDS };
static const char *const cuda_kind_name[] = {"uniform", "signed", "sparse", "ones", "integers", "wild", "half plain"};

static void cuda_matrix(int kind, int n, int parts, double *a)
{
  int i, k;
  for (i = 0; i < n * n; i++) {
    int row = i / n, zero = kind == CUDA_SPARSE && i % n != (row + 1) % n && test_uniform() < 0.5;
    if (kind == CUDA_HALF_PLAIN)
      zero = row < n / 2 && i % n < n / 2 && i % n != row;
    for (k = 0; k < parts; k++) {
      double x = test_uniform();
      switch (kind) {
      case CUDA_UNIFORM: break;
      case CUDA_ONES: x = k ? 0 : 1; break;
      case CUDA_INTEGERS: x = test_below(19) - 9; break;
      case CUDA_WILD: x = ldexp(2 * x - 1, test_below(40) - 20); break;
      default: x = 2 * x - 1; break;
      }
      a[i * parts + k] = zero ? 0 : x;
    }
  }
}

static perm_result cuda_compute(int n, int parts, const double *a, const perm_options *options)
{
  perm_result r;
  if (parts == 2)
    perm_compute_complex(n, n, a, n, options, &r);
  else
    perm_compute_real(n, n, a, n, options, &r);
  return r;
}

static perm_options cuda_options(int precision, int certify)
{
  perm_options options;
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_DENSE;
  options.isa = PERM_ISA_CUDA;
  options.gpu.devices = PERM_ALL_GPUS;
  options.precision = (perm_precision)precision;
  options.certify = certify;
  options.tolerance = 1; /* nothing is computed again in a higher precision */
  options.gpu.cache = "build/gpu_cache"; /* the driver is opened again and again */
  return options;
}

static int cuda_same_bits(const perm_result *a, const perm_result *b)
{
  return !memcmp(&a->value, &b->value, sizeof a->value) && !memcmp(&a->imaginary, &b->imaginary, sizeof a->value) &&
         !memcmp(&a->error_estimate, &b->error_estimate, sizeof a->value) && a->exp2 == b->exp2 &&
         a->error_bound == b->error_bound;
}

static const perm_precision cuda_precisions[] = {PERM_PRECISION_FAST, PERM_PRECISION_DEFAULT, PERM_PRECISION_ACCURATE,
                                                 PERM_PRECISION_DD, PERM_PRECISION_DEFAULT};

/* Within their estimates and bounds of the CPU's double-doubles; `rounds` matrices of each kind. */
static void cuda_against_cpu(int rounds, int n_most)
{
  static double a[2 * 64 * 64];
  int kind, parts, round, way;
  for (kind = 0; kind < CUDA_KINDS; kind++)
    for (parts = 1; parts <= 2; parts++)
      for (round = 0; round < rounds; round++) {
        int n = 13 + 3 * test_below((n_most - 10) / 3); /* few orders: kernels of each must be compiled */
        perm_options exact = cuda_options(PERM_PRECISION_DD, 0);
        perm_result truth;
        double worst = 0;
        exact.isa = PERM_ISA_AUTO;
        exact.gpu.devices = 0;
        cuda_matrix(kind, n, parts, a);
        truth = cuda_compute(n, parts, a, &exact);
        CHECK_SHOW(truth.status == PERM_OK, "%s", truth.message);
        for (way = 0; way < 5; way++) {
          perm_options options = cuda_options(cuda_precisions[way], way == 4);
          perm_result r = cuda_compute(n, parts, a, &options);
          double scale = ldexp(1, permi_int_exponent(truth.exp2 - r.exp2));
          double error = permi_modulus(r.value - truth.value * scale, r.imaginary - truth.imaginary * scale);
          double slack = truth.error_bound * scale + 4 * PERMI_UNIT * permi_modulus(r.value, r.imaginary);
          CHECK_SHOW(r.status == PERM_OK || r.status == PERM_TOLERANCE_NOT_MET, "%s", r.message);
          CHECK_SHOW(r.method != PERM_METHOD_DENSE || (r.isa == PERM_ISA_CUDA && r.gpus > 0), "%s",
                     perm_isa_name(r.isa));
          CHECK_SHOW(test_within(error, r.error_estimate + slack), "%s parts %d n %d way %d: error %g, estimate %g",
                     cuda_kind_name[kind], parts, n, way, error, r.error_estimate);
          CHECK_SHOW(error <= r.error_bound + slack, "%s parts %d n %d way %d: error %g, bound %g",
                     cuda_kind_name[kind], parts, n, way, error, r.error_bound);
          CHECK_SHOW(way < 3 || r.error_bound < (double)INFINITY, "%s n %d way %d: no bound", cuda_kind_name[kind], n,
                     way);
          if (r.error_estimate > 0 && error / r.error_estimate > worst)
            worst = error / r.error_estimate;
        }
        if (test_verbose && round == 0)
          printf("  %-10s parts %d n %d: worst error / estimate %.2g\n", cuda_kind_name[kind], parts, n, worst);
      }
}

TEST(t_cuda_twin_against_cpu)
{
  perm_cuda_test_driver(1);
  cuda_against_cpu(3, 16);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_against_cpu)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  cuda_against_cpu(20, 20);
}

/* The same bits on the GPU as on its twin, for all kinds, precisions and some sizes. */
TEST(t_cuda_gpu_has_the_bits_of_its_twin)
{
  static double a[2 * 64 * 64];
  int kind, parts, way, n;
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  for (kind = 0; kind < CUDA_KINDS; kind++)
    for (parts = 1; parts <= 2; parts++)
      for (way = 0; way < 5; way++) {
        perm_options options = cuda_options(cuda_precisions[way], way == 4);
        perm_result gpu, twin;
        n = parts == 2 ? 15 : 17;
        cuda_matrix(kind, n, parts, a);
        perm_cuda_test_driver(0);
        gpu = cuda_compute(n, parts, a, &options);
        perm_cuda_test_driver(1);
        twin = cuda_compute(n, parts, a, &options);
        CHECK_SHOW(cuda_same_bits(&gpu, &twin), "%s parts %d n %d way %d: %.17g, twin %.17g", cuda_kind_name[kind],
                   parts, n, way, gpu.value, twin.value);
      }
  perm_cuda_test_driver(0);
}

/* Single chunks of large orders, which no CPU can finish: the GPU's bits are the twin's. */
TEST(t_cuda_gpu_chunks_of_large_orders)
{
  static const int sizes[] = {29, 40, 44, 45, 48, 56, 64};
  static double a[2 * 64 * 64];
  int k, way, parts;
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  for (k = 0; k < (int)(sizeof sizes / sizeof sizes[0]); k++)
    for (parts = 1; parts <= 2; parts++)
      for (way = 1; way < 5; way += parts) {
        int n = sizes[k];
        perm_options options = cuda_options(cuda_precisions[way], way == 4);
        perm_plan plan;
        perm_job *job;
        perm_partial gpu, twin;
        perm_result r;
        perm_status status;
        uint64_t chunk;
        cuda_matrix(k % 2 ? CUDA_HALF_PLAIN : CUDA_SIGNED, n, parts, a);
        if (parts == 1)
          status = perm_plan_real(n, n, a, n, &options, &plan, &r);
        else
          status = perm_plan_complex(n, n, a, n, &options, &plan, &r);
        CHECK_SHOW(status == PERM_OK, "%s", r.message);
        if (parts == 1)
          perm_job_create_real(&plan, a, n, &options, &job, &r);
        else
          perm_job_create_complex(&plan, a, n, &options, &job, &r);
        CHECK_SHOW(job != NULL, "%s", r.message);
        chunk = plan.chunks / 3;
        memset(&gpu, 0, sizeof gpu);
        memset(&twin, 0, sizeof twin);
        perm_cuda_test_driver(0);
        CHECK(perm_job_run(job, 0, chunk, chunk + 1, &gpu) == PERM_OK);
        perm_cuda_test_driver(1);
        CHECK(perm_job_run(job, 0, chunk, chunk + 1, &twin) == PERM_OK);
        CHECK_SHOW(!memcmp(&gpu, &twin, sizeof gpu), "n %d parts %d way %d", n, parts, way);
        perm_job_free(job);
      }
  perm_cuda_test_driver(0);
}

/* The same bits for any number of GPUs, any ranges in any order, any interruptions. */
static void cuda_determinism(int n, int parts, int most_gpus)
{
  static double a[2 * 64 * 64];
  int way, gpus;
  cuda_matrix(CUDA_SIGNED, n, parts, a);
  for (way = 0; way < 5; way++) {
    perm_options options = cuda_options(cuda_precisions[way], way == 4);
    perm_result first, again;
    perm_plan plan;
    perm_job *job = NULL;
    perm_partial pieces, piece;
    uint64_t begin, width;
    options.gpu.devices = 1;
    first = cuda_compute(n, parts, a, &options);
    CHECK_SHOW(first.status == PERM_OK && first.gpus == 1, "%s", first.message);
    for (gpus = 2; gpus <= most_gpus; gpus++) {
      options.gpu.devices = gpus;
      again = cuda_compute(n, parts, a, &options);
      CHECK_SHOW(cuda_same_bits(&first, &again), "n %d parts %d way %d, %d GPUs", n, parts, way, gpus);
    }
    if (parts == 1)
      CHECK(perm_plan_real(n, n, a, n, &options, &plan, &again) == PERM_OK &&
            perm_job_create_real(&plan, a, n, &options, &job, &again) == PERM_OK);
    else
      CHECK(perm_plan_complex(n, n, a, n, &options, &plan, &again) == PERM_OK &&
            perm_job_create_complex(&plan, a, n, &options, &job, &again) == PERM_OK);
    CHECK(plan.isa == PERM_ISA_CUDA);
    memset(&pieces, 0, sizeof pieces);
    width = plan.chunks / 5 + 1;
    for (begin = (plan.chunks - 1) / width * width;; begin -= width) { /* from the last to the first */
      memset(&piece, 0, sizeof piece);
      CHECK(perm_job_run(job, 0, begin, begin + width < plan.chunks ? begin + width : plan.chunks, &piece) == PERM_OK);
      CHECK(perm_partial_merge(&pieces, &piece) == PERM_OK);
      if (begin == 0)
        break;
    }
    CHECK(perm_job_finish(job, &pieces, &again) == PERM_OK);
    CHECK_SHOW(cuda_same_bits(&first, &again), "n %d parts %d way %d in pieces", n, parts, way);
    perm_job_free(job);
  }
}

TEST(t_cuda_twin_determinism)
{
  perm_cuda_test_driver(5);
  cuda_determinism(17, 1, 5);
  cuda_determinism(15, 2, 3);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_determinism)
{
  const int gpus = cuda_real_gpus();
  if (!gpus)
    SKIP("no GPU, driver or NVRTC");
  cuda_determinism(26, 1, gpus);
  cuda_determinism(22, 2, gpus);
  if (gpus == 1)
    printf("  one GPU: different numbers of them were not compared\n");
}

/* Whatever call fails: a status with a message or the right value; and what is resumed has the same bits. */
static void cuda_faults(int n)
{
  static double a[64 * 64];
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  perm_result first, r;
  perm_plan plan;
  perm_job *job = NULL;
  perm_state *state = NULL;
  long call, failed = 0, ended = 0;
  cuda_matrix(CUDA_UNIFORM, n, 1, a);
  CHECK(perm_plan_real(n, n, a, n, &options, &plan, &r) == PERM_OK);
  CHECK(perm_job_create_real(&plan, a, n, &options, &job, &r) == PERM_OK);
  CHECK(perm_state_create(job, &state) == PERM_OK && perm_job_execute(job, state, &options, &first) == PERM_OK);
  perm_state_free(state);
  for (call = 0; call < 60; call++) {
    CHECK(perm_state_create(job, &state) == PERM_OK);
    perm_cuda_test_fault(call);
    perm_job_execute(job, state, &options, &r);
    if (perm_cuda_test_fault(-1) >= 0) { /* fewer calls than that */
      CHECK(r.status == PERM_OK);
      perm_state_free(state);
      break;
    }
    failed++;
    ended += r.status != PERM_OK;
    if (r.status == PERM_OK) /* a GPU could not begin, others could */
      CHECK(cuda_same_bits(&first, &r));
    else
      CHECK_SHOW(r.status == PERM_ERROR_DEVICE && strstr(r.message, "GPU") && r.value != r.value, "call %ld: %s: %s",
                 call, perm_status_name(r.status), r.message);
    perm_job_execute(job, state, &options, &r);
    CHECK_SHOW(r.status == PERM_OK && cuda_same_bits(&first, &r), "resumed after call %ld: %s", call, r.message);
    perm_state_free(state);
  }
  CHECK_SHOW(failed > 8 && ended > 3, "%ld faults, %ld ends", failed, ended);
  perm_job_free(job);
}

TEST(t_cuda_twin_faults)
{
  int gpus;
  for (gpus = 1; gpus <= 3; gpus++) {
    perm_cuda_test_driver(gpus);
    cuda_faults(18);
  }
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_faults)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  cuda_faults(30);
}

/* The state only in a file: whatever call fails, other GPUs go on from there; parts on different numbers of them. The
   checkpoint is always due, so every range is interrupted at the first look. */
static void cuda_checkpoints(int n, int gpus)
{
  static double a[64 * 64];
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0), whole = options;
  perm_result first, r;
  const char *path[3] = {"build/t_cuda.1.ck", "build/t_cuda.2.ck", "build/t_cuda.3.ck"};
  long call, ended = 0;
  int part;
  cuda_matrix(CUDA_UNIFORM, n, 1, a);
  options.checkpoint.seconds = 1e-9;
  options.checkpoint.file = path[0];
  whole.checkpoint.parts = whole.checkpoint.part = 1; /* no run in a higher precision either */
  perm_cuda_test_driver(gpus);
  first = cuda_compute(n, 1, a, &whole);
  CHECK(first.status == PERM_OK && first.isa == PERM_ISA_CUDA);
  for (call = 0; call < 80; call += 1 + call / 8) {
    remove(path[0]);
    perm_cuda_test_fault(call);
    r = cuda_compute(n, 1, a, &options);
    ended += r.status != PERM_OK;
    CHECK_SHOW(r.status == PERM_OK ? cuda_same_bits(&first, &r) : r.status == PERM_ERROR_DEVICE, "call %ld: %s", call,
               r.message);
    perm_cuda_test_fault(-1);
    perm_cuda_test_driver(1 + (int)call % 3);
    r = cuda_compute(n, 1, a, &options);
    CHECK_SHOW(r.status == PERM_OK && cuda_same_bits(&first, &r), "resumed after call %ld: %s", call, r.message);
    perm_cuda_test_driver(gpus);
  }
  CHECK_SHOW(ended > 3, "%ld", ended);
  for (part = 0; part < 3; part++) {
    remove(path[part]);
    options.checkpoint.file = path[part];
    options.checkpoint.part = part + 1;
    options.checkpoint.parts = 3;
    perm_cuda_test_driver(1 + part);
    r = cuda_compute(n, 1, a, &options);
    CHECK_SHOW(r.status == PERM_PART_DONE, "part %d: %s", part, r.message);
  }
  whole.checkpoint.parts = whole.checkpoint.part = 0;
  whole.checkpoint.merge = path;
  whole.checkpoint.merges = 3;
  r = cuda_compute(n, 1, a, &whole);
  CHECK_SHOW(r.status == PERM_OK && cuda_same_bits(&first, &r), "merged: %s", r.message);
  whole.checkpoint.merges = 2;
  CHECK(cuda_compute(n, 1, a, &whole).status == PERM_ERROR_STATE);
  for (part = 0; part < 3; part++)
    remove(path[part]);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_twin_checkpoints)
{
  cuda_checkpoints(18, 1);
  cuda_checkpoints(18, 3);
}

/* Faults while the driver is opened are an answer, not a crash. */
TEST(t_cuda_faults_at_the_start)
{
  static double a[64 * 64];
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  perm_result r;
  long call;
  cuda_matrix(CUDA_UNIFORM, 14, 1, a);
  for (call = 0; call < 5; call++) {
    perm_cuda_test_driver(1);
    perm_cuda_test_fault(call);
    options.gpu.cpu_fallback = 0;
    r = cuda_compute(14, 1, a, &options);
    CHECK_SHOW(r.status == PERM_ERROR_DEVICE && r.message[0], "%ld: %s", call, r.message);
    perm_cuda_test_driver(1);
    perm_cuda_test_fault(call);
    options.gpu.cpu_fallback = 1;
    r = cuda_compute(14, 1, a, &options);
    CHECK_SHOW(r.status == PERM_OK && r.isa != PERM_ISA_CUDA && r.gpus == 0, "%ld: %s", call, r.message);
    perm_cuda_test_fault(-1);
  }
  perm_cuda_test_driver(0);
}

/* A leaf's own kernel, as small as can be, through the runner: each chunk yields its number, and x from the table. */
static void cuda_own_twin(const void *context, uint64_t chunk, double *sums)
{
  sums[0] = (double)chunk;
  sums[1] = 0;
  sums[2] = *(const double *)context;
  sums[3] = sums[4] = 0;
}

static int cuda_own_add(void *context, perm_partial *partial, uint64_t first, uint64_t chunks, const double *sums)
{
  uint64_t k;
  (void)context, (void)first;
  for (k = 0; k < chunks; k++, sums += PERM_GPU_SUMS) {
    permi_sum_add_double(&partial->value, sums[0]);
    permi_sum_add_double(&partial->imaginary, sums[2]);
  }
  partial->chunks += chunks;
  return 1;
}

static perm_status cuda_own_poll(void *context, uint64_t done)
{
  (void)context, (void)done;
  return PERM_OK;
}

static double cuda_value(const perm_sum *sum)
{
  long long exp2;
  const double value = permi_sum_value(sum, &exp2).hi;
  return ldexp(value, (int)exp2);
}

static void cuda_own_kernel(int devices)
{
  static const char *const text[2] = {
      "extern \"C\" __global__ void permi_kernel(const permi_arguments<1> a) {\n"
      "  double *out = a.out + 5 * blockIdx.x;\n"
      "  if (threadIdx.x == 0) { out[0] = (double)(a.first + blockIdx.x); out[2] = a.table[0]; }\n"
      "  if (threadIdx.x == 1) out[1] = out[3] = out[4] = 0;\n}\n",
      "extern \"C\" __global__ void permi_kernel(const permi_arguments<1> a) {\n"
      "  extern __shared__ double room[];\n"
      "  double *out = a.out + 5 * blockIdx.x;\n"
      "  if (threadIdx.x == 0) { room[8000] = (double)(a.first + blockIdx.x); out[2] = a.table[0]; }\n"
      "  if (threadIdx.x == 1) out[1] = out[3] = out[4] = 0;\n"
      "  __syncthreads();\n  out[0] = room[8000];\n}\n"};
  const perm_gpu_sink sink = {NULL, cuda_own_add, perm_partial_merge, cuda_own_poll};
  const double table[1] = {3};
  int k;
  for (k = 0; k < 4; k++) { /* each is compiled once, and the second asks for much shared memory */
    perm_options options = cuda_options(0, 0);
    perm_gpu_program program = {text[k % 2], k % 2 ? 64008 : 8, cuda_own_twin, table, 0, NULL, 0, NULL};
    perm_gpu_work work;
    perm_partial partial;
    char message[PERM_MESSAGE_BYTES] = "";
    int gpus = 0;
    perm_status status;
    memset(&work, 0, sizeof work);
    memset(&partial, 0, sizeof partial);
    work.table = table;
    work.doubles = 1;
    work.program = &program;
    options.gpu.devices = devices;
    status = perm_cuda_run(&work, 5, 10000, &options, &sink, &partial, &gpus, message);
    CHECK_SHOW(status == PERM_OK && gpus >= 1 && gpus <= devices, "%s", message);
    CHECK(cuda_value(&partial.value) == 9995.0 * (5 + 9999) / 2);
    CHECK(cuda_value(&partial.imaginary) == 3 * 9995.0);
  }
}

TEST(t_cuda_twin_own_kernel)
{
  perm_cuda_test_driver(3);
  cuda_own_kernel(3);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_own_kernel)
{
  const int gpus = cuda_real_gpus();
  if (!gpus)
    SKIP("no GPU, driver or NVRTC");
  cuda_own_kernel(gpus);
}

static int cuda_stop_at_once(const perm_progress *progress, void *user_data)
{
  (void)progress;
  return ++*(int *)user_data > 0;
}

/* Cancelled and out of time: a prefix is kept, and every call gets further. */
static void cuda_stops(int n)
{
  static double a[64 * 64];
  perm_options options = cuda_options(PERM_PRECISION_ACCURATE, 0);
  perm_result first, r;
  perm_plan plan;
  perm_job *job = NULL;
  perm_state *state = NULL;
  volatile int cancel = 1;
  int calls = 0, stops = 0, reports = 0;
  cuda_matrix(CUDA_SIGNED, n, 1, a);
  CHECK(perm_plan_real(n, n, a, n, &options, &plan, &r) == PERM_OK);
  CHECK(perm_job_create_real(&plan, a, n, &options, &job, &r) == PERM_OK);
  CHECK(perm_state_create(job, &state) == PERM_OK && perm_job_execute(job, state, &options, &first) == PERM_OK);
  perm_state_free(state);
  CHECK(perm_state_create(job, &state) == PERM_OK);
  do {
    options.cancel = calls % 2 ? &cancel : NULL;
    options.max_seconds = calls % 2 ? 0 : 1e-6;
    options.progress = calls % 3 == 2 ? cuda_stop_at_once : NULL;
    options.user_data = &reports;
    perm_job_execute(job, state, &options, &r);
    stops += r.status == PERM_STOPPED_CANCELLED || r.status == PERM_STOPPED_TIME;
    CHECK_SHOW(r.status >= 0, "%s", r.message);
    calls++;
  } while (r.status != PERM_OK && calls < 100000);
  CHECK_SHOW(stops > 0 && cuda_same_bits(&first, &r), "%d stops of %d calls: %s", stops, calls, r.message);
  perm_state_free(state);
  perm_job_free(job);
}

TEST(t_cuda_twin_stops)
{
  perm_cuda_test_driver(2);
  cuda_stops(21);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_stops)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  cuda_stops(36);
}

/* What is missing is named; the CPU does the work if it may. */
TEST(t_cuda_without_a_gpu)
{
  static double a[64 * 64];
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  perm_result r;
  if (cuda_real_gpus())
    SKIP("there is a GPU");
  cuda_matrix(CUDA_UNIFORM, 16, 1, a);
  r = cuda_compute(16, 1, a, &options);
  CHECK_SHOW(r.status == PERM_ERROR_DEVICE && (strstr(r.message, "driver") || strstr(r.message, "NVRTC")), "%s",
             r.message);
  options.gpu.cpu_fallback = 1;
  r = cuda_compute(16, 1, a, &options);
  CHECK_SHOW(r.status == PERM_OK && r.isa != PERM_ISA_CUDA && r.gpus == 0, "%s", r.message);
}

/* Planning: GPUs where they pay, the same grid whatever their number, refusals. */
TEST(t_cuda_plans)
{
  static double a[64 * 64];
  perm_options options;
  perm_plan plan, more;
  perm_result r;
  int n;
  memset(&options, 0, sizeof options);
  options.gpu.devices = 1;
  for (n = 13; n <= 64; n++) {
    cuda_matrix(CUDA_UNIFORM, n, 1, a);
    options.isa = PERM_ISA_AUTO;
    options.gpu.devices = 1;
    CHECK(perm_plan_real(n, n, a, n, &options, &plan, &r) == PERM_OK);
    CHECK_SHOW((plan.isa == PERM_ISA_CUDA) == (n > 32) || (n > 24 && n <= 32), "n %d", n);
    options.isa = PERM_ISA_CUDA;
    CHECK(perm_plan_real(n, n, a, n, &options, &plan, &r) == PERM_OK);
    CHECK(plan.isa == PERM_ISA_CUDA && plan.form == PERM_FORM_NORMALISED);
    CHECK(plan.chunk_log2 >= 7 && plan.outer_columns + plan.block_columns == n - 2);
    options.gpu.devices = 8;
    CHECK(perm_plan_real(n, n, a, n, &options, &more, &r) == PERM_OK && more.fingerprint == plan.fingerprint);
  }
  options.gpu.devices = -2;
  CHECK(perm_plan_real(14, 14, a, 14, &options, &plan, &r) == PERM_ERROR_OPTION);
  options.gpu.devices = 0;
  CHECK(perm_plan_real(14, 14, a, 14, &options, &plan, &r) == PERM_ERROR_OPTION);
}

/* ---- exact integers */
enum { WHOLE_ONES, WHOLE_SIGNS, WHOLE_THIN, WHOLE_SMALL, WHOLE_HUNDRED, WHOLE_MILLION, WHOLE_MIXED, WHOLE_62,
       WHOLE_EXTREME, WHOLE_SINGULAR, WHOLE_ODD, WHOLE_KINDS };
static const char *const whole_name[] = {"0/1",   "-1/0/1",  "0/1 thin", "[-9,9]",   "[-100,100]", "+-2^20",
                                         "mixed", "62 bits", "extreme",  "singular", "odd"};

static void whole_matrix(int kind, int n, int parts, int transposed, int64_t *a)
{
  int i, j, part;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (part = 0; part < parts; part++) {
        const int64_t wide = (int64_t)(((uint64_t)test_below(1 << 30) << 32) | (uint64_t)test_below(1 << 30) << 2);
        int64_t x = 0;
        switch (kind) {
        case WHOLE_ONES: x = test_below(2); break;
        case WHOLE_SIGNS: x = test_below(3) - 1; break;
        case WHOLE_THIN: x = test_below(4) == 0 || j == i; break;
        case WHOLE_SMALL: x = test_below(19) - 9; break;
        case WHOLE_HUNDRED: x = test_below(201) - 100; break;
        case WHOLE_MILLION: x = test_below(1 << 21) - (1 << 20); break;
        case WHOLE_MIXED: x = i % 4 == 0 ? test_below(3) - 1 : i % 4 == 1 ? test_below(2000) - 1000
                              : i % 4 == 2 ? test_below(1 << 28) - (1 << 27) : wide / 16; break;
        case WHOLE_62: x = test_below(2) ? wide : -wide; break;
        case WHOLE_EXTREME: x = test_below(3) ? INT64_MIN : test_below(2) ? INT64_MAX : 0; break;
        case WHOLE_SINGULAR: x = i == n - 1 ? a[j * parts + part] * (transposed ? -1 : 1) : test_below(5) - 2; break;
        default: x = 2 * test_below(2) - 1; /* n odd: no row sum is even */
        }
        a[(i * n + j) * parts + part] = x;
      }
  for (i = 0; i < n && transposed; i++)
    for (j = 0; j < i; j++)
      for (part = 0; part < parts; part++) {
        int64_t *x = &a[(i * n + j) * parts + part], *y = &a[(j * n + i) * parts + part], z = *x;
        *x = *y;
        *y = z;
      }
}

static perm_result whole_compute(int n, int parts, const int64_t *a, const perm_options *options)
{
  perm_result r;
  if (parts == 2)
    perm_compute_gaussian(n, n, a, n, options, &r);
  else
    perm_compute_integer(n, n, a, n, options, &r);
  return r;
}

static perm_options whole_options(int gpus)
{
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  options.method = PERM_METHOD_EXACT;
  if (!gpus) {
    options.gpu.devices = 0;
    options.isa = PERM_ISA_AUTO;
  }
  return options;
}

static int whole_same(const perm_result *a, const perm_result *b)
{
  return a->exact && b->exact && !memcmp(&a->integer, &b->integer, sizeof a->integer) &&
         !memcmp(&a->imaginary_integer, &b->imaginary_integer, sizeof a->integer);
}

/* Another matrix with the same norms, for which the kernel is the same: lines change places and, if they may, signs. */
static void whole_vary(int n, int parts, int64_t *a)
{
  const int i = test_below(n), j = test_below(n), wide = parts * n;
  int k, part, may = 1;
  for (k = 0; k < n * wide; k++)
    may &= a[k] != INT64_MIN;
  for (k = 0; k < wide; k++) {
    const int64_t x = a[i * wide + k];
    a[i * wide + k] = a[j * wide + k];
    a[j * wide + k] = may ? -x : x;
  }
  for (k = 0; k < n; k++)
    for (part = 0; part < parts; part++) {
      int64_t *x = &a[(k * n + i) * parts + part], *y = &a[(k * n + (j + 1) % n) * parts + part], z = *x;
      *x = may ? -*y : *y;
      *y = z;
    }
}

/* Bit for bit what the CPU computes; `gpus`: devices of the twin, 0: the real ones, for which kernels are compiled:
   0.005 s a product of words. */
static void whole_against_cpu(int rounds, int variants, int most, int gpus)
{
  static int64_t a[2 * 64 * 64];
  int kind, parts, round, variant, skipped = 0, matrices = 0;
  for (kind = 0; kind < WHOLE_KINDS; kind++)
    for (parts = 1; parts <= 2; parts++)
      for (round = 0; round < rounds; round++) {
        const perm_options options = whole_options(1), none = whole_options(0);
        const int n = 13 + test_below((kind >= WHOLE_62 && (parts == 2 || !gpus) ? 13 : most) - 12);
        char text[1000] = "";
        perm_job *job = NULL;
        if (!gpus && parts == 2 && (kind == WHOLE_62 || kind == WHOLE_MIXED))
          continue;
        whole_matrix(kind, n, parts, (round + kind) & 1, a);
        for (variant = 0; variant < variants; variant++) {
          perm_result r, truth;
          if (variant)
            whole_vary(n, parts, a);
          perm_cuda_test_driver(gpus);
          r = whole_compute(n, parts, a, &options);
          truth = whole_compute(n, parts, a, &none);
          CHECK_SHOW(truth.status == PERM_OK && truth.gpus == 0, "%s", truth.message);
          CHECK_SHOW(r.status == PERM_OK &&
                         (truth.method != PERM_METHOD_EXACT || (r.isa == PERM_ISA_CUDA && r.gpus > 0)),
                     "%s parts %d n %d: %s (%s)", whole_name[kind], parts, n, r.message, perm_isa_name(r.isa));
          CHECK_SHOW(whole_same(&r, &truth), "%s parts %d n %d round %d, %d: %.17g, CPU %.17g", whole_name[kind], parts,
                     n, round, variant, r.value, truth.value);
          matrices++;
        }
        if (parts == 1 && perm_job_integer(n, n, a, n, &options, &job, NULL) == PERM_OK && perm_job_leaves(job))
          perm_job_explain(job, text, sizeof text);
        skipped += strstr(text, "zeros skipped") != NULL;
        if (test_verbose)
          printf("  %-10s %s", whole_name[kind], text[0] ? text : "\n");
        perm_job_free(job);
      }
  perm_cuda_test_driver(0);
  CHECK_SHOW(skipped > 0 && skipped < matrices, "%d of %d matrices by skipping zeros", skipped, matrices);
}

TEST(t_cuda_twin_exact)
{
  whole_against_cpu(3, 3, 15, 2);
}

TEST(t_cuda_gpu_exact)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  whole_against_cpu(1, 20, 18, 0);
}

/* The same for any number of GPUs, in pieces, resumed after faults and stops; a large matrix by chunks. */
static void whole_splits(int n, int kind, int parts, int most_gpus)
{
  static int64_t a[2 * 64 * 64];
  perm_options options = whole_options(1);
  perm_result first, r;
  perm_job *job = NULL;
  perm_state *state = NULL;
  perm_leaf leaf;
  perm_partial pieces, piece;
  volatile int cancel = 1;
  uint64_t begin, width;
  long call, failed = 0, ended = 0;
  int gpus, calls = 0, stops = 0;
  memset(&leaf, 0, sizeof leaf);
  whole_matrix(kind, n, parts, 0, a);
  options.gpu.devices = 1;
  first = whole_compute(n, parts, a, &options);
  CHECK_SHOW(first.status == PERM_OK && first.gpus == 1, "%s", first.message);
  for (gpus = 2; gpus <= most_gpus; gpus++) {
    options.gpu.devices = gpus;
    r = whole_compute(n, parts, a, &options);
    CHECK(whole_same(&first, &r));
  }
  CHECK((parts == 2 ? perm_job_gaussian : perm_job_integer)(n, n, a, n, &options, &job, &r) == PERM_OK);
  CHECK(perm_job_leaf(job, 0, &leaf) == PERM_OK && leaf.isa == PERM_ISA_CUDA && leaf.chunks >= 5);
  memset(&pieces, 0, sizeof pieces);
  width = leaf.chunks / 5 + 1;
  for (begin = (leaf.chunks - 1) / width * width;; begin -= width) {
    memset(&piece, 0, sizeof piece);
    CHECK(perm_job_run(job, 0, begin, begin + width < leaf.chunks ? begin + width : leaf.chunks, &piece) == PERM_OK);
    CHECK(perm_partial_merge(&pieces, &piece) == PERM_OK);
    if (begin == 0)
      break;
  }
  CHECK(perm_job_finish(job, &pieces, &r) == PERM_OK && whole_same(&first, &r));
  CHECK(r.terms == ldexp(1, n - 1));
  for (call = 0; call < 60; call++) {
    CHECK(perm_state_create(job, &state) == PERM_OK);
    perm_cuda_test_fault(call);
    perm_job_execute(job, state, &options, &r);
    if (perm_cuda_test_fault(-1) >= 0) {
      CHECK(r.status == PERM_OK);
      perm_state_free(state);
      break;
    }
    failed++;
    if (r.status == PERM_OK)
      CHECK(whole_same(&first, &r));
    else
      CHECK_SHOW(r.status == PERM_ERROR_DEVICE && strstr(r.message, "GPU"), "call %ld: %s", call, r.message);
    ended += r.status != PERM_OK;
    perm_job_execute(job, state, &options, &r);
    CHECK_SHOW(r.status == PERM_OK && whole_same(&first, &r), "resumed after call %ld: %s", call, r.message);
    perm_state_free(state);
  }
  CHECK_SHOW(failed > 5 && ended > 3, "%ld faults, %ld ends", failed, ended);
  CHECK(perm_state_create(job, &state) == PERM_OK);
  do {
    options.cancel = calls % 2 ? &cancel : NULL;
    options.max_seconds = calls % 2 ? 0 : 1e-6;
    perm_job_execute(job, state, &options, &r);
    stops += r.status == PERM_STOPPED_CANCELLED || r.status == PERM_STOPPED_TIME;
    CHECK_SHOW(r.status >= 0, "%s", r.message);
    calls++;
  } while (r.status != PERM_OK && calls < 100000);
  CHECK_SHOW(whole_same(&first, &r), "%d stops of %d calls: %s", stops, calls, r.message);
  perm_state_free(state);
  perm_job_free(job);
}

/* A GPU whose blocks share less memory than the kernel wants: named, not left to the driver's words. */
TEST(t_cuda_shared_memory_is_named)
{
  int64_t a[15 * 15];
  perm_options options = whole_options(1);
  perm_result r;
  whole_matrix(WHOLE_THIN, 15, 1, 0, a);
  perm_cuda_test_shared(1024);
  perm_cuda_test_driver(1);
  r = whole_compute(15, 1, a, &options);
  CHECK_SHOW(r.status == PERM_ERROR_DEVICE, "%s", r.message);
  CHECK_TEXT(r.message, "bytes of shared memory, a block there has 1024");
  perm_cuda_test_shared(232448);
  perm_cuda_test_driver(1);
  r = whole_compute(15, 1, a, &options);
  CHECK_SHOW(r.status == PERM_OK && r.isa == PERM_ISA_CUDA, "%s", r.message);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_twin_exact_splits)
{
  perm_cuda_test_driver(3);
  whole_splits(18, WHOLE_HUNDRED, 1, 3);
  whole_splits(16, WHOLE_SMALL, 2, 3);
  perm_cuda_test_driver(2);
  whole_splits(22, WHOLE_ONES, 1, 2);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_exact_splits)
{
  const int gpus = cuda_real_gpus();
  if (!gpus)
    SKIP("no GPU, driver or NVRTC");
  whole_splits(32, WHOLE_ONES, 1, gpus);
  whole_splits(26, WHOLE_SMALL, 2, gpus);
}

/* With and without skipping, the transposed matrix, and a permanent in closed form: per(J) = n!, per(2I + J). */
TEST(t_cuda_exact_known)
{
  static int64_t a[64 * 64];
  perm_options options = whole_options(1);
  perm_result r;
  int n, i, j;
  if (!cuda_real_gpus())
    perm_cuda_test_driver(1);
  for (n = 13; n <= 15; n++) {
    double known = 1, sum = 0;
    for (i = 0; i < n * n; i++)
      a[i] = (i % (n + 1) == 0 ? 3 : 1);
    for (i = 0; i <= n; i++) { /* per(J + 2I) = n! sum_k 2^k / k! */
      sum += known;
      known *= 2.0 / (i + 1);
    }
    for (i = 2; i <= n; i++)
      sum *= i;
    r = whole_compute(n, 1, a, &options);
    CHECK_SHOW(r.status == PERM_OK && fabs(r.value - sum) <= 1e-9 * sum, "n %d: %.17g, %.17g", n, r.value, sum);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        a[i * n + j] = (int64_t)1 << (i + j); /* 2^(n (n - 1)) n! */
    r = whole_compute(n, 1, a, &options);
    for (sum = ldexp(1, n * (n - 1)), i = 2; i <= n; i++)
      sum *= i;
    CHECK_SHOW(r.status == PERM_OK && r.value == sum, "n %d: %.17g, %.17g", n, r.value, sum);
  }
  perm_cuda_test_driver(0);
}

/* ---- batches */
static void batch_check(int kind, int n, int parts, size_t count, int devices)
{
  static double a[300 * 2 * 17 * 17], soa[300 * 2 * 17 * 17], value[600], again[600];
  static float single[300 * 17 * 17];
  static int rows[300 * 17], columns[300 * 17];
  const size_t entries = (size_t)(n * n);
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0), none = options;
  permi_batch batch;
  permi_control control;
  perm_result r;
  char message[PERM_MESSAGE_BYTES] = "";
  size_t k, e, left = 0;
  int part, gpus = 0, split;
  options.method = none.method = PERM_METHOD_AUTO;
  options.tolerance = none.tolerance = 0;
  none.gpu.devices = 0;
  none.isa = PERM_ISA_AUTO;
  for (k = 0; k < count; k++)
    cuda_matrix(kind, n, parts, a + k * entries * (size_t)parts);
  for (k = 0; k < count; k++)
    for (e = 0; e < entries; e++) {
      for (part = 0; part < parts; part++)
        soa[(e * count + k) * (size_t)parts + (size_t)part] = a[(k * entries + e) * (size_t)parts + (size_t)part];
      single[k * entries + e] = (float)a[k * entries + e];
    }
  /* as good as single calls */
  if (parts == 2)
    perm_batch_complex(n, count, a, entries, &options, value, &r);
  else
    perm_batch_real(n, count, a, entries, &options, value, &r);
  CHECK_SHOW(r.status == PERM_OK && r.isa == PERM_ISA_CUDA && r.gpus >= 1 && r.gpus <= devices, "%s: %s",
             cuda_kind_name[kind], r.message);
  for (k = 0; k < count; k++) {
    const perm_result one = cuda_compute(n, parts, a + k * entries * (size_t)parts, &none);
    const double *got = value + k * (size_t)parts, scale = ldexp(1, (int)one.exp2);
    const double error = permi_modulus(got[0] - one.value * scale, parts == 2 ? got[1] - one.imaginary * scale : 0);
    CHECK_SHOW(error <= 2e-10 * permi_modulus(one.value, one.imaginary) * scale + one.error_estimate * scale,
               "%s n %d parts %d matrix %zu: %.17g, alone %.17g", cuda_kind_name[kind], n, parts, k, got[0],
               one.value * scale);
  }
  /* the same bits by other splits, layouts and numbers of GPUs */
  for (split = 0; split < 3; split++) {
    const size_t middle = split * count / 3;
    options.gpu.devices = split == 1 ? 1 : PERM_ALL_GPUS;
    options.threads = split + 1;
    memset(again, 0xff, sizeof again);
    if (parts == 2 && split == 2)
      perm_batch_complex_soa(n, count, soa, count, &options, again, &r);
    else if (split == 2)
      perm_batch_real_soa(n, count, soa, count, &options, again, &r);
    else if (parts == 2) {
      perm_batch_complex(n, middle, a, entries, &options, again, &r);
      perm_batch_complex(n, count - middle, a + 2 * middle * entries, entries, &options, again + 2 * middle, &r);
    } else {
      perm_batch_real(n, middle, a, entries, &options, again, &r);
      perm_batch_real(n, count - middle, a + middle * entries, entries, &options, again + middle, &r);
    }
    CHECK_SHOW(r.status == PERM_OK && !memcmp(value, again, count * (size_t)parts * sizeof *value), "split %d", split);
  }
  if (parts == 1) { /* floats are their doubles; selections are what they select */
    for (k = 0; k < count * entries; k++)
      soa[k] = (double)single[k];
    CHECK(perm_batch_real(n, count, soa, entries, &options, value, &r) == PERM_OK);
    CHECK(perm_batch_float(n, count, single, entries, &options, again, &r) == PERM_OK);
    CHECK(!memcmp(value, again, count * sizeof *value));
    for (k = 0; k < count * (size_t)n; k++) {
      rows[k] = (int)(k % (size_t)n + k / (size_t)n);
      columns[k] = (int)(k % (size_t)n);
    }
    CHECK(perm_select_real((int)count + n, n, a, n, n, count / 2, rows, columns, &options, value, &r) == PERM_OK);
    for (k = 0; k < count / 2; k++)
      memcpy(soa + k * entries, a + k * (size_t)n, entries * sizeof *soa);
    CHECK(perm_batch_real(n, count / 2, soa, entries, &options, again, &r) == PERM_OK);
    CHECK(!memcmp(value, again, count / 2 * sizeof *value));
  }
  /* and by GPUs indeed */
  memset(&batch, 0, sizeof batch);
  memset(&control, 0, sizeof control);
  batch.kind = PERMI_BATCH_MATRICES;
  batch.n = n;
  batch.parts = parts;
  batch.count = count;
  batch.a = a;
  batch.stride = entries;
  batch.options = control.options = &options;
  control.deadline = (double)INFINITY;
  batch.control = &control;
  batch.out = value;
  batch.todo = (unsigned char *)malloc(count);
  memset(batch.todo, 1, count);
  CHECK_SHOW(permi_batch_gpu_run(&batch, 4, &gpus, message) == PERM_OK, "%s", message);
  for (k = 0; k < count; k++)
    left += batch.todo[k];
  free(batch.todo);
  if (test_verbose)
    printf("  %-10s n %d parts %d: %zu of %zu left to the CPU\n", cuda_kind_name[kind], n, parts, left, count);
  if (kind == CUDA_UNIFORM || kind == CUDA_SIGNED || kind == CUDA_SPARSE || kind == CUDA_HALF_PLAIN)
    CHECK_SHOW(left * 10 <= count, "%s: %zu of %zu left to the CPU", cuda_kind_name[kind], left, count);
}

static void batches_check(size_t count, int devices)
{
  static const int orders[] = {10, 11, 13, 17};
  int k, parts, kind;
  for (k = 0; k < 4; k++)
    for (parts = 1; parts <= 2; parts++)
      for (kind = 0; kind < CUDA_KINDS; kind++)
        batch_check(kind, orders[k], parts, orders[k] < 17 ? count : count / 8, devices);
}

TEST(t_cuda_twin_batches)
{
  perm_cuda_test_driver(3);
  batches_check(40, 3);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_batches)
{
  const int gpus = cuda_real_gpus();
  if (!gpus)
    SKIP("no GPU, driver or NVRTC");
  batches_check(300, gpus);
}

/* Blocks (1 1; 1 -1) in small surroundings: in every term some row sum all but cancels, and what entries lose when they
   are rounded to a grid is the permanent. The sum of |terms| does not show it. */
TEST(t_cuda_batches_know_what_rounding_took)
{
  enum { N = 10, COUNT = 20 };
  static double a[COUNT * N * N], value[COUNT], cpu[COUNT];
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0), none = options;
  perm_result r;
  int k, i, j;
  if (!cuda_real_gpus())
    perm_cuda_test_driver(1);
  options.method = none.method = PERM_METHOD_AUTO;
  options.tolerance = none.tolerance = 0;
  none.gpu.devices = 0;
  none.isa = PERM_ISA_AUTO;
  for (k = 0; k < COUNT; k++)
    for (i = 0; i < N; i++)
      for (j = 0; j < N; j++)
        a[(k * N + i) * N + j] = i / 2 == j / 2 ? (i & j & 1 ? -1 : 1) : ldexp(test_uniform(), -12 - 2 * k);
  CHECK(perm_batch_real(N, COUNT, a, N * N, &options, value, &r) == PERM_OK);
  CHECK(perm_batch_real(N, COUNT, a, N * N, &none, cpu, &r) == PERM_OK); /* left to the CPU */
  none.precision = PERM_PRECISION_DD;
  for (k = 0; k < COUNT; k++) {
    const perm_result one = cuda_compute(N, 1, a + k * N * N, &none);
    CHECK_SHOW(value[k] == cpu[k] ||
                   fabs(value[k] - ldexp(one.value, (int)one.exp2)) <= 2e-10 * fabs(ldexp(one.value, (int)one.exp2)),
               "%d: %.17g, %.17g", k, value[k], ldexp(one.value, (int)one.exp2));
  }
  perm_cuda_test_driver(0);
}

/* Values that are good to the tolerance stay: how many are left to the CPU, and how far off the others are. */
TEST(t_cuda_batches_take_the_tolerance)
{
  enum { N = 10, COUNT = 20 };
  static double a[COUNT * N * N], value[COUNT];
  unsigned char todo[COUNT];
  char message[PERM_MESSAGE_BYTES] = "";
  int left[2], gpus, loose, k, i, j;
  if (!cuda_real_gpus())
    perm_cuda_test_driver(1);
  for (k = 0; k < COUNT; k++)
    for (i = 0; i < N; i++)
      for (j = 0; j < N; j++)
        a[(k * N + i) * N + j] = i / 2 == j / 2 ? (i & j & 1 ? -1 : 1) : ldexp(test_uniform(), -12 - k / 2);
  for (loose = 0; loose < 2; loose++) {
    perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0), exactly = options;
    permi_batch batch;
    permi_control control;
    options.tolerance = loose ? 1e-4 : 0;
    exactly.gpu.devices = 0;
    exactly.isa = PERM_ISA_AUTO;
    exactly.precision = PERM_PRECISION_DD;
    memset(&batch, 0, sizeof batch);
    memset(&control, 0, sizeof control);
    batch.kind = PERMI_BATCH_MATRICES;
    batch.n = N;
    batch.parts = 1;
    batch.count = COUNT;
    batch.a = a;
    batch.stride = N * N;
    batch.options = control.options = &options;
    control.deadline = (double)INFINITY;
    batch.control = &control;
    batch.out = value;
    batch.todo = todo;
    memset(todo, 1, COUNT);
    CHECK_SHOW(permi_batch_gpu_run(&batch, 2, &gpus, message) == PERM_OK, "%s", message);
    for (left[loose] = k = 0; k < COUNT; k++)
      if (todo[k])
        left[loose]++;
      else {
        const perm_result one = cuda_compute(N, 1, a + k * N * N, &exactly);
        const double truth = ldexp(one.value, (int)one.exp2);
        CHECK_SHOW(fabs(value[k] - truth) <= (loose ? 2e-4 : 2e-10) * fabs(truth), "%d: %.17g, %.17g", k, value[k],
                   truth);
      }
  }
  CHECK_SHOW(left[1] < left[0], "%d, %d left", left[1], left[0]);
  perm_cuda_test_driver(0);
}

/* The GPU's bits are the twin's: same matrices, both ways. */
TEST(t_cuda_gpu_batches_have_the_bits_of_their_twins)
{
  static const int orders[] = {10, 11, 13, 17};
  static double a[64 * 2 * 17 * 17], gpu[128], twin[128];
  int k, parts, kind, m;
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  for (k = 0; k < 4; k++)
    for (parts = 1; parts <= 2; parts++)
      for (kind = 0; kind < CUDA_KINDS; kind++) {
        const int n = orders[k];
        perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
        perm_result r;
        options.method = PERM_METHOD_AUTO;
        options.tolerance = 0;
        for (m = 0; m < 64; m++)
          cuda_matrix(kind, n, parts, a + m * n * n * parts);
        perm_cuda_test_driver(0);
        (parts == 2 ? perm_batch_complex : perm_batch_real)(n, 64, a, (size_t)(n * n), &options, gpu, &r);
        CHECK_SHOW(r.status == PERM_OK, "%s", r.message);
        perm_cuda_test_driver(1);
        (parts == 2 ? perm_batch_complex : perm_batch_real)(n, 64, a, (size_t)(n * n), &options, twin, &r);
        CHECK_SHOW(!memcmp(gpu, twin, (size_t)(64 * parts) * sizeof *gpu), "%s n %d parts %d", cuda_kind_name[kind], n,
                   parts);
      }
  perm_cuda_test_driver(0);
}

/* Faults and stops: a status with a message, NaN for what is missing; matrices that fail are named. */
static void batch_faults(int n)
{
  enum { COUNT = 200 };
  static double a[COUNT * 17 * 17], whole[COUNT], value[COUNT];
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  perm_result r;
  volatile int cancel = 1;
  long call, failed = 0, ended = 0;
  int k;
  options.method = PERM_METHOD_AUTO;
  options.tolerance = 0;
  options.threads = 2;
  for (k = 0; k < COUNT; k++)
    cuda_matrix(CUDA_UNIFORM, n, 1, a + k * n * n);
  CHECK(perm_batch_real(n, COUNT, a, (size_t)(n * n), &options, whole, &r) == PERM_OK);
  for (call = 0; call < 60; call++) {
    perm_cuda_test_fault(call);
    perm_batch_real(n, COUNT, a, (size_t)(n * n), &options, value, &r);
    if (perm_cuda_test_fault(-1) >= 0) {
      CHECK(r.status == PERM_OK && !memcmp(whole, value, sizeof whole));
      break;
    }
    failed++;
    CHECK_SHOW(r.status == PERM_OK || (r.status == PERM_ERROR_DEVICE && strstr(r.message, "GPU")), "call %ld: %s",
               call, r.message);
    ended += r.status != PERM_OK;
    for (k = 0; k < COUNT; k++)
      CHECK((r.status != PERM_OK && value[k] != value[k]) || value[k] == whole[k]);
  }
  CHECK_SHOW(failed > 8 && ended > 3, "%ld faults, %ld ends", failed, ended);
  options.gpu.cpu_fallback = 1; /* what GPUs leave is the CPU's */
  for (call = 0; call < failed; call += 2) {
    perm_cuda_test_fault(call);
    perm_batch_real(n, COUNT, a, (size_t)(n * n), &options, value, &r);
    perm_cuda_test_fault(-1);
    CHECK_SHOW(r.status == PERM_OK, "call %ld: %s", call, r.message);
    for (k = 0; k < COUNT; k++)
      CHECK_SHOW(fabs(value[k] - whole[k]) <= 1e-9 * fabs(whole[k]), "%.17g, not %.17g", value[k], whole[k]);
  }
  options.gpu.cpu_fallback = 0;
  options.cancel = &cancel;
  CHECK(perm_batch_real(n, COUNT, a, (size_t)(n * n), &options, value, &r) == PERM_STOPPED_CANCELLED ||
        !memcmp(whole, value, sizeof whole));
  options.cancel = NULL;
  a[150 * n * n + 3] = (double)NAN;
  a[20 * n * n] = (double)INFINITY;
  CHECK(perm_batch_real(n, COUNT, a, (size_t)(n * n), &options, value, &r) == PERM_ERROR_NOT_FINITE);
  CHECK_SHOW(strstr(r.message, "matrix 20 "), "%s", r.message);
  for (k = 0; k < COUNT; k++)
    CHECK_SHOW(k == 20 || k == 150 ? value[k] != value[k] : value[k] == whole[k], "matrix %d", k);
}

TEST(t_cuda_twin_batch_faults)
{
  perm_cuda_test_driver(2);
  batch_faults(11);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_batch_faults)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  batch_faults(13);
}

TEST(t_cuda_batches_compile)
{
  int n, parts;
  for (n = PERM_GPU_BATCH_LEAST_N; n <= PERM_GPU_BATCH_MOST_N; n += n < 16 ? 3 : 4)
    for (parts = 1; parts <= 2; parts++) {
      char message[PERM_MESSAGE_BYTES] = "", *image;
      size_t size = 0;
      const double start = permi_seconds();
      image = perm_cuda_test_compile_batch(n, parts, 90, &size, message);
      if (!image && strstr(message, "no NVRTC"))
        SKIP("no NVRTC");
      CHECK_SHOW(image && size > 1000, "n %d parts %d: %s", n, parts, message);
      if (test_verbose)
        printf("  n %d parts %d: %zu bytes, %.2f s\n", n, parts, size, permi_seconds() - start);
      free(image);
    }
}

/* ---- multiplicities and rectangular matrices */
static const struct {
  int m, n, parts, kind;
  perm_method method;
  int row_count[24], column_count[24]; /* all 0: none */
} counted_cases[] = {
    {8, 6, 1, CUDA_UNIFORM, PERM_METHOD_REPEATS, {1, 2, 1, 3, 1, 2, 2, 2}, {3, 2, 4, 2, 2, 1}},
    {8, 6, 2, CUDA_SIGNED, PERM_METHOD_REPEATS, {1, 2, 1, 3, 1, 2, 2, 2}, {3, 2, 4, 2, 2, 1}},
    {14, 7, 2, CUDA_SIGNED, PERM_METHOD_REPEATS, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2, 2}},
    {12, 6, 1, CUDA_INTEGERS, PERM_METHOD_REPEATS, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {2, 3, 1, 2, 3, 1}},
    {4, 6, 1, CUDA_SIGNED, PERM_METHOD_REPEATS, {9, 8, 7, 6}, {5, 5, 5, 5, 5, 5}},
    {10, 14, 1, CUDA_SIGNED, PERM_METHOD_SHORT, {0}, {0}},
    {10, 14, 2, CUDA_SIGNED, PERM_METHOD_SHORT, {0}, {0}},
    {12, 13, 1, CUDA_UNIFORM, PERM_METHOD_SHORT, {0}, {0}},
    {15, 11, 2, CUDA_UNIFORM, PERM_METHOD_SHORT, {0}, {0}},
    {9, 12, 1, CUDA_SIGNED, PERM_METHOD_PADDED, {0}, {0}},
    {9, 12, 2, CUDA_SIGNED, PERM_METHOD_PADDED, {0}, {0}},
    {10, 12, 1, CUDA_SIGNED, PERM_METHOD_RYSER, {0}, {0}},
    {10, 12, 2, CUDA_WILD, PERM_METHOD_RYSER, {0}, {0}},
    {12, 12, 1, CUDA_ONES, PERM_METHOD_REPEATS, {0}, {0}},
    {16, 16, 1, CUDA_SPARSE, PERM_METHOD_REPEATS, {0}, {0}},
};

static perm_result counted_compute(int k, const double *a, const perm_options *options)
{
  const int m = counted_cases[k].m, n = counted_cases[k].n, counts = counted_cases[k].row_count[0];
  const int *rows = counted_cases[k].row_count, *columns = counted_cases[k].column_count;
  perm_result r;
  if (counted_cases[k].parts == 2 && counts)
    perm_compute_repeated_complex(m, n, a, n, rows, columns, options, &r);
  else if (counted_cases[k].parts == 2)
    perm_compute_complex(m, n, a, n, options, &r);
  else if (counts)
    perm_compute_repeated_real(m, n, a, n, rows, columns, options, &r);
  else
    perm_compute_real(m, n, a, n, options, &r);
  return r;
}

static void counted_matrix(int k, double *a)
{
  double square[2 * 24 * 24];
  const int m = counted_cases[k].m, n = counted_cases[k].n, parts = counted_cases[k].parts, most = m > n ? m : n;
  int i;
  cuda_matrix(counted_cases[k].kind, most, parts, square);
  for (i = 0; i < m; i++)
    memcpy(a + i * n * parts, square + i * most * parts, (size_t)(n * parts) * sizeof *a);
}

/* Within estimates and bounds of the CPU's double-doubles; bits of the twin where there is a GPU. */
static void counted_check(int devices)
{
  int k, round, on_gpu = 0;
  for (k = 0; k < (int)(sizeof counted_cases / sizeof counted_cases[0]); k++)
    for (round = 0; round < 3; round++) {
      double a[2 * 24 * 24], scale, error;
      perm_options options = cuda_options(PERM_PRECISION_DEFAULT, round == 1), none;
      perm_result r, truth, again;
      options.method = counted_cases[k].method;
      none = options;
      none.gpu.devices = 0;
      none.isa = PERM_ISA_AUTO;
      none.precision = PERM_PRECISION_DD;
      counted_matrix(k, a);
      perm_cuda_test_driver(devices);
      r = counted_compute(k, a, &options);
      truth = counted_compute(k, a, &none);
      CHECK_SHOW(truth.status == PERM_OK && truth.gpus == 0, "case %d: %s", k, truth.message);
      CHECK_SHOW(r.status == PERM_OK || r.status == PERM_TOLERANCE_NOT_MET, "case %d: %s", k, r.message);
      if (r.isa != PERM_ISA_CUDA) { /* ones merge, certified values are double-doubles */
        CHECK_SHOW(round == 1 || counted_cases[k].kind == CUDA_ONES, "case %d: %s", k, perm_isa_name(r.isa));
        continue;
      }
      on_gpu++;
      CHECK_SHOW(r.method == counted_cases[k].method && r.gpus > 0, "case %d: %s", k, perm_method_name(r.method));
      scale = ldexp(1, permi_int_exponent(truth.exp2 - r.exp2));
      error = permi_modulus(r.value - truth.value * scale, r.imaginary - truth.imaginary * scale);
      CHECK_SHOW(error <= r.error_estimate + truth.error_bound * scale, "case %d: %.17g, %.17g: error %g, estimate %g",
                 k, r.value, truth.value * scale, error, r.error_estimate);
      CHECK_SHOW(error <= r.error_bound + truth.error_bound * scale, "case %d: error %g, bound %g", k, error,
                 r.error_bound);
      CHECK_SHOW(r.error_estimate < 1e-6 * permi_modulus(r.value, r.imaginary), "case %d: estimate %g of %g", k,
                 r.error_estimate, r.value);
      options.gpu.devices = 1;
      perm_cuda_test_driver(1);
      again = counted_compute(k, a, &options);
      CHECK_SHOW(cuda_same_bits(&r, &again), "case %d: %.17g, twin or one GPU %.17g", k, r.value, again.value);
    }
  CHECK_SHOW(on_gpu >= 28, "%d on GPUs", on_gpu);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_twin_counts)
{
  counted_check(3);
}

TEST(t_cuda_gpu_counts)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  counted_check(0);
}

/* Code generation, as far as it goes without a GPU: NVRTC takes the source of every kind of kernel. With the
   environment's PERM_CUDA_KEEP, machine code for sm_90 goes to build/kernel_*.cubin (for cuobjdump). */
TEST(t_cuda_compiles)
{
  static const struct {
    int n, parts, kind, way;
  } cases[] = {{13, 1, CUDA_SIGNED, 1}, {40, 1, CUDA_SIGNED, 1}, {40, 1, CUDA_SIGNED, 2}, {40, 1, CUDA_INTEGERS, 2},
               {40, 1, CUDA_SIGNED, 3}, {40, 1, CUDA_SIGNED, 4}, {40, 1, CUDA_HALF_PLAIN, 1}, {48, 1, CUDA_SIGNED, 1},
               {56, 1, CUDA_SIGNED, 1}, {64, 1, CUDA_SIGNED, 1}, {36, 2, CUDA_SIGNED, 1}, {36, 2, CUDA_INTEGERS, 4},
               {24, 2, CUDA_SIGNED, 2}, {24, 2, CUDA_SIGNED, 3}};
  static double a[2 * 64 * 64];
  size_t k;
  for (k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const int n = cases[k].n, parts = cases[k].parts;
    perm_options options = cuda_options(cuda_precisions[cases[k].way], cases[k].way == 4);
    perm_plan plan;
    perm_job *job = NULL;
    perm_result r;
    char message[PERM_MESSAGE_BYTES] = "", *image;
    size_t size = 0;
    double start;
    cuda_matrix(cases[k].kind, n, parts, a);
    if (parts == 1)
      CHECK(perm_plan_real(n, n, a, n, &options, &plan, &r) == PERM_OK &&
            perm_job_create_real(&plan, a, n, &options, &job, &r) == PERM_OK);
    else
      CHECK(perm_plan_complex(n, n, a, n, &options, &plan, &r) == PERM_OK &&
            perm_job_create_complex(&plan, a, n, &options, &job, &r) == PERM_OK);
    start = permi_seconds();
    image = perm_cuda_test_compile(&((const permi_gpu *)job->leaf[0].context)->work, 90, &size, message);
    perm_job_free(job);
    if (!image && strstr(message, "no NVRTC"))
      SKIP("no NVRTC");
    CHECK_SHOW(image && size > 1000, "n %d parts %d way %d: %s", n, parts, cases[k].way, message);
    if (test_verbose)
      printf("  n %d parts %d way %d %s: %zu bytes, %.2f s\n", n, parts, cases[k].way, cuda_kind_name[cases[k].kind],
             size, permi_seconds() - start);
    if (image && getenv("PERM_CUDA_KEEP")) {
      char name[64];
      FILE *file;
      snprintf(name, sizeof name, "build/kernel_%d_%d_%d_%d.cubin", n, parts, cases[k].way, cases[k].kind);
      file = fopen(name, "wb");
      if (file && fwrite(image, 1, size, file) == size)
        fclose(file);
    }
    free(image);
  }
}

/* ---- generated kernels: hybrid and cached sums of sparse matrices */
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

static perm_options cuda_sparse_options(int k) /* hybrid or cached; for k = 2, 3 accurate */
{
  perm_options options = cuda_options(k & 2 ? PERM_PRECISION_ACCURATE : PERM_PRECISION_DEFAULT, 0);
  options.method = k & 1 ? PERM_METHOD_CACHED : PERM_METHOD_HYBRID;
  return options;
}

static perm_options cuda_codegen_options(int k)
{
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  options.method = k & 1 ? PERM_METHOD_CODEGEN_MEMORY : PERM_METHOD_CODEGEN_REGISTERS;
  options.isa = PERM_ISA_AUTO;
  return options;
}

static perm_result cuda_compute_sparse(const perm_matrix *a, const perm_options *options)
{
  perm_result r;
  perm_compute_sparse(a, options, &r);
  return r;
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
    for (k = 0; k < (parts == 2 ? 2 : 4); k++) {
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
          job->leaf[0].information.method == PERM_METHOD_CACHED && job->leaf[0].information.n >= PERMI_GPU_LEAST_N) {
        const permi_hybrid *hybrid = (const permi_hybrid *)job->leaf[0].context;
        perm_partial partial;
        memset(&partial, 0, sizeof partial);
        CHECK(perm_job_run(job, 0, 0, job->leaf[0].information.chunks, &partial) == PERM_OK);
        CHECK(way == 0 || hybrid->code->samples_log2 == hybrid->code->walk + hybrid->low);
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
    for (k = 0; k < (round % 3 == 2 ? 2 : 4); k++) {
      perm_matrix a = cuda_sparse(17 + test_below(3), 0.2 + 0.4 * test_uniform(), round % 3 == 2 ? 2 : 1, 0);
      perm_options options = cuda_sparse_options(k);
      perm_result gpu, twin;
      perm_cuda_test_driver(0);
      gpu = cuda_compute_sparse(&a, &options);
      perm_cuda_test_driver(1);
      twin = cuda_compute_sparse(&a, &options);
      CHECK_SHOW(gpu.status == PERM_OK && cuda_same_bits(&gpu, &twin), "%d: %.17g +- %g, twin %.17g +- %g", k,
                 gpu.value, gpu.error_estimate, twin.value, twin.error_estimate);
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
  for (k = 0; k < 5; k++) {
    perm_matrix a = cuda_sparse(k == 4 ? 34 : 52 - 6 * k, 0.25, k == 4 ? 2 : 1, 0);
    perm_options options = cuda_sparse_options(k % 4);
    perm_partial gpu, twin;
    perm_result r;
    perm_job *job;
    uint64_t chunk;
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
    perm_options options = k < 8 ? cuda_sparse_options(k) : cuda_codegen_options(k);
    perm_result first, again;
    perm_partial pieces, piece;
    perm_job *job;
    perm_state *state;
    uint64_t chunks, begin, width;
    volatile int cancel = 1;
    long call, failed = 0;
    int g, calls = 0, stops = 0;
    options.gpu.devices = 1;
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

/* Candidates: all within their estimates; timed ones are told, their numbers make the same bits again; numbers that no
   candidate has are refused; one that fails leaves the others. */
TEST(t_cuda_sparse_tuned)
{
  int round, k, several = 0, failures = 0, partly = 0;
  long call;
  perm_cuda_test_driver(1);
  for (round = 0; round < 6; round++) {
    perm_matrix a = cuda_sparse(15 + round % 2, 0.5 + 0.05 * round, round == 5 ? 2 : 1, 0);
    perm_options options = cuda_sparse_options(round == 5 ? 0 : round % 3);
    perm_result model, r, again;
    perm_job *job = NULL;
    char text[4000];
    int candidates;
    model = cuda_compute_sparse(&a, &options);
    CHECK_SHOW(model.status == PERM_OK && model.tuned == 0, "%s", model.message);
    if (model.isa != PERM_ISA_CUDA) { /* too little is left of it */
      perm_matrix_free(&a);
      continue;
    }
    options.gpu.tune = PERM_TUNE;
    CHECK_SHOW(perm_sparse_job(&a, &options, &job, &r) == PERM_OK, "%s", r.message);
    candidates = ((const permi_hybrid *)job->leaf[0].context)->candidates;
    CHECK(candidates > 0 && job->leaf[0].information.tuned > 0 && job->leaf[0].information.tuned <= candidates);
    perm_job_explain(job, text, sizeof text);
    CHECK_SHOW(strstr(text, "candidate ") && (candidates == 1 || strstr(text, "by a slice of each")), "%s", text);
    CHECK(!strstr(text, "failed"));
    perm_job_free(job);
    r = cuda_compute_sparse(&a, &options);
    CHECK_SHOW(r.status == PERM_OK && r.tuned > 0, "%s", r.message);
    options.gpu.tune = r.tuned;
    again = cuda_compute_sparse(&a, &options);
    CHECK(again.value == r.value && again.imaginary == r.imaginary && again.error_estimate == r.error_estimate &&
          again.exp2 == r.exp2 && again.tuned == r.tuned);
    for (k = 1; k <= candidates; k++) {
      double scale, error;
      options.gpu.tune = k;
      r = cuda_compute_sparse(&a, &options);
      scale = ldexp(1, permi_int_exponent(r.exp2 - model.exp2));
      error = permi_modulus(model.value - r.value * scale, model.imaginary - r.imaginary * scale);
      CHECK(r.status == PERM_OK && r.tuned == k && r.isa == PERM_ISA_CUDA);
      CHECK_SHOW(error <= model.error_estimate + r.error_estimate * scale, "candidate %d: %.17g, not %.17g", k,
                 r.value * scale, model.value);
      CHECK(k > 1 ||
            (r.value == model.value && r.error_estimate == model.error_estimate)); /* the first is the model's choice */
      several += k > 1 && (r.value != model.value || r.error_estimate != model.error_estimate);
    }
    options.gpu.tune = candidates + 1;
    r = cuda_compute_sparse(&a, &options);
    CHECK_SHOW(r.status == PERM_ERROR_OPTION && strstr(r.message, "tune = ") && strstr(r.message, "candidates"), "%s",
               r.message);
    options.gpu.tune = PERM_TUNE - 1;
    CHECK(cuda_compute_sparse(&a, &options).status == PERM_ERROR_OPTION);
    options.gpu.tune = PERM_TUNE;
    for (call = 5; call < 40 && candidates > 1; call += 5) {
      perm_cuda_test_driver(1);
      perm_cuda_test_fault(call);
      job = NULL;
      CHECK_SHOW(perm_sparse_job(&a, &options, &job, &r) == PERM_OK, "%s", r.message);
      perm_cuda_test_fault(-1);
      perm_job_explain(job, text, sizeof text);
      failures += strstr(text, "failed") != NULL;
      { /* unless the driver itself could not be opened */
        const permi_hybrid *hybrid = (const permi_hybrid *)job->leaf[0].context;
        int fine = 0;
        for (k = 0; k < candidates; k++)
          fine += hybrid->timed[k] < HUGE_VAL;
        CHECK(!fine || hybrid->timed[job->leaf[0].information.tuned - 1] < HUGE_VAL);
        partly += fine > 0 && fine < candidates;
      }
      perm_job_free(job);
    }
    perm_matrix_free(&a);
  }
  CHECK_SHOW(several > 3 && failures > 3 && partly > 3, "%d differ, %d failed, %d in part", several, failures, partly);
  perm_cuda_test_driver(0);
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
  for (k = 0; k < 6; k++) {
    perm_matrix a = cuda_sparse(k == 4 ? 28 : k == 5 ? 56 : 32, 0.25, k == 4 ? 2 : 1, 0);
    perm_options options = cuda_sparse_options(k % 4);
    perm_job *job;
    perm_result r;
    char message[PERM_MESSAGE_BYTES] = "", *image;
    size_t size = 0;
    double start;
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
      perm_options options = cuda_codegen_options(k);
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
        CHECK(codegen->kept > 0 && codegen->quick > 0 && (k & 1 || codegen->kept == codegen->ryser.n));
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
      perm_options options = cuda_codegen_options(k);
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
    perm_options options = cuda_codegen_options(k);
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
    perm_options options = cuda_codegen_options(k);
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
    perm_options options = cuda_codegen_options(k);
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
    options = cuda_codegen_options(k);
    options.gpu.cpu_fallback = 1;
    r = cuda_compute_sparse(&a, &options);
    CHECK_SHOW(r.status == PERM_OK && r.method == (there ? cuda_codegen_options(k).method : PERM_METHOD_SPARYSER), "%s",
               r.message);
    perm_cuda_test_driver(1);
    options = cuda_codegen_options(k);
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
    perm_options options = cuda_codegen_options(k < 2 ? 0 : 1);
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
#include "t_frontier.h"
#include "t_limits.h"

/* Every kind of kernel once, as small as it comes: what compute-sanitizer looks at. */
static void cuda_each_kernel(int devices)
{
  static double a[64 * 2 * 17 * 17], value[2 * 64];
  int64_t whole[14 * 14];
  int parts, way, k, programmes = 0;
  for (parts = 1; parts <= 2; parts++)
    for (way = 0; way < 6; way++) {
      perm_options options = cuda_options(cuda_precisions[way % 5], way == 4), none = options;
      perm_result r, truth;
      none.gpu.devices = 0;
      none.isa = PERM_ISA_AUTO;
      perm_cuda_test_driver(devices);
      cuda_matrix(way == 5 ? CUDA_HALF_PLAIN : CUDA_SIGNED, 15, parts, a);
      r = cuda_compute(15, parts, a, &options);
      truth = cuda_compute(15, parts, a, &none);
      CHECK_SHOW(r.isa == PERM_ISA_CUDA && hypot(r.value - truth.value, r.imaginary - truth.imaginary) <=
                                               r.error_estimate + truth.error_estimate,
                 "dense, way %d: %s", way, r.message);
    }
  for (k = 0; k < 2; k++) {
    const perm_options options = whole_options(1), none = whole_options(0);
    perm_result r, truth;
    whole_matrix(k ? WHOLE_HUNDRED : WHOLE_THIN, 14, 1, 0, whole);
    r = whole_compute(14, 1, whole, &options);
    truth = whole_compute(14, 1, whole, &none);
    CHECK_SHOW(r.isa == PERM_ISA_CUDA && whole_same(&r, &truth), "exact: %s", r.message);
  }
  for (parts = 1; parts <= 2; parts++) {
    perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
    perm_result r, one;
    options.method = PERM_METHOD_AUTO;
    cuda_matrix(CUDA_UNIFORM, 80, parts, a); /* 64 matrices of order 10 */
    (parts == 2 ? perm_batch_complex : perm_batch_real)(10, 64, a, 100, &options, value, &r);
    CHECK_SHOW(r.status == PERM_OK && r.isa == PERM_ISA_CUDA, "batch: %s", r.message);
    options.gpu.devices = 0;
    options.isa = PERM_ISA_AUTO;
    for (k = 0; k < 64; k++) {
      one = cuda_compute(10, parts, a + 100 * k * parts, &options);
      CHECK(hypot(value[k * parts] - one.value, parts == 2 ? value[2 * k + 1] - one.imaginary : 0) <=
            1e-10 * hypot(one.value, one.imaginary));
    }
  }
  for (k = 0; k < 13; k += k == 5 ? 5 : 1) {
    perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0), none;
    perm_result r, truth;
    options.method = counted_cases[k].method;
    none = options;
    none.gpu.devices = 0;
    none.isa = PERM_ISA_AUTO;
    counted_matrix(k, a);
    r = counted_compute(k, a, &options);
    truth = counted_compute(k, a, &none);
    CHECK_SHOW(r.isa == PERM_ISA_CUDA && hypot(r.value - truth.value, r.imaginary - truth.imaginary) <=
                                             r.error_estimate + truth.error_estimate,
               "counts %d: %s", k, r.message);
  }
  for (k = 0; k < 10; k++) {
    const int complex = k == 4 || k == 5;
    perm_matrix matrix = cuda_sparse(17, 0.5, complex ? 2 : 1, 0);
    perm_options options = k < 6 ? cuda_sparse_options(k & 3) : cuda_codegen_options(k), none;
    perm_result r, truth;
    if (complex)
      options.precision = PERM_PRECISION_DEFAULT;
    none = cuda_options(PERM_PRECISION_DD, 0);
    none.method = PERM_METHOD_AUTO;
    none.gpu.devices = 0;
    none.isa = PERM_ISA_AUTO;
    r = cuda_compute_sparse(&matrix, &options);
    truth = cuda_compute_sparse(&matrix, &none);
    CHECK_SHOW(r.isa == PERM_ISA_CUDA && hypot(r.value - truth.value, r.imaginary - truth.imaginary) <=
                                             r.error_estimate + truth.error_estimate,
               "sparse %d: %.17g, %.17g: %s", k, r.value, truth.value, r.message);
    perm_matrix_free(&matrix);
  }
  for (k = 0; k < 6; k++) {
    static const perm_precision precisions[] = {PERM_PRECISION_FAST, PERM_PRECISION_EXACT, PERM_PRECISION_DD};
    perm_options options = t_frontier_options(precisions[k % 3]);
    perm_matrix matrix;
    perm_result r, expected;
    CHECK(perm_generate("binary:14:0.3", 3, NULL, &matrix, &r) == PERM_OK);
    expected = t_frontier_compute(&matrix, &options, T_FRONTIER_CPU, &programmes);
    r = t_frontier_compute(&matrix, &options, k < 3 ? -1 : T_FRONTIER_LISTS, &programmes);
    CHECK_SHOW(r.status == PERM_OK && r.value == expected.value && r.value > 0, "frontier %d: %.17g, %.17g", k, r.value,
               expected.value);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(programmes == 12, "%d programmes", programmes);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_twin_each_kernel)
{
  cuda_each_kernel(1);
}

TEST(t_cuda_gpu_each_kernel)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  cuda_each_kernel(0);
}

int main(int argc, char **argv)
{
  return test_main(argc, argv);
}
