/* ===================================================================================== >>plain_text
   Files that no word marks: rows of numbers, coordinates, edges. Fractions. */
#pragma once
#include "../base/integers.h"
#include "market.h"

/* Returns 0 at the end of the line, or on failure. Where ';' separates, blanks do not: elsewhere "1 2; 3 4" is two
   rows. Without a separator each digit is a number. */
static int permi_next_field(permi_reader *reader, const char **begin, const char **end)
{
  const char mark = reader->separator;
  if (!mark) {
    permi_skip_blanks(reader);
    *begin = reader->cursor;
    *end = reader->cursor += reader->cursor < reader->line_end;
    return *begin < *end;
  }
  if (!permi_next_until(reader, mark, begin, end))
    return *begin != reader->line_end && permi_reader_fail(reader, "'%c' found, a number was expected before it", mark);
  if (reader->cursor + 1 < reader->line_end && *reader->cursor == mark && !permi_is_blank(reader->cursor[1]))
    reader->tight = reader->line;
  permi_skip_blanks(reader);
  if (reader->cursor < reader->line_end && *reader->cursor != mark)
    reader->loose = reader->line;
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

/* Multiplies rows by their least common denominators, reader->denominator by all; with more rows than columns, where
   products lack rows, every entry by the denominator of all. */
static int permi_fractions_scale(permi_reader *reader)
{
  const int tall = reader->m > reader->n;
  permi_entries *list = &reader->entries;
  perm_integer multiple, product;
  if (reader->kind != PERM_KIND_INTEGER) {
    reader->line = reader->fractions;
    return permi_reader_fail(reader, "a fraction found in a matrix that has other numbers than integers too; write all "
                             "others as fractions a/b");
  }
  for (size_t k = 0, end; k < list->count && !permi_watch_step(reader->watch, k, 50); k = end) {
    uint64_t common = 1;
    for (end = k; end < list->count && !permi_watch_step(reader->watch, end, 50) &&
                  (tall || list->entry[end].key >> 32 == list->entry[k].key >> 32); end++) {
      const uint64_t below = list->entry[end].imaginary > 0 ? (uint64_t)list->entry[end].imaginary : 1;
      const uint64_t factor = below / permi_greatest_divisor(common, below);
      reader->line = list->entry[end].line;
      if (common > (uint64_t)INT64_MAX / factor)
        return permi_reader_fail(reader, "the least common denominator of row %llu is over 2^63: multiply the row by "
                                 "fewer factors, or write decimals, for doubles", (list->entry[k].key >> 32) + 1);
      common *= factor;
    }
    for (size_t next = k; next < end; next++) {
      permi_entry *entry = &list->entry[next];
      const int64_t factor = (int64_t)(common / (entry->imaginary > 0 ? (uint64_t)entry->imaginary : 1));
      reader->line = entry->line;
      if (entry->integer > INT64_MAX / factor || entry->integer < -(INT64_MAX / factor))
        return permi_reader_fail(reader, "row %llu over its common denominator has integers beyond 64 bits: write "
                                 "decimals, for doubles", (entry->key >> 32) + 1);
      entry->integer *= factor;
      entry->real = (double)entry->integer;
      entry->imaginary = 0;
    }
    multiple = permi_integer_of((int64_t)common);
    for (int factors = tall && common > 1 ? reader->n : 1; factors > 0; factors--) {
      if (!permi_integer_multiply(reader->denominator, &multiple, &product))
        return permi_reader_fail(reader, "the product of all rows' common denominators is over %d bits: write "
                                 "decimals, for doubles", 64 * PERM_INTEGER_WORDS);
      *reader->denominator = product;
    }
  }
  return 1;
}

static int permi_plain_value(permi_reader *reader, const char *begin, const char *end, permi_entry *entry)
{
  int integer;
  const char *const whole_begin = begin, *const whole_end = end, *middle;
  int64_t below = 0;
  if (end - begin > 3 && *begin == '(' && end[-1] == ')' && (end[-2] == 'j' || end[-2] == 'i')) {
    begin++; /* Python prints brackets */
    end--;
  }
  middle = permi_number_end(begin, end, &integer);
  entry->real = entry->imaginary = 0;
  entry->integer = 0;
  if (middle == end) {
    if (permi_integer_value(begin, end, &entry->integer)) {
      entry->real = (double)entry->integer; /* to nearest, as strtod */
      permi_note_integer(reader, begin, end, entry->real);
      return 1;
    }
    if (reader->kind == PERM_KIND_INTEGER)
      reader->kind = PERM_KIND_REAL;
    return permi_double_value(reader, begin, end, &entry->real);
  }
  if ((end[-1] == 'i' || end[-1] == 'j') && end - begin < PERMI_WORD_MOST) {
    const char *last = end - 1, *from = middle == last ? begin : middle;
    const int sign = from < last && (*from == '+' || *from == '-'), bare = from + sign == last;
    if ((from == begin || sign) && (bare || permi_number_end(from, last, &integer) == last)) {
      reader->kind = PERM_KIND_COMPLEX;
      entry->imaginary = sign && *from == '-' ? -1 : 1;
      return (from == begin || permi_double_value(reader, begin, from, &entry->real)) &&
             (bare || permi_double_value(reader, from, last, &entry->imaginary));
    }
  }
  if (reader->denominator && integer && middle > begin && *middle == '/') {
    /* integer and, in imaginary, the denominator, in lowest terms */
    if (permi_digits_end(middle + 1, end) != end || middle + 1 == end)
      return permi_reader_fail(reader, "%s found, a fraction such as 1/2 or -22/7 was expected",
                               permi_quoted(begin, end).text);
    if (!permi_integer_value(begin, middle, &entry->integer) || !permi_integer_value(middle + 1, end, &below) ||
        below < 1 || below > (int64_t)1 << 53)
      return permi_reader_fail(reader, "%s found, a fraction with a numerator of 64 bits and a denominator from 1 to "
                               "2^53 was expected", permi_quoted(begin, end).text);
    const uint64_t magnitude = entry->integer < 0 ? 0 - (uint64_t)entry->integer : (uint64_t)entry->integer;
    const int64_t divisor = (int64_t)permi_greatest_divisor(magnitude, (uint64_t)below);
    entry->integer /= divisor;
    entry->real = (double)entry->integer;
    entry->imaginary = (double)(below / divisor);
    reader->fractions = reader->fractions ? reader->fractions : reader->line;
    return 1;
  }
  return permi_reader_fail(reader, "%s found, a number such as 1, -2.5e3, 1+2i or (1+2j) was expected%s",
      permi_quoted(whole_begin, whole_end).text,
      middle > begin && *middle == '/'
          ? "; of fractions: multiply a row by its denominators' least common multiple, then divide the permanent by it"
      : memchr(begin, ',', (size_t)(end - begin)) ? ", with a point before decimals" : "");
}

/* A name stands between separators, else tabs, else blanks; quotes protect. Returns 0 for no more. */
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
  if (mark == ' ') /* several separate once */
    while (look->cursor < look->line_end && *look->cursor == ' ')
      look->cursor++;
  return mark != ' ' || *begin < *end;
}

