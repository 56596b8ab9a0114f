/* What the program crosses: the factors, their levels, and the pairs of levels that cannot be. */
#ifndef PERM_ATTACK_LEVELS_H_INCLUDED
#define PERM_ATTACK_LEVELS_H_INCLUDED

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perm_more.h"

#define LEVELS_WORD(name, word, lanes) " " word
#define FACTOR_LIST(X)                                                                                                 \
  X(CALL, "call", "array sparse batch minors gradient counts rook sample proof job parts checkpoint")                  \
  X(ENGINE, "engine", NULL) /* PERM_METHOD_LIST */                                                                     \
  X(KIND, "kind", "real complex integer gaussian residue gaussian-residue")                                            \
  X(BITS, "bits", "1 3 10 20 31 53 62")                                                                                \
  X(SIGNS, "signs", "positive signed")                                                                                 \
  X(MODULUS, "modulus", "none 2 8 14 20 31 46 47 52 61 63")                                                            \
  X(FORM, "form", "none odd even prime power") /* of the modulus */                                                    \
  X(ORDER, "order", NULL) /* 0 to 32; of a rectangular matrix: its shorter side */                                     \
  X(DENSITY, "density", "full half five three two") /* shares, or entries in a row */                                  \
  X(STRUCTURE, "structure", "none blocks band board nested rank equal holes singular")                                 \
  X(SHAPE, "shape", "square wide tall")                                                                                \
  X(SCALE, "scale", "none graded far subnormal") /* powers of two of rows and columns of doubles */                    \
  X(THREADS, "threads", "1 2 7")                                                                                       \
  X(FAMILY, "family", "auto" PERM_ISA_LIST(LEVELS_WORD))                                                               \
  X(ROUNDING, "rounding", "nearest upward downward zero")                                                              \
  X(FLUSH, "flush", "none ftz daz both") /* of the caller */                                                           \
  X(WORKERS, "workers", "nearest upward downward zero both") /* what a loop of the caller's left in the threads */     \
  X(STAGE, "stage", "all planning executing finishing") /* when the caller has that mode */                            \
  X(CERTIFY, "certify", "0 1")                                                                                         \
  X(PRECISION, "precision", "default dd kahan exact")

#define FACTOR_ENUM(name, word, levels) name,
enum { FACTOR_LIST(FACTOR_ENUM) FACTORS };
enum {
  ARRAY, SPARSE, BATCH, MINORS_CALL, GRADIENT, COUNTS, ROOK, SAMPLE, PROOF, JOB, PARTS, CHECKPOINT
};
enum { REAL, COMPLEX, INTEGER, GAUSSIAN, RESIDUE, GAUSSIAN_RESIDUE };
typedef enum structure { NONE, BLOCKS, BAND, BOARD, NESTED, RANK, EQUAL, HOLES, SINGULAR } structure;
enum { LEVELS_MOST = 40, ORDER_MOST = 32, LEVELS_ALL = 256 };

static struct {
  const char *word;
  int count, first; /* levels; the number of the first among all */
  char level[LEVELS_MOST][20];
  int barred[LEVELS_MOST]; /* by --only, or by this processor */
} factors[FACTORS];

static int level_named(int f, const char *word)
{
  int k = 0;
  while (k < factors[f].count && strcmp(factors[f].level[k], word))
    k++;
  return k < factors[f].count ? k : -1;
}

typedef enum impossible { POSSIBLE, NEVER, REFUSED } impossible;
#include "impossible.h"

static unsigned char pair_is[LEVELS_ALL][LEVELS_ALL];

