/* >>small_exact */
/* Small integer matrices at once: the integers of the general path, at every limit between the ways. */

/* Asks for a job. */
static perm_status small_exact_by_a_job(const perm_job *job, perm_state *state, const perm_options *options,
                                        perm_result *result)
{
  return perm_job_execute(job, state, options, result);
}

static int small_exact_same(const perm_integer *a, const perm_integer *b)
{
  return a->negative == b->negative && a->words == b->words && !memcmp(a->word, b->word, sizeof a->word);
}

/* Compares perm_compute_integer, or _gaussian, with the general path; returns whether the matrix went at once. */
static int small_exact_check(int n, int parts, const int64_t *a, ptrdiff_t ld, perm_isa isa)
{
  perm_options options, general;
  perm_result small, large, alone;
  perm_status (*compute)(int, int, const int64_t *, ptrdiff_t, const perm_options *, perm_result *) =
      parts == 2 ? perm_compute_gaussian : perm_compute_integer;
  memset(&options, 0, sizeof options);
  options.isa = isa;
  general = options;
  general.execute = small_exact_by_a_job;
  memset(&small, 0xa5, sizeof small);
  CHECK(compute(n, n, a, ld, &options, &small) == PERM_OK);
  CHECK(compute(n, n, a, ld, &general, &large) == PERM_OK);
  CHECK_SHOW(small_exact_same(&small.integer, &large.integer), "n = %d, parts %d: %.17g, %.17g", n, parts, small.value,
             large.value);
  CHECK(small_exact_same(&small.imaginary_integer, &large.imaginary_integer));
  CHECK_SHOW(small.value == large.value && small.imaginary == large.imaginary && small.exp2 == large.exp2,
             "%.17g 2^%lld, %.17g 2^%lld", small.value, small.exp2, large.value, large.exp2);
  CHECK(small.exact && small.error_bound == 0 && small.error_estimate == 0 && small.status == PERM_OK);
  CHECK(small.precision == PERM_PRECISION_EXACT && small.is_complex == (parts == 2) && !small.message[0]);
  return permi_small_exact(permi_isa(&options), n, parts, a, ld, &alone);
}

TEST(t_small_exact_equals_the_general_path)
{
  int64_t a[2 * 16 * 19];
  long at_once = 0, general = 0;
  int n, parts, bits, isa, i;
  for (n = 2; n <= 16; n++)
    for (parts = 1; parts <= 2; parts++)
      for (bits = 1; bits <= (n > 12 ? 3 : 63); bits += n < 9 || n > 12 ? 1 : 5)
        for (isa = PERM_ISA_PLAIN; isa <= (int)permi_isa_doubles(perm_isa_best()); isa++) {
          const ptrdiff_t ld = n + test_below(4);
          if (!permi_isa_here((perm_isa)isa))
            continue;
          for (i = 0; i < 2 * 16 * 19; i++)
            a[i] = test_below(4) ? (int64_t)test_random() >> (64 - bits) : 0;
          if (small_exact_check(n, parts, a, ld, (perm_isa)isa))
            at_once++;
          else
            general++;
        }
  CHECK_SHOW(at_once > 200 && general > 200, "%ld at once, %ld by a job", at_once, general);
}

/* All entries c: n! c^n, with prod_i R_i = (n c)^n; around each c at which the way changes, and signs of all kinds. */
TEST(t_small_exact_at_its_limits)
{
  int64_t a[2 * 16 * 16];
  int n, parts, i, k, way;
  long seen[2] = {0, 0};
  for (n = 2; n <= 16; n++)
    for (parts = 1; parts <= 2; parts++)
      for (way = 0; way < (n > 12 ? 1 : 3); way++) {
        const double limit = way == 0   ? ldexp(1, 53 - (n < 4 ? 0 : n - 3))
                             : way == 1 ? ldexp(1, 63)
                                        : ldexp(1, 126);
        const int64_t c = (int64_t)(pow(limit, 1.0 / n) / n / parts);
        for (k = -2; k <= 4; k++)
          for (i = 0; i < 6; i++) {
            int e;
            for (e = 0; e < n * n * parts; e++)
              a[e] = i == 0 ? c + k : i == 1 ? -c - k : i == 2 ? (e % 3 ? c + k : -c - k) : c + k - test_below(3);
            if (i == 4)
              for (e = 0; e < n * parts; e++)
                a[e] = 0;
            seen[small_exact_check(n, parts, a, n, PERM_ISA_AUTO)]++;
          }
      }
  CHECK_SHOW(seen[0] > 50 && seen[1] > 500, "%ld by a job, %ld at once", seen[0], seen[1]);
}

/* Orders 13 to 16: rows of few small entries, one of them long enough that 2^(n-3) prod_i R_i lies around 2^53. */
TEST(t_small_exact_far_limits)
{
  int64_t a[2 * 16 * 16];
  long seen[2] = {0, 0};
  int n, parts, run, k, i, j;
  for (n = 13; n <= 16; n++)
    for (parts = 1; parts <= 2; parts++)
      for (run = 0; run < 6; run++) {
        double product = 1;
        memset(a, 0, sizeof a);
        for (i = 1; i < n; i++) {
          double sum = 0;
          for (j = 0; j < 4; j++) {
            int64_t *x = a + (i * n + (i + (j ? test_below(n) : 0)) % n) * parts + test_below(parts);
            *x = test_below(3) ? 1 : -2;
          }
          for (j = 0; j < n * parts; j++)
            sum += (double)llabs(a[i * n * parts + j]);
          product *= sum;
        }
        for (k = -1; k <= 1; k++) {
          a[0] = (int64_t)(ldexp(1, 53 - (n - 3)) / product) + k;
          seen[small_exact_check(n, parts, a, n, PERM_ISA_AUTO)]++;
        }
      }
  CHECK_SHOW(seen[0] >= 40 && seen[1] >= 40, "%ld by a job, %ld at once", seen[0], seen[1]);
}

