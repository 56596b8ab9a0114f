/* >>outputs, >>amplitudes, >>amplitudes_bound, >>amplitudes_calls, >>amplitudes_kernels: amplitudes of photons against
   the same recursion in long double, permanents one by one and closed forms; ranks against all states in order. */

enum { T_AMPLITUDES_PLACES = 7 * 7 * 7 * 7 }; /* of 6 photons in 4 rows */

typedef struct t_amplitudes_case {
  int m, columns, photons, counts[8], most[8], exactly[8];
  double a[2 * 8 * 8];
  perm_outputs outputs;
} t_amplitudes_case;

/* The next state in descending order; 0 after the last. */
static int t_amplitudes_next(int m, int *state)
{
  int i = m - 2, rest;
  while (i >= 0 && !state[i])
    i--;
  if (i < 0)
    return 0;
  rest = state[m - 1] + 1;
  state[m - 1] = 0;
  state[i]--;
  state[i + 1] = rest;
  return 1;
}

static int t_amplitudes_fits(const t_amplitudes_case *c, const int *state)
{
  int i, fits = 1;
  for (i = 0; i < c->m; i++)
    fits &= (c->exactly[i] < 0 || state[i] == c->exactly[i]) &&
            (c->most[i] < 0 || c->exactly[i] >= 0 || state[i] <= c->most[i]);
  return fits;
}

/* Orthonormal columns, or the first rows of a larger matrix of such (kind 1), or any numbers (kind 2). */
static void t_amplitudes_matrix(int m, int columns, int kind, double *a)
{
  const int rows = kind == 1 ? m + 2 : m;
  double u[8][10][2], length;
  int i, j, k, twice;
  for (k = 0; k < columns; k++) {
    for (i = 0; i < rows; i++)
      for (j = 0; j < 2; j++)
        u[k][i][j] = test_uniform() + test_uniform() + test_uniform() - 1.5;
    for (twice = 0; twice < 2 && kind < 2 && k < rows; twice++) {
      for (j = 0; j < k; j++) {
        double re = 0, im = 0;
        for (i = 0; i < rows; i++) {
          re += u[j][i][0] * u[k][i][0] + u[j][i][1] * u[k][i][1];
          im += u[j][i][0] * u[k][i][1] - u[j][i][1] * u[k][i][0];
        }
        for (i = 0; i < rows; i++) {
          const double x = u[j][i][0], y = u[j][i][1];
          u[k][i][0] -= x * re - y * im;
          u[k][i][1] -= x * im + y * re;
        }
      }
      for (i = 0, length = 0; i < rows; i++)
        length += u[k][i][0] * u[k][i][0] + u[k][i][1] * u[k][i][1];
      for (i = 0; i < 2 * rows; i++)
        u[k][i / 2][i & 1] /= sqrt(length);
    }
  }
  for (i = 0; i < m; i++)
    for (k = 0; k < columns; k++)
      for (j = 0; j < 2; j++)
        a[2 * (i * columns + k) + j] = u[k][i][j];
}

static void t_amplitudes_random(t_amplitudes_case *c, int kind)
{
  int i;
  memset(c, 0, sizeof *c);
  c->m = 1 + test_below(4);
  c->columns = 1 + test_below(kind == 2 ? 5 : c->m);
  for (i = 0; i < c->columns; i++) {
    c->counts[i] = test_below(3) ? test_below(3) : 0;
    if (c->photons + c->counts[i] > 6)
      c->counts[i] = 0;
    c->photons += c->counts[i];
  }
  for (i = 0; i < 8; i++)
    c->most[i] = c->exactly[i] = -1;
  if (test_below(3)) {
    c->outputs.most = c->most;
    c->outputs.exactly = c->exactly;
  }
  for (i = 0; i < c->m && c->outputs.most; i++) {
    c->most[i] = test_below(4) ? -1 : test_below(4);
    c->exactly[i] = test_below(6) ? -1 : test_below(3);
  }
  t_amplitudes_matrix(c->m, c->columns, kind, c->a);
}

/* The state as digits of base photons + 1. */
static int t_amplitudes_place(const t_amplitudes_case *c, const int *state)
{
  int k = 0, i;
  for (i = c->m - 1; i >= 0; i--)
    k = (c->photons + 1) * k + state[i];
  return k;
}

/* All of the case's amplitudes by these places: the recursion, column after column. */
static long double (*t_amplitudes_oracle(const t_amplitudes_case *c))[2]
{
  static long double layer[2][T_AMPLITUDES_PLACES][2];
  long double root[7][7];
  int unit[9] = {1}, k, i, column, copy, now = 0;
  for (i = 1; i <= c->m; i++)
    unit[i] = unit[i - 1] * (c->photons + 1);
  for (i = 0; i < 7; i++)
    for (k = 1; k < 7; k++)
      root[i][k] = sqrtl((long double)i / k);
  memset(layer[0], 0, (size_t)unit[c->m] * sizeof *layer[0]);
  layer[0][0][0] = 1;
  for (column = 0; column < c->columns; column++)
    for (copy = 1; copy <= c->counts[column]; copy++, now ^= 1)
      for (k = 0; k < unit[c->m]; k++) {
        long double *to = layer[now ^ 1][k];
        to[0] = to[1] = 0;
        for (i = 0; i < c->m; i++) {
          const int s = k / unit[i] % (c->photons + 1);
          const double *u = c->a + 2 * (i * c->columns + column);
          const long double *x = layer[now][k - (s ? unit[i] : 0)];
          to[0] += root[s][copy] * (u[0] * x[0] - u[1] * x[1]);
          to[1] += root[s][copy] * (u[0] * x[1] + u[1] * x[0]);
        }
      }
  return layer[now];
}

