/* >>scale */
/* Duals of a maximum-product assignment, against all permutations; the same scaled matrix however rows and
   columns were scaled; no transversal gives exactly 0. */

typedef int scale_matrix[2 * PERM_MAX_N][PERM_MAX_N]; /* the lower half is room */

/* Exponents in -spread..0, each present with probability `density`. */
static void scale_random(int n, scale_matrix e, int spread, double density)
{
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      e[i][j] = test_uniform() < density ? -test_below(spread + 1) : PERMI_NO_EXPONENT;
}

/* By all permutations of nonzero entries: how many, the largest sum of exponents, the entries on any, as masks. */
static long scale_all(int n, scale_matrix e, int *largest, uint64_t *used)
{
  int p[8], i, j;
  long count = 0;
  uint64_t taken = 0;
  memset(used, 0, 8 * sizeof *used);
  *largest = INT_MIN;
  for (i = 0, p[0] = -1; i >= 0;) {
    if (p[i] >= 0)
      taken &= ~(UINT64_C(1) << p[i]);
    for (j = p[i] + 1; j < n && ((taken >> j & 1) || e[i][j] == PERMI_NO_EXPONENT); j++)
      ;
    p[i] = j;
    if (j == n) {
      i--;
      continue;
    }
    taken |= UINT64_C(1) << j;
    if (i < n - 1) {
      p[++i] = -1;
    } else {
      int sum = 0, row;
      for (row = 0; row < n; row++) {
        sum += e[row][p[row]];
        used[row] |= UINT64_C(1) << p[row];
      }
      *largest = sum > *largest ? sum : *largest;
      count++;
    }
  }
  return count;
}

/* What permi_scale_exponents promises, without knowing any transversal: entries at most 0, the sum of the duals
   that of a transversal of largest product (so it is at 0), entries on no transversal dropped, no others. */
TEST(t_scale_is_optimal)
{
  static const int spreads[] = {0, 1, 3, 20, 2000};
  static const double densities[] = {1, 0.7, 0.45, 0.3};
  static scale_matrix e, s;
  int row[PERM_MAX_N], column[PERM_MAX_N], n, trial, i, j, singular = 0, dropped = 0;
  for (n = 1; n <= 7; n++)
    for (trial = 0; trial < 2000; trial++) {
      int largest, sum = 0, possible;
      uint64_t used[8];
      long count;
      scale_random(n, e, spreads[trial % 5], densities[trial / 5 % 4]);
      if (trial % 3 == 0)
        for (i = 0; i < n; i++)
          e[i][(i + 1) % n] = -1000; /* a transversal for sure, seldom the best */
      memcpy(s, e, sizeof s);
      count = scale_all(n, e, &largest, used);
      possible = permi_scale_exponents(n, s, row, column);
      CHECK_SHOW(possible == (count > 0), "n=%d trial %d: %ld transversals", n, trial, count);
      for (i = 0; i < n; i++)
        sum += row[i] + column[i];
      if (!possible) {
        for (i = 0; i < n; i++)
          CHECK(row[i] == 0 && column[i] == 0);
        singular++;
        continue;
      }
      CHECK_SHOW(sum == -largest, "n=%d trial %d: duals %d, best %d", n, trial, sum, largest);
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
          if (used[i] >> j & 1)
            CHECK(s[i][j] == e[i][j] + row[i] + column[j] && s[i][j] <= 0);
          else
            CHECK(s[i][j] == PERMI_NO_EXPONENT);
          if (e[i][j] != PERMI_NO_EXPONENT && !(used[i] >> j & 1)) {
            CHECK(e[i][j] + row[i] + column[j] < -2200); /* a double times this power is 0 */
            dropped++;
          }
        }
    }
  CHECK_SHOW(singular > 500 && dropped > 5000, "%d singular, %d dropped", singular, dropped);
}

/* Rows, columns or both scaled: the same scaled exponents. */
TEST(t_scale_does_not_see_powers_of_two)
{
  static const int sizes[] = {2, 3, 5, 8, 13, 20, 40, 64};
  static const double densities[] = {1, 0.5, 0.25};
  static scale_matrix e, s, t;
  int row[PERM_MAX_N], column[PERM_MAX_N], trial, i, j, differ = 0, possible = 0;
  for (trial = 0; trial < 1200; trial++) {
    int n = sizes[trial % 8], which = 1 + trial % 3;
    scale_random(n, e, trial % 5 ? 3 << trial % 5 * 2 : 0, densities[trial / 8 % 3]);
    for (i = 0; i < n; i++)
      e[i][i] = trial % 2 ? 0 : e[i][i]; /* half of them diagonally heavy: many classes */
    memcpy(t, e, sizeof t);
    for (i = 0; i < n; i++) {
      int by_row = which & 1 ? test_below(1001) - 500 : 0, by_column = which & 2 ? test_below(1001) - 500 : 0;
      for (j = 0; j < n; j++) {
        t[i][j] += t[i][j] != PERMI_NO_EXPONENT ? by_row : 0;
        t[j][i] += t[j][i] != PERMI_NO_EXPONENT ? by_column : 0;
      }
    }
    memcpy(s, e, sizeof s);
    i = permi_scale_exponents(n, s, row, column);
    CHECK(i == permi_scale_exponents(n, t, row, column));
    if (!i)
      continue;
    possible++;
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        differ += s[i][j] != t[i][j];
    CHECK_SHOW(differ == 0, "n=%d trial %d: %d exponents differ", n, trial, differ);
  }
  CHECK(possible > 600);
}

