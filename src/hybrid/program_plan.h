/* =================================================================================== >>program_plan
   Makes GPU programs of several layouts, keeps the best. */
#pragma once
#include "programs.h"

/* Adds chunks' sums: integers below 2^107 in two doubles. */
static int permi_code_add_whole(void *context, perm_partial *partial, uint64_t from, uint64_t chunks, const double *sum)
{
  const permi_leaf *leaf = ((const permi_gpu_call *)context)->leaf;
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  const permi_hybrid_runs *runs = hybrid->runs;
  const int each_log2 = hybrid->high - hybrid->chunk_log2;
  for (uint64_t chunk = from; chunk < from + chunks; chunk++, sum += PERM_GPU_SUMS) {
    const permi_hybrid_run *run = runs->primes ? &runs->run[chunk >> each_log2] : NULL;
    if (!(fabs(sum[0]) <= DBL_MAX && fabs(sum[1]) <= DBL_MAX))
      return 0;
    if (run) {
      const double prime = (double)run->prime.p;
      permi_whole_add(runs, run, fmod(sum[0], prime) + fmod(sum[1], prime), partial);
    } else {
      permi_sum_add_double(&partial->value, sum[0]);
      permi_sum_add_double(&partial->value, sum[1]);
    }
  }
  permi_gpu_count(leaf, partial, from, chunks);
  return 1;
}

#define PERMI_GPU_TRIALS 6
typedef struct permi_code_trial {
  permi_layouts work;
  permi_arrangement layout;
  double cost;
} permi_code_trial;

typedef struct permi_code_choice {
  permi_maker *maker;
  const permi_block *block;
  permi_hybrid_algebra algebra;
  int moves;
  permi_code_trial *trial;
  double *scaled; /* the matrix as oriented, or words of integers */
  long long scale_exp2;
  int given, zero;
  int reduced[64]; /* rows */
  permi_hybrid *best;
} permi_code_choice;

static int permi_code_passes(const permi_hybrid *hybrid)
{
  return hybrid->runs && hybrid->runs->primes ? hybrid->runs->passes : 1;
}

static double permi_code_seconds(const permi_hybrid *hybrid)
{
  const permi_code *code = hybrid->code;
  const double spilled = fmax(code->live - PERMI_GPU_LIVE, 0);
  const double large = fmax(code->moduli - PERMI_GPU_LARGE, 0) / 6000;
  return (code->operations + code->moves) * ldexp(1, hybrid->n - 1 - hybrid->inner) /
         (PERMI_GPU_PIPE * (hybrid->parts == 1 ? 1 : PERMI_GPU_PART)) * permi_code_passes(hybrid) *
         permi_gpu_slower(PERM_GPU_FP64) * (1 + spilled * spilled / (PERMI_GPU_SPILL * PERMI_GPU_SPILL)) * (1 + large);
}

static void permi_code_rows(permi_coder *coder, const permi_code_choice *choice)
{
  const double *a = choice->scaled;
  const permi_layouts *work = coder->work;
  int i, k, n = work->n;
  for (i = 0; i < n + work->nodes && coder->memos <= PERMI_GPU_MEMO; i++) {
    coder->place[i] = coder->memos;
    coder->memos += 1 << permi_count_ones(work->node[i].scope);
    if (i < n && !coder->whole)
      permi_hybrid_row(&coder->rows, choice->algebra, a, coder->layout->order, i);
    for (k = 0; k < n && i < n && coder->whole; k++)
      memcpy(coder->rows.number[i][k], a + (i * n + coder->layout->order[k]) * PERMI_WHOLE_WORDS, sizeof(double[4]));
  }
}

static void permi_code_put_words(const permi_coder *coder, const permi_hybrid_run *run, int i, const double *x,
                                 int factor, double *to)
{
  for (int p = 0; p < coder->parts; p++)
    to[i * coder->parts + p] = coder->reduced[i] ? permi_whole_residue(run, x, factor) : factor * x[p];
}

