/* =================================================================================== >>transversals
   Enumerates perfect matchings, for blocks that have few. */
#pragma once
#include "../frontier/steps.h"
#include "../frontier/streams.h"

/* Depth first, at the vertex with the fewest choices; a choice that leaves a vertex none is undone. Products are in
   double-double or long integers; terms are added exactly.

   THE BOUND. A term has n double-double operations (rounded entries as in >>steps); the sum is exact
   (tests/proofs/doubles.g).

   THREADS. All walk the top of the tree. A node is a unit when the choices on its path multiply up to `enough`, or
   when it completes a matching. Units are numbered as met; a thread goes below those of its tickets. */

#define PERMI_SEARCH_UNITS 64 /* least for each thread: units differ in size */
#define PERMI_SEARCH_RATE 4   /* least for each predicted second: polls come between units */
#define PERMI_SEARCH_MOST 1e5

typedef struct permi_search {
  permi_control *control;
  int threads, stop; /* stop: a perm_status, written by the calling thread */
  double enough;     /* branches along a unit's path; 1: the root is the only unit */
  uint64_t next;
} permi_search;

static void permi_search_share(permi_search *search, const permi_leaf *leaf, int threads)
{
  search->threads = threads;
  search->enough = fmax((double)PERMI_SEARCH_UNITS * threads, PERMI_SEARCH_RATE * leaf->information.seconds);
  search->enough = threads > 1 ? fmin(search->enough, PERMI_SEARCH_MOST) : 1;
}

static permi_search permi_search_begin(const permi_leaf *leaf, permi_control *control)
{
  permi_search search;
  memset(&search, 0, sizeof search);
  search.control = control;
  permi_search_share(&search, leaf, control && leaf->threaded ? permi_threads(control->options) : 1);
  return search;
}

static uint64_t permi_search_ticket(permi_search *search)
{
  uint64_t ticket;
  PERMI_OMP(atomic capture)
  ticket = search->next++;
  return ticket;
}

/* Thread 0 asks the control, others see what it found. */
static perm_status permi_search_poll(permi_search *search, int thread, double work, const char *activity)
{
  int stop = PERM_OK;
  if (thread) {
    PERMI_OMP(atomic read)
    stop = search->stop;
  } else if (search->control) {
    stop = (int)permi_control_poll(search->control, work, activity);
    if (stop) {
      PERMI_OMP(atomic write)
      search->stop = stop;
    }
  }
  return (perm_status)stop;
}

#define PERMI_TRANSVERSALS_SAFE 1e-270 /* above, double-double products have the counted error */
#define PERMI_TRANSVERSALS_STEP 2.5e-8 /* seconds of a matching and row, at orders 24 and 30 */

typedef struct permi_transversals {
  permi_owned owned;
  permi_numbers numbers;
  size_t size;
  int n;
  int *start, *neighbour, *edge;
  permi_coefficient *coefficient;
  permi_coefficient one;
  double most, seconds_each;
  double bound_relative, lost_error;
} permi_transversals;

typedef struct permi_matching_path {
  const permi_transversals *all;
  int *degree, *next, *previous; /* choices left; free vertices in a ring, head 2 n */
  int *alive;
  int *vertex, *at; /* of a level */
  double *ways;
  char *product;
  char *sum;
  int dead;
} permi_matching_path;

/* v leaves the graph (step -1) or comes back (1). */
static void permi_path_move(permi_matching_path *path, int v, int step)
{
  const permi_transversals *all = path->all;
  int e;
  path->alive[v] = step > 0;
  path->next[path->previous[v]] = step > 0 ? v : path->next[v];
  path->previous[path->next[v]] = step > 0 ? v : path->previous[v];
  for (e = all->start[v]; e < all->start[v + 1]; e++) {
    const int u = all->neighbour[e];
    if (path->alive[u]) {
      path->degree[u] += step;
      path->dead |= path->degree[u] == 0;
    }
  }
}

