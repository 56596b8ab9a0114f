/* ================================================================================ >>amplitudes_calls */
#pragma once
#include "../plan/check.h"
#include "../base/names.h"
#include "amplitudes_bound.h"

typedef struct permi_amplitudes_call {
  int m, columns, photons;
  permi_view view;
  const int *counts;
  const perm_outputs *outputs;
  const perm_options *options;
  double *out;
} permi_amplitudes_call;

static perm_status permi_amplitudes_check(permi_amplitudes_call *call, perm_result *result)
{
  const perm_outputs *outputs = call->outputs;
  const perm_options *options = call->options;
  perm_status status = permi_check_whole(options, 7, result);
  int i, side;
  if (status == PERM_OK)
    status = permi_check_order(call->m, call->columns, result);
  if (status != PERM_OK)
    return status;
  if ((options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_SUBSETS) ||
      options->precision != PERM_PRECISION_DEFAULT)
    return permi_fail(result, PERM_ERROR_OPTION, 7, "options: amplitudes have methods auto and subsets, and precision "
                                                    "default");
  if (call->m > PERM_MAX_LINES || call->columns > PERM_MAX_LINES)
    return permi_fail(result, PERM_ERROR_SIZE, call->m > PERM_MAX_LINES ? 1 : 2,
                      "the matrix is %d x %d; this version takes up to %d rows or columns", call->m, call->columns,
                      PERM_MAX_LINES);
  status = permi_check_counts(call->counts, call->columns, 5, "column", &call->photons, result);
  if (status == PERM_OK && call->m > 0 && call->columns > 0)
    status = permi_check_entries(call->m, call->columns, call->view.a, call->view.a != NULL, call->view.ld, 2, result);
  for (side = 0; side < 2 && status == PERM_OK; side++) {
    const int *limit = !outputs ? NULL : side ? outputs->most : outputs->least;
    for (i = 0; limit && i < call->m; i++)
      if (limit[i] < 0)
        return permi_fail(result, PERM_ERROR_COUNTS, 6, "outputs: %s has a negative number (%d) for row %d (counted "
                                                        "from 1)", side ? "most" : "least", limit[i], i + 1);
  }
  if (status == PERM_OK && outputs && outputs->probabilities != 0 && outputs->probabilities != 1)
    return permi_fail(result, PERM_ERROR_OPTION, 6, "outputs: probabilities is neither 0 nor 1");
  return status;
}

/* Takes the rows that may have photons and the columns that have some. Two modes at least: the first are then of no
   row. Returns 0 without memory. */
static int permi_amplitudes_lines(permi_amplitudes *p, const permi_amplitudes_call *call, permi_pool *pool)
{
  const size_t rows = (size_t)call->m + 2, columns = (size_t)call->columns + 1, n = (size_t)p->n;
  int *ints = (int *)permi_pool_zeros(pool, 4 * rows + 3 * columns + n, sizeof *ints), active = 0, i, j, k;
  if (!ints)
    return 0;
  p->row = ints;
  p->output.least = p->row + rows;
  p->output.most = p->output.least + rows;
  p->lacks = p->output.most + rows;
  p->column = p->lacks + rows;
  p->times = p->column + columns;
  p->used = p->times + columns;
  p->order = p->used + columns;
  for (j = 0; j < call->columns; j++)
    if (!call->counts || call->counts[j]) {
      p->column[p->columns] = j;
      p->times[p->columns++] = call->counts ? call->counts[j] : 1;
    }
  for (k = 0; k < p->n; k++) {
    double most = -1;
    for (j = 0, i = 0; j < p->columns; j++) {
      const double share = (double)(p->times[j] - p->used[j]) / (p->used[j] + 1);
      if (share > most) {
        most = share;
        i = j;
      }
    }
    p->order[k] = i;
    p->used[i]++;
  }
  memset(p->used, 0, columns * sizeof *p->used);
  for (i = 0; i < call->m; i++)
    active += permi_outputs_limit(call->outputs, 1, i, p->n) > 0 || permi_outputs_limit(call->outputs, 0, i, p->n) > 0;
  for (; p->modes + active < 2; p->modes++)
    p->row[p->modes] = -1;
  for (i = call->m - 1; i >= 0; i--) {
    const int least = permi_outputs_limit(call->outputs, 0, i, p->n);
    const int most = permi_outputs_limit(call->outputs, 1, i, p->n);
    if (!most && !least)
      continue;
    p->row[p->modes] = i;
    p->output.least[p->modes] = least;
    p->output.most[p->modes] = most;
    p->lacks[p->modes + 1] = p->lacks[p->modes] + least;
    p->modes++;
  }
  p->output.n = p->place.n = p->n;
  p->output.modes = p->place.modes = p->modes;
  p->place.most = p->output.most;
  return 1;
}

