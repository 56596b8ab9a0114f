/* ========================================================================================= >>bounds
   Bound, estimate and leaf of a plan; the next precision. */
#pragma once
#include "plain.h"
#include "plan.h"
#include "rounding.h"

/* THE BOUND. Sets the error measures, relative to the sum of |terms| and absolute; u = 2^-53.
   1. Normalised, exact rows: n products p (y +- 1), n u. Split: n row sums and n products, 2 n u. Exact pairs: (n + 1)
   / 2 products.
   2. A complex product p s rounds p_i s_i, then p_r s_r - fl(p_i s_i), and the other part alike: by Minkowski at most u
   (|p_i| |s| + |ps|) <= 2 u |ps|; without FMA u |p_r| |s| more, 2.42 u |ps|.
   3. Double-double (P, C), |C| <= u |P|, times s + l, |l| <= u |s|: h + e = P s is exact; e + P l + C s is at most 3 u
   |P s|, rounded up to four times; C l <= u^2 |P s| is dropped: below 14 u^2 |P s|. Complex: 5.25 u |p| |s|, rounded
   ten times: below 60 u^2.
   4. Rounded sums: K + 1 additions in a state, 8 in a group, TwoSum's rounded errors below 2^36 u^2: K + 10 units.
   5. Double-double sums: a term rounds a low part below (2^K + 2) 2 u A twice, A the chunk's sum of |terms|: 40 u^2 A.
   6. Second order and the rounding of sum |terms| (2^18 states: 2^-30): a factor 1.0001.
   7. Absolute: an underflow or lost entry is off by 2^-1074, later factors are at most 1, or together 2^growth: n^2
   2^-1070 for each of 2^(n-1) terms.
   8. Entries >= 0 that move before exact rows, no more than e_i of each in row i: the permanent is a sum of products of
   one entry a row, so it moves by at most sum e_i of itself, and second order. Minors need not be known: that is why
   entries of both signs take split rows.
   Proved by machine: 1, 4, 6 tests/proofs/chains.v, 2, 3 tests/proofs/complex.v, 1, 3, 4 tests/proofs/dense.g, 4 to 7
   tests/proofs/dense_orders.sh.
   The estimate is a tenth of the bound, or permi_rounded_estimate. Double-double sums err like a random walk.
   tests/attack/climb.c searches for counterexamples. */
static void permi_plan_bounds(const permi_dense_plan *plan, const permi_view *view, permi_leaf *leaf)
{
  const double n = plan->n, parts = view->parts, square = PERMI_UNIT * PERMI_UNIT;
  const double product = parts == 1 ? 1 : plan->isa == PERM_ISA_PLAIN ? 2.42 : 2; /* in u */
  const int gpu = plan->isa == PERM_ISA_CUDA;
  /* GPUs: at most 18 additions before a sum is exact */
  const int block = gpu ? 12 : plan->block_columns;
  const int terms_log2 = plan->chunk_log2 + plan->block_columns + (gpu ? 1 - PERM_GPU_THREADS_LOG2 : 0);
  int growth = 0, i;
  leaf->bound_relative = (double)INFINITY;
  switch (plan->method) {
  case PERM_METHOD_EXPANSION:
    /* n - 1 double-double products a term (complex: 4 each); an underflow loses 2^-1070 in each of n! products */
    leaf->bound_relative = (n + 1) * PERMI_DD_UNIT * parts * parts;
    leaf->bound_absolute = ldexp(n * n, permi_clamp((int)(n * log2(n + 1.0)) - 1070, -1070, 0));
    leaf->estimate_relative = n * PERMI_DD_UNIT * parts;
    return;
  case PERM_METHOD_DENSE: break;
  default: return; /* permi_plan_leaf */
  }
  if (gpu)
    growth = view->reach->gpu->growth(plan, view);
  else if (plan->form == PERMI_FORM_NORMALISED)
    for (i = 0; i < plan->n; i++)
      growth += 1 - permi_exponent(permi_scaled(plan, view, i, plan->pivot, 0));
  leaf->bound_absolute += ldexp(n * n, plan->n - 1 - 1070 + growth);
  if (plan->precision == PERM_PRECISION_DD) {
    leaf->bound_relative = ((parts == 2 ? 60 : 14) * n + ldexp(40, terms_log2)) * square * 1.0001;
    leaf->estimate_relative = (8 * n * parts + ldexp(8, terms_log2 / 2)) * square;
  } else if (plan->form == PERMI_FORM_SPLIT || plan->exact_rows) {
    const double products = plan->form == PERMI_FORM_SPLIT  ? (1 + product) * n
                            : plan->form == PERMI_FORM_PAIR ? product * (n + 1) / 2
                                                           : product * n;
    leaf->bound_relative = (products + block + 10) * PERMI_UNIT * 1.0001;
    if (plan->exact_rows == 2)
      leaf->bound_value = 1.0001 * (gpu ? view->reach->gpu->moves : permi_plan_moves)(plan, view, (double)INFINITY);
    leaf->bound_relative *= 1 + leaf->bound_value;
    leaf->bound_absolute *= 1 + leaf->bound_value;
    leaf->estimate_relative = leaf->bound_relative / 10;
  } else {
    permi_rounded_estimate(plan, view, leaf);
  }
  if (leaf->bound_relative < leaf->estimate_relative)
    leaf->estimate_relative = leaf->bound_relative;
}

