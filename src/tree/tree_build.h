/* ===================================================================================== >>tree_build
   Orders a block by elimination; prices and runs its tree. */
#pragma once
#include "tree.h"

/* The caller releases the run's pool. */
static perm_status permi_tree_nodes(const permi_tree *tree, permi_control *control, permi_tree_run *run)
{
  const size_t most = (size_t)tree->most_states + 1, groups = (size_t)tree->most_groups + 2;
  const size_t size = (size_t)tree->size;
  permi_pool *pool = &run->base.pool;
  perm_status status = PERM_ERROR_MEMORY;
  uint32_t low;
  int i;
  permi_runner_begin(&run->base, &tree->owned.allocator, control, "tree");
  run->tree = tree;
  run->weight = permi_tree_weight(tree);
  run->rank = (permi_tree_rank *)permi_pool_get(pool, 1, sizeof *run->rank);
  run->table = (permi_tree_table *)permi_pool_get(pool, (size_t)tree->depth + 1, sizeof *run->table);
  run->values = (uint64_t *)permi_pool_get(pool, ((size_t)tree->stack_values + 1) * size, sizeof *run->values);
  for (i = 0; i < 2; i++) {
    run->work[i] = (uint64_t *)permi_pool_get(pool, ((size_t)tree->work_values + 1) * size, sizeof *run->values);
    run->mask[i] = (uint32_t *)permi_pool_get(pool, most, sizeof(uint32_t));
    run->index[i] = (uint32_t *)permi_pool_get(pool, most, sizeof(uint32_t));
    run->first[i] = (uint32_t *)permi_pool_get(pool, groups, sizeof(uint32_t));
  }
  if (!pool->failed) {
    run->rank->high[0] = 0;
    for (low = 0; low < 1u << (tree->width < PERMI_TREE_LOW ? tree->width : PERMI_TREE_LOW); low++)
      run->rank->low[low] = permi_tree_rank_of(tree, low, 0, permi_count_ones(low));
    status = permi_runner_go(&run->base, 0, tree->nodes, permi_tree_visit);
  }
  return status;
}

static perm_status permi_tree_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_tree *tree = (const permi_tree *)leaf->context;
  permi_tree_run run;
  perm_status status;
  memset(&run, 0, sizeof run);
  status = permi_tree_nodes(tree, control, &run);
  if (status == PERM_OK) {
    run.base.sizes = run.table->sizes;
    permi_runner_finish(&run.base, &tree->numbers, run.table->states ? run.table->value : NULL, tree->lost_error,
                        partial);
  }
  permi_pool_release(&run.base.pool);
  return status;
}

/* A graph of links, dead ones dropped when seen, and a hash table of pairs ever adjacent: hubs cost nothing. A heap
   gives the next vertex, in large blocks lists by degree. */
#define PERMI_TREE_LISTED 2000
typedef struct permi_tree_graph {
  const perm_allocator *allocator;
  permi_pool pool;
  int n, filling, listed; /* filling: by fill, not degree */
  int *head, *degree, *turn, *link, *scope, *scope_start;
  uint64_t *priority, *pair; /* pair: 0 is free */
  permi_ranked *heap;
  size_t links, link_room, pairs, pair_room, keys, heap_room, scopes, scope_room, popped, dropped;
  int *next, *before;                      /* before the first: -1 - degree */
  int first[PERMI_TREE_WIDTH + 1], lowest; /* lists below are empty */
  uint64_t seed;
  permi_control *watch;
} permi_tree_graph;

static void permi_tree_graph_release(permi_tree_graph *graph)
{
  permi_pool_release(&graph->pool);
  permi_release(graph->allocator, graph->link);
  permi_release(graph->allocator, graph->pair);
  permi_release(graph->allocator, graph->heap);
  permi_release(graph->allocator, graph->scope);
}

