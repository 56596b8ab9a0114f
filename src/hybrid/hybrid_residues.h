/* ================================================================================ >>hybrid_residues
   Integers by programs of >>hybrid_layout: in doubles below 2^53, else modulo primes below 2^47, as many as a bound on
   the permanent needs, in turn. A chunk adds its residue times the product of the
   other primes, so the sum of all chunks has their residues, each times what permi_whole_finish divides by. Gaussian
   integers run modulo primes that are 1 modulo 4, with i = r and i = -r, r a root of -1: the results x + r y and
   x - r y sum to 2 x, and times -r and r to 2 y. */
#pragma once
#include "hybrid_leaf.h"

#define PERMI_WHOLE_PRIME_BITS 46.999 /* log2 of the first 100 primes */

#define PERMI_WHOLE_WORDS 4     /* of an entry */
#define PERMI_WHOLE_CHUNK 24    /* log2 of blocks */
#define PERMI_WHOLE_SLOWER 1.25 /* Zen 4: two primes took 1.2 to 2.1 times as long */

static void permi_whole_add(const permi_hybrid_runs *runs, const permi_hybrid_run *run, double sum, perm_partial *to)
{
  const uint64_t p = run->prime.p;
  uint64_t word[PERM_INTEGER_WORDS + 2], x = permi_residue_of_double(sum, p);
  for (int part = 0; part < (run->root ? 2 : 1); part++) {
    word[runs->words] = permi_words_times(word, run->factor, runs->words, x, 0);
    permi_sum_add_integer(part ? &to->imaginary : &to->value, word, runs->words + 1, 0);
    x = permi_residue_multiply(x, p - run->root, p);
  }
}

/* Returns the weight of block s in the sum of |terms|. Blocks that differ in low columns are sampled together; the
   largest, at most one sign from the centre, count once, others half as much again as sampled, not to miss some. */
static double permi_hybrid_weight(const permi_hybrid *hybrid, uint64_t s)
{
  const uint64_t turned = (s ^ s >> 1 ^ hybrid->centre) >> hybrid->low;
  if (hybrid->runs)
    return 0;
  if (!(turned & (turned - 1)) || !hybrid->absolute_mask)
    return 1;
  return permi_scatter(turned) & hybrid->absolute_mask ? 0 : 1.5 * (hybrid->absolute_mask + 1);
}

/* Sets the rows' bases; gray: the high columns with -. */
static void permi_hybrid_bases(const permi_hybrid *hybrid, uint64_t gray, double *slot)
{
  const int n = hybrid->n, parts = hybrid->parts, lanes = hybrid->lanes;
  for (int i = 0; i < n; i++)
    for (int p = 0; p < parts; p++) {
      double base = hybrid->start[i * parts + p];
      for (int j = 0; j < hybrid->high; j++)
        if (gray >> j & 1)
          base -= hybrid->step[(j * n + i) * parts + p];
      for (int k = 0; k < lanes; k++)
        slot[8 * permi_hybrid_line(i) + p * lanes + k] = base + hybrid->lane[(i * parts + p) * lanes + k];
    }
}

/* Totals, then low parts, are at total; sums of |terms| at absolute. */
static void permi_hybrid_walk(const permi_hybrid *hybrid, uint64_t chunk, double *slot)
{
  const permi_hybrid_family *family = hybrid->family;
  const double *result = permi_hybrid_slot(slot, hybrid->result);
  double *total = slot + PERMI_HYBRID_ROOM, *absolute = total + 2 * PERMI_HYBRID_DOUBLES;
  double *moduli = total + 4 * PERMI_HYBRID_DOUBLES;
  uint64_t s = chunk << hybrid->chunk_log2, last = s + (UINT64_C(1) << hybrid->chunk_log2);
  unsigned turned = PERMI_HYBRID_ALL;
  permi_hybrid_bases(hybrid, s ^ s >> 1, slot);
  memset(total, 0, 4 * PERMI_HYBRID_DOUBLES * sizeof *total);
  for (;;) {
    family->execute[hybrid->algebra](hybrid, slot, turned);
    family->add(hybrid, result, total, (int)(s & 1));
    const double weight = permi_hybrid_weight(hybrid, s);
    if (weight > 0) {
      memcpy(moduli, slot, (size_t)permi_hybrid_line(hybrid->n) * 8 * sizeof *slot);
      family->absolute[hybrid->algebra](hybrid, moduli, turned);
      for (int k = 0; k < hybrid->lanes; k++)
        absolute[k] += weight * permi_hybrid_slot(moduli, hybrid->result)[k];
    }
    if (++s == last)
      break;
    const int j = permi_trailing_zeros(s);
    turned = j < hybrid->low ? 1u << j : PERMI_HYBRID_ALL;
    family->turn(hybrid, j, (int)((s ^ s >> 1) >> j & 1), slot);
  }
}

