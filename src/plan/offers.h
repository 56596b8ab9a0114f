/* ========================================================================================= >>offers
   The engines for arrays, also of sparse blocks, and an array's job. */
#pragma once
#include "../exact/exact_device.h"
#include "../multiplicities/counts_leaf.h"
#include "../dense/bounds.h"
#include "check.h"
#include "engine.h"

/* Returns 1 for certified small orders (to about 12 with AVX-512, 10 with AVX2, 8 without), where double-double takes
   at most 2.5 times the call, as split rows may, and bounds the error by the value's rounding. */
static int permi_doubling_is_cheap(const permi_problem *problem, const perm_options *options)
{
  const permi_kernel_table *kernels = &problem->reach->kernels;
  const int n = problem->n;
  if (!options->certify || options->precision != PERM_PRECISION_DEFAULT || n < 4 || n > PERMI_NEAR_N ||
      options->method != PERM_METHOD_AUTO)
    return 0;
  const permi_kernel *usual = permi_kernel_for(kernels, permi_isa(options), PERMI_FORM_PAIR, PERMI_ROUNDED, n);
  const permi_kernel *doubled = permi_kernel_for(kernels, permi_isa(options), PERMI_FORM_SPLIT, PERMI_DOUBLED, n);
  const double elements = (double)n * (double)(1 << (n - 1));
  return elements / doubled->rate <= 1.5 * (5e-6 + elements / usual->rate);
}

static perm_status permi_plan_array(const permi_problem *problem, const perm_options *options, permi_dense_plan *plan,
                                    perm_result *result)
{
  const int m = problem->m, n = problem->n;
  const permi_view view = permi_view_of(problem->real, problem->ld, problem->parts, problem->reach);
  permi_fail(result, PERM_OK, 0, "%s", "");
  perm_status status = permi_check_options(options, 5, result);
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
  perm_options raised = *options;
  if (permi_doubling_is_cheap(problem, options))
    raised.precision = PERM_PRECISION_DD;
  return permi_plan(n, &view, &raised, plan, result);
}

static double permi_dense_seconds(const permi_maker *maker)
{
  const perm_options *options = maker->options;
  const int n = maker->n, parts = maker->reach->parts;
  const int product = options->precision == PERM_PRECISION_DD ? PERMI_DOUBLED : PERMI_ROUNDED;
  const permi_form form = product == PERMI_DOUBLED ? PERMI_FORM_SPLIT
                         : parts == 2             ? PERMI_FORM_PAIR
                                                  : PERMI_FORM_NORMALISED;
  const permi_kernel *kernel = permi_kernel_for(&maker->reach->kernels, permi_isa(options), form, product, PERM_MAX_N);
  const double elements = n * ldexp(1, n - 1);
  const double seconds = elements / (kernel ? kernel->rate : permi_dense_rate(options));
  if (seconds <= 1 || !maker->reach->gpu || !permi_gpu_wanted(options, n))
    return seconds;
  const double gpu = maker->reach->gpu->seconds(elements, parts, product == PERMI_DOUBLED         ? PERM_GPU_DOUBLED
                                                          : options->certify && parts == 2 ? PERM_GPU_ROUNDED
                                                                                           : PERM_GPU_PIVOT);
  return fmin(seconds, product == PERMI_DOUBLED
                           ? gpu
                           : fmin(gpu, maker->reach->gpu->seconds(elements, parts, PERM_GPU_FLOATS)));
}

/* Arrays above PERM_MAX_N are asked last, and refused; small ones always: zeros alone may make 0. */
static perm_status permi_dense_least(permi_maker *maker, const struct permi_block *block, double rival,
                                     permi_offer *offer)
{
  (void)rival;
  offer->likely = maker->integer || (maker->n > PERM_MAX_N && block) ? (double)INFINITY
                  : maker->n > PERM_MAX_N                            ? DBL_MAX
                                                                     : permi_dense_seconds(maker);
  offer->least = block || maker->integer || maker->n > PERMI_SMALL_N ? offer->likely : 0;
  return PERM_OK;
}

