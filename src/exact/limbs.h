/* ========================================================================================== >>limbs
   Tables of >>exact_kernels: rows in atoms, halves and limbs; ranges: tests/proofs/limbs.g. */
#pragma once
#include "exact.h"

typedef struct permi_exact_family {
  perm_isa isa;
  int lanes_log2; /* of int16 */
  int window;
  double rate;
  permi_exact_run all, skip;
  permi_exact_evaluate gaussian, real[7]; /* [0]: any limbs, [k]: k, of atoms */
} permi_exact_family;

#define PERMI_EXACT_FAMILY(isa, family, lanes_log2, rate, window, name)                                                \
  {                                                                                                                    \
    isa, lanes_log2, window, rate, permi_exact_all_##family, permi_exact_skip_##family, permi_gaussian_many_##family,  \
    {                                                                                                                  \
      permi_exact_many_##family, NULL, permi_##name##_2_##family, permi_##name##_3_##family,                           \
          permi_##name##_4_##family, permi_##name##_5_##family, permi_##name##_6_##family                              \
    }                                                                                                                  \
  }

/* Rates: AVX-512 of a Cascade Lake at 2.5 GHz, IFMA of a later Xeon, AVX2 of a Zen 3 core; NEON: a guess. */
static const permi_exact_family permi_exact_families[] = {
#if PERMI_X86 && !defined(PERM_NO_EXACT)
    PERMI_EXACT_FAMILY(PERM_ISA_AVX512IFMA, avx512, 5, 3.5e9, PERMI_EXACT_WINDOW + 1, ifma),
    PERMI_EXACT_FAMILY(PERM_ISA_AVX512, avx512, 5, 2.8e9, PERMI_EXACT_WINDOW, exact),
    PERMI_EXACT_FAMILY(PERM_ISA_AVX2, avx2, 4, 4e9, PERMI_EXACT_WINDOW, exact),
#elif PERMI_ARM && !defined(PERM_NO_EXACT)
    PERMI_EXACT_FAMILY(PERM_ISA_NEON, neon, 3, 3.2e9, PERMI_EXACT_WINDOW, exact),
#endif
    {PERM_ISA_PLAIN, 0, 0, 0, NULL, NULL, NULL, {NULL}}};

typedef struct permi_exact_packing {
  int limbs, narrow, few, fifths, wide;           /* few: 0 for exact_many; fifths: limbs of five; wide: rows */
  int rows[PERMI_EXACT_LIMBS][PERMI_EXACT_ATOMS]; /* in atoms; [0]: in a wide limb */
  int atom_of[PERM_MAX_N];
} permi_exact_packing;

#define PERMI_EXACT_LARGEST ((UINT64_C(1) << 15) - 1) /* norm of an atom; any four make halves below 2^31 */

/* Returns the atom for a row, or -1: the least of four, else the fifth, in the half of 0 and 1, below 2^31. fits:
   largest products before, of an atom, of that half. */
static int permi_exact_atom(const uint64_t *atom, const uint64_t *fits)
{
  const int half = atom[0] * atom[1] * atom[4] <= fits[1];
  int k, least = -1;
  for (k = half ? 0 : 2; k < 4; k++)
    if (atom[k] <= fits[0] && (least < 0 || atom[k] < atom[least]))
      least = k;
  return least >= 0 ? least : half && atom[4] <= fits[0] ? 4 : -1;
}

