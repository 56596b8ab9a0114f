/* ========================================================================================= >>sample
   Permutations of a non-negative matrix drawn with probability proportional to their products.

   The frontier's lists run once and every step's states are kept. A draw goes backwards: from the last state, which is
   one, to a state of the step before, by a stream whose chance is (that state's value) x (coefficient) over the sum of
   all streams that lead here. The product of these chances telescopes to (product of entries) / permanent.
   Integers: the sums are exact, and numbers below them are drawn by rejection, so the chances are exact.
   Doubles, u = 2^-53: a value carries at most the roundings that THE BOUND of >>steps_run counts, G = n + sum (k_p - 1)
   of them for the k_p streams of step p; the sum in a draw differs from the kept value by k_p more, and a draw by its
   53 bits and k_p subtractions. So the total variation distance is at most 4 (G + streams + steps) u, to first order;
   what underflowed is refused above 2^-60 of the last value, and so are entries that scaling lost.
   Sample i has a generator seeded with (seed, i): threads and ranges change nothing. */
#pragma once
#include "../structure/estimate.h"
#include "choose.h"
#include "sparse.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_SAMPLE_LOST 8.673617379884035e-19 /* 2^-60 */
#define PERMI_SAMPLE_PART 64                    /* samples of a thread at a time */

/* The states of all steps of one block; its values are the lists' own. */
typedef struct permi_recorded {
  permi_frontier *frontier;
  permi_list *list;
  const int *row, *column; /* vertices of the matrix */
  int n;
} permi_recorded;

typedef struct permi_sampling {
  const perm_options *options;
  permi_control *watch;
  perm_result *result;
  permi_working working;
  permi_recorded *block;
  int blocks, *first, *line;
  int *forced; /* of a row: its column in a block of order 1, or -1 */
  uint64_t *room;
  size_t words; /* of room, for each thread */
  double kept, visited;
  uint64_t seed, begin, count;
  int *columns;
} permi_sampling;

static int permi_recorded_keep(const perm_allocator *allocator, const permi_list *from, size_t bytes, permi_list *to)
{
  const size_t groups = from->groups, patterns = (size_t)from->patterns.count, low = from->patterns.first[patterns];
  memset(to, 0, sizeof *to);
  to->words = from->words;
  to->groups = groups;
  to->states = from->states;
  to->high = (uint64_t *)permi_allocate(allocator, groups * (size_t)from->words + 1, sizeof *to->high);
  to->first = (size_t *)permi_allocate(allocator, groups + 1, sizeof *to->first);
  to->pattern = (int *)permi_allocate(allocator, groups + 1, sizeof *to->pattern);
  to->value = permi_allocate(allocator, from->states + 1, bytes);
  to->patterns.first = (size_t *)permi_allocate(allocator, patterns + 1, sizeof *to->patterns.first);
  to->patterns.low = (uint16_t *)permi_allocate(allocator, low + 1, sizeof *to->patterns.low);
  if (!to->high || !to->first || !to->pattern || !to->value || !to->patterns.first || !to->patterns.low)
    return 0;
  memcpy(to->high, from->high, groups * (size_t)from->words * sizeof *to->high);
  memcpy(to->first, from->first, groups * sizeof *to->first);
  memcpy(to->pattern, from->pattern, groups * sizeof *to->pattern);
  memcpy(to->value, from->value, from->states * bytes);
  memcpy(to->patterns.first, from->patterns.first, (patterns + 1) * sizeof *to->patterns.first);
  memcpy(to->patterns.low, from->patterns.low, low * sizeof *to->patterns.low);
  return 1;
}

static void permi_recorded_release(const perm_allocator *allocator, permi_recorded *block)
{
  int p;
  for (p = 0; block->list && p < block->frontier->steps; p++) {
    permi_release(allocator, block->list[p].value);
    permi_list_release(allocator, &block->list[p]);
  }
  permi_release(allocator, block->list);
  permi_owned_release(allocator, block->frontier);
}

