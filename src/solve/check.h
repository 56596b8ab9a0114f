/* ========================================================================================== >>check
   Is the matrix what the call says it is? */
#pragma once
#include "../dense/dense.h"
#include "../job/options.h"

/* The same for calls whose work is not that of a job. */
PERMI_UNUSED
static perm_status permi_check_whole(const perm_options *options, int argument, perm_result *result)
{
  const perm_status status = permi_check_options(options, argument, result);
  return status == PERM_OK && permi_in_pieces(options)
             ? permi_fail(result, PERM_ERROR_OPTION, argument,
                          "options: checkpoint, parts and merge are for single permanents that a job computes")
             : status;
}

static perm_status permi_check_matrix(int m, int n, const permi_view *view, perm_result *result)
{
  const double *a = view->a;
  const ptrdiff_t ld = view->ld;
  int i, j;
  if (m < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "m is negative (%d rows)", m);
  if (n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "n is negative (%d columns)", n);
  if (m == 0 || n == 0)
    return PERM_OK;
  if (m > PERM_MAX_N || n > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, m > PERM_MAX_N ? 1 : 2,
                      "the matrix is %d x %d; dense engines go up to order %d, perm_estimate_* further", m, n,
                      PERM_MAX_N);
  if (!a)
    return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL for a %d x %d matrix", m, n);
  if (ld < n)
    return permi_fail(result, PERM_ERROR_STRIDE, 4, "ld is %lld, smaller than the %d columns of a row", (long long)ld,
                      n);
  for (i = 0; i < m; i++)
    for (j = 0; j < view->parts * n; j++) {
      double x = a[(ptrdiff_t)i * ld * view->parts + j];
      if (!(fabs(x) <= DBL_MAX))
        return permi_fail(result, PERM_ERROR_NOT_FINITE, 3, "a has %s in row %d, column %d (counted from 1)",
                          x != x ? "NaN" : "an infinity", i + 1, j / view->parts + 1);
    }
  return PERM_OK;
}
