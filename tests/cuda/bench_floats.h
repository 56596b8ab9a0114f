/* Rows of bench.cu about pairs of floats, on any card, whatever its ratio. */
enum { BENCH_FP64, BENCH_GROUPS, BENCH_ROWS, BENCH_CERTIFIED, BENCH_GRID, BENCH_DD, BENCH_FLOAT_WAYS };
static const char *const bench_float_name[] = {"FP64", "floats, groups of 4", "floats, one row", "floats, certified",
                                               "floats, entries of 24 bits", "FP64, double-double"};

/* columns, blocks: unrolled, of a multiprocessor at least; below 0, 0: as planned. */
static int bench_float_parts = 1;
static perm_job *bench_float_job(int n, const double *a, int way, int columns, int blocks)
{
  perm_options options;
  permi_dense_plan plan;
  perm_result r;
  perm_job *job = NULL;
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_DENSE;
  options.isa = PERM_ISA_CUDA;
  options.gpu.devices = 1;
  options.tolerance = 1e300; /* whatever is to be expected */
  options.precision = way == BENCH_DD ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
  options.certify = way == BENCH_CERTIFIED;
  inside_floats_gain = way == BENCH_FP64 ? 1e9 : 0;
  if (inside_plan(bench_float_parts, n, n, a, n, &options, &plan, &r) != PERM_OK ||
      (plan.form == PERMI_FORM_FLOATS) != (way != BENCH_FP64 && way != BENCH_DD)) {
    printf("n %d, %s: not planned: %s\n", n, bench_float_name[way], r.message);
    return NULL;
  }
  inside_floats_gain = 2;
  if (way == BENCH_ROWS)
    plan.group = 1;
  if (columns >= 0) {
    plan.outer_columns += plan.block_columns - columns;
    plan.block_columns = columns;
    plan.chunks = UINT64_C(1) << (plan.outer_columns - plan.chunk_log2);
  }
  plan.group += 8 * blocks;
  if (inside_job(bench_float_parts, &plan, a, n, &options, &job, &r) != PERM_OK)
    printf("n %d, %s: %s\n", n, bench_float_name[way], r.message);
  return job;
}

/* A slice of so many elements, kernels compiled and warm before, twice, or the whole sum. Returns elements/s. */
static double bench_float_run(perm_job *job, int n, int way, double elements, perm_result *r)
{
  perm_leaf leaf;
  perm_partial partial;
  perm_status status;
  double best = 0, each;
  uint64_t chunks;
  perm_job_leaf(job, 0, &leaf);
  each = leaf.work / (double)leaf.chunks;
  chunks = elements < leaf.work ? (uint64_t)(elements / each) : leaf.chunks;
  memset(&partial, 0, sizeof partial);
  status = perm_job_run(job, 0, 0, chunks < 2112 ? chunks : 2112, &partial);
  for (int turn = 0; turn < 2 && status == PERM_OK; turn++) {
    double seconds = permi_seconds();
    memset(&partial, 0, sizeof partial);
    status = perm_job_run(job, 0, 0, chunks, &partial);
    seconds = permi_seconds() - seconds;
    best = fmax(best, each * (double)chunks / seconds);
  }
  if (status != PERM_OK)
    printf("n %d, %s: %s\n", n, bench_float_name[way], perm_status_text(status));
  else if (chunks == leaf.chunks)
    perm_job_finish(job, &partial, r);
  return best;
}

static void bench_float_matrix(int n, int kind, double *a)
{
  uint64_t state = 88172645463325252u + (uint64_t)n;
  for (int k = 0; k < n * n * bench_float_parts; k++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    a[k] = (double)(state >> 11) / 9007199254740992.0;
    a[k] = kind == 1 ? 2 * a[k] - 1 : kind == 2 ? a[k] < 0.5 : a[k];
  }
}

