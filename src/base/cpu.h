/* ============================================================================================ >>cpu
   CPUID: what the processor can do; XGETBV: which registers the system saves. */
#pragma once
#include "../api/calls.h"
#include "platform.h"

#if PERMI_X86
typedef struct permi_cpu { unsigned leaf_1_ecx, leaf_7_ebx, leaf_7_ecx, saved; } permi_cpu; /* saved: XCR0 */

#if !defined(PERMI_CPU_HIDE)
#define PERMI_CPU_HIDE(cpu) ((void)0)
#endif

static perm_isa permi_isa_of(const permi_cpu *cpu)
{
  const unsigned c = cpu->leaf_1_ecx, b7 = cpu->leaf_7_ebx, c7 = cpu->leaf_7_ecx;
  if (!(c >> 28 & 1) || !(c >> 12 & 1) || !(c >> 23 & 1)) /* AVX, FMA, POPCNT */
    return PERM_ISA_PLAIN;
  if ((cpu->saved & 6) != 6 || !(b7 >> 5 & 1)) /* ymm state; AVX2 */
    return PERM_ISA_PLAIN;
  if ((cpu->saved & 0xe6) != 0xe6 || !(b7 >> 16 & 1) || !(b7 >> 17 & 1) || !(b7 >> 30 & 1))
    return PERM_ISA_AVX2; /* zmm, masks; F, DQ, BW */
  return (b7 >> 31 & 1) && (b7 >> 21 & 1) && (c7 >> 1 & 1) && (c7 >> 6 & 1) /* AVX512VL, IFMA, VBMI, VBMI2 */
             ? PERM_ISA_AVX512IFMA
             : PERM_ISA_AVX512;
}

static perm_isa permi_detect_isa(void)
{
  permi_cpu cpu = {0, 0, 0, 0};
  unsigned a, b, c, d, low, high;
  if (__get_cpuid(1, &a, &b, &c, &d))
    cpu.leaf_1_ecx = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    cpu.leaf_7_ebx = b;
    cpu.leaf_7_ecx = c;
  }
  if (cpu.leaf_1_ecx >> 27 & 1) { /* OSXSAVE: there is an XGETBV */
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    cpu.saved = low;
  }
  PERMI_CPU_HIDE(&cpu);
  return permi_isa_of(&cpu);
}
#endif

PERM_API perm_isa perm_isa_best(void)
{
#if PERMI_X86
  static int cached; /* racing threads store the same value */
  int isa = __atomic_load_n(&cached, __ATOMIC_RELAXED);
  if (!isa) {
    isa = (int)permi_detect_isa();
    __atomic_store_n(&cached, isa, __ATOMIC_RELAXED);
  }
  return (perm_isa)isa;
#elif PERMI_ARM
  return PERM_ISA_NEON;
#else
  return PERM_ISA_PLAIN;
#endif
}

/* Families before NEON, of x86, include earlier ones. */
static int permi_isa_here(perm_isa isa)
{
  const perm_isa best = perm_isa_best();
  return isa <= PERM_ISA_PLAIN || isa == best || (isa < best && best < PERM_ISA_NEON);
}

/* Returns doubles a vector. */
static int permi_lanes(perm_isa isa)
{
#define PERMI_LANES(name, word, lanes) lanes,
  static const signed char lanes[] = {0, PERM_ISA_LIST(PERMI_LANES)};
#undef PERMI_LANES
  return lanes[isa];
}

PERMI_UNUSED static int permi_lanes_row(perm_isa isa)
{
  return permi_lanes(isa) >= 8 ? 0 : permi_lanes(isa) >= 4 ? 1 : 2;
}

static perm_isa permi_isa_doubles(perm_isa isa)
{
  return isa == PERM_ISA_AVX512IFMA ? PERM_ISA_AVX512 : isa;
}

static perm_isa permi_isa_asked(const perm_options *options)
{
  return options->isa == PERM_ISA_AUTO || options->isa == PERM_ISA_CUDA ? perm_isa_best() : options->isa;
}

static perm_isa permi_isa(const perm_options *options)
{
  return permi_isa_doubles(permi_isa_asked(options));
}

/* The widest family's kernel; _X86: not for NEON. */
#if PERMI_X86
#define PERMI_OF_X86(name, isa)                                                                                        \
  (permi_lanes(isa) >= 8 ? &name##_avx512 : permi_lanes(isa) >= 4 ? &name##_avx2 : &name##_plain)
#else
#define PERMI_OF_X86(name, isa) ((void)(isa), &name##_plain)
#endif
#if PERMI_ARM
#define PERMI_OF_FAMILY(name, isa) (permi_lanes(isa) >= 2 ? &name##_neon : &name##_plain)
#else
#define PERMI_OF_FAMILY(name, isa) PERMI_OF_X86(name, isa)
#endif
/* SPDX-License-Identifier: MIT */
