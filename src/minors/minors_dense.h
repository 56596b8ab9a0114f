/* =================================================================================== >>minors_dense
   Minors by vector kernels: chunks for threads, and small orders at once. */
#pragma once
#include "../dense/bounds.h"
#include "../dense/small.h"
#include "../job/job.h"
#include "minors.h"

#if !defined(PERM_NO_EXTRAS)
static void permi_dense_minors_chunk(const permi_minors *minors, uint64_t chunk, double *memory,
                                     permi_minors_total *out)
{
  const permi_dense *dense = &minors->dense;
  const permi_minors_kernel *kernel = minors->kernel;
  const int parts = minors->parts, n = dense->n, lanes = 1 << kernel->lane_columns, number = lanes * parts;
  const int levels = dense->chunk_log2 < 2 ? 2 : dense->chunk_log2, row = n * number;
  const int blocks = kernel->block_columns, inner = kernel->lane_columns + blocks, sums = n * (blocks + 2) * number;
  const int least = minors->least ? n - 1 : 0, wanted = minors->lines[1];
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

  for (i = minors->least, copy = least; i < minors->lines[0]; copy += minors->count[0][i++]) {
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
      for (j = 0, first = 0; j < wanted; first += minors->count[1][j++])
        out->value[permi_minors_place(minors, 0, i, j) * parts + part] = d[first];
    }
  }
}

