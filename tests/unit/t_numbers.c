/* >>doubles, >>integers */
/* Double-double, the associative sum, numbers of an expression, decimal texts. */

static double core_random_double(void) /* any finite double, all exponents */
{
  for (;;) {
    uint64_t bits = test_random();
    double x;
    memcpy(&x, &bits, sizeof x);
    if (fabs(x) <= DBL_MAX)
      return x;
  }
}

/* The rest of a product has fma's bits, whatever the exponents; also less a number near the product. */
TEST(t_rest_of_a_product)
{
  int trial;
  for (trial = 0; trial < 200000; trial++) {
    const int near = trial % 2;
    const double a = near ? ldexp(test_uniform() - 0.5, test_below(60)) : core_random_double();
    const double b = trial % 16 == 2 ? 0 : near ? ldexp(test_uniform() - 0.5, test_below(60)) : core_random_double();
    const double c = a * b + (trial % 4 == 1 ? 3 * DBL_EPSILON * fabs(a * b) : 0);
    const double rest = permi_times_minus(a, b, c), want =
#if defined(_WIN32) /* whose fma may round twice */
        (double)((__float128)a * b - c);
#else
        fma(a, b, -c);
#endif
    CHECK(rest == want || (rest != rest && want != want));
  }
}

/* A sum of doubles does not depend on order or grouping, and adding the negatives returns to zero. */
TEST(t_sum_is_associative)
{
  int trial, i;
  for (trial = 0; trial < 200; trial++) {
    double x[64];
    perm_sum forward, backward, half, zero;
    memset(&forward, 0, sizeof forward);
    memset(&backward, 0, sizeof backward);
    memset(&half, 0, sizeof half);
    memset(&zero, 0, sizeof zero);
    for (i = 0; i < 64; i++)
      x[i] = core_random_double();
    for (i = 0; i < 64; i++)
      permi_sum_add_double(&forward, x[i]);
    for (i = 63; i >= 0; i--)
      permi_sum_add_double(i & 1 ? &half : &backward, x[i]);
    permi_sum_add(&backward, &half);
    CHECK(!memcmp(&forward, &backward, sizeof forward));
    CHECK(memcmp(&forward, &zero, sizeof zero) != 0);
    for (i = 0; i < 64; i++)
      permi_sum_add_double(&forward, -x[i]);
    CHECK(!memcmp(&forward, &zero, sizeof forward));
  }
}

/* Reading a sum back: hi is the nearest double, hi + lo is right to 2^-104. */
TEST(t_sum_value_is_nearest)
{
  int trial;
  for (trial = 0; trial < 20000; trial++) {
    double a = core_random_double(), b;
    perm_sum sum;
    permi_dd value;
    long long exp2;
    int e;
    frexp(a, &e);
    b = ldexp(test_uniform() - 0.5, e - test_below(120)); /* near a, so that both matter */
    if (fabs(a) > 1e300 || fabs(a) < 1e-250)
      continue;
    memset(&sum, 0, sizeof sum);
    permi_sum_add_double(&sum, a);
    permi_sum_add_double(&sum, b);
    value = permi_sum_value(&sum, &exp2);
    {
      permi_dd exact = permi_two_sum(a, b);
      CHECK_SHOW(ldexp(value.hi, (int)exp2) == exact.hi, "a = %a, b = %a", a, b);
      CHECK_SHOW(fabs(ldexp(value.lo, (int)exp2) - exact.lo) <= fabs(exact.hi) * 1e-31, "a = %a, b = %a", a, b);
    }
  }
}

TEST(t_sum_value_of_the_smallest)
{
  perm_sum sum;
  permi_dd value;
  long long exp2;
  memset(&sum, 0, sizeof sum);
  value = permi_sum_value(&sum, &exp2);
  CHECK(value.hi == 0 && value.lo == 0 && exp2 == 0);
  permi_sum_add_double(&sum, -5e-324);
  value = permi_sum_value(&sum, &exp2);
  CHECK(ldexp(value.hi, (int)exp2) == -5e-324 && value.lo == 0);
  permi_sum_add_double(&sum, DBL_MAX);
  permi_sum_add_double(&sum, DBL_MAX);
  value = permi_sum_value(&sum, &exp2);
  CHECK(value.hi == 0.5 * (1 + (1 - DBL_EPSILON)) || value.hi == 1 - DBL_EPSILON / 2);
  CHECK(exp2 == 1025);
}

