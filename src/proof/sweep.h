/* =========================================================================================== >>sweep
   Runs jobs of leaves that are many and alike: each thread takes whole ones. */
#pragma once
#include "../plan/run.h"

typedef struct permi_sweep {
  const perm_job *job;
  const perm_state *state;
  permi_control *control;
  uint64_t first;
  void *memory;
  perm_partial *done; /* of leaves first, first + 1, ... */
} permi_sweep;

#define PERMI_SWEEP_LEAVES 64 /* a thread, before threads wait for one another */

static perm_status permi_sweep_leaf(void *context, uint64_t part, int thread)
{
  const permi_sweep *sweep = (const permi_sweep *)context;
  const permi_leaf *leaf = &sweep->job->leaf[part];
  const double before = (double)(part - sweep->first) * leaf->information.seconds;
  perm_partial *done = &sweep->done[part - sweep->first];
  void *workspace = permi_workspace_of(leaf, sweep->memory, thread);
  perm_status status = PERM_OK;
  permi_interval range;
  if (!permi_leaf_left(sweep->job, sweep->state, sweep->control->options, (int)part, 0, &range))
    return PERM_OK;
  for (uint64_t chunk = range.begin; chunk < range.end && status == PERM_OK; chunk++) {
    permi_leaf_run(leaf, chunk, chunk + 1, workspace, NULL, done);
    if (!thread)
      status = permi_control_poll_range(sweep->control, before, "summing");
  }
  return status;
}

static perm_status permi_run_sweep(const perm_job *job, perm_state *state, int first, permi_control *control,
                                   int threads, perm_result *result)
{
  const int room = PERMI_SWEEP_LEAVES * threads;
  const int count = job->leaves - first < room ? job->leaves - first : room;
  perm_status status = PERM_ERROR_MEMORY, added = PERM_OK;
  permi_interval range;
  permi_sweep sweep = {job, state, control, (uint64_t)first, NULL, NULL};
  sweep.done = (perm_partial *)permi_allocate_zeros(&job->allocator, (size_t)count, sizeof *sweep.done);
  if (permi_workspace_make(&job->allocator, &job->leaf[first], threads, &sweep.memory) && sweep.done) {
    status = permi_share(threads, sweep.first, sweep.first + (uint64_t)count, permi_sweep_leaf, &sweep, NULL);
    for (int k = 0; k < count && added == PERM_OK; k++)
      if (sweep.done[k].chunks && permi_leaf_left(job, state, control->options, first + k, 0, &range)) {
        const perm_leaf *leaf = &job->leaf[first + k].information;
        added = permi_state_put(state, first + k, range.begin, range.begin + sweep.done[k].chunks, &sweep.done[k],
                                result);
        control->work_before += leaf->seconds / (double)leaf->chunks * (double)sweep.done[k].chunks;
      }
  }
  permi_release(&job->allocator, sweep.memory);
  permi_release(&job->allocator, sweep.done);
  if (added != PERM_OK)
    snprintf(control->message, sizeof control->message, "%s", result->message);
  return added != PERM_OK ? added : status;
}
/* SPDX-License-Identifier: MIT */
