/* ===================================================================================== >>band_order
   Equal columns, an order of the rows, the offer. */
#pragma once
#include "band.h"

/* same[v] is the first column equal to v; both have the same rarest neighbour. */
static void permi_band_same(const permi_block *block, int *same, permi_control *watch)
{
  const int *start = block->start, *neighbour = block->neighbour;
  int v, e, t, i;
  for (v = 0; v < 2 * block->n && !permi_watch(watch, 20 + 8.0 * (start[v + 1] - start[v])); v++) {
    for (t = neighbour[start[v]], e = start[v] + 1; e < start[v + 1]; e++)
      if (start[neighbour[e] + 1] - start[neighbour[e]] < start[t + 1] - start[t])
        t = neighbour[e];
    for (e = start[t]; neighbour[e] != v && !permi_watch_step(watch, (size_t)e, 20); e++) {
      const int u = neighbour[e], degree = start[u + 1] - start[u];
      int equal = same[u] == u && start[v + 1] - start[v] == degree;
      for (i = 0; i < degree && equal; i++) {
        const int p = start[u] + i, q = start[v] + i;
        equal = neighbour[p] == neighbour[q] && permi_entries_equal(block, block->edge[p], block->edge[q]);
      }
      if (equal)
        break;
    }
    same[v] = neighbour[e];
  }
}

/* Goes breadth-first, low degrees first. */
static void permi_block_breadth(const permi_block *block, int start, int *order, int *seen, permi_control *watch)
{
  int head = 0, tail = 0;
  memset(seen, 0, 2 * (size_t)block->n * sizeof *seen);
  order[tail++] = start;
  seen[start] = 1;
  for (; head < tail; head++) {
    const int first = tail, v = order[head];
    if (permi_watch(watch, 20 + 5.0 * (block->start[v + 1] - block->start[v])))
      return;
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      const int t = block->neighbour[e], degree = block->start[t + 1] - block->start[t];
      int at = tail;
      if (seen[t])
        continue;
      seen[t] = 1;
      tail++;
      for (; at > first && tail - first < 256; at--) {
        const int u = order[at - 1];
        if (block->start[u + 1] - block->start[u] <= degree)
          break;
        order[at] = u;
      }
      order[at] = t;
    }
  }
}

/* Returns C(columns, used), or vectors of counts with sum `used`. */
static double permi_band_states(const int *open, int width, const int *size, int columns, int used, double *ways)
{
  double *sums, states = 1;
  int least = used < columns - used ? used : columns - used, j, r;
  if (least < 0)
    return 0;
  if (width == columns) {
    for (j = 0; j < least && states < 1e18; j++)
      states = states * (columns - j) / (j + 1);
    return states;
  }
  if (least > PERMI_BAND_COUNTED)
    return (double)INFINITY;
  sums = ways + least + 1;
  for (r = 0; r <= least; r++)
    ways[r] = r == 0;
  for (j = 0; j < width; j++) {
    for (r = 0; r <= least; r++)
      sums[r] = ways[r] + (r ? sums[r - 1] : 0);
    for (r = 0; r <= least; r++)
      ways[r] = sums[r] - (r > size[open[j]] ? sums[r - size[open[j]] - 1] : 0);
  }
  return ways[least];
}

