/* >>gpu_frontier, >>text_frontier, >>arrays_gpu */
/* The frontier program on arrays on a GPU, or its twin: the CPU engine's bits in every kind of value, for all shapes
   of matrices and of tables; faults, stops, memory. */

void perm_cuda_test_memory(size_t bytes);
char *perm_cuda_test_compile_step(perm_gpu_cell cell, int words, int parts, int arch, size_t *size, char *message);

enum { T_FRONTIER_REAL, T_FRONTIER_SIGNED, T_FRONTIER_STEEP, T_FRONTIER_INTEGERS, T_FRONTIER_LARGE, T_FRONTIER_VALUES };

/* A random matrix: a band, any density, two blocks, an empty row, dense, wide, half of its rows with a column of their
   own; complex or not. */
static perm_matrix t_frontier_matrix(int n, int shape, int values, int is_complex)
{
  int row[24 * 24], column[24 * 24], i, j, wide = shape < 6 ? n : n + n / 2;
  double real[24 * 24], imaginary[24 * 24];
  int64_t integer[24 * 24];
  size_t count = 0;
  const int integers = values >= T_FRONTIER_INTEGERS;
  const double density = 0.15 + 0.5 * test_uniform();
  perm_matrix matrix;
  for (i = 0; i < n; i++)
    for (j = 0; j < wide; j++) {
      int there = test_uniform() < density || i == j;
      switch (shape) {
      case 0: there = (j - i + n) % n < 3 || (j - i + n) % n > n - 2; break;
      case 1: there = test_uniform() < density; break; /* may be singular */
      case 2: there = there && (i < n / 2) == (j < n / 2); break;
      case 3: there = 1; break;
      case 4: there = there && i != n / 2; break;
      case 7: there = j < n ? there : j == n + i; break;
      default: break;
      }
      if (!there)
        continue;
      row[count] = i;
      column[count] = j;
      integer[count] = 1 + test_below(6);
      integer[count] *= test_below(2) ? 1 : -1;
      if (values == T_FRONTIER_LARGE)
        integer[count] *= (INT64_C(1) << 40) + test_below(1000000);
      real[count] = values == T_FRONTIER_REAL ? test_uniform() + 1e-3 : 2 * test_uniform() - 1;
      imaginary[count] = test_below(3) ? 2 * test_uniform() - 1 : 0;
      if (values == T_FRONTIER_STEEP) {
        const int e = test_below(900) - 450;
        real[count] = ldexp(real[count], e);
        imaginary[count] = ldexp(imaginary[count], e);
      }
      if (integers) {
        real[count] = (double)integer[count];
        imaginary[count] = test_below(7) - 3;
      }
      count++;
    }
  CHECK(perm_matrix_from_triplets(n, wide, count, row, column, real, imaginary, integer,
                                  is_complex ? PERM_KIND_COMPLEX
                                  : integers ? PERM_KIND_INTEGER
                                             : PERM_KIND_REAL,
                                  NULL, &matrix, NULL) == PERM_OK);
  return matrix;
}

static perm_options t_frontier_options(perm_precision precision)
{
  perm_options options = cuda_options(precision, 0);
  options.method = PERM_METHOD_ARRAYS;
  options.gpu.devices = 1;
  options.threads = 1;
  return options;
}

/* The GPU's plan, with its tables cut in another way if low >= 0: that changes no bit. low = T_FRONTIER_CPU: run by the
   CPU's engine. Counts the programs. */
#define T_FRONTIER_CPU (-2)
static perm_result t_frontier_compute(const perm_matrix *matrix, const perm_options *options, int low, int *programs)
{
  perm_job *job = NULL;
  perm_state *state = NULL;
  perm_result r;
  int k;
  memset(&r, 0, sizeof r);
  if (perm_sparse_job(matrix, options, &job, &r) != PERM_OK)
    return r;
  for (k = 0; k < job->leaves; k++) {
    permi_arrays *arrays = ((permi_frontier *)job->leaf[k].context)->arrays;
    if (job->leaf[k].run_task == permi_arrays_run_task && arrays->isa == PERM_ISA_CUDA) {
      const int slots = arrays->low + arrays->middle + arrays->top;
      ++*programs;
      if (low == T_FRONTIER_CPU) {
        arrays->isa = permi_isa_doubles(perm_isa_best());
        CHECK(permi_places_measure((const permi_frontier *)job->leaf[k].context, NULL));
      }
      if (low >= 0 && low < slots && slots - low <= 2 * PERMI_ARRAY_HIGH) {
        arrays->low = low;
        arrays->middle = (slots - low) * (1 + test_below(2)) / 2;
        arrays->middle = arrays->middle < PERMI_ARRAY_HIGH ? arrays->middle : PERMI_ARRAY_HIGH;
        arrays->top = slots - low - arrays->middle;
      }
    }
  }
  CHECK(perm_state_create(job, &state) == PERM_OK);
  perm_job_execute(job, state, options, &r);
  perm_state_free(state);
  perm_job_free(job);
  return r;
}

