/* ============================================================================================= >>io
   Lines, words and numbers of a text in memory, as entries. No text crashes a reader or makes it allocate more than a
   multiple of its length plus 8 (m + 1) bytes. Readers return 0 after a failure, whose message names the line. */
#pragma once
#include "../matrix/matrix.h"

/* Where a text's next graph begins, or NULL; the line before it; the line of the one that was read. */
typedef struct permi_rest {
  const char *position;
  unsigned long long before, line;
} permi_rest;

typedef struct permi_reader {
  const char *name;
  const char *taken; /* what the bytes were taken for, or NULL */
  permi_rest *rest;  /* NULL: refuses a second graph */
  const char *position, *end;
  const char *cursor, *line_end;
  unsigned long long line;
  char point[16]; /* the locale's */
  perm_allocator allocator;
  permi_control *watch;
  permi_entries entries;
  int m, n;
  perm_kind kind;
  int fraction; /* some number is no integer of 64 bits */
  unsigned long long large;   /* the first line with an integer beyond 64 bits, or 0 */
  unsigned long long rounded; /* the first with another integer that is no double, or 0 */
  const char *binary; /* a binary file's first byte; NULL: messages count lines */
  const char *again;  /* advice on an entry given twice, or NULL */
  int mirrored;       /* entries count across the diagonal too */
  perm_integer *denominator; /* NULL: refuses fractions */
  unsigned long long fractions; /* the first line with one, or 0; imaginary is then the denominator */
  char separator; /* ',', beside blanks; or ';', alone */
  unsigned long long tight, loose; /* the last line with a separator without blank, with blanks alone */
  int names; /* of the header, or 0 */
  char note[132];
  perm_status status;
  perm_result *result;
} permi_reader;

typedef struct permi_shown {
  char text[112];
} permi_shown;

static permi_shown permi_quoted(const char *begin, const char *end)
{
  const int length = end - begin <= 24 ? (int)(end - begin) : 21;
  permi_shown quote;
  int k;
  snprintf(quote.text, sizeof quote.text, "'%*s%s'", length, "", length < end - begin ? "..." : "");
  for (k = 0; k < length; k++)
    quote.text[1 + k] = begin[k] >= 32 && begin[k] <= 126 ? begin[k] : '?';
  return quote;
}

/* Returns a file name's last 100 bytes, without control characters, in whole UTF-8 characters. */
static permi_shown permi_show_name(const char *name)
{
  permi_shown shown;
  const size_t length = strlen(name);
  char *out = shown.text;
  if (length > 100) {
    name += length - 100;
    while (((unsigned char)*name & 0xc0) == 0x80)
      name++;
    memcpy(out, "...", 3);
    out += 3;
  }
  for (; *name; name++)
    *out++ = (unsigned char)*name < 32 || *name == 127 ? '?' : *name;
  *out = 0;
  return shown;
}

PERMI_PRINTF(2, 3)
static int permi_reader_fail(permi_reader *reader, const char *format, ...)
{
  const char *taken = reader->taken ? reader->taken : "";
  char text[PERM_MESSAGE_BYTES], place[32];
  va_list arguments;
  va_start(arguments, format);
  permi_vsay(text, sizeof text, format, arguments);
  va_end(arguments);
  snprintf(place, sizeof place, "%s%llu", reader->binary ? " byte " : "",
           reader->binary ? (unsigned long long)(reader->cursor - reader->binary) : reader->line ? reader->line : 1);
  reader->status = permi_fail(reader->result, PERM_ERROR_FORMAT, 0, "%s:%s: %s%s%s%s",
                              permi_show_name(reader->name).text, place, *taken ? "taken as " : "", taken,
                              *taken ? ": " : "", text);
  return 0;
}

static perm_status permi_reading_stopped(const char *name, perm_status status, perm_result *result)
{
  return permi_fail(result, status, 0, "%s: %s while reading", permi_show_name(name).text, perm_status_text(status));
}