TEST(t_amplitudes_ranks_are_places_in_order)
{
  int trial;
  for (trial = 0; trial < test_some(2000); trial++) {
    t_amplitudes_case c;
    int state[8] = {0}, other[8];
    size_t count = 0, index, all;
    t_amplitudes_random(&c, 2);
    c.m += test_below(3);
    CHECK(perm_amplitudes_count(c.m, c.photons, &c.outputs, &all) == PERM_OK);
    state[0] = c.photons;
    do {
      index = 99;
      if (t_amplitudes_fits(&c, state)) {
        CHECK(perm_amplitudes_index(c.m, state, &c.outputs, &index) == PERM_OK);
        CHECK_SHOW(index == count, "%d, not %d: %d photons, %d %d %d .., at most %d %d %d, exactly %d %d %d",
                   (int)index, (int)count, c.photons, state[0], state[1], state[2], c.most[0], c.most[1], c.most[2],
                   c.exactly[0], c.exactly[1], c.exactly[2]);
        CHECK(perm_amplitudes_state(c.m, c.photons, &c.outputs, count, other) == PERM_OK);
        CHECK(!memcmp(other, state, (size_t)c.m * sizeof *state));
        count++;
      } else {
        CHECK(perm_amplitudes_index(c.m, state, &c.outputs, &index) == PERM_ERROR_RANGE && index == 0);
      }
    } while (t_amplitudes_next(c.m, state));
    CHECK_SHOW(count == all, "%d of %d", (int)all, (int)count);
    CHECK(perm_amplitudes_state(c.m, c.photons, &c.outputs, all, other) == PERM_ERROR_RANGE);
  }
}

/* True errors are below the bound, which is not vacuous, for unitary matrices, parts of them, and any, of any size. */
TEST(t_amplitudes_bound_holds)
{
  static const perm_isa isas[] = {PERM_ISA_PLAIN, PERM_ISA_AVX2, PERM_ISA_AUTO, PERM_ISA_AVX512};
  int trial, i, k, ran = 0, scaled = 0, tight = 0;
  for (trial = 0; trial < test_some(10000); trial++) {
    const int kind = trial % 3, exp2 = trial % 5 ? 0 : test_below(400) * (test_below(2) ? 1 : -1);
    t_amplitudes_case c;
    long double (*exact)[2];
    double out[2 * 252], error2 = 0;
    perm_options options = {0};
    perm_result r;
    int state[8] = {0};
    size_t count = 0;
    t_amplitudes_random(&c, kind);
    exact = t_amplitudes_oracle(&c);
    for (k = 0; k < 2 * c.m * c.columns; k++)
      c.a[k] = ldexp(c.a[k], exp2);
    options.isa = permi_isa_here(isas[trial & 3]) ? isas[trial & 3] : PERM_ISA_AUTO;
    c.outputs.probabilities = trial % 7 == 0;
    CHECK_SHOW(perm_amplitudes_complex(c.m, c.columns, c.a, c.columns, c.counts, &c.outputs, &options, out, &r) ==
               PERM_OK, "%s", r.message);
    for (i = 0, state[0] = c.photons; i == 0 || t_amplitudes_next(c.m, state); i = 1) {
      const long double *x = exact[t_amplitudes_place(&c, state)];
      const long long unit = (long long)exp2 * c.photons - r.exp2;
      if (!t_amplitudes_fits(&c, state))
        continue;
      if (c.outputs.probabilities) { /* the sum of their errors is judged */
        error2 += fabs((double)(ldexpl(x[0] * x[0] + x[1] * x[1], (int)(2 * unit)) - out[count]));
      } else {
        const double re = (double)(ldexpl(x[0], (int)unit) - out[2 * count]);
        const double im = (double)(ldexpl(x[1], (int)unit) - out[2 * count + 1]);
        error2 += re * re + im * im;
      }
      count++;
    }
    if (c.outputs.probabilities) {
      CHECK_SHOW(error2 / 2 <= r.error_bound * (sqrt(r.value) + r.error_bound / 2), "%g", error2);
    } else {
      CHECK_SHOW(sqrt(error2) <= r.error_bound, "trial %d: off by %g, bound %g", trial, sqrt(error2), r.error_bound);
    }
    CHECK(r.error_bound < (double)INFINITY && r.method == PERM_METHOD_SUBSETS && r.is_complex);
    if (kind == 0 && !exp2)
      CHECK_SHOW(r.error_bound < 1e-13 && r.exp2 == 0, "%g", r.error_bound);
    ran += count > 1;
    scaled += r.exp2 != 0;
    tight += sqrt(error2) > r.error_bound / 1000;
  }
  CHECK_SHOW(ran > trial / 3 && scaled > trial / 40 && tight > trial / 10, "%d ran, %d scaled, %d tight", ran, scaled,
             tight);
}

/* Outputs of unitary:5, with photons together, against permanents one by one; limits and heralds against the whole. */
TEST(t_amplitudes_match_permanents)
{
  const int m = 6, columns = 4, counts[4] = {1, 2, 1, 3}, most[6] = {1, -1, 2, 1, 3, -1};
  int exactly[6] = {-1, 2, -1, -1, -1, -1};
  double a[2 * 6 * 4], *all = (double *)malloc(2 * 792 * sizeof *all), *some = (double *)malloc(2 * 792 * sizeof *some);
  int state[6], i, way;
  size_t k, count, index, seen;
  perm_result r;
  t_amplitudes_matrix(m, columns, 0, a);
  CHECK(perm_amplitudes_count(m, 7, NULL, &count) == PERM_OK && count == 792);
  CHECK(perm_amplitudes_complex(m, columns, a, columns, counts, NULL, NULL, all, &r) == PERM_OK);
  CHECK(fabs(r.value - 1) < 1e-14 && r.error_bound < 1e-12 && r.error_estimate == r.error_bound);
  for (k = 0; k < count; k++) {
    double size = 12; /* 2! 3! */
    CHECK(perm_amplitudes_state(m, 7, NULL, k, state) == PERM_OK);
    for (i = 0; i < m; i++)
      size *= tgamma(state[i] + 1);
    perm_compute_repeated_complex(m, columns, a, columns, state, counts, NULL, &r);
    CHECK_SHOW(hypot(r.value / sqrt(size) - all[2 * k], r.imaginary / sqrt(size) - all[2 * k + 1]) < 1e-14,
               "output %d: %g, not %g", (int)k, all[2 * k], r.value / sqrt(size));
  }
  for (way = 0; way < 4; way++) {
    perm_outputs outputs = {NULL, NULL, 0, 0, NULL, NULL};
    double norm = 0;
    outputs.most = way != 1 ? most : NULL;
    outputs.exactly = way ? exactly : NULL;
    outputs.probabilities = way == 2;
    exactly[5] = way == 3;
    CHECK(perm_amplitudes_complex(m, columns, a, columns, counts, &outputs, NULL, some, &r) == PERM_OK);
    for (k = 0, seen = 0; k < count; k++) {
      const double square = all[2 * k] * all[2 * k] + all[2 * k + 1] * all[2 * k + 1];
      CHECK(perm_amplitudes_state(m, 7, NULL, k, state) == PERM_OK);
      if (perm_amplitudes_index(m, state, &outputs, &index) != PERM_OK)
        continue;
      CHECK(index == seen);
      if (way == 2)
        CHECK_SHOW(fabs(some[index] - square) < 1e-15, "%g, not %g", some[index], square);
      else
        CHECK_SHOW(hypot(some[2 * index] - all[2 * k], some[2 * index + 1] - all[2 * k + 1]) < 1e-15, "way %d, %d", way,
                   (int)index);
      norm += square;
      seen++;
    }
    CHECK_SHOW(fabs(norm - r.value) < 1e-14, "%g, not %g", r.value, norm);
    CHECK_SHOW(perm_amplitudes_count(m, 7, &outputs, &index) == PERM_OK && index == seen && seen > 5, "%d", (int)seen);
  }
  free(all);
  free(some);
}

