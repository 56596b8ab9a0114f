/* >>market, >>plain_text */
/* Readers accept exactly what they promise, every refusal names file, line, what was found and what was expected, and
   memory follows the bytes that are there. */

#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__unix__)
#include <signal.h>
#include <sys/resource.h>
#endif

#ifndef T_IO_DIRECTORY
#define T_IO_DIRECTORY "build/" /* tests run from the top level; files made here are removed again */
#endif

static int t_io_is_zero(const perm_matrix *matrix)
{
  return !matrix->m && !matrix->n && !matrix->nnz && !matrix->row_start && !matrix->column && !matrix->real &&
         !matrix->imaginary && !matrix->integer;
}

static char t_io_taken[32]; /* the format that the last message named; empty: none */

/* A message without the format that the text was taken for, which t_io_taken gets. */
static const char *t_io_plain_message(char *message)
{
  static const char words[] = ": taken as ";
  char *begin = strstr(message, words), *name = begin ? begin + strlen(words) : NULL;
  char *end = name ? strchr(name, ':') : NULL;
  t_io_taken[0] = 0;
  if (!end || end - name >= (ptrdiff_t)sizeof t_io_taken) return message;
  memcpy(t_io_taken, name, (size_t)(end - name));
  t_io_taken[end - name] = 0;
  memmove(begin, end, strlen(end) + 1);
  return message;
}

/* The message, without that format, with which a text is refused as a malformed file; a word in brackets if that is not
   what happens. */
static const char *t_io_refused_bytes(const char *text, size_t bytes, const char *name)
{
  static perm_result result;
  perm_matrix matrix;
  perm_status status = perm_matrix_read_memory(text, bytes, name, NULL, &matrix, &result);
  if (status == PERM_OK) {
    perm_matrix_free(&matrix);
    return "[accepted]";
  }
  if (status != PERM_ERROR_FORMAT || result.status != status) return "[another status]";
  if (!t_io_is_zero(&matrix)) return "[matrix left behind]";
  if (strchr(result.message, '\n')) return "[more than one line]";
  return t_io_plain_message(result.message);
}
static const char *t_io_refused(const char *text) { return t_io_refused_bytes(text, strlen(text), "a.mtx"); }
static const char *t_io_refused_plain(const char *text) { return t_io_refused_bytes(text, strlen(text), "a.txt"); }

static perm_format t_io_format; /* for t_io_read */

/* "m n kind | i j value | ..." of a text, 1-based, as it was read; the message if it was refused. */
static const char *t_io_read(const char *text)
{
  perm_options options;
  static char shown[1024];
  static perm_result result;
  perm_matrix matrix;
  size_t k, length;
  int i;
  memset(&options, 0, sizeof options);
  options.format = t_io_format;
  if (perm_matrix_read_memory(text, strlen(text), "memory", &options, &matrix, &result) != PERM_OK)
    return t_io_plain_message(result.message);
  length = (size_t)snprintf(shown, sizeof shown, "%d %d %c", matrix.m, matrix.n, "pirc"[matrix.kind]);
  for (i = 0; i < matrix.m; i++)
    for (k = matrix.row_start[i]; k < matrix.row_start[i + 1] && length < 900; k++) {
      length += (size_t)snprintf(shown + length, sizeof shown - length, " | %d %d", i + 1, matrix.column[k] + 1);
      if (matrix.integer)
        length += (size_t)snprintf(shown + length, sizeof shown - length, " %lld", (long long)matrix.integer[k]);
      else if (matrix.real)
        length += (size_t)snprintf(shown + length, sizeof shown - length, " %.17g", matrix.real[k]);
      if (matrix.imaginary)
        length += (size_t)snprintf(shown + length, sizeof shown - length, " %.17g", matrix.imaginary[k]);
    }
  perm_matrix_free(&matrix);
  return shown;
}

static int t_io_same(const perm_matrix *a, const perm_matrix *b)
{
  if (a->m != b->m || a->n != b->n || a->nnz != b->nnz || a->kind != b->kind) return 0;
  if (memcmp(a->row_start, b->row_start, ((size_t)a->m + 1) * sizeof *a->row_start)) return 0;
  if (memcmp(a->column, b->column, a->nnz * sizeof *a->column)) return 0;
  if (!a->real != !b->real || !a->imaginary != !b->imaginary || !a->integer != !b->integer) return 0;
  if (a->real && memcmp(a->real, b->real, a->nnz * sizeof *a->real)) return 0;
  if (a->imaginary && memcmp(a->imaginary, b->imaginary, a->nnz * sizeof *a->imaginary)) return 0;
  return !a->integer || !memcmp(a->integer, b->integer, a->nnz * sizeof *a->integer);
}

static int t_io_exists(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

/* An allocator that fails its fail_at-th call (0: never) and counts what is live. */
typedef struct t_io_memory { long calls, fail_at, live; size_t largest; } t_io_memory;

static void *t_io_allocate(size_t bytes, void *user_data)
{
  t_io_memory *memory = (t_io_memory *)user_data;
  void *pointer;
  if (bytes > memory->largest) memory->largest = bytes;
  if (++memory->calls == memory->fail_at) return NULL;
  pointer = malloc(bytes ? bytes : 1);
  if (pointer) memset(pointer, 0xa5, bytes);
  memory->live += pointer != NULL;
  return pointer;
}
static void t_io_release(void *pointer, void *user_data)
{
  if (pointer) ((t_io_memory *)user_data)->live--;
  free(pointer);
}
static perm_options t_io_options(t_io_memory *memory)
{
  perm_options options;
  memset(&options, 0, sizeof options);
  memset(memory, 0, sizeof *memory);
  options.allocator.allocate = t_io_allocate;
  options.allocator.release = t_io_release;
  options.allocator.user_data = memory;
  return options;
}

/* -- what is accepted -------------------------------------------------------------------------- */

TEST(t_io_coordinate_fields_and_symmetries)
{
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate real general\n2 3 2\n2 3 -1.5e1\n1 1 .25\n"),
             "2 3 r | 1 1 0.25 | 2 3 -15");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 +7\n2 1 -9223372036854775808\n"),
             "2 2 i | 1 1 7 | 1 2 -9223372036854775808 | 2 1 -9223372036854775808");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 1\n2 2\n"),
             "3 3 p | 1 3 | 2 2 | 3 1");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4\n"),
             "2 2 i | 1 2 -4 | 2 1 4");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 4 5\n"),
             "2 2 c | 1 2 -4 -5 | 2 1 4 5");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 4 5\n"),
             "2 2 c | 1 1 3 0 | 1 2 4 -5 | 2 1 4 5");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 0 5\n"),
             "2 2 c | 1 2 0 5 | 2 1 0 5");
}

TEST(t_io_array_is_column_major)
{
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n"),
             "2 3 i | 1 1 1 | 1 2 3 | 1 3 5 | 2 1 2 | 2 2 4 | 2 3 6");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"),
             "3 3 i | 1 1 1 | 1 2 2 | 1 3 3 | 2 1 2 | 2 2 4 | 2 3 5 | 3 1 3 | 3 2 5 | 3 3 6");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"),
             "3 3 i | 1 2 -1 | 1 3 -2 | 2 1 1 | 2 3 -3 | 3 1 2 | 3 2 3");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n"),
             "2 2 c | 1 1 1 0 | 1 2 2 -3 | 2 1 2 3 | 2 2 4 0");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix array integer general\n2 2\n0\n0\n0\n5\n"), "2 2 i | 2 2 5");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"), "1 1 i");
}

