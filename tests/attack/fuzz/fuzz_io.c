/* Fuzzing the readers: no bytes may crash perm_matrix_read_memory, leak, make it allocate out of proportion, or give a
   matrix that breaks the promises of perm_matrix; what it accepts must survive writing as text and reading again, in
   every format. What is read as rows of numbers by itself is no list of coordinates, and the reverse; what is read as a
   graph or as .npy is neither. Fractions may be refused or read, from a file. An allocation may be a multiple of the
   input plus 32 MiB (row_start of a declared m). */
#ifndef PERM_FUZZ_LINKED /* to a program that has the implementation already */
#define PERM_IMPLEMENTATION
#endif
#include "perm_more.h"
#include "fuzz.h"
#include <math.h>
#include <unistd.h>

static int fuzz_finite(double x) { return x - x == 0; }

static void fuzz_check(const perm_matrix *a)
{
  size_t k;
  int i;
  FUZZ_REQUIRE(a->m >= 0 && a->n >= 0 && a->row_start && a->column);
  FUZZ_REQUIRE(a->row_start[0] == 0 && a->row_start[a->m] == a->nnz);
  FUZZ_REQUIRE((a->real != NULL) == (a->kind != PERM_KIND_PATTERN));
  FUZZ_REQUIRE((a->imaginary != NULL) == (a->kind == PERM_KIND_COMPLEX));
  FUZZ_REQUIRE((a->integer != NULL) == (a->kind == PERM_KIND_INTEGER));
  for (i = 0; i < a->m; i++) {
    FUZZ_REQUIRE(a->row_start[i] <= a->row_start[i + 1]);
    for (k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
      FUZZ_REQUIRE(a->column[k] >= 0 && a->column[k] < a->n);
      FUZZ_REQUIRE(k == a->row_start[i] || a->column[k - 1] < a->column[k]);
      if (a->real) FUZZ_REQUIRE(fuzz_finite(a->real[k]));
      if (a->imaginary) FUZZ_REQUIRE(fuzz_finite(a->imaginary[k]) && (a->real[k] != 0 || a->imaginary[k] != 0));
      if (a->integer) FUZZ_REQUIRE(a->integer[k] != 0 && a->real[k] == (double)a->integer[k]);
      if (a->kind == PERM_KIND_REAL) FUZZ_REQUIRE(a->real[k] != 0);
    }
  }
}

/* As perm_matrix_write. */
static int fuzz_digits(double x) { return fabs(x) >= 1e17 && fabs(x) <= 9223372036854775808.0 ? 19 : 17; }

/* The matrix as coordinate text in memory, read again: the same bits. Only small ones. */
static void fuzz_round_trip(const perm_matrix *a)
{
  static const char *const fields[4] = {"pattern", "integer", "real", "complex"};
  static char text[16384];
  perm_matrix b;
  size_t k, length;
  int i;
  if (a->m > 1000 || a->nnz > 150) return;
  length = (size_t)snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %zu\n",
                            fields[a->kind], a->m, a->n, a->nnz);
  for (i = 0; i < a->m; i++)
    for (k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
      length += (size_t)snprintf(text + length, sizeof text - length, "%d %d", i + 1, a->column[k] + 1);
      if (a->integer)
        length += (size_t)snprintf(text + length, sizeof text - length, " %lld", (long long)a->integer[k]);
      else if (a->real)
        length += (size_t)snprintf(text + length, sizeof text - length, " %.*g", fuzz_digits(a->real[k]), a->real[k]);
      if (a->imaginary)
        length += (size_t)snprintf(text + length, sizeof text - length, " %.*g", fuzz_digits(a->imaginary[k]),
                                   a->imaginary[k]);
      length += (size_t)snprintf(text + length, sizeof text - length, "\n");
    }
  FUZZ_REQUIRE(perm_matrix_read_memory(text, length, "again", NULL, &b, NULL) == PERM_OK);
  /* doubles that are integers after rounding become some */
  FUZZ_REQUIRE(a->m == b.m && a->n == b.n && a->nnz == b.nnz &&
               (a->kind == b.kind || (a->kind == PERM_KIND_REAL && b.kind == PERM_KIND_INTEGER)));
  FUZZ_REQUIRE(!memcmp(a->row_start, b.row_start, ((size_t)a->m + 1) * sizeof *a->row_start));
  FUZZ_REQUIRE(!memcmp(a->column, b.column, a->nnz * sizeof *a->column));
  if (a->real) FUZZ_REQUIRE(!memcmp(a->real, b.real, a->nnz * sizeof *a->real));
  if (a->imaginary) FUZZ_REQUIRE(!memcmp(a->imaginary, b.imaginary, a->nnz * sizeof *a->imaginary));
  for (k = 0; b.integer && !a->integer && k < a->nnz; k++)
    FUZZ_REQUIRE(a->real[k] < 9223372036854775808.0 && (int64_t)a->real[k] == b.integer[k]);
  if (a->integer) FUZZ_REQUIRE(!memcmp(a->integer, b.integer, a->nnz * sizeof *a->integer));
  perm_matrix_free(&b);
}

