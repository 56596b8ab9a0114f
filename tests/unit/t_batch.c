/* >>batch, >>batch_kernels */
/* Every value is a single call's within 1e-10 (in fact much less), whatever the layout, the order, the count;
   bits do not depend on threads or neighbours; what fails is named. */

enum { BATCH_AOS, BATCH_SOA, BATCH_COMPLEX, BATCH_COMPLEX_SOA, BATCH_KINDS };

/* count matrices, row-major one after the other, through the layout `kind` with gaps. */
static perm_status batch_call(int kind, int n, size_t count, const double *a, const perm_options *options, double *out,
                              perm_result *result)
{
  const size_t parts = kind >= BATCH_COMPLEX ? 2 : 1, entries = (size_t)(n * n);
  const int soa = kind == BATCH_SOA || kind == BATCH_COMPLEX_SOA;
  const size_t stride = soa ? count + 3 : entries + 5, room = (soa ? entries : count) * stride * parts + 1;
  double *d = (double *)malloc(room * sizeof *d);
  size_t k, e, part;
  perm_status status;
  for (k = 0; k < room; k++)
    d[k] = NAN; /* gaps are not read */
  for (k = 0; k < count; k++)
    for (e = 0; e < entries; e++)
      for (part = 0; part < parts; part++) {
        const size_t at = (soa ? e * stride + k : k * stride + e) * parts + part;
        d[at] = a[(k * entries + e) * parts + part];
      }
  switch (kind) {
  case BATCH_AOS: status = perm_batch_real(n, count, d, stride, options, out, result); break;
  case BATCH_SOA: status = perm_batch_real_soa(n, count, d, stride, options, out, result); break;
  case BATCH_COMPLEX: status = perm_batch_complex(n, count, d, stride, options, out, result); break;
  default: status = perm_batch_complex_soa(n, count, d, stride, options, out, result);
  }
  free(d);
  return status;
}

static void batch_single(int n, int parts, const double *a, double *value)
{
  if (parts == 2)
    perm_complex(n, a, value);
  else
    value[0] = perm_real(n, a);
}

static int batch_agrees(int parts, const double *x, const double *y, double tolerance)
{
  if (parts == 1)
    return x[0] == y[0] || fabs(x[0] - y[0]) <= tolerance * fabs(y[0]);
  return (x[0] == y[0] && x[1] == y[1]) || hypot(x[0] - y[0], x[1] - y[1]) <= tolerance * hypot(y[0], y[1]);
}

static void batch_random(size_t count, double *a)
{
  size_t i;
  for (i = 0; i < count; i++)
    a[i] = 2 * test_uniform() - 1;
}

TEST(t_batch_is_single_calls)
{
  static const size_t counts[] = {0, 1, 7, 8, 9, 61, 1000};
  int kind, n, isa;
  size_t c, k;
  for (kind = 0; kind < BATCH_KINDS; kind++)
    for (isa = isa_first(); isa; isa = isa_next(isa))
      for (n = 0; n <= 13; n++)
        for (c = 0; c < sizeof counts / sizeof *counts; c++) {
          const size_t parts = kind >= BATCH_COMPLEX ? 2 : 1, count = counts[c], entries = (size_t)(n * n);
          double *a, *out;
          perm_options options;
          perm_result r;
          if (count > (n > 10 ? 9 : n > 6 ? 61 : 1000))
            continue;
          a = (double *)malloc((count * entries * parts + 1) * sizeof *a);
          out = (double *)malloc((count * parts + 1) * sizeof *out);
          memset(&options, 0, sizeof options);
          options.isa = (perm_isa)isa;
          batch_random(count * entries * parts, a);
          out[count * parts] = 17;
          CHECK_SHOW(batch_call(kind, n, count, a, &options, out, &r) == PERM_OK && r.status == PERM_OK, "%s",
                     r.message);
          CHECK(out[count * parts] == 17 && r.value == 0);
          for (k = 0; k < count; k++) {
            double value[2];
            batch_single(n, (int)parts, a + k * entries * parts, value);
            CHECK_SHOW(batch_agrees((int)parts, out + k * parts, value, n > 4 ? 1e-10 : 1e-9),
                       "kind %d n %d isa %d matrix %d of %d: %.17g %.17g", kind, n, isa, (int)k, (int)count,
                       out[k * parts], value[0]);
          }
          free(a);
          free(out);
        }
}

