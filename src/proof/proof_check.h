/* ====================================================================================== >>proof_check
   Values are checked in integers, apart from the kernels. The job evaluates PERMI_PROOF_SYNDROMES values more than a
   polynomial P of degree d needs. With D + 1 values y in all,

       S_k = sum_t (-1)^(D-t) C(D, t) t^k y_t,  k < D - d,

   vanishes if y is such a polynomial: it is a divided difference of order D of t^k P. 1. Up to D - d wrong values are
   always seen; more, unless they form a polynomial, except with probability p^-(D-d). 2. The place of a single one is
   S_1 / S_0. 3. If there are more, a random value of each range is computed again. 4. Another polynomial agrees with P
   at a random point with probability d / p. Random numbers derive from all values, which faults, other than forgers, do
   not foresee. */
#pragma once
#include "polynomial.h"
#include "../job/control.h"
#include "../job/state.h"

#define PERMI_PROOF_SAMPLES 4 /* values of each polynomial of a merged file */

static uint64_t permi_proof_listed(const permi_proof *proof, const perm_partial *partials, int run, uint64_t t)
{
  const uint64_t leaf = (uint64_t)run * (uint64_t)proof->leaves + t / PERMI_PROOF_LEAF;
  return *permi_proof_word((perm_partial *)(uintptr_t)&partials[leaf], t % PERMI_PROOF_LEAF);
}

/* Sets D_j and S at t, times 2^64; weight has N words. */
static void permi_proof_signs(const permi_odd_modulus *prime, int signs, uint64_t t, uint64_t *weight, uint64_t *d)
{
  const uint64_t p = prime->p, last = (UINT64_C(1) << signs) - 1;
  uint64_t less = permi_montgomery(t, prime->square, prime), other = permi_montgomery(last, prime->square, prime);
  uint64_t x = prime->one, factorial = x, s;
  memset(d, 0, (size_t)(signs + 1) * sizeof *d);
  for (s = 0; s <= last; s++) { /* +-prod_{r != s} (t - r) / (s! (last - s)!): those below s, */
    weight[s] = x;
    x = permi_montgomery(x, permi_montgomery(less, other, prime), prime);
    less = permi_residue_add(less, prime->one, 1, p);
    other = permi_residue_add(other, prime->one, 1, p);
  }
  for (s = last, x = other = prime->one; s > 0; s--) { /* those above, and last!^2 below both */
    other = permi_montgomery(s, prime->square, prime);
    less = permi_residue_add(less, prime->one, 0, p);
    weight[s] = permi_montgomery(weight[s], x, prime);
    x = permi_montgomery(x, permi_montgomery(less, other, prime), prime);
    factorial = permi_montgomery(factorial, other, prime);
  }
  weight[0] = permi_montgomery(weight[0], x, prime);
  factorial = permi_montgomery(permi_montgomery(factorial, factorial, prime), 1, prime);
  factorial = permi_prime_inverse(factorial, prime);
  for (s = 0; s <= last; s++) {
    int odd = 0;
    x = permi_montgomery(weight[s], factorial, prime);
    x = (last - s) & 1 ? permi_residue_add(0, x, 1, p) : x;
    for (int j = 0; j < signs; odd ^= (int)(s >> j++ & 1))
      d[j] = permi_residue_add(d[j], x, (int)(s >> j & 1), p);
    d[signs] = permi_residue_add(d[signs], x, odd, p);
  }
}

typedef struct permi_proof_room {
  uint64_t *weight; /* N words */
  permi_control *watch; /* or NULL; a stopped value says nothing */
} permi_proof_room;