static double t_amplitudes_total(int m, int columns, const double *a, const int *counts, double *out, perm_result *r)
{
  CHECK_SHOW(perm_amplitudes_complex(m, columns, a, columns, counts, NULL, NULL, out, r) == PERM_OK, "%s", r->message);
  return r->value;
}

TEST(t_amplitudes_closed_forms)
{
  static const double mirror[8] = {0.70710678118654752, 0, 0.70710678118654752, 0,
                                   0.70710678118654752, 0, -0.70710678118654752, 0};
  static const int both[2] = {100, 100}, many[2] = {500, 500}, odd[3] = {150, 30, 20}, one[1] = {200};
  double a[2 * 6 * 6], *out = (double *)malloc(2 * 20301 * sizeof *out), expected;
  perm_result r;
  int i, j, state[6];
  size_t k, count;
  CHECK(fabs(t_amplitudes_total(2, 2, mirror, NULL, out, &r) - 1) < 1e-15); /* Hong, Ou, Mandel */
  CHECK(fabs(out[0] - sqrt(0.5)) < 1e-15 && fabs(out[2]) < 1e-15 && fabs(out[4] + sqrt(0.5)) < 1e-15);
  for (i = 0; i < 6; i++)
    for (j = 0; j < 6; j++) {
      a[2 * (6 * i + j)] = cos(i * j * 1.0471975511965976) / sqrt(6);
      a[2 * (6 * i + j) + 1] = sin(i * j * 1.0471975511965976) / sqrt(6);
    }
  CHECK(fabs(t_amplitudes_total(6, 6, a, NULL, out, &r) - 1) < 1e-14);
  CHECK(perm_amplitudes_count(6, 6, NULL, &count) == PERM_OK && count == 462);
  for (k = 0, j = 0; k < count; k++) { /* suppressed unless the sum of rows is a multiple of 6 */
    int sum = 0;
    perm_amplitudes_state(6, 6, NULL, k, state);
    for (i = 0; i < 6; i++)
      sum += i * state[i];
    CHECK(sum % 6 == 0 || hypot(out[2 * k], out[2 * k + 1]) < 1e-14);
    j += hypot(out[2 * k], out[2 * k + 1]) > 1e-3;
  }
  CHECK_SHOW(j == 68, "%d", j);
  t_amplitudes_matrix(3, 3, 0, a); /* orders of photons decide: column after column gives 1e23 */
  CHECK_SHOW(fabs(t_amplitudes_total(3, 3, a, odd, out, &r) - 1) < 1e-12 && r.error_bound < 1e-12, "%g", r.value - 1);
  t_amplitudes_matrix(3, 2, 0, a);
  CHECK_SHOW(fabs(t_amplitudes_total(3, 2, a, both, out, &r) - 1) < 1e-12 && r.error_bound < 1e-12, "%g", r.value - 1);
  t_amplitudes_matrix(2, 2, 0, a);
  CHECK_SHOW(fabs(t_amplitudes_total(2, 2, a, many, out, &r) - 1) < 1e-12 && r.error_bound < 1e-11, "%g", r.value - 1);
  CHECK(fabs(t_amplitudes_total(2, 1, mirror, one, out, &r) - 1) < 1e-12 && r.error_bound < 1e-12);
  for (i = 0, expected = ldexp(1, -100); i <= 200; i++) { /* the root of C(200, i) 2^-200 */
    CHECK_SHOW(fabs(out[2 * i] - expected) < 1e-14 && out[2 * i + 1] == 0, "%d: %g, not %g", i, out[2 * i], expected);
    expected *= sqrt((200.0 - i) / (i + 1));
  }
  t_amplitudes_matrix(6, 1, 2, a);
  i = 1; /* one photon: the column; one row: a power */
  t_amplitudes_total(6, 1, a, &i, out, &r);
  CHECK(!memcmp(out, a, 12 * sizeof *a));
  i = 4;
  t_amplitudes_total(1, 1, mirror, &i, out, &r);
  CHECK_SHOW(fabs(out[0] - 0.25) < 1e-15 && fabs(r.value - 0.0625) < 1e-15, "%g", out[0]);
  t_amplitudes_total(0, 0, NULL, NULL, out, &r); /* the vacuum */
  CHECK(out[0] == 1 && out[1] == 0 && r.value == 1 && r.error_bound == 0);
  free(out);
}

/* Photons beyond 170, whose factorials are no doubles: from one column (multinomial), twins on a beam splitter, as many
   in each input of a tritter (the corner, and outputs that are empty). */
