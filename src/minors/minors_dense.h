/* =================================================================================== >>minors_dense
   Minors by vector kernels. */
#pragma once
#include "../job/parallel.h"
#include "../dense/rounding.h"
#include "minors.h"

#if !defined(PERM_NO_EXTRAS)
static void permi_dense_minors_chunk(const permi_minors *minors, uint64_t chunk, double *memory, permi_minors_sum *out)
{
  const permi_dense *dense = &minors->dense;
  const permi_minors_kernel *kernel = minors->kernel;
  const int parts = minors->parts, n = dense->n, lanes = 1 << kernel->lane_columns, number = lanes * parts;
  const int levels = dense->chunk_log2 < 2 ? 2 : dense->chunk_log2, row = n * number;
  const int blocks = kernel->block_columns, inner = kernel->lane_columns + blocks, sums = n * (blocks + 2) * number;
  const int least = minors->least ? n - 1 : 0, wanted = minors->columns;
  const uint64_t gray = (chunk << dense->chunk_log2) ^ (chunk << dense->chunk_log2) >> 1;
  permi_minors_work work;
  int i, j, k, q, part, copy;
  memory += (64 - ((uintptr_t)memory & 63)) % 64 / sizeof(double);
  work.row = memory;
  work.block_high = work.row + sums + ((2 * row) << blocks);
  work.block_low = work.block_high + sums;
  work.high = work.block_low + sums;
  work.low = work.high + levels * row;
  work.present = work.low + levels * row;
  work.stack = work.present + 4 * row;
  work.absolute = work.stack + (levels - 1) * row;
  memset(work.block_high, 0, (size_t)(2 * sums + 2 * levels * row) * sizeof(double));
  memset(work.absolute, 0, (size_t)(n * lanes) * sizeof(double));
  kernel->run(dense, least, chunk, &work);

  for (i = minors->least, copy = least; i < minors->rows; copy += minors->row_count[i++]) {
    const double *absolute = work.absolute + copy * lanes;
    for (k = 0; k < lanes; k++)
      out->absolute[i - minors->least] += absolute[k] * (dense->absolute_mask + 1.0);
    for (part = 0; part < parts; part++) {
      permi_dd u[8], d[PERM_MAX_N];
      int size = lanes, first;
      for (q = 0; q < lanes; q++)
        u[q] = permi_dd_make(work.stack[(levels - 2) * row + (copy * parts + part) * lanes + q] *
                             permi_parity_signs[q]);
      for (j = 0; j < kernel->lane_columns; j++)
        for (q = 0, size /= 2, d[j] = permi_dd_make(0); q < size; q++) {
          d[j] = permi_dd_add(d[j], permi_dd_subtract(u[2 * q], u[2 * q + 1]));
          u[q] = permi_dd_add(u[2 * q], u[2 * q + 1]);
        }
      for (j = kernel->lane_columns; j < n; j++) {
        const int block = j - kernel->lane_columns, outer = j - inner - 1;
        const int at = outer < 2 ? (copy * (blocks + 2) + block - (outer >= 0)) * number + part * lanes
                                              : outer * row + (copy * parts + part) * lanes;
        const double *high = outer < 2 ? work.block_high + at : work.high + at;
        const double *low = outer < 2 ? work.block_low + at : work.low + at;
        d[j] = u[0];
        if (outer >= dense->chunk_log2 && gray >> outer & 1)
          d[j] = permi_dd_subtract(permi_dd_make(0), u[0]);
        if (block == blocks || outer >= dense->chunk_log2)
          continue;
        d[j] = permi_dd_make(0);
        for (q = 0; q < lanes; q++)
          d[j] = permi_dd_add(d[j], permi_two_sum(high[q] * permi_parity_signs[q], low[q] * permi_parity_signs[q]));
      }
      for (j = 0, first = 0; j < wanted; first += minors->column_count[j++])
        out->value[((i - minors->least) * wanted + j) * parts + part] = d[first];
    }
  }
}

static const permi_minors_kernel *permi_minors_kernel_for(perm_isa isa, int parts, int n)
{
  size_t i;
  for (i = 0; i < sizeof permi_minors_kernels / sizeof permi_minors_kernels[0]; i++) {
    const permi_minors_kernel *kernel = &permi_minors_kernels[i];
    if (kernel->isa <= isa && kernel->parts == parts && kernel->lane_columns + kernel->block_columns < n)
      return kernel;
  }
  return NULL;
}

/* By symmetry half of the terms. */
static double permi_terms_count(int columns, const int *count)
{
  double terms = 1;
  int j;
  for (j = 0; j < columns; j++)
    terms *= j == columns - 1 ? count[j] / 2 + 1 : count[j] + 1;
  return terms;
}

