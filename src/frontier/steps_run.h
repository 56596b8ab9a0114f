/* ====================================================================================== >>steps_run
   Runs the steps of the lists, by one thread or several. */
#pragma once
#include "../block/engines.h"
#include "steps.h"

static void *permi_locked_allocate(size_t bytes, void *user_data)
{
  void *memory;
  PERMI_OMP(critical(permi_lists_memory)) /* a caller's allocator need not be thread-safe */
  memory = permi_allocate((const perm_allocator *)user_data, bytes, 1);
  return memory;
}

static void permi_locked_release(void *memory, void *user_data)
{
  PERMI_OMP(critical(permi_lists_memory))
  permi_release((const perm_allocator *)user_data, memory);
}

static int permi_takes_more(const perm_allocator *allocator, permi_part *part, size_t more)
{
  return permi_room(allocator, NULL, &part->take, part->takes, more, &part->take_room, sizeof *part->take);
}

static int permi_part_more(const perm_allocator *allocator, permi_part *part, int words, int streams)
{
  const size_t room = part->group_room ? 2 * part->group_room : 64, used = part->groups;
  if (used == part->group_room) {
    if (!permi_enlarge(allocator, NULL, &part->high, used, room, (size_t)words * sizeof *part->high) ||
        !permi_enlarge(allocator, NULL, &part->pattern, used, room, sizeof *part->pattern) ||
        !permi_enlarge(allocator, NULL, &part->taken, used, room, sizeof *part->taken))
      return 0;
    part->group_room = room;
  }
  return permi_takes_more(allocator, part, (size_t)streams);
}

/* Merges up to part->end, or until a group reaches `most` states. *done: nothing is left below the key. */
static PERMI_ALWAYS_INLINE perm_status permi_part_merge_words(const perm_allocator *allocator, const permi_list *source,
                                                              permi_patterns *patterns, permi_part *part, int words,
                                                              int streams, size_t most, int *done)
{
  uint64_t bits[PERMI_LOW_WORDS];
  permi_cursor *cursor = part->cursor;
  int s, w;
  part->groups = part->takes = part->states = 0;
  *done = 0;
  while (part->states < most) {
    const uint64_t *least = cursor[0].key;
    uint64_t key[PERMI_MASK_WORDS];
    size_t taken = 0;
    int pattern;
    for (s = 1; s < streams; s++)
      if (permi_key_compare(cursor[s].key, least, words) < 0)
        least = cursor[s].key;
    if (least[words - 1] == UINT64_MAX || permi_key_compare(least, part->end, words) >= 0) {
      *done = 1;
      break;
    }
    for (w = 0; w < words; w++)
      key[w] = least[w];
    if (!permi_part_more(allocator, part, words, streams))
      return PERM_ERROR_MEMORY;
    memset(bits, 0, sizeof bits);
    for (s = 0; s < streams; s++)
      if (permi_key_compare(cursor[s].key, key, words) == 0) {
        const size_t moving = (size_t)source->pattern[cursor[s].group];
        if (permi_pattern_move(source->patterns.bits + moving * PERMI_LOW_WORDS, &cursor[s], bits)) {
          part->take[part->takes + taken].group = (uint32_t)cursor[s].group;
          part->take[part->takes + taken++].stream = (uint32_t)s;
        }
        cursor[s].group++;
        permi_cursor_settle(&cursor[s], source, words);
      }
    if (!taken)
      continue;
    pattern = permi_patterns_find(allocator, patterns, bits);
    if (pattern < 0)
      return PERM_ERROR_MEMORY;
    for (w = 0; w < words; w++)
      part->high[part->groups * (size_t)words + (size_t)w] = key[w];
    part->pattern[part->groups] = pattern;
    part->taken[part->groups++] = (uint32_t)taken;
    part->takes += taken;
    part->states += patterns->first[pattern + 1] - patterns->first[pattern];
  }
  return PERM_OK;
}

static perm_status permi_part_merge(const perm_allocator *allocator, const permi_list *source,
                                    permi_patterns *patterns, permi_part *part, int streams, size_t most, int *done)
{
  if (source->words == 1)
    return permi_part_merge_words(allocator, source, patterns, part, 1, streams, most, done);
  return permi_part_merge_words(allocator, source, patterns, part, source->words, streams, most, done);
}

