/* ================================================================================ >>derive_frontier
   Derivatives of a block's permanent, by one pass back through the kept states of lists and arrays. Adjoints are 1 at
   the end and x' = sum over streams from x to y of c y', a derivative is c' = sum of x y'. So adjoints are values of
   the reversed program, with the lists that are kept. THE BOUND: docs/proofs-rounding.md (tests/proofs/chains.v). */
#pragma once
#include "../proof/lanes.h"
#include "trace_frontier.h"
#include "../tree/tree.h"

#define PERMI_BACK_GROUPS 1024 /* of a list, summed apart */

typedef struct permi_back {
  permi_trace *trace;
  permi_control *control;
  const permi_frontier *frontier;
  int every, begin;        /* of kept layers; the one before those in `within`, or -1 */
  permi_pool within;
  permi_frontier reversed; /* layer q, stream r: steps - q, streams - 1 - r */
  permi_sizes *sizes;      /* by stream, of this pass */
  size_t offset, bytes;    /* of its part of a derivative: words before; bytes */
  double terms;            /* of a dot, at most */
  uint64_t *sum;           /* lists: by stream of a step */
  char *bar[2];            /* lists: adjoints */
  double **part;           /* arrays: by stream, for each piece */
} permi_back;

static PERMI_ALWAYS_INLINE void permi_values_dot_of(permi_algebra algebra, const permi_numbers *numbers, const char *x,
                                                    const char *bar, const uint32_t *pair, const uint16_t *place,
                                                    size_t count, void *to)
{
  const permi_coefficient one = permi_coefficient_one();
  const size_t bytes = 8 * permi_value_words(algebra, numbers);
  uint64_t sum[2 * PERM_INTEGER_WORDS];
  memset(sum, 0, bytes);
  for (size_t k = 0; k < count; k++) {
    const size_t i = pair ? pair[k] >> 16 : k, j = pair ? pair[k] & 65535 : place ? place[k] : k;
    if (!place || j != PERMI_ARRAY_NOWHERE)
      permi_value_fuse(algebra, numbers, x + i * bytes, sum, bar + j * bytes);
  }
  permi_value_add(algebra, numbers, &one, to, sum, 0);
}

/* Adds sums of x bar: at pairs (bar's place | x's << 16), or at x's `place` in bar, or in step. */
static void permi_values_dot(const permi_numbers *numbers, const void *x, const void *bar, const uint32_t *pair,
                             const uint16_t *place, size_t count, void *to)
{
  const char *from = (const char *)x, *with = (const char *)bar;
  switch (numbers->algebra) {
#define PERMI_CASE(algebra, as)                                                                                        \
  case algebra: permi_values_dot_of(as, numbers, from, with, pair, place, count, to); break;
    PERMI_CASE(PERMI_MAGNITUDES, PERMI_MAGNITUDES) PERMI_CASE(PERMI_SIGNED, PERMI_SIGNED)
    PERMI_CASE(PERMI_COMPLEX, PERMI_COMPLEX) PERMI_CASE(PERMI_PAIR_VALUES, PERMI_PAIR_VALUES)
    PERMI_CASE(PERMI_WORD, PERMI_WORD) PERMI_CASE(PERMI_WIDE, PERMI_WORDS) PERMI_CASE(PERMI_WORDS, PERMI_WORDS)
    PERMI_CASE(PERMI_RESIDUES, PERMI_RESIDUES)
#undef PERMI_CASE
  default: break; /* never chosen */
  }
}

static void permi_block_dots(const permi_numbers *numbers, void *x, size_t count, const permi_origin *origin,
                             int origins)
{
  for (; origins > 0; origins--, origin++)
    if (origin->sum)
      permi_values_dot(numbers, x, origin->x, NULL, origin->place, count, origin->sum);
}

