/* >>numpy, >>graph, >>read, examples/command/perm_fractions.h */
/* Every format gives the same matrix as coordinates with a banner do, bit for bit; bad files are refused with a place
   and advice; what no byte marks is read as before. */
#include "../../examples/command/perm_fractions.h"

/* -- one matrix, two texts ---------------------------------------------------------------------- */

typedef struct t_formats_entry { int row, column; double real, imaginary; } t_formats_entry;

static struct { int m, n, count; perm_kind kind; t_formats_entry entry[4096]; } t_formats;

static void t_formats_begin(int m, int n, perm_kind kind)
{
  t_formats.m = m;
  t_formats.n = n;
  t_formats.kind = kind;
  t_formats.count = 0;
}
static void t_formats_add(int row, int column, double real, double imaginary)
{
  t_formats_entry *entry = &t_formats.entry[t_formats.count++];
  entry->row = row;
  entry->column = column;
  entry->real = real;
  entry->imaginary = imaginary;
}

/* The status of bytes that must give the entries above, as Matrix Market text does. */
static const char *t_formats_compare(const char *bytes, size_t size, perm_format format)
{
  static const char *const fields[4] = {"pattern", "integer", "real", "complex"};
  static char text[400000];
  static perm_result result;
  perm_options options;
  perm_matrix a, b;
  size_t length;
  int k, same;
  char *copy = (char *)malloc(size ? size : 1); /* exactly as long: valgrind and sanitizers see what reads past it */
  perm_status status;
  memset(&options, 0, sizeof options);
  options.format = format;
  memcpy(copy, bytes, size);
  status = perm_matrix_read_memory(copy, size, "memory", &options, &a, &result);
  free(copy);
  if (status != PERM_OK) return result.message;
  length = (size_t)snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %d\n",
                            fields[t_formats.kind], t_formats.m, t_formats.n, t_formats.count);
  for (k = 0; k < t_formats.count; k++) {
    const t_formats_entry *entry = &t_formats.entry[k];
    length += (size_t)snprintf(text + length, sizeof text - length, "%d %d", entry->row + 1, entry->column + 1);
    if (t_formats.kind == PERM_KIND_INTEGER)
      length += (size_t)snprintf(text + length, sizeof text - length, " %.0f", entry->real);
    else if (t_formats.kind != PERM_KIND_PATTERN)
      length += (size_t)snprintf(text + length, sizeof text - length, " %.17g", entry->real);
    if (t_formats.kind == PERM_KIND_COMPLEX)
      length += (size_t)snprintf(text + length, sizeof text - length, " %.17g", entry->imaginary);
    length += (size_t)snprintf(text + length, sizeof text - length, "\n");
  }
  status = perm_matrix_read_memory(text, length, "market", NULL, &b, NULL);
  same = status == PERM_OK && t_io_same(&a, &b);
  perm_matrix_free(&a);
  perm_matrix_free(&b);
  return status != PERM_OK ? "[bad market]" : same ? "[same]" : "[another matrix]";
}
#define T_FORMATS_SAME(bytes, size, format) CHECK_TEXT(t_formats_compare(bytes, size, format), "[same]")

/* -- .npy --------------------------------------------------------------------------------------- */

static size_t t_numpy_head(char *to, int version, const char *dictionary)
{
  const size_t length = strlen(dictionary), wide = version == 1 ? 2 : 4;
  size_t k;
  memcpy(to, "\x93NUMPY", 6);
  to[6] = (char)version;
  to[7] = 0;
  for (k = 0; k < wide; k++) to[8 + k] = (char)(length >> 8 * k & 255);
  memcpy(to + 8 + wide, dictionary, length);
  return 8 + wide + length;
}

static void t_numpy_put(char *to, const void *number, size_t size, int big)
{
  size_t k;
  for (k = 0; k < size; k++) to[k] = ((const char *)number)[big ? size - 1 - k : k]; /* this machine: little endian */
}

/* An item of `type` such as "f8"; *entry is what it stands for. */
static size_t t_numpy_item(char *to, const char *type, int big, int whole, t_formats_entry *entry)
{
  const size_t size = type[1] == '1' && type[2] ? 16 : (size_t)(type[1] - '0');
  int64_t integer = (int64_t)(test_random() >> 12) & (((int64_t)1 << (size < 6 ? 8 * size - 1 : 50)) - 1);
  double part[2];
  int k;
  integer = test_below(3) ? type[0] == 'i' && test_below(2) ? -integer : integer : 0;
  integer = type[0] == 'b' ? integer & 1 : integer;
  entry->real = (double)integer;
  entry->imaginary = 0;
  if (type[0] == 'b' || type[0] == 'i' || type[0] == 'u') {
    t_numpy_put(to, &integer, size, big);
    return size;
  }
  for (k = 0; k < 2; k++) {
    part[k] = (double)(float)((test_below(2000) - 1000.0) / (whole ? 1 : 64)) * test_below(2);
    if (!whole && (size == 8 || size == 16) && type[0] != (size == 8 ? 'c' : 'x')) part[k] /= 3;
    if (size / (type[0] == 'c' ? 2 : 1) == 4) {
      float narrow = (float)part[k];
      part[k] = (double)narrow;
      if (k == 0 || type[0] == 'c') t_numpy_put(to + 4 * k, &narrow, 4, big);
    } else if (k == 0 || type[0] == 'c') {
      t_numpy_put(to + 8 * k, &part[k], 8, big);
    }
  }
  entry->real = part[0];
  entry->imaginary = type[0] == 'c' ? part[1] : 0;
  return size;
}

