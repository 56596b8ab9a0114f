/* The only door of the tests to what is private, permi_* and PERMI_*: the implementation stands in the program that
   includes this, with the hooks that are asked for. Tests of the public face include the headers as users do.
   Asked for before the inclusion:
     INSIDE_HIDE        a function of that name changes what the processor is said to have
     INSIDE_FAULTS      allocations by the C library, files and steps of files can fail; threads share short steps;
                        every look at the limits can stop; the locale can have another decimal point
     INSIDE_DENSE       perm.h alone; otherwise perm_more.h, which has all three
     INSIDE_GPU         with PERM_WITH_CUDA; INSIDE_TWINS: and twins of generated kernels on the CPU (cuda/twins.h)
     INSIDE_KERNELS     perm_cuda.cu instead; INSIDE_TWINS: and what its twin needs; INSIDE_BENCH: and its figures
     INSIDE_MPI         perm_mpi.c instead; INSIDE_SIMULATE: without MPI, for its coordinator alone */
#ifndef PERM_INSIDE_H_INCLUDED
#define PERM_INSIDE_H_INCLUDED

#if defined(INSIDE_HIDE)
struct permi_cpu;
static void INSIDE_HIDE(struct permi_cpu *cpu);
#define PERMI_CPU_HIDE(cpu) INSIDE_HIDE(cpu)
#endif

#if defined(INSIDE_FAULTS)
#include <locale.h>
#if defined(__linux__)
#include <sched.h> /* musl's declares calloc, a macro below */
#endif
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
static double test_cheap_seconds = 2e-5; /* 0: sums over counts keep to doubles however cheap double-double is */
#define PERMI_COUNTS_CHEAP_SECONDS test_cheap_seconds
static double test_share_seconds = 2e-4; /* 0: threads share every step of a task */
#define PERMI_SHARE_SECONDS test_share_seconds
static double test_watch_units = 1e7; /* 0: loops that are watched look at every step that they tell of, */
static size_t test_watch_steps = 65536; /* 1: and tell of each */
#define PERMI_WATCH_UNITS test_watch_units
#define PERMI_WATCH_STEPS test_watch_steps
static double test_walk_grace = 0.1; /* 0: walks stop at every look within a chunk */
#define PERMI_WALK_GRACE_SECONDS test_walk_grace
static int test_stop_fault(void); /* t_stops.c: cancels */
#define PERMI_STOP_FAULT() test_stop_fault()
static int test_file_fault(const char *operation, size_t *bytes); /* t_checkpoint.c: makes it fail */
#define PERMI_FILE_FAULT(operation, bytes) test_file_fault(operation, bytes)
/* t_faults.c: the C library's allocations and files fail as well */
static struct { long calls, fail_at, live; } test_heap;
static void *test_calloc(size_t count, size_t size, int zeros)
{
  const int fails = __atomic_add_fetch(&test_heap.calls, 1, __ATOMIC_RELAXED) == test_heap.fail_at;
  void *pointer = fails ? NULL : zeros ? calloc(count, size) : malloc(count * size);
  if (pointer)
    __atomic_add_fetch(&test_heap.live, 1, __ATOMIC_RELAXED);
  return pointer;
}
static void test_free(void *pointer)
{
  if (pointer)
    __atomic_sub_fetch(&test_heap.live, 1, __ATOMIC_RELAXED);
  free(pointer);
}
static FILE *test_fopen(const char *path, const char *mode);
static FILE *test_fdopen(int descriptor, const char *mode);
static struct lconv *test_localeconv(void); /* t_io.c: a decimal point that no locale here may have */
static double test_strtod(const char *text, char **end);
#define malloc(bytes) test_calloc(1, bytes, 0)
#define calloc(count, size) test_calloc(count, size, 1)
#define free(pointer) test_free(pointer)
#define localeconv() test_localeconv()
#define strtod(text, end) test_strtod(text, end)
#define fopen(path, mode) test_fopen(path, mode)
#define fdopen(descriptor, mode) test_fdopen(descriptor, mode)
#endif

#if defined(INSIDE_KERNELS)
#if defined(INSIDE_TWINS)
#define PERM_CUDA_TESTS
#elif defined(INSIDE_BENCH)
#define PERM_CUDA_BENCH
#endif
#include "perm_cuda.cu"

#elif defined(INSIDE_MPI)
#if defined(INSIDE_SIMULATE)
#define PERM_MPI_SIMULATE
#else
#define PERM_MPI_TESTS
#endif
#include "perm_mpi.c"

