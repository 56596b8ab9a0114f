/* ==================================================================================== >>classes_run */
#pragma once
#include "classes.h"

/* A step expands states into takes (a state, a key, a way) and adds up takes of equal keys by hashing. Large programs
   divide the keys into shares. A share lists states as it meets them, so sums do not depend on threads. A step goes in
   rounds, which limit the takes in memory. */
#define PERMI_CLASS_SHARES 32
#define PERMI_CLASS_ROUND 4096
#define PERMI_CLASS_SHARED 4000 /* so many states are shared */

/* A take: way << 32 | state, its key. In way 0 the vertex waits; in way k it is matched with part k - 1. */
typedef struct permi_class_takes {
  size_t count, room;
  uint64_t *take;
} permi_class_takes;

typedef struct permi_class_list {
  size_t count, places, room, value_room, exp2_room, place_room;
  uint64_t *key;
  char *value;
  int64_t *exp2;
  uint32_t *place; /* hash table: state + 1, or 0 */
} permi_class_list;

/* A take that >>trace_classes keeps. */
typedef struct permi_class_link {
  uint32_t state, way, share, into;
} permi_class_link;

typedef struct permi_class_links {
  size_t count, room;
  permi_class_link *link;
} permi_class_links;

typedef struct permi_class_run {
  permi_runner base;
  const permi_classes *plan;
  int shares, p;
  size_t first, bytes; /* first state of a round in every share; bytes of a value */
  permi_class_list *list[2];
  permi_class_takes *takes; /* [source][target] */
  permi_class_links *links; /* by target, or NULL */
  perm_status *status;
} permi_class_run;

static int permi_class_number(const permi_class *c, const uint64_t *key)
{
  return (int)(key[c->word] >> c->shift & c->mask);
}

static uint64_t permi_class_hash(const uint64_t *key, int words)
{
  uint64_t hash = UINT64_C(0x9e3779b97f4a7c15) * key[0];
  for (int w = 1; w < words; w++)
    hash = permi_hash(hash, key[w]);
  return hash ^ hash >> 32;
}

/* Returns the class that one more must leave, -1 if none must, -2 if the state is dead. */
static int permi_class_move(const permi_classes *plan, const permi_class_step *step, const uint64_t *key,
                            uint64_t *into)
{
  const permi_class_part *part = plan->part + step->part;
  int k, must = -1;
  for (k = 0; k < plan->words; k++)
    into[k] = key[k];
  for (k = 0; k < step->parts; k++) {
    const permi_class *from = &plan->class_of[part[k].from];
    const int count = permi_class_number(from, key);
    if (part[k].from == part[k].into || !count)
      continue;
    into[from->word] -= (uint64_t)count << from->shift;
    if (part[k].into > 1) {
      const permi_class *to = &plan->class_of[part[k].into];
      into[to->word] += (uint64_t)count << to->shift;
    } else if (count > 1 || must != -1) {
      return -2;
    } else {
      must = part[k].from;
    }
  }
  for (k = step->limit; k < step->limit + step->limits; k++) {
    const int over = permi_class_number(&plan->class_of[plan->limit[k].number], into) - plan->limit[k].most;
    if (over > 1 || (over == 1 && must != -1))
      return -2;
    if (over == 1)
      must = plan->limit[k].number;
  }
  return must;
}

static int permi_class_put(permi_class_run *run, int source, const uint64_t *key, size_t state, int way)
{
  const size_t words = (size_t)run->plan->words;
  const int share = (int)(permi_class_hash(key, run->plan->words) >> 40) & (run->shares - 1); /* tables: lower bits */
  permi_class_takes *takes = &run->takes[source * run->shares + share];
  if (!permi_room(&run->base.locked, NULL, &takes->take, takes->count, 1, &takes->room, (1 + words) * sizeof *key)) {
    run->status[source] = PERM_ERROR_MEMORY;
    return 0;
  }
  uint64_t *take = takes->take + takes->count++ * (1 + words);
  take[0] = (uint64_t)way << 32 | state;
  memcpy(take + 1, key, words * sizeof *key);
  return 1;
}