/* The program of the prime stands behind the slots. */
static void permi_hybrid_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  const permi_hybrid_runs *runs = hybrid->runs;
  const uint64_t each = UINT64_C(1) << (hybrid->high - hybrid->chunk_log2);
  const permi_hybrid_run *run = runs && runs->primes ? &runs->run[chunk / each] : NULL;
  const int lanes = hybrid->lanes, parts = permi_hybrid_is_complex((int)hybrid->algebra) ? 2 : 1;
  const double *total = (double *)workspace + PERMI_HYBRID_ROOM;
  const double *absolute = total + 2 * PERMI_HYBRID_DOUBLES;
  double sum = 0, sampled = 0;
  if (run) {
    permi_hybrid *program = (permi_hybrid *)(void *)((char *)workspace + PERMI_HYBRID_WORKSPACE);
    *program = *hybrid;
    program->prime = (double)run->prime.p;
    program->inverse = 1 / program->prime;
    if (run->tables) {
      program->constant = run->tables->constant;
      program->start = run->tables->start;
      program->lane = run->tables->lane;
      program->step = run->tables->step;
    }
    hybrid = program;
  }
  permi_hybrid_walk(hybrid, chunk % each, (double *)workspace);
  for (int k = 0; k < lanes; k++)
    for (int p = 0; p < 2 * parts && hybrid->sign[k] != 0; p++) {
      const double x = hybrid->sign[k] * total[p % 2 * PERMI_HYBRID_DOUBLES + p / 2 * lanes + k];
      if (run)
        sum += fmod(x, hybrid->prime); /* adds at most 64 */
      else
        permi_sum_add_double(p / 2 ? &partial->imaginary : &partial->value, x);
    }
  for (int k = 0; k < lanes; k++)
    sampled += absolute[k] * fabs(hybrid->sign[k]);
  permi_sum_add_double(&partial->absolute, sampled);
  partial->terms += ldexp(1, hybrid->chunk_log2 + hybrid->lanes_log2);
  if (run)
    permi_whole_add(runs, run, sum, partial);
}

PERMI_NEVER_INLINE static perm_status permi_whole_combine(const permi_odd_modulus *prime, const uint64_t *residue,
                                                          const permi_hybrid_runs *runs, perm_integer *integer)
{
  uint64_t word[PERM_INTEGER_WORDS * 4 + 2];
  perm_sum sum;
  memset(&sum, 0, sizeof sum);
  const perm_status status = permi_residues_sum(prime, residue, runs->primes, runs->modulus, word, &sum);
  return status == PERM_OK && !permi_sum_integer(&sum, integer) ? PERM_ERROR_OVERFLOW : status;
}

static perm_status permi_whole_finish(const permi_leaf *leaf, perm_integer *integer)
{
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  const permi_hybrid_runs *runs = hybrid->runs;
  permi_odd_modulus prime[PERM_INTEGER_WORDS * 2];
  uint64_t residue[PERM_INTEGER_WORDS * 2];
  if (!runs->primes) {
    if (!permi_integer_halve(integer, hybrid->n - 1 - hybrid->halvings))
      return PERM_ERROR_OVERFLOW;
    if (runs->modulus)
      permi_integer_reduce(integer, runs->modulus);
    return PERM_OK;
  }
  for (int k = 0; k < runs->primes; k++) {
    const permi_odd_modulus *p = &runs->run[k].prime;
    const uint64_t factor = permi_words_residue(runs->run[k].factor, runs->words, 0, p->p);
    const uint64_t x = permi_words_residue(integer->word, integer->words, 0, p->p);
    residue[k] = permi_montgomery(x, permi_prime_inverse(factor, p), p);
    for (int i = hybrid->halvings; i < hybrid->n - (runs->run[k].root ? 0 : 1); i++)
      residue[k] = (residue[k] & 1 ? residue[k] + p->p : residue[k]) >> 1;
    prime[k] = *p;
  }
  return permi_whole_combine(prime, residue, runs, integer);
}

