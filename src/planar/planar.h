/* ========================================================================================== >>planar
   Planar blocks as determinants (>>kasteleyn): integers modulo enough primes for a bound on the permanent (Minc and
   Bregman's, or Hadamard's of the determinant); doubles with a radius. */
#pragma once
#include "../frontier/values.h"
#include "fronts.h"

#define PERMI_PLANAR_LEAST 40 /* chosen: others take under a millisecond */

typedef struct permi_planar {
  permi_owned owned;
  permi_dissection dissection;
  permi_fronts fronts;
  int n, edges, parts, faces;
  int subtracts; /* an entry is negative or complex */
  int primes;    /* 0: the modulus itself */
  uint64_t modulus;
  int64_t *integer[2];
  double *real, *imaginary, *absolute;
  double bits; /* log2 of a bound on the permanent */
  double bound_relative, lost_error;
} permi_planar;

typedef struct permi_planar_run {
  permi_runner base;
  const permi_planar *planar;
  permi_odd_modulus *prime;
  uint64_t *residue[2];
  uint64_t *entry;      /* of each thread */
  double seconds;
  int failed;
} permi_planar_run;

/* Modulo prime `part`; Gaussian integers with both roots of -1. */
static perm_status permi_planar_prime(void *context, uint64_t part, int thread)
{
  permi_planar_run *run = (permi_planar_run *)context;
  const permi_planar *planar = run->planar;
  const permi_odd_modulus *prime = &run->prime[part];
  const uint64_t p = prime->p;
  uint64_t *entry = run->entry + (size_t)thread * (size_t)planar->edges, value[2] = {0, 0}, root = 0;
  const permi_front_poll ask = {&run->base, thread, (double)part, run->seconds, NULL};
  perm_status status = PERM_OK;
  permi_field field;
  int k, e, odd;
  if (planar->parts == 2)
    root = permi_prime_root(prime);
  for (k = 0; k < planar->parts && status == PERM_OK; k++) {
    const uint64_t i = permi_montgomery(k ? p - root : root, prime->square, prime);
    for (e = 0; e < planar->edges; e++) {
      entry[e] = permi_residue_of(planar->integer[0][e], p);
      if (planar->parts == 2)
        entry[e] = permi_residue_add(entry[e], permi_montgomery(permi_residue_of(planar->integer[1][e], p), i, prime),
                                     0, p);
    }
    memset(&field, 0, sizeof field);
    field.bytes = sizeof(uint64_t);
    field.prime = prime;
    field.residue = entry;
    field.determinant = prime->one;
    status = permi_fronts_eliminate(&planar->fronts, &field, &ask, &odd);
    value[k] = permi_montgomery(field.determinant, 1, prime);
    value[k] = odd && value[k] ? p - value[k] : value[k];
  }
  run->residue[0][part] = value[0];
  if (planar->parts == 2)
    permi_residue_parts(value, root, prime, &run->residue[0][part], &run->residue[1][part]);
  if (status == PERM_ERROR_MEMORY) {
    PERMI_OMP(atomic write)
    run->failed = 1;
  }
  return thread ? PERM_OK : status;
}