static permi_band_price permi_band_price_of(const permi_block *block, const int *same, const int *lines, double limit,
                                            int *number, double *ways, permi_control *watch)
{
  permi_band_price price = {0, 1, 0, 0, 0};
  const int n = block->n, other = lines[0] < n ? n : 0;
  int *first = number, *last = number + n, *size = number + 2 * n, open[PERMI_BAND_SLOTS];
  uint64_t seen[PERMI_BAND_SHAPES];
  int i, e, v, width = 0, used = 0, columns = 0;
  memset(seen, 0, sizeof seen);
  memset(first, -1, (size_t)n * sizeof *first);
  memset(last, 0, 2 * (size_t)n * sizeof *last); /* size */
  for (v = 0; v < n; v++)
    size[same[other + v] - other]++;
  for (i = 0; i < n; i++)
    for (e = block->start[lines[i]]; e < block->start[lines[i] + 1] && !permi_watch_step(watch, (size_t)e, 4); e++) {
      v = block->neighbour[e] - other;
      if (first[v] < 0)
        first[v] = i;
      last[v] = i;
    }
  for (i = 0; i < n; i++) {
    int streams = 0, kept = 0;
    for (e = block->start[lines[i]]; e < block->start[lines[i] + 1]; e++) {
      v = block->neighbour[e] - other;
      if (same[v + other] != v + other)
        continue;
      streams++;
      if (first[v] == i) {
        if (width == PERMI_BAND_SLOTS) {
          price.cost = (double)INFINITY;
          return price;
        }
        open[width++] = v;
        columns += size[v];
      }
    }
    uint64_t shape = permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)width), (uint64_t)used);
    for (int j = 0; j < width; j++)
      shape = permi_hash(shape, (uint64_t)size[open[j]] << 2 | (uint64_t)(first[open[j]] == i) << 1 |
                                    (uint64_t)(last[open[j]] == i));
    const int fresh = seen[shape % PERMI_BAND_SHAPES] != shape;
    seen[shape % PERMI_BAND_SHAPES] = shape;
    price.width = width > price.width ? width : price.width;
    used++;
    for (int j = 0; j < width; j++)
      if (last[open[j]] == i) {
        used -= size[open[j]];
        columns -= size[open[j]];
      } else {
        open[kept++] = open[j];
      }
    width = kept;
    const double states = permi_band_states(open, width, size, columns, used, ways);
    price.most = states > price.most ? states : price.most;
    price.longest = states * streams > price.longest ? states * streams : price.longest;
    price.cost += states * streams;
    price.made += fresh ? states * streams : 0;
    if (price.cost > limit || price.most > PERMI_BAND_STATES || permi_watch(watch, 20 + 8.0 * (streams + width))) {
      price.cost = (double)INFINITY;
      return price;
    }
  }
  return price;
}

/* The next row has an open column, and opens the fewest, less those it closes. Returns 0 if too wide or stopped. */
#define PERMI_BAND_LOOK 1024
static int permi_band_greedy(const permi_block *block, const int *same, const int *start_lines, const int *rank,
                             int *number, int *lines, permi_control *watch)
{
  const int n = block->n, mine = start_lines[0] < n ? 0 : n, other = n - mine;
  int *left = number, *growth = number; /* columns; rows */
  int *is_open = number + 2 * n, *reached = is_open; /* columns; rows seen or done */
  int i, j, e, f, column, width = 0, end = 1; /* near */
  memset(reached, 0, 2 * (size_t)n * sizeof *reached);
  for (column = other; column < other + n; column++)
    left[column] = block->start[column + 1] - block->start[column];
  for (j = mine; j < mine + n; j++) {
    growth[j] = 0;
    for (f = block->start[j]; f < block->start[j + 1]; f++)
      growth[j] += same[block->neighbour[f]] == block->neighbour[f] && left[block->neighbour[f]] > 1;
  }
  lines[0] = start_lines[0];
  reached[lines[0]] = 1;
  for (i = 0; i < end; i++) {
    const int most = end - i < PERMI_BAND_LOOK ? end : i + PERMI_BAND_LOOK;
    int at = i, best, closed = 0;
    for (j = i + 1; j < most; j++)
      if (growth[lines[j]] < growth[lines[at]] ||
          (growth[lines[j]] == growth[lines[at]] && rank[lines[j]] < rank[lines[at]]))
        at = j;
    best = lines[at];
    lines[at] = lines[i];
    lines[i] = best;
    if (permi_watch(watch, 20 + 2.0 * (most - i) + 5.0 * (block->start[best + 1] - block->start[best])))
      return 0;
    for (f = block->start[best]; f < block->start[best + 1]; f++) {
      const int begin = block->start[column = block->neighbour[f]], over = block->start[column + 1];
      const int last = --left[column] == 1, opens = !is_open[column];
      if (same[column] != column)
        continue;
      closed += left[column] == 0;
      if (opens && width++ == PERMI_BAND_SLOTS)
        return 0;
      is_open[column] = 1;
      if ((opens || last) && permi_watch(watch, 3.0 * (over - begin)))
        return 0;
      for (e = begin; e < over && (opens || last); e++) {
        const int line = block->neighbour[e];
        growth[line] -= opens + last;
        if (opens && !reached[line]) {
          reached[line] = 1;
          lines[end++] = line;
        }
      }
    }
    width -= closed;
  }
  return end == n;
}

