/* ========================================================================================== >>order
   Elimination orders of a block, rows and columns mixed: greedy starts, then simulated annealing.
   Eliminating a vertex touches its neighbours; a vertex without neighbours left goes by itself. The frontier is
   touched and not eliminated: with a rows, b columns and d more columns than rows eliminated, it has at most sum_i
   C(a, i) C(b, i - d) = C(a + b, a - d) states of i rows and i - d columns matched. Where vertices may stay unmatched
   (>>rook; no binomials are given) there are 2^(a + b), with a number for each count of eliminated vertices matched.
   A step costs states after it * (1 + neighbours left / 2) + states before / 4, from real matrices. Fixed seeds and
   predicted work: an order never varies. */
#pragma once
#include "../base/prices.h"
#include "../dense/kernels.h"
#include "../matrix/matrix.h"

#define PERMI_ORDER_WIDTH 512
#define PERMI_ORDER_MOST 1e60
#define PERMI_ORDER_START 1e45
/* Slower than the rival by this: not annealed, which gained 27x once (a Mycielski graph), else 1-4x. */
#define PERMI_ORDER_HOPELESS 2
#define PERMI_GREEDY_HOPELESS 10 /* to another greedy order, which gained up to 10x over three */
#define PERMI_GREEDY_LOOK 64
#define PERMI_GREEDY_PART 0.5 /* of the units at hand; the rest anneals */
#define PERMI_GREEDY_FAR 32    /* a kind so much dearer than the best is left after one round, */
#define PERMI_GREEDY_TRIED 3   /* after so many */
#define PERMI_GREEDY_BEHIND 4  /* at this */
#define PERMI_ORDER_ANNEAL 1024
#define PERMI_ANNEAL_HOT 0.07
#define PERMI_ANNEAL_WARM 0.03 /* after annealing; nothing better is found above */
#define PERMI_ANNEAL_COLD 0.001
#define PERMI_ANNEAL_SHORT 0.01 /* at first, of a few milliseconds */
#define PERMI_ANNEAL_ANYWHERE 4 /* one move in these */
#define PERMI_ANNEAL_MOST 8e8
#define PERMI_ANNEAL_FEW 3e4   /* units that gain nothing */
#define PERMI_ANNEAL_BRIEF 2.5e6
#define PERMI_ANNEAL_ROUNDS 1e7 /* fewer units are best spent at once, and warm (17 graphs) */
#define PERMI_ANNEAL_BEGIN 16 /* of the units at first: better orders deserve less */
#define PERMI_ANNEAL_PAYS 6   /* chosen: predicted gain of a round over its time, for one more of twice the time */
#define PERMI_ANNEAL_GAIN 3   /* gain in a round: seen up to 8 */
#define PERMI_ANNEAL_FALL 1.5 /* from a greedy start; 4 left too little (mycielskian:7: 2.9 s for 0.92) */

typedef struct permi_block {
  int n, edges;                  /* n: rows, and columns but in >>rook */
  int vertices;
  int rounded;                   /* some entry is not the given one times a power of two */
  int *start, *neighbour, *edge; /* neighbours ascend */
  double *real, *absolute;       /* of an edge; NULL unless used */
  double *imaginary;
  int64_t *integer;
  int64_t *imaginary_integer;
} permi_block;

static double permi_order_random(uint64_t *seed)
{
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  return (double)((*seed * UINT64_C(2685821657736338717)) >> 11) * (1.0 / 9007199254740992.0);
}

static int permi_order_below(uint64_t *seed, int limit)
{
  return (int)(permi_order_random(seed) * limit);
}

/* C(t, k) at t (t + 1) / 2 + k, for t up to 2 n. */
static double *permi_binomials(const perm_allocator *allocator, int n)
{
  const size_t most = n < PERMI_ORDER_WIDTH / 2 ? 2 * (size_t)n : PERMI_ORDER_WIDTH;
  double *c = (double *)permi_allocate(allocator, (most + 1) * (most + 2) / 2, sizeof *c);
  size_t t, k;
  for (t = 0; c && t <= most; t++)
    for (k = 0; k <= t; k++) {
      const double *above = c + t * (t - 1) / 2;
      c[t * (t + 1) / 2 + k] = k == 0 || k == t ? 1 : fmin(above[k - 1] + above[k], PERMI_ORDER_MOST);
    }
  return c;
}

/* width and gone: rows and columns of the frontier, and eliminated. */
static PERMI_ALWAYS_INLINE double permi_order_states(const double *binomial, const int *width, const int *gone)
{
  int t = width[0] + width[1], k = width[0] - (gone[1] - gone[0]);
  if (t > PERMI_ORDER_WIDTH)
    return PERMI_ORDER_MOST * t;
  if (!binomial)
    return fmin(ldexp(1 + (gone[0] < gone[1] ? gone[0] : gone[1]), t), PERMI_ORDER_MOST * t);
  return k < 0 || k > t ? 1 : binomial[t * (t + 1) / 2 + k];
}

