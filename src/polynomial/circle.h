/* ========================================================================================== >>circle
   Coefficients in doubles, by values at the N roots of unity times r = 2^shift, N - 1 at least the degree: a_k is r^-k
   times their discrete Fourier transform. Fewer points would add a_(k + N) r^N to a_k. Of real pencils conjugate points
   have conjugate values.
   THE BOUND: with M = per(|C| + r |L|), an upper bound on all |P(x_j)|,
   1. a root is wrong by less than 12 u, so an entry c + l x_j by 16 u (|c| + r |l|), and a permanent of so many lines by
      ((1 + 16 u)^lines - 1) M, besides its own error_bound;
   2. a term of the transform is a product with a root, one of N of a sum: (N + 20) u (M + its error) for all;
   3. a_k's error is r^-k times the mean of these: of a_k << M / r^k no digit may be right. */
#pragma once
#include "coefficients.h"

static void permi_circle_at(permi_pencil *pencil, double re, double im)
{
  perm_matrix *matrix = &pencil->matrix;
  size_t e;
  matrix->kind = pencil->parts == 2 || im != 0 ? PERM_KIND_COMPLEX : PERM_KIND_REAL;
  for (e = 0; e < matrix->nnz; e++) {
    const double *c = pencil->entry[e].real[0], *l = pencil->entry[e].real[1];
    matrix->real[e] = c[0] + (l[0] * re - l[1] * im);
    matrix->imaginary[e] = c[1] + (l[0] * im + l[1] * re);
  }
}

/* Returns log2 of a bound on sums of products of rows whose entries are at most 1. */
static int permi_circle_room(const permi_pencil *pencil)
{
  double bits = 0;
  int i;
  for (i = 0; i < pencil->m; i++)
    bits += log2(2.0 * (double)(pencil->matrix.row_start[i + 1] - pencil->matrix.row_start[i]) + 1);
  return (int)fmin(bits + 2, 1e6);
}

static perm_status permi_circle_run(permi_pencil *pencil, double *values, double *bounds)
{
  const int N = pencil->most + 1, parts = pencil->parts, last = parts == 1 ? N / 2 : N - 1;
  const int lines = pencil->m < pencil->n ? pencil->m : pencil->n;
  const double r = ldexp(1, pencil->shift), entry = expm1(lines * log1p(16 * PERMI_UNIT)) * (1 + 1e-9);
  permi_pool pool = {&pencil->options->allocator, NULL, 0};
  double *root = (double *)permi_pool_get(&pool, 4 * (size_t)N, sizeof *root), *value = root + 2 * N;
  double error = 0, estimate = 0, most = 0;
  long long exp2 = 0;
  perm_result *result = pencil->result;
  perm_status status = root ? PERM_OK : PERM_ERROR_MEMORY;
  size_t e;
  int j, k;
  for (e = 0; e < pencil->matrix.nnz; e++) {
    const permi_pencil_entry *x = &pencil->entry[e];
    pencil->matrix.real[e] = hypot(x->real[0][0], x->real[0][1]) + r * hypot(x->real[1][0], x->real[1][1]);
  }
  pencil->matrix.kind = PERM_KIND_REAL;
  for (j = -1; j <= last && status == PERM_OK; j++) { /* -1: M */
    const double angle = 6.283185307179586 * (2 * j > N ? j - N : j) / N, twice = parts == 1 && j > 0 && 2 * j < N ? 2 : 1;
    if (j >= 0) {
      root[2 * j] = cos(angle);
      root[2 * j + 1] = 2 * j % N ? sin(angle) : 0;
      permi_circle_at(pencil, r * root[2 * j], r * root[2 * j + 1]);
    }
    status = permi_pencil_permanent(pencil, 0, 0, result);
    if (status == PERM_TOLERANCE_NOT_MET)
      status = PERM_OK;
    if (j < 0) {
      exp2 = result->exp2 + permi_exponent(result->value);
      most = ldexp((result->value + result->error_bound) * (1 + 8 * lines * PERMI_UNIT), permi_int_exponent(result->exp2 - exp2));
      continue;
    }
    value[2 * j] = permi_ldexp(result->value, result->exp2 - exp2);
    value[2 * j + 1] = permi_ldexp(result->imaginary, result->exp2 - exp2);
    error += twice * permi_ldexp(result->error_bound, result->exp2 - exp2) / N;
    estimate += twice * permi_ldexp(result->error_estimate, result->exp2 - exp2) / N;
    pencil->watch->done = pencil->watch->work_total * (j + 1) / (last + 1);
    if (status == PERM_OK && permi_watch(pencil->watch, PERMI_WATCH_UNITS))
      status = pencil->watch->stopped;
  }
  error = (error + entry * most + (N + 20) * PERMI_UNIT * (most + error)) * (1 + 1e-9);
  for (k = 0; k <= pencil->degree && status == PERM_OK; k++) {
    double sum[2] = {0, 0};
    const long long shift = exp2 - (long long)pencil->shift * k;
    for (j = 0; j <= last; j++) {
      const int at = (int)((long long)j * k % N), other = 2 * at > N && parts == 1;
      const double *w = root + 2 * (other ? N - at : at), im = other ? -w[1] : w[1], *v = value + 2 * j;
      const double twice = parts == 1 && j > 0 && 2 * j < N ? 2 : 1;
      sum[0] += twice * (v[0] * w[0] + v[1] * im);
      sum[1] += v[1] * w[0] - v[0] * im;
    }
    for (j = 0; j < parts; j++)
      values[k * parts + j] = permi_ldexp(sum[j] / N, shift);
    bounds[k] = permi_ldexp(error, shift) + DBL_MIN;
    result->error_estimate = fmax(k ? result->error_estimate : 0, permi_ldexp(fmin(estimate + sqrt((double)N * lines) * PERMI_UNIT * most, error), shift));
  }
  permi_pool_release(&pool);
  return status;
}

