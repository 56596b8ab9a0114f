/* =========================================================================================== >>read
   Calls that read, and the table of formats. */
#pragma once
#include <errno.h>
#include <locale.h>
#include "graph.h"
#include "market.h"
#include "numpy.h"

/* Returns 1 for a misspelt banner, too: as a comment it would make rows of numbers of coordinates. */
static int permi_has_banner(const permi_reader *reader)
{
  permi_reader look = *reader;
  const char *begin, *end;
  return permi_next_line(&look) && permi_next_word(&look, &begin, &end) && end - begin >= 8 &&
         permi_same_word(begin, begin + 8, "%%matrix");
}

static int permi_read_unmarked(permi_reader *reader, perm_format wanted)
{
  const char *const name_end = reader->name + strlen(reader->name);
  perm_format format = wanted;
  permi_reader look = *reader;
  while (permi_next_line(&look)) {
    /* a banner in a comment would lose the symmetry: words such as MatrixMarket, or "matrix" before a format */
    int first = 1, matrix = 0, found = 0;
    const char *line, *begin, *end, *p;
    permi_skip_blanks(&look);
    line = look.cursor;
    if (line < look.line_end && strchr("+-.(0123456789", *line))
      break;
    while (look.cursor < look.line_end && (strchr("%#", *look.cursor) || permi_is_blank(*look.cursor)))
      look.cursor++;
    for (; permi_next_word(&look, &begin, &end); first = 0, matrix = permi_same_word(begin, end, "matrix")) {
      found |= matrix && (permi_same_word(begin, end, "coordinate") || permi_same_word(begin, end, "array"));
      for (p = begin; first && end - p >= 9 && permi_same_word(begin, begin + 3, "mat"); p++)
        found |= permi_same_word(p + 3, p + 9, "market");
    }
    reader->line = found ? look.line : reader->line;
    if (found)
      return permi_reader_fail(reader, "%s found, a banner is the first line and begins with %%%%MatrixMarket; if this "
                               "is none, take the line out", permi_quoted(line, look.line_end).text);
  }
  if (!permi_skip_header(reader))
    return 0;
  if (wanted == PERM_FORMAT_AUTO) {
    format = permi_recognise(reader);
    if (format == PERM_FORMAT_AUTO)
      return 0;
    if (format == PERM_FORMAT_ARRAY && name_end - reader->name >= 4 && permi_same_word(name_end - 4, name_end, ".mtx"))
      return permi_reader_fail(reader, "no banner found in a file named .mtx, %%%%MatrixMarket was expected; or say "
                               "--format coordinate|coordinate-complex|array|edges");
  }
  if (format == PERM_FORMAT_ARRAY)
    return permi_read_plain(reader, wanted);
  reader->taken = format == PERM_FORMAT_EDGES ? "edges" : "coordinates";
  return permi_read_list(reader, format, wanted);
}

/* The first format that recognises a file reads it; AUTO heeds options.format itself. */
static const struct {
  perm_format format;
  const char *taken;
  int binary; /* zero bytes are no error */
  int (*recognise)(const permi_reader *reader); /* NULL: whatever it is */
  int (*read)(permi_reader *reader, perm_format wanted);
} permi_formats[] = {{PERM_FORMAT_NUMPY, ".npy", 1, permi_is_numpy, permi_read_numpy},
                     {PERM_FORMAT_AUTO, "Matrix Market", 0, permi_has_banner, permi_read_market},
                     {PERM_FORMAT_GRAPH6, "graph6", 0, permi_is_graph6, permi_read_graph6},
                     {PERM_FORMAT_DIMACS, "DIMACS", 0, permi_is_dimacs, permi_read_dimacs},
                     {PERM_FORMAT_AUTO, "plain text", 0, NULL, permi_read_unmarked}};

/* Refuses zero bytes and UTF-16; passes UTF-8's mark. */
static int permi_begin_text(permi_reader *reader)
{
  const char *begin, *start = reader->position, *nul;
  const size_t bytes = (size_t)(reader->end - start);
  if (bytes > 1 && (!memcmp(start, "\xff\xfe", 2) || !memcmp(start, "\xfe\xff", 2)))
    return permi_reader_fail(reader, "UTF-16 text found, ASCII or UTF-8 was expected: iconv -f UTF-16 -t UTF-8 FILE | "
                             "perm -, or in PowerShell Out-File -Encoding ascii");
  nul = permi_watch(reader->watch, 524288) ? NULL : (const char *)memchr(start, 0, bytes);
  if (nul) {
    for (reader->line = 1, begin = start; begin < nul; begin++)
      reader->line += *begin == '\n';
    return permi_reader_fail(reader, "a zero byte found, text was expected; of UTF-16 try iconv -f UTF-16LE -t UTF-8 "
                             "FILE | perm -");
  }
  if (bytes >= 3 && !memcmp(start, "\xef\xbb\xbf", 3))
    reader->position += 3;
  return 1;
}

