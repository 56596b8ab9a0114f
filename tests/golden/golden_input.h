/* golden_input.h: seeded inputs of the golden record. Integers, exact conversions, and single + - * / only: no libm,
   and nothing that a compiler may contract, so that every machine draws the same bits. */

static uint64_t golden_random_state;

/* Methods have the numbers of the first record. The last one stands for proofs, which are calls of their own by now.
   Returns PERM_METHOD_COUNT for one that is gone. */
#define GOLDEN_METHODS 31
#define GOLDEN_DENSE_METHODS 10
#define GOLDEN_PROOF (GOLDEN_METHODS - 1)

static perm_method golden_method(int number)
{
  static const perm_method method[GOLDEN_METHODS] = {
      PERM_METHOD_AUTO, PERM_METHOD_DENSE, PERM_METHOD_GLYNN, PERM_METHOD_RYSER, PERM_METHOD_EXPANSION,
      PERM_METHOD_EXACT, PERM_METHOD_SUBSETS, PERM_METHOD_MULTIPLICITIES, PERM_METHOD_SHORT, PERM_METHOD_COUNT,
      PERM_METHOD_LOW_RANK, PERM_METHOD_BORCHARDT, PERM_METHOD_FRONTIER, PERM_METHOD_LISTS, PERM_METHOD_SORTING,
      PERM_METHOD_ARRAYS, PERM_METHOD_TREE, PERM_METHOD_BAND, PERM_METHOD_HYBRID, PERM_METHOD_COUNT,
      PERM_METHOD_DOMINATING, PERM_METHOD_SPARYSER, PERM_METHOD_DECOMPOSE, PERM_METHOD_TRANSVERSALS,
      PERM_METHOD_STRUCTURE, PERM_METHOD_CODEGEN, PERM_METHOD_COUNT, PERM_METHOD_TWINS, PERM_METHOD_PLANAR,
      PERM_METHOD_SIGN_SEARCH, PERM_METHOD_AUTO};
  return method[number];
}

/* SplitMix64 */
static uint64_t golden_bits(void)
{
  uint64_t z = golden_random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* 0 .. bound - 1; the bias is of no matter. */
static int golden_below(int bound)
{
  return (int)((golden_bits() >> 33) % (uint64_t)bound);
}

static int golden_from(int least, int most)
{
  return least + golden_below(most - least + 1);
}

/* A double that no compiler keeps in a wider register or joins with the next operation. */
static double golden_keep(double x)
{
  volatile double y = x;
  return y;
}

/* [0, 1), multiples of 2^-53 */
static double golden_unit(void)
{
  return (double)(golden_bits() >> 11) * (1.0 / 9007199254740992.0);
}

/* 2^e for |e| < 1000 */
static double golden_power(int e)
{
  double x = 1;
  for (; e > 0; e--)
    x *= 2;
  for (; e < 0; e++)
    x *= 0.5;
  return x;
}

/* Where entries stand. The last three decide the values, too. */
#define GOLDEN_PATTERNS(X)                                                                                             \
  X(full)                                                                                                              \
  X(half) X(few) X(band) X(grid) X(hubs) X(triangle) X(blocks) X(derangement) X(tree) X(circulant) X(equal_rows)       \
      X(equal_columns) X(zero_row) X(zero_column) X(lonely) X(sylvester) X(rank_two) X(unitary)
#define GOLDEN_VALUES(X)                                                                                               \
  X(one) X(sign) X(digit) X(whole) X(uniform) X(symmetric) X(gauss) X(third) X(tiny) X(huge) X(graded) X(mixed)
#define GOLDEN_ENUM(name) golden_##name,
#define GOLDEN_NAME(name) #name,
enum { GOLDEN_PATTERNS(GOLDEN_ENUM) golden_patterns };
enum { GOLDEN_VALUES(GOLDEN_ENUM) golden_value_kinds };
static const char *const golden_pattern_name[] = {GOLDEN_PATTERNS(GOLDEN_NAME) ""};
static const char *const golden_value_name[] = {GOLDEN_VALUES(GOLDEN_NAME) ""};

#define GOLDEN_MOST 64
static unsigned char golden_there[GOLDEN_MOST * GOLDEN_MOST];

/* The pattern of an m x n matrix in golden_there[i * n + j]. */
static void golden_draw_pattern(int pattern, int m, int n)
{
  const int width = 1 + golden_below(3), side = 2 + golden_below(5), share = golden_from(30, 70);
  const int block = golden_from(2, 5), hubs = 1 + golden_below(2), line = golden_below(m), column = golden_below(n),
            degree = golden_from(2, 4);
  int i, j;
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++) {
      const int apart = i > j ? i - j : j - i;
      int there = 1;
      switch (pattern) {
      case golden_half: there = golden_below(100) < share; break;
      case golden_few: there = i == j || golden_below(n) < degree; break;
      case golden_band: there = apart <= width; break;
      case golden_grid: there = i == j || j == i + 1 || j == i + side || i == j + side; break;
      case golden_hubs: there = i < hubs || j < hubs || i == j || golden_below(2 * n) == 0; break;
      case golden_triangle: there = i <= j; break;
      case golden_blocks: there = i / block == j / block || (i < j && golden_below(4) == 0); break;
      case golden_derangement: there = i != j; break;
      case golden_tree: there = i == j || j == (i - 1) / 2 || i == (j - 1) / 2; break;
      case golden_circulant: there = j == i || j == (i + 1) % n || j == (i + side) % n; break;
      case golden_zero_row: there = i != line; break;
      case golden_zero_column: there = j != column; break;
      case golden_lonely: there = i == line ? j == column : golden_below(100) < share + 20; break;
      default: break;
      }
      golden_there[i * n + j] = (unsigned char)there;
    }
}

