/* ============================================================================================ >>run
   Each GPU has a host thread, which takes pieces of the range, as long as its speed so far makes a tenth of a second,
   two at a time on two streams, so that the next one starts while the last blocks of one finish. Finished pieces are
   merged in order, so that what is done is always a prefix. */
#pragma once
#include "devices.h"
#include "compile.h"

#define PERMI_PIECE_SECONDS 0.1
#define PERMI_PIECE_CHUNKS (1 << 16)

/* Host threads at one job; the calling one polls. */
typedef struct permi_team {
  pthread_mutex_t lock; /* guards what follows, and what a job shares */
  pthread_cond_t changed;
  uint64_t done;
  int active, stop, failed;
  char *message;
} permi_team;

static void permi_team_begin(permi_team *team, char *message)
{
  memset(team, 0, sizeof *team);
  team->message = message;
  pthread_mutex_init(&team->lock, NULL);
  permi_condition(&team->changed);
}

/* A thread that has begun must not fail; one that cannot begin leaves the work to others, if there are any. */
static void permi_team_fail(permi_team *team, const char *message, int begun)
{
  pthread_mutex_lock(&team->lock);
  if (!team->failed && (begun || !team->message[0]))
    snprintf(team->message, PERM_MESSAGE_BYTES, "%s", message[0] ? message : "out of memory");
  if (begun)
    team->failed = team->stop = 1;
  pthread_mutex_unlock(&team->lock);
}

static void permi_team_leave(permi_team *team) /* a thread's last call */
{
  pthread_mutex_lock(&team->lock);
  team->active--;
  pthread_cond_signal(&team->changed);
  pthread_mutex_unlock(&team->lock);
}

/* 1: the thread runs, until permi_team_leave; to be joined. */
static int permi_team_start(permi_team *team, pthread_t *thread, void *(*work)(void *), void *argument)
{
  pthread_mutex_lock(&team->lock);
  team->active++;
  pthread_mutex_unlock(&team->lock);
  if (!pthread_create(thread, NULL, work, argument))
    return 1;
  permi_team_leave(team);
  permi_team_fail(team, "a host thread cannot be created", 0);
  return 0;
}

/* Polls every 50 ms and at every signal until all have left; returns what it heard first but PERM_OK. */
static perm_status permi_team_watch(permi_team *team, perm_status (*poll)(void *context, uint64_t done), void *context)
{
  perm_status status = PERM_OK;
  pthread_mutex_lock(&team->lock);
  while (team->active) {
    const struct timespec until = permi_until(50000000);
    uint64_t done;
    pthread_cond_timedwait(&team->changed, &team->lock, &until);
    done = team->done;
    pthread_mutex_unlock(&team->lock);
    if (status == PERM_OK)
      status = poll(context, done);
    pthread_mutex_lock(&team->lock);
    if (status != PERM_OK)
      team->stop = 1;
  }
  pthread_mutex_unlock(&team->lock);
  return status;
}

static int permi_team_stops(void *context)
{
  permi_team *team = (permi_team *)context;
  int stop;
  pthread_mutex_lock(&team->lock);
  stop = team->stop;
  pthread_mutex_unlock(&team->lock);
  return stop;
}

/* After all are joined; all: what `done` is when nothing is left. */
static perm_status permi_team_end(permi_team *team, uint64_t all, perm_status status)
{
  pthread_cond_destroy(&team->changed);
  pthread_mutex_destroy(&team->lock);
  if (!team->failed && team->done == all) {
    team->message[0] = 0;
    return PERM_OK;
  }
  return team->failed || status == PERM_OK ? PERM_ERROR_DEVICE : status; /* PERM_OK: no GPU could begin */
}

typedef struct permi_piece {
  uint64_t begin, end;
  perm_partial partial;
  struct permi_piece *next;
} permi_piece;

typedef struct permi_run {
  const perm_gpu_work *work;
  const perm_gpu_sink *sink;
  const char *cache;
  permi_team team; /* done: what is merged. Its lock guards what follows */
  uint64_t next, end;
  permi_piece *waiting; /* finished, but not yet the next to merge; by begin */
  perm_partial *partial;
  int gpus;
} permi_run;

typedef struct permi_slot {
  CUstream stream;
  CUevent event;
  CUdeviceptr out;
  double *sums;
  permi_piece *piece;
  double start;
} permi_slot;

typedef struct permi_worker {
  permi_run *run;
  pthread_t thread;
  int device, taken, used;
  double chunks_per_second, last; /* last: when a piece was finished */
} permi_worker;

/* Bytes that a chunk yields, and the most chunks of a piece. */
static size_t permi_chunk_bytes(const perm_gpu_work *work)
{
  return (work->program && work->program->sums ? (size_t)work->program->sums : PERM_GPU_SUMS) * sizeof(double);
}

