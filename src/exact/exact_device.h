/* ==================================================================================== >>exact_device
   Plans and leaves of integers on GPUs, and the fastest of all plans. */
#pragma once
#include "../dense/plan.h"
#include "limbs.h"

/* One H200, 0/1 of order 36, terms/s: limbs without skipping 1.71e11; row sums and 3 limbs as doubles 1.69e11 (less for
   more limbs); residues modulo 3 of the 4 primes needed 2.5e10; zeros skipped, a tenth of the terms left, 6.4e11. */
#define PERMI_EXACT_GPU_BLOCK 6
#define PERMI_EXACT_GPU_PRODUCTS 3000 /* products of words in a term, at most: 15 s to compile */

/* Returns 0 if there are too many words. */
static int permi_exact_gpu_products(const permi_exact_rows *rows, perm_gpu_exact *shape, const uint64_t *bound)
{
  const int parts = rows->parts;
  double bits = 0;
  int g;
  for (g = 0; g < shape->groups; g++) {
    const int wide = bound[g] == UINT64_MAX ? 3 : bound[g] > INT32_MAX ? 2 : 1;
    const int most = (g ? shape->product[g - 1] : 0) + wide;
    int words;
    bits += wide == 3 ? 70 : log2((double)bound[g]) + 1e-9; /* norms < 2^(63 + 1 + 6) */
    words = (int)((bits + (parts == 2)) / 32) + 1;
    words = parts == 1 && words > most ? most : words;
    if (words > PERM_GPU_EXACT_WORDS)
      return 0;
    shape->wide[g] = (short)wide;
    shape->product[g] = (short)words;
  }
  shape->sum = (int)((bits + rows->n + 1) / 32) + 1;
  return 1;
}

static void permi_exact_gpu_lines(const permi_exact_rows *rows, perm_gpu_exact *shape, const int *order)
{
  int at = 0, kind, g, k, r, part;
  for (kind = 0; kind < 4; kind++) {
    const int fields = kind == 0 ? 4 : kind == 1 ? 2 : 1;
    int field = 0;
    for (r = 0, g = 0; r < rows->n; r++) {
      const uint64_t norm = rows->norm[order[r]];
      g += r == shape->first[g + 1];
      if (kind != (norm <= 127 ? 0 : norm <= 32767 ? 1 : norm <= INT32_MAX ? 2 : 3))
        continue;
      for (part = 0; part < rows->parts; part++) {
        const int line = r * rows->parts + part;
        shape->at[line] = (short)at;
        shape->kind[line] = (short)(kind == 0 ? field : kind == 1 ? 4 + field : 6);
        for (k = 1; k < shape->wide[g]; k++)
          shape->carries[at + k] = 1;
        field = (field + 1) % fields;
        at += field == 0 ? shape->wide[g] : 0;
      }
    }
    at += field != 0;
  }
  shape->words = at;
  shape->stride = (at + 3) & ~3;
}

/* Returns predicted seconds, INFINITY if impossible; sets also the share of terms that skipping leaves. */
static double permi_exact_gpu_shape(const permi_exact_rows *rows, perm_gpu_exact *shape, int *order, double *survivors)
{
  const int n = rows->n, parts = rows->parts;
  const double terms = ldexp(1, n - 1);
  uint64_t bound[PERM_MAX_N];
  double each, seconds;
  const int bytes = permi_exact_bytes(rows);
  int products = 0, g, r;
  memset(shape, 0, sizeof *shape);
  *survivors = 1;
  if (n < PERMI_GPU_LEAST_N)
    return (double)INFINITY;
  shape->parts = parts;
  shape->groups = permi_exact_groups(rows, INT32_MAX, bound, shape->first, order);
  if (!permi_exact_gpu_products(rows, shape, bound))
    return (double)INFINITY;
  permi_exact_gpu_lines(rows, shape, order);
  for (r = 0; r < n && bytes; r++)
    if (rows->half[order[r]]) {
      const int norm = (int)rows->norm[order[r]];
      shape->zero_line[shape->zeros] = (short)(r * parts);
      shape->zero_base[shape->zeros++] = (short)(shape->masks + norm - 128);
      shape->masks += 2 * norm + 1;
    }
  shape->masks = (shape->masks + 1) & ~1;
  for (g = 1; g < shape->groups; g++)
    products += parts * parts * shape->product[g] * shape->wide[g];
  if (products > PERMI_EXACT_GPU_PRODUCTS)
    return (double)INFINITY;
  each = 3.0 * shape->words + 2.0 * n * parts * parts + 3.0 * parts * shape->sum + 3.0 * products;
  seconds = terms * each;
  if (parts == 1 && bytes && rows->halved && n >= 8 + PERMI_EXACT_GPU_BLOCK) {
    const double survive = permi_exact_survivors(rows);
    const double skipping = /* three times the survivors, since rows are dependent */
        terms * (3 * survive * (each + 2 * shape->words + 30) + (12.0 * shape->zeros + 120) / 64 + 2);
    if (skipping < seconds) {
      seconds = skipping;
      shape->skip = 1;
      *survivors = survive;
    }
  }
  if (!shape->skip)
    shape->zeros = shape->masks = 0;
  return seconds / PERMI_EXACT_GPU_RATE + 0.5 + 0.005 * products; /* the rest is for compiling */
}

