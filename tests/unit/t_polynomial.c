/* >>points >>coefficients >>circle >>several >>polynomial_calls: coefficients of per(C + x L) against
   expansion by subsets of columns, known fullerenes, between engines. */

#include "fullerene.h"

#define T_POLYNOMIAL_PRIME UINT64_C(2305843009213693951)

/* Sets f[k parts], modulo a prime, from pairs (parts 2) or numbers; the sum over all injections of the shorter side. */
static void t_polynomial_expand(int m, int n, int parts, const int64_t *c, const int64_t *l, uint64_t *f)
{
  static uint64_t state[2][128][8][2];
  const int by = m > n, rows = by ? n : m, columns = by ? m : n;
  const uint64_t p = T_POLYNOMIAL_PRIME;
  int i, j, k, s, set, a, b;
  memset(state, 0, sizeof state);
  state[0][0][0][0] = 1;
  for (i = 0; i < rows; i++) {
    memset(state[(i + 1) & 1], 0, sizeof state[0]);
    for (set = 0; set < 1 << columns; set++)
      for (j = 0; j < columns; j++)
        for (k = 0; k <= i && !(set >> j & 1); k++)
          for (s = 0; s < 2; s++)
            for (a = 0; a < parts; a++)
              for (b = 0; b < parts; b++) {
                const int64_t *from = s ? l : c, x = from[(by ? j * n + i : i * n + j) * parts + a];
                uint64_t *to = &state[(i + 1) & 1][set | 1 << j][k + s][a ^ b];
                uint64_t r = (x < 0 ? 0 - (uint64_t)x : (uint64_t)x) % p;
                r = oracle_multiply(r, state[i & 1][set][k][b], p);
                *to = ((x < 0) != (a & b) ? *to + p - r : *to + r) % p;
              }
  }
  for (k = 0; k < 16; k++)
    f[k] = 0;
  for (set = 0; set < 1 << columns; set++)
    for (k = 0; k <= rows; k++)
      for (a = 0; a < parts; a++)
        f[k * parts + a] = (f[k * parts + a] + state[rows & 1][set][k][a]) % p;
}

static int64_t t_polynomial_entry(int kind)
{
  const int64_t small = test_below(19) - 9;
  switch (kind) {
  case 0: return test_below(2);
  case 1: return small;
  case 2: return test_below(3) ? 0 : small;
  case 3: return 0;
  case 4: return (int64_t)((double)(INT64_C(1) << 52) * (2 * test_uniform() - 1));
  default: return test_below(4) ? (int64_t)(9e18 * (2 * test_uniform() - 1)) : -INT64_MAX - 1;
  }
}

TEST(t_polynomial_matches_expansion)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_EXACT, PERM_METHOD_FRONTIER};
  int trial, k, t;
  for (trial = 0; trial < 3000; trial++) {
    const int m = test_below(7), n = trial & 1 ? m : test_below(7), parts = 1 + (test_below(4) == 0);
    const int kinds = parts == 2 ? 5 : 6, kind[2] = {test_below(kinds), test_below(kinds)}, degree = test_below(9);
    int64_t a[2][72];
    perm_integer numbers[18];
    const perm_method method = methods[test_below(m && n && parts == 1 ? 3 : 2)];
    perm_options options = t_sparse_options(method, PERM_PRECISION_DEFAULT);
    perm_result result;
    uint64_t f[18];
    for (t = 0; t < 2; t++)
      for (k = 0; k < 72; k++)
        a[t][k] = t_polynomial_entry(kind[t]);
    t_polynomial_expand(m, n, parts, a[0], a[1], f);
    if (trial % 7 == 0)
      options.modulus = 1000003;
    CHECK_SHOW((parts == 2 ? perm_polynomial_gaussian : perm_polynomial_integer)(m, n, a[0], n, a[1], n, degree,
                                                                                 &options, numbers, &result) == PERM_OK,
               "%s", result.message);
    for (k = 0; k < (degree + 1) * parts && !options.modulus; k++)
      CHECK_SHOW(oracle_modulo(&numbers[k], T_POLYNOMIAL_PRIME) == (k / parts > (m < n ? m : n) ? 0 : f[k]),
                 "trial %d: %d x %d, parts %d, kinds %d %d, coefficient %d of %d, method %d", trial, m, n, parts,
                 kind[0], kind[1], k, degree, (int)options.method);
  }
}

/* The pencil of two random sparse matrices of order n, which have a diagonal. */
static void t_polynomial_random(int n, int entries, int64_t most, perm_matrix *matrix)
{
  static int64_t a[2][24 * 24];
  int k;
  memset(a, 0, sizeof a);
  for (k = 0; k < n; k++)
    a[0][k * n + k] = a[1][k * n + k] = most;
  for (k = 0; k < 2 * entries; k++)
    a[k & 1][test_below(n * n)] = (int64_t)((double)most * (2 * test_uniform() - 1));
  for (k = 0; k < 2; k++)
    matrix[k] = t_sparse_integers(n, a[k]);
}

/* By the frontier, of either shape: empty lines, columns of one row alone, L in some rows only, C = 0; longer boards of
   several parts, whose polynomials multiply. */
