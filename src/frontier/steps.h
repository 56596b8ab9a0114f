/* ========================================================================================== >>steps
   Running the programme: one step after the other between two lists, rescaled by powers of two, and the bound. */
#pragma once
#include "frontier.h"

typedef struct permi_take { /* a stream reaches a target's group from a source's */
  uint32_t group, stream;
} permi_take;

/* A part of a step's target. Once merged: its groups, each with a key, a pattern and the number of streams that reach
   it, these in order of groups and streams. */
typedef struct permi_part {
  permi_cursor *cursor; /* of the step's streams */
  size_t groups, group_room, takes, take_room, states;
  uint64_t *high;
  int *pattern; /* of the part's own patterns, or of the list's */
  uint32_t *taken;
  permi_take *take;
  permi_patterns patterns;
  int own, *number; /* 1: numbers of its own patterns are, in the list, these */
  size_t group_at, state_at;
  uint64_t end[PERMI_MASK_WORDS]; /* the first key behind it */
  double smallest, largest;       /* of its values */
  perm_status status;
} permi_part;

/* What a run carries from step to step. Doubles: true values are those of the list times 2^exp2; smallest and
   largest bound the moduli of its non-zero values; `loss` bounds what underflow has done to any one value. */
typedef struct permi_run {
  const perm_allocator *allocator;
  perm_allocator locked; /* the same for threads */
  permi_control *control;
  permi_list list[2];
  permi_part *part;
  int parts_at_once, threads;
  struct permi_sorting *sorting; /* NULL: lists are merged */
  permi_moves *moves; /* of a thread */
  size_t *weight; /* [stream][block of groups]: states that take part before it */
  size_t weight_room;
  double smallest, largest, loss, visited;
  int step;              /* counted from 1 */
  int careful, tracking; /* sizes are noted in every step; in this step */
  double state_seconds;  /* predicted, per state of the present step */
  long long exp2;
  int words, parts, slots; /* as in permi_frontier, */
  uint64_t modulus;
  size_t stride; /* and words of a value */
} permi_run;

/* Smallest and largest of |x[0]|, |x[stride]|, ...; four chains, for a minimum takes four cycles. A 0 from underflow
   counts as the smallest. */
static void permi_track(const double *x, size_t count, size_t stride, double *smallest, double *largest)
{
  double low[4], high[4];
  size_t k;
  int j;
  for (j = 0; j < 4; j++) {
    low[j] = *smallest;
    high[j] = *largest;
  }
  for (k = 0; k + 4 <= count; k += 4)
    for (j = 0; j < 4; j++) {
      double y = fabs(x[(k + (size_t)j) * stride]);
      low[j] = y < low[j] ? y : low[j];
      high[j] = y > high[j] ? y : high[j];
    }
  for (; k < count; k++) {
    double y = fabs(x[k * stride]);
    low[0] = y < low[0] ? y : low[0];
    high[0] = y > high[0] ? y : high[0];
  }
  for (j = 1; j < 4; j++) {
    low[0] = low[j] < low[0] ? low[j] : low[0];
    high[0] = high[j] > high[0] ? high[j] : high[0];
  }
  *smallest = low[0];
  *largest = high[0];
}

/* The same for pairs: the largest absolute, the smallest non-zero |value| (0 is what cancelling leaves). */
static void permi_track_signed(const permi_signed *x, size_t count, double *smallest, double *largest)
{
  double low = *smallest, high = *largest;
  size_t k;
  for (k = 0; k < count; k++) {
    double y = fabs(x[k].value);
    y += (double)(y == 0) * x[k].absolute;
    low = y < low ? y : low;
    high = x[k].absolute > high ? x[k].absolute : high;
  }
  *smallest = low;
  *largest = high;
}

/* The same for numbers of `parts` parts, `apart` doubles from one to the next, and the absolute at their end: `size`
   doubles in all. */
static void permi_track_parts(const double *x, size_t count, int size, int parts, int apart, double *smallest,
                              double *largest)
{
  double low = *smallest, high = *largest;
  size_t k;
  int part;
  for (k = 0; k < count; k++, x += size) {
    for (part = 0; part < parts; part++) {
      double y = fabs(x[part * apart]);
      y += (double)(y == 0) * x[size - 1];
      low = y < low ? y : low;
    }
    high = x[size - 1] > high ? x[size - 1] : high;
  }
  *smallest = low;
  *largest = high;
}

