/* ===================================================================================== >>counts_leaf
   Makes the chosen engine a leaf. */
#pragma once
#include "../dense/gpu.h"
#include "counts_choice.h"
#include "counts_scale.h"

/* Sorts the digits by falling count, stable. half_last: then the last odd one, or else the first, goes to the end. */
PERMI_COLD static void permi_digits_order(const int *count, int digits, int half_last, int *order)
{
  int at = digits - 1, d, k;
  for (d = 0; d < digits; d++) {
    for (k = d; k > 0 && count[order[k - 1]] < count[d]; k--)
      order[k] = order[k - 1];
    order[k] = d;
  }
  if (!half_last)
    return;
  while (at > 0 && !(count[order[at]] & 1))
    at--;
  k = order[at];
  memmove(order + at, order + at + 1, (size_t)(digits - 1 - at) * sizeof *order);
  order[digits - 1] = k;
}

static int permi_choice_walks(const permi_choice *choice)
{
  return choice->method != PERM_METHOD_SUBSETS && choice->method != PERM_METHOD_EXPANSION;
}

/* Entries are not yet scaled; exp2: zeros for digits and forms. Returns NULL if memory runs out. */
PERMI_COLD static permi_counts *permi_counts_new(const permi_counted *counted, const permi_choice *choice,
                                                 const perm_allocator *allocator, int *exp2[2])
{
  const permi_shape *shape = &choice->shape;
  const int parts = counted->parts, digits = shape->digits, forms = shape->forms, needed = shape->needed;
  const int ryser = choice->method == PERM_METHOD_RYSER, plain = choice->precision == PERM_PRECISION_DEFAULT;
  const size_t entries = (size_t)digits * (size_t)forms * (size_t)parts, integers = (size_t)(5 * digits + 2 * forms);
  permi_numbers numbers;
  permi_counts *counts;
  size_t size, weights = 0;
  int *order, d, f, part;
  numbers.algebra = choice->modulus ? PERMI_RESIDUES
                    : choice->words ? PERMI_WORDS
                    : parts == 2    ? PERMI_PAIR_DD_VALUES
                                    : PERMI_MAGNITUDES_DD;
  numbers.parts = parts;
  numbers.words = choice->words;
  numbers.modulus = choice->modulus;
  size = plain ? 1 : permi_numbers_words(&numbers);
  if (permi_choice_walks(choice))
    weights = (size_t)(shape->digit_total + digits + (ryser ? counted->rows + 1 : 0)) * size;
  counts = (permi_counts *)permi_allocate(
      allocator, 1, sizeof *counts + (2 * entries + weights) * sizeof(double) + integers * sizeof(int));
  if (!counts)
    return NULL;
  memset(counts, 0, sizeof *counts);
  counts->allocator = *allocator;
  counts->numbers = numbers;
  counts->size = size;
  counts->plain = plain;
  counts->method = choice->method;
  counts->ryser = ryser;
  counts->kernels = counted->reach->counts[choice->isa == PERM_ISA_AVX2];
  counts->parts = parts;
  counts->digits = digits;
  counts->forms = forms;
  counts->digit_total = shape->digit_total;
  counts->form_total = shape->form_total;
  counts->needed = needed;
  counts->skips = shape->skips;
  counts->symmetric = shape->skips && !ryser;
  counts->high = (double *)(counts + 1);
  counts->low = counts->high + entries;
  counts->weight = (uint64_t *)(void *)(counts->low + entries);
  counts->digit_count = (int *)(counts->weight + weights);
  counts->radix = counts->digit_count + digits;
  counts->weight_at = counts->radix + digits;
  counts->form_count = counts->weight_at + digits;
  exp2[0] = counts->form_count + forms;
  exp2[1] = exp2[0] + digits;
  order = exp2[1] + forms;
  memset(exp2[0], 0, (size_t)(digits + forms) * sizeof **exp2);
  permi_digits_order(shape->digit_count, digits, permi_choice_walks(choice) && !ryser, order);
  for (f = 0; f < forms; f++)
    counts->form_count[f] = f < shape->given ? shape->form_count[f] : shape->padding;
  for (d = 0; d < digits; d++) {
    const int count = counts->digit_count[d] = shape->digit_count[order[d]];
    counts->radix[d] = (count < needed ? count : needed) + 1;
    for (f = 0; f < forms; f++)
      for (part = 0; part < parts; part++) {
        double *to = counts->high + permi_counts_at(counts, d, part, f);
        if (f < shape->given)
          memcpy(to, counted->real + permi_counted_at(counted, choice->by_columns, order[d], f, part), sizeof *to);
        else
          *to = part == 0;
        counts->signs |= parts == 2 || (!counted->integer && *to < 0);
      }
  }
  if (counted->integer) {
    counts->integer = (int64_t *)(void *)counts->high;
    counts->low = NULL;
    counts->signs = 0;
  }
  return counts;
}

