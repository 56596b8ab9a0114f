/* ================================================================================= >>frontier_offer
   Offers of methods frontier, lists, arrays and sorting. */
#pragma once
#include "../reference/sorting.h"
#include "../frontier/arrays_run.h"
#include "../tree/tree_build.h"
#include "../graph/engines.h"

static size_t permi_frontier_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_frontier *frontier = (const permi_frontier *)leaf->context;
  char there[64] = "", residues[64] = "";
  if (frontier->arrays && frontier->arrays->isa == PERM_ISA_CUDA)
    permi_say(there, sizeof there, ", %.3g on the GPU", permi_gpu_needs(frontier));
  if (frontier->arrays && frontier->arrays->by_residues) {
    const permi_array_residues *by = &frontier->arrays->residues;
    if (by->primes)
      snprintf(residues, sizeof residues, "residues modulo %d primes of %d bits", by->primes, by->bits);
    else
      snprintf(residues, sizeof residues, by->modulus ? "residues in doubles" : "integers in doubles");
  }
  return permi_say(buffer, size,
                   "%s, order %d: width %d, %d steps, at most %.3g states in %s, about %.3g transitions of %s, "
                   "predicted %.3g s, %.3g bytes%s\n",
                   perm_name("method", leaf->information.method), leaf->information.n, frontier->width, frontier->steps,
                   fmax(frontier->room[0], frontier->room[1]),
                   !frontier->arrays                        ? "lists"
                   : frontier->arrays->isa == PERM_ISA_CUDA ? "arrays on a GPU"
                                                            : "arrays",
                   leaf->information.work,
                   residues[0] ? residues : permi_numbers_text(&frontier->numbers, 1), leaf->information.seconds,
                   leaf->information.bytes, there);
}

static uint64_t permi_frontier_fingerprint(const permi_frontier *frontier, permi_control *watch)
{
  uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)frontier->numbers.algebra);
  hash = permi_hash(permi_hash(hash, (uint64_t)frontier->numbers.words), frontier->numbers.modulus);
  for (int i = 0; i <= frontier->steps; i++)
    hash = permi_hash(hash, (uint64_t)frontier->stream_start[i]);
  for (int i = 0; i < frontier->stream_start[frontier->steps] && !permi_watch_step(watch, (size_t)i, 30); i++) {
    for (int j = 0; j < 3; j++)
      hash = permi_hash(hash, permi_stream_word(frontier, i, j, 0));
    hash = permi_coefficient_hash(hash, &frontier->coefficient[i]);
    for (int j = 0; j < 3; j++)
      for (int w = 1; w < frontier->mask_words; w++)
        hash = permi_hash(hash, permi_stream_word(frontier, i, j, w));
  }
  return hash;
}

static double permi_lists_weight(const permi_numbers *numbers)
{
  const double words = numbers->algebra == PERMI_WORDS ? permi_list_weight[PERMI_RESIDUES + 1] * numbers->words : 0;
  return permi_list_weight[numbers->algebra] + words;
}

#define PERMI_GPU_PLANES 10 /* words of a value */
/* `offer` is of lists, `seconds` of arrays on the CPU. With cpu_fallback the GPU must be there and have the memory. */
static int permi_arrays_on_gpu(const perm_options *options, const permi_frontier *frontier, double seconds,
                               permi_offer *offer)
{
  if (!options->gpu.devices || frontier->numbers.algebra == PERMI_RESIDUES ||
      permi_arrays_bytes_at(frontier, frontier->steps) > 8 * PERMI_GPU_PLANES)
    return 0;
  if (options->method != PERM_METHOD_ARRAYS && offer->seconds < seconds)
    seconds = offer->seconds;
  if (options->isa != PERM_ISA_CUDA && permi_arrays_gpu_seconds(frontier) >= seconds)
    return 0;
  const double there = permi_gpu_bytes(), needed = permi_gpu_needs(frontier);
  if (there > 0 && needed > there * PERMI_GPU_SHARE)
    permi_say(offer->why, sizeof offer->why, "on a GPU %.3g of %.3g", needed, there);
  return there > 0 ? needed <= there * PERMI_GPU_SHARE : !options->gpu.cpu_fallback;
}

/* Takes residues where they are faster. Returns 0 without memory. */
static int permi_residues_offer(const permi_maker *maker, permi_frontier *frontier, double *seconds)
{
  permi_arrays *arrays = frontier->arrays;
  *seconds = permi_arrays_seconds(frontier);
  if (!frontier->bits || maker->keeps)
    return 1;
  if (!permi_residues_plan(frontier, maker->working->modulus))
    return 0;
  if (!arrays->residues.passes)
    return 1;
  arrays->by_residues = 1;
  const double by_residues = permi_arrays_seconds(frontier);
  arrays->by_residues = by_residues < *seconds;
  *seconds = fmin(*seconds, by_residues);
  return 1;
}