static perm_status permi_refuse_order(perm_method method, permi_offer *offer)
{
  return permi_refuse(offer, PERM_ERROR_LIMIT, "is too large for method %s, which takes at most %d",
                      perm_name("method", method), PERM_MAX_N);
}

/* Raises the precision as a tolerance in pieces needs. */
static perm_status permi_dense_offer(permi_maker *maker, const struct permi_block *block, double rival,
                                     permi_offer *offer)
{
  perm_options options = *maker->options;
  (void)rival;
  if (block && maker->n > PERM_MAX_N)
    return permi_refuse_order(PERM_METHOD_DENSE, offer);
  perm_status status = permi_array_ready(maker, block);
  if (status != PERM_OK || maker->integer || maker->array->reduced)
    return status;
  permi_array *array = maker->array;
  permi_dense_plan *plan = &array->plan;
  const permi_problem *problem = array->problem;
  const permi_view view = permi_view_of(problem->real, problem->ld, problem->parts, problem->reach);
  const double tolerance = options.tolerance;
  options.tolerance = maker->doubles ? DBL_MIN : tolerance; /* no floats */
  status = block ? permi_plan(problem->n, &view, &options, plan, maker->result)
                 : permi_plan_array(problem, &options, plan, maker->result);
  options.tolerance = tolerance;
  while (status == PERM_OK && !block &&
         permi_plans_higher(&options, permi_expected_relative(plan->n, plan->precision))) {
    options.precision = permi_next_precision(maker->reach->engines, maker->reach->engine_count, plan->method,
                                             plan->precision);
    if (options.precision == PERM_PRECISION_COUNT)
      break;
    status = permi_plan_array(problem, &options, plan, maker->result);
  }
  if (status != PERM_OK)
    return status;
  offer->seconds = plan->seconds;
  array->precision = plan->precision;
  array->constant = plan->method == PERM_METHOD_STRUCTURE ? !plan->zero : -1;
  return PERM_OK;
}

static perm_status permi_dense_make(permi_maker *maker, const struct permi_block *block, permi_offer *offer,
                                    permi_leaf *leaf)
{
  permi_array *array = maker->array;
  const permi_problem *problem = array->problem;
  const permi_view view = permi_view_of(problem->real, problem->ld, problem->parts, problem->reach);
  (void)block, (void)offer;
  if (array->plan.form == PERMI_FORM_FLOATS)
    maker->job->floats = 1;
  return permi_plan_leaf(&array->plan, &view, &maker->options->allocator, leaf) == PERM_OK
             ? PERM_OK
             : permi_fail_memory(maker->result);
}

#define PERMI_REPEATS_LEAST 8

/* Returns 1 if two lines of doubles are equal, or one is zero, where the look is worth a microsecond (n = 20). */
static int permi_array_repeats(const permi_problem *problem, const perm_options *options)
{
  const int n = problem->n;
  return options->method == PERM_METHOD_AUTO && problem->m == n && n >= PERMI_REPEATS_LEAST && n <= PERM_MAX_N &&
         problem->real && permi_stride_fits(n, n, problem->ld, 8 * problem->parts) && !permi_lines_differ(problem);
}