/* Packs rows, largest norm first, into the limb and atom of least product. Returns 0 if they do not fit. */
static int permi_exact_pack_into(const permi_exact_rows *rows, int limbs, int narrow, permi_exact_packing *packing)
{
  const uint64_t cap = (UINT64_C(1) << (rows->parts == 1 && limbs <= 6 ? 51 : 50)) - 1024; /* see >>exact_kernels */
  uint64_t limb[PERMI_EXACT_LIMBS], atom[PERMI_EXACT_LIMBS][PERMI_EXACT_ATOMS];
  memset(packing, 0, sizeof *packing);
  packing->limbs = limbs;
  packing->narrow = narrow;
  packing->few = limbs <= 6 && narrow == limbs ? limbs : 0;
  for (int k = 0; k < limbs * PERMI_EXACT_ATOMS; k++)
    limb[k / PERMI_EXACT_ATOMS] = atom[k / PERMI_EXACT_ATOMS][k % PERMI_EXACT_ATOMS] = 1;
  for (int r = 0; r < rows->n; r++) {
    const uint64_t norm = rows->norm[rows->order[r]], fits = cap / norm;
    const uint64_t fits_atom[2] = {PERMI_EXACT_LARGEST / norm, INT32_MAX / norm};
    int best = -1, best_atom = 0;
    for (int h = 0; h < limbs; h++) {
      if (limb[h] > fits || (best >= 0 && limb[h] >= limb[best]))
        continue;
      const int in_limb = h < narrow ? permi_exact_atom(atom[h], fits_atom) : 0;
      if (in_limb < 0)
        continue;
      best = h;
      best_atom = in_limb;
    }
    if (best < 0)
      return 0;
    limb[best] *= norm;
    atom[best][best_atom] *= norm;
    packing->fifths += best_atom == 4 && !packing->rows[best][4];
    packing->wide += best >= narrow;
    packing->rows[best][best_atom]++;
    packing->atom_of[rows->order[r]] = best * PERMI_EXACT_ATOMS + best_atom;
  }
  return 1;
}

/* Packs into the fewest limbs, the fewest of them wide; Gaussian ones all are. Returns 0 if they do not fit. */
static int permi_exact_pack(const permi_exact_rows *rows, permi_exact_packing *packing)
{
  double wide_bits = 0;
  for (int i = 0; i < rows->n; i++)
    wide_bits += rows->norm[i] > PERMI_EXACT_LARGEST ? rows->bits_of[i] : 0;
  const int least = wide_bits > 0 ? (int)(wide_bits / PERMI_EXACT_WINDOW) + 1 : 0;
  int limbs = (int)(rows->bits / PERMI_EXACT_WINDOW);
  for (limbs = limbs < 2 ? 2 : limbs; limbs <= PERMI_EXACT_LIMBS; limbs++)
    for (int wide = rows->parts == 2 ? limbs : least; wide <= (rows->parts == 2 || least ? limbs : 0); wide++)
      if (permi_exact_pack_into(rows, limbs, limbs - wide, packing))
        return 1;
  return 0;
}

/* Returns the share of sign vectors without a zero row, as if rows were independent; norms <= 127. now: the
   distribution of added moduli; half of their sum makes 0. */
static double permi_exact_survivors(const permi_exact_rows *rows)
{
  double part = 1;
  for (int i = 0; i < rows->n; i++) {
    double now[256] = {1};
    int reach = 0;
    for (int j = 0; j < rows->n && rows->half[i]; j++) {
      const int a = abs((int)permi_exact_at(rows, i, j, 0));
      for (int k = reach += a; k >= 0; k--)
        now[k] = 0.5 * (now[k] + (k >= a ? now[k - a] : 0));
    }
    part *= rows->half[i] ? 1 - now[reach / 2] : 1;
  }
  return part;
}

typedef struct permi_exact_plan {
  permi_exact_rows rows;
  permi_exact_packing packing;
  const permi_exact_family *family; /* NULL: the portable kernel */
  uint64_t modulus;                 /* 0: integers */
  int can_skip, skip, gpu;
  double survivors, seconds;
} permi_exact_plan;

