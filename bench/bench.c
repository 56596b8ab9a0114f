/* make bench: rates in elements/s, n 2^(n-1) / seconds, of our kernels beside the measured roofline and plain programs,
   all in one run, medians; accuracy where a reference exists; the bounds; two threads; a picture.
   Usage: build/bench PART...  with the parts
     rates[=N,...] pair accuracy bounds precision small counts exact threads figure=FILE.svg
   or: build/bench process COMMAND... */
#define INSIDE_DENSE
#include "../tests/unit/inside.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double bench_sink;

static double bench_seconds(void)
{
  return permi_seconds();
}

#include "bench_roofline.h"

double bench_plain_real_O2(int n, const double *a);
double bench_plain_real_native(int n, const double *a);
void bench_plain_complex_O2(int n, const double *a, double *value);
void bench_plain_complex_native(int n, const double *a, double *value);

#define BENCH_COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define BENCH_MAX_N 34
#define BENCH_MATRIX (2 * BENCH_MAX_N * BENCH_MAX_N) /* doubles of a matrix, real or complex */

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

static double bench_median(double *x, int count) /* sorts x */
{
  qsort(x, (size_t)count, sizeof *x, bench_compare);
  return x[count / 2];
}

/* U[-1,1]: entries, or both parts of complex ones */
static void bench_matrix(int n, int parts, double *a)
{
  uint64_t state = 42;
  int i;
  for (i = 0; i < parts * n * n; i++)
    a[i] = bench_random(&state);
}

static double bench_elements(int n)
{
  return n * ldexp(1, n - 1);
}

/* ------------------------------------------------------------------------------------- one way to compute */

static const perm_isa bench_families[] = {PERM_ISA_AVX512, PERM_ISA_AVX2, PERM_ISA_NEON, PERM_ISA_PLAIN};

/* The dense engine's precisions, and the roofline of each for real and complex matrices. */
typedef struct bench_precision {
  const char *name;
  perm_precision precision;
  int certify;
  int roofline[2]; /* -1: none is measured */
} bench_precision;
static const bench_precision bench_precisions[] = {
    {"default", PERM_PRECISION_DEFAULT, 0, {ROOF_NORMALISED, ROOF_PAIR_COMPLEX}},
    {"fast", PERM_PRECISION_FAST, 0, {ROOF_NORMALISED, ROOF_PAIR_COMPLEX}},
    {"default, certify", PERM_PRECISION_DEFAULT, 1, {ROOF_SPLIT_REAL, ROOF_SPLIT_COMPLEX}},
    {"accurate", PERM_PRECISION_ACCURATE, 0, {-1, -1}},
    {"dd", PERM_PRECISION_DD, 0, {-1, -1}},
};
#define BENCH_PRECISIONS BENCH_COUNT(bench_precisions)

static perm_options bench_options(perm_isa isa, const bench_precision *precision)
{
  perm_options options;
  memset(&options, 0, sizeof options);
  options.isa = isa;
  options.threads = 1;
  options.tolerance = 1; /* no escalation */
  if (precision) {
    options.precision = precision->precision;
    options.certify = precision->certify;
  }
  return options;
}

static void bench_compute(int n, int parts, const double *a, const perm_options *options, perm_result *result)
{
  perm_status status = (parts == 2 ? perm_compute_complex : perm_compute_real)(n, n, a, n, options, result);
  if (status < 0 || result->escalated) {
    fprintf(stderr, "n=%d: %s %s\n", n, perm_name("status", status), result->message);
    exit(1);
  }
}

/* A computation that may be too long to repeat: then only some chunks of its job are run, and time is scaled. */
typedef struct bench_work {
  int n, parts;
  const double *a;
  perm_options options;
  perm_job *job;
  uint64_t chunks, all; /* how many of all chunks a run takes; 0: a whole call */
  double prepared;      /* seconds for the plan and the job */
} bench_work;

static double bench_chunks(const bench_work *work, uint64_t chunks)
{
  double start = bench_seconds();
  int k, threads = work->options.threads;
#if defined(_OPENMP)
#pragma omp parallel for num_threads(threads)
#endif
  for (k = 0; k < threads; k++) {
    perm_partial partial;
    memset(&partial, 0, sizeof partial);
    perm_job_run(work->job, 0, chunks * (uint64_t)k / (uint64_t)threads,
                 chunks * (uint64_t)(k + 1) / (uint64_t)threads, &partial);
  }
  return bench_seconds() - start;
}

