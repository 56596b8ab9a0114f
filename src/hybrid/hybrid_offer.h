/* =================================================================================== >>hybrid_offer
   Offers on the CPU, against those of >>program_plan. */
#pragma once
#include "hybrid_residues.h"

static size_t permi_hybrid_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  static const char *const algebra[] = {"real", "complex", "double-double", "integers", "complex double-double"};
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  size_t length = 0;
  permi_hybrid_say(buffer, size, &length, "block of order %d: %s, %s, %s%s; columns: %d inner, %d low, ", hybrid->n,
                   perm_name("method", leaf->information.method), perm_name("isa", leaf->information.isa),
                   algebra[hybrid->algebra], hybrid->transposed ? ", transposed" : "", hybrid->inner, hybrid->low);
  if (hybrid->code)
    permi_code_explain(hybrid, buffer, size, &length);
  else
    permi_hybrid_say(buffer, size, &length, "%d high, %d lanes; %d statements on %d slots; ", hybrid->high,
                     hybrid->lanes_log2, hybrid->statements, hybrid->slot_count);
  if (hybrid->runs && hybrid->runs->stand_in)
    permi_hybrid_say(buffer, size, &length, "modulo a multiple of the modulus; ");
  else if (hybrid->runs && hybrid->runs->primes)
    permi_hybrid_say(buffer, size, &length, "residues modulo %d primes%s, at most %.0f bits; ", hybrid->runs->primes,
                     hybrid->runs->run[0].root ? " with both roots of -1" : "", hybrid->runs->bits);
  else if (hybrid->runs)
    permi_hybrid_say(buffer, size, &length, "all numbers below 2^53; ");
  permi_hybrid_say(buffer, size, &length, "%.0f chunks, predicted %.3g s on one %s\n", (double)leaf->information.chunks,
                   leaf->information.seconds, hybrid->isa == PERM_ISA_CUDA ? "GPU" : "thread");
  return length;
}

static int permi_hybrid_takes(const permi_maker *maker, const permi_block *block, permi_offer *offer)
{
  double bits;
  (void)maker; /* for PERM_NO_COMPLEX */
  if (block->integer && !permi_arithmetic_is_sound())
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has exact integers, which this method takes only while numbers round "
                                                "to nearest");
#if defined(PERM_NO_COMPLEX)
  else if (maker->working->is_complex)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "is complex, which this build leaves out");
#endif
  else if (block->n > PERM_MAX_N || block->n < 2)
    permi_refuse(offer, PERM_ERROR_LIMIT, "is not of an order from 2 to %d", PERM_MAX_N);
  else if (block->integer && PERMI_RESIDUE_BITS * permi_whole_primes(block, 0, &bits) + 60 > 64 * PERM_INTEGER_WORDS)
    permi_refuse_long(offer);
  else
    offer->status = PERM_OK;
  return !offer->why[0];
}

/* Terms with moduli take so many times as long; complex double-doubles 1.1 to 1.3. */
#define PERMI_HYBRID_CERTIFIED(algebra) ((algebra) == PERMI_HYBRID_COMPLEX_DOUBLED ? 1.3 : 2.1)
#define PERMI_HYBRID_BACK 1.5 /* a gradient: 4.5 permanents (3.3 to 8), for others three passes and more */
#define PERMI_DOUBLED_CHUNK 8      /* log2 of blocks, more of which round the sum */
static permi_layouts *permi_hybrid_layouts(permi_maker *maker, const permi_block *block, double rival)
{
  static const double rate[3][PERMI_HYBRID_ALGEBRAS] = {
      {6e9, 2.2e9, 2.4e9, 7e9, 4.5e8}, {6.5e9, 2.6e9, 2.1e9, 5.8e9, 5.5e8}, {1.4e9, 5e8, 2.1e8, 8e8, 2.4e7}};
  const permi_hybrid_algebra algebra = permi_hybrid_algebra_of(maker);
  permi_layouts *work = maker->layouts;
  if (!work) {
    work = (permi_layouts *)permi_allocate(&maker->options->allocator, 1, sizeof *work);
    if (!work)
      return NULL;
    permi_layouts_make(work, block);
    work->budget = maker->keeps ? PERMI_HYBRID_KEPT_BUDGET : PERMI_HYBRID_SLOT_BUDGET;
    work->most_low = PERMI_HYBRID_LOW;
    work->keeps = maker->keeps;
    work->account = maker->account;
    work->speed = rate[permi_lanes_row(permi_isa(maker->options))][(int)algebra] /
                  (block->integer ? PERMI_WHOLE_SLOWER * permi_whole_passes(block, maker->options->modulus)
                                  : maker->options->certify ? PERMI_HYBRID_CERTIFIED(algebra) : 1);
    work->speed /= maker->keeps ? PERMI_HYBRID_BACK : 1;
  }
  maker->layouts = NULL;
  work->rival = rival;
  return work;
}

