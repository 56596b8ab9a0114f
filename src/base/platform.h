/* ======================================================================================= >>platform */
#pragma once
#include "../api/types.h"

#include <errno.h>
#include <fenv.h>
#include <float.h>
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(_M_FP_FAST)
#error "perm.h proves rounding errors: compile it without -ffast-math, -Ofast, -funsafe-math-optimizations, /fp:fast"
#endif
typedef char permi_constants_are_doubles[sizeof(1.0) == sizeof(double) ? 1 : -1]; /* -fsingle-precision-constant */
/* 1 (s390x) and 16 (AVX512-FP16) widen only types narrower than double; 2 is the x87's, -1 unknown. */
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1 && FLT_EVAL_METHOD != 16
#error "perm.h needs double arithmetic that rounds to double: on 32-bit x86 add -msse2 -mfpmath=sse"
#endif
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(_OPENMP) && _OPENMP >= 201107 /* atomic capture */
#define PERMI_OPENMP 1
#include <omp.h>
#else
#define PERMI_OPENMP 0
#endif

#if (defined(__unix__) || defined(__APPLE__)) && !defined(PERM_NO_POSIX)
#define PERMI_POSIX 1
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if !defined(__cplusplus) /* hidden by -std=c99 */
extern int fsync(int descriptor);
extern ssize_t readlink(const char *path, char *target, size_t size);
#if !defined(_POSIX_C_SOURCE)
extern FILE *fdopen(int descriptor, const char *mode);
extern int fchmod(int descriptor, mode_t mode);
#endif
#endif
#define PERMI_PROCESS ((uint64_t)getpid())
#else
#define PERMI_POSIX 0
#define PERMI_PROCESS 0
#endif

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define PERMI_X86 1
#include <cpuid.h>
#include <immintrin.h>
#else
#define PERMI_X86 0
#endif

#if defined(__aarch64__) && defined(__GNUC__)
#define PERMI_ARM 1
#include <arm_neon.h>
#else
#define PERMI_ARM 0
#endif

/* Hides a double from contraction. */
#if PERMI_X86
#define PERMI_KEEP_DOUBLE(x) __asm__("" : "+x"(x))
#elif PERMI_ARM
#define PERMI_KEEP_DOUBLE(x) __asm__("" : "+w"(x))
#elif defined(__GNUC__)
#define PERMI_KEEP_DOUBLE(x) __asm__("" : "+m"(x))
#else
#define PERMI_KEEP_DOUBLE(x) ((void)((x) = *(volatile double *)&(x)))
#endif

#if defined(__GNUC__)
#define PERMI_ALIGN64 __attribute__((aligned(64)))
#define PERMI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define PERMI_UNUSED __attribute__((unused))
#define PERMI_NEVER_INLINE __attribute__((noinline)) /* spares callers a large frame */
#define PERMI_COLD __attribute__((noinline, cold)) /* once a matrix: small code compiles faster */
#else
#define PERMI_ALIGN64
#define PERMI_PRINTF(text, first)
#define PERMI_UNUSED
#define PERMI_NEVER_INLINE
#define PERMI_COLD
#endif

#define PERMI_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define PERMI_UNROLL PERMI_PRAGMA(clang loop unroll(full)) /* else small arrays of vectors stay in memory */
#define PERMI_UNROLL_UP_TO(n)
#elif defined(__GNUC__)
#define PERMI_UNROLL PERMI_PRAGMA(GCC unroll 8)
#define PERMI_UNROLL_UP_TO(n) PERMI_PRAGMA(GCC unroll n) /* the count may be unknown */
#else
#define PERMI_UNROLL
#define PERMI_UNROLL_UP_TO(n)
#endif
/* Without optimisation inlining triples the code. */
#if defined(__GNUC__) && defined(__OPTIMIZE__)
#define PERMI_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define PERMI_ALWAYS_INLINE inline
#endif
#define PERMI_INLINE static PERMI_ALWAYS_INLINE
/* They enclose rooms whose speed -O1 keeps: gcc compiles in 0.6 of the time. Without expensive-optimizations it leaves
   out vzeroupper and fuses no more. Outside are dense kernels and small orders (2 to 5 %), batches (10 %),
   planning (1.3 times as long), sparyser (1.06), twins (1.14). */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#define PERMI_BRIEF_BEGIN                                                                                              \
  PERMI_PRAGMA(GCC push_options)                                                                                       \
  PERMI_PRAGMA(GCC optimize("O1,inline-small-functions,expensive-optimizations,strict-aliasing"))
#define PERMI_BRIEF_END PERMI_PRAGMA(GCC pop_options)
#else
#define PERMI_BRIEF_BEGIN
#define PERMI_BRIEF_END
#endif
/* PERMI_EVERY: call for k = 0 to count - 1, count 1, 2, 4 or 8: gcc 12 unrolls too late to hold arrays in registers.
   PERMI_ALIGN_LOOPS: aligned to 16 bytes, row loops of plain C take up to 1.27 times as long. */