TEST(t_io_banner_case_comments_blank_lines_crlf)
{
  CHECK_TEXT(t_io_read("%%MATRIXMARKET MATRIX Coordinate REAL General\r\n%c\r\n\r\n  2 2\t1 \r\n% x\r\n 1\t2 3 \r\n"
                       "\r\n%"),
             "2 2 i | 1 2 3");
  CHECK_TEXT(t_io_read("\xef\xbb\xbf%%MatrixMarket matrix array real general\n1 1\n3"), "1 1 i | 1 1 3");
  CHECK_TEXT(t_io_read("\xef\xbb\xbf" "1 2\n"), "1 2 i | 1 1 1 | 1 2 2");
}

TEST(t_io_empty_matrices_and_explicit_zeros)
{
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate real general\n0 0 0\n"), "0 0 i");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate pattern general\n3 0 0"), "3 0 p");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix array real general\n0 7\n"), "0 7 i");
  CHECK(!strcmp(t_io_read("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 0e5\n2 2 -0.0\n"), "2 2 i"));
  CHECK(!strcmp(t_io_read("%%MatrixMarket matrix coordinate complex general\n1 2 2\n1 1 0 0\n1 2 0 2\n"),
                "1 2 c | 1 2 0 2"));
  CHECK(!strcmp(t_io_read("0 0\n0 -0\n"), "2 2 i"));
}

TEST(t_io_plain_rows)
{
  CHECK_TEXT(t_io_read("# c\n\n1 2, 3\n\t% c\n4\t5 , -6"),
             "2 3 i | 1 1 1 | 1 2 2 | 1 3 3 | 2 1 4 | 2 2 5 | 2 3 -6");
  CHECK_TEXT(t_io_read("1 0\r\n1 1\r\n"), "2 2 i | 1 1 1 | 2 1 1 | 2 2 1");
  CHECK_TEXT(t_io_read("1 2.5\n"), "1 2 r | 1 1 1 | 1 2 2.5");
  CHECK_TEXT(t_io_read("9223372036854775807 -9223372036854775808\n"),
             "1 2 i | 1 1 9223372036854775807 | 1 2 -9223372036854775808");
  CHECK_TEXT(t_io_read("9223372036854775808 1\n"), "1 2 r | 1 1 9.2233720368547758e+18 | 1 2 1");
  CHECK_TEXT(t_io_read("1+2i -1.5e1-2.5e-1i 3i -4I"), "'-4I' found");
  CHECK_TEXT(t_io_read("1+2i -1.5e1-2.5e-1i 3i i\n-i +i 1-i 7"),
             "2 4 c | 1 1 1 2 | 1 2 -15 -0.25 | 1 3 0 3 | 1 4 0 1 | 2 1 0 -1 | 2 2 0 1 | 2 3 1 -1 | 2 4 7 0");
  CHECK_TEXT(t_io_read("1.5\ni"), "2 1 c | 1 1 1.5 0 | 2 1 0 1");
  CHECK_TEXT(t_io_read("1i\n1.5"), "2 1 c | 1 1 0 1 | 2 1 1.5 0");
}

/* Integers in decimal text are integers, whatever the banner says; one that is none makes all of them doubles. */
TEST(t_io_whole_numbers)
{
  CHECK_TEXT(t_io_read("2.0 -3. +.0 1e3 1.50e1 20e-1 120.e-1 0e5 -0.0e-9"),
             "1 9 i | 1 1 2 | 1 2 -3 | 1 4 1000 | 1 5 15 | 1 6 2 | 1 7 12");
  CHECK_TEXT(t_io_read("9007199254740993.0 9.223372036854775807e18"),
             "1 2 i | 1 1 9007199254740993 | 1 2 9223372036854775807");
  CHECK_TEXT(t_io_read("9.223372036854775808e18 1"), "1 2 r | 1 1 9.2233720368547758e+18 | 1 2 1");
  CHECK_TEXT(t_io_read("0.99999999999999999999 4"), "1 2 r | 1 1 1 | 1 2 4"); /* rounds to 1, but is not 1 */
  CHECK_TEXT(t_io_read("12e-1 3"), "1 2 r | 1 1 1.2");
  CHECK_TEXT(t_io_read("1e22 1"), "1 2 r | 1 1 1e+22");
  CHECK_TEXT(t_io_read("0e99999999999999999999 2"), "1 2 i | 1 2 2");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 -3.0e0\n1 1 5\n"),
             "2 2 i | 1 1 5 | 2 1 -3");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 -3.5\n1 1 5\n"),
             "2 2 r | 1 1 5 | 2 1 -3.5");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 -9223372036854775808\n"),
             "2 2 r | 1 2 9.2233720368547758e+18");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 5 0\n"), "1 1 c | 1 1 5 0");
}

/* Files without a banner: "rows columns entries" and so many entries are coordinates, and result.message says so. */
TEST(t_io_coordinates_without_a_banner)
{
  perm_matrix matrix;
  perm_result result;
  CHECK_TEXT(t_io_read("# c\n3 3 4\n1 1 2\n2 2 3.0\n%\n3,3,5\n1 2 -7\n"),
             "3 3 i | 1 1 2 | 1 2 -7 | 2 2 3 | 3 3 5");
  CHECK_TEXT(t_io_read("2 4 3\n1 4 .5\n2 2 0\n2 1 1e300\n"), "2 4 r | 1 4 0.5 | 2 1 1.0000000000000001e+300");
  CHECK_TEXT(t_io_read("2 2 3\n1 1 1+i\n2 2 2\n1 2 i\n"), "2 2 c | 1 1 1 1 | 1 2 0 1 | 2 2 2 0");
  CHECK_TEXT(t_io_read("2 2 2\n1 1 1 -1\n2 2 0 3\n"), "2 2 c | 1 1 1 -1 | 2 2 0 3");
  CHECK_TEXT(t_io_read("2 2 2\n1 1\n2 2\n"), "2 2 p | 1 1 | 2 2");
  CHECK_TEXT(t_io_read("3e0 3.0 3\n1.0 1 2\n2 2.0e0 3\n3 3 4\n"), "3 3 i | 1 1 2 | 2 2 3 | 3 3 4");
  CHECK_TEXT(t_io_read("3 3 3\n0 0 4\n1 1 5\n2 2 6\n"), "3 3 i | 1 1 4 | 2 2 5 | 3 3 6"); /* from 0 */
#define T_IO_NOTE(text)                                                                              \
  (perm_matrix_read_memory(text, strlen(text), "a.txt", NULL, &matrix, &result) == PERM_OK           \
       ? (perm_matrix_free(&matrix), result.message) : "[refused]")
  CHECK_TEXT(T_IO_NOTE("3 3 3\n1 1 4\n2 2 5\n3 3 6\n"),
             "a.txt: read as 3 entries of a 3 x 3 matrix, counted from 1; --format array reads rows of numbers");
  CHECK_TEXT(T_IO_NOTE("3 3 3\n0 0\n1 1\n2 2\n"), "a.txt: read as 3 entries of a 3 x 3 matrix, counted from 0");
  CHECK(!strstr(T_IO_NOTE("3 3 3\n0 0\n1 1\n2 2\n"), "--format array"));
  CHECK(!*T_IO_NOTE("1 2\n3 4\n"));
  CHECK(!*T_IO_NOTE("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n"));
#undef T_IO_NOTE
  /* rows of numbers all the same: an index out of range or not whole, too many for the places, ragged or too few */
  CHECK_TEXT(t_io_read("3 3 3\n1 1 4\n2 4 5\n3 3 6\n"), "4 3 i | 1 1 3");
  CHECK_TEXT(t_io_read("3 3 3\n1 1 4\n2 1.5 5\n3 3 6\n"), "4 3 r | 1 1 3");
  CHECK_TEXT(t_io_read("1 1 1\n1 1 1\n1 1 1\n1 1 1\n"), "4 3 i | 1 1 1");
  CHECK_TEXT(t_io_read("3 3 3\n0 0 4\n1 3 5\n2 2 6\n"), "4 3 i | 1 1 3"); /* an index 0 and an index 3 */
  CHECK_TEXT(t_io_read("9 9 5\n1 2 3\n4 5 6\n"), "3 3 i | 1 1 9");
  CHECK_TEXT(t_io_refused_plain("3 3 3\n1 1 4\n2 2 5\n1 1 6\n"), "a.txt:4: entry (1,1) found again");
}

