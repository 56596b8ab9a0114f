/* Does `estimate` survive an adversary? See climb.h.

   Run:  build/climb [-j PROCESSES] [RESULTS [SEED [ENGINE]]]   default 1 1000000 1; ENGINE: only ways whose call or
                                                 method is so named. A Markdown table, and of every row with a lie its
                                                 worst matrix. Processes take equal parts, with seeds SEED, SEED + 1, ..
         build/climb --splitters [PLACEMENTS [SEED]]   default 3000 1: hidden beam splitters of order 5 to 19, asked
                                                 with tolerance 1e-10
         build/climb --pessimism [SEED]          estimate / true error of random matrices, and how many are computed
                                                 again: Markdown tables with the limits (minutes)
   The closing line is `N passed, N failed, N skipped`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perm_more.h"
#include "climb.h"
#include "processes.h"

static int by_name(const void *x, const void *y)
{
  const climb_row *a = (const climb_row *)x, *b = (const climb_row *)y;
  return a->call != b->call             ? (int)a->call - (int)b->call
         : a->method != b->method       ? (int)a->method - (int)b->method
         : a->precision != b->precision ? (int)a->precision - (int)b->precision : a->parts - b->parts;
}

static void table(double seconds)
{
  int k;
  qsort(climb_found.table, (size_t)climb_found.count, sizeof *climb_found.table, by_name);
  printf("| call | engine | precision | numbers | results | worst true error / estimate | over 10 | over 100 | "
         "over 1,000 | worst true error / bound | bounds violated | tolerance falsely met |\n"
         "|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (k = 0; k < climb_found.count; k++) {
    const climb_row *row = &climb_found.table[k];
    printf("| %s | %s | %s | %s | %ld | %.2g | %ld | %ld | %ld | %.2g | %ld | %ld |\n", climb_call_name[row->call],
           perm_name("method", row->method), perm_name("precision", row->precision),
               row->parts == 1 ? "real" : "complex",
           row->results, row->worst, row->over_10, row->over_100, row->over_1000, row->worst_bound, row->violations,
           row->falsely_met);
  }
  printf("\n");
  for (k = 0; k < climb_found.count; k++)
    if (climb_found.table[k].worst > CLIMB_LIE) {
      printf("LIE %.3g times, %s %s: ", climb_found.table[k].worst, perm_name("method", climb_found.table[k].method),
             perm_name("precision", climb_found.table[k].precision));
      climb_show(&climb_found.table[k].problem, &climb_found.table[k].way);
    }
  printf("\n%ld results: %ld over 10 times the estimate, %ld over 100, %ld over 1,000; %ld bounds violated, %ld "
         "tolerances falsely met; %.0f s\n", climb_found.results, climb_found.lies, climb_found.over_100,
         climb_found.over_1000, climb_found.violations, climb_found.falsely_met, seconds);
}

static struct { long results; uint64_t seed; const char *name; } run;

static void share(int process, int count, FILE *to)
{
  uint64_t climb;
  const long results = run.results / count + (process < run.results % count);
  for (climb = (run.seed + (uint64_t)process) << 32; climb_found.results < results; climb++)
    climb_once(run.name, climb);
  fwrite(&climb_found, sizeof climb_found, 1, to);
}

static int add(FILE *from)
{
  static typeof(climb_found) theirs;
  int k;
  if (fread(&theirs, sizeof theirs, 1, from) != 1)
    return 0;
  climb_found.results += theirs.results;
  climb_found.lies += theirs.lies;
  climb_found.over_100 += theirs.over_100;
  climb_found.over_1000 += theirs.over_1000;
  climb_found.violations += theirs.violations;
  climb_found.falsely_met += theirs.falsely_met;
  for (k = 0; k < theirs.count; k++) {
    const climb_row *one = &theirs.table[k];
    perm_result like;
    climb_row *row;
    like.method = one->method;
    like.precision = one->precision;
    row = climb_row_of(one->call, &like, one->parts);
    row->results += one->results;
    row->over_10 += one->over_10;
    row->over_100 += one->over_100;
    row->over_1000 += one->over_1000;
    row->violations += one->violations;
    row->falsely_met += one->falsely_met;
    row->worst_bound = fmax(row->worst_bound, one->worst_bound);
    if (one->worst > row->worst) {
      row->worst = one->worst;
      row->way = one->way;
      row->problem = one->problem;
    }
  }
  return 1;
}

static int run_climb(long results, uint64_t seed, const char *name, int processes)
{
  const double start = test_seconds();
  long bad;
  if (climb_any_engine(name) < 0)
    return 2;
  run.results = results;
  run.seed = seed;
  run.name = name;
  bad = processes_run(processes, share, add);
  table(test_seconds() - start);
  printf("%.0f s of one core\n", processes_seconds());
  bad += climb_found.lies + climb_found.violations + climb_found.falsely_met;
  printf("%ld passed, %ld failed, 0 skipped\n", climb_found.results - bad, bad);
  return bad != 0;
}

static int run_splitters(long placements)
{
  climb_splitters found;
  long bad;
  climb_run_splitters(placements, 19, &found);
  bad = found.falsely_met + found.lies + found.violations;
  printf("%ld placements, %ld results: tolerance 1e-10 met by %ld, falsely by %ld; %ld over 10 times the estimate, "
         "%ld bounds violated\n", found.placements, found.results, found.met, found.falsely_met, found.lies,
         found.violations);
  printf("%ld passed, %ld failed, 0 skipped\n", found.results - bad, bad);
  return bad != 0;
}

/* -- pessimism ---------------------------------------------------------------------------------- */

