/* ========================================================================================= >>sample
   Draws permutations, each block by the engine of >>trace that is predicted the quickest within memory. For doubles,
   u = 2^-53, the total variation distance is at most 4 (G + ways + steps) u to first order: G roundings in a value (THE
   BOUND); a draw has 53 bits, and for each way an addition and a subtraction. Underflow above 2^-60 of the last value
   and entries lost by scaling are refused. Sample i is seeded with (seed, i). */
#pragma once
#include "trace_classes.h"
#include "trace_frontier.h"
#include "derive_frontier.h"
#include "derive_hybrid.h"
#include "derive_tree.h"
#include "../sparse/choose.h"
#include "../sparse/sparse.h"

#define PERMI_SAMPLE_LOST 8.673617379884035e-19 /* 2^-60 */

/* With planning as of permi_engines. The last is for derivatives in doubles alone. */
static const permi_engine permi_sample_engines[] = {
    {PERM_METHOD_TREE, PERMI_PROVEN | PERMI_FREE, PERMI_ORDER_PLAN_SECONDS * 2 / 3, permi_tree_worth, permi_tree_offer,
     NULL, permi_owned_release},
    {PERM_METHOD_TWINS, PERMI_PROVEN, PERMI_CLASS_PLAN_SECONDS, permi_classes_least, permi_classes_offer, NULL,
     permi_owned_release},
    {PERM_METHOD_FRONTIER, PERMI_PROVEN | PERMI_FREE, PERMI_ORDER_PLAN_SECONDS, permi_frontier_least,
     permi_frontier_offer, NULL, permi_owned_release},
    {PERM_METHOD_LISTS, PERMI_NAMED | PERMI_FREE, 0, NULL, permi_frontier_offer, NULL, permi_owned_release},
    {PERM_METHOD_ARRAYS, PERMI_NAMED | PERMI_FREE, 0, NULL, permi_frontier_offer, NULL, permi_owned_release},
    {PERM_METHOD_HYBRID, 0, PERMI_ORDER_PLAN_SECONDS, permi_hybrid_least, permi_reverse_offer, NULL,
     permi_reverse_release}};
static const permi_tracer *const permi_tracers[] = {&permi_tree_tracer, &permi_classes_tracer, &permi_frontier_tracer,
                                                    &permi_frontier_tracer, &permi_frontier_tracer};
#define PERMI_TRACERS ((int)(sizeof permi_sample_engines / sizeof *permi_sample_engines))
static const permi_tracer *const permi_derivers[] = {&permi_tree_deriver, NULL, &permi_frontier_deriver,
                                                     &permi_frontier_deriver, &permi_frontier_deriver,
                                                     &permi_hybrid_deriver};

typedef struct permi_sampling {
  const perm_options *options;
  permi_control *watch;
  perm_result *result;
  permi_working working;
  permi_trace *trace; /* of a block */
  int blocks;
  int *forced; /* the column of a row that is a block by itself, or -1 */
  permi_draw *draw; /* of a thread */
  size_t words, room; /* the most of a block's trace */
  uint64_t steps;
  double visited, most;
  perm_method method; /* of the block with the most states */
  uint64_t seed, begin, count;
  int m, *columns;
  int engines; /* of permi_sample_engines */
  const permi_tracer *const *tracer;
  double worth; /* seconds to be beaten */
} permi_sampling;

static perm_status permi_draw_part(void *context, uint64_t part, int thread)
{
  permi_sampling *sampling = (permi_sampling *)context;
  const size_t m = (size_t)sampling->m;
  const uint64_t begin = part * PERMI_SAMPLE_PART;
  permi_draw draw = sampling->draw[thread]; /* a copy: threads share no line of caches */
  draw.count = (int)fmin(PERMI_SAMPLE_PART, (double)(sampling->count - begin));
  draw.columns = sampling->columns + (size_t)begin * m;
  for (int k = 0; k < draw.count; k++) {
    memcpy(draw.columns + (size_t)k * m, sampling->forced, m * sizeof *draw.columns);
    draw.random[k] = sampling->seed;
    draw.random[k] = permi_random(&draw.random[k]) + sampling->begin + begin + (uint64_t)k;
    draw.random[k] = permi_random(&draw.random[k]);
  }
  for (int b = 0; b < sampling->blocks; b++) {
    draw.trace = &sampling->trace[b];
    draw.trace->tracer->draw(&draw);
  }
  sampling->draw[thread] = draw;
  return thread ? PERM_OK : permi_control_poll(sampling->watch, 0, "drawing");
}

