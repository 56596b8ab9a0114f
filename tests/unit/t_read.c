/* >>read, >>plain_text, >>graph, >>numpy */
/* What a file was taken for is said: first lines that count columns, refusals, UTF-16, files of many graphs. */

static const char *t_read_told(const char *text, perm_format format)
{
  static perm_result result;
  perm_options options;
  perm_matrix matrix;
  memset(&options, 0, sizeof options);
  options.format = format;
  if (perm_matrix_read_memory(text, strlen(text), "a", &options, &matrix, &result) == PERM_OK)
    perm_matrix_free(&matrix);
  return result.message;
}

/* A table without names has the numbers of its columns in the first line: pandas and R write them. */
TEST(t_read_header_that_counts)
{
  static const char table[] = "0,1,2\n1.5,2,3\n4,5,6\n7,8,9\n", from_1[] = "1 2 3\n4 0 6\n7 8 9\n3 11 12\n";
  char text[4000];
  int n, base, i, j, length;
  CHECK_TEXT(t_io_read(table), "3 3 r | 1 1 1.5 | 1 2 2 | 1 3 3 | 2 1 4 | 2 2 5 | 2 3 6 | 3 1 7 | 3 2 8 | 3 3 9");
  CHECK_TEXT(t_read_told(table, PERM_FORMAT_AUTO), "a: read as rows below the header '0,1,2'; --format array makes it "
             "a row too");
  CHECK_TEXT(t_io_read(from_1), "3 3 i | 1 1 4 | 1 3 6 | 2 1 7 | 2 2 8 | 2 3 9 | 3 1 3 | 3 2 11 | 3 3 12");
  CHECK_TEXT((t_io_format = PERM_FORMAT_ARRAY, t_io_read(table)), "4 3 r | 1 2 1 | 1 3 2 | 2 1 1.5");
  t_io_format = PERM_FORMAT_AUTO;
  CHECK_TEXT(t_read_told(table, PERM_FORMAT_ARRAY), "a: read as rows, the first of them '0,1,2', which may be a "
             "header");
  for (n = 2; n < 12; n++)
    for (base = 0; base < 2; base++) {
      for (length = 0, j = 0; j < n; j++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%d%s", j + base, j < n - 1 ? ";" : "\n");
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
          length += snprintf(text + length, sizeof text - (size_t)length, "%.1f%s", 0.5 + i * j,
                             j < n - 1 ? "; " : "\n");
      t_formats_begin(n, n, PERM_KIND_REAL);
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) t_formats_add(i, j, 0.5 + i * j, 0);
      T_FORMATS_SAME(text, (size_t)length, PERM_FORMAT_AUTO);
    }
  /* what does not count all columns, or has not as many rows below, is numbers */
  CHECK_TEXT(t_io_read("0 1 2\n1 2 3\n4 5 6\n"), "3 3 i | 1 2 1 | 1 3 2");
  CHECK_TEXT(t_io_read("1 2 3\n1 2 3\n4 5 6\n7 8 9\n1 2 3\n"), "5 3 i | 1 1 1");
  CHECK_TEXT(t_io_read("0 1 3\n1 2 3\n4 5 6\n7 8 9\n"), "4 3 i | 1 2 1 | 1 3 3");
  CHECK_TEXT(t_io_read("2 3 4\n1 2 3\n4 5 6\n7 8 9\n"), "4 3 i | 1 1 2");
  CHECK_TEXT(t_io_read("0.0 1 2\n1 2 3\n4 5 6\n7 8 9\n"), "4 3 i | 1 2 1");
  CHECK_TEXT(t_io_read("1\n5\n"), "2 1 i | 1 1 1 | 2 1 5"); /* no header of one column is told from a number */
  CHECK_TEXT(t_io_read("a,b\n0,1\n5,6\n"), "2 2 i | 1 2 1 | 2 1 5 | 2 2 6"); /* there is one already */
  CHECK_TEXT(t_io_refused_plain("0 1\n1 2\n2 0\n"), "3 rows of two integers found: edges of a graph, or a 3 x 2 "
             "matrix? Say which: --format edges|array; if the first is a header, leave it out");
  CHECK_TEXT(t_io_refused_plain("3 1\n1 2\n2 0\n"), "--format edges|array");
  CHECK(!strstr(t_io_refused_plain("3 1\n1 2\n2 0\n"), "header"));
}