static int permi_whole_is_gaussian(const permi_block *block)
{
  for (int e = 0; e < block->edges && block->imaginary_integer; e++)
    if (block->imaginary_integer[e])
      return 1;
  return 0;
}

/* Returns what stands in for all primes: the last odd multiple below 2^47 of an odd modulus, above 2^47 / 3; or 0. */
static uint64_t permi_whole_stand_in(const permi_block *block, uint64_t modulus)
{
  const uint64_t times = modulus & 1 ? ((UINT64_C(1) << PERMI_RESIDUE_BITS) - 1) / modulus : 0;
  return times && !permi_whole_is_gaussian(block) ? modulus * ((times - 1) | 1) : 0;
}

static int permi_whole_primes(const permi_block *block, uint64_t modulus, double *bits)
{
  *bits = permi_block_bits(block);
  return permi_whole_stand_in(block, modulus) ? 1 : (int)((*bits + 1) / PERMI_WHOLE_PRIME_BITS) + 1;
}

static int permi_whole_passes(const permi_block *block, uint64_t modulus)
{
  double bits;
  return permi_whole_primes(block, modulus, &bits) * (permi_whole_is_gaussian(block) ? 2 : 1);
}

/* Returns 0 without memory. `known` is the modulus if it may stand in. */
static int permi_whole_runs(const perm_allocator *allocator, const permi_block *block, uint64_t modulus,
                            uint64_t known, permi_hybrid *hybrid)
{
  permi_hybrid_runs *runs = (permi_hybrid_runs *)permi_allocate_zeros(allocator, 1, sizeof *runs);
  const int gaussian = permi_whole_is_gaussian(block);
  hybrid->runs = runs;
  if (!runs)
    return 0;
  runs->modulus = modulus;
  if (!hybrid->grows)
    return 1;
  const int primes = permi_whole_primes(block, known, &runs->bits);
  const int words = primes * PERMI_RESIDUE_BITS / 64 + 1;
  const int passes = gaussian ? 2 * primes : primes;
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_allocate(allocator, (size_t)primes, sizeof *prime);
  runs->run = (permi_hybrid_run *)permi_allocate_zeros(allocator, (size_t)passes, sizeof *runs->run);
  runs->factor = (uint64_t *)permi_allocate_zeros(allocator, (size_t)(primes * words), sizeof *runs->factor);
  if (prime && runs->run && runs->factor) {
    runs->stand_in = permi_whole_stand_in(block, known);
    if (runs->stand_in)
      prime[0] = permi_odd_modulus_of(runs->stand_in);
    else
      permi_primes_choose(prime, (size_t)primes, gaussian, PERMI_RESIDUE_BITS);
    runs->primes = primes;
    runs->passes = passes;
    runs->words = words;
    for (int k = 0; k < primes; k++) {
      uint64_t *factor = runs->run[k].factor = runs->factor + k * words;
      runs->run[k].prime = prime[k];
      factor[0] = 1;
      for (int i = 0; i < primes; i++)
        if (i != k)
          permi_words_times(factor, factor, words, prime[i].p, 0);
      if (gaussian) {
        runs->run[k].root = permi_prime_root(&prime[k]);
        runs->run[primes + k] = runs->run[k];
        runs->run[primes + k].root = prime[k].p - runs->run[k].root;
      }
    }
  }
  permi_release(allocator, prime);
  return runs->primes;
}

/* Writes oriented entries as words x + 2^32 y + i (z + 2^32 w). Returns whether there are reduced rows: those with
   sums beyond the cap, or imaginary parts. Others have one word an entry. */
