/* =================================================================================== >>program_tune
   The plan on a GPU, its candidates, and the offers of hybrid and cached. */
#pragma once
#include "../block/engines.h"
#include "program_text.h"

/* The block's scaled matrix in an orientation, [n][n][parts]; zero: a line is 0. */
static perm_status permi_hybrid_matrix(permi_maker *maker, const permi_block *block, int transposed, double *scaled,
                                       long long *scale_exp2, int *zero)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const int n = block->n, parts = maker->working->is_complex ? 2 : 1;
  permi_problem problem;
  void *entries;
  perm_plan plan;
  permi_view view;
  int i, j, p, (*exponent)[PERM_MAX_N];
  perm_status status = permi_make_problem(maker, block, &problem, &entries);
  if (status != PERM_OK)
    return status;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (p = 0; p < parts; p++)
        scaled[(i * n + j) * parts + p] = ((double *)entries)[(transposed ? j * n + i : i * n + j) * parts + p];
  permi_release(allocator, entries);
  exponent = permi_scale_room(allocator, n);
  if (!exponent)
    return permi_fail_memory(maker->result);
  memset(&plan, 0, sizeof plan);
  plan.n = n;
  view.a = scaled;
  view.ld = n;
  view.parts = parts;
  permi_plan_scale(&plan, &view, exponent);
  permi_release(allocator, exponent);
  *zero = plan.zero;
  *scale_exp2 = 0;
  for (i = 0; i < n && !plan.zero; i++) {
    *scale_exp2 -= plan.row_exp2[i] + plan.column_exp2[i];
    for (j = 0; j < n; j++)
      for (p = 0; p < parts; p++)
        scaled[(i * n + j) * parts + p] = permi_scaled(&plan, &view, i, j, p);
  }
  return PERM_OK;
}

#if defined(PERM_WITH_CUDA)
/* Seconds on one GPU, compiled. Too many waiting values are spilled. */
static double permi_code_seconds(const permi_hybrid *hybrid)
{
  const permi_code *code = hybrid->code;
  const double spilled = fmax(code->live - PERMI_GPU_LIVE, 0);
  const double large = hybrid->inner ? fmax(code->moduli - PERMI_GPU_LARGE, 0) / 6000
                                     : fmax(code->moduli - 4000, 0) / 40000;
  return (hybrid->operations_a_term + ldexp(code->moves, -hybrid->low)) * ldexp(1, hybrid->n - 1 - hybrid->inner) /
         (PERMI_GPU_PIPE * (hybrid->parts == 1 ? 1 : PERMI_GPU_PART)) *
         (1 + spilled * spilled / (PERMI_GPU_SPILL * PERMI_GPU_SPILL)) * (1 + large);
}

static void permi_code_rows(permi_coder *coder, permi_hybrid_algebra algebra, const double *a)
{
  const permi_layouts *work = coder->work;
  const permi_arrangement *layout = coder->layout;
  const uint64_t *column = work->column[layout->transposed];
  int i, k, growth = 0;
  for (i = 0; i < work->n && coder->memos <= PERMI_GPU_MEMO; i++) {
    for (k = 0; k < layout->inner; k++)
      coder->scope[i] |= (uint32_t)(column[layout->order[k]] >> i & 1) << k;
    for (k = 0; k < layout->low; k++)
      coder->dirty[i] |= (uint32_t)(column[layout->order[layout->inner + k]] >> i & 1) << k;
    permi_code_prepare_row(coder, algebra, a, i, &growth);
    k = 1 << permi_bits32(coder->scope[i]);
    coder->whole[i] = coder->memos;
    coder->near[i] = coder->memos + k;
    coder->memos += 2 * k;
  }
  for (k = 0; k < work->nodes && coder->memos <= PERMI_GPU_MEMO; k++) {
    coder->node[k] = coder->memos;
    coder->memos += 1 << permi_bits32(work->node[k].scope);
  }
}

/* The table: start [words], steps of the high columns; exact. */
static void permi_code_table(const permi_coder *coder, const permi_hybrid *hybrid, double *table)
{
  const int parts = coder->parts, words = hybrid->n * parts, first = hybrid->inner + hybrid->low + coder->code->walk;
  int i, k, p;
  memset(table, 0, (size_t)(words * (1 + hybrid->high)) * sizeof *table);
  for (i = 0; i < hybrid->n; i++)
    for (p = 0; p < parts; p++)
      for (k = hybrid->inner; k < hybrid->n; k++) {
        table[i * parts + p] += coder->rows.number[i][k][p];
        if (k >= first && k - first < hybrid->high)
          table[words * (1 + k - first) + i * parts + p] = 2 * coder->rows.number[i][k][p];
      }
}

