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
  const double base = floats ? 16 * parts * PERMI_FLOAT_SQUARE : (n + 8) * PERMI_UNIT * parts; /* permi_plan_bounds */
  const double shares = 0.1; /* of many entries, rounded apart; climbed */
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
  perm_status status = batch->place ? PERM_OK : permi_batch_gpu_pass(batch, batch->count, threads, gpus, message);
  if (status != PERM_OK || !batch->floats)
    return status;
  batch->list = (size_t *)permi_allocate(&options->allocator, batch->count, sizeof *batch->list);
  for (size_t k = 0; k < batch->count && batch->list; k++)
    if (batch->todo[k])
      batch->list[left++] = k;
  batch->floats = 0;
  if (left && (options->isa == PERM_ISA_CUDA || (double)left * ldexp(batch->n, batch->n - 1) >=
                                                    rate[batch->parts - 1] * 2 * PERMI_GPU_DENSE_COMPILE))
    status = permi_batch_gpu_pass(batch, left, threads, &more, message);
  *gpus = more > *gpus ? more : *gpus;
  permi_release(&options->allocator, batch->list);
  batch->list = NULL;
  return status;
}

/* Predicts; chooses floats. */
static double permi_batch_gpu_seconds(permi_batch *batch)
{
  const int n = batch->n, parts = batch->parts;
  const double elements = (double)batch->count * n * ldexp(1, n - 1), start = PERMI_GPU_DENSE_COMPILE;
  const double doubles = permi_gpu_seconds(elements, parts, PERM_GPU_PIVOT);
  const double floats = permi_gpu_seconds(elements, parts, PERM_GPU_FLOATS);
  batch->floats = PERMI_FLOATS_GAIN * (floats - start) < doubles - start &&
                  (16 + n * n) * parts * PERMI_FLOAT_SQUARE * exp(0.36 * n) <= /* or many are left */
                      permi_wanted_relative(batch->options);
  return batch->floats ? floats : doubles;
}

/* batch->todo marks what GPUs leave. Below order 10 sending takes longer. */
static perm_status permi_batch_on_gpus(permi_batch *batch, int threads, perm_result *result)
{
  const perm_options *options = batch->options;
  permi_control *control = batch->control;
  const int n = batch->n, parts = batch->parts;
  const double elements = (double)batch->count * n * ldexp(1, n - 1), bytes = (double)batch->count * n * n * parts * 8;
  static const double rate[2] = PERMI_BATCH_RATE;
  char message[PERM_MESSAGE_BYTES];
  if (!options->gpu.devices || !batch->plain || n < PERM_GPU_BATCH_LEAST_N || n > PERM_GPU_BATCH_MOST_N ||
      !batch->count)
    return PERM_OK;
  const double seconds = bytes / PERMI_BATCH_GPU_BYTES_RATE + permi_batch_gpu_seconds(batch);
  if ((options->isa != PERM_ISA_CUDA && seconds >= elements / rate[parts - 1]) ||
      (options->gpu.cpu_fallback && !permi_gpu_devices(options->gpu.devices, message)))
    return PERM_OK;
  batch->todo = (unsigned char *)permi_allocate(&options->allocator, batch->count, 1);
  if (!batch->todo)
    return permi_fail_memory(result);
  memset(batch->todo, 1, batch->count);
  const perm_status status = permi_batch_gpu_run(batch, threads, &control->gpus, control->message);
  if (status >= 0 || options->gpu.cpu_fallback)
    return status < 0 ? PERM_OK : status;
  return permi_fail(result, status, 0, "%s", control->message);
}

static int permi_batch_earlier(const void *a, const void *b)
{
  return *(const size_t *)a < *(const size_t *)b ? -1 : 1;
}

/* On GPUs values are written in place, and NaN for what the host is to compute: returns how many, then their places in
   order. NULL: *status says why not, or is PERM_OK where the host is to compute all. */
