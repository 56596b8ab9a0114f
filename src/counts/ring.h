/* =========================================================================================== >>ring
   Numbers of the engines that are not in double, and the digits and forms of all engines for counts. A cell is a
   double-double, or `words` words modulo 2^(64 words), two's complement; of complex numbers it is two of them. What
   wraps on the way does no harm as long as the sum at the end fits. Where no number of words would do, a cell is one
   word modulo what the caller wants. */
#pragma once
#include "../base/numbers.h"
#include "../dense/dispatch.h"

typedef struct permi_ring {
  int parts, words; /* words = 0: double-double */
  size_t size;      /* of a cell, in 8-byte words */
  uint64_t modulus; /* not 0: cells are residues from 0 to modulus - 1; fuse, multiply and sum only */
} permi_ring;

/* What a cell is multiplied by: an entry, or a sum of entries. */
typedef struct permi_factor {
  permi_dd dd[2];
  permi_wide magnitude[2]; /* of real and imaginary part */
  int negative[2];
} permi_factor;

static permi_ring permi_ring_make(int parts, int words)
{
  permi_ring ring;
  ring.parts = parts;
  ring.words = words;
  ring.size = (size_t)parts * (size_t)(words ? words : 2);
  ring.modulus = 0;
  return ring;
}

/* |x y|, and in *negative its sign. */
static permi_wide permi_product_magnitude(int64_t x, int64_t y, int *negative)
{
  *negative = (x < 0) != (y < 0);
  return permi_multiply_words(x < 0 ? 0 - (uint64_t)x : (uint64_t)x, y < 0 ? 0 - (uint64_t)y : (uint64_t)y);
}

/* to +-= from * factor modulo 2^(64 words); factor: a magnitude of `length` words. a - b = ~(~a + b). */
PERMI_NEVER_INLINE static void permi_words_fuse(uint64_t *to, const uint64_t *from, int words, const uint64_t *factor,
                                                int length, int subtract)
{
  int i, k;
  for (i = 0; subtract && i < words; i++)
    to[i] = ~to[i];
  for (k = 0; k < length && k < words; k++) {
    uint64_t carry = 0;
    if (!factor[k])
      continue;
    for (i = k; i < words; i++) {
      permi_wide product = permi_multiply_words(from[i - k], factor[k]);
      product.low += carry;
      product.high += product.low < carry;
      to[i] += product.low;
      carry = product.high + (to[i] < product.low);
    }
  }
  for (i = 0; subtract && i < words; i++)
    to[i] = ~to[i];
}

/* to +-= from * factor modulo p. */
static void permi_residue_fuse(uint64_t *to, uint64_t from, permi_wide factor, int subtract, uint64_t p)
{
  const permi_wide wide = permi_multiply_words(from, permi_residue_wide(factor.high % p, factor.low, p));
  const uint64_t product = permi_residue_wide(wide.high, wide.low, p);
  *to += subtract && product ? p - product : product;
  *to -= *to >= p ? p : 0;
}

PERMI_NEVER_INLINE static void permi_cell_set(const permi_ring *ring, void *cell, int one)
{
  memset(cell, 0, ring->size * sizeof(uint64_t));
  if (one && ring->words)
    *(uint64_t *)cell = 1;
  else if (one)
    ((permi_dd *)cell)->hi = 1;
}

/* to += from, or to -= it. */
PERMI_NEVER_INLINE static void permi_cell_add(const permi_ring *ring, void *to, const void *from, int subtract)
{
  int part;
  for (part = 0; part < ring->parts; part++)
    if (ring->words) {
      uint64_t *word = (uint64_t *)to + part * ring->words;
      const uint64_t *other = (const uint64_t *)from + part * ring->words;
      if (subtract)
        permi_words_subtract(word, other, ring->words);
      else
        permi_words_add(word, other, ring->words);
    } else {
      const permi_dd x = ((const permi_dd *)from)[part];
      ((permi_dd *)to)[part] = permi_dd_add(((permi_dd *)to)[part], subtract ? permi_dd_negate(x) : x);
    }
}

/* to += from * factor. */
PERMI_NEVER_INLINE static void permi_cell_fuse(const permi_ring *ring, void *to, const void *from,
                                               const permi_factor *factor)
{
  const uint64_t *x = (const uint64_t *)from;
  int part, k;
  if (!ring->words) {
    permi_dd *sum = (permi_dd *)to, re = ((const permi_dd *)from)[0], im;
    if (ring->parts == 2) {
      im = ((const permi_dd *)from)[1];
      permi_dd_multiply_complex(&re, &im, factor->dd[0], factor->dd[1]);
      sum[1] = permi_dd_add(sum[1], im);
    } else {
      re = permi_dd_multiply(re, factor->dd[0]);
    }
    sum[0] = permi_dd_add(sum[0], re);
    return;
  }
  for (part = 0; part < ring->parts; part++, x += ring->words)
    for (k = 0; k < ring->parts; k++) {
      uint64_t *sum = (uint64_t *)to + (part ^ k) * ring->words;
      const int subtract = factor->negative[k] != (part & k); /* i times i is -1 */
      if (ring->modulus) {
        permi_residue_fuse(sum, *x, factor->magnitude[k], subtract, ring->modulus);
      } else {
        const uint64_t magnitude[2] = {factor->magnitude[k].low, factor->magnitude[k].high};
        permi_words_fuse(sum, x, ring->words, magnitude, 2, subtract);
      }
    }
}

