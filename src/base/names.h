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

PERM_API const char *perm_status_name(perm_status status)
{
  switch (status) {
#define PERMI_CASE(name, number, text)                                                                                 \
  case name: return #name;
    PERM_STATUS_LIST(PERMI_CASE)
#undef PERMI_CASE
  default: return "unknown status";
  }
}

static const struct {
  const char *name;
  size_t offset, bytes;
} permi_layout_table[] = {
#define PERMI_FIELD(type, field) {#type "." #field, offsetof(type, field), sizeof(((type *)NULL)->field)}
    {"perm_options", 0, sizeof(perm_options)},
    PERMI_FIELD(perm_options, method),
    PERMI_FIELD(perm_options, precision),
    PERMI_FIELD(perm_options, isa),
    PERMI_FIELD(perm_options, threads),
    PERMI_FIELD(perm_options, certify),
    PERMI_FIELD(perm_options, tolerance),
    PERMI_FIELD(perm_options, modulus),
    PERMI_FIELD(perm_options, max_seconds),
    PERMI_FIELD(perm_options, max_bytes),
    PERMI_FIELD(perm_options, plan_effort),
    PERMI_FIELD(perm_options, progress),
    PERMI_FIELD(perm_options, user_data),
    PERMI_FIELD(perm_options, cancel),
    PERMI_FIELD(perm_options, allocator),
    PERMI_FIELD(perm_options, gpu),
    PERMI_FIELD(perm_options, checkpoint),
    PERMI_FIELD(perm_options, execute),
    PERMI_FIELD(perm_options, execute_data),
    PERMI_FIELD(perm_options, format),
    PERMI_FIELD(perm_options, name),
    PERMI_FIELD(perm_options, prove),
    {"perm_gpu_options", 0, sizeof(perm_gpu_options)},
    PERMI_FIELD(perm_gpu_options, devices),
    PERMI_FIELD(perm_gpu_options, cpu_fallback),
    PERMI_FIELD(perm_gpu_options, cache),
    PERMI_FIELD(perm_gpu_options, tune),
    {"perm_checkpoint_file", 0, sizeof(perm_checkpoint_file)},
    PERMI_FIELD(perm_checkpoint_file, file),
    PERMI_FIELD(perm_checkpoint_file, seconds),
    PERMI_FIELD(perm_checkpoint_file, part),
    PERMI_FIELD(perm_checkpoint_file, parts),
    PERMI_FIELD(perm_checkpoint_file, merge),
    PERMI_FIELD(perm_checkpoint_file, merges),
    PERMI_FIELD(perm_checkpoint_file, note),
    PERMI_FIELD(perm_checkpoint_file, note_bytes),
    {"perm_progress", 0, sizeof(perm_progress)},
    PERMI_FIELD(perm_progress, fraction),
    PERMI_FIELD(perm_progress, seconds),
    PERMI_FIELD(perm_progress, seconds_left),
    PERMI_FIELD(perm_progress, activity),
    {"perm_integer", 0, sizeof(perm_integer)},
    PERMI_FIELD(perm_integer, negative),
    PERMI_FIELD(perm_integer, words),
    PERMI_FIELD(perm_integer, word),
    {"perm_result", 0, sizeof(perm_result)},
    PERMI_FIELD(perm_result, value),
    PERMI_FIELD(perm_result, imaginary),
    PERMI_FIELD(perm_result, partial_sum),
    PERMI_FIELD(perm_result, partial_imaginary),
    PERMI_FIELD(perm_result, exp2),
    PERMI_FIELD(perm_result, error_bound),
    PERMI_FIELD(perm_result, error_estimate),
    PERMI_FIELD(perm_result, is_complex),
    PERMI_FIELD(perm_result, exact),
    PERMI_FIELD(perm_result, integer),
    PERMI_FIELD(perm_result, imaginary_integer),
    PERMI_FIELD(perm_result, modulus),
    PERMI_FIELD(perm_result, method),
    PERMI_FIELD(perm_result, precision),
    PERMI_FIELD(perm_result, isa),
    PERMI_FIELD(perm_result, threads),
    PERMI_FIELD(perm_result, gpus),
    PERMI_FIELD(perm_result, tuned),
    PERMI_FIELD(perm_result, escalated),
    PERMI_FIELD(perm_result, terms),
    PERMI_FIELD(perm_result, plan_seconds),
    PERMI_FIELD(perm_result, seconds),
    PERMI_FIELD(perm_result, status),
    PERMI_FIELD(perm_result, argument),
    PERMI_FIELD(perm_result, message),
    {"perm_leaf", 0, sizeof(perm_leaf)},
    PERMI_FIELD(perm_leaf, kind),
    PERMI_FIELD(perm_leaf, method),
    PERMI_FIELD(perm_leaf, isa),
    PERMI_FIELD(perm_leaf, n),
    PERMI_FIELD(perm_leaf, chunks),
    PERMI_FIELD(perm_leaf, work),
    PERMI_FIELD(perm_leaf, seconds),
    PERMI_FIELD(perm_leaf, bytes),
    PERMI_FIELD(perm_leaf, fingerprint),
    PERMI_FIELD(perm_leaf, tuned),
    {"perm_offer", 0, sizeof(perm_offer)},
    PERMI_FIELD(perm_offer, block),
    PERMI_FIELD(perm_offer, n),
    PERMI_FIELD(perm_offer, method),
    PERMI_FIELD(perm_offer, seconds),
    PERMI_FIELD(perm_offer, bytes),
    PERMI_FIELD(perm_offer, reason),
    {"perm_estimate_plan", 0, sizeof(perm_estimate_plan)},
    PERMI_FIELD(perm_estimate_plan, estimator),
    PERMI_FIELD(perm_estimate_plan, samples),
    PERMI_FIELD(perm_estimate_plan, relative_error),
    PERMI_FIELD(perm_estimate_plan, confidence),
    PERMI_FIELD(perm_estimate_plan, seed),
    PERMI_FIELD(perm_estimate_plan, guarantee),
    {"perm_estimate", 0, sizeof(perm_estimate)},
    PERMI_FIELD(perm_estimate, value),
    PERMI_FIELD(perm_estimate, imaginary),
    PERMI_FIELD(perm_estimate, exp2),
    PERMI_FIELD(perm_estimate, standard_error),
    PERMI_FIELD(perm_estimate, low),
    PERMI_FIELD(perm_estimate, high),
    PERMI_FIELD(perm_estimate, radius),
    PERMI_FIELD(perm_estimate, proved_radius),
    PERMI_FIELD(perm_estimate, certain_low),
    PERMI_FIELD(perm_estimate, certain_high),
    PERMI_FIELD(perm_estimate, confidence),
    PERMI_FIELD(perm_estimate, samples),
    PERMI_FIELD(perm_estimate, seed),
    PERMI_FIELD(perm_estimate, estimator),
    PERMI_FIELD(perm_estimate, is_complex),
    PERMI_FIELD(perm_estimate, threads),
    PERMI_FIELD(perm_estimate, seconds),
    PERMI_FIELD(perm_estimate, status),
    PERMI_FIELD(perm_estimate, argument),
    PERMI_FIELD(perm_estimate, message)
#undef PERMI_FIELD
};

