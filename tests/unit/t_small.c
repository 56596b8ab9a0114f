/* >>small, >>small_kernels, >>arithmetic */
/* Single calls, n = 2 .. 16, every instruction set of this machine, against dynamic programming over subsets
   in wide precision, from n = 13 on against double-double. The promise: a value that is accepted is right to 1e-10 (in
   fact to a few of its estimates), what cannot be is refused, and perm_real and perm_complex answer either way. */

/* parts = 1: real; 2: interleaved complex. out[0], out[1]: the permanent. n <= 16. */
static void small_oracle(int n, int parts, const double *a, oracle_wide *out)
{
  size_t subsets = (size_t)1 << n, s;
  oracle_wide *value;
  if (n > PERMI_NEAR_N) {
    perm_options options;
    perm_result result;
    memset(&options, 0, sizeof options);
    options.precision = PERM_PRECISION_DD;
    CHECK((parts == 2 ? perm_compute_complex : perm_compute_real)(n, n, a, n, &options, &result) == PERM_OK);
    for (out[0] = result.value, out[1] = result.imaginary; result.exp2 != 0; result.exp2 -= result.exp2 < 0 ? -1 : 1)
      for (s = 0; s < 2; s++)
        out[s] *= result.exp2 < 0 ? 0.5 : 2;
    return;
  }
  value = (oracle_wide *)calloc(2 * subsets, sizeof *value);
  value[0] = 1;
  for (s = 0; s < subsets; s++) {
    int row = 0, j;
    for (j = 0; j < n; j++)
      row += (int)(s >> j & 1);
    for (j = 0; row < n && j < n; j++)
      if (!(s >> j & 1)) {
        const oracle_wide re = a[(row * n + j) * parts], im = parts == 2 ? a[(row * n + j) * 2 + 1] : 0;
        oracle_wide *to = value + 2 * (s | (size_t)1 << j);
        to[0] += value[2 * s] * re - value[2 * s + 1] * im;
        to[1] += value[2 * s] * im + value[2 * s + 1] * re;
      }
  }
  out[0] = value[2 * subsets - 2];
  out[1] = value[2 * subsets - 1];
  free(value);
}

static double small_modulus(oracle_wide re, oracle_wide im)
{
  return hypot((double)re, (double)im);
}

static int small_call(perm_isa isa, int n, int parts, const double *a, double *value)
{
  value[1] = 0;
  return permi_small_value(isa, n, parts, a, value);
}

/* Relative error of the short cut, or -1 if it refuses. */
static double small_error(perm_isa isa, int n, int parts, const double *a)
{
  oracle_wide expected[2];
  double value[2], modulus;
  if (!small_call(isa, n, parts, a, value))
    return -1;
  small_oracle(n, parts, a, expected);
  modulus = small_modulus(expected[0], expected[1]);
  if (modulus == 0)
    return value[0] == 0 && value[1] == 0 ? 0 : (double)INFINITY;
  return small_modulus(expected[0] - value[0], expected[1] - value[1]) / modulus;
}

static int small_runs(int n, int runs)
{
  return test_some(n > PERMI_NEAR_N ? (runs + 3) / 4 : runs);
}

#define SMALL_EVERY(n, parts, isa)                                \
  for (int parts = 1; parts <= 2; parts++)                        \
    for (int n = 2; n <= PERMI_SMALL_N; n++)                      \
      for (int isa = isa_first(); isa; isa = isa_next(isa))

static void small_random(int count, double *a)
{
  int i;
  for (i = 0; i < count; i++)
    a[i] = 2 * test_uniform() - 1;
}

/* What is accepted is right. A refusal is right too, and rare: the general path says more of one permanent in a hundred
   that cancels (n = 12) and must not be the rule. */
