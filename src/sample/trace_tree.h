/* ===================================================================================== >>trace_tree
   Samples from a tree of tables. */
#pragma once
#include "trace.h"
#include "../tree/tree_build.h"

/* Tables of nodes; products of children, last child first. */
typedef struct permi_tree_kept {
  permi_tree_table *own, *product;
  int *first;            /* of a node's products; nodes + 1 */
  int *child, *children; /* those of a node begin at children[node] */
  int *stack, depth, products, listed;
  uint64_t *room; /* of the next table */
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
  trace->room = (nodes + ways + 1) * sizeof(uint32_t);
  run->keep = permi_tree_keep;
  run->base.keeper = trace;
  const perm_status status = permi_tree_nodes(tree, control, run);
  trace->visited = run->base.visited;
  return status;
}

static perm_status permi_tree_record(permi_trace *trace, permi_control *control)
{
  permi_tree_run run;
  memset(&run, 0, sizeof run);
  const perm_status status = permi_tree_keep_all(trace, control, &run);
  permi_pool_release(&run.base.pool);
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

/* Draws the first table's part of `matched`. */
static uint32_t permi_tree_draw_join(permi_draw *draw, const permi_tree *tree, const permi_tree_table *const *factor,
                                     uint32_t rows, uint32_t matched)
{
  const permi_numbers *numbers = &tree->numbers;
  const uint32_t common = matched & factor[0]->set & factor[1]->set, own = matched & ~factor[1]->set;
  uint32_t *share = (uint32_t *)(void *)draw->room + tree->nodes, part = 0;
  int ways = 0;
  do {
    const uint64_t *x = permi_tree_value_of(tree, factor[0], rows, own | part);
    const uint64_t *y = x ? permi_tree_value_of(tree, factor[1], rows, matched ^ own ^ part) : NULL;
    if (y && permi_algebra_is_integer(numbers->algebra)) {
      uint64_t *weight = draw->weight + (size_t)ways * (size_t)tree->size;
      memset(weight, 0, 8 * (size_t)tree->size);
      permi_value_fuse(numbers->algebra, numbers, x, weight, y);
    } else if (y) {
      const permi_coefficient c = permi_coefficient_from(numbers->algebra, numbers, x);
      permi_draw_weigh(draw, numbers, ways, &c, y, 0, 1);
    }
    share[ways] = part;
    ways += y != NULL;
    part = (part - common) & common;
  } while (part);
  ways = permi_draw_way(draw, numbers, ways);
  return ways < 0 ? own : own | share[ways];
}

/* Draws the vertex's match, if any; returns the product's state. */
static uint32_t permi_tree_draw_star(permi_draw *draw, const permi_tree *tree, const permi_tree_node *node,
                                     const permi_tree_table *product, uint32_t matched)
{
  const permi_numbers *numbers = &tree->numbers;
  const permi_coefficient one = permi_coefficient_one(), *alone = permi_tree_alone(tree, node);
  const uint32_t self = node->all & ~(node->all >> 1);
  const int entries = node[1].edge - node->edge;
  int e;
  permi_draw_weigh(draw, numbers, entries, &one, permi_tree_value_of(tree, product, node->rows, matched | self), 0, 1);
  for (e = 0; e < entries; e++) {
    const permi_tree_edge *edge = &tree->edge[node->edge + e];
    const uint32_t bit = 1u << edge->bit;
    permi_draw_weigh(draw, numbers, e, &edge->c,
                     matched & bit ? permi_tree_value_of(tree, product, node->rows, matched ^ bit) : NULL, 0, 1);
  }
  if (alone)
    permi_draw_weigh(draw, numbers, entries + 1, alone, permi_tree_value_of(tree, product, node->rows, matched), 0, 1);
  e = permi_draw_way(draw, numbers, entries + 1 + (alone != NULL));
  if (e < 0 || e == entries)
    return matched | self;
  if (e > entries)
    return matched;
  permi_draw_match(draw, node->vertex, tree->edge[node->edge + e].vertex);
  return matched ^ 1u << tree->edge[node->edge + e].bit;
}

static void permi_tree_draw(permi_draw *draw)
{
  const permi_tree *tree = (const permi_tree *)draw->trace->plan;
  const permi_tree_kept *kept = (const permi_tree_kept *)draw->trace->kept;
  uint32_t *state = (uint32_t *)(void *)draw->room;
  int i, j, e;
  state[tree->nodes - 1] = 0;
  for (i = tree->nodes - 1; i >= 0; i--) {
    const permi_tree_node *node = &tree->node[i];
    const int *child = kept->child + kept->children[i];
    const permi_tree_table *product = kept->product + kept->first[i], *factor[2];
    uint32_t matched = state[i];
    if (!node->children) {
      for (e = node->edge; e < node[1].edge; e++)
        if (matched >> tree->edge[e].bit & 1)
          permi_draw_match(draw, node->vertex, tree->edge[e].vertex);
      continue;
    }
    j = kept->first[i + 1] - kept->first[i]; /* products: one more than joins if the last is with the unit */
    matched = permi_tree_draw_star(draw, tree, node, j ? &product[j - 1] : &kept->own[child[0]], matched);
    for (j = node->children - 2; j >= 0; j--) { /* product j joins child[children - 2 - j] */
      const int with = child[node->children - 2 - j];
      factor[0] = &kept->own[with];
      factor[1] = j ? &product[j - 1] : &kept->own[child[node->children - 1]];
      const uint32_t part = permi_tree_draw_join(draw, tree, factor, node->rows, matched);
      state[with] = permi_tree_extract(part, factor[0]->set);
      matched ^= part;
    }
    state[child[node->children - 1]] = permi_tree_extract(matched, kept->own[child[node->children - 1]].set);
  }
}

static const permi_tracer permi_tree_tracer = {permi_tree_kept_bytes, permi_tree_record, permi_tree_draw};
/* SPDX-License-Identifier: MIT */
