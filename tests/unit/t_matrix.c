/* >>matrix, >>market, >>files */
/* Matrices from arrays and triplets; nothing leaks whichever allocation or write fails, and what is written reads back
   with the same bits. */

TEST(t_io_from_dense)
{
  double a[6] = {1, 0, 0, -2, 5e-324, 0}, bad[1]; /* 2 x 2, the third column is between the rows */
  perm_matrix matrix;
  perm_result result;
  a[2] = a[5] = bad[0] = strtod("inf", NULL);
  CHECK(perm_matrix_from_dense(2, 2, a, 3, NULL, &matrix, &result) == PERM_OK);
  CHECK(matrix.nnz == 3 && matrix.kind == PERM_KIND_REAL && matrix.row_start[1] == 1 && matrix.row_start[2] == 3);
  CHECK(matrix.column[0] == 0 && matrix.column[2] == 1 && matrix.real[2] == 5e-324);
  perm_matrix_free(&matrix);
  CHECK(t_io_is_zero(&matrix));
  CHECK(perm_matrix_from_dense(0, 0, NULL, 0, NULL, &matrix, NULL) == PERM_OK);
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_from_dense(-1, 2, a, 3, NULL, &matrix, &result) == PERM_ERROR_SIZE && result.argument == 1);
  CHECK(perm_matrix_from_dense(2, -1, a, 3, NULL, &matrix, &result) == PERM_ERROR_SIZE && result.argument == 2);
  CHECK(perm_matrix_from_dense(2, 2, NULL, 3, NULL, &matrix, &result) == PERM_ERROR_NULL && result.argument == 3);
  CHECK(perm_matrix_from_dense(2, 3, a, 2, NULL, &matrix, &result) == PERM_ERROR_STRIDE && result.argument == 4);
  CHECK(perm_matrix_from_dense(2, 2, a, 2, NULL, NULL, &result) == PERM_ERROR_NULL && result.argument == 6);
  CHECK(perm_matrix_from_dense(1, 1, bad, 1, NULL, &matrix, &result) == PERM_ERROR_NOT_FINITE);
  CHECK_TEXT(result.message, "a[0][0] is not finite");
  CHECK(t_io_is_zero(&matrix));
}

TEST(t_io_from_triplets)
{
  const int row[4] = {2, 0, 2, 0}, column[4] = {1, 3, 0, 0}, again[4] = {1, 3, 0, 3};
  const double real[4] = {1, 2, 0, 4}, imaginary[4] = {0, 0, 1, 0};
  const int64_t integer[4] = {INT64_MIN, 0, 3, 9007199254740993};
  double bad[4] = {1, 2, 3, 4};
  int no_kind = 7;
  perm_matrix matrix;
  perm_result result;
  CHECK(perm_matrix_from_triplets(3, 4, 4, row, column, NULL, NULL, NULL, PERM_KIND_PATTERN, NULL, &matrix, &result) ==
        PERM_OK);
  CHECK(matrix.nnz == 4 && !matrix.real && matrix.column[0] == 0 && matrix.column[1] == 3 && matrix.column[2] == 0);
  CHECK(matrix.row_start[1] == 2 && matrix.row_start[2] == 2 && matrix.row_start[3] == 4);
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_from_triplets(3, 4, 4, row, column, NULL, NULL, integer, PERM_KIND_INTEGER, NULL, &matrix, NULL) ==
        PERM_OK);
  CHECK(matrix.nnz == 3 && matrix.integer[2] == INT64_MIN && matrix.real[0] == 9007199254740992.0);
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_from_triplets(3, 4, 4, row, column, real, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, &result) ==
        PERM_OK);
  CHECK(matrix.nnz == 3 && matrix.real[2] == 1 && !matrix.imaginary && !matrix.integer);
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_from_triplets(3, 4, 4, row, column, real, imaginary, NULL, PERM_KIND_COMPLEX, NULL, &matrix,
                                  &result) == PERM_OK);
  CHECK(matrix.nnz == 4 && matrix.real[2] == 0 && matrix.imaginary[2] == 1);
  perm_matrix_free(&matrix);

