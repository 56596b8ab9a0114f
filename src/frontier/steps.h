/* ========================================================================================== >>steps
   Steps of the lists: merges states, then adds up their values. */
#pragma once
#include "frontier.h"

typedef struct permi_take {
  uint32_t group, stream;
} permi_take;

/* A part of a target. Takes: by groups, then streams. */
typedef struct permi_part {
  permi_cursor *cursor;
  permi_list list;
  size_t takes, take_room;
  permi_take *take;
  int done, own, *number; /* own: has patterns; their numbers in the target */
  size_t number_room, group_at, state_at;
  uint64_t end[PERMI_MASK_WORDS];
  permi_sizes sizes;
  perm_status status;
} permi_part;

typedef struct permi_run {
  permi_runner base;
  const permi_frontier *frontier;
  permi_list list[2];
  permi_part *part;
  int parts_at_once, step, careful, tracking;
  permi_moves *moves;
  size_t *weight, weight_room; /* [stream][block]: work before it */
  double state_seconds;
} permi_run;

/* Adds y += c x over arrays if a stream takes a whole group to a whole one. */
static PERMI_ALWAYS_INLINE void permi_step_of(permi_algebra algebra, const permi_run *run, const permi_list *source,
                                              permi_list *target, permi_part *part, permi_moves *moves)
{
  const permi_numbers *numbers = &run->frontier->numbers;
  const permi_list *list = &part->list;
  const size_t size = 8 * permi_value_words(algebra, numbers), words = (size_t)target->words;
  size_t group, states = part->state_at, k, count, j;
  permi_sizes_clear(&part->sizes);
  if (list->groups)
    memcpy(target->high + part->group_at * words, list->high, list->groups * words * sizeof *list->high);
  for (group = 0; group < list->groups; group++) {
    const size_t end = group + 1 < list->groups ? list->first[group + 1] : part->takes;
    const int pattern = part->own ? part->number[list->pattern[group]] : list->pattern[group];
    char *y = (char *)target->value + states * size;
    int pass, fresh = 1;
    count = target->patterns.first[pattern + 1] - target->patterns.first[pattern];
    for (pass = 0; pass < 2; pass++) /* whole moves first: no zeroing */
      for (j = list->first[group]; j < end; j++) {
        const permi_take take = part->take[j];
        const permi_cursor *cursor = &part->cursor[take.stream];
        const char *x = (const char *)source->value + source->first[take.group] * size;
        const permi_move *move = permi_moves_find(moves, run->step, (int)take.stream, cursor, &source->patterns,
                                                  source->pattern[take.group], &target->patterns, pattern);
        const uint32_t *pair = moves->pair + move->first;
        const permi_coefficient c = permi_coefficient_short(&cursor->c);
        int runs = move->runs;
        if (move->whole == pass)
          continue;
        if (pass == 0 && fresh)
          permi_values_add_of(algebra, numbers, &c, y, x, count, 1);
        else if (pass == 0)
          permi_values_add_of(algebra, numbers, &c, y, x, count, 0);
        else if (fresh)
          memset(y, 0, count * size);
        for (k = 0; pass && !runs && k < (size_t)move->count; k++)
          permi_value_add(algebra, numbers, &c, y + (pair[k] >> 16) * size, x + (pair[k] & 65535) * size, 0);
        for (; pass && runs > 0; runs--, pair += 2)
          permi_values_add_of(algebra, numbers, &c, y + (pair[0] >> 16) * size, x + (pair[0] & 65535) * size, pair[1],
                              0);
        fresh = 0;
      }
    if (run->tracking)
      permi_values_track(algebra, y, count, &part->sizes);
    target->pattern[part->group_at + group] = pattern;
    target->first[part->group_at + group] = states;
    states += count;
  }
}

static int permi_takes_more(const perm_allocator *allocator, permi_part *part, size_t more)
{
  return permi_room(allocator, NULL, &part->take, part->takes, more, &part->take_room, sizeof *part->take);
}

