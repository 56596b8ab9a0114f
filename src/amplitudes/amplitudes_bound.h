/* ================================================================================ >>amplitudes_bound */
#pragma once
#include "amplitudes.h"

/* Sets p->u; returns log2 of a bound on ||U||_2, -INFINITY for zeros. room: 4 K^2 doubles, K the lesser side. With G
   = U U* or U* U: ||U||^2q = ||G^q|| <= the largest row sum of moduli, q = 1, 2, 4, .. 64. An entry of G is off by at
   most gamma of 2 L + 8 times its norm, L the sum's length, the norm by K times that; squares count half. */
static double permi_amplitudes_norm(permi_amplitudes *p, const permi_view *view, double *room)
{
  const int across = p->columns < p->modes, size = across ? p->columns : p->modes;
  const size_t square = 2 * (size_t)size * (size_t)size;
  int length = across ? p->modes : p->columns, line = across ? 2 : 2 * p->columns, step = across ? 2 * p->columns : 2;
  const double slack = 3.0 * size * (2.0 * (size > length ? size : length) + 8) * PERMI_UNIT;
  double *from = p->u, *to = room, best = (double)INFINITY, exp2 = 0, power = 2, largest = 0, sums = 0;
  int e = INT_MIN;
  for (int i = 0; i < p->modes * 2 * p->columns; i++) {
    const int row = p->ranks.row[i / 2 / p->columns];
    p->u[i] = row < 0 ? 0 : permi_at(view, row, p->column[i / 2 % p->columns], i & 1);
    e = p->u[i] != 0 && permi_exponent(p->u[i]) > e ? permi_exponent(p->u[i]) : e;
  }
  if (e == INT_MIN)
    return -(double)INFINITY;
  p->exp2 = e;
  for (int i = 0; i < p->modes * 2 * p->columns; i++)
    p->u[i] = ldexp(p->u[i], -e);
  const int rounds = size > 200 ? 1 : 7;
  for (int round = 0; round < rounds && (round != 1 || sums > largest * (1 + 1e-9)); round++, power *= 2) {
    sums = 0;
    for (int i = 0; i < size; i++) {
      double sum = 0;
      for (int j = 0; j < size; j++) {
        const double *x = from + i * line, *y = from + j * line;
        double re = 0, im = 0;
        for (int k = 0; k < length; k++, x += step, y += step) {
          re += x[0] * y[0] + x[1] * y[1];
          im += x[1] * y[0] - x[0] * y[1];
        }
        to[2 * (i * size + j)] = re;
        to[2 * (i * size + j) + 1] = im;
        sum += sqrt(re * re + im * im);
        largest = round == 0 && re > largest ? re : largest;
      }
      sums = fmax(sums, sum);
    }
    best = fmin(best, (log2(sums) + exp2) / power);
    const int k = permi_exponent(sums);
    exp2 = 2 * (exp2 + k);
    for (int i = 0; i < (int)square; i++)
      to[i] = ldexp(to[i], -k);
    from = to;
    to = to == room ? room + square : room;
    length = size;
    line = 2 * size;
    step = 2;
  }
  return e + best + slack;
}

/* THE BOUND (docs/proofs-rounding.md, tests/proofs/amplitudes.g): of ||computed - exact||_2, U with norm 2^norm, in
   units of the result. Layer k, of its column's j-th photon, is off by at most 2^(1/2) gamma_(nu + 6) (k / j)^(1/2) of
   the norm before, 1 and its error, nu = min(k, m); q_c photons to come, of t_c, enlarge that by alpha_k at most:
   alpha_k^2 = max over r >= 0, sum r_c <= k, of the product of C(r_c + q_c, q_c) / C(t_c, q_c), by largest steps.
   Underflow is below 2^-1022 a layer. A last unit is for squares and their sums. */
static double permi_amplitudes_bound(const permi_amplitudes *p, double norm, double *room, int *reached)
{
  const int n = p->n, columns = p->columns;
  const double size = exp2(n * norm - floor(n * p->scale + 0.5)), tiny = DBL_MIN * fmax(p->scale != 0 ? 2 : size, 1);
  double *log_factorial = room, *before = room + 2 * n + 1, total = 2 * PERMI_UNIT * size;
  int *left = reached + columns, *taken = left + columns;
  for (int k = 0; k <= 2 * n; k++)
    log_factorial[k] = permi_log2_factorial(k);
  for (int c = 0; c < columns; c++)
    left[c] = p->times[c];
  for (int k = 1; k <= n; k++) {
    const int copy = p->times[p->order[k - 1]] - --left[p->order[k - 1]];
    const double nu = k < p->modes ? k : p->modes;
    const double local = 1.4142136 * (nu + 6) * PERMI_UNIT * (1 + 1e-6) * sqrt((double)k / copy) * (1 + before[k - 1]);
    double grows = 0, square = 1;
    int rest = k < n ? k : 0;
    for (int c = 0; c < columns; c++) {
      const int q = left[c], r = k < n ? (int)((int64_t)q * k / (n - k)) : 0;
      reached[c] = r;
      rest -= r;
      taken[c] = p->times[c] - q;
      grows += log_factorial[r + q] - log_factorial[r] - log_factorial[p->times[c]] + log_factorial[taken[c]];
    }
    for (int tries = 0, best = 0, one; rest > 0; rest -= one) {
      double most = 0;
      for (int c = 0; c < columns; c++)
        if ((double)left[c] / (reached[c] + 1) > most) {
          most = (double)left[c] / (reached[c] + 1);
          best = c;
        }
      one = tries++ < 64 ? 1 : rest;
      reached[best]++;
      grows += one * log2(1 + most);
    }
    total += exp2(grows / 2) * (local * size + tiny);
    before[k] += local;
    for (int later = k; later < n; later++) {
      const int next = p->order[later], copies = taken[next]++;
      square *= (later + 1.0) / (later + 1 - k) * (copies + 1 - p->times[next] + left[next]) / (copies + 1);
      before[later + 1] += sqrt(square) * local;
    }
  }
  return norm > -(double)INFINITY ? total * (1 + 1e-6) : 0;
}
/* SPDX-License-Identifier: MIT */