/* Planning may take PERMI_PLAN_SHARE of the predicted run, or PERMI_PLAN_SECONDS, in units of permi_watch: no clock
   decides. */
typedef struct permi_account {
  permi_control *watch;
  double begin;
  double run;   /* predicted, of blocks already planned */
  double least; /* granted in any case */
  double floor; /* of `least`, for all blocks */
  double share;
} permi_account;

static double permi_account_left(const permi_account *account, double seconds)
{
  return 1e9 * fmax(account->share * (account->run + seconds), account->least) -
         (account->watch->worked - account->begin);
}

/* What is left for an engine, but PERMI_PLAN_REST for programs and later engines. */
static double permi_account_free(const permi_account *account, double seconds)
{
  return permi_account_left(account, seconds) - 1e9 * PERMI_PLAN_REST * account->floor;
}

typedef struct permi_budget {
  double effort;
  double most; /* states in memory; a state beyond costs PERMI_ORDER_BEYOND times as much */
  double each, start;        /* predicted seconds: of a unit of cost; fixed */
  double quick, quick_start; /* the same of arrays, which take over where they are quicker, */
  int quick_width;           /* up to this width */
  double rival;
  double reserve; /* units that the rival may need, if it is the better */
  const int *first[2]; /* orders to begin with, of a tree and of a glance; NULL: none */
  const permi_account *account;
} permi_budget;
#define PERMI_ORDER_BEYOND 16

static double permi_budget_seconds(const permi_budget *budget, double cost)
{
  return budget->start + fmin(cost * budget->each, cost * budget->quick + budget->quick_start);
}

static double permi_order_price(double states, double most)
{
  return states > most ? states + PERMI_ORDER_BEYOND * (states - most) : states;
}

typedef struct permi_walk {
  int *open;
  unsigned char *state; /* 0 untouched, 1 in the frontier, 2 eliminated */
  int *frontier, *place;
  int width[2], eliminated[2], widest;
  int unseen[2]; /* rows, columns before it are eliminated or touched */
} permi_walk;

static void permi_walk_start(const permi_block *block, permi_walk *walk)
{
  int v;
  for (v = 0; v < block->vertices; v++) {
    walk->open[v] = block->start[v + 1] - block->start[v];
    walk->state[v] = 0;
  }
  walk->width[0] = walk->width[1] = walk->eliminated[0] = walk->eliminated[1] = walk->widest = 0;
  walk->unseen[0] = 0;
  walk->unseen[1] = block->n;
}

static void permi_walk_leave(const permi_block *block, permi_walk *walk, int v)
{
  int side = v >= block->n;
  if (walk->state[v] == 1) {
    int last = walk->frontier[walk->width[0] + walk->width[1] - 1];
    walk->frontier[walk->place[v]] = last;
    walk->place[last] = walk->place[v];
    walk->width[side]--;
  }
  walk->state[v] = 2;
  walk->eliminated[side]++;
}

static void permi_walk_touch(permi_walk *walk, int t, int side)
{
  walk->state[t] = 1;
  walk->place[t] = walk->width[0] + walk->width[1];
  walk->frontier[walk->place[t]] = t;
  walk->width[side]++;
}

static void permi_walk_step(const permi_block *block, permi_walk *walk, int v)
{
  int e, other = v < block->n;
  permi_walk_leave(block, walk, v);
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    int t = block->neighbour[e];
    walk->open[t]--;
    if (walk->state[t] == 2)
      continue;
    if (walk->open[t] == 0) {
      permi_walk_leave(block, walk, t);
    } else if (walk->state[t] == 0) {
      permi_walk_touch(walk, t, other);
    }
  }
}

static double permi_walk_states(const double *binomial, const permi_walk *walk)
{
  return permi_order_states(binomial, walk->width, walk->eliminated);
}

/* A walk whose candidates, the touched and their neighbours, know what eliminating them does. An order costs about a
   step for each entry and a look at the candidates for each vertex. */
typedef struct permi_greedy {
  permi_walk walk;
  int kind;      /* candidates are rows (0), columns (1) or both (2) */
  int *growth;   /* of the frontier by a vertex's elimination; */
  int *near;     /* how near its neighbours come to leaving: 1 / (entries left) of each */
  int *next;     /* of a touched vertex: its first neighbour that is not listed yet */
  int *list, listed;
  unsigned char *mark; /* 1 listed, 2 in the order */
  double units;
} permi_greedy;

#define PERMI_GREEDY_NEAR 16 /* of more entries left as of so many */
static const short permi_greedy_near[PERMI_GREEDY_NEAR] = {0,   5040, 2520, 1680, 1260, 1008, 840, 720,
                                                           630, 560,  504,  458,  420,  388,  360, 336};

static int permi_greedy_near_of(int open)
{
  return permi_greedy_near[open < PERMI_GREEDY_NEAR ? open - 1 : PERMI_GREEDY_NEAR - 1];
}

