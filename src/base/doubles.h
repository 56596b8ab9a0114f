/* ======================================================================================== >>doubles */
#pragma once
#include "../api/types.h"
#include "platform.h"

/* Hashes against mistakes, not adversaries, alike on either byte order. */
static uint64_t permi_hash(uint64_t hash, uint64_t number)
{
  hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint64_t permi_bits(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
#if defined(__clang__) /* else compares doubles */
  __asm__("" : "+r"(bits));
#endif
  return bits;
}

/* Bits: denormals-are-zero takes subnormals for 0, clang's -fno-honor-nans any comparison for true. */
static int permi_is_zero(double x)
{
  return !(permi_bits(x) << 1);
}

/* Returns "NaN", "an infinity", or NULL. */
static const char *permi_not_finite(double x)
{
  const uint64_t bits = permi_bits(x) << 1;
  return bits >> 53 < 2047 ? NULL : bits << 11 ? "NaN" : "an infinity";
}

static uint64_t permi_hash_double(uint64_t hash, double x)
{
  const uint64_t bits = permi_bits(x);
  return permi_hash(hash, bits << 1 ? bits : 0); /* -0 and 0 are the same entry */
}

#define PERMI_VERSION (PERM_VERSION_MAJOR * 1000000 + PERM_VERSION_MINOR * 1000 + PERM_VERSION_PATCH)
#define PERMI_HASH_START UINT64_C(14695981039346656037)

/* Returns the e of frexp for x != 0, mostly without a call. */
static int permi_exponent(double x)
{
  int e = (int)(permi_bits(x) >> 52 & 2047) - 1022;
  if (e == -1022)
    frexp(x, &e);
  return e;
}

static int permi_log2_ceiling(double x) /* the least e with x <= 2^e; x > 0 */
{
  int e = permi_exponent(x);
  return ldexp(0.5, e) == x ? e - 1 : e;
}

static int permi_int_exponent(long long e)
{
  return e < -5000 ? -5000 : e > 5000 ? 5000 : (int)e;
}

static double permi_ldexp(double x, long long e)
{
  return ldexp(x, permi_int_exponent(e));
}

/* Returns x 2^e, exact unless the result is below the normal doubles. */
static double permi_shift(double x, int e)
{
  double power;
  if (e < -1000 || e > 1000)
    return ldexp(x, e);
  uint64_t bits = (uint64_t)(e + 1023) << 52;
  memcpy(&power, &bits, sizeof power);
  return x * power;
}

/* Double-double: an unevaluated sum hi + lo with |lo| <= ulp(hi)/2 [Hig02, 27.9]; proofs: tests/proofs/doubles.g,
   tests/proofs/exact_sums.v. */
typedef struct permi_dd {
  double hi, lo;
} permi_dd;

/* Returns ab - c, rounded once if (ab rounded) - c is exact. Without the instruction fma takes a hundred times as long
   as Dekker's product [Dek71], exact in this range. */
static double permi_times_minus(double a, double b, double c)
{
#ifndef FP_FAST_FMA
  const double least = 3.4e-136, most = 2.9e135, split = 134217729.0; /* 2^-450, 2^450; 2^27 + 1 */
  const double x = fabs(a), y = fabs(b);
  if (x < most && y < most && (x > least || x == 0) && (y > least || y == 0)) {
    const double p = a * b, u = split * a, v = split * b, high = u - (u - a), other = v - (v - b);
    const double low = a - high, rest = b - other;
    return (p - c) + (((high * other - p) + high * rest + low * other) + low * rest);
  }
#endif
#if defined(_WIN32) /* some C libraries there round the product to 64 bits */
  if (a - a == 0 && b - b == 0 && (x > most || y > most || a * b != 0)) {
    int i, j;
    const double u = frexp(a, &i), v = frexp(b, &j);
    return ldexp(permi_times_minus(u, v, ldexp(c, -i - j)), i + j);
  }
#endif
  return fma(a, b, -c);
}
#if defined(_WIN32)
#define PERMI_REST(a, b, c) permi_times_minus(a, b, c)
#else
#define PERMI_REST(a, b, c) fma(a, b, -(c)) /* an instruction where the caller's target has it */
#endif

static permi_dd permi_two_sum(double a, double b)
{
  permi_dd s;
  s.hi = a + b;
  const double t = s.hi - a;
  s.lo = (a - (s.hi - t)) + (b - t);
  return s;
}

static permi_dd permi_dd_make(double x)
{
  const permi_dd r = {x, 0};
  return r;
}

static permi_dd permi_dd_add(permi_dd a, permi_dd b)
{
  permi_dd s = permi_two_sum(a.hi, b.hi), t = permi_two_sum(a.lo, b.lo);
  s = permi_two_sum(s.hi, s.lo + t.hi);
  return permi_two_sum(s.hi, s.lo + t.lo);
}

static permi_dd permi_dd_add_double(permi_dd a, double b)
{
  permi_dd s = permi_two_sum(a.hi, b), r;
  s.lo += a.lo;
  r.hi = s.hi + s.lo; /* |s.lo| <= |s.hi| or the sum is 0: Fast2Sum */
  r.lo = s.lo - (r.hi - s.hi);
  return r;
}

static permi_dd permi_dd_multiply(permi_dd a, permi_dd b)
{
  permi_dd p;
  p.hi = a.hi * b.hi;
  PERMI_KEEP_DOUBLE(p.hi);
  p.lo = PERMI_REST(a.hi, b.hi, p.hi);
  return permi_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

PERMI_UNUSED static permi_dd permi_dd_negate(permi_dd a)
{
  a.hi = -a.hi;
  a.lo = -a.lo;
  return a;
}

PERMI_UNUSED static permi_dd permi_dd_subtract(permi_dd a, permi_dd b)
{
  return permi_dd_add(a, permi_dd_negate(b));
}

static permi_dd permi_dd_scale(permi_dd a, int exp2)
{
  a.hi = ldexp(a.hi, exp2);
  a.lo = ldexp(a.lo, exp2);
  return a;
}

/* Returns 1 if arithmetic is IEEE, to nearest, with denormals, as bounds and integers in doubles need. Another object's
   flags can break that where >>platform cannot mend it. */
static int permi_arithmetic_is_sound(void)
{
  volatile double one = 1, tiny = PERMI_UNIT, half = 0.5, many = 49, none = (double)NAN;
  const double divisor = many, x = none, whole = many / divisor, seventh = 7 / divisor; /* or 7 * (1 / divisor) */
  permi_dd s = permi_two_sum(one, tiny * half);
  double product = (one + 2 * tiny) * (one + 2 * tiny);
  return permi_rounding_is_sound() && x != x && s.hi == 1 && s.lo == tiny / 2 && whole == 1 && seventh == 1.0 / 7 &&
         PERMI_REST(one + 2 * tiny, one + 2 * tiny, product) == 4 * tiny * tiny &&
         PERMI_REST(one + 2 * tiny, one - 2 * tiny, one) == -4 * tiny * tiny;
}
/* SPDX-License-Identifier: MIT */
