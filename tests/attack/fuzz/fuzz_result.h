/* What every result must keep, and matrices out of bytes. Uses the oracle of the tests: exact at any range. */
#ifndef PERM_FUZZ_RESULT_H_INCLUDED
#define PERM_FUZZ_RESULT_H_INCLUDED

#include <float.h>
#include <math.h>
#include "../../unit/oracle.h"

static void fuzz_show(const perm_result *r)
{
  fprintf(stderr,
          "%s (%s), method %s, precision %s, %d threads, escalated %d: (%.17g, %.17g) 2^%lld, exact %d, "
          "error %g, estimate %g\n",
          perm_name("status", r->status), r->message, perm_name("method", r->method), perm_name("precision",
                                                                                                r->precision),
          r->threads, r->escalated, r->value, r->imaginary, r->exp2, r->exact, r->error_bound, r->error_estimate);
}

#define FUZZ_RESULT(condition, r) ((condition) ? (void)0 : (fuzz_show(r), (void)FUZZ_REQUIRE(!#condition)))

static int fuzz_known_status(perm_status status)
{
#define FUZZ_STATUS(name, number, text) if (status == name) return 1;
  PERM_STATUS_LIST(FUZZ_STATUS)
#undef FUZZ_STATUS
  return 0;
}

/* An entry: most are little, some have any bits, a few are extreme. */
static double fuzz_entry(fuzz_bytes *from, int style)
{
  const unsigned b = fuzz_byte(from);
  double x;
  uint64_t word;
  switch (b % 8) {
  case 0: return 0;
  case 1: return 1;
  case 2: return (double)(b >> 3) - 15;
  case 3: return (b & 8 ? -1 : 1) * ldexp(1 + (b >> 4), style & 1 ? (int)(fuzz_byte(from) * 8) - 1060 : -3);
  case 4: return style & 2 ? 0 : (b & 8 ? -1 : 1) * (1 + ldexp((double)(b >> 4), -52));
  case 5:
    word = fuzz_word(from);
    memcpy(&x, &word, 8);
    return !(fabs(x) <= DBL_MAX) ? 1 : style & 1 ? x : ldexp(frexp(x, &(int){0}), (int)(b >> 3) - 16);
  case 6: return style & 2 ? 0 : (double)fuzz_byte(from) / 256;
  default: return style & 2 ? 0 : (b & 8 ? -1 : 1) * (double)(b >> 4) / 3;
  }
}

static int64_t fuzz_integer(fuzz_bytes *from, int style)
{
  const unsigned b = fuzz_byte(from);
  switch (b % 8) {
  case 0: return 0;
  case 1: return 1;
  case 2: return (int64_t)(b >> 3) - 15;
  case 3: return style & 1 ? (int64_t)fuzz_word(from) : -1;
  case 4: return style & 2 ? 0 : (int64_t)fuzz_byte(from) - 128;
  case 5: return style & 1 ? (b & 8 ? INT64_MIN : INT64_MAX) - (int64_t)(b >> 4) * (b & 8 ? -1 : 1) : 1;
  default: return style & 2 ? 0 : (b & 8 ? -1 : 1) * ((int64_t)1 << (b >> 4 & (style & 1 ? 15 : 3)));
  }
}

static double fuzz_modulus(const perm_result *r) { return hypot(r->value, r->imaginary); }

/* Status, message and numbers of any result agree. */
static void fuzz_check_result(perm_status status, const perm_result *r)
{
  size_t k;
  FUZZ_RESULT(status == r->status && fuzz_known_status(status), r);
  FUZZ_RESULT(strlen(r->message) < PERM_MESSAGE_BYTES && (status == PERM_OK || r->message[0]), r);
  for (k = 0; r->message[k]; k++)
    FUZZ_RESULT(r->message[k] >= 32 && r->message[k] <= 126, r);
  FUZZ_RESULT(!(r->error_bound < 0) && !(r->error_estimate < 0) && r->error_bound == r->error_bound &&
                  r->error_estimate == r->error_estimate,
              r);
  if (status < 0 || status == PERM_STOPPED_TIME) /* no value */
    FUZZ_RESULT(r->value != r->value && r->error_bound == HUGE_VAL && r->error_estimate == HUGE_VAL && !r->exact, r);
  else
    FUZZ_RESULT(fabs(r->value) <= DBL_MAX && fabs(r->imaginary) <= DBL_MAX && r->argument == 0, r);
  if (status == PERM_OK) {
    char text[PERM_TEXT_BYTES], shorter[9];
    size_t length = perm_result_text(r, text, sizeof text);
    FUZZ_RESULT(length < sizeof text && strlen(text) == length && perm_result_text(r, shorter, 9) == length, r);
    FUZZ_RESULT(!r->exact || (r->error_bound == 0 && r->error_estimate == 0), r);
    FUZZ_RESULT(!r->modulus || r->exact, r);
  }
}

