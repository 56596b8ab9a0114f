/* ======================================================================================= >>sign_sums
   Glynn's sum over numbers v_d = 0 .. c_d of copies of each digit [Gly10, CH18], in n-ary reflected Gray code:
     2^-M sum_v prod_d (-1)^v_d binom(c_d, v_d) F(sum_d (c_d - 2 v_d) a_fd)
   The weights are scaled by 2^-c_d. F is the product of the forms with their counts; for M rows and N > M columns as
   forms, their elementary symmetric function e_M [MRA]. v -> c - v keeps the terms, so the last digit takes v <= c/2,
   doubled unless v = c/2. Forms are exact: entries lie on two grids, as in PERMI_FORM_SPLIT, or are 128 bits. */
#pragma once
#include "../dense/kernels.h"
#include "subsets.h"

typedef struct permi_nary {
  int v[PERMI_MOST_DIGITS], up[PERMI_MOST_DIGITS]; /* up: 1 or -1 */
  int total, digit;                                /* digit: the last moved */
  uint64_t left;
} permi_nary;

/* Returns a chunk's first term; sizes of chunks differ by at most 1. */
static uint64_t permi_nary_begin(const permi_counts *counts, uint64_t chunk)
{
  const uint64_t size = counts->terms / counts->chunks, rest = counts->terms % counts->chunks;
  return chunk * size + (chunk < rest ? chunk : rest);
}

PERMI_NEVER_INLINE static void permi_nary_start(const permi_counts *counts, uint64_t chunk, permi_nary *walk)
{
  uint64_t s = permi_nary_begin(counts, chunk);
  walk->left = permi_nary_begin(counts, chunk + 1) - s;
  walk->total = 0;
  walk->digit = counts->digits - 1;
  for (int d = 0; d < counts->digits; d++) {
    const uint64_t radix = (uint64_t)counts->radix[d];
    const int plain = (int)(s % radix);
    s /= radix;
    walk->up[d] = s & 1 ? -1 : 1; /* each turn of the higher digits reverses it */
    walk->v[d] = s & 1 ? counts->radix[d] - 1 - plain : plain;
    walk->total += walk->v[d];
  }
}

/* Returns 0 after the last. */
static int permi_nary_next(const permi_counts *counts, permi_nary *walk)
{
  int d;
  if (!--walk->left)
    return 0;
  for (d = 0; walk->v[d] + walk->up[d] < 0 || walk->v[d] + walk->up[d] == counts->radix[d]; d++)
    walk->up[d] = -walk->up[d];
  walk->v[d] += walk->up[d];
  walk->total += walk->up[d];
  walk->digit = d;
  return 1;
}

/* form: [row][lane], PERMI_TERMS or, for symmetric functions, PERMI_SETS lanes; e: their values. */
typedef struct permi_form_batch {
  double form[2 * PERMI_MOST_FORMS * PERMI_TERMS], e[2 * (PERMI_MOST_NEEDED + 1) * PERMI_SETS], weight[PERMI_TERMS];
  int room, lanes;
} permi_form_batch;

/* Returns e_M of PERMI_SETS sets of forms, or of |forms|; imaginary parts M + 1 numbers on. */
static const double *permi_symmetric(const permi_counts *counts, permi_form_batch *batch, int absolute)
{
  const int parts = absolute ? 1 : counts->parts, needed = counts->needed;
  const double *other = batch->form + counts->forms * PERMI_SETS;
  double *e = batch->e, *imaginary = e + (needed + 1) * PERMI_SETS;
  int f, copy, k, step = 0;
  memset(e, 0, (size_t)((needed + 1) * parts * PERMI_SETS) * sizeof *e);
  for (k = 0; k < PERMI_SETS; k++)
    e[k] = 1;
  for (f = 0; f < counts->forms; f++) {
    const double *x = batch->form + f * PERMI_SETS, *y = other + f * PERMI_SETS;
    double size[PERMI_SETS];
    if (absolute) {
      for (k = 0; k < PERMI_SETS; k++)
        size[k] = fabs(x[k]) + (counts->parts == 2 ? fabs(y[k]) : 0);
      x = size;
    }
    for (copy = 0; copy < counts->form_count[f]; copy++) {
      const int most = ++step < needed ? step : needed, least = needed - (counts->form_total - step);
      if (parts == 2)
        counts->kernels->symmetric_complex(x, y, e, imaginary, most, least > 1 ? least : 1);
      else
        counts->kernels->symmetric_real(x, e, most, least > 1 ? least : 1);
    }
  }
  return e + needed * PERMI_SETS;
}

