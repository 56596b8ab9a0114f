/* ===================================================================================== >>plain_text
   Files without a banner: rows of numbers, coordinates, edges; the public calls that read. */
#pragma once
#include <errno.h>
#include <locale.h>
#include "market.h"

/* Finds the next number after blanks or one separator; returns 0 at the end of the line, or after a failure. Where ';'
   separates, blanks do not: "1 2; 3 4" would be two rows elsewhere. */
static int permi_next_field(permi_reader *reader, const char **begin, const char **end)
{
  const char mark = reader->separator;
  if (!permi_next_until(reader, mark, begin, end))
    return *begin != reader->line_end && permi_reader_fail(reader, "'%c' found, a number was expected before it", mark);
  permi_skip_blanks(reader);
  if (reader->cursor < reader->line_end && *reader->cursor != mark && mark == ';')
    return permi_reader_fail(reader, "%s found after a blank, ';' was expected between numbers as in the first line; "
                             "each row is a line", permi_quoted(reader->cursor, reader->line_end).text);
  if (reader->cursor == reader->line_end || *reader->cursor != mark)
    return 1;
  reader->cursor++;
  permi_skip_blanks(reader);
  return reader->cursor < reader->line_end ||
         permi_reader_fail(reader, "the line ends in '%c', a number was expected after it", mark);
}

static int permi_plain_value(permi_reader *reader, const char *begin, const char *end, permi_entry *entry)
{
  int integer;
  const char *const whole_begin = begin, *const whole_end = end, *middle;
  if (end - begin > 3 && *begin == '(' && end[-1] == ')' && (end[-2] == 'j' || end[-2] == 'i')) {
    begin++; /* (1+2j), as Python prints */
    end--;
  }
  middle = permi_number_end(begin, end, &integer);
  entry->real = entry->imaginary = 0;
  entry->integer = 0;
  if (middle == end && middle > begin) {
    if (permi_integer_value(begin, end, &entry->integer)) {
      entry->real = (double)entry->integer; /* to nearest, as strtod would */
      return 1;
    }
    if (reader->kind == PERM_KIND_INTEGER)
      reader->kind = PERM_KIND_REAL;
    reader->large = integer && !reader->large ? reader->line : reader->large;
    return permi_double_value(reader, begin, end, &entry->real);
  }
  if (end > begin && (end[-1] == 'i' || end[-1] == 'j')) {
    const char *last = end - 1, *from = middle == last ? begin : middle;
    const int sign = from < last && (*from == '+' || *from == '-'), bare = from + sign == last;
    if ((from == begin || sign) && (bare || permi_number_end(from, last, &integer) == last)) {
      reader->kind = PERM_KIND_COMPLEX;
      entry->imaginary = sign && *from == '-' ? -1 : 1;
      return (from == begin || permi_double_value(reader, begin, from, &entry->real)) &&
             (bare || permi_double_value(reader, from, last, &entry->imaginary));
    }
  }
  return permi_reader_fail(
      reader, "%s found, a number such as 1, -2.5e3, 1+2i or (1+2j) was expected%s",
      permi_quoted(whole_begin, whole_end).text,
      middle > begin && middle < end && *middle == '/'
          ? "; of fractions: multiply a row by its denominators' least common multiple, then divide the permanent by it"
      : memchr(begin, ',', (size_t)(end - begin)) ? ", with a point before decimals" : "");
}

/* Finds the next name of a header: between separators, in a line without any between tabs, else between blanks. Quotes
   protect separators. Returns 0 after the last one. */
static int permi_next_name(permi_reader *look, char mark, const char **begin, const char **end)
{
  int quoted = 0;
  if (look->cursor > look->line_end)
    return 0;
  *begin = look->cursor;
  for (; look->cursor < look->line_end && (quoted || *look->cursor != mark); look->cursor++)
    quoted ^= *look->cursor == '"';
  *end = look->cursor++;
  while (*begin < *end && permi_is_blank(**begin))
    ++*begin;
  while (*begin < *end && permi_is_blank((*end)[-1]))
    --*end;
  if (mark == ' ') /* several of them separate once */
    while (look->cursor < look->line_end && *look->cursor == ' ')
      look->cursor++;
  return mark != ' ' || *begin < *end;
}