TEST(t_numpy_every_type_order_and_version)
{
  static const char *const types[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"};
  static char bytes[20000];
  char head[200];
  int type, way, trial, i, j, k;
  for (type = 0; type < 13; type++)
    for (way = 0; way < 8; way++)
      for (trial = 0; trial < 3; trial++) {
        const int big = way & 1, fortran = way >> 1 & 1, whole = way >> 2, m = test_below(9), n = test_below(9);
        const char order = types[type][1] == '1' && !types[type][2] ? '|' : big ? '>' : '<';
        int fraction = 0;
        size_t size;
        snprintf(head, sizeof head, way & 4 ? "{\"shape\":(%d,%dL),\n 'descr' : '%c%s', 'fortran_order':%s}"
                                            : "{'shape': (%d, %d), 'descr': '%c%s', 'fortran_order': %s, }          \n",
                 m, n, order, types[type], fortran ? "True" : "False");
        size = t_numpy_head(bytes, 1 + trial, head);
        t_formats_begin(m, n, PERM_KIND_INTEGER);
        for (k = 0; k < m * n; k++) {
          t_formats_entry entry;
          size += t_numpy_item(bytes + size, types[type], big, whole, &entry);
          i = fortran ? k % m : k / n;
          j = fortran ? k / m : k % n;
          fraction |= entry.real != floor(entry.real);
          if (entry.real != 0 || entry.imaginary != 0) t_formats_add(i, j, entry.real, entry.imaginary);
        }
        t_formats.kind = types[type][0] == 'c' ? PERM_KIND_COMPLEX : types[type][0] == 'b' ? PERM_KIND_PATTERN
                         : fraction ? PERM_KIND_REAL : PERM_KIND_INTEGER;
        CHECK_SHOW(!strcmp(t_formats_compare(bytes, size, PERM_FORMAT_AUTO), "[same]"), "%s way %d: %s", types[type],
                   way, t_formats_compare(bytes, size, PERM_FORMAT_AUTO));
        T_FORMATS_SAME(bytes, size, PERM_FORMAT_NUMPY);
        if (size) {
          CHECK_TEXT(t_io_refused_bytes(bytes, size - 1, "a.npy"),
                     m && n ? "bytes of items found" : "that is shorter than its header");
          bytes[size] = 0;
          CHECK_TEXT(t_io_refused_bytes(bytes, size + 1, "a.npy"), "save one array a file");
        }
      }
}

/* The message for a header and data. */
static const char *t_numpy_refused(const char *dictionary, const void *data, size_t size)
{
  static char bytes[2000];
  const size_t head = t_numpy_head(bytes, 1, dictionary);
  memcpy(bytes + head, data, size);
  return t_io_refused_bytes(bytes, head + size, "a.npy");
}

TEST(t_numpy_refuses)
{
  static const double numbers[8] = {1, 2, (double)NAN, 4, (double)INFINITY};
  static const unsigned char bools[4] = {0, 1, 2, 1};
  static const uint64_t large[2] = {1, UINT64_C(18446744073709551615)};
  static char bytes[300];
  perm_matrix matrix;
  perm_result result;
  size_t size;
#define T_NUMPY(type, shape) "{'descr': " type ", 'fortran_order': False, 'shape': " shape ", }"
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<f8'", "(2, 2)"), numbers, 32),
             "a.npy: byte 85: NaN found, finite numbers were expected: numpy.isfinite(a) tells where");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<f8'", "(1, 2)"), numbers + 3, 16), "an infinity found");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<c16'", "(1, 1)"), numbers + 1, 16), "NaN found");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'|b1'", "(2, 2)"), bools, 4), "byte 2 found in an array of bool, 0 or 1");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'|O'", "(2, 2)"), numbers, 32),
             "items of type '|O' found, b1, i1 to i8");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<U5'", "(2, 2)"), numbers, 32), "items of type '<U5' found, b1, i1 to i8");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<f16'", "(2, 1)"), numbers, 32), "items of type '<f16' found");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<f2'", "(2, 1)"), numbers, 4), "items of type '<f2' found");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<i3'", "(2, 1)"), numbers, 6), "items of type '<i3' found");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'=f8'", "(2, 1)"), numbers, 16), "items of type '=f8' found");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("[('a', '<f8')]", "(2, 2)"), numbers, 32), "a name in quotes was expected");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<f8'", "(4,)"), numbers, 32),
             "an array of one axis found, two axes were expected: save a.reshape(rows, columns)");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<f8'", "()"), numbers, 8), "an array of no axis found");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<f8'", "(1, 2, 2)"), numbers, 32), "more than two axes found, two axes were "
             "expected: save one matrix of it, a[0]");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<f8'", "(-1, 2)"), numbers, 32), "in the shape, a whole number was expected");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<f8'", "(99999999999999999999999, 2)"), numbers, 32), "up to (16777216, 2^31");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<c16'", "(16777216, 2147483647)"), numbers, 32),
             "32 bytes of items found, 576460752034988032 were expected for shape (16777216, 2147483647): is the file");
  CHECK_TEXT(t_numpy_refused(T_NUMPY("'<f8'", "(2, 2147483648)"), numbers, 32), "up to (16777216, 2^31-1)");
  CHECK_TEXT(t_numpy_refused("{'descr': '<f8', 'shape': (2, 2)}", numbers, 32), "no fortran_order in the header");
  CHECK_TEXT(t_numpy_refused("{'descr': '<f8', 'descr': '<f8'}", numbers, 32), "key 'descr' found in the header");
  CHECK_TEXT(t_numpy_refused("{'x': 1}", numbers, 32), "a.npy: byte 14: key 'x' found in the header");
  CHECK_TEXT(t_numpy_refused("{'fortran_order': Maybe}", numbers, 32), "'Maybe}' found for fortran_order, True or");
  CHECK_TEXT(t_numpy_refused("{'descr", numbers, 32), "'' found in the header, ''' was expected");
  CHECK_TEXT(t_numpy_refused("", numbers, 32), "'' found in the header, '{' was expected");
  size = t_numpy_head(bytes, 4, T_NUMPY("'<f8'", "(0, 0)"));
  CHECK_TEXT(t_io_refused_bytes(bytes, size, "a.npy"), "a.npy: byte 0: version 4 of the .npy format found, 1 to 3");
  size = t_numpy_head(bytes, 2, T_NUMPY("'<f8'", "(0, 0)"));
  bytes[11] = 127; /* a header of 2 GB */
  CHECK_TEXT(t_io_refused_bytes(bytes, size, "a.npy"), "shorter than its header, or a header of over 1048576 bytes");
  CHECK_TEXT(t_io_refused_bytes(bytes, 6, "a.npy"), "a file of 6 bytes found that is shorter than its header");
  t_io_format = PERM_FORMAT_NUMPY;
  CHECK_TEXT(t_io_read("1 2\n3 4\n"), "memory: byte 0: no .npy file: its first bytes are not \\x93NUMPY");
  t_io_format = PERM_FORMAT_AUTO;
  size = t_numpy_head(bytes, 1, T_NUMPY("'<u8'", "(1, 2)")); /* no refusal, but told */
  memcpy(bytes + size, large, 16);
  CHECK(perm_matrix_read_memory(bytes, size + 16, "a.npy", NULL, &matrix, &result) == PERM_OK);
  CHECK(matrix.kind == PERM_KIND_REAL && matrix.real[1] == 18446744073709551616.0 && matrix.real[0] == 1);
  CHECK_TEXT(result.message, "a.npy: read as doubles, for byte 77 has an integer beyond 64 bits");
  perm_matrix_free(&matrix);
