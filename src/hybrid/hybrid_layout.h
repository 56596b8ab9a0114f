/* ================================================================================== >>hybrid_layout
   Glynn's sum over columns' signs d,
       per A = 2^-(n-1) sum over d, d_last = +1, of prod_j d_j prod_i y_i(d),   y = A d,
   runs over outer columns. Inner columns are eliminated [Dec99]: a row is a table over the signs of its inner columns,
   and the product of the tables with an inner column is folded, f = f[+] - f[-]. Outer signs only shift the rows'
   bases, so one straight program serves vectors of patterns.

     slots       a number for each lane: n bases, then tables; bit b of an index is the sign of the b-th column
     constants   signed sums of a row's inner entries; row sum y = base + constant, exact on the grid of >>dense
     instructions  runs of statements; the factor with fewer columns is held for a group
     columns     inner | low, then high: a loop in Gray order, low ones run what they change | lanes | one fixed + */
#pragma once
#include "../frontier/values.h"
#include "../graph/order.h"
#include "../graph/vectors.h"

typedef struct permi_arrangement {
  int transposed, inner, low;
  int order[64]; /* inner ones as eliminated, then outer ones from the fastest */
} permi_arrangement;

/* Prices, in a load, a product and a store. */
#define PERMI_WEIGHT_ROWS 1.0
#define PERMI_WEIGHT_FOLD 1.4
#define PERMI_WEIGHT_CHAIN 0.6
#define PERMI_HYBRID_SLOT_BUDGET 500
#define PERMI_HYBRID_KEPT_BUDGET 2000
#define PERMI_HYBRID_LOOK 6 /* columns compared */
#define PERMI_GPU_LOOK 12
#define PERMI_GPU_WEIGHT_FOLD 2.5 /* an fma of three registers takes a slot and a half */
#define PERMI_GPU_STATEMENTS 3000 /* programs of 4000 take a third longer */
#define PERMI_GPU_LEAST_OUTER (PERM_GPU_THREADS_LOG2 + 2)

typedef struct permi_hybrid_factor {
  uint32_t scope, dirty;
  int node;
} permi_hybrid_factor;

typedef enum permi_node_kind { PERMI_NODE_ROW, PERMI_NODE_MERGE, PERMI_NODE_FOLD, PERMI_NODE_CHAIN } permi_node_kind;
typedef struct permi_hybrid_node { /* right < 0: folds left only */
  permi_node_kind kind;
  int left, right;
  uint32_t all, scope, dirty; /* columns of the operands, of the result; low ones */
  int items; /* of the chain, of which there is one */
  int slot, persists; /* slot: of a row its first constant */
  int growth, halved, whole; /* see >>hybrid_program; whole: values are the numbers themselves */
  double size;               /* a bound on them */
} permi_hybrid_node;

#define PERMI_HYBRID_NODES 320
typedef struct permi_layouts {
  int n, budget, nodes, record;
  int gpu, most_low; /* gpu: prices of >>programs */
  int keeps;         /* 1: no slot is used again: >>derive_hybrid */
  int line_exp2[2][64];
  uint64_t column[2][64];
  int degree[2][64];
  double power[PERMI_HYBRID_INNER + 2], rate[1 << PERMI_HYBRID_LOW];
  permi_hybrid_factor factor[128];
  permi_hybrid_node node[PERMI_HYBRID_NODES]; /* n rows, then tables and chains */
  int item[192];
  double rows_a_step, units, calls, speed, rival;
  permi_arrangement first[2]; /* by orientation */
  double first_cost[2];       /* 0: not made */
  const permi_account *account;
  double scaled[PERM_MAX_N * PERM_MAX_N * 2];
} permi_layouts;

static void permi_layouts_make(permi_layouts *work, const permi_block *block)
{
  const int n = block->n;
  memset(work, 0, sizeof *work);
  work->n = n;
  for (int i = 0; i < n; i++)
    for (int e = block->start[i]; e < block->start[i + 1]; e++) {
      const int j = block->neighbour[e] - n;
      work->column[0][j] |= UINT64_C(1) << i;
      work->column[1][i] |= UINT64_C(1) << j;
      work->degree[0][j]++;
      work->degree[1][i]++;
    }
  for (int k = 0; k < PERMI_HYBRID_INNER + 2; k++)
    work->power[k] = ldexp(1, k);
}

static int permi_layout_node(permi_layouts *work, permi_node_kind kind, int left, int right, uint32_t all,
                             uint32_t scope, uint32_t dirty)
{
  const permi_hybrid_node node = {kind, left, right, all, scope, dirty, 0, 0, 0, 0, 0, 0, 0};
  if (!work->record)
    return work->n;
  work->node[work->n + work->nodes] = node;
  return work->n + work->nodes++;
}

