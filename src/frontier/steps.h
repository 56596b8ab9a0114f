/* ========================================================================================== >>steps
   Threads merge parts of a target, groups with equal top bits, then add up values. */
#pragma once
#include "frontier.h"

/* Longer lists are measured in one step of four, unless they grow. */
#define PERMI_TRACK_STATES 2000
#define PERMI_PARALLEL_STATES 20000
#define PERMI_PART_STATES 1024
#define PERMI_PARTS 256 /* in memory; or groups of one part */

typedef struct permi_take {
  uint32_t group, stream;
} permi_take;

typedef struct permi_part {
  permi_list list; /* first: end of a group's takes */
  permi_take *take;
  size_t take_room, group_at, state_at; /* at: in the target */
  int done, failed;
} permi_part;

typedef struct permi_run permi_run;
struct permi_run {
  permi_runner base;
  const permi_frontier *frontier;
  permi_list list[2];
  permi_part *part;
  permi_cursor *cursor; /* of a step, then of each thread */
  permi_moves *moves;
  uint64_t first, top; /* part in memory; bits of key[word] that parts differ in, 0: one part, in pieces */
  int step, streams, tracking, word;
  uint64_t rows[PERMI_MASK_WORDS + 1], within[PERMI_LOW_BITS][PERMI_LOW_WORDS]; /* low masks of at most so many ones */
  double state_seconds;
  perm_status (*advance)(permi_run *run, int p);
};

/* Whole moves go first: they need no zeroing. */
static perm_status permi_part_fill(void *context, uint64_t k, int thread)
{
  permi_run *run = (permi_run *)context;
  const permi_part *part = &run->part[k];
  const permi_list *source = &run->list[(run->step - 1) & 1], *target = &run->list[run->step & 1];
  const permi_numbers *numbers = &run->frontier->numbers;
  const size_t size = 8 * permi_numbers_words(numbers), words = (size_t)target->words;
  permi_moves *moves = &run->moves[thread];
  size_t g, t, begin = 0, count, states = part->state_at;
  permi_sizes sizes;
  permi_sizes_clear(&sizes);
  if (part->list.groups)
    memcpy(target->high + part->group_at * words, part->list.high, part->list.groups * words * sizeof(uint64_t));
  for (g = 0; g < part->list.groups; g++, states += count) {
    char *y = (char *)target->value + states * size;
    int pattern = part->list.pattern[g], pass, fresh = 1;
    if (run->top)
      pattern = *permi_patterns_place(&target->patterns,
                                      part->list.patterns.bits + (size_t)pattern * PERMI_LOW_WORDS) - 1;
    count = target->patterns.first[pattern + 1] - target->patterns.first[pattern];
    target->pattern[part->group_at + g] = pattern;
    target->first[part->group_at + g] = states;
    for (pass = 0; pass < 2; pass++)
      for (t = begin; t < part->list.first[g]; t++) {
        const permi_take take = part->take[t];
        const permi_cursor *cursor = &run->cursor[take.stream];
        const permi_move *move = permi_moves_find(moves, run->step, (int)take.stream, cursor, &source->patterns,
                                                  source->pattern[take.group], &target->patterns, pattern);
        if (move->whole == pass)
          continue;
        if (pass && fresh)
          memset(y, 0, count * size);
        permi_values_adders[numbers->algebra](numbers, &cursor->c, y,
                                              (const char *)source->value + source->first[take.group] * size,
                                              pass ? moves->pair + move->first : NULL, (size_t)move->count,
                                              fresh && !pass);
        fresh = 0;
      }
    begin = part->list.first[g];
    if (run->tracking)
      permi_values_track(numbers->algebra, y, count, &sizes);
  }
  PERMI_OMP(critical(permi_part_sizes))
  permi_sizes_join(&run->base.sizes, &sizes);
  return PERM_OK;
}

/* With free lines states of too many ones (>>arrays) go. Returns 1 if some are left. */
static int permi_part_leave(const permi_run *run, const uint64_t *key, uint64_t *bits, int words)
{
  int left = run->frontier->most[run->step], w;
  uint64_t any = 0;
  for (w = 0; w < words; w++)
    left -= permi_count_ones(key[w] ^ (run->rows[w] >> PERMI_LOW_BITS | run->rows[w + 1] << (64 - PERMI_LOW_BITS)));
  for (w = 0; w < PERMI_LOW_WORDS; w++)
    any |= bits[w] &= left < 0 ? 0 : left < PERMI_LOW_BITS ? run->within[left][w] : UINT64_MAX;
  return any != 0;
}

