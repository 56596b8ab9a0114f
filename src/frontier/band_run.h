/* ======================================================================================= >>band_run
   Running a band: streams, parts, the task and its bound. */
#pragma once
#include "steps_run.h"
#include "band.h"

/* The runs of the stream with the upper positions settled: the next is p, below it `before` and `after` columns are
   used, and the states begin at source and target. Targets ascend. */
static void permi_band_runs(permi_band_state *state, const permi_band_stream *stream, int p, int before, int after,
                            double source, double target, int factor)
{
  const permi_band_shape *shape = state->shape;
  const int sizes[2] = {shape->used + 1, shape->used + 2};
  const double *below, *below_after;
  int v, chosen = p == stream->position, goal, skip;
  if (before < 0 || after < 0)
    return;
  if (p < stream->lowest) { /* nothing special below: the same states before and after */
    const double count = before == after ? state->counts[0][(size_t)(p + 1) * (size_t)sizes[0] + (size_t)before] : 0;
    if (count > 0)
      permi_band_emit(state, stream, source, target, count, factor);
    return;
  }
  if (state->counts[0][(size_t)(p + 1) * (size_t)sizes[0] + (size_t)before] == 0 ||
      state->counts[1][(size_t)(p + 1) * (size_t)sizes[1] + (size_t)after] == 0)
    return;
  if (stream->within && (target >= stream->end || target + state->counts[1][(size_t)(p + 1) * (size_t)sizes[1] +
                                                                            (size_t)after] <= stream->begin))
    return;
  below = state->counts[0] + (size_t)p * (size_t)sizes[0];
  below_after = state->counts[1] + (size_t)p * (size_t)sizes[1];
  if (shape->kind[p] == PERMI_BAND_KEEP) {
    for (v = 0; v <= shape->leaving[p] && v <= before; v++) {
      if (!chosen) {
        permi_band_runs(state, stream, p - 1, before - v, after - v, source, target, factor);
        if (after >= v)
          target += below_after[after - v];
      } else if (v < shape->leaving[p]) {
        if (after >= v)
          target += below_after[after - v];
        permi_band_runs(state, stream, p - 1, before - v, after - v - 1, source, target,
                        factor * (shape->leaving[p] - v));
      }
      source += below[before - v];
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

/* ---- running it */
static void permi_band_range(permi_band_state *state, size_t states)
{
  const double *x = (const double *)state->from + (size_t)(permi_band_planes(state->band->values) - 1) * state->room;
  size_t s;
  state->low = DBL_MAX;
  state->high = 0;
  for (s = 0; s < states; s++) {
    state->low = x[s] > 0 && x[s] < state->low ? x[s] : state->low;
    state->high = x[s] > state->high ? x[s] : state->high;
  }
}

/* From a common power of two to one for each state, or from any to those that bring |x| into [1/2, 1). 0: memory. */
static int permi_band_apart(permi_band_state *state, size_t states)
{
  const int planes = permi_band_planes(state->band->values);
  double *x = (double *)state->from, *absolute = x + (size_t)(planes - 1) * state->room;
  size_t s;
  int k, e;
  if (!state->from_exp2) {
    state->from_exp2 = (int64_t *)permi_allocate(&state->band->allocator, state->room, sizeof(int64_t));
    state->to_exp2 = (int64_t *)permi_allocate(&state->band->allocator, state->room, sizeof(int64_t));
    if (!state->from_exp2 || !state->to_exp2)
      return 0;
    memset(state->from_exp2, 0, state->room * sizeof(int64_t));
  }
  for (s = 0; s < states; s++) {
    if (absolute[s] == 0)
      continue;
    e = permi_exponent(absolute[s]);
    for (k = 0; k < planes; k++)
      x[(size_t)k * state->room + s] = ldexp(x[(size_t)k * state->room + s], -e);
    state->from_exp2[s] += e;
  }
  return 1;
}

/* Before a row: rescales as needed, so that no product of it is below PERMI_BAND_SAFE nor any sum near overflow. */
static int permi_band_prepare(permi_band_state *state, int row, size_t states)
{
  const permi_band *band = state->band;
  const int planes = permi_band_planes(band->values);
  double weight = 0, least = DBL_MAX, *x = (double *)state->from;
  size_t s;
  int e, k;
  if (state->from_exp2)
    return permi_band_apart(state, states);
  for (e = band->entry_start[row]; e < band->entry_start[row + 1]; e++) {
    weight += band->absolute[e] * band->capacity[band->entry_group[e]];
    least = band->absolute[e] < least ? band->absolute[e] : least;
  }
  weight = (weight + DBL_MIN) * (1 + 1e-12);
  if (!(state->low * least >= PERMI_BAND_SAFE) || state->high * weight > 1e200) {
    permi_band_range(state, states);
    if (state->high > 0 && (state->high < 1e80 || state->high > 1e100)) {
      k = 300 - permi_exponent(state->high);
      if (ldexp(state->low, k) >= PERMI_BAND_SAFE) {
        for (s = 0; s < (size_t)planes * state->room; s += state->room)
          for (e = 0; (size_t)e < states; e++)
            x[s + (size_t)e] = ldexp(x[s + (size_t)e], k);
        state->exp2 -= k;
        state->low = ldexp(state->low, k);
        state->high = ldexp(state->high, k);
      }
    }
    if (state->high > 0 && (!(state->low * least >= PERMI_BAND_SAFE) || state->high * weight > 1e200))
      return permi_band_apart(state, states);
  }
  state->low *= least;
  state->low *= 1 - 1e-12;
  state->high *= weight;
  return 1;
}

/* The shape of a row's step, with its counts, from the window (groups, from the fastest position). Windows whose runs
   are few are kept. 0: out of memory. */
static int permi_band_shape_find(permi_band_state *state, int row, const int *window, int slots, int used,
                                 const int *entering, int enterings, int *next_window, int *next_slots)
{
  const permi_band *band = state->band;
  permi_band_stream stream;
  permi_band_shape shape, *found;
  int p, i = 0, k, after = used + 1;
  memset(&shape, 0, sizeof shape);
  shape.used = used;
  *next_slots = 0;
  for (p = 0; p < slots; p++) {
    const int group = window[p];
    shape.leaving[p] = band->capacity[group];
    if (band->last[group] != row) {
      shape.kind[p] = PERMI_BAND_KEEP;
      shape.staying[p] = shape.leaving[p];
      next_window[(*next_slots)++] = group;
    } else if (i < enterings) {
      after -= shape.leaving[p];
      shape.kind[p] = PERMI_BAND_REPLACE;
      shape.staying[p] = band->capacity[entering[i]];
      next_window[(*next_slots)++] = entering[i++];
    } else {
      after -= shape.leaving[p];
      shape.kind[p] = PERMI_BAND_LEAVE;
    }
  }
  for (; i < enterings; i++, p++) {
    shape.kind[p] = PERMI_BAND_ENTER;
    shape.staying[p] = band->capacity[entering[i]];
    next_window[(*next_slots)++] = entering[i];
  }
  shape.slots = p;
  shape.hash = permi_hash(PERMI_HASH_START, (uint64_t)used);
  for (p = 0; p < shape.slots; p++) {
    shape.hash = permi_hash(shape.hash, (uint64_t)shape.kind[p]);
    shape.hash = permi_hash(shape.hash, (uint64_t)shape.leaving[p] << 32 | (uint64_t)shape.staying[p]);
  }
  state->shape = NULL;
  for (k = 0; k < state->shape_count && !state->shape; k++) {
    found = &state->shapes[k];
    if (found->hash == shape.hash && found->slots == shape.slots && found->used == used &&
        !memcmp(found->kind, shape.kind, sizeof shape.kind) &&
        !memcmp(found->leaving, shape.leaving, sizeof shape.leaving) &&
        !memcmp(found->staying, shape.staying, sizeof shape.staying))
      state->shape = found;
  }
  if (state->shape && state->shape->complete)
    return 1;
  { /* counts for making runs */
    const size_t size = (size_t)(shape.slots + 1) * (size_t)(used + 2);
    if (size > state->counts_room) {
      for (k = 0; k < 2; k++) {
        void *counts = state->counts[k];
        if (!permi_enlarge(&band->allocator, &counts, 0, 2 * size, sizeof(double)))
          return 0;
        state->counts[k] = (double *)counts;
      }
      state->counts_room = 2 * size;
    }
  }
  permi_band_counts(&shape, 0, used, state->counts[0]);
  permi_band_counts(&shape, 1, used + 1, state->counts[1]);
  shape.states = after < 0 ? 0 : (size_t)state->counts[1][(size_t)shape.slots * (size_t)(used + 2) + (size_t)after];
  if (state->shape)
    return 1;
  if (state->shape_count == PERMI_BAND_SHAPES || state->run_count > PERMI_BAND_KEPT_RUNS) {
    state->shape_count = 0;
    state->run_count = 0;
  }
  state->shape = &state->shapes[state->shape_count++];
  *state->shape = shape;
  memset(&stream, 0, sizeof stream);
  stream.keep = (double)shape.states * shape.slots < PERMI_BAND_KEPT_RUNS;
  if (!stream.keep)
    return 1;
  for (p = 0; p < shape.slots; p++)
    for (k = 0; k < 2; k++) {
      state->shape->start[2 * p + k] = state->run_count;
      if (k == 0 ? shape.kind[p] != PERMI_BAND_ENTER
                 : shape.kind[p] == PERMI_BAND_ENTER || shape.kind[p] == PERMI_BAND_REPLACE) {
        for (stream.lowest = 0; stream.lowest < p && shape.kind[stream.lowest] == PERMI_BAND_KEEP; stream.lowest++)
          ;
        stream.position = p;
        stream.entering = k;
        permi_band_runs(state, &stream, shape.slots - 1, used, after, 0, 0, 1);
      }
    }
  state->shape->start[2 * p] = state->run_count;
  state->shape->complete = !state->memory;
  return !state->memory;
}

typedef struct permi_band_step {
  permi_band_state *state;
  const int *position; /* of a group: 2 p + entering */
  int row, used, after, parts; /* columns used in the window before; after, of those that stay */
} permi_band_step;

/* All entries of the row into one block of the states after it. */
static perm_status permi_band_part(void *context, uint64_t number, int thread)
{
  const int part = (int)number;
  const permi_band_step *step = (const permi_band_step *)context;
  permi_band_state *state = step->state;
  const permi_band *band = state->band;
  const permi_band_shape *shape = state->shape;
  const uint64_t states = shape->states, parts = (uint64_t)step->parts;
  const int planes = permi_band_planes(band->values);
  permi_band_stream stream;
  perm_status status = PERM_OK;
  size_t block;
  int e, p;
  memset(&stream, 0, sizeof stream);
  stream.within = parts > 1;
  stream.begin = (uint32_t)(states * (uint64_t)part / parts);
  stream.end = (uint32_t)(states * ((uint64_t)part + 1) / parts);
  block = stream.end - stream.begin;
  for (p = 0; p < planes; p++)
    memset((double *)state->to + (size_t)p * state->room + stream.begin, 0, block * sizeof(double));
  if (!planes) {
    const size_t words = (size_t)(band->words * band->parts);
    memset((uint64_t *)state->to + stream.begin * words, 0, block * words * sizeof(uint64_t));
  }
  for (e = band->entry_start[step->row]; e < band->entry_start[step->row + 1] && status == PERM_OK; e++) {
    const int way = step->position[band->entry_group[e]];
    if (planes) {
      stream.re = band->real[e];
      stream.im = band->imaginary ? band->imaginary[e] : 0;
      stream.absolute = band->absolute[e];
      if (state->from_exp2) {
        stream.coefficient_exp2 = permi_exponent(stream.absolute);
        stream.re = ldexp(stream.re, -stream.coefficient_exp2);
        stream.im = ldexp(stream.im, -stream.coefficient_exp2);
        stream.absolute = ldexp(stream.absolute, -stream.coefficient_exp2);
      }
    } else {
      stream.integer = band->integer + e * band->parts;
    }
    if (shape->complete) {
      const size_t last = shape->start[way + 1];
      size_t k = shape->start[way], beyond = last;
      for (; !stream.within && k < last; k++)
        permi_band_add(state, &stream, &state->runs[k]);
      while (k < beyond) { /* the first run that reaches into the block */
        const size_t middle = k + (beyond - k) / 2;
        if (state->runs[middle].target + state->runs[middle].count > stream.begin)
          beyond = middle;
        else
          k = middle + 1;
      }
      for (; k < last && state->runs[k].target < stream.end; k++)
        permi_band_add_within(state, &stream, &state->runs[k]);
    } else {
      stream.position = way / 2;
      stream.entering = way % 2;
      for (stream.lowest = 0; stream.lowest < stream.position && shape->kind[stream.lowest] == PERMI_BAND_KEEP;)
        stream.lowest++;
      permi_band_runs(state, &stream, shape->slots - 1, step->used, step->after, 0, 0, 1);
    }
    if (thread == 0 && states > PERMI_BAND_POLL && state->control)
      status = permi_control_poll(state->control, band->cost[step->row] * band->seconds_each, "band");
  }
  return status;
}

/* THE BOUND. A row multiplies each term once and adds it to at most deg - 1 others, so a computed value is the sum of
   all perfect matchings' products, each times at most `edges` factors 1 + d, |d| <= u, as in >>steps. With signs, a
   product that underflows, and rescaling, are each off by at most DBL_MIN <= u times the product of the moduli, which
   is above PERMI_BAND_SAFE: two more factors a row, relative to the moduli. A complex product is off by 3 u [Hig02,
   3.6], and for counts there is one multiplication more. Double-double: the same with PERMI_DD_UNIT for u. Where
   states have powers of their own, aligning one sum with another costs at most one more factor an addition, and
   scaling one a row. */
static perm_status permi_band_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_band *band = (const permi_band *)leaf->context;
  const perm_allocator *allocator = &band->allocator;
  const int planes = permi_band_planes(band->values);
  const size_t size = planes ? (size_t)planes * sizeof(double) : (size_t)(band->words * band->parts) * sizeof(uint64_t);
  const int most_threads = control ? permi_threads(control->options) : 1;
  permi_band_state state;
  permi_band_step step;
  int window[2][PERMI_BAND_SLOTS + 1], *position = NULL;
  int slots = 0, used = 0, row, opened = 0, p, unpolled = 0, entries, threads;
  size_t states = 1;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&state, 0, sizeof state);
  state.band = band;
  state.control = control;
  state.room = (size_t)band->most;
  state.low = state.high = 1;
  state.from = permi_allocate(allocator, state.room, size);
  state.to = permi_allocate(allocator, state.room, size);
  state.shapes = (permi_band_shape *)permi_allocate(allocator, PERMI_BAND_SHAPES, sizeof *state.shapes);
  position = (int *)permi_allocate(allocator, (size_t)band->groups, sizeof *position);
  if (!state.from || !state.to || !state.shapes || !position)
    goto done;
  step.state = &state;
  step.position = position;
  memset(state.from, 0, state.room * size);
  if (!planes) {
    *(uint64_t *)state.from = 1;
  } else {
    ((double *)state.from)[0] = 1;
    ((double *)state.from)[(size_t)(planes - 1) * state.room] = 1;
  }
  status = PERM_OK;
  for (row = 0; row < band->n && status == PERM_OK; row++) {
    int *here = window[row & 1], *next = window[(row + 1) & 1], next_slots, enterings = 0;
    void *swap;
    while (opened + enterings < band->groups && band->first[band->opening[opened + enterings]] == row)
      enterings++;
    if ((planes && !permi_band_prepare(&state, row, states)) ||
        !permi_band_shape_find(&state, row, here, slots, used, band->opening + opened, enterings, next, &next_slots)) {
      status = PERM_ERROR_MEMORY;
      break;
    }
    { /* where each group is: that before the row, and what comes in its place or above */
      int i = 0;
      for (p = 0; p < state.shape->slots; p++) {
        if (p < slots)
          position[here[p]] = 2 * p;
        if (state.shape->kind[p] >= PERMI_BAND_ENTER)
          position[band->opening[opened + i++]] = 2 * p + 1;
      }
    }
    states = state.shape->states;
    step.row = row;
    step.used = used;
    step.after = used + 1;
    for (p = 0; p < slots; p++)
      step.after -= state.shape->kind[p] == PERMI_BAND_KEEP ? 0 : state.shape->leaving[p];
    entries = band->entry_start[row + 1] - band->entry_start[row];
    threads = (double)states * entries * band->seconds_each < PERMI_SHARE_SECONDS ? 1 : most_threads;
    step.parts = threads > 1 ? PERMI_BAND_BLOCKS * threads : 1;
    status = permi_share(threads, 0, (uint64_t)step.parts, permi_band_part, &step, NULL);
    if (control && states <= PERMI_BAND_POLL && status == PERM_OK && (unpolled += entries) >= 256) {
      status = permi_control_poll(control, band->cost[row] * band->seconds_each, "band");
      unpolled = 0;
    }
    used = step.after;
    opened += enterings;
    slots = next_slots;
    swap = state.from;
    state.from = state.to;
    state.to = swap;
    swap = state.from_exp2;
    state.from_exp2 = state.to_exp2;
    state.to_exp2 = (int64_t *)swap;
    state.visited += (double)states;
  }
  if (status == PERM_OK && !planes) {
    permi_frontier frontier;
    const uint64_t *x = (const uint64_t *)state.from;
    memset(&frontier, 0, sizeof frontier);
    frontier.algebra = band->algebra;
    frontier.words = band->words;
    permi_frontier_add_integer(&partial->value, x, &frontier);
    if (band->parts == 2)
      permi_frontier_add_integer(&partial->imaginary, x + band->words, &frontier);
  } else if (status == PERM_OK) {
    const double *x = (const double *)state.from, absolute = x[(size_t)(planes - 1) * state.room];
    permi_sum_add_double(&partial->value, x[0]);
    if (band->values >= PERMI_BAND_DD)
      permi_sum_add_double(&partial->value, x[state.room]);
    if (band->values == PERMI_BAND_COMPLEX)
      permi_sum_add_double(&partial->imaginary, x[state.room]);
    if (band->values == PERMI_BAND_DD_COMPLEX) {
      permi_sum_add_double(&partial->imaginary, x[2 * state.room]);
      permi_sum_add_double(&partial->imaginary, x[3 * state.room]);
    }
    permi_sum_add_double(&partial->absolute, absolute);
    partial->exp2 = state.exp2;
    if (state.from_exp2) {
      partial->exp2 += absolute > 0 ? state.from_exp2[0] : 0;
      partial->lost += band->lossy * absolute * (1 + 1e-12);
    }
    if (band->lost_error > 0)
      partial->lost += 2 * (DBL_MIN + ldexp(band->lost_error, permi_int_exponent(-partial->exp2)));
  }
  partial->terms += status == PERM_OK ? state.visited : 0;
done:
  permi_release(allocator, state.from);
  permi_release(allocator, state.to);
  permi_release(allocator, state.from_exp2);
  permi_release(allocator, state.to_exp2);
  permi_release(allocator, state.shapes);
  permi_release(allocator, state.runs);
  permi_release(allocator, state.counts[0]);
  permi_release(allocator, state.counts[1]);
  permi_release(allocator, position);
  return status;
}