/* Returns what a row's constants cost: on a CPU they are operands. */
static double permi_layout_row(const permi_layouts *work, const permi_hybrid_factor *f)
{
  return work->gpu && f->node < work->n ? work->power[permi_count_ones(f->scope)] : 0;
}

typedef struct permi_layout_sum {
  double cost, rows, live, most;
} permi_layout_sum;

static void permi_layout_replace(const permi_layouts *work, permi_layout_sum *sum, const permi_hybrid_factor *a,
                                 const permi_hybrid_factor *b, uint32_t dirty, double here)
{
  const double waiting = work->gpu ? 0.75 : 1;
  const double after = sum->live + waiting * here;
  sum->most = after > sum->most ? after : sum->most;
  if (work->keeps)
    b = NULL;
  else if (a->node >= work->n && a->dirty == dirty)
    sum->live -= work->power[permi_count_ones(a->scope)];
  if (b && b->node >= work->n && b->dirty == dirty)
    sum->live -= work->power[permi_count_ones(b->scope)];
  sum->live += here;
}

static double permi_layout_price(const permi_layouts *work, uint32_t scope, uint32_t dirty)
{
  return work->power[permi_count_ones(scope)] * work->rate[dirty];
}

static int permi_layout_merge(permi_layouts *work, permi_layout_sum *sum, permi_hybrid_factor *taken, int count)
{
  const int n = work->n;
  double own[64 + PERMI_HYBRID_INNER], floor = 0;
  for (int i = 0; i < count && count > 2; i++)
    own[i] = permi_layout_price(work, taken[i].scope, taken[i].dirty);
  while (count > 2) {
    double least = 1e300;
    int a = 0, b = 1;
    work->units += 20 + 1.2 * count * count;
    for (int i = 0; i < count && least > floor; i++) /* unions grow */
      for (int j = i + 1; j < count && own[i] < least; j++)
        if (own[j] < least) {
          const double here =
              permi_layout_price(work, taken[i].scope | taken[j].scope, taken[i].dirty | taken[j].dirty);
          if (here < least) {
            least = here;
            a = i;
            b = j;
          }
        }
    floor = least;
    const int second = taken[a].node < n && taken[b].node >= n;
    const permi_hybrid_factor *left = &taken[second ? b : a], *right = &taken[second ? a : b];
    permi_hybrid_factor result = {left->scope | right->scope, left->dirty | right->dirty, 0};
    sum->rows += least * ((left->node < n) + (right->node < n));
    sum->cost += least * (left->node < n ? PERMI_WEIGHT_ROWS : 1);
    sum->cost += permi_layout_row(work, left) + permi_layout_row(work, right);
    permi_layout_replace(work, sum, left, right, result.dirty, work->power[permi_count_ones(result.scope)]);
    result.node = permi_layout_node(work, PERMI_NODE_MERGE, left->node, right->node, result.scope, result.scope,
                                    result.dirty);
    taken[a] = result;
    own[a] = least;
    taken[b] = taken[--count];
    own[b] = own[count];
  }
  return count;
}

static permi_hybrid_factor permi_layout_fold(permi_layouts *work, permi_layout_sum *sum, permi_hybrid_factor *taken,
                                             int count, uint32_t bit)
{
  const int n = work->n;
  const int turned = count == 2 && taken[0].node < n;
  permi_hybrid_factor *first = &taken[turned], *second = count == 2 ? &taken[!turned] : NULL, result = *first;
  if (second) {
    result.scope |= second->scope;
    result.dirty |= second->dirty;
  }
  const double rate = work->rate[result.dirty];
  const double here = work->power[permi_count_ones(result.scope) - 1];
  sum->cost += rate * here * (!second ? 1 : work->gpu ? PERMI_GPU_WEIGHT_FOLD : PERMI_WEIGHT_FOLD);
  if (second)
    sum->cost += permi_layout_row(work, second);
  if (first->node < n) {
    const double table = permi_layout_price(work, first->scope, first->dirty);
    sum->cost += table;
    sum->rows += table;
    if (work->record)
      first->node = permi_layout_node(work, PERMI_NODE_MERGE, first->node, -1, first->scope, first->scope,
                                    first->dirty);
  }
  if (second)
    sum->rows += rate * here * 2 * (second->node < n);
  permi_layout_replace(work, sum, first, second, result.dirty, here);
  result.node = permi_layout_node(work, PERMI_NODE_FOLD, first->node, second ? second->node : -1, result.scope,
                                  result.scope & ~bit, result.dirty);
  result.scope &= ~bit;
  return result;
}

/* Returns weighted statements, or more than `limit`. The factors of an inner column are merged, the cheapest pair
   first; the last two are folded. */
