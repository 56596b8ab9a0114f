/* =================================================================================== >>transversals
   Enumeration of perfect matchings, for blocks so sparse that they have few. Depth first, always at the row or column
   with the fewest choices left: those with one are forced, and a choice that leaves some vertex without any is undone
   at once. Products are carried along the path, in double-double or in integers of as many words as the permanent can
   need, and every term is added exactly.

   THREADS. Every thread walks the top of the same search tree. A node is a unit when the choices along its path
   multiply up to `enough` for the first time, or when it is a complete matching before that. Units are numbered as the
   walk meets them, and a thread goes below one only when it holds the ticket with that number: nothing is stored, and
   sums that are exact do not depend on who adds what. */
#pragma once
#include "../frontier/steps_run.h"
#include "../frontier/streams.h"

#define PERMI_TRANSVERSALS_SAFE 1e-270 /* double-double products above it are what they are said to be */

/* Searches of trees by threads, here and in >>decompose. */
#define PERMI_WALK_UNITS 64     /* a thread, at least: they differ in size */
#define PERMI_WALK_RATE 4       /* a predicted second, at least: a thread that is left alone is not polled */
#define PERMI_WALK_MOST 1e5

static int permi_walk_threads(const permi_leaf *leaf, const permi_control *control)
{
  return control && leaf->threaded ? permi_threads(control->options) : 1;
}

/* The number of branches by which a node is a unit. 1: the root. */
static double permi_walk_enough(const permi_leaf *leaf, int threads)
{
  const double units = fmax((double)PERMI_WALK_UNITS * threads, PERMI_WALK_RATE * leaf->information.seconds);
  return threads > 1 ? fmin(units, PERMI_WALK_MOST) : 1;
}

typedef struct permi_transversals { /* context of a leaf */
  perm_allocator allocator;
  permi_algebra algebra; /* of integers, as in permi_frontier, with the next three */
  int words, parts;
  uint64_t modulus;
  int n, integers, is_complex;
  int *start, *neighbour, *edge; /* as in permi_block */
  double *real, *imaginary, *absolute; /* of an edge, at most 1 in modulus */
  int64_t *integer;                    /* parts of an edge */
  double most, seconds_each; /* bound on the matchings, seconds predicted for each */
  double bound_relative, lost_error;
} permi_transversals;

static void permi_transversals_release(const perm_allocator *allocator, void *context)
{
  permi_transversals *all = (permi_transversals *)context;
  if (!all)
    return;
  permi_release(allocator, all->start);
  permi_release(allocator, all->real);
  permi_release(allocator, all->integer);
  permi_release(allocator, all);
}

typedef struct permi_matching_path { /* where the search stands */
  const permi_transversals *all;
  int *degree, *next, *previous; /* choices left; the free vertices in a ring with 2 n as its head */
  int *alive;
  int *vertex, *at; /* of a level: the vertex matched there, and the entry with which */
  int levels, dead;
} permi_matching_path;

/* v leaves the graph (step -1), or comes back (1). */
static void permi_path_move(permi_matching_path *path, int v, int step)
{
  const permi_transversals *all = path->all;
  int e;
  path->alive[v] = step > 0;
  if (step < 0) {
    path->next[path->previous[v]] = path->next[v];
    path->previous[path->next[v]] = path->previous[v];
  } else {
    path->next[path->previous[v]] = v;
    path->previous[path->next[v]] = v;
  }
  for (e = all->start[v]; e < all->start[v + 1]; e++) {
    const int u = all->neighbour[e];
    if (path->alive[u]) {
      path->degree[u] += step;
      path->dead |= path->degree[u] == 0;
    }
  }
}

/* The free vertex with the fewest choices; -1: all are matched. */
static int permi_path_fewest(const permi_matching_path *path)
{
  const int head = 2 * path->all->n;
  int best = -1, v;
  for (v = path->next[head]; v != head; v = path->next[v])
    if (best < 0 || path->degree[v] < path->degree[best]) {
      best = v;
      if (path->degree[v] <= 1)
        break;
    }
  return best;
}

/* The products along a path, level by level; for integers word by word. */
typedef struct permi_path_products {
  permi_dd *re, *im;
  double *absolute;
  uint64_t *word, *sum; /* stride words a level */
} permi_path_products;

