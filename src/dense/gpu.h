/* ============================================================================================ >>gpu
   What perm.h asks of perm_cuda.cu; without PERM_WITH_CUDA plans of GPUs are made, merged and explained, runs refused.
   The columns of dense sums:
     pivot    1 (PERM_GPU_PIVOT only): rows divided by it multiply by x + 1 and x - 1, x the other columns; rows of a
              zero or small pivot c come last: (x + c), (x - c), one operation more
     fixed    1, always +
     block    unrolled in a thread, in Gray order, as constants
     walk     in Gray order, from a table in shared memory
     high     bits of the thread's number: 2^PERM_GPU_THREADS_LOG2 threads are a chunk */
#pragma once
#include "dense.h"
#include "../gpu/contract.h"

#define PERMI_GPU_LEAST_N 13
#define PERMI_FLOAT_SQUARE (32 * PERMI_UNIT) /* u^2, u = 2^-24 */
#ifndef PERMI_FLOATS_GAIN
#define PERMI_FLOATS_GAIN 2.0 /* chosen: times faster than doubles */
#endif

struct permi_exact_rows;
struct permi_minors;
struct permi_minors_call;
struct permi_minors_total;
struct permi_batch;
typedef struct permi_gpu_lines {
  int order[PERM_MAX_N]; /* of rows; the last `plain` have no pivot */
  int plain, low;        /* low: rows have low words */
} permi_gpu_lines;

#if defined(PERM_WITH_CUDA)
#define PERMI_DEVICE static /* defined in perm_cuda.cu */
/* How many GPUs are usable; 0: message says why. */
PERMI_DEVICE int permi_gpu_devices(int gpus, char *message);
/* The first's time over an H200's; 1: none, or unknown. */
PERMI_DEVICE double permi_gpu_slower(perm_gpu_pipe pipe);
/* run_range of leaves whose context begins with permi_gpu, and the makers of such contexts. */
PERMI_DEVICE perm_status permi_gpu_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                         perm_partial *partial);
PERMI_DEVICE perm_status permi_gpu_tables(const permi_dense_plan *plan, const permi_view *view,
                                          const permi_gpu_lines *lines, const perm_allocator *allocator,
                                          permi_leaf *leaf);
/* Pairs of floats where good enough and faster. */
PERMI_DEVICE void permi_floats_plan(permi_dense_plan *plan, const permi_view *view, const perm_options *options);
PERMI_DEVICE perm_status permi_floats_leaf(const permi_dense_plan *plan, const permi_view *view,
                                           const perm_allocator *allocator, permi_leaf *leaf);
PERMI_DEVICE perm_status permi_exact_gpu_tables(const struct permi_exact_rows *rows, const perm_gpu_exact *shape,
                                                const perm_allocator *allocator, permi_leaf *leaf);
#if !defined(PERM_NO_EXTRAS)
/* Returns 1 and changes `minors` if GPUs take them; the next runs them. */
PERMI_DEVICE int permi_minors_gpu_takes(struct permi_minors *minors, const perm_options *options, double *full);
PERMI_DEVICE perm_status permi_minors_gpu_execute(const struct permi_minors *minors, const perm_options *options,
                                                  permi_control *control, struct permi_minors_total *total);
PERMI_DEVICE perm_status permi_batch_on_gpus(struct permi_batch *batch, int threads, perm_result *result);
PERMI_DEVICE perm_status permi_batch_resident(struct permi_batch *batch, perm_result *result);
PERMI_DEVICE perm_status permi_minors_resident(const struct permi_minors_call *call, const perm_options *options,
                                               perm_result *result);
