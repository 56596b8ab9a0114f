/* ============================================================================================ >>gpu
   Dense sums on GPUs. The columns:
     pivot    1 (PERM_GPU_PIVOT only): rows divided by it multiply by x + 1 and x - 1, one operation each, x the other
              columns; rows with a zero or relatively small pivot c come last, (x + c), (x - c), one more
     fixed    1, always +
     block    unrolled in a thread, in Gray order, as constants
     walk     in Gray order, from a table in shared memory
     high     bits of the thread's number: 2^PERM_GPU_THREADS_LOG2 threads are a chunk
   Rows are on grids as in >>dense; a chunk is a fixed sequence of operations. */
#pragma once
#include "dense.h"
#include "../gpu/contract.h"

#define PERMI_GPU_LEAST_N 13
#ifndef PERMI_GPU_BLOCK /* unrolled columns from n = 37 on */
#define PERMI_GPU_BLOCK(n) ((n) < 52 ? 3 : 2)
#endif

static int permi_clamp(int x, int low, int high)
{
  return x < low ? low : x > high ? high : x;
}

/* How many are usable; 0: message says why. */
static int permi_gpu_devices(int gpus, char *message)
{
#if defined(PERM_WITH_CUDA)
  return perm_cuda_devices(gpus, message);
#else
  (void)gpus;
  snprintf(message, PERM_MESSAGE_BYTES, "perm.h was compiled without PERM_WITH_CUDA");
  return 0;
#endif
}

/* Starts GPUs that are sure to be asked for. */
PERMI_UNUSED static void permi_gpu_prepare(const perm_options *options, int n)
{
#if defined(PERM_WITH_CUDA)
  if (options->isa == PERM_ISA_CUDA && options->gpu.devices && n >= PERMI_GPU_LEAST_N)
    perm_cuda_prepare(options->gpu.devices);
#else
  (void)options;
  (void)n;
#endif
}

typedef struct permi_gpu {
  perm_gpu_work work;
  perm_allocator allocator;
  double *memory;
  double terms;
  /* NULL: permi_gpu_add */
  int (*add)(void *context, perm_partial *partial, uint64_t first, uint64_t chunks, const double *sums);
} permi_gpu;

static int permi_gpu_safe(const perm_plan *plan, const permi_view *view, int i, int j)
{
  double most = 0;
  int k;
  for (k = 0; k < plan->n; k++)
    most = fmax(most, permi_scaled_modulus(plan, view, i, k));
  return permi_scaled_modulus(plan, view, i, j) * 1024 >= most;
}

/* log2 of the product that divided row sums may reach. */
static int permi_gpu_growth(const perm_plan *plan, const permi_view *view)
{
  int growth = 0, i;
  for (i = 0; i < plan->n && plan->form == PERM_FORM_NORMALISED; i++)
    if (permi_gpu_safe(plan, view, i, plan->pivot))
      growth += 1 - permi_exponent(permi_scaled_modulus(plan, view, i, plan->pivot));
  return growth;
}

/* z /= pivot by double-double: each part is right to a few units. */
static void permi_gpu_divide(double *z, const double *pivot)
{
  permi_dd re, im, size;
  re = permi_dd_add(permi_dd_multiply(permi_dd_make(z[0]), permi_dd_make(pivot[0])),
                    permi_dd_multiply(permi_dd_make(z[1]), permi_dd_make(pivot[1])));
  im = permi_dd_add(permi_dd_multiply(permi_dd_make(z[1]), permi_dd_make(pivot[0])),
                    permi_dd_multiply(permi_dd_make(-z[0]), permi_dd_make(pivot[1])));
  size = permi_dd_add(permi_dd_multiply(permi_dd_make(pivot[0]), permi_dd_make(pivot[0])),
                      permi_dd_multiply(permi_dd_make(pivot[1]), permi_dd_make(pivot[1])));
  z[0] = re.hi / size.hi;
  z[1] = im.hi / size.hi;
}

/* Row i as word[part (1 + low words) + low][column], pivot first, high words on the grid. Returns 1 if exact; *lost
   grows by what low words do not hold. */