/* Against wide precision: errors of accepted values relative to per |A|, which is what they are small against. */
TEST(t_batch_accuracy)
{
  static double a[8 * 121], b[121], out[8];
  int n, k, i, run;
  for (n = 2; n <= 11; n++)
    for (run = 0; run < 10; run++) {
      batch_random((size_t)(8 * n * n), a);
      CHECK(batch_call(BATCH_SOA, n, 8, a, NULL, out, NULL) == PERM_OK);
      for (k = 0; k < 8; k++) {
        double exact = (double)oracle_real(n, a + k * n * n), absolute;
        for (i = 0; i < n * n; i++)
          b[i] = fabs(a[k * n * n + i]);
        absolute = (double)oracle_real(n, b);
        CHECK_SHOW(fabs(out[k] - exact) <= 2 * n * PERMI_UNIT * absolute, "n %d: %.17g %.17g", n, out[k], exact);
      }
    }
}

/* Permutation matrices with odd entries: every subset and column in its place. Zeros: rows, and permanents of 0. */
TEST(t_batch_integers)
{
  static double a[50 * 121], out[50];
  int n, k, i, j, isa;
  for (isa = isa_first(); isa; isa = isa_next(isa))
    for (n = 2; n <= 11; n++) {
      perm_options options;
      memset(&options, 0, sizeof options);
      options.isa = (perm_isa)isa;
      for (k = 0; k < 50; k++) {
        double *matrix = a + k * n * n;
        for (i = 0; i < n * n; i++)
          matrix[i] = k < 25 ? 0 : test_below(3) - 1;
        for (i = 0; i < n && k < 25; i++)
          matrix[i * n + (i + k) % n] = 1 + test_below(5);
        if (k < 25 && n > 2) { /* two rows exchanged */
          i = test_below(n - 1);
          for (j = 0; j < n; j++) {
            double t = matrix[i * n + j];
            matrix[i * n + j] = matrix[(i + 1) * n + j];
            matrix[(i + 1) * n + j] = t;
          }
        }
        for (j = 0; j < n && k % 10 == 9; j++)
          matrix[n + j] = 0;
      }
      CHECK(batch_call(BATCH_SOA, n, 50, a, &options, out, NULL) == PERM_OK);
      for (k = 0; k < 50; k++)
        CHECK_SHOW(out[k] == (double)oracle_integer(n, a + k * n * n), "isa %d n %d matrix %d: %g", isa, n, k, out[k]);
    }
}

/* Cancellation: values that are small against per |A| go the general way and are right. */
TEST(t_batch_cancellation)
{
  static double a[9 * 121], out[9];
  int n, k, i;
  for (n = 5; n <= 11; n++) {
    batch_random((size_t)(9 * n * n), a);
    for (k = 0; k < 9; k++) { /* the last entry of a row of either half such that the rest nearly cancels */
      double *matrix = a + k * n * n, *entry = matrix + n - 1 + k % n * n, without, minor;
      *entry = 0;
      without = (double)oracle_real(n, matrix);
      *entry = 1;
      minor = (double)oracle_real(n, matrix) - without;
      *entry = -without / minor;
    }
    CHECK(batch_call(BATCH_SOA, n, 9, a, NULL, out, NULL) == PERM_OK);
    for (k = 0; k < 9; k++) {
      oracle_wide exact = oracle_real(n, a + k * n * n);
      CHECK_SHOW(fabs((double)(out[k] - exact)) <= 1e-9 * fabs((double)exact), "n %d: %g not %g", n, out[k],
                 (double)exact);
    }
    for (i = 0; i < 9; i++) /* neighbours do not show */
      CHECK(batch_call(BATCH_AOS, n, 9, a, NULL, out, NULL) == PERM_OK);
  }
}

