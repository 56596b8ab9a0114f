/* ========================================================================================= >>choose
   The blocks of a graph, the table of engines, the choice. */
#pragma once
#include "../band/band_order.h"
#include "../twins/classes_order.h"
#include "../hybrid/hybrid_offer.h"
#include "../reference/sparyser.h"
#include "../sign_search/signs_offer.h"
#include "../reference/decompose.h"
#include "../reference/transversals.h"
#include "../planar/planar.h"
#include "frontier_offer.h"

/* Equal lines are found by hashes; returns 0 without memory. */
static int permi_report_left(permi_working *working)
{
  perm_preparation *report = &working->report;
  const int n = working->n;
  int *size = working->work, side, v, k, lines, index;
  const int single = !working->alone; /* a block of one row is an entry */
  if (working->reported)
    return 1;
  permi_ranked *line = (permi_ranked *)permi_allocate(&working->allocator, 2 * (size_t)n, sizeof *line);
  if (!line)
    return 0;
  working->reported = 1;
  memset(size, 0, (size_t)working->blocks * sizeof *size);
  for (v = 0; v < n; v++)
    if (working->degree[v] >= 0)
      size[working->component[v]]++;
  report->blocks = report->largest = 0;
  for (k = 0; k < working->blocks; k++) {
    report->blocks += size[k] > single;
    report->largest = size[k] > single && size[k] > report->largest ? size[k] : report->largest;
  }
  for (side = 0; side < 2; side++) {
    int *equal = side ? &report->equal_columns : &report->equal_rows;
    for (lines = 0, v = side * n; v < side * n + n; v++)
      if (working->degree[v] >= 0 && size[working->component[v]] > single &&
          !permi_watch(working->watch, 20.0 * working->degree[v])) {
        line[lines].key = 0;
        line[lines].vertex = v;
        for (index = working->head[v]; index >= 0; index = working->cell[index].next[side]) {
          const permi_cell *cell = &working->cell[index];
          uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)cell->vertex[1 - side]);
          if (working->integer)
            hash = permi_hash(permi_hash(hash, (uint64_t)cell->integer), (uint64_t)cell->imaginary_integer);
          else
            hash = permi_hash_double(permi_hash_double(hash, cell->real), cell->imaginary);
          line[lines].key += hash;
        }
        lines++;
        report->degree_three += working->degree[v] == 3;
        report->degree_four += working->degree[v] == 4;
        if (!side)
          report->entries_left += (size_t)working->degree[v];
      }
    permi_ranked *sorted = (permi_ranked *)permi_sort(line, line + n, (size_t)lines, sizeof *line, working->watch);
    for (k = 1; k < lines && sorted; k++)
      *equal += sorted[k].key == sorted[k - 1].key;
  }
  permi_release(&working->allocator, line);
  return 1;
}

/* Rows of block k are listed from first[k] on, columns from first[blocks + k]. */
static perm_status permi_block_lines(permi_working *working)
{
  const int n = working->n, blocks = working->blocks;
  int *first = working->first, v, k;
  memset(first, 0, (2 * (size_t)blocks + 1) * sizeof *first);
  for (v = 0; v < 2 * n; v++)
    if (working->degree[v] >= 0)
      first[(v < n ? 0 : blocks) + working->component[v]]++;
  for (k = 0; k < 2 * blocks; k++) /* ends */
    first[k + 1] += first[k];
  for (v = 2 * n - 1; v >= 0 && !permi_watch_step(working->watch, (size_t)v, 20); v--)
    if (working->degree[v] >= 0)
      working->line[--first[(v < n ? 0 : blocks) + working->component[v]]] = v;
  return working->watch->stopped;
}

static void permi_block_set(permi_block *block, int e, const permi_cell *cell)
{
  if (block->integer) {
    block->integer[e] = cell->integer;
    if (block->imaginary_integer)
      block->imaginary_integer[e] = cell->imaginary_integer;
  } else {
    block->real[e] = cell->real;
    block->absolute[e] = cell->absolute;
    block->rounded |= cell->rounded;
    if (block->imaginary)
      block->imaginary[e] = cell->imaginary;
  }
}