/* Returns a bound of what forms lose. */
PERMI_COLD static double permi_signs_leaf(permi_counts *counts, int padding, int certify, permi_leaf *leaf)
{
  const size_t size = counts->size;
  const double seconds = leaf->information.seconds;
  int chunks_log2 = 0, at = 0, d;
  counts->terms = 1;
  for (d = 0; d < counts->digits; d++) {
    const int half = d == counts->digits - 1 && !counts->ryser;
    if (half)
      counts->radix[d] = counts->digit_count[d] / 2 + 1;
    counts->weight_at[d] = at;
    permi_digit_weights(counts, counts->digit_count[d], counts->radix[d] - 1, half,
                        counts->weight + (size_t)at * size);
    at += counts->radix[d];
    counts->terms *= (uint64_t)counts->radix[d];
  }
  counts->rank_weight = counts->weight + (size_t)at * size;
  if (counts->ryser)
    permi_rank_weights(counts);
  while (ldexp(seconds, -chunks_log2) > (chunks_log2 < 30 ? 4e-4 : 0.4) && counts->terms >> chunks_log2 > 32)
    chunks_log2++;
  counts->chunks = UINT64_C(1) << chunks_log2;
  counts->absolute_mask = certify || counts->terms < 2048 ? 0 : 15;
  leaf->information.kind = PERM_LEAF_RANGE;
  leaf->information.chunks = counts->chunks;
  leaf->run_chunk = permi_nary_chunk;
  leaf->workspace = sizeof(permi_nary_work);
  if (counts->integer)
    leaf->scale_exp2 = counts->ryser ? 0 : -counts->digit_total;
  else if (counts->ryser)
    leaf->scale_exp2 += counts->digit_total;
  for (d = 2; d <= padding; d++)
    leaf->scale = permi_dd_multiply(leaf->scale, permi_dd_make(d));
  if (padding > 1) {
    const double x = leaf->scale.hi, inverse = 1 / x;
    leaf->scale.lo = (PERMI_REST(-inverse, x, -1) - inverse * leaf->scale.lo) * inverse;
    leaf->scale.hi = inverse;
  }
  return counts->integer ? 0 : permi_counts_split(counts);
}

#define PERMI_COUNTS_GPU_WALK 1024

/* Returns `walked`; *threads: settings of the high digits. */
PERMI_COLD static int permi_counts_gpu_shape(const permi_counts *counts, perm_gpu_counts *shape, uint64_t *threads)
{
  const int rows = counts->forms * counts->parts;
  int walked = 0, size, f, k, d;
  memset(shape, 0, sizeof *shape);
  shape->parts = counts->parts;
  shape->ryser = counts->ryser;
  shape->forms = counts->forms;
  shape->needed = counts->symmetric ? counts->needed : 0;
  for (k = 0; k < rows * counts->digits; k++)
    shape->low |= counts->low[k] != 0;
  for (f = 0; f < counts->forms; f++)
    shape->before[f + 1] = (short)(shape->before[f] + counts->form_count[f]);
  *threads = counts->terms;
  for (shape->walk = 1; walked < counts->digits; walked++) {
    const int radix = counts->radix[walked], walk = shape->walk * radix;
    if (walk > PERMI_COUNTS_GPU_WALK || (*threads / (uint64_t)radix < 1 << 18 && walk > 16))
      break;
    shape->walk = walk;
    *threads /= (uint64_t)radix;
  }
  size = rows * (1 + shape->low);
  shape->table = 4 + 2 * (counts->digits - walked) + size * (1 + counts->digits) + 3 * shape->walk;
  for (d = walked; d < counts->digits; d++)
    shape->table += counts->radix[d];
  shape->table += counts->ryser ? counts->digit_total + 1 : 0;
  return walked;
}

