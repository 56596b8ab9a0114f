/* ===================================================================================== >>trace_band
   Samples from a band. */
#pragma once
#include "trace.h"
#include "../band/band_order.h"

/* The states before a row: how many columns each slot of the window has used. */
typedef struct permi_band_level {
  int slot_count, used, opened;
  int *window;     /* groups */
  double *vectors; /* [p (used + 1) + r]: ways to use r in the slots below p; shared by equal windows */
  char *value;
  int64_t *exp2; /* or NULL */
} permi_band_level;

static double permi_band_kept_bytes(const void *plan)
{
  const permi_band *band = (const permi_band *)plan;
  return (double)band->n * (band->most * 8 * ((double)permi_numbers_words(&band->numbers) + 1) + 16 * band->width + 64);
}

/* Counts the vectors of a window, if it differs from the last one. 0: out of memory. */
static int permi_band_vectors(permi_trace *trace, const permi_band *band, permi_band_level *level,
                              const permi_band_level *before)
{
  const size_t size = (size_t)level->used + 1, slot_count = (size_t)level->slot_count;
  size_t p, r, k;
  int same = before && before->slot_count == level->slot_count && before->used == level->used;
  for (p = 0; same && p < slot_count; p++)
    same = band->capacity[before->window[p]] == band->capacity[level->window[p]];
  if (same) {
    level->vectors = before->vectors;
    return 1;
  }
  level->vectors = (double *)permi_pool_get(&trace->pool, (slot_count + 1) * size, sizeof(double));
  if (!level->vectors)
    return 0;
  for (r = 0; r < size; r++)
    level->vectors[r] = r == 0;
  for (p = 0; p < slot_count; p++)
    for (r = 0; r < size; r++) {
      double *at = &level->vectors[(p + 1) * size + r];
      for (*at = 0, k = 0; k <= r && k <= (size_t)band->capacity[level->window[p]]; k++)
        *at += level->vectors[p * size + r - k];
    }
  return 1;
}

static perm_status permi_band_keep(permi_runner *run, int row)
{
  const permi_band_state *state = (const permi_band_state *)run;
  permi_trace *trace = (permi_trace *)run->keeper;
  permi_band_level *level = (permi_band_level *)trace->kept + row;
  level->slot_count = state->slot_count;
  level->used = state->used;
  level->opened = state->opened;
  level->window = (int *)permi_pool_copy(&trace->pool, state->window[row & 1], (size_t)state->slot_count, sizeof(int));
  level->value = (char *)permi_pool_copy(&trace->pool, state->from, state->states, 8 * state->words);
  level->exp2 = state->from_exp2
                    ? (int64_t *)permi_pool_copy(&trace->pool, state->from_exp2, state->states, sizeof(int64_t)) : NULL;
  return !trace->pool.failed && permi_band_vectors(trace, state->band, level, row ? level - 1 : NULL)
             ? PERM_OK
             : PERM_ERROR_MEMORY;
}

static perm_status permi_band_record(permi_trace *trace, permi_control *control)
{
  const permi_band *band = (const permi_band *)trace->plan;
  permi_band_state state;
  perm_partial partial;
  perm_status status;
  size_t ways = 1;
  int i;
  memset(&state, 0, sizeof state);
  memset(&partial, 0, sizeof partial);
  state.base.keep = permi_band_keep;
  state.base.keeper = trace;
  trace->kept = permi_pool_get(&trace->pool, (size_t)band->n, sizeof(permi_band_level));
  trace->room = 2 * (size_t)band->n * sizeof(int);
  for (i = 0; i < band->n; i++) {
    const size_t entries = (size_t)(band->entry_start[i + 1] - band->entry_start[i]);
    ways = entries > ways ? entries : ways;
  }
  permi_trace_ways(trace, &band->numbers, ways);
  status = trace->pool.failed ? PERM_ERROR_MEMORY : permi_band_rows(band, control, &state, &partial);
  trace->visited = state.base.visited;
  return status;
}

/* Returns the state from which an entry of group `chosen` leads to `count`, the used columns of each group. SIZE_MAX:
   none, as a group opened by the row would be used otherwise. */
static size_t permi_band_source(const permi_band *band, const permi_band_level *level, int row, const int *count,
                                int chosen)
{
  const size_t size = (size_t)level->used + 1;
  size_t state = 0;
  int g, p, v, left = level->used;
  for (g = level->opened; g < band->groups && band->first[g] == row; g++)
    if (count[g] != (g == chosen))
      return SIZE_MAX;
  for (p = level->slot_count - 1; p >= 0; p--) {
    const int mine = count[level->window[p]] - (level->window[p] == chosen);
    if (mine < 0 || mine > left)
      return SIZE_MAX;
    for (v = 0; v < mine; v++)
      state += (size_t)level->vectors[(size_t)p * size + (size_t)(left - v)];
    left -= mine;
  }
  return left ? SIZE_MAX : state;
}

/* count: used columns of each group, at first all; the one that goes is among the first `count` of its list. */
static void permi_band_draw(permi_draw *draw)
{
  const permi_band *band = (const permi_band *)draw->trace->plan;
  const permi_numbers *numbers = &band->numbers;
  const size_t bytes = 8 * permi_numbers_words(numbers);
  int *count = (int *)(void *)draw->room, *column = count + band->n, i, e, g, k;
  memcpy(count, band->capacity, (size_t)band->groups * sizeof *count);
  memcpy(column, band->column, (size_t)band->n * sizeof *column);
  for (i = band->n - 1; i >= 0; i--) {
    const permi_band_level *level = (const permi_band_level *)draw->trace->kept + i;
    const int first = band->entry_start[i], entries = band->entry_start[i + 1] - first;
    for (e = 0; e < entries; e++) {
      const int group = band->entry_group[first + e];
      const size_t state = count[group] > 0 ? permi_band_source(band, level, i, count, group) : SIZE_MAX;
      const int some = state != SIZE_MAX;
      permi_coefficient c = permi_band_coefficient(band, first + e);
      size_t times = 1;
      if (some)
        times = permi_coefficient_multiply(numbers, &c, (uint32_t)(band->capacity[group] - count[group] + 1));
      permi_draw_weigh(draw, numbers, e, &c, some ? level->value + state * bytes : NULL,
                       some && level->exp2 ? level->exp2[state] : 0, times);
    }
    e = permi_draw_way(draw, numbers, entries);
    if (e < 0)
      return;
    g = band->entry_group[first + e];
    k = band->column_start[g] + (int)permi_draw_below((uint64_t)count[g], &draw->random);
    permi_draw_match(draw, band->row[i], column[k]);
    column[k] = column[band->column_start[g] + --count[g]];
  }
}

static const permi_tracer permi_band_tracer = {permi_band_kept_bytes, permi_band_record, permi_band_draw, NULL, NULL};
/* SPDX-License-Identifier: MIT */