static void permi_exact_plan_rows(const perm_options *options, permi_exact_plan *plan)
{
  const perm_isa isa = permi_isa_asked(options);
  const permi_exact_family *family = permi_exact_families;
  const permi_exact_rows *rows = &plan->rows;
  const permi_exact_packing *packing = &plan->packing;
  const int n = rows->n;
  memset(&plan->packing, 0, sizeof plan->packing);
  plan->family = NULL;
  plan->modulus = 0;
  plan->can_skip = plan->skip = plan->gpu = 0;
  plan->survivors = 1;
  plan->seconds = permi_exact_plain_seconds(rows, 0);
  while (family->isa > isa || (family->all && n < family->lanes_log2 + PERMI_EXACT_BLOCK_LOG2 + 1))
    family++;
  if (!family->all || !permi_arithmetic_is_sound() || !permi_exact_pack(rows, &plan->packing))
    return;
  plan->family = family;
  const int limbs = packing->limbs;
  const int first = (limbs + 1) / 2;
  const int second = limbs - first;
  const double inner = 0.5 * (first * (first - 1) + second * (second - 1));
  /* behind row sums or atoms, for a vector of int16 */
  double operations = 6 * packing->fifths + 20 * packing->narrow + 8 * packing->wide;
  operations += rows->parts == 1 ? 4 * (4 * inner + 5 * first * second)
                                 : 4 * (18 * inner + 6 * n) + 4 * 4 * 5 * limbs * limbs / 4;
  plan->seconds = (4 * (2 * n - 3 * limbs + operations) + n / 4.0 + 20) / (packing->few ? 1 : 0.5) / family->rate *
                  ldexp(1, n - 1 - PERMI_EXACT_BLOCK_LOG2 - family->lanes_log2);
  plan->can_skip =
      rows->parts == 1 && rows->norm[rows->order[0]] <= 127 && n >= family->lanes_log2 + PERMI_EXACT_SKIP_LOG2 + 2;
  if (plan->can_skip && rows->halved) {
    /* of a vector of int8 */
    const double vector = ldexp(1, n - 1 - (family->lanes_log2 + 1)) / family->rate;
    const double search = (2 * rows->halved + 40) * vector, each = (10 * n + 2 * operations) * vector;
    const double survivors = search < plan->seconds ? permi_exact_survivors(rows) : 1;
    const double seconds = search + survivors * each;
    if (seconds < plan->seconds) {
      plan->skip = 1;
      plan->survivors = survivors;
      plan->seconds = seconds;
    }
  }
}

/* Adds sum_k total[k] 2^(window k) to *sum, or subtracts it. */
static void permi_exact_add(const permi_exact *exact, const permi_wide *total, int minus, perm_sum *sum)
{
  for (int k = 0; k <= exact->limbs; k++) {
    uint64_t word[2];
    const int negative = permi_words_magnitude(word, &total[k].low, 2);
    permi_sum_add_bits(sum, word[0], 1074 + k * exact->window, negative ^ minus);
    permi_sum_add_bits(sum, word[1], 1074 + k * exact->window + 64, negative ^ minus);
  }
}

static void permi_exact_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_exact *exact = (const permi_exact *)leaf->context;
  permi_exact_total total;
  memset(&total, 0, sizeof total);
  exact->run(exact, chunk, (permi_exact_work *)workspace, &total);
  permi_exact_add(exact, total.plane[0], 0, &partial->value);
  if (exact->parts == 2) {
    permi_exact_add(exact, total.plane[1], 1, &partial->value);
    permi_exact_add(exact, total.plane[2], 0, &partial->imaginary);
    permi_exact_add(exact, total.plane[0], 1, &partial->imaginary);
    permi_exact_add(exact, total.plane[1], 1, &partial->imaginary);
  }
  partial->terms += leaf->information.work / (double)exact->n / (double)leaf->information.chunks;
}

static size_t permi_exact_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_exact *exact = (const permi_exact *)leaf->context;
  char how[128];
  snprintf(how, sizeof how, "%s in %d limbs, %d of them halved", exact->transposed ? "columns" : "rows", exact->limbs,
           exact->n - 1 + (int)leaf->scale_exp2);
  return permi_exact_say(leaf, exact->parts, how, exact->survivors, buffer, size);
}

/* Sets table[s] = base - steps of the columns in s, in fields of 1 or 2 `bytes`. */
static void permi_exact_settings(const uint64_t *step, int columns, uint64_t base, int bytes, uint8_t *table)
{
  uint64_t value[256];
  for (int q = 0; q < 1 << columns; q++) {
    const uint16_t field = (uint16_t)((value[q] = q ? value[q & (q - 1)] - step[permi_trailing_zeros((uint64_t)q)]
                                                    : base) & 0xffff);
    if (bytes == 1)
      table[q] = (uint8_t)(field & 0xff);
    else
      memcpy(table + 2 * q, &field, 2);
  }
}