/* The products of level k + 1, with edge e. */
static void permi_path_multiply(const permi_transversals *all, permi_path_products *products, int k, int e)
{
  if (all->integers) {
    const size_t stride = (size_t)(all->words * all->parts);
    uint64_t *to = products->word + (size_t)(k + 1) * stride;
    int64_t c[2];
    c[0] = all->integer[(size_t)e * (size_t)all->parts];
    c[1] = all->parts == 2 ? all->integer[(size_t)e * 2 + 1] : 0;
    memset(to, 0, stride * sizeof *to);
    if (all->algebra == PERMI_RESIDUES)
      permi_residue_accumulate(all->modulus, all->parts, c, to, to - stride);
    else
      permi_words_accumulate(all->words, all->parts, c, to, to - stride);
    return;
  }
  products->re[k + 1] = products->re[k];
  products->im[k + 1] = products->im[k];
  if (all->is_complex)
    permi_dd_multiply_complex(&products->re[k + 1], &products->im[k + 1], permi_dd_make(all->real[e]),
                              permi_dd_make(all->imaginary[e]));
  else
    products->re[k + 1] = permi_dd_multiply(products->re[k], permi_dd_make(all->real[e]));
  products->absolute[k + 1] = products->absolute[k] * all->absolute[e];
}

/* Adds the term at the end of the path. One whose moduli come below PERMI_TRANSVERSALS_SAFE (they only fall, entries
   are at most 1) was and is at most that, computed or true, in either part; it counts as lost: `lost` is a count here,
   since sums of counts do not depend on their order. */
static void permi_path_add(const permi_transversals *all, permi_path_products *products, perm_partial *mine)
{
  const int n = all->n;
  mine->terms++;
  if (all->integers) {
    const size_t stride = (size_t)(all->words * all->parts);
    const int64_t one[2] = {1, 0};
    if (all->algebra == PERMI_RESIDUES)
      permi_residue_accumulate(all->modulus, all->parts, one, products->sum, products->word + (size_t)n * stride);
    else
      permi_words_accumulate(all->words, all->parts, one, products->sum, products->word + (size_t)n * stride);
    return;
  }
  permi_sum_add_double(&mine->value, products->re[n].hi);
  permi_sum_add_double(&mine->value, products->re[n].lo);
  if (all->is_complex) {
    permi_sum_add_double(&mine->imaginary, products->im[n].hi);
    permi_sum_add_double(&mine->imaginary, products->im[n].lo);
  }
  permi_sum_add_double(&mine->absolute, products->absolute[n]);
  if (products->absolute[n] < PERMI_TRANSVERSALS_SAFE)
    mine->lost++;
}

typedef struct permi_enumeration { /* what threads share */
  const permi_transversals *all;
  permi_control *control;
  int threads, stop; /* stop: a perm_status, written by the calling thread only */
  double enough;
  uint64_t next;      /* ticket */
  size_t numbers, cells; /* of a thread's memory */
  int *number;
  uint64_t *cell;
  perm_partial total;
  uint64_t *sum; /* of integers */
} permi_enumeration;

static uint64_t permi_enumeration_ticket(permi_enumeration *shared)
{
  uint64_t ticket;
  PERMI_OMP(atomic capture)
  ticket = shared->next++;
  return ticket;
}

/* What a thread found joins the rest. */
static void permi_enumeration_join(permi_enumeration *shared, const permi_path_products *products,
                                   const perm_partial *mine)
{
  const permi_transversals *all = shared->all;
  const int64_t one[2] = {1, 0};
  permi_sum_add(&shared->total.value, &mine->value);
  permi_sum_add(&shared->total.imaginary, &mine->imaginary);
  permi_sum_add(&shared->total.absolute, &mine->absolute);
  shared->total.lost += mine->lost;
  shared->total.terms += mine->terms;
  if (all->algebra == PERMI_RESIDUES && all->integers)
    permi_residue_accumulate(all->modulus, all->parts, one, shared->sum, products->sum);
  else if (all->integers)
    permi_words_accumulate(all->words, all->parts, one, shared->sum, products->sum);
}