/* The block, of n rows and m columns, is incomplete if watch stops; returns 0 without memory. */
static int permi_block_create(permi_working *working, const int *rows, const int *columns, int n, int m,
                              permi_block *block)
{
  int *number = working->work, *fill = working->work + 2 * (size_t)working->n;
  int i, index, edges = 0, values, c;
  memset(block, 0, sizeof *block);
  for (i = 0; i < n; i++) {
    number[rows[i]] = i;
    edges += working->degree[rows[i]];
  }
  for (i = 0; i < m; i++)
    number[columns[i]] = n + i;
  block->n = n;
  block->vertices = n + m;
  block->edges = edges;
  block->free_lines = working->alone != NULL;
  values = permi_block_values(block);
  block->pool.allocator = &working->allocator;
  if (working->integer)
    block->integer = (int64_t *)permi_pool_get(&block->pool, (size_t)values, (size_t)(1 + working->is_complex) * 8);
  else
    block->real = (double *)permi_pool_get(&block->pool, (size_t)values, (size_t)(2 + working->is_complex) * 8);
  if (!permi_pool_ints(&block->pool, &block->start, (size_t)(n + m) + 1, &block->neighbour, 2 * (size_t)edges,
                       &block->edge, 2 * (size_t)edges, (int **)NULL)) {
    permi_pool_release(&block->pool);
    return 0;
  }
  block->absolute = block->real ? block->real + values : NULL;
  block->imaginary = block->real && working->is_complex ? block->absolute + values : NULL;
  block->imaginary_integer = block->integer && working->is_complex ? block->integer + values : NULL;
  if (block->free_lines) {
    const permi_cell one = permi_cell_one();
    for (i = 0; i <= n; i++) {
      permi_block_set(block, edges + i, i < n ? &working->alone[rows[i]] : &one);
      block->additions += i < n ? working->alone[rows[i]].rounded : 0;
      block->zeros |= i < n && working->zeros && working->alone[rows[i]].vertex[1] && !permi_block_stays(block, i);
    }
  }
  for (i = 0; i < n; i++)
    block->alones += permi_block_stays(block, i);
  block->start[0] = 0;
  for (i = 0; i < n + m; i++) {
    block->start[i + 1] = block->start[i] + working->degree[i < n ? rows[i] : columns[i - n]];
    fill[i] = block->start[i];
  }
  edges = 0;
  for (i = 0; i < n; i++)
    for (index = working->head[rows[i]]; index >= 0; index = working->cell[index].next[0]) {
      if (permi_watch_step(working->watch, (size_t)edges, 30))
        return 1;
      const permi_cell *cell = &working->cell[index];
      c = number[cell->vertex[1]];
      block->neighbour[fill[c]] = i;
      block->edge[fill[c]++] = edges;
      permi_block_set(block, edges++, cell);
    }
  for (c = n; c < n + m; c++)
    for (index = block->start[c]; index < block->start[c + 1] && !permi_watch_step(working->watch, (size_t)index, 20);
         index++) {
      i = block->neighbour[index];
      block->neighbour[fill[i]] = c;
      block->edge[fill[i]++] = block->edge[index];
    }
  return 1;
}

typedef struct permi_block_array {
  permi_array array;
  permi_problem problem;
  void *entries;
} permi_block_array;

static perm_status permi_block_array_make(permi_maker *maker, const permi_block *block)
{
  const perm_allocator *allocator = &maker->options->allocator;
  permi_block_array *made = (permi_block_array *)permi_allocate_zeros(allocator, 1, sizeof *made);
  perm_status status = made ? permi_make_problem(maker, block, &made->problem, &made->entries)
                            : permi_fail_memory(maker->result);
  if (status == PERM_OK) {
    permi_array_of(maker, &made->array, &made->problem, 0);
    made->array.reduced = block->free_lines;
  } else {
    permi_release(allocator, made);
  }
  return status;
}

/* Sums over arrays with free lines, a digit for each distinct line of one side, come after trees. */
static perm_status permi_short_least(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_preparation *report = &maker->working->report;
  (void)rival;
  if (!permi_report_left(maker->working))
    return permi_fail_memory(maker->result);
  const int rows = block->n - report->equal_rows, columns = block->vertices - block->n - report->equal_columns;
  offer->least = block->vertices > PERM_MAX_LINES
                     ? (double)INFINITY
                     : offer->least + ldexp(PERMI_DIGIT_SECONDS, rows < columns ? rows : columns);
  return PERM_OK;
}

