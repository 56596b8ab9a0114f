/* =========================================================================================== >>band
   A window of columns that slides along a band [LM, appendix C], linear in n for a fixed bandwidth. */
#pragma once
#include "../frontier/frontier.h"

/* Rows are taken in turn; the window holds the columns of which some but not all rows have been taken. After i rows i
   columns are used, so the number k used in a window of w is known: C(w, k) states.
   Equal columns are one slot, whose state counts those used; the next can be chosen in as many ways as are left.
   States are vectors of counts with a given sum, the first slot fastest, so a row moves runs of states to runs. A
   column that enters replaces one that leaves: runs are long, and shapes of rows, whose runs are kept, few. Threads
   share a target by blocks; a state is summed in the order of the row's entries. Nothing underflows: states share a
   power of two while products stay above PERMI_BAND_SAFE; then each gets its own. */

#define PERMI_BAND_SLOTS 62
#define PERMI_BAND_STATES 4e9  /* offsets are 32-bit */
#define PERMI_BAND_SAFE 1e-270 /* DBL_MIN is below u (double-double: 2^-100) times this */
#define PERMI_BAND_SHAPES 128
#define PERMI_BAND_COUNTED 2048
#define PERMI_BAND_KEPT_RUNS 1048576
#define PERMI_BAND_BLOCKS 8

/* The first fields of a permi_coefficient, or its integers: less than half of it. */
typedef union permi_band_entry {
  double real[3];
  int64_t integer[2];
} permi_band_entry;

typedef struct permi_band {
  permi_owned owned;
  permi_numbers numbers;
  int n, groups, width;
  int counted;
  int *entry_start, *entry_group;
  permi_band_entry *entry;
  int *capacity, *first, *last;
  int *row, *column, *column_start; /* of the block: rows as taken, columns by groups */
  double cost;
  double longest;
  double most, seconds_each, lost_error, lossy; /* lossy: relative error of states with powers of their own */
  double bound_relative;
} permi_band;

static permi_coefficient permi_band_coefficient(const permi_band *band, int e)
{
  permi_coefficient c;
  memset(&c, 0, sizeof c);
  if (permi_algebra_is_integer(band->numbers.algebra))
    memcpy(c.integer, band->entry[e].integer, sizeof c.integer);
  else
    memcpy(&c, band->entry[e].real, sizeof band->entry[e].real);
  return c;
}

enum { PERMI_BAND_KEEP, PERMI_BAND_LEAVE, PERMI_BAND_ENTER, PERMI_BAND_REPLACE };

typedef struct permi_band_run {
  uint32_t source, target, count, factor;
} permi_band_run;

typedef struct permi_band_shape {
  int slot_count, used;
  int kind[PERMI_BAND_SLOTS];
  int leaving[PERMI_BAND_SLOTS];
  int staying[PERMI_BAND_SLOTS];
  uint64_t hash;
  int complete;
  size_t start[2 * PERMI_BAND_SLOTS + 1]; /* of position p: before at 2 p, after at 2 p + 1 */
  size_t states;
} permi_band_shape;

/* counts[p (used + 1) + r]: states of the positions below p with r used. */
static void permi_band_counts(const permi_band_shape *shape, int after, int used, double *counts)
{
  const int size = used + 1;
  int p, r, k;
  for (r = 0; r < size; r++)
    counts[r] = r == 0;
  for (p = 0; p < shape->slot_count; p++) {
    const double *below = counts + (size_t)p * (size_t)size;
    double *at = counts + (size_t)(p + 1) * (size_t)size;
    const int capacity = after ? (shape->kind[p] == PERMI_BAND_LEAVE ? 0 : shape->staying[p])
                               : (shape->kind[p] == PERMI_BAND_ENTER ? 0 : shape->leaving[p]);
    for (r = 0; r < size; r++) { /* no differences: counts beyond 2^53 would spoil small ones */
      at[r] = 0;
      for (k = 0; k <= capacity && k <= r; k++)
        at[r] += below[r - k];
    }
  }
}

typedef struct permi_band_run_state {
  permi_runner base; /* sizes.exp2: the power of all states that have none of their own */
  const permi_band *band;
  permi_band_shape *shape, *shapes;
  int shape_count;
  permi_band_run *runs;
  size_t run_count, run_room;
  double *counts[2];
  size_t counts_room[2];
  size_t room, words; /* states of a buffer; words of a state */
  void *from, *to;
  int64_t *from_exp2, *to_exp2; /* NULL: all share sizes.exp2 */
  int memory;
  /* the row at hand */
  int window[2][PERMI_BAND_SLOTS + 1]; /* groups before it and after it, by the row's parity */
  int slot_count, next_slots, row, opened, enterings, used, after;
  int *position; /* of a group: 2 p + entering */
  int parts;
  size_t states; /* before the row */
} permi_band_state;

/* An entry of the row: uses the column at `position`, before or (entering) after. */
typedef struct permi_band_stream {
  int position, entering, lowest; /* positions below keep their columns */
  int keep;                       /* only keeps runs */
  int within;
  uint32_t begin, end;
  permi_coefficient entry;
  int entry_exp2;
} permi_band_stream;

PERMI_NEVER_INLINE static void permi_band_add_any(const permi_band_state *state, const permi_band_stream *stream,
                                                  const permi_band_run *run)
{
  const permi_numbers *numbers = &state->band->numbers;
  const size_t bytes = 8 * state->words;
  const permi_coefficient *c = &stream->entry;
  const char *x = (const char *)state->from + run->source * bytes;
  char *y = (char *)state->to + run->target * bytes;
  permi_coefficient multiple;
  size_t k, times = 1;
  if (run->factor != 1) {
    multiple = stream->entry;
    times = permi_coefficient_multiply(numbers, &multiple, run->factor);
    c = &multiple;
  }
  if (state->from_exp2) {
    for (k = 0; k < run->count; k++)
      permi_value_add_apart(numbers, c, y + k * bytes, &state->to_exp2[run->target + k], x + k * bytes,
                            state->from_exp2[run->source + k] + stream->entry_exp2);
    return;
  }
  if (numbers->algebra == PERMI_COMPLEX) { /* a call for each short run costs 15 % */
    multiple = *c;
    permi_values_add_of(PERMI_COMPLEX, numbers, &multiple, y, x, run->count, 0);
    return;
  }
  for (; times > 0; times--)
    permi_values_add(numbers, c, y, x, run->count);
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

/* Does a run or keeps it, joined to the one before if it continues that. */
static void permi_band_emit(permi_band_state *state, const permi_band_stream *stream, double source, double target,
                            double count, int factor)
{
  permi_band_run run;
  run.source = (uint32_t)source;
  run.target = (uint32_t)target;
  run.count = (uint32_t)count;
  run.factor = (uint32_t)factor;
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
/* SPDX-License-Identifier: MIT */