TEST(t_polynomial_rectangles)
{
  static int64_t a[2][14 * 14];
  int trial, k, t;
  for (trial = 0; trial < 1500; trial++) {
    const int m = 1 + test_below(6), n = 1 + test_below(6), degree = test_below(8), doubles = trial % 3 == 0;
    const int empty = test_below(3), alone = test_below(n + 1), rows = trial % 4 ? m : test_below(m);
    const int far = doubles ? 40 : 0;
    perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_DEFAULT);
    perm_integer numbers[9];
    perm_matrix matrix[2];
    perm_result result;
    double entry[49], value[9], bound[9];
    uint64_t f[16];
    for (k = 0; k < m * n; k++) {
      const int row = k / n, column = k % n, gone = test_below(6) == 0 || (empty == 1 && column == n - 1) ||
                                                    (empty == 2 && row == 0) || (column < alone && row != column % m);
      a[0][k] = gone || trial % 5 == 4 ? 0 : test_below(9) - (doubles ? 0 : 4);
      a[1][k] = gone || row >= rows ? 0 : test_below(9) - (doubles ? 0 : 4);
    }
    t_polynomial_expand(m, n, 1, a[0], a[1], f);
    for (t = 0; t < 2; t++) {
      for (k = 0; k < m * n; k++)
        entry[k] = ldexp((double)a[t][k], t * far);
      CHECK(perm_matrix_from_dense(m, n, entry, n, NULL, &matrix[t], NULL) == PERM_OK);
    }
    CHECK_SHOW((doubles ? perm_polynomial_sparse(&matrix[0], &matrix[1], degree, &options, value, bound, &result)
                        : perm_polynomial_sparse_integer(&matrix[0], &matrix[1], degree, &options, numbers, &result)) ==
                   PERM_OK, "%s", result.message);
    CHECK(result.method == PERM_METHOD_FRONTIER);
    for (k = 0; k <= degree; k++) {
      const uint64_t expected = k > m || k > n ? 0 : f[k];
      const double scaled = doubles ? ldexp(value[k], -far * k) : 0, sure = doubles ? ldexp(bound[k], -far * k) : 0;
      if (doubles)
        CHECK_SHOW(fabs(scaled - (double)expected) <= sure && sure <= 1e-13 * (double)expected + DBL_MIN,
                   "trial %d: %d x %d, x^%d: %.17g, not %g, bound %g", trial, m, n, k, scaled, (double)expected, sure);
      else
        CHECK_SHOW(oracle_modulo(&numbers[k], T_POLYNOMIAL_PRIME) == expected, "trial %d: %d x %d, x^%d of %d", trial,
                   m, n, k, degree);
    }
    perm_matrix_free(&matrix[0]);
    perm_matrix_free(&matrix[1]);
  }
  for (trial = 0; trial < 20; trial++) {
    const int m = 7 + test_below(7), n = 7 + test_below(7), most = m < n ? m : n;
    const double size = ldexp(1, 6 * (trial % 9));
    perm_integer number[2][15];
    perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_DEFAULT);
    perm_result result;
    for (k = 0; k < 2 * m * n; k++)
      a[k & 1][k / 2] = test_below(4) || (trial & 1 && (k / 2 / n < m / 2) != (k / 2 % n < n / 2))
                            ? 0 : (int64_t)(size * (2 * test_uniform() - 1));
    for (t = 0; t < 2; t++) {
      options.method = t ? PERM_METHOD_EXACT : PERM_METHOD_FRONTIER;
      CHECK_SHOW(perm_polynomial_integer(m, n, a[0], n, a[1], n, most, &options, number[t], &result) == PERM_OK, "%s",
                 result.message);
    }
    CHECK_SHOW(!memcmp(number[0], number[1], ((size_t)most + 1) * sizeof(perm_integer)), "trial %d: %d x %d", trial, m,
               n);
  }
}

/* Values and vectors share nothing but the pencil. */
TEST(t_polynomial_engines_agree)
{
  static perm_integer numbers[2][25];
  int trial, t;
  for (trial = 0; trial < 40; trial++) {
    const int n = 4 + test_below(15), degree = trial & 1 ? n : test_below(n);
    const int64_t most = trial % 4 == 0 ? 1 : trial % 4 == 1 ? 5 : INT64_C(1) << (4 * test_below(14));
    perm_options options = t_sparse_options(PERM_METHOD_FRONTIER, PERM_PRECISION_DEFAULT);
    perm_matrix matrix[2];
    perm_result result;
    options.isa = trial % 5 ? PERM_ISA_AUTO : PERM_ISA_PLAIN;
    t_polynomial_random(n, n, most, matrix);
    for (t = 0; t < 2; t++) {
      options.method = t ? PERM_METHOD_EXACT : PERM_METHOD_FRONTIER;
      CHECK_SHOW(perm_polynomial_sparse_integer(&matrix[0], &matrix[1], degree, &options, numbers[t], &result) ==
                     PERM_OK, "%s", result.message);
      CHECK(result.method == options.method && result.exact && result.error_bound == 0);
      CHECK(!memcmp(&result.integer, &numbers[t][0], sizeof(perm_integer)));
    }
    CHECK_SHOW(!memcmp(numbers[0], numbers[1], ((size_t)degree + 1) * sizeof(perm_integer)),
               "trial %d: order %d, degree %d, entries to %g", trial, n, degree, (double)most);
    perm_matrix_free(&matrix[0]);
    perm_matrix_free(&matrix[1]);
  }
}