static char permi_line_mark(const permi_reader *reader, const char *begin)
{
  const size_t length = (size_t)(reader->line_end - begin);
  return memchr(begin, reader->separator, length) ? reader->separator : memchr(begin, '\t', length) ? '\t' : ' ';
}

/* Returns 1 for what begins with a letter, '_' or '"', and is no missing value. */
static int permi_is_name(const char *begin, const char *end)
{
  static const char *const missing[] = {"nan", "inf", "infinity", "na", "n/a", "null", "none"};
  const char letter = begin < end ? *begin : ' ';
  for (size_t k = 0; k < sizeof missing / sizeof *missing; k++)
    if (permi_same_word(begin, end, missing[k]))
      return 0;
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' || letter == '"';
}

#define PERMI_ROW_NAMES                                                                                  \
  "; if column 1 names the rows, write the table without it: index=False (pandas), row.names=FALSE (R)"

static int permi_refuse_row_name(permi_reader *reader, const char *begin, const char *end)
{
  return permi_reader_fail(reader, "%s found, a number was expected%s" PERMI_ROW_NAMES,
                           permi_quoted(begin, begin < end ? end : end + 1).text, begin < end ? "" : " before it");
}

/* Passes a line such as a,"b c",d2 or i,j. Returns 0 on failure. */
static int permi_skip_header(permi_reader *reader)
{
  permi_reader look = *reader, below;
  const char *begin, *end, *first;
  int names = 0, units = 1; /* nothing but i and j */
  reader->separator = look.separator = ',';
  if (!permi_next_content(&look, 1))
    return 1;
  first = look.cursor;
  while (look.line_end > first && permi_is_blank(look.line_end[-1]))
    look.line_end--;
  if (memchr(first, ';', (size_t)(look.line_end - first)))
    reader->separator = look.separator = ';';
  char mark = permi_line_mark(&look, first);
  while (permi_next_name(&look, mark, &begin, &end)) {
    if (!names && (begin == end || permi_same_word(begin, end, "\"\""))) {
      reader->line = look.line;
      return permi_refuse_row_name(reader, begin, end);
    }
    if (!permi_is_name(begin, end) || names == INT_MAX)
      return 1;
    names++;
    units = units && end == begin + 1 && (*begin == 'i' || *begin == 'j');
  }
  below = look;
  if (!permi_next_content(&below, 1))
    return 1;
  if (units) {
    reader->line = look.line;
    return permi_reader_fail(reader, "%s found: names of columns or imaginary units? Write 1i for the number, or leave "
                             "the line out", permi_quoted(first, look.line_end).text);
  }
  reader->names = names;
  reader->position = look.position;
  reader->line = look.line;
  snprintf(reader->note, sizeof reader->note, "rows below the header %.40s", permi_quoted(first, look.line_end).text);
  return 1;
}

