/* study_report.h: what the samples say, beside what the paper says: fits, tables, plots.
   Two fits of each limit n -> infinity. "Same form": theirs, a polynomial in 1/n of their degree, all orders of equal
   weight. "One order more": a degree more, weighted by the standard errors, since ours differ much between orders. Each
   is made for the several least orders n (and ranges of x) that they name; value: the mean of these, error: their
   spread and the statistical error, in quadrature. */
#ifndef PERM_STUDY_REPORT_H_INCLUDED
#define PERM_STUDY_REPORT_H_INCLUDED

#include "perm_plot.h"
#include "study.h"

enum { STUDY_EDGES = STUDY_BINS / STUDY_PER_EDGE + 1, STUDY_RESAMPLES = 60, STUDY_LEAST_SAMPLES = 1000 };

typedef struct study_value {
  double value, error; /* NAN: not enough samples */
} study_value;

static int study_has(const study *all, int e, int n)
{
  return n >= 1 && n <= STUDY_MOST_N && all->cell[e][n] && all->cell[e][n]->count >= STUDY_LEAST_SAMPLES;
}

/* Orders with less than a thousandth of the samples of others do not join fits, which may weigh all alike. */
static int study_fits(const study *all, int e, int n)
{
  uint64_t most = 0;
  int k;
  for (k = 5; k <= STUDY_MOST_N; k++)
    if (study_has(all, e, k) && all->cell[e][k]->count > most)
      most = all->cell[e][k]->count;
  return study_has(all, e, n) && all->cell[e][n]->count >= most / 1000;
}

/* Least squares: y = sum of c_k x^(k step), k <= degree; weighted by the standard errors of y, or all alike. The
   standard error of c_0 in either case: c_0 is linear in y. 0: too few points. */
static int study_fit(int count, const double *x, const double *y, const double *error, int weighted, int degree,
                     int step, double *c, double *error_of_first)
{
  double a[4][6], weight, factor, part, sum = 0;
  int i, j, k, row;
  if (count < degree + 2)
    return 0;
  memset(a, 0, sizeof a);
  for (i = 0; i < count; i++) {
    weight = weighted ? 1 / (error[i] * error[i]) : 1;
    for (j = 0; j <= degree; j++) {
      for (k = 0; k <= degree; k++)
        a[j][k] += weight * pow(x[i], (j + k) * step);
      a[j][4] += weight * pow(x[i], j * step) * y[i];
    }
  }
  a[0][5] = 1; /* first column, and row, of the inverse */
  for (k = 0; k <= degree; k++)
    for (row = 0; row <= degree; row++)
      if (row != k)
        for (factor = a[row][k] / a[k][k], j = 0; j < 6; j++)
          a[row][j] -= factor * a[k][j];
  for (k = 0; k <= degree; k++)
    c[k] = a[k][4] / a[k][k];
  for (i = 0; i < count; i++) {
    for (part = 0, k = 0; k <= degree; k++)
      part += a[k][5] / a[k][k] * pow(x[i], k * step);
    part *= weighted ? 1 / error[i] : error[i];
    sum += part * part;
  }
  *error_of_first = sqrt(sum);
  return 1;
}

static study_value study_spread(int count, const double *value, double error)
{
  study_value result;
  double sum = 0, square = 0;
  int k;
  for (k = 0; k < count; k++)
    sum += value[k] / count;
  for (k = 0; k < count; k++)
    square += (value[k] - sum) * (value[k] - sum) / count;
  result.value = count ? sum : (double)NAN;
  result.error = count ? sqrt(square + error * error) : (double)NAN;
  return result;
}

/* Moments of an ensemble from order n on: 1/n, moment, standard error. */
static int study_moments(const study *all, int e, int power, int n, double *x, double *y, double *error)
{
  int count = 0;
  for (; n <= STUDY_MOST_N; n++)
    if (study_fits(all, e, n)) {
      x[count] = 1.0 / n;
      y[count] = study_moment(all->cell[e][n], power);
      error[count++] = study_moment_error(all->cell[e][n], power);
    }
  return count;
}

/* Limit of a moment; fits on orders >= k, k = first .. first + 6. c: coefficients of the first of them. */
static study_value study_moment_limit(const study *all, int e, int power, int first, int degree, int weighted,
                                      double *c)
{
  double x[STUDY_MOST_N], y[STUDY_MOST_N], error[STUDY_MOST_N], other[4], value[7], first_error = 0, one;
  int k, count, fits = 0;
  for (k = 0; k < 7; k++) {
    count = study_moments(all, e, power, first + k, x, y, error);
    if (!study_fit(count, x, y, error, weighted, degree, 1, other, &one))
      break;
    first_error += one;
    if (!fits)
      memcpy(c, other, sizeof other);
    value[fits++] = other[0];
  }
  return study_spread(fits, value, fits ? first_error / fits : 0);
}

/* F(x, n) at 16 x a decade. */
typedef struct study_table {
  double f[STUDY_MOST_N + 1][STUDY_EDGES], samples[STUDY_MOST_N + 1]; /* samples 0: none */
  int fits[STUDY_MOST_N + 1];
} study_table;

