/* ==================================================================================== >>signs_order
   The columns' order, annealed against the expected work.
   A row vanishes with a probability that falls with the share q of + among the signs: q = 3/4 is rare, but leaves all
   rows of a sparse matrix nonzero some 10^6 times as often. So expected numbers are sums over q of binomial weights
   times products over rows, as if independent for given q. */
#pragma once
#include "signs.h"
#include "../graph/order.h"

#define PERMI_SIGNS_SHARES 16

typedef struct permi_signs_model {
  int n;
  double effort; /* times PERMI_SIGNS_PLAN_MOST */
  uint64_t touched[PERM_MAX_N];
  double weight[PERMI_SIGNS_SHARES];                /* of a share of + */
  double survival[PERM_MAX_N][PERMI_SIGNS_SHARES];  /* probability that a row does not vanish */
  double step[PERM_MAX_N + 1][3][PERMI_SIGNS_SHARES]; /* classes FIRST, SECOND, NONE; at 0 without prefix columns */
} permi_signs_model;

/* A sign is + with probability q. */
static double permi_signs_vanishes(const permi_signs_matrix *matrix, int row, double q)
{
  double memory[2][2 * PERMI_SIGNS_MOST + 1], *chance = memory[0], *next = memory[1], *swap; /* of a sum */
  const int most = matrix->size[row];
  int j, s, seen = 0;
  if (matrix->sum[row] & 1)
    return 0;
  for (j = 0; j < 2; j++)
    memset(memory[j], 0, (size_t)(2 * most + 1) * sizeof *memory[j]);
  chance[most] = 1;
  for (j = 0; j < matrix->n; j++) {
    const int x = matrix->entry[row][j];
    if (!x)
      continue;
    seen += abs(x);
    const int reach = seen < most - seen ? seen : most - seen;
    for (s = most - reach; s <= most + reach; s++)
      next[s] = q * chance[s - x] + (1 - q) * chance[s + x];
    swap = chance;
    chance = next;
    next = swap;
  }
  return chance[most];
}

static void permi_signs_survives(const permi_signs_matrix *matrix, int row, double *survival)
{
  const int n = matrix->n;
  for (int s = 0; s < PERMI_SIGNS_SHARES; s++)
    survival[s] = 1 - permi_signs_vanishes(matrix, row, 0.5 + (s + 0.35) * (n + 1.0) / n / (2 * PERMI_SIGNS_SHARES));
}

static void permi_signs_model_make(permi_signs_model *model, const permi_signs_matrix *matrix)
{
  const int n = matrix->n;
  double binomial = ldexp(1, -n); /* C(n, k) 2^-n */
  model->n = n;
  memcpy(model->touched, matrix->touched, sizeof model->touched);
  memset(model->weight, 0, sizeof model->weight);
  for (int k = 0; k <= n; k++) {
    const int excess = 2 * k > n ? 2 * k - n : n - 2 * k;
    model->weight[excess * PERMI_SIGNS_SHARES / (n + 1)] += binomial;
    binomial *= (double)(n - k) / (k + 1);
  }
  for (int i = 0; i < n; i++)
    permi_signs_survives(matrix, i, model->survival[i]);
}

/* Position k is bit 63 - k. */
static void permi_signs_positions(const permi_signs_model *model, const permi_signs_order *order, uint64_t *positions)
{
  uint64_t at[PERM_MAX_N], set;
  for (int k = 0; k < model->n; k++)
    at[order->column[k]] = UINT64_C(1) << (63 - k);
  for (int i = 0; i < model->n; i++)
    for (set = model->touched[i], positions[i] = 0; set; set &= set - 1)
      positions[i] |= at[permi_trailing_zeros(set)];
}

/* step[k][c] is the survival of rows that end with k, where ends[k] has bit c; own[c] is the last step of class c.
   Returns how many rows join both blocks. */
static int permi_signs_ends(permi_signs_model *model, const permi_signs_order *order, const uint64_t *positions,
                            unsigned char *ends, double *cuts, int *own)
{
  const int p = order->prefix, length = order->length[0];
  const uint64_t before = permi_signs_bits(64 - p, p), first = permi_signs_bits(64 - p - length, length);
  const uint64_t second = ~(before | first);
  int both = 0, c, i, s;
  for (i = 0; i < model->n; i++) {
    const uint64_t set = positions[i];
    const int last = set & before ? 64 - permi_trailing_zeros(set & before) : 0;
    c = (set & first ? 1 : 0) + (set & second ? 2 : 0);
    if (c == 3) {
      both++;
      continue;
    }
    cuts[last] += c > 0;
    c = c ? c - 1 : 2;
    own[c] = last > own[c] ? last : own[c];
    double *step = model->step[last][c];
    for (s = 0; s < PERMI_SIGNS_SHARES; s++)
      step[s] = ends[last] >> c & 1 ? step[s] * model->survival[i][s] : model->survival[i][s];
    ends[last] |= (unsigned char)(1 << c);
  }
  return both;
}