/* Calls that would take longer than most_seconds run chunks for about sample_seconds instead. */
static bench_work bench_work_make(int n, int parts, const double *a, const perm_options *options, double most_seconds,
                                  double sample_seconds)
{
  bench_work work;
  permi_dense_plan plan;
  perm_result result;
  perm_leaf leaf;
  double each;
  memset(&work, 0, sizeof work);
  work.n = n;
  work.parts = parts;
  work.a = a;
  work.options = *options;
  work.prepared = bench_seconds();
  if ((parts == 2 ? perm_plan_complex : perm_plan_real)(n, n, a, n, options, &plan, &result) != PERM_OK ||
      (parts == 2 ? perm_job_create_complex : perm_job_create_real)(&plan, a, n, options, &work.job, &result) !=
          PERM_OK) {
    fprintf(stderr, "n=%d: %s\n", n, result.message);
    exit(1);
  }
  work.prepared = bench_seconds() - work.prepared;
  memset(&leaf, 0, sizeof leaf);
  perm_job_leaf(work.job, 0, &leaf);
  work.all = leaf.chunks;
  each = bench_chunks(&work, (uint64_t)options->threads < leaf.chunks ? (uint64_t)options->threads : 1);
  each /= options->threads;
  if (each * (double)leaf.chunks > most_seconds) {
    work.chunks = (uint64_t)(sample_seconds / each) + (uint64_t)options->threads;
    if (work.chunks > work.all)
      work.chunks = 0;
  }
  return work;
}

static void bench_work_free(bench_work *work)
{
  perm_job_free(work->job);
}

/* Seconds of one permanent, whole call or scaled. */
static double bench_run(const bench_work *work, perm_result *result)
{
  double start = bench_seconds();
  perm_result mine;
  if (work->chunks)
    return work->prepared + bench_chunks(work, work->chunks) * (double)work->all / (double)work->chunks;
  bench_compute(work->n, work->parts, work->a, &work->options, result ? result : &mine);
  start = bench_seconds() - start;
  bench_sink += result ? result->value : mine.value;
  return start;
}

/* --------------------------------------------------------------------------------------------- plain programs */

static const char *const bench_plain_name[] = {"-O2", "-O3 -march=native"};

static double bench_plain_run(int native, int n, int parts, const double *a)
{
  double start = bench_seconds(), value[2];
  if (parts == 2)
    (native ? bench_plain_complex_native : bench_plain_complex_O2)(n, a, value);
  else
    value[0] = native ? bench_plain_real_native(n, a) : bench_plain_real_O2(n, a);
  bench_sink += value[0];
  return bench_seconds() - start;
}

/* The rate of the faster compilation, which goes to *fastest; medians of `runs`. rate[2]: of both. */
static double bench_plain(int n, int parts, const double *a, int runs, double *rate, int *fastest)
{
  double seconds[2][5];
  int native, run;
  for (run = 0; run < runs; run++)
    for (native = 0; native < 2; native++)
      seconds[native][run] = bench_plain_run(native, n, parts, a);
  for (native = 0; native < 2; native++)
    rate[native] = bench_elements(n) / bench_median(seconds[native], runs);
  *fastest = rate[1] > rate[0];
  return rate[*fastest];
}

/* --------------------------------------------------------------------------------------------- parts: rates, pair */

#define BENCH_ROUNDS 101

static void bench_cell(const char *format, double x) /* empty where there is no figure */
{
  if (x > 0)
    printf(format, x);
  printf(" |");
}

/* One family, all precisions in turn, each with the roofline right before and after it, so that a change of clock or a
   busy neighbour meets all; shares and relative times are medians of the ratios. */
