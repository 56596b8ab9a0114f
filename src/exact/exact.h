/* ========================================================================================== >>exact
   Permanents of integers without rounding.
     Glynn: 2^(n-1) per A = sum over x in {+-1}^n, x_0 = 1, of (prod_j x_j) prod_i y_i, y = A x or A^T x.
     Even rows: y_i has the parity of its row's sum. Up to n - 1 rows of even sum are halved.
     Groups: |y_i| <= norm = sum_j |a_ij|. A word multiplies rows whose norms' product it holds.
     Zeros: only even rows can be 0; a row of r ones is in about sqrt(2/(pi r)) of the terms. Two operations find a
     row's zeros among 64 sign vectors. */
#pragma once
#include "../dense/dense.h"
#include "residues.h"

typedef struct permi_exact_rows {
  int n, parts, transposed, halved;
  const int64_t *a;
  ptrdiff_t line, along; /* steps to the next row, entry */
  int half[PERM_MAX_N];
  int order[PERM_MAX_N];      /* rows, largest norm first */
  uint64_t norm[PERM_MAX_N];  /* halved with the row, at least 1; UINT64_MAX: 2^63 or more */
  double bits_of[PERM_MAX_N]; /* at least log2 of the norm */
  double bits;
} permi_exact_rows;

static int64_t permi_exact_at(const permi_exact_rows *rows, int i, int j, int part)
{
  return rows->a[i * rows->line + j * rows->along + part];
}

static permi_exact_rows permi_exact_look(const permi_integer_view *view, int n, int transposed)
{
  const ptrdiff_t row = view->ld * view->parts;
  permi_exact_rows rows = {n, view->parts, transposed, 0, view->a, transposed ? view->parts : row,
                           transposed ? row : view->parts, {0}, {0}, {0}, {0}, 0};
  for (int i = 0, j; i < n; i++) {
    uint64_t low = 0, high = 0, odd[2] = {0, 0}; /* norm; parities */
    for (j = 0; j < n; j++)
      for (int part = 0; part < rows.parts; part++) {
        const int64_t x = permi_exact_at(&rows, i, j, part);
        const uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
        low += size;
        high += low < size;
        odd[part] ^= size;
      }
    rows.half[i] = !((odd[0] | odd[1]) & 1) && rows.halved < n - 1;
    rows.halved += rows.half[i];
    rows.bits_of[i] = log2(fmax(1, high ? ldexp((double)high, 64) + (double)low : (double)low)) - rows.half[i] + 1e-9;
    rows.bits += rows.bits_of[i];
    if (rows.half[i]) {
      low = low >> 1 | high << 63;
      high >>= 1;
    }
    rows.norm[i] = high || low >> 63 ? UINT64_MAX : low ? low : 1;
    for (j = i; j > 0 && rows.norm[rows.order[j - 1]] < rows.norm[i]; j--)
      rows.order[j] = rows.order[j - 1];
    rows.order[j] = i;
  }
  return rows;
}

/* Returns what x_j = -1 takes from y_i. */
static permi_wide permi_exact_step(const permi_exact_rows *rows, int i, int j, int part)
{
  permi_wide step = permi_wide_of(permi_exact_at(rows, i, j, part));
  if (!rows->half[i])
    permi_wide_add(&step, step);
  return step;
}

/* Returns y_i for x = (1, ..., 1). */
static permi_wide permi_exact_start(const permi_exact_rows *rows, int i, int part)
{
  permi_wide sum = {0, 0};
  for (int j = 0; j < rows->n; j++)
    permi_wide_add(&sum, permi_wide_of(permi_exact_at(rows, i, j, part)));
  if (rows->half[i]) { /* arithmetic shift */
    sum.low = sum.low >> 1 | sum.high << 63;
    sum.high = sum.high >> 1 | (sum.high & UINT64_C(1) << 63);
  }
  return sum;
}

/* Puts rows, largest norm first, into the first group whose norms then multiply to at most `reach`. Returns the number
   of groups. order: rows by group; bound: products of norms. */