#undef T_NUMPY
}

/* -- graph6, sparse6, digraph6 ------------------------------------------------------------------- */

typedef struct t_bits { char *to; size_t bytes; int used; } t_bits;

static void t_bits_put(t_bits *bits, uint64_t value, int width)
{
  while (width--) {
    if (!bits->used) bits->to[bits->bytes++] = 63;
    bits->to[bits->bytes - 1] = (char)(bits->to[bits->bytes - 1] + (int)((value >> width & 1) << (5 - bits->used)));
    bits->used = (bits->used + 1) % 6;
  }
}

static void t_graph6_order(t_bits *bits, uint64_t n)
{
  if (n > 62) bits->to[bits->bytes++] = '~';
  if (n > 258047) bits->to[bits->bytes++] = '~';
  t_bits_put(bits, n, n > 258047 ? 36 : n > 62 ? 18 : 6);
}

static char t_graph[130][130]; /* adjacency */

/* kind: '>' graph6, ':' sparse6, '&' digraph6. sparse6 by the rule of its author: b, x for each edge {x, v}, x <= v. */
static size_t t_graph6_write(char *to, int n, char kind)
{
  t_bits bits = {to, 0, 0};
  int i, j, k = 0, v = 0, last = 0, padding;
  if (kind != '>') to[bits.bytes++] = kind;
  t_graph6_order(&bits, (uint64_t)n);
  bits.used = 0;
  while (kind == ':' && n && (n - 1) >> k) k++;
  for (j = 0; j < n; j++)
    for (i = 0; i < (kind == '&' ? n : kind == ':' ? j + 1 : j); i++) {
      if (kind != ':') {
        t_bits_put(&bits, (uint64_t)(kind == '&' ? t_graph[j][i] : t_graph[i][j]), 1);
      } else if (t_graph[i][j]) {
        if (j > v + 1) { t_bits_put(&bits, 1, 1); t_bits_put(&bits, (uint64_t)j, k); t_bits_put(&bits, 0, 1); }
        else t_bits_put(&bits, j == v + 1, 1);
        t_bits_put(&bits, (uint64_t)i, k);
        v = last = j;
      }
    }
  padding = (6 - bits.used) % 6;
  if (kind == ':' && padding) {
    if (k < padding && n == 1 << k && last == n - 2) { t_bits_put(&bits, 0, 1); padding--; }
    t_bits_put(&bits, 63, padding);
  }
  return bits.bytes;
}

TEST(t_graph6_every_kind_and_order)
{
  static const int orders[] = {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 61, 62, 63, 64, 65, 127, 128, 129};
  static const struct { const char *header; char kind; } kinds[] = {{">>graph6<<", '>'}, {">>sparse6<<", ':'},
                                                                     {">" ">digraph6<<", '&'}};
  static char text[8000];
  size_t order, length, size;
  int kind, density, i, j, way;
  for (kind = 0; kind < 3; kind++)
    for (order = 0; order < sizeof orders / sizeof *orders; order++)
      for (density = 0; density < 3; density++) {
        const int n = orders[order];
        const char mark = kinds[kind].kind;
        t_formats_begin(n, n, PERM_KIND_PATTERN);
        for (i = 0; i < n; i++)
          for (j = 0; j < n; j++)
            if (mark == '&')
              t_graph[i][j] = (char)(density && test_below(n) < 1 + density);
            else if (i <= j)
              t_graph[i][j] = t_graph[j][i] = (char)(density && (i < j || (mark == ':' && density == 2)) &&
                                                     (n > 60 || density == 1 ? test_below(n) < 2 : test_below(2)));
        for (i = 0; i < n; i++)
          for (j = 0; j < n; j++)
            if (t_graph[i][j]) t_formats_add(i, j, 1, 0);
        for (way = 0; way < 4; way++) { /* without and with the header, which is no line, and line ends */
          length = way & 1 ? (size_t)snprintf(text, sizeof text, "%s", kinds[kind].header) : 0;
          size = length + t_graph6_write(text + length, n, mark);
          if (way & 2) size += (size_t)snprintf(text + size, sizeof text - size, " \r\n\n");
          CHECK_SHOW(!strcmp(t_formats_compare(text, size, PERM_FORMAT_AUTO), "[same]"), "%c n = %d: %s in '%.*s'",
                     mark, n, t_formats_compare(text, size, PERM_FORMAT_AUTO), (int)size, text);
          T_FORMATS_SAME(text, size, PERM_FORMAT_GRAPH6);
        }
      }
}

/* The examples of the format's description, the smallest graphs, the longest orders. */
TEST(t_graph6_examples)
{
  CHECK_TEXT(t_io_read("DQc"), "5 5 p | 1 3 | 1 5 | 2 4 | 3 1 | 4 2 | 4 5 | 5 1 | 5 4");
  CHECK_TEXT(t_io_read(":Fa@x^\n"), "7 7 p | 1 2 | 1 3 | 2 1 | 2 3 | 3 1 | 3 2 | 6 7 | 7 6");
  CHECK_TEXT(t_io_read("&DI?AO?\n"), "5 5 p | 1 3 | 1 5 | 4 2 | 4 5");
  CHECK_TEXT(t_io_read("?"), "0 0 p");
  CHECK_TEXT(t_io_read("@\n"), "1 1 p");
  CHECK_TEXT(t_io_read("A_"), "2 2 p | 1 2 | 2 1");
  CHECK_TEXT(t_io_read(">>graph6<<\nA_\n"), "2 2 p | 1 2 | 2 1");
  CHECK_TEXT(t_io_read(":?"), "0 0 p");
  CHECK_TEXT(t_io_read(":@"), "1 1 p");
  CHECK_TEXT(t_io_read(":~B?x"), "12345 12345 p"); /* N(n) in four bytes */
  CHECK_TEXT(t_io_read(":~~???~??"), "258048 258048 p");
  CHECK_TEXT(t_io_read("&@_"), "1 1 p | 1 1"); /* a loop */
  CHECK_TEXT(t_io_read("i"), "1 1 c | 1 1 0 1"); /* numbers stay numbers, names names */
  CHECK_TEXT(t_io_read("1j\ni\n"), "2 1 c");
  CHECK_TEXT(t_io_read("A_\n1\n2\n"), "2 1 i | 1 1 1 | 2 1 2");
}