static perm_status permi_class_expand(void *context, uint64_t share, int thread)
{
  permi_class_run *run = (permi_class_run *)context;
  const permi_classes *plan = run->plan;
  const permi_class_step *step = &plan->step[run->p];
  const permi_class_list *list = &run->list[run->p & 1][share];
  const size_t words = (size_t)plan->words, end = run->first + PERMI_CLASS_ROUND;
  const int source = (int)share;
  int k, more = 1;
  (void)thread;
  for (size_t s = run->first; s < end && s < list->count && more; s++) {
    const uint64_t *key = list->key + s * words;
    uint64_t into[PERMI_CLASS_WORDS];
    const int must = permi_class_move(plan, step, key, into);
    if (must == -2)
      continue;
    if (must == -1 && step->joins >= 0) {
      const permi_class *own = &plan->class_of[step->joins];
      const uint64_t one = UINT64_C(1) << own->shift;
      if (permi_class_number(own, into) < step->most) {
        into[own->word] += one;
        more = permi_class_put(run, source, into, s, 0);
        into[own->word] -= one;
      }
    }
    for (k = 0; k < step->parts && more; k++) {
      const permi_class_part *part = &plan->part[step->part + k];
      const permi_class *to = &plan->class_of[part->into];
      const uint64_t one = part->into > 1 ? UINT64_C(1) << to->shift : 0;
      if (!part->meets || (must != -1 && must != (part->into > 1 ? part->into : part->from)) ||
          !permi_class_number(&plan->class_of[part->from], key))
        continue;
      into[to->word] -= one;
      more = permi_class_put(run, source, into, s, k + 1);
      into[to->word] += one;
    }
  }
  return PERM_OK;
}

/* Returns a key's state, perhaps new, or SIZE_MAX without memory. */
static size_t permi_class_find(permi_class_run *run, permi_class_list *list, const uint64_t *key)
{
  const size_t words = (size_t)run->plan->words;
  size_t at, k;
  if (2 * list->count >= list->places) {
    const size_t places = list->places ? 2 * list->places : 16;
    if (!permi_room(&run->base.locked, NULL, &list->place, 0, places, &list->place_room, sizeof *list->place))
      return SIZE_MAX;
    list->places = places;
    memset(list->place, 0, places * sizeof *list->place);
    for (k = 0; k < list->count; k++) {
      for (at = permi_class_hash(list->key + k * words, (int)words) & (places - 1); list->place[at];)
        at = (at + 1) & (places - 1);
      list->place[at] = (uint32_t)k + 1;
    }
  }
  for (at = permi_class_hash(key, (int)words) & (list->places - 1); list->place[at]; at = (at + 1) & (list->places - 1))
    if (!memcmp(list->key + (list->place[at] - 1) * words, key, words * sizeof *key))
      return list->place[at] - 1;
  if (!permi_room(&run->base.locked, NULL, &list->key, list->count, 1, &list->room, words * sizeof *key) ||
      !permi_room(&run->base.locked, NULL, &list->value, list->count, 1, &list->value_room, run->bytes) ||
      !permi_room(&run->base.locked, NULL, &list->exp2, list->count, 1, &list->exp2_room, sizeof *list->exp2))
    return SIZE_MAX;
  memcpy(list->key + list->count * words, key, words * sizeof *key);
  memset(list->value + list->count * run->bytes, 0, run->bytes);
  list->exp2[list->count] = 0;
  list->place[at] = (uint32_t)++list->count;
  return list->count - 1;
}

