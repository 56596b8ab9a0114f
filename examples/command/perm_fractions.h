/* Fractions for the command perm: a numerator and a denominator of any size, as text in lowest terms. Every result of a
   matrix of fractions is perm_result.integer / fraction_below. Include after perm_sparse.h. */
#ifndef PERM_FRACTIONS_H_INCLUDED
#define PERM_FRACTIONS_H_INCLUDED

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What does something else with a matrix than its permanent, or not exactly. */
static const char fraction_refuses[] = " --estimate --guarantee --gradient --marginals --minors --rook --polynomial "
                                       "--permanental --sample --rows --cols --amplitudes --mod --checkpoint --part "
                                       "--write --prove --precision ";

static perm_integer fraction_below; /* the denominator of the matrix that is at work; 0 words: none yet */

static int fraction_is_whole(void)
{
  return !fraction_below.words || (fraction_below.words == 1 && fraction_below.word[0] == 1);
}

static int fraction_bits(const perm_integer *a)
{
  int bits = 64 * a->words;
  while (bits && !(a->word[(bits - 1) / 64] >> (bits - 1) % 64 & 1))
    bits--;
  return bits;
}

/* a -= b 2^shift if that is not negative; returns 1 then. b 2^shift has no more bits than a. */
static int fraction_take(perm_integer *a, const perm_integer *b, int shift)
{
  uint64_t taken[PERM_INTEGER_WORDS] = {0}, borrow = 0;
  const int words = shift / 64, bits = shift % 64;
  int i;
  for (i = 0; i < b->words; i++) {
    if (i + words < PERM_INTEGER_WORDS)
      taken[i + words] |= b->word[i] << bits;
    if (bits && i + words + 1 < PERM_INTEGER_WORDS)
      taken[i + words + 1] = b->word[i] >> (64 - bits);
  }
  for (i = a->words - 1; i >= 0 && a->word[i] == taken[i];)
    i--;
  if (i >= 0 && a->word[i] < taken[i])
    return 0;
  for (i = 0; i < a->words; i++) {
    const uint64_t less = taken[i] + borrow, before = a->word[i];
    borrow = less < borrow || before < less;
    a->word[i] = before - less;
  }
  while (a->words && !a->word[a->words - 1])
    a->words--;
  return 1;
}

/* *a becomes the remainder of magnitudes, *quotient (NULL: not wanted) a / b; b is not 0. */
static void fraction_divide(perm_integer *a, const perm_integer *b, perm_integer *quotient)
{
  int shift = fraction_bits(a) - fraction_bits(b);
  if (quotient)
    memset(quotient, 0, sizeof *quotient);
  for (; shift >= 0; shift--)
    if (fraction_bits(a) - fraction_bits(b) >= shift && fraction_take(a, b, shift) && quotient) {
      quotient->word[shift / 64] |= (uint64_t)1 << shift % 64;
      quotient->words = quotient->words ? quotient->words : shift / 64 + 1;
    }
}

/* Both divided by their greatest common divisor, by Euclid. */
static void fraction_reduce(perm_integer *above, perm_integer *below)
{
  perm_integer a = *above, b = *below;
  const int negative = above->negative;
  while (b.words) {
    perm_integer rest = a;
    fraction_divide(&rest, &b, NULL);
    a = b;
    b = rest;
  }
  for (int k = 0; k < 2; k++) {
    b = k ? *below : *above;
    fraction_divide(&b, &a, k ? below : above);
  }
  above->negative = negative;
}

/* The integer as mantissa 2^*exp2. */
static double fraction_double(const perm_integer *a, int *exp2)
{
  double value = 0;
  int i;
  for (i = a->words - 1; i >= 0 && i >= a->words - 3; i--)
    value = value * 18446744073709551616.0 + (double)a->word[i];
  *exp2 = 64 * (i + 1);
  return a->negative ? -value : value;
}

/* A stopped job's sum is of rows without denominators; now of the matrix. */
static void fraction_part(perm_result *result)
{
  int exp2 = 0;
  if (result->value != result->value && !fraction_is_whole())
    result->partial_sum /= fraction_double(&fraction_below, &exp2);
  result->exp2 -= exp2;
}

/* For people perm_result_text, else the integer; of fractions "a/b" in lowest terms and, for people, a decimal near. */
static void fraction_text(const perm_result *result, char *text, size_t size, int people)
{
  perm_integer above = result->integer, below = fraction_below;
  size_t length;
  int exp2[2] = {0, 0};
  double near;
  if (fraction_is_whole() || !result->exact) {
    if (people)
      perm_result_text(result, text, size);
    else
      perm_integer_text(&result->integer, text, size);
    return;
  }
  fraction_reduce(&above, &below);
  perm_integer_text(&above, text, size);
  if (below.words == 1 && below.word[0] == 1)
    return;
  length = strlen(text);
  snprintf(text + length, size - length, "/");
  perm_integer_text(&below, text + length + 1, size - length - 1);
  near = fraction_double(&above, &exp2[0]) / fraction_double(&below, &exp2[1]);
  near = ldexp(near, exp2[0] - exp2[1]);
  length = strlen(text);
  if (people && fabs(near) < (double)INFINITY && near != 0)
    snprintf(text + length, size - length, " (about %.10g)", near);
}

#endif
/* SPDX-License-Identifier: MIT */