static void permi_path_match(permi_matching_path *path, int u, int e)
{
  const permi_transversals *all = path->all;
  int k;
  permi_path_move(path, u, -1);
  path->dead = 0; /* the partner may have had no other choice */
  permi_path_move(path, all->neighbour[e], -1);
  for (k = all->start[u]; k < all->start[u + 1] && !path->dead; k++)
    path->dead = path->alive[all->neighbour[k]] && path->degree[all->neighbour[k]] == 0;
}

static void permi_path_level(permi_matching_path *path, int k)
{
  const int head = 2 * path->all->n;
  int best = path->next[head], v;
  for (v = best; v != head && path->degree[best] > 1; v = path->next[v])
    if (path->degree[v] < path->degree[best])
      best = v;
  path->vertex[k] = best;
  path->at[k] = path->all->start[best] - 1;
}

static void permi_path_multiply(permi_matching_path *path, int k, const permi_coefficient *c)
{
  const permi_transversals *all = path->all;
  char *from = path->product + (size_t)k * all->size, *to = from + all->size;
  if (all->numbers.algebra == PERMI_COMPLEX_DD) {
    permi_dd *y = (permi_dd *)(void *)to;
    memcpy(to, from, all->size);
    permi_dd_multiply_complex(&y[0], &y[1], permi_dd_make(c->real), permi_dd_make(c->imaginary));
    y[2].hi *= c->absolute;
  } else {
    permi_value_add(all->numbers.algebra, &all->numbers, c, to, from, 1);
  }
}

/* Adds the product at a path's end. One whose moduli are below PERMI_TRANSVERSALS_SAFE is at most that, computed or
   true, as entries are at most 1; it counts as lost. */
static void permi_path_add(permi_matching_path *path, perm_partial *sums)
{
  const permi_transversals *all = path->all;
  const char *product = path->product + (size_t)all->n * all->size;
  sums->terms++;
  if (permi_algebra_is_integer(all->numbers.algebra)) {
    permi_value_add(all->numbers.algebra, &all->numbers, &all->one, path->sum, product, 0);
    return;
  }
  permi_value_sum(&all->numbers, product, sums);
  sums->lost += ((const double *)(const void *)(product + all->size))[-1] < PERMI_TRANSVERSALS_SAFE;
}

typedef struct permi_enumeration {
  const permi_transversals *all;
  permi_search search;
  size_t numbers, bytes;
  int *number;
  char *memory;
  perm_partial total;
} permi_enumeration;

static void permi_path_begin(permi_matching_path *path, const permi_enumeration *shared, uint64_t me)
{
  const permi_transversals *all = shared->all;
  const int vertices = 2 * all->n;
  int v;
  path->all = all;
  path->degree = shared->number + me * shared->numbers;
  path->next = path->degree + (vertices + 1);
  path->previous = path->next + (vertices + 1);
  path->alive = path->previous + (vertices + 1);
  path->vertex = path->alive + (vertices + 1);
  path->at = path->vertex + (all->n + 1);
  path->ways = (double *)(void *)(shared->memory + me * shared->bytes);
  path->product = (char *)(path->ways + all->n + 1);
  path->sum = path->product + (size_t)(all->n + 1) * all->size;
  for (v = 0; v <= vertices; v++) {
    path->degree[v] = v < vertices ? all->start[v + 1] - all->start[v] : 0;
    path->next[v] = v < vertices ? v + 1 : 0;
    path->previous[v] = v ? v - 1 : vertices;
    path->alive[v] = v < vertices;
  }
  path->ways[0] = 1;
  memset(path->product, 0, (size_t)(all->n + 2) * all->size);
  permi_value_one(&all->numbers, path->product);
  permi_path_level(path, 0);
}

