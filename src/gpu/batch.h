/* ========================================================================================== >>batch
   Many small matrices: host threads, several a GPU, each with a stream and buffers of its own, take pieces of the
   batch, fetch the matrices (which one thread alone would do more slowly than the GPU computes), and wait. */
#pragma once
#include "run.h"

#define PERMI_BATCH_BYTES (8 << 20) /* of a piece */
#define PERMI_BATCH_WORKERS 8       /* most of a GPU */

typedef struct permi_batch_run {
  const perm_gpu_batch *batch;
  const perm_gpu_work *work;
  const char *cache;
  permi_team team; /* done: matrices. Its lock guards what follows */
  size_t next, piece;
} permi_batch_run;

typedef struct permi_batch_worker {
  permi_batch_run *run;
  pthread_t thread;
  int device, used;
} permi_batch_worker;

static void *permi_batch_work(void *argument)
{
  permi_batch_worker *worker = (permi_batch_worker *)argument;
  permi_batch_run *run = worker->run;
  const perm_gpu_batch *batch = run->batch;
  const int device = worker->device;
  const unsigned each = batch->n < 17 ? 4 : 1; /* matrices of a block: 128 / TEAM */
  const size_t entries = (size_t)(batch->n * batch->n * batch->parts);
  char message[PERM_MESSAGE_BYTES] = "";
  CUdeviceptr in = 0, out = 0;
  CUstream stream = NULL;
  CUevent event = NULL;
  CUfunction function = NULL;
  void *from = NULL, *to = NULL;
  int begun = 0, fine;
  function = permi_kernel(run->work, device, run->cache, permi_team_stops, &run->team, message);
  fine = function && permi_current(device, message) &&
         PERMI_CALL(stream, (&stream, CU_STREAM_NON_BLOCKING), device, message) &&
         PERMI_CALL(event, (&event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING), device, message) &&
         PERMI_CALL(allocate, (&in, run->piece * entries * sizeof(double)), device, message) &&
         PERMI_CALL(allocate, (&out, run->piece * PERM_GPU_BATCH_SUMS * sizeof(double)), device, message) &&
         PERMI_CALL(allocate_host, (&from, run->piece * entries * sizeof(double)), device, message) &&
         PERMI_CALL(allocate_host, (&to, run->piece * PERM_GPU_BATCH_SUMS * sizeof(double)), device, message);
  while (fine) {
    permi_arguments<1> a;
    void *parameters[1] = {&a}, **for_twin = permi_cuda.twin ? (void **)(uintptr_t)run->work->program : NULL;
    size_t first = 0, count = 0;
    pthread_mutex_lock(&run->team.lock);
    if (!run->team.stop && run->next < batch->count) {
      first = run->next;
      count = batch->count - first < run->piece ? batch->count - first : run->piece;
      run->next += count;
    }
    pthread_mutex_unlock(&run->team.lock);
    if (!count)
      break;
    begun = 1;
    batch->fill(batch->context, first, count, (double *)from);
    memset(&a, 0, sizeof a);
    a.table = (const double *)(uintptr_t)in;
    a.out = (double *)(uintptr_t)out;
    a.first = count;
    a.n = batch->n;
    memset(to, 0xff, count * PERM_GPU_BATCH_SUMS * sizeof(double)); /* NaN: not accepted */
    fine = PERMI_CALL(send, (in, from, count * entries * sizeof(double), stream), device, message) &&
           PERMI_CALL(send, (out, to, count * PERM_GPU_BATCH_SUMS * sizeof(double), stream), device, message) &&
           PERMI_CALL(launch,
                      (function, ((unsigned)count + each - 1) / each, 1, 1, 128, 1, 1,
                       (unsigned)run->work->program->shared, stream, parameters, for_twin),
                      device, message) &&
           PERMI_CALL(download, (to, out, count * PERM_GPU_BATCH_SUMS * sizeof(double), stream), device, message) &&
           PERMI_CALL(record, (event, stream), device, message) && PERMI_CALL(wait, (event), device, message);
    if (!fine)
      break;
    batch->take(batch->context, first, count, (const double *)to);
    worker->used = 1;
    pthread_mutex_lock(&run->team.lock);
    run->team.done += count;
    pthread_mutex_unlock(&run->team.lock);
  }
  if (!fine)
    permi_team_fail(&run->team, message, begun);
  if (in) /* waits for what still runs */
    permi_cuda.driver.release(in);
  if (out)
    permi_cuda.driver.release(out);
  if (from)
    permi_cuda.driver.release_host(from);
  if (to)
    permi_cuda.driver.release_host(to);
  if (event)
    permi_cuda.driver.event_free(event);
  if (stream)
    permi_cuda.driver.stream_free(stream);
  permi_team_leave(&run->team);
  return NULL;
}

/* Shared memory: permi_batch_room, a team's, and what is folded. */
static size_t permi_batch_shared(int n, int parts)
{
  const int team = n < 17 ? 32 : 128, high = n < 17 ? 5 : 7, stride = (n * parts + 1) / 2 * 2;
  const int doubles = stride * (2 + high + 2 * (n - 2 - high)) + n * n * parts + n * parts + 2 * n + n * parts + 8 * n;
  const size_t room = ((size_t)doubles * sizeof(double) + PERMI_HEAD_BYTES + 15) / 16 * 16;
  return 5 * 128 * sizeof(double) + (size_t)(128 / team) * room;
}

static void permi_batch_program(int n, int parts, char *text, size_t size, perm_gpu_program *program)
{
  const int blocks = parts == 1 || n < 12 ? 4 : n < 18 ? 3 : 2; /* without spills */
  snprintf(text, size,
           "extern \"C\" __global__ void __launch_bounds__(128, %d) permi_kernel(const permi_arguments<1> a)\n"
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
  permi_batch_worker worker[PERMI_GPUS * PERMI_BATCH_WORKERS];
  permi_batch_run run;
  perm_gpu_program program;
  perm_gpu_work work;
  char text[512];
  perm_status status;
  int i, started = 0, workers, device;
  const int gpus = perm_cuda_devices(options->gpu.devices, message);
  *gpus_used = 0;
  if (!gpus)
    return PERM_ERROR_DEVICE;
  memset(&run, 0, sizeof run);
  memset(&work, 0, sizeof work);
  memset(worker, 0, sizeof worker);
  permi_batch_program(batch->n, batch->parts, text, sizeof text, &program);
  work.program = &program;
  workers = threads / gpus;
  workers = gpus * (workers < 1 ? 1 : workers > PERMI_BATCH_WORKERS ? PERMI_BATCH_WORKERS : workers);
  run.batch = batch;
  run.work = &work;
  run.cache = options->gpu.cache;
  run.piece = PERMI_BATCH_BYTES / ((size_t)(batch->n * batch->n * batch->parts) * sizeof(double));
  if (run.piece > batch->count / (size_t)workers + 1)
    run.piece = batch->count / (size_t)workers + 1;
  permi_team_begin(&run.team, message);
  for (i = 0; i < workers; i++) {
    worker[i].run = &run;
    worker[i].device = i % gpus;
    if (!permi_team_start(&run.team, &worker[i].thread, permi_batch_work, &worker[i]))
      break;
    started++;
  }
  status = permi_team_watch(&run.team, permi_batch_poll, (void *)(uintptr_t)batch);
  for (i = 0; i < started; i++)
    pthread_join(worker[i].thread, NULL);
  for (device = 0; device < gpus; device++) {
    int used = 0;
    for (i = device; i < started; i += gpus)
      used |= worker[i].used;
    *gpus_used += used;
  }
  return permi_team_end(&run.team, batch->count, status);
}
