/* >>exact, >>limbs, >>exact_kernels */
/* Exact integers against a dynamic program modulo large numbers, against sequences, and every kernel, split
   and orientation against each other. */

/* What a test may force. */
typedef struct exact_choice {
  int isa;      /* perm_isa */
  int backward; /* 1: chunks from the last to the first, in two partials that are merged */
  uint64_t modulus;
} exact_choice;

static permi_number exact_run(const perm_options *options, permi_leaf *leaf, int backward)
{
  perm_partial *partial = (perm_partial *)calloc(2, sizeof *partial);
  permi_number number;
  uint64_t chunks = leaf->information.chunks, c;
  void *memory, *workspace;
  CHECK(permi_workspace_make(&options->allocator, leaf, 1, &memory));
  workspace = permi_workspace_of(leaf, memory, 0);
  memset(&number, 0, sizeof number);
  if (backward) {
    for (c = chunks; c-- > 0;)
      CHECK(permi_leaf_run(leaf, c, c + 1, workspace, NULL, &partial[c & 1]) == PERM_OK);
    CHECK(perm_partial_merge(&partial[0], &partial[1]) == PERM_OK);
  } else {
    CHECK(permi_leaf_run(leaf, 0, chunks, workspace, NULL, &partial[0]) == PERM_OK);
  }
  permi_release(&options->allocator, memory);
  CHECK(permi_partial_covers(&partial[0], 0, chunks));
  CHECK_SHOW(partial[0].terms * leaf->information.n == leaf->information.work, "%g terms", partial[0].terms);
  CHECK(permi_leaf_number(leaf, &partial[0], &number) == PERM_OK && number.exact);
  leaf->release(&options->allocator, leaf->context);
  free(partial);
  return number;
}

static permi_number exact_compute(int n, int parts, const int64_t *a, exact_choice choice)
{
  perm_options options;
  permi_exact_plan plan;
  permi_integer_view view;
  permi_leaf leaf;
  permi_number none;
  perm_status status;
  char text[400];
  memset(&none, 0, sizeof none);
  memset(&options, 0, sizeof options);
  options.isa = (perm_isa)choice.isa;
  view.a = a;
  view.ld = n;
  view.parts = parts;
  permi_exact_fastest(&options, n, &view, &plan);
  if (choice.modulus)
    plan.rows = permi_exact_look(&view, n, 0);
  status = choice.modulus ? permi_exact_plain_leaf(&options, &plan.rows, choice.modulus, &leaf, NULL)
                          : permi_exact_leaf(&options, &plan, &leaf, NULL);
  CHECK(status == PERM_OK);
  if (status != PERM_OK)
    return none;
  CHECK(leaf.information.seconds > 0 && leaf.information.bytes > 0);
  CHECK(choice.modulus || leaf.information.seconds == plan.seconds);
  CHECK(leaf.explain(&leaf, text, sizeof text) < sizeof text && strchr(text, '\n'));
  CHECK(choice.isa == PERM_ISA_AUTO || leaf.information.isa <= (perm_isa)choice.isa);
  return exact_run(&options, &leaf, choice.backward);
}

/* The permanent modulo m < 2^63 by the program over subsets of columns; n <= 16. */
static void exact_oracle(int n, int parts, const int64_t *a, uint64_t m, uint64_t *re, uint64_t *im)
{
  size_t subsets = (size_t)1 << n, s;
  uint64_t *value = (uint64_t *)calloc(2 * subsets, sizeof *value), entry[2 * 16 * 16];
  int k;
  for (k = 0; k < n * n * parts; k++) {
    const perm_integer x = permi_integer_of(a[k]);
    entry[k] = oracle_modulo(&x, m);
  }
  value[0] = 1;
  for (s = 0; s + 1 < subsets; s++) {
    int row = __builtin_popcountll(s), j;
    for (j = 0; j < n; j++)
      if (!(s >> j & 1)) {
        const uint64_t *from = value + 2 * s, *x = entry + (row * n + j) * parts;
        uint64_t *to = value + 2 * (s | (size_t)1 << j);
        to[0] = (to[0] + oracle_multiply(x[0], from[0], m)) % m;
        if (parts == 2) {
          to[0] = (to[0] + m - oracle_multiply(x[1], from[1], m)) % m;
          to[1] = (to[1] + oracle_multiply(x[0], from[1], m)) % m;
          to[1] = (to[1] + oracle_multiply(x[1], from[0], m)) % m;
        }
      }
  }
  *re = value[2 * subsets - 2];
  *im = value[2 * subsets - 1];
  free(value);
}

