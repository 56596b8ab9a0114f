/* >>limbs, >>exact */
/* Tables and packings of exact kernels at sizes of which no whole permanent is summed: single chunks against each
   other, and what the proofs of the kernels take for granted. */

/* The sum of a leaf's first terms, of a chunk made as large as that; halved rows are left so. */
static void exact_first_terms(permi_leaf *leaf, int *chunk_log2, int chunk, perm_integer *value)
{
  const perm_options options = {0};
  perm_partial *partial = (perm_partial *)calloc(1, sizeof *partial);
  void *memory;
  *chunk_log2 = chunk;
  CHECK(permi_workspace_make(&options.allocator, leaf, 1, &memory));
  leaf->run_chunk(leaf, 0, permi_workspace_of(leaf, memory, 0), partial);
  CHECK(permi_sum_integer(&partial[0].value, &value[0]) && permi_sum_integer(&partial[0].imaginary, &value[1]));
  permi_release(&options.allocator, memory);
  leaf->release(&options.allocator, leaf->context);
  free(partial);
}

/* Row sums as long as there are, of 64 entries of 63 bits in each part, and their products, up to 4450 bits: a few
   terms of the portable kernel against the same modulo primes. */
TEST(t_exact_longest_rows)
{
  static int64_t a[2 * 64 * 64];
  const perm_options options = {0};
  int n, parts, kind, i, k;
  for (n = 58; n <= 64; n += 3)
    for (parts = 1; parts <= 2; parts++)
      for (kind = 0; kind < 3; kind++) {
        const permi_integer_view view = {a, n, parts};
        permi_exact_rows rows;
        permi_leaf leaf;
        perm_integer exact[2], residue[2];
        for (i = 0; i < n * n * parts; i++) /* 1: odd sums, so that rows are not halved */
          a[i] = kind == 0   ? INT64_MIN
                 : kind == 1 ? INT64_MAX - (i % (n * parts) == 0)
                             : INT64_MAX - test_below(9);
        rows = permi_exact_look(&view, n, 0);
        CHECK(kind != 1 || n % 2 || rows.halved == 0);
        CHECK(permi_exact_plain_leaf(&options, &rows, 0, &leaf, NULL) == PERM_OK);
        exact_first_terms(&leaf, &((permi_exact_plain *)leaf.context)->chunk_log2, 3, exact);
        for (k = 0; k < 3; k++) {
          CHECK(permi_exact_plain_leaf(&options, &rows, exact_moduli[k], &leaf, NULL) == PERM_OK);
          exact_first_terms(&leaf, &((permi_exact_plain *)leaf.context)->chunk_log2, 3, residue);
          for (i = 0; i < parts; i++)
            CHECK_SHOW(oracle_modulo(&exact[i], exact_moduli[k]) == oracle_modulo(&residue[i], exact_moduli[k]),
                       "n = %d, %d parts, kind %d", n, parts, kind);
        }
        CHECK(exact[0].words + exact[1].words > n);
      }
}

/* A Gaussian product is four real ones, whatever they are made of. */
TEST(t_exact_predicts_gaussian_products)
{
  static int64_t a[2 * 20 * 20];
  const permi_integer_view view = {a, 20, 1}, gaussian = {a, 20, 2};
  const permi_exact_rows rows = permi_exact_look(&view, 20, 0), others = permi_exact_look(&gaussian, 20, 0);
  const double one = permi_exact_plain_seconds(&rows, 1000003), four = permi_exact_plain_seconds(&others, 1000003);
  CHECK_SHOW(one > 0 && four == 4 * one, "%g s, %g s", one, four);
  CHECK(permi_exact_plain_seconds(&others, 0) == 4 * permi_exact_plain_seconds(&rows, 0));
}

/* Diagonals: rows of norm norm[i], twice that and halved but for the last. */
static int exact_pack_diagonal(int n, int parts, const int64_t *norm, permi_exact_rows *rows,
                               permi_exact_packing *packing)
{
  static int64_t a[2 * 64 * 64];
  const permi_integer_view view = {a, n, parts};
  int i;
  memset(a, 0, sizeof a);
  for (i = 0; i < n; i++)
    a[i * (n + 1) * parts + (parts == 2 && i % 3 == 0)] = (i < n - 1 ? 2 : 1) * norm[i];
  *rows = permi_exact_look(&view, n, 0);
  for (i = 0; i < n; i++)
    CHECK(rows->norm[i] == (uint64_t)norm[i]);
  return permi_exact_pack(rows, packing);
}

