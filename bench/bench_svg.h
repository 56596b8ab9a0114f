/* Part of bench/bench.c: rates against n, measured in one run and written as an SVG. */
#ifndef PERM_BENCH_SVG_H_INCLUDED
#define PERM_BENCH_SVG_H_INCLUDED

#include "../examples/perm_plot.h"

#define SVG_FIRST_N 14
#define SVG_LAST_N 30
#define SVG_SIZES (SVG_LAST_N - SVG_FIRST_N + 1)

typedef struct svg_series {
  const char *name, *colour;
  perm_isa isa; /* PERM_ISA_AUTO: the plain program */
  int precision, parts;
  double rate[SVG_SIZES]; /* 0: not measured */
} svg_series;

static svg_series svg_all[] = {
    {"real, AVX-512", "#0072b2", PERM_ISA_AVX512, 0, 1, {0}},
    {"real, AVX2", "#56b4e9", PERM_ISA_AVX2, 0, 1, {0}},
    {"real, NEON", "#56b4e9", PERM_ISA_NEON, 0, 1, {0}},
    {"real, portable C", "#000000", PERM_ISA_PLAIN, 0, 1, {0}},
    {"real, certified", "#009e73", PERM_ISA_COUNT, 1, 1, {0}},
    {"real, dd", "#d55e00", PERM_ISA_COUNT, 2, 1, {0}},
    {"complex", "#cc79a7", PERM_ISA_COUNT, 0, 2, {0}},
    {"plain program, real", "#000000", PERM_ISA_AUTO, 0, 1, {0}},
    {"plain program, complex", "#7a7a7a", PERM_ISA_AUTO, 0, 2, {0}},
};

/* Best rate in about a fifth of a second, three calls at least; a plain program's only while a call stays below a few
   seconds, then one. */
static double svg_measure(const svg_series *series, int n, const double *a, int native)
{
  double best = 1e9, start = bench_seconds();
  int run = 0;
  if (series->isa == PERM_ISA_AUTO) {
    if (n > 28 - series->parts)
      return 0;
    do
      best = fmin(best, bench_plain_run(native, n, series->parts, a));
    while (bench_seconds() - start < 0.15);
  } else {
    perm_options options = bench_options(series->isa == PERM_ISA_COUNT ? PERM_ISA_AUTO : series->isa,
                                         &bench_precisions[series->precision]);
    bench_work work = bench_work_make(n, series->parts, a, &options, 0.3, 0.06);
    start = bench_seconds();
    do
      best = fmin(best, bench_run(&work, NULL));
    while (++run < 3 || bench_seconds() - start < 0.15);
    bench_work_free(&work);
  }
  return bench_elements(n) / best;
}

static void svg_machine(char *text, size_t size)
{
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[256], date[32], model[200] = "unknown processor";
  const time_t now = time(NULL);
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
      snprintf(model, sizeof model, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"), strchr(line, ':') + 2);
      break;
    }
  if (file)
    fclose(file);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
#if defined(__clang__)
  snprintf(text, size, "%s, one thread, %s; %s; make bench", model, date, __VERSION__);
#else
  snprintf(text, size, "%s, one thread, %s; gcc %s; make bench", model, date, __VERSION__);
#endif
}

static void svg_write(const char *path, svg_series **series, int count)
{
  plot_figure figure;
  plot_panel *panel;
  char machine[320];
  double n[SVG_SIZES], rate[SVG_SIZES];
  int i, k;
  svg_machine(machine, sizeof machine);
  plot_begin(&figure, 1080, 680, "perm: rate of exact permanents, one thread");
  figure.caption[0] =
      "Precision default and the best kernels where none are named; certified: with a guaranteed bound. "
      "Numbers: the rate at the last n.";
  figure.caption[1] =
      "Dashed: textbook Gray-code programs. Entries U[-1,1]; the best of 3 calls or more (above 0.3 s: of "
      "chunks, scaled).";
  figure.caption[2] = machine;
  panel = plot_add(&figure, 1, 1, 0, "order n of the matrix",
                   "rate, 10\xe2\x81\xb9 elements/s (n 2\xe2\x81\xbf\xe2\x81\xbb\xc2\xb9 elements)");
  panel->right -= 285;
  panel->legend = PLOT_RIGHT;
  panel->y_log = 1;
  for (i = 0; i < count; i++) {
    char label[96];
    double last = 0;
    for (k = 0; k < SVG_SIZES; k++) {
      n[k] = SVG_FIRST_N + k;
      rate[k] = series[i]->rate[k] / 1e9; /* 0, not measured, has no place on the axis */
      last = rate[k] > 0 ? rate[k] : last;
    }
    snprintf(label, sizeof label, "%s: %#.3g", series[i]->name, last);
    plot_draw(panel, PLOT_LINE | PLOT_POINTS | (series[i]->isa == PERM_ISA_AUTO ? PLOT_DASHED : 0), SVG_SIZES, n, rate,
              NULL, label)
        ->colour = series[i]->colour;
  }
  if (plot_write(&figure, path)) {
    fprintf(stderr, "%s cannot be written\n", path);
    exit(1);
  }
}

static void bench_figure(const char *path)
{
  static double a[2][BENCH_MATRIX];
  svg_series *shown[BENCH_COUNT(svg_all)];
  double rate[2];
  int native[2], count = 0, parts, n, i;
  for (parts = 1; parts <= 2; parts++) {
    bench_matrix(20, parts, a[parts - 1]);
    bench_plain(20, parts, a[parts - 1], 3, rate, &native[parts - 1]);
  }
  for (i = 0; i < BENCH_COUNT(svg_all); i++)
    if (svg_all[i].isa == PERM_ISA_AUTO || svg_all[i].isa == PERM_ISA_COUNT || permi_isa_here(svg_all[i].isa))
      shown[count++] = &svg_all[i];
  for (n = SVG_FIRST_N; n <= SVG_LAST_N; n++) {
    for (parts = 1; parts <= 2; parts++)
      bench_matrix(n, parts, a[parts - 1]);
    for (i = 0; i < count; i++)
      shown[i]->rate[n - SVG_FIRST_N] = svg_measure(shown[i], n, a[shown[i]->parts - 1], native[shown[i]->parts - 1]);
  }
  svg_write(path, shown, count);
  printf("\n## Rates against n: %s\n\n| n |", path);
  for (i = 0; i < count; i++)
    printf(" %s |", shown[i]->name);
  printf("\n|---|");
  for (i = 0; i < count; i++)
    printf("---|");
  for (n = SVG_FIRST_N; n <= SVG_LAST_N; n++) {
    printf("\n| %d |", n);
    for (i = 0; i < count; i++)
      bench_cell(" %#.3g", shown[i]->rate[n - SVG_FIRST_N] / 1e9);
  }
  printf("\n");
}

#endif
/* SPDX-License-Identifier: MIT */