/* Where the duals are free they end in the middle: a cycle gets equal exponents, not one entry all of it. */
TEST(t_scale_is_balanced)
{
  static scale_matrix e;
  int row[PERM_MAX_N], column[PERM_MAX_N], n, i, j, k;
  for (n = 2; n <= 64; n = n * 3 / 2 + 1)
    for (k = 0; k < 3; k++) {
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
          e[i][j] = i == j || j == i + 1 ? 0 : PERMI_NO_EXPONENT;
      e[n - 1][0] = -30 * n - k;
      CHECK(permi_scale_exponents(n, e, row, column));
      for (i = 0; i < n; i++)
        CHECK_SHOW(e[i][i] == 0 && abs(e[i][(i + 1) % n] + 30) <= 3, "n=%d k=%d: %d", n, k, e[i][(i + 1) % n]);
    }
}

/* The middle is that of the transposed and permuted matrix too, up to the rounding of shifts. */
TEST(t_scale_of_the_transposed)
{
  static scale_matrix e, s;
  int row[PERM_MAX_N], column[PERM_MAX_N], n, i, j, trial, worst = 0;
  for (trial = 0; trial < 300; trial++) {
    int by = trial / 2;
    n = 2 + trial % 30;
    scale_random(n, e, trial % 2 ? 100 : 2000, 0.5);
    for (i = 0; i < n; i++)
      e[i][i] = trial % 3 ? 0 : -test_below(100);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        s[(j + by) % n][n - 1 - i] = e[i][j];
    CHECK(permi_scale_exponents(n, e, row, column) && permi_scale_exponents(n, s, row, column));
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) {
        int by_rounding = abs(s[(j + by) % n][n - 1 - i] - e[i][j]);
        CHECK_SHOW(by_rounding <= 1, "n=%d trial %d: %d", n, trial, by_rounding);
        worst = by_rounding > worst ? by_rounding : worst;
      }
  }
  CHECK(worst == 1); /* some freedom was there */
}

/* A long cycle, half of its entries the smallest there are, moves far when it is balanced; its coupling to another
   block still has to vanish. */
TEST(t_scale_drops_beside_long_cycles)
{
  static scale_matrix e, s;
  int row[PERM_MAX_N], column[PERM_MAX_N], n, start, i, j, dropped = 0;
  for (n = 3; n <= 64; n += 7)
    for (start = 0; start < n - 1; start += 3) {
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
          e[i][j] = i == j || j == n - 1 ? 1024 : PERMI_NO_EXPONENT;
      for (i = 0; i < n - 1; i++) {
        e[i][(i + 1) % (n - 1)] = (i + start) % (n - 1) < n / 2 ? -1073 : 1024;
        e[n - 1][i] = PERMI_NO_EXPONENT;
      }
      memcpy(s, e, sizeof s);
      CHECK(permi_scale_exponents(n, s, row, column));
      for (i = 0; i < n - 1; i++, dropped++)
        CHECK_SHOW(s[i][n - 1] == PERMI_NO_EXPONENT && 1024 + row[i] + column[n - 1] < -2200, "n=%d: 2^%d", n,
                   1024 + row[i] + column[n - 1]);
    }
  CHECK(dropped > 3000);
}

/* Matrices r_i c_j u_ij with exponents of r and c in +-500 come back as u up to small powers. */
TEST(t_scale_undoes_gradings)
{
  static scale_matrix e;
  int row[PERM_MAX_N], column[PERM_MAX_N], n, i, j, trial;
  for (trial = 0; trial < 300; trial++) {
    n = 2 + trial % 63;
    scale_random(n, e, 4, 1);
    for (i = 0; i < n; i++) {
      row[i] = test_below(1001) - 500;
      column[i] = test_below(1001) - 500;
    }
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        e[i][j] += row[i] + column[j];
    CHECK(permi_scale_exponents(n, e, row, column));
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        CHECK(e[i][j] <= 0 && e[i][j] >= -16); /* three entries of the graded matrix against one */
  }
}

/* No transversal but no zero line either: an h x w block of zeros with h + w > n. Any engine: 0, decided by
   structure. One entry in the block makes a transversal again. */
