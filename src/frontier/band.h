/* =========================================================================================== >>band
   A window of columns sliding along a band: P. H. Lundow, K. Markstrom, Efficient computation of permanents, with
   applications to boson sampling and random matrices, appendix C, linear in n for a fixed bandwidth. Rows are taken one
   after the other; the window holds the columns of which some rows, not all, have been taken, and a state says which of
   them are used. After i rows i columns are used, those that have left among them, so the number used in the window is
   known: of w columns k, C(w, k) states.

   Equal columns are one slot, whose state is how many of them are used: the next one can be chosen in as many ways as
   are left. States are vectors of such counts with a given sum, the first slot running fastest: those that agree in the
   upper slots are contiguous, and a row that takes a column moves runs of states to runs of states. A column that
   enters takes the place of one that leaves, so that the runs stay long and the same few shapes of steps come again and
   again; their runs are kept.

   Threads share the states after a step by blocks, each with its part of all the runs: whatever the blocks, a state is
   added to in the order of the row's entries, so threads leave no trace in the bits.

   Nothing underflows: the doubles of a window have a common power of two as long as that leaves their products above
   PERMI_BAND_SAFE; if ever it does not, each state gets its own. */
#pragma once
#include "steps.h"

#define PERMI_BAND_SLOTS 62
#define PERMI_BAND_STATES 4e9  /* offsets are 32-bit */
#define PERMI_BAND_SAFE 1e-270 /* an error of DBL_MIN is below u (double-double: 2^-100) times anything above it */
#define PERMI_BAND_SHAPES 128
#define PERMI_BAND_COUNTED 2048 /* most equal columns in use at a time */
#define PERMI_BAND_KEPT_RUNS 1048576 /* of all shapes that are kept */
#define PERMI_BAND_BLOCKS 8          /* of a step for each thread: some threads are slower than others */
#define PERMI_BAND_POLL 65536        /* states of a step, above which every entry polls */

typedef enum permi_band_values {
  PERMI_BAND_MAGNITUDES,
  PERMI_BAND_SIGNED,  /* value, absolute */
  PERMI_BAND_COMPLEX, /* real, imaginary, absolute */
  PERMI_BAND_DD,      /* high, low, absolute */
  PERMI_BAND_DD_COMPLEX,
  PERMI_BAND_INTEGERS
} permi_band_values;

typedef struct permi_band { /* context of a leaf. "Rows" are what is taken, "columns" what is in the window */
  perm_allocator allocator;
  permi_band_values values;
  permi_algebra algebra; /* of integers, with the next three as in permi_frontier */
  int words, parts;
  uint64_t modulus;
  int n, groups, width;
  int counted, lost;                            /* some columns are equal; entries that scaling cannot keep */
  int *entry_start, *entry_group;               /* n + 1: the entries of a row */
  double *real, *imaginary, *absolute;          /* of an entry; doubles */
  int64_t *integer;                             /* parts of an entry */
  int *capacity, *first, *last, *opening;       /* of a group: columns, first and last row; groups by first row */
  double *cost;                                 /* n + 1: transitions of all rows before */
  double longest;                               /* transitions of a row, at most */
  double most, seconds_each, lost_error, lossy; /* lossy: relative error that states with powers of their own add */
  double bound_relative;
} permi_band;

static void permi_band_release(const perm_allocator *allocator, void *context)
{
  permi_band *band = (permi_band *)context;
  if (!band)
    return;
  permi_release(allocator, band->entry_start);
  permi_release(allocator, band->real);
  permi_release(allocator, band->integer);
  permi_release(allocator, band->cost);
  permi_release(allocator, band);
}

/* ---- shapes: how a row moves the states of a window */
enum { PERMI_BAND_KEEP, PERMI_BAND_LEAVE, PERMI_BAND_ENTER, PERMI_BAND_REPLACE };

typedef struct permi_band_run {
  uint32_t source, target, count, factor;
} permi_band_run;

