/* ===================================================================================== >>tree_build */
#pragma once
#include "tree_order.h"

/* The caller releases the run's pool. */
static perm_status permi_tree_nodes(const permi_tree *tree, permi_control *control, permi_tree_run *run)
{
  const size_t most = (size_t)tree->most_states + 1, groups = (size_t)tree->most_groups + 2;
  const size_t size = (size_t)tree->size, stacked = (size_t)tree->stack_values + 1;
  const size_t work = (size_t)tree->work_values + 1;
  const int low_bits = tree->width < PERMI_TREE_LOW ? tree->width : PERMI_TREE_LOW;
  const size_t lows = (size_t)1 << low_bits, highs = (size_t)1 << (tree->width - low_bits);
  permi_pool *pool = &run->base.pool;
  perm_status status = PERM_ERROR_MEMORY;
  permi_runner_begin(&run->base, &tree->owned.allocator, control, "tree");
  run->tree = tree;
  run->weight = permi_tree_weight(tree);
  run->table = (permi_tree_table *)permi_pool_get(pool, (size_t)tree->depth + 1, sizeof *run->table);
  run->values = (uint64_t *)permi_pool_get(pool, (stacked + 2 * work) * size, sizeof *run->values);
  uint32_t *numbers = (uint32_t *)permi_pool_get(pool, lows + highs + 2 * (2 * most + groups), sizeof *numbers);
  if (!pool->failed) {
    run->rank.low = numbers;
    run->rank.high = numbers += lows;
    numbers += highs;
    for (int i = 0; i < 2; i++) {
      run->work[i] = run->values + (stacked + (size_t)i * work) * size;
      run->mask[i] = numbers;
      run->index[i] = numbers += most;
      run->first[i] = numbers += most;
      numbers += groups;
    }
    run->rank.high[0] = 0;
    for (uint32_t low = 0; low < lows; low++)
      run->rank.low[low] = permi_tree_rank_of(tree, low, 0, permi_count_ones(low));
    status = permi_runner_go(&run->base, 0, tree->nodes, permi_tree_visit);
  }
  return status;
}

static perm_status permi_tree_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_tree *tree = (const permi_tree *)leaf->context;
  permi_tree_run run;
  memset(&run, 0, sizeof run);
  const perm_status status = permi_tree_nodes(tree, control, &run);
  if (status == PERM_OK) {
    run.base.sizes = run.table->sizes;
    permi_runner_finish(&run.base, &tree->numbers, run.table->states ? run.table->value : NULL, tree->lost_error,
                        partial);
  }
  permi_pool_release(&run.base.pool);
  return status;
}

static double permi_tree_price(permi_tree *tree, const permi_tree_node *node, const permi_tree_sketch *child,
                               double *roundings)
{
  const double weight = permi_tree_weight(tree);
  const int edges = (node + 1)->edge - node->edge;
  const permi_tree_sketch unit = {0, 0, 1};
  permi_tree_sketch factor, product;
  double seconds = PERMI_TREE_NODE_SECONDS, states, visits, miss;
  int i, t = permi_count_ones(node->all);
  roundings[0] += 1 + edges + (permi_tree_alone(tree, node) != NULL);
  roundings[1] += 1;
  tree->width = t > tree->width ? t : tree->width;
  if (!node->children) {
    states = permi_tree_choose(tree, t - 1, 1);
    tree->states += tree->alone ? states : 0;
    return seconds + edges * 1e-8 * weight + (tree->alone ? states * PERMI_TREE_PAIR_SECONDS : 0);
  }
  factor = child[node->children - 1];
  for (i = node->children - 2; i >= 0 || (i == -1 && factor.set != node->all); i--) {
    const permi_tree_sketch *other = i >= 0 ? &child[i] : &unit;
    const double pairs = permi_tree_pairs(tree, node->rows, other->set, other->difference, factor.set,
                                          factor.difference);
    const int common = permi_count_ones(other->set & factor.set);
    product.set = i <= 0 ? node->all : factor.set | other->set;
    product.difference = factor.difference + other->difference;
    t = permi_count_ones(product.set);
    product.states = permi_tree_choose(tree, t, permi_count_ones(product.set & node->rows) - product.difference);
    miss = 8.0 * tree->size * product.states > PERMI_TREE_CACHE_BYTES ? PERMI_TREE_MISS_SECONDS : 0;
    if (permi_tree_direct(tree, other->set, other->difference, factor.set, factor.difference, &visits) < 0)
      seconds += 5e-10 * permi_tree_power(3, common) + pairs * (PERMI_TREE_PAIR_SECONDS * weight + miss) +
                 (other->states + factor.states) * t * PERMI_TREE_SORT_SECONDS;
    else
      seconds += visits * (0.4 * PERMI_TREE_PAIR_SECONDS + miss / 8);
    seconds += PERMI_TREE_NODE_SECONDS + product.states * PERMI_TREE_PAIR_SECONDS;
    states = fmax(other->states, factor.states);
    tree->most_states = fmax(tree->most_states, states);
    tree->work_values = fmax(tree->work_values, product.states);
    tree->most_groups = fmax(tree->most_groups, permi_tree_power(2, common));
    tree->pairs += pairs;
    tree->joins++;
    tree->states += product.states;
    roundings[0] += fmin(states, permi_tree_terms(tree, other->set & factor.set, other->difference,
                                                  factor.difference));
    roundings[1] += i >= 0; /* a factor 1 is exact */
    factor = product;
  }
  tree->states += factor.states;
  return seconds + factor.states * (1 + 0.5 * edges) * PERMI_TREE_PAIR_SECONDS * weight;
}