/* cell *= factor; room: a cell's worth of scratch. */
PERMI_NEVER_INLINE static void permi_cell_multiply(const permi_ring *ring, void *cell, const permi_factor *factor,
                                                   void *room)
{
  if (ring->words) {
    permi_cell_set(ring, room, 0);
    permi_cell_fuse(ring, room, cell, factor);
    memcpy(cell, room, ring->size * sizeof(uint64_t));
  } else if (ring->parts == 2) {
    permi_dd_multiply_complex((permi_dd *)cell, (permi_dd *)cell + 1, factor->dd[0], factor->dd[1]);
  } else {
    *(permi_dd *)cell = permi_dd_multiply(*(permi_dd *)cell, factor->dd[0]);
  }
}

/* cell := a b, a and b real, b a whole number >= 0. */
PERMI_NEVER_INLINE static void permi_cell_weigh(const permi_ring *ring, void *cell, const void *a, const void *b)
{
  permi_cell_set(ring, cell, 0);
  if (ring->words)
    permi_words_fuse((uint64_t *)cell, (const uint64_t *)a, ring->words, (const uint64_t *)b, ring->words, 0);
  else
    *(permi_dd *)cell = permi_dd_multiply(*(const permi_dd *)a, *(const permi_dd *)b);
}

/* Adds a cell to the sums of a partial, exactly. */
PERMI_NEVER_INLINE static void permi_cell_sum(const permi_ring *ring, const void *cell, perm_partial *partial)
{
  int part;
  for (part = 0; part < ring->parts; part++) {
    perm_sum *sum = part ? &partial->imaginary : &partial->value;
    if (ring->words) {
      const uint64_t *word = (const uint64_t *)cell + part * ring->words;
      const int negative = (int)(word[ring->words - 1] >> 63); /* no residue is that large */
      uint64_t magnitude[PERM_INTEGER_WORDS] = {0};
      if (negative)
        permi_words_subtract(magnitude, word, ring->words);
      else
        permi_words_add(magnitude, word, ring->words);
      permi_sum_add_integer(sum, magnitude, ring->words, negative);
    } else {
      permi_sum_add_double(sum, ((const permi_dd *)cell)[part].hi);
      permi_sum_add_double(sum, ((const permi_dd *)cell)[part].lo);
    }
  }
}

/* At least about the modulus of a cell of double-doubles; 0 of integers. */
static double permi_cell_modulus(const permi_ring *ring, const void *cell)
{
  const permi_dd *x = (const permi_dd *)cell;
  return ring->words ? 0 : fabs(x[0].hi) + (ring->parts == 2 ? fabs(x[1].hi) : 0);
}

/* ---- the digits and forms of an engine */
#define PERMI_MOST_DIGITS 62  /* of engines that count in a number system: 2^62 states at most */
#define PERMI_MOST_FORMS 512  /* of those that keep the forms in a workspace, */
#define PERMI_MOST_NEEDED 128 /* and what leads to e_M */
#define PERMI_MOST_CELLS 8192 /* 8-byte words of cells there */
#define PERMI_MOST_WALKED 900 /* total of the digits: binomials are scaled by 2^-total */

typedef struct permi_counts {
  perm_allocator allocator;
  permi_ring ring; /* of PERM_PRECISION_DD and of integers */
  int plain;       /* 1: in double instead */
  const permi_counts_kernels *kernels;
  perm_method method;
  int parts, digits, forms;
  int digit_total, form_total, needed; /* in all; the smaller of the totals */
  int skips;                           /* form_total - needed: forms may stay unused */
  int *digit_count, *form_count, *radix;
  double *high, *low; /* entries [digit][part][form], scaled; low: what high leaves, where sums are split */
  int64_t *integer;   /* or these */
  int whole;          /* 1: nothing rounds */
  int lossy;          /* 1: scaling rounded some entry, which has become tiny */
  int signs;          /* 1: some entry is negative or complex, so that |terms| are summed apart */
  /* >>sign_sums: */
  int ryser, symmetric; /* symmetric: Glynn's sum with forms to spare */
  uint64_t terms, chunks;
  unsigned absolute_mask; /* of elementary symmetric functions, one of mask + 1 terms enters the sum of |terms| */
  int *weight_at;         /* binomials of digit d: cells (or doubles) from there */
  uint64_t *weight;
  uint64_t *rank_weight; /* Ryser: by the number of columns in the set */
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

/* `times` times the entry. */
PERMI_NEVER_INLINE static permi_factor permi_counts_factor(const permi_counts *counts, int digit, int form, int times)
{
  permi_factor factor;
  int part;
  memset(&factor, 0, sizeof factor);
  for (part = 0; part < counts->parts; part++) {
    const size_t at = permi_counts_at(counts, digit, part, form);
    if (counts->integer)
      factor.magnitude[part] = permi_product_magnitude(counts->integer[at], times, &factor.negative[part]);
    else
      factor.dd[part] = permi_dd_multiply(permi_dd_make(counts->high[at]), permi_dd_make(times));
  }
  return factor;
}
