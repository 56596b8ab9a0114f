/* >>gpu_run, >>batch_gpu, >>text_batch, >>text_batch_floats */
/* Batches on a GPU, or its twin, against single calls. */

/* ---- batches */
static void batch_check(int kind, int n, int parts, size_t count, int devices)
{
  static double a[300 * 2 * 17 * 17], soa[300 * 2 * 17 * 17], value[600], again[600];
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
    for (e = 0; e < entries; e++)
      for (part = 0; part < parts; part++)
        soa[(e * count + k) * (size_t)parts + (size_t)part] = a[(k * entries + e) * (size_t)parts + (size_t)part];
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
  if (parts == 1) { /* selections are what they select */
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

/* Runs a batch in pairs of floats, or doubles, whatever the card; todo: what is left. */
static void batch_run(int floats, int n, int parts, size_t count, const double *a, const perm_options *options,
                      double *value, unsigned char *todo)
{
  char message[PERM_MESSAGE_BYTES] = "";
  permi_batch batch = permi_batch_of(PERMI_BATCH_MATRICES, n, parts, count, a, (size_t)(n * n), options, value);
  permi_control control = permi_control_begin(options);
  int gpus;
  batch.floats = floats;
  batch.control = &control;
  batch.todo = todo;
  memset(value, 0, count * (size_t)parts * sizeof *value);
  memset(todo, 1, count);
  CHECK_SHOW(permi_batch_gpu_pass(&batch, count, 2, &gpus, message) == PERM_OK, "%s", message);
}

enum { BATCH_DIAGONAL = CUDA_KINDS + FLOATS_KINDS };
/* Every value that pairs of floats keep is as good as asked for; few are left of matrices without faults. */
static void batch_floats_check(int n, int parts, double tolerance, int kind, size_t count)
{
  static double a[60 * 2 * 17 * 17], value[120], rest[64 * 64];
  unsigned char todo[60];
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0), exactly = options;
  size_t left = 0, k;
  double worst = 0;
  options.tolerance = tolerance;
  exactly.gpu.devices = 0;
  exactly.isa = PERM_ISA_AUTO;
  exactly.precision = PERM_PRECISION_DD;
  for (k = 0; k < count; k++) {
    double *to = a + k * (size_t)(n * n * parts);
    if (kind < CUDA_KINDS)
      cuda_matrix(kind, n, parts, to);
    else if (kind < CUDA_KINDS + FLOATS_KINDS)
      floats_matrix(kind - CUDA_KINDS, n, rest);
    for (int e = 0; e < n * n && kind == BATCH_DIAGONAL; e++) /* an entry is nearly all of its row */
      rest[e] = e % (n + 1) ? ldexp(0.5 + test_uniform(), -12) : 1;
    for (int e = 0; e < n * n * parts && kind >= CUDA_KINDS; e++) /* the second part turns some entries */
      to[e] = e % parts ? rest[e / parts] * (e % 3) : rest[e / parts];
  }
  batch_run(1, n, parts, count, a, &options, value, todo);
  for (k = 0; k < count; k++) {
    const perm_result one = cuda_compute(n, parts, a + k * (size_t)(n * n * parts), &exactly);
    const double scale = ldexp(1, (int)one.exp2), *got = value + k * (size_t)parts;
    const double size = permi_modulus(one.value, one.imaginary) * scale;
    const double error = permi_modulus(got[0] - one.value * scale, parts == 2 ? got[1] - one.imaginary * scale : 0);
    left += todo[k];
    if (!todo[k]) {
      CHECK_SHOW(error <= tolerance * size, "kind %d n %d parts %d: %.17g, not %.17g: %g", kind, n, parts, got[0],
                 one.value * scale, error / size);
      worst = fmax(worst, error / size);
    }
  }
  if (test_verbose)
    printf("  floats kind %2d n %d parts %d tolerance %g: %zu of %zu left, error %.2g\n", kind, n, parts, tolerance,
           left, count, worst);
  if (kind == CUDA_UNIFORM || kind == CUDA_SIGNED || kind == CUDA_SPARSE || kind == CUDA_ONES ||
      kind == CUDA_HALF_PLAIN || kind == BATCH_DIAGONAL)
    CHECK_SHOW(left * 3 <= count, "kind %d n %d parts %d: %zu of %zu left", kind, n, parts, left, count);
}

static void batch_floats_all(size_t count)
{
  static const int orders[] = {10, 11, 13, 17};
  for (int k = 0; k < 4; k++)
    for (int kind = 0; kind <= BATCH_DIAGONAL; kind++)
      for (int parts = 1; parts <= 2; parts++)
        for (int loose = 0; loose < 2; loose++)
          batch_floats_check(orders[k], parts, loose ? 1e-6 : orders[k] < 13 ? 1e-10 : 1e-8, kind,
                             orders[k] < 17 ? count : count / 3);
}

TEST(t_cuda_twin_batches_in_floats)
{
  perm_cuda_test_driver(2);
  batch_floats_all(30);
  perm_cuda_test_driver(0);
}

/* Climbs by batches of moved matrices to the largest error of a value that pairs of floats keep, over the tolerance. */
static double batch_climb(int floats, int n, int parts, double tolerance, long count)
{
  enum { MANY = 32, ROOM = 2 * 13 * 13 };
  static double a[MANY * ROOM], best[ROOM], value[2 * MANY];
  unsigned char todo[MANY];
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0), exactly = options;
  const int size = n * n * parts;
  double top = 0;
  options.tolerance = tolerance;
  exactly.gpu.devices = 0;
  exactly.isa = PERM_ISA_AUTO;
  exactly.precision = PERM_PRECISION_DD;
  while (count > 0) {
    const int kind = test_below(CUDA_KINDS);
    double most = 0;
    cuda_matrix(kind, n, parts, best);
    for (int stale = 0; stale < 12 && count > 0; stale++, count -= MANY) {
      int lead = -1;
      for (int k = 0; k < MANY; k++)
        floats_moved(n, n * parts, best, a + k * size);
      batch_run(floats, n, parts, MANY, a, &options, value, todo);
      for (int k = 0; k < MANY; k++) {
        const perm_result one = cuda_compute(n, parts, a + k * size, &exactly);
        const double scale = ldexp(1, (int)one.exp2), *got = value + k * parts;
        const double error = permi_modulus(got[0] - one.value * scale, parts == 2 ? got[1] - one.imaginary * scale : 0);
        const double ratio = todo[k] ? 0 : error / (tolerance * permi_modulus(one.value, one.imaginary) * scale);
        lead = ratio > most ? k : lead;
        most = fmax(most, ratio);
      }
      if (lead >= 0) {
        memcpy(best, a + lead * size, (size_t)size * sizeof *best);
        stale = 0;
      }
    }
    top = fmax(top, most);
  }
  return top;
}