/* Returns 1 for rows of 0 and 1 without blanks, of two digits at least. Notes doubts. */
static int permi_are_digits(permi_reader *reader)
{
  permi_reader look = *reader;
  const char *begin, *end, *p;
  int lines = 0, zero = 0, same = 1, bits = 1;
  ptrdiff_t length = 0;
  while (permi_next_content(&look, 1)) {
    permi_next_word(&look, &begin, &end);
    permi_skip_blanks(&look);
    if (look.cursor < look.line_end || permi_digits_end(begin, end) != end || lines++ == PERM_MATRIX_MAX_ROWS)
      return 0;
    length = lines > 1 ? length : end - begin;
    same = same && end - begin == length && length > 1;
    zero |= *begin == '0' && end - begin > 1;
    for (p = begin; p < end; p++)
      bits &= *p <= '1';
  }
  reader->separator = lines > 1 && same && bits ? 0 : reader->separator;
  if (zero || (same && lines > 1))
    snprintf(reader->note, sizeof reader->note, "%s", reader->separator ?
             "one number a line; if each digit is an entry, put blanks between: sed 's/./& /g' FILE | perm -" :
             "rows of 0 and 1 without blanks; --format array takes each line as one number");
  return !reader->separator;
}

static int permi_read_plain(permi_reader *reader, perm_format wanted)
{
  unsigned long long first_line = 0;
  permi_shown first = {""};
  int from_0 = 1, from_1 = 1, counted; /* the first line counts the columns of n others */
  permi_entries *list = &reader->entries;
  permi_entry entry;
  size_t k, kept = 0;
  reader->kind = PERM_KIND_INTEGER;
  if (wanted == PERM_FORMAT_AUTO && !reader->names && permi_are_digits(reader))
    wanted = PERM_FORMAT_ARRAY;
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
      if (!permi_plain_value(reader, begin, end, &entry)) {
        permi_reader look = *reader;
        look.cursor = begin;
        permi_next_name(&look, permi_line_mark(&look, begin), &begin, &end);
        permi_skip_blanks(&look);
        return !columns && permi_is_name(begin, end) && look.cursor < look.line_end &&
               strchr("+-.0123456789", *look.cursor) && permi_refuse_row_name(reader, begin, end);
      }
      if (!reader->m) {
        const int digits = permi_digits_end(begin, end) == end;
        first = columns ? first : permi_quoted(begin, reader->line_end);
        from_0 = from_0 && digits && entry.real == columns;
        from_1 = from_1 && digits && entry.real == columns + 1.0;
      }
      if ((entry.real != 0 || entry.imaginary != 0) &&
          !permi_reader_push(reader, (uint64_t)reader->m, (uint64_t)columns, &entry))
        return 0;
      columns++;
    }
    if (reader->status != PERM_OK)
      return 0;
    if (reader->tight == reader->line && reader->loose == reader->line)
      return permi_reader_fail(reader, "numbers with a comma and no blank between them and numbers with blanks alone "
                               "found: are these decimals? They need a point (1.5); or one separator throughout");
    if (!reader->m) {
      if (reader->names && columns != reader->names)
        return permi_reader_fail(reader, "%d numbers found, %d were expected as names in the line before%s", columns,
                                 reader->names, columns - 1 == reader->names ? PERMI_ROW_NAMES : "");
      reader->n = columns;
      first_line = reader->line;
    }
    if (columns != reader->n)
      return permi_reader_fail(reader, "%d numbers found, %d were expected as in line %llu%s", columns, reader->n,
                               first_line, reader->m == 1 && columns - 1 == reader->n ? PERMI_ROW_NAMES : "");
    reader->m++;
  }
  if (!reader->m)
    return permi_reader_fail(reader, "no numbers found, a matrix was expected");
  counted = (from_0 || from_1) && reader->n > 1 && reader->m - 1 == reader->n && !reader->names && reader->separator;
  if (wanted == PERM_FORMAT_AUTO && reader->n == 2 && reader->m > 2 && reader->kind == PERM_KIND_INTEGER &&
      !reader->fractions) {
    reader->line = first_line;
    return permi_reader_fail(reader, "%d rows of two integers found: edges of a graph, or a %d x 2 matrix? Say which: "
                             "--format edges|array%s", reader->m, reader->m,
                             counted ? "; if the first is a header, leave it out" : "");
  }
  if (counted && wanted != PERM_FORMAT_AUTO) {
    snprintf(reader->note, sizeof reader->note, "rows, the first of them %.40s, which may be a header", first.text);
  } else if (counted) { /* a column alone keeps it: below 0 its permanent is the same */
    for (k = 0; k < list->count && !permi_watch_step(reader->watch, k, 5); k++)
      if (list->entry[k].key >> 32) {
        list->entry[kept] = list->entry[k];
        list->entry[kept++].key -= (uint64_t)1 << 32;
      }
    list->count = kept;
    reader->m--;
    snprintf(reader->note, sizeof reader->note, "rows below the header %.40s; --format array makes it a row too",
             first.text);
  }
  for (k = 0; reader->m == reader->n / 2.0 && reader->kind == PERM_KIND_REAL && wanted == PERM_FORMAT_AUTO &&
              !reader->note[0] && k < list->count && !permi_watch_step(reader->watch, k, 5); k++)
    if (list->entry[k].real < 0)
      snprintf(reader->note, sizeof reader->note, "%d x %d real numbers; complex ones are words such as 0.5-1.25i, not "
               "pairs", reader->m, reader->n);
  return 1;
}