static perm_status permi_planar_integers(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_planar *planar = (const permi_planar *)leaf->context;
  const size_t runs = planar->primes ? (size_t)planar->primes : 1;
  permi_planar_run run;
  permi_pool *pool = &run.base.pool;
  memset(&run, 0, sizeof run);
  permi_runner_begin(&run.base, &planar->owned.allocator, control, "eliminating");
  if (!leaf->threaded)
    run.base.threads = 1;
  run.planar = planar;
  run.seconds = leaf->information.seconds / (double)runs;
  run.prime = (permi_odd_modulus *)permi_pool_get(pool, runs, sizeof *run.prime);
  run.residue[0] = (uint64_t *)permi_pool_get(pool, 2 * runs, sizeof(uint64_t));
  run.entry = (uint64_t *)permi_pool_get(pool, (size_t)planar->edges * (size_t)run.base.threads, sizeof(uint64_t));
  uint64_t *word = (uint64_t *)permi_pool_get(pool, 2 * (runs + 1), sizeof(uint64_t));
  perm_status status = pool->failed ? PERM_ERROR_MEMORY : PERM_OK;
  if (status == PERM_OK) {
    run.residue[1] = run.residue[0] + runs;
    if (planar->primes)
      permi_primes_choose(run.prime, runs, planar->parts == 2, 62);
    else
      run.prime[0] = permi_odd_modulus_of(planar->modulus);
    status = permi_share(run.base.threads, 0, runs, permi_planar_prime, &run, NULL);
  }
  if (status == PERM_OK && run.failed)
    status = PERM_ERROR_MEMORY;
  if (status == PERM_OK)
    status = permi_residues_sum(run.prime, run.residue[0], planar->primes, planar->modulus, word, &partial->value);
  if (status == PERM_OK && planar->parts == 2)
    status = permi_residues_sum(run.prime, run.residue[1], planar->primes, planar->modulus, word, &partial->imaginary);
  if (status == PERM_OK)
    partial->terms += planar->dissection.products * (double)runs * planar->parts;
  if (status == PERM_ERROR_OVERFLOW && control)
    snprintf(control->message, sizeof control->message,
             "the permanent has over %d bits: ask for it modulo a prime, or in doubles", 64 * PERM_INTEGER_WORDS);
  permi_pool_release(pool);
  return status;
}

#define PERMI_PLANAR_SURE_MOST 160  /* chosen: in larger fronts radii grow beyond the numbers */
#define PERMI_PLANAR_PROOF_SECONDS 0.5 /* chosen: of an elimination that may show that integers fit */
#define PERMI_PLANAR_SURE_GOOD 1e-13 /* chosen: relative radius, below it no second look */

/* Returns |a - b|, in units of a. */
static double permi_planar_distance(const permi_determinant *a, const permi_determinant *b)
{
  permi_ball other = b->ball, mine = a->ball;
  const int shift = permi_int_exponent(b->exp2 - a->exp2);
  other.re = permi_dd_scale(other.re, shift);
  other.im = permi_dd_scale(other.im, shift);
  permi_ball_accumulate(&mine, &other, 1, 2);
  return permi_ball_modulus(&mine);
}

static int permi_planar_finite(const permi_determinant *value)
{
  return fabs(value->ball.re.hi) <= DBL_MAX && fabs(value->ball.im.hi) <= DBL_MAX;
}

/* Measures the error in units of 2^exp2: a bound (or INFINITY) and an estimate. */
static perm_status permi_planar_measured(const permi_planar *planar, const double *real, const double *imaginary,
                                         permi_front_poll *ask, permi_determinant *value, double *estimate)
{
  permi_determinant sure, coarse;
  double bound = (double)INFINITY;
  perm_status status = PERM_ERROR_LIMIT;
  memset(&sure, 0, sizeof sure);
  if (planar->dissection.largest <= PERMI_PLANAR_SURE_MOST)
    status = permi_fronts_ball(&planar->fronts, real, imaginary, PERMI_SURE, ask, &sure);
  ask->done += planar->dissection.largest <= PERMI_PLANAR_SURE_MOST;
  if (status == PERM_OK && permi_planar_finite(&sure) && sure.ball.radius <= DBL_MAX)
    bound = sure.ball.radius;
  if (bound <= PERMI_PLANAR_SURE_GOOD * permi_ball_modulus(&sure.ball)) {
    *value = sure;
    *estimate = bound;
    return PERM_OK;
  }
  if (status == PERM_OK || status == PERM_ERROR_LIMIT)
    status = permi_fronts_ball(&planar->fronts, real, imaginary, PERMI_UNSURE, ask, value);
  ask->done++;
  if (status == PERM_OK)
    status = permi_fronts_ball(&planar->fronts, real, imaginary, PERMI_COARSE, ask, &coarse);
  ask->done++;
  if (status != PERM_OK)
    return status;
  *estimate = (double)INFINITY;
  if (permi_planar_finite(&coarse))
    *estimate = permi_planar_distance(value, &coarse) * PERMI_COARSE_PART;
  if (value->noisy)
    *estimate += permi_ball_modulus(&value->ball);
  if (!permi_planar_finite(value)) { /* radii may still hold */
    *value = sure;
    *estimate = bound;
  } else if (bound < (double)INFINITY) {
    bound = permi_ldexp(bound, sure.exp2 - value->exp2) + permi_planar_distance(value, &sure);
  }
  value->ball.radius = bound;
  *estimate = fmin(*estimate, bound);
  return PERM_OK;
}