PERM_API perm_status perm_layout(const char *name, size_t *offset, size_t *bytes)
{
  size_t k;
  if (!name || !offset || !bytes)
    return PERM_ERROR_NULL;
  for (k = 0; k < sizeof permi_layout_table / sizeof *permi_layout_table; k++)
    if (!strcmp(name, permi_layout_table[k].name)) {
      *offset = permi_layout_table[k].offset;
      *bytes = permi_layout_table[k].bytes;
      return PERM_OK;
    }
  return PERM_ERROR_RANGE;
}

PERM_API int perm_version(void)
{
  return PERMI_VERSION;
}

PERM_API const char *perm_method_name(perm_method method)
{
  switch (method) {
#define PERMI_CASE(name, word, text)                                                                                   \
  case name: return word;
    PERM_METHOD_LIST(PERMI_CASE)
#undef PERMI_CASE
  default: return "unknown";
  }
}

PERM_API const char *perm_precision_name(perm_precision precision)
{
  static const char *const name[] = {"default", "fast", "accurate", "dd", "kahan", "exact"};
  return (int)precision >= 0 && precision < PERM_PRECISION_COUNT ? name[precision] : "unknown";
}

PERM_API const char *perm_isa_name(perm_isa isa)
{
  static const char *const name[] = {"auto", "plain", "avx2", "avx512", "avx512ifma", "neon", "cuda"};
  return (int)isa >= 0 && isa < PERM_ISA_COUNT ? name[isa] : "unknown";
}

PERM_API const char *perm_format_name(perm_format format)
{
  switch (format) {
#define PERMI_CASE(name, word, text)                                                                                   \
  case name: return word;
    PERM_FORMAT_LIST(PERMI_CASE)
#undef PERMI_CASE
  default: return "unknown";
  }
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

PERM_API perm_status perm_integer_int64(const perm_integer *integer, int64_t *value)
{
  const uint64_t limit = (UINT64_C(1) << 63) - !(integer && integer->negative);
  uint64_t word;
  if (!permi_integer_good(integer) || !value)
    return PERM_ERROR_NULL;
  word = integer->words ? integer->word[0] : 0;
  if (integer->words > 1 || word > limit)
    return PERM_ERROR_OVERFLOW;
  *value = integer->negative && word ? -1 - (int64_t)(word - 1) : (int64_t)word;
  return PERM_OK;
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
