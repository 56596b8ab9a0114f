/* >>read, >>market, >>plain_text, >>graph, >>numpy, >>matrix, >>state, >>checkpoint, >>integers,
   >>files, >>names */
/* The readers' conditions at their boundaries, one by one: what the other tests of readers left undecided, as mutants
   (tests/attack/mutate.py) and branch counts (tests/house/coverage.sh) show. */

/* Long arrays, of keys that differ in few bytes or in all: sorted, stably, with the same items; equal keys stay put. */
TEST(t_conditions_of_sorting)
{
  const size_t count = 70000;
  uint64_t *item = (uint64_t *)malloc(4 * count * sizeof *item), *sorted; /* keys, each with its place; and room */
  int kind;
  for (kind = 0; kind < 5; kind++) {
    size_t k, wrong = 0;
    uint64_t sum = 0;
    for (k = 0; k < count; k++) {
      item[2 * k] = kind == 0 ? k : kind == 1 ? count - k : kind == 2 ? test_random() : 5;
      if (kind == 3)
        item[2 * k] = (uint64_t)k % 7 << 56;
      item[2 * k + 1] = k;
    }
    sorted = (uint64_t *)permi_sort(item, item + 2 * count, count, 2 * sizeof *item, NULL);
    CHECK(sorted == item || sorted == item + 2 * count);
    for (k = 0; k < count; k++) {
      sum += sorted[2 * k + 1];
      wrong += k && (sorted[2 * k - 2] > sorted[2 * k] ||
                     (sorted[2 * k - 2] == sorted[2 * k] && sorted[2 * k - 1] >= sorted[2 * k + 1]));
    }
    CHECK_SHOW(!wrong && sum == (uint64_t)count * (count - 1) / 2, "kind %d: %d out of order", kind, (int)wrong);
  }
  free(item);
}

/* Loops look at their limits at every 65536th step, and remember that they were stopped. */
TEST(t_conditions_of_watching)
{
  perm_options options;
  permi_control watch;
  double gathered = 0;
  size_t k;
  int calls = 0;
  memset(&options, 0, sizeof options);
  watch = permi_control_begin(&options);
  for (k = 0; k < 65536; k++)
    calls += permi_watch_step(&watch, k, 1);
  CHECK(calls == 0 && watch.worked == 65536);
  CHECK(!permi_watch_step(NULL, 5, 1) && !permi_watch_step(NULL, 65535, 1));
  CHECK(!permi_watch_gather(&watch, &gathered, 65535) && gathered == 65535 && watch.worked == 65536);
  CHECK(!permi_watch_gather(&watch, &gathered, 1) && gathered == 0 && watch.worked == 131072);
  CHECK(!permi_watch_gather(NULL, &gathered, 1));
  watch.stopped = PERM_STOPPED_CANCELLED;
  CHECK(permi_watch_step(&watch, 5, 1) && permi_watch_gather(&watch, &gathered, 1));
}

#define HEADER(type, shape) "{'descr': " type ", 'fortran_order': False, 'shape': " shape ", }"

static const char *conditions_numpy(int version, const char *dictionary, const char *data, size_t size)
{
  static char bytes[2000];
  const size_t head = t_numpy_head(bytes, version, dictionary);
  memcpy(bytes + head, data, size);
  return t_io_refused_bytes(bytes, head + size, "a.npy");
}

TEST(t_conditions_of_numpy)
{
  static const char data[64] = "AAAAAAAA";
  static char large[200000];
  size_t head;
  CHECK_TEXT(conditions_numpy(1, "{}", "", 0), "no descr in the header");
  CHECK_TEXT(conditions_numpy(1, "{", "", 0), "shorter than its header");
  CHECK_TEXT(conditions_numpy(3, HEADER("'|b10'", "(1, 1)"), data, 1), "items of type '|b10' found");
  CHECK_TEXT(conditions_numpy(1, HEADER("'|b'", "(1, 1)"), data, 1), "items of type '|b' found");
  CHECK_TEXT(conditions_numpy(1, HEADER("'|bx'", "(1, 1)"), data, 1), "items of type '|bx' found");
  CHECK_TEXT(conditions_numpy(1, HEADER("'<'", "(1, 1)"), data, 1), "items of type '<' found");
  CHECK_TEXT(conditions_numpy(1, HEADER("''", "(1, 1)"), data, 1), "items of type '' found");
  CHECK_TEXT(conditions_numpy(1, HEADER("'<c15'", "(1, 1)"), data, 16), "items of type '<c15' found");
  CHECK_TEXT(conditions_numpy(1, HEADER("'<c26'", "(1, 1)"), data, 16), "items of type '<c26' found");
  CHECK_TEXT(conditions_numpy(1, HEADER("'<c4'", "(1, 1)"), data, 4), "items of type '<c4' found");
  CHECK_TEXT(conditions_numpy(1, HEADER("'|f8'", "(1, 1)"), data, 8), "items of type '|f8' found");
  CHECK_TEXT(conditions_numpy(1, HEADER("5", "(1, 1)"), data, 8), "a name in quotes was expected");
  CHECK_TEXT(conditions_numpy(1, HEADER("'<f8'", "2, 2"), data, 32), "'(' was expected");
  CHECK_TEXT(conditions_numpy(1, HEADER("'<f8'", "(2 2)"), data, 32), "found in the header, ',' was expected");
  CHECK_TEXT(conditions_numpy(1, "{'descr': '<f8', 'shape': (2", data, 32), "',' was expected");
  CHECK_TEXT(conditions_numpy(1, "{'descr': '<f8' 'shape': (2, 2)}", data, 32), "',' was expected");
  CHECK_TEXT(conditions_numpy(1, "{'descr' '<f8'}", data, 32), "':' was expected");
  CHECK_TEXT(conditions_numpy(1, HEADER("'<f8'", "(1, 1, 1)"), data, 8), "more than two axes found, two axes were "
             "expected: save one matrix of it, a[0]");
  CHECK_TEXT(conditions_numpy(1, HEADER("'<f8'", "(1, 1, 1, 1)"), data, 8), "save a.reshape(rows, columns)");
  CHECK_TEXT(conditions_numpy(1, HEADER("'<f8'", "(1, 1, 1, 1, 1)"), data, 8), "save a.reshape(rows, columns)");
  CHECK_TEXT(conditions_numpy(1, "{'fortran_order': True", data, 8), "'' found in the header, ',' was expected");
  CHECK_TEXT(conditions_numpy(1, "{'fortran_order': Tree}", data, 8), "True or False was expected");
  CHECK_TEXT(conditions_numpy(1, "{'fortran_order': Falsy}", data, 8), "True or False was expected");
  CHECK_TEXT(conditions_numpy(1, "{'fortran_order': Trux}", data, 8), "True or False was expected");
  CHECK_TEXT(t_io_refused_bytes("\x93NUMPY\x09", 7, "a.npy"),
             "version 9 of the .npy format found, 1 to 3 were expected");
  CHECK_TEXT(t_io_refused_bytes("\x93NUMPY", 6, "a.npy"), "shorter than its header");
  { /* whole doubles beyond 64 bits stay doubles; a complex 1 is an entry */
    static const double numbers[2] = {1e300, 2}, one[2] = {1, 0};
    perm_matrix matrix;
    head = t_numpy_head(large, 1, HEADER("'<f8'", "(1, 2)"));
    memcpy(large + head, numbers, sizeof numbers);
    CHECK(perm_matrix_read_memory(large, head + 16, "a.npy", NULL, &matrix, NULL) == PERM_OK);
    CHECK(matrix.kind == PERM_KIND_REAL && matrix.nnz == 2 && matrix.real[0] == 1e300);
    perm_matrix_free(&matrix);
    head = t_numpy_head(large, 1, HEADER("'<c16'", "(1, 1)"));
    memcpy(large + head, one, sizeof one);
    CHECK(perm_matrix_read_memory(large, head + 16, "a.npy", NULL, &matrix, NULL) == PERM_OK);
    CHECK(matrix.kind == PERM_KIND_COMPLEX && matrix.nnz == 1 && matrix.real[0] == 1);
    perm_matrix_free(&matrix);
  }
  head = t_numpy_head(large, 1, "{'descr': '<f8', 'shape': (2LL"); /* the header ends in 2, the items begin with L */
  large[8] = (char)(large[8] - 2);
  CHECK_TEXT(t_io_refused_bytes(large, head, "a.npy"), "a.npy: byte 38: '' found in the header, ',' was expected");
  head = t_numpy_head(large, 4, "{}");
  CHECK(permi_numpy_head(large, head) == 0);
  large[6] = 0;
  CHECK(permi_numpy_head(large, head) == 0);
}

