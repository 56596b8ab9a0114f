/* =========================================================================================== >>proof
   The job that evaluates >>polynomial, and the file (format: docs/proofs.md), which examples/perm_verify.c checks
   without this library. */
#pragma once
#include "proof_check.h"
#include "sweep.h"
#include "../sparse/sparse.h"

#define PERMI_PROOF_MAGIC "\211PROOF\r\n"
#define PERMI_PROOF_HEAD 48

static void permi_proof_leaf_release(const perm_allocator *allocator, void *context)
{
  (void)allocator, (void)context; /* the job has them all */
}

static size_t permi_proof_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_proof_leaf *own = (const permi_proof_leaf *)leaf->context;
  const permi_proof *proof = own->proof;
  const double leaves = (double)proof->values / (double)(own->end - own->first) * proof->runs;
  if (own != proof->leaf) /* one line says it for all */
    return permi_say(buffer, size, "%s", "");
  return permi_say(buffer, size,
                   "proof, n = %d: %s kernel%s, %d prime%s, polynomials of %llu values, a file of %.3g MB; %.3g "
                   "products, %.3g s\n",
                   proof->n, perm_name("isa", leaf->information.isa), proof->parts == 2 ? " (complex)" : "",
                   proof->primes, proof->primes == 1 ? "" : "s", (unsigned long long)proof->values,
                   8e-6 * (double)proof->values * proof->runs,
                   leaf->information.work * leaves, leaf->information.seconds * leaves);
}

static void permi_proof_residue(const permi_proof *proof, int k, const perm_partial *partials, uint64_t *real,
                                uint64_t *imaginary)
{
  const permi_odd_modulus *prime = &proof->prime[k];
  const uint64_t N = UINT64_C(1) << proof->signs;
  uint64_t value[2] = {0, 0}, power = prime->one;
  for (int i = 1; i < proof->n; i++)
    power = permi_residue_add(power, power, 0, prime->p);
  power = permi_prime_inverse(permi_montgomery(power, 1, prime), prime);
  for (int r = 0; r < proof->parts; r++) {
    for (uint64_t at = 0; at < N; at++)
      value[r] = permi_residue_add(value[r], permi_proof_listed(proof, partials, k * proof->parts + r, at), 0,
                                   prime->p);
    value[r] = permi_montgomery(value[r], power, prime);
  }
  *real = value[0];
  if (proof->parts == 2)
    permi_residue_parts(value, proof->root[k], prime, real, imaginary);
}

static perm_status permi_proof_value(const perm_job *job, const perm_partial *partials, permi_number *number)
{
  const permi_proof *proof = (const permi_proof *)job->context;
  uint64_t residue[2][PERMI_PROOF_PRIMES], word[2 * (PERMI_PROOF_PRIMES + 1)];
  perm_status status = PERM_OK;
  perm_sum sum;
  for (int k = 0; k < proof->primes; k++)
    permi_proof_residue(proof, k, partials, &residue[0][k], &residue[1][k]);
  *number = permi_number_one();
  for (int i = 0; i < proof->parts && status == PERM_OK; i++) {
    memset(&sum, 0, sizeof sum);
    status = permi_residues_sum(proof->prime, residue[i], proof->primes, job->modulus, word, &sum);
    if (status == PERM_OK && !permi_sum_integer(&sum, i ? &number->imaginary_integer : &number->integer))
      status = PERM_ERROR_OVERFLOW;
  }
  return status;
}

typedef struct permi_proof_file {
  const permi_proof *proof;
  const perm_partial *partials;
} permi_proof_file;

static int permi_proof_words(FILE *stream, const uint64_t *word, int words, uint64_t *hash)
{
  unsigned char bytes[8 * PERM_SUM_WORDS];
  for (int k = 0; k < words; k++) {
    permi_put(bytes + 8 * k, word[k], 8);
    *hash = permi_hash(*hash, word[k]);
  }
  return fwrite(bytes, 8, (size_t)words, stream) == (size_t)words;
}

