/* ================================================================================== >>hybrid_layout
   Layouts: which columns are inside, in which order, and what that costs. */
#pragma once
#include "hybrid.h"

/* ---- which columns are inner, in what order, and which are low */
typedef struct permi_arrangement {
  int transposed, inner, low;
  int order[64]; /* inner columns as they are eliminated, low ones (the first turns fastest), all others */
} permi_arrangement;

/* Times of statements, in those of one that multiplies a table by a row: a load, a product, a store. */
#define PERMI_WEIGHT_ROWS 1.0
#define PERMI_WEIGHT_FOLD 1.4
#define PERMI_WEIGHT_CHAIN 0.6
#define PERMI_HYBRID_SLOT_BUDGET 500
#define PERMI_GPU_WEIGHT_FOLD 2.5 /* a fused operation with three different registers takes a slot and a half */
#define PERMI_GPU_STATEMENTS 3000 /* larger programs lose: of 4000 statements a third */
#define PERMI_GPU_LEAST_OUTER (PERM_GPU_THREADS_LOG2 + 2)
#define PERMI_HYBRID_MOVE_SECONDS 6e-6 /* of the searches for GPUs */
#define PERMI_HYBRID_PLAN_SHARE 0.03 /* of the run, of the other searches, or as long as no run has to pay for them */

/* A factor of the elimination, a row (node < n) or the result of a node; columns and low columns as bits. */
typedef struct permi_hybrid_factor {
  uint32_t scope, dirty;
  int node;
} permi_hybrid_factor;

typedef enum permi_node_kind { PERMI_NODE_MERGE, PERMI_NODE_FOLD, PERMI_NODE_CHAIN } permi_node_kind;
typedef struct permi_hybrid_node { /* computes out of left and right; right < 0: a fold of left only */
  permi_node_kind kind;
  int left, right;
  uint32_t all, scope, dirty; /* columns of the operands, of the result; low columns that it depends on */
  int first, items;           /* of a chain: in permi_layouts.item; the first may be the chain before */
  int slot, persists;
} permi_hybrid_node;

#define PERMI_HYBRID_NODES 320
typedef struct permi_layouts {
  int n, budget, nodes, items;
  int gpu; /* costs of >>programs: 1 with rows divided by an entry, 2 without; 0: of the interpreter */
  uint64_t row[2][64], column[2][64]; /* bits of a row's columns, and of a column's rows, in both orientations */
  int degree[2][64];
  double add;  /* weight of an entry of a row's table: alone 1, with its part of loads more */
  double power[PERMI_HYBRID_INNER + 2], rate[1 << PERMI_HYBRID_LOW];
  permi_hybrid_factor factor[128];
  permi_hybrid_node node[PERMI_HYBRID_NODES]; /* n + k: the k-th */
  int item[192];
  double rows_a_step;
  double units, calls; /* of permi_layout_cost, as permi_watch counts them */
  double speed, rival;   /* statements a second; seconds of another engine */
  const permi_account *account; /* what may be spent; NULL: whatever is asked for */
  double scaled[PERM_MAX_N * PERM_MAX_N * 2]; /* the matrix for permi_hybrid_create */
} permi_layouts;