/* Tries orders as given, by Cuthill and McKee (ACM '69: 157-172), and greedily from there. */
PERMI_NEVER_INLINE static void permi_band_order(permi_maker *maker, permi_pool *room, const permi_block *block,
                                                double limit, int *same, int *lines, permi_band_price *price)
{
  permi_control *watch = maker->watch;
  const int n = block->n, vertices = 2 * n;
  const size_t all = (size_t)vertices;
  double *ways = (double *)permi_pool_get(room, 2 * all, sizeof *ways);
  int *number, *order, *seen, *trial, *rank, *tried, v, e, i, kind, side, start = 0, wide[2] = {0, 0};
  memset(price, 0, sizeof *price);
  price->cost = (double)INFINITY;
  if (!permi_pool_ints(room, &number, 2 * all, &order, all, &seen, all, &rank, all, &trial, all, &tried, all,
                       (int **)NULL))
    return;
  for (v = 0; v < vertices; v++)
    same[v] = v;
  if (maker->working->report.equal_rows + maker->working->report.equal_columns)
    permi_band_same(block, same, watch);
  for (v = 0; v < vertices && !permi_watch(watch, 0); v++) {
    int open = 0;
    for (e = block->start[v]; e < block->start[v + 1] && !permi_watch_step(watch, (size_t)e, 10); e++)
      open += same[block->neighbour[e]] == block->neighbour[e];
    wide[v / n] |= open > PERMI_BAND_SLOTS;
  }
  if ((wide[0] && wide[1]) || permi_watch(watch, 0))
    return;
  for (v = 1; v < vertices; v++)
    if (block->start[v + 1] - block->start[v] < block->start[start + 1] - block->start[start])
      start = v;
  for (i = 0; i < 3; i++) {
    permi_block_breadth(block, start, order, seen, watch);
    if (permi_watch(watch, 0))
      return;
    start = order[vertices - 1];
  }
  for (i = 0; i < vertices; i++)
    rank[order[i]] = i;
  for (kind = 0; kind < 3; kind++)
    for (side = 0; side < 2; side++) {
      int used = 0;
      if (wide[side] || (kind == 2 && n > 1 && price->cost < 4.0 * block->edges))
        continue;
      for (i = 0; i < vertices; i++) {
        v = kind == 0 ? i : order[i];
        if (v / n == side)
          trial[used++] = v;
      }
      if (kind == 2) {
        int *greedy = seen;
        if (!permi_band_greedy(block, same, trial, rank, number, greedy, watch))
          continue;
        memcpy(trial, greedy, (size_t)n * sizeof *trial);
      }
      if (kind && !memcmp(trial, tried + side * n, (size_t)n * sizeof *trial))
        continue;
      memcpy(tried + side * n, trial, (size_t)n * sizeof *trial);
      permi_band_price found = permi_band_price_of(block, same, trial, fmin(price->cost, limit), number, ways, watch);
      if (found.cost < price->cost) {
        *price = found;
        memcpy(lines, trial, (size_t)n * sizeof *lines);
      }
    }
}

