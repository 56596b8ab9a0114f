/* ================================================================================ >>hybrid_residues
   Exact integers by programs of >>hybrid: in doubles while numbers stay below 2^53, else modulo primes below 2^47, as
   many as a bound on the permanent needs. Chunks run one prime after the other. A chunk adds its residue times the
   product of the other primes, so the sum of all chunks has their residues, each times what permi_whole_finish
   divides by: parts and merges need nothing of their own.
   Gaussian integers run modulo primes that are 1 modulo 4, once with i = r and once with i = -r, r a root of -1. Their
   results x + r y and x - r y sum to 2 x, and times -r and r to 2 y: both parts are sums of chunks like real ones. */
#pragma once
#include "hybrid_leaf.h"

#define PERMI_WHOLE_PRIME_BITS 46.999 /* log2 of the first 100 primes below 2^47, and more */

#define PERMI_WHOLE_CHUNK 24    /* log2 of blocks: errors of sums are exact */
/* Measured on Zen 4, 2026, with any vectors: two primes took 1.2 to 2.1 times the time of doubles. */
#define PERMI_WHOLE_SLOWER 1.25 /* a prime than doubles, before the program is known */
#define PERMI_WHOLE_SHORT 1.2   /* a statement that grows, than one that does not */
#define PERMI_WHOLE_LONG 1.6

/* Adds to a part of the permanent what it takes from residue x of run `run`. */
static void permi_whole_add_part(const permi_hybrid_runs *runs, const permi_hybrid_run *run, uint64_t x, perm_sum *part)
{
  uint64_t word[PERM_INTEGER_WORDS + 2];
  word[runs->words] = permi_words_times(word, run->factor, runs->words, x, 0);
  permi_sum_add_integer(part, word, runs->words + 1, 0);
}

/* Adds a chunk's residue of run `run`, from a sum of residues or their parts. */
static void permi_whole_add(const permi_hybrid_runs *runs, const permi_hybrid_run *run, double sum,
                            perm_partial *partial)
{
  const uint64_t p = run->prime.p, x = permi_residue_of_double(sum, p);
  permi_whole_add_part(runs, run, x, &partial->value);
  if (run->root)
    permi_whole_add_part(runs, run, permi_residue_multiply(x, p - run->root, p), &partial->imaginary);
}

static void permi_whole_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  const permi_hybrid_runs *runs = hybrid->runs;
  const uint64_t each = UINT64_C(1) << (hybrid->high - hybrid->chunk_log2);
  const permi_hybrid_run *run = runs->primes ? &runs->run[chunk / each] : NULL;
  const double *total = (double *)workspace + PERMI_HYBRID_ROOM + PERMI_HYBRID_DOUBLES;
  const double prime = run ? (double)run->prime.p : 0;
  permi_hybrid *program = (permi_hybrid *)(void *)((char *)workspace + PERMI_HYBRID_WORKSPACE);
  double sum = 0;
  int k, part;
  *program = *hybrid;
  program->prime = prime;
  program->inverse = run ? 1 / prime : 0;
  if (run && run->tables) {
    program->constant = run->tables->constant;
    program->start = run->tables->start;
    program->lane = run->tables->lane;
    program->step = run->tables->step;
  }
  permi_hybrid_walk(program, chunk % each, (double *)workspace);
  for (k = 0; k < hybrid->lanes; k++)
    for (part = 0; part < 2 && hybrid->sign[k] != 0; part++) {
      const double x = hybrid->sign[k] * total[part * PERMI_HYBRID_DOUBLES + k];
      if (run)
        sum += fmod(x, prime); /* of at most 64 */
      else
        permi_sum_add_double(&partial->value, x);
    }
  partial->terms += ldexp(1, hybrid->chunk_log2 + hybrid->low + hybrid->lanes_log2);
  if (run)
    permi_whole_add(runs, run, sum, partial);
}

/* In a frame of its own, as the words are many. */
PERMI_NEVER_INLINE static perm_status permi_whole_combine(const permi_odd_modulus *prime, const uint64_t *residue,
                                                          const permi_hybrid_runs *runs, perm_integer *integer)
{
  uint64_t word[PERM_INTEGER_WORDS * 4 + 2];
  perm_sum sum;
  perm_status status;
  memset(&sum, 0, sizeof sum);
  status = permi_residues_sum(prime, residue, runs->primes, runs->modulus, word, &sum);
  return status == PERM_OK && !permi_sum_integer(&sum, integer) ? PERM_ERROR_OVERFLOW : status;
}

