/* ======================================================================================== >>entries
   What each kind of public call may reach: see permi_reach. */
#pragma once
#include "../multiplicities/counts.h"
#include "offers.h"
#include "run.h"

#ifdef PERMI_ROUTE
static int PERMI_ROUTE(const permi_problem *problem, const perm_options *options, int argument, perm_result *result);
#define PERMI_ROUTE_HERE PERMI_ROUTE
#else
#define PERMI_ROUTE_HERE NULL
#endif

static const permi_gpu_engines permi_gpus = {permi_plan_gpu, permi_gpu_seconds, permi_gpu_leaf,
                                             permi_choice_gpu_seconds, permi_counts_gpu_leaf};

#if defined(PERM_NO_COMPLEX)
#define PERMI_COMPLEX_TABLE {NULL, 0}
#else
#define PERMI_COMPLEX_TABLE PERMI_KERNEL_TABLE(permi_kernels_complex)
#endif

#if PERMI_X86
#define PERMI_COUNTS_TABLES(parts) {&permi_counts_kernels_##parts##_plain, &permi_counts_kernels_##parts##_avx2}
#else
#define PERMI_COUNTS_TABLES(parts) {&permi_counts_kernels_##parts##_plain, NULL}
#endif

static const permi_reach permi_bare_real = {
    1, PERMI_KERNEL_TABLE(permi_kernels_real), PERMI_COUNTS_TABLES(real), NULL, NULL,
    permi_double_engines, 2, NULL, PERMI_ROUTE_HERE};
static const permi_reach permi_reach_real = {
    1, PERMI_KERNEL_TABLE(permi_kernels_real), PERMI_COUNTS_TABLES(real), permi_gray, &permi_gpus,
    permi_array_engines, PERMI_ARRAY_ENGINE_COUNT, permi_run_state, PERMI_ROUTE_HERE};
static const permi_reach permi_reach_complex = {
    2, PERMI_COMPLEX_TABLE, PERMI_COUNTS_TABLES(complex), permi_gray, &permi_gpus,
    permi_array_engines, PERMI_ARRAY_ENGINE_COUNT, permi_run_state, PERMI_ROUTE_HERE};

static const permi_reach *permi_reach_of(int parts)
{
  return parts == 2 ? &permi_reach_complex : &permi_reach_real;
}

PERMI_UNUSED static permi_view permi_view_make(const double *a, ptrdiff_t ld, int parts)
{
  return permi_view_of(a, ld, parts, permi_reach_of(parts));
}

static permi_problem permi_problem_make(int m, int n, const double *real, const int64_t *integer, ptrdiff_t ld,
                                        const permi_reach *reach, const int *row_counts, const int *column_counts)
{
  const permi_problem problem = {m, n, reach->parts, real, integer,
                                 m == 1 && ld > n ? n : ld, /* no second row: products may overflow */
                                 row_counts, column_counts, reach};
  return problem;
}

static double permi_problem_bytes(const permi_problem *problem)
{
  return 8.0 * fmax(problem->m, 0) * fmax(problem->n, 0) * problem->parts;
}
/* SPDX-License-Identifier: MIT */
