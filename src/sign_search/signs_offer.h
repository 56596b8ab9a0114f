/* ==================================================================================== >>signs_offer
   A range is a run of living prefixes of the first columns, which are numbered, so any partition adds to the same
   integer. The price is measured: subtrees below random prefixes are searched, deep ones after random descents
   [Knu75]. */
#pragma once
#include "../graph/device.h"
#include "signs_order.h"

#define PERMI_SIGNS_WORKSPACE ((PERM_MAX_N + 1) * sizeof(permi_signs_frame) + sizeof(permi_signs_walk))
#define PERMI_SIGNS_PROBES 20000
#define PERMI_SIGNS_PATHS 1048576
#define PERMI_SIGNS_MOVES 20  /* chosen: for each column, of first orders, */
#define PERMI_SIGNS_LENGTHS 3 /* with blocks of 9, 8, 7 columns */

/* Counts living prefixes of `depth` columns, up to `room`; lists them unless path is NULL. */
static uint64_t permi_signs_list(permi_signs_walk *walk, int depth, uint64_t *path, uint64_t *weight, uint64_t room,
                                 permi_control *watch)
{
  uint64_t at = 1, found = 0; /* first sign: + */
  int k = 0, alive, block, w;
  if (depth == 0)
    return 0;
  for (;;) {
    if (walk->counted[0] % 4096 == 0 && permi_watch(watch, 4096 * 20))
      return found;
    alive = walk->signs->family->step(walk, k, (int)(at >> k & 1));
    if (alive && k + 1 < depth) {
      k++;
      continue;
    }
    if (alive) {
      if (found == room)
        return found;
      if (path) {
        uint64_t left[2] = {0, 0}; /* living patterns of both blocks */
        for (block = 0; block < 2; block++)
          for (w = 0; w < PERMI_SIGNS_WORDS; w++)
            left[block] += (uint64_t)permi_count_ones(walk->frame[depth].alive[block][w]);
        path[found] = at;
        weight[found] = left[0] * left[1];
      }
      found++;
    }
    for (; k > 0 && at >> k & 1; k--)
      at &= ~(UINT64_C(1) << k);
    if (k == 0)
      return found;
    at |= UINT64_C(1) << k;
  }
}

/* Descends by random living signs; returns 2^forks, or 0 if it died. */
static double permi_signs_descend(permi_signs_walk *walk, int k, int depth, uint64_t *seed)
{
  double weight = 1;
  for (; k < depth; k++) {
    const int bit = k == 0 || permi_order_below(seed, 2), fork = k > 0;
    const int other = fork && walk->signs->family->step(walk, k, !bit);
    const int alive = walk->signs->family->step(walk, k, bit);
    if (!alive && !other)
      return 0;
    if (!alive)
      walk->signs->family->step(walk, k, !bit);
    weight *= alive && other ? 2 : 1;
  }
  return weight;
}

static void permi_signs_probe(permi_signs *signs, permi_signs_walk *walk, int deep, double share, uint64_t *seed,
                              permi_control *watch)
{
  const double slower = 1 + (signs->by_table ? permi_lanes_row(signs->isa) : 0);
  const double *each = permi_signs_each[!signs->by_table];
  const double pair = signs->narrow ? each[3] : PERMI_SIGNS_WIDE_SECONDS * signs->words * signs->n;
  double sum = 0, squares = 0, spent = 0, counts[4] = {0, 0, 0, 0};
  int probes = 0, k;
  while (probes < PERMI_SIGNS_PROBES) {
    const uint64_t path = signs->path[(uint64_t)(permi_order_random(seed) * signs->paths)];
    permi_signs_follow(walk, path, 0, signs->depth);
    memset(walk->counted, 0, sizeof walk->counted);
    const double weight = permi_signs_descend(walk, signs->depth, deep, seed);
    if (weight > 0)
      signs->family->search(walk, deep > signs->depth ? deep : signs->depth);
    for (k = 0; k < 4; k++)
      counts[k] += weight * (double)walk->counted[k];
    const double seconds = each[0] * (double)walk->counted[0] + each[1] * (double)walk->counted[1] +
                           slower * (each[2] * (double)walk->counted[2] + pair * (double)walk->counted[3]);
    spent += seconds + 2e-8 * signs->prefix;
    sum += weight * seconds;
    squares += weight * seconds * weight * seconds;
    probes++;
    if (permi_watch(watch, 1e9 * seconds + 20 * signs->prefix) || (probes >= 2 && spent > share) ||
        (probes >= 30 && squares * probes - sum * sum < 1e-4 * probes * sum * sum))
      break;
  }
  signs->seconds = sum / probes * signs->paths;
  signs->spread = 1.96 * sqrt(fmax(squares / probes - sum * sum / probes / probes, 0) / probes) * signs->paths;
  for (k = 0; k < 4; k++)
    signs->counted[k] = counts[k] / probes * signs->paths;
}