static double study_edge_x(int j)
{
  return pow(10, STUDY_FIRST_DECADE + (double)j * STUDY_PER_EDGE / STUDY_PER_DECADE);
}

/* resample: 0, as it is; else every bin's count varied by its standard error, differently for every number. */
static void study_tabulate(const study *all, int e, uint64_t resample, study_table *table)
{
  int n, j, k;
  memset(table, 0, sizeof *table);
  for (n = 1; n <= STUDY_MOST_N; n++) {
    double total = 0, z[2];
    int at = 0;
    if (!study_has(all, e, n))
      continue;
    table->samples[n] = (double)all->cell[e][n]->count;
    table->fits[n] = study_fits(all, e, n);
    for (j = 0; j < STUDY_EDGES; j++) {
      double count = 0;
      for (k = j * STUDY_PER_EDGE; at <= k && at < STUDY_BINS; at++)
        count += (double)all->cell[e][n]->bin[at];
      if (resample) {
        study_complex(study_key(resample, e, n, (uint64_t)j), 1, 0, z);
        count = fmax(0, count + sqrt(2 * count) * z[0]);
      }
      table->f[n][j] = (total += count) / table->samples[n];
    }
  }
}

/* F(x) and its slope in 1/n from orders >= first; 0: too few. */
static int study_limit_at(const study_table *table, int first, int degree, int weighted, int j, double *c,
                          double *error)
{
  double x[STUDY_MOST_N], y[STUDY_MOST_N], errors[STUDY_MOST_N];
  int n, count = 0;
  for (n = first; n <= STUDY_MOST_N; n++)
    if (table->fits[n]) {
      x[count] = 1.0 / n;
      y[count] = table->f[n][j];
      errors[count] = sqrt((y[count] + 1 / table->samples[n]) / table->samples[n]);
      count++;
    }
  return study_fit(count, x, y, errors, weighted, degree, 1, c, error);
}

/* How F behaves near 0. */
typedef struct study_near {
  int e, first, firsts; /* orders >= first, ..., first + firsts - 1 */
  int degree, weighted; /* in 1/n */
  double least, most;   /* x */
  int power;            /* F ~ c x^power: the mean of log F / x^power; */
  int correction;       /* not 0: F / x^power = c + c1 x^correction, least squares */
} study_near;

/* out: c, c1, and the mean slope in 1/n divided by x^power. */
static int study_near_once(const study_near *near, const study_table *table, int first, double most, double *out)
{
  double x[STUDY_EDGES], y[STUDY_EDGES], error[STUDY_EDGES], c[4], one, sum = 0, slope = 0;
  int j, count = 0;
  for (j = 0; j < STUDY_EDGES; j++) {
    const double at = study_edge_x(j), scale = pow(at, near->power);
    if (at < near->least * 0.999 || at > most * 1.001)
      continue;
    if (!study_limit_at(table, first, near->degree, near->weighted, j, c, &one) || c[0] <= 0)
      return 0;
    x[count] = at;
    y[count] = c[0] / scale;
    error[count] = one / scale;
    sum += log(y[count++]);
    slope += c[1] / scale;
  }
  out[0] = exp(sum / count);
  out[1] = 0;
  out[2] = slope / count;
  return !near->correction || study_fit(count, x, y, error, 1, 1, near->correction, out, &one);
}

static void study_near_zero(const study *all, const study_near *near, study_value *result)
{
  static study_table table;
  double value[3][16], sum[3] = {0, 0, 0}, square[3] = {0, 0, 0}, out[4];
  int k, most, which, fits = 0, resamples = 0;
  study_tabulate(all, near->e, 0, &table);
  for (k = 0; k < near->firsts; k++)
    for (most = 0; most < 3; most++) /* a quarter of a decade less, an eighth, all */
      if (fits < 16 && study_near_once(near, &table, near->first + k, near->most * pow(10, (most - 2) / 8.0), out)) {
        for (which = 0; which < 3; which++)
          value[which][fits] = out[which];
        fits++;
      }
  for (k = 1; fits && k <= STUDY_RESAMPLES; k++) {
    study_tabulate(all, near->e, (uint64_t)k, &table);
    if (!study_near_once(near, &table, near->first, near->most, out))
      continue;
    resamples++;
    for (which = 0; which < 3; which++) {
      sum[which] += out[which];
      square[which] += out[which] * out[which];
    }
  }
  for (which = 0; which < 3; which++) {
    const double mean = sum[which] / resamples, variance = square[which] / resamples - mean * mean;
    result[which] = study_spread(resamples > 1 ? fits : 0, value[which], sqrt(fmax(variance, 0)));
  }
}

/* P(X < x) at the fine edges; position: in bins from the first edge, interpolated. */
static double study_at(const double *f, double position)
{
  const int k = (int)floor(position);
  if (k < 0)
    return 0;
  return k >= STUDY_BINS - 2 ? f[STUDY_BINS - 2] : f[k] + (position - k) * (f[k + 1] - f[k]);
}