static int permi_back_reverse(permi_pool *pool, const permi_frontier *from, permi_frontier *to)
{
  const int steps = from->steps, words = from->mask_words, last = from->stream_start[steps] - 1;
  const size_t layers = (size_t)steps + 1, streams = (size_t)last + 1;
  uint64_t *born = (uint64_t *)permi_pool_zeros(pool, layers * (size_t)(words + 3), sizeof *born), *bits;
  permi_arrays *arrays = (permi_arrays *)permi_pool_get(pool, 1, sizeof *arrays);
  *to = *from;
  to->mask = (uint64_t *)permi_pool_get(pool, streams, 3 * (size_t)words * sizeof *to->mask);
  to->coefficient = (permi_coefficient *)permi_pool_get(pool, streams, sizeof *to->coefficient);
  to->states = (double *)permi_pool_get(pool, layers, 2 * sizeof *to->states);
  if (!permi_pool_ints(pool, &to->stream_start, layers, &to->ones, layers, &to->most, layers, (int **)NULL) ||
      pool->failed)
    return 0;
  bits = born + layers * (size_t)words;
  to->rows = 0;
  to->cost = to->states + layers;
  to->room[steps & 1] = from->room[0];
  to->room[1 - (steps & 1)] = from->room[1];
  if (from->arrays) {
    *arrays = *from->arrays;
    arrays->bytes = 0;
    arrays->occupied = bits;
    arrays->rows = bits + layers;
    arrays->born = arrays->rows + layers;
    to->arrays = arrays;
  }
  for (int v = 0; v < from->vertices; v++)
    if (from->slot[v] >= 0) {
      const uint64_t bit = UINT64_C(1) << (from->slot[v] & 63);
      born[(from->birth[v] + 1) * words + (from->slot[v] >> 6)] |= bit;
      bits[2 * layers + (size_t)(steps - from->death[v])] |= bit;
    }
  for (int q = 0; q <= steps; q++) {
    const int p = steps - q;
    to->stream_start[q] = last + 1 - from->stream_start[p];
    to->ones[q] = from->ones[p];
    to->most[q] = from->most[p];
    to->states[q] = from->states[p];
    to->cost[q] = from->cost[steps] - from->cost[p];
    bits[q] = from->arrays ? from->arrays->occupied[p] : 0;
    bits[layers + (size_t)q] = from->arrays ? from->arrays->rows[p] : 0;
    for (int s = from->stream_start[p]; p < steps && s < from->stream_start[p + 1]; s++) {
      uint64_t *test = to->mask + (last - s) * 3 * words, *want = test + words;
      to->coefficient[last - s] = from->coefficient[s];
      for (int w = 0; w < words; w++) {
        const uint64_t flip = want[words + w] = permi_stream_word(from, s, 2, w);
        test[w] = permi_stream_word(from, s, 0, w) | born[(p + 1) * words + w];
        want[w] = (permi_stream_word(from, s, 1, w) ^ flip) & test[w];
      }
    }
  }
  return 1;
}

/* The sum of `states` products was added to the derivative by stream s. */
static void permi_back_derived(permi_back *back, int s, const permi_sizes *kept, const permi_sizes *bar, double states)
{
  back->sizes[s].exp2 = kept->exp2 + bar->exp2;
  back->sizes[s].loss = permi_tree_join_loss(kept, bar, states);
}

/* A dot of `states` terms has been summed in three levels. */
static void permi_back_terms(permi_back *back, double first, double second, double third, double states)
{
  back->terms = fmax(back->terms, fmin(first, states) + fmin(second, states) + fmin(third, states));
}

static void *permi_back_place(const permi_back *back, int s)
{
  const permi_derived *derived = back->trace->derived;
  return derived->value + (size_t)s * derived->size + back->offset;
}

/* Computes layers from the last kept one to p again. */
static perm_status permi_back_again(permi_back *back, int p, int absolute)
{
  permi_frontier_kept *kept = (permi_frontier_kept *)back->trace->kept;
  const int begin = p - p % back->every;
  if (p == begin || back->begin == begin)
    return PERM_OK;
  permi_pool_release(&back->within);
  back->begin = begin;
  kept->pool = &back->within;
  kept->within = 1;
  return permi_frontier_layers(back->trace, back->control, back->frontier, absolute, begin, p);
}

