/* This compiler's own kernels of perm_cuda.cu, of the kinds that there are: they must compile without a word. */
#define INSIDE_KERNELS
#include "../unit/inside.h"

#define PERMI_KERNEL(n, parts, product, low, k, plain, count, blocks)                                                  \
  extern "C" __global__ void __launch_bounds__(128, blocks)                                                            \
      permi_kernel_##n##_##parts##_##product##_##low##_##k##_##plain(const permi_arguments<count> a)                   \
  {                                                                                                                    \
    permi_chunk<n, parts, product, low, k, plain, count>(a);                                                           \
  }
PERMI_KERNEL(40, 1, 0, 0, 3, 0, 120, 4)
PERMI_KERNEL(56, 1, 0, 0, 2, 0, 112, 3)
PERMI_KERNEL(64, 1, 0, 0, 2, 64, 192, 3)
PERMI_KERNEL(40, 1, 1, 1, 0, 0, 1, 2)
PERMI_KERNEL(40, 1, 2, 0, 0, 0, 1, 3)
PERMI_KERNEL(40, 1, 2, 1, 0, 0, 1, 2)
PERMI_KERNEL(36, 2, 0, 0, 0, 0, 1, 2)
PERMI_KERNEL(24, 2, 0, 0, 0, 8, 16, 3)
PERMI_KERNEL(20, 2, 2, 1, 0, 0, 1, 2)
#define PERMI_FLOAT_KERNEL(n, parts, group, low, majorant, k, blocks)                                                  \
  extern "C" __global__ void __launch_bounds__(128, blocks)                                                            \
      permi_floats_##n##_##parts##_##group##_##low##_##majorant(const permi_arguments<2 * n + 1, float> a)             \
  {                                                                                                                    \
    permi_float_chunk<n, parts, group, low, majorant, k, 2 * n + 1>(a);                                                \
  }
PERMI_FLOAT_KERNEL(46, 1, 4, 1, 0, 0, 4)
PERMI_FLOAT_KERNEL(64, 1, 1, 1, 0, 0, 3)
PERMI_FLOAT_KERNEL(40, 1, 1, 1, 1, 0, 4)
PERMI_FLOAT_KERNEL(40, 1, 1, 0, 0, 1, 5)
PERMI_FLOAT_KERNEL(34, 2, 1, 1, 0, 0, 3)
#define PERMI_STEP_KERNEL(cell, words, parts, u)                                                                       \
  extern "C" __global__ void __launch_bounds__(PERMI_STEP_THREADS)                                                     \
      permi_step_##cell##_##words##_##parts(const permi_step_arguments a)                                              \
  {                                                                                                                    \
    permi_step<cell, words, parts, u>(a);                                                                              \
  }
PERMI_STEP_KERNEL(0, 1, 1, 4)
PERMI_STEP_KERNEL(1, 1, 1, 2)
PERMI_STEP_KERNEL(2, 1, 1, 2)
PERMI_STEP_KERNEL(3, 1, 1, 1)
PERMI_STEP_KERNEL(4, 1, 1, 4)
PERMI_STEP_KERNEL(4, 2, 1, 2)
PERMI_STEP_KERNEL(4, 5, 2, 1)
extern "C" __global__ void permi_other_kernels(const permi_step_arguments a, double *x, unsigned long long count)
{
  permi_places(a);
  permi_scale(x, count, 1, 1);
}
extern "C" __global__ void __launch_bounds__(PERMI_PHOTON_THREADS) permi_photons_of(const permi_photon_arguments a)
{
  permi_photons_block(a);
}
#define PERMI_MINORS_KERNEL(columns, parts, fast, blocks)                                                              \
  extern "C" __global__ void __launch_bounds__(128, blocks) permi_minors_##columns##_##parts##_##fast(                 \
      const permi_arguments<1> a)                                                                                      \
  {                                                                                                                    \
    permi_minors_chunk<columns, parts, fast>(a);                                                                       \
  }
PERMI_MINORS_KERNEL(5, 1, 0, 4)
PERMI_MINORS_KERNEL(5, 2, 0, 3)
PERMI_MINORS_KERNEL(4, 1, 4, 4)
PERMI_MINORS_KERNEL(4, 2, 4, 2)
/* SPDX-License-Identifier: MIT */
