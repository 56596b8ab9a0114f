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
  trace->room = PERMI_SAMPLE_PART * (nodes + 2) * sizeof(uint32_t);
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

static perm_status permi_tree_record(permi_trace *trace, permi_control *control)
{
  permi_tree_run run;
  memset(&run, 0, sizeof run);
  const perm_status status = permi_tree_keep_all(trace, control, &run);
  permi_pool_release(&run.base.pool);
  return status;
}

/* Of a node's star: an entry's match, from 1, and the product's state; of the join of `part`: both states. */
static void permi_tree_ways(permi_draw *draw, int number, int part, const void *state)
{
  const permi_tree *tree = (const permi_tree *)draw->trace->plan;
  const permi_tree_kept *kept = (const permi_tree_kept *)draw->trace->kept;
  const permi_tree_node *node = &tree->node[number];
  const int *child = kept->child + kept->children[number], joins = node->children - 1;
  const permi_tree_table *product = kept->product + kept->first[number], *last = &kept->own[child[joins]], *with = last;
  const uint32_t matched = *(const uint32_t *)state, set = part ? node->all : last->set, rows = node->rows;
  if (part < joins) { /* product j joins child[joins - 1 - j] */
    last = part ? &product[part - 1] : last;
    with = &kept->own[child[joins - 1 - part]];
    const uint32_t common = matched & with->set & last->set, own = matched & ~last->set;
    uint32_t shared = 0;
    do {
      const uint32_t rest = matched ^ own ^ shared;
      const uint64_t *x = permi_tree_value_of(tree, with, rows, own | shared);
      if (x)
        permi_draw_weigh(draw, NULL, x, permi_tree_value_of(tree, last, rows, rest),
                         (uint64_t)permi_tree_extract(own | shared, with->set) << 32 | permi_tree_extract(rest, set));
      shared = (shared - common) & common;
    } while (shared);
    return;
  }
  const permi_coefficient one = permi_coefficient_one(), *alone = permi_tree_alone(tree, node);
  const int products = kept->first[number + 1] - kept->first[number]; /* more than joins if the last is with the unit */
  const permi_tree_table *table = products ? &product[products - 1] : last;
  for (int e = node->edge; e <= node[1].edge + (alone != NULL); e++) {
    const int entry = e < node[1].edge, below = e == node[1].edge;
    const uint32_t bit = entry ? 1u << tree->edge[e].bit : node->all & ~(node->all >> 1);
    const uint32_t before = entry ? matched & ~bit : below ? matched | bit : matched;
    if (!entry || matched & bit)
      permi_draw_weigh(draw, entry ? &tree->edge[e].c : below ? &one : alone, NULL,
                       permi_tree_value_of(tree, table, rows, before),
                       (uint64_t)(entry ? e + 1 : 0) << 32 | permi_tree_extract(before, set));
  }
}

static void permi_tree_draw(permi_draw *draw)
{
  const permi_tree *tree = (const permi_tree *)draw->trace->plan;
  const permi_tree_kept *kept = (const permi_tree_kept *)draw->trace->kept;
  const int count = draw->count;
  uint32_t *state = (uint32_t *)(void *)draw->room, *rest = state + tree->nodes * count, *entry = rest + count;
  memset(rest - count, 0, (size_t)count * sizeof *rest);
  for (int i = tree->nodes - 1; i >= 0; i--) {
    const permi_tree_node *node = &tree->node[i];
    const int *child = kept->child + kept->children[i];
    const uint32_t *from = state + i * count;
    for (int j = node->children - 1; j >= 0; j--, from = rest) {
      const uint64_t base = permi_draw_state(draw, kept->children[i] + j, 0);
      uint32_t *one = j == node->children - 1 ? entry : state + child[node->children - 2 - j] * count;
      uint32_t *other = j ? rest : state + child[node->children - 1] * count;
      for (int k = 0; k < count; k++) {
        const uint64_t way = permi_draw_way(draw, k, base | from[k], i, j, from + k);
        one[k] = (uint32_t)(way >> 32);
        other[k] = (uint32_t)way;
      }
    }
    for (int k = 0; k < count; k++) {
      int e = node->children ? (int)entry[k] - 1 : node[1].edge - 1;
      while (!node->children && e >= node->edge && !(from[k] >> tree->edge[e].bit & 1))
        e--;
      if (e >= node->edge)
        permi_draw_match(draw, k, node->vertex, tree->edge[e].vertex);
    }
  }
}

static const permi_tracer permi_tree_tracer = {permi_tree_kept_bytes, permi_tree_record, permi_tree_draw,
                                               permi_tree_ways};
/* SPDX-License-Identifier: MIT */
