/* The yardstick of `make bench`: the plain Gray-code program that one writes from the formula, one row sum at a
   time (Nijenhuis-Wilf, as in the textbooks). Compiled twice, with BENCH_NAME, at -O2 and -O3 -march=native. */
#include <stddef.h>

double BENCH_NAME(int n, const double *a);

double BENCH_NAME(int n, const double *a)
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