/* Neighbours cost alike: ranges are scattered by a golden section. */
static void permi_signs_cut_ranges(permi_signs *signs, uint64_t *weight, uint64_t paths)
{
  const double each = signs->gpu ? PERMI_CHUNK_SECONDS / 50 : PERMI_CHUNK_SECONDS / 5;
  const double wanted = fmin(fmin((double)paths, 262144), ceil(signs->seconds / each));
  const uint64_t ranges = UINT64_C(1) << (permi_exponent(fmax(wanted, 1)) - 1);
  uint64_t total = 0, sum = 0, i, k, *cut, *begin;
  signs->ranges = (int)ranges;
  signs->begin = begin = (uint64_t *)permi_pool_zeros(&signs->owned.pool, 2 * (size_t)ranges + 2, sizeof *begin);
  if (!begin)
    return;
  cut = begin + ranges + 1;
  for (i = 0; i < paths; i++)
    total += weight[i];
  for (i = k = 0; k < ranges; cut[++k] = i) /* below 2^20 2^18 2^18 */
    while (i < paths && (k + 1 == ranges || sum * ranges < total * (k + 1)))
      sum += weight[i++];
  memcpy(weight, signs->path, (size_t)paths * sizeof *weight);
  for (k = 0; k < ranges; k++) {
    const uint64_t from = k * ((uint64_t)(0.618 * (double)ranges) | 1) % ranges;
    begin[k + 1] = begin[k] + cut[from + 1] - cut[from];
    memcpy(signs->path + begin[k], weight + cut[from], (size_t)(begin[k + 1] - begin[k]) * sizeof *weight);
  }
}

/* Returns 0 without memory. */
static int permi_signs_ranges(permi_signs *signs, double expected, double share, permi_control *watch)
{
  const perm_allocator *allocator = &signs->owned.allocator;
  void *memory = permi_allocate(allocator, PERMI_SIGNS_WORKSPACE + 64, 1);
  permi_signs_frame *frame = (permi_signs_frame *)(void *)((char *)memory + (64 - ((uintptr_t)memory & 63)) % 64);
  permi_signs_walk *walk = (permi_signs_walk *)(void *)(frame + PERM_MAX_N + 1);
  uint64_t seed = UINT64_C(0x9e3779b97f4a7c15), found = 0, *weight;
  const double wanted = fmin(fmax(4 / PERMI_PARALLEL_SECONDS * expected, 1), PERMI_SIGNS_PATHS);
  const double *each = permi_signs_each[2], *counted = signs->counted; /* each: of one GPU */
  int depth = 1, deep, fit;
  if (!memory)
    return 0;
  permi_signs_begin(walk, signs, frame);
  for (;; depth++) {
    found = permi_signs_list(walk, depth, NULL, NULL, PERMI_SIGNS_PATHS, watch);
    if (!found || (double)found >= wanted || depth == signs->prefix || permi_watch(watch, 0))
      break;
    depth += (double)found < wanted / 64 && depth + 4 < signs->prefix ? 3 : 0;
  }
  signs->depth = depth;
  while (found == PERMI_SIGNS_PATHS && signs->depth > 1) /* some are not listed */
    found = permi_signs_list(walk, --signs->depth, NULL, NULL, PERMI_SIGNS_PATHS, watch);
  weight = (uint64_t *)permi_allocate(allocator, found + 1, sizeof *weight);
  signs->path = (uint64_t *)permi_pool_get(&signs->owned.pool, found + 1, sizeof *signs->path);
  if (signs->path && weight) {
    signs->paths = (double)permi_signs_list(walk, signs->depth, signs->path, weight, found, watch);
    deep = signs->depth + (int)(1.5 * log2(fmax(expected / fmax(signs->paths, 1) / (PERMI_PARALLEL_SECONDS / 2), 1)));
    deep = deep < signs->prefix ? deep : signs->prefix;
    signs->seconds = 0;
    if (found && !(watch && watch->stopped != PERM_OK))
      permi_signs_probe(signs, walk, deep, share, &seed, watch);
  }
  permi_release(allocator, memory);
  const double here = each[0] * counted[0] + each[1] * counted[1] + each[2] * counted[2] +
                      each[3] * (1 + signs->shared_words) * counted[3];
  signs->gpu_seconds = PERMI_GPU_COMPILE + here * (signs->gpu ? permi_gpu_slower(PERM_GPU_32) : 1);
  fit = signs->bits[0] < 62 && signs->bits[1] < 62 && signs->bits[2] < 62 && signs->bits[3] < 62;
  /* a range may have all prefixes */
  signs->gpu &= found && (signs->by_table || fit) && signs->sum_bits < 189 && signs->prefix > signs->depth &&
                signs->prefix < 58 && (signs->isa_asked == PERM_ISA_CUDA || signs->seconds > signs->gpu_seconds);
  if (signs->path && weight)
    permi_signs_cut_ranges(signs, weight, found);
  permi_release(allocator, weight);
  return !signs->owned.pool.failed && weight;
}

