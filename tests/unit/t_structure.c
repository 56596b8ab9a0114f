/* >>low_rank, >>cauchy */
/* Declared low rank, Cauchy matrices by Borchardt's identity. */

/* The product u v as oracle_exact takes it; small integers, so that it is exact. */
static void structure_product(int n, int r, const double *u, const double *v, int parts, double *a)
{
  int i, j, t;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double *at = a + (i * n + j) * parts;
      at[0] = 0;
      if (parts == 2) at[1] = 0;
      for (t = 0; t < r; t++) {
        const double *p = u + (i * r + t) * parts, *q = v + (t * n + j) * parts;
        if (parts == 1) {
          at[0] += p[0] * q[0];
        } else {
          at[0] += p[0] * q[0] - p[1] * q[1];
          at[1] += p[0] * q[1] + p[1] * q[0];
        }
      }
    }
}

/* Against exact arithmetic on the product matrix, every rank up to the order, both signs, real and complex. */
TEST(t_low_rank_matches_the_product)
{
  double u[128], v[128], a[128];
  int n, r, parts, trial, i;
  for (n = 1; n <= 8; n++)
    for (r = 1; r <= n; r++)
      for (parts = 1; parts <= 2; parts++)
        for (trial = 0; trial < 3; trial++) {
          oracle_exact exact;
          perm_result result;
          for (i = 0; i < n * r * parts; i++) {
            u[i] = test_below(41) - 20;
            v[i] = test_below(41) - (trial ? 20 : 0);
          }
          structure_product(n, r, u, v, parts, a);
          perm_status status = parts == 1 ? perm_compute_low_rank_real(n, r, u, r, v, n, NULL, &result)
                                          : perm_compute_low_rank_complex(n, r, u, r, v, n, NULL, &result);
          double off, modulus = hypot(result.value, result.imaginary);
          exact = oracle_exact_make(parts, n, a);
          CHECK_SHOW(status == PERM_OK, "%s", result.message);
          off = oracle_exact_distance(&exact, result.value, result.imaginary, result.exp2);
          CHECK_SHOW(off <= result.error_bound, "n %d r %d: off by %g, bound %g", n, r, off, result.error_bound);
          CHECK(result.error_bound <= 1e-25 * pow(800 * r, n) * tgamma(n + 1.0) + 4e-16 * modulus); /* not vacuous */
          CHECK(result.error_estimate <= result.error_bound && (result.is_complex == (parts == 2)));
          oracle_exact_free(&exact);
        }
}

/* Factors that cancel to a 2^-b-th part of each entry: the bound has to pay for double-double's own roundings. */
TEST(t_low_rank_bound_under_cancellation)
{
  double u[20], v[20], a[100];
  int n = 8, bits, i, lost = 0;
  for (bits = 2; bits <= 20; bits++) {
    perm_result r;
    oracle_exact exact;
    double off, sum = tgamma(n + 1.0);
    for (i = 0; i < n; i++) { /* entries c (c + t) - (c + 1) (c + t - 1) = 1 - t, t about 2^bits or less */
      double c = ldexp(1, 2 * bits) + test_below(1 << bits), t = 3 + test_below(4);
      u[2 * i] = c;
      u[2 * i + 1] = -c - test_below(2);
      v[i] = ldexp(1, 2 * bits);
      v[n + i] = ldexp(1, 2 * bits) - t;
    }
    for (i = 0; i < n; i++)
      sum *= fabs(u[2 * i]) * v[i] + fabs(u[2 * i + 1]) * v[n + i];
    structure_product(n, 2, u, v, 1, a);
    exact = oracle_exact_make(1, n, a);
    CHECK(perm_compute_low_rank_real(n, 2, u, 2, v, n, NULL, &r) == PERM_OK);
    off = oracle_exact_distance(&exact, r.value, 0, r.exp2);
    CHECK_SHOW(off <= r.error_bound, "%d bits: off by %g, bound %g", bits, off, r.error_bound);
    CHECK(ldexp(r.error_bound, (int)r.exp2) <= 1e-27 * sum + 2e-16 * fabs(ldexp(r.value, (int)r.exp2)));
    lost += off > 1e-14 * fabs(r.value);
    oracle_exact_free(&exact);
  }
  CHECK(lost >= 3); /* the bound was put to the test */
}

