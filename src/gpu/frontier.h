/* ======================================================================================= >>frontier
   A programme has two arrays, its values before even and odd steps, and two tables of the words of a step, of the
   source and of the target, all on one GPU and one stream: the host fills the next table while a step runs, and waits
   only where it needs the sizes of values, the room of a table or the value at the end. */
#pragma once
#include "devices.h"
#include "compile.h"

typedef struct permi_step_table { /* where what is in a table, in bytes: no more than a step needs */
  size_t way, top_offset, middle_offset, sizes, start, middle_start, top, middle, word, rank, left, bytes;
  int shift; /* of a row of middle offsets */
} permi_step_table;

struct perm_gpu_frontier {
  perm_gpu_programme programme;
  perm_options options;
  permi_step_table at[2]; /* of each table; before it is filled: of the largest */
  char *message;
  int device, steps, planes; /* steps so far; words of a value */
  permi_loaded *module;
  perm_status stopped; /* what the programme's poll said while a module was made */
  CUstream stream;
  CUdeviceptr values[2], table[2], place;
  char *host[2];      /* of each table */
  CUevent sent[2], done;
  int source_low;     /* of the source: occupied low slots */
  double began;
  CUdeviceptr key[2], item[2], count; /* lists: of states; transitions; counts of tiles */
  uint64_t states, item_room, count_room;
};

#if defined(PERM_CUDA_BENCH)
static double permi_frontier_seconds; /* from a programme's first step to its value, of all so far */
#endif

/* words: NULL for the largest table. */
static permi_step_table permi_step_places(const perm_gpu_programme *programme, const perm_gpu_words *words)
{
  const size_t low = (size_t)1 << programme->low;
  size_t tops = (size_t)1 << programme->top, rows = (size_t)programme->top + 1, middles = rows << programme->middle;
  permi_step_table at;
  at.shift = programme->middle;
  if (words) {
    int k, last = 0;
    tops = (size_t)words->top[words->tops - 1] + 1; /* ascending */
    middles = (size_t)words->middle_start[programme->top + 1];
    for (k = 0; k <= programme->top; k++)
      if (words->middle_start[k + 1] > words->middle_start[k]) {
        const int most = words->middle[words->middle_start[k + 1] - 1]; /* ascending */
        rows = (size_t)k + 1;
        last = most > last ? most : last;
      }
    for (at.shift = 0; last >> at.shift; at.shift++) {
    }
  }
  at.way = 0;
  at.top_offset = at.way + (size_t)programme->ways * sizeof(permi_gpu_way);
  at.middle_offset = at.top_offset + 8 * tops;
  at.sizes = at.middle_offset + (8 * rows << at.shift);
  at.start = at.sizes + 16;
  at.middle_start = at.start + 4 * (size_t)(programme->low + 2);
  at.top = at.middle_start + 4 * (size_t)(programme->top + 2);
  at.middle = at.top + 2 * tops;
  at.word = at.middle + 2 * middles;
  at.rank = at.word + 2 * low;
  at.left = at.rank + 2 * low;
  at.bytes = at.left + middles;
  return at;
}

double perm_cuda_frontier_needs(const perm_gpu_programme *programme)
{
  return (programme->states[0] + programme->states[1]) * 8 * programme->words +
         2 * (double)permi_step_places(programme, NULL).bytes + 2.0 * programme->ways * ldexp(1, programme->low) + 512 +
         (programme->lists ? (programme->states[0] + programme->states[1]) * 8 : 0); /* and transitions */
}

double perm_cuda_frontier_bytes(char message[PERM_MESSAGE_BYTES])
{
  size_t bytes = 0;
  if (!perm_cuda_devices(1, message) || !PERMI_CALL(total, (&bytes, 0), 0, message))
    return 0;
  return (double)bytes;
}

/* The context of a programme's GPU is the caller's between these two. */
static int permi_frontier_enter(perm_gpu_frontier *frontier)
{
  return PERMI_CALL(push, (permi_cuda.context[frontier->device]), frontier->device, frontier->message);
}

static perm_status permi_frontier_leave(int fine)
{
  CUcontext context;
  permi_cuda.driver.pop(&context); /* what was pushed is there */
  return fine ? PERM_OK : PERM_ERROR_DEVICE;
}

