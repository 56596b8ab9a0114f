/* >>counts, >>counts_choice, >>counts_scale, >>subsets, >>sign_sums */
/* Rectangular matrices: every engine against every other and against slow sums, identities, bounds, statuses. */

/* Permanent of an m x n matrix, m <= n, by subsets of rows, column after column, in quadruple precision. m <= 12. */
static void oracle_rectangular(int parts, int m, int n, const double *a, oracle_wide *value)
{
  size_t subsets = (size_t)1 << m, s;
  oracle_wide *state = (oracle_wide *)calloc(2 * subsets, sizeof *state);
  int i, j;
  state[0] = 1;
  for (j = 0; j < n; j++)
    for (s = subsets; s-- > 0;)
      for (i = 0; i < m; i++)
        if (s >> i & 1) {
          const oracle_wide x = a[(i * n + j) * parts], y = parts == 2 ? a[(i * n + j) * parts + 1] : 0;
          const oracle_wide *from = state + 2 * (s ^ (size_t)1 << i);
          state[2 * s] += x * from[0] - y * from[1];
          state[2 * s + 1] += x * from[1] + y * from[0];
        }
  value[0] = state[2 * subsets - 2];
  value[1] = state[2 * subsets - 1];
  free(state);
}

/* The same by all injections. */
static void oracle_injections(int parts, int m, int n, const double *a, int row, unsigned used, oracle_wide re,
                              oracle_wide im, oracle_wide *value)
{
  int j;
  if (row == m) {
    value[0] += re;
    value[1] += im;
    return;
  }
  for (j = 0; j < n; j++)
    if (!(used >> j & 1)) {
      const oracle_wide x = a[(row * n + j) * parts], y = parts == 2 ? a[(row * n + j) * parts + 1] : 0;
      oracle_injections(parts, m, n, a, row + 1, used | 1u << j, re * x - im * y, re * y + im * x, value);
    }
}

static void rect_transpose(int parts, int m, int n, const double *a, double *b)
{
  int i, j, part;
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++)
      for (part = 0; part < parts; part++)
        b[(j * m + i) * parts + part] = a[(i * n + j) * parts + part];
}

static perm_status rect_compute(int parts, int m, int n, const double *a, const perm_options *options, perm_result *r)
{
  return parts == 2 ? perm_compute_complex(m, n, a, n, options, r) : perm_compute_real(m, n, a, n, options, r);
}

/* |result - value|, in quadruple precision */
static double rect_distance(const perm_result *r, const oracle_wide *value)
{
  oracle_wide scale = 1;
  long long e;
  for (e = 0; e < r->exp2; e++)
    scale *= 2;
  for (e = 0; e > r->exp2; e--)
    scale /= 2;
  return hypot((double)(r->value * scale - value[0]), (double)(r->imaginary * scale - value[1]));
}

/* Lines of very different sizes: products of columns below a row's largest come close to the least double. */
TEST(t_rect_estimates_of_graded_lines)
{
  static const perm_method method[] = {PERM_METHOD_AUTO, PERM_METHOD_SHORT, PERM_METHOD_MULTIPLICITIES,
                                       PERM_METHOD_RYSER,
                                       PERM_METHOD_EXPANSION};
  int trial, k, i, j, off = 0;
  for (trial = 0; trial < 300; trial++) {
    const int m = 3 + test_below(5), n = m + 1 + test_below(3), range = 100 + 75 * test_below(4);
    double a[7 * 10];
    oracle_wide value[2];
    int row[7], column[10];
    for (i = 0; i < m; i++)
      row[i] = test_below(2 * range) - range;
    for (j = 0; j < n; j++)
      column[j] = test_below(2 * range) - range;
    for (i = 0; i < m; i++)
      for (j = 0; j < n; j++)
        a[i * n + j] = ldexp(2 * test_uniform() - 1, row[i] + column[j]);
    oracle_rectangular(1, m, n, a, value);
    value[0] = value[0] < 0 ? -value[0] : value[0];
    for (k = 0; k < (int)(sizeof method / sizeof *method); k++) {
      perm_options options = {0};
      perm_result r;
      oracle_wide apart, allowed;
      options.method = method[k];
      options.precision = trial % 2 ? PERM_PRECISION_DEFAULT : PERM_PRECISION_FAST;
      if (perm_compute_real(m, n, a, n, &options, &r) != PERM_OK)
        continue;
      apart = (r.value < 0 ? -(oracle_wide)r.value : r.value);
      allowed = 10 * (oracle_wide)r.error_estimate;
      for (; r.exp2 > 0; r.exp2--) {
        apart *= 2;
        allowed *= 2;
      }
      for (; r.exp2 < 0; r.exp2++) {
        apart /= 2;
        allowed /= 2;
      }
      apart = apart > value[0] ? apart - value[0] : value[0] - apart;
      CHECK_SHOW(apart <= allowed + 1e-25 * value[0], "%d x %d, range %d, %s: off by %g of the value, estimate %g", m,
                 n, range, perm_name("method", r.method), (double)(apart / value[0]),
                 r.error_estimate / fabs(r.value));
      off += r.error_estimate > 1e-6 * fabs(r.value);
    }
  }
  CHECK_SHOW(off > 3, "%d", off); /* such as are meant come */
}

