/* ===================================================================================== >>trace_tree
   Samples from a tree of tables. */
#pragma once
#include "trace.h"
#include "../tree/tree_build.h"

/* A draw divides the state of a node's table, then those of its products. */
typedef struct permi_tree_step {
  int node, join; /* the last: the node's table */
  int to[2];      /* the steps of both parts, or behind them a node that gets a match */
} permi_tree_step;

/* Tables of nodes; products of children, last child first. */
typedef struct permi_tree_kept {
  permi_tree_table *own, *product;
  int *first;            /* of a node's products; nodes + 1 */
  int *child, *children; /* those of a node begin at children[node] */
  int *stack, depth, products, listed;
  uint64_t *room; /* of the next table */
  permi_tree_step *step;
} permi_tree_kept;

static double permi_tree_kept_bytes(const void *plan)
{
  const permi_tree *tree = (const permi_tree *)plan;
  return 8.0 * tree->size * (tree->states + tree->node[tree->nodes].edge) +
         (sizeof(permi_tree_table) + 32.0) * (tree->joins + tree->nodes);
}

static void permi_tree_keep(void *keeper, const permi_tree_node *node, const permi_tree_table *table, int own)
{
  permi_trace *trace = (permi_trace *)keeper;
  const permi_tree *tree = (const permi_tree *)trace->plan;
  permi_tree_kept *kept = (permi_tree_kept *)trace->kept;
  permi_tree_table *to = own ? &kept->own[node - tree->node] : &kept->product[kept->products++];
  const int number = (int)(node - tree->node);
  *to = *table;
  to->value = kept->room;
  kept->room += table->states * (size_t)tree->size;
  memcpy(to->value, table->value, table->states * 8 * (size_t)tree->size);
  if (!own)
    return;
  if (number == tree->nodes - 1)
    permi_trace_lose(trace, &tree->numbers, table->states ? to->value : NULL, table->sizes.loss);
  kept->first[number + 1] = kept->products;
  kept->children[number] = kept->listed;
  for (int k = node->children; k > 0; k--)
    kept->child[kept->listed++] = kept->stack[kept->depth - k];
  kept->depth -= node->children;
  kept->stack[kept->depth++] = number;
}

static perm_status permi_tree_keep_all(permi_trace *trace, permi_control *control, permi_tree_run *run)
{
  const permi_tree *tree = (const permi_tree *)trace->plan;
  const size_t nodes = (size_t)tree->nodes;
  permi_tree_kept *kept = (permi_tree_kept *)permi_pool_zeros(&trace->pool, 1, sizeof *kept);
  int common = 0;
  trace->kept = kept;
  if (!kept)
    return PERM_ERROR_MEMORY;
  kept->own = (permi_tree_table *)permi_pool_get(&trace->pool, nodes, sizeof *kept->own);
  kept->product = (permi_tree_table *)permi_pool_get(&trace->pool, (size_t)tree->joins + 1, sizeof *kept->product);
  kept->first = (int *)permi_pool_get(&trace->pool, 4 * nodes + 1, sizeof(int));
  kept->room = (uint64_t *)permi_pool_get(&trace->pool, (size_t)tree->states + (size_t)tree->node[nodes].edge + 1,
                                          8 * (size_t)tree->size);
  if (trace->pool.failed)
    return PERM_ERROR_MEMORY;
  kept->child = kept->first + nodes + 1;
  kept->children = kept->child + nodes;
  kept->stack = kept->children + nodes;
  kept->first[0] = 0;
  while (ldexp(1, common) < tree->most_groups) /* ways: entries of a star, or shares of a join's common vertices */
    common++;
  size_t ways = permi_tree_choose(tree, common, common / 2);
  ways = ways > PERMI_TREE_WIDTH + 3 ? ways : PERMI_TREE_WIDTH + 3;
  permi_trace_ways(trace, &tree->numbers, ways);
  trace->room = 2 * PERMI_SAMPLE_PART * nodes * sizeof(uint32_t);
  trace->steps = nodes;
  run->keep = permi_tree_keep;
  run->base.keeper = trace;
  const perm_status status = permi_tree_nodes(tree, control, run);
  trace->visited = run->base.visited;
  return status;
}