/* Rows of n pairs are no complex numbers, which is told where one is below 0 and none was asked for as an array. */
TEST(t_read_pairs)
{
  static const char told[] = "a: read as 2 x 4 real numbers; complex ones are words such as 0.5-1.25i, not pairs";
  static const char *const quiet[] = {"1 -2 3 4\n5 6 7 8\n", ".5 2 3 4\n5 6 7 8\n", ".5 -2 3\n5 6 7\n",
                                      ".5 -2i 1 2\n1 2 3 4\n", ".5 -1 2\n", "1.5 -2\n3 4\n", "-.5\n",
                                      "1/2 -2 3 4\n5 6 7 8\n"};
  CHECK_TEXT(t_read_told("0.5 -2 3 4\n5 6 7 8\n", PERM_FORMAT_AUTO), told);
  CHECK(!*t_read_told("0.5 -2 3 4\n5 6 7 8\n", PERM_FORMAT_ARRAY));
  CHECK_TEXT(t_io_read("0.5 -2 3 4\n5 6 7 8\n"), "2 4 r | 1 1 0.5 | 1 2 -2 | 1 3 3");
  for (size_t k = 0; k < sizeof quiet / sizeof *quiet; k++)
    CHECK_SHOW(!strstr(t_read_told(quiet[k], PERM_FORMAT_AUTO), "pairs"), "%s", quiet[k]);
}