/* Returns the bound (tests/proofs/frontier.g). */
static double permi_tree_bound(double doubles, double pairs)
{
  const double gamma = permi_gamma(doubles) + pairs * PERMI_DD_UNIT * (1 + 1e-6);
  return gamma / (1 - permi_gamma(doubles + pairs)) * (1 + 8 * PERMI_UNIT);
}

typedef struct permi_tree_draft {
  const permi_tree_graph *graph;
  int *order, *first, *next, *children, *scope;
} permi_tree_draft;

/* Lists children, that with the largest scope first. */
static void permi_tree_children(permi_tree_draft *draft, permi_control *watch)
{
  const permi_tree_graph *graph = draft->graph;
  const int n = graph->n;
  int *scope = draft->scope, v, i, j, k, size, widest = 0;
  for (v = 0; v < n && !permi_watch_step(watch, (size_t)v, 10); v++) {
    draft->order[graph->turn[v]] = v;
    draft->first[v] = draft->next[v] = -1;
    draft->children[v] = 0;
  }
  for (k = 0; k < n && !permi_watch_step(watch, (size_t)k, 100); k++) {
    const int from = graph->scope_start[k], to = graph->scope_start[k + 1];
    for (i = from; i < to; i++) {
      const int turn = graph->turn[graph->scope[i]];
      for (j = i; j > from && scope[j - 1] < turn; j--)
        scope[j] = scope[j - 1];
      scope[j] = turn;
    }
    widest = to - from > widest ? to - from : widest;
  }
  for (size = 1; size <= widest; size++)
    for (k = 0; k < n && !permi_watch_step(watch, (size_t)k, 2); k++)
      if (graph->scope_start[k + 1] - graph->scope_start[k] == size) {
        const int parent = scope[graph->scope_start[k + 1] - 1];
        draft->next[k] = draft->first[parent];
        draft->first[parent] = k;
        draft->children[parent]++;
      }
}

static void permi_tree_node_make(permi_tree *tree, const permi_block *block, const permi_tree_draft *draft, int k,
                                 permi_tree_node *at)
{
  const permi_tree_graph *graph = draft->graph;
  const int begin = graph->scope_start[k], end = graph->scope_start[k + 1], v = draft->order[k], *scope = draft->scope;
  int edge = at->edge, i, j, e;
  at->vertex = v;
  at->column = block->free_lines || v >= block->n;
  at->children = draft->children[k];
  at->difference = at->column ? 1 : -1;
  at->all = (uint32_t)((UINT64_C(2) << (end - begin)) - 1);
  at->rows = at->column ? 0 : 1u << (end - begin);
  at->set = 0;
  for (i = begin; i < end && !block->free_lines; i++)
    at->rows |= (uint32_t)(draft->order[scope[i]] < block->n) << (i - begin);
  if (block->free_lines)
    tree->alone[at - tree->node] = permi_coefficient_of(block, permi_block_alone(block, v), &tree->numbers);
  if (end > begin) {
    const int parent = scope[end - 1], knows = graph->scope_start[parent];
    for (i = begin, j = 0; i < end - 1; i++) {
      while (scope[knows + j] != scope[i])
        j++;
      at->set |= 1u << j;
    }
    at->set |= 1u << (graph->scope_start[parent + 1] - knows);
  }
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int turn = graph->turn[block->neighbour[e]];
    if (turn < k)
      continue;
    for (i = begin; scope[i] != turn;)
      i++;
    tree->edge[edge].bit = i - begin;
    tree->edge[edge].vertex = block->neighbour[e];
    tree->edge[edge].entry = block->edge[e];
    tree->edge[edge++].c = permi_coefficient_of(block, block->edge[e], &tree->numbers);
  }
  at[1].edge = edge;
}