TEST(t_conditions_of_market)
{
#define GENERAL "%%MatrixMarket matrix coordinate real general\n"
  CHECK_TEXT(t_io_refused(GENERAL "# no comment\n2 2 1\n1 1 5\n"), "a.mtx:2: number of rows '#' found");
  CHECK_TEXT(t_io_refused(GENERAL "2 2 1\n# no comment\n1 1 5\n"), "a.mtx:3: row index '#' found");
  CHECK_TEXT(t_io_refused(GENERAL "2 2 1\n1 1 5\n# no comment\n"), "'# no comment' found after the 1 entries declared");
  CHECK_TEXT(t_io_refused(GENERAL "2 2 3\n1 1 5\n1 2 5\n1 2"),
             "3 entries declared, but only 15 bytes follow, at least 6 "
             "each were expected");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array integer general\n2 2\n1\n2"), "at least 2 each were expected");
  CHECK_TEXT(t_io_refused("%%MatrixMarket matrix array real general\n"), "'rows columns' was expected");
  CHECK_TEXT(t_io_refused(GENERAL), "'rows columns entries' was expected");
  t_io_format = PERM_FORMAT_COORDINATE_COMPLEX;
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n"), "1 1 c | 1 1 2 3");
  CHECK_TEXT(t_io_read(GENERAL "1 1 1\n1 1 2\n"), "but format coordinate-complex asked for");
  t_io_format = PERM_FORMAT_EDGES;
  CHECK_TEXT(t_io_read(GENERAL "1 1 1\n1 1 2\n"), "but format edges asked for");
  t_io_format = PERM_FORMAT_AUTO;
#undef GENERAL
}

TEST(t_conditions_of_plain_text)
{
  CHECK_TEXT(t_io_refused_plain("1 2\n3 (j)\n"), "'(j)' found, a number such as");
  CHECK_TEXT(t_io_read("1 2\n3 (2j)\n"), "2 2 c | 1 1 1 0 | 1 2 2 0 | 2 1 3 0 | 2 2 0 2");
  CHECK_TEXT(t_io_read("1 2\n3 (2i)\n"), "| 2 2 0 2");
  CHECK_TEXT(t_io_read("1 2\n3 1-i\n"), "| 2 2 1 -1");
  CHECK_TEXT(t_io_refused_plain("1 2\n3 1+2\n"), "'1+2' found, a number such as");
  CHECK_TEXT(t_io_refused_plain("1 2\n3 1i2j\n"), "'1i2j' found, a number such as");
  CHECK_TEXT(t_io_refused_plain("1 2\n3 1/\n"), "'1/' found, a number such as");
  CHECK_TEXT(t_io_read("a , b\n1,2\n3,4\n"), "2 2 i | 1 1 1 | 1 2 2 | 2 1 3 | 2 2 4"); /* blanks about names */
  CHECK_TEXT(t_io_read(" x,  y\n1,2\n3,4\n"), "2 2 i | 1 1 1");
  CHECK_TEXT(t_io_read("a  b\n1 2\n3 4\n"), "2 2 i | 1 1 1");
  CHECK_TEXT(t_io_refused_plain("1 2\n3 (1jx\n"), "'(1jx' found, a number such as");
  CHECK_TEXT(t_io_read("a\tb\t\n1\t2\t\n"), "1 2 i | 1 1 1 | 1 2 2");
  CHECK_TEXT(t_io_read("ii j\n1 2\n3 4\n"), "2 2 i | 1 1 1");
  CHECK_TEXT(t_io_read("abc j\n1 2\n3 4\n"), "2 2 i | 1 1 1");
  CHECK_TEXT(t_io_refused_plain("3 3 2\n1 2\n2 3 5\n"), "2 numbers found, 3 were expected");
  CHECK_TEXT(t_io_refused_plain("nan , b\n1,2\n3,4\n"), "'nan' found"); /* a value that is missing is no name */
  CHECK_TEXT(t_io_refused_plain("a,,b\n1,2,3\n3,4,5\n1,1,1\n"), "'a' found");
  CHECK_TEXT(t_io_refused_plain("a,[b\n1,2\n3,4\n"), "'a' found");
  CHECK_TEXT(t_io_refused_plain("4294967295 4294967295 2\n1 1\n2 2\n"),
             "4294967295 2' found, 'rows columns entries' was expected, up to 16777216, 2^31-1 and");
  CHECK_TEXT(t_io_refused_plain("3 3 1\n1 2 3 4 5\n"), "5 numbers found, 3 were expected");
  CHECK_TEXT(t_io_refused_plain("3 3 2\n1 2\n2\n"), "2 numbers found, 3 were expected");
  CHECK_TEXT(t_io_refused_plain("3 4 5\n1 2\n2 2\n"), "5 entries of a 3 x 4 matrix announced, but 2 lines follow");
  CHECK_TEXT(t_io_refused_plain("3 4 2\n1 2 3\n2 2 3\n"), "a 3 x 3 matrix found, or 2 entries of a 3 x 4 matrix?");
  CHECK_TEXT(t_io_read("3 2 5\n1 1\n1 2\n2 1\n2 2\n3 1\n"), "3 2 p | 1 1 | 1 2 | 2 1 | 2 2 | 3 1");
  CHECK_TEXT(t_io_read("3 2 4\n1 1 5 \n1 2 6\t\n2 1 7\n2 2 8 \t \n"), "3 2 i | 1 1 5 | 1 2 6 | 2 1 7 | 2 2 8");
  /* Sizes of coordinates: as many entries as the matrix has places, or as 64 bits hold. */
  CHECK_TEXT(t_io_refused_plain("2147483649 4294967294 9223372036854775806\n1 1\n"),
             "9223372036854775806 entries of a 2147483649 x 4294967294 matrix announced, but 1 lines follow");
  CHECK_TEXT(t_io_refused_plain("2147483649 4294967294 9223372036854775807\n1 1\n"), "3 were expected as in line 1");
  CHECK_TEXT(t_io_refused_plain("3000000000 4000000000 9223372036854775807\n1 1\n"),
             "9223372036854775807 entries of a 3000000000 x 4000000000 matrix announced, but 1 lines follow");
  CHECK_TEXT(t_io_refused_plain("4294967295 1 4294967296\n1 1\n"), "2 numbers found, 3 were expected as in line 1");
  t_io_format = PERM_FORMAT_COORDINATE;
  CHECK_TEXT(t_io_read("3 4 2\n1 2\n3 5\n"),
             "memory:3: column '5' found, a whole number from 1 (or 0) to 4 was expected");
  CHECK_TEXT(t_io_read("3 4 2\n0 2\n3 3\n"),
             "memory:3: entry (3,3) of a 3 x 4 matrix found, whose indices count from 0");
  CHECK_TEXT(t_io_read("3 4 2\n1 2 5 6\n"), "4 numbers found, 'row column [value]' was expected; complex values are");
  CHECK_TEXT(t_io_read("3 4 2\n1 2 5 6 7 8\n"), "over 4 numbers found, 'row column [value]' was expected");
  CHECK_TEXT(t_io_read("3 4 2\n1\n"), "1 number found, 'row column [value]' was expected");
  t_io_format = PERM_FORMAT_COORDINATE_COMPLEX;
  CHECK_TEXT(t_io_read("2 2 1\n1 2 5 6\n"), "2 2 c | 1 2 5 6");
  CHECK_TEXT(t_io_read("2 2 1\n1 2 5 x\n"), "'x' found");
  CHECK_TEXT(t_io_read("2 2 1\n1 2 y 6\n"), "'y' found");
  CHECK_TEXT(t_io_read("2 2 1\n1 2 5i 6\n"), "two real numbers were expected");
  CHECK_TEXT(t_io_read("2 2 1\n1 2 5\n"), "3 numbers found, 'row column real imaginary' was expected");
  t_io_format = PERM_FORMAT_EDGES;
  CHECK_TEXT(t_io_read("1 2\n2 2147483647\n"), "column '2147483647' found, a whole number from 0 to 2147483646");
  t_io_format = PERM_FORMAT_AUTO;
}