/* Merges `most` states, or all below the end. */
static PERMI_ALWAYS_INLINE perm_status permi_part_merge_words(const perm_allocator *allocator, const permi_list *source,
                                                              permi_patterns *patterns, permi_part *part, int words,
                                                              int streams, size_t most)
{
  uint64_t bits[PERMI_LOW_WORDS];
  permi_cursor *cursor = part->cursor;
  permi_list *list = &part->list;
  int s;
  list->groups = list->states = part->takes = 0;
  part->done = 0;
  while (list->states < most) {
    const uint64_t *least = cursor[0].key;
    uint64_t key[PERMI_MASK_WORDS];
    const size_t before = part->takes;
    int pattern;
    for (s = 1; s < streams; s++)
      if (permi_key_compare(cursor[s].key, least, words) < 0)
        least = cursor[s].key;
    if (least[words - 1] == UINT64_MAX || permi_key_compare(least, part->end, words) >= 0) {
      part->done = 1;
      break;
    }
    memcpy(key, least, (size_t)words * sizeof *key);
    if (!permi_list_room(allocator, list, 1) || !permi_takes_more(allocator, part, (size_t)streams))
      return PERM_ERROR_MEMORY;
    memset(bits, 0, sizeof bits);
    for (s = 0; s < streams; s++)
      if (permi_key_compare(cursor[s].key, key, words) == 0) {
        const size_t moving = (size_t)source->pattern[cursor[s].group];
        if (permi_pattern_move(source->patterns.bits + moving * PERMI_LOW_WORDS, &cursor[s], bits)) {
          part->take[part->takes].group = (uint32_t)cursor[s].group;
          part->take[part->takes++].stream = (uint32_t)s;
        }
        cursor[s].group++;
        permi_cursor_settle(&cursor[s], source, words);
      }
    if (part->takes == before)
      continue;
    pattern = permi_patterns_find(allocator, patterns, bits);
    if (pattern < 0)
      return PERM_ERROR_MEMORY;
    memcpy(list->high + list->groups * (size_t)words, key, (size_t)words * sizeof *key);
    list->pattern[list->groups] = pattern;
    list->first[list->groups++] = before;
    list->states += patterns->first[pattern + 1] - patterns->first[pattern];
  }
  return PERM_OK;
}

static perm_status permi_part_merge(const perm_allocator *allocator, const permi_list *source,
                                    permi_patterns *patterns, permi_part *part, int streams, size_t most)
{
  if (source->words == 1)
    return permi_part_merge_words(allocator, source, patterns, part, 1, streams, most);
  return permi_part_merge_words(allocator, source, patterns, part, source->words, streams, most);
}

static perm_status permi_part_place(permi_run *run, permi_list *target, permi_part *part)
{
  const permi_patterns *patterns = &part->list.patterns;
  int k;
  part->group_at = target->groups;
  part->state_at = target->states;
  if (!permi_list_room(run->base.pool.allocator, target, part->list.groups))
    return PERM_ERROR_MEMORY;
  target->groups += part->list.groups;
  target->states += part->list.states;
  if (target->states > target->state_room) /* unreachable */
    return PERM_ERROR_MEMORY;
  if (part->own && !permi_room(&run->base.locked, NULL, &part->number, 0, (size_t)patterns->count,
                               &part->number_room, sizeof *part->number))
    return PERM_ERROR_MEMORY;
  for (k = 0; part->own && k < patterns->count; k++) {
    part->number[k] = permi_patterns_find(run->base.pool.allocator, &target->patterns,
                                          patterns->bits + (size_t)k * PERMI_LOW_WORDS);
    if (part->number[k] < 0)
      return PERM_ERROR_MEMORY;
  }
  return PERM_OK;
}

#define PERMI_PART_STATES 16384
#define PERMI_BALANCE_BLOCK 32
#define PERMI_BALANCE_GROUP 16
#define PERMI_PARALLEL_STATES 20000
#define PERMI_PART_WORK 131072

