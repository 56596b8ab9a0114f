/* ====================================================================================== >>exact_gpu
   A kernel is compiled for the shape: row sums are packed into 32-bit words; groups of rows are multiplied in a word,
   then in 32-bit limbs. Skipping: by a halved row's sum over other columns, a table has the settings of 6 columns that
   make it 0: one look-up for 64 terms. */
#pragma once
#include "exact_device.h"
#include "../dense/dense_gpu.h"

typedef struct permi_exact_gpu {
  permi_gpu gpu; /* first, for >>gpu */
  perm_gpu_program program;
  perm_gpu_exact shape;
  int transposed;
  char text[24576];
} permi_exact_gpu;

typedef struct permi_gpu_member {
  const char *name;
  const short *list; /* NULL: `count` is the value */
  int count;
} permi_gpu_member;

/* Continues a text of `at` bytes by a shape's members and a kernel that calls `chunk`. Lists are chains of choices:
   compilers may not fold loads from arrays, and then unroll nothing. */
static void permi_gpu_members(const permi_gpu_member *member, size_t members, const char *chunk, int blocks, char *text,
                              size_t room, size_t at)
{
  for (; members; members--, member++) {
    const short *list = member->list;
    const int last = !list ? member->count : member->count ? list[member->count - 1] : 0;
    at += (size_t)snprintf(text + at, room - at, "  PERMI_BOTH constexpr int %s(%s) const { return ", member->name,
                           list ? "int i" : "");
    for (int i = 0; list && i + 1 < member->count; i++)
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
  if (times < 0)
    x = permi_wide_negate(x);
  to += shape->at[line];
  if (kind < 6)
    *to += (uint32_t)x.low << (kind < 4 ? 8 * kind : 16 * (kind - 4));
  for (int k = 0; kind == 6 && k < wide; k++) {
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
  const perm_gpu_exact *shape = &exact->shape;
  char how[128];
  snprintf(how, sizeof how, "%s in %d groups, products of %d words of 32 bits", exact->transposed ? "columns" : "rows",
           shape->groups, shape->product[shape->groups - 1]);
  return permi_exact_say(leaf, shape->parts, how, shape->survivors, buffer, size);
}

/* Row sums: the start, high columns, the walk (see >>gpu), settings. */
static void permi_exact_gpu_rows(const permi_exact_rows *rows, const perm_gpu_exact *shape, uint32_t *table)
{
  const int parts = rows->parts, stride = shape->stride, block = shape->skip ? PERMI_EXACT_GPU_BLOCK : 0;
  uint32_t *step = table + stride, *walk = step + stride * shape->high;
  uint32_t *settings = walk + stride * (2 * shape->walk + 1);
  for (int r = 0, g = 0; r < rows->n; r++) {
    const int i = shape->order[r];
    g += r == shape->first[g + 1];
    for (int part = 0; part < parts; part++) {
      const int line = r * parts + part, wide = shape->wide[g], kind = shape->kind[line];
      permi_wide bias = {0, 0};
      bias.low = kind < 4 ? 128 : kind < 6 ? 32768 : 0;
      permi_exact_gpu_put(shape, table, line, wide, permi_exact_start(rows, i, part), 1);
      permi_exact_gpu_put(shape, table, line, wide, bias, 1);
      for (int k = 0; k < (block ? 64 : 0); k++)
        for (int j = 0; j < block; j++)
          if (k >> j & 1)
            permi_exact_gpu_put(shape, settings + stride * k, line, wide, permi_exact_step(rows, i, 1 + j, part), -1);
      for (int k = 0; k < shape->walk; k++) {
        const permi_wide a = permi_exact_step(rows, i, 1 + block + k, part);
        permi_exact_gpu_put(shape, walk + stride * 2 * k, line, wide, a, -1);
        permi_exact_gpu_put(shape, walk + stride * (2 * k + 1), line, wide, a, 1);
      }
      for (int k = 0; k < shape->high; k++)
        permi_exact_gpu_put(shape, step + stride * k, line, wide,
                            permi_exact_step(rows, i, 1 + block + shape->walk + k, part), -1);
    }
  }
}

static void permi_exact_gpu_masks(const permi_exact_rows *rows, const perm_gpu_exact *shape, uint64_t *masks)
{
  for (int k = 0; k < shape->zeros; k++) {
    const int row = shape->order[shape->zero_line[k]], norm = (int)rows->norm[row];
    for (int v = -norm; v <= norm; v++)
      for (int i = 0; i < 64; i++) {
        int y = v;
        for (int j = 0; j < PERMI_EXACT_GPU_BLOCK; j++)
          y -= i >> j & 1 ? (int)(int64_t)permi_exact_step(rows, row, 1 + j, 0).low : 0;
        if (y == 0)
          masks[shape->zero_base[k] + 128 + v] |= UINT64_C(1) << i;
      }
  }
}

static perm_status permi_exact_gpu_tables(const permi_exact_rows *rows, const perm_gpu_exact *shape,
                                          const perm_allocator *allocator, permi_leaf *leaf)
{
  const int parts = rows->parts;
  const size_t words = (size_t)(shape->sums + 2 * shape->masks), bytes = sizeof(permi_exact_gpu) + 4 * words;
  permi_exact_gpu *exact = (permi_exact_gpu *)permi_allocate_zeros(allocator, 1, bytes);
  if (!exact)
    return PERM_ERROR_MEMORY;
  uint32_t *table = (uint32_t *)(void *)(exact + 1);
  exact->shape = *shape;
  exact->transposed = rows->transposed;
  perm_gpu_work *work = &exact->gpu.work;
  work->walk = shape->walk;
  work->high = shape->high;
  work->doubles = words / 2;
  work->table = (double *)(void *)table;
  work->program = &exact->program;
  exact->gpu.allocator = *allocator;
  exact->gpu.add = permi_exact_gpu_add;
  exact->gpu.terms = leaf->information.work / rows->n / (double)leaf->information.chunks;
  permi_exact_gpu_rows(rows, shape, table);
  permi_exact_gpu_masks(rows, shape, (uint64_t *)(void *)(table + shape->sums));
  permi_exact_gpu_text(shape, rows->n * parts, exact->text, sizeof exact->text);
  exact->program.text = exact->text;
  exact->program.sums = parts * shape->sum;
  exact->program.exact = &exact->shape;
  exact->program.shared = (size_t)((parts * shape->sum + 1) / 2 * 2 + shape->masks) * 8 +
                          (size_t)(shape->stride * (2 * shape->walk + 1)) * 4 +
                          (shape->skip ? (size_t)shape->stride * (64 + 128) * 4 + 4 * 2048 * 2 : 0);
  work->fingerprint = leaf->information.fingerprint;
  leaf->information.bytes = (double)bytes;
  leaf->context = exact;
  leaf->explain = permi_exact_gpu_explain;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