static void study_distribution(const study_cell *cell, double *f)
{
  double total = 0;
  int k;
  for (k = 0; k < STUDY_BINS - 1; k++)
    f[k] = (total += (double)cell->bin[k]) / (double)cell->count;
}

static double study_probability(const double *f, double x)
{
  return study_at(f, x > 0 ? (log10(x) - STUDY_FIRST_DECADE) * STUDY_PER_DECADE : -1);
}

/* Kolmogorov and Smirnov's sup |F(x) - G(x)|, over the edges. */
static study_value study_distance(const study_cell *a, const study_cell *b)
{
  static double f[STUDY_BINS], g[STUDY_BINS];
  study_value result = {0, 0};
  int k;
  study_distribution(a, f);
  study_distribution(b, g);
  for (k = 0; k < STUDY_BINS - 1; k++)
    if (fabs(f[k] - g[k]) > result.value) {
      result.value = fabs(f[k] - g[k]);
      result.error = sqrt(g[k] * (1 - g[k]) * (1 / (double)a->count + 1 / (double)b->count));
    }
  return result;
}

/* What D of samples of one distribution exceeds in one of twenty cases. */
static double study_distance_level(const study_cell *a, const study_cell *b)
{
  return 1.358 * sqrt(1 / (double)a->count + 1 / (double)b->count);
}

/* ---- tables */

/* 0.6843(12) */
static void study_print(double value, double error)
{
  int decimals;
  if (value - value != 0 || error - error != 0) {
    printf(" - |");
    return;
  }
  if (error <= 0) {
    printf(" %.7g |", value);
    return;
  }
  decimals = (int)ceil(-log10(error));
  if (error * pow(10, decimals) < 1.95)
    decimals++;
  decimals = decimals < 0 ? 0 : decimals;
  printf(" %.*f(%.0f) |", decimals, value, error * pow(10, decimals));
}

static void study_sigmas(study_value ours, double value, double error)
{
  const double sigmas = (ours.value - value) / sqrt(ours.error * ours.error + error * error);
  if (sigmas - sigmas == 0 && ours.error + error > 0)
    printf(" %+.1f |", sigmas);
  else
    printf(" - |");
}

/* One line: theirs, such as 0.684(1); ours of the same form, and with one order more. */
static void study_row(const char *name, const char *paper, study_value same, study_value more)
{
  char *bracket;
  study_value theirs;
  theirs.value = strtod(paper, &bracket);
  theirs.error = strtod(bracket + 1, NULL);
  if (strchr(paper, '.'))
    theirs.error *= pow(10, (double)(strchr(paper, '.') + 1 - bracket));
  printf("| %s | %s |", name, paper);
  study_print(same.value, same.error);
  study_sigmas(same, theirs.value, theirs.error);
  study_print(more.value, more.error);
  study_sigmas(more, theirs.value, theirs.error);
  printf("\n");
}

typedef struct study_moment_row {
  const char *name;
  int e, power, first, degree;
  const char *paper;
} study_moment_row;

static const study_moment_row study_moment_rows[] = {
    {"Gaussian, mean", 0, 1, 6, 1, "0.684(1)"},  {"Gaussian, third moment", 0, 3, 6, 1, "3.20(3)"},
    {"circular, mean", 1, 1, 6, 2, "0.7753(2)"}, {"circular, third moment", 1, 3, 6, 2, "2.41(2)"},
    {"Bernoulli, mean", 2, 1, 8, 1, "0.647(2)"}, {"Bernoulli, third moment", 2, 3, 8, 1, "3.75(5)"},
};

typedef struct study_near_row {
  const char *name;
  int which; /* 0: c, 1: c1, 2: slope */
  const char *paper;
  study_near same, more;
} study_near_row;

static const study_near_row study_near_rows[] = {
    {"Gaussian, F(x) / x^2", 0, "6.0(1)", {0, 6, 5, 1, 0, 0.005, 0.05, 2, 0}, {0, 6, 5, 2, 1, 0.01, 0.13, 2, 1}},
    {"Gaussian, its term in x^3", 1, "-7(1)", {0, 6, 5, 1, 0, 0.01, 0.1, 2, 1}, {0, 6, 5, 2, 1, 0.01, 0.13, 2, 1}},
    {"Gaussian, its term in x^2 / n",
     2,
     "-12.0(5)",
     {0, 6, 5, 1, 0, 0.005, 0.05, 2, 0},
     {0, 6, 5, 2, 1, 0.01, 0.13, 2, 0}},
    {"circular, F(x) / x^2", 0, "2.135(10)", {1, 5, 5, 2, 0, 0.01, 0.08, 2, 0}, {1, 5, 5, 3, 1, 0.02, 0.2, 2, 2}},
    {"circular, its term in x^4", 1, "-3.0(1)", {1, 5, 5, 2, 0, 0.03, 0.28, 2, 2}, {1, 5, 5, 3, 1, 0.03, 0.28, 2, 2}},
    {"Bernoulli, F(x) / x", 0, "1.33(5)", {2, 15, 3, 1, 0, 0.01, 0.1, 1, 0}, {2, 15, 3, 1, 1, 0.02, 0.2, 1, 2}},
};