#if defined(__GNUC__) && !defined(__clang__)
#define PERMI_AT(k, value, call) { k = value; call; }
#define PERMI_EVERY(k, count, call)                                                                                    \
  do { PERMI_AT(k, 0, call) if ((count) > 1) PERMI_AT(k, 1, call)                                                      \
    if ((count) > 2) { PERMI_AT(k, 2, call) PERMI_AT(k, 3, call) }                                                     \
    if ((count) > 4) { PERMI_AT(k, 4, call) PERMI_AT(k, 5, call) PERMI_AT(k, 6, call) PERMI_AT(k, 7, call) }           \
  } while (0)
#define PERMI_ALIGN_LOOPS __attribute__((optimize("align-loops=32")))
#else
#define PERMI_EVERY(k, count, call) PERMI_UNROLL for (k = 0; k < (count); k++) { call; }
#define PERMI_ALIGN_LOOPS
#endif
#if PERMI_OPENMP
#define PERMI_OMP(directive) PERMI_PRAGMA(omp directive)
#else
#define PERMI_OMP(directive)
#endif

#define PERMI_UNIT 1.1102230246251565e-16 /* u = 2^-53 */
#define PERMI_DD_UNIT 8e-31               /* > 2^-100: relative error of a double-double operation */

#if defined(_WIN32) && defined(__cplusplus)
#define PERMI_WINDOWS(type) extern "C" __declspec(dllimport) type __stdcall
#elif defined(_WIN32)
#define PERMI_WINDOWS(type) __declspec(dllimport) type __stdcall
#endif

/* A clock that nobody sets (LLVM's OpenMP clock is gettimeofday). With -std=c99 on Linux no header declares
   clock_gettime, which takes two longs, or has another name. */
#if defined(PERM_SECONDS)
#elif defined(CLOCK_MONOTONIC) && !defined(_WIN32) /* there it would want another library */
#define PERMI_CLOCK CLOCK_MONOTONIC
#define PERMI_CLOCK_FITS(time) 1
#elif defined(__linux__) && !defined(__cplusplus)
#include <sched.h>
#define PERMI_CLOCK 1
#define PERMI_CLOCK_FITS(time) (sizeof(time) == sizeof(long))
extern int clock_gettime(int clock, struct timespec *now);
#elif defined(_WIN32)
union _LARGE_INTEGER;
PERMI_WINDOWS(int) QueryPerformanceCounter(union _LARGE_INTEGER *count);
PERMI_WINDOWS(int) QueryPerformanceFrequency(union _LARGE_INTEGER *frequency);
#endif

static double permi_seconds(void)
{
#if defined(PERM_SECONDS)
  return PERM_SECONDS();
#elif defined(_WIN32) && !defined(PERMI_CLOCK)
  long long count = 0, frequency = 1;
  QueryPerformanceCounter((union _LARGE_INTEGER *)(void *)&count);
  QueryPerformanceFrequency((union _LARGE_INTEGER *)(void *)&frequency);
  return (double)count / (double)frequency;
#else
#if defined(PERMI_CLOCK)
  struct timespec exact;
  if (PERMI_CLOCK_FITS(exact.tv_sec) && clock_gettime(PERMI_CLOCK, &exact) == 0)
    return (double)exact.tv_sec + 1e-9 * (double)exact.tv_nsec;
#endif
  return (double)time(NULL);
#endif
}

/* ---- environment: between begin and end a thread rounds to nearest, with denormals. The caller, -ffast-math in
   another object, or an earlier loop in OpenMP's threads may have set another rounding. */

static int permi_rounding_is_sound(void)
{
#if PERMI_X86
  /* Rounding up, down, to zero; denormals, in and out. Reading MXCSR would take 8 ns. */
  static const double to[4] = {1, 1, 1, DBL_MIN}, add[4] = {PERMI_UNIT, -PERMI_UNIT / 2, 3 * PERMI_UNIT, -DBL_MIN / 2};
  static const double sum[4] = {1, 1, 1 + 4 * PERMI_UNIT, DBL_MIN / 2};
  __m128d x = _mm_loadu_pd(to), y = _mm_loadu_pd(to + 2);
  __asm__ volatile("" : "+x"(x), "+x"(y)); /* not at compile time */
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
  unsigned changed; /* MXCSR, which mingw-w64 forgets */
} permi_environment;

PERMI_COLD static void permi_environment_change(permi_environment *environment)
{
  environment->changed = 1;
  fegetenv(&environment->own);
#if PERMI_X86
  environment->changed = _mm_getcsr();
  _mm_setcsr(0x1f80);
#endif
  fesetenv(FE_DFL_ENV);
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
#if PERMI_X86
  if (environment->changed)
    _mm_setcsr(environment->changed);
#endif
  return status;
}

#define PERMI_SOUNDLY(environment, call)                                                                               \
  (permi_environment_begin(environment), permi_environment_end(environment, call))
/* SPDX-License-Identifier: MIT */