static uint64_t permi_piece_chunks(const perm_gpu_work *work)
{
  return PERMI_PIECE_CHUNKS * PERM_GPU_SUMS * sizeof(double) / permi_chunk_bytes(work);
}

/* The next piece for a worker; NULL: nothing left, or stopped (then too everyone gets one piece further). */
static permi_piece *permi_take(permi_worker *worker, char *message)
{
  permi_run *run = worker->run;
  const double first = 4.0 * permi_cuda.processors[worker->device];
  permi_piece *piece = (permi_piece *)calloc(1, sizeof *piece);
  double size;
  if (!piece) {
    snprintf(message, PERM_MESSAGE_BYTES, "out of memory");
    return NULL;
  }
  pthread_mutex_lock(&run->team.lock);
  size = worker->chunks_per_second > 0 ? worker->chunks_per_second * PERMI_PIECE_SECONDS : first;
  size = fmin(size, fmax(first, (double)(run->end - run->next) / (2 * run->gpus))); /* all end at about one time */
  size = fmin(fmax(size, 1), (double)permi_piece_chunks(run->work));
  if (run->next < run->end && !run->team.failed && !(run->team.stop && worker->taken)) {
    piece->begin = run->next;
    piece->end = run->end - run->next > (uint64_t)size ? run->next + (uint64_t)size : run->end;
    run->next = piece->end;
    worker->taken = 1;
  } else {
    free(piece);
    piece = NULL;
  }
  pthread_mutex_unlock(&run->team.lock);
  return piece;
}

static void permi_deliver(permi_run *run, permi_piece *piece)
{
  permi_piece **at;
  pthread_mutex_lock(&run->team.lock);
  for (at = &run->waiting; *at && (*at)->begin < piece->begin; at = &(*at)->next) {
  }
  piece->next = *at;
  *at = piece;
  while (run->waiting && run->waiting->begin == run->team.done) {
    piece = run->waiting;
    if (run->sink->merge(run->partial, &piece->partial) != PERM_OK)
      run->team.failed = run->team.stop = 1;
    run->team.done = piece->end;
    run->waiting = piece->next;
    free(piece);
  }
  pthread_cond_signal(&run->team.changed);
  pthread_mutex_unlock(&run->team.lock);
}

static int permi_start(permi_worker *worker, permi_slot *slot, CUfunction function, CUdeviceptr table, char *message)
{
  const perm_gpu_work *work = worker->run->work;
  const perm_gpu_program *program = work->program;
  const size_t walk = (size_t)work->stride * (size_t)(2 * work->walk + 1);
  const unsigned shared = program ? (unsigned)program->shared : (unsigned)((640 + walk) * sizeof(double));
  const unsigned blocks = (unsigned)(slot->piece->end - slot->piece->begin);
  struct {
    permi_arguments<1> head;
    double more[4096 / 8];
  } arguments;
  void *parameters[1] = {&arguments}, **for_twin = permi_cuda.twin ? (void **)(uintptr_t)program : NULL;
  memset(&arguments, 0, sizeof arguments);
  arguments.head.table = (const double *)(uintptr_t)table;
  arguments.head.out = (double *)(uintptr_t)slot->out;
  arguments.head.first = slot->piece->begin;
  arguments.head.n = work->n;
  arguments.head.plain = work->plain;
  arguments.head.block = work->block;
  arguments.head.walk = work->walk;
  arguments.head.high = work->high;
  arguments.head.mask = work->absolute_mask;
  if (work->constants)
    memcpy((char *)&arguments + PERMI_HEAD_BYTES, work->table + (work->doubles - work->constants),
           work->constants * sizeof(double));
  memset(slot->sums, 0xff, blocks * permi_chunk_bytes(work)); /* NaN: what is not written is noticed */
  slot->start = permi_clock();
  return PERMI_CALL(send, (slot->out, slot->sums, blocks * permi_chunk_bytes(work), slot->stream), worker->device,
                    message) &&
         PERMI_CALL(launch, (function, blocks, 1, 1, 128, 1, 1, shared, slot->stream, parameters, for_twin),
                    worker->device, message) &&
         PERMI_CALL(download, (slot->sums, slot->out, blocks * permi_chunk_bytes(work), slot->stream),
                    worker->device, message) &&
         PERMI_CALL(record, (slot->event, slot->stream), worker->device, message);
}

static int permi_finish(permi_worker *worker, permi_slot *slot, char *message)
{
  permi_run *run = worker->run;
  permi_piece *piece = slot->piece;
  const double chunks = (double)(piece->end - piece->begin);
  double now, seconds, rate;
  if (!PERMI_CALL(wait, (slot->event), worker->device, message))
    return 0;
  now = permi_clock();
  seconds = now - (slot->start > worker->last ? slot->start : worker->last);
  worker->last = now;
  rate = chunks / (seconds > 1e-6 ? seconds : 1e-6);
  /* a host thread that wakes late finds the next piece done as well, and the GPU would look very fast */
  worker->chunks_per_second =
      worker->chunks_per_second > 0 ? fmin(rate, 2 * worker->chunks_per_second) : rate;
  if (!run->sink->add(run->sink->context, &piece->partial, piece->begin, piece->end - piece->begin, slot->sums)) {
    snprintf(message, PERM_MESSAGE_BYTES, "GPU %d: a sum is not finite: the device is not to be trusted",
             worker->device);
    return 0;
  }
  slot->piece = NULL;
  worker->used = 1;
  permi_deliver(run, piece);
  return 1;
}