enum {
  STUDY_MOMENT_ROWS = sizeof study_moment_rows / sizeof study_moment_rows[0],
  STUDY_NEAR_ROWS = sizeof study_near_rows / sizeof study_near_rows[0]
};

/* Sum of ((moment - exact) / standard error)^2 over the orders, and the largest term. */
static void study_exact_row(const study *all, int e, int power)
{
  double sum = 0, largest = 0;
  int n, count = 0, at = 0;
  for (n = 2; n <= STUDY_MOST_N; n++)
    if (study_has(all, e, n)) {
      const study_cell *cell = all->cell[e][n];
      const double exact = power == 2 ? study_second(&study_ensembles[e], n) : study_fourth(&study_ensembles[e], n);
      const double pull = (study_moment(cell, power) - exact) / study_moment_error(cell, power);
      sum += pull * pull;
      count++;
      if (fabs(pull) > fabs(largest)) {
        largest = pull;
        at = n;
      }
    }
  if (count && sum - sum == 0)
    printf("| %s | X^%d | %d | %.1f | %+.1f, n = %d |\n", study_ensembles[e].name, power, count, sum, largest, at);
}

static void study_report_table(const study *all)
{
  /* their lines through D; none for a = 2, where D stays at roughly 0.08 from n = 28 on */
  static const double line[5][2] = {{0, 0}, {0.034, 0.000031}, {0.023, -0.00031}, {0.019, -0.00060}, {0.014, -0.00058}};
  study_value same[3], more[3];
  double c[4];
  int k, n, e;
  printf("| limit n to infinity | paper | ours, same form | sigmas | ours, one order more | sigmas |\n"
         "|---|---|---|---|---|---|\n");
  for (k = 0; k < STUDY_MOMENT_ROWS; k++) {
    const study_moment_row *row = &study_moment_rows[k];
    same[0] = study_moment_limit(all, row->e, row->power, row->first, row->degree, 0, c);
    more[0] = study_moment_limit(all, row->e, row->power, row->first, row->degree + 1, 1, c);
    study_row(row->name, row->paper, same[0], more[0]);
  }
  for (k = 0; k < STUDY_NEAR_ROWS; k++) {
    const study_near_row *row = &study_near_rows[k];
    study_near_zero(all, &row->same, same);
    study_near_zero(all, &row->more, more);
    study_row(row->name, row->paper, same[row->which], more[row->which]);
  }
  printf("\n| ensemble | moment | orders from 2 | sum of squared deviations from the exact value, in standard errors | "
         "largest |\n|---|---|---|---|---|\n");
  for (e = 0; e < STUDY_ENSEMBLES; e++)
    for (k = 2; k <= 4; k += 2)
      study_exact_row(all, e, k);
  printf("\n| n | E X^4, circular: exact | paper 0.72(2) + 0.37(1) n | ours | E X^4, Bernoulli: exact | "
         "paper 1.25(5) n - 1.0(5) | ours |\n|---|---|---|---|---|---|---|\n");
  for (n = 4; n <= STUDY_MOST_N; n += 2) {
    printf("| %d |", n);
    for (e = 1; e <= 2; e++) {
      study_print(study_fourth(&study_ensembles[e], n), 0);
      study_print(e == 1 ? 0.72 + 0.37 * n : 1.25 * n - 1, e == 1 ? hypot(0.02, 0.01 * n) : hypot(0.5, 0.05 * n));
      if (study_has(all, e, n))
        study_print(study_moment(all->cell[e][n], 4), study_moment_error(all->cell[e][n], 4));
      else
        printf(" - |");
    }
    printf("\n");
  }
  printf(
      "\n| n | a | m | D, paper's line | D, ours | 5%% level of ours | D m / n^2 |\n|---|---|---|---|---|---|---|\n");
  for (n = 4; n <= STUDY_MOST_N; n += 2)
    for (e = 0; e < STUDY_ENSEMBLES; e++) {
      const study_ensemble *ensemble = &study_ensembles[e];
      const int m = study_modes(ensemble, n);
      study_value d;
      if (!(ensemble->a > 0) || !study_fits(all, e, n) || !study_fits(all, 0, n))
        continue;
      printf("| %d | %s | %d |", n, ensemble->name + 5, m);
      if (ensemble->kind == STUDY_HAAR && ensemble->a > 2)
        printf(" %.4f |", line[e - 3][0] + line[e - 3][1] * n);
      else
        printf(" - |");
      d = study_distance(all->cell[e][n], all->cell[0][n]);
      study_print(d.value, d.error);
      printf(" %.4f |", study_distance_level(all->cell[e][n], all->cell[0][n]));
      study_print(d.value * m / (n * n), d.error * m / (n * n));
      printf("\n");
    }
}

