/* =========================================================================================== >>band
   A window of columns slides along a band [LM, appendix C], linear in n of fixed width. */
#pragma once
#include "../frontier/frontier.h"

/* The window holds the columns of which some but not all rows have been taken. After i rows i columns are used, so the
   number k used in a window of w is known: C(w, k) states. Equal columns are one slot, whose state counts those used;
   the next can be chosen in as many ways as are left. The first slot is fastest, so a row moves runs of states to runs.
   A new column replaces one that leaves: runs are long, and shapes of rows, whose runs are kept, few. Threads share a
   target by blocks. States share a power of two while products stay above PERMI_BAND_SAFE, then each gets its own:
   nothing underflows. */

#define PERMI_BAND_SLOTS 62
#define PERMI_BAND_STATES 4e9  /* offsets are 32-bit */
#define PERMI_BAND_SAFE 1e-270 /* DBL_MIN is below u (double-double: 2^-100) times this */
#define PERMI_BAND_SHAPES 128
#define PERMI_BAND_COUNTED 2048
#define PERMI_BAND_KEPT_RUNS 1048576
#define PERMI_BAND_BLOCKS 8

/* An entry: the first half of a permi_coefficient, or its integers. */
typedef union permi_band_entry {
  double real[3];
  int64_t integer[2];
} permi_band_entry;

/* `cost` is INFINITY above the limit or if the band is too wide. */
typedef struct permi_band_price {
  double cost, most, longest; /* transitions; at most: states, transitions of a row */
  double made; /* with new runs */
  int width;
} permi_band_price;

typedef struct permi_band {
  permi_owned owned;
  permi_numbers numbers;
  permi_band_price price;
  int n, groups, counted, *entry_start, *entry_group, *capacity, *first, *last;
  int *row, *column, *column_start; /* as taken */
  permi_band_entry *entry;
  double seconds_each, bound_relative, lost_error;
  double lossy; /* relative error that own powers cause */
} permi_band;

enum { PERMI_BAND_KEEP, PERMI_BAND_LEAVE, PERMI_BAND_ENTER, PERMI_BAND_REPLACE };

typedef struct permi_band_run {
  uint32_t source, target, count, factor;
} permi_band_run;

typedef struct permi_band_shape {
  int slot_count, used, kind[PERMI_BAND_SLOTS], leaving[PERMI_BAND_SLOTS], staying[PERMI_BAND_SLOTS];
  uint64_t hash; /* of all above, which is compared */
  size_t complete, start[2 * PERMI_BAND_SLOTS + 1], states; /* start: 2 p before, 2 p + 1 after */
} permi_band_shape;

/* counts[p (used + 1) + r] are the states of slots below p with r used. */
static void permi_band_counts(const permi_band_shape *shape, int after, int used, double *counts)
{
  const int size = used + 1;
  for (int r = 0; r < size; r++)
    counts[r] = r == 0;
  for (int p = 0; p < shape->slot_count; p++) {
    const double *below = counts + (size_t)p * (size_t)size;
    double *at = counts + (size_t)(p + 1) * (size_t)size;
    const int capacity = after ? (shape->kind[p] == PERMI_BAND_LEAVE ? 0 : shape->staying[p])
                               : (shape->kind[p] == PERMI_BAND_ENTER ? 0 : shape->leaving[p]);
    for (int r = 0; r < size; r++) { /* counts above 2^53 would spoil others */
      at[r] = 0;
      for (int k = 0; k <= capacity && k <= r; k++)
        at[r] += below[r - k];
    }
  }
}

typedef struct permi_band_run_state {
  permi_runner base; /* without own powers */
  const permi_band *band;
  permi_band_shape *shape, *shapes;
  permi_band_run *runs;
  double *counts[2];
  size_t run_count, run_room, counts_room[2];
  size_t room, words; /* of a state */
  void *from, *to;
  int64_t *from_exp2, *to_exp2; /* or NULL */
  int window[2][PERMI_BAND_SLOTS + 1]; /* before, after; by parity */
  int slot_count, next_slots, row, opened, enterings, used, after, parts, shape_count, memory;
  int *position; /* of a group: 2 p + entering */
  size_t states;
} permi_band_state;

typedef struct permi_band_stream {
  int position, entering, lowest, keep, within, entry_exp2; /* below, columns are kept */
  uint32_t begin, end;
  permi_coefficient entry;
} permi_band_stream;