/* What fits two readings, or one of them not quite, is refused with the option that decides. */
TEST(t_io_ambiguous_files_are_refused)
{
  CHECK_TEXT(t_io_refused_plain("2 2 2\n1 1 5\n2 2 5\n"),
             "a.txt:1: a 3 x 3 matrix found, or 2 entries of a 2 x 2 matrix? Say which: --format array|coordinate");
  CHECK_TEXT(t_io_refused_plain("1 1 1\n1 1 1\n"), "a.txt:1: a 2 x 3 matrix found, or 1 entries of a 1 x 1 matrix?");
  CHECK_TEXT(t_io_refused_plain("\n5 5 0\n"), "a.txt:2: a 1 x 3 matrix found, or 0 entries of a 5 x 5 matrix?");
  CHECK_TEXT(t_io_refused_plain("3 3 5\n1 1 4\n2 2 5\n3 3 6\n"),
             "a.txt:1: 5 entries of a 3 x 3 matrix announced, but 3 lines follow; complete the file, or say "
             "--format array");
  CHECK_TEXT(t_io_refused_plain("3 3 2\n1 1 4\n2 2 5\n3 3 6\n"), "2 entries of a 3 x 3 matrix announced, but 3 lines");
  CHECK_TEXT(t_io_refused_plain("3 3 4\n1 1\n2 2\n3 3\n"),
             "a.txt:1: 4 entries of a 3 x 3 matrix announced, but 3 lines");
  CHECK_TEXT(t_io_refused_plain("1 2\n2 3\n3 1\n"), "a.txt:1: 3 rows of two integers found: edges of a graph, or a "
             "3 x 2 matrix? Say which: --format edges|array");
  CHECK_TEXT(t_io_refused_plain("1.0 2\n2 3\n3 1\n"), "3 rows of two integers found");
  CHECK_TEXT(t_io_read("1.5 2\n2 3\n3 1\n"), "3 2 r"); /* no vertices */
  CHECK_TEXT(t_io_read("1 2\n3 4\n"), "2 2 i | 1 1 1 | 1 2 2 | 2 1 3 | 2 2 4");
  CHECK_TEXT(t_io_refused("1.5 2\n3 4\n"),
             "a.mtx:1: no banner found in a file named .mtx, %%MatrixMarket was expected; "
             "or say --format");
}