/* Measures; takes residues where integers do not fit. Returns 0 without memory. */
static int permi_arrays_fitted(const perm_options *options, permi_frontier *frontier, double *seconds,
                               permi_control *watch)
{
  permi_arrays *arrays = frontier->arrays;
  const double limit = options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES;
  if (!permi_arrays_measured(frontier, watch))
    return 0;
  if (arrays->isa == PERM_ISA_CUDA || arrays->by_residues || !arrays->residues.passes ||
      permi_arrays_bytes(arrays) <= limit)
    return 1;
  arrays->by_residues = 1;
  arrays->bytes = 0;
  *seconds = permi_arrays_seconds(frontier);
  return permi_arrays_measured(frontier, watch);
}

static int permi_frontier_may_run(const perm_options *options, double seconds)
{
  return options->max_seconds == 0 || seconds <= options->max_seconds || permi_in_pieces(options);
}

#define PERMI_ARRAY_STATES 5000 /* least peak of arrays */
/* Arrays hold unreachable states and cost more in small steps. */
static perm_status permi_frontier_choose(permi_maker *maker, const permi_block *block, double rival,
                                         permi_frontier *frontier, permi_offer *offer)
{
  const perm_options *options = maker->options;
  const double states = fmax(frontier->room[0], frontier->room[1]);
  offer->seconds =
      permi_order_seconds(block, frontier->cost[frontier->steps] * permi_lists_weight(&frontier->numbers));
  offer->bytes =
      (frontier->room[0] + frontier->room[1]) * ((double)permi_value_bytes(frontier) + PERMI_GROUP_BYTES) + 65536;
  if (options->method == PERM_METHOD_LISTS || options->method == PERM_METHOD_SORTING ||
      (options->method != PERM_METHOD_ARRAYS && states < PERMI_ARRAY_STATES && options->isa != PERM_ISA_CUDA))
    return PERM_OK;
  if (!permi_arrays_create(block, frontier, permi_isa(options), PERMI_ARRAY_LOW, maker->watch))
    return permi_fail_memory(maker->result);
  if (frontier->arrays) {
    permi_arrays *arrays = frontier->arrays;
    double seconds;
    if (!permi_residues_offer(maker, frontier, &seconds))
      return permi_fail_memory(maker->result);
    const int residues = arrays->by_residues;
    arrays->by_residues = 0;
    if (permi_arrays_on_gpu(options, frontier, seconds, offer)) {
      arrays->isa = PERM_ISA_CUDA;
      seconds = permi_arrays_gpu_seconds(frontier);
    } else if (options->method != PERM_METHOD_ARRAYS && seconds > offer->seconds) {
      frontier->arrays = NULL;
    }
    if (frontier->arrays) {
      arrays->by_residues = residues && arrays->isa != PERM_ISA_CUDA;
      if (seconds < rival && permi_frontier_may_run(options, seconds)) {
        if (!permi_arrays_fitted(options, frontier, &seconds, maker->watch))
          return permi_fail_memory(maker->result);
        offer->bytes = permi_arrays_bytes(arrays);
      } /* else those of two whole steps */
      offer->seconds = seconds;
    }
  } else if (options->method == PERM_METHOD_ARRAYS) {
    permi_refuse(offer, PERM_ERROR_LIMIT, "needs %d slots or more, over the %d of arrays", frontier->width,
                 PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH);
  }
  if (offer->why[0] && offer->status == PERM_OK && options->max_bytes == 0 && offer->bytes > PERMI_DEFAULT_BYTES) {
    char gpu[sizeof offer->why];
    memcpy(gpu, offer->why, sizeof gpu);
    permi_refuse(offer, PERM_ERROR_LIMIT, "would need %s, and %s", permi_size_words(offer->bytes).text, gpu);
  }
  return PERM_OK;
}

/* Sets the budget of orders, the GPU's if a quick order will run there: two steps are in memory; samples keep to one
   order whatever max_bytes. Returns 0 without memory. */