static void permi_code_table(const permi_coder *coder, const permi_hybrid *hybrid, const permi_hybrid_run *run,
                             double *table)
{
  const permi_code *code = coder->code;
  const int words = hybrid->n * coder->parts, first = hybrid->inner + code->walk;
  for (int i = 0; i < hybrid->n; i++) {
    double sum[PERMI_WHOLE_WORDS] = {0, 0, 0, 0};
    for (int k = hybrid->inner; k < hybrid->n; k++)
      for (int p = 0; p < PERMI_WHOLE_WORDS; p++)
        sum[p] += coder->rows.number[i][k][p];
    permi_code_put_words(coder, run, i, sum, 1, table);
    for (int k = 0; k < hybrid->high; k++)
      permi_code_put_words(coder, run, i, coder->rows.number[i][first + k], 2, table + words * (1 + k));
  }
  if (!run)
    return;
  table += words * (1 + hybrid->high);
  *table++ = -(double)run->prime.p;
  *table++ = 1 / (double)run->prime.p;
  for (int k = 0; k < code->residues; k++)
    table[k] = permi_whole_residue(run, code->residue + k * PERMI_WHOLE_WORDS, 1);
}

/* Returns 0 without memory. */
static int permi_code_tables(const permi_coder *coder, const permi_code_choice *choice, permi_hybrid *hybrid)
{
  const perm_allocator *allocator = coder->code->allocator;
  const size_t doubles = (size_t)permi_code_pass(hybrid);
  if (choice->block->integer) {
    if (!permi_whole_runs(allocator, choice->block, choice->maker->options->modulus, 0, hybrid))
      return 0;
    hybrid->gpu.add = permi_code_add_whole;
  }
  const permi_hybrid_runs *runs = hybrid->runs;
  const int passes = permi_code_passes(hybrid);
  hybrid->gpu.work.doubles = (size_t)passes * doubles;
  double *table = (double *)permi_allocate_zeros(allocator, hybrid->gpu.work.doubles, sizeof(double));
  hybrid->gpu.work.table = hybrid->gpu.memory = table;
  if (!table)
    return 0;
  for (int k = 0; k < passes; k++)
    permi_code_table(coder, hybrid, runs && runs->primes ? &runs->run[k] : NULL, table + (size_t)k * doubles);
  return 1;
}

/* Decides what grows, by sizes in the tables of the CPU's program. */
static void permi_code_growths(permi_coder *coder, permi_hybrid *hybrid, const double *word)
{
  permi_hybrid_maker *maker = &coder->maker;
  double row[64];
  int i, k, n = coder->work->n;
  maker->work = coder->work;
  maker->layout = coder->layout;
  maker->hybrid = hybrid;
  maker->growths = (permi_growths *)permi_allocate_zeros(coder->code->allocator, 1, sizeof *maker->growths);
  coder->code->failed = 2;
  if (!maker->growths)
    return;
  maker->growths->most_halvings = n - 1;
  for (i = 0; i < n; i++) {
    for (k = 0; k < n; k++, word += PERMI_WHOLE_WORDS)
      row[k] = word[0] + 4294967296.0 * word[1];
    permi_whole_row(maker, row, i, coder->reduced[i]);
  }
  permi_maker_plan(maker);
  coder->code->failed = maker->failed;
  coder->grows = hybrid->grows;
}

static void permi_code_fill(permi_coder *coder, permi_hybrid *hybrid, const double *a)
{
  permi_code *code = coder->code;
  if (coder->whole)
    permi_code_growths(coder, hybrid, a);
  else
    permi_hybrid_errors(&coder->rows, &hybrid->rounding);
  permi_code_statements(coder);
  if (!code->failed && (!permi_code_live(coder, 0, code->moduli) ||
                        !permi_code_live(coder, code->moduli, code->statements)))
    code->failed = 2;
  if (code->failed)
    return;
  for (int k = 0; k < (code->certify ? code->statements : code->moduli); k++) {
    const int first_words = permi_hybrid_is_complex((int)hybrid->algebra) ? 2 : 1; /* which moduli load */
    code->operations += permi_code_operations(code, k, hybrid->algebra);
    if (code->statement[k].kind == PERMI_CODE_BASE)
      code->moves += PERMI_GPU_LOAD * (k < code->moduli ? coder->parts : first_words);
  }
  for (int k = 0; k < code->walk; k++)
    code->moves += ldexp(PERMI_GPU_FLIP * coder->parts * (code->first_flip[k + 1] - code->first_flip[k]), -k - 1);
  permi_code_text(coder, hybrid);
}