static double rect_size(const oracle_wide *value)
{
  return hypot((double)value[0], (double)value[1]);
}

static void rect_random(double *a, int count, int kind)
{
  int k;
  for (k = 0; k < count; k++)
    a[k] = kind == 0   ? test_uniform()
           : kind == 1 ? 2 * test_uniform() - 1
           : kind == 2 ? test_below(3) - 1
                       : test_below(2) * ldexp(test_uniform() - 0.5, test_below(40) - 20);
}

static const perm_method rect_methods[] = {PERM_METHOD_AUTO,     PERM_METHOD_SUBSETS, PERM_METHOD_MULTIPLICITIES,
                                           PERM_METHOD_SHORT,    PERM_METHOD_RYSER,   PERM_METHOD_PADDED,
                                           PERM_METHOD_EXPANSION};
#define RECT_METHODS ((int)(sizeof rect_methods / sizeof rect_methods[0]))

TEST(t_rect_oracles_agree)
{
  double a[5 * 7 * 2];
  int parts, m, n;
  for (parts = 1; parts <= 2; parts++)
    for (m = 1; m <= 5; m++)
      for (n = m; n <= 7; n++) {
        oracle_wide x[2] = {0, 0}, y[2];
        rect_random(a, m * n * parts, 1);
        oracle_injections(parts, m, n, a, 0, 0, 1, 0, x);
        oracle_rectangular(parts, m, n, a, y);
        CHECK(fabs((double)(x[0] - y[0])) < 1e-25 && fabs((double)(x[1] - y[1])) < 1e-25);
      }
}

/* All shapes up to 6 x 8 and both ways round, all engines, default and dd, with bounds. */
TEST(t_rect_every_engine_matches_the_oracle)
{
  double a[6 * 8 * 2], b[6 * 8 * 2];
  int parts, m, n, kind, k, dd, way, certified = 0;
  for (parts = 1; parts <= 2; parts++)
    for (m = 1; m <= 6; m++)
      for (n = m; n <= 8; n++)
        for (kind = 0; kind < 4; kind++) {
          oracle_wide value[2], absolute[2];
          rect_random(a, m * n * parts, kind);
          for (k = 0; k < m * n; k++) /* at least the moduli, as real numbers */
            b[k] = fabs(a[k * parts]) + (parts == 2 ? fabs(a[2 * k + 1]) : 0);
          oracle_rectangular(parts, m, n, a, value);
          oracle_rectangular(1, m, n, b, absolute);
          for (k = 0; k < 2 * RECT_METHODS; k++)
            for (way = 0; way < 3; way++) {
              perm_options options = {0};
              perm_result r;
              double distance;
              dd = way == 1;
              options.method = rect_methods[k / 2];
              options.isa = way == 2 ? PERM_ISA_PLAIN : PERM_ISA_AUTO;
              options.precision = dd ? PERM_PRECISION_DD : PERM_PRECISION_FAST;
              if (k & 1)
                rect_transpose(parts, m, n, a, b);
              CHECK(rect_compute(parts, k & 1 ? n : m, k & 1 ? m : n, k & 1 ? b : a, &options, &r) == PERM_OK);
              distance = rect_distance(&r, value);
              if (m == n && (options.method == PERM_METHOD_RYSER || options.method == PERM_METHOD_EXPANSION))
                continue; /* engines for square matrices, tested elsewhere */
              CHECK_SHOW(distance <= r.error_bound &&
                             (r.error_bound < (double)INFINITY || r.method == PERM_METHOD_DENSE),
                         "%s %dx%d kind %d: off by %g, error %g", perm_name("method", r.method), m, n, kind, distance,
                         r.error_bound);
              CHECK_SHOW(distance <=
                             (dd ? 1e-15 * rect_size(value) + 1e-26 * (double)absolute[0] : 0) + r.error_estimate * 2,
                         "%s %dx%d kind %d: off by %g, estimate %g", perm_name("method", r.method), m, n, kind,
                             distance,
                         r.error_estimate);
              certified += r.error_bound < (double)INFINITY;
            }
        }
  CHECK(certified > 0);
}