static int permi_reader_no_memory(permi_reader *reader)
{
  if (reader->watch->stopped != PERM_OK)
    reader->status = permi_reading_stopped(reader->name, reader->watch->stopped, reader->result);
  else
    reader->status = permi_fail(reader->result, PERM_ERROR_MEMORY, 0, "%s:%llu: out of memory",
                                permi_show_name(reader->name).text, reader->line);
  return 0;
}

static perm_status permi_file_because(perm_result *result, const char *name, const char *what, const char *why)
{
  return permi_fail(result, PERM_ERROR_FILE, 1, "%s: %s: %s", permi_show_name(name).text, what, why);
}

static perm_status permi_file_fail(perm_result *result, const char *name, const char *what, int error)
{
  return permi_file_because(result, name, what, error ? strerror(error) : "unknown error");
}

static int permi_reader_push(permi_reader *reader, uint64_t row, uint64_t column, permi_entry *entry)
{
  entry->key = permi_entry_key(row, column);
  entry->line = reader->line;
  return permi_entries_push(&reader->entries, entry, &reader->allocator, reader->watch) ||
         permi_reader_no_memory(reader);
}

static int permi_is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static int permi_is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static int permi_next_line(permi_reader *reader)
{
  const char *line_break;
  if (reader->position == reader->end || permi_watch(reader->watch, 20))
    return 0;
  line_break = (const char *)memchr(reader->position, '\n', (size_t)(reader->end - reader->position));
  reader->cursor = reader->position;
  reader->line_end = line_break ? line_break : reader->end;
  reader->position = line_break ? line_break + 1 : reader->end;
  /* a CR elsewhere is garbage: a file with CR alone would be one row */
  if (reader->line_end > reader->cursor && reader->line_end[-1] == '\r')
    reader->line_end--;
  reader->line++;
  permi_watch(reader->watch, (double)(reader->position - reader->cursor));
  return 1;
}

static void permi_skip_blanks(permi_reader *reader)
{
  while (reader->cursor < reader->line_end && permi_is_blank(*reader->cursor))
    reader->cursor++;
}

static int permi_next_content(permi_reader *reader, int hash_comments)
{
  while (permi_next_line(reader)) {
    permi_skip_blanks(reader);
    if (reader->cursor < reader->line_end && *reader->cursor != '%' && !(hash_comments && *reader->cursor == '#'))
      return 1;
  }
  return 0;
}

/* Finds what is before the next blank or `mark`; 0: nothing. */
static int permi_next_until(permi_reader *reader, char mark, const char **begin, const char **end)
{
  permi_skip_blanks(reader);
  *begin = reader->cursor;
  while (reader->cursor < reader->line_end && !permi_is_blank(*reader->cursor) && *reader->cursor != mark)
    reader->cursor++;
  *end = reader->cursor;
  return *begin != *end;
}

static int permi_next_word(permi_reader *reader, const char **begin, const char **end)
{
  return permi_next_until(reader, ' ', begin, end);
}

/* ASCII only, in every locale. */
static int permi_same_word(const char *begin, const char *end, const char *lower_case)
{
  for (; begin < end && *lower_case; begin++, lower_case++)
    if ((*begin >= 'A' && *begin <= 'Z' ? *begin + ('a' - 'A') : *begin) != *lower_case)
      return 0;
  return begin == end && !*lower_case;
}

static int permi_line_finished(permi_reader *reader, const char *after_what)
{
  const char *begin, *end;
  if (!permi_next_word(reader, &begin, &end))
    return 1;
  return permi_reader_fail(reader, "%s found after %s, the end of the line was expected",
                           permi_quoted(begin, reader->line_end).text, after_what);
}

static const char *permi_digits_end(const char *p, const char *end)
{
  while (p < end && permi_is_digit(*p))
    p++;
  return p;
}

/* Returns the end of [+-] digits [. digits] [e [+-] digits], a digit before the e, or begin. */
static const char *permi_number_end(const char *begin, const char *end, int *integer)
{
  const char *first = begin + (begin < end && (*begin == '+' || *begin == '-'));
  const char *p = permi_digits_end(first, end), *mark;
  int digits = p > first;
  *integer = 1;
  if (p < end && *p == '.') {
    *integer = 0;
    first = p + 1;
    p = permi_digits_end(first, end);
    digits |= p > first;
  }
  if (!digits)
    return begin;
  if (p < end && (*p == 'e' || *p == 'E')) {
    first = p + 1 + (p + 1 < end && (p[1] == '+' || p[1] == '-'));
    mark = permi_digits_end(first, end);
    if (mark > first) {
      *integer = 0;
      return mark;
    }
  }
  return p;
}