/* Makes the adjoints of a kept list. */
static perm_status permi_lists_back(permi_run *run, int q)
{
  permi_back *back = (permi_back *)run->base.keeper;
  const permi_frontier *frontier = back->frontier;
  const int p = frontier->steps - 1 - q, last = frontier->stream_start[p + 1] - 1;
  const permi_frontier_kept *kept = (const permi_frontier_kept *)back->trace->kept;
  const permi_numbers *numbers = &frontier->numbers;
  const permi_coefficient one = permi_coefficient_one();
  const size_t size = permi_numbers_words(numbers), bytes = 8 * size, words = (size_t)frontier->mask_words;
  const permi_list *source = &run->list[q & 1];
  permi_list *target = &run->list[(q + 1) & 1];
  const permi_sizes sizes = run->base.sizes;
  perm_status status = permi_back_again(back, p, 0);
  size_t g, longest = 0;
  if (status != PERM_OK)
    return status;
  run->base.done += frontier->cost[frontier->steps] * PERMI_STATE_SECONDS;
  *target = kept->list[p];
  target->value = back->bar[(q + 1) & 1];
  permi_run_prepare(run, q);
  memset(back->sum, 0, (size_t)run->streams * bytes);
  for (g = 0; g < target->groups && status == PERM_OK; g++) {
    const uint64_t *key = target->high + g * words;
    const int pattern = target->pattern[g];
    const size_t count = target->patterns.first[pattern + 1] - target->patterns.first[pattern];
    const char *x = (const char *)kept->list[p].value + target->first[g] * bytes;
    char *y = (char *)target->value + target->first[g] * bytes;
    longest = count > longest ? count : longest;
    memset(y, 0, count * bytes);
    for (int s = 0; s < run->streams; s++) {
      permi_cursor *cursor = &run->cursor[s];
      while (permi_key_compare(cursor->key, key, (int)words) < 0) {
        cursor->group++;
        permi_cursor_settle(cursor, source, (int)words);
      }
      if (permi_key_compare(cursor->key, key, (int)words) == 0) {
        const char *bar = (const char *)source->value + source->first[cursor->group] * bytes;
        const permi_move *move = permi_moves_find(run->moves, run->step, s, cursor, &source->patterns,
                                                  source->pattern[cursor->group], &target->patterns, pattern);
        const uint32_t *pair = move->whole ? NULL : run->moves->pair + move->first;
        permi_values_adders[numbers->algebra](numbers, &cursor->c, y, bar, pair, (size_t)move->count, 0);
        if (frontier->entry[last - s] != INT_MIN)
          permi_values_dot(numbers, x, bar, pair, NULL, (size_t)move->count, back->sum + (size_t)s * size);
      }
    }
    if ((g + 1) % PERMI_BACK_GROUPS == 0 || g + 1 == target->groups) {
      for (int s = 0; s < run->streams; s++)
        permi_values_add(numbers, &one, permi_back_place(back, last - s), back->sum + (size_t)s * size, 1);
      memset(back->sum, 0, (size_t)run->streams * bytes);
      status = permi_runner_poll(&run->base, PERMI_RUNNER_POLL / 16, run->base.done, 0);
    }
  }
  for (int s = 0; s < run->streams; s++)
    permi_back_derived(back, last - s, &kept->sizes[p], &sizes, (double)target->states);
  permi_back_terms(back, (double)longest, PERMI_BACK_GROUPS, (double)target->groups / PERMI_BACK_GROUPS + 1,
                   (double)target->states);
  if (run->tracking)
    permi_values_track(numbers->algebra, target->value, target->states, &run->base.sizes);
  return status;
}

static perm_status permi_lists_pass_back(permi_back *back, permi_control *control)
{
  const permi_frontier *frontier = back->frontier;
  permi_run run;
  memset(&run, 0, sizeof run);
  run.base.keeper = back;
  perm_status status = permi_run_open(&back->reversed, control, permi_run_step, &run);
  run.advance = permi_lists_back;
  if (status == PERM_OK) {
    permi_list first = ((permi_frontier_kept *)back->trace->kept)->list[frontier->steps];
    for (int k = 0; k < 2; k++) {
      back->bar[k] = (char *)run.list[k].value;
      permi_list_release(&run.base.locked, &run.list[k]);
    }
    first.value = back->bar[0];
    run.list[0] = first;
    back->sum = (uint64_t *)permi_pool_get(&run.base.pool, (size_t)permi_frontier_streams_most(frontier),
                                           permi_value_bytes(frontier));
    status = back->sum ? permi_runner_go(&run.base, 0, frontier->steps, permi_run_advance) : PERM_ERROR_MEMORY;
    memset(run.list, 0, sizeof run.list); /* the trace's */
  }
  permi_run_release(&run);
  return status;
}

