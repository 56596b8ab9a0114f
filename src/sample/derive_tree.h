/* ==================================================================================== >>derive_tree
   Derivatives of a block's permanent, by one pass back through its tree. T' is that by table T, 1 by the last:
     star of P     P'[matched half] = T', P'[s] = alone T'[s] + sum over entries c to t of c T'[s | t],
                   c' = sum of P[s] T'[s | t], alone' = sum of P[s] T'[s]
     join C = A B  A'[a] = sum over b disjoint from a of B[b] C'[a | b], and B' in the same way
     leaf          c' = T'[t], alone' = T'[0]
   Adjoints lie where the tables lay. Joins skip zeros only where all are structural. One thread sums a place; dots
   have as many parts for any number of threads. THE BOUND: docs/proofs-rounding.md (tests/proofs/chains.v). */
#pragma once
#include "derive_frontier.h"
#include "trace_tree.h"

#define PERMI_TREE_DOT_STATES 4096 /* chosen: more are summed in */
#define PERMI_TREE_DOT_PARTS 64

typedef struct permi_tree_back {
  permi_tree_run *run;
  const permi_tree_kept *kept;
  permi_derived *derived;
  uint64_t *bar, *sum; /* a node's adjoint; parts of a dot */
  double *roundings;   /* by node, in its adjoint */
  double product;      /* of a product */
} permi_tree_back;

/* Adds sums of x y, x in `group`, y adjoints: at each of `of` with its partners. */
static PERMI_ALWAYS_INLINE void permi_tree_gather_of(permi_algebra algebra, const permi_numbers *numbers,
                                                     const permi_tree_product *join, const permi_tree_group *of,
                                                     const permi_tree_group *group, const uint64_t *bar, uint64_t *to)
{
  const permi_tree_rank *rank = &join->run->rank;
  const permi_coefficient one = permi_coefficient_one();
  const size_t size = permi_value_words(algebra, numbers);
  uint64_t sum[2 * PERM_INTEGER_WORDS];
  if (algebra == PERMI_WIDE || algebra == PERMI_MAGNITUDES_DD) /* never chosen */
    return;
  for (size_t i = 0; i < of->count; i++) {
    const uint32_t m = of->mask[i] ^ join->rows;
    memset(sum, 0, 8 * size);
    for (size_t k = 0; k < group->count; k++) {
      const uint32_t state = group->mask[k] ^ m;
      const size_t place = rank->low[state & ((1u << PERMI_TREE_LOW) - 1)] + rank->high[state >> PERMI_TREE_LOW];
      permi_value_fuse(algebra, numbers, group->value + size * group->index[k], sum, bar + size * place);
    }
    permi_value_add(algebra, numbers, &one, to + size * of->index[i], sum, 0);
  }
}

typedef void (*permi_tree_gatherer)(const permi_numbers *numbers, const permi_tree_product *join,
                                    const permi_tree_group *of, const permi_tree_group *group, const uint64_t *bar,
                                    uint64_t *to);
#define PERMI_INSTANCE(name, algebra)                                                                                  \
  static void permi_tree_gather_##name(const permi_numbers *numbers, const permi_tree_product *join,                   \
                                       const permi_tree_group *of, const permi_tree_group *group, const uint64_t *bar, \
                                       uint64_t *to)                                                                   \
  { permi_tree_gather_of(algebra, numbers, join, of, group, bar, to); }
PERMI_ALGEBRAS(PERMI_INSTANCE)
#undef PERMI_INSTANCE

#define PERMI_NAMED(name, algebra) permi_tree_gather_##name,
static const permi_tree_gatherer permi_tree_gatherers[] = {PERMI_ALGEBRAS(PERMI_NAMED) NULL};
#undef PERMI_NAMED

static void permi_tree_ray_back(const permi_tree_ray *ray, int part, size_t from, size_t to, size_t count)
{
  const permi_tree *tree = ray->tree;
  const size_t size = (size_t)tree->size;
  permi_values_add(&tree->numbers, ray->c, ray->open_bar + from * size, ray->matched + to * size, count);
  permi_values_dot(&tree->numbers, ray->open + from * size, ray->matched + to * size, NULL, NULL, count,
                   ray->sum + (size_t)part * size);
}

/* By edge e, or, before the node's, by `alone`. */
static void permi_tree_derived(const permi_tree_back *back, const permi_tree_node *node, int e, const uint64_t *value,
                               const permi_sizes *sizes, double roundings)
{
  const permi_tree *tree = back->run->tree;
  permi_derived *derived = back->derived;
  const int at = e >= node->edge ? e : tree->node[tree->nodes].edge + (int)(node - tree->node);
  memcpy(derived->value + (size_t)at * derived->size, value, derived->size * sizeof *value);
  derived->sizes[at] = *sizes;
  derived->roundings[1] = fmax(derived->roundings[1], roundings);
}