static perm_status permi_enumeration_walk(void *context, uint64_t me, int thread)
{
  permi_enumeration *shared = (permi_enumeration *)context;
  const permi_transversals *all = shared->all;
  const int n = all->n, above = n + 1;
  const double seconds_each = all->seconds_each * shared->search.threads;
  uint64_t unit = 0, ticket = permi_search_ticket(&shared->search);
  permi_matching_path path;
  perm_partial mine;
  perm_status stop = PERM_OK;
  int k = 0, begin = shared->search.enough > 1 ? above : 0;
  uint32_t steps = 0;
  memset(&mine, 0, sizeof mine);
  permi_path_begin(&path, shared, me);
  while (k >= 0 && !stop) {
    const int u = path.vertex[k], end = all->start[u + 1];
    int e = path.at[k];
    if (e >= all->start[u]) {
      permi_path_move(&path, all->neighbour[e], 1);
      permi_path_move(&path, u, 1);
    }
    for (e++; e < end && !path.alive[all->neighbour[e]]; e++)
      ;
    path.at[k] = e;
    if (e == end) {
      begin = k == begin ? above : begin;
      k--;
      continue;
    }
    permi_path_match(&path, u, e);
    if (!path.dead && k < begin) {
      path.ways[k + 1] = path.ways[k] * path.degree[u];
      if (path.ways[k + 1] >= shared->search.enough || k + 1 == n) {
        if (unit++ != ticket)
          continue;
        ticket = permi_search_ticket(&shared->search);
        begin = k + 1;
      }
    }
    if (!path.dead) {
      permi_path_multiply(&path, k, &all->coefficient[all->edge[e]]);
      if (k + 1 == n) {
        permi_path_add(&path, &mine);
        begin = begin == n ? above : begin;
      } else {
        permi_path_level(&path, ++k);
      }
    }
    if ((++steps & 0xffff) == 0)
      stop = permi_search_poll(&shared->search, thread, mine.terms * seconds_each, "enumerating");
  }
  if (permi_algebra_is_integer(all->numbers.algebra))
    permi_value_sum(&all->numbers, path.sum, &mine);
  mine.chunks = 1;
  PERMI_OMP(critical(permi_enumeration_join))
  perm_partial_merge(&shared->total, &mine);
  return stop;
}

static perm_status permi_transversals_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_transversals *all = (const permi_transversals *)leaf->context;
  const size_t levels = (size_t)all->n + 1;
  permi_pool pool = {&all->owned.allocator, NULL, 0};
  permi_enumeration shared;
  perm_status status = PERM_ERROR_MEMORY;
  size_t threads;
  memset(&shared, 0, sizeof shared);
  shared.all = all;
  shared.search = permi_search_begin(leaf, control);
  shared.numbers = 4 * (2 * levels - 1) + 2 * levels + 16; /* 16, 64: no shared line of cache */
  shared.bytes = levels * (sizeof(double) + all->size) + all->size + 64;
  threads = (size_t)shared.search.threads;
  shared.number = (int *)permi_pool_get(&pool, threads, shared.numbers * sizeof(int));
  shared.memory = (char *)permi_pool_get(&pool, threads, shared.bytes);
  if (!pool.failed)
    status = permi_share((int)threads, 0, threads, permi_enumeration_walk, &shared, NULL);
  if (status == PERM_OK) {
    permi_sum_add(&partial->value, &shared.total.value);
    permi_sum_add(&partial->imaginary, &shared.total.imaginary);
    permi_sum_add(&partial->absolute, &shared.total.absolute);
    partial->lost += shared.total.lost * (8 * PERMI_TRANSVERSALS_SAFE);
    if (all->lost_error > 0)
      partial->lost += 2 * (DBL_MIN + all->lost_error);
    partial->terms += shared.total.terms;
  }
  permi_pool_release(&pool);
  return status;
}

static size_t permi_transversals_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_transversals *all = (const permi_transversals *)leaf->context;
  return permi_say(buffer, size,
                   "transversals, order %d: at most %.3g perfect matchings, terms in %s, predicted %.3g s\n",
                   leaf->information.n, all->most,
                   leaf->integer                               ? "integers"
                   : all->numbers.algebra == PERMI_COMPLEX_DD ? "complex double-doubles"
                                                               : "double-doubles",
                   leaf->information.seconds);
}

