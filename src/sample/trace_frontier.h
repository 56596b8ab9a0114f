/* ================================================================================= >>trace_frontier
   Samples from the frontier's lists and arrays. */
#pragma once
#include "trace.h"
#include "../frontier/arrays_run.h"

/* The states before each step, for derivatives those of each `every`-th, the last, and now and then others (within) in
   a pool of their own. Values of arrays are ordered by their words' index. */
typedef struct permi_frontier_kept {
  permi_pool *pool;
  int every, within;
  permi_sizes *sizes;
  permi_list *list;
  uint64_t **value; /* arrays, or NULL */
  uint64_t words[PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH + 1][PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH + 1];
} permi_frontier_kept;

/* Returns how many words of t bits have `least` to `most` ones; kept->words[t]: at most so many. */
static uint64_t permi_kept_words(const permi_frontier_kept *kept, int t, int least, int most)
{
  const uint64_t *words = kept->words[t];
  if (most < least || most < 0)
    return 0;
  return words[most < t ? most : t] - (least < 1 ? 0 : words[least - 1 < t ? least - 1 : t]);
}

static double permi_frontier_kept_bytes(const void *plan)
{
  const permi_frontier *frontier = (const permi_frontier *)plan;
  double bytes = 0;
  for (int p = 0; p < frontier->steps; p++)
    bytes += frontier->states[p] * (frontier->arrays ? (double)permi_arrays_bytes_at(frontier, p)
                                                     : (double)permi_value_bytes(frontier) + PERMI_GROUP_BYTES);
  return bytes;
}

static int permi_kept_skips(const permi_frontier_kept *kept, int p, int steps)
{
  return kept->within == (p % kept->every == 0 || p == steps);
}

static perm_status permi_lists_keep(permi_runner *runner, int p)
{
  const permi_run *run = (const permi_run *)runner;
  permi_frontier_kept *kept = (permi_frontier_kept *)((permi_trace *)runner->keeper)->kept;
  permi_pool *pool = kept->pool;
  const permi_list *from = &run->list[p & 1];
  permi_list *to = &kept->list[p];
  const size_t groups = from->groups, patterns = (size_t)from->patterns.count, low = from->patterns.first[patterns];
  if (permi_kept_skips(kept, p, run->frontier->steps))
    return PERM_OK;
  kept->sizes[p] = runner->sizes;
  *to = *from;
  to->high = (uint64_t *)permi_pool_kept(pool, from->high, groups * (size_t)from->words, sizeof *to->high);
  to->first = (size_t *)permi_pool_kept(pool, from->first, groups, sizeof *to->first);
  to->pattern = (int *)permi_pool_kept(pool, from->pattern, groups, sizeof *to->pattern);
  to->value = permi_pool_kept(pool, from->value, from->states, permi_value_bytes(run->frontier));
  to->patterns.first = (size_t *)permi_pool_kept(pool, from->patterns.first, patterns + 1, sizeof(size_t));
  to->patterns.low = (uint16_t *)permi_pool_kept(pool, from->patterns.low, low, sizeof(uint16_t));
  to->patterns.bits =
      (uint64_t *)permi_pool_kept(pool, from->patterns.bits, patterns, PERMI_LOW_WORDS * sizeof(uint64_t));
  return pool->failed ? PERM_ERROR_MEMORY : PERM_OK;
}

/* NULL: not reached. */
static const void *permi_list_find(const permi_list *list, const uint64_t *mask, size_t bytes)
{
  const unsigned low = (unsigned)mask[0] & (PERMI_LOW_STATES - 1);
  const int words = list->words;
  uint64_t key[PERMI_MASK_WORDS];
  int w;
  for (w = 0; w < words; w++)
    key[w] = mask[w] >> PERMI_LOW_BITS | (w + 1 < words ? mask[w + 1] << (64 - PERMI_LOW_BITS) : 0);
  const size_t begin = permi_list_seek(list, key, 0);
  if (begin == list->groups || permi_key_compare(list->high + begin * (size_t)words, key, words) != 0)
    return NULL;
  size_t first = list->patterns.first[list->pattern[begin]];
  const size_t last = list->patterns.first[list->pattern[begin] + 1];
  for (w = 0; first < last && list->patterns.low[first] < low; w++)
    first++;
  return first < last && list->patterns.low[first] == low
             ? (const char *)list->value + (list->first[begin] + (size_t)w) * bytes : NULL;
}