/* The format decides: t_io_read and t_io_refused_plain take it from here. */
TEST(t_io_formats)
{
#define T_IO_AS(wanted, text) (t_io_format = PERM_FORMAT_##wanted, t_io_read(text))
  CHECK_TEXT(T_IO_AS(ARRAY, "2 2 2\n1 1 5\n2 2 5\n"), "3 3 i | 1 1 2 | 1 2 2 | 1 3 2 | 2 1 1");
  CHECK_TEXT(T_IO_AS(COORDINATE, "2 2 2\n1 1 5\n2 2 5\n"), "2 2 i | 1 1 5 | 2 2 5");
  CHECK_TEXT(T_IO_AS(COORDINATE, "5 5 0\n"), "5 5 p");
  CHECK_TEXT(T_IO_AS(COORDINATE_COMPLEX, "2 2 1\n1 1 5 0.5\n"), "2 2 c | 1 1 5 0.5");
  CHECK_TEXT(T_IO_AS(ARRAY, "1 2\n2 3\n3 1\n"), "3 2 i | 1 1 1");
  CHECK_TEXT(T_IO_AS(ARRAY, "3 3 5\n1 1 4\n2 2 5\n3 3 6\n"), "4 3 i | 1 1 3");
  CHECK_TEXT(T_IO_AS(EDGES, "1 2\n2 3\n3 1\n"), "3 3 p | 1 2 | 2 3 | 3 1");
  CHECK_TEXT(T_IO_AS(EDGES, "0 2\n1 0\n"), "2 3 p | 1 3 | 2 1");
  CHECK_TEXT(T_IO_AS(EDGES, "# row, column, weight\n1,1,2.5\n2,2,4\n"), "2 2 r | 1 1 2.5 | 2 2 4");
  CHECK_TEXT(T_IO_AS(EDGES, "1 1 3\n2 2 4\n"), "2 2 i | 1 1 3 | 2 2 4");
  CHECK_TEXT(T_IO_AS(EDGES, "1 1 3\n2 2 i\n"), "2 2 c | 1 1 3 0 | 2 2 0 1");
  CHECK_TEXT(T_IO_AS(EDGES, "2 3\n3 2\n"), "memory:2: the smallest row is 2 and the smallest column 2: counted from 0 "
             "or from 1? Write 'rows columns entries' before them and say --format coordinate");
  CHECK_TEXT(T_IO_AS(EDGES, "1 2\n2 3\n"), "the smallest row is 1 and the smallest column 2");
  CHECK_TEXT(T_IO_AS(EDGES, "1 1\n2 2\n1 1\n"), "memory:3: entry (1,1) found again, first given in line 1");
  CHECK_TEXT(T_IO_AS(EDGES, "1 1\n2 -2\n"), "memory:2: column '-2' found, a whole number from 0 to 2147483646");
  CHECK_TEXT(T_IO_AS(EDGES, "1 1\n16777216 1\n"), "memory:2: row '16777216' found, a whole number from 0 to 16777215");
  CHECK_TEXT(T_IO_AS(EDGES, "1 1\n2 2 3\n"), "memory:2: 3 numbers found, 2 were expected as in the lines before");
  CHECK_TEXT(T_IO_AS(EDGES, "1 1 1 1\n"), "memory:1: 4 numbers found, 'row column [weight]' was expected");
  CHECK_TEXT(T_IO_AS(EDGES, "1 1 x\n"), "memory:1: 'x' found, a number such as");
  CHECK_TEXT(T_IO_AS(EDGES, "1,,1\n"), "memory:1: ',' found");
  CHECK_TEXT(T_IO_AS(EDGES, "# none"), "no edges found");
  CHECK_TEXT(T_IO_AS(COORDINATE, ""), "no numbers found, 'rows columns entries' was expected");
  CHECK_TEXT(T_IO_AS(COORDINATE, "2 2\n1 1 1\n"), "memory:1: '2 2' found, 'rows columns entries' was expected");
  CHECK_TEXT(T_IO_AS(COORDINATE, "2 2 5\n1 1 1\n"), "memory:1: '2 2 5' found");
  CHECK_TEXT(T_IO_AS(COORDINATE, "2 2 2\n1 1 1\n"), "memory:2: the file ends after 1 entries, 2 were expected");
  CHECK_TEXT(T_IO_AS(COORDINATE, "2 2 1\n1 3 1\n"), "memory:2: column '3' found, a whole number from 1 (or 0) to 2");
  CHECK_TEXT(T_IO_AS(COORDINATE, "2 2 2\n0 1 1\n2 1 1\n"),
             "memory:3: entry (2,1) of a 2 x 2 matrix found, whose indices");
  CHECK_TEXT(T_IO_AS(COORDINATE, "2 2 1\n1 1 1 1\n"), "; complex values are --format coordinate-complex");
  CHECK_TEXT(T_IO_AS(COORDINATE_COMPLEX, "2 2 1\n1 1 1\n"),
             "3 numbers found, 'row column real imaginary' was expected");
  CHECK_TEXT(T_IO_AS(COORDINATE_COMPLEX, "2 2 1\n1 1 1 i\n"), "'1 i' found, two real numbers were expected");
  CHECK_TEXT(T_IO_AS(COORDINATE, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 .5\n"), "1 1 r | 1 1 0.5");
  CHECK_TEXT(T_IO_AS(EDGES, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 .5\n"),
             "memory:1: a banner of format coordinate, field real found, but format edges asked for: leave that out");
  CHECK_TEXT(T_IO_AS(COORDINATE_COMPLEX, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 .5\n"),
             "a banner of");
  CHECK_TEXT(T_IO_AS(ARRAY, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 .5\n"), "a banner of");
  CHECK_TEXT((t_io_format = (perm_format)99, t_io_read("1")), "format 99 unknown, 0 to ");
  CHECK_TEXT((t_io_format = (perm_format)-1, t_io_read("1")), "format -1 unknown");
  t_io_format = PERM_FORMAT_AUTO;
  CHECK_TEXT(perm_name("format", PERM_FORMAT_COORDINATE_COMPLEX), "coordinate-complex");
  CHECK_TEXT(perm_name("format", PERM_FORMAT_COUNT), "unknown");
#undef T_IO_AS
}

/* Halfway cases, denormals and the largest double; a token longer than any fixed buffer. */
TEST(t_io_numbers_are_correctly_rounded)
{
  static char text[5000];
  CHECK_TEXT(t_io_read("9007199254740993.0 .5"), "1 1 9007199254740992");
  CHECK_TEXT(t_io_read("9007199254740993.00000000000000000000000000000000000000001"), "1 1 9007199254740994");
  CHECK_TEXT(t_io_read("4.9406564584124654e-324"), "1 1 4.9406564584124654e-324");
  CHECK_TEXT(t_io_read("1.7976931348623157e308"), "1 1 1.7976931348623157e+308");
  CHECK_TEXT(t_io_read(".5e+0 5.E-1"), "1 1 0.5 | 1 2 0.5");
  memset(text, '0', sizeof text);
  memcpy(text, "0.", 2);
  strcpy(text + 4000, "25e4000");
  CHECK_TEXT(t_io_read(text), "1 1 25"); /* 3998 zeros behind the point, then 25 */
}

/* A million numbers in one line: no limit on its length, and the sort sees large rows. */
TEST(t_io_long_lines)
{
  size_t k, count = 200000;
  char *text = (char *)malloc(2 * count + 1);
  perm_matrix matrix;
  perm_result result;
  CHECK(text != NULL);
  if (!text) return;
  for (k = 0; k < count; k++) memcpy(text + 2 * k, "7 ", 2);
  CHECK(perm_matrix_read_memory(text, 2 * count, NULL, NULL, &matrix, &result) == PERM_OK);
  CHECK(matrix.m == 1 && (size_t)matrix.n == count && matrix.nnz == count);
  CHECK(matrix.nnz == count && matrix.column[count - 1] == (int)count - 1 && matrix.integer[count - 1] == 7);
  perm_matrix_free(&matrix);
  memset(text, '+', 2 * count);
  CHECK_TEXT(t_io_refused_bytes(text, 2 * count, "a.txt"), "a.txt:1: '+++++++++++++++++++++...' found");
  free(text);
}

/* Longer ones would be read for seconds that no limit counts. */
TEST(t_io_numbers_of_a_million_digits)
{
  enum { MOST = 1048576 };
  static const char banner[] = "%%MatrixMarket matrix array real general\n1 1\n";
  static char text[MOST + 61];
  memset(text, '0', MOST + 9);
  text[MOST - 2] = '3';
  text[MOST - 1] = ' ';
  CHECK_TEXT(t_io_read(text), "1 2 i | 1 1 3");
  text[MOST - 1] = '0';
  CHECK_TEXT(t_io_read(text), "memory:1: '000000000000000000000...' found, a number such as");
  text[1] = '.';
  CHECK_TEXT(t_io_read(text), "memory:1: '0.0000000000000000000...' found, a number such as");
  text[MOST + 8] = 'i';
  CHECK_TEXT(t_io_read(text), "memory:1: '0.0000000000000000000...' found, a number such as");
  memset(text, '0', MOST + 60);
  memcpy(text, banner, sizeof banner - 1);
  CHECK_TEXT(t_io_read(text), "memory:3: value '000000000000000000000...' found, a finite decimal number was expected");
  text[MOST + 40] = 0;
  CHECK_TEXT(t_io_read(text), "1 1 i");
}

/* A locale with such a decimal point, for reading: the C library's numbers end at any other. NULL: the locale that is
   there. */
static const char *t_io_point;

static struct lconv *test_localeconv(void)
{
  static struct lconv other;
  other = *localeconv();
  if (t_io_point)
    other.decimal_point = (char *)(uintptr_t)t_io_point;
  return &other;
}

static double test_strtod(const char *text, char **end)
{
  static char copy[8192];
  const char *point = t_io_point ? strstr(text, t_io_point) : NULL;
  if (!t_io_point)
    return strtod(text, end);
  if (point)
    snprintf(copy, sizeof copy, "%.*s.%s", (int)(point - text), text, point + strlen(t_io_point));
  else
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(text, "."), text);
  return strtod(copy, NULL);
}

/* The same in locales that need not be installed: a comma, points of several bytes, up to the longest that fits. */
TEST(t_io_reads_in_any_locale)
{
  static const char *const points[] = {",", "\xd9\xab", "<a long point:>"};
  static char text[400];
  size_t k;
  for (k = 0; k < sizeof points / sizeof *points; k++) {
    t_io_point = points[k];
    CHECK(strlen(points[k]) <= 15 && test_strtod("1.5", NULL) == 1);
    CHECK_TEXT(t_io_read("1.5 -2.5e-1\n.5 1e30\n"), "2 2 r | 1 1 1.5 | 1 2 -0.25 | 2 1 0.5 | 2 2 1e+30");
    CHECK_TEXT(t_io_read("1.5+0.5i 2.\n"), "1 2 c | 1 1 1.5 0.5 | 1 2 2 0");
    CHECK_TEXT(t_io_read("%%MatrixMarket matrix array real general\n1 1\n1.25\n"), "1 1 r | 1 1 1.25");
    memset(text, '0', 300); /* longer than a copy that needs no memory */
    memcpy(text, "1.5", 3);
    CHECK_TEXT(t_io_read(text), "1 1 r | 1 1 1.5");
  }
  t_io_point = NULL;
}

/* -- what is refused --------------------------------------------------------------------------- */

TEST(t_io_refuses_bad_banners)
{
  CHECK_TEXT(t_io_refused("%%MatrixMarket\n1 1 0\n"), "a.mtx:1: the banner ends before the object, matrix was");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix\n"),
             "a.mtx:1: the banner ends before the format, coordinate or array");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array\n"), "a.mtx:1: the banner ends before the field, real, complex");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array real\n"),
             "a.mtx:1: the banner ends before the symmetry, general");
  CHECK_TEXT(t_io_refused("%%MatrixMarket vector array real general\n"), "a.mtx:1: object 'vector' found, matrix was");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix elemental real general\n"), "a.mtx:1: format 'elemental' found");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array double general\n"), "a.mtx:1: field 'double' found, real");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array real symmetrical\n"), "a.mtx:1: symmetry 'symmetrical' found");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array real general x\n"), "a.mtx:1: 'x' found after the banner");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array pattern general\n1 1\n"), "a.mtx:1: an array of field pattern");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate pattern skew-symmetric\n"),
             "a skew-symmetric pattern found");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate real hermitian\n"),
             "a hermitian matrix of field real found");
  CHECK_TEXT(t_io_refused("%%Matrix Market matrix array real general\n1 1\n1\n"),
             "a.mtx:1: '%%Matrix' found, %%MatrixMarket was expected");
  CHECK_TEXT(t_io_refused_plain("%%MatrixMarkt matrix array real general\n1 1\n1\n"), "%%MatrixMarket was expected");
  CHECK_TEXT(t_io_refused("2 2\n1 1\n"), "no banner found in a file named .mtx");
}

