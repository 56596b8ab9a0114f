/* >>derive >>derive_tree >>derive_frontier >>derive_kernels: derivatives by all stored entries against minors by
   recursion, also at stored zeros; modulo primes and others, as integers, within bounds in doubles; marginals; larger
   matrices against permanents of their minors; threads, checkpoints and what must be refused. */

#define T_DERIVE_MOST 4096
#define T_DERIVE_METHODS 5
static const perm_method t_derive_methods[T_DERIVE_METHODS] = {PERM_METHOD_AUTO, PERM_METHOD_TREE, PERM_METHOD_LISTS,
                                                               PERM_METHOD_ARRAYS, PERM_METHOD_FRONTIER};

typedef struct t_derive_case {
  int n;
  int64_t a[49];
  char has[49]; /* stored, perhaps a zero */
  size_t start[8];
  int column[49];
  double real[49];
  int64_t integer[49];
  perm_matrix matrix;
} t_derive_case;

/* The permanent without row `row` and column `column`, over rows from i on. */
static oracle_int t_derive_minor(const t_derive_case *c, int row, int column, int i, unsigned used)
{
  oracle_int sum = 0;
  int j;
  if (i == c->n)
    return 1;
  if (i == row)
    return t_derive_minor(c, row, column, i + 1, used);
  for (j = 0; j < c->n; j++)
    if (j != column && !(used >> j & 1) && c->a[i * c->n + j])
      sum += c->a[i * c->n + j] * t_derive_minor(c, row, column, i + 1, used | 1u << j);
  return sum;
}

/* kind 0: any pattern, 1: several components, 2: block triangular. Entries up to `most`, negative if `sign`. */
static void t_derive_make(t_derive_case *c, int n, int kind, int density, int most, int sign, int zeros)
{
  size_t count = 0;
  int i, j, cut = 1 + test_below(n), turned[7];
  memset(c, 0, sizeof *c);
  c->n = n;
  for (i = 0; i < n; i++) {
    const int k = test_below(i + 1);
    turned[i] = turned[k];
    turned[k] = i;
  }
  for (i = 0; i < n; i++) {
    c->start[i] = count;
    for (j = 0; j < n; j++) {
      const int apart = kind == 1 ? (turned[i] < cut) != (j < cut) : kind == 2 && turned[i] >= cut && j < cut;
      if (apart || (test_below(100) >= density && turned[i] != j))
        continue;
      c->a[i * n + j] = zeros && test_below(5) == 0 ? 0 : (1 + test_below(most)) * (sign && test_below(2) ? -1 : 1);
      c->has[i * n + j] = 1;
      c->column[count] = j;
      c->integer[count] = c->a[i * n + j];
      c->real[count++] = (double)c->a[i * n + j];
    }
  }
  c->start[n] = count;
  c->matrix.m = c->matrix.n = n;
  c->matrix.nnz = count;
  c->matrix.kind = PERM_KIND_INTEGER;
  c->matrix.row_start = c->start;
  c->matrix.column = c->column;
  c->matrix.real = c->real;
  c->matrix.integer = c->integer;
}

