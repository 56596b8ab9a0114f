/* ======================================================================================== >>engines
   What the engines of a block have in common. An engine makes an offer, its prediction and what it worked out on the
   way; the planner (>>plan) takes the best and has its leaf made. Entries of a block of doubles are at most 1 in
   modulus: scaled by powers of two, and rounded only where block->rounded says so. */
#pragma once
#include "../solve/compute.h"
#include "reduce.h"
#include "order.h"

#define PERMI_MAJORANT_ORDER 12
/* What a maker of leaves is given, and what it adds up. */
typedef struct permi_maker {
  const perm_options *options;
  permi_working *working;
  const double *binomial;
  double *subsets; /* room for two numbers a subset of PERMI_MAJORANT_ORDER columns */
  perm_job *job;
  perm_result *result;
  double task_seconds;
  int blocks_noted; /* blocks whose offers are in the job's note */
  int tuned;        /* candidate of the first kernel, see permi_code_tune; 0: none yet */
  permi_control *watch;
  permi_account account;
} permi_maker;

static perm_status permi_make_fits(const permi_maker *maker, int n)
{
  const perm_method method = maker->options->method;
  return n <= PERM_MAX_N
             ? PERM_OK
             : permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                          "a block of order %d is too large for method %s, which takes at most %d", n,
                          perm_method_name(method == PERM_METHOD_AUTO ? PERM_METHOD_DENSE : method), PERM_MAX_N);
}

/* The block as a problem of the engines of perm.h; the caller releases *entries. */
static perm_status permi_make_problem(const permi_maker *maker, const permi_block *block, permi_problem *problem,
                                      void **entries)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const int n = block->n, parts = maker->working->is_complex ? 2 : 1;
  const size_t count = (size_t)n * (size_t)n * (size_t)parts;
  double *real = NULL;
  int64_t *integer = NULL;
  int i, e;
  *entries = permi_allocate(allocator, count, 8);
  if (!*entries)
    return permi_fail_memory(maker->result);
  memset(*entries, 0, count * 8); /* 0 in either type */
  if (block->integer)
    integer = (int64_t *)*entries;
  else
    real = (double *)*entries;
  for (i = 0; i < n; i++)
    for (e = block->start[i]; e < block->start[i + 1]; e++) {
      const int at = (i * n + block->neighbour[e] - n) * parts, edge = block->edge[e];
      if (integer)
        integer[at] = block->integer[edge];
      else
        real[at] = block->real[edge];
      if (integer && parts == 2)
        integer[at + 1] = block->imaginary_integer[edge];
      else if (parts == 2)
        real[at + 1] = block->imaginary[edge];
    }
  *problem = permi_problem_make(n, n, real, integer, n, permi_reach_of(parts), NULL, NULL);
  return PERM_OK;
}

/* At least the permanent of the moduli that the entries of a block were computed from: itself for small orders, by
   the subsets of columns, and the product of the sums of rows or columns, whichever is less, for others. value: room
   for them, permi_maker has it. */
static double permi_block_majorant(const permi_block *block, double *value)
{
  double product[2] = {1, 1};
  const int n = block->n;
  int side, v, e, s;
  if (n <= PERMI_MAJORANT_ORDER) {
    memset(value, 0, ((size_t)1 << n) * sizeof *value);
    value[0] = 1;
    for (s = 0; s < (1 << n) - 1; s++) {
      for (v = 0, e = s; e; e &= e - 1)
        v++;
      for (e = block->start[v]; e < block->start[v + 1]; e++) {
        const int bit = 1 << (block->neighbour[e] - n);
        if (!(s & bit))
          value[s | bit] += value[s] * block->absolute[block->edge[e]];
      }
    }
    return value[s] * (1 + 1e-12) + 1e-280;
  }
  for (side = 0; side < 2; side++)
    for (v = side * n; v < side * n + n; v++) {
      double sum = 0;
      for (e = block->start[v]; e < block->start[v + 1]; e++)
        sum += block->absolute[block->edge[e]];
      product[side] = product[side] * sum * (1 + 1e-12) + 1e-280;
    }
  return product[0] < product[1] ? product[0] : product[1];
}

/* A proof for the rounded entries of a block is none for the given ones: with g the relative error of a term of such
   an entry, the permanents differ by at most g times that of the terms' moduli, and by lost_error for entries below
   the normal doubles. */
