/* ======================================================================================== >>numbers
   A number in the expression of a job: an integer, a residue or double-doubles. */
#pragma once
#include "integers.h"

typedef struct permi_number {
  permi_dd value, imaginary; /* (value + i imaginary) 2^exp2 */
  long long exp2;
  double error, estimate; /* in units of 2^exp2; error may be INFINITY */
  int exact;
  perm_integer integer, imaginary_integer;
} permi_number;

static permi_number permi_number_one(void)
{
  permi_number one;
  memset(&one, 0, sizeof one);
  one.value.hi = 1;
  one.exact = 1;
  one.integer.words = 1;
  one.integer.word[0] = 1;
  return one;
}

/* Returns at least the modulus of a + bi, and at most 1.42 times it: never divide by it. */
static double permi_modulus(double a, double b)
{
  return (fabs(a) + fabs(b)) * (b != 0 ? 1 + 4 * PERMI_UNIT : 1);
}

/* Writes the same number in units that are 2^d as large. */
static void permi_number_raise(permi_number *a, long long d)
{
  const int shift = -permi_int_exponent(d);
  a->value = permi_dd_scale(a->value, shift);
  a->imaginary = permi_dd_scale(a->imaginary, shift);
  a->error = ldexp(a->error, shift);
  a->estimate = ldexp(a->estimate, shift);
  a->exp2 += d;
}

/* Brings the larger of |value| and |imaginary| into [1/2, 1], exactly, so that products do not overflow; if the value
   is 0 its error, or else its estimate. */
static void permi_number_normalise(permi_number *a)
{
  double lead = fmax(fabs(a->value.hi), fabs(a->imaginary.hi));
  int e;
  if (lead == 0 && a->error < (double)INFINITY)
    lead = a->error;
  if (lead == 0 && a->estimate < (double)INFINITY)
    lead = a->estimate;
  if (lead == 0)
    return;
  frexp(lead, &e);
  permi_number_raise(a, e);
}

/* Returns ab, rounded up where it underflows; 0 if either is 0, even times infinity. */
static double permi_times(double a, double b)
{
  return a == 0 || b == 0 ? 0 : fmax(a * b, DBL_MIN);
}

static void permi_dd_multiply_complex(permi_dd *a, permi_dd *b, permi_dd c, permi_dd d)
{
  const permi_dd bd = permi_dd_multiply(*b, d), ad = permi_dd_multiply(*a, d);
  *a = permi_dd_add(permi_dd_multiply(*a, c), permi_dd_negate(bd));
  *b = permi_dd_add(ad, permi_dd_multiply(*b, c));
}

typedef struct permi_dd_complex {
  permi_dd re, im;
} permi_dd_complex;

PERMI_UNUSED
static permi_dd_complex permi_dd_complex_times(permi_dd_complex a, permi_dd_complex b, int parts)
{
  if (parts == 1)
    a.re = permi_dd_multiply(a.re, b.re);
  else
    permi_dd_multiply_complex(&a.re, &a.im, b.re, b.im);
  return a;
}

static int permi_integers_multiply(permi_number *a, const permi_number *b)
{
  perm_integer real, imaginary, product;
  if (!permi_integer_multiply(&a->integer, &b->integer, &real))
    return 0;
  if (a->imaginary_integer.words || b->imaginary_integer.words) {
    if (!permi_integer_multiply(&a->imaginary_integer, &b->imaginary_integer, &product) ||
        !permi_integer_add(&real, &product, 1) ||
        !permi_integer_multiply(&a->integer, &b->imaginary_integer, &imaginary) ||
        !permi_integer_multiply(&a->imaginary_integer, &b->integer, &product) ||
        !permi_integer_add(&imaginary, &product, 0))
      return 0;
    a->imaginary_integer = imaginary;
  }
  a->integer = real;
  return 1;
}

/* a *= b. The error |ab - AB| <= |a| eb + |b| ea + ea eb, and 4 * 2^-100 |a| |b| for the double-double product; the
   factor 1 + 1e-12 pays for rounding this line (tests/proofs/doubles.g). PERM_ERROR_OVERFLOW: an exact product is too
   long. */
