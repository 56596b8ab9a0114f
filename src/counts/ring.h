/* =========================================================================================== >>ring
   Numbers for the engines that are not in double: cells of double-double, or of `words` words modulo
   2^(64 words), two's complement, real and imaginary part one after the other. What wraps on the way does no harm as
   long as the sum at the end fits. Where no number of words would do: of one word modulo what the caller wants. */
#pragma once
#include "../base/numbers.h"

typedef struct permi_ring {
  int parts, words; /* words = 0: double-double */
  size_t size;      /* of a cell, in 8-byte words */
  uint64_t modulus; /* not 0: cells are residues from 0 to modulus - 1; fuse, multiply and sum only */
} permi_ring;

/* What a cell is multiplied by: an entry, a sum of entries, a small number. */
typedef struct permi_factor {
  permi_dd dd[2];
  uint64_t magnitude[2][2]; /* of real and imaginary part, least word first */
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

static uint64_t permi_words_product(uint64_t a, uint64_t b, uint64_t *high)
{
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 wide;
  const wide product = (wide)a * b;
  *high = (uint64_t)(product >> 64);
  return (uint64_t)product;
#else
  const uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffffu);
  *high = a1 * b1 + (middle >> 32) + (other >> 32);
  return other << 32 | ((a0 * b0) & 0xffffffffu);
#endif
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
      uint64_t high, low = permi_words_product(from[i - k], factor[k], &high);
      low += carry;
      high += low < carry;
      to[i] += low;
      carry = high + (to[i] < low);
    }
  }
  for (i = 0; subtract && i < words; i++)
    to[i] = ~to[i];
}

/* (high 2^64 + low) mod p; high < p. */
static uint64_t permi_word_residue(uint64_t high, uint64_t low, uint64_t p)
{
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 wide;
  return (uint64_t)(((wide)high << 64 | low) % p);
#else
  return permi_residue_wide(high, low, p);
#endif
}