static void permi_class_add_way(const permi_class_run *run, const permi_class_list *source, size_t s, int way,
                                permi_class_list *target, size_t t)
{
  const permi_classes *plan = run->plan;
  const permi_class_step *step = &plan->step[run->p];
  const permi_numbers *numbers = &plan->numbers;
  const permi_class_part *part = plan->part + step->part;
  const uint64_t *key = source->key + s * (size_t)plan->words;
  const void *x = source->value + s * run->bytes;
  void *y = target->value + t * run->bytes;
  permi_coefficient c = way ? part[way - 1].entry : step->factor;
  uint64_t value[2][2 * PERM_INTEGER_WORDS];
  size_t times = 1;
  int k, count, which = 0;
  if (way) {
    count = permi_class_number(&plan->class_of[part[way - 1].from], key);
    if (count > 1)
      times = permi_coefficient_multiply(numbers, &c, (uint32_t)count);
  }
  if (!permi_algebra_is_integer(numbers->algebra)) {
    permi_value_add_apart(numbers, &c, y, &target->exp2[t], x, source->exp2[s]);
    return;
  }
  for (k = 0; k < step->parts; k++)
    if (part[k].grows)
      for (count = permi_class_number(&plan->class_of[part[k].from], key) - (k == way - 1); count > 0; count--) {
        memset(value[which], 0, run->bytes);
        permi_values_add(numbers, &part[k].growth, value[which], x, 1);
        x = value[which];
        which = 1 - which;
      }
  for (; times > 0; times--)
    permi_values_add(numbers, &c, y, x, 1);
}

static perm_status permi_class_contract(void *context, uint64_t share, int thread)
{
  permi_class_run *run = (permi_class_run *)context;
  const permi_classes *plan = run->plan;
  const size_t words = (size_t)plan->words;
  permi_class_list *list = &run->list[(run->p + 1) & 1][share];
  (void)thread;
  for (int source = 0; source < run->shares; source++) {
    permi_class_takes *takes = &run->takes[source * run->shares + (int)share];
    const permi_class_list *from = &run->list[run->p & 1][source];
    for (size_t k = 0; k < takes->count && run->status[share] == PERM_OK; k++) {
      const uint64_t *take = takes->take + k * (1 + words);
      const uint32_t state = (uint32_t)take[0], way = (uint32_t)(take[0] >> 32);
      const size_t t = permi_class_find(run, list, take + 1);
      permi_class_links *links = run->links ? &run->links[share] : NULL;
      if (t == SIZE_MAX || (links && !permi_room(&run->base.locked, NULL, &links->link, links->count, 1, &links->room,
                                                 sizeof *links->link))) {
        run->status[share] = PERM_ERROR_MEMORY;
        break;
      }
      if (links) {
        const permi_class_link link = {state, way, (uint32_t)source, (uint32_t)t};
        links->link[links->count++] = link;
      }
      permi_class_add_way(run, from, state, (int)way, list, t);
    }
    takes->count = 0;
  }
  return PERM_OK;
}

/* THE BOUND: gamma of 7 or 12 roundings a line and of additions, which `ways` and
   `parts` limit; nothing overflows, and underflow is a rounding (tests/proofs/chains.v, tests/proofs/frontier.g). */
static double permi_classes_bound(const permi_classes *plan, const permi_block *block, double roundings)
{
  double operations = (block->imaginary ? 12.0 : 7.0) * block->n;
  for (int p = 0; p < plan->steps; p++)
    operations += 2 * (plan->step[p].ways * (plan->step[p].parts + 1) - 1);
  return operations + roundings > 1e14 ? (double)INFINITY
                                       : permi_terms_bound(&plan->numbers, roundings, operations, operations);
}