/* -- values of every algebra: y = c x, y += c x. Callers give the algebra as a constant, so that compilers leave
   nothing of the choice in a loop. -- */

/* A coefficient c, and the shape of integers as in permi_run. */
typedef struct permi_coefficient {
  double real, imaginary, absolute;
  int64_t integer[2]; /* real and imaginary part; of residues from 0 to modulus - 1 */
  int words, parts;
  uint64_t modulus;
} permi_coefficient;

/* Bytes of a value; stride: words of an integer of any number of words. */
static PERMI_ALWAYS_INLINE size_t permi_value_size(permi_algebra algebra, size_t stride)
{
  switch (algebra) {
  case PERMI_MAGNITUDES:
    return sizeof(double);
  case PERMI_SIGNED:
    return sizeof(permi_signed);
  case PERMI_COMPLEX:
    return sizeof(permi_complex_value);
  case PERMI_MAGNITUDES_DD:
    return sizeof(permi_dd);
  case PERMI_SIGNED_DD:
    return sizeof(permi_signed_dd);
  case PERMI_COMPLEX_DD:
    return sizeof(permi_complex_dd_value);
  case PERMI_PAIR_VALUES:
    return sizeof(permi_pair);
  case PERMI_PAIR_DD_VALUES:
    return sizeof(permi_dd_complex);
  case PERMI_WORD:
    return sizeof(uint64_t);
  case PERMI_WIDE:
    return sizeof(permi_wide);
  default:
    return stride * sizeof(uint64_t);
  }
}

/* A double-double times a double: relative error 3 u^2, as Theorem 3 of Joldes, Muller, Popescu, ACM Trans. Math.
   Softw. 44 (2017) 15res has it for this order of operations. */
static permi_dd permi_frontier_times(permi_dd x, double c)
{
  permi_dd p;
  p.hi = x.hi * c;
  PERMI_KEEP_DOUBLE(p.hi);
  p.lo = fma(x.hi, c, -p.hi);
  return permi_two_sum(p.hi, p.lo + x.lo * c);
}

/* y += c x; a c that is real saves the products with 0. */
static void permi_dd_pair_add_product(permi_dd_complex *y, const permi_dd_complex *x, double real, double imaginary)
{
  permi_dd re = permi_frontier_times(x->re, real), im = permi_frontier_times(x->im, real);
  if (imaginary != 0) {
    re = permi_dd_add(re, permi_frontier_times(x->im, -imaginary));
    im = permi_dd_add(im, permi_frontier_times(x->re, imaginary));
  }
  y->re = permi_dd_add(y->re, re);
  y->im = permi_dd_add(y->im, im);
}

/* y += c x modulo 2^128. */
static void permi_wide_add_product(permi_wide *y, const permi_wide *x, int64_t c)
{
  permi_wide p = permi_multiply_words(x->low, (uint64_t)c);
  p.high += x->high * (uint64_t)c - (c < 0 ? x->low : 0); /* (uint64_t)c = c + 2^64 for negative c */
  y->low += p.low;
  y->high += p.high + (y->low < p.low);
}

/* y += c x of integers of `words` words, or of two such parts. */
static void permi_words_accumulate(int words, int parts, const int64_t *c, uint64_t *y, const uint64_t *x)
{
  permi_words_add_product(y, x, words, c[0]);
  if (parts == 2) {
    permi_words_add_product(y + words, x + words, words, c[0]);
    if (c[1]) {
      permi_words_add_product(y, x + words, words, -c[1]); /* c[1] came from a double: not INT64_MIN */
      permi_words_add_product(y + words, x, words, c[1]);
    }
  }
}

/* The same of residues, c from 0 to p - 1. */
static void permi_residue_accumulate(uint64_t p, int parts, const int64_t *integer, uint64_t *y, const uint64_t *x)
{
  const uint64_t c = (uint64_t)integer[0], d = (uint64_t)integer[1];
  y[0] = (y[0] + permi_residue_multiply(x[0], c, p)) % p; /* p <= 2^63 */
  if (parts == 2) {
    y[0] = (y[0] + permi_residue_multiply(x[1], d ? p - d : 0, p)) % p;
    y[1] = (y[1] + permi_residue_multiply(x[1], c, p)) % p;
    y[1] = (y[1] + permi_residue_multiply(x[0], d, p)) % p;
  }
}

