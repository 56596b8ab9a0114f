/* =================================================================================== >>gpu_frontier
   Runs the frontier on one GPU and stream. The host fills a table of words while a step runs; it waits for
   sizes, free tables and the last value. */
#pragma once
#include "compile.h"

typedef struct permi_step_table { /* offsets in bytes of what a step needs */
  size_t way, top_offset, middle_offset, sizes, start, middle_start, top, middle, word, rank, left, bytes;
  int shift; /* log2 of the length of a row of middle offsets */
} permi_step_table;

struct perm_gpu_frontier {
  perm_gpu_frontier_shape shape;
  perm_options options;
  permi_step_table at[2]; /* at first those of the largest table */
  permi_holder holder;
  int steps, planes;      /* planes: words of a value */
  permi_loaded *module;
  perm_status stopped;
  CUstream stream;
  CUdeviceptr values[2], table[2], place;
  void *host[2];
  CUevent sent[2], done;
  int source_low;
  double began;
};

#define PERMI_AT(type, table, place) (type *)(uintptr_t)((table) + (place))

#if defined(PERM_CUDA_BENCH)
static double permi_frontier_seconds;
#endif

/* Returns the offsets for `words`, of the largest table if NULL. */
static permi_step_table permi_step_places(const perm_gpu_frontier_shape *shape, const perm_gpu_words *words)
{
  const size_t low = (size_t)1 << shape->low;
  size_t tops = (size_t)1 << shape->top, rows = (size_t)shape->top + 1;
  size_t blocks = (rows << shape->middle) * (size_t)shape->lefts;
  permi_step_table at;
  at.shift = shape->middle;
  if (words) {
    int k, last = 0;
    tops = (size_t)words->top[words->tops - 1] + 1; /* they ascend */
    blocks = (size_t)words->middle_start[shape->top + 1];
    for (k = 0; k <= shape->top; k++)
      if (words->middle_start[k + 1] > words->middle_start[k]) {
        const int most = words->middle[words->middle_start[k + 1] - 1];
        rows = (size_t)k + 1;
        last = most > last ? most : last;
      }
    for (at.shift = 0; last >> at.shift; at.shift++) {
    }
  }
  at.way = 0;
  at.top_offset = at.way + (size_t)shape->ways * sizeof(permi_gpu_way);
  at.middle_offset = at.top_offset + 8 * tops;
  at.sizes = at.middle_offset + (8 * rows << at.shift);
  at.start = at.sizes + 16;
  at.middle_start = at.start + 4 * (size_t)(shape->low + 2);
  at.top = at.middle_start + 4 * (size_t)(shape->top + 2);
  at.middle = at.top + 2 * tops;
  at.word = at.middle + 2 * blocks;
  at.rank = at.word + 2 * low;
  at.left = at.rank + 2 * low;
  at.bytes = at.left + blocks;
  return at;
}

double perm_cuda_frontier_needs(const perm_gpu_frontier_shape *shape)
{
  return (shape->states[0] + shape->states[1]) * 8 * shape->words +
         2 * (double)permi_step_places(shape, NULL).bytes + 2.0 * shape->ways * ldexp(1, shape->low) + 512;
}

double perm_cuda_frontier_bytes(char message[PERM_MESSAGE_BYTES])
{
  size_t bytes = 0;
  if (!perm_cuda_devices(1, message) || !PERMI_CALL(total, (&bytes, 0), 0, message))
    return 0;
  return (double)bytes;
}

static void permi_frontier_release(perm_gpu_frontier *frontier)
{
  if (frontier->stream)
    permi_cuda.driver.synchronise();
  permi_give_back(&frontier->holder);
}

static int permi_frontier_open(perm_gpu_frontier *frontier)
{
  const perm_gpu_frontier_shape *shape = &frontier->shape;
  permi_holder *holder = &frontier->holder;
  if (!permi_has_room(holder, perm_cuda_frontier_needs(shape), "the arrays"))
    return 0;
  int fine = permi_hold(holder, PERMI_STREAM, &frontier->stream, 0) &&
             permi_hold(holder, PERMI_EVENT, &frontier->done, CU_EVENT_DISABLE_TIMING) &&
             permi_hold(holder, PERMI_MEMORY, &frontier->place, 2 * (size_t)shape->ways << shape->low);
  for (int k = 0; k < 2 && fine; k++) {
    const size_t bytes = (size_t)shape->states[k] * 8, table = frontier->at[k].bytes;
    fine = permi_hold(holder, PERMI_EVENT, &frontier->sent[k], CU_EVENT_DISABLE_TIMING) &&
           permi_hold(holder, PERMI_MEMORY, &frontier->values[k], bytes * (size_t)shape->words) &&
           permi_hold(holder, PERMI_MEMORY, &frontier->table[k], table) &&
           permi_hold(holder, PERMI_HOST, &frontier->host[k], table);
    if (frontier->host[k])
      memset(frontier->host[k], 0, table);
  }
  return fine;
}