/* NULL: not in the table. */
static const uint64_t *permi_tree_value_of(const permi_tree *tree, const permi_tree_table *table, uint32_t rows,
                                       uint32_t matched)
{
  const uint32_t word = permi_tree_extract((matched ^ rows) & table->set, table->set);
  const int ones = permi_count_ones(rows & table->set) - table->difference;
  if ((matched & ~table->set) || (!tree->alone && permi_count_ones(word) != ones))
    return NULL;
  return table->value + (size_t)tree->size * permi_tree_rank_of(tree, word, 0, ones);
}

static int permi_tree_step_of(const permi_tree *tree, const permi_tree_kept *kept, int node)
{
  const int children = tree->node[node].children;
  return children ? kept->listed - kept->children[node] - children : kept->listed + node;
}

static perm_status permi_tree_record(permi_trace *trace, permi_control *control)
{
  permi_tree_run run;
  memset(&run, 0, sizeof run);
  const perm_status status = permi_tree_keep_all(trace, control, &run);
  permi_pool_release(&run.base.pool);
  if (status != PERM_OK)
    return status;
  const permi_tree *tree = (const permi_tree *)trace->plan;
  permi_tree_kept *kept = (permi_tree_kept *)trace->kept;
  permi_tree_step *step = (permi_tree_step *)permi_pool_get(&trace->pool, (size_t)tree->nodes, sizeof *step);
  int next = 0;
  kept->step = step;
  for (int i = tree->nodes - 1; i >= 0 && step; i--) {
    const int *child = kept->child + kept->children[i], children = tree->node[i].children;
    for (int j = children - 1; j >= 0; j--, step++) { /* product j joins child[children - 2 - j] */
      step->node = i;
      step->join = j;
      step->to[0] = j == children - 1 ? kept->listed + i : permi_tree_step_of(tree, kept, child[children - 2 - j]);
      next++;
      step->to[1] = j ? next : permi_tree_step_of(tree, kept, child[children - 1]);
    }
  }
  return step ? PERM_OK : PERM_ERROR_MEMORY;
}

/* Returns what step `to` gets of `matched`: its state, or the match by an entry, from 1. */
static uint32_t permi_tree_part(const permi_tree *tree, int to, uint32_t set, uint32_t matched)
{
  const uint32_t state = permi_tree_extract(matched, set);
  int e;
  if (to < tree->nodes - 1)
    return state;
  const permi_tree_node *node = &tree->node[to - (tree->nodes - 1)];
  for (e = node->edge; e < node[1].edge; e++)
    if (state >> tree->edge[e].bit & 1)
      return (uint32_t)e + 1;
  return 0;
}

static void permi_tree_star_ways(permi_draw *draw, const permi_tree *tree, const permi_tree_node *node,
                                 const permi_tree_table *product, uint32_t matched, uint32_t set, int to)
{
  const permi_coefficient one = permi_coefficient_one(), *alone = permi_tree_alone(tree, node);
  const uint32_t self = node->all & ~(node->all >> 1);
  for (int e = node->edge; e < node[1].edge; e++) {
    const permi_tree_edge *edge = &tree->edge[e];
    const uint32_t before = matched ^ 1u << edge->bit;
    if (before < matched)
      permi_draw_weigh(draw, &edge->c, permi_tree_value_of(tree, product, node->rows, before),
                       (uint64_t)(e + 1) << 32 | permi_tree_part(tree, to, set, before));
  }
  permi_draw_weigh(draw, &one, permi_tree_value_of(tree, product, node->rows, matched | self),
                   permi_tree_part(tree, to, set, matched | self));
  if (alone)
    permi_draw_weigh(draw, alone, permi_tree_value_of(tree, product, node->rows, matched),
                     permi_tree_part(tree, to, set, matched));
}

