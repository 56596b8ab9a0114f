/* Floating-point environments of the caller and of the threads that its loops leave behind. */
#ifndef PERM_ATTACK_MODES_H_INCLUDED
#define PERM_ATTACK_MODES_H_INCLUDED

#include <fenv.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static const int rounding_modes[] = {
    FE_TONEAREST,
#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && defined(FE_TOWARDZERO)
    FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO
#else
    FE_TONEAREST, FE_TONEAREST, FE_TONEAREST
#endif
};

/* flush: 1 results, 2 operands, 3 both */
static void set_mode(int rounding, int flush)
{
  fesetround(rounding_modes[rounding]);
#if defined(__SSE2__)
  _mm_setcsr((_mm_getcsr() & ~0x8040u) | (flush & 1 ? 0x8000u : 0) | (flush & 2 ? 0x40u : 0));
#elif defined(__aarch64__)
  {
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control = (control & ~(UINT64_C(1) << 24)) | (flush ? UINT64_C(1) << 24 : 0);
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
  }
#else
  (void)flush;
#endif
}

/* A loop of the caller's own: its threads stay, with the mode that they had there. */
static void set_workers(int mode)
{
#if defined(_OPENMP)
  static int before;
  if (!mode && !before) /* else again: the library's teams of fewer threads end the others */
    return;
  before = mode;
#pragma omp parallel num_threads(7)
  {
    if (omp_get_thread_num() > 0)
      set_mode(mode == 4 ? 0 : mode, mode == 4 ? 3 : 0);
  }
#else
  (void)mode;
#endif
}

#endif
/* SPDX-License-Identifier: MIT */