perm_status perm_cuda_frontier_create(const perm_gpu_frontier_shape *shape, const perm_options *options,
                                      perm_gpu_frontier **made, char message[PERM_MESSAGE_BYTES])
{
  *made = NULL;
  if (!perm_cuda_devices(1, message))
    return PERM_ERROR_DEVICE;
  perm_gpu_frontier *frontier = (perm_gpu_frontier *)calloc(1, sizeof *frontier);
  if (!frontier)
    return PERM_ERROR_MEMORY;
  frontier->shape = *shape;
  frontier->options = *options;
  frontier->holder.message = message;
  frontier->at[0] = frontier->at[1] = permi_step_places(shape, NULL);
  int fine = permi_enter(0, message);
  if (fine) {
    fine = permi_frontier_open(frontier);
    if (!fine)
      permi_frontier_release(frontier);
    permi_leave(fine);
  }
  if (fine)
    *made = frontier;
  else
    free(frontier);
  return fine ? PERM_OK : PERM_ERROR_DEVICE;
}

void perm_cuda_frontier_free(perm_gpu_frontier *frontier)
{
  if (!frontier)
    return;
  if (permi_cuda.driver.push(permi_cuda.context[frontier->holder.device]) == CUDA_SUCCESS) {
    permi_frontier_release(frontier);
    permi_leave(1);
  }
  free(frontier);
}

static int permi_frontier_send(perm_gpu_frontier *frontier, int turn, const perm_gpu_words *words,
                               const perm_gpu_way *way, int ways)
{
  const perm_gpu_frontier_shape *shape = &frontier->shape;
  const permi_holder *holder = &frontier->holder;
  const permi_step_table *at = &frontier->at[turn];
  const size_t low = (size_t)1 << shape->low;
  const double no_sizes[2] = {DBL_MAX, 0};
  char *host = (char *)frontier->host[turn];
  if (frontier->steps >= 2 && !PERMI_ON(holder, wait, (frontier->sent[turn])))
    return 0;
  frontier->at[turn] = permi_step_places(shape, words);
  static_assert(offsetof(permi_gpu_way, place) == offsetof(perm_gpu_way, moves), "the fields before are the same");
  for (int k = 0; k < ways; k++) {
    permi_gpu_way *to = (permi_gpu_way *)(void *)(host + at->way) + k;
    memcpy(to, &way[k], offsetof(permi_gpu_way, place));
    to->place = way[k].moves ? k << shape->low : -1;
    to->c[0].real = way[k].real;
    to->c[1].real = way[k].imaginary;
    if (frontier->module->key.product == PERM_GPU_INTEGER)
      memcpy(to->c, way[k].integer, sizeof way[k].integer);
  }
  const size_t middles = at->bytes - at->left;
  memcpy(host + at->top_offset, words->top_offset, at->middle_offset - at->top_offset);
  for (size_t row = 0; row << at->shift < (at->sizes - at->middle_offset) / 8; row++)
    memcpy(host + at->middle_offset + (8 * row << at->shift), words->middle_offset + (row << shape->middle),
           (size_t)8 << at->shift);
  memcpy(host + at->sizes, no_sizes, sizeof no_sizes);
  memcpy(host + at->start, words->start, 4 * (size_t)(words->low + 2));
  memcpy(host + at->middle_start, words->middle_start, 4 * (size_t)(shape->top + 2));
  memcpy(host + at->top, words->top, 2 * (size_t)words->tops);
  memcpy(host + at->middle, words->middle, 2 * middles);
  memcpy(host + at->left, words->left, middles);
  memcpy(host + at->word, words->word, 2 * low);
  memcpy(host + at->rank, words->rank, 2 * low);
  return PERMI_ON(holder, send, (frontier->table[turn], host, at->bytes, frontier->stream)) &&
         PERMI_ON(holder, record, (frontier->sent[turn], frontier->stream));
}