/* Integers go through the sum and come back whole, with either sign. */
TEST(t_sum_carries_integers)
{
  int trial;
  for (trial = 0; trial < 2000; trial++) {
    uint64_t word[2];
    int negative = test_below(2);
    perm_integer back;
    perm_sum sum;
    word[0] = test_random();
    word[1] = test_below(3) ? test_random() : 0;
    memset(&sum, 0, sizeof sum);
    permi_sum_add_integer(&sum, word, 2, negative);
    CHECK(permi_sum_integer(&sum, &back));
    CHECK(back.words == (word[1] ? 2 : 1));
    CHECK(back.word[0] == word[0] && back.word[1] == word[1]);
    CHECK(negative == back.negative);
    permi_sum_add_double(&sum, 0.5);
    CHECK(!permi_sum_integer(&sum, &back));
  }
}

static void core_number(permi_number *number, long long integer)
{
  *number = permi_number_one();
  number->integer = permi_integer_of(integer);
  number->value = permi_dd_make((double)integer);
}

static long long core_back(const permi_number *number)
{
  return number->integer.negative ? -(long long)number->integer.word[0] : (long long)number->integer.word[0];
}

TEST(t_numbers_multiply)
{
  int trial;
  for (trial = 0; trial < 2000; trial++) {
    long long x = (long long)(test_random() >> 34) - (1 << 29), y = (long long)(test_random() >> 34) - (1 << 29);
    permi_number a, b;
    core_number(&a, test_below(8) ? x : 0);
    x = core_back(&a);
    core_number(&b, y);
    CHECK(permi_number_multiply(&a, &b) == PERM_OK);
    CHECK_SHOW(a.exact && core_back(&a) == x * y, "%lld * %lld = %lld", x, y, core_back(&a));
    CHECK(ldexp(a.value.hi, (int)a.exp2) == (double)(x * y) && a.error == 0);
  }
}

/* The bounds of a product: |ab - AB| <= |a| eb + |b| ea + ea eb, and the same for the estimates. */
TEST(t_numbers_carry_bounds)
{
  permi_number a = permi_number_one(), b = permi_number_one(), c;
  a.exact = b.exact = 0;
  a.value.hi = 3;
  a.error = 0.5;
  a.estimate = 0.25;
  b.value.hi = -5;
  b.error = 0.125;
  b.estimate = 0.75;
  c = a;
  CHECK(permi_number_multiply(&c, &b) == PERM_OK);
  CHECK(ldexp(c.value.hi, (int)c.exp2) == -15);
  CHECK(fabs(ldexp(c.error, (int)c.exp2) - (3 * 0.125 + 5 * 0.5 + 0.5 * 0.125)) < 1e-9);
  CHECK(ldexp(c.error, (int)c.exp2) >= 3 * 0.125 + 5 * 0.5 + 0.5 * 0.125);
  CHECK(fabs(ldexp(c.estimate, (int)c.exp2) - (3 * 0.75 + 5 * 0.25 + 0.25 * 0.75)) < 1e-9);
  CHECK(permi_times(1e-200, 1e-200) > 0 && permi_times(0, (double)INFINITY) == 0); /* never down to 0 */
  b.error = b.estimate = (double)INFINITY;
  c = a;
  c.value.hi = c.error = c.estimate = 0; /* an exact zero times anything is zero */
  CHECK(permi_number_multiply(&c, &b) == PERM_OK && c.error == 0 && c.value.hi == 0);
}

TEST(t_product_too_long_overflows)
{
  permi_number a = permi_number_one(), b = permi_number_one();
  int i;
  for (i = 0; i < PERM_INTEGER_WORDS; i++)
    a.integer.word[i] = ~UINT64_C(0);
  a.integer.words = PERM_INTEGER_WORDS;
  b.integer.word[0] = 3;
  CHECK(permi_number_multiply(&a, &b) == PERM_ERROR_OVERFLOW);
  a.integer.word[PERM_INTEGER_WORDS - 1] = 0;
  a.integer.words--;
  CHECK(permi_number_multiply(&a, &b) == PERM_OK);
}

