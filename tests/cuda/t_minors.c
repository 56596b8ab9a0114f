/* >>minors_gpu, >>text_minors */
/* Minors of rows and gradients on a GPU, or its twin, against those of the CPU in double-double, with multiplicities;
   by any number of GPUs the same bits. */

typedef struct minors_case {
  int m, n, parts, kind;
  int row_count[24], column_count[24]; /* all 0: none */
} minors_case;
static const minors_case minors_cases[] = {
    {13, 13, 1, CUDA_SIGNED, {0}, {0}},
    {13, 13, 2, CUDA_SIGNED, {0}, {0}},
    {16, 16, 1, CUDA_UNIFORM, {0}, {0}},
    {17, 17, 2, CUDA_UNIFORM, {0}, {0}},
    {14, 14, 1, CUDA_ONES, {0}, {0}},
    {15, 15, 1, CUDA_INTEGERS, {0}, {0}},
    {14, 14, 1, CUDA_SPARSE, {0}, {0}},
    {14, 14, 2, CUDA_WILD, {0}, {0}},
    {15, 15, 1, CUDA_HALF_PLAIN, {0}, {0}},
    {5, 14, 2, CUDA_SIGNED, {3, 4, 1, 2, 4}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, /* a boson sampler's */
    {8, 16, 2, CUDA_SIGNED, {1, 3, 2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {14, 6, 1, CUDA_UNIFORM, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {3, 2, 4, 2, 2, 1}},
    {7, 6, 2, CUDA_SIGNED, {1, 2, 4, 0, 3, 2, 2}, {3, 2, 4, 2, 2, 1}},
    {6, 7, 1, CUDA_INTEGERS, {5, 2, 4, 3, 2, 2}, {3, 2, 0, 4, 2, 2, 5}},
    {2, 3, 1, CUDA_SIGNED, {9, 31}, {20, 10, 10}},
    {1, 2, 2, CUDA_SIGNED, {14}, {9, 5}},
    {3, 1, 1, CUDA_SIGNED, {4, 4, 6}, {14}},
};

static perm_status minors_compute(const minors_case *of, int row, const double *a, const perm_options *options,
                                  double *out, perm_result *r)
{
  const int m = of->m, n = of->n, counts = of->row_count[0] != 0;
  const int *rows = counts ? of->row_count : NULL, *columns = counts ? of->column_count : NULL;
  if (row < 0)
    return (of->parts == 2 ? perm_gradient_complex : perm_gradient_real)(m, n, a, n, rows, columns, options, out, r);
  return (of->parts == 2 ? perm_minors_complex : perm_minors_real)(m, n, a, n, rows, columns, row, options, out, r);
}

/* Worst error in estimates; *relative: the largest estimate, of the largest minor. */
static double minors_against_cpu(const minors_case *of, int row, const double *a, int devices, double *relative)
{
  static double out[2 * 24 * 24], again[2 * 24 * 24], truth[2 * 24 * 24];
  const int count = (row < 0 ? of->m : 1) * of->n * of->parts;
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0), none = options;
  double most = 0, error = 0, scale;
  perm_result r, expected, one;
  int k;
  options.method = PERM_METHOD_AUTO;
  none.method = PERM_METHOD_AUTO;
  none.gpu.devices = 0;
  none.isa = PERM_ISA_AUTO;
  none.precision = PERM_PRECISION_DD;
  perm_cuda_test_driver(devices);
  minors_compute(of, row, a, &options, out, &r);
  minors_compute(of, row, a, &none, truth, &expected);
  CHECK_SHOW(r.status == PERM_OK && expected.status == PERM_OK && expected.gpus == 0, "%s%s", r.message,
             expected.message);
  CHECK_SHOW(r.isa == PERM_ISA_CUDA && r.gpus > 0 && r.method == PERM_METHOD_DENSE && r.error_bound == INFINITY,
             "%s, %d GPUs", perm_name("isa", r.isa), r.gpus);
  scale = ldexp(1, permi_int_exponent(expected.exp2 - r.exp2));
  for (k = 0; k < count; k++) {
    most = fmax(most, fabs(truth[k] * scale));
    error = fmax(error, fabs(out[k] - truth[k] * scale));
  }
  CHECK_SHOW(error <= r.error_estimate + expected.error_estimate * scale, "%d x %d row %d: error %g, estimate %g",
             of->m, of->n, row, error, r.error_estimate);
  CHECK_SHOW(fabs(r.value - expected.value * scale) <= 64 * r.error_estimate * fmax(1, fabs(r.value) / most) * of->n,
             "%.17g, not %.17g", r.value, expected.value * scale);
  *relative = fmax(*relative, most > 0 ? r.error_estimate / most : 0);
  double *there = (double *)perm_cuda_test_resident(NULL, sizeof out, NULL); /* values that stay on the GPU */
  options.gpu.resident = 2;
  minors_compute(of, row, a, &options, there, &one);
  options.gpu.resident = 0;
  perm_cuda_test_resident(there, sizeof again, again);
  CHECK_SHOW(!memcmp(out, again, (size_t)count * sizeof *out) && cuda_same_bits(&r, &one), "resident: %s", one.message);
  perm_cuda_test_driver(1); /* another number of GPUs; the twin after a GPU */
  minors_compute(of, row, a, &options, again, &one);
  CHECK_SHOW(!memcmp(out, again, (size_t)count * sizeof *out) && cuda_same_bits(&r, &one),
             "%.17g, twin or one GPU %.17g", out[0], again[0]);
  return r.error_estimate > 0 ? error / r.error_estimate : 0;
}

static void minors_check(int devices)
{
  int k, row;
  for (k = 0; k < (int)(sizeof minors_cases / sizeof minors_cases[0]); k++) {
    const minors_case *of = &minors_cases[k];
    double square[2 * 24 * 24], a[2 * 24 * 24], relative = 0, worst = 0;
    const int most = of->m > of->n ? of->m : of->n;
    int i;
    cuda_matrix(of->kind, most, of->parts, square);
    for (i = 0; i < of->m; i++)
      memcpy(a + i * of->n * of->parts, square + i * most * of->parts, (size_t)(of->n * of->parts) * sizeof *a);
    for (row = -1; row < of->m; row++)
      if (row % 4 <= 0 && (row < 0 || !of->row_count[0] || of->row_count[row]))
        worst = fmax(worst, minors_against_cpu(of, row, a, devices, &relative));
    CHECK_SHOW(of->kind == CUDA_WILD || relative < 1e-6, "case %d: estimate %g", k, relative);
    CHECK_SHOW(of->kind == CUDA_ONES || worst > 1e-5, "case %d: the estimate is %g errors", k, 1 / worst);
  }
  perm_cuda_test_driver(0);
}

TEST(t_cuda_twin_minors)
{
  minors_check(3);
}

TEST(t_cuda_gpu_minors)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  minors_check(0);
}

/* A driver call that fails ends the call, minors are NaN, or another GPU has done the work; refusals, cancellation. */
TEST(t_cuda_twin_minors_faults)
{
  static double a[2 * 14 * 14], out[2 * 14 * 14], again[2 * 14 * 14];
  const minors_case of = {14, 14, 2, CUDA_SIGNED, {0}, {0}};
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  const volatile int cancelled = 1;
  perm_result r;
  long call, failed = 0, ended = 0;
  int k;
  options.method = PERM_METHOD_AUTO;
  cuda_matrix(of.kind, 14, 2, a);
  perm_cuda_test_driver(3);
  CHECK(minors_compute(&of, -1, a, &options, out, &r) == PERM_OK && r.isa == PERM_ISA_CUDA && r.gpus > 0);
  for (call = 0; call < 80; call++) {
    perm_cuda_test_driver(1 + (int)call % 2);
    perm_cuda_test_fault(call);
    minors_compute(&of, -1, a, &options, again, &r);
    if (perm_cuda_test_fault(-1) >= 0) {
      CHECK(r.status == PERM_OK);
      break;
    }
    failed++;
    ended += r.status != PERM_OK;
    if (r.status == PERM_OK)
      CHECK_SHOW(!memcmp(out, again, sizeof out), "call %ld", call);
    else
      for (k = 0; k < 2 * 14 * 14; k++)
        CHECK_SHOW(r.status == PERM_ERROR_DEVICE && r.message[0] && again[k] != again[k], "call %ld: %s, %g", call,
                   r.message, again[k]);
  }
  CHECK_SHOW(failed > 8 && ended > 3, "%ld faults, %ld ends", failed, ended);
  perm_cuda_test_driver(2);
  options.cancel = &cancelled;
  CHECK_SHOW(minors_compute(&of, -1, a, &options, again, &r) == PERM_STOPPED_CANCELLED || r.status == PERM_OK, "%s",
             r.message);
  options.cancel = NULL;
  options.gpu.resident = 2; /* a host's pointer */
  CHECK_SHOW(minors_compute(&of, 2, a, &options, again, &r) == PERM_ERROR_OPTION && r.argument == 9 &&
                 strstr(r.message, "minors: no memory of a GPU"), "%s", r.message);
  CHECK(minors_compute(&of, -1, a, &options, again, &r) == PERM_ERROR_OPTION && r.argument == 8);
  options.gpu.resident = 0;
  options.isa = PERM_ISA_AUTO; /* predicted faster on the CPU */
  CHECK(minors_compute(&of, 2, a, &options, again, &r) == PERM_OK && r.isa != PERM_ISA_CUDA && r.gpus == 0);
  options.isa = PERM_ISA_CUDA;
  options.precision = PERM_PRECISION_DD; /* each is a permanent, on the CPU */
  CHECK_SHOW(minors_compute(&of, 2, a, &options, again, &r) == PERM_OK && r.isa != PERM_ISA_CUDA && r.gpus == 0, "%s",
             r.message);
  options.precision = PERM_PRECISION_DEFAULT;
  options.certify = 1;
  CHECK(minors_compute(&of, 2, a, &options, again, &r) == PERM_ERROR_UNSUPPORTED && again[0] != again[0]);
  options.certify = 0;
  perm_cuda_test_driver(1);
  perm_cuda_test_fault(0);
  options.gpu.cpu_fallback = 1;
  CHECK_SHOW(minors_compute(&of, 2, a, &options, again, &r) == PERM_OK && r.gpus == 0, "%s", r.message);
  perm_cuda_test_fault(-1);
  perm_cuda_test_driver(0);
}

/* Orders 5 to 7 are too small for GPUs but for copies: many random counts, every way to sum. */
TEST(t_cuda_twin_minors_copies)
{
  int round, on_gpu = 0;
  for (round = 0; round < 60; round++) {
    minors_case of = {3 + test_below(4), 3 + test_below(4), 1 + round % 2, CUDA_SIGNED, {0}, {0}};
    static double a[2 * 24 * 24];
    double square[2 * 24 * 24], relative = 0;
    const int total = 13 + test_below(6), most = of.m > of.n ? of.m : of.n;
    int i, row;
    of.row_count[0] = of.column_count[0] = 1;
    for (i = 1; i < total; i++) {
      of.row_count[round % 4 < 2 ? i % of.m : test_below(of.m)]++;
      of.column_count[round % 4 > 1 ? i % of.n : test_below(of.n)]++;
    }
    cuda_matrix(round % 3 ? CUDA_SIGNED : CUDA_INTEGERS, most, of.parts, square);
    for (i = 0; i < of.m; i++)
      memcpy(a + i * of.n * of.parts, square + i * most * of.parts, (size_t)(of.n * of.parts) * sizeof *a);
    for (row = -1; row < of.m; row++)
      if (row < 0 || of.row_count[row]) {
        minors_against_cpu(&of, row, a, 2, &relative);
        on_gpu++;
      }
  }
  CHECK(on_gpu > 150);
  perm_cuda_test_driver(0);
}
/* SPDX-License-Identifier: MIT */