/* Else the entries would be read without the symmetry. */
TEST(t_io_refuses_banners_that_do_not_begin_the_file)
{
  static const char *const before[] = {"% made by x\n", "\n", "\r\n", " \n", "# made by x\n", "%\n%\n", "a,b,c\n",
                                       "\xef\xbb\xbf% x\n"};
  static const char *const banners[] = {"%%MatrixMarket matrix coordinate real skew-symmetric",
    "%MatrixMarket matrix coordinate real symmetric", "% %MatrixMarket coordinate real symmetric",
    "%% \tMATRIXMARKET", "%%MatMarket matrix", "#%%MatrixMarket x", "%%Matrx matrix coordinate real symmetric",
    "  # a Matrix\tArray real symmetric", "MatrixMarket;", "matrix coordinate symmetric"};
  static const char *const comments[] = {"% Matrix Market file", "# market of mats", "% matrix of coordinates",
    "%% coordinate matrix array_of", "# matrix, array", "%mat mar ket", "#", "%%"};
  static const char *const body = "\n3 3 3\n2 1 1.5\n3 1 2\n3 2 3\n";
  char text[256];
  size_t i, k;
  for (k = 0; k < sizeof banners / sizeof *banners; k++)
    for (i = 0; i <= sizeof before / sizeof *before; i++) {
      snprintf(text, sizeof text, "%s%s%s", i ? before[i - 1] : "", banners[k], body);
      if (i || k)
        CHECK_SHOW(strstr(t_io_refused_plain(text), " found, a banner is the first line and begins with %%Matrix"),
                   "%s: %s", text, t_io_refused_plain(text));
      t_io_format = PERM_FORMAT_COORDINATE;
      if (i || k)
        CHECK_SHOW(strstr(t_io_read(text), ": '"), "%s: %s", text, t_io_read(text));
      t_io_format = PERM_FORMAT_AUTO;
    }
  CHECK_TEXT(t_io_refused_plain("% x\n%%MatrixMarket matrix array real symmetric\n1 2\n"),
             "a.txt:2: '%%MatrixMarket matrix...' found, a banner is the first line and begins with %%MatrixMarket; "
             "if this is none, take the line out");
  for (k = 0; k < sizeof comments / sizeof *comments; k++) {
    snprintf(text, sizeof text, "%s%s%% matrix array\n", comments[k], body);
    CHECK_TEXT(t_io_read(text), "3 3 r | 2 1 1.5 | 3 1 2 | 3 2 3");
  }
  CHECK_TEXT(t_io_refused_plain("% only\n%%MatrixMarket matrix array real symmetric"), "a.txt:2: '%%MatrixMarket ");
}

TEST(t_io_refuses_bad_sizes)
{
  static const char real[] = "%%MatrixMarket matrix coordinate real general\n";
  char text[256];
#define T_IO_SIZES(sizes) (snprintf(text, sizeof text, "%s%s", real, sizes), t_io_refused(text))
  CHECK_TEXT(t_io_refused(real), "a.mtx:1: the file ends before the size line, 'rows columns entries' was expected");
  CHECK_TEXT(T_IO_SIZES("2 2\n"), "a.mtx:2: the line ends before the number of entries");
  CHECK_TEXT(T_IO_SIZES("2 2 1 1\n"), "a.mtx:2: '1' found after the sizes");
  CHECK_TEXT(T_IO_SIZES("2 x 1\n"), "a.mtx:2: number of columns 'x' found, an integer was expected");
  CHECK_TEXT(T_IO_SIZES("2.0 2 1\n"), "a.mtx:2: number of rows '2.0' found, an integer was expected");
  CHECK_TEXT(T_IO_SIZES("-1 2 1\n"), "a.mtx:2: number of rows -1 outside 0..16777216");
  CHECK_TEXT(T_IO_SIZES("1000000000 1000000000 5\n"), "a.mtx:2: number of rows 1000000000 outside 0..16777216");
  CHECK_TEXT(T_IO_SIZES("1 2147483648 1\n"), "a.mtx:2: number of columns 2147483648 outside 0..2147483647");
  CHECK_TEXT(T_IO_SIZES("1 99999999999999999999 1\n"),
             "a.mtx:2: number of columns '99999999999999999999' does not fit");
  CHECK_TEXT(T_IO_SIZES("2 2 5\n"), "a.mtx:2: 5 entries found for the 4 places of a 2 x 2 general matrix");
  CHECK_TEXT(T_IO_SIZES("100000 100000 5000000000\n1 1 1\n"), "5000000000 entries declared, but only 6 bytes follow");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array real general\n100000 100000\n1\n"),
             "a.mtx:2: 10000000000 values declared, but only 2 bytes follow");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array real general\n1\n1\n"),
             "a.mtx:2: the line ends before the number");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n"),
             "a.mtx:2: 2 x 3 found for a symm");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 1\n1 2 1\n"),
             "a.mtx:2: 2 entries found for the 1 places");
#undef T_IO_SIZES
}