static int exact_equal(const permi_number *a, const permi_number *b)
{
  return !memcmp(&a->integer, &b->integer, sizeof a->integer) &&
         !memcmp(&a->imaginary_integer, &b->imaginary_integer, sizeof a->imaginary_integer);
}

static const uint64_t exact_moduli[3] = {UINT64_C(9223372036854775783), UINT64_C(6917529027641081851), 1000003};

/* Every family and split, and residues, against the oracle modulo three numbers; names the case in a failure. */
static void exact_check(const char *what, int n, int parts, const int64_t *a)
{
  uint64_t re[3], im[3];
  permi_number first;
  exact_choice choice;
  int isa, k;
  memset(&choice, 0, sizeof choice);
  for (k = 0; k < 3; k++)
    exact_oracle(n, parts, a, exact_moduli[k], &re[k], &im[k]);
  for (isa = isa_first(); isa; isa = isa_next(isa)) {
    permi_number number;
    choice.isa = isa;
    choice.backward = isa != PERM_ISA_PLAIN;
    number = exact_compute(n, parts, a, choice);
    if (isa == PERM_ISA_PLAIN)
      first = number;
    CHECK_SHOW(exact_equal(&first, &number), "%s, n = %d: %s differs", what, n, perm_name("isa", (perm_isa)isa));
    for (k = 0; k < 3; k++)
      CHECK_SHOW(oracle_modulo(&number.integer, exact_moduli[k]) == re[k] &&
                     oracle_modulo(&number.imaginary_integer, exact_moduli[k]) == im[k],
                 "%s, n = %d, %s", what, n, perm_name("isa", (perm_isa)isa));
  }
  choice.isa = PERM_ISA_AUTO;
  for (k = 0; k < 3; k++) {
    permi_number number;
    choice.modulus = exact_moduli[k];
    number = exact_compute(n, parts, a, choice);
    CHECK_SHOW(number.integer.word[0] == re[k] && number.imaginary_integer.word[0] == im[k] &&
                   number.integer.words <= 1 && number.imaginary_integer.words <= 1,
               "%s, n = %d, modulo", what, n);
  }
}

/* Entries of every size, integers and Gaussian ones, orders up to where each kernel begins and beyond. */
TEST(t_exact_matches_the_oracle)
{
  int64_t a[2 * 14 * 14];
  int n, parts, size, i;
  for (n = 1; n <= (test_quick ? 12 : 14); n++)
    for (size = 0; size <= 64; size += n < 9 ? 3 : 9)
      for (parts = 1; parts <= 2; parts++) {
        char what[64];
        for (i = 0; i < n * n * parts; i++)
          a[i] = size == 0 ? test_below(2) : size == 1 ? test_below(3) - 1 : (int64_t)test_random() >> (64 - size);
        snprintf(what, sizeof what, "entries of %d bits, %d parts", size, parts);
        exact_check(what, n, parts, a);
      }
}

/* The largest that there is: INT64_MIN and INT64_MAX, all equal or mixed. */
TEST(t_exact_takes_every_entry)
{
  int64_t a[2 * 10 * 10];
  int n, parts, kind, i;
  for (n = 1; n <= 10; n++)
    for (parts = 1; parts <= 2; parts++)
      for (kind = 0; kind < 4; kind++) {
        for (i = 0; i < n * n * parts; i++)
          a[i] = kind == 0   ? INT64_MIN
                 : kind == 1 ? INT64_MAX
                 : kind == 2 ? (test_below(2) ? INT64_MIN : INT64_MAX)
                             : (i / parts / n == 0 ? INT64_MIN : test_below(3) - 1);
        exact_check("extreme entries", n, parts, a);
      }
}

/* Where the plan changes its mind: row norms about powers of two and about the caps of lanes and limbs, rows that are
   all even, zero rows, rows alone in their group. */
