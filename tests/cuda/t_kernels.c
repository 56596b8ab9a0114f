/* >>text, >>text_floats, >>text_exact, >>text_batch, >>text_minors, >>text_frontier */
/* Every kind of kernel once, as small as it comes: what compute-sanitizer looks at. */

/* Every kind of kernel once, as small as it comes: what compute-sanitizer looks at. */
static void cuda_each_kernel(int devices)
{
  static double a[64 * 2 * 17 * 17], value[2 * 64];
  int64_t whole[14 * 14];
  int parts, way, k, programs = 0;
  for (parts = 1; parts <= 2; parts++)
    for (way = 0; way < 4; way++) {
      perm_options options = cuda_options(cuda_precisions[way % 3], way == 2), none = options;
      perm_result r, truth;
      none.gpu.devices = 0;
      none.isa = PERM_ISA_AUTO;
      perm_cuda_test_driver(devices);
      cuda_matrix(way == 3 ? CUDA_HALF_PLAIN : CUDA_SIGNED, 15, parts, a);
      r = cuda_compute(15, parts, a, &options);
      truth = cuda_compute(15, parts, a, &none);
      CHECK_SHOW(r.isa == PERM_ISA_CUDA && hypot(r.value - truth.value, r.imaginary - truth.imaginary) <=
                                               r.error_estimate + truth.error_estimate,
                 "dense, way %d: %s", way, r.message);
    }
  for (way = 0; way < 4; way++) {
    perm_result r;
    floats_matrix(way == 3 ? FLOATS_BINARY : FLOATS_SIGNED, 15, a);
    CHECK(floats_compute(15, a, way == 2, way == 0 ? 4 : 1, &r));
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
  for (k = 0; k < 4; k++) {
    double relative = 0;
    cuda_matrix(CUDA_SIGNED, 13, 1 + (k & 1), a);
    minors_against_cpu(&minors_cases[k & 1], k < 2 ? -1 : 3, a, devices, &relative);
    perm_cuda_test_driver(devices);
  }
  for (k = 0; k < 10; k++) {
    const int complex = k == 4 || k == 5;
    perm_matrix matrix = cuda_sparse(17, 0.5, complex ? 2 : 1, 0);
    perm_options options = k < 6 ? cuda_sparse_options(k & 3) : cuda_codegen_options(), none;
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
  for (k = 0; k < 10; k++) { /* certified, dd and both, real and complex; integers, residues, two roots */
    perm_matrix matrix = k < 6   ? cuda_sparse(15, 0.5, 1 + k % 2, 0)
                         : k < 9 ? cuda_sparse_integers(15, 0.5, k == 6 ? 2 : k == 7 ? 30 : 60)
                                 : cuda_sparse_gaussian(15, 0.5, 30);
    perm_options options = cuda_sparse_options(k < 6 ? 4 + 2 * (k / 2) : 0), none;
    perm_result r, truth;
    options.precision = k < 6 ? options.precision : PERM_PRECISION_EXACT;
    none = options;
    none.gpu.devices = 0;
    none.isa = PERM_ISA_AUTO;
    r = cuda_compute_sparse(&matrix, &options);
    truth = cuda_compute_sparse(&matrix, &none);
    CHECK_SHOW(r.isa == PERM_ISA_CUDA && hypot(r.value - truth.value, r.imaginary - truth.imaginary) <=
                                             r.error_estimate + truth.error_estimate + 1e-15 * fabs(truth.value) &&
                   !memcmp(&r.integer, &truth.integer, sizeof r.integer),
               "sparse numbers %d: %.17g, %.17g: %s", k, r.value, truth.value, r.message);
    perm_matrix_free(&matrix);
  }
  for (k = 0; k < 3; k++) {
    static const perm_precision precisions[] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_EXACT, PERM_PRECISION_DD};
    perm_options options = t_frontier_options(precisions[k]);
    perm_matrix matrix;
    perm_result r, expected;
    CHECK(perm_generate("binary:14:0.3", 3, NULL, &matrix, &r) == PERM_OK);
    expected = t_frontier_compute(&matrix, &options, T_FRONTIER_CPU, &programs);
    r = t_frontier_compute(&matrix, &options, -1, &programs);
    CHECK_SHOW(r.status == PERM_OK && r.value == expected.value && r.value > 0, "frontier %d: %.17g, %.17g", k, r.value,
               expected.value);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(programs == 6, "%d programs", programs);
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
/* SPDX-License-Identifier: MIT */