/* PERM_FLOATS: a hundred times so many each way (1000: 10^5, five minutes of a core in all). */
TEST(t_cuda_twin_batches_climbed)
{
  const long count = getenv("PERM_FLOATS") ? 100 * atol(getenv("PERM_FLOATS")) : 640;
  perm_cuda_test_driver(1);
  for (int way = 0; way < 6; way++) {
    const double tolerance = way < 2 ? 1e-10 : way < 4 ? 1e-7 : 1e-13;
    const double top = batch_climb(way < 4, way / 2 == 1 ? 13 : 10, 1 + way % 2, tolerance, count);
    CHECK_SHOW(top <= (count > 1000 ? 3 : 1), "way %d: %g", way, top);
    if (test_verbose)
      printf("  way %d: error / tolerance climbed to %.2g\n", way, top);
  }
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_batches_in_floats)
{
  static double a[60 * 2 * 17 * 17], value[2][120];
  unsigned char todo[2][60];
  const perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  batch_floats_all(60);
  for (int k = 0; k < 8 * CUDA_KINDS; k++) { /* the twin's bits */
    const int n = k % 4 < 2 ? 10 + k % 4 : k % 4 == 2 ? 13 : 17, parts = 1 + k / 4 % 2;
    for (int m = 0; m < 60; m++)
      cuda_matrix(k / 8, n, parts, a + m * n * n * parts);
    for (int twin = 0; twin < 2; twin++) {
      perm_cuda_test_driver(twin);
      batch_run(1, n, parts, 60, a, &options, value[twin], todo[twin]);
    }
    CHECK_SHOW(!memcmp(value[0], value[1], (size_t)(60 * parts) * sizeof(double)) && !memcmp(todo[0], todo[1], 60),
               "%s n %d parts %d", cuda_kind_name[k / 8], n, parts);
  }
  perm_cuda_test_driver(0);
}

