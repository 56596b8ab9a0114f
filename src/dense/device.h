/* ========================================================================================= >>device
   What perm.h asks of perm_cuda.cu, whose first part is read at the end of perm.h where PERM_WITH_CUDA is defined. What
   stands in without it: plans of GPUs are made, merged and explained; runs are refused. */
#pragma once
#include "dense.h"
#include "../gpu/contract.h"

#define PERMI_GPU_LEAST_N 13

struct permi_counts;
struct permi_exact_rows;
struct permi_minors;
struct permi_minors_total;
struct permi_batch;
typedef struct permi_gpu_lines {
  int order[PERM_MAX_N]; /* of rows: those without pivot last, */
  int plain, low;        /* so many; low: rows have low words */
} permi_gpu_lines;

#if defined(PERM_WITH_CUDA)
#define PERMI_DEVICE static /* defined later, in perm_cuda.cu */
/* How many GPUs are usable; 0: message says why. */
PERMI_DEVICE int permi_gpu_devices(int gpus, char *message);
/* Starts GPUs that are sure to be asked for. */
PERMI_UNUSED PERMI_DEVICE void permi_gpu_prepare(const perm_options *options, int n);
/* run_range of leaves whose context begins with permi_gpu; their contexts, of >>dense_gpu, >>exact_gpu, >>counts_gpu */
PERMI_DEVICE perm_status permi_gpu_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                         perm_partial *partial);
PERMI_DEVICE perm_status permi_gpu_tables(const permi_dense_plan *plan, const permi_view *view,
                                          const permi_gpu_lines *lines,
                                          const perm_allocator *allocator, permi_leaf *leaf);
PERMI_DEVICE perm_status permi_exact_gpu_tables(const struct permi_exact_rows *rows, const perm_gpu_exact *shape,
                                                const perm_allocator *allocator, permi_leaf *leaf);
PERMI_DEVICE perm_status permi_counts_gpu_tables(const struct permi_counts *counts, const perm_gpu_counts *shape,
                                                 int walked, uint64_t threads, const perm_allocator *allocator,
                                                 permi_leaf *leaf);
#if !defined(PERM_NO_EXTRAS)
/* >>minors_gpu: returns 1, and what `minors` are then, if GPUs do it; does it */
PERMI_DEVICE int permi_minors_gpu_takes(struct permi_minors *minors, const perm_options *options, double *full);
PERMI_DEVICE perm_status permi_minors_gpu_execute(const struct permi_minors *minors, const perm_options *options,
                                                  permi_control *control, struct permi_minors_total *total);
PERMI_DEVICE perm_status permi_batch_gpu_run(struct permi_batch *batch, int threads, int *gpus, char *message);
#endif
#else
#define permi_gpu_prepare(options, n) (void)0
#define permi_gpu_tables(plan, view, lines, allocator, leaf) PERM_OK
#define permi_exact_gpu_tables(rows, shape, allocator, leaf) PERM_OK
#define permi_counts_gpu_tables(counts, shape, walked, threads, allocator, leaf) PERM_OK
#define permi_minors_gpu_takes(minors, options, full) permi_gpu_missed(options, (minors)->total, (minors)->seconds)
#define permi_minors_gpu_execute(minors, options, control, total) permi_gpu_range(NULL, 0, 0, control, NULL)
#define permi_batch_gpu_run(batch, threads, gpus, message) \
  ((void)(threads), permi_gpu_devices(1, message), PERM_ERROR_DEVICE)

static PERMI_ALWAYS_INLINE int permi_gpu_devices(int gpus, char *message)
{
  (void)gpus;
  snprintf(message, PERM_MESSAGE_BYTES, "perm.h was compiled without PERM_WITH_CUDA");
  return 0;
}

static perm_status permi_gpu_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                   perm_partial *partial)
{
  (void)leaf, (void)begin, (void)end, (void)partial;
  if (control)
    permi_gpu_devices(1, control->message);
  return PERM_ERROR_DEVICE;
}

/* Returns 1 if a GPU is wanted that might be faster than `seconds`: what asks is to be refused. */
PERMI_UNUSED static int permi_gpu_missed(const perm_options *options, int n, double seconds)
{
  return options->gpu.devices && !options->gpu.cpu_fallback && n >= PERMI_GPU_LEAST_N && n <= PERM_MAX_N &&
         (options->isa == PERM_ISA_CUDA || seconds > PERMI_GPU_START_SECONDS);
}
#endif
/* SPDX-License-Identifier: MIT */