TEST(t_amplitudes_many_photons)
{
  static const int photons[] = {171, 200, 300, 1000};
  const double half = 0.70710678118654752, mirror[8] = {half, 0, half, 0, half, 0, -half, 0};
  double *out = (double *)malloc(2 * 501501 * sizeof *out), u[6] = {0.6, 0, 0, 0.64, -0.48, 0}, fourier[18];
  perm_outputs chances = {NULL, NULL, 1, 0, NULL, NULL};
  perm_result r;
  for (int i = 0; i < 9; i++) {
    fourier[2 * i] = cos(2.0943951023931955 * (i / 3) * (i % 3)) / sqrt(3);
    fourier[2 * i + 1] = sin(2.0943951023931955 * (i / 3) * (i % 3)) / sqrt(3);
  }
  for (int i = 0; i < 4; i++) {
    const int n = photons[i], twin[2] = {n / 2, n / 2}, each[3] = {n / 3, n / 3, n / 3};
    double off = 0, empty = 0;
    size_t count, index;
    int s[3];
    CHECK(perm_amplitudes_count(3, n, NULL, &count) == PERM_OK);
    count = n > 300 ? 1000 : count; /* which are looked at */
    CHECK(fabs(t_amplitudes_total(3, 1, u, &n, out, &r) - 1) < 1e-12 && r.error_bound < 1e-11);
    for (size_t k = 0; k < count; k++) {
      CHECK(perm_amplitudes_state(3, n, NULL, k, s) == PERM_OK);
      const double size = exp((lgamma(n + 1.0) - lgamma(s[0] + 1.0) - lgamma(s[1] + 1.0) - lgamma(s[2] + 1.0)) / 2 +
                              s[0] * log(0.6) + s[1] * log(0.64) + s[2] * log(0.48));
      const double turn[4] = {1, 0, -1, 0}, sign = s[2] & 1 ? -1 : 1;
      off = fmax(off, hypot(out[2 * k] - sign * size * turn[s[1] & 3],
                            out[2 * k + 1] - sign * size * turn[(s[1] + 3) & 3]));
    }
    CHECK_SHOW(off < 1e-11, "%d photons of one column: off by %g", n, off);
    CHECK(perm_amplitudes_complex(2, 2, mirror, 2, twin, &chances, NULL, out, &r) == PERM_OK);
    CHECK(fabs(r.value - 1) < 1e-12);
    for (int k = 0; k <= twin[0]; k++) { /* C(2k, k) C(n - 2k, n/2 - k) / 2^n */
      const int rest = twin[0] - k;
      const double p = exp(lgamma(2 * k + 1.0) - 2 * lgamma(k + 1.0) + lgamma(2 * rest + 1.0) - 2 * lgamma(rest + 1.0) -
                           2 * twin[0] * log(2));
      CHECK_SHOW(fabs(out[2 * k] - p) < 1e-12 && (!rest || out[2 * k + 1] < 1e-20), "%d: %g, not %g", k, out[2 * k], p);
    }
    if (n > 300)
      continue;
    CHECK(perm_amplitudes_count(3, 3 * each[0], NULL, &count) == PERM_OK);
    CHECK(perm_amplitudes_complex(3, 3, fourier, 3, each, &chances, NULL, out, &r) == PERM_OK);
    CHECK(fabs(r.value - 1) < 1e-12);
    for (index = 0; index < count; index++) {
      CHECK(perm_amplitudes_state(3, 3 * each[0], NULL, index, s) == PERM_OK);
      empty += (s[1] + 2 * s[2]) % 3 ? out[index] : 0;
    }
    CHECK_SHOW(empty < 1e-24, "%g", empty);
    CHECK(fabs(out[0] / exp(lgamma(n / 3 * 3 + 1.0) - 3 * lgamma(n / 3 + 1.0) - n / 3 * 3 * log(3)) - 1) < 1e-11);
  }
  free(out);
}

/* Powers of two change no bit; matrices of any finite size give numbers. */
TEST(t_amplitudes_scales)
{
  static const int exp2[] = {-1000, -300, -40, 40, 300, 900};
  double a[2 * 4 * 4], b[2 * 4 * 4], one[2 * 70], other[2 * 70];
  const int counts[4] = {2, 1, 1, 0};
  perm_result r, s;
  int k, e, i;
  t_amplitudes_matrix(4, 4, 2, a);
  CHECK(perm_amplitudes_complex(4, 4, a, 4, counts, NULL, NULL, one, &r) == PERM_OK && r.exp2 == 0);
  for (e = 0; e < 6; e++) {
    for (k = 0; k < 32; k++)
      b[k] = ldexp(a[k], exp2[e]);
    CHECK(perm_amplitudes_complex(4, 4, b, 4, counts, NULL, NULL, other, &s) == PERM_OK);
    CHECK((s.exp2 != 0) == (abs(exp2[e]) > 100));
    for (k = 0; k < 70; k++)
      CHECK_SHOW(other[k] == ldexp(one[k], (int)(4 * exp2[e] - s.exp2)), "%g, %g", other[k], one[k]);
    CHECK(fabs(ldexp(s.error_bound, (int)(s.exp2 - 4 * exp2[e])) / r.error_bound - 1) < 1e-9);
  }
  for (e = 0; e < 40; e++) {
    for (k = 0; k < 32; k++)
      b[k] = ldexp(a[k] + (k % 3 - 1), test_below(2098) - 1074);
    b[e % 32] = e % 3 == 0 ? DBL_MAX : e % 3 == 1 ? -5e-324 : 0;
    for (i = 0; i < 32 && e == 39; i++)
      b[i] = i & 1 ? DBL_MAX : -DBL_MAX;
    CHECK(perm_amplitudes_complex(4, 4, b, 4, counts, NULL, NULL, other, &s) == PERM_OK);
    for (k = 0; k < 70; k++)
      CHECK(other[k] - other[k] == 0);
    CHECK(s.value >= 0 && s.value < 1e3 && s.error_bound < 1e-9 && s.error_bound > 0);
  }
  memset(b, 0, sizeof b);
  CHECK(perm_amplitudes_complex(4, 4, b, 4, counts, NULL, NULL, other, &s) == PERM_OK && s.value == 0);
  CHECK(s.error_bound == 0 && other[5] == 0);
}