static size_t permi_tree_slot(const permi_tree_graph *graph, uint64_t pair)
{
  return (size_t)(pair * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (graph->pair_room - 1);
}

static uint64_t permi_tree_pair(int a, int b)
{
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

/* Prefetches. gcc drops calls of functions that do nothing else. */
static PERMI_ALWAYS_INLINE void permi_tree_expect(const permi_tree_graph *graph, int a, int b)
{
#if defined(__GNUC__)
  __builtin_prefetch(&graph->pair[permi_tree_slot(graph, permi_tree_pair(a, b))]);
#else
  (void)graph, (void)a, (void)b;
#endif
}

static uint64_t *permi_tree_find(const permi_tree_graph *graph, uint64_t pair)
{
  size_t mask = graph->pair_room - 1, place = permi_tree_slot(graph, pair);
  while (graph->pair[place] && graph->pair[place] != pair)
    place = (place + 1) & mask;
  return &graph->pair[place];
}

/* Links a and b. Returns 0 if they were adjacent, -1 if out of memory or stopped. */
static int permi_tree_link(permi_tree_graph *graph, int a, int b)
{
  const uint64_t pair = permi_tree_pair(a, b);
  uint64_t *place = permi_tree_find(graph, pair); /* never 0 */
  int end;
  if (*place)
    return 0;
  if (2 * graph->pairs + 2 > graph->pair_room) {
    uint64_t *old = graph->pair;
    const size_t room = graph->pair_room;
    size_t i;
    graph->pair = (uint64_t *)permi_allocate(graph->allocator, 2 * room, sizeof *old);
    if (!graph->pair) {
      graph->pair = old;
      return -1;
    }
    graph->pair_room = 2 * room;
    if (!permi_copy(graph->watch, graph->pair, NULL, 2 * room * sizeof *old)) {
      permi_release(graph->allocator, old);
      return -1;
    }
    for (i = 0; i < room && !permi_watch_step(graph->watch, i, 30); i++)
      if (old[i])
        *permi_tree_find(graph, old[i]) = old[i];
    permi_release(graph->allocator, old);
    place = permi_tree_find(graph, pair);
  }
  *place = pair;
  graph->pairs++;
  for (end = 0; end < 2; end++) {
    const int from = end ? b : a;
    if (!permi_room(graph->allocator, graph->watch, &graph->link, 2 * graph->links, 2, &graph->link_room,
                    sizeof(int)) || graph->links > INT_MAX / 4)
      return -1;
    graph->link[2 * graph->links] = end ? a : b;
    graph->link[2 * graph->links + 1] = graph->head[from];
    graph->head[from] = (int)graph->links++;
    graph->degree[from]++;
  }
  return 1;
}

/* Lists the living neighbours. Millions of a hub's may be dead. */
static int permi_tree_neighbours(permi_tree_graph *graph, int v, int *neighbour)
{
  int *place = &graph->head[v], count = 0;
  while (*place >= 0 && count < PERMI_TREE_WIDTH) {
    const int index = *place;
    if (graph->turn[graph->link[2 * index]] >= 0) {
      *place = graph->link[2 * index + 1];
      if (permi_watch_step(graph->watch, graph->dropped++, 100))
        break;
    } else {
      neighbour[count++] = graph->link[2 * index];
      place = &graph->link[2 * index + 1];
    }
  }
  return count;
}

static int permi_tree_degree(const permi_tree_graph *graph, int v)
{
  return graph->degree[v] < PERMI_TREE_WIDTH ? graph->degree[v] : PERMI_TREE_WIDTH;
}

static void permi_tree_list_push(permi_tree_graph *graph, int v)
{
  const int degree = permi_tree_degree(graph, v), after = graph->first[degree];
  graph->next[v] = after;
  graph->before[v] = -1 - degree;
  if (after >= 0)
    graph->before[after] = v;
  graph->first[degree] = v;
  graph->lowest = degree < graph->lowest ? degree : graph->lowest;
}

static void permi_tree_list_drop(permi_tree_graph *graph, int v)
{
  const int before = graph->before[v], after = graph->next[v];
  if (before >= 0)
    graph->next[before] = after;
  else
    graph->first[-1 - before] = after;
  if (after >= 0)
    graph->before[after] = before;
}

static int permi_tree_key_push(permi_tree_graph *graph, int v)
{
  int neighbour[PERMI_TREE_WIDTH], i, j;
  const int degree = permi_tree_degree(graph, v);
  uint64_t key = (uint64_t)degree, random = (uint64_t)(permi_order_random(&graph->seed) * 4294967296.0);
  size_t at;
  if (graph->filling && degree < PERMI_TREE_WIDTH) {
    const int count = permi_tree_neighbours(graph, v, neighbour);
    for (i = 0; i < count; i++)
      for (j = 0; j < i; j++)
        key += *permi_tree_find(graph, permi_tree_pair(neighbour[i], neighbour[j])) ? 0 : 32;
  } else if (degree == PERMI_TREE_WIDTH) {
    key = 65535;
  }
  key = key << 32 | random;
  if (!permi_room(graph->allocator, graph->watch, &graph->heap, graph->keys, 1, &graph->heap_room, sizeof *graph->heap))
    return 0;
  graph->priority[v] = key;
  for (at = graph->keys++; at && graph->heap[(at - 1) / 2].key > key; at = (at - 1) / 2)
    graph->heap[at] = graph->heap[(at - 1) / 2];
  graph->heap[at].key = key;
  graph->heap[at].vertex = v;
  return 1;
}

/* Returns the next vertex, -1 if there is none or if stopped. */
static int permi_tree_key_pop(permi_tree_graph *graph)
{
  /* with millions of keys a turn takes microseconds */
  while (graph->keys && !permi_watch_step(graph->watch, 16 * graph->popped++ + 15, 190)) {
    const permi_ranked top = graph->heap[0], last = graph->heap[--graph->keys];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < graph->keys) {
      child += child + 1 < graph->keys && graph->heap[child + 1].key < graph->heap[child].key;
      if (graph->heap[child].key >= last.key)
        break;
      graph->heap[at] = graph->heap[child];
      at = child;
    }
    graph->heap[at] = last;
    if (graph->turn[top.vertex] < 0 && graph->priority[top.vertex] == top.key)
      return top.vertex;
  }
  return -1;
}

#define PERMI_TREE_AHEAD 16
static perm_status permi_tree_begin_order(permi_tree_graph *graph, const permi_block *block, int filling)
{
  const int n = block->vertices;
  const size_t room = 64 + 4 * (size_t)block->edges;
  int v, e, ahead = 0, row = 0;
  graph->n = n;
  graph->filling = filling;
  graph->listed = !filling && n >= PERMI_TREE_LISTED;
  graph->links = graph->pairs = graph->keys = graph->scopes = graph->popped = graph->dropped = 0;
  if (!graph->head) {
    const size_t all = (size_t)n;
    graph->pool.allocator = graph->allocator;
    graph->priority = (uint64_t *)permi_pool_get(&graph->pool, all, sizeof(uint64_t));
    for (graph->pair_room = 256; graph->pair_room < room;)
      graph->pair_room *= 2;
    graph->pair = (uint64_t *)permi_allocate(graph->allocator, graph->pair_room, sizeof(uint64_t));
    if (!permi_pool_ints(&graph->pool, &graph->head, all, &graph->degree, all, &graph->turn, all, &graph->next, all,
                         &graph->before, all, &graph->scope_start, all + 1, (int **)NULL) || !graph->pair)
      return PERM_ERROR_MEMORY;
  }
  if (!permi_copy(graph->watch, graph->pair, NULL, graph->pair_room * sizeof *graph->pair))
    return PERM_ERROR_LIMIT;
  for (v = 0; v < n; v++) {
    graph->head[v] = graph->turn[v] = -1;
    graph->degree[v] = 0;
  }
  graph->lowest = PERMI_TREE_WIDTH;
  for (v = 0; v <= PERMI_TREE_WIDTH; v++)
    graph->first[v] = -1;
  for (v = 0; v < block->n; v++)
    for (e = block->start[v]; e < block->start[v + 1]; e++) {
      if (permi_watch_step(graph->watch, (size_t)e, 30))
        return PERM_ERROR_LIMIT;
      for (; ahead < block->edges && ahead <= e + PERMI_TREE_AHEAD; ahead++) {
        row += ahead == block->start[row + 1];
        permi_tree_expect(graph, row, block->neighbour[ahead]);
      }
      if (permi_tree_link(graph, v, block->neighbour[e]) < 0)
        return PERM_ERROR_MEMORY;
    }
  for (v = n; graph->listed && v-- > 0;)
    permi_tree_list_push(graph, v);
  for (v = 0; v < n && !graph->listed; v++)
    if (permi_watch_step(graph->watch, (size_t)v, 150))
      return PERM_ERROR_LIMIT;
    else if (!permi_tree_key_push(graph, v))
      return PERM_ERROR_MEMORY;
  return PERM_OK;
}

/* Returns 0 without memory or if stopped. */
static int permi_tree_eliminate(permi_tree_graph *graph, int v, int turn, const int *neighbour, int count)
{
  int i, j;
  graph->turn[v] = turn;
  graph->scope_start[turn] = (int)graph->scopes;
  for (i = 1; i < count; i++)
    for (j = 0; j < i; j++)
      permi_tree_expect(graph, neighbour[i], neighbour[j]);
  if (!permi_room(graph->allocator, graph->watch, &graph->scope, graph->scopes, (size_t)count, &graph->scope_room,
                  sizeof(int)))
    return 0;
  for (i = 0; i < count; i++) {
    graph->scope[graph->scopes++] = neighbour[i];
    graph->degree[neighbour[i]]--;
    for (j = 0; j < i; j++)
      if (permi_tree_link(graph, neighbour[i], neighbour[j]) < 0)
        return 0;
  }
  for (i = 0; i < count; i++)
    if (graph->listed) {
      permi_tree_list_drop(graph, neighbour[i]);
      permi_tree_list_push(graph, neighbour[i]);
    } else if (!permi_tree_key_push(graph, neighbour[i])) {
      return 0;
    }
  return 1;
}

/* Returns the least seconds by least degree; INFINITY: too wide, or above `limit`. Takes microseconds. */
#define PERMI_TREE_LOOK 96
#define PERMI_TREE_LOOK_WORDS (2 * PERMI_TREE_LOOK / 64)
PERMI_NEVER_INLINE static double permi_tree_least(const permi_block *block, double limit)
{
  uint64_t adjacent[2 * PERMI_TREE_LOOK][PERMI_TREE_LOOK_WORDS];
  int degree[2 * PERMI_TREE_LOOK];
  const int n = block->vertices;
  int v, e, k, w, turn;
  double least = 0;
  memset(adjacent, 0, sizeof adjacent);
  for (v = 0; v < n; v++) {
    degree[v] = block->start[v + 1] - block->start[v];
    for (e = block->start[v]; e < block->start[v + 1]; e++)
      adjacent[v][block->neighbour[e] >> 6] |= UINT64_C(1) << (block->neighbour[e] & 63);
  }
  for (turn = 0; turn < n && least <= limit; turn++) {
    int best = 0;
    for (v = 1; v < n; v++)
      best = degree[v] < degree[best] ? v : best;
    if (degree[best] >= PERMI_TREE_WIDTH)
      return (double)INFINITY;
    least += ldexp(PERMI_TREE_PAIR_SECONDS, degree[best]) / (degree[best] + 1);
    for (w = 0; w < PERMI_TREE_LOOK_WORDS; w++) {
      uint64_t bits;
      for (bits = adjacent[best][w]; bits; bits &= bits - 1) {
        v = 64 * w + permi_trailing_zeros(bits);
        for (degree[v] = k = 0; k < PERMI_TREE_LOOK_WORDS; k++) {
          adjacent[v][k] |= adjacent[best][k];
          adjacent[v][k] &= k == v >> 6 ? ~(UINT64_C(1) << (v & 63)) : ~UINT64_C(0);
          adjacent[v][k] &= k == best >> 6 ? ~(UINT64_C(1) << (best & 63)) : ~UINT64_C(0);
          degree[v] += permi_count_ones(adjacent[v][k]);
        }
      }
    }
    degree[best] = INT_MAX;
  }
  return least > limit ? (double)INFINITY : least;
}

/* Returns PERM_ERROR_LIMIT if too wide, or slower than the rival. */
PERMI_NEVER_INLINE static perm_status permi_tree_order(permi_tree_graph *graph, const permi_block *block, int filling,
                                                       double rival)
{
  int v, turn, count, neighbour[PERMI_TREE_WIDTH];
  double least = 0;
  perm_status status = permi_tree_begin_order(graph, block, filling);
  for (turn = 0; status == PERM_OK; turn++) {
    if (graph->listed) {
      while (graph->lowest < PERMI_TREE_WIDTH && graph->first[graph->lowest] < 0)
        graph->lowest++;
      v = graph->first[graph->lowest];
      if (v >= 0)
        permi_tree_list_drop(graph, v);
    } else {
      v = permi_tree_key_pop(graph);
    }
    if (v < 0)
      break;
    count = permi_tree_neighbours(graph, v, neighbour);
    least += ldexp(PERMI_TREE_PAIR_SECONDS, count) / (count + 1);
    if (count >= PERMI_TREE_WIDTH || least > rival ||
        permi_watch(graph->watch, 150 + count * count * (graph->listed ? 8.0 : filling ? 16.0 + count : 16.0)))
      status = PERM_ERROR_LIMIT;
    else if (!permi_tree_eliminate(graph, v, turn, neighbour, count))
      status = PERM_ERROR_MEMORY;
  }
  if (status != PERM_OK)
    return status;
  graph->scope_start[graph->n] = (int)graph->scopes;
  return permi_watch(graph->watch, 0) ? PERM_ERROR_LIMIT : PERM_OK;
}

static double permi_tree_price(permi_tree *tree, const permi_tree_node *node, const permi_tree_sketch *child,
                               double *roundings)
{
  const double weight = permi_tree_weight(tree);
  const int edges = (node + 1)->edge - node->edge;
  const permi_tree_sketch unit = {0, 0, 1};
  permi_tree_sketch factor, product;
  double seconds = PERMI_TREE_NODE_SECONDS, states;
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
    seconds += PERMI_TREE_NODE_SECONDS + 5e-10 * pow(3, common) +
               pairs * (PERMI_TREE_PAIR_SECONDS * weight +
                        (8.0 * tree->size * product.states > PERMI_TREE_CACHE_BYTES ? PERMI_TREE_MISS_SECONDS : 0));
    seconds += (other->states + factor.states) * t * PERMI_TREE_SORT_SECONDS +
               product.states * PERMI_TREE_PAIR_SECONDS;
    states = fmax(other->states, factor.states);
    tree->most_states = fmax(tree->most_states, states);
    tree->work_values = fmax(tree->work_values, product.states);
    tree->most_groups = fmax(tree->most_groups, ldexp(1, common));
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
  int i, k, depth = 1, top = 0, node = 0, steps = 0;
  permi_tree_draft draft;
  draft.graph = graph;
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
  todo[0] = n - 1; /* a block is connected */
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
  if (tree->numbers.algebra == PERMI_COMPLEX)
    tree->bound_relative = permi_tree_bound(roundings[0] + 2 * roundings[1] + given, 0);
  else if (permi_algebra_is_dd(tree->numbers.algebra))
    tree->bound_relative = permi_tree_bound(given, roundings[0] + 3 * roundings[1]);
  else
    tree->bound_relative = permi_tree_bound(roundings[0] + given, 0);
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
                   tree->pairs, tree->states,
                   permi_numbers_text(&tree->numbers, 0), leaf->information.seconds, leaf->information.bytes);
}