TEST(t_graph6_refuses)
{
  static const char path[] = "a.g6";
#define T_GRAPH6(text) t_io_refused_bytes(text, strlen(text), path)
  CHECK_TEXT(T_GRAPH6("DQc\nDQo\n"), "a.g6:2: a second graph found, one was expected; perm FILE takes every");
  CHECK_TEXT(T_GRAPH6("\n:Fa@x^\n:Fa@x^\n"), "a.g6:3: a second graph found");
  CHECK_TEXT(T_GRAPH6(">>graph6<<DQ"), "a.g6:1: 1 character found after the order of a graph of 5 vertices, 2 were "
             "expected: is the line whole?");
  CHECK_TEXT(T_GRAPH6(">>graph6<<DQcc"), "3 characters found after the order");
  CHECK_TEXT(T_GRAPH6(">>graph6<<D Q"), "' ' found as character 2 of a graph, '?' to '~' were expected");
  CHECK_TEXT(T_GRAPH6(">>graph6<<\n"), "no graph found, a line of graph6, sparse6 or digraph6 was expected");
  CHECK_TEXT(T_GRAPH6(">>graph6<<~?"), "the line ends before the order of the graph");
  CHECK_TEXT(T_GRAPH6(">>graph6<<~"), "the line ends before the order of the graph");
  CHECK_TEXT(T_GRAPH6(">>graph6<<~~~~~~~~"), "a graph of 68719476735 vertices found, at most 16777216 were expected");
  CHECK_TEXT(T_GRAPH6("&~~~~~~~~"), "a graph of 68719476735 vertices found");
  CHECK_TEXT(T_GRAPH6(":~~~~~~~~"), "a graph of 68719476735 vertices found");
  CHECK_TEXT(T_GRAPH6("&~~??~???"), "0 characters found after the order of a graph of 16515072 vertices, 45457933");
  CHECK_TEXT(T_GRAPH6("DQd"), "a.g6:1: the last character 'd' has a bit behind the last pair of vertices");
  CHECK_TEXT(T_GRAPH6(">>sparse6<<DQc"), "'DQc' found, ':' was expected before the graph: incremental sparse6 is not");
  CHECK_TEXT(T_GRAPH6(">>sparse6<<;Dc"), "';Dc' found, ':' was expected");
  CHECK_TEXT(T_GRAPH6(">" ">digraph6<<DQc"), "'DQc' found, '&' was expected");
  CHECK_TEXT(T_GRAPH6(":Fa~~"), "vertex 7 of a graph of 7 vertices found, counted from 0, within the line");
  CHECK_TEXT(T_GRAPH6(":~?@c?"), "the line ends in 6 bits, which are no edge, up to 5 were expected: is it whole?");
  CHECK_TEXT(T_GRAPH6(":F_??"), "found again, first given in line 1, one was expected; of parallel edges write the "
             "number as a weight, with --format edges");
  CHECK_TEXT(T_GRAPH6(":@?"), "loops of a graph of one vertex found, which programs read in two ways");
#undef T_GRAPH6
  t_io_format = PERM_FORMAT_GRAPH6;
  CHECK_TEXT(t_io_read("1 2\n"), "memory:1: '1' found as character 1 of a graph, '?' to '~' were expected");
  CHECK_TEXT(t_io_read("DQ"), "1 character found");
  CHECK_TEXT(t_io_read(""), "no graph found");
  CHECK_TEXT(t_io_read("%%MatrixMarket matrix coordinate pattern general\n1 1 0\n"), "format graph6 asked for: leave");
  t_io_format = PERM_FORMAT_AUTO;
}

/* -- DIMACS --------------------------------------------------------------------------------------- */

TEST(t_dimacs_graphs)
{
  static char text[20000];
  int trial, i, j, way, k;
  for (trial = 0; trial < 60; trial++) {
    const int n = test_below(12), weights = trial % 3; /* 1: whole, 2: fractional */
    for (way = 0; way < 2; way++) { /* each edge once, or in both directions */
      size_t length = 0;
      int edges = 0, pass;
      t_formats_begin(n, n, weights == 1 ? PERM_KIND_INTEGER : weights ? PERM_KIND_REAL : PERM_KIND_PATTERN);
      for (i = 0; i < n; i++)
        for (j = 0; j <= i; j++)
          if (test_below(3) == 0) {
            const double w = weights == 1 ? test_below(9) + 1 : weights ? test_below(9) + 0.3 : 1;
            t_formats_add(i, j, w, 0);
            if (i != j) t_formats_add(j, i, w, 0);
          }
      if (!t_formats.count && weights) t_formats.kind = PERM_KIND_PATTERN;
      for (pass = 0; pass < 2; pass++) { /* the number of edges first */
        length = (size_t)snprintf(text, sizeof text, "c a comment\nc\n%s\np %s %d %d\n", way ? "\n# too" : "",
                                  way ? "col" : "edge", n, edges);
        for (k = edges = 0; k < t_formats.count; k++) {
          const t_formats_entry *entry = &t_formats.entry[k];
          if (!way && entry->row < entry->column) continue;
          edges++;
          length += (size_t)snprintf(text + length, sizeof text - length, "e %d %d", entry->row + 1, entry->column + 1);
          if (weights) length += (size_t)snprintf(text + length, sizeof text - length, " %.17g", entry->real);
          length += (size_t)snprintf(text + length, sizeof text - length, k % 3 ? "\n" : "\r\nn 1 7\n");
        }
      }
      T_FORMATS_SAME(text, length, PERM_FORMAT_AUTO);
      T_FORMATS_SAME(text, length, PERM_FORMAT_DIMACS);
    }
  }
}

