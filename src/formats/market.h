/* ========================================================================================= >>market
   Reads Matrix Market files: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats: Initial
   Design, NISTIR 5935, 1996. Comments between entries and long lines are allowed, the field "double" of some programs
   is not. Writes them, and pictures, as a whole or not at all (>>files). */
#pragma once
#include <errno.h>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#endif
#include "../base/files.h"
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
  const int parts = reader->kind == PERM_KIND_COMPLEX ? 2 : reader->kind == PERM_KIND_REAL;
  const char *begin, *end;
  int part;
  *entry = permi_entry_one();
  if (reader->kind == PERM_KIND_INTEGER) {
    if (!permi_read_integer(reader, "value", &entry->integer))
      return 0;
    entry->real = (double)entry->integer;
  }
  for (part = 0; part < parts; part++) {
    int64_t whole;
    if (!permi_read_number(reader, parts == 1 ? "value" : part ? "imaginary part" : "real part", 0, &begin, &end) ||
        !permi_double_value(reader, begin, end, part ? &entry->imaginary : &entry->real))
      return 0;
    if (!permi_integer_value(begin, end, &whole) || whole == INT64_MIN) {
      reader->fraction = 1;
      whole = 0;
    }
    entry->integer = parts == 1 ? whole : 1;
  }
  return permi_line_finished(reader, "the entry");
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
  const char *field, *symmetry_name, *things, *begin, *end;
  int found[4], array;
  int64_t m = 0, n = 0, declared = 0;
  unsigned long long count, left, size_line;
  unsigned entry_bytes;
  permi_symmetry symmetry;
  permi_next_line(reader);
  permi_next_word(reader, &begin, &end);
  if (!permi_same_word(begin, end, "%%matrixmarket"))
    return permi_reader_fail(reader, "%s found, %%%%MatrixMarket was expected", permi_quoted(begin, end).text);
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

/* ---- writing */
/* 17 significant digits read back to the same double; from 1e17 to 2^63 all 19, or it would be another integer. */
static int permi_print_double(FILE *file, double value)
{
  char text[64];
  permi_say(text, sizeof text, " %.*g", fabs(value) >= 1e17 && fabs(value) <= 9223372036854775808.0 ? 19 : 17, value);
  return fputs(text, file) >= 0;
}

typedef struct permi_matrix_written {
  const perm_matrix *matrix;
  permi_control *watch;
} permi_matrix_written;

static int permi_print_matrix(FILE *file, const void *what)
{
  const permi_matrix_written *written = (const permi_matrix_written *)what;
  const perm_matrix *matrix = written->matrix;
  size_t k;
  int i;
  if (fprintf(file, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %llu\n",
              permi_banner[2].keyword[matrix->kind], matrix->m, matrix->n, (unsigned long long)matrix->nnz) < 0)
    return 0;
  for (i = 0; i < matrix->m; i++)
    for (k = matrix->row_start[i]; k < matrix->row_start[i + 1]; k++) {
      if (permi_watch(written->watch, 200) || fprintf(file, "%d %d", i + 1, matrix->column[k] + 1) < 0 ||
          (matrix->kind == PERM_KIND_INTEGER && fprintf(file, " %lld", (long long)matrix->integer[k]) < 0) ||
          (matrix->kind >= PERM_KIND_REAL && !permi_print_double(file, matrix->real[k])) ||
          (matrix->kind == PERM_KIND_COMPLEX && !permi_print_double(file, matrix->imaginary[k])) ||
          putc('\n', file) == EOF)
        return 0;
    }
  return fflush(file) == 0;
}

/* Is path written to directly, as an open file or device? Names come first, since stat follows them (/dev/stdout is a
   regular file after "> file"). */
static int permi_is_stream(const char *path)
{
  static const char *const links[3] = {"/dev/std", "/dev/fd/", "/proc/"};
  int k;
#if defined(__unix__) || defined(__APPLE__)
  struct stat information;
  for (k = 0; k < 3; k++)
    if (!strncmp(path, links[k], strlen(links[k])))
      return 1;
  return stat(path, &information) == 0 && S_ISCHR(information.st_mode);
#else
  (void)path, (void)links, (void)k;
  return 0;
#endif
}

static perm_status permi_write_file(const char *path, const perm_allocator *allocator,
                                    int (*print)(FILE *file, const void *what), const void *what, perm_result *result)
{
  const char *why, *failed = "write";
  const int standard = !strcmp(path, "-");
  char doing[40];
  errno = 0;
  if (standard || permi_is_stream(path)) {
    FILE *file = standard ? stdout : fopen(path, "wb");
    int error, printed;
    if (!file)
      return permi_file_fail(result, path, "cannot create", errno);
    printed = print(file, what);
    error = errno;
    if (!standard && fclose(file) != 0 && printed) {
      printed = 0;
      error = errno;
    }
    return printed ? PERM_OK
                   : permi_file_fail(result, standard ? "standard output" : path, "cannot write", error);
  }
  why = permi_file_replace(path, allocator, 1, print, what, &failed);
  if (!why)
    return PERM_OK;
  if (!failed)
    return permi_fail(result, PERM_ERROR_MEMORY, 0, "out of memory for a file name");
  snprintf(doing, sizeof doing, "cannot %s", strcmp(failed, "sync the directory of") ? failed : "sync its directory");
  return permi_file_because(result, path, doing, why);
}

PERM_SPARSE_API perm_status perm_matrix_write(const char *path, const perm_matrix *matrix, const perm_options *options,
                                              perm_result *result)
{
  permi_control watch = permi_control_begin(permi_options(options));
  permi_environment environment;
  permi_matrix_written written;
  perm_status status;
  permi_result_clear(result);
  if (!path)
    return permi_fail(result, PERM_ERROR_NULL, 1, "path is NULL");
  if (!matrix)
    return permi_fail(result, PERM_ERROR_NULL, 2, "matrix is NULL");
  if ((matrix->m && !matrix->row_start) ||
      (matrix->nnz && (!matrix->column || (matrix->kind == PERM_KIND_INTEGER && !matrix->integer) ||
                       (matrix->kind >= PERM_KIND_REAL && !matrix->real) ||
                       (matrix->kind == PERM_KIND_COMPLEX && !matrix->imaginary))))
    return permi_fail(result, PERM_ERROR_NULL, 2, "an array that a matrix of this kind needs is NULL");
  watch.activity = "writing";
  written.matrix = matrix;
  written.watch = &watch;
  status = PERMI_SOUNDLY(&environment,
                         permi_write_file(path, &matrix->allocator, permi_print_matrix, &written, result));
  if (watch.stopped != PERM_OK)
    status = permi_fail(result, watch.stopped, 0, "%s while writing", perm_status_text(watch.stopped));
  if (result)
    result->seconds = permi_seconds() - watch.start;
  return status;
}
/* SPDX-License-Identifier: MIT */
