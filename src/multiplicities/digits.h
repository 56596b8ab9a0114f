/* ========================================================================================= >>digits
   Digits and forms of the engines for counts, and cells: values of >>ring, double-doubles, integers or residues. */
#pragma once
#include "../base/ring.h"
#include "../dense/dispatch.h"

#define PERMI_MOST_DIGITS 62
#define PERMI_MOST_FORMS 512
#define PERMI_MOST_NEEDED 128
#define PERMI_MOST_CELLS 8192
#define PERMI_MOST_WALKED 900 /* total of digits: binomials are scaled by 2^-total */

typedef struct permi_counts {
  perm_allocator allocator;
  permi_numbers numbers;
  size_t size;
  int plain;
  const permi_counts_kernels *kernels;
  perm_method method;
  int parts, digits, forms;
  int digit_total, form_total, needed;
  int skips;                           /* forms that stay unused */
  int *digit_count, *form_count, *radix;
  double *high, *low; /* [digit][part][form], scaled; low: the rest of high for split sums */
  int64_t *integer;
  int whole;
  int lossy;          /* scaling rounded some tiny entry */
  int signs;          /* entries are negative or complex: |terms| are summed apart */
  int ryser, symmetric; /* symmetric: Glynn's sum with forms to spare */
  uint64_t terms, chunks;
  unsigned absolute_mask; /* of symmetric functions, one of mask + 1 terms enters the sum of |terms| */
  int *weight_at;
  uint64_t *weight;
  uint64_t *rank_weight; /* Ryser's, by columns in the set */
} permi_counts;

static size_t permi_counts_at(const permi_counts *counts, int digit, int part, int form)
{
  return ((size_t)digit * (size_t)counts->parts + (size_t)part) * (size_t)counts->forms + (size_t)form;
}

static double permi_counts_entry(const permi_counts *counts, int digit, int part, int form)
{
  const size_t at = permi_counts_at(counts, digit, part, form);
  return counts->integer ? (double)counts->integer[at] : counts->high[at];
}

PERMI_NEVER_INLINE static double permi_counts_modulus(const permi_counts *counts, int digit, int form)
{
  return fabs(permi_counts_entry(counts, digit, 0, form)) +
         (counts->parts == 2 ? fabs(permi_counts_entry(counts, digit, 1, form)) : 0);
}

/* What a cell is multiplied by: an entry, or a sum of entries. */
typedef struct permi_factor {
  permi_coefficient c;
  uint64_t magnitude[2][2];
  int negative[2];
} permi_factor;

/* Sets a part; the real one is set first. Other fields stay. */
static void permi_factor_set(const permi_counts *counts, int part, permi_dd x, permi_wide integer, permi_factor *factor)
{
  const uint64_t modulus = counts->numbers.modulus;
  if (counts->integer) {
    factor->negative[part] = permi_words_magnitude(factor->magnitude[part], &integer.low, 2);
    factor->c.integer[part] = modulus ? (int64_t)permi_wide_residue(integer, modulus) : 0;
  } else if (part) {
    factor->c.imaginary = x.hi;
    factor->c.imaginary_low = x.lo;
  } else {
    factor->c.real = x.hi;
    factor->c.real_low = x.lo;
    factor->c.imaginary = factor->c.imaginary_low = 0;
  }
}

static void permi_counts_factor(const permi_counts *counts, int digit, int form, int times, permi_factor *factor)
{
  permi_dd x = {0, 0};
  int part;
  for (part = 0; part < counts->parts; part++) {
    const size_t at = permi_counts_at(counts, digit, part, form);
    permi_wide integer = {0, 0};
    if (counts->integer) {
      const permi_wide entry = permi_wide_of(counts->integer[at]);
      permi_wide_add_product(&integer, &entry, times);
    } else {
      x = permi_dd_multiply(permi_dd_make(counts->high[at]), permi_dd_make(times));
    }
    permi_factor_set(counts, part, x, integer, factor);
  }
}

/* to += from * factor, or if fresh to = from * factor. */
PERMI_NEVER_INLINE static void permi_cell_fuse(const permi_counts *counts, void *to, const void *from,
                                               const permi_factor *factor, int fresh)
{
  const permi_numbers *numbers = &counts->numbers;
  int p, q;
  if (numbers->algebra == PERMI_MAGNITUDES_DD) {
    permi_value_add(PERMI_MAGNITUDES_DD, numbers, &factor->c, to, from, fresh);
  } else if (numbers->algebra == PERMI_PAIR_DD_VALUES) {
    permi_value_add(PERMI_PAIR_DD_VALUES, numbers, &factor->c, to, from, fresh);
  } else if (numbers->algebra == PERMI_RESIDUES) {
    permi_value_add(PERMI_RESIDUES, numbers, &factor->c, to, from, fresh);
  } else {
    if (fresh)
      memset(to, 0, counts->size * sizeof(uint64_t));
    for (p = 0; p < numbers->parts; p++)
      for (q = 0; q < numbers->parts; q++)
        permi_words_fuse((uint64_t *)to + (p ^ q) * numbers->words, (const uint64_t *)from + q * numbers->words,
                         numbers->words, factor->magnitude[p], 2, factor->negative[p] != (p & q));
  }
}

/* cell = a b, a and b real, b a whole number >= 0. */
PERMI_NEVER_INLINE static void permi_cell_weigh(const permi_counts *counts, void *cell, const void *a, const void *b)
{
  const int words = counts->numbers.words;
  memset(cell, 0, counts->size * sizeof(uint64_t));
  if (counts->integer)
    permi_words_fuse((uint64_t *)cell, (const uint64_t *)a, words, (const uint64_t *)b, words, 0);
  else
    *(permi_dd *)cell = permi_dd_multiply(*(const permi_dd *)a, *(const permi_dd *)b);
}

/* At least about the modulus of a cell of double-doubles; 0 of integers. */
static double permi_cell_modulus(const permi_counts *counts, const void *cell)
{
  const permi_dd *x = (const permi_dd *)cell;
  return counts->integer ? 0 : fabs(x[0].hi) + (counts->parts == 2 ? fabs(x[1].hi) : 0);
}
/* SPDX-License-Identifier: MIT */