/* The moments of every cell, beside the exact ones. */
static void study_report_cells(const study *all)
{
  int e, n, k;
  printf("\n| ensemble | n | samples | X | X^2 | exact | X^3 | X^4 | exact | P(X < 1e-4) |\n"
         "|---|---|---|---|---|---|---|---|---|---|\n");
  for (e = 0; e < STUDY_ENSEMBLES; e++)
    for (n = 1; n <= STUDY_MOST_N; n++) {
      const study_cell *cell = all->cell[e][n];
      if (!cell || !cell->count)
        continue;
      printf("| %s | %d | %" PRIu64 " |", study_ensembles[e].name, n, cell->count);
      for (k = 1; k <= 4; k++) {
        study_print(study_moment(cell, k), study_moment_error(cell, k));
        if (k % 2 == 0)
          study_print(k == 2 ? study_second(&study_ensembles[e], n) : study_fourth(&study_ensembles[e], n), 0);
      }
      printf(" %.3g |\n", (double)cell->bin[0] / (double)cell->count);
    }
}

/* ---- plots */

#define STUDY_SQUARED "\xc2\xb2"
#define STUDY_CUBED "\xc2\xb3"
#define STUDY_POWER4 "\xe2\x81\xb4"
#define STUDY_MINUS "\xe2\x88\x92"
#define STUDY_TO "\xe2\x80\x93"
#define STUDY_X "x, a value of X = |per A| / \xe2\x88\x9an!"

/* The last line of the small print: where the samples are from. */
static void study_plot_begin(const study *all, plot_figure *figure, double height, const char *title,
                             const char *caption)
{
  static char source[120];
  double samples = 0;
  int e, n;
  for (e = 0; e < STUDY_ENSEMBLES; e++)
    for (n = 1; n <= STUDY_MOST_N; n++)
      samples += all->cell[e][n] ? (double)all->cell[e][n]->count : 0;
  snprintf(source, sizeof source, "From %.3g million permanents, of all ensembles and orders; make study-report",
           samples / 1e6);
  plot_begin(figure, 960, height, title);
  figure->caption[0] = caption;
  figure->caption[1] = source;
}

static void study_plot_write(plot_figure *figure, const char *directory, const char *name)
{
  char path[1100];
  snprintf(path, sizeof path, "%s/%s.svg", directory, name);
  if (plot_write(figure, path))
    study_die("cannot be written", path);
}

static void study_plot_polynomial(plot_panel *panel, int kind, int degree, const double *c, double most,
                                  const char *label)
{
  double x[51], y[51];
  int k, j;
  for (k = 0; k <= 50; k++) {
    x[k] = most * k / 50;
    for (y[k] = 0, j = degree; j >= 0; j--)
      y[k] = y[k] * x[k] + c[j];
  }
  plot_draw(panel, PLOT_LINE | kind, 51, x, y, NULL, label);
}

/* A moment against 1/n, n >= 6, the paper's line and our fit. */
static void study_plot_moment(const study *all, plot_figure *figure, int cell, int power, const double *theirs,
                              const char *label)
{
  static const char *const names[] = {"mean of X", "mean of X" STUDY_SQUARED, "mean of X" STUDY_CUBED};
  plot_panel *panel = plot_add(figure, 2, 2, cell, "1 / order n", names[power - 1]);
  double x[STUDY_MOST_N], y[STUDY_MOST_N], error[STUDY_MOST_N], c[4];
  const int count = study_moments(all, 0, power, 6, x, y, error);
  panel->x_least = 0;
  panel->x_most = 0.175;
  plot_draw(panel, PLOT_POINTS, count, x, y, error, "samples, n from 6");
  study_plot_polynomial(panel, PLOT_DASHED, 1, theirs, 0.175, label);
  if (power != 2 && study_moment_limit(all, 0, power, 6, 2, 1, c).error >= 0)
    study_plot_polynomial(panel, 0, 2, c, 0.175, "our fit, with 1/n" STUDY_SQUARED);
}

static void study_plot_gauss_moments(const study *all, const char *directory)
{
  static const double mean[] = {0.684, 0.42}, second[] = {1, 0}, third[] = {3.20, -6.8};
  double n_of[STUDY_MOST_N], y[STUDY_MOST_N], error[STUDY_MOST_N];
  plot_figure figure;
  plot_panel *panel;
  int k, count;
  study_plot_begin(all, &figure, 860, "Complex normal entries: moments of X = |per A| / \xe2\x88\x9an!",
                   "As figures 5 to 8 of Lundow and Markstr\xc3\xb6m. Bars: one standard error; beyond n = 12 too "
                   "short for X\xc2\xb3 and X" STUDY_POWER4 ".");
  study_plot_moment(all, &figure, 0, 1, mean, "paper, 0.684 + 0.42/n");
  study_plot_moment(all, &figure, 1, 2, second, "exact, 1");
  study_plot_moment(all, &figure, 2, 3, third, "paper, 3.20 " STUDY_MINUS " 6.8/n");
  panel = plot_add(&figure, 2, 2, 3, "order n", "mean of X" STUDY_POWER4);
  count = study_moments(all, 0, 4, 1, n_of, y, error);
  for (k = 0; k < count; k++)
    n_of[k] = 1 / n_of[k];
  plot_draw(panel, PLOT_POINTS, count, n_of, y, error, "samples");
  plot_segment(panel, PLOT_DASHED, 1, 2, count ? n_of[count - 1] : 2, count ? n_of[count - 1] + 1 : 3, "exact, n + 1");
  study_plot_write(&figure, directory, "gauss_moments");
}

