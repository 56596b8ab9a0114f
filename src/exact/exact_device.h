/* ==================================================================================== >>exact_device
   Integers on GPUs, and the fastest plan. */
#pragma once
#include "../dense/plan.h"
#include "limbs.h"

#define PERMI_EXACT_GPU_BLOCK 6
#define PERMI_EXACT_GPU_PRODUCTS 3000 /* of words in a term: 15 s to compile */

/* Sets words of groups and products. Returns the products of words in a term. */
static int permi_exact_gpu_products(const permi_exact_rows *rows, perm_gpu_exact *shape, const uint64_t *bound)
{
  const int parts = rows->parts;
  double bits = 0;
  int products = 0, g;
  for (g = 0; g < shape->groups; g++) {
    const int wide = bound[g] == UINT64_MAX ? 3 : bound[g] > INT32_MAX ? 2 : 1;
    const int most = (g ? shape->product[g - 1] : 0) + wide;
    bits += wide == 3 ? 70 : log2((double)bound[g]) + 1e-9; /* norms < 2^(63 + 1 + 6) */
    int words = (int)((bits + (parts == 2)) / 32) + 1;
    words = parts == 1 && words > most ? most : words;
    if (words > PERM_GPU_EXACT_WORDS)
      return PERMI_EXACT_GPU_PRODUCTS + 1;
    shape->wide[g] = (short)wide;
    shape->product[g] = (short)words;
    products += g ? parts * parts * words * wide : 0;
  }
  shape->sum = (int)((bits + rows->n + 1) / 32) + 1;
  return products;
}

