/* ========================================================================================== >>numpy
   .npy files of NumPy, versions 1 to 3: "\x93NUMPY", two bytes of version, the length of a header, the header (a
   dictionary with descr, fortran_order, shape), the items. Two axes. */
#pragma once
#include "market.h"

#define PERMI_NUMPY_MAGIC "\x93NUMPY"
#define PERMI_NUMPY_MOST 1048576 /* of a header */

typedef struct permi_numpy {
  char code, order; /* of "<f8": f and < */
  unsigned size;    /* of an item */
  int fortran, axes, given; /* fortran: by columns; given: bits of keys */
  uint64_t shape[2], bytes; /* of all items */
} permi_numpy;

static int permi_numpy_begins(const char *text, size_t bytes)
{
  return bytes >= 6 && !memcmp(text, PERMI_NUMPY_MAGIC, 6);
}

static int permi_is_numpy(const permi_reader *reader)
{
  return permi_numpy_begins(reader->position, (size_t)(reader->end - reader->position));
}

static uint64_t permi_numpy_bits(const char *at, unsigned size, char order)
{
  uint64_t bits = 0;
  for (unsigned k = 0; k < size; k++)
    bits = bits << 8 | (unsigned char)at[order == '>' ? k : size - 1 - k];
  return bits;
}

/* Returns the bytes before the items, as the first 12 say, or 0. */
static size_t permi_numpy_head(const char *text, size_t bytes)
{
  const unsigned wide = bytes >= 12 && text[6] != 1 ? 4 : 2;
  if (bytes < 12 || !permi_numpy_begins(text, bytes) || text[6] < 1 || text[6] > 3)
    return 0;
  const uint64_t length = permi_numpy_bits(text + 8, wide, '<');
  return length <= PERMI_NUMPY_MOST ? (size_t)length + 8 + wide : 0;
}

static int permi_numpy_next(permi_reader *reader)
{
  while (reader->cursor < reader->line_end && (permi_is_blank(*reader->cursor) || *reader->cursor == '\n'))
    reader->cursor++;
  return reader->cursor < reader->line_end ? (unsigned char)*reader->cursor : 0;
}

static int permi_numpy_expect(permi_reader *reader, char mark)
{
  if (permi_numpy_next(reader) != mark)
    return permi_reader_fail(reader, "%s found in the header, '%c' was expected",
                             permi_quoted(reader->cursor, reader->line_end).text, mark);
  reader->cursor++;
  return 1;
}

static int permi_numpy_string(permi_reader *reader, const char **begin, const char **end)
{
  const int quote = permi_numpy_next(reader);
  if (quote != '\'' && quote != '"')
    return permi_reader_fail(reader, "%s found in the header, a name in quotes was expected",
                             permi_quoted(reader->cursor, reader->line_end).text);
  *begin = ++reader->cursor;
  while (reader->cursor < reader->line_end && *reader->cursor != quote)
    reader->cursor++;
  *end = reader->cursor;
  return permi_numpy_expect(reader, (char)quote);
}