static double permi_signs_expected(permi_signs_model *model, const permi_signs_order *order, const uint64_t *positions)
{
  const int p = order->prefix;
  double alive[3][PERMI_SIGNS_SHARES], live[PERMI_SIGNS_SHARES], cuts[PERM_MAX_N + 1], seconds = 0, sum = 0, ways;
  double items[3] = {0, 0, 0};
  unsigned char ends[PERM_MAX_N + 1];
  int own[3] = {0, 0, 0}, both, k, c, s;
  memset(ends, 0, sizeof ends);
  memset(cuts, 0, (size_t)(p + 1) * sizeof *cuts);
  both = permi_signs_ends(model, order, positions, ends, cuts, own);
  for (s = 0; s < PERMI_SIGNS_SHARES; s++) {
    alive[0][s] = (ends[0] & 1 ? model->step[0][0][s] : 1) * (double)(1 << order->length[0]);
    alive[1][s] = (ends[0] & 2 ? model->step[0][1][s] : 1) * (double)(1 << order->length[1]);
    alive[2][s] = live[s] = model->weight[s];
    sum += live[s];
  }
  for (k = 1, ways = 1; k <= p; k++, ways *= 2) {
    seconds += ways * sum * (permi_signs_each[0][0] + PERMI_SIGNS_CUT_SECONDS * cuts[k]);
    if (ends[k] || k == 1) {
      for (c = 0; c < 3; c++)
        for (s = 0; s < PERMI_SIGNS_SHARES && ends[k] >> c & 1; s++)
          alive[c][s] *= model->step[k][c][s];
      for (s = 0, sum = 0; s < PERMI_SIGNS_SHARES; s++) {
        live[s] = alive[2][s] * alive[0][s] / (1 + alive[0][s]) * alive[1][s] / (1 + alive[1][s]);
        sum += live[s];
      }
    }
    for (c = 0; c < 2; c++)
      for (s = 0; s < PERMI_SIGNS_SHARES && k == own[c]; s++)
        items[c] += ways * live[s] * alive[c][s];
  }
  ways /= 2;
  for (s = 0; s < PERMI_SIGNS_SHARES; s++)
    seconds += ways * (live[s] * permi_signs_each[0][1] +
                       alive[2][s] * alive[0][s] * alive[1][s] * permi_signs_each[0][3] * (both > 8 ? 1.2 : both > 0));
  return seconds + permi_signs_each[0][2] * (items[0] + items[1]);
}

/* Swaps columns a and b, or moves a to b; rows' positions follow. */
static void permi_signs_move(permi_signs_order *order, uint64_t *positions, int n, int a, int b, int swap)
{
  const int column = order->column[a], low = 63 - (a > b ? a : b), distance = (a > b ? a - b : b - a);
  const uint64_t between = permi_signs_bits(low, distance + 1);
  if (swap) {
    order->column[a] = order->column[b];
    for (int i = 0; i < n; i++) {
      const uint64_t differ = (positions[i] >> low ^ positions[i] >> (low + distance)) & 1;
      positions[i] ^= differ << low ^ differ << (low + distance);
    }
  } else {
    for (int k = a; k != b; k += a < b ? 1 : -1)
      order->column[k] = order->column[a < b ? k + 1 : k - 1];
    for (int i = 0; i < n; i++) {
      const uint64_t set = positions[i] & between, mine = positions[i] >> (63 - a) & 1;
      positions[i] ^= set ^ (((a < b ? set << 1 : set >> 1) & between) | mine << (63 - b));
    }
  }
  order->column[b] = column;
}

PERMI_NEVER_INLINE static double permi_signs_anneal(permi_signs_model *model, permi_signs_order *order, int moves,
                                                    double heat, uint64_t *seed, permi_control *watch)
{
  permi_signs_order now = *order, trial;
  uint64_t positions[PERM_MAX_N], tried[PERM_MAX_N];
  double cost, best;
  const double cooling = pow(0.005 / heat, 1.0 / moves);
  const int n = model->n;
  int move, k;
  permi_signs_positions(model, order, positions);
  cost = best = permi_signs_expected(model, order, positions);
  for (move = 0; move < moves && !(move % 512 == 0 && permi_watch(watch, 512.0 * PERMI_SIGNS_MOVE_UNITS(n)));
       move++, heat *= cooling) {
    const int a = permi_order_below(seed, n);
    double chance = permi_order_random(seed), mantissa, limit, fresh;
    int b = permi_order_below(seed, n), swap = permi_order_below(seed, 2);
    if (!swap) {
      b = a + permi_order_below(seed, 25) - 12;
      b = b < 0 ? 0 : b >= n ? n - 1 : b;
    }
    trial = now;
    memcpy(tried, positions, sizeof tried);
    permi_signs_move(&trial, tried, n, a, b, swap);
    mantissa = frexp(chance + 1e-9, &k);
    limit = cost * (1 + heat * (2 - 2 * mantissa - k));
    fresh = permi_signs_expected(model, &trial, tried);
    if (fresh > limit)
      continue;
    now = trial;
    memcpy(positions, tried, sizeof tried);
    cost = fresh;
    if (cost < best) {
      best = cost;
      *order = now;
    }
  }
  return best;
}

