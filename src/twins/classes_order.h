/* ================================================================================== >>classes_order */
#pragma once
#include "classes_run.h"

/* The vertex that leaves the fewest classes goes next. Of several the first attempt takes the one with the most
   neighbours that came, the second the one with the fewest (docs/engines.md). */
PERMI_NEVER_INLINE static int permi_class_choose(permi_class_build *build, int attempt)
{
  int chosen = -1, least = INT_MAX;
  uint64_t best = 0;
  for (int v = 0; v < 2 * build->block->n; v++) {
    const int own = v >= build->block->n, side = 1 - own;
    const permi_class *mine = &build->list[build->number[v]];
    int classes = build->actives[own] - (build->number[v] > 1 && mine->size == 1), fresh = build->open[v];
    if (build->gone[v])
      continue;
    for (int k = 0; k < build->actives[side] && classes <= least; k++) {
      const permi_class *c = &build->list[build->active[side][k]];
      const size_t at = (size_t)v * PERMI_CLASSES + (size_t)c->slot;
      const int met = build->met[at], odd = build->odd[at];
      fresh -= met;
      classes += (met > odd) + (odd > 0) + (c->size > met);
    }
    classes += fresh > 0;
    const uint64_t turn = attempt < 2 ? (uint64_t)v : permi_hash((uint64_t)attempt, (uint64_t)v) >> 32;
    const uint64_t rank = (uint64_t)(attempt & 1 ? build->open[v] : build->block->n - build->open[v]) << 32 | turn;
    if (classes < least || (classes == least && rank < best)) {
      chosen = v;
      least = classes;
      best = rank;
    }
  }
  permi_watch(build->watch, (5.0 + 2 * (build->actives[0] + build->actives[1])) * build->block->n);
  return chosen;
}

static void permi_class_ratio(const permi_block *block, int e, const double *z, double *ratio)
{
  const double x = block->integer ? (double)block->integer[e] : block->real[e], norm = z[0] * z[0] + z[1] * z[1];
  const double y = block->imaginary_integer ? (double)block->imaginary_integer[e]
                   : block->imaginary       ? block->imaginary[e]
                                            : 0;
  ratio[0] = (x * z[0] + y * z[1]) / norm;
  ratio[1] = (y * z[0] - x * z[1]) / norm;
}

static int permi_class_near(const double *x, const double *y)
{
  return fabs(x[0] - y[0]) + fabs(x[1] - y[1]) <= 1e-12 * (fabs(x[0]) + fabs(x[1]));
}

/* Marks the entries that are not a factor of the row times a factor of the column, if most are. The longest row gives
   the columns' factors, then majority votes both. */
PERMI_NEVER_INLINE static int permi_class_vote(permi_class_build *build)
{
  const permi_block *block = build->block;
  const int n = block->n;
  double(*scale)[2] = (double(*)[2])permi_pool_get(&build->pool, 2 * (size_t)n, sizeof *scale), ratio[2];
  int v, e, pass, most = 0;
  memset(build->uncommon, 0, (size_t)block->edges);
  for (e = 1; e < block->edges && permi_entries_equal(block, e, 0); e++)
    ;
  if (!scale || e >= block->edges)
    return scale != NULL;
  for (v = 0; v < 2 * n; v++) {
    scale[v][0] = 1;
    scale[v][1] = 0;
    most = v < n && block->start[v + 1] - block->start[v] > block->start[most + 1] - block->start[most] ? v : most;
  }
  for (e = block->start[most]; e < block->start[most + 1]; e++)
    permi_class_ratio(block, block->edge[e], scale[most], scale[block->neighbour[e]]);
  for (pass = 0; pass < 3; pass++)
    for (v = pass == 1 ? n : 0; v < (pass == 1 ? 2 * n : n); v++) {
      double kept[2] = {1, 0};
      int votes = 0;
      for (e = block->start[v]; e < block->start[v + 1]; e++) {
        permi_class_ratio(block, block->edge[e], scale[block->neighbour[e]], ratio);
        if (pass == 2)
          build->uncommon[block->edge[e]] = (unsigned char)!permi_class_near(ratio, scale[v]);
        else if (votes && !permi_class_near(ratio, kept))
          votes--;
        else if (!votes++)
          memcpy(kept, ratio, sizeof kept);
      }
      if (pass < 2)
        memcpy(scale[v], kept, sizeof kept);
    }
  permi_watch(build->watch, 40.0 * block->edges);
  return 1;
}