static int permi_exact_groups(const permi_exact_rows *rows, uint64_t reach, uint64_t *bound, short *first, int *order)
{
  int group_of[PERM_MAX_N], groups = 0, used = 0, g, i, k;
  for (k = 0; k < rows->n; k++) {
    const uint64_t norm = rows->norm[rows->order[k]];
    for (g = 0; g < groups && bound[g] > reach / norm; g++)
      ;
    if (g == groups)
      bound[groups++] = 1;
    bound[g] *= norm;
    group_of[rows->order[k]] = g;
  }
  for (g = 0; g < groups; g++) {
    first[g] = (short)used;
    for (i = 0; i < rows->n; i++)
      if (group_of[i] == g)
        order[used++] = i;
  }
  first[groups] = (short)used;
  return groups;
}

/* The portable kernel: 64-bit limbs, or residues modulo an odd p. */
typedef struct permi_exact_plain {
  int n, parts, chunk_log2;
  int groups, wide_groups;     /* wide: sums of two words */
  short first[PERM_MAX_N + 1]; /* each group's first row */
  int words[PERM_MAX_N];       /* of the product through each group */
  int sum_words;
  permi_odd_modulus modulus;
  uint64_t one;         /* 2^(64 n) mod p */
  uint64_t *low, *high; /* [n][n * parts]: y for x = (1, ..., 1), then the steps of columns 1 .. */
} permi_exact_plain;

#define PERMI_EXACT_ROOM (PERM_INTEGER_WORDS + 4)

/* Sets out = p c modulo 2^(64 words), c signed, of two words if `wide`. */
static void permi_signed_product(const uint64_t *p, int words, uint64_t low, uint64_t high, int wide, uint64_t *out)
{
  permi_words_times(out, p, words, low, 0);
  if (wide)
    permi_words_times(out + 1, p, words - 1, high, 1);
  if ((wide ? high : low) >> 63)
    permi_words_subtract(out + 1 + wide, p, words - 1 - wide);
}

static void permi_signed_grow(uint64_t *p, int words, int grown)
{
  const uint64_t sign = p[words - 1] >> 63 ? UINT64_MAX : 0;
  for (; words < grown; words++)
    p[words] = sign;
}

static void permi_exact_plain_term(const permi_exact_plain *plain, const uint64_t *low, const uint64_t *high, int minus,
                                   uint64_t (*total)[PERMI_EXACT_ROOM])
{
  const int parts = plain->parts;
  uint64_t room[2][2][PERMI_EXACT_ROOM], other[PERMI_EXACT_ROOM];
  int words = 1, g, k, part;
  room[0][0][0] = 1;
  room[0][1][0] = 0;
  for (g = 0; g < plain->groups; g++) {
    const int row = plain->first[g] * parts, end = plain->first[g + 1] * parts, wide = g < plain->wide_groups;
    const int grown = plain->words[g];
    uint64_t(*product)[PERMI_EXACT_ROOM] = room[g & 1], (*next)[PERMI_EXACT_ROOM] = room[~g & 1];
    uint64_t re = low[row], im = parts == 2 ? low[row + 1] : 0;
    for (k = row + parts; k < end; k += parts) {
      const uint64_t was = re;
      re *= low[k];
      if (parts == 2) {
        re -= im * low[k + 1];
        im = was * low[k + 1] + im * low[k];
      }
    }
    for (part = 0; part < parts; part++) {
      permi_signed_grow(product[part], words, grown);
      permi_signed_product(product[part], grown, re, high[row], wide, next[part]);
    }
    words = grown;
    if (parts == 1)
      continue;
    permi_signed_product(product[1], words, im, high[row + 1], wide, other);
    permi_words_subtract(next[0], other, words);
    permi_signed_product(product[0], words, im, high[row + 1], wide, other);
    permi_words_add(next[1], other, words);
  }
  for (part = 0; part < parts; part++) {
    uint64_t *product = room[g & 1][part];
    permi_signed_grow(product, words, plain->sum_words);
    if (minus)
      permi_words_subtract(total[part], product, plain->sum_words);
    else
      permi_words_add(total[part], product, plain->sum_words);
  }
}