static void permi_code_fill(permi_coder *coder, permi_hybrid *hybrid)
{
  permi_code *code = coder->code;
  const int parts = coder->parts;
  int k;
  permi_hybrid_errors(&coder->rows, &hybrid->rounding);
  permi_code_statements(coder);
  if (!code->failed && (!permi_code_live(coder, 0, code->moduli) ||
                        !permi_code_live(coder, code->moduli, code->statements)))
    code->failed = 2;
  if (code->failed)
    return;
  for (k = 0; k < code->moduli; k++) {
    code->operations += permi_code_operations(&code->statement[k], hybrid->algebra);
    code->moves += code->statement[k].kind == PERMI_CODE_BASE ? PERMI_GPU_LOAD * parts : 0;
  }
  for (k = 0; k < code->walk; k++)
    code->moves += ldexp(PERMI_GPU_FLIP * parts * (code->first_flip[k + 1] - code->first_flip[k]), -k - 1);
  hybrid->operations_a_term = ldexp(code->operations, -hybrid->low);
  coder->literals = hybrid->algebra == PERMI_HYBRID_REAL && permi_code_seconds(hybrid) < PERMI_GPU_LITERAL_SECONDS;
  permi_code_text(coder, hybrid);
}

#define PERMI_GPU_VARIANTS 3
/* The program in *made, as permi_hybrid_create. */
static perm_status permi_code_create(const perm_allocator *allocator, permi_layouts *work, permi_arrangement *layout,
                                     permi_hybrid_algebra algebra, int variant, const double *a, permi_hybrid **made)
{
  static const int remake[PERMI_GPU_VARIANTS] = {PERMI_GPU_VALUES, 400, 150};
  static const int reload[PERMI_GPU_VARIANTS] = {200, 100, 60};
  const int n = work->n, outer = n - 1 - layout->inner - layout->low;
  permi_coder *coder = (permi_coder *)permi_allocate(allocator, 1, sizeof *coder);
  permi_code *code = permi_code_make(allocator);
  permi_hybrid *hybrid = (permi_hybrid *)permi_allocate(allocator, 1, sizeof *hybrid);
  perm_gpu_work *gpu;
  int most, words, failed;
  *made = NULL;
  if (!coder || !code || !hybrid) {
    permi_release(allocator, coder);
    permi_code_release(allocator, code);
    permi_release(allocator, hybrid);
    return PERM_ERROR_MEMORY;
  }
  memset(coder, 0, sizeof *coder);
  permi_hybrid_begin(hybrid, work, layout, algebra);
  hybrid->code = code;
  hybrid->isa = PERM_ISA_CUDA;
  hybrid->gpu.allocator = *allocator;
  words = n * hybrid->parts;
  most = outer - PERM_GPU_THREADS_LOG2; /* walk, and bits of chunk numbers */
  code->walk = permi_clamp(most - 11, most < 3 ? most : 3, PERMI_GPU_WALK);
  hybrid->high = outer - code->walk;
  hybrid->chunk_log2 = PERM_GPU_THREADS_LOG2;
  hybrid->walked = code->walk;
  /* a thread samples 1/128 of its 2^(walk + low) patterns, or more for 2^18 in all */
  most = code->walk + hybrid->low;
  code->samples_log2 = permi_clamp(18 - hybrid->high, most < 7 ? 0 : most - 7, most);
  code->scale = permi_dd_make(1);
  coder->work = work;
  coder->layout = layout;
  coder->code = code;
  coder->parts = hybrid->parts;
  coder->remake = remake[variant];
  coder->reload = reload[variant];
  coder->rows.n = n;
  coder->floor = hybrid->rounding.floor;
  permi_code_rows(coder, algebra, a);
  gpu = &hybrid->gpu.work;
  gpu->doubles = (size_t)(words * (1 + hybrid->high));
  gpu->table = hybrid->gpu.memory = (double *)permi_allocate(allocator, gpu->doubles, sizeof(double));
  coder->memo = (int *)permi_allocate(allocator, (size_t)coder->memos, sizeof(int));
  if (!gpu->table || !coder->memo) {
    code->failed = 2;
  } else if (coder->memos > PERMI_GPU_MEMO) {
    code->failed = 1;
  } else {
    permi_code_table(coder, hybrid, hybrid->gpu.memory);
    permi_code_fill(coder, hybrid);
  }
  permi_release(allocator, coder->memo);
  permi_release(allocator, coder);
  code->program.text = code->text;
  code->program.shared = sizeof(double) * 128 * (size_t)(words > PERM_GPU_SUMS ? words : PERM_GPU_SUMS);
  code->program.twin = PERMI_CODE_TWIN;
  code->program.context = hybrid;
  gpu->program = &code->program;
  gpu->absolute_mask = (1u << (code->walk + hybrid->low - code->samples_log2)) - 1;
  hybrid->gpu.terms = ldexp(1, PERM_GPU_THREADS_LOG2 + code->walk + hybrid->low);
  hybrid->scale_exp2 = code->scale_exp2;
  failed = code->failed;
  if (failed)
    permi_hybrid_release(allocator, hybrid);
  else
    *made = hybrid;
  return failed == 2 ? PERM_ERROR_MEMORY : PERM_OK;
}

