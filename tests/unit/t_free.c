/* >>tree, >>tree_order, >>frontier, >>steps, >>arrays, >>reduce, >>sparse */
/* Sparse rectangular matrices: columns that stay free, in trees of tables, in lists and arrays of a frontier, against
   sums over subsets of rows and against each other. */

#define T_FREE_ROWS 6
#define T_FREE_MOST (T_FREE_ROWS * 24)

typedef struct t_free {
  int m, n, parts, row[T_FREE_MOST], column[T_FREE_MOST];
  size_t start[32];
  double real[T_FREE_MOST], imaginary[T_FREE_MOST];
  int64_t integer[T_FREE_MOST];
  perm_matrix matrix; /* borrows */
} t_free;

/* m <= 6 rows and n <= 15 columns or the transpose; zeros that are stored, and columns of one entry, often equal. */
static void t_free_random(t_free *f, int parts, int most, int below)
{
  const int m = 1 + test_below(T_FREE_ROWS), more = test_below(3) ? test_below(4) : 0, misses = test_below(2);
  const int density = 15 + test_below(70), zeros = test_below(8) == 0, turned = test_below(2), n = m + more;
  int i, j, used = 0;
  f->m = turned ? n + (misses ? m : 0) : m;
  f->n = turned ? m : n + (misses ? m : 0);
  f->parts = parts;
  f->start[0] = 0;
  for (i = 0; i < f->m; i++) {
    for (j = 0; j < f->n; j++) {
      const int r = turned ? j : i, c = turned ? i : j;
      if (c < n ? test_below(100) >= density : c != n + r && test_below(40))
        continue;
      f->row[used] = i;
      f->column[used] = j;
      f->integer[used] = zeros && test_below(4) == 0 ? 0 : 1 + test_below(most);
      f->integer[used] *= below && test_below(2) ? -1 : 1;
      f->real[used] = (double)f->integer[used];
      f->imaginary[used++] = parts == 2 && test_below(2) ? test_below(19) - 9 : 0;
    }
    f->start[i + 1] = (size_t)used;
  }
  memset(&f->matrix, 0, sizeof f->matrix);
  f->matrix.m = f->m;
  f->matrix.n = f->n;
  f->matrix.nnz = (size_t)used;
  f->matrix.row_start = f->start;
  f->matrix.column = f->column;
  f->matrix.kind = parts == 2 ? PERM_KIND_COMPLEX : PERM_KIND_INTEGER;
  f->matrix.real = f->real;
  f->matrix.imaginary = f->imaginary;
  f->matrix.integer = f->integer;
}

/* Sum over matchings of all lines of the short side: the sets of its matched lines, one line of the other after the
   other. moduli: of the sum of |real| + |imaginary|. */
static void t_free_expected(const t_free *f, int moduli, oracle_int *expected)
{
  const int turned = f->m > f->n, shorter = turned ? f->n : f->m, longer = turned ? f->m : f->n;
  oracle_int value[1 << T_FREE_ROWS][2];
  int c, s;
  size_t e;
  memset(value, 0, sizeof value);
  value[0][0] = 1;
  for (c = 0; c < longer; c++)
    for (s = (1 << shorter) - 1; s > 0; s--)
      for (e = 0; e < f->matrix.nnz; e++) {
        const int r = turned ? f->column[e] : f->row[e], here = turned ? f->row[e] : f->column[e];
        oracle_int x = f->integer[e], y = (oracle_int)f->imaginary[e];
        if (here != c || !(s >> r & 1))
          continue;
        x = moduli ? (x < 0 ? -x : x) + (y < 0 ? -y : y) : x;
        y = moduli ? 0 : y;
        value[s][0] += x * value[s ^ 1 << r][0] - y * value[s ^ 1 << r][1];
        value[s][1] += x * value[s ^ 1 << r][1] + y * value[s ^ 1 << r][0];
      }
  expected[0] = value[(1 << shorter) - 1][0];
  expected[1] = value[(1 << shorter) - 1][1];
}

enum { T_FREE_METHODS = 6 };
static const perm_method t_free_methods[T_FREE_METHODS] = {PERM_METHOD_AUTO, PERM_METHOD_TREE, PERM_METHOD_LISTS,
                                                           PERM_METHOD_ARRAYS, PERM_METHOD_FRONTIER,
                                                           PERM_METHOD_SORTING};

static int t_free_is(const perm_integer *integer, oracle_int expected)
{
  return oracle_integer_of(integer) == expected;
}