TEST(t_dimacs_refuses)
{
#define T_DIMACS(text) t_io_refused_bytes(text, strlen(text), "a.col")
  CHECK_TEXT(T_DIMACS("c x\np edge 3 2\ne 1 2\n"), "a.col:3: 1 edges found, 2 were announced in line 2: complete the "
             "file or correct that number");
  CHECK_TEXT(T_DIMACS("p edge 3 1\ne 1 2\ne 2 3\n"), "2 edges found, 1 were announced in line 1");
  CHECK_TEXT(T_DIMACS("p edge 3 1\ne 1 4\n"), "a.col:2: '4' found as the second vertex, a whole number from 1 to 3");
  CHECK_TEXT(T_DIMACS("p edge 3 1\ne 0 1\n"), "a.col:2: '0' found as the first vertex, a whole number from 1 to 3");
  CHECK_TEXT(T_DIMACS("p edge 3 1\ne 1\n"), "the line ends before the second vertex, a whole number was expected");
  CHECK_TEXT(T_DIMACS("p edge 3 2\ne 1 2\ne 1 2\n"), "a.col:3: entry (1,2) found again, first given in line 2");
  CHECK_TEXT(T_DIMACS("p edge 3 2\ne 1 2 5\ne 2 1 6\n"), "a.col:3: edge 2 1 found with another weight than in the");
  CHECK_TEXT(T_DIMACS("p edge 3 2\ne 1 2 5\ne 1 3\n"), "an edge without weight found, after others with");
  CHECK_TEXT(T_DIMACS("p edge 3 2\ne 1 2\ne 1 3 1\n"), "an edge with weight found, after others without");
  CHECK_TEXT(T_DIMACS("p edge 3 1\ne 1 2 x\n"), "a.col:2: 'x' found, a number such as");
  CHECK_TEXT(T_DIMACS("p edge 3 1\ne 1 2 5 6\n"), "'6' found after the weight, the end of the line was expected");
  CHECK_TEXT(T_DIMACS("p edge 99999999999 1\ne 1 2\n"), "as the number of vertices, a whole number from 0 to 16777216");
  CHECK_TEXT(T_DIMACS("p edge 3 -1\n"), "'-1' found as the number of edges");
  CHECK_TEXT(T_DIMACS("p edge 3\n"), "the line ends before the number of edges");
  CHECK_TEXT(T_DIMACS("p cnf 3 4\n1 -2 0\n"), "problem 'cnf' found, edge or col (a graph) was expected");
  CHECK_TEXT(T_DIMACS("p edge 3 0\np edge 3 0\n"), "a second line p found, the first was line 1; one graph a file");
  CHECK_TEXT(T_DIMACS("p edge 3 1\na 1 2\n"), "'a 1 2' found, a line 'e VERTEX VERTEX [WEIGHT]' was expected");
#undef T_DIMACS
  t_io_format = PERM_FORMAT_DIMACS;
  CHECK_TEXT(t_io_read("c\n"), "no line p found, 'p edge VERTICES EDGES' was expected");
  CHECK_TEXT(t_io_read("e 1 2\n"), "memory:1: 'e 1 2' found, a line 'p edge VERTICES EDGES' was");
  t_io_format = PERM_FORMAT_AUTO;
  CHECK_TEXT(t_io_read("c d\n1 2\n"), "1 2 i | 1 1 1 | 1 2 2"); /* names */
  CHECK_TEXT(t_io_read("p edge\n1 2\n"), "1 2 i | 1 1 1 | 1 2 2");
}

/* -- edges, compressed rows ------------------------------------------------------------------------ */

TEST(t_matrix_from_edges)
{
  static const char general[] = "%%MatrixMarket matrix coordinate pattern general\n4 4 4\n1 2\n2 3\n4 4\n3 2\n";
  static const char symmetric[] = "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 2\n4 4\n";
  static const int ends[] = {0, 1, 1, 2, 3, 3, 2, 1}, bad[] = {0, 1, 1, 4}, twice[] = {0, 1, 0, 1};
  static const double weight[] = {1.5, 2, 0, 2}, other[] = {1, 2, 3, 4};
  perm_matrix a, b;
  perm_result r;
  CHECK(perm_matrix_from_edges(4, 4, 4, ends, NULL, 0, NULL, &a, &r) == PERM_OK);
  CHECK(perm_matrix_read_memory(general, strlen(general), "m", NULL, &b, NULL) == PERM_OK);
  CHECK(t_io_same(&a, &b));
  perm_matrix_free(&a);
  perm_matrix_free(&b);
  CHECK(perm_matrix_from_edges(4, 4, 4, ends, NULL, 1, NULL, &a, &r) == PERM_OK); /* 1-2 once, 2-3 in both directions */
  CHECK(perm_matrix_read_memory(symmetric, strlen(symmetric), "m", NULL, &b, NULL) == PERM_OK);
  CHECK(t_io_same(&a, &b));
  perm_matrix_free(&a);
  perm_matrix_free(&b);
  CHECK(perm_matrix_from_edges(4, 4, 4, ends, weight, 1, NULL, &a, &r) == PERM_OK);
  CHECK(a.kind == PERM_KIND_REAL && a.nnz == 4 && a.real[0] == 1.5 && a.real[1] == 1.5 && a.real[3] == 2);
  perm_matrix_free(&a);
  CHECK(perm_matrix_from_edges(0, 0, 0, NULL, NULL, 1, NULL, &a, &r) == PERM_OK && a.row_start);
  perm_matrix_free(&a);
#define T_EDGES(m, n, count, list, weights, undirected) \
  (perm_matrix_from_edges(m, n, count, list, weights, undirected, NULL, &a, &r), t_io_is_zero(&a) ? r.status : PERM_OK)
  CHECK(T_EDGES(4, 4, 2, bad, NULL, 0) == PERM_ERROR_RANGE && r.argument == 4);
  CHECK_TEXT(r.message, "edge 1: column index 4 outside 0..3");
  CHECK(T_EDGES(4, 4, 2, twice, NULL, 0) == PERM_ERROR_FORMAT && r.argument == 4);
  CHECK_TEXT(r.message, "edge 1: entry (0,1) given before by edge 0");
  CHECK(T_EDGES(4, 4, 4, ends, other, 1) == PERM_ERROR_FORMAT && r.argument == 5);
  CHECK_TEXT(r.message, "edge 3: another weight than in the other direction");
  CHECK(T_EDGES(4, 5, 4, ends, NULL, 1) == PERM_ERROR_SIZE && r.argument == 6);
  CHECK(T_EDGES(4, 4, 4, NULL, NULL, 0) == PERM_ERROR_NULL && r.argument == 4);
  CHECK(perm_matrix_from_edges(4, 4, 4, ends, NULL, 0, NULL, NULL, &r) == PERM_ERROR_NULL && r.argument == 8);
#undef T_EDGES
}