/* Adds to derivatives by a step's streams; the adjoints of their targets are in memory, layer q of the reversed. */
static perm_status permi_arrays_back(permi_arrays_run *run, int q)
{
  permi_back *back = (permi_back *)run->base.keeper;
  const permi_frontier *frontier = back->frontier;
  const permi_frontier_kept *kept = (const permi_frontier_kept *)back->trace->kept;
  const int p = frontier->steps - 1 - q, last = frontier->stream_start[p + 1] - 1;
  const int streams = last + 1 - frontier->stream_start[p];
  const permi_layout *target = &run->layout[(q + 1) & 1];
  const permi_block_kernel kernel = run->kernel;
  const size_t words = run->bytes / 8, pieces = (size_t)target->tops * PERMI_ARRAY_PIECES;
  permi_array_stepping step = {run, q, run->base.done, 0, 0, NULL, back->part, words};
  uint64_t one[2 * PERM_INTEGER_WORDS];
  double block = 0, blocks = 0, *room = back->part[run->most];
  perm_status status = permi_back_again(back, p, run->absolute);
  if (status != PERM_OK)
    return status;
  step.kept = (char *)kept->value[p];
  run->kernel = permi_block_dots;
#if PERMI_X86
  if (run->numbers.algebra == PERMI_MAGNITUDES && permi_lanes(run->arrays->isa) >= 4) {
    step.sums = permi_lanes(run->arrays->isa) == 4 ? 4 : 8;
    run->kernel = step.sums == 4 ? permi_block_dots_avx2 : permi_block_dots_avx512;
  }
#endif
  memset(room, 0, (size_t)streams * pieces * step.sums * sizeof *room);
  memcpy(run->top, target->top, (size_t)target->tops * sizeof *run->top);
  for (int s = 0; s < streams; s++)
    back->part[s] = frontier->entry[last - s] == INT_MIN ? NULL : room + (size_t)s * pieces * step.sums;
  run->tracking = 0;
  status = permi_share(frontier->states[p] < PERMI_PARALLEL_STATES ? 1 : run->base.threads, 0, pieces,
                       permi_array_piece, &step, NULL);
  run->kernel = kernel;
  permi_value_one(&run->numbers, one);
  for (int s = 0; s < streams; s++) {
    for (size_t k = 0; k < pieces * step.sums && back->part[s]; k += words)
      permi_values_dot(&run->numbers, back->part[s] + k, one, NULL, NULL, 1, permi_back_place(back, last - s));
    permi_back_derived(back, last - s, &kept->sizes[p], &run->base.sizes, (double)target->states);
  }
  for (int s = 0; s <= target->low; s++)
    block = fmax(block, target->start[s + 1] - target->start[s]);
  for (int ones = 0; ones <= run->arrays->top; ones++)
    blocks = fmax(blocks, target->middle_start[ones + 1] - target->middle_start[ones]);
  permi_back_terms(back, block, blocks / PERMI_ARRAY_PIECES + 1, (double)(pieces * step.sums / words),
                   (double)target->states);
  return status;
}

static perm_status permi_arrays_pass_back(permi_back *back, permi_control *control, int absolute)
{
  const permi_frontier *frontier = back->frontier;
  const double seconds = permi_arrays_seconds(frontier);
  permi_arrays_run run;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&run, 0, sizeof run);
  run.back = permi_arrays_back;
  run.base.keeper = back;
  if (permi_arrays_measured(&back->reversed, control) && permi_arrays_open(&run, &back->reversed, control, seconds)) {
    const size_t most = (size_t)run.most, pieces = PERMI_ARRAY_PIECES * permi_places_tops(frontier);
    permi_arrays_aim(&run, absolute);
    run.seconds_before = seconds;
    back->part = (double **)permi_pool_get(&run.base.pool, most + 1, sizeof *back->part);
    if (back->part)
      back->part[most] = (double *)permi_pool_get(&run.base.pool, most * pieces,
                                                  permi_value_bytes(frontier) + 8 * sizeof(double));
    if (!run.base.pool.failed)
      status = permi_arrays_pass(&run);
  }
  permi_pool_release(&run.base.pool);
  return status;
}

/* One pass keeps states, and goes back over them; arrays with moduli, for these the second time. */
static perm_status permi_back_pass(permi_back *back, permi_control *control, int pass, permi_sizes *whole)
{
  permi_trace *trace = back->trace;
  const permi_frontier *frontier = back->frontier;
  const int last = frontier->steps;
  const void *value = NULL;
  perm_status status = permi_frontier_keep(trace, control, frontier, pass, back->every);
  if (status != PERM_OK)
    return status;
  const permi_frontier_kept *kept = (const permi_frontier_kept *)trace->kept;
  if (frontier->arrays)
    value = kept->value[last];
  else if (kept->list[last].states)
    value = kept->list[last].value;
  if (value)
    memcpy(trace->derived->whole.value + back->offset, value, back->bytes);
  *whole = kept->sizes[last];
  back->begin = -1;
  status = frontier->arrays ? permi_arrays_pass_back(back, control, pass) : permi_lists_pass_back(back, control);
  permi_pool_release(&back->within);
  permi_pool_release(&trace->pool);
  return status;
}