static int permi_frontier_budget(const permi_maker *maker, const permi_block *block, double rival, int *order,
                                 permi_budget *budget)
{
  const perm_options *options = maker->options;
  const double bytes = options->max_bytes > 0 && !maker->keeps ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES;
  double size = 8 * (block->imaginary ? 2 : 1) * (permi_sparse_doubled(options) ? 2 : 1), cost, there;
  permi_numbers numbers;
  if (block->integer && options->method != PERM_METHOD_LISTS && options->method != PERM_METHOD_SORTING && !maker->keeps)
    size = 8; /* residues */
  else if (block->integer)
    size = 8 * (block->imaginary_integer ? 2 : 1) * (floor((permi_block_bits(block) + 1) / 64) + 1);
  budget->effort = options->plan_effort > 0 ? options->plan_effort : 1;
  budget->most = 0.49 * bytes / size;
  (void)permi_numbers_choose(&numbers, block, maker->working->modulus, permi_sparse_doubled(options));
  budget->each = budget->quick = PERMI_STATE_SECONDS * permi_lists_weight(&numbers);
  budget->start = budget->quick_start = 0;
  budget->quick_width = PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH;
  if (options->method != PERM_METHOD_LISTS && options->method != PERM_METHOD_SORTING) {
    const permi_algebra algebra = block->integer ? PERMI_WORD : block->imaginary ? PERMI_COMPLEX : PERMI_MAGNITUDES;
    budget->quick = permi_array_seconds[algebra];
    budget->quick_start = PERMI_ARRAY_STREAM_SECONDS * block->edges;
  }
  budget->rival = rival;
  budget->first[0] = maker->offers ? maker->offers->elimination : NULL;
  budget->first[1] = maker->offers ? maker->offers->glanced : NULL;
  budget->reserve = maker->layouts ? PERMI_PLAN_RIVAL * permi_account_free(maker->account, rival) : 0;
  budget->account = maker->account;
  if (!options->gpu.devices)
    return 1;
  permi_budget quick = *budget;
  quick.effort = 0;
  if (!permi_order(&options->allocator, block, maker->binomial, &quick, order, &cost))
    return 0;
  if (options->isa != PERM_ISA_CUDA && cost * PERMI_STATE_SECONDS < PERMI_GPU_START_SECONDS)
    return 1;
  there = permi_gpu_bytes();
  if (there > 0) {
    budget->most *= PERMI_GPU_SHARE * there / bytes;
    budget->each = budget->quick = PERMI_GPU_STATE_SECONDS * permi_gpu_slower(PERM_GPU_MEMORY);
    budget->start = PERMI_GPU_START_SECONDS;
    budget->quick_start = 0;
  }
  return 1;
}

/* The caller releases *order. `quick`: greedy ones alone. Returns 0 without memory. */
static int permi_frontier_order(permi_maker *maker, const permi_block *block, double rival, int quick,
                                permi_budget *budget, int **order, double *cost)
{
  const perm_allocator *allocator = &maker->options->allocator;
  *order = (int *)permi_allocate(allocator, (size_t)block->vertices, sizeof **order);
  if (!maker->binomial)
    maker->binomial = permi_binomials(allocator, maker->working->n);
  if (!*order || !maker->binomial || !permi_frontier_budget(maker, block, rival, *order, budget))
    return 0;
  budget->effort = quick ? 0 : budget->effort;
  return permi_order(allocator, block, maker->binomial, budget, *order, cost);
}

/* Returns the seconds by greedy orders, INFINITY beyond order PERM_MAX_N and by name. */
static double permi_frontier_glance(permi_maker *maker, const permi_block *block, double rival)
{
  double cost;
  permi_budget budget;
  int *order;
  if (!maker->offers || block->n > PERM_MAX_N)
    return (double)INFINITY;
  if (maker->offers->glance >= 0)
    return maker->offers->glance;
  maker->offers->glance = (double)INFINITY;
  if (permi_frontier_order(maker, block, rival, 1, &budget, &order, &cost) && cost < (double)INFINITY) {
    maker->offers->glance = permi_budget_seconds(&budget, cost);
    maker->offers->glanced = order;
    order = NULL;
  }
  permi_release(&maker->options->allocator, order);
  return maker->offers->glance;
}