static int permi_frontier_wait(perm_gpu_frontier *frontier)
{
  return PERMI_ON(&frontier->holder, record, (frontier->done, frontier->stream)) &&
         PERMI_ON(&frontier->holder, wait, (frontier->done));
}

static int permi_frontier_fetch(perm_gpu_frontier *frontier, CUdeviceptr from, void *host, void *to, size_t bytes)
{
  if (!PERMI_ON(&frontier->holder, download, (host, from, bytes, frontier->stream)) || !permi_frontier_wait(frontier))
    return 0;
  memcpy(to, host, bytes);
  return 1;
}

static int permi_frontier_launch(perm_gpu_frontier *frontier, int function, uint64_t blocks, size_t shared,
                                 void **parameters)
{
  if (blocks > 0x7fffffff) {
    snprintf(frontier->holder.message, PERM_MESSAGE_BYTES, "GPU %d: too many transitions", frontier->holder.device);
    return 0;
  }
  return PERMI_ON(&frontier->holder, launch,
                  (frontier->module->function[function], (unsigned)blocks, 1, 1, PERMI_STEP_THREADS, 1, 1,
                   (unsigned)shared, frontier->stream, parameters, NULL));
}

static int permi_frontier_stops(void *context)
{
  perm_gpu_frontier *frontier = (perm_gpu_frontier *)context;
  frontier->stopped = frontier->shape.poll(frontier->shape.context);
  return frontier->stopped != PERM_OK;
}

perm_status perm_cuda_frontier_begin(perm_gpu_frontier *frontier, perm_gpu_cell cell, int words, int parts,
                                     const perm_gpu_words *source)
{
  uint64_t one[PERM_INTEGER_WORDS];
  const double real = 1;
  permi_holder *holder = &frontier->holder;
  const permi_kernel_key key = permi_step_key(cell, words, parts, holder->device);
  frontier->planes = permi_step_planes(&key);
  frontier->steps = 0;
  if (frontier->planes > frontier->shape.words || frontier->planes > PERM_INTEGER_WORDS) {
    snprintf(holder->message, PERM_MESSAGE_BYTES, "GPU %d: values of %d words", holder->device, frontier->planes);
    return PERM_ERROR_DEVICE;
  }
  memset(one, 0, sizeof one);
  one[0] = 1;
  if (cell != PERM_GPU_INTEGER)
    memcpy(one, &real, sizeof real);
  if (!permi_enter(frontier->holder.device, frontier->holder.message))
    return PERM_ERROR_DEVICE;
  frontier->module = permi_module(key, NULL, frontier->options.gpu.cache, permi_frontier_stops, frontier,
                                  holder->message);
  const int fine = frontier->module && permi_frontier_wait(frontier) && /* the GPU may still run an earlier pass */
                   PERMI_ON(holder, upload, (frontier->values[0], one, 8 * (size_t)frontier->planes)) &&
                   permi_frontier_send(frontier, 0, source, NULL, 0) && permi_frontier_wait(frontier) &&
                   PERMI_ON(holder, synchronise, ()); /* our stream would not wait for the upload */
  frontier->source_low = source->low;
  frontier->began = permi_clock();
  if (!frontier->module && frontier->stopped != PERM_OK) {
    permi_leave(1);
    return frontier->stopped;
  }
  return permi_leave(fine);
}

static permi_step_arguments permi_frontier_arguments(const perm_gpu_frontier *frontier, const perm_gpu_words *target,
                                                     int ways)
{
  const int from = frontier->steps & 1, to = !from;
  const permi_step_table *at = &frontier->at[to], *from_at = &frontier->at[from];
  const CUdeviceptr source = frontier->table[from], table = frontier->table[to];
  permi_step_arguments a;
  memset(&a, 0, sizeof a);
  a.from = PERMI_AT(const void, frontier->values[from], 0);
  a.to = PERMI_AT(void, frontier->values[to], 0);
  a.way = PERMI_AT(const permi_gpu_way, table, at->way);
  a.from_top = PERMI_AT(const unsigned long long, source, from_at->top_offset);
  a.from_middle = PERMI_AT(const unsigned long long, source, from_at->middle_offset);
  a.to_top = PERMI_AT(const unsigned long long, table, at->top_offset);
  a.to_middle = PERMI_AT(const unsigned long long, table, at->middle_offset);
  a.top = PERMI_AT(const unsigned short, table, at->top);
  a.middle = PERMI_AT(const unsigned short, table, at->middle);
  a.left = PERMI_AT(const unsigned char, table, at->left);
  a.from_start = PERMI_AT(const int, source, from_at->start);
  a.to_start = PERMI_AT(const int, table, at->start);
  a.middle_start = PERMI_AT(const int, table, at->middle_start);
  a.word = PERMI_AT(const unsigned short, table, at->word);
  a.rank = PERMI_AT(const unsigned short, source, from_at->rank);
  a.place = PERMI_AT(unsigned short, frontier->place, 0);
  a.ways = ways;
  a.bits = frontier->shape.middle;
  a.from_shift = from_at->shift;
  a.to_shift = at->shift;
  a.low = frontier->source_low;
  a.words = target->start[target->low + 1];
  return a;
}