static void bench_float_variants(void)
{
  static const int sizes[] = {24, 36, 40, 44, 48, 56, 62};
  static double a[64 * 64];
  printf("| n | kernel | unrolled | blocks 3 | 4 | 5 | 6 |, elements/s\n|---|---|---|---|---|---|---|\n");
  for (int k = 0; k < 7; k++)
    for (int way = BENCH_GROUPS; way <= BENCH_GRID; way++)
      for (int columns = 0; columns <= (way == BENCH_GRID); columns++) {
        bench_float_matrix(sizes[k], way == BENCH_GRID ? 2 : 0, a);
        printf("| %d | %s | %d |", sizes[k], bench_float_name[way], columns);
        for (int blocks = 3; blocks <= 6; blocks++) {
          perm_result r;
          perm_job *job = blocks == 6 && way != BENCH_GRID ? NULL
                                                           : bench_float_job(sizes[k], a, way, columns, blocks);
          if (job)
            printf(" %.3e |", bench_float_run(job, sizes[k], way, 2e12, &r));
          fflush(stdout);
          perm_job_free(job);
        }
        printf("\n");
      }
}

static void bench_float_complex(void)
{
  static const int sizes[] = {16, 24, 30, 34, 36, 40, 48, 56};
  static double a[2 * 64 * 64];
  bench_float_parts = 2;
  printf("\n| complex n | FP64 | floats, 2 blocks | 3 | 4 |, elements/s\n|---|---|---|---|---|\n");
  for (int k = 0; k < 8; k++) {
    printf("| %d |", sizes[k]);
    bench_float_matrix(sizes[k], 1, a);
    for (int way = 0; way < 4; way++) {
      perm_result r;
      perm_job *job = bench_float_job(sizes[k], a, way ? BENCH_GROUPS : BENCH_FP64, -1, way ? way + 1 : 0);
      if (job)
        printf(" %.3e |", bench_float_run(job, sizes[k], way, 5e11, &r));
      fflush(stdout);
      perm_job_free(job);
    }
    printf("\n");
  }
  printf("\n| complex n | kernel | elements/s | error / |value| | / estimate |\n|---|---|---|---|---|\n");
  for (int n = 28; n <= 32; n += 2) {
    static const int ways[] = {BENCH_DD, BENCH_GROUPS, BENCH_FP64};
    perm_result truth, r;
    bench_float_matrix(n, 1, a);
    for (int k = 0; k < 3; k++) {
      perm_job *job = bench_float_job(n, a, ways[k], -1, 0);
      memset(&r, 0, sizeof r);
      const double rate = job ? bench_float_run(job, n, ways[k], 1e300, &r) : 0;
      perm_job_free(job);
      truth = k ? truth : r;
      const double scale = ldexp(1, permi_int_exponent(truth.exp2 - r.exp2));
      const double error = hypot(r.value - truth.value * scale, r.imaginary - truth.imaginary * scale);
      printf("| %d | %s | %.3e | %.2g | %.2g |\n", n, k == 1 ? "floats" : bench_float_name[ways[k]], rate,
             error / hypot(r.value, r.imaginary), error / r.error_estimate);
      fflush(stdout);
    }
  }
  bench_float_parts = 1;
}

