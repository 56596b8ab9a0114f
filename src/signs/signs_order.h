/* ==================================================================================== >>signs_order
   The order of the columns of >>signs: annealed against the expected work.

   A row of given entries vanishes with a probability that falls with the share q of + among the signs: vectors with
   q = 3/4 are rare, but leave all rows of a sparse matrix nonzero some 10^6 times as often. So the expected numbers are
   sums over q of binomial weights times products over rows, which are taken as independent for given q. */
#pragma once
#include "signs.h"
#include "../block/order.h"

#define PERMI_SIGNS_SHARES 16

typedef struct permi_signs_model {
  int n;
  uint64_t touched[PERM_MAX_N];
  double weight[PERMI_SIGNS_SHARES];                /* of a share of + */
  double survival[PERM_MAX_N][PERMI_SIGNS_SHARES];  /* of a row: it does not vanish */
  double step[PERM_MAX_N + 1][3][PERMI_SIGNS_SHARES]; /* of classes FIRST, SECOND, NONE; at 0 without prefix columns */
} permi_signs_model;

/* Probability that the row vanishes if a sign is + with probability q. */
static double permi_signs_vanishes(const permi_signs_matrix *matrix, int row, double q)
{
  double chance[2 * PERMI_SIGNS_MOST + 1], next[2 * PERMI_SIGNS_MOST + 1]; /* of a sum */
  const int most = matrix->size[row];
  int j, s;
  if (matrix->sum[row] & 1)
    return 0;
  for (s = 0; s <= 2 * most; s++)
    chance[s] = s == most;
  for (j = 0; j < matrix->n; j++) {
    const int x = matrix->entry[row][j];
    if (!x)
      continue;
    for (s = 0; s <= 2 * most; s++)
      next[s] = (s - x >= 0 && s - x <= 2 * most ? q * chance[s - x] : 0) +
                (s + x >= 0 && s + x <= 2 * most ? (1 - q) * chance[s + x] : 0);
    memcpy(chance, next, (size_t)(2 * most + 1) * sizeof *chance);
  }
  return chance[most];
}

/* Expected leaves for each share of + that a row leaves over. */
static void permi_signs_survives(const permi_signs_matrix *matrix, int row, double *survival)
{
  const int n = matrix->n;
  int share;
  for (share = 0; share < PERMI_SIGNS_SHARES; share++)
    survival[share] =
        1 - permi_signs_vanishes(matrix, row, 0.5 + (share + 0.35) * (n + 1.0) / n / (2 * PERMI_SIGNS_SHARES));
}

static void permi_signs_model_make(permi_signs_model *model, const permi_signs_matrix *matrix)
{
  const int n = matrix->n;
  double binomial = ldexp(1, -n); /* C(n, k) 2^-n */
  int i, k;
  model->n = n;
  memcpy(model->touched, matrix->touched, sizeof model->touched);
  memset(model->weight, 0, sizeof model->weight);
  for (k = 0; k <= n; k++) {
    const int excess = 2 * k > n ? 2 * k - n : n - 2 * k;
    model->weight[excess * PERMI_SIGNS_SHARES / (n + 1)] += binomial;
    binomial *= (double)(n - k) / (k + 1);
  }
  for (i = 0; i < n; i++)
    permi_signs_survives(matrix, i, model->survival[i]);
}

/* Expected seconds of the search in this order. */
static double permi_signs_expected(permi_signs_model *model, const permi_signs_order *order)
{
  const int n = model->n, p = order->prefix;
  const uint64_t first = permi_signs_bits(p, order->length[0]);
  const uint64_t second = permi_signs_bits(p + order->length[0], order->length[1]);
  double alive[3][PERMI_SIGNS_SHARES], live[PERMI_SIGNS_SHARES], cuts[PERM_MAX_N + 1], seconds = 0, both = 0, ways;
  double items[3] = {0, 0, 0};
  int position[PERM_MAX_N], own[3] = {0, 0, 0}, k, c, i, s;
  for (k = 0; k < n; k++)
    position[order->column[k]] = k;
  for (k = 0; k <= p; k++) {
    cuts[k] = 0;
    for (c = 0; c < 3; c++)
      for (s = 0; s < PERMI_SIGNS_SHARES; s++)
        model->step[k][c][s] = 1;
  }
  for (i = 0; i < n; i++) {
    uint64_t set = model->touched[i], places = 0;
    int last = 0;
    for (; set; set &= set - 1)
      places |= UINT64_C(1) << position[permi_trailing_zeros(set)];
    c = (places & first ? 1 : 0) + (places & second ? 2 : 0);
    for (set = places & ((UINT64_C(1) << p) - 1); set; set >>= 1)
      last++;
    if (c == 3) {
      both++;
      continue;
    }
    cuts[last] += c > 0;
    c = c ? c - 1 : 2;
    own[c] = last > own[c] ? last : own[c];
    for (s = 0; s < PERMI_SIGNS_SHARES; s++)
      model->step[last][c][s] *= model->survival[i][s];
  }
  for (s = 0; s < PERMI_SIGNS_SHARES; s++) {
    alive[0][s] = model->step[0][0][s] * (double)(1 << order->length[0]);
    alive[1][s] = model->step[0][1][s] * (double)(1 << order->length[1]);
    alive[2][s] = live[s] = model->weight[s];
  }
  for (k = 1, ways = 1; k <= p; k++, ways *= 2) {
    double sum = 0;
    for (s = 0; s < PERMI_SIGNS_SHARES; s++) {
      sum += live[s];
      for (c = 0; c < 3; c++)
        alive[c][s] *= model->step[k][c][s];
      live[s] = alive[2][s] * alive[0][s] / (1 + alive[0][s]) * alive[1][s] / (1 + alive[1][s]);
    }
    for (c = 0; c < 2; c++)
      for (s = 0; s < PERMI_SIGNS_SHARES && k == own[c]; s++)
        items[c] += ways * live[s] * alive[c][s];
    seconds += ways * sum * (PERMI_SIGNS_NODE_SECONDS + PERMI_SIGNS_CUT_SECONDS * cuts[k]);
  }
  ways /= 2;
  for (s = 0; s < PERMI_SIGNS_SHARES; s++)
    seconds += ways * (live[s] * PERMI_SIGNS_JOIN_SECONDS +
                       alive[2][s] * alive[0][s] * alive[1][s] * PERMI_SIGNS_PAIR_SECONDS *
                           (both > 8 ? 1.2 : both > 0));
  return seconds + PERMI_SIGNS_ITEM_SECONDS * (items[0] + items[1]);
}

