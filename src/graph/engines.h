/* ======================================================================================== >>engines */
#pragma once
#include "../plan/compute.h"
#include "../job/job.h"
#include "reduce.h"
#include "order.h"

PERMI_INLINE int permi_count_ones(uint64_t x)
{
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (int)(x * UINT64_C(0x0101010101010101) >> 56);
}

static uint64_t permi_deposit_bits(uint64_t x, uint64_t set)
{
  uint64_t bits = 0;
  for (; x && set; x >>= 1, set &= set - 1)
    if (x & 1)
      bits |= set & (0 - set);
  return bits;
}

#define PERMI_MAJORANT_ORDER 12
/* What rows have alone are columns of their own. */
static perm_status permi_make_problem(const permi_maker *maker, const permi_block *block, permi_problem *problem,
                                      void **entries)
{
  const int m = block->n, columns = block->vertices - m, n = columns + (block->free_lines ? m : 0);
  const int parts = maker->working->is_complex ? 2 : 1;
  int64_t *const integer = (int64_t *)permi_allocate_zeros(&maker->options->allocator, (size_t)m * (size_t)n *
                                                           (size_t)parts, sizeof *integer);
  double *const real = (double *)(void *)integer;
  *entries = integer;
  if (!integer)
    return permi_fail_memory(maker->result);
  for (int i = 0; i < m; i++)
    for (int e = block->start[i]; e < block->start[i + 1] + block->free_lines; e++)
      for (int part = 0; part < parts; part++) {
        const int own = e == block->start[i + 1], edge = own ? permi_block_alone(block, i) : block->edge[e];
        const size_t column = (size_t)(own ? columns + i : block->neighbour[e] - m);
        const size_t at = ((size_t)i * (size_t)n + column) * (size_t)parts + (size_t)part;
        if (block->integer)
          integer[at] = (part ? block->imaginary_integer : block->integer)[edge];
        else
          real[at] = (part ? block->imaginary : block->real)[edge];
      }
  *problem = permi_problem_make(m, n, block->integer ? NULL : real, block->integer ? integer : NULL, n,
                                permi_reach_of(parts), NULL, NULL);
  return PERM_OK;
}

/* Rounded entries cost a term's relative error times the majorant, and lost_error. The majorant is the permanent of the
   moduli up to PERMI_MAJORANT_ORDER, else a bound by line sums. */
static void permi_make_honest(const permi_maker *maker, const permi_block *block, permi_leaf *leaf)
{
  const permi_working *working = maker->working;
  const double scale = fabs(leaf->scale.hi) * (1 - 8 * PERMI_UNIT);
  double bound = working->lost ? working->lost_error : 0, estimate = bound;
  double product[2] = {1, 1}, majorant = 0, *const value = maker->subsets;
  const int n = block->n;
  if (block->rounded && n <= PERMI_MAJORANT_ORDER && !block->free_lines) {
    memset(value, 0, ((size_t)1 << n) * sizeof *value);
    value[0] = 1;
    for (int s = 0; s < (1 << n) - 1; s++) {
      const int v = permi_count_ones((unsigned)s);
      for (int e = block->start[v]; e < block->start[v + 1]; e++) {
        const int bit = 1 << (block->neighbour[e] - n);
        if (!(s & bit))
          value[s | bit] += value[s] * block->absolute[block->edge[e]];
      }
    }
    majorant = value[(1 << n) - 1] * (1 + 1e-12) + 1e-280;
  } else if (block->rounded) {
    for (int v = 0; v < block->vertices; v++) {
      double sum = block->free_lines ? block->absolute[permi_block_alone(block, v)] : 0;
      for (int e = block->start[v]; e < block->start[v + 1]; e++)
        sum += block->absolute[block->edge[e]];
      product[v >= n] = product[v >= n] * sum * (1 + 1e-12) + 1e-280;
    }
    majorant = block->free_lines ? product[0] : fmin(product[0], product[1]);
  }
  if (block->rounded) {
    bound += permi_entry_bound(permi_entry_roundings(working, working->n) + block->additions) * majorant;
    if (n <= PERMI_MAJORANT_ORDER) /* else too wide */
      estimate += 4 * PERMI_UNIT * (1 + working->degree_two + block->additions) * majorant;
  }
  if (bound > 0) {
    leaf->bound_absolute += permi_ldexp(bound * (1 + 1e-12) / scale, -leaf->scale_exp2) + DBL_MIN;
    leaf->estimate_absolute += permi_ldexp(estimate / scale, -leaf->scale_exp2);
    leaf->estimate_relative += 4 * PERMI_UNIT * (1 + working->degree_two + block->additions);
  }
}

/* Returns loss factor 2^e, never 0 by underflow. */
static double permi_loss_scaled(double loss, double factor, int e)
{
  return loss > 0 ? ldexp(loss * factor, e) + DBL_MIN : 0;
}

typedef struct permi_owned {
  perm_allocator allocator;
  permi_pool pool;
} permi_owned;

/* A zeroed plan that begins with a permi_owned, or NULL. */
static void *permi_owned_new(const perm_allocator *allocator, size_t bytes)
{
  permi_owned *owned = (permi_owned *)permi_allocate_zeros(allocator, 1, bytes);
  if (owned) {
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

static void permi_leaf_ranges(permi_leaf *leaf, perm_isa isa, uint64_t chunks, double work, uint64_t fingerprint,
                              void (*run)(const permi_leaf *, uint64_t, void *, perm_partial *), size_t workspace,
                              size_t (*explain)(const permi_leaf *, char *, size_t))
{
  leaf->information.kind = PERM_LEAF_RANGE;
  leaf->information.isa = isa;
  leaf->information.chunks = chunks;
  leaf->information.work = work;
  leaf->information.fingerprint = fingerprint;
  leaf->run_chunk = run;
  leaf->workspace = workspace;
  leaf->explain = explain;
}

static perm_status permi_refuse_long(permi_offer *offer)
{
  return permi_refuse(offer, PERM_ERROR_OVERFLOW, "may have a permanent of over %d bits", 64 * PERM_INTEGER_WORDS);
}
/* SPDX-License-Identifier: MIT */
