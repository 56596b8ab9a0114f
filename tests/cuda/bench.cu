/* Rates on one GPU as a Markdown table: what the FP64 pipe gives, two kernels in the published style as yardsticks,
   and ours, all in one run. An element is a row of a sign vector: n 2^(n-1) of them.
   Usage: build/bench_cuda [quick | tune | sparse | gpus | numbers [KIND] | frontier [FILE...] | amplitudes |
   exact | batch | resident | floats [whole | variants | complex]]
   quick: slices only; tune: some slices, for trials of -DPERMI_GPU_BLOCK(n)=.. (perm.h) and -DPERMI_GPU_BLOCKS=..
   (perm_cuda.cu); sparse, for trials of -DPERMI_CODEGEN_SHARED=0 (perm_sparse.h); gpus: one, two, four and so on;
   numbers: what each kind costs in method hybrid;
   floats: pairs of floats beside FP64, whatever the card's ratio (whole: n = 40, too);
   variants: unrolled columns and blocks of a multiprocessor; resident: batches in memory of the GPU;
   frontier, of Matrix Market files too; amplitudes; exact and batch, which are compared with all cores of this machine:
   only those */
#define INSIDE_KERNELS
#define INSIDE_BENCH
#include "../unit/inside.h"

#include <cuda_runtime.h>

/* bench_programs.h */
extern "C" void bench_sparse_table(int whole);
extern "C" void bench_gpus(void);
extern "C" void bench_numbers(const char *spec);

/* bench_photons.h */
extern "C" void bench_photons(void);
extern "C" void *bench_memory(size_t bytes)
{
  static void *memory;
  if (!bytes)
    cudaFree(memory);
  return bytes && cudaMalloc(&memory, bytes) == cudaSuccess ? memory : NULL;
}

/* bench_floats.h */
extern "C" void bench_floats(int whole);
extern "C" void bench_batch_floats(void);

/* bench_frontier.h */
extern "C" void bench_frontier(int files, char **file);
extern "C" double bench_frontier_seconds(int reset)
{
  const double seconds = permi_frontier_seconds;
  if (reset)
    permi_frontier_seconds = 0;
  return seconds;
}

static void bench_check(cudaError_t status, const char *what)
{
  if (status != cudaSuccess) {
    printf("%s: %s\n", what, cudaGetErrorString(status));
    exit(1);
  }
}

