/* ========================================================================================= >>cauchy
   Cauchy matrices a_ij = 1 / (x_i - y_j) by Borchardt's identity [Bor55]:
     per(A) = det(a_ij^2) / det(a_ij),   det(a_ij) = prod_(i<j) (x_j - x_i) (y_i - y_j) / prod_ij (x_i - y_j).
   Differences are exact double-doubles, so the second determinant has all digits; the first, M = (a_ij^2) = L U by
   complete pivoting, loses what its condition takes. As d det / det = trace(M^-1 dM), a relative change e of entries
   changes the permanent by at most e sum_ij |m_ij| |M^-1_ji|, the condition. Elimination errs like a change of
   n w |L| |U|, w the unit of double-double. */
#pragma once
#include "../api/more_calls.h"
#include "../plan/compute.h"

typedef struct permi_nodes {
  int n, parts;
  const double *node[2]; /* x, y */
} permi_nodes;

static permi_dd_complex permi_dd_complex_less(permi_dd_complex a, permi_dd_complex b, permi_dd_complex c)
{
  b = permi_dd_complex_times(b, c, 2);
  a.re = permi_dd_subtract(a.re, b.re);
  a.im = permi_dd_subtract(a.im, b.im);
  return a;
}

static double permi_dd_complex_modulus(permi_dd_complex a)
{
  return fabs(a.re.hi) + fabs(a.im.hi);
}

static permi_dd_complex permi_dd_complex_scale(permi_dd_complex a, int exp2)
{
  a.re = permi_dd_scale(a.re, exp2);
  a.im = permi_dd_scale(a.im, exp2);
  return a;
}

/* Returns 1 / a for a != 0, by two Newton steps for the norm's. */
static permi_dd_complex permi_dd_complex_reciprocal(permi_dd_complex a)
{
  const permi_dd two = permi_dd_make(2);
  const int e = permi_exponent(permi_dd_complex_modulus(a));
  a = permi_dd_complex_scale(a, -e);
  permi_dd norm = permi_dd_add(permi_dd_multiply(a.re, a.re), permi_dd_multiply(a.im, a.im));
  permi_dd x = permi_dd_make(1 / norm.hi);
  for (int step = 0; step < 2; step++)
    x = permi_dd_multiply(x, permi_dd_subtract(two, permi_dd_multiply(norm, x)));
  a.re = permi_dd_multiply(a.re, x);
  a.im = permi_dd_multiply(permi_dd_negate(a.im), x);
  return permi_dd_complex_scale(a, -e);
}

static permi_dd_complex permi_node_difference(const permi_nodes *nodes, int side, int i, int other, int j)
{
  const double *x = nodes->node[side] + i * nodes->parts, *y = nodes->node[other] + j * nodes->parts;
  const permi_dd zero = {0, 0};
  const permi_dd_complex d = {permi_two_sum(x[0], -y[0]), nodes->parts == 2 ? permi_two_sum(x[1], -y[1]) : zero};
  return d;
}

static void permi_number_times(permi_number *a, permi_dd_complex b)
{
  permi_number factor;
  memset(&factor, 0, sizeof factor);
  factor.value = b.re;
  factor.imaginary = b.im;
  a->exact = 0;
  permi_number_multiply(a, &factor);
}

/* Makes m = L U; *odd is the parity. Returns 0 if m is singular, or if stopped. */
static int permi_eliminate(permi_dd_complex *m, int n, int *row, int *column, int *odd, permi_control *watch)
{
  *odd = 0;
  for (int i = 0; i < n; i++)
    row[i] = column[i] = i;
  for (int k = 0; k < n; k++) {
    int best_row = k, best_column = k;
    double best = -1;
    for (int i = k; i < n; i++)
      for (int j = k; j < n; j++)
        if (permi_dd_complex_modulus(m[row[i] * n + column[j]]) > best) {
          best = permi_dd_complex_modulus(m[row[i] * n + column[j]]);
          best_row = i;
          best_column = j;
        }
    if (!(best > 1e-270) || permi_watch(watch, 60.0 * (n - k) * (n - k))) /* rows are near 1 */
      return 0;
    *odd ^= (best_row != k) ^ (best_column != k);
    int swap = row[k];
    row[k] = row[best_row];
    row[best_row] = swap;
    swap = column[k];
    column[k] = column[best_column];
    column[best_column] = swap;
    permi_dd_complex pivot = permi_dd_complex_reciprocal(m[row[k] * n + column[k]]);
    for (int i = k + 1; i < n; i++) {
      permi_dd_complex *line = m + row[i] * n, factor = permi_dd_complex_times(line[column[k]], pivot, 2);
      line[column[k]] = factor;
      for (int j = k + 1; j < n; j++)
        line[column[j]] = permi_dd_complex_less(line[column[j]], factor, m[row[k] * n + column[j]]);
    }
  }
  return 1;
}