static uint64_t permi_code_hash(uint64_t hash, const permi_code *code, const perm_gpu_work *gpu)
{
  uint64_t word;
  size_t k;
  for (k = 0; k < code->length; k += sizeof word) {
    word = 0;
    memcpy(&word, code->text + k, code->length - k < sizeof word ? code->length - k : sizeof word);
    hash = permi_hash(hash, word);
  }
  for (k = 0; k < gpu->doubles; k++)
    hash = permi_hash_double(hash, gpu->table[k]);
  return hash;
}

static uint64_t permi_code_fingerprint(const permi_hybrid *hybrid)
{
  uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)hybrid->algebra);
  hash = permi_hash(permi_hash(hash, (uint64_t)hybrid->high), (uint64_t)hybrid->n);
  return permi_code_hash(hash, hybrid->code, &hybrid->gpu.work);
}

typedef struct permi_code_trial {
  permi_layouts work;
  permi_arrangement layout;
  double cost;
} permi_code_trial;

static void permi_code_search(permi_code_trial *trial, int number, int inner, int moves)
{
  const int most_low = inner ? 3 : -1;
  uint64_t seed = UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)number;
  int pass;
  if (!moves)
    trial->cost = permi_layout_first(&trial->work, number & 1, inner, PERMI_GPU_LEAST_OUTER, &trial->layout);
  for (pass = 0; pass < 2 && moves; pass++)
    trial->cost = permi_layout_anneal(&trial->work, &trial->layout, trial->cost, (moves + pass) / 2, most_low,
                                      PERMI_GPU_LEAST_OUTER, pass ? 0.05 : 0.2, &seed);
}

/* The matrix is in orientation `given`. */
typedef struct permi_code_choice {
  permi_hybrid_algebra algebra;
  double *scaled;
  long long scale_exp2;
  int given, zero; /* -1: none yet */
  int wanted;      /* programs to keep */
  permi_hybrid *best;
} permi_code_choice;

/* Keeps a program if it is new and among the best. 1: it is the best. */
static int permi_code_keep(const perm_allocator *allocator, permi_code_choice *choice, permi_hybrid *hybrid)
{
  const double seconds = permi_code_seconds(hybrid);
  permi_hybrid **at, *other;
  int place = 0, k, same = 0;
  for (at = &choice->best; *at && permi_code_seconds(*at) <= seconds && !same; at = &(*at)->next, place++)
    same = (*at)->transposed == hybrid->transposed && (*at)->code->length == hybrid->code->length &&
           !memcmp((*at)->code->text, hybrid->code->text, hybrid->code->length);
  if (same || place >= choice->wanted) {
    permi_hybrid_release(allocator, hybrid);
    return 0;
  }
  hybrid->next = *at;
  *at = hybrid;
  for (k = 1, other = choice->best; k < choice->wanted && other; k++)
    other = other->next;
  if (other && other->next) {
    permi_hybrid_release(allocator, other->next);
    other->next = NULL;
  }
  return place == 0;
}

/* The trial's programs; *better: one is the best. */
static perm_status permi_code_try(permi_maker *maker, const permi_block *block, permi_code_trial *trial,
                                  permi_code_choice *choice, int *better)
{
  const perm_allocator *allocator = &maker->options->allocator;
  perm_status status = PERM_OK;
  permi_hybrid *hybrid;
  int k;
  *better = 0;
  if (choice->given != trial->layout.transposed) {
    choice->given = trial->layout.transposed;
    status = permi_hybrid_matrix(maker, block, choice->given, choice->scaled, &choice->scale_exp2, &choice->zero);
  }
  for (k = 0; k < PERMI_GPU_VARIANTS && status == PERM_OK && !choice->zero; k++) {
    status = permi_code_create(allocator, &trial->work, &trial->layout, choice->algebra, k, choice->scaled, &hybrid);
    if (hybrid) {
      hybrid->scale_exp2 += choice->scale_exp2;
      *better |= permi_code_keep(allocator, choice, hybrid);
    }
  }
  return status;
}