static perm_status permi_sample_hear(permi_maker *maker, const permi_block *block, const permi_engine *engine,
                                     permi_offer *offer, perm_status status)
{
  const double limit = permi_sample_limit(maker->options);
  const permi_tracer *const *tracer = maker->keeps > 1 ? permi_derivers : permi_tracers;
  if (status != PERM_OK || !(offer->seconds < (double)INFINITY))
    return status;
  if (engine->method == PERM_METHOD_TWINS && !permi_trace_words(&((permi_classes *)offer->plan)->numbers, block)) {
    permi_refuse(offer, PERM_ERROR_OVERFLOW, "would need integers of more than %d bits", 64 * PERM_INTEGER_WORDS);
    return status;
  }
  offer->bytes += tracer[engine - permi_sample_engines]->bytes(offer->plan);
  if (offer->bytes > limit)
    permi_refuse(offer, PERM_ERROR_LIMIT, "by method %s: the states of all steps are kept, predicted %s, over %s",
                 perm_name("method", engine->method), permi_size_words(offer->bytes).text,
                 permi_size_words(limit).text);
  return status;
}

static perm_status permi_sample_refuse(permi_maker *maker, const permi_block *block, const permi_offers *offers)
{
  const permi_offer *why = NULL;
  for (int i = 0; i < offers->engines; i++) /* the frontier's reason says most */
    why = offers->offer[i].why[0] ? &offers->offer[i] : why;
  if (maker->watch->stopped != PERM_OK)
    return maker->watch->stopped;
  if (offers->too_long)
    return permi_fail_long(maker->result);
  if (maker->options->method == PERM_METHOD_HYBRID && why)
    return permi_fail(maker->result, PERM_ERROR_LIMIT, 2, "a block of order %d %s", block->n, why->why);
  return permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                    "a block of order %d %s: raise max_bytes, now %s, or plan_effort to find fewer states",
                    block->n, why ? why->why : "has no plan",
                    permi_size_words(permi_sample_limit(maker->options)).text);
}

static perm_status permi_sampling_block(permi_sampling *sampling, permi_maker *maker, permi_trace *trace, int columns)
{
  const perm_options *options = maker->options;
  permi_block block;
  const permi_engine *named = permi_engine_of(permi_sample_engines, sampling->engines, options->method);
  permi_offer offer[PERMI_TRACERS];
  permi_offers offers;
  perm_status status = PERM_OK;
  if (!permi_block_create(&sampling->working, trace->row, trace->column, trace->n, columns, &block))
    return PERM_ERROR_MEMORY;
  trace->given = permi_entry_roundings(&sampling->working, trace->n) + block.additions;
  permi_offers_begin(&offers, permi_sample_engines, sampling->engines, offer);
  offers.best = sampling->worth;
  for (int i = 0; i < sampling->engines; i++)
    offer[i].least = sampling->tracer[i] ? permi_least_seconds(&block, &permi_sample_engines[i]) : (double)INFINITY;
  maker->offers = &offers;
  if (named)
    offer[named - permi_sample_engines].bounded = 1; /* by name no bound counts */
  if (sampling->watch->stopped == PERM_OK)
    status = named ? permi_ask(maker, &block, &offers, (int)(named - permi_sample_engines))
                   : permi_ask_engines(maker, &block, &offers);
  maker->offers = NULL;
  permi_release(&options->allocator, offers.glanced);
  permi_release(&options->allocator, maker->layouts);
  maker->layouts = NULL;
  permi_offer *best = offers.chosen >= 0 ? &offer[offers.chosen] : NULL;
  if (status == PERM_OK && (!best || sampling->watch->stopped != PERM_OK))
    status = permi_sample_refuse(maker, &block, &offers);
  if (status == PERM_OK && sampling->tracer[offers.chosen] == &permi_hybrid_deriver)
    best->seconds = best->likely;
  if (status == PERM_OK && options->max_seconds > 0 && best->seconds > options->max_seconds)
    status = permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                        "a block of order %d: predicted %s, over max_seconds = %.3g", block.n,
                        permi_time_words(best->seconds).text, options->max_seconds);
  if (status == PERM_OK) {
    maker->kept += best->bytes;
    trace->plan = best->plan;
    trace->tracer = sampling->tracer[offers.chosen];
    trace->release = permi_sample_engines[offers.chosen].release;
    best->plan = NULL;
    if (maker->kept > permi_sample_limit(options))
      status = permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                          "the states that are kept are predicted to take %s, over %s: raise max_bytes",
                          permi_size_words(maker->kept).text, permi_size_words(permi_sample_limit(options)).text);
    else
      status = trace->tracer->record(trace, sampling->watch);
  }
  if (status == PERM_OK && trace->lost > PERMI_SAMPLE_LOST && !trace->derived)
    status = permi_fail(sampling->result, PERM_ERROR_UNSUPPORTED, 1,
                        "matrix: its products range beyond doubles; integers are drawn exactly");
  if (status == PERM_OK && trace->visited > sampling->most) {
    sampling->most = trace->visited;
    sampling->method = permi_sample_engines[offers.chosen].method;
  }
  sampling->visited += trace->visited;
  sampling->words = trace->words > sampling->words ? trace->words : sampling->words;
  sampling->room = trace->room > sampling->room ? trace->room : sampling->room;
  sampling->steps += trace->steps;
  for (int i = 0; i < sampling->engines; i++)
    permi_offer_clear(&options->allocator, &permi_sample_engines[i], &offer[i]);
  permi_pool_release(&block.pool);
  return status;
}