static perm_status permi_number_multiply(permi_number *a, const permi_number *b_given)
{
  permi_number b = *b_given;
  double x, y;
  permi_number_normalise(a);
  permi_number_normalise(&b);
  x = permi_modulus(a->value.hi, a->imaginary.hi);
  y = permi_modulus(b.value.hi, b.imaginary.hi);
  if (a->exact && b.exact && !permi_integers_multiply(a, &b))
    return PERM_ERROR_OVERFLOW;
  a->exact = a->exact && b.exact;
  permi_dd_multiply_complex(&a->value, &a->imaginary, b.value, b.imaginary);
  a->error = (permi_times(x, b.error) + permi_times(y, a->error) + permi_times(a->error, b.error) +
              PERMI_DD_UNIT * 4 * x * y) *
             (1 + 1e-12);
  a->estimate = permi_times(x, b.estimate) + permi_times(y, a->estimate) + permi_times(a->estimate, b.estimate) +
                PERMI_DD_UNIT * x * y;
  a->exp2 += b.exp2;
  if (a->exact)
    a->error = a->estimate = 0;
  return PERM_OK;
}

/* a += b, at the larger exponent; bits of the smaller below 2^-1000 become error. */
static perm_status permi_number_add(permi_number *a, const permi_number *b_given)
{
  permi_number b = *b_given;
  if (a->exact && b.exact &&
      (!permi_integer_add(&a->integer, &b.integer, 0) ||
       (b.imaginary_integer.words && !permi_integer_add(&a->imaginary_integer, &b.imaginary_integer, 0))))
    return PERM_ERROR_OVERFLOW;
  a->exact = a->exact && b.exact;
  permi_number_normalise(a);
  permi_number_normalise(&b);
  if (b.value.hi != 0 || b.imaginary.hi != 0 || b.error != 0) {
    const long long d = b.exp2 - a->exp2;
    if (a->value.hi == 0 && a->imaginary.hi == 0 && a->error == 0) {
      a->exp2 = b.exp2;
    } else if (d > 0) {
      permi_number_raise(a, d);
      a->error += DBL_MIN;
    } else {
      permi_number_raise(&b, -d);
      b.error += DBL_MIN;
    }
    a->value = permi_dd_add(a->value, b.value);
    a->imaginary = permi_dd_add(a->imaginary, b.imaginary);
    a->error = (a->error + b.error + PERMI_DD_UNIT * 4) * (1 + 1e-12); /* |values| <= 1 */
    a->estimate += b.estimate + PERMI_DD_UNIT;
  }
  if (a->exact)
    a->error = a->estimate = 0;
  return PERM_OK;
}

static double permi_integer_double(const perm_integer *integer, int *exp2)
{
  const double r = permi_words_double(integer->word, PERM_INTEGER_WORDS, exp2);
  return integer->negative ? -r : r;
}

static int permi_fits(double x, int e)
{
  return x == 0 || x == (double)INFINITY || (ldexp(x, e) >= DBL_MIN && ldexp(x, e) <= DBL_MAX);
}

/* Writes a result, with exponent 0 whenever value and error measures are then normal doubles. */
static void permi_number_result(const permi_number *number, perm_result *result)
{
  permi_number a = *number;
  int e;
  if (a.exact) {
    int other;
    a.value = permi_dd_make(permi_integer_double(&a.integer, &e));
    a.imaginary = permi_dd_make(permi_integer_double(&a.imaginary_integer, &other));
    a.exp2 = a.value.hi == 0 || (a.imaginary.hi != 0 && other > e) ? other : e;
    a.value.hi = permi_ldexp(a.value.hi, e - a.exp2);
    a.imaginary.hi = permi_ldexp(a.imaginary.hi, other - a.exp2);
    result->exact = 1;
    result->integer = a.integer;
    result->imaginary_integer = a.imaginary_integer;
  } else {
    double rounded = permi_modulus(a.value.lo, a.imaginary.lo);
    a.error = (a.error + rounded) * (1 + 4 * PERMI_UNIT);
    a.estimate += rounded;
    a.value.lo = a.imaginary.lo = 0;
  }
  permi_number_normalise(&a);
  if (a.value.hi == 0 && a.imaginary.hi == 0 && a.error == 0)
    a.exp2 = 0;
  if (a.exp2 >= -1021 && a.exp2 <= 1024 && permi_fits(a.error, (int)a.exp2) && permi_fits(a.estimate, (int)a.exp2) &&
      permi_fits(fabs(a.value.hi), (int)a.exp2) && permi_fits(fabs(a.imaginary.hi), (int)a.exp2))
    permi_number_raise(&a, -a.exp2);
  result->value = a.value.hi + 0; /* no -0 */
  result->imaginary = a.imaginary.hi + 0;
  result->exp2 = a.exp2;
  result->error_bound = a.exact ? 0 : a.error;
  result->error_estimate = a.exact ? 0 : a.estimate;
}
/* SPDX-License-Identifier: MIT */
