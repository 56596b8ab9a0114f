/* ========================================================================================= >>offers
   The engines for arrays, also of sparse blocks, and an array's job. */
#pragma once
#include "../exact/exact_device.h"
#include "../multiplicities/counts_leaf.h"
#include "../dense/bounds.h"
#include "check.h"
#include "engine.h"
#include "rank.h"

static int permi_is_counts_method(perm_method method)
{
  return method == PERM_METHOD_SUBSETS || method == PERM_METHOD_MULTIPLICITIES || method == PERM_METHOD_SHORT;
}

PERMI_COLD static const char *permi_counts_refusal(const permi_problem *problem, const perm_options *options)
{
  if (options->method != PERM_METHOD_AUTO && !permi_is_counts_method(options->method))
    return "this method is for square matrices without counts";
  if (options->precision == PERM_PRECISION_KAHAN)
    return "precision kahan is for square matrices without counts";
  if (problem->integer) {
    if (options->precision != PERM_PRECISION_DEFAULT && options->precision != PERM_PRECISION_EXACT)
      return "integers are computed exactly: leave precision as it is";
  } else if (options->precision == PERM_PRECISION_EXACT) {
    return "precision exact is for integers: use perm_compute_integer or perm_compute_repeated_integer";
  } else if (options->modulus) {
    return "modulus is for integers";
  }
  return NULL;
}

/* Chooses in the precision asked for, or in a better one that is nearly free. */
PERMI_COLD static permi_choice permi_counts_choice(const permi_counted *counted, const perm_options *options)
{
  const double expected = permi_expected_relative(counted->rows, PERM_PRECISION_DEFAULT);
  perm_precision precision = counted->integer ? PERM_PRECISION_EXACT
                             : options->precision == PERM_PRECISION_DD ||
                                     permi_plans_higher(options, expected)
                                 ? PERM_PRECISION_DD
                                 : PERM_PRECISION_DEFAULT;
  permi_choice choice = permi_choose(counted, options, precision);
  if (precision == PERM_PRECISION_DEFAULT && options->precision == PERM_PRECISION_DEFAULT) {
    permi_choice better = permi_choose(counted, options, PERM_PRECISION_DD);
    if (better.seconds < PERMI_COUNTS_CHEAP_SECONDS)
      choice = better;
  }
  return choice;
}

enum { PERMI_AT_COUNTED, PERMI_AT_DENSE, PERMI_AT_LOW_RANK, PERMI_AT_EXACT, PERMI_ARRAY_ENGINES };

typedef struct permi_array {
  const permi_problem *problem;
  const permi_engine *engine;
  int argument;                 /* position of the options; 0: a block, which no limit refuses */
  int hasty;                    /* 1: a lower bound will do where planning takes a millisecond */
  int constant;                 /* the known permanent, 0 or 1; -1: unknown */
  int reduced;                  /* 1: `counted` is made */
  int exact_planned;            /* 1: `exact` is made */
  permi_counted counted, whole; /* whole: the doubles as integers */
  permi_choice choice;
  permi_dense_plan plan;
  permi_exact_plan exact;
  permi_rank *rank;
  permi_offer rank_offer;
  perm_precision precision;
} permi_array;

static void permi_array_begin(permi_maker *maker, permi_array *array, const permi_problem *problem, int argument)
{
  memset(maker, 0, sizeof *maker);
  maker->array = array;
  array->problem = problem;
  array->engine = NULL;
  array->argument = argument;
  array->hasty = array->reduced = array->exact_planned = 0;
  array->constant = -1;
  memset(&array->counted, 0, sizeof array->counted);
  array->whole.real = NULL;
  array->rank = NULL;
}

static void permi_array_free(permi_array *array, const perm_allocator *allocator)
{
  permi_counted_free(allocator, &array->counted);
  permi_counted_free(allocator, &array->whole);
  if (array->rank)
    array->problem->reach->engines[PERMI_AT_LOW_RANK].release(allocator, array->rank);
}

/* By method auto, of certified small orders (up to about 12 with AVX-512, 10 with AVX2, 8 without): double-double takes
   no longer than split rows may of large ones, 2.5 times the call, and its bound is the rounding of the value to
   double. */