typedef struct t_amplitudes_sink {
  size_t next, stop;
  double *values;
  int per, calls, gaps;
} t_amplitudes_sink;

static int t_amplitudes_take(void *user_data, size_t first, size_t count, const double *values)
{
  t_amplitudes_sink *sink = (t_amplitudes_sink *)user_data;
  sink->gaps += first != sink->next;
  sink->next = first + count;
  memcpy(sink->values + first * (size_t)sink->per, values, count * (size_t)sink->per * sizeof *values);
  return ++sink->calls == (int)sink->stop;
}

/* The same bits for any threads, in blocks, and as probabilities. */
TEST(t_amplitudes_threads_and_blocks)
{
  static const int threads[] = {1, 2, 5};
  const double share = test_share_seconds;
  double a[2 * 8 * 8], *all, *other;
  t_amplitudes_sink sink = {0, 0, NULL, 0, 0, 0};
  const int most[8] = {-1, 3, -1, -1, 2, -1, -1, -1}, counts[8] = {5, 3, 2, 1, 1, 1, 2, 1};
  int t, way;
  size_t count, k;
  perm_options options = {0};
  perm_result r, s;
  t_amplitudes_matrix(8, 8, 0, a);
  perm_amplitudes_count(8, 16, NULL, &count); /* and 170544 of one photon less: both are more than a block */
  CHECK(count == 245157);
  all = (double *)malloc(2 * count * sizeof *all);
  other = (double *)calloc(2 * count, sizeof *other);
  test_share_seconds = 0;
  for (way = 0; way < 4; way++) { /* 1: limits; 2: probabilities; 3: both */
    perm_outputs outputs = {NULL, NULL, 0, 0, NULL, NULL};
    const size_t doubles = way < 2 ? 2 : 1;
    outputs.most = way & 1 ? most : NULL;
    outputs.probabilities = way >= 2;
    perm_amplitudes_count(8, 16, &outputs, &count);
    for (t = 0; t < 3; t++) {
      options.threads = threads[t];
      outputs.block = NULL;
      CHECK(perm_amplitudes_complex(8, 8, a, 8, counts, &outputs, &options, t ? other : all, t ? &s : &r) == PERM_OK);
      CHECK(!t || (!memcmp(all, other, doubles * count * sizeof *all) && r.value == s.value));
      memset(other, 0, doubles * count * sizeof *other);
      outputs.block = t_amplitudes_take;
      outputs.user_data = &sink;
      memset(&sink, 0, sizeof sink);
      sink.values = other;
      sink.per = (int)doubles;
      CHECK(perm_amplitudes_complex(8, 8, a, 8, counts, &outputs, &options, NULL, &s) == PERM_OK);
      CHECK(sink.next == count && !sink.gaps && (sink.calls > 1) == (count > 131072));
      CHECK(!memcmp(all, other, doubles * count * sizeof *all) && fabs(r.value - s.value) < 1e-14);
    }
    if (way == 0)
      CHECK_SHOW(fabs(r.value - 1) < 1e-13, "%g", r.value - 1);
    if (way == 2) {
      sink.stop = 1;
      sink.calls = 0;
      CHECK(perm_amplitudes_complex(8, 8, a, 8, counts, &outputs, &options, NULL, &s) == PERM_STOPPED_CANCELLED);
      CHECK(isnan(s.value) && sink.calls == 1);
    }
  }
  CHECK(perm_amplitudes_complex(8, 8, a, 8, counts, NULL, &options, all, &r) == PERM_OK);
  for (k = 0; k < 245157; k += 1000)
    CHECK(all[2 * k] * all[2 * k] + all[2 * k + 1] * all[2 * k + 1] <= 1);
  test_share_seconds = share;
  free(all);
  free(other);
}

/* Heralds and limits in up to 12 rows, of up to 9 photons, against the same outputs among all. Where a herald takes
   photons, states of the other rows with more than are left must not be walked. */
TEST(t_amplitudes_heralds_of_many)
{
  enum { MOST = 100000 };
  double *all = (double *)calloc(2 * MOST, sizeof *all), *some = (double *)calloc(2 * MOST, sizeof *some);
  int *const state = (int *)calloc((size_t)MOST * 12, sizeof *state), heralded = 0;
  for (int trial = 0; trial < 1000; trial++) {
    int m, n, counts[2], exactly[12], most[12];
    double a[2 * 2 * 12];
    size_t count, k, at = 0, i;
    perm_outputs outputs = {NULL, NULL, 0, 0, NULL, NULL};
    perm_result r, whole;
    do {
      m = 6 + test_below(7);
      n = 3 + test_below(7);
    } while (perm_amplitudes_count(m, n, NULL, &count) != PERM_OK || count > MOST);
    counts[0] = test_below(n + 1);
    counts[1] = n - counts[0];
    for (i = 0; i < (size_t)(4 * m); i++)
      a[i] = test_uniform() - 0.5;
    memset(state, 0, 12 * sizeof *state);
    state[0] = n;
    for (k = 1; k < count; k++) {
      memcpy(state + k * 12, state + (k - 1) * 12, 12 * sizeof *state);
      t_amplitudes_next(m, state + k * 12);
    }
    k = (size_t)test_below((int)count); /* an output that is there */
    for (i = 0; i < (size_t)m; i++) {
      exactly[i] = test_below(3) ? -1 : state[k * 12 + i];
      most[i] = test_below(4) ? -1 : state[k * 12 + i] + test_below(2);
      heralded += exactly[i] > 0;
    }
    CHECK(perm_amplitudes_complex(m, 2, a, 2, counts, &outputs, NULL, all, &whole) == PERM_OK);
    outputs.exactly = exactly;
    outputs.most = test_below(2) ? most : NULL;
    CHECK(perm_amplitudes_complex(m, 2, a, 2, counts, &outputs, NULL, some, &r) == PERM_OK);
    for (k = 0; k < count; k++) {
      int there = 1;
      for (i = 0; i < (size_t)m; i++)
        there &= (exactly[i] < 0 || state[k * 12 + i] == exactly[i]) &&
                 (exactly[i] >= 0 || !outputs.most || most[i] < 0 || state[k * 12 + i] <= most[i]);
      if (!there)
        continue;
      const double *x = some + 2 * at++, *y = all + 2 * k;
      CHECK_SHOW(hypot(x[0] - y[0], x[1] - y[1]) <= r.error_bound + whole.error_bound,
                 "%d photons in %d rows, output %d: %g %g, not %g %g", n, m, (int)at - 1, x[0], x[1], y[0], y[1]);
    }
    CHECK(perm_amplitudes_count(m, n, &outputs, &count) == PERM_OK && count == at);
  }
  CHECK(heralded > 400);
  free(all);
  free(some);
  free(state);
}