/* to +-= from * factor modulo p; factor: a magnitude of two words. */
static void permi_word_fuse(uint64_t *to, uint64_t from, const uint64_t *factor, int subtract, uint64_t p)
{
  uint64_t high, low = permi_words_product(from, permi_word_residue(factor[1] % p, factor[0], p), &high), product;
  product = permi_word_residue(high, low, p);
  product = subtract && product ? p - product : product;
  *to += product;
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

PERMI_NEVER_INLINE static void permi_cell_add(const permi_ring *ring, void *to, const void *from)
{
  int part;
  for (part = 0; part < ring->parts; part++)
    if (ring->words)
      permi_words_add((uint64_t *)to + part * ring->words, (const uint64_t *)from + part * ring->words, ring->words);
    else
      ((permi_dd *)to)[part] = permi_dd_add(((permi_dd *)to)[part], ((const permi_dd *)from)[part]);
}

/* to += from * factor, or to -= it. */
PERMI_NEVER_INLINE static void permi_cell_fuse(const permi_ring *ring, void *to, const void *from,
                                               const permi_factor *factor, int subtract)
{
  int part;
  if (ring->modulus) {
    for (part = 0; part < ring->parts; part++) {
      const uint64_t x = ((const uint64_t *)from)[part];
      permi_word_fuse((uint64_t *)to + part, x, factor->magnitude[0], factor->negative[0] != subtract, ring->modulus);
      if (ring->parts == 2) /* i times i is -1 */
        permi_word_fuse((uint64_t *)to + (1 - part), x, factor->magnitude[1],
                        (factor->negative[1] != subtract) != part, ring->modulus);
    }
  } else if (ring->words) {
    for (part = 0; part < ring->parts; part++) {
      const uint64_t *x = (const uint64_t *)from + part * ring->words;
      permi_words_fuse((uint64_t *)to + part * ring->words, x, ring->words, factor->magnitude[0], 2,
                       factor->negative[0] != subtract);
      if (ring->parts == 2) /* i times i is -1 */
        permi_words_fuse((uint64_t *)to + (1 - part) * ring->words, x, ring->words, factor->magnitude[1], 2,
                         (factor->negative[1] != subtract) != part);
    }
  } else {
    permi_dd re = ((const permi_dd *)from)[0], im = {0, 0};
    if (ring->parts == 2) {
      im = ((const permi_dd *)from)[1];
      permi_dd_multiply_complex(&re, &im, factor->dd[0], factor->dd[1]);
      ((permi_dd *)to)[1] = permi_dd_add(((permi_dd *)to)[1], subtract ? permi_dd_negate(im) : im);
    } else {
      re = permi_dd_multiply(re, factor->dd[0]);
    }
    ((permi_dd *)to)[0] = permi_dd_add(((permi_dd *)to)[0], subtract ? permi_dd_negate(re) : re);
  }
}

/* cell *= factor; room: a cell's worth of scratch. */
PERMI_NEVER_INLINE static void permi_cell_multiply(const permi_ring *ring, void *cell, const permi_factor *factor,
                                                   void *room)
{
  if (ring->words) {
    permi_cell_set(ring, room, 0);
    permi_cell_fuse(ring, room, cell, factor, 0);
    memcpy(cell, room, ring->size * sizeof(uint64_t));
  } else if (ring->parts == 2) {
    permi_dd_multiply_complex((permi_dd *)cell, (permi_dd *)cell + 1, factor->dd[0], factor->dd[1]);
  } else {
    *(permi_dd *)cell = permi_dd_multiply(*(permi_dd *)cell, factor->dd[0]);
  }
}

static permi_factor permi_factor_small(int x)
{
  permi_factor factor;
  memset(&factor, 0, sizeof factor);
  factor.dd[0].hi = x;
  factor.magnitude[0][0] = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
  factor.negative[0] = x < 0;
  return factor;
}

/* Adds a cell to the sums of a partial, exactly. */
PERMI_NEVER_INLINE static void permi_cell_sum(const permi_ring *ring, const void *cell, perm_partial *partial)
{
  int part, i;
  for (part = 0; part < ring->parts; part++) {
    perm_sum *sum = part ? &partial->imaginary : &partial->value;
    if (ring->words) {
      const uint64_t *word = (const uint64_t *)cell + part * ring->words;
      uint64_t magnitude[PERM_INTEGER_WORDS], carry = 1;
      const int negative = (int)(word[ring->words - 1] >> 63); /* no residue is that large */
      for (i = 0; i < ring->words; i++) {
        magnitude[i] = negative ? ~word[i] + carry : word[i];
        carry = carry && !word[i];
      }
      permi_sum_add_integer(sum, magnitude, ring->words, negative);
    } else {
      permi_sum_add_double(sum, ((const permi_dd *)cell)[part].hi);
      permi_sum_add_double(sum, ((const permi_dd *)cell)[part].lo);
    }
  }
}

/* At least about the modulus of a cell of double-doubles. */
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
  perm_isa isa;
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
  /* >>repeats: */
  int ryser;
  uint64_t terms, chunks;
  unsigned absolute_mask; /* of elementary symmetric functions, one of mask + 1 terms enters the sum of |terms| */
  int *weight_at;         /* binomials of digit d: cells (or doubles) from there */
  uint64_t *weight;
  uint64_t *rank_weight; /* Ryser: by the number of columns in the set */
} permi_counts;

static double permi_counts_entry(const permi_counts *counts, int digit, int part, int form)
{
  const size_t at = ((size_t)digit * (size_t)counts->parts + (size_t)part) * (size_t)counts->forms + (size_t)form;
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
    const size_t at = ((size_t)digit * (size_t)counts->parts + (size_t)part) * (size_t)counts->forms + (size_t)form;
    if (counts->integer) {
      const int64_t x = counts->integer[at];
      factor.negative[part] = x < 0;
      factor.magnitude[part][0] =
          permi_words_product(x < 0 ? 0 - (uint64_t)x : (uint64_t)x, (uint64_t)times, &factor.magnitude[part][1]);
    } else {
      factor.dd[part] = permi_dd_multiply(permi_dd_make(counts->high[at]), permi_dd_make(times));
    }
  }
  return factor;
}