/* *y += c *x */
static PERMI_ALWAYS_INLINE void permi_value_add(permi_algebra algebra, const permi_coefficient *c, void *to,
                                                const void *from)
{
  switch (algebra) {
  case PERMI_MAGNITUDES:
    *(double *)to += c->real * *(const double *)from;
    break;
  case PERMI_SIGNED: {
    permi_signed *y = (permi_signed *)to;
    const permi_signed *x = (const permi_signed *)from;
    y->value += c->real * x->value;
    y->absolute += c->absolute * x->absolute;
    break;
  }
  case PERMI_COMPLEX: {
    permi_complex_value *y = (permi_complex_value *)to;
    const permi_complex_value *x = (const permi_complex_value *)from;
    const double real = c->real * x->real - c->imaginary * x->imaginary;
    const double imaginary = c->real * x->imaginary + c->imaginary * x->real, absolute = c->absolute * x->absolute;
    y->real += real;
    y->imaginary += imaginary;
    y->absolute += absolute;
    break;
  }
  case PERMI_MAGNITUDES_DD: {
    permi_dd *y = (permi_dd *)to;
    *y = permi_dd_add(*y, permi_frontier_times(*(const permi_dd *)from, c->real));
    break;
  }
  case PERMI_SIGNED_DD: {
    permi_signed_dd *y = (permi_signed_dd *)to;
    const permi_signed_dd *x = (const permi_signed_dd *)from;
    y->value = permi_dd_add(y->value, permi_frontier_times(x->value, c->real));
    y->absolute += c->absolute * x->absolute;
    break;
  }
  case PERMI_COMPLEX_DD: {
    permi_complex_dd_value *y = (permi_complex_dd_value *)to;
    const permi_complex_dd_value *x = (const permi_complex_dd_value *)from;
    permi_dd_pair_add_product(&y->value, &x->value, c->real, c->imaginary);
    y->absolute += c->absolute * x->absolute;
    break;
  }
  case PERMI_PAIR_VALUES: {
    permi_pair *y = (permi_pair *)to;
    const permi_pair *x = (const permi_pair *)from;
    y->real += c->real * x->real - c->imaginary * x->imaginary;
    y->imaginary += c->real * x->imaginary + c->imaginary * x->real;
    break;
  }
  case PERMI_PAIR_DD_VALUES:
    permi_dd_pair_add_product((permi_dd_complex *)to, (const permi_dd_complex *)from, c->real, c->imaginary);
    break;
  case PERMI_WORD:
    *(uint64_t *)to += (uint64_t)c->integer[0] * *(const uint64_t *)from;
    break;
  case PERMI_WIDE:
    permi_wide_add_product((permi_wide *)to, (const permi_wide *)from, c->integer[0]);
    break;
  case PERMI_WORDS:
    permi_words_accumulate(c->words, c->parts, c->integer, (uint64_t *)to, (const uint64_t *)from);
    break;
  case PERMI_RESIDUES:
    permi_residue_accumulate(c->modulus, c->parts, c->integer, (uint64_t *)to, (const uint64_t *)from);
    break;
  }
}

