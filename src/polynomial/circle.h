/* ========================================================================================== >>circle
   Coefficients in doubles: by >>coefficients, or by values at the N roots of unity times r = 2^shift, N - 1 at least
   the degree: a_k is r^-k times their discrete Fourier transform. Of real pencils half the points are enough.
   THE BOUND, u = 2^-53:
   1. Of entries that are not negative every term of a sum is positive: a coefficient is wrong by gamma(roundings) of
      itself, and by what underflow loses, 2^-1074 a term, times at most 2^room, what other rows have.
   2. Else, with M >= per(|C| + r |L|) >= |P(x_j)|: a root is wrong by 12 u, so an entry c + l x_j by 16 u (|c| + r
      |l|), and a permanent by ((1 + 16 u)^lines - 1) M, besides its own error_bound. A term of the transform is a
      product with a root, and one of N: (N + 20) u (M + its error) for all. a_k is wrong by r^-k times the mean. */
#pragma once
#include "coefficients.h"

/* log2 of a bound on sums of products of rows, of entries of at most 1. */
static int permi_circle_room(const permi_pencil *pencil)
{
  double bits = 2;
  for (int i = 0; i < pencil->m; i++)
    bits += log2(2.0 * (double)(pencil->matrix.row_start[i + 1] - pencil->matrix.row_start[i]) + 1);
  return (int)fmin(bits, 1e6);
}

static void permi_circle_at(permi_pencil *pencil, double re, double im)
{
  perm_matrix *matrix = &pencil->matrix;
  matrix->kind = pencil->parts == 2 || im != 0 ? PERM_KIND_COMPLEX : PERM_KIND_REAL;
  for (size_t e = 0; e < matrix->nnz; e++) {
    const permi_cell *c = pencil->cell + 2 * e, *l = c + 1;
    matrix->real[e] = c->real + (l->real * re - l->imaginary * im);
    matrix->imaginary[e] = c->imaginary + (l->real * im + l->imaginary * re);
  }
}

static perm_status permi_circle_run(permi_pencil *pencil, double *values, double *bounds)
{
  const int N = pencil->most + 1, parts = pencil->parts, last = parts == 1 ? N / 2 : N - 1;
  const int lines = pencil->m < pencil->n ? pencil->m : pencil->n;
  const double r = ldexp(1, pencil->shift);
  double *root = (double *)permi_pool_get(&pencil->pool, 4 * (size_t)N, sizeof *root), *value = root + 2 * N;
  double bits = (double)INFINITY, error = 0, most;
  perm_result *result = pencil->result;
  perm_status status = root ? permi_pencil_moduli(pencil, r, &bits) : PERM_ERROR_MEMORY;
  const long long unit = bits > -1e9 && bits < 1e9 ? (long long)ceil(bits) : 0;
  most = bits < 1e9 ? exp2(bits - (double)unit) : bits;
  for (size_t e = 0; e < pencil->matrix.nnz; e++) /* a denormal r l is not rounded by u */
    most = pencil->cell[2 * e + 1].absolute > 0 && !(pencil->matrix.real[e] > 4 * DBL_MIN) ? (double)INFINITY : most;
  for (int j = 0; j <= last && status == PERM_OK; j++) {
    const double angle = 6.283185307179586 * (2 * j > N ? j - N : j) / N;
    root[2 * j] = cos(angle);
    root[2 * j + 1] = 2 * j % N ? sin(angle) : 0;
    permi_circle_at(pencil, r * root[2 * j], r * root[2 * j + 1]);
    status = permi_pencil_permanent(pencil, 0, 0, NULL);
    bits = (parts == 1 && j > 0 && 2 * j < N ? 2.0 : 1.0) / N; /* its weight */
    value[2 * j] = bits * permi_ldexp(result->value, result->exp2 - unit);
    value[2 * j + 1] = bits * permi_ldexp(result->imaginary, result->exp2 - unit);
    error += bits * permi_ldexp(result->error_bound, result->exp2 - unit);
    pencil->watch->done = pencil->watch->work_total * (j + 1) / (last + 1);
    status = status == PERM_OK && permi_watch(pencil->watch, PERMI_WATCH_UNITS) ? pencil->watch->stopped : status;
  }
  error += expm1(lines * log1p(16 * PERMI_UNIT)) * most + (N + 20) * PERMI_UNIT * (most + error);
  for (int k = 0; k <= pencil->degree && status == PERM_OK; k++) {
    const long long shift = unit - (long long)pencil->shift * k;
    double sum[2] = {0, 0};
    for (int j = 0; j <= last; j++) {
      const int at = (int)((long long)j * k % N), other = parts == 1 && 2 * at > N;
      const double *w = root + 2 * (other ? N - at : at), *v = value + 2 * j, im = other ? -w[1] : w[1];
      sum[0] += v[0] * w[0] + v[1] * im;
      sum[1] += v[1] * w[0] - v[0] * im;
    }
    for (int j = 0; j < parts; j++)
      values[k * parts + j] = permi_ldexp(sum[j], shift);
    bounds[k] = permi_ldexp(error * (1 + 1e-9), shift) + DBL_MIN;
  }
  return status;
}