static double permi_layout_cost(permi_layouts *work, const permi_arrangement *layout, double limit, int record)
{
  const int n = work->n, inner = layout->inner, low = layout->low, *order = layout->order;
  const uint64_t *column = work->column[layout->transposed];
  const int *degree = work->degree[layout->transposed];
  permi_hybrid_factor *factor = work->factor, scalar[64 + PERMI_HYBRID_INNER], taken[64 + PERMI_HYBRID_INNER], result;
  permi_layout_sum sum = {1, 0, work->gpu ? 0.0 : n, 0};
  int i, k, chain, factors = 0, scalars = 0;
  double outer = 0.5;
  uint32_t scope[64] = {0}, dirty[64] = {0};
  work->record = record;
  work->nodes = 0;
  work->units += 500 + 5 * n;
  work->calls++;
  for (k = 0; k < inner + low; k++) {
    uint64_t bits = column[order[k]];
    for (; bits; bits &= bits - 1)
      *(k < inner ? &scope[permi_trailing_zeros(bits)] : &dirty[permi_trailing_zeros(bits)]) |=
          UINT32_C(1) << (k < inner ? k : k - inner);
  }
  work->rate[0] = ldexp(1, -low);
  for (k = 0; k < low; k++)
    for (i = 0; i < 1 << k; i++)
      work->rate[(1 << k) + i] = work->rate[i] + ldexp(1, -k - 1);
  for (k = inner; k < n - 6; k++, outer /= 2)
    sum.cost += degree[order[k]] * outer;
  for (i = 0; i < n; i++) {
    const permi_hybrid_factor row = {scope[i], dirty[i], i};
    const permi_hybrid_node node = {PERMI_NODE_ROW, -1, -1, scope[i], scope[i], dirty[i], 0, 0, 0, 0, 0, 0, 0};
    *(scope[i] ? &factor[factors++] : &scalar[scalars++]) = row;
    if (record)
      work->node[i] = node;
  }
  for (k = 0; k < inner; k++) {
    const uint32_t bit = UINT32_C(1) << k;
    int count = 0, rest = 0;
    for (i = 0; i < factors; i++)
      if (factor[i].scope & bit)
        taken[count++] = factor[i];
      else
        factor[rest++] = factor[i];
    factors = rest;
    if (count == 0)
      return 0;
    count = permi_layout_merge(work, &sum, taken, count);
    result = permi_layout_fold(work, &sum, taken, count, bit);
    if (result.scope)
      factor[factors++] = result;
    else
      scalar[scalars++] = result;
    if (sum.cost > limit)
      return sum.cost;
  }
  chain = permi_layout_node(work, PERMI_NODE_CHAIN, -1, -1, 0, 0, (1u << low) - 1);
  sum.cost += work->gpu ? scalars - 1 : 1 + PERMI_WEIGHT_CHAIN * scalars;
  for (i = 0; i < scalars; i++) {
    sum.rows += scalar[i].node < n;
    work->item[i] = scalar[i].node;
  }
  work->node[chain].items = scalars;
  work->rows_a_step = sum.rows;
  sum.most = fmax(sum.most, sum.live);
  if (sum.most > work->budget)
    sum.cost *= (sum.most / work->budget) * (sum.most / work->budget);
  return sum.cost * fmax(1, sum.cost / (work->gpu ? PERMI_GPU_STATEMENTS : 8000));
}

static double permi_layout_total(permi_layouts *work, const permi_arrangement *layout, double limit)
{
  const double terms = ldexp(1, work->n - 1 - layout->inner), before = work->units;
  const double cost = terms * permi_layout_cost(work, layout, limit / terms, 0);
  return work->account && permi_watch(work->account->watch, work->units - before) ? (double)INFINITY : cost;
}

/* Returns how many moves annealing may make; small runs leave two thirds of the grant. */
static double permi_layout_moves(const permi_layouts *work, double cost)
{
  const double seconds = fmin(cost / work->speed, work->rival);
  const double own = 1e9 * fmax(PERMI_SEARCH_SHARE * seconds, 0.35 * work->account->least) - work->units;
  const double left = fmin(permi_account_free(work->account, seconds), 0.5e9 * seconds);
  return (work->budget < PERMI_HYBRID_SLOT_BUDGET ? left : fmin(own, left)) / (work->units / work->calls);
}

static void permi_layout_by_degree(const permi_layouts *work, permi_arrangement *layout, int first)
{
  const int *degree = work->degree[layout->transposed];
  int *order = layout->order, i, j;
  for (i = first + 1; i < work->n; i++) {
    const int key = order[i];
    for (j = i - 1; j >= first && degree[order[j]] > degree[key]; j--)
      order[j + 1] = order[j];
    order[j + 1] = key;
  }
}