/* By >>coefficients. Each sum's underflow loses at most 2^-1074, times what the rest of its rows has. */
static perm_status permi_circle_vectors(permi_pencil *pencil, permi_coefficients *plan, double *values, double *bounds)
{
  const double gamma = permi_gamma(plan->roundings), lost = ldexp(plan->ways, permi_circle_room(pencil) - 1074);
  const long long exp2 = permi_coefficients_scale(pencil, plan);
  const perm_status status = permi_coefficients_run(pencil, plan, 0, NULL, values);
  int k;
  pencil->result->error_estimate = 0;
  for (k = 0; k <= pencil->degree && status == PERM_OK; k++) {
    const long long shift = exp2 - (long long)pencil->shift * k;
    const double y = values[k];
    values[k] = permi_ldexp(y, shift);
    bounds[k] = permi_ldexp(gamma / (1 - gamma) * y + lost, shift) * (1 + 1e-9) + (y > 0 ? DBL_MIN : 0);
    pencil->result->error_estimate = fmax(pencil->result->error_estimate, fmin(4 * sqrt(gamma * PERMI_UNIT) * values[k], bounds[k]));
  }
  return status;
}

/* Coefficients in doubles. bounds: not NULL. */
static perm_status permi_pencil_doubles(permi_pencil *pencil, permi_coefficients *plan, double *values, double *bounds)
{
  const perm_options *options = pencil->options;
  const int frontier = options->method == PERM_METHOD_FRONTIER;
  permi_control *watch = pencil->watch;
  perm_status status = PERM_OK, planning = PERM_ERROR_LIMIT;
  double vectors = (double)INFINITY, points = vectors, least, sum[2] = {0, 0};
  size_t e;
  int k;
  watch->activity = "planning a polynomial";
  for (e = 0; e < pencil->matrix.nnz; e++)
    for (k = 0; k < 4; k++)
      sum[k / 2] += fabs(pencil->entry[e].real[k / 2][k % 2]) * 1e-100;
  if (sum[1] > 0)
    pencil->shift = (sum[0] > 0 ? permi_exponent(sum[0]) : -332) - permi_exponent(sum[1]);
  pencil->shift = pencil->shift > 500 ? 500 : pencil->shift < -500 ? -500 : pencil->shift;
  if (pencil->m == pencil->n && pencil->n > 0 && !pencil->negative && permi_circle_room(pencil) < 900) {
    status = permi_coefficients_plan(pencil, plan);
    vectors = plan->seconds;
  }
  if (status == PERM_OK && !frontier) {
    permi_circle_at(pencil, ldexp(0.75, pencil->shift), pencil->most > 1 ? ldexp(0.66, pencil->shift) : 0);
    points = (pencil->most + 2) * (pencil->parts == 1 ? 0.5 : 1) * permi_pencil_seconds(pencil, 0, 0, &planning);
  }
  least = watch->work_total = fmin(vectors, points);
  status = status == PERM_OK ? permi_pencil_may(pencil, least, planning) : status;
  if (status != PERM_OK)
    return status;
  if (vectors > least)
    status = permi_circle_run(pencil, values, bounds);
  else if (plan->frontier)
    status = permi_circle_vectors(pencil, plan, values, bounds);
  else
    for (k = 0; k <= pencil->degree; k++)
      values[k] = bounds[k] = 0;
  pencil->result->method = vectors > least ? PERM_METHOD_AUTO : PERM_METHOD_FRONTIER;
  return status;
}
/* SPDX-License-Identifier: MIT */