static int permi_gpu_row(const perm_plan *plan, const permi_view *view, int i, int divide, int low,
                         double word[4][PERM_MAX_N], double *lost)
{
  double a[2][PERM_MAX_N], power[2] = {0, 0}, low_power;
  const int n = plan->n, parts = view->parts;
  int exact = !plan->lossy, j, part;
  permi_plan_row(plan, view, i, a);
  if (divide) {
    double pivot[2] = {a[0][0], parts == 2 ? a[1][0] : 0};
    for (j = 0; j < n; j++) {
      double z[2] = {a[0][j], parts == 2 ? a[1][j] : 0};
      if (parts == 2)
        permi_gpu_divide(z, pivot);
      else
        z[0] /= pivot[0];
      if (j == 0)
        z[0] = 1, z[1] = 0;
      exact = exact && parts == 1 && PERMI_REST(z[0], pivot[0], a[0][j]) == 0 && !(z[0] != 0 && fabs(z[0]) < DBL_MIN);
      a[0][j] = z[0];
      a[1][j] = z[1];
    }
  }
  for (part = 0; part < parts; part++)
    power[part] = permi_grid_power(a[part], n);
  if (plan->form == PERM_FORM_SPLIT)
    power[0] = power[1] = fmax(power[0], power[1]);
  low_power = ldexp(power[0], -PERMI_GRID_LOW_BITS);
  for (part = 0; part < parts; part++)
    for (j = 0; j < n; j++) {
      const double high = permi_to_grid(a[part][j], power[part]), rest = a[part][j] - high;
      word[part * (1 + low)][j] = high;
      if (rest != 0)
        exact = 0;
      if (low) {
        const double below = permi_to_grid(rest, low_power);
        word[part * 2 + 1][j] = below;
        *lost += fabs(rest - below);
      }
    }
  return exact;
}

/* permi_plan_moves for GPUs. */
static double permi_gpu_moves(const perm_plan *plan, const permi_view *view, double limit)
{
  double word[4][PERM_MAX_N], a[2][PERM_MAX_N], lost = 0, sum = 0;
  int i, negative = 0;
  for (i = 0; i < plan->n && sum <= limit; i++) {
    const int divide = plan->form == PERM_FORM_NORMALISED && permi_gpu_safe(plan, view, i, plan->pivot);
    if (!permi_gpu_row(plan, view, i, divide, 0, word, &lost) && view->parts == 2)
      return (double)INFINITY;
    permi_plan_row(plan, view, i, a);
    if (view->parts == 1)
      sum += permi_row_moves(a[0], word[0], divide ? a[0][0] : 1, plan->n, &negative);
  }
  return plan->lossy || (negative && sum > 0) ? (double)INFINITY : sum;
}

/* How much may move, where split rows take three times as long: for uniform entries that is below the second rounding a
   row of those, n u exp(n/3) of the permanent and more; most such matrices move by n u times 300 (n = 20) to 2,000. */
static double permi_moves_allowed(int n) { return n * PERMI_UNIT * exp(0.3 * n); }

/* exact_rows of a plan. */
static int permi_rows_kind(double moves, double allowed) { return moves == 0 ? 1 : moves <= allowed ? 2 : 0; }

static perm_gpu_product permi_gpu_product_of(const perm_plan *plan)
{
  return plan->form != PERM_FORM_SPLIT                  ? PERM_GPU_PIVOT
         : plan->precision == PERM_PRECISION_DD         ? PERM_GPU_DOUBLED
         : plan->precision == PERM_PRECISION_ACCURATE   ? PERM_GPU_COMPENSATED
                                                        : PERM_GPU_ROUNDED;
}

static double permi_gpu_seconds(int n, int parts, int product)
{
  static const double rate[4][2] = PERMI_GPU_DENSE_RATES;
  return n * ldexp(1, n - 1) / rate[product][parts - 1] + PERMI_GPU_DENSE_COMPILE;
}

static void permi_gpu_plan(perm_plan *plan, const permi_view *view)
{
  const int n = plan->n;
  int product, i, j;
  plan->isa = PERM_ISA_CUDA;
  plan->exact_rows = 0;
  plan->form = PERM_FORM_SPLIT;
  if (plan->precision != PERM_PRECISION_ACCURATE && plan->precision != PERM_PRECISION_DD) {
    const double allowed = plan->certify ? permi_moves_allowed(n) : 0;
    int safe, best = -1;
    for (j = 0; j < n; j++) {
      for (i = 0, safe = 0; i < n; i++)
        safe += permi_gpu_safe(plan, view, i, j);
      if (safe > best) {
        best = safe;
        plan->pivot = j;
      }
    }
    plan->form = PERM_FORM_NORMALISED;
    if (best == 0 || permi_gpu_growth(plan, view) >= 900)
      plan->form = PERM_FORM_PLAIN;
    plan->exact_rows = permi_rows_kind(permi_gpu_moves(plan, view, allowed), allowed);
    if (plan->certify && !plan->exact_rows) {
      plan->form = PERM_FORM_PLAIN;
      plan->exact_rows = permi_rows_kind(permi_gpu_moves(plan, view, 0), 0);
      plan->form = plan->exact_rows ? PERM_FORM_PLAIN : PERM_FORM_SPLIT;
    }
  }
  product = (int)permi_gpu_product_of(plan);
  if (product != PERM_GPU_PIVOT)
    plan->pivot = 0;
  plan->lane_columns = 0;
  /* H200: 3 columns are 4% faster than 1 at n = 40; 2 are 5% faster at 56 (4: 1 and 10% slower). They take seconds to
     compile; other products gain nothing. */
  plan->block_columns = product != PERM_GPU_PIVOT || view->parts == 2 ? 0 : n <= 36 ? 1 : PERMI_GPU_BLOCK(n);
  plan->outer_columns = n - 1 - (product == PERM_GPU_PIVOT) - plan->block_columns;
  i = plan->outer_columns - PERM_GPU_THREADS_LOG2;
  i = permi_clamp(i - 12, i < 3 ? i : 3, product == PERM_GPU_PIVOT ? 10 : 9); /* walk columns */
  plan->chunk_log2 = i + PERM_GPU_THREADS_LOG2;
  plan->seconds = permi_gpu_seconds(n, view->parts, product);
}

