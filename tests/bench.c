/* make bench: rates in elements/s, n 2^(n-1) / seconds, of our kernels beside the measured roofline and a plain
   program, all in one run on one core, medians; accuracy at sizes where a reference exists; two threads.
   Usage: build/bench PART...   parts: dense accuracy threads small; or: build/bench process COMMAND... */
#define PERM_IMPLEMENTATION
#include "perm_sparse.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* One permanent, whole call: elements/s. */
static double bench_ours(int n, const double *a, const perm_options *options)
{
  perm_result result;
  double start = bench_seconds();
  perm_compute_real(n, n, a, n, options, &result);
  start = bench_seconds() - start;
  bench_sink += result.value;
  return n * ldexp(1, n - 1) / start;
}

static double bench_program(double (*program)(int n, const double *a), int n, const double *a)
{
  double start = bench_seconds();
  bench_sink += program(n, a);
  return n * ldexp(1, n - 1) / (bench_seconds() - start);
}

static double bench_roofline(int isa, int loads)
{
#if defined(__x86_64__)
  if (isa == PERM_ISA_AVX512)
    return roof_avx512(loads);
  if (isa == PERM_ISA_AVX2)
    return roof_avx2(loads);
#endif
  (void)isa;
  (void)loads;
  return 0;
}

static double bench_median(double *x, int count)
{
  qsort(x, (size_t)count, sizeof *x, bench_compare);
  return x[count / 2];
}

static void bench_matrix(int n, double *a)
{
  uint64_t state = 42;
  int i;
  for (i = 0; i < n * n; i++)
    a[i] = bench_random(&state);
}

/* Our call and the roofline in turn, a few hundred microseconds to a second each, so that a change of clock or a
   busy neighbour meets both; the share is the median of the ratios, the rates are medians and bests. */