/* Rows, columns and padding by strides; a power of two in a line is one in the result; orders beyond the dense
   engines; 200! overflows double. */
TEST(t_low_rank_strides_and_range)
{
  double u[3 * 5], v[2 * 4], w[400], a[9];
  perm_result r, scaled;
  int i;
  for (i = 0; i < 15; i++)
    u[i] = (double)NAN;
  for (i = 0; i < 8; i++)
    v[i] = (double)NAN;
  for (i = 0; i < 3; i++) {
    u[5 * i] = i + 1;
    u[5 * i + 1] = 2 - i;
    v[i] = 1 + i * i;
    v[4 + i] = 3 - 2 * i;
  }
  for (i = 0; i < 9; i++)
    a[i] = u[5 * (i / 3)] * v[i % 3] + u[5 * (i / 3) + 1] * v[4 + i % 3];
  CHECK(perm_compute_low_rank_real(3, 2, u, 5, v, 4, NULL, &r) == PERM_OK && r.value == perm_real(3, a));
  for (i = 0; i < 2; i++)
    u[5 + i] = ldexp(u[5 + i], 900);
  for (i = 0; i < 2; i++)
    v[4 * i] = ldexp(v[4 * i], 900);
  CHECK(perm_compute_low_rank_real(3, 2, u, 5, v, 4, NULL, &scaled) == PERM_OK);
  CHECK(ldexp(scaled.value, (int)scaled.exp2 - 1800) == r.value);
  for (i = 0; i < 400; i++)
    w[i] = 1;
  CHECK(perm_compute_low_rank_real(200, 1, w, 1, w, 200, NULL, &r) == PERM_OK);
  CHECK(r.exp2 != 0 && fabs(log2(r.value) + (double)r.exp2 - lgamma(201) / log(2)) < 1e-9);
  CHECK(r.error_bound < 1e-14 * r.value);
  for (i = 0; i < 400; i++) /* (1 + 1) times (1/2 + 1/2): all ones again */
    w[i] = i < 200 ? 1 : 0.5;
  {
    double half[400];
    perm_result two;
    for (i = 0; i < 400; i++)
      half[i] = 0.5;
    for (i = 0; i < 400; i++)
      w[i] = 1;
    CHECK(perm_compute_low_rank_real(200, 2, w, 2, half, 200, NULL, &two) == PERM_OK);
    CHECK(two.exp2 == r.exp2 && fabs(two.value - r.value) <= two.error_bound + r.error_bound &&
          two.error_bound < 1e-12 * two.value);
  }
}

TEST(t_low_rank_declines_by_name)
{
  double u[4] = {1, 2, 3, 4};
  perm_options options = {0};
  perm_result r;
  CHECK(perm_compute_low_rank_real(2, 3, u, 3, u, 2, NULL, &r) == PERM_ERROR_RANK && r.argument == 2);
  CHECK_TEXT(r.message, "not between 0 and the order 2");
  CHECK(perm_compute_low_rank_real(2, -1, u, 3, u, 2, NULL, &r) == PERM_ERROR_RANK && r.value != r.value);
  CHECK(perm_compute_low_rank_real(-2, 0, u, 3, u, 2, NULL, &r) == PERM_ERROR_SIZE);
  CHECK(perm_compute_low_rank_real(2, 2, u, 1, u, 2, NULL, &r) == PERM_ERROR_STRIDE && r.argument == 4);
  CHECK(perm_compute_low_rank_real(2, 2, u, 2, u, 1, NULL, &r) == PERM_ERROR_STRIDE && r.argument == 6);
  CHECK(perm_compute_low_rank_real(2, 2, NULL, 2, u, 2, NULL, &r) == PERM_ERROR_NULL && r.argument == 3);
  CHECK(perm_compute_low_rank_real(2, 2, u, 2, u, 2, NULL, NULL) == PERM_ERROR_NULL);
  options.max_bytes = 100;
  CHECK(perm_compute_low_rank_real(2, 2, u, 2, u, 2, &options, &r) == PERM_ERROR_LIMIT);
  options.max_bytes = 0;
  options.method = PERM_METHOD_DENSE;
  CHECK(perm_compute_low_rank_real(2, 2, u, 2, u, 2, &options, &r) == PERM_ERROR_OPTION);
  u[3] = (double)NAN;
  CHECK(perm_compute_low_rank_real(2, 2, u, 2, u, 2, NULL, &r) == PERM_ERROR_NOT_FINITE);
  CHECK(perm_compute_low_rank_real(2, 0, NULL, 0, NULL, 2, NULL, &r) == PERM_OK && r.exact && r.value == 0);
  CHECK(perm_compute_low_rank_real(0, 0, NULL, 0, NULL, 0, NULL, &r) == PERM_OK && r.exact && r.value == 1);
}