typedef struct permi_band_shape {
  int slots, used;               /* positions, columns used before */
  int kind[PERMI_BAND_SLOTS];    /* from the fastest position */
  int leaving[PERMI_BAND_SLOTS]; /* capacities before and */
  int staying[PERMI_BAND_SLOTS]; /* after */
  uint64_t hash;
  int complete;                                  /* its runs are kept: */
  size_t start[2 * PERMI_BAND_SLOTS + 1];        /* of position p the column before (2 p), and after (2 p + 1) */
  size_t states;                                 /* after */
} permi_band_shape;

/* counts[p (used + 2) + r]: states of the positions below p with r used. */
static void permi_band_counts(const permi_band_shape *shape, int after, int used, double *counts)
{
  const int size = used + 1;
  int p, r, k;
  for (r = 0; r < size; r++)
    counts[r] = r == 0;
  for (p = 0; p < shape->slots; p++) {
    const double *below = counts + (size_t)p * (size_t)size;
    double *at = counts + (size_t)(p + 1) * (size_t)size;
    const int capacity = after ? (shape->kind[p] == PERMI_BAND_LEAVE ? 0 : shape->staying[p])
                               : (shape->kind[p] == PERMI_BAND_ENTER ? 0 : shape->leaving[p]);
    for (r = 0; r < size; r++) { /* no differences: counts beyond 2^53 on the way must not spoil small ones */
      at[r] = 0;
      for (k = 0; k <= capacity && k <= r; k++)
        at[r] += below[r - k];
    }
  }
}

typedef struct permi_band_run_state {
  const permi_band *band;
  permi_control *control;
  permi_band_shape *shape, *shapes;
  int shape_count;
  permi_band_run *runs;
  size_t run_count, run_room, kept;
  double *counts[2];
  size_t counts_room;
  size_t room; /* states of a buffer */
  void *from, *to;
  int64_t *from_exp2, *to_exp2; /* NULL: all states share exp2 */
  long long exp2;
  double low, high, visited; /* bounds on the non-zero moduli */
  int memory;                /* 1: there was none for a run */
} permi_band_state;

/* An entry of the row and how it moves states: the column `position` of before, or of after (entering) is used. */
typedef struct permi_band_stream {
  int position, entering, lowest; /* below `lowest` all positions keep their columns */
  int keep;                       /* 1: runs are kept, 0: done, */
  int within;                     /* 1: as far as they go to states from begin to before end */
  uint32_t begin, end;
  double re, im, absolute;
  int coefficient_exp2;
  const int64_t *integer;
} permi_band_stream;

static int permi_band_planes(permi_band_values values)
{
  static const int planes[] = {1, 2, 3, 3, 5, 0};
  return planes[values];
}