static perm_status permi_class_advance(permi_runner *runner, int p)
{
  permi_class_run *run = (permi_class_run *)runner;
  permi_class_list *source = run->list[p & 1], *target = run->list[(p + 1) & 1];
  const permi_class_step *step = &run->plan->step[p];
  size_t most = 0, all = 0, places;
  perm_status status = PERM_OK;
  run->p = p;
  runner->done = step->done / run->plan->cost * run->plan->seconds;
  for (int k = 0; k < run->shares; k++) {
    target[k].count = 0;
    for (places = 16; places < 2 * source[k].count; places *= 2)
      ;
    if (!permi_room(&run->base.locked, NULL, &target[k].place, 0, places, &target[k].place_room, sizeof(uint32_t)))
      return PERM_ERROR_MEMORY;
    target[k].places = places;
    memset(target[k].place, 0, places * sizeof(uint32_t));
    most = source[k].count > most ? source[k].count : most;
    all += source[k].count;
  }
  const int shared = (double)all * (step->parts + 1) * run->plan->each < PERMI_SHARE_SECONDS ? 1 : runner->threads;
  for (run->first = 0; run->first < most && status == PERM_OK; run->first += PERMI_CLASS_ROUND) {
    permi_share(shared, 0, (uint64_t)run->shares, permi_class_expand, run, NULL);
    permi_share(shared, 0, (uint64_t)run->shares, permi_class_contract, run, NULL);
    for (int k = 0; k < run->shares && status == PERM_OK; k++)
      status = run->status[k];
    if (status == PERM_OK)
      status = permi_runner_poll(runner, PERMI_RUNNER_POLL, runner->done, 0);
  }
  for (int k = 0; k < run->shares; k++) {
    runner->visited += (double)target[k].count;
    if (!permi_algebra_is_integer(run->plan->numbers.algebra))
      permi_values_normalise(&run->plan->numbers, target[k].value, target[k].count, target[k].exp2,
                             p & PERMI_CANCELS_STEPS ? NULL : &runner->sizes);
  }
  return status;
}

static int permi_class_run_open(permi_class_run *run, const permi_classes *plan, permi_control *control)
{
  const uint64_t none[PERMI_CLASS_WORDS] = {0};
  permi_pool *pool = &run->base.pool;
  permi_runner_begin(&run->base, &plan->owned.allocator, control, "classes");
  run->plan = plan;
  run->shares = plan->most >= PERMI_CLASS_SHARED ? PERMI_CLASS_SHARES : 1;
  run->bytes = 8 * permi_numbers_words(&plan->numbers);
  const size_t shares = (size_t)run->shares;
  for (int k = 0; k < 2; k++)
    run->list[k] = (permi_class_list *)permi_pool_zeros(pool, shares, sizeof(permi_class_list));
  run->takes = (permi_class_takes *)permi_pool_zeros(pool, shares * shares, sizeof *run->takes);
  run->status = (perm_status *)permi_pool_zeros(pool, shares, sizeof *run->status);
  if (pool->failed || permi_class_find(run, run->list[0], none) != 0)
    return 0;
  permi_value_one(&plan->numbers, run->list[0]->value);
  return 1;
}

static void permi_class_run_close(permi_class_run *run)
{
  for (int k = 0; run->takes && k < run->shares * run->shares; k++)
    permi_release(&run->base.locked, run->takes[k].take);
  for (int which = 0; which < 2; which++)
    for (int k = 0; run->list[which] && k < run->shares; k++) {
      permi_release(&run->base.locked, run->list[which][k].key);
      permi_release(&run->base.locked, run->list[which][k].value);
      permi_release(&run->base.locked, run->list[which][k].exp2);
      permi_release(&run->base.locked, run->list[which][k].place);
    }
  permi_pool_release(&run->base.pool);
}

static perm_status permi_classes_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_classes *plan = (const permi_classes *)leaf->context;
  permi_class_run run;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&run, 0, sizeof run);
  if (permi_class_run_open(&run, plan, control))
    status = permi_runner_go(&run.base, 0, plan->steps, permi_class_advance);
  if (status == PERM_OK) {
    const permi_class_list *last = run.list[plan->steps & 1];
    run.base.sizes.exp2 = last->count ? last->exp2[0] : 0;
    permi_runner_finish(&run.base, &plan->numbers, last->count ? last->value : NULL, plan->lost_error, partial);
  }
  permi_class_run_close(&run);
  return status;
}
/* SPDX-License-Identifier: MIT */