TEST(t_exact_at_its_limits)
{
  static const int edges[] = {7, 8, 14, 15, 16, 25, 26, 30, 31, 32, 50, 51, 52, 53, 61, 62, 63};
  int64_t a[12 * 12];
  int n = 12, e, delta, i, j;
  for (e = 0; e < (int)(sizeof edges / sizeof *edges); e++)
    for (delta = -1; delta <= 1; delta++) {
      char what[64];
      /* every norm 2^edge + delta, half of the entries negative; then only the first row's */
      for (i = 0; i < n; i++) {
        uint64_t norm = (UINT64_C(1) << edges[e]) + (uint64_t)(int64_t)delta, rest = norm;
        for (j = 0; j < n; j++) {
          uint64_t x = j == n - 1 ? rest : norm / (uint64_t)n - (j & 1);
          x = x > INT64_MAX ? INT64_MAX : x;
          rest -= x;
          a[i * n + (i + j) % n] = (i + j) & 1 ? -(int64_t)x : (int64_t)x;
        }
      }
      snprintf(what, sizeof what, "norms 2^%d %+d", edges[e], delta);
      exact_check(what, n, 1, a);
      for (i = 1; i < n; i++)
        for (j = 0; j < n; j++)
          a[i * n + j] = test_below(7) - 3;
      exact_check(what, n, 1, a);
    }
  for (i = 0; i < 10; i++) /* y = norms for x = 1, two of 12 bits and three of 8 a limb */
    for (j = 0; j < 10; j++)
      a[i * 10 + j] = j == i ? (i < 4 ? 4095 : 255) - 9 : 1;
  exact_check("halves", 10, 1, a);
  for (i = 0; i < n * n; i++)
    a[i] = 2 * test_below(50) - 50;
  exact_check("even entries", n, 1, a);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      a[i * n + j] = i != j; /* odd sums only */
  exact_check("J - I", n, 1, a);
  memset(a + 5 * n, 0, (size_t)n * sizeof *a);
  exact_check("a zero row", n, 1, a);
  memset(a, 0, sizeof a);
  exact_check("zero", n, 1, a);
  for (i = 0; i < n; i++)
    a[i * n + (i + 3) % n] = i & 1 ? -1 : 1 + i;
  exact_check("a permutation", n, 1, a);
}

/* The largest values of a length, and rows beyond the caps of limbs: all entries 2^bits - 1 or less a little, real,
   imaginary or both, among rows of ones, with signs or without; every term of one sign vector reaches its bound. */
TEST(t_exact_bounds_of_limbs)
{
  int64_t a[2 * 10 * 10];
  int n, parts, bits, kind, i;
  for (n = 7; n <= 10; n += 3)
    for (parts = 1; parts <= 2; parts++)
      for (bits = 4; bits <= 63; bits += bits >= 43 && bits <= 52 ? 1 : 4)
        for (kind = 0; kind < 5; kind++) {
          const int64_t most = (int64_t)((UINT64_C(1) << bits) - 1);
          char what[64];
          for (i = 0; i < n * n * parts; i++) {
            const int row = i / parts / n, j = i / parts % n, imaginary = parts == 2 && i & 1;
            a[i] = kind == 0   ? imaginary ? 0 : most
                   : kind == 1 ? most
                   : kind == 2 ? imaginary ? -most : most
                   : kind == 3 ? (j + imaginary) & 1 ? -most : most - (row == 3)
                               : (row & 1 ? (j & 1 ? -1 : 1) : most - test_below(2));
          }
          snprintf(what, sizeof what, "2^%d - 1, kind %d, %d parts", bits, kind, parts);
          exact_check(what, n, parts, a);
        }
}

/* Products of as many limbs as there are, limbs of both kinds, rows that are too long for limbs: against residues, as
   no oracle goes so far. */
