/* Tests of GPUs, one program. Every kernel has a twin on the CPU, with the same bits: twin.cu. Where there is no GPU
   the twin is tested for itself: tables, planning, chunk arithmetic, sharing out, faults.
   Usage: tests_cuda [-v] [FILTER...] */
#define INSIDE_GPU
#define INSIDE_TWINS
#include "../unit/inside.h"

#include "twins.h"

#include "../../examples/perm_generate.h"

#include "../unit/test.h"

#include "gpu.h"
#include "t_dense.c"
#include "t_floats.c"
#include "t_exact.c"
#include "t_batch.c"
#include "t_minors.c"
#include "t_hybrid.c"
#include "t_codegen.c"
#include "t_signs.c"
#include "t_frontier.c"
#include "t_amplitudes.c"
#include "t_limits.c"
#include "t_kernels.c"

int main(int argc, char **argv)
{
  return test_main(argc, argv);
}
/* SPDX-License-Identifier: MIT */