/* Returns PERM_ERROR_LIMIT if the plan has over `most` ways or too many classes, or if its search is stopped or takes
   longer than `patience`. */
static perm_status permi_classes_create(const permi_block *block, const permi_classes *like, int attempt, double most,
                                        double patience, permi_control *watch, permi_classes *plan)
{
  const int doubled = permi_algebra_is_dd(like->numbers.algebra);
  permi_pool *pool = &plan->owned.pool;
  permi_class_build build;
  plan->numbers = like->numbers;
  plan->lost_error = like->lost_error;
  permi_class_build_begin(&build, plan, block, watch, doubled, most);
  if (build.status == PERM_OK && !permi_class_vote(&build))
    build.status = PERM_ERROR_MEMORY;
  while (build.status == PERM_OK && build.taken < plan->steps) {
    permi_class_take_away(&build, permi_class_choose(&build, attempt));
    if (watch->worked > patience || permi_watch(watch, 0))
      build.status = build.status == PERM_OK ? PERM_ERROR_LIMIT : build.status;
  }
  perm_status status = build.status;
  permi_class_part *part = plan->part;
  permi_class_limit *limit = plan->limit;
  if (status == PERM_OK) {
    plan->numbered = build.numbered;
    plan->class_of = (permi_class *)permi_pool_kept(pool, build.list, (size_t)build.numbered, sizeof *build.list);
    plan->part = (permi_class_part *)permi_pool_kept(pool, part, (size_t)build.parts, sizeof *part);
    plan->limit = (permi_class_limit *)permi_pool_kept(pool, limit, (size_t)build.limits, sizeof *limit);
    status = pool->failed ? PERM_ERROR_MEMORY : permi_class_fields(plan) ? PERM_OK : PERM_ERROR_LIMIT;
  }
  permi_release(build.pool.allocator, part);
  permi_release(build.pool.allocator, limit);
  permi_release(build.pool.allocator, build.list);
  permi_pool_release(&build.pool);
  for (int p = 0; p < plan->steps && status == PERM_OK; p++) {
    const double before = p ? plan->step[p - 1].states : 1;
    plan->step[p].done = plan->cost;
    plan->cost += before * (1 + plan->step[p].parts);
    plan->step[p].ways = fmin(plan->step[p].ways, before);
  }
  return status;
}

#define PERMI_CLASS_ATTEMPTS 12
static double permi_classes_finding(const permi_block *block)
{
  const double vertices = 2.0 * block->n;
  return PERMI_CLASS_PLAN_SECONDS * (vertices * vertices + 8.0 * block->edges);
}

#define PERMI_CLASS_WORTH 7 /* times the search: the least that a rival must take */
static perm_status permi_classes_least(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  (void)maker, (void)rival;
  offer->least = fmax(offer->least, PERMI_CLASS_WORTH * permi_classes_finding(block));
  return PERM_OK;
}