/* One state's product added where states have powers of their own. */
static void permi_band_add_apart(const permi_band_state *state, const permi_band_stream *stream, size_t s, size_t t,
                                 double factor)
{
  const permi_band_values values = state->band->values;
  const int planes = permi_band_planes(values);
  const double *x = (const double *)state->from + s;
  double *y = (double *)state->to + t, p[5], *absolute = y + (size_t)(planes - 1) * state->room;
  const size_t room = state->room;
  int64_t exp2 = state->from_exp2[s] + stream->coefficient_exp2, d;
  int k, e;
  p[planes - 1] = x[(size_t)(planes - 1) * room] * (stream->absolute * factor);
  if (p[planes - 1] == 0)
    return;
  if (values == PERMI_BAND_SIGNED) {
    p[0] = x[0] * (stream->re * factor);
  } else if (values == PERMI_BAND_COMPLEX) {
    const double re = stream->re * factor, im = stream->im * factor;
    p[0] = x[0] * re - x[room] * im;
    p[1] = x[0] * im + x[room] * re;
  } else if (values >= PERMI_BAND_DD) {
    permi_dd a = permi_dd_make(x[0]), b = {0, 0}, re, im;
    a.lo = x[room];
    if (values == PERMI_BAND_DD_COMPLEX) {
      b.hi = x[2 * room];
      b.lo = x[3 * room];
    }
    re = permi_dd_multiply(permi_dd_make(stream->re), permi_dd_make(factor));
    im = permi_dd_multiply(permi_dd_make(stream->im), permi_dd_make(factor));
    if (values == PERMI_BAND_DD)
      a = permi_dd_multiply(a, re);
    else
      permi_dd_multiply_complex(&a, &b, re, im);
    p[0] = a.hi;
    p[1] = a.lo;
    if (values == PERMI_BAND_DD_COMPLEX) {
      p[2] = b.hi;
      p[3] = b.lo;
    }
  }
  if (*absolute == 0) {
    for (k = 0; k < planes; k++)
      y[(size_t)k * room] = p[k];
    state->to_exp2[t] = exp2;
    return;
  }
  d = exp2 - state->to_exp2[t];
  e = -permi_int_exponent(d < 0 ? -d : d);
  for (k = 0; k < planes; k++)
    if (d > 0)
      y[(size_t)k * room] = ldexp(y[(size_t)k * room], e);
    else
      p[k] = ldexp(p[k], e);
  if (d > 0)
    state->to_exp2[t] = exp2;
  if (values >= PERMI_BAND_DD) {
    for (k = 0; k + 1 < planes; k += 2) {
      permi_dd a, b;
      a.hi = y[(size_t)k * room];
      a.lo = y[(size_t)(k + 1) * room];
      b.hi = p[k];
      b.lo = p[k + 1];
      a = permi_dd_add(a, b);
      y[(size_t)k * room] = a.hi;
      y[(size_t)(k + 1) * room] = a.lo;
    }
    *absolute += p[planes - 1];
  } else {
    for (k = 0; k < planes; k++)
      y[(size_t)k * room] += p[k];
  }
}

static void permi_band_add_dd(const permi_band_state *state, const permi_band_stream *stream, const permi_band_run *run)
{
  const int is_complex = state->band->values == PERMI_BAND_DD_COMPLEX;
  const size_t room = state->room;
  const double *x = (const double *)state->from + run->source, factor = run->factor;
  double *y = (double *)state->to + run->target;
  const permi_dd re = permi_dd_multiply(permi_dd_make(stream->re), permi_dd_make(factor));
  const permi_dd im = permi_dd_multiply(permi_dd_make(stream->im), permi_dd_make(factor));
  const double absolute = stream->absolute * factor;
  size_t k;
  for (k = 0; k < run->count; k++, x++, y++) {
    permi_dd a, b = {0, 0}, c;
    a.hi = x[0];
    a.lo = x[room];
    if (is_complex) {
      b.hi = x[2 * room];
      b.lo = x[3 * room];
      permi_dd_multiply_complex(&a, &b, re, im);
      c.hi = y[2 * room];
      c.lo = y[3 * room];
      b = permi_dd_add(c, b);
      y[2 * room] = b.hi;
      y[3 * room] = b.lo;
    } else {
      a = permi_dd_multiply(a, re);
    }
    c.hi = y[0];
    c.lo = y[room];
    a = permi_dd_add(c, a);
    y[0] = a.hi;
    y[room] = a.lo;
    y[(is_complex ? 4 : 2) * room] += x[(is_complex ? 4 : 2) * room] * absolute;
  }
}