/* Certified bounds hold, and are not a thousand times what n u sum |terms| would be. */
TEST(t_rect_bounds_are_sound_and_not_vacuous)
{
  static const int shape[][2] = {{3, 40}, {5, 12}, {10, 12}, {9, 10}, {2, 300}};
  double *a = (double *)malloc(12 * 300 * 2 * sizeof *a), *b = (double *)malloc(12 * 300 * 2 * sizeof *a);
  int s, kind, parts, method;
  for (s = 0; s < 5; s++)
    for (kind = 0; kind < 3; kind++)
      for (parts = 1; parts <= 2; parts++)
        for (method = 0; method < 3; method++) {
          const int m = shape[s][0], n = shape[s][1];
          oracle_wide value[2], absolute[2];
          perm_options options = {0};
          perm_result r;
          double distance, most;
          int k;
          options.method = method == 0 ? PERM_METHOD_SUBSETS : method == 1 ? PERM_METHOD_SHORT : PERM_METHOD_AUTO;
          options.precision = PERM_PRECISION_FAST;
          options.certify = 1;
          rect_random(a, m * n * parts, kind);
          for (k = 0; k < m * n; k++)
            b[k] = parts == 2 ? fabs(a[2 * k]) + fabs(a[2 * k + 1]) : fabs(a[k]);
          oracle_rectangular(parts, m, n, a, value);
          oracle_rectangular(1, m, n, b, absolute);
          CHECK(rect_compute(parts, m, n, a, &options, &r) == PERM_OK);
          distance = rect_distance(&r, value);
          CHECK_SHOW(distance <= r.error_bound, "%s %dx%d: off by %g, error %g", perm_name("method", r.method), m, n,
                     distance, r.error_bound);
          most = 1.2e-16 * 20 * n * (double)absolute[0] * (method == 1 ? 40 : 1) + 1e-15 * rect_size(value);
          CHECK_SHOW(r.error_bound <= most, "%s %dx%d kind %d: error %g, more than %g", perm_name("method", r.method),
                     m,
                     n, kind, r.error_bound, most);
        }
  free(a);
  free(b);
}

TEST(t_rect_near_square_and_long)
{
  static const int shape[][2] = {{10, 12}, {12, 13}, {5, 300}, {300, 5}, {1, 4096}, {11, 12}, {3, 1000}, {8, 100}};
  double *a = (double *)malloc(16 * 4096 * sizeof *a), *b = (double *)malloc(16 * 4096 * sizeof *a);
  int s, k;
  for (s = 0; s < 8; s++) {
    const int m = shape[s][0], n = shape[s][1], few = m < n ? m : n, many = m < n ? n : m;
    oracle_wide value[2];
    perm_result r;
    rect_random(a, m * n, s & 1);
    rect_transpose(1, m, n, a, b);
    oracle_rectangular(1, few, many, m < n ? a : b, value);
    CHECK(perm_compute_real(m, n, a, n, NULL, &r) == PERM_OK);
    CHECK_SHOW(rect_distance(&r, value) <= 1e-10 * rect_size(value), "%d x %d: %g", m, n, rect_distance(&r, value));
    for (k = 0; k < 4; k++) {
      static const perm_method method[] = {PERM_METHOD_SUBSETS, PERM_METHOD_SHORT, PERM_METHOD_RYSER,
                                           PERM_METHOD_PADDED};
      perm_options options = {0};
      options.method = method[k];
      options.precision = PERM_PRECISION_DD;
      if ((k > 1 && many > 13) || (k == 1 && many > 500))
        continue;
      CHECK(perm_compute_real(m, n, a, n, &options, &r) == PERM_OK && r.method == method[k]);
      CHECK_SHOW(rect_distance(&r, value) <= 1e-15 * rect_size(value), "%s %d x %d: %g", perm_name("method",
                                                                                                   method[k]), m,
                 n, rect_distance(&r, value));
    }
  }
  free(a);
  free(b);
}