static const void *permi_array_find(const permi_frontier *frontier, const permi_frontier_kept *kept, int p,
                                    uint64_t mask)
{
  const permi_arrays *arrays = frontier->arrays;
  const uint64_t occupied = arrays->occupied[p], low = (UINT64_C(1) << arrays->low) - 1;
  uint64_t word = mask ^ arrays->rows[p], rank;
  const int ones = permi_count_ones(word), below = permi_count_ones(word & low);
  const int least = frontier->ones[p] - ones, most = frontier->most[p] - ones;
  if (word & ~occupied || least > 0 || most < 0)
    return NULL;
  rank = permi_kept_words(kept, permi_count_ones(occupied & low), below + least, below - 1);
  for (int seen = 1; word; word &= word - 1, seen++) {
    const uint64_t smaller = (word & (0 - word)) - 1;
    const int high = smaller >= low;
    rank += permi_kept_words(kept, permi_count_ones(occupied & smaller), seen + high * least, seen + high * most);
  }
  return kept->value[p] + rank * (permi_arrays_bytes_at(frontier, p) / 8);
}

static perm_status permi_lists_resume(permi_run *run, const permi_list *from, int p)
{
  const perm_allocator *allocator = &run->base.locked;
  permi_list *to = &run->list[p & 1];
  int k, complete = permi_list_room(allocator, to, from->groups);
  permi_patterns_clear(&to->patterns);
  for (k = 0; k < from->patterns.count && complete; k++)
    complete = permi_patterns_find(allocator, &to->patterns, from->patterns.bits + k * PERMI_LOW_WORDS) >= 0;
  if (!complete)
    return PERM_ERROR_MEMORY;
  memcpy(to->high, from->high, from->groups * (size_t)from->words * sizeof *to->high);
  memcpy(to->first, from->first, from->groups * sizeof *to->first);
  memcpy(to->pattern, from->pattern, from->groups * sizeof *to->pattern);
  memcpy(to->value, from->value, from->states * permi_value_bytes(run->frontier));
  to->groups = from->groups;
  to->states = from->states;
  return PERM_OK;
}

/* All layers, or from a kept one, `begin`, to `end`. */
static perm_status permi_lists_layers(permi_trace *trace, permi_control *control, const permi_frontier *frontier,
                                      int begin, int end)
{
  const permi_frontier_kept *kept = (const permi_frontier_kept *)trace->kept;
  permi_run run;
  const permi_list *last = &run.list[frontier->steps & 1];
  memset(&run, 0, sizeof run);
  run.base.keep = permi_lists_keep;
  run.base.keeper = trace;
  perm_status status = permi_run_open(frontier, control, permi_run_step, &run);
  if (status == PERM_OK && kept->within) {
    status = permi_lists_resume(&run, &kept->list[begin], begin);
    run.base.sizes = kept->sizes[begin];
  }
  if (status == PERM_OK)
    status = permi_runner_go(&run.base, begin, end, permi_run_advance);
  if (status == PERM_OK && trace->derived)
    status = permi_lists_keep(&run.base, end);
  if (status == PERM_OK && end == frontier->steps) {
    permi_trace_lose(trace, &frontier->numbers, last->states ? last->value : NULL, run.base.sizes.loss);
    trace->visited = run.base.visited;
  }
  permi_run_release(&run);
  return status;
}