/* Every derivative and the permanent, exactly; doubles within their bound, which is not vacuous. */
TEST(t_derive_matches_minors)
{
  static const uint64_t moduli[] = {(UINT64_C(1) << 61) - 1, 2, 6, 97, 1000, UINT64_C(1) << 63, UINT64_C(4294967296)};
  static perm_integer whole[49];
  int trial, dead = 0, at_zero = 0, bounded = 0;
  test_seed(71);
  for (trial = 0; trial < 4000; trial++) {
    const int n = 1 + test_below(7), sign = trial % 3 == 0, zeros = trial % 4 == 1;
    const uint64_t p = moduli[trial % 7];
    uint64_t residue[49];
    double gradient[49], marginal[49], unmatched[7], largest = 0;
    oracle_int minor[49], all;
    t_derive_case c;
    perm_options options;
    perm_result result;
    perm_status status;
    size_t e;
    int i;
    memset(&options, 0, sizeof options);
    options.method = t_derive_methods[trial % T_DERIVE_METHODS];
    t_derive_make(&c, n, trial % 5 % 3, 10 + test_below(80), trial % 2 ? 3 : 1000, sign, zeros);
    all = t_derive_minor(&c, -1, -1, 0, 0);
    for (i = 0, e = 0; i < n; i++)
      for (; e < c.start[i + 1]; e++) {
        minor[e] = t_derive_minor(&c, i, c.column[e], 0, 0);
        at_zero += c.integer[e] == 0 && minor[e] != 0;
        largest = fmax(largest, fabs((double)minor[e]));
      }
    options.modulus = p;
    CHECK_SHOW(perm_gradient_sparse_mod(&c.matrix, &options, residue, &result) == PERM_OK, "%s", result.message);
    CHECK(result.integer.words <= 1 && result.integer.word[0] == oracle_remainder(all, p));
    CHECK(result.modulus == p && result.exact);
    for (e = 0; e < c.matrix.nnz; e++)
      CHECK_SHOW(residue[e] == oracle_remainder(minor[e], p), "trial %d, n = %d, entry %d, modulo %llu: %llu", trial, n,
                 (int)e, (unsigned long long)p, (unsigned long long)residue[e]);
    options.modulus = 0;
    CHECK_SHOW(perm_gradient_sparse_integer(&c.matrix, &options, whole, &result) == PERM_OK, "%s", result.message);
    CHECK(oracle_integer_of(&result.integer) == all);
    for (e = 0; e < c.matrix.nnz; e++)
      CHECK(oracle_integer_of(&whole[e]) == minor[e]);
    if (trial % 2)
      c.matrix.kind = PERM_KIND_REAL;
    CHECK_SHOW(perm_gradient_sparse(&c.matrix, &options, gradient, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(sign || fabs(ldexp(result.value, (int)result.exp2) - (double)all) <= 1e-13 * (double)all, "%g",
               result.value);
    for (e = 0; e < c.matrix.nnz; e++) {
      const double right = (double)minor[e]; /* below 2^53 */
      CHECK_SHOW(fabs(ldexp(gradient[e], (int)result.exp2) - right) <= ldexp(result.error_bound, (int)result.exp2),
                 "trial %d: %.17g, %.17g, bound %g", trial, gradient[e], right, result.error_bound);
      dead += minor[e] == 0;
    }
    CHECK_SHOW(sign || ldexp(result.error_bound, (int)result.exp2) <= 1e-13 * largest, "%g of %g", result.error_bound,
               largest);
    status = perm_marginals_sparse(&c.matrix, &options, marginal, unmatched, &result);
    for (e = 0, i = 0; e < c.matrix.nnz; e++)
      i |= c.integer[e] < 0;
    if (i || all == 0) {
      CHECK(status == (i ? PERM_ERROR_UNSUPPORTED : PERM_ERROR_ZERO));
      continue;
    }
    CHECK_SHOW(status == PERM_OK, "%s", result.message);
    CHECK(result.error_bound < 1e-12);
    bounded += result.error_bound > 0;
    for (i = 0, e = 0; i < n; i++) {
      double sum = 0;
      CHECK(unmatched[i] == 0);
      for (; e < c.start[i + 1]; e++) {
        const oracle_wide right = (oracle_wide)c.integer[e] * (oracle_wide)minor[e] / (oracle_wide)all;
        const oracle_wide wrong = (oracle_wide)marginal[e] - right;
        CHECK((wrong < 0 ? -wrong : wrong) <= (oracle_wide)(result.error_bound + 1e-30) * right);
        sum += marginal[e];
      }
      CHECK(fabs(sum - 1) < 1e-13);
    }
  }
  CHECK_SHOW(dead > 100 && at_zero > 100 && bounded > 100, "%d, %d, %d", dead, at_zero, bounded);
}

/* The same of doubles, complex ones in pairs; `moduli`: of their moduli. */
static void t_derive_wide(const t_derive_case *c, const double *x, int moduli, int row, int column, int i,
                          unsigned used, oracle_wide *sum)
{
  oracle_wide below[2], re, im;
  int j;
  sum[0] = i == c->n;
  sum[1] = 0;
  if (i == row && i < c->n)
    t_derive_wide(c, x, moduli, row, column, i + 1, used, sum);
  for (j = 0; j < c->n && i < c->n && i != row; j++)
    if (j != column && !(used >> j & 1) && c->has[i * c->n + j]) {
      t_derive_wide(c, x, moduli, row, column, i + 1, used | 1u << j, below);
      re = x[2 * (i * c->n + j)];
      im = x[2 * (i * c->n + j) + 1];
      if (moduli) {
        re = hypot((double)re, (double)im);
        im = 0;
      }
      sum[0] += re * below[0] - im * below[1];
      sum[1] += re * below[1] + im * below[0];
    }
}

/* Doubles of 53 bits, over many or all exponents, with signs, complex: errors of derivatives and marginals stay within
   their bounds, which are not vacuous where nothing underflows. */
TEST(t_derive_within_bounds)
{
  int trial, refused[3] = {0, 0, 0}, done[3] = {0, 0, 0};
  double worst[2] = {0, 0};
  test_seed(74);
  for (trial = 0; trial < 1500; trial++) {
    const int n = 2 + test_below(5), kind = trial % 3, range = trial / 3 % 3; /* >= 0, signs, complex */
    double x[2 * 49], imaginary[49], out[2 * 49], again[49], largest = 0, bound;
    double bits = range == 0 ? 3 : range == 1 ? 100 : 900;
    t_derive_case c;
    perm_options options;
    perm_result result;
    oracle_wide all[2], minor[2], unit = 1;
    size_t e;
    int i, j, part, k;
    memset(&options, 0, sizeof options);
    options.method = t_derive_methods[trial / 9 % T_DERIVE_METHODS];
    t_derive_make(&c, n, trial / 9 % 3, 30 + test_below(70), 2, 0, 0);
    memset(x, 0, sizeof x);
    for (i = 0, e = 0; i < n; i++)
      for (j = 0; j < n; j++)
        for (part = 0; part < 2 && c.has[i * n + j]; part++) {
          double *y = part ? &imaginary[e] : &c.real[e];
          *y = kind < 2 && part ? 0 : ldexp(1 + test_uniform(), (int)(bits * (2 * test_uniform() - 1)));
          *y *= kind && test_below(2) ? -1 : 1;
          x[2 * (i * n + j) + part] = *y;
          e += (size_t)part;
        }
    c.matrix.kind = kind == 2 ? PERM_KIND_COMPLEX : PERM_KIND_REAL;
    c.matrix.imaginary = imaginary;
    t_derive_wide(&c, x, 0, -1, -1, 0, 0, all);
    if (perm_gradient_sparse(&c.matrix, &options, out, &result) != PERM_OK) {
      CHECK_SHOW(result.status == PERM_ERROR_UNSUPPORTED, "%s", result.message);
      refused[range]++;
      continue;
    }
    done[range]++;
    for (k = 0; k < (result.exp2 < 0 ? -result.exp2 : result.exp2); k++)
      unit *= result.exp2 < 0 ? 2 : 0.5;
    for (i = 0, e = 0; i < n; i++)
      for (; e < c.start[i + 1]; e++) {
        double wrong;
        t_derive_wide(&c, x, 1, i, c.column[e], 0, 0, minor);
        largest = fmax(largest, (double)(minor[0] * unit));
        t_derive_wide(&c, x, 0, i, c.column[e], 0, 0, minor);
        wrong = hypot((double)(minor[0] * unit - (oracle_wide)out[kind == 2 ? 2 * e : e]),
                      kind == 2 ? (double)(minor[1] * unit - (oracle_wide)out[2 * e + 1]) : 0);
        CHECK_SHOW(wrong <= result.error_bound, "trial %d: %g, bound %g", trial, wrong, result.error_bound);
        worst[0] = fmax(worst[0], wrong / result.error_bound);
      }
    CHECK_SHOW(range == 2 || result.error_bound < 1e-13 * largest, "trial %d: %g of %g", trial, result.error_bound,
               largest);
    if (kind)
      continue;
    if (perm_marginals_sparse(&c.matrix, &options, out, NULL, &result) != PERM_OK) {
      CHECK(range == 2 && result.status == PERM_ERROR_UNSUPPORTED);
      continue;
    }
    bound = result.error_bound;
    CHECK_SHOW(bound < 1e-13, "%g", bound);
    c.matrix.kind = PERM_KIND_COMPLEX; /* imaginary parts of 0 */
    CHECK(perm_marginals_sparse(&c.matrix, &options, again, NULL, &result) == PERM_OK && result.error_bound == bound);
    CHECK(!memcmp(out, again, c.matrix.nnz * sizeof *out));
    for (i = 0, e = 0; i < n; i++)
      for (; e < c.start[i + 1]; e++) {
        oracle_wide right, wrong;
        t_derive_wide(&c, x, 0, i, c.column[e], 0, 0, minor);
        right = (oracle_wide)c.real[e] * minor[0] / all[0];
        wrong = (oracle_wide)out[e] - right;
        wrong = wrong < 0 ? -wrong : wrong;
        CHECK_SHOW(wrong <= (oracle_wide)(bound + 1e-30) * right + (oracle_wide)1e-290, "trial %d: %g of %g", trial,
                   (double)wrong, (double)right);
        if (right > (oracle_wide)1e-200 && bound > 0)
          worst[1] = fmax(worst[1], (double)(wrong / right) / bound);
      }
  }
  CHECK_SHOW(done[0] >= 500 && done[1] >= 498 && done[2] > 100, "%d, %d, %d", done[0], done[1], done[2]);
  CHECK_SHOW(worst[0] > 0.01 && worst[1] > 0.01, "%g, %g", worst[0], worst[1]);
  if (test_verbose)
    printf("at most %.2g of the bound, %.2g of a marginal's; %d refused\n", worst[0], worst[1], refused[2]);
}

/* kind 0: a band, 1: sparse at random, of many blocks, 2: a grid, 3: regular at random. */
static perm_matrix t_derive_large(int kind, int n)
{
  static const char *const family[] = {"band:%d:3", "er:%d:0.06", "grid:%d:6", "regular:%d:3"};
  char text[40];
  perm_matrix matrix;
  perm_result result;
  snprintf(text, sizeof text, family[kind], kind == 2 ? n / 3 : n);
  CHECK_SHOW(perm_generate(text, 5, NULL, &matrix, &result) == PERM_OK, "%s: %s", text, result.message);
  return matrix;
}

/* *minor: the matrix without the row and column of entry e, in arrays of T_DERIVE_MOST. */
static void t_derive_without(const perm_matrix *matrix, size_t e, perm_matrix *minor)
{
  static size_t start[T_DERIVE_MOST];
  static int column[T_DERIVE_MOST];
  static double real[T_DERIVE_MOST], imaginary[T_DERIVE_MOST];
  static int64_t integer[T_DERIVE_MOST];
  size_t k, count = 0;
  int i, row = 0, at = 0;
  while (matrix->row_start[row + 1] <= e)
    row++;
  for (i = 0; i < matrix->m; i++) {
    if (i == row)
      continue;
    start[at++] = count;
    for (k = matrix->row_start[i]; k < matrix->row_start[i + 1]; k++) {
      if (matrix->column[k] == matrix->column[e])
        continue;
      column[count] = matrix->column[k] - (matrix->column[k] > matrix->column[e]);
      real[count] = matrix->real ? matrix->real[k] : 1;
      imaginary[count] = matrix->imaginary ? matrix->imaginary[k] : 0;
      integer[count++] = matrix->integer ? matrix->integer[k] : 1;
    }
  }
  start[at] = count;
  *minor = *matrix;
  minor->m = minor->n = at;
  minor->nnz = count;
  minor->row_start = start;
  minor->column = column;
  minor->real = matrix->real ? real : NULL;
  minor->imaginary = matrix->imaginary ? imaginary : NULL;
  minor->integer = matrix->integer ? integer : NULL;
}

/* Orders 30 to 100 against permanents of minors, modulo a prime, and in doubles within both bounds; marginals. */
TEST(t_derive_of_large_matrices)
{
  static double gradient[T_DERIVE_MOST], marginal[T_DERIVE_MOST], real[T_DERIVE_MOST], imaginary[T_DERIVE_MOST];
  static int64_t integer[T_DERIVE_MOST];
  static uint64_t residue[T_DERIVE_MOST];
  int kind, algebra, method, taken[T_DERIVE_METHODS] = {0, 0, 0, 0, 0};
  test_seed(72);
  for (kind = 0; kind < 4; kind += test_quick ? 2 : 1)
    for (algebra = 0; algebra < 4; algebra++) { /* residues, doubles >= 0, with signs, complex */
      perm_matrix matrix = t_derive_large(kind, kind == 0 ? 100 : kind == 1 ? 50 : kind == 2 ? 60 : 30);
      perm_matrix given = matrix, minor;
      perm_options options;
      perm_result result, whole, one;
      size_t e, step;
      int i;
      memset(&options, 0, sizeof options);
      CHECK(matrix.m == matrix.n && matrix.nnz < T_DERIVE_MOST / 2);
      for (e = 0; e < matrix.nnz; e++) {
        integer[e] = 1 + test_below(9) - (algebra >= 2 && test_below(3) == 0 ? 10 : 0);
        real[e] = algebra == 0 ? (double)integer[e] : (double)integer[e] * ldexp(1 + test_uniform(), test_below(40));
        imaginary[e] = test_uniform() - 0.5;
      }
      given.kind = algebra == 0 ? PERM_KIND_INTEGER : algebra == 3 ? PERM_KIND_COMPLEX : PERM_KIND_REAL;
      given.real = real;
      given.integer = algebra == 0 ? integer : NULL;
      given.imaginary = algebra == 3 ? imaginary : NULL;
      step = matrix.nnz / 20 + 1;
      options.modulus = algebra == 0 ? (UINT64_C(1) << 61) - 1 : 0;
      for (method = 0; method < T_DERIVE_METHODS; method++) {
        perm_options asked = options;
        asked.method = t_derive_methods[method];
        if (algebra == 0)
          CHECK_SHOW(perm_gradient_sparse_mod(&given, &asked, residue, &whole) == PERM_OK, "%s", whole.message);
        else
          CHECK_SHOW(perm_gradient_sparse(&given, &asked, gradient, &whole) == PERM_OK, "%s", whole.message);
        CHECK(perm_compute_sparse(&given, &options, &one) == PERM_OK);
        if (algebra == 0)
          CHECK(oracle_modulo(&one.integer, options.modulus) == oracle_modulo(&whole.integer, options.modulus));
        else
          CHECK(fabs(one.value - ldexp(whole.value, (int)(whole.exp2 - one.exp2))) <= 1e-10 * fabs(one.value));
        CHECK(whole.method != PERM_METHOD_AUTO && (!asked.method || whole.method == asked.method));
        CHECK(whole.terms > 100 && whole.is_complex == (algebra == 3));
        for (e = 0; e < matrix.nnz; e += step) {
          t_derive_without(&given, e, &minor);
          CHECK_SHOW(perm_compute_sparse(&minor, &options, &one) == PERM_OK, "%s", one.message);
          if (algebra == 0) {
            CHECK(residue[e] == (one.integer.words ? one.integer.word[0] : 0));
          } else {
            const double unit = ldexp(1, (int)(one.exp2 - whole.exp2)), *x = gradient + (algebra == 3 ? 2 * e : e);
            const double wrong = hypot(x[0] - one.value * unit, algebra == 3 ? x[1] - one.imaginary * unit : 0);
            CHECK_SHOW(wrong <= whole.error_bound + one.error_bound * unit,
                       "kind %d, algebra %d, entry %d: %g, bounds %g, %g", kind, algebra, (int)e, wrong,
                       whole.error_bound, one.error_bound * unit);
            taken[method] += x[0] != 0;
          }
        }
        if (algebra == 1) {
          CHECK_SHOW(perm_marginals_sparse(&given, &asked, marginal, NULL, &result) == PERM_OK, "%s", result.message);
          CHECK_SHOW(result.error_bound > 1e-16 && result.error_bound < 1e-10, "%g", result.error_bound);
          if (test_verbose)
            printf("kind %d: marginals within %.2g, gradient within %.2g\n", kind, result.error_bound,
                   whole.error_bound);
          for (i = 0, e = 0; i < matrix.m; i++) {
            double sum = 0;
            for (; e < matrix.row_start[i + 1]; e++)
              sum += marginal[e];
            CHECK_SHOW(fabs(sum - 1) < 1e-12, "%g", sum - 1);
          }
          for (e = 0; e < matrix.nnz; e++) {
            const double right = real[e] * (gradient[e] / whole.value);
            CHECK_SHOW(fabs(marginal[e] - right) <= 1e-12 * right, "%g, %g", marginal[e], right);
          }
        } else if (algebra >= 2) {
          CHECK(perm_marginals_sparse(&given, &asked, marginal, NULL, &result) == PERM_ERROR_UNSUPPORTED);
        }
      }
      perm_matrix_free(&matrix);
    }
  for (method = 0; method < T_DERIVE_METHODS; method++)
    CHECK_SHOW(taken[method] > test_some(60), "%d", taken[method]);
}

/* The same bits for any number of threads, also where steps are shared. */
TEST(t_derive_same_for_threads)
{
  static double gradient[2][T_DERIVE_MOST];
  perm_options options;
  perm_matrix matrix;
  perm_result result;
  size_t e;
  int threads, k;
  memset(&options, 0, sizeof options);
  CHECK(perm_generate("regular:32:4", 3, NULL, &matrix, &result) == PERM_OK && matrix.nnz < T_DERIVE_MOST);
  matrix.kind = PERM_KIND_REAL; /* has reals, too */
  for (e = 0; e < matrix.nnz; e++)
    matrix.real[e] = 1 + (double)(e * 7 % 13) / 3;
  for (k = 0; k < 12; k++) {
    threads = 1 + k % 4;
    options.threads = threads;
    options.method = t_derive_methods[1 + k / 4];
    CHECK_SHOW(perm_gradient_sparse(&matrix, &options, gradient[threads > 1], &result) == PERM_OK, "%s",
               result.message);
    CHECK(result.threads == (PERMI_OPENMP ? threads : 1) && result.method == options.method);
    CHECK(threads == 1 || !memcmp(gradient[0], gradient[1], matrix.nnz * sizeof **gradient));
  }
  perm_matrix_free(&matrix);
}

static perm_status t_derive_complex(int n, const double *a, perm_matrix *matrix)
{
  static int row[22 * 22], column[22 * 22];
  static double real[22 * 22], imaginary[22 * 22];
  perm_result result;
  int k;
  for (k = 0; k < n * n; k++) {
    row[k] = k / n;
    column[k] = k % n;
    real[k] = a[2 * k];
    imaginary[k] = a[2 * k + 1];
  }
  return perm_matrix_from_triplets(n, n, (size_t)(n * n), row, column, real, imaginary, NULL, PERM_KIND_COMPLEX, NULL,
                                   matrix, &result);
}

/* Full matrices become arrays, where that is quicker, unless a tree is asked for: the same derivatives as of perm.h. */
TEST(t_derive_as_arrays)
{
  static double a[2 * 22 * 22], gradient[2 * 22 * 22], out[2 * 22 * 22];
  int n, parts, method, k;
  for (n = 10; n <= 22; n += 12)
    for (parts = 1; parts <= 2; parts++)
      for (method = 0; method < 2; method++) {
        perm_options options;
        perm_matrix matrix;
        perm_result result, array;
        double largest = 0, unit;
        if (n == 22 && method)
          continue;
        memset(&options, 0, sizeof options);
        options.method = method ? PERM_METHOD_TREE : PERM_METHOD_AUTO;
        for (k = 0; k < 2 * n * n; k++)
          a[k] = 0.25 + test_uniform();
        CHECK(parts == 1 ? perm_matrix_from_dense(n, n, a, n, NULL, &matrix, &result) == PERM_OK
                         : t_derive_complex(n, a, &matrix) == PERM_OK);
        CHECK(parts == 1 ? perm_gradient_real(n, n, a, n, NULL, NULL, NULL, gradient, &array) == PERM_OK
                         : perm_gradient_complex(n, n, a, n, NULL, NULL, NULL, gradient, &array) == PERM_OK);
        CHECK_SHOW(perm_gradient_sparse(&matrix, &options, out, &result) == PERM_OK, "%s", result.message);
        CHECK((result.method == PERM_METHOD_DENSE) == (n == 22) && (!method || result.method == options.method));
        unit = ldexp(1, (int)(result.exp2 - array.exp2));
        for (k = 0; k < parts * n * n; k++)
          largest = fmax(largest, fabs(gradient[k]));
        for (k = 0; k < parts * n * n; k++)
          CHECK_SHOW(fabs(out[k] * unit - gradient[k]) <= 1e-11 * largest, "%g, %g", out[k] * unit, gradient[k]);
        CHECK(fabs(result.value * unit - array.value) <= 1e-11 * fabs(array.value));
        CHECK((result.error_bound < (double)INFINITY) == (n == 10));
        if (parts == 1) {
          CHECK(perm_marginals_sparse(&matrix, &options, out, NULL, &result) == PERM_OK);
          for (k = 0; k < n * n; k++)
            CHECK(fabs(out[k] - a[k] * gradient[k] / array.value) < 1e-12);
        }
        perm_matrix_free(&matrix);
      }
}

/* Scales far apart, and zero products: exact powers of two go through, what ranges beyond doubles is refused. */
TEST(t_derive_of_extreme_scales)
{
  static double out[2][64], again[64];
  t_derive_case c;
  perm_options options;
  perm_result result, scaled;
  int trial, i, refused = 0, done = 0;
  size_t e;
  memset(&options, 0, sizeof options);
  test_seed(73);
  for (trial = 0; trial < 300; trial++) {
    int shift[14];
    options.method = t_derive_methods[trial % T_DERIVE_METHODS];
    t_derive_make(&c, 6, trial % 3, 60, 50, trial % 2, 0);
    c.matrix.kind = PERM_KIND_REAL;
    CHECK(perm_gradient_sparse(&c.matrix, &options, out[0], &result) == PERM_OK);
    for (i = 0; i < 12; i++)
      shift[i] = test_below(800) - 400;
    for (i = 0, e = 0; i < 6; i++)
      for (; e < c.start[i + 1]; e++)
        c.real[e] = ldexp(c.real[e], shift[i] + shift[6 + c.column[e]]);
    CHECK_SHOW(perm_gradient_sparse(&c.matrix, &options, out[1], &scaled) == PERM_OK, "%s", scaled.message);
    for (i = 0; i < 12; i++)
      shift[12] = i ? shift[12] + shift[i] : shift[0];
    for (i = 0, e = 0; i < 6; i++)
      for (; e < c.start[i + 1]; e++) {
        const double x = permi_ldexp(out[0][e], result.exp2), y = out[1][e];
        const double right = permi_ldexp(x, shift[12] - shift[i] - shift[6 + c.column[e]] - scaled.exp2);
        CHECK_SHOW(fabs(y - right) <= scaled.error_bound + permi_ldexp(result.error_bound, result.exp2 - scaled.exp2 +
                                                                       shift[12] - shift[i] - shift[6 + c.column[e]]),
                   "trial %d: %g, %g", trial, y, right);
      }
    if (trial % 2)
      continue;
    for (e = 0; e < c.matrix.nnz; e++) /* now each entry for itself */
      c.real[e] = ldexp(1 + test_uniform(), test_below(trial % 4 ? 2000 : 600) - (trial % 4 ? 1000 : 300));
    if (perm_marginals_sparse(&c.matrix, &options, again, NULL, &result) == PERM_OK) {
      done++;
      CHECK(result.error_bound < 1e-12);
      for (i = 0, e = 0; i < 6; i++) {
        double sum = 0;
        for (; e < c.start[i + 1]; e++)
          sum += again[e];
        CHECK(fabs(sum - 1) < 1e-12);
      }
    } else {
      refused++;
      CHECK_SHOW(result.status == PERM_ERROR_UNSUPPORTED, "%s", result.message);
    }
  }
  CHECK_SHOW(done > 50, "%d done, %d refused", done, refused);
  t_derive_make(&c, 3, 0, 101, 1, 0, 0);
  c.matrix.kind = PERM_KIND_REAL;
  for (e = 0; e < 9; e++)
    c.real[e] = e == 0 ? 0 : ldexp(1, (e < 3 ? 1000 : 0) + (e % 3 ? 0 : 900));
  CHECK_SHOW(perm_marginals_sparse(&c.matrix, NULL, again, NULL, &result) == PERM_OK, "%s", result.message);
  CHECK(again[0] == 0 && again[1] == 0.5 && again[4] == 0.25); /* zeros keep out of scaling */
  if (test_verbose)
    printf("%d done, %d refused\n", done, refused);
}

/* What a run says it lost is in the bounds: of derivatives twice the loss, of a marginal what that is of it. */
TEST(t_derive_counts_losses)
{
  permi_derivation derivation;
  permi_derived derived;
  permi_numbers numbers;
  permi_number number;
  double value[2] = {0.25, 2}, factor = 0.5;
  permi_sizes sizes = {1, 1, 1e-9, 0};
  memset(&derivation, 0, sizeof derivation);
  memset(&derived, 0, sizeof derived);
  memset(&numbers, 0, sizeof numbers);
  numbers.parts = 1;
  derived.value = (uint64_t *)(void *)value;
  derived.whole.value = (uint64_t *)(void *)(value + 1);
  derived.sizes = &sizes;
  number = permi_derive_number(&numbers, derived.value, 3, 10, 1e-9, NULL);
  CHECK(number.value.hi == 0.25 && number.exp2 == 3 && number.error > 2e-9 && number.error < 2.1e-9);
  CHECK(permi_derive_chance(&derivation, &derived, factor, 0) == 0.0625);
  CHECK_SHOW(derivation.lost > 7.9e-9 && derivation.lost < 8.1e-9, "%g", derivation.lost);
  sizes.loss = 1e-300; /* below what is told of */
  derivation.lost = 0;
  CHECK(permi_derive_chance(&derivation, &derived, factor, 0) == 0.0625 && derivation.lost == 0);
  derived.whole.sizes.loss = 1e-9;
  permi_derive_relative(&derivation, &derived);
  CHECK(derivation.relative > 1e-9 && derivation.relative < 1.1e-9);
  factor = 0; /* stored zeros have no chance, and no error */
  CHECK(permi_derive_chance(&derivation, &derived, factor, 0) == 0 && derivation.lost == 0);
}

TEST(t_derive_refusals)
{
  static size_t start[] = {0, 2, 3}, hole[] = {0, 0, 1}, none[] = {0, 0, 0};
  static int column[] = {0, 1, 1};
  static double real[] = {2, 5, 3}, negative[] = {2, -5, 3}, fraction[] = {0.5, 5, 3};
  double out[6], unmatched[3];
  uint64_t residue[3];
  perm_integer integer[3];
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  memset(&options, 0, sizeof options);
  memset(&matrix, 0, sizeof matrix);
  CHECK(perm_gradient_sparse(&matrix, NULL, NULL, &r) == PERM_OK && r.value == 1); /* 0 x 0 */
  CHECK(perm_marginals_sparse(&matrix, NULL, NULL, NULL, &r) == PERM_OK && r.value == 1);
  CHECK(perm_gradient_sparse_integer(&matrix, NULL, NULL, &r) == PERM_OK && r.exact && r.integer.word[0] == 1);
  matrix.m = matrix.n = 2;
  matrix.nnz = 3;
  matrix.kind = PERM_KIND_REAL;
  matrix.row_start = start;
  matrix.column = column;
  matrix.real = real;
#define GRADIENT() perm_gradient_sparse(&matrix, &options, out, &r)
#define CHANCES() perm_marginals_sparse(&matrix, &options, out, unmatched, &r)
#define REFUSED(field, value_) \
  memset(&options, 0, sizeof options); \
  options.field = value_;              \
  ARGUMENTS_BAD(GRADIENT(), PERM_ERROR_UNSUPPORTED, 2, "take methods auto, tree, frontier, lists and arrays")
  CHECK(GRADIENT() == PERM_OK && r.value == 6 && out[0] == 3 && out[1] == 0 && out[2] == 2);
  CHECK(r.method == PERM_METHOD_STRUCTURE && r.error_bound <= 1e-15);
  CHECK(CHANCES() == PERM_OK && r.value == 6 && out[0] == 1 && out[1] == 0 && out[2] == 1);
  CHECK(unmatched[0] == 0 && unmatched[1] == 0);
  CHECK(perm_gradient_sparse(&matrix, NULL, out, NULL) == PERM_ERROR_NULL);
  ARGUMENTS_BAD(perm_gradient_sparse(NULL, NULL, out, &r), PERM_ERROR_NULL, 1, "matrix is NULL")
  ARGUMENTS_BAD(perm_gradient_sparse(&matrix, NULL, NULL, &r), PERM_ERROR_NULL, 3, "gradient is NULL")
  ARGUMENTS_BAD(perm_marginals_sparse(&matrix, NULL, NULL, NULL, &r), PERM_ERROR_NULL, 3, "marginal is NULL")
  REFUSED(method, PERM_METHOD_TWINS)
  REFUSED(method, PERM_METHOD_DENSE)
  REFUSED(tolerance, 0.1)
  REFUSED(precision, PERM_PRECISION_DD)
  REFUSED(precision, PERM_PRECISION_EXACT)
  REFUSED(checkpoint.file, "build/none")
  memset(&options, 0, sizeof options);
  ARGUMENTS_BAD(perm_gradient_sparse_mod(&matrix, NULL, residue, &r), PERM_ERROR_OPTION, 2, "needs a modulus")
  options.modulus = 7;
  ARGUMENTS_BAD(GRADIENT(), PERM_ERROR_OPTION, 2, "a modulus is for perm_gradient_sparse_mod")
  CHECK(perm_gradient_sparse_mod(&matrix, &options, residue, &r) == PERM_OK && residue[0] == 3 && residue[1] == 0);
  options.modulus = 0;
  options.certify = 1;
  CHECK(GRADIENT() == PERM_OK);
  matrix.real = fraction;
  ARGUMENTS_BAD(perm_gradient_sparse_integer(&matrix, NULL, integer, &r), PERM_ERROR_OPTION, 2, "row 1, column 1")
  matrix.real = negative;
  CHECK(GRADIENT() == PERM_OK && out[2] == 2);
  ARGUMENTS_BAD(CHANCES(), PERM_ERROR_UNSUPPORTED, 1, "row 1, column 2 (counted from 1) has -5: entries below 0")
  matrix.real = real;
  matrix.row_start = hole; /* no matching: all derivatives by stored entries are 0 */
  matrix.nnz = 1;
  CHECK(GRADIENT() == PERM_OK && r.value == 0 && out[0] == 0 && r.error_bound == 0);
  ARGUMENTS_BAD(CHANCES(), PERM_ERROR_ZERO, 1, "its permanent is 0")
  CHECK(isnan(out[0]) && isnan(unmatched[1]));
  matrix.nnz = 0;
  matrix.row_start = none;
  CHECK(GRADIENT() == PERM_OK && r.value == 0);
  matrix.row_start = start;
  matrix.nnz = 3;
  matrix.n = 3; /* column 3 is empty */
  CHECK(CHANCES() == PERM_OK && r.value == 6 && out[0] == 1 && out[1] == 0 && out[2] == 1);
  CHECK(unmatched[0] == 0 && unmatched[1] == 0 && unmatched[2] == 1);
  matrix.m = 1; /* 2 and 5 */
  matrix.nnz = 2;
  CHECK(GRADIENT() == PERM_OK && r.value == 7 && out[0] == 1 && out[1] == 1);
  CHECK(CHANCES() == PERM_OK && out[0] == 2.0 / 7 && out[1] == 5.0 / 7);
  CHECK(unmatched[0] == 5.0 / 7 && unmatched[1] == 2.0 / 7 && unmatched[2] == 1);
  matrix.row_start = hole; /* 2 x 1 */
  matrix.nnz = matrix.n = 1;
  matrix.m = 2;
  CHECK(CHANCES() == PERM_OK && r.value == 2 && out[0] == 1 && unmatched[0] == 1 && unmatched[1] == 0);
  matrix.row_start = none;
  matrix.nnz = 0;
  ARGUMENTS_BAD(CHANCES(), PERM_ERROR_ZERO, 1, "1 column has entries in only 0 rows")
  matrix.m = 0;
  CHECK(CHANCES() == PERM_OK && r.value == 1 && unmatched[0] == 1);
#undef GRADIENT
#undef CHANCES
#undef REFUSED
}

static size_t t_derive_live, t_derive_peak;

static void *t_derive_allocate(size_t bytes, void *user_data)
{
  size_t *block = (size_t *)malloc(bytes + 16);
  (void)user_data;
  if (!block)
    return NULL;
  *block = bytes;
  t_derive_live += bytes;
  t_derive_peak = t_derive_live > t_derive_peak ? t_derive_live : t_derive_peak;
  return block + 2;
}

static void t_derive_release(void *memory, void *user_data)
{
  (void)user_data;
  if (memory) {
    t_derive_live -= ((size_t *)memory)[-2];
    free((size_t *)memory - 2);
  }
}

/* Short of memory lists and arrays keep some layers and compute others again: the same bits within max_bytes, until
   even that is too little, which is refused. */
TEST(t_derive_with_checkpoints)
{
  static double gradient[4][2 * T_DERIVE_MOST];
  perm_options options;
  perm_matrix matrix;
  perm_result result[4];
  size_t e;
  int method, sign, k;
  memset(&options, 0, sizeof options);
  CHECK(perm_generate("band:420:7", 3, NULL, &matrix, &result[0]) == PERM_OK && matrix.nnz < 2 * T_DERIVE_MOST);
  matrix.kind = PERM_KIND_REAL;
  options.threads = 1;
  options.allocator.allocate = t_derive_allocate;
  options.allocator.release = t_derive_release;
  for (method = 0; method < 2; method++)
    for (sign = 0; sign < 2; sign++) {
      size_t peak;
      int refused = 0, again = 0;
      for (e = 0; e < matrix.nnz; e++)
        matrix.real[e] = (0.5 + (double)(e * 7 % 13) / 6e3) * (sign && e % 3 == 0 ? -1 : 1); /* rescaled */
      options.method = method ? PERM_METHOD_ARRAYS : PERM_METHOD_LISTS;
      options.max_bytes = t_derive_peak = 0;
      CHECK_SHOW(perm_gradient_sparse(&matrix, &options, gradient[0], &result[0]) == PERM_OK, "%s", result[0].message);
      peak = t_derive_peak;
      for (e = 0; e < matrix.nnz && method; e++) /* lists count moduli beside values, arrays after them */
        CHECK(fabs(gradient[0][e] - gradient[2 + sign][e]) <= result[0].error_bound + result[2 + sign].error_bound);
      CHECK(!method || (result[0].exp2 == result[2 + sign].exp2 &&
                        result[0].error_bound > result[2 + sign].error_bound / 4 &&
                        result[0].error_bound < result[2 + sign].error_bound * 4));
      memcpy(gradient[2 + sign], gradient[0], sizeof *gradient);
      result[2 + sign] = result[0];
      for (k = 0; k < 6; k++) {
        options.max_bytes = (double)peak * pow(2, (k - 4) / 2.0);
        t_derive_peak = 0;
        if (perm_gradient_sparse(&matrix, &options, gradient[1], &result[1]) != PERM_OK) {
          CHECK_SHOW(result[1].status == PERM_ERROR_LIMIT && again == 0 && strstr(result[1].message, "max_bytes"), "%s",
                     result[1].message);
          refused++;
          continue;
        }
        CHECK((double)t_derive_peak <= options.max_bytes);
        again += (double)t_derive_peak < 0.7 * (double)peak;
        CHECK(!memcmp(gradient[0], gradient[1], matrix.nnz * sizeof **gradient));
        CHECK(result[1].error_bound == result[0].error_bound && result[1].terms == result[0].terms);
      }
      CHECK_SHOW(refused > 0 && again > 0, "%d, %d, of %g bytes", refused, again, (double)peak);
    }
  CHECK(t_derive_live == 0);
  perm_matrix_free(&matrix);
}

/* Cancelled values and their moduli have other exponents in arrays' two passes, of a tridiagonal matrix of signs, whose
   first row's derivatives are the largest: the bound of lists. Other entries: small values need no infinite bound. */
TEST(t_derive_joins_moduli)
{
  enum { n = 560 };
  static size_t start[n + 1];
  static int column[3 * n];
  static double real[3 * n], imaginary[3 * n], gradient[6 * n];
  double bound[2];
  perm_options options;
  perm_matrix matrix;
  perm_result result;
  int kind, k, i, j;
  memset(&options, 0, sizeof options);
  memset(&matrix, 0, sizeof matrix);
  matrix.m = matrix.n = n;
  matrix.row_start = start;
  matrix.column = column;
  matrix.real = real;
  matrix.imaginary = imaginary;
  for (kind = 0; kind < 3; kind++) { /* signs, some of them times i, others */
    size_t e = 0;
    for (i = 0; i < n; start[++i] = e)
      for (j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) {
        const double x = (j < i ? -1 : 1) * (kind == 2 ? 30 + (double)(e * 7 % 13) : i ? 1 : 0x1p-100);
        real[e] = kind == 1 && i % 3 == 1 ? 0 : x;
        imaginary[e] = x - real[e];
        column[e++] = j;
      }
    matrix.nnz = e;
    matrix.kind = kind == 1 ? PERM_KIND_COMPLEX : PERM_KIND_REAL;
    for (k = 0; k < 2; k++) {
      options.method = k ? PERM_METHOD_ARRAYS : PERM_METHOD_LISTS;
      CHECK_SHOW(perm_gradient_sparse(&matrix, &options, gradient, &result) == PERM_OK, "%s", result.message);
      CHECK(kind || gradient[0] == ldexp(1, (int)-result.exp2)); /* 1, 1, 0, -1, -1, 0, of order 559 */
      bound[k] = permi_ldexp(result.error_bound, kind == 2 ? 0 : result.exp2);
    }
    CHECK_SHOW(bound[0] < bound[1] * 4 && bound[1] < bound[0] * 4, "%d: %g, %g", kind, bound[0], bound[1]);
  }
}

/* No tree: a refusal that says what to do. */
TEST(t_derive_without_a_tree)
{
  static double gradient[T_DERIVE_MOST];
  perm_options options;
  perm_matrix matrix;
  perm_result result;
  memset(&options, 0, sizeof options);
  CHECK(perm_generate("regular:90:6", 3, NULL, &matrix, &result) == PERM_OK && matrix.nnz < T_DERIVE_MOST);
  CHECK(perm_gradient_sparse(&matrix, &options, gradient, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "raise max_bytes");
  CHECK(isnan(gradient[0]) && result.argument == 2);
  perm_matrix_free(&matrix);
  CHECK(perm_generate("regular:40:4", 3, NULL, &matrix, &result) == PERM_OK);
  options.max_bytes = 2e6;
  options.certify = 1; /* not as an array */
  CHECK_SHOW(perm_gradient_sparse(&matrix, &options, gradient, &result) == PERM_ERROR_LIMIT, "%d %s",
             (int)result.status, result.message);
  CHECK_TEXT(result.message, "max_bytes");
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