/* The permanent is linear in every row, columns of zeros do not matter, a row of zeros makes it 0. */
TEST(t_rect_identities)
{
  double a[6 * 20], b[6 * 20], c[6 * 20];
  perm_result r, s, t;
  int trial, i, j, k;
  for (trial = 0; trial < 20; trial++) {
    const int m = 2 + test_below(5), n = m + test_below(8), row = test_below(m);
    rect_random(a, m * n, 1);
    memcpy(b, a, sizeof a);
    memcpy(c, a, sizeof a);
    for (j = 0; j < n; j++) {
      b[row * n + j] = test_uniform();
      c[row * n + j] = a[row * n + j] + b[row * n + j];
    }
    CHECK(!perm_compute_real(m, n, a, n, NULL, &r) && !perm_compute_real(m, n, b, n, NULL, &s) &&
          !perm_compute_real(m, n, c, n, NULL, &t));
    CHECK(fabs(r.value + s.value - t.value) <=
          1e-13 * (fabs(r.value) + fabs(s.value)) + r.error_estimate + s.error_estimate);
    for (i = 0; i < m; i++) { /* three columns of zeros behind */
      for (j = 0; j < n + 3; j++)
        b[i * (n + 3) + j] = j < n ? a[i * n + j] : 0;
    }
    for (k = 0; k < RECT_METHODS; k++) {
      perm_options options = {0};
      options.method = rect_methods[k];
      options.precision = PERM_PRECISION_DD;
      if (m == n && k == 0)
        continue; /* another engine */
      CHECK(!perm_compute_real(m, n, a, n, &options, &s) || options.method == PERM_METHOD_EXPANSION ||
            options.method == PERM_METHOD_RYSER);
      if (s.status == PERM_OK && !perm_compute_real(m, n + 3, b, n + 3, &options, &t))
        CHECK_SHOW(fabs(s.value - t.value) <= 1e-14 * fabs(s.value) + s.error_estimate, "%s",
                   perm_name("method", rect_methods[k]));
    }
    memset(a + row * n, 0, (size_t)n * sizeof *a);
    CHECK(!perm_compute_real(m, n, a, n, NULL, &r) && r.value == 0 && r.error_bound == 0);
  }
}

/* What is a sum of few small integers comes out exactly, with error 0. */
TEST(t_rect_padded_identity_is_exact)
{
  int m, n, i, k;
  for (m = 1; m <= 12; m++)
    for (n = m; n <= 30; n += 4)
      for (k = 0; k < 5; k++) {
        static double a[12 * 30];
        perm_options options = {0};
        perm_result r;
        options.method = rect_methods[k];
        memset(a, 0, sizeof a);
        for (i = 0; i < m; i++)
          a[i * n + (k & 1 ? n - 1 - i : i)] = 1;
        if (m == n && k == 0)
          continue;
        if (k == 4 && (n > 12 || m == n))
          continue;
        CHECK(perm_compute_real(m, n, a, n, &options, &r) == PERM_OK);
        CHECK_SHOW(r.value == 1 && r.exp2 == 0 && r.error_bound <= 1e-13, "%s %d x %d: %.17g, error %g",
                   perm_name("method", options.method), m, n, r.value, r.error_bound);
        if (k == 1)
          CHECK(r.error_bound == 0 && r.error_estimate == 0);
      }
}

TEST(t_rect_scales)
{
  static const int power[] = {-660, 660, -1000, 900};
  double a[4 * 9], b[4 * 9];
  int trial, k, i, j;
  for (trial = 0; trial < 4; trial++)
    for (k = 0; k < RECT_METHODS; k++) {
      perm_options options = {0};
      perm_result r, s;
      options.method = rect_methods[k];
      rect_random(a, 36, 1);
      for (i = 0; i < 4; i++)
        for (j = 0; j < 9; j++)
          b[i * 9 + j] = ldexp(a[i * 9 + j], power[trial] + (trial & 1 ? -8 * i : 8 * i));
      CHECK(perm_compute_real(4, 9, a, 9, &options, &r) == PERM_OK);
      CHECK(perm_compute_real(4, 9, b, 9, &options, &s) == PERM_OK);
      s.value = ldexp(s.value, (int)(s.exp2 - 4 * power[trial] + (trial & 1 ? 48 : -48)));
      CHECK_SHOW(options.method == PERM_METHOD_PADDED ? fabs(s.value / r.value - 1) < 1e-10 : s.value == r.value,
                 "%s 2^%d: %.17g, not %.17g", perm_name("method", options.method), power[trial], s.value, r.value);
    }
  { /* rows that differ by hundreds of orders of magnitude */
    double c[] = {1e200, 2e200, 3e200, 1e-200, 2e-200, 5e-200};
    perm_result r;
    CHECK(perm_compute_real(2, 3, c, 3, NULL, &r) == PERM_OK && fabs(r.value - 28) < 1e-13 && r.error_bound < 1e-13);
  }
}

