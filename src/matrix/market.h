/* ========================================================================================= >>market
   Matrix Market files. */
#pragma once
#include "io.h"

/* The next word of the banner as position in a list of up to four keywords; -1 after a failure. */
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

static int permi_read_size(permi_reader *reader, const char *what, int64_t limit, int64_t *size)
{
  if (!permi_read_int64(reader, what, size))
    return 0;
  if (*size < 0 || *size > limit)
    return permi_reader_fail(reader, "%s %lld outside 0..%lld", what, (long long)*size, (long long)limit);
  return 1;
}

/* The values that follow the indices of a line, into *entry. */
static int permi_read_values(permi_reader *reader, permi_entry *entry)
{
  int64_t ignored;
  entry->real = 1;
  entry->imaginary = 0;
  entry->integer = 1;
  switch (reader->kind) {
  case PERM_KIND_PATTERN: break;
  case PERM_KIND_INTEGER:
    if (!permi_read_int64(reader, "value", &entry->integer))
      return 0;
    entry->real = (double)entry->integer;
    break;
  case PERM_KIND_REAL:
    if (!permi_read_double(reader, "value", &entry->real, &entry->integer))
      return 0;
    break;
  case PERM_KIND_COMPLEX:
    if (!permi_read_double(reader, "real part", &entry->real, &ignored) ||
        !permi_read_double(reader, "imaginary part", &entry->imaginary, &ignored))
      return 0;
    break;
  }
  return permi_line_finished(reader, "the entry");
}

/* Adds the entry of the current line and its mirror image. */
static int permi_add_entry(permi_reader *reader, permi_symmetry symmetry, uint64_t row, uint64_t column,
                           permi_entry *entry)
{
  entry->key = permi_entry_key(row, column);
  entry->line = reader->line;
  if (symmetry == PERMI_HERMITIAN && row == column && entry->imaginary != 0)
    return permi_reader_fail(reader, "imaginary part %g found on the diagonal of a hermitian matrix, 0 was expected",
                             entry->imaginary);
  if (!permi_entries_push(&reader->entries, entry, &reader->allocator, reader->watch))
    return permi_reader_no_memory(reader);
  if (symmetry == PERMI_GENERAL || row == column)
    return 1;
  if (symmetry == PERMI_SKEW) {
    if (entry->integer == INT64_MIN)
      return permi_reader_fail(reader, "the negative of -2^63 in a skew-symmetric matrix does not fit 64 bits, an "
                                       "integer from -2^63+1 up was expected");
    entry->real = -entry->real;
    entry->imaginary = -entry->imaginary;
    entry->integer = -entry->integer;
  } else if (symmetry == PERMI_HERMITIAN) {
    entry->imaginary = -entry->imaginary;
  }
  entry->key = permi_entry_key(column, row);
  if (!permi_entries_push(&reader->entries, entry, &reader->allocator, reader->watch))
    return permi_reader_no_memory(reader);
  return 1;
}

static int permi_read_coordinate(permi_reader *reader, permi_symmetry symmetry, uint64_t count)
{
  uint64_t k, row = 0, column = 0;
  permi_entry entry;
  for (k = 0; k < count; k++) {
    if (!permi_next_content(reader, 0))
      return permi_reader_fail(reader, "the file ends after %llu entries, %llu were expected", (unsigned long long)k,
                               (unsigned long long)count);
    if (!permi_read_index(reader, "row index", reader->m, &row) ||
        !permi_read_index(reader, "column index", reader->n, &column) || !permi_read_values(reader, &entry))
      return 0;
    if (symmetry != PERMI_GENERAL && row < column)
      return permi_reader_fail(reader,
                               "entry (%llu,%llu) above the diagonal found in a file with symmetry, the lower "
                               "triangle was expected",
                               (unsigned long long)row + 1, (unsigned long long)column + 1);
    if (symmetry == PERMI_SKEW && row == column)
      return permi_reader_fail(reader,
                               "entry (%llu,%llu) on the diagonal of a skew-symmetric matrix found, entries "
                               "below the diagonal were expected",
                               (unsigned long long)row + 1, (unsigned long long)column + 1);
    if (!permi_add_entry(reader, symmetry, row, column, &entry))
      return 0;
  }
  return 1;
}