static void *permi_work(void *argument)
{
  permi_worker *worker = (permi_worker *)argument;
  permi_run *run = worker->run;
  const perm_gpu_work *work = run->work;
  const int device = worker->device;
  const uint64_t all = run->end - run->team.done;
  const uint64_t limit = permi_piece_chunks(work);
  const size_t most = (size_t)(all < limit ? all : limit) * permi_chunk_bytes(work);
  const size_t bytes = work->doubles * sizeof(double);
  char message[PERM_MESSAGE_BYTES] = "";
  permi_slot slot[2];
  CUdeviceptr table = 0;
  CUfunction function = NULL;
  int fine = 1, i, turn = 0;
  memset(slot, 0, sizeof slot);
  function = permi_kernel(work, device, run->cache, permi_team_stops, &run->team, message);
  fine = function && permi_current(device, message) && PERMI_CALL(allocate, (&table, bytes), device, message) &&
         PERMI_CALL(upload, (table, work->table, bytes), device, message) &&
         PERMI_CALL(synchronise, (), device, message); /* streams that do not block do not wait for the upload */
  for (i = 0; i < 2 && fine; i++) {
    void *sums = NULL;
    fine = PERMI_CALL(stream, (&slot[i].stream, CU_STREAM_NON_BLOCKING), device, message) &&
           PERMI_CALL(event, (&slot[i].event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING), device, message) &&
           PERMI_CALL(allocate, (&slot[i].out, most), device, message) &&
           PERMI_CALL(allocate_host, (&sums, most), device, message);
    slot[i].sums = (double *)sums;
  }
  while (fine) {
    permi_slot *now = &slot[turn];
    turn = !turn;
    if (now->piece && !permi_finish(worker, now, message)) {
      fine = 0;
      break;
    }
    now->piece = permi_take(worker, message);
    if (now->piece)
      fine = permi_start(worker, now, function, table, message);
    else if (message[0])
      fine = 0;
    else if (!slot[turn].piece)
      break;
  }
  if (!fine)
    permi_team_fail(&run->team, message, worker->taken);
  for (i = 0; i < 2; i++) { /* releasing waits for what still runs; nothing is left to do if it fails */
    if (slot[i].out)
      permi_cuda.driver.release(slot[i].out);
    if (slot[i].sums)
      permi_cuda.driver.release_host(slot[i].sums);
    if (slot[i].event)
      permi_cuda.driver.event_free(slot[i].event);
    if (slot[i].stream)
      permi_cuda.driver.stream_free(slot[i].stream);
    free(slot[i].piece);
  }
  if (table)
    permi_cuda.driver.release(table);
  permi_team_leave(&run->team);
  return NULL;
}

perm_status perm_cuda_run(const perm_gpu_work *work, uint64_t begin, uint64_t end, const perm_options *options,
                          const perm_gpu_sink *sink, perm_partial *partial, int *gpus,
                          char message[PERM_MESSAGE_BYTES])
{
  permi_worker worker[PERMI_GPUS];
  permi_run run;
  perm_status status;
  int i, started = 0;
  *gpus = 0;
  memset(&run, 0, sizeof run);
  memset(worker, 0, sizeof worker);
  run.gpus = perm_cuda_devices(options->gpu.devices, message);
  if (!run.gpus)
    return PERM_ERROR_DEVICE;
  if (end - begin < (uint64_t)run.gpus)
    run.gpus = (int)(end - begin);
  run.work = work;
  run.sink = sink;
  run.cache = options->gpu.cache;
  run.end = end;
  run.partial = partial;
  permi_team_begin(&run.team, message);
  run.next = run.team.done = begin;
  for (i = 0; i < run.gpus; i++) {
    worker[i].run = &run;
    worker[i].device = i;
    if (!permi_team_start(&run.team, &worker[i].thread, permi_work, &worker[i]))
      break;
    started++;
  }
  status = permi_team_watch(&run.team, sink->poll, sink->context);
  for (i = 0; i < started; i++) {
    pthread_join(worker[i].thread, NULL);
    *gpus += worker[i].used;
  }
  while (run.waiting) { /* beyond a piece that failed */
    permi_piece *piece = run.waiting;
    run.waiting = piece->next;
    free(piece);
  }
  return permi_team_end(&run.team, end, status);
}
