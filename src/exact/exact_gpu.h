/* ====================================================================================== >>exact_gpu
   Integers on GPUs: row sums packed into 32-bit words, groups of rows multiplied in a word, then 32-bit limbs, by a
   kernel compiled for the shape. For skipping, a table has, by a halved row's sum over the other columns, a word of the
   settings of 6 columns that make it 0: one look-up a row for 64 terms. */
#pragma once
#include "../dense/gpu.h"
#include "limbs.h"

/* One H200, 0/1 of order 36, terms/s: limbs without skipping 1.71e11; row sums and 3 limbs as doubles 1.69e11 (less for
   more limbs); residues modulo 3 of the 4 primes needed 2.5e10; zeros skipped, a tenth of the terms left, 6.4e11. */
#define PERMI_EXACT_GPU_BLOCK 6
#define PERMI_EXACT_GPU_PRODUCTS 3000 /* products of words in a term, at most: 15 s to compile */

typedef struct permi_exact_gpu {
  permi_gpu gpu; /* first, for >>gpu */
  perm_gpu_program program;
  perm_gpu_exact shape;
  int transposed;
  double survivors;
  char text[24576];
} permi_exact_gpu;

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

typedef struct permi_gpu_member {
  const char *name;
  const short *list; /* NULL: `count` is the value */
  int count;
} permi_gpu_member;

/* Continues a shape's text of `at` bytes by its members and a kernel that calls `chunk`. A list becomes a chain of
   choices: compilers do not always fold loads from arrays, and then unroll nothing. */
static void permi_gpu_members(const permi_gpu_member *member, size_t members, const char *chunk, int blocks, char *text,
                              size_t room, size_t at)
{
  for (; members; members--, member++) {
    const short *list = member->list;
    const int last = !list ? member->count : member->count ? list[member->count - 1] : 0;
    int i;
    at += (size_t)snprintf(text + at, room - at, "  PERMI_BOTH constexpr int %s(%s) const { return ", member->name,
                           list ? "int i" : "");
    for (i = 0; list && i + 1 < member->count; i++)
      if (list[i] != last)
        at += (size_t)snprintf(text + at, room - at, "i == %d ? %d : ", i, list[i]);
    at += (size_t)snprintf(text + at, room - at, "%d; }\n", last);
  }
  snprintf(text + at, room - at, "};\n" PERM_GPU_ENTRY "{ %s(permi_shape(), a); }\n", blocks, chunk);
}

static void permi_exact_gpu_text(const perm_gpu_exact *shape, int lines, char *text, size_t room)
{
  const int product = shape->product[shape->groups - 1], parts = shape->parts;
  const int need = shape->stride * (1 + shape->skip) + parts * (3 * product + shape->sum) + 24;
  const permi_gpu_member member[] = {{"words", NULL, shape->words},
                                     {"stride", NULL, shape->stride},
                                     {"groups", NULL, shape->groups},
                                     {"sum", NULL, shape->sum},
                                     {"zeros", NULL, shape->zeros},
                                     {"masks", NULL, shape->masks},
                                     {"at", shape->at, lines},
                                     {"kind", shape->kind, lines},
                                     {"carries", shape->carries, shape->words},
                                     {"first", shape->first, shape->groups + 1},
                                     {"product", shape->product, shape->groups},
                                     {"wide", shape->wide, shape->groups},
                                     {"zero_line", shape->zero_line, shape->zeros},
                                     {"zero_base", shape->zero_base, shape->zeros}};
  const int at = snprintf(text, room,
                          "struct permi_shape {\n  enum { PARTS = %d, GROUPS = %d, ROOM = %d, SUM_ROOM = %d, "
                          "WORDS = %d, SKIP = %d };\n",
                          parts, shape->groups, product > 3 ? product : 3, shape->sum, shape->stride, shape->skip);
  permi_gpu_members(member, sizeof member / sizeof *member, "permi_exact_chunk",
                    need <= 64 ? 8 : need <= 80 ? 6 : need <= 128 ? 4 : need <= 168 ? 3 : 2, text, room, (size_t)at);
}