static PERMI_ALWAYS_INLINE int permi_part_merge_words(permi_run *run, permi_part *part, permi_cursor *cursor, int words)
{
  const perm_allocator *allocator = &run->base.locked;
  const permi_list *source = &run->list[(run->step - 1) & 1];
  permi_list *list = &part->list;
  permi_patterns *patterns = run->top ? &list->patterns : &run->list[run->step & 1].patterns;
  const size_t most = run->top ? SIZE_MAX : PERMI_PARTS;
  size_t takes = 0;
  list->groups = list->states = 0;
  while (list->groups < most) {
    const uint64_t *least = cursor[0].key;
    uint64_t key[PERMI_MASK_WORDS], bits[PERMI_LOW_WORDS];
    const size_t before = takes;
    for (int s = 1; s < run->streams; s++)
      if (permi_key_compare(cursor[s].key, least, words) < 0)
        least = cursor[s].key;
    part->done = least[words - 1] == UINT64_MAX;
    if (part->done)
      break;
    memcpy(key, least, (size_t)words * sizeof *key);
    memset(bits, 0, sizeof bits);
    if (!permi_list_room(allocator, list, 1) || !permi_room(allocator, NULL, &part->take, takes, (size_t)run->streams,
                                                            &part->take_room, sizeof *part->take))
      return 0;
    for (int s = 0; s < run->streams; s++)
      if (permi_key_compare(cursor[s].key, key, words) == 0) {
        const size_t moving = (size_t)source->pattern[cursor[s].group];
        if (permi_pattern_move(source->patterns.bits + moving * PERMI_LOW_WORDS, &cursor[s], bits)) {
          part->take[takes].group = (uint32_t)cursor[s].group;
          part->take[takes++].stream = (uint32_t)s;
        }
        cursor[s].group++;
        permi_cursor_settle(&cursor[s], source, words);
      }
    if (takes == before || (run->frontier->rows && !permi_part_leave(run, key, bits, words))) {
      takes = before;
      continue;
    }
    const int pattern = permi_patterns_find(allocator, patterns, bits);
    if (pattern < 0)
      return 0;
    memcpy(list->high + list->groups * (size_t)words, key, (size_t)words * sizeof *key);
    list->pattern[list->groups] = pattern;
    list->first[list->groups++] = takes;
    list->states += patterns->first[pattern + 1] - patterns->first[pattern];
  }
  return 1;
}

/* Of groups with its top bits. */
static perm_status permi_part_merge(void *context, uint64_t k, int thread)
{
  permi_run *run = (permi_run *)context;
  const permi_list *source = &run->list[(run->step - 1) & 1];
  permi_part *part = &run->part[k];
  permi_cursor *cursor = run->cursor + (run->top ? (thread + 1) * run->streams : 0), *c;
  const uint64_t below = (run->top & (0 - run->top)) - 1;
  uint64_t bits, number = run->first + k, top = 0, key[PERMI_MASK_WORDS];
  for (bits = run->top; bits; bits &= bits - 1, number >>= 1)
    top |= number & 1 ? bits & (0 - bits) : 0;
  if (run->top)
    memcpy(cursor, run->cursor, (size_t)run->streams * sizeof *cursor);
  for (c = cursor; run->top && c < cursor + run->streams; c++) {
    memset(key, 0, sizeof key);
    key[run->word] = (top ^ c->flip[run->word]) & ~below;
    c->group = permi_list_seek(source, key, 0);
    memset(key, 255, (size_t)run->word * sizeof *key);
    key[run->word] |= below;
    c->end = permi_list_seek(source, key, 1);
    permi_cursor_settle(c, source, source->words);
  }
  part->list.words = source->words;
  permi_patterns_clear(&part->list.patterns);
  part->failed = !(source->words == 1 ? permi_part_merge_words(run, part, cursor, 1)
                                      : permi_part_merge_words(run, part, cursor, source->words));
  return PERM_OK;
}

/* THE BOUND: |error| <= g / (1 - g) (computed sum of moduli + loss) + loss, where g is
   gamma of products, additions and roundings of entries, and underflow causes the loss (tests/proofs/chains.v,
   tests/proofs/complex.v, tests/proofs/frontier.g). */