static void permi_frontier_release(perm_gpu_frontier *frontier)
{
  int k;
  if (frontier->stream)
    permi_cuda.driver.synchronise(); /* nothing is left to do if it fails */
  for (k = 0; k < 2; k++) {
    if (frontier->values[k])
      permi_cuda.driver.release(frontier->values[k]);
    if (frontier->table[k])
      permi_cuda.driver.release(frontier->table[k]);
    if (frontier->host[k])
      permi_cuda.driver.release_host(frontier->host[k]);
    if (frontier->sent[k])
      permi_cuda.driver.event_free(frontier->sent[k]);
  }
  for (k = 0; k < 2; k++) {
    if (frontier->key[k])
      permi_cuda.driver.release(frontier->key[k]);
    if (frontier->item[k])
      permi_cuda.driver.release(frontier->item[k]);
  }
  if (frontier->count)
    permi_cuda.driver.release(frontier->count);
  if (frontier->place)
    permi_cuda.driver.release(frontier->place);
  if (frontier->done)
    permi_cuda.driver.event_free(frontier->done);
  if (frontier->stream)
    permi_cuda.driver.stream_free(frontier->stream);
}

static int permi_frontier_open(perm_gpu_frontier *frontier)
{
  const perm_gpu_programme *programme = &frontier->programme;
  const int device = frontier->device;
  const double needed = perm_cuda_frontier_needs(programme);
  char *message = frontier->message;
  size_t left = 0, total = 0;
  int k, fine;
  if (!PERMI_CALL(memory, (&left, &total), device, message))
    return 0;
  if (needed > (double)left) {
    snprintf(message, PERM_MESSAGE_BYTES, "GPU %d: the arrays need %.4g bytes, and of %.4g only %.4g are free", device,
             needed, (double)total, (double)left);
    return 0;
  }
  fine = PERMI_CALL(stream, (&frontier->stream, CU_STREAM_NON_BLOCKING), device, message) &&
         PERMI_CALL(event, (&frontier->done, CU_EVENT_DISABLE_TIMING), device, message) &&
         PERMI_CALL(allocate, (&frontier->place, 2 * (size_t)programme->ways << programme->low), device, message);
  for (k = 0; k < 2 && fine; k++) {
    const size_t bytes = (size_t)programme->states[k] * 8 * (size_t)programme->words;
    void *host = NULL;
    fine = PERMI_CALL(event, (&frontier->sent[k], CU_EVENT_DISABLE_TIMING), device, message) &&
           PERMI_CALL(allocate, (&frontier->values[k], bytes), device, message) &&
           PERMI_CALL(allocate, (&frontier->table[k], frontier->at[k].bytes), device, message) &&
           PERMI_CALL(allocate_host, (&host, frontier->at[k].bytes), device, message) &&
           (!programme->lists || PERMI_CALL(allocate, (&frontier->key[k], (size_t)programme->states[k] * 8), device,
                                            message));
    frontier->host[k] = (char *)host;
    if (host)
      memset(host, 0, frontier->at[k].bytes);
  }
  return fine;
}

perm_status perm_cuda_frontier_create(const perm_gpu_programme *programme, const perm_options *options,
                                      perm_gpu_frontier **made, char message[PERM_MESSAGE_BYTES])
{
  perm_gpu_frontier *frontier;
  int fine;
  *made = NULL;
  if (!perm_cuda_devices(1, message))
    return PERM_ERROR_DEVICE;
  frontier = (perm_gpu_frontier *)calloc(1, sizeof *frontier);
  if (!frontier)
    return PERM_ERROR_MEMORY;
  frontier->programme = *programme;
  frontier->options = *options;
  frontier->message = message;
  frontier->at[0] = frontier->at[1] = permi_step_places(programme, NULL);
  if (!permi_context(0, message) || !permi_frontier_enter(frontier)) {
    free(frontier);
    return PERM_ERROR_DEVICE;
  }
  fine = permi_frontier_open(frontier);
  if (!fine)
    permi_frontier_release(frontier);
  permi_frontier_leave(fine);
  if (!fine) {
    free(frontier);
    return PERM_ERROR_DEVICE;
  }
  *made = frontier;
  return PERM_OK;
}

void perm_cuda_frontier_free(perm_gpu_frontier *frontier)
{
  if (!frontier)
    return;
  if (permi_cuda.driver.push(permi_cuda.context[frontier->device]) == CUDA_SUCCESS) {
    permi_frontier_release(frontier);
    permi_frontier_leave(1);
  }
  free(frontier);
}