/* The search by thread `me`. */
static void permi_enumeration_walk(permi_enumeration *shared, int me)
{
  const permi_transversals *all = shared->all;
  const int n = all->n, above = n + 1;
  const size_t vertices = 2 * (size_t)n, levels = (size_t)n + 1;
  const double seconds_each = all->seconds_each * shared->threads;
  int *number = shared->number + (size_t)me * shared->numbers;
  uint64_t *cell = shared->cell + (size_t)me * shared->cells, unit = 0, ticket = permi_enumeration_ticket(shared);
  double *ways = (double *)(void *)cell; /* of a level above the units: the choices on the path to it, multiplied */
  permi_matching_path path;
  permi_path_products products;
  perm_partial mine;
  int v, k = 0, begin = above, stop = 0; /* begin: the level where the present unit begins */
  uint32_t steps = 0;
  memset(&mine, 0, sizeof mine);
  memset(&products, 0, sizeof products);
  cell += levels;
  if (all->integers) {
    const size_t stride = (size_t)(all->words * all->parts);
    products.word = cell;
    products.sum = cell + levels * stride;
    memset(cell, 0, (levels + 1) * stride * sizeof(uint64_t));
    products.word[0] = 1;
  } else {
    products.re = (permi_dd *)(void *)cell;
    products.im = products.re + levels;
    products.absolute = (double *)(void *)(products.im + levels);
    products.re[0] = permi_dd_make(1);
    products.im[0] = permi_dd_make(0);
    products.absolute[0] = 1;
  }
  path.all = all;
  path.degree = number;
  path.next = number + (vertices + 1);
  path.previous = number + 2 * (vertices + 1);
  path.alive = number + 3 * (vertices + 1);
  path.vertex = number + 4 * (vertices + 1);
  path.at = path.vertex + levels;
  path.dead = 0;
  for (v = 0; v <= 2 * n; v++) {
    path.degree[v] = v < 2 * n ? all->start[v + 1] - all->start[v] : 0;
    path.next[v] = v < 2 * n ? v + 1 : 0;
    path.previous[v] = v ? v - 1 : 2 * n;
    path.alive[v] = v < 2 * n;
  }
  ways[0] = 1;
  if (shared->enough <= 1) /* one thread: the root is the only unit */
    begin = 0;
  path.vertex[0] = permi_path_fewest(&path);
  path.at[0] = all->start[path.vertex[0]] - 1;
  while (k >= 0 && !stop) { /* level k: its vertex, and the entry that it is matched by */
    const int u = path.vertex[k], end = all->start[u + 1];
    int e = path.at[k];
    if (e >= all->start[u]) { /* back from below */
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
    path.dead = 0;
    permi_path_move(&path, u, -1);
    path.dead = 0; /* its partner may have had no other choice */
    permi_path_move(&path, all->neighbour[e], -1);
    for (v = all->start[u]; v < end && !path.dead; v++) /* those that u left without any */
      path.dead = path.alive[all->neighbour[v]] && path.degree[all->neighbour[v]] == 0;
    if (!path.dead && k < begin) {
      const double product = ways[k] * path.degree[u];
      ways[k + 1] = product;
      if (product >= shared->enough || k + 1 == n) {
        if (unit++ != ticket)
          continue; /* another thread's */
        ticket = permi_enumeration_ticket(shared);
        begin = k + 1;
      }
    }
    if (!path.dead) {
      permi_path_multiply(all, &products, k, all->edge[e]);
      if (k + 1 == n) {
        permi_path_add(all, &products, &mine);
        begin = begin == n ? above : begin;
      } else {
        k++;
        path.vertex[k] = permi_path_fewest(&path);
        path.at[k] = all->start[path.vertex[k]] - 1;
      }
    }
    if ((++steps & 0xffff) == 0) {
      if (me == 0 && shared->control) {
        stop = (int)permi_control_poll(shared->control, mine.terms * seconds_each, "enumerating");
        if (stop) {
          PERMI_OMP(atomic write)
          shared->stop = stop;
        }
      } else if (me) {
        PERMI_OMP(atomic read)
        stop = shared->stop;
      }
    }
  }
  PERMI_OMP(critical(permi_walk_join))
  permi_enumeration_join(shared, &products, &mine);
}

/* THE BOUND. A term is a product of n entries, so n double-double operations (entries that were rounded before count as
   in >>steps), and their sum is exact. */
static perm_status permi_transversals_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_transversals *all = (const permi_transversals *)leaf->context;
  const perm_allocator *allocator = &all->allocator;
  const size_t vertices = 2 * (size_t)all->n, levels = (size_t)all->n + 1, stride = (size_t)(all->words * all->parts);
  permi_enumeration shared;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&shared, 0, sizeof shared);
  shared.all = all;
  shared.control = control;
  shared.threads = permi_walk_threads(leaf, control);
  shared.enough = permi_walk_enough(leaf, shared.threads);
  shared.numbers = 4 * (vertices + 1) + 2 * levels + 16; /* 16, 8: threads write no line of cache of each other's */
  shared.cells = levels + (all->integers ? (levels + 1) * stride : 5 * levels) + 8;
  shared.number = (int *)permi_allocate(allocator, (size_t)shared.threads, shared.numbers * sizeof(int));
  shared.cell = (uint64_t *)permi_allocate(allocator, (size_t)shared.threads * shared.cells + stride, sizeof(uint64_t));
  if (shared.number && shared.cell) {
    shared.sum = shared.cell + (size_t)shared.threads * shared.cells;
    memset(shared.sum, 0, stride * sizeof(uint64_t));
    PERMI_OMP(parallel num_threads(shared.threads) if (shared.threads > 1))
    {
      int me = 0;
#if defined(_OPENMP)
      me = omp_get_thread_num();
#endif
      permi_enumeration_walk(&shared, me);
    }
    status = (perm_status)shared.stop;
  }
  if (status == PERM_OK) {
    if (all->integers) {
      permi_frontier frontier;
      memset(&frontier, 0, sizeof frontier);
      frontier.algebra = all->algebra;
      frontier.words = all->words;
      permi_frontier_add_integer(&shared.total.value, shared.sum, &frontier);
      if (all->parts == 2)
        permi_frontier_add_integer(&shared.total.imaginary, shared.sum + all->words, &frontier);
    }
    permi_sum_add(&partial->value, &shared.total.value);
    permi_sum_add(&partial->imaginary, &shared.total.imaginary);
    permi_sum_add(&partial->absolute, &shared.total.absolute);
    partial->lost += shared.total.lost * (8 * PERMI_TRANSVERSALS_SAFE);
    if (all->lost_error > 0)
      partial->lost += 2 * (DBL_MIN + ldexp(all->lost_error, 0));
    partial->terms += shared.total.terms;
  }
  permi_release(allocator, shared.number);
  permi_release(allocator, shared.cell);
  return status;
}