typedef struct permi_exact_gpu_cut {
  int outer, walk, depth; /* columns; depth: log2 of a chunk's terms */
  size_t sums, bytes;     /* of the table: words of row sums, and all */
} permi_exact_gpu_cut;

static permi_exact_gpu_cut permi_exact_gpu_cut_of(const permi_exact_rows *rows, const perm_gpu_exact *shape)
{
  const int block = shape->skip ? PERMI_EXACT_GPU_BLOCK : 0;
  permi_exact_gpu_cut cut;
  int columns;
  cut.outer = rows->n - 1 - block;
  columns = cut.outer - PERM_GPU_THREADS_LOG2;
  cut.walk = permi_clamp(columns - 12, columns < 3 ? columns : 3, 10);
  cut.depth = PERM_GPU_THREADS_LOG2 + cut.walk + block;
  cut.sums = (size_t)shape->stride * (size_t)(2 + cut.outer + cut.walk + (shape->skip ? 64 : 0));
  cut.bytes = (cut.sums + 2 * (size_t)shape->masks) * sizeof(uint32_t);
  return cut;
}

static perm_status permi_exact_gpu_leaf(const perm_options *options, const permi_exact_rows *rows, permi_leaf *leaf,
                                        perm_result *result)
{
  perm_gpu_exact shape;
  int order[PERM_MAX_N];
  double survivors;
  const double seconds = permi_exact_gpu_shape(rows, &shape, order, &survivors);
  const permi_exact_gpu_cut cut = permi_exact_gpu_cut_of(rows, &shape);
  const uint64_t block = shape.skip ? PERMI_EXACT_GPU_BLOCK : 0;
  permi_exact_fill(rows, 0, cut.depth, seconds, (double)cut.bytes, leaf);
  leaf->information.isa = PERM_ISA_CUDA;
  leaf->information.fingerprint = permi_hash(leaf->information.fingerprint, (uint64_t)PERM_ISA_CUDA + 64 * block);
  leaf->release = permi_context_release;
  leaf->run_range = permi_gpu_range;
  leaf->explain = permi_plan_explain;
  (void)options;
  return permi_exact_gpu_tables(rows, &shape, order, &options->allocator, leaf) == PERM_OK ? PERM_OK
                                                                                            : permi_fail_memory(result);
}

static void permi_exact_plan_gpu(const perm_options *options, int n, const permi_integer_view *view,
                                 permi_exact_plan *plan)
{
  double seconds = options->isa == PERM_ISA_CUDA ? (double)INFINITY : plan->seconds, survivors;
  perm_gpu_exact shape;
  char message[PERM_MESSAGE_BYTES];
  int order[PERM_MAX_N], transposed;
  if (!options->gpu.devices || n < PERMI_GPU_LEAST_N || seconds < 1)
    return;
  for (transposed = 0; transposed < 2; transposed++) {
    const permi_exact_rows rows = permi_exact_look(view, n, transposed);
    const double here = permi_exact_gpu_shape(&rows, &shape, order, &survivors);
    if (here < seconds &&
        (plan->gpu || !options->gpu.cpu_fallback || permi_gpu_devices(options->gpu.devices, message))) {
      plan->gpu = 1;
      plan->rows = rows;
      plan->seconds = seconds = here;
    }
  }
}

/* The fastest plan, also in residues if options.modulus is odd and below 2^63. */
PERMI_UNUSED
static void permi_exact_fastest(const perm_options *options, int n, const permi_integer_view *view,
                                permi_exact_plan *plan)
{
  permi_exact_plan_of(options, n, view, plan);
  permi_exact_plan_gpu(options, n, view, plan);
  if (options->modulus & 1 && options->modulus < UINT64_C(1) << 63) {
    const permi_exact_rows rows = permi_exact_look(view, n, 0);
    const double seconds = permi_exact_plain_seconds(&rows, options->modulus);
    if (seconds < plan->seconds) {
      memset(plan, 0, sizeof *plan);
      plan->rows = rows;
      plan->modulus = options->modulus;
      plan->seconds = seconds;
    }
  }
}

/* One leaf for integers or Gaussian integers, 1 <= n <= 64. */
PERMI_UNUSED
static perm_status permi_exact_leaf(const perm_options *options, const permi_exact_plan *plan, permi_leaf *leaf,
                                    perm_result *result)
{
  return plan->gpu      ? permi_exact_gpu_leaf(options, &plan->rows, leaf, result)
         : plan->family ? permi_exact_tables(options, plan, leaf, result)
                        : permi_exact_plain_leaf(options, &plan->rows, plan->modulus, leaf, result);
}
/* SPDX-License-Identifier: MIT */