static int permi_bits32(uint32_t x)
{
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  return (int)(((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
}

static void permi_layouts_make(permi_layouts *work, const permi_block *block)
{
  const int n = work->n = block->n;
  int i, e, t, k;
  work->gpu = 0;
  work->add = 1;
  work->units = work->calls = 0;
  work->account = NULL;
  memset(work->row, 0, sizeof work->row);
  memset(work->column, 0, sizeof work->column);
  memset(work->degree, 0, sizeof work->degree);
  for (i = 0; i < n; i++)
    for (e = block->start[i]; e < block->start[i + 1]; e++) {
      const int j = block->neighbour[e] - n;
      work->row[0][i] |= UINT64_C(1) << j;
      work->row[1][j] |= UINT64_C(1) << i;
      work->degree[0][j]++;
      work->degree[1][i]++;
    }
  for (t = 0; t < 2; t++)
    memcpy(work->column[t], work->row[1 - t], sizeof work->column[t]);
  for (k = 0; k < PERMI_HYBRID_INNER + 2; k++)
    work->power[k] = ldexp(1, k);
}

static int permi_layout_node(permi_layouts *work, permi_node_kind kind, int left, int right, uint32_t all,
                             uint32_t scope, uint32_t dirty)
{
  permi_hybrid_node *node = &work->node[work->nodes];
  node->kind = kind;
  node->left = left;
  node->right = right;
  node->all = all;
  node->scope = scope;
  node->dirty = dirty;
  node->first = work->items;
  node->items = 0;
  node->persists = 0;
  return work->n + work->nodes++;
}

/* What a row's table costs a GPU before it is used: all of it, or with its column of +-1 left to the product. The
   interpreter adds up what it holds. */
static double permi_layout_row(const permi_layouts *work, const permi_hybrid_factor *f, int whole)
{
  const int columns = permi_bits32(f->scope);
  if (!work->gpu || f->node >= work->n || (!whole && work->gpu == 1 && columns < 2))
    return 0;
  return work->rate[f->dirty] * work->power[whole || work->gpu == 2 ? columns : columns - 1] *
         work->add;
}

/* Statements of a step of the program (an outer pattern), weighted, of the layout; gives up above `limit`. For inner
   column after inner column the factors that contain it are merged, the cheapest pair first, the last one with the
   fold. With `record` the nodes are left in work->node. A table counts as often as it is computed: rate. */
static double permi_layout_cost(permi_layouts *work, const permi_arrangement *layout, double limit, int record)
{
  const int n = work->n, inner = layout->inner, low = layout->low;
  const uint64_t *column = work->column[layout->transposed];
  const int *degree = work->degree[layout->transposed];
  permi_hybrid_factor *factor = work->factor, scalar[64 + PERMI_HYBRID_INNER];
  const double waiting = work->gpu ? 0.75 : 1; /* entry after entry: operands go as results come */
  const double fold = work->gpu ? PERMI_GPU_WEIGHT_FOLD : PERMI_WEIGHT_FOLD;
  double cost = 1, live = work->gpu ? 0 : n, most = 0, rows = 0;
  int i, j, k, factors = 0, scalars = 0;
  uint32_t scope[64], dirty[64], before;
  work->nodes = work->items = 0;
  work->units += 500 + 5 * n;
  work->calls++;
  for (i = 0; i < n; i++)
    scope[i] = dirty[i] = 0;
  for (k = 0; k < inner + low; k++) {
    uint64_t bits = column[layout->order[k]];
    for (; bits; bits &= bits - 1) {
      i = permi_trailing_zeros(bits);
      if (k < inner)
        scope[i] |= UINT32_C(1) << k;
      else
        dirty[i] |= UINT32_C(1) << (k - inner);
    }
  }
  work->rate[0] = ldexp(1, -low);
  for (k = 0; k < low; k++)
    for (i = 0; i < 1 << k; i++)
      work->rate[(1 << k) + i] = work->rate[i] + ldexp(1, -k - 1);
  for (k = 0; k < low; k++)
    cost += degree[layout->order[inner + k]] * (k == low - 1 ? 2 : 1) * ldexp(1, -k - 1);
  for (k = inner + low, i = 1; k < n - 6; k++, i++)
    cost += degree[layout->order[k]] * ldexp(1, -low - i);
  for (i = 0; i < n; i++) {
    permi_hybrid_factor *to = scope[i] ? &factor[factors++] : &scalar[scalars++];
    to->scope = scope[i];
    to->dirty = dirty[i];
    to->node = i;
  }
  for (k = 0; k < inner; k++) {
    const uint32_t bit = UINT32_C(1) << k;
    permi_hybrid_factor taken[64 + PERMI_HYBRID_INNER], result;
    int count = 0, rest = 0;
    double here;
    for (i = 0; i < factors; i++)
      if (factor[i].scope & bit)
        taken[count++] = factor[i];
      else
        factor[rest++] = factor[i];
    factors = rest;
    while (count > 2) {
      double least = 1e300;
      int a = 0, b = 1;
      work->units += 20 + 1.2 * count * count;
      for (i = 0; i < count; i++)
        for (j = i + 1; j < count; j++) {
          const double price = work->power[permi_bits32(taken[i].scope | taken[j].scope)] *
                               work->rate[taken[i].dirty | taken[j].dirty];
          if (price < least) {
            least = price;
            a = i;
            b = j;
          }
        }
      if (taken[a].node < n && taken[b].node >= n) { /* a row comes second */
        i = a;
        a = b;
        b = i;
      }
      result.scope = taken[a].scope | taken[b].scope;
      result.dirty = taken[a].dirty | taken[b].dirty;
      here = work->power[permi_bits32(result.scope)];
      rows += least * ((taken[a].node < n) + (taken[b].node < n));
      cost += least * (taken[a].node < n ? PERMI_WEIGHT_ROWS : 1);
      i = taken[a].node < n && permi_bits32(taken[a].scope) > permi_bits32(taken[b].scope);
      cost += permi_layout_row(work, &taken[a], !i) + permi_layout_row(work, &taken[b], i);
      most = fmax(most, live + waiting * here);
      for (i = 0; i < 2; i++) {
        const permi_hybrid_factor *f = &taken[i ? b : a];
        if (f->node >= n && f->dirty == result.dirty)
          live -= work->power[permi_bits32(f->scope)];
      }
      live += here;
      if (record)
        result.node = permi_layout_node(work, PERMI_NODE_MERGE, taken[a].node, taken[b].node, result.scope,
                                        result.scope, result.dirty);
      else
        result.node = n;
      taken[a < b ? a : b] = result;
      taken[a < b ? b : a] = taken[--count];
    }
    if (count == 0) /* a column without entries: no caller has one */
      return 0;
    if (count == 2 && taken[0].node < n) {
      result = taken[0];
      taken[0] = taken[1];
      taken[1] = result;
    }
    result = taken[0];
    if (count == 2) {
      result.scope |= taken[1].scope;
      result.dirty |= taken[1].dirty;
    }
    here = work->power[permi_bits32(result.scope) - 1];
    cost += work->rate[result.dirty] * here * (count == 2 ? fold : 1);
    if (count == 2)
      cost += permi_layout_row(work, &taken[1], 1);
    if (taken[0].node < n) { /* its table has to be written first */
      cost += work->rate[taken[0].dirty] * work->power[permi_bits32(taken[0].scope)];
      rows += work->rate[taken[0].dirty] * work->power[permi_bits32(taken[0].scope)];
      if (record)
        taken[0].node = permi_layout_node(work, PERMI_NODE_MERGE, taken[0].node, -1, taken[0].scope, taken[0].scope,
                                          taken[0].dirty);
    }
    if (count == 2)
      rows += work->rate[result.dirty] * here * 2 * (taken[1].node < n);
    most = fmax(most, live + waiting * here);
    for (i = 0; i < count; i++)
      if (taken[i].node >= n && taken[i].dirty == result.dirty)
        live -= work->power[permi_bits32(taken[i].scope)];
    live += here;
    if (record)
      result.node = permi_layout_node(work, PERMI_NODE_FOLD, taken[0].node, count == 2 ? taken[1].node : -1,
                                      result.scope, result.scope & ~bit, result.dirty);
    else
      result.node = n;
    result.scope &= ~bit;
    if (result.scope)
      factor[factors++] = result;
    else
      scalar[scalars++] = result;
    if (cost > limit)
      return cost;
  }
  /* The scalars, what changes least first; a product is kept wherever the next changes more often. */
  for (i = 1; i < scalars; i++) {
    permi_hybrid_factor key = scalar[i];
    for (j = i - 1; j >= 0 && work->rate[scalar[j].dirty] > work->rate[key.dirty]; j--)
      scalar[j + 1] = scalar[j];
    scalar[j + 1] = key;
  }
  for (i = 0, before = 0; i < scalars; i++) {
    const uint32_t now = before | scalar[i].dirty;
    cost += work->rate[now] * (work->gpu ? i > 0 : PERMI_WEIGHT_CHAIN);
    rows += work->rate[now] * (scalar[i].node < n);
    if (i == 0 || now != before) {
      if (!work->gpu)
        cost += work->rate[now];
      if (record) {
        int chain = permi_layout_node(work, PERMI_NODE_CHAIN, -1, -1, 0, 0, now);
        if (i > 0) {
          work->item[work->items++] = chain - 1;
          work->node[work->nodes - 1].items = 1;
        }
      }
    }
    if (record) {
      work->item[work->items++] = scalar[i].node;
      work->node[work->nodes - 1].items++;
    }
    before = now;
  }
  work->rows_a_step = rows;
  most = fmax(most, live);
  if (most > work->budget)
    cost *= (most / work->budget) * (most / work->budget);
  if (cost * ldexp(1, low) > (work->gpu ? PERMI_GPU_STATEMENTS : 8000))
    cost *= cost * ldexp(1, low) / (work->gpu ? PERMI_GPU_STATEMENTS : 8000);
  return cost;
}

static double permi_layout_total(permi_layouts *work, const permi_arrangement *layout, double limit)
{
  const double terms = ldexp(1, work->n - 1 - layout->inner), before = work->units;
  const double cost = terms * permi_layout_cost(work, layout, limit / terms, 0);
  return work->account && permi_watch(work->account->watch, work->units - before) ? (double)INFINITY : cost;
}

/* How many more layouts may be priced, when the best one so far costs so much. */
static double permi_layout_moves(const permi_layouts *work, double cost)
{
  const double seconds = fmin(cost / work->speed, work->rival);
  const double own = 1e9 * fmax(PERMI_HYBRID_PLAN_SHARE * seconds, work->account->least) - work->units;
  const double left = fmin(permi_account_left(work->account, seconds) - 1e9 * PERMI_PLAN_REST, 0.5e9 * seconds);
  return (work->budget < PERMI_HYBRID_SLOT_BUDGET ? left : fmin(own, left)) / (work->units / work->calls);
}

/* Columns by degree, few entries first. */
static void permi_layout_start(const permi_layouts *work, int transposed, permi_arrangement *layout)
{
  const int *degree = work->degree[transposed];
  int i, j;
  layout->transposed = transposed;
  layout->inner = layout->low = 0;
  for (i = 0; i < work->n; i++) {
    for (j = i - 1; j >= 0 && degree[layout->order[j]] > degree[i]; j--)
      layout->order[j + 1] = layout->order[j];
    layout->order[j + 1] = i;
  }
}

/* The outer columns behind the low ones by degree: what turns often has few entries, what has most never turns. */
static void permi_layout_sort(const permi_layouts *work, permi_arrangement *layout)
{
  const int *degree = work->degree[layout->transposed], first = layout->inner + layout->low;
  int i, j;
  for (i = first + 1; i < work->n; i++) {
    int key = layout->order[i];
    for (j = i - 1; j >= first && degree[layout->order[j]] > degree[key]; j--)
      layout->order[j + 1] = layout->order[j];
    layout->order[j + 1] = key;
  }
}

static int permi_layout_most_inner(const permi_layouts *work)
{
  const int most = work->n - (work->gpu ? PERMI_GPU_LEAST_OUTER : 1);
  return most < PERMI_HYBRID_INNER ? most : PERMI_HYBRID_INNER;
}

/* Greedy: column after column becomes inner, always the one that leaves the least cost, while that falls. */
static double permi_layout_greedy(permi_layouts *work, permi_arrangement *layout)
{
  const int n = work->n, most = permi_layout_most_inner(work);
  permi_arrangement best = *layout;
  double least = permi_layout_total(work, layout, (double)INFINITY), lead;
  int k, j, worse = 0;
  for (k = layout->inner; k < most && worse < 2; k++) {
    permi_arrangement choice = *layout;
    lead = (double)INFINITY;
    for (j = k; j < n && j < k + 12; j++) { /* those of least degree, one of which fits best */
      permi_arrangement trial = *layout;
      double cost;
      int moved = trial.order[j], i;
      for (i = j; i > k; i--)
        trial.order[i] = trial.order[i - 1];
      trial.order[k] = moved;
      trial.inner = k + 1;
      cost = permi_layout_total(work, &trial, lead);
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

/* Simulated annealing of the logarithm of the cost over inner set, elimination order and low columns. */
static double permi_layout_anneal(permi_layouts *work, permi_arrangement *layout, double cost, int moves, int most_low,
                                  int least_outer, double hot, uint64_t *seed)
{
  const int n = work->n, fixed_low = most_low < 0, most_inner = fixed_low ? 0 : permi_layout_most_inner(work);
  const double cold = hot < 0.004 ? hot : 0.004;
  permi_arrangement now = *layout;
  double current = cost, temperature = hot, cooling = pow(cold / hot, 1.0 / (moves > 1 ? moves : 1));
  int move;
  for (move = 0; move < moves; move++, temperature *= cooling) {
    permi_arrangement trial = now;
    const int special = now.inner + now.low, kind = permi_order_below(seed, 16);
    double limit, price;
    int a, b, i, key;
    if (kind < 5 && now.inner > 1) { /* another place in the elimination order */
      a = permi_order_below(seed, now.inner);
      b = permi_order_below(seed, now.inner);
    } else if (kind < 6 && !fixed_low) { /* one low column more or less */
      if (permi_order_below(seed, 2) && now.low > 0)
        trial.low--;
      else if (now.low < most_low && special + least_outer < n)
        trial.low++;
      a = b = 0;
      if (trial.low > now.low) { /* any of the others */
        a = special + permi_order_below(seed, n - special);
        b = special;
      }
    } else if (kind < 9 && now.inner < most_inner && special + least_outer < n) { /* an inner column more */
      a = special + permi_order_below(seed, n - special);
      b = permi_order_below(seed, now.inner + 1);
      trial.inner++;
    } else if (kind < 11 && now.inner > 0) { /* one less */
      a = permi_order_below(seed, now.inner);
      b = n - 1;
      trial.inner--;
    } else { /* two change places */
      if (special == 0)
        continue;
      a = permi_order_below(seed, special);
      b = permi_order_below(seed, n);
      key = trial.order[a];
      trial.order[a] = trial.order[b];
      trial.order[b] = key;
      a = b;
    }
    key = trial.order[a];
    for (i = a; i < b; i++)
      trial.order[i] = trial.order[i + 1];
    for (i = a; i > b; i--)
      trial.order[i] = trial.order[i - 1];
    trial.order[b] = key;
    if (work->account && permi_watch(work->account->watch, 0))
      break;
    limit = current * exp(-temperature * log(permi_order_random(seed) + 1e-300));
    price = permi_layout_total(work, &trial, limit);
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