/* Coefficients of C60 as published, C20 to C60 by two engines, families and threads. */
TEST(t_polynomial_fullerenes)
{
  static const int order[3] = {20, 24, 60};
  static perm_integer numbers[2][61];
  int g, t, k;
  for (g = 0; g < 3; g++) {
    const int n = order[g];
    perm_matrix matrix = fullerene_make(n);
    perm_result result;
    CHECK(matrix.n == n);
    for (t = 0; t < 3 + (g == 1); t++) {
      perm_options options = t_sparse_options(t == 1 && g < 2 ? PERM_METHOD_EXACT : PERM_METHOD_FRONTIER,
                                              PERM_PRECISION_DEFAULT);
      options.threads = 1 + t;
      options.isa = t == 3 ? PERM_ISA_PLAIN : t == 2 ? PERM_ISA_AVX2 : PERM_ISA_AUTO;
      if (!permi_isa_here(options.isa))
        continue;
      CHECK_SHOW(perm_permanental_polynomial_sparse(&matrix, &options, numbers[t > 0], &result) == PERM_OK, "%s",
                 result.message);
      CHECK_SHOW(!memcmp(numbers[0], numbers[t > 0], ((size_t)n + 1) * sizeof(perm_integer)), "C%d, %d", n, t);
    }
    CHECK(t_rook_is(&numbers[0][n], 1) && t_rook_is(&numbers[0][n - 1], 0) &&
          t_rook_is(&numbers[0][n - 2], 3 * n / 2) && t_rook_is(&numbers[0][n - 3], 0));
    for (k = 0; g == 2 && k < 1; k++)
      CHECK(t_rook_is(&numbers[0][56], 3825) && t_rook_is(&numbers[0][55], -24) &&
            t_rook_is(&numbers[0][0], 395974320));
    perm_matrix_free(&matrix);
  }
}

/* per(x I - A) modulo T_POLYNOMIAL_PRIME, row by row, next the one that leaves the fewest columns open; a state is the
   set of the columns that are taken. Those that no later row has are taken all. */
static uint64_t t_polynomial_rows(const perm_matrix *a, uint64_t x)
{
  enum { PLACES = 1 << 20 };
  static uint64_t set[2][PLACES], value[2][PLACES];
  const uint64_t p = T_POLYNOMIAL_PRIME, all = (UINT64_C(1) << a->n) - 1;
  uint64_t mine[64], touched = 0, left = all;
  for (int i = 0; i < a->m; i++) {
    mine[i] = UINT64_C(1) << i;
    for (size_t e = a->row_start[i]; e < a->row_start[i + 1]; e++)
      mine[i] |= UINT64_C(1) << a->column[e];
  }
  memset(set[0], -1, sizeof set[0]);
  value[0][0] = 1;
  set[0][0] = 0;
  for (int step = 0; step < a->m; step++) {
    const int from = step & 1, to = 1 - from;
    uint64_t later = 0;
    int row = -1, least = 65, seen = 0;
    for (int i = 0; i < a->m; i++) {
      uint64_t others = 0;
      int open = 0;
      for (int k = 0; k < a->m; k++)
        others |= k != i && left >> k & 1 ? mine[k] : 0;
      for (uint64_t rest = (touched | mine[i]) & others; rest; rest &= rest - 1)
        open++;
      if (left >> i & 1 && open < least) {
        least = open;
        row = i;
        later = others;
      }
    }
    left ^= UINT64_C(1) << row;
    touched |= mine[row];
    memset(set[to], -1, sizeof set[0]);
    for (int at = 0; at < PLACES; at++)
      for (int j = 0; j < a->n && set[from][at] != UINT64_MAX; j++) {
        const uint64_t next = set[from][at] | UINT64_C(1) << j;
        if (!(mine[row] >> j & 1) || next == set[from][at] || (touched & ~later & ~next))
          continue;
        uint64_t place = next * UINT64_C(0x9e3779b97f4a7c15) >> 44;
        while (set[to][place] != next && set[to][place] != UINT64_MAX)
          place = (place + 1) % PLACES;
        if (set[to][place] == UINT64_MAX) {
          if (++seen > PLACES / 2)
            return p; /* which is no residue */
          set[to][place] = next;
          value[to][place] = 0;
        }
        value[to][place] = (value[to][place] + oracle_multiply(value[from][at], j == row ? x : p - 1, p)) % p;
      }
  }
  for (int at = 0; at < PLACES; at++)
    if (set[a->m & 1][at] != UINT64_MAX)
      return value[a->m & 1][at];
  return 0;
}