/* The message with which a text is read. */
static const char *conditions_note(const char *text)
{
  static perm_result result;
  perm_matrix matrix;
  CHECK(perm_matrix_read_memory(text, strlen(text), "a", NULL, &matrix, &result) == PERM_OK);
  perm_matrix_free(&matrix);
  return result.message;
}

TEST(t_conditions_of_graphs)
{
  CHECK_TEXT(t_io_refused_plain("B\x7f\n"), "'B?' found, a number such as");
  CHECK_TEXT(t_io_refused_plain(">>graph6<<B\x7f\n"), "a.txt:1: ");
  CHECK_TEXT(t_io_refused_plain("p edge 3 2\ne 1 2\ne 2\n"), "a.txt:3: the line ends before the second vertex");
  CHECK_TEXT(t_io_refused_plain("p edge 2 2\ne 1 2 9007199254740993\ne 2 1 9007199254740992\n"), "another weight");
  CHECK_TEXT(t_io_refused_plain("p edge 3 4\ne 1 2 5\ne 2 3 5\ne 2 1 5\ne 3 2 6\n"),
             "a.txt:5: edge 3 2 found with another weight than in the other direction");
  CHECK_TEXT(t_io_refused_plain("p edge 3 4\ne 2 1 5\ne 3 2 6\ne 1 2 5\ne 2 3 5\n"),
             "a.txt:5: edge 2 3 found with another weight than in the other direction");
  CHECK_TEXT(t_io_refused_plain("p edge 3 2\nq 1 2\ne 2 3\n"), "a.txt:2: 'q 1 2' found, a line 'e VERTEX VERTEX");
  /* What a graph was read as, behind an empty line. */
  CHECK_TEXT(conditions_note("\nDQc\n"), "a: read as graph6, the adjacency matrix of 5 vertices and 4 edges");
  CHECK_TEXT(conditions_note("\n:Fa@x^\n"), "a: read as sparse6, the adjacency matrix of 7 vertices and 4 edges");
  CHECK_TEXT(conditions_note("\n&DI?AO?\n"), "a: read as digraph6, the adjacency matrix of 5 vertices and 4 arcs");
}