static uint64_t permi_proof_formula(const permi_proof *proof, int run, uint64_t t, const permi_proof_room *room)
{
  const permi_odd_modulus *prime = &proof->prime[run / proof->parts];
  const uint64_t p = prime->p, *a = proof->residue + (size_t)run * (size_t)(proof->n * proof->n), *step;
  const int n = proof->n, signs = proof->signs;
  uint64_t d[PERMI_PROOF_MAX_N], sum[PERMI_PROOF_MAX_N], total = 0, gray = 0;
  int i, j;
  permi_proof_signs(prime, signs, t, room->weight, d);
  for (i = 0; i < n; i++) /* sums times 2^64, of entries as they are */
    for (sum[i] = 0, j = 0; j < n; j++) {
      const uint64_t x = permi_montgomery(a[i * n + j], j < signs ? d[j] : prime->one, prime);
      sum[i] = permi_residue_add(sum[i], permi_montgomery(x, prime->square, prime), 0, p);
    }
  while (!permi_watch(room->watch, 4.0 * n)) {
    uint64_t product[2] = {prime->one, prime->one}; /* two chains at once */
    for (i = 0; i < n; i++)
      product[i & 1] = permi_montgomery(product[i & 1], sum[i], prime);
    total = permi_residue_add(total, permi_montgomery(product[0], product[1], prime), (int)(gray & 1), p);
    if (++gray >> (n - signs - 1))
      break;
    j = permi_trailing_zeros(gray);
    for (i = 0, step = a + signs + 1 + j; i < n; i++, step += n) {
      const uint64_t x = permi_montgomery(permi_residue_add(*step, *step, 0, p), prime->square, prime);
      sum[i] = permi_residue_add(sum[i], x, (int)((gray ^ gray >> 1) >> j & 1), p);
    }
  }
  return permi_montgomery(permi_montgomery(total, d[signs], prime), 1, prime);
}

typedef struct permi_proof_look {
  uint64_t syndrome[PERMI_PROOF_SYNDROMES];
  uint64_t seed;
  int outside; /* 1: a value is not below its modulus */
  int other;   /* 1: the values disagree with P at a random point */
} permi_proof_look;

static permi_proof_look permi_proof_look_at(const permi_proof *proof, const perm_partial *partials, int run,
                                            const permi_proof_room *room)
{
  const permi_odd_modulus *prime = &proof->prime[run / proof->parts];
  const uint64_t p = prime->p, one = prime->one, last = proof->values - 1, all = last + PERMI_PROOF_SYNDROMES;
  uint64_t t, times = 0, rest = permi_montgomery(all, prime->square, prime), binomial = one; /* times 2^64 */
  uint64_t left = permi_montgomery(last, prime->square, prime), less, before = one, factorial = one;
  uint64_t at = 0, point; /* d!^2 P(point), by Lagrange as in examples/perm_verify.c */
  permi_proof_look look;
  memset(&look, 0, sizeof look);
  look.seed = PERMI_HASH_START;
  for (t = 0; t <= all && !permi_watch(room->watch, 5); t++)
    look.seed = permi_hash(look.seed, permi_proof_listed(proof, partials, run, t));
  point = (look.seed >> 12) % p;
  less = permi_montgomery(point, prime->square, prime);
  for (t = 0; t <= all && !permi_watch(room->watch, 60); t++) {
    uint64_t y = permi_proof_listed(proof, partials, run, t), x;
    look.outside |= y >= p;
    y %= p;
    x = permi_montgomery((all - t) & 1 ? permi_residue_add(0, y, 1, p) : y, binomial, prime);
    for (int k = 0; k < PERMI_PROOF_SYNDROMES; k++) { /* D! times the sum, without a division */
      look.syndrome[k] = permi_residue_add(permi_montgomery(look.syndrome[k], times, prime), x, 0, p);
      x = permi_montgomery(x, times, prime);
    }
    binomial = permi_montgomery(binomial, rest, prime);
    if (t <= last) {
      factorial = t ? permi_montgomery(factorial, times, prime) : factorial;
      x = permi_montgomery((last - t) & 1 ? permi_residue_add(0, y, 1, p) : y, before, prime);
      at = permi_residue_add(permi_montgomery(at, permi_montgomery(less, times, prime), prime), x, 0, p);
      before = permi_montgomery(before, permi_montgomery(less, left, prime), prime);
      left = permi_residue_add(left, one, 1, p);
      less = permi_residue_add(less, one, 1, p);
    }
    times = permi_residue_add(times, one, 0, p);
    rest = permi_residue_add(rest, one, 1, p);
  }
  factorial = permi_montgomery(factorial, factorial, prime);
  look.other = permi_montgomery(permi_proof_formula(proof, run, point, room), factorial, prime) != at;
  return look;
}

