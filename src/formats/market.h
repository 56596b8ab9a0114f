/* ========================================================================================= >>market
   Lines, words and numbers of a text, as entries. Readers return 0 after a failure, whose message names the line.

   Matrix Market: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR
   5935, 1996; with comments between entries and long lines, without the field "double" of some programs. */
#pragma once
#include <errno.h>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#endif
#include "../base/files.h"
#include "../matrix/matrix.h"

/* Where the next graph begins, or NULL; the line before it; the line of the graph that is read. */
typedef struct permi_rest {
  const char *position;
  unsigned long long before, line;
} permi_rest;

typedef struct permi_reader {
  const char *name;
  const char *taken; /* of messages, or NULL */
  permi_rest *rest;  /* NULL: refuses a second graph */
  const char *position, *end, *cursor, *line_end;
  unsigned long long line;
  char point[16]; /* the locale's */
  perm_allocator allocator;
  permi_control *watch;
  permi_entries entries;
  int m, n;
  perm_kind kind;
  int fraction; /* a number is no integer of 64 bits */
  /* first line with an integer beyond 64 bits, one that doubles round, a fraction over `imaginary`; or 0 */
  unsigned long long large, rounded, fractions;
  const char *binary; /* first byte of a binary file, or NULL */
  const char *again;  /* advice on entries given twice, or NULL */
  int mirrored;       /* 1: across the diagonal, too */
  perm_integer *denominator; /* NULL: refuses fractions */
  char separator; /* ',', beside blanks; or ';', alone */
  unsigned long long tight, loose; /* last line with a separator without blank; with blanks alone */
  int names; /* of the header, or 0 */
  char note[160];
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
  snprintf(quote.text, sizeof quote.text, "'%*s%s'", length, "", length < end - begin ? "..." : "");
  for (int k = 0; k < length; k++)
    quote.text[1 + k] = begin[k] >= 32 && begin[k] <= 126 ? begin[k] : '?';
  return quote;
}

/* Returns a name's last 100 bytes, in whole UTF-8 characters without controls. */
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
  const perm_status stopped = reader->watch->stopped;
  reader->status = stopped != PERM_OK ? permi_reading_stopped(reader->name, stopped, reader->result)
                                      : permi_fail(reader->result, PERM_ERROR_MEMORY, 0, "%s:%llu: out of memory",
                                                   permi_show_name(reader->name).text, reader->line);
  return 0;
}