/* Counts places and outputs. Returns 0 without memory. */
static int permi_amplitudes_ranks(permi_amplitudes *p, permi_pool *pool)
{
  const size_t row = (size_t)p->modes + 1, levels = (size_t)p->n + 2;
  const permi_ranks *ranks;
  int which, d, j;
  p->place.first = (size_t *)permi_pool_get(pool, 2 * row * levels, sizeof(size_t));
  p->skip = (size_t *)permi_pool_zeros(pool, 4 * row * levels, sizeof(size_t));
  if (pool->failed)
    return 0;
  p->output.first = p->place.first + row * levels;
  p->shift = p->skip + 2 * row * levels;
  p->turn = p->shift + row * levels;
  p->states = permi_ranks_fill(&p->place, 1);
  p->count = permi_ranks_fill(&p->output, 0);
  if (p->states == SIZE_MAX || p->count == SIZE_MAX || p->count == 0)
    return 1;
  for (which = 0; which < 2; which++)
    for (d = 0, ranks = which ? &p->output : &p->place; d <= p->n; d++)
      for (j = 1; j < p->modes; j++) {
        const int full = ranks->most[j];
        size_t *skip = p->skip + ((size_t)which * levels + (size_t)d) * row + (size_t)j;
        size_t *shift = p->shift + (size_t)d * row + (size_t)j, *turn = p->turn + (size_t)j * levels + (size_t)d;
        skip[1] = skip[0] + permi_ranks_first(ranks, j, d) - permi_ranks_first(ranks, j, d - full);
        if (which || d == 0)
          continue;
        *turn = permi_ranks_states(ranks, j, d - 1) - (permi_ranks_first(ranks, j - 1, d - ranks->most[j - 1]) -
                                                       permi_ranks_first(ranks, j - 1, d - 1 - ranks->most[j - 1]));
        shift[1] = shift[0] + *turn;
      }
  p->offset = permi_ranks_first(&p->output, p->modes - 1, p->n - p->output.most[p->modes - 1]);
  return 1;
}

/* Chooses g and predicts seconds. Returns the bytes of permi_amplitudes_room. */
static double permi_amplitudes_plan(permi_amplitudes *p, const permi_amplitudes_call *call)
{
  const perm_isa isa = permi_isa(call->options);
  const double most = fmax(PERMI_AMPLITUDES_TABLE, 2.0 * (double)p->states);
  const double occupied = (double)p->n * p->modes / (p->n + p->modes);
  const int last = p->modes - 1, lanes = permi_lanes(isa);
  double entries = 0, states = 0, all = 0, block = 1, size;
  int g, d;
  for (g = 1; g <= last && (g == 1 || block < PERMI_AMPLITUDES_BLOCK); g++) {
    double more = 0, inside = 0;
    for (d = 0; d <= p->n; d++) {
      inside += (double)permi_ranks_states(&p->place, g, d);
      more += (double)permi_ranks_states(&p->place, g, d) * (d < g ? d : g);
    }
    if (g > 1 && more > most)
      break;
    p->inner = g;
    entries = more;
    states = inside;
    block = fmax((double)permi_ranks_states(&p->place, g, (int)((double)p->n * g / p->modes)), 1);
  }
  p->entries = (size_t)entries;
  p->inside = (size_t)states;
  for (d = 0, p->longest = 1; d <= p->n; d++) {
    const size_t length = permi_ranks_states(&p->place, p->inner, d);
    p->longest = length > p->longest ? length : p->longest;
    all += (double)permi_ranks_first(&p->place, last, d + 1);
  }
  p->kernel = PERMI_OF_FAMILY(permi_amplitude_block, isa);
  p->each = PERMI_AMPLITUDES_TERM_SECONDS * (1 + occupied) * (lanes == 8 ? 1 : lanes > 1 ? 1.6 : 3) + 3e-8 / block;
  p->watch->work_total = all * p->each / p->threads;
  p->elsewhere = p->probabilities || p->count != p->states || (call->outputs && call->outputs->block);
  p->parts = (p->states > p->count ? p->states : p->count) / PERMI_AMPLITUDES_PART + 2;
  size = (double)(p->columns < p->modes ? p->columns : p->modes);
  return (p->elsewhere ? 16.0 * (double)permi_ranks_first(&p->place, last, p->n) : 0) +
         (call->outputs && call->outputs->block
              ? (PERMI_AMPLITUDES_CALL + (double)p->longest) * (p->probabilities ? 8 : 16) : 0) +
         40 * entries + 4 * states + 16 * (double)p->parts + p->threads * (16.0 * (double)p->longest + 40.0 * p->n + 256) +
         16.0 * p->modes * p->columns + 32 * size * size + 128.0 * p->n + 16.0 * p->modes + 12.0 * p->columns + 4096;
}