/* Returns 0 if sums are too large for counts. */
static int permi_signs_read(const permi_block *block, int side, permi_signs_matrix *matrix)
{
  const int n = block->n, mine = side * n, other = n - mine;
  memset(matrix, 0, sizeof *matrix);
  matrix->n = n;
  for (int i = 0; i < n; i++)
    for (int e = block->start[mine + i]; e < block->start[mine + i + 1]; e++) {
      const int64_t x = block->integer[block->edge[e]];
      const int j = block->neighbour[e] - other;
      if (x < -PERMI_SIGNS_MOST || x > PERMI_SIGNS_MOST || (matrix->size[i] += abs((int)x)) > PERMI_SIGNS_MOST)
        return 0;
      matrix->sum[i] += (int)x;
      matrix->entry[i][j] = (int)x;
      matrix->touched[i] |= UINT64_C(1) << j;
    }
  return 1;
}

static int permi_signs_takes(const permi_maker *maker, const permi_block *block, permi_offer *offer)
{
  const perm_precision precision = maker->options->precision;
  if (block->n > PERM_MAX_N)
    permi_refuse(offer, PERM_ERROR_LIMIT, "is larger than the %d columns that signs take: try method frontier",
                 PERM_MAX_N);
  else if (!block->integer)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has %s: method sign-search takes exact integers; try method hybrid",
                 precision == PERM_PRECISION_DEFAULT ? "real or complex entries" : "rounded numbers asked for");
  else if (block->imaginary_integer)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED,
                 "has Gaussian integers, which method sign-search does not take: try frontier");
  return !offer->why[0];
}

/* Than a core, at most. */
static double permi_signs_faster(const perm_options *options, int n)
{
  return permi_gpu_wanted(options, n) ? fmax(PERMI_SIGNS_GPU_FASTER / permi_gpu_slower(PERM_GPU_32), 1) : 1;
}

/* Returns the seconds that the order may take, and again the probes. */
static double permi_signs_share(const permi_signs_model *model, double seconds, double rival, double faster)
{
  seconds = faster > 1 ? PERMI_SIGNS_GPU_PLAN * (PERMI_GPU_COMPILE + seconds / faster) : seconds;
  return fmin(PERMI_ANNEAL_SHARE * fmin(seconds, rival), PERMI_SIGNS_PLAN_MOST * model->effort);
}

/* Tries blocks of several lengths while it pays. Returns the expected seconds. */
static double permi_signs_search_order(permi_signs_model *model, double rival, double faster, permi_control *watch,
                                       int *moves, permi_signs_order *best)
{
  const int n = model->n;
  uint64_t seed = UINT64_C(88172645463325252);
  double least = (double)INFINITY, cost;
  permi_signs_order order;
  *moves = 0;
  int each = (int)fmin(PERMI_SIGNS_MOVES * n, 10 * n + PERMI_ANNEAL_SHARE * rival * 1e9 /
                                                       (PERMI_SIGNS_LENGTHS * PERMI_SIGNS_MOVE_UNITS(n)));
  for (int round = 0;; round++) {
    if (round < PERMI_SIGNS_LENGTHS) {
      const int length = permi_clamp(PERMI_SIGNS_BLOCK - round, 0, (n - 1) / 2);
      for (int k = 0; k < n; k++)
        order.column[k] = k;
      order.length[0] = order.length[1] = length;
      order.prefix = n - 2 * length;
    } else {
      order = *best;
      each *= 2;
    }
    cost = permi_signs_anneal(model, &order, each, round < PERMI_SIGNS_LENGTHS ? 0.3 : 0.1, &seed, watch);
    *moves += each;
    if (cost < least) {
      least = cost;
      *best = order;
    }
    if ((watch && watch->stopped != PERM_OK) ||
        (round + 1 >= PERMI_SIGNS_LENGTHS &&
         1e-9 * PERMI_SIGNS_MOVE_UNITS(n) * 2 * each > permi_signs_share(model, least, rival, faster)))
      return least;
  }
}

