/* ========================================================================================= >>market
   Reads Matrix Market files: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats: Initial
   Design, NISTIR 5935, 1996. The field "double" of some programs is refused. Beyond the report, comment lines may stand
   between entries and lines may exceed 1024 bytes. */
#pragma once
#include "io.h"

typedef enum permi_symmetry { PERMI_GENERAL, PERMI_SYMMETRIC, PERMI_SKEW, PERMI_HERMITIAN } permi_symmetry;

/* Returns the place of the banner's next word in a list of keywords, -1 after a failure. */
static int permi_read_keyword(permi_reader *reader, const char *what, const char *const *words, int count,
                              const char *expected)
{
  const char *begin, *end;
  int k;
  if (!permi_next_word(reader, &begin, &end)) {
    permi_reader_fail(reader, "the banner ends before the %s, %s was expected", what, expected);
    return -1;
  }
  for (k = 0; k < count; k++)
    if (permi_same_word(begin, end, words[k]))
      return k;
  permi_reader_fail(reader, "%s %s found, %s was expected", what, permi_quoted(begin, end).text, expected);
  return -1;
}

/* Reads the next word, `what` in messages, as real number and as integer, 0 if it is none. */
static int permi_read_double(permi_reader *reader, const char *what, double *value, int64_t *whole)
{
  const char *begin, *end;
  int integer;
  if (!permi_next_word(reader, &begin, &end))
    return permi_reader_fail(reader, "the line ends before the %s, a decimal number was expected", what);
  if (permi_number_end(begin, end, &integer) != end)
    return permi_reader_fail(reader, "%s %s found, a finite decimal number was expected", what,
                             permi_quoted(begin, end).text);
  if (!permi_integer_value(begin, end, whole) || *whole == INT64_MIN) { /* which has no negative */
    reader->fraction = 1;
    *whole = 0;
  }
  return permi_double_value(reader, begin, end, value);
}

static int permi_read_integer(permi_reader *reader, const char *what, int64_t *value)
{
  const char *begin, *end;
  int integer;
  if (!permi_next_word(reader, &begin, &end))
    return permi_reader_fail(reader, "the line ends before the %s, an integer was expected", what);
  if (permi_number_end(begin, end, &integer) != end || !integer)
    return permi_reader_fail(reader, "%s %s found, an integer was expected", what, permi_quoted(begin, end).text);
  if (!permi_integer_value(begin, end, value))
    return permi_reader_fail(reader, "%s %s does not fit 64 bits, an integer within +-9.22e18 was expected", what,
                             permi_quoted(begin, end).text);
  return 1;
}

/* A size or an index. */
static int permi_read_within(permi_reader *reader, const char *what, long long least, long long most, int64_t *value)
{
  if (!permi_read_integer(reader, what, value))
    return 0;
  if (*value < least || *value > most)
    return permi_reader_fail(reader, "%s %lld outside %lld..%lld", what, (long long)*value, least, most);
  return 1;
}

