/* ========================================================================================== >>steps
   Steps of the lists, on one thread, as arrays take the large ones: merges states by groups, adds up their values. */
#pragma once
#include "frontier.h"

/* Longer lists are measured in one step of four, unless they grow. */
#define PERMI_TRACK_STATES 2000

typedef struct permi_take {
  uint32_t group, stream;
} permi_take;

typedef struct permi_run {
  permi_runner base;
  const permi_frontier *frontier;
  permi_list list[2];
  permi_cursor *cursor;
  permi_take *take; /* of a group */
  int step, tracking;
  permi_moves moves;
  double state_seconds;
} permi_run;

/* Whole moves go first: they need no zeroing. */
static void permi_group_fill(permi_run *run, const permi_list *source, const permi_list *target, int takes, int pattern,
                             char *y)
{
  const permi_numbers *numbers = &run->frontier->numbers;
  const size_t size = 8 * permi_numbers_words(numbers);
  const size_t count = target->patterns.first[pattern + 1] - target->patterns.first[pattern];
  int pass, k, fresh = 1;
  for (pass = 0; pass < 2; pass++)
    for (k = 0; k < takes; k++) {
      const permi_take take = run->take[k];
      const permi_cursor *cursor = &run->cursor[take.stream];
      const permi_move *move = permi_moves_find(&run->moves, run->step, (int)take.stream, cursor, &source->patterns,
                                                source->pattern[take.group], &target->patterns, pattern);
      if (move->whole == pass)
        continue;
      if (pass && fresh)
        memset(y, 0, count * size);
      permi_values_adders[numbers->algebra](numbers, &cursor->c, y,
                                            (const char *)source->value + source->first[take.group] * size,
                                            pass ? run->moves.pair + move->first : NULL, (size_t)move->count,
                                            fresh && !pass);
      fresh = 0;
    }
  if (run->tracking)
    permi_values_track(numbers->algebra, y, count, &run->base.sizes);
}

static PERMI_ALWAYS_INLINE perm_status permi_run_merge(permi_run *run, int p, int words, int streams)
{
  const perm_allocator *allocator = run->base.pool.allocator;
  const permi_list *source = &run->list[p & 1];
  permi_list *target = &run->list[(p + 1) & 1];
  const size_t size = 8 * permi_numbers_words(&run->frontier->numbers);
  permi_cursor *cursor = run->cursor;
  perm_status status = PERM_OK;
  int s;
  target->groups = target->states = 0;
  target->patterns.count = 0;
  if (target->patterns.table)
    memset(target->patterns.table, 0, 2 * (size_t)target->patterns.room * sizeof *target->patterns.table);
  for (s = 0; s < streams; s++)
    permi_cursor_settle(&cursor[s], source, words);
  while (status == PERM_OK) {
    const uint64_t *least = cursor[0].key;
    uint64_t key[PERMI_MASK_WORDS], bits[PERMI_LOW_WORDS];
    size_t count;
    int takes = 0, pattern;
    for (s = 1; s < streams; s++)
      if (permi_key_compare(cursor[s].key, least, words) < 0)
        least = cursor[s].key;
    if (least[words - 1] == UINT64_MAX)
      break;
    memcpy(key, least, (size_t)words * sizeof *key);
    memset(bits, 0, sizeof bits);
    for (s = 0; s < streams; s++)
      if (permi_key_compare(cursor[s].key, key, words) == 0) {
        const size_t moving = (size_t)source->pattern[cursor[s].group];
        if (permi_pattern_move(source->patterns.bits + moving * PERMI_LOW_WORDS, &cursor[s], bits)) {
          run->take[takes].group = (uint32_t)cursor[s].group;
          run->take[takes++].stream = (uint32_t)s;
        }
        cursor[s].group++;
        permi_cursor_settle(&cursor[s], source, words);
      }
    if (!takes)
      continue;
    pattern = permi_patterns_find(allocator, &target->patterns, bits);
    if (pattern < 0 || !permi_list_room(allocator, target, 1))
      return PERM_ERROR_MEMORY;
    count = target->patterns.first[pattern + 1] - target->patterns.first[pattern];
    if (target->states + count > target->state_room) /* unreachable */
      return PERM_ERROR_MEMORY;
    memcpy(target->high + target->groups * (size_t)words, key, (size_t)words * sizeof *key);
    target->pattern[target->groups] = pattern;
    target->first[target->groups++] = target->states;
    permi_group_fill(run, source, target, takes, pattern, (char *)target->value + target->states * size);
    target->states += count;
    status = permi_runner_poll(&run->base, (double)count,
                               run->base.done + run->state_seconds * (double)target->states, 0);
  }
  return status;
}

/* THE BOUND, derived in docs/proofs-rounding.md: |error| <= g / (1 - g) (computed sum of moduli + loss) + loss, where g
   is gamma of products, additions and roundings of entries, and underflow causes the loss (tests/proofs/chains.v,
   tests/proofs/complex.v, tests/proofs/frontier.g). */
static size_t permi_value_bytes(const permi_frontier *frontier)
{
  return 8 * permi_numbers_words(&frontier->numbers);
}

