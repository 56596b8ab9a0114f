/* ==================================================================================== >>environment
   Between begin and end a thread rounds to nearest, with denormals; then it has its own environment again. The caller,
   -ffast-math in another object, or an earlier loop in OpenMP's threads may have set another one. */
#pragma once
#include "../api/types.h"
#include "platform.h"

static int permi_rounding_is_sound(void)
{
#if PERMI_X86
  /* One test for all, since reading MXCSR takes 8 ns: up, down, to zero; denormals, in and out. */
  static const double to[4] = {1, 1, 1, DBL_MIN}, add[4] = {PERMI_UNIT, -PERMI_UNIT / 2, 3 * PERMI_UNIT, -DBL_MIN / 2};
  static const double sum[4] = {1, 1, 1 + 4 * PERMI_UNIT, DBL_MIN / 2};
  __m128d x = _mm_loadu_pd(to), y = _mm_loadu_pd(to + 2);
  __asm__ volatile("" : "+x"(x), "+x"(y)); /* not while compiling */
  x = _mm_xor_pd(_mm_add_pd(x, _mm_loadu_pd(add)), _mm_loadu_pd(sum));
  y = _mm_xor_pd(_mm_add_pd(y, _mm_loadu_pd(add + 2)), _mm_loadu_pd(sum + 2));
  return _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_castpd_si128(_mm_or_pd(x, y)), _mm_setzero_si128())) == 0xffff;
#else
  volatile double one = 1, tiny = PERMI_UNIT, least = DBL_MIN, half = 0.5;
  const double x = one, u = tiny;
  return x + u == 1 && x - u * half == 1 && x + 3 * u == 1 + 4 * PERMI_UNIT && least * half > 0;
#endif
}

typedef struct permi_environment {
  fenv_t own;
  int changed;
} permi_environment;

PERMI_COLD static void permi_environment_change(permi_environment *environment)
{
  environment->changed = 1;
  fegetenv(&environment->own);
  fesetenv(FE_DFL_ENV);
#if PERMI_X86
  _mm_setcsr(_mm_getcsr() & ~0x8040u); /* glibc before 2.22 keeps flush-to-zero */
#endif
}

PERMI_INLINE void permi_environment_begin(permi_environment *environment)
{
  environment->changed = 0;
  if (!permi_rounding_is_sound())
    permi_environment_change(environment);
}

PERMI_INLINE perm_status permi_environment_end(const permi_environment *environment, perm_status status)
{
  if (environment->changed)
    fesetenv(&environment->own);
  return status;
}

#define PERMI_SOUNDLY(environment, call)                                                                               \
  (permi_environment_begin(environment), permi_environment_end(environment, call))
/* SPDX-License-Identifier: MIT */