PERMI_NEVER_INLINE static void permi_band_add_any(const permi_band_state *state, const permi_band_stream *stream,
                                                  const permi_band_run *run)
{
  const permi_numbers *numbers = &state->band->numbers;
  const size_t bytes = 8 * state->words;
  const char *x = (const char *)state->from + run->source * bytes;
  char *y = (char *)state->to + run->target * bytes;
  permi_coefficient c = stream->entry;
  size_t k, times = run->factor == 1 ? 1 : permi_coefficient_multiply(numbers, &c, run->factor);
  if (state->from_exp2) {
    for (k = 0; k < run->count; k++)
      permi_value_add_apart(numbers, &c, y + k * bytes, &state->to_exp2[run->target + k], x + k * bytes,
                            state->from_exp2[run->source + k] + stream->entry_exp2);
    return;
  }
  if (numbers->algebra == PERMI_COMPLEX) { /* calls cost 15 % */
    permi_values_add_of(PERMI_COMPLEX, numbers, &c, y, x, run->count, 0);
    return;
  }
  for (; times > 0; times--)
    permi_values_add(numbers, &c, y, x, run->count);
}

PERMI_NEVER_INLINE static void permi_band_add(const permi_band_state *state, const permi_band_stream *stream,
                                              const permi_band_run *run)
{
  permi_coefficient c;
  if (state->band->numbers.algebra != PERMI_MAGNITUDES || state->from_exp2) {
    permi_band_add_any(state, stream, run);
    return;
  }
  c.real = stream->entry.real * run->factor;
  permi_values_add_of(PERMI_MAGNITUDES, NULL, &c, (double *)state->to + run->target,
                      (const double *)state->from + run->source, run->count, 0);
}

static void permi_band_add_within(const permi_band_state *state, const permi_band_stream *stream,
                                  const permi_band_run *run)
{
  const uint32_t begin = run->target > stream->begin ? run->target : stream->begin;
  const uint32_t beyond = run->target + run->count, end = beyond < stream->end ? beyond : stream->end;
  permi_band_run part = *run;
  if (begin >= end)
    return;
  part.source += begin - run->target;
  part.target = begin;
  part.count = end - begin;
  permi_band_add(state, stream, &part);
}

static void permi_band_emit(permi_band_state *state, const permi_band_stream *stream, double source, double target,
                            double count, int factor)
{
  const permi_band_run run = {(uint32_t)source, (uint32_t)target, (uint32_t)count, (uint32_t)factor};
  if (!stream->keep) {
    permi_band_add_within(state, stream, &run);
    return;
  }
  if (state->run_count > state->shape->start[2 * stream->position + stream->entering]) {
    permi_band_run *last = &state->runs[state->run_count - 1];
    if (last->factor == run.factor && last->source + last->count == run.source &&
        last->target + last->count == run.target) {
      last->count += run.count;
      return;
    }
  }
  state->memory |= !permi_room(state->base.pool.allocator, NULL, &state->runs, state->run_count, 1, &state->run_room,
                               sizeof run);
  if (!state->memory)
    state->runs[state->run_count++] = run;
}

/* Runs ascend by target; slots up to p have `before` and `after` used. */
static void permi_band_runs(permi_band_state *state, const permi_band_stream *stream, int p, int before, int after,
                            double source, double target, int factor)
{
  const permi_band_shape *shape = state->shape;
  const size_t size = (size_t)shape->used + 1;
  const double *ways = state->counts[0] + (size_t)(p + 1) * size, *below;
  const double *ways_after = state->counts[1] + (size_t)(p + 1) * (size + 1), *below_after;
  int v, chosen = p == stream->position, goal, skip;
  if (before < 0 || after < 0)
    return;
  if (p < stream->lowest) {
    if (before == after && ways[before] > 0)
      permi_band_emit(state, stream, source, target, ways[before], factor);
    return;
  }
  if (ways[before] == 0 || ways_after[after] == 0 ||
      (stream->within && (target >= stream->end || target + ways_after[after] <= stream->begin)))
    return;
  below = ways - size;
  below_after = ways_after - (size + 1);
  if (shape->kind[p] == PERMI_BAND_KEEP) {
    for (v = 0; v <= shape->leaving[p] && v <= before; v++) {
      const double step = after >= v ? below_after[after - v] : 0;
      if (!chosen)
        permi_band_runs(state, stream, p - 1, before - v, after - v, source, target, factor);
      else if (v < shape->leaving[p])
        permi_band_runs(state, stream, p - 1, before - v, after - v - 1, source, target + step,
                        factor * (shape->leaving[p] - v));
      source += below[before - v];
      target += step;
    }
    return;
  }
  goal = shape->kind[p] == PERMI_BAND_ENTER ? 0 : shape->leaving[p] - (chosen && !stream->entering);
  for (v = 0; v < goal && v <= before; v++)
    source += below[before - v];
  skip = chosen && stream->entering;
  if (skip) {
    target += below_after[after];
    factor *= shape->staying[p];
  }
  permi_band_runs(state, stream, p - 1, before - goal, after - skip, source, target, factor);
}