TEST(t_io_refuses_bad_entries)
{
  static const char real[] = "%%MatrixMarket matrix coordinate real general\n49 49 2\n1 1 1\n";
  char text[256];
#define T_IO_ENTRY(entry) (snprintf(text, sizeof text, "%s%s\n", real, entry), t_io_refused(text))
  CHECK_TEXT(T_IO_ENTRY("50 1 1"), "a.mtx:4: row index 50 outside 1..49");
  CHECK_TEXT(T_IO_ENTRY("0 1 1"), "a.mtx:4: row index 0 outside 1..49");
  CHECK_TEXT(T_IO_ENTRY("1 -3 1"), "a.mtx:4: column index -3 outside 1..49");
  CHECK_TEXT(T_IO_ENTRY("1 4294967297 1"), "a.mtx:4: column index 4294967297 outside 1..49");
  CHECK_TEXT(T_IO_ENTRY("1 18446744073709551617 1"), "a.mtx:4: column index '18446744073709551617' does not fit");
  CHECK_TEXT(T_IO_ENTRY("1 2       "), "a.mtx:4: the line ends before the value, a decimal number was expected");
  CHECK_TEXT(T_IO_ENTRY("1 2 3 4"), "a.mtx:4: '4' found after the entry");
  CHECK_TEXT(T_IO_ENTRY("1 2 nan"), "a.mtx:4: value 'nan' found, a finite decimal number was expected");
  CHECK_TEXT(T_IO_ENTRY("1 2 -Inf"), "a.mtx:4: value '-Inf' found");
  CHECK_TEXT(T_IO_ENTRY("1 2 0x1p3"), "a.mtx:4: value '0x1p3' found");
  CHECK_TEXT(T_IO_ENTRY("1 2 1,5"), "a.mtx:4: value '1,5' found");
  CHECK_TEXT(T_IO_ENTRY("1 2 1e"), "a.mtx:4: value '1e' found");
  CHECK_TEXT(T_IO_ENTRY("1 2 ."), "a.mtx:4: value '.' found");
  CHECK_TEXT(T_IO_ENTRY("1 2 1e999"), "a.mtx:4: '1e999' is beyond the largest double");
  CHECK_TEXT(T_IO_ENTRY("1 2 -1e99999999999999999999"), "a.mtx:4: '-1e99999999999999999999' is beyond");
  CHECK_TEXT(T_IO_ENTRY("1 2 1e-999"), "a.mtx:4: '1e-999' is below the smallest double");
  CHECK_TEXT(T_IO_ENTRY("1 2 \x1b[2J\xff"), "a.mtx:4: value '?[2J?' found");
  CHECK_TEXT(T_IO_ENTRY("1 2 1\r1 3 1"), "a.mtx:4: value '1?1' found");
  CHECK_TEXT(T_IO_ENTRY("1 1 5"), "a.mtx:4: entry (1,1) found again, first given in line 3");
  CHECK_TEXT(T_IO_ENTRY("1 1 0"), "a.mtx:4: entry (1,1) found again");
  CHECK_TEXT(T_IO_ENTRY("% none"), "a.mtx:4: the file ends after 1 entries, 2 were expected");
  CHECK_TEXT(T_IO_ENTRY("1 2 1\n%\n\n2 2 1"), "a.mtx:7: '2 2 1' found after the 2 entries declared in line 2");
#undef T_IO_ENTRY
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9223372036854775808\n"),
             "a.mtx:3: value '9223372036854775808' does not fit 64 bits");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.0\n"),
             "a.mtx:3: value '1.0' found, an integer was expected");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1.0   \n"),
             "a.mtx:3: the line ends before the imaginary part");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n"),
             "a.mtx:3: '1' found after the entry");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array real general\n2 1\n1\n% none"),
             "a.mtx:4: the file ends after 1 val");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array real general\n2 1\n1\n2\n3\n"),
             "a.mtx:5: '3' found after the 2 values");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array real general\n2 1\n1 2\n"),
             "a.mtx:3: '2' found after the entry");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate real general\n0 3 0\n1 1 1\n"),
             "a.mtx:3: '1 1 1' found after");
}

TEST(t_io_refuses_what_contradicts_the_symmetry)
{
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n"),
             "a.mtx:3: entry (1,2) above the diagonal found");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n"),
             "a.mtx:3: entry (2,2) on the diagonal of a skew-symmetric matrix");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 2 1 -3\n"),
             "a.mtx:3: imaginary part -3 found on the diagonal of a hermitian matrix");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array complex hermitian\n1 1\n1 2\n"),
             "a.mtx:3: imaginary part 2 found");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 -9223372036854775808\n"),
             "a.mtx:3: the negative of -2^63");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n3 1 1\n2 1 1\n3 1 2\n"),
             "a.mtx:5: entry (3,1) found again, first given in line 3");
}

TEST(t_io_refuses_bad_plain_text)
{
  CHECK_TEXT(t_io_refused_plain(""), "a.txt:1: no numbers found");
  CHECK_TEXT(t_io_refused_plain("# nothing\n\n"), "a.txt:2: no numbers found");
  CHECK_TEXT(t_io_refused_plain("1 2\n# c\n3\n"), "a.txt:3: 1 numbers found, 2 were expected as in line 1");
  CHECK_TEXT(t_io_refused_plain("1,,2\n"), "a.txt:1: ',' found, a number was expected before it");
  CHECK_TEXT(t_io_refused_plain(",1\n"), "a.txt:1: ',' found");
  CHECK_TEXT(t_io_refused_plain("1, 2,\n"), "a.txt:1: the line ends in ','");
  CHECK_TEXT(t_io_refused_plain("1 2\n3 four\n"), "a.txt:2: 'four' found, a number such as");
  CHECK_TEXT(t_io_refused_plain("1\n1+2\n"), "a.txt:2: '1+2' found");
  CHECK_TEXT(t_io_refused_plain("1+2ii"), "'1+2ii' found");
  CHECK_TEXT(t_io_refused_plain("1+-2i"), "'1+-2i' found");
  CHECK_TEXT(t_io_refused_plain("1 ii"), "'ii' found");
  CHECK_TEXT(t_io_refused_plain("1 + 2i"), "'+' found");
  CHECK_TEXT(t_io_refused_plain("1+1e999i"), "'+1e999' is beyond the largest double");
  CHECK_TEXT(t_io_refused_plain("NaN"), "'NaN' found");
  CHECK_TEXT(t_io_refused_plain("inf 1"), "'inf' found");
  CHECK_TEXT(t_io_refused_plain("1 2\r3 4\r"), "'2?3' found");
  CHECK_TEXT(t_io_refused_bytes("1 2\n3 \0 4\n", 10, "a.txt"), "a.txt:2: a zero byte found");
  CHECK_TEXT(t_io_refused_bytes("\x1f\x8b\x08\0\0", 5, "a.gz"), "a.gz:1: a gzip file found, text was expected: zcat");
  CHECK_TEXT(t_io_refused_bytes("+", 1, NULL), "memory:1: '+' found");
}

TEST(t_io_reads_what_programs_print)
{
  /* Python, numpy.savetxt, Octave */
  CHECK_TEXT(t_io_read("1+2j (1-2j)\n(2j) (-1.5e-1+j)"),
             "2 2 c | 1 1 1 2 | 1 2 1 -2 | 2 1 0 2 | 2 2 -0.14999999999999999 1");
  CHECK_TEXT(t_io_read(" (1.0e+00+2.0e+00j) (3e0-4e0j)\n (0+0j) (0-1j)\n"),
             "2 2 c | 1 1 1 2 | 1 2 3 -4 | 2 2 0 -1");
  CHECK_TEXT(t_io_read("j,-j\n3,(1+2i)\n"), "2 2 c | 1 1 0 1 | 1 2 0 -1 | 2 1 3 0 | 2 2 1 2");
  CHECK_TEXT(t_io_read("2 2 2\n1 1 (1+2j)\n2 1 3\n\n# end"), "a 3 x 3 matrix found, or 2 entries");
  CHECK_TEXT(t_io_read("3 3 3\n1 1 (1+2j)\n2 1 3\n3 1 2j\n"), "3 3 c | 1 1 1 2 | 2 1 3 0 | 3 1 0 2");
  CHECK_TEXT(t_io_refused_plain("(1) 2"), "a.txt:1: '(1)' found, a number such as 1, -2.5e3, 1+2i or (1+2j) was");
  CHECK_TEXT(t_io_refused_plain("1 ((1+2j))"), "'((1+2j))' found");
  CHECK_TEXT(t_io_refused_plain("1\n(1+2j"), "a.txt:2: '(1+2j' found");
  CHECK_TEXT(t_io_refused_plain("(1 + 2j)"), "'(1' found");
  CHECK_TEXT(t_io_refused_plain("1+2k"), "'1+2k' found");
  CHECK_TEXT(t_io_refused_plain("1+1e999j"), "'+1e999' is beyond the largest double");
}