/* The largest order with that many samples, or the one with most. */
static int study_largest(const study *all, int e, uint64_t samples)
{
  int n, best = 0;
  for (n = 1; n <= STUDY_MOST_N; n++)
    if (study_has(all, e, n) &&
        (!best || all->cell[e][n]->count >= samples ||
         (all->cell[e][best]->count < samples && all->cell[e][n]->count > all->cell[e][best]->count)))
      best = n;
  return best;
}

static void study_plot_gauss_density(const study *all, const char *directory)
{
  static double f[STUDY_BINS];
  const int n = study_largest(all, 0, 500000);
  double edge[101], density[100], rule[101];
  char title[120];
  plot_figure figure;
  plot_panel *panel;
  int k;
  if (!n)
    return;
  study_distribution(all->cell[0][n], f);
  for (k = 0; k <= 100; k++) {
    edge[k] = k / 50.0;
    rule[k] = (12 - 24.0 / n) * edge[k] + (-21 + 72.0 / n) * edge[k] * edge[k];
    if (edge[k] > 0.22)
      rule[k] = (double)NAN;
    if (k)
      density[k - 1] = (study_probability(f, edge[k]) - study_probability(f, edge[k - 1])) * 50;
  }
  snprintf(title, sizeof title, "Complex normal entries: density of X, n = %d, %" PRIu64 " samples", n,
           all->cell[0][n]->count);
  study_plot_begin(all, &figure, 540, title, "As figure 9 of Lundow and Markstr\xc3\xb6m.");
  panel = plot_add(&figure, 1, 1, 0, STUDY_X, "density f(x)");
  plot_draw(panel, PLOT_STEPS | PLOT_FILLED, 100, edge, density, NULL, "samples");
  plot_draw(panel, PLOT_LINE | PLOT_DASHED, 101, edge, rule, NULL, "paper near 0, equation (12)");
  study_plot_write(&figure, directory, "gauss_density");
}

/* Limits F(x) of a fit with the errors of resampling: x from least to most. */
static int study_limits(const study *all, const study_near *near, double *x, double *y, double *error)
{
  static study_table table;
  double c[4], mean[STUDY_EDGES], square[STUDY_EDGES], one;
  int j, k, count;
  for (k = 0; k <= STUDY_RESAMPLES; k++) {
    study_tabulate(all, near->e, (uint64_t)k, &table);
    for (count = 0, j = 0; j < STUDY_EDGES; j++) {
      const double at = study_edge_x(j);
      if (at < near->least * 0.999 || at > near->most * 1.001)
        continue;
      if (!study_limit_at(&table, near->first, near->degree, near->weighted, j, c, &one))
        return 0;
      if (!k) {
        x[count] = at;
        y[count] = c[0];
        mean[count] = square[count] = 0;
      } else {
        mean[count] += c[0] / STUDY_RESAMPLES;
        square[count] += c[0] * c[0] / STUDY_RESAMPLES;
        error[count] = sqrt(fmax(square[count] - mean[count] * mean[count], 0));
      }
      count++;
    }
  }
  return count;
}

/* The limits, in the left half. */
static plot_panel *study_plot_loglog(plot_figure *figure, int count, const double *x, const double *y,
                                     const double *error)
{
  plot_panel *panel = plot_add(figure, 1, 2, 0, STUDY_X, "F(x) = P(X < x)");
  panel->x_log = panel->y_log = 1;
  plot_draw(panel, PLOT_POINTS, count, x, y, error, "limit n \xe2\x86\x92 \xe2\x88\x9e of the samples");
  return panel;
}