/* The value of a state; NULL: it is not reached. */
static const void *permi_recorded_find(const permi_list *list, const uint64_t *mask, size_t bytes)
{
  const unsigned low = (unsigned)mask[0] & (PERMI_LOW_STATES - 1);
  const int words = list->words;
  uint64_t key[PERMI_MASK_WORDS];
  size_t begin = 0, end = list->groups, first, last;
  int w;
  for (w = 0; w < words; w++)
    key[w] = mask[w] >> PERMI_LOW_BITS | (w + 1 < words ? mask[w + 1] << (64 - PERMI_LOW_BITS) : 0);
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (permi_key_compare(list->high + middle * (size_t)words, key, words) < 0)
      begin = middle + 1;
    else
      end = middle;
  }
  if (begin == list->groups || permi_key_compare(list->high + begin * (size_t)words, key, words) != 0)
    return NULL;
  first = list->patterns.first[list->pattern[begin]];
  last = list->patterns.first[list->pattern[begin] + 1];
  for (w = 0; first < last && list->patterns.low[first] < low; w++)
    first++;
  return first < last && list->patterns.low[first] == low
             ? (const char *)list->value + (list->first[begin] + (size_t)w) * bytes
             : NULL;
}

/* Draws a stream with the chance of its weight; weight has room for two more. -1: all weights are 0. */
static int permi_draw_integer(uint64_t *weight, int streams, int words, uint64_t *random)
{
  uint64_t *total = weight + streams * words, *at = total + words, ones;
  int s, w, top = words, below;
  memset(total, 0, (size_t)words * sizeof *total);
  for (s = 0; s < streams; s++)
    permi_words_add(total, weight + s * words, words);
  while (top && !total[top - 1])
    top--;
  if (!top)
    return -1;
  for (ones = UINT64_MAX; ones >> 1 >= total[top - 1];)
    ones >>= 1;
  do { /* below `total` in at least every second turn */
    for (w = 0; w < top; w++)
      at[w] = permi_random(random);
    at[top - 1] &= ones;
    for (w = top - 1; w > 0 && at[w] == total[w]; w--)
      ;
    below = at[w] < total[w];
  } while (!below);
  for (s = 0; !permi_words_subtract(at, weight + s * words, top); s++)
    ;
  return s;
}

static int permi_draw_double(const double *weight, int streams, uint64_t *random)
{
  double sum = 0, at;
  int s, chosen = -1;
  for (s = 0; s < streams; s++)
    sum += weight[s];
  at = sum * ((double)(permi_random(random) >> 11) * (1.0 / 9007199254740992.0));
  for (s = 0; s < streams && (chosen < 0 || at >= 0); s++)
    if (weight[s] > 0) {
      chosen = s;
      at -= weight[s];
    }
  return chosen;
}

static void permi_draw_block(const permi_recorded *block, int n, uint64_t *weight, uint64_t *random, int *columns)
{
  const permi_frontier *frontier = block->frontier;
  const permi_numbers *numbers = &frontier->numbers;
  const size_t words = permi_numbers_words(numbers);
  uint64_t mask[PERMI_MASK_WORDS] = {0}, from[PERMI_MASK_WORDS];
  int p, s, w;
  for (p = frontier->steps - 1; p >= 0; p--) {
    const int first = frontier->stream_start[p], streams = frontier->stream_start[p + 1] - first;
    for (s = 0; s < streams; s++) {
      uint64_t differs = 0;
      const void *value;
      for (w = 0; w < frontier->mask_words; w++) {
        from[w] = mask[w] ^ permi_stream_word(frontier, first + s, 2, w);
        differs |= (from[w] & permi_stream_word(frontier, first + s, 0, w)) ^
                   permi_stream_word(frontier, first + s, 1, w);
      }
      value = differs ? NULL : permi_recorded_find(&block->list[p], from, 8 * words);
      memset(weight + (size_t)s * words, 0, 8 * words);
      if (value)
        permi_value_add(numbers->algebra, numbers, &frontier->coefficient[first + s], weight + (size_t)s * words,
                        value, 1);
    }
    s = permi_algebra_is_integer(numbers->algebra)
            ? permi_draw_integer(weight, streams, (int)words, random)
            : permi_draw_double((const double *)weight, streams, random);
    if (s < 0) /* never: only states of positive value are drawn */
      return;
    for (w = 0; w < frontier->mask_words; w++)
      mask[w] ^= permi_stream_word(frontier, first + s, 2, w);
    if (frontier->partner[first + s] >= 0) {
      const int v = frontier->sequence[p], t = frontier->partner[first + s];
      columns[block->row[v < t ? v : t]] = block->column[(v < t ? t : v) - block->n] - n;
    }
  }
}