static perm_status permi_circle_compute(permi_pencil *pencil, permi_coefficients *plan, double *values, double *bounds)
{
  perm_status status = PERM_OK, planning = PERM_ERROR_LIMIT;
  double points = (double)INFINITY;
  if (pencil->largest[1] > 0)
    pencil->shift = permi_exponent(pencil->largest[0] > 0 ? fmax(pencil->largest[0], 1e-280) : 0) -
                    permi_exponent(pencil->largest[1]);
  pencil->shift = pencil->shift < -500 ? -500 : pencil->shift > 500 ? 500 : pencil->shift;
  plan->seconds = points;
  plan->shift[0] = permi_exponent(pencil->largest[0]);
  plan->shift[1] = plan->shift[0] - pencil->shift;
  if (!pencil->negative && permi_circle_room(pencil) < 900)
    status = permi_coefficients_plan(pencil, plan);
  const int huge = fmax(pencil->largest[0], ldexp(pencil->largest[1], pencil->shift)) > 2e307;
  if (status == PERM_OK && huge && plan->seconds == points)
    return permi_fail(pencil->result, PERM_ERROR_UNSUPPORTED, 0, "entries are beyond 2e307: scale them");
  if (status == PERM_OK && pencil->options->method != PERM_METHOD_FRONTIER && !huge) {
    permi_circle_at(pencil, ldexp(0.75, pencil->shift), pencil->most > 1 ? ldexp(0.66, pencil->shift) : 0);
    points = (pencil->most + 2) * (pencil->parts == 1 ? 0.5 : 1) * permi_pencil_seconds(pencil, 0, 0, &planning);
  }
  if (status == PERM_OK)
    status = permi_pencil_may(pencil, fmin(points, plan->seconds), planning);
  if (status == PERM_OK && plan->seconds > points) {
    status = permi_circle_run(pencil, values, bounds);
  } else if (status == PERM_OK && plan->frontier) { /* of C and L with a largest entry from 1/2 to 1 */
    const double gamma = permi_gamma(plan->roundings), lost = ldexp(plan->ways, permi_circle_room(pencil) - 1074);
    const int c = plan->shift[0], l = plan->shift[1], lines = permi_matrix_shorter(&pencil->matrix);
    status = permi_coefficients_compute(plan, pencil->watch, 0, NULL, values, pencil->result);
    for (int k = 0; k <= pencil->degree && status == PERM_OK; k++) {
      const long long unit = (long long)c * (lines - k) + (long long)l * k;
      bounds[k] = fmax(permi_ldexp(gamma / (1 - gamma) * values[k] + lost, unit) * (1 + 1e-9), DBL_MIN);
      values[k] = permi_ldexp(values[k], unit);
    }
  }
  if (status == PERM_OK && plan->seconds <= points)
    pencil->result->method = PERM_METHOD_FRONTIER;
  return status;
}
/* SPDX-License-Identifier: MIT */