static void permi_exact_gpu_put(const perm_gpu_exact *shape, uint32_t *to, int line, int wide, permi_wide x, int times)
{
  const int kind = shape->kind[line];
  uint64_t carry = 0;
  int k;
  if (times < 0)
    x = permi_wide_negate(x);
  to += shape->at[line];
  if (kind < 6)
    *to += (uint32_t)x.low << (kind < 4 ? 8 * kind : 16 * (kind - 4));
  for (k = 0; kind == 6 && k < wide; k++) {
    const uint32_t word = (uint32_t)((k < 2 ? x.low : x.high) >> (k & 1 ? 32 : 0));
    carry += (uint64_t)to[k] + word;
    to[k] = (uint32_t)carry;
    carry >>= 32;
  }
}

static int permi_exact_gpu_add(void *context, perm_partial *partial, uint64_t first, uint64_t chunks,
                               const double *sums)
{
  const permi_leaf *leaf = ((const permi_gpu_call *)context)->leaf;
  const perm_gpu_exact *shape = &((const permi_exact_gpu *)leaf->context)->shape;
  uint64_t chunk, word[PERM_GPU_EXACT_WORDS];
  int part, k;
  for (chunk = 0; chunk < chunks; chunk++)
    for (part = 0; part < shape->parts; part++) {
      uint64_t carry = 0, sum;
      memset(word, 0, sizeof word);
      for (k = 0; k < shape->sum; k++, sums++) {
        memcpy(&sum, sums, sizeof sum);
        if (sum >> 40)
          return 0;
        carry += sum;
        word[k / 2] |= (carry & 0xffffffff) << (k & 1 ? 32 : 0);
        carry >>= 32;
      }
      if (shape->sum & 1 && word[k / 2] >> 31)
        word[k / 2] |= UINT64_C(0xffffffff) << 32;
      permi_sum_add_signed(part ? &partial->imaginary : &partial->value, word, (shape->sum + 1) / 2);
    }
  permi_gpu_count(leaf, partial, first, chunks);
  return 1;
}

static size_t permi_exact_gpu_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_exact_gpu *exact = (const permi_exact_gpu *)leaf->context;
  char skipped[64] = "";
  if (exact->shape.skip)
    permi_say(skipped, sizeof skipped, ", zeros skipped (%.2g of the terms expected)", exact->survivors);
  return permi_say(
      buffer, size,
      "exact, n = %d%s: cuda kernel, %s in %d groups, products of %d words of 32 bits%s; %.3g elements, %llu chunks, "
      "%.3g s on one GPU\n",
      leaf->information.n, exact->shape.parts == 2 ? " (complex)" : "", exact->transposed ? "columns" : "rows",
      exact->shape.groups, exact->shape.product[exact->shape.groups - 1], skipped, leaf->information.work,
      (unsigned long long)leaf->information.chunks, leaf->information.seconds);
}

/* The table of row sums: columns of the masks, walk, high; see >>gpu. */
static void permi_exact_gpu_rows(const permi_exact_rows *rows, const perm_gpu_exact *shape, const int *order, int block,
                                 perm_gpu_work *work, uint32_t *table)
{
  const int parts = rows->parts, stride = shape->stride;
  uint32_t *step = table + stride, *walk = step + stride * work->high, *settings = walk + stride * (2 * work->walk + 1);
  int g, j, k, r, part;
  for (r = 0, g = 0; r < rows->n; r++) {
    const int i = order[r];
    g += r == shape->first[g + 1];
    for (part = 0; part < parts; part++) {
      const int line = r * parts + part, wide = shape->wide[g], kind = shape->kind[line];
      permi_wide bias = {0, 0};
      bias.low = kind < 4 ? 128 : kind < 6 ? 32768 : 0;
      permi_exact_gpu_put(shape, table, line, wide, permi_exact_start(rows, i, part), 1);
      permi_exact_gpu_put(shape, table, line, wide, bias, 1);
      for (k = 0; k < (block ? 64 : 0); k++)
        for (j = 0; j < block; j++)
          if (k >> j & 1)
            permi_exact_gpu_put(shape, settings + stride * k, line, wide, permi_exact_step(rows, i, 1 + j, part), -1);
      for (k = 0; k < work->walk; k++) {
        const permi_wide a = permi_exact_step(rows, i, 1 + block + k, part);
        permi_exact_gpu_put(shape, walk + stride * 2 * k, line, wide, a, -1);
        permi_exact_gpu_put(shape, walk + stride * (2 * k + 1), line, wide, a, 1);
      }
      for (k = 0; k < work->high; k++)
        permi_exact_gpu_put(shape, step + stride * k, line, wide,
                            permi_exact_step(rows, i, 1 + block + work->walk + k, part), -1);
    }
  }
}