static int permi_layout_most_inner(const permi_layouts *work)
{
  const int most = work->n - (work->gpu ? PERMI_GPU_LEAST_OUTER : work->n > 12 ? 6 : 1);
  return most < PERMI_HYBRID_INNER ? most : PERMI_HYBRID_INNER;
}

static void permi_layout_move(permi_arrangement *layout, int from, int to)
{
  const int moved = layout->order[from];
  for (; from < to; from++)
    layout->order[from] = layout->order[from + 1];
  for (; from > to; from--)
    layout->order[from] = layout->order[from - 1];
  layout->order[to] = moved;
}

static double permi_layout_greedy(permi_layouts *work, permi_arrangement *layout)
{
  const int n = work->n, most = permi_layout_most_inner(work);
  permi_arrangement best = *layout;
  double least = permi_layout_total(work, layout, (double)INFINITY), lead;
  int k, j, worse = 0;
  for (k = layout->inner; k < most && worse < 2; k++) {
    permi_arrangement choice = *layout;
    lead = (double)INFINITY;
    for (j = k; j < n && j < k + (work->gpu ? PERMI_GPU_LOOK : PERMI_HYBRID_LOOK); j++) {
      permi_arrangement trial = *layout;
      permi_layout_move(&trial, j, k);
      trial.inner = k + 1;
      const double cost = permi_layout_total(work, &trial, lead);
      if (cost < lead) {
        lead = cost;
        choice = trial;
      }
    }
    *layout = choice;
    worse = lead < least ? 0 : worse + 1;
    if (lead < least) {
      least = lead;
      best = choice;
    }
  }
  *layout = best;
  return least;
}

static double permi_layout_first(permi_layouts *work, int transposed, permi_arrangement *layout)
{
  layout->transposed = transposed;
  layout->inner = layout->low = 0;
  for (int k = 0; k < work->n; k++)
    layout->order[k] = k;
  permi_layout_by_degree(work, layout, 0);
  return permi_layout_greedy(work, layout);
}

static double permi_layouts_start(permi_layouts *work)
{
  for (int t = 0; t < 2 && work->first_cost[1] == 0; t++)
    work->first_cost[t] = permi_layout_first(work, t, &work->first[t]);
  return fmin(work->first_cost[0], work->first_cost[1]);
}

static double permi_layout_anneal(permi_layouts *work, permi_arrangement *layout, double cost, int moves,
                                  uint64_t *seed)
{
  const int n = work->n, most_inner = permi_layout_most_inner(work);
  const double hot = 0.05, cold = 0.004;
  permi_arrangement now = *layout;
  double current = cost, temperature = hot, cooling = pow(cold / hot, 1.0 / (moves > 1 ? moves : 1));
  for (int move = 0; move < moves; move++, temperature *= cooling) {
    permi_arrangement trial = now;
    const int inner = now.inner, kind = permi_order_below(seed, work->gpu ? 15 : 32);
    int a, b;
    if (kind < 5 && inner > 1) { /* moves an inner column */
      a = permi_order_below(seed, inner);
      b = permi_order_below(seed, inner);
    } else if (kind < 8 && inner < most_inner && inner + now.low < n - 1) { /* adds an inner column */
      a = inner + permi_order_below(seed, n - inner);
      b = permi_order_below(seed, inner + 1);
      trial.inner++;
    } else if (kind < 10 && inner > 0) { /* drops one */
      a = permi_order_below(seed, inner);
      b = n - 1;
      trial.inner--;
    } else if (kind == 10 && work->most_low) {
      trial.low = permi_clamp(permi_order_below(seed, work->most_low + 1), 0, n - 1 - inner);
      a = b = inner;
    } else {
      if (inner == 0)
        continue;
      a = permi_order_below(seed, inner + now.low);
      b = permi_order_below(seed, n);
      trial.order[a] = now.order[b];
      trial.order[b] = now.order[a];
      a = b;
    }
    permi_layout_move(&trial, a, b);
    if (work->account && permi_watch(work->account->watch, 0))
      break;
    const double limit = current * exp(-temperature * log(permi_order_random(seed) + 1e-300));
    const double price = permi_layout_total(work, &trial, limit);
    if (price <= limit) {
      current = price;
      now = trial;
      if (price < cost) {
        cost = price;
        *layout = trial;
        if (work->account && moves - move > permi_layout_moves(work, cost)) {
          moves = move + (int)fmax(permi_layout_moves(work, cost), 1);
          cooling = pow(cold / temperature, 1.0 / (moves - move));
        }
      }
    }
  }
  return cost;
}
/* SPDX-License-Identifier: MIT */