#define T_IO_TRIPLETS(m, n, c, re, im, in, kind) \
  perm_matrix_from_triplets(m, n, 4, row, c, re, im, in, kind, NULL, &matrix, &result)
  CHECK(T_IO_TRIPLETS(3, 4, again, NULL, NULL, NULL, PERM_KIND_PATTERN) == PERM_ERROR_FORMAT);
  CHECK_TEXT(result.message, "triplet 3: entry (0,3) given before by triplet 1");
  CHECK(T_IO_TRIPLETS(2, 4, column, NULL, NULL, NULL, PERM_KIND_PATTERN) == PERM_ERROR_RANGE);
  CHECK_TEXT(result.message, "triplet 0: row index 2 outside 0..1");
  CHECK(T_IO_TRIPLETS(3, 3, column, NULL, NULL, NULL, PERM_KIND_PATTERN) == PERM_ERROR_RANGE);
  CHECK_TEXT(result.message, "triplet 1: column index 3 outside 0..2");
  CHECK(T_IO_TRIPLETS(-1, 3, column, NULL, NULL, NULL, PERM_KIND_PATTERN) == PERM_ERROR_SIZE);
  CHECK(T_IO_TRIPLETS(3, -3, column, NULL, NULL, NULL, PERM_KIND_PATTERN) == PERM_ERROR_SIZE);
  CHECK(T_IO_TRIPLETS(3, 4, NULL, NULL, NULL, NULL, PERM_KIND_PATTERN) == PERM_ERROR_NULL && result.argument == 5);
  CHECK(T_IO_TRIPLETS(3, 4, column, NULL, NULL, NULL, PERM_KIND_REAL) == PERM_ERROR_NULL && result.argument == 6);
  CHECK(T_IO_TRIPLETS(3, 4, column, real, NULL, NULL, PERM_KIND_COMPLEX) == PERM_ERROR_NULL && result.argument == 7);
  CHECK(T_IO_TRIPLETS(3, 4, column, NULL, NULL, NULL, PERM_KIND_INTEGER) == PERM_ERROR_NULL && result.argument == 8);
  CHECK(T_IO_TRIPLETS(3, 4, column, NULL, NULL, NULL, (perm_kind)no_kind) == PERM_ERROR_OPTION);
  bad[2] = strtod("nan", NULL);
  CHECK(T_IO_TRIPLETS(3, 4, column, bad, NULL, NULL, PERM_KIND_REAL) == PERM_ERROR_NOT_FINITE);
  CHECK_TEXT(result.message, "triplet 2: the value");
  CHECK(T_IO_TRIPLETS(3, 4, column, real, bad, NULL, PERM_KIND_COMPLEX) == PERM_ERROR_NOT_FINITE);
  CHECK_TEXT(result.message, "triplet 2: the imaginary part");
  CHECK(t_io_is_zero(&matrix));
#undef T_IO_TRIPLETS
}

TEST(t_io_null_arguments)
{
  perm_matrix matrix;
  perm_result result;
  memset(&matrix, 0, sizeof matrix);
  perm_matrix_free(NULL);
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_read(NULL, NULL, &matrix, NULL, &result) == PERM_ERROR_NULL && result.argument == 1);
  CHECK(perm_matrix_read("x", NULL, NULL, NULL, &result) == PERM_ERROR_NULL && result.argument == 3);
  CHECK(perm_matrix_read_memory(NULL, 1, NULL, NULL, &matrix, &result) == PERM_ERROR_NULL && result.argument == 1);
  CHECK(perm_matrix_read_memory("1", 1, NULL, NULL, NULL, &result) == PERM_ERROR_NULL && result.argument == 5);
  CHECK(perm_matrix_read_memory(NULL, 0, NULL, NULL, &matrix, NULL) == PERM_ERROR_FORMAT);
  CHECK(perm_matrix_from_triplets(0, 0, 0, NULL, NULL, NULL, NULL, NULL, PERM_KIND_REAL, NULL, NULL, &result) ==
        PERM_ERROR_NULL && result.argument == 11);
  CHECK(perm_matrix_write(NULL, &matrix, NULL, &result) == PERM_ERROR_NULL && result.argument == 1);
  CHECK(perm_matrix_write("x", NULL, NULL, &result) == PERM_ERROR_NULL && result.argument == 2);
  matrix.nnz = 1;
  CHECK(perm_matrix_write("x", &matrix, NULL, NULL) == PERM_ERROR_NULL);
}

