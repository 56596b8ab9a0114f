/* ================================================================================= >>trace_frontier
   Samples from the frontier's lists and arrays. */
#pragma once
#include "trace.h"
#include "../frontier/arrays_run.h"

/* What a run needs to begin before the first step of a segment. */
typedef struct permi_frontier_restart {
  permi_sizes sizes;
  permi_places places; /* of arrays: copies */
} permi_frontier_restart;

/* The states before each step. Values of arrays are ordered by the rank of their word in the step. */
typedef struct permi_frontier_kept {
  permi_list *list;
  uint64_t **value; /* arrays, or NULL */
  permi_frontier_restart *restart; /* of each segment */
  permi_pool *pool; /* of what is kept now */
  int every;        /* steps of a segment */
  int begin, end;   /* steps kept now; begin 0: the first one of every segment */
  uint64_t binomial[PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH + 1][PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH + 2];
} permi_frontier_kept;

static double permi_frontier_layer_bytes(const permi_frontier *frontier, int p)
{
  return frontier->states[p] * (frontier->arrays ? (double)permi_arrays_bytes_at(frontier, p)
                                                 : (double)permi_value_bytes(frontier) + PERMI_GROUP_BYTES);
}

static double permi_frontier_kept_bytes(const void *plan)
{
  const permi_frontier *frontier = (const permi_frontier *)plan;
  double bytes = 0;
  int p;
  for (p = 0; p < frontier->steps; p++)
    bytes += permi_frontier_layer_bytes(frontier, p);
  return bytes;
}

/* Chooses the steps of a segment, noted in the plan, so that first layers and a whole segment take the fewest bytes:
   about the root of the number of large steps. Patterns and places are small beside the layers. */
static double permi_frontier_short_bytes(void *plan)
{
  permi_frontier *frontier = (permi_frontier *)plan;
  double best = (double)INFINITY;
  int every, p;
  for (every = 2; every < 2 * frontier->steps; every += (every + 2) / 3) {
    double first = 0, segment = 0, most = 0;
    for (p = 0; p < frontier->steps; p++) {
      const double bytes = permi_frontier_layer_bytes(frontier, p);
      first += p % every ? 0 : bytes;
      segment = p % every ? segment + bytes : 0;
      most = fmax(most, segment);
    }
    if (first + most < best) {
      best = first + most;
      frontier->every = every;
    }
  }
  return best;
}

/* Returns 1 if the layer before step p is kept. */
static int permi_frontier_keeps(const permi_frontier_kept *kept, int p)
{
  return kept->begin ? p >= kept->begin && p < kept->end : p % kept->every == 0;
}

static int permi_list_keep(permi_pool *pool, const permi_list *from, size_t bytes, permi_list *to)
{
  const size_t groups = from->groups, patterns = (size_t)from->patterns.count, low = from->patterns.first[patterns];
  memset(to, 0, sizeof *to);
  to->words = from->words;
  to->groups = groups;
  to->states = from->states;
  to->high = (uint64_t *)permi_pool_copy(pool, from->high, groups * (size_t)from->words, sizeof *to->high);
  to->first = (size_t *)permi_pool_copy(pool, from->first, groups, sizeof *to->first);
  to->pattern = (int *)permi_pool_copy(pool, from->pattern, groups, sizeof *to->pattern);
  to->value = permi_pool_copy(pool, from->value, from->states, bytes);
  to->patterns.first = (size_t *)permi_pool_copy(pool, from->patterns.first, patterns + 1, sizeof(size_t));
  to->patterns.low = (uint16_t *)permi_pool_copy(pool, from->patterns.low, low, sizeof(uint16_t));
  to->patterns.bits =
      (uint64_t *)permi_pool_copy(pool, from->patterns.bits, patterns, PERMI_LOW_WORDS * sizeof(uint64_t));
  to->patterns.count = from->patterns.count;
  return !pool->failed;
}

/* Restores a kept list. 0: out of memory. */
static int permi_list_restore(const perm_allocator *allocator, const permi_list *from, size_t bytes, permi_list *to)
{
  int k;
  permi_patterns_clear(&to->patterns);
  to->groups = to->states = 0;
  for (k = 0; k < from->patterns.count; k++)
    if (permi_patterns_find(allocator, &to->patterns, from->patterns.bits + (size_t)k * PERMI_LOW_WORDS) != k)
      return 0;
  if (!permi_list_room(allocator, to, from->groups))
    return 0;
  memcpy(to->high, from->high, from->groups * (size_t)from->words * sizeof *to->high);
  memcpy(to->first, from->first, from->groups * sizeof *to->first);
  memcpy(to->pattern, from->pattern, from->groups * sizeof *to->pattern);
  memcpy(to->value, from->value, from->states * bytes);
  to->groups = from->groups;
  to->states = from->states;
  return 1;
}

