/* The yardstick of `make bench`: the plain Gray-code programs that one writes from the formula, one row sum at a
   time (Nijenhuis-Wilf, as in the textbooks), for real matrices and for complex ones (real and imaginary parts in
   turn, products written out). Compiled twice, at -O2 and -O3 -march=native, with BENCH_NAME(kind) for the names. */
#include <stddef.h>

double BENCH_NAME(real)(int n, const double *a);
void BENCH_NAME(complex)(int n, const double *a, double *value);

double BENCH_NAME(real)(int n, const double *a)
{
  double x[64], total = 0, sign = 1, transposed[64 * 64];
  unsigned long long s, last = 1ull << (n - 1);
  int i, j;
  for (i = 0; i < n; i++) {
    x[i] = 0;
    for (j = 0; j < n; j++) {
      x[i] += a[i * n + j];
      transposed[j * n + i] = 2 * a[i * n + j];
    }
  }
  for (s = 1;; s++) {
    double product = sign;
    const double *column;
    for (i = 0; i < n; i++)
      product *= x[i];
    total += product;
    if (s == last)
      break;
    sign = -sign;
    for (j = 0; !(s >> j & 1); j++)
      ;
    column = transposed + j * n;
    if ((s ^ s >> 1) >> j & 1)
      for (i = 0; i < n; i++)
        x[i] -= column[i];
    else
      for (i = 0; i < n; i++)
        x[i] += column[i];
  }
  return total / (double)last;
}

void BENCH_NAME(complex)(int n, const double *a, double *value)
{
  double x[2 * 64], total[2] = {0, 0}, sign = 1, transposed[2 * 64 * 64];
  unsigned long long s, last = 1ull << (n - 1);
  int i, j;
  for (i = 0; i < n; i++) {
    x[2 * i] = x[2 * i + 1] = 0;
    for (j = 0; j < n; j++) {
      x[2 * i] += a[2 * (i * n + j)];
      x[2 * i + 1] += a[2 * (i * n + j) + 1];
      transposed[2 * (j * n + i)] = 2 * a[2 * (i * n + j)];
      transposed[2 * (j * n + i) + 1] = 2 * a[2 * (i * n + j) + 1];
    }
  }
  for (s = 1;; s++) {
    double re = sign, im = 0;
    const double *column;
    for (i = 0; i < n; i++) {
      double was = re;
      re = re * x[2 * i] - im * x[2 * i + 1];
      im = was * x[2 * i + 1] + im * x[2 * i];
    }
    total[0] += re;
    total[1] += im;
    if (s == last)
      break;
    sign = -sign;
    for (j = 0; !(s >> j & 1); j++)
      ;
    column = transposed + 2 * j * n;
    if ((s ^ s >> 1) >> j & 1)
      for (i = 0; i < 2 * n; i++)
        x[i] -= column[i];
    else
      for (i = 0; i < 2 * n; i++)
        x[i] += column[i];
  }
  value[0] = total[0] / (double)last;
  value[1] = total[1] / (double)last;
}
/* SPDX-License-Identifier: MIT */
