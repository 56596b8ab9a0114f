/* ================================================================================ >>amplitudes_bound */
#pragma once
#include "amplitudes.h"

/* Copies the rows and columns that count to p->u, as multiples of 2^p->exp2. Returns log2 of a bound on ||U||_2;
   -INFINITY for zeros. room: 4 K^2 doubles. With G = U U* or U* U, K x K: ||G||_2 <= ||G^q||^(1/q) <= (largest row
   sum)^(1/q), q = 1, 2, 4, .. 64. An entry of G, and of a square, is off by at most gamma of 2 L + 8 times the norm, L
   the length of a sum, the norm by K times that; squares count half each. */
static double permi_amplitudes_norm(permi_amplitudes *p, const permi_view *view, double *room)
{
  const int across = p->columns < p->modes, size = across ? p->columns : p->modes;
  const int length = across ? p->modes : p->columns, line = 2 * (across ? 1 : p->columns);
  const int step = 2 * (across ? p->columns : 1);
  const size_t square = 2 * (size_t)size * (size_t)size;
  double *g = room, *h = room + square, best = (double)INFINITY, exp2 = 0, power = 1, largest = 0;
  int e = INT_MIN, i, j, k, round;
  size_t at;
  for (i = 0, at = 0; i < p->modes; i++)
    for (j = 0; j < 2 * p->columns; j++, at++) {
      const double x = p->row[i] < 0 ? 0 : permi_at(view, p->row[i], p->column[j / 2], j & 1);
      e = x != 0 && permi_exponent(x) > e ? permi_exponent(x) : e;
      p->u[at] = x;
    }
  p->exp2 = e == INT_MIN ? 0 : e;
  while (at-- > 0)
    p->u[at] = ldexp(p->u[at], -p->exp2);
  if (e == INT_MIN)
    return -(double)INFINITY;
  for (i = 0; i < size; i++)
    for (j = 0; j < size; j++) {
      const double *x = p->u + (size_t)i * (size_t)line, *y = p->u + (size_t)j * (size_t)line;
      double re = 0, im = 0;
      for (k = 0; k < length; k++, x += step, y += step) {
        re += x[0] * y[0] + x[1] * y[1];
        im += x[1] * y[0] - x[0] * y[1];
      }
      g[2 * (i * size + j)] = re;
      g[2 * (i * size + j) + 1] = im;
    }
  for (round = 0; round < 7; round++, power *= 2, exp2 *= 2) {
    double row_sum = 0;
    for (i = 0; i < size; i++) {
      double sum = 0;
      for (j = 0; j < size; j++)
        sum += hypot(g[2 * (i * size + j)], g[2 * (i * size + j) + 1]);
      row_sum = fmax(row_sum, sum);
      largest = round ? largest : fmax(largest, g[2 * (i * size + i)]);
    }
    best = fmin(best, (log2(row_sum) + exp2) / power);
    if (round == 6 || (round == 0 && row_sum <= largest * (1 + 1e-9)))
      break;
    k = permi_exponent(row_sum);
    exp2 += k;
    for (at = 0; at < square; at++)
      g[at] = ldexp(g[at], -k);
    for (i = 0; i < size; i++)
      for (j = 0; j < size; j++) { /* G is Hermitian */
        double re = 0, im = 0;
        for (k = 0; k < size; k++) {
          const double *x = g + 2 * (i * size + k), *y = g + 2 * (j * size + k);
          re += x[0] * y[0] + x[1] * y[1];
          im += x[1] * y[0] - x[0] * y[1];
        }
        h[2 * (i * size + j)] = re;
        h[2 * (i * size + j) + 1] = im;
      }
    memcpy(g, h, square * sizeof *g);
  }
  return p->exp2 + best / 2 + 3.0 * size * (2.0 * (size > length ? size : length) + 8) * PERMI_UNIT;
}

/* THE BOUND (docs/proofs-rounding.md): of ||computed - exact||_2, U with norm 2^norm, in units of the result.
   1. A layer's sums are off by at most 2^(1/2) gamma_(nu + 6) (k / j)^(1/2) times the norm of the layer before: nu =
   min(k, m) FMAs, two additions, four roundings of a coefficient; the k-th photon is the j-th of its column.
   2. Photons still to come make an error larger by at most alpha_k: alpha_k^2 = max over r >= 0, sum r_c <= k, of the
   product of C(r_c + q_c, q_c) / C(t_c, q_c), q_c of t_c photons of column c to come. Its logarithm is concave in r,
   so the largest steps (r_c + 1 + q_c) / (r_c + 1) first are best: r_c >= floor(q_c k / (n - k)).
   3. The layer before has norm 1 + its own error, in which alpha^2 is at most C(K, k) / product of C(t_c, q_c).
   4. What underflows is below 2^-1022 a layer. A last unit is for squares. */
static double permi_amplitudes_bound(const permi_amplitudes *p, double norm, double *room, int *reached)
{
  const int n = p->n, columns = p->columns;
  const double size = exp2(n * norm - floor(n * p->scale + 0.5)), tiny = p->scale != 0 ? 2 * DBL_MIN : DBL_MIN * fmax(size, 1);
  double *log_factorial = room, *before = room + 2 * n + 1, total = 2 * PERMI_UNIT * size;
  int *left = reached + columns, *then = left + columns, k, c, later;
  if (size == 0)
    return 0;
  for (k = 0; k <= 2 * n; k++)
    log_factorial[k] = permi_log2_factorial(k);
  for (k = 0; k <= n; k++)
    before[k] = 0;
  memcpy(left, p->times, (size_t)columns * sizeof *left);
  for (k = 1; k <= n; k++) {
    const int copy = p->times[p->order[k - 1]] - --left[p->order[k - 1]];
    const double nu = k < p->modes ? k : p->modes;
    const double local = 1.4142136 * (nu + 6) * PERMI_UNIT * (1 + 1e-6) * sqrt((double)k / copy) * (1 + before[k - 1]);
    double grows = 0, square = 1;
    int rest = k, tries = 0, one;
    for (c = 0; c < columns; c++) {
      const int q = left[c], r = k < n ? (int)((int64_t)q * k / (n - k)) : 0;
      reached[c] = r;
      rest -= r;
      grows += log_factorial[r + q] - log_factorial[r] - log_factorial[p->times[c]] + log_factorial[p->times[c] - q];
    }
    for (; rest > 0 && k < n; rest -= one) {
      double most = 1;
      int best = 0;
      for (c = 0; c < columns; c++)
        if ((double)left[c] / (reached[c] + 1) > most - 1) {
          most = 1 + (double)left[c] / (reached[c] + 1);
          best = c;
        }
      one = tries++ < 64 ? 1 : rest;
      reached[best]++;
      grows += one * log2(most);
    }
    total += exp2(grows / 2) * (local * size + tiny);
    before[k] += local;
    for (c = 0; c < columns; c++)
      then[c] = p->times[c] - left[c];
    for (later = k; later < n; later++) {
      const int next = p->order[later], to_come = then[next] - (p->times[next] - left[next]);
      square *= (later + 1.0) / (later + 1 - k) * (to_come + 1) / (then[next] + 1);
      then[next]++;
      before[later + 1] += sqrt(square) * local;
    }
  }
  return total * (1 + 1e-6);
}
/* SPDX-License-Identifier: MIT */