static int t_frontier_same(const perm_result *a, const perm_result *b)
{
  return cuda_same_bits(a, b) && a->exact == b->exact && !memcmp(&a->integer, &b->integer, sizeof a->integer) &&
         !memcmp(&a->imaginary_integer, &b->imaginary_integer, sizeof a->integer) && a->terms == b->terms;
}

/* Are these the instructions whose rounding a GPU repeats? */
static int t_frontier_has_bits(perm_precision precision)
{
#if PERMI_X86
  return permi_isa_here(precision == PERM_PRECISION_DD ? PERM_ISA_AVX512 : PERM_ISA_AVX2);
#else
  (void)precision;
  return 0;
#endif
}

static void t_frontier_random(int trials, int n_most)
{
  static const perm_precision precisions[] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_DD};
  int trial, programs = 0, ran_on_cpu = 0, compared = 0, kinds[10] = {0}, scaled = 0, zero = 0, wide = 0;
  for (trial = 0; trial < trials; trial++) {
    const int values = trial % T_FRONTIER_VALUES, is_complex = trial / T_FRONTIER_VALUES % 2, shape = test_below(8);
    const int n = 3 + test_below(n_most - 2);
    perm_precision precision = precisions[trial / (2 * T_FRONTIER_VALUES) % 2];
    perm_matrix matrix = t_frontier_matrix(n, shape, values, is_complex);
    perm_options options;
    perm_result expected, r;
    int before = programs;
    if (values >= T_FRONTIER_INTEGERS)
      precision = PERM_PRECISION_EXACT;
    options = t_frontier_options(precision);
    expected = t_frontier_compute(&matrix, &options, T_FRONTIER_CPU, &ran_on_cpu);
    CHECK(expected.gpus == 0);
    r = t_frontier_compute(&matrix, &options, trial % 4 ? test_below(6) : -1, &programs);
    CHECK_SHOW((expected.status == PERM_OK && r.status == PERM_OK) ||
                   (shape > 5 && values == T_FRONTIER_STEEP && expected.status == r.status),
               "trial %d: %s, %s", trial, expected.message, r.message);
    if (t_frontier_has_bits(precision)) {
      CHECK_SHOW(t_frontier_same(&expected, &r),
                 "trial %d n %d shape %d values %d complex %d %s: %.17g %+.17gi * 2^%lld error %g estimate %g, "
                 "not %.17g %+.17gi * 2^%lld error %g estimate %g",
                 trial, n, shape, values, is_complex, perm_name("precision", precision), r.value, r.imaginary, r.exp2,
                 r.error_bound, r.error_estimate, expected.value, expected.imaginary, expected.exp2,
                 expected.error_bound, expected.error_estimate);
      compared += programs > before;
    } else {
      const double scale = ldexp(1, permi_int_exponent(expected.exp2 - r.exp2));
      CHECK(permi_modulus(r.value - expected.value * scale, r.imaginary - expected.imaginary * scale) <=
            r.error_bound + expected.error_bound * scale + 1e-15 * permi_modulus(r.value, r.imaginary));
    }
    CHECK(programs == before || (r.isa == PERM_ISA_CUDA && r.gpus == 1));
    kinds[2 * values + is_complex] += programs - before;
    wide += shape > 5 ? programs - before : 0;
    scaled += r.exp2 != 0;
    zero += r.value == 0;
    perm_matrix_free(&matrix);
  }
  for (trial = 0; trial < 10; trial++)
    CHECK_SHOW(kinds[trial] > trials / 40, "%d programs of kind %d", kinds[trial], trial);
  CHECK_SHOW(zero > 0 && scaled > trials / 30 && wide > trials / 10, "%d of value 0, %d scaled, %d wide", zero, scaled,
             wide);
  if (test_verbose)
    printf("  %d programs, %d compared bit for bit, %d scaled, %d zero\n", programs, compared, scaled, zero);
}