#endif
#else
#define permi_gpu_slower(pipe) 1.0
#define permi_gpu_tables(plan, view, lines, allocator, leaf) PERM_OK
#define permi_floats_plan(plan, view, options) (void)0
#define permi_floats_leaf(plan, view, allocator, leaf) PERM_OK
#define permi_exact_gpu_tables(rows, shape, allocator, leaf) PERM_OK
#define permi_minors_gpu_takes(minors, options, full) permi_gpu_missed(options, (minors)->total, (minors)->seconds)
#define permi_minors_gpu_execute(minors, options, control, total) permi_gpu_range(NULL, 0, 0, control, NULL)
#define permi_gpu_absent(result) permi_fail(result, PERM_ERROR_DEVICE, 0, "perm.h was compiled without PERM_WITH_CUDA")
#define permi_batch_resident(batch, result) permi_gpu_absent(result)
#define permi_minors_resident(call, options, result) permi_gpu_absent(result)

static PERMI_ALWAYS_INLINE int permi_gpu_devices(int gpus, char *message)
{
  (void)gpus;
  snprintf(message, PERM_MESSAGE_BYTES, "perm.h was compiled without PERM_WITH_CUDA");
  return 0;
}

static perm_status permi_gpu_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                   perm_partial *partial)
{
  (void)leaf, (void)begin, (void)end, (void)partial;
  if (control)
    permi_gpu_devices(1, control->message);
  return PERM_ERROR_DEVICE;
}

/* Returns 1 to refuse: a GPU is wanted, perhaps faster than `seconds`. */
PERMI_UNUSED static int permi_gpu_missed(const perm_options *options, int n, double seconds)
{
  return options->gpu.devices && !options->gpu.cpu_fallback && n >= PERMI_GPU_LEAST_N && n <= PERM_MAX_N &&
         (options->isa == PERM_ISA_CUDA || seconds > PERMI_GPU_START_SECONDS);
}
#endif

/* Unrolled columns from n = 37 on; other products gain nothing. */
#ifndef PERMI_GPU_BLOCK
#define PERMI_GPU_BLOCK(n) ((n) < 52 ? 3 : 2)
#endif

static int permi_clamp(int x, int low, int high)
{
  return x < low ? low : x > high ? high : x;
}

/* Returns how much may move, where split rows take three times as long: less than their second rounding for uniform
   entries, n u exp(n/3) of the permanent and more; most move by n u times 300 (n = 20) to 2,000. */
static double permi_moves_allowed(int n) { return n * PERMI_UNIT * exp(0.3 * n); }

static int permi_rows_kind(double moves, double allowed) { return moves == 0 ? 1 : moves <= allowed ? 2 : 0; }

static perm_gpu_product permi_gpu_product_of(const permi_dense_plan *plan)
{
  return plan->form == PERMI_FORM_FLOATS         ? PERM_GPU_FLOATS
         : plan->form != PERMI_FORM_SPLIT        ? PERM_GPU_PIVOT
         : plan->precision == PERM_PRECISION_DD ? PERM_GPU_DOUBLED
                                                : PERM_GPU_ROUNDED;
}

static double permi_gpu_seconds(double elements, int parts, int product)
{
  static const double rate[4][2] = PERMI_GPU_DENSE_RATES;
  return elements / rate[product][parts - 1] *
             permi_gpu_slower(product == PERM_GPU_FLOATS ? PERM_GPU_32 : PERM_GPU_FP64) + PERMI_GPU_DENSE_COMPILE;
}