#define PERMI_BY_NAME(method, flags, offer, make, release)                                                             \
  {method, PERMI_NAMED | (flags), 0, NULL, offer, make, release}

static const permi_engine permi_engines[] = {
    PERMI_ARRAY_ENGINES,
    {PERM_METHOD_SHORT, PERMI_ARRAY | PERMI_FREE, 0, permi_short_least, permi_counted_offer, permi_counted_leaf, NULL},
    {PERM_METHOD_PLANAR, PERMI_PROVEN | PERMI_LONE, PERMI_ORDER_PLAN_SECONDS * 0.4, NULL, permi_planar_offer,
     permi_planar_make, permi_owned_release},
    {PERM_METHOD_BAND, PERMI_PROVEN, PERMI_ORDER_PLAN_SECONDS / 2, NULL, permi_band_offer, permi_band_make,
     permi_owned_release},
    {PERM_METHOD_TREE, PERMI_PROVEN | PERMI_FREE, PERMI_ORDER_PLAN_SECONDS * 2 / 3, permi_tree_worth, permi_tree_offer,
     permi_tree_make, permi_owned_release},
    {PERM_METHOD_TWINS, PERMI_PROVEN | PERMI_FULL, PERMI_CLASS_PLAN_SECONDS, permi_classes_least,
     permi_classes_offer, permi_classes_make, permi_owned_release},
    {PERM_METHOD_FRONTIER, PERMI_PROVEN | PERMI_FREE, PERMI_ORDER_PLAN_SECONDS, permi_frontier_least,
     permi_frontier_offer, permi_frontier_make, permi_owned_release},
    {PERM_METHOD_SIGN_SEARCH, PERMI_LONE, PERMI_ORDER_PLAN_SECONDS, permi_signs_least, permi_signs_offer,
     permi_signs_make, permi_owned_release},
    {PERM_METHOD_HYBRID, PERMI_CAUTION, PERMI_ORDER_PLAN_SECONDS, permi_hybrid_least, permi_hybrid_offer,
     permi_hybrid_make, permi_hybrid_release},
    PERMI_BY_NAME(PERM_METHOD_LISTS, PERMI_FREE, permi_frontier_offer, permi_frontier_make, permi_owned_release),
    PERMI_BY_NAME(PERM_METHOD_ARRAYS, PERMI_FREE, permi_frontier_offer, permi_frontier_make, permi_owned_release),
    PERMI_BY_NAME(PERM_METHOD_SORTING, PERMI_FREE, permi_sorting_offer, permi_frontier_make, permi_owned_release),
    PERMI_BY_NAME(PERM_METHOD_TRANSVERSALS, 0, permi_transversals_offer, permi_walk_make, permi_owned_release),
    PERMI_BY_NAME(PERM_METHOD_SPARYSER, PERMI_LONE, permi_ryser_offer, permi_ryser_make, permi_release),
    PERMI_BY_NAME(PERM_METHOD_DOMINATING, PERMI_LONE, permi_ryser_offer, permi_ryser_make, permi_release),
    PERMI_BY_NAME(PERM_METHOD_DECOMPOSE, PERMI_LONE, permi_decompose_offer, permi_walk_make, permi_owned_release),
    PERMI_BY_NAME(PERM_METHOD_CODEGEN, PERMI_LONE, permi_codegen_offer, permi_codegen_make, permi_codegen_release),
};
enum { PERMI_ENGINES = sizeof permi_engines / sizeof permi_engines[0] };

static const permi_engine *permi_block_engine(perm_method method)
{
  return permi_engine_of(permi_engines, PERMI_ENGINES, method);
}

static void permi_offer_clear(const perm_allocator *allocator, const permi_engine *engine, permi_offer *offer)
{
  if (offer->plan)
    engine->release(allocator, offer->plan);
  memset(offer, 0, sizeof *offer);
  offer->seconds = (double)INFINITY;
}

