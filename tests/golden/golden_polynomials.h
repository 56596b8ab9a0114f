/* golden_polynomials.h: part of golden_calls.h, coefficients of polynomials, exact and in doubles with their bounds. */

static perm_integer golden_exact[2 * 64];
static double golden_bounds[64];

/* Room for coefficients, half of the time without bounds; what the last call left is not seen. */
static double *golden_room(void)
{
  memset(golden_exact, 0, sizeof golden_exact);
  memset(golden_out, 0, sizeof golden_out);
  memset(golden_bounds, 0, sizeof golden_bounds);
  return golden_below(2) ? golden_bounds : NULL;
}

/* Hashes of all `numbers` parts of coefficients and of their bounds, and the part in the middle. */
static void golden_coefficients(int whole, int numbers, const double *bounds, const perm_result *r)
{
  char text[1500];
  uint64_t hash = GOLDEN_HASH;
  int k;
  if (r->status == PERM_OK && whole) {
    for (k = 0; k < numbers; k++)
      hash = golden_hash_bytes(hash, text, perm_integer_text(&golden_exact[k], text, sizeof text) + 1);
    golden_say(" h=%016llx", (unsigned long long)hash);
    golden_integer_field("c", &golden_exact[numbers / 2]);
  } else if (r->status == PERM_OK) {
    golden_hash("h", golden_out, (size_t)numbers * sizeof *golden_out);
    golden_double("c", golden_out[numbers / 2]);
    if (bounds)
      golden_hash("b", bounds, (size_t)(numbers / (1 + r->is_complex)) * sizeof *bounds);
  }
  golden_result(r);
  golden_end();
}

static perm_options golden_polynomial_options(int whole, int methods)
{
  static const perm_method method[] = {PERM_METHOD_AUTO, PERM_METHOD_FRONTIER, PERM_METHOD_EXACT};
  perm_options options = golden_options(whole ? GOLDEN_FORCE : GOLDEN_CERTIFY | GOLDEN_FORCE);
  options.method = method[golden_below(methods)];
  if (options.method != PERM_METHOD_AUTO)
    golden_describe(" %s", perm_name("method", options.method));
  if (whole)
    golden_modulus(&options);
  return options;
}

/* Arrays: C, L_1, .. one below the other. */
static void golden_polynomials(int index)
{
  static const char *const name[] = {"integer", "gaussian", "real", "complex"};
  static const int some[] = {golden_one, golden_whole, golden_uniform};
  const int call = index % 9, several = call / 4 == 1, own = call == 8, type = own ? 0 : call % 4;
  const int parts = 1 + type % 2, whole = type < 2, least = index > 17, most = several ? 6 : 9;
  const int m = golden_from(least, most), n = own || golden_below(2) ? m : golden_from(least, most);
  const int ld = n + golden_below(2), positive = golden_below(2); /* which the frontier takes as doubles */
  const int variables = several ? golden_below(4) : 1, forms = own ? 1 : variables + 1, next = m * ld * parts;
  const int degree = own ? n : golden_from(0, (m < n ? m : n) + 1);
  const int cuts[3] = {golden_below(4), golden_below(3), golden_below(2)};
  double *const bounds = golden_room();
  perm_options options;
  perm_result r;
  int k, count = several ? 1 : degree + 1;
  golden_describe("%s %dx%d", own ? "permanental" : name[type], m, n);
  for (k = 0; k < forms; k++) {
    const int pattern = golden_below(whole ? golden_sylvester : golden_patterns);
    const int kind = golden_below(whole ? GOLDEN_SIZES : golden_value_kinds);
    const int values = positive && !whole ? some[kind % 3] : kind;
    golden_describe(" %s %s", golden_pattern_name[pattern], (whole ? golden_size_name : golden_value_name)[values]);
    if (whole)
      golden_draw_integers(pattern, values, m, n, parts, golden_i + k * next, ld);
    else
      golden_draw_matrix(pattern, values, m, n, parts, golden_a + k * next, ld);
  }
  for (k = 0; k < variables && several; k++) {
    golden_describe(k ? ",%d" : " cuts %d", cuts[k]);
    count *= cuts[k] + 1;
  }
  if (!several)
    golden_describe(" degree %d", degree);
  options = golden_polynomial_options(whole, several || parts == 2 ? 1 : whole ? 3 : 1 + positive);
  if (own)
    perm_permanental_polynomial(n, golden_i, ld, &options, golden_exact, &r);
  else if (several && whole)
    (parts == 2 ? perm_polynomial_several_gaussian : perm_polynomial_several_integer)(
        m, n, variables, golden_i, ld, cuts, &options, golden_exact, &r);
  else if (several)
    (parts == 2 ? perm_polynomial_several_complex : perm_polynomial_several_real)(
        m, n, variables, golden_a, ld, cuts, &options, golden_out, bounds, &r);
  else if (whole)
    (parts == 2 ? perm_polynomial_gaussian : perm_polynomial_integer)(m, n, golden_i, ld, golden_i + next, ld, degree,
                                                                      &options, golden_exact, &r);
  else
    (parts == 2 ? perm_polynomial_complex : perm_polynomial_real)(m, n, golden_a, ld, golden_a + next, ld, degree,
                                                                  &options, golden_out, bounds, &r);
  golden_coefficients(whole, count * parts, bounds, &r);
}

/* Sparse matrices; now and then with entries that are not whole where they must be. */
static void golden_sparse_polynomials(int index)
{
  static const char *const name[] = {"integer ", "", "permanental "};
  const int call = index % 3, whole = call != 1, n = golden_from(1, 24);
  const int m = call == 2 || golden_below(4) ? n : golden_from(1, 9);
  const int kinds = golden_below(6) < 3 + 2 * whole ? 1 + whole : 4;
  const int degree = call == 2 ? n : golden_from(0, (m < n ? m : n) + 1);
  double *const bounds = golden_room();
  perm_options options;
  perm_matrix c, l;
  perm_result r;
  memset(&options, 0, sizeof options);
  memset(&l, 0, sizeof l);
  golden_describe("%s", name[call]);
  c = golden_sparse_matrix(m, n, (perm_kind)golden_below(kinds), &options);
  if (call < 2) {
    golden_describe(" degree %d ", degree);
    l = golden_sparse_matrix(m, n, (perm_kind)golden_below(kinds), &options);
  }
  options = golden_polynomial_options(whole, whole ? 3 : 2);
  if (call == 0)
    perm_polynomial_sparse_integer(&c, &l, degree, &options, golden_exact, &r);
  else if (call == 1)
    perm_polynomial_sparse(&c, &l, degree, &options, golden_out, bounds, &r);
  else
    perm_permanental_polynomial_sparse(&c, &options, golden_exact, &r);
  golden_coefficients(whole, (degree + 1) * (1 + r.is_complex), bounds, &r);
  perm_matrix_free(&c);
  perm_matrix_free(&l);
}
/* SPDX-License-Identifier: MIT */