static int permi_doubling_is_cheap(const permi_problem *problem, const perm_options *options)
{
  const permi_kernel_table *kernels = &problem->reach->kernels;
  const int n = problem->n;
  const permi_kernel *usual, *doubled;
  double elements;
  if (!options->certify || options->precision != PERM_PRECISION_DEFAULT || n < 4 || n > PERMI_NEAR_N ||
      options->method != PERM_METHOD_AUTO)
    return 0;
  usual = permi_kernel_for(kernels, permi_isa(options), PERMI_FORM_PAIR, PERMI_ROUNDED, n);
  doubled = permi_kernel_for(kernels, permi_isa(options), PERMI_FORM_SPLIT, PERMI_DOUBLED, n);
  elements = (double)n * (double)(1 << (n - 1));
  return elements / doubled->rate <= 1.5 * (5e-6 + elements / usual->rate);
}

static perm_status permi_plan_array(const permi_problem *problem, const perm_options *options, permi_dense_plan *plan,
                                    perm_result *result)
{
  const int m = problem->m, n = problem->n;
  const permi_view view = permi_view_of(problem->real, problem->ld, problem->parts, problem->reach);
  perm_options raised;
  perm_status status;
  permi_fail(result, PERM_OK, 0, "%s", "");
  status = permi_check_options(options, 5, result);
  if (status == PERM_OK)
    status = permi_check_matrix(m, n, &view, result);
  if (status != PERM_OK)
    return status;
  if (m == 0 || n == 0) {
    memset(plan, 0, sizeof *plan);
    plan->method = PERM_METHOD_STRUCTURE;
    plan->is_complex = problem->parts == 2;
    plan->version = PERMI_VERSION;
    permi_plan_fingerprint(plan, &view);
    return PERM_OK;
  }
  raised = *options;
  if (permi_doubling_is_cheap(problem, options))
    raised.precision = PERM_PRECISION_DD;
  return permi_plan(n, &view, &raised, plan, result);
}

static void permi_dense_planned(permi_array *array)
{
  array->precision = array->plan.precision;
  array->constant = array->plan.method == PERM_METHOD_STRUCTURE ? !array->plan.zero : -1;
}

/* Offers a plan in the precision that the tolerance of a job in pieces needs. */
static perm_status permi_dense_offer(permi_maker *maker, const struct permi_block *block, double rival,
                                     permi_offer *offer)
{
  permi_array *array = maker->array;
  permi_dense_plan *plan = &array->plan;
  perm_options options;
  perm_status status;
  (void)block;
  if (array->problem->integer || array->reduced || (array->problem->n > PERM_MAX_N && rival < (double)INFINITY))
    return PERM_OK;
  options = *maker->options;
  status = permi_plan_array(array->problem, &options, plan, maker->result);
  while (status == PERM_OK && permi_plans_higher(&options, permi_expected_relative(plan->n, plan->precision))) {
    options.precision = permi_next_precision(plan->method, plan->precision);
    if (options.precision == PERM_PRECISION_COUNT)
      break;
    status = permi_plan_array(array->problem, &options, plan, maker->result);
  }
  if (status != PERM_OK)
    return status;
  offer->seconds = plan->seconds;
  permi_dense_planned(array);
  return PERM_OK;
}

static perm_status permi_dense_make(permi_maker *maker, const struct permi_block *block, permi_offer *offer,
                                    permi_leaf *leaf)
{
  permi_array *array = maker->array;
  const permi_problem *problem = array->problem;
  const permi_view view = permi_view_of(problem->real, problem->ld, problem->parts, problem->reach);
  (void)block, (void)offer;
  return permi_plan_leaf(&array->plan, &view, &maker->options->allocator, leaf) == PERM_OK
             ? PERM_OK
             : permi_fail_memory(maker->result);
}

#define PERMI_REPEATS_LEAST 8