static int fuzz_accepted(const char *text, size_t size, perm_format format, perm_matrix *matrix)
{
  perm_options options;
  memset(&options, 0, sizeof options);
  options.format = format;
  return perm_matrix_read_memory(text, size, "fuzz", &options, matrix, NULL) == PERM_OK;
}

static int fuzz_has(const char *text, size_t size, const char *words)
{
  const size_t length = strlen(words);
  size_t at;
  for (at = 0; at + length <= size; at++)
    if (!memcmp(text + at, words, length))
      return 1;
  return 0;
}

/* A graph or .npy is no other reading. */
static int fuzz_is_marked(const char *text, size_t size, const char *note)
{
  perm_matrix b;
  if (fuzz_has(text, size, " matrix of ")) /* a note quotes headers */
    return 0;
  if (!(size > 6 && !memcmp(text, "\x93NUMPY", 6)) && !strstr(note, "the adjacency matrix of ") &&
      !strstr(note, "the bipartite matrix of "))
    return 0;
  FUZZ_REQUIRE(!fuzz_accepted(text, size, PERM_FORMAT_ARRAY, &b) && !fuzz_accepted(text, size, PERM_FORMAT_EDGES, &b) &&
               !fuzz_accepted(text, size, PERM_FORMAT_COORDINATE, &b) &&
               !fuzz_accepted(text, size, PERM_FORMAT_COORDINATE_COMPLEX, &b));
  return 1;
}

static int fuzz_take(perm_matrix *matrix, const perm_integer *below, unsigned long long line, void *taken)
{
  FUZZ_REQUIRE(below->words > 0 && !below->negative && (line > 0 || !*(int *)taken));
  fuzz_check(matrix);
  perm_matrix_free(matrix);
  ++*(int *)taken;
  return 0;
}

/* The same bytes as a file that may have fractions: refused or read, as perm_matrix_read does where there is none. */
static void fuzz_fractions(const char *text, size_t size, const perm_options *options)
{
  char path[64];
  perm_matrix matrix;
  perm_integer below;
  perm_result result;
  FILE *file;
  int taken = 0, one;
  perm_status status;
  snprintf(path, sizeof path, "/tmp/fuzz_io.%ld", (long)getpid());
  file = fopen(path, "wb");
  FUZZ_REQUIRE(file && fwrite(text, 1, size, file) == size && !fclose(file));
  one = perm_matrix_read(path, options, &matrix, &below, &result) == PERM_OK;
  if (one) {
    FUZZ_REQUIRE(below.words > 0 && !below.negative);
    FUZZ_REQUIRE((below.words == 1 && below.word[0] == 1) || matrix.kind == PERM_KIND_INTEGER);
    fuzz_check(&matrix);
  } else {
    FUZZ_REQUIRE(!matrix.row_start && !matrix.nnz && result.message[0]);
  }
  perm_matrix_free(&matrix);
  status = perm_matrix_read_each(path, options, fuzz_take, &taken, &result); /* before a bad line, graphs */
  FUZZ_REQUIRE(one ? status == PERM_OK && taken == 1 : status == PERM_OK ? taken > 1 : result.message[0] != 0);
  remove(path);
}

/* A text without a banner that was read by itself: as the coordinates or the rows that the note tells, and they are no
   other. */