/* Places lines by size: four, two, one a word, then longer ones. */
static void permi_exact_gpu_lines(const permi_exact_rows *rows, perm_gpu_exact *shape)
{
  int at = 0, kind, g, k, r, part;
  for (kind = 0; kind < 4; kind++) {
    const int fields = kind == 0 ? 4 : kind == 1 ? 2 : 1;
    int field = 0;
    for (r = 0, g = 0; r < rows->n; r++) {
      const uint64_t norm = rows->norm[shape->order[r]];
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

/* Returns predicted seconds, or INFINITY. */
static double permi_exact_gpu_shape(const permi_exact_rows *rows, perm_gpu_exact *shape)
{
  const int n = rows->n, parts = rows->parts, bytes = rows->norm[rows->order[0]] <= 127;
  const double terms = ldexp(1, n - 1);
  uint64_t bound[PERM_MAX_N];
  memset(shape, 0, sizeof *shape);
  shape->parts = parts;
  shape->survivors = 1;
  if (n < PERMI_GPU_LEAST_N)
    return (double)INFINITY;
  shape->groups = permi_exact_groups(rows, INT32_MAX, bound, shape->first, shape->order);
  const int products = permi_exact_gpu_products(rows, shape, bound);
  if (products > PERMI_EXACT_GPU_PRODUCTS)
    return (double)INFINITY;
  permi_exact_gpu_lines(rows, shape);
  for (int r = 0; r < n && bytes; r++)
    if (rows->half[shape->order[r]]) {
      const int norm = (int)rows->norm[shape->order[r]];
      shape->zero_line[shape->zeros] = (short)(r * parts);
      shape->zero_base[shape->zeros++] = (short)(shape->masks + norm - 128);
      shape->masks += 2 * norm + 1;
    }
  shape->masks = (shape->masks + 1) & ~1;
  const double each = 3.0 * shape->words + 2.0 * n * parts * parts + 3.0 * parts * shape->sum + 3.0 * products;
  double seconds = terms * each;
  if (parts == 1 && bytes && rows->halved && n >= 8 + PERMI_EXACT_GPU_BLOCK) {
    const double survive = permi_exact_survivors(rows);
    const double skipping = /* survivors thrice: rows depend on each other */
        terms * (3 * survive * (each + 2 * shape->words + 30) + (12.0 * shape->zeros + 120) / 64 + 2);
    if (skipping < seconds) {
      seconds = skipping;
      shape->skip = 1;
      shape->survivors = survive;
    }
  }
  if (!shape->skip)
    shape->zeros = shape->masks = 0;
  const int columns = n - 1 - (shape->skip ? PERMI_EXACT_GPU_BLOCK : 0) - PERM_GPU_THREADS_LOG2;
  shape->walk = permi_clamp(columns - 12, columns < 3 ? columns : 3, 10);
  shape->high = columns + PERM_GPU_THREADS_LOG2 - shape->walk;
  shape->sums = shape->stride * (2 + shape->high + 2 * shape->walk + (shape->skip ? 64 : 0));
  seconds *= permi_gpu_slower(PERM_GPU_32) / PERMI_EXACT_GPU_RATE;
  return seconds + 0.5 + 0.005 * products; /* the rest is for compiling */
}

/* Makes the fastest plan, also of residues if options.modulus is odd and below 2^63. */
PERMI_UNUSED PERMI_NEVER_INLINE
static void permi_exact_fastest(const perm_options *options, int n, const permi_integer_view *view,
                                permi_exact_plan *plan)
{
  permi_exact_plan other;
  perm_gpu_exact shape;
  char message[PERM_MESSAGE_BYTES];
  for (int transposed = 0; transposed < 2; transposed++) {
    other.rows = permi_exact_look(view, n, transposed);
    permi_exact_plan_rows(options, &other);
    if (!transposed || other.seconds < plan->seconds)
      *plan = other;
  }
  double seconds = options->isa == PERM_ISA_CUDA ? (double)INFINITY : plan->seconds;
  const int gpu = options->gpu.devices && n >= PERMI_GPU_LEAST_N && seconds >= 1;
  for (int transposed = 0; gpu && transposed < 2; transposed++) {
    other.rows = permi_exact_look(view, n, transposed);
    const double here = permi_exact_gpu_shape(&other.rows, &shape);
    if (here < seconds &&
        (plan->gpu || !options->gpu.cpu_fallback || permi_gpu_devices(options->gpu.devices, message))) {
      plan->gpu = 1;
      plan->rows = other.rows;
      plan->seconds = seconds = here;
    }
  }
  if (options->modulus & 1 && options->modulus < UINT64_C(1) << 63) {
    other.rows = permi_exact_look(view, n, 0);
    const double here = permi_exact_plain_seconds(&other.rows, options->modulus);
    if (here < plan->seconds) {
      memset(plan, 0, sizeof *plan);
      plan->rows = other.rows;
      plan->modulus = options->modulus;
      plan->seconds = here;
    }
  }
}

PERMI_UNUSED
static perm_status permi_exact_leaf(const perm_options *options, const permi_exact_plan *plan, permi_leaf *leaf,
                                    perm_result *result)
{
  perm_gpu_exact shape;
  if (plan->family && !plan->gpu)
    return permi_exact_tables(options, plan, leaf, result);
  if (!plan->gpu)
    return permi_exact_plain_leaf(options, &plan->rows, plan->modulus, leaf, result);
  const double seconds = permi_exact_gpu_shape(&plan->rows, &shape);
  const int block = shape.skip ? PERMI_EXACT_GPU_BLOCK : 0;
  const double bytes = (shape.sums + 2.0 * shape.masks) * sizeof(uint32_t);
  permi_exact_fill(&plan->rows, PERM_ISA_CUDA, 0, PERM_GPU_THREADS_LOG2 + shape.walk + block, seconds, bytes, NULL,
                   leaf);
  leaf->information.fingerprint = permi_hash(leaf->information.fingerprint, (uint64_t)(PERM_ISA_CUDA + 64 * block));
  leaf->run_range = permi_gpu_range;
  leaf->explain = permi_plan_explain;
  return permi_exact_gpu_tables(&plan->rows, &shape, &options->allocator, leaf) == PERM_OK ? PERM_OK
                                                                                            : permi_fail_memory(result);
}
/* SPDX-License-Identifier: MIT */