TEST(t_cuda_frontier_twin_has_the_bits_of_the_cpu)
{
  perm_cuda_test_driver(1);
  t_frontier_random(600, 10);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_frontier_gpu_has_the_bits_of_the_cpu)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  t_frontier_random(600, 14);
}

/* Larger structures, of which blocks fill a warp's lanes and more. */
static void t_frontier_structures(const char *const *kind, int kinds)
{
  static const perm_precision precisions[] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_EXACT, PERM_PRECISION_DD};
  int k, p, programs = 0, ran_on_cpu = 0;
  for (k = 0; k < kinds; k++)
    for (p = 0; p < 3; p++) {
      perm_matrix matrix;
      perm_options options = t_frontier_options(precisions[p]);
      perm_result expected, r;
      CHECK_SHOW(perm_generate(kind[k], 3, NULL, &matrix, &r) == PERM_OK, "%s", r.message);
      if (precisions[p] == PERM_PRECISION_EXACT && matrix.kind != PERM_KIND_INTEGER) {
        perm_matrix_free(&matrix);
        continue;
      }
      expected = t_frontier_compute(&matrix, &options, T_FRONTIER_CPU, &ran_on_cpu);
      r = t_frontier_compute(&matrix, &options, p ? 7 : -1, &programs);
      CHECK_SHOW(r.status == PERM_OK && (t_frontier_same(&expected, &r) || !t_frontier_has_bits(precisions[p])),
                 "%s %s: %.17g error %g, not %.17g error %g: %s", kind[k], perm_name("precision", precisions[p]),
                     r.value,
                 r.error_bound, expected.value, expected.error_bound, r.message);
      perm_matrix_free(&matrix);
    }
  CHECK(programs >= 2 * kinds && ran_on_cpu == programs);
}

TEST(t_cuda_frontier_twin_structures)
{
  static const char *const kind[] = {"er:20:0.25", "regular:40:3", "grid:8:8", "mycielskian:5", "band:30:4"};
  perm_cuda_test_driver(1);
  t_frontier_structures(kind, 5);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_frontier_gpu_structures)
{
  static const char *const kind[] = {"er:30:0.2", "regular:70:3", "grid:12:12", "mycielskian:6", "band:60:6"};
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  t_frontier_structures(kind, 5);
}

/* Whatever call fails: a status and a message, nothing is left behind, and the next run has the same bits. */
static void t_frontier_faults(const char *kind, int stride)
{
  perm_matrix matrix;
  perm_options options = t_frontier_options(PERM_PRECISION_DD);
  perm_result first, r;
  long call, failed = 0;
  int programs = 0;
  CHECK(perm_generate(kind, 5, NULL, &matrix, &r) == PERM_OK);
  first = t_frontier_compute(&matrix, &options, -1, &programs);
  CHECK_SHOW(first.method == PERM_METHOD_ARRAYS && first.status == PERM_OK && programs == 1, "%s", first.message);
  for (call = 0; call < 20000; call += call < 60 ? 1 : stride) {
    perm_job *job = NULL;
    perm_state *state = NULL;
    CHECK(perm_sparse_job(&matrix, &options, &job, &r) == PERM_OK && perm_state_create(job, &state) == PERM_OK);
    perm_cuda_test_fault(call);
    perm_job_execute(job, state, &options, &r);
    if (perm_cuda_test_fault(-1) >= 0) { /* fewer calls than that */
      CHECK(r.status == PERM_OK && t_frontier_same(&first, &r));
      perm_state_free(state);
      perm_job_free(job);
      break;
    }
    failed++;
    CHECK_SHOW(r.status == PERM_ERROR_DEVICE && strstr(r.message, "GPU"), "call %ld: %s: %s", call,
               perm_name("status", r.status), r.message);
    CHECK(r.value != r.value);
    perm_job_execute(job, state, &options, &r);
    CHECK_SHOW(r.status == PERM_OK && t_frontier_same(&first, &r), "again after call %ld: %s", call, r.message);
    perm_state_free(state);
    perm_job_free(job);
  }
  CHECK_SHOW(failed > 60 && call < 20000, "%ld faults", failed);
  perm_matrix_free(&matrix);
}

