/* ================================================================================ >>amplitudes_calls */
#pragma once
#include "../plan/check.h"
#include "../base/names.h"
#include "amplitudes_bound.h"

/* Orders photons; returns 0 without memory. */
static int permi_amplitudes_order(permi_amplitudes *p, int columns, const int *counts, permi_pool *pool)
{
  const size_t room = (size_t)columns + 1;
  p->column = (int *)permi_pool_zeros(pool, 3 * room + (size_t)p->n, sizeof(int));
  if (!p->column)
    return 0;
  p->times = p->column + room;
  p->used = p->times + room;
  p->order = p->used + room;
  for (int j = 0; j < columns; j++)
    if (!counts || counts[j]) {
      p->column[p->columns] = j;
      p->times[p->columns++] = counts ? counts[j] : 1;
    }
  for (int k = 0; k < p->n; p->used[p->order[k++]]++)
    for (int j = 1; j < p->columns; j++) {
      const int best = p->order[k];
      if ((double)(p->times[j] - p->used[j]) / (p->used[j] + 1) >
          (double)(p->times[best] - p->used[best]) / (p->used[best] + 1))
        p->order[k] = j;
    }
  memset(p->used, 0, room * sizeof *p->used);
  return 1;
}

#if defined(PERM_WITH_CUDA)
PERMI_DEVICE int permi_amplitudes_gpu_takes(permi_amplitudes *p, const perm_options *options);
PERMI_DEVICE perm_status permi_amplitudes_gpu_run(permi_amplitudes *p, perm_result *result);
#else
#define permi_amplitudes_gpu_takes(p, options) permi_gpu_missed(options, PERMI_GPU_LEAST_N, (p)->places * (p)->each)
#define permi_amplitudes_gpu_run(p, result) permi_gpu_absent(result)
#endif

/* Chooses g, and predicts. */
static void permi_amplitudes_plan(permi_amplitudes *p, const perm_options *options)
{
  const perm_isa isa = permi_isa(options);
  const permi_ranks *ranks = &p->ranks;
  const int last = p->modes - 1, most = ranks->open < 1 ? 1 : ranks->open < last ? ranks->open : last;
  const size_t all = permi_ranks_first(ranks, last, p->n + 1);
  size_t even = 0;
  p->kernel = PERMI_OF_X86(permi_amplitude_block, isa);
  p->each = PERMI_AMPLITUDES_TERM_SECONDS * (1 + (double)p->n * p->modes / (p->n + p->modes)) *
            (permi_lanes(isa) >= 4 ? 1 : 2);
  for (int d = 1; d <= p->n; d++)
    p->places += (double)permi_ranks_first(ranks, last, d + 1);
  p->on_gpu = permi_amplitudes_gpu_takes(p, options);
  for (int g = 1; g <= (p->on_gpu ? 1 : most) && even < PERMI_AMPLITUDES_BLOCK; g++) {
    double entries = 0;
    for (int d = 0; d <= p->n; d++)
      entries += (double)((permi_ranks_states(ranks, g, d) + 1) / 2 * 2) * (d < g ? d : g);
    if (g > 1 && entries > fmax(PERMI_AMPLITUDES_TABLE, 2.0 * (double)all))
      break;
    p->inner = g;
    p->entries = (size_t)entries;
    even = permi_ranks_states(ranks, g, (int)((double)p->n * g / p->modes));
  }
  p->each += p->on_gpu ? 0 : 3e-8 / (double)(even + 1);
  p->watch->work_total = p->places * p->each;
  for (int d = 0; d <= p->n; d++) {
    const size_t states = permi_ranks_states(ranks, p->inner, d);
    p->longest = states > p->longest ? states : p->longest;
  }
}