/* Are two rows or columns equal, where the search is worth a microsecond (n = 20)? */
static int permi_array_repeats(const permi_problem *problem, const perm_options *options)
{
  const char *a = (const char *)problem->real;
  const ptrdiff_t column = 8 * problem->parts;
  const int n = problem->n;
  ptrdiff_t row;
  int by_columns, i, j, k;
  if (options->method != PERM_METHOD_AUTO || problem->m != n || n < PERMI_REPEATS_LEAST || n > PERM_MAX_N || !a ||
      !permi_stride_fits(n, n, problem->ld, 8 * problem->parts))
    return 0;
  row = problem->ld * column;
  for (by_columns = 0; by_columns < 2; by_columns++) {
    const ptrdiff_t line = by_columns ? column : row, along = by_columns ? row : column;
    for (i = 1; i < n; i++)
      for (j = 0; j < i; j++) {
        const char *x = a + i * line, *y = a + j * line;
        for (k = 0; k < n && !memcmp(x, y, 8) && (problem->parts == 1 || !memcmp(x + 8, y + 8, 8)); k++) {
          x += along;
          y += along;
        }
        if (k == n)
          return 1;
      }
  }
  return 0;
}

PERMI_COLD static perm_status permi_counted_price(permi_array *array, const perm_options *options, permi_offer *offer)
{
  const permi_counted *counted = &array->counted;
  if (counted->zero || !counted->rows) {
    array->constant = !counted->zero;
    array->precision = options->precision;
    offer->seconds = 0;
    return PERM_OK;
  }
  if (options->method == PERM_METHOD_EXACT)
    return PERM_OK;
  if (!array->engine) {
    array->choice = permi_counts_choice(counted, options);
  } else {
    if (options->precision == PERM_PRECISION_EXACT) {
      if (!permi_counted_whole(counted, &options->allocator, &array->whole))
        return PERM_ERROR_UNSUPPORTED;
      counted = &array->whole;
    }
    array->choice = permi_choose(counted, options, options->precision);
  }
  offer->seconds = array->choice.seconds;
  return PERM_OK;
}

/* Reduces an array with equal lines if that beats the dense engine, which reports errors. */
PERMI_COLD static perm_status permi_repeats_price(permi_maker *maker, permi_offer *offer)
{
  permi_array *array = maker->array;
  const permi_problem *problem = array->problem;
  const perm_options *options = maker->options;
  const int n = problem->n;
  const permi_kernel *kernel; /* the other forms are hardly slower */
  if (permi_check_options(options, array->argument, maker->result) != PERM_OK ||
      permi_counts_refusal(problem, options) || permi_check_problem(problem, 0, maker->result) != PERM_OK ||
      permi_counted_make(problem, &options->allocator, &array->counted) != PERM_OK)
    return PERM_OK;
  permi_counted_price(array, options, offer);
  kernel = permi_kernel_for(&problem->reach->kernels, permi_isa(options), PERMI_FORM_PAIR, PERMI_ROUNDED, n);
  array->reduced = array->constant >= 0 || !kernel || offer->seconds < n * ldexp(1, n - 1) / kernel->rate;
  if (!array->reduced) {
    offer->seconds = (double)INFINITY;
    permi_counted_free(&options->allocator, &array->counted);
    memset(&array->counted, 0, sizeof array->counted);
  }
  return PERM_OK;
}

static perm_status permi_counted_offer(permi_maker *maker, const struct permi_block *block, double rival,
                                       permi_offer *offer)
{
  (void)block, (void)rival;
  if (maker->array->reduced)
    return permi_counted_price(maker->array, maker->options, offer);
  return permi_array_repeats(maker->array->problem, maker->options) ? permi_repeats_price(maker, offer) : PERM_OK;
}