static void bench_rates_family(int n, int parts, const double *a, perm_isa isa, double plain,
                               double roofline[ROOF_COUNT])
{
  static double rate[BENCH_PRECISIONS][BENCH_ROUNDS], share[BENCH_PRECISIONS][BENCH_ROUNDS];
  static double relative[BENCH_PRECISIONS][BENCH_ROUNDS], roof[BENCH_PRECISIONS][BENCH_ROUNDS];
  bench_work work[BENCH_PRECISIONS];
  double start = 0;
  int p, round, rounds = BENCH_ROUNDS;
  for (p = 0; p < BENCH_PRECISIONS; p++) {
    perm_options options = bench_options(isa, &bench_precisions[p]);
    work[p] = bench_work_make(n, parts, a, &options, 1, 0.25);
  }
  start = bench_seconds();
  for (round = 0; round < rounds; round++) {
    double first = 0;
    for (p = 0; p < BENCH_PRECISIONS; p++) {
      int kind = bench_precisions[p].roofline[parts - 1];
      double before = bench_roofline(isa, kind), seconds = bench_run(&work[p], NULL);
      roof[p][round] = fmax(before, bench_roofline(isa, kind));
      rate[p][round] = bench_elements(n) / seconds;
      share[p][round] = roof[p][round] > 0 ? rate[p][round] / roof[p][round] : 0;
      if (p == 0)
        first = seconds;
      relative[p][round] = seconds / first;
      if (kind >= 0)
        roofline[kind] = fmax(roofline[kind], roof[p][round]);
    }
    if (round == 2) /* about two seconds, three rounds at least */
      rounds = permi_clamp((int)(2 / ((bench_seconds() - start) / 3)), 3, BENCH_ROUNDS);
  }
  for (p = 0; p < BENCH_PRECISIONS; p++) {
    double median = bench_median(rate[p], rounds);
    printf("| %d | %s | %s | %s | %#.3g%s | %#.3g |", n, parts == 2 ? "complex" : "real", perm_name("isa", isa),
           bench_precisions[p].name, median / 1e9, work[p].chunks ? "*" : "", rate[p][rounds - 1] / 1e9);
    bench_cell(" %#.3g", bench_median(roof[p], rounds) / 1e9);
    bench_cell(" %.2f", bench_median(share[p], rounds));
    printf(" %.1f | %.2f |\n", median / plain, bench_median(relative[p], rounds));
    bench_work_free(&work[p]);
  }
  fflush(stdout);
}

static void bench_rates(const char *sizes)
{
  static double a[BENCH_MATRIX];
  double roofline[BENCH_COUNT(bench_families)][ROOF_COUNT] = {{0}}, rate[2][64][2] = {{{0}}};
  double fastest_rate[2][64];
  const char *next;
  int fastest[2] = {0, 0}, parts, family, kind, n;
  char *end;
  printf("\n## Rates, one thread, 1e9 elements/s\n\n"
         "Entries U[-1,1], complex ones in both parts. Medians of whole calls; * calls that take over a second: some\n"
         "chunks of the job were run and the time scaled. Roofline: what this core issued of the kernel's own mix of\n"
         "operations, right before and after each call (median); share: median of ratios. Times are relative to\n"
         "default, median of ratios. Plain: textbook Gray-code programs, the faster of -O2 and -O3 -march=native.\n\n"
         "| n | matrix | kernels | precision | rate | best | roofline | share | x plain | time / default |\n"
         "|---|---|---|---|---|---|---|---|---|---|\n");
  for (next = sizes; *next; next = *end ? end + 1 : end) {
    n = permi_clamp((int)strtol(next, &end, 10), 8, 30);
    for (parts = 1; parts <= 2; parts++) {
      bench_matrix(n, parts, a);
      if (n <= 24) {
        fastest_rate[parts - 1][n] = bench_plain(n, parts, a, n > 20 ? 3 : 5, rate[parts - 1][n], &fastest[parts - 1]);
      } else { /* once, of what was faster before */
        fastest_rate[parts - 1][n] = bench_elements(n) / bench_plain_run(fastest[parts - 1], n, parts, a);
        rate[parts - 1][n][fastest[parts - 1]] = fastest_rate[parts - 1][n];
      }
      for (family = 0; family < BENCH_COUNT(bench_families); family++)
        if (permi_isa_here(bench_families[family]))
          bench_rates_family(n, parts, a, bench_families[family], fastest_rate[parts - 1][n], roofline[family]);
    }
  }
  printf("\nPlain programs, 1e9 elements/s (above n = 24 one run of the faster one):\n\n| n | matrix | %s | %s |\n"
         "|---|---|---|---|\n", bench_plain_name[0], bench_plain_name[1]);
  for (n = 0; n < 64; n++)
    for (parts = 1; parts <= 2; parts++)
      if (rate[parts - 1][n][0] + rate[parts - 1][n][1] > 0) {
        printf("| %d | %s |", n, parts == 2 ? "complex" : "real");
        bench_cell(" %.3f", rate[parts - 1][n][0] / 1e9);
        bench_cell(" %.3f", rate[parts - 1][n][1] / 1e9);
        printf("\n");
      }
  printf("\nBest rooflines of the run, 1e9 elements/s (operands in registers let the core keep a higher clock):\n\n"
         "| kernels |");
  for (kind = 0; kind < ROOF_COUNT; kind++)
    printf(" %s |", roof_name[kind]);
  printf("\n|---|---|---|---|---|---|\n");
  for (family = 0; family < BENCH_COUNT(bench_families); family++)
    if (roofline[family][ROOF_NORMALISED] > 0) {
      int run;
      for (run = 0; run < 50; run++)
        roofline[family][ROOF_REGISTERS] =
            fmax(roofline[family][ROOF_REGISTERS], bench_roofline(bench_families[family], ROOF_REGISTERS));
      printf("| %s |", perm_name("isa", bench_families[family]));
      for (kind = 0; kind < ROOF_COUNT; kind++)
        printf(" %.1f |", roofline[family][kind] / 1e9);
      printf("\n");
    }
}

