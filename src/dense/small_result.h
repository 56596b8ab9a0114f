/* ===================================================================================== >>small_result
   n <= 16 at once, as perm_real and perm_complex compute them, with bound and estimate.
   The bound: moduli |re| + |im| in place of all numbers give at most prod_i R_i, R_i = sum_j |a_ij|, as the mean
   over the signs; the expansion of n <= 4 gives per |A|. A product of n entries is rounded at most K times,
   K = permi_small_roundings, in the expansions 16. So |error| is at most K u / (1 - K u) times that [Hig02, 3.1], and
   what >>small says of underflow. It is weak where much cancels: certify takes the general path.
   The estimate of n > 4 is what permi_small_stands compares, with the product of the rows' norms. */
#pragma once
#include "small.h"
#include "../base/doubles.h"
#include "../base/memory.h"

static int permi_small_all_whole(int entries, const double *a)
{
  int i, whole = 1;
  for (i = 0; i < entries && whole; i++)
    whole = fabs(a[i]) < 9007199254740992.0 && (double)(int64_t)a[i] == a[i];
  return whole;
}

/* Whether the kernels round nothing, as >>small_exact says: whole numbers, 2^(n-3) prod_i R_i below 2^53. */
static int permi_small_rounds_nothing(int n, int entries, const double *a, double products)
{
  return products * (1 << (n < 4 ? 0 : n - 3)) < 9007199254740992.0 && permi_small_all_whole(entries, a);
}

#define PERMI_WRITTEN_OUT_N 12 /* lines of a small matrix, with copies */

/* An m x n matrix with multiplicities; NULL: once each. */
typedef struct permi_copies {
  int m, n;
  const void *a;
  ptrdiff_t ld;
  const int *row_count, *column_count;
} permi_copies;

/* Fills in a result if the value stands, with an estimate of at most 1e-10 of it, and is not 0; else returns 0. 2 <= n
   <= 16, isa not AUTO. */
static int permi_small_result(perm_isa isa, int n, int parts, const double *a, ptrdiff_t ld, perm_result *result)
{
  double tight[2 * PERMI_SMALL_N * PERMI_SMALL_N], out[4], largest, bound, estimate;
  const int width = n * parts;
  int i;
  if (ld != n) {
    for (i = 0; i < n; i++)
      memcpy(tight + i * width, a + i * ld * parts, (size_t)width * sizeof *a);
    a = tight;
  }
  if (n < 4)
    isa = PERM_ISA_PLAIN;
  if (!(parts == 2 ? permi_small_complex(isa, n, a, out) : permi_small_real(isa, n, a, out)) ||
      (out[0] == 0 && (parts == 1 || out[1] == 0)) || permi_not_finite(out[0]) || permi_not_finite(out[parts - 1]))
    return 0;
  largest = fabs(out[0]);
  if (parts == 2 && fabs(out[1]) > largest)
    largest = fabs(out[1]);
  if (n > 4) {
    const permi_small_size size = permi_small_sizes(isa, n, width, a);
    bound = 1.001 * PERMI_UNIT * permi_small_roundings(n) * size.sums + (n > PERMI_NEAR_N ? 1e-114 : 1e-170);
    estimate = 4 * n * PERMI_UNIT * (out[parts] + sqrt(size.squares));
    estimate = estimate < bound ? estimate : bound;
    if (permi_small_rounds_nothing(n, n * width, a, size.sums))
      bound = estimate = 0;
  } else {
    double moduli[16];
    for (i = 0; i < n * n; i++)
      moduli[i] = parts == 2 ? fabs(a[2 * i]) + fabs(a[2 * i + 1]) : fabs(a[i]);
    bound = 16 * PERMI_UNIT * 1.001 * permi_small(n, moduli) + 1e-200;
    estimate = 0.1 * bound;
    if (permi_small_all_whole(n * width, a) &&
        permi_small_sizes_plain(n, width, a).sums * (n < 4 ? 1 : 2) < 9007199254740992.0)
      bound = estimate = 0;
    if (estimate > 1e-10 * largest)
      return 0;
  }
  permi_result_clear_brief(result);
  result->value = out[0];
  result->imaginary = parts == 2 ? out[1] : 0;
  result->error_bound = bound;
  result->error_estimate = estimate;
  result->is_complex = parts == 2;
  result->method = n > 4 ? PERM_METHOD_DENSE : PERM_METHOD_EXPANSION;
  result->precision = PERM_PRECISION_DEFAULT;
  result->isa = isa;
  result->threads = 1;
  result->terms = (double)(1 << (n - 1));
  return 1;
}

/* The matrix with its copies; entries are doubles or 64-bit integers, of `parts`; full: the result. Returns the
   number of columns, or 0 if that is not 1 to PERMI_WRITTEN_OUT_N, or that of rows is not by `missing` smaller. */
static int permi_small_write_out(const permi_copies *from, int parts, int missing, void *full)
{
  const int *const count[2] = {from->row_count, from->column_count};
  const size_t entry = 8 * (size_t)parts;
  char *to = (char *)full;
  int total[2] = {0, 0}, side, i, j, k, copy;
  for (side = 0; side < 2; side++)
    for (i = 0; i < (side ? from->n : from->m); i++) {
      const int times = count[side] ? count[side][i] : 1;
      if (times < 0 || times > PERMI_WRITTEN_OUT_N || (total[side] += times) > PERMI_WRITTEN_OUT_N)
        return 0;
    }
  if (total[0] + missing != total[1])
    return 0;
  for (i = 0; i < from->m; i++) {
    const char *row = (const char *)from->a + (size_t)i * (size_t)from->ld * entry;
    const int times = count[0] ? count[0][i] : 1;
    char *first = to;
    for (j = 0; j < from->n && times; j++)
      for (k = 0; k < (count[1] ? count[1][j] : 1); k++, to += entry) {
        memcpy(to, row + (size_t)j * entry, 8);
        if (parts == 2)
          memcpy(to + 8, row + (size_t)j * entry + 8, 8);
      }
    for (copy = 1; copy < times; copy++, to += (size_t)total[1] * entry)
      memcpy(to, first, (size_t)total[1] * entry);
  }
  return total[1];
}
/* SPDX-License-Identifier: MIT */