static int permi_proof_print(FILE *stream, const void *what)
{
  const permi_proof_file *file = (const permi_proof_file *)what;
  const permi_proof *proof = file->proof;
  uint64_t head[PERMI_PROOF_HEAD / 8], hash = PERMI_HASH_START, unused = 0;
  memcpy(head, PERMI_PROOF_MAGIC, 8);
  head[0] = permi_get((const unsigned char *)head, 8);
  head[1] = 1 | (uint64_t)proof->n << 32;
  head[2] = PERMI_PROOF_HEAD + 8 * ((uint64_t)proof->primes + (uint64_t)proof->runs * proof->values + 1);
  head[3] = proof->fingerprint;
  head[4] = (uint64_t)proof->parts | (uint64_t)proof->primes << 32;
  head[5] = proof->values;
  int good = permi_proof_words(stream, head, PERMI_PROOF_HEAD / 8, &hash);
  for (int k = 0; k < proof->primes && good; k++)
    good = permi_proof_words(stream, &proof->prime[k].p, 1, &hash);
  for (int k = 0; k < proof->runs * proof->leaves && good; k++) {
    const permi_proof_leaf *leaf = &proof->leaf[k];
    const uint64_t *word[3] = {file->partials[k].value.word, file->partials[k].imaginary.word,
                               file->partials[k].absolute.word};
    const uint64_t end = leaf->end < proof->values ? leaf->end : proof->values;
    int left = leaf->first < end ? (int)(end - leaf->first) : 0;
    for (int i = 0; i < 3 && left > 0 && good; i++, left -= PERM_SUM_WORDS)
      good = permi_proof_words(stream, word[i], left < PERM_SUM_WORDS ? left : PERM_SUM_WORDS, &hash);
  }
  return good && permi_proof_words(stream, &hash, 1, &unused);
}

/* Only tries if state is NULL. */
static perm_status permi_proof_write(const perm_job *job, const perm_state *state, const char *path,
                                     perm_result *result)
{
  const permi_proof_file file = {(const permi_proof *)job->context, state ? state->partial : NULL};
  const char *failed, *why = permi_file_replace(path, &job->allocator, 1, permi_proof_print,
                                                state ? &file : NULL, &failed);
  if (!why)
    return PERM_OK;
  return failed ? permi_fail(result, PERM_ERROR_FILE, 0, "%s: cannot %s it: %s", path, failed, why)
                : permi_fail_memory(result);
}

/* *rate: products a second. */
static permi_proof *permi_proof_make(const permi_problem *problem, permi_control *watch, double *rate)
{
  static const double rates[3] = {PERMI_RATE_PROOF_AVX512, PERMI_RATE_PROOF_AVX2, PERMI_RATE_PROOF};
  const perm_isa isa = permi_isa(watch->options);
  const perm_allocator *allocator = &watch->options->allocator;
  permi_proof *proof = (permi_proof *)permi_owned_new(allocator, sizeof *proof);
  if (!proof)
    return NULL;
  proof->n = problem->n;
  proof->parts = problem->parts;
  proof->signs = problem->n / 2;
  proof->primes = (int)((permi_proof_bits(problem) + 1.001) / (PERMI_PROOF_PRIME_BITS - 1e-4)) + 1;
  proof->runs = proof->primes * proof->parts;
  proof->values = (uint64_t)(proof->n + 1) * ((UINT64_C(1) << proof->signs) - 1) + 1;
  proof->run = PERMI_OF_FAMILY(permi_polynomial, isa);
  *rate = permi_lanes(isa) == 2 ? PERMI_RATE_PROOF_AVX2 / 2 : rates[permi_lanes_row(isa)];
  proof->leaves = (int)((proof->values + PERMI_PROOF_SYNDROMES + PERMI_PROOF_LEAF - 1) / PERMI_PROOF_LEAF);
  proof->fingerprint = permi_hash(PERMI_HASH_START, (uint64_t)problem->n * 4 + (uint64_t)problem->parts);
  for (int i = 0; i < problem->n; i++)
    for (int j = 0; j < problem->n * problem->parts; j++)
      proof->fingerprint =
          permi_hash(proof->fingerprint, (uint64_t)problem->integer[i * problem->ld * problem->parts + j]);
  permi_primes_choose(proof->prime, (size_t)proof->primes, proof->parts == 2, PERMI_PROOF_PRIME_BITS);
  for (int k = 0; k < proof->primes && proof->parts == 2; k++) {
    const uint64_t root = permi_prime_root(&proof->prime[k]), other = proof->prime[k].p - root;
    proof->root[k] = root < other ? root : other;
  }
  const size_t leaves = (size_t)proof->leaves * (size_t)proof->runs;
  proof->polynomial =
      (permi_polynomial *)permi_pool_get(&proof->owned.pool, (size_t)proof->runs, sizeof *proof->polynomial);
  proof->leaf = (permi_proof_leaf *)permi_pool_get(&proof->owned.pool, leaves, sizeof *proof->leaf);
  uint64_t *work = permi_proof_weights_room(proof, allocator);
  if (!work || !permi_proof_tables(proof, problem, work, watch)) {
    permi_owned_release(allocator, proof);
    proof = NULL;
  }
  permi_release(allocator, work);
  return proof;
}