/* The words of a step, and its ways, to the table of its target. */
static int permi_frontier_send(perm_gpu_frontier *frontier, int turn, const perm_gpu_words *words,
                               const perm_gpu_way *way, int ways)
{
  const perm_gpu_programme *programme = &frontier->programme;
  const permi_step_table *at = &frontier->at[turn];
  const size_t low = (size_t)1 << programme->low;
  const double most = DBL_MAX;
  char *host = frontier->host[turn];
  size_t middles, row;
  int k;
  if (frontier->steps >= 2 && !PERMI_CALL(wait, (frontier->sent[turn]), frontier->device, frontier->message))
    return 0;
  frontier->at[turn] = permi_step_places(programme, words);
  for (k = 0; k < ways; k++) {
    permi_gpu_way *to = (permi_gpu_way *)(void *)(host + at->way) + k;
    to->test = way[k].test;
    to->want = way[k].want;
    to->keep = way[k].keep;
    to->flip = way[k].flip;
    to->low_test = way[k].low_test;
    to->low_want = way[k].low_want;
    to->low_keep = way[k].low_keep;
    to->low_flip = way[k].low_flip;
    to->low_ones = way[k].low_ones;
    to->place = way[k].moves ? k << programme->low : -1;
    to->c[0].real = way[k].real;
    to->c[1].real = way[k].imaginary;
    if (frontier->module->key.product == PERM_GPU_INTEGER) {
      to->c[0].integer = (unsigned long long)way[k].integer[0];
      to->c[1].integer = (unsigned long long)way[k].integer[1];
    }
  }
  middles = at->bytes - at->left;
  memcpy(host + at->top_offset, words->top_offset, at->middle_offset - at->top_offset);
  for (row = 0; row << at->shift < (at->sizes - at->middle_offset) / 8; row++)
    memcpy(host + at->middle_offset + (8 * row << at->shift), words->middle_offset + (row << programme->middle),
           (size_t)8 << at->shift);
  memcpy(host + at->sizes, &most, 8);
  memset(host + at->sizes + 8, 0, 8);
  memcpy(host + at->start, words->start, 4 * (size_t)(words->low + 2));
  memcpy(host + at->middle_start, words->middle_start, 4 * (size_t)(programme->top + 2));
  memcpy(host + at->top, words->top, 2 * (size_t)words->tops);
  memcpy(host + at->middle, words->middle, 2 * middles);
  memcpy(host + at->left, words->left, middles);
  memcpy(host + at->word, words->word, 2 * low);
  memcpy(host + at->rank, words->rank, 2 * low);
  return PERMI_CALL(send, (frontier->table[turn], host, at->bytes, frontier->stream), frontier->device,
                    frontier->message) &&
         PERMI_CALL(record, (frontier->sent[turn], frontier->stream), frontier->device, frontier->message);
}

static int permi_frontier_wait(perm_gpu_frontier *frontier)
{
  return PERMI_CALL(record, (frontier->done, frontier->stream), frontier->device, frontier->message) &&
         PERMI_CALL(wait, (frontier->done), frontier->device, frontier->message);
}

static int permi_frontier_stops(void *context)
{
  perm_gpu_frontier *frontier = (perm_gpu_frontier *)context;
  frontier->stopped = frontier->programme.poll(frontier->programme.context);
  return frontier->stopped != PERM_OK;
}