static void fuzz_one_reading(const char *text, size_t size, const perm_matrix *a, const char *note)
{
  perm_matrix b;
  const int coordinates = strstr(note, " entries of a ") != NULL && strstr(note, ", counted from ") != NULL;
  const int counted = strstr(note, "; --format array makes it a row too") != NULL; /* columns, by the first line */
  if (strstr(note, "read as rows of 0 and 1 without blanks; --format array ")) { /* which reads a column */
    FUZZ_REQUIRE(a->m > 1 && a->n > 1 && a->kind == PERM_KIND_INTEGER);
    for (size_t k = 0; k < a->nnz; k++) FUZZ_REQUIRE(a->integer[k] == 1);
    if (fuzz_accepted(text, size, PERM_FORMAT_ARRAY, &b)) FUZZ_REQUIRE(a->m == b.m && b.n == 1);
    perm_matrix_free(&b);
    return;
  }
  if (fuzz_accepted(text, size, PERM_FORMAT_ARRAY, &b)) {
    FUZZ_REQUIRE(!coordinates || (strstr(note, "--format array") && b.n == 3 && b.m > 3));
    FUZZ_REQUIRE(coordinates || (a->m + counted == b.m && a->n == b.n && a->kind == b.kind &&
                                 (counted ? a->m == a->n && b.nnz - a->nnz + 1 - (size_t)b.n < 2 : a->nnz == b.nnz)));
  }
  perm_matrix_free(&b);
  if (fuzz_accepted(text, size, PERM_FORMAT_COORDINATE, &b) ||
      fuzz_accepted(text, size, PERM_FORMAT_COORDINATE_COMPLEX, &b))
    FUZZ_REQUIRE(coordinates && a->m == b.m && a->n == b.n && a->nnz == b.nnz && a->kind == b.kind);
  else
    FUZZ_REQUIRE(!coordinates);
  perm_matrix_free(&b);
}

static int fuzz_has_banner(const char *text, size_t size)
{
  size_t k;
  for (k = 0; k + 1 < size && text[k] != '\n'; k++)
    if (text[k] == '%' && text[k + 1] == '%')
      return 1;
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  perm_options options;
  perm_matrix matrix;
  perm_result result;
  fuzz_memory memory = {0, 128 * size + 32 * 1048576, 0};
  perm_status status;
  size_t k;
  char *copy = (char *)malloc(size ? size : 1); /* exactly as long: reading past it is seen */
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  memset(&options, 0, sizeof options);
  options.allocator.allocate = fuzz_allocate;
  options.allocator.release = fuzz_release;
  options.allocator.user_data = &memory;
  options.format = (perm_format)(size % 16 < PERM_FORMAT_COUNT ? size % 16 : PERM_FORMAT_AUTO);
  status = perm_matrix_read_memory(copy, size, "fuzz", &options, &matrix, &result);
  FUZZ_REQUIRE(status == result.status);
  if (status == PERM_OK && options.format == PERM_FORMAT_AUTO && !fuzz_has_banner(copy, size) &&
      !fuzz_is_marked(copy, size, result.message))
    fuzz_one_reading(copy, size, &matrix, result.message);
  if (size % 32 == 15 || (size < 200 && memchr(copy, '/', size)))
    fuzz_fractions(copy, size, &options);
  free(copy);
  if (status == PERM_OK) {
    FUZZ_REQUIRE(!result.message[0] || !strncmp(result.message, "fuzz: read as ", 14));
    fuzz_check(&matrix);
    fuzz_round_trip(&matrix);
  } else {
    /* memory: only for a row_start above the bound */
    FUZZ_REQUIRE(status == PERM_ERROR_FORMAT || status == PERM_ERROR_MEMORY);
    FUZZ_REQUIRE(!matrix.row_start && !matrix.column && !matrix.real && !matrix.nnz);
    FUZZ_REQUIRE(!strncmp(result.message, "fuzz:", 5) && strlen(result.message) < PERM_MESSAGE_BYTES - 1);
    for (k = 0; result.message[k]; k++) FUZZ_REQUIRE(result.message[k] >= 32 && result.message[k] <= 126);
  }
  perm_matrix_free(&matrix);
  FUZZ_REQUIRE(memory.live == 0);
  return 0;
}

#define FUZZ_COUNT(table) (sizeof(table) / sizeof *(table))

