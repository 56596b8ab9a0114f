/* ================================================================================== >>trace_classes
   Samples from method twins. */
#pragma once
#include "trace.h"
#include "../twins/classes_order.h"

/* A state knows how many members of a class wait, not which. A vertex matched with one stays pending; a member that
   waited gets any pending vertex: members' remaining entries are proportional, so all pairings have the same product.
   Where classes merged, pending vertices are shared at random, as many as waited in each. */
typedef struct permi_class_level {
  permi_class_list before; /* states */
  size_t *first;           /* of a state's links */
  permi_class_link *link;
  size_t targets; /* states after the step */
} permi_class_level;

typedef struct permi_class_pending {
  int vertex, number; /* number: of the class */
} permi_class_pending;

/* Lists double their room; links count all ways. */
static double permi_classes_kept_bytes(const void *plan)
{
  const permi_classes *classes = (const permi_classes *)plan;
  double bytes = 0;
  for (int p = 0; p < classes->steps; p++)
    bytes += classes->step[p].states *
             (8.0 * (classes->words + (int)permi_numbers_words(&classes->numbers) + 2) +
              (double)sizeof(permi_class_link) * (classes->step[p].parts + 1));
  return 2 * bytes;
}

/* 0: out of memory. */
static int permi_class_keep_states(permi_trace *trace, const permi_class_run *run, int p)
{
  const permi_class_list *list = run->list[p & 1];
  permi_class_list *to = &((permi_class_level *)trace->kept)[p].before;
  const size_t words = (size_t)run->plan->words;
  size_t states = 1, at = 0;
  for (int k = 0; k < run->shares; k++)
    states += list[k].count;
  to->key = (uint64_t *)permi_pool_get(&trace->pool, states, words * sizeof(uint64_t));
  to->value = (char *)permi_pool_get(&trace->pool, states, run->bytes);
  to->exp2 = (int64_t *)permi_pool_get(&trace->pool, states, sizeof(int64_t));
  for (int k = 0; k < run->shares && !trace->pool.failed; at += list[k++].count)
    if (list[k].count) {
      memcpy(to->key + at * words, list[k].key, list[k].count * words * sizeof(uint64_t));
      memcpy(to->value + at * run->bytes, list[k].value, list[k].count * run->bytes);
      memcpy(to->exp2 + at, list[k].exp2, list[k].count * sizeof(int64_t));
    }
  return !trace->pool.failed;
}

/* Sorts them by the states after the step. 0: out of memory. */
static int permi_class_keep_links(permi_trace *trace, permi_class_run *run, int p)
{
  const permi_class_list *from = run->list[p & 1], *into = run->list[(p + 1) & 1];
  permi_class_level *level = (permi_class_level *)trace->kept + p;
  size_t base[2][PERMI_CLASS_SHARES + 1] = {{0}, {0}}, links = 0, k, total;
  for (int share = 0; share < run->shares; share++) {
    base[0][share + 1] = base[0][share] + from[share].count;
    base[1][share + 1] = base[1][share] + into[share].count;
    links += run->links[share].count;
  }
  level->targets = total = base[1][run->shares];
  level->first = (size_t *)permi_pool_zeros(&trace->pool, total + 2, sizeof(size_t));
  level->link = (permi_class_link *)permi_pool_get(&trace->pool, links + 1, sizeof *level->link);
  if (trace->pool.failed)
    return 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int share = 0; share < run->shares; share++)
      for (k = 0; k < run->links[share].count; k++) {
        permi_class_link link = run->links[share].link[k];
        const size_t state = base[1][share] + link.into;
        link.state += (uint32_t)base[0][link.share];
        if (pass)
          level->link[level->first[state + 1]++] = link; /* first[state + 1] runs from its begin to its end */
        else
          level->first[state + 2]++;
      }
    for (k = 2; !pass && k < total + 2; k++)
      level->first[k] += level->first[k - 1];
  }
  for (int share = 0; share < run->shares; share++)
    run->links[share].count = 0;
  return 1;
}

static perm_status permi_class_keep(permi_runner *runner, int p)
{
  permi_class_run *run = (permi_class_run *)runner;
  permi_trace *trace = (permi_trace *)runner->keeper;
  return (p == 0 || permi_class_keep_links(trace, run, p - 1)) &&
                 (p == run->plan->steps || permi_class_keep_states(trace, run, p))
             ? PERM_OK : PERM_ERROR_MEMORY;
}