static size_t permi_transversals_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_transversals *all = (const permi_transversals *)leaf->context;
  int length = snprintf(buffer, size,
                        "transversals, order %d: at most %.3g perfect matchings, terms in %s, predicted %.3g s\n",
                        leaf->information.n, all->most,
                        all->integers ? "integers" : all->is_complex ? "complex double-doubles" : "double-doubles",
                        leaf->information.seconds);
  return length > 0 ? (size_t)length : 0;
}

/* log2 of Minc and Bregman's bound on the matchings [Bre73], by rows or by columns. */
static double permi_block_matchings(const permi_block *block)
{
  double bits[2] = {0, 0};
  int v;
  for (v = 0; v < 2 * block->n; v++) {
    const int degree = block->start[v + 1] - block->start[v];
    bits[v >= block->n] += permi_log2_factorial(degree) / degree;
  }
  return (bits[0] < bits[1] ? bits[0] : bits[1]) * (1 + 1e-10) + 1e-6;
}

/* Measured, per matching and row (orders 24 and 30); the bound on their number is mostly far too high. */
#define PERMI_TRANSVERSALS_STEP 2.5e-8
static perm_status permi_transversals_offer(permi_maker *maker, const permi_block *block, double rival,
                                            permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const permi_working *working = maker->working;
  const int n = block->n;
  const double most = exp2(permi_block_matchings(block)), each = PERMI_TRANSVERSALS_STEP * n;
  const size_t edges = (size_t)block->edges;
  permi_transversals *all;
  int v, e;
  if (most * each > rival || most * each > 1e300) {
    permi_refuse(offer, PERM_ERROR_LIMIT, "may have %.3g perfect matchings, too many to enumerate", most);
    return PERM_OK;
  }
  all = (permi_transversals *)permi_allocate(allocator, 1, sizeof *all);
  if (!all)
    return permi_fail_memory(maker->result);
  memset(all, 0, sizeof *all);
  offer->plan = all;
  all->allocator = *allocator;
  all->n = n;
  all->parts = all->words = 1;
  all->most = most;
  all->seconds_each = each;
  all->is_complex = block->imaginary != NULL;
  all->integers = block->integer != NULL;
  if (block->integer) {
    permi_frontier kept;
    memset(&kept, 0, sizeof kept);
    if (!permi_frontier_integers(&kept, block, working->modulus)) {
      permi_refuse(offer, PERM_ERROR_OVERFLOW, "may have a permanent of over %d bits", 64 * PERM_INTEGER_WORDS);
      return PERM_OK;
    }
    all->algebra = kept.algebra;
    all->words = kept.words;
    all->parts = kept.parts;
    all->modulus = kept.modulus;
  }
  all->start = (int *)permi_allocate(allocator, 2 * (size_t)n + 1 + 4 * edges, sizeof(int));
  if (block->integer)
    all->integer = (int64_t *)permi_allocate(allocator, edges * (size_t)all->parts, sizeof(int64_t));
  else
    all->real = (double *)permi_allocate(allocator, 3 * edges, sizeof(double));
  if (!all->start || (!all->integer && !all->real))
    return permi_fail_memory(maker->result);
  all->neighbour = all->start + 2 * (size_t)n + 1;
  all->edge = all->neighbour + 2 * edges;
  memcpy(all->start, block->start, (2 * (size_t)n + 1) * sizeof(int));
  memcpy(all->neighbour, block->neighbour, 2 * edges * sizeof(int));
  memcpy(all->edge, block->edge, 2 * edges * sizeof(int));
  if (!block->integer) {
    all->absolute = all->real + edges;
    all->imaginary = block->imaginary ? all->absolute + edges : NULL;
  }
  for (v = 0; v < n; v++)
    for (e = block->start[v]; e < block->start[v + 1]; e++) {
      const int k = block->edge[e];
      if (block->integer) {
        int64_t *c = all->integer + (size_t)k * (size_t)all->parts;
        c[0] = block->integer[k];
        if (all->parts == 2)
          c[1] = block->imaginary_integer[k];
        if (all->algebra == PERMI_RESIDUES) {
          c[0] = permi_residue_of(c[0], all->modulus);
          if (all->parts == 2)
            c[1] = permi_residue_of(c[1], all->modulus);
        }
      } else {
        all->real[k] = block->real[k];
        all->absolute[k] = block->absolute[k];
        if (all->imaginary)
          all->imaginary[k] = block->imaginary[k];
      }
    }
  {
    const double roundings = block->rounded ? permi_entry_roundings(working, working->n) : 0;
    const double gamma = permi_gamma(roundings) + n * PERMI_DD_UNIT;
    all->bound_relative = gamma / (1 - permi_gamma(n + roundings)) * (1 + 8 * PERMI_UNIT);
    all->lost_error = working->lost_error;
  }
  offer->seconds = 1e-6 + most * each;
  offer->bytes = 100.0 * n + 80.0 * block->edges + 8.0 * (n + 2.0) * (block->integer ? all->words * all->parts : 5);
  return PERM_OK;
}