TEST(t_matrix_from_compressed_rows)
{
  static const char path[] = T_IO_DIRECTORY "t_borrowed.mtx";
  static const size_t start[] = {0, 2, 2, 4}, falls[] = {0, 2, 1, 4}, late[] = {1, 2, 2, 4};
  static const int column[] = {2, 0, 0, 1}, ascends[] = {0, 2, 0, 1}, wide[] = {0, 3, 0, 1}, twice[] = {0, 0, 0, 1};
  static const double real[] = {1, 2, 3, 4}, imaginary[] = {5, 6, 7, 8}, zero[] = {1, 2, 0, 4};
  static const int64_t integer[] = {1, 2, 3, INT64_MAX};
  perm_matrix a, b;
  perm_result r;
  int kind;
  for (kind = 0; kind < 4; kind++) {
    const int row[] = {0, 0, 2, 2};
    CHECK(perm_matrix_from_csr(3, 3, start, column, real, imaginary, integer, (perm_kind)kind, NULL, &a, &r) ==
          PERM_OK);
    CHECK(perm_matrix_from_triplets(3, 3, 4, row, column, real, imaginary, integer, (perm_kind)kind, NULL, &b, &r) ==
          PERM_OK);
    CHECK(t_io_same(&a, &b));
    perm_matrix_free(&b);
    CHECK(perm_matrix_borrow_csr(3, 3, a.row_start, a.column, a.real, a.imaginary, a.integer, (perm_kind)kind, &b,
                                 &r) == PERM_OK);
    CHECK(b.row_start == a.row_start && b.column == a.column && t_io_same(&a, &b));
    CHECK(perm_compute_sparse(&b, NULL, &r) == PERM_OK && r.value == 0);
    CHECK_SHOW(perm_matrix_write(path, &b, NULL, &r) == PERM_OK, "%s", r.message); /* b's allocator has nothing */
    remove(path);
    perm_matrix_free(&b); /* leaves the arrays */
    CHECK(t_io_is_zero(&b) && a.row_start[3] == 4);
    perm_matrix_free(&a);
  }
#define T_ROWS(rows, columns, values, kind) \
  (perm_matrix_from_csr(3, 3, rows, columns, values, imaginary, integer, kind, NULL, &a, &r), \
   t_io_is_zero(&a) ? r.status : PERM_OK)
#define T_BORROW(rows, columns, values, kind) \
  (perm_matrix_borrow_csr(3, 3, rows, columns, values, imaginary, integer, kind, &a, &r), \
   t_io_is_zero(&a) ? r.status : PERM_OK)
  CHECK(T_ROWS(NULL, column, real, PERM_KIND_REAL) == PERM_ERROR_NULL && r.argument == 3);
  CHECK(T_ROWS(falls, column, real, PERM_KIND_REAL) == PERM_ERROR_RANGE && r.argument == 3);
  CHECK_TEXT(r.message, "row_start[2] = 1 is less than the one before");
  CHECK(T_ROWS(late, column, real, PERM_KIND_REAL) == PERM_ERROR_RANGE && r.argument == 3);
  CHECK(T_ROWS(start, NULL, real, PERM_KIND_REAL) == PERM_ERROR_NULL && r.argument == 4);
  CHECK(T_ROWS(start, wide, real, PERM_KIND_REAL) == PERM_ERROR_RANGE && r.argument == 4);
  CHECK(T_ROWS(start, twice, real, PERM_KIND_REAL) == PERM_ERROR_FORMAT);
  CHECK_TEXT(r.message, "entry 1: entry (0,0) given before by entry 0");
  CHECK(T_ROWS(start, column, NULL, PERM_KIND_REAL) == PERM_ERROR_NULL && r.argument == 5);
  CHECK(T_ROWS(start, column, real, (perm_kind)7) == PERM_ERROR_OPTION && r.argument == 8);
  CHECK(T_BORROW(start, column, real, PERM_KIND_REAL) == PERM_ERROR_FORMAT && r.argument == 4);
  CHECK_TEXT(r.message, "entry 1: the columns of row 0 do not ascend; perm_matrix_from_csr sorts a copy");
  CHECK(T_BORROW(start, ascends, zero, PERM_KIND_REAL) == PERM_ERROR_FORMAT && r.argument == 5);
  CHECK_TEXT(r.message, "entry 2: a zero; perm_matrix_from_csr leaves zeros out of a copy");
  CHECK(T_BORROW(start, ascends, real, PERM_KIND_INTEGER) == PERM_ERROR_FORMAT); /* 4 for 2^63 - 1 */
  CHECK_TEXT(r.message, "entry 3: real is not the double next to integer");
  CHECK(T_BORROW(start, wide, real, PERM_KIND_PATTERN) == PERM_ERROR_RANGE && r.argument == 4);
  CHECK(T_BORROW(falls, column, real, PERM_KIND_REAL) == PERM_ERROR_RANGE && r.argument == 3);
  CHECK(perm_matrix_borrow_csr(3, 3, start, ascends, NULL, NULL, integer, PERM_KIND_INTEGER, &a, &r) == PERM_OK);
  CHECK(!a.real && a.integer == integer && perm_compute_sparse(&a, NULL, &r) == PERM_OK);
  perm_matrix_free(&a);
#undef T_ROWS
#undef T_BORROW
}

/* -- fractions --------------------------------------------------------------------------------------- */

/* "a/b" of a text's permanent; the message if it was refused. */
static const char *t_fractions(const char *text, perm_format format)
{
  static const char path[] = T_IO_DIRECTORY "t_fractions.txt";
  static char shown[2 * PERM_TEXT_BYTES];
  static perm_result result;
  perm_options options;
  perm_matrix matrix;
  FILE *file = fopen(path, "wb");
  if (!file) return "[cannot write]";
  fwrite(text, 1, strlen(text), file);
  fclose(file);
  memset(&options, 0, sizeof options);
  options.format = format;
  if (perm_matrix_read(path, &options, &matrix, &fraction_below, &result) == PERM_OK) {
    options.precision = PERM_PRECISION_EXACT;
    if (perm_compute_sparse(&matrix, &options, &result) == PERM_OK)
      fraction_text(&result, shown, sizeof shown, 0);
  }
  perm_matrix_free(&matrix);
  remove(path);
  return result.status == PERM_OK ? shown : t_io_plain_message(result.message);
}