TEST(t_conditions_of_reading)
{
  const char *path = checkpoint_path(0);
  perm_options options;
  perm_integer below;
  perm_matrix matrix;
  perm_result result;
  FILE *file;
  int i, j, read = 0;
#if defined(__unix__)
  struct rlimit usual, few;
#endif
  memset(&options, 0, sizeof options);
  options.format = (perm_format)PERM_FORMAT_COUNT;
  CHECK(perm_matrix_read_memory("1", 1, "a", &options, &matrix, &result) == PERM_ERROR_OPTION && result.argument == 4);
  options.format = (perm_format)-1;
  CHECK(perm_matrix_read_memory("1", 1, "a", &options, &matrix, &result) == PERM_ERROR_OPTION);
  CHECK(perm_matrix_read_memory(NULL, 1, "a", NULL, &matrix, &result) == PERM_ERROR_NULL && result.argument == 1);
  CHECK(perm_matrix_read_memory(NULL, 0, NULL, NULL, &matrix, &result) == PERM_ERROR_FORMAT);
  CHECK_TEXT(result.message, "memory:1: taken as plain text: no numbers found");
  /* What a file begins with may be cut off; a name may be nothing but its end. */
  CHECK_TEXT(t_io_refused_bytes("PK\3\4", 3, "a"), "'PK?' found, a number such as");
  CHECK_TEXT(t_io_refused_bytes("PK\3\4", 4, "a"), "a zip (or .npz) file found");
  CHECK_TEXT(t_io_refused_bytes("%%matrix", 7, "a"), "no numbers found");
  CHECK_TEXT(t_io_refused_bytes("%%matrix", 8, "a"), "'%%matrix' found, %%MatrixMarket was expected");
  CHECK_TEXT(t_io_refused_bytes("1 2\n3 4\n", 8, ".mtx"), "no banner found in a file named .mtx");
  file = fopen(path, "wb");
  for (i = 0; i < 400; i++)
    for (j = 0; j < 400; j++)
      fprintf(file, j == 399 ? "%d\n" : "%d ", i * 400 + j);
  fclose(file);
  CHECK(perm_matrix_read(path, NULL, &matrix, NULL, &result) == PERM_OK); /* longer than the first pieces */
  CHECK(matrix.m == 400 && matrix.n == 400 && matrix.nnz == 159999 && matrix.integer[159998] == 159999);
  perm_matrix_free(&matrix);
  file = fopen(path, "wb");
  fprintf(file, "1 2\n3 4\n");
  fclose(file);
  memset(&options, 0, sizeof options); /* reads within the same bytes, to the last, with fractions or without */
  for (i = 1, j = 1 << 18; j - i > 1;) {
    options.max_bytes = (i + j) / 2;
    *(perm_matrix_read(path, &options, &matrix, NULL, &result) == PERM_OK ? &j : &i) = (i + j) / 2;
    CHECK(result.status == PERM_OK || result.status == PERM_ERROR_LIMIT || result.status == PERM_ERROR_MEMORY);
    perm_matrix_free(&matrix);
  }
  options.max_bytes = j;
  CHECK_SHOW(perm_matrix_read(path, &options, &matrix, &below, &result) == PERM_OK, "%s", result.message);
  perm_matrix_free(&matrix);
  options.max_bytes = i;
  CHECK(perm_matrix_read(path, &options, &matrix, &below, &result) != PERM_OK);
#if defined(__unix__)
  getrlimit(RLIMIT_NOFILE, &usual);
  few = usual;
  few.rlim_cur = 100;
  setrlimit(RLIMIT_NOFILE, &few);
#endif
  for (i = 0; i < 150; i++) { /* files are closed again */
    read += perm_matrix_read(path, NULL, &matrix, NULL, &result) == PERM_OK;
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(read == 150, "%d files read: %s", read, result.message);
#if defined(__unix__)
  setrlimit(RLIMIT_NOFILE, &usual);
#endif
  remove(path);
}

/* Which argument was bad, in triplets and in compressed rows. */
TEST(t_conditions_of_entries)
{
  const int row[2] = {0, 1}, column[2] = {1, 0}, far[2] = {1, 2}, below[2] = {1, -1};
  const size_t start[3] = {0, 1, 2};
  const double largest = DBL_MAX, good[2] = {1, 2}, bad[2] = {1, (double)INFINITY}, none[2] = {1, 0};
  const int64_t zero[2] = {1, 0};
  perm_matrix matrix;
  perm_result r;
#define ARGUMENT(call, status, which) \
  CHECK_SHOW((call) == status && r.argument == which, "%d: %s", r.argument, r.message)
  ARGUMENT(perm_matrix_from_triplets(2, 2, 2, row, column, bad, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, &r),
           PERM_ERROR_NOT_FINITE, 6);
  ARGUMENT(perm_matrix_from_triplets(2, 2, 2, row, column, good, bad, NULL, PERM_KIND_COMPLEX, NULL, &matrix, &r),
           PERM_ERROR_NOT_FINITE, 7);
  ARGUMENT(perm_matrix_from_triplets(2, 2, 2, row, far, good, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, &r),
           PERM_ERROR_RANGE, 5);
  ARGUMENT(perm_matrix_from_triplets(2, 2, 2, below, column, good, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, &r),
           PERM_ERROR_RANGE, 4);
  ARGUMENT(perm_matrix_from_triplets(2, 2, 2, row, below, good, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, &r),
           PERM_ERROR_RANGE, 5);
  ARGUMENT(perm_matrix_from_dense(1, 2, bad, 2, NULL, &matrix, &r), PERM_ERROR_NOT_FINITE, 3);
  CHECK(perm_matrix_from_dense(1, 1, &largest, 1, NULL, &matrix, &r) == PERM_OK && matrix.real[0] == largest);
  perm_matrix_free(&matrix);
  ARGUMENT(perm_matrix_from_csr(2, 2, start, column, bad, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, &r),
           PERM_ERROR_NOT_FINITE, 5);
  ARGUMENT(perm_matrix_from_csr(2, 2, start, column, good, bad, NULL, PERM_KIND_COMPLEX, NULL, &matrix, &r),
           PERM_ERROR_NOT_FINITE, 6);
  ARGUMENT(perm_matrix_from_csr(2, 2, start, far, good, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, &r),
           PERM_ERROR_RANGE, 4);
  ARGUMENT(perm_matrix_from_csr(2, 2, NULL, far, good, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, &r),
           PERM_ERROR_NULL, 3);
  ARGUMENT(perm_matrix_from_csr(2, 2, start, column, good, NULL, NULL, PERM_KIND_REAL, NULL, NULL, &r),
           PERM_ERROR_NULL, 10);
  ARGUMENT(perm_matrix_from_triplets(2, 2, 2, NULL, column, good, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, &r),
           PERM_ERROR_NULL, 4);
  ARGUMENT(perm_matrix_borrow_csr(2, 2, start, column, none, NULL, NULL, PERM_KIND_REAL, &matrix, &r),
           PERM_ERROR_FORMAT, 5);
  ARGUMENT(perm_matrix_borrow_csr(2, 2, start, column, none, NULL, zero, PERM_KIND_INTEGER, &matrix, &r),
           PERM_ERROR_FORMAT, 7);
  /* Rows of no numbers, far apart: 16/17 of the bytes that a ptrdiff_t counts, and more than all. */
  CHECK(perm_matrix_from_dense(2, 0, NULL, PTRDIFF_MAX / 17 * 2, NULL, &matrix, &r) == PERM_OK && matrix.m == 2);
  perm_matrix_free(&matrix);
  ARGUMENT(perm_matrix_from_dense(2, 0, NULL, PTRDIFF_MAX / 17 * 3, NULL, &matrix, &r), PERM_ERROR_STRIDE, 4);
#undef ARGUMENT
}

/* The text as a file of fractions: what is read, or the refusal. */
static const char *conditions_fractions(const char *text)
{
  static char shown[1024];
  const char *path = checkpoint_path(1);
  perm_integer denominator;
  perm_matrix matrix;
  static perm_result result;
  FILE *file = fopen(path, "wb");
  size_t k, length;
  fputs(text, file);
  fclose(file);
  memset(&denominator, 0, sizeof denominator);
  if (perm_matrix_read(path, NULL, &matrix, &denominator, &result) != PERM_OK) {
    remove(path);
    return t_io_plain_message(result.message);
  }
  length = (size_t)snprintf(shown, sizeof shown, "%d %d %c over %llu:", matrix.m, matrix.n, "pirc"[matrix.kind],
                            (unsigned long long)denominator.word[0]);
  for (k = 0; k < matrix.nnz; k++)
    length += (size_t)snprintf(shown + length, sizeof shown - length, " %lld",
                               matrix.integer ? (long long)matrix.integer[k] : -1);
  snprintf(shown + length, sizeof shown - length, "; %s", result.message);
  perm_matrix_free(&matrix);
  remove(path);
  return shown;
}

TEST(t_conditions_of_fractions)
{
  CHECK_TEXT(conditions_fractions("1/2 1/3\n3 -1/4\n"), "2 2 i over 24: 3 2 12 -1; ");
  CHECK_TEXT(conditions_fractions("1/2 1/3\n3 -1/4\n"), "fractions, each row times its least common denominator");
  CHECK_TEXT(conditions_fractions("4/6 1\n1 1\n"), "over 3: 2 3 1 1");
  CHECK_TEXT(conditions_fractions("1/2 1\n3 4\n5 6\n"), "3 2 i over 4: 1 2 6 8 10 12"); /* fractions are no edges */
  CHECK_TEXT(conditions_fractions("1/2 1\n3 4\n5 6\n"), "fractions, each entry times their least common denominator");
  CHECK_TEXT(conditions_fractions("2/2 1\n3 4\n5 6\n"), "3 2 i over 1: 1 1 3 4 5 6");
  CHECK_TEXT(conditions_fractions("1 1\n3 4\n5 6\n"), "3 rows of two integers found: edges of a graph");
  CHECK_TEXT(conditions_fractions("1/9007199254740992 1\n1 1\n"), "over 9007199254740992: 1 9007199254740992 1 1");
  CHECK_TEXT(conditions_fractions("1/9007199254740993 1\n"), "and a denominator from 1 to 2^53 was expected");
  CHECK_TEXT(conditions_fractions("1/99999999999999999999 1\n"), "and a denominator from 1 to 2^53 was expected");
  CHECK_TEXT(conditions_fractions("99999999999999999999/2 1\n"), "a numerator of 64 bits and a denominator");
  CHECK_TEXT(conditions_fractions("1/0 1\n"), "and a denominator from 1 to 2^53 was expected");
  CHECK_TEXT(conditions_fractions("1/ 1\n"), "'1/' found, a fraction such as 1/2");
  CHECK_TEXT(conditions_fractions("1/2x 1\n"), "'1/2x' found, a fraction such as 1/2");
  CHECK_TEXT(conditions_fractions("/2 1\n"), "'/2' found, a number such as");
  CHECK_TEXT(conditions_fractions("1x2 1\n"), "'1x2' found, a number such as");
  CHECK_TEXT(conditions_fractions("1.5/2 1\n"), "'1.5/2' found, a number such as");
  CHECK_TEXT(conditions_fractions("1/2 1.5\n"), "a fraction found in a matrix that has other numbers than");
  CHECK_TEXT(conditions_fractions("9223372036854775807/1 1/3\n"), "row 1 over its common denominator has integers");
  CHECK_TEXT(conditions_fractions("-9223372036854775807/1 1/3\n"), "row 1 over its common denominator has integers");
  CHECK_TEXT(conditions_fractions("-3074457345618258602/1 1/3\n"), "over 3: -9223372036854775806 1");
  CHECK_TEXT(conditions_fractions("1/9007199254740881 1/9007199254740847 1/3\n"),
             "the least common denominator of row 1 is over 2^63");
  CHECK_TEXT(conditions_fractions("1/153092023 1/60247241209\n"), /* 2^63 - 1 */
             "1 2 i over 9223372036854775807: 60247241209 153092023");
  CHECK_TEXT(conditions_fractions("1 1/2 1\n1 1 1\n1 9223372036854775807/1 1/3\n"),
             ":3: row 3 over its common denominator has integers beyond 64 bits");
  CHECK_TEXT(conditions_fractions("1 1 1/2\n0/3 -0/3 1/3\n"), "2 3 i over 6: 2 2 1 1");
}

TEST(t_conditions_of_lines)
{
  CHECK_TEXT(t_io_read("1,\t2\t3\n4 5 6\n"), "2 3 i | 1 1 1 | 1 2 2 | 1 3 3 | 2 1 4"); /* a tab is not tight */
  CHECK_TEXT(t_io_refused_plain("1,2 3\n4 5 6\n"), "are these decimals? They need a point");
  CHECK_TEXT(t_io_refused_plain("1;2\n3 4\n"), "found after a blank, ';' was expected");
  CHECK_TEXT(t_io_refused_plain("1,2,\n"), "the line ends in ',', a number was expected after it");
  CHECK_TEXT(t_io_refused_plain("1,,2\n"), "',' found, a number was expected before it");
  CHECK_TEXT(t_io_refused_plain("1 2\n3 1e999+2i\n"), "'1e999' is beyond the largest double");
  CHECK_TEXT(t_io_refused_plain("1 2\n3 1+1e999i\n"), "'+1e999' is beyond the largest double");
  CHECK_TEXT(t_io_refused_plain("1 2\n3 /2\n"), "'/2' found, a number such as 1, -2.5e3, 1+2i or (1+2j) was");
  CHECK_TEXT(t_io_refused_plain("1 2\n3 1/2\n"), "was expected; of fractions: multiply a row by");
  CHECK_TEXT(t_io_refused_plain("1 2\n3 1:2\n"), "'1:2' found, a number such as 1, -2.5e3, 1+2i or (1+2j) was");
  CHECK_TEXT(t_io_refused_plain("~a,b\n1,2\n"), "'~a' found");
  CHECK_TEXT(t_io_refused_plain("^a,b\n1,2\n"), "'^a' found");
  CHECK_TEXT(t_io_read("_a,b\n1,2\n"), "1 2 i | 1 1 1 | 1 2 2");
  CHECK_TEXT(t_io_read("\"a\",Z\n1,2\n"), "1 2 i | 1 1 1 | 1 2 2");
  CHECK_TEXT(t_io_refused_plain("3 3 2\n1.5 2\n2 1\n"), "2 numbers found, 3 were expected as in line 1");
  CHECK_TEXT(t_io_refused_plain("3 3 2\n3 0\n0 1\n"), "2 numbers found, 3 were expected as in line 1");
  CHECK_TEXT(t_io_refused_plain("3 3 2\n0 3\n1 0\n"), "2 numbers found, 3 were expected as in line 1");
  CHECK_TEXT(t_io_read("3 3 2\n1 0\n2 1\n"), "3 3 p | 2 1 | 3 2"); /* a column 0: from 0 */
  CHECK_TEXT(t_io_refused_plain("1 1 1\n1 1\n1 1\n"), "2 numbers found, 3 were expected as in line 1");
  CHECK_TEXT(t_io_read("3 3 0\n1 1 1\n2 2 2\n3 3 3\n"), "4 3 i | 1 1 3 | 1 2 3 | 2 1 1");
  CHECK_TEXT(t_io_read("0 4294967296 0\n"), "1 3 i | 1 2 4294967296");
  t_io_format = PERM_FORMAT_COORDINATE;
  CHECK_TEXT(t_io_read("0 3 0\n"), "0 3 p");
  CHECK_TEXT(t_io_read("3 4 2\n0 2\n1 4\n"), "entry (1,4) of a 3 x 4 matrix found, whose indices count from 0");
  t_io_format = PERM_FORMAT_AUTO;
  CHECK_TEXT(t_io_refused_bytes("1 2\n", 4, "a.mtx"), "no banner found in a file named .mtx");
  CHECK_TEXT(t_io_refused_bytes("1 x\n", 4, "mtx"), "'x' found");
  CHECK_TEXT(t_io_refused_bytes("1 x\n", 4, "\x7f\x01" "b"), "??b:1: 'x' found");
  { /* integers beyond 64 bits: the first one is told */
    static const char two[] = "99999999999999999999 1\n2 99999999999999999999\n";
    static const char none[] = "99999999999999999999 2i\n1 1\n";
    perm_matrix matrix;
    perm_result r;
    CHECK(perm_matrix_read_memory(two, strlen(two), "a", NULL, &matrix, &r) == PERM_OK && matrix.real[0] == 1e20);
    CHECK_TEXT(r.message, "a: read as doubles, for line 1 has an integer beyond 64 bits");
    perm_matrix_free(&matrix);
    CHECK(perm_matrix_read_memory(none, strlen(none), "a", NULL, &matrix, &r) == PERM_OK && matrix.real[0] == 1e20);
    CHECK_TEXT(r.message, "a: read as doubles, for line 1 has an integer beyond 64 bits");
    CHECK(matrix.kind == PERM_KIND_COMPLEX);
    perm_matrix_free(&matrix);
  }
}

TEST(t_conditions_of_graph_lines)
{
  CHECK_TEXT(t_io_refused_plain("p\n"), "0 characters found after the order of a graph of 49 vertices");
  CHECK_TEXT(t_io_refused_plain("p edge\n"), "'p' found");
  CHECK_TEXT(t_io_refused_plain("p edge x 2\n"), "'p' found");
  CHECK_TEXT(t_io_refused_plain("pp edge 3 2\n"), "'pp' found");
  CHECK_TEXT(t_io_refused_plain("p edge -3 2\n"), "'-3' found as the number of vertices, a whole number");
  CHECK_TEXT(t_io_refused_plain("p edge 3 -2\n"), "'-2' found as the number of edges, a whole number");
  CHECK_TEXT(t_io_refused_plain("p cut 3 2\n"), "problem 'cut' found, edge or col");
  CHECK_TEXT(t_io_refused_plain("p edge 3 2 9\n"), "'9' found after the numbers of vertices and edges");
  CHECK_TEXT(t_io_refused_plain("p edge 3 2\np edge 3 2\n"), "a second line p found, the first was line 1");
  CHECK_TEXT(t_io_refused_plain("p edge 3 2\ne 1 2\n"), "1 edges found, 2 were announced in line 1");
  CHECK_TEXT(t_io_read("c text\np edge 3 1\nn 1 2\nd 1 2\nv 1 2\nx 1 2\nc more\ne 1 2\n"), "3 3 p | 1 2 | 2 1");
  CHECK_TEXT(t_io_refused_plain("p edge 3 1\nee 1 2\n"), "'ee 1 2' found, a line 'e VERTEX VERTEX");
  t_io_format = PERM_FORMAT_DIMACS;
  CHECK_TEXT(t_io_read("p\n"), "problem '' found, edge or col");
  CHECK_TEXT(t_io_read("e 1 2\n"), "'e 1 2' found, a line 'p edge VERTICES EDGES'");
  CHECK_TEXT(t_io_read("c only\n"), "no line p found");
  t_io_format = PERM_FORMAT_AUTO;
  CHECK_TEXT(t_io_refused_plain("~\n"), "the line ends before the order of the graph");
  /* 2^35 vertices and more */
  CHECK_TEXT(t_io_refused_plain("~~~?" "?" "?" "?" "?\n"), "a graph of 67645734912 vertices found, at most 16777216");
  CHECK_TEXT(t_io_refused_plain(">>graph6<<~~~?????\n"), "a graph of 67645734912 vertices found, at most 16777216");
  CHECK_TEXT(t_io_refused_plain(">>graph6<<~\n"), "the line ends before the order of the graph");
  CHECK_TEXT(t_io_refused_plain(">>graph6<<;A\n"), "';A' found, ':' was expected before the graph: incremental");
  CHECK_TEXT(t_io_refused_plain(">>sparse6<<A_\n"), "'A_' found, ':' was expected before the graph: incremental");
  CHECK_TEXT(t_io_refused_plain(">" ">digraph6<<A_\n"), "'A_' found, '&' was expected before the graph: incremental");
  CHECK_TEXT(t_io_refused_plain(">>graph6<<\n"), "no graph found, a line of graph6, sparse6 or digraph6");
  CHECK_TEXT(t_io_read(":@\n"), "1 1 p");
  CHECK_TEXT(t_io_read(":?\n"), "0 0 p");
  CHECK_TEXT(t_io_refused_plain(":@_\n"), "loops of a graph of one vertex found");
  CHECK_TEXT(t_io_refused_plain("A_\nA_\n"), "a second graph found, one was expected");
  CHECK_TEXT(t_io_refused_bytes("\x93NUMPY\0\0\0\0", 10, "a.npy"), "version 0 of the .npy format found");
  {
    static const double infinite[2] = {(double)INFINITY, 1}, other[2] = {1, (double)NAN};
    const char *const head = HEADER("'<c16'", "(1, 1)");
    CHECK_TEXT(conditions_numpy(1, head, (const char *)infinite, 16), "an infinity found, finite numbers");
    CHECK_TEXT(conditions_numpy(1, head, (const char *)other, 16), "NaN found, finite numbers");
  }
}

/* Triplets whose duplicates are told by the order of the lines, and the bounds of sizes and kinds. */
TEST(t_conditions_of_triplets)
{
  static const int row[5] = {0, 1, 0, 1, 0}, column[5] = {0, 0, 0, 0, 1}, ends[6] = {0, 1, 1, 0, 1, 1};
  static const double one[5] = {1, 1, 1, 1, 1}, weight[3] = {2, 2, 1}, other[3] = {2, 3, 1};
  perm_matrix matrix;
  perm_result r;
  CHECK(perm_matrix_from_triplets(2, 2, 5, row, column, one, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, &r) ==
        PERM_ERROR_FORMAT);
  CHECK_TEXT(r.message, "triplet 2: entry (0,0) given before by triplet 0"); /* not triplet 3, which comes later */
  CHECK(perm_matrix_from_triplets(2, 2, 5, column, row, one, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, &r) ==
        PERM_ERROR_FORMAT);
  CHECK_TEXT(r.message, "triplet 2: entry (0,0) given before by triplet 0");
  CHECK(perm_matrix_from_triplets(2, 2, 3, row + 1, column + 1, one, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, &r) ==
        PERM_ERROR_FORMAT);
  CHECK_TEXT(r.message, "triplet 2: entry (1,0) given before by triplet 0");
  CHECK(perm_matrix_from_edges(2, 2, 3, ends, weight, 1, NULL, &matrix, &r) == PERM_OK && matrix.nnz == 3);
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_from_edges(2, 2, 3, ends, other, 1, NULL, &matrix, &r) == PERM_ERROR_FORMAT);
  CHECK_TEXT(r.message, "another weight than in the other direction");
  CHECK(perm_matrix_from_triplets(2, 2, 1, row, column, one, NULL, NULL, (perm_kind)-1, NULL, &matrix, &r) ==
        PERM_ERROR_OPTION && r.argument == 9);
  CHECK(perm_matrix_from_triplets(2, 2, 1, row, column, one, one, NULL, (perm_kind)(PERM_KIND_COMPLEX + 1), NULL,
                                  &matrix, &r) == PERM_ERROR_OPTION && r.argument == 9);
  CHECK(perm_matrix_from_dense(PERM_MATRIX_MAX_ROWS + 1, 0, NULL, 0, NULL, &matrix, &r) == PERM_ERROR_SIZE);
  CHECK(perm_matrix_from_dense(-1, 0, NULL, 0, NULL, &matrix, &r) == PERM_ERROR_SIZE);
  CHECK(perm_matrix_from_dense(1, 0, NULL, 0, NULL, &matrix, &r) == PERM_OK && matrix.m == 1 && !matrix.nnz);
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_from_dense(0, 1, NULL, 1, NULL, &matrix, &r) == PERM_OK && matrix.n == 1);
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_from_dense(1, 1, NULL, 1, NULL, &matrix, &r) == PERM_ERROR_NULL);
}