/* Returns the place of the only wrong value, where S_k = t^k S_0, or -1. */
static int64_t permi_proof_single(const permi_proof *proof, const perm_partial *partials, int run,
                                  const permi_proof_look *look, const permi_proof_room *room)
{
  const permi_odd_modulus *prime = &proof->prime[run / proof->parts];
  int k, found = 1;
  if (look->outside || !look->syndrome[0])
    return -1;
  const uint64_t t = permi_montgomery(look->syndrome[1], permi_prime_inverse(look->syndrome[0], prime), prime);
  for (k = 1; k < PERMI_PROOF_SYNDROMES; k++)
    found &= permi_residue_multiply(look->syndrome[k - 1], t, prime->p) == look->syndrome[k];
  return found && t < proof->values + PERMI_PROOF_SYNDROMES &&
                 permi_proof_formula(proof, run, t, room) != permi_proof_listed(proof, partials, run, t) &&
                 !permi_watch(room->watch, 0)
             ? (int64_t)t
             : -1;
}

static void permi_state_strike(perm_state *state, int leaf)
{
  if (!state)
    return;
  memset(&state->partial[leaf], 0, sizeof state->partial[leaf]);
  state->finished[leaf].count = 0;
}

/* Returns 1 if a random value of a leaf is wrong, or one is not below its modulus. */
static int permi_proof_range_wrong(const permi_proof *proof, const perm_partial *partials, int index, uint64_t seed,
                                   const permi_proof_room *room)
{
  const permi_proof_leaf *leaf = &proof->leaf[index];
  const int run = index / proof->leaves;
  for (uint64_t t = leaf->first; t < leaf->end; t++)
    if (permi_proof_listed(proof, partials, run, t) >= proof->prime[run / proof->parts].p)
      return 1;
  const uint64_t t = leaf->first + permi_hash(seed, (uint64_t)index) % (leaf->end - leaf->first);
  return permi_proof_formula(proof, run, t, room) != permi_proof_listed(proof, partials, run, t) &&
         !permi_watch(room->watch, 0);
}

/* Strikes leaves with wrong values out of `strike` unless NULL; text: the first place. Returns how many places. */
static int permi_proof_locate(const permi_proof *proof, const perm_partial *partials, int run,
                              const permi_proof_look *look, const permi_proof_room *room, perm_state *strike,
                              char text[64])
{
  const int64_t single = permi_proof_single(proof, partials, run, look, room);
  const int first = run * proof->leaves;
  int places = 0, k;
  if (single >= 0) {
    permi_state_strike(strike, first + (int)(single / PERMI_PROOF_LEAF));
    snprintf(text, 64, "value %lld", (long long)single);
    return 1;
  }
  for (k = first; k < first + proof->leaves && !permi_watch(room->watch, 0); k++)
    if (permi_proof_range_wrong(proof, partials, k, look->seed, room)) {
      const permi_proof_leaf *leaf = &proof->leaf[k];
      if (!places++)
        snprintf(text, 64, "values %llu to %llu", (unsigned long long)leaf->first, (unsigned long long)leaf->end - 1);
      permi_state_strike(strike, k);
    }
  if (places)
    return places;
  snprintf(text, 64, "some of all values"); /* few in many ranges */
  for (k = first; k < first + proof->leaves && strike && !permi_watch(room->watch, 0); k++)
    permi_state_strike(strike, k);
  return 1;
}