static uint64_t permi_tree_fingerprint(const permi_tree *tree, permi_control *watch)
{
  static const uint64_t kind[] = {0, 1, 2, 3, 3, 3, 4, 5, 5, 6}; /* in saved states */
  uint64_t hash = permi_hash(PERMI_HASH_START + 1, kind[tree->numbers.algebra]);
  int i, e;
  hash = permi_hash(permi_hash(hash, (uint64_t)tree->size), tree->numbers.modulus);
  for (i = 0; i < tree->nodes && !permi_watch_step(watch, (size_t)i, 40); i++) {
    const permi_tree_node *node = &tree->node[i];
    hash = permi_hash(permi_hash(hash, (uint64_t)node->children), (uint64_t)node->rows << 32 | node->all);
    hash = permi_hash(hash, (uint64_t)node->set << 1 | (uint64_t)node->column);
    if (tree->alone)
      hash = permi_coefficient_hash(hash, &tree->alone[i]);
    for (e = node->edge; e < node[1].edge; e++)
      hash = permi_coefficient_hash(permi_hash(hash, (uint64_t)tree->edge[e].bit), &tree->edge[e].c);
  }
  return hash;
}

/* Returns 0 if integers may be too long. */
static int permi_tree_kind(permi_tree *tree, const permi_block *block, const perm_options *options)
{
  const int fits = permi_numbers_choose_moduli(&tree->numbers, block, options->modulus, permi_sparse_doubled(options));
  int t, k;
  if (tree->numbers.algebra == PERMI_WIDE)
    tree->numbers.algebra = PERMI_WORDS; /* a coefficient has one word, a factor two */
  tree->size = (int)permi_numbers_words(&tree->numbers);
  for (t = 0; t <= PERMI_TREE_WIDTH; t++)
    for (k = 0; k <= t; k++)
      tree->binomial[t][k] = k == 0 || k == t ? 1 : tree->binomial[t - 1][k - 1] + tree->binomial[t - 1][k];
  return fits;
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
  if (block->vertices <= 2 * PERMI_TREE_LOOK)
    offer->least = fmax(offer->least, PERMI_TREE_OVER_LEAST * permi_tree_least(block, rival));
  if (offer->least == (double)INFINITY)
    permi_refuse_trees(rival, offer);
  return PERM_OK;
}