static void permi_minors_plan_terms(permi_minors *minors)
{
  const double by_rows = permi_terms_count(minors->rows, minors->row_count);
  const double by_columns = permi_terms_count(minors->columns, minors->column_count);
  const int *count;
  double terms = 1, copies = minors->total;
  int j;
  minors->kernel = NULL;
  minors->subsets = 0;
  minors->lost = 0;
  minors->transposed = by_rows * minors->columns < by_columns * minors->rows;
  minors->terms_rows = minors->transposed ? minors->columns : minors->rows;
  minors->terms_columns = minors->transposed ? minors->rows : minors->columns;
  count = minors->transposed ? minors->row_count : minors->column_count;
  minors->terms = minors->transposed ? by_rows : by_columns;
  for (j = 0; j + 1 < minors->terms_columns && terms * (count[j] + 1) <= 4096; j++)
    terms *= count[j] + 1;
  minors->inner = j;
  minors->chunks = 1;
  for (; j < minors->terms_columns && minors->terms < 1e18; j++)
    minors->chunks *= (uint64_t)(j == minors->terms_columns - 1 ? count[j] / 2 + 1 : count[j] + 1);
  minors->work_doubles = (double)permi_terms_doubles(minors->terms_rows, minors->terms_columns);
  minors->seconds = PERMI_TERMS_SECONDS * minors->terms * (copies + 4 * minors->terms_rows) * minors->parts;
  minors->estimate_relative = PERMI_DD_UNIT * (copies + 4) * minors->parts;
  minors->scale_exp2 = PERMI_TERMS_EXP2;
}

/* Returns 0 if kernels do not take this matrix. */
static int permi_minors_plan_dense(permi_minors *minors, perm_isa isa)
{
  const int n = minors->total;
  const permi_minors_kernel *kernel = n <= PERM_MAX_N ? permi_minors_kernel_for(isa, minors->parts, n) : NULL;
  permi_dense *dense = &minors->dense;
  if (!kernel)
    return 0;
  memset(dense, 0, sizeof *dense);
  dense->n = n;
  dense->rows = n * minors->parts;
  dense->padded = (dense->rows + 7) / 8 * 8;
  dense->outer = n - 1 - kernel->lane_columns - kernel->block_columns;
  dense->chunk_log2 = permi_clamp(dense->outer, 0, permi_clamp(dense->outer - 6, 12, 18));
  dense->absolute_mask = dense->outer < 9 ? 0 : 7;
  minors->kernel = kernel;
  minors->subsets = 0;
  minors->lost = 0;
  minors->terms = ldexp(1, n - 1);
  minors->seconds = minors->terms * n / kernel->rate * (minors->least ? 1 : 3);
  while (dense->chunk_log2 > 10 && ldexp(minors->seconds, dense->chunk_log2 - dense->outer) > PERMI_CHUNK_SECONDS)
    dense->chunk_log2--;
  minors->chunks = UINT64_C(1) << (dense->outer - dense->chunk_log2);
  minors->work_doubles = (2 << kernel->block_columns) + 3.0 * (kernel->block_columns + dense->chunk_log2) + 22;
  minors->work_doubles *= n * minors->parts * (double)(1 << kernel->lane_columns);
  minors->work_doubles += 8;
  minors->scale_exp2 = n - 1;
  minors->estimate_relative = (n + 6) * PERMI_UNIT * minors->parts;
  return 1;
}

/* The caller frees dense.memory. */
static perm_status permi_minors_tables(permi_minors *minors, const perm_allocator *allocator, const double *full)
{
  permi_dense *dense = &minors->dense;
  const permi_minors_kernel *kernel = minors->kernel;
  const int n = dense->n, parts = minors->parts;
  const int inner = kernel->lane_columns + kernel->block_columns;
  permi_row_maker maker;
  int i, j, part;
  if (!permi_dense_open(dense, &maker, allocator, inner, (size_t)dense->rows << inner, 0))
    return PERM_ERROR_MEMORY;
  for (i = 0; i < n; i++)
    for (part = 0; part < parts; part++) {
      double row[PERM_MAX_N];
      for (j = 0; j < n; j++)
        row[j] = full[(i * n + j) * parts + part];
      permi_dense_row_rounded(&maker, row, n, permi_grid_power(row, n));
    }
  return PERM_OK;
}

/* What the grid cuts from terms whose factors are the rows of a scaled matrix. */
static double permi_minors_rounded(const permi_minors *minors, const double *full)
{
  permi_dense_plan plain;
  const permi_view view = permi_view_of(full, minors->total, minors->parts, NULL);
  memset(&plain, 0, sizeof plain);
  plain.n = minors->total;
  return permi_plan_rounded_rows(&plain, &view, 4 * PERMI_SAMPLED_TERMS).share;
}