typedef struct permi_signs_work {
  permi_signs_matrix matrix;
  permi_signs_model model;
  permi_signs_order order;
} permi_signs_work;

static double permi_signs_leaves(const permi_signs_model *model)
{
  double sum = 0;
  for (int s = 0; s < PERMI_SIGNS_SHARES; s++) {
    double product = model->weight[s];
    for (int i = 0; i < model->n; i++)
      product *= model->survival[i][s];
    sum += product;
  }
  return sum;
}

static void permi_signs_double(permi_signs_matrix *matrix, int column, int twice)
{
  for (int i = 0; i < matrix->n; i++) {
    const int x = matrix->entry[i][column], y = twice ? 2 * x : x / 2;
    matrix->entry[i][column] = y;
    matrix->sum[i] += y - x;
    matrix->size[i] += abs(y) - abs(x);
  }
}

/* Doubles columns so that rows can vanish, annealed against the expected leaves; returns how many. */
PERMI_NEVER_INLINE static int permi_signs_weigh(permi_signs_work *work, double rival, permi_control *watch)
{
  permi_signs_matrix *matrix = &work->matrix;
  permi_signs_model *model = &work->model;
  const int n = matrix->n;
  double was[PERM_MAX_N][PERMI_SIGNS_SHARES], cost, best, heat = 1, units = 1;
  uint64_t seed = UINT64_C(88172645463325252), doubled = 0, least = 0;
  int i, k, move, odd = 0, moves;
  for (i = 0; i < n; i++)
    odd += matrix->sum[i] & 1;
  if (!odd)
    return 0;
  permi_signs_model_make(model, matrix);
  cost = best = permi_signs_leaves(model);
  rival = fmin(rival, best * ldexp(permi_signs_each[0][3], n - 1));
  for (i = 0; i < n; i++)
    units += PERMI_SIGNS_WEIGH_UNITS * matrix->size[i] * permi_count_ones(matrix->touched[i]);
  units *= (double)permi_count_ones(matrix->touched[0]) / n; /* for the rows that change */
  moves = (int)fmin(60 * n, 1e9 / units * fmin(PERMI_ANNEAL_SHARE * rival,
                                               PERMI_SIGNS_PLAN_MOST / 2 * model->effort));
  for (move = 0; move < moves && !permi_watch(watch, units); move++, heat *= 1 - 5.0 / moves) {
    const int columns = 1 + permi_order_below(&seed, 2), first = permi_order_below(&seed, n);
    const int second = permi_order_below(&seed, n);
    const uint64_t flips = UINT64_C(1) << first ^ (columns > 1 ? UINT64_C(1) << second : 0);
    int too_large = 0;
    memcpy(was, model->survival, sizeof was);
    for (k = 0; k < n; k++)
      if (flips >> k & 1)
        permi_signs_double(matrix, k, !(doubled >> k & 1));
    for (i = 0; i < n; i++) {
      too_large |= matrix->size[i] > PERMI_SIGNS_MOST;
      if (matrix->touched[i] & flips && !too_large)
        permi_signs_survives(matrix, i, model->survival[i]);
    }
    const double fresh = too_large ? (double)INFINITY : permi_signs_leaves(model);
    if (fresh < cost * (1 + heat * (permi_order_random(&seed) + 0.01))) {
      doubled ^= flips;
      cost = fresh;
      if (cost < best) {
        best = cost;
        least = doubled;
      }
      continue;
    }
    for (k = 0; k < n; k++)
      if (flips >> k & 1)
        permi_signs_double(matrix, k, (int)(doubled >> k & 1));
    memcpy(model->survival, was, sizeof was);
  }
  for (k = 0; k < n; k++)
    if ((doubled ^ least) >> k & 1)
      permi_signs_double(matrix, k, (int)(least >> k & 1));
  return permi_count_ones(least);
}
/* SPDX-License-Identifier: MIT */