#define PERMI_GPU_VARIANTS 3
#define PERMI_CODE_BASES 224 /* words that shared memory takes, on Hopper */
static perm_status permi_code_create(const permi_code_choice *choice, permi_code_trial *trial, int variant,
                                     permi_hybrid **made)
{
  static const int remake[PERMI_GPU_VARIANTS] = {PERMI_GPU_VALUES, 400, 150};
  static const int reload[PERMI_GPU_VARIANTS] = {200, 100, 60};
  const perm_allocator *allocator = &choice->maker->options->allocator;
  const permi_hybrid_algebra algebra = choice->algebra;
  permi_layouts *work = &trial->work;
  permi_arrangement *layout = &trial->layout;
  const int n = work->n, outer = n - 1 - layout->inner, certify = choice->maker->options->certify;
  permi_coder *coder = (permi_coder *)permi_allocate_zeros(allocator, 1, sizeof *coder);
  permi_code *code = (permi_code *)permi_allocate_zeros(allocator, 1, sizeof *code);
  permi_hybrid *hybrid = (permi_hybrid *)permi_allocate(allocator, 1, sizeof *hybrid);
  int most, words, failed = 2;
  *made = NULL;
  if (hybrid)
    permi_hybrid_begin(hybrid, work, layout, algebra);
  if (coder && code && hybrid) {
    words = n * hybrid->parts;
    most = outer - PERM_GPU_THREADS_LOG2;
    code->walk = permi_clamp(most - 11, most < 3 ? most : 3, PERMI_GPU_WALK);
    hybrid->high = outer - code->walk;
    hybrid->chunk_log2 = PERM_GPU_THREADS_LOG2;
    hybrid->walked = code->walk;
    /* a thread samples 1/128 of its patterns, or more for 2^18 in all */
    most = code->walk;
    code->samples_log2 = certify ? most : permi_clamp(18 - hybrid->high, most < 7 ? 0 : most - 7, most);
    code->allocator = allocator;
    coder->work = work;
    coder->layout = layout;
    coder->code = hybrid->code = code;
    coder->parts = hybrid->parts;
    coder->remake = remake[variant];
    coder->reload = reload[variant];
    coder->rows.n = n;
    coder->whole = algebra == PERMI_HYBRID_WHOLE;
    coder->doubled = permi_hybrid_is_doubled((int)algebra);
    coder->floor = hybrid->rounding.floor;
    coder->reduced = choice->reduced;
    code->certify = certify && !coder->whole;
    permi_code_rows(coder, choice);
    coder->memo = (int *)permi_allocate(allocator, (size_t)coder->memos, sizeof(int));
    code->failed = !coder->memo ? 2 : coder->memos > PERMI_GPU_MEMO || words > PERMI_CODE_BASES;
    if (!code->failed)
      permi_code_fill(coder, hybrid, choice->scaled);
    if (!code->failed && !permi_code_tables(coder, choice, hybrid))
      code->failed = 2;
    permi_release(allocator, coder->maker.growths);
    permi_release(allocator, coder->memo);
    code->program.text = code->text;
    code->program.shared = sizeof(double) * 128 * (size_t)(words > PERM_GPU_SUMS ? words : PERM_GPU_SUMS);
    code->program.twin = PERMI_CODE_TWIN;
    code->program.context = hybrid;
    hybrid->isa = PERM_ISA_CUDA;
    hybrid->gpu.allocator = *allocator;
    hybrid->gpu.work.program = &code->program;
    hybrid->gpu.work.absolute_mask = (1u << (code->walk - code->samples_log2)) - 1;
    hybrid->gpu.terms = ldexp(1, PERM_GPU_THREADS_LOG2 + code->walk);
    failed = code->failed;
  } else {
    permi_code_release(allocator, code);
  }
  permi_release(allocator, coder);
  if (failed)
    permi_hybrid_release(allocator, hybrid);
  else
    *made = hybrid;
  return failed == 2 ? PERM_ERROR_MEMORY : PERM_OK;
}

