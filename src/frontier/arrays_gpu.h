/* ===================================================================================== >>arrays_gpu
   On a GPU, with the CPU's order of sums. */
#pragma once
#include "../dense/dense_gpu.h"
#include "arrays.h"

static perm_gpu_words permi_gpu_words(const permi_layout *layout)
{
  const perm_gpu_words words = {layout->word, layout->rank, layout->middle, layout->top, layout->left,
                                layout->middle_offset, layout->top_offset, layout->start, layout->middle_start,
                                layout->low, layout->tops};
  return words;
}

static perm_status permi_gpu_begin(permi_arrays_run *run)
{
  const permi_algebra algebra = run->numbers.algebra;
  const int integers = permi_algebra_is_integer(algebra), dd = permi_algebra_is_dd(algebra);
  const perm_gpu_cell cell = integers                       ? PERM_GPU_INTEGER
                             : algebra >= PERMI_PAIR_VALUES ? (dd ? PERM_GPU_COMPLEX_DD : PERM_GPU_COMPLEX)
                                                            : (dd ? PERM_GPU_DD : PERM_GPU_DOUBLE);
  const perm_gpu_words words = permi_gpu_words(&run->layout[0]);
  return perm_cuda_frontier_begin(run->gpu, cell, run->numbers.words, integers ? run->numbers.parts : 1, &words);
}

static perm_status permi_gpu_step(permi_arrays_run *run, int p)
{
  const int *start = &run->frontier->stream_start[p];
  const perm_gpu_words words = permi_gpu_words(&run->layout[(p + 1) & 1]);
  double sizes[2] = {DBL_MAX, 0};
  const perm_status status =
      perm_cuda_frontier_step(run->gpu, &words, run->way, start[1] - start[0], run->tracking ? sizes : NULL);
  if (run->tracking) {
    run->base.sizes.smallest = sizes[0];
    run->base.sizes.largest = sizes[1];
  }
  return status;
}

static perm_gpu_frontier_shape permi_gpu_frontier_shape(const permi_frontier *frontier)
{
  const permi_arrays *arrays = frontier->arrays;
  const int ways = permi_frontier_streams_most(frontier);
  const perm_gpu_frontier_shape shape = {arrays->low, arrays->middle, arrays->top, arrays->lefts, ways,
                                         {frontier->room[0], frontier->room[1]},
                                         (int)(permi_arrays_bytes_at(frontier, frontier->steps) / 8), NULL, NULL};
  return shape;
}

static perm_status permi_gpu_compiling(void *context)
{
  const permi_arrays_run *run = (const permi_arrays_run *)context;
  return run->base.control ? permi_control_poll(run->base.control, run->seconds_before, "compiling for the GPU")
                           : PERM_OK;
}

static perm_status permi_gpu_create(permi_arrays_run *run, char *message)
{
  perm_gpu_frontier_shape shape = permi_gpu_frontier_shape(run->frontier);
  perm_options options;
  shape.context = run;
  shape.poll = permi_gpu_compiling;
  memset(&options, 0, sizeof options);
  if (run->base.control)
    options = *run->base.control->options;
  return perm_cuda_frontier_create(&shape, &options, &run->gpu, message);
}

static perm_status permi_gpu_scale(permi_arrays_run *run, size_t states, double first, double second)
{
  return perm_cuda_frontier_scale(run->gpu, states, first, second);
}

static perm_status permi_gpu_value(permi_arrays_run *run, void *value)
{
  const perm_status status = perm_cuda_frontier_value(run->gpu, value);
  double x[4];
  if (status != PERM_OK || permi_algebra_is_integer(run->numbers.algebra))
    return status;
  memcpy(x, value, run->bytes);
  for (size_t k = 0; k < run->bytes / sizeof(double); k++)
    if (!(fabs(x[k]) <= DBL_MAX))
      return PERM_ERROR_DEVICE; /* sizes exclude it */
  return PERM_OK;
}

static void permi_gpu_free(permi_arrays_run *run)
{
  perm_cuda_frontier_free(run->gpu);
}

static double permi_gpu_needs(const permi_frontier *frontier)
{
  const perm_gpu_frontier_shape shape = permi_gpu_frontier_shape(frontier);
  return perm_cuda_frontier_needs(&shape);
}

static double permi_gpu_bytes(void)
{
  char message[PERM_MESSAGE_BYTES];
  return perm_cuda_frontier_bytes(message);
}
/* SPDX-License-Identifier: MIT */
