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
  const int parts = batch->parts;
  const double relative = permi_wanted_relative(batch->options);
  const double shares = batch->floats ? ldexp(1, -(batch->n - 1) / 2) : 0; /* terms are rounded apart */
  double unit = (batch->n + 8) * PERMI_UNIT * parts / relative; /* as in permi_plan_bounds, and the division */
  for (size_t j = first; j < first + count; j++, from += PERM_GPU_BATCH_SUMS) {
    const double value = permi_modulus(from[0], from[1]);
    const size_t k = batch->list ? batch->list[j] : j;
    if (batch->floats)
      unit = (16 * parts * PERMI_FLOAT_SQUARE + from[3] * shares) / relative;
    if (value <= DBL_MAX && value > 1e-250 && unit * from[2] <= value && from[3] <= relative) {
      batch->todo[k] = 0;
      for (int part = 0; part < parts; part++)
        batch->out[k * (size_t)parts + (size_t)part] = from[part];
    }
  }
}

static perm_status permi_batch_gpu_poll(void *context, double fraction)
{
  return permi_control_poll(((const permi_batch *)context)->control, fraction, "summing on GPUs");
}

static perm_status permi_batch_gpu_pass(permi_batch *batch, size_t count, int threads, int *gpus, char *message)
{
  const perm_gpu_batch work = {batch->n, batch->parts, batch->floats, count, batch,
                               permi_batch_gpu_fill, permi_batch_gpu_take, permi_batch_gpu_poll};
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
#endif
/* SPDX-License-Identifier: MIT */