static uint64_t *permi_proof_weights_room(const permi_proof *proof, const perm_allocator *allocator)
{
  return (uint64_t *)permi_allocate(allocator, (size_t)1 << proof->signs, sizeof(uint64_t));
}

static perm_status permi_proof_check(const perm_job *job, const perm_partial *partials, perm_state *strike,
                                     permi_control *watch, perm_result *result)
{
  const permi_proof *proof = (const permi_proof *)job->context;
  const permi_proof_room room = {permi_proof_weights_room(proof, &job->allocator), watch};
  uint64_t p = 0;
  char text[64], more[64] = "";
  int places = 0;
  if (!room.weight)
    return permi_fail_memory(result);
  if (watch)
    watch->activity = "checking the proof";
  for (int run = 0; run < proof->runs && !permi_watch(watch, 0); run++) {
    const permi_proof_look look = permi_proof_look_at(proof, partials, run, &room);
    int wrong = look.outside || look.other;
    char other[64];
    for (int k = 0; k < PERMI_PROOF_SYNDROMES; k++)
      wrong |= look.syndrome[k] != 0;
    if (!wrong || permi_watch(watch, 0))
      continue;
    if (!places)
      p = proof->prime[run / proof->parts].p;
    places += permi_proof_locate(proof, partials, run, &look, &room, strike, places ? other : text);
  }
  permi_release(&job->allocator, room.weight);
  if (permi_watch(watch, 0))
    return permi_fail_stopped(watch, result);
  if (!places)
    return PERM_OK;
  if (places > 1)
    snprintf(more, sizeof more, ", and %d places more", places - 1);
  return permi_fail(result, PERM_ERROR_STATE, 0,
                    "proof: %s modulo %llu %s wrong%s: a processor computed falsely, or memory or a file was damaged; "
                    "another call computes them again",
                    text, (unsigned long long)p, strncmp(text, "value ", 6) ? "are" : "is", more);
}

static perm_status permi_proof_sample(const perm_job *job, const perm_state *state, permi_control *watch,
                                      perm_result *result)
{
  const permi_proof *proof = (const permi_proof *)job->context;
  const permi_proof_room room = {permi_proof_weights_room(proof, &job->allocator), watch};
  uint64_t seed = PERMI_HASH_START;
  int run, k, i, wrong = 0;
  if (!room.weight)
    return permi_fail_memory(result);
  watch->activity = "checking a part of the proof";
  for (run = 0; run < proof->runs && !wrong; run++)
    for (k = 0; k < PERMI_PROOF_SAMPLES && !wrong; k++) {
      seed = permi_hash(seed, (uint64_t)k);
      for (i = 0; i < proof->leaves && !wrong; i++) {
        const int index = run * proof->leaves + (int)((seed + (uint64_t)i) % (uint64_t)proof->leaves);
        const permi_intervals *done = &state->finished[index];
        const permi_proof_leaf *leaf = &proof->leaf[index];
        if (!done->count)
          continue;
        seed = permi_hash(seed, state->partial[index].value.word[0]);
        uint64_t t = leaf->first + done->list[0].begin * PERMI_PROOF_POINTS;
        const uint64_t end = leaf->first + done->list[0].end * PERMI_PROOF_POINTS;
        t += seed % ((end < leaf->end ? end : leaf->end) - t);
        wrong = permi_proof_formula(proof, run, t, &room) != permi_proof_listed(proof, state->partial, run, t);
        if (wrong)
          permi_fail(result, PERM_ERROR_STATE, 0, "value %llu modulo %llu is wrong: trust no other of it either",
                     (unsigned long long)t, (unsigned long long)proof->prime[run / proof->parts].p);
        break;
      }
    }
  permi_release(&job->allocator, room.weight);
  if (permi_watch(watch, 0))
    return permi_fail_stopped(watch, result);
  watch->activity = NULL;
  return wrong ? PERM_ERROR_STATE : PERM_OK;
}
/* SPDX-License-Identifier: MIT */