#define PERMI_FRONTIER_FAR 4 /* an order of so many times the rival's seconds is given up */
static perm_status permi_frontier_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  permi_working *working = maker->working;
  permi_frontier *frontier = NULL;
  permi_budget budget;
  double cost = 0;
  int *order;
  perm_status status = PERM_ERROR_MEMORY;
  if (block->n > PERM_MAX_N && rival < permi_order_seconds(block, 0))
    return permi_refuse(offer, PERM_ERROR_LIMIT, "takes method frontier at least %s, and another engine less",
                        permi_time_words(permi_order_seconds(block, 0)).text);
  const permi_exactness exactness = {permi_entry_roundings(working, working->n) + block->additions,
                                     working->lost_error, working->modulus, permi_sparse_doubled(maker->options)};
  if (permi_frontier_order(maker, block, rival, 0, &budget, &order, &cost)) {
    const double seconds = permi_budget_seconds(&budget, cost);
    if (seconds > fmax(PERMI_FRONTIER_FAR * rival, PERMI_FREE_SECONDS) && cost < PERMI_ORDER_MOST) {
      permi_release(allocator, order);
      return permi_refuse(offer, PERM_ERROR_LIMIT, "takes about %s by frontier, more than others",
                          permi_time_words(seconds).text);
    }
    status = cost < PERMI_ORDER_MOST ? permi_frontier_create(allocator, block, order, maker->binomial, &exactness,
                                                             maker->watch, &frontier)
                                     : PERM_ERROR_LIMIT;
  }
  offer->plan = frontier;
  if (status == PERM_OK)
    status = permi_frontier_choose(maker, block, rival, frontier, offer);
  permi_release(allocator, order);
  if (status == PERM_ERROR_MEMORY)
    return permi_fail_memory(maker->result);
  if (status == PERM_OK)
    return PERM_OK;
  if (status == PERM_ERROR_OVERFLOW)
    return permi_refuse_long(offer);
  if (block->n > PERM_MAX_N && rival < (double)INFINITY)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "has no elimination order found that comes near to another engine");
  return permi_refuse(offer, PERM_ERROR_LIMIT,
                      "has no elimination order found within %d frontier vertices (predicted transitions %.3g)",
                      PERMI_FRONTIER_WIDTH, cost);
}

/* Large blocks begin with the order of trees. */
#define PERMI_FRONTIER_GAIN 0.1 /* annealed orders take at least this share of a greedy one's time */
static perm_status permi_frontier_least(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  if (block->n > PERM_MAX_N) {
    offer->least = fmax(offer->least, (PERMI_TREE_WORTH + 1) * PERMI_ORDER_PLAN_SECONDS *
                                           ((double)block->vertices + block->edges));
  } else if (PERMI_ANNEAL_SHARE * rival > PERMI_ANNEAL_LEAST) {
    offer->likely = permi_frontier_glance(maker, block, rival);
    if (offer->likely < (double)INFINITY)
      offer->least = fmax(offer->least, PERMI_FRONTIER_GAIN * offer->likely);
  }
  return PERM_OK;
}

static perm_status permi_frontier_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                       permi_leaf *leaf)
{
  permi_frontier *frontier = (permi_frontier *)offer->plan;
  const permi_arrays *arrays = frontier->arrays;
  if (arrays && permi_frontier_may_run(maker->options, offer->seconds)) {
    if (!permi_arrays_measured(frontier, maker->watch))
      return permi_fail_memory(maker->result);
    leaf->information.bytes = permi_arrays_bytes(arrays);
  }
  leaf->information.work = frontier->cost[frontier->steps];
  leaf->information.fingerprint = permi_frontier_fingerprint(frontier, maker->watch);
  permi_leaf_values(leaf, &frontier->numbers, frontier->bound_relative,
                    permi_algebra_is_dd(frontier->numbers.algebra) && !block->rounded ? PERMI_DD_UNIT : PERMI_UNIT,
                    maker->options->method == PERM_METHOD_SORTING ? permi_sorting_run : permi_frontier_run,
                    permi_frontier_explain);
  leaf->threaded = fmax(frontier->room[0], frontier->room[1]) >= PERMI_PARALLEL_STATES;
  if (arrays) {
    leaf->information.isa = arrays->isa;
    leaf->information.fingerprint =
        permi_arrays_fingerprint(leaf->information.fingerprint, frontier, maker->watch);
    leaf->run_task = permi_arrays_run_task;
    leaf->threaded = arrays->isa != PERM_ISA_CUDA;
  }
  return PERM_OK;
}

#define PERMI_SORTING_SLOWER 13 /* times merged lists: a regular graph of order 80 */
static perm_status permi_sorting_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_status status = permi_frontier_offer(maker, block, rival, offer);
  const permi_frontier *frontier = (const permi_frontier *)offer->plan;
  double most = 0;
  if (status != PERM_OK || !(offer->seconds < (double)INFINITY))
    return status;
  for (int p = 0; p < frontier->steps; p++)
    most = fmax(most, frontier->states[p] * (frontier->stream_start[p + 1] - frontier->stream_start[p]));
  offer->seconds *= PERMI_SORTING_SLOWER;
  offer->bytes = (frontier->room[0] + frontier->room[1]) *
                     ((double)permi_value_bytes(frontier) + 8 * frontier->mask_words) +
                 2 * most * (sizeof(permi_take) + 8) + 65536;
  return status;
}
/* SPDX-License-Identifier: MIT */