static int permi_run_prepare(permi_run *run, int p)
{
  const permi_frontier *frontier = run->frontier;
  const int first = frontier->stream_start[p], streams = frontier->stream_start[p + 1] - first;
  permi_sizes *sizes = &run->base.sizes;
  double weight = 0, least = 1;
  int s;
  run->step = p + 1;
  for (s = 0; s < streams; s++) {
    permi_cursor_make(&run->cursor[s], frontier, first + s);
    permi_coefficient_weigh(&frontier->coefficient[first + s], &weight, &least);
  }
  weight *= 1 + 1e-12;
  run->state_seconds = (frontier->cost[p + 1] - frontier->cost[p]) * PERMI_STATE_SECONDS / frontier->states[p + 1];
  if (!permi_algebra_is_integer(frontier->numbers.algebra)) {
    sizes->loss = permi_loss_scaled(sizes->loss, weight, 0);
    if (sizes->smallest * least < PERMI_SAFE_PRODUCT)
      sizes->loss += (frontier->numbers.algebra == PERMI_COMPLEX ? 8 : 2) * streams * DBL_MIN;
    run->tracking = run->list[p & 1].states < PERMI_TRACK_STATES || p % 4 == 0 || sizes->largest * weight > 1e100;
    sizes->smallest = run->tracking ? DBL_MAX : 0;
    sizes->largest = run->tracking ? 0 : sizes->largest * weight;
  }
  return streams;
}

static perm_status permi_run_step(permi_run *run, int p)
{
  const int streams = permi_run_prepare(run, p), words = run->frontier->mask_words;
  return words == 1 ? permi_run_merge(run, p, 1, streams) : permi_run_merge(run, p, words, streams);
}

static void permi_run_release(permi_run *run)
{
  int k;
  for (k = 0; k < 2; k++)
    permi_list_release(run->base.pool.allocator, &run->list[k]);
  permi_pool_release(&run->base.pool);
}

/* Opens a run, which is always released after; `sorting` needs a key for each state. */
static perm_status permi_run_open(const permi_frontier *frontier, permi_control *control, int sorting, permi_run *run)
{
  const perm_allocator *allocator = &frontier->owned.allocator;
  const size_t size = permi_value_bytes(frontier), streams = (size_t)permi_frontier_streams_most(frontier);
  permi_pool *pool = &run->base.pool;
  uint64_t none[PERMI_LOW_WORDS];
  int p, complete;
  memset(none, 0, sizeof none);
  none[0] = 1;
  permi_runner_begin(&run->base, allocator, control, "frontier");
  run->frontier = frontier;
  run->cursor = (permi_cursor *)permi_pool_get(pool, streams, sizeof *run->cursor);
  run->take = (permi_take *)permi_pool_get(pool, streams, sizeof *run->take);
  run->moves.pair = (uint32_t *)permi_pool_get(pool, PERMI_MOVES_PAIRS, sizeof(uint32_t));
  run->moves.move = (permi_move *)permi_pool_zeros(pool, 1, sizeof(permi_move) << PERMI_MOVES_LOG2);
  complete = !pool->failed;
  for (p = 0; p < 2 && complete; p++) { /* growing touches fresh pages */
    permi_list *list = &run->list[p];
    list->words = frontier->mask_words;
    if (frontier->room[p] >= (double)(SIZE_MAX / 64))
      return PERM_ERROR_MEMORY;
    list->state_room = (size_t)frontier->room[p];
    list->value = permi_pool_get(pool, list->state_room, size);
    complete = list->value && permi_list_room(allocator, list, 1) &&
               permi_patterns_find(allocator, &list->patterns, none) == 0 &&
               (!sorting || permi_enlarge(allocator, NULL, &list->high, 0, list->state_room,
                                          (size_t)list->words * sizeof(uint64_t)));
  }
  if (!complete)
    return PERM_ERROR_MEMORY;
  run->list[0].groups = run->list[0].states = 1;
  memset(run->list[0].high, 0, (size_t)frontier->mask_words * sizeof *run->list[0].high);
  run->list[0].first[0] = 0;
  run->list[0].pattern[0] = 0;
  permi_value_one(&frontier->numbers, run->list[0].value);
  return PERM_OK;
}

static perm_status permi_run_advance_by(permi_run *run, int p, perm_status (*step)(permi_run *run, int p))
{
  const permi_frontier *frontier = run->frontier;
  permi_list *target = &run->list[(p + 1) & 1];
  perm_status status;
  int e;
  run->base.done = frontier->cost[p] * PERMI_STATE_SECONDS;
  status = step(run, p);
  if (status == PERM_OK && !(p & PERMI_CANCELS_STEPS))
    permi_values_ease(&frontier->numbers, target->value, target->states, &run->base.sizes);
  /* values within 2^+-500, entries at most 1: nothing overflows */
  e = status == PERM_OK && run->tracking ? permi_sizes_rescale(&run->base.sizes, 1e150, PERMI_SAFE_PRODUCT) : 0;
  if (e)
    permi_values_scale((double *)target->value, target->states * permi_numbers_words(&frontier->numbers), e);
  run->base.visited += (double)target->states;
  return status;
}

static perm_status permi_run_advance(permi_runner *run, int p)
{
  return permi_run_advance_by((permi_run *)run, p, permi_run_step);
}

static perm_status permi_frontier_run_by(const permi_leaf *leaf, permi_control *control, permi_runner_step step,
                                         int sorting, perm_partial *partial)
{
  const permi_frontier *frontier = (const permi_frontier *)leaf->context;
  const permi_list *last;
  permi_run run;
  perm_status status;
  memset(&run, 0, sizeof run);
  status = permi_run_open(frontier, control, sorting, &run);
  if (status == PERM_OK)
    status = permi_runner_go(&run.base, 0, frontier->steps, step);
  last = &run.list[frontier->steps & 1];
  if (status == PERM_OK)
    permi_runner_finish(&run.base, &frontier->numbers, last->states ? last->value : NULL, frontier->lost_error,
                        partial);
  permi_run_release(&run);
  return status;
}

static perm_status permi_frontier_run(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  return permi_frontier_run_by(leaf, control, permi_run_advance, 0, partial);
}
/* SPDX-License-Identifier: MIT */
