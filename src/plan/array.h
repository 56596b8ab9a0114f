/* ========================================================================================== >>array
   What engines for arrays are given. */
#pragma once
#include "../dense/plan.h"
#include "../exact/exact_device.h"
#include "../multiplicities/counts_leaf.h"
#include "check.h"
#include "engine.h"

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

/* Chooses in the precision asked for, or a better one that is nearly free. */
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

typedef struct permi_array {
  const permi_problem *problem;
  const permi_engine *engine;
  int argument;                 /* position of the options; 0: a block, which no limit refuses */
  int constant;                 /* the known permanent, 0 or 1; -1: unknown */
  int reduced;                  /* 1: dense sums do not take the problem */
  int counted_made, exact_planned;
  permi_counted counted, whole; /* whole: the doubles as integers */
  permi_choice choice;
  permi_dense_plan plan;
  permi_exact_plan exact;
  perm_precision precision;
} permi_array;

static void permi_array_of(permi_maker *maker, permi_array *array, const permi_problem *problem, int argument)
{
  maker->array = array;
  maker->reach = problem->reach;
  maker->n = problem->n;
  maker->integer = problem->integer != NULL;
  array->problem = problem;
  array->engine = NULL;
  array->argument = argument;
  array->reduced = array->counted_made = array->exact_planned = 0;
  array->constant = -1;
  memset(&array->counted, 0, sizeof array->counted);
  array->whole.real = NULL;
}

static void permi_array_begin(permi_maker *maker, permi_array *array, const permi_problem *problem, int argument)
{
  memset(maker, 0, sizeof *maker);
  permi_array_of(maker, array, problem, argument);
}

static perm_status permi_array_ready(permi_maker *maker, const struct permi_block *block)
{
  return maker->array ? PERM_OK : maker->as_array(maker, block);
}

static const permi_engine *permi_array_engine(const permi_reach *reach, perm_method method)
{
  return permi_engine_of(reach->engines, reach->engine_count, method);
}

static void permi_array_free(permi_array *array, const perm_allocator *allocator)
{
  permi_counted_free(allocator, &array->counted);
  permi_counted_free(allocator, &array->whole);
}
/* SPDX-License-Identifier: MIT */