/* Says if block k is one entry, or one row. */
static int permi_sample_single(const permi_sampling *sampling, int k)
{
  const int *first = sampling->working.first + k, *wide = first + sampling->working.blocks;
  return first[1] - first[0] == 1 && (!sampling->working.alone || wide[1] == wide[0]);
}

static perm_status permi_sample_blocks(permi_sampling *sampling)
{
  permi_working *working = &sampling->working;
  const perm_allocator *allocator = &sampling->options->allocator;
  const int n = working->n;
  perm_options asked = *sampling->options;
  permi_maker maker;
  perm_status status = permi_block_lines(working);
  if (status != PERM_OK)
    return status;
  sampling->trace = (permi_trace *)permi_pool_zeros(&working->pool, (size_t)working->blocks, sizeof(permi_trace));
  sampling->forced = (int *)permi_pool_get(&working->pool, (size_t)n, sizeof *sampling->forced);
  if (working->pool.failed)
    return PERM_ERROR_MEMORY;
  memset(&maker, 0, sizeof maker);
  permi_account account = {sampling->watch, sampling->watch->worked, 0, PERMI_PLAN_SECONDS, PERMI_PLAN_SECONDS,
                           PERMI_PLAN_SHARE * fmax(asked.plan_effort, 1), permi_account_most(&asked)};
  asked.precision = PERM_PRECISION_DEFAULT;
  memset(&asked.gpu, 0, sizeof asked.gpu);
  asked.isa = asked.isa == PERM_ISA_CUDA ? PERM_ISA_AUTO : asked.isa;
  maker.watch = sampling->watch;
  maker.options = &asked;
  maker.hear = permi_sample_hear;
  maker.keeps = sampling->tracer == permi_derivers ? 2 : 1;
  maker.account = &account;
  maker.working = working;
  maker.result = sampling->result;
  for (int k = 0; k < working->blocks && status == PERM_OK; k++) {
    const int *first = working->first + k, *wide = first + working->blocks, order = first[1] - first[0];
    const int *row = working->line + first[0], *column = working->line + wide[0];
    permi_trace *trace = &sampling->trace[sampling->blocks];
    sampling->forced[*row] = order == 1 && !working->alone ? *column - n : -1;
    if (permi_sample_single(sampling, k))
      continue;
    trace->pool.allocator = trace->lasting.allocator = allocator;
    trace->row = row;
    trace->column = column;
    trace->n = order;
    trace->zeros = working->zeros > 1;
    trace->begin = sampling->steps;
    sampling->blocks++;
    status = permi_sampling_block(sampling, &maker, trace, wide[1] - wide[0]);
    maker.kept = trace->derived ? 0 : maker.kept;
  }
  permi_release(allocator, maker.binomial);
  return status;
}

static perm_status permi_sample_weights_check(const perm_matrix *matrix, permi_control *watch, perm_result *result)
{
  permi_cell cell;
  for (int i = 0; i < matrix->m; i++)
    for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1] && !permi_watch_step(watch, e, 5); e++) {
      permi_matrix_entry(matrix, e, &cell);
      if (cell.imaginary != 0 || cell.real < 0)
        return permi_fail(result, PERM_ERROR_UNSUPPORTED, 1,
                          "matrix: row %d, column %d (counted from 1) has %.17g%s: entries below 0 have no chances",
                          i + 1, matrix->column[e] + 1, cell.imaginary != 0 ? cell.imaginary : cell.real,
                          cell.imaginary != 0 ? " i" : "");
    }
  return PERM_OK;
}