static void permi_band_add_integers(const permi_band_state *state, const permi_band_stream *stream,
                                    const permi_band_run *run)
{
  const permi_band *band = state->band;
  const size_t stride = (size_t)(band->words * band->parts);
  const uint64_t *x = (const uint64_t *)state->from + run->source * stride;
  uint64_t *y = (uint64_t *)state->to + run->target * stride;
  int64_t c[2];
  size_t k, times = 1, t;
  int part;
  for (part = 0; part < band->parts; part++) {
    c[part] = stream->integer[part];
    if (band->algebra == PERMI_RESIDUES)
      c[part] = (int64_t)permi_residue_multiply((uint64_t)c[part], run->factor % band->modulus, band->modulus);
    else if (c[part] > INT64_MAX / (int64_t)run->factor || c[part] < -(INT64_MAX / (int64_t)run->factor))
      times = run->factor; /* too long for one factor */
  }
  if (band->parts == 1)
    c[1] = 0;
  if (band->algebra != PERMI_RESIDUES && times == 1)
    for (part = 0; part < band->parts; part++)
      c[part] *= (int64_t)run->factor;
  for (t = 0; t < times; t++) {
    if (band->algebra == PERMI_WORD)
      for (k = 0; k < run->count; k++)
        y[k] += (uint64_t)c[0] * x[k];
    else if (band->algebra == PERMI_WIDE)
      for (k = 0; k < run->count; k++)
        permi_wide_add_product((permi_wide *)(void *)y + k, (const permi_wide *)(const void *)x + k, c[0]);
    else if (band->algebra == PERMI_RESIDUES)
      for (k = 0; k < run->count; k++)
        permi_residue_accumulate(band->modulus, band->parts, c, y + k * stride, x + k * stride);
    else
      for (k = 0; k < run->count; k++)
        permi_words_accumulate(band->words, band->parts, c, y + k * stride, x + k * stride);
  }
}

static void permi_band_add(const permi_band_state *state, const permi_band_stream *stream, const permi_band_run *run)
{
  const permi_band_values values = state->band->values;
  const size_t room = state->room, count = run->count;
  const double factor = run->factor, re = stream->re * factor, im = stream->im * factor;
  const double absolute = stream->absolute * factor;
  const double *x;
  double *y;
  size_t k;
  if (values == PERMI_BAND_INTEGERS) {
    permi_band_add_integers(state, stream, run);
    return;
  }
  if (state->from_exp2) {
    for (k = 0; k < count; k++)
      permi_band_add_apart(state, stream, run->source + k, run->target + k, factor);
    return;
  }
  if (values >= PERMI_BAND_DD) {
    permi_band_add_dd(state, stream, run);
    return;
  }
  x = (const double *)state->from + run->source;
  y = (double *)state->to + run->target;
  if (values == PERMI_BAND_MAGNITUDES) {
    for (k = 0; k < count; k++)
      y[k] += re * x[k];
  } else if (values == PERMI_BAND_SIGNED) {
    for (k = 0; k < count; k++) {
      y[k] += re * x[k];
      y[room + k] += absolute * x[room + k];
    }
  } else {
    for (k = 0; k < count; k++) {
      y[k] += re * x[k] - im * x[room + k];
      y[room + k] += im * x[k] + re * x[room + k];
      y[2 * room + k] += absolute * x[2 * room + k];
    }
  }
}

/* What of a run goes to the stream's states. */
static void permi_band_add_within(const permi_band_state *state, const permi_band_stream *stream,
                                  const permi_band_run *run)
{
  const uint32_t end = run->target + run->count;
  permi_band_run part = *run;
  if (run->target < stream->begin) {
    const uint32_t skipped = stream->begin - run->target;
    if (skipped >= run->count)
      return;
    part.source += skipped;
    part.target += skipped;
    part.count -= skipped;
  }
  if (end > stream->end) {
    if (part.target >= stream->end)
      return;
    part.count -= end - stream->end;
  }
  permi_band_add(state, stream, &part);
}

/* A run of the stream: kept, longer than the last one if it continues it, or done at once. */
static void permi_band_emit(permi_band_state *state, const permi_band_stream *stream, double source, double target,
                            double count, int factor)
{
  permi_band_run run;
  run.source = (uint32_t)source;
  run.target = (uint32_t)target;
  run.count = (uint32_t)count;
  run.factor = (uint32_t)factor;
  if (!stream->keep) {
    if (stream->within)
      permi_band_add_within(state, stream, &run);
    else
      permi_band_add(state, stream, &run);
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
  if (state->run_count == state->run_room) {
    void *runs = state->runs;
    if (!permi_enlarge(&state->band->allocator, &runs, state->run_count, 2 * state->run_room + 256, sizeof run)) {
      state->memory = 1;
      return;
    }
    state->runs = (permi_band_run *)runs;
    state->run_room = 2 * state->run_room + 256;
  }
  state->runs[state->run_count++] = run;
}