/* Operations a second, folds weighted. */
static double permi_code_rate(permi_hybrid_algebra algebra)
{
  const double slower = algebra == PERMI_HYBRID_REAL ? 1 : algebra == PERMI_HYBRID_COMPLEX ? 4 : 6;
  return PERMI_GPU_PIPE * PERMI_GPU_PART / slower;
}

typedef struct permi_code_searching {
  permi_code_trial *trial;
  int inner, moves;
} permi_code_searching;

static perm_status permi_code_search_one(void *context, uint64_t number, int thread)
{
  const permi_code_searching *searching = (const permi_code_searching *)context;
  (void)thread;
  permi_code_search(&searching->trial[number], (int)number, searching->inner, searching->moves);
  return PERM_OK;
}

/* Anneals all trials; returns how many moves take as long as the run or the rival. *least: seconds of the best. */
#define PERMI_GPU_TRIALS 12
static double permi_code_search_all(permi_maker *maker, const permi_block *block, double rival,
                                    permi_code_searching *searching, permi_hybrid_algebra algebra, double *least)
{
  static const int budget[3] = {150, 130, 110};
  const double rate = permi_code_rate(algebra), density = (double)block->edges / ((double)block->n * block->n);
  const int real = algebra == PERMI_HYBRID_REAL, threads = permi_threads(maker->options);
  double worth = 0;
  int k, pass;
  *least = (double)INFINITY;
  searching->moves = 0;
  for (k = 0; k < PERMI_GPU_TRIALS; k++) {
    permi_layouts *work = &searching->trial[k].work;
    permi_layouts_make(work, block);
    work->gpu = real ? 1 : 2;
    work->add = k >= 6 && real ? 1.6 : 1; /* neither is better for all matrices */
    work->budget = budget[k / 2 % 3] / (real ? 1 : 2);
  }
  for (pass = 0; pass < 2; pass++) {
    permi_share(threads, 0, PERMI_GPU_TRIALS, permi_code_search_one, searching, NULL);
    for (k = 0; k < PERMI_GPU_TRIALS; k++)
      *least = fmin(*least, searching->trial[k].cost / rate);
    worth = fmin(*least, rival) / (PERMI_HYBRID_MOVE_SECONDS * (1 + 4 * density));
    searching->moves = (int)fmin(0.2 * worth, searching->inner ? PERMI_GPU_MOVES : 4000);
    if (density > 0.65) /* a tenth is gained at 0.7, nothing in full matrices */
      searching->moves = searching->moves < 4000 ? searching->moves : 4000;
    if (searching->moves < 20 || *least > 300 * rival)
      break;
  }
  return worth;
}

/* Offers the best program; a long sum's layout is annealed again. */
static perm_status permi_code_offer(permi_maker *maker, const permi_block *block, double rival, int inner,
                                    permi_hybrid_algebra algebra, permi_offer *offer)
{
  const perm_options *options = maker->options;
  const perm_allocator *allocator = &options->allocator;
  const int n = block->n, parts = maker->working->is_complex ? 2 : 1;
  permi_code_choice choice;
  permi_code_searching searching;
  permi_hybrid *hybrid;
  perm_status status = PERM_OK;
  double least, worth;
  int k, moves, best = 0, better;
  memset(&choice, 0, sizeof choice);
  searching.trial = (permi_code_trial *)permi_allocate(allocator, PERMI_GPU_TRIALS, sizeof *searching.trial);
  searching.inner = inner;
  choice.scaled = (double *)permi_allocate(allocator, (size_t)(n * n * parts), sizeof *choice.scaled);
  choice.algebra = algebra;
  choice.given = -1;
  choice.wanted = options->gpu.tune ? PERMI_GPU_CANDIDATES : 1;
  if (searching.trial && choice.scaled) {
    worth = permi_code_search_all(maker, block, rival, &searching, algebra, &least);
    for (k = 0; k < PERMI_GPU_TRIALS && status == PERM_OK && least < 1.2 * rival; k++) {
      status = permi_code_try(maker, block, &searching.trial[k], &choice, &better);
      best = better ? k : best;
    }
    moves = (int)fmin(0.02 * worth, PERMI_GPU_MOVES_MORE);
    if (status == PERM_OK && choice.best && inner && moves >= PERMI_GPU_MOVES / 4) {
      permi_code_search(&searching.trial[best], PERMI_GPU_TRIALS, inner, moves);
      status = permi_code_try(maker, block, &searching.trial[best], &choice, &better);
    }
  } else {
    status = PERM_ERROR_MEMORY;
  }
  permi_release(allocator, searching.trial);
  permi_release(allocator, choice.scaled);
  if (status != PERM_OK)
    permi_hybrid_release(allocator, choice.best);
  if (status != PERM_OK || !choice.best)
    return status == PERM_ERROR_MEMORY ? permi_fail_memory(maker->result) : status;
  for (k = 0, hybrid = choice.best; hybrid; hybrid = hybrid->next) {
    hybrid->fingerprint = hybrid->gpu.work.fingerprint = permi_code_fingerprint(hybrid);
    hybrid->candidate = options->gpu.tune ? ++k : 0;
  }
  for (hybrid = choice.best; hybrid; hybrid = hybrid->next)
    hybrid->candidates = k;
  offer->plan = hybrid = choice.best;
  offer->seconds = permi_code_seconds(hybrid) + PERMI_GPU_COMPILE +
                   PERMI_GPU_COMPILE_EACH * hybrid->code->statements * (algebra == PERMI_HYBRID_REAL ? 1 : 7);
  offer->bytes = (double)hybrid->code->length + 64.0 * hybrid->code->statements;
  return PERM_OK;
}