/* Makes a part of the permanent from the sum of all chunks. */
static perm_status permi_whole_finish(const permi_leaf *leaf, perm_integer *integer)
{
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  const permi_hybrid_runs *runs = hybrid->runs;
  permi_odd_modulus prime[PERM_INTEGER_WORDS * 2];
  uint64_t residue[PERM_INTEGER_WORDS * 2];
  int k, i;
  if (!runs->primes) {
    if (!permi_integer_halve(integer, hybrid->n - 1 - hybrid->halvings))
      return PERM_ERROR_OVERFLOW;
    if (runs->modulus)
      permi_integer_reduce(integer, runs->modulus);
    return PERM_OK;
  }
  for (k = 0; k < runs->primes; k++) {
    const permi_odd_modulus *p = &runs->run[k].prime;
    const uint64_t factor = permi_words_residue(runs->run[k].factor, runs->words, p->p);
    const uint64_t x = permi_words_residue(integer->word, integer->words, p->p);
    residue[k] = permi_montgomery(x, permi_prime_inverse(factor, p), p);
    for (i = hybrid->halvings; i < hybrid->n - (runs->run[k].root ? 0 : 1); i++)
      residue[k] = (residue[k] & 1 ? residue[k] + p->p : residue[k]) >> 1;
    prime[k] = *p;
  }
  return permi_whole_combine(prime, residue, runs, integer);
}

static int permi_whole_is_gaussian(const permi_block *block)
{
  int e;
  for (e = 0; e < block->edges && block->imaginary_integer; e++)
    if (block->imaginary_integer[e])
      return 1;
  return 0;
}

/* Returns what stands in for all primes, or 0. If the modulus asked for is odd and short, its last odd multiple below
   2^47 does: above 2^47 / 3, since the next is not below 2^47. */
static uint64_t permi_whole_stand_in(const permi_block *block, uint64_t modulus)
{
  const uint64_t times = modulus & 1 ? ((UINT64_C(1) << PERMI_RESIDUE_BITS) - 1) / modulus : 0;
  return times && !permi_whole_is_gaussian(block) ? modulus * ((times - 1) | 1) : 0;
}

/* Returns how many primes a block needs if numbers grow. */
static int permi_whole_primes(const permi_block *block, uint64_t modulus, double *bits)
{
  *bits = permi_block_bits(block);
  return permi_whole_stand_in(block, modulus) ? 1 : (int)((*bits + 1) / PERMI_WHOLE_PRIME_BITS) + 1;
}

/* Returns how often the program runs if numbers grow. */
static int permi_whole_passes(const permi_block *block, uint64_t modulus)
{
  double bits;
  return permi_whole_primes(block, modulus, &bits) * (permi_whole_is_gaussian(block) ? 2 : 1);
}