static int permi_greedy_create(permi_pool *pool, const permi_block *block, permi_greedy *greedy)
{
  const size_t vertices = (size_t)block->vertices;
  int *numbers = (int *)permi_pool_get(pool, 7 * vertices, sizeof(int));
  greedy->walk.state = (unsigned char *)permi_pool_get(pool, 2 * vertices, 1);
  if (pool->failed)
    return 0;
  greedy->mark = greedy->walk.state + vertices;
  greedy->walk.open = numbers;
  greedy->walk.frontier = numbers + vertices;
  greedy->walk.place = numbers + 2 * vertices;
  greedy->growth = numbers + 3 * vertices;
  greedy->near = numbers + 4 * vertices;
  greedy->next = numbers + 5 * vertices;
  greedy->list = numbers + 6 * vertices;
  return 1;
}

static void permi_greedy_start(const permi_block *block, permi_greedy *greedy, permi_control *watch)
{
  const permi_walk *walk = &greedy->walk;
  int v, e;
  permi_walk_start(block, &greedy->walk);
  greedy->listed = 0;
  for (v = 0; v < block->vertices && !permi_watch_step(watch, (size_t)v, 10); v++) {
    int near = 0, growth = 0;
    for (e = block->start[v]; e < block->start[v + 1]; e++) {
      const int open = walk->open[block->neighbour[e]];
      growth += open > 1;
      near += permi_greedy_near_of(open);
    }
    greedy->growth[v] = growth;
    greedy->near[v] = near;
    greedy->next[v] = block->start[v] - 1;
    greedy->mark[v] = 0;
  }
  greedy->units = 2.0 * block->edges;
}

/* Lists a touched vertex and its neighbours, some only of a hub. */
static void permi_greedy_list(const permi_block *block, permi_greedy *greedy, int u)
{
  const int end = block->start[u + 1], first = greedy->listed;
  int e;
  for (e = greedy->next[u]; e < end && greedy->listed - first <= PERMI_GREEDY_LOOK; e++) {
    const int v = e < block->start[u] ? u : block->neighbour[e];
    if (greedy->mark[v] || greedy->walk.state[v] == 2 || (greedy->kind < 2 && (v >= block->n) != greedy->kind))
      continue;
    greedy->mark[v] = 1;
    greedy->list[greedy->listed++] = v;
  }
  greedy->units += 2.0 * (e - greedy->next[u]);
  greedy->next[u] = e;
}

/* Neighbour t of the eliminated vertex has an entry less. */
static void permi_greedy_lose(const permi_block *block, permi_greedy *greedy, int t)
{
  permi_walk *walk = &greedy->walk;
  const int open = --walk->open[t], touched = walk->state[t] == 0;
  int growth, near, e;
  if (open == 0) {
    permi_walk_leave(block, walk, t);
    return;
  }
  growth = touched + (open == 1);
  near = permi_greedy_near_of(open) - permi_greedy_near_of(open + 1);
  if (growth || near) {
    for (e = block->start[t]; e < block->start[t + 1]; e++) {
      greedy->growth[block->neighbour[e]] -= growth;
      greedy->near[block->neighbour[e]] += near;
    }
    greedy->units += 1.5 * (e - block->start[t]);
  }
  if (touched) {
    greedy->growth[t]--;
    permi_walk_touch(walk, t, t >= block->n);
    permi_greedy_list(block, greedy, t);
  }
}

static void permi_greedy_step(const permi_block *block, permi_greedy *greedy, int v)
{
  permi_walk *walk = &greedy->walk;
  const int growth = (walk->open[v] == 1) - (walk->state[v] == 0), near = permi_greedy_near_of(walk->open[v]);
  int e;
  permi_walk_leave(block, walk, v);
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int t = block->neighbour[e];
    greedy->growth[t] += growth;
    greedy->near[t] -= near;
    if (walk->state[t] != 2)
      permi_greedy_lose(block, greedy, t);
  }
  greedy->units += 60 + 8.0 * (e - block->start[v]);
}

/* The candidate that leaves the smallest frontier; of those the one whose neighbours are nearest to leaving, or any. */
static int permi_greedy_best(const permi_block *block, permi_greedy *greedy, int by_chance, uint64_t *seed)
{
  const permi_walk *walk = &greedy->walk;
  int best = -1, growth = INT_MAX, near = 0, ties = 0, kept = 0, i;
  for (i = 0; i < greedy->listed; i++) {
    const int v = greedy->list[i], grows = greedy->growth[v], comes = by_chance ? 0 : greedy->near[v];
    if (walk->state[v] == 2)
      continue;
    greedy->list[kept++] = v;
    if (grows > growth || (grows == growth && comes < near))
      continue;
    ties = grows == growth && comes == near ? ties + 1 : 1;
    growth = grows;
    near = comes;
    if (permi_order_below(seed, ties) == 0)
      best = v;
  }
  greedy->units += 3.0 * i;
  greedy->listed = kept;
  if (best >= 0)
    return best;
  for (i = 0; i < walk->width[0] + walk->width[1]; i++) /* hubs have more */
    permi_greedy_list(block, greedy, walk->frontier[i]);
  return greedy->listed ? permi_greedy_best(block, greedy, by_chance, seed) : -1;
}

