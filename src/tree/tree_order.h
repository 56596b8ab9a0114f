/* ===================================================================================== >>tree_order */
#pragma once
#include "tree.h"

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

static uint64_t permi_tree_pair(int a, int b)
{
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static uint64_t *permi_tree_find(const permi_tree_graph *graph, uint64_t pair)
{
  size_t mask = graph->pair_room - 1, place = (size_t)(pair * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
  while (graph->pair[place] && graph->pair[place] != pair)
    place = (place + 1) & mask;
  return &graph->pair[place];
}

/* Links a and b. Returns 0 if they were adjacent, -1 if out of memory or stopped. */
static int permi_tree_link(permi_tree_graph *graph, int a, int b)
{
  const uint64_t pair = permi_tree_pair(a, b);
  uint64_t *place = permi_tree_find(graph, pair); /* never 0 */
  if (*place)
    return 0;
  if (2 * graph->pairs + 2 > graph->pair_room) {
    const size_t room = graph->pair_room;
    uint64_t *old = graph->pair, *larger = (uint64_t *)permi_allocate(graph->allocator, 2 * room, sizeof *old);
    if (!larger || !permi_copy(graph->watch, larger, NULL, 2 * room * sizeof *old)) {
      permi_release(graph->allocator, larger);
      return -1;
    }
    graph->pair = larger;
    graph->pair_room = 2 * room;
    for (size_t i = 0; i < room && !permi_watch_step(graph->watch, i, 30); i++)
      if (old[i])
        *permi_tree_find(graph, old[i]) = old[i];
    permi_release(graph->allocator, old);
    place = permi_tree_find(graph, pair);
  }
  *place = pair;
  graph->pairs++;
  for (int end = 0; end < 2; end++) {
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

/* Millions of a hub's neighbours may be dead. */
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

static void permi_tree_list_push(permi_tree_graph *graph, int v)
{
  const int degree = graph->degree[v] < PERMI_TREE_WIDTH ? graph->degree[v] : PERMI_TREE_WIDTH;
  const int after = graph->first[degree];
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
  const int degree = graph->degree[v];
  uint64_t key = (uint64_t)degree, random = (uint64_t)(permi_order_random(&graph->seed) * 4294967296.0);
  size_t at;
  if (graph->filling && degree < PERMI_TREE_WIDTH) {
    const int count = permi_tree_neighbours(graph, v, neighbour);
    for (i = 0; i < count; i++)
      for (j = 0; j < i; j++)
        key += *permi_tree_find(graph, permi_tree_pair(neighbour[i], neighbour[j])) ? 0 : 32;
  } else if (degree >= PERMI_TREE_WIDTH) {
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

static perm_status permi_tree_begin_order(permi_tree_graph *graph, const permi_block *block, int filling)
{
  const int n = block->vertices;
  const size_t room = 64 + 4 * (size_t)block->edges;
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
  for (int v = 0; v < n; v++) {
    graph->head[v] = graph->turn[v] = -1;
    graph->degree[v] = 0;
  }
  graph->lowest = PERMI_TREE_WIDTH;
  for (int v = 0; v <= PERMI_TREE_WIDTH; v++)
    graph->first[v] = -1;
  for (int v = 0; v < block->n; v++)
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      if (permi_watch_step(graph->watch, (size_t)e, 30))
        return PERM_ERROR_LIMIT;
      if (permi_tree_link(graph, v, block->neighbour[e]) < 0)
        return PERM_ERROR_MEMORY;
    }
  for (int v = n; graph->listed && v-- > 0;)
    permi_tree_list_push(graph, v);
  for (int v = 0; v < n && !graph->listed; v++)
    if (permi_watch_step(graph->watch, (size_t)v, 150))
      return PERM_ERROR_LIMIT;
    else if (!permi_tree_key_push(graph, v))
      return PERM_ERROR_MEMORY;
  return PERM_OK;
}

/* Returns 0 without memory or if stopped. */
static int permi_tree_eliminate(permi_tree_graph *graph, int v, int turn, const int *neighbour, int count)
{
  graph->turn[v] = turn;
  graph->scope_start[turn] = (int)graph->scopes;
  if (!permi_room(graph->allocator, graph->watch, &graph->scope, graph->scopes, (size_t)count, &graph->scope_room,
                  sizeof(int)))
    return 0;
  for (int i = 0; i < count; i++) {
    graph->scope[graph->scopes++] = neighbour[i];
    graph->degree[neighbour[i]]--;
    for (int j = 0; j < i; j++)
      if (permi_tree_link(graph, neighbour[i], neighbour[j]) < 0)
        return 0;
  }
  for (int i = 0; i < count; i++)
    if (graph->listed) {
      permi_tree_list_drop(graph, neighbour[i]);
      permi_tree_list_push(graph, neighbour[i]);
    } else if (!permi_tree_key_push(graph, neighbour[i])) {
      return 0;
    }
  return 1;
}

/* The elimination graph of a small block, as bits. */
#define PERMI_TREE_LOOK 96
#define PERMI_TREE_LOOK_WORDS (2 * PERMI_TREE_LOOK / 64)
typedef struct permi_tree_look {
  int n, words;
  double units;
  int degree[2 * PERMI_TREE_LOOK]; /* INT_MAX: gone */
  int fill[2 * PERMI_TREE_LOOK];   /* pairs of neighbours to be linked; -1: not counted yet */
  uint64_t adjacent[2 * PERMI_TREE_LOOK][PERMI_TREE_LOOK_WORDS];
} permi_tree_look;

static void permi_tree_look_begin(permi_tree_look *look, const permi_block *block)
{
  look->n = block->vertices;
  look->words = (look->n + 63) / 64;
  look->units = 0;
  for (int v = 0; v < look->n; v++) {
    look->degree[v] = block->start[v + 1] - block->start[v];
    look->fill[v] = -1;
    for (int w = 0; w < look->words; w++)
      look->adjacent[v][w] = 0;
    for (int e = block->start[v]; e < block->start[v + 1]; e++)
      look->adjacent[v][block->neighbour[e] >> 6] |= UINT64_C(1) << (block->neighbour[e] & 63);
  }
}

static int permi_tree_look_fill(permi_tree_look *look, int v)
{
  const uint64_t *own = look->adjacent[v];
  int neighbour[PERMI_TREE_WIDTH], count = 0, w, i, j;
  if (look->fill[v] >= 0 || look->degree[v] >= PERMI_TREE_WIDTH)
    return look->fill[v] >= 0 ? look->fill[v] : PERMI_TREE_WIDTH * PERMI_TREE_WIDTH;
  for (w = 0; w < look->words; w++)
    for (uint64_t bits = own[w]; bits; bits &= bits - 1)
      neighbour[count++] = 64 * w + permi_trailing_zeros(bits);
  look->fill[v] = 0;
  look->units += count * count;
  for (i = 1; i < count; i++)
    for (j = 0; j < i; j++)
      look->fill[v] += !(look->adjacent[neighbour[i]][neighbour[j] >> 6] >> (neighbour[j] & 63) & 1);
  return look->fill[v];
}

static void permi_tree_look_eliminate(permi_tree_look *look, int v)
{
  const uint64_t *own = look->adjacent[v];
  uint64_t bits, changed[PERMI_TREE_LOOK_WORDS] = {0};
  int w, k, u;
  for (w = 0; w < look->words; w++)
    for (bits = own[w]; bits; bits &= bits - 1) {
      u = 64 * w + permi_trailing_zeros(bits);
      uint64_t *other = look->adjacent[u];
      for (look->degree[u] = k = 0; k < look->words; k++) {
        other[k] |= own[k];
        other[k] &= k == u >> 6 ? ~(UINT64_C(1) << (u & 63)) : ~UINT64_C(0);
        other[k] &= k == v >> 6 ? ~(UINT64_C(1) << (v & 63)) : ~UINT64_C(0);
        look->degree[u] += permi_count_ones(other[k]);
        changed[k] |= look->fill[v] ? other[k] : 0;
      }
      changed[w] |= bits & (0 - bits);
    }
  for (w = 0; w < look->words; w++)
    for (bits = changed[w]; bits; bits &= bits - 1)
      look->fill[64 * w + permi_trailing_zeros(bits)] = -1;
  look->degree[v] = INT_MAX;
}

static double permi_tree_look_seconds(int degree)
{
  return PERMI_TREE_PAIR_SECONDS * permi_tree_power(2, degree) / (degree + 1);
}

/* Returns the least seconds by least degree; INFINITY: too wide, or above `limit`. Takes microseconds. */
PERMI_NEVER_INLINE static double permi_tree_least(const permi_block *block, double limit)
{
  permi_tree_look look;
  double least = 0;
  permi_tree_look_begin(&look, block);
  for (int turn = 0; turn < look.n && least <= limit; turn++) {
    int best = 0;
    for (int v = 1; v < look.n; v++)
      best = look.degree[v] < look.degree[best] ? v : best;
    if (look.degree[best] >= PERMI_TREE_WIDTH)
      return (double)INFINITY;
    least += permi_tree_look_seconds(look.degree[best]);
    permi_tree_look_eliminate(&look, best);
  }
  return least > limit ? (double)INFINITY : least;
}

/* Takes least degree, then least fill, or the other way round; from the third start on, nearly. */
PERMI_NEVER_INLINE static perm_status permi_tree_glance(permi_tree_graph *graph, const permi_block *block, int start,
                                                        double rival)
{
  permi_tree_look look;
  const size_t all = (size_t)block->vertices;
  double least = 0;
  graph->n = block->vertices;
  graph->scopes = 0;
  graph->pool.allocator = graph->allocator;
  if (!graph->turn && !permi_pool_ints(&graph->pool, &graph->turn, all, &graph->scope_start, all + 1, (int **)NULL))
    return PERM_ERROR_MEMORY;
  permi_tree_look_begin(&look, block);
  for (int turn = 0; turn < look.n; turn++) {
    int best = -1, least_key = INT_MAX;
    for (int v = 0; v < look.n; v++) {
      int key = look.degree[v];
      if (key == INT_MAX || (start % 2 == 0 && best >= 0 && key > look.degree[best]))
        continue;
      key = start % 2 ? 32 * permi_tree_look_fill(&look, v) + key : 1024 * key + permi_tree_look_fill(&look, v);
      key = 8 * key + (start > 1 ? permi_order_below(&graph->seed, 16) : 0);
      if (key < least_key) {
        least_key = key;
        best = v;
      }
    }
    least += permi_tree_look_seconds(look.degree[best]);
    if (look.degree[best] >= PERMI_TREE_WIDTH || least > rival ||
        permi_watch(graph->watch, 100.0 + 2 * look.n + look.units))
      return PERM_ERROR_LIMIT;
    look.units = 0;
    if (!permi_room(graph->allocator, graph->watch, &graph->scope, graph->scopes, (size_t)look.degree[best],
                    &graph->scope_room, sizeof(int)))
      return PERM_ERROR_MEMORY;
    graph->turn[best] = turn;
    graph->scope_start[turn] = (int)graph->scopes;
    for (int w = 0; w < look.words; w++)
      for (uint64_t bits = look.adjacent[best][w]; bits; bits &= bits - 1)
        graph->scope[graph->scopes++] = 64 * w + permi_trailing_zeros(bits);
    permi_tree_look_eliminate(&look, best);
  }
  graph->scope_start[look.n] = (int)graph->scopes;
  return PERM_OK;
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
    least += permi_tree_look_seconds(count);
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
/* SPDX-License-Identifier: MIT */