static perm_status permi_file_fail(perm_result *result, const char *name, const char *what, int error)
{
  return permi_fail(result, PERM_ERROR_FILE, 1, "%s: %s: %s", permi_show_name(name).text, what,
                    error ? strerror(error) : "unknown error");
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
  if (reader->position == reader->end || permi_watch(reader->watch, 20))
    return 0;
  const char *line_break = (const char *)memchr(reader->position, '\n', (size_t)(reader->end - reader->position));
  reader->cursor = reader->position;
  reader->line_end = line_break ? line_break : reader->end;
  reader->position = line_break ? line_break + 1 : reader->end;
  /* a file with CR alone would be one row */
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

/* Longer words are cut, and no numbers. */
#define PERMI_WORD_MOST 1048576
static int permi_next_until(permi_reader *reader, char mark, const char **begin, const char **end)
{
  permi_skip_blanks(reader);
  *begin = reader->cursor;
  const char *most = reader->line_end - *begin > PERMI_WORD_MOST ? *begin + PERMI_WORD_MOST : reader->line_end;
  while (reader->cursor < most && !permi_is_blank(*reader->cursor) && *reader->cursor != mark)
    reader->cursor++;
  *end = reader->cursor;
  return *begin != *end;
}

static int permi_next_word(permi_reader *reader, const char **begin, const char **end)
{
  return permi_next_until(reader, ' ', begin, end);
}

/* Compares ASCII without case, in every locale. */
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
  if (!digits || end - begin >= PERMI_WORD_MOST)
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

/* Reads 7, 2.0 or 1e3. Returns 0 if that is not whole, or beyond 64 bits. */
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

/* Reads a double, rounded correctly; strtod wants a terminated copy. */
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

static int permi_read_within(permi_reader *reader, const char *what, long long least, long long most, int64_t *value)
{
  const char *begin, *end;
  if (!permi_read_number(reader, what, 1, &begin, &end))
    return 0;
  if (!permi_integer_value(begin, end, value))
    return permi_reader_fail(reader, "%s %s does not fit 64 bits, an integer within +-9.22e18 was expected", what,
                             permi_quoted(begin, end).text);
  return (*value >= least && *value <= most) ||
         permi_reader_fail(reader, "%s %lld outside %lld..%lld", what, (long long)*value, least, most);
}

/* Reads entries. Symmetric arrays are lower triangles by columns, if skew without diagonal. */
static int permi_read_entries(permi_reader *reader, permi_symmetry symmetry, int array, unsigned long long count)
{
  unsigned long long k;
  const int parts = reader->kind == PERM_KIND_COMPLEX ? 2 : reader->kind == PERM_KIND_REAL;
  int64_t row = array && symmetry == PERMI_SKEW ? 2 : 1, column = 1;
  const char *begin, *end;
  for (k = 0; k < count; k++) {
    if (!permi_next_content(reader, 0))
      return permi_reader_fail(reader, "the file ends after %llu %s, %llu were expected", k,
                               array ? "values" : "entries", count);
    if (!array && (!permi_read_within(reader, "row index", 1, reader->m, &row) ||
                   !permi_read_within(reader, "column index", 1, reader->n, &column)))
      return 0;
    permi_entry entry = permi_entry_one();
    if (reader->kind == PERM_KIND_INTEGER && !permi_read_within(reader, "value", INT64_MIN, INT64_MAX, &entry.integer))
      return 0;
    entry.real = (double)entry.integer;
    for (int part = 0; part < parts; part++) {
      int64_t whole;
      if (!permi_read_number(reader, parts == 1 ? "value" : part ? "imaginary part" : "real part", 0, &begin, &end) ||
          !permi_double_value(reader, begin, end, part ? &entry.imaginary : &entry.real))
        return 0;
      if (!permi_integer_value(begin, end, &whole) || whole == INT64_MIN) {
        reader->fraction = 1;
        whole = 0;
      }
      entry.integer = parts == 1 ? whole : 1;
    }
    if (!permi_line_finished(reader, "the entry"))
      return 0;
    if (symmetry != PERMI_GENERAL && row < column)
      return permi_reader_fail(reader, "entry (%lld,%lld) above the diagonal found in a file with symmetry, the lower "
                               "triangle was expected", (long long)row, (long long)column);
    if (symmetry == PERMI_SKEW && row == column)
      return permi_reader_fail(reader, "entry (%lld,%lld) on the diagonal of a skew-symmetric matrix found, entries "
                               "below the diagonal were expected", (long long)row, (long long)column);
    if (!array || !permi_entry_is_zero(&entry, reader->kind)) {
      if (symmetry == PERMI_HERMITIAN && row == column && entry.imaginary != 0)
        return permi_reader_fail(reader, "imaginary part %g found on the diagonal of a hermitian matrix, 0 was "
                                 "expected", entry.imaginary);
      if (!permi_reader_push(reader, (uint64_t)row - 1, (uint64_t)column - 1, &entry))
        return 0;
      if (symmetry == PERMI_SKEW && entry.integer == INT64_MIN)
        return permi_reader_fail(reader, "the negative of -2^63 in a skew-symmetric matrix does not fit 64 bits, an "
                                 "integer from -2^63+1 up was expected");
      if (symmetry == PERMI_SKEW) {
        entry.real = -entry.real;
        entry.integer = -entry.integer;
      }
      if (symmetry != PERMI_SYMMETRIC)
        entry.imaginary = -entry.imaginary;
      if (symmetry != PERMI_GENERAL && row != column &&
          !permi_reader_push(reader, (uint64_t)column - 1, (uint64_t)row - 1, &entry))
        return 0;
    }
    if (array && row++ == reader->m) {
      column++;
      row = symmetry == PERMI_GENERAL ? 1 : column + (symmetry == PERMI_SKEW);
    }
  }
  return 1;
}

static int permi_read_market(permi_reader *reader, perm_format wanted)
{
  static const unsigned value_bytes[4] = {0, 2, 2, 4}; /* of a line with its end; two indices: 4 */
  const char *field, *symmetry_name, *things, *begin, *end;
  int found[4], array, w, k;
  int64_t m = 0, n = 0, declared = 0;
  unsigned long long count, left, size_line;
  permi_next_line(reader);
  permi_next_word(reader, &begin, &end);
  if (!permi_same_word(begin, end, "%%matrixmarket"))
    return permi_reader_fail(reader, "%s found, %%%%MatrixMarket was expected", permi_quoted(begin, end).text);
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
  if (!permi_line_finished(reader, "the banner"))
    return 0;
  array = found[1];
  things = array ? "values" : "entries";
  reader->kind = (perm_kind)found[2];
  field = permi_banner[2].keyword[found[2]];
  permi_symmetry symmetry = (permi_symmetry)found[3];
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
  const unsigned entry_bytes = (array ? 0 : 4) + value_bytes[found[2]];
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
/* Prints 17 digits, which read back to the same double; from 1e17 to 2^63 all 19, else it is another integer. */
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
  if (fprintf(file, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %llu\n",
              permi_banner[2].keyword[matrix->kind], matrix->m, matrix->n, (unsigned long long)matrix->nnz) < 0)
    return 0;
  for (int i = 0; i < matrix->m; i++)
    for (size_t k = matrix->row_start[i]; k < matrix->row_start[i + 1]; k++) {
      if (permi_watch(written->watch, 200) || fprintf(file, "%d %d", i + 1, matrix->column[k] + 1) < 0 ||
          (matrix->kind == PERM_KIND_INTEGER && fprintf(file, " %lld", (long long)matrix->integer[k]) < 0) ||
          (matrix->kind >= PERM_KIND_REAL && !permi_print_double(file, matrix->real[k])) ||
          (matrix->kind == PERM_KIND_COMPLEX && !permi_print_double(file, matrix->imaginary[k])) ||
          putc('\n', file) == EOF)
        return 0;
    }
  return fflush(file) == 0;
}

static perm_status permi_write_file(const char *path, const perm_allocator *allocator,
                                    int (*print)(FILE *file, const void *what), const void *what, perm_result *result)
{
  const char *why, *failed = "write";
  const int standard = !strcmp(path, "-");
  int open = standard; /* a file or device; by name first, as stat follows links */
#if defined(__unix__) || defined(__APPLE__)
  struct stat information;
  open |= !strncmp(path, "/dev/std", 8) || !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/proc/", 6) ||
          (stat(path, &information) == 0 && S_ISCHR(information.st_mode));
#endif
  errno = 0;
  if (open) {
    FILE *file = standard ? stdout : fopen(path, "wb");
    if (!file)
      return permi_file_fail(result, path, "cannot create", errno);
    int printed = print(file, what), error = errno;
    if (!standard && fclose(file) != 0 && printed--)
      error = errno;
    return printed > 0 ? PERM_OK : permi_file_fail(result, standard ? "standard output" : path, "cannot write", error);
  }
  why = permi_file_replace(path, allocator, 1, print, what, &failed);
  if (!why)
    return PERM_OK;
  if (!failed)
    return permi_fail(result, PERM_ERROR_MEMORY, 0, "out of memory for a file name");
  return permi_fail(result, PERM_ERROR_FILE, 1, "%s: cannot %s: %s", permi_show_name(path).text,
                    strcmp(failed, "sync the directory of") ? failed : "sync its directory", why);
}

PERM_SPARSE_API perm_status perm_matrix_write(const char *path, const perm_matrix *matrix, const perm_options *options,
                                              perm_result *result)
{
  permi_control watch = permi_control_begin(permi_options(options));
  permi_environment environment;
  perm_status status;
  permi_result_clear(result);
  if (!path)
    return permi_fail(result, PERM_ERROR_NULL, 1, "path is NULL");
  if (!matrix)
    return permi_fail(result, PERM_ERROR_NULL, 2, "matrix is NULL");
  if (permi_matrix_missing(matrix))
    return permi_fail(result, PERM_ERROR_NULL, 2, "an array that a matrix of this kind needs is NULL");
  watch.activity = "writing";
  const permi_matrix_written written = {matrix, &watch};
  status = PERMI_SOUNDLY(&environment,
                         permi_write_file(path, &watch.options->allocator, permi_print_matrix, &written, result));
  if (watch.stopped != PERM_OK)
    status = permi_fail(result, watch.stopped, 0, "%s while writing", perm_status_text(watch.stopped));
  if (result)
    result->seconds = permi_seconds() - watch.start;
  return status;
}
/* SPDX-License-Identifier: MIT */