#define PERMI_BLOCKS_NOTED 8
static perm_status permi_make_engine(permi_maker *maker, const permi_block *block, const permi_engine *engine,
                                     permi_offer *offer, permi_leaf *leaf)
{
  const perm_options *options = maker->options;
  const perm_allocator *allocator = &options->allocator;
  if (engine->flags & PERMI_ARRAY) {
    const perm_status status = engine->make(maker, block, offer, leaf);
    if (status == PERM_OK && !block->integer) {
      maker->job->precision = maker->array->precision;
      permi_make_honest(maker, block, leaf);
    }
    return status;
  }
  if (options->max_bytes > 0 && offer->bytes > permi_max_bytes(options))
    return permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                      "method %s is predicted to need %s and %s for a block of order %d, over max_bytes = %s",
                      perm_name("method", engine->method), permi_size_words(offer->bytes).text,
                      permi_time_words(offer->seconds).text, block->n, permi_size_words(options->max_bytes).text);
  const perm_leaf information = {PERM_LEAF_TASK, engine->method, PERM_ISA_PLAIN, block->n, 1, 0, offer->seconds,
                                 offer->bytes, 0};
  leaf->information = information;
  leaf->scale = permi_dd_make(1);
  leaf->release = engine->release;
  leaf->context = offer->plan;
  perm_status status = engine->make(maker, block, offer, leaf);
  offer->plan = status == PERM_OK ? NULL : offer->plan;
  if (status == PERM_OK && leaf->information.kind == PERM_LEAF_TASK) {
    maker->task_seconds += offer->seconds;
    if (options->max_seconds > 0 && maker->task_seconds > options->max_seconds && !permi_in_pieces(options)) {
      status = permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                          "method %s is predicted to take %s, over max_seconds = %.3g",
                          perm_name("method", engine->method), permi_time_words(maker->task_seconds).text,
                          options->max_seconds);
      leaf->release(allocator, leaf->context);
    }
  }
  return status;
}

static perm_status permi_make_named(permi_maker *maker, const permi_block *block, const permi_engine *engine,
                                    permi_leaf *leaf)
{
  const perm_allocator *allocator = &maker->options->allocator;
  permi_offer offer;
  memset(&offer, 0, sizeof offer);
  permi_offer_clear(allocator, engine, &offer);
  perm_status status = engine->offer(maker, block, (double)INFINITY, &offer);
  if (status == PERM_OK && maker->watch->stopped != PERM_OK)
    status = maker->watch->stopped;
  else if (status == PERM_OK && offer.seconds < (double)INFINITY)
    status = permi_make_engine(maker, block, engine, &offer, leaf);
  else if (status == PERM_OK && offer.status == PERM_ERROR_OVERFLOW)
    status = permi_fail_long(maker->result);
  else if (status == PERM_OK)
    status = permi_fail(maker->result, offer.status, 2, "options: method %s: a block of order %d %s",
                        perm_name("method", maker->options->method), block->n, offer.why);
  permi_offer_clear(allocator, engine, &offer);
  return status;
}

/* Refuses offers whose planning needs more than max_bytes. */
static perm_status permi_hear(permi_maker *maker, const permi_block *block, const permi_engine *engine,
                              permi_offer *offer, perm_status status)
{
  const permi_meter *meter = (const permi_meter *)maker->options->allocator.user_data;
  (void)block;
  if (permi_meter_verdict(&maker->options->allocator, status, NULL) == PERM_ERROR_LIMIT) {
    permi_result_clear(maker->result);
    if (offer->plan)
      engine->release(&maker->options->allocator, offer->plan);
    offer->plan = NULL;
    permi_refuse(offer, PERM_ERROR_LIMIT, "is not planned within max_bytes = %s: at least %s are needed",
                 permi_size_words(maker->options->max_bytes).text,
                 permi_size_words(meter->input + (double)meter->wanted).text);
    status = PERM_OK;
  }
  if (maker->offers && offer->bytes > maker->offers->most_bytes && maker->offers->rival < (double)INFINITY &&
      offer->seconds < (double)INFINITY && !offer->why[0])
    snprintf(offer->why, sizeof offer->why, "takes more than %.40s: max_bytes allows more",
             permi_size_words(maker->offers->most_bytes).text);
  return status;
}