PERMI_COLD static perm_status permi_choice_refuse(const permi_choice *choice, const perm_options *options, int argument,
                                                  perm_result *result)
{
  const double most = options->max_bytes;
  if (choice->seconds == (double)INFINITY)
    return permi_fail(result,
                      choice->why && choice->precision == PERM_PRECISION_EXACT ? PERM_ERROR_OVERFLOW : PERM_ERROR_LIMIT,
                      options->method == PERM_METHOD_AUTO ? 0 : argument, "%s: %s%s", perm_name("method",
                                                                                                options->method),
                      choice->why ? choice->why : "more memory than max_bytes = ",
                      choice->why ? "" : permi_size_words(most > 0 ? most : PERMI_COUNTS_BYTES).text);
  if (most > 0 && choice->bytes > permi_max_bytes(options))
    return permi_fail(result, PERM_ERROR_LIMIT, argument,
                      "predicted to need %s beside the matrix and %s, over max_bytes = %s",
                      permi_size_words(choice->bytes).text, permi_time_words(choice->seconds).text,
                      permi_size_words(most).text);
  return PERM_OK;
}

PERMI_COLD static perm_status permi_counted_leaf(permi_maker *maker, const struct permi_block *block,
                                                 permi_offer *offer, permi_leaf *leaf)
{
  permi_array *array = maker->array;
  const perm_options *options = maker->options;
  const permi_choice *choice = &array->choice;
  const int whole = choice->precision == PERM_PRECISION_EXACT && !array->counted.integer;
  perm_status status = PERM_OK;
  (void)block, (void)offer;
  if (array->argument)
    status = permi_choice_refuse(choice, options, array->argument, maker->result);
  if (status != PERM_OK)
    return status;
  array->precision = choice->precision;
  return permi_choice_leaf(whole ? &array->whole : &array->counted, choice, options->certify,
                           permi_counted_fingerprint(&array->counted), &options->allocator, leaf) == PERM_OK
             ? PERM_OK
             : permi_fail_memory(maker->result);
}

static int permi_array_square(const permi_problem *problem)
{
  return problem->m == problem->n && problem->n <= PERM_MAX_N && !problem->row_count && !problem->column_count;
}

static const permi_exact_plan *permi_array_exact(permi_array *array, const perm_options *options)
{
  const permi_problem *problem = array->problem;
  const permi_integer_view view = {problem->integer, problem->ld, problem->parts};
  if (!array->exact_planned)
    permi_exact_fastest(options, problem->n, &view, &array->exact);
  array->exact_planned = 1;
  return &array->exact;
}

#define PERMI_RIVAL_LOOK 24
#define PERMI_RIVAL_PLAN 36 /* a plan takes less than 0.1 ms, the run 10 and more */
static perm_status permi_exact_offer(permi_maker *maker, const struct permi_block *block, double rival,
                                     permi_offer *offer)
{
  permi_array *array = maker->array;
  const perm_options *options = maker->options;
  const int n = array->problem->n;
  (void)block, (void)rival;
  if (!array->problem->integer || array->constant >= 0 || !permi_array_square(array->problem) ||
      (options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_EXACT))
    return PERM_OK;
  offer->seconds = n * ldexp(1, n - 1) / PERMI_RIVAL_RATE;
  if (!array->hasty || options->method == PERM_METHOD_EXACT || n <= PERMI_RIVAL_PLAN)
    offer->seconds = permi_array_exact(array, options)->seconds;
  else if (options->gpu.devices)
    offer->seconds = fmin(offer->seconds, 0.5 + n * ldexp(1, n - 1) / PERMI_RIVAL_GPU_RATE);
  return PERM_OK;
}

/* Whether the exact engine wins at sight: by vector kernels, where engines for counts have no equal lines to use. */
static int permi_exact_surely(permi_array *array, const perm_options *options)
{
  const permi_problem *problem = array->problem;
  const int n = problem->n;
  const permi_exact_plan *plan;
  double least; /* seconds of a step of the engines for counts */
  if (!problem->integer || !permi_array_square(problem) || n < 2 || n > PERMI_RIVAL_LOOK || options->gpu.devices ||
      (options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_EXACT) || !permi_lines_differ(problem))
    return 0;
  plan = permi_array_exact(array, options);
  least = permi_seconds_exact[problem->parts - 1] + permi_seconds_word[problem->parts - 1];
  return plan->family && plan->seconds < n * ldexp(1, n - 1) * least;
}