TEST(t_cuda_frontier_twin_faults)
{
  perm_cuda_test_driver(1);
  t_frontier_faults("er:10:0.4", 3);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_frontier_gpu_faults)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  t_frontier_faults("er:16:0.3", 17);
}

/* A host allocation that fails, each once: out of memory, and nothing is left of host or GPU. */
static int t_frontier_left, t_frontier_living;
static void *t_frontier_allocate(size_t bytes, void *user_data)
{
  void *made;
  (void)user_data;
  if (--t_frontier_left < 0)
    return NULL;
  made = malloc(bytes);
  t_frontier_living += made != NULL;
  return made;
}

static void t_frontier_release(void *pointer, void *user_data)
{
  (void)user_data;
  t_frontier_living -= pointer != NULL;
  free(pointer);
}

TEST(t_cuda_frontier_twin_failing_allocations)
{
  perm_matrix matrix;
  perm_options options = t_frontier_options(PERM_PRECISION_DEFAULT);
  perm_result r;
  int k, done = 0;
  perm_cuda_test_driver(1);
  CHECK(perm_generate("er:9:0.5", 5, NULL, &matrix, &r) == PERM_OK);
  options.allocator.allocate = t_frontier_allocate;
  options.allocator.release = t_frontier_release;
  for (k = 0; k < 500 && !done; k++) {
    t_frontier_left = k;
    t_frontier_living = 0;
    perm_compute_sparse(&matrix, &options, &r);
    done = r.status == PERM_OK;
    CHECK_SHOW(t_frontier_living == 0 && (done || r.status == PERM_ERROR_MEMORY), "allocation %d: %s, %d left", k,
               perm_name("status", r.status), t_frontier_living);
  }
  CHECK_SHOW(done && k > 20 && r.isa == PERM_ISA_CUDA, "%d", k);
  perm_matrix_free(&matrix);
  perm_cuda_test_driver(0);
}

/* Cancelled, out of time or stopped by its progress function: in every step. */
static int t_frontier_reports;
static int t_frontier_progress(const perm_progress *progress, void *user_data)
{
  (void)user_data;
  CHECK(progress->fraction >= 0 && progress->fraction <= 1);
  return --t_frontier_reports < 0;
}

static void t_frontier_stops(const char *kind)
{
  perm_matrix matrix;
  perm_options options = t_frontier_options(PERM_PRECISION_DEFAULT);
  perm_result r;
  volatile int cancel = 1;
  CHECK(perm_generate(kind, 3, NULL, &matrix, &r) == PERM_OK);
  options.cancel = &cancel;
  CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_STOPPED_CANCELLED, "%s", r.message);
  options.cancel = NULL;
  options.max_seconds = 1e-7; /* over before planning is, or predicted to take longer: refused beforehand */
  CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_STOPPED_TIME || r.status == PERM_ERROR_LIMIT, "%s",
             r.message);
  options.max_seconds = 0;
  options.progress = t_frontier_progress;
  t_frontier_reports = 1000000;
  CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_OK, "%s", r.message);
  perm_matrix_free(&matrix);
}

TEST(t_cuda_frontier_twin_stops)
{
  perm_cuda_test_driver(1);
  t_frontier_stops("regular:40:3");
  perm_cuda_test_driver(0);
}

TEST(t_cuda_frontier_gpu_stops)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  t_frontier_stops("regular:70:3");
}