/* What annealing gains on the first layouts, which are kept. */
#define PERMI_HYBRID_GAIN 1.3     /* likely: seen 1.1 */
#define PERMI_HYBRID_GAIN_MOST 16 /* seen to 13.4: er:44:0.11 */
static perm_status permi_hybrid_least(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  permi_offer takes;
  memset(&takes, 0, sizeof takes);
  offer->least = fmax(offer->least, PERMI_HYBRID_LEAST_SECONDS);
  if (PERMI_ANNEAL_SHARE * rival < PERMI_ANNEAL_LEAST || !permi_hybrid_takes(maker, block, &takes))
    return PERM_OK;
  permi_layouts *work = permi_hybrid_layouts(maker, block, rival);
  if (!work)
    return permi_fail_memory(maker->result);
  const double cost = permi_layouts_start(work);
  const double speed = permi_code_rate(maker, block, work->speed);
  offer->likely = cost / PERMI_HYBRID_GAIN / speed;
  offer->least = fmax(offer->least, cost / PERMI_HYBRID_GAIN_MOST / speed);
  maker->layouts = work;
  return PERM_OK;
}

#define PERMI_HYBRID_SAMPLED_LOG2 10 /* blocks in the sum of |terms| at least, */
#define PERMI_HYBRID_PLACES_LOG2 7   /* in so many places */
static perm_status permi_hybrid_offer_cpu(permi_maker *maker, const permi_block *block, double rival,
                                          permi_offer *offer)
{
  const perm_options *options = maker->options;
  const perm_isa isa = permi_isa(options);
  permi_layouts *work = permi_hybrid_layouts(maker, block, rival);
  permi_arrangement layout = {0, 0, 0, {0}};
  permi_hybrid *hybrid = NULL;
  perm_status status = PERM_OK;
  double seconds = 0, per_block;
  if (!work)
    return permi_fail_memory(maker->result);
  permi_layouts_start(work);
  for (; !hybrid && status == PERM_OK && work->budget > 90; work->budget -= work->budget / 6) {
    long long scale_exp2 = 0;
    int zero = 0;
    seconds = permi_hybrid_search(work, &layout) / work->speed;
    if (seconds > 1.1 * rival) {
      permi_refuse(offer, PERM_ERROR_LIMIT, "takes about %s, more than others", permi_time_words(seconds).text);
      break;
    }
    if (!block->integer)
      status = permi_hybrid_matrix(maker, block, layout.transposed, work->scaled, &scale_exp2,
                                   work->line_exp2, &zero);
    if (status == PERM_OK && !zero &&
        (block->integer ? permi_whole_create(&options->allocator, work, &layout, block, options->modulus, &hybrid)
                        : permi_hybrid_create(&options->allocator, work, &layout, permi_hybrid_algebra_of(maker),
                                              work->scaled, NULL, &hybrid)) != PERM_OK)
      status = permi_fail_memory(maker->result);
    if (hybrid)
      hybrid->scale_exp2 = scale_exp2;
  }
  permi_release(&options->allocator, work);
  offer->plan = hybrid;
  if (status == PERM_OK && !hybrid && !offer->why[0])
    permi_refuse(offer, PERM_ERROR_LIMIT, "has no program that fits");
  if (!hybrid)
    return status;
  if (block->integer)
    seconds *= fmax(hybrid->runs->passes, 1) / permi_whole_passes(block, options->modulus);
  hybrid->isa = permi_lanes(isa) < 4 ? PERM_ISA_PLAIN : isa;
  int most = hybrid->high - PERMI_HYBRID_SAMPLED_LOG2;
  most = permi_clamp(most, 0, permi_clamp(hybrid->high - hybrid->low - PERMI_HYBRID_PLACES_LOG2, 0, 5));
  hybrid->absolute_mask = options->certify ? 0 : (1u << most) - 1;
  if (!options->certify && !hybrid->runs) /* else the speed includes moduli */
    seconds *= 1 + (PERMI_HYBRID_CERTIFIED(hybrid->algebra) - 1) / (hybrid->absolute_mask + 1);
  per_block = ldexp(seconds / (hybrid->runs ? fmax(hybrid->runs->passes, 1) : 1), -hybrid->high);
  most = hybrid->runs                                    ? PERMI_WHOLE_CHUNK
         : permi_hybrid_is_doubled((int)hybrid->algebra) ? PERMI_DOUBLED_CHUNK
                                                         : hybrid->high;
  hybrid->chunk_log2 = hybrid->high > most ? most : hybrid->high;
  while (hybrid->chunk_log2 > 0 &&
         ldexp(per_block, hybrid->chunk_log2) > (hybrid->high - hybrid->chunk_log2 < 6 ? 1e-4 : 0.02))
    hybrid->chunk_log2--;
  hybrid->walked = hybrid->chunk_log2;
  hybrid->fingerprint = permi_hybrid_fingerprint(hybrid);
  if (hybrid->runs) {
    uint64_t hash = permi_hash(hybrid->fingerprint, (uint64_t)hybrid->runs->primes);
    hash = permi_hash(permi_hash(hash, hybrid->runs->modulus), hybrid->runs->stand_in);
    for (int e = 0; e < block->edges; e++)
      hash = permi_hash(hash, (uint64_t)block->integer[e]);
    for (int e = 0; e < block->edges && block->imaginary_integer; e++)
      hash = permi_hash(hash, (uint64_t)block->imaginary_integer[e]);
    hybrid->fingerprint = hash;
  }
  hybrid->family = PERMI_OF_X86(permi_hybrid_family, hybrid->isa);
  offer->seconds = seconds;
  offer->bytes = sizeof *hybrid + 16.0 * (hybrid->operation_room + hybrid->statement_room) +
                 8.0 * hybrid->parts * (hybrid->constant_room + block->n * (1 + hybrid->lanes + hybrid->high)) +
                 (double)PERMI_HYBRID_WORKSPACE + (hybrid->runs ? sizeof *hybrid : 0);
  return PERM_OK;
}

