/* ========================================================================================== >>batch
   Many small matrices: several host threads a GPU fetch pieces of the batch, since one is slower than the GPU. */
#pragma once
#include "run.h"

#define PERMI_BATCH_BYTES (8 << 20)
#define PERMI_BATCH_WORKERS 8

typedef struct permi_batch_run {
  const perm_gpu_batch *batch;
  size_t piece, next;
} permi_batch_run;

/* Returns how many matrices it takes from *first on. */
static size_t permi_batch_take(permi_team *team, size_t *first)
{
  permi_batch_run *run = (permi_batch_run *)team->job;
  size_t count = 0;
  pthread_mutex_lock(&team->lock);
  *first = run->next;
  if (!team->stop && run->next < run->batch->count)
    count = run->batch->count - run->next < run->piece ? run->batch->count - run->next : run->piece;
  run->next += count;
  pthread_mutex_unlock(&team->lock);
  return count;
}

static void *permi_batch_work(void *argument)
{
  permi_worker *worker = (permi_worker *)argument;
  permi_team *team = worker->team;
  const permi_batch_run *run = (const permi_batch_run *)team->job;
  const perm_gpu_batch *batch = run->batch;
  const unsigned each = batch->n < 17 ? 4 : 1;
  const size_t in_bytes = (size_t)(batch->n * batch->n * batch->parts) * sizeof(double);
  const size_t out_bytes = PERM_GPU_BATCH_SUMS * sizeof(double);
  char message[PERM_MESSAGE_BYTES] = "";
  permi_holder holder = {worker->device, 0, message, {}};
  CUdeviceptr in = 0, out = 0;
  CUstream stream = NULL;
  CUevent event = NULL;
  void *from = NULL, *to = NULL;
  size_t first, count;
  const CUfunction function = permi_worker_begin(worker, message);
  int fine = function && permi_hold(&holder, PERMI_STREAM, &stream, 0) &&
             permi_hold(&holder, PERMI_EVENT, &event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING) &&
             permi_hold(&holder, PERMI_MEMORY, &in, run->piece * in_bytes) &&
             permi_hold(&holder, PERMI_MEMORY, &out, run->piece * out_bytes) &&
             permi_hold(&holder, PERMI_HOST, &from, run->piece * in_bytes) &&
             permi_hold(&holder, PERMI_HOST, &to, run->piece * out_bytes);
  while (fine && (count = permi_batch_take(team, &first)) != 0) {
    permi_arguments<1> a;
    void *parameters[1] = {&a}, **for_twin = permi_cuda.twin ? (void **)(uintptr_t)worker->work->program : NULL;
    worker->taken = 1;
    batch->fill(batch->context, first, count, (double *)from);
    memset(&a, 0, sizeof a);
    a.table = (const double *)(uintptr_t)in;
    a.out = (double *)(uintptr_t)out;
    a.first = count;
    a.n = batch->n;
    memset(to, 0xff, count * out_bytes); /* NaN is refused */
    fine = PERMI_ON(&holder, send, (in, from, count * in_bytes, stream)) &&
           PERMI_ON(&holder, send, (out, to, count * out_bytes, stream)) &&
           PERMI_ON(&holder, launch, (function, ((unsigned)count + each - 1) / each, 1, 1, 128, 1, 1,
                                      (unsigned)worker->work->program->shared, stream, parameters, for_twin)) &&
           PERMI_ON(&holder, download, (to, out, count * out_bytes, stream)) &&
           PERMI_ON(&holder, record, (event, stream)) && PERMI_ON(&holder, wait, (event));
    if (!fine)
      break;
    batch->take(batch->context, first, count, (const double *)to);
    worker->used = 1;
    pthread_mutex_lock(&team->lock);
    team->done += count;
    pthread_mutex_unlock(&team->lock);
  }
  if (!fine)
    permi_team_fail(team, message, worker->taken);
  permi_give_back(&holder);
  permi_team_leave(team);
  return NULL;
}

static size_t permi_batch_shared(int n, int parts)
{
  const int team = n < 17 ? 32 : 128, high = n < 17 ? 5 : 7, stride = (n * parts + 1) / 2 * 2;
  const int doubles = stride * (2 + high + 2 * (n - 2 - high)) + n * n * parts + n * parts + 2 * n + n * parts + 8 * n;
  const size_t room = ((size_t)doubles * sizeof(double) + PERMI_HEAD_BYTES + 15) / 16 * 16;
  return 5 * 128 * sizeof(double) + (size_t)(128 / team) * room;
}

static void permi_batch_program(int n, int parts, char *text, size_t size, perm_gpu_program *program)
{
  const int blocks = parts == 1 || n < 12 ? 4 : n < 18 ? 3 : 2; /* most that compile without spills */
  snprintf(text, size,
           PERM_GPU_ENTRY
           "{ static_assert(sizeof(permi_batch_room<%d, %d>) == %d, \"\"); permi_batch_kernel<%d, %d>(a); }\n",
           blocks, n, parts, (int)((permi_batch_shared(n, parts) - 5 * 128 * sizeof(double)) / (n < 17 ? 4 : 1)), n,
           parts);
  memset(program, 0, sizeof *program);
  program->text = text;
  program->shared = permi_batch_shared(n, parts);
  program->batch = parts;
}

static perm_status permi_batch_poll(void *context, uint64_t done)
{
  const perm_gpu_batch *batch = (const perm_gpu_batch *)context;
  return batch->poll(batch->context, (double)done / (double)batch->count);
}

perm_status perm_cuda_batch(const perm_gpu_batch *batch, const perm_options *options, int threads, int *gpus_used,
                            char message[PERM_MESSAGE_BYTES])
{
  permi_worker worker[PERMI_GPUS * PERMI_BATCH_WORKERS];
  permi_batch_run run = {batch, 0, 0};
  permi_team team;
  perm_gpu_program program;
  perm_gpu_work work;
  char text[512];
  perm_status status;
  int i, workers, used[PERMI_GPUS] = {0};
  const int gpus = perm_cuda_devices(options->gpu.devices, message);
  *gpus_used = 0;
  if (!gpus)
    return PERM_ERROR_DEVICE;
  memset(&work, 0, sizeof work);
  memset(worker, 0, sizeof worker);
  permi_batch_program(batch->n, batch->parts, text, sizeof text, &program);
  work.program = &program;
  workers = threads / gpus;
  workers = gpus * (workers < 1 ? 1 : workers > PERMI_BATCH_WORKERS ? PERMI_BATCH_WORKERS : workers);
  run.piece = PERMI_BATCH_BYTES / ((size_t)(batch->n * batch->n * batch->parts) * sizeof(double));
  if (run.piece > batch->count / (size_t)workers + 1)
    run.piece = batch->count / (size_t)workers + 1;
  permi_team_begin(&team, &run, options->gpu.cache, message);
  for (i = 0; i < workers; i++) {
    worker[i].work = &work;
    worker[i].device = i % gpus;
  }
  status = permi_team_run(&team, worker, workers, permi_batch_work, permi_batch_poll, (void *)(uintptr_t)batch);
  for (i = 0; i < workers; i++)
    used[i % gpus] |= worker[i].used;
  for (i = 0; i < gpus; i++)
    *gpus_used += used[i];
  return permi_team_end(&team, batch->count, status);
}
/* SPDX-License-Identifier: MIT */