static int rect_same(const perm_partial *x, const perm_partial *y)
{
  return !memcmp(&x->value, &y->value, sizeof x->value) && !memcmp(&x->imaginary, &y->imaginary, sizeof x->value) &&
         !memcmp(&x->absolute, &y->absolute, sizeof x->value);
}

/* Bits do not depend on threads, nor on how chunks are shared out; every chunk's start is the walk's own. */
TEST(t_rect_same_bits_for_every_split)
{
  static double a[14 * 20 * 2];
  int parts, k, precision;
  for (parts = 1; parts <= 2; parts++)
    for (k = 2; k < 6; k++)
      for (precision = 0; precision < 2; precision++) {
        perm_options options = {0};
        perm_result r, first;
        const int m = precision ? 9 : 12, n = precision ? 11 : 14;
        int threads;
        options.method = rect_methods[k];
        options.precision = precision ? PERM_PRECISION_DD : PERM_PRECISION_FAST;
        rect_random(a, m * n * parts, 1);
        for (threads = 1; threads <= 3; threads++) {
          options.threads = threads;
          CHECK(rect_compute(parts, m, n, a, &options, &r) == PERM_OK);
          if (threads == 1)
            first = r;
          CHECK(r.value == first.value && r.imaginary == first.imaginary && r.error_estimate == first.error_estimate);
        }
        { /* chunk by chunk, backwards, against one run through all terms */
          const permi_problem problem = permi_problem_make(m, n, a, NULL, n, permi_reach_of(parts), NULL, NULL);
          permi_counted counted;
          permi_choice choice;
          permi_leaf leaf;
          perm_partial whole, pieces;
          void *memory, *workspace;
          permi_counts *counts;
          uint64_t chunk;
          CHECK(permi_counted_make(&problem, &options.allocator, &counted) == PERM_OK);
          choice = permi_counts_choice(&counted, &options);
          choice.seconds = 2e-3; /* some chunks */
          CHECK(permi_choice_leaf(&counted, &choice, 0, 1, &options.allocator, &leaf) == PERM_OK);
          memset(&whole, 0, sizeof whole);
          memset(&pieces, 0, sizeof pieces);
          counts = (permi_counts *)leaf.context;
          CHECK(permi_workspace_make(&options.allocator, &leaf, 1, &memory));
          workspace = permi_workspace_of(&leaf, memory, 0);
          CHECK(counts->chunks >= 4);
          for (chunk = counts->chunks; chunk-- > 0;)
            leaf.run_chunk(&leaf, chunk, workspace, &pieces);
          if (precision) { /* terms are added exactly, so one chunk gives the same */
            counts->chunks = 1;
            leaf.run_chunk(&leaf, 0, workspace, &whole);
            CHECK(rect_same(&whole, &pieces) && whole.terms == pieces.terms);
          }
          permi_release(&options.allocator, memory);
          CHECK(pieces.terms == (double)counts->terms);
          leaf.release(&options.allocator, leaf.context);
          permi_counted_free(&options.allocator, &counted);
        }
      }
}