/* Fills in part `part` of row i in doubles, from `entry` on. */
static void permi_exact_doubles(const permi_exact *exact, const permi_exact_rows *rows, int i, int part, int entry,
                                double *table, double *step)
{
  const int inner = rows->n - 1 - exact->outer, width = 1 << (inner - PERMI_EXACT_BLOCK_LOG2 - 2);
  double sums[256];
  for (int q = 0; q < 1 << inner; q++) { /* places 1 and 2 are lanes 2 and 1 modulo 4 */
    const int place = (q & 1) * 2 + (q >> 1 & 1), lane = q >> 2 & (width - 1);
    const int column = q ? permi_trailing_zeros((uint64_t)q) : 0;
    sums[q] = q ? sums[q & (q - 1)] - (double)(int64_t)permi_exact_step(rows, i, column, part).low
                : (double)(int64_t)permi_exact_start(rows, i, part).low;
    table[(((q / (4 * width)) * exact->wide_entries + entry) * 4 + place) * width + lane] = sums[q];
  }
  for (int j = 0; j < exact->outer; j++)
    step[j * exact->wide_padded + entry] = (double)(int64_t)permi_exact_step(rows, i, inner + 1 + j, part).low;
}

static void permi_exact_form(permi_exact *exact, const permi_exact_plan *plan, int inner)
{
  const permi_exact_family *family = plan->family;
  const permi_exact_packing *packing = &plan->packing;
  const int parts = plan->rows.parts, limbs = packing->limbs, first = (limbs + 1) / 2;
  const int few = packing->few, terms_log2 = parts == 2 ? 14 : 18; /* milliseconds */
  exact->n = plan->rows.n;
  exact->parts = parts;
  exact->padded = (exact->n + 15) & ~15;
  exact->limbs = limbs;
  exact->narrow = packing->narrow;
  exact->wide_padded = (packing->wide * parts + 7) & ~7;
  exact->wide_entries = packing->wide * parts;
  exact->transposed = plan->rows.transposed;
  exact->outer = exact->n - 1 - inner;
  exact->chunk_log2 = exact->outer + inner < terms_log2 ? exact->outer : terms_log2 - inner;
  exact->survivors = plan->survivors;
  exact->run = plan->skip ? family->skip : family->all;
  exact->evaluate = parts == 2 ? family->gaussian : family->real[few];
  exact->window = few ? family->window : PERMI_EXACT_WINDOW;
  exact->settings = exact->window > PERMI_EXACT_WINDOW ? 64 : limbs <= 6 ? 128 : 32;
  exact->unit = ldexp(1, limbs > 16 ? -650 : 0); /* 2^(51 * 30 + 104 - 650) is a double */
  for (int k = 0; k + 1 < limbs; k++) {
    const double unit = ldexp(exact->unit, k * PERMI_EXACT_WINDOW);
    exact->round[k] = 1.5 * ldexp(unit, 103);
    exact->rest[k] = exact->round[k] + 1.5 * ldexp(unit, 52);
  }
  for (int k = 0; k < PERMI_EXACT_HALF; k++)
    exact->second[k] = 1.5 * ldexp(1, 103 + k * PERMI_EXACT_WINDOW);
  for (int i = 0; i < first; i++)
    for (int j = 0; j < limbs - first && exact->window == PERMI_EXACT_WINDOW; j++) {
      const double constant[2] = {exact->rest[i + j] - exact->round[i + j], exact->round[i + j]};
      for (int k = 0; k < 2; k++) {
        uint64_t bits;
        memcpy(&bits, &constant[k], sizeof bits);
        exact->bias[i + j + k] += bits;
      }
    }
  for (int i = 0; i < 32; i++)
    exact->parity[i] = (i ^ i >> 1 ^ i >> 2 ^ i >> 3 ^ i >> 4) & 1 ? 255 : 0;
  memset(exact->ends, 255, 64);
}

/* Fills in row i, the r-th of the atoms'. Columns are lanes, block or settings, the fixed one, outer ones. `step` is [1
   + outer + settings][padded]; `bytes` has settings, or lanes' bytes and nibbles. */
