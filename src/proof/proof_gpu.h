/* ======================================================================================== >>proof_gpu
   Values of a proof on GPUs: chunks of 32 points, many leaves in one call. A random value of each piece is computed
   again on the host. */
#pragma once
#include "../exact/exact_gpu.h"
#include "proof.h"

typedef struct permi_proof_gpu {
  const permi_proof *proof;
  const perm_allocator *allocator;
  permi_control *control;
  perm_gpu_work work;
  perm_gpu_program program;
  perm_gpu_proof shape;
  int run;
  const permi_stretch *stretch; /* of one polynomial */
  perm_partial *done;           /* of each stretch */
  double *table, *map;          /* map: chunks' first points, */
  uint32_t *of;                 /* and whose they are */
  permi_proof_room room; /* evaluates the formula without looking at limits */
  double chunk_seconds;
  char text[1024];
} permi_proof_gpu;

static void permi_proof_gpu_text(permi_proof_gpu *gpu)
{
  const perm_gpu_proof *shape = &gpu->shape;
  const int need = 2 * shape->rows + 60;
  const permi_gpu_member member[] = {{"rows", NULL, shape->rows},
                                     {"signs", NULL, shape->signs},
                                     {"outer", NULL, shape->outer},
                                     {"settings", NULL, shape->settings}};
  const int at = snprintf(gpu->text, sizeof gpu->text, "struct permi_shape {\n  enum { ROWS = %d, SIGNS = %d };\n",
                          shape->rows, shape->signs);
  permi_gpu_members(member, sizeof member / sizeof *member, "permi_proof_chunk", need <= 128 ? 4 : 3, gpu->text,
                    sizeof gpu->text, (size_t)at);
}

/* What the kernel for a polynomial is. */
static void permi_proof_gpu_open(permi_proof_gpu *gpu, const permi_proof *proof, int run)
{
  memset(gpu, 0, sizeof *gpu);
  gpu->proof = proof;
  gpu->run = run;
  gpu->shape.rows = proof->n;
  gpu->shape.signs = proof->signs;
  gpu->shape.outer = proof->polynomial[run].outer;
  gpu->shape.settings = proof->polynomial[run].settings;
  gpu->chunk_seconds =
      permi_proof_gpu_seconds(proof) * PERMI_PROOF_GPU_POINTS / ((double)proof->values * proof->runs);
  permi_proof_gpu_text(gpu);
  gpu->program.text = gpu->text;
  gpu->program.sums = PERMI_PROOF_GPU_POINTS;
  gpu->program.shared = (size_t)(proof->n * gpu->shape.settings + 4 * PERMI_PROOF_GPU_POINTS * (proof->signs + 2)) *
                        sizeof(double);
  gpu->program.proof = &gpu->shape;
  gpu->work.program = &gpu->program;
}

/* inverse[k] := 1 / k modulo p, 0 < k < count, by one inversion. */
static void permi_proof_gpu_inverses(const permi_odd_modulus *prime, double *inverse, uint64_t count)
{
  uint64_t k, product = 1, times = 0, bits;
  for (k = 0; k < count; k++) { /* for now, the product of those before k */
    memcpy(&inverse[k], &product, sizeof product);
    product = k ? permi_montgomery(product, times, prime) : product;
    times = permi_residue_add(times, prime->one, 0, prime->p);
  }
  product = permi_prime_inverse(product, prime);
  for (k = count - 1; k > 0; k--) {
    times = permi_residue_add(times, prime->one, 1, prime->p);
    memcpy(&bits, &inverse[k], sizeof bits);
    inverse[k] = permi_balanced(permi_montgomery(product, bits, prime), prime->p);
    product = permi_montgomery(product, times, prime);
  }
  inverse[0] = 0;
}