/* Lines of 0 and 1 alone, all as long, are rows. */
TEST(t_read_rows_without_blanks)
{
  static const char rows[] = "a: read as rows of 0 and 1 without blanks; --format array takes each line as one number";
  static const char column[] = "a: read as one number a line; if each digit is an entry, put blanks between: sed "
                               "'s/./& /g' FILE | perm -";
  static const char *const numbers[] = {"123\n456\n789\n", "12\n34\n", "011\n10\n110\n", "01\n2\n",
                                        "0110\n", "011\n101\n112\n", "021\n111\n"};
  static const char *const quiet[] = {"1\n5\n", "0\n1\n", "10\n1\n", "10\n", "-1\n11\n", "10\n11 0\n", "10\n+1\n",
                                      "10\n1.\n", "x\n10\n11\n", "10,11\n11,10\n", "1 0\n0 1\n"};
  static char text[4 * 66 * 67];
  static char want[66 * 66];
  size_t k;
  int m, n, i, j, length;
  CHECK_TEXT(t_io_read("011\n101\n110\n"), "3 3 i | 1 2 1 | 1 3 1 | 2 1 1 | 2 3 1 | 3 1 1 | 3 2 1");
  CHECK_TEXT(t_io_read("# c\n\n 10\r\n11\t\n% c"), "2 2 i | 1 1 1 | 2 1 1 | 2 2 1");
  CHECK_TEXT(t_io_read("01\n10\n11\n"), "3 2 i | 1 2 1 | 2 1 1 | 3 1 1 | 3 2 1"); /* no header that counts, no edges */
  CHECK_TEXT(t_io_read("00\n00\n"), "2 2 i");
  CHECK_TEXT(t_read_told("011\n101\n110\n", PERM_FORMAT_AUTO), rows);
  CHECK_TEXT(t_read_told("10\n11\n", PERM_FORMAT_AUTO), rows);
  CHECK_TEXT(t_read_told("10\n11\n11\n", PERM_FORMAT_AUTO), rows);
  CHECK_TEXT(t_read_told("01\n10\n11\n", PERM_FORMAT_AUTO), rows);
  CHECK(!*t_read_told("011\n101\n110\n", PERM_FORMAT_ARRAY) && !*t_read_told("10\n11\n11\n", PERM_FORMAT_ARRAY));
  CHECK_TEXT((t_io_format = PERM_FORMAT_ARRAY, t_io_read("011\n101\n110\n")), "3 1 i | 1 1 11 | 2 1 101 | 3 1 110");
  t_io_format = PERM_FORMAT_AUTO;
  for (k = 0; k < sizeof numbers / sizeof *numbers; k++)
    CHECK_SHOW(!strcmp(t_read_told(numbers[k], PERM_FORMAT_AUTO), column), "%s: %s", numbers[k],
               t_read_told(numbers[k], PERM_FORMAT_AUTO));
  for (k = 0; k < sizeof quiet / sizeof *quiet; k++)
    CHECK_SHOW(!strstr(t_read_told(quiet[k], PERM_FORMAT_AUTO), column + 3) &&
               !strstr(t_read_told(quiet[k], PERM_FORMAT_AUTO), rows + 3), "%s: %s", quiet[k],
               t_read_told(quiet[k], PERM_FORMAT_AUTO));
  CHECK_TEXT(t_io_read("1011\n1100\n1110\n"), "3 4 i | 1 1 1 | 1 3 1 | 1 4 1 | 2 1 1 | 2 2 1 | 3 1 1 | 3 2 1 | 3 3 1");
  CHECK_TEXT(t_io_read("10\n11\n12\n"), "3 1 i | 1 1 10 | 2 1 11 | 3 1 12");
  for (k = 0; k < 60; k++) { /* with blanks they are the same matrix; numbers of 65 digits are no matter */
    m = 2 + (int)test_below(k < 30 ? 5 : 64), n = k % 2 ? m : 2 + (int)test_below(64);
    t_formats_begin(m, n, PERM_KIND_INTEGER);
    for (length = 0, i = 0; i < m; i++) {
      for (j = 0; j < n; j++) {
        want[i * n + j] = (char)('0' + (int)test_below(2));
        text[length++] = want[i * n + j];
        if (want[i * n + j] == '1') t_formats_add(i, j, 1, 0);
      }
      text[length++] = '\n';
    }
    T_FORMATS_SAME(text, (size_t)length, PERM_FORMAT_AUTO);
  }
}

/* A list of edges counts rows and columns apart; that is told of a list without i i over one range. */
TEST(t_read_edges_of_one_graph)
{
  static const char *const graph = "; row i and column i are two vertices; of one graph take perm.matchings in Python";
  char text[200];
  snprintf(text, sizeof text, "a: read as 3 edges of a 2 x 3 matrix, counted from 0%s", graph);
  CHECK_TEXT(t_read_told("0 1\n0 2\n1 2\n", PERM_FORMAT_EDGES), text);
  CHECK(strstr(t_read_told("1 2\n2 1\n", PERM_FORMAT_EDGES), graph) != NULL);
  CHECK(!strstr(t_read_told("0 0\n0 1\n1 0\n", PERM_FORMAT_EDGES), "graph")); /* a vertex is no neighbour of its own */
  CHECK(!strstr(t_read_told("0 2\n0 3\n1 2\n1 3\n", PERM_FORMAT_EDGES), "graph")); /* two sides */
  CHECK(!strstr(t_read_told("2 0\n3 0\n2 1\n3 1\n", PERM_FORMAT_EDGES), "graph"));
  CHECK(!strstr(t_read_told("2 2 2\n1 2\n2 1\n", PERM_FORMAT_AUTO), "graph")); /* sizes say that it is a matrix */
  CHECK_TEXT(t_read_told("1 2\n1 3\n2 3\n", PERM_FORMAT_EDGES), "say --format coordinate; of one graph take "
             "perm.matchings in Python");
  CHECK(!strstr(t_read_told("1 3\n2 3\n", PERM_FORMAT_EDGES), "graph"));
}

