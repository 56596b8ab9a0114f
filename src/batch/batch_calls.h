/* ====================================================================================== >>batch_calls */
#pragma once
#include "batch.h"

#if !defined(PERM_NO_EXTRAS)
static perm_status permi_batch_run(permi_batch *batch, double input, perm_result *result)
{
  permi_metered call;
  batch->options = permi_meter_begin(&call, batch->options, input);
  return permi_meter_end(&call, permi_batch_metered(batch, result), result);
}

static permi_batch permi_batch_of(permi_batch_kind kind, int n, int parts, size_t count, const perm_options *options,
                                  double *permanents)
{
  permi_batch batch;
  memset(&batch, 0, sizeof batch);
  batch.kind = kind;
  batch.n = n;
  batch.parts = parts;
  batch.count = count;
  batch.options = permi_options(options);
  batch.out = permanents;
  return batch;
}

/* Checks and computes a batch with a stride. */
static perm_status permi_batch_laid_out(permi_batch batch, const double *a, size_t stride, perm_result *result)
{
  const int n = batch.n;
  const size_t count = batch.count, square = (size_t)(n > 0 ? n : 0) * (size_t)(n > 0 ? n : 0);
  const size_t least = batch.kind == PERMI_BATCH_ENTRIES ? count : square;
  perm_status status;
  permi_result_clear(result);
  batch.a = a;
  batch.stride = stride;
  if (n < 0 || n > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "n is %d, not 0 to %d", n, PERM_MAX_N);
  if (!a && n && count)
    return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL for %llu matrices", (unsigned long long)count);
  if (n && count && stride < least)
    return permi_fail(result, PERM_ERROR_STRIDE, 4, "the stride is %llu, smaller than %llu", (unsigned long long)stride,
                      (unsigned long long)least);
  if (n && count && /* numbers of 16 bytes, at most */
      (double)stride * ((double)(least == count ? square : count) - 1) + (double)least >= (double)(PTRDIFF_MAX / 16))
    return permi_fail(result, PERM_ERROR_STRIDE, 4, "the stride is %llu: so many numbers apart, %llu matrices are more "
                      "bytes than memory has", (unsigned long long)stride, (unsigned long long)count);
  status = permi_check_whole(batch.options, 5, result);
  if (status != PERM_OK)
    return status;
  if (!batch.out && count)
    return permi_fail(result, PERM_ERROR_NULL, 6, "permanents is NULL");
  return permi_batch_run(&batch, 8.0 * batch.parts * n * n * (double)count, result);
}

PERM_API perm_status perm_batch_real(int n, size_t count, const double *a, size_t matrix_stride,
                                     const perm_options *options, double *permanents, perm_result *result)
{
  return permi_batch_laid_out(permi_batch_of(PERMI_BATCH_MATRICES, n, 1, count, options, permanents), a, matrix_stride,
                              result);
}

PERM_API perm_status perm_batch_complex(int n, size_t count, const double *a, size_t matrix_stride,
                                        const perm_options *options, double *permanents, perm_result *result)
{
  return permi_batch_laid_out(permi_batch_of(PERMI_BATCH_MATRICES, n, 2, count, options, permanents), a, matrix_stride,
                              result);
}

PERM_API perm_status perm_batch_real_soa(int n, size_t count, const double *a, size_t entry_stride,
                                         const perm_options *options, double *permanents, perm_result *result)
{
  return permi_batch_laid_out(permi_batch_of(PERMI_BATCH_ENTRIES, n, 1, count, options, permanents), a, entry_stride,
                              result);
}

PERM_API perm_status perm_batch_complex_soa(int n, size_t count, const double *a, size_t entry_stride,
                                            const perm_options *options, double *permanents, perm_result *result)
{
  return permi_batch_laid_out(permi_batch_of(PERMI_BATCH_ENTRIES, n, 2, count, options, permanents), a, entry_stride,
                              result);
}

static perm_status permi_select(permi_batch batch, int m, int n, const permi_view *view, const int *rows,
                                const int *columns, perm_result *result)
{
  const int k = batch.n;
  const size_t count = batch.count;
  perm_status status;
  size_t s;
  permi_result_clear(result);
  batch.a = view->a;
  batch.ld = view->ld;
  batch.rows = rows;
  batch.columns = columns;
  status = permi_check_whole(batch.options, 9, result);
  if (status != PERM_OK)
    return status;
  if (m < 0 || n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, m < 0 ? 1 : 2, "the matrix is %d x %d", m, n);
  if (k < 0 || k > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 5, "k is %d, not 0 to %d", k, PERM_MAX_N);
  if (k && count) {
    if (!view->a)
      return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL for a %d x %d matrix", m, n);
    if (!permi_stride_fits(m, n, view->ld, 8 * view->parts))
      return permi_fail_stride(result, 4, "ld", m, n, view->ld);
    if (!columns)
      return permi_fail(result, PERM_ERROR_NULL, 8, "columns is NULL");
    if (!rows && k > m)
      return permi_fail(result, PERM_ERROR_RANGE, 7, "rows is NULL: the first %d of %d rows", k, m);
  }
  if (!batch.out && count)
    return permi_fail(result, PERM_ERROR_NULL, 10, "permanents is NULL");
  for (s = 0; s < count * (size_t)k; s++)
    if ((rows && (rows[s] < 0 || rows[s] >= m)) || columns[s] < 0 || columns[s] >= n)
      return permi_fail(result, PERM_ERROR_RANGE, rows && (rows[s] < 0 || rows[s] >= m) ? 7 : 8,
                        "selection %llu (counted from 0) leaves the %d x %d matrix",
                        (unsigned long long)(s / (size_t)k), m, n);
  return permi_batch_run(&batch, permi_view_bytes(m, n, view) + 4.0 * (rows ? 2 : 1) * k * (double)count, result);
}

PERM_API perm_status perm_select_real(int m, int n, const double *a, ptrdiff_t ld, int k, size_t count, const int *rows,
                                      const int *columns, const perm_options *options, double *permanents,
                                      perm_result *result)
{
  const permi_view view = permi_view_make(a, ld, 1);
  return permi_select(permi_batch_of(PERMI_BATCH_SELECTIONS, k, 1, count, options, permanents), m, n, &view, rows,
                      columns, result);
}

PERM_API perm_status perm_select_complex(int m, int n, const double *a, ptrdiff_t ld, int k, size_t count,
                                         const int *rows, const int *columns, const perm_options *options,
                                         double *permanents, perm_result *result)
{
  const permi_view view = permi_view_make(a, ld, 2);
  return permi_select(permi_batch_of(PERMI_BATCH_SELECTIONS, k, 2, count, options, permanents), m, n, &view, rows,
                      columns, result);
}
#endif
/* SPDX-License-Identifier: MIT */