TEST(t_exact_long_products)
{
  static int64_t a[2 * 16 * 16];
  int n, parts, kind, i, k, isa;
  for (n = 14; n <= (test_quick ? 14 : 16); n++)
    for (parts = 1; parts <= 2; parts++)
      for (kind = 0; kind < 4; kind++) {
        uint64_t re[2], im[2];
        for (i = 0; i < n * n * parts; i++) {
          const int row = i / parts / n;
          const int bits = kind == 0 ? 63 : kind == 1 ? 47 : kind == 2 ? 1 + 4 * row % 62 : 1 + 61 * (row & 1);
          const int64_t size = (int64_t)(test_random() >> 1) >> (63 - bits);
          a[i] = kind == 3 || test_below(2) ? size : -size;
        }
        for (k = 0; k < 2; k++)
          exact_oracle(n, parts, a, exact_moduli[k], &re[k], &im[k]);
        for (isa = isa_first(); isa; isa = isa_next(isa)) {
          exact_choice choice = {0, 0, 0};
          permi_number number;
          choice.isa = isa;
          number = exact_compute(n, parts, a, choice);
          for (k = 0; k < 2; k++)
            CHECK_SHOW(oracle_modulo(&number.integer, exact_moduli[k]) == re[k] &&
                           oracle_modulo(&number.imaginary_integer, exact_moduli[k]) == im[k],
                       "kind %d, n = %d, %d parts, %s", kind, n, parts, perm_name("isa", (perm_isa)isa));
        }
      }
}

/* n! of the matrix of ones, derangements of J - I, menage numbers (A000166, A000179), at sizes without an oracle. */
TEST(t_exact_sequences)
{
  int64_t a[22 * 22];
  int n, isa, i, kind;
  for (n = 3; n <= 20; n++)
    for (kind = 0; kind < 3; kind++) {
      int64_t expected = 1, back = 0, u[3] = {1, 0, 1};
      static const int64_t menage[] = {0,       0,        0,         1,          2,           13,           80,
                                       579,     4738,     43387,     439792,     4890741,     59216642,     775596313,
                                       10927434464, 164806435783, 2649391469058, 45226435601207, 817056406224416,
                                       15574618910994665, 312400218671253762};
      for (i = 1; i <= n && kind == 0; i++)
        expected *= i;
      for (i = 1; i <= n && kind == 1; i++) {
        u[1] = i * u[0] + (i & 1 ? -1 : 1);
        u[0] = expected = u[1];
      }
      expected = kind == 2 ? menage[n] : expected;
      for (i = 0; i < n * n; i++)
        a[i] = kind == 0 || (i / n != i % n && (kind == 1 || (i / n + 1) % n != i % n));
      for (isa = isa_first(); isa; isa = isa_next(isa)) {
        exact_choice choice = {0, 0, 0};
        permi_number number;
        choice.isa = isa;
        if (isa == PERM_ISA_PLAIN && n > 17)
          continue;
        number = exact_compute(n, 1, a, choice);
        CHECK_SHOW(inside_int64(&number.integer, &back) && back == expected,
                   "kind %d, n = %d, %s: %lld, not %lld", kind, n, perm_name("isa", (perm_isa)isa), (long long)back,
                   (long long)expected);
      }
    }
}

static int exact_ran[PERM_ISA_COUNT][2][PERMI_EXACT_LIMBS + 1]; /* leaves by family, skipping and limbs */

/* Both orientations and skipping or not, whatever the plan thinks of it: all equal to `expected`. */
static void exact_every_plan(const char *what, int n, const int64_t *a, const permi_number *expected)
{
  permi_integer_view view;
  perm_options options;
  int isa, transposed, skip;
  memset(&options, 0, sizeof options);
  view.a = a;
  view.ld = n;
  view.parts = 1;
  for (isa = isa_first(); isa; isa = isa_next(isa))
    for (transposed = 0; transposed < 2; transposed++)
      for (skip = 0; skip < 2; skip++) {
        permi_exact_rows rows = permi_exact_look(&view, n, transposed);
        permi_exact_plan plan;
        permi_leaf leaf;
        permi_number number;
        options.isa = (perm_isa)isa;
        plan.rows = rows;
        permi_exact_plan_rows(&options, &plan);
        if (!plan.family || (skip && !plan.can_skip))
          continue;
        plan.skip = skip;
        CHECK(permi_exact_tables(&options, &plan, &leaf, NULL) == PERM_OK);
        exact_ran[leaf.information.isa][skip][plan.packing.limbs]++;
        number = exact_run(&options, &leaf, transposed);
        CHECK_SHOW(exact_equal(&number, expected), "%s, n = %d, %s, %s, %s", what, n, perm_name("isa", (perm_isa)isa),
                   transposed ? "columns" : "rows", skip ? "zeros skipped" : "all terms");
      }
}