#define FUZZ_SEED(text) {text, sizeof(text) - 1} /* there may be zero bytes */
static const struct { const char *text; size_t size; } fuzz_seeds[] = {
  FUZZ_SEED("%%MatrixMarket matrix coordinate real general\n% c\n3 4 3\n1 4 1.5\n3 1 -2e-3\n2 2 .5\n"),
  FUZZ_SEED("%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 7\n3 1 -9223372036854775808\n3 2 12\n"),
  FUZZ_SEED("%%MatrixMarket matrix coordinate integer skew-symmetric\r\n3 3 2\r\n2 1 7\r\n3 1 -9\r\n"),
  FUZZ_SEED("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 4 5\n"),
  FUZZ_SEED("%%MatrixMarket matrix coordinate pattern general\n4 4 5\n1 1\n2 2\n3 3\n4 4\n1 4\n"),
  FUZZ_SEED("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n"),
  FUZZ_SEED("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n"),
  FUZZ_SEED("%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n"),
  FUZZ_SEED("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"),
  FUZZ_SEED("# rows\n1 2, 3\n4.5\t-6e7 8\n"),
  FUZZ_SEED("1+2i -1.5e1-2.5e-1i\n3i i\n"),
  FUZZ_SEED("9223372036854775807 -9223372036854775808\n0 1\n"),
  FUZZ_SEED("\xef\xbb\xbf" "0 1 0\n1 0 1\n0 1 1\n"),
  FUZZ_SEED("2 3 4\n1 1 2\n1 3 -2.0\n2 2 1e3\n2 1 .5\n"),
  FUZZ_SEED("3,3,3\n0,0,1+i\n1 2 3\n2 1 4\n"),
  FUZZ_SEED("3 4 3\n1 1 .5 -1\n3 4 2e1 0\n2 1 4 7\n"),
  FUZZ_SEED("3 3 3\n1 1\n2 2\n3 3\n"),
  FUZZ_SEED("0 1\n1 0\n2 2\n"),
  FUZZ_SEED("1 1 2.5\n2 1 3\n2 2 -4\n3 3 7\n"),
  FUZZ_SEED("1.0 20e-1\n30.0 0.4e1\n"),
  FUZZ_SEED("(1+2j) 3-1j\n(2j) (-j)\n"),
  FUZZ_SEED("a,\"b c\",d\n1,2,3\n4,5,6\n"),
  FUZZ_SEED("x;y\n1;2\n3;99999999999999999999\n"),
  FUZZ_SEED("\x1f\x8b\x08"),
  FUZZ_SEED("\x93" "NUMPY\1\0" "\x46\0"
            "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2), }          \n" "\1\0\1\1"),
  FUZZ_SEED("\x93" "NUMPY\1\0" "\x46\0"
            "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }          \n" "\1\0\2\0\377\377\3\0"),
  FUZZ_SEED("\x93" "NUMPY\1\0" "\x46\0"
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }          \n"
            "\0\0\0\0\0\0\370\77\0\0\0\0\0\0\360\77"),
  FUZZ_SEED("\x93" "NUMPY\2\0" "\x46\0\0\0"
            "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 1), }           \n" "\77\200\0\0\100\0\0\0"),
  FUZZ_SEED("\x93" "NUMPY\3\0" "\x46\0\0\0"
            "{'descr': '<c8', 'fortran_order': False, 'shape': (1, 1), }          \n" "\0\0\200\77\0\0\200\77"),
  FUZZ_SEED("\x93" "NUMPY\1\0" "\x46\0"
            "{'descr': '>u8', 'fortran_order': False, 'shape': (1, 1), }          \n" "\377\0\0\0\0\0\0\1"),
  FUZZ_SEED("\x93" "NUMPY\1\0" "\x46\0" "{'descr': '|i1', 'fortran_order': False, 'shape': (0, 3), }          \n" ""),
  FUZZ_SEED("0,1,2\n1,2,3.5\n4,0,6\n7,8,9\n"),
  FUZZ_SEED("1\0 \0002\0\n\0"),
  FUZZ_SEED("A_\nC~\n:Fa@x^\n"),
  FUZZ_SEED("DQc\n"),
  FUZZ_SEED(">>graph6<<DQc"),
  FUZZ_SEED(":Fa@x^\n"),
  FUZZ_SEED(">>sparse6<<:Fa@x^\n"),
  FUZZ_SEED("&DI?AO?\n"),
  FUZZ_SEED("~?@~" "????"),
  FUZZ_SEED(">>graph6<<GCrb`o"),
  FUZZ_SEED("c x\np edge 4 3\ne 1 2\ne 3 2\ne 4 4\n"),
  FUZZ_SEED("p col 3 4\ne 1 2 5\ne 2 1 5\ne 1 3 2.5\nn 1 4\ne 3 1 2.5\n"),
  FUZZ_SEED("1/2 -3/4\n5 0/7\n"),
  FUZZ_SEED("2 2 3\n1 1 1/3\n2 2 2/5\n1 2 7\n"),
  FUZZ_SEED("9223372036854775808 1\n0 4611686018427387904\n"),
  FUZZ_SEED("011\n101\n110\n"),
  FUZZ_SEED(" 10\r\n11 \n"),
  FUZZ_SEED("9007199254740993 i\n0.5+9007199254740993i 1\n"),
  FUZZ_SEED("% x\n%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1.5\n2 1 3\n3 1 7\n")};

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  size_t k;
  (void)count, (void)arguments;
  for (k = 0; k < FUZZ_COUNT(fuzz_seeds); k++)
    fuzz_seed((int)k, fuzz_seeds[k].text, fuzz_seeds[k].size);
  return 0;
}