/* Fullerenes by random spirals: values of the polynomial against rows that share nothing with it. 60 without -q. */
TEST(t_polynomial_random_fullerenes)
{
  static perm_integer numbers[61];
  const int wanted = test_quick ? 2 : 60;
  int found = 0, tries = 0;
  for (; found < wanted && tries < 4000000; tries++) {
    const int n = 40 + 2 * test_below(11), faces = n / 2 + 2;
    int pentagon[12], left = 12;
    for (int k = 0; k < faces; k++)
      if (test_below(faces - k) < left)
        pentagon[12 - left--] = k + 1;
    perm_matrix matrix = fullerene_wind(n, pentagon);
    if (!matrix.n)
      continue;
    perm_result result;
    CHECK_SHOW(perm_permanental_polynomial_sparse(&matrix, NULL, numbers, &result) == PERM_OK, "%s", result.message);
    CHECK(result.method == PERM_METHOD_FRONTIER);
    const uint64_t p = T_POLYNOMIAL_PRIME, x = test_random() % p;
    uint64_t sum = 0;
    for (int k = n; k >= 0; k--)
      sum = (oracle_multiply(sum, x, p) + oracle_modulo(&numbers[k], p)) % p;
    CHECK_SHOW(sum == t_polynomial_rows(&matrix, x), "C%d, spiral %d", n, tries);
    perm_matrix_free(&matrix);
    found++;
  }
  if (test_verbose)
    printf("%d fullerenes of %d spirals\n", found, tries);
  CHECK(found == wanted);
}

/* per(xI - A), dense and sparse, against per(-A + x I); empty and long matrices. */
TEST(t_polynomial_permanental)
{
  perm_integer numbers[3][13];
  perm_result result;
  int trial, k;
  for (trial = 0; trial < 60; trial++) {
    const int n = test_below(13);
    int64_t a[144], minus[144], one[144];
    perm_matrix matrix;
    for (k = 0; k < n * n; k++) {
      a[k] = test_below(3) ? 0 : trial & 1 ? test_below(7) - 3 : (int64_t)(9e15 * (test_uniform() - 0.5));
      minus[k] = -a[k];
      one[k] = k / n == k % n;
    }
    matrix = t_sparse_integers(n, a);
    CHECK(perm_permanental_polynomial(n, a, n, NULL, numbers[0], &result) == PERM_OK);
    CHECK(perm_permanental_polynomial_sparse(&matrix, NULL, numbers[1], &result) == PERM_OK);
    CHECK(perm_polynomial_integer(n, n, minus, n, one, n, n, NULL, numbers[2], &result) == PERM_OK);
    CHECK(!memcmp(numbers[0], numbers[1], ((size_t)n + 1) * sizeof(perm_integer)));
    CHECK_SHOW(!memcmp(numbers[0], numbers[2], ((size_t)n + 1) * sizeof(perm_integer)), "order %d", n);
    perm_matrix_free(&matrix);
  }
}

/* In oracle_wide: f[2 k], f[2 k + 1] and the sums of moduli. */
static void t_polynomial_wide(int n, int parts, const double *c, const double *l, oracle_wide *f, double *moduli)
{
  static oracle_wide state[256][9][2];
  static double sum[256][9];
  int set, i, j, k, s;
  memset(state, 0, sizeof state);
  memset(sum, 0, sizeof sum);
  state[0][0][0] = sum[0][0] = 1;
  for (set = 1; set < 1 << n; set++) {
    for (i = -1, j = set; j; j &= j - 1)
      i++;
    for (j = 0; j < n; j++)
      for (s = 0; s < 2 && set >> j & 1; s++)
        for (k = 0; k <= i; k++) {
          const double *x = (s ? l : c) + (i * n + j) * parts, re = x[0], im = parts == 2 ? x[1] : 0;
          const oracle_wide *from = state[set ^ 1 << j][k];
          state[set][k + s][0] += re * from[0] - im * from[1];
          state[set][k + s][1] += re * from[1] + im * from[0];
          sum[set][k + s] += hypot(re, im) * sum[set ^ 1 << j][k];
        }
  }
  for (k = 0; k <= n; k++) {
    f[2 * k] = state[(1 << n) - 1][k][0];
    f[2 * k + 1] = state[(1 << n) - 1][k][1];
    moduli[k] = sum[(1 << n) - 1][k];
  }
}