/* The k-th allocation fails, for every k until none does: PERM_ERROR_MEMORY, a zero matrix, nothing live. */
TEST(t_io_survives_every_failing_allocation)
{
  static const char path[] = T_IO_DIRECTORY "t_io_memory.mtx";
  static const char digits[] = "0.1234567890123456789012345678901234567890123456789012345678901234567890123456789012345"
                               "678901234567890123456789012345678901234567890";
  char text[4096];
  perm_matrix matrix;
  perm_result result;
  t_io_memory memory;
  perm_options options = t_io_options(&memory);
  perm_status status;
  size_t length;
  int way, k, row[100], column[100];
  double real[100];
  FILE *file;
  length = (size_t)snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate complex hermitian\n60 60 60\n");
  for (k = 0; k < 60; k++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%d 1 1 %s\n", 60 - k, k < 59 ? "2" : "0");
  for (k = 0; k < 100; k++) {
    row[k] = 99 - k;
    column[k] = k;
    real[k] = k + 1;
  }
  file = fopen(path, "wb");
  if (!file) SKIP("cannot write in " T_IO_DIRECTORY);
  fwrite(text, 1, length, file);
  fclose(file);
  for (way = 0; way < 7; way++) {
    for (memory.fail_at = 1; memory.fail_at < 100; memory.fail_at++) {
      memory.calls = 0;
      if (way == 0) status = perm_matrix_read_memory(text, length, NULL, &options, &matrix, &result);
      else if (way == 1) status = perm_matrix_read(path, &options, &matrix, NULL, &result);
      else if (way == 2) status = perm_matrix_read_memory(digits, sizeof digits - 1, NULL, &options, &matrix, &result);
      else if (way == 3) status = perm_matrix_from_dense(10, 10, real, 10, &options, &matrix, &result);
      else status = perm_matrix_from_triplets(100, 100, 100, row, column, real, real, (const int64_t *)(void *)real,
                                              (perm_kind)(way - 3), &options, &matrix, &result);
      if (status == PERM_OK) break;
      CHECK(status == PERM_ERROR_MEMORY && result.status == status && t_io_is_zero(&matrix));
      CHECK_TEXT(result.message, "out of memory");
      CHECK(memory.live == 0);
    }
    CHECK(memory.fail_at > 3 && memory.fail_at < 100); /* it failed at least three times, and then did not */
    if (way == 1) { /* the writer's one allocation */
      memory.calls = 0;
      memory.fail_at = 1;
      CHECK(perm_matrix_write(path, &matrix, &options, &result) == PERM_ERROR_MEMORY);
    }
    perm_matrix_free(&matrix);
    CHECK(memory.live == 0);
  }
  remove(path);
}

/* No failing parse leaks either: every prefix of a file, most of them malformed. */
TEST(t_io_prefixes_do_not_leak)
{
  static const char text[] = "%%MatrixMarket matrix coordinate complex hermitian\n%\n3 3 4\n1 1 1 0\n2 1 1 1\n"
                             "3 1 1.5e3 -1\n3 3 1e-3 0\n";
  t_io_memory memory;
  perm_options options = t_io_options(&memory);
  perm_matrix matrix;
  size_t bytes, accepted = 0;
  for (bytes = 0; bytes < sizeof text; bytes++) {
    perm_status status = perm_matrix_read_memory(text, bytes, NULL, &options, &matrix, NULL);
    CHECK(status == PERM_OK || (status == PERM_ERROR_FORMAT && t_io_is_zero(&matrix)));
    accepted += status == PERM_OK;
    perm_matrix_free(&matrix);
    CHECK(memory.live == 0);
  }
  CHECK(accepted == 2); /* with and without the last line end */
}

TEST(t_io_writes_what_it_reads_bit_for_bit)
{
  static const char path[] = T_IO_DIRECTORY "t_io_round.mtx";
  static const char *const texts[6] = {
    "%%MatrixMarket matrix coordinate pattern general\n3 4 3\n1 4\n3 1\n1 2\n",
    "9223372036854775807 -9223372036854775808 0\n9007199254740993 0 -1\n",
    "0.1 -1e-300 4.9406564584124654e-324\n1.7976931348623157e308 -2.2250738585072014e-308 0.3333333333333333\n",
    "0.1+0.2i -i 1e300-1e-300i\n0 7 -0.0-4.9406564584124654e-324i\n",
    "%%MatrixMarket matrix coordinate complex general\n0 0 0\n", "0 0\n0 0\n"};
  perm_matrix first, second;
  perm_result result;
  int k;
  for (k = 0; k < 6; k++) {
    CHECK(perm_matrix_read_memory(texts[k], strlen(texts[k]), NULL, NULL, &first, &result) == PERM_OK);
    CHECK(perm_matrix_write(path, &first, NULL, &result) == PERM_OK);
    CHECK(perm_matrix_read(path, NULL, &second, NULL, &result) == PERM_OK);
    CHECK(t_io_same(&first, &second));
    CHECK((int)first.kind == (k < 4 ? k : k == 4 ? (int)PERM_KIND_COMPLEX : (int)PERM_KIND_INTEGER));
    perm_matrix_free(&second);
    perm_matrix_free(&first);
  }
  CHECK(test_shell("! ls " T_IO_DIRECTORY "t_io_round.mtx.* >/dev/null 2>&1") == 0);
  CHECK(perm_matrix_write(path, &first, NULL, &result) == PERM_OK); /* all zero */
  CHECK(perm_matrix_read(path, NULL, &second, NULL, &result) == PERM_OK && second.m == 0 && second.n == 0);
  perm_matrix_free(&second);
  remove(path);
}

/* The same kind again, but whole doubles below 2^63 become the same integers; the permanent stays. */
static void t_io_round_trip(const perm_matrix *first, const char *path)
{
  perm_matrix second;
  perm_result once, again;
  size_t k;
  CHECK(perm_matrix_write(path, first, NULL, &once) == PERM_OK);
  CHECK(perm_matrix_read(path, NULL, &second, NULL, &again) == PERM_OK);
  CHECK(first->m == second.m && first->n == second.n && first->nnz == second.nnz);
  CHECK(!first->real == !second.real);
  CHECK(!first->real || !memcmp(first->real, second.real, second.nnz * sizeof(double)));
  CHECK(perm_compute_sparse(first, NULL, &once) == PERM_OK && perm_compute_sparse(&second, NULL, &again) == PERM_OK);
  CHECK(once.exp2 == again.exp2);
  if (first->kind == PERM_KIND_REAL && second.kind == PERM_KIND_INTEGER) {
    for (k = 0; k < second.nnz; k++)
      CHECK_SHOW(first->real[k] < 9223372036854775808.0 && (int64_t)first->real[k] == second.integer[k],
                 "%.17g read as %lld", first->real[k], (long long)second.integer[k]);
    CHECK(fabs(once.value - again.value) <= once.error_bound + again.error_bound);
  } else {
    CHECK(t_io_same(first, &second) && once.value == again.value && once.imaginary == again.imaginary);
  }
  perm_matrix_free(&second);
}

TEST(t_io_writes_numbers_of_every_kind)
{
  static const char path[] = T_IO_DIRECTORY "t_io_numbers.mtx";
  static const int row[4] = {0, 0, 1, 1}, column[4] = {0, 1, 0, 1};
  double numbers[64];
  int64_t integers[24];
  perm_matrix matrix;
  int count = 0, whole = 0, i, k;
  for (k = 52; k <= 65; k++)
    for (i = -1; i <= 1; i++)
      numbers[count++] = i < 0 ? nextafter(ldexp(1, k), 0) : i > 0 ? nextafter(ldexp(1, k), INFINITY) : ldexp(1, k);
  numbers[count++] = 4503599627370495.5;
  numbers[count++] = 0.5;
  numbers[count++] = 1e17;
  numbers[count++] = 123456789012345680;
  numbers[count++] = 1e19;
  numbers[count++] = 1.7976931348623157e308;
  numbers[count++] = 4.9406564584124654e-324;
  numbers[count++] = 2.2250738585072009e-308;
  numbers[count++] = 1. / 3;
  for (k = 52; k <= 62; k++) {
    integers[whole++] = ((int64_t)1 << k) - 1;
    integers[whole++] = ((int64_t)1 << k) + 1;
  }
  integers[whole++] = INT64_MAX;
  integers[whole++] = INT64_MIN;
  for (i = 0; i < count; i++) {
    const int64_t integer[4] = {integers[i % whole], i % 2 ? 1 : -1, i % 3 ? -integers[(5 * i + 2) % 22] : 1, 3};
    double real[4], imaginary[4];
    for (k = 0; k < 4; k++) {
      real[k] = (i + k) % 3 == 0 ? -numbers[i] : k == 3 ? numbers[(7 * i + 3) % count] : k == 1 ? 1 : numbers[i];
      imaginary[k] = k == 2 ? -0.0 : -numbers[(5 * i + k) % count];
    }
    for (k = PERM_KIND_PATTERN; k <= PERM_KIND_COMPLEX; k++) {
      CHECK(perm_matrix_from_triplets(2, 2, 4, row, column, real, imaginary, integer, (perm_kind)k, NULL, &matrix,
                                      NULL) == PERM_OK);
      t_io_round_trip(&matrix, path);
      perm_matrix_free(&matrix);
    }
    real[3] = real[0]; /* whole everywhere where it is */
    CHECK(perm_matrix_from_dense(2, 2, real, 2, NULL, &matrix, NULL) == PERM_OK);
    t_io_round_trip(&matrix, path);
    perm_matrix_free(&matrix);
  }
  for (k = 0; k < 2; k++) { /* from text that is rounded */
    const char *const text = k ? "%%MatrixMarket matrix array real general\n1 1\n-9223372036854775808\n"
                               : "9223372036854775808 1\n0 4611686018427387904\n";
    CHECK(perm_matrix_read_memory(text, strlen(text), NULL, NULL, &matrix, NULL) == PERM_OK);
    CHECK(matrix.kind == PERM_KIND_REAL);
    t_io_round_trip(&matrix, path);
    perm_matrix_free(&matrix);
  }
  remove(path);
}

TEST(t_io_file_errors)
{
  static const char path[] = T_IO_DIRECTORY "t_io_errors.mtx", other[] = T_IO_DIRECTORY "t_io_errors.mtx.tmp0";
  const double a[1] = {2};
  perm_matrix matrix, read;
  perm_result result;
  CHECK(perm_matrix_read(T_IO_DIRECTORY "t_io_absent.mtx", NULL, &read, NULL, &result) == PERM_ERROR_FILE);
  CHECK_TEXT(result.message, "t_io_absent.mtx: cannot open: ");
  CHECK(perm_matrix_read(T_IO_DIRECTORY, NULL, &read, NULL, &result) == PERM_ERROR_FILE); /* a directory */
  CHECK(t_io_is_zero(&read));
  CHECK(perm_matrix_from_dense(1, 1, a, 1, NULL, &matrix, &result) == PERM_OK);
  CHECK(perm_matrix_write(T_IO_DIRECTORY "t_io_absent/a.mtx", &matrix, NULL, &result) == PERM_ERROR_FILE);
  CHECK_TEXT(result.message, "t_io_absent/a.mtx: cannot create: ");
  CHECK(perm_matrix_write(T_IO_DIRECTORY, &matrix, NULL, &result) == PERM_ERROR_FILE);

  /* somebody else's file of the temporary name is left alone */
  CHECK(perm_matrix_write(other, &matrix, NULL, &result) == PERM_OK);
  CHECK(perm_matrix_write(path, &matrix, NULL, &result) == PERM_OK);
  CHECK(t_io_exists(other) && t_io_exists(path));
  CHECK(perm_matrix_write(T_IO_DIRECTORY "t_io_errors.mtx/a.mtx", &matrix, NULL, &result) == PERM_ERROR_FILE);
  perm_matrix_free(&matrix);
  remove(other);
  remove(path);
}

/* A device is written directly, its errors are seen, and nothing is renamed onto it. By a link of our own: were the
   code wrong, the link would be replaced and not the machine's device. */
TEST(t_io_full_device)
{
#if defined(__unix__)
  static const char path[] = T_IO_DIRECTORY "t_io_full";
  const double a[1] = {2};
  perm_matrix matrix, read;
  perm_result result;
  int linked = t_io_exists("/dev/full") && system("ln -sf /dev/full " T_IO_DIRECTORY "t_io_full") == 0;
  if (!linked) SKIP("no /dev/full, or no links");
  CHECK(perm_matrix_from_dense(1, 1, a, 1, NULL, &matrix, &result) == PERM_OK);
  CHECK(perm_matrix_write(path, &matrix, NULL, &result) == PERM_ERROR_FILE);
  CHECK_TEXT(result.message, "t_io_full: cannot write: ");
  CHECK(perm_matrix_read(path, NULL, &read, NULL, &result) == PERM_ERROR_FORMAT); /* still the device: zero bytes */
  CHECK_TEXT(result.message, "t_io_full:1: a zero byte found");
  perm_matrix_free(&matrix);
  remove(path);
#else
  SKIP("no /dev/full here");
#endif
}

/* A write that fails half way leaves the old file and no other. */
TEST(t_io_failed_write_keeps_the_old_file)
{
#if defined(__unix__) && defined(RLIMIT_FSIZE) && defined(SIGXFSZ)
  static const char path[] = T_IO_DIRECTORY "t_io_limit.mtx";
  static double a[10000];
  perm_matrix small, large, read;
  perm_result result;
  struct rlimit old, limit;
  void (*handler)(int);
  int k;
  for (k = 0; k < 10000; k++) a[k] = 0.1 * (k + 1);
  CHECK(perm_matrix_from_dense(1, 1, a, 1, NULL, &small, &result) == PERM_OK);
  CHECK(perm_matrix_from_dense(100, 100, a, 100, NULL, &large, &result) == PERM_OK);
  CHECK(perm_matrix_write(path, &small, NULL, &result) == PERM_OK);
  CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
  limit = old;
  limit.rlim_cur = 50000;
  handler = signal(SIGXFSZ, SIG_IGN);
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  CHECK(perm_matrix_write(path, &large, NULL, &result) == PERM_ERROR_FILE);
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, handler);
  CHECK_TEXT(result.message, "t_io_limit.mtx: cannot write: ");
  CHECK(test_shell("! ls " T_IO_DIRECTORY "t_io_limit.mtx.* >/dev/null 2>&1") == 0);
  CHECK(perm_matrix_read(path, NULL, &read, NULL, &result) == PERM_OK && t_io_same(&read, &small));
  perm_matrix_free(&read);
  perm_matrix_free(&small);
  perm_matrix_free(&large);
  remove(path);
#else
  SKIP("no limit on file sizes here");
#endif
}