/* Small entries by every plan; even and odd rows, rows of norm 0, 127 and 128, one survivor in many and all of them. */
TEST(t_exact_skips_zeros)
{
  int64_t a[18 * 18];
  int n, kind, i, j;
  for (n = 8; n <= 18; n++)
    for (kind = 0; kind < 8; kind++) {
      exact_choice choice = {PERM_ISA_PLAIN, 0, 0};
      permi_number expected;
      char what[32];
      for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
          a[i * n + j] = kind == 0   ? test_below(2)
                         : kind == 1 ? test_below(3) - 1
                         : kind == 2 ? i != j
                         : kind == 3 ? test_below(6) == 0
                         : kind == 4 ? test_below(11) - 5
                         : kind == 5 ? (j == i) * (127 - n + 1) + (j != i)
                         : kind == 6 ? (j == i) * (i ? 1 : 128 - n + 1) + (j != i && (i || j))
                                     : 2 * test_below(2);
      if (kind == 3)
        memset(a, 0, (size_t)n * sizeof *a);
      snprintf(what, sizeof what, "kind %d", kind);
      expected = exact_compute(n, 1, a, choice);
      exact_every_plan(what, n, a, &expected);
    }
}

/* Every number of limbs, by rows whose norms are as long as lanes of 16 bits take, or shorter ones: the portable kernel
   and the residues say the same. */
TEST(t_exact_every_number_of_limbs)
{
  static int64_t a[22 * 22];
  int n, bits, isa, i, j, k;
  for (n = 12; n <= (test_quick ? 20 : 22); n += n < 20 ? 4 : 2)
    for (bits = 7; bits <= 15; bits += 2) {
      permi_number expected;
      exact_choice choice = {PERM_ISA_PLAIN, 0, 0};
      char what[32];
      for (i = 0; i < n; i++) { /* norms 2^bits - 1, or 2^(bits + 1) - 2 for rows that will be halved */
        int64_t rest = (i & 1 ? 2 : 1) * ((INT64_C(1) << bits) - 1);
        for (j = 0; j < n; j++) {
          int64_t x = j == n - 1 ? rest : test_below(2 * (int)rest / (n - j) + 1);
          rest -= x;
          a[i * n + (i + j) % n] = test_below(2) ? -x : x;
        }
      }
      snprintf(what, sizeof what, "norms of %d bits", bits);
      if (n <= 16) {
        expected = exact_compute(n, 1, a, choice);
      } else {
        choice.isa = PERM_ISA_AUTO;
        expected = exact_compute(n, 1, a, choice);
        if (n == 20 || bits == 15)
          for (k = 0; k < 2; k++) {
            permi_number residue;
            choice.modulus = exact_moduli[k];
            residue = exact_compute(n, 1, a, choice);
            CHECK_SHOW(residue.integer.word[0] == oracle_modulo(&expected.integer, exact_moduli[k]), "%s, n = %d", what,
                       n);
          }
      }
      exact_every_plan(what, n, a, &expected);
    }
  for (isa = PERM_ISA_AVX2; isa <= PERM_ISA_AVX512IFMA; isa++)
    for (k = 2; k <= 7 && permi_isa_here((perm_isa)isa); k++)
      CHECK_SHOW(exact_ran[isa][0][k] > 0, "%d limbs, %s", k, perm_name("isa", (perm_isa)isa));
}