/* The values that follow the indices of a line, into *entry. */
static int permi_read_values(permi_reader *reader, permi_entry *entry)
{
  const int complex_kind = reader->kind == PERM_KIND_COMPLEX;
  int64_t whole = 1;
  int ok = 1;
  entry->real = 1;
  entry->imaginary = 0;
  entry->integer = 1;
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

static int permi_add_at(permi_reader *reader, uint64_t row, uint64_t column, permi_entry *entry)
{
  entry->key = permi_entry_key(row, column);
  entry->line = reader->line;
  return permi_entries_push(&reader->entries, entry, &reader->allocator, reader->watch)
             ? 1
             : permi_reader_no_memory(reader);
}

/* Adds the entry of the current line and its mirror image. */
static int permi_add_entry(permi_reader *reader, permi_symmetry symmetry, uint64_t row, uint64_t column,
                           permi_entry *entry)
{
  if (symmetry == PERMI_HERMITIAN && row == column && entry->imaginary != 0)
    return permi_reader_fail(reader, "imaginary part %g found on the diagonal of a hermitian matrix, 0 was expected",
                             entry->imaginary);
  if (!permi_add_at(reader, row, column, entry))
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
  return permi_add_at(reader, column, row, entry);
}

/* Reads the entries of a coordinate file; or the values of an array by columns, with a symmetry those of the lower
   triangle, if skew-symmetric without the diagonal. */
static int permi_read_entries(permi_reader *reader, permi_symmetry symmetry, int array, unsigned long long count)
{
  unsigned long long k;
  int64_t row = array && symmetry == PERMI_SKEW ? 2 : 1, column = 1; /* counted from 1 */
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

/* Reads what follows the word %%MatrixMarket, unless it declares more entries than can follow. Real numbers that are
   all whole become integers. */
static int permi_read_market(permi_reader *reader, perm_format wanted)
{
  static const char *const objects[1] = {"matrix"};
  static const char *const formats[2] = {"coordinate", "array"};
  static const char *const fields[4] = {"pattern", "integer", "real", "complex"};
  static const char *const symmetries[4] = {"general", "symmetric", "skew-symmetric", "hermitian"};
  static const unsigned value_bytes[4] = {0, 2, 2, 4}; /* at least, line end included; two indices: 4 */
  int object, array, field, symmetric;
  int64_t m = 0, n = 0, declared = 0;
  unsigned long long count, left, size_line;
  unsigned entry_bytes;
  permi_symmetry symmetry;
  object = permi_read_keyword(reader, "object", objects, 1, "matrix");
  array = object < 0 ? -1 : permi_read_keyword(reader, "format", formats, 2, "coordinate or array");
  field = array < 0 ? -1 : permi_read_keyword(reader, "field", fields, 4, "real, complex, integer or pattern");
  symmetric = field < 0 ? -1
                        : permi_read_keyword(reader, "symmetry", symmetries, 4,
                                             "general, symmetric, skew-symmetric or hermitian");
  if (symmetric < 0 || !permi_line_finished(reader, "the banner"))
    return 0;
  reader->kind = (perm_kind)field;
  symmetry = (permi_symmetry)symmetric;
  if (wanted != PERM_FORMAT_AUTO && (wanted == PERM_FORMAT_EDGES || (wanted == PERM_FORMAT_ARRAY) != array ||
                                     (wanted == PERM_FORMAT_COORDINATE_COMPLEX && reader->kind != PERM_KIND_COMPLEX)))
    return permi_reader_fail(reader, "a banner of format %s, field %s found, but format %s asked for: leave that out",
                             formats[array], fields[field], perm_format_name(wanted));
  if (array && reader->kind == PERM_KIND_PATTERN)
    return permi_reader_fail(reader, "an array of field pattern found, real, complex or integer was expected");
  if (symmetry == PERMI_SKEW && reader->kind == PERM_KIND_PATTERN)
    return permi_reader_fail(reader, "a skew-symmetric pattern found, general or symmetric was expected");
  if (symmetry == PERMI_HERMITIAN && reader->kind != PERM_KIND_COMPLEX)
    return permi_reader_fail(reader, "a hermitian matrix of field %s found, complex was expected", fields[field]);

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
                             (long long)n, symmetries[symmetric]);
  reader->m = (int)m;
  reader->n = (int)n;
  count = (unsigned long long)(symmetry == PERMI_GENERAL ? m * n : m * (m + (symmetry == PERMI_SKEW ? -1 : 1)) / 2);
  if (!array && (unsigned long long)declared > count)
    return permi_reader_fail(reader, "%lld entries found for the %llu places of a %lld x %lld %s matrix, no more than "
                             "that was expected", (long long)declared, count, (long long)m, (long long)n,
                             symmetries[symmetric]);
  count = array ? count : (unsigned long long)declared;
  left = (unsigned long long)(reader->end - reader->position);
  entry_bytes = (array ? 0 : 4) + value_bytes[field];
  if (count > (left + 1) / entry_bytes)
    return permi_reader_fail(reader, "%llu %s declared, but only %llu bytes follow, at least %u each were expected",
                             count, array ? "values" : "entries", left, entry_bytes);
  if (!permi_read_entries(reader, symmetry, array, count))
    return 0;
  if (permi_next_content(reader, 0))
    return permi_reader_fail(reader, "%s found after the %llu %s declared in line %llu, the end of the file was "
                             "expected", permi_quoted(reader->cursor, reader->line_end).text, count,
                             array ? "values" : "entries", size_line);
  if (reader->kind == PERM_KIND_REAL && !reader->fraction)
    reader->kind = PERM_KIND_INTEGER;
  return 1;
}