/* log2 of Minc and Bregman's bound [Bre73], by rows or columns. */
static double permi_block_matchings(const permi_block *block)
{
  double bits[2] = {0, 0};
  int v;
  for (v = 0; v < 2 * block->n; v++) {
    const permi_majorant line = {0, block->start[v + 1] - block->start[v], 0};
    bits[v >= block->n] += permi_majorant_bits(&line);
  }
  return permi_majorants_bits(bits);
}

static perm_status permi_transversals_offer(permi_maker *maker, const permi_block *block, double rival,
                                            permi_offer *offer)
{
  const permi_working *working = maker->working;
  const int n = block->n;
  const size_t vertices = 2 * (size_t)n, edges = (size_t)block->edges;
  const double most = exp2(permi_block_matchings(block)), each = PERMI_TRANSVERSALS_STEP * n;
  const double roundings = block->rounded ? permi_entry_roundings(working, working->n) : 0;
  permi_transversals *all;
  int k;
  if (most * each > rival || most * each > 1e300) /* the bound is mostly far too high */
    return permi_refuse(offer, PERM_ERROR_LIMIT, "may have %.3g perfect matchings, too many to enumerate", most);
  all = (permi_transversals *)permi_owned_new(&maker->options->allocator, sizeof *all);
  offer->plan = all;
  if (!all)
    return permi_fail_memory(maker->result);
  all->n = n;
  all->most = most;
  all->seconds_each = each;
  if (!permi_numbers_choose_moduli(&all->numbers, block, working->modulus, 1))
    return permi_refuse_long(offer);
  all->one = permi_coefficient_one();
  all->size = sizeof(double) * permi_numbers_words(&all->numbers);
  all->start = (int *)permi_pool_kept(&all->owned.pool, block->start, vertices + 1, sizeof(int));
  all->neighbour = (int *)permi_pool_kept(&all->owned.pool, block->neighbour, 2 * edges, sizeof(int));
  all->edge = (int *)permi_pool_kept(&all->owned.pool, block->edge, 2 * edges, sizeof(int));
  all->coefficient = (permi_coefficient *)permi_pool_get(&all->owned.pool, edges, sizeof *all->coefficient);
  if (all->owned.pool.failed)
    return permi_fail_memory(maker->result);
  for (k = 0; k < block->edges; k++)
    all->coefficient[k] = permi_coefficient_of(block, k, &all->numbers);
  all->bound_relative = (permi_gamma(roundings) + n * PERMI_DD_UNIT) / (1 - permi_gamma(n + roundings)) *
                        (1 + 8 * PERMI_UNIT);
  all->lost_error = working->lost_error;
  offer->seconds = 1e-6 + most * each;
  offer->bytes = 100.0 * n + (24.0 + sizeof(permi_coefficient)) * block->edges + (n + 2.0) * (8.0 + (double)all->size);
  return PERM_OK;
}

static perm_status permi_transversals_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                           permi_leaf *leaf)
{
  permi_transversals *all = (permi_transversals *)offer->plan;
  uint64_t hash = permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)all->numbers.words), all->numbers.modulus);
  int i, e, part;
  (void)maker;
  leaf->integer = block->integer != NULL;
  for (i = 0; i < all->n; i++)
    for (e = all->start[i]; e < all->start[i + 1]; e++) {
      const permi_coefficient *c = &all->coefficient[all->edge[e]];
      hash = permi_hash(hash, (uint64_t)i << 32 | (uint64_t)all->neighbour[e]);
      if (!leaf->integer)
        hash = permi_hash_double(permi_hash_double(hash, c->real), c->imaginary);
      for (part = 0; leaf->integer && part < all->numbers.parts; part++)
        hash = permi_hash(hash, (uint64_t)c->integer[part]);
    }
  leaf->information.work = all->most;
  leaf->information.fingerprint = hash;
  leaf->run_task = permi_transversals_task;
  leaf->explain = permi_transversals_explain;
  leaf->threaded = offer->seconds >= PERMI_WALK_SECONDS;
  if (!leaf->integer)
    leaf->bound_relative = leaf->estimate_relative = all->bound_relative;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