/* Returns a line's numbers, up to 5, or -1 on failure. */
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
  int64_t size[3], low[2], high[2];
  int columns, loops;
  unsigned long long first, lines;
} permi_indices;

static void permi_indices_add(permi_indices *indices, const int64_t index[2])
{
  for (int k = 0; k < 2; k++) {
    if (!indices->lines || index[k] < indices->low[k])
      indices->low[k] = index[k];
    if (!indices->lines || index[k] > indices->high[k])
      indices->high[k] = index[k];
  }
  indices->loops += index[0] == index[1];
  indices->lines++;
}

/* Returns 0 if an index is 0, else 1. (With neither 0 nor the last, either leaves an empty line.) */
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

/* Returns AUTO after a failure, coordinates if a file may be "rows columns entries" and entries. Up to three rows of
   three numbers that could be both are a matrix. */
static perm_format permi_recognise(permi_reader *reader)
{
  const char *begin[5], *end[5];
  permi_indices indices;
  permi_reader look = *reader;
  int64_t index[2];
  memset(&indices, 0, sizeof indices);
  look.result = NULL;
  /* permi_read_list refuses large sizes */
  if (!permi_next_content(&look, 1) || !permi_resembles_sizes(&look, UINT32_MAX, UINT32_MAX, &indices, begin))
    return PERM_FORMAT_ARRAY;
  while (permi_next_content(&look, 1)) {
    const int columns = permi_fields(&look, begin, end);
    if (columns < 2 || columns > 4 || (indices.lines && columns != indices.columns) ||
        !permi_field_whole(begin[0], end[0], indices.size[0], &index[0]) ||
        !permi_field_whole(begin[1], end[1], indices.size[1], &index[1]))
      return PERM_FORMAT_ARRAY;
    indices.columns = columns;
    permi_indices_add(&indices, index);
  }
  const int base = permi_indices_base(&indices);
  if (indices.lines && (indices.high[0] >= indices.size[0] + base || indices.high[1] >= indices.size[1] + base ||
                        (double)indices.lines > (double)indices.size[0] * (double)indices.size[1]))
    return PERM_FORMAT_ARRAY;
  unsigned long long entries = (unsigned long long)indices.size[2];
  const int array = !indices.lines || indices.columns == 3;
  if (entries != indices.lines && array && (indices.lines <= 2 || !entries))
    return PERM_FORMAT_ARRAY;
  if (entries == indices.lines && (!array || indices.lines > 2))
    return indices.columns == 4 ? PERM_FORMAT_COORDINATE_COMPLEX : PERM_FORMAT_COORDINATE;
  reader->line = indices.first;
  if (entries == indices.lines)
    permi_reader_fail(reader, "a %llu x 3 matrix found, or %llu entries of a %lld x %lld matrix? Say which: --format "
                      "array|coordinate", indices.lines + 1, entries, (long long)indices.size[0],
                      (long long)indices.size[1]);
  else
    permi_reader_fail(reader, "%llu entries of a %lld x %lld matrix announced, but %llu lines follow; complete the "
                      "file%s", entries, (long long)indices.size[0], (long long)indices.size[1], indices.lines,
                      array ? ", or say --format array for rows of numbers" : "");
  return PERM_FORMAT_AUTO;
}