/* Entries have `given` roundings. Returns 0 without memory or if stopped. */
PERMI_NEVER_INLINE static int permi_tree_build(const permi_block *block, const permi_tree_graph *graph, double given,
                                               permi_tree *tree)
{
  permi_control *watch = graph->watch;
  const int n = block->vertices;
  const size_t vertices = (size_t)n;
  permi_pool room = {graph->allocator, NULL, 0}, *pool = &tree->owned.pool;
  int *todo;
  permi_tree_sketch *stack = (permi_tree_sketch *)permi_pool_get(&room, vertices + 1, sizeof *stack);
  double held = 0, roundings[2] = {0, 0};
  int i, k, depth, top = 0, node = 0, steps = 0, doubled;
  permi_tree_draft draft = {graph, NULL, NULL, NULL, NULL, NULL};
  tree->node = (permi_tree_node *)permi_pool_get(pool, vertices + 1, sizeof *tree->node);
  tree->edge = (permi_tree_edge *)permi_pool_get(pool, (size_t)block->edges, sizeof *tree->edge);
  tree->cost = (double *)permi_pool_get(pool, vertices + 1, sizeof *tree->cost);
  tree->vertex = (int *)permi_pool_get(pool, vertices, sizeof *tree->vertex);
  if (block->free_lines)
    tree->alone = (permi_coefficient *)permi_pool_get(pool, vertices, sizeof *tree->alone);
  if (pool->failed ||
      !permi_pool_ints(&room, &draft.order, vertices, &draft.first, vertices, &draft.next, vertices, &draft.children,
                       vertices, &todo, vertices, &draft.scope, graph->scopes, (int **)NULL)) {
    permi_pool_release(&room);
    return 0;
  }
  permi_tree_children(&draft, watch);
  tree->cost[0] = 0;
  tree->depth = 1;
  tree->node[0].edge = 0;
  for (depth = k = 0; k < n; k++) /* roots */
    if (graph->scope_start[k] == graph->scope_start[k + 1])
      todo[depth++] = k;
  while (depth > 0 && !permi_watch_step(watch, (size_t)steps++, 300)) {
    permi_tree_node *at = &tree->node[node];
    k = todo[depth - 1];
    if (draft.first[k] >= 0) {
      todo[depth++] = draft.first[k];
      draft.first[k] = draft.next[draft.first[k]];
      continue;
    }
    depth--;
    permi_tree_node_make(tree, block, &draft, k, at);
    tree->vertex[node] = draft.order[k];
    top -= at->children;
    for (i = 0; i < at->children; i++) {
      at->difference += stack[top + i].difference;
      held -= stack[top + i].states;
    }
    tree->cost[node + 1] = tree->cost[node] + permi_tree_price(tree, at, stack + top, roundings);
    stack[top].set = at->set;
    stack[top].difference = at->difference;
    i = permi_count_ones(at->rows) - at->difference - !at->column;
    stack[top].states = permi_tree_choose(tree, permi_count_ones(at->all) - 1, i);
    held += stack[top++].states;
    tree->stack_values = fmax(tree->stack_values, held);
    tree->depth = top > tree->depth ? top : tree->depth;
    node++;
  }
  permi_pool_release(&room);
  doubled = permi_algebra_is_dd(tree->numbers.algebra);
  roundings[0] += (doubled ? 3 : tree->numbers.algebra == PERMI_COMPLEX ? 2 : 0) * roundings[1];
  tree->bound_relative = doubled ? permi_tree_bound(given, roundings[0]) : permi_tree_bound(roundings[0] + given, 0);
  return 1;
}

#define PERMI_TREE_WORTH 10 /* chosen: times its search, what a rival takes */

static size_t permi_tree_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_tree *tree = (const permi_tree *)leaf->context;
  return permi_say(buffer, size,
                   "tree, order %d%s: width %d, %d tables, %d joins of %.3g pairs, %.3g states of %s, "
                   "predicted %.3g s, %.3g bytes\n",
                   leaf->information.n, tree->alone ? ", free columns" : "", tree->width - 1, tree->nodes, tree->joins,
                   tree->pairs, tree->states, permi_numbers_text(&tree->numbers, 0), leaf->information.seconds,
                   leaf->information.bytes);
}