/* Returns the bytes of layers, where each `every`-th is kept, and of `runs`. */
static double permi_back_bytes(const permi_frontier *frontier, int every, int runs)
{
  const double bytes = (double)permi_value_bytes(frontier) + PERMI_GROUP_BYTES, *states = frontier->states;
  double kept = 0, within = 0, most = 0;
  for (int p = 0; p <= frontier->steps; p++) {
    const int keeps = p % every == 0 || p == frontier->steps;
    kept += keeps ? states[p] : 0;
    within = keeps ? 0 : within + states[p];
    most = fmax(most, within);
  }
  return (kept + most + runs * (frontier->room[0] + frontier->room[1])) * bytes +
         runs * (frontier->arrays ? 65536.0 : (double)sizeof(permi_moves)) +
         frontier->stream_start[frontier->steps] * (2 * bytes + 200);
}

/* 1: all layers are kept; else so few that they fit, or that they take the fewest bytes. */
static int permi_back_every(const permi_frontier *frontier, double limit)
{
  double least = permi_back_bytes(frontier, 1, 1);
  int every, best = 1;
  for (every = 2; every < frontier->steps && least > limit; every += 1 + every / 8) {
    const double bytes = permi_back_bytes(frontier, every, 2);
    best = bytes < least ? every : best;
    least = fmin(bytes, least);
  }
  return best;
}

static perm_status permi_frontier_derive(permi_trace *trace, permi_control *control)
{
  const permi_frontier *plan = (const permi_frontier *)trace->plan;
  const int streams = plan->stream_start[plan->steps], passes = plan->arrays ? permi_arrays_passes(plan) : 1;
  const size_t size = permi_numbers_words(&plan->numbers);
  const double product = plan->numbers.algebra == PERMI_COMPLEX ? 3 : 1;
  permi_pool pool = {&plan->owned.allocator, NULL, 0};
  permi_frontier frontier = *plan;
  permi_arrays arrays;
  permi_sizes whole[2];
  permi_back back;
  perm_status status = PERM_OK;
  memset(&back, 0, sizeof back);
  frontier.words = NULL; /* adjoints are long */
  if (plan->arrays) {
    arrays = *plan->arrays;
    arrays.bytes = plan->words ? 0 : arrays.bytes;
    frontier.arrays = &arrays;
  }
  back.trace = trace;
  back.control = control;
  back.within.allocator = &plan->owned.allocator;
  back.every = permi_back_every(plan, permi_sample_left(control->options));
  back.frontier = &frontier;
  if (!permi_derived_begin(trace, &plan->numbers, streams))
    return PERM_ERROR_MEMORY;
  permi_derived *derived = trace->derived;
  back.sizes = derived->sizes;
  if (!permi_back_reverse(&pool, &frontier, &back.reversed))
    status = PERM_ERROR_MEMORY;
  for (int pass = 0; pass < passes && status == PERM_OK; pass++) {
    back.bytes = 8 * (passes == 1 ? size : pass ? 1 : size - 1);
    if (pass) {
      back.offset = size - 1;
      back.sizes = (permi_sizes *)permi_pool_zeros(&pool, (size_t)streams, sizeof *back.sizes);
    }
    status = back.sizes ? permi_back_pass(&back, control, pass, &whole[pass]) : PERM_ERROR_MEMORY;
  }
  for (int s = 0; s < streams && status == PERM_OK; s++) {
    permi_sizes both[2] = {derived->sizes[s], back.sizes[s]};
    derived->of[s] = plan->entry[s];
    if (passes == 2)
      permi_arrays_join((double *)(void *)(derived->value + (size_t)s * size), (int)size - 1, both);
    derived->sizes[s] = both[0];
    derived->roundings[1] += 1;
  }
  if (status == PERM_OK && passes == 2)
    permi_arrays_join((double *)(void *)derived->whole.value, (int)size - 1, whole);
  derived->whole.sizes = whole[0];
  derived->roundings[0] += product * trace->n + plan->additions;
  derived->roundings[1] += derived->roundings[0] + product + back.terms;
  permi_pool_release(&pool);
  return status;
}

/* Besides a run, which the offer counts. */
static double permi_frontier_derive_bytes(const void *plan)
{
  const permi_frontier *frontier = (const permi_frontier *)plan;
  const int every = permi_back_every(frontier, 0);
  return permi_back_bytes(frontier, every, every > 1);
}

static const permi_tracer permi_frontier_deriver = {permi_frontier_derive_bytes, permi_frontier_derive, NULL, NULL};
/* SPDX-License-Identifier: MIT */