static size_t permi_value_bytes(const permi_frontier *frontier)
{
  return 8 * permi_numbers_words(&frontier->numbers);
}

static void permi_run_prepare(permi_run *run, int p)
{
  const permi_frontier *frontier = run->frontier;
  const int first = frontier->stream_start[p], streams = frontier->stream_start[p + 1] - first;
  permi_sizes *sizes = &run->base.sizes;
  double weight = 0, least = 1;
  run->step = p + 1;
  run->streams = streams;
  for (int s = 0; s < streams; s++) {
    permi_cursor_make(&run->cursor[s], frontier, first + s);
    run->cursor[s].end = run->list[p & 1].groups;
    permi_cursor_settle(&run->cursor[s], &run->list[p & 1], frontier->mask_words);
    permi_coefficient_weigh(&frontier->coefficient[first + s], &weight, &least);
  }
  weight *= 1 + 1e-12;
  if (frontier->rows) { /* for permi_part_leave */
    memset(run->rows, 0, sizeof run->rows);
    memset(run->within, 0, sizeof run->within);
    for (int v = 0; v < frontier->rows; v++)
      if (frontier->slot[v] >= 0 && frontier->birth[v] <= p && frontier->death[v] > p)
        run->rows[frontier->slot[v] >> 6] |= UINT64_C(1) << (frontier->slot[v] & 63);
    for (unsigned low = 0; low < PERMI_LOW_STATES; low++)
      for (int k = permi_count_ones((low ^ run->rows[0]) & (PERMI_LOW_STATES - 1)); k < PERMI_LOW_BITS; k++)
        run->within[k][low >> 6] |= UINT64_C(1) << (low & 63);
  }
  run->state_seconds = (frontier->cost[p + 1] - frontier->cost[p]) * PERMI_STATE_SECONDS / frontier->states[p + 1];
  if (!permi_algebra_is_integer(frontier->numbers.algebra)) {
    sizes->loss = permi_loss_scaled(sizes->loss, weight, 0);
    if (sizes->smallest * least < PERMI_SAFE_PRODUCT)
      sizes->loss += (frontier->numbers.algebra == PERMI_COMPLEX ? 8 : 2) * streams * DBL_MIN;
    run->tracking = run->list[p & 1].states < PERMI_TRACK_STATES || p % 4 == 0 || sizes->largest * weight > 1e100;
    sizes->smallest = run->tracking ? DBL_MAX : 0;
    sizes->largest = run->tracking ? 0 : sizes->largest * weight;
  }
}

/* Parts change no value. */
static perm_status permi_run_step(permi_run *run, int p)
{
  const permi_list *source = &run->list[p & 1];
  permi_list *target = &run->list[(p + 1) & 1];
  uint64_t varies = 0, bit, parts = 1, count, k;
  perm_status status = PERM_OK;
  int s, complete = 1;
  permi_run_prepare(run, p);
  run->top = 0;
  run->word = run->base.threads > 1 && source->states >= 8 * PERMI_PART_STATES ? source->words : 0;
  while (!varies && run->word > 0) {
    run->word--;
    for (s = 0; s < run->streams; s++)
      varies |= run->cursor[s].flip[run->word];
    for (k = (uint64_t)run->word; k < source->groups * (size_t)source->words; k += (uint64_t)source->words)
      varies |= source->high[k];
  }
  for (bit = UINT64_C(1) << 63; bit && parts * PERMI_PART_STATES <= source->states; bit >>= 1) {
    run->top |= varies & bit;
    parts <<= (varies & bit) != 0;
  }
  count = parts < PERMI_PARTS ? parts : PERMI_PARTS;
  target->groups = target->states = 0;
  permi_patterns_clear(&target->patterns);
  for (run->first = 0; run->first < parts && status == PERM_OK; run->first += run->part->done ? count : 0) {
    const double before = (double)target->states;
    permi_share(run->base.threads, 0, count, permi_part_merge, run, NULL);
    for (k = 0; k < count && complete; k++) {
      permi_part *part = &run->part[k];
      complete = !part->failed && permi_list_room(&run->base.locked, target, part->list.groups);
      for (s = 0; s < part->list.patterns.count && complete; s++)
        complete = permi_patterns_find(&run->base.locked, &target->patterns,
                                       part->list.patterns.bits + s * PERMI_LOW_WORDS) >= 0;
      part->group_at = target->groups;
      part->state_at = target->states;
      target->groups += part->list.groups;
      target->states += part->list.states;
    }
    if (!complete || target->states > target->state_room) /* unreachable */
      return PERM_ERROR_MEMORY;
    permi_share(run->base.threads, 0, count, permi_part_fill, run, NULL);
    status = permi_runner_poll(&run->base, (double)target->states - before,
                               run->base.done + run->state_seconds * (double)target->states, 0);
  }
  return status;
}

