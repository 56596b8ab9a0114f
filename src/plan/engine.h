/* ========================================================================================= >>engine
   The interface of every engine, and the chooser. A problem is an array (>>offers) or a block of a sparse matrix
   (>>engines). */
#pragma once
#include "../dense/dense.h"
#include "../job/control.h"

struct permi_array;
struct permi_block;
struct permi_working;
struct permi_account;
struct permi_layouts;
struct permi_maker;
struct permi_offers;

typedef struct permi_offer {
  double seconds, bytes; /* predicted for one thread; INFINITY: refused, because */
  char why[160];         /* the block "is not a band of at most ..." */
  perm_status status;    /* of a refusal by name; OVERFLOW: integers too long */
  void *plan;
} permi_offer;

/* Returns PERM_OK: the call goes on, with other engines. */
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
  PERMI_NAMED = 1,   /* only when requested by name */
  PERMI_PROVEN = 2,  /* proven bounds, little cancellation: wins below PERMI_PROVEN_FAVOUR_SECONDS */
  PERMI_CAUTION = 4, /* larger estimate: must be PERMI_HYBRID_CAUTION times faster than dense */
  PERMI_SETTLES = 8  /* if a proven engine wins, no more are asked */
} permi_engine_flags;

typedef struct permi_engine {
  perm_method method;
  /* Fills in *offer, at first a refusal, which is PERM_OK too. May give up on times above `rival` (INFINITY if
     requested by name). Planning takes at most a few per cent of the lesser of `rival` and the offer, and depends only
     on problem, options and rival. block: NULL for an array. */
  perm_status (*offer)(struct permi_maker *maker, const struct permi_block *block, double rival, permi_offer *offer);
  /* Makes the offered leaf. Takes offer->plan over (sets it to NULL) or leaves it to be released. */
  perm_status (*make)(struct permi_maker *maker, const struct permi_block *block, permi_offer *offer,
                      permi_leaf *leaf);
  void (*release)(const perm_allocator *allocator, void *plan);
  int flags;
} permi_engine;

typedef struct permi_maker {
  const perm_options *options;
  perm_result *result;
  struct permi_array *array;
  /* for blocks of sparse matrices: */
  struct permi_working *working;
  struct permi_offers *offers;
  double *binomial; /* of >>order; made when first needed */
  double *subsets; /* two numbers a subset of PERMI_MAJORANT_ORDER columns */
  perm_job *job;
  double task_seconds;
  double worth; /* seconds of a job that is there, to be beaten; INFINITY: none */
  int blocks_noted;
  int keeps; double kept; /* for perm_more.h: states are kept, of the blocks before in `kept` bytes, unreduced */
  permi_control *watch;
  struct permi_account *account;
  struct permi_layouts *layouts; /* of the block's hybrid, begun; or NULL */
  /* Hears an offer and its status; returns the status that counts. */
  perm_status (*hear)(struct permi_maker *maker, const struct permi_block *block, const permi_engine *engine,
                      permi_offer *offer, perm_status status);
} permi_maker;

typedef struct permi_offers {
  const permi_engine *engine;
  permi_offer *offer;
  int engines;
  int chosen;
  int swapped;           /* asked after its successor */
  int settled, too_long; /* settled: ask no more */
  double best, proven, dense;
  double most_bytes;
  double glance;          /* of >>frontier_offer; below 0: not yet; */
  int *glanced;           /* its order, allocated; or NULL */
  const int *elimination; /* an order of the block's vertices, from its tree, which is an offer; or NULL */
} permi_offers;

static void permi_offers_begin(permi_offers *offers, const permi_engine *engine, int engines, permi_offer *offer)
{
  int k;
  offers->engine = engine;
  offers->offer = offer;
  offers->engines = offers->swapped = engines;
  offers->chosen = -1;
  offers->settled = offers->too_long = 0;
  offers->best = offers->proven = offers->dense = offers->most_bytes = (double)INFINITY;
  offers->glance = -1;
  offers->glanced = NULL;
  offers->elimination = NULL;
  memset(offer, 0, (size_t)engines * sizeof *offer); /* whole: gcc 12 warns about a loop over why[0] at -O3 */
  for (k = 0; k < engines; k++)
    offer[k].seconds = (double)INFINITY;
}

/* Asks engine i for its offer, and chooses it if it is the best so far. */
static perm_status permi_ask(permi_maker *maker, const struct permi_block *block, permi_offers *offers, int i)
{
  const permi_engine *engine = &offers->engine[i];
  permi_offer *offer = &offers->offer[i];
  perm_status status = engine->offer(maker, block, offers->best, offer);
  if (maker->hear)
    status = maker->hear(maker, block, engine, offer, status);
  offers->too_long |= offer->status == PERM_ERROR_OVERFLOW;
  if ((offer->bytes > offers->most_bytes && offers->best < (double)INFINITY) ||
      (engine->flags & PERMI_CAUTION && PERMI_HYBRID_CAUTION * offer->seconds > offers->dense))
    return status;
  if (engine->flags & PERMI_PROVEN)
    offers->proven = fmin(offers->proven, offer->seconds);
  offers->settled = engine->flags & PERMI_SETTLES && offers->proven < PERMI_PROVEN_FAVOUR_SECONDS;
  if (offer->seconds < offers->best ||
      (offers->proven == offer->seconds && offers->proven < PERMI_PROVEN_FAVOUR_SECONDS)) {
    offers->best = offer->seconds;
    offers->chosen = i;
  }
  if (maker->watch)
    maker->watch->work_total = offers->best;
  return status;
}

/* The chooser: asks the engines in turn; the best offer is offers->chosen, -1: none. */
static perm_status permi_ask_engines(permi_maker *maker, const struct permi_block *block, permi_offers *offers)
{
  perm_status status = PERM_OK;
  int turn;
  for (turn = 0; turn < offers->engines && status == PERM_OK && !offers->settled && !permi_watch(maker->watch, 1e3);
       turn++) {
    const int i = turn + (turn == offers->swapped) - (turn == offers->swapped + 1);
    if (!(offers->engine[i].flags & PERMI_NAMED))
      status = permi_ask(maker, block, offers, i);
  }
  return status;
}
/* SPDX-License-Identifier: MIT */