static void study_plot_gauss_small(const study *all, const char *directory)
{
  static const study_near near = {0, 6, 1, 2, 1, 0.002, 1, 2, 0};
  double x[STUDY_EDGES], y[STUDY_EDGES], error[STUDY_EDGES], other[STUDY_EDGES], bars[STUDY_EDGES], rule[STUDY_EDGES];
  const int count = study_limits(all, &near, x, y, error);
  plot_figure figure;
  plot_panel *panel;
  int k;
  if (!count)
    return;
  study_plot_begin(all, &figure, 640, "Complex normal entries: the distribution of X near 0",
                   "As figure 11 of Lundow and Markstr\xc3\xb6m; fits in 1/n and 1/n" STUDY_SQUARED
                   ", n from 6. Bars: one standard error.");
  panel = study_plot_loglog(&figure, count, x, y, error);
  plot_segment(panel, 0, x[0], 6 * x[0] * x[0], 0.6, 6 * 0.36, "paper, 6x" STUDY_SQUARED);
  for (k = 0; k < count; k++) {
    other[k] = y[k] / (x[k] * x[k]);
    bars[k] = error[k] / (x[k] * x[k]);
    rule[k] = 6 - 7 * x[k];
  }
  panel = plot_add(&figure, 2, 2, 1, "x", "F(x) / x" STUDY_SQUARED);
  panel->x_log = 1;
  panel->y_least = 2;
  panel->y_most = 8;
  panel->x_least = x[0] * 0.9;
  panel->x_most = 0.4;
  plot_draw(panel, PLOT_POINTS | PLOT_SMALL, count, x, other, bars, NULL);
  plot_draw(panel, PLOT_LINE, count, x, rule, NULL, "paper, 6 " STUDY_MINUS " 7x");
  for (k = 0; k < count; k++) {
    other[k] = 6 * x[k] * x[k] - y[k];
    rule[k] = 7 * x[k] * x[k] * x[k];
  }
  panel = plot_add(&figure, 2, 2, 3, "x", "6x" STUDY_SQUARED " " STUDY_MINUS " F(x)");
  panel->x_log = panel->y_log = 1;
  panel->x_least = 0.01;
  panel->x_most = 0.4;
  panel->y_least = 1e-6;
  panel->y_most = 1;
  plot_draw(panel, PLOT_POINTS | PLOT_SMALL, count, x, other, error, NULL);
  plot_draw(panel, PLOT_LINE, count, x, rule, NULL, "paper, 7x" STUDY_CUBED);
  study_plot_write(&figure, directory, "gauss_near_zero");
}

static void study_plot_circular_density(const study *all, const char *directory)
{
  static const int orders[] = {10, 15, 20};
  static study_table table;
  plot_figure figure;
  plot_panel *panel;
  double x[STUDY_EDGES], y[STUDY_EDGES], error[STUDY_EDGES], c0, c1;
  char label[60];
  int j, k, which, count;
  study_tabulate(all, 1, 0, &table);
  study_plot_begin(all, &figure, 540, "Circular entries: density of X near 0",
                   "As figure 20 of Lundow and Markstr\xc3\xb6m. Points: samples; lines: the paper's equation (23).");
  panel = plot_add(&figure, 1, 1, 0, STUDY_X, "density f(x)");
  panel->x_least = panel->y_least = 0;
  panel->x_most = 0.32;
  panel->y_most = 1.05;
  for (which = 0; which < 4; which++) {
    const int n = which < 3 ? orders[which] : 0;
    const char *colour = plot_colours[which];
    if (n && !study_has(all, 1, n))
      continue;
    for (count = 0, j = 1; n && j + 1 < STUDY_EDGES; j++) {
      const double width = study_edge_x(j + 1) - study_edge_x(j - 1), mass = table.f[n][j + 1] - table.f[n][j - 1];
      if (study_edge_x(j) < 0.005 || study_edge_x(j) > 0.32)
        continue;
      x[count] = study_edge_x(j);
      y[count] = mass / width;
      error[count++] = sqrt(mass / table.samples[n]) / width;
    }
    snprintf(label, sizeof label, "n = %d", n);
    if (n)
      plot_draw(panel, PLOT_POINTS, count, x, y, error, label)->colour = colour;
    c0 = n ? 2.135 - 8.0 / n + 15.0 / (n * n) : 2.135;
    c1 = n ? -3 + 23.0 / n - 55.0 / (n * n) : -3;
    for (k = 0; k <= 64; k++) {
      x[k] = 0.32 * k / 64;
      y[k] = 2 * c0 * x[k] + 4 * c1 * x[k] * x[k] * x[k];
    }
    plot_draw(panel, PLOT_LINE | (n ? 0 : PLOT_DASHED), 65, x, y, NULL, n ? NULL : "paper, n \xe2\x86\x92 \xe2\x88\x9e")
        ->colour = colour;
  }
  study_plot_write(&figure, directory, "circular_density");
}

static void study_plot_bernoulli_small(const study *all, const char *directory)
{
  static const study_near near = {2, 15, 1, 1, 1, 0.002, 1, 1, 0};
  double x[STUDY_EDGES], y[STUDY_EDGES], error[STUDY_EDGES], ratio[STUDY_EDGES], bars[STUDY_EDGES];
  const int count = study_limits(all, &near, x, y, error);
  plot_figure figure;
  plot_panel *panel;
  int k;
  if (!count)
    return;
  study_plot_begin(all, &figure, 540, "Entries +1 and " STUDY_MINUS "1: the distribution of X near 0",
                   "As figure 23 of Lundow and Markstr\xc3\xb6m; fits in 1/n, n from 15. Bars: one standard error. "
                   "Below x = 0.05 the grid of X shows.");
  panel = study_plot_loglog(&figure, count, x, y, error);
  plot_segment(panel, 0, x[0], 1.33 * x[0], 1, 1.33, "paper, 1.33x");
  for (k = 0; k < count; k++) {
    ratio[k] = y[k] / x[k];
    bars[k] = error[k] / x[k];
  }
  panel = plot_add(&figure, 1, 2, 1, "x", "F(x) / x");
  panel->x_log = 1;
  panel->y_least = 0;
  panel->y_most = 2.4;
  plot_draw(panel, PLOT_POINTS, count, x, ratio, bars, NULL);
  plot_segment(panel, 0, x[0], 1.33, 1, 1.33, "paper, 1.33");
  study_plot_write(&figure, directory, "bernoulli_near_zero");
}