/* States and partials: what is decoded, joined and read is of this job, or refused. */
TEST(t_conditions_of_states)
{
  const uint64_t chunks = 40, half = 20;
  perm_options options = {0}, found;
  perm_state *state, *other = NULL, *decoded = NULL;
  perm_partial partial, changed;
  perm_result r;
  perm_job *job = state_job(1, &chunks, NULL);
  unsigned char bytes[PERM_PARTIAL_BYTES];
  static unsigned char encoded[8192];
  const char *path = checkpoint_path(0);
  char text = 0, *note = &text;
  size_t size;
  CHECK(perm_state_create(job, &state) == PERM_OK && perm_state_create(job, &other) == PERM_OK);
  /* Chunks in any order: before, behind and between those that are there. */
  CHECK(perm_job_range(job, 0, half, half + 1, NULL, &partial, &r) == PERM_OK);
  CHECK(perm_state_add(job, state, 0, half, half + 1, &partial, &r) == PERM_OK);
  CHECK(perm_state_add(job, state, 0, half, half + 1, &partial, &r) == PERM_ERROR_STATE);
  CHECK_TEXT(r.message, "of leaf 0 are there already");
  CHECK(perm_state_add(job, state, 0, half - 1, half, &partial, &r) == PERM_ERROR_STATE && r.argument == 6);
  CHECK(perm_job_range(job, 0, 0, 1, NULL, &partial, &r) == PERM_OK);
  CHECK(perm_state_add(job, state, 0, 0, 1, &partial, &r) == PERM_OK);
  CHECK(perm_job_range(job, 0, half + 2, half + 3, NULL, &partial, &r) == PERM_OK);
  CHECK(perm_state_add(job, other, 0, half + 2, half + 3, &partial, &r) == PERM_OK);
  CHECK(perm_job_range(job, 0, 1, half, NULL, &partial, &r) == PERM_OK);
  CHECK(perm_state_add(job, other, 0, 1, half, &partial, &r) == PERM_OK);
  CHECK(perm_state_merge(job, state, other, &r) == PERM_OK);
  CHECK(perm_state_merge(job, state, other, &r) == PERM_ERROR_STATE); /* they are there now */
  CHECK(perm_state_merge(NULL, state, other, &r) == PERM_ERROR_NULL && r.argument == 1);
  CHECK(perm_state_merge(job, NULL, other, &r) == PERM_ERROR_NULL && r.argument == 2);
  CHECK(perm_state_merge(job, state, NULL, &r) == PERM_ERROR_NULL && r.argument == 3);
  /* Encoded numbers that no partial has. */
  CHECK(perm_partial_encode(&partial, bytes, sizeof bytes) == sizeof bytes);
  CHECK(perm_partial_decode(bytes, sizeof bytes, &changed) == PERM_OK);
  CHECK(perm_partial_decode(NULL, sizeof bytes, &changed) == PERM_ERROR_NULL);
  CHECK(perm_partial_decode(bytes, sizeof bytes, NULL) == PERM_ERROR_NULL);
#define DECODES(field, value_)                                                                        \
  changed = partial;                                                                                  \
  changed.field = value_;                                                                             \
  CHECK(perm_partial_encode(&changed, bytes, sizeof bytes) == sizeof bytes);                          \
  CHECK(perm_partial_decode(bytes, sizeof bytes, &changed) == PERM_ERROR_FORMAT && !changed.chunks);
  DECODES(lost, -1)
  DECODES(lost, (double)NAN)
  DECODES(terms, -1)
  DECODES(terms, (double)INFINITY)
  DECODES(exp2, -(INT64_C(1) << 60) - 1)
  DECODES(exp2, (INT64_C(1) << 60) + 1)
#undef DECODES
  size = perm_state_encode(job, state, NULL, encoded, sizeof encoded);
  CHECK(size > 0 && size <= sizeof encoded);
  CHECK(perm_state_decode(NULL, encoded, size, &decoded, &r) == PERM_ERROR_NULL && r.argument == 1 && !decoded);
  CHECK(perm_state_decode(job, NULL, size, &decoded, &r) == PERM_ERROR_NULL && r.argument == 2 && !decoded);
  CHECK(perm_state_decode(job, encoded, size, NULL, &r) == PERM_ERROR_NULL && r.argument == 4);
  CHECK(perm_state_decode(job, encoded, size, &decoded, &r) == PERM_OK && decoded);
  perm_state_free(decoded);
  /* Of a file: options and note, each asked for or not. */
  CHECK(perm_checkpoint_write(job, state, path, NULL, &r) == PERM_OK);
  memset(&found, 0, sizeof found);
  CHECK(perm_checkpoint_options(path, &found, &note, &r) == PERM_OK && !note);
  CHECK(perm_checkpoint_options(path, &found, NULL, &r) == PERM_OK);
  options.checkpoint.note = "why";
  CHECK(perm_checkpoint_write(job, state, path, &options, &r) == PERM_OK);
  CHECK(perm_checkpoint_options(path, &found, &note, &r) == PERM_OK && !strcmp(note, "why"));
  free(note);
  options.checkpoint.parts = 2;
  options.checkpoint.part = 1;
  CHECK(perm_checkpoint_read(job, path, &options, &decoded, &r) == PERM_ERROR_STATE && !decoded);
  CHECK_TEXT(r.message, "of the whole job, not of part 1 of 2");
  CHECK(perm_checkpoint_write(job, state, path, &options, &r) == PERM_OK);
  CHECK(perm_checkpoint_read(job, path, &options, &decoded, &r) == PERM_OK && decoded);
  perm_state_free(decoded);
  options.checkpoint.part = 2;
  CHECK(perm_checkpoint_read(job, path, &options, &decoded, &r) == PERM_ERROR_STATE && !decoded);
  CHECK_TEXT(r.message, "of part 1 of 2, not 2 of 2");
  options.checkpoint.parts = 3;
  options.checkpoint.part = 1;
  CHECK(perm_checkpoint_read(job, path, &options, &decoded, &r) == PERM_ERROR_STATE && !decoded);
  CHECK_TEXT(r.message, "of part 1 of 2, not 1 of 3");
  CHECK(perm_checkpoint_read(NULL, path, NULL, &decoded, &r) == PERM_ERROR_NULL && r.argument == 1);
  CHECK(perm_checkpoint_read(job, NULL, NULL, &decoded, &r) == PERM_ERROR_NULL && r.argument == 2);
  CHECK(perm_checkpoint_options(NULL, &found, NULL, &r) == PERM_ERROR_NULL && r.argument == 1);
  CHECK(perm_checkpoint_options(path, NULL, NULL, &r) == PERM_ERROR_NULL && r.argument == 2);
  remove(path);
  perm_state_free(other);
  perm_state_free(state);
  perm_job_free(job);
}