/* Takes all memory of a run; returns the callers' buffer, or NULL. */
static double *permi_amplitudes_room(permi_amplitudes *p, const permi_amplitudes_call *call, permi_pool *pool)
{
  const int buffered = call->outputs && call->outputs->block;
  const size_t n = (size_t)p->n;
  int32_t *place = (int32_t *)permi_pool_get(pool, p->entries + 1, sizeof *place);
  double *factor = (double *)permi_pool_get(pool, 4 * p->entries + 1, sizeof *factor), *buffer = NULL;
  uint16_t (*photon)[2] = (uint16_t (*)[2])permi_pool_get(pool, p->entries + 1, sizeof *photon);
  int *kept = (int *)permi_pool_get(pool, p->inside + 1, sizeof *kept), d, k, s;
  p->work = p->out = call->out;
  if (p->elsewhere)
    p->work = (double *)permi_pool_get(pool, permi_ranks_first(&p->place, p->modes - 1, p->n) + 1, 2 * sizeof(double));
  if (buffered)
    buffer = (double *)permi_pool_get(pool, PERMI_AMPLITUDES_CALL + p->longest,
                                      (p->probabilities ? 1 : 2) * sizeof(double));
  p->u = (double *)permi_pool_get(pool, (size_t)p->modes * (size_t)p->columns + 1, 2 * sizeof(double));
  p->unit = (double *)permi_pool_get(pool, 2 * (size_t)p->modes + n + 1, sizeof(double));
  p->norm = (permi_dd *)permi_pool_get(pool, p->parts, sizeof *p->norm);
  p->walk = (permi_amplitude_walk *)permi_pool_zeros(pool, (size_t)p->threads, sizeof *p->walk);
  p->table = (permi_amplitude_inner_table *)permi_pool_zeros(pool, n + 1, sizeof *p->table);
  for (k = 0; k < p->threads && !pool->failed; k++) {
    p->walk[k].of = p;
    p->walk[k].source = (permi_amplitude_source *)permi_pool_get(pool, n + 2, sizeof(permi_amplitude_source));
    p->walk[k].room = (double *)permi_pool_get(pool, p->longest, 2 * sizeof(double));
  }
  if (pool->failed)
    return NULL;
  p->root = p->unit + 2 * p->modes;
  for (d = 0; d <= p->n; d++) {
    permi_amplitude_inner_table *table = &p->table[d];
    const int most = p->place.most[p->inner - 1];
    p->root[d] = sqrt((double)d);
    table->inner.states = (int)permi_ranks_states(&p->place, p->inner, d);
    table->inner.width = d < p->inner ? d : p->inner;
    table->inner.place = place;
    table->inner.factor = factor;
    table->photon = photon;
    table->kept = p->lacks[p->inner] ? kept : NULL;
    if (d > 0)
      table->lower = permi_ranks_first(&p->place, p->inner - 1, d - most) -
                     permi_ranks_first(&p->place, p->inner - 1, d - 1 - most);
    if (table->inner.states)
      permi_amplitudes_table(p, table, p->inner, d, 0, 0, 0, 0);
    for (k = 0, s = 0; table->kept && k < table->inner.states; k++)
      if (kept[k])
        kept[s++] = k;
    place += table->inner.states * table->inner.width;
    factor += 4 * table->inner.states * table->inner.width;
    photon += table->inner.states * table->inner.width;
    kept += table->inner.states;
  }
  return buffer;
}

static perm_status permi_amplitudes_limits(permi_amplitudes *p, const permi_amplitudes_call *call, double bytes,
                                           perm_result *result)
{
  const perm_options *options = call->options;
  const double most = permi_max_bytes(options);
  if (bytes > (double)(PTRDIFF_MAX / 2) || (most > 0 && bytes > most))
    return permi_fail(result, PERM_ERROR_LIMIT, 0,
                      "amplitudes: %s of memory are needed beside %s of outputs, over max_bytes = %s",
                      permi_size_words(bytes).text,
                      permi_size_words((p->probabilities ? 8.0 : 16.0) * (double)p->count).text,
                      permi_size_words(most > 0 ? options->max_bytes : (double)(PTRDIFF_MAX / 2)).text);
  if (options->max_seconds > 0 && p->watch->work_total > options->max_seconds)
    return permi_fail(result, PERM_ERROR_LIMIT, 0, "amplitudes: %s predicted for %.0f outputs, more than max_seconds "
                                                   "= %.3g", permi_time_words(p->watch->work_total).text,
                      (double)p->count, options->max_seconds);
  if (!call->out && !(call->outputs && call->outputs->block))
    return permi_fail(result, PERM_ERROR_NULL, 8, "out is NULL, and outputs has no function for blocks");
  return PERM_OK;
}