/* Bounds hold and are not vacuous: of entries that are not negative relative ones, else of the sum of moduli. */
TEST(t_polynomial_doubles)
{
  int trial, k, relative = 0, sharp = 0;
  for (trial = 0; trial < 600; trial++) {
    const int n = test_below(9), parts = 1 + (trial % 3 == 0), positive = trial % 3 == 1;
    const int degree = trial & 1 ? n : test_below(n + 3), far = trial % 10 == 7 ? 100 : 0;
    double a[2][128], value[24], bound[12], moduli[9] = {0}, all = 0;
    perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
    perm_matrix matrix[2];
    oracle_wide f[18];
    perm_result result;
    perm_status status;
    for (k = 0; k < 2 * n * n * parts; k++)
      a[k & 1][k / 2] = test_below(4) ? ldexp(test_uniform() - (positive ? 0 : 0.5), k & 1 ? far : 0) : 0;
    t_polynomial_wide(n, parts, a[0], a[1], f, moduli);
    if (positive && n && trial & 2)
      options.method = PERM_METHOD_FRONTIER;
    if (parts == 1 && trial & 4) {
      for (k = 0; k < 2; k++)
        CHECK(perm_matrix_from_dense(n, n, a[k], n, NULL, &matrix[k], NULL) == PERM_OK);
      status = perm_polynomial_sparse(&matrix[0], &matrix[1], degree, &options, value, bound, &result);
      for (k = 0; k < 2; k++)
        perm_matrix_free(&matrix[k]);
    } else {
      status = (parts == 2 ? perm_polynomial_complex : perm_polynomial_real)(n, n, a[0], n, a[1], n, degree, &options,
                                                                             value, bound, &result);
    }
    CHECK_SHOW(status == PERM_OK, "%s", result.message);
    CHECK(result.value == value[0] && result.is_complex == (parts == 2));
    CHECK(parts == 1 || result.imaginary == value[1]);
    for (k = 0; k <= n; k++)
      all += ldexp(moduli[k], -far * k);
    for (k = 0; k <= degree; k++) {
      const double re = k > n ? 0 : (double)(f[2 * k] - value[parts * k]);
      const double im = parts == 1 || k > n ? 0 : (double)(f[2 * k + 1] - value[2 * k + 1]);
      CHECK_SHOW(hypot(re, im) <= bound[k], "trial %d: order %d, x^%d: off by %g, bound %g", trial, n, k, hypot(re, im),
                 bound[k]);
      CHECK_SHOW(bound[k] <= ldexp(1e-11 * all, far * k) + DBL_MIN, "trial %d: order %d, x^%d of %d: bound %g of %g",
                 trial, n, k, degree, bound[k], ldexp(all, far * k));
      CHECK(bound[k] <= result.error_bound && result.error_estimate <= result.error_bound);
      if (options.method == PERM_METHOD_FRONTIER)
        CHECK_SHOW(k > n || bound[k] <= 1e-13 * moduli[k] * (1 + n) + 1e-200 * ldexp(all, far * k),
                   "order %d, x^%d: bound %g of %g", n, k, bound[k], moduli[k]);
      relative += options.method == PERM_METHOD_FRONTIER;
      sharp += hypot(re, im) > bound[k] / 100 && result.method != PERM_METHOD_FRONTIER;
    }
  }
  if (test_verbose)
    printf("%d errors above a hundredth of the circle's bound\n", sharp);
  CHECK(relative > 100 && sharp > 20);
}

/* Several variables: all products, one by one. */
typedef struct t_several {
  int m, n, parts, forms, cut[3];
  int64_t a[4 * 5 * 5 * 2]; /* entries, or */
  double x[4 * 5 * 5 * 2];
  uint64_t residue[4 * 4 * 4][2]; /* of coefficients */
  oracle_wide wide[4 * 4 * 4][2];
  double moduli[4 * 4 * 4];
} t_several;

static void t_several_walk(t_several *s, int i, int used, const int *degree, const uint64_t *residue,
                           const oracle_wide *wide, double moduli)
{
  const int by = s->m > s->n, rows = by ? s->n : s->m, columns = by ? s->m : s->n;
  const uint64_t p = T_POLYNOMIAL_PRIME;
  for (int k = 1, at = degree[0], step = s->cut[0] + 1; i == rows; at += degree[k] * step, step *= s->cut[k++] + 1) {
    if (degree[k - 1] > s->cut[k - 1])
      return;
    if (k < 3)
      continue;
    for (int part = 0; part < 2; part++) {
      s->residue[at][part] = (s->residue[at][part] + residue[part]) % p;
      s->wide[at][part] += wide[part];
    }
    s->moduli[at] += moduli;
    return;
  }
  for (int j = 0; j < columns; j++)
    for (int k = 0; k < s->forms && !(used >> j & 1); k++) {
      const int at = ((k * s->m + (by ? j : i)) * s->n + (by ? i : j)) * s->parts;
      const double re = s->x[at], im = s->parts == 2 ? s->x[at + 1] : 0;
      const oracle_wide next[2] = {re * wide[0] - im * wide[1], re * wide[1] + im * wide[0]};
      uint64_t r[2] = {0, 0}, product[2];
      int higher[4] = {degree[0], degree[1], degree[2], 0};
      for (int part = 0; part < s->parts; part++) {
        const int64_t y = s->a[at + part];
        r[part] = (y < 0 ? 0 - (uint64_t)y : (uint64_t)y) % p;
        r[part] = y < 0 && r[part] ? p - r[part] : r[part];
      }
      product[0] = (oracle_multiply(r[0], residue[0], p) + p - oracle_multiply(r[1], residue[1], p)) % p;
      product[1] = (oracle_multiply(r[0], residue[1], p) + oracle_multiply(r[1], residue[0], p)) % p;
      higher[k ? k - 1 : 3]++;
      t_several_walk(s, i + 1, used | 1 << j, higher, product, next, moduli * hypot(re, im));
    }
}