/* Diagonals whose product lies by 2^63, where the rounded product of the R_i may lie on the other side. */
TEST(t_small_exact_around_a_sign)
{
  static const int64_t known[3][3] = {
    {0x43, 0xdf2dae3395e3, 0x231}, {0x3, 0x13323d7cecf427, 0x239}, {0x13, 0x2ad915d7a9a27, 0x284}};
  int run, k, parts;
  for (run = 0; run < 400; run++)
    for (k = -2; k <= 2; k++)
      for (parts = 1; parts <= 2; parts++) {
        int64_t a[2 * 9] = {0}, x = 1 + test_below(700), z = 1 + test_below(700);
        int64_t y = (int64_t)(((uint64_t)1 << 63) / (uint64_t)(x * z)) + k;
        if (run < 3) {
          x = known[run][0];
          y = known[run][1] + k;
          z = known[run][2];
        }
        a[0] = x;
        a[4 * parts + (parts == 2 && run % 2)] = test_below(2) ? y : -y;
        a[8 * parts] = z;
        small_exact_check(3, parts, a, 3, PERM_ISA_AUTO);
      }
}

TEST(t_small_exact_leaves_the_rest)
{
  static const int64_t a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10};
  perm_options options;
  perm_result result;
  memset(&options, 0, sizeof options);
  options.modulus = 7;
  CHECK(perm_compute_integer(3, 3, a, 3, &options, &result) == PERM_OK && result.modulus == 7);
  CHECK(result.value == 463 % 7);
  options.modulus = 0;
  options.method = PERM_METHOD_DENSE;
  CHECK(perm_compute_integer(3, 3, a, 3, &options, &result) == PERM_ERROR_UNSUPPORTED);
  options.method = PERM_METHOD_AUTO;
  options.threads = -1;
  CHECK(perm_compute_integer(3, 3, a, 3, &options, &result) == PERM_ERROR_OPTION && result.argument == 5);
  options.threads = 1;
  CHECK(perm_compute_integer(3, 3, a, 2, &options, &result) == PERM_ERROR_STRIDE);
  CHECK(perm_compute_integer(3, 3, NULL, 3, &options, &result) == PERM_ERROR_NULL);
  CHECK(perm_compute_integer(3, 3, a, 3, &options, NULL) == PERM_ERROR_NULL);
  CHECK(perm_compute_integer(3, 3, a, 3, &options, &result) == PERM_OK && result.value == 463 && result.threads == 1);
  options.tolerance = -1;
  CHECK(perm_compute_integer(3, 3, a, 3, &options, &result) == PERM_ERROR_OPTION);
}

/* What a result says of its kernels: subsets are portable, and so is order 4 and below; norms that multiply to 2^44,
   2^57 and 2^70. */
TEST(t_small_exact_names_its_kernels)
{
  static const int bits[] = {44, 57, 70};
  int64_t a[2 * 9 * 9];
  int n, parts, k, i, isa;
  for (n = 4; n <= 9; n++)
    for (parts = 1; parts <= 2; parts++)
      for (k = 0; k < 3; k++)
        for (isa = isa_first(); isa; isa = isa_next(isa)) {
          perm_result r;
          for (i = 0; i < n * n * parts; i++)
            a[i] = (int64_t)(pow(2, (double)bits[k] / n) / n / parts);
          if (k && n + parts > 9) {
            CHECK(permi_small_exact((perm_isa)isa, n, parts, a, n, &r) == 0);
            continue;
          }
          CHECK(permi_small_exact((perm_isa)isa, n, parts, a, n, &r) == 1 && r.method == PERM_METHOD_EXACT);
          CHECK_SHOW(r.isa == (n < 5 || k ? PERM_ISA_PLAIN : (perm_isa)isa), "n = %d, %d parts, 2^%d: %s", n,
                     parts, bits[k], perm_name("isa", r.isa));
          CHECK(r.terms == ldexp(1, n - 1) && r.threads == 1);
        }
}

/* Entries are doubles here, without rounding: those of more than 53 bits go by a job. */
TEST(t_small_exact_takes_entries_that_are_doubles)
{
  const int64_t most = INT64_C(1) << 53;
  int64_t a[2 * 9] = {0};
  double real[2 * 9];
  int parts, at, k;
  for (parts = 1; parts <= 2; parts++)
    for (at = 0; at < 9 * parts; at++)
      for (k = 0; k < 4; k++) {
        double product = 1;
        int i, j;
        memset(a, 0, sizeof a);
        for (i = 0; i < 3; i++)
          a[i * 4 * parts] = 1;
        a[at] = k == 0 ? most : k == 1 ? -most : k == 2 ? 2 * most + 2 : -2 * most - 2;
        for (i = 0; i < 3; i++) {
          double sum = 0;
          for (j = 0; j < 3 * parts; j++)
            sum += fabs((double)a[i * 3 * parts + j]);
          product *= sum;
        }
        CHECK_SHOW(permi_small_integers(3, parts, a, 3, real) == (k < 2 ? product : (double)INFINITY), "%d: %lld", at,
                   (long long)a[at]);
        for (i = 0; i < 9 * parts; i++)
          CHECK(real[i] == (double)a[i]);
      }
}
/* SPDX-License-Identifier: MIT */