TEST(t_batch_scales)
{
  static const double scale[] = {1e100, 1e-100, 1e60, 1e-60, 1e13, 1e-13, 1e-30, 1};
  double a[16 * 144], out[16], one;
  int n, k, i;
  for (n = 2; n <= 12; n++) {
    batch_random((size_t)(16 * n * n), a);
    for (k = 0; k < 16; k++)
      for (i = 0; i < n * n; i++)
        a[k * n * n + i] *= k < 8 ? scale[k] : i / n & 1 ? scale[k - 8] : 1 / scale[k - 8];
    for (i = 0; i < n * n && n == 7; i++) /* the lower rows' products underflow, the value does not */
      a[i] = (2 * test_uniform() - 1) * (i < 21 ? 1e100 : 1e-79);
    CHECK(batch_call(BATCH_SOA, n, 16, a, NULL, out, NULL) == PERM_OK);
    for (k = 0; k < 16; k++) {
      one = perm_real(n, a + k * n * n);
      CHECK_SHOW(out[k] == one || fabs(out[k] - one) <= 1e-10 * fabs(one) + 1e-300, "n %d matrix %d: %g %g", n, k,
                 out[k], one);
    }
  }
}

TEST(t_batch_failures)
{
  double a[300 * 36], out[300];
  perm_result r;
  int kind;
  for (kind = BATCH_AOS; kind <= BATCH_SOA; kind++) {
    int n;
    for (n = 2; n <= 6; n += 2) {
      const size_t size = (size_t)(n * n);
      size_t k;
      batch_random(300 * size, a);
      a[290 * size + 3] = NAN;
      a[270 * size + size - 1] = INFINITY;
      a[271 * size] = -INFINITY;
      CHECK(batch_call(kind, n, 300, a, NULL, out, &r) == PERM_ERROR_NOT_FINITE);
      CHECK(r.status == PERM_ERROR_NOT_FINITE);
      CHECK_TEXT(r.message, "matrix 270 ");
      for (k = 0; k < 300; k++)
        CHECK_SHOW((out[k] != out[k]) == (k == 270 || k == 271 || k == 290), "n %d matrix %d: %g", n, (int)k, out[k]);
      a[10 * size] = NAN; /* the first, though of another task */
      CHECK(batch_call(kind, n, 300, a, NULL, out, &r) == PERM_ERROR_NOT_FINITE);
      CHECK_TEXT(r.message, "matrix 10 ");
    }
  }
}

TEST(t_batch_threads)
{
  static double a[2 * 3000 * 49], x[6000], y[6000];
  int kind, threads, n;
  for (kind = 0; kind < BATCH_KINDS; kind++)
    for (n = 4; n <= 7; n += 3) {
      const size_t parts = kind >= BATCH_COMPLEX ? 2 : 1;
      perm_options options;
      perm_result r;
      memset(&options, 0, sizeof options);
      batch_random(3000 * (size_t)(n * n) * parts, a);
      options.threads = 1;
      CHECK(batch_call(kind, n, 3000, a, &options, x, &r) == PERM_OK);
      for (threads = 2; threads <= 3; threads++) {
        options.threads = threads;
        CHECK(batch_call(kind, n, 3000, a, &options, y, &r) == PERM_OK);
        CHECK(!memcmp(x, y, 3000 * parts * sizeof *x));
      }
      CHECK(batch_call(kind, n, 2989, a, &options, y, &r) == PERM_OK); /* neighbours do not show */
      CHECK(!memcmp(x, y, 2989 * parts * sizeof *x));
    }
}

/* Neighbours that vanish, are tiny, huge or cancel change no bit of a matrix. */
TEST(t_batch_neighbours)
{
  static const double scale[] = {1, 1e-100, 1e-40, 1e70, 0, 1e100, 1};
  static double a[2 * 40 * 81], out[80], one[2];
  int kind, n, k, i, isa;
  for (isa = isa_first(); isa; isa = isa_next(isa))
    for (kind = 0; kind < BATCH_KINDS; kind++)
      for (n = 2; n <= 9; n++) {
        const int parts = kind >= BATCH_COMPLEX ? 2 : 1, size = n * n * parts;
        perm_options options;
        memset(&options, 0, sizeof options);
        options.isa = (perm_isa)isa;
        batch_random((size_t)(40 * size), a);
        for (k = 0; k < 40; k++)
          for (i = 0; i < size; i++)
            a[k * size + i] = (k + i % (k % 3 + 1)) % 9 ? a[k * size + i] * scale[k % 7] : test_below(3) - 1;
        CHECK(batch_call(kind, n, 40, a, &options, out, NULL) == PERM_OK);
        for (k = 0; k < 40; k++) {
          CHECK(batch_call(kind, n, 1, a + k * size, &options, one, NULL) == PERM_OK);
          CHECK_SHOW(!memcmp(one, out + k * parts, (size_t)parts * sizeof *one),
                     "isa %d kind %d n %d matrix %d: %.17g %.17g", isa, kind, n, k, one[0], out[k * parts]);
        }
      }
}