static void permi_tree_star_back(permi_tree_back *back, const permi_tree_node *node, const permi_tree_table *product,
                                 const permi_tree_table *table, double roundings, permi_tree_table *bar)
{
  permi_tree_run *run = back->run;
  const permi_tree *tree = run->tree;
  const size_t size = (size_t)tree->size;
  const int edges = node[1].edge - node->edge, threads = permi_tree_threads(run, product->states);
  const int parts = product->states > PERMI_TREE_DOT_STATES ? PERMI_TREE_DOT_PARTS : 1;
  const permi_coefficient one = permi_coefficient_one();
  permi_tree_ray ray = permi_tree_ray_begin(tree, node, product, parts), to = permi_tree_ray_begin(tree, node, bar, 1);
  permi_sizes sizes = table->sizes;
  double weight = 1, least = 1;
  memset(bar->value, 0, bar->states * size * sizeof *bar->value);
  memcpy(to.matched, table->value, table->states * size * sizeof *table->value);
  ray.back = permi_tree_ray_back;
  ray.matched = table->value;
  ray.open_bar = (uint64_t *)(uintptr_t)to.open;
  ray.sum = back->sum;
  for (int e = node->edge - 1; e < node[1].edge; e++) {
    const int some = permi_tree_ray_aim(&ray, node, e);
    const double highs = 1u << (ray.bit < ray.t ? ray.t - 1 - ray.bit : 0), slices = parts > highs ? parts : 1;
    const double states = (double)product->states;
    if (!some && !(tree->alone && run->zeros))
      continue;
    permi_coefficient_weigh(ray.c, &weight, &least);
    memset(ray.sum, 0, (size_t)parts * size * sizeof *ray.sum);
    permi_share(threads, 0, (uint64_t)parts, permi_tree_ray_part, &ray, NULL);
    for (int part = 1; part < parts; part++)
      permi_values_add(&tree->numbers, &one, ray.sum, ray.sum + (size_t)part * size, 1);
    sizes.exp2 = table->sizes.exp2 + product->sizes.exp2;
    sizes.loss = permi_tree_join_loss(&table->sizes, &product->sizes, states);
    permi_tree_derived(back, node, e, ray.sum, &sizes,
                       roundings + back->product + parts + fmin(states, (1u << ray.bit) / slices + 1) +
                           fmin(states, highs * slices / parts + 1));
  }
  bar->sizes = table->sizes;
  bar->sizes.loss = permi_loss_scaled(table->sizes.loss, weight * (1 + 1e-12), 0);
  if (table->sizes.smallest * least < PERMI_SAFE_PRODUCT)
    bar->sizes.loss += (edges + 1) * PERMI_TREE_LOST;
  permi_tree_rescale(run, bar);
}

/* Of groups with the same heavy bits. */
static perm_status permi_tree_join_back_part(void *context, uint64_t number, int thread)
{
  const permi_tree_product *join = (const permi_tree_product *)context;
  permi_tree_run *run = join->run;
  const permi_tree_gatherer gather = permi_tree_gatherers[run->tree->numbers.algebra];
  const int side = join->inner, other = 1 - side, bits = permi_count_ones(join->common) - join->cut;
  const uint32_t all = (1u << permi_count_ones(join->common)) - 1;
  uint32_t g = (uint32_t)number << bits, h;
  const uint32_t last = g + (1u << bits);
  perm_status status = PERM_OK;
  for (; g < last && status == PERM_OK; g++) {
    const permi_tree_group of = permi_tree_group_of(join, side, g);
    const uint32_t rest = all ^ g;
    if (!of.count)
      continue;
    status = permi_runner_poll(&run->base, 0.125 * (1u << permi_count_ones(rest)), run->base.done, thread);
    for (h = rest; status == PERM_OK; h = (h - 1) & rest) {
      const permi_tree_group group = permi_tree_group_of(join, other, h);
      if (group.count) {
        gather(&run->tree->numbers, join, &of, &group, join->out->value, (uint64_t *)(void *)join->bar);
        status = permi_runner_poll(&run->base, 0.125 * (double)group.count * (double)of.count, run->base.done, thread);
      }
      if (!h)
        break;
    }
  }
  return status;
}