/* Where an order begins: anywhere; and goes on where a component ends. */
static int permi_greedy_begin(const permi_block *block, permi_greedy *greedy, int length, uint64_t *seed)
{
  permi_walk *walk = &greedy->walk;
  const int n = block->n, kind = greedy->kind;
  int v;
  if (length == 0) {
    v = permi_order_below(seed, n);
    if (kind == 1 || (kind == 2 && permi_order_below(seed, 2)))
      v = n + (block->vertices == 2 * n ? v : v % (block->vertices - n));
    return v;
  }
  for (v = walk->unseen[kind == 1]; walk->state[v]; v++)
    ;
  walk->unseen[kind == 1] = v + 1;
  return v;
}

/* Writes an order, returns its cost. INFINITY: over `limit`, or stopped. */
static double permi_order_greedy(const permi_block *block, const double *binomial, permi_greedy *greedy, int kind,
                                 int by_chance, uint64_t *seed, const permi_budget *budget, double limit, int *order)
{
  permi_walk *walk = &greedy->walk;
  const int vertices = block->vertices;
  int length = 0, v;
  double cost = 0, states = 1, units;
  greedy->kind = kind;
  permi_greedy_start(block, greedy, budget->account->watch);
  while (walk->eliminated[0] + walk->eliminated[1] < vertices && cost <= limit) {
    const int width = walk->width[0] + walk->width[1];
    int open;
    units = greedy->units;
    greedy->units = 0;
    if (permi_watch(budget->account->watch, units))
      break;
    walk->widest = width > walk->widest ? width : walk->widest;
    if (width > PERMI_ORDER_WIDTH)
      return (double)INFINITY;
    v = width ? permi_greedy_best(block, greedy, by_chance, seed) : permi_greedy_begin(block, greedy, length, seed);
    open = walk->open[v];
    permi_greedy_step(block, greedy, v);
    greedy->mark[v] = 2;
    order[length++] = v;
    cost += states / 4;
    states = permi_order_price(permi_walk_states(binomial, walk), budget->most);
    cost += states * (1 + 0.5 * open);
  }
  if (cost > limit || walk->eliminated[0] + walk->eliminated[1] < vertices)
    return (double)INFINITY;
  for (v = 0; v < vertices; v++)
    if (greedy->mark[v] != 2)
      order[length++] = v;
  return cost;
}

/* The cost of an order of all vertices. */
static double permi_order_cost(const permi_block *block, const double *binomial, permi_walk *walk,
                               const permi_budget *budget, const int *order)
{
  double cost = 0, states = 1;
  int p;
  permi_walk_start(block, walk);
  for (p = 0; p < block->vertices && !permi_watch_step(budget->account->watch, (size_t)p, 100); p++) {
    const int v = order[p], open = walk->open[v];
    if (walk->state[v] == 2)
      continue;
    permi_walk_step(block, walk, v);
    cost += states / 4;
    states = permi_order_price(permi_walk_states(binomial, walk), budget->most);
    cost += states * (1 + 0.5 * open);
    if (walk->width[0] + walk->width[1] > walk->widest)
      walk->widest = walk->width[0] + walk->width[1];
  }
  return budget->account->watch->stopped == PERM_OK && walk->widest <= PERMI_ORDER_WIDTH ? cost : (double)INFINITY;
}

/* Before each position. Permuting positions i..j changes only those between: a move walks these until its cost exceeds
   what chance allows. */
typedef struct permi_positions {
  uint64_t *sets; /* bits: eliminated rows, columns, touched rows, columns */
  int *counts;    /* touched rows, columns, gone rows, columns */
  double *states, *cost;
} permi_positions;

typedef struct permi_anneal {
  const permi_block *block;
  const double *binomial;
  const permi_budget *budget;
  int words;
  uint64_t *adjacent;
  permi_positions now, trial;
  int *order, *candidate, *best;
  double units, told;
} permi_anneal;

/* Units of a position and of an open entry of its vertex, measured on orders 34 to 446. */
#define PERMI_ANNEAL_UNITS(words) (11 + 1.5 * (words))
#define PERMI_ANNEAL_ENTRY_UNITS(words) (3 + 0.5 * (words))
#define PERMI_ANNEAL_MOVE_UNITS 110 /* of a move, */
#define PERMI_ANNEAL_TAKEN_UNITS 40 /* more if taken; then for a permuted position, and one behind */
#define PERMI_ANNEAL_COPY_UNITS(words) (3.0 * (words))
#define PERMI_ANNEAL_SHIFT_UNITS 0.4