/* Real matrices with a zero in every column have no column to divide by. */
static void bench_pair(void)
{
  static const int sizes[] = {20, 24};
  double a[BENCH_MATRIX], b[BENCH_MATRIX];
  int k, family, i, run;
  printf("\n## Rows in pairs: real matrices with a zero in every column, one thread, 1e9 elements/s\n\n"
         "| n | kernels | in pairs | normalised | rate of pairs / normalised |\n|---|---|---|---|---|\n");
  for (k = 0; k < BENCH_COUNT(sizes); k++)
    for (family = 0; family < BENCH_COUNT(bench_families); family++) {
      int n = sizes[k], runs = bench_families[family] == PERM_ISA_PLAIN ? 3 : 21;
      perm_options options = bench_options(bench_families[family], NULL);
      double pair[21], normal[21], ratio[21];
      bench_work with, without;
      if (!permi_isa_here(bench_families[family]))
        continue;
      bench_matrix(n, 1, a);
      bench_matrix(n, 1, b);
      for (i = 0; i < n; i++)
        b[i * n + i] = 0;
      with = bench_work_make(n, 1, b, &options, 1, 0.25);
      without = bench_work_make(n, 1, a, &options, 1, 0.25);
      for (run = 0; run < runs; run++) {
        normal[run] = bench_elements(n) / bench_run(&without, NULL);
        pair[run] = bench_elements(n) / bench_run(&with, NULL);
        ratio[run] = pair[run] / normal[run];
      }
      printf("| %d | %s | %#.3g | %#.3g | %.2f |\n", n, perm_name("isa", bench_families[family]),
             bench_median(pair, runs) / 1e9, bench_median(normal, runs) / 1e9, bench_median(ratio, runs));
      bench_work_free(&with);
      bench_work_free(&without);
    }
}

#include "bench_accuracy.h"
#include "bench_svg.h"

/* ------------------------------------------------------------------------------- parts: small, process */

/* Calls for small matrices. One line of the list adds one to the table. */
static double bench_small_real(int n, const double *a)
{
  return perm_real(n, a);
}

static double bench_small_compute(int n, const double *a)
{
  perm_result result;
  perm_compute_real(n, n, a, n, NULL, &result);
  return result.value;
}

static double bench_small_options(int n, const double *a)
{
  perm_options options;
  perm_result result;
  memset(&options, 0, sizeof options);
  options.threads = 1;
  options.tolerance = 1e-9;
  perm_compute_real(n, n, a, n, &options, &result);
  return result.value;
}

static double bench_small_complex(int n, const double *a)
{
  double value[2];
  perm_complex(n, a, value);
  return value[0] + value[1];
}

static double bench_small_compute_complex(int n, const double *a)
{
  perm_result result;
  perm_compute_complex(n, n, a, n, NULL, &result);
  return result.value;
}

static int64_t bench_small_entries[2][16 * 16]; /* 0/1; -100 .. 100 */

static double bench_small_digits(int n, const double *a)
{
  perm_result result;
  (void)a;
  perm_compute_integer(n, n, bench_small_entries[0], n, NULL, &result);
  return result.value;
}