static int permi_array_square(const permi_problem *problem)
{
  return problem->m == problem->n && problem->n <= PERM_MAX_N && !problem->row_count && !problem->column_count;
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

#define PERMI_EQUAL_SECONDS 1e-4 /* of dense sums: shorter blocks are not worth the look */
static perm_status permi_counted_least(permi_maker *maker, const struct permi_block *block, double rival,
                                       permi_offer *offer)
{
  (void)rival;
  if (block && (maker->n > PERM_MAX_N || (!maker->integer && (!maker->equal_lines ||
                                                              permi_dense_seconds(maker) <= PERMI_EQUAL_SECONDS)))) {
    offer->least = (double)INFINITY;
    return PERM_OK;
  }
  const perm_status status = permi_array_ready(maker, block);
  if (status != PERM_OK)
    return status;
  const permi_problem *problem = maker->array->problem;
  if (!maker->integer && !block && !maker->array->reduced && !permi_array_repeats(problem, maker->options))
    offer->least = (double)INFINITY;
  else if (maker->integer && !maker->options->gpu.devices && maker->n > 1 && permi_array_square(problem) &&
           ((block && !maker->equal_lines) || permi_lines_differ(problem)))
    offer->least = problem->n * ldexp(1, problem->n - 1) *
                   (permi_seconds_exact[problem->parts - 1] + permi_seconds_word[problem->parts - 1]);
  return PERM_OK;
}

/* Leaves it to the dense engine to say why an array of doubles is refused. */
static perm_status permi_counted_offer(permi_maker *maker, const struct permi_block *block, double rival,
                                       permi_offer *offer)
{
  const perm_options *options = maker->options;
  const perm_status status = permi_array_ready(maker, block);
  permi_array *array = maker->array;
  (void)rival;
  if (status != PERM_OK)
    return status;
  permi_counted *counted = &array->counted;
  if (!array->counted_made) {
    const int whole = block || array->reduced;
    if (!whole && (permi_check_options(options, array->argument, maker->result) != PERM_OK ||
                   permi_counts_refusal(array->problem, options) ||
                   permi_check_problem(array->problem, 0, maker->result) != PERM_OK))
      return PERM_OK;
    if (permi_counted_make(array->problem, &options->allocator, counted) != PERM_OK)
      return whole ? permi_fail_memory(maker->result) : PERM_OK;
    array->counted_made = 1;
  }
  if (block && !maker->integer && !array->reduced && counted->m == counted->rows && counted->n == counted->rows)
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has no equal lines");
  return permi_counted_price(array, options, offer);
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
                      choice->why ? "" : permi_size_words(most > 0 ? most : PERMI_DEFAULT_BYTES / 4).text);
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

static const permi_exact_plan *permi_array_exact(permi_array *array, const perm_options *options)
{
  const permi_problem *problem = array->problem;
  const permi_integer_view view = {problem->integer, problem->ld, problem->parts};
  if (!array->exact_planned)
    permi_exact_fastest(options, problem->n, &view, &array->exact);
  array->exact_planned = 1;
  return &array->exact;
}

#define PERMI_EXACT_PLAN 36 /* above it a plan takes over 0.1 ms */
static perm_status permi_exact_least(permi_maker *maker, const struct permi_block *block, double rival,
                                     permi_offer *offer)
{
  const perm_options *options = maker->options;
  const int n = maker->n;
  perm_status status = PERM_OK;
  (void)rival;
  if (!maker->integer || n < 1 || n > PERM_MAX_N || (maker->array && !permi_array_square(maker->array->problem)) ||
      (options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_EXACT)) {
    offer->least = (double)INFINITY;
  } else if (n <= PERMI_EXACT_PLAN) {
    status = permi_array_ready(maker, block);
    if (status == PERM_OK)
      offer->least = offer->likely = permi_array_exact(maker->array, options)->seconds;
  } else {
    offer->least = n * ldexp(1, n - 1) / PERMI_RIVAL_RATE;
    if (options->gpu.devices)
      offer->least = fmin(offer->least, 0.5 + n * ldexp(1, n - 1) / (50 * PERMI_EXACT_GPU_RATE));
    offer->likely = permi_exact_spread[permi_isa(options) == PERM_ISA_PLAIN] * offer->least;
  }
  return status;
}

static perm_status permi_exact_offer(permi_maker *maker, const struct permi_block *block, double rival,
                                     permi_offer *offer)
{
  (void)rival;
  if (maker->n > PERM_MAX_N)
    return permi_refuse_order(PERM_METHOD_EXACT, offer);
  const perm_status status = permi_array_ready(maker, block);
  if (status == PERM_OK)
    offer->seconds = permi_array_exact(maker->array, maker->options)->seconds;
  return status;
}

static perm_status permi_exact_make(permi_maker *maker, const struct permi_block *block, permi_offer *offer,
                                    permi_leaf *leaf)
{
  (void)block, (void)offer;
  maker->array->precision = PERM_PRECISION_EXACT;
  return permi_exact_leaf(maker->options, permi_array_exact(maker->array, maker->options), leaf, maker->result);
}

/* Engines that blocks of sparse matrices have, too. */
#define PERMI_DOUBLE_ENGINES                                                                                           \
  {PERM_METHOD_DENSE, PERMI_ARRAY, 0, permi_dense_least, permi_dense_offer, permi_dense_make, NULL},                   \
  {PERM_METHOD_MULTIPLICITIES, PERMI_ARRAY | PERMI_PROVEN, 0, permi_counted_least, permi_counted_offer,                \
   permi_counted_leaf,                                                                                                 \
   NULL}
#define PERMI_ARRAY_ENGINES PERMI_DOUBLE_ENGINES,                                                                      \
  {PERM_METHOD_EXACT, PERMI_ARRAY | PERMI_PROVEN | PERMI_LONE, 0, permi_exact_least, permi_exact_offer,                \
   permi_exact_make, NULL}
static const permi_engine permi_double_engines[] = {PERMI_DOUBLE_ENGINES};
static const permi_engine permi_array_engines[] = {PERMI_ARRAY_ENGINES};
enum {
  PERMI_DOUBLE_ENGINE_COUNT = sizeof permi_double_engines / sizeof *permi_double_engines,
  PERMI_ARRAY_ENGINE_COUNT = sizeof permi_array_engines / sizeof *permi_array_engines
};

/* Asks the engine named, or all (exact: for zeros), later the chosen one. Without an offer its make says why. */
static perm_status permi_array_plan(void *context, const perm_options *options, double *seconds, perm_job **job,
                                    perm_result *result)
{
  permi_maker *maker = (permi_maker *)context;
  permi_array *array = maker->array;
  const permi_reach *reach = array->problem->reach;
  const permi_engine *named = permi_array_engine(reach, options->method), *one = array->engine;
  permi_control watch = permi_control_begin(options);
  permi_offer offer[PERMI_ARRAY_ENGINE_COUNT];
  permi_offers offers;
  (void)job;
  watch.activity = "planning";
  maker->watch = &watch;
  maker->options = options;
  maker->result = result;
  if (!one && options->method != PERM_METHOD_EXACT)
    one = named;
  permi_offers_begin(&offers, one ? one : reach->engines, one ? 1 : reach->engine_count, offer);
  const perm_status status = permi_ask_engines(maker, NULL, &offers);
  *seconds = offers.best;
  if (offers.chosen >= 0)
    array->engine = &offers.engine[offers.chosen];
  else if (!array->engine)
    array->engine = named ? named : permi_array_engine(reach, PERM_METHOD_MULTIPLICITIES);
  maker->watch = NULL;
  return watch.stopped == PERM_OK ? status : permi_fail_stopped(&watch, result);
}

static perm_status permi_array_make(void *context, const perm_options *options, perm_job **job, perm_result *result)
{
  permi_maker *maker = (permi_maker *)context;
  permi_array *array = maker->array;
  permi_leaf leaf;
  perm_status status = PERM_OK;
  maker->options = options;
  maker->result = result;
  *job = permi_job_new(&options->allocator, PERM_PRECISION_DEFAULT);
  if (!*job)
    return permi_fail_memory(result);
  maker->job = *job;
  if (array->constant >= 0)
    permi_job_set_constant(*job, array->constant);
  else
    status = array->engine->make(maker, NULL, NULL, &leaf);
  if (status == PERM_OK && array->constant < 0 && !permi_job_push_leaf(*job, &leaf))
    status = permi_fail_memory(result);
  (*job)->precision = array->precision;
  (*job)->is_complex = array->problem->parts == 2;
  (*job)->modulus = array->problem->integer ? options->modulus : 0;
  if (status != PERM_OK) {
    perm_job_free(*job);
    *job = NULL;
  }
  return status;
}

static perm_precision permi_array_next(const void *context, const perm_options *options, const perm_result *result)
{
  const permi_maker *maker = (const permi_maker *)context;
  const permi_array *array = maker->array;
  const perm_method method = array->engine->method;
  (void)options, (void)result;
  return array->constant >= 0
             ? PERM_PRECISION_COUNT
             : permi_next_precision(maker->reach->engines, maker->reach->engine_count,
                                    method == PERM_METHOD_DENSE ? array->plan.method : method, array->precision);
}
/* SPDX-License-Identifier: MIT */