/* Sets *condition; returns it with |L| |U| for |M|. x: room for n. */
static double permi_cauchy_condition(const permi_dd_complex *lu, const double *moduli, int n, const int *row,
                                     const int *column, permi_dd_complex *x, double *condition, permi_control *watch)
{
  double growth = 0;
  *condition = 0;
  for (int c = 0; c < n && !permi_watch(watch, 60.0 * n * n); c++) {
    for (int i = 0; i < n; i++) {
      x[i].re = permi_dd_make(i == c);
      x[i].im = permi_dd_make(0);
      for (int k = c; k < i; k++)
        x[i] = permi_dd_complex_less(x[i], lu[row[i] * n + column[k]], x[k]);
    }
    for (int i = n - 1; i >= 0; i--) {
      for (int k = i + 1; k < n; k++)
        x[i] = permi_dd_complex_less(x[i], lu[row[i] * n + column[k]], x[k]);
      x[i] = permi_dd_complex_times(x[i], permi_dd_complex_reciprocal(lu[row[i] * n + column[i]]), 2);
    }
    for (int j = 0; j < n; j++) {
      double sum = 0, inverse = permi_dd_complex_modulus(x[j]);
      for (int k = 0; k <= c && k <= j; k++)
        sum += (k == c ? 1 : permi_dd_complex_modulus(lu[row[c] * n + column[k]])) *
               permi_dd_complex_modulus(lu[row[k] * n + column[j]]);
      *condition += moduli[row[c] * n + column[j]] * inverse;
      growth += sum * inverse;
    }
  }
  return growth;
}

/* Rounding entries costs n units of the permanent of moduli, which is computed, too, if there are signs, or bounded by
   the product of rows' sums. */
static perm_status permi_cauchy_general(const permi_nodes *nodes, const perm_options *options, double start,
                                        perm_result *result)
{
  const int n = nodes->n, parts = nodes->parts;
  double *a = (double *)permi_allocate(&options->allocator, (size_t)(n * n * parts), sizeof *a);
  const permi_problem problem = permi_problem_make(n, n, a, NULL, n, permi_reach_of(parts), NULL, NULL);
  const permi_problem moduli = permi_problem_make(n, n, a, NULL, n, &permi_reach_real, NULL, NULL);
  perm_options general = *options;
  permi_dense_plan plan;
  perm_status status = PERM_ERROR_MEMORY;
  double sum, sums = 0;
  int i, j, signs = parts == 2;
  permi_result_clear(result);
  general.method = PERM_METHOD_AUTO;
  general.certify = 0;
  for (i = 0; a && i < n; i++)
    for (j = 0; j < n; j++) {
      permi_dd_complex entry = permi_dd_complex_reciprocal(permi_node_difference(nodes, 0, i, 1, j));
      a[(i * n + j) * parts] = entry.re.hi;
      if (parts == 2)
        a[(i * n + j) * 2 + 1] = entry.im.hi;
    }
  if (a)
    status = permi_plan_array(&problem, &general, &plan, result);
  if (status == PERM_OK && plan.seconds > (options->max_seconds > 0 ? options->max_seconds : PERMI_ESCALATE_SECONDS))
    status = PERM_ERROR_LIMIT;
  if (status == PERM_OK)
    status = permi_compute(&problem, PERMI_AS_IT_STANDS, 5, &general, result);
  if (status == PERM_OK || status == PERM_TOLERANCE_NOT_MET) { /* judged at the end */
    result->status = PERM_OK;
    result->message[0] = 0;
    for (i = 0; i < n; i++, sums += log2(sum))
      for (sum = 0, j = i * n; j < (i + 1) * n; j++) {
        signs = signs || a[j] < 0;
        sum += a[j] = parts == 2 ? hypot(a[2 * j], a[2 * j + 1]) : fabs(a[j]);
      }
    general.tolerance = 0.1;
    general.max_seconds = permi_seconds_left(options, start);
    general.progress = NULL;
    perm_result largest = *result;
    status = signs ? permi_compute(&moduli, PERMI_AS_IT_STANDS, 5, &general, &largest) : PERM_OK;
    result->exact = 0;
    result->error_bound = (double)INFINITY;
    result->error_estimate += 1.1 * n * parts * PERMI_UNIT *
        (status == PERM_OK ? permi_ldexp(largest.value, largest.exp2 - result->exp2)
                           : exp2(sums - (double)result->exp2));
    status = status == PERM_STOPPED_CANCELLED ? status : PERM_OK;
  }
  permi_release(&options->allocator, a);
  return status;
}