/* An estimate of 0 is no proof: only exact results and proven zeros count as known to all digits. */
TEST(t_relative_error_of_results)
{
  perm_options no_options = {0};
  perm_result r;
  memset(&r, 0, sizeof r);
  r.error_bound = (double)INFINITY;
  CHECK(permi_relative(&no_options, &r) == (double)INFINITY);
  r.value = 2;
  r.error_estimate = 0.5;
  CHECK(permi_relative(&no_options, &r) == 0.25);
  r.error_bound = 0.1;
  CHECK(permi_relative(&no_options, &r) == 0.05);
  r.error_bound = 0;
  CHECK(permi_relative(&no_options, &r) == 0);
  r.error_bound = 1;
  r.exact = 1;
  CHECK(permi_relative(&no_options, &r) == 0);
}

/* What other languages ask for: fields in order and without a hole, so that none is missing, up to the end. Returns how
   many structures there are. */
static int layout_structures(const permi_member *member, size_t count)
{
  size_t k, end = 0, whole = 0;
  int structures = 0;
  for (k = 0; k <= count; k++) {
    if (k == count || !strchr(member[k].name, '.')) { /* the next structure; the one before has an end */
      CHECK_SHOW(end <= whole && whole - end < 8, "before %s", k < count ? member[k].name : "the end");
      whole = k < count ? member[k].bytes : 0;
      end = 0;
      structures += k < count;
    } else {
      CHECK_SHOW(member[k].offset >= end && member[k].offset - end < (member[k].bytes % 8 ? 4 : 8), "%s",
                 member[k].name);
      end = member[k].offset + member[k].bytes;
    }
  }
  return structures;
}

TEST(t_layout_names_every_field)
{
  size_t offset = 0, bytes = 0;
  perm_matrix matrices[2];
  CHECK(layout_structures(permi_members, sizeof permi_members / sizeof *permi_members) == 8);
  CHECK(layout_structures(permi_more_members, sizeof permi_more_members / sizeof *permi_more_members) == 4);
  CHECK(perm_more_layout("perm_estimate.value", &offset, &bytes) == PERM_OK && offset == 0 && bytes == 8);
  CHECK(perm_more_layout("perm_result", &offset, &bytes) == PERM_ERROR_RANGE);
  CHECK(perm_more_layout("perm_estimate", NULL, &bytes) == PERM_ERROR_NULL);
  CHECK(perm_layout("perm_result", &offset, &bytes) == PERM_OK && offset == 0 && bytes == sizeof(perm_result));
  CHECK(perm_layout("perm_result.message", &offset, &bytes) == PERM_OK && bytes == PERM_MESSAGE_BYTES);
  CHECK(offset == offsetof(perm_result, message));
  CHECK(perm_layout("perm_result.messages", &offset, &bytes) == PERM_ERROR_RANGE);
  CHECK(perm_layout(NULL, &offset, &bytes) == PERM_ERROR_NULL && perm_layout("perm_leaf", NULL, &bytes) ==
        PERM_ERROR_NULL && perm_layout("perm_leaf", &offset, NULL) == PERM_ERROR_NULL);
  CHECK(perm_more_layout("perm_matrix", &offset, &bytes) == PERM_OK && !offset);
  CHECK((size_t)((char *)(matrices + 1) - (char *)matrices) == bytes);
  CHECK(perm_version() == PERM_VERSION_MAJOR * 1000000 + PERM_VERSION_MINOR * 1000 + PERM_VERSION_PATCH);
}

TEST(t_decimal_text)
{
  static const struct { uint64_t low, high; int negative; const char *text; } cases[] = {
      {0, 0, 0, "0"}, {9, 0, 0, "9"}, {1000000000, 0, 0, "1000000000"}, {999999999, 0, 1, "-999999999"},
      {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff), 0, "340282366920938463463374607431768211455"},
      {0, 1, 0, "18446744073709551616"}};
  size_t i;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    perm_result result;
    char text[64], cut[5];
    memset(&result, 0, sizeof result);
    result.exact = 1;
    result.integer.negative = cases[i].negative;
    result.integer.word[0] = cases[i].low;
    result.integer.word[1] = cases[i].high;
    result.integer.words = cases[i].high ? 2 : cases[i].low != 0;
    CHECK(perm_result_text(&result, text, sizeof text) == strlen(cases[i].text));
    CHECK_TEXT(text, cases[i].text);
    CHECK(perm_result_text(&result, NULL, 0) == strlen(cases[i].text));
    perm_result_text(&result, cut, sizeof cut);
    CHECK(strlen(cut) == (strlen(cases[i].text) < 4 ? strlen(cases[i].text) : 4));
    CHECK(!strncmp(cut, cases[i].text, strlen(cut)));
  }
}