static PERMI_ALWAYS_INLINE void permi_anneal_step(permi_anneal *a, int words, int p, int v)
{
  const int n = a->block->n, side = v >= n, other = 1 - side, i = v - side * n, size = 4 * words;
  const permi_positions *trial = &a->trial;
  const uint64_t *from = trial->sets + (size_t)p * (size_t)size, *own = a->adjacent + (size_t)v * (size_t)words;
  const uint64_t *others = a->adjacent + (size_t)(other * n) * (size_t)words;
  uint64_t *to = trial->sets + (size_t)(p + 1) * (size_t)size;
  uint64_t *gone = to + side * words, *gone_other = to + other * words, *touched = to + (2 + side) * words;
  uint64_t *touched_other = to + (2 + other) * words;
  const int *count = trial->counts + 4 * (size_t)p;
  int *next = trial->counts + 4 * (size_t)(p + 1);
  int w, j, left = 0, dead = 0, fresh = 0;
  a->units += PERMI_ANNEAL_UNITS(words);
  for (w = 0; w < size; w++)
    to[w] = from[w];
  for (w = 0; w < 4; w++)
    next[w] = count[w];
  trial->states[p + 1] = trial->states[p];
  trial->cost[p + 1] = trial->cost[p];
  if (gone[i >> 6] >> (i & 63) & 1)
    return; /* went by itself before */
  gone[i >> 6] |= UINT64_C(1) << (i & 63);
  next[side] -= (int)(touched[i >> 6] >> (i & 63) & 1);
  touched[i >> 6] &= ~(UINT64_C(1) << (i & 63));
  for (w = 0; w < words; w++) {
    const uint64_t here = own[w] & ~gone_other[w], was = touched_other[w];
    uint64_t bits, going = 0;
    for (bits = here; bits; bits &= bits - 1) { /* no branch: half of them would be guessed wrong */
      const int k = permi_trailing_zeros(bits);
      const uint64_t *adjacent = others + (size_t)(64 * w + k) * (size_t)words;
      uint64_t alive = 0;
      for (j = 0; j < words; j++)
        alive |= adjacent[j] & ~gone[j];
      left++;
      dead += alive == 0;
      fresh += (alive != 0) - (int)(was >> k & 1);
      going |= (uint64_t)(alive == 0) << k;
    }
    touched_other[w] = (was | here) & ~going;
    gone_other[w] |= going;
  }
  a->units += PERMI_ANNEAL_ENTRY_UNITS(words) * left;
  next[other] += fresh;
  next[2 + side]++;
  next[2 + other] += dead;
  trial->states[p + 1] =
      permi_order_price(permi_order_states(a->binomial, next, next + 2), a->budget->most);
  trial->cost[p + 1] += 0.25 * trial->states[p] + trial->states[p + 1] * (1 + 0.5 * left);
}

static void permi_anneal_copy(const permi_anneal *a, permi_positions *to, const permi_positions *from, int first,
                              int last)
{
  const size_t size = 4 * (size_t)a->words, at = (size_t)first, count = (size_t)(last - first);
  memcpy(to->sets + at * size, from->sets + at * size, count * size * sizeof *to->sets);
  memcpy(to->counts + 4 * at, from->counts + 4 * at, 4 * count * sizeof *to->counts);
  memcpy(to->states + at, from->states + at, count * sizeof *to->states);
  memcpy(to->cost + at, from->cost + at, count * sizeof *to->cost);
}

static PERMI_ALWAYS_INLINE int permi_anneal_walk_words(permi_anneal *a, int words, const int *order, int from, int to,
                                                       double after, double limit)
{
  int p;
  for (p = from; p < to; p++) {
    permi_anneal_step(a, words, p, order[p]);
    if (a->trial.cost[p + 1] + after > limit)
      break;
  }
  return p;
}

static int permi_anneal_walk(permi_anneal *a, const int *order, int from, int to, double after, double limit)
{
  switch (a->words) {
  case 1: return permi_anneal_walk_words(a, 1, order, from, to, after, limit);
  case 2: return permi_anneal_walk_words(a, 2, order, from, to, after, limit);
  case 3: return permi_anneal_walk_words(a, 3, order, from, to, after, limit);
  case 4: return permi_anneal_walk_words(a, 4, order, from, to, after, limit);
  case 7: return permi_anneal_walk_words(a, 7, order, from, to, after, limit);
  case 8: return permi_anneal_walk_words(a, 8, order, from, to, after, limit);
  default: return permi_anneal_walk_words(a, a->words, order, from, to, after, limit);
  }
}

static int permi_anneal_watch(permi_anneal *a)
{
  const double units = a->units - a->told;
  a->told = a->units;
  return permi_watch(a->budget->account->watch, units);
}

static double permi_anneal_left(const permi_budget *budget, double cost)
{
  const double seconds = permi_budget_seconds(budget, cost);
  return permi_account_free(budget->account, fmin(seconds, budget->rival)) -
         (seconds > budget->rival ? budget->reserve : 0);
}