PERMI_COLD static perm_status permi_counts_gpu_leaf(const permi_counts *counts, const perm_allocator *allocator,
                                                    permi_leaf *leaf)
{
  perm_gpu_counts shape;
  uint64_t threads, chunks = 1;
  const int walked = permi_counts_gpu_shape(counts, &shape, &threads);
  while (chunks * (threads < 1 << 20 ? 128 : 1024) * 2 <= threads)
    chunks *= 2;
  leaf->information.chunks = chunks;
  leaf->context = NULL;
  leaf->run_range = permi_gpu_range;
  leaf->run_chunk = NULL;
  (void)walked, (void)allocator;
  return permi_counts_gpu_tables(counts, &shape, walked, threads, allocator, leaf);
}

PERMI_COLD static uint64_t permi_choice_fingerprint(const permi_choice *choice, const permi_counts *counts,
                                                    uint64_t fingerprint)
{
  const int fields[] = {(int)choice->method,    (int)choice->isa, choice->by_columns,
                        (int)choice->precision, counts->parts,    counts->integer != NULL,
                        (int)counts->absolute_mask};
  size_t k;
  for (k = 0; k < sizeof fields / sizeof fields[0]; k++)
    fingerprint = permi_hash(fingerprint, (uint64_t)fields[k]);
  return choice->modulus ? permi_hash(fingerprint, choice->modulus) : fingerprint;
}

PERMI_COLD static perm_status permi_choice_leaf(const permi_counted *counted, const permi_choice *choice, int certify,
                                                uint64_t fingerprint, const perm_allocator *allocator, permi_leaf *leaf)
{
  int *exp2[2];
  permi_counts *counts = permi_counts_new(counted, choice, allocator, exp2);
  double lost = 0;
  memset(leaf, 0, sizeof *leaf);
  if (!counts)
    return PERM_ERROR_MEMORY;
  if (!counts->integer) {
    const int exact = permi_counts_scale(counts, exp2, &leaf->scale_exp2);
    if (exact < 0) {
      permi_release(allocator, counts);
      return PERM_ERROR_MEMORY;
    }
    leaf->scale_exp2 = -leaf->scale_exp2;
    counts->lossy = !exact;
    counts->whole = exact && permi_counts_whole(counts);
  }
  leaf->scale = permi_dd_make(1);
  leaf->context = counts;
  leaf->release = permi_context_release;
  leaf->explain = permi_plan_explain;
  leaf->information.kind = PERM_LEAF_TASK;
  leaf->information.method = choice->method;
  leaf->information.isa = choice->isa;
  leaf->information.n = counts->needed;
  leaf->information.work = choice->work;
  leaf->information.seconds = choice->seconds;
  leaf->information.bytes = choice->bytes;
  leaf->information.chunks = 1;
  leaf->integer = counts->integer != NULL;
  leaf->run_task = choice->method == PERM_METHOD_EXPANSION ? permi_expand_counts : permi_subsets_task;
  if (permi_choice_walks(choice))
    lost = permi_signs_leaf(counts, choice->shape.padding, certify, leaf);
  permi_counts_bounds(counts, lost, choice->terms, leaf);
  fingerprint = permi_hash(permi_choice_fingerprint(choice, counts, fingerprint), leaf->information.chunks);
  if (choice->isa == PERM_ISA_CUDA) {
    const perm_status status = counted->reach->gpu->counts_leaf(counts, allocator, leaf);
    permi_release(allocator, counts);
    if (status != PERM_OK)
      return status;
    fingerprint = permi_hash(fingerprint, leaf->information.chunks);
  }
  leaf->information.fingerprint = fingerprint;
  if (counted->scaled) { /* no integer: rounded to double-double */
    leaf->integer = 0;
    leaf->scale_exp2 += (long long)counted->exp2 * counted->rows;
    leaf->bound_relative = leaf->estimate_relative = PERMI_DD_UNIT;
  }
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