/* Products go to their lanes, e_M to lane 0, e_M of moduli where the mask says so. */
static void permi_batch_sum(const permi_counts *counts, permi_form_batch *batch, uint64_t place, permi_lane_sums *sums)
{
  for (int lane = batch->lanes; lane < batch->room; lane++) {
    for (int f = 0; f < counts->forms * counts->parts; f++)
      batch->form[f * batch->room + lane] = 0;
    batch->weight[lane] = 0;
  }
  batch->lanes = 0;
  if (!counts->skips) {
    counts->kernels->add_products(counts->forms, counts->form_count, batch->form, batch->weight, sums);
    return;
  }
  const double *last = permi_symmetric(counts, batch, 0);
  for (int part = 0; part < counts->parts; part++, last += (counts->needed + 1) * PERMI_SETS)
    for (int lane = 0; lane < PERMI_SETS; lane++) {
      permi_dd sum = {sums->hi[part][0], sums->lo[part][0]};
      sum = permi_dd_add_double(sum, batch->weight[lane] * last[lane]);
      sums->hi[part][0] = sum.hi;
      sums->lo[part][0] = sum.lo;
    }
  if (permi_scatter(place) & counts->absolute_mask)
    return;
  last = permi_symmetric(counts, batch, 1);
  for (int lane = 0; lane < PERMI_SETS; lane++)
    sums->absolute[0] += (counts->absolute_mask + 1.0) * fabs(batch->weight[lane]) * last[lane];
}

typedef struct permi_forms {
  double high[2 * PERMI_MOST_FORMS], low[2 * PERMI_MOST_FORMS];
  permi_wide word[2 * PERMI_MOST_FORMS];
} permi_forms;

typedef struct permi_nary_work {
  permi_forms forms;
  union {
    permi_form_batch batch;
    struct {
      uint64_t cell[PERMI_MOST_CELLS];
      double e[PERMI_MOST_NEEDED + 1];
    } terms;
  } of;
} permi_nary_work;

PERMI_NEVER_INLINE static void permi_forms_move(const permi_counts *counts, permi_forms *forms, int digit, int times)
{
  const int rows = counts->forms * counts->parts;
  for (int f = 0; f < rows; f++)
    if (counts->integer) {
      const permi_wide entry = permi_wide_of(counts->integer[digit * rows + f]);
      permi_wide_add_product(&forms->word[f], &entry, times);
    } else {
      forms->high[f] += times * counts->high[digit * rows + f];
      forms->low[f] += times * counts->low[digit * rows + f];
    }
}

static void permi_nary_plain(const permi_counts *counts, permi_nary *walk, uint64_t place, permi_nary_work *work,
                             perm_partial *partial)
{
  const double *digit_weight = (const double *)(const void *)counts->weight;
  const int rows = counts->forms * counts->parts;
  double weight[PERMI_MOST_DIGITS + 1], step = 0;
  permi_lane_sums sums;
  permi_form_batch *batch = &work->of.batch;
  batch->room = counts->skips ? PERMI_SETS : PERMI_TERMS;
  batch->lanes = 0;
  memset(&sums, 0, sizeof sums);
  weight[counts->digits] = 1;
  for (;; place++) {
    counts->kernels->move_forms(rows, step, counts->high + walk->digit * rows, counts->low + walk->digit * rows,
                                work->forms.high, work->forms.low, batch->form + batch->lanes, batch->room);
    for (int d = walk->digit; d >= 0; d--)
      weight[d] = weight[d + 1] * digit_weight[counts->weight_at[d] + walk->v[d]];
    batch->weight[batch->lanes++] = walk->total & 1 ? -weight[0] : weight[0];
    if (batch->lanes == batch->room)
      permi_batch_sum(counts, batch, place, &sums);
    if (!permi_nary_next(counts, walk))
      break;
    step = -2 * walk->up[walk->digit];
  }
  if (batch->lanes)
    permi_batch_sum(counts, batch, place, &sums);
  for (int lane = 0; lane < PERMI_TERMS; lane++) {
    for (int d = 0; d < counts->parts; d++) {
      permi_sum_add_double(d ? &partial->imaginary : &partial->value, sums.hi[d][lane]);
      permi_sum_add_double(d ? &partial->imaginary : &partial->value, sums.lo[d][lane]);
    }
    permi_sum_add_double(&partial->absolute, sums.absolute[lane]);
  }
}

/* Returns the place of the term times F; e gets e_k of moduli. */
static uint64_t *permi_cells_term(const permi_counts *counts, const permi_forms *forms, uint64_t *term, double *e,
                                  uint64_t *room)
{
  const size_t size = counts->size;
  const int needed = counts->needed;
  int f, copy, k, part, step = 0;
  if (counts->skips) {
    memset(term + size, 0, (size_t)needed * size * sizeof *term);
    memset(e + 1, 0, (size_t)needed * sizeof *e);
  }
  for (f = 0; f < counts->forms; f++) {
    permi_factor factor;
    for (part = 0; part < counts->parts; part++) {
      const int row = f + part * counts->forms;
      permi_factor_set(counts, part, permi_two_sum(forms->high[row], forms->low[row]), forms->word[row], &factor);
    }
    const double modulus = counts->integer ? 0 : fabs(factor.c.real) + fabs(factor.c.imaginary);
    for (copy = 0; copy < counts->form_count[f]; copy++) {
      const int left = counts->form_total - ++step;
      if (!counts->skips) {
        uint64_t *product = room;
        permi_cell_fuse(counts, product, term, &factor, 1);
        room = term;
        term = product;
      }
      for (k = step < needed ? step : needed; counts->skips && k >= 1 && k >= needed - left; k--) {
        permi_cell_fuse(counts, term + (size_t)k * size, term + (size_t)(k - 1) * size, &factor, 0);
        e[k] += e[k - 1] * modulus;
      }
    }
  }
  return term + (counts->skips ? (size_t)needed * size : 0);
}

