/* Parts of bench/bench.c: errors beside estimates and bounds, bounds against 113-bit arithmetic, and the table of
   precisions that papers on permanents print. References share nothing with the headers, but for dd where a table
   says so. */
#ifndef PERM_BENCH_ACCURACY_H_INCLUDED
#define PERM_BENCH_ACCURACY_H_INCLUDED
#include "../tests/unit/oracle.h"

typedef struct bench_wide {
  oracle_wide re, im;
} bench_wide;

static bench_wide bench_wide_multiply(bench_wide a, oracle_wide re, oracle_wide im)
{
  bench_wide product;
  product.re = a.re * re - a.im * im;
  product.im = a.re * im + a.im * re;
  return product;
}

/* Terms [first, last) of Glynn's sum, in Gray order, times 2^(n-1), in 113 bits. */
static bench_wide bench_glynn_range(int n, int parts, const double *a, uint64_t first, uint64_t last)
{
  oracle_wide x[2][BENCH_MAX_N];
  bench_wide total = {0, 0};
  uint64_t s, gray = first ^ first >> 1;
  int i, j, part;
  memset(x, 0, sizeof x);
  for (part = 0; part < parts; part++)
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        x[part][i] += (gray >> j & 1 ? -1 : 1) * (oracle_wide)a[(i * n + j) * parts + part];
  for (s = first;;) {
    bench_wide product = {1, 0};
    if (parts == 1)
      for (i = 0; i < n; i++)
        product.re *= x[0][i];
    else
      for (i = 0; i < n; i++)
        product = bench_wide_multiply(product, x[0][i], x[1][i]);
    total.re += s & 1 ? -product.re : product.re;
    total.im += s & 1 ? -product.im : product.im;
    if (++s == last)
      return total;
    j = permi_trailing_zeros(s);
    for (part = 0; part < parts; part++)
      for (i = 0; i < n; i++) {
        oracle_wide twice = 2 * (oracle_wide)a[(i * n + j) * parts + part];
        x[part][i] += (s ^ s >> 1) >> j & 1 ? -twice : twice;
      }
  }
}

/* The permanent in 113 bits (64 where the compiler has no more). */
static bench_wide bench_reference(int n, int parts, const double *a)
{
  const uint64_t each = UINT64_C(1) << (n - 7);
  bench_wide range[64], total = {0, 0};
  int k;
#if defined(_OPENMP)
#pragma omp parallel for schedule(dynamic)
#endif
  for (k = 0; k < 64; k++)
    range[k] = bench_glynn_range(n, parts, a, each * (uint64_t)k, each * (uint64_t)(k + 1));
  for (k = 0; k < 64; k++) {
    total.re += range[k].re;
    total.im += range[k].im;
  }
  total.re /= (oracle_wide)(each * 64);
  total.im /= (oracle_wide)(each * 64);
  return total;
}

/* Complex entries by dynamic programming over subsets of columns, as oracle_real. */
static bench_wide bench_oracle(int n, int parts, const double *a)
{
  size_t subsets = (size_t)1 << n, s;
  bench_wide *value, result = {0, 0};
  if (parts == 1) {
    result.re = oracle_real(n, a);
    return result;
  }
  value = (bench_wide *)calloc(subsets, sizeof *value);
  value[0].re = 1;
  for (s = 0; s + 1 < subsets; s++) {
    int row = __builtin_popcountll(s), j;
    for (j = 0; j < n; j++)
      if (!(s >> j & 1)) {
        const double *entry = a + 2 * (row * n + j);
        bench_wide more = bench_wide_multiply(value[s], entry[0], entry[1]);
        value[s | (size_t)1 << j].re += more.re;
        value[s | (size_t)1 << j].im += more.im;
      }
  }
  result = value[subsets - 1];
  free(value);
  return result;
}

/* n! c^n */
static bench_wide bench_constant_reference(int n, double c)
{
  bench_wide result = {1, 0};
  int i;
  for (i = 1; i <= n; i++)
    result.re *= i * (oracle_wide)c;
  return result;
}