/* Returns the value of a state; NULL: it is not reached. */
static const void *permi_list_find(const permi_list *list, const uint64_t *mask, size_t bytes)
{
  const unsigned low = (unsigned)mask[0] & (PERMI_LOW_STATES - 1);
  const int words = list->words;
  uint64_t key[PERMI_MASK_WORDS];
  size_t begin = 0, end = list->groups, first, last;
  int w;
  for (w = 0; w < words; w++)
    key[w] = mask[w] >> PERMI_LOW_BITS | (w + 1 < words ? mask[w + 1] << (64 - PERMI_LOW_BITS) : 0);
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (permi_key_compare(list->high + middle * (size_t)words, key, words) < 0)
      begin = middle + 1;
    else
      end = middle;
  }
  if (begin == list->groups || permi_key_compare(list->high + begin * (size_t)words, key, words) != 0)
    return NULL;
  first = list->patterns.first[list->pattern[begin]];
  last = list->patterns.first[list->pattern[begin] + 1];
  for (w = 0; first < last && list->patterns.low[first] < low; w++)
    first++;
  return first < last && list->patterns.low[first] == low
             ? (const char *)list->value + (list->first[begin] + (size_t)w) * bytes
             : NULL;
}

static const void *permi_array_find(const permi_frontier *frontier, const permi_frontier_kept *kept, int p,
                                    uint64_t mask)
{
  const permi_arrays *arrays = frontier->arrays;
  uint64_t word = mask ^ arrays->rows[p], occupied = arrays->occupied[p], rank = 0, bit;
  int place = 0, ones = 0;
  if (word & ~occupied || permi_count_ones(word) != frontier->ones[p])
    return NULL;
  for (; word; occupied ^= bit, place++) {
    bit = occupied & (0 - occupied);
    if (word & bit)
      rank += kept->binomial[place][++ones];
    word &= ~bit;
  }
  return kept->value[p] + rank * (permi_arrays_bytes_at(frontier, p) / 8);
}

/* Keeps the list before step p if wanted. */
static perm_status permi_lists_keep(permi_runner *runner, int p)
{
  const permi_run *run = (const permi_run *)runner;
  permi_frontier_kept *kept = (permi_frontier_kept *)runner->keeper;
  if (!permi_frontier_keeps(kept, p))
    return PERM_OK;
  if (!kept->begin)
    kept->restart[p / kept->every].sizes = runner->sizes;
  return permi_list_keep(kept->pool, &run->list[p & 1], permi_value_bytes(run->frontier), &kept->list[p])
             ? PERM_OK
             : PERM_ERROR_MEMORY;
}

/* Runs from step `from` (0, or where states were kept) to the states before step `to`. */
static perm_status permi_lists_record(permi_trace *trace, permi_control *control, int from, int to)
{
  const permi_frontier *frontier = (const permi_frontier *)trace->plan;
  permi_frontier_kept *kept = (permi_frontier_kept *)trace->kept;
  permi_run run;
  perm_status status;
  memset(&run, 0, sizeof run);
  run.base.keep = permi_lists_keep;
  run.base.keeper = kept;
  status = permi_run_open(frontier, control, 0, &run);
  if (status == PERM_OK && from) {
    run.base.sizes = kept->restart[from / kept->every].sizes;
    if (!permi_list_restore(run.base.pool.allocator, &kept->list[from], permi_value_bytes(frontier),
                            &run.list[from & 1]))
      status = PERM_ERROR_MEMORY;
  }
  if (status == PERM_OK)
    status = permi_runner_go(&run.base, from, to, permi_run_advance);
  if (status == PERM_OK && to < frontier->steps)
    status = permi_lists_keep(&run.base, to);
  else if (status == PERM_OK)
    permi_trace_lose(trace, &frontier->numbers, run.list[to & 1].states ? run.list[to & 1].value : NULL,
                     run.base.sizes.loss);
  trace->visited = kept->begin ? trace->visited : run.base.visited;
  permi_run_release(&run);
  return status;
}