static void bench_dense(void)
{
  static const int sizes[] = {20, 24, 28};
  static double rate[401], share[401], roof[401];
  double a[64 * 64], plain[2][8];
  int k, run;
  printf("\n## Dense real, one thread, 1e9 elements/s\n\n"
         "Roofline: the kernel's own mix, additions with a memory operand (in brackets: all in registers, which\n"
         "runs at a higher clock). Plain: the textbook Gray-code program, the faster of -O2 and -O3 -march=native.\n\n"
         "| n | kernel | precision | median | best | roofline | median share | best/best | plain | x plain |\n"
         "|---|---|---|---|---|---|---|---|---|---|\n");
  for (k = 0; k < 3; k++) {
    int n = sizes[k], isa, precision, plain_runs = n > 24 ? 1 : 5;
    double best_plain;
    bench_matrix(n, a);
    for (run = 0; run < plain_runs; run++) {
      plain[0][run] = bench_program(bench_plain_O2, n, a);
      plain[1][run] = bench_program(bench_plain_native, n, a);
    }
    best_plain = fmax(bench_median(plain[0], plain_runs), bench_median(plain[1], plain_runs));
    for (isa = PERM_ISA_AVX512; isa >= PERM_ISA_PLAIN; isa--)
      for (precision = PERM_PRECISION_DEFAULT; precision <= PERM_PRECISION_FAST; precision++) {
        perm_options options;
        double best = 0, best_roof = 0, best_register = 0, median, median_share;
        int runs = isa == PERM_ISA_PLAIN ? 5 : n == 20 ? 401 : n == 24 ? 101 : 9;
        if (isa > (int)perm_isa_best() || (isa == PERM_ISA_PLAIN && n > 24))
          continue;
        memset(&options, 0, sizeof options);
        options.isa = (perm_isa)isa;
        options.precision = (perm_precision)precision;
        options.threads = 1;
        options.tolerance = 1; /* no escalation */
        for (run = 0; run < runs; run++) {
          double registers = bench_roofline(isa, 0), before = bench_roofline(isa, 1);
          rate[run] = bench_ours(n, a, &options);
          roof[run] = fmax(before, bench_roofline(isa, 1));
          share[run] = roof[run] > 0 ? rate[run] / roof[run] : 0;
          best = fmax(best, rate[run]);
          best_roof = fmax(best_roof, roof[run]);
          best_register = fmax(best_register, registers);
        }
        median = bench_median(rate, runs);
        median_share = bench_median(share, runs);
        printf("| %d | %s | %s | %.2f | %.2f |", n, perm_isa_name((perm_isa)isa),
               perm_precision_name((perm_precision)precision), median / 1e9, best / 1e9);
        if (best_roof > 0)
          printf(" %.1f (%.1f) | %.3f | %.3f |", best_roof / 1e9, best_register / 1e9, median_share, best / best_roof);
        else
          printf(" | | |");
        printf(" %.2f | %.1f |\n", best_plain / 1e9, median / best_plain);
        fflush(stdout);
      }
  }
  printf("\n| n | kernel | pair form (a zero in every column) | of the normalised form |\n|---|---|---|---|\n");
  for (k = 0; k < 2; k++) {
    int n = sizes[k], isa, i;
    for (isa = PERM_ISA_AVX512; isa >= PERM_ISA_PLAIN; isa--) {
      perm_options options;
      double b[64 * 64], normal[11], pair[11], median;
      if (isa > (int)perm_isa_best())
        continue;
      memset(&options, 0, sizeof options);
      options.isa = (perm_isa)isa;
      options.threads = 1;
      bench_matrix(n, a);
      bench_matrix(n, b);
      for (i = 0; i < n; i++)
        b[i * n + i] = 0;
      for (run = 0; run < (isa == PERM_ISA_PLAIN ? 3 : 11); run++) {
        normal[run] = bench_ours(n, a, &options);
        pair[run] = bench_ours(n, b, &options);
      }
      median = bench_median(pair, run);
      printf("| %d | %s | %.2f | %.2f |\n", n, perm_isa_name((perm_isa)isa), median / 1e9,
             median / bench_median(normal, run));
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

static void bench_accuracy(void)
{
  double a[32 * 32];
  int n, i, isa;
  printf("\n## Accuracy: relative error (and the estimate) of one permanent\n\n"
         "| matrix | reference | kernel | precision | error | estimate | error/estimate |\n"
         "|---|---|---|---|---|---|---|\n");
  for (n = 20; n <= 30; n += n == 20 ? 2 : 4) {
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

/* What two cores give at best here: the roofline of both at once against one, without our scheduler. */
static double bench_machine_scaling(void)
{
  double alone = 0, together = 0;
#if defined(_OPENMP)
  int run;
  for (run = 0; run < 5; run++) {
    double both = 0, start = bench_seconds(), one;
    int k;
    for (k = 0; k < 400; k++)
      bench_roofline((int)perm_isa_best(), 1);
    one = 400 / (bench_seconds() - start);
    start = bench_seconds();
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 400; i++)
      bench_roofline((int)perm_isa_best(), 1);
    both = 800 / (bench_seconds() - start);
    alone = fmax(alone, one);
    together = fmax(together, both);
  }
#endif
  return alone > 0 ? together / alone : 0;
}

static void bench_threads(void)
{
  int n = 30, threads, run;
  double a[64 * 64], seconds[3] = {0, 0, 0};
  perm_result result[3];
  bench_matrix(n, a);
  for (run = 0; run < 5; run++)
    for (threads = 1; threads <= 2; threads++) {
      perm_options options;
      memset(&options, 0, sizeof options);
      options.threads = threads;
      perm_compute_real(n, n, a, n, &options, &result[threads]);
      if (!run || result[threads].seconds < seconds[threads])
        seconds[threads] = result[threads].seconds;
    }
  printf("\n## Threads, n=%d (best of 5): 1 thread %.3f s, 2 threads %.3f s: %.2fx, %s\n", n, seconds[1], seconds[2],
         seconds[1] / seconds[2],
         memcmp(&result[1].value, &result[2].value, sizeof(double)) ? "BITS DIFFER" : "same bits");
  printf("\nThe roofline kernel itself on both cores at once gives %.2fx of one.\n", bench_machine_scaling());
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

/* A whole process from start to exit, best of 5, with its peak memory and what it printed. */
static void bench_process(char **argv)
{
  double best = 1e9;
  long memory = 0;
  char text[2048] = "", *value, *line;
  int run, argc = 0, report[2];
  for (run = 0; run < 5; run++) {
    struct rusage usage;
    double start = bench_seconds();
    ssize_t got;
    size_t used = 0;
    pid_t child;
    if (pipe(report))
      return;
    child = fork();
    if (child == 0) {
      dup2(report[1], 1);
      close(report[0]);
      close(report[1]);
      execv(argv[0], argv);
      _exit(127);
    }
    close(report[1]);
    while (used + 1 < sizeof text && (got = read(report[0], text + used, sizeof text - 1 - used)) > 0)
      used += (size_t)got;
    text[used] = 0;
    close(report[0]);
    wait4(child, NULL, 0, &usage);
    start = bench_seconds() - start;
    best = start < best ? start : best;
    memory = usage.ru_maxrss;
  }
  while (argv[argc])
    argc++;
  value = strstr(text, "permanent = ");
  value = value ? value + 12 : text;
  line = strchr(value, '\n');
  printf("| %s | %.4f | %.1f | %.*s | %.*s |\n", argv[argc - 3], best, (double)memory / 1024,
         (int)strcspn(value, "\n"), value, line ? (int)strcspn(line + 1, "\n") : 0, line ? line + 1 : "");
}

int main(int argc, char **argv)
{
  int i;
#if defined(__x86_64__)
  for (i = 0; i < 64; i++)
    roof_table[i] = 0.01 * (i % 7) - 0.03;
#endif
  if (argc > 2 && !strcmp(argv[1], "process")) {
    bench_process(argv + 2);
    return 0;
  }
  for (i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "dense"))
      bench_dense();
    else if (!strcmp(argv[i], "accuracy"))
      bench_accuracy();
    else if (!strcmp(argv[i], "threads"))
      bench_threads();
    else if (!strcmp(argv[i], "small"))
      bench_small();
  }
  return bench_sink == 12345.678;
}