typedef enum weights { GAUSSIAN, UNIFORM, POSITIVE, HALF, ALIKE, WEIGHTS } weights;
static const char *const weights_name[WEIGHTS] = {"Gaussian", "uniform [-1,1]", "uniform [0,1]",
                                                  "half zeros, uniform [0,1]", "half zeros, else 0.1"};
enum { MOST_N = 26 };

static double gaussian(void)
{
  const double radius = sqrt(-2 * log(1 - test_uniform()));
  return radius * cos(6.283185307179586 * test_uniform());
}

static void fill(weights kind, double density, int n, int parts, double *a)
{
  int i, k;
  for (i = 0; i < n * n; i++) {
    const int is = kind < HALF ? test_uniform() < density : test_uniform() < 0.5 * density;
    for (k = 0; k < parts; k++)
      a[i * parts + k] = !is                ? 0
                         : kind == GAUSSIAN ? gaussian()
                         : kind == UNIFORM  ? 2 * test_uniform() - 1
                         : kind == ALIKE    ? 0.1
                                            : test_uniform();
  }
}

static void ask(int n, int parts, const double *a, int sparse, const perm_options *options, perm_result *r)
{
  perm_matrix matrix;
  int row[MOST_N * MOST_N], column[MOST_N * MOST_N], i;
  double part[2][MOST_N * MOST_N];
  if (!sparse) {
    (parts == 1 ? perm_compute_real : perm_compute_complex)(n, n, a, n, options, r);
    return;
  }
  for (i = 0; i < n * n; i++) {
    row[i] = i / n;
    column[i] = i % n;
    part[0][i] = a[i * parts];
    part[1][i] = parts == 2 ? a[2 * i + 1] : 0;
  }
  if (perm_matrix_from_triplets(n, n, (size_t)(n * n), row, column, part[0], part[1], NULL,
                                parts == 1 ? PERM_KIND_REAL : PERM_KIND_COMPLEX, NULL, &matrix, NULL) != PERM_OK)
    abort();
  perm_compute_sparse(&matrix, options, r);
  perm_matrix_free(&matrix);
}