static int permi_whole_words(const permi_block *block, int transposed, double *word, int *reduced)
{
  const int n = block->n;
  const int64_t split = INT64_C(1) << 32;
  double sum[64] = {0};
  int i, e, any = 0;
  memset(word, 0, (size_t)(n * n) * PERMI_WHOLE_WORDS * sizeof *word);
  memset(reduced, 0, (size_t)n * sizeof *reduced);
  for (i = 0; i < n; i++)
    for (e = block->start[i]; e < block->start[i + 1]; e++) {
      const int j = block->neighbour[e] - n, row = transposed ? j : i, column = transposed ? i : j;
      const int64_t x = block->integer[block->edge[e]];
      const int64_t y = block->imaginary_integer ? block->imaginary_integer[block->edge[e]] : 0;
      double *to = &word[(row * n + column) * PERMI_WHOLE_WORDS];
      to[0] = (double)(x % split);
      to[1] = (double)(x / split);
      to[2] = (double)(y % split);
      to[3] = (double)(y / split);
      reduced[row] |= y != 0;
    }
  for (i = 0; i < n; i++) {
    double *row = word + i * n * PERMI_WHOLE_WORDS;
    for (e = 0; e < n; e++)
      sum[i] += fabs(row[4 * e] + 4294967296.0 * row[4 * e + 1]);
    reduced[i] |= sum[i] * (1 + 1e-12) > PERMI_GROWTH_CAP;
    any |= reduced[i];
    for (e = 0; e < n && !reduced[i]; e++) {
      row[4 * e] += 4294967296.0 * row[4 * e + 1];
      row[4 * e + 1] = 0;
    }
  }
  return any;
}

static double permi_whole_residue(const permi_hybrid_run *run, const double *x, int factor)
{
  const uint64_t p = run->prime.p, two = (UINT64_C(1) << 32) % p;
  const uint64_t weight[PERMI_WHOLE_WORDS] = {1, two, run->root, permi_residue_multiply(run->root, two, p)};
  uint64_t r = 0;
  for (int k = 0; k < PERMI_WHOLE_WORDS; k++)
    r = permi_residue_add(r, permi_residue_multiply(permi_residue_of((int64_t)x[k] * factor, p), weight[k], p), 0, p);
  return r > p / 2 ? -(double)(p - r) : (double)r;
}

/* *made stays NULL if it does not fit. */
static perm_status permi_whole_create(const perm_allocator *allocator, permi_layouts *work, permi_arrangement *layout,
                                      const permi_block *block, uint64_t modulus, permi_hybrid **made)
{
  const int entries = block->n * block->n;
  double *word = (double *)permi_allocate(allocator, (size_t)entries * PERMI_WHOLE_WORDS, sizeof *word);
  permi_hybrid_runs *runs = NULL;
  perm_status status = PERM_OK;
  int reduced[64], k, e, any, passes = 0;
  *made = NULL;
  if (!word)
    return PERM_ERROR_MEMORY;
  any = permi_whole_words(block, layout->transposed, word, reduced);
  for (k = -1; k < passes && status == PERM_OK; k++) {
    const permi_hybrid_run *run = k < 0 ? NULL : &runs->run[k];
    for (e = 0; e < entries; e++) {
      const double *x = word + e * PERMI_WHOLE_WORDS;
      work->scaled[e] = run && reduced[e / block->n] ? permi_whole_residue(run, x, 1) : x[0] + 4294967296.0 * x[1];
    }
    status = permi_hybrid_create(allocator, work, layout, PERMI_HYBRID_WHOLE, work->scaled, reduced,
                                 run ? &runs->run[k].tables : made);
    if (k < 0 && *made && !permi_whole_runs(allocator, block, modulus, modulus, *made))
      status = PERM_ERROR_MEMORY;
    runs = *made ? (*made)->runs : NULL;
    passes = runs && any ? runs->passes : 0;
  }
  permi_release(allocator, word);
  if (status != PERM_OK) {
    permi_hybrid_release(allocator, *made);
    *made = NULL;
  }
  return status;
}
/* SPDX-License-Identifier: MIT */
