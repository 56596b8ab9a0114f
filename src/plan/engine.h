/* ========================================================================================= >>engine
   The interface of engines for arrays (>>offers) and blocks of sparse matrices (>>choose), and the chooser. */
#pragma once
#include "../dense/plan.h"
#include "../exact/exact_device.h"
#include "../multiplicities/counts_leaf.h"
#include "check.h"

struct permi_array;
struct permi_block;
struct permi_working;
struct permi_account;
struct permi_layouts;
struct permi_maker;
struct permi_offers;

typedef struct permi_offer {
  double seconds, bytes; /* predicted for one thread; INFINITY: refused */
  char why[160];         /* of a refusal: the block "is not a band of at most ..."; else a remark */
  perm_status status;    /* of a refusal by name; OVERFLOW: integers too long */
  double least;          /* seconds that no plan of the engine goes below */
  double likely;         /* what its plan may well take; INFINITY: unknown */
  int bounded, asked;    /* 1: both are found; the turn of the offer, from 1 */
  void *plan;
} permi_offer;

static perm_status permi_refuse(permi_offer *offer, perm_status status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  permi_vsay(offer->why, sizeof offer->why, format, arguments);
  va_end(arguments);
  offer->seconds = (double)INFINITY;
  offer->status = status;
  return PERM_OK;
}

typedef enum permi_engine_flags {
  PERMI_NAMED = 1,   /* only by name */
  PERMI_PROVEN = 2,  /* proven bounds, little cancellation: wins below permi_offers.favour */
  PERMI_CAUTION = 4, /* must be PERMI_HYBRID_CAUTION times faster than dense sums */
  PERMI_FULL = 8,    /* looks for a structure that blocks without zeros may have */
  PERMI_ARRAY = 16,  /* takes blocks as arrays */
  PERMI_FREE = 32,   /* takes blocks with free lines */
  PERMI_LONE = 64    /* has one precision: exact, or doubles alone */
} permi_engine_flags;

typedef struct permi_engine {
  perm_method method;
  int flags;
  double planning; /* seconds per vertex and entry of a block: the engine is never sooner done */
  /* Raises offer->least and finds offer->likely. Takes microseconds or a small share of `rival`. May be NULL. */
  perm_status (*least)(struct permi_maker *maker, const struct permi_block *block, double rival, permi_offer *offer);
  /* Fills in *offer, at first a refusal. May give up on times above `rival`, which is INFINITY by name. Planning takes
     at most a few per cent of the lesser of `rival` and the offer, and depends on problem, options and rival alone.
     block: NULL for an array. */
  perm_status (*offer)(struct permi_maker *maker, const struct permi_block *block, double rival, permi_offer *offer);
  /* Takes offer->plan over, and sets it to NULL, or leaves it to be released. */
  perm_status (*make)(struct permi_maker *maker, const struct permi_block *block, permi_offer *offer,
                      permi_leaf *leaf);
  void (*release)(const perm_allocator *allocator, void *plan);
} permi_engine;

static const permi_engine *permi_engine_of(const permi_engine *engine, int engines, perm_method method)
{
  for (; engines > 0; engines--, engine++)
    if (engine->method == method)
      return engine;
  return NULL;
}

typedef struct permi_maker {
  const perm_options *options;
  perm_result *result;
  permi_control *watch;
  const permi_reach *reach;
  int n, integer, doubles;   /* the order of the array or block; 1: of integers; 1: not in pairs of floats */
  struct permi_array *array; /* of a block: see permi_array_ready */
  perm_status (*as_array)(struct permi_maker *maker, const struct permi_block *block);
  /* Hears an offer and its status; returns the status that counts. */
  perm_status (*hear)(struct permi_maker *maker, const struct permi_block *block, const permi_engine *engine,
                      permi_offer *offer, perm_status status);
  /* for blocks of sparse matrices: */
  struct permi_working *working;
  struct permi_offers *offers;
  int equal_lines;
  double *binomial; /* of >>order; made when first needed */
  double *subsets; /* two numbers a subset of PERMI_MAJORANT_ORDER columns */
  perm_job *job;
  double task_seconds;
  double worth; /* seconds that an offer must beat */
  int seen; /* 1: the job is explained or kept: offers are noted, leaves have fingerprints */
  int blocks_noted;
  int keeps; double kept; /* for >>sample: 1: states are kept, so far in `kept` bytes */
  struct permi_account *account;
  struct permi_layouts *layouts; /* of the hybrid, begun; or NULL */
} permi_maker;

typedef struct permi_offers {
  const permi_engine *engine;
  permi_offer *offer;
  int engines;
  int chosen; /* -1: none */
  int turns, too_long;
  double best, proven; /* of the chosen; the least of proven engines */
  double rival;        /* of the engine that is asked */
  double favour;       /* seconds below which proven engines win */
  double most_bytes;
  double glance;          /* seconds of permi_frontier_glance; below 0: not asked yet */
  int *glanced;           /* its order, allocated, or NULL */
  const int *elimination; /* an order of the block, from the offer of trees; or NULL */
} permi_offers;

