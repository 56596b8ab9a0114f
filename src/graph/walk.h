/* ============================================================================================================ >>walk
   Blocks, and walks along elimination orders of their vertices, rows and columns mixed.
   Eliminating a vertex touches its neighbours; a vertex without neighbours left goes by itself. The frontier is what is
   touched and not eliminated. With a rows, b columns and d more columns than rows eliminated, it has at most sum_i
   C(a, i) C(b, i - d) = C(a + b, a - d) states of i rows and i - d columns matched. Where vertices may stay unmatched
   (>>rook, without binomials) there are 2^(a + b), with a number for each count of eliminated vertices matched.
   A step costs states after it * (1 + neighbours left / 2) + states before / 4, from real matrices. */
#pragma once
#include "../base/prices.h"
#include "../dense/kernels.h"
#include "../matrix/matrix.h"

#define PERMI_ORDER_WIDTH 512
#define PERMI_ORDER_MOST 1e60

typedef struct permi_block {
  int n, edges;                  /* rows, and columns except in >>rook */
  int vertices;
  int rounded;                   /* some entry is not the given one times a power of two */
  int *start, *neighbour, *edge; /* neighbours ascend */
  double *real, *absolute;       /* NULL unless used */
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

/* Planning may take PERMI_PLAN_SHARE of the predicted run, or PERMI_PLAN_SECONDS: units of permi_watch, not the
   clock. */
typedef struct permi_account {
  permi_control *watch;
  double begin;
  double run;   /* predicted, of planned blocks */
  double least; /* always granted */
  double floor; /* `least` for all blocks */
  double share;
  double most;  /* under a time limit */
} permi_account;

/* Returns the most for max_seconds, in powers of 2, so that runs, ranks and escalations plan alike. Jobs in pieces go
   on with one plan under other limits. */
static double permi_account_most(const perm_options *options)
{
  int log2_most;
  if (options->max_seconds == 0 || permi_in_pieces(options))
    return (double)INFINITY;
  (void)frexp(PERMI_PLAN_SHARE * options->max_seconds, &log2_most);
  return ldexp(0.5, log2_most);
}

static double permi_account_left(const permi_account *account, double seconds)
{
  return 1e9 * fmax(fmin(account->share * (account->run + seconds), account->most), account->least) -
         (account->watch->worked - account->begin);
}

/* Returns what an engine may use; later ones have PERMI_PLAN_REST. */
static double permi_account_free(const permi_account *account, double seconds)
{
  return permi_account_left(account, seconds) - 1e9 * PERMI_PLAN_REST * account->floor;
}

typedef struct permi_budget {
  double effort;
  double most; /* states in memory; others cost PERMI_ORDER_BEYOND times as much */
  double each, start;        /* predicted seconds: of a unit, fixed */
  double quick, quick_start; /* the same of arrays, */
  int quick_width;           /* up to this width */
  double rival;
  double reserve; /* units that a better rival needs */
  const int *first[2]; /* orders to begin with, or NULL */
  const permi_account *account;
} permi_budget;
#define PERMI_ORDER_BEYOND 16

static double permi_budget_seconds(const permi_budget *budget, double cost)
{
  return budget->start + fmin(cost * budget->each, cost * budget->quick + budget->quick_start);
}

static double permi_budget_left(const permi_budget *budget, double cost)
{
  const double seconds = permi_budget_seconds(budget, cost);
  return permi_account_free(budget->account, fmin(seconds, budget->rival)) -
         (seconds > budget->rival ? budget->reserve : 0);
}

static double permi_order_price(double states, double most)
{
  return states > most ? states + PERMI_ORDER_BEYOND * (states - most) : states;
}

typedef struct permi_walk {
  int *open;
  unsigned char *state; /* 0 untouched, 1 in the frontier, 2 gone */
  int *frontier, *place;
  int width[2], eliminated[2], widest;
  double peak;   /* states of the largest step */
  int unseen[2]; /* lines before are not untouched */
} permi_walk;

static void permi_walk_start(const permi_block *block, permi_walk *walk)
{
  int v;
  for (v = 0; v < block->vertices; v++)
    walk->open[v] = block->start[v + 1] - block->start[v];
  memset(walk->state, 0, (size_t)block->vertices);
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
    if (walk->open[t] == 0)
      permi_walk_leave(block, walk, t);
    else if (walk->state[t] == 0)
      permi_walk_touch(walk, t, other);
  }
}

static double permi_walk_states(const double *binomial, const permi_walk *walk)
{
  return permi_order_states(binomial, walk->width, walk->eliminated);
}

static double permi_order_cost(const permi_block *block, const double *binomial, permi_walk *walk,
                               const permi_budget *budget, const int *order)
{
  double cost = 0, states = 1;
  int p;
  permi_walk_start(block, walk);
  walk->peak = 1;
  for (p = 0; p < block->vertices && !permi_watch_step(budget->account->watch, (size_t)p, 100); p++) {
    const int v = order[p], open = walk->open[v];
    if (walk->state[v] == 2)
      continue;
    permi_walk_step(block, walk, v);
    cost += states / 4;
    states = permi_walk_states(binomial, walk);
    walk->peak = fmax(walk->peak, states);
    states = permi_order_price(states, budget->most);
    cost += states * (1 + 0.5 * open);
    if (walk->width[0] + walk->width[1] > walk->widest)
      walk->widest = walk->width[0] + walk->width[1];
  }
  return budget->account->watch->stopped == PERM_OK && walk->widest <= PERMI_ORDER_WIDTH ? cost : (double)INFINITY;
}
/* SPDX-License-Identifier: MIT */