static int permi_numpy_header(permi_reader *reader, permi_numpy *array)
{
  static const char *const keys[3] = {"descr", "fortran_order", "shape"};
  static const char *const types[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"};
  const char *begin, *end;
  int k;
  memset(array, 0, sizeof *array);
  if (!permi_numpy_expect(reader, '{'))
    return 0;
  while (permi_numpy_next(reader) != '}') {
    if (!permi_numpy_string(reader, &begin, &end))
      return 0;
    for (k = 0; k < 3 && !permi_same_word(begin, end, keys[k]);)
      k++;
    if (k == 3 || array->given >> k & 1)
      return permi_reader_fail(reader, "key %s found in the header, descr, fortran_order and shape were expected, once",
                               permi_quoted(begin, end).text);
    array->given |= 1 << k;
    if (!permi_numpy_expect(reader, ':') || (k == 0 && !permi_numpy_string(reader, &begin, &end)) ||
        (k == 2 && !permi_numpy_expect(reader, '(')))
      return 0;
    if (k == 0) {
      array->order = begin < end ? *begin : ' ';
      array->code = end - begin > 1 ? begin[1] : ' ';
      for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (end - begin == 1 + (ptrdiff_t)strlen(types[t]) && !memcmp(begin + 1, types[t], strlen(types[t])))
          array->size = types[t][2] ? 16 : (unsigned)(types[t][1] - '0');
      if (!array->size || !memchr("<>|", array->order, array->size == 1 ? 3 : 2))
        return permi_reader_fail(reader, "items of type %s found, b1, i1 to i8, u1 to u8, f4, f8, c8 or c16 were "
                                 "expected: save a.astype(float)", permi_quoted(begin, end).text);
    }
    if (k == 1) {
      permi_numpy_next(reader);
      begin = reader->cursor;
      while (reader->cursor < reader->line_end && *reader->cursor >= 'A' && *reader->cursor <= 'z')
        reader->cursor++;
      array->fortran = reader->cursor - begin == 4 && !memcmp(begin, "True", 4);
      if (!array->fortran && !(reader->cursor - begin == 5 && !memcmp(begin, "False", 5)))
        return permi_reader_fail(reader, "%s found for fortran_order, True or False was expected",
                                 permi_quoted(begin, reader->line_end).text);
    }
    while (k == 2 && permi_numpy_next(reader) != ')') {
      uint64_t size = 0;
      begin = reader->cursor;
      for (; reader->cursor < reader->line_end && permi_is_digit(*reader->cursor); reader->cursor++)
        size = size < UINT64_MAX / 16 ? 10 * size + (uint64_t)(*reader->cursor - '0') : size;
      if (reader->cursor == begin)
        return permi_reader_fail(reader, "%s found in the shape, a whole number was expected",
                                 permi_quoted(begin, reader->line_end).text);
      if (reader->cursor < reader->line_end && *reader->cursor == 'L') /* as Python 2 wrote */
        reader->cursor++;
      if (array->axes < 2)
        array->shape[array->axes] = size;
      array->axes += array->axes < 4;
      if (permi_numpy_next(reader) != ')' && !permi_numpy_expect(reader, ','))
        return 0;
    }
    if ((k == 2 && !permi_numpy_expect(reader, ')')) ||
        (permi_numpy_next(reader) != '}' && !permi_numpy_expect(reader, ',')))
      return 0;
  }
  for (k = 0; k < 3; k++)
    if (!(array->given >> k & 1))
      return permi_reader_fail(reader, "no %s in the header, descr, fortran_order and shape were expected", keys[k]);
  if (array->axes != 2)
    return permi_reader_fail(reader, "an array of %s found, two axes were expected: save %s",
                             array->axes == 0 ? "no axis" : array->axes == 1 ? "one axis" : "more than two axes",
                             array->axes == 3 ? "one matrix of it, a[0]" : "a.reshape(rows, columns)");
  if (array->shape[0] > PERM_MATRIX_MAX_ROWS || array->shape[1] > INT_MAX)
    return permi_reader_fail(reader, "shape (%llu, %llu) found, up to (%d, 2^31-1) was expected",
                             (unsigned long long)array->shape[0], (unsigned long long)array->shape[1],
                             PERM_MATRIX_MAX_ROWS);
  return 1;
}

static int permi_numpy_float(permi_reader *reader, char order, unsigned size, unsigned at, double *value)
{
  const uint64_t bits = permi_numpy_bits(reader->cursor + at, size, order);
  const uint32_t narrow_bits = (uint32_t)bits;
  float narrow;
  memcpy(&narrow, &narrow_bits, sizeof narrow);
  memcpy(value, &bits, sizeof *value);
  *value = size == 4 ? (double)narrow : *value;
  if (!permi_not_finite(*value))
    return 1;
  reader->cursor += at;
  return permi_reader_fail(reader, "%s found, finite numbers were expected: numpy.isfinite(a) tells where",
                           permi_not_finite(*value));
}

static int permi_numpy_open(permi_reader *reader, permi_numpy *array)
{
  const size_t bytes = (size_t)(reader->end - reader->position), head = permi_numpy_head(reader->position, bytes);
  const char *begin = reader->position;
  reader->binary = reader->cursor = begin;
  if (!permi_is_numpy(reader))
    return permi_reader_fail(reader, "no .npy file: its first bytes are not \\x93NUMPY; numpy.save writes them");
  if (bytes > 6 && (begin[6] < 1 || begin[6] > 3))
    return permi_reader_fail(reader, "version %d of the .npy format found, 1 to 3 were expected",
                             (int)(unsigned char)begin[6]);
  if (!head || head > bytes)
    return permi_reader_fail(reader, "a file of %llu bytes found that is shorter than its header, or a header of over "
                             "%d bytes: is it whole?", (unsigned long long)bytes, PERMI_NUMPY_MOST);
  reader->cursor = begin + (begin[6] == 1 ? 10 : 12);
  reader->line_end = begin + head;
  if (!permi_numpy_header(reader, array))
    return 0;
  reader->cursor = reader->line_end;
  array->bytes = array->shape[0] * array->shape[1] * array->size; /* below 2^24 2^31 2^4 */
  return 1;
}

/* Bytes to read of a file that begins so: of .npy its head, then items and one too many; UINT64_MAX: all. */
static uint64_t permi_numpy_wanted(const char *text, size_t bytes, perm_format format)
{
  const size_t head = permi_numpy_head(text, bytes);
  permi_reader reader;
  permi_numpy array;
  if (!permi_numpy_begins(text, bytes) && format != PERM_FORMAT_NUMPY)
    return UINT64_MAX;
  if (head > bytes)
    return head;
  memset(&reader, 0, sizeof reader);
  reader.name = "";
  reader.position = text;
  reader.end = text + bytes;
  return permi_numpy_open(&reader, &array) ? head + array.bytes + 1 : bytes;
}

static int permi_read_numpy(permi_reader *reader, perm_format wanted)
{
  size_t done = 0;
  permi_numpy array;
  (void)wanted;
  if (!permi_numpy_open(reader, &array))
    return 0;
  unsigned long long left = (unsigned long long)(reader->end - reader->cursor);
  if (left != array.bytes)
    return permi_reader_fail(reader, "%s%llu bytes of items found, %llu were expected for shape (%llu, %llu): %s",
                             left > array.bytes ? "at least " : "", left, (unsigned long long)array.bytes,
                             (unsigned long long)array.shape[0], (unsigned long long)array.shape[1],
                             left < array.bytes ? "is the file whole?" : "save one array a file");
  const uint64_t outer = array.shape[array.fortran], inner = array.shape[!array.fortran];
  reader->m = (int)array.shape[0];
  reader->n = (int)array.shape[1];
  reader->kind = array.code == 'b' ? PERM_KIND_PATTERN : array.code == 'c' ? PERM_KIND_COMPLEX : PERM_KIND_REAL;
  for (uint64_t k = 0; array.bytes && k < outer; k++)
    for (uint64_t i = 0; i < inner; i++, reader->cursor += array.size) {
      if (permi_watch_step(reader->watch, done++, 20))
        return permi_reader_no_memory(reader);
      permi_entry entry = permi_entry_one();
      if (array.code == 'f' || array.code == 'c') {
        const unsigned size = array.code == 'c' ? array.size / 2 : array.size;
        if (!permi_numpy_float(reader, array.order, size, 0, &entry.real) ||
            (array.code == 'c' && !permi_numpy_float(reader, array.order, size, size, &entry.imaginary)))
          return 0;
        if (entry.real == floor(entry.real) && fabs(entry.real) < 9223372036854775808.0)
          entry.integer = (int64_t)entry.real;
        else
          reader->fraction = 1;
      } else {
        uint64_t bits = permi_numpy_bits(reader->cursor, array.size, array.order);
        if (array.code == 'b' && bits > 1)
          return permi_reader_fail(reader, "byte %u found in an array of bool, 0 or 1 was expected", (unsigned)bits);
        if (array.code == 'i' && array.size < 8 && bits >> (8 * array.size - 1))
          bits |= UINT64_MAX << (8 * array.size);
        memcpy(&entry.integer, &bits, sizeof bits);
        entry.real = (double)entry.integer;
        if (array.code == 'u' && entry.integer < 0) { /* no integer of 64 bits */
          entry.real = (double)bits;
          reader->fraction = 1;
          reader->large = reader->large ? reader->large : (unsigned long long)(reader->cursor - reader->binary);
        }
      }
      if ((entry.real != 0 || entry.imaginary != 0) &&
          !permi_reader_push(reader, array.fortran ? i : k, array.fortran ? k : i, &entry))
        return 0;
    }
  if (reader->kind == PERM_KIND_REAL && !reader->fraction)
    reader->kind = PERM_KIND_INTEGER;
  return 1;
}
/* SPDX-License-Identifier: MIT */
