/* ========================================================================================= >>market
   Reads Matrix Market files: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats: Initial
   Design, NISTIR 5935, 1996. Comments between entries and long lines are allowed, the field "double" of some programs
   is not. */
#pragma once
#include "io.h"

typedef enum permi_symmetry { PERMI_GENERAL, PERMI_SYMMETRIC, PERMI_SKEW, PERMI_HERMITIAN } permi_symmetry;

typedef struct permi_banner_word {
  const char *what, *expected, *keyword[4];
} permi_banner_word;

static const permi_banner_word permi_banner[4] = {
    {"object", "matrix", {"matrix", NULL, NULL, NULL}},
    {"format", "coordinate or array", {"coordinate", "array", NULL, NULL}},
    {"field", "real, complex, integer or pattern", {"pattern", "integer", "real", "complex"}},
    {"symmetry", "general, symmetric, skew-symmetric or hermitian",
     {"general", "symmetric", "skew-symmetric", "hermitian"}}};

static int permi_read_banner(permi_reader *reader, int found[4])
{
  const char *begin, *end;
  int w, k;
  for (w = 0; w < 4; w++) {
    const permi_banner_word *word = &permi_banner[w];
    if (!permi_next_word(reader, &begin, &end))
      return permi_reader_fail(reader, "the banner ends before the %s, %s was expected", word->what, word->expected);
    for (k = 0; k < 4 && !(word->keyword[k] && permi_same_word(begin, end, word->keyword[k])); k++)
      ;
    if (k == 4)
      return permi_reader_fail(reader, "%s %s found, %s was expected", word->what, permi_quoted(begin, end).text,
                               word->expected);
    found[w] = k;
  }
  return permi_line_finished(reader, "the banner");
}

static PERMI_ALWAYS_INLINE int permi_read_number(permi_reader *reader, const char *what, int whole, const char **begin,
                                                 const char **end)
{
  int integer;
  if (!permi_next_word(reader, begin, end))
    return permi_reader_fail(reader, "the line ends before the %s, %s was expected", what,
                             whole ? "an integer" : "a decimal number");
  if (permi_number_end(*begin, *end, &integer) != *end || (whole && !integer))
    return permi_reader_fail(reader, "%s %s found, %s was expected", what, permi_quoted(*begin, *end).text,
                             whole ? "an integer" : "a finite decimal number");
  return 1;
}

/* *whole: the number as an integer, or 0. */
static int permi_read_double(permi_reader *reader, const char *what, double *value, int64_t *whole)
{
  const char *begin, *end;
  if (!permi_read_number(reader, what, 0, &begin, &end))
    return 0;
  if (!permi_integer_value(begin, end, whole) || *whole == INT64_MIN) {
    reader->fraction = 1;
    *whole = 0;
  }
  return permi_double_value(reader, begin, end, value);
}

static int permi_read_integer(permi_reader *reader, const char *what, int64_t *value)
{
  const char *begin, *end;
  if (!permi_read_number(reader, what, 1, &begin, &end))
    return 0;
  return permi_integer_value(begin, end, value) ||
         permi_reader_fail(reader, "%s %s does not fit 64 bits, an integer within +-9.22e18 was expected", what,
                           permi_quoted(begin, end).text);
}

static int permi_read_within(permi_reader *reader, const char *what, long long least, long long most, int64_t *value)
{
  return permi_read_integer(reader, what, value) &&
         ((*value >= least && *value <= most) ||
          permi_reader_fail(reader, "%s %lld outside %lld..%lld", what, (long long)*value, least, most));
}

static int permi_read_values(permi_reader *reader, permi_entry *entry)
{
  const int complex_kind = reader->kind == PERM_KIND_COMPLEX;
  int64_t whole = 1;
  int ok = 1;
  *entry = permi_entry_one();
  if (reader->kind == PERM_KIND_INTEGER) {
    ok = permi_read_integer(reader, "value", &entry->integer);
    entry->real = (double)entry->integer;
  } else if (reader->kind != PERM_KIND_PATTERN) {
    ok = permi_read_double(reader, complex_kind ? "real part" : "value", &entry->real, &whole) &&
         (!complex_kind || permi_read_double(reader, "imaginary part", &entry->imaginary, &whole));
    entry->integer = complex_kind ? 1 : whole;
  }
  return ok && permi_line_finished(reader, "the entry");
}

static int permi_add_entry(permi_reader *reader, permi_symmetry symmetry, uint64_t row, uint64_t column,
                           permi_entry *entry)
{
  if (symmetry == PERMI_HERMITIAN && row == column && entry->imaginary != 0)
    return permi_reader_fail(reader, "imaginary part %g found on the diagonal of a hermitian matrix, 0 was expected",
                             entry->imaginary);
  if (!permi_reader_push(reader, row, column, entry))
    return 0;
  if (symmetry == PERMI_GENERAL || row == column)
    return 1;
  if (symmetry == PERMI_SKEW && entry->integer == INT64_MIN)
    return permi_reader_fail(reader, "the negative of -2^63 in a skew-symmetric matrix does not fit 64 bits, an "
                                     "integer from -2^63+1 up was expected");
  if (symmetry == PERMI_SKEW) {
    entry->real = -entry->real;
    entry->integer = -entry->integer;
  }
  if (symmetry != PERMI_SYMMETRIC)
    entry->imaginary = -entry->imaginary;
  return permi_reader_push(reader, column, row, entry);
}