/* For gpu.tune: *plan becomes the candidate asked for, or the fastest on a slice; later blocks take the same number, or
   their best by prediction. */
static perm_status permi_code_tune(permi_maker *maker, const permi_block *block, void **plan)
{
  const perm_options *options = maker->options;
  permi_hybrid *list = (permi_hybrid *)*plan, *hybrid, **at;
  const int candidates = list->candidates;
  double timed[PERMI_GPU_CANDIDATES];
  int number = 1, k;
  if (!list->code || !options->gpu.tune)
    return PERM_OK;
  memset(timed, 0, sizeof timed);
  if (maker->tuned) {
    number = maker->tuned <= candidates ? maker->tuned : 1;
  } else if (options->gpu.tune > 0) {
    number = options->gpu.tune;
    if (number > candidates)
      return permi_fail(maker->result, PERM_ERROR_OPTION, 2,
                        "options: tune = %d, but of the kernel for a block of order %d there are %d candidates",
                        options->gpu.tune, block->n, candidates);
  } else if (candidates > 1 && permi_code_seconds(list) >= PERMI_GPU_TUNE_SECONDS) {
    const perm_gpu_work *work[PERMI_GPU_CANDIDATES];
    uint64_t chunks[PERMI_GPU_CANDIDATES];
    double predicted[PERMI_GPU_CANDIDATES];
    for (k = 0, hybrid = list; hybrid; hybrid = hybrid->next, k++) {
      work[k] = &hybrid->gpu.work;
      chunks[k] = UINT64_C(1) << (hybrid->high - hybrid->chunk_log2);
      predicted[k] = permi_code_seconds(hybrid);
    }
    perm_cuda_tune(work, candidates, chunks, predicted, options, timed);
    for (k = 1; k < candidates; k++)
      if (timed[k] < timed[number - 1])
        number = k + 1;
  }
  for (at = &list, k = 1; k < number; k++)
    at = &(*at)->next;
  hybrid = *at;
  *at = hybrid->next;
  hybrid->next = NULL;
  permi_hybrid_release(&options->allocator, list);
  memcpy(hybrid->timed, timed, sizeof timed);
  maker->tuned = maker->tuned ? maker->tuned : number;
  *plan = hybrid;
  return PERM_OK;
}

#endif /* PERM_WITH_CUDA */

static void permi_hybrid_say(char *text, size_t size, size_t *length, const char *format, ...)
{
  va_list arguments;
  int more;
  va_start(arguments, format);
  more = vsnprintf(*length < size ? text + *length : NULL, *length < size ? size - *length : 0, format, arguments);
  va_end(arguments);
  *length += more > 0 ? (size_t)more : 0;
}

#if defined(PERM_WITH_CUDA)
static void permi_code_explain(const permi_hybrid *hybrid, double all, char *buffer, size_t size, size_t *length)
{
  const permi_code *code = hybrid->code;
  permi_hybrid_say(buffer, size, length,
                   "%d in a walk, %d by threads; a kernel of %d statements and %d for moduli, %d constants, at most "
                   "%d doubles waiting, %d rows divided; %.4g operations per outer pattern, %.3g in all; ",
                   code->walk, hybrid->high, code->moduli, code->statements - code->moduli, code->constants,
                   code->live, code->divided, hybrid->operations_a_term, all);
}