static perm_status permi_draw_part(void *context, uint64_t part, int thread)
{
  permi_sampling *sampling = (permi_sampling *)context;
  const int n = sampling->working.n;
  const uint64_t begin = part * PERMI_SAMPLE_PART;
  uint64_t k;
  int b;
  for (k = begin; k < sampling->count && k < begin + PERMI_SAMPLE_PART; k++) {
    int *columns = sampling->columns + (size_t)k * (size_t)n;
    uint64_t random = sampling->seed;
    random = permi_random(&random) + sampling->begin + k;
    random = permi_random(&random); /* its place on the generator's cycle */
    memcpy(columns, sampling->forced, (size_t)n * sizeof *columns);
    for (b = 0; b < sampling->blocks; b++)
      permi_draw_block(&sampling->block[b], n, sampling->room + (size_t)thread * sampling->words, &random, columns);
  }
  return thread ? PERM_OK : permi_control_poll(sampling->watch, 0, "drawing");
}

/* Runs a planned block and keeps its states. */
static perm_status permi_record(permi_sampling *sampling, permi_recorded *block)
{
  const permi_frontier *frontier = block->frontier;
  const perm_allocator *allocator = &sampling->options->allocator;
  const size_t bytes = permi_value_bytes(frontier);
  permi_run run;
  perm_status status;
  int p;
  block->list = (permi_list *)permi_allocate(allocator, (size_t)frontier->steps, sizeof *block->list);
  if (!block->list)
    return PERM_ERROR_MEMORY;
  memset(block->list, 0, (size_t)frontier->steps * sizeof *block->list);
  status = permi_run_open(frontier, sampling->watch, permi_run_step, &run);
  for (p = 0; p < frontier->steps && status == PERM_OK; p++)
    status = permi_recorded_keep(allocator, &run.list[p & 1], bytes, &block->list[p])
                 ? permi_run_advance(&run, p, permi_run_step)
                 : PERM_ERROR_MEMORY;
  if (status == PERM_OK && !permi_algebra_is_integer(frontier->numbers.algebra)) {
    const double last = run.list[p & 1].states ? *(const double *)run.list[p & 1].value : 0;
    if (!(run.sizes.loss <= last * PERMI_SAMPLE_LOST && last > 0))
      status = permi_fail(sampling->result, PERM_ERROR_UNSUPPORTED, 1,
                          "matrix: its products range beyond doubles; integers are drawn exactly");
  }
  sampling->visited += run.visited;
  permi_run_release(&run);
  return status;
}

/* Plans a block by the offer of lists, and records it. */
static perm_status permi_sampling_block(permi_sampling *sampling, permi_maker *maker, permi_recorded *block)
{
  const perm_options *options = maker->options;
  const double limit = options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES;
  permi_block entries;
  permi_offer offer;
  perm_status status;
  size_t words;
  int p;
  if (!permi_block_create(&sampling->working, block->row, block->column, block->n, &entries))
    return PERM_ERROR_MEMORY;
  memset(&offer, 0, sizeof offer);
  status = permi_frontier_offer(maker, &entries, (double)INFINITY, &offer);
  permi_block_release(&options->allocator, &entries);
  block->frontier = (permi_frontier *)offer.plan;
  if (status == PERM_OK && sampling->watch->stopped != PERM_OK)
    return sampling->watch->stopped;
  if (status == PERM_OK && offer.status == PERM_ERROR_OVERFLOW)
    return permi_fail_long(maker->result);
  if (status == PERM_OK && !(offer.seconds < (double)INFINITY))
    return permi_fail(maker->result, PERM_ERROR_LIMIT, 1,
                      "matrix: a block of order %d %s; samples are drawn from such an order only", block->n, offer.why);
  if (status != PERM_OK)
    return status;
  for (p = 0; p < block->frontier->steps; p++)
    sampling->kept += block->frontier->states[p] * ((double)permi_value_bytes(block->frontier) + PERMI_GROUP_BYTES);
  if (sampling->kept + offer.bytes > limit)
    return permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                      "a block of order %d: samples keep the states of all steps, predicted %.3g bytes, over %.3g: "
                      "raise max_bytes, or plan_effort to find an order with fewer states",
                      block->n, sampling->kept + offer.bytes, limit);
  if (options->max_seconds > 0 && offer.seconds > options->max_seconds)
    return permi_fail(maker->result, PERM_ERROR_LIMIT, 2, "a block of order %d: predicted %.3g s, over max_seconds %g",
                      block->n, offer.seconds, options->max_seconds);
  words = ((size_t)permi_frontier_streams_most(block->frontier) + 2) * permi_numbers_words(&block->frontier->numbers);
  sampling->words = words > sampling->words ? words : sampling->words;
  return permi_record(sampling, block);
}

