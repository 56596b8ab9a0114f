/* ===================================================================================== >>rook_lanes
   What the vector kernels of >>placements read, and their text, read once for each instruction set. */
#pragma once
#include "../api/more_calls.h"
#include "../graph/vectors.h"

/* Low places are lanes of a unit of 64 bytes: of its 32-bit elements, where each comes from, and whether it does. */
typedef struct permi_rook_lanes {
  uint32_t from[16], mask[16];
  int other_half; /* from = own place ^ 8 or more */
} permi_rook_lanes;

/* x, times c, is added to y. */
typedef struct permi_rook_way {
  const char *x;
  const permi_rook_lanes *lanes; /* or NULL: as it is */
  int64_t c;
} permi_rook_way;

typedef struct permi_rook_pass {
  int words; /* of a value; 0: 32 bits */
  int times; /* some c is not 1 */
  size_t run, repeats, stride; /* in units of 64 bytes, or values of several words */
  size_t pitch;                /* bytes of a plane */
} permi_rook_pass;

/* x, y: of the last plane. Ors moduli into seen, 8 words, by lanes; those of several words into as many. */
typedef void (*permi_rook_kernel)(const permi_rook_pass *pass, const permi_rook_way *way, int ways, int planes, char *y,
                                  uint64_t *seen);

/* >>rook_kernels for each instruction set. */
#define PERMI_FAMILY_TEXT PERM_MORE_HEADER_FILE
#if PERMI_X86
#define PERMI_FAMILY avx512
#define PERMI_FAMILY_WIDTH 8
#include PERM_HEADER_FILE
#define PERMI_FAMILY avx2
#define PERMI_FAMILY_WIDTH 4
#include PERM_HEADER_FILE
#endif
#define PERMI_FAMILY plain
#define PERMI_FAMILY_WIDTH 1
#include PERM_HEADER_FILE
#undef PERMI_FAMILY_TEXT
/* SPDX-License-Identifier: MIT */