static perm_status permi_classes_record(permi_trace *trace, permi_control *control)
{
  const permi_classes *plan = (const permi_classes *)trace->plan;
  permi_class_links links[PERMI_CLASS_SHARES];
  permi_class_run run;
  perm_status status = PERM_ERROR_MEMORY;
  size_t ways = 1, k;
  memset(links, 0, sizeof links);
  memset(&run, 0, sizeof run);
  run.links = links;
  run.base.keep = permi_class_keep;
  run.base.keeper = trace;
  trace->kept = permi_pool_zeros(&trace->pool, (size_t)plan->steps, sizeof(permi_class_level));
  trace->room = 2 * (size_t)trace->n * sizeof(permi_class_pending);
  if (trace->kept && permi_class_run_open(&run, plan, control))
    status = permi_runner_go(&run.base, 0, plan->steps, permi_class_advance);
  if (status == PERM_OK)
    status = permi_class_keep(&run.base, plan->steps);
  for (int p = 0; p < plan->steps && status == PERM_OK; p++) {
    const permi_class_level *level = (const permi_class_level *)trace->kept + p;
    for (k = 0; k < level->targets; k++)
      ways = level->first[k + 1] - level->first[k] > ways ? level->first[k + 1] - level->first[k] : ways;
  }
  trace->visited = run.base.visited;
  permi_trace_ways(trace, &plan->numbers, ways);
  trace->steps = (uint64_t)plan->steps;
  for (int p = 0; p < PERMI_CLASS_SHARES; p++)
    permi_release(&run.base.locked, links[p].link);
  permi_class_run_close(&run);
  return status;
}

/* Returns a random pending vertex. */
static int permi_class_pick(const permi_class_pending *pending, int count, int number, uint64_t *random)
{
  uint64_t all = 0, x;
  int k;
  for (k = 0; k < count; k++)
    all += pending[k].number == number;
  do
    x = permi_random(random);
  while (x > UINT64_MAX - (UINT64_MAX % all + 1) % all);
  for (k = 0, x %= all; pending[k].number != number || x-- > 0; k++)
    ;
  return k;
}

static void permi_class_undo(permi_draw *draw, int sample, const permi_classes *plan, const permi_class_step *step,
                             const uint64_t *key, int way, int *count)
{
  permi_class_pending *pending = (permi_class_pending *)(void *)draw->room;
  const permi_class_part *part = plan->part + step->part;
  if (!way) {
    const int at = permi_class_pick(pending, *count, step->joins, &draw->random[sample]);
    permi_draw_match(draw, sample, step->vertex, pending[at].vertex);
    pending[at] = pending[--*count];
  }
  for (int k = 0; k < step->parts; k++)
    if (part[k].from != part[k].into && part[k].into > 1)
      for (int moves = permi_class_number(&plan->class_of[part[k].from], key) - (k == way - 1); moves > 0; moves--)
        pending[permi_class_pick(pending, *count, part[k].into, &draw->random[sample])].number = part[k].from;
  if (way) {
    pending[*count].vertex = step->vertex;
    pending[(*count)++].number = part[way - 1].from;
  }
}

static void permi_classes_ways(permi_draw *draw, int p, int part, const void *of)
{
  const permi_class_level *level = (const permi_class_level *)draw->trace->kept + p;
  const size_t *first = level->first + *(const size_t *)of;
  const permi_class_link *link = level->link + first[0];
  const permi_coefficient one = permi_coefficient_one();
  uint64_t value[2 * PERM_INTEGER_WORDS];
  int64_t exp2, most = INT64_MIN;
  permi_class_run run;
  permi_class_list target = {0, 0, 0, 0, 0, 0, NULL, (char *)value, &exp2, NULL};
  (void)part;
  memset(&run, 0, sizeof run);
  run.plan = (const permi_classes *)draw->trace->plan;
  run.bytes = 8 * draw->trace->size;
  run.p = p;
  for (int pass = draw->trace->integers; pass < 2; pass++) /* doubles: first finds the largest exponent */
    for (size_t k = 0; k < first[1] - first[0]; k++) {
      double *x = (double *)(void *)value;
      int e = 0;
      memset(value, 0, run.bytes);
      exp2 = 0;
      permi_class_add_way(&run, &level->before, link[k].state, (int)link[k].way, &target, 0);
      if (!draw->trace->integers)
        *x = pass ? permi_ldexp(*x, exp2 - most) : frexp(*x, &e);
      most = pass || exp2 + e < most ? most : exp2 + e;
      if (pass)
        permi_draw_weigh(draw, &one, NULL, value, k);
    }
}

static void permi_classes_draw(permi_draw *draw)
{
  const permi_classes *plan = (const permi_classes *)draw->trace->plan;
  for (int k = 0; k < draw->count; k++) {
    size_t state = 0;
    int pending = 0;
    for (int p = plan->steps - 1; p >= 0; p--) {
      const permi_class_level *level = (const permi_class_level *)draw->trace->kept + p;
      const permi_class_link *link = level->link + level->first[state] +
                                     permi_draw_way(draw, k, permi_draw_state(draw, p, state), p, 0, &state);
      state = link->state;
      permi_class_undo(draw, k, plan, &plan->step[p], level->before.key + state * (size_t)plan->words, (int)link->way,
                       &pending);
    }
  }
}

static const permi_tracer permi_classes_tracer = {permi_classes_kept_bytes, permi_classes_record, permi_classes_draw,
                                                  permi_classes_ways};
/* SPDX-License-Identifier: MIT */