#else
#if defined(INSIDE_GPU)
#define PERM_WITH_CUDA
static double inside_floats_gain = 2; /* times that floats must be faster than doubles; 0: they need not be */
#define PERMI_FLOATS_GAIN inside_floats_gain
#if defined(INSIDE_TWINS)
#include <stdint.h>
static void permi_code_twin(const void *context, uint64_t chunk, double *sums); /* of generated kernels: twins.h */
static void permi_codegen_twin(const void *context, uint64_t chunk, double *sums);
#define PERMI_CODE_TWIN permi_code_twin
#define PERMI_CODEGEN_TWIN permi_codegen_twin
#endif
#endif
#define PERM_IMPLEMENTATION
#if defined(INSIDE_DENSE)
#include "perm.h"
#else
#include "perm_more.h"
#endif

/* The plan of a dense sum, and its job: the two steps of perm_job_real, by method dense, glynn or ryser. */
PERMI_UNUSED
static perm_status inside_plan(int parts, int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                               permi_dense_plan *plan, perm_result *result)
{
  const permi_problem problem = permi_problem_make(m, n, a, NULL, ld, permi_reach_of(parts), NULL, NULL);
  return permi_plan_array(&problem, permi_options(options), plan, result);
}
#define inside_plan_real(m, n, a, ld, options, plan, result) inside_plan(1, m, n, a, ld, options, plan, result)
#define inside_plan_complex(m, n, a, ld, options, plan, result) inside_plan(2, m, n, a, ld, options, plan, result)

PERMI_UNUSED
static perm_status inside_job(int parts, const permi_dense_plan *plan, const double *a, ptrdiff_t ld,
                              const perm_options *options_given, perm_job **job, perm_result *result)
{
  const permi_problem problem =
      permi_problem_make(plan->n, plan->n, a, NULL, ld, permi_reach_of(parts), NULL, NULL);
  perm_options options = *permi_options(options_given);
  permi_array array;
  permi_maker maker;
  options.certify |= plan->certify;
  permi_result_clear(result);
  permi_array_begin(&maker, &array, &problem, 4);
  array.engine = permi_array_engine(problem.reach, PERM_METHOD_DENSE);
  array.plan = *plan;
  array.precision = plan->precision;
  array.constant = plan->method == PERM_METHOD_STRUCTURE ? !plan->zero : -1;
  return permi_job_asked(permi_array_make(&maker, &options, job, result), &options, job);
}
#define inside_job_real(plan, a, ld, options, job, result) inside_job(1, plan, a, ld, options, job, result)
#define inside_job_complex(plan, a, ld, options, job, result) inside_job(2, plan, a, ld, options, job, result)

/* The leaf of a square matrix with a transversal of nonzeros; *precision: the plan's. */
PERMI_UNUSED
static perm_status inside_dense_leaf(const perm_options *options, int n, const permi_view *view, permi_leaf *leaf,
                                     perm_precision *precision, perm_result *result)
{
  permi_dense_plan plan;
  perm_status status = permi_plan(n, view, options, &plan, result);
  if (status == PERM_OK && plan.zero)
    return permi_fail(result, PERM_ERROR_STATE, 0, "a block of order %d has no transversal", n);
  if (status == PERM_OK && permi_plan_leaf(&plan, view, &options->allocator, leaf) != PERM_OK)
    status = permi_fail_memory(result);
  *precision = plan.precision;
  return status;
}

/* *value = integer; 0, and *value unchanged, if it does not fit. */
PERMI_UNUSED
static int inside_int64(const perm_integer *integer, int64_t *value)
{
  const uint64_t limit = (UINT64_C(1) << 63) - !integer->negative, word = integer->words ? integer->word[0] : 0;
  if (integer->words > 1 || word > limit)
    return 0;
  *value = integer->negative && word ? -1 - (int64_t)(word - 1) : (int64_t)word;
  return 1;
}

#if !defined(INSIDE_DENSE)
/* Draws from an array. */
PERMI_UNUSED
static perm_status inside_sample_real(int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                                      uint64_t seed, uint64_t first, uint64_t count, int *columns, perm_result *result)
{
  perm_matrix matrix;
  perm_status status = perm_matrix_from_dense(m, n, a, ld, options, &matrix, result);
  if (status == PERM_OK)
    status = perm_sample_sparse(&matrix, options, seed, first, count, columns, result);
  perm_matrix_free(&matrix);
  return status;
}
#endif
#endif

#if defined(INSIDE_FAULTS)
#undef malloc
#undef free
#undef localeconv
#undef strtod
#undef fopen
#undef fdopen
#endif

#endif
/* SPDX-License-Identifier: MIT */