/* Boson sampling's access: rows 0 .. k - 1 or any, columns with repeats, of a matrix that is large. */
TEST(t_batch_selections)
{
  static double a[2 * 40 * 100], matrix[2 * 196], out[2 * 20];
  static int rows[20 * 14], columns[20 * 14];
  int parts, k, s, i, j, given;
  batch_random(8000, a);
  for (parts = 1; parts <= 2; parts++)
    for (given = 0; given <= 1; given++)
      for (k = 0; k <= 13; k++) {
        const int m = 40, n = 90, ld = 100;
        perm_status status;
        perm_result r;
        for (i = 0; i < 20 * k; i++) {
          rows[i] = test_below(m);
          columns[i] = test_below(3) ? test_below(n) : test_below(3);
        }
        status = (parts == 2 ? perm_select_complex : perm_select_real)(m, n, a, ld, k, 20, given ? rows : NULL, columns,
                                                                       NULL, out, &r);
        CHECK_SHOW(status == PERM_OK, "%s", r.message);
        for (s = 0; s < 20; s++) {
          double value[2];
          for (i = 0; i < k; i++)
            for (j = 0; j < k * parts; j++)
              matrix[i * k * parts + j] =
                  a[((given ? rows[s * k + i] : i) * ld + columns[s * k + j / parts]) * parts + j % parts];
          batch_single(k, parts, matrix, value);
          CHECK_SHOW(batch_agrees(parts, out + s * parts, value, 1e-9), "k %d parts %d selection %d: %g %g", k, parts,
                     s, out[s * parts], value[0]);
        }
      }
}

TEST(t_batch_options)
{
  double a[3 * 25], out[3], exact[3];
  perm_options options;
  perm_result r;
  int k;
  batch_random(75, a);
  for (k = 0; k < 3; k++)
    exact[k] = (double)oracle_real(5, a + 25 * k);
  memset(&options, 0, sizeof options);
  options.precision = PERM_PRECISION_DD;
  CHECK(perm_batch_real(5, 3, a, 25, &options, out, &r) == PERM_OK);
  for (k = 0; k < 3; k++)
    CHECK(out[k] == exact[k]);
  options.precision = PERM_PRECISION_DEFAULT;
  options.method = PERM_METHOD_RYSER;
  CHECK(perm_batch_real(5, 3, a, 25, &options, out, NULL) == PERM_OK && fabs(out[2] - exact[2]) < 1e-12);
}

TEST(t_batch_statuses)
{
  double a[50] = {0}, out[2];
  const int columns[4] = {0, 1, 2, 7};
  perm_options options;
  perm_result r;
  memset(&options, 0, sizeof options);
  CHECK(perm_batch_real(5, 2, NULL, 25, NULL, out, &r) == PERM_ERROR_NULL && r.argument == 3);
  CHECK(perm_batch_real(5, 2, a, 25, NULL, NULL, &r) == PERM_ERROR_NULL && r.argument == 6);
  CHECK(perm_batch_real(5, 2, a, 24, NULL, out, &r) == PERM_ERROR_STRIDE && r.argument == 4);
  CHECK(perm_batch_real_soa(5, 2, a, 1, NULL, out, &r) == PERM_ERROR_STRIDE);
  CHECK(perm_batch_real(-1, 2, a, 25, NULL, out, &r) == PERM_ERROR_SIZE && r.argument == 1);
  CHECK(perm_batch_real(65, 2, a, 65 * 65, NULL, out, NULL) == PERM_ERROR_SIZE);
  options.threads = -1;
  CHECK(perm_batch_real(5, 2, a, 25, &options, out, &r) == PERM_ERROR_OPTION && r.argument == 5);
  CHECK(perm_batch_real(5, 0, NULL, 0, NULL, NULL, NULL) == PERM_OK);
  CHECK(perm_select_real(5, 5, a, 5, 2, 2, NULL, columns, NULL, out, &r) == PERM_ERROR_RANGE && r.argument == 8);
  CHECK_TEXT(r.message, "selection 1 ");
  CHECK(perm_select_real(5, 5, a, 5, 2, 2, columns + 2, columns, NULL, out, &r) == PERM_ERROR_RANGE);
  CHECK(perm_select_real(1, 8, a, 8, 2, 2, NULL, columns, NULL, out, &r) == PERM_ERROR_RANGE && r.argument == 7);
  CHECK(perm_select_real(5, 5, a, 4, 2, 2, NULL, columns, NULL, out, &r) == PERM_ERROR_STRIDE);
  CHECK(perm_select_real(5, 5, a, 5, 2, 2, NULL, NULL, NULL, out, &r) == PERM_ERROR_NULL);
}

