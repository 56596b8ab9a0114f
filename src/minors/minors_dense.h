/* =================================================================================== >>minors_dense */
#pragma once
#include "../dense/small.h"
#include "../job/job.h"
#include "minors.h"

#if !defined(PERM_NO_EXTRAS)
static const permi_minors_kernel *permi_minors_kernel_for(perm_isa isa, int n, int parts)
{
  const permi_minors_kernel *kernel = permi_minors_kernels;
  const permi_minors_kernel *const end = kernel + sizeof permi_minors_kernels / sizeof *permi_minors_kernels;
  for (; kernel < end; kernel++)
    if (kernel->isa <= isa && kernel->parts == parts && kernel->least <= n)
      return kernel;
  return NULL;
}

#define PERMI_MINORS_FREE 16 /* columns of a chunk */

/* Returns 0 below order 3; `full` is where the matrix will be. */
static int permi_minors_plan_dense(permi_minors *minors, perm_isa isa, const double *full)
{
  const int n = minors->total, one_row = minors->least > 0;
  const int fixed = n < PERMI_MINORS_FREE ? 0 : n - PERMI_MINORS_FREE;
  const permi_minors_sum sum = {n - one_row, n, one_row ? 1 : n, fixed, full};
  const permi_minors_kernel *kernel = permi_minors_kernel_for(isa, n, minors->parts);
  if (!kernel)
    return 0;
  minors->kernel = kernel;
  minors->sum = sum;
  minors->subsets = 0;
  minors->terms = ldexp(1, n - 1);
  minors->seconds = minors->terms * n / kernel->rate * (one_row ? 1 : 3);
  minors->chunks = UINT64_C(1) << fixed;
  minors->scale_exp2 = fixed;
  minors->estimate_relative = 4 * n * PERMI_UNIT;
  return 1;
}

typedef struct permi_minors_sharing {
  const permi_minors *minors;
  permi_control *control;
  size_t room, per_thread; /* of the kernel and of all, in doubles */
  double *memory;
  perm_sum *sums; /* of minors, then of rows' moduli */
  int count, rows;
} permi_minors_sharing;

static perm_status permi_minors_chunk(void *context, uint64_t chunk, int thread)
{
  const permi_minors_sharing *run = (const permi_minors_sharing *)context;
  const permi_minors *minors = run->minors;
  const int n = minors->total, parts = minors->parts;
  double *work = run->memory + (size_t)thread * run->per_thread, *out;
  perm_sum *mine = run->sums + (size_t)thread * (size_t)(run->count + run->rows), *moduli = mine + run->count;
  work += (64 - ((uintptr_t)work & 63)) % 64 / sizeof(double);
  out = work + run->room;
  minors->kernel->run(&minors->sum, chunk, work, out);
  for (int i = minors->least; i < minors->lines[0]; out += minors->count[0][i++] * (n * parts + 1)) {
    const double *minor = out; /* of first copies */
    for (int j = 0; j < minors->lines[1]; minor += minors->count[1][j++] * parts)
      for (int part = 0; part < parts; part++)
        permi_sum_add_double(mine++, minor[part]);
    permi_sum_add_double(moduli++, out[n * parts]);
  }
  return thread ? PERM_OK
                : permi_control_poll(run->control, (double)(chunk + 1) * minors->seconds / (double)minors->chunks,
                                     "summing");
}

static void permi_minors_collect(const perm_sum *sums, int rows, permi_minors_total *total)
{
  long long e;
  for (int i = 0; i < total->count; i++)
    total->value[i] = permi_sum_value(&sums[i], &total->exp2[i]);
  for (int i = 0; i < rows; i++) {
    total->absolute[i] = permi_sum_value(&sums[total->count + i], &e).hi;
    total->absolute[i] = permi_ldexp(total->absolute[i], e);
  }
}