TEST(t_scale_finds_blocks_of_zeros)
{
  double a[64 * 64];
  int n, h, i, k;
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_DENSE, PERM_METHOD_GLYNN, PERM_METHOD_RYSER,
                                        PERM_METHOD_EXPANSION};
  for (n = 2; n <= 64; n += n < 10 ? 1 : 9)
    for (h = 1; h <= n; h += n < 10 ? 1 : 7)
      for (k = 0; k < (n <= 20 ? 5 : 4); k++) {
        perm_result r;
        int shift = test_below(n); /* the block's rows and columns, permuted */
        for (i = 0; i < n * n; i++)
          a[i] = (i / n * 3 + shift) % n < h && (i % n * 5 + shift) % n <= n - h && n % 3 && n % 5 ? 0
                 : (i / n + shift) % n < h && (i % n + 2 * shift) % n <= n - h                    ? 0
                                                                                                  : 1 + test_uniform();
        if (n == 64 && methods[k] == PERM_METHOD_RYSER)
          continue;
        r = dense_compute(n, a, methods[k], PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
        CHECK_SHOW(
            r.status == PERM_OK && r.value == 0 && r.exact && r.error_bound == 0 && r.method == PERM_METHOD_STRUCTURE,
            "n=%d h=%d method %s: %g by %s", n, h, perm_name("method", methods[k]), r.value, perm_name("method",
                                                                                                       r.method));
      }
  for (i = 0; i < 25; i++)
    a[i] = i / 5 < 3 && i % 5 < 3 ? 0 : 1;
  CHECK(perm_real(5, a) == 0);
  a[6] = 0.25; /* per = 0.25 (2 x 3 x 2 ways): rows 0, 2 into columns 3, 4; rows 3, 4 into columns 0, 2 */
  CHECK(perm_real(5, a) == 0.25 * 4);
}

static double scale_relative(int n, const double *a, perm_method method, double exact)
{
  perm_result r = dense_compute(n, a, method, PERM_ISA_AUTO, PERM_PRECISION_DEFAULT);
  CHECK_SHOW(r.status == PERM_OK && r.error_estimate < 1e-13 * fabs(exact), "%s: status %d, estimate %g",
             perm_name("method", method), (int)r.status, r.error_estimate);
  return fabs(r.value - exact) / fabs(exact);
}

/* Values where no common grid of the unscaled matrix keeps what matters. */
TEST(t_scale_keeps_what_matters)
{
  static const perm_method methods[] = {PERM_METHOD_DENSE, PERM_METHOD_GLYNN, PERM_METHOD_RYSER, PERM_METHOD_EXPANSION};
  double a[20 * 20], diagonal;
  int n, i, j, k, trial;
  for (k = 0; k < 4; k++) {
    double b[36], c[4] = {1152921504606846976.0, 1, 1, 0}; /* 2^60 */
    CHECK(scale_relative(2, c, methods[k], 1) < 1e-15);
    for (i = 0; i < 36; i++)
      b[i] = i / 6 == i % 6;
    b[0] = 1152921504606846976.0;
    b[1] = b[6] = 1;
    b[7] = 0;
    CHECK(scale_relative(6, b, methods[k], 1) < 1e-15);
    for (trial = 0; trial < 40; trial++) { /* triangular, its off-diagonal part huge, tiny or both */
      int low = trial % 3 == 0 ? 0 : -900, high = trial % 3 == 1 ? 0 : 900;
      n = 3 + trial % 10;
      for (i = 0, diagonal = 1; i < n; i++)
        for (j = 0; j < n; j++) {
          a[i * n + j] = i < j ? 0 : ldexp(1 + test_uniform(), i > j ? low + test_below(high - low + 1) : 0);
          diagonal *= i == j ? a[i * n + j] : 1;
        }
      CHECK_SHOW(scale_relative(n, a, methods[k], diagonal) < 1e-14, "n=%d trial %d", n, trial);
    }
  }
}

/* Every double there is: the scaled matrix has a transversal of entries in [1/2, 1) before rows are shrunk. */
TEST(t_scale_extreme_range)
{
  static scale_matrix e;
  int row[PERM_MAX_N], column[PERM_MAX_N], n, i, j, trial;
  for (trial = 0; trial < 400; trial++) {
    long total = 0, duals = 0;
    n = 1 + trial % 64;
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) {
        e[i][j] = trial % 2 ? test_below(2098) - 1073 : (i * 7 + j * 3) % 5 ? -1073 : 1024;
        if (trial % 4 > 1 && test_below(3) && i != j)
          e[i][j] = PERMI_NO_EXPONENT;
      }
    for (i = 0; i < n; i++)
      total += e[i][i];
    CHECK(permi_scale_exponents(n, e, row, column));
    for (i = 0; i < n; i++) {
      int most_row = PERMI_NO_EXPONENT, most_column = PERMI_NO_EXPONENT;
      duals -= row[i] + column[i];
      for (j = 0; j < n; j++) {
        most_row = e[i][j] > most_row ? e[i][j] : most_row;
        most_column = e[j][i] > most_column ? e[j][i] : most_column;
      }
      CHECK(most_row == 0 && most_column == 0);
      CHECK(abs(row[i]) < 1 << 25 && abs(column[i]) < 1 << 25);
    }
    CHECK(duals >= total && duals <= 1024L * n);
  }
}
/* SPDX-License-Identifier: MIT */