/* Matrices in which the leading terms underflow on the way, among others that are harmless: what vectors accept must be
   right, whether entries are too large or the value too small to be trusted. */
TEST(t_batch_does_not_trust_what_underflows)
{
  enum { COUNT = 40 };
  static double soa[64 * COUNT], aos[64 * COUNT];
  int n, which, way, e;
  size_t k;
  for (n = 4; n <= 8; n++)
    for (which = 0; which < 2; which++) {
      /* rows 0 and 1: x x t 0, rows 2 and 3: u u y y; then ones on the diagonal. per = 4 x^2 y^2 + 8 t x u y */
      const double x = 1e-165, y = which ? 1e50 : 1e150, t = which ? 1e-140 : 1e-60, u = 1e-10;
      double expected, values[COUNT];
      for (k = 0; k < COUNT; k++)
        for (e = 0; e < n * n; e++) {
          const int i = e / n, j = e % n;
          double entry = i == j;
          if (i < 4 && j < 4)
            entry = i < 2 ? (j < 2 ? x : j == 2 ? t : 0) : j < 2 ? u : y;
          if (k % 8 != 3)
            entry = i == j ? 2 : 1;
          aos[k * 64 + (size_t)e] = soa[(size_t)e * COUNT + k] = entry;
        }
      for (way = 0; way < 2; way++) {
        CHECK((way ? perm_batch_real(n, COUNT, aos, 64, NULL, values, NULL)
                   : perm_batch_real_soa(n, COUNT, soa, COUNT, NULL, values, NULL)) == PERM_OK);
        for (k = 0; k < COUNT; k++) {
          expected = k % 8 == 3 ? 4 * (x * y) * (x * y) : perm_real(n, aos + k * 64);
          CHECK_SHOW(fabs(values[k] - expected) <= 1e-12 * expected, "n %d, %d, way %d, matrix %d: %g, not %g", n,
                     which, way, (int)k, values[k], expected);
        }
      }
    }
}

/* k + 1 rows in k columns, some of which are equal, of any scale: 0, not what rounds. */
TEST(t_batch_zeros)
{
  static double a[2 * 16 * 16];
  double value[2];
  int trial, i, j, parts;
  for (trial = 0; trial < test_some(4000); trial++) {
    const int n = 5 + test_below(12), few = 1 + test_below(n - 1), equal = 1 + test_below(n);
    parts = 1 + trial % 2;
    for (i = 0; i < n; i++) {
      const int scale = test_below(1900) - 1070;
      for (j = 0; j < n * parts; j++)
        a[i * n * parts + j] = i <= few && j / parts >= few        ? 0
                               : j >= parts && j / parts % n < equal ? a[i * n * parts + j % parts]
                                                                     : ldexp(test_uniform(), scale);
    }
    value[0] = value[1] = 1;
    CHECK((parts == 1 ? perm_batch_real : perm_batch_complex)(n, 1, a, (size_t)(n * n), NULL, value, NULL) == PERM_OK);
    CHECK_SHOW(value[0] == 0 && (parts == 1 || value[1] == 0), "order %d, %d columns: %g", n, few, value[0]);
    if (parts == 1)
      CHECK(perm_real(n, a) == 0);
    else
      CHECK(perm_complex(n, a, value) == PERM_OK && value[0] == 0 && value[1] == 0);
  }
}
/* SPDX-License-Identifier: MIT */