/* Row sums round by units of norms, which |terms| hide if a row cancels in all. */
static perm_status permi_minors_execute(const permi_minors *minors, const perm_options *options, permi_control *control,
                                        int threads, double *full, permi_minors_total *total)
{
  const permi_minors_sum *sum = &minors->sum;
  const int rows = minors->lines[0] - minors->least, sums = total->count + rows, parts = minors->parts;
  const size_t room = (size_t)(sum->rows * PERMI_MINORS_ROW(parts) +
                               sum->group * PERMI_MINORS_SUMS(sum->n - sum->fixed, parts));
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_minors_sharing run = {minors, control, room, room + 8 + (size_t)(sum->group * (sum->n * parts + 1)), NULL, NULL,
                              total->count, rows};
  perm_status status = PERM_ERROR_MEMORY;
  int i, k, all;
  run.memory = (double *)permi_pool_get(&pool, (size_t)threads, run.per_thread * sizeof(double));
  run.sums = (perm_sum *)permi_pool_zeros(&pool, (size_t)(threads * sums), sizeof *run.sums);
  if (!pool.failed) {
    permi_minors_write_out(minors, 0, full);
    permi_small_size size = permi_small_sizes_plain(sum->rows, sum->n * parts, full);
    status = permi_share(threads, 0, minors->chunks, permi_minors_chunk, &run, &all);
    status = all ? PERM_OK : status;
    for (k = 1; k < threads; k++)
      for (i = 0; i < sums; i++)
        permi_sum_add(&run.sums[i], &run.sums[k * sums + i]);
    permi_minors_collect(run.sums, rows, total);
    for (i = 0; i < rows; i++)
      total->absolute[i] += ldexp(sqrt(minors->least ? size.squares : size.other_squares), minors->scale_exp2);
  }
  permi_pool_release(&pool);
  return status;
}

/* Small minors have no plan, job or clock: n <= 16, with copies 12; by expansion up to n = 4. THE BOUND: K u / (1 - K
   u) times prod R_i over a minor's rows, R_i = sum_j |a_ij|, K = permi_small_roundings, and underflow
   (tests/proofs/small.g). Estimates: 4 n u times the sum of |terms| and the product of rows' norms. */
#define PERMI_SMALL_MINORS_LARGEST 1e13 /* sum of the R_i, n > 4: no product of squares overflows */
#define PERMI_FAR_MINORS_LARGEST 1e10   /* n > 12 */
#define PERMI_SMALL_MINORS_ROOM 900 /* doubles on the stack */
#define PERMI_SMALL_MINORS_DOUBLES (PERMI_SMALL_N * (2 * PERMI_SMALL_N + 1)) /* with sums of |terms| */

/* gradient: 1 for all rows; counts may be NULL. */
typedef struct permi_minors_call {
  int m, n, row, gradient, marginals;
  permi_view view;
  const int *counts[2];
  double *out;
} permi_minors_call;

/* rows: n for gradients, else n - 1; factor: of minors, at most. */
typedef struct permi_small_minors {
  perm_isa isa;
  int n, parts, rows;
  const double *a;
  double factor, bound, estimate;
} permi_small_minors;

/* Minors of rows a, b, c by expansion along c. */
PERMI_INLINE void permi_small_minors_expand(const permi_number_plain *a, const permi_number_plain *b,
                                            const permi_number_plain *c, int n, double *out, int parts)
{
  static const int others[4][3] = {{3, 2, 1}, {3, 2, 0}, {3, 1, 0}, {2, 1, 0}};
  permi_number_plain pair[4][4];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++)
      pair[i][j] = permi_plus_times_plain(permi_times_plain(a[i], b[j], parts), b[i], a[j], parts);
  for (int j = 0; j < n; j++) {
    const int *at = others[j];
    permi_number_plain x = permi_times_plain(c[at[0]], pair[at[1]][at[2]], parts);
    x = permi_plus_times_plain(x, c[at[1]], pair[at[0]][at[2]], parts);
    x = permi_plus_times_plain(x, c[at[2]], pair[at[0]][at[1]], parts);
    permi_put_plain(out + j * parts, 1, x, parts);
  }
}

/* Minors for n <= 4, which an identity makes 4; the permanent of moduli stands for the sum of |terms|. */
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