/* What the kernels rely on: tests/proofs/limbs.g, limbs_orders.sh, and the room that there is. */
static void exact_packing_check(const permi_exact_rows *rows, const permi_exact_packing *packing)
{
  const int limbs = packing->limbs, first = (limbs + 1) / 2;
  const double cap = rows->parts == 1 && limbs <= 6 ? ldexp(1, 51) - 1024 : ldexp(1, 50) - 1024;
  double limb[PERMI_EXACT_LIMBS], atom[PERMI_EXACT_LIMBS][PERMI_EXACT_ATOMS];
  int fifths = 0, h, k, i;
  for (h = 0; h < PERMI_EXACT_LIMBS; h++)
    for (limb[h] = 1, k = 0; k < PERMI_EXACT_ATOMS; k++)
      atom[h][k] = 1;
  for (i = 0; i < rows->n; i++) {
    CHECK(packing->atom_of[i] >= 0);
    h = packing->atom_of[i] / PERMI_EXACT_ATOMS;
    CHECK(h < limbs);
    limb[h] *= (double)rows->norm[i];
    atom[h][packing->atom_of[i] % PERMI_EXACT_ATOMS] *= (double)rows->norm[i];
  }
  for (h = 0; h < limbs; h++) {
    CHECK_SHOW(limb[h] <= cap, "%.17g in one of %d limbs", limb[h], limbs);
    for (k = 0; k < PERMI_EXACT_ATOMS && h < packing->narrow; k++)
      CHECK(atom[h][k] <= 32767);
    CHECK_SHOW(h >= packing->narrow || atom[h][0] * atom[h][1] * atom[h][4] < 2147483648.0, "%g %g %g of %d rows",
               atom[h][0], atom[h][1], atom[h][4], rows->n);
    fifths += h < packing->narrow && packing->rows[h][4] > 0;
  }
  CHECK(fifths == packing->fifths);
  CHECK(limbs <= PERMI_EXACT_LIMBS && first <= PERMI_EXACT_HALF);
}

/* Norms at the caps of limbs and atoms among others of any size; rows that are too long. */
TEST(t_exact_packings_keep_their_limits)
{
  static const int64_t edges[] = {127,
                                  181,
                                  182,
                                  32767,
                                  INT64_C(1) << 25,
                                  (INT64_C(1) << 50) - 1024,
                                  INT64_C(1) << 50,
                                  (INT64_C(1) << 51) - 1024,
                                  INT64_C(1) << 51};
  int64_t norm[64];
  int n, parts, trial, e, delta, i, packed = 0, refused = 0;
  for (parts = 1; parts <= 2; parts++) {
    permi_exact_rows rows;
    permi_exact_packing packing;
    for (e = 0; e < (int)(sizeof edges / sizeof *edges); e++)
      for (delta = -1; delta <= 1; delta++)
        for (trial = 0; trial < 12; trial++) {
          n = trial < 3 ? 8 : 8 + test_below(57);
          for (i = 0; i < n; i++)
            norm[i] = trial == 0   ? (i ? 1 : edges[e] + delta)
                      : trial == 1 ? edges[e] + delta
                      : trial == 2 ? (i & 1 ? edges[e] + delta : 1 + test_below(100))
                                   : test_below(3) ? 1 + (int64_t)(test_random() >> (63 - test_below(2 + 5 * trial)))
                                                   : edges[e] + delta;
          if (exact_pack_diagonal(n, parts, norm, &rows, &packing)) {
            exact_packing_check(&rows, &packing);
            packed++;
          } else {
            refused += trial < 3 && edges[e] + delta > (INT64_C(1) << 51) - 1024;
          }
        }
    for (i = 0; i < 12; i++) /* two rows in a fifth atom */
      norm[i] = i < 8 ? 993 : 33;
    CHECK(exact_pack_diagonal(12, parts, norm, &rows, &packing) && packing.fifths == (parts == 1 ? 2 : 0));
    exact_packing_check(&rows, &packing);
    for (n = 25; n <= 40; n++) { /* a limb each, just */
      for (i = 0; i < n; i++)
        norm[i] = (INT64_C(1) << 50) - 1024;
      if (exact_pack_diagonal(n, parts, norm, &rows, &packing))
        exact_packing_check(&rows, &packing);
      CHECK(permi_exact_pack(&rows, &packing) == (n <= PERMI_EXACT_LIMBS));
    }
  }
  CHECK_SHOW(packed > 200 && refused == 2 * 3 * 4, "%d, %d refused", packed, refused);
}

/* A limb's fifth atom is multiplied with its first two, which must stay small then, whatever rows come later: a long
   row, some that fit no atom beside another, and little ones. Entries >= 0: row sums reach their norms at once. */