/* Multiplications bring factors 2^-64: the product starts with 2^(64 n). */
static void permi_modular_term(const permi_exact_plain *plain, const uint64_t *low, int minus,
                               uint64_t (*total)[PERMI_EXACT_ROOM])
{
  const permi_odd_modulus *modulus = &plain->modulus;
  const uint64_t p = modulus->p, *end = low + plain->n * plain->parts;
  uint64_t re = plain->one, im = 0;
  for (; low < end; low += plain->parts) {
    const uint64_t was = re;
    re = permi_montgomery(re, low[0], modulus);
    if (plain->parts == 2) {
      re = permi_residue_add(re, permi_montgomery(im, low[1], modulus), 1, p);
      im = permi_residue_add(permi_montgomery(im, low[0], modulus), permi_montgomery(was, low[1], modulus), 0, p);
    }
  }
  total[0][0] = permi_residue_add(total[0][0], re, minus, p);
  total[1][0] = permi_residue_add(total[1][0], im, minus, p);
}

static void permi_exact_plain_move(const permi_exact_plain *plain, int j, int minus, uint64_t *low, uint64_t *high)
{
  const int size = plain->n * plain->parts;
  const uint64_t *step = plain->low + j * size, *high_step = plain->high + j * size;
  const uint64_t p = plain->modulus.p, flip = minus ? UINT64_MAX : 0; /* a - b = ~(~a + b) */
  for (int k = 0; k < size && p; k++)
    low[k] = permi_residue_add(low[k], step[k], minus, p);
  for (int k = 0; k < size && !p; k++) {
    const uint64_t sum = (low[k] ^ flip) + step[k];
    high[k] = ((high[k] ^ flip) + high_step[k] + (sum < step[k])) ^ flip;
    low[k] = sum ^ flip;
  }
}

static void permi_exact_plain_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_exact_plain *plain = (const permi_exact_plain *)leaf->context;
  const size_t size = (size_t)(plain->n * plain->parts);
  uint64_t low[2 * PERM_MAX_N], high[2 * PERM_MAX_N], total[2][PERMI_EXACT_ROOM];
  uint64_t s = chunk << plain->chunk_log2, last = s + (UINT64_C(1) << plain->chunk_log2);
  (void)workspace;
  memset(total, 0, sizeof total);
  memcpy(low, plain->low, size * sizeof *low);
  memcpy(high, plain->high, size * sizeof *high);
  for (int j = 1; j < plain->n; j++)
    if ((s ^ s >> 1) >> (j - 1) & 1)
      permi_exact_plain_move(plain, j, 1, low, high);
  for (;;) {
    if (leaf->modulus)
      permi_modular_term(plain, low, (int)(s & 1), total);
    else
      permi_exact_plain_term(plain, low, high, (int)(s & 1), total);
    if (++s == last)
      break;
    const int j = permi_trailing_zeros(s) + 1;
    permi_exact_plain_move(plain, j, (int)((s ^ s >> 1) >> (j - 1) & 1), low, high);
  }
  for (int part = 0; part < plain->parts; part++)
    permi_sum_add_signed(part ? &partial->imaginary : &partial->value, total[part], plain->sum_words);
  partial->terms += ldexp(1, plain->chunk_log2);
}

static size_t permi_exact_say(const permi_leaf *leaf, int parts, const char *how, double survivors, char *buffer,
                              size_t size)
{
  const perm_isa isa = leaf->information.isa;
  char skipped[64] = "";
  if (survivors < 1)
    permi_say(skipped, sizeof skipped, ", zeros skipped (%.2g of the terms expected)", survivors);
  return permi_say(buffer, size, "exact, n = %d: %s kernel%s, %s%s; %.3g elements, %llu chunks, %.3g s%s\n",
                   leaf->information.n, isa == PERM_ISA_PLAIN ? "portable" : perm_name("isa", isa),
                   parts == 2 ? " (complex)" : "", how, skipped, leaf->information.work,
                   (unsigned long long)leaf->information.chunks, leaf->information.seconds,
                   isa == PERM_ISA_CUDA ? " on one GPU" : "");
}

static size_t permi_exact_plain_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_exact_plain *plain = (const permi_exact_plain *)leaf->context;
  char how[64];
  if (plain->modulus.p)
    snprintf(how, sizeof how, "residues modulo %llu", (unsigned long long)plain->modulus.p);
  else
    snprintf(how, sizeof how, "%d groups of rows, %d of two words", plain->groups, plain->wide_groups);
  return permi_exact_say(leaf, plain->parts, how, 1, buffer, size);
}