static double golden_value(int values, double row_scale)
{
  double x;
  switch (values) {
  case golden_one: return 1;
  case golden_sign: return golden_below(2) ? 1 : -1;
  case golden_digit: x = golden_from(1, 9); return golden_below(2) ? x : -x;
  case golden_whole: return golden_from(1, 1 << 20);
  case golden_uniform: break;
  case golden_third: return golden_keep(golden_from(-20, 20) / 3.0);
  case golden_symmetric:
  case golden_graded:
  case golden_mixed:
    x = golden_keep(2 * golden_unit() - 1);
    return values == golden_graded  ? x * row_scale
           : values == golden_mixed ? x * golden_power(golden_from(-60, 60))
                                    : x;
  default: { /* four uniform numbers of 2^-31: exact */
    int64_t sum = 0;
    int k;
    for (k = 0; k < 4; k++)
      sum += (int64_t)(golden_bits() >> 33);
    x = (double)(sum - (INT64_C(1) << 32)) * (1.0 / 1073741824);
    return values == golden_tiny ? golden_keep(x * 1e-300) : values == golden_huge ? golden_keep(x * 1e300) : x;
  }
  }
  return golden_unit();
}

/* Rotations by angles of Pythagorean triples, and by i: orthogonal or unitary but for rounding. */
static void golden_draw_unitary(int n, int parts, double *a, int ld)
{
  static const int triple[4][3] = {{3, 4, 5}, {5, 12, 13}, {8, 15, 17}, {7, 24, 25}};
  int i, j, k, p, turn;
  for (i = 0; i < n; i++)
    for (j = 0; j < n * parts; j++)
      a[i * ld * parts + j] = j == i * parts;
  for (turn = 0; turn < 3 * n; turn++) {
    const int *t = triple[golden_below(4)];
    const double c = golden_keep((double)t[0] / t[2]), s = golden_keep((double)t[1] / t[2]);
    double *x, *y;
    i = golden_below(n);
    k = golden_below(n);
    if (i == k)
      continue;
    x = a + i * ld * parts;
    y = a + k * ld * parts;
    for (j = 0; j < n; j++) {
      for (p = 0; p < parts; p++) {
        const double u = x[j * parts + p], v = y[j * parts + p];
        x[j * parts + p] = golden_keep(golden_keep(c * u) - golden_keep(s * v));
        y[j * parts + p] = golden_keep(golden_keep(s * u) + golden_keep(c * v));
      }
      if (parts == 2) {
        const double u = x[2 * j];
        x[2 * j] = -x[2 * j + 1];
        x[2 * j + 1] = u;
      }
    }
  }
}

/* An m x n matrix of doubles (parts 2: complex) with row stride ld. */
static void golden_draw_matrix(int pattern, int values, int m, int n, int parts, double *a, int ld)
{
  int i, j, p;
  if (m == 0 || n == 0)
    return;
  if (pattern == golden_unitary && m == n) {
    golden_draw_unitary(n, parts, a, ld);
    return;
  }
  golden_draw_pattern(pattern, m, n);
  for (i = 0; i < m; i++) {
    const double row_scale = golden_power(golden_from(-40, 40));
    for (j = 0; j < n; j++)
      for (p = 0; p < parts; p++)
        a[(i * ld + j) * parts + p] = golden_there[i * n + j] ? golden_value(values, row_scale) : 0;
  }
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++)
      for (p = 0; p < parts; p++) {
        double *x = &a[(i * ld + j) * parts + p];
        if (pattern == golden_equal_rows && i % 3)
          *x = a[((i - i % 3) * ld + j) * parts + p];
        if (pattern == golden_equal_columns && j % 2)
          *x = a[(i * ld + j - 1) * parts + p];
        if (pattern == golden_sylvester) {
          int k, odd = 0;
          for (k = i & j; k; k &= k - 1)
            odd ^= 1;
          *x = p ? 0 : odd ? -1 : 1;
        }
        if (pattern == golden_rank_two)
          *x = (i * 7 + 3 * p) % 5 - 2 + ((i * 3 + 1) % 4) * ((j * 5 + 2) % 7 - 3);
      }
}

/* Integers: `size` picks their kind. */
static const char *const golden_size_name[] = {"one", "sign", "digit", "2^10", "2^20", "2^31", "2^45", "2^60"};
#define GOLDEN_SIZES 8

static int64_t golden_integer(int size)
{
  static const int bits[GOLDEN_SIZES] = {0, 0, 3, 10, 20, 31, 45, 60};
  const int64_t x = size == 0 ? 1 : size == 1 ? 1 : (int64_t)(golden_bits() >> (64 - bits[size])) + 1;
  return size && golden_below(2) ? -x : x;
}

static void golden_draw_integers(int pattern, int size, int m, int n, int parts, int64_t *a, int ld)
{
  int i, j, p;
  if (m == 0 || n == 0)
    return;
  golden_draw_pattern(pattern, m, n);
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++)
      for (p = 0; p < parts; p++) {
        int64_t x = golden_there[i * n + j] ? golden_integer(size) : 0;
        if (pattern == golden_equal_rows && i % 3)
          x = a[((i - i % 3) * ld + j) * parts + p];
        if (pattern == golden_equal_columns && j % 2)
          x = a[(i * ld + j - 1) * parts + p];
        a[(i * ld + j) * parts + p] = x;
      }
}

/* Multiplicities: `lines` of them, total in all. */
static void golden_draw_counts(int lines, int total, int *counts)
{
  int k;
  for (k = 0; k < lines; k++)
    counts[k] = 0;
  for (k = 0; k < total; k++)
    counts[golden_below(lines)]++;
}
/* SPDX-License-Identifier: MIT */
