/* ======================================================================================= >>parallel
   Threads take the next chunk until told to stop. They finish what they took, so the work is a prefix of the range.
   Partials merge exactly, whichever thread did what. */
#pragma once
#include "job.h"

static int permi_threads(const perm_options *options)
{
#if PERMI_OPENMP
  return options->threads > 0 ? options->threads : omp_get_max_threads();
#else
  (void)options;
  return 1;
#endif
}

/* Thread 0 is the caller, and polls. */
typedef perm_status (*permi_share_work)(void *context, uint64_t part, int thread);

/* Shares [begin, end) out until thread 0 returns another status than PERM_OK. *all (may be NULL) tells whether every
   part was done. */
static perm_status permi_share(int threads, uint64_t begin, uint64_t end, permi_share_work work, void *context,
                               int *all)
{
  uint64_t next = begin;
  int stop = PERM_OK;
  if (threads <= 1 || end - begin < 2) {
    for (; next < end && stop == PERM_OK; next++)
      stop = (int)work(context, next, 0);
    if (all)
      *all = next >= end;
    return (perm_status)stop;
  }
  PERMI_OMP(parallel num_threads(threads))
  {
    permi_environment environment;
    int thread = 0;
    permi_environment_begin(&environment);
#if PERMI_OPENMP
    thread = omp_get_thread_num();
#endif
    for (;;) {
      uint64_t part;
      int stopping;
      PERMI_OMP(atomic read)
      stopping = stop;
      if (stopping)
        break;
      PERMI_OMP(atomic capture)
      part = next++;
      if (part >= end)
        break;
      stopping = (int)work(context, part, thread);
      if (thread == 0 && stopping) {
        PERMI_OMP(atomic write)
        stop = stopping;
      }
    }
    permi_environment_end(&environment, PERM_OK);
  }
  if (all)
    *all = next >= end;
  return (perm_status)stop;
}

typedef struct permi_ranging {
  const permi_leaf *leaf;
  permi_control *control;
  uint64_t begin;
  double per_chunk;
  void *memory;
  perm_partial *partial;
} permi_ranging;

static perm_status permi_ranging_chunk(void *context, uint64_t chunk, int thread)
{
  const permi_ranging *ranging = (const permi_ranging *)context;
  permi_leaf_run(ranging->leaf, chunk, chunk + 1, permi_workspace_of(ranging->leaf, ranging->memory, thread), NULL,
                 &ranging->partial[thread]);
  return thread ? PERM_OK /* after the chunk, so that every call makes progress */
                : permi_control_poll_range(ranging->control,
                                           (double)(chunk + 1 - ranging->begin) * ranging->per_chunk, "summing");
}

/* Adds chunks [begin, end), or a prefix, to *done, which is empty. */
static perm_status permi_run_range(const perm_job *job, const permi_leaf *leaf, uint64_t begin, uint64_t end,
                                   permi_control *control, int threads, perm_partial *done)
{
  permi_ranging ranging = {leaf, control, begin, leaf->information.seconds / (double)leaf->information.chunks, NULL,
                           done};
  perm_status status = PERM_ERROR_MEMORY;
  int k, all = 0;
  if (leaf->run_range || leaf->information.kind == PERM_LEAF_TASK)
    return permi_leaf_run(leaf, begin, end, NULL, control, done);
  if (leaf->information.seconds < PERMI_PARALLEL_SECONDS)
    threads = 1;
  if (threads > 1)
    ranging.partial = (perm_partial *)permi_allocate_zeros(&job->allocator, (size_t)threads, sizeof(perm_partial));
  if (permi_workspace_make(&job->allocator, leaf, threads, &ranging.memory) && ranging.partial)
    status = permi_share(threads, begin, end, permi_ranging_chunk, &ranging, &all);
  for (k = 0; threads > 1 && ranging.partial && k < threads; k++)
    perm_partial_merge(done, &ranging.partial[k]);
  permi_release(&job->allocator, ranging.memory);
  if (threads > 1)
    permi_release(&job->allocator, ranging.partial);
  return all ? PERM_OK : status;
}
/* SPDX-License-Identifier: MIT */