static void permi_code_explain_tuning(const permi_hybrid *hybrid, char *buffer, size_t size, size_t *length)
{
  int k;
  permi_hybrid_say(buffer, size, length, "  candidate %d of %d", hybrid->candidate, hybrid->candidates);
  for (k = 0; k < hybrid->candidates && hybrid->timed[0] > 0; k++) {
    permi_hybrid_say(buffer, size, length, k ? "," : ", by a slice of each");
    if (hybrid->timed[k] < (double)INFINITY)
      permi_hybrid_say(buffer, size, length, " %.3g s", hybrid->timed[k]);
    else
      permi_hybrid_say(buffer, size, length, " failed");
  }
  permi_hybrid_say(buffer, size, length, "\n");
}
#endif

static size_t permi_hybrid_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  static const char *const algebra[] = {"real", "complex", "compensated"};
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  const double all = hybrid->operations_a_term * ldexp(1, hybrid->n - 1 - hybrid->inner);
  size_t length = 0;
  permi_hybrid_say(buffer, size, &length, "block of order %d: %s, %s, %s%s; columns: %d inner, %d low, ", hybrid->n,
                   perm_method_name(leaf->information.method), perm_isa_name(leaf->information.isa),
                   algebra[hybrid->algebra], hybrid->transposed ? ", transposed" : "", hybrid->inner, hybrid->low);
#if defined(PERM_WITH_CUDA)
  if (hybrid->code)
    permi_code_explain(hybrid, all, buffer, size, &length);
  else
#endif
    permi_hybrid_say(buffer, size, &length,
                     "%d high, %d lanes; %d statements on %d slots, %.4g operations per outer pattern, %.3g in all, "
                     "dense has %.3g times as many; ",
                     hybrid->high, hybrid->lanes_log2, hybrid->statements, hybrid->slots, hybrid->operations_a_term,
                     all, 1.5 * hybrid->n * ldexp(1, hybrid->n - 1) / all);
  permi_hybrid_say(buffer, size, &length, "%.0f chunks, predicted %.3g s on one %s\n", (double)leaf->information.chunks,
                   leaf->information.seconds, hybrid->isa == PERM_ISA_CUDA ? "GPU" : "thread");
#if defined(PERM_WITH_CUDA)
  if (hybrid->candidate)
    permi_code_explain_tuning(hybrid, buffer, size, &length);
#endif
  return length;
}

static permi_hybrid_algebra permi_hybrid_algebra_of(const permi_maker *maker)
{
  return maker->working->is_complex                                   ? PERMI_HYBRID_COMPLEX
         : maker->options->precision == PERM_PRECISION_ACCURATE ? PERMI_HYBRID_COMPENSATED
                                                                 : PERMI_HYBRID_REAL;
}

/* 0: the offer says why hybrid does not take the block. */
static int permi_hybrid_takes(const permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_options *options = maker->options;
  const int is_complex = maker->working->is_complex;
  if (block->integer || maker->working->integer)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED,
                 "has exact integers; with precision fast or accurate this method takes them");
  else if (options->certify || options->precision == PERM_PRECISION_DD)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "is to have %s, which this method does not give",
                 options->certify ? "a guaranteed bound" : "precision dd");
  else if (is_complex && options->precision == PERM_PRECISION_ACCURATE)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "is complex, for which this method has no precision accurate");
#if defined(PERM_NO_COMPLEX)
  else if (is_complex)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "is complex, which this build leaves out");
#endif
  else if (block->n > PERM_MAX_N || block->n < 2)
    permi_refuse(offer, PERM_ERROR_LIMIT, "is not of an order from 2 to %d", PERM_MAX_N);
  else if (rival < PERMI_HYBRID_LEAST_SECONDS)
    permi_refuse(offer, PERM_ERROR_LIMIT, "takes less time than finding a layout");
  else
    offer->status = PERM_OK;
  return !offer->why[0];
}

/* A search's memory; NULL: out of memory. */
static permi_layouts *permi_hybrid_layouts(const permi_maker *maker, const permi_block *block, double rival)
{
  permi_layouts *work = (permi_layouts *)permi_allocate(&maker->options->allocator, 1, sizeof *work);
  if (!work)
    return NULL;
  permi_layouts_make(work, block);
  work->budget = PERMI_HYBRID_SLOT_BUDGET;
  work->account = maker->account;
  work->speed = permi_hybrid_rate(permi_isa(maker->options), permi_hybrid_algebra_of(maker));
  work->rival = rival;
  return work;
}

/* Seconds that the hybrid may reach, over which orders need not be searched: the first layout's over PERMI_HYBRID_GAIN.
   INFINITY: it does not matter. */