static perm_status permi_arrays_keep(permi_runner *runner, int p)
{
  permi_arrays_run *run = (permi_arrays_run *)runner;
  permi_frontier_kept *kept = (permi_frontier_kept *)((permi_trace *)runner->keeper)->kept;
  const permi_layout *layout = &run->layout[p & 1];
  if (permi_kept_skips(kept, p, run->frontier->steps))
    return PERM_OK;
  char *to = (char *)permi_pool_get(kept->pool, layout->states + 1, run->bytes);
  if (!to)
    return PERM_ERROR_MEMORY;
  kept->value[p] = (uint64_t *)(void *)to;
  kept->sizes[p] = runner->sizes;
  for (int k = 0; k < layout->tops; k++)
    memcpy(to + layout->top_offset[layout->top[k]] * run->bytes, permi_array_values(run, p, layout->top[k]),
           permi_layout_states(layout, layout->top[k]) * run->bytes);
  return PERM_OK;
}

static perm_status permi_arrays_resume(permi_arrays_run *run, int begin, int end)
{
  const permi_frontier *frontier = run->frontier;
  const permi_frontier_kept *kept = (const permi_frontier_kept *)((permi_trace *)run->base.keeper)->kept;
  const char *from = (const char *)kept->value[begin];
  permi_layout *layout = &run->layout[begin & 1];
  run->base.sizes = kept->sizes[begin];
  permi_layout_fill(run->arrays, layout, run->arrays->occupied[begin], frontier->ones[begin], frontier->most[begin]);
  permi_places_start(run->places);
  for (int p = 0; p < begin; p++)
    for (permi_places_step(run->places, p); !run->places->done; permi_places_turned(run->places, (p + 1) & 1))
      permi_places_turn(run->places, (p + 1) & 1, run->top);
  permi_arrays_shorten(run, begin);
  for (int k = 0; k < layout->tops; k++)
    memcpy(permi_array_values(run, begin, layout->top[k]), from + layout->top_offset[layout->top[k]] * run->bytes,
           permi_layout_states(layout, layout->top[k]) * run->bytes);
  return permi_runner_go(&run->base, begin, end, permi_arrays_advance);
}

static perm_status permi_frontier_layers(permi_trace *trace, permi_control *control, const permi_frontier *frontier,
                                         int absolute, int begin, int end)
{
  permi_arrays_run run;
  perm_status status = PERM_ERROR_MEMORY;
  if (!frontier->arrays)
    return permi_lists_layers(trace, control, frontier, begin, end);
  memset(&run, 0, sizeof run);
  run.base.keep = permi_arrays_keep;
  run.base.keeper = trace;
  if (permi_arrays_measured(frontier, control) &&
      permi_arrays_open(&run, frontier, control, permi_arrays_seconds(frontier))) {
    permi_arrays_aim(&run, absolute);
    status = end < frontier->steps ? permi_arrays_resume(&run, begin, end) : permi_arrays_pass(&run);
  }
  if (status == PERM_OK && trace->derived)
    status = permi_arrays_keep(&run.base, end);
  if (status == PERM_OK && end == frontier->steps) {
    permi_trace_lose(trace, &frontier->numbers, permi_arrays_last(&run), run.base.sizes.loss);
    trace->visited += run.base.visited;
  }
  permi_pool_release(&run.base.pool);
  return status;
}