/* Every refusal of a text names what it was taken for. */
TEST(t_read_refusals_name_the_format)
{
  static const struct { const char *text; perm_format format; const char *taken; } refused[] = {
      {"1 x\n", PERM_FORMAT_AUTO, "plain text"},
      {"", PERM_FORMAT_AUTO, "plain text"},
      {"1 2\n3\n", PERM_FORMAT_AUTO, "plain text"},
      {"1 2\n2 3\n3 1\n", PERM_FORMAT_AUTO, "plain text"},
      {"2 2 2\n1 1 5\n2 2 5\n", PERM_FORMAT_AUTO, "plain text"},
      {"3 3 4\n1 1 0\n1 1 2\n2 2 2\n3 3 3\n", PERM_FORMAT_AUTO, "coordinates"},
      {"2 2 1\n1 x\n", PERM_FORMAT_COORDINATE, "coordinates"},
      {"1 1\n1 1\n", PERM_FORMAT_EDGES, "edges"},
      {"%%MatrixMarket matrix array real general\n1 1\nx\n", PERM_FORMAT_AUTO, "Matrix Market"},
      {"%%MatrixMarkt matrix array real general\n1 1\nx\n", PERM_FORMAT_AUTO, "Matrix Market"},
      {"p edge 2 1\ne 1 9\n", PERM_FORMAT_AUTO, "DIMACS"},
      {">>graph6<<DQ\n", PERM_FORMAT_AUTO, "graph6"},
      {":@_\n", PERM_FORMAT_AUTO, "sparse6"},
      {":Fa@ x\n", PERM_FORMAT_AUTO, "sparse6"},
      {"&C\n", PERM_FORMAT_AUTO, "digraph6"},
      {"1 2\n", PERM_FORMAT_GRAPH6, "graph6"},
      {"DQc\nDQc\n", PERM_FORMAT_AUTO, "graph6"},
      {"DQ\n", PERM_FORMAT_AUTO, "graph6"},      /* of another length than its order needs */
      {"DQcc\nDQc\n", PERM_FORMAT_AUTO, "graph6"},
      {"IheA@GUA\n", PERM_FORMAT_AUTO, "graph6"},
      {"nan\n", PERM_FORMAT_AUTO, "plain text"}};
  static const char cut[] = "\x93NUMPY\1\0\2\0{ ";
  size_t k;
  for (k = 0; k < sizeof refused / sizeof *refused; k++) {
    t_io_format = refused[k].format;
    t_io_read(refused[k].text);
    CHECK_SHOW(!strcmp(t_io_taken, refused[k].taken), "%s: taken as '%s'", refused[k].text, t_io_taken);
  }
  t_io_format = PERM_FORMAT_AUTO;
  t_io_refused_bytes(cut, sizeof cut - 1, "a");
  CHECK_TEXT(t_io_taken, ".npy");
  CHECK_TEXT(t_read_told("DQ\n", PERM_FORMAT_AUTO), "a:1: taken as graph6: 1 character found after the order of a "
             "graph of 5 vertices, 2 were expected");
  CHECK_TEXT(t_io_refused_plain("ABC\n1 2 3\n"), "3 numbers found, 1 were expected as names in the line before");
}

TEST(t_read_utf_16)
{
  static const struct { const char *bytes; size_t size; const char *said; } text[] = {
      {"\xff\xfe" "1\0 \0" "2\0\n\0", 10, "a.txt:1: UTF-16 text found, ASCII or UTF-8 was expected: iconv -f UTF-16"},
      {"\xfe\xff" "\0" "1\0 \0" "2\0\n", 10, "iconv -f UTF-16 -t UTF-8 FILE | perm -, or in PowerShell Out-File"},
      {"\xff\xfe\x31\x4e\x32\x4e", 6, "iconv -f UTF-16 -t"}, /* no byte of which is zero */
      {"1\0 \0" "2\0\n\0", 8, "a zero byte found, text was expected; of UTF-16 try iconv -f UTF-16LE -t"},
      {"1\0 2\n", 5, "a zero byte found, text was expected"},
      {"\0\0\0\0", 4, "a zero byte found, text was expected"},
      {"\0", 1, "a zero byte found, text was expected"},
      {"\xff\xff", 2, "a.txt:1: '?""?' found, a number such as"}};
  size_t k;
  for (k = 0; k < sizeof text / sizeof *text; k++)
    CHECK_TEXT(t_io_refused_bytes(text[k].bytes, text[k].size, "a.txt"), text[k].said);
}