/* Column by column; with a symmetry the lower triangle only, without the diagonal if skew-symmetric. */
static int permi_read_array(permi_reader *reader, permi_symmetry symmetry, uint64_t count)
{
  uint64_t k, m = (uint64_t)reader->m, row = symmetry == PERMI_SKEW, column = 0;
  permi_entry entry;
  for (k = 0; k < count; k++) {
    if (!permi_next_content(reader, 0))
      return permi_reader_fail(reader, "the file ends after %llu values, %llu were expected", (unsigned long long)k,
                               (unsigned long long)count);
    if (!permi_read_values(reader, &entry))
      return 0;
    if (!permi_entry_is_zero(&entry, reader->kind) && !permi_add_entry(reader, symmetry, row, column, &entry))
      return 0;
    if (++row == m)
      row = ++column * (symmetry != PERMI_GENERAL) + (symmetry == PERMI_SKEW);
  }
  return 1;
}

/* What follows the word %%MatrixMarket. Fewest bytes of an entry, line end included, by kind: what declares more
   entries than can follow is refused before anything is read. Real numbers that are all integers become some. */
static int permi_read_market(permi_reader *reader, perm_format wanted)
{
  static const char *const objects[1] = {"matrix"};
  static const char *const formats[2] = {"coordinate", "array"};
  static const char *const fields[4] = {"pattern", "integer", "real", "complex"};
  static const char *const symmetries[4] = {"general", "symmetric", "skew-symmetric", "hermitian"};
  static const uint64_t value_bytes[4] = {0, 2, 2, 4};
  int object, array, field, symmetric;
  int64_t m = 0, n = 0, declared = 0;
  uint64_t count, left, entry_bytes, size_line;
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
  if (!permi_read_size(reader, "number of rows", PERM_MATRIX_MAX_ROWS, &m) ||
      !permi_read_size(reader, "number of columns", INT_MAX, &n) ||
      (!array && !permi_read_size(reader, "number of entries", INT64_MAX, &declared)) ||
      !permi_line_finished(reader, "the sizes"))
    return 0;
  if (symmetry != PERMI_GENERAL && m != n)
    return permi_reader_fail(reader, "%lld x %lld found for a %s matrix, a square one was expected", (long long)m,
                             (long long)n, symmetries[symmetric]);
  reader->m = (int)m;
  reader->n = (int)n;
  count = (uint64_t)m * (uint64_t)n; /* below 2^55 */
  if (symmetry == PERMI_SKEW)
    count = (uint64_t)m * (uint64_t)(m ? m - 1 : 0) / 2;
  else if (symmetry != PERMI_GENERAL)
    count = (uint64_t)m * (uint64_t)(m + 1) / 2;
  if (!array && (uint64_t)declared > count)
    return permi_reader_fail(reader,
                             "%lld entries found for the %llu places of a %lld x %lld %s matrix, no more than "
                             "that was expected",
                             (long long)declared, (unsigned long long)count, (long long)m, (long long)n,
                             symmetries[symmetric]);
  if (!array)
    count = (uint64_t)declared;
  left = (uint64_t)(reader->end - reader->position);
  entry_bytes = (array ? 0 : 4) + value_bytes[field];
  if (count > (left + 1) / entry_bytes)
    return permi_reader_fail(reader, "%llu %s declared, but only %llu bytes follow, at least %llu each were expected",
                             (unsigned long long)count, array ? "values" : "entries", (unsigned long long)left,
                             (unsigned long long)entry_bytes);

  if (!(array ? permi_read_array(reader, symmetry, count) : permi_read_coordinate(reader, symmetry, count)))
    return 0;
  if (permi_next_content(reader, 0))
    return permi_reader_fail(reader,
                             "%s found after the %llu %s declared in line %llu, the end of the file was "
                             "expected",
                             permi_quoted(reader->cursor, reader->line_end).text, (unsigned long long)count,
                             array ? "values" : "entries", (unsigned long long)size_line);
  if (reader->kind == PERM_KIND_REAL && !reader->fraction)
    reader->kind = PERM_KIND_INTEGER;
  return 1;
}