static perm_status permi_sample_check(const perm_matrix *matrix, const permi_sampling *sampling)
{
  const perm_options *options = sampling->options;
  const uint64_t count = sampling->count;
  perm_result *result = sampling->result;
  const int takes = options->method == PERM_METHOD_AUTO ||
                    permi_engine_of(permi_sample_engines, PERMI_TRACERS - 1, options->method) != NULL;
  if (matrix->m > matrix->n)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: %d x %d has more rows than columns; transpose it",
                      matrix->m, matrix->n);
  if (matrix->m < matrix->n && options->method == PERM_METHOD_TWINS)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2,
                      "options: samples of %d x %d take methods auto, tree, frontier, lists and arrays; method twins "
                      "is for square matrices", matrix->m, matrix->n);
  if (options->modulus || options->certify || options->tolerance > 0 || options->checkpoint.file || !takes ||
      (options->precision != PERM_PRECISION_DEFAULT && options->precision != PERM_PRECISION_EXACT))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2,
                      "options: samples take methods auto, tree, twins, frontier, lists and arrays, precisions "
                      "default and exact, and no modulus, certify, tolerance or checkpoint");
  if (count && matrix->m && !sampling->columns)
    return permi_fail(result, PERM_ERROR_NULL, 6, "columns is NULL");
  if (matrix->m && count > SIZE_MAX / sizeof(int) / (uint64_t)matrix->m)
    return permi_fail(result, PERM_ERROR_SIZE, 5, "count is too large");
  return permi_sample_weights_check(matrix, sampling->watch, result);
}

static perm_status permi_sample_zero(const permi_sampling *sampling)
{
  return permi_fail(sampling->result, PERM_ERROR_ZERO, 1, "matrix: its permanent is 0, no assignment has a weight: %s",
                    sampling->working.report.hall);
}

static perm_status permi_sample_prepare(permi_sampling *sampling, const perm_matrix *matrix, int exact, int *zero)
{
  permi_working *working = &sampling->working;
  permi_control *watch = sampling->watch;
  perm_result *result = sampling->result;
  perm_status status = PERM_OK;
  working->watch = watch;
  watch->activity = "preparing";
  permi_sparse_fill(matrix, exact, matrix->m > matrix->n, working);
  if (matrix->m != matrix->n)
    status = permi_prepare_free(working, permi_matrix_shorter(matrix), exact, 1, zero);
  else
    *zero = !permi_split(working);
  if (status != PERM_OK ||
      (watch->stopped == PERM_OK && !*zero && !exact && !working->alone && !permi_scale(working)))
    return PERM_ERROR_MEMORY;
  if (watch->stopped == PERM_OK && working->lost)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 1, "matrix: its entries range beyond doubles; %s",
                      working->zeros ? "leave out those too small to count; perm_gradient_sparse_integer is exact"
                                     : "integers are drawn exactly");
  watch->activity = "planning";
  return watch->stopped;
}

static perm_status permi_sample_end(permi_sampling *sampling, perm_status status, const char *doing)
{
  const perm_allocator *allocator = &sampling->options->allocator;
  for (int b = 0; b < sampling->blocks; b++) {
    permi_pool_release(&sampling->trace[b].pool);
    permi_pool_release(&sampling->trace[b].lasting);
    if (sampling->trace[b].plan)
      sampling->trace[b].release(allocator, sampling->trace[b].plan);
  }
  permi_pool_release(&sampling->working.pool);
  if (status > 0)
    return permi_fail(sampling->result, status, 0, "%s while %s", perm_status_text(status), doing);
  return status == PERM_ERROR_MEMORY ? permi_fail_memory(sampling->result) : status;
}

/* A thread's records have room for states that it may meet, up to 30 MB and a quarter of what max_bytes leaves: 64
   bytes a slot, of which half are free. 0: out of memory. */