static void permi_offers_begin(permi_offers *offers, const permi_engine *engine, int engines, permi_offer *offer)
{
  memset(offers, 0, sizeof *offers);
  offers->engine = engine;
  offers->offer = offer;
  offers->engines = engines;
  offers->chosen = -1;
  offers->best = offers->proven = offers->rival = offers->most_bytes = (double)INFINITY;
  offers->glance = -1;
  memset(offer, 0, (size_t)engines * sizeof *offer); /* gcc 12 warns about loops over why[0] at -O3 */
  while (engines-- > 0)
    offer[engines].seconds = offer[engines].likely = (double)INFINITY;
}

/* Returns the seconds below which an offer of engine i wins: the best offer's. Proven engines also win below `favour`
   over what is not proven, and there the least of them wins. */
static double permi_offers_limit(const permi_offers *offers, int i)
{
  double limit = offers->proven < offers->favour ? 0 : offers->best;
  if (offers->engine[i].flags & PERMI_PROVEN)
    return fmax(offers->best, fmin(offers->proven, offers->favour));
  for (int k = 0; k < offers->engines && offers->engine[i].flags & PERMI_CAUTION; k++)
    if ((offers->engine[k].flags & (PERMI_ARRAY | PERMI_PROVEN)) == PERMI_ARRAY)
      limit = fmin(limit, offers->offer[k].likely / PERMI_HYBRID_CAUTION);
  return limit;
}

static perm_status permi_ask(permi_maker *maker, const struct permi_block *block, permi_offers *offers, int i)
{
  const permi_engine *engine = &offers->engine[i];
  permi_offer *offer = &offers->offer[i];
  const int bounds = engine->least && !offer->bounded;
  offers->rival = offers->best; /* or what another engine is likely to take */
  for (int k = 0; k < offers->engines; k++)
    if (k != i && !offers->offer[k].asked)
      offers->rival = fmin(offers->rival, offers->offer[k].likely);
  offer->bounded = 1;
  perm_status status = (bounds ? engine->least : engine->offer)(maker, block, offers->rival, offer);
  if (bounds && status == PERM_OK)
    return PERM_OK;
  offer->asked = ++offers->turns;
  if (maker->hear)
    status = maker->hear(maker, block, engine, offer, status);
  offers->too_long |= offer->status == PERM_ERROR_OVERFLOW;
  if (offer->bytes > offers->most_bytes && offers->rival < (double)INFINITY)
    return status;
  if (offer->seconds < permi_offers_limit(offers, i)) {
    offers->best = offer->seconds;
    offers->chosen = i;
  }
  if (engine->flags & PERMI_PROVEN)
    offers->proven = fmin(offers->proven, offer->seconds);
  if (maker->watch)
    maker->watch->work_total = offers->best;
  return status;
}

/* Engine i before engine k: by lower bound, quicker planning, a better bound to give, method. */
static int permi_asked_before(const permi_offers *offers, int i, int k)
{
  const permi_engine *one = &offers->engine[i], *other = &offers->engine[k];
  const permi_offer *here = &offers->offer[i], *there = &offers->offer[k];
  const int bounds = one->least && !here->bounded, others = other->least && !there->bounded;
  return here->least != there->least        ? here->least < there->least
         : one->planning != other->planning ? one->planning < other->planning
         : bounds != others                 ? bounds
                                            : one->method < other->method;
}

/* Of those that can win if `winners`; -1: none is left. */
static int permi_next_engine(const permi_offers *offers, int winners)
{
  int i, next = -1;
  for (i = 0; i < offers->engines; i++)
    if (!offers->offer[i].asked && (!(offers->engine[i].flags & PERMI_NAMED) || offers->engines == 1) &&
        (next < 0 || permi_asked_before(offers, i, next)) &&
        (!winners || offers->offer[i].least < permi_offers_limit(offers, i)))
      next = i;
  return next;
}

/* The chooser: asks while an engine can win. */
static perm_status permi_ask_engines(permi_maker *maker, const struct permi_block *block, permi_offers *offers)
{
  perm_status status = PERM_OK;
  int next = 0;
  while (status == PERM_OK && !permi_watch(maker->watch, 1e3) && (next = permi_next_engine(offers, 1)) >= 0)
    status = permi_ask(maker, block, offers, next);
  return status;
}

static int permi_is_counts_method(perm_method method)
{
  return method == PERM_METHOD_SUBSETS || method == PERM_METHOD_MULTIPLICITIES || method == PERM_METHOD_SHORT;
}

/* PERM_PRECISION_COUNT at the top. Counts may end with exact integers. */
static perm_precision permi_next_precision(const permi_engine *engines, int count, perm_method method,
                                           perm_precision precision)
{
  const permi_engine *engine = permi_engine_of(engines, count, method);
  const int counts = permi_is_counts_method(method);
  const int doubles = counts || method == PERM_METHOD_GLYNN || method == PERM_METHOD_RYSER ||
                      (engine && !(engine->flags & PERMI_LONE));
  return precision == PERM_PRECISION_DD && counts         ? PERM_PRECISION_EXACT
         : precision == PERM_PRECISION_DEFAULT && doubles ? PERM_PRECISION_DD
                                                          : PERM_PRECISION_COUNT;
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