perm_status perm_cuda_frontier_begin(perm_gpu_frontier *frontier, perm_gpu_cell cell, int words, int parts,
                                     const perm_gpu_words *source)
{
  uint64_t one[PERM_INTEGER_WORDS];
  const double real = 1;
  const permi_kernel_key key = permi_step_key(cell, words, parts, frontier->programme.lists, frontier->device);
  int fine;
  frontier->planes = permi_step_planes(&key);
  frontier->steps = 0;
  if (frontier->planes > frontier->programme.words || frontier->planes > PERM_INTEGER_WORDS) {
    snprintf(frontier->message, PERM_MESSAGE_BYTES, "GPU %d: values of %d words", frontier->device, frontier->planes);
    return PERM_ERROR_DEVICE;
  }
  memset(one, 0, sizeof one);
  one[0] = 1;
  if (cell != PERM_GPU_INTEGER)
    memcpy(one, &real, sizeof real);
  if (!permi_frontier_enter(frontier))
    return PERM_ERROR_DEVICE;
  frontier->module = permi_module(key, permi_step_source(&key), 0, frontier->options.gpu.cache, permi_frontier_stops,
                                  frontier, frontier->message);
  fine = frontier->module && permi_frontier_wait(frontier) && /* a pass before this one */
         PERMI_CALL(upload, (frontier->values[0], one, 8 * (size_t)frontier->planes), frontier->device,
                    frontier->message) &&
         (frontier->programme.lists ||
          (permi_frontier_send(frontier, 0, source, NULL, 0) && permi_frontier_wait(frontier)));
  if (fine && frontier->programme.lists) {
    const uint64_t none = 0;
    fine = PERMI_CALL(upload, (frontier->key[0], &none, 8), frontier->device, frontier->message);
    frontier->states = 1;
  }
  fine = fine && PERMI_CALL(synchronise, (), frontier->device, frontier->message); /* our stream waits for no upload */
  frontier->source_low = source->low;
  frontier->began = permi_clock();
  if (!frontier->module && frontier->stopped != PERM_OK) {
    permi_frontier_leave(1);
    return frontier->stopped;
  }
  return permi_frontier_leave(fine);
}

perm_status perm_cuda_frontier_step(perm_gpu_frontier *frontier, const perm_gpu_words *target, const perm_gpu_way *way,
                                    int ways, double *sizes)
{
  const perm_gpu_programme *programme = &frontier->programme;
  const int from = frontier->steps & 1, to = !from, device = frontier->device;
  const permi_step_table *at = &frontier->at[to], *from_at = &frontier->at[from];
  const CUdeviceptr source = frontier->table[from], table = frontier->table[to];
  const unsigned shared = (unsigned)((size_t)ways * (sizeof(permi_route) +
                                                     PERMI_STEP_THREADS / 32 * sizeof(permi_origin)));
  char *message = frontier->message;
  permi_step_arguments a;
  void *parameters[1] = {&a};
  int k, most = 1, moves = 0, fine;
  if (ways > programme->ways || ways < 1)
    return PERM_ERROR_DEVICE;
  memset(&a, 0, sizeof a);
  for (k = 0; k <= programme->top; k++) {
    const int middles = target->middle_start[k + 1] - target->middle_start[k];
    most = middles > most ? middles : most;
  }
  for (k = 0; k < ways; k++)
    moves |= way[k].moves;
  if (!permi_frontier_enter(frontier))
    return PERM_ERROR_DEVICE;
  fine = permi_frontier_send(frontier, to, target, way, ways);
#define PERMI_AT(type, table, place) (type *)(uintptr_t)((table) + (place))
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
  a.sizes = sizes ? PERMI_AT(unsigned long long, table, at->sizes) : NULL;
#undef PERMI_AT
  a.ways = ways;
  a.bits = programme->middle;
  a.from_shift = from_at->shift;
  a.to_shift = at->shift;
  a.low = frontier->source_low;
  a.words = target->start[target->low + 1];
  a.span = (double)target->tops * most <= 65536 ? PERMI_STEP_THREADS / 32 : PERMI_STEP_THREADS / 4;
  a.spans = (most + a.span - 1) / a.span;
  if (fine && moves)
    fine = PERMI_CALL(launch, (frontier->module->function[PERMI_PLACES], (unsigned)ways, 1, 1, PERMI_STEP_THREADS, 1, 1,
                               0, frontier->stream, parameters, NULL), device, message);
  fine = fine && PERMI_CALL(launch, (frontier->module->function[PERMI_STEP], (unsigned)(target->tops * a.spans), 1, 1,
                                     PERMI_STEP_THREADS, 1, 1, shared, frontier->stream, parameters, NULL), device,
                            message);
  if (fine && sizes) {
    char *host = frontier->host[to] + at->sizes;
    fine = PERMI_CALL(download, (host, table + at->sizes, 16, frontier->stream), device, message) &&
           permi_frontier_wait(frontier);
    memcpy(sizes, host, 16);
  }
  frontier->steps++;
  frontier->source_low = target->low;
  return permi_frontier_leave(fine);
}

/* Room for more, what is there is lost. */
static int permi_frontier_room(perm_gpu_frontier *frontier, CUdeviceptr *room, size_t bytes)
{
  if (*room)
    permi_cuda.driver.release(*room);
  *room = 0;
  return PERMI_CALL(allocate, (room, bytes), frontier->device, frontier->message);
}

