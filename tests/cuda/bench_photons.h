/* All amplitudes on a GPU: whole calls, the outputs' way to the host included, and left there. */
void *bench_memory(size_t bytes); /* of the GPU; 0: frees it */

void bench_photons(void)
{
  static const int sizes[] = {12, 14, 16};
  printf("| photons/modes | outputs | first call, s | next, s | left on the GPU, s | value - 1 | bound |\n"
         "|---|---|---|---|---|---|---|\n");
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const int n = sizes[k];
    perm_outputs outputs = {NULL, NULL, 1, 0, NULL, NULL};
    perm_options options = {.isa = PERM_ISA_CUDA, .gpu = {.devices = 1, .cache = "build/gpu_cache"}};
    double a[2 * 16 * 16], seconds[4];
    char name[32];
    perm_matrix unitary;
    perm_result r;
    size_t count;
    snprintf(name, sizeof name, "unitary:%d", n);
    if (perm_generate(name, 1, NULL, &unitary, &r) != PERM_OK || perm_amplitudes_count(n, n, NULL, &count) != PERM_OK)
      return;
    for (int at = 0; at < n * n; at++) {
      a[2 * at] = unitary.real[at];
      a[2 * at + 1] = unitary.imaginary[at];
    }
    double *const out = (double *)calloc(count, sizeof *out), *const there = (double *)bench_memory(8 * count);
    for (int call = 0; call < 4 && out && there; call++) {
      const double start = permi_seconds();
      outputs.on_gpu = call > 1;
      if (perm_amplitudes_complex(n, n, a, n, NULL, &outputs, &options, call > 1 ? there : out, &r) != PERM_OK)
        printf("%s\n", r.message);
      seconds[call] = permi_seconds() - start;
    }
    printf("| %d/%d | %.0f | %.3f | %.3f | %.3f | %.1e | %.1e |\n", n, n, (double)count, seconds[0], seconds[1],
           seconds[3], r.value - 1, r.error_bound);
    fflush(stdout);
    free(out);
    bench_memory(0);
    perm_matrix_free(&unitary);
  }
}
/* SPDX-License-Identifier: MIT */