static double permi_exact_plain_seconds(const permi_exact_rows *rows, uint64_t modulus)
{
  const double terms = ldexp(1, rows->n - 1) * (rows->parts == 2 ? 4 : 1), words = rows->bits / 63 + 1;
  if (modulus)
    return terms * rows->n / PERMI_RATE_EXACT_WORDS;
  return terms * (rows->n / PERMI_RATE_GLYNN + words * (words + 1) / 2 / PERMI_RATE_EXACT_WORDS);
}

static void permi_exact_fill(const permi_exact_rows *rows, perm_isa isa, int fixed_column, int chunk_log2,
                             double seconds, double bytes, void *context, permi_leaf *leaf)
{
  uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)rows->n * 4 + (uint64_t)rows->parts);
  const perm_leaf information = {PERM_LEAF_RANGE, PERM_METHOD_EXACT, isa, rows->n,
                                 UINT64_C(1) << (rows->n - 1 - chunk_log2), rows->n * ldexp(1, rows->n - 1), seconds,
                                 bytes, 0};
  memset(leaf, 0, sizeof *leaf);
  leaf->information = information;
  for (int i = 0; i < rows->n; i++)
    for (int j = 0; j < rows->n; j++)
      for (int part = 0; part < rows->parts; part++)
        hash = permi_hash(hash, (uint64_t)permi_exact_at(rows, i, j, part));
  hash = permi_hash(hash, (uint64_t)chunk_log2 * 64 + (uint64_t)fixed_column);
  leaf->information.fingerprint = permi_hash(hash, (uint64_t)rows->transposed);
  leaf->integer = 1;
  leaf->scale = permi_dd_make(1);
  leaf->scale_exp2 = rows->halved - (rows->n - 1);
  leaf->context = context;
  leaf->release = permi_release;
}

static perm_status permi_exact_plain_leaf(const perm_options *options, const permi_exact_rows *rows, uint64_t modulus,
                                          permi_leaf *leaf, perm_result *result)
{
  const int n = rows->n, parts = rows->parts, size = n * parts;
  const size_t table = (size_t)n * (size_t)size;
  const size_t bytes = sizeof(permi_exact_plain) + 2 * table * sizeof(uint64_t);
  permi_exact_plain *plain = (permi_exact_plain *)permi_allocate_zeros(&options->allocator, 1, bytes);
  uint64_t bound[PERM_MAX_N];
  double bits = 1;
  int order[PERM_MAX_N], g, j, k, part;
  if (!plain)
    return permi_fail_memory(result);
  plain->low = (uint64_t *)(plain + 1);
  plain->high = plain->low + table;
  plain->n = n;
  plain->parts = parts;
  plain->chunk_log2 = n - 1 < 12 ? n - 1 : 12;
  plain->groups = permi_exact_groups(rows, UINT64_MAX >> 1, bound, plain->first, order);
  for (g = 0; g < plain->groups; g++) {
    const int wide = bound[g] == UINT64_MAX;
    plain->wide_groups += wide;
    bits += wide ? 70 : log2((double)bound[g]) + 1e-9; /* norms < 2^(63 + 1 + 6) */
    plain->words[g] = (int)(bits / 64) + 1;
  }
  plain->sum_words = (int)((bits + n) / 64) + 1;
  for (k = 0; k < n; k++)
    for (part = 0; part < parts; part++)
      for (j = 0; j < n; j++) {
        const permi_wide x = j ? permi_exact_step(rows, order[k], j, part) : permi_exact_start(rows, order[k], part);
        plain->low[j * size + k * parts + part] = modulus ? permi_wide_residue(x, modulus) : x.low;
        plain->high[j * size + k * parts + part] = x.high;
      }
  if (modulus) {
    plain->modulus = permi_odd_modulus_of(modulus);
    for (plain->one = 1, k = 0; k < n; k++)
      plain->one = permi_residue_wide(plain->one, 0, modulus);
  }
  permi_exact_fill(rows, PERM_ISA_PLAIN, 0, plain->chunk_log2, permi_exact_plain_seconds(rows, modulus),
                   (double)bytes, plain, leaf);
  leaf->information.fingerprint = permi_hash(leaf->information.fingerprint, modulus);
  leaf->modulus = modulus;
  leaf->explain = permi_exact_plain_explain;
  leaf->run_chunk = permi_exact_plain_chunk;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
