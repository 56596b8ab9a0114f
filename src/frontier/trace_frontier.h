/* ================================================================================= >>trace_frontier
   Samples from the frontier: lists, and arrays. */
#pragma once
#include "trace.h"
#include "arrays_run.h"

#if !defined(PERM_NO_EXTRAS)
/* The states before each step. Arrays: values by the rank of their word among those of the step, ascending. */
typedef struct permi_frontier_kept {
  permi_list *list;
  uint64_t **value; /* arrays, or NULL */
  uint64_t choose[PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH + 1][PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH + 2];
} permi_frontier_kept;

static double permi_frontier_kept_bytes(const void *plan)
{
  const permi_frontier *frontier = (const permi_frontier *)plan;
  double bytes = 0;
  int p;
  for (p = 0; p < frontier->steps; p++)
    bytes += frontier->states[p] * (frontier->arrays ? (double)permi_arrays_bytes_at(frontier, p)
                                                     : (double)permi_value_bytes(frontier) + PERMI_GROUP_BYTES);
  return bytes;
}

static int permi_list_keep(permi_trace *trace, const permi_list *from, size_t bytes, permi_list *to)
{
  const size_t groups = from->groups, patterns = (size_t)from->patterns.count, low = from->patterns.first[patterns];
  memset(to, 0, sizeof *to);
  to->words = from->words;
  to->groups = groups;
  to->states = from->states;
  to->high = (uint64_t *)permi_trace_copy(trace, from->high, groups * (size_t)from->words, sizeof *to->high);
  to->first = (size_t *)permi_trace_copy(trace, from->first, groups, sizeof *to->first);
  to->pattern = (int *)permi_trace_copy(trace, from->pattern, groups, sizeof *to->pattern);
  to->value = permi_trace_copy(trace, from->value, from->states, bytes);
  to->patterns.first = (size_t *)permi_trace_copy(trace, from->patterns.first, patterns + 1, sizeof(size_t));
  to->patterns.low = (uint16_t *)permi_trace_copy(trace, from->patterns.low, low, sizeof(uint16_t));
  return !trace->pool.failed;
}

/* The value of a state; NULL: it is not reached. */
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
      rank += kept->choose[place][++ones];
    word &= ~bit;
  }
  return kept->value[p] + rank * (permi_arrays_bytes_at(frontier, p) / 8);
}

static perm_status permi_lists_record(permi_trace *trace, permi_control *control)
{
  const permi_frontier *frontier = (const permi_frontier *)trace->plan;
  permi_frontier_kept *kept = (permi_frontier_kept *)trace->kept;
  const size_t bytes = permi_value_bytes(frontier);
  permi_run run;
  perm_status status = permi_run_open(frontier, control, permi_run_step, &run);
  int p;
  for (p = 0; p < frontier->steps && status == PERM_OK; p++)
    status = permi_list_keep(trace, &run.list[p & 1], bytes, &kept->list[p])
                 ? permi_run_advance(&run, p, permi_run_step)
                 : PERM_ERROR_MEMORY;
  if (status == PERM_OK)
    permi_trace_lose(trace, &frontier->numbers, run.list[p & 1].states ? run.list[p & 1].value : NULL, run.sizes.loss);
  trace->visited = run.visited;
  permi_run_release(&run);
  return status;
}

/* Keeps the values before step p. */
static perm_status permi_arrays_keep(permi_arrays_run *run, int p)
{
  permi_trace *trace = (permi_trace *)run->keeper;
  permi_frontier_kept *kept = (permi_frontier_kept *)trace->kept;
  const permi_layout *layout = &run->layout[p & 1];
  char *to = (char *)permi_pool_get(&trace->pool, layout->states + 1, run->bytes);
  int k;
  if (!to)
    return PERM_ERROR_MEMORY;
  kept->value[p] = (uint64_t *)(void *)to;
  for (k = 0; k < layout->tops; k++)
    memcpy(to + layout->top_offset[layout->top[k]] * run->bytes, permi_array_values(run, p, layout->top[k]),
           permi_layout_states(layout, layout->top[k]) * run->bytes);
  return PERM_OK;
}

static perm_status permi_arrays_record(permi_trace *trace, permi_control *control)
{
  const permi_frontier *frontier = (const permi_frontier *)trace->plan;
  permi_frontier_kept *kept = (permi_frontier_kept *)trace->kept;
  permi_pool pool = {trace->pool.allocator, NULL, 0};
  permi_arrays_run run;
  permi_places places;
  perm_status status = PERM_ERROR_MEMORY;
  int t, k;
  for (t = 0; t <= frontier->slots; t++)
    for (k = 0; k <= t + 1; k++)
      kept->choose[t][k] = k == 0 ? 1 : k > t ? 0 : kept->choose[t - 1][k - 1] + kept->choose[t - 1][k];
  memset(&run, 0, sizeof run);
  run.frontier = frontier;
  run.arrays = frontier->arrays;
  run.control = control;
  run.keep = permi_arrays_keep;
  run.keeper = trace;
  if (permi_arrays_measured(frontier, control) &&
      permi_arrays_open(&run, &places, &pool, permi_arrays_seconds(frontier)))
    status = permi_arrays_pass(&run);
  if (status == PERM_OK)
    permi_trace_lose(trace, &frontier->numbers, permi_array_values(&run, frontier->steps, 0), run.sizes.loss);
  trace->visited = run.visited;
  permi_pool_release(&pool);
  return status;
}

static perm_status permi_frontier_record(permi_trace *trace, permi_control *control)
{
  const permi_frontier *frontier = (const permi_frontier *)trace->plan;
  permi_frontier_kept *kept = (permi_frontier_kept *)permi_pool_get(&trace->pool, 1, sizeof *kept);
  trace->kept = kept;
  permi_trace_ways(trace, &frontier->numbers, (size_t)permi_frontier_streams_most(frontier));
  if (!kept)
    return PERM_ERROR_MEMORY;
  kept->list = NULL;
  kept->value = NULL;
  if (frontier->arrays)
    kept->value = (uint64_t **)permi_pool_get(&trace->pool, (size_t)frontier->steps, sizeof *kept->value);
  else
    kept->list = (permi_list *)permi_pool_get(&trace->pool, (size_t)frontier->steps, sizeof *kept->list);
  if (trace->pool.failed)
    return PERM_ERROR_MEMORY;
  return frontier->arrays ? permi_arrays_record(trace, control) : permi_lists_record(trace, control);
}

static void permi_frontier_draw(permi_draw *draw)
{
  const permi_frontier *frontier = (const permi_frontier *)draw->trace->plan;
  const permi_frontier_kept *kept = (const permi_frontier_kept *)draw->trace->kept;
  const permi_numbers *numbers = &frontier->numbers;
  const size_t bytes = permi_value_bytes(frontier), words = permi_numbers_words(numbers);
  uint64_t mask[PERMI_MASK_WORDS] = {0}, from[PERMI_MASK_WORDS], longer[PERM_INTEGER_WORDS];
  int p, s, w;
  for (p = frontier->steps - 1; p >= 0; p--) {
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
                                                     permi_frontier_draw};
#endif
