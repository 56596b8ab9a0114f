/* ======================================================================================= >>parallel
   One scheduler: threads take the next chunk until all are taken or something says stop. Every chunk that was
   taken is finished, so what is done is always a prefix of the range, and since partials merge exactly it does not
   matter who did what. */
#pragma once
#include "job.h"

static int permi_threads(const perm_options *options)
{
#if defined(_OPENMP)
  return options->threads > 0 ? options->threads : omp_get_max_threads();
#else
  (void)options;
  return 1;
#endif
}

/* A chunk of a sum that takes long: nobody looks at the limits before it is done, and it is lost if it is not. */
#define PERMI_CHUNK_SECONDS 0.1

/* A parallel region costs tens of microseconds: not worth it below this predicted time. */
#define PERMI_PARALLEL_SECONDS 2e-4

/* Chunks [begin, end) of a leaf into *done, which is empty; a prefix of them if stopped or failed. */
static perm_status permi_run_range(const perm_job *job, const permi_leaf *leaf, uint64_t begin, uint64_t end,
                                   permi_control *control, int threads, perm_partial *done)
{
  uint64_t next = begin;
  void *memory;
  int stop = 0; /* a perm_status; written by the calling thread only */
  const double per_chunk = leaf->information.seconds / (double)leaf->information.chunks;
  if (leaf->run_range || leaf->information.kind == PERM_LEAF_TASK)
    return permi_leaf_run(leaf, begin, end, NULL, control, done);
  if (leaf->information.seconds < PERMI_PARALLEL_SECONDS)
    threads = 1;
  if (!permi_workspace_make(&job->allocator, leaf, threads, &memory))
    return PERM_ERROR_MEMORY;
  PERMI_OMP(parallel num_threads(threads) if (threads > 1))
  {
    perm_partial mine;
    int thread = 0;
    void *workspace;
    memset(&mine, 0, sizeof mine);
#if defined(_OPENMP)
    thread = omp_get_thread_num();
#endif
    workspace = permi_workspace_of(leaf, memory, thread);
    for (;;) {
      uint64_t chunk;
      int stopping;
      PERMI_OMP(atomic read)
      stopping = stop;
      if (stopping)
        break;
      PERMI_OMP(atomic capture)
      chunk = next++;
      if (chunk >= end)
        break;
      permi_leaf_run(leaf, chunk, chunk + 1, workspace, NULL, &mine);
      if (thread == 0) { /* after the chunk, so that every call gets at least one step further */
        perm_status status = permi_control_poll_range(control, (double)(chunk + 1 - begin) * per_chunk, "summing");
        if (status != PERM_OK) {
          PERMI_OMP(atomic write)
          stop = status;
        }
      }
    }
    PERMI_OMP(critical(permi_merge))
    perm_partial_merge(done, &mine);
  }
  permi_release(&job->allocator, memory);
  return done->chunks == end - begin ? PERM_OK : (perm_status)stop;
}