/* Takes memory, the largest last. */
static void permi_amplitudes_room(permi_amplitudes *p, double *out, permi_pool *pool)
{
  const size_t modes = (size_t)p->modes, n = (size_t)p->n;
  const int g = p->inner, full = p->ranks.most[g - 1];
  const size_t states = p->elsewhere ? permi_ranks_first(&p->ranks, p->modes - 1, p->n) : p->count;
  const double one[2] = {1, 0};
  size_t at = 0;
  int32_t *place = (int32_t *)permi_pool_zeros(pool, p->entries + 1, sizeof *place);
  double *c = (double *)permi_pool_get(pool, p->entries + 1, 4 * sizeof *c);
  p->photon = (uint16_t (*)[2])permi_pool_zeros(pool, p->entries + 1, sizeof *p->photon);
  p->u = (double *)permi_pool_get(pool, modes * (size_t)p->columns, 2 * sizeof(double));
  p->unit = (double *)permi_pool_zeros(pool, 2 * modes + n + 1, sizeof(double));
  p->walk = (permi_amplitude_walk *)permi_pool_zeros(pool, (size_t)p->threads, sizeof *p->walk);
  p->table = (permi_amplitude_block *)permi_pool_zeros(pool, n + 1, sizeof *p->table);
  for (int k = 0; k < p->threads && !pool->failed; k++) {
    p->walk[k].of = p;
    p->walk[k].inner = g;
    p->walk[k].source = (permi_amplitude_source *)permi_pool_get(pool, n + 2, sizeof(permi_amplitude_source));
    p->walk[k].room = (double *)permi_pool_get(pool, p->longest + 4, 2 * sizeof(double));
  }
  p->norm = (double *)permi_pool_get(pool, (states > p->count ? states : p->count) / PERMI_AMPLITUDES_PART + 2,
                                     sizeof(double));
  p->work = p->out = p->given = out;
  if (p->pieces)
    p->out = (double *)permi_pool_get(pool, PERMI_AMPLITUDES_CALL + p->longest,
                                      (p->asked.probabilities ? 1 : 2) * sizeof(double));
  if (p->elsewhere && !p->on_gpu)
    p->work = (double *)permi_pool_get(pool, states + 1, 2 * sizeof(double));
  if (pool->failed)
    return;
  if (!p->on_gpu)
    memcpy(p->work, one, sizeof one);
  p->root = p->unit + 2 * modes;
  for (int d = 0; d <= p->n; d++) {
    permi_amplitude_block *table = &p->table[d];
    permi_amplitude_walk fill = p->walk[0];
    p->root[d] = sqrt((double)d);
    table->states = (int)permi_ranks_states(&p->ranks, g, d);
    table->width = d < g ? d : g;
    table->lower = d > 0 ? (ptrdiff_t)(permi_ranks_first(&p->ranks, g - 1, d - full) -
                                       permi_ranks_first(&p->ranks, g - 1, d - 1 - full)) : 0;
    table->at = place + at;
    table->c = c + 4 * at;
    at += ((size_t)table->states + 1) / 2 * 2 * (size_t)table->width;
    fill.table = table;
    fill.inner = 0;
    fill.high = SIZE_MAX;
    permi_amplitudes_walk(&fill, g, d, 0, 0);
  }
}

/* Checks; makes ranks. */
static perm_status permi_amplitudes_begin(permi_amplitudes *p, const permi_problem *problem, const double *out,
                                          permi_pool *pool, perm_result *result)
{
  const perm_options *options = p->watch->options;
  permi_ranks *ranks = &p->ranks;
  permi_problem bare = *problem;
  bare.column_count = NULL; /* is another argument here */
  perm_status status = permi_check_whole(options, 7, result);
  if (status == PERM_OK && ((options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_SUBSETS) ||
                            options->precision != PERM_PRECISION_DEFAULT))
    return permi_fail(result, PERM_ERROR_OPTION, 7, "options: amplitudes have methods auto and subsets, and precision "
                                                    "default");
  if (status == PERM_OK)
    status = permi_check_problem(&bare, 0, result);
  if (status == PERM_OK)
    status = permi_check_counts(problem->column_count, problem->n, 5, "column", &p->n, result);
  if (status != PERM_OK)
    return status;
  const size_t levels = (size_t)p->n + 2;
  int *ints = (int *)permi_pool_zeros(pool, 3 * (size_t)problem->m + 6, sizeof *ints);
  if (!ints || !permi_amplitudes_order(p, problem->n, problem->column_count, pool))
    return PERM_ERROR_MEMORY;
  permi_ranks_modes(ranks, problem->m, p->n, &p->asked, 1, ints);
  p->modes = ranks->modes;
  ranks->first = (size_t *)permi_pool_zeros(pool, 2 * (size_t)ranks->modes, levels * sizeof(size_t));
  if (!ranks->first)
    return PERM_ERROR_MEMORY;
  ranks->turn = ranks->first + (size_t)ranks->modes * levels;
  const size_t states = permi_ranks_fill(ranks);
  if (states > PTRDIFF_MAX / 64)
    return permi_fail(result, PERM_ERROR_LIMIT, 6, "outputs: there are too many, or states before the last photon: "
                                                   "limit the photons of rows (most)");
  p->offset = permi_ranks_first(ranks, p->modes - 1, p->n - ranks->most[p->modes - 1]);
  p->count = ranks->open < p->modes ? permi_ranks_states(ranks, ranks->open, ranks->loose) : states - p->offset;
  p->elsewhere = p->asked.probabilities || p->asked.block || p->count != states;
  p->pieces = ranks->unseen || p->asked.block;
  p->seen = ints + 2 * problem->m + 4;
  if (p->count && !out && !p->asked.block)
    return permi_fail(result, PERM_ERROR_NULL, 8, "out is NULL");
  if (p->asked.on_gpu && (p->pieces || !p->n || !options->gpu.devices))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 6, "outputs: on_gpu takes photons, options.gpu.devices, no block "
                                                         "and no row that is unseen");
  if (ranks->unseen && !p->asked.probabilities)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 6, "outputs: an unseen row has probabilities, no amplitudes");
  return PERM_OK;
}