static uint64_t permi_tree_fingerprint(const permi_tree *tree, permi_control *watch)
{
  static const uint64_t kind[] = {0, 1, 2, 3, 3, 3, 4, 5, 5, 6}; /* in saved states */
  uint64_t hash = permi_hash(PERMI_HASH_START + 1, kind[tree->numbers.algebra]);
  hash = permi_hash(permi_hash(hash, (uint64_t)tree->size), tree->numbers.modulus);
  for (int i = 0; i < tree->nodes && !permi_watch_step(watch, (size_t)i, 40); i++) {
    const permi_tree_node *node = &tree->node[i];
    hash = permi_hash(permi_hash(hash, (uint64_t)node->children), (uint64_t)node->rows << 32 | node->all);
    hash = permi_hash(hash, (uint64_t)node->set << 1 | (uint64_t)node->column);
    if (tree->alone)
      hash = permi_coefficient_hash(hash, &tree->alone[i]);
    for (int e = node->edge; e < node[1].edge; e++)
      hash = permi_coefficient_hash(permi_hash(hash, (uint64_t)tree->edge[e].bit), &tree->edge[e].c);
  }
  return hash;
}

static permi_tree *permi_tree_new(const perm_allocator *allocator, const permi_tree *like, int free_lines)
{
  permi_tree *tree = (permi_tree *)permi_owned_new(allocator, sizeof *tree);
  const permi_owned owned = tree ? tree->owned : like->owned;
  if (!tree)
    return NULL;
  *tree = *like;
  tree->owned = owned;
  if (free_lines)
    return tree;
  tree->binomial = (uint32_t(*)[PERMI_TREE_WIDTH + 2])permi_pool_get(&tree->owned.pool, PERMI_TREE_WIDTH + 1,
                                                                     sizeof *tree->binomial);
  for (int t = 0; t <= PERMI_TREE_WIDTH && tree->binomial; t++)
    for (int k = 0; k <= t; k++)
      tree->binomial[t][k] = k == 0 || k == t ? 1 : tree->binomial[t - 1][k - 1] + tree->binomial[t - 1][k];
  return tree;
}

static void permi_refuse_trees(double rival, permi_offer *offer)
{
  permi_refuse(offer, PERM_ERROR_LIMIT, "has no tree of tables found within %d vertices%s", PERMI_TREE_WIDTH - 1,
               rival < (double)INFINITY ? " and its rival's time" : "");
}

#define PERMI_TREE_OVER_LEAST 30 /* trees took 96 times their least, or more */
static perm_status permi_tree_worth(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const double worth = PERMI_TREE_WORTH * PERMI_ORDER_PLAN_SECONDS * ((double)block->vertices + block->edges);
  (void)maker;
  if (rival < worth)
    offer->least = fmax(offer->least, worth);
  if (block->vertices <= 2 * PERMI_TREE_LOOK && !block->free_lines)
    offer->least = fmax(offer->least, PERMI_TREE_OVER_LEAST * permi_tree_least(block, rival));
  if (offer->least == (double)INFINITY)
    permi_refuse_trees(rival, offer);
  return PERM_OK;
}

/* Treewidth w and N vertices allow w N entries. Of orders by least degree, or least fill where affordable, the cheapest
   wins. */
#define PERMI_TREE_FILL 20000
#define PERMI_TREE_GLANCES 250
#define PERMI_TREE_SECOND 4 /* times its planning */
/* Returns 1 if no order after this one is worth its planning, of `each`. */
static int permi_tree_enough(const permi_tree *best, int glances, int start, double each, double rival)
{
  const double seconds = best ? best->cost[best->nodes] : (double)INFINITY;
  if (!best)
    return glances ? start >= PERMI_TREE_STARTS : rival < (double)INFINITY;
  return seconds > 2 * rival ||
         seconds < (!glances ? 10 : start ? 1 / PERMI_PLAN_SHARE : PERMI_TREE_SECOND) * each * (start + 2);
}