typedef struct t_read_each {
  int graphs, stop;
  unsigned long long line[8];
  double value[8];
  char told[300];
  perm_result result;
} t_read_each;

static int t_read_next(perm_matrix *matrix, const perm_integer *denominator, unsigned long long line, void *user_data)
{
  t_read_each *each = (t_read_each *)user_data;
  static perm_result result;
  if (!each->graphs) snprintf(each->told, sizeof each->told, "%s", each->result.message);
  else CHECK(!each->result.message[0]);
  CHECK(denominator->words == 1 && each->graphs < 8);
  each->line[each->graphs] = line;
  CHECK(perm_compute_sparse(matrix, NULL, &result) == PERM_OK);
  each->value[each->graphs++] = result.value / (double)denominator->word[0];
  perm_matrix_free(matrix);
  return each->graphs == each->stop;
}

static perm_status t_read_file(const char *text, size_t bytes, const perm_options *options, t_read_each *each)
{
  static const char path[] = T_IO_DIRECTORY "t_read.g6";
  FILE *file = fopen(path, "wb");
  perm_status status;
  CHECK(file && fwrite(text, 1, bytes, file) == bytes);
  if (file) fclose(file);
  each->graphs = 0;
  status = perm_matrix_read_each(path, options, t_read_next, each, &each->result);
  remove(path);
  return status;
}

/* Every graph of a file, in order, with its line; other files have one matrix. */
TEST(t_read_each_of_many)
{
  static const char many[] = ">>graph6<<A_\n\n  C~\r\n:Fa@x^\n&AO\n@\n", bad[] = "A_\nC~\nC\nC~\n";
  static const char half[] = "1/2 1\n1 1\n";
  static const double value[] = {1, 9, 0, 1, 0};
  static const unsigned long long line[] = {1, 3, 4, 5, 6};
  static t_read_each each;
  t_io_memory memory;
  perm_options options = t_io_options(&memory);
  int k;
  each.stop = 0;
  CHECK(t_read_file(many, sizeof many - 1, &options, &each) == PERM_OK && each.graphs == 5 && !memory.live);
  CHECK_TEXT(each.told, "t_read.g6: read as graph6, each line the adjacency matrix of a graph");
  for (k = 0; k < each.graphs; k++)
    CHECK_SHOW(each.line[k] == line[k] && (k == 3 || each.value[k] == value[k]), "%d: line %llu, %g", k, each.line[k],
               each.value[k]);
  each.stop = 2;
  CHECK(t_read_file(many, sizeof many - 1, &options, &each) == PERM_OK && each.graphs == 2 && !memory.live);
  each.stop = 0;
  options.format = PERM_FORMAT_GRAPH6; /* is not told */
  CHECK(t_read_file(many, sizeof many - 1, &options, &each) == PERM_OK && each.graphs == 5 && !each.told[0]);
  options.format = PERM_FORMAT_AUTO;
  options.max_bytes = 1e6;
  CHECK(t_read_file(many, sizeof many - 1, &options, &each) == PERM_OK && each.graphs == 5 && !memory.live);
  options.max_bytes = 0;
  CHECK(t_read_file(bad, sizeof bad - 1, &options, &each) == PERM_ERROR_FORMAT && each.graphs == 2 && !memory.live);
  CHECK_TEXT(each.result.message, "t_read.g6:3: taken as graph6: 0 characters found after the order of a graph of 4");
  CHECK(t_read_file(half, sizeof half - 1, &options, &each) == PERM_OK && each.graphs == 1 && each.line[0] == 0);
  CHECK(each.value[0] == 1.5);
  CHECK(t_read_file("A_\n", 3, &options, &each) == PERM_OK && each.graphs == 1 && each.line[0] == 0);
  CHECK(each.value[0] == 1);
  CHECK(t_read_file("1 x\n", 4, &options, &each) == PERM_ERROR_FORMAT && !each.graphs);
  CHECK(perm_matrix_read_each("a", NULL, NULL, NULL, &each.result) == PERM_ERROR_NULL && each.result.argument == 3);
  CHECK(perm_matrix_read_each(NULL, NULL, t_read_next, &each, &each.result) == PERM_ERROR_NULL);
  CHECK(perm_matrix_read_each("/nowhere/a", NULL, t_read_next, &each, &each.result) == PERM_ERROR_FILE);
  for (k = 1; k < 40; k++) { /* every allocation fails once */
    options = t_io_options(&memory);
    memory.fail_at = k;
    CHECK(t_read_file(many, sizeof many - 1, &options, &each) == (memory.calls < k ? PERM_OK : PERM_ERROR_MEMORY));
    CHECK(!memory.live);
  }
}