static perm_status permi_plan_leaf(const permi_dense_plan *plan, const permi_view *view,
                                   const perm_allocator *allocator,
                                   permi_leaf *leaf)
{
  permi_plain *plain;
  int i, j, part, n = plan->n;
  memset(leaf, 0, sizeof *leaf);
  leaf->information.kind = plan->method == PERM_METHOD_EXPANSION ? PERM_LEAF_TASK : PERM_LEAF_RANGE;
  leaf->information.method = plan->method;
  leaf->information.isa = plan->isa;
  leaf->information.n = n;
  leaf->information.chunks = plan->chunks;
  leaf->information.work = plan->elements;
  leaf->information.seconds = plan->seconds;
  leaf->information.bytes = plan->bytes;
  leaf->information.fingerprint = plan->fingerprint;
  leaf->explain = permi_plan_explain;
  leaf->scale = permi_dd_make(1);
  for (i = 0; i < n; i++)
    leaf->scale_exp2 -= plan->row_exp2[i] + plan->column_exp2[i];
  permi_plan_bounds(plan, view, leaf);
  if (plan->method == PERM_METHOD_DENSE) {
    const int product = plan->precision == PERM_PRECISION_DD ? PERMI_DOUBLED : PERMI_ROUNDED;
    leaf->scale_exp2 -= n - 1;
    if (plan->isa == PERM_ISA_CUDA)
      return view->reach->gpu->leaf(plan, view, allocator, leaf);
    return permi_dense_tables(plan, view, permi_kernel_for(&view->reach->kernels, plan->isa, plan->form, product, n),
                              allocator, leaf);
  }
  plain = (permi_plain *)permi_allocate(allocator, 1, sizeof *plain + (size_t)(view->parts * n * n) * sizeof(double));
  if (!plain)
    return PERM_ERROR_MEMORY;
  plain->n = n;
  plain->parts = view->parts;
  plain->ryser = plan->method == PERM_METHOD_RYSER;
  plain->precision = plan->precision;
  plain->chunk_log2 = plan->chunk_log2;
  for (part = 0; part < view->parts; part++)
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        plain->a[(part * n + j) * n + i] = permi_scaled(plan, view, i, j, part);
  leaf->context = plain;
  leaf->release = permi_context_release;
  if (plan->method == PERM_METHOD_EXPANSION) {
    leaf->run_task = permi_expansion_task;
    return PERM_OK;
  }
  leaf->estimate_relative = permi_plain_rounding(plain);
  leaf->run_chunk = view->reach->gray[plan->precision == PERM_PRECISION_DD];
  leaf->scale_exp2 -= plan->method == PERM_METHOD_GLYNN ? n - 1 : 0;
  return PERM_OK;
}

/* Returns the precision to try if a result of a method is not good enough, PERM_PRECISION_COUNT at the top. Elimination
   has no precision between doubles and double-doubles; engines for equal lines may end with exact integers. */
static perm_precision permi_next_precision(perm_method method, perm_precision precision)
{
  const int counts = method >= PERM_METHOD_SUBSETS && method <= PERM_METHOD_SHORT;
  const int raised = (method >= PERM_METHOD_FRONTIER && method <= PERM_METHOD_CACHED) ||
                     method == PERM_METHOD_TRANSVERSALS || method == PERM_METHOD_TWINS ||
                     method == PERM_METHOD_DENSE || method == PERM_METHOD_GLYNN || method == PERM_METHOD_RYSER;
  return precision == PERM_PRECISION_DD && counts                   ? PERM_PRECISION_EXACT
         : precision == PERM_PRECISION_DEFAULT && (raised || counts) ? PERM_PRECISION_DD
                                                                    : PERM_PRECISION_COUNT;
}

PERMI_UNUSED
static double permi_dense_rate(const perm_options *options)
{
  static const permi_kernel_table real = PERMI_KERNEL_TABLE(permi_kernels_real);
  return permi_kernel_for(&real, permi_isa(options), PERMI_FORM_NORMALISED, PERMI_ROUNDED, PERM_MAX_N)->rate;
}
/* SPDX-License-Identifier: MIT */
