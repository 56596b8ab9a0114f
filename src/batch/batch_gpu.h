/* ======================================================================================= >>batch_gpu */
#pragma once
#include "batch.h"
#include "../dense/dense_gpu.h"

#if !defined(PERM_NO_EXTRAS)
static void permi_batch_gpu_fill(void *context, size_t first, size_t count, double *to)
{
  const permi_batch *batch = (const permi_batch *)context;
  const size_t entries = (size_t)(batch->n * batch->n * batch->parts);
  const double *from = permi_batch_matrices(batch, first, count, to);
  size_t k;
  for (k = 0; k < count && batch->kind == PERMI_BATCH_MATRICES; k++, to += entries, from += permi_batch_step(batch))
    memcpy(to, from, entries * sizeof *to);
}

static void permi_batch_gpu_take(void *context, size_t first, size_t count, const double *from)
{
  const permi_batch *batch = (const permi_batch *)context;
  const int parts = batch->parts;
  const double relative = permi_wanted_relative(batch->options);
  const double units = batch->floats ? 16 * PERMI_FLOAT_SQUARE : (batch->n + 8) * PERMI_UNIT;
  const double unit = units * parts / relative; /* as in permi_plan_bounds, and the division */
  for (size_t k = first; k < first + count; k++, from += PERM_GPU_BATCH_SUMS) {
    const double value = permi_modulus(from[0], from[1]);
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

static perm_status permi_batch_gpu_run(permi_batch *batch, int threads, int *gpus, char *message)
{
  const perm_gpu_batch work = {batch->n, batch->parts, batch->floats, batch->count, batch,
                               permi_batch_gpu_fill, permi_batch_gpu_take, permi_batch_gpu_poll};
  return perm_cuda_batch(&work, batch->options, threads, gpus, message);
}
#endif
/* SPDX-License-Identifier: MIT */
