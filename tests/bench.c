/* make bench: rates in elements/s, n 2^(n-1) / seconds, of our kernels beside the measured roofline and a plain
   program, all in one run on one core, medians; accuracy at sizes where a reference exists; two threads.
   Usage: build/bench [quick] */
#define PERM_IMPLEMENTATION
#include "perm_sparse.h"

static double bench_sink;

static double bench_seconds(void)
{
  return permi_seconds();
}

#include "bench_roofline.h"

double bench_plain_O2(int n, const double *a);
double bench_plain_native(int n, const double *a);

static double bench_random(uint64_t *state) /* U[-1,1] */
{
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)*state / 9223372036854775808.0;
}

static int bench_compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Median rate of `what` over at least 5 runs and `seconds`. */
typedef double (*bench_run)(int n, const double *a, const perm_options *options);

static double bench_ours(int n, const double *a, const perm_options *options)
{
  perm_result result;
  perm_compute_real(n, n, a, n, options, &result);
  return result.value;
}

static double bench_program_O2(int n, const double *a, const perm_options *options)
{
  (void)options;
  return bench_plain_O2(n, a);
}

static double bench_program_native(int n, const double *a, const perm_options *options)
{
  (void)options;
  return bench_plain_native(n, a);
}

static double bench_rate(bench_run run, int n, const double *a, const perm_options *options, double seconds)
{
  double rate[1001], stop = bench_seconds() + seconds;
  int runs = 0;
  while ((runs < 5 || bench_seconds() < stop) && runs < 1001) {
    double start = bench_seconds();
    bench_sink += run(n, a, options);
    rate[runs++] = n * ldexp(1, n - 1) / (bench_seconds() - start);
  }
  qsort(rate, (size_t)runs, sizeof *rate, bench_compare);
  return rate[runs / 2];
}

static void bench_matrix(int n, double *a)
{
  uint64_t state = 42;
  int i;
  for (i = 0; i < n * n; i++)
    a[i] = bench_random(&state);
}

static void bench_dense(int quick)
{
  static const int sizes[] = {20, 24, 28};
  double a[64 * 64], budget = quick ? 0.2 : 1.5;
  int k;
  printf("\n## Dense real, one thread, compiler flags of this build: elements/s in units of 1e9, medians\n\n"
         "| n | kernel | precision | rate | of its roofline | x plain program | plain -O2 | plain -O3 -march=native |\n"
         "|---|---|---|---|---|---|---|---|\n");
  for (k = 0; k < (quick ? 2 : 3); k++) {
    int n = sizes[k], isa, precision;
    double plain_O2, plain_native, plain;
    bench_matrix(n, a);
    plain_O2 = n > 24 ? 0 : bench_rate(bench_program_O2, n, a, NULL, budget);
    plain_native = n > 24 ? 0 : bench_rate(bench_program_native, n, a, NULL, budget);
    if (n > 24) { /* a second or more a run: fewer of them */
      double start = bench_seconds();
      bench_sink += bench_plain_O2(n, a);
      plain_O2 = n * ldexp(1, n - 1) / (bench_seconds() - start);
      start = bench_seconds();
      bench_sink += bench_plain_native(n, a);
      plain_native = n * ldexp(1, n - 1) / (bench_seconds() - start);
    }
    plain = plain_O2 > plain_native ? plain_O2 : plain_native;
    for (isa = PERM_ISA_AVX512; isa >= PERM_ISA_PLAIN; isa--)
      for (precision = PERM_PRECISION_DEFAULT; precision <= PERM_PRECISION_FAST; precision++) {
        perm_options options;
        double rate, roof = 0;
        char share[32] = "";
        if (isa > (int)perm_isa_best() || (isa == PERM_ISA_PLAIN && n > 24))
          continue;
        memset(&options, 0, sizeof options);
        options.isa = (perm_isa)isa;
        options.precision = (perm_precision)precision;
        options.threads = 1;
#if defined(__x86_64__)
        if (isa != PERM_ISA_PLAIN)
          roof = isa == PERM_ISA_AVX512 ? roof_avx512(0.1) : roof_avx2(0.1);
#endif
        rate = bench_rate(bench_ours, n, a, &options, budget);
#if defined(__x86_64__)
        if (isa != PERM_ISA_PLAIN) { /* before and after: the clock may move */
          double again = isa == PERM_ISA_AVX512 ? roof_avx512(0.1) : roof_avx2(0.1);
          roof = again > roof ? again : roof;
        }
#endif
        if (roof > 0)
          snprintf(share, sizeof share, "%.3f of %.1f", rate / roof, roof / 1e9);
        printf("| %d | %s | %s | %.2f | %s | %.1f | %.2f | %.2f |\n", n, perm_isa_name((perm_isa)isa),
               perm_precision_name((perm_precision)precision), rate / 1e9, share, rate / plain, plain_O2 / 1e9,
               plain_native / 1e9);
        fflush(stdout);
      }
  }
  /* the pair form: a zero in every column */
  printf("\n| n | kernel, pair form (a zero in every column) | rate | of the normalised form |\n|---|---|---|---|\n");
  for (k = 0; k < 2; k++) {
    int n = sizes[k], isa, i;
    for (isa = PERM_ISA_AVX512; isa >= PERM_ISA_PLAIN; isa--) {
      perm_options options;
      double pair, normal;
      if (isa > (int)perm_isa_best())
        continue;
      memset(&options, 0, sizeof options);
      options.isa = (perm_isa)isa;
      options.threads = 1;
      bench_matrix(n, a);
      normal = bench_rate(bench_ours, n, a, &options, budget / 2);
      for (i = 0; i < n; i++)
        a[i * n + i] = 0;
      pair = bench_rate(bench_ours, n, a, &options, budget / 2);
      printf("| %d | %s | %.2f | %.2f |\n", n, perm_isa_name((perm_isa)isa), pair / 1e9, pair / normal);
    }
  }
}