static perm_status permi_hybrid_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_options *options = maker->options;
  permi_offer gpu;
  if (!permi_hybrid_takes(maker, block, offer))
    return PERM_OK;
  memset(&gpu, 0, sizeof gpu);
  gpu.seconds = (double)INFINITY;
  perm_status status = permi_code_offer(maker, block, rival, &gpu);
  if (status != PERM_OK || (gpu.plan && options->isa == PERM_ISA_CUDA)) {
    *offer = gpu;
    return status;
  }
  status = permi_hybrid_offer_cpu(maker, block, fmin(rival, gpu.seconds), offer);
  if (gpu.plan && !(offer->seconds < gpu.seconds)) {
    void *plan = offer->plan;
    *offer = gpu;
    gpu.plan = plan;
  }
  permi_hybrid_release(&options->allocator, gpu.plan);
  return status;
}

/* THE BOUND, relative to the sum of |terms|, of which the second program adds every block: gamma of n - 1 products
   (complex ones count three, on a GPU six) and `inner` differences, gamma^2 of a chunk's blocks (on a GPU 64 more),
   what lost entries take of floors, roundings of moduli. Double-doubles have PERMI_DD_UNIT for u
   (tests/proofs/chains.v, tests/proofs/complex.v, tests/proofs/hybrid.g). */
