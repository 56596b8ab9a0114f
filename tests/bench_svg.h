/* Part of tests/bench.c: rates against n, measured in one run and written as an SVG. */
#ifndef PERM_BENCH_SVG_H_INCLUDED
#define PERM_BENCH_SVG_H_INCLUDED

#define SVG_FIRST_N 14
#define SVG_LAST_N 30
#define SVG_SIZES (SVG_LAST_N - SVG_FIRST_N + 1)

typedef struct svg_series {
  const char *name, *colour;
  perm_isa isa; /* PERM_ISA_AUTO: the plain program */
  int precision, parts;
  double rate[SVG_SIZES]; /* 0: not measured */
  double label;           /* height of its label */
} svg_series;

static svg_series svg_all[] = {
    {"real, AVX-512", "#0b3c8c", PERM_ISA_AVX512, 0, 1, {0}, 0},
    {"real, AVX2", "#2f7ed8", PERM_ISA_AVX2, 0, 1, {0}, 0},
    {"real, NEON", "#2f7ed8", PERM_ISA_NEON, 0, 1, {0}, 0},
    {"real, portable C", "#56a8e8", PERM_ISA_PLAIN, 0, 1, {0}, 0},
    {"real, certified", "#0a7d55", PERM_ISA_COUNT, 2, 1, {0}, 0},
    {"real, accurate", "#c77700", PERM_ISA_COUNT, 3, 1, {0}, 0},
    {"real, dd", "#8a4b08", PERM_ISA_COUNT, 4, 1, {0}, 0},
    {"complex", "#a3148b", PERM_ISA_COUNT, 0, 2, {0}, 0},
    {"plain program, real", "#444444", PERM_ISA_AUTO, 0, 1, {0}, 0},
    {"plain program, complex", "#888888", PERM_ISA_AUTO, 0, 2, {0}, 0},
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

/* The picture's geometry; logarithmic in the rate. */
#define SVG_WIDTH 1000
#define SVG_HEIGHT 616
#define SVG_LEFT 70.0
#define SVG_RIGHT 730.0
#define SVG_TOP 62.0
#define SVG_BOTTOM 500.0

static double svg_least, svg_most; /* rates at the axis' ends */

static double svg_x(int n)
{
  return SVG_LEFT + (SVG_RIGHT - SVG_LEFT) * (n - SVG_FIRST_N + 0.3) / (SVG_SIZES - 1 + 0.6);
}

static double svg_y(double rate)
{
  return SVG_BOTTOM - (SVG_BOTTOM - SVG_TOP) * log(rate / svg_least) / log(svg_most / svg_least);
}

static int svg_last(const svg_series *series)
{
  int k = SVG_SIZES - 1;
  while (k >= 0 && series->rate[k] == 0)
    k--;
  return k;
}

static void svg_text(FILE *file, double x, double y, const char *style, const char *text)
{
  fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
  for (; *text; text++)
    if (*text == '&' || *text == '<')
      fputs(*text == '&' ? "&amp;" : "&lt;", file);
    else
      fputc(*text, file);
  fprintf(file, "</text>\n");
}

static void svg_axes(FILE *file)
{
  char text[32];
  double decade, tick;
  int n, k;
  for (n = SVG_FIRST_N; n <= SVG_LAST_N; n += 2) {
    fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#eeeeee\"/>\n", svg_x(n), SVG_TOP,
            svg_x(n), SVG_BOTTOM);
    snprintf(text, sizeof text, "%d", n);
    svg_text(file, svg_x(n), SVG_BOTTOM + 20, "text-anchor=\"middle\"", text);
  }
  for (decade = 1e6; decade <= 1e12; decade *= 10)
    for (k = 1; k <= 9; k++) {
      int labelled = k == 1 || k == 2 || k == 5;
      tick = k * decade;
      if (tick < svg_least * 0.999 || tick > svg_most * 1.001)
        continue;
      fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", SVG_LEFT, svg_y(tick),
              SVG_RIGHT, svg_y(tick), k == 1 ? "#c8c8c8" : labelled ? "#e2e2e2" : "#f3f3f3");
      snprintf(text, sizeof text, "%g", tick / 1e9);
      if (labelled)
        svg_text(file, SVG_LEFT - 8, svg_y(tick) + 4, "text-anchor=\"end\"", text);
    }
  fprintf(file,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#888888\"/>\n", SVG_LEFT,
          SVG_TOP, SVG_RIGHT - SVG_LEFT, SVG_BOTTOM - SVG_TOP);
  svg_text(file, (SVG_LEFT + SVG_RIGHT) / 2, SVG_BOTTOM + 42, "text-anchor=\"middle\"", "order n of the matrix");
  fprintf(file, "<g transform=\"translate(22,%.1f) rotate(-90)\">", (SVG_TOP + SVG_BOTTOM) / 2);
  svg_text(file, 0, 0, "text-anchor=\"middle\"", "rate, 1e9 elements/s (n 2^(n-1) elements), logarithmic");
  fprintf(file, "</g>\n");
}