TEST(t_small_random)
{
  double a[2 * 256];
  int runs[PERM_ISA_COUNT] = {0}, refused[PERM_ISA_COUNT] = {0}, family;
  SMALL_EVERY(n, parts, isa) {
    int run;
    for (run = 0; run < small_runs(n, n > 9 ? 6 : 20); run++) {
      double error;
      small_random(parts * n * n, a);
      error = small_error(isa, n, parts, a);
      runs[isa]++;
      refused[isa] += error < 0;
      CHECK_SHOW(error < 1e-10, "n %d parts %d isa %d: %g", n, parts, (int)isa, error);
    }
  }
  for (family = 0; family < PERM_ISA_COUNT; family++)
    CHECK_SHOW(8 * refused[family] <= runs[family], "%s: %d of %d refused", perm_name("isa", (perm_isa)family),
               refused[family], runs[family]);
}

/* Every position of a permutation matrix: signs, lanes, tables and columns all in their places. */
TEST(t_small_permutations)
{
  double a[2 * 256];
  SMALL_EVERY(n, parts, isa) {
    int run;
    for (run = 0; run < small_runs(n, 2 * n); run++) {
      int column[PERMI_SMALL_N], i, j;
      double value[2], product[2] = {1, 0};
      for (i = 0; i < n; i++)
        column[i] = i;
      for (i = n - 1; i > 0; i--) {
        int k = test_below(i + 1), t = column[i];
        column[i] = column[k];
        column[k] = t;
      }
      memset(a, 0, sizeof a);
      for (i = 0; i < n; i++) {
        double re = 1 + test_below(3), im = parts == 2 ? test_below(3) - 1 : 0, t = product[0];
        j = (i * n + column[i]) * parts;
        a[j] = re;
        if (parts == 2)
          a[j + 1] = im;
        product[0] = t * re - product[1] * im;
        product[1] = t * im + product[1] * re;
      }
      CHECK(small_call(isa, n, parts, a, value)); /* nothing cancels */
      CHECK_SHOW(value[0] == product[0] && value[1] == product[1], "n %d parts %d isa %d: %g %g not %g %g", n, parts,
                 (int)isa, value[0], value[1], product[0], product[1]);
    }
  }
}

/* Small integers: n! and 0/1 and +-: exact, since no intermediate exceeds 2^53. */
TEST(t_small_integers)
{
  double a[256];
  int n, run, i, isa;
  for (isa = isa_first(); isa; isa = isa_next(isa))
    for (n = 2; n <= PERMI_NEAR_N; n++)
      for (run = 0; run < 8; run++) {
        double value;
        for (i = 0; i < n * n; i++)
          a[i] = run == 0 ? 1 : run < 5 ? test_below(2) : test_below(3) - 1;
        if (permi_small_value((perm_isa)isa, n, 1, a, &value))
          CHECK_SHOW(value == (double)oracle_integer(n, a), "n %d isa %d: %.17g", n, isa, value);
        else
          CHECK_SHOW(run > 0, "n! refused, n %d", n);
        value = (double)oracle_integer(n, a);
        CHECK_SHOW(fabs(perm_real(n, a) - value) <= 1e-9 * fabs(value) + 1e-9, "n %d: %g", n, perm_real(n, a));
      }
}

/* Rows graded by powers of two change no bit. Columns may be refused; what is accepted is right. */
TEST(t_small_graded)
{
  double a[2 * 256], b[2 * 256];
  int stood[PERM_ISA_COUNT] = {0}, family;
  SMALL_EVERY(n, parts, isa) {
    int run, i, j, exponent = 0;
    double x[2], y[2];
    small_random(parts * n * n, a);
    for (i = 0; i < n; i++) {
      int e = test_below(40) - 20;
      exponent += e;
      for (j = 0; j < n * parts; j++)
        b[i * n * parts + j] = ldexp(a[i * n * parts + j], e);
    }
    if (small_call(isa, n, parts, a, x) && small_call(isa, n, parts, b, y)) {
      stood[isa]++;
      CHECK(y[0] == ldexp(x[0], exponent) && y[1] == ldexp(x[1], exponent));
    }
    for (run = 0; run < 6; run++) {
      double error;
      for (i = 0; i < n * n * parts; i++)
        b[i] = ldexp(a[i], i / parts % n * (run - 3) * 3);
      error = small_error(isa, n, parts, b);
      CHECK_SHOW(error < 1e-10, "n %d parts %d isa %d: %g", n, parts, (int)isa, error);
    }
  }
  for (family = PERM_ISA_PLAIN; family < PERM_ISA_COUNT; family++) /* of 11 orders, real and complex */
    CHECK_SHOW(stood[family] >= 11 || !permi_isa_here((perm_isa)family), "%s: %d of 22 not refused",
               perm_name("isa", (perm_isa)family), stood[family]);
}