/* Rounded entries count with the permanent of their moduli, another determinant. So do roundings that cancel: two
   measurements may agree by chance. */
static perm_status permi_planar_doubles(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_planar *planar = (const permi_planar *)leaf->context;
  permi_runner run;
  permi_front_poll ask = {&run, 0, 0, leaf->information.seconds, NULL};
  permi_determinant value, absolute;
  double estimate, ignored, bound, moduli;
  memset(&run, 0, sizeof run);
  permi_runner_begin(&run, &planar->owned.allocator, control, "eliminating");
  if (planar->subtracts && (planar->bound_relative > 0 || planar->dissection.largest > PERMI_PLANAR_SURE_MOST))
    ask.seconds /= 2; /* as priced */
  perm_status status = permi_planar_measured(planar, planar->real, planar->imaginary, &ask, &value, &estimate);
  absolute = value;
  if (status == PERM_OK && planar->subtracts && (planar->bound_relative > 0 || estimate != value.ball.radius))
    status = permi_planar_measured(planar, planar->absolute, NULL, &ask, &absolute, &ignored);
  if (status != PERM_OK)
    return status;
  bound = value.ball.radius;
  moduli = permi_ldexp(permi_ball_modulus(&absolute.ball), absolute.exp2 - value.exp2);
  estimate = fmin(estimate + PERMI_DD_UNIT * planar->n * moduli, bound);
  if (planar->bound_relative > 0) {
    const double unknown = permi_ldexp(absolute.ball.radius, absolute.exp2 - value.exp2);
    bound += planar->bound_relative * (moduli + unknown) * PERMI_RADIUS_UP;
    estimate += fmin(4 * sqrt(PERMI_UNIT * planar->bound_relative), planar->bound_relative) * moduli;
  }
  if (planar->lost_error > 0) {
    bound += 2 * (DBL_MIN + permi_ldexp(planar->lost_error, -value.exp2));
    estimate = bound;
  }
  if (!permi_planar_finite(&value) || !(bound >= 0))
    memset(&value.ball, 0, sizeof value.ball);
  permi_partial_add(partial, value.ball.re, value.ball.im, fmin(estimate, DBL_MAX), planar->dissection.products);
  partial->lost += bound >= 0 ? bound + 2 * DBL_MIN : (double)INFINITY;
  partial->exp2 = value.exp2;
  return PERM_OK;
}

static size_t permi_planar_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_planar *planar = (const permi_planar *)leaf->context;
  char numbers[80];
  if (!leaf->integer)
    snprintf(numbers, sizeof numbers, "in %sdouble-doubles %s", planar->parts == 2 ? "complex " : "",
             planar->dissection.largest > PERMI_PLANAR_SURE_MOST ? "without a bound" : "with a radius");
  else if (planar->primes)
    permi_say(numbers, sizeof numbers, "modulo %d primes, at most %.0f bits", planar->primes, planar->bits);
  else
    snprintf(numbers, sizeof numbers, "modulo the prime");
  return permi_say(buffer, size,
                   "planar, order %d: %d entries, %d faces, Kasteleyn signs; a determinant of %.3g products in %d "
                   "fronts of order %d at most, %s, predicted %.3g s\n",
                   planar->n, planar->edges, planar->faces, planar->dissection.products, planar->dissection.fronts,
                   planar->dissection.largest, numbers, leaf->information.seconds);
}