static perm_status permi_transversals_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                           permi_leaf *leaf)
{
  permi_transversals *all = (permi_transversals *)offer->plan;
  uint64_t hash = permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)all->words), all->modulus);
  int i, e, part;
  (void)maker;
  for (i = 0; i < all->n; i++)
    for (e = all->start[i]; e < all->start[i + 1]; e++) {
      const int k = all->edge[e];
      hash = permi_hash(hash, (uint64_t)i << 32 | (uint64_t)all->neighbour[e]);
      if (all->real)
        hash = permi_hash_double(permi_hash_double(hash, all->real[k]), all->imaginary ? all->imaginary[k] : 0);
      for (part = 0; all->integer && part < all->parts; part++)
        hash = permi_hash(hash, (uint64_t)all->integer[k * all->parts + part]);
    }
  leaf->information.kind = PERM_LEAF_TASK;
  leaf->information.method = PERM_METHOD_TRANSVERSALS;
  leaf->information.isa = PERM_ISA_PLAIN;
  leaf->information.n = block->n;
  leaf->information.chunks = 1;
  leaf->information.work = all->most;
  leaf->information.fingerprint = hash;
  leaf->threaded = offer->seconds >= PERMI_WALK_SECONDS;
  leaf->run_task = permi_transversals_task;
  leaf->release = permi_transversals_release;
  leaf->explain = permi_transversals_explain;
  leaf->context = all;
  offer->plan = NULL;
  leaf->integer = all->integers;
  if (!leaf->integer) {
    leaf->bound_relative = all->bound_relative;
    leaf->estimate_relative = all->bound_relative;
  }
  return PERM_OK;
}