/* Eight independent chains of fused multiply-adds a thread, of two registers each: those of three are slower. */
__global__ void bench_pipe(double *out, int turns)
{
  double x[8];
  const double a = 1e-9 * threadIdx.x;
#pragma unroll
  for (int k = 0; k < 8; k++)
    x[k] = k;
#pragma unroll 1
  for (int i = 0; i < turns; i++) {
#pragma unroll
    for (int k = 0; k < 8; k++)
      x[k] = fma(x[k], a, x[k]);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
}

/* Yardsticks in the manner of the published kernels (SUPERMAN, section 6.1: see perm_sparse.h), compiled for an order:
   Nijenhuis and Wilf's sum by Gray code, a range of 2^steps subsets a thread, an addition and a product an element. Row
   sums x and the matrix are in global or shared memory, or x in registers. KAHAN: the sum compensated. */
enum { BENCH_GLOBAL, BENCH_SHARED, BENCH_REGISTERS };

template <int N, int X, int A, int KAHAN>
__global__ void __launch_bounds__(128) bench_yardstick(const double *matrix, double *room, double *out, int steps)
{
  extern __shared__ double shared[];
  const unsigned long long thread = blockIdx.x * 128ull + threadIdx.x;
  const unsigned long long first = thread << steps;
  const double *columns = A == BENCH_SHARED ? shared : matrix;
  double own[X == BENCH_REGISTERS ? N : 1], sum = 0, lost = 0;
  double *x = X == BENCH_REGISTERS ? own : X == BENCH_SHARED ? shared + (A == BENCH_SHARED) * N * N + threadIdx.x
                                                             : room + thread;
  const size_t step = X == BENCH_REGISTERS ? 1 : X == BENCH_SHARED ? 128 : gridDim.x * (size_t)128;
  if (A == BENCH_SHARED)
    for (int i = threadIdx.x; i < N * N; i += 128)
      shared[i] = matrix[i];
  __syncthreads();
#pragma unroll
  for (int r = 0; r < N; r++) {
    double all = 0;
    for (int j = 0; j < N; j++)
      all += columns[j * N + r];
    x[r * step] = columns[(N - 1) * N + r] - all / 2;
  }
  for (int j = 0; j < N - 1; j++)
    if ((first ^ first >> 1) >> j & 1) {
#pragma unroll
      for (int r = 0; r < N; r++)
        x[r * step] += columns[j * N + r];
    }
#pragma unroll 1
  for (unsigned k = 0;;) {
    double product = 1;
#pragma unroll
    for (int r = 0; r < N; r++)
      product *= x[r * step];
    product = k & 1 ? -product : product;
    if (KAHAN) {
      const double y = product - lost, t = sum + y;
      lost = t - sum - y;
      sum = t;
    } else {
      sum += product;
    }
    if (++k == 1u << steps)
      break;
    {
      const int j = __ffs((int)k) - 1;
      const double sign = (k ^ k >> 1) >> j & 1 ? 1.0 : -1.0;
      const double *column = columns + j * N;
#pragma unroll
      for (int r = 0; r < N; r++)
        x[r * step] = fma(sign, column[r], x[r * step]);
    }
  }
  out[thread] = sum;
}

static double bench_seconds(cudaEvent_t start, cudaEvent_t end)
{
  float milliseconds = 0;
  bench_check(cudaEventSynchronize(end), "event");
  bench_check(cudaEventElapsedTime(&milliseconds, start, end), "event");
  return 1e-3 * milliseconds;
}

static double bench_random(void)
{
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / 9007199254740992.0;
}

static double bench_pipe_rate, bench_yard;

static void bench_line(const char *name, double elements, double seconds, double operations)
{
  const double rate = elements / seconds;
  printf("| %s | %.3g | %.3f | %.3e | ", name, elements, seconds, rate);
  if (operations > 0)
    printf("%.0f %% | %s", 100 * rate * operations / bench_pipe_rate, bench_yard > 0 ? "" : "1 |\n");
  else
    printf("| ");
  if (bench_yard > 0)
    printf("%.2f |\n", rate / bench_yard);
  fflush(stdout);
}

template <int N, int X, int A, int KAHAN>
static double bench_yardstick_run(const char *name, const double *a, double *device, double *out)
{
  const int blocks = 132 * 64, steps = X == BENCH_REGISTERS ? 14 : 11;
  const size_t shared = ((A == BENCH_SHARED) * N * N + (X == BENCH_SHARED) * N * 128) * sizeof(double);
  const double elements = (double)N * blocks * 128.0 * (1 << steps);
  double transposed[N * N], *room = NULL, seconds = 0;
  cudaEvent_t start, end;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      transposed[j * N + i] = a[i * N + j];
  bench_check(cudaMemcpy(device, transposed, sizeof transposed, cudaMemcpyHostToDevice), "copy");
  if (X == BENCH_GLOBAL)
    bench_check(cudaMalloc((void **)&room, (size_t)blocks * 128 * N * sizeof(double)), "memory");
  bench_check(cudaFuncSetAttribute(bench_yardstick<N, X, A, KAHAN>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   (int)shared), "shared memory");
  bench_check(cudaEventCreate(&start), "event");
  bench_check(cudaEventCreate(&end), "event");
  for (int run = 0; run < 2; run++) { /* the first one warms up */
    bench_check(cudaEventRecord(start), "event");
    bench_yardstick<N, X, A, KAHAN><<<blocks, 128, shared>>>(device, room, out, steps);
    bench_check(cudaGetLastError(), "launch");
    bench_check(cudaEventRecord(end), "event");
    seconds = bench_seconds(start, end);
  }
  cudaFree(room);
  bench_line(name, elements, seconds, 2);
  return elements / seconds;
}

/* A slice of a job: about so many elements, kernels compiled before. Returns seconds an element. */
static double bench_job(const char *name, int n, int parts, const double *a, perm_precision precision, int certify,
                        double elements, double operations)
{
  perm_options options;
  perm_result r;
  perm_job *job = NULL;
  perm_leaf leaf;
  perm_partial partial;
  perm_status status;
  double start, seconds, each;
  uint64_t chunks;
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_DENSE;
  options.isa = PERM_ISA_CUDA;
  options.gpu.devices = 1;
  options.precision = precision;
  options.certify = certify;
  status = (parts == 2 ? perm_job_complex : perm_job_real)(n, n, a, n, &options, &job, &r);
  if (status != PERM_OK) {
    printf("%s: %s\n", name, r.message);
    exit(1);
  }
  perm_job_leaf(job, 0, &leaf);
  each = leaf.work / (double)leaf.chunks;
  chunks = elements / each < (double)leaf.chunks ? (uint64_t)(elements / each) : leaf.chunks;
  memset(&partial, 0, sizeof partial);
  status = perm_job_run(job, 0, 0, chunks < 2112 ? chunks : 2112, &partial); /* compiles, and warms up */
  memset(&partial, 0, sizeof partial);
  start = permi_clock();
  if (status == PERM_OK)
    status = perm_job_run(job, 0, 0, chunks, &partial);
  seconds = permi_clock() - start;
  if (status != PERM_OK)
    printf("%s: %s\n", name, perm_status_text(status));
  else
    bench_line(name, each * (double)chunks, seconds, operations);
  perm_job_free(job);
  return seconds / (each * (double)chunks);
}

/* For trials of constants. */
static void bench_trials(const double *a)
{
  bench_job("real n = 40, default", 40, 1, a, PERM_PRECISION_DEFAULT, 0, 5e12, 1.5);
  bench_job("real n = 48, default, a slice", 48, 1, a, PERM_PRECISION_DEFAULT, 0, 5e12, 1.5);
  bench_job("real n = 56, default, a slice", 56, 1, a, PERM_PRECISION_DEFAULT, 0, 5e12, 1.5);
  bench_job("real n = 62, default, a slice", 62, 1, a, PERM_PRECISION_DEFAULT, 0, 5e12, 1.5);
  bench_job("complex n = 36, default", 36, 2, a, PERM_PRECISION_DEFAULT, 0, 1e12, 5);
  bench_job("real n = 40, dd, a slice", 40, 1, a, PERM_PRECISION_DD, 0, 1e12, 12);
  exit(0);
}

/* Exact integers: the whole sum on one GPU, kernels compiled before, and on all cores. */
static void bench_exact(const char *name, int n, int parts, int range, double density)
{
  static int64_t a[2 * 64 * 64];
  perm_options options;
  perm_result r, cpu;
  perm_job *job = NULL;
  perm_leaf leaf;
  perm_partial partial;
  double start, seconds;
  char text[1024];
  int k;
  for (k = 0; k < n * n * parts; k++)
    a[k] = bench_random() >= density ? 0
           : range == 1              ? 1
                                     : (int64_t)((2 * abs(range) + 1) * bench_random()) - abs(range);
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_EXACT;
  if (parts == 2)
    perm_compute_gaussian(n, n, a, n, &options, &cpu);
  else
    perm_compute_integer(n, n, a, n, &options, &cpu);
  options.isa = PERM_ISA_CUDA;
  options.gpu.devices = 1;
  if ((parts == 2 ? perm_job_gaussian : perm_job_integer)(n, n, a, n, &options, &job, &r) != PERM_OK) {
    printf("%s: %s\n", name, r.message);
    return;
  }
  perm_job_leaf(job, 0, &leaf);
  perm_job_explain(job, text, sizeof text);
  memset(&partial, 0, sizeof partial);
  perm_job_run(job, 0, 0, leaf.chunks < 1056 ? leaf.chunks : 1056, &partial);
  memset(&partial, 0, sizeof partial);
  start = permi_clock();
  if (perm_job_run(job, 0, 0, leaf.chunks, &partial) != PERM_OK || perm_job_finish(job, &partial, &r) != PERM_OK)
    printf("%s: failed\n", name);
  seconds = permi_clock() - start;
  printf("| %s | %.3g | %.4f | %.3e | %.3f, %d threads, %s | %.1f%s |\n%s", name, leaf.work, seconds,
         leaf.work / seconds, cpu.seconds, cpu.threads, perm_name("isa", cpu.isa), cpu.seconds / seconds,
         memcmp(&r.integer, &cpu.integer, sizeof r.integer) ? ", NOT EQUAL" : "", getenv("BENCH_EXPLAIN") ? text : "");
  fflush(stdout);
  perm_job_free(job);
}

static void bench_exact_all(void)
{
  printf("\n| exact | elements | seconds | elements/s | CPU seconds | ratio |\n|---|---|---|---|---|---|\n");
  bench_exact("0/1, n = 36, half ones", 36, 1, 1, 0.5);
  bench_exact("0/1, n = 36, a quarter ones", 36, 1, 1, 0.25);
  bench_exact("-1/0/1, n = 34", 34, 1, -1, 1);
  bench_exact("[-100,100], n = 32", 32, 1, 100, 1);
  bench_exact("+-2^20, n = 28", 28, 1, 1 << 20, 1);
  bench_exact("Gaussian, [-9,9], n = 26", 26, 2, 9, 1);
}

/* A batch of random matrices, all included but the compilation. */
static void bench_batch(const char *name, int n, int parts, size_t count, double operations)
{
  const size_t size = (size_t)(n * n * parts);
  double *a = (double *)malloc(count * size * sizeof *a), *out[2], start, seconds[2];
  perm_options options;
  perm_result r[2];
  size_t k, different = 0;
  int way;
  out[0] = (double *)malloc(2 * count * sizeof(double));
  out[1] = (double *)malloc(2 * count * sizeof(double));
  for (k = 0; k < count * size; k++)
    a[k] = 2 * bench_random() - 1;
  for (way = 0; way < 2; way++) {
    memset(&options, 0, sizeof options);
    options.gpu.devices = way ? 1 : 0;
    options.isa = way ? PERM_ISA_CUDA : PERM_ISA_AUTO;
    (parts == 2 ? perm_batch_complex : perm_batch_real)(n, 100, a, size / (size_t)parts, &options, out[way], &r[way]);
    start = permi_clock();
    (parts == 2 ? perm_batch_complex : perm_batch_real)(n, count, a, size / (size_t)parts, &options, out[way], &r[way]);
    seconds[way] = permi_clock() - start;
    if (r[way].status != PERM_OK)
      printf("%s: %s\n", name, r[way].message);
  }
  for (k = 0; k < count * (size_t)parts; k++) {
    const double *value = out[0] + k - k % (size_t)parts;
    different += !(fabs(out[0][k] - out[1][k]) <= 1e-9 * (fabs(value[0]) + fabs(value[parts - 1])));
  }
  printf("| %s | %.3g | %.3f | %.3e | %.0f %% | %.3f, %d threads, %s | %.1f%s |\n", name,
         (double)count * n * (double)(1ll << (n - 1)), seconds[1],
         (double)count * n * (double)(1ll << (n - 1)) / seconds[1],
         100 * (double)count * n * (double)(1ll << (n - 1)) / seconds[1] * operations / bench_pipe_rate, seconds[0],
         r[0].threads, perm_name("isa", r[0].isa), seconds[0] / seconds[1], different ? ", NOT EQUAL" : "");
  fflush(stdout);
  free(a);
  free(out[0]);
  free(out[1]);
}

static void bench_batch_all(void)
{
  bench_batch_floats();
  printf("\n| batch | elements | seconds | elements/s | of the pipe | CPU seconds | ratio |\n"
         "|---|---|---|---|---|---|---|\n");
  bench_batch("complex n = 16, 10^6 matrices", 16, 2, 1000000, 5);
  bench_batch("complex n = 12, 10^6 matrices", 12, 2, 1000000, 5);
  bench_batch("complex n = 20, 3 10^4 matrices", 20, 2, 30000, 5);
  bench_batch("real n = 16, 10^6 matrices", 16, 1, 1000000, 1.5);
  bench_batch("real n = 10, 10^6 matrices", 10, 1, 1000000, 1.5);
}

static int bench_no_stop(void *) { return 0; }

static int bench_compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A batch in memory of the GPU and its kernel alone, in turn, since clocks rise with the load, then a host's call:
   medians of 31, of 9. */
static void bench_resident(int n, int parts, size_t count)
{
  const size_t size = (size_t)(n * n * parts), values = count * (size_t)parts;
  const double base = (n + 8) * 1.1e-16 * parts;
  double *a = (double *)malloc(count * size * sizeof *a), *out = (double *)malloc(values * sizeof *out), *in, *there;
  double seconds[3][31];
  size_t left = 0;
  char text[512], message[PERM_MESSAGE_BYTES] = "";
  perm_gpu_program program;
  perm_gpu_work work;
  perm_options options;
  cudaEvent_t from, to;
  perm_result r;
  for (size_t k = 0; k < count * size; k++)
    a[k] = 2 * bench_random() - 1;
  bench_check(cudaMalloc(&in, count * size * sizeof *a), "memory");
  bench_check(cudaMalloc(&there, values * sizeof *a), "memory");
  bench_check(cudaMemcpy(in, a, count * size * sizeof *a, cudaMemcpyHostToDevice), "copy");
  bench_check(cudaEventCreate(&from), "event");
  bench_check(cudaEventCreate(&to), "event");
  permi_batch_plan(n, parts, 0, text, &program, &work);
  const CUfunction function = permi_kernel(&work, 0, NULL, bench_no_stop, NULL, message);
  const permi_holder holder = {0, 0, message, {}};
  const permi_batch_given given = {in, there, NULL, count, 0, base, 0.1, 1e-10, n};
  memset(&options, 0, sizeof options);
  options.gpu.devices = 1;
  for (int k = -20; k < 40; k++) {
    const int way = k < 31 ? 0 : 1, at = k < 0 ? 0 : k < 31 ? k : k - 31;
    float milliseconds;
    options.gpu.resident = way ? 0 : 3;
    const double start = permi_clock();
    if ((parts == 2 ? perm_batch_complex : perm_batch_real)(n, count, way ? a : in, (size_t)(n * n), &options,
                                                            way ? out : there, &r) != PERM_OK)
      printf("%s\n", r.message);
    seconds[way][at] = permi_clock() - start;
    if (way)
      continue;
    cudaEventRecord(from);
    if (!function || !permi_batch_launch(&holder, &program, function, given, NULL))
      printf("%s\n", message);
    cudaEventRecord(to);
    bench_check(cudaEventSynchronize(to), "kernel");
    cudaEventElapsedTime(&milliseconds, from, to);
    seconds[2][at] = 1e-3 * milliseconds;
  }
  bench_check(cudaMemcpy(out, there, values * sizeof *out, cudaMemcpyDeviceToHost), "copy");
  for (size_t k = 0; k < count; k++)
    left += out[k * (size_t)parts] != out[k * (size_t)parts];
  for (int way = 0; way < 3; way++)
    qsort(seconds[way], way == 1 ? 9 : 31, sizeof(double), bench_compare);
  printf("| %s n = %d | %zu | %zu | %.3g | %.3g | %.2f | %.3g |\n", parts == 2 ? "complex" : "real", n, count, left,
         1e3 * seconds[0][15], 1e3 * seconds[2][15], seconds[0][15] / seconds[2][15], 1e3 * seconds[1][4]);
  fflush(stdout);
  cudaFree(in);
  cudaFree(there);
  free(a);
  free(out);
}

static void bench_resident_all(void)
{
  printf("\n| batch on the GPU | matrices | left to the CPU | whole call, ms | kernel alone, ms | ratio |"
         " host's call, ms |\n|---|---|---|---|---|---|---|\n");
  for (size_t count = 100000; count <= 1000000; count *= 10)
    for (int parts = 2; parts > 0; parts--) {
      bench_resident(8, parts, count);
      bench_resident(4, parts, count);
      bench_resident(12, parts, count);
    }
}

/* What docs/gpus.md asks owners of other cards for, before the rates. */
static void bench_card(void)
{
  static const cudaDeviceAttr asked[] = {
      cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor, cudaDevAttrMultiProcessorCount,
      cudaDevAttrClockRate, cudaDevAttrSingleToDoublePrecisionPerfRatio, cudaDevAttrMemoryClockRate,
      cudaDevAttrGlobalMemoryBusWidth};
  int told[7];
  for (int k = 0; k < 7; k++)
    bench_check(cudaDeviceGetAttribute(&told[k], asked[k], 0), "attribute");
  printf("sm_%d%d, %d multiprocessors at %d MHz, FP32 : FP64 %d, memory of %d bits at %d MHz. "
         "Predicted times of an H200: FP64 %.3g, 32 bits %.3g, memory %.3g\n",
         told[0], told[1], told[2], told[3] / 1000, told[4], told[6], told[5] / 1000, perm_cuda_slower(PERM_GPU_FP64),
         perm_cuda_slower(PERM_GPU_32), perm_cuda_slower(PERM_GPU_MEMORY));
}

int main(int argc, char **argv)
{
  static double a[2 * 64 * 64];
  const int tune = argc > 1 && !strcmp(argv[1], "tune"), whole = argc < 2;
  cudaDeviceProp device;
  cudaEvent_t start, end;
  double *memory, *out, seconds = 0, fine, doubled;
  char message[PERM_MESSAGE_BYTES];
  int processors, k;
  if (!perm_cuda_devices(1, message)) {
    printf("SKIP bench-cuda: %s\n", message);
    return 0;
  }
  bench_card();
  if (argc > 1 && !strcmp(argv[1], "sparse")) {
    bench_sparse_table(1);
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "resident")) {
    bench_resident_all();
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "amplitudes")) {
    bench_photons();
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "floats")) {
    bench_check(cudaGetDeviceProperties(&device, 0), "device");
    printf("%s, %d multiprocessors\n\n", device.name, device.multiProcessorCount);
    bench_floats(argc < 3 ? 0 : !strcmp(argv[2], "variants") ? 2 : !strcmp(argv[2], "complex") ? 3 : 1);
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "gpus")) {
    bench_gpus();
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "numbers")) {
    bench_numbers(argc > 2 ? argv[2] : "binary:48:0.2");
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "frontier")) {
    bench_frontier(argc - 2, argv + 2);
    return 0;
  }
  bench_check(cudaGetDeviceProperties(&device, 0), "device");
  processors = device.multiProcessorCount;
  bench_check(cudaMalloc((void **)&memory, 1 << 20), "memory");
  bench_check(cudaMalloc((void **)&out, (size_t)1 << 26), "memory");
  bench_check(cudaEventCreate(&start), "event");
  bench_check(cudaEventCreate(&end), "event");
  for (k = 0; k < 2; k++) {
    bench_check(cudaEventRecord(start), "event");
    bench_pipe<<<processors * 16, 256>>>(out, 200000);
    bench_check(cudaGetLastError(), "launch");
    bench_check(cudaEventRecord(end), "event");
    seconds = bench_seconds(start, end);
  }
  bench_pipe_rate = processors * 16 * 256.0 * 200000 * 8 / seconds;
  printf("%s, %d multiprocessors: FP64 pipe %.4g operations/s\n\n", device.name, processors, bench_pipe_rate);
  if (argc > 1 && (!strcmp(argv[1], "exact") || !strcmp(argv[1], "batch"))) {
    if (argv[1][0] == 'e')
      bench_exact_all();
    else
      bench_batch_all();
    return 0;
  }
  printf("| kernel | elements | seconds | elements/s | of the pipe | times yardstick |\n|---|---|---|---|---|---|\n");
  for (k = 0; k < 2 * 64 * 64; k++)
    a[k] = bench_random();
  bench_yard = bench_yardstick_run<40, BENCH_REGISTERS, BENCH_SHARED, 0>(
      "yardstick n = 40: x in registers, A in shared memory", a, memory, out);
  if (tune)
    bench_trials(a);
  bench_yardstick_run<40, BENCH_REGISTERS, BENCH_SHARED, 1>("the same with Kahan's summation", a, memory, out);
  bench_yardstick_run<40, BENCH_REGISTERS, BENCH_GLOBAL, 0>("x in registers, A in global memory", a, memory, out);
  bench_yardstick_run<40, BENCH_SHARED, BENCH_SHARED, 0>("x and A in shared memory", a, memory, out);
  bench_yardstick_run<40, BENCH_SHARED, BENCH_GLOBAL, 0>("x in shared, A in global memory", a, memory, out);
  bench_yardstick_run<40, BENCH_GLOBAL, BENCH_GLOBAL, 0>("x and A in global memory", a, memory, out);
  fine = bench_job("real n = 40, default", 40, 1, a, PERM_PRECISION_DEFAULT, 0, whole ? 3e13 : 1e13, 1.5);
  bench_job("real n = 48, default, a slice", 48, 1, a, PERM_PRECISION_DEFAULT, 0, 2e13, 1.5);
  bench_job("real n = 56, default, a slice", 56, 1, a, PERM_PRECISION_DEFAULT, 0, 2e13, 1.5);
  bench_job("real n = 62, default, a slice", 62, 1, a, PERM_PRECISION_DEFAULT, 0, 2e13, 1.5);
  bench_job("real n = 40, certified, a slice", 40, 1, a, PERM_PRECISION_DEFAULT, 1, 4e12, 4);
  doubled = bench_job("real n = 40, dd, a slice", 40, 1, a, PERM_PRECISION_DD, 0, 2e12, 12);
  for (k = 0; k < 40 * 40; k++)
    a[k] = floor(1e6 * a[k]);
  bench_job("integers n = 40, dd, a slice", 40, 1, a, PERM_PRECISION_DD, 0, 2e12, 8);
  for (k = 0; k < 2 * 64 * 64; k++)
    a[k] = 2 * bench_random() - 1;
  bench_job("complex n = 36, default", 36, 2, a, PERM_PRECISION_DEFAULT, 0, whole ? 1.3e12 : 1e12, 5);
  bench_job("complex n = 30, dd, a slice", 30, 2, a, PERM_PRECISION_DD, 0, 2e11, 40);
  printf("\ndd takes %.2f times default\n", doubled / fine);
  if (whole) {
    perm_options options;
    perm_result r, truth;
    for (k = 0; k < 40 * 40; k++)
      a[k] = bench_random();
    memset(&options, 0, sizeof options);
    options.method = PERM_METHOD_DENSE;
    options.gpu.devices = 1;
    options.tolerance = 1;
    perm_compute_real(40, 40, a, 40, &options, &r);
    options.precision = PERM_PRECISION_DD;
    perm_compute_real(40, 40, a, 40, &options, &truth);
    bench_exact_all();
    bench_batch_all();
    printf("\nn = 40, U(0,1): %.17g, default %.17g in %.2f s (all included); relative error %.2g, estimate %.2g\n",
           truth.value, r.value, r.seconds, fabs(r.value - truth.value) / truth.value, r.error_estimate / r.value);
    bench_sparse_table(1);
    bench_frontier(0, NULL);
    bench_floats(0);
    bench_floats(3);
    bench_gpus();
  }
  return 0;
}
/* SPDX-License-Identifier: MIT */