typedef struct permi_gpu_call {
  const permi_leaf *leaf;
  permi_control *control;
  uint64_t begin; /* of the range */
} permi_gpu_call;

static void permi_gpu_count(const permi_leaf *leaf, perm_partial *partial, uint64_t first, uint64_t chunks)
{
  permi_partial_count(partial, first, first + chunks);
  partial->terms += ((const permi_gpu *)leaf->context)->terms * (double)chunks;
  partial->fingerprint = leaf->information.fingerprint;
}

static int permi_gpu_add(void *context, perm_partial *partial, uint64_t first, uint64_t chunks, const double *sums)
{
  const permi_leaf *leaf = ((const permi_gpu_call *)context)->leaf;
  const permi_gpu *gpu = (const permi_gpu *)leaf->context;
  uint64_t chunk;
  int k;
  for (chunk = first; chunk < first + chunks; chunk++, sums += PERM_GPU_SUMS) {
    for (k = 0; k < PERM_GPU_SUMS; k++)
      if (!(fabs(sums[k]) <= DBL_MAX))
        return 0;
    permi_partial_add(partial, permi_two_sum(sums[0], sums[1]), permi_two_sum(sums[2], sums[3]),
                      sums[4] * (gpu->work.absolute_mask + 1.0), 0); /* exact */
  }
  permi_gpu_count(leaf, partial, first, chunks);
  return 1;
}

#if defined(PERM_WITH_CUDA)

static perm_status permi_gpu_poll(void *context, uint64_t done)
{
  const permi_gpu_call *call = (const permi_gpu_call *)context;
  const perm_leaf *information = &call->leaf->information;
  if (!call->control)
    return PERM_OK;
  return permi_control_poll_range(call->control,
                                  information->seconds * (double)(done - call->begin) / (double)information->chunks,
                                  "summing on GPUs");
}

static perm_status permi_gpu_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                   perm_partial *partial)
{
  const permi_gpu *gpu = (const permi_gpu *)leaf->context;
  perm_options options;
  permi_gpu_call call;
  perm_gpu_sink sink;
  char message[PERM_MESSAGE_BYTES] = "";
  perm_status status;
  int gpus = 0;
  memset(&options, 0, sizeof options);
  if (control)
    options = *control->options;
  if (!options.gpu.devices)
    options.gpu.devices = 1;
  options.allocator = gpu->allocator;
  call.leaf = leaf;
  call.control = control;
  call.begin = begin;
  sink.context = &call;
  sink.add = gpu->add ? gpu->add : permi_gpu_add;
  sink.merge = perm_partial_merge;
  sink.poll = permi_gpu_poll;
  sink.alone = 0;
  status = perm_cuda_run(&gpu->work, begin, end, &options, &sink, partial, &gpus, message);
  if (control) {
    control->gpus = gpus > control->gpus ? gpus : control->gpus;
    memcpy(control->message, message, sizeof message);
  }
  return status;
}
#else
static perm_status permi_gpu_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                   perm_partial *partial)
{
  (void)leaf, (void)begin, (void)end, (void)partial;
  if (control)
    permi_gpu_devices(1, control->message);
  return PERM_ERROR_DEVICE;
}
#endif

static void permi_gpu_release(const perm_allocator *allocator, void *context)
{
  permi_release(allocator, ((permi_gpu *)context)->memory);
  permi_release(allocator, context);
}