/* A simulated RTX 4090 takes floats where they are good enough, an H200 doubles: values tell. */
TEST(t_cuda_twin_batches_on_a_card)
{
  static const int card[2][5] = {{128, 2520000, 32, 10501000, 384}, {132, 1980000, 1, 3201000, 6144}};
  enum { COUNT = 20 };
  static double a[COUNT * 17 * 17], value[COUNT], by[2][COUNT];
  unsigned char todo[COUNT];
  for (int k = 0; k < COUNT * 17 * 17; k++)
    a[k] = test_uniform();
  for (int way = 0; way < 5; way++) { /* of order 13: by default, to 1e-6; of order 17: the same, to 1e-10 */
    const int n = way < 2 ? 13 : 17;
    perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
    perm_result r;
    options.method = PERM_METHOD_AUTO;
    options.tolerance = way == 1 || way == 3 ? 1e-6 : way == 4 ? 1e-10 : 0;
    for (int h200 = 0; h200 < 2; h200++) {
      const int takes = !h200 && way != 2 && way != 4;
      perm_cuda_test_card(card[h200]);
      perm_cuda_test_driver(1);
      CHECK_SHOW(perm_batch_real(n, COUNT, a, (size_t)(n * n), &options, value, &r) == PERM_OK, "%s", r.message);
      for (int floats = 0; floats < 2; floats++)
        batch_run(floats, n, 1, COUNT, a, &options, by[floats], todo);
      CHECK(memcmp(by[0], by[1], sizeof by[0]));
      int same[2] = {0, 0};
      for (int k = 0; k < COUNT; k++)
        for (int floats = 0; floats < 2; floats++)
          same[floats] += value[k] == by[floats][k];
      CHECK_SHOW(same[takes] > COUNT / 2 && same[!takes] < COUNT / 2, "way %d h200 %d: %d as doubles, %d as floats",
                 way, h200, same[0], same[1]);
    }
  }
  perm_cuda_test_card(NULL);
  perm_cuda_test_driver(0);
}