static uint64_t permi_signs_hash(const permi_signs *signs, const permi_signs_matrix *matrix,
                                 const permi_signs_order *order)
{
  const int n = matrix->n;
  uint64_t hash = permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)n), (uint64_t)signs->depth);
  hash = permi_hash(permi_hash(hash, (uint64_t)order->length[0]), (uint64_t)order->length[1]);
  for (int j = 0; j < n; j++)
    hash = permi_hash(hash, (uint64_t)order->column[j]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (matrix->entry[i][j])
        hash = permi_hash(permi_hash(hash, (uint64_t)(i * n + j)), (uint64_t)(int64_t)matrix->entry[i][j]);
  return permi_hash(hash, ~(uint64_t)signs->ranges);
}

/* Reads the side that leaves fewer leaves, with weights; returns how many columns are doubled, -1: too large. */
static int permi_signs_prepare(const permi_block *block, permi_signs_work *work, double rival, permi_control *watch)
{
  double least = (double)INFINITY;
  int side, best = -1, doubled = -1;
  work->model.effort = fmax(watch->options->plan_effort, 1);
  for (side = 0; side < 3; side++) {
    if (side == 2 && best) /* none, or this side was read last */
      break;
    if (!permi_signs_read(block, side & 1, &work->matrix))
      continue;
    doubled = permi_signs_weigh(work, rival, watch);
    permi_signs_model_make(&work->model, &work->matrix);
    if (permi_signs_leaves(&work->model) < least) {
      least = permi_signs_leaves(&work->model);
      best = side;
    }
  }
  return doubled;
}

static perm_status permi_signs_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const perm_options *options = maker->options;
  perm_options open = *options;
  permi_signs *signs;
  double expected, share, plan = rival, faster;
  int i, made = 0;
  if (!permi_signs_takes(maker, block, offer))
    return PERM_OK;
  if (maker->offers) /* orders and probes share what other engines left */
    plan = fmin(rival, 1e-9 * permi_account_left(maker->account, rival) / (2 * PERMI_ANNEAL_SHARE));
  if (plan < PERMI_SIGNS_LEAST_SECONDS)
    return permi_refuse(offer, PERM_ERROR_LIMIT,
                        "is not searched: other plans took the time that a run of %s deserves",
                        permi_time_words(rival).text);
  faster = permi_signs_faster(options, block->n);
  open.isa = open.isa == PERM_ISA_CUDA ? PERM_ISA_AUTO : open.isa; /* probes run on the CPU */
  const perm_isa isa = permi_isa(&open);
  permi_signs_work *work = (permi_signs_work *)permi_allocate(allocator, 1, sizeof *work);
  offer->plan = signs = (permi_signs *)permi_owned_new(allocator, sizeof *signs);
  if (work && signs) {
    made = 1;
    signs->isa = permi_lanes(isa) < 4 ? PERM_ISA_PLAIN : isa;
    signs->isa_asked = options->isa;
    signs->gpu = permi_gpu_wanted(options, block->n);
    signs->family = PERMI_OF_X86(permi_signs_family, signs->isa);
    signs->twos = permi_signs_prepare(block, work, plan, maker->watch);
    if (signs->twos < 0)
      permi_refuse(offer, PERM_ERROR_LIMIT,
                   "has rows whose moduli add up to more than the %d that method sign-search counts: try method "
                   "sparyser",
                   PERMI_SIGNS_MOST);
    else if (permi_signs_leaves(&work->model) * ldexp(permi_signs_each[0][0] / 3.5, block->n - 1) > rival * faster)
      permi_refuse(offer, PERM_ERROR_LIMIT, "takes more than %s: too few signs are pruned",
                   permi_time_words(rival).text);
  }
  if (made && !offer->why[0]) {
    expected = permi_signs_search_order(&work->model, plan, faster, maker->watch, &signs->moves, &work->order);
    share = permi_signs_share(&work->model, expected, plan, faster);
    if (expected > PERMI_SIGNS_HOPE * rival * faster)
      permi_refuse(offer, PERM_ERROR_LIMIT, "takes about %s, more than others",
                   permi_time_words(expected / faster).text);
    else
      made = permi_signs_lay(signs, &work->matrix, &work->order) &&
             permi_signs_ranges(signs, expected, share, maker->watch);
    for (i = 0; i < block->n; i++)
      signs->evens += !(work->matrix.sum[i] & 1);
    signs->fingerprint = permi_signs_hash(signs, &work->matrix, &work->order);
    if (made && !offer->why[0] && options->isa == PERM_ISA_CUDA && !signs->gpu)
      permi_refuse(offer, PERM_ERROR_UNSUPPORTED,
                   "is too small or has too large sums for method sign-search on GPUs: leave options.isa open, and it "
                   "runs on the CPU");
    if (made && !offer->why[0])
      offer->seconds = signs->gpu ? signs->gpu_seconds : signs->seconds;
    offer->bytes = 16.0 * signs->paths + (double)PERMI_SIGNS_WORKSPACE + 1e6;
  }
  permi_release(allocator, work);
  return made ? PERM_OK : permi_fail_memory(maker->result);
}

