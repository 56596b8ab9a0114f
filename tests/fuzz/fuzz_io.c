/* Fuzzing the readers: no bytes may crash perm_matrix_read_memory, leak, make it allocate out of proportion, or give a
   matrix that breaks the promises of perm_matrix; what it accepts must survive writing as text and reading again, in
   every format. What is read as rows of numbers by itself is no list of coordinates, and the reverse. An allocation may
   be a multiple of the input plus 32 MiB (row_start of a declared m). */
#ifndef PERM_FUZZ_LINKED /* to a program that has the implementation already */
#define PERM_IMPLEMENTATION
#endif
#include "perm_sparse.h"
#include "fuzz.h"

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
        length += (size_t)snprintf(text + length, sizeof text - length, " %.17g", a->real[k]);
      if (a->imaginary)
        length += (size_t)snprintf(text + length, sizeof text - length, " %.17g", a->imaginary[k]);
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

/* A text without a banner that was read by itself: as the coordinates or the rows that the note tells, and they are no
   other. */
static void fuzz_one_reading(const char *text, size_t size, const perm_matrix *a, const char *note)
{
  perm_matrix b;
  const int coordinates = strstr(note, " entries of a ") != NULL && strstr(note, ", counted from ") != NULL;
  if (fuzz_accepted(text, size, PERM_FORMAT_ARRAY, &b)) {
    FUZZ_REQUIRE(!coordinates || (strstr(note, "--format array") && b.n == 3 && b.m > 3));
    FUZZ_REQUIRE(coordinates || (a->m == b.m && a->n == b.n && a->nnz == b.nnz && a->kind == b.kind));
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
  options.format = (perm_format)(size % 8 < PERM_FORMAT_COUNT ? size % 8 : PERM_FORMAT_AUTO);
  status = perm_matrix_read_memory(copy, size, "fuzz", &options, &matrix, &result);
  FUZZ_REQUIRE(status == result.status);
  if (status == PERM_OK && options.format == PERM_FORMAT_AUTO && !fuzz_has_banner(copy, size))
    fuzz_one_reading(copy, size, &matrix, result.message);
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

static const char *const fuzz_seeds[] = {
  "%%MatrixMarket matrix coordinate real general\n% c\n3 4 3\n1 4 1.5\n3 1 -2e-3\n2 2 .5\n",
  "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 7\n3 1 -9223372036854775808\n3 2 12\n",
  "%%MatrixMarket matrix coordinate integer skew-symmetric\r\n3 3 2\r\n2 1 7\r\n3 1 -9\r\n",
  "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 4 5\n",
  "%%MatrixMarket matrix coordinate pattern general\n4 4 5\n1 1\n2 2\n3 3\n4 4\n1 4\n",
  "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n",
  "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n",
  "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n",
  "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
  "# rows\n1 2, 3\n4.5\t-6e7 8\n",
  "1+2i -1.5e1-2.5e-1i\n3i i\n",
  "9223372036854775807 -9223372036854775808\n0 1\n",
  "\xef\xbb\xbf" "0 1 0\n1 0 1\n0 1 1\n",
  "2 3 4\n1 1 2\n1 3 -2.0\n2 2 1e3\n2 1 .5\n",
  "3,3,3\n0,0,1+i\n1 2 3\n2 1 4\n",
  "3 4 3\n1 1 .5 -1\n3 4 2e1 0\n2 1 4 7\n",
  "3 3 3\n1 1\n2 2\n3 3\n",
  "0 1\n1 0\n2 2\n",
  "1 1 2.5\n2 1 3\n2 2 -4\n3 3 7\n",
  "1.0 20e-1\n30.0 0.4e1\n",
  "(1+2j) 3-1j\n(2j) (-j)\n",
  "a,\"b c\",d\n1,2,3\n4,5,6\n",
  "x;y\n1;2\n3;99999999999999999999\n",
  "\x1f\x8b\x08"};

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  size_t k;
  (void)count, (void)arguments;
  for (k = 0; k < FUZZ_COUNT(fuzz_seeds); k++)
    fuzz_seed((int)k, fuzz_seeds[k], strlen(fuzz_seeds[k]));
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
  "a/b", "1;2\n"};
int main(int count, char **arguments)
{
  static uint8_t buffer[4096];
  long iterations, k;
  LLVMFuzzerInitialize(&count, &arguments);
  if (fuzz_replay(count, arguments))
    return 0;
  iterations = count > 1 ? strtol(arguments[1], NULL, 10) : 100000;
  for (k = 0; k < iterations; k++) {
    const char *seed = fuzz_seeds[fuzz_below(FUZZ_COUNT(fuzz_seeds))], *word;
    size_t size = strlen(seed), changes = k < (long)FUZZ_COUNT(fuzz_seeds) ? 0 : 1 + fuzz_below(6), at, length, from;
    if (!changes) {
      seed = fuzz_seeds[k];
      size = strlen(seed);
    }
    memcpy(buffer, seed, size);
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