#define PERMI_CAUCHY_RANGE 400 /* entries below 2^-800 of the largest are 0 */

static perm_status permi_cauchy_check(const permi_nodes *nodes, const perm_options *options, perm_result *result)
{
  static const char *const name[] = {"x", "y"};
  const int n = nodes->n, parts = nodes->parts;
  perm_status status = permi_check_whole(options, 4, result);
  if (status != PERM_OK)
    return status;
  if (n < 0 || n > PERM_CAUCHY_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "n is %d, not between 0 and %d", n, PERM_CAUCHY_MAX_N);
  if (options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_BORCHARDT)
    return permi_fail(result, PERM_ERROR_OPTION, 4, "options: method %s does not take nodes",
                      perm_name("method", options->method));
  if (options->precision == PERM_PRECISION_EXACT || options->modulus)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 4, "options: nodes are computed with in double-double only");
  for (int side = 0; side < 2 && n; side++) {
    if (!nodes->node[side])
      return permi_fail(result, PERM_ERROR_NULL, 2 + side, "%s is NULL", name[side]);
    for (int i = 0; i < n * parts; i++)
      if (permi_not_finite(nodes->node[side][i]) || fabs(nodes->node[side][i]) > DBL_MAX / 8)
        return permi_fail(result, PERM_ERROR_NOT_FINITE, 2 + side, "%s[%d] is not finite, or too large", name[side],
                          i / parts);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (permi_dd_complex_modulus(permi_node_difference(nodes, 0, i, 1, j)) == 0)
        return permi_fail(result, PERM_ERROR_NODES, 2, "x[%d] and y[%d] coincide: the entry is infinite", i, j);
      for (int side = 0; side < 2; side++)
        if (j < i && permi_dd_complex_modulus(permi_node_difference(nodes, side, i, side, j)) == 0)
          return permi_fail(result, PERM_ERROR_NODES, 2 + side,
                            "%s[%d] and %s[%d] coincide: both determinants are 0, use perm_compute_%s", name[side], j,
                            name[side], i, parts == 2 ? "complex" : "real");
    }
  return PERM_OK;
}

/* M has rows near 1; sets *number to the product of all x - y, with the powers that rows took, and *below to that of x
   - x and y - y. Returns 1 if an entry is lost. */
static int permi_cauchy_fill(const permi_nodes *nodes, permi_dd_complex *m, permi_number *number, permi_number *below,
                             permi_control *watch)
{
  const int n = nodes->n;
  int i, j, side, lossy = 0;
  for (i = 0; i < n && !permi_watch(watch, 500.0 * n); i++) {
    double least = (double)INFINITY;
    for (j = 0; j < n; j++)
      least = fmin(least, permi_dd_complex_modulus(permi_node_difference(nodes, 0, i, 1, j)));
    const int row_exp2 = permi_exponent(least);
    number->exp2 -= 2 * (long long)row_exp2;
    for (j = 0; j < n; j++) {
      permi_dd_complex d = permi_node_difference(nodes, 0, i, 1, j);
      permi_number_times(number, d);
      const int exp2 = permi_exponent(permi_dd_complex_modulus(d));
      if (exp2 - row_exp2 > PERMI_CAUCHY_RANGE) {
        memset(&m[i * n + j], 0, sizeof *m);
        lossy = 1;
      } else {
        d = permi_dd_complex_reciprocal(permi_dd_complex_scale(d, -row_exp2));
        m[i * n + j] = permi_dd_complex_times(d, d, 2);
      }
      for (side = 0; side < 2 && j < i; side++)
        permi_number_times(below, permi_node_difference(nodes, side, i, side, j));
    }
  }
  return lossy;
}