static perm_status permi_frontier_keep(permi_trace *trace, permi_control *control, const permi_frontier *frontier,
                                       int absolute, int every)
{
  const size_t steps = (size_t)frontier->steps + 1;
  permi_frontier_kept *kept = (permi_frontier_kept *)permi_pool_zeros(&trace->pool, 1, sizeof *kept);
  trace->kept = kept;
  permi_trace_ways(trace, &frontier->numbers, (size_t)permi_frontier_streams_most(frontier));
  trace->room = PERMI_SAMPLE_PART * (size_t)frontier->mask_words * sizeof(uint64_t);
  trace->steps = (uint64_t)frontier->steps;
  if (kept) {
    kept->pool = &trace->pool;
    kept->every = every;
    kept->sizes = (permi_sizes *)permi_pool_get(&trace->pool, steps, sizeof *kept->sizes);
  }
  if (kept && frontier->arrays)
    kept->value = (uint64_t **)permi_pool_get(&trace->pool, steps, sizeof *kept->value);
  else if (kept)
    kept->list = (permi_list *)permi_pool_get(&trace->pool, steps, sizeof *kept->list);
  if (trace->pool.failed)
    return PERM_ERROR_MEMORY;
  for (int t = 0; t <= frontier->slot_count && frontier->arrays; t++)
    for (int k = 0; k <= t; k++)
      kept->words[t][k] = k == t ? UINT64_C(1) << t : k == 0 ? 1 : kept->words[t - 1][k - 1] + kept->words[t - 1][k];
  return permi_frontier_layers(trace, control, frontier, absolute, 0, frontier->steps);
}

static perm_status permi_frontier_record(permi_trace *trace, permi_control *control)
{
  return permi_frontier_keep(trace, control, (const permi_frontier *)trace->plan, 0, 1);
}

static void permi_frontier_ways(permi_draw *draw, int p, int part, const void *state)
{
  const permi_frontier *frontier = (const permi_frontier *)draw->trace->plan;
  const uint64_t *mask = (const uint64_t *)state;
  const permi_frontier_kept *kept = (const permi_frontier_kept *)draw->trace->kept;
  const size_t words = draw->trace->size, bytes = 8 * words;
  const int first = frontier->stream_start[p], streams = frontier->stream_start[p + 1] - first;
  const size_t given = kept->value ? permi_arrays_bytes_at(frontier, p) / 8 : words;
  uint64_t from[PERMI_MASK_WORDS], longer[PERM_INTEGER_WORDS];
  (void)part;
  for (int s = 0; s < streams; s++) {
    uint64_t differs = 0;
    for (int w = 0; w < frontier->mask_words; w++) {
      from[w] = mask[w] ^ permi_stream_word(frontier, first + s, 2, w);
      differs |= (from[w] & permi_stream_word(frontier, first + s, 0, w)) ^
                 permi_stream_word(frontier, first + s, 1, w);
    }
    const void *value = differs       ? NULL
                        : kept->value ? permi_array_find(frontier, kept, p, from[0])
                                      : permi_list_find(&kept->list[p], from, bytes);
    if (value && given < words) { /* arrays keep early integers short */
      memset(longer, 0, bytes);
      memcpy(longer, value, 8 * given);
      value = longer;
    }
    permi_draw_weigh(draw, &frontier->coefficient[first + s], NULL, value, (uint64_t)s);
  }
}

static void permi_frontier_draw(permi_draw *draw)
{
  const permi_frontier *frontier = (const permi_frontier *)draw->trace->plan;
  const int words = frontier->mask_words;
  uint64_t *mask = (uint64_t *)(void *)draw->room;
  memset(mask, 0, draw->trace->room);
  for (int p = frontier->steps - 1; p >= 0; p--)
    for (int k = 0; k < draw->count; k++) {
      uint64_t *at = mask + k * words;
      const uint64_t state = permi_draw_state(draw, p, words == 1 ? *at : UINT64_MAX);
      const int s = frontier->stream_start[p] + (int)permi_draw_way(draw, k, state, p, 0, at);
      for (int w = 0; w < words; w++)
        at[w] ^= permi_stream_word(frontier, s, 2, w);
      if (frontier->partner[s] >= 0)
        permi_draw_match(draw, k, frontier->sequence[p], frontier->partner[s]);
    }
}

static const permi_tracer permi_frontier_tracer = {permi_frontier_kept_bytes, permi_frontier_record,
                                                   permi_frontier_draw, permi_frontier_ways};
/* SPDX-License-Identifier: MIT */
