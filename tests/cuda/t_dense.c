/* >>gpu, >>dense_gpu, >>contract, >>works, >>driver, >>gpu_run, >>text, >>compile */
/* Dense matrices on a GPU, or its twin, against the CPU: values, bits, faults, checkpoints, stops, plans. */

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
        for (way = 0; way < 3; way++) {
          perm_options options = cuda_options(cuda_precisions[way], way == 2);
          perm_result r = cuda_compute(n, parts, a, &options);
          double scale = ldexp(1, permi_int_exponent(truth.exp2 - r.exp2));
          double error = permi_modulus(r.value - truth.value * scale, r.imaginary - truth.imaginary * scale);
          double slack = truth.error_bound * scale + 4 * PERMI_UNIT * permi_modulus(r.value, r.imaginary);
          CHECK_SHOW(r.status == PERM_OK || r.status == PERM_TOLERANCE_NOT_MET, "%s", r.message);
          CHECK_SHOW(r.method != PERM_METHOD_DENSE || (r.isa == PERM_ISA_CUDA && r.gpus > 0), "%s",
                     perm_name("isa", r.isa));
          CHECK_SHOW(test_within(error, r.error_estimate + slack), "%s parts %d n %d way %d: error %g, estimate %g",
                     cuda_kind_name[kind], parts, n, way, error, r.error_estimate);
          CHECK_SHOW(error <= r.error_bound + slack, "%s parts %d n %d way %d: error %g, bound %g",
                     cuda_kind_name[kind], parts, n, way, error, r.error_bound);
          CHECK_SHOW(way < 1 || r.error_bound < (double)INFINITY, "%s n %d way %d: no bound", cuda_kind_name[kind], n,
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

/* Entries >= 0 that dividing moves, certified: divided rows, and a bound that holds. */
TEST(t_cuda_twin_entries_that_move)
{
  double a[18 * 18];
  int trial, i;
  perm_cuda_test_driver(1);
  for (trial = 0; trial < 6; trial++) {
    const int n = trial < 4 ? 15 : 18;
    perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 1), best = cuda_options(PERM_PRECISION_DD, 0);
    perm_result r, truth;
    permi_dense_plan plan;
    for (i = 0; i < n * n; i++)
      a[i] = 0.6 + 0.4 * test_uniform();
    a[n + 1] = trial % 2 ? -a[n + 1] : a[n + 1];
    best.gpu.devices = 0;
    best.isa = PERM_ISA_AUTO;
    CHECK(inside_plan_real(n, n, a, n, &options, &plan, NULL) == PERM_OK && plan.isa == PERM_ISA_CUDA);
    CHECK_SHOW(trial % 2 ? plan.form == PERMI_FORM_SPLIT : plan.form == PERMI_FORM_NORMALISED && plan.exact_rows == 2,
               "n %d form %d exact rows %d", n, (int)plan.form, plan.exact_rows);
    r = cuda_compute(n, 1, a, &options);
    truth = cuda_compute(n, 1, a, &best);
    CHECK_SHOW(fabs(ldexp(r.value, (int)(r.exp2 - truth.exp2)) - truth.value) <=
               ldexp(r.error_bound, (int)(r.exp2 - truth.exp2)) + truth.error_bound, "n %d: %g", n, r.value);
    CHECK_SHOW(r.error_bound < 1e-11 * fabs(r.value), "n %d: %g of %g", n, r.error_bound, r.value);
  }
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
      for (way = 0; way < 3; way++) {
        perm_options options = cuda_options(cuda_precisions[way], way == 2);
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
      for (way = 0; way < 3; way++) {
        int n = sizes[k];
        perm_options options = cuda_options(cuda_precisions[way], way == 2);
        permi_dense_plan plan;
        perm_job *job;
        perm_partial gpu, twin;
        perm_result r;
        perm_status status;
        uint64_t chunk;
        cuda_matrix(k % 2 ? CUDA_HALF_PLAIN : CUDA_SIGNED, n, parts, a);
        if (parts == 1)
          status = inside_plan_real(n, n, a, n, &options, &plan, &r);
        else
          status = inside_plan_complex(n, n, a, n, &options, &plan, &r);
        CHECK_SHOW(status == PERM_OK, "%s", r.message);
        if (parts == 1)
          inside_job_real(&plan, a, n, &options, &job, &r);
        else
          inside_job_complex(&plan, a, n, &options, &job, &r);
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
  for (way = 0; way < 3; way++) {
    perm_options options = cuda_options(cuda_precisions[way], way == 2);
    perm_result first, again;
    permi_dense_plan plan;
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
      CHECK(inside_plan_real(n, n, a, n, &options, &plan, &again) == PERM_OK &&
            inside_job_real(&plan, a, n, &options, &job, &again) == PERM_OK);
    else
      CHECK(inside_plan_complex(n, n, a, n, &options, &plan, &again) == PERM_OK &&
            inside_job_complex(&plan, a, n, &options, &job, &again) == PERM_OK);
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
  permi_dense_plan plan;
  perm_job *job = NULL;
  perm_state *state = NULL;
  long call, failed = 0, ended = 0;
  cuda_matrix(CUDA_UNIFORM, n, 1, a);
  CHECK(inside_plan_real(n, n, a, n, &options, &plan, &r) == PERM_OK);
  CHECK(inside_job_real(&plan, a, n, &options, &job, &r) == PERM_OK);
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
                 call, perm_name("status", r.status), r.message);
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
  const char *path[] = {"build/t_cuda.1.ck", "build/t_cuda.2.ck", "build/t_cuda.3.ck", NULL}, *last = path[2];
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
  r = cuda_compute(n, 1, a, &whole);
  CHECK_SHOW(r.status == PERM_OK && cuda_same_bits(&first, &r), "merged: %s", r.message);
  path[2] = NULL;
  CHECK(cuda_compute(n, 1, a, &whole).status == PERM_ERROR_STATE);
  path[2] = last;
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
  const perm_gpu_sink sink = {NULL, cuda_own_add, perm_partial_merge, cuda_own_poll, 0};
  const double table[1] = {3};
  int k;
  for (k = 0; k < 4; k++) { /* each is compiled once, and the second asks for much shared memory */
    perm_options options = cuda_options(0, 0);
    perm_gpu_program program = {text[k % 2], k % 2 ? 64008 : 8, cuda_own_twin, table, 0, NULL, 0, 0, NULL, NULL, 0};
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
  perm_options options = cuda_options(PERM_PRECISION_DD, 0);
  perm_result first, r;
  permi_dense_plan plan;
  perm_job *job = NULL;
  perm_state *state = NULL;
  volatile int cancel = 1;
  int calls = 0, stops = 0, reports = 0;
  cuda_matrix(CUDA_SIGNED, n, 1, a);
  CHECK(inside_plan_real(n, n, a, n, &options, &plan, &r) == PERM_OK);
  CHECK(inside_job_real(&plan, a, n, &options, &job, &r) == PERM_OK);
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
  permi_dense_plan plan, more;
  perm_result r;
  int n;
  memset(&options, 0, sizeof options);
  options.gpu.devices = 1;
  for (n = 13; n <= 64; n++) {
    cuda_matrix(CUDA_UNIFORM, n, 1, a);
    options.isa = PERM_ISA_AUTO;
    options.gpu.devices = 1;
    CHECK(inside_plan_real(n, n, a, n, &options, &plan, &r) == PERM_OK);
    CHECK_SHOW((plan.isa == PERM_ISA_CUDA) == (n > 32) || (n > 24 && n <= 32), "n %d", n);
    options.isa = PERM_ISA_CUDA;
    CHECK(inside_plan_real(n, n, a, n, &options, &plan, &r) == PERM_OK);
    CHECK(plan.isa == PERM_ISA_CUDA && plan.form == PERMI_FORM_NORMALISED);
    CHECK(plan.chunk_log2 >= 7 && plan.outer_columns + plan.block_columns == n - 2);
    options.gpu.devices = 8;
    CHECK(inside_plan_real(n, n, a, n, &options, &more, &r) == PERM_OK && more.fingerprint == plan.fingerprint);
  }
  options.gpu.devices = -2;
  CHECK(inside_plan_real(14, 14, a, 14, &options, &plan, &r) == PERM_ERROR_OPTION);
  options.gpu.devices = 0;
  CHECK(inside_plan_real(14, 14, a, 14, &options, &plan, &r) == PERM_ERROR_OPTION);
}

/* Predictions are of the card: an H200 sums order 40 in 2.2 s. */
TEST(t_cuda_cards)
{
  static const struct {
    int card[5];
    double doubles, integers, memory;
  } cards[] = {{{132, 1980000, 2, 3201000, 6016}, 1, 1, 1},               /* H200 */
               {{128, 2520000, 64, 10501000, 384}, 25.93, 0.810, 4.776},   /* RTX 4090 */
               {{108, 1410000, 2, 1593000, 5120}, 3.43, 1.716, 2.361},     /* A100; the twin is of sm_22: 64 lanes */
               {{132, 0, 0, 0, 0}, 1, 1, 1}};                             /* says nothing */
  static double a[40 * 40];
  cuda_matrix(CUDA_UNIFORM, 40, 1, a);
  for (size_t k = 0; k < sizeof cards / sizeof cards[0]; k++) {
    perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
    permi_dense_plan plan;
    perm_result r;
    int given[5];
    memcpy(given, cards[k].card, sizeof given);
    given[2] /= k < 2 ? 2 : 1; /* of twice the lanes */
    options.tolerance = 1e-30; /* no floats */
    perm_cuda_test_card(given);
    perm_cuda_test_driver(1);
    CHECK(inside_plan_real(40, 40, a, 40, &options, &plan, &r) == PERM_OK && plan.isa == PERM_ISA_CUDA);
    CHECK(fabs(permi_gpu_slower(PERM_GPU_FP64) / cards[k].doubles - 1) < 0.01);
    CHECK(fabs(permi_gpu_slower(PERM_GPU_32) / cards[k].integers - 1) < 0.01);
    CHECK(fabs(permi_gpu_slower(PERM_GPU_MEMORY) / cards[k].memory - 1) < 0.01);
    CHECK(fabs((plan.seconds - PERMI_GPU_DENSE_COMPILE) / (2.156 * cards[k].doubles) - 1) < 0.02);
  }
  perm_cuda_test_card(NULL);
  perm_cuda_test_driver(0);
}

/* Code generation, as far as it goes without a GPU: NVRTC takes the source of every kind of kernel. With the
   environment's PERM_CUDA_KEEP, machine code for sm_90 goes to build/kernel_*.cubin (for cuobjdump). */
TEST(t_cuda_compiles)
{
  static const struct {
    int n, parts, kind, way;
  } cases[] = {{13, 1, CUDA_SIGNED, 0}, {40, 1, CUDA_SIGNED, 0}, {40, 1, CUDA_INTEGERS, 1}, {40, 1, CUDA_SIGNED, 1},
               {40, 1, CUDA_SIGNED, 2}, {40, 1, CUDA_HALF_PLAIN, 0}, {48, 1, CUDA_SIGNED, 0}, {56, 1, CUDA_SIGNED, 0},
               {64, 1, CUDA_SIGNED, 0}, {36, 2, CUDA_SIGNED, 0}, {36, 2, CUDA_INTEGERS, 2}, {24, 2, CUDA_SIGNED, 1}};
  static double a[2 * 64 * 64];
  size_t k;
  for (k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const int n = cases[k].n, parts = cases[k].parts;
    perm_options options = cuda_options(cuda_precisions[cases[k].way], cases[k].way == 2);
    permi_dense_plan plan;
    perm_job *job = NULL;
    perm_result r;
    char message[PERM_MESSAGE_BYTES] = "", *image;
    size_t size = 0;
    double start;
    cuda_matrix(cases[k].kind, n, parts, a);
    if (parts == 1)
      CHECK(inside_plan_real(n, n, a, n, &options, &plan, &r) == PERM_OK &&
            inside_job_real(&plan, a, n, &options, &job, &r) == PERM_OK);
    else
      CHECK(inside_plan_complex(n, n, a, n, &options, &plan, &r) == PERM_OK &&
            inside_job_complex(&plan, a, n, &options, &job, &r) == PERM_OK);
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
/* SPDX-License-Identifier: MIT */