static int permi_list_launch(perm_gpu_frontier *frontier, int function, uint64_t blocks, permi_list_arguments *a)
{
  void *parameters[1] = {a};
  if (blocks > 0x7fffffff) {
    snprintf(frontier->message, PERM_MESSAGE_BYTES, "GPU %d: too many transitions", frontier->device);
    return 0;
  }
  return PERMI_CALL(launch, (frontier->module->function[function], (unsigned)blocks, 1, 1, PERMI_STEP_THREADS, 1, 1, 0,
                             frontier->stream, parameters, NULL), frontier->device, frontier->message);
}

/* Rows of tiles counted, and where each row starts, to `start`: rows + 1. */
static int permi_list_counts(perm_gpu_frontier *frontier, int function, permi_list_arguments *a, uint64_t elements,
                             int rows, uint64_t *start)
{
  const uint64_t tiles = (elements + 1023) / 1024, most = tiles * (uint64_t)rows;
  char *host = frontier->host[1];
  const size_t bytes = 8 * ((size_t)rows + 1);
  if (most > frontier->count_room) {
    if (!permi_frontier_wait(frontier) || !permi_frontier_room(frontier, &frontier->count, 8 * (size_t)(2 * most)))
      return 0;
    frontier->count_room = 2 * most;
  }
  a->count = (unsigned long long *)(uintptr_t)frontier->count;
  a->tiles = tiles;
  a->rows = rows;
  if (!permi_list_launch(frontier, function, most, a) || !permi_list_launch(frontier, PERMI_SCAN, 1, a) ||
      !PERMI_CALL(download, (host, (CUdeviceptr)(uintptr_t)a->start, bytes, frontier->stream), frontier->device,
                  frontier->message) ||
      !permi_frontier_wait(frontier))
    return 0;
  memcpy(start, host, bytes);
  return 1;
}

/* The streams' runs of items, two by two, until there is one; the last are in frontier->item[*turn]. */
static int permi_list_unite(perm_gpu_frontier *frontier, permi_list_arguments *a, uint64_t *start, int rows, int *turn)
{
  int r, kept;
  for (*turn = 0; rows > 1; rows = kept, *turn = !*turn)
    for (kept = r = 0; r < rows; r += 2, kept++) {
      a->item = (permi_item *)(uintptr_t)frontier->item[*turn];
      a->merged = (permi_item *)(uintptr_t)frontier->item[!*turn];
      a->begin = start[r];
      a->middle = start[r + 1];
      a->end = r + 1 < rows ? start[r + 2] : start[r + 1];
      start[kept] = a->begin;
      start[kept + 1] = a->end;
      if (a->end > a->begin && !permi_list_launch(frontier, PERMI_MERGE, (a->end - a->begin + 2047) / 2048, a))
        return 0;
    }
  return 1;
}