static void permi_gpu_table_row(const perm_gpu_work *work, double *table, double (*word)[PERM_MAX_N], int r)
{
  const int n = work->n, parts = work->parts, words = parts * (1 + work->low), stride = work->stride;
  const int pivot = work->product == PERM_GPU_PIVOT, block = pivot + 1, plain = r - n + work->plain;
  double *step = table + stride, *walk = step + stride * work->high;
  double *constant = walk + stride * (2 * work->walk + 1);
  int j, k, w;
  for (w = 0; w < words; w++) {
    const double *a = word[w];
    const int at = r * words + w;
    for (j = pivot; j < n; j++)
      table[at] += a[j]; /* exact, as all that follows */
    for (k = 0; k < work->block; k++)
      constant[k * n * words + at] = 2 * a[block + k];
    for (k = 0; k < work->walk; k++) { /* signs turning - and +; the last block column back to + */
      const double twice = 2 * a[block + work->block + k], back = work->block ? 2 * a[block + work->block - 1] : 0;
      walk[2 * k * stride + at] = back - twice;
      walk[(2 * k + 1) * stride + at] = back + twice;
    }
    for (k = 0; k < work->high; k++)
      step[k * stride + at] = 2 * a[block + work->block + work->walk + k];
  }
  for (w = 0; w < parts && pivot && plain >= 0; w++)
    constant[work->block * n * words + plain * parts + w] = word[w][0];
}

static void permi_gpu_scale_by(permi_leaf *leaf, double real, double imaginary)
{
  permi_dd re = leaf->scale, im = leaf->scale_imaginary;
  int e;
  permi_dd_multiply_complex(&re, &im, permi_dd_make(real), permi_dd_make(imaginary));
  frexp(fmax(fabs(re.hi), fabs(im.hi)), &e);
  leaf->scale = permi_dd_scale(re, -e);
  leaf->scale_imaginary = permi_dd_scale(im, -e);
  leaf->scale_exp2 += e;
}

static perm_status permi_gpu_tables(const perm_plan *plan, const permi_view *view, const perm_allocator *allocator,
                                    permi_leaf *leaf)
{
  const int n = plan->n, parts = view->parts, product = (int)permi_gpu_product_of(plan);
  const int pivot = product == PERM_GPU_PIVOT, normalised = plan->form == PERM_FORM_NORMALISED;
  permi_gpu *gpu = (permi_gpu *)permi_allocate_zeros(allocator, 1, sizeof *gpu);
  perm_gpu_work *work;
  int order[PERM_MAX_N], words, i, k, r, safe;
  double word[4][PERM_MAX_N], lost[PERM_MAX_N], none = 0;
  if (!gpu)
    return PERM_ERROR_MEMORY;
  gpu->allocator = *allocator;
  gpu->add = permi_gpu_add;
  work = &gpu->work;
  for (i = 0; i < n && !pivot; i++)
    work->low |= !permi_gpu_row(plan, view, i, 0, 0, word, &none);
  for (k = 0, safe = 1; safe >= 0; safe--) {
    for (i = 0; i < n; i++)
      if ((normalised && permi_gpu_safe(plan, view, i, plan->pivot)) == safe)
        order[k++] = i;
    if (safe)
      work->plain = pivot ? n - k : 0;
  }
  if (work->plain && !plan->exact_rows) { /* whole eights: fewer kernels to compile */
    work->plain = (work->plain + 7) / 8 * 8;
    work->plain = work->plain < n ? work->plain : n;
  }
  work->n = n;
  work->parts = parts;
  work->product = product;
  words = parts * (1 + work->low);
  work->stride = (n * words + 1) / 2 * 2;
  work->block = plan->block_columns;
  work->walk = plan->chunk_log2 - PERM_GPU_THREADS_LOG2;
  work->high = plan->outer_columns - work->walk;
  work->absolute_mask = permi_absolute_mask(plan, 14);
  work->fingerprint = plan->fingerprint;
  work->constants = (size_t)(work->block * n * words + work->plain * parts);
  work->doubles = (size_t)work->stride * (size_t)(2 + work->high + 2 * work->walk) + work->constants;
  gpu->terms = leaf->information.work / (double)n / (double)leaf->information.chunks;
  gpu->memory = (double *)permi_allocate_zeros(allocator, work->doubles, sizeof(double));
  if (!gpu->memory) {
    permi_release(allocator, gpu);
    return PERM_ERROR_MEMORY;
  }
  work->table = gpu->memory;
  for (r = 0; r < n; r++) {
    const int divide = pivot && r < n - work->plain;
    i = order[r];
    lost[i] = 0;
    permi_gpu_row(plan, view, i, divide, work->low, word, &lost[i]);
    if (divide)
      permi_gpu_scale_by(leaf, permi_scaled(plan, view, i, plan->pivot, 0),
                         parts == 2 ? permi_scaled(plan, view, i, plan->pivot, 1) : 0);
    permi_gpu_table_row(work, gpu->memory, word, r);
  }
  permi_lost_entries(plan, view, lost, leaf);
  leaf->context = gpu;
  leaf->release = permi_gpu_release;
  leaf->run_range = permi_gpu_range;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