/* Where a move of a span begins: mostly about a position met with the chance of its cost, at times anywhere. */
static int permi_anneal_first(const permi_anneal *a, int span, uint64_t *seed)
{
  const int most = a->block->vertices - span;
  const double *cost = a->now.cost;
  int low = 0, high = a->block->vertices, first;
  double at;
  if (permi_order_below(seed, PERMI_ANNEAL_ANYWHERE) == 0)
    return permi_order_below(seed, most);
  at = permi_order_random(seed) * cost[high];
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (cost[middle] <= at)
      low = middle;
    else
      high = middle;
  }
  first = low - permi_order_below(seed, span + 1);
  return first < 0 ? 0 : first < most ? first : most - 1;
}

/* Anneals a->order into a->best, returns its cost; ends early once a better order deserves less. */
#define PERMI_ANNEAL_STEPS 2048
static double permi_anneal_run(permi_anneal *a, double hot, double units, uint64_t *seed)
{
  int length = a->block->vertices, p, words = a->words;
  double best, total, heat = hot, end = a->units + units, step = units / PERMI_ANNEAL_STEPS;
  const double cooling = pow(PERMI_ANNEAL_COLD / hot, 1.0 / PERMI_ANNEAL_STEPS);
  permi_positions *now = &a->now, *trial = &a->trial;
  double cooler = a->units + step;
  memset(trial->sets, 0, 4 * (size_t)words * sizeof *trial->sets);
  memset(trial->counts, 0, 4 * sizeof *trial->counts);
  trial->states[0] = 1;
  trial->cost[0] = 0;
  permi_anneal_walk(a, a->order, 0, length, 0, (double)INFINITY);
  permi_anneal_copy(a, now, trial, 0, length + 1);
  memcpy(a->best, a->order, (size_t)length * sizeof *a->order);
  best = total = now->cost[length];
  while (a->units < end) {
    int span = 1 + permi_order_below(seed, permi_order_below(seed, 8) ? (length < 12 ? length - 1 : 11) : length - 1);
    int first = permi_anneal_first(a, span, seed), last = first + span, kind = permi_order_below(seed, 4), k;
    double chance = permi_order_random(seed), mantissa, limit, shift, after = now->cost[length] - now->cost[last + 1];
    int *candidate = a->candidate;
    const int *order = a->order;
    a->units += PERMI_ANNEAL_MOVE_UNITS;
    for (; a->units > cooler; cooler += step)
      heat *= cooling;
    if (a->units > a->told + PERMI_WATCH_UNITS && permi_anneal_watch(a))
      break;
    /* exp(-(new - old) / (heat old)) > chance, with log2 linear between powers: equal on every machine */
    mantissa = frexp(chance + 1e-9, &k);
    limit = total * (1 + heat * (2 - 2 * mantissa - k));
    for (k = first; k <= last; k++)
      candidate[k] = order[k];
    if (kind == 0) {
      candidate[first] = order[last];
      candidate[last] = order[first];
    } else if (kind == 1) {
      for (k = first; k <= last; k++)
        candidate[k] = order[first + last - k];
    } else if (kind == 2) {
      for (k = first; k < last; k++)
        candidate[k] = order[k + 1];
      candidate[last] = order[first];
    } else {
      for (k = first; k < last; k++)
        candidate[k + 1] = order[k];
      candidate[first] = order[last];
    }
    permi_anneal_copy(a, trial, now, first, first + 1);
    if (permi_anneal_walk(a, candidate, first, last + 1, after, limit) <= last)
      continue;
    total = trial->cost[last + 1] + after;
    shift = trial->cost[last + 1] - now->cost[last + 1];
    a->units += PERMI_ANNEAL_TAKEN_UNITS + PERMI_ANNEAL_COPY_UNITS(words) * (span + 1) +
                PERMI_ANNEAL_SHIFT_UNITS * (length - last);
    permi_anneal_copy(a, now, trial, first + 1, last + 2);
    memcpy(a->order + first, candidate + first, (size_t)(span + 1) * sizeof *candidate);
    for (p = last + 2; shift != 0 && p <= length; p++)
      now->cost[p] += shift;
    if (total < best * (1 - 1e-9)) {
      double left;
      best = total;
      memcpy(a->best, a->order, (size_t)length * sizeof *a->order);
      permi_anneal_watch(a);
      left = fmax(permi_anneal_left(a->budget, best), 0);
      if (end - a->units > left) {
        step *= left / (end - a->units);
        end = a->units + left;
        cooler = fmin(cooler, a->units + step);
      }
    }
  }
  permi_anneal_watch(a);
  return best;
}

static double permi_order_seconds(const permi_block *block, double cost)
{
  return cost * PERMI_STATE_SECONDS + block->vertices * PERMI_STEP_SECONDS;
}