/* What floats leave doubles take, of every layout: values have the bits of one or the other. */
TEST(t_cuda_twin_batches_in_floats_and_doubles)
{
  enum { N = 13, COUNT = 20 };
  static double a[COUNT * N * N], soa[COUNT * N * N], value[3][COUNT], by[2][COUNT];
  static int rows[COUNT * N], columns[COUNT * N];
  unsigned char todo[2][COUNT];
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  perm_result r[3];
  int left = 0;
  options.method = PERM_METHOD_AUTO;
  options.tolerance = 0;
  perm_cuda_test_driver(1);
  for (int k = 0; k < COUNT; k++)
    floats_matrix(k % 3 ? FLOATS_UNIFORM : FLOATS_NEAR_BLOCKS, N, a + k * N * N);
  for (int k = 0; k < COUNT * N * N; k++)
    soa[k % (N * N) * COUNT + k / (N * N)] = a[k];
  for (int k = 0; k < COUNT * N; k++) {
    rows[k] = k;
    columns[k] = k % N;
  }
  for (int floats = 0; floats < 2; floats++)
    batch_run(floats, N, 1, COUNT, a, &options, by[floats], todo[floats]);
  inside_floats_gain = 0;
  perm_batch_real(N, COUNT, a, N * N, &options, value[0], &r[0]);
  perm_batch_real_soa(N, COUNT, soa, COUNT, &options, value[1], &r[1]);
  perm_select_real(COUNT * N, N, a, N, N, COUNT, rows, columns, &options, value[2], &r[2]);
  inside_floats_gain = 2;
  for (int layout = 0; layout < 3; layout++) {
    CHECK_SHOW(r[layout].status == PERM_OK && r[layout].gpus == 1, "%s", r[layout].message);
    for (int k = 0; k < COUNT; k++) {
      CHECK(!todo[0][k]);
      CHECK_SHOW(value[layout][k] == by[!todo[1][k]][k], "layout %d matrix %d: %.17g", layout, k, value[layout][k]);
      left += todo[1][k];
    }
  }
  CHECK_SHOW(left >= 15 && left < 30, "%d left", left);
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

/* ---- arrays that are memory of a GPU */
static double *resident_of(const double *x, size_t numbers)
{
  return (double *)perm_cuda_test_resident(NULL, numbers * sizeof *x, (void *)(uintptr_t)x);
}

/* A call whose flagged arrays lie on the GPU: values come back to `value`. */
static perm_status batch_resident_run(int resident, int n, int parts, size_t count, const double *a, size_t stride,
                                      perm_options options, double *value, perm_result *r)
{
  const size_t numbers = ((count - 1) * stride + (size_t)(n * n)) * (size_t)parts, size = count * (size_t)parts;
  double *there = resident & 1 ? resident_of(a, numbers) : NULL;
  double *out = resident & 2 ? resident_of(value, size) : NULL;
  double *kept = (double *)malloc(numbers * sizeof *kept);
  options.gpu.resident = resident;
  const perm_status status = (parts == 2 ? perm_batch_complex : perm_batch_real)(
      n, count, there ? there : a, stride, &options, out ? out : value, r);
  if (out)
    perm_cuda_test_resident(out, size * sizeof *value, value);
  if (there) {
    perm_cuda_test_resident(there, numbers * sizeof *kept, kept);
    CHECK(!memcmp(a, kept, numbers * sizeof *kept));
  }
  free(kept);
  return status;
}

static void batch_resident_check(int n, int parts, int kind, int driver)
{
  enum { COUNT = 50 };
  static double a[COUNT * (2 * 17 * 17 + 6)], value[2 * COUNT], got[2 * COUNT];
  const size_t square = (size_t)(n * n), size = COUNT * (size_t)parts;
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0), none = options;
  perm_result r;
  options.method = none.method = PERM_METHOD_AUTO;
  options.tolerance = none.tolerance = 0;
  options.gpu.devices = 1;
  none.gpu.devices = 0;
  none.isa = PERM_ISA_AUTO;
  perm_cuda_test_driver(driver);
  for (size_t gap = 0; gap < 4; gap += 3) {
    for (int k = 0; k < COUNT; k++)
      cuda_matrix(kind, n, parts, a + (size_t)k * (square + gap) * (size_t)parts);
    CHECK((parts == 2 ? perm_batch_complex : perm_batch_real)(n, COUNT, a, square + gap,
                                                              n > 17 || gap ? &none : &options, value, &r) == PERM_OK);
    if (!gap && n >= PERM_GPU_BATCH_LEAST_N)
      CHECK(r.isa == PERM_ISA_CUDA);
    for (int resident = 1; resident < 4; resident++) {
      const int place = resident == 3 && !gap && n > 1;
      CHECK_SHOW(batch_resident_run(resident, n, parts, COUNT, a, square + gap, options, got, &r) == PERM_OK, "%s",
                 r.message);
      CHECK(!place || (r.isa == PERM_ISA_CUDA && r.gpus == 1 && r.terms == COUNT * ldexp(1, n - 1)));
      if (!gap && (!place || n >= PERM_GPU_BATCH_LEAST_N))
        CHECK_SHOW(!memcmp(value, got, size * sizeof *got), "%s n %d parts %d resident %d", cuda_kind_name[kind], n,
                   parts, resident);
      for (size_t k = 0; k < COUNT; k++) {
        const perm_result one = cuda_compute(n, parts, a + k * (square + gap) * (size_t)parts, &none);
        const double *x = got + k * (size_t)parts, scale = ldexp(1, (int)one.exp2);
        const double error = permi_modulus(x[0] - one.value * scale, parts == 2 ? x[1] - one.imaginary * scale : 0);
        CHECK_SHOW(error <= 2e-10 * permi_modulus(one.value, one.imaginary) * scale + one.error_estimate * scale,
                   "%s n %d parts %d matrix %zu: %.17g, alone %.17g", cuda_kind_name[kind], n, parts, k, x[0],
                   one.value * scale);
      }
    }
  }
}