/* Returns 0 if no kernel takes this matrix. */
static int permi_minors_plan_dense(permi_minors *minors, perm_isa isa)
{
  const int n = minors->total;
  const permi_minors_kernel *kernel = permi_minors_kernels;
  const permi_minors_kernel *const end = kernel + sizeof permi_minors_kernels / sizeof *permi_minors_kernels;
  permi_dense *dense = &minors->dense;
  for (; kernel < end && (kernel->isa > isa || kernel->parts != minors->parts ||
                          kernel->lane_columns + kernel->block_columns >= n); kernel++)
    ;
  if (kernel == end || n > PERM_MAX_N)
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
static perm_status permi_minors_tables(permi_minors *minors, const perm_allocator *allocator, double *full)
{
  permi_dense *dense = &minors->dense;
  const permi_minors_kernel *kernel = minors->kernel;
  const int n = dense->n, parts = minors->parts;
  const int inner = kernel->lane_columns + kernel->block_columns;
  permi_row_maker maker;
  int i, j, part;
  if (!permi_dense_open(dense, &maker, allocator, inner, (size_t)dense->rows << inner, 0))
    return PERM_ERROR_MEMORY;
  permi_minors_write_out(minors, 0, full);
  for (i = 0; i < n; i++)
    for (part = 0; part < parts; part++) {
      double row[PERM_MAX_N];
      for (j = 0; j < n; j++)
        row[j] = full[(i * n + j) * parts + part];
      permi_dense_row_rounded(&maker, row, n);
    }
  return PERM_OK;
}

/* Writes the matrix out; returns what the grid cuts from terms, without a wanted row. */
static double permi_minors_below(const permi_minors *minors, int turned, double *full)
{
  const int n = minors->total, parts = minors->parts, entries = n * parts;
  const permi_view view = permi_view_of(full, n, parts, NULL);
  permi_dense_plan plain;
  int i;
  permi_minors_write_out(minors, turned, full);
  for (i = 0; i < entries && minors->least; i++)
    full[turned ? (i / parts * n + n - 1) * parts + i % parts : (n - 1) * entries + i] = 0;
  memset(&plain, 0, sizeof plain);
  plain.n = n;
  return permi_plan_rounded_rows(&plain, &view, 4 * PERMI_SAMPLED_TERMS).share;
}

typedef struct permi_minors_sharing {
  const permi_minors *minors;
  permi_control *control;
  const permi_minors_total *total; /* a single chunk writes it */
  int rows;
  size_t per_thread; /* in doubles */
  double *memory;
  perm_sum *sums; /* of minors, then of rows' moduli */
} permi_minors_sharing;

static perm_status permi_minors_chunk(void *context, uint64_t chunk, int thread)
{
  const permi_minors_sharing *run = (const permi_minors_sharing *)context;
  const permi_minors *minors = run->minors;
  const int count = run->total->count, rows = run->rows, several = minors->chunks > 1;
  double *memory = run->memory + (size_t)thread * run->per_thread;
  const permi_minors_total own = {(permi_dd *)(void *)memory, NULL, memory + 2 * count, count};
  permi_minors_total sum = several ? own : *run->total;
  perm_sum *mine = run->sums + (size_t)thread * (size_t)(count + rows);
  int k;
  memset(sum.absolute, 0, (size_t)rows * sizeof(double));
  permi_dense_minors_chunk(minors, chunk, own.absolute + rows, &sum);
  for (k = 0; k < count && several; k++) {
    permi_sum_add_double(&mine[k], sum.value[k].hi);
    permi_sum_add_double(&mine[k], sum.value[k].lo);
  }
  for (k = 0; k < rows && several; k++)
    permi_sum_add_double(&mine[count + k], sum.absolute[k]);
  return thread ? PERM_OK
                : permi_control_poll(run->control, (double)(chunk + 1) * minors->seconds / (double)minors->chunks,
                                     "summing");
}

static void permi_minors_collect(const perm_sum *sums, int rows, permi_minors_total *total)
{
  long long e;
  int i;
  for (i = 0; i < total->count; i++)
    total->value[i] = permi_sum_value(&sums[i], &total->exp2[i]);
  for (i = 0; i < rows; i++) {
    total->absolute[i] = permi_sum_value(&sums[total->count + i], &e).hi;
    total->absolute[i] = permi_ldexp(total->absolute[i], e);
  }
}

static perm_status permi_minors_execute(const permi_minors *minors, const perm_options *options,
                                        permi_control *control, int threads, permi_minors_total *total)
{
  const int rows = minors->lines[0] - minors->least, sums = total->count + rows;
  const size_t several = minors->chunks > 1 ? (size_t)sums : 0;
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_minors_sharing run = {minors, control, total, rows, (size_t)minors->work_doubles + 2 * (size_t)sums + 8, NULL,
                              NULL};
  perm_status status = PERM_ERROR_MEMORY;
  int i, k, all;
  run.memory = (double *)permi_pool_get(&pool, (size_t)threads, run.per_thread * sizeof(double));
  run.sums = (perm_sum *)permi_pool_zeros(&pool, (size_t)threads * several, sizeof *run.sums);
  memset(total->exp2, 0, (size_t)total->count * sizeof *total->exp2);
  if (!pool.failed) {
    status = permi_share(threads, 0, minors->chunks, permi_minors_chunk, &run, &all);
    status = all ? PERM_OK : status;
    for (k = 1; k < threads; k++)
      for (i = 0; i < sums; i++)
        permi_sum_add(&run.sums[i], &run.sums[k * sums + i]);
    if (several)
      permi_minors_collect(run.sums, rows, total);
  }
  permi_pool_release(&pool);
  return status;
}

/* Small orders, n <= 16 or with copies 12, without plan, job, allocation or clock: expansion up to n = 4, else small
   kernels.
   THE BOUND. 1. Moduli |re| + |im| for numbers, all signs +: results are at most prod R_i over a minor's rows, R_i =
   sum_j |a_ij|, as the mean over the signs; expansions give permanents of |A|. 2. A product of n - 1 entries is rounded
   at most K = permi_small_roundings times, in expansions 16. 3. So |error| is at most K u / (1 - K u) times that
   [Hig02, 3.1]. 4. Underflow as in >>small: fewer than 1e6 operations in a sum, each by less than 2e-178: below 1e-170;
   n > 12, sum of the R_i up to 1e10, products of 15 below 1e133: 1e7 operations, each by less than 1e-188; n <= 4,
   entries up to 1e60: 1e-200 (tests/proofs/small.g).
   The estimate: 4 n u times the sum of |terms| and the product of rows' norms. */
#define PERMI_SMALL_MINORS_LARGEST 1e13 /* sum of the R_i, n > 4: no product of squares overflows */
#define PERMI_FAR_MINORS_LARGEST 1e10   /* n > 12 */
#define PERMI_SMALL_MINORS_DOUBLES (PERMI_SMALL_N * (2 * PERMI_SMALL_N + 1)) /* as the kernels write */

/* gradient: all rows; counts: or NULL. */
typedef struct permi_minors_call {
  int m, n, row, gradient, marginals;
  permi_view view;
  const int *counts[2];
  double *out;
} permi_minors_call;

/* a: rows x n, n - 1 or, for gradients, n; factor: of minors, at most. */
typedef struct permi_small_minors {
  perm_isa isa;
  int n, parts, rows;
  const double *a;
  double factor, bound, estimate;
} permi_small_minors;

static permi_small_minors_run permi_small_minors_kernel(perm_isa isa, int n, int parts)
{
#if defined(PERM_NO_COMPLEX)
#define PERMI_OF_FAMILY(family) permi_small_minors_real_##family
#else
#define PERMI_OF_FAMILY(family) (parts == 2 ? permi_small_minors_complex_##family : permi_small_minors_real_##family)
#endif
  (void)isa, (void)n, (void)parts;
#if PERMI_X86
  if (isa == PERM_ISA_AVX512 && n > 5)
    return PERMI_OF_FAMILY(avx512);
  if (isa == PERM_ISA_AVX512 || isa == PERM_ISA_AVX2)
    return PERMI_OF_FAMILY(avx2);
#elif PERMI_ARM
  if (isa == PERM_ISA_NEON)
    return PERMI_OF_FAMILY(neon);
#endif
  return PERMI_OF_FAMILY(plain);
#undef PERMI_OF_FAMILY
}

/* Sets out to the minors of rows a, b, c by expansion along c. */
PERMI_INLINE void permi_small_minors_expand(const permi_number_plain *a, const permi_number_plain *b,
                                            const permi_number_plain *c, int n, double *out, int parts)
{
  static const int others[4][3] = {{3, 2, 1}, {3, 2, 0}, {3, 1, 0}, {2, 1, 0}};
  permi_number_plain pair[4][4];
  int i, j;
  for (i = 0; i < 4; i++)
    for (j = 0; j < i; j++)
      pair[i][j] = permi_plus_times_plain(permi_times_plain(a[i], b[j], parts), b[i], a[j], parts);
  for (j = 0; j < n; j++) {
    const int *at = others[j];
    permi_number_plain x = permi_times_plain(c[at[0]], pair[at[1]][at[2]], parts);
    x = permi_plus_times_plain(x, c[at[1]], pair[at[0]][at[2]], parts);
    x = permi_plus_times_plain(x, c[at[2]], pair[at[0]][at[1]], parts);
    permi_put_plain(out + j * parts, 1, x, parts);
  }
}

/* n <= 4, with an identity added up to order 4; the permanent of moduli stands for the sum of |terms|. */
static void permi_small_minors_few(const permi_small_minors *of, double *out)
{
  const int n = of->n, parts = of->parts, gradient = of->rows == n;
  permi_number_plain row[4][4], size[4][4];
  double moduli[4];
  int i, j, k;
  memset(row, 0, sizeof row);
  memset(size, 0, sizeof size);
  for (i = k = 0; i < of->rows; i++)
    for (j = 0; j < n; j++, k += parts) {
      row[i][j] = permi_spread_plain(of->a + k, 1, parts);
      size[i][j].re = fabs(row[i][j].re) + (parts == 2 ? fabs(row[i][j].im) : 0);
    }
  for (j = n; j < 4; j++, i++)
    row[i][j].re = size[i][j].re = 1;
  for (i = gradient ? 0 : 3; i < (gradient ? n : 4); i++, out += n * parts + 1) {
    const int first = i == 0, second = 1 + (i < 2), third = 2 + (i < 3);
    permi_small_minors_expand(size[first], size[second], size[third], n, moduli, 1);
    if (parts == 2)
      permi_small_minors_expand(row[first], row[second], row[third], n, out, 2);
    else
      permi_small_minors_expand(row[first], row[second], row[third], n, out, 1);
    for (j = 0, out[n * parts] = 0; j < n; j++)
      out[n * parts] = moduli[j] > out[n * parts] ? moduli[j] : out[n * parts];
  }
}

/* Returns 0 for the general path. */
static int permi_small_minors_compute(permi_small_minors *of, double *out)
{
  const int n = of->n, width = n * of->parts, gradient = of->rows == n;
  const permi_small_size size = permi_small_sizes(gradient ? PERM_ISA_PLAIN : of->isa, of->rows, width, of->a);
  const double moduli = gradient ? size.other_sums : size.sums;
  const double largest = n > PERMI_NEAR_N ? PERMI_FAR_MINORS_LARGEST
                         : n > 4          ? PERMI_SMALL_MINORS_LARGEST
                                          : PERMI_FOUR_LARGEST;
  double most = 0;
  int i;
  if (!(size.moduli <= largest))
    return 0;
  if (n > 4)
    permi_small_minors_kernel(of->isa, n, of->parts)(of->rows, n, of->a, out);
  else
    permi_small_minors_few(of, out);
  for (i = 0; i < (gradient ? n : 1); i++)
    most = out[i * (width + 1) + width] > most ? out[i * (width + 1) + width] : most;
  if (permi_small_rounds_nothing(n, of->rows * width, of->a, 4 * of->factor * moduli)) {
    of->bound = of->estimate = 0;
    return 1;
  }
  of->bound = n > 4 ? 1.001 * PERMI_UNIT * permi_small_roundings(n) * moduli + 1e-170
                    : 1.001 * PERMI_UNIT * 16 * most + 1e-200;
  of->estimate = n > 4 ? 4 * n * PERMI_UNIT * (most + sqrt(gradient ? size.other_squares : size.squares))
                       : 0.1 * of->bound;
  of->estimate = of->estimate < of->bound ? of->estimate : of->bound;
  return 1;
}

/* Returns 0 if that is not small. */
static int permi_small_minors_write_out(const permi_minors_call *call, permi_small_minors *task, double *full)
{
  const permi_view *view = &call->view;
  const int m = call->m, n = call->n, gradient = call->gradient;
  int rows[PERM_MAX_N], most[2] = {1, 1}, i, j, finite = 1;
  const permi_copies copies = {m, n, view->a, view->ld, rows, call->counts[1]};
  if (m > PERM_MAX_N || n > PERM_MAX_N)
    return 0;
  for (i = 0; i < m; i++) {
    rows[i] = call->counts[0] ? call->counts[0][i] : 1;
    most[0] = rows[i] > most[0] ? rows[i] : most[0];
    for (j = 0; j < n * view->parts; j++) /* in lines without a copy, too */
      finite &= !permi_not_finite(view->a[i * view->ld * view->parts + j]);
  }
  for (j = 0; j < n && call->counts[1]; j++)
    most[1] = call->counts[1][j] > most[1] ? call->counts[1][j] : most[1];
  if (!gradient && rows[call->row] <= 0)
    return 0;
  if (!gradient)
    rows[call->row]--;
  task->n = permi_small_write_out(&copies, view->parts, !gradient, full);
  task->factor = gradient ? (double)most[0] * most[1] : 1;
  return finite && task->n >= 2;
}

/* Returns 0 if they are not small. */
static int permi_small_minors_rows(const permi_minors_call *call, permi_small_minors *task, double *full)
{
  const permi_view *view = &call->view;
  const int n = call->n, width = n * view->parts, row = call->gradient ? -1 : call->row;
  double *to = full;
  int i;
  if (call->m < 1 || n < 1 || row < -call->gradient || row >= call->m || !view->a || !call->out ||
      !permi_stride_fits(call->m, n, view->ld, 8 * view->parts))
    return 0;
  task->n = n;
  task->factor = 1;
  task->a = full;
  if (call->counts[0] || call->counts[1]) {
    if (!permi_small_minors_write_out(call, task, full))
      return 0;
  } else if (call->m != n || n < 2 || n > PERMI_SMALL_N) {
    return 0;
  } else if (view->ld == n && (row < 0 || row == n - 1)) {
    task->a = view->a;
  } else {
    for (i = 0; i < n; i++)
      if (i != row) {
        memcpy(to, view->a + i * view->ld * view->parts, (size_t)width * sizeof *to);
        to += width;
      }
  }
  task->rows = task->n - !call->gradient;
  return 1;
}

/* Returns 0 if products may leave the range. */
static int permi_small_minors_value(const permi_minors_call *call, int i, const double *from, double *value)
{
  const int parts = call->view.parts;
  const double *a = call->view.a + i * call->view.ld * parts;
  double size = 0, row = 0;
  int j;
  for (j = 0; j < call->n; j++, a += parts) {
    const int columns = call->counts[1] ? call->counts[1][j] : 1;
    if (!columns)
      continue;
    row += fabs(a[0]);
    size += fabs(a[0] * from[0]);
    value[0] += columns * a[0] * from[0];
    if (parts == 2) {
      row += fabs(a[1]);
      size += fabs(a[1] * from[0]) + fabs(a[0] * from[1]) + fabs(a[1] * from[1]);
      value[0] -= columns * a[1] * from[1];
      value[1] += columns * (a[0] * from[1] + a[1] * from[0]);
    }
    from += columns * parts;
  }
  return row == 0 || (size >= 1e-250 && size <= 1e250);
}

/* Returns the largest. */
static double permi_small_minors_place(const permi_minors_call *call, int n, const double *raw)
{
  const int parts = call->view.parts, gradient = call->gradient;
  double *out = call->out, largest = 0;
  int i, j, part;
  for (i = 0; i < (gradient ? call->m : 1); i++) {
    const int rows = gradient && call->counts[0] ? call->counts[0][i] : 1;
    const double *from = raw;
    for (j = 0; j < call->n; j++, out += parts) {
      const int columns = call->counts[1] ? call->counts[1][j] : 1, copies = rows * columns;
      const double factor = gradient ? copies : 1;
      for (part = 0; part < parts; part++) {
        const double x = copies ? factor * from[part] : 0, size = fabs(x);
        out[part] = x;
        largest = size > largest ? size : largest;
      }
      from += columns * parts;
    }
    raw += rows * (n * parts + 1);
  }
  return largest;
}

/* Returns 0 if the estimate is too large. Not inlined: the general path needs its stack. */
PERMI_NEVER_INLINE static int permi_small_minors_result(const permi_minors_call *call, const perm_options *options,
                                                        perm_result *result)
{
  const int parts = call->view.parts;
  double full[2 * PERMI_SMALL_N * PERMI_SMALL_N], raw[PERMI_SMALL_MINORS_DOUBLES], value[2] = {0, 0};
  double largest;
  int row;
  permi_small_minors task;
#if defined(PERM_NO_COMPLEX)
  if (parts == 2)
    return 0;
#endif
  if (!result || !permi_asks_no_more(options, 0, options ? permi_view_bytes(call->m, call->n, &call->view) : 0) ||
      !permi_small_minors_rows(call, &task, full))
    return 0;
  task.isa = task.n > 4 ? permi_isa(permi_options(options)) : PERM_ISA_PLAIN;
  task.parts = parts;
  if (!permi_small_minors_compute(&task, raw))
    return 0;
  for (row = call->gradient ? 0 : call->row; call->counts[0] && !call->counts[0][row]; row++)
    ;
  if (!permi_small_minors_value(call, row, raw, value))
    return 0;
  largest = permi_small_minors_place(call, task.n, raw);
  if (task.estimate > 0 &&
      (!(largest >= PERMI_SMALL_LEAST) ||
       !(task.factor * task.estimate <= permi_wanted_relative(permi_options(options)) * largest)))
    return 0;
  permi_result_clear_brief(result);
  result->value = value[0];
  result->imaginary = value[1];
  result->error_bound = task.factor * task.bound + (task.factor > 1 && task.bound > 0 ? PERMI_UNIT * largest : 0);
  result->error_estimate = task.factor * task.estimate;
  result->is_complex = parts == 2;
  result->method = task.n > 4 ? PERM_METHOD_DENSE : PERM_METHOD_EXPANSION;
  result->precision = PERM_PRECISION_DEFAULT;
  result->isa = task.isa;
  result->threads = 1;
  result->terms = (double)(1 << (task.n - 1));
  return 1;
}
#endif
/* SPDX-License-Identifier: MIT */
