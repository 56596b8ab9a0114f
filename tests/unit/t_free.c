/* >>tree, >>reduce, >>sparse */
/* Sparse rectangular matrices: columns that stay free, in trees of tables, against sums over subsets of rows. */

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

static uint64_t t_free_residue(oracle_int x, uint64_t p)
{
  const oracle_int rest = x % (oracle_int)p;
  return (uint64_t)(rest < 0 ? rest + (oracle_int)p : rest);
}

static int t_free_is(const perm_integer *integer, oracle_int expected)
{
  return oracle_integer_of(integer) == expected;
}

TEST(t_free_equals_subsets)
{
  static const uint64_t moduli[] = {UINT64_C(2305843009213693951), 97, 1000000, 2};
  static t_free f;
  int trial, trees = 0, nonzero = 0, k;
  for (trial = 0; trial < 4000; trial++) {
    perm_options options = t_sparse_options(trial % 4 ? PERM_METHOD_TREE : PERM_METHOD_AUTO, PERM_PRECISION_EXACT);
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
               "trial %d, %d x %d: %.17g, not %.17g", trial, f.m, f.n, result.value, (double)expected[0]);
    trees += result.method == PERM_METHOD_TREE;
    options.modulus = moduli[trial / 4 % 4];
    CHECK(perm_compute_sparse(&f.matrix, &options, &result) == PERM_OK && result.modulus == options.modulus);
    CHECK_SHOW(t_free_is(&result.integer, (oracle_int)t_free_residue(expected[0], options.modulus)) &&
                   t_free_is(&result.imaginary_integer, (oracle_int)t_free_residue(expected[1], options.modulus)),
               "trial %d, %d x %d", trial, f.m, f.n);
    for (k = 0; k < 3; k++) { /* doubles, double-doubles, certified */
      oracle_int bound[2];
      double off;
      options = t_sparse_options(trial % 4 ? PERM_METHOD_TREE : PERM_METHOD_AUTO,
                                 k == 1 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT);
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
  CHECK_SHOW(trees > 500 && nonzero > 1000, "%d %d", trees, nonzero);
}