/* -- matrices of the literature ---------------------------------------------------------------- */

/* 1: read and of that shape, 0: not, -1: the file is not in PERM_MATRICES. */
static int t_io_real(const char *name, int n, size_t nnz)
{
  perm_matrix matrix;
  perm_result result;
  char path[512];
  int right;
  if (!test_matrix_path(name, path, sizeof path)) return -1;
  right = perm_matrix_read(path, NULL, &matrix, NULL, &result) == PERM_OK && matrix.m == n && matrix.n == n &&
          matrix.nnz == nnz;
  perm_matrix_free(&matrix);
  return right;
}

TEST(t_io_reads_bcspwr02)
{
  int right = t_io_real("bcspwr02", 49, 167);
  if (right < 0) SKIP("bcspwr02.mtx is not in PERM_MATRICES");
  CHECK(right == 1);
}
TEST(t_io_reads_mycielskian6)
{
  int right = t_io_real("mycielskian6", 47, 472);
  if (right < 0) SKIP("mycielskian6.mtx is not in PERM_MATRICES");
  CHECK(right == 1);
}
TEST(t_io_reads_mesh1e1)
{
  int right = t_io_real("mesh1e1", 48, 306);
  if (right < 0) SKIP("mesh1e1.mtx is not in PERM_MATRICES");
  CHECK(right == 1);
}
TEST(t_io_reads_bcsstk01)
{
  int right = t_io_real("bcsstk01", 48, 400);
  if (right < 0) SKIP("bcsstk01.mtx is not in PERM_MATRICES");
  CHECK(right == 1);
}
/* SPDX-License-Identifier: MIT */
