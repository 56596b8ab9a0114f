/* ========================================================================================== >>names */
#pragma once
#include "../api/calls.h"
#include "doubles.h"
#include "memory.h"

PERM_API const char *perm_status_text(perm_status status)
{
  switch (status) {
#define PERMI_CASE(name, number, text)                                                                                 \
  case name: return text;
    PERM_STATUS_LIST(PERMI_CASE)
#undef PERMI_CASE
  default: return "unknown status";
  }
}

PERM_API const char *perm_name(const char *of, long long number)
{
  static const struct {
    const char *of, *name;
    int number;
  } names[] = {
#define PERMI_NAMED(name, number, text) {"status", #name, name},
      PERM_STATUS_LIST(PERMI_NAMED)
#undef PERMI_NAMED
#define PERMI_NAMED(name, word, text) {"method", word, name},
      PERM_METHOD_LIST(PERMI_NAMED)
#undef PERMI_NAMED
#define PERMI_NAMED(name, word, text) {"format", word, name},
      PERM_FORMAT_LIST(PERMI_NAMED)
#undef PERMI_NAMED
      {"precision", "default", PERM_PRECISION_DEFAULT}, {"precision", "dd", PERM_PRECISION_DD},
      {"precision", "kahan", PERM_PRECISION_KAHAN}, {"precision", "exact", PERM_PRECISION_EXACT},
      {"isa", "auto", PERM_ISA_AUTO}, {"isa", "plain", PERM_ISA_PLAIN}, {"isa", "avx2", PERM_ISA_AVX2},
      {"isa", "avx512", PERM_ISA_AVX512}, {"isa", "avx512ifma", PERM_ISA_AVX512IFMA}, {"isa", "neon", PERM_ISA_NEON},
      {"isa", "cuda", PERM_ISA_CUDA},
      {"estimator", "auto", 0}, {"estimator", "glynn", 1}, {"estimator", "sinkhorn", 2}, {"estimator", "rejection", 3}};
  size_t k;
  for (k = 0; of && k < sizeof names / sizeof *names; k++)
    if (names[k].number == number && !strcmp(names[k].of, of))
      return names[k].name;
  return "unknown";
}

typedef struct permi_member {
  const char *name;
  size_t offset, bytes;
} permi_member;
#define PERMI_MEMBER(type, name) {#type "." #name, offsetof(type, name), sizeof(((type *)NULL)->name)}

static const permi_member permi_members[] = {
    {"perm_options", 0, sizeof(perm_options)},
    PERMI_MEMBER(perm_options, method),
    PERMI_MEMBER(perm_options, precision),
    PERMI_MEMBER(perm_options, isa),
    PERMI_MEMBER(perm_options, threads),
    PERMI_MEMBER(perm_options, certify),
    PERMI_MEMBER(perm_options, tolerance),
    PERMI_MEMBER(perm_options, modulus),
    PERMI_MEMBER(perm_options, max_seconds),
    PERMI_MEMBER(perm_options, max_bytes),
    PERMI_MEMBER(perm_options, plan_effort),
    PERMI_MEMBER(perm_options, progress),
    PERMI_MEMBER(perm_options, user_data),
    PERMI_MEMBER(perm_options, cancel),
    PERMI_MEMBER(perm_options, allocator),
    PERMI_MEMBER(perm_options, gpu),
    PERMI_MEMBER(perm_options, checkpoint),
    PERMI_MEMBER(perm_options, execute),
    PERMI_MEMBER(perm_options, format),
    {"perm_gpu_options", 0, sizeof(perm_gpu_options)},
    PERMI_MEMBER(perm_gpu_options, devices),
    PERMI_MEMBER(perm_gpu_options, cpu_fallback),
    PERMI_MEMBER(perm_gpu_options, cache),
    {"perm_checkpoint_file", 0, sizeof(perm_checkpoint_file)},
    PERMI_MEMBER(perm_checkpoint_file, file),
    PERMI_MEMBER(perm_checkpoint_file, seconds),
    PERMI_MEMBER(perm_checkpoint_file, part),
    PERMI_MEMBER(perm_checkpoint_file, parts),
    PERMI_MEMBER(perm_checkpoint_file, merge),
    PERMI_MEMBER(perm_checkpoint_file, note),
    {"perm_progress", 0, sizeof(perm_progress)},
    PERMI_MEMBER(perm_progress, fraction),
    PERMI_MEMBER(perm_progress, seconds),
    PERMI_MEMBER(perm_progress, seconds_left),
    PERMI_MEMBER(perm_progress, activity),
    {"perm_integer", 0, sizeof(perm_integer)},
    PERMI_MEMBER(perm_integer, negative),
    PERMI_MEMBER(perm_integer, words),
    PERMI_MEMBER(perm_integer, word),
    {"perm_result", 0, sizeof(perm_result)},
    PERMI_MEMBER(perm_result, value),
    PERMI_MEMBER(perm_result, imaginary),
    PERMI_MEMBER(perm_result, partial_sum),
    PERMI_MEMBER(perm_result, partial_imaginary),
    PERMI_MEMBER(perm_result, exp2),
    PERMI_MEMBER(perm_result, error_bound),
    PERMI_MEMBER(perm_result, error_estimate),
    PERMI_MEMBER(perm_result, is_complex),
    PERMI_MEMBER(perm_result, exact),
    PERMI_MEMBER(perm_result, integer),
    PERMI_MEMBER(perm_result, imaginary_integer),
    PERMI_MEMBER(perm_result, modulus),
    PERMI_MEMBER(perm_result, method),
    PERMI_MEMBER(perm_result, precision),
    PERMI_MEMBER(perm_result, isa),
    PERMI_MEMBER(perm_result, threads),
    PERMI_MEMBER(perm_result, gpus),
    PERMI_MEMBER(perm_result, escalated),
    PERMI_MEMBER(perm_result, terms),
    PERMI_MEMBER(perm_result, plan_seconds),
    PERMI_MEMBER(perm_result, seconds),
    PERMI_MEMBER(perm_result, status),
    PERMI_MEMBER(perm_result, argument),
    PERMI_MEMBER(perm_result, message),
    {"perm_leaf", 0, sizeof(perm_leaf)},
    PERMI_MEMBER(perm_leaf, kind),
    PERMI_MEMBER(perm_leaf, method),
    PERMI_MEMBER(perm_leaf, isa),
    PERMI_MEMBER(perm_leaf, n),
    PERMI_MEMBER(perm_leaf, chunks),
    PERMI_MEMBER(perm_leaf, work),
    PERMI_MEMBER(perm_leaf, seconds),
    PERMI_MEMBER(perm_leaf, bytes),
    PERMI_MEMBER(perm_leaf, fingerprint),
    {"perm_offer", 0, sizeof(perm_offer)},
    PERMI_MEMBER(perm_offer, block),
    PERMI_MEMBER(perm_offer, n),
    PERMI_MEMBER(perm_offer, method),
    PERMI_MEMBER(perm_offer, seconds),
    PERMI_MEMBER(perm_offer, bytes),
    PERMI_MEMBER(perm_offer, reason)
};