/* Takes twice what a short search expects, where greedy orders of the frontier take longer. */
static perm_status permi_signs_least(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const double faster = permi_signs_faster(maker->options, block->n);
  permi_offer takes;
  int moves;
  memset(&takes, 0, sizeof takes);
  offer->least = fmax(offer->least, PERMI_SIGNS_LEAST_SECONDS);
  if (!(PERMI_ESCALATE_SECONDS < rival) || block->edges < PERMI_SIGNS_HOPE_ENTRIES * block->n ||
      !permi_signs_takes(maker, block, &takes))
    return PERM_OK;
  permi_signs_work *work = (permi_signs_work *)permi_allocate(&maker->options->allocator, 1, sizeof *work);
  if (!work)
    return permi_fail_memory(maker->result);
  if (permi_signs_prepare(block, work, PERMI_SIGNS_LEAST_SECONDS, maker->watch) >= 0)
    offer->likely = 2 / faster * permi_signs_search_order(&work->model, PERMI_SIGNS_LEAST_SECONDS, 1, maker->watch,
                                                          &moves, &work->order) +
                    (faster > 1 ? PERMI_GPU_COMPILE : 0);
  permi_release(&maker->options->allocator, work);
  return PERM_OK;
}

static size_t permi_signs_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_signs *signs = (const permi_signs *)leaf->context;
  const int *place = signs->place;
  return permi_say(
      buffer, size,
      "signs, order %d, %s: %d columns one by one, blocks of %d and %d; %d rows end branches, %d and %d thin out a "
      "block, %d join both; %d sums of rows even, %d columns doubled; %d moves of annealing\n"
      "signs: about %.3g nodes, %.3g joins of %.3g patterns in %.3g pairs, of 2^%d; predicted %.3g s +- %.2g%% (95 %%, "
      "by random probes); %.0f prefixes of %d columns in %d ranges\n",
      signs->n, perm_name("isa", leaf->information.isa), signs->prefix, signs->length[0], signs->length[1],
      place[4] - place[3], place[2] - place[1], place[3] - place[2], place[1], signs->evens,
      signs->twos, signs->moves, signs->counted[0],
      signs->counted[1], signs->counted[2], signs->counted[3], signs->n - 1, leaf->information.seconds,
      signs->seconds > 0 ? 100 * signs->spread / signs->seconds : 0.0, signs->paths, signs->depth, signs->ranges);
}

static perm_status permi_signs_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  permi_signs *signs = (permi_signs *)offer->plan;
  const int shift = signs->evens + 1 - signs->n - signs->twos; /* even sums: halved */
  (void)maker;
  (void)block;
  signs->doubled = shift > 0;
  permi_leaf_ranges(leaf, signs->gpu ? PERM_ISA_CUDA : signs->isa, (uint64_t)signs->ranges,
                    signs->counted[0] + signs->counted[3], signs->fingerprint, permi_signs_chunk, PERMI_SIGNS_WORKSPACE,
                    permi_signs_explain);
  leaf->integer = 1;
  leaf->scale_exp2 = shift > 0 ? 0 : shift;
  return signs->gpu ? permi_signs_gpu_make(maker, signs, leaf) : PERM_OK;
}
/* SPDX-License-Identifier: MIT */