/* Makes the factors' adjoints bar[k], unless NULL, directly by whole tables; adds to roundings[k]. */
static perm_status permi_tree_join_back_to(permi_tree_back *back, const permi_tree_node *node,
                                           const permi_tree_table *const *factor, const permi_tree_table *product,
                                           permi_tree_table *const *bar, double *roundings)
{
  permi_tree_run *run = back->run;
  permi_tree_table out = *product;
  permi_tree_product join = permi_tree_join_begin(run, node->rows, product->set, factor[0], factor[1], &out);
  const int threads = join.parts > 1 ? run->base.threads : 1;
  const int common = permi_count_ones(factor[0]->set & factor[1]->set);
  int direct[2], sorted = 0, k;
  perm_status status = PERM_OK;
  for (k = 0; k < 2; k++) {
    const permi_tree_table *own = factor[k], *other = factor[1 - k];
    direct[k] = bar[k] && run->tree->alone && run->tree->numbers.algebra == PERMI_MAGNITUDES &&
                (permi_count_ones(other->set | own->set) <= PERMI_TREE_SMALL ||
                 permi_tree_disjoint(other->set, other->difference, own->set, PERMI_TREE_WIDTH) <=
                     4 * permi_tree_disjoint(other->set, other->difference, own->set, own->difference));
    sorted |= bar[k] && !direct[k];
  }
  if (sorted)
    status = permi_share(threads, 0, 2, permi_tree_join_prepare, &join, NULL);
  for (k = 0; k < 2 && status == PERM_OK; k++) {
    const permi_tree_table *other = factor[1 - k];
    const int bits = permi_count_ones(other->set);
    const double states = !run->tree->alone ? (double)other->states :
                          permi_tree_terms(run->tree, other->set, other->difference, other->difference);
    if (!bar[k])
      continue;
    join.inner = k;
    join.bar = (double *)(void *)bar[k]->value;
    memset(bar[k]->value, 0, bar[k]->states * (size_t)run->tree->size * sizeof *bar[k]->value);
    status = permi_share(threads, 0, (uint64_t)1 << join.cut,
                         direct[k] ? permi_tree_direct_part : permi_tree_join_back_part, &join, NULL);
    for (uint32_t s = 0; direct[k] && s < factor[k]->states; s++) /* possible states alone, or without `zeros` not 0 */
      if (permi_count_ones(s) > factor[k]->difference ||
          (!run->zeros && ((const double *)(const void *)factor[k]->value)[s] == 0))
        join.bar[s] = 0;
    bar[k]->sizes.exp2 = product->sizes.exp2 + other->sizes.exp2;
    bar[k]->sizes.loss = permi_tree_join_loss(&product->sizes, &other->sizes, states);
    permi_tree_rescale(run, bar[k]);
    roundings[k] += back->product +
                    (direct[k] ? states : fmin(states, 1u << (bits - common)) + fmin(states, 1u << common));
  }
  return status;
}

/* Makes the children's adjoints, on the stack. */
static perm_status permi_tree_node_back(permi_tree_back *back, int i, const permi_tree_table *table)
{
  permi_tree_run *run = back->run;
  const permi_tree *tree = run->tree;
  const permi_tree_kept *kept = back->kept;
  const permi_tree_node *node = &tree->node[i];
  const permi_tree_table *products = kept->product + kept->first[i], *factor[2];
  const int *child = kept->child + kept->children[i], children = node->children;
  permi_tree_table *bars = run->table + run->stacked, *bar[2], unit, product;
  uint64_t one[2 * PERM_INTEGER_WORDS + 2], *place;
  double roundings[2], through = back->roundings[i];
  int j = kept->first[i + 1] - kept->first[i], k, side = 0;
  perm_status status = PERM_OK;
  place = run->stacked ? bars[-1].value + bars[-1].states * (size_t)tree->size : run->values;
  for (k = 0; k < children; k++) {
    bars[k] = kept->own[child[k]];
    bars[k].value = place;
    place += bars[k].states * (size_t)tree->size;
  }
  run->stacked += children;
  permi_tree_unit(tree, &unit, one);
  product = j ? products[j - 1] : bars[0];
  product.value = j ? run->work[0] : bars[0].value;
  permi_tree_star_back(back, node, j ? &products[j - 1] : &kept->own[child[0]], table, through, &product);
  through += node[1].edge - node->edge + (tree->alone != NULL) + back->product;
  bars[0].sizes = product.sizes; /* if it is the product */
  back->roundings[child[0]] = through;
  while (j-- > 0 && status == PERM_OK) {
    permi_tree_table before = j ? products[j - 1] : kept->own[child[children - 1]];
    k = children - 2 - j;
    factor[0] = k >= 0 ? &kept->own[child[k]] : &unit;
    factor[1] = j ? &products[j - 1] : &kept->own[child[children - 1]];
    before.value = run->work[side = 1 - side];
    bar[0] = k >= 0 ? &bars[k] : NULL;
    bar[1] = j ? &before : &bars[children - 1];
    roundings[0] = roundings[1] = through;
    back->derived->roundings[0] += back->product + permi_tree_terms(tree, factor[0]->set & factor[1]->set,
                                                                    factor[0]->difference, factor[1]->difference);
    status = permi_tree_join_back_to(back, node, factor, &product, bar, roundings);
    if (k >= 0)
      back->roundings[child[k]] = roundings[0];
    through = roundings[1];
    product = before;
  }
  if (children > 1)
    back->roundings[child[children - 1]] = through;
  return status;
}