/* Two equal rows and two that differ in sign, and nearly so: the permanent cancels to 0 or nearly. Glynn's sums must
   refuse it (n >= 5); the answer comes from the general path and is right. */
TEST(t_small_cancelling)
{
  double a[256];
  int n, isa, i, j, refusals = 0;
  for (isa = isa_first(); isa; isa = isa_next(isa))
    for (n = 5; n <= PERMI_NEAR_N; n++) {
      double value, answer, tilt;
      for (tilt = 0; tilt < 2; tilt++) { /* rows (1 1 0 ..), (1 -1 0 ..) make the 2 x 2 permanent 0 */
        for (i = 0; i < n; i++)
          for (j = 0; j < n; j++)
            a[i * n + j] = i < 2 ? (j < 2) : 2 * test_uniform() - 1;
        a[n + 1] = -1 + tilt * 1e-13;
        if (!permi_small_value((perm_isa)isa, n, 1, a, &value))
          refusals++;
        else
          CHECK_SHOW(small_error((perm_isa)isa, n, 1, a) < 1e-9, "n %d isa %d", n, isa);
        answer = perm_real(n, a);
        if (tilt == 0)
          CHECK_SHOW(fabs(answer) < 1e-12, "%g", answer);
        else
          CHECK_SHOW(fabs(answer / (double)oracle_real(n, a) - 1) < 1e-6, "n %d: %g", n, answer);
      }
    }
  CHECK(refusals > 0);
}

/* Blocks (1 1; 1 -1) in surroundings of 2^-e: in every term some row sums all but cancel, so that the terms are small,
   but their rounding is not. */
TEST(t_small_row_sums_that_cancel)
{
  int refused[PERM_ISA_COUNT] = {0}, stood[PERM_ISA_COUNT] = {0}, family;
  SMALL_EVERY(n, parts, isa) {
    double a[2 * 256], value[2];
    int i, j, part, e;
    for (e = 4; e <= 48 && n > 4; e += n > PERMI_NEAR_N ? 11 : 4) {
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
          for (part = 0; part < parts; part++)
            a[(i * n + j) * parts + part] = i / 2 == j / 2 && (i ^ 1) < n ? (part ? 0 : i % 2 && j % 2 ? -1 : 1)
                                                                          : ldexp(test_uniform(), -e);
      if (small_call(isa, n, parts, a, value)) {
        stood[isa]++;
        CHECK_SHOW(small_error(isa, n, parts, a) < 1e-9, "n %d parts %d isa %d 2^-%d: %g", n, parts, (int)isa, e,
                   small_error(isa, n, parts, a));
      } else {
        refused[isa]++;
      }
    }
  }
  for (family = PERM_ISA_PLAIN; family < PERM_ISA_COUNT; family++)
    CHECK_SHOW((stood[family] > 0 && refused[family] > stood[family] / 10) || !permi_isa_here((perm_isa)family),
               "%s: %d stood, %d refused", perm_name("isa", (perm_isa)family), stood[family], refused[family]);
}