PERMI_NEVER_INLINE static perm_status permi_amplitudes_solve(permi_amplitudes *p, const permi_amplitudes_call *call,
                                                             permi_pool *pool, perm_result *result)
{
  const int doubles = p->probabilities ? 1 : 2;
  permi_dd norm = {0, 0};
  double one[2] = {1, 0}, bound = 0, bytes, length, *buffer, *room;
  int *reached;
  perm_status status;
  if (!permi_amplitudes_lines(p, call, pool))
    return PERM_ERROR_MEMORY;
  p->states = SIZE_MAX;
  if ((p->modes - 1 < p->n ? p->modes - 1 : p->n) < 63 && !permi_amplitudes_ranks(p, pool))
    return PERM_ERROR_MEMORY;
  if (p->states > PTRDIFF_MAX / 64 || p->count > PTRDIFF_MAX / 64)
    return permi_fail(result, PERM_ERROR_LIMIT, 6, "outputs: there are too many, or too many states before the last "
                                                   "photon: try smaller limits of modes (most)");
  if (p->count == 0)
    return PERM_OK;
  bytes = permi_amplitudes_plan(p, call);
  status = permi_amplitudes_limits(p, call, bytes, result);
  if (status != PERM_OK)
    return status;
  if (p->n == 0) {
    norm.hi = 1;
    if (call->outputs && call->outputs->block)
      p->watch->stopped =
          call->outputs->block(call->outputs->user_data, 0, 1, one) ? PERM_STOPPED_CANCELLED : PERM_OK;
    else
      memcpy(call->out, one, (size_t)doubles * sizeof *one);
  } else {
    const size_t size = (size_t)(p->columns < p->modes ? p->columns : p->modes), n = (size_t)p->n;
    buffer = permi_amplitudes_room(p, call, pool);
    room = (double *)permi_pool_get(pool, 3 * n + 2 + 4 * size * size, sizeof *room);
    reached = (int *)permi_pool_get(pool, 3 * (size_t)p->columns, sizeof *reached);
    if (pool->failed)
      return PERM_ERROR_MEMORY;
    length = permi_amplitudes_norm(p, &call->view, room);
    p->scale = length > -(double)INFINITY && fabs(p->n * length) > PERMI_AMPLITUDES_RANGE ? length : 0;
    bound = permi_amplitudes_bound(p, length, room, reached);
    p->watch->activity = "adding photons";
    status = permi_amplitudes_run(p, call->outputs, buffer, &norm);
    result->terms = p->done / p->each;
  }
  result->exp2 = (long long)floor(p->n * p->scale + 0.5);
  result->error_bound = result->error_estimate = bound;
  result->value = sqrt(norm.hi); /* relative to the length */
  result->threads = p->threads;
  if (status == PERM_OK)
    status = permi_judge(call->options, result);
  result->value = norm.hi;
  return status;
}

PERM_MORE_API perm_status perm_amplitudes_complex(int m, int columns, const double *a, ptrdiff_t ld,
                                                  const int *column_counts, const perm_outputs *outputs,
                                                  const perm_options *options_given, double *out, perm_result *result)
{
  permi_amplitudes_call call = {m, columns, 0, permi_view_make(a, ld, 2), column_counts, outputs, NULL, out};
  permi_amplitudes plan;
  permi_metered meter;
  permi_control watch;
  permi_pool pool;
  perm_status status;
  perm_result unused;
  if (!result)
    result = &unused;
  permi_result_clear(result);
  call.options = permi_meter_begin(&meter, options_given, permi_view_bytes(m, columns, &call.view));
  watch = permi_control_begin(call.options);
  status = permi_amplitudes_check(&call, result);
  if (status == PERM_OK) {
    memset(&plan, 0, sizeof plan);
    pool.allocator = &call.options->allocator;
    pool.last = NULL;
    pool.failed = 0;
    plan.n = call.photons;
    plan.probabilities = outputs && outputs->probabilities;
    plan.threads = permi_threads(call.options);
    plan.watch = &watch;
    status = permi_amplitudes_solve(&plan, &call, &pool, result);
    if (status == PERM_ERROR_MEMORY)
      status = permi_fail_memory(result);
    else if (watch.stopped != PERM_OK)
      status = permi_fail_stopped(&watch, result);
    permi_pool_release(&pool);
  }
  if (status == PERM_OK || status == PERM_TOLERANCE_NOT_MET) {
    result->method = PERM_METHOD_SUBSETS;
    result->isa = permi_isa(call.options);
    result->is_complex = 1;
  }
  result->seconds = permi_seconds() - watch.start;
  result->status = permi_meter_end(&meter, status, result);
  return permi_kind(result->status, 2, options_given, result);
}
/* SPDX-License-Identifier: MIT */