static perm_status permi_part_place(permi_run *run, permi_list *target, permi_part *part)
{
  int k;
  part->group_at = target->groups;
  part->state_at = target->states;
  while (target->group_room < target->groups + part->groups)
    if (!permi_list_more_groups(run->allocator, target))
      return PERM_ERROR_MEMORY;
  target->groups += part->groups;
  target->states += part->states;
  if (target->states > target->state_room) /* unreachable: the room is a bound */
    return PERM_ERROR_MEMORY;
  if (part->own && !permi_room(&run->locked, NULL, &part->number, 0, (size_t)part->patterns.count, &part->number_room,
                               sizeof *part->number))
    return PERM_ERROR_MEMORY;
  for (k = 0; part->own && k < part->patterns.count; k++) {
    part->number[k] = permi_patterns_find(run->allocator, &target->patterns,
                                          part->patterns.bits + (size_t)k * PERMI_LOW_WORDS);
    if (part->number[k] < 0)
      return PERM_ERROR_MEMORY;
  }
  return PERM_OK;
}

#define PERMI_PART_STATES 16384
static perm_status permi_run_alone(permi_run *run, const permi_list *source, permi_list *target, int streams,
                                   double done)
{
  permi_part *part = run->part;
  size_t unpolled = 0;
  int s, finished = 0;
  memset(part->end, 255, sizeof part->end);
  part->own = 0;
  for (s = 0; s < streams; s++)
    permi_cursor_settle(&part->cursor[s], source, source->words);
  while (!finished) {
    perm_status status =
        permi_part_merge(run->allocator, source, &target->patterns, part, streams, PERMI_PART_STATES, &finished);
    if (status == PERM_OK)
      status = permi_part_place(run, target, part);
    if (status != PERM_OK)
      return status;
    permi_step(run, source, target, part, &run->moves[0]);
    permi_sizes_join(&run->sizes, &part->sizes);
    unpolled += part->states;
    if (unpolled > 262144 && run->control) {
      status = permi_control_poll(run->control, done + run->state_seconds * (double)target->states, "frontier");
      if (status != PERM_OK)
        return status;
      unpolled = 0;
    }
  }
  return PERM_OK;
}

#define PERMI_BALANCE_BLOCK 32
#define PERMI_BALANCE_GROUP 16 /* cost of merging a group, in states */
#define PERMI_PARALLEL_STATES 20000
#define PERMI_PART_WORK 131072