perm_status perm_cuda_frontier_unite(perm_gpu_frontier *frontier, const perm_gpu_stream *stream, int streams,
                                     uint64_t *states, double *sizes)
{
  const int from = frontier->steps & 1, to = !from, device = frontier->device;
  const size_t bytes = (size_t)streams * sizeof(permi_gpu_stream);
  char *message = frontier->message, *host = frontier->host[0];
  const double most = DBL_MAX;
  permi_list_arguments a;
  uint64_t start[PERMI_GPU_STREAMS + 1], heads[2] = {0, 0}, items = 0;
  int k, fine, turn = 0;
  if (streams < 1 || streams > PERMI_GPU_STREAMS || streams > frontier->programme.ways)
    return PERM_ERROR_DEVICE;
  for (k = 0; k < streams; k++) {
    permi_gpu_stream *out = (permi_gpu_stream *)(void *)host + k;
    out->test = stream[k].test;
    out->want = stream[k].want;
    out->flip = stream[k].flip;
    out->c[0].real = stream[k].real;
    out->c[1].real = stream[k].imaginary;
    if (frontier->module->key.product == PERM_GPU_INTEGER) {
      out->c[0].integer = (unsigned long long)stream[k].integer[0];
      out->c[1].integer = (unsigned long long)stream[k].integer[1];
    }
  }
  memcpy(host + bytes, &most, 8);
  memset(host + bytes + 8, 0, 8);
  memset(&a, 0, sizeof a);
  a.key = (const unsigned long long *)(uintptr_t)frontier->key[from];
  a.value = (const void *)(uintptr_t)frontier->values[from];
  a.states = frontier->states;
  a.stream = (const permi_gpu_stream *)(uintptr_t)frontier->table[0];
  a.start = (unsigned long long *)(uintptr_t)frontier->table[1];
  a.sizes = sizes ? (unsigned long long *)(uintptr_t)(frontier->table[0] + bytes) : NULL;
  a.to_key = (unsigned long long *)(uintptr_t)frontier->key[to];
  a.to_value = (void *)(uintptr_t)frontier->values[to];
  if (!permi_frontier_enter(frontier))
    return PERM_ERROR_DEVICE;
  fine = PERMI_CALL(send, (frontier->table[0], host, bytes + 16, frontier->stream), device, message);
  if (fine && frontier->states) {
    fine = permi_list_counts(frontier, PERMI_COUNT, &a, frontier->states, streams, start);
    items = start[streams];
  }
  for (k = 0; k < 2 && fine && items > frontier->item_room; k++) {
    fine = permi_frontier_room(frontier, &frontier->item[k], 24 * (size_t)items); /* half as many more */
    if (k == 1)
      frontier->item_room = items + items / 2;
  }
  if (fine && items) {
    a.item = (permi_item *)(uintptr_t)frontier->item[0];
    fine = permi_list_launch(frontier, PERMI_EXPAND, a.tiles * (uint64_t)streams, &a) &&
           permi_list_unite(frontier, &a, start, streams, &turn);
    a.item = (permi_item *)(uintptr_t)frontier->item[turn];
    a.end = items;
    fine = fine && permi_list_counts(frontier, PERMI_HEADS, &a, items, 1, heads);
    a.to_states = heads[1];
    if (fine && (double)heads[1] > frontier->programme.states[to]) {
      snprintf(message, PERM_MESSAGE_BYTES, "GPU %d: more states than there can be: it is not to be trusted", device);
      fine = 0;
    }
    fine = fine && permi_list_launch(frontier, PERMI_SUM, a.tiles, &a);
  }
  if (fine && sizes) {
    fine = PERMI_CALL(download, (host + bytes, frontier->table[0] + bytes, 16, frontier->stream), device, message) &&
           permi_frontier_wait(frontier);
    memcpy(sizes, host + bytes, 16);
  }
  frontier->steps++;
  frontier->states = *states = heads[1];
  return permi_frontier_leave(fine);
}

perm_status perm_cuda_frontier_scale(perm_gpu_frontier *frontier, uint64_t states, double first, double second)
{
  CUdeviceptr values = frontier->values[frontier->steps & 1];
  unsigned long long count = states * (unsigned long long)frontier->planes;
  const unsigned long long blocks = (count + PERMI_STEP_THREADS - 1) / PERMI_STEP_THREADS;
  void *parameters[4] = {&values, &count, &first, &second};
  if (!blocks)
    return PERM_OK;
  if (!permi_frontier_enter(frontier))
    return PERM_ERROR_DEVICE;
  return permi_frontier_leave(PERMI_CALL(launch, (frontier->module->function[PERMI_SCALE],
                                                  (unsigned)(blocks < 16384 ? blocks : 16384), 1, 1, PERMI_STEP_THREADS,
                                                  1, 1, 0, frontier->stream, parameters, NULL), frontier->device,
                                         frontier->message));
}

perm_status perm_cuda_frontier_value(perm_gpu_frontier *frontier, void *value)
{
  const size_t bytes = 8 * (size_t)frontier->planes;
  char *host = frontier->host[frontier->steps & 1];
  int fine;
  if (!permi_frontier_enter(frontier))
    return PERM_ERROR_DEVICE;
  fine = permi_frontier_wait(frontier) && /* nothing reads the host's table any more */
         PERMI_CALL(download, (host, frontier->values[frontier->steps & 1], bytes, frontier->stream), frontier->device,
                    frontier->message) &&
         permi_frontier_wait(frontier);
  if (fine && frontier->programme.lists && !frontier->states)
    memset(value, 0, bytes); /* a list without states */
  else if (fine)
    memcpy(value, host, bytes);
#if defined(PERM_CUDA_BENCH)
  permi_frontier_seconds += permi_clock() - frontier->began;
#endif
  return permi_frontier_leave(fine);
}

#if defined(PERM_CUDA_TESTS)

#endif