#ifdef PERM_FUZZ_STANDALONE
/* Pieces that matter to the grammar, put in at random places. */
static const char *const fuzz_words[] = {
  "%%MatrixMarket", " matrix", " coordinate", " array", " real", " complex", " integer", " pattern", " general",
  " symmetric", " skew-symmetric", " hermitian", "\n", "\r\n", "\r", "%", "#", ",", "+", "-", "i", ".", "e", "e999",
  "1e-999", "nan", "inf", "0x1p3", "16777216", "2147483648", "9223372036854775808", "99999999999999999999999", "0",
  "1 1 1\n", "2 2 2\n1 1 1\n", "3 3 3\n", "1 2\n", ".0", "e1", "\n\n", " ", "\t", "16000000 1 0\n", "4294967297",
  ";", "a,b\n", "\"", "j", "(", ")", "(1+2j)",
  "a/b", "1;2\n", "1/3", "/", ">>graph6<<", ">>sparse6<<", ":", "&", "~", "~~", "?", "c x\n", "p edge 3 1\n",
  "e 1 2\n", "n 1\n", "a 1 2\n", "\x93NUMPY", "'descr':", "'fortran_order':", "'shape':", "(", "(2, 2)",
  "<f8", ">f4", "|O", "True", "16777217", "\377\377",
  "9007199254740993", "9223372036854775808", "1e18"};
int main(int count, char **arguments)
{
  static uint8_t buffer[4096];
  long iterations, k;
  LLVMFuzzerInitialize(&count, &arguments);
  if (fuzz_replay(count, arguments))
    return 0;
  iterations = count > 1 ? strtol(arguments[1], NULL, 10) : 100000;
  for (k = 0; k < iterations; k++) {
    const size_t seed = k < (long)FUZZ_COUNT(fuzz_seeds) ? (size_t)k : fuzz_below(FUZZ_COUNT(fuzz_seeds));
    const char *word;
    size_t size = fuzz_seeds[seed].size, changes = k < (long)FUZZ_COUNT(fuzz_seeds) ? 0 : 1 + fuzz_below(6);
    size_t at, length, from;
    memcpy(buffer, fuzz_seeds[seed].text, size);
    for (; changes; changes--) {
      at = fuzz_below(size + 1);
      switch (fuzz_below(6)) {
        case 0: /* another byte */
          if (at < size) buffer[at] = (uint8_t)fuzz_below(256);
          break;
        case 1: /* another digit */
          while (at < size && (buffer[at] < '0' || buffer[at] > '9')) at++;
          if (at < size) buffer[at] = (uint8_t)('0' + fuzz_below(10));
          break;
        case 2: /* a word put in */
        case 3:
          word = fuzz_words[fuzz_below(FUZZ_COUNT(fuzz_words))];
          length = strlen(word);
          if (size + length > sizeof buffer) break;
          memmove(buffer + at + length, buffer + at, size - at);
          memcpy(buffer + at, word, length);
          size += length;
          break;
        case 4: /* a piece taken out */
          length = fuzz_below(size - at + 1);
          if (length > 20 && fuzz_below(4)) length = fuzz_below(8) < size - at ? fuzz_below(8) : 0;
          if (length > size - at) length = size - at;
          memmove(buffer + at, buffer + at + length, size - at - length);
          size -= length;
          break;
        default: /* a piece twice */
          from = fuzz_below(size + 1);
          length = fuzz_below(size - from + 1);
          if (length > 64) length = 64;
          if (size + length > sizeof buffer) break;
          {
            uint8_t piece[64];
            memcpy(piece, buffer + from, length);
            memmove(buffer + at + length, buffer + at, size - at);
            memcpy(buffer + at, piece, length);
            size += length;
          }
          break;
      }
    }
    LLVMFuzzerTestOneInput(buffer, size);
  }
  printf("%ld inputs, no failure\n", iterations);
  return 0;
}
#endif
/* SPDX-License-Identifier: MIT */