TEST(t_exact_fifth_atoms_keep_their_half)
{
  int64_t a[12 * 12];
  int trial, i, j;
  for (trial = 0; trial < 12; trial++) {
    const int n = trial < 4 ? 12 : 9 + trial % 3, longest = trial == 0 ? 20743 : 16001 + 2 * test_below(8000);
    for (i = 0; i < n; i++) {
      int rest = i < 2 ? longest : i < n - 2 ? (trial == 0 ? 183 : 183 + 2 * test_below(20)) : 5 + 2 * test_below(20);
      rest = trial != 1 ? rest : i < 8 ? 993 : 33;
      for (j = 0; j < n; j++) {
        const int x = rest / (n - j);
        rest -= x;
        a[i * n + (i + j) % n] = x;
      }
    }
    exact_check("rows of five atoms", n, 1, a);
  }
}

/* Terms skipped, with more than six limbs, at orders where rows are long enough for that: the first terms, by matrices
   whose other columns are 0, so that it does not matter which column is always +. Against the portable kernel. */
TEST(t_exact_skips_with_many_limbs)
{
  static int64_t a[61 * 61];
  int isa, ran = 0;
  for (isa = isa_first(); isa; isa = isa_next(isa)) {
    const permi_integer_view view = {a, 0, 1};
    permi_integer_view here = view;
    perm_options options;
    permi_exact_plan plan;
    permi_leaf leaf;
    perm_integer expected[2], value[2];
    int skip, columns, n, i, j;
    memset(&options, 0, sizeof options);
    memset(a, 0, sizeof a);
    options.isa = (perm_isa)isa;
    plan.rows = permi_exact_look((here.ld = 61, &here), 61, 0);
    permi_exact_plan_rows(&options, &plan);
    if (!plan.family)
      continue;
    columns = plan.family->lanes_log2 + 1 + PERMI_EXACT_SKIP_LOG2 + 1;
    n = 60 + columns % 2; /* all signs of these turned: the same term */
    here.ld = n;
    for (i = 0; i < n; i++) { /* norms 127, and 2 to 254 of halved rows */
      int rest = i % 4 ? 127 : 2 * (1 + test_below(127));
      for (j = 0; j < columns; j++) {
        const int x = j == columns - 1 ? rest : test_below(rest / 2 + 1);
        rest -= x;
        a[i * n + (i + j) % columns] = test_below(2) ? x : -x;
      }
    }
    plan.rows = permi_exact_look(&here, n, 0);
    CHECK(permi_exact_plain_leaf(&options, &plan.rows, 0, &leaf, NULL) == PERM_OK);
    exact_first_terms(&leaf, &((permi_exact_plain *)leaf.context)->chunk_log2, columns - 1, expected);
    for (skip = 0; skip < 2; skip++) {
      permi_exact_plan_rows(&options, &plan);
      CHECK(plan.can_skip && plan.packing.limbs > 6 && plan.rows.halved > 5);
      plan.skip = skip;
      CHECK(permi_exact_tables(&options, &plan, &leaf, NULL) == PERM_OK);
      exact_first_terms(&leaf, &((permi_exact *)leaf.context)->chunk_log2,
                        skip ? 0 : columns - 1 - plan.family->lanes_log2 - PERMI_EXACT_BLOCK_LOG2, value);
      CHECK_SHOW(!memcmp(&value[0], &expected[0], sizeof value[0]) && value[0].words > 0, "%s, %s",
                 perm_name("isa", (perm_isa)isa), skip ? "zeros skipped" : "all terms");
      ran++;
    }
  }
  if (!ran)
    SKIP("no vectors here");
}

/* How many rows are halved, in an explanation. */
TEST(t_exact_explains_halved_rows)
{
  int64_t a[16 * 16];
  char text[400], wanted[40];
  int even, isa, i, ran = 0;
  for (even = 0; even <= 16; even++)
    for (isa = isa_first(); isa; isa = isa_next(isa)) {
      const permi_integer_view view = {a, 16, 1};
      perm_options options;
      permi_exact_plan plan;
      permi_leaf leaf;
      memset(&options, 0, sizeof options);
      options.isa = (perm_isa)isa;
      for (i = 0; i < 256; i++)
        a[i] = i % 17 == 0 ? 3 + (i / 16 >= even) : i % 16 == (i / 16 + 1) % 16;
      plan.rows = permi_exact_look(&view, 16, 0);
      permi_exact_plan_rows(&options, &plan);
      if (!plan.family)
        continue;
      CHECK(permi_exact_tables(&options, &plan, &leaf, NULL) == PERM_OK);
      leaf.explain(&leaf, text, sizeof text);
      snprintf(wanted, sizeof wanted, ", %d of them halved", even < 16 ? even : 15);
      CHECK_TEXT(text, wanted);
      leaf.release(&options.allocator, leaf.context);
      ran++;
    }
  if (!ran)
    SKIP("no vectors here");
}
/* SPDX-License-Identifier: MIT */
