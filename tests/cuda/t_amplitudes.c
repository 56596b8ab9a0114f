/* >>amplitudes_gpu, >>text_amplitudes, >>gpu_amplitudes */
/* Amplitudes on a GPU, or its twin, against the CPU's; limits, heralds, unseen rows, blocks, memory of the GPU; faults,
   stops. */

void perm_cuda_test_memory(size_t bytes);
char *perm_cuda_test_compile_amplitudes(int arch, size_t *size, char *message);

enum { T_PHOTONS_MOST = 40000 };
typedef struct t_photons {
  int m, columns, photons, counts[6], most[12], exactly[12], unseen;
  double a[2 * 12 * 6];
  perm_outputs outputs;
  size_t count, given;
  double *to;
} t_photons;

static int t_photons_block(void *user_data, size_t first, size_t count, const double *values)
{
  t_photons *p = (t_photons *)user_data;
  const size_t each = p->outputs.probabilities ? 1 : 2;
  CHECK(first == p->given);
  memcpy(p->to + each * first, values, each * count * sizeof *values);
  p->given += count;
  return 0;
}

static void t_photons_make(t_photons *p)
{
  do {
    memset(p, 0, sizeof *p);
    p->m = 1 + test_below(12);
    p->columns = 1 + test_below(6);
    for (int j = 0; j < p->columns; j++)
      p->photons += p->counts[j] = test_below(3);
    for (int i = 0; i < p->m; i++) {
      p->most[i] = test_below(3) ? -1 : test_below(4);
      p->exactly[i] = test_below(6) ? -1 : test_below(3);
    }
    for (int k = 0; k < 2 * p->m * p->columns; k++)
      p->a[k] = test_uniform() - 0.5;
    p->outputs.most = test_below(2) ? p->most : NULL;
    p->outputs.exactly = test_below(2) ? p->exactly : NULL;
    p->outputs.probabilities = test_below(2);
    p->unseen = p->outputs.exactly && p->outputs.probabilities;
    for (int i = 0; i < p->m && p->unseen; i++)
      p->exactly[i] = test_below(3) ? p->exactly[i] : PERM_MODE_UNSEEN;
    p->outputs.user_data = p;
    CHECK(perm_amplitudes_count(p->m, p->photons, &p->outputs, &p->count) == PERM_OK);
  } while (!p->photons || !p->count || p->count > T_PHOTONS_MOST);
}

static perm_options t_photons_options(void)
{
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  options.method = PERM_METHOD_AUTO;
  options.gpu.devices = 1;
  return options;
}

static perm_status t_photons_compute(t_photons *p, const perm_options *options, double *out, perm_result *r)
{
  p->given = 0;
  p->to = out;
  return perm_amplitudes_complex(p->m, p->columns, p->a, p->columns, p->counts, &p->outputs, options,
                                 p->outputs.block ? NULL : out, r);
}