/* A stopped job's sum is divided by the denominators, 2^(64 words - 64); a value stays. */
TEST(t_fractions_of_a_part)
{
  int words, stopped;
  for (words = 1; words < 6; words++)
    for (stopped = 0; stopped < 2; stopped++) {
      perm_result result;
      memset(&result, 0, sizeof result);
      memset(&fraction_below, 0, sizeof fraction_below);
      fraction_below.words = words;
      fraction_below.word[words - 1] = 1;
      result.value = stopped ? NAN : 6;
      result.partial_sum = 6;
      fraction_part(&result);
      CHECK(ldexp(result.partial_sum, (int)result.exp2) == ldexp(6, stopped ? 64 - 64 * words : 0));
    }
}

/* Against the sum over permutations over the product of all denominators, reduced. */
TEST(t_fractions_equal_the_expansion)
{
  int trial, i, j;
  for (trial = 0; trial < 300; trial++) {
    const int n = 1 + test_below(4), format = trial % 3;
    long long above[4][4], below[4][4], sum = 0, all = 1, a, b;
    int p[4] = {0, 1, 2, 3}, k, order;
    char text[600], expected[64];
    size_t length = 0;
    static const int factorial[] = {1, 1, 2, 6, 24};
    if (format == 1) length = (size_t)snprintf(text, sizeof text, "%d %d %d\n", n, n, n * n);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) {
        above[i][j] = test_below(9) - 4;
        below[i][j] = test_below(2) ? 1 : 1 + test_below(6);
        all *= below[i][j];
        if (format) length += (size_t)snprintf(text + length, sizeof text - length, "%d %d ", i + 1, j + 1);
        length += (size_t)snprintf(text + length, sizeof text - length, "%lld", above[i][j]);
        if (below[i][j] > 1 || i + j == 0)
          length += (size_t)snprintf(text + length, sizeof text - length, "/%lld", below[i][j]);
        length += (size_t)snprintf(text + length, sizeof text - length, "%s",
                                   format || j == n - 1 ? "\n" : trial % 2 ? "," : " ");
      }
    for (order = 0; order < factorial[n]; order++) {
      long long term = all;
      for (i = 0, k = order, j = 0; i < n; i++) p[i] = i;
      for (i = n; i > 1; k /= i, i--) { j = k % i; { const int held = p[i - 1]; p[i - 1] = p[j]; p[j] = held; } }
      for (i = 0; i < n; i++) term = term / below[i][p[i]] * above[i][p[i]];
      sum += term;
    }
    for (a = sum < 0 ? -sum : sum, b = all; b;) { const long long rest = a % b; a = b; b = rest; }
    snprintf(expected, sizeof expected, all / a == 1 ? "%lld" : "%lld/%lld", sum / a, all / a);
    CHECK_SHOW(!strcmp(t_fractions(text, format == 2 ? PERM_FORMAT_EDGES : format ? PERM_FORMAT_COORDINATE
                                                                             : PERM_FORMAT_ARRAY), expected),
               "%s expected, %s of\n%s", expected, t_fractions(text, format == 2 ? PERM_FORMAT_EDGES
               : format ? PERM_FORMAT_COORDINATE : PERM_FORMAT_ARRAY), text);
  }
}