/* Memory of the GPU: known beforehand, and looked at again when it is taken; the numbers are told. */
TEST(t_cuda_frontier_memory)
{
  perm_matrix matrix;
  perm_options options = t_frontier_options(PERM_PRECISION_DEFAULT);
  perm_result r;
  perm_job *job = NULL;
  perm_state *state = NULL;
  perm_cuda_test_driver(1);
  CHECK(perm_generate("regular:50:3", 3, NULL, &matrix, &r) == PERM_OK);
  CHECK(perm_sparse_job(&matrix, &options, &job, &r) == PERM_OK && perm_state_create(job, &state) == PERM_OK);
  perm_cuda_test_memory(100000);
  perm_job_execute(job, state, &options, &r);
  CHECK_SHOW(r.status == PERM_ERROR_DEVICE && strstr(r.message, "bytes") && strstr(r.message, "100000"), "%s",
             r.message);
  perm_cuda_test_memory((size_t)1 << 30);
  perm_job_execute(job, state, &options, &r);
  CHECK_SHOW(r.status == PERM_OK && r.isa == PERM_ISA_CUDA, "%s", r.message);
  perm_state_free(state);
  perm_job_free(job);
  perm_cuda_test_memory(100000); /* then the CPU has room */
  CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_OK && r.isa != PERM_ISA_CUDA, "%s", r.message);
  options.max_bytes = 1000;
  CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_ERROR_LIMIT, "%s", r.message);
  perm_cuda_test_memory((size_t)1 << 30);
  CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_ERROR_LIMIT, "%s", r.message);
  options.max_bytes = 3e5; /* enough for the host */
  CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_OK && r.isa == PERM_ISA_CUDA, "%s", r.message);
  perm_matrix_free(&matrix);
  options.max_bytes = 0; /* too large for the GPU, and for the host too unless max_bytes allows it */
  CHECK(perm_generate("er:40:0.3", 3, NULL, &matrix, &r) == PERM_OK);
  CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_ERROR_LIMIT && strstr(r.message, "of 1.07e+09"), "%s",
             r.message);
  perm_matrix_free(&matrix);
  perm_cuda_test_driver(0);
}

/* The planner: GPUs where they pay, the CPU where not, or where there is none and it may. */
TEST(t_cuda_frontier_plans)
{
  static const char *const kind[] = {"grid:6:6", "regular:100:3"};
  int k, real;
  for (real = 0; real < 2; real++)
    for (k = 0; k < 2; k++) {
      perm_matrix matrix;
      perm_options options = t_frontier_options(PERM_PRECISION_DEFAULT);
      perm_result r;
      perm_job *job = NULL;
      char text[2000];
      options.isa = PERM_ISA_AUTO;
      options.method = PERM_METHOD_FRONTIER;
      options.gpu.cpu_fallback = 1;
      CHECK(perm_generate(kind[k], 3, NULL, &matrix, &r) == PERM_OK);
      perm_cuda_test_driver(real ? 0 : 1);
      CHECK_SHOW(perm_sparse_job(&matrix, &options, &job, &r) == PERM_OK, "%s", r.message);
      perm_job_explain(job, text, sizeof text);
      CHECK_SHOW((strstr(text, "arrays on a GPU") != NULL) == (k && (!real || cuda_real_gpus())), "%s", text);
      perm_job_free(job);
      perm_matrix_free(&matrix);
    }
  perm_cuda_test_driver(0);
}

/* NVRTC takes the source of every kind of step. */
TEST(t_cuda_frontier_compiles)
{
  static const int kinds[][3] = {{PERM_GPU_DOUBLE, 1, 1},     {PERM_GPU_DD, 1, 1},      {PERM_GPU_COMPLEX, 1, 1},
                                 {PERM_GPU_COMPLEX_DD, 1, 1}, {PERM_GPU_INTEGER, 1, 1}, {PERM_GPU_INTEGER, 2, 1},
                                 {PERM_GPU_INTEGER, 10, 1},   {PERM_GPU_INTEGER, 5, 2}};
  int k;
  for (k = 0; k < 8; k++) {
    char message[PERM_MESSAGE_BYTES] = "", *image;
    size_t size = 0;
    const double start = permi_seconds();
    image = perm_cuda_test_compile_step((perm_gpu_cell)kinds[k][0], kinds[k][1], kinds[k][2], 90, &size, message);
    if (!image && strstr(message, "no NVRTC"))
      SKIP("no NVRTC");
    CHECK_SHOW(image && size > 1000, "kind %d: %s", k, message);
    if (test_verbose)
      printf("  cell %d, %d words in %d parts: %zu bytes, %.2f s\n", kinds[k][0], kinds[k][1], kinds[k][2], size,
             permi_seconds() - start);
    free(image);
  }
}
/* SPDX-License-Identifier: MIT */