/* Probabilities of rows that nobody looks at, with heralds and limits: against sums over all states, in order, the same
   bits in blocks and by any threads; their whole error is below the bound. */
TEST(t_amplitudes_unseen_rows_are_sums)
{
  const double share = test_share_seconds;
  int trial, i, k, sums = 0, limited = 0, heralded = 0;
  test_share_seconds = 0;
  for (trial = 0; trial < test_some(3000); trial++) {
    t_amplitudes_case c;
    long double (*exact)[2];
    double out[84], blocks[84], off = 0;
    t_amplitudes_sink sink = {0, 0, NULL, 1, 0, 0};
    perm_options options = {0};
    perm_result r, s;
    int row[5], rows = 0, first = -1, hidden = 0, part[5] = {0}, state[8], other[8];
    size_t count = 0, index, all;
    t_amplitudes_random(&c, trial % 3);
    c.outputs.exactly = c.exactly;
    for (i = 0; i < c.m; i++)
      c.exactly[i] = test_below(2) ? PERM_MODE_UNSEEN : c.exactly[i];
    for (i = 0; i < c.m; i++) /* the order: rows that are seen, then all others as one */
      if (c.exactly[i] != PERM_MODE_UNSEEN)
        row[rows++] = i;
    for (i = c.m - 1; i >= 0; i--)
      if (c.exactly[i] == PERM_MODE_UNSEEN) {
        hidden++;
        first = c.most[i] || first < 0 ? i : first;
      }
    row[rows] = first;
    rows += hidden > 0;
    c.outputs.probabilities = 1;
    exact = t_amplitudes_oracle(&c);
    CHECK_SHOW(perm_amplitudes_complex(c.m, c.columns, c.a, c.columns, c.counts, &c.outputs, &options, out, &r) ==
               PERM_OK, "%s", r.message);
    CHECK(perm_amplitudes_count(c.m, c.photons, &c.outputs, &all) == PERM_OK);
    part[0] = c.photons;
    do {
      long double sum = 0;
      int ways = 0, whole[8] = {0}, same;
      memset(state, 0, sizeof state);
      for (i = 0; i < rows; i++)
        state[row[i]] = part[i];
      index = 99;
      whole[0] = c.photons;
      do {
        for (i = 0, same = t_amplitudes_fits(&c, whole); i < c.m; i++)
          same &= c.exactly[i] == PERM_MODE_UNSEEN || whole[i] == state[i];
        if (same) {
          const long double *x = exact[t_amplitudes_place(&c, whole)];
          sum += x[0] * x[0] + x[1] * x[1];
          ways++;
          CHECK(perm_amplitudes_index(c.m, whole, &c.outputs, &index) == PERM_OK && index == count);
        }
      } while (t_amplitudes_next(c.m, whole));
      if (ways) {
        CHECK(perm_amplitudes_index(c.m, state, &c.outputs, &index) == PERM_OK);
        CHECK_SHOW(index == count, "trial %d: %d, not %d", trial, (int)index, (int)count);
        CHECK(perm_amplitudes_state(c.m, c.photons, &c.outputs, count, other) == PERM_OK);
        CHECK(!memcmp(other, state, (size_t)c.m * sizeof *state));
        if (count < all)
          off += fabs((double)(ldexpl(sum, (int)(-2 * r.exp2)) - out[count]));
        count++;
        sums += ways > 1;
        limited += hidden > 1 && c.most[first] > 0 && c.most[first] < c.photons;
        heralded += hidden && rows > 1 && c.exactly[row[0]] >= 0;
      } else {
        CHECK(perm_amplitudes_index(c.m, state, &c.outputs, &index) == PERM_ERROR_RANGE && index == 0);
      }
    } while (rows && t_amplitudes_next(rows, part));
    CHECK_SHOW(count == all, "trial %d: %d of %d", trial, (int)all, (int)count);
    CHECK_SHOW(off / 2 <= r.error_bound * (sqrt(r.value) + r.error_bound / 2), "trial %d: %g", trial, off);
    for (k = 1; k <= 3; k++) {
      options.threads = k;
      sink.values = blocks;
      sink.next = 0;
      c.outputs.user_data = &sink;
      c.outputs.block = t_amplitudes_take;
      CHECK(perm_amplitudes_complex(c.m, c.columns, c.a, c.columns, c.counts, &c.outputs, &options, NULL, &s) ==
            PERM_OK && s.error_bound == r.error_bound);
      CHECK(sink.next == count && !sink.gaps && !memcmp(blocks, out, count * sizeof *out));
    }
  }
  CHECK_SHOW(sums > trial / 4 && limited > trial / 60 && heralded > trial / 30, "%d sums, %d limited, %d heralded",
             sums, limited, heralded);
  test_share_seconds = share;
}

/* Many states: sums that begin and end in other blocks, the total of everything to the last digit, in the memory of
   blocks. */