TEST(t_rect_empty_and_bad_arguments)
{
  double a[] = {1, 2, 3, 4, 5, 6};
  perm_options options = {0};
  perm_result r;
  CHECK(perm_compute_real(0, 5, NULL, 5, NULL, &r) == PERM_OK && r.value == 1 && r.exact);
  CHECK(perm_compute_real(5, 0, NULL, 0, NULL, &r) == PERM_OK && r.value == 1 && r.error_bound == 0);
  CHECK(perm_compute_complex(0, 0, NULL, 0, NULL, &r) == PERM_OK && r.value == 1 && r.imaginary == 0);
  CHECK(perm_compute_real(2, 3, a, 3, NULL, NULL) == PERM_ERROR_NULL);
  CHECK(perm_compute_real(2, 3, a, 3, NULL, &r) == PERM_OK && r.value == 1 * 5 + 1 * 6 + 2 * 4 + 2 * 6 + 3 * 4 + 3 * 5);
  CHECK(perm_compute_real(3, 2, a, 2, NULL, &r) == PERM_OK && r.value == 1 * 4 + 1 * 6 + 3 * 2 + 3 * 6 + 5 * 2 + 5 * 4);
#define RECT_BAD(call, expected, position, text)                                                                       \
  CHECK((call) == (expected) && r.status == (expected) && r.argument == (position));                                   \
  CHECK(isnan(r.value) && r.error_bound == (double)INFINITY && r.error_estimate == (double)INFINITY);                  \
  CHECK_TEXT(r.message, text);
  RECT_BAD(perm_compute_real(-1, 3, a, 3, NULL, &r), PERM_ERROR_SIZE, 1, "negative")
  RECT_BAD(perm_compute_real(2, 5000, a, 5000, NULL, &r), PERM_ERROR_SIZE, 2, "4096")
  RECT_BAD(perm_compute_real(2, 3, NULL, 3, NULL, &r), PERM_ERROR_NULL, 3, "NULL")
  RECT_BAD(perm_compute_real(2, 3, a, 2, NULL, &r), PERM_ERROR_STRIDE, 4, "ld is 2")
  a[4] = (double)NAN;
  RECT_BAD(perm_compute_real(2, 3, a, 3, NULL, &r), PERM_ERROR_NOT_FINITE, 3, "row 2, column 2")
  a[4] = 5;
  options.method = PERM_METHOD_DENSE;
  RECT_BAD(perm_compute_real(2, 3, a, 3, &options, &r), PERM_ERROR_UNSUPPORTED, 5, "square")
  options.method = PERM_METHOD_AUTO;
  options.precision = PERM_PRECISION_EXACT;
  RECT_BAD(perm_compute_real(2, 3, a, 3, &options, &r), PERM_ERROR_UNSUPPORTED, 5, "perm_compute_integer")
  options.precision = PERM_PRECISION_KAHAN;
  RECT_BAD(perm_compute_real(2, 3, a, 3, &options, &r), PERM_ERROR_UNSUPPORTED, 5, "kahan")
  options.precision = PERM_PRECISION_DEFAULT;
  options.max_seconds = -1;
  RECT_BAD(perm_compute_real(2, 3, a, 3, &options, &r), PERM_ERROR_OPTION, 5, "max_seconds")
  options.max_seconds = 0;
  {
    double *wide = (double *)malloc(40 * 80 * sizeof *wide);
    rect_random(wide, 40 * 80, 0);
    options.max_bytes = 1e6;
    options.method = PERM_METHOD_SUBSETS;
    RECT_BAD(perm_compute_real(20, 60, wide, 60, &options, &r), PERM_ERROR_LIMIT, 5, "max_bytes")
    options.method = PERM_METHOD_EXPANSION;
    RECT_BAD(perm_compute_real(40, 80, wide, 80, &options, &r), PERM_ERROR_LIMIT, 5, "1e14")
    options.method = PERM_METHOD_AUTO;
    options.max_bytes = 0;
    options.max_seconds = 0.05; /* a range stops */
    CHECK(perm_compute_real(39, 80, wide, 80, &options, &r) == PERM_STOPPED_TIME && r.method == PERM_METHOD_SHORT);
    free(wide);
  }
  options.max_seconds = 0;
  {
    static const int yes = 1;
    double wide[18 * 40];
    rect_random(wide, 18 * 40, 0);
    options.cancel = &yes;
    options.method = PERM_METHOD_SHORT;
    CHECK(perm_compute_real(18, 40, wide, 40, &options, &r) == PERM_STOPPED_CANCELLED);
    options.method = PERM_METHOD_SUBSETS;
    CHECK(perm_compute_real(18, 40, wide, 40, &options, &r) == PERM_STOPPED_CANCELLED);
    CHECK(r.error_bound == (double)INFINITY);
  }
}