#if defined(__SIZEOF_FLOAT128__)
/* Glynn in quadruple precision (113 bits). */
static double bench_reference(int n, const double *a)
{
  __extension__ typedef __float128 quad;
  quad x[64], total = 0, column;
  uint64_t s, last = UINT64_C(1) << (n - 1);
  int i, j;
  for (i = 0; i < n; i++)
    for (x[i] = 0, j = 0; j < n; j++)
      x[i] += a[i * n + j];
  for (s = 1;; s++) {
    quad product = s & 1 ? 1 : -1;
    for (i = 0; i < n; i++)
      product *= x[i];
    total += product;
    if (s == last)
      break;
    j = permi_trailing_zeros(s);
    for (i = 0; i < n; i++) {
      column = 2 * (quad)a[i * n + j];
      x[i] += (s ^ s >> 1) >> j & 1 ? -column : column;
    }
  }
  return (double)(total / (quad)last);
}
#endif

static void bench_accuracy(int quick)
{
  double a[32 * 32];
  int n, i, isa;
  printf("\n## Accuracy: relative error (and the estimate) of one permanent\n\n"
         "| matrix | reference | kernel | precision | error | estimate | error/estimate |\n"
         "|---|---|---|---|---|---|---|\n");
  for (n = 20; n <= (quick ? 22 : 30); n += n == 20 ? 2 : 4) {
    int kind;
    for (kind = 0; kind < 2; kind++) {
      double reference = 1;
      if (kind == 1 && n > 22)
        continue;
      for (i = 0; i < n * n; i++)
        a[i] = 1;
      for (i = 2; i <= n; i++)
        reference *= i; /* 30! rounded at most 8 times: below 1e-15 */
      if (kind == 1) {
#if defined(__SIZEOF_FLOAT128__)
        bench_matrix(n, a);
        reference = bench_reference(n, a);
#else
        continue;
#endif
      }
      for (isa = PERM_ISA_AVX512; isa >= PERM_ISA_PLAIN; isa--) {
        int precision;
        for (precision = 0; precision <= 1; precision++) {
          perm_options options;
          perm_result result;
          double error;
          if (isa > (int)perm_isa_best() || (isa == PERM_ISA_PLAIN && n > 26) || (isa == PERM_ISA_AVX2 && n > 28))
            continue;
          memset(&options, 0, sizeof options);
          options.isa = (perm_isa)isa;
          options.precision = (perm_precision)precision;
          options.tolerance = 1; /* no escalation */
          perm_compute_real(n, n, a, n, &options, &result);
          error = fabs(result.value - reference) / fabs(reference);
          printf("| %s n=%d | %s | %s | %s | %.1e | %.1e | %.3f |\n", kind ? "U[-1,1]" : "ones", n,
                 kind ? "float128" : "n!", perm_isa_name(result.isa), perm_precision_name(result.precision), error,
                 result.estimate / fabs(reference), error * fabs(reference) / result.estimate);
        }
      }
    }
  }
}

static void bench_threads(int quick)
{
  int n = quick ? 26 : 30, threads, run;
  double a[64 * 64], seconds[3] = {0, 0, 0};
  perm_result result[3];
  bench_matrix(n, a);
  for (run = 0; run < 3; run++)
    for (threads = 1; threads <= 2; threads++) {
      perm_options options;
      memset(&options, 0, sizeof options);
      options.threads = threads;
      perm_compute_real(n, n, a, n, &options, &result[threads]);
      if (!run || result[threads].seconds < seconds[threads])
        seconds[threads] = result[threads].seconds;
    }
  printf("\n## Threads, n=%d (best of 3): 1 thread %.3f s, 2 threads %.3f s: %.2fx, %s\n", n, seconds[1], seconds[2],
         seconds[1] / seconds[2],
         memcmp(&result[1].value, &result[2].value, sizeof(double)) ? "BITS DIFFER" : "same bits");
}

static void bench_small(void)
{
  double a[16 * 16];
  int n, calls, i;
  printf("\n## Small matrices, ns a call of perm_real (best of 5)\n\n| n | ns |\n|---|---|\n");
  for (n = 2; n <= 12; n++) {
    double best = 1;
    int run;
    bench_matrix(n, a);
    calls = n <= 4 ? 1000000 : 2000;
    for (run = 0; run < 5; run++) {
      double start = bench_seconds(), each;
      for (i = 0; i < calls; i++)
        bench_sink += perm_real(n, a);
      each = (bench_seconds() - start) / calls;
      best = each < best ? each : best;
    }
    printf("| %d | %.1f |\n", n, 1e9 * best);
  }
}

int main(int argc, char **argv)
{
  int quick = argc > 1 && !strcmp(argv[1], "quick");
  bench_dense(quick);
  bench_accuracy(quick);
  bench_threads(quick);
  bench_small();
  return bench_sink == 12345.678;
}