/* A file whose header says (m, n) of bytes, then `items` of them, then a hole up to so many bytes. */
static perm_status t_read_numpy(const char *head, size_t size, size_t items, long hole, const perm_options *options,
                                perm_result *result)
{
  static const char path[] = T_IO_DIRECTORY "t_read.npy";
  FILE *file = fopen(path, "wb");
  perm_matrix matrix;
  perm_status status;
  CHECK(file && fwrite(head, 1, size, file) == size);
  while (items--) fputc(1, file);
  if (hole) CHECK(fseek(file, hole, SEEK_SET) == 0 && fputc(0, file) == 0);
  fclose(file);
  status = perm_matrix_read(path, options, &matrix, NULL, result);
  CHECK(status != PERM_OK || matrix.nnz == (size_t)matrix.m * (size_t)matrix.n);
  perm_matrix_free(&matrix);
  remove(path);
  return status;
}

/* Of a file no more is read than its header says, and one byte; nothing behind what is refused, nor above a limit. */
TEST(t_read_numpys_are_read_as_far_as_they_say)
{
  static const long hole = 200000000;
  static char bytes[300];
  perm_result result;
  t_io_memory memory;
  perm_options options = t_io_options(&memory);
  size_t size;
#define T_READ_NUMPY(shape) t_numpy_head(bytes, 1, "{'descr': '|i1', 'fortran_order': False, 'shape': " shape "}")
  size = T_READ_NUMPY("(300, 300)");
  CHECK(t_read_numpy(bytes, size, 90000, 0, &options, &result) == PERM_OK);
  CHECK(t_read_numpy(bytes, size, 89999, 0, &options, &result) == PERM_ERROR_FORMAT);
  CHECK_TEXT(result.message, "taken as .npy: 89999 bytes of items found, 90000 were expected for shape (300, 300): is");
  options = t_io_options(&memory);
  size = T_READ_NUMPY("(2, 2)");
  CHECK(t_read_numpy(bytes, size, 4, 0, &options, &result) == PERM_OK);
  CHECK(t_read_numpy(bytes, size, 4, hole, &options, &result) == PERM_ERROR_FORMAT);
  CHECK_TEXT(result.message, "at least 5 bytes of items found, 4 were expected for shape (2, 2): save one array");
  size = T_READ_NUMPY("(0, 7)");
  CHECK(t_read_numpy(bytes, size, 0, 0, &options, &result) == PERM_OK);
  CHECK(t_read_numpy(bytes, size, 0, hole, &options, &result) == PERM_ERROR_FORMAT);
  CHECK_TEXT(result.message, "at least 1 bytes of items found, 0 were expected");
  size = T_READ_NUMPY("(7,)");
  CHECK(t_read_numpy(bytes, size, 0, hole, &options, &result) == PERM_ERROR_FORMAT);
  CHECK_TEXT(result.message, "an array of one axis found");
  size = T_READ_NUMPY("(2, 2)");
  CHECK(t_read_numpy(bytes, 11, 0, 0, &options, &result) == PERM_ERROR_FORMAT);
  CHECK_TEXT(result.message, "a file of 11 bytes found that is shorter than its header");
  bytes[6] = 4;
  CHECK(t_read_numpy(bytes, size, 4, hole, &options, &result) == PERM_ERROR_FORMAT);
  CHECK_TEXT(result.message, "version 4 of the .npy format found");
  size = t_numpy_head(bytes, 2, "{}");
  bytes[11] = 127; /* a header of 2 GB */
  CHECK(t_read_numpy(bytes, size, 4, hole, &options, &result) == PERM_ERROR_FORMAT);
  CHECK_TEXT(result.message, "shorter than its header, or a header of over 1048576 bytes");
  options.format = PERM_FORMAT_NUMPY; /* a text, without end */
  memset(bytes, '1', sizeof bytes);
  CHECK(t_read_numpy(bytes, sizeof bytes, 0, hole, &options, &result) == PERM_ERROR_FORMAT);
  CHECK_TEXT(result.message, "no .npy file: its first bytes are not");
  options.format = PERM_FORMAT_AUTO;
  size = T_READ_NUMPY("(16777216, 2147483647)");
  CHECK(t_read_numpy(bytes, size, 4, hole, &options, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "t_read.npy: more than 16 GB: max_bytes allows more");
  CHECK_SHOW(memory.largest < 4096 && !memory.live, "%.0f bytes allocated", (double)memory.largest);
  options.max_bytes = 1e6;
  size = T_READ_NUMPY("(3000, 30000)");
  CHECK(t_read_numpy(bytes, size, 4, hole, &options, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "max_bytes = 1 MB is too little: at least 90 MB are needed");
  CHECK_SHOW(memory.largest < 4096 && !memory.live, "%.0f bytes allocated", (double)memory.largest);
#undef T_READ_NUMPY
}

/* Texts that end where memory ends: lines of every format, cut anywhere. A byte read behind them is a fault. */
#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
TEST(t_read_no_byte_behind_the_text)
{
  static const char *const line[] = {
      "C~", "CixAx", ":Fa@x^", ":", "&AO", "&", ">>graph6<<A_", ">>sparse6<<", ";", "~", "p edge 3 2", "e 1 2", "c x",
      "n 1", "%%MatrixMarket matrix coordinate real general", "%%MatrixMarket matrix array complex general", "% x",
      "2 2 1", "1 1", "1 2 3", "0 1", "011", "110", "11", "-1.5e-3", "1e", "0x1p-4", "2-3i", "1/2", "i", "nan", "inf",
      "a,b,c", "1,2,3", "\"x\";1", "\"", "x 1 2", "", " ", "\t1\t2", "\r", ("\xef\xbb\xbf" "1"), "\x93NUMPY"};
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = (char *)mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  perm_matrix matrix;
  perm_result result;
  int k, i, lines;
  CHECK(memory != MAP_FAILED && !mprotect(memory + page, page, PROT_NONE));
  if (memory == MAP_FAILED) return;
  for (k = 0; k < test_some(40000); k++) {
    char text[512] = "";
    size_t size;
    for (i = 0, lines = 1 + test_below(4); i < lines; i++) {
      strcat(text, line[test_below((int)(sizeof line / sizeof *line))]);
      strcat(text, test_below(8) ? "\n" : "\r\n");
    }
    size = strlen(text) - (size_t)test_below((int)strlen(text) + 1) * (size_t)test_below(2);
    memcpy(memory + page - size, text, size);
    if (perm_matrix_read_memory(memory + page - size, size, "a", NULL, &matrix, &result) == PERM_OK)
      perm_matrix_free(&matrix);
    else
      CHECK_SHOW(*result.message, "%s: no word", text);
  }
  munmap(memory, 2 * page);
}
#endif
/* SPDX-License-Identifier: MIT */