/* *y = c *x, `size` bytes */
static PERMI_ALWAYS_INLINE void permi_value_set(permi_algebra algebra, const permi_coefficient *c, void *to,
                                                const void *from, size_t size)
{
  switch (algebra) {
  case PERMI_MAGNITUDES:
    *(double *)to = c->real * *(const double *)from;
    break;
  case PERMI_SIGNED: {
    permi_signed *y = (permi_signed *)to;
    const permi_signed *x = (const permi_signed *)from;
    y->value = c->real * x->value;
    y->absolute = c->absolute * x->absolute;
    break;
  }
  case PERMI_COMPLEX: {
    permi_complex_value *y = (permi_complex_value *)to;
    const permi_complex_value x = *(const permi_complex_value *)from;
    y->real = c->real * x.real - c->imaginary * x.imaginary;
    y->imaginary = c->real * x.imaginary + c->imaginary * x.real;
    y->absolute = c->absolute * x.absolute;
    break;
  }
  case PERMI_MAGNITUDES_DD:
    *(permi_dd *)to = permi_frontier_times(*(const permi_dd *)from, c->real);
    break;
  case PERMI_SIGNED_DD: {
    permi_signed_dd *y = (permi_signed_dd *)to;
    const permi_signed_dd *x = (const permi_signed_dd *)from;
    y->value = permi_frontier_times(x->value, c->real);
    y->absolute = c->absolute * x->absolute;
    break;
  }
  case PERMI_WORD:
    *(uint64_t *)to = (uint64_t)c->integer[0] * *(const uint64_t *)from;
    break;
  default:
    memset(to, 0, size);
    permi_value_add(algebra, c, to, from);
  }
}

/* *y += *x, of one or two words: where coefficients are 1, that pays. */
static PERMI_ALWAYS_INLINE void permi_value_add_one(permi_algebra algebra, void *to, const void *from)
{
  if (algebra == PERMI_WORD) {
    *(uint64_t *)to += *(const uint64_t *)from;
  } else {
    permi_wide *y = (permi_wide *)to;
    const permi_wide *x = (const permi_wide *)from;
    y->low += x->low;
    y->high += x->high + (y->low < x->low);
  }
}

/* The sizes of finished values enter part->smallest and part->largest. Integers have none. */
static PERMI_ALWAYS_INLINE void permi_value_track(permi_algebra algebra, const void *values, size_t count,
                                                  permi_part *part)
{
  const double *x = (const double *)values;
  if (algebra == PERMI_MAGNITUDES)
    permi_track(x, count, 1, &part->smallest, &part->largest);
  else if (algebra == PERMI_SIGNED)
    permi_track_signed((const permi_signed *)values, count, &part->smallest, &part->largest);
  else if (algebra == PERMI_COMPLEX)
    permi_track_parts(x, count, 3, 2, 1, &part->smallest, &part->largest);
  else if (algebra == PERMI_MAGNITUDES_DD)
    permi_track(x, count, 2, &part->smallest, &part->largest);
  else if (algebra == PERMI_SIGNED_DD)
    permi_track_parts(x, count, 3, 1, 2, &part->smallest, &part->largest);
  else if (algebra == PERMI_COMPLEX_DD)
    permi_track_parts(x, count, 5, 2, 2, &part->smallest, &part->largest);
}

static PERMI_ALWAYS_INLINE permi_coefficient permi_cursor_coefficient(const permi_run *run, const permi_cursor *cursor)
{
  permi_coefficient c;
  c.real = cursor->real;
  c.imaginary = cursor->imaginary;
  c.absolute = cursor->absolute;
  c.integer[0] = cursor->integer[0];
  c.integer[1] = cursor->integer[1];
  c.words = run->words;
  c.parts = run->parts;
  c.modulus = run->modulus;
  return c;
}

/* One step: fills a part of its target that has been merged and placed: per group the sums, straight into the list.
   Where a stream takes all of a group to all of the other, that is y += c x over contiguous arrays. */