static perm_status permi_classes_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const permi_working *working = maker->working;
  const double begin = maker->watch->worked, finding = permi_classes_finding(block);
  const int named = maker->options->method == PERM_METHOD_TWINS;
  const double worth = named ? PERMI_CLASS_NAMED_SECONDS
                             : fmin(PERMI_SEARCH_SHARE * rival, PERMI_ORDER_PLAN_SECONDS * block->edges);
  permi_classes like, *best = NULL, *plan;
  perm_status status = PERM_OK;
  double each, key, value, ways = 1;
  int attempt, p, doubled = permi_sparse_doubled(maker->options);
  if (finding > worth)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "would take %s to look for classes", permi_time_words(finding).text);
  memset(&like, 0, sizeof like);
  if (!permi_numbers_choose_moduli(&like.numbers, block, working->modulus, doubled))
    return permi_refuse_long(offer);
  like.lost_error = working->lost_error;
  each = PERMI_CLASS_WAY_SECONDS + PERMI_WORD_SECONDS * (double)permi_numbers_words(&like.numbers) *
                                       like.numbers.parts *
                                       (like.numbers.algebra == PERMI_RESIDUES ? PERMI_RESIDUE_WORDS : 1);
  for (attempt = 0; attempt < PERMI_CLASS_ATTEMPTS && status != PERM_ERROR_MEMORY; attempt++) {
    const double most = fmin(best ? best->cost : rival / each, PERMI_ORDER_START);
    plan = (permi_classes *)permi_owned_new(allocator, sizeof *plan);
    status = plan ? permi_classes_create(block, &like, attempt, most, begin + 1e9 * worth, maker->watch, plan)
                  : PERM_ERROR_MEMORY;
    if (status == PERM_OK && (!best || plan->cost < best->cost)) {
      permi_classes *swap = best;
      best = plan;
      plan = swap;
    }
    permi_owned_release(allocator, plan);
    if (best ? PERMI_CLASS_AGAIN * 1e9 * best->cost * each < maker->watch->worked - begin : attempt > 0)
      break;
  }
  maker->account->begin += maker->watch->worked - begin; /* other orders do not depend on it */
  offer->plan = best;
  if (status == PERM_ERROR_MEMORY)
    return permi_fail_memory(maker->result);
  if (!best)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "has too few proportional lines in the orders that were tried%s",
                        rival < (double)INFINITY ? ", for no longer than another engine takes" : "");
  best->bound_relative = permi_classes_bound(best, block, permi_entry_roundings(working, working->n));
  best->each = each;
  best->seconds = best->cost * each + best->steps * PERMI_ROW_SECONDS;
  offer->seconds = best->seconds;
  key = 8.0 * best->words;
  value = 8.0 * (double)permi_numbers_words(&best->numbers);
  for (p = 0; p < best->steps; p++)
    ways = fmax(ways, best->step[p].parts + 1);
  offer->bytes =
      1.5 * (2 * best->most * (key + value + 16) +
             fmin(best->most, PERMI_CLASS_SHARES * PERMI_CLASS_ROUND) * ways * (key + 8)) +
      (double)best->numbered * sizeof(permi_class) + (double)best->steps * sizeof(permi_class_step) + 65536;
  return PERM_OK;
}

static size_t permi_classes_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_classes *plan = (const permi_classes *)leaf->context;
  return permi_say(buffer, size,
                   "classes, order %d: vertices with proportional entries ahead are counted, the largest "
                   "product of (number + 1) is %.3g; %d steps, at most %.3g states, about %.3g ways, "
                   "predicted %.3g s, %.3g bytes\n",
                   leaf->information.n, plan->product, plan->steps, plan->most, plan->cost,
                   leaf->information.seconds, leaf->information.bytes);
}

static uint64_t permi_classes_fingerprint(const permi_classes *plan, permi_control *watch)
{
  uint64_t hash = permi_hash(PERMI_HASH_START + 2, (uint64_t)plan->numbers.algebra);
  hash = permi_hash(permi_hash(hash, (uint64_t)plan->numbers.words), plan->numbers.modulus);
  for (int p = 0; p < plan->steps && !permi_watch_step(watch, (size_t)p, 60); p++) {
    const permi_class_step *step = &plan->step[p];
    hash = permi_hash(hash, (uint64_t)(int64_t)step->joins << 32 | (uint64_t)step->most);
    hash = permi_coefficient_hash(hash, &step->factor);
    for (int k = step->part; k < step->part + step->parts; k++) {
      const permi_class_part *part = &plan->part[k];
      hash = permi_hash(hash, (uint64_t)part->from << 32 | (uint64_t)part->into << 1 | (uint64_t)part->meets);
      hash = permi_coefficient_hash(permi_coefficient_hash(hash, &part->entry), &part->growth);
    }
    for (int k = step->limit; k < step->limit + step->limits; k++)
      hash = permi_hash(hash, (uint64_t)plan->limit[k].number << 32 | (uint64_t)plan->limit[k].most);
  }
  return hash;
}

static perm_status permi_classes_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                      permi_leaf *leaf)
{
  permi_classes *plan = (permi_classes *)offer->plan;
  const int doubled = permi_algebra_is_dd(plan->numbers.algebra) && !block->rounded;
  leaf->information.work = plan->cost;
  leaf->information.fingerprint = permi_classes_fingerprint(plan, maker->watch);
  permi_leaf_values(leaf, &plan->numbers, plan->bound_relative, doubled ? PERMI_DD_UNIT : PERMI_UNIT,
                    permi_classes_task, permi_classes_explain);
  leaf->threaded = plan->most >= PERMI_CLASS_SHARED;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