static int permi_proof_push(perm_job *job, permi_proof *proof, int index, perm_isa isa, double rate)
{
  const uint64_t all = proof->values + PERMI_PROOF_SYNDROMES;
  permi_proof_leaf *own = &proof->leaf[index];
  permi_leaf leaf;
  own->proof = proof;
  own->polynomial = &proof->polynomial[index / proof->leaves];
  own->first = (uint64_t)(index % proof->leaves) * PERMI_PROOF_LEAF;
  own->end = own->first + PERMI_PROOF_LEAF < all ? own->first + PERMI_PROOF_LEAF : all;
  const double work = ldexp((double)proof->n, proof->n - proof->signs - 1) * (double)(own->end - own->first);
  const perm_leaf information = {
      PERM_LEAF_RANGE, PERM_METHOD_EXACT, isa, proof->n,
      (own->end - own->first + PERMI_PROOF_POINTS - 1) / PERMI_PROOF_POINTS, work, work / rate,
      sizeof(perm_partial) + sizeof(permi_intervals) + sizeof leaf + sizeof *own,
      permi_hash(permi_hash(proof->fingerprint, (uint64_t)index),
                 (uint64_t)proof->primes + 256 * PERMI_PROOF_SYNDROMES + 65536 * PERMI_PROOF_LEAF)};
  memset(&leaf, 0, sizeof leaf);
  leaf.information = information;
  leaf.run_chunk = permi_proof_chunk;
  leaf.release = permi_proof_leaf_release;
  leaf.explain = permi_proof_explain;
  leaf.context = own;
  leaf.workspace = ((size_t)(proof->signs + 3 + proof->n) * PERMI_PROOF_POINTS + /* forms, rows; inverses */
                    2 * (((size_t)1 << proof->signs) + PERMI_PROOF_POINTS + 32)) * sizeof(double);
  leaf.integer = 1;
  leaf.scale = permi_dd_make(1);
  return permi_job_push_leaf(job, &leaf);
}

/* Checks all but entries; `argument` is the position of the options, after the path. */
static perm_status permi_proof_refuse(const permi_problem *problem, const char *path, const perm_options *options,
                                      int argument, perm_result *result)
{
  const perm_checkpoint_file *kept = &options->checkpoint;
  if (options->method != PERM_METHOD_AUTO)
    return permi_fail(result, PERM_ERROR_OPTION, argument, "options: proofs go with method auto, not %s",
                      perm_name("method", options->method));
  if (options->precision != PERM_PRECISION_DEFAULT && options->precision != PERM_PRECISION_EXACT)
    return permi_fail(result, PERM_ERROR_OPTION, argument, "options: proofs are exact, so leave precision as it is");
  if (problem->m != problem->n || problem->n < 1 || problem->n > PERMI_PROOF_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "the matrix is %d x %d; proofs are of square ones of order 1 to %d",
                      problem->m, problem->n, PERMI_PROOF_MAX_N);
  if (path && !*path)
    return permi_fail(result, PERM_ERROR_OPTION, argument - 1, "path is an empty name (NULL means no file)");
  for (int i = kept->file ? -1 : 0; path && (i < 0 || (kept->merge && kept->merge[i])); i++)
    if (!strcmp(path, i < 0 ? kept->file : kept->merge[i]))
      return permi_fail(result, PERM_ERROR_OPTION, argument - 1, "the proof would replace the checkpoint %s", path);
  return PERM_OK;
}