/* Converts 7, 2.0 or 1e3; 0: not whole, or beyond 64 bits. */
static int permi_integer_value(const char *begin, const char *end, int64_t *value)
{
  const int negative = *begin == '-', sign = negative || *begin == '+';
  const uint64_t limit = (uint64_t)INT64_MAX + (uint64_t)negative;
  const char *point = permi_digits_end(begin + sign, end), *mark = point, *p;
  long long places = 0, k; /* digits before the shifted point */
  uint64_t magnitude = 0;
  if (mark < end && *mark == '.')
    mark = permi_digits_end(mark + 1, end);
  if (mark < end) {
    for (p = mark + 1 + (mark[1] == '+' || mark[1] == '-'); p < end; p++)
      places = places < 1000000000000 ? 10 * places + (*p - '0') : places;
    places = mark[1] == '-' ? -places : places;
  }
  places += point - begin - sign;
  for (k = 0, p = begin + sign; p < point && k < places && k < 18; p++, k++) /* cannot overflow */
    magnitude = 10 * magnitude + (uint64_t)(*p - '0');
  for (; p < mark || (magnitude && k < places); p += p < mark) {
    const uint64_t digit = p < mark && *p != '.' ? (uint64_t)(*p - '0') : 0;
    if (p < mark && *p == '.')
      continue;
    if (k >= places ? digit != 0 : magnitude > (limit - digit) / 10)
      return 0;
    magnitude = k++ < places ? 10 * magnitude + digit : magnitude;
  }
  *value = !negative ? (int64_t)magnitude : magnitude > INT64_MAX ? INT64_MIN : -(int64_t)magnitude;
  return 1;
}

static void permi_note_integer(permi_reader *reader, const char *begin, const char *end, double value)
{
  int integer;
  int64_t whole = 0;
  if (fabs(value) < 9007199254740992.0)
    return;
  permi_number_end(begin, end, &integer);
  if (integer && !permi_integer_value(begin, end, &whole))
    reader->large = reader->large ? reader->large : reader->line;
  else if (integer && (value >= 9223372036854775808.0 || (int64_t)value != whole))
    reader->rounded = reader->rounded ? reader->rounded : reader->line;
}

/* Rounds correctly; strtod wants a terminated copy. */
static int permi_double_value(permi_reader *reader, const char *begin, const char *end, double *value)
{
  const size_t length = (size_t)(end - begin), point = strlen(reader->point), needed = length + point + 1;
  const char *dot = (const char *)memchr(begin, '.', length), *p;
  const size_t before = dot ? (size_t)(dot - begin) : length;
  char local[128], *copy = needed > sizeof local ? (char *)permi_allocate(&reader->allocator, needed, 1) : local;
  int nonzero = 0;
  if (!copy)
    return permi_reader_no_memory(reader);
  memcpy(copy, begin, before);
  copy[before] = 0;
  if (dot) {
    memcpy(copy + before, reader->point, point);
    memcpy(copy + before + point, dot + 1, length - before - 1);
    copy[length + point - 1] = 0;
  }
  *value = strtod(copy, NULL);
  if (copy != local)
    permi_release(&reader->allocator, copy);
  for (p = begin; p < end && *p != 'e' && *p != 'E'; p++)
    nonzero |= *p >= '1' && *p <= '9';
  if (permi_not_finite(*value))
    return permi_reader_fail(reader, "%s is beyond the largest double, a number up to 1.79e308 was expected",
                             permi_quoted(begin, end).text);
  if (*value == 0 && nonzero)
    return permi_reader_fail(reader, "%s is below the smallest double, 0 or a number from 4.95e-324 up was expected",
                             permi_quoted(begin, end).text);
  permi_note_integer(reader, begin, end, *value);
  return 1;
}
/* SPDX-License-Identifier: MIT */