/* Treewidth w and N vertices allow w N entries. Of orders by least degree, or least fill where affordable, the cheapest
   wins. */
#define PERMI_TREE_FILL 20000
static perm_status permi_tree_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const permi_working *working = maker->working;
  const double planning = PERMI_ORDER_PLAN_SECONDS * ((double)block->vertices + block->edges);
  const double given = permi_entry_roundings(working, working->n) + block->additions;
  permi_tree like, *tree, *best = NULL;
  permi_tree_graph graph;
  perm_status status = PERM_OK;
  int start, starts;
  memset(&like, 0, sizeof like);
  like.nodes = block->vertices;
  like.lost_error = working->lost_error;
  like.work_values = like.most_states = like.most_groups = 1;
  if (!permi_tree_kind(&like, block, maker->options))
    permi_refuse_long(offer);
  else if (block->edges > (PERMI_TREE_WIDTH - 1) * (double)block->vertices)
    permi_refuse(offer, PERM_ERROR_LIMIT, "has no tree of tables of up to %d vertices: too many entries",
                 PERMI_TREE_WIDTH - 1);
  if (offer->why[0])
    return PERM_OK;
  memset(&graph, 0, sizeof graph);
  graph.allocator = allocator;
  graph.watch = maker->watch;
  graph.seed = UINT64_C(88172645463325252);
  starts = rival < 100 * planning || block->vertices > 100000 ? 1 : PERMI_TREE_STARTS;
  for (start = 0; start < starts && status == PERM_OK && !permi_watch(maker->watch, 0); start++) {
    const double limit = best && best->cost[best->nodes] < rival ? best->cost[best->nodes] : rival;
    const int filling = start % 2 && block->vertices <= PERMI_TREE_FILL;
    status = permi_tree_order(&graph, block, filling, limit);
    if (status == PERM_ERROR_LIMIT) {
      status = PERM_OK;
      continue;
    }
    if (status == PERM_ERROR_MEMORY)
      break;
    tree = (permi_tree *)permi_owned_new(allocator, sizeof *tree);
    if (tree) {
      like.owned = tree->owned;
      *tree = like;
    }
    if (!tree || !permi_tree_build(block, &graph, given, tree))
      status = PERM_ERROR_MEMORY;
    else if (maker->watch->stopped == PERM_OK &&
             (!best || tree->cost[tree->nodes] < best->cost[best->nodes])) {
      permi_tree *swap = best;
      best = tree;
      tree = swap;
    }
    permi_owned_release(allocator, tree);
    if (best ? best->cost[best->nodes] < 10 * planning * (start + 2) ||
                   best->cost[best->nodes] > 2 * rival
             : rival < (double)INFINITY)
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
                   8 * best->most_groups + sizeof(permi_tree_rank) + (double)sizeof(permi_tree_table) * best->depth +
                   (double)(sizeof(permi_tree_node) + sizeof(double)) * best->nodes;
  }
  return PERM_OK;
}

static perm_status permi_tree_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  permi_tree *tree = (permi_tree *)offer->plan;
  const int doubled = permi_algebra_is_dd(tree->numbers.algebra) && !block->rounded;
  int i;
  for (i = 0; i < tree->nodes; i++)
    leaf->threaded |= tree->cost[i + 1] - tree->cost[i] >= PERMI_SHARE_SECONDS;
  leaf->information.work = tree->pairs + tree->states;
  leaf->information.fingerprint = permi_tree_fingerprint(tree, maker->watch);
  permi_leaf_values(leaf, &tree->numbers, tree->bound_relative, doubled ? PERMI_DD_UNIT : PERMI_UNIT,
                    permi_tree_task, permi_tree_explain);
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