static perm_status permi_proof_job(const permi_problem *problem, const char *path, const perm_options *options,
                                   int argument, perm_job **job, perm_result *result)
{
  const double start = permi_seconds();
  permi_control watch = permi_control_begin(options);
  perm_status status = permi_check_options(options, argument, result);
  double rate;
  *job = NULL;
  watch.activity = "planning";
  if (status == PERM_OK)
    status = permi_check_problem(problem, 0, result);
  if (status == PERM_OK)
    status = permi_proof_refuse(problem, path, options, argument, result);
  if (status != PERM_OK)
    return status;
  permi_proof *proof = permi_proof_make(problem, &watch, &rate);
  *job = proof ? permi_job_new(&options->allocator, PERM_PRECISION_EXACT) : NULL;
  if (!*job) {
    permi_owned_release(&options->allocator, proof);
    return watch.stopped == PERM_OK ? permi_fail_memory(result) : permi_fail_stopped(&watch, result);
  }
  (*job)->context = proof;
  (*job)->release = permi_owned_release;
  (*job)->value = permi_proof_value;
  (*job)->sweep = permi_run_sweep;
  (*job)->inspect = permi_proof_check;
  (*job)->sample = permi_proof_sample;
  (*job)->is_complex = proof->parts == 2;
  (*job)->modulus = options->modulus;
  const int leaves = proof->runs * proof->leaves; /* may take a gigabyte: copies while they grow would take long */
  (*job)->leaf = (permi_leaf *)permi_allocate(&options->allocator, (size_t)leaves, sizeof(permi_leaf));
  (*job)->leaf_room = (*job)->leaf ? leaves : 0;
  for (int i = 0; i < leaves; i++)
    if (permi_watch(&watch, 2000) || !permi_proof_push(*job, proof, i, permi_isa(options), rate)) {
      permi_job_replace(job, NULL);
      return watch.stopped == PERM_OK ? permi_fail_memory(result) : permi_fail_stopped(&watch, result);
    }
  (*job)->plan_seconds = permi_seconds() - start;
  return PERM_OK;
}

/* A path that cannot be written is refused before the work. */
static perm_status permi_proof_run(const permi_problem *problem, int argument, const char *path, double start,
                                   const perm_options *options_given, perm_result *result)
{
  perm_options options = *options_given;
  perm_state *state = NULL;
  perm_job *job;
  perm_status status = permi_proof_job(problem, path, &options, argument, &job, result);
  if (status == PERM_OK && path)
    status = permi_proof_write(job, NULL, path, result);
  if (status == PERM_OK && perm_state_create(job, &state) != PERM_OK)
    status = permi_fail_memory(result);
  options.max_seconds = permi_seconds_left(options_given, start);
  if (status == PERM_OK)
    status = options.execute && !options.checkpoint.merge ? options.execute(job, state, &options, result)
                                                          : perm_job_execute(job, state, &options, result);
  if (status == PERM_OK && path)
    status = permi_proof_write(job, state, path, result);
  perm_state_free(state);
  perm_job_free(job);
  result->seconds = permi_seconds() - start;
  return status;
}

static perm_status permi_prove(const permi_problem *problem, const char *path, const perm_options *options_given,
                               perm_result *result)
{
  const double start = permi_seconds();
  permi_metered call;
  if (!result)
    return PERM_ERROR_NULL;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_problem_bytes(problem));
  const perm_status status = permi_proof_run(problem, 6, path, start, options, result);
  return permi_kind(permi_meter_end(&call, status, result), problem->parts, options_given, result);
}

#define PERMI_PROVE(name, reach)                                                                                       \
  PERM_MORE_API perm_status name(int m, int n, const int64_t *a, ptrdiff_t ld, const char *path,                       \
                                 const perm_options *options, perm_result *result)                                     \
  { const permi_problem problem = permi_integers(m, n, a, ld, reach, NULL, NULL);                                      \
    return permi_prove(&problem, path, options, result); }
PERMI_PROVE(perm_prove_integer, &permi_reach_real)
PERMI_PROVE(perm_prove_gaussian, &permi_reach_complex)

PERM_MORE_API perm_status perm_prove_sparse(const perm_matrix *matrix, const char *path,
                                            const perm_options *options_given, perm_result *result)
{
  const double start = permi_seconds();
  const int parts = matrix && matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  permi_metered call;
  permi_problem problem;
  void *entries = NULL;
  if (!result)
    return PERM_ERROR_NULL;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  permi_control watch = permi_control_begin(options);
  perm_status status = permi_check_input(matrix, options, &watch, result);
  if (status == PERM_OK) {
    problem = permi_integers(matrix->m, matrix->n, NULL, matrix->n, permi_reach_of(parts), NULL, NULL);
    status = permi_proof_refuse(&problem, path, options, 3, result);
  }
  if (status == PERM_OK)
    status = permi_check_integers(matrix, &watch, result);
  if (status == PERM_OK)
    status = permi_sparse_array(matrix, &options->allocator, 1, &problem, &entries, result);
  if (status != PERM_OK && result->argument == 2 && !(path && !*path)) /* there the options are argument 2 */
    result->argument = 3;
  if (status == PERM_OK)
    status = permi_proof_run(&problem, 3, path, start, options, result);
  permi_release(&options->allocator, entries);
  return permi_kind(permi_meter_end(&call, status, result), parts, options_given, result);
}
/* SPDX-License-Identifier: MIT */