/* Copies the layout of memory between two steps. 0: out of memory. */
static int permi_places_keep(permi_pool *pool, const permi_places *from, permi_places *to)
{
  const size_t tops = permi_places_tops(from->frontier);
  *to = *from;
  to->at[0] = (uint64_t *)permi_pool_copy(pool, from->at[0], 2 * tops, sizeof(uint64_t));
  to->gap = (permi_gap *)permi_pool_copy(pool, from->gap, (size_t)from->gaps, sizeof(permi_gap));
  return !pool->failed;
}

static void permi_places_restore(const permi_places *from, permi_places *to)
{
  const size_t tops = permi_places_tops(from->frontier);
  uint64_t *at = to->at[0];
  permi_gap *gap = to->gap;
  *to = *from;
  to->at[0] = at;
  to->at[1] = at + tops;
  to->gap = gap;
  memcpy(at, from->at[0], 2 * tops * sizeof *at);
  memcpy(gap, from->gap, (size_t)from->gaps * sizeof *gap);
}

/* Copies all values before step p to `values`, or back. */
static void permi_arrays_copy(permi_arrays_run *run, int p, char *values, int back)
{
  const permi_layout *layout = &run->layout[p & 1];
  int k;
  for (k = 0; k < layout->tops; k++) {
    char *here = permi_array_values(run, p, layout->top[k]);
    char *there = values + layout->top_offset[layout->top[k]] * run->bytes;
    memcpy(back ? here : there, back ? there : here, permi_layout_states(layout, layout->top[k]) * run->bytes);
  }
}

/* Keeps the values before step p if wanted. */
static perm_status permi_arrays_keep(permi_runner *runner, int p)
{
  permi_arrays_run *run = (permi_arrays_run *)runner;
  permi_frontier_kept *kept = (permi_frontier_kept *)runner->keeper;
  char *to;
  if (!permi_frontier_keeps(kept, p))
    return PERM_OK;
  to = (char *)permi_pool_get(kept->pool, run->layout[p & 1].states + 1, run->bytes);
  if (!to)
    return PERM_ERROR_MEMORY;
  kept->value[p] = (uint64_t *)(void *)to;
  permi_arrays_copy(run, p, to, 0);
  if (kept->begin)
    return PERM_OK;
  kept->restart[p / kept->every].sizes = runner->sizes;
  return kept->every == 1 || permi_places_keep(kept->pool, run->places, &kept->restart[p / kept->every].places)
             ? PERM_OK
             : PERM_ERROR_MEMORY;
}

/* As permi_lists_record. */
static perm_status permi_arrays_record(permi_trace *trace, permi_control *control, int from, int to)
{
  const permi_frontier *frontier = (const permi_frontier *)trace->plan;
  permi_frontier_kept *kept = (permi_frontier_kept *)trace->kept;
  permi_arrays_run run;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&run, 0, sizeof run);
  run.base.keep = permi_arrays_keep;
  run.base.keeper = kept;
  if (permi_arrays_measured(frontier, control) &&
      permi_arrays_open(&run, frontier, control, permi_arrays_seconds(frontier))) {
    if (kept->begin) {
      const permi_frontier_restart *restart = &kept->restart[from / kept->every];
      run.base.sizes = restart->sizes;
      permi_layout_fill(run.arrays, &run.layout[from & 1], run.arrays->occupied[from], frontier->ones[from]);
      permi_places_restore(&restart->places, run.places);
      permi_arrays_shorten(&run, from);
      permi_arrays_copy(&run, from, (char *)kept->value[from], 1);
      status = permi_runner_go(&run.base, from, to, permi_arrays_advance);
      if (status == PERM_OK)
        status = permi_arrays_keep(&run.base, to);
    } else {
      status = permi_arrays_pass(&run);
    }
  }
  if (status == PERM_OK && !kept->begin) {
    permi_trace_lose(trace, &frontier->numbers, permi_array_values(&run, frontier->steps, 0), run.base.sizes.loss);
    trace->visited = run.base.visited;
  }
  permi_pool_release(&run.base.pool);
  return status;
}