/* Returns 0 if the permanent may be too long. */
static int permi_planar_price(const permi_maker *maker, const permi_block *block, permi_planar *planar,
                              permi_offer *offer)
{
  const perm_options *options = maker->options;
  const double products = planar->dissection.products, lines = block->n + block->edges;
  const int large = planar->dissection.largest > PERMI_PLANAR_SURE_MOST;
  const size_t edges = (size_t)block->edges;
  const permi_front_poll ask = {NULL, 0, 0, 0, maker->watch};
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_determinant value;
  double bits[2] = {0, 0}, *entry;
  if (!block->integer) {
    offer->seconds = (products * permi_planar_seconds[1][0] + lines * permi_planar_seconds[1][1]) *
                     (planar->subtracts && (block->rounded || large) ? 2 : 1) * (planar->parts == 2 ? 3 : 1) *
                     (large ? 2 : 1);
    offer->bytes = planar->dissection.bytes_each * sizeof(permi_ball);
    return 1;
  }
  for (int v = 0; v < 2 * block->n; v++) {
    double squares = 0;
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      const double x = (double)block->integer[block->edge[e]];
      const double y = block->imaginary_integer ? (double)block->imaginary_integer[block->edge[e]] : 0;
      squares += x * x + y * y;
    }
    bits[v >= block->n] += 0.5 * log2(squares);
  }
  planar->bits = fmin(permi_majorants_bits(bits), permi_block_bits(block));
  if (permi_words_of_bits(planar->bits) > PERM_INTEGER_WORDS && !planar->modulus && !large &&
      products * permi_planar_seconds[1][0] < PERMI_PLANAR_PROOF_SECONDS) {
    /* a bound on the permanent itself, by double-doubles with radii, unless these run out or entries are no doubles */
    entry = (double *)permi_pool_get(&pool, 2 * edges, sizeof *entry);
    int whole = entry != NULL;
    for (int e = 0; e < planar->parts * block->edges && whole; e++) {
      entry[e] = (double)planar->integer[e / block->edges][e % block->edges];
      whole &= fabs(entry[e]) < 9007199254740992.0;
    }
    if (whole && permi_fronts_ball(&planar->fronts, entry, planar->parts == 2 ? entry + edges : NULL, PERMI_SURE, &ask,
                                   &value) == PERM_OK) {
      const double most = (permi_ball_modulus(&value.ball) + value.ball.radius) * PERMI_RADIUS_UP;
      if (most <= DBL_MAX)
        planar->bits = fmin(planar->bits, most > 0 ? log2(most) + (double)value.exp2 + 1e-3 : 0);
    }
    permi_pool_release(&pool);
    planar->bits = fmax(planar->bits, 1);
  }
  if (!(planar->modulus & 1) || planar->parts == 2 || !permi_is_prime(planar->modulus))
    planar->primes = permi_primes_needed(planar->bits);
  offer->seconds = (planar->primes ? planar->primes : 1) * planar->parts *
                   (products * permi_planar_seconds[0][0] + lines * permi_planar_seconds[0][1]);
  offer->bytes = planar->dissection.bytes_each * 8;
  return planar->modulus || options->precision == PERM_PRECISION_EXACT || options->method == PERM_METHOD_EXACT ||
         permi_words_of_bits(planar->bits) <= PERM_INTEGER_WORDS;
}