static void permi_band_runs_of(permi_band_state *state, permi_band_stream *stream, int way)
{
  const permi_band_shape *shape = state->shape;
  stream->position = way / 2;
  stream->entering = way % 2;
  for (stream->lowest = 0; stream->lowest < stream->position && shape->kind[stream->lowest] == PERMI_BAND_KEEP;)
    stream->lowest++;
  permi_band_runs(state, stream, shape->slot_count - 1, state->used, state->after, 0, 0, 1);
}

/* States with own powers. */
static int permi_band_apart(permi_band_state *state, int row, size_t states)
{
  if (!state->from_exp2) {
    state->from_exp2 = (int64_t *)permi_pool_zeros(&state->base.pool, state->room, sizeof(int64_t));
    state->to_exp2 = (int64_t *)permi_pool_get(&state->base.pool, state->room, sizeof(int64_t));
    if (state->base.pool.failed)
      return 0;
  }
  permi_values_normalise(&state->band->numbers, state->from, states, state->from_exp2,
                         row & PERMI_CANCELS_STEPS ? NULL : &state->base.sizes);
  return 1;
}

/* Keeps products above PERMI_BAND_SAFE and sums from overflow. */
static int permi_band_prepare(permi_band_state *state, int row, size_t states)
{
  const permi_band *band = state->band;
  permi_sizes *sizes = &state->base.sizes;
  double weight = 0, least = DBL_MAX;
  if (state->from_exp2)
    return permi_band_apart(state, row, states);
  if (!(row & PERMI_CANCELS_STEPS))
    permi_values_ease(&band->numbers, state->from, states, sizes);
  for (int e = band->entry_start[row]; e < band->entry_start[row + 1]; e++) {
    weight += band->entry[e].real[2] * band->capacity[band->entry_group[e]];
    least = fmin(band->entry[e].real[2], least);
  }
  weight = (weight + DBL_MIN) * (1 + 1e-12);
  if (!(sizes->smallest * least >= PERMI_BAND_SAFE) || sizes->largest * weight > 1e200) {
    permi_sizes_clear(sizes);
    permi_values_extremes((const double *)state->from + state->words - 1, states * state->words, state->words, sizes);
    if (sizes->largest > 0 && (sizes->largest < 1e80 || sizes->largest > 1e100)) {
      const int e = permi_exponent(sizes->largest) - 300;
      if (ldexp(sizes->smallest, -e) >= PERMI_BAND_SAFE) {
        permi_values_scale((double *)state->from, states * state->words, e);
        sizes->exp2 += e;
        sizes->smallest = ldexp(sizes->smallest, -e);
        sizes->largest = ldexp(sizes->largest, -e);
      }
    }
    if (sizes->largest > 0 && (!(sizes->smallest * least >= PERMI_BAND_SAFE) || sizes->largest * weight > 1e200))
      return permi_band_apart(state, row, states);
  }
  sizes->smallest *= least;
  sizes->smallest *= 1 - 1e-12;
  sizes->largest *= weight;
  return 1;
}