TEST(t_polynomial_several_variables)
{
  static t_several s;
  static perm_integer numbers[128];
  static double value[128], bound[64];
  int far, sharp = 0;
  for (int trial = 0; trial < 1500; trial++) {
    const int exact = trial & 1, v = test_below(4), start[3] = {0, 0, 0}, kind = test_below(5 + (trial % 3 != 0));
    const uint64_t one[2] = {1, 0};
    const oracle_wide wide[2] = {1, 0};
    perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
    perm_result result;
    memset(&s, 0, sizeof s);
    s.m = test_below(4);
    s.n = trial & 2 ? s.m : test_below(6);
    s.parts = 1 + (trial % 3 == 0);
    s.forms = v + 1;
    far = trial % 10 == 8 ? 60 : 0;
    for (int k = 0; k < v; k++)
      s.cut[k] = test_below(4);
    for (int k = 0; k < s.forms * s.m * s.n * s.parts; k++)
      if (exact)
        s.a[k] = t_polynomial_entry(kind);
      else
        s.x[k] = test_below(4) ? ldexp(test_uniform() - 0.5, far * (k / (s.m * s.n * s.parts))) : 0;
    t_several_walk(&s, 0, 0, start, one, wide, 1);
    const int count = (s.cut[0] + 1) * (s.cut[1] + 1) * (s.cut[2] + 1);
    if (exact)
      CHECK_SHOW((s.parts == 2 ? perm_polynomial_several_gaussian : perm_polynomial_several_integer)(
                     s.m, s.n, v, s.a, s.n, s.cut, &options, numbers, &result) == PERM_OK, "%s", result.message);
    else
      CHECK_SHOW((s.parts == 2 ? perm_polynomial_several_complex : perm_polynomial_several_real)(
                     s.m, s.n, v, s.x, s.n, s.cut, &options, value, bound, &result) == PERM_OK, "%s", result.message);
    for (int t = 0; t < count; t++) {
      for (int part = 0; part < s.parts && exact; part++)
        CHECK_SHOW(oracle_modulo(&numbers[t * s.parts + part], T_POLYNOMIAL_PRIME) == s.residue[t][part],
                   "trial %d: %d x %d, %d variables, parts %d, coefficient %d", trial, s.m, s.n, v, s.parts, t);
      if (exact)
        continue;
      const double re = (double)(s.wide[t][0] - value[t * s.parts]);
      const double im = s.parts == 2 ? (double)(s.wide[t][1] - value[2 * t + 1]) : 0;
      CHECK_SHOW(hypot(re, im) <= bound[t], "trial %d: off by %g, bound %g", trial, hypot(re, im), bound[t]);
      CHECK_SHOW(bound[t] <= 2e-13 * s.moduli[t] + DBL_MIN, "trial %d: bound %g of %g", trial, bound[t], s.moduli[t]);
      sharp += hypot(re, im) > bound[t] / 300;
    }
  }
  CHECK(sharp > 50);
}

/* With one variable, against the other engines; order 9 and 12, cuts below it. */
TEST(t_polynomial_several_and_one)
{
  static int64_t a[2 * 144];
  static perm_integer numbers[2][13];
  perm_result result;
  for (int trial = 0; trial < 6; trial++) {
    const int n = trial & 1 ? 12 : 9, cut = trial < 2 ? n : 1 + trial, side = n * n;
    for (int k = 0; k < 2 * side; k++)
      a[k] = t_polynomial_entry(trial & 2 ? 1 : 5);
    CHECK_SHOW(perm_polynomial_several_integer(n, n, 1, a, n, &cut, NULL, numbers[0], &result) == PERM_OK, "%s",
               result.message);
    CHECK(perm_polynomial_integer(n, n, a, n, a + side, n, cut, NULL, numbers[1], &result) == PERM_OK);
    CHECK_SHOW(!memcmp(numbers[0], numbers[1], ((size_t)cut + 1) * sizeof(perm_integer)), "order %d, cut %d", n, cut);
  }
}

static int t_polynomial_cancels(const perm_progress *progress, void *data)
{
  *(double *)data = progress->fraction;
  return progress->fraction > 0;
}