/* Makes the table of perm_gpu_proof except the map; returns 0 without memory. */
static int permi_proof_gpu_table(permi_proof_gpu *gpu, size_t chunks)
{
  const permi_proof *proof = gpu->proof;
  const permi_polynomial *polynomial = &proof->polynomial[gpu->run];
  const int n = proof->n, signs = proof->signs;
  const size_t N = (size_t)1 << signs, start = 4 + N, steps = (size_t)(n * (1 + polynomial->outer));
  const size_t entries = (size_t)(n * signs), sums = (size_t)(n * polynomial->settings);
  const size_t inverses = (size_t)(proof->values + PERMI_PROOF_SYNDROMES) + PERMI_PROOF_GPU_POINTS;
  double *to;
  int i, j;
  gpu->work.doubles = start + steps + entries + sums + inverses + chunks;
  gpu->table = (double *)permi_allocate(gpu->allocator, gpu->work.doubles, sizeof *gpu->table);
  gpu->of = (uint32_t *)permi_allocate(gpu->allocator, chunks, sizeof *gpu->of);
  gpu->room.weight = permi_proof_weights_room(proof, gpu->allocator);
  if (!gpu->table || !gpu->of || !gpu->room.weight)
    return 0;
  gpu->map = gpu->table + (gpu->work.doubles - chunks);
  gpu->table[0] = polynomial->prime;
  gpu->table[1] = polynomial->inverse;
  gpu->table[2] = (double)(gpu->work.doubles - chunks);
  gpu->table[3] = 0;
  memcpy(gpu->table + 4, polynomial->weight, N * sizeof *to);
  to = gpu->table + start;
  memcpy(to, polynomial->start, (size_t)n * sizeof *to);
  memcpy(to + n, polynomial->step, (steps - (size_t)n) * sizeof *to);
  to += steps;
  for (j = 0; j < signs; j++)
    for (i = 0; i < n; i++)
      *to++ = polynomial->entry[i * signs + j];
  memcpy(to, polynomial->table, sums * sizeof *to);
  permi_proof_gpu_inverses(&proof->prime[gpu->run / proof->parts], to + sums, inverses);
  return 1;
}

static int permi_proof_gpu_add(void *context, perm_partial *partial, uint64_t first, uint64_t chunks,
                               const double *sums)
{
  const permi_proof_gpu *gpu = (const permi_proof_gpu *)context;
  const permi_proof *proof = gpu->proof;
  const double p = gpu->table[0];
  uint64_t c, seed = PERMI_HASH_START, k;
  for (c = 0; c < chunks; c++) {
    const uint64_t t = (uint64_t)gpu->map[first + c], at = gpu->of[first + c];
    const permi_proof_leaf *leaf = &proof->leaf[gpu->stretch[at].leaf];
    for (k = 0; k < PERMI_PROOF_GPU_POINTS; k++) {
      const double value = sums[c * PERMI_PROOF_GPU_POINTS + k];
      if (!(value >= 0 && value < p))
        return 0;
      seed = permi_hash(seed, (uint64_t)value);
      if (t + k < leaf->end)
        *permi_proof_word(&gpu->done[at], t + k - leaf->first) = (uint64_t)value;
    }
  }
  c = seed % chunks;
  k = (seed >> 32) % PERMI_PROOF_GPU_POINTS;
  partial->chunks += chunks;
  return permi_proof_formula(proof, gpu->run, (uint64_t)gpu->map[first + c] + k, &gpu->room) ==
         (uint64_t)sums[c * PERMI_PROOF_GPU_POINTS + k];
}

static perm_status permi_proof_gpu_merge(perm_partial *into, const perm_partial *from)
{
  into->chunks += from->chunks;
  return PERM_OK;
}

static perm_status permi_proof_gpu_poll(void *context, uint64_t done)
{
  const permi_proof_gpu *gpu = (const permi_proof_gpu *)context;
  return gpu->control ? permi_control_poll_range(gpu->control, gpu->chunk_seconds * (double)done, "proving on GPUs")
                      : PERM_OK;
}

static perm_status permi_proof_gpu_call(permi_proof_gpu *gpu, uint64_t chunks, perm_partial *prefix)
{
  char message[PERM_MESSAGE_BYTES] = "";
  perm_options options;
  perm_gpu_sink sink;
  perm_status status;
  int gpus = 0;
  memset(&options, 0, sizeof options);
  if (gpu->control)
    options = *gpu->control->options;
  if (!options.gpu.devices)
    options.gpu.devices = 1;
  options.allocator = *gpu->allocator;
  sink.context = gpu;
  sink.add = permi_proof_gpu_add;
  sink.merge = permi_proof_gpu_merge;
  sink.poll = permi_proof_gpu_poll;
  sink.alone = 1;
  status = perm_cuda_run(&gpu->work, 0, chunks, &options, &sink, prefix, &gpus, message);
  if (gpu->control) {
    gpu->control->gpus = gpus > gpu->control->gpus ? gpus : gpu->control->gpus;
    memcpy(gpu->control->message, message, sizeof message);
  }
  return status;
}