#define PERMI_HYBRID_GAIN 2 /* by annealing: seen 1.1 to 2.7 */
static perm_status permi_hybrid_hope(permi_maker *maker, const permi_block *block, double rival, double *hope)
{
  permi_arrangement layout;
  permi_layouts *work;
  permi_offer offer;
  double cost = (double)INFINITY, speed;
  int t;
  memset(&offer, 0, sizeof offer);
  *hope = (double)INFINITY;
  if (PERMI_ANNEAL_SHARE * rival < PERMI_ANNEAL_LEAST || !permi_hybrid_takes(maker, block, rival, &offer))
    return PERM_OK;
  work = permi_hybrid_layouts(maker, block, rival);
  if (!work)
    return permi_fail_memory(maker->result);
  for (t = 0; t < 2; t++) {
    permi_layout_start(work, t, &layout);
    cost = fmin(cost, permi_layout_greedy(work, &layout));
  }
  speed = work->speed;
#if defined(PERM_WITH_CUDA)
  if (permi_gpu_wanted(maker->options, block->n))
    speed = permi_code_rate(permi_hybrid_algebra_of(maker));
#endif
  *hope = cost / PERMI_HYBRID_GAIN / speed;
  permi_release(&maker->options->allocator, work);
  return PERM_OK;
}

static perm_status permi_hybrid_make_offer(permi_maker *maker, const permi_block *block, double rival, int inner,
                                           permi_offer *offer)
{
  const perm_options *options = maker->options;
  const perm_allocator *allocator = &options->allocator;
  const int n = block->n;
  const perm_isa isa = permi_isa(options) == PERM_ISA_AVX512 || permi_isa(options) == PERM_ISA_AVX2 ? permi_isa(options)
                                                                                                    : PERM_ISA_PLAIN;
  const permi_hybrid_algebra algebra = permi_hybrid_algebra_of(maker);
  permi_layouts *work;
  permi_arrangement layout;
  permi_hybrid *hybrid = NULL;
  permi_offer gpu;
  perm_status status = PERM_OK;
  double seconds = 0;
  if (!permi_hybrid_takes(maker, block, rival, offer))
    return PERM_OK;
  memset(&gpu, 0, sizeof gpu);
  gpu.seconds = (double)INFINITY;
#if defined(PERM_WITH_CUDA)
  if (permi_gpu_wanted(options, n) && (options->isa == PERM_ISA_CUDA || rival > 2 * PERMI_GPU_COMPILE)) {
    status = permi_code_offer(maker, block, rival, inner, algebra, &gpu);
    if (status != PERM_OK || (gpu.plan && options->isa == PERM_ISA_CUDA)) {
      *offer = gpu;
      return status;
    }
    rival = fmin(rival, gpu.seconds);
  }
#endif
  work = permi_hybrid_layouts(maker, block, rival);
  if (!work) {
    permi_hybrid_release(allocator, gpu.plan);
    return permi_fail_memory(maker->result);
  }
  for (; !hybrid && status == PERM_OK && work->budget > 90; work->budget -= work->budget / 6) {
    long long scale_exp2 = 0;
    int zero;
    seconds = permi_hybrid_search(work, inner, &layout) / work->speed;
    if (seconds > 1.1 * rival) {
      permi_refuse(offer, PERM_ERROR_LIMIT, "takes about %.3g s, more than others", seconds);
      break;
    }
    status = permi_hybrid_matrix(maker, block, layout.transposed, work->scaled, &scale_exp2, &zero);
    if (status == PERM_OK && !zero &&
        permi_hybrid_create(allocator, work, &layout, algebra, work->scaled, &hybrid) != PERM_OK)
      status = permi_fail_memory(maker->result);
    if (hybrid)
      hybrid->scale_exp2 = scale_exp2;
  }
  permi_release(allocator, work);
  if (status == PERM_OK && !hybrid && !offer->why[0])
    permi_refuse(offer, PERM_ERROR_LIMIT, "has no program that fits");
  if (hybrid) {
    const double per_block = ldexp(seconds, -hybrid->high);
    hybrid->isa = isa;
    hybrid->absolute_mask = hybrid->high < 10 ? 0 : options->precision == PERM_PRECISION_FAST ? 127 : 31;
    hybrid->chunk_log2 = hybrid->high;
    while (hybrid->chunk_log2 > 0 && ldexp(per_block, hybrid->chunk_log2) > 0.02)
      hybrid->chunk_log2--;
    while (hybrid->chunk_log2 > 0 && hybrid->high - hybrid->chunk_log2 < 6 &&
           ldexp(per_block, hybrid->chunk_log2) > 1e-4)
      hybrid->chunk_log2--;
    hybrid->walked = hybrid->chunk_log2;
    hybrid->fingerprint = permi_hybrid_fingerprint(hybrid);
    permi_hybrid_kernels(hybrid, isa);
    offer->plan = hybrid;
    offer->seconds = seconds;
    offer->bytes = sizeof *hybrid + 16.0 * (hybrid->operation_room + hybrid->statement_room) +
                   8.0 * hybrid->parts * (hybrid->constant_room + n * (1 + hybrid->lanes + hybrid->high)) +
                   (double)PERMI_HYBRID_WORKSPACE;
  }
  if (gpu.plan && status == PERM_OK && !(offer->seconds < gpu.seconds)) {
    permi_hybrid_release(allocator, offer->plan);
    *offer = gpu;
  } else {
    permi_hybrid_release(allocator, gpu.plan);
  }
  return status;
}