/* Offers as asked come first, then least times of other engines; nothing if known prices alone were compared. */
static perm_status permi_note_offers(permi_maker *maker, const permi_block *block, permi_offers *offers)
{
  const int asked = offers->turns;
  perm_job *job = maker->job;
  int i, searched = 0;
  for (i = 0; i < PERMI_ENGINES && maker->seen; i++)
    searched |= offers->offer[i].asked && permi_engines[i].planning > 0;
  while (searched && (i = permi_next_engine(offers, 0)) >= 0)
    offers->offer[i].asked = ++offers->turns;
  for (int turn = 1; turn <= offers->turns && searched; turn++)
    for (i = 0; i < PERMI_ENGINES; i++) {
      permi_offer *offer = &offers->offer[i];
      const char *method = perm_name("method", permi_engines[i].method);
      char line[320];
      if (offer->asked != turn || (turn > asked && offer->least == (double)INFINITY && !offer->why[0]))
        continue;
      if (turn > asked && !offer->why[0] && offer->likely == offer->least)
        offer->seconds = offer->least;
      else if (turn > asked && !offer->why[0])
        snprintf(offer->why, sizeof offer->why, "cannot take less than %s", permi_time_words(offer->least).text);
      if (maker->blocks_noted >= PERMI_BLOCKS_NOTED)
        continue;
      perm_offer noted = {maker->blocks_noted, block->n, permi_engines[i].method, offer->seconds, offer->bytes, ""};
      if (offer->seconds < (double)INFINITY)
        permi_say(line, sizeof line, "  order %d, %-12s predicted %.3g s, %.3g bytes%s%s\n", block->n, method,
                  offer->seconds, offer->bytes, offer->why[0] ? ": " : "", offer->why);
      else
        snprintf(line, sizeof line, "  order %d, %-12s no: the block %s\n", block->n, method, offer->why);
      snprintf(noted.reason, sizeof noted.reason, "%.159s", offer->why);
      if (!permi_job_note(job, 1, line) ||
          !permi_grow(&job->allocator, &job->offer, job->offers, &job->offer_room, sizeof noted))
        return permi_fail_memory(maker->result);
      job->offer[job->offers++] = noted;
    }
  return PERM_OK;
}

static perm_status permi_take_best(permi_maker *maker, const permi_block *block, permi_offers *offers, permi_leaf *leaf)
{
  const perm_options *options = maker->options;
  const permi_offer *planar = &offers->offer[permi_block_engine(PERM_METHOD_PLANAR) - permi_engines];
  const int sure = planar->status == PERM_TOLERANCE_NOT_MET;
  if (offers->chosen < 0)
    return offers->too_long
               ? permi_fail_long(maker->result)
               : permi_fail(maker->result, PERM_ERROR_LIMIT, 2, "a block of order %d with %d entries %s", block->n,
                            block->edges, offers->offer[permi_block_engine(PERM_METHOD_FRONTIER) - permi_engines].why);
  for (int i = 0; i < PERMI_ENGINES && offers->offer[offers->chosen].seconds > PERMI_HOPELESS_SECONDS; i++)
    if (offers->offer[i].seconds < offers->offer[offers->chosen].seconds)
      offers->chosen = i;
  permi_offer *best = &offers->offer[offers->chosen];
  maker->watch->work_total = best->seconds;
  const int array = permi_engines[offers->chosen].flags & PERMI_ARRAY;
  if (!array && (best->seconds > PERMI_HOPELESS_SECONDS ||
                 (options->max_bytes == 0 && best->bytes > 1e3 * PERMI_DEFAULT_BYTES)))
    return permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                      "a block of order %d with %d entries is out of reach: %s%s%smethod %s is predicted to take %s "
                      "and %s",
                      block->n, block->edges, sure ? "it is planar, but " : "", sure ? planar->why : "",
                      sure ? ", so leave out certify; " : "", perm_name("method", permi_engines[offers->chosen].method),
                      permi_time_words(best->seconds).text, permi_size_words(best->bytes).text);
  if (!array && best->bytes > offers->most_bytes && maker->working->integer &&
      options->precision == PERM_PRECISION_DEFAULT)
    return permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                      "exact integers are predicted to need %s and %s, over max_bytes = %s",
                      permi_size_words(best->bytes).text, permi_time_words(best->seconds).text,
                      permi_size_words(offers->most_bytes).text);
  return permi_make_engine(maker, block, &permi_engines[offers->chosen], best, leaf);
}

/* Returns an engine's least seconds: of planning or, chosen, a tenth of what is free, thrice for fuller blocks. Engines
   that look for zeros take n 2^n transitions for blocks of these orders without any, and do not plan larger ones. */