/* A first line of names above others, such as a,"b c",d2: each begins with a letter, '_' or '"', one at least is no
   number (i and j are), none stands for a missing value. Moves the reader behind it. */
static void permi_skip_header(permi_reader *reader)
{
  static const char *const missing[] = {"nan", "inf", "infinity", "na", "n/a", "null", "none"};
  permi_reader look = *reader, below;
  const char *begin, *end, *first;
  int names = 0, words = 0;
  size_t k;
  char mark;
  look.result = NULL;
  if (!permi_next_content(&look, 1))
    return;
  first = look.cursor;
  k = (size_t)(look.line_end - first);
  reader->separator = memchr(first, ';', k) ? ';' : ',';
  mark = memchr(first, reader->separator, k) ? reader->separator : memchr(first, '\t', k) ? '\t' : ' ';
  while (permi_next_name(&look, mark, &begin, &end)) {
    const char letter = begin < end ? *begin : ' ';
    if (!((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' || letter == '"'))
      return;
    for (k = 0; k < sizeof missing / sizeof *missing; k++)
      if (permi_same_word(begin, end, missing[k]))
        return;
    if (names == INT_MAX)
      return;
    names++;
    words |= end - begin > 1 || (letter != 'i' && letter != 'j');
  }
  below = look;
  if (!words || !permi_next_content(&below, 1))
    return;
  reader->names = names;
  reader->position = look.position;
  reader->line = look.line;
  snprintf(reader->note, sizeof reader->note, "rows below the header %.40s", permi_quoted(first, look.line_end).text);
}

static int permi_read_plain(permi_reader *reader, perm_format wanted)
{
  unsigned long long first_line = 0;
  permi_entry entry;
  reader->kind = PERM_KIND_INTEGER;
  while (permi_next_content(reader, 1)) {
    const char *begin, *end;
    int columns = 0;
    if (reader->m == PERM_MATRIX_MAX_ROWS)
      return permi_reader_fail(reader, "row %d found, at most %d were expected", reader->m + 1, PERM_MATRIX_MAX_ROWS);
    while (permi_next_field(reader, &begin, &end)) {
      if (!(columns & 4095) && permi_watch(reader->watch, 4096))
        return 0;
      if (columns == INT_MAX)
        return permi_reader_fail(reader, "more than 2^31-1 numbers found, fewer were expected");
      if (!permi_plain_value(reader, begin, end, &entry))
        return 0;
      if ((entry.real != 0 || entry.imaginary != 0) &&
          !permi_reader_push(reader, (uint64_t)reader->m, (uint64_t)columns, &entry))
        return 0;
      columns++;
    }
    if (reader->status != PERM_OK)
      return 0;
    if (!reader->m) {
      if (reader->names && columns != reader->names)
        return permi_reader_fail(reader, "%d numbers found, %d were expected as names in the line before", columns,
                                 reader->names);
      reader->n = columns;
      first_line = reader->line;
    }
    if (columns != reader->n)
      return permi_reader_fail(reader, "%d numbers found, %d were expected as in line %llu", columns, reader->n,
                               first_line);
    reader->m++;
  }
  if (!reader->m)
    return permi_reader_fail(reader, "no numbers found, a matrix was expected");
  if (wanted == PERM_FORMAT_AUTO && reader->n == 2 && reader->m > 2 && reader->kind == PERM_KIND_INTEGER) {
    reader->line = first_line;
    return permi_reader_fail(reader, "%d rows of two integers found: edges of a graph, or a %d x 2 matrix? Say which: "
                             "--format edges|array", reader->m, reader->m);
  }
  return 1;
}

/* Returns how many numbers a line has, 5 for more than four, -1 after a failure. */
static int permi_fields(permi_reader *reader, const char *begin[5], const char *end[5])
{
  int count = 0;
  while (count < 5 && permi_next_field(reader, &begin[count], &end[count]))
    count++;
  return reader->status == PERM_OK ? count : -1;
}

static int permi_field_whole(const char *begin, const char *end, int64_t limit, int64_t *value)
{
  int integer;
  return permi_number_end(begin, end, &integer) == end && permi_integer_value(begin, end, value) && *value >= 0 &&
         *value <= limit;
}

typedef struct permi_indices {
  int64_t size[3];
  unsigned long long first;
  int64_t low[2], high[2];
  int columns;
  unsigned long long lines;
} permi_indices;

static void permi_indices_add(permi_indices *indices, const int64_t index[2])
{
  int k;
  for (k = 0; k < 2; k++) {
    if (!indices->lines || index[k] < indices->low[k])
      indices->low[k] = index[k];
    if (!indices->lines || index[k] > indices->high[k])
      indices->high[k] = index[k];
  }
  indices->lines++;
}

/* Indices count from 0 if one of them is 0, else from 1. (Where none is 0 and none is the last, either reading leaves
   an empty line, and the permanent is the same.) */
static int permi_indices_base(const permi_indices *indices)
{
  return !indices->lines || (indices->low[0] > 0 && indices->low[1] > 0);
}

static int permi_resembles_sizes(permi_reader *reader, int64_t rows, int64_t columns, permi_indices *indices,
                                 const char **begin)
{
  int64_t *size = indices->size, cells;
  const char *from[5], *to[5];
  const int count = permi_fields(reader, from, to);
  *begin = from[0];
  if (count != 3 || !permi_field_whole(from[0], to[0], rows, &size[0]) ||
      !permi_field_whole(from[1], to[1], columns, &size[1]))
    return 0;
  cells = size[0] && size[1] > INT64_MAX / size[0] ? INT64_MAX : size[0] * size[1];
  indices->first = reader->line;
  return permi_field_whole(from[2], to[2], cells, &size[2]);
}

/* Could the rest be "rows columns entries" and any number of entries? */
static int permi_resembles_coordinates(const permi_reader *reader, permi_indices *indices)
{
  const char *begin[5], *end[5];
  permi_reader look = *reader;
  int64_t index[2];
  int base;
  memset(indices, 0, sizeof *indices);
  look.result = NULL;
  /* permi_read_list refuses sizes that are too large */
  if (!permi_next_content(&look, 1) || !permi_resembles_sizes(&look, UINT32_MAX, UINT32_MAX, indices, begin))
    return 0;
  while (permi_next_content(&look, 1)) {
    const int columns = permi_fields(&look, begin, end);
    if (columns < 2 || columns > 4 || (indices->lines && columns != indices->columns) ||
        !permi_field_whole(begin[0], end[0], indices->size[0], &index[0]) ||
        !permi_field_whole(begin[1], end[1], indices->size[1], &index[1]))
      return 0;
    indices->columns = columns;
    permi_indices_add(indices, index);
  }
  base = permi_indices_base(indices);
  return !indices->lines || (indices->high[0] < indices->size[0] + base && indices->high[1] < indices->size[1] + base &&
                             (double)indices->lines <= (double)indices->size[0] * (double)indices->size[1]);
}

/* Returns what a file without a banner is, PERM_FORMAT_AUTO after a failure. Rows of three numbers that could be
   coordinates are a matrix only if there are at most three. */
static perm_format permi_recognise(permi_reader *reader)
{
  const unsigned long long line = reader->line;
  permi_indices indices;
  unsigned long long entries;
  int array;
  if (!permi_resembles_coordinates(reader, &indices))
    return PERM_FORMAT_ARRAY;
  entries = (unsigned long long)indices.size[2];
  array = !indices.lines || indices.columns == 3;
  reader->line = indices.first;
  if (entries != indices.lines) {
    if (array && (indices.lines <= 2 || !entries))
      return PERM_FORMAT_ARRAY;
    return (perm_format)permi_reader_fail(
        reader, "%llu entries of a %lld x %lld matrix announced, but %llu lines follow; complete the file%s", entries,
        (long long)indices.size[0], (long long)indices.size[1], indices.lines,
        array ? ", or say --format array for rows of numbers" : "");
  }
  if (array && indices.lines <= 2)
    return (perm_format)permi_reader_fail(reader, "a %llu x 3 matrix found, or %llu entries of a %lld x %lld matrix? "
                                          "Say which: --format array|coordinate", indices.lines + 1, entries,
                                          (long long)indices.size[0], (long long)indices.size[1]);
  reader->line = line;
  return indices.columns == 4 ? PERM_FORMAT_COORDINATE_COMPLEX : PERM_FORMAT_COORDINATE;
}

/* Adds an entry with unshifted indices. */
static int permi_read_item(permi_reader *reader, perm_format format, permi_indices *indices)
{
  static const char *const what[2] = {"row", "column"};
  const char *begin[5], *end[5];
  const int edges = format == PERM_FORMAT_EDGES, complex_format = format == PERM_FORMAT_COORDINATE_COMPLEX;
  int k, columns = permi_fields(reader, begin, end);
  int64_t index[2] = {0, 0}, limit;
  permi_entry entry = permi_entry_one(), part;
  if (columns < 0)
    return 0;
  if (complex_format ? columns != 4 : columns != 2 && columns != 3)
    return permi_reader_fail(reader, "%s%d number%s found, 'row column %s' was expected%s", columns > 4 ? "over " : "",
                             columns > 4 ? 4 : columns, columns == 1 ? "" : "s",
                             complex_format ? "real imaginary" : edges ? "[weight]" : "[value]",
                             columns == 4 && !edges ? "; complex values are --format coordinate-complex" : "");
  if (indices->lines && columns != indices->columns)
    return permi_reader_fail(reader, "%d numbers found, %d were expected as in the lines before", columns,
                             indices->columns);
  for (k = 0; k < 2; k++) {
    limit = !edges ? indices->size[k] : k ? INT_MAX - 1 : PERM_MATRIX_MAX_ROWS - 1;
    if (!permi_field_whole(begin[k], end[k], limit, &index[k]))
      return permi_reader_fail(reader, "%s %s found, a whole number from %s%lld was expected", what[k],
                               permi_quoted(begin[k], end[k]).text, edges ? "0 to " : "1 (or 0) to ", (long long)limit);
  }
  if (columns == 4) {
    reader->kind = PERM_KIND_INTEGER;
    if (!permi_plain_value(reader, begin[3], end[3], &part) || !permi_plain_value(reader, begin[2], end[2], &entry))
      return 0;
    if (reader->kind == PERM_KIND_COMPLEX)
      return permi_reader_fail(reader, "%s found, two real numbers were expected",
                               permi_quoted(begin[2], end[3]).text);
    entry.imaginary = part.real;
    reader->kind = PERM_KIND_COMPLEX;
  } else if (columns == 3) {
    reader->kind = indices->lines ? reader->kind : PERM_KIND_INTEGER;
    if (!permi_plain_value(reader, begin[2], end[2], &entry))
      return 0;
  }
  indices->columns = columns;
  permi_indices_add(indices, index);
  return permi_reader_push(reader, (uint64_t)index[0], (uint64_t)index[1], &entry);
}

/* Takes the sizes from the edges; refuses edges that do not tell what they count from. */
static int permi_edges_sizes(permi_reader *reader, permi_indices *indices)
{
  const int base = permi_indices_base(indices);
  if (!indices->lines)
    return permi_reader_fail(reader, "no edges found, lines 'row column [weight]' were expected");
  if (base && (indices->low[0] != 1 || indices->low[1] != 1))
    return permi_reader_fail(reader, "the smallest row is %lld and the smallest column %lld: counted from 0 or from 1? "
                             "Write 'rows columns entries' before them and say --format coordinate",
                             (long long)indices->low[0], (long long)indices->low[1]);
  indices->size[0] = indices->high[0] + !base;
  indices->size[1] = indices->high[1] + !base;
  return 1;
}

static int permi_read_list(permi_reader *reader, perm_format format, perm_format wanted)
{
  const int edges = format == PERM_FORMAT_EDGES;
  const char *begin = reader->line_end;
  permi_indices indices;
  uint64_t base;
  size_t k;
  memset(&indices, 0, sizeof indices);
  if (!edges) {
    if (!permi_next_content(reader, 1))
      return permi_reader_fail(reader, "no numbers found, 'rows columns entries' was expected");
    if (!permi_resembles_sizes(reader, PERM_MATRIX_MAX_ROWS, INT_MAX, &indices, &begin))
      return reader->status == PERM_OK &&
             permi_reader_fail(reader, "%s found, 'rows columns entries' was expected, up to %d, 2^31-1 and their "
                               "product", permi_quoted(begin, reader->line_end).text, PERM_MATRIX_MAX_ROWS);
  }
  reader->kind = format == PERM_FORMAT_COORDINATE_COMPLEX ? PERM_KIND_COMPLEX : PERM_KIND_PATTERN;
  while (permi_next_content(reader, 1))
    if (!permi_read_item(reader, format, &indices))
      return 0;
  if (edges && !permi_edges_sizes(reader, &indices))
    return 0;
  if (!edges && indices.lines != (unsigned long long)indices.size[2])
    return permi_reader_fail(reader, "the file ends after %llu entries, %lld were expected", indices.lines,
                             (long long)indices.size[2]);
  base = (uint64_t)permi_indices_base(&indices);
  for (k = 0; k < reader->entries.count && !permi_watch_step(reader->watch, k, 5); k++) {
    permi_entry *item = &reader->entries.entry[k];
    const unsigned long long row = (item->key >> 32) - base, column = (item->key & 0xffffffff) - base;
    item->key = permi_entry_key(row, column);
    if (row < (uint64_t)indices.size[0] && column < (uint64_t)indices.size[1])
      continue;
    reader->line = item->line;
    return permi_reader_fail(reader, "entry (%llu,%llu) of a %lld x %lld matrix found, whose indices count from 0 as "
                             "others are 0", row, column, (long long)indices.size[0], (long long)indices.size[1]);
  }
  reader->m = (int)indices.size[0];
  reader->n = (int)indices.size[1];
  snprintf(reader->note, sizeof reader->note, "%llu %s of a %d x %d matrix, counted from %d%s", indices.lines,
           edges ? "edges" : "entries", reader->m, reader->n, (int)base,
           wanted == PERM_FORMAT_AUTO && indices.columns == 3 ? "; --format array reads rows of numbers" : "");
  return 1;
}

/* Refuses what a program packed, by its first bytes. */
static int permi_refuse_packed(permi_reader *reader)
{
  static const struct {
    const char *bytes, *what, *how;
  } packed[] = {{"\x1f\x8b", "gzip", "zcat FILE"},
                {"BZh", "bzip2", "bzcat FILE"},
                {"\xfd" "7zXZ", "xz", "xzcat FILE"},
                {"\x28\xb5\x2f\xfd", "zstd", "zstdcat FILE"},
                {"PK\3\4", "zip (or .npz)", "unzip -p FILE NAME"}};
  size_t k, length;
  for (k = 0; k < sizeof packed / sizeof *packed; k++) {
    length = strlen(packed[k].bytes);
    if ((size_t)(reader->end - reader->position) >= length && !memcmp(reader->position, packed[k].bytes, length))
      return permi_reader_fail(reader, "a %s file found, text was expected: %s | perm -", packed[k].what,
                               packed[k].how);
  }
  return 1;
}

static int permi_read_text(permi_reader *reader, perm_format wanted)
{
  const size_t piece = (size_t)1 << 24, name_length = strlen(reader->name);
  size_t left;
  const char *begin, *end, *start = reader->position, *nul = NULL;
  perm_format format = wanted;
  if (!permi_refuse_packed(reader))
    return 0;
  for (begin = start; !nul && begin < reader->end && !permi_watch(reader->watch, (double)piece / 32); begin += left) {
    left = (size_t)(reader->end - begin) < piece ? (size_t)(reader->end - begin) : piece;
    nul = (const char *)memchr(begin, 0, left);
  }
  if (nul) {
    for (reader->line = 1, begin = start; begin < nul; begin++)
      reader->line += *begin == '\n';
    return permi_reader_fail(reader, "a zero byte found, text was expected");
  }
  if (reader->end - start >= 3 && !memcmp(start, "\xef\xbb\xbf", 3))
    start = reader->position += 3; /* UTF-8 mark of some Windows editors */
  if (permi_next_line(reader)) {
    permi_next_word(reader, &begin, &end);
    if (permi_same_word(begin, end, "%%matrixmarket"))
      return permi_read_market(reader, wanted);
    /* or a misspelt banner would be a comment, and the coordinates rows of numbers */
    if (end - begin >= 8 && permi_same_word(begin, begin + 8, "%%matrix"))
      return permi_reader_fail(reader, "%s found, %%%%MatrixMarket was expected", permi_quoted(begin, end).text);
  }
  reader->position = start;
  reader->line = 0;
  permi_skip_header(reader);
  if (wanted == PERM_FORMAT_AUTO) {
    format = permi_recognise(reader);
    if (format == PERM_FORMAT_AUTO)
      return 0;
    end = reader->name + name_length;
    if (format == PERM_FORMAT_ARRAY && name_length >= 4 && permi_same_word(end - 4, end, ".mtx"))
      return permi_reader_fail(reader, "no banner found in a file named .mtx, %%%%MatrixMarket was expected; or say "
                               "--format coordinate|coordinate-complex|array|edges");
  }
  return format == PERM_FORMAT_ARRAY ? permi_read_plain(reader, wanted) : permi_read_list(reader, format, wanted);
}

static int permi_reader_finish(permi_reader *reader, perm_matrix *matrix)
{
  permi_entries *list = &reader->entries;
  const permi_entry *second;
  int large;
  if (!permi_entries_sort(list, &reader->allocator, reader->watch))
    return permi_reader_no_memory(reader);
  second = permi_entries_duplicate(list, reader->watch);
  if (second) {
    reader->line = second->line;
    return permi_reader_fail(reader, "entry (%llu,%llu) found again, first given in line %llu, one was expected",
                             (second->key >> 32) + 1, (second->key & 0xffffffff) + 1, second[-1].line);
  }
  if (!permi_entries_compress(list, reader->m, reader->n, reader->kind, &reader->allocator, reader->watch, matrix))
    return permi_reader_no_memory(reader);
  large = reader->large && reader->kind == PERM_KIND_REAL;
  if (reader->result && (reader->note[0] || large)) {
    const int length = snprintf(reader->result->message, sizeof reader->result->message, "%s: read as %s%s",
                                permi_show_name(reader->name).text, reader->note, reader->note[0] && large ? "; " : "");
    if (large && (size_t)length < sizeof reader->result->message)
      snprintf(reader->result->message + length, sizeof reader->result->message - (size_t)length,
               "doubles, for line %llu has an integer beyond 64 bits (+-9.22e18)", reader->large);
  }
  return 1;
}

static perm_status permi_matrix_read_memory(const char *text, size_t bytes, const char *name, permi_control *watch,
                                            perm_matrix *matrix, perm_result *result)
{
  const char *point = localeconv()->decimal_point;
  const perm_format format = watch->options->format;
  permi_reader reader;
  const perm_status status = permi_matrix_begin(0, 0, matrix, 5, result);
  if (status != PERM_OK)
    return status;
  if (!text && bytes)
    return permi_fail(result, PERM_ERROR_NULL, 1, "text is NULL, %.0f bytes were expected", (double)bytes);
  if ((int)format < 0 || format >= PERM_FORMAT_COUNT)
    return permi_fail(result, PERM_ERROR_OPTION, 4, "format %d unknown, 0 to %d were expected", (int)format,
                      (int)PERM_FORMAT_COUNT - 1);
  memset(&reader, 0, sizeof reader);
  reader.name = name ? name : "memory";
  reader.position = text ? text : "";
  reader.end = reader.position + bytes;
  reader.allocator = watch->options->allocator;
  reader.watch = watch;
  reader.result = result;
  strcpy(reader.point, point && *point && strlen(point) < sizeof reader.point ? point : ".");
  if (permi_read_text(&reader, format))
    permi_reader_finish(&reader, matrix);
  permi_release(&reader.allocator, reader.entries.entry);
  if (watch->stopped != PERM_OK) {
    perm_matrix_free(matrix);
    permi_reader_no_memory(&reader);
  }
  if (result)
    result->seconds = permi_seconds() - watch->start;
  return reader.status;
}

PERM_SPARSE_API perm_status perm_matrix_read_memory(const char *text, size_t bytes, const char *name,
                                                    const perm_options *options_given, perm_matrix *matrix,
                                                    perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, (double)bytes);
  permi_control watch = permi_control_begin(options);
  watch.activity = "reading";
  return permi_meter_end(&call, permi_matrix_read_memory(text, bytes, name, &watch, matrix, result), result);
}

/* NULL: errno says why, or watch says stop. */
static FILE *permi_text_open(const char *path, permi_control *watch)
{
  FILE *file = strcmp(path, "-") ? NULL : stdin;
  while (!file) { /* a FIFO without writer waits here */
    errno = 0;
    file = fopen(path, "rb");
    if (file || errno != EINTR)
      break;
    watch->next_look = 0;
    if (permi_watch(watch, 0))
      break;
  }
  return file;
}

/* The caller releases *text. */
static perm_status permi_text_read(FILE *file, const char *name, const perm_allocator *allocator, permi_control *watch,
                                   void **text, size_t *bytes, perm_result *result)
{
  size_t capacity = 0, got, wanted;
  do {
    if (*bytes == capacity) {
      wanted = capacity ? 2 * capacity : 65536;
      if (!permi_grow_watched(allocator, watch, text, *bytes, wanted))
        return permi_fail(result, PERM_ERROR_MEMORY, 0, "%s: out of memory after %.0f bytes",
                          permi_show_name(name).text, (double)*bytes);
      capacity = wanted;
    }
    wanted = capacity - *bytes < 1 << 22 ? capacity - *bytes : 1 << 22;
    errno = 0;
    got = fread((char *)*text + *bytes, 1, wanted, file);
    if (ferror(file) && errno == EINTR) { /* a signal may cancel */
      clearerr(file);
      watch->next_look = 0;
    } else if (ferror(file)) {
      return permi_file_fail(result, name, "cannot read", errno);
    }
    *bytes += got;
    /* a zero byte will be refused: /dev/zero has no end */
  } while (!permi_watch(watch, 1 << 22) && !(got < wanted && feof(file)) &&
           !memchr((char *)*text + *bytes - got, 0, got));
  return PERM_OK;
}

static perm_status permi_matrix_read(const char *path, const perm_options *options, perm_matrix *matrix,
                                     perm_result *result)
{
  permi_control watch = permi_control_begin(options);
  void *text = NULL;
  size_t bytes = 0;
  const char *name = path;
  perm_status status = permi_matrix_begin(0, 0, matrix, 3, result);
  FILE *file;
  if (status != PERM_OK)
    return status;
  if (!path)
    return permi_fail(result, PERM_ERROR_NULL, 1, "path is NULL");
  watch.activity = "reading";
  file = permi_text_open(path, &watch);
  if (!file && watch.stopped == PERM_OK)
    return permi_file_fail(result, path, "cannot open", errno);
  if (file == stdin)
    name = "standard input";
  if (file)
    status = permi_text_read(file, name, &options->allocator, &watch, &text, &bytes, result);
  if (file && file != stdin)
    fclose(file);
  if (watch.stopped != PERM_OK)
    status = permi_reading_stopped(name, watch.stopped, result);
  else if (status == PERM_OK)
    status = permi_matrix_read_memory((const char *)text, bytes, name, &watch, matrix, result);
  permi_release(&options->allocator, text);
  return status;
}

PERM_SPARSE_API perm_status perm_matrix_read(const char *path, const perm_options *options_given, perm_matrix *matrix,
                                             perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, 0);
  return permi_meter_end(&call, permi_matrix_read(path, options, matrix, result), result);
}