/* A row whose minors alone are wanted is 0. */
static double permi_minors_below_grid(const permi_minors *minors, double *full)
{
  const int entries = minors->total * minors->parts;
  double *last = full + (minors->total - 1) * entries, wanted[2 * PERM_MAX_N], share;
  memcpy(wanted, last, (size_t)entries * sizeof *last);
  if (minors->least)
    memset(last, 0, (size_t)entries * sizeof *last);
  share = permi_minors_rounded(minors, full);
  memcpy(last, wanted, (size_t)entries * sizeof *last);
  return share;
}

/* Exactly associative: the same for any threads and order. */
typedef struct permi_minors_total {
  permi_dd *value;
  long long *exp2;
  double *absolute;
  int count;
} permi_minors_total;

typedef struct permi_minors_sharing {
  const permi_minors *minors;
  permi_control *control;
  int count, rows;
  size_t per_thread; /* in doubles */
  double *memory;
  perm_sum *sums; /* a thread's; NULL for a single chunk */
} permi_minors_sharing;

static perm_status permi_minors_chunk(void *context, uint64_t chunk, int thread)
{
  const permi_minors_sharing *run = (const permi_minors_sharing *)context;
  const permi_minors *minors = run->minors;
  const int count = run->count, rows = run->rows;
  double *memory = run->memory + (size_t)thread * run->per_thread;
  permi_minors_sum sum;
  int k;
  sum.value = (permi_dd *)(void *)memory;
  sum.absolute = memory + 2 * count;
  memset(sum.absolute, 0, (size_t)rows * sizeof(double));
  if (minors->kernel)
    permi_dense_minors_chunk(minors, chunk, sum.absolute + rows, &sum);
  else
    permi_terms_chunk(minors, chunk, sum.absolute + rows, &sum);
  if (run->sums) {
    perm_sum *mine = run->sums + (size_t)thread * (size_t)(count + rows);
    for (k = 0; k < count; k++) {
      permi_sum_add_double(&mine[k], sum.value[k].hi);
      permi_sum_add_double(&mine[k], sum.value[k].lo);
    }
    for (k = 0; k < rows; k++)
      permi_sum_add_double(&mine[count + k], sum.absolute[k]);
  }
  return thread ? PERM_OK
                : permi_control_poll(run->control, (double)(chunk + 1) * minors->seconds / (double)minors->chunks,
                                     "summing");
}

static void permi_minors_collect(const perm_sum *sums, int rows, permi_minors_total *total)
{
  int i;
  for (i = 0; i < total->count; i++)
    total->value[i] = permi_sum_value(&sums[i], &total->exp2[i]);
  for (i = 0; i < rows; i++) {
    long long e;
    const permi_dd x = permi_sum_value(&sums[total->count + i], &e);
    total->absolute[i] = permi_ldexp(x.hi, e);
  }
}

static perm_status permi_minors_execute(const permi_minors *minors, const perm_options *options,
                                        permi_control *control, int threads, permi_minors_total *total)
{
  const perm_allocator *allocator = &options->allocator;
  const int rows = minors->rows - minors->least, count = total->count;
  const size_t sums = (size_t)(count + rows);
  permi_minors_sharing run;
  perm_status status = PERM_ERROR_MEMORY;
  int i, k, all;
  if (minors->seconds < PERMI_PARALLEL_SECONDS || minors->chunks == 1)
    threads = 1;
  run.minors = minors;
  run.control = control;
  run.count = count;
  run.rows = rows;
  run.per_thread = (size_t)minors->work_doubles + 2 * (size_t)count + (size_t)rows + 8; /* 8: a cache line */
  run.memory = (double *)permi_allocate(allocator, (size_t)threads, run.per_thread * sizeof(double));
  run.sums = NULL;
  if (minors->chunks > 1)
    run.sums = (perm_sum *)permi_allocate_zeros(allocator, (size_t)threads, sums * sizeof *run.sums);
  if (run.memory && (run.sums || minors->chunks <= 1)) {
    status = permi_share(threads, 0, minors->chunks, permi_minors_chunk, &run, &all);
    status = all ? PERM_OK : status;
  }
  if (status != PERM_ERROR_MEMORY && !run.sums) {
    memcpy(total->value, run.memory, (size_t)count * sizeof *total->value);
    memcpy(total->absolute, run.memory + 2 * count, (size_t)rows * sizeof(double));
    memset(total->exp2, 0, (size_t)count * sizeof *total->exp2);
  } else if (status != PERM_ERROR_MEMORY) {
    for (k = 1; k < threads; k++)
      for (i = 0; i < count + rows; i++)
        permi_sum_add(&run.sums[i], &run.sums[(size_t)k * sums + (size_t)i]);
    permi_minors_collect(run.sums, rows, total);
  }
  permi_release(allocator, run.memory);
  permi_release(allocator, run.sums);
  return status;
}

#endif
/* SPDX-License-Identifier: MIT */