static uint64_t permi_code_hash(uint64_t hash, const permi_code *code, const perm_gpu_work *gpu)
{
  for (size_t k = 0; k < code->length; k += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, code->text + k, code->length - k < sizeof word ? code->length - k : sizeof word);
    hash = permi_hash(hash, word);
  }
  for (size_t k = 0; k < gpu->doubles; k++)
    hash = permi_hash_double(hash, gpu->table[k]);
  return hash;
}

static perm_status permi_code_search(void *context, uint64_t number, int thread)
{
  const permi_code_choice *choice = (const permi_code_choice *)context;
  permi_code_trial *trial = &choice->trial[number];
  uint64_t seed = UINT64_C(0x9e3779b97f4a7c15) + number;
  (void)thread;
  trial->cost = choice->moves
                    ? permi_layout_anneal(&trial->work, &trial->layout, trial->cost, choice->moves, &seed)
                    : permi_layout_first(&trial->work, number & 1, &trial->layout);
  return PERM_OK;
}

/* Times, in that of doubles. */
#define PERMI_GPU_WHOLE 2.5     /* a prime */
#define PERMI_GPU_CERTIFIED 2.2
static double permi_code_rate(const permi_maker *maker, const permi_block *block, double otherwise)
{
  static const double each[PERMI_HYBRID_ALGEBRAS] = {1, 4, 10, PERMI_GPU_WHOLE, 60};
  const permi_hybrid_algebra algebra = permi_hybrid_algebra_of(maker);
  const int whole = algebra == PERMI_HYBRID_WHOLE;
  double slower = each[algebra] * (whole ? permi_whole_passes(block, 0) : 1);
  if (!permi_gpu_wanted(maker->options, block->n))
    return otherwise;
  if (maker->options->certify && !whole)
    slower += PERMI_GPU_CERTIFIED - 1;
  return PERMI_GPU_PIPE * PERMI_GPU_PART / (slower * permi_gpu_slower(PERM_GPU_FP64));
}

static double permi_code_search_all(permi_code_choice *choice, double rival)
{
  static const int budget[3] = {150, 130, 110};
  const int n = choice->block->n;
  const double rate = permi_code_rate(choice->maker, choice->block, 0);
  const double density = (double)choice->block->edges / ((double)n * n);
  double least = (double)INFINITY;
  for (int k = 0; k < PERMI_GPU_TRIALS; k++) {
    permi_layouts *work = &choice->trial[k].work;
    permi_layouts_make(work, choice->block);
    work->gpu = 1;
    work->budget = budget[k / 2] / permi_hybrid_parts((int)choice->algebra);
  }
  for (int pass = 0; pass < 2; pass++) {
    permi_share(permi_threads(choice->maker->options), 0, PERMI_GPU_TRIALS, permi_code_search, choice, NULL);
    for (int k = 0; k < PERMI_GPU_TRIALS; k++)
      least = fmin(least, choice->trial[k].cost / rate);
    choice->moves = (int)fmin(0.2 * fmin(least, rival) / (PERMI_HYBRID_MOVE_SECONDS * (1 + 4 * density)),
                              PERMI_GPU_MOVES);
    if (density > 0.65) /* seen: a tenth at 0.7, nothing in full matrices */
      choice->moves = choice->moves < 4000 ? choice->moves : 4000;
    if (choice->moves < 20 || least > 300 * rival)
      break;
  }
  return least;
}