static perm_status permi_exact_make(permi_maker *maker, const struct permi_block *block, permi_offer *offer,
                                    permi_leaf *leaf)
{
  (void)block, (void)offer;
  maker->array->precision = PERM_PRECISION_EXACT;
  return permi_exact_leaf(maker->options, permi_array_exact(maker->array, maker->options), leaf, maker->result);
}

static perm_status permi_low_rank_offer(permi_maker *maker, const struct permi_block *block, double rival,
                                        permi_offer *offer)
{
  permi_array *array = maker->array;
  const perm_options *options = maker->options;
  const permi_problem *problem = array->problem;
  const char *why;
  double most;
  (void)block, (void)rival;
  permi_rank_release(&options->allocator, array->rank);
  array->rank = NULL;
  if (options->method == PERM_METHOD_LOW_RANK && !problem->integer) { /* by name no other engine has looked at it */
    perm_status status = permi_check_options(options, array->argument, maker->result);
    if (status == PERM_OK)
      status = permi_check_problem(problem, 0, maker->result);
    if (status != PERM_OK)
      return status;
  }
  if ((options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_LOW_RANK) ||
      options->precision == PERM_PRECISION_KAHAN || array->constant >= 0 ||
      !array->argument) { /* a block, whose chooser looks itself */
    snprintf(offer->why, sizeof offer->why, "is asked for in precision %s", perm_name("precision", options->precision));
    return PERM_OK;
  }
  if (!permi_rank_look(array->problem, options, maker->watch, &array->rank, &why))
    return permi_fail_memory(maker->result);
  if (!array->rank) {
    snprintf(offer->why, sizeof offer->why, "%s", why);
    return PERM_OK;
  }
  permi_rank_price(array->rank, offer);
  most = options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_LOW_RANK_BYTES;
  if (offer->bytes > most)
    permi_refuse(offer, PERM_ERROR_LIMIT, "would need %s, over %s: allow more max_bytes",
                 permi_size_words(offer->bytes).text, permi_size_words(most).text);
  array->rank_offer = *offer;
  return PERM_OK;
}

static perm_status permi_low_rank_make(permi_maker *maker, const struct permi_block *block, permi_offer *offer,
                                       permi_leaf *leaf)
{
  permi_array *array = maker->array;
  (void)block, (void)offer;
  permi_rank_leaf(array->rank, array->rank_offer.seconds, array->rank_offer.bytes, leaf);
  array->rank = NULL;
  array->precision = leaf->integer ? PERM_PRECISION_EXACT : PERM_PRECISION_DD;
  return PERM_OK;
}

#define PERMI_DOUBLE_ENGINES                                                                                           \
  {PERM_METHOD_MULTIPLICITIES, permi_counted_offer, permi_counted_leaf, NULL, 0},                                      \
  {PERM_METHOD_DENSE, permi_dense_offer, permi_dense_make, NULL, 0}
static const permi_engine permi_double_engines[] = {PERMI_DOUBLE_ENGINES};
static const permi_engine permi_array_engines[] = {
    PERMI_DOUBLE_ENGINES,
    {PERM_METHOD_LOW_RANK, permi_low_rank_offer, permi_low_rank_make, permi_rank_release, 0},
    {PERM_METHOD_EXACT, permi_exact_offer, permi_exact_make, NULL, 0},
};

/* By name the engine of small ranks is asked alone. */
static int permi_array_ranked(const permi_problem *problem, const perm_options *options)
{
  return options->method == PERM_METHOD_LOW_RANK && problem->reach->engine_count > PERMI_AT_LOW_RANK &&
         problem->m == problem->n && problem->n > 0 && !problem->row_count && !problem->column_count;
}

/* status, or that a small rank was found whose sum does not fit. */
static perm_status permi_array_too_large(permi_maker *maker, perm_status status)
{
  permi_array *array = maker->array;
  return array->rank && array->rank_offer.seconds == (double)INFINITY
             ? permi_fail(maker->result, PERM_ERROR_LIMIT, array->argument, "the array, of rank %d, %s",
                          array->rank->rank, array->rank_offer.why)
             : status;
}

