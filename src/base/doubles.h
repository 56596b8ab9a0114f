/* ======================================================================================== >>doubles */
#pragma once
#include "../api/types.h"
#include "platform.h"

/* Guards against mistakes, not adversaries; the same on either byte order. */
static uint64_t permi_hash(uint64_t hash, uint64_t number)
{
  hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint64_t permi_hash_double(uint64_t hash, double x)
{
  uint64_t bits;
  x += 0; /* -0 and 0 are the same entry */
  memcpy(&bits, &x, sizeof bits);
  return permi_hash(hash, bits);
}

#define PERMI_VERSION (PERM_VERSION_MAJOR * 1000000 + PERM_VERSION_MINOR * 1000 + PERM_VERSION_PATCH)
#define PERMI_HASH_START UINT64_C(14695981039346656037)

/* The e of frexp for x != 0, without a call. */
static int permi_exponent(double x)
{
  uint64_t bits;
  int e;
  memcpy(&bits, &x, sizeof bits);
  e = (int)(bits >> 52 & 2047);
  if (!e)
    frexp(x, &e);
  else
    e -= 1022;
  return e;
}

static int permi_log2_ceiling(double x) /* least e with x <= 2^e; x > 0 */
{
  int e = permi_exponent(x);
  return ldexp(0.5, e) == x ? e - 1 : e;
}

static int permi_int_exponent(long long e)
{
  return e < -5000 ? -5000 : e > 5000 ? 5000 : (int)e;
}

/* x 2^e, exact unless the result is below the normal doubles. */
static double permi_shift(double x, int e)
{
  uint64_t bits;
  double power;
  if (e < -1000 || e > 1000)
    return ldexp(x, e);
  bits = (uint64_t)(e + 1023) << 52;
  memcpy(&power, &bits, sizeof power);
  return x * power;
}

/* Double-double: an unevaluated sum hi + lo with |lo| <= ulp(hi)/2 [Hig02, 27.9]. */
typedef struct permi_dd {
  double hi, lo;
} permi_dd;

static permi_dd permi_two_sum(double a, double b)
{
  permi_dd s;
  double t;
  s.hi = a + b;
  t = s.hi - a;
  s.lo = (a - (s.hi - t)) + (b - t);
  return s;
}

static permi_dd permi_dd_make(double x)
{
  permi_dd r;
  r.hi = x;
  r.lo = 0;
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
  p.lo = fma(a.hi, b.hi, -p.hi);
  return permi_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

PERMI_UNUSED static permi_dd permi_dd_negate(permi_dd a)
{
  a.hi = -a.hi;
  a.lo = -a.lo;
  return a;
}

static permi_dd permi_dd_scale(permi_dd a, int exp2)
{
  a.hi = ldexp(a.hi, exp2);
  a.lo = ldexp(a.lo, exp2);
  return a;
}

/* The proofs assume IEEE arithmetic, rounding to nearest, with denormals. Another object's flags (-ffast-math sets
   flush-to-zero) or a rounding mode can break that, so bounds are given only after this test. */
static int permi_arithmetic_is_sound(void)
{
  volatile double one = 1, tiny = PERMI_UNIT, least = DBL_MIN, half = 0.5, many = 49;
  const double divisor = many, whole = many / divisor, seventh = 7 / divisor; /* also detects 7 * (1 / divisor) */
  permi_dd s = permi_two_sum(one, tiny * half);
  double product = (one + 2 * tiny) * (one + 2 * tiny);
  return one + tiny == 1 && one - tiny * half == 1 && one + 3 * tiny == 1 + 4 * tiny && s.hi == 1 && s.lo == tiny / 2 &&
         least * half > 0 && whole == 1 && seventh == 1.0 / 7 &&
         fma(one + 2 * tiny, one + 2 * tiny, -product) == 4 * tiny * tiny;
}

/* perm_sum: a long fixed-point accumulator [Kul13]; word w has weight 2^(64 w - 1074). */
static void permi_sum_carry(perm_sum *sum, int w, uint64_t low, uint64_t high, int subtract)
{
  if (subtract) {
    uint64_t before = sum->word[w], borrow;
    sum->word[w] = before - low;
    borrow = before < low;
    for (w++; w < PERM_SUM_WORDS && (high || borrow); w++, high = 0) {
      uint64_t take = high + borrow; /* high < 2^63, so no wrap */
      before = sum->word[w];
      sum->word[w] = before - take;
      borrow = before < take;
    }
  } else {
    uint64_t carry;
    sum->word[w] += low;
    carry = sum->word[w] < low;
    for (w++; w < PERM_SUM_WORDS && (high || carry); w++, high = 0) {
      uint64_t give = high + carry;
      sum->word[w] += give;
      carry = sum->word[w] < give;
    }
  }
}

static void permi_sum_add_double(perm_sum *sum, double x) /* x finite */
{
  uint64_t bits, mantissa;
  int exponent, shift;
  memcpy(&bits, &x, sizeof bits);
  exponent = (int)(bits >> 52 & 2047);
  mantissa = bits & ((UINT64_C(1) << 52) - 1);
  if (exponent)
    mantissa |= UINT64_C(1) << 52;
  else
    exponent = 1;
  if (!mantissa)
    return;
  shift = (exponent - 1) & 63;
  permi_sum_carry(sum, (exponent - 1) >> 6, mantissa << shift, shift ? mantissa >> (64 - shift) : 0, (int)(bits >> 63));
}

static void permi_sum_add(perm_sum *sum, const perm_sum *other)
{
  uint64_t carry = 0;
  int w;
  for (w = 0; w < PERM_SUM_WORDS; w++) {
    uint64_t with_carry = other->word[w] + carry;
    carry = with_carry < carry;
    sum->word[w] += with_carry;
    carry += sum->word[w] < with_carry;
  }
}

PERMI_UNUSED
    static void
    permi_sum_add_integer(perm_sum *sum, const uint64_t *magnitude, int words, int negative)
{
  int i; /* 1 = 2^1074 units: word 16, bit 50 */
  for (i = 0; i < words && i < PERM_SUM_WORDS - 17; i++)
    permi_sum_carry(sum, 16 + i, magnitude[i] << 50, magnitude[i] >> 14, negative);
}

static int permi_sum_negative(const perm_sum *sum)
{
  return (int)(sum->word[PERM_SUM_WORDS - 1] >> 63);
}

static perm_sum permi_sum_magnitude(const perm_sum *sum)
{
  perm_sum r = *sum;
  if (permi_sum_negative(sum)) {
    uint64_t carry = 1;
    int w;
    for (w = 0; w < PERM_SUM_WORDS; w++) {
      r.word[w] = ~r.word[w] + carry;
      carry = carry && !r.word[w];
    }
  }
  return r;
}

/* Nearest double to |sum| 2^-shift (ties to even), normal and below 2^64; *exp2 = shift. */
static double permi_magnitude_double(const perm_sum *magnitude, int *exp2)
{
  uint64_t top, below = 0;
  int w = PERM_SUM_WORDS - 1, i, lead = 0;
  *exp2 = 0;
  while (w >= 0 && !magnitude->word[w])
    w--;
  if (w < 0)
    return 0;
  top = magnitude->word[w];
  while (!(top >> 63))
    top <<= 1, lead++;
  if (w > 0) {
    if (lead)
      top |= magnitude->word[w - 1] >> (64 - lead);
    below = magnitude->word[w - 1] << lead;
    for (i = 0; i < w - 1; i++)
      below |= magnitude->word[i];
  }
  *exp2 = 64 * w - lead - 1074;
  /* keep 53 of the 64 bits, round by the 11 dropped ones and the sticky rest */
  {
    uint64_t kept = top >> 11, dropped = top & 2047, half = 1024;
    if (dropped > half || (dropped == half && (below || (kept & 1))))
      kept++;
    return (double)kept * 2048.0;
  }
}

/* The sum to about 106 bits as hi + lo times 2^*exp2, with 1/2 <= |hi| <= 1 (or 0, exponent 0). */
static permi_dd permi_sum_value(const perm_sum *sum, long long *exp2)
{
  perm_sum rest = permi_sum_magnitude(sum);
  permi_dd r = {0, 0};
  int e, e2;
  *exp2 = 0;
  r.hi = permi_magnitude_double(&rest, &e);
  if (r.hi == 0)
    return r;
  { /* rest -= hi 2^e: hi is a multiple of 2^11 */
    uint64_t mantissa = (uint64_t)(r.hi / 2048.0);
    int bit = e + 11 + 1074;
    if (bit >= 0) {
      int shift = bit & 63;
      permi_sum_carry(&rest, bit >> 6, mantissa << shift, shift ? mantissa >> (64 - shift) : 0, 1);
    } else { /* the sum has fewer than 53 bits */
      permi_sum_carry(&rest, 0, mantissa >> -bit, 0, 1);
    }
  }
  {
    int less = permi_sum_negative(&rest);
    rest = permi_sum_magnitude(&rest);
    r.lo = permi_magnitude_double(&rest, &e2);
    r.lo = ldexp(less ? -r.lo : r.lo, e2 - e);
  }
  if (permi_sum_negative(sum)) {
    r.hi = -r.hi;
    r.lo = -r.lo;
  }
  *exp2 = (long long)e + 64;
  return permi_dd_scale(r, -64);
}
