/* ======================================================================================= >>dense_gpu */
#pragma once
#include "gpu.h"
#include "../gpu/works.h"

typedef struct permi_gpu {
  perm_gpu_work work;
  perm_allocator allocator;
  double *memory;
  double terms, majorant, within; /* the last: >>floats */
  /* NULL: permi_gpu_add */
  int (*add)(void *context, perm_partial *partial, uint64_t first, uint64_t chunks, const double *sums);
} permi_gpu;

static int permi_gpu_devices(int gpus, char *message)
{
  return perm_cuda_devices(gpus, message);
}

static double permi_gpu_slower(perm_gpu_pipe pipe)
{
  return perm_cuda_slower(pipe);
}

/* Finds the GPU of what options say is memory of one, or refuses. */
PERMI_UNUSED static perm_status permi_gpu_owns(const void *at, int argument, const char *name, int *device,
                                               perm_result *result)
{
  char message[PERM_MESSAGE_BYTES] = "";
  *device = perm_cuda_owner(at, message);
  return *device >= 0    ? PERM_OK
         : *device == -1 ? permi_fail(result, PERM_ERROR_DEVICE, 0, "%s", message)
                         : permi_fail(result, PERM_ERROR_OPTION, argument,
                                      "%s: no memory of a GPU (options.gpu.resident)", name);
}

/* Returns the call's status, or why it failed. */
PERMI_UNUSED static perm_status permi_gpu_move(const perm_gpu_move *move, const perm_options *options,
                                               perm_status status, perm_result *result)
{
  char message[PERM_MESSAGE_BYTES] = "";
  const perm_status moved = perm_cuda_move(move, options->gpu.stream, message);
  return moved == PERM_OK ? status : permi_fail(result, moved, 0, "%s", message);
}

typedef struct permi_gpu_call {
  const permi_leaf *leaf;
  permi_control *control;
  uint64_t begin; /* of the range */
} permi_gpu_call;

static void permi_gpu_count(const permi_leaf *leaf, perm_partial *partial, uint64_t first, uint64_t chunks)
{
  permi_partial_count(partial, first, first + chunks);
  partial->terms += ((const permi_gpu *)leaf->context)->terms * (double)chunks;
  partial->fingerprint = leaf->information.fingerprint;
}

static int permi_gpu_add(void *context, perm_partial *partial, uint64_t first, uint64_t chunks, const double *sums)
{
  const permi_leaf *leaf = ((const permi_gpu_call *)context)->leaf;
  const permi_gpu *gpu = (const permi_gpu *)leaf->context;
  for (uint64_t chunk = first; chunk < first + chunks; chunk++, sums += PERM_GPU_SUMS) {
    for (int k = 0; k < PERM_GPU_SUMS; k++)
      if (!(fabs(sums[k]) <= DBL_MAX))
        return 0;
    double absolute = sums[4] * (gpu->work.absolute_mask + 1.0); /* exact */
    permi_dd imaginary = permi_two_sum(sums[2], sums[3]);
    if (gpu->work.majorant) {
      absolute += gpu->majorant * fmax(0, imaginary.hi * (1 + gpu->within) - absolute);
      imaginary = permi_dd_make(0);
    }
    permi_partial_add(partial, permi_two_sum(sums[0], sums[1]), imaginary, absolute, 0);
  }
  permi_gpu_count(leaf, partial, first, chunks);
  return 1;
}

static perm_status permi_gpu_poll(void *context, uint64_t done)
{
  const permi_gpu_call *call = (const permi_gpu_call *)context;
  const perm_leaf *information = &call->leaf->information;
  if (!call->control)
    return PERM_OK;
  return permi_control_poll_range(call->control,
                                  information->seconds * (double)(done - call->begin) / (double)information->chunks,
                                  "summing on GPUs");
}

static perm_status permi_gpu_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                   perm_partial *partial)
{
  const permi_gpu *gpu = (const permi_gpu *)leaf->context;
  permi_gpu_call call = {leaf, control, begin};
  const perm_gpu_sink sink = {&call, gpu->add ? gpu->add : permi_gpu_add, perm_partial_merge, permi_gpu_poll, 0};
  perm_options options;
  char message[PERM_MESSAGE_BYTES] = "";
  int gpus = 0;
  memset(&options, 0, sizeof options);
  if (control)
    options = *control->options;
  if (!options.gpu.devices)
    options.gpu.devices = 1;
  options.allocator = gpu->allocator;
  const perm_status status = perm_cuda_run(&gpu->work, begin, end, &options, &sink, partial, &gpus, message);
  if (control) {
    control->gpus = gpus > control->gpus ? gpus : control->gpus;
    memcpy(control->message, message, sizeof message);
  }
  return status;
}

