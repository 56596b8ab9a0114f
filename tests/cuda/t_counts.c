/* >>counts_gpu, >>text_counts */
/* Multiplicities and rectangular matrices on a GPU, or its twin, against the CPU. */

/* ---- multiplicities and rectangular matrices */
static const struct {
  int m, n, parts, kind;
  perm_method method;
  int row_count[24], column_count[24]; /* all 0: none */
} counted_cases[] = {
    {8, 6, 1, CUDA_UNIFORM, PERM_METHOD_MULTIPLICITIES, {1, 2, 1, 3, 1, 2, 2, 2}, {3, 2, 4, 2, 2, 1}},
    {8, 6, 2, CUDA_SIGNED, PERM_METHOD_MULTIPLICITIES, {1, 2, 1, 3, 1, 2, 2, 2}, {3, 2, 4, 2, 2, 1}},
    {14, 7, 2, CUDA_SIGNED, PERM_METHOD_MULTIPLICITIES, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2,
                                                                                                     2}},
    {12, 6, 1, CUDA_INTEGERS, PERM_METHOD_MULTIPLICITIES, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {2, 3, 1, 2, 3, 1}},
    {4, 6, 1, CUDA_SIGNED, PERM_METHOD_MULTIPLICITIES, {9, 8, 7, 6}, {5, 5, 5, 5, 5, 5}},
    {10, 14, 1, CUDA_SIGNED, PERM_METHOD_SHORT, {0}, {0}},
    {10, 14, 2, CUDA_SIGNED, PERM_METHOD_SHORT, {0}, {0}},
    {12, 13, 1, CUDA_UNIFORM, PERM_METHOD_SHORT, {0}, {0}},
    {15, 11, 2, CUDA_UNIFORM, PERM_METHOD_SHORT, {0}, {0}},
    {9, 12, 1, CUDA_SIGNED, PERM_METHOD_PADDED, {0}, {0}},
    {9, 12, 2, CUDA_SIGNED, PERM_METHOD_PADDED, {0}, {0}},
    {10, 12, 1, CUDA_SIGNED, PERM_METHOD_RYSER, {0}, {0}},
    {10, 12, 2, CUDA_WILD, PERM_METHOD_RYSER, {0}, {0}},
    {12, 12, 1, CUDA_ONES, PERM_METHOD_MULTIPLICITIES, {0}, {0}},
    {16, 16, 1, CUDA_SPARSE, PERM_METHOD_MULTIPLICITIES, {0}, {0}},
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
        CHECK_SHOW(round == 1 || counted_cases[k].kind == CUDA_ONES, "case %d: %s", k, perm_name("isa", r.isa));
        continue;
      }
      on_gpu++;
      CHECK_SHOW(r.method == counted_cases[k].method && r.gpus > 0, "case %d: %s", k, perm_name("method", r.method));
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
/* SPDX-License-Identifier: MIT */
