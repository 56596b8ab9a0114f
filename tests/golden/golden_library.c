/* golden_library.c: the library of the golden record. Its clock stands still, and its processor may lack features. */
#define INSIDE_HIDE golden_hide
#define PERM_SECONDS() 0.0
#include "../unit/inside.h"

int golden_hidden; /* the least family that is hidden; 0: none */
#if PERMI_X86
static void golden_hide(struct permi_cpu *cpu)
{
  if (golden_hidden && golden_hidden <= PERM_ISA_AVX512IFMA)
    cpu->leaf_7_ebx &= ~(1u << 21);
  if (golden_hidden && golden_hidden <= PERM_ISA_AVX512)
    cpu->leaf_7_ebx &= ~(1u << 16);
  if (golden_hidden && golden_hidden <= PERM_ISA_AVX2)
    cpu->leaf_7_ebx &= ~(1u << 5);
}
#endif
/* SPDX-License-Identifier: MIT */