/* Seeks the first group whose output is not below `key`. */
static void permi_cursor_seek(permi_cursor *cursor, const permi_list *source, const uint64_t *key)
{
  const int words = source->words;
  uint64_t at[PERMI_MASK_WORDS];
  size_t low = 0, high = source->groups;
  int w, b, top = -1;
  for (w = words - 1; w >= 0 && top < 0; w--) { /* the highest bit that no output shares */
    const uint64_t fixed = cursor->test[w] | cursor->flip[w];
    const uint64_t differs = (key[w] ^ cursor->want[w] ^ cursor->flip[w]) & fixed;
    for (b = 63; differs && !(differs >> b & 1); b--)
      ;
    if (differs)
      top = 64 * w + b;
  }
  memcpy(at, key, (size_t)words * sizeof *at);
  if (top >= 0) {
    if (key[top >> 6] >> (top & 63) & 1) {
      for (top++; top < 64 * words; top++)
        if (!((cursor->test[top >> 6] | cursor->flip[top >> 6] | key[top >> 6]) >> (top & 63) & 1))
          break;
      if (top == 64 * words) {
        cursor->group = source->groups;
        return;
      }
    }
    at[top >> 6] |= UINT64_C(1) << (top & 63);
    for (w = 0; w <= top >> 6; w++) {
      const uint64_t below = w < top >> 6 ? UINT64_MAX : (UINT64_C(1) << (top & 63)) - 1;
      at[w] = (at[w] & ~below) | (((cursor->want[w] ^ cursor->flip[w]) & (cursor->test[w] | cursor->flip[w])) & below);
    }
  }
  for (w = 0; w < words; w++)
    at[w] ^= cursor->flip[w];
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (permi_key_compare(source->high + middle * (size_t)words, at, words) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  cursor->group = low;
}

typedef struct permi_rounds {
  permi_run *run;
  permi_list *source, *target;
  int streams;
  size_t total, first, count; /* total: 0: parts in turn */
} permi_rounds;

/* Returns the work below a key; moves cursors. */
static size_t permi_balance_below(const permi_rounds *step, permi_cursor *cursor, const uint64_t *key)
{
  const size_t blocks = step->source->groups / PERMI_BALANCE_BLOCK + 1;
  size_t sum = 0;
  int s;
  for (s = 0; s < step->streams; s++) {
    permi_cursor_seek(&cursor[s], step->source, key);
    sum += step->run->weight[(size_t)s * blocks + cursor[s].group / PERMI_BALANCE_BLOCK];
  }
  return sum;
}

static void permi_balance_key(const permi_rounds *step, permi_cursor *cursor, size_t work, uint64_t *key)
{
  int b;
  memset(key, 0, PERMI_MASK_WORDS * sizeof *key);
  for (b = step->run->frontier->slot_count - PERMI_LOW_BITS - 1; b >= 0; b--) {
    key[b >> 6] |= UINT64_C(1) << (b & 63);
    if (permi_balance_below(step, cursor, key) > work)
      key[b >> 6] &= ~(UINT64_C(1) << (b & 63));
  }
}

static perm_status permi_balance_block(void *context, uint64_t block, int thread)
{
  const permi_rounds *step = (const permi_rounds *)context;
  const permi_run *run = step->run;
  const permi_list *source = step->source;
  const permi_cursor *cursor = run->part[0].cursor;
  const size_t blocks = source->groups / PERMI_BALANCE_BLOCK + 1, first = (size_t)block * PERMI_BALANCE_BLOCK;
  size_t g, end = first + PERMI_BALANCE_BLOCK < source->groups ? first + PERMI_BALANCE_BLOCK : source->groups;
  int s;
  (void)thread;
  for (s = 0; s < step->streams; s++)
    run->weight[(size_t)s * blocks + (size_t)block] = 0;
  for (g = first; g < end; g++) {
    const size_t *pattern = source->patterns.first + source->pattern[g];
    for (s = 0; s < step->streams; s++)
      if (permi_cursor_takes(&cursor[s], source->high + g * (size_t)source->words, source->words))
        run->weight[(size_t)s * blocks + (size_t)block] += PERMI_BALANCE_GROUP + pattern[1] - pattern[0];
  }
  return PERM_OK;
}

static size_t permi_balance_weigh(permi_rounds *step)
{
  permi_run *run = step->run;
  const int streams = step->streams;
  const size_t blocks = step->source->groups / PERMI_BALANCE_BLOCK + 1, places = (size_t)streams * blocks;
  size_t total = 0, sum;
  int k;
  if (!permi_room(run->base.pool.allocator, NULL, &run->weight, 0, places, &run->weight_room, sizeof *run->weight))
    return 0;
  permi_share(run->base.threads, 0, blocks, permi_balance_block, step, NULL);
  for (k = 0; k < streams; k++) {
    size_t *weight = run->weight + (size_t)k * blocks, b;
    sum = 0;
    for (b = 0; b < blocks; b++) {
      const size_t here = weight[b];
      weight[b] = sum;
      sum += here;
    }
    total += sum;
  }
  return total + 1;
}

static perm_status permi_rounds_merge(void *context, uint64_t k, int thread)
{
  const permi_rounds *step = (const permi_rounds *)context;
  const size_t number = step->first + (size_t)k, work = step->total / step->count;
  const permi_list *source = step->source;
  permi_part *part = &step->run->part[k];
  uint64_t begin[PERMI_MASK_WORDS];
  int s;
  (void)thread;
  if (!part->own) {
    part->status = permi_part_merge(step->run->base.pool.allocator, source, &step->target->patterns, part,
                                    step->streams, PERMI_PART_STATES);
    return PERM_OK;
  }
  memset(part->end, 255, sizeof part->end);
  memset(begin, 0, sizeof begin);
  if (number + 1 < step->count)
    permi_balance_key(step, part->cursor, work * (number + 1), part->end);
  if (number)
    permi_balance_key(step, part->cursor, work * number, begin);
  for (s = 0; s < step->streams; s++) {
    permi_cursor_seek(&part->cursor[s], source, begin);
    permi_cursor_settle(&part->cursor[s], source, source->words);
  }
  permi_patterns_clear(&part->list.patterns);
  part->status =
      permi_part_merge(&step->run->base.locked, source, &part->list.patterns, part, step->streams, (size_t)-1);
  return PERM_OK;
}

static perm_status permi_rounds_fill(void *context, uint64_t k, int thread)
{
  const permi_rounds *step = (const permi_rounds *)context;
  const permi_run *run = step->run;
  switch (run->frontier->numbers.algebra) {
#define PERMI_CASE(name, algebra)                                                                                      \
  case algebra: permi_step_of(algebra, run, step->source, step->target, &run->part[k], &run->moves[thread]); break;
    PERMI_ALGEBRAS(PERMI_CASE)
#undef PERMI_CASE
  default: break;
  }
  return PERM_OK;
}

/* Rounds bound the takes in memory. */
static perm_status permi_run_rounds(permi_run *run, int p, int streams, int together)
{
  const size_t at_once = together ? (size_t)run->parts_at_once : 1;
  const int threads = together ? run->base.threads : 1;
  permi_part *part = run->part;
  perm_status status = PERM_OK;
  permi_rounds step = {run, &run->list[p & 1], &run->list[(p + 1) & 1], streams, 0, 0, 0};
  size_t k;
  int s;
  step.target->groups = step.target->states = 0;
  permi_patterns_clear(&step.target->patterns);
  memset(part->end, 255, sizeof part->end);
  for (s = 0; s < streams && !together; s++)
    permi_cursor_settle(&part->cursor[s], step.source, step.source->words);
  if (together && (step.total = permi_balance_weigh(&step)) == 0)
    return PERM_ERROR_MEMORY;
  step.count = together ? (step.total / (at_once * PERMI_PART_WORK) + 1) * at_once : SIZE_MAX;
  for (k = 0; k < at_once; k++) {
    part[k].own = together;
    if (k)
      memcpy(part[k].cursor, part->cursor, (size_t)streams * sizeof(permi_cursor));
  }
  for (step.first = 0; step.first < step.count; step.first += at_once) {
    const double before = (double)step.target->states;
    permi_share(threads, 0, at_once, permi_rounds_merge, &step, NULL);
    for (k = 0; k < at_once && status == PERM_OK; k++)
      status = part[k].status == PERM_OK ? permi_part_place(run, step.target, &part[k]) : part[k].status;
    if (status != PERM_OK)
      return status;
    permi_share(threads, 0, at_once, permi_rounds_fill, &step, NULL);
    for (k = 0; k < at_once; k++)
      permi_sizes_join(&run->base.sizes, &part[k].sizes);
    status = permi_runner_poll(&run->base, together ? PERMI_RUNNER_POLL : (double)step.target->states - before,
                               run->base.done + run->state_seconds * (double)step.target->states, 0);
    if (status != PERM_OK || (!together && part->done))
      return status;
  }
  return status;
}

/* THE BOUND. At most k_p streams meet in a state of step p; the block has order n, the rounding unit is u.
   1. A state sums terms, its partial matchings. A term is multiplied at most n times (a drop is exact), first exactly,
   and added at most k_p - 1 times in step p (to 0 exactly). Streams match a row, say, to columns that go or are matched
   then. Of a rows and b columns there i and i - d are matched (>>order): at most a - d columns, or b + d rows. The drop
   is one more.
   2. So the computed value sums all matchings' products, each times at most n - 1 + sum (k_p - 1) factors 1 + d, |d| <=
   u. Entries bring 2 more for each degree-2 reduction, and one for a rounded integer.
   3. With g = gamma of that number, S = sum |products|: |error| <= g S, computed S >= (1 - g) S, so |error| <= g
   / (1 - g) (computed S).
   Underflow takes at most DBL_MIN from a result, even flushed. A step takes its effect on a value, sizes.loss, to loss
   sum |c| + 2 k DBL_MIN. The last term is 0 if products exceed PERMI_SAFE_PRODUCT > 2^-968, as all is a multiple of
   2^-1021. |error| <= g / (1 - g) (computed S + loss) + loss.
   Complex: a product is off by 1 + d, |d| <= 2.42 u, a sum by u: 2.42 (n - 1) replaces n - 1. S sums moduli's products,
   rounded up. 4 products, 2 sums and a sum for each part: 8 k DBL_MIN.
   Double-double: products with a double and sums are off by 3 u^2 and 3 u^2 / (1 - 4 u): PERMI_DD_UNIT > 64 u^2
   replaces u, except for entries and S. Low parts underflow first: a product of at least PERMI_SAFE_PRODUCT, or a
   rescaled value, loses 2^-1073 < 2^-109 of itself, for which there is room; others less than DBL_MIN.
   tests/proofs/chains.v, tests/proofs/complex.v, tests/proofs/frontier.g. */
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
    permi_cursor_make(&run->part[0].cursor[s], frontier, first + s);
    permi_coefficient_weigh(&frontier->coefficient[first + s], &weight, &least);
  }
  weight *= 1 + 1e-12;
  run->state_seconds = (frontier->cost[p + 1] - frontier->cost[p]) * PERMI_STATE_SECONDS / frontier->states[p + 1];
  if (!permi_algebra_is_integer(frontier->numbers.algebra)) {
    sizes->loss = permi_loss_scaled(sizes->loss, weight, 0);
    if (sizes->smallest * least < PERMI_SAFE_PRODUCT)
      sizes->loss += (frontier->numbers.algebra == PERMI_COMPLEX ? 8 : 2) * streams * DBL_MIN;
    run->tracking = run->careful || run->list[p & 1].states < PERMI_TRACK_STATES || p % 4 == 0;
    sizes->smallest = run->tracking ? DBL_MAX : 0;
    sizes->largest = run->tracking ? 0 : sizes->largest * weight;
  }
  return streams;
}