TEST(t_amplitudes_unseen_of_many)
{
  const double share = test_share_seconds;
  const int counts[8] = {5, 3, 2, 1, 1, 1, 2, 1};
  static const int hidden[5][8] = {{-1, -2, -1, -1, -2, -2, -1, -1}, {-1, -1, -1, -1, -1, -1, -1, -2},
                                   {-2, -2, -2, -2, -2, -2, -1, -2}, {-2, -2, -2, -2, -2, -2, -2, -2},
                                   {-2, -1, -2, 3, -2, -1, 1, -2}};
  double a[2 * 8 * 8], *all, *sum, *out, *other, off;
  long double total = 0;
  perm_outputs outputs = {NULL, NULL, 1, 0, NULL, NULL};
  perm_options options = {0};
  perm_result r;
  size_t count, k, index;
  int way, t, state[8];
  t_amplitudes_matrix(8, 8, 0, a);
  all = (double *)malloc(245157 * sizeof *all);
  sum = (double *)malloc(245157 * sizeof *sum);
  out = (double *)malloc(245157 * sizeof *out);
  other = (double *)malloc(245157 * sizeof *other);
  CHECK(perm_amplitudes_complex(8, 8, a, 8, counts, &outputs, NULL, all, &r) == PERM_OK);
  for (k = 0; k < 245157; k++)
    total += all[k];
  test_share_seconds = 0;
  for (way = 0; way < 5; way++) {
    t_amplitudes_sink sink = {0, 0, NULL, 1, 0, 0};
    outputs.exactly = hidden[way];
    outputs.block = NULL;
    CHECK(perm_amplitudes_count(8, 16, &outputs, &count) == PERM_OK && count <= 245157);
    memset(sum, 0, count * sizeof *sum);
    for (k = 0; k < 245157; k++) {
      CHECK(perm_amplitudes_state(8, 16, NULL, k, state) == PERM_OK);
      if (perm_amplitudes_index(8, state, &outputs, &index) == PERM_OK)
        sum[index] += all[k];
    }
    options.max_bytes = 170544 * 16.0 + 2e6;
    for (t = 1; t <= 3; t++) {
      options.threads = t;
      CHECK_SHOW(perm_amplitudes_complex(8, 8, a, 8, counts, &outputs, &options, t == 1 ? out : other, &r) == PERM_OK,
                 "%s", r.message);
      CHECK(t == 1 || !memcmp(out, other, count * sizeof *out));
    }
    for (k = 0, off = 0; k < count; k++)
      off += fabs(out[k] - sum[k]);
    CHECK_SHOW(off < 1e-13 && (way > 3 || fabs(r.value - 1) < 1e-13), "way %d: %g", way, off);
    if (way == 3)
      CHECK_SHOW(count == 1 && fabsl(out[0] - total) < 1.2e-16L, "%Lg", out[0] - total);
    sink.values = other;
    outputs.block = t_amplitudes_take;
    outputs.user_data = &sink;
    CHECK(perm_amplitudes_complex(8, 8, a, 8, counts, &outputs, &options, NULL, &r) == PERM_OK);
    CHECK(sink.next == count && !sink.gaps && !memcmp(out, other, count * sizeof *out));
    outputs.exactly = way ? hidden[way] : NULL; /* blocks of all, in the same memory */
    sink.stop = 1;
    sink.next = 0;
    sink.calls = 0;
    CHECK(perm_amplitudes_complex(8, 8, a, 8, counts, &outputs, &options, NULL, &r) == PERM_STOPPED_CANCELLED);
  }
  test_share_seconds = share;
  free(all);
  free(sum);
  free(out);
  free(other);
}

/* Each of n photons is lost with one chance, by a row more for each column: seen are k with the chance of a coin. */
TEST(t_amplitudes_lost_photons)
{
  const double kept = 0.7;
  double u[2 * 4 * 4], a[2 * 8 * 4], out[500], seen[8] = {0}, chance = pow(1 - kept, 7);
  const int counts[4] = {2, 3, 0, 2};
  const int exactly[8] = {-1, -1, -1, -1, PERM_MODE_UNSEEN, PERM_MODE_UNSEEN, PERM_MODE_UNSEEN, PERM_MODE_UNSEEN};
  perm_outputs outputs = {NULL, NULL, 1, 0, NULL, NULL};
  size_t count, k;
  perm_result r;
  int i, state[8];
  outputs.exactly = exactly;
  t_amplitudes_matrix(4, 4, 0, u);
  for (i = 0; i < 64; i++)
    a[i] = i < 32 ? sqrt(kept) * u[i] : i % 10 == 2 ? sqrt(1 - kept) : 0;
  CHECK(perm_amplitudes_count(8, 7, &outputs, &count) == PERM_OK && count == 330);
  CHECK(perm_amplitudes_complex(8, 4, a, 4, counts, &outputs, NULL, out, &r) == PERM_OK && fabs(r.value - 1) < 1e-14);
  for (k = 0; k < count; k++) {
    CHECK(perm_amplitudes_state(8, 7, &outputs, k, state) == PERM_OK && !state[5] && !state[6] && !state[7]);
    seen[7 - state[4]] += out[k];
  }
  for (i = 0; i < 8; chance *= kept / (1 - kept) * (7 - i) / (i + 1), i++)
    CHECK_SHOW(fabs(seen[i] - chance) < 1e-14, "%d: %g, not %g", i, seen[i], chance);
  outputs.probabilities = 0;
  ARGUMENTS_BAD(perm_amplitudes_complex(8, 4, a, 4, counts, &outputs, NULL, out, &r), PERM_ERROR_UNSUPPORTED, 6,
                "an unseen row has probabilities")
  outputs.on_gpu = 1;
  ARGUMENTS_BAD(perm_amplitudes_complex(8, 4, a, 4, counts, &outputs, NULL, out, &r), PERM_ERROR_UNSUPPORTED, 6,
                "no row that is unseen")
}