/* By even row and its sum over other columns, the settings that make it 0. */
static void permi_exact_gpu_masks(const permi_exact_rows *rows, const perm_gpu_exact *shape, const int *order,
                                  uint64_t *masks)
{
  int i, j, k, v;
  for (k = 0; k < shape->zeros; k++) {
    const int row = order[shape->zero_line[k]], norm = (int)rows->norm[row];
    for (v = -norm; v <= norm; v++)
      for (i = 0; i < 64; i++) {
        int y = v;
        for (j = 0; j < PERMI_EXACT_GPU_BLOCK; j++)
          y -= i >> j & 1 ? (int)(int64_t)permi_exact_step(rows, row, 1 + j, 0).low : 0;
        if (y == 0)
          masks[shape->zero_base[k] + 128 + v] |= UINT64_C(1) << i;
      }
  }
}

static perm_status permi_exact_gpu_leaf(const perm_options *options, const permi_exact_rows *rows, permi_leaf *leaf,
                                        perm_result *result)
{
  const int n = rows->n, parts = rows->parts;
  perm_gpu_exact shape;
  int order[PERM_MAX_N];
  double survivors;
  const double seconds = permi_exact_gpu_shape(rows, &shape, order, &survivors);
  const int stride = shape.stride, block = shape.skip ? PERMI_EXACT_GPU_BLOCK : 0, outer = n - 1 - block;
  const int columns = outer - PERM_GPU_THREADS_LOG2, walk = permi_clamp(columns - 12, columns < 3 ? columns : 3, 10);
  const int depth = PERM_GPU_THREADS_LOG2 + walk + block;
  const size_t sums = (size_t)stride * (size_t)(2 + outer + walk + (shape.skip ? 64 : 0));
  const size_t bytes = sizeof(permi_exact_gpu) + (sums + 2 * (size_t)shape.masks) * sizeof(uint32_t);
  permi_exact_gpu *exact = (permi_exact_gpu *)permi_allocate(&options->allocator, 1, bytes);
  perm_gpu_work *work;
  uint32_t *table;
  if (!exact)
    return permi_fail_memory(result);
  memset(exact, 0, bytes);
  table = (uint32_t *)(void *)(exact + 1);
  exact->shape = shape;
  exact->survivors = survivors;
  exact->transposed = rows->transposed;
  work = &exact->gpu.work;
  work->walk = walk;
  work->high = outer - walk;
  work->doubles = (bytes - sizeof *exact) / sizeof(double);
  work->table = (double *)(void *)table;
  work->program = &exact->program;
  exact->gpu.allocator = options->allocator;
  exact->gpu.add = permi_exact_gpu_add;
  exact->gpu.terms = ldexp(1, depth);
  permi_exact_gpu_rows(rows, &shape, order, block, work, table);
  permi_exact_gpu_masks(rows, &shape, order, (uint64_t *)(void *)(table + sums));
  permi_exact_gpu_text(&shape, n * parts, exact->text, sizeof exact->text);
  exact->program.text = exact->text;
  exact->program.sums = parts * shape.sum;
  exact->program.exact = &exact->shape;
  exact->program.shared = (size_t)((parts * shape.sum + 1) / 2 * 2 + shape.masks) * 8 +
                          (size_t)stride * (size_t)(2 * walk + 1) * 4;
  if (shape.skip)
    exact->program.shared += (size_t)stride * (64 + 128) * 4 + 4 * 2048 * 2;
  permi_exact_fill(rows, 0, depth, seconds, (double)bytes, leaf);
  leaf->information.isa = PERM_ISA_CUDA;
  leaf->information.fingerprint =
      permi_hash(leaf->information.fingerprint, (uint64_t)PERM_ISA_CUDA + 64 * (uint64_t)block);
  work->fingerprint = leaf->information.fingerprint;
  leaf->context = exact;
  leaf->release = permi_context_release;
  leaf->run_range = permi_gpu_range;
  leaf->explain = permi_exact_gpu_explain;
  return PERM_OK;
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