/* Units that an order of that cost is worth, less if behind its rival. A cost falls as units^-0.16 on 17 graphs, which
   sets the share of short runs; long ones have the account's. */
static double permi_anneal_units(double cost, const permi_budget *budget)
{
  const double alone = permi_budget_seconds(budget, cost), rival = budget->rival, seconds = fmin(alone, rival);
  double units;
  if (!(cost < 1e300) || alone > PERMI_ORDER_HOPELESS * rival || alone > PERMI_ORDER_FORGET_SECONDS)
    return 0;
  units = 1e9 * fmin(1, PERMI_ANNEAL_GAIN * rival / alone) *
          fmax(PERMI_ANNEAL_SHARE * seconds,
               fmin(PERMI_ANNEAL_SHORT_SHARE * fmin(alone - permi_budget_seconds(budget, 0), rival),
                    PERMI_ANNEAL_LEAST));
  return fmin(units, PERMI_ANNEAL_MOST) * (budget->effort < 1 ? budget->effort : 1);
}

/* Is another greedy order worth its time? The first of each kind tell little: others of the graph are up to 1000 times
   as quick. */
static int permi_greedy_pays(const permi_budget *budget, double begin, double cost, int first)
{
  const double seconds = permi_budget_seconds(budget, cost), spent = budget->account->watch->worked - begin;
  const double share = seconds < budget->rival ? PERMI_GREEDY_SHARE : PERMI_GREEDY_BEHIND_SHARE;
  if (!(cost < 1e300)) /* no order yet */
    return spent < 1e9 * share * budget->rival;
  return (first || seconds < PERMI_GREEDY_HOPELESS * budget->rival) &&
         spent < 1e9 * (first ? fmax(share, 3 * PERMI_GREEDY_BEHIND_SHARE) : share) * fmin(seconds, budget->rival) &&
         spent < PERMI_GREEDY_PART * (permi_anneal_left(budget, cost) + spent);
}

static int permi_positions_get(permi_pool *pool, size_t count, size_t words, permi_positions *positions)
{
  positions->sets = (uint64_t *)permi_pool_get(pool, count * 4 * words, sizeof(uint64_t));
  positions->counts = (int *)permi_pool_get(pool, count * 4, sizeof(int));
  positions->states = (double *)permi_pool_get(pool, count, sizeof(double));
  positions->cost = (double *)permi_pool_get(pool, count, sizeof(double));
  return !pool->failed;
}

static int permi_anneal_create(permi_pool *pool, const permi_block *block, const double *binomial,
                               const permi_budget *budget, permi_anneal *a)
{
  const size_t n = (size_t)block->n, vertices = (size_t)block->vertices;
  const size_t words = ((n > vertices - n ? n : vertices - n) + 63) / 64;
  int v, e;
  memset(a, 0, sizeof *a);
  a->block = block;
  a->binomial = binomial;
  a->budget = budget;
  a->words = (int)words;
  a->adjacent = (uint64_t *)permi_pool_get(pool, vertices * words, sizeof(uint64_t));
  a->order = (int *)permi_pool_get(pool, 3 * vertices, sizeof(int));
  if (!permi_positions_get(pool, vertices + 1, words, &a->now) ||
      !permi_positions_get(pool, vertices + 1, words, &a->trial))
    return 0;
  a->candidate = a->order + vertices;
  a->best = a->order + 2 * vertices;
  memset(a->adjacent, 0, vertices * words * sizeof(uint64_t));
  for (v = 0; v < block->vertices; v++)
    for (e = block->start[v]; e < block->start[v + 1]; e++) {
      int k = block->neighbour[e] - (v < block->n ? block->n : 0);
      a->adjacent[(size_t)v * words + (size_t)(k >> 6)] |= UINT64_C(1) << (k & 63);
    }
  return 1;
}

static void permi_order_anneal(permi_anneal *anneal, const int *from, double hot, double units, uint64_t *seed,
                               int *order, double *cost)
{
  const size_t bytes = (size_t)anneal->block->vertices * sizeof *order;
  double annealed;
  memcpy(anneal->order, from, bytes);
  annealed = permi_anneal_run(anneal, hot, units, seed);
  if (annealed < *cost) {
    *cost = annealed;
    memcpy(order, anneal->best, bytes);
  }
}