static perm_status permi_member_find(const permi_member *member, size_t count, const char *name, size_t *offset,
                                     size_t *bytes)
{
  size_t k;
  if (!name || !offset || !bytes)
    return PERM_ERROR_NULL;
  for (k = 0; k < count; k++)
    if (!strcmp(name, member[k].name)) {
      *offset = member[k].offset;
      *bytes = member[k].bytes;
      return PERM_OK;
    }
  return PERM_ERROR_RANGE;
}

PERM_API perm_status perm_layout(const char *name, size_t *offset, size_t *bytes)
{
  return permi_member_find(permi_members, sizeof permi_members / sizeof *permi_members, name, offset, bytes);
}

PERM_API int perm_version(void)
{
  return PERMI_VERSION;
}

/* Whether an integer is one that a call may have made. */
static int permi_integer_good(const perm_integer *integer)
{
  return integer && integer->words >= 0 && integer->words <= PERM_INTEGER_WORDS;
}

/* plus: with an explicit +. */
static size_t permi_integer_text(const perm_integer *integer, int plus, char *buffer, size_t size)
{
  char digits[PERM_INTEGER_WORDS * 20 + 2];
  uint32_t half[2 * PERM_INTEGER_WORDS];
  int used = permi_integer_good(integer) ? 2 * integer->words : -1, length = 0, i;
  size = buffer ? size : 0;
  if (used < 0) {
    if (size)
      buffer[0] = 0;
    return 0;
  }
  for (i = 0; i < used; i++)
    half[i] = (uint32_t)(integer->word[i / 2] >> (32 * (i & 1)));
  do {
    uint64_t rest = 0;
    for (i = used - 1; i >= 0; i--) {
      rest = rest << 32 | half[i];
      half[i] = (uint32_t)(rest / 1000000000u);
      rest %= 1000000000u;
    }
    while (used && !half[used - 1])
      used--;
    for (i = 0; i < 9 && (i == 0 || used || rest); i++, rest /= 10)
      digits[length++] = (char)('0' + rest % 10);
  } while (used);
  if (integer->negative || plus)
    digits[length++] = integer->negative ? '-' : '+';
  for (i = 0; i < length && (size_t)i + 1 < size; i++)
    buffer[i] = digits[length - 1 - i];
  if (size)
    buffer[i] = 0;
  return (size_t)length;
}

PERM_API size_t perm_integer_text(const perm_integer *integer, char *buffer, size_t size)
{
  return permi_integer_text(integer, 0, buffer, size);
}

PERM_API size_t perm_time_text(double seconds, char *buffer, size_t size)
{
  return (size_t)snprintf(buffer, buffer ? size : 0, "%s", permi_time_words(seconds).text);
}

PERM_API size_t perm_bytes_text(double bytes, char *buffer, size_t size)
{
  return (size_t)snprintf(buffer, buffer ? size : 0, "%s", permi_size_words(bytes).text);
}

PERM_API size_t perm_result_text(const perm_result *result, char *buffer, size_t size)
{
  permi_environment environment; /* snprintf rounds by it */
  size_t length;
  size = buffer ? size : 0;
  if (!result) {
    if (size)
      buffer[0] = 0;
    return 0;
  }
  if (result->exact) {
    size_t digits = permi_integer_text(&result->integer, 0, buffer, size), room = size > digits ? size - digits : 0;
    if (!result->is_complex)
      return digits;
    digits += permi_integer_text(&result->imaginary_integer, 1, room ? buffer + digits : NULL, room);
    if (digits + 1 < size)
      memcpy(buffer + digits, "i", 2);
    return digits + 1;
  }
  permi_environment_begin(&environment);
  if (result->is_complex)
    length = result->exp2
                 ? permi_say(buffer, size, "(%.17g%+.17gi) * 2^%lld", result->value, result->imaginary, result->exp2)
                 : permi_say(buffer, size, "%.17g%+.17gi", result->value, result->imaginary);
  else
    length = result->exp2 ? permi_say(buffer, size, "%.17g * 2^%lld", result->value, result->exp2)
                          : permi_say(buffer, size, "%.17g", result->value);
  permi_environment_end(&environment, PERM_OK);
  return length;
}
/* SPDX-License-Identifier: MIT */
