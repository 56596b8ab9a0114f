/* ========================================================================================== >>reach
   What a call may use: kernels, GPUs, files and perm_sparse.h are found only here, so perm_real links real kernels
   only. */
#pragma once
#include "../job/job.h"
#include "kernels.h"

struct permi_view;
struct permi_problem;
struct permi_counted;
struct permi_counts;
struct permi_choice;
struct permi_engine;

typedef struct permi_gpu_engines {
  /* where GPUs are wanted and faster than one thread */
  void (*plan)(permi_dense_plan *plan, const struct permi_view *view, const perm_options *options);
  int (*growth)(const permi_dense_plan *plan, const struct permi_view *view);
  int (*safe)(const permi_dense_plan *plan, const struct permi_view *view, int i, int j);
  double (*moves)(const permi_dense_plan *plan, const struct permi_view *view, double limit);
  perm_status (*leaf)(const permi_dense_plan *plan, const struct permi_view *view, const perm_allocator *allocator,
                      permi_leaf *leaf);
  /* INFINITY: the CPU's */
  double (*counts_seconds)(const struct permi_counted *counted, const struct permi_choice *choice);
  perm_status (*counts_leaf)(const struct permi_counts *counts, const perm_allocator *allocator, permi_leaf *leaf);
} permi_gpu_engines;

typedef struct permi_reach {
  int parts; /* 1 real, 2 complex */
  permi_kernel_table kernels;
  const permi_counts_kernels *counts[2]; /* plain C, AVX2 */
  /* >>plain, by double and double-double; NULL: cannot be requested */
  void (*gray[2])(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial);
  const permi_gpu_engines *gpu;       /* NULL: no GPUs */
  const struct permi_engine *engines;
  int engine_count;
  perm_status (*execute)(const perm_job *job, perm_state *state, const perm_options *options, perm_result *result);
  /* perm_sparse.h or NULL. Returns 0, or 1 with *result set. */
  int (*route)(const struct permi_problem *problem, const perm_options *options, int argument, perm_result *result);
} permi_reach;
/* SPDX-License-Identifier: MIT */