perm_status perm_cuda_frontier_step(perm_gpu_frontier *frontier, const perm_gpu_words *target, const perm_gpu_way *way,
                                    int ways, double *sizes)
{
  const perm_gpu_frontier_shape *shape = &frontier->shape;
  const int to = !(frontier->steps & 1);
  const size_t shared = (size_t)ways * (sizeof(permi_route) + PERMI_STEP_THREADS / 32 * sizeof(permi_origin));
  permi_step_arguments a;
  void *parameters[1] = {&a};
  int k, most = 1, moves = 0, fine;
  if (ways > shape->ways || ways < 1)
    return PERM_ERROR_DEVICE;
  for (k = 0; k <= shape->top; k++) {
    const int middles = target->middle_start[k + 1] - target->middle_start[k];
    most = middles > most ? middles : most;
  }
  for (k = 0; k < ways; k++)
    moves |= way[k].moves;
  if (!permi_enter(frontier->holder.device, frontier->holder.message))
    return PERM_ERROR_DEVICE;
  fine = permi_frontier_send(frontier, to, target, way, ways);
  a = permi_frontier_arguments(frontier, target, ways);
  a.sizes = sizes ? PERMI_AT(unsigned long long, frontier->table[to], frontier->at[to].sizes) : NULL;
  a.span = (double)target->tops * most <= 65536 ? PERMI_STEP_THREADS / 32 : PERMI_STEP_THREADS / 4;
  a.spans = (most + a.span - 1) / a.span;
  if (fine && moves)
    fine = permi_frontier_launch(frontier, PERMI_PLACES, (uint64_t)ways, 0, parameters);
  fine = fine && permi_frontier_launch(frontier, PERMI_STEP, (uint64_t)(target->tops * a.spans), shared, parameters);
  if (fine && sizes)
    fine = permi_frontier_fetch(frontier, (CUdeviceptr)(uintptr_t)a.sizes,
                                (char *)frontier->host[to] + frontier->at[to].sizes, sizes, 16);
  frontier->steps++;
  frontier->source_low = target->low;
  return permi_leave(fine);
}

perm_status perm_cuda_frontier_scale(perm_gpu_frontier *frontier, uint64_t states, double first, double second)
{
  CUdeviceptr values = frontier->values[frontier->steps & 1];
  unsigned long long count = states * (unsigned long long)frontier->planes;
  const unsigned long long blocks = (count + PERMI_STEP_THREADS - 1) / PERMI_STEP_THREADS;
  void *parameters[4] = {&values, &count, &first, &second};
  if (!blocks)
    return PERM_OK;
  if (!permi_enter(frontier->holder.device, frontier->holder.message))
    return PERM_ERROR_DEVICE;
  return permi_leave(
      permi_frontier_launch(frontier, PERMI_SCALE, blocks < 16384 ? blocks : 16384, 0, parameters));
}

perm_status perm_cuda_frontier_value(perm_gpu_frontier *frontier, void *value)
{
  const size_t bytes = 8 * (size_t)frontier->planes;
  const int turn = frontier->steps & 1;
  if (!permi_enter(frontier->holder.device, frontier->holder.message))
    return PERM_ERROR_DEVICE;
  const int fine = permi_frontier_wait(frontier) &&
                   permi_frontier_fetch(frontier, frontier->values[turn], frontier->host[turn], value, bytes);
#if defined(PERM_CUDA_BENCH)
  permi_frontier_seconds += permi_clock() - frontier->began;
#endif
  return permi_leave(fine);
}
#undef PERMI_AT
/* SPDX-License-Identifier: MIT */