TEST(t_free_equals_subsets)
{
  static const uint64_t moduli[] = {UINT64_C(2305843009213693951), 97, 1000000, 2, UINT64_C(9223372036854775783),
                                    UINT64_C(1) << 63};
  static t_free f;
  int trial, ran[T_FREE_METHODS] = {0}, nonzero = 0, k;
  for (trial = 0; trial < 8000; trial++) {
    const int by = test_below(T_FREE_METHODS);
    perm_options options = t_sparse_options(t_free_methods[by], PERM_PRECISION_EXACT);
    perm_result result;
    oracle_int expected[2];
    t_free_random(&f, 1 + trial % 2, trial % 3 ? 9 : 3000, trial % 5 < 2);
    if (f.m == f.n)
      continue;
    t_free_expected(&f, 0, expected);
    nonzero += expected[0] != 0;
    CHECK_SHOW(perm_compute_sparse(&f.matrix, &options, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(result.exact && t_free_is(&result.integer, expected[0]) &&
                   t_free_is(&result.imaginary_integer, expected[1]),
               "trial %d, method %d, %d x %d: %.17g, not %.17g", trial, by, f.m, f.n, result.value,
               (double)expected[0]);
    ran[by] += result.method == options.method;
    options.modulus = moduli[test_below(6)];
    CHECK(perm_compute_sparse(&f.matrix, &options, &result) == PERM_OK && result.modulus == options.modulus);
    CHECK_SHOW(t_free_is(&result.integer, (oracle_int)oracle_remainder(expected[0], options.modulus)) &&
                   t_free_is(&result.imaginary_integer, (oracle_int)oracle_remainder(expected[1], options.modulus)),
               "trial %d, %d x %d", trial, f.m, f.n);
    for (k = 0; k < 3; k++) { /* doubles, double-doubles, certified */
      oracle_int bound[2];
      double off;
      options = t_sparse_options(t_free_methods[by], k == 1 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT);
      options.certify = k == 2;
      t_as_doubles(&f.matrix, &options);
      f.matrix.kind = f.parts == 2 ? PERM_KIND_COMPLEX : PERM_KIND_REAL;
      t_free_expected(&f, 1, bound);
      CHECK(perm_compute_sparse(&f.matrix, &options, &result) >= PERM_OK);
      off = hypot((double)((oracle_int)ldexp(result.value, (int)result.exp2) - expected[0]),
                  (double)((oracle_int)ldexp(result.imaginary, (int)result.exp2) - expected[1]));
      off = fmax(0, off - 1); /* of the cut */
      CHECK_SHOW(off <= ldexp(result.error_bound, (int)result.exp2), "trial %d, %d x %d, %d: %.17g of %.17g +- %.3g",
                 trial, f.m, f.n, k, result.value, (double)expected[0], result.error_bound);
      CHECK_SHOW(ldexp(result.error_bound, (int)result.exp2) <= (k == 1 ? 1e-15 : 1e-13) * (double)bound[0],
                 "trial %d, %d x %d, %d: %.3g of %.3g", trial, f.m, f.n, k, result.error_bound, (double)bound[0]);
    }
  }
  for (k = 1; k < T_FREE_METHODS; k++)
    CHECK_SHOW(ran[k] > 200 && nonzero > 2000, "%d: %d %d", k, ran[k], nonzero);
}

/* Entries of 1 and -1: columns of one entry cancel, so that rows are left with fewer columns. */
TEST(t_free_lone_entries_cancel)
{
  static t_free f;
  int ran[T_FREE_METHODS] = {0};
  for (int trial = 0; trial < 4000; trial++) {
    const int by = trial % T_FREE_METHODS, m = 1 + test_below(3), n = m + 1 + test_below(5), share = test_below(100);
    perm_options options = t_sparse_options(t_free_methods[by], PERM_PRECISION_EXACT);
    perm_result result;
    oracle_int expected[2];
    t_free_random(&f, 1, 1, 1);
    f.m = m;
    f.n = n;
    f.matrix.nnz = 0;
    for (int i = 0; i < m; f.start[++i] = f.matrix.nnz)
      for (int j = 0; j < n; j++)
        if (test_below(100) < share) {
          f.row[f.matrix.nnz] = i;
          f.column[f.matrix.nnz] = j;
          f.integer[f.matrix.nnz] = 1 - 2 * test_below(2);
          f.imaginary[f.matrix.nnz++] = 0;
        }
    f.matrix.m = m;
    f.matrix.n = n;
    t_free_expected(&f, 0, expected);
    for (int modulo = 0; modulo < 2; modulo++) {
      options.modulus = modulo ? 97 : 0;
      CHECK_SHOW(perm_compute_sparse(&f.matrix, &options, &result) == PERM_OK, "%s", result.message);
      CHECK_SHOW(t_free_is(&result.integer, modulo ? (oracle_int)oracle_remainder(expected[0], 97) : expected[0]),
                 "trial %d, method %d, %d x %d: %.17g, not %.17g", trial, by, m, n, result.value, (double)expected[0]);
    }
    ran[by] += result.method == options.method;
  }
  for (int k = 1; k < T_FREE_METHODS; k++)
    CHECK_SHOW(ran[k] > 50, "%d: %d", k, ran[k]);
}

/* Numbers of any size, signs, complex ones, and integers that round in doubles, against sums without rounding. */
TEST(t_free_bounds_hold)
{
  enum { M = 7, N = 11 };
  static const int spread[] = {0, 60, 600, 2000};
  int trial, off = 0, ran[T_FREE_METHODS] = {0}, proved = 0;
  for (trial = 0; trial < 1500; trial++) {
    const int m = 1 + test_below(M), n = m + 1 + test_below(N - m), parts = 1 + trial % 2, wild = spread[trial / 2 % 4];
    const int below = test_below(2), density = 25 + test_below(60), turned = test_below(2), whole = trial % 10 == 4;
    double real[M * N], imaginary[M * N];
    int64_t integer[M * N];
    int line[2][M * N], i, k;
    oracle_entry entry[2 * M * N];
    oracle_exact exact;
    const int by = test_below(T_FREE_METHODS);
    perm_options options =
        t_sparse_options(t_free_methods[by], trial % 3 ? PERM_PRECISION_DEFAULT : PERM_PRECISION_DD);
    perm_matrix matrix;
    perm_result result;
    size_t used = 0;
    for (i = 0; i < m * n; i++) {
      const int on = i % n < m ? test_below(100) < density : i % n == m + i / n % (n - m) || test_below(5) == 0;
      for (k = 0; k < parts; k++) {
        const double x = on ? ldexp(test_uniform() - (below ? 0.5 : 0), wild ? test_below(wild) - wild / 2 : 0) : 0;
        *(k ? imaginary + used : real + used) = x;
        entry[i * parts + k] = oracle_double(x);
      }
      if (on && whole && parts == 1) {
        integer[used] = (int64_t)(test_random() >> 2) + 1;
        entry[i] = oracle_whole((uint64_t)integer[used], 0, 0);
      }
      line[0][used] = i / n;
      line[1][used] = i % n;
      used += (size_t)on;
    }
    CHECK(perm_matrix_from_triplets(turned ? n : m, turned ? m : n, used, line[turned], line[!turned], real, imaginary,
                                    integer, parts == 2 ? PERM_KIND_COMPLEX : whole ? PERM_KIND_INTEGER
                                                                                    : PERM_KIND_REAL,
                                    NULL, &matrix, NULL) == PERM_OK);
    if (whole && parts == 1)
      options.precision = PERM_PRECISION_DD; /* else exact */
    exact = oracle_exact_entries(parts, m, n, entry, HUGE_VAL);
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
    if (result.status == PERM_OK) {
      const double distance = oracle_exact_distance(&exact, result.value, result.imaginary, result.exp2);
      CHECK_SHOW(distance <= result.error_bound * (1 + 1e-9) + 5e-324,
                 "trial %d, %d x %d, %d parts, 2^%d: %g > %g of %g", trial, m, n, parts, wild, distance,
                 result.error_bound, result.value);
      off += distance > 0;
      ran[by] += result.method == options.method;
      proved += result.error_bound < (double)INFINITY;
      CHECK_SHOW(below || parts == 2 || wild > 60 || result.method != options.method ||
                     result.error_bound <= 1e-13 * result.value, "%d x %d, 2^%d: %g of %g", m, n, wild,
                 result.error_bound, result.value);
    }
    oracle_exact_free(&exact);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(off > 500 && proved > 1400, "%d %d", off, proved);
  for (trial = 1; trial < T_FREE_METHODS; trial++)
    CHECK_SHOW(ran[trial] > 80, "%d: %d", trial, ran[trial]);
}

/* Rows of columns, "1 2;3;", and a column of its own for each row. */
static perm_matrix t_free_board(const char *text, int columns)
{
  static int row[600], column[600];
  int m = 0, k;
  size_t used = 0;
  perm_matrix matrix;
  for (; *text; text++) {
    if (*text >= '0' && *text <= '9') {
      row[used] = m;
      for (column[used] = 0; *text >= '0' && *text <= '9'; text++)
        column[used] = 10 * column[used] + *text - '0';
      used++;
    }
    m += *text == ';';
  }
  for (k = 0; k < m; k++, used++) {
    row[used] = k;
    column[used] = columns + k;
  }
  CHECK(perm_matrix_from_triplets(m, columns + m, used, row, column, NULL, NULL, NULL, PERM_KIND_PATTERN, NULL, &matrix,
                                  NULL) == PERM_OK);
  return matrix;
}

/* Targets in a plane, their measurements and misses: associations, counted by an independent program. */
TEST(t_free_counts_associations)
{
  static const char board30[] =
      "0 10 16 19 34 37;1 13 23 33 38 45;2 6 32 41;4 9 21 28 29 39 44;3 14 18 20;4 28 44 48;5 30 33;2 6 32 "
      "41;7 32 42;8 32;9 39 40;0 10 19 34 37;11;12 14 20 36 40;1 13 23 33 38 45;3 12 14 18 20;15 16 19 22 "
      "24 35;0 10 16 19;17 42;14 18 20;16 19 24;12 14 20 36 40;4 21 28 44 48;15 22 35;23 25 30 31 33 45;15 "
      "16 19 24 35;5 23 25 30 31 33 45;26;27;4 21 28 29 44 48;";
  static const char board60[] =
      "0 10;1 13 94;2 6 43 53;3 34 48;14 17 35 69 85;4;5 45 51 73;2 6 43 53;7 33 83 89 92;8 77 92;9 48 72;"
      "10 63;11 88;12 19 62 82;1 13 94;14 17 49 85;15 21 23 95;0 18 36;16;14 17 42 50 68 85;0 15 18 21 23 "
      "36 95;12 19 37 62 82;4 20;;22 80;15 21 23 95;22 24 73 80;25 28 66;26 75 87;3 20 27 34 59;28 50;15 "
      "21 23 29;9 30 48 72;24 31 44 71 76;32;7 33 83 89;3 20 27 34 59;35 69 85;18 36 95;26 32 75 87;9 12 "
      "37 62;9 30 39 52 72 74;38 60 86;30 38 39 74;40;9 37 39 41 52 74;17 42 50 68;2 6 43 92;31 44 76;5 45 "
      "91;46 54;47 88;3 30 48 72;12 19 49 62;;28 66;5 24 51 73 80;37 38 39 41 52 74;53;46 54;";
  const uint64_t p = UINT64_C(2305843009213693951);
  int k;
  for (k = 0; k < 2; k++) {
    perm_matrix matrix = k ? t_free_board(board60, 97) : t_free_board(board30, 49);
    perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
    perm_result result;
    perm_preparation report;
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.exact);
    CHECK(result.method == PERM_METHOD_TREE &&
          oracle_modulo(&result.integer, UINT64_C(1000000000000000000)) ==
              (k ? UINT64_C(662944536238540800) : UINT64_C(29915592640159104)));
    CHECK(oracle_modulo(&result.integer, p) == (k ? UINT64_C(476115248427893101) : UINT64_C(724072583426465153)));
    options.modulus = p;
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
    CHECK(result.integer.word[0] == (k ? UINT64_C(476115248427893101) : UINT64_C(724072583426465153)));
    CHECK(perm_sparse_report(&matrix, NULL, &report, NULL) == PERM_OK);
    CHECK(report.structural_rank == matrix.m && report.m == matrix.m && report.n == matrix.n && report.blocks > 2 &&
          report.largest < matrix.m && report.entries_left < matrix.nnz);
    perm_matrix_free(&matrix);
  }
}

/* Rows are the cells of a square, columns its corners: w x w and (w + 1) x (w + 1). */
#define T_FREE_WIDE 8
static size_t t_free_lattice(int w, int *row, int *column)
{
  size_t used = 0;
  int x, y, k;
  for (y = 0; y < w; y++)
    for (x = 0; x < w; x++)
      for (k = 0; k < 4; k++) {
        row[used] = y * w + x;
        column[used++] = (y + k / 2) * (w + 1) + x + k % 2;
      }
  return used;
}

/* Modulo p, cell by cell, over the sets of used corners among the next w + 3. */
static uint64_t t_free_window(int w, const int64_t *entry, uint64_t p)
{
  const int bits = w + 3;
  uint64_t *value = (uint64_t *)calloc((size_t)2 << bits, sizeof *value), *next = value + ((size_t)1 << bits), sum = 0;
  int i, k, s;
  value[0] = 1;
  for (i = 0; i < w * w; i++) {
    const int shift = i == w * w - 1 ? 0 : i % w == w - 1 ? 2 : 1;
    memset(next, 0, sizeof *next << bits);
    for (s = 0; s < 1 << bits; s++)
      for (k = 0; k < 4 && value[s]; k++) {
        const int bit = 1 << (k / 2 * (w + 1) + k % 2), to = (s | bit) >> shift;
        const int64_t a = entry[4 * i + k];
        if (!(s & bit))
          next[to] = (next[to] + oracle_multiply(value[s], a < 0 ? p - (uint64_t)-a % p : (uint64_t)a % p, p)) % p;
      }
    memcpy(value, next, sizeof *next << bits);
  }
  for (s = 0; s < 1 << bits; s++)
    sum = (sum + value[s]) % p;
  free(value);
  return sum;
}

/* Turned or not, every kind of values, the bits of one thread; certified, against exact integers. */
TEST_LONG(t_free_lattices)
{
  static int line[2][4 * T_FREE_WIDE * T_FREE_WIDE];
  static int64_t integer[4 * T_FREE_WIDE * T_FREE_WIDE];
  static double real[4 * T_FREE_WIDE * T_FREE_WIDE], imaginary[4 * T_FREE_WIDE * T_FREE_WIDE];
  const uint64_t p = UINT64_C(2305843009213693951);
  int w, kind, k, threaded[T_FREE_METHODS] = {0};
  for (w = 3; w <= 7; w += 2)
    for (kind = 0; kind < 3; kind++) { /* small, signed, long */
      const size_t used = t_free_lattice(w, line[0], line[1]);
      const int m = w * w, n = (w + 1) * (w + 1);
      perm_result exact, result;
      perm_matrix matrix;
      uint64_t expected;
      size_t e;
      memset(&exact, 0, sizeof exact);
      for (e = 0; e < used; e++) {
        integer[e] = kind == 2 ? (int64_t)(test_random() >> 20) : 1 + test_below(9);
        integer[e] *= kind == 1 && test_below(2) ? -1 : 1;
        real[e] = (double)integer[e];
        imaginary[e] = test_below(9) - 4;
      }
      expected = t_free_window(w, integer, p);
      for (k = 0; k < 10 * (w < 7 ? 5 : 3); k++) {
        const int turned = k & 1, way = k / 2 % 5, by = 1 + k / 10;
        perm_options options =
            t_seeds_options(t_free_methods[by], way == 3 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT);
        options.certify = way == 1;
        options.modulus = way == 4 ? 1000000 : 0;
        CHECK(perm_matrix_from_triplets(turned ? n : m, turned ? m : n, used, line[turned], line[!turned], real,
                                        imaginary, integer, way == 0 || way == 4 ? PERM_KIND_INTEGER
                                                                     : way == 2  ? PERM_KIND_COMPLEX
                                                                                 : PERM_KIND_REAL,
                                        NULL, &matrix, NULL) == PERM_OK);
        if (w == 7 && !turned && kind == way % 3)
          threaded[by] += t_seeds_threads(&matrix, options, "lattice");
        CHECK_SHOW(perm_compute_sparse(&matrix, &options, &result) == PERM_OK, "%s", result.message);
        CHECK(result.method == t_free_methods[by] && result.error_bound < (double)INFINITY);
        if (way == 0) {
          CHECK_SHOW(result.exact && oracle_modulo(&result.integer, p) == expected, "%d, kind %d, turned %d, by %d", w,
                     kind, turned, by);
          exact = result;
        } else if (way == 4) {
          CHECK(result.integer.word[0] == oracle_modulo(&exact.integer, 1000000));
        } else if (way != 2 && kind < 2) {
          const double off = ldexp(result.value, (int)(result.exp2 - exact.exp2)) - exact.value;
          const double bound = ldexp(result.error_bound, (int)(result.exp2 - exact.exp2));
          CHECK_SHOW(fabs(off) <= bound * (1 + 1e-9) + 2e-16 * fabs(exact.value), "%d, kind %d, way %d: %g, not %g", w,
                     kind, way, off, bound);
          CHECK(kind || bound < (way == 3 ? 1e-15 : 1e-12) * exact.value);
        }
        perm_matrix_free(&matrix);
      }
    }
  for (k = 1; k < 4; k++)
    CHECK_SHOW(threaded[k] == 5, "%d: %d", k, threaded[k]);
}

/* A path, one with two teeth a row, full blocks, a full matrix. */
TEST(t_free_closed_forms)
{
  enum { LONG = 30000 };
  static int row[4 * LONG], column[4 * LONG];
  int shape, i, j, k;
  for (shape = 0; shape < 4; shape++) {
    const int m = shape == 0 ? LONG : shape == 1 ? 60 : shape == 2 ? 40 : 6, n = shape == 3 ? 300 : 3 * m + 1;
    size_t used = 0;
    double expected = 1;
    perm_matrix matrix;
    perm_result result;
    for (i = 0; i < m; i++)
      for (j = shape ? 0 : i; j < (shape ? n : i + 2); j++)
        if (shape == 0 || shape == 3 || (shape == 2 && i / 4 == j / 6 && j < 60) ||
            (shape == 1 && (j == i || j == i + 1 || j == m + 1 + 2 * i || j == m + 2 + 2 * i))) {
          row[used] = i;
          column[used++] = j;
        }
    for (i = 0; shape == 2 && i < 10; i++)
      expected *= 6.0 * 5 * 4 * 3;
    for (i = 0; shape == 3 && i < m; i++)
      expected *= n - i;
    expected = shape == 0 ? m + 1 : expected;
    if (shape == 1) { /* f(i + 1) = 4 f(i) - f(i - 1) */
      double before = 0;
      for (i = 0, expected = 1; i < m; i++) {
        const double next = 4 * expected - before;
        before = expected;
        expected = next;
      }
    }
    for (k = 0; k < 2; k++) {
      CHECK(perm_matrix_from_triplets(k ? n : m, k ? m : n, used, k ? column : row, k ? row : column, NULL, NULL, NULL,
                                      PERM_KIND_PATTERN, NULL, &matrix, NULL) == PERM_OK);
      CHECK_SHOW(perm_compute_sparse(&matrix, NULL, &result) == PERM_OK, "%s", result.message);
      CHECK(result.exact == (shape > 0) && result.error_bound < 1e-10 * result.value);
      CHECK_SHOW(fabs(ldexp(result.value, (int)result.exp2) / expected - 1) < (shape ? 1e-13 : 1e-11),
                 "shape %d: %.17g, not %.17g", shape, ldexp(result.value, (int)result.exp2), expected);
      perm_matrix_free(&matrix);
    }
  }
}

/* What a job tells, checkpoints, limits; what is refused, and what to try instead. */
TEST(t_free_jobs)
{
  static int line[2][4 * T_FREE_WIDE * T_FREE_WIDE], full[2][40 * 60];
  const char *path = "build/t_free.checkpoint";
  const size_t used = t_free_lattice(8, line[0], line[1]);
  perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  perm_result result, again, other;
  perm_matrix matrix;
  perm_state *state = NULL;
  perm_job *job = NULL;
  char text[2048];
  int k;
  CHECK(perm_matrix_from_triplets(64, 81, used, line[0], line[1], NULL, NULL, NULL, PERM_KIND_PATTERN, NULL, &matrix,
                                  NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && result.exact);
  CHECK(result.method == PERM_METHOD_FRONTIER); /* a lattice is a path */
  for (k = 0; k < 4; k++) {
    static const char *const told[] = {"frontier, order 64: width", "tree, order 64, free columns: width",
                                       "lists, order 64: width", "arrays, order 64: width"};
    volatile int cancel = 1;
    options.method = t_free_methods[k];
    CHECK(perm_sparse_job(&matrix, &options, &job, &again) == PERM_OK && perm_job_leaves(job) == 1);
    perm_job_explain(job, text, sizeof text);
    CHECK_TEXT(text, told[k]);
    CHECK(perm_state_create(job, &state) == PERM_OK);
    remove(path);
    options.checkpoint.file = path;
    CHECK(perm_job_execute(job, state, &options, &again) == PERM_OK);
    CHECK(!memcmp(&again.integer, &result.integer, sizeof result.integer));
    perm_state_free(state);
    perm_job_free(job);
    CHECK(perm_compute_sparse(&matrix, &options, &other) == PERM_OK && other.terms == again.terms); /* as kept */
    CHECK(!memcmp(&other.integer, &result.integer, sizeof result.integer));
    remove(path);
    options.checkpoint.file = NULL;
    options.cancel = &cancel;
    CHECK(perm_compute_sparse(&matrix, &options, &other) == PERM_STOPPED_CANCELLED);
    options.cancel = NULL;
    options.max_seconds = 1e-9;
    CHECK(perm_compute_sparse(&matrix, &options, &other) == PERM_STOPPED_TIME || other.status == PERM_ERROR_LIMIT);
    options.max_seconds = 0;
    options.max_bytes = 7e4;
    CHECK(perm_compute_sparse(&matrix, &options, &other) == PERM_ERROR_LIMIT);
    options.max_bytes = 0;
  }
  options.method = PERM_METHOD_BAND;
  CHECK(perm_compute_sparse(&matrix, &options, &again) == PERM_ERROR_UNSUPPORTED && again.argument == 2);
  CHECK_TEXT(again.message, "method band is for square matrices; auto, tree, frontier, lists, arrays, sorting, sub");
  perm_matrix_free(&matrix);
  for (k = 0; k < 40 * 60; k++) {
    full[0][k] = k / 60;
    full[1][k] = k % 60;
  }
  CHECK(perm_matrix_from_triplets(40, 60, 40 * 60, full[0], full[1], NULL, NULL, NULL, PERM_KIND_PATTERN, NULL, &matrix,
                                  NULL) == PERM_OK);
  options = t_sparse_options(PERM_METHOD_TREE, PERM_PRECISION_DEFAULT);
  CHECK(perm_compute_sparse(&matrix, &options, &again) == PERM_ERROR_LIMIT);
  CHECK_TEXT(again.message, "has no tree of tables found within 27 vertices");
  options.method = PERM_METHOD_AUTO; /* its lines are equal */
  CHECK(perm_compute_sparse(&matrix, &options, &again) == PERM_OK);
  perm_matrix_free(&matrix);
  CHECK(perm_matrix_from_triplets(3, 2, 2, full[0], full[1], NULL, NULL, NULL, PERM_KIND_PATTERN, NULL, &matrix,
                                  NULL) == PERM_OK); /* both entries in one row */
  options.method = PERM_METHOD_TREE;
  CHECK(perm_sparse_job(&matrix, &options, &job, &again) == PERM_OK);
  perm_job_explain(job, text, sizeof text);
  CHECK_TEXT(text, "rank 1 of 2, the permanent is 0: 2 columns have entries in only 1 row");
  perm_job_free(job);
  CHECK(perm_compute_sparse(&matrix, &options, &again) == PERM_OK && again.exact && again.value == 0);
  perm_matrix_free(&matrix);
}

/* Arrays with many zeros go to trees, however few lines they have: sums over subsets took 1.3 s. */
TEST(t_free_takes_arrays)
{
  static int64_t integer[38 * 20];
  static double real[38 * 20];
  int i, wide;
  perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  perm_result exact, result;
  for (wide = 0; wide < (test_quick ? 1 : 2); wide++) {
    const int m = wide ? 20 : 38, n = wide ? 38 : 20;
    memset(integer, 0, sizeof integer);
    for (i = 0; i < 3 * 20; i++) {
      const int shorter = i % 20, longer = (7 * shorter + 5 * (i / 20)) % 38;
      integer[wide ? shorter * n + longer : longer * n + shorter] = 1 + i % 4;
    }
    for (i = 0; i < m * n; i++)
      real[i] = (double)integer[i];
    CHECK(perm_compute_integer(m, n, integer, n, &options, &exact) == PERM_OK && exact.method == PERM_METHOD_TREE);
    CHECK(exact.exact && exact.value > 0);
    CHECK(perm_compute_real(m, n, real, n, &options, &result) == PERM_OK && result.method == PERM_METHOD_TREE);
    CHECK(fabs(result.value - exact.value) <= result.error_bound && result.error_bound < 1e-12 * exact.value);
    options.method = PERM_METHOD_SUBSETS;
    CHECK(perm_compute_integer(m, n, integer, n, &options, &result) == PERM_OK);
    CHECK(!memcmp(&result.integer, &exact.integer, sizeof exact.integer));
    options.method = PERM_METHOD_AUTO;
  }
}

/* A block whose array needs more than max_bytes: sanitizers saw an array that was not made. */
TEST(t_free_refuses_by_memory)
{
  int row[256], column[256], i, refused = 0;
  size_t used = 0;
  double real[256], bytes;
  perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  perm_result result;
  perm_matrix matrix;
  for (i = 0; i < 256; i++)
    if (i * 2654435761u % 97 < 17) {
      row[used] = i / 8;
      column[used] = i % 8;
      real[used++] = 1 + 0.25 * (i % 8);
    }
  CHECK(perm_matrix_from_triplets(32, 8, used, row, column, real, NULL, NULL, PERM_KIND_REAL, NULL, &matrix, NULL) ==
        PERM_OK);
  for (bytes = 2000; bytes < 5e5; bytes += 500) {
    options.max_bytes = bytes;
    refused += perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_LIMIT;
    CHECK(result.status == PERM_OK || result.status == PERM_ERROR_LIMIT);
  }
  CHECK(refused > 10 && result.status == PERM_OK);
  perm_matrix_free(&matrix);
}

/* Every allocation fails once; then time is up at once. */
TEST(t_free_survives_failing_allocations)
{
  static int line[2][4 * T_FREE_WIDE * T_FREE_WIDE];
  const size_t used = t_free_lattice(4, line[0], line[1]);
  int way;
  for (way = 0; way < 4; way++) { /* integers by method; the report */
    t_sparse_memory memory;
    perm_options options = t_sparse_options(t_free_methods[way % 3 + 1], PERM_PRECISION_DEFAULT);
    perm_result result, expected;
    perm_preparation report;
    perm_matrix matrix;
    perm_status status = PERM_ERROR_MEMORY;
    CHECK(perm_matrix_from_triplets(16, 25, used, line[0], line[1], NULL, NULL, NULL, PERM_KIND_PATTERN, NULL, &matrix,
                                    NULL) == PERM_OK);
    CHECK(perm_compute_sparse(&matrix, &options, &expected) == PERM_OK);
    memset(&memory, 0, sizeof memory);
    options.allocator.allocate = t_sparse_allocate;
    options.allocator.release = t_sparse_release;
    options.allocator.user_data = &memory;
    for (memory.fail_at = 1; memory.fail_at < 500 && status == PERM_ERROR_MEMORY; memory.fail_at++) {
      memory.calls = 0;
      status = way == 3 ? perm_sparse_report(&matrix, &options, &report, &result)
                        : perm_compute_sparse(&matrix, &options, &result);
      CHECK(memory.live == 0 && (status == PERM_OK || status == PERM_ERROR_MEMORY));
    }
    CHECK(status == PERM_OK && memory.fail_at > 5 && (way == 3 || result.value == expected.value));
    options.max_seconds = 1e-9;
    memory.fail_at = 0;
    status = way == 3 ? perm_sparse_report(&matrix, &options, &report, &result)
                      : perm_compute_sparse(&matrix, &options, &result);
    CHECK(memory.live == 0 && (way == 3 || status == PERM_STOPPED_TIME || status == PERM_ERROR_LIMIT));
    perm_matrix_free(&matrix);
  }
}

/* Sorted joins have the bits of a plain loop by ascending masks of the left table, those without sorting its sums but
   for rounding; both the same bits on one thread and three. Zeros where masks have more ones than their tables'
   subtrees decide which table is added whole. */
TEST(t_free_joins_add_terms_in_order)
{
  enum { MOST = 10, STATES = 1 << MOST };
  static double left[STATES], right[STATES], product[2][STATES], expected[STATES];
  static uint32_t numbers[2][3][STATES + 2], low[1 << PERMI_TREE_LOW], high[2];
  static permi_coefficient alone;
  const double share_seconds = test_share_seconds;
  int trial, k, used[3] = {0, 0, 0}, shared = 0;
  for (k = 0; k < 1 << PERMI_TREE_LOW; k++)
    low[k] = (uint32_t)k;
  for (trial = 0; trial < 400; trial++) {
    const int t = 1 + test_below(MOST);
    const uint32_t all = (1u << t) - 1, a = (uint32_t)test_random() & all, b = all & ~a;
    permi_tree tree;
    permi_tree_run run;
    permi_tree_table one, other, out;
    uint32_t i, j;
    double visits;
    int way, wrong = 0;
    memset(&tree, 0, sizeof tree);
    memset(&run, 0, sizeof run);
    memset(&one, 0, sizeof one);
    memset(&out, 0, sizeof out);
    tree.numbers.algebra = PERMI_MAGNITUDES;
    tree.numbers.parts = tree.size = 1;
    tree.alone = &alone;
    run.tree = &tree;
    run.weight = 1;
    run.rank.low = low;
    run.rank.high = high;
    for (k = 0; k < 2; k++) {
      run.mask[k] = numbers[k][0];
      run.index[k] = numbers[k][1];
      run.first[k] = numbers[k][2];
    }
    other = one;
    one.set = a | ((uint32_t)test_random() & b);
    other.set = b | ((uint32_t)test_random() & a);
    one.difference = 1 + test_below(t);
    other.difference = 1 + test_below(t);
    one.states = (size_t)1 << permi_count_ones(one.set);
    other.states = (size_t)1 << permi_count_ones(other.set);
    one.value = (uint64_t *)(void *)left;
    other.value = (uint64_t *)(void *)right;
    for (i = 0; i < one.states; i++)
      left[i] = permi_count_ones(i) > one.difference ? 0 : test_uniform();
    for (i = 0; i < other.states; i++)
      right[i] = permi_count_ones(i) > other.difference ? 0 : test_uniform();
    way = permi_tree_direct(&tree, one.set, one.difference, other.set, other.difference, &visits);
    used[1 + way]++;
    shared += permi_count_ones(one.set & other.set) > 3;
    for (k = 0; k < 2; k++) {
      run.base.threads = k ? 3 : 1;
      test_share_seconds = k ? 0 : share_seconds;
      out.value = (uint64_t *)(void *)product[k];
      CHECK(permi_tree_join(&run, 0, all, &one, &other, &out) == PERM_OK && out.states == (size_t)all + 1);
    }
    memset(expected, 0, sizeof expected);
    for (i = 0; i < one.states; i++)
      for (j = 0; j < other.states; j++) {
        const uint32_t x = (uint32_t)permi_deposit_bits(i, one.set), y = (uint32_t)permi_deposit_bits(j, other.set);
        if (!(x & y) && left[i] != 0 && right[j] != 0)
          expected[x | y] += left[i] * right[j];
      }
    for (i = 0; i < out.states; i++)
      wrong += way < 0 ? product[0][i] != expected[i] : fabs(product[0][i] - expected[i]) > 1e-13 * expected[i];
    CHECK_SHOW(!wrong && !memcmp(product[0], product[1], out.states * sizeof expected[0]), "trial %d, %d vertices",
               trial, t);
  }
  test_share_seconds = share_seconds;
  CHECK_SHOW(used[0] && used[1] && used[2] && shared, "%d, %d, %d", used[0], used[1], used[2]);
}

/* Small blocks' orders eliminate each vertex once, into scopes that stand for the fill; of the two greedy ones, least
   degree of vertices and least fill, and those by chance, the cheapest tree is taken. */
TEST(t_free_glances_are_elimination_orders)
{
  static t_free f;
  int trial, seen = 0;
  for (trial = 0; trial < 300; trial++) {
    perm_options options = t_sparse_options(PERM_METHOD_TREE, PERM_PRECISION_DEFAULT);
    perm_result result;
    perm_job *job;
    int i, k;
    t_free_random(&f, 1, 9, 0);
    if (f.m == f.n || perm_sparse_job(&f.matrix, &options, &job, &result) != PERM_OK)
      continue;
    for (i = 0; i < job->leaves; i++) {
      const permi_tree *tree = (const permi_tree *)job->leaf[i].context;
      int gone[64] = {0};
      for (k = 0; k < tree->nodes; k++) {
        CHECK(tree->vertex[k] < 64 && !gone[tree->vertex[k]]);
        gone[tree->vertex[k]] = 1;
        for (int e = tree->node[k].edge; e < tree->node[k + 1].edge; e++)
          CHECK(!gone[tree->edge[e].vertex]);
      }
      seen += tree->nodes;
    }
    perm_job_free(job);
  }
  CHECK(seen > 500);
}
/* SPDX-License-Identifier: MIT */