/* a + b i, exactly. */
static permi_number conditions_whole(int64_t a, int64_t b)
{
  permi_number number;
  memset(&number, 0, sizeof number);
  number.exact = 1;
  number.integer = permi_integer_of(a);
  number.imaginary_integer = permi_integer_of(b);
  number.value = permi_dd_make((double)a);
  number.imaginary = permi_dd_make((double)b);
  return number;
}

/* Products of numbers: exact ones stay exact, and are refused where a perm_integer is too short, whichever part it
   is. */
TEST(t_conditions_of_numbers)
{
  const permi_number gaussian = conditions_whole(3, 4), whole = conditions_whole(5, 0);
  permi_number a = gaussian, b = whole, long_number = conditions_whole(1, 0), long_imaginary = conditions_whole(1, 1);
  int k;
  CHECK(permi_number_multiply(&a, &b) == PERM_OK && a.exact && a.integer.word[0] == 15);
  CHECK(a.imaginary_integer.word[0] == 20 && a.error == 0);
  a = gaussian;
  CHECK(permi_number_multiply(&a, &gaussian) == PERM_OK && a.exact); /* -7 + 24 i */
  CHECK(a.integer.negative && a.integer.word[0] == 7 && a.imaginary_integer.word[0] == 24);
  a = whole;
  CHECK(permi_number_multiply(&a, &gaussian) == PERM_OK && a.integer.word[0] == 15);
  CHECK(a.imaginary_integer.word[0] == 20);
  for (k = 0; k < PERM_INTEGER_WORDS; k++) { /* the largest integer, alone and as a part */
    long_number.integer.word[k] = long_imaginary.imaginary_integer.word[k] = UINT64_MAX;
    long_number.integer.words = long_imaginary.imaginary_integer.words = PERM_INTEGER_WORDS;
  }
  a = long_number;
  CHECK(permi_number_multiply(&a, &whole) == PERM_ERROR_OVERFLOW);
  a = long_imaginary;
  CHECK(permi_number_multiply(&a, &whole) == PERM_ERROR_OVERFLOW); /* imaginary times real */
  a = whole;
  CHECK(permi_number_multiply(&a, &long_imaginary) == PERM_ERROR_OVERFLOW); /* real times imaginary */
  a = conditions_whole(0, 2);
  CHECK(permi_number_multiply(&a, &long_imaginary) == PERM_ERROR_OVERFLOW); /* imaginary times imaginary */
  b = long_number;
  b.imaginary_integer = permi_integer_of(1);
  a = conditions_whole(1, -1);
  CHECK(permi_number_multiply(&a, &b) == PERM_ERROR_OVERFLOW); /* the sum of two products */
  a = conditions_whole(1, 1);
  CHECK(permi_number_multiply(&a, &b) == PERM_ERROR_OVERFLOW);
}