static perm_status permi_hybrid_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  return permi_hybrid_make_offer(maker, block, rival, 1, offer);
}

static perm_status permi_cached_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  return permi_hybrid_make_offer(maker, block, rival, 0, offer);
}

/* Estimates relative to the sum of |terms|, for which moduli replace rows and sums folds. A term meets n products and a
   rounding a fold; all terms share what earlier elimination rounded. */
#define PERMI_HYBRID_ALIKE(n) (0.02 + 1.2 * exp(-0.12 * (n))) /* what is left of terms' roundings in a sum */
static void permi_hybrid_estimate(permi_maker *maker, const permi_block *block, const permi_hybrid *hybrid,
                                  permi_leaf *leaf)
{
  const permi_hybrid_rounding *rounding = &hybrid->rounding;
  const double roundings = hybrid->n + hybrid->inner + 4, square = PERMI_UNIT * PERMI_UNIT;
  const double part = 1 - fmin(53 / fmax(rounding->bits, 1), 1); /* of the products: those that round */
  leaf->bound_relative = (double)INFINITY;
  leaf->shared = rounding->shared;
  leaf->estimate_relative = 0;
  permi_make_honest(maker, block, leaf);
  leaf->shared.relative += leaf->estimate_relative;
  leaf->shared.most += leaf->estimate_relative * rounding->majorant;
  if (hybrid->algebra == PERMI_HYBRID_COMPENSATED)
    leaf->estimate_relative = (4 * roundings * roundings + ldexp(8, (hybrid->walked + hybrid->low) / 2)) * square +
                              4 * rounding->below;
  else
    leaf->estimate_relative = PERMI_HYBRID_ALIKE(hybrid->n) * sqrt(part * roundings) * PERMI_UNIT * hybrid->parts;
  if (leaf->shared.relative > 1e-3)
    leaf->estimate_relative = (double)INFINITY;
}

static perm_status permi_hybrid_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  perm_status status = PERM_OK;
  permi_hybrid *hybrid;
#if defined(PERM_WITH_CUDA)
  status = permi_code_tune(maker, block, &offer->plan);
  hybrid = (permi_hybrid *)offer->plan;
  leaf->information.tuned = hybrid->candidate;
  if (hybrid->code) {
    leaf->run_range = permi_gpu_range;
    leaf->scale = hybrid->code->scale;
  }
#else
  hybrid = (permi_hybrid *)offer->plan;
  if (permi_gpu_wanted(maker->options, hybrid->n) &&
      (maker->options->isa == PERM_ISA_CUDA || offer->seconds > 2 * PERMI_GPU_COMPILE)) {
    char message[PERM_MESSAGE_BYTES]; /* a GPU was asked for and would have been used */
    permi_gpu_devices(1, message);
    status = permi_fail(maker->result, PERM_ERROR_DEVICE, 0, "%s", message);
  }
#endif
  if (status != PERM_OK)
    return status;
  leaf->information.kind = PERM_LEAF_RANGE;
  leaf->information.method = hybrid->inner ? PERM_METHOD_HYBRID : PERM_METHOD_CACHED;
  leaf->information.isa = hybrid->isa;
  leaf->information.chunks = UINT64_C(1) << (hybrid->high - hybrid->chunk_log2);
  leaf->information.work = ldexp(hybrid->rows_a_term, hybrid->n - 1 - hybrid->inner);
  leaf->information.fingerprint = hybrid->fingerprint;
  leaf->run_chunk = permi_hybrid_chunk;
  leaf->workspace = PERMI_HYBRID_WORKSPACE;
  leaf->explain = permi_hybrid_explain;
  leaf->context = hybrid;
  leaf->scale_exp2 = hybrid->scale_exp2 - (hybrid->n - 1);
  permi_hybrid_estimate(maker, block, hybrid, leaf);
  maker->job->precision =
      hybrid->algebra == PERMI_HYBRID_COMPENSATED ? PERM_PRECISION_ACCURATE : maker->options->precision;
  return PERM_OK;
}