/* Predictions: every choice has one, and what is predicted fastest is planned. Partials of other plans are refused. */
TEST(t_exact_plans)
{
  int64_t a[20 * 20];
  perm_options options;
  permi_integer_view view;
  permi_exact_plan plan;
  permi_leaf leaf, other;
  char text[400];
  int i;
  memset(&options, 0, sizeof options);
  view.a = a;
  view.ld = 20;
  view.parts = 1;
  for (i = 0; i < 400; i++)
    a[i] = test_below(2);
  permi_exact_fastest(&options, 20, &view, &plan);
  CHECK(permi_exact_leaf(&options, &plan, &leaf, NULL) == PERM_OK);
  CHECK(leaf.information.work == 20 * ldexp(1, 19) && leaf.scale_exp2 <= 0 && leaf.integer == 1);
  leaf.explain(&leaf, text, sizeof text);
  CHECK_TEXT(text, leaf.information.isa == PERM_ISA_PLAIN ? "groups of rows" : "limbs");
  if (plan.family) {
    perm_partial *partial = (perm_partial *)calloc(2, sizeof *partial);
    void *memory;
    CHECK(plan.skip && plan.survivors > 0 && plan.survivors < 0.5);
    CHECK_TEXT(text, "zeros skipped");
    plan.skip = 0;
    CHECK(permi_exact_tables(&options, &plan, &other, NULL) == PERM_OK);
    CHECK(permi_workspace_make(&options.allocator, &leaf, 1, &memory));
    permi_leaf_run(&leaf, 0, 1, permi_workspace_of(&leaf, memory, 0), NULL, &partial[0]);
    permi_leaf_run(&other, 1, 2, permi_workspace_of(&other, memory, 0), NULL, &partial[1]);
    permi_release(&options.allocator, memory);
    CHECK(perm_partial_merge(&partial[0], &partial[1]) == PERM_ERROR_STATE);
    other.release(&options.allocator, other.context);
    free(partial);
  }
  leaf.release(&options.allocator, leaf.context);
}

static int exact_allocations, exact_allowed;
static void *exact_allocate(size_t bytes, void *user_data)
{
  (void)user_data;
  return exact_allocations < exact_allowed ? exact_allocations++, malloc(bytes) : NULL;
}

static void exact_free(void *pointer, void *user_data)
{
  (void)user_data;
  exact_allocations -= pointer != NULL;
  free(pointer);
}

/* Every allocation fails in turn: the status says so, and what was had is given back. */
TEST(t_exact_fails_cleanly)
{
  int64_t a[16 * 16];
  perm_options options;
  permi_integer_view view;
  int kind, i;
  memset(&options, 0, sizeof options);
  options.allocator.allocate = exact_allocate;
  options.allocator.release = exact_free;
  view.a = a;
  view.ld = 16;
  for (kind = 0; kind < 4; kind++) {
    int failures = 0;
    view.parts = 1;
    for (i = 0; i < 256; i++)
      a[i] = kind == 0 ? test_below(2) : kind == 1 ? test_below(201) - 100 : (int64_t)test_random() >> 20;
    for (exact_allowed = 0;; exact_allowed++) {
      permi_leaf leaf;
      perm_result result;
      const permi_exact_rows rows = permi_exact_look(&view, 16, 0);
      permi_exact_plan plan;
      perm_status status;
      permi_exact_fastest(&options, 16, &view, &plan);
      status = kind == 3 ? permi_exact_plain_leaf(&options, &rows, 1000003, &leaf, &result)
                                     : permi_exact_leaf(&options, &plan, &leaf, &result);
      if (status == PERM_OK) {
        leaf.release(&options.allocator, leaf.context);
        CHECK(exact_allocations == 0);
        break;
      }
      failures++;
      CHECK(status == PERM_ERROR_MEMORY && result.status == PERM_ERROR_MEMORY && exact_allocations == 0);
    }
    CHECK(failures >= 1);
  }
}

/* Nothing to multiply: 1, whatever pointer comes with it, modulo p as well. */
TEST(t_exact_empty)
{
  const int64_t a[3] = {5, 5, 5};
  perm_options options;
  perm_result r;
  int m, with;
  for (m = 0; m <= 3; m += 3)
    for (with = 0; with < 2; with++) {
      memset(&options, 0, sizeof options);
      options.precision = PERM_PRECISION_EXACT;
      CHECK(perm_compute_integer(m, 3 - m, with ? a : NULL, 3, &options, &r) == PERM_OK && r.exact && r.value == 1);
      CHECK(perm_compute_gaussian(0, m, with ? a : NULL, 3, &options, &r) == PERM_OK && r.exact && r.value == 1);
      options.modulus = 7;
      CHECK(perm_compute_integer(m, 3 - m, with ? a : NULL, 3, &options, &r) == PERM_OK && r.value == 1);
      CHECK(r.modulus == 7);
    }
  {
    perm_matrix nothing;
    memset(&nothing, 0, sizeof nothing);
    nothing.kind = PERM_KIND_INTEGER;
    CHECK(perm_compute_sparse(&nothing, &options, &r) == PERM_OK && r.value == 1 && r.modulus == 7);
  }
}