static perm_status permi_array_plan_ranked(permi_maker *maker, double *seconds)
{
  permi_array *array = maker->array;
  permi_offer offer;
  perm_status status;
  memset(&offer, 0, sizeof offer);
  offer.seconds = (double)INFINITY;
  array->engine = &array->problem->reach->engines[PERMI_AT_LOW_RANK];
  status = array->engine->offer(maker, NULL, (double)INFINITY, &offer);
  *seconds = offer.seconds;
  return status != PERM_OK ? status
         : array->rank     ? permi_array_too_large(maker, PERM_OK)
                           : permi_fail(maker->result, PERM_ERROR_UNSUPPORTED, array->argument,
                                        "options: method low-rank: the array %s; this method takes ranks up to %d",
                                        offer.why, PERMI_RANK_MOST);
}

/* Asks all engines at first, then only the chosen one. Without any offer, its make says why. */
static perm_status permi_array_plan(void *context, const perm_options *options, double *seconds, perm_job **job,
                                    perm_result *result)
{
  permi_maker *maker = (permi_maker *)context;
  permi_array *array = maker->array;
  const permi_reach *reach = array->problem->reach;
  const permi_engine *table = array->engine ? array->engine : reach->engines;
  permi_offer offer[PERMI_ARRAY_ENGINES];
  permi_offers offers;
  perm_status status;
  (void)job;
  maker->options = options;
  maker->result = result;
  if (permi_array_ranked(array->problem, options))
    return permi_array_plan_ranked(maker, seconds);
  permi_offers_begin(&offers, table, array->engine ? 1 : reach->engine_count, offer);
  if (offers.engines > PERMI_AT_LOW_RANK)
    offers.swapped = PERMI_AT_DENSE; /* which refuses large orders, unless another engine takes them */
  status = permi_ask_engines(maker, NULL, &offers);
  if (offers.chosen < 0)
    offers.chosen = !array->engine && options->method == PERM_METHOD_EXACT && reach->engine_count > PERMI_AT_EXACT
                        ? PERMI_AT_EXACT
                        : PERMI_AT_COUNTED;
  array->engine = &table[offers.chosen];
  *seconds = offers.best;
  return status == PERM_ERROR_SIZE ? permi_array_too_large(maker, status) : status;
}

static perm_status permi_array_make(void *context, const perm_options *options, perm_job **job, perm_result *result)
{
  permi_maker *maker = (permi_maker *)context;
  permi_array *array = maker->array;
  permi_number number = permi_number_one();
  permi_leaf leaf;
  perm_status status = PERM_OK;
  int pushed = 0;
  maker->options = options;
  maker->result = result;
  *job = permi_job_new(&options->allocator, PERM_PRECISION_DEFAULT);
  if (!*job)
    return permi_fail_memory(result);
  if (array->constant >= 0) {
    if (!array->constant)
      memset(&number, 0, sizeof number);
    number.exact = 1;
    pushed = permi_job_push_number(*job, &number);
  } else {
    status = array->engine->make(maker, NULL, NULL, &leaf);
    pushed = status == PERM_OK && permi_job_push_leaf(*job, &leaf);
  }
  (*job)->precision = array->precision;
  (*job)->is_complex = array->problem->parts == 2;
  (*job)->modulus = array->problem->integer ? options->modulus : 0;
  if (pushed)
    return PERM_OK;
  perm_job_free(*job);
  *job = NULL;
  return status == PERM_OK ? permi_fail_memory(result) : status;
}

/* PERM_PRECISION_COUNT at the top. */
static perm_precision permi_array_next(const void *context, const perm_options *options, const perm_result *result)
{
  const permi_array *array = ((const permi_maker *)context)->array;
  (void)options;
  (void)result;
  if (array->engine->method == PERM_METHOD_LOW_RANK)
    return PERM_PRECISION_COUNT;
  if (!array->reduced)
    return permi_next_precision(array->plan.method, array->plan.precision);
  if (array->constant >= 0 || array->choice.precision == PERM_PRECISION_EXACT)
    return PERM_PRECISION_COUNT;
  return array->choice.precision == PERM_PRECISION_DD ? PERM_PRECISION_EXACT : PERM_PRECISION_DD;
}
/* SPDX-License-Identifier: MIT */