static void permi_exact_row_tables(permi_exact *exact, const permi_exact_rows *rows, int i, int r, int skip, int lanes,
                                   uint32_t *to, uint8_t *bytes)
{
  const int outer = exact->outer, inner = rows->n - 1 - outer, padded = exact->padded;
  const uint32_t copies = skip ? 0x01010101u : 0x10001u, part = skip ? 0xff : 0xffff;
  const int64_t *a = rows->a + i * rows->line;
  uint64_t step[PERM_MAX_N], all_plus = 0;
  for (int j = 0; j < rows->n; j++, a += rows->along)
    all_plus += step[j] = (uint64_t)*a << !rows->half[i];
  all_plus >>= 1;
  for (int j = 0; j < outer; j++)
    to[(j + 1) * padded + r] = ((uint32_t)step[inner + 1 + j] & part) * copies;
  if (!skip) {
    permi_exact_settings(step, inner, all_plus, 2, bytes + ((ptrdiff_t)r * 2 << inner));
    return;
  }
  to[r] = ((uint32_t)all_plus & part) * copies;
  for (int j = 2; j < PERMI_EXACT_SKIP_LOG2; j++)
    to[(outer - 1 + j) * padded + r] = ((uint32_t)step[lanes + j] & part) * copies;
  if (rows->half[i]) {
    permi_exact_settings(step, lanes + 2, 0, 1, bytes + ((ptrdiff_t)exact->even_rows << (lanes + 2)));
    exact->even_row[exact->even_rows++] = r;
  }
  bytes += ((ptrdiff_t)rows->halved << (lanes + 2)) + 48 * r;
  for (int j = 0; j < 3; j++)
    permi_exact_settings(step + 4 * j, 4 * j + 4 <= inner ? 4 : inner - 4 * j, 0, 1, bytes + 16 * j);
}

static perm_status permi_exact_tables(const perm_options *options, const permi_exact_plan *plan, permi_leaf *leaf,
                                      perm_result *result)
{
  const permi_exact_rows *rows = &plan->rows;
  const int n = rows->n, skip = plan->skip, lanes = plan->family->lanes_log2 + skip;
  const int inner = lanes + (skip ? PERMI_EXACT_SKIP_LOG2 : PERMI_EXACT_BLOCK_LOG2), outer = n - 1 - inner;
  const int padded = (n + 15) & ~15, steps = outer + 1 + PERMI_EXACT_SKIP_LOG2;
  const size_t table = skip ? ((size_t)rows->halved << (lanes + 2)) + (size_t)n * 48 : (size_t)n * 2 << inner;
  const size_t wide = (size_t)(plan->packing.wide * rows->parts);
  const size_t wide_table = wide ? (wide << inner) + (wide + 32) * (size_t)outer : 0;
  const size_t bytes = sizeof(permi_exact) + 128 + table + wide_table * sizeof(double) +
                       (size_t)(padded * steps) * sizeof(uint32_t);
  permi_exact *exact = (permi_exact *)permi_allocate_zeros(&options->allocator, 1, bytes);
  int a, i, part, r = 0, entry = 0;
  if (!exact)
    return permi_fail_memory(result);
  uint32_t *step = (uint32_t *)(void *)(((uintptr_t)(exact + 1) + 63) & ~(uintptr_t)63);
  uint8_t *at = (uint8_t *)(step + padded * steps); /* a multiple of 64 bytes on */
  exact->start = step;
  exact->step = step + padded;
  exact->setting_step = exact->step + padded * outer;
  exact->table = (const int16_t *)(const void *)at;
  double *doubles = (double *)(void *)(at + ((table + 63) & ~(size_t)63));
  exact->wide_table = doubles;
  exact->wide_step = doubles + (wide << inner);
  exact->lane_bytes = at;
  exact->nibbles = at + ((size_t)rows->halved << (lanes + 2)); /* a multiple of 128 bytes on */
  permi_exact_form(exact, plan, inner);
  for (a = 0; a < exact->limbs * PERMI_EXACT_ATOMS; a++) {
    const int h = a / PERMI_EXACT_ATOMS, in_limb = a % PERMI_EXACT_ATOMS;
    exact->atom_rows[a] = plan->packing.rows[h][in_limb];
    exact->fifth[h] = in_limb == 4 && exact->atom_rows[a];
    for (i = 0; i < n && exact->atom_rows[a]; i++)
      if (plan->packing.atom_of[i] == a && h < exact->narrow)
        permi_exact_row_tables(exact, rows, i, r++, skip, lanes, step, at);
      else if (plan->packing.atom_of[i] == a)
        for (part = 0; part < rows->parts; part++)
          permi_exact_doubles(exact, rows, i, part, entry++, doubles, doubles + (wide << inner));
  }
  permi_exact_fill(rows, plan->family->isa, inner, inner + exact->chunk_log2, plan->seconds, (double)bytes, exact,
                   leaf);
  leaf->explain = permi_exact_explain;
  leaf->run_chunk = permi_exact_chunk;
  leaf->workspace = sizeof(permi_exact_work);
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
