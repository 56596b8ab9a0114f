/* ========================================================================================= >>offers
   The engines for problems that are given as arrays: what they offer, the choice among them, and the leaf. Arrays of
   calls and blocks of sparse matrices come here alike. */
#pragma once
#include "../counts/counts_leaf.h"
#include "../dense/bounds.h"

/* What the options ask for that these engines do not have; NULL if they can. */
PERMI_COLD static const char *permi_counts_refusal(const permi_problem *problem, const perm_options *options)
{
  switch (options->method) {
  case PERM_METHOD_AUTO:
  case PERM_METHOD_SUBSETS:
  case PERM_METHOD_REPEATS:
  case PERM_METHOD_SHORT:
  case PERM_METHOD_RYSER:
  case PERM_METHOD_PADDED:
  case PERM_METHOD_EXPANSION: break;
  default: return "this method is for square matrices without counts";
  }
  if (options->precision == PERM_PRECISION_KAHAN)
    return "precision kahan is for square matrices without counts";
  if (problem->integer) {
    if (options->modulus == 1 || options->modulus > UINT64_C(1) << 63)
      return "modulus is not from 2 to 2^63";
    if (options->precision != PERM_PRECISION_DEFAULT && options->precision != PERM_PRECISION_EXACT)
      return "integers are computed exactly: leave precision as it is";
    if (options->method == PERM_METHOD_PADDED)
      return "method padded divides, and is for doubles only";
  } else if (options->precision == PERM_PRECISION_EXACT) {
    return "precision exact is for integers: use perm_compute_integer or perm_compute_repeated_integer";
  } else if (options->modulus) {
    return "modulus is for integers";
  }
  return NULL;
}

/* The choice for the precision asked for, or, at the first attempt, a better one that is nearly free. */
PERMI_COLD static permi_choice permi_counts_choice(const permi_counted *counted, const perm_options *options)
{
  const double expected = permi_expected_relative(counted->rows, PERM_PRECISION_DEFAULT);
  perm_precision precision = counted->integer ? PERM_PRECISION_EXACT
                             : options->precision == PERM_PRECISION_ACCURATE ||
                                     options->precision == PERM_PRECISION_DD ||
                                     options->method == PERM_METHOD_EXPANSION || permi_plans_higher(options, expected)
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

/* A problem as the engines of its table see it. */
typedef struct permi_array {
  const permi_problem *problem; /* checked */
  permi_counted counted;
  permi_choice choice; /* of >>counts_choice, once asked */
  int hasty;           /* 1: for order 25 and more a lower bound is offered where planning takes a millisecond */
} permi_array;

static int permi_array_square(const permi_array *array)
{
  const permi_problem *problem = array->problem;
  return problem->m == problem->n && problem->n <= PERM_MAX_N && !problem->row_count && !problem->column_count;
}

static permi_integer_view permi_array_integers(const permi_array *array)
{
  permi_integer_view view;
  view.a = array->problem->integer;
  view.ld = array->problem->ld;
  view.parts = array->problem->parts;
  return view;
}

PERMI_COLD static double permi_counted_offer(permi_array *array, const perm_options *options)
{
  if (options->method == PERM_METHOD_EXACT)
    return (double)INFINITY;
  array->choice = permi_counts_choice(&array->counted, options);
  return array->choice.seconds;
}

PERMI_COLD static perm_status permi_counted_leaf(permi_array *array, const perm_options *options, permi_leaf *leaf,
                                                 perm_precision *precision, perm_result *result)
{
  *precision = array->choice.precision;
  return permi_choice_leaf(&array->counted, &array->choice, options->certify,
                           permi_counted_fingerprint(&array->counted), &options->allocator, leaf) == PERM_OK
             ? PERM_OK
             : permi_fail_memory(result);
}

/* Does the exact engine of square integer matrices come into question? */
static int permi_exact_may(const permi_array *array, const perm_options *options)
{
  return array->problem->integer && permi_array_square(array) &&
         (options->method == PERM_METHOD_AUTO || options->method == PERM_METHOD_EXACT);
}

#define PERMI_RIVAL_LOOK 24
static double permi_exact_offer(permi_array *array, const perm_options *options)
{
  const permi_integer_view view = permi_array_integers(array);
  const int n = array->problem->n;
  double seconds;
  if (!permi_exact_may(array, options))
    return (double)INFINITY;
  if (!array->hasty || options->method == PERM_METHOD_EXACT || n <= PERMI_RIVAL_LOOK)
    return permi_exact_seconds(options, n, &view);
  seconds = n * ldexp(1, n - 1) / PERMI_RIVAL_RATE;
  return options->gpu.devices ? fmin(seconds, 0.5 + n * ldexp(1, n - 1) / PERMI_RIVAL_GPU_RATE) : seconds;
}

static perm_status permi_exact_make(permi_array *array, const perm_options *options, permi_leaf *leaf,
                                    perm_precision *precision, perm_result *result)
{
  const permi_integer_view view = permi_array_integers(array);
  *precision = PERM_PRECISION_EXACT;
  return permi_exact_leaf(options, array->problem->n, &view, leaf, result);
}

static double permi_modular_offer(permi_array *array, const perm_options *options)
{
  const permi_integer_view view = permi_array_integers(array);
  const int n = array->problem->n;
  if (!permi_exact_may(array, options) || !(options->modulus & 1) || options->modulus >= UINT64_C(1) << 63 ||
      (array->hasty && options->method != PERM_METHOD_EXACT && n > PERMI_RIVAL_LOOK))
    return (double)INFINITY;
  return permi_modular_seconds(n, &view);
}

static perm_status permi_modular_make(permi_array *array, const perm_options *options, permi_leaf *leaf,
                                      perm_precision *precision, perm_result *result)
{
  const permi_integer_view view = permi_array_integers(array);
  *precision = PERM_PRECISION_EXACT;
  return permi_modular_leaf(options, array->problem->n, &view, options->modulus, leaf, result);
}

static const permi_array_engine permi_counted_engines[] = {
    {PERM_METHOD_REPEATS, permi_counted_offer, permi_counted_leaf}};
static const permi_array_engine permi_array_engines[] = {
    {PERM_METHOD_REPEATS, permi_counted_offer, permi_counted_leaf},
    {PERM_METHOD_EXACT, permi_exact_offer, permi_exact_make},
    {PERM_METHOD_EXACT, permi_modular_offer, permi_modular_make}};

/* The engine that offers least, and what. If none offers anything, the one that says why when its leaf is asked for. */
static const permi_array_engine *permi_array_choose(permi_array *array, const perm_options *options, double *seconds)
{
  const permi_reach *reach = array->problem->reach;
  const permi_array_engine *best = &reach->engines[options->method == PERM_METHOD_EXACT];
  int k;
  *seconds = (double)INFINITY;
  for (k = 0; k < reach->engine_count; k++) {
    const double offered = reach->engines[k].offer(array, options);
    if (offered < *seconds) {
      *seconds = offered;
      best = &reach->engines[k];
    }
  }
  return best;
}