static oracle_wide bench_scale(double x, long long exp2) /* x 2^exp2, beyond double's range too */
{
  oracle_wide y = x;
  for (; exp2 > 0; exp2--)
    y *= 2;
  for (; exp2 < 0; exp2++)
    y /= 2;
  return y;
}

static double bench_wide_modulus(bench_wide a)
{
  return hypot((double)a.re, (double)a.im);
}

static double bench_error(const perm_result *result, bench_wide reference)
{
  bench_wide difference;
  difference.re = bench_scale(result->value, result->exp2) - reference.re;
  difference.im = bench_scale(result->imaginary, result->exp2) - reference.im;
  return bench_wide_modulus(difference);
}

/* --------------------------------------------------------------------------------------------------- matrices */

static double bench_gaussian(uint64_t *state)
{
  double u = 0.5 + 0.5 * bench_random(state), v = bench_random(state);
  return sqrt(-2 * log(u + 1e-300)) * cos(3.14159265358979323846 * v);
}

enum { BENCH_ONES, BENCH_UNIFORM, BENCH_CAUCHY, BENCH_CAUCHY_MIXED, BENCH_GAUSSIAN };

static void bench_matrix_kind(int kind, int n, double *a)
{
  uint64_t state = 42;
  double x[BENCH_MAX_N], y[BENCH_MAX_N];
  int i;
  for (i = 0; i < n; i++) {
    x[i] = bench_random(&state);
    y[i] = bench_random(&state);
    if (kind == BENCH_CAUCHY) {
      x[i] = 0.5 + 0.5 * x[i] + 0.125;
      y[i] = 0.5 + 0.5 * y[i] + 0.125;
    }
  }
  if (kind == BENCH_UNIFORM)
    bench_matrix(n, 1, a);
  else if (kind == BENCH_GAUSSIAN)
    for (i = 0; i < 2 * n * n; i++)
      a[i] = bench_gaussian(&state);
  else
    for (i = 0; i < n * n; i++)
      a[i] = kind == BENCH_ONES ? 1 : 1 / (x[i / n] + y[i % n]);
}

/* ---------------------------------------------------------------------------------------------- part: accuracy */

/* `accurate`: what precision accurate should reach, 0: not stated. */
static const struct {
  const char *name;
  int kind, parts, n;
  double accurate;
} bench_accuracy_cases[] = {
    {"ones", BENCH_ONES, 1, 20, 0},
    {"ones", BENCH_ONES, 1, 26, 0},
    {"ones", BENCH_ONES, 1, 30, 1e-15},
    {"U[-1,1]", BENCH_UNIFORM, 1, 20, 0},
    {"U[-1,1]", BENCH_UNIFORM, 1, 22, 1e-15},
    {"Cauchy, positive", BENCH_CAUCHY, 1, 22, 0},
    {"Cauchy, positive", BENCH_CAUCHY, 1, 30, 1e-13},
    {"Cauchy, mixed signs", BENCH_CAUCHY_MIXED, 1, 20, 0},
    {"complex Gaussian", BENCH_GAUSSIAN, 2, 20, 0},
};