static void permi_gpu_plan(permi_dense_plan *plan, const permi_view *view)
{
  const int n = plan->n;
  int product, i, j;
  plan->isa = PERM_ISA_CUDA;
  plan->exact_rows = 0;
  plan->form = PERMI_FORM_SPLIT;
  if (plan->precision != PERM_PRECISION_DD) {
    const double allowed = plan->certify ? permi_moves_allowed(n) : 0;
    int safe, best = -1;
    for (j = 0; j < n; j++) {
      for (i = 0, safe = 0; i < n; i++)
        safe += permi_pivot_is_safe(plan, view, i, j);
      if (safe > best) {
        best = safe;
        plan->pivot = j;
      }
    }
    plan->form = PERMI_FORM_NORMALISED;
    if (best == 0 || permi_plan_growth(plan, view) >= 900)
      plan->form = PERMI_FORM_PLAIN;
    plan->exact_rows = permi_rows_kind(permi_plan_moves(plan, view, allowed), allowed);
    if (plan->certify && !plan->exact_rows) {
      plan->form = PERMI_FORM_PLAIN;
      plan->exact_rows = permi_rows_kind(permi_plan_moves(plan, view, 0), 0);
      plan->form = plan->exact_rows ? PERMI_FORM_PLAIN : PERMI_FORM_SPLIT;
    }
  }
  product = (int)permi_gpu_product_of(plan);
  if (product != PERM_GPU_PIVOT)
    plan->pivot = 0;
  plan->lane_columns = 0;
  plan->block_columns = product != PERM_GPU_PIVOT || view->parts == 2 ? 0 : n <= 36 ? 1 : PERMI_GPU_BLOCK(n);
  plan->outer_columns = n - 1 - (product == PERM_GPU_PIVOT) - plan->block_columns;
  i = plan->outer_columns - PERM_GPU_THREADS_LOG2;
  i = permi_clamp(i - 12, i < 3 ? i : 3, product == PERM_GPU_PIVOT ? 10 : 9); /* walk columns */
  plan->chunk_log2 = i + PERM_GPU_THREADS_LOG2;
  plan->seconds = permi_gpu_seconds(plan->elements, view->parts, product);
}

static permi_gpu_lines permi_gpu_lines_of(const permi_dense_plan *plan, const permi_view *view)
{
  const int n = plan->n, pivot = permi_gpu_product_of(plan) == PERM_GPU_PIVOT;
  permi_gpu_lines lines;
  int i, k = 0, divided;
  lines.plain = 0;
  lines.low = !pivot && permi_plan_moves(plan, view, 0) > 0;
  for (divided = 1; divided >= 0; divided--)
    for (i = 0; i < n; i++)
      if (permi_row_divides(plan, view, i) == divided) {
        lines.order[k++] = i;
        lines.plain += pivot && !divided;
      }
  if (lines.plain && !plan->exact_rows) /* eights: fewer kernels to compile */
    lines.plain = permi_clamp((lines.plain + 7) / 8 * 8, 0, n);
  return lines;
}

static int permi_gpu_divides(const permi_dense_plan *plan, const permi_gpu_lines *lines, int r)
{
  return permi_gpu_product_of(plan) == PERM_GPU_PIVOT && r < plan->n - lines->plain;
}

/* Scales by pivots; adds what grids do not hold to the bound. */
static perm_status permi_gpu_leaf(const permi_dense_plan *plan, const permi_view *view, const perm_allocator *allocator,
                                  permi_leaf *leaf)
{
  const permi_gpu_lines lines = permi_gpu_lines_of(plan, view);
  const int parts = view->parts;
  double a[2][PERM_MAX_N], word[4][PERM_MAX_N], lost[PERM_MAX_N] = {0};
  if (plan->form == PERMI_FORM_FLOATS)
    return permi_floats_leaf(plan, view, allocator, leaf);
  for (int r = 0; r < plan->n; r++) {
    const int i = lines.order[r], divide = permi_gpu_divides(plan, &lines, r);
    permi_plan_row(plan, view, i, a);
    permi_row_words(plan, parts, divide, lines.low, a, word, &lost[i]);
    if (divide)
      permi_leaf_scale_by(leaf, parts, a[0][0], parts == 2 ? a[1][0] : 0);
  }
  permi_lost_entries(plan, view, lost, leaf);
  leaf->release = permi_release;
  leaf->run_range = permi_gpu_range;
  (void)allocator;
  return permi_gpu_tables(plan, view, &lines, allocator, leaf);
}
/* SPDX-License-Identifier: MIT */
