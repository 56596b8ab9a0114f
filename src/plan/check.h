/* ========================================================================================== >>check */
#pragma once
#include "../multiplicities/counts.h"
#include "../dense/dense.h"
#include "../job/control.h"

PERMI_UNUSED
static perm_status permi_check_whole(const perm_options *options, int argument, perm_result *result)
{
  const perm_status status = permi_check_options(options, argument, result);
  return status == PERM_OK && permi_in_pieces(options)
             ? permi_fail(result, PERM_ERROR_OPTION, argument,
                          "options: checkpoint, parts and merge are for single permanents that a job computes")
             : status;
}

/* `a` is NULL for integers. */
static perm_status permi_check_entries(int m, int n, const double *a, int given, ptrdiff_t ld, int parts,
                                       perm_result *result)
{
  if (!given)
    return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL for a %d x %d matrix", m, n);
  if (!permi_stride_fits(m, n, ld, 8 * parts))
    return permi_fail_stride(result, 4, "ld", m, n, ld);
  for (int i = 0; a && i < m; i++)
    for (int j = 0; j < parts * n; j++) {
      const char *bad = permi_not_finite(a[(ptrdiff_t)i * ld * parts + j]);
      if (bad)
        return permi_fail(result, PERM_ERROR_NOT_FINITE, 3, "a has %s in row %d, column %d (counted from 1)", bad,
                          i + 1, j / parts + 1);
    }
  return PERM_OK;
}

static perm_status permi_check_order(int m, int n, perm_result *result)
{
  if (m < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "m is negative (%d rows)", m);
  if (n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "n is negative (%d columns)", n);
  return PERM_OK;
}

static perm_status permi_check_matrix(int m, int n, const permi_view *view, perm_result *result)
{
  if (m == 0 || n == 0 || m < 0 || n < 0)
    return permi_check_order(m, n, result);
  if (m > PERM_MAX_N || n > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, m > PERM_MAX_N ? 1 : 2,
                      "the matrix is %d x %d; dense engines go up to order %d, perm_estimate_* further", m, n,
                      PERM_MAX_N);
  return permi_check_entries(m, n, view->a, view->a != NULL, view->ld, view->parts, result);
}

PERMI_COLD static perm_status permi_check_counts(const int *count, int lines, int argument, const char *name,
                                                 int *total, perm_result *result)
{
  *total = 0;
  for (int k = 0; k < lines; k++) {
    const int times = count ? count[k] : 1;
    if (times < 0)
      return permi_fail(result, PERM_ERROR_COUNTS, argument, "%s_counts: number %d (counted from 1) is negative (%d)",
                        name, k + 1, times);
    if (times > PERM_MAX_LINES - *total)
      return permi_fail(result, PERM_ERROR_SIZE, count ? argument : argument - 4,
                        "more than %d %ss in all, the most that this version takes", PERM_MAX_LINES, name);
    *total += times;
  }
  return PERM_OK;
}

/* With `equal` the totals of the counts must agree. */
PERMI_COLD static perm_status permi_check_problem(const permi_problem *problem, int equal, perm_result *result)
{
  const int m = problem->m, n = problem->n;
  int rows, columns;
  perm_status status = permi_check_order(m, n, result);
  if (status != PERM_OK)
    return status;
  if (m > PERM_MAX_LINES || n > PERM_MAX_LINES)
    return permi_fail(result, PERM_ERROR_SIZE, m > PERM_MAX_LINES ? 1 : 2,
                      "the matrix is %d x %d; this version takes up to %d rows or columns", m, n, PERM_MAX_LINES);
  status = permi_check_counts(problem->row_count, m, 5, "row", &rows, result);
  if (status == PERM_OK)
    status = permi_check_counts(problem->column_count, n, 6, "column", &columns, result);
  if (status != PERM_OK)
    return status;
  if (equal && rows != columns)
    return permi_fail(result, PERM_ERROR_COUNTS, 6, "%d rows in all, but %d columns: with counts they must be as many",
                      rows, columns);
  if (m == 0 || n == 0)
    return PERM_OK;
  return permi_check_entries(m, n, problem->real, problem->real || problem->integer, problem->ld, problem->parts,
                               result);
}
/* SPDX-License-Identifier: MIT */