/* Chooses primes, roots and the products of the others; 0: out of memory. */
static int permi_whole_primes_choose(const perm_allocator *allocator, const permi_block *block, uint64_t known,
                                     permi_hybrid_runs *runs)
{
  const int gaussian = permi_whole_is_gaussian(block), primes = permi_whole_primes(block, known, &runs->bits);
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_allocate(allocator, (size_t)primes, sizeof *prime);
  const int words = primes * PERMI_RESIDUE_BITS / 64 + 1, passes = gaussian ? 2 * primes : primes;
  int k, i;
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
    for (k = 0; k < primes; k++) {
      uint64_t *factor = runs->run[k].factor = runs->factor + k * words;
      runs->run[k].prime = prime[k];
      factor[0] = 1;
      for (i = 0; i < primes; i++)
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

/* Makes what a program runs for a block; known: the modulus, if it may stand in. 0: out of memory. */
static int permi_whole_runs(const perm_allocator *allocator, const permi_block *block, uint64_t modulus,
                            uint64_t known, permi_hybrid *hybrid)
{
  permi_hybrid_runs *runs = (permi_hybrid_runs *)permi_allocate_zeros(allocator, 1, sizeof *runs);
  hybrid->runs = runs;
  if (!runs)
    return 0;
  runs->modulus = modulus;
  return !hybrid->grows || permi_whole_primes_choose(allocator, block, known, runs);
}

/* Writes oriented entries as doubles, those of reduced rows modulo the prime of the run, if there is one. */
static void permi_whole_entries(const permi_block *block, int transposed, const permi_hybrid_run *run,
                                const int *reduced, double *a)
{
  const int n = block->n;
  int i, e;
  memset(a, 0, (size_t)(n * n) * sizeof *a);
  for (i = 0; i < n; i++)
    for (e = block->start[i]; e < block->start[i + 1]; e++) {
      const int j = block->neighbour[e] - n, row = transposed ? j : i, column = transposed ? i : j;
      const int64_t x = block->integer[block->edge[e]];
      double *to = &a[row * n + column];
      *to = (double)x;
      if (run && reduced[row]) {
        const uint64_t p = run->prime.p;
        uint64_t r = permi_residue_of(x, p);
        if (run->root) {
          const uint64_t y = permi_residue_of(block->imaginary_integer[block->edge[e]], p);
          r = permi_residue_add(r, permi_residue_multiply(y, run->root, p), 0, p);
        }
        *to = r > p / 2 ? -(double)(p - r) : (double)r;
      }
    }
}

/* Finds the oriented rows that are residues: of sums beyond the cap, or with imaginary parts. a: real parts. Returns
   whether there are any. */
static int permi_whole_reduced(const permi_block *block, int transposed, const double *a, int *reduced)
{
  const int n = block->n;
  int i, e, any = 0;
  for (i = 0; i < n; i++) {
    double sum = 0;
    for (e = 0; e < n; e++)
      sum += fabs(a[i * n + e]);
    reduced[i] = sum * (1 + 1e-12) > PERMI_GROWTH_CAP;
  }
  for (i = 0; i < n && block->imaginary_integer; i++)
    for (e = block->start[i]; e < block->start[i + 1]; e++)
      if (block->imaginary_integer[block->edge[e]])
        reduced[transposed ? block->neighbour[e] - n : i] = 1;
  for (i = 0; i < n; i++)
    any |= reduced[i];
  return any;
}

/* Makes the program of a block, and what it runs for each prime. *made stays NULL if the program does not fit. */
static perm_status permi_whole_create(const perm_allocator *allocator, permi_layouts *work, permi_arrangement *layout,
                                      const permi_block *block, uint64_t modulus, permi_hybrid **made)
{
  permi_hybrid_runs *runs;
  perm_status status;
  int reduced[64], k, any;
  permi_whole_entries(block, layout->transposed, NULL, NULL, work->scaled);
  any = permi_whole_reduced(block, layout->transposed, work->scaled, reduced);
  status = permi_hybrid_create(allocator, work, layout, PERMI_HYBRID_WHOLE, work->scaled, reduced, made);
  if (!*made)
    return status;
  if (!permi_whole_runs(allocator, block, modulus, modulus, *made))
    status = PERM_ERROR_MEMORY;
  runs = (*made)->runs;
  for (k = 0; status == PERM_OK && k < runs->passes && any; k++) {
    permi_whole_entries(block, layout->transposed, &runs->run[k], reduced, work->scaled);
    status = permi_hybrid_create(allocator, work, layout, PERMI_HYBRID_WHOLE, work->scaled, reduced,
                                 &runs->run[k].tables);
    if (runs->run[k].tables)
      permi_hybrid_forget(allocator, runs->run[k].tables);
  }
  if (status != PERM_OK) {
    permi_hybrid_release(allocator, *made);
    *made = NULL;
  }
  return status;
}

static uint64_t permi_whole_fingerprint(const permi_hybrid *hybrid, const permi_block *block)
{
  uint64_t hash = permi_hash(permi_hash(hybrid->fingerprint, (uint64_t)hybrid->runs->primes), hybrid->runs->modulus);
  int e;
  if (hybrid->runs->stand_in) /* 1.0.0-rc ran modulo the modulus, which could be too short */
    hash = permi_hash(hash, hybrid->runs->stand_in);
  for (e = 0; e < block->edges; e++)
    hash = permi_hash(hash, (uint64_t)block->integer[e]);
  for (e = 0; e < block->edges && block->imaginary_integer; e++)
    hash = permi_hash(hash, (uint64_t)block->imaginary_integer[e]);
  return hash;
}

/* Returns the seconds of all passes over those of the program in doubles. */
static double permi_whole_slower(const permi_hybrid *hybrid)
{
  static const double weight[] = {1, PERMI_WHOLE_SHORT, PERMI_WHOLE_LONG};
  double all = 0, weighted = 0;
  int k, i;
  for (k = 0; k < hybrid->operations; k++) {
    const permi_instruction *t = &hybrid->operation[k];
    all += t->count;
    for (i = 0; t->opcode == PERMI_OP_CHAIN && i < t->count; i++)
      weighted += weight[hybrid->statement[t->first + i].q];
    if (t->opcode != PERMI_OP_CHAIN)
      weighted += t->count * weight[t->growth];
  }
  return weighted / fmax(all, 1) * fmax(hybrid->runs->passes, 1);
}
/* SPDX-License-Identifier: MIT */