static void permi_hybrid_bound(const permi_hybrid *hybrid, int certified, permi_leaf *leaf)
{
  const permi_hybrid_rounding *rounding = &hybrid->rounding;
  const int on_gpu = hybrid->isa == PERM_ISA_CUDA;
  const int doubled = permi_hybrid_is_doubled((int)hybrid->algebra);
  const double n = hybrid->n;
  const double each = !permi_hybrid_is_complex((int)hybrid->algebra) ? 1 : doubled ? 2 : on_gpu ? 6 : 3;
  const double blocks = ldexp(1, hybrid->walked) + (on_gpu ? 64 : 0), sums = hybrid->inner;
  const double roundings = each * (n - 1) + sums, chunk = permi_gamma(2 * blocks);
  const double moduli = permi_gamma(5 * n + sums + blocks + hybrid->lanes);
  double terms = permi_gamma(roundings) + chunk * chunk;
  leaf->bound_relative = (double)INFINITY;
  leaf->estimate_absolute = ldexp(rounding->growth * rounding->unfloored, hybrid->n + 1) +
                            ldexp(rounding->growth * (6 * roundings + 2 * n * n), hybrid->n - 1073);
  if (!certified || hybrid->walked > 32 || !(rounding->losses < 1))
    return;
  if (doubled)
    terms = (roundings + blocks) * PERMI_DD_UNIT;
  leaf->bound_relative = (terms + rounding->losses) * (1 + 4 * moduli) * 1.0001;
  leaf->bound_absolute = leaf->estimate_absolute;
}

/* The estimate, relative to the sum of |terms|. A term meets n products and a rounding a fold, of which one at least
   rounds unless products are exact; all terms share what earlier elimination rounded. */
#define PERMI_HYBRID_ALIKE(n) (0.02 + 1.2 * exp(-0.12 * (n))) /* share of roundings that a sum keeps */
static void permi_hybrid_estimate(permi_maker *maker, const permi_block *block, const permi_hybrid *hybrid,
                                  permi_leaf *leaf)
{
  const permi_hybrid_rounding *rounding = &hybrid->rounding;
  const double roundings = hybrid->n + hybrid->inner + 4, square = PERMI_UNIT * PERMI_UNIT;
  const double part = 1 - fmin(53 / fmax(rounding->bits, 1), 1), inexact = part > 0 ? fmax(part * roundings, 1) : 0;
  permi_hybrid_bound(hybrid, maker->options->certify && hybrid->absolute_mask == 0, leaf);
  leaf->shared = rounding->shared;
  leaf->estimate_relative = 0;
  permi_make_honest(maker, block, leaf);
  leaf->shared.relative += leaf->estimate_relative;
  leaf->shared.most += leaf->estimate_relative * rounding->majorant;
  if (permi_hybrid_is_doubled((int)hybrid->algebra))
    leaf->estimate_relative =
        (4 * hybrid->parts * roundings + ldexp(8, hybrid->walked / 2)) * square;
  else
    leaf->estimate_relative = PERMI_HYBRID_ALIKE(hybrid->n) * sqrt(inexact) * PERMI_UNIT * hybrid->parts;
  if (leaf->shared.relative > 1e-3)
    leaf->estimate_relative = (double)INFINITY;
}

static perm_status permi_hybrid_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  const perm_status status = permi_code_make(maker, block, offer, leaf);
  permi_hybrid *hybrid = (permi_hybrid *)offer->plan;
  if (status != PERM_OK)
    return status;
  permi_leaf_ranges(leaf, hybrid->isa, UINT64_C(1) << (hybrid->high - hybrid->chunk_log2),
                    ldexp(hybrid->rows_a_term, hybrid->n - 1 - hybrid->inner), hybrid->fingerprint, permi_hybrid_chunk,
                    PERMI_HYBRID_WORKSPACE, permi_hybrid_explain);
  if (hybrid->runs) {
    leaf->information.chunks *= hybrid->runs->passes ? (uint64_t)hybrid->runs->passes : 1;
    leaf->integer = 1;
    leaf->workspace += sizeof *hybrid; /* for a prime's program */
    leaf->finish = permi_whole_finish;
    return PERM_OK;
  }
  leaf->scale_exp2 = hybrid->scale_exp2 - (hybrid->n - 1);
  permi_hybrid_estimate(maker, block, hybrid, leaf);
  maker->job->precision = maker->options->precision;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