static double bench_small_hundreds(int n, const double *a)
{
  perm_result result;
  (void)a;
  perm_compute_integer(n, n, bench_small_entries[1], n, NULL, &result);
  return result.value;
}

#include "bench_peers.h"

static const struct {
  const char *name;
  int parts;
  double (*call)(int n, const double *a);
} bench_small_functions[] = {
    {"perm_real", 1, bench_small_real},
    {"perm_compute_real", 1, bench_small_compute},
    {"with options", 1, bench_small_options},
    {"perm_complex", 2, bench_small_complex},
    {"perm_compute_complex", 2, bench_small_compute_complex},
    {"perm_compute_integer 0/1", 1, bench_small_digits},
    {"perm_compute_integer -100..100", 1, bench_small_hundreds},
    {"plain program, -O3 -march=native", 1, bench_small_plain},
    {"FLINT 0/1", 1, bench_small_flint_digits},
    {"FLINT -100..100", 1, bench_small_flint_hundreds},
};

static void bench_small(void)
{
  const int64_t *const entries[2] = {bench_small_entries[0], bench_small_entries[1]};
  double a[BENCH_MATRIX];
  int n, f, run, calls, i, columns;
  bench_matrix(16, 1, a);
  for (i = 0; i < 16 * 16; i++) {
    bench_small_entries[0][i] = a[i] > 0;
    bench_small_entries[1][i] = (int64_t)floor(100.5 * a[i]);
  }
  bench_flint_open(entries);
  columns = BENCH_COUNT(bench_small_functions) - (bench_flint.permanent ? 0 : 2);
  printf("\n## Small matrices, ns a call (best of 5)\n\n| n |");
  for (f = 0; f < columns; f++)
    printf(" %s |", bench_small_functions[f].name);
  printf("\n|---|");
  for (f = 0; f < columns; f++)
    printf("---|");
  printf("\n");
  for (n = 2; n <= 16; n++) {
    printf("| %d |", n);
    for (f = 0; f < columns; f++) {
      double best = 1;
      bench_matrix(n, bench_small_functions[f].parts, a);
      calls = n <= 4 ? 1000000 : n <= 12 ? 2000 : 200;
      for (run = 0; run < 5; run++) {
        double start = bench_seconds(), each;
        for (i = 0; i < calls; i++)
          bench_sink += bench_small_functions[f].call(n, a);
        each = (bench_seconds() - start) / calls;
        best = each < best ? each : best;
      }
      printf(" %.1f |", 1e9 * best);
    }
    printf("\n");
  }
}

#include "bench_batch.h"
#include "bench_small.h"

#include "bench_process.h"
#include "bench_exact.h"
#include "bench_threads.h"
#include "bench_counts.h"

int main(int argc, char **argv)
{
  int i;
  if (argc > 2 && !strcmp(argv[1], "process")) {
    bench_process(argv + 2);
    return 0;
  }
  for (i = 1; i < argc; i++) {
    const char *value = strchr(argv[i], '=');
    size_t length = strcspn(argv[i], "=");
#define BENCH_IS(name) (length == strlen(name) && !strncmp(argv[i], name, length))
    if (BENCH_IS("rates")) {
      bench_rates(value ? value + 1 : "20,24,28");
    } else if (BENCH_IS("pair")) {
      bench_pair();
    } else if (BENCH_IS("accuracy")) {
      bench_accuracy();
    } else if (BENCH_IS("bounds")) {
      bench_bounds();
    } else if (BENCH_IS("precision")) {
      bench_constant();
    } else if (BENCH_IS("small")) {
      bench_small();
      bench_small_minors();
    } else if (BENCH_IS("counts")) {
      bench_counts();
    } else if (BENCH_IS("exact")) {
      bench_exact();
    } else if (BENCH_IS("batch")) {
      bench_batch();
      bench_minors();
    } else if (BENCH_IS("threads")) {
      bench_threads();
    } else if (BENCH_IS("figure") && value) {
      bench_figure(value + 1);
    } else {
      fprintf(stderr, "no such part: %s; parts are rates[=N,...] pair accuracy bounds precision small batch counts "
                      "exact threads figure=FILE.svg, or process COMMAND...\n", argv[i]);
      return 2;
    }
    fflush(stdout);
#undef BENCH_IS
  }
  return bench_sink == 12345.678;
}
/* SPDX-License-Identifier: MIT */