static perm_status permi_sample_blocks(permi_sampling *sampling)
{
  permi_working *working = &sampling->working;
  const perm_allocator *allocator = &sampling->options->allocator;
  const int n = working->n;
  perm_options lists = *sampling->options;
  permi_maker maker;
  permi_account account;
  perm_status status = permi_block_lines(working, &sampling->first, &sampling->line);
  int k;
  if (status != PERM_OK)
    return status;
  sampling->block = (permi_recorded *)permi_allocate(allocator, (size_t)working->blocks, sizeof *sampling->block);
  sampling->forced = (int *)permi_allocate(allocator, (size_t)n, sizeof *sampling->forced);
  if (!sampling->block || !sampling->forced)
    return PERM_ERROR_MEMORY;
  memset(&maker, 0, sizeof maker);
  memset(&account, 0, sizeof account);
  account.watch = maker.watch = sampling->watch;
  account.begin = sampling->watch->worked;
  account.share = PERMI_PLAN_SHARE * fmax(lists.plan_effort, 1);
  account.least = account.floor = PERMI_PLAN_SECONDS;
  lists.method = PERM_METHOD_LISTS;
  lists.precision = PERM_PRECISION_DEFAULT;
  memset(&lists.gpu, 0, sizeof lists.gpu);
  maker.options = &lists;
  maker.account = &account;
  maker.working = working;
  maker.result = sampling->result;
  for (k = 0; k < working->blocks && status == PERM_OK; k++) {
    const int begin = sampling->first[k], order = sampling->first[k + 1] - begin;
    const int *row = sampling->line + begin, *column = sampling->line + n + begin;
    permi_recorded *block = &sampling->block[sampling->blocks];
    sampling->forced[*row] = order == 1 ? *column - n : -1;
    if (order == 1)
      continue;
    memset(block, 0, sizeof *block);
    block->row = row;
    block->column = column;
    block->n = order;
    sampling->blocks++;
    status = permi_sampling_block(sampling, &maker, block);
  }
  permi_release(allocator, maker.binomial);
  return status;
}

static perm_status permi_sample_check(const permi_given *given, const perm_options *options, uint64_t count,
                                      const int *columns, permi_control *watch, perm_result *result)
{
  permi_given_item entry;
  size_t e, end;
  int i;
  if (given->m != given->n)
    return permi_fail(result, PERM_ERROR_SIZE, 1,
                      "matrix: %d x %d is not square; append rows of ones to draw injections of fewer rows", given->m,
                      given->n);
  if (options->modulus || options->certify || options->tolerance > 0 || options->checkpoint.file ||
      (options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_LISTS) ||
      (options->precision != PERM_PRECISION_DEFAULT && options->precision != PERM_PRECISION_FAST &&
       options->precision != PERM_PRECISION_EXACT))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2,
                      "options: samples take methods auto and lists, precisions default, fast and exact, and no "
                      "modulus, certify, tolerance or checkpoint");
  if (count && given->n && (!columns || count > SIZE_MAX / sizeof(int) / (uint64_t)given->n))
    return permi_fail(result, columns ? PERM_ERROR_SIZE : PERM_ERROR_NULL, columns ? 5 : 6,
                      columns ? "count is too large" : "columns is NULL");
  for (i = 0; i < given->m; i++)
    for (e = permi_given_row(given, i, &end); e < end && !permi_watch_step(watch, e, 5); e++) {
      permi_given_entry(given, i, e, &entry);
      if (entry.imaginary != 0 || entry.real < 0)
        return permi_fail(result, PERM_ERROR_UNSUPPORTED, 1,
                          "matrix: row %d, column %d (counted from 1) has %.17g%s: entries below 0 have no chances",
                          i + 1, entry.column + 1, entry.imaginary != 0 ? entry.imaginary : entry.real,
                          entry.imaginary != 0 ? " i" : "");
    }
  return PERM_OK;
}