/* Moves the cursor to the first source group whose output, which has the order of sources, is not below `key`. */
static void permi_cursor_seek(permi_cursor *cursor, const permi_list *source, const uint64_t *key)
{
  const int words = source->words;
  uint64_t at[PERMI_MASK_WORDS];
  size_t low = 0, high = source->groups;
  int w, b, top = -1;
  for (w = words - 1; w >= 0 && top < 0; w--) { /* highest bit that no output has in common with the key */
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

typedef struct permi_together {
  permi_run *run;
  const permi_list *source;
  permi_list *target;
  int streams;
  size_t total, first, count;
} permi_together;

/* Work below a key, in whole blocks; moves the cursors there. */
static size_t permi_balance_below(const permi_together *step, permi_cursor *cursor, const uint64_t *key)
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

static void permi_balance_key(const permi_together *step, permi_cursor *cursor, size_t work, uint64_t *key)
{
  int b;
  memset(key, 0, PERMI_MASK_WORDS * sizeof *key);
  for (b = step->run->slots - PERMI_LOW_BITS - 1; b >= 0; b--) {
    key[b >> 6] |= UINT64_C(1) << (b & 63);
    if (permi_balance_below(step, cursor, key) > work)
      key[b >> 6] &= ~(UINT64_C(1) << (b & 63));
  }
}

static perm_status permi_balance_block(void *context, uint64_t block, int thread)
{
  const permi_together *step = (const permi_together *)context;
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

static size_t permi_balance_weigh(permi_together *step)
{
  permi_run *run = step->run;
  const int streams = step->streams;
  const size_t blocks = step->source->groups / PERMI_BALANCE_BLOCK + 1, places = (size_t)streams * blocks;
  size_t total = 0, sum;
  int k;
  if (!permi_room(run->allocator, NULL, &run->weight, 0, places, &run->weight_room, sizeof *run->weight))
    return 0;
  permi_share(run->threads, 0, blocks, permi_balance_block, step, NULL);
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

static perm_status permi_together_merge(void *context, uint64_t k, int thread)
{
  const permi_together *step = (const permi_together *)context;
  const size_t number = step->first + (size_t)k, work = step->total / step->count;
  permi_part *part = &step->run->part[k];
  uint64_t begin[PERMI_MASK_WORDS];
  int s, done;
  (void)thread;
  memset(part->end, 255, sizeof part->end);
  memset(begin, 0, sizeof begin);
  if (number + 1 < step->count)
    permi_balance_key(step, part->cursor, work * (number + 1), part->end);
  if (number)
    permi_balance_key(step, part->cursor, work * number, begin);
  for (s = 0; s < step->streams; s++) {
    permi_cursor_seek(&part->cursor[s], step->source, begin);
    permi_cursor_settle(&part->cursor[s], step->source, step->source->words);
  }
  permi_patterns_clear(&part->patterns);
  part->own = 1;
  part->status = permi_part_merge(&step->run->locked, step->source, &part->patterns, part, step->streams, (size_t)-1,
                                  &done);
  return PERM_OK;
}

static perm_status permi_together_fill(void *context, uint64_t k, int thread)
{
  const permi_together *step = (const permi_together *)context;
  permi_step(step->run, step->source, step->target, &step->run->part[k], &step->run->moves[thread]);
  return PERM_OK;
}

/* Threads work in rounds, which bounds what waits for its place. */
static perm_status permi_run_together(permi_run *run, const permi_list *source, permi_list *target, int streams,
                                      double done)
{
  const size_t at_once = (size_t)run->parts_at_once;
  permi_together step;
  perm_status status;
  int k;
  step.run = run;
  step.source = source;
  step.target = target;
  step.streams = streams;
  step.total = permi_balance_weigh(&step);
  step.count = (step.total / (at_once * PERMI_PART_WORK) + 1) * at_once;
  status = step.total ? PERM_OK : PERM_ERROR_MEMORY;
  for (k = 1; k < run->parts_at_once; k++)
    memcpy(run->part[k].cursor, run->part[0].cursor, (size_t)streams * sizeof(permi_cursor));
  for (step.first = 0; step.first < step.count && status == PERM_OK; step.first += at_once) {
    permi_share(run->threads, 0, at_once, permi_together_merge, &step, NULL);
    for (k = 0; k < run->parts_at_once && status == PERM_OK; k++) {
      status = run->part[k].status;
      if (status == PERM_OK)
        status = permi_part_place(run, target, &run->part[k]);
    }
    if (status != PERM_OK)
      break;
    permi_share(run->threads, 0, at_once, permi_together_fill, &step, NULL);
    for (k = 0; k < run->parts_at_once; k++)
      permi_sizes_join(&run->sizes, &run->part[k].sizes);
    if (run->control)
      status = permi_control_poll(run->control, done + run->state_seconds * (double)target->states, "frontier");
  }
  return status;
}

/* Keeps the largest value between 2^-500 and 2^500: entries are at most 1 and streams at most PERMI_FRONTIER_WIDTH +
   1, so nothing overflows. */
static void permi_run_rescale(permi_run *run, permi_list *list)
{
  const int e = permi_sizes_rescale(&run->sizes, 1e150, PERMI_SAFE_PRODUCT);
  if (e)
    permi_values_scale((double *)list->value, list->states * permi_numbers_words(run->numbers), e);
}

/* THE BOUND. Step p has k_p streams, the block order n, the rounding unit is u.
   1. A state's value is a sum of terms, one a partial matching. A term is multiplied at most n times (a drop
   multiplies by 1) and added at most k_p - 1 times in step p (the first addition, to 0, is exact).
   2. So the computed value is the sum of all matchings' products, each times at most n + sum (k_p - 1) factors 1 + d,
   |d| <= u. Entries bring at most 2 more a degree-2 reduction, and one if an integer was rounded.
   3. With g = gamma of that number and S = sum |products|: |error| <= g S and computed S >= (1 - g) S, so |error| <= g
   / (1 - g) (computed S).
   Underflow: a product or sum below DBL_MIN is off by at most DBL_MIN more, also where subnormals are flushed.
   sizes.loss bounds the effect on any value: a step takes it to loss sum |c| + 2 k DBL_MIN; the second term is 0 if
   all products exceed PERMI_SAFE_PRODUCT > 2^-968, as all is then a multiple of 2^-1021. Then |error| <= g / (1 - g)
   (computed S + loss) + loss.
   Complex: a product is off by a factor 1 + d, |d| <= sqrt 2 gamma_2 < 3 u [Hig02, Lemma 3.5; also with fused
   multiply-adds], a sum by u: 3 n replaces n. S sums products of moduli, rounded up. Four products, two sums and a sum
   for each part: 8 k DBL_MIN.
   Double-double: products with a double and sums are off by at most 3 u^2 and 3 u^2 / (1 - 4 u), so v =
   PERMI_DD_UNIT > 64 u^2 replaces u, but not in the roundings of entries nor in S, which is in doubles. Low parts
   underflow first: a product of at least PERMI_SAFE_PRODUCT, or a rescaled value, loses 2^-1073, below 2^-109 of
   itself, for which v has room. Smaller ones lose less than DBL_MIN. */
static size_t permi_value_bytes(const permi_frontier *frontier)
{
  return 8 * permi_numbers_words(&frontier->numbers);
}

/* Prepares step p; returns the number of streams. */
static int permi_run_prepare(const permi_frontier *frontier, permi_run *run, int p)
{
  const int streams = frontier->stream_start[p + 1] - frontier->stream_start[p];
  double weight = 0, least = 1;
  int s;
  run->step = p + 1;
  for (s = 0; s < streams; s++) {
    permi_cursor_make(&run->part[0].cursor[s], frontier, frontier->stream_start[p] + s);
    permi_coefficient_weigh(&frontier->coefficient[frontier->stream_start[p] + s], &weight, &least);
  }
  weight *= 1 + 1e-12;
  run->state_seconds = (frontier->cost[p + 1] - frontier->cost[p]) * PERMI_STATE_SECONDS / frontier->states[p + 1];
  if (!permi_algebra_is_integer(frontier->numbers.algebra)) {
    permi_sizes *sizes = &run->sizes;
    sizes->loss = permi_loss_scaled(sizes->loss, weight, 0);
    if (sizes->smallest * least < PERMI_SAFE_PRODUCT)
      sizes->loss += (frontier->numbers.algebra == PERMI_COMPLEX ? 8 : 2) * streams * DBL_MIN;
    run->tracking = run->careful || run->list[p & 1].states < PERMI_TRACK_STATES || p % 4 == 0;
    sizes->smallest = run->tracking ? DBL_MAX : 0;
    sizes->largest = run->tracking ? 0 : sizes->largest * weight;
  }
  return streams;
}

static perm_status permi_run_step(const permi_frontier *frontier, permi_run *run, int p)
{
  const int streams = permi_run_prepare(frontier, run, p);
  const double done = frontier->cost[p] * PERMI_STATE_SECONDS;
  permi_list *source = &run->list[p & 1], *target = &run->list[(p + 1) & 1];
  target->groups = target->states = 0;
  permi_patterns_clear(&target->patterns);
  if (run->threads > 1 && source->states >= PERMI_PARALLEL_STATES)
    return permi_run_together(run, source, target, streams, done);
  return permi_run_alone(run, source, target, streams, done);
}

static void permi_run_release(permi_run *run)
{
  int k;
  for (k = 0; k < 2; k++)
    permi_list_release(run->allocator, &run->list[k]);
  for (k = 0; run->part && k < run->parts_at_once; k++) {
    permi_part *part = &run->part[k];
    permi_release(&run->locked, part->high);
    permi_release(&run->locked, part->pattern);
    permi_release(&run->locked, part->taken);
    permi_release(&run->locked, part->take);
    permi_patterns_release(&run->locked, &part->patterns);
    permi_release(&run->locked, part->number);
  }
  permi_release(run->allocator, run->weight);
  permi_pool_release(&run->pool);
}

static int permi_run_create(permi_run *run, const permi_frontier *frontier, int streams)
{
  const size_t moves = sizeof(permi_move) << PERMI_MOVES_LOG2;
  permi_pool *pool = &run->pool;
  int k;
  run->locked.allocate = permi_locked_allocate;
  run->locked.release = permi_locked_release;
  run->locked.user_data = (void *)(uintptr_t)run->allocator;
  run->threads = 1;
  if (run->control && !run->sorting && fmax(frontier->room[0], frontier->room[1]) >= PERMI_PARALLEL_STATES)
    run->threads = permi_threads(run->control->options);
  run->parts_at_once = run->threads > 1 ? 4 * run->threads : 1 + run->sorting;
  run->moves = (permi_moves *)permi_pool_get(pool, (size_t)run->threads, sizeof *run->moves);
  run->part = (permi_part *)permi_pool_get(pool, (size_t)run->parts_at_once, sizeof *run->part);
  if (run->part)
    memset(run->part, 0, (size_t)run->parts_at_once * sizeof *run->part);
  for (k = 0; !pool->failed && k < run->parts_at_once; k++)
    run->part[k].cursor = (permi_cursor *)permi_pool_get(pool, (size_t)streams, sizeof(permi_cursor));
  for (k = 0; !pool->failed && k < run->threads; k++) {
    run->moves[k].used = 0;
    run->moves[k].pair = (uint32_t *)permi_pool_get(pool, PERMI_MOVES_PAIRS, sizeof(uint32_t));
    run->moves[k].move = (permi_move *)permi_pool_get(pool, 1, moves);
    if (run->moves[k].move)
      memset(run->moves[k].move, 0, moves);
  }
  return !pool->failed;
}

typedef perm_status (*permi_stepping)(const permi_frontier *frontier, permi_run *run, int p);

/* Begins a run; release it also after a failure. control may be NULL. */
static perm_status permi_run_open(const permi_frontier *frontier, permi_control *control, permi_stepping step,
                                  permi_run *run)
{
  const perm_allocator *allocator = &frontier->owned.allocator;
  const size_t size = permi_value_bytes(frontier);
  uint64_t none[PERMI_LOW_WORDS];
  double growth = 0;
  int p, s, most = 1, complete;
  memset(run, 0, sizeof *run);
  memset(none, 0, sizeof none);
  run->sorting = step != permi_run_step;
  run->allocator = run->pool.allocator = allocator;
  run->control = control;
  run->sizes.smallest = run->sizes.largest = 1;
  run->numbers = &frontier->numbers;
  run->slots = frontier->slots;
  for (p = 0; p < frontier->steps; p++) {
    const int streams = frontier->stream_start[p + 1] - frontier->stream_start[p];
    double weight = 0;
    for (s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++)
      weight += frontier->coefficient[s].absolute;
    growth += weight > 1 ? log2(weight) : 0;
    most = streams > most ? streams : most;
  }
  run->careful = growth > 300;
  complete = permi_run_create(run, frontier, most);
  for (p = 0; p < 2 && complete; p++) { /* the bound of all steps: growing touches fresh pages each time */
    permi_list *list = &run->list[p];
    list->words = frontier->mask_words;
    if (frontier->room[p] >= (double)(SIZE_MAX / 64))
      return PERM_ERROR_MEMORY;
    list->state_room = (size_t)frontier->room[p];
    list->value = permi_pool_get(&run->pool, list->state_room, size);
    complete = list->value && (!run->sorting || permi_enlarge(allocator, NULL, &list->high, 0, list->state_room,
                                                              (size_t)list->words * sizeof(uint64_t)));
  }
  none[0] = 1; /* nothing matched, in one way */
  if (!complete || (!run->sorting && (!permi_list_more_groups(allocator, &run->list[0]) ||
                                      permi_patterns_find(allocator, &run->list[0].patterns, none) != 0)))
    return PERM_ERROR_MEMORY;
  run->list[0].groups = run->list[0].states = 1;
  memset(run->list[0].high, 0, (size_t)frontier->mask_words * sizeof *run->list[0].high);
  if (!run->sorting) {
    run->list[0].first[0] = 0;
    run->list[0].pattern[0] = 0;
  }
  permi_value_one(&frontier->numbers, run->list[0].value);
  return PERM_OK;
}

static perm_status permi_frontier_run_by(const permi_leaf *leaf, permi_control *control, permi_stepping step,
                                         perm_partial *partial)
{
  const permi_frontier *frontier = (const permi_frontier *)leaf->context;
  permi_run run;
  perm_status status = permi_run_open(frontier, control, step, &run);
  int p;
  for (p = 0; p < frontier->steps && status == PERM_OK; p++) {
    permi_list *target = &run.list[(p + 1) & 1];
    if (control && (p & 15) == 0)
      status = permi_control_poll(control, frontier->cost[p] * PERMI_STATE_SECONDS, "frontier");
    if (status == PERM_OK)
      status = step(frontier, &run, p);
    if (status == PERM_OK && run.tracking)
      permi_run_rescale(&run, target);
    run.visited += (double)target->states;
  }
  if (status == PERM_OK && run.list[p & 1].states)
    permi_values_finish(&frontier->numbers, run.list[p & 1].value, &run.sizes, frontier->lost_error, partial);
  partial->terms += status == PERM_OK ? run.visited : 0;
  permi_run_release(&run);
  return status;
}

static perm_status permi_frontier_run(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  return permi_frontier_run_by(leaf, control, permi_run_step, partial);
}