/* Labels right of the lines are the legend, pushed apart where lines end close together. */
static void svg_labels(svg_series **series, int count)
{
  const double apart = 19;
  int i, k, moved;
  for (i = 1; i < count; i++) /* from the top down */
    for (k = i; k > 0 && series[k]->label < series[k - 1]->label; k--) {
      svg_series *swap = series[k];
      series[k] = series[k - 1];
      series[k - 1] = swap;
    }
  for (moved = 1, k = 0; moved && k < 1000; k++)
    for (i = 1, moved = 0; i < count; i++) {
      double overlap = apart - (series[i]->label - series[i - 1]->label);
      if (overlap > 0.01) {
        series[i - 1]->label -= overlap / 2;
        series[i]->label += overlap / 2;
        moved = 1;
      }
    }
}

static void svg_series_write(FILE *file, const svg_series *series)
{
  const char *dash = series->isa == PERM_ISA_AUTO ? " stroke-dasharray=\"7 5\"" : "";
  char text[32], style[64];
  int k, last = svg_last(series);
  fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2.2\" stroke-linejoin=\"round\"%s points=\"",
          series->colour, dash);
  for (k = 0; k <= last; k++)
    if (series->rate[k] > 0)
      fprintf(file, "%s%.1f,%.1f", k % 8 ? " " : "\n", svg_x(SVG_FIRST_N + k), svg_y(series->rate[k]));
  fprintf(file, "\"/>\n");
  for (k = 0; k <= last; k++)
    if (series->rate[k] > 0)
      fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\"/>\n", svg_x(SVG_FIRST_N + k),
              svg_y(series->rate[k]), series->colour);
  fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"0.8\" "
                "opacity=\"0.6\"/>\n",
          svg_x(SVG_FIRST_N + last) + 4, svg_y(series->rate[last]), SVG_RIGHT + 10, series->label, series->colour);
  fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2.6\"%s/>\n",
          SVG_RIGHT + 10, series->label, SVG_RIGHT + 36, series->label, series->colour, dash);
  snprintf(style, sizeof style, "fill=\"%s\"", series->colour);
  svg_text(file, SVG_RIGHT + 42, series->label + 4.5, style, series->name);
  snprintf(text, sizeof text, "%#.3g", series->rate[last] / 1e9);
  snprintf(style, sizeof style, "fill=\"%s\" text-anchor=\"end\"", series->colour);
  svg_text(file, SVG_WIDTH - 16, series->label + 4.5, style, text);
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
  static const char *const caption[] = {
      "Precision default and the best kernels where none are named; certified: with a guaranteed bound. Dashed:",
      "textbook Gray-code programs. Entries U[-1,1]; best of 3 or more calls (above 0.3 s: of chunks, scaled)."};
  FILE *file = fopen(path, "w");
  char text[320];
  int i;
  if (!file) {
    fprintf(stderr, "%s cannot be written\n", path);
    exit(1);
  }
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
          "font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" font-size=\"13\" fill=\"#222222\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
          SVG_WIDTH, SVG_HEIGHT, SVG_WIDTH, SVG_HEIGHT);
  svg_text(file, SVG_LEFT, 34, "font-size=\"18\" font-weight=\"bold\"", "perm: rate of exact permanents, one thread");
  svg_text(file, SVG_WIDTH - 16, SVG_TOP + 4, "font-size=\"12\" fill=\"#666666\" text-anchor=\"end\"",
           "at the last n measured");
  svg_axes(file);
  for (i = count - 1; i >= 0; i--)
    svg_series_write(file, series[i]);
  svg_text(file, SVG_LEFT, SVG_HEIGHT - 50, "font-size=\"12\" fill=\"#555555\"", caption[0]);
  svg_text(file, SVG_LEFT, SVG_HEIGHT - 33, "font-size=\"12\" fill=\"#555555\"", caption[1]);
  svg_machine(text, sizeof text);
  svg_text(file, SVG_LEFT, SVG_HEIGHT - 16, "font-size=\"12\" fill=\"#555555\"", text);
  fprintf(file, "</svg>\n");
  if (fclose(file)) {
    fprintf(stderr, "%s cannot be written\n", path);
    exit(1);
  }
}

static void bench_figure(const char *path)
{
  static double a[2][BENCH_MATRIX];
  svg_series *shown[BENCH_COUNT(svg_all)];
  double rate[2], least = 1e300, most = 0;
  int native[2], count = 0, parts, n, i, k;
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
  for (i = 0; i < count; i++)
    for (k = 0; k < SVG_SIZES; k++)
      if (shown[i]->rate[k] > 0) {
        least = fmin(least, shown[i]->rate[k]);
        most = fmax(most, shown[i]->rate[k]);
      }
  svg_least = pow(10, floor(10 * log10(0.9 * least)) / 10);
  svg_most = pow(10, ceil(10 * log10(1.1 * most)) / 10);
  for (i = 0; i < count; i++)
    shown[i]->label = svg_y(shown[i]->rate[svg_last(shown[i])]);
  svg_labels(shown, count);
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