static perm_status permi_cauchy_number(const permi_nodes *nodes, permi_control *watch, permi_number *value,
                                       double *condition)
{
  const int n = nodes->n;
  const size_t entries = (size_t)n * (size_t)n;
  permi_pool pool = {&watch->options->allocator, NULL, 0};
  permi_dd_complex *m = (permi_dd_complex *)permi_pool_get(&pool, entries, sizeof *m);
  permi_dd_complex *room = (permi_dd_complex *)permi_pool_get(&pool, (size_t)n, sizeof *room);
  double *moduli = (double *)permi_pool_get(&pool, entries, sizeof *moduli);
  int *row = (int *)permi_pool_get(&pool, (size_t)n, sizeof *row);
  int *column = (int *)permi_pool_get(&pool, (size_t)n, sizeof *column);
  permi_number number = permi_number_one(), below = permi_number_one();
  double growth;
  int odd;
  if (pool.failed) {
    permi_pool_release(&pool);
    return PERM_ERROR_MEMORY;
  }
  const int lossy = permi_cauchy_fill(nodes, m, &number, &below, watch);
  for (size_t i = 0; i < entries; i++)
    moduli[i] = permi_dd_complex_modulus(m[i]);
  const int regular = permi_eliminate(m, n, row, column, &odd, watch);
  *condition = growth = (double)INFINITY;
  if (regular) {
    growth = permi_cauchy_condition(m, moduli, n, row, column, room, condition, watch);
    for (size_t i = 0; i < (size_t)n; i++)
      permi_number_times(&number, m[row[i] * n + column[i]]);
  }
  permi_number_normalise(&below);
  const permi_dd_complex q = {below.value, below.imaginary};
  permi_number_times(&number, permi_dd_complex_reciprocal(q));
  number.exp2 -= below.exp2;
  if ((odd + n * (n - 1) / 2) & 1) { /* the gaps of y are taken as y_j - y_i */
    number.value = permi_dd_negate(number.value);
    number.imaginary = permi_dd_negate(number.imaginary);
  }
  number.error = (double)INFINITY;
  permi_number_normalise(&number);
  number.estimate = regular && !lossy ? (4.0 * n * growth + 8.0 * n * n + 8) * PERMI_DD_UNIT *
                                            permi_modulus(number.value.hi, number.imaginary.hi) : (double)INFINITY;
  permi_pool_release(&pool);
  *value = number;
  return watch->stopped;
}

static perm_status permi_cauchy_metered(const permi_nodes *nodes, const perm_options *options, double *condition,
                                        perm_result *result)
{
  permi_control watch = permi_control_begin(options);
  const int n = nodes->n;
  double here = 0;
  permi_number number = permi_number_one();
  if (!result)
    return PERM_ERROR_NULL;
  permi_result_clear(result);
  if (condition)
    *condition = (double)NAN;
  perm_status status = permi_cauchy_check(nodes, options, result);
  if (status != PERM_OK)
    return status;
  watch.activity = "eliminating";
  status = n ? permi_cauchy_number(nodes, &watch, &number, &here) : PERM_OK;
  if (status != PERM_OK)
    return status < 0 ? permi_fail_memory(result) : permi_fail_stopped(&watch, result);
  permi_number_result(&number, result);
  permi_result_by(result, nodes->parts, n ? PERM_METHOD_BORCHARDT : PERM_METHOD_STRUCTURE, PERM_PRECISION_DD,
                  PERM_ISA_PLAIN, (double)n * n * n / 3);
  if (options->method == PERM_METHOD_AUTO && n <= PERM_MAX_N && permi_wants_more(options, result)) {
    perm_result general;
    if (permi_cauchy_general(nodes, options, watch.start, &general) == PERM_OK &&
        permi_relative(options, &general) < permi_relative(options, result))
      *result = general;
  }
  if (condition)
    *condition = here;
  result->seconds = permi_seconds() - watch.start;
  return permi_judge(options, result);
}

static perm_status permi_cauchy(int n, const double *x, const double *y, int parts, const perm_options *options_given,
                                double *condition, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, 16.0 * parts * fmax(n, 0));
  const permi_nodes nodes = {n, parts, {x, y}};
  perm_status status = permi_cauchy_metered(&nodes, options, condition, result);
  return permi_kind(permi_meter_end(&call, status, result), parts, options_given, result);
}

PERM_MORE_API perm_status perm_compute_cauchy_real(int n, const double *x, const double *y, const perm_options *options,
                                                   double *condition, perm_result *result)
{
  return permi_cauchy(n, x, y, 1, options, condition, result);
}

PERM_MORE_API perm_status perm_compute_cauchy_complex(int n, const double *x, const double *y,
                                                      const perm_options *options, double *condition,
                                                      perm_result *result)
{
  return permi_cauchy(n, x, y, 2, options, condition, result);
}
/* SPDX-License-Identifier: MIT */