/* Tolerances raise the precision, and are judged. */
TEST(t_rect_escalates)
{
  double a[4 * 8];
  perm_options options = {0};
  perm_result r;
  int j;
  for (j = 0; j < 8; j++) { /* two rows that all but cancel against two others */
    a[j] = 1;
    a[8 + j] = j & 1 ? -1 : 1;
    a[16 + j] = 1 + ldexp(j, -30);
    a[24 + j] = j & 1 ? -1 - ldexp(j, -31) : 1;
  }
  options.precision = PERM_PRECISION_FAST;
  options.tolerance = 1e-15;
  options.method = PERM_METHOD_SHORT;
  CHECK_SHOW(perm_compute_real(4, 8, a, 8, &options, &r) == PERM_OK && r.precision == PERM_PRECISION_DD &&
                 r.escalated == 1,
             "%s %g %g %s", perm_name("precision", r.precision), r.value, r.error_estimate, r.message);
  options.method = PERM_METHOD_SUBSETS; /* what double-double cannot tell from 0, whole numbers can */
  for (j = 0; j < 8; j++) {
    a[j] = ldexp(1, j < 4 ? 55 : 1);
    a[8 + j] = j < 4 ? 3 : ldexp(1, 55);
    a[16 + j] = j % 2 ? -ldexp(1, 54) : ldexp(1, 54) + 1024 * j;
    a[24 + j] = j % 4 < 2 ? -1 : 1;
  }
  options.tolerance = 1e-15;
  CHECK(perm_compute_real(4, 8, a, 8, &options, &r) == PERM_OK && r.escalated > 0);
  {
    oracle_wide value[2];
    oracle_rectangular(1, 4, 8, a, value);
    CHECK_SHOW(rect_distance(&r, value) <= 1e-15 * rect_size(value), "%.17g, not %.17g", r.value, (double)value[0]);
  }
  options.tolerance = 1e-40;
  CHECK(perm_compute_real(4, 8, a, 8, &options, &r) == PERM_TOLERANCE_NOT_MET);
}

/* In every term of this matrix some form all but cancels: what is left is below the grid of its high part. */
TEST(t_rect_small_parts_of_forms_count)
{
  double a[9] = {1, 1, 0.5, 1, -1, 0.25, 0, 0, 1};
  int parts;
  for (parts = 60; parts < 90; parts += 5) {
    perm_options options = {0};
    oracle_wide value[2];
    perm_result r;
    a[6] = ldexp(1, -parts);
    a[7] = ldexp(3, -parts);
    options.method = PERM_METHOD_MULTIPLICITIES;
    options.precision = PERM_PRECISION_FAST;
    options.tolerance = 1e10;
    oracle_rectangular(1, 3, 3, a, value);
    CHECK(perm_compute_real(3, 3, a, 3, &options, &r) == PERM_OK && r.precision == PERM_PRECISION_DEFAULT);
    CHECK_SHOW(rect_distance(&r, value) <= r.error_bound, "2^-%d: %.17g, not %.17g, error %g", parts, r.value,
               (double)value[0], r.error_bound);
  }
}

static struct {
  long countdown, live;
} rect_memory;

static void *rect_allocate(size_t bytes, void *user_data)
{
  (void)user_data;
  if (!rect_memory.countdown--)
    return NULL;
  rect_memory.live++;
  return malloc(bytes);
}

static void rect_release(void *pointer, void *user_data)
{
  (void)user_data;
  rect_memory.live--;
  free(pointer);
}

TEST(t_rect_failing_allocations)
{
  double a[4 * 6];
  perm_options options = {0};
  perm_result r;
  int k, fail, failed = 0;
  options.allocator.allocate = rect_allocate;
  options.allocator.release = rect_release;
  rect_random(a, 24, 1);
  for (k = 0; k < RECT_METHODS; k++)
    for (fail = 0; fail < 20; fail++) {
      perm_status status;
      options.method = rect_methods[k];
      rect_memory.countdown = fail;
      rect_memory.live = 0;
      status = perm_compute_real(4, 6, a, 6, &options, &r);
      CHECK(status == PERM_OK || (status == PERM_ERROR_MEMORY && isnan(r.value)));
      CHECK(rect_memory.live == 0);
      failed += status != PERM_OK;
    }
  CHECK(failed >= 3 * RECT_METHODS);
}