/* The factor that divides the heat by `ratio` in so many moves, without the C library's pow: (1 - x / N)^N. */
static double permi_signs_cooling(double ratio, int moves)
{
  double low = 0, high = 1;
  int k;
  for (k = 0; k < 60; k++) {
    const double middle = (low + high) / 2;
    double power = 1, base = middle;
    int left = moves;
    for (; left; left >>= 1, base *= base)
      power *= left & 1 ? base : 1;
    if (power * ratio > 1)
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* Anneals the order: swaps, and moves by up to 12. */
static double permi_signs_anneal(permi_signs_model *model, permi_signs_order *order, int moves, double heat,
                                 uint64_t *seed, permi_control *watch)
{
  permi_signs_order now = *order, trial;
  double cost = permi_signs_expected(model, order), best = cost;
  const double cooling = permi_signs_cooling(heat / 0.005, moves);
  const int n = model->n;
  int move, k;
  for (move = 0; move < moves && !(move % 512 == 0 && permi_watch(watch, 512.0 * PERMI_SIGNS_MOVE_UNITS(n)));
       move++, heat *= cooling) {
    const int a = permi_order_below(seed, n);
    double chance = permi_order_random(seed), mantissa, limit, fresh;
    int b = permi_order_below(seed, n);
    trial = now;
    if (permi_order_below(seed, 2)) {
      trial.column[a] = now.column[b];
      trial.column[b] = now.column[a];
    } else {
      b = a + permi_order_below(seed, 25) - 12;
      b = b < 0 ? 0 : b >= n ? n - 1 : b;
      for (k = a; k != b; k += a < b ? 1 : -1)
        trial.column[k] = now.column[a < b ? k + 1 : k - 1];
      trial.column[b] = now.column[a];
    }
    mantissa = frexp(chance + 1e-9, &k);
    limit = cost * (1 + heat * (2 - 2 * mantissa - k));
    fresh = permi_signs_expected(model, &trial);
    if (fresh > limit)
      continue;
    now = trial;
    cost = fresh;
    if (cost < best) {
      best = cost;
      *order = now;
    }
  }
  return best;
}

/* Everything that planning needs. */
typedef struct permi_signs_work {
  permi_signs_matrix matrix;
  permi_signs_model model;
  permi_signs_order order;
} permi_signs_work;

static double permi_signs_leaves(const permi_signs_model *model)
{
  double sum = 0;
  int i, s;
  for (s = 0; s < PERMI_SIGNS_SHARES; s++) {
    double product = model->weight[s];
    for (i = 0; i < model->n; i++)
      product *= model->survival[i][s];
    sum += product;
  }
  return sum;
}

static void permi_signs_double(permi_signs_matrix *matrix, int column, int twice)
{
  int i;
  for (i = 0; i < matrix->n; i++) {
    const int x = matrix->entry[i][column], y = twice ? 2 * x : x / 2;
    matrix->entry[i][column] = y;
    matrix->sum[i] += y - x;
    matrix->size[i] += abs(y) - abs(x);
  }
}

/* Doubles columns so that rows can vanish; returns how many. A row of odd sum never does, and it gets even if it has an
   even number of odd entries in columns that are not doubled: annealed against the expected number of leaves. */
static int permi_signs_weigh(permi_signs_work *work, double rival, permi_control *watch)
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
  rival = fmin(rival, best * ldexp(PERMI_SIGNS_PAIR_SECONDS, n - 1));
  for (i = 0; i < n; i++)
    units += PERMI_SIGNS_WEIGH_UNITS * matrix->size[i] * permi_count_ones(matrix->touched[i]);
  units *= (double)permi_count_ones(matrix->touched[0]) / n; /* rows that a move changes */
  moves = (int)fmin(60 * n, PERMI_SIGNS_PLAN_SHARE * rival / units * 1e9);
  for (move = 0; move < moves && !permi_watch(watch, units); move++, heat *= 1 - 5.0 / moves) {
    const int columns = 1 + permi_order_below(&seed, 2), first = permi_order_below(&seed, n);
    const int second = permi_order_below(&seed, n);
    const uint64_t flips = UINT64_C(1) << first ^ (columns > 1 ? UINT64_C(1) << second : 0);
    double fresh;
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
    fresh = too_large ? (double)INFINITY : permi_signs_leaves(model);
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