/* The same where norms' squares underflow in one row (far: 1e-175 of the others), or modulus^2 overflows (n >= 14). */
TEST(t_small_norms_out_of_range)
{
  SMALL_EVERY(n, parts, isa) {
    double a[2 * 256], value[2], error;
    int far, i, j;
    for (far = 0; far < 2 && n > 4; far++) {
      const double large = far ? 1e10 : 5e10;
      for (i = 0; i < n; i++)
        for (j = 0; j < n * parts; j++)
          a[i * n * parts + j] = parts == 2 && j % 2 ? 0 : large * (i < 2 ? 1e-12 : 1) * (0.5 + 0.5 * test_uniform());
      for (i = 0; i < 2; i++) {
        a[(i * n + 3) * parts] = large * (0.5 + 0.5 * test_uniform());
        a[(i * n + 4) * parts] = (i ? -1 : 1) * a[(i * n + 3) * parts] * (1 + 1e-12 * test_uniform());
      }
      for (j = 0; j < n * parts && far; j++)
        a[(n - 1) * n * parts + j] *= 1e-175;
      error = small_call(isa, n, parts, a, value) ? small_error(isa, n, parts, a) : 0;
      CHECK_SHOW(error < 1e-10, "n %d parts %d isa %d far %d: %g", n, parts, (int)isa, far, error);
#if !defined(PERM_NO_EXTRAS)
      if (n <= 9) {
        double soa[8 * 2 * 81], out[16];
        perm_options options;
        int k;
        memset(&options, 0, sizeof options);
        options.isa = isa;
        for (i = 0; i < n * n; i++)
          for (k = 0; k < 8; k++)
            memcpy(soa + (i * 8 + k) * parts, a + i * parts, (size_t)parts * sizeof *a);
        for (k = 0; k < 2; k++) {
          oracle_wide expected[2];
          if (parts == 2)
            (k ? perm_batch_complex_soa : perm_batch_complex)(n, k ? 8 : 1, k ? soa : a, k ? 8 : (size_t)(n * n),
                                                              &options, out, NULL);
          else
            (k ? perm_batch_real_soa : perm_batch_real)(n, k ? 8 : 1, k ? soa : a, k ? 8 : (size_t)(n * n), &options,
                                                        out, NULL);
          small_oracle(n, parts, a, expected);
          error = fabs((double)((expected[0] - out[0]) / expected[0]));
          CHECK_SHOW(error < 1e-10, "batch n %d parts %d isa %d soa %d: %g", n, parts, (int)isa, k, error);
        }
      }
#endif
    }
  }
}

/* A refusal by the estimate: one dominant column among those summed over signs makes every term 1e9^(n-3) too large. */
TEST(t_small_refuses)
{
  double a[2 * 256], value[2];
  SMALL_EVERY(n, parts, isa) {
    int i;
    if (n < 6)
      continue;
    small_random(parts * n * n, a);
    for (i = 0; i < n; i++)
      a[(i * n + 3) * parts] *= 1e9;
    CHECK_SHOW(!small_call(isa, n, parts, a, value), "n %d parts %d isa %d", n, parts, (int)isa);
    if (parts == 1)
      CHECK(perm_real(n, a) == permi_real_general(n, a));
  }
}

