/* ======================================================================================= >>batch_gpu */
#pragma once
#include "batch.h"
#include "../dense/dense_gpu.h"

#if !defined(PERM_NO_EXTRAS)
static void permi_batch_gpu_fill(void *context, size_t first, size_t count, double *to)
{
  const permi_batch *batch = (const permi_batch *)context;
  const size_t entries = (size_t)(batch->n * batch->n * batch->parts);
  const size_t each = batch->list || batch->kind == PERMI_BATCH_MATRICES ? 1 : count;
  for (size_t k = first; k < first + count; k += each, to += each * entries) {
    const double *from = permi_batch_matrices(batch, batch->list ? batch->list[k] : k, each, to);
    if (from != to)
      memcpy(to, from, entries * sizeof *to);
  }
}

static void permi_batch_gpu_take(void *context, size_t first, size_t count, const double *from)
{
  const permi_batch *batch = (const permi_batch *)context;
  const size_t parts = (size_t)batch->parts;
  for (size_t j = first; j < first + count; j++, from += parts) {
    const size_t k = batch->list ? batch->list[j] : j;
    batch->todo[k] = from[0] != from[0];
    if (!batch->todo[k])
      memcpy(batch->out + k * parts, from, parts * sizeof *from);
  }
}

static perm_status permi_batch_gpu_poll(void *context, double fraction)
{
  return permi_control_poll(((const permi_batch *)context)->control, fraction, "summing on GPUs");
}

static perm_gpu_batch permi_batch_gpu_of(permi_batch *batch, size_t count)
{
  const int n = batch->n, parts = batch->parts, floats = batch->floats;
  const double base = floats ? 16 * parts * PERMI_FLOAT_SQUARE : (n + 8) * PERMI_UNIT * parts; /* as permi_plan_bounds */
  const double shares = floats ? ldexp(1, -(n - 1) / 2) : 0; /* terms are rounded apart */
  const perm_gpu_batch work = {n, parts, floats, count, base, shares, permi_wanted_relative(batch->options), batch,
                               permi_batch_gpu_fill, permi_batch_gpu_take, permi_batch_gpu_poll};
  return work;
}

static perm_status permi_batch_gpu_pass(permi_batch *batch, size_t count, int threads, int *gpus, char *message)
{
  const perm_gpu_batch work = permi_batch_gpu_of(batch, count);
  return perm_cuda_batch(&work, batch->options, threads, gpus, message);
}

/* What floats leave goes to doubles, where the CPU takes longer than a compilation. */
static perm_status permi_batch_gpu_run(permi_batch *batch, int threads, int *gpus, char *message)
{
  static const double rate[2] = PERMI_BATCH_RATE;
  const perm_options *options = batch->options;
  size_t left = 0;
  int more = 0;
  perm_status status = permi_batch_gpu_pass(batch, batch->count, threads, gpus, message);
  for (size_t k = 0; k < batch->count; k++)
    left += batch->todo[k];
  if (status != PERM_OK || !batch->floats || !left ||
      (options->isa != PERM_ISA_CUDA &&
       (double)left * batch->n * ldexp(1, batch->n - 1) < rate[batch->parts - 1] * 2 * PERMI_GPU_DENSE_COMPILE))
    return status;
  batch->list = (size_t *)permi_allocate(&options->allocator, left, sizeof *batch->list);
  if (!batch->list)
    return PERM_OK;
  left = 0;
  for (size_t k = 0; k < batch->count; k++)
    if (batch->todo[k])
      batch->list[left++] = k;
  batch->floats = 0;
  status = permi_batch_gpu_pass(batch, left, threads, &more, message);
  *gpus = more > *gpus ? more : *gpus;
  permi_release(&options->allocator, batch->list);
  batch->list = NULL;
  return status;
}