static void study_plot_distances(const study *all, const char *directory)
{
  plot_figure figure;
  plot_panel *panel[2];
  int e, n, which, drawn = 0;
  study_plot_begin(all, &figure, 560,
                   "Minors of Haar unitaries of order m = n\xe1\xb5\x83: distance to normal matrices",
                   "Left: as figure 25 of Lundow and Markstr\xc3\xb6m. Right: in units of n" STUDY_SQUARED
                   "/m, where D is twice its 5% level or more.");
  panel[0] = plot_add(&figure, 1, 2, 0, "order n", "Kolmogorov" STUDY_TO "Smirnov distance D");
  panel[1] = plot_add(&figure, 1, 2, 1, "order n", "D m / n" STUDY_SQUARED);
  for (e = 0; e < STUDY_ENSEMBLES; e++) {
    const study_ensemble *ensemble = &study_ensembles[e];
    double x[2][STUDY_MOST_N], y[2][STUDY_MOST_N], error[2][STUDY_MOST_N];
    int count[2] = {0, 0};
    char label[40];
    if (ensemble->kind != STUDY_HAAR)
      continue;
    for (n = 3; n <= STUDY_MOST_N; n++)
      for (which = 0; which < 2 && study_fits(all, e, n) && study_fits(all, 0, n); which++) {
        const study_cell *cell = all->cell[e][n], *gauss = all->cell[0][n];
        const study_value d = study_distance(cell, gauss);
        const double scale = which ? (double)study_modes(ensemble, n) / (n * n) : 1;
        if (which && d.value < 2 * study_distance_level(cell, gauss))
          continue;
        x[which][count[which]] = n;
        y[which][count[which]] = d.value * scale;
        error[which][count[which]++] = d.error * scale;
      }
    snprintf(label, sizeof label, "a = %s", ensemble->name + 5);
    for (which = 0; which < 2; which++)
      plot_draw(panel[which], PLOT_POINTS | PLOT_LINE, count[which], x[which], y[which], error[which], label)->colour =
          plot_colours[drawn];
    drawn++;
  }
  for (which = 0; which < 2; which++) {
    panel[which]->y_least = 0;
    panel[which]->y_most = which ? 0.15 : 0.12;
  }
  study_plot_write(&figure, directory, "haar_distances");
}

static void study_plot_fourth(const study *all, const char *directory)
{
  plot_figure figure;
  int e, n, k, count;
  study_plot_begin(all, &figure, 540, "Fourth moments of X = |per A| / \xe2\x88\x9an! beside their exact values",
                   "Bars: one standard error, too small itself where the samples have not met the heavy tail.");
  for (e = 1; e <= 2; e++) {
    plot_panel *panel = plot_add(&figure, 1, 2, e - 1, "order n", "mean of X" STUDY_POWER4);
    double x[STUDY_MOST_N], y[STUDY_MOST_N], error[STUDY_MOST_N], exact[STUDY_MOST_N];
    double paper[STUDY_MOST_N];
    panel->y_log = 1;
    panel->y_least = 0.8;
    panel->y_most = 400;
    panel->title = e == 1 ? "Circular entries" : "Entries +1 and " STUDY_MINUS "1";
    count = study_moments(all, e, 4, 1, x, y, error);
    for (k = 0; k < count; k++)
      x[k] = 1 / x[k];
    plot_draw(panel, PLOT_POINTS, count, x, y, error, "samples");
    for (n = 1; n <= STUDY_MOST_N; n++) {
      x[n - 1] = n;
      exact[n - 1] = study_fourth(&study_ensembles[e], n);
    }
    plot_draw(panel, PLOT_LINE, STUDY_MOST_N, x, exact, NULL, "exact");
    for (n = 1; n <= STUDY_MOST_N; n++)
      paper[n - 1] = e == 1 ? 0.72 + 0.37 * n : 1.25 * n - 1;
    plot_draw(panel, PLOT_LINE | PLOT_DASHED, STUDY_MOST_N, x, paper, NULL,
              e == 1 ? "paper, 0.72 + 0.37n" : "paper, 1.25n " STUDY_MINUS " 1.0");
  }
  study_plot_write(&figure, directory, "fourth_moments");
}

static void study_report_plots(const study *all, const char *directory)
{
  study_plot_gauss_moments(all, directory);
  study_plot_gauss_density(all, directory);
  study_plot_gauss_small(all, directory);
  study_plot_circular_density(all, directory);
  study_plot_bernoulli_small(all, directory);
  study_plot_distances(all, directory);
  study_plot_fourth(all, directory);
}

#endif
/* SPDX-License-Identifier: MIT */