/* Every second matrix is left, more than the kernels list. */
static void batch_resident_many(int driver)
{
  enum { COUNT = 2 * PERM_GPU_BATCH_LIST + 100 };
  static double a[4 * COUNT], value[COUNT];
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  perm_result r;
  options.method = PERM_METHOD_AUTO;
  options.tolerance = 0;
  perm_cuda_test_driver(driver);
  for (int k = 0; k < 4 * COUNT; k++)
    a[k] = k % 8 < 6 ? test_uniform() : 0;
  for (int few = 0; few < 2; few++) {
    const int count = few ? 200 : COUNT;
    CHECK(batch_resident_run(3, 2, 1, (size_t)count, a, 4, options, value, &r) == PERM_OK && (!few || r.gpus == 1));
    for (int k = 0; k < count; k++) {
      const double truth = a[4 * k] * a[4 * k + 3] + a[4 * k + 1] * a[4 * k + 2];
      CHECK_SHOW(fabs(value[k] - truth) <= 1e-14 * truth, "%d: %.17g, not %.17g", k, value[k], truth);
    }
  }
}

static void batch_resident_all(int driver)
{
  batch_resident_many(driver);
  static const int orders[] = {1, 2, 3, 5, 8, 9, 10, 11, 13};
  for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
    for (int parts = 1; parts <= 2; parts++)
      for (int kind = 0; kind < CUDA_KINDS; kind++)
        batch_resident_check(orders[k], parts, kind, driver);
  batch_resident_check(17, 1, CUDA_SIGNED, driver);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_twin_batches_resident)
{
  batch_resident_all(2);
}

TEST(t_cuda_gpu_batches_resident)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  batch_resident_all(0);
}

/* What floats leave, doubles and the CPU take as in a host's call. */
TEST(t_cuda_twin_batches_resident_in_floats)
{
  enum { N = 13, COUNT = 20 };
  static double a[COUNT * N * N], value[COUNT], got[COUNT];
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  perm_result r;
  options.method = PERM_METHOD_AUTO;
  options.tolerance = 0;
  perm_cuda_test_driver(1);
  for (int k = 0; k < COUNT; k++)
    floats_matrix(k % 3 ? FLOATS_UNIFORM : FLOATS_NEAR_BLOCKS, N, a + k * N * N);
  for (int floats = 0; floats < 2; floats++) {
    inside_floats_gain = floats ? 0 : 2;
    CHECK(perm_batch_real(N, COUNT, a, N * N, &options, value, &r) == PERM_OK);
    CHECK(batch_resident_run(3, N, 1, COUNT, a, N * N, options, got, &r) == PERM_OK);
    CHECK(!memcmp(value, got, sizeof got));
  }
  inside_floats_gain = 2;
  perm_cuda_test_driver(0);
}

