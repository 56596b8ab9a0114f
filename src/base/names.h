/* ========================================================================================== >>names */
#pragma once
#include "../api/calls.h"
#include "doubles.h"
#include "memory.h"

PERM_API const char *perm_status_text(perm_status status)
{
  switch (status) {
#define PERMI_CASE(name, number, text) case name: return text;
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
#define PERMI_NAMED(name, word, lanes) {"isa", word, name},
      {"isa", "auto", PERM_ISA_AUTO}, PERM_ISA_LIST(PERMI_NAMED)
#undef PERMI_NAMED
      {"estimator", "auto", 0}, {"estimator", "glynn", 1}, {"estimator", "sinkhorn", 2}, {"estimator", "rejection", 3}};
  for (size_t k = 0; of && k < sizeof names / sizeof *names; k++)
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
#define PERMI_OF(name) PERMI_MEMBER(perm_options, name)
    {"perm_options", 0, sizeof(perm_options)}, PERMI_OF(method), PERMI_OF(precision), PERMI_OF(isa),
    PERMI_OF(threads), PERMI_OF(certify), PERMI_OF(tolerance), PERMI_OF(modulus), PERMI_OF(max_seconds),
    PERMI_OF(max_bytes), PERMI_OF(plan_effort), PERMI_OF(progress), PERMI_OF(user_data), PERMI_OF(cancel),
    PERMI_OF(allocator), PERMI_OF(gpu), PERMI_OF(checkpoint), PERMI_OF(execute), PERMI_OF(format),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_gpu_options, name)
    {"perm_gpu_options", 0, sizeof(perm_gpu_options)}, PERMI_OF(devices), PERMI_OF(cpu_fallback), PERMI_OF(cache),
    PERMI_OF(resident), PERMI_OF(stream),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_checkpoint_file, name)
    {"perm_checkpoint_file", 0, sizeof(perm_checkpoint_file)}, PERMI_OF(file), PERMI_OF(seconds), PERMI_OF(part),
    PERMI_OF(parts), PERMI_OF(merge), PERMI_OF(note),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_progress, name)
    {"perm_progress", 0, sizeof(perm_progress)}, PERMI_OF(fraction), PERMI_OF(seconds), PERMI_OF(seconds_left),
    PERMI_OF(activity),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_integer, name)
    {"perm_integer", 0, sizeof(perm_integer)}, PERMI_OF(negative), PERMI_OF(words), PERMI_OF(word),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_result, name)
    {"perm_result", 0, sizeof(perm_result)}, PERMI_OF(value), PERMI_OF(imaginary), PERMI_OF(partial_sum),
    PERMI_OF(partial_imaginary), PERMI_OF(exp2), PERMI_OF(error_bound), PERMI_OF(error_estimate),
    PERMI_OF(is_complex), PERMI_OF(exact), PERMI_OF(integer), PERMI_OF(imaginary_integer), PERMI_OF(modulus),
    PERMI_OF(method), PERMI_OF(precision), PERMI_OF(isa), PERMI_OF(threads), PERMI_OF(gpus), PERMI_OF(escalated),
    PERMI_OF(terms), PERMI_OF(plan_seconds), PERMI_OF(seconds), PERMI_OF(status), PERMI_OF(argument), PERMI_OF(message),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_leaf, name)
    {"perm_leaf", 0, sizeof(perm_leaf)}, PERMI_OF(kind), PERMI_OF(method), PERMI_OF(isa), PERMI_OF(n),
    PERMI_OF(chunks), PERMI_OF(work), PERMI_OF(seconds), PERMI_OF(bytes), PERMI_OF(fingerprint),
#undef PERMI_OF
#define PERMI_OF(name) PERMI_MEMBER(perm_offer, name)
    {"perm_offer", 0, sizeof(perm_offer)}, PERMI_OF(block), PERMI_OF(n), PERMI_OF(method), PERMI_OF(seconds),
    PERMI_OF(bytes), PERMI_OF(reason)
#undef PERMI_OF
};

static perm_status permi_member_find(const permi_member *member, size_t count, const char *name, size_t *offset,
                                     size_t *bytes)
{
  if (!name || !offset || !bytes)
    return PERM_ERROR_NULL;
  for (size_t k = 0; k < count; k++)
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

/* With `plus` numbers from 0 on begin with +. */
static size_t permi_integer_text(const perm_integer *integer, int plus, char *buffer, size_t size)
{
  char digits[PERM_INTEGER_WORDS * 20 + 2];
  uint32_t half[2 * PERM_INTEGER_WORDS];
  const int good = integer && integer->words >= 0 && integer->words <= PERM_INTEGER_WORDS; /* made by a call */
  int used = good ? 2 * integer->words : 0, length = 0, i;
  size = buffer ? size : 0;
  if (size)
    buffer[0] = 0;
  if (!good)
    return 0;
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

PERM_API size_t perm_amount_text(const char *unit, double amount, char *buffer, size_t size)
{
  const int seconds = unit && !strcmp(unit, "seconds"), bytes = unit && !strcmp(unit, "bytes");
  return (size_t)snprintf(buffer, buffer ? size : 0, "%s", seconds ? permi_time_words(amount).text
                                                           : bytes ? permi_size_words(amount).text : "");
}

PERM_API size_t perm_result_text(const perm_result *result, char *buffer, size_t size)
{
  permi_environment environment; /* snprintf rounds by it */
  size_t length;
  size = buffer ? size : 0;
  if (size)
    buffer[0] = 0;
  if (!result)
    return 0;
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
    length = permi_say(buffer, size, result->exp2 ? "(%.17g%+.17gi) * 2^%lld" : "%.17g%+.17gi", result->value,
                       result->imaginary, result->exp2);
  else
    length = permi_say(buffer, size, result->exp2 ? "%.17g * 2^%lld" : "%.17g", result->value, result->exp2);
  permi_environment_end(&environment, PERM_OK);
  return length;
}
/* SPDX-License-Identifier: MIT */