static perm_status permi_tree_pass_back(permi_trace *trace, permi_tree_run *run)
{
  const permi_tree *tree = run->tree;
  const permi_tree_kept *kept = (const permi_tree_kept *)trace->kept;
  const size_t size = (size_t)tree->size;
  const double whole = tree->cost[tree->nodes];
  permi_derived *derived = trace->derived;
  permi_pool *pool = &run->base.pool;
  permi_tree_back back = {run, kept, derived, NULL, NULL, NULL, 1};
  permi_tree_table table = kept->own[tree->nodes - 1];
  perm_status status = PERM_OK;
  size_t most = 1;
  for (int i = 0; i < tree->nodes; i++)
    most = kept->own[i].states > most ? kept->own[i].states : most;
  derived->whole.sizes = table.sizes;
  memcpy(derived->whole.value, table.value, 8 * size);
  back.bar = (uint64_t *)permi_pool_get(pool, most, 8 * size);
  back.sum = (uint64_t *)permi_pool_get(pool, PERMI_TREE_DOT_PARTS, 8 * size);
  back.roundings = (double *)permi_pool_get(pool, (size_t)tree->nodes, sizeof(double));
  if (pool->failed)
    return PERM_ERROR_MEMORY;
  for (int i = 0; i < tree->nodes && tree->alone; i++)
    derived->of[tree->node[tree->nodes].edge + i] = -1 - tree->node[i].vertex;
  for (int e = 0; e < tree->node[tree->nodes].edge; e++)
    derived->of[e] = tree->edge[e].entry;
  back.product = tree->numbers.algebra == PERMI_COMPLEX ? 3 : 1;
  run->zeros = trace->zeros || tree->numbers.algebra != PERMI_MAGNITUDES || table.sizes.loss != 0;
  permi_tree_unit(tree, run->table, run->values);
  run->stacked = 1;
  back.roundings[tree->nodes - 1] = 0;
  for (int i = tree->nodes - 1; i >= 0 && status == PERM_OK; i--) {
    const permi_tree_node *node = &tree->node[i];
    run->base.done = whole + 2 * (whole - tree->cost[i + 1]);
    status = permi_runner_poll(&run->base, PERMI_RUNNER_POLL / 16, run->base.done, 0);
    table = run->table[--run->stacked];
    derived->roundings[0] += back.product + node[1].edge - node->edge + (tree->alone != NULL);
    if (node->children) {
      memcpy(back.bar, table.value, table.states * 8 * size);
      table.value = back.bar;
      status = status == PERM_OK ? permi_tree_node_back(&back, i, &table) : status;
    } else {
      table.set = node->all >> 1;
      for (int e = node->edge - (tree->alone != NULL); e < node[1].edge; e++)
        permi_tree_derived(&back, node, e, permi_tree_value_of(tree, &table, node->rows, e < node->edge
                                                                   ? 0 : 1u << tree->edge[e].bit),
                           &table.sizes, back.roundings[i]);
    }
  }
  derived->roundings[1] += derived->roundings[0];
  return status;
}

static perm_status permi_tree_derive(permi_trace *trace, permi_control *control)
{
  const permi_tree *tree = (const permi_tree *)trace->plan;
  permi_tree_run run;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&run, 0, sizeof run);
  control->work_total = 3 * tree->cost[tree->nodes];
  if (permi_derived_begin(trace, &tree->numbers, tree->node[tree->nodes].edge + (tree->alone ? tree->nodes : 0)))
    status = permi_tree_keep_all(trace, control, &run);
  if (status == PERM_OK)
    status = permi_tree_pass_back(trace, &run);
  permi_pool_release(&run.base.pool);
  permi_pool_release(&trace->pool);
  return status;
}

static double permi_tree_derive_bytes(const void *plan)
{
  const permi_tree *tree = (const permi_tree *)plan;
  return permi_tree_kept_bytes(plan) +
         (8.0 * tree->size + sizeof(permi_sizes) + sizeof(int)) * (tree->node[tree->nodes].edge + tree->nodes);
}

static const permi_tracer permi_tree_deriver = {permi_tree_derive_bytes, permi_tree_derive, NULL, NULL};
/* SPDX-License-Identifier: MIT */
