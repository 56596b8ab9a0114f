/* =========================================================================================== >>tune
   Which of several kernels is fastest. */
#pragma once
#include "run.h"

#define PERMI_TUNE_SECONDS 0.1
#define PERMI_TUNE_MOST 16

static void *permi_tune_compile(void *argument)
{
  permi_worker *worker = (permi_worker *)argument;
  permi_team *team = worker->team;
  char message[PERM_MESSAGE_BYTES] = "";
  worker->used = permi_kernel(worker->work, 0, team->cache, permi_team_stops, team, message) != NULL;
  permi_team_leave(team);
  return NULL;
}

static int permi_tune_add(void *, perm_partial *, uint64_t, uint64_t, const double *) { return 1; }
static perm_status permi_tune_merge(perm_partial *, const perm_partial *) { return PERM_OK; }

void perm_cuda_tune(const perm_gpu_work *const *work, int count, const uint64_t *chunks, const double *predicted,
                    const perm_options *options, perm_status (*poll)(void *context, uint64_t done), void *context,
                    double *seconds)
{
  permi_worker worker[PERMI_TUNE_MOST];
  permi_team team;
  perm_options one = *options;
  const perm_gpu_sink sink = {context, permi_tune_add, permi_tune_merge, poll, 0};
  char message[PERM_MESSAGE_BYTES];
  perm_status status;
  int k, turn, gpus;
  one.gpu.devices = 1;
  count = count < PERMI_TUNE_MOST ? count : PERMI_TUNE_MOST;
  for (k = 0; k < count; k++)
    seconds[k] = (double)INFINITY;
  if (!perm_cuda_devices(1, message))
    return;
  memset(worker, 0, sizeof worker);
  for (k = 0; k < count; k++)
    worker[k].work = work[k];
  permi_team_begin(&team, NULL, one.gpu.cache, message);
  status = permi_team_run(&team, worker, count, permi_tune_compile, poll, context);
  permi_team_end(&team, 0, PERM_OK);
  for (turn = 0; turn < 3; turn++) /* the first slice is a few chunks, to warm up */
    for (k = 0; k < count && status <= PERM_OK; k++) {
      const uint64_t wave = 2 * (uint64_t)permi_cuda.processors[0];
      const double size = turn ? (double)chunks[k] * fmin(PERMI_TUNE_SECONDS / predicted[k], 1) : 1;
      const uint64_t waves = (uint64_t)size / wave + 1;
      const uint64_t end = waves * wave < chunks[k] ? waves * wave : chunks[k];
      perm_partial partial;
      double start;
      if (!worker[k].used)
        continue;
      memset(&partial, 0, sizeof partial);
      start = permi_clock();
      status = perm_cuda_run(work[k], 0, end, &one, &sink, &partial, &gpus, message);
      if (status != PERM_OK) {
        worker[k].used = 0;
        seconds[k] = (double)INFINITY;
      } else if (turn) {
        seconds[k] = fmin(seconds[k], (permi_clock() - start) * (double)chunks[k] / (double)end);
      }
    }
}
/* SPDX-License-Identifier: MIT */