static size_t *permi_batch_in_place(permi_batch *batch, permi_pool *pool, perm_status *status, perm_result *result)
{
  permi_control control = permi_control_begin(batch->options);
  size_t *left = (size_t *)permi_pool_get(pool, 1 + PERM_GPU_BATCH_LIST, sizeof *left);
  control.work_total = 1;
  batch->control = &control;
  permi_batch_gpu_seconds(batch);
  const perm_gpu_batch work = permi_batch_gpu_of(batch, batch->count);
  *status = PERM_OK;
  if (left)
    *status = perm_cuda_batch_there(&work, batch->a, batch->out, batch->options, left, control.message);
  control.stopped = *status;
  if (*status > 0)
    permi_fail_stopped(&control, result);
  else if (*status < 0)
    permi_fail(result, *status, 0, "%s", control.message);
  if (!left || *status != PERM_OK || left[0] > PERM_GPU_BATCH_LIST)
    return NULL;
  qsort(left + 1, left[0], sizeof *left, permi_batch_earlier);
  return left;
}

/* Computes in place, or copies to the host and back: all, or what is left. */
static perm_status permi_batch_resident(permi_batch *batch, perm_result *result)
{
  const perm_options *given = batch->options;
  const int in = given->gpu.resident & 1, out = given->gpu.resident >> 1, n = batch->n, some = batch->count > 0;
  const size_t number = (size_t)batch->parts * sizeof(double), square = (size_t)(n * n), count = batch->count;
  const double start = permi_seconds();
  perm_options options = *given;
  permi_batch here = *batch;
  permi_pool pool = {&options.allocator, NULL, 0};
  size_t *left = NULL;
  int device[2] = {-1, -2};
  perm_status status = PERM_OK;
  perm_gpu_move matrices = {NULL, (double *)(uintptr_t)batch->a, square * number, in && n && some, NULL, 0};
  perm_gpu_move values = {NULL, batch->out, number, out && some, NULL, 1};
  if (in && batch->kind != PERMI_BATCH_MATRICES)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 0, "gpu.resident: matrices on a GPU are perm_batch_real's or "
                                                         "perm_batch_complex's");
  if (matrices.count)
    status = permi_gpu_owns(batch->a, 3, "a", &device[0], result);
  if (status == PERM_OK && values.count)
    status = permi_gpu_owns(batch->out, batch->columns ? 10 : 6, "permanents", &device[1], result);
  options.gpu.resident = 0;
  here.options = &options;
  permi_batch_prepare(&here);
  if (status == PERM_OK && device[0] == device[1] && here.plain && n > 1 && n <= PERM_GPU_BATCH_MOST_N &&
      here.stride == square)
    left = permi_batch_in_place(&here, &pool, &status, result);
  if (left) {
    here.count = matrices.count = values.count = left[0];
    matrices.list = values.list = here.place = left + 1;
    options.isa = PERM_ISA_CUDA; /* what GPUs left, in the host's way */
    options.max_seconds = given->max_seconds > 0 ? fmax(1e-9, given->max_seconds - (permi_seconds() - start)) : 0;
  } else {
    matrices.bytes += some ? (count - 1) * batch->stride * number : 0;
    values.bytes *= count;
  }
  if (status == PERM_OK && matrices.count)
    here.a = matrices.here = (double *)permi_pool_get(&pool, matrices.count, matrices.bytes);
  if (status == PERM_OK && values.count)
    here.out = values.here = (double *)permi_pool_get(&pool, values.count, values.bytes);
  if (status == PERM_OK && pool.failed)
    status = permi_fail_memory(result);
  if (status == PERM_OK && matrices.count)
    status = permi_gpu_move(&matrices, given, status, result);
  if (status == PERM_OK) {
    status = permi_batch_metered(&here, result);
    status = values.count ? permi_gpu_move(&values, given, status, result) : status;
    if (result && left) {
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