static int permi_band_fill(permi_band *band, const permi_block *block, const int *same, const int *lines,
                           int *group_of, permi_control *watch)
{
  permi_pool *pool = &band->owned.pool;
  const size_t rows = (size_t)block->n, edges = (size_t)block->edges;
  const int n = block->n, other = lines[0] < n ? n : 0;
  int i, e, v, g, used = 0;
  band->entry = (permi_band_entry *)permi_pool_get(pool, edges, sizeof *band->entry);
  if (!permi_pool_ints(pool, &band->entry_start, rows + 1, &band->entry_group, edges, &band->capacity, rows,
                       &band->first, rows, &band->last, rows, &band->row, rows, &band->column, rows,
                       &band->column_start, rows, (int **)NULL))
    return 0;
  memcpy(band->row, lines, (size_t)n * sizeof *lines);
  memset(group_of, -1, (size_t)n * sizeof *group_of);
  for (i = 0; i < n; i++) {
    band->entry_start[i] = used;
    for (e = block->start[lines[i]]; e < block->start[lines[i] + 1]; e++) {
      const int column = block->neighbour[e];
      if (permi_watch_step(watch, (size_t)e, 20))
        return 1;
      if (same[column] != column)
        continue;
      g = group_of[column - other];
      if (g < 0) {
        g = group_of[column - other] = band->groups++;
        band->capacity[g] = 0;
        band->first[g] = i;
      }
      band->last[g] = i;
      band->entry_group[used] = g;
      permi_coefficient c = permi_coefficient_of(block, block->edge[e], &band->numbers);
      if (block->integer)
        memcpy(band->entry[used++].integer, c.integer, sizeof c.integer);
      else
        memcpy(band->entry[used++].real, &c, sizeof band->entry->real);
    }
  }
  band->entry_start[n] = used;
  for (v = 0; v < n; v++)
    band->capacity[group_of[same[v + other] - other]]++;
  for (g = 0, used = 0; g < band->groups; g++) {
    band->counted |= band->capacity[g] > 1;
    used += band->capacity[g];
    band->column_start[g] = used;
  }
  for (v = n - 1; v >= 0; v--)
    band->column[--band->column_start[group_of[same[v + other] - other]]] = v + other;
  return 1;
}

static size_t permi_band_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_band *band = (const permi_band *)leaf->context;
  return permi_say(buffer, size,
                   "band, order %d: window of at most %d%s, at most %.3g states, about %.3g transitions of %s, "
                   "predicted %.3g s, %.3g bytes\n",
                   leaf->information.n, band->price.width, band->counted ? " (equal ones counted)" : "",
                   band->price.most, leaf->information.work, permi_numbers_text(&band->numbers, 0),
                   leaf->information.seconds, leaf->information.bytes);
}

static int permi_band_search(permi_maker *maker, permi_pool *room, const permi_block *block, double rival,
                             permi_band *band, permi_offer *offer)
{
  /* by algebras, measured at half-widths 5 and 8 */
  static const double seconds[] = {0.6e-9, 1e-9, 2e-9, 0, 12e-9, 50e-9, 0.6e-9, 1.5e-9, 2e-9, 12e-9};
  const permi_numbers *numbers = &band->numbers;
  const size_t n = (size_t)block->n;
  int *same, *lines, *group_of, squared;
  if (!permi_pool_ints(room, &same, 2 * n, &lines, n, &group_of, n, (int **)NULL))
    return 0;
  if (!permi_numbers_choose_moduli(&band->numbers, block, maker->working->modulus,
                                   permi_sparse_doubled(maker->options))) {
    permi_refuse_long(offer);
    return 1;
  }
  squared = permi_algebra_is_integer(numbers->algebra) ? numbers->parts * numbers->parts : 1;
  const double each = seconds[numbers->algebra] * squared * (numbers->algebra == PERMI_WORDS ? numbers->words + 1 : 1);
  band->seconds_each = each;
  permi_band_order(maker, room, block, rival / each, same, lines, &band->price);
  if (room->failed)
    return 0;
  if (!(band->price.cost < (double)INFINITY) && rival < PERMI_BAND_STATES * each)
    permi_refuse(offer, PERM_ERROR_LIMIT, "is not found to be a band that takes less than %s",
                 permi_time_words(rival).text);
  else if (!(band->price.cost < (double)INFINITY))
    permi_refuse(offer, PERM_ERROR_LIMIT,
                 "is not found to be a band with a window of at most %d columns and %.0e states", PERMI_BAND_SLOTS,
                 PERMI_BAND_STATES);
  else if (!permi_band_fill(band, block, same, lines, group_of, maker->watch))
    return 0;
  else if (permi_watch(maker->watch, 0))
    permi_refuse(offer, PERM_ERROR_LIMIT, "is not planned: stopped");
  return 1;
}