static void bench_accuracy(void)
{
  static double a[BENCH_MATRIX];
  int c, p;
  printf("\n## Accuracy: relative error, estimate and guaranteed bound of one permanent, %s kernels\n\n"
         "Cauchy: 1/(x_i + y_j), x and y uniform in [1/8, 9/8] (positive) or [-1, 1] (mixed signs). References: n!,\n"
         "or Glynn's sum in 113-bit arithmetic (float128). At n = 30 the reference of the Cauchy matrix is our own\n"
         "dd, whose error is guaranteed: its bound stands in its line.\n\n"
         "| matrix | n | reference | precision | error | estimate | bound | target |\n"
         "|---|---|---|---|---|---|---|---|\n",
         perm_name("isa", perm_isa_best()));
  for (c = 0; c < BENCH_COUNT(bench_accuracy_cases); c++) {
    const int n = bench_accuracy_cases[c].n, parts = bench_accuracy_cases[c].parts;
    const int kind = bench_accuracy_cases[c].kind, ours = n > 22 && kind != BENCH_ONES;
    perm_result result[BENCH_PRECISIONS];
    bench_wide reference;
    double size;
    bench_matrix_kind(kind, n, a);
    for (p = 0; p < BENCH_PRECISIONS; p++) {
      perm_options options = bench_options(PERM_ISA_AUTO, &bench_precisions[p]);
      options.threads = 0; /* the same bits */
      bench_compute(n, parts, a, &options, &result[p]);
    }
    if (ours) {
      reference.re = bench_scale(result[BENCH_PRECISIONS - 1].value, result[BENCH_PRECISIONS - 1].exp2);
      reference.im = 0;
    } else {
      reference = kind == BENCH_ONES ? bench_constant_reference(n, 1) : bench_reference(n, parts, a);
    }
    size = bench_wide_modulus(reference);
    for (p = 0; p < BENCH_PRECISIONS; p++) {
      double unit = (double)bench_scale(1, result[p].exp2) / size;
      double target = bench_precisions[p].precision == PERM_PRECISION_ACCURATE ? bench_accuracy_cases[c].accurate : 0;
      printf("| %s | %d | %s | %s |", bench_accuracy_cases[c].name, n,
             ours ? "dd" : kind == BENCH_ONES ? "n!" : "float128", bench_precisions[p].name);
      if (ours && p == BENCH_PRECISIONS - 1)
        printf(" reference |");
      else
        printf(" %.2g |", bench_error(&result[p], reference) / size);
      printf(" %.1e |", result[p].error_estimate * unit);
      bench_cell(" %.1e", result[p].error_bound < (double)INFINITY ? result[p].error_bound * unit : 0);
      bench_cell(" %.0e", target);
      printf("\n");
    }
    fflush(stdout);
  }
}

/* ------------------------------------------------------------------------------------------------ part: bounds */

static double bench_bounds_entry(int kind, uint64_t *state)
{
  double x = bench_random(state);
  switch (kind) {
  case 1: return 0.5 + 0.5 * x;
  case 2: return ldexp(x, (int)(20 * bench_random(state)));
  case 3: return floor(9 * x + 0.5);
  case 4: return bench_gaussian(state);
  default: return x;
  }
}

static void bench_bounds(void)
{
  static const char *const name[] = {"U[-1,1]", "U[0,1]", "U[-1,1] 2^(-19..19)", "integers -9..9",
                                     "complex Gaussian"};
  static double a[BENCH_MATRIX], ratio[1000];
  uint64_t state = 7;
  int kind, all = 0, violations = 0;
  printf("\n## Bounds: guaranteed error / true error, default precision, certify\n\n"
         "Random matrices, n = 6 to 14; true errors by a dynamic program over subsets in 113-bit arithmetic. A\n"
         "value that is right to its last bit has no ratio; a violation would be a ratio below 1.\n\n"
         "| entries | matrices | no error | least | median | most | violations | error above estimate |\n"
         "|---|---|---|---|---|---|---|---|\n");
  for (kind = 0; kind < BENCH_COUNT(name); kind++) {
    int parts = 1 + (kind == 4), n, i, run, ratios = 0, matrices = 0, exact = 0, bad = 0, above = 0;
    for (n = 6; n <= 14; n++)
      for (run = 0; run < 10; run++) {
        perm_options options = bench_options(PERM_ISA_AUTO, &bench_precisions[2]);
        perm_result result;
        double error, unit;
        for (i = 0; i < parts * n * n; i++)
          a[i] = bench_bounds_entry(kind, &state);
        bench_compute(n, parts, a, &options, &result);
        error = bench_error(&result, bench_oracle(n, parts, a));
        unit = (double)bench_scale(1, result.exp2);
        matrices++;
        bad += !(error <= result.error_bound * unit);
        above += error > result.error_estimate * unit;
        if (error > 0)
          ratio[ratios++] = result.error_bound * unit / error;
        else
          exact++;
      }
    printf("| %s | %d | %d |", name[kind], matrices, exact);
    if (ratios) {
      double median = bench_median(ratio, ratios);
      printf(" %.1f | %.0f | %.0f | %d | %d |\n", ratio[0], median, ratio[ratios - 1], bad, above);
    } else {
      printf(" | | | %d | %d |\n", bad, above);
    }
    all += matrices;
    violations += bad;
  }
  printf("\n%d matrices, %d violations.\n", all, violations);
}