static perm_status permi_code_try(permi_code_choice *choice, permi_code_trial *trial)
{
  perm_status status = PERM_OK;
  permi_hybrid *hybrid;
  if (choice->given != trial->layout.transposed) {
    choice->given = trial->layout.transposed;
    if (choice->block->integer)
      permi_whole_words(choice->block, choice->given, choice->scaled, choice->reduced);
    else
      status = permi_hybrid_matrix(choice->maker, choice->block, choice->given, choice->scaled, &choice->scale_exp2,
                                   trial->work.line_exp2, &choice->zero);
  }
  for (int k = 0; k < PERMI_GPU_VARIANTS && status == PERM_OK && !choice->zero; k++) {
    status = permi_code_create(choice, trial, k, &hybrid);
    if (hybrid) {
      const int faster = !choice->best || permi_code_seconds(hybrid) < permi_code_seconds(choice->best);
      hybrid->scale_exp2 += choice->scale_exp2;
      permi_hybrid_release(&choice->maker->options->allocator, faster ? choice->best : hybrid);
      choice->best = faster ? hybrid : choice->best;
    }
  }
  return status;
}

static perm_status permi_code_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_options *options = maker->options;
  const int n = block->n, parts = block->integer ? PERMI_WHOLE_WORDS : maker->working->is_complex ? 2 : 1;
  permi_code_choice choice = {maker, block, permi_hybrid_algebra_of(maker), 0, NULL, NULL, 0, -1, 0, {0}, NULL};
  permi_pool pool = {&options->allocator, NULL, 0};
  if (!permi_gpu_wanted(options, n) || (options->isa != PERM_ISA_CUDA && rival <= 2 * PERMI_GPU_COMPILE))
    return PERM_OK;
  choice.trial = (permi_code_trial *)permi_pool_get(&pool, PERMI_GPU_TRIALS, sizeof *choice.trial);
  choice.scaled = (double *)permi_pool_get(&pool, (size_t)(n * n * parts), sizeof *choice.scaled);
  perm_status status = pool.failed ? PERM_ERROR_MEMORY : PERM_OK;
  const double least = status == PERM_OK ? permi_code_search_all(&choice, rival) : 0;
  for (int k = 0; k < PERMI_GPU_TRIALS && status == PERM_OK && least < 1.2 * rival; k++)
    status = permi_code_try(&choice, &choice.trial[k]);
  permi_pool_release(&pool);
  offer->plan = choice.best;
  if (status != PERM_OK || !choice.best)
    return status == PERM_ERROR_MEMORY ? permi_fail_memory(maker->result) : status;
  permi_hybrid *hybrid = choice.best;
  uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)hybrid->algebra);
  hash = permi_hash(permi_hash(hash, (uint64_t)hybrid->high), (uint64_t)hybrid->n);
  hash = permi_code_hash(hash, hybrid->code, &hybrid->gpu.work);
  hash = hybrid->runs ? permi_hash(hash, hybrid->runs->modulus) : hash;
  hybrid->fingerprint = hybrid->gpu.work.fingerprint = hash;
  offer->seconds = permi_code_seconds(hybrid) + PERMI_GPU_COMPILE +
                   PERMI_GPU_COMPILE_EACH * hybrid->code->statements *
                       (hybrid->parts == 1 ? 1 : hybrid->parts == 2 ? 7 : 20);
  offer->bytes = (double)hybrid->code->length + 64.0 * hybrid->code->statements;
  return PERM_OK;
}

static perm_status permi_code_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  const permi_hybrid *hybrid = (const permi_hybrid *)offer->plan;
  (void)maker, (void)block;
  if (hybrid->code)
    leaf->run_range = permi_gpu_range;
  return PERM_OK;
}

static void permi_code_explain(const permi_hybrid *hybrid, char *buffer, size_t size, size_t *length)
{
  const permi_code *code = hybrid->code;
  permi_hybrid_say(buffer, size, length,
                   "%d in a walk, %d by threads; a kernel of %d statements and %d for moduli, %d constants, at most "
                   "%d doubles waiting; %.4g operations per outer pattern; ",
                   code->walk, hybrid->high, code->moduli, code->statements - code->moduli, code->constants,
                   code->live, code->operations);
}
/* SPDX-License-Identifier: MIT */