static perm_status permi_band_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const permi_working *working = maker->working;
  const int n = block->n, dd = permi_sparse_doubled(maker->options);
  const double edges = block->edges, unit = dd ? PERMI_DD_UNIT / PERMI_UNIT : 1;
  const double roundings = block->rounded ? permi_entry_roundings(working, working->n) : 0;
  permi_pool room = {&maker->options->allocator, NULL, 0};
  permi_band *band = (permi_band *)permi_owned_new(room.allocator, sizeof *band);
  double each, gamma, sums;
  offer->plan = band;
  const int fine = band && permi_band_search(maker, &room, block, rival, band, offer);
  permi_pool_release(&room);
  if (!fine || offer->why[0])
    return fine ? PERM_OK : permi_fail_memory(maker->result);
  each = band->numbers.algebra == PERMI_MAGNITUDES ? 0 : block->imaginary && !dd ? 5 : 2;
  gamma = permi_gamma(roundings + (edges + (each + (band->counted ? 2 : 0)) * n) * unit) + (dd ? n * PERMI_DD_UNIT : 0);
  sums = permi_gamma(2 * edges + 4.0 * n + roundings);
  band->bound_relative = gamma / (1 - sums) * (1 + 8 * PERMI_UNIT);
  band->lossy = permi_gamma((edges + 3.0 * n) * unit) * 2;
  band->lost_error = working->lost_error;
  band->n = n;
  offer->seconds = band->price.cost * band->seconds_each + band->price.made * PERMI_BAND_MADE_SECONDS +
                   n * PERMI_ROW_SECONDS + 2e-6;
  offer->bytes = 2 * band->price.most * 8.0 * (double)permi_numbers_words(&band->numbers) +
                 sizeof(permi_band_run) *
                     fmin(2.0 * PERMI_BAND_KEPT_RUNS, 4 * band->price.most * band->price.width) + 131072 +
                 48.0 * block->edges;
  return PERM_OK;
}

static perm_status permi_band_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  permi_band *band = (permi_band *)offer->plan;
  static const uint64_t kind[] = {0, 1, 2, 3, 3, 4, 5, 5, 5, 5}; /* in saved states */
  const permi_numbers *numbers = &band->numbers;
  const int integers = permi_algebra_is_integer(numbers->algebra);
  uint64_t hash = permi_hash(PERMI_HASH_START, kind[numbers->algebra]);
  (void)block;
  hash = permi_hash(hash, integers ? (uint64_t)numbers->algebra : 0);
  hash = permi_hash(permi_hash(hash, integers ? (uint64_t)numbers->words : 0), numbers->modulus);
  for (int i = 0; i < band->n; i++)
    for (int e = band->entry_start[i]; e < band->entry_start[i + 1] && !permi_watch_step(maker->watch, (size_t)e, 10);
         e++) {
      hash = permi_hash(hash, (uint64_t)i << 32 | (uint64_t)band->entry_group[e]);
      if (!integers)
        hash = permi_hash_double(permi_hash_double(hash, band->entry[e].real[0]), band->entry[e].real[1]);
      for (int part = 0; integers && part < numbers->parts; part++)
        hash = permi_hash(hash, (uint64_t)band->entry[e].integer[part]);
    }
  leaf->information.work = band->price.cost;
  leaf->information.fingerprint = hash;
  permi_leaf_values(leaf, numbers, band->bound_relative, PERMI_UNIT, permi_band_task, permi_band_explain);
  leaf->threaded = band->price.longest * band->seconds_each >= PERMI_SHARE_SECONDS;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