TEST(t_polynomial_refuses)
{
  static int64_t a[40 * 40];
  static double d[40 * 40];
  static const double half[4] = {0.5, 1, 1, 1}, bad[4] = {1, 1, 1, INFINITY};
  perm_integer numbers[41];
  perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  perm_matrix matrix[3];
  perm_result result;
  double value[82], bound[41], fraction = 0;
  volatile int cancel = 1;
  int k;
  for (k = 0; k < 40 * 40; k++)
    d[k] = (double)(a[k] = test_below(19) - 9);
  CHECK(perm_polynomial_integer(-1, 2, a, 2, a, 2, 2, NULL, numbers, &result) == PERM_ERROR_SIZE &&
        result.argument == 1);
  CHECK(perm_polynomial_integer(2, -1, a, 2, a, 2, 2, NULL, numbers, &result) == PERM_ERROR_SIZE &&
        result.argument == 2);
  CHECK(perm_polynomial_integer(2, 2, NULL, 2, a, 2, 2, NULL, numbers, &result) == PERM_ERROR_NULL &&
        result.argument == 3);
  CHECK(perm_polynomial_integer(2, 2, a, 1, a, 2, 2, NULL, numbers, &result) == PERM_ERROR_STRIDE &&
        result.argument == 4);
  CHECK(perm_polynomial_gaussian(2, 2, a, 2, NULL, 2, 2, NULL, numbers, &result) == PERM_ERROR_NULL &&
        result.argument == 5);
  CHECK_TEXT(result.message, "L: ");
  CHECK(perm_polynomial_real(2, 2, d, 2, d, 1, 2, NULL, value, NULL, &result) == PERM_ERROR_STRIDE &&
        result.argument == 6 && value[0] != value[0]);
  CHECK(perm_polynomial_integer(2, 2, a, 2, a, 2, -1, NULL, numbers, &result) == PERM_ERROR_SIZE &&
        result.argument == 7);
  options.method = PERM_METHOD_RYSER;
  CHECK(perm_polynomial_integer(2, 2, a, 2, a, 2, 2, &options, numbers, &result) == PERM_ERROR_OPTION &&
        result.argument == 8);
  options.method = PERM_METHOD_FRONTIER;
  CHECK(perm_polynomial_real(2, 2, d, 2, bad, 2, 2, &options, value, bound, &result) == PERM_ERROR_NOT_FINITE &&
        result.argument == 5);
  CHECK(perm_polynomial_gaussian(2, 2, a, 2, a, 2, 2, &options, numbers, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "the frontier takes real integers");
  options.method = PERM_METHOD_AUTO;
  options.precision = PERM_PRECISION_DD;
  CHECK(perm_polynomial_integer(2, 2, a, 2, a, 2, 2, &options, numbers, &result) == PERM_ERROR_OPTION);
  options.precision = PERM_PRECISION_DEFAULT;
  options.modulus = 7;
  CHECK(perm_polynomial_real(2, 2, d, 2, d, 2, 2, &options, value, bound, &result) == PERM_ERROR_OPTION);
  options.modulus = 0;
  options.precision = PERM_PRECISION_EXACT;
  CHECK(perm_polynomial_complex(2, 2, d, 2, d, 2, 2, &options, value, bound, &result) == PERM_ERROR_OPTION);
  options.precision = PERM_PRECISION_DEFAULT;
  CHECK(perm_polynomial_integer(2, 2, a, 2, a, 2, 2, NULL, NULL, &result) == PERM_ERROR_NULL && result.argument == 9);
  CHECK(perm_permanental_polynomial(2, NULL, 2, NULL, numbers, &result) == PERM_ERROR_NULL && result.argument == 2);
  CHECK(perm_permanental_polynomial(-2, a, 2, NULL, numbers, &result) == PERM_ERROR_SIZE && result.argument == 1);
  CHECK(perm_permanental_polynomial_sparse(NULL, NULL, numbers, &result) == PERM_ERROR_NULL && result.argument == 1);
  CHECK(perm_matrix_from_dense(2, 2, half, 2, NULL, &matrix[0], NULL) == PERM_OK);
  CHECK(perm_matrix_from_dense(2, 1, half, 1, NULL, &matrix[1], NULL) == PERM_OK);
  CHECK(perm_polynomial_sparse(&matrix[0], NULL, 2, NULL, value, bound, &result) == PERM_ERROR_NULL &&
        result.argument == 2);
  CHECK(perm_polynomial_sparse(&matrix[0], &matrix[1], 2, NULL, value, bound, &result) == PERM_ERROR_SIZE &&
        result.argument == 2);
  CHECK(perm_permanental_polynomial_sparse(&matrix[1], NULL, numbers, &result) == PERM_ERROR_SIZE);
  CHECK(perm_polynomial_sparse_integer(&matrix[0], &matrix[0], 2, NULL, numbers, &result) == PERM_ERROR_UNSUPPORTED &&
        result.argument == 1);
  perm_matrix_free(&matrix[0]);
  perm_matrix_free(&matrix[1]);
  options.max_seconds = 1;
  CHECK(perm_polynomial_integer(36, 36, a, 36, a, 36, 36, &options, numbers, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "more than max_seconds");
  CHECK(perm_polynomial_real(36, 36, d, 36, d, 36, 36, &options, value, bound, &result) == PERM_ERROR_LIMIT);
  options.max_seconds = 0;
  options.max_bytes = 1000;
  CHECK(perm_polynomial_integer(20, 20, a, 20, a, 20, 20, &options, numbers, &result) == PERM_ERROR_LIMIT);
  options.max_bytes = 0;
  for (k = 0; k < 40 * 40; k++)
    d[k] = 1e100;
  CHECK(perm_polynomial_real(8, 8, d, 8, d, 8, 8, &options, value, bound, &result) == PERM_ERROR_UNSUPPORTED);
  CHECK_TEXT(result.message, "beyond doubles");
  for (k = 0; k < 40 * 40; k++)
    a[k] = INT64_MAX - k % 7;
  CHECK(perm_polynomial_gaussian(6, 6, a, 6, a + 7, 6, 6, &options, numbers, &result) == PERM_OK);
  matrix[2] = fullerene_make(60);
  options.cancel = &cancel;
  CHECK(perm_permanental_polynomial_sparse(&matrix[2], &options, numbers, &result) == PERM_STOPPED_CANCELLED);
  CHECK(perm_polynomial_sparse(&matrix[2], &matrix[2], 3, &options, value, bound, &result) == PERM_STOPPED_CANCELLED);
  options.cancel = NULL;
  options.progress = t_polynomial_cancels;
  options.user_data = &fraction;
  CHECK(perm_polynomial_integer(24, 24, a, 24, a + 7, 24, 24, &options, numbers, &result) == PERM_STOPPED_CANCELLED &&
        fraction > 0);
  perm_matrix_free(&matrix[2]);
  options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  static const int cuts[3] = {1, 2, -1}, wide[2] = {9999, 9999};
  CHECK(perm_polynomial_several_integer(2, 2, 3, a, 2, cuts, &options, numbers, &result) == PERM_ERROR_SIZE &&
        result.argument == 6);
  CHECK(perm_polynomial_several_integer(2, 2, 1, a, 2, NULL, &options, numbers, &result) == PERM_ERROR_SIZE);
  CHECK(perm_polynomial_several_integer(2, 2, -1, a, 2, cuts, &options, numbers, &result) == PERM_ERROR_SIZE);
  CHECK(perm_polynomial_several_integer(2, 2, 2, a, 2, wide, &options, numbers, &result) == PERM_ERROR_SIZE);
  CHECK(perm_polynomial_several_gaussian(2, 2, 2, NULL, 2, cuts, &options, numbers, &result) == PERM_ERROR_NULL &&
        result.argument == 4);
  CHECK(perm_polynomial_several_real(2, 2, 1, d, 1, cuts, &options, value, bound, &result) == PERM_ERROR_STRIDE &&
        result.argument == 5 && value[0] != value[0] && value[1] != value[1]);
  CHECK(perm_polynomial_several_integer(40, 31, 0, a, 31, NULL, &options, numbers, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "of sets");
  options.max_bytes = 1e6;
  CHECK(perm_polynomial_several_integer(20, 20, 1, a, 20, cuts, &options, numbers, &result) == PERM_ERROR_LIMIT);
  options.max_bytes = 0;
  options.max_seconds = 1e-4;
  CHECK(perm_polynomial_several_integer(20, 20, 1, a, 20, cuts, &options, numbers, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "more than max_seconds");
  options.max_seconds = 0;
  options.method = PERM_METHOD_EXACT;
  CHECK(perm_polynomial_several_integer(2, 2, 1, a, 2, cuts, &options, numbers, &result) == PERM_ERROR_OPTION &&
        result.argument == 7);
  options.method = PERM_METHOD_AUTO;
  options.cancel = &cancel;
  CHECK(perm_polynomial_several_integer(18, 18, 1, a, 18, cuts, &options, numbers, &result) ==
        PERM_STOPPED_CANCELLED);
}

/* c + l x: its coefficients are known. Products with denormal entries are not rounded by u; sums may overflow. */
TEST(t_polynomial_of_one_entry)
{
  for (int trial = 0; trial < 400; trial++) {
    const int parts = 1 + trial % 2, far = trial % 4 < 2 ? 1070 : 300;
    double entry[2][2] = {{0, 0}, {0, 0}}, value[4], bound[2];
    perm_result result;
    for (int s = 0; s < 2; s++)
      for (int part = 0; part < parts; part++)
        entry[s][part] = ldexp(test_uniform() - 0.5, (int)test_below((unsigned)far + 900) - far) * (test_below(4) > 0);
    CHECK((parts == 2 ? perm_polynomial_complex : perm_polynomial_real)(1, 1, entry[0], 1, entry[1], 1, 1, NULL, value,
                                                                        bound, &result) == PERM_OK);
    for (int s = 0; s < 2; s++)
      for (int part = 0; part < parts; part++)
        CHECK_SHOW(fabs(value[s * parts + part] - entry[s][part]) <= bound[s], "%g x + %g: %g, bound %g",
                   entry[1][part], entry[0][part], value[s * parts + part], bound[s]);
  }
  const double c[2] = {-DBL_MAX, DBL_MAX}, l[2] = {DBL_MAX, DBL_MAX}, far[8] = {1e300, 1, 1, 0, 0, 0, 0, 0};
  const int cut[1] = {0};
  double value[4], bound[1];
  perm_result result;
  CHECK(perm_polynomial_several_real(2, 2, 1, far, 2, cut, NULL, value, bound, &result) == PERM_OK);
  CHECK_SHOW(fabs(value[0] - 1) <= bound[0], "%g, bound %g", value[0], bound[0]);
  CHECK(perm_polynomial_real(1, 1, c, 1, l, 1, 1, NULL, value, NULL, &result) == PERM_ERROR_UNSUPPORTED);
  CHECK(perm_polynomial_complex(1, 1, c, 1, l, 1, 1, NULL, value, NULL, &result) == PERM_ERROR_UNSUPPORTED);
  CHECK_TEXT(result.message, "beyond 2e307");
}
/* SPDX-License-Identifier: MIT */