static int is_listed(const char *list, const char *word)
{
  const int inverse = *list == '!';
  const size_t length = strlen(word);
  const char *at;
  for (at = list + inverse; (at = strstr(at, word)) != NULL; at += length)
    if ((at == list + inverse || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
      return !inverse;
  return inverse;
}

static void levels_set_up(void)
{
  static const struct { const char *word, *levels; } list[] = {
#define FACTOR_WORDS(name, word, levels) {word, levels},
      FACTOR_LIST(FACTOR_WORDS)};
  int f, g, k, l, first = 0;
  size_t r;
  for (f = 0; f < FACTORS; f++) {
    const char *at = list[f].levels;
    factors[f].word = list[f].word;
    factors[f].first = first;
    for (k = 0; f == ENGINE ? k < PERM_METHOD_COUNT : f == ORDER ? k <= ORDER_MOST : at && *at; k++) {
      char *to = factors[f].level[k];
      if (f == ENGINE)
        snprintf(to, sizeof factors[f].level[k], "%s", perm_name("method", (perm_method)k));
      else if (f == ORDER)
        snprintf(to, sizeof factors[f].level[k], "%d", k);
      else {
        int used = 0;
        sscanf(at, "%19s%n", to, &used);
        at += used;
      }
      /* another instruction set's kernels */
      factors[f].barred[k] = f == FAMILY && k != PERM_ISA_AUTO && k != PERM_ISA_PLAIN &&
                             (k > (int)perm_isa_best() || (perm_isa_best() == PERM_ISA_NEON && k != PERM_ISA_NEON));
    }
    factors[f].count = k;
    first += k;
  }
  if (first > LEVELS_ALL)
    abort();
  for (r = 0; r < sizeof rules / sizeof *rules; r++) {
    for (f = 0; f < FACTORS && strcmp(factors[f].word, rules[r].factor);)
      f++;
    for (g = 0; g < FACTORS && strcmp(factors[g].word, rules[r].other);)
      g++;
    for (k = 0; k < factors[f].count; k++)
      for (l = 0; l < factors[g].count; l++)
        if (is_listed(rules[r].levels, factors[f].level[k]) && is_listed(rules[r].others, factors[g].level[l])) {
          unsigned char *pair = &pair_is[factors[f].first + k][factors[g].first + l];
          if (*pair != NEVER)
            *pair = (unsigned char)rules[r].is;
          pair_is[factors[g].first + l][factors[f].first + k] = *pair;
        }
  }
  for (f = 0; f < FACTORS; f++)
    for (k = 0; k < factors[f].count; k++)
      for (g = 0; g < FACTORS; g++) {
        int b, possible = f == g;
        for (l = 0; l < factors[g].count; l++)
          possible |= pair_is[factors[f].first + k][factors[g].first + l] == POSSIBLE;
        for (b = 0; b < first && !possible; b++) /* refused with all of g: nothing else need be asked */
          if (b < factors[g].first || b >= factors[g].first + factors[g].count)
            pair_is[factors[f].first + k][b] = pair_is[b][factors[f].first + k] = NEVER;
      }
}

static impossible pair_state(int f, int k, int g, int l)
{
  return (impossible)pair_is[factors[f].first + k][factors[g].first + l];
}

/* What would take too long, or make too many states for the oracle; of more than two factors. */
static const char *too_long(const int *level)
{
  const int order = level[ORDER], density = level[DENSITY], s = level[STRUCTURE], c = level[CALL];
  const int sparse = c == SPARSE || c == JOB || c == PARTS || c == CHECKPOINT;
  const int full = s == NESTED || s == RANK || s == EQUAL || s == HOLES, dense = density <= 1;
  const perm_method engine = (perm_method)level[ENGINE];
  if (c == COUNTS)
    return engine == PERM_METHOD_EXPANSION && order > 8 ? "expansion" : NULL;
  if (c == MINORS_CALL || c == GRADIENT) /* from order 13 on by multiplicities */
    return engine != PERM_METHOD_AUTO && order > 14 ? "2^n" : NULL;
  if (c == ROOK && engine == PERM_METHOD_EXACT && order > 12)
    return "n + 1 permanents";
  if (c == ROOK)
    return order > 10 && s != BAND && s != BOARD && !(s == BLOCKS && order < 20) ? "rook numbers: more states" : NULL;
  if (order > 20 && density == 2 && s == NONE)
    return "five in a row without order";
  if (order > 16 && dense && (s == NONE || s == SINGULAR))
    return "a full matrix";
  if (level[SHAPE] && order > 10)
    return s != RANK || engine == PERM_METHOD_EXPANSION || order > (engine == PERM_METHOD_AUTO ? 18 : 12) ?
               "a rectangular matrix" : NULL;
  switch (engine) {
  case PERM_METHOD_AUTO:
    return order > (level[BITS] < 3 ? 21 : 19) && !sparse && (s == EQUAL || s == HOLES) ? "2^n" : NULL;
  case PERM_METHOD_EXPANSION: return order > (level[SHAPE] ? 6 : 8) ? "n!" : NULL;
  case PERM_METHOD_GLYNN: case PERM_METHOD_RYSER: return order > 13 ? "2^n" : NULL;
  case PERM_METHOD_TRANSVERSALS: case PERM_METHOD_DECOMPOSE:
    if (order > 9 && (full || (dense && (s == NONE || s == SINGULAR))))
      return "n! matchings";
    return order > 14 && s != BLOCKS && s != BAND && s != BOARD ? "many matchings" : NULL;
  case PERM_METHOD_SUBSETS: case PERM_METHOD_MULTIPLICITIES: case PERM_METHOD_SHORT:
    if (engine <= PERM_METHOD_MULTIPLICITIES && (s == RANK || s == EQUAL))
      return order > 17 ? "counts" : NULL;
    return order > 13 ? "2^n, arrays" : NULL;
  case PERM_METHOD_FRONTIER: case PERM_METHOD_LISTS: case PERM_METHOD_SORTING: case PERM_METHOD_ARRAYS:
  case PERM_METHOD_TREE: case PERM_METHOD_BAND: case PERM_METHOD_PLANAR: case PERM_METHOD_TWINS:
    return order > 16 && full && engine != PERM_METHOD_TWINS ? "many states" : NULL;
  case PERM_METHOD_EXACT: case PERM_METHOD_DENSE: /* whole arrays, long enough for threads */
    if (!sparse)
      return order > (engine == PERM_METHOD_EXACT && level[BITS] < 3 && (s == EQUAL || s == HOLES) ? 21 : 17) ? "2^n"
                                                                                                              : NULL;
    return order > 14 && s != BLOCKS && (order > 18 || full) ? "2^n" : NULL;
  default:
    if (order > 14 && !sparse)
      return "2^n";
    return order > 14 && s != BLOCKS && (order > 20 || full) ? "sums over signs" : NULL;
  }
}

/* Of cases that are drawn freely, how few are kept: one of so many, where an answer takes tens of times as long as
   most. Each can be drawn. */
static int one_of(const int *level)
{
  const int order = level[ORDER], s = level[STRUCTURE], chains = s == BAND || s == BOARD;
  const perm_method engine = (perm_method)level[ENGINE];
  const int matchings = engine == PERM_METHOD_TRANSVERSALS || engine == PERM_METHOD_DECOMPOSE;
  return order <= 12 ? 1 : (matchings && chains) || s == RANK || s == EQUAL ? 64 : 16;
}

#endif
/* SPDX-License-Identifier: MIT */
