/* >>memory, >>market */
/* No text that the library writes depends on the locale: files, plans, results, messages, pictures. */

#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define T_LOCALE_DIRECTORY "build/" /* tests run from the top level; files made here are removed again */

/* A locale with a decimal comma: an installed one, or one made here. 0: neither works. */
static int t_locale_comma(void)
{
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "t_locale_comma"};
  FILE *file;
  size_t k;
  for (k = 0; k < sizeof names / sizeof *names; k++)
    if (setlocale(LC_NUMERIC, names[k]))
      return strcmp(localeconv()->decimal_point, ",") == 0;
#if defined(__GLIBC__)
  if (!(file = fopen(T_LOCALE_DIRECTORY "t_locale_comma.txt", "w")))
    return 0;
  fputs("escape_char /\ncomment_char %\nLC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\n"
        "END LC_NUMERIC\n", file);
  fclose(file);
  if (system("cd " T_LOCALE_DIRECTORY ". && localedef -c -i ./t_locale_comma.txt ./t_locale_comma >/dev/null 2>&1; "
             "true") != 0)
    return 0;
  setenv("LOCPATH", T_LOCALE_DIRECTORY, 1); /* not when the program began: the names above are looked for elsewhere */
  return setlocale(LC_NUMERIC, "t_locale_comma") && strcmp(localeconv()->decimal_point, ",") == 0;
#else
  (void)file;
  return 0;
#endif
}

/* The decimal point of the text is '.', whatever the locale thinks. */
TEST(t_locale_of_files)
{
  static const char path[] = T_LOCALE_DIRECTORY "t_locale.mtx";
  const double a[1] = {0.1};
  perm_matrix written, matrix;
  perm_result result;
  if (!t_locale_comma()) SKIP("no locale with a decimal comma is installed, and localedef makes none");
  CHECK(perm_matrix_read_memory("1.5", 3, NULL, NULL, &matrix, &result) == PERM_OK);
  CHECK(matrix.nnz == 1 && matrix.real && matrix.real[0] == 1.5);
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_from_dense(1, 1, a, 1, NULL, &written, &result) == PERM_OK);
  CHECK(perm_matrix_write(path, &written, NULL, &result) == PERM_OK);
  setlocale(LC_NUMERIC, "C");
  CHECK(perm_matrix_read(path, NULL, &matrix, NULL, &result) == PERM_OK);
  CHECK(matrix.nnz == 1 && matrix.real && matrix.real[0] == 0.1);
  perm_matrix_free(&matrix);
  perm_matrix_free(&written);
  remove(path);
}

/* What is said of jobs, results and failures, as one text. */
static size_t t_locale_said(char *text, size_t size)
{
  static const char *const kinds[] = {"er:24:0.2",    "band:30:3",  "grid:6:6",
                                      "regular:20:4", "uniform:20", "binary:20:0.4"};
  static const char picture[] = T_LOCALE_DIRECTORY "t_locale_said.svg";
  static const double chances[9] = {0.25, 0.5, 0.125, 1, 0.75, 0.5, 0.25, 0.5, 0.5}, bad[2] = {0.5, -1.5};
  perm_options options = {0};
  perm_result result;
  perm_matrix matrix;
  FILE *file;
  size_t length = 0, k;
  int method;
  for (k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (perm_generate(kinds[k], 1, NULL, &matrix, NULL) != PERM_OK)
      continue;
    for (method = 0; method < PERM_METHOD_COUNT; method++) {
      perm_job *job = NULL;
      options.method = (perm_method)method;
      if (perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK)
        length += perm_job_explain(job, text + length, size - length);
      else
        length += (size_t)snprintf(text + length, size - length, "%s\n", result.message);
      perm_job_free(job);
    }
    options.method = PERM_METHOD_FRONTIER;
    if (perm_sparse_spy(&matrix, &options, picture, NULL, &result) == PERM_OK &&
        (file = fopen(picture, "rb")) != NULL) {
      length += fread(text + length, 1, size - length - 1, file);
      fclose(file);
      remove(picture);
    }
    perm_matrix_free(&matrix);
  }
  text[length] = 0;
  options.method = PERM_METHOD_AUTO;
  CHECK(perm_compute_real(3, 3, chances, 3, NULL, &result) == PERM_OK);
  length += perm_result_text(&result, text + length, size - length);
  result.exact = 0;
  result.exp2 = -4000;
  length += perm_result_text(&result, text + length, size - length);
  result.is_complex = 1;
  length += perm_result_text(&result, text + length, size - length);
  result.exp2 = 0;
  length += perm_result_text(&result, text + length, size - length);
  length += perm_amount_text("seconds", 0.00123, text + length, size - length);
  length += perm_amount_text("bytes", 1.23e9, text + length, size - length);
  options.max_seconds = 0.5;
  options.tolerance = 1e-300;
  perm_compute_real(3, 3, chances, 3, &options, &result);
  length += (size_t)snprintf(text + length, size - length, "%s\n", result.message);
  if (perm_matrix_from_dense(1, 2, bad, 2, NULL, &matrix, &result) == PERM_OK) {
    int columns[1];
    CHECK(perm_sample_sparse(&matrix, NULL, 1, 0, 1, columns, &result) != PERM_OK);
    length += (size_t)snprintf(text + length, size - length, "%s\n", result.message);
    perm_matrix_free(&matrix);
  }
  return length;
}