static int permi_band_shape_find(permi_band_state *state)
{
  const permi_band *band = state->band;
  const int used = state->used, *window = state->window[state->row & 1];
  int *next_window = state->window[(state->row + 1) & 1];
  permi_band_stream stream;
  permi_band_shape shape, *found;
  int p, i = 0, k;
  memset(&shape, 0, sizeof shape);
  shape.used = used;
  state->next_slots = 0;
  state->after = used + 1;
  for (p = 0; p < state->slot_count || i < state->enterings; p++) {
    const int group = p < state->slot_count ? window[p] : -1, stays = group >= 0 && band->last[group] != state->row;
    const int entering = !stays && i < state->enterings ? state->opened + i++ : -1;
    shape.kind[p] = stays ? PERMI_BAND_KEEP : group < 0 ? PERMI_BAND_ENTER
                    : entering < 0 ? PERMI_BAND_LEAVE : PERMI_BAND_REPLACE;
    if (group >= 0) {
      shape.leaving[p] = band->capacity[group];
      state->position[group] = 2 * p;
      state->after -= stays ? 0 : shape.leaving[p];
    }
    if (entering >= 0)
      state->position[entering] = 2 * p + 1;
    if (stays || entering >= 0) {
      next_window[state->next_slots++] = stays ? group : entering;
      shape.staying[p] = band->capacity[stays ? group : entering];
    }
  }
  shape.slot_count = p;
  shape.hash = permi_hash(PERMI_HASH_START, (uint64_t)used);
  for (p = 0; p < shape.slot_count; p++) {
    shape.hash = permi_hash(shape.hash, (uint64_t)shape.kind[p]);
    shape.hash = permi_hash(shape.hash, (uint64_t)shape.leaving[p] << 32 | (uint64_t)shape.staying[p]);
  }
  state->shape = NULL;
  for (k = 0; k < state->shape_count && !state->shape; k++) {
    found = &state->shapes[k];
    if (found->hash == shape.hash && !memcmp(found, &shape, offsetof(permi_band_shape, hash)))
      state->shape = found;
  }
  if (state->shape && state->shape->complete)
    return 1;
  for (k = 0; k < 2; k++) {
    if (!permi_room(state->base.pool.allocator, NULL, &state->counts[k], 0,
                    (size_t)(shape.slot_count + 1) * (size_t)(used + 2), &state->counts_room[k], sizeof(double)))
      return 0;
    permi_band_counts(&shape, k, used + k, state->counts[k]);
  }
  shape.states =
      state->after < 0 ? 0
                      : (size_t)state->counts[1][(size_t)shape.slot_count * (size_t)(used + 2) + (size_t)state->after];
  if (state->shape)
    return 1;
  if (state->shape_count == PERMI_BAND_SHAPES || state->run_count > PERMI_BAND_KEPT_RUNS) {
    state->shape_count = 0;
    state->run_count = 0;
  }
  state->shape = &state->shapes[state->shape_count++];
  *state->shape = shape;
  memset(&stream, 0, sizeof stream);
  stream.keep = (double)shape.states * shape.slot_count < PERMI_BAND_KEPT_RUNS;
  if (!stream.keep)
    return 1;
  for (p = 0; p < shape.slot_count; p++)
    for (k = 0; k < 2; k++) {
      state->shape->start[2 * p + k] = state->run_count;
      if (k == 0 ? shape.kind[p] != PERMI_BAND_ENTER : shape.kind[p] >= PERMI_BAND_ENTER)
        permi_band_runs_of(state, &stream, 2 * p + k);
    }
  state->shape->start[2 * p] = state->run_count;
  state->shape->complete = !state->memory;
  return !state->memory;
}

static perm_status permi_band_part(void *context, uint64_t number, int thread)
{
  permi_band_state *state = (permi_band_state *)context;
  const permi_band *band = state->band;
  const permi_band_shape *shape = state->shape;
  const uint64_t states = shape->states, parts = (uint64_t)state->parts;
  permi_band_stream stream;
  perm_status status = PERM_OK;
  memset(&stream, 0, sizeof stream);
  stream.within = parts > 1;
  stream.begin = (uint32_t)(states * number / parts);
  stream.end = (uint32_t)(states * (number + 1) / parts);
  memset((uint64_t *)state->to + stream.begin * state->words, 0, (stream.end - stream.begin) * state->words * 8);
  for (int e = band->entry_start[state->row]; e < band->entry_start[state->row + 1] && status == PERM_OK; e++) {
    const int way = state->position[band->entry_group[e]];
    memset(&stream.entry, 0, sizeof stream.entry);
    if (permi_algebra_is_integer(band->numbers.algebra))
      memcpy(stream.entry.integer, band->entry[e].integer, sizeof stream.entry.integer);
    else
      memcpy(&stream.entry, band->entry[e].real, sizeof band->entry[e].real);
    if (state->from_exp2) {
      stream.entry_exp2 = permi_exponent(stream.entry.absolute);
      stream.entry.real = ldexp(stream.entry.real, -stream.entry_exp2);
      stream.entry.imaginary = ldexp(stream.entry.imaginary, -stream.entry_exp2);
      stream.entry.absolute = ldexp(stream.entry.absolute, -stream.entry_exp2);
    }
    if (shape->complete) {
      const size_t last = shape->start[way + 1];
      size_t k = shape->start[way], beyond = last;
      for (; !stream.within && k < last; k++)
        permi_band_add(state, &stream, &state->runs[k]);
      while (k < beyond) {
        const size_t middle = k + (beyond - k) / 2;
        if (state->runs[middle].target + state->runs[middle].count > stream.begin)
          beyond = middle;
        else
          k = middle + 1;
      }
      for (; k < last && state->runs[k].target < stream.end; k++)
        permi_band_add_within(state, &stream, &state->runs[k]);
    } else {
      permi_band_runs_of(state, &stream, way);
    }
    status = permi_runner_poll(&state->base, (double)states / state->parts, state->base.done, thread);
  }
  return status;
}