/* Of one polynomial. */
static perm_status permi_proof_gpu_polynomial(permi_proof_gpu *gpu, int count)
{
  perm_partial prefix;
  perm_status status;
  uint64_t chunks = 0, at = 0, c;
  int k;
  for (k = 0; k < count; k++)
    chunks += gpu->stretch[k].end - gpu->stretch[k].begin;
  if (!chunks)
    return PERM_OK;
  if (!permi_proof_gpu_table(gpu, (size_t)chunks))
    return PERM_ERROR_MEMORY;
  for (k = 0; k < count; k++)
    for (c = gpu->stretch[k].begin; c < gpu->stretch[k].end; c++, at++) {
      gpu->map[at] = (double)(gpu->proof->leaf[gpu->stretch[k].leaf].first + c * PERMI_PROOF_GPU_POINTS);
      gpu->of[at] = (uint32_t)k;
    }
  gpu->work.table = gpu->table;
  memset(&prefix, 0, sizeof prefix);
  status = permi_proof_gpu_call(gpu, chunks, &prefix);
  for (k = 0; k < count; k++) { /* what lies beyond the prefix may be there and does not count */
    const permi_stretch *stretch = &gpu->stretch[k];
    const uint64_t all = stretch->end - stretch->begin, here = prefix.chunks < all ? prefix.chunks : all;
    for (c = (stretch->begin + here) * PERMI_PROOF_GPU_POINTS; c < stretch->end * PERMI_PROOF_GPU_POINTS; c++)
      *permi_proof_word(&gpu->done[k], c) = 0;
    prefix.chunks -= here;
    if (!here)
      continue;
    permi_partial_count(&gpu->done[k], stretch->begin, stretch->begin + here);
    gpu->done[k].terms += (double)here * PERMI_PROOF_GPU_POINTS * ldexp(1, gpu->proof->n - gpu->proof->signs - 1);
    gpu->done[k].fingerprint = stretch->fingerprint;
  }
  return status;
}

/* Adds the stretches, or a prefix of them, to done[k]. */
static perm_status permi_proof_gpu_run(const permi_proof *proof, const perm_allocator *allocator,
                                       const permi_stretch *stretch, int count, permi_control *control,
                                       perm_partial *done)
{
  permi_proof_gpu *gpu = (permi_proof_gpu *)permi_allocate(allocator, 1, sizeof *gpu);
  perm_status status = gpu ? PERM_OK : PERM_ERROR_MEMORY;
  int k = 0, same;
  for (; k < count && status == PERM_OK; k += same) {
    const int run = stretch[k].leaf / proof->leaves;
    for (same = 1; k + same < count && stretch[k + same].leaf / proof->leaves == run;)
      same++;
    permi_proof_gpu_open(gpu, proof, run);
    gpu->allocator = allocator;
    gpu->control = control;
    gpu->stretch = stretch + k;
    gpu->done = done + k;
    status = permi_proof_gpu_polynomial(gpu, same);
    permi_release(allocator, gpu->table);
    permi_release(allocator, gpu->of);
    permi_release(allocator, gpu->room.weight);
  }
  permi_release(allocator, gpu);
  return status;
}

/* Of many leaves: see perm_job. */
static perm_status permi_proof_gpu_many(const perm_job *job, const permi_stretch *stretch, int count,
                                        permi_control *control, perm_partial *done)
{
  return permi_proof_gpu_run((const permi_proof *)job->context, &job->allocator, stretch, count, control, done);
}

static perm_status permi_proof_gpu_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                         perm_partial *partial)
{
  const permi_proof_leaf *own = (const permi_proof_leaf *)leaf->context;
  permi_stretch stretch;
  stretch.leaf = (int)(own - own->proof->leaf);
  stretch.begin = begin;
  stretch.end = end;
  stretch.fingerprint = leaf->information.fingerprint;
  return permi_proof_gpu_run(own->proof, &own->proof->allocator, &stretch, 1, control, partial);
}
/* SPDX-License-Identifier: MIT */