/* As the C library prints in its own locale; a point for whatever stands between digits. */
TEST(t_locale_prints_numbers)
{
  static const char *const numbers[][2] = {{"1,5", "1.5"}, {"-0,41275e-05", "-0.41275e-05"},
                                           {"+2\xd9\xab" "25", "+2.25"},
                                           {"7<a long point:>125", "7.125"}, {"12", "12"}, {"1e+30", "1e+30"},
                                           {"inf", "inf"}, {"-nan", "-nan"}, {"3.5", "3.5"}};
  const double values[] = {0,    -0.0, 1,    -1.5,     0.1,       1e300, 5e-324, 123456.789,
                           1e15, 1e16, 1e17, INFINITY, -INFINITY, NAN};
  char text[500], expected[500];
  size_t k, room;
  for (k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    strcpy(text, numbers[k][0]);
    permi_put_point(text);
    CHECK_SHOW(!strcmp(text, numbers[k][1]), "%s: %s", numbers[k][0], text);
  }
#define SAYS(...)                                                                                                      \
  for (room = 0; room < 500; room = room ? 7 * room : 1) {                                                             \
    memset(text, 'x', sizeof text);                                                                                    \
    memset(expected, 'x', sizeof expected);                                                                            \
    CHECK(permi_say(text, room, __VA_ARGS__) == (size_t)snprintf(expected, room, __VA_ARGS__));                        \
    CHECK_SHOW(!memcmp(text, expected, sizeof text), "%.*s, not %.*s", (int)room, text, (int)room, expected);          \
  }
  for (k = 0; k < sizeof values / sizeof *values; k++) {
    SAYS("%g %.17g %+.17gi %.0f|%.3f", values[k], values[k], values[k], values[k], values[k])
    SAYS("%e %.16e %.0e %.*g%%", values[k], values[k], values[k], 5, values[k])
  }
  SAYS("%d %d %5d|%-6d|%lld", 0, INT_MIN, 17, -17, LLONG_MIN)
  SAYS("%u %x %08x %016llx %llu %lld", UINT_MAX, 255u, 0xbeefu, 0x123456789abcull, ULLONG_MAX, LLONG_MAX)
  SAYS("%s|%12s|%-12s|%.3s|%.*s|%*s|%c%c", "", "right", "left", "cut off", 2, "cut", 5, "", 'a', '%')
  SAYS("%s", "no end of a text that is longer than the room for a number, which is three hundred and fifty-two bytes: "
       "it is copied, and not printed to a place of its own first, so that it may be as long as it likes; and so on, "
       "until there are enough letters in it to be longer than that, about one hundred and fifty letters more. Here "
       "they are: the end is near, and it is not cut off.")
#undef SAYS
}

TEST(t_locale_of_texts)
{
  static const size_t room = 400000;
  char *text[2];
  size_t length[2], k;
  int other = 0;
  for (k = 0; k < 2; k++) {
    other = k && t_locale_comma();
    text[k] = (char *)calloc(room, 1);
    length[k] = text[k] ? t_locale_said(text[k], room) : 0;
    setlocale(LC_NUMERIC, "C");
  }
  CHECK_SHOW(length[0] > 20000 && length[0] < room, "%zu bytes", length[0]);
  for (k = 0; k < length[0] && text[0][k] == text[1][k];) k++;
  CHECK_SHOW(k == length[0] && k == length[1], "\"%.60s\", not \"%.60s\"", text[1] + k, text[0] + k);
  free(text[0]);
  free(text[1]);
  if (!other) SKIP("no locale with a decimal comma is installed, and localedef makes none");
}
/* SPDX-License-Identifier: MIT */