static perm_status permi_frontier_record(permi_trace *trace, permi_control *control)
{
  const permi_frontier *frontier = (const permi_frontier *)trace->plan;
  const size_t steps = (size_t)frontier->steps;
  permi_frontier_kept *kept = (permi_frontier_kept *)permi_pool_get(&trace->pool, 1, sizeof *kept);
  int t, k;
  trace->kept = kept;
  permi_trace_ways(trace, &frontier->numbers, (size_t)permi_frontier_streams_most(frontier));
  if (!kept)
    return PERM_ERROR_MEMORY;
  memset(kept, 0, sizeof *kept);
  kept->pool = &trace->pool;
  kept->every = frontier->every ? frontier->every : 1;
  trace->segments = frontier->every ? (frontier->steps + kept->every - 1) / kept->every : 0;
  kept->restart =
      (permi_frontier_restart *)permi_pool_get(&trace->pool, steps / (size_t)kept->every + 1, sizeof *kept->restart);
  if (frontier->arrays)
    kept->value = (uint64_t **)permi_pool_get(&trace->pool, steps, sizeof *kept->value);
  else
    kept->list = (permi_list *)permi_pool_get(&trace->pool, steps, sizeof *kept->list);
  if (trace->pool.failed)
    return PERM_ERROR_MEMORY;
  if (!frontier->arrays)
    return permi_lists_record(trace, control, 0, frontier->steps);
  for (t = 0; t <= frontier->slot_count; t++)
    for (k = 0; k <= t + 1; k++)
      kept->binomial[t][k] = k == 0 ? 1 : k > t ? 0 : kept->binomial[t - 1][k - 1] + kept->binomial[t - 1][k];
  return permi_arrays_record(trace, control, 0, frontier->steps);
}

/* Computes the layers of a segment behind its first, which is kept. */
static perm_status permi_frontier_segment(permi_trace *trace, permi_control *control, int segment)
{
  const permi_frontier *frontier = (const permi_frontier *)trace->plan;
  permi_frontier_kept *kept = (permi_frontier_kept *)trace->kept;
  const int from = segment * kept->every, next = from + kept->every;
  kept->begin = from + 1;
  kept->end = next < frontier->steps ? next : frontier->steps;
  kept->pool = &trace->segment;
  if (kept->end == kept->begin)
    return PERM_OK;
  return frontier->arrays ? permi_arrays_record(trace, control, from, kept->end - 1)
                          : permi_lists_record(trace, control, from, kept->end - 1);
}

static void permi_frontier_draw(permi_draw *draw)
{
  const permi_frontier *frontier = (const permi_frontier *)draw->trace->plan;
  const permi_frontier_kept *kept = (const permi_frontier_kept *)draw->trace->kept;
  const permi_numbers *numbers = &frontier->numbers;
  const size_t bytes = permi_value_bytes(frontier), words = permi_numbers_words(numbers);
  const int parted = draw->trace->segments > 0, begin = parted ? draw->segment * kept->every : 0;
  const int end = parted && begin + kept->every < frontier->steps ? begin + kept->every : frontier->steps;
  uint64_t *mask = draw->at, from[PERMI_MASK_WORDS], longer[PERM_INTEGER_WORDS];
  int p, s, w;
  for (p = end - 1; p >= begin; p--) {
    const int first = frontier->stream_start[p], streams = frontier->stream_start[p + 1] - first;
    const size_t given = kept->value ? permi_arrays_bytes_at(frontier, p) / 8 : words;
    for (s = 0; s < streams; s++) {
      uint64_t differs = 0;
      const void *value;
      for (w = 0; w < frontier->mask_words; w++) {
        from[w] = mask[w] ^ permi_stream_word(frontier, first + s, 2, w);
        differs |= (from[w] & permi_stream_word(frontier, first + s, 0, w)) ^
                   permi_stream_word(frontier, first + s, 1, w);
      }
      value = differs       ? NULL
              : kept->value ? permi_array_find(frontier, kept, p, from[0])
                            : permi_list_find(&kept->list[p], from, bytes);
      if (value && given < words) { /* arrays keep early integers short */
        memset(longer, 0, bytes);
        memcpy(longer, value, 8 * given);
        value = longer;
      }
      permi_draw_weigh(draw, numbers, s, &frontier->coefficient[first + s], value, 0, 1);
    }
    s = permi_draw_way(draw, numbers, streams);
    if (s < 0)
      return;
    for (w = 0; w < frontier->mask_words; w++)
      mask[w] ^= permi_stream_word(frontier, first + s, 2, w);
    if (frontier->partner[first + s] >= 0)
      permi_draw_match(draw, frontier->sequence[p], frontier->partner[first + s]);
  }
}

static const permi_tracer permi_frontier_tracer = {permi_frontier_kept_bytes, permi_frontier_record,
                                                     permi_frontier_draw, permi_frontier_short_bytes,
                                                     permi_frontier_segment};
/* SPDX-License-Identifier: MIT */