TEST(t_fractions_long_and_refused)
{
  static char text[20000];
  size_t length;
  int n, i, j;
  CHECK_TEXT(t_fractions("1/2 1/3\n1/4 3\n", PERM_FORMAT_AUTO), "19/12");
  CHECK_TEXT(t_fractions("1/2 0/5\n0 -6/4\n", PERM_FORMAT_AUTO), "-3/4");
  CHECK_TEXT(t_fractions("a;b\n1/2;1/2\n1/2;1/2\n", PERM_FORMAT_AUTO), "1/2");
  CHECK_TEXT(t_fractions("1 2\n3 4\n", PERM_FORMAT_AUTO), "10");
  CHECK_TEXT(t_fractions("-9223372036854775808/2\n", PERM_FORMAT_AUTO), "-4611686018427387904");
  CHECK_TEXT(t_fractions("9223372036854775807/9007199254740992\n", PERM_FORMAT_AUTO),
             "9223372036854775807/9007199254740992");
  /* n! / q^n for n = 30 and q = 7^4: no common factor but 7^4 of 30!; 100 rows over 2^31-1 on the diagonal */
  for (n = 30, length = 0, i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      length += (size_t)snprintf(text + length, sizeof text - length, "1/2401%c", j == n - 1 ? '\n' : ' ');
  CHECK_TEXT(t_fractions(text, PERM_FORMAT_AUTO),
             "110475993257888820756480000000/107491133273364962952069061813066382187293269586047291924731611172814599"
             "515750702733702892834629601");
  CHECK_TEXT(t_fractions("1/2 0.5\n1/2 1\n", PERM_FORMAT_AUTO), "t_fractions.txt:1: a fraction found in a matrix that "
             "has other numbers than integers too; write all others as fractions a/b");
  CHECK_TEXT(t_fractions("1/0\n", PERM_FORMAT_AUTO), "'1/0' found, a fraction with a numerator of 64 bits and a "
             "denominator from 1 to 2^53 was expected");
  CHECK_TEXT(t_fractions("1/9007199254740993\n", PERM_FORMAT_AUTO), "from 1 to 2^53");
  CHECK_TEXT(t_fractions("9223372036854775808/3\n", PERM_FORMAT_AUTO), "a numerator of 64 bits");
  CHECK_TEXT(t_fractions("1/2/3\n", PERM_FORMAT_AUTO), "'1/2/3' found, a fraction such as 1/2 or -22/7 was expected");
  CHECK_TEXT(t_fractions("1/\n", PERM_FORMAT_AUTO), "'1/' found, a fraction such as");
  CHECK_TEXT(t_fractions("1/-2\n", PERM_FORMAT_AUTO), "'1/-2' found, a fraction such as");
  CHECK_TEXT(t_fractions("1.5/2\n", PERM_FORMAT_AUTO), "'1.5/2' found, a number such as");
  CHECK_TEXT(t_fractions("1 1\n1/9007199254740881 1/9007199254740847\n", PERM_FORMAT_AUTO), "t_fractions.txt:2: the "
             "least common denominator of row 2 is over 2^63");
  CHECK_TEXT(t_fractions("9223372036854775807 1/3\n1 1\n", PERM_FORMAT_AUTO), "row 1 over its common denominator has "
             "integers beyond 64 bits");
  for (n = 100, length = 0, i = 0; i < n; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%d %d 1/9007199254740881\n", i + 1, i + 1);
  CHECK_TEXT(t_fractions(text, PERM_FORMAT_EDGES), "the product of all rows' common denominators is over 4544 bits");
  CHECK_TEXT(t_io_read("1/2\n"), "; of fractions: multiply a row by"); /* perm_matrix_read refuses them */
  {
    perm_matrix matrix;
    perm_result result;
    perm_integer below;
    CHECK(perm_matrix_read(NULL, NULL, &matrix, &below, &result) == PERM_ERROR_NULL && result.argument == 1);
    CHECK(perm_matrix_read("x", NULL, NULL, &below, &result) == PERM_ERROR_NULL && result.argument == 3);
  }
}

/* -- memory ------------------------------------------------------------------------------------------- */

/* The k-th allocation fails, for every k until none does. */
TEST(t_formats_survive_every_failing_allocation)
{
  static const char *const texts[] = {":Fa@x^", "DQc", "p edge 4 3\ne 3 4\ne 2 3\ne 1 1\n"};
  static const int ends[] = {2, 1, 1, 0, 0, 2};
  t_io_memory memory;
  perm_options options = t_io_options(&memory);
  perm_matrix matrix;
  perm_result result;
  perm_status status;
  int way;
  for (way = 0; way < 4; way++) {
    for (memory.fail_at = 1; memory.fail_at < 50; memory.fail_at++) {
      memory.calls = 0;
      status = way < 3 ? perm_matrix_read_memory(texts[way], strlen(texts[way]), NULL, &options, &matrix, &result)
                       : perm_matrix_from_edges(3, 3, 3, ends, NULL, 1, &options, &matrix, &result);
      if (status == PERM_OK) break;
      CHECK(status == PERM_ERROR_MEMORY && t_io_is_zero(&matrix) && memory.live == 0);
    }
    CHECK(memory.fail_at > 3 && memory.fail_at < 50);
    perm_matrix_free(&matrix);
    CHECK(memory.live == 0);
  }
}

/* The same for lists of entries that grow: none is left out, nothing is left behind. */
TEST(t_formats_grow_while_memory_is_out)
{
  static char text[4000];
  double items[400];
  t_io_memory memory;
  perm_options options = t_io_options(&memory);
  perm_matrix matrix;
  size_t size = 0;
  int way, k, bit;
  for (k = 0; k < 400; k++)
    items[k] = k + 1;
  for (way = 0; way < 4; way++) {
    if (way == 0) {
      size = t_numpy_head(text, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (20, 20), }");
      memcpy(text + size, items, sizeof items);
      size += sizeof items;
    } else if (way == 3) { /* the path of 64 vertices: groups of a bit 1 and six bits, the vertex before */
      size = 5 + (7 * 63 + 5) / 6;
      memset(text, 0, sizeof text);
      for (k = 0; k < 7 * 63 + 3; k++) {
        bit = k % 7 == 0 || k >= 7 * 63 || (k / 7) >> (6 - k % 7) & 1;
        text[5 + k / 6] = (char)(text[5 + k / 6] | bit << (5 - k % 6));
      }
      for (k = 5; k < (int)size; k++)
        text[k] = (char)(text[k] + 63);
      memcpy(text, ":~?@?", 5);
    } else { /* the complete graph of 20 vertices; all its arcs, with loops */
      size = (size_t)snprintf(text, sizeof text, way == 1 ? "S" : "&S");
      memset(text + size, '~', way == 1 ? 31 : 66);
      size += way == 1 ? 31 : 66;
      text[size++] = '{';
    }
    for (memory.fail_at = 1; memory.fail_at < 100; memory.fail_at++) {
      perm_status status;
      memory.calls = 0;
      status = perm_matrix_read_memory(text, size, "a", &options, &matrix, NULL);
      if (status == PERM_OK)
        break;
      CHECK_SHOW(status == PERM_ERROR_MEMORY && t_io_is_zero(&matrix) && memory.live == 0, "way %d, allocation %ld",
                 way, memory.fail_at);
    }
    CHECK(memory.fail_at > 3 && memory.fail_at < 100 && matrix.nnz == (size_t)(way == 1 ? 380 : way == 3 ? 126 : 400));
    perm_matrix_free(&matrix);
    CHECK(memory.live == 0);
  }
}

/* Every prefix of a text reads the same whatever stands behind it, if anything does (for the sanitizers). */
TEST(t_formats_read_nothing_behind_the_text)
{
  static const char *const texts[] = {
      "1,2\n3, 4\n5,\t6\n", "a;b\n1;2\n", "\n DQc \n", " \n:Fa@x^", (">" ">digraph6<<&DI?AO?"), "1+2i (3j)\n",
      "2 2 2\n1 1 5 \n2 2 6",
      "p edge 4 3\ne 3 4\ne 2 3\ne 1 1\n",
      "%%MatrixMarket matrix coordinate real general\r\n2 2 1\r\n1 1 5\r\n"};
  perm_matrix matrix;
  perm_result result, other;
  size_t k, bytes;
  for (k = 0; k < sizeof texts / sizeof *texts; k++)
    for (bytes = 1; bytes <= strlen(texts[k]); bytes++) {
      char *exact = (char *)malloc(bytes);
      memcpy(exact, texts[k], bytes);
      perm_matrix_read_memory(exact, bytes, "a", NULL, &matrix, &result);
      perm_matrix_free(&matrix);
      free(exact);
      perm_matrix_read_memory(texts[k], bytes, "a", NULL, &matrix, &other);
      perm_matrix_free(&matrix);
      CHECK_SHOW(result.status == other.status && !strcmp(result.message, other.message), "%d bytes of %s: %s, not %s",
                 (int)bytes, texts[k], result.message, other.message);
    }
}
/* SPDX-License-Identifier: MIT */