static void permi_run_release(permi_run *run)
{
  for (int k = 0; k < 2; k++)
    permi_list_release(&run->base.locked, &run->list[k]);
  for (int k = 0; run->part && k < (run->base.threads > 1 ? PERMI_PARTS : 1); k++) {
    permi_list_release(&run->base.locked, &run->part[k].list);
    permi_release(&run->base.locked, run->part[k].take);
  }
  permi_pool_release(&run->base.pool);
}

/* The run, cleared before, is always released after; method sorting needs a key a state. */
static perm_status permi_run_open(const permi_frontier *frontier, permi_control *control,
                                  perm_status (*advance)(permi_run *run, int p), permi_run *run)
{
  const int sorting = advance != permi_run_step;
  const perm_allocator *allocator = &run->base.locked;
  const size_t size = permi_value_bytes(frontier), streams = (size_t)permi_frontier_streams_most(frontier);
  permi_pool *pool = &run->base.pool;
  uint64_t none[PERMI_LOW_WORDS] = {1};
  permi_runner_begin(&run->base, &frontier->owned.allocator, control, "frontier");
  run->frontier = frontier;
  run->advance = advance;
  if (sorting || fmax(frontier->room[0], frontier->room[1]) < PERMI_PARALLEL_STATES)
    run->base.threads = 1;
  run->part = (permi_part *)permi_pool_zeros(pool, run->base.threads > 1 ? PERMI_PARTS : 1, sizeof *run->part);
  run->cursor = (permi_cursor *)permi_pool_get(pool, streams * ((size_t)run->base.threads + 1), sizeof *run->cursor);
  run->moves = (permi_moves *)permi_pool_get(pool, (size_t)run->base.threads, sizeof *run->moves);
  for (int k = 0; run->moves && k < run->base.threads; k++)
    memset(&run->moves[k], 0, offsetof(permi_moves, pair));
  int complete = !pool->failed;
  for (int p = 0; p < 2 && complete; p++) { /* growing touches fresh pages */
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

static perm_status permi_run_advance(permi_runner *runner, int p)
{
  permi_run *run = (permi_run *)runner;
  const permi_frontier *frontier = run->frontier;
  permi_list *target = &run->list[(p + 1) & 1];
  run->base.done = frontier->cost[p] * PERMI_STATE_SECONDS;
  const perm_status status = run->advance(run, p);
  if (status == PERM_OK && !(p & PERMI_CANCELS_STEPS))
    permi_values_ease(&frontier->numbers, target->value, target->states, &run->base.sizes);
  /* values within 2^+-500, entries at most 1: nothing overflows */
  int e = status == PERM_OK && run->tracking ? permi_sizes_rescale(&run->base.sizes, 1e150, PERMI_SAFE_PRODUCT) : 0;
  if (e)
    permi_values_scale((double *)target->value, target->states * permi_numbers_words(&frontier->numbers), e);
  run->base.visited += (double)target->states;
  return status;
}

static perm_status permi_frontier_run_by(const permi_leaf *leaf, permi_control *control,
                                         perm_status (*advance)(permi_run *run, int p), perm_partial *partial)
{
  const permi_frontier *frontier = (const permi_frontier *)leaf->context;
  permi_run run;
  memset(&run, 0, sizeof run);
  perm_status status = permi_run_open(frontier, control, advance, &run);
  if (status == PERM_OK)
    status = permi_runner_go(&run.base, 0, frontier->steps, permi_run_advance);
  const permi_list *last = &run.list[frontier->steps & 1];
  if (status == PERM_OK)
    permi_runner_finish(&run.base, &frontier->numbers, last->states ? last->value : NULL, frontier->lost_error,
                        partial);
  permi_run_release(&run);
  return status;
}

static perm_status permi_frontier_run(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  return permi_frontier_run_by(leaf, control, permi_run_step, partial);
}
/* SPDX-License-Identifier: MIT */