/* Beyond the range the short cut refuses or is right; perm_real is right. */
TEST_LONG(t_small_range)
{
  static const double scale[] = {1e-200, 1e-100, 1e-60, 1e-31, 1e-16, 1e-12, 1e-5, 1e5, 1e11, 1.7e12, 1.9e12, 1e20,
                                 1e59, 1e61, 1e76, 1e150};
  double a[2 * 256], b[2 * 256], value[2];
  SMALL_EVERY(n, parts, isa) {
    size_t k;
    int i, accepted = 0, refused = 0, draws = 0;
    do { /* until one does not cancel, and the scale alone decides */
      small_random(parts * n * n, a);
      for (i = 0; i < n * n * parts; i++)
        a[i] = a[i] < 0 ? a[i] - 0.5 : a[i] + 0.5;
    } while (!small_call(isa, n, parts, a, value) && ++draws < 50);
    CHECK(draws < 50);
    for (k = 0; k < sizeof scale / sizeof scale[0]; k++) {
      oracle_wide expected[2];
      double wanted;
      int took;
      for (i = 0; i < n * n * parts; i++)
        b[i] = a[i] * scale[k];
      took = small_call(isa, n, parts, b, value);
      accepted += took;
      refused += !took;
      small_oracle(n, parts, b, expected);
      wanted = small_modulus(expected[0], expected[1]);
      if (took)
        CHECK_SHOW(small_modulus(expected[0] - value[0], expected[1] - value[1]) <= 1e-10 * wanted,
                   "n %d parts %d isa %d scale %g", n, parts, (int)isa, scale[k]);
      if (n > 4 && scale[k] > 1e13)
        CHECK(!took);
      if (parts == 1) {
        double answer = perm_real(n, b);
        CHECK_SHOW(answer == (double)expected[0] || fabs(answer - (double)expected[0]) <= 1e-10 * wanted ||
                     wanted < 1e-300, "n %d scale %g: %g", n, scale[k], answer);
      }
    }
    CHECK(accepted && refused);
    /* half of the rows tiny, half huge: underflow of the first half must not pass */
    if (n >= 4) {
      double error;
      static const double tiny[3] = {1e-170, 1e-160, 1e-160}, huge[3] = {1e150, 1e150, 1e58};
      for (k = 0; k < 3; k++) {
        for (i = 0; i < n * n * parts; i++)
          b[i] = a[i] * (i < n * n * parts / 2 ? tiny[k] : huge[k]);
        CHECK_SHOW(!small_call(isa, n, parts, b, value), "n %d parts %d isa %d case %d", n, parts, (int)isa, (int)k);
      }
      for (i = 0; i < n * n * parts; i++)
        b[i] = a[i] * (i < n * n * parts / 2 ? 1e-70 : 1e12);
      error = small_error(isa, n, parts, b);
      CHECK_SHOW(error < 1e-10, "n %d parts %d isa %d: %g", n, parts, (int)isa, error);
    }
  }
}

TEST(t_small_not_finite)
{
  static const double bad[3] = {NAN, INFINITY, -INFINITY};
  double a[2 * 256], value[2];
  SMALL_EVERY(n, parts, isa) {
    int i, k, zeros;
    for (i = 0; i < parts * n * n; i += n > PERMI_NEAR_N ? 13 : test_quick ? 5 : 1)
      for (k = 0; k < 3; k++)
        for (zeros = 0; zeros < 2; zeros++) {
          small_random(parts * n * n, a);
          if (zeros)
            memset(a, 0, sizeof a);
          a[i] = bad[k];
          CHECK_SHOW(!small_call(isa, n, parts, a, value), "n %d parts %d isa %d entry %d %g", n, parts, (int)isa, i,
                     bad[k]);
          if (isa == PERM_ISA_PLAIN && parts == 1)
            CHECK(isnan(perm_real(n, a)));
          if (isa == PERM_ISA_PLAIN && parts == 2) {
            CHECK(perm_complex(n, a, value) < 0);
            CHECK(isnan(value[0]) && isnan(value[1]));
          }
        }
  }
}

TEST(t_small_arguments)
{
  double a[4] = {1, 2, 3, 4}, value[2] = {7, 7};
  CHECK(isnan(perm_real(2, NULL)) && isnan(perm_real(-1, a)) && perm_real(0, NULL) == 1 && perm_real(1, a) == 1);
  CHECK(perm_complex(2, a, NULL) == PERM_ERROR_NULL);
  CHECK(perm_complex(3, NULL, value) < 0 && isnan(value[0]) && isnan(value[1]));
  CHECK(perm_complex(-1, a, value) < 0 && isnan(value[0]));
}

/* Real entries in a complex matrix; i times a row turns the value; both calls agree with each other. */
TEST(t_small_complex_of_real)
{
  double a[256], b[512], value[2], real;
  int n, i;
  for (n = 2; n <= PERMI_SMALL_N; n++) {
    small_random(n * n, a);
    for (i = 0; i < n * n; i++) {
      b[2 * i] = i < n ? 0 : a[i];
      b[2 * i + 1] = i < n ? a[i] : 0;
    }
    real = perm_real(n, a);
    CHECK(perm_complex(n, b, value) == PERM_OK);
    CHECK_SHOW(value[0] == 0 && fabs(value[1] - real) <= 1e-12 * fabs(real), "n %d: %g %g, %g", n, value[0], value[1],
               real);
  }
}
/* SPDX-License-Identifier: MIT */