PERMI_NEVER_INLINE static perm_status permi_amplitudes_solve(permi_amplitudes *p, const permi_problem *problem,
                                                             double *out, permi_pool *pool, perm_result *result)
{
  const perm_options *options = p->watch->options;
  const permi_view view = permi_view_make(problem->real, problem->ld, 2);
  double norm = 0, one[2] = {1, 0};
  perm_status status = permi_amplitudes_begin(p, problem, out, pool, result);
  if (status == PERM_OK && p->count && p->n == 0) {
    p->total = 1;
    p->out = one;
    p->given = out;
    status = permi_amplitudes_hand(p, 1);
  } else if (status == PERM_OK && p->count) {
    const size_t side = (size_t)(p->columns < p->modes ? p->columns : p->modes), spare = 4 * side * side;
    permi_amplitudes_plan(p, options);
    if (p->asked.on_gpu && !p->on_gpu)
      return permi_fail(result, PERM_ERROR_DEVICE, 6, "outputs: on_gpu, but there is no GPU");
    double *room = (double *)permi_pool_zeros(pool, spare + 3 * ((size_t)p->n + 2), sizeof *room);
    int *reached = (int *)permi_pool_get(pool, 3 * (size_t)p->columns, sizeof *reached);
    permi_amplitudes_room(p, out, pool);
    if (pool->failed)
      return PERM_ERROR_MEMORY;
    const double size = permi_amplitudes_norm(p, &view, room);
    p->scale = size > -(double)INFINITY && fabs(p->n * size) > PERMI_AMPLITUDES_RANGE ? size : 0;
    norm = permi_amplitudes_bound(p, size, room + spare, reached);
    status = p->on_gpu ? permi_amplitudes_gpu_run(p, result) : permi_amplitudes_run(p);
  }
  if (status != PERM_OK || p->watch->stopped != PERM_OK)
    return status;
  result->exp2 = (long long)floor(p->n * p->scale + 0.5);
  result->error_bound = result->error_estimate = norm;
  result->terms = p->n ? floor(p->done / p->each + 0.5) : 1;
  result->method = PERM_METHOD_SUBSETS;
  result->isa = p->on_gpu ? PERM_ISA_CUDA : permi_lanes(permi_isa(options)) >= 4 ? permi_isa(options) : PERM_ISA_PLAIN;
  result->gpus = p->on_gpu;
  result->threads = p->threads;
  result->is_complex = 1;
  result->seconds = permi_seconds() - p->watch->start;
  result->value = sqrt(p->total); /* what the tolerance is relative to */
  status = permi_judge(options, result);
  result->value = p->total;
  return status;
}

PERM_MORE_API perm_status perm_amplitudes_complex(int m, int columns, const double *a, ptrdiff_t ld,
                                                  const int *column_counts, const perm_outputs *outputs,
                                                  const perm_options *options_given, double *out, perm_result *result)
{
  const permi_problem problem = {m, columns, 2, a, NULL, ld, NULL, column_counts, NULL};
  permi_amplitudes plan;
  permi_metered call;
  perm_result unused;
  const perm_options *options = permi_meter_begin(&call, options_given, 16.0 * fmax(m, 0) * fmax(columns, 0));
  permi_control watch = permi_control_begin(options);
  permi_pool pool = {&options->allocator, NULL, 0};
  result = result ? result : &unused;
  permi_result_clear(result);
  memset(&plan, 0, sizeof plan);
  plan.watch = &watch;
  plan.threads = permi_threads(options);
  if (outputs)
    plan.asked = *outputs;
  plan.asked.on_gpu |= options->gpu.resident >> 1;
  watch.activity = "adding photons";
  perm_status status = permi_amplitudes_solve(&plan, &problem, out, &pool, result);
  permi_pool_release(&pool);
  if (status == PERM_ERROR_MEMORY)
    permi_fail_memory(result);
  else if (watch.stopped != PERM_OK)
    status = permi_fail_stopped(&watch, result);
  result->status = permi_meter_end(&call, status, result);
  return permi_kind(result->status, 2, options_given, result);
}
/* SPDX-License-Identifier: MIT */