TEST(t_io_reads_csv)
{
  CHECK_TEXT(t_io_read("a,b\n1,2\n3,4\n"), "2 2 i | 1 1 1 | 1 2 2 | 2 1 3 | 2 2 4");
  CHECK_TEXT(t_io_read("1;2\n3 ; 4\r\n"), "2 2 i | 1 1 1 | 1 2 2 | 2 1 3 | 2 2 4");
  CHECK_TEXT(t_io_read("# c\n\"x;y\";z\n0.5;2\n"), "1 2 r | 1 1 0.5 | 1 2 2");
  CHECK_TEXT(t_io_read("one\ttwo words\n1\t2\n"), "1 2 i | 1 1 1 | 1 2 2");
  CHECK_TEXT(t_io_read("i  j value \n1 2 3\n"), "1 3 i | 1 1 1");
  CHECK_TEXT(t_io_read("\xef\xbb\xbf_a\n7\n"), "1 1 i | 1 1 7");
  CHECK_TEXT(t_io_read("i 1\n1 -i\n"), "2 2 c | 1 1 0 1 | 1 2 1 0 | 2 1 1 0 | 2 2 0 -1"); /* numbers */
  CHECK_TEXT(t_io_read("-i j\n1 2\n"), "2 2 c | 1 1 0 -1 | 1 2 0 1 | 2 1 1 0 | 2 2 2 0");
  CHECK_TEXT(t_io_read("1i 1j\n1 2\n"), "2 2 c | 1 1 0 1 | 1 2 0 1 | 2 1 1 0 | 2 2 2 0");
  CHECK_TEXT(t_io_read("i j\n"), "1 2 c | 1 1 0 1 | 1 2 0 1");
  CHECK_TEXT(t_io_read("j\n"), "1 1 c | 1 1 0 1");
  CHECK_TEXT(t_io_refused_plain("\ni\n1\n2\n"), "a.txt:2: 'i' found: names of columns or imaginary units? Write 1i "
             "for the number, or leave the line out"); /* either */
  CHECK_TEXT(t_io_refused_plain("j j\n1 2\n"), "a.txt:1: 'j j' found: names of columns");
  CHECK_TEXT(t_io_refused_plain("i,j\n1,2\n"), "a.txt:1: 'i,j' found: names of columns");
  CHECK_TEXT(t_io_refused_plain("i j\n1 2\n3 1+2j\n"), "a.txt:1: 'i j' found: names of columns");
  CHECK_TEXT(t_io_read("row,column,value\n2,2,3\n1,1,5\n2,2,7\n1,2,1\n"), "2 2 i | 1 1 5 | 1 2 1 | 2 2 7");
  CHECK_TEXT((t_io_format = PERM_FORMAT_EDGES, t_io_read("source;target\n0;1\n1;0\n")), "2 2 p | 1 2 | 2 1");
  t_io_format = PERM_FORMAT_AUTO;
  CHECK_TEXT(t_io_refused_plain("a,b\n1,2,3\n"), "a.txt:2: 3 numbers found, 2 were expected as names in the line");
  CHECK_TEXT(t_io_refused_plain("a,1\n1,2\n"), "a.txt:1: 'a' found, a number was expected; if column 1");
  CHECK_TEXT(t_io_refused_plain(",a,b\n0,1,2\n"), "a.txt:1: ',' found, a number was expected before it");
  CHECK_TEXT(t_io_refused_plain("nan nan\n1 2\n"), "a.txt:1: 'nan' found"); /* else a row would be lost */
  CHECK_TEXT(t_io_refused_plain("a,NA\n1,2\n"), "a.txt:1: 'a' found");
  CHECK_TEXT(t_io_refused_plain("a,b\n"), "a.txt:1: 'a' found");
  CHECK_TEXT(t_io_refused_plain("a b\nc d\n"), "a.txt:2: 'c' found");
  CHECK_TEXT(t_io_refused_plain("1;;2"), "a.txt:1: ';' found, a number was expected before it");
  CHECK_TEXT(t_io_refused_plain("1;2;\n"), "a.txt:1: the line ends in ';'");
  CHECK_TEXT(t_io_refused_plain("1 2; 3 4"), "a.txt:1: '2; 3 4' found after a blank, ';' was expected between numbers");
  CHECK_TEXT(t_io_refused_plain("1;2\n3,4\n"), "a.txt:2: '3,4' found, a number such as 1, -2.5e3, 1+2i or (1+2j) was "
             "expected, with a point before decimals");
  CHECK_TEXT(t_io_refused_plain("1 2\n3;4\n"), "a.txt:2: '3;4' found");
  CHECK_TEXT(t_io_refused_plain("1,5 2,5\n3,5 4,5\n"), "a.txt:1: numbers with a comma and no blank between them and");
  CHECK_TEXT(t_io_refused_plain("1 2,3\n4 5 6\n"), "are these decimals? They need a point (1.5)");
  CHECK_TEXT(t_io_refused_plain("1, 2 3\n1,2\n"), "a.txt:2: 2 numbers found"); /* each line by itself */
}

/* Tables whose first column names the rows, as pandas and R write them: refused with what to write instead, also where
   the names are numbers, which would be a column. */
TEST(t_io_row_names)
{
  static const char hint[] = "if column 1 names the rows, write the table without it: index=False (pandas), "
                             "row.names=FALSE (R)";
  static const struct { const char *text, *found; } tables[] = {
      {",a,b\nx,1,2\n", "a.txt:1: ',' found, a number was expected before it"},
      {",a,b\n0,1,2\n1,3,4\n", "a.txt:1: ',' found"},
      {",0,1\n0,1,2\n1,3,4\n", "a.txt:1: ',' found"},
      {";a;b\n0;1;2\n", "a.txt:1: ';' found"},
      {"\"\",\"a\",\"b\"\n\"1\",1,2\n", "a.txt:1: '\"\"' found"},
      {"\"\",\"a\",\"b\"\n0,1,2\n1,3,4\n", "a.txt:1: '\"\"' found"}, /* it was a 2 x 3 matrix */
      {"\"a\" \"b\"\n\"1\" 1 2\n", "a.txt:2: '\"1\"' found, a number was expected"},
      {"a b\n1 1 2\n2 3 4\n", "a.txt:2: 3 numbers found, 2 were expected as names in the line before"},
      {"\ta\tb\nx\t1\t2\n", "a.txt:2: 'x' found"},
      {"\t0\t1\n0\t1\t2\n", "a.txt:2: 3 numbers found, 2 were expected as in line 1"},
      {"city,a\nNew York,.5\n", "a.txt:2: 'New York' found"},
      {"city;a\n\"Lima; \"; -1\n", "a.txt:2: '\"Lima; \"' found"},
      {"x,1,2\ny,3,4\n", "a.txt:1: 'x' found"}};
  static const char *const others[] = {"a,b\nnan,2\n", "a b\nc d\n", "1 2\n3 4 5 6\n", "1 2\n3\n", "1,x,2\n",
                                       "1 2\n3 4\n5 6 7\n", "a b\n1 2 3 4\n", "\"a\"\n\"1\"\n", "1,,2\n", "x\n"};
  size_t k;
  for (k = 0; k < sizeof tables / sizeof *tables; k++) {
    CHECK_TEXT(t_io_refused_plain(tables[k].text), tables[k].found);
    CHECK_TEXT(t_io_refused_plain(tables[k].text), hint);
  }
  for (k = 0; k < sizeof others / sizeof *others; k++)
    CHECK_SHOW(!strstr(t_io_refused_plain(others[k]), hint), "%s", others[k]);
}