TEST(t_amplitudes_refuses)
{
  static double a[2 * 64 * 64], out[2 * 1001];
  const double units = test_watch_units;
  const int counts[2] = {2, 3}, negative[2] = {1, -1}, many[2] = {4000, 100}, two[2] = {2, 2}, none[3] = {1, -1, 0};
  int most[64], state[2] = {1, -1}, k;
  volatile int cancel = 1;
  perm_outputs outputs = {NULL, NULL, 0, 0, NULL, NULL};
  perm_options options = {0};
  size_t count;
  perm_result r;
  for (k = 0; k < 64; k++)
    a[130 * k] = most[k] = 1;
#define AMPLITUDES(m, n, counts) perm_amplitudes_complex(m, n, a, 64, counts, &outputs, &options, out, &r)
  ARGUMENTS_BAD(AMPLITUDES(-1, 2, counts), PERM_ERROR_SIZE, 1, "m is negative")
  ARGUMENTS_BAD(AMPLITUDES(2, -1, counts), PERM_ERROR_SIZE, 2, "n is negative")
  ARGUMENTS_BAD(AMPLITUDES(4097, 2, counts), PERM_ERROR_SIZE, 1, "up to 4096")
  ARGUMENTS_BAD(perm_amplitudes_complex(2, 2, NULL, 2, NULL, NULL, NULL, out, &r), PERM_ERROR_NULL, 3, "a is NULL")
  ARGUMENTS_BAD(perm_amplitudes_complex(2, 2, a, 1, NULL, NULL, NULL, out, &r), PERM_ERROR_STRIDE, 4, "ld is 1")
  ARGUMENTS_BAD(perm_amplitudes_complex(2, 2, a, 2, NULL, NULL, NULL, NULL, &r), PERM_ERROR_NULL, 8, "out is NULL")
  ARGUMENTS_BAD(AMPLITUDES(2, 2, negative), PERM_ERROR_COUNTS, 5, "number 2 (counted from 1) is negative (-1)")
  ARGUMENTS_BAD(AMPLITUDES(2, 2, many), PERM_ERROR_SIZE, 5, "more than 4096 columns")
  ARGUMENTS_BAD(AMPLITUDES(64, 64, NULL), PERM_ERROR_LIMIT, 6, "there are too many")
  a[129] = (double)NAN;
  ARGUMENTS_BAD(AMPLITUDES(2, 2, counts), PERM_ERROR_NOT_FINITE, 3, "a has NaN in row 2, column 1")
  a[129] = (double)INFINITY;
  ARGUMENTS_BAD(AMPLITUDES(2, 2, counts), PERM_ERROR_NOT_FINITE, 3, "an infinity in row 2, column 1")
  a[129] = 0;
#define OPTION(field, value_, status, argument, text)                                                                  \
  memset(&options, 0, sizeof options);                                                                                 \
  options.field = value_;                                                                                              \
  ARGUMENTS_BAD(AMPLITUDES(6, 5, NULL), status, argument, text)
  OPTION(threads, -1, PERM_ERROR_OPTION, 7, "threads is negative")
  OPTION(method, PERM_METHOD_GLYNN, PERM_ERROR_OPTION, 7, "amplitudes have methods auto and subsets")
  OPTION(precision, PERM_PRECISION_DD, PERM_ERROR_OPTION, 7, "and precision default")
  OPTION(checkpoint.file, "build/none", PERM_ERROR_OPTION, 7, "for single permanents")
  OPTION(max_bytes, 7000, PERM_ERROR_LIMIT, 0, "max_bytes = 7 kB is too little: 480 bytes of input and at least")
#undef OPTION
  test_watch_units = 0;
  memset(&options, 0, sizeof options);
  options.cancel = &cancel;
  CHECK(AMPLITUDES(6, 5, NULL) == PERM_STOPPED_CANCELLED && isnan(r.value));
  CHECK_TEXT(r.message, "while adding photons");
  options.cancel = NULL;
  options.max_seconds = 1e-9;
  CHECK(AMPLITUDES(6, 5, NULL) == PERM_STOPPED_TIME && r.error_bound == (double)INFINITY);
  test_watch_units = units;
  options.max_seconds = 0;
  options.max_bytes = 1e6;
  CHECK(AMPLITUDES(6, 5, NULL) == PERM_OK);
  memset(&options, 0, sizeof options);
  options.tolerance = 1e-15;
  CHECK(AMPLITUDES(2, 2, counts) == PERM_TOLERANCE_NOT_MET && r.value > 0 && r.error_bound < 1e-13);
  options.tolerance = 1e-12;
  options.certify = 1;
  CHECK(AMPLITUDES(2, 2, counts) == PERM_OK);
  CHECK(perm_amplitudes_complex(2, 2, a, 64, counts, NULL, NULL, out, NULL) == PERM_OK);
  outputs.most = two; /* no output has 5 photons */
  CHECK(AMPLITUDES(2, 2, counts) == PERM_OK && r.value == 0 && r.error_bound == 0);
  CHECK(perm_amplitudes_count(2, 5, &outputs, &count) == PERM_OK && count == 0);
  CHECK(perm_amplitudes_count(2, 5, NULL, NULL) == PERM_ERROR_NULL);
  CHECK(perm_amplitudes_count(-1, 5, NULL, &count) == PERM_ERROR_SIZE && count == 0);
  CHECK(perm_amplitudes_count(2, 4097, NULL, &count) == PERM_ERROR_SIZE);
  CHECK(perm_amplitudes_count(64, 64, NULL, &count) == PERM_ERROR_OVERFLOW && count == 0);
  CHECK(perm_amplitudes_count(0, 0, NULL, &count) == PERM_OK && count == 1);
  CHECK(perm_amplitudes_count(0, 1, NULL, &count) == PERM_OK && count == 0);
  outputs.most = most; /* one output of 64, with more states than can be counted on the way */
  CHECK(perm_amplitudes_count(64, 64, &outputs, &count) == PERM_OK && count == 1);
  ARGUMENTS_BAD(AMPLITUDES(64, 64, NULL), PERM_ERROR_LIMIT, 6, "there are too many")
  CHECK(perm_amplitudes_index(2, NULL, NULL, &count) == PERM_ERROR_NULL);
  CHECK(perm_amplitudes_index(2, two, NULL, NULL) == PERM_ERROR_NULL);
  CHECK(perm_amplitudes_index(2, state, NULL, &count) == PERM_ERROR_COUNTS);
  CHECK(perm_amplitudes_index(2, many, NULL, &count) == PERM_ERROR_SIZE);
  CHECK(perm_amplitudes_index(3, none, NULL, &count) == PERM_ERROR_COUNTS);
  CHECK(perm_amplitudes_state(2, 1, NULL, 0, NULL) == PERM_ERROR_NULL);
  CHECK(perm_amplitudes_state(2, 1, NULL, 2, state) == PERM_ERROR_RANGE);
#undef AMPLITUDES
}
/* SPDX-License-Identifier: MIT */