static perm_status permi_run_step(permi_run *run, int p)
{
  const int streams = permi_run_prepare(run, p);
  return permi_run_rounds(run, p, streams, run->base.threads > 1 && run->list[p & 1].states >= PERMI_PARALLEL_STATES);
}

static void permi_run_release(permi_run *run)
{
  int k;
  for (k = 0; k < 2; k++)
    permi_list_release(run->base.pool.allocator, &run->list[k]);
  for (k = 0; run->part && k < run->parts_at_once; k++) {
    permi_list_release(&run->base.locked, &run->part[k].list);
    permi_release(&run->base.locked, run->part[k].take);
    permi_release(&run->base.locked, run->part[k].number);
  }
  permi_release(run->base.pool.allocator, run->weight);
  permi_pool_release(&run->base.pool);
}

/* The caller has cleared the run, and releases it always. sorting: one thread, a key a state. */
static perm_status permi_run_open(const permi_frontier *frontier, permi_control *control, int sorting, permi_run *run)
{
  const perm_allocator *allocator = &frontier->owned.allocator;
  const size_t size = permi_value_bytes(frontier), streams = (size_t)permi_frontier_streams_most(frontier);
  permi_pool *pool = &run->base.pool;
  uint64_t none[PERMI_LOW_WORDS];
  double growth = 0;
  int p, s, k, threads, complete;
  memset(none, 0, sizeof none);
  none[0] = 1;
  permi_runner_begin(&run->base, allocator, control, "frontier");
  run->frontier = frontier;
  for (p = s = 0; p < frontier->steps; p++) {
    double weight = 0;
    for (; s < frontier->stream_start[p + 1]; s++)
      weight += frontier->coefficient[s].absolute;
    growth += weight > 1 ? log2(weight) : 0;
  }
  run->careful = growth > 300;
  if (sorting || fmax(frontier->room[0], frontier->room[1]) < PERMI_PARALLEL_STATES)
    run->base.threads = 1;
  threads = run->base.threads;
  run->parts_at_once = threads > 1 ? 4 * threads : 1 + sorting;
  run->moves = (permi_moves *)permi_pool_get(pool, (size_t)threads, sizeof *run->moves);
  run->part = (permi_part *)permi_pool_zeros(pool, (size_t)run->parts_at_once, sizeof *run->part);
  for (k = 0; !pool->failed && k < run->parts_at_once; k++) {
    run->part[k].list.words = frontier->mask_words;
    run->part[k].cursor = (permi_cursor *)permi_pool_get(pool, streams, sizeof(permi_cursor));
  }
  for (k = 0; !pool->failed && k < threads; k++) {
    run->moves[k].used = 0;
    run->moves[k].pair = (uint32_t *)permi_pool_get(pool, PERMI_MOVES_PAIRS, sizeof(uint32_t));
    run->moves[k].move = (permi_move *)permi_pool_zeros(pool, 1, sizeof(permi_move) << PERMI_MOVES_LOG2);
  }
  complete = !pool->failed;
  for (p = 0; p < 2 && complete; p++) { /* for all steps: growing touches fresh pages */
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