/* Integer nodes: rows times their denominators are integers for the exact oracle. */
TEST(t_cauchy_matches_exact_arithmetic)
{
  int n, trial, i, j, k, parts, lost = 0;
  for (n = 1; n <= 8; n++)
    for (trial = 0; trial < 10; trial++)
      for (parts = 1; parts <= 2; parts++) {
        double x[16], y[16], a[128], condition, expected, modulus, denominator[2] = {1, 0};
        perm_options options = {0};
        perm_result r;
        oracle_exact exact;
        int step = 1 + test_below(3);
        for (i = 0; i < n; i++) {
          x[i * parts] = 2 * step * i + 2 * trial; /* even and odd */
          y[i * parts] = 2 * step * i + 1 - 2 * trial;
          if (parts == 2) {
            x[2 * i + 1] = test_below(7);
            y[2 * i + 1] = -1 - test_below(7);
          }
        }
        for (i = 0; i < n; i++)
          for (j = 0; j < n; j++) {
            double re = 1, im = 0, t, d[2];
            for (k = 0; k < n; k++) {
              d[0] = x[i * parts] - y[k * parts];
              d[1] = parts == 2 ? x[2 * i + 1] - y[2 * k + 1] : 0;
              if (k == j) {
                t = denominator[0] * d[0] - denominator[1] * d[1];
                denominator[1] = denominator[0] * d[1] + denominator[1] * d[0];
                denominator[0] = t;
                if (j)
                  continue;
              }
              if (k == j)
                continue;
              t = re * d[0] - im * d[1];
              im = re * d[1] + im * d[0];
              re = t;
            }
            a[(i * n + j) * parts] = re;
            if (parts == 2)
              a[(i * n + j) * 2 + 1] = im;
          }
        exact = oracle_exact_make(parts, n, a);
        options.method = PERM_METHOD_BORCHARDT;
        CHECK_SHOW((parts == 1 ? perm_compute_cauchy_real(n, x, y, &options, &condition, &r)
                               : perm_compute_cauchy_complex(n, x, y, &options, &condition, &r)) == PERM_OK,
                   "%s", r.message);
        CHECK(r.method == PERM_METHOD_BORCHARDT && condition >= n * (1 - 1e-9) && r.exp2 == 0);
        modulus = hypot(denominator[0], denominator[1]);
        expected = oracle_exact_distance(&exact, 0, 0, 0) / modulus;
        lost += r.error_estimate > 1e-15 * expected;
        /* value times the denominators against the exact integer */
        CHECK_SHOW(oracle_exact_distance(&exact, r.value * denominator[0] - r.imaginary * denominator[1],
                                         r.value * denominator[1] + r.imaginary * denominator[0],
                                         0) <= (r.error_estimate + 1e-13 * expected) * modulus,
                   "n %d, trial %d, parts %d: condition %g", n, trial, parts, condition);
        oracle_exact_free(&exact);
      }
  CHECK(lost < 40); /* mostly all digits */
}