static void permi_tree_join_ways(permi_draw *draw, const permi_tree *tree, const permi_tree_table *one,
                                 const permi_tree_table *other, uint32_t matched, uint32_t set,
                                 const permi_tree_step *step)
{
  const permi_numbers *numbers = &tree->numbers;
  const uint32_t common = matched & one->set & other->set, own = matched & ~other->set;
  const uint32_t rows = tree->node[step->node].rows;
  uint32_t part = 0;
  do {
    const uint64_t *x = permi_tree_value_of(tree, one, rows, own | part);
    const uint64_t *y = x ? permi_tree_value_of(tree, other, rows, matched ^ own ^ part) : NULL;
    if (y) {
      uint64_t *weight = permi_draw_next(draw);
      permi_value_fuse(numbers->algebra, numbers, x, weight, y);
      permi_draw_add(draw, weight, (uint64_t)permi_tree_part(tree, step->to[0], one->set, own | part) << 32 |
                                       permi_tree_part(tree, step->to[1], set, matched ^ own ^ part));
    }
    part = (part - common) & common;
  } while (part);
}

static void permi_tree_ways(permi_draw *draw, const permi_tree *tree, const permi_tree_step *step, uint32_t matched)
{
  const permi_tree_kept *kept = (const permi_tree_kept *)draw->trace->kept;
  const permi_tree_node *node = &tree->node[step->node];
  const int *child = kept->child + kept->children[step->node];
  const permi_tree_table *product = kept->product + kept->first[step->node];
  const permi_tree_table *last = &kept->own[child[node->children - 1]];
  const uint32_t set = step->join ? node->all : last->set;
  const int products = kept->first[step->node + 1] - kept->first[step->node]; /* one more if the last is with the unit */
  if (step->join == node->children - 1)
    permi_tree_star_ways(draw, tree, node, products ? &product[products - 1] : last, matched, set, step->to[1]);
  else
    permi_tree_join_ways(draw, tree, &kept->own[child[node->children - 2 - step->join]],
                         step->join ? &product[step->join - 1] : last, matched, set, step);
  permi_draw_end(draw);
}

static void permi_tree_draw(permi_draw *draw)
{
  const permi_tree *tree = (const permi_tree *)draw->trace->plan;
  const permi_tree_kept *kept = (const permi_tree_kept *)draw->trace->kept;
  uint32_t *state = (uint32_t *)(void *)draw->room, *match = state + PERMI_SAMPLE_PART * (size_t)kept->listed;
  memset(state, 0, PERMI_SAMPLE_PART * sizeof *state);
  for (int s = 0; s < kept->listed; s++) {
    const permi_tree_step *step = &kept->step[s];
    const uint64_t base = permi_draw_state(draw, s, 0);
    const uint32_t *from = state + PERMI_SAMPLE_PART * s;
    uint32_t *one = state + PERMI_SAMPLE_PART * step->to[0], *other = state + PERMI_SAMPLE_PART * step->to[1];
    for (int k = 0; k < draw->count; k++) {
      const uint64_t *record = permi_draw_seek(draw, base | from[k]);
      if (!record[1])
        permi_tree_ways(draw, tree, step, from[k]);
      const uint64_t way = permi_draw_way(draw, record, &draw->random[k]);
      one[k] = (uint32_t)(way >> 32);
      other[k] = (uint32_t)way;
    }
  }
  for (int i = 0; i < tree->nodes; i++, match += PERMI_SAMPLE_PART)
    for (int k = 0; k < draw->count; k++)
      if (match[k])
        permi_draw_match(draw, k, tree->node[i].vertex, tree->edge[match[k] - 1].vertex);
}

static const permi_tracer permi_tree_tracer = {permi_tree_kept_bytes, permi_tree_record, permi_tree_draw};
/* SPDX-License-Identifier: MIT */