#define PERMI_TREE_RANK_BYTES (4.0 * ((1 << PERMI_TREE_LOW) + (1 << (PERMI_TREE_WIDTH - PERMI_TREE_LOW)))) /* at most */
static perm_status permi_tree_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const permi_working *working = maker->working;
  const double planning = PERMI_ORDER_PLAN_SECONDS * ((double)block->vertices + block->edges);
  const double given = permi_entry_roundings(working, working->n) + block->additions;
  const double begin = maker->watch->worked;
  const int glances = block->free_lines && block->vertices <= 2 * PERMI_TREE_LOOK, other = block->vertices - block->n;
  const double full = ldexp(permi_array_seconds[0] * block->edges, block->n < other ? block->n : other);
  const double hope = glances ? fmin(rival, fmax(full, PERMI_FREE_SECONDS)) : rival; /* a frontier's most */
  permi_tree like, *tree, *best = NULL;
  permi_tree_graph graph;
  perm_status status = PERM_OK;
  int start, starts;
  memset(&like, 0, sizeof like);
  like.nodes = block->vertices;
  like.lost_error = working->lost_error;
  like.work_values = like.most_states = like.most_groups = 1;
  if (!permi_numbers_choose_moduli(&like.numbers, block, maker->options->modulus, permi_sparse_doubled(maker->options)))
    permi_refuse_long(offer);
  else if (block->edges > (PERMI_TREE_WIDTH - 1) * (double)block->vertices)
    permi_refuse(offer, PERM_ERROR_LIMIT, "has no tree of tables of up to %d vertices: too many entries",
                 PERMI_TREE_WIDTH - 1);
  if (offer->why[0])
    return PERM_OK;
  if (like.numbers.algebra == PERMI_WIDE)
    like.numbers.algebra = PERMI_WORDS; /* a coefficient has one word, a factor two */
  like.size = (int)permi_numbers_words(&like.numbers);
  memset(&graph, 0, sizeof graph);
  graph.allocator = allocator;
  graph.watch = maker->watch;
  graph.seed = UINT64_C(88172645463325252);
  starts = glances ? PERMI_TREE_GLANCES : rival < 100 * planning || block->vertices > 100000 ? 1 : PERMI_TREE_STARTS;
  for (start = 0; start < starts && status == PERM_OK && !permi_watch(maker->watch, 0); start++) {
    const double limit = best && best->cost[best->nodes] < rival ? best->cost[best->nodes] : rival;
    const int filling = start % 2 && block->vertices <= PERMI_TREE_FILL;
    status = glances ? permi_tree_glance(&graph, block, start, limit) : permi_tree_order(&graph, block, filling, limit);
    if (status == PERM_OK) {
      tree = permi_tree_new(allocator, &like, block->free_lines);
      if (!tree || !permi_tree_build(block, &graph, given, tree)) {
        status = PERM_ERROR_MEMORY;
      } else if (maker->watch->stopped == PERM_OK && (!best || tree->cost[tree->nodes] < best->cost[best->nodes])) {
        permi_tree *swap = best;
        best = tree;
        tree = swap;
      }
      permi_owned_release(allocator, tree);
    } else if (status == PERM_ERROR_LIMIT) {
      status = PERM_OK;
      if (!glances)
        continue;
    }
    if (permi_tree_enough(best, glances, start,
                          glances ? 1e-9 * (maker->watch->worked - begin) / (start + 1) : planning, hope))
      break;
  }
  permi_tree_graph_release(&graph);
  if (status != PERM_OK) {
    permi_owned_release(allocator, best);
    return permi_fail_memory(maker->result);
  }
  offer->plan = best;
  if (!best) {
    permi_refuse_trees(rival, offer);
  } else {
    if (maker->offers)
      maker->offers->elimination = best->vertex;
    offer->seconds = best->cost[best->nodes];
    offer->bytes = 8.0 * best->size * (best->stack_values + 2 * best->work_values) + 16 * best->most_states +
                   8 * best->most_groups + PERMI_TREE_RANK_BYTES + (double)sizeof(permi_tree_table) * best->depth +
                   (double)(sizeof(permi_tree_node) + sizeof(double)) * best->nodes;
  }
  return PERM_OK;
}

static perm_status permi_tree_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  permi_tree *tree = (permi_tree *)offer->plan;
  const int doubled = permi_algebra_is_dd(tree->numbers.algebra) && !block->rounded;
  for (int i = 0; i < tree->nodes; i++)
    leaf->threaded |= tree->cost[i + 1] - tree->cost[i] >= PERMI_SHARE_SECONDS;
  leaf->information.work = tree->pairs + tree->states;
  if (maker->seen)
    leaf->information.fingerprint = permi_tree_fingerprint(tree, maker->watch);
  permi_leaf_values(leaf, &tree->numbers, tree->bound_relative, doubled ? PERMI_DD_UNIT : PERMI_UNIT,
                    permi_tree_task, permi_tree_explain);
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
