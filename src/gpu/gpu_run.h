/* ======================================================================================== >>gpu_run
   Runs ranges of chunks: a GPU's host thread takes pieces of a tenth of a second, on two streams so that they overlap.
   Pieces are merged in order, so what is done is a prefix. */
#pragma once
#include "compile.h"

#define PERMI_PIECE_SECONDS 0.1
#define PERMI_PIECE_TASKS 24  /* chosen: blocks a multiprocessor that share tasks, four times what it holds */
#define PERMI_PIECE_CHUNKS (1 << 16)
#define PERMI_PIECE_LEAST 1024 /* the least chunks of many sums, which must fill a GPU */

typedef struct permi_team {
  const char *cache;
  void *job;
  pthread_mutex_t lock; /* guards the rest, and what a job shares */
  pthread_cond_t changed;
  uint64_t done;
  int active, stop, failed;
  char *message;
} permi_team;

typedef struct permi_worker {
  permi_team *team;
  const perm_gpu_work *work;
  pthread_t thread;
  int device, started, taken, used;
  double chunks_per_second, last;
} permi_worker;

static void permi_team_begin(permi_team *team, void *job, const char *cache, char *message)
{
  memset(team, 0, sizeof *team);
  team->job = job;
  team->cache = cache;
  team->message = message;
  pthread_mutex_init(&team->lock, NULL);
  permi_condition(&team->changed);
}

/* Notes a failure, which ends the job if the thread had begun; else others do the work. */
static void permi_team_fail(permi_team *team, const char *message, int begun)
{
  pthread_mutex_lock(&team->lock);
  if (!team->failed && (begun || !team->message[0]))
    snprintf(team->message, PERM_MESSAGE_BYTES, "%s", message[0] ? message : "out of memory");
  if (begun)
    team->failed = team->stop = 1;
  pthread_mutex_unlock(&team->lock);
}

static void permi_team_leave(permi_team *team)
{
  pthread_mutex_lock(&team->lock);
  team->active--;
  pthread_cond_signal(&team->changed);
  pthread_mutex_unlock(&team->lock);
}