static int permi_read_list(permi_reader *reader, perm_format format, perm_format wanted)
{
  const int edges = format == PERM_FORMAT_EDGES, complex_format = format == PERM_FORMAT_COORDINATE_COMPLEX;
  const char *begin = reader->line_end, *from[5], *to[5];
  permi_indices indices;
  memset(&indices, 0, sizeof indices);
  if (!edges) {
    if (!permi_next_content(reader, 1))
      return permi_reader_fail(reader, "no numbers found, 'rows columns entries' was expected");
    if (!permi_resembles_sizes(reader, PERM_MATRIX_MAX_ROWS, INT_MAX, &indices, &begin))
      return reader->status == PERM_OK &&
             permi_reader_fail(reader, "%s found, 'rows columns entries' was expected, up to %d, 2^31-1 and their "
                               "product", permi_quoted(begin, reader->line_end).text, PERM_MATRIX_MAX_ROWS);
  }
  reader->kind = complex_format ? PERM_KIND_COMPLEX : PERM_KIND_PATTERN;
  while (permi_next_content(reader, 1)) {
    int64_t index[2] = {0, 0}, limit;
    permi_entry entry = permi_entry_one(), part;
    const int columns = permi_fields(reader, from, to);
    if (columns < 0)
      return 0;
    if (complex_format ? columns != 4 : columns != 2 && columns != 3)
      return permi_reader_fail(reader, "%s%d number%s found, 'row column %s' was expected%s",
                               columns > 4 ? "over " : "", columns > 4 ? 4 : columns, columns == 1 ? "" : "s",
                               complex_format ? "real imaginary" : edges ? "[weight]" : "[value]",
                               columns == 4 && !edges ? "; complex values are --format coordinate-complex" : "");
    if (indices.lines && columns != indices.columns)
      return permi_reader_fail(reader, "%d numbers found, %d were expected as in the lines before", columns,
                               indices.columns);
    for (size_t k = 0; k < 2; k++) {
      limit = !edges ? indices.size[k] : k ? INT_MAX - 1 : PERM_MATRIX_MAX_ROWS - 1;
      if (!permi_field_whole(from[k], to[k], limit, &index[k]))
        return permi_reader_fail(reader, "%s %s found, a whole number from %s%lld was expected", k ? "column" : "row",
                                 permi_quoted(from[k], to[k]).text, edges ? "0 to " : "1 (or 0) to ", (long long)limit);
    }
    if (columns > 2)
      reader->kind = indices.lines && columns == 3 ? reader->kind : PERM_KIND_INTEGER;
    if ((columns == 4 && !permi_plain_value(reader, from[3], to[3], &part)) ||
        (columns > 2 && !permi_plain_value(reader, from[2], to[2], &entry)))
      return 0;
    if (columns == 4) {
      if (reader->kind == PERM_KIND_COMPLEX)
        return permi_reader_fail(reader, "%s found, two real numbers were expected", permi_quoted(from[2], to[3]).text);
      entry.imaginary = part.real;
      reader->kind = PERM_KIND_COMPLEX;
    }
    indices.columns = columns;
    permi_indices_add(&indices, index);
    if (!permi_reader_push(reader, (uint64_t)index[0], (uint64_t)index[1], &entry)) /* unshifted */
      return 0;
  }
  const uint64_t base = (uint64_t)permi_indices_base(&indices);
  const int apart = indices.high[0] < indices.low[1] || indices.high[1] < indices.low[0];
  const int one_graph = edges && !indices.loops && !apart;
  for (size_t k = 0; k < 2 && edges; k++)
    indices.size[k] = indices.high[k] + !base;
  if (edges && !indices.lines)
    return permi_reader_fail(reader, "no edges found, lines 'row column [weight]' were expected");
  if (edges && base && (indices.low[0] != 1 || indices.low[1] != 1))
    return permi_reader_fail(reader, "the smallest row is %lld and the smallest column %lld: counted from 0 or from 1? "
                             "Write 'rows columns entries' before them and say --format coordinate%s",
                             (long long)indices.low[0], (long long)indices.low[1],
                             one_graph ? "; of one graph take perm.matchings in Python" : "");
  if (!edges && indices.lines != (unsigned long long)indices.size[2])
    return permi_reader_fail(reader, "the file ends after %llu entries, %lld were expected", indices.lines,
                             (long long)indices.size[2]);
  for (size_t k = 0; k < reader->entries.count && !permi_watch_step(reader->watch, k, 5); k++) {
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
           one_graph ? "; row i and column i are two vertices; of one graph take perm.matchings in Python"
           : wanted == PERM_FORMAT_AUTO && indices.columns == 3 ? "; --format array reads rows of numbers" : "");
  return 1;
}
/* SPDX-License-Identifier: MIT */