static int permi_sample_rooms(permi_sampling *sampling, int threads)
{
  const double limit = fmin(3e7, 0.25 * permi_sample_left(sampling->options) / threads);
  const double met = ((double)sampling->count / threads - 1) * (double)sampling->steps;
  permi_pool *pool = &sampling->working.pool;
  int bits = 1;
  permi_draw draw;
  memset(&draw, 0, sizeof draw);
  draw.used = 1;
  while (sampling->steps >> (64 - PERMI_STATE_BITS) == 0 && ldexp(128, bits) < limit &&
         ldexp(1, bits) < 2 * fmin(sampling->visited, met))
    bits++;
  draw.shift = 64 - bits;
  draw.most = sampling->words;
  draw.words = 1 + 2 * draw.most + ((size_t)8 << bits);
  draw.total = sampling->working.n;
  draw.m = sampling->m;
  sampling->draw = (permi_draw *)permi_pool_get(pool, (size_t)threads, sizeof draw);
  for (int k = 0; k < threads && !pool->failed; k++) {
    draw.word = (uint64_t *)permi_pool_get(pool, draw.words, sizeof *draw.word);
    draw.slot = (uint32_t *)permi_pool_zeros(pool, (size_t)1 << bits, sizeof *draw.slot);
    draw.room = (char *)permi_pool_get(pool, sampling->room + 1, 1);
    sampling->draw[k] = draw;
  }
  return !pool->failed;
}

static perm_status permi_sample(permi_sampling *sampling, const perm_matrix *matrix)
{
  const perm_options *options = sampling->options;
  const uint64_t parts = sampling->count / PERMI_SAMPLE_PART + (sampling->count % PERMI_SAMPLE_PART > 0);
  const int threads = parts < (uint64_t)permi_threads(options) ? 1 : permi_threads(options);
  size_t at;
  int row, zero = 0;
  const int exact = permi_matrix_integers(matrix, &row, &at, sampling->watch);
  if (options->precision == PERM_PRECISION_EXACT && !exact && sampling->watch->stopped == PERM_OK)
    return permi_fail(sampling->result, PERM_ERROR_OPTION, 2,
                      "options: precision exact needs integers below 2^53, but row %d, column %d (counted from 1) has "
                      "%.17g", row + 1, matrix->column[at] + 1, matrix->real[at]);
  if (!permi_working_create(&sampling->working, &options->allocator, matrix->n, matrix->nnz))
    return permi_fail_memory(sampling->result);
  sampling->engines = PERMI_TRACERS - 1;
  sampling->tracer = permi_tracers;
  sampling->worth = (double)INFINITY;
  perm_status status = permi_sample_prepare(sampling, matrix, exact, &zero);
  if (status == PERM_OK && zero)
    status = permi_sample_zero(sampling);
  if (status == PERM_OK)
    status = permi_sample_blocks(sampling);
  if (status == PERM_OK)
    status = permi_sample_rooms(sampling, threads) ? permi_share(threads, 0, parts, permi_draw_part, sampling, NULL)
                                                   : PERM_ERROR_MEMORY;
  return permi_sample_end(sampling, status, "sampling");
}

static perm_status permi_sample_begin(permi_sampling *sampling, const perm_matrix *matrix,
                                      const perm_options *options_given, permi_metered *call, permi_control *watch,
                                      perm_result *result)
{
  memset(sampling, 0, sizeof *sampling);
  sampling->options = permi_meter_begin(call, options_given, permi_matrix_cost(matrix));
  sampling->watch = watch;
  sampling->result = result;
  permi_result_clear(result);
  *watch = permi_control_begin(sampling->options);
  return permi_check_input(matrix, sampling->options, watch, result);
}

PERM_MORE_API perm_status perm_sample_sparse(const perm_matrix *matrix, const perm_options *options, uint64_t seed,
                                             uint64_t first, uint64_t count, int *columns, perm_result *result)
{
  const double start = permi_seconds();
  permi_sampling sampling;
  permi_metered call;
  permi_control watch;
  if (!result)
    return PERM_ERROR_NULL;
  perm_status status = permi_sample_begin(&sampling, matrix, options, &call, &watch, result);
  sampling.seed = seed;
  sampling.begin = first;
  sampling.count = count;
  sampling.columns = columns;
  if (status == PERM_OK)
    status = permi_sample_check(matrix, &sampling);
  sampling.m = status == PERM_OK ? matrix->m : 0;
  if (sampling.m > 0)
    status = permi_sample(&sampling, matrix);
  if (status == PERM_OK) {
    result->method = sampling.method;
    result->terms = sampling.visited;
    result->threads = permi_threads(sampling.options);
  }
  result->status = status;
  result->seconds = permi_seconds() - start;
  return permi_meter_end(&call, status, result);
}
/* SPDX-License-Identifier: MIT */