/* Lines are told apart at sight, where they are; equal and zero ones go to the engines that count copies. */
TEST(t_exact_lines_differ)
{
  int64_t a[2 * 24 * 26];
  int n, parts, run, i, j, part;
  for (n = 1; n <= 24; n++)
    for (parts = 1; parts <= 2; parts++)
      for (run = 0; run < 8; run++) {
        const ptrdiff_t ld = n + run % 3;
        const permi_reach *reach = permi_reach_of(parts);
        const permi_problem problem = permi_problem_make(n, n, NULL, a, ld, reach, NULL, NULL);
        const int x = test_below(n), y = (x + 1 + test_below(n - 1 > 0 ? n - 1 : 1)) % n, by_columns = run & 1;
        for (i = 0; i < n * ld * parts; i++)
          a[i] = run < 6 ? 1 + test_below(1000000) : (int64_t)test_random();
        CHECK(permi_lines_differ(&problem));
        for (j = 0; j < n && n > 1; j++)
          for (part = 0; part < parts; part++) {
            const ptrdiff_t to = by_columns ? j * ld + x : x * ld + j, from = by_columns ? j * ld + y : y * ld + j;
            a[to * parts + part] = run < 4 ? a[from * parts + part] : 0;
          }
        CHECK(n == 1 || !permi_lines_differ(&problem));
        if (n > 1 && run < 4) { /* one part of one entry decides */
          j = test_below(n);
          a[(by_columns ? j * ld + x : x * ld + j) * parts + parts - 1] += 1000000;
          CHECK(permi_lines_differ(&problem));
        }
      }
}

/* Sums of limbs, up to 127 bits with a sign each, become one integer: against doubling bit by bit. */
TEST(t_exact_sums_of_limbs)
{
  permi_exact *exact = (permi_exact *)calloc(1, sizeof *exact);
  int trial, k, bit, minus;
  for (trial = 0; trial < 400; trial++) {
    permi_wide total[PERMI_EXACT_LIMBS + 1];
    perm_sum sum, expected;
    memset(&sum, 0, sizeof sum);
    memset(&expected, 0, sizeof expected);
    exact->limbs = 1 + trial % (PERMI_EXACT_LIMBS - 1);
    exact->window = PERMI_EXACT_WINDOW + trial % 2;
    minus = trial / 2 % 2;
    for (k = 0; k <= exact->limbs; k++) {
      const int negative = (int)(test_random() & 1);
      uint64_t word[PERMI_EXACT_LIMBS + 8] = {0};
      const permi_wide size = {test_random(), test_random() >> (1 + test_below(63))};
      word[0] = size.low;
      word[1] = size.high;
      for (bit = 0; bit < k * exact->window; bit++) {
        int w;
        for (w = PERMI_EXACT_LIMBS + 7; w >= 0; w--)
          word[w] = word[w] << 1 | (w ? word[w - 1] >> 63 : 0);
      }
      permi_sum_add_integer(&expected, word, PERMI_EXACT_LIMBS + 8, negative ^ minus);
      total[k] = negative ? permi_wide_negate(size) : size;
    }
    permi_exact_add(exact, total, minus, &sum);
    CHECK_SHOW(!memcmp(&sum, &expected, sizeof sum), "trial %d", trial);
  }
  free(exact);
}

TEST(t_exact_takes_copies_into_account)
{
  int64_t a[17 * 17];
  perm_result result;
  int i;
  for (i = 0; i < 17 * 17; i++)
    a[i] = test_below(201) - 100;
  CHECK(perm_compute_integer(17, 17, a, 17, NULL, &result) == PERM_OK && result.method == PERM_METHOD_EXACT);
  for (i = 0; i < 17 * 17; i++)
    a[i] = 3;
  CHECK(perm_compute_integer(17, 17, a, 17, NULL, &result) == PERM_OK && result.method != PERM_METHOD_EXACT);
  CHECK(result.exact && result.integer.words == 2);
  for (i = 0; i < 17; i++)
    a[5 * 17 + i] = 0;
  CHECK(perm_compute_integer(17, 17, a, 17, NULL, &result) == PERM_OK && result.method == PERM_METHOD_STRUCTURE);
  CHECK(result.exact && result.value == 0);
}
/* SPDX-License-Identifier: MIT */
