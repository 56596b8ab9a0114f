/* ====================================================================================== >>counts_gpu
   Sums over signs on GPUs, in double. A thread's number sets the high digits; all threads walk the `walked` low ones in
   one n-ary Gray code. */
#pragma once
#include "../exact/exact_gpu.h"
#include "counts_leaf.h"

typedef struct permi_counts_gpu {
  permi_gpu gpu; /* first, for >>gpu */
  perm_gpu_program program;
  perm_gpu_counts shape;
  char text[4096];
} permi_counts_gpu;

static void permi_counts_gpu_text(const perm_gpu_counts *counts, char *text, size_t room)
{
  const int size = counts->forms * counts->parts * (1 + counts->low);
  const int need = 2 * size + 60 + 2 * counts->needed * counts->parts;
  const permi_gpu_member member[] = {{"forms", NULL, counts->forms},
                                     {"needed", NULL, counts->needed},
                                     {"walk", NULL, counts->walk},
                                     {"table", NULL, counts->table},
                                     {"before", counts->before, counts->forms + 1}};
  const int at = snprintf(text, room,
                          "struct permi_shape {\n  enum { PARTS = %d, LOW = %d, NEEDED = %d, FORMS = %d, SIZE = "
                          "%d };\n",
                          counts->parts, counts->low, counts->needed, counts->forms, size);
  permi_gpu_members(member, sizeof member / sizeof *member, "permi_counts_chunk",
                    need <= 80 ? 6 : need <= 128 ? 4 : need <= 168 ? 3 : 2, text, room, (size_t)at);
}

/* Fills in the table of >>text_counts, which is zero. */
PERMI_COLD static void permi_counts_gpu_table(const permi_counts *counts, const perm_gpu_counts *shape, int walked,
                                              double *table)
{
  const double *weight = (const double *)(const void *)counts->weight;
  const int parts = counts->parts, rows = counts->forms * parts, digits = counts->digits, words = 1 + shape->low;
  const int high = digits - walked;
  double *to = table + 4 + 2 * high;
  permi_counts low = *counts;
  permi_nary walk;
  int d, f, k, part, v;
  table[2] = high;
  for (d = -1; d < digits; d++) { /* start; high digits; low ones */
    const int digit = d < high ? d + walked : d - high;
    for (f = 0; f < counts->forms; f++)
      for (part = 0; part < parts; part++)
        for (k = 0; k < words; k++, to++) {
          const double *from = (k ? counts->low : counts->high) + part * counts->forms + f;
          if (d >= 0)
            *to = from[digit * rows] * -2;
          for (v = 0; d < 0 && v < digits; v++)
            *to += from[v * rows] * counts->digit_count[v];
        }
  }
  for (d = 0; d < high; d++) {
    table[4 + 2 * d] = counts->radix[walked + d];
    table[5 + 2 * d] = (double)(to - table);
    for (v = 0; v < counts->radix[walked + d]; v++)
      *to++ = weight[counts->weight_at[walked + d] + v] * (v & 1 ? -1 : 1);
  }
  table[3] = (double)(to - table);
  low.digits = walked;
  low.terms = (uint64_t)shape->walk;
  low.chunks = 1;
  permi_nary_start(&low, 0, &walk);
  for (k = 0; k < shape->walk; k++, to += 2) {
    to[0] = walk.total & 1 ? -1 : 1;
    for (d = 0; d < walked; d++)
      to[0] *= weight[counts->weight_at[d] + walk.v[d]];
    to[1] = k ? (walk.digit + 1) * walk.up[walk.digit] : 0;
    permi_nary_next(&low, &walk);
  }
}

static perm_status permi_counts_gpu_tables(const permi_counts *counts, const perm_gpu_counts *shape, int walked,
                                           uint64_t threads, const perm_allocator *allocator, permi_leaf *leaf)
{
  const size_t bytes = sizeof(permi_counts_gpu) + (size_t)shape->table * sizeof(double);
  const uint64_t chunks = leaf->information.chunks;
  permi_counts_gpu *made = (permi_counts_gpu *)permi_allocate_zeros(allocator, 1, bytes);
  perm_gpu_work *work;
  double *table;
  if (!made)
    return PERM_ERROR_MEMORY;
  made->shape = *shape;
  table = (double *)(void *)(made + 1);
  permi_counts_gpu_table(counts, shape, walked, table);
  table[0] = (double)threads;
  table[1] = (double)chunks;
  work = &made->gpu.work;
  work->table = table;
  work->doubles = (size_t)shape->table;
  work->program = &made->program;
  work->absolute_mask = shape->needed ? counts->absolute_mask : 0;
  permi_counts_gpu_text(shape, made->text, sizeof made->text);
  made->program.text = made->text;
  made->program.shared = (640 + work->doubles) * sizeof(double);
  made->program.counts = &made->shape;
  made->gpu.allocator = *allocator;
  made->gpu.terms = (double)(float)((double)counts->terms / (double)chunks); /* multiples are exact */
  leaf->context = made;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