static int permi_read_bytes(permi_reader *reader, perm_format wanted)
{
  static const struct {
    const char *bytes, *what, *how;
  } packed[] = {{"\x1f\x8b", "gzip", "zcat FILE"},
                {"BZh", "bzip2", "bzcat FILE"},
                {"\xfd" "7zXZ", "xz", "xzcat FILE"},
                {"\x28\xb5\x2f\xfd", "zstd", "zstdcat FILE"},
                {"PK\3\4", "zip (or .npz)", "unzip -p FILE NAME"}};
  int k, begun = 0;
  for (size_t p = 0; p < sizeof packed / sizeof *packed; p++) {
    const size_t length = strlen(packed[p].bytes);
    if ((size_t)(reader->end - reader->position) >= length && !memcmp(reader->position, packed[p].bytes, length))
      return permi_reader_fail(reader, "a %s file found, text was expected: %s | perm -", packed[p].what,
                               packed[p].how);
  }
  for (k = 0;; k++) {
    const perm_format format = permi_formats[k].format;
    if (!permi_formats[k].binary && !begun++ && !permi_begin_text(reader))
      return 0;
    if (wanted != PERM_FORMAT_AUTO && format == wanted)
      break;
    if ((wanted == PERM_FORMAT_AUTO || format == PERM_FORMAT_AUTO) &&
        (!permi_formats[k].recognise || permi_formats[k].recognise(reader)))
      break;
  }
  reader->taken = permi_formats[k].taken;
  return permi_formats[k].read(reader, wanted);
}

static int permi_reader_finish(permi_reader *reader, perm_matrix *matrix)
{
  permi_entries *list = &reader->entries;
  const permi_entry *second;
  int again;
  char more[96] = "";
  if (!permi_entries_settle(list, reader->mirrored, &reader->allocator, reader->watch, &second, &again))
    return permi_reader_no_memory(reader);
  if (second) {
    const unsigned long long row = (second->key >> 32) + 1, column = (second->key & 0xffffffff) + 1;
    reader->line = second->line;
    if (!again)
      return permi_reader_fail(reader, "edge %llu %llu found with another weight than in the other direction", row,
                               column);
    return permi_reader_fail(reader, "entry (%llu,%llu) found again, first given in line %llu, one was expected%s", row,
                             column, second[-1].line, reader->again ? reader->again : "");
  }
  if (reader->fractions && !permi_fractions_scale(reader))
    return 0;
  if (!permi_entries_compress(list, reader->m, reader->n, reader->kind, &reader->allocator, reader->watch, matrix))
    return permi_reader_no_memory(reader);
  if (reader->large && reader->kind >= PERM_KIND_REAL)
    snprintf(more, sizeof more, "doubles, for %s %llu has an integer beyond 64 bits (+-9.22e18)",
             reader->binary ? "byte" : "line", reader->large);
  else if (reader->rounded && reader->kind >= PERM_KIND_REAL)
    snprintf(more, sizeof more, "doubles, which round the integer in line %llu", reader->rounded);
  else if (reader->fractions)
    snprintf(more, sizeof more, "fractions, %s least common denominator",
             reader->m > reader->n ? "each entry times their" : "each row times its");
  if (reader->result && (reader->note[0] || more[0]))
    permi_say(reader->result->message, sizeof reader->result->message, "%s: read as %s%s%s",
              permi_show_name(reader->name).text, reader->note, reader->note[0] && more[0] ? "; " : "", more);
  return 1;
}

/* `denominator` and `rest` are permi_reader's. `rest`: where to begin (NULL at first), then the next. */
static perm_status permi_matrix_read_memory(const char *text, size_t bytes, const char *name, permi_control *watch,
                                            perm_matrix *matrix, perm_integer *denominator, permi_rest *rest,
                                            perm_result *result)
{
  const int further = rest && rest->position;
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
  reader.denominator = denominator;
  reader.rest = rest;
  reader.position = further ? rest->position : reader.position;
  reader.line = further ? rest->before : 0;
  strcpy(reader.point, point && *point && strlen(point) < sizeof reader.point ? point : ".");
  if (further ? permi_read_graph6(&reader, PERM_FORMAT_GRAPH6) : permi_read_bytes(&reader, format))
    permi_reader_finish(&reader, matrix);
  permi_release(&reader.allocator, reader.entries.entry);
  if (watch->stopped != PERM_OK)
    permi_reader_no_memory(&reader);
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
  return permi_meter_end(&call, permi_matrix_read_memory(text, bytes, name, &watch, matrix, NULL, NULL, result),
                         result);
}