/* In place: GPUs write values, and NaN where the host is to compute the matrix; *list: these. */
static perm_status permi_batch_in_place(permi_batch *batch, permi_pool *pool, size_t **list, size_t *count,
                                        perm_result *result)
{
  const perm_options *options = batch->options;
  const size_t parts = (size_t)batch->parts;
  permi_control control = permi_control_begin(options);
  uint64_t left = 0;
  size_t found = 0;
  batch->control = &control;
  permi_batch_gpu_seconds(batch);
  const perm_gpu_batch work = permi_batch_gpu_of(batch, batch->count);
  perm_status status = perm_cuda_batch_there(&work, batch->a, batch->out, options, &left, control.message);
  control.stopped = status > 0 ? status : PERM_OK;
  if (status != PERM_OK)
    return status > 0 ? permi_fail_stopped(&control, result)
                      : permi_fail(result, status, 0, "%s", control.message);
  *list = (size_t *)permi_pool_get(pool, (size_t)left, sizeof **list);
  double *values = left ? (double *)permi_pool_get(pool, batch->count, parts * sizeof *values) : NULL;
  if (pool->failed)
    return permi_fail_memory(result);
  if (left) {
    const perm_gpu_move move = {values, batch->out, batch->count * parts * sizeof *values, 1, NULL, 0};
    status = permi_gpu_move(&move, options, status, result);
  }
  for (size_t k = 0; k < batch->count && found < left; k++)
    if (values[k * parts] != values[k * parts])
      (*list)[found++] = k;
  *count = found;
  return status;
}

/* Computes in place, or copies; moves: of matrices, of values. */
static perm_status permi_batch_resident(permi_batch *batch, perm_result *result)
{
  const perm_options *given = batch->options;
  const int in = given->gpu.resident & 1, out = given->gpu.resident >> 1, n = batch->n, soa = batch->kind != PERMI_BATCH_MATRICES;
  const size_t parts = (size_t)batch->parts, square = (size_t)(n * n), count = batch->count;
  const double start = permi_seconds();
  perm_options options = *given;
  permi_batch here = *batch;
  permi_pool pool = {&options.allocator, NULL, 0};
  size_t *list = NULL;
  perm_status status = PERM_OK;
  options.gpu.resident = 0;
  here.options = &options;
  if (in && soa)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 0, "gpu.resident: matrices on a GPU are perm_batch_real's or "
                                                         "perm_batch_complex's");
  if (in && n && count)
    status = permi_gpu_owns(batch->a, 3, "a", result);
  if (status == PERM_OK && out && count)
    status = permi_gpu_owns(batch->out, soa && batch->columns ? 10 : 6, "permanents", result);
  if (status != PERM_OK)
    return status;
  permi_batch_prepare(&here);
  const int place = in && out && here.plain && n > 1 && n <= PERM_GPU_BATCH_MOST_N && here.stride == square && count;
  perm_gpu_move matrices = {NULL, (double *)(uintptr_t)batch->a, 0, in && n && count, NULL, 0};
  perm_gpu_move values = {NULL, batch->out, parts * count * sizeof(double), out && count, NULL, 1};
  matrices.bytes = ((count ? count - 1 : 0) * batch->stride + square) * parts * sizeof(double);
  if (place) {
    status = permi_batch_in_place(&here, &pool, &list, &here.count, result);
    matrices.count = values.count = here.count;
    matrices.bytes = square * parts * sizeof(double);
    values.bytes = parts * sizeof(double);
    matrices.list = values.list = here.place = list;
    options.isa = PERM_ISA_CUDA; /* leaves them again, for the host's way */
    options.max_seconds = given->max_seconds > 0 ? fmax(1e-9, given->max_seconds - (permi_seconds() - start)) : 0;
  }
  if (status == PERM_OK && in)
    here.a = matrices.here = (double *)permi_pool_get(&pool, matrices.count, matrices.bytes);
  if (status == PERM_OK && out)
    here.out = values.here = (double *)permi_pool_get(&pool, values.count, values.bytes);
  if (status == PERM_OK && pool.failed)
    status = permi_fail_memory(result);
  if (status == PERM_OK && matrices.count)
    status = permi_gpu_move(&matrices, given, status, result);
  if (status == PERM_OK) {
    status = permi_batch_metered(&here, result);
    status = values.count ? permi_gpu_move(&values, given, status, result) : status;
    if (result && place) {
      result->isa = PERM_ISA_CUDA;
      result->gpus = result->gpus > 1 ? result->gpus : 1;
      result->terms = (double)count * ldexp(1, n - 1);
      result->seconds = permi_seconds() - start;
    }
  }
  permi_pool_release(&pool);
  return status;
}
#endif
/* SPDX-License-Identifier: MIT */