/* With a symmetry, arrays have the lower triangle by columns, if skew-symmetric without the diagonal. */
static int permi_read_entries(permi_reader *reader, permi_symmetry symmetry, int array, unsigned long long count)
{
  unsigned long long k;
  int64_t row = array && symmetry == PERMI_SKEW ? 2 : 1, column = 1;
  permi_entry entry;
  for (k = 0; k < count; k++) {
    if (!permi_next_content(reader, 0))
      return permi_reader_fail(reader, "the file ends after %llu %s, %llu were expected", k,
                               array ? "values" : "entries", count);
    if (!array && (!permi_read_within(reader, "row index", 1, reader->m, &row) ||
                   !permi_read_within(reader, "column index", 1, reader->n, &column)))
      return 0;
    if (!permi_read_values(reader, &entry))
      return 0;
    if (symmetry != PERMI_GENERAL && row < column)
      return permi_reader_fail(reader, "entry (%lld,%lld) above the diagonal found in a file with symmetry, the lower "
                               "triangle was expected", (long long)row, (long long)column);
    if (symmetry == PERMI_SKEW && row == column)
      return permi_reader_fail(reader, "entry (%lld,%lld) on the diagonal of a skew-symmetric matrix found, entries "
                               "below the diagonal were expected", (long long)row, (long long)column);
    if (!(array && permi_entry_is_zero(&entry, reader->kind)) &&
        !permi_add_entry(reader, symmetry, (uint64_t)row - 1, (uint64_t)column - 1, &entry))
      return 0;
    if (array && row++ == reader->m) {
      column++;
      row = symmetry == PERMI_GENERAL ? 1 : column + (symmetry == PERMI_SKEW);
    }
  }
  return 1;
}

/* Refuses at once more entries than the file can hold. */
static int permi_read_market(permi_reader *reader, perm_format wanted)
{
  static const unsigned value_bytes[4] = {0, 2, 2, 4}; /* of a line with its end; two indices: 4 */
  const char *field, *symmetry_name, *things;
  int found[4], array;
  int64_t m = 0, n = 0, declared = 0;
  unsigned long long count, left, size_line;
  unsigned entry_bytes;
  permi_symmetry symmetry;
  if (!permi_read_banner(reader, found))
    return 0;
  array = found[1];
  things = array ? "values" : "entries";
  reader->kind = (perm_kind)found[2];
  field = permi_banner[2].keyword[found[2]];
  symmetry = (permi_symmetry)found[3];
  symmetry_name = permi_banner[3].keyword[found[3]];
  if (wanted != PERM_FORMAT_AUTO && (wanted >= PERM_FORMAT_EDGES || (wanted == PERM_FORMAT_ARRAY) != array ||
                                     (wanted == PERM_FORMAT_COORDINATE_COMPLEX && reader->kind != PERM_KIND_COMPLEX)))
    return permi_reader_fail(reader, "a banner of format %s, field %s found, but format %s asked for: leave that out",
                             permi_banner[1].keyword[array], field, perm_name("format", wanted));
  if (array && reader->kind == PERM_KIND_PATTERN)
    return permi_reader_fail(reader, "an array of field pattern found, real, complex or integer was expected");
  if (symmetry == PERMI_SKEW && reader->kind == PERM_KIND_PATTERN)
    return permi_reader_fail(reader, "a skew-symmetric pattern found, general or symmetric was expected");
  if (symmetry == PERMI_HERMITIAN && reader->kind != PERM_KIND_COMPLEX)
    return permi_reader_fail(reader, "a hermitian matrix of field %s found, complex was expected", field);

  if (!permi_next_content(reader, 0))
    return permi_reader_fail(reader, "the file ends before the size line, '%s' was expected",
                             array ? "rows columns" : "rows columns entries");
  size_line = reader->line;
  if (!permi_read_within(reader, "number of rows", 0, PERM_MATRIX_MAX_ROWS, &m) ||
      !permi_read_within(reader, "number of columns", 0, INT_MAX, &n) ||
      (!array && !permi_read_within(reader, "number of entries", 0, INT64_MAX, &declared)) ||
      !permi_line_finished(reader, "the sizes"))
    return 0;
  if (symmetry != PERMI_GENERAL && m != n)
    return permi_reader_fail(reader, "%lld x %lld found for a %s matrix, a square one was expected", (long long)m,
                             (long long)n, symmetry_name);
  reader->m = (int)m;
  reader->n = (int)n;
  count = (unsigned long long)(symmetry == PERMI_GENERAL ? m * n : m * (m + (symmetry == PERMI_SKEW ? -1 : 1)) / 2);
  if (!array && (unsigned long long)declared > count)
    return permi_reader_fail(reader, "%lld entries found for the %llu places of a %lld x %lld %s matrix, no more than "
                             "that was expected", (long long)declared, count, (long long)m, (long long)n,
                             symmetry_name);
  count = array ? count : (unsigned long long)declared;
  left = (unsigned long long)(reader->end - reader->position);
  entry_bytes = (array ? 0 : 4) + value_bytes[found[2]];
  if (count > (left + 1) / entry_bytes)
    return permi_reader_fail(reader, "%llu %s declared, but only %llu bytes follow, at least %u each were expected",
                             count, things, left, entry_bytes);
  if (!permi_read_entries(reader, symmetry, array, count))
    return 0;
  if (permi_next_content(reader, 0))
    return permi_reader_fail(reader, "%s found after the %llu %s declared in line %llu, the end of the file was "
                             "expected", permi_quoted(reader->cursor, reader->line_end).text, count, things, size_line);
  if (reader->kind == PERM_KIND_REAL && !reader->fraction)
    reader->kind = PERM_KIND_INTEGER;
  return 1;
}
/* SPDX-License-Identifier: MIT */