void bench_floats(int whole); /* for bench.cu; 2: variants of kernels; 3: complex */
void bench_floats(int whole)
{
  static const int sizes[] = {36, 40, 48, 62};
  static const char *const kinds[] = {"U(0,1)", "U(-1,1)", "0/1"};
  static double a[64 * 64];
  if (whole >= 2) {
    (whole == 2 ? bench_float_variants : bench_float_complex)();
    return;
  }
  printf("| n | FP64 | floats, groups of 4 | one row | certified | entries of 24 bits | elements/s\n"
         "|---|---|---|---|---|---|\n");
  for (int k = 0; k < 4; k++) {
    printf("| %d |", sizes[k]);
    for (int way = 0; way < BENCH_DD; way++) {
      perm_result r;
      bench_float_matrix(sizes[k], way == BENCH_GRID ? 2 : 0, a);
      perm_job *job = bench_float_job(sizes[k], a, way, -1, 0);
      if (job)
        printf(" %.3e |", bench_float_run(job, sizes[k], way, 5e12, &r));
      fflush(stdout);
      perm_job_free(job);
    }
    printf("\n");
  }
  printf("\n| matrix | kernel | elements/s | value | error / |value| | / estimate | / bound | bound / |value| |\n"
         "|---|---|---|---|---|---|---|---|\n");
  for (int n = 34; n <= (whole ? 40 : 36); n += n == 36 ? 4 : 2)
    for (int kind = 0; kind < 3; kind++) {
      perm_result truth, r;
      double scale;
      memset(&truth, 0, sizeof truth);
      for (int way = BENCH_DD; way >= 0; way--) {
        bench_float_matrix(n, kind, a);
        if (way != BENCH_DD && way != BENCH_FP64 && (way == BENCH_GRID) != (kind == 2))
          continue;
        perm_job *job = bench_float_job(n, a, way, -1, 0);
        memset(&r, 0, sizeof r);
        const double rate = job ? bench_float_run(job, n, way, 1e300, &r) : 0;
        perm_job_free(job);
        if (way == BENCH_DD)
          truth = r;
        scale = ldexp(1, permi_int_exponent(truth.exp2 - r.exp2));
        const double error = fabs(r.value - truth.value * scale);
        printf("| %s %d | %s | %.3e | %.17g | %.2g | %.2g | %.2g | %.2g |\n", kinds[kind], n, bench_float_name[way],
               rate, ldexp(r.value, (int)r.exp2), error / fabs(r.value), error / r.error_estimate,
               error / r.error_bound, r.error_bound / fabs(r.value));
        fflush(stdout);
      }
    }
}

/* Batches by either kernel, whatever the card: what is left to others, and the time of the rest, no CPU's. */
static void bench_batch_both(int n, int parts, double tolerance, double work)
{
  const size_t size = (size_t)(n * n * parts), count = (size_t)(work / (n * ldexp(1, n - 1)));
  double *a = (double *)malloc(count * size * sizeof *a), *out = (double *)malloc(2 * count * sizeof *out), seconds[2];
  unsigned char *todo = (unsigned char *)malloc(count);
  char message[PERM_MESSAGE_BYTES] = "";
  uint64_t state = 88172645463325252u + (uint64_t)n;
  size_t left[2];
  perm_options options;
  int gpus;
  memset(&options, 0, sizeof options);
  options.gpu.devices = 1;
  options.tolerance = tolerance;
  for (size_t k = 0; k < count * size; k++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    a[k] = (double)(state >> 11) / 4503599627370496.0 - 1;
  }
  for (int floats = 0; floats < 2; floats++)
    for (int turn = 0; turn < 3; turn++) { /* the first compiles */
      permi_batch batch = permi_batch_of(PERMI_BATCH_MATRICES, n, parts, count, a, (size_t)(n * n), &options, out);
      permi_control control = permi_control_begin(&options);
      const double start = permi_seconds();
      batch.floats = floats;
      batch.control = &control;
      batch.todo = todo;
      memset(todo, 1, count);
      if (permi_batch_gpu_pass(&batch, count, 8, &gpus, message) != PERM_OK)
        printf("n %d: %s\n", n, message);
      const double time = permi_seconds() - start;
      seconds[floats] = turn < 2 ? time : fmin(seconds[floats], time);
      for (size_t k = left[floats] = 0; k < count; k++)
        left[floats] += todo[k];
    }
  printf("| %s n = %d, %.2g matrices, to %g | %.3e, %.3g %% left | %.3e, %.3g %% left | %.2f |\n",
         parts == 2 ? "complex" : "real", n, (double)count, tolerance, work / seconds[0],
         100.0 * (double)left[0] / (double)count, work / seconds[1], 100.0 * (double)left[1] / (double)count,
         seconds[0] / seconds[1]);
  fflush(stdout);
  free(a);
  free(out);
  free(todo);
}

void bench_batch_floats(void)
{
  printf("\n| batch | FP64: elements/s | floats: elements/s | ratio |\n|---|---|---|---|\n");
  for (int parts = 1; parts <= 2; parts++)
    for (int n = 10; n <= 24; n += 2) {
      const double work = fmin(3e12 / parts, 1e9 / (8 * n * n * parts) * n * ldexp(1, n - 1));
      bench_batch_both(n, parts, 1e-10, work);
      bench_batch_both(n, parts, 1e-6, work);
    }
}
/* SPDX-License-Identifier: MIT */
