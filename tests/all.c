/* All tests of the two headers, one program: build/tests [--hide FEATURE] and the arguments of test.h.
   --hide avx512ifma, avx512, avx2, fma, ...: as on a processor that has no such thing. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* fopencookie */
#endif
#define PERM_IMPLEMENTATION
static double test_share_seconds = 2e-4; /* 0: threads share every step of a task */
#define PERMI_SHARE_SECONDS test_share_seconds
struct permi_cpu;
static void test_hide(struct permi_cpu *cpu);
#define PERMI_CPU_HIDE(cpu) test_hide(cpu)
#include <stddef.h>
static int test_file_fault(const char *operation, size_t *bytes); /* t_checkpoint.c: makes it fail */
#define PERMI_FILE_FAULT(operation, bytes) test_file_fault(operation, bytes)
/* t_faults.c: the C library's allocations and files fail as well */
#include <stdio.h>
#include <stdlib.h>
static struct { long calls, fail_at, live; } test_heap;
static void *test_malloc(size_t bytes)
{
  void *pointer = __atomic_add_fetch(&test_heap.calls, 1, __ATOMIC_RELAXED) == test_heap.fail_at ? NULL : malloc(bytes);
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
#define malloc(bytes) test_malloc(bytes)
#define free(pointer) test_free(pointer)
#define fopen(path, mode) test_fopen(path, mode)
#define fdopen(descriptor, mode) test_fdopen(descriptor, mode)
#include "perm_sparse.h"
#undef malloc
#undef free
#undef fopen
#undef fdopen

#include <fenv.h>

#include "test.h"

#include "oracle.h"

#include "../examples/perm_generate.h"

#include "t_isa.c"
#include "t_core.c"
#include "t_dense.c"
#include "t_scale.c"
#include "t_small.c"
#include "t_bounds.c"
#include "t_climb.c"
#include "t_complex.c"
#include "t_exact.c"
#include "t_job.c"
#include "t_limits.c"
#include "t_state.c"
#include "t_checkpoint.c"
#include "t_io.c"
#include "t_generate.c"
#include "t_rectangular.c"
#include "t_repeats.c"
#include "t_sparse.c"
#include "t_route.c"
#include "t_engines.c"
#include "t_lists.c"
#include "t_prepare.c"
#include "t_arrays.c"
#include "t_hybrid.c"
#include "t_seeds.c"
#include "t_tree.c"
#include "t_spy.c"
#include "t_structure.c"
#include "t_estimate.c"
#include "t_minors.c"
#include "t_batch.c"
#include "t_arguments.c"
#include "t_faults.c"

int main(int argc, char **argv)
{
  if (argc > 2 && !strcmp(argv[1], "--hide")) {
    if (!isa_hide(argv[2])) {
      printf("--hide %s: no such feature\n", argv[2]);
      return 2;
    }
    argc -= 2;
    argv += 2;
  }
  return test_main(argc, argv);
}
