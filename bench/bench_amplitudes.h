/* make bench-sparse, part `amplitudes`: all amplitudes of photons in unitary matrices, one thread, beside permanents
   one by one on a sample of outputs. */
#ifndef PERM_BENCH_AMPLITUDES_H_INCLUDED
#define PERM_BENCH_AMPLITUDES_H_INCLUDED

enum { BENCH_AMPLITUDES_RUNS = 5, BENCH_AMPLITUDES_SAMPLE = 500 };

static double bench_amplitudes_time(int m, int n, const double *a, perm_isa isa, double *out, perm_result *r)
{
  double ms[BENCH_AMPLITUDES_RUNS], now;
  perm_options options = {0};
  int run, k;
  options.threads = 1;
  options.isa = isa;
  for (run = 0; run < BENCH_AMPLITUDES_RUNS; run++) {
    const double start = bench_seconds();
    if (perm_amplitudes_complex(m, n, a, m, NULL, NULL, &options, out, r) != PERM_OK)
      fprintf(stderr, "amplitudes: %s\n", r->message);
    now = 1e3 * (bench_seconds() - start);
    for (k = run; k > 0 && ms[k - 1] > now; k--)
      ms[k] = ms[k - 1];
    ms[k] = now;
  }
  return ms[BENCH_AMPLITUDES_RUNS / 2];
}

/* Microseconds a permanent, and the largest difference, on outputs here and there. */
static double bench_amplitudes_single(int m, int n, const double *a, size_t count, const double *out, double *off)
{
  perm_options options = {0};
  int state[32], i, k;
  double seconds = 0;
  *off = 0;
  options.threads = 1;
  for (k = 0; k < BENCH_AMPLITUDES_SAMPLE; k++) {
    const size_t index = (size_t)k * (count / BENCH_AMPLITUDES_SAMPLE);
    double size = 1, start;
    perm_result r;
    perm_amplitudes_state(m, n, NULL, index, state);
    for (i = 0; i < m; i++)
      size *= tgamma(state[i] + 1);
    start = bench_seconds();
    perm_compute_repeated_complex(m, n, a, m, state, NULL, &options, &r);
    seconds += bench_seconds() - start;
    *off = fmax(*off, hypot(r.value / sqrt(size) - out[2 * index], r.imaginary / sqrt(size) - out[2 * index + 1]));
  }
  return 1e6 * seconds / BENCH_AMPLITUDES_SAMPLE;
}

static void bench_amplitudes(void)
{
  static const int sizes[][2] = {{8, 16}, {10, 10}, {12, 12}, {14, 14}};
  static const perm_isa isas[] = {PERM_ISA_AUTO, PERM_ISA_AVX2, PERM_ISA_PLAIN};
  size_t k, i, at;
  printf("\n## All amplitudes, one thread: the median of %d calls; one by one: perm_compute_repeated_complex on %d\n\n"
         "| photons/modes | outputs | family | ms | ns a product | sum p - 1 | bound | one by one, us | gain | off |\n"
         "|---|---|---|---|---|---|---|---|---|---|\n", BENCH_AMPLITUDES_RUNS, BENCH_AMPLITUDES_SAMPLE);
  for (k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const int n = sizes[k][0], m = sizes[k][1];
    char name[32];
    perm_matrix unitary;
    perm_result r;
    size_t count;
    double *a = (double *)malloc(2 * sizeof(double) * (size_t)(m * m)), *out, off, each;
    snprintf(name, sizeof name, "unitary:%d", m);
    if (perm_generate(name, 1, NULL, &unitary, &r) != PERM_OK || perm_amplitudes_count(m, n, NULL, &count) != PERM_OK)
      return;
    for (at = 0; at < (size_t)(m * m); at++) {
      a[2 * at] = unitary.real[at];
      a[2 * at + 1] = unitary.imaginary[at];
    }
    out = (double *)malloc(2 * count * sizeof *out);
    for (i = 0; i < sizeof isas / sizeof *isas && out; i++) {
      const double ms = bench_amplitudes_time(m, n, a, isas[i], out, &r);
      each = bench_amplitudes_single(m, n, a, count, out, &off);
      printf("| %d/%d | %.0f | %s | %.3g | %.2f | %.1e | %.1e | %.2f | %.0f | %.1e |\n", n, m, (double)count,
             perm_name("isa", r.isa), ms, 1e6 * ms / r.terms / n / m * (n + m - 1), r.value - 1, r.error_bound, each,
             1e-3 * each * (double)count / ms, off);
      fflush(stdout);
    }
    free(out);
    free(a);
    perm_matrix_free(&unitary);
  }
}

#endif
/* SPDX-License-Identifier: MIT */