#define PERMI_FULL_LEAST 16
#define PERMI_FULL_MOST 32
static double permi_least_seconds(const permi_block *block, const permi_engine *engine)
{
  const double n = block->n, full = n * (block->vertices - block->n);
  const double least = PERMI_FREE_SECONDS / 10 * (block->edges > 0.4 * full ? 3 : 1);
  const double planning = engine->planning * ((double)block->vertices + block->edges);
  const int array = engine->flags & PERMI_ARRAY, takes_free = engine->flags & PERMI_FREE;
  if (block->free_lines ? !takes_free : array && takes_free)
    return (double)INFINITY;
  if (block->free_lines)
    return array ? PERMI_FREE_SECONDS * 3 / 10 : planning;
  if (array)
    return 0;
  if (!(engine->flags & PERMI_FULL) && block->edges == n * n && n >= PERMI_FULL_LEAST && n <= PERM_MAX_N)
    return n > PERMI_FULL_MOST ? (double)INFINITY
                               : fmax(n * ldexp(PERMI_STATE_SECONDS / 2, block->n), PERMI_FREE_SECONDS);
  return fmax(planning, least);
}

static perm_status permi_make_best(permi_maker *maker, const permi_block *block, permi_leaf *leaf)
{
  const perm_options *options = maker->options;
  const double finding = PERMI_ORDER_PLAN_SECONDS * ((double)block->vertices + block->edges);
  permi_offer offer[PERMI_ENGINES];
  permi_offers offers;
  permi_offers_begin(&offers, permi_engines, PERMI_ENGINES, offer);
  for (int i = 0; i < PERMI_ENGINES; i++)
    offer[i].least = permi_least_seconds(block, &permi_engines[i]);
  offers.most_bytes = options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES;
  offers.best = maker->worth;
  /* favours proven engines, unless finding orders for all blocks takes longer than planning may */
  offers.favour = finding * maker->working->report.blocks > 1.25 * maker->account->floor ? 0
                                                                                         : PERMI_FREE_SECONDS;
  if (maker->account->floor < PERMI_PLAN_SECONDS && !block->integer && block->n <= PERM_MAX_N)
    maker->account->least += fmin(PERMI_PLAN_SECONDS, PERMI_GREEDY_SHARE * permi_dense_seconds(maker)); /* an array */
  maker->offers = &offers;
  perm_status status = permi_ask_engines(maker, block, &offers);
  maker->offers = NULL;
  permi_release(&options->allocator, offers.glanced);
  permi_release(&options->allocator, maker->layouts);
  maker->layouts = NULL;
  if (status == PERM_OK)
    status = permi_note_offers(maker, block, &offers);
  if (status == PERM_OK)
    status = permi_take_best(maker, block, &offers, leaf);
  for (int i = 0; i < PERMI_ENGINES; i++)
    permi_offer_clear(&options->allocator, &permi_engines[i], &offer[i]);
  return status;
}

static perm_status permi_make_leaf(permi_maker *maker, const permi_block *block, permi_leaf *leaf)
{
  const perm_options *options = maker->options;
  char message[PERM_MESSAGE_BYTES];
  const int falls_back = options->method == PERM_METHOD_CODEGEN && options->gpu.cpu_fallback &&
                         !(options->gpu.devices && permi_gpu_devices(options->gpu.devices, message));
  const permi_engine *engine = permi_block_engine(falls_back ? PERM_METHOD_SPARYSER : options->method);
  maker->n = block->n;
  maker->integer = block->integer != NULL;
  maker->reach = permi_reach_of(maker->working->is_complex ? 2 : 1);
  maker->equal_lines = maker->working->report.equal_rows || maker->working->report.equal_columns;
  maker->as_array = permi_block_array_make;
  perm_status status = engine ? permi_make_named(maker, block, engine, leaf) : permi_make_best(maker, block, leaf);
  permi_block_array *made = (permi_block_array *)(void *)maker->array;
  if (made) {
    permi_array_free(&made->array, &options->allocator);
    permi_release(&options->allocator, made->entries);
    permi_release(&options->allocator, made);
    maker->array = NULL;
  }
  return status;
}