/* Polls every 50 ms and at signals until all have left; returns the first status other than PERM_OK. */
static perm_status permi_team_watch(permi_team *team, perm_status (*poll)(void *context, uint64_t done), void *context)
{
  perm_status status = PERM_OK;
  pthread_mutex_lock(&team->lock);
  while (team->active) {
    const struct timespec until = permi_until(50000000);
    pthread_cond_timedwait(&team->changed, &team->lock, &until);
    const uint64_t done = team->done;
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
  pthread_mutex_lock(&team->lock);
  const int stop = team->stop;
  pthread_mutex_unlock(&team->lock);
  return stop;
}

static perm_status permi_team_run(permi_team *team, permi_worker *worker, int workers, void *(*start)(void *),
                                  perm_status (*poll)(void *context, uint64_t done), void *context)
{
  for (int i = 0; i < workers; i++) {
    worker[i].team = team;
    pthread_mutex_lock(&team->lock);
    team->active++;
    pthread_mutex_unlock(&team->lock);
    worker[i].started = !pthread_create(&worker[i].thread, NULL, start, &worker[i]);
    if (!worker[i].started) {
      permi_team_leave(team);
      permi_team_fail(team, "a host thread cannot be created", 0);
    }
  }
  const perm_status status = permi_team_watch(team, poll, context);
  for (int i = 0; i < workers; i++)
    if (worker[i].started)
      pthread_join(worker[i].thread, NULL);
  return status;
}

static perm_status permi_team_end(permi_team *team, uint64_t all, perm_status status)
{
  pthread_cond_destroy(&team->changed);
  pthread_mutex_destroy(&team->lock);
  if (!team->failed && team->done == all) {
    team->message[0] = 0;
    return PERM_OK;
  }
  return team->failed || status == PERM_OK ? PERM_ERROR_DEVICE : status; /* with PERM_OK no GPU could begin */
}

static CUfunction permi_worker_begin(permi_worker *worker, char *message)
{
  permi_team *team = worker->team;
  CUfunction function = permi_kernel(worker->work, worker->device, team->cache, permi_team_stops, team, message);
  return function && permi_current(worker->device, message) ? function : NULL;
}

typedef struct permi_piece {
  uint64_t begin, end;
  perm_partial partial;
  struct permi_piece *next;
} permi_piece;

typedef struct permi_run { /* `done` is merged; the lock guards what follows `gpus` */
  const perm_gpu_sink *sink;
  perm_partial *partial;
  int gpus;
  uint64_t next, end;
  permi_piece *waiting;
} permi_run;

typedef struct permi_slot {
  CUstream stream;
  CUevent event;
  CUdeviceptr out;
  void *sums;
  permi_piece *piece;
  double start;
} permi_slot;

static size_t permi_chunk_bytes(const perm_gpu_work *work)
{
  return (work->program && work->program->sums ? (size_t)work->program->sums : PERM_GPU_SUMS) * sizeof(double);
}

static uint64_t permi_piece_chunks(const perm_gpu_work *work)
{
  const uint64_t chunks = PERMI_PIECE_CHUNKS * PERM_GPU_SUMS * sizeof(double) / permi_chunk_bytes(work);
  return chunks > PERMI_PIECE_LEAST ? chunks : PERMI_PIECE_LEAST;
}

/* Takes a piece; NULL if nothing is left, or if all are stopped after their first. A launch's blocks share the tasks of
   >>text_signs and wait for the last: few blocks would leave a GPU empty, and short launches wait often. */
static permi_piece *permi_take(permi_worker *worker, char *message)
{
  permi_team *team = worker->team;
  permi_run *run = (permi_run *)team->job;
  const perm_gpu_program *program = worker->work->program;
  const double processors = permi_cuda.processors[worker->device], first = 4 * processors;
  permi_piece *piece = (permi_piece *)calloc(1, sizeof *piece);
  if (!piece) {
    snprintf(message, PERM_MESSAGE_BYTES, "out of memory");
    return NULL;
  }
  pthread_mutex_lock(&team->lock);
  double size = worker->chunks_per_second > 0 ? worker->chunks_per_second * PERMI_PIECE_SECONDS : first;
  size = fmin(size, fmax(first, (double)(run->end - run->next) / (2 * run->gpus))); /* so that all end together */
  size = fmax(size, program && program->signs ? PERMI_PIECE_TASKS * processors : 1);
  size = fmin(size, (double)permi_piece_chunks(worker->work));
  if (run->next < run->end && !team->failed && !(team->stop && worker->taken)) {
    piece->begin = run->next;
    piece->end = run->end - run->next > (uint64_t)size ? run->next + (uint64_t)size : run->end;
    run->next = piece->end;
    worker->taken = 1;
  } else {
    free(piece);
    piece = NULL;
  }
  pthread_mutex_unlock(&team->lock);
  return piece;
}

static void permi_deliver(permi_team *team, permi_piece *piece)
{
  permi_run *run = (permi_run *)team->job;
  permi_piece **at;
  pthread_mutex_lock(&team->lock);
  for (at = &run->waiting; *at && (*at)->begin < piece->begin; at = &(*at)->next) {
  }
  piece->next = *at;
  *at = piece;
  while (run->waiting && run->waiting->begin == team->done) {
    piece = run->waiting;
    if (run->sink->merge && run->sink->merge(run->partial, &piece->partial) != PERM_OK)
      team->failed = team->stop = 1;
    team->done = piece->end;
    run->waiting = piece->next;
    free(piece);
  }
  pthread_cond_signal(&team->changed);
  pthread_mutex_unlock(&team->lock);
}

static int permi_start(permi_worker *worker, permi_slot *slot, const permi_holder *holder, CUfunction function,
                       CUdeviceptr table)
{
  const perm_gpu_work *work = worker->work;
  const perm_gpu_program *program = work->program;
  const size_t walk = (size_t)work->stride * (size_t)(2 * work->walk + 1);
  const unsigned shared = program ? (unsigned)program->shared : (unsigned)((640 + walk) * sizeof(double));
  const unsigned blocks = (unsigned)(slot->piece->end - slot->piece->begin);
  const size_t bytes = blocks * permi_chunk_bytes(work);
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
  memset(slot->sums, 0xff, bytes); /* NaN, which shows what is not written */
  slot->start = permi_clock();
  return PERMI_ON(holder, send, (slot->out, slot->sums, bytes, slot->stream)) &&
         PERMI_ON(holder, launch, (function, blocks, 1, 1, 128, 1, 1, shared, slot->stream, parameters, for_twin)) &&
         PERMI_ON(holder, download, (slot->sums, slot->out, bytes, slot->stream)) &&
         PERMI_ON(holder, record, (slot->event, slot->stream));
}

static int permi_finish(permi_worker *worker, permi_slot *slot, const permi_holder *holder)
{
  const perm_gpu_sink *sink = ((const permi_run *)worker->team->job)->sink;
  permi_piece *piece = slot->piece;
  const double chunks = (double)(piece->end - piece->begin);
  int fine;
  if (!PERMI_ON(holder, wait, (slot->event)))
    return 0;
  const double now = permi_clock();
  const double seconds = now - (slot->start > worker->last ? slot->start : worker->last);
  worker->last = now;
  const double rate = chunks / (seconds > 1e-6 ? seconds : 1e-6);
  /* after a late wake-up both pieces are done, which would look too fast */
  worker->chunks_per_second =
      worker->chunks_per_second > 0 ? fmin(rate, 2 * worker->chunks_per_second) : rate;
  if (sink->alone)
    pthread_mutex_lock(&worker->team->lock);
  fine = sink->add(sink->context, &piece->partial, piece->begin, piece->end - piece->begin, (const double *)slot->sums);
  if (sink->alone)
    pthread_mutex_unlock(&worker->team->lock);
  if (!fine) {
    snprintf(holder->message, PERM_MESSAGE_BYTES,
             "GPU %d: a sum is not finite or wrong: the device is not to be trusted", worker->device);
    return 0;
  }
  slot->piece = NULL;
  worker->used = 1;
  permi_deliver(worker->team, piece);
  return 1;
}

static int permi_pieces(permi_worker *worker, permi_slot *slot, const permi_holder *holder, CUfunction function,
                        CUdeviceptr table)
{
  for (int turn = 0;; turn = !turn) {
    permi_slot *now = &slot[turn];
    if (now->piece && !permi_finish(worker, now, holder))
      return 0;
    now->piece = permi_take(worker, holder->message);
    if (!now->piece && (holder->message[0] || !slot[!turn].piece))
      return !holder->message[0];
    if (now->piece && !permi_start(worker, now, holder, function, table))
      return 0;
  }
}

static void *permi_work(void *argument)
{
  permi_worker *worker = (permi_worker *)argument;
  permi_team *team = worker->team;
  const perm_gpu_work *work = worker->work;
  const uint64_t all = ((permi_run *)team->job)->end - team->done, limit = permi_piece_chunks(work);
  const size_t chunks = (size_t)(all < limit ? all : limit), most = chunks * permi_chunk_bytes(work);
  const size_t scratch = work->program ? chunks * (size_t)work->program->scratch * sizeof(double) : 0;
  const size_t bytes = work->doubles * sizeof(double);
  char message[PERM_MESSAGE_BYTES] = "";
  permi_holder holder = {worker->device, 0, message, {}};
  permi_slot slot[2] = {};
  CUdeviceptr table = 0;
  CUfunction function = permi_worker_begin(worker, message);
  int fine = function && permi_hold(&holder, PERMI_MEMORY, &table, bytes) &&
             PERMI_ON(&holder, upload, (table, work->table, bytes)) &&
             PERMI_ON(&holder, synchronise, ()); /* non-blocking streams do not wait for the upload */
  for (int i = 0; i < 2 && fine; i++)
    fine = permi_hold(&holder, PERMI_STREAM, &slot[i].stream, 0) &&
           permi_hold(&holder, PERMI_EVENT, &slot[i].event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING) &&
           permi_hold(&holder, PERMI_MEMORY, &slot[i].out, most + scratch) &&
           permi_hold(&holder, PERMI_HOST, &slot[i].sums, most);
  if (!fine || !permi_pieces(worker, slot, &holder, function, table))
    permi_team_fail(team, message, worker->taken);
  permi_give_back(&holder);
  free(slot[0].piece);
  free(slot[1].piece);
  permi_team_leave(team);
  return NULL;
}

perm_status perm_cuda_run(const perm_gpu_work *work, uint64_t begin, uint64_t end, const perm_options *options,
                          const perm_gpu_sink *sink, perm_partial *partial, int *gpus,
                          char message[PERM_MESSAGE_BYTES])
{
  permi_worker worker[PERMI_GPUS] = {};
  permi_team team;
  permi_run run = {sink, partial, perm_cuda_devices(options->gpu.devices, message), begin, end, NULL};
  *gpus = 0;
  if (!run.gpus)
    return PERM_ERROR_DEVICE;
  if (end - begin < (uint64_t)run.gpus)
    run.gpus = (int)(end - begin);
  permi_team_begin(&team, &run, options->gpu.cache, message);
  team.done = begin;
  for (int i = 0; i < run.gpus; i++) {
    worker[i].work = work;
    worker[i].device = i;
  }
  const perm_status status = permi_team_run(&team, worker, run.gpus, permi_work, sink->poll, sink->context);
  for (int i = 0; i < run.gpus; i++)
    *gpus += worker[i].used;
  for (permi_piece *piece; (piece = run.waiting) != NULL; free(piece)) /* behind one that failed */
    run.waiting = piece->next;
  return permi_team_end(&team, end, status);
}

/* ---- many small matrices: one host thread is slower than a GPU */

#define PERMI_BATCH_BYTES (8 << 20)
#define PERMI_BATCH_WORKERS 8
#define PERMI_BATCH_THERE_ELEMENTS 1e11 /* of a launch: a tenth of a second */

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

static int permi_batch_team(int n) { return n < 9 ? 8 : n < 10 ? 16 : n < 17 ? 32 : 128; }

static int permi_batch_launch(const permi_holder *holder, const perm_gpu_program *program, CUfunction function,
                              permi_batch_given given, CUstream stream)
{
  const unsigned teams = 128 / (unsigned)permi_batch_team(given.n);
  void *parameters[1] = {&given}, **for_twin = permi_cuda.twin ? (void **)(uintptr_t)program : NULL;
  return PERMI_ON(holder, launch, (function, (unsigned)((given.count + teams - 1) / teams), 1, 1, 128, 1, 1,
                                   (unsigned)program->shared, stream, parameters, for_twin));
}

static permi_batch_given permi_batch_given_of(const perm_gpu_batch *batch, const double *in, double *out)
{
  const permi_batch_given given = {in, out, NULL, 0, 0, batch->base, batch->shares, batch->relative, batch->n};
  return given;
}

static void *permi_batch_work(void *argument)
{
  permi_worker *worker = (permi_worker *)argument;
  permi_team *team = worker->team;
  const permi_batch_run *run = (const permi_batch_run *)team->job;
  const perm_gpu_batch *batch = run->batch;
  const size_t out_bytes = (size_t)batch->parts * sizeof(double), in_bytes = (size_t)(batch->n * batch->n) * out_bytes;
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
  permi_batch_given given = permi_batch_given_of(batch, (const double *)(uintptr_t)in, (double *)(uintptr_t)out);
  while (fine && (count = permi_batch_take(team, &first)) != 0) {
    worker->taken = 1;
    given.count = count;
    batch->fill(batch->context, first, count, (double *)from);
    fine = PERMI_ON(&holder, send, (in, from, count * in_bytes, stream)) &&
           PERMI_ON(&holder, set, (out, 0xff, count * out_bytes, stream)) && /* NaN is refused */
           permi_batch_launch(&holder, worker->work->program, function, given, stream) &&
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

static size_t permi_batch_shared(int n, int parts, int floats)
{
  const int team = permi_batch_team(n), most = team == 8 ? 3 : team == 16 ? 4 : team == 32 ? 5 : 7;
  const int high = n - 2 < most ? n - 2 : most, stride = (n * parts + 1) / 2 * 2;
  const int doubles = stride * (2 + high + 2 * (n - 2 - high)) + n * n * parts + (floats ? n + 1 : n * parts) + 2 * n +
                      n * parts + 8 * n;
  return ((size_t)doubles * sizeof(double) + PERMI_HEAD_BYTES + 15) / 16 * 16;
}

/* *work points to *program, that to text. */
static void permi_batch_plan(int n, int parts, int floats, char text[512], perm_gpu_program *program,
                             perm_gpu_work *work)
{
  /* the most that compile without spills */
  const int blocks = parts == 1 || n < (floats ? 14 : 12) ? 4 : n < (floats ? 21 : 18) ? 3 : 2;
  const char *number = floats ? "float" : "double";
  const size_t room = permi_batch_shared(n, parts, floats);
  memset(program, 0, sizeof *program);
  memset(work, 0, sizeof *work);
  work->program = program;
  program->shared = 5 * 128 * sizeof(double) + (size_t)(128 / permi_batch_team(n)) * room;
  program->batch = parts;
  program->floats = floats;
  program->text = text;
  snprintf(text, 512,
           "extern \"C\" __global__ void __launch_bounds__(128, %d) permi_kernel(const permi_batch_given a)\n"
           "{ static_assert(sizeof(permi_batch_room<%d, %d, %s>) == %d, \"\"); permi_batch_kernel<%d, %d, %s>(a); }\n",
           blocks, n, parts, number, (int)room, n, parts, number);
}

static perm_status permi_batch_poll(void *context, uint64_t done)
{
  const perm_gpu_batch *batch = (const perm_gpu_batch *)context;
  return batch->poll(batch->context, (double)done / (double)batch->count);
}

perm_status perm_cuda_batch(const perm_gpu_batch *batch, const perm_options *options, int threads, int *gpus_used,
                            char message[PERM_MESSAGE_BYTES])
{
  permi_worker worker[PERMI_GPUS * PERMI_BATCH_WORKERS] = {};
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
  permi_batch_plan(batch->n, batch->parts, batch->floats, text, &program, &work);
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

/* ---- arrays of callers, by the calling thread on their stream */
int perm_cuda_owner(const void *at, char message[PERM_MESSAGE_BYTES])
{
  const CUdeviceptr pointer = (CUdeviceptr)(uintptr_t)at;
  const permi_driver *driver = &permi_cuda.driver;
  unsigned kind = 0;
  int device = -1;
  if (perm_cuda_devices(PERM_ALL_GPUS, message) &&
      (driver->pointer(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer) != CUDA_SUCCESS ||
       kind != CU_MEMORYTYPE_DEVICE ||
       driver->pointer(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer) != CUDA_SUCCESS ||
       device >= permi_cuda.devices))
    device = -2;
  return device;
}

perm_status perm_cuda_move(const perm_gpu_move *move, void *stream, char message[PERM_MESSAGE_BYTES])
{
  permi_holder holder = {perm_cuda_owner(move->there, message), 0, message, {}};
  const CUdeviceptr here = (CUdeviceptr)(uintptr_t)move->here;
  CUdeviceptr side = 0; /* gathers pieces: each copy to the host would wait */
  if (holder.device < 0 || !permi_enter(holder.device, message))
    return PERM_ERROR_DEVICE;
  int fine = move->back || !move->list || permi_hold(&holder, PERMI_MEMORY, &side, move->count * move->bytes);
  for (size_t k = 0; k < move->count && fine; k++) {
    const CUdeviceptr to = (side ? side : here) + k * move->bytes;
    const CUdeviceptr there = (CUdeviceptr)(uintptr_t)move->there + (move->list ? move->list[k] : k) * move->bytes;
    fine = PERMI_ON(&holder, copy, (move->back ? there : to, move->back ? to : there, move->bytes, (CUstream)stream));
  }
  fine = fine && (!side || PERMI_ON(&holder, copy, (here, side, move->count * move->bytes, (CUstream)stream)));
  fine = PERMI_ON(&holder, drain, ((CUstream)stream)) && fine;
  permi_give_back(&holder);
  return permi_leave(fine);
}

typedef struct permi_batch_there {
  const perm_gpu_batch *batch;
  size_t done;
  perm_status stopped;
} permi_batch_there;

static int permi_batch_there_stop(void *context)
{
  permi_batch_there *run = (permi_batch_there *)context;
  run->stopped = permi_batch_poll((void *)(uintptr_t)run->batch, run->done);
  return run->stopped != PERM_OK;
}

perm_status perm_cuda_batch_there(const perm_gpu_batch *batch, const double *in, double *out,
                                  const perm_options *options, size_t *left, char message[PERM_MESSAGE_BYTES])
{
  const CUstream stream = (CUstream)options->gpu.stream;
  const size_t numbers = (size_t)(batch->n * batch->n * batch->parts);
  const size_t most = (size_t)(PERMI_BATCH_THERE_ELEMENTS / ldexp(batch->n, batch->n - 1));
  permi_batch_there run = {batch, 0, PERM_OK};
  permi_batch_given given = permi_batch_given_of(batch, in, out);
  permi_holder holder = {perm_cuda_owner(in, message), 0, message, {}};
  CUdeviceptr list = 0;
  perm_gpu_program program;
  perm_gpu_work work;
  char text[512];
  permi_batch_plan(batch->n, batch->parts, batch->floats, text, &program, &work);
  const CUfunction function =
      permi_kernel(&work, holder.device, options->gpu.cache, permi_batch_there_stop, &run, message);
  if (!function || !permi_enter(holder.device, message))
    return run.stopped != PERM_OK ? run.stopped : PERM_ERROR_DEVICE;
  int fine = permi_hold(&holder, PERMI_MEMORY, &list, (1 + PERM_GPU_BATCH_LIST) * sizeof *left) &&
             PERMI_ON(&holder, set, (list, 0, sizeof *left, stream)) &&
             PERMI_ON(&holder, set, ((CUdeviceptr)(uintptr_t)out, 0xff,
                                     batch->count * (size_t)batch->parts * sizeof *out, stream));
  given.left = (unsigned long long *)(uintptr_t)list;
  while (fine && run.done < batch->count && !(run.done && permi_batch_there_stop(&run))) {
    given.count = batch->count - run.done < most ? batch->count - run.done : most;
    given.first = run.done;
    given.in = in + numbers * run.done;
    given.out = out + (size_t)batch->parts * run.done;
    fine = permi_batch_launch(&holder, &program, function, given, stream) &&
           PERMI_ON(&holder, download, (left, list, sizeof *left, stream)) && PERMI_ON(&holder, drain, (stream));
    run.done += (size_t)given.count;
  }
  if (fine && left[0] && left[0] <= PERM_GPU_BATCH_LIST)
    fine = PERMI_ON(&holder, download, (left, list, (1 + left[0]) * sizeof *left, stream)) &&
           PERMI_ON(&holder, drain, (stream));
  permi_give_back(&holder);
  const perm_status status = permi_leave(fine);
  return run.stopped != PERM_OK ? run.stopped : status;
}
/* SPDX-License-Identifier: MIT */