PERMI_NEVER_INLINE static int permi_small_minors_compute(permi_small_minors *of, const perm_allocator *allocator,
                                                         double *out)
{
  const int n = of->n, width = n * of->parts, gradient = of->rows == n;
  const permi_small_size size = permi_small_sizes(gradient ? PERM_ISA_PLAIN : of->isa, of->rows, width, of->a);
  const double moduli = gradient ? size.other_sums : size.sums;
  const double largest = n > PERMI_NEAR_N ? PERMI_FAR_MINORS_LARGEST
                         : n > 4          ? PERMI_SMALL_MINORS_LARGEST
                                          : PERMI_FOUR_LARGEST;
  const permi_minors_sum sum = {of->rows, n, gradient ? n : 1, 0, of->a};
  const int room = n * PERMI_MINORS_ROW(of->parts) + sum.group * PERMI_MINORS_SUMS(n, of->parts);
  double few[PERMI_SMALL_MINORS_ROOM] PERMI_ALIGN64, *work = few, *many = NULL, most = 0;
  if (permi_not_finite(size.moduli) || size.moduli > largest)
    return 0;
  if (n > 4 && room > PERMI_SMALL_MINORS_ROOM) {
    many = (double *)permi_allocate(allocator, (size_t)room + 8, sizeof *many);
    if (!many)
      return 0;
    work = (double *)(void *)(((uintptr_t)many + 63) & ~(uintptr_t)63);
  }
  if (n > 4)
    permi_minors_kernel_for(of->isa, n, of->parts)->run(&sum, 0, work, out);
  else
    permi_small_minors_few(of, out);
  permi_release(allocator, many);
  for (int i = 0; i < (gradient ? n : 1); i++)
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

static int permi_small_minors_rows(const permi_minors_call *call, permi_small_minors *task, double *full)
{
  const permi_view *view = &call->view;
  const int n = call->n, width = n * view->parts, row = call->gradient ? -1 : call->row;
  double *to = full;
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
    for (int i = 0; i < n; i++)
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
  for (int j = 0; j < call->n; j++, a += parts) {
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
  return permi_is_zero(row) || (!permi_not_finite(size) && size >= 1e-250 && size <= 1e250);
}

/* Returns the largest modulus. */
static double permi_small_minors_place(const permi_minors_call *call, int n, const double *raw)
{
  const int parts = call->view.parts, gradient = call->gradient;
  double *out = call->out, largest = 0;
  for (int i = 0; i < (gradient ? call->m : 1); i++) {
    const int rows = gradient && call->counts[0] ? call->counts[0][i] : 1;
    const double *from = raw;
    for (int j = 0; j < call->n; j++, out += parts) {
      const int columns = call->counts[1] ? call->counts[1][j] : 1, copies = rows * columns;
      const double factor = gradient ? copies : 1;
      for (int part = 0; part < parts; part++) {
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

/* Returns 0 for the general path. */
PERMI_NEVER_INLINE static int permi_small_minors_result(const permi_minors_call *call, const perm_options *options,
                                                        perm_result *result)
{
  const int parts = call->view.parts;
  double full[2 * PERMI_SMALL_N * PERMI_SMALL_N], raw[PERMI_SMALL_MINORS_DOUBLES], value[2] = {0, 0};
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
  if (!permi_small_minors_compute(&task, &permi_options(options)->allocator, raw))
    return 0;
  for (row = call->gradient ? 0 : call->row; call->counts[0] && !call->counts[0][row]; row++)
    ;
  if (!permi_small_minors_value(call, row, raw, value))
    return 0;
  const double largest = permi_small_minors_place(call, task.n, raw);
  if (task.estimate > 0 &&
      (!(largest >= PERMI_SMALL_LEAST) ||
       !(task.factor * task.estimate <= permi_wanted_relative(permi_options(options)) * largest)))
    return 0;
  permi_result_clear_brief(result);
  result->value = value[0];
  result->imaginary = value[1];
  result->error_bound = task.factor * task.bound + (task.factor > 1 && task.bound > 0 ? PERMI_UNIT * largest : 0);
  result->error_estimate = task.factor * task.estimate;
  permi_result_by(result, parts, task.n > 4 ? PERM_METHOD_DENSE : PERM_METHOD_EXPANSION, PERM_PRECISION_DEFAULT,
                  task.isa, (double)(1 << (task.n - 1)));
  return 1;
}
#endif
/* SPDX-License-Identifier: MIT */