static void permi_gpu_table_row(const perm_gpu_work *work, double *table, double (*word)[PERM_MAX_N], int r)
{
  const int n = work->n, parts = work->parts, words = parts * (1 + work->low), stride = work->stride;
  const int pivot = work->product == PERM_GPU_PIVOT, block = pivot + 1, plain = r - n + work->plain;
  double *step = table + stride, *walk = step + stride * work->high;
  double *constant = walk + stride * (2 * work->walk + 1);
  for (int w = 0; w < words; w++) {
    const double *a = word[w];
    const int at = r * words + w;
    for (int j = pivot; j < n; j++)
      table[at] += a[j]; /* exact, as all that follows */
    for (int k = 0; k < work->block; k++)
      constant[k * n * words + at] = 2 * a[block + k];
    for (int k = 0; k < work->walk; k++) { /* signs turning - and +; the last block column back to + */
      const double twice = 2 * a[block + work->block + k], back = work->block ? 2 * a[block + work->block - 1] : 0;
      walk[2 * k * stride + at] = back - twice;
      walk[(2 * k + 1) * stride + at] = back + twice;
    }
    for (int k = 0; k < work->high; k++)
      step[k * stride + at] = 2 * a[block + work->block + work->walk + k];
  }
  for (int w = 0; w < parts && pivot && plain >= 0; w++)
    constant[work->block * n * words + plain * parts + w] = word[w][0];
}

/* Makes the leaf's context, with a table of zeros behind it, for rows of so many words. */
static permi_gpu *permi_gpu_open(const permi_dense_plan *plan, perm_gpu_work *work, int words, size_t constants,
                                 const perm_allocator *allocator, permi_leaf *leaf)
{
  work->n = plan->n;
  work->parts = 1 + plan->is_complex;
  work->product = (int)permi_gpu_product_of(plan);
  work->stride = (plan->n * words + 1) / 2 * 2;
  work->block = plan->block_columns;
  work->walk = plan->chunk_log2 - PERM_GPU_THREADS_LOG2;
  work->high = plan->outer_columns - work->walk;
  work->fingerprint = plan->fingerprint;
  work->constants = constants;
  work->doubles = (size_t)work->stride * (size_t)(2 + work->high + 2 * work->walk) + constants;
  permi_gpu *gpu = (permi_gpu *)permi_allocate_zeros(allocator, 1, sizeof *gpu + work->doubles * sizeof(double));
  if (!gpu)
    return NULL;
  work->table = (double *)(void *)(gpu + 1);
  gpu->work = *work;
  gpu->allocator = *allocator;
  gpu->add = permi_gpu_add;
  gpu->terms = leaf->information.work / (double)plan->n / (double)leaf->information.chunks;
  leaf->context = gpu;
  return gpu;
}

static perm_status permi_gpu_tables(const permi_dense_plan *plan, const permi_view *view, const permi_gpu_lines *lines,
                                    const perm_allocator *allocator, permi_leaf *leaf)
{
  const int n = plan->n, parts = view->parts, words = parts * (1 + lines->low);
  double a[2][PERM_MAX_N], word[4][PERM_MAX_N], none = 0;
  perm_gpu_work work;
  memset(&work, 0, sizeof work);
  work.low = lines->low;
  work.plain = lines->plain;
  work.absolute_mask = permi_absolute_mask(plan, 14);
  permi_gpu *gpu = permi_gpu_open(plan, &work, words,
                                  (size_t)(plan->block_columns * n * words + work.plain * parts), allocator, leaf);
  if (!gpu)
    return PERM_ERROR_MEMORY;
  double *table = (double *)(void *)(gpu + 1);
  for (int r = 0; r < n; r++) {
    permi_plan_row(plan, view, lines->order[r], a);
    permi_row_words(plan, parts, permi_gpu_divides(plan, lines, r), work.low, a, word, &none);
    permi_gpu_table_row(&work, table, word, r);
  }
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