/* THE BOUND: gamma of `edges`, and of 2 or 5 a row (tests/proofs/chains.v, tests/proofs/frontier.g). */
static perm_status permi_band_row(permi_runner *runner, int row)
{
  permi_band_state *state = (permi_band_state *)runner;
  const permi_band *band = state->band;
  const int entries = band->entry_start[row + 1] - band->entry_start[row];
  void *values = state->from;
  runner->done = band->price.cost * row / band->n * band->seconds_each;
  state->row = row;
  state->enterings = 0;
  while (state->opened + state->enterings < band->groups && band->first[state->opened + state->enterings] == row)
    state->enterings++;
  if ((!permi_algebra_is_integer(band->numbers.algebra) && !permi_band_prepare(state, row, state->states)) ||
      !permi_band_shape_find(state))
    return PERM_ERROR_MEMORY;
  state->states = state->shape->states;
  const int threads = (double)state->states * entries * band->seconds_each < PERMI_SHARE_SECONDS ? 1 : runner->threads;
  state->parts = threads > 1 ? PERMI_BAND_BLOCKS * threads : 1;
  const perm_status status = permi_share(threads, 0, (uint64_t)state->parts, permi_band_part, state, NULL);
  int64_t *exp2 = state->from_exp2;
  state->from = state->to;
  state->to = values;
  state->from_exp2 = state->to_exp2;
  state->to_exp2 = exp2;
  state->used = state->after;
  state->opened += state->enterings;
  state->slot_count = state->next_slots;
  runner->visited += (double)state->states;
  return status;
}

static perm_status permi_band_rows(const permi_band *band, permi_control *control, permi_band_state *state,
                                   perm_partial *partial)
{
  permi_pool *pool = &state->base.pool;
  perm_status status = PERM_ERROR_MEMORY;
  permi_runner_begin(&state->base, &band->owned.allocator, control, "band");
  state->band = band;
  state->room = (size_t)band->price.most;
  state->words = permi_numbers_words(&band->numbers);
  state->states = 1;
  state->from = permi_pool_get(pool, state->room, 8 * state->words);
  state->to = permi_pool_get(pool, state->room, 8 * state->words);
  state->shapes = (permi_band_shape *)permi_pool_get(pool, PERMI_BAND_SHAPES, sizeof *state->shapes);
  state->position = (int *)permi_pool_get(pool, (size_t)band->groups, sizeof *state->position);
  if (!pool->failed) {
    permi_value_one(&band->numbers, state->from);
    status = permi_runner_go(&state->base, 0, band->n, permi_band_row);
  }
  if (status == PERM_OK) {
    const double absolute = ((const double *)state->from)[state->words - 1];
    state->base.sizes.exp2 += state->from_exp2 && absolute > 0 ? state->from_exp2[0] : 0;
    permi_runner_finish(&state->base, &band->numbers, state->from, band->lost_error, partial);
    if (state->from_exp2)
      partial->lost += band->lossy * absolute * (1 + 1e-12);
  }
  permi_release(pool->allocator, state->runs);
  permi_release(pool->allocator, state->counts[0]);
  permi_release(pool->allocator, state->counts[1]);
  permi_pool_release(pool);
  return status;
}

static perm_status permi_band_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  permi_band_state state;
  memset(&state, 0, sizeof state);
  return permi_band_rows((const permi_band *)leaf->context, control, &state, partial);
}
/* SPDX-License-Identifier: MIT */