/* A finished result against the permanent itself. `trust`: by how much an estimate may be wrong. Those of glynn and
   ryser are relative to the terms as computed, which is nothing where a row sum is nothing but rounding in every
   term. */
static void fuzz_check_value(const perm_result *r, const oracle_exact *exact, double trust)
{
  const double distance =
      r->modulus ? 0 : oracle_exact_distance(exact, r->value, r->imaginary, r->exp2);
  if (r->exact) {
    FUZZ_RESULT(oracle_exact_is(exact, 0, r->integer.negative, r->integer.words, r->integer.word, r->modulus), r);
    if (exact->parts == 2)
      FUZZ_RESULT(oracle_exact_is(exact, 1, r->imaginary_integer.negative, r->imaginary_integer.words,
                                   r->imaginary_integer.word, r->modulus), r);
    FUZZ_RESULT(distance <= fuzz_modulus(r) * DBL_EPSILON, r);
    return;
  }
  FUZZ_RESULT(distance <= r->error_bound * (1 + 1e-14), r);
  if (r->method != PERM_METHOD_GLYNN && r->method != PERM_METHOD_RYSER)
    FUZZ_RESULT(distance <= trust * r->error_estimate + DBL_EPSILON * fuzz_modulus(r) + 5e-324, r);
}

__attribute__((unused)) static int fuzz_same_bits(const perm_result *a, const perm_result *b)
{
  return !memcmp(&a->value, &b->value, 8) && !memcmp(&a->imaginary, &b->imaginary, 8) && a->exp2 == b->exp2 &&
         a->exact == b->exact && (!a->exact || !memcmp(&a->integer, &b->integer, sizeof a->integer));
}

/* Options out of bytes: hostile ones now and then. The caller sets the allocator. */
static perm_options fuzz_options(fuzz_bytes *from)
{
  static const double seconds[4] = {0.05, 0.05, 0.05, 1e-3}, effort[8] = {0, 0, 0, 0.01, 1, 3, 1e-300, -1};
  static const double bytes[8] = {0, 0, 0, 0, 1e6, 1e5, 4096, 1};
  static const double tolerance[8] = {0, 0, 0, 0, 1e-3, 1e-12, 1e-20, 0};
  perm_options options;
  const unsigned b = fuzz_byte(from), c = fuzz_byte(from), d = fuzz_byte(from), rare = fuzz_byte(from);
  memset(&options, 0, sizeof options);
  options.method = (perm_method)(b < 96 ? 0 : b % (PERM_METHOD_COUNT + 1));
  options.precision = (perm_precision)(c % 16 < 8 ? 0 : c % 16 - 8 <= PERM_PRECISION_COUNT ? c % 16 - 8 : 0);
  options.threads = c >> 4 & 1 ? 2 : 1;
  options.certify = c >> 5 & 1;
  options.isa = (perm_isa)(c >> 6 ? 0 : d % 3);
  options.tolerance = tolerance[d >> 5];
  options.plan_effort = effort[d >> 2 & 7];
  options.max_seconds = seconds[rare & 3];
  options.max_bytes = bytes[rare >> 2 & 7];
  if (rare >> 5 == 7) {
    const unsigned e = fuzz_byte(from);
    switch (e % 8) {
    case 0: options.threads = (int)e - 128; break;
    case 1: options.isa = (perm_isa)(e >> 3); break;
    case 2: options.gpu.devices = (int)(e >> 3) - 4; break;
    case 3:
      options.gpu.devices = 1;
      options.gpu.cpu_fallback = 1;
      break;
    case 4: options.tolerance = -1; break;
    case 5: options.max_seconds = e & 8 ? -1 : (double)NAN; break;
    case 6: options.plan_effort = e & 8 ? (double)INFINITY : (double)NAN; break;
    default: options.max_bytes = e & 8 ? -1 : (double)NAN; break;
    }
  } else if (rare >> 5 == 6) {
    static const uint64_t modulus[8] = {2, 3, 97, 1000003, (uint64_t)1 << 32, ((uint64_t)1 << 61) - 1,
                                        (uint64_t)1 << 63, ((uint64_t)1 << 63) + 1};
    const unsigned e = fuzz_byte(from);
    options.modulus = e & 8 ? fuzz_word(from) >> (e >> 4) : modulus[e & 7];
  }
  return options;
}

#endif
/* SPDX-License-Identifier: MIT */