TEST(t_io_says_the_limit)
{
  perm_matrix matrix;
  perm_result result;
  CHECK(perm_matrix_read_memory("1 2\n3 9223372036854775808\n", 26, "a.txt", NULL, &matrix, &result) == PERM_OK);
  CHECK_TEXT(result.message, "a.txt: read as doubles, for line 2 has an integer beyond 64 bits (+-9.22e18)");
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_read_memory("a b\n3 9223372036854775808\n", 26, "a.txt", NULL, &matrix, &result) == PERM_OK);
  CHECK_TEXT(result.message, "a.txt: read as rows below the header 'a b'; doubles, for line 2 has");
  perm_matrix_free(&matrix);
  { /* integers that become other numbers since the matrix is not one of integers */
    static const struct { const char *text, *told; } rounded[] = {
      {"1 2\n9007199254740993 2i\n", "a: read as doubles, which round the integer in line 2"},
      {"9007199254740993 2\n0 2i\n", "a: read as doubles, which round the integer in line 1"},
      {"0.5 1\n-9007199254740993 2\n9007199254740993 1\n", "a: read as doubles, which round the integer in line 2"},
      {"i 1\n2 3-9223372036854775807i\n", "a: read as doubles, which round the integer in line 2"},
      {"i 1\n9007199254740993-2i 3\n", "a: read as doubles, which round the integer in line 2"},
      {"i 1\n2 (9007199254740993j)\n", "a: read as doubles, which round the integer in line 2"},
      {"i 1\n2 3+99999999999999999999i\n", "a: read as doubles, for line 2 has an integer beyond 64 bits (+-9.22e18)"},
      {"i 9007199254740993\n2 18446744073709551616\n", "a: read as doubles, for line 2 has an integer beyond 64 bits"},
      {"%%MatrixMarket matrix array complex general\n1 1\n9007199254740993 1\n",
       "a: read as doubles, which round the integer in line 3"},
      {"%%MatrixMarket matrix array complex general\n1 1\n1 -9007199254740993\n",
       "a: read as doubles, which round the integer in line 3"},
      {"%%MatrixMarket matrix array real general\n2 1\n.5\n9007199254740993\n",
       "a: read as doubles, which round the integer in line 4"},
      {"%%MatrixMarket matrix array real general\n1 1\n9223372036854775808\n",
       "a: read as doubles, for line 3 has an integer beyond 64 bits"},
      {"1 1 2\n2 2 .5\n3 3 9007199254740993\n", "a: read as edges"},
      {"9007199254740993 1\n", ""}, {"9007199254740992 i\n-9223372036854775808 9007199254740994i\n", ""},
      {"9007199254740993.0 i\n9.007199254740993e15 1\n", ""}, {"0.5 9007199254740991\n-9007199254740992 1\n", ""},
      {"%%MatrixMarket matrix array complex general\n1 1\n1152921504606846976 -9223372036854775808\n", ""},
      {"%%MatrixMarket matrix array integer general\n1 1\n9007199254740993\n", ""},
      {"%%MatrixMarket matrix array real general\n1 1\n9007199254740993\n", ""}};
    size_t k;
    for (k = 0; k < sizeof rounded / sizeof *rounded; k++) {
      const char *const text = rounded[k].text;
      const int edges = strstr(rounded[k].told, "edges") != NULL;
      perm_options options;
      memset(&options, 0, sizeof options);
      options.format = edges ? PERM_FORMAT_EDGES : PERM_FORMAT_AUTO;
      CHECK_SHOW(perm_matrix_read_memory(text, strlen(text), "a", &options, &matrix, &result) == PERM_OK, "%s", text);
      if (edges)
        CHECK_TEXT(result.message, "a: read as 3 edges of a 3 x 3 matrix, counted from 1; doubles, which round the "
                                   "integer in line 3");
      else
        CHECK_SHOW(!*rounded[k].told ? !*result.message : strstr(result.message, rounded[k].told) != NULL, "%s: %s",
                   text, result.message);
      perm_matrix_free(&matrix);
    }
  }
  CHECK(perm_matrix_read_memory("1e300 1i\n", 9, "a.txt", NULL, &matrix, &result) == PERM_OK);
  CHECK(!result.message[0]);
  perm_matrix_free(&matrix);
  CHECK_TEXT(t_io_refused_plain("1 2\n1/2 3"), "a.txt:2: '1/2' found, a number such as 1, -2.5e3, 1+2i or (1+2j) was "
             "expected; of fractions: multiply a row");
  CHECK_TEXT(t_io_refused_bytes("\x1f\x8b\x08\0\0\n", 6, "a.gz"),
             "a.gz:1: a gzip file found, text was expected: zcat FILE | perm -");
  CHECK_TEXT(t_io_refused_bytes("BZh91AY", 7, "a"), "a bzip2 file found, text was expected: bzcat FILE | perm -");
  CHECK_TEXT(t_io_refused_bytes("\xfd" "7zXZ\0", 6, "a"), "a xz file found, text was expected: xzcat FILE | perm -");
  CHECK_TEXT(t_io_refused_bytes("\x28\xb5\x2f\xfd", 4, "a"), "a zstd file found");
  CHECK_TEXT(t_io_refused_bytes("PK\3\4", 4, "a.npz"), "a zip (or .npz) file found, text was expected: unzip -p");
}

/* Control characters and lengths of a file name do not break the one line or push the reason out of it. */
TEST(t_io_names_in_messages)
{
  char name[600];
  memset(name, 'd', sizeof name);
  strcpy(name + 590, "/a.txt");
  CHECK_TEXT(t_io_refused_bytes("+", 1, name), "d/a.txt:1: '+' found, a number such as");
  CHECK_TEXT(t_io_refused_bytes("+", 1, "a\nb\x1b.txt"), "a?b?.txt:1: '+' found");
}

/* Memory follows the bytes that are there, not the sizes that are declared. */
TEST(t_io_memory_is_bounded_by_the_file)
{
  static const char text[] = "%%MatrixMarket matrix coordinate real general\n3 2147483647 1\n2 2147483647 1\n";
  t_io_memory memory;
  perm_options options = t_io_options(&memory);
  perm_matrix matrix;
  CHECK(perm_matrix_read_memory(text, sizeof text - 1, NULL, &options, &matrix, NULL) == PERM_OK);
  CHECK(matrix.nnz == 1 && matrix.column[0] == 2147483646);
  CHECK(memory.largest < 8192);
  perm_matrix_free(&matrix);
  CHECK(memory.live == 0);
}
/* SPDX-License-Identifier: MIT */