static PERMI_ALWAYS_INLINE void permi_step(const permi_run *run, const permi_list *source, permi_list *target,
                                           permi_part *part, permi_moves *moves, permi_algebra algebra)
{
  const size_t size = permi_value_size(algebra, run->stride), words = (size_t)target->words;
  const permi_take *take = part->take;
  size_t group, states = part->state_at, k, count;
  part->smallest = DBL_MAX;
  part->largest = 0;
  if (part->groups) /* an empty part has no arrays */
    memcpy(target->high + part->group_at * words, part->high, part->groups * words * sizeof *part->high);
  for (group = 0; group < part->groups; group++) {
    char *y = (char *)target->value + states * size;
    const int pattern = part->own ? part->number[part->pattern[group]] : part->pattern[group];
    const int taking = (int)part->taken[group];
    int pass, fresh = 1, j;
    count = target->patterns.first[pattern + 1] - target->patterns.first[pattern];
    for (pass = 0; pass < 2; pass++) /* whole moves first: one of them saves the zeros */
      for (j = 0; j < taking; j++) {
        const permi_cursor *cursor = &part->cursor[take[j].stream];
        const char *x = (const char *)source->value + source->first[take[j].group] * size;
        const permi_move *move = permi_moves_find(moves, run->step, (int)take[j].stream, cursor, &source->patterns,
                                                  source->pattern[take[j].group], &target->patterns, pattern);
        const uint32_t *pair = moves->pair + move->first;
        const permi_coefficient c = permi_cursor_coefficient(run, cursor);
        size_t pairs = (size_t)move->count;
        int runs = move->runs;
        if (move->whole == pass)
          continue;
        if (pass == 0 && fresh) {
          for (k = 0; k < count; k++)
            permi_value_set(algebra, &c, y + k * size, x + k * size, size);
        } else if (pass == 0) {
          for (k = 0; k < count; k++)
            permi_value_add(algebra, &c, y + k * size, x + k * size);
        } else {
          if (fresh)
            memset(y, 0, count * size);
          if (move->runs) {
            for (; runs > 0; runs--, pair += 2) {
              char *to = y + (pair[0] >> 16) * size;
              const char *from = x + (pair[0] & 65535) * size;
              for (k = 0; k < pair[1]; k++)
                permi_value_add(algebra, &c, to + k * size, from + k * size);
            }
          } else {
            for (k = 0; k < pairs; k++)
              permi_value_add(algebra, &c, y + (pair[k] >> 16) * size, x + (pair[k] & 65535) * size);
          }
        }
        fresh = 0;
      }
    take += taking;
    if (run->tracking)
      permi_value_track(algebra, y, count, part);
    target->pattern[part->group_at + group] = pattern;
    target->first[part->group_at + group] = states;
    states += count;
  }
}

/* One term: the first of a value (`fresh`), or added to it; with from NULL the finished value is noted. */
static PERMI_ALWAYS_INLINE void permi_step_term(const permi_run *run, permi_part *part, const permi_cursor *cursor,
                                                void *to, const void *from, int fresh, permi_algebra algebra)
{
  const permi_coefficient c = permi_cursor_coefficient(run, cursor);
  if (from && fresh)
    permi_value_set(algebra, &c, to, from, permi_value_size(algebra, run->stride));
  else if (from)
    permi_value_add(algebra, &c, to, from);
  else if (run->tracking)
    permi_value_track(algebra, to, 1, part);
}

#define PERMI_INSTANCE(name, term, algebra)                                                                            \
  static void name(const permi_run *run, const permi_list *source, permi_list *target, permi_part *part,               \
                   permi_moves *moves)                                                                                 \
  {                                                                                                                    \
    permi_step(run, source, target, part, moves, algebra);                                                             \
  }                                                                                                                    \
  static void term(const permi_run *run, permi_part *part, const permi_cursor *cursor, void *to, const void *from,     \
                   int fresh)                                                                                          \
  {                                                                                                                    \
    permi_step_term(run, part, cursor, to, from, fresh, algebra);                                                      \
  }
PERMI_INSTANCE(permi_step_magnitudes, permi_step_magnitudes_term, PERMI_MAGNITUDES)
PERMI_INSTANCE(permi_step_signed, permi_step_signed_term, PERMI_SIGNED)
PERMI_INSTANCE(permi_step_complex, permi_step_complex_term, PERMI_COMPLEX)
PERMI_INSTANCE(permi_step_magnitudes_dd, permi_step_magnitudes_dd_term, PERMI_MAGNITUDES_DD)
PERMI_INSTANCE(permi_step_signed_dd, permi_step_signed_dd_term, PERMI_SIGNED_DD)
PERMI_INSTANCE(permi_step_complex_dd, permi_step_complex_dd_term, PERMI_COMPLEX_DD)
PERMI_INSTANCE(permi_step_word, permi_step_word_term, PERMI_WORD)
PERMI_INSTANCE(permi_step_wide, permi_step_wide_term, PERMI_WIDE)
PERMI_INSTANCE(permi_step_words, permi_step_words_term, PERMI_WORDS)
PERMI_INSTANCE(permi_step_residues, permi_step_residues_term, PERMI_RESIDUES)
#undef PERMI_INSTANCE