static void permi_nary_cells(const permi_counts *counts, permi_nary *walk, permi_nary_work *work, perm_partial *partial)
{
  const permi_numbers *numbers = &counts->numbers;
  const int size = (int)counts->size, needed = counts->needed, words = numbers->words;
  uint64_t *weight = work->of.terms.cell, *term = weight + (counts->digits + 1) * size;
  uint64_t *room = term + ((counts->skips ? needed : 0) + 1) * size, *total = room + size;
  double *e = work->of.terms.e;
  permi_value_one(numbers, weight + counts->digits * size);
  memset(total, 0, counts->size * sizeof *total);
  for (;;) {
    const int negative = walk->total & 1;
    for (int d = walk->digit; d >= 0; d--) {
      uint64_t *to = weight + d * size;
      const uint64_t *times = counts->weight + (counts->weight_at[d] + walk->v[d]) * size;
      memset(to, 0, counts->size * sizeof *to);
      if (counts->integer)
        permi_words_fuse(to, to + size, words, times, words, 0);
      else
        *(permi_dd *)(void *)to = permi_dd_multiply(*(const permi_dd *)(const void *)(to + size),
                                                    *(const permi_dd *)(const void *)times);
    }
    memcpy(term, weight, counts->size * sizeof *term);
    if (negative && !counts->integer)
      *(permi_dd *)(void *)term = permi_dd_negate(*(const permi_dd *)(const void *)term);
    e[0] = permi_cell_modulus(counts, term);
    const uint64_t *product = permi_cells_term(counts, &work->forms, term, e, room);
    for (int part = 0; part < counts->parts && counts->integer; part++)
      if (negative)
        permi_words_subtract(total + part * words, product + part * words, words);
      else
        permi_words_add(total + part * words, product + part * words, words);
    if (!counts->integer) {
      permi_sum_add_double(&partial->absolute, counts->skips ? e[needed] : permi_cell_modulus(counts, product));
      permi_value_sum_parts(numbers, product, partial);
    }
    if (!permi_nary_next(counts, walk))
      break;
    permi_forms_move(counts, &work->forms, walk->digit, -2 * walk->up[walk->digit]);
  }
  permi_value_sum_parts(numbers, total, partial);
}

static void permi_nary_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_counts *counts = (const permi_counts *)leaf->context;
  permi_nary_work *work = (permi_nary_work *)workspace;
  permi_nary walk;
  permi_nary_start(counts, chunk, &walk);
  partial->terms += (double)walk.left;
  if (!walk.left)
    return;
  for (int d = 0; d < counts->forms * counts->parts; d++) {
    work->forms.high[d] = work->forms.low[d] = 0;
    work->forms.word[d].low = work->forms.word[d].high = 0;
  }
  for (int d = 0; d < counts->digits; d++)
    permi_forms_move(counts, &work->forms, d, counts->digit_count[d] - 2 * walk.v[d]);
  if (counts->plain)
    permi_nary_plain(counts, &walk, permi_nary_begin(counts, chunk), work, partial);
  else
    permi_nary_cells(counts, &walk, work, partial);
}

/* Fills in binom(c, v), v = 0 .. most, times 2^-c unless integers. half: doubled unless v = c/2. */
PERMI_COLD static void permi_digit_weights(const permi_counts *counts, int c, int most, int half, uint64_t *weight)
{
  const size_t size = counts->size;
  permi_dd b = permi_dd_make(permi_shift(1, -c));
  memset(weight, 0, ((size_t)most + 1) * size * sizeof *weight);
  for (int v = 0; v <= most && !counts->integer; v++) {
    const double over = v + 1, first = 1.0 / over;
    const permi_dd x = permi_dd_scale(b, half && 2 * v != c);
    const permi_dd inverse = {first, PERMI_REST(-first, over, -1.0) / over};
    memcpy(weight + (size_t)v * size, &x, counts->plain ? sizeof x.hi : sizeof x);
    b = permi_dd_multiply(permi_dd_multiply(b, permi_dd_make(c - v)), inverse);
  }
  if (!counts->integer)
    return;
  weight[0] = 1;
  for (int k = 1; k <= c; k++)
    for (int v = k < most ? k : most; v > 0; v--)
      permi_words_add(weight + (size_t)v * size, weight + (size_t)(v - 1) * size, counts->numbers.words);
  for (int v = 0; half && v <= most; v++)
    if (2 * v != c)
      permi_words_add(weight + (size_t)v * size, weight + (size_t)v * size, counts->numbers.words);
}
/* SPDX-License-Identifier: MIT */