/* Where elimination loses too much the general engine takes over; what is reported is honest. */
TEST(t_cauchy_ill_conditioned)
{
  double x[24], y[24], condition;
  perm_options options = {0};
  perm_result r, borchardt;
  int i, n = 20;
  for (i = 0; i < n; i++) {
    x[i] = 1 + i;
    y[i] = -i - 0.5;
  }
  CHECK(perm_compute_cauchy_real(n, x, y, NULL, &condition, &r) == PERM_OK);
  CHECK(condition > 1e15 && r.method == PERM_METHOD_DENSE && r.error_estimate < 1e-10 * r.value &&
        r.error_bound == (double)INFINITY);
  options.method = PERM_METHOD_BORCHARDT;
  CHECK(perm_compute_cauchy_real(n, x, y, &options, &condition, &borchardt) == PERM_OK);
  CHECK(borchardt.error_estimate > 1e-10 * r.value &&
        fabs(borchardt.value - r.value) <= borchardt.error_estimate + r.error_estimate);
  for (i = 0; i < n; i++) { /* three clusters, entries of both signs: a tolerance that rounded entries cannot meet */
    x[i] = i % 3 + 1e-13 * i;
    y[i] = i % 3 + 0.4 - 1e-13 * i;
  }
  memset(&options, 0, sizeof options);
  for (i = 0; i < 3; i++) {
    options.tolerance = i == 1 ? 1e-15 : 0;
    options.max_seconds = i == 2 ? 1e-3 : 0; /* hardly for the permanent of the moduli as well */
    CHECK(perm_compute_cauchy_real(n, x, y, &options, &condition, &r) == (i == 1 ? PERM_TOLERANCE_NOT_MET : PERM_OK));
    CHECK_SHOW(i == 2 || (r.method == PERM_METHOD_DENSE && r.error_estimate < 1e-7 * fabs(r.value)), "%d: %s, %g of %g",
               i, perm_name("method", r.method), r.error_estimate, r.value);
    if (i == 0)
      borchardt = r;
    else if (r.exp2 == 0)
      CHECK(fabs(r.value - borchardt.value) <= r.error_estimate + borchardt.error_estimate);
  }
  x[0] = 1e-300; /* far from anything, near y[0] */
  y[0] = 0;
  CHECK(perm_compute_cauchy_real(2, x, y, NULL, NULL, &r) == PERM_OK && r.value == r.value);
}

/* Permanents near 0, and 0: nodes are quarters, y[1] the multiple of 1/4 or 1/1024 next to where the terms of order 2
   cancel. Numerator and denominator are whole numbers there. */
TEST(t_cauchy_near_zero)
{
  int trial, zeros = 0, general = 0;
  for (trial = 0; trial < 4000; trial++) {
    const double x[2] = {(test_below(400) - 200) / 4.0, (test_below(400) - 200) / 4.0}, grain = trial % 2 ? 4 : 1024;
    double y[2] = {(test_below(400) - 200) / 4.0, 0}, d[2][2], expected, error;
    const perm_options options = {.tolerance = 1e-10};
    perm_status status;
    perm_result r;
    int i, j;
    y[1] = (2 * x[0] * x[1] - y[0] * (x[0] + x[1])) / (x[0] + x[1] - 2 * y[0]);
    if (!(fabs(y[1]) < 1e4))
      continue;
    y[1] = floor(grain * y[1]) / grain;
    for (i = 0; i < 2; i++)
      for (j = 0; j < 2; j++)
        d[i][j] = x[i] - y[j];
    if (x[0] == x[1] || y[0] == y[1] || d[0][0] * d[1][1] * d[0][1] * d[1][0] == 0)
      continue;
    expected = (d[0][1] * d[1][0] + d[0][0] * d[1][1]) / (d[0][0] * d[1][1]) / (d[0][1] * d[1][0]);
    status = perm_compute_cauchy_real(2, x, y, &options, NULL, &r);
    error = fabs(ldexp(r.value, (int)r.exp2) - expected) - 4 * DBL_EPSILON * fabs(expected);
    CHECK_SHOW(error <= ldexp(r.error_estimate, (int)r.exp2), "x %g, %g; y %g, %g: %g for %g, estimate %g", x[0], x[1],
               y[0], y[1], r.value, expected, r.error_estimate);
    CHECK(status == PERM_TOLERANCE_NOT_MET || (status == PERM_OK && error <= 1e-10 * fabs(expected)));
    zeros += expected == 0;
    general += r.method != PERM_METHOD_BORCHARDT;
  }
  CHECK_SHOW(zeros > 20 && general > 20, "%d zeros, %d by the general engine", zeros, general);
}