/* Gaussian integers: both parts in full, and never beyond the buffer. */
TEST(t_decimal_text_of_gaussian_integers)
{
  perm_result result;
  char text[64];
  size_t size;
  memset(&result, 0, sizeof result);
  result.exact = result.is_complex = 1;
  result.integer = permi_integer_of(-12);
  result.imaginary_integer = permi_integer_of(345);
  for (size = 0; size <= 10; size++) {
    memset(text, '#', sizeof text);
    CHECK(perm_result_text(&result, text, size) == 8);
    CHECK(text[size] == '#' && (!size || !strncmp(text, "-12+345i", strlen(text))));
    CHECK(!size || strlen(text) == (size < 9 ? size - 1 : 8));
  }
  result.imaginary_integer = permi_integer_of(-7);
  perm_result_text(&result, text, sizeof text);
  CHECK_TEXT(text, "-12-7i");
}

/* Long integers against short ones: halving, residues, both signs. */
TEST(t_integers_of_any_size)
{
  int trial;
  for (trial = 0; trial < 2000; trial++) {
    int64_t x = (int64_t)(test_random() >> (1 + test_below(62))) * (test_below(2) ? 1 : -1), back;
    uint64_t p = 2 + (test_random() >> (1 + test_below(61)));
    int shift = test_below(400), i;
    perm_integer a = permi_integer_of(x), b = a, power = permi_integer_of(1), two = permi_integer_of(2);
    for (i = 0; i < shift; i++)
      CHECK(permi_integer_multiply(&power, &two, &power));
    CHECK(power.words == shift / 64 + 1);
    CHECK(permi_integer_multiply(&a, &power, &a));
    CHECK(permi_integer_halve(&a, shift) && inside_int64(&a, &back) && back == x);
    if (x & 1)
      CHECK(!permi_integer_halve(&a, 1));
    permi_integer_reduce(&b, p);
    CHECK(!b.negative && b.word[0] < p);
    CHECK((x < 0 && b.word[0] ? p - b.word[0] : b.word[0]) == (x < 0 ? 0 - (uint64_t)x : (uint64_t)x) % p);
    /* (x 2^shift + x) mod p, the slow way */
    a = permi_integer_of(x);
    CHECK(permi_integer_multiply(&a, &power, &b) && permi_integer_add(&b, &a, 0));
    permi_integer_reduce(&b, p);
    permi_integer_reduce(&a, p);
    {
      uint64_t r = a.word[0];
      for (i = 0; i < shift; i++)
        r = 2 * r % p;
      CHECK((r + a.word[0]) % p == b.word[0]);
    }
  }
  {
    perm_integer least = permi_integer_of(INT64_MIN), one = permi_integer_of(-1);
    int64_t back;
    CHECK(inside_int64(&least, &back) && back == INT64_MIN);
    CHECK(permi_integer_add(&least, &one, 0) && !inside_int64(&least, &back));
    least = permi_integer_of(INT64_MIN);
    CHECK(permi_integer_add(&least, &least, 1) && !least.words && !least.negative);
  }
}

TEST(t_every_status_has_name_and_text)
{
#define CORE_STATUS(name, number, text_)                              \
  CHECK(!strcmp(perm_name("status", name), #name) && (int)name == number); \
  CHECK(!strcmp(perm_status_text(name), text_));
  PERM_STATUS_LIST(CORE_STATUS)
#undef CORE_STATUS
  CHECK_TEXT(perm_status_text((perm_status)77), "unknown");
  CHECK_TEXT(perm_name("method", (perm_method)77), "unknown");
}
/* SPDX-License-Identifier: MIT */