/* What stands where a file was wanted, and integers and texts at their ends. */
TEST(t_conditions_of_files_and_texts)
{
  const uint64_t chunks = 4;
  perm_job *job = state_job(1, &chunks, NULL);
  perm_options found;
  perm_integer integer;
  perm_result r;
  char text[40] = "before";
  int64_t value = 7;
  memset(&found, 0, sizeof found);
#if defined(__unix__)
  {
    const char *path = checkpoint_path(2);
    CHECK(perm_checkpoint_options("/dev/null", &found, NULL, &r) == PERM_ERROR_FILE);
    CHECK_TEXT(r.message, "it is a device, not a regular file");
    CHECK(perm_checkpoint_options(".", &found, NULL, &r) == PERM_ERROR_FILE);
    CHECK_TEXT(r.message, "it is a directory, not a file");
    remove(path);
    CHECK(mkfifo(path, 0600) == 0);
    CHECK(perm_checkpoint_options(path, &found, NULL, &r) == PERM_ERROR_FILE);
    CHECK_TEXT(r.message, "it is a FIFO, not a regular file");
    remove(path);
    CHECK(strstr(permi_file_refusal(S_IFBLK), "device") && strstr(permi_file_refusal(S_IFSOCK), "socket"));
    CHECK(!permi_file_refusal(S_IFREG));
  }
#endif
  memset(&integer, 0x11, sizeof integer); /* of 0 no word is in use */
  integer.words = 0;
  CHECK(inside_int64(&integer, &value) && value == 0);
  memset(&integer, 0, sizeof integer);
  integer.words = 1;
  integer.word[0] = UINT64_C(1) << 63;
  CHECK(!inside_int64(&integer, &value));
  integer.negative = 1;
  CHECK(inside_int64(&integer, &value) && value == INT64_MIN);
  integer.word[0]++;
  CHECK(!inside_int64(&integer, &value));
  integer.words = 2;
  integer.word[0] = integer.word[1] = 1;
  CHECK(!inside_int64(&integer, &value) && value == INT64_MIN);
  CHECK(perm_result_text(NULL, text, sizeof text) == 0 && !*text);
  CHECK(perm_result_text(NULL, text, 0) == 0 && perm_result_text(NULL, NULL, 5) == 0);
  memset(&r, 0, sizeof r);
  r.value = 0.5;
  CHECK(perm_result_text(&r, NULL, 0) == 3 && perm_result_text(&r, text, sizeof text) == 3 && !strcmp(text, "0.5"));
  r.exp2 = -7;
  CHECK(perm_result_text(&r, text, sizeof text) == 10 && !strcmp(text, "0.5 * 2^-7"));
  r.is_complex = 1;
  r.imaginary = -2;
  CHECK(perm_result_text(&r, text, sizeof text) == 15 && !strcmp(text, "(0.5-2i) * 2^-7"));
  r.exp2 = 0;
  CHECK(perm_result_text(&r, text, sizeof text) == 6 && !strcmp(text, "0.5-2i"));
  CHECK(perm_result_text(&r, text, 4) == 6 && !strcmp(text, "0.5"));
  perm_job_free(job);
}
/* SPDX-License-Identifier: MIT */