static void permi_make_honest(const permi_maker *maker, const permi_block *block, permi_leaf *leaf)
{
  const permi_working *working = maker->working;
  const double scale = fabs(leaf->scale.hi) * (1 - 8 * PERMI_UNIT);
  double bound = working->lost ? working->lost_error : 0, estimate = bound;
  if (block->rounded) {
    const double majorant = permi_block_majorant(block, maker->subsets);
    bound += permi_entry_bound(permi_entry_roundings(working, working->n)) * majorant;
    if (block->n <= PERMI_MAJORANT_ORDER) /* signs may cancel in every term of rounded entries; else it is too wide */
      estimate += 4 * PERMI_UNIT * (1 + working->degree_two) * majorant;
  }
  if (bound > 0) {
    leaf->bound_absolute += ldexp(bound * (1 + 1e-12) / scale, permi_int_exponent(-leaf->scale_exp2)) + DBL_MIN;
    leaf->estimate_absolute += ldexp(estimate / scale, permi_int_exponent(-leaf->scale_exp2));
    leaf->estimate_relative += 4 * PERMI_UNIT * (1 + working->degree_two);
  }
}

/* A bound on what underflow took, of values that are multiplied by factor 2^e: it must not become 0 by underflow
   itself, for values that are scaled up again. */
static double permi_loss_scaled(double loss, double factor, int e)
{
  return loss > 0 ? ldexp(loss * factor, e) + DBL_MIN : 0;
}

typedef struct permi_offer {
  double seconds, bytes; /* predicted, of one thread; seconds INFINITY: refused, because it */
  char why[160];         /* "is not a band of at most ...", to follow "a block of order N " */
  perm_status status;    /* of the method asked for by name: UNSUPPORTED, LIMIT; OVERFLOW: too long an integer */
  void *plan;            /* what the engine has worked out */
} permi_offer;

/* Begins a plan: everything that the plan needs lies in its pool. */
typedef struct permi_owned {
  perm_allocator allocator;
  permi_pool pool;
} permi_owned;

/* A plan of `bytes` zeros but for its beginning, or NULL. */
static void *permi_owned_new(const perm_allocator *allocator, size_t bytes)
{
  permi_owned *owned = (permi_owned *)permi_allocate(allocator, 1, bytes);
  if (owned) {
    memset(owned, 0, bytes);
    owned->allocator = *allocator;
    owned->pool.allocator = &owned->allocator;
  }
  return owned;
}

static void permi_owned_release(const perm_allocator *allocator, void *plan)
{
  if (plan)
    permi_pool_release(&((permi_owned *)plan)->pool);
  permi_release(allocator, plan);
}

typedef enum permi_engine_flags {
  PERMI_NAMED = 1,  /* only when requested by name */
  PERMI_PROVEN = 2, /* its bounds are proven and it hardly cancels: below PERMI_PROVEN_FAVOUR_SECONDS it wins */
  PERMI_CAUTION = 4 /* its estimate is the larger one: taken only if PERMI_HYBRID_CAUTION times faster than dense */
} permi_engine_flags;

typedef struct permi_engine {
  perm_method method;
  /* Fills in *offer, which comes refused and empty. Searches may end, refusing, when they see no way below `rival`
     seconds; rival is INFINITY for the method asked for by name. Planning shall take at most a few per cent of the
     lesser of `rival` and what is offered, and depend on nothing but block, options and rival. PERM_OK also for a
     refusal; else a failure that is reported (out of memory). */
  perm_status (*offer)(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer);
  /* The leaf from the offer; takes offer->plan over (sets it to NULL) or leaves it to be released. */
  perm_status (*make)(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf);
  void (*release)(const perm_allocator *allocator, void *plan); /* plan is not NULL */
  int flags;
} permi_engine;

static void permi_refuse(permi_offer *offer, perm_status status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(offer->why, sizeof offer->why, format, arguments);
  va_end(arguments);
  offer->seconds = (double)INFINITY;
  offer->status = status;
}

static void permi_refuse_long(permi_offer *offer)
{
  permi_refuse(offer, PERM_ERROR_OVERFLOW, "may have a permanent of over %d bits", 64 * PERM_INTEGER_WORDS);
}

/* The leaf of a task without kernels, which takes the plan of the offer over. */
static void permi_leaf_task(permi_leaf *leaf, permi_offer *offer, perm_method method, int n, double work,
                            uint64_t fingerprint,
                            perm_status (*run)(const permi_leaf *leaf, permi_control *control, perm_partial *partial),
                            size_t (*explain)(const permi_leaf *leaf, char *buffer, size_t size))
{
  leaf->information.kind = PERM_LEAF_TASK;
  leaf->information.method = method;
  leaf->information.isa = PERM_ISA_PLAIN;
  leaf->information.n = n;
  leaf->information.chunks = 1;
  leaf->information.work = work;
  leaf->information.fingerprint = fingerprint;
  leaf->run_task = run;
  leaf->explain = explain;
  leaf->release = permi_owned_release;
  leaf->context = offer->plan;
  offer->plan = NULL;
}

/* The leaf's relative bound, and the estimate for roundings of size `unit` that are independent. */
static void permi_leaf_bound(permi_leaf *leaf, double bound, double unit)
{
  leaf->bound_relative = bound;
  leaf->estimate_relative = fmin(4 * sqrt(unit * bound), bound);
}