/* `each`, unless NULL, gets every matrix, for which *matrix and *denominator are room. */
static perm_status permi_matrix_read(const char *path, const perm_options *options, perm_matrix *matrix,
                                     perm_integer *denominator, perm_matrix_each each, void *user_data,
                                     perm_result *result)
{
  permi_control watch = permi_control_begin(options);
  permi_rest rest = {NULL, 0, 0};
  void *text = NULL;
  size_t bytes = 0, capacity = 0, got, ask;
  uint64_t wanted = 12; /* then permi_numpy_wanted */
  perm_status status = permi_matrix_begin(0, 0, matrix, 3, result);
  FILE *file = path && !strcmp(path, "-") ? stdin : NULL;
  const char *const name = file ? "standard input" : path;
  int more, many = 0, over = 0;
  if (status != PERM_OK)
    return status;
  if (!path)
    return permi_fail(result, PERM_ERROR_NULL, 1, "path is NULL");
  watch.activity = "reading";
  while (!file && !permi_watch(&watch, 0)) {
    errno = 0;
    file = fopen(path, "rb"); /* a FIFO without writer waits */
    if (!file && errno != EINTR)
      return permi_file_fail(result, path, "cannot open", errno);
    watch.next_look = 0;
  }
  while (file && status == PERM_OK && !over) {
    const size_t room = wanted < SIZE_MAX ? (size_t)wanted : 2 * capacity + 65536;
    if (options->max_bytes == 0 && (double)(wanted < UINT64_MAX ? wanted : bytes) > PERMI_DEFAULT_BYTES) {
      status = permi_fail(result, PERM_ERROR_LIMIT, 0, "%s: more than %s: max_bytes allows more",
                          permi_show_name(name).text, permi_size_words(PERMI_DEFAULT_BYTES).text);
      break;
    }
    if (bytes == capacity && !permi_enlarge(&options->allocator, &watch, &text, bytes, room, 1)) {
      status = permi_fail(result, PERM_ERROR_MEMORY, 0, "%s: out of memory after %.0f bytes",
                          permi_show_name(name).text, (double)bytes);
      break;
    }
    capacity = bytes == capacity ? room : capacity;
    ask = capacity - bytes < 1 << 22 ? capacity - bytes : 1 << 22;
    got = fread((char *)text + bytes, 1, ask, file);
    if (ferror(file) && errno == EINTR) {
      clearerr(file);
      watch.next_look = 0;
    } else if (ferror(file)) {
      status = permi_file_fail(result, name, "cannot read", errno);
      break;
    }
    bytes += got;
    wanted = bytes == wanted ? permi_numpy_wanted((const char *)text, bytes, options->format) : wanted;
    /* text with a zero byte is refused whatever follows */
    over = permi_watch(&watch, 1 << 22) || (got < ask && feof(file)) || bytes == wanted ||
           (wanted == UINT64_MAX && memchr((char *)text + bytes - got, 0, got));
  }
  if (file && file != stdin)
    fclose(file);
  if (watch.stopped != PERM_OK)
    status = permi_reading_stopped(name, watch.stopped, result);
  for (more = status == PERM_OK; more;) {
    status = permi_matrix_read_memory((const char *)text, bytes, name, &watch, matrix, denominator,
                                      each ? &rest : NULL, result);
    if (!each || status != PERM_OK)
      break;
    many |= rest.position != NULL;
    more = !each(matrix, denominator, many ? rest.line : 0, user_data) && rest.position;
    watch = permi_control_begin(options);
    watch.activity = "reading";
  }
  permi_release(&options->allocator, text);
  return status;
}

PERM_SPARSE_API perm_status perm_matrix_read(const char *path, const perm_options *options, perm_matrix *matrix,
                                             perm_integer *denominator, perm_result *result)
{
  permi_metered call;
  const perm_options *given = permi_meter_begin(&call, options, 0);
  if (denominator)
    *denominator = permi_integer_of(1);
  return permi_meter_end(&call, permi_matrix_read(path, given, matrix, denominator, NULL, NULL, result), result);
}

PERM_SPARSE_API perm_status perm_matrix_read_each(const char *path, const perm_options *options,
                                                  perm_matrix_each each, void *user_data, perm_result *result)
{
  perm_integer denominator = permi_integer_of(1);
  permi_metered call;
  perm_matrix matrix;
  if (!each)
    return permi_fail(result, PERM_ERROR_NULL, 3, "each is NULL");
  const perm_options *given = permi_meter_begin(&call, options, 0);
  return permi_meter_end(&call, permi_matrix_read(path, given, &matrix, &denominator, each, user_data, result), result);
}
/* SPDX-License-Identifier: MIT */