static void t_photons_agree(int devices, int cases)
{
  static double out[2 * T_PHOTONS_MOST], again[2 * T_PHOTONS_MOST], twin[2 * T_PHOTONS_MOST];
  perm_options options = t_photons_options();
  for (int k = 0; k < cases; k++) {
    perm_result r, s, t;
    t_photons p;
    double square = 0;
    t_photons_make(&p);
    const size_t values = p.count * (p.outputs.probabilities ? 1 : 2);
    memset(again, 0, sizeof again);
    CHECK(t_photons_compute(&p, NULL, out, &s) == PERM_OK);
    p.outputs.block = k % 3 == 1 ? t_photons_block : NULL;
    p.outputs.on_gpu = k % 3 == 2 && !p.unseen;
    perm_cuda_test_driver(devices);
    double *room = p.outputs.on_gpu ? (double *)perm_cuda_test_resident(NULL, sizeof again, NULL) : again;
    if (k % 2 && p.outputs.on_gpu) { /* the other word for it */
      p.outputs.on_gpu = 0;
      options.gpu.resident = 2;
    }
    CHECK_SHOW(t_photons_compute(&p, &options, room, &r) == PERM_OK && r.isa == PERM_ISA_CUDA && r.gpus == 1, "%s",
               r.message);
    CHECK(!p.outputs.block || p.given == p.count);
    CHECK_SHOW(r.terms >= s.terms, "%g of %g states", r.terms, s.terms);
    if (room != again)
      perm_cuda_test_resident(room, sizeof again, again);
    options.gpu.resident = 0;
    CHECK(r.exp2 == s.exp2 && r.error_bound == s.error_bound && fabs(r.value - s.value) <= 1e-13 * s.value);
    for (size_t i = 0; i < values; i++)
      square += (out[i] - again[i]) * (out[i] - again[i]);
    CHECK_SHOW(sqrt(square) <= 2 * s.error_bound * (p.outputs.probabilities ? 2 * sqrt(s.value) + 1 : 1),
               "%d x %d, %d photons: %g of %g", p.m, p.columns, p.photons, sqrt(square), s.error_bound);
    p.outputs.block = NULL;
    p.outputs.on_gpu = 0;
    perm_cuda_test_driver(1);
    CHECK(t_photons_compute(&p, &options, twin, &t) == PERM_OK);
    CHECK_SHOW(k % 3 ? fabs(r.value - t.value) <= 1e-14 * t.value : r.value == t.value, "%.17g %.17g", r.value,
               t.value);
    CHECK_SHOW(!memcmp(again, twin, values * sizeof *out), "%d x %d, %d photons", p.m, p.columns, p.photons);
  }
  perm_cuda_test_driver(0);
}

TEST(t_cuda_amplitudes)
{
  t_photons_agree(1, 200);
}

TEST(t_cuda_gpu_amplitudes)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  t_photons_agree(0, 60);
}

static int t_photons_refuse(void *user_data, size_t first, size_t count, const double *values)
{
  (void)user_data, (void)first, (void)count, (void)values;
  return 1;
}

TEST(t_cuda_amplitudes_stops)
{
  static double out[2 * T_PHOTONS_MOST];
  perm_options options = t_photons_options();
  t_photons p;
  perm_result r;
  volatile int cancel = 1;
  int calls = 0;
  do
    t_photons_make(&p);
  while (p.photons < 3);
  perm_cuda_test_driver(1);
  for (; calls < 500; calls++) {
    perm_cuda_test_driver(1);
    perm_cuda_test_fault(calls);
    const perm_status status = t_photons_compute(&p, &options, out, &r);
    if (status == PERM_OK)
      break;
    CHECK_SHOW(status == PERM_ERROR_DEVICE && r.message[0], "%s", r.message);
  }
  perm_cuda_test_fault(-1);
  CHECK(calls > 20 && calls < 500);
  perm_cuda_test_memory(1000);
  CHECK(t_photons_compute(&p, &options, out, &r) == PERM_ERROR_DEVICE && strstr(r.message, "bytes"));
  perm_cuda_test_memory((size_t)1 << 30);
  options.cancel = &cancel;
  CHECK(t_photons_compute(&p, &options, out, &r) == PERM_STOPPED_CANCELLED);
  options.cancel = NULL;
  p.outputs.block = t_photons_refuse;
  CHECK(t_photons_compute(&p, &options, out, &r) == PERM_STOPPED_CANCELLED);
  p.outputs.block = NULL;
  options.gpu.resident = 2;
  CHECK_SHOW(t_photons_compute(&p, &options, out, &r) == PERM_ERROR_OPTION && r.argument == 8 &&
                 strstr(r.message, "out: no memory of a GPU"), "%s", r.message);
  options.gpu.resident = 0;
  options.gpu.devices = 0;
  options.isa = PERM_ISA_AUTO;
  p.outputs.on_gpu = 1;
  CHECK(t_photons_compute(&p, &options, out, &r) == PERM_ERROR_UNSUPPORTED && r.argument == 6);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_amplitudes_compiles)
{
  char message[PERM_MESSAGE_BYTES] = "", *image;
  size_t size = 0;
  image = perm_cuda_test_compile_amplitudes(90, &size, message);
  if (!image && strstr(message, "no NVRTC"))
    SKIP("no NVRTC");
  CHECK_SHOW(image && size > 1000, "%s", message);
  free(image);
}
/* SPDX-License-Identifier: MIT */