/* --------------------------------------------------------------------------------------------- part: precision */

static const struct {
  const char *name;
  perm_method method;
  perm_precision precision;
} bench_constant_engines[] = {
    {"scalar, all in double (DD)", PERM_METHOD_GLYNN, PERM_PRECISION_FAST},
    {"scalar, double products, double-double total (DQ)", PERM_METHOD_GLYNN, PERM_PRECISION_DEFAULT},
    {"scalar, double products, Kahan's total", PERM_METHOD_GLYNN, PERM_PRECISION_KAHAN},
    {"scalar, all in double-double (QQ)", PERM_METHOD_GLYNN, PERM_PRECISION_DD},
    {"dense, fast", PERM_METHOD_DENSE, PERM_PRECISION_FAST},
    {"dense, default", PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT},
    {"dense, accurate", PERM_METHOD_DENSE, PERM_PRECISION_ACCURATE},
    {"dense, dd", PERM_METHOD_DENSE, PERM_PRECISION_DD},
};

static void bench_constant(void)
{
  static const int sizes[] = {20, 24, 28, 32};
  static double a[BENCH_MATRIX];
  int e, k, i;
  printf("\n## Precisions as papers on permanents compare them\n\n"
         "The matrix with 0.91 everywhere, whose permanent is n! 0.91^n (in 113 bits). Seconds and relative error;\n"
         "one thread, but all threads at n = 32; below 0.1 s the best of five calls. The scalar engine is perm's\n"
         "plain Gray-code loop; it sets its row sums anew every 2^10 to 2^18 terms and adds such parts exactly, so\n"
         "it errs less than programs with one long loop. The dense engine divides a column out in fast and default:\n"
         "this matrix leaves ones, whose row sums are exact. * Some chunks were run and the time scaled.\n\n"
         "| arithmetic | n = 20, s | error | n = 24, s | error | n = 28, s | error | n = 32, s | error |\n"
         "|---|---|---|---|---|---|---|---|---|\n");
  for (e = 0; e < BENCH_COUNT(bench_constant_engines); e++) {
    printf("| %s |", bench_constant_engines[e].name);
    for (k = 0; k < BENCH_COUNT(sizes); k++) {
      const int n = sizes[k];
      perm_options options = bench_options(PERM_ISA_AUTO, NULL);
      perm_result result;
      bench_work work;
      double seconds;
      options.method = bench_constant_engines[e].method;
      options.precision = bench_constant_engines[e].precision;
#if defined(_OPENMP)
      if (n == 32)
        options.threads = omp_get_max_threads();
#endif
      for (i = 0; i < n * n; i++)
        a[i] = 0.91;
      work = bench_work_make(
          n, 1, a, &options,
          n > 24 && options.precision == PERM_PRECISION_DD && options.method == PERM_METHOD_GLYNN ? 0 : 1e9, 1);
      seconds = bench_run(&work, &result);
      for (i = 0; i < 4 && seconds < 0.1 && !work.chunks; i++)
        seconds = fmin(seconds, bench_run(&work, &result));
      printf(seconds < 1 ? " %.2g%s |" : seconds < 10 ? " %.1f%s |" : " %.0f%s |", seconds, work.chunks ? "*" : "");
      if (work.chunks) {
        printf(" not measured |");
      } else {
        bench_wide reference = bench_constant_reference(n, 0.91);
        printf(" %.1e |", bench_error(&result, reference) / bench_wide_modulus(reference));
      }
      bench_work_free(&work);
      fflush(stdout);
    }
    printf("\n");
  }
}

#endif
/* SPDX-License-Identifier: MIT */