/* Wrong pointers and options are refused by name, matrices that fail are named, faults end with a status. */
static void batch_resident_refused(int driver)
{
  enum { N = 11, COUNT = 60 };
  static double a[COUNT * N * N], whole[COUNT], value[COUNT];
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  static int columns[N];
  perm_result r;
  long call, failed = 0;
  volatile int cancel = 1;
  options.method = PERM_METHOD_AUTO;
  options.tolerance = 0;
  perm_cuda_test_driver(driver);
  for (int k = 0; k < COUNT; k++)
    cuda_matrix(k % 5 ? CUDA_UNIFORM : CUDA_WILD, N, 1, a + k * N * N);
  CHECK(batch_resident_run(3, N, 1, COUNT, a, N * N, options, whole, &r) == PERM_OK);
  options.gpu.resident = 1;
  CHECK_SHOW(perm_batch_real(N, COUNT, a, N * N, &options, value, &r) == PERM_ERROR_OPTION && r.argument == 3 &&
                 strstr(r.message, "a: no memory of a GPU"), "%s", r.message);
  CHECK(perm_batch_real_soa(N, COUNT, a, COUNT, &options, value, &r) == PERM_ERROR_UNSUPPORTED);
  options.gpu.resident = 2;
  CHECK_SHOW(perm_batch_real(N, COUNT, a, N * N, &options, value, &r) == PERM_ERROR_OPTION && r.argument == 6 &&
                 strstr(r.message, "permanents: no memory of a GPU"), "%s", r.message);
  CHECK(perm_select_real(N, N, a, N, N, 1, NULL, columns, &options, value, &r) == PERM_ERROR_OPTION &&
        r.argument == 10);
  options.gpu.resident = 4;
  CHECK(perm_batch_real(N, COUNT, a, N * N, &options, value, &r) == PERM_ERROR_OPTION && r.argument == 5);
  options.gpu.resident = 3;
  CHECK(perm_batch_real(N, 0, NULL, N * N, &options, NULL, &r) == PERM_OK);
  options.gpu.devices = 0;
  options.isa = PERM_ISA_AUTO;
  CHECK_SHOW(perm_batch_real(N, COUNT, a, N * N, &options, value, &r) == PERM_ERROR_OPTION &&
                 strstr(r.message, "gpu.resident"), "%s", r.message);
  options.gpu.devices = PERM_ALL_GPUS;
  options.isa = PERM_ISA_CUDA;
  for (call = 0; call < 60; call++) {
    double *there = resident_of(a, COUNT * N * N), *out = resident_of(value, COUNT);
    perm_cuda_test_fault(call);
    perm_batch_real(N, COUNT, there, N * N, &options, out, &r);
    const int last = perm_cuda_test_fault(-1) >= 0;
    perm_cuda_test_resident(there, 0, NULL);
    perm_cuda_test_resident(out, sizeof value, value);
    CHECK_SHOW(r.status == PERM_OK ? !memcmp(whole, value, sizeof whole)
                                   : !last && r.status == PERM_ERROR_DEVICE && r.message[0], "call %ld: %s", call,
               r.message);
    if (last)
      break;
    failed++;
  }
  CHECK_SHOW(failed > 8, "%ld faults", failed);
  options.cancel = &cancel;
  CHECK_SHOW(batch_resident_run(3, N, 1, COUNT, a, N * N, options, value, &r) == PERM_STOPPED_CANCELLED ||
                 !memcmp(whole, value, sizeof whole), "%s", r.message);
  options.cancel = NULL;
  a[41 * N * N + 3] = (double)NAN;
  a[20 * N * N] = (double)INFINITY;
  CHECK(batch_resident_run(3, N, 1, COUNT, a, N * N, options, value, &r) == PERM_ERROR_NOT_FINITE);
  CHECK_SHOW(strstr(r.message, "matrix 20 "), "%s", r.message);
  for (int k = 0; k < COUNT; k++)
    CHECK_SHOW(k == 20 || k == 41 ? value[k] != value[k] : value[k] == whole[k], "matrix %d", k);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_twin_batches_resident_refused)
{
  batch_resident_refused(2);
}

TEST(t_cuda_gpu_batches_resident_refused)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  batch_resident_refused(0);
}

TEST(t_cuda_batches_compile)
{
  int n, parts, k;
  for (n = 2; n <= PERM_GPU_BATCH_MOST_N; n += n < 10 ? 1 : n < 16 ? 3 : 4)
    for (k = 0; k < (n < PERM_GPU_BATCH_LEAST_N ? 2 : 4); k++) {
      char message[PERM_MESSAGE_BYTES] = "", *image;
      size_t size = 0;
      const double start = permi_seconds();
      parts = 1 + k % 2;
      image = perm_cuda_test_compile_batch(n, parts, k / 2, 90, &size, message);
      if (!image && strstr(message, "no NVRTC"))
        SKIP("no NVRTC");
      CHECK_SHOW(image && size > 1000, "n %d parts %d: %s", n, parts, message);
      if (test_verbose)
        printf("  n %d parts %d%s: %zu bytes, %.2f s\n", n, parts, k / 2 ? ", floats" : "", size,
               permi_seconds() - start);
      free(image);
    }
}
/* SPDX-License-Identifier: MIT */