static perm_status permi_make_note(permi_maker *maker)
{
  const perm_preparation *report = &maker->working->report;
  char line[512];
  size_t length;
  const int shorter = report->m < report->n ? report->m : report->n;
  if (report->structural_rank < shorter)
    length = permi_say(line, sizeof line, "structure: rank %d of %d, the permanent is 0: %s\n",
                       report->structural_rank, shorter, report->hall);
  else
    length = permi_say(line, sizeof line, "structure: %.0f entries in no perfect matching dropped, %d rows of degree 1 "
                       "and %d of degree 2 eliminated, %d block%s left\n", (double)report->dead_entries,
                       report->degree_one, report->degree_two, report->blocks, report->blocks == 1 ? "" : "s");
  if (report->cancelled)
    length += permi_say(line + length, sizeof line - length,
                        "structure: integers cancelled, and what is left is singular: the permanent is 0\n");
  else if (report->blocks)
    permi_say(line + length, sizeof line - length, "structure: %d round%s, %d component%s at first; left %.0f "
              "of %.0f entries, the largest block of order %d, %d rows and %d columns equal to others, %d lines of "
              "degree 3 and %d of degree 4\n", report->rounds, report->rounds == 1 ? "" : "s", report->components,
              report->components == 1 ? "" : "s", (double)report->entries_left, (double)report->entries,
              report->largest, report->equal_rows, report->equal_columns, report->degree_three, report->degree_four);
  return permi_job_note(maker->job, 0, line) ? PERM_OK : permi_fail_memory(maker->result);
}

static perm_status permi_make_block(permi_maker *maker, const int *rows, const int *columns, int order, int wide,
                                    int rows_left)
{
  permi_block block;
  permi_leaf leaf;
  if (permi_watch(maker->watch, 1e3 + 100.0 * order))
    return maker->watch->stopped;
  if (order <= PERMI_MAJORANT_ORDER && !maker->subsets && !maker->working->alone)
    maker->subsets = (double *)permi_pool_get(&maker->working->pool, (size_t)2 << PERMI_MAJORANT_ORDER,
                                              sizeof *maker->subsets);
  if (maker->working->pool.failed || !permi_block_create(maker->working, rows, columns, order, wide, &block))
    return permi_fail_memory(maker->result);
  memset(&leaf, 0, sizeof leaf);
  maker->account->least += maker->account->floor * order / rows_left;
  perm_status status = maker->watch->stopped == PERM_OK ? permi_make_leaf(maker, &block, &leaf) : maker->watch->stopped;
  maker->account->run += status == PERM_OK ? leaf.information.seconds : 0;
  maker->blocks_noted++;
  permi_pool_release(&block.pool);
  if (status != PERM_OK)
    return status;
  if (maker->watch->stopped != PERM_OK) { /* a stopped offer may have left no leaf */
    if (leaf.release)
      leaf.release(&maker->working->allocator, leaf.context);
    return maker->watch->stopped;
  }
  return permi_job_push_leaf(maker->job, &leaf) ? PERM_OK : permi_fail_memory(maker->result);
}

static perm_status permi_make_blocks(permi_maker *maker)
{
  permi_working *working = maker->working;
  const int blocks = working->blocks, *first = working->first, *wide = first + blocks, *line = working->line;
  perm_status status = permi_block_lines(working);
  int k, rows_left = 0;
  for (k = 0; status == PERM_OK && k < blocks && !permi_watch_step(maker->watch, (size_t)k, 50); k++)
    if (first[k + 1] - first[k] == 1 && !working->alone)
      status = permi_absorb(working, &working->cell[working->head[line[first[k]]]]);
    else
      rows_left += first[k + 1] - first[k];
  if (status == PERM_ERROR_OVERFLOW)
    permi_fail_long(maker->result);
  if (status == PERM_OK) {
    working->constant.exp2 += working->exp2;
    if (!working->integer)
      working->constant.exact = 0;
    maker->job->number = working->constant;
    maker->job->numbered = 1;
  }
  maker->account->watch = maker->watch;
  maker->account->begin = maker->watch->worked;
  maker->account->share = PERMI_PLAN_SHARE * fmax(maker->options->plan_effort, 1);
  maker->account->most = permi_account_most(maker->options);
  for (k = 0; status == PERM_OK && k < blocks; k++) {
    const int order = first[k + 1] - first[k];
    if (order > 1 || working->alone)
      status = permi_make_block(maker, line + first[k], line + wide[k], order, wide[k + 1] - wide[k], rows_left);
  }
  return status;
}
/* SPDX-License-Identifier: MIT */