/* Writes a permutation of the 2 n vertices and its cost (INFINITY: hopeless). 0: out of memory. */
#define PERMI_GREEDY_STARTS 100
static int permi_order(const perm_allocator *allocator, const permi_block *block, const double *binomial,
                       const permi_budget *given, int *order, double *cost)
{
  permi_budget prices = *given;
  const permi_budget *budget = &prices;
  const int n = block->n, starts = n > 2000 || given->effort == 0 ? 1 : n < 8 ? 2 : PERMI_GREEDY_STARTS;
  const double begin = budget->account->watch->worked;
  int kind, start, k, pays = 1, ok = 0;
  const size_t vertices = (size_t)block->vertices;
  uint64_t seed = UINT64_C(88172645463325252);
  double best_of[3] = {(double)INFINITY, (double)INFINITY, (double)INFINITY}, spent, round, most = PERMI_ORDER_START;
  permi_pool room = {allocator, NULL, 0};
  int *numbers = (int *)permi_pool_get(&room, 4 * vertices, sizeof(int)), *trial = numbers + 3 * vertices;
  permi_greedy greedy;
  permi_anneal anneal;
  *cost = (double)INFINITY;
  if (!permi_greedy_create(&room, block, &greedy))
    goto done;
  if (n > PERM_MAX_N) /* the rival's price of smaller blocks may be too hopeful */
    most = fmin(most, 7 * PERMI_ORDER_HOPELESS * budget->rival / budget->quick);
  for (k = 0; k < 2; k++) {
    const double first = budget->first[k] ? permi_order_cost(block, binomial, &greedy.walk, budget, budget->first[k])
                                          : (double)INFINITY;
    if (first < *cost) {
      *cost = first;
      memcpy(order, budget->first[k], vertices * sizeof *order);
      prices.quick = greedy.walk.widest > given->quick_width ? given->each : given->quick;
    }
  }
  for (start = budget->first[1] != NULL; start < starts; start++)
    for (kind = 0; kind < 3 && pays; kind++) {
      const double limit = fmin(start < PERMI_GREEDY_TRIED ? best_of[kind] : *cost, most);
      double trial_cost;
      if (best_of[kind] > (start < PERMI_GREEDY_TRIED ? PERMI_GREEDY_FAR : PERMI_GREEDY_BEHIND) * *cost && best_of[kind] < (double)INFINITY)
        continue;
      trial_cost = permi_order_greedy(block, binomial, &greedy, kind, start % 2, &seed, budget, limit, trial);
      if (trial_cost < best_of[kind]) {
        best_of[kind] = trial_cost;
        memcpy(numbers + (size_t)kind * vertices, trial, vertices * sizeof *trial);
      }
      if (trial_cost < *cost) {
        *cost = trial_cost;
        memcpy(order, trial, vertices * sizeof *trial);
        prices.quick = greedy.walk.widest > given->quick_width ? given->each : given->quick;
      }
      pays = permi_greedy_pays(budget, begin, *cost, start < 2);
    }
  pays = 0;
  ok = 1;
  round = fmin(permi_anneal_units(*cost, budget), permi_anneal_left(budget, *cost));
  if (round < PERMI_ANNEAL_FEW || n > PERMI_ORDER_ANNEAL || n < 3)
    goto done;
  ok = permi_anneal_create(&room, block, binomial, budget, &anneal);
  if (!ok)
    goto done;
  if (round < PERMI_ANNEAL_ROUNDS) {
    permi_order_anneal(&anneal, order, round < PERMI_ANNEAL_BRIEF ? PERMI_ANNEAL_SHORT : PERMI_ANNEAL_WARM, round, &seed,
                       order, cost);
    goto done;
  }
  permi_order_anneal(&anneal, order, PERMI_ANNEAL_HOT, permi_anneal_units(*cost, budget) / PERMI_ANNEAL_BEGIN, &seed,
                     order, cost);
  /* Rounds double, as slower cooling mostly helps. What paid well goes on. */
  for (spent = 0; (pays || spent < budget->effort) && budget->account->watch->stopped == PERM_OK; spent += round) {
    const double before = *cost, units_before = budget->account->watch->worked;
    int ran = 0;
    round = spent > 1 ? spent : 1;
    if (!pays)
      round = fmin(round, budget->effort < 1 ? 1 : ceil(budget->effort - spent));
    for (k = 0; k < 4 && budget->account->watch->stopped == PERM_OK; k++) {
      const double left = permi_anneal_left(budget, *cost / (k < 3 ? PERMI_ANNEAL_FALL : PERMI_ANNEAL_GAIN));
      const double units = fmin(round * permi_anneal_units(*cost, budget), left);
      if (units < 6 * PERMI_ANNEAL_FEW)
        continue;
      ran = 1;
      if (k == 3)
        permi_order_anneal(&anneal, order, PERMI_ANNEAL_WARM, units / 2, &seed, order, cost);
      else if (best_of[k] < (double)INFINITY)
        permi_order_anneal(&anneal, numbers + (size_t)k * vertices, PERMI_ANNEAL_HOT, units / 6, &seed, order,
                           cost);
    }
    pays = ran && budget->effort >= 1 &&
           (1e9 * (permi_budget_seconds(budget, before) - permi_budget_seconds(budget, *cost)) >
                PERMI_ANNEAL_PAYS * (budget->account->watch->worked - units_before) ||
            permi_anneal_left(budget, *cost) > budget->account->watch->worked - begin);
  }
done:
  permi_pool_release(&room);
  return ok;
}
/* SPDX-License-Identifier: MIT */