static perm_status permi_planar_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const permi_working *working = maker->working;
  const size_t edges = (size_t)block->edges;
  permi_kasteleyn signs;
  if (block->edges > 4 * block->n - 4) /* faces have four edges or more */
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "is not planar: %d entries, a planar one has at most %d",
                        block->edges, 4 * block->n - 4);
  (void)rival;
  if (maker->offers && block->n < PERMI_PLANAR_LEAST)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "is done before a drawing is found");
  permi_planar *planar = (permi_planar *)permi_owned_new(&maker->options->allocator, sizeof *planar);
  offer->plan = planar;
  permi_pool *pool = planar ? &planar->owned.pool : NULL;
  if (!planar || !permi_kasteleyn_make(block, pool, maker->watch, &signs))
    return permi_fail_memory(maker->result);
  if (maker->watch->stopped != PERM_OK || signs.planar <= 0)
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "%s",
                        signs.planar < 0 ? "has a drawing whose check failed" : "is not planar");
  planar->n = block->n;
  planar->edges = block->edges;
  planar->faces = signs.faces;
  planar->parts = working->is_complex ? 2 : 1;
  planar->modulus = working->modulus;
  planar->lost_error = working->lost ? working->lost_error : 0;
  if (block->rounded)
    planar->bound_relative = permi_entry_bound(permi_entry_roundings(working, working->n));
  int *row = (int *)permi_pool_get(pool, 2 * edges, sizeof(int));
  planar->integer[0] = (int64_t *)permi_pool_kept(pool, block->integer, edges, 8);
  planar->integer[1] = (int64_t *)permi_pool_kept(pool, block->imaginary_integer, edges, 8);
  planar->real = (double *)permi_pool_kept(pool, block->real, edges, 8);
  planar->imaginary = (double *)permi_pool_kept(pool, block->imaginary, edges, 8);
  planar->absolute = (double *)permi_pool_kept(pool, block->absolute, edges, 8);
  if (!permi_dissect(block, signs.partner, pool, maker->watch, &planar->dissection) || pool->failed)
    return permi_fail_memory(maker->result);
  for (int i = 0; i < block->n; i++)
    for (int e = block->start[i]; e < block->start[i + 1]; e++) {
      row[block->edge[e]] = i;
      row[edges + (size_t)block->edge[e]] = signs.partner[block->neighbour[e] - block->n];
    }
  for (int e = 0; e < block->edges && block->real; e++)
    planar->subtracts |= block->imaginary || block->real[e] != block->absolute[e];
  planar->fronts.row = row;
  planar->fronts.column = row + edges;
  planar->fronts.dissection = &planar->dissection;
  planar->fronts.sign = signs.sign;
  planar->fronts.allocator = maker->options->allocator;
  if (maker->offers && maker->options->certify && !block->integer &&
      planar->dissection.largest > PERMI_PLANAR_SURE_MOST)
    permi_refuse(offer, PERM_TOLERANCE_NOT_MET, "has fronts of order %d, too large for a bound",
                 planar->dissection.largest); /* only without certify */
  else if (!(planar->dissection.products < (double)INFINITY))
    permi_refuse(offer, PERM_ERROR_LIMIT, "is planar, but no small separators are found");
  else if (!permi_planar_price(maker, block, planar, offer))
    permi_refuse_long(offer);
  offer->bytes += 150.0 * block->n + 60.0 * block->edges;
  return PERM_OK;
}

static perm_status permi_planar_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  const permi_planar *planar = (const permi_planar *)offer->plan;
  uint64_t hash = permi_hash(PERMI_HASH_START, planar->modulus);
  (void)maker;
  for (int e = 0; e < planar->edges; e++) {
    hash = permi_hash(hash, (uint64_t)planar->fronts.row[e] << 32 | (uint64_t)planar->fronts.column[e]);
    for (int part = 0; part < planar->parts && block->integer; part++)
      hash = permi_hash(hash, (uint64_t)planar->integer[part][e]);
    if (!block->integer)
      hash = permi_hash_double(permi_hash_double(hash, planar->real[e]), planar->imaginary ? planar->imaginary[e] : 0);
  }
  leaf->integer = block->integer != NULL;
  leaf->information.work = planar->dissection.products;
  leaf->information.fingerprint = hash;
  leaf->run_task = leaf->integer ? permi_planar_integers : permi_planar_doubles;
  leaf->explain = permi_planar_explain;
  leaf->threaded = leaf->integer && offer->seconds >= PERMI_CHUNK_SECONDS / 10;
  leaf->measured = !leaf->integer;
  leaf->estimate_relative = leaf->measured;
  leaf->bound_absolute = leaf->measured && planar->dissection.largest > PERMI_PLANAR_SURE_MOST ? (double)INFINITY : 0;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