/* Entries that scaling pushes below the least double, while what is large cancels: the bound has to pay for them. */
TEST(t_rect_entries_lost_to_scaling)
{
  const double least = 5e-324, H = 0x1.3431237591d83p-2, K = -0x1.449f8ca70a905p+0;
  const double wide[6] = {ldexp(1, 1000), ldexp(1, -80), -ldexp(1, 1000), 1, 1, 1}, line[3] = {3, least, -3};
  /* three equal rows, one twice them, two with a least entry each: all but terms of those cancels in no column */
  const double rows[35] = {0, 0, H, 0, K, 0, least, H, 0, K, 0, 0, 2 * H, 0, 2 * K, 0, 0, H, least, K,
                           -0.284, -1.2, 0.037, -0.305, 0.527, 0.168, 0, 0, 0, 0.487, 0, 0, H, 0, K};
  static const perm_method methods[] = {PERM_METHOD_AUTO,  PERM_METHOD_SUBSETS, PERM_METHOD_MULTIPLICITIES,
                                        PERM_METHOD_SHORT, PERM_METHOD_RYSER,   PERM_METHOD_EXPANSION};
  perm_result r;
  int k, precision, certify;
  for (k = 0; k < 6; k++)
    for (precision = 0; precision <= PERM_PRECISION_DD; precision++)
      for (certify = 0; certify < 2; certify++) {
        perm_options options;
        double all = 0, x;
        int p[5];
        memset(&options, 0, sizeof options);
        options.method = methods[k];
        options.precision = (perm_precision)precision;
        options.certify = certify;
        CHECK(perm_compute_real(2, 3, wide, 3, &options, &r) == PERM_OK);
        CHECK_SHOW(fabs(ldexp(r.value, (int)r.exp2) - ldexp(1, -79)) <= ldexp(r.error_bound, (int)r.exp2), "%s, %d: %g",
                   perm_name("method", methods[k]), precision, r.value);
        CHECK(perm_compute_real(1, 3, line, 3, &options, &r) == PERM_OK);
        CHECK(fabs(ldexp(r.value, (int)r.exp2) - least) <= ldexp(r.error_bound, (int)r.exp2));
        /* injections of 5 columns into 7 rows, in units of the least double: only terms with one such entry count */
        for (p[0] = 0; p[0] < 7; p[0]++)
          for (p[1] = 0; p[1] < 7; p[1]++)
            for (p[2] = 0; p[2] < 7; p[2]++)
              for (p[3] = 0; p[3] < 7; p[3]++)
                for (p[4] = 0; p[4] < 7; p[4]++) {
                  int c, d, clash = 0;
                  x = 1;
                  for (c = 0; c < 5; c++) {
                    for (d = 0; d < c; d++)
                      clash |= p[c] == p[d];
                    x *= rows[p[c] * 5 + c] == least ? 1e-40 : rows[p[c] * 5 + c];
                  }
                  all += clash || fabs(x) > 1e-35 || fabs(x) < 1e-45 ? 0 : 1e40 * x;
                }
        CHECK(perm_compute_real(7, 5, rows, 5, &options, &r) == PERM_OK);
        x = ldexp(r.value, (int)r.exp2 + 1074);
        CHECK_SHOW(fabs(x - all) <= ldexp(r.error_bound, (int)r.exp2 + 1074) + 1e-9, "%s, %d, %d: %g, not %g",
                   perm_name("method", methods[k]), precision, certify, x, all);
      }
}

/* As many different columns as rows, but more columns in all: not a square matrix. */
TEST(t_rect_repeated_columns_are_not_square)
{
  static const perm_precision precisions[] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_FAST};
  double a[12 * 14], b[12 * 14];
  int m, n, p, i, j;
  for (m = 2; m <= 12; m++)
    for (n = m + 1; n <= m + 2; n++)
      for (p = 0; p < 2; p++) {
        perm_options options = {0};
        oracle_wide value[2];
        perm_result r;
        rect_random(a, m * n, 1);
        for (i = 0; i < m; i++)
          for (j = m; j < n; j++)
            a[i * n + j] = a[i * n];
        rect_transpose(1, m, n, a, b);
        oracle_rectangular(1, m, n, a, value);
        options.precision = precisions[p];
        CHECK(perm_compute_real(m, n, a, n, &options, &r) == PERM_OK);
        CHECK_SHOW(rect_distance(&r, value) <= 1e-13 * rect_size(value), "%d x %d: %s", m, n,
                   perm_name("method", r.method));
        CHECK(perm_compute_real(n, m, b, m, &options, &r) == PERM_OK);
        CHECK(rect_distance(&r, value) <= 1e-13 * rect_size(value));
      }
}

/* 2^60 states are more than can be counted; before, a state was written behind the memory of none. */
TEST(t_rect_states_beyond_counting_are_refused)
{
  static double a[60 * 61];
  const volatile int cancelled = 1;
  perm_options options;
  perm_result r;
  rect_random(a, 60 * 61, 1);
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_SUBSETS;
  options.cancel = &cancelled; /* lest a failure takes for ever */
  CHECK(perm_compute_real(60, 61, a, 61, &options, &r) == PERM_ERROR_MEMORY);
}
/* SPDX-License-Identifier: MIT */