static int by_value(const void *x, const void *y)
{
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static double middle(double *value, int count)
{
  qsort(value, (size_t)count, sizeof *value, by_value);
  return count ? (value[(count - 1) / 2] + value[count / 2]) / 2 : 0;
}

typedef struct sample {
  weights kind;
  int parts, sparse;
  perm_method method;
  perm_precision precision;
  double density;
} sample;
typedef struct measure { double ratio[512]; int count, rerun; } measure;

/* One random matrix: estimate / true error of the sum without a rerun, and whether a default call runs again. The truth
   is the sum in double-double with its bound. An error below half a unit in the last place counts as that: a value in
   double has none smaller, nor has the truth. */
static void measure_one(const sample *of, int n, int reruns, measure *to)
{
  static double a[2 * MOST_N * MOST_N];
  perm_options options;
  perm_result r, truth;
  double distance, modulus;
  memset(&options, 0, sizeof options);
  fill(of->kind, of->density, n, of->parts, a);
  options.threads = options.certify = 1;
  options.precision = PERM_PRECISION_DD;
  ask(n, of->parts, a, of->sparse, &options, &truth);
  modulus = hypot(truth.value, truth.imaginary);
  if (truth.status != PERM_OK || truth.exp2 || !(truth.error_bound < 1e-14 * modulus))
    return; /* no permanent, or none that is known */
  options.certify = 0;
  options.method = of->method;
  options.precision = of->precision;
  if (reruns) {
    ask(n, of->parts, a, of->sparse, &options, &r);
    to->rerun += r.escalated > 0;
  }
  if (!reruns || r.escalated) {
    options.tolerance = 1;
    ask(n, of->parts, a, of->sparse, &options, &r);
  }
  if (r.status < 0 || r.exp2 || to->count == 512)
    return;
  distance = hypot(r.value - truth.value, r.imaginary - truth.imaginary);
  to->ratio[to->count++] = r.error_estimate / fmax(distance, 0.25 * DBL_EPSILON * modulus);
}

static long show_measure(const char *what, const sample *of, const char *orders, measure *found, double limit,
                         int reruns)
{
  const double median = middle(found->ratio, found->count);
  const int bad = !found->count || !(median <= limit) || (reruns && found->rerun * 40 > found->count);
  char rerun[32] = "-";
  if (reruns)
    snprintf(rerun, sizeof rerun, "%d", found->rerun);
  printf("| %s | %s | %s | %s | %s | %s | %d | %s | %.3g | %g | %s |\n", weights_name[of->kind], what,
         of->parts == 1 ? "real" : "complex", perm_name("method", of->method), perm_name("precision", of->precision),
             orders,
         found->count, rerun, median, limit, bad ? "FAIL" : "");
  fflush(stdout);
  return bad;
}

/* Random matrices as people have them: is the estimate as small as it may be? */
static int run_pessimism(void)
{
  static measure to;
  long rows = 0, bad = 0;
  int parts, kind, n, k;
  sample of;
  char orders[16];
  printf("| entries | matrices | numbers | engine | precision | orders | results | computed again | "
         "estimate / true error: median | at most | |\n|---|---|---|---|---|---|--:|--:|--:|--:|---|\n");
  for (kind = 0; kind < WEIGHTS - 1; kind++)
    for (parts = 1; parts <= 2; parts++) {
      of = (sample){(weights)kind, parts, 0, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 1};
      memset(&to, 0, sizeof to);
      for (n = 12; n <= 24; n += 2)
        for (k = 0; k < 6; k++)
          measure_one(&of, n, 1, &to);
      rows++;
      bad += show_measure("dense", &of, "12..24", &to, parts == 1 ? 150 : 300, 0);
    }
  for (kind = 0; kind < WEIGHTS; kind++)
    for (parts = 1; parts <= 2; parts++) {
      of = (sample){(weights)kind, parts, 1, PERM_METHOD_HYBRID, PERM_PRECISION_DEFAULT, kind < HALF ? 0.3 : 0.6};
      memset(&to, 0, sizeof to);
      for (n = 14; n <= 22; n += 2)
        for (k = 0; k < 6; k++)
          measure_one(&of, n, 0, &to);
      rows++;
      bad += show_measure("density 0.3", &of, "14..22", &to, 1000, 0);
    }
  for (n = 18; n <= 26; n++) {
    of = (sample){GAUSSIAN, 2, 0, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 1};
    memset(&to, 0, sizeof to);
    for (k = 0; k < 40; k++)
      measure_one(&of, n, 1, &to);
    snprintf(orders, sizeof orders, "%d", n);
    rows++;
    bad += show_measure("dense", &of, orders, &to, 300, 1);
  }
  printf("\n%ld passed, %ld failed, 0 skipped\n", rows - bad, bad);
  return bad != 0;
}

int main(int argc, char **argv)
{
  const int several = argc > 2 && !strcmp(argv[1], "-j"), processes = several ? atoi(argv[2]) : 1;
  argc -= 2 * several;
  argv += 2 * several;
  const int mode = argc < 2 ? 0 : !strcmp(argv[1], "--splitters") ? 1 : !strcmp(argv[1], "--pessimism") ? 2 : 0;
  char **argument = argv + (mode != 0);
  const int arguments = argc - (mode != 0) - 1;
  const long count = mode == 2 || arguments < 1 ? 0 : strtol(argument[1], NULL, 10);
  const char *text = mode == 2 ? (arguments > 0 ? argument[1] : NULL) : arguments > 1 ? argument[2] : NULL;
  const uint64_t seed = text ? strtoull(text, NULL, 10) : 1;
  if (count < 0 || (mode != 2 && arguments >= 1 && count == 0))
    return 2;
  test_seed(seed);
  return mode == 2   ? run_pessimism()
         : mode == 1 ? run_splitters(count ? count : 3000)
                     : run_climb(count ? count : 1000000, seed, arguments > 2 ? argument[3] : NULL, processes);
}
/* SPDX-License-Identifier: MIT */
