/* =========================================================================================== >>tune
   Which of several kernels is fastest. */
#pragma once
#include "run.h"

#define PERMI_TUNE_SECONDS 0.1 /* of a slice; each is timed twice */
#define PERMI_TUNE_MOST 16

typedef struct permi_tuned {
  const perm_gpu_work *work;
  const char *cache;
  permi_team *team;
  pthread_t thread;
  int started, compiled;
} permi_tuned;

static void *permi_tune_compile(void *argument)
{
  permi_tuned *tuned = (permi_tuned *)argument;
  char message[PERM_MESSAGE_BYTES] = "";
  tuned->compiled = permi_kernel(tuned->work, 0, tuned->cache, permi_team_stops, tuned->team, message) != NULL;
  permi_team_leave(tuned->team);
  return NULL;
}

/* Limits of a choice among kernels; its calls of progress come from the calling thread. */
typedef struct permi_tune_limits {
  const perm_options *options;
  double start, next_report;
} permi_tune_limits;

static int permi_tune_add(void *, perm_partial *, uint64_t, uint64_t, const double *) { return 1; }
static perm_status permi_tune_merge(perm_partial *, const perm_partial *) { return PERM_OK; }
static perm_status permi_tune_poll(void *context, uint64_t)
{
  permi_tune_limits *limits = (permi_tune_limits *)context;
  const perm_options *options = limits->options;
  const double now = permi_clock();
  if (options->cancel && *options->cancel)
    return PERM_STOPPED_CANCELLED;
  if (options->progress && now >= limits->next_report) {
    perm_progress report;
    limits->next_report = now + 0.1;
    report.fraction = 0;
    report.seconds = now - limits->start;
    report.seconds_left = (double)INFINITY;
    report.activity = "choosing a kernel";
    if (options->progress(&report, options->user_data))
      return PERM_STOPPED_CANCELLED;
  }
  return options->max_seconds > 0 && now - limits->start >= options->max_seconds ? PERM_STOPPED_TIME : PERM_OK;
}

/* Compiles all at the same time. */
static perm_status permi_tune_begin(permi_tuned *tuned, int count, permi_tune_limits *limits)
{
  char message[PERM_MESSAGE_BYTES] = "";
  permi_team team;
  perm_status status;
  int k;
  permi_team_begin(&team, message);
  for (k = 0; k < count; k++) {
    tuned[k].team = &team;
    tuned[k].started = permi_team_start(&team, &tuned[k].thread, permi_tune_compile, &tuned[k]);
  }
  status = permi_team_watch(&team, permi_tune_poll, limits);
  for (k = 0; k < count; k++)
    if (tuned[k].started)
      pthread_join(tuned[k].thread, NULL);
  permi_team_end(&team, 0, PERM_OK);
  return status;
}

void perm_cuda_tune(const perm_gpu_work *const *work, int count, const uint64_t *chunks, const double *predicted,
                    const perm_options *options, double *seconds)
{
  permi_tuned tuned[PERMI_TUNE_MOST];
  perm_options one = *options;
  permi_tune_limits limits = {options, permi_clock(), 0};
  const perm_gpu_sink sink = {&limits, permi_tune_add, permi_tune_merge, permi_tune_poll};
  char message[PERM_MESSAGE_BYTES];
  perm_status status;
  int k, turn, gpus;
  one.gpu.devices = 1;
  count = count < PERMI_TUNE_MOST ? count : PERMI_TUNE_MOST;
  for (k = 0; k < count; k++)
    seconds[k] = (double)INFINITY;
  if (!perm_cuda_devices(1, message))
    return;
  memset(tuned, 0, sizeof tuned);
  for (k = 0; k < count; k++) {
    tuned[k].work = work[k];
    tuned[k].cache = one.gpu.cache;
  }
  status = permi_tune_begin(tuned, count, &limits);
  for (turn = 0; turn < 3; turn++) /* first a few chunks, which take what is only once along */
    for (k = 0; k < count && status <= PERM_OK; k++) {
      const uint64_t wave = 2 * (uint64_t)permi_cuda.processors[0]; /* blocks that run at a time */
      const double size = turn ? (double)chunks[k] * fmin(PERMI_TUNE_SECONDS / predicted[k], 1) : 1;
      const uint64_t waves = (uint64_t)size / wave + 1;
      const uint64_t end = waves * wave < chunks[k] ? waves * wave : chunks[k];
      perm_partial partial;
      double start;
      if (!tuned[k].compiled)
        continue;
      memset(&partial, 0, sizeof partial);
      start = permi_clock();
      status = perm_cuda_run(work[k], 0, end, &one, &sink, &partial, &gpus, message);
      if (status != PERM_OK) {
        tuned[k].compiled = 0;
        seconds[k] = (double)INFINITY;
      } else if (turn) {
        seconds[k] = fmin(seconds[k], (permi_clock() - start) * (double)chunks[k] / (double)end);
      }
    }
}