TEST(t_cauchy_declines_by_name)
{
  double x[2] = {1, 2}, y[2] = {3, 4}, z[2] = {3, 3};
  perm_result r;
  CHECK(perm_compute_cauchy_real(2, x, x, NULL, NULL, &r) == PERM_ERROR_NODES && r.value != r.value);
  CHECK_TEXT(r.message, "x[0] and y[0] coincide");
  CHECK(perm_compute_cauchy_real(2, x, z, NULL, NULL, &r) == PERM_ERROR_NODES && r.argument == 3);
  CHECK_TEXT(r.message, "use perm_compute_real");
  CHECK(perm_compute_cauchy_real(2, z, x, NULL, NULL, &r) == PERM_ERROR_NODES && r.argument == 2);
  CHECK(perm_compute_cauchy_real(-1, x, y, NULL, NULL, &r) == PERM_ERROR_SIZE);
  CHECK(perm_compute_cauchy_real(PERM_CAUCHY_MAX_N + 1, x, y, NULL, NULL, &r) == PERM_ERROR_SIZE);
  CHECK(perm_compute_cauchy_real(2, NULL, y, NULL, NULL, &r) == PERM_ERROR_NULL && r.argument == 2);
  CHECK(perm_compute_cauchy_real(2, x, y, NULL, NULL, NULL) == PERM_ERROR_NULL);
  y[0] = (double)INFINITY;
  CHECK(perm_compute_cauchy_real(2, x, y, NULL, NULL, &r) == PERM_ERROR_NOT_FINITE);
  CHECK(perm_compute_cauchy_real(0, NULL, NULL, NULL, NULL, &r) == PERM_OK && r.exact && r.value == 1);
}

/* From round 300 on numbers of another seed: at its 293rd a second pivot is what an underflow left of 0. */
static int cauchy_order(int round)
{
  if (round == 300)
    test_seed(3000001);
  return 2 + test_below(4);
}

/* Nodes over the whole range of doubles: a number, and where it is said to be good the one of the matrix itself. */
TEST(t_cauchy_of_any_scale)
{
  int round, good = 0;
  for (round = 0; round < 600; round++) {
    const int parts = 1 + round % 2, n = cauchy_order(round), range = round % 3 ? 1000 : 60;
    double x[2][10], a[50];
    perm_result r, dense;
    int i, j, k;
    for (k = 0; k < 2; k++)
      for (i = 0; i < n * parts; i++)
        x[k][i] = ldexp(test_uniform() - 0.5, test_below(2 * range) - range);
    if (round % 5 == 0) /* apart, but hardly */
      x[1][0] = x[0][0] * (1 + ldexp(1, -50));
    if ((parts == 1 ? perm_compute_cauchy_real : perm_compute_cauchy_complex)(n, x[0], x[1], NULL, NULL, &r)) {
      CHECK(r.status == PERM_ERROR_NODES);
      continue;
    }
    CHECK_SHOW(fabs(r.value) <= DBL_MAX && fabs(r.imaginary) <= DBL_MAX && r.error_estimate == r.error_estimate,
               "round %d: %g", round, r.value);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) {
        const double d = x[0][i * parts] - x[1][j * parts], e = parts == 2 ? x[0][2 * i + 1] - x[1][2 * j + 1] : 0;
        const double s = hypot(d, e);
        a[(i * n + j) * parts] = d / s / s;
        if (parts == 2)
          a[(i * n + j) * 2 + 1] = -e / s / s;
      }
    if ((parts == 1 ? perm_compute_real : perm_compute_complex)(n, n, a, n, NULL, &dense) != PERM_OK ||
        dense.error_estimate > 1e-10 * hypot(dense.value, dense.imaginary) ||
        r.error_estimate > 1e-10 * hypot(r.value, r.imaginary))
      continue;
    for (k = 0; k < 2; k++) {
      const double u = k ? r.imaginary : r.value, v = k ? dense.imaginary : dense.value;
      CHECK_SHOW(fabs(u - ldexp(v, (int)(dense.exp2 - r.exp2))) <= 1e-9 * hypot(r.value, r.imaginary),
                 "round %d, n = %d: %g 2^%lld, as a matrix %g 2^%lld", round, n, u, r.exp2, v, dense.exp2);
    }
    good++;
  }
  CHECK_SHOW(good > 100, "%d", good);
}
/* SPDX-License-Identifier: MIT */