static perm_status permi_sample_prepare(permi_sampling *sampling, const permi_given *given, int exact)
{
  permi_working *working = &sampling->working;
  permi_control *watch = sampling->watch;
  perm_result *result = sampling->result;
  working->watch = watch;
  watch->activity = "preparing";
  permi_sparse_fill(given, exact, 0, working);
  if (!permi_split(working) && watch->stopped == PERM_OK)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 1,
                      "matrix: its permanent is 0, nothing can be drawn: %d rows have entries in only %d columns",
                      working->report.hall_lines, working->report.hall_others);
  if (watch->stopped == PERM_OK && !exact && !permi_scale(working))
    return PERM_ERROR_MEMORY;
  if (watch->stopped == PERM_OK && working->lost)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 1,
                      "matrix: its entries range beyond doubles; integers are drawn exactly");
  watch->activity = "planning";
  return watch->stopped;
}

static perm_status permi_sample(permi_sampling *sampling, const permi_given *given)
{
  const perm_options *options = sampling->options;
  const perm_allocator *allocator = &options->allocator;
  permi_given_item entry;
  perm_status status;
  int row, b, all, exact;
  const int threads = permi_threads(options);
  const uint64_t parts = sampling->count / PERMI_SAMPLE_PART + (sampling->count % PERMI_SAMPLE_PART > 0);
  exact = options->precision != PERM_PRECISION_FAST && permi_given_integers(given, &row, &entry, sampling->watch);
  if (options->precision == PERM_PRECISION_EXACT && !exact && sampling->watch->stopped == PERM_OK)
    return permi_fail(sampling->result, PERM_ERROR_OPTION, 2,
                      "options: precision exact needs integers below 2^53, but row %d, column %d (counted from 1) has "
                      "%.17g", row + 1, entry.column + 1, entry.real);
  if (!permi_working_create(&sampling->working, allocator, given->n, given->nnz))
    return permi_fail_memory(sampling->result);
  status = permi_sample_prepare(sampling, given, exact);
  if (status == PERM_OK)
    status = permi_sample_blocks(sampling);
  if (status == PERM_OK) {
    sampling->room = (uint64_t *)permi_allocate(allocator, (size_t)threads * (sampling->words + 1), sizeof(uint64_t));
    status = sampling->room ? permi_share(parts < (uint64_t)threads ? 1 : threads, 0, parts, permi_draw_part, sampling,
                                          &all)
                            : PERM_ERROR_MEMORY;
  }
  for (b = 0; b < sampling->blocks; b++)
    permi_recorded_release(allocator, &sampling->block[b]);
  permi_release(allocator, sampling->block);
  permi_release(allocator, sampling->forced);
  permi_release(allocator, sampling->first);
  permi_release(allocator, sampling->line);
  permi_release(allocator, sampling->room);
  permi_working_free(&sampling->working);
  if (status > 0)
    return permi_fail(sampling->result, status, 0, "%s while sampling", perm_status_text(status));
  return status == PERM_ERROR_MEMORY ? permi_fail_memory(sampling->result) : status;
}

PERM_SPARSE_API perm_status perm_sample_sparse(const perm_matrix *matrix, const perm_options *options_given,
                                               uint64_t seed, uint64_t first, uint64_t count, int *columns,
                                               perm_result *result)
{
  const double start = permi_seconds();
  permi_metered call;
  permi_sampling sampling;
  permi_control watch;
  permi_given given;
  perm_status status;
  if (!result)
    return PERM_ERROR_NULL;
  memset(&sampling, 0, sizeof sampling);
  permi_result_clear(result);
  sampling.options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  watch = permi_control_begin(sampling.options);
  sampling.watch = &watch;
  sampling.result = result;
  sampling.seed = seed;
  sampling.begin = first;
  sampling.count = count;
  sampling.columns = columns;
  status = permi_given_make(matrix, sampling.options, &watch, &given, result);
  if (status == PERM_OK)
    status = permi_sample_check(&given, sampling.options, count, columns, &watch, result);
  if (status == PERM_OK && given.n > 0)
    status = permi_sample(&sampling, &given);
  if (status == PERM_OK) {
    result->method = PERM_METHOD_LISTS;
    result->terms = sampling.visited;
    result->threads = permi_threads(sampling.options);
  }
  result->status = status;
  result->seconds = permi_seconds() - start;
  return permi_meter_end(&call, status, result);
}
#endif
