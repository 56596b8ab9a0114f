/* golden_calls.h: the classes of problems of the golden record: what is called, with what, and what is told of it. */

static double golden_a[2 * GOLDEN_MOST * GOLDEN_MOST], golden_b[2 * GOLDEN_MOST * GOLDEN_MOST];
static int64_t golden_i[2 * GOLDEN_MOST * GOLDEN_MOST];
static double golden_out[2 * GOLDEN_MOST * GOLDEN_MOST];

/* ------------------------------------------------------------------------------------------- answers */
static void golden_text(const char *text)
{
  char clean[4096];
  size_t k;
  snprintf(clean, sizeof clean, "%s", text);
  golden_mask(clean);
  for (k = 0; clean[k]; k++)
    if (clean[k] == '\n')
      clean[k] = ';';
    else if (clean[k] < ' ' || clean[k] > '~')
      clean[k] = '?';
  golden_say(" \"%s\"", clean);
}

static void golden_hash(const char *name, const void *bytes, size_t size)
{
  golden_say(" %s=%016llx", name, (unsigned long long)golden_hash_bytes(GOLDEN_HASH, bytes, size));
}

static void golden_array(const double *numbers, size_t count)
{
  golden_hash("h", numbers, count * sizeof *numbers);
  if (count)
    golden_double("v", numbers[0]);
}

static void golden_isa_field(perm_isa isa)
{
  const perm_isa best = perm_isa_best();
  if (isa == PERM_ISA_PLAIN || isa == PERM_ISA_AUTO)
    golden_say(" i=%c", isa ? 'p' : '-');
  else if (isa == PERM_ISA_AVX512IFMA)
    golden_say(" i=i");
  else if (isa == best || (best == PERM_ISA_AVX512IFMA && isa == PERM_ISA_AVX512))
    golden_say(" i=v");
  else
    golden_say(" i=%s", perm_name("isa", isa));
}

static void golden_integer_field(const char *name, const perm_integer *integer)
{
  char text[1500];
  const size_t length = perm_integer_text(integer, text, sizeof text);
  if (length <= 24)
    golden_say(" %s=%s", name, text);
  else
    golden_hash(name, text, length);
}

static void golden_result(const perm_result *r)
{
  if (r->status != PERM_OK)
    golden_say(" s=%d", (int)r->status);
  if (r->status >= 0) {
    golden_say(" m=%s", perm_name("method", r->method));
    if (r->precision != PERM_PRECISION_DEFAULT)
      golden_say(" p=%s", perm_name("precision", r->precision));
    golden_isa_field(r->isa);
  }
  if (r->status >= 0 || r->value == r->value)
    golden_double("v", r->value);
  if (r->is_complex)
    golden_double("w", r->imaginary);
  if (r->exp2)
    golden_say(" x=%lld", r->exp2);
  if (r->exact) {
    golden_integer_field("z", &r->integer);
    if (r->is_complex)
      golden_integer_field("y", &r->imaginary_integer);
  }
  if (!r->exact || GOLDEN_ERROR(r) != 0)
    golden_double("e", GOLDEN_ERROR(r));
  if (!r->exact || GOLDEN_ESTIMATE(r) != 0)
    golden_double("q", GOLDEN_ESTIMATE(r));
  if (r->partial_sum != 0 || r->partial_imaginary != 0) {
    golden_double("sum", r->partial_sum);
    golden_double("sumi", r->partial_imaginary);
  }
  if (r->status >= 0)
    golden_say(" t=%.17g", r->terms);
  if (r->escalated)
    golden_say(" E=%d", r->escalated);
  if (r->argument)
    golden_say(" a=%d", r->argument);
  if (r->gpus)
    golden_say(" g=%d", r->gpus);
  if (r->message[0])
    golden_text(r->message);
}

static void golden_failure(perm_status status, const perm_result *r)
{
  golden_say(" s=%d", (int)status);
  if (r && r->argument)
    golden_say(" a=%d", r->argument);
  if (r && r->message[0])
    golden_text(r->message);
}

/* ------------------------------------------------------------------------------------------- questions */
/* The precision with this number, of six that there were; the problems of the two that are gone leave no line. */
static perm_precision golden_precision(int number)
{
  static const perm_precision precision[] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_DEFAULT, PERM_PRECISION_DEFAULT,
                                             PERM_PRECISION_DD, PERM_PRECISION_KAHAN, PERM_PRECISION_EXACT};
  golden_now.gone |= number == 1 || number == 2;
  return precision[number];
}

enum { GOLDEN_PRECISION = 1, GOLDEN_CERTIFY = 2, GOLDEN_TOLERANCE = 4, GOLDEN_FORCE = 8, GOLDEN_ALL_OPTIONS = 15 };

static perm_options golden_options(int what)
{
  static const double tolerances[] = {1e-3, 1e-10, 1e-14, 1e-20, 1e-27};
  const int precision = golden_below(8) ? golden_below(4) : golden_below(6);
  const int certify = golden_below(4) == 0, tolerance = golden_below(25), force = golden_below(8) == 0;
  perm_options options;
  memset(&options, 0, sizeof options);
  options.threads = golden_now.threads;
  if (what & GOLDEN_PRECISION && precision) {
    options.precision = golden_precision(precision);
    golden_describe(" %s", perm_name("precision", options.precision));
  }
  if (what & GOLDEN_CERTIFY && certify) {
    options.certify = 1;
    golden_describe(" certify");
  }
  if (what & GOLDEN_TOLERANCE && tolerance < 5) {
    options.tolerance = tolerances[tolerance];
    golden_describe(" to %g", options.tolerance);
  }
  if (what & GOLDEN_FORCE && force) {
    options.isa = PERM_ISA_PLAIN;
    golden_describe(" plain");
  }
  return options;
}

/* An m x n matrix in golden_a (ld = n, or n + 1), described. */
static int golden_matrix(int m, int n, int parts)
{
  const int pattern = golden_below(golden_patterns), values = golden_below(golden_value_kinds);
  const int ld = n + (golden_below(4) == 0);
  golden_draw_matrix(pattern, values, m, n, parts, golden_a, ld);
  if (m == n)
    golden_describe("%d", n);
  else
    golden_describe("%dx%d", m, n);
  golden_describe(" %s %s%s%s", golden_pattern_name[pattern], golden_value_name[values], parts == 2 ? " complex" : "",
                  ld > n ? " ld" : "");
  return ld;
}

static int golden_integers(int m, int n, int parts)
{
  const int pattern = golden_below(golden_sylvester), size = golden_below(GOLDEN_SIZES);
  const int ld = n + (golden_below(4) == 0);
  golden_draw_integers(pattern, size, m, n, parts, golden_i, ld);
  if (m == n)
    golden_describe("%d", n);
  else
    golden_describe("%dx%d", m, n);
  golden_describe(" %s %s%s%s", golden_pattern_name[pattern], golden_size_name[size], parts == 2 ? " gaussian" : "",
                  ld > n ? " ld" : "");
  return ld;
}

static void golden_modulus(perm_options *options)
{
  static const uint64_t modulus[] = {2,
                                     3,
                                     97,
                                     65536,
                                     1000003,
                                     UINT64_C(2147483647),
                                     UINT64_C(998244353),
                                     UINT64_C(1) << 62,
                                     UINT64_C(9223372036854775783),
                                     UINT64_C(1) << 63};
  const int which = golden_below(30);
  if (which < 10) {
    options->modulus = modulus[which];
    golden_describe(" mod %llu", (unsigned long long)options->modulus);
  }
}

/* Small orders mostly. */
static int golden_order(int most)
{
  const int small = golden_below(3);
  return small ? golden_below(most < 10 ? most + 1 : 10) : golden_from(1, most);
}

static void golden_one_line(int index)
{
  const int parts = 1 + index % 2;
  int n = golden_order(16), pattern = golden_below(golden_patterns), values = golden_below(golden_value_kinds);
  golden_draw_matrix(pattern, values, n, n, parts, golden_a, n);
  golden_describe("%d %s %s%s", n, golden_pattern_name[pattern], golden_value_name[values],
                  parts == 2 ? " complex" : "");
  if (parts == 1) {
    golden_double("v", perm_real(n, golden_a));
  } else {
    double value[2];
    const perm_status status = perm_complex(n, golden_a, value);
    if (status != PERM_OK)
      golden_say(" s=%d", (int)status);
    golden_double("v", value[0]);
    golden_double("w", value[1]);
  }
  golden_end();
}

static void golden_compute(int parts, int m, int n, int ld, const perm_options *options)
{
  perm_result r;
  if (parts == 2)
    perm_compute_complex(m, n, golden_a, ld, options, &r);
  else
    perm_compute_real(m, n, golden_a, ld, options, &r);
  golden_result(&r);
  golden_end();
}

static void golden_real(int index)
{
  const int n = golden_order(20), ld = golden_matrix(n, n, 1);
  const perm_options options = golden_options(GOLDEN_ALL_OPTIONS);
  (void)index;
  golden_compute(1, n, n, ld, &options);
}

static void golden_complex(int index)
{
  const int n = golden_order(19), ld = golden_matrix(n, n, 2);
  const perm_options options = golden_options(GOLDEN_ALL_OPTIONS);
  (void)index;
  golden_compute(2, n, n, ld, &options);
}

static void golden_float(int index)
{
  static double a[16 * 16]; /* of single precision */
  const int m = golden_from(1, 10), n = index % 3 ? m : golden_from(1, 10), ld = golden_matrix(m, n, 1);
  const perm_options options = golden_options(GOLDEN_PRECISION | GOLDEN_CERTIFY);
  perm_result r;
  int i;
  for (i = 0; i < m * ld; i++) /* huge and tiny entries: what does not fit is small */
    a[i] = golden_a[i] > 1e30 || golden_a[i] < -1e30 ? 7 : (double)(float)golden_a[i];
  perm_compute_real(m, n, a, ld, &options, &r);
  golden_result(&r);
  golden_end();
}

/* Each family by name, with those that are not here. */
static void golden_families(int index)
{
  const int isa = index % PERM_ISA_COUNT, parts = 1 + index / PERM_ISA_COUNT % 2, n = golden_from(5, 18);
  const int ld = golden_matrix(n, n, parts);
  perm_options options = golden_options(GOLDEN_PRECISION | GOLDEN_CERTIFY);
  options.isa = (perm_isa)isa;
  golden_describe(" on %s", perm_name("isa", options.isa));
  golden_compute(parts, n, n, ld, &options);
}

static void golden_families_exact(int index)
{
  const int isa = index % PERM_ISA_COUNT, parts = 1 + index / PERM_ISA_COUNT % 2, n = golden_from(5, 14);
  const int ld = golden_integers(n, n, parts);
  perm_options options = golden_options(0);
  perm_result r;
  golden_modulus(&options);
  options.isa = (perm_isa)isa;
  golden_describe(" on %s", perm_name("isa", options.isa));
  if (parts == 2)
    perm_compute_gaussian(n, n, golden_i, ld, &options, &r);
  else
    perm_compute_integer(n, n, golden_i, ld, &options, &r);
  golden_result(&r);
  golden_end();
}

static void golden_integer_class(int index)
{
  const int parts = 1 + index % 3 / 2, n = golden_order(17), ld = golden_integers(n, n, parts);
  perm_options options = golden_options(GOLDEN_FORCE);
  int64_t small = 0;
  perm_result r;
  golden_modulus(&options);
  if (golden_below(8) == 0) {
    options.precision = golden_precision(golden_below(6));
    golden_describe(" %s", perm_name("precision", options.precision));
  }
  if (parts == 2)
    perm_compute_gaussian(n, n, golden_i, ld, &options, &r);
  else
    perm_compute_integer(n, n, golden_i, ld, &options, &r);
  if (r.exact && r.integer.words <= 1 && (!r.integer.words || r.integer.word[0] >> 63 == 0)) {
    small = r.integer.words ? (int64_t)r.integer.word[0] : 0;
    golden_say(" short=%lld", (long long)(r.integer.negative ? -small : small));
  }
  golden_result(&r);
  golden_end();
}

/* Every method by name for every kind of value: those of perm.h, and among the first problems those that decline. */
static void golden_methods(int index)
{
  const int first = 4 * GOLDEN_METHODS, all = index < first;
  const int number = all ? index % GOLDEN_METHODS : (index - first) % GOLDEN_DENSE_METHODS;
  const perm_method method = golden_method(number);
  const int kind = (all ? index / GOLDEN_METHODS : (index - first) / GOLDEN_DENSE_METHODS) % 4;
  const int slow = method == PERM_METHOD_EXPANSION || method == PERM_METHOD_TRANSVERSALS;
  const int square = golden_below(4) != 0, m = golden_from(1, slow ? 8 : 13);
  const int n = square ? m : golden_from(1, slow ? 8 : 10);
  int ld;
  perm_options options;
  perm_result r;
  if (method == PERM_METHOD_COUNT)
    return;
  golden_describe("%s ", number == GOLDEN_PROOF ? "proof" : perm_name("method", method));
  ld = kind < 2 ? golden_matrix(m, n, kind + 1) : golden_integers(m, n, kind - 1);
  options = golden_options(kind < 2 ? GOLDEN_ALL_OPTIONS : GOLDEN_FORCE);
  options.method = method;
  if (kind >= 2)
    golden_modulus(&options);
  switch (number == GOLDEN_PROOF ? kind + 4 : kind) {
  case 4: case 5: perm_prove_integer(m, n, NULL, ld, NULL, &options, &r); break; /* there are no such proofs */
  case 6: perm_prove_integer(m, n, golden_i, ld, NULL, &options, &r); break;
  case 7: perm_prove_gaussian(m, n, golden_i, ld, NULL, &options, &r); break;
  case 0: perm_compute_real(m, n, golden_a, ld, &options, &r); break;
  case 1: perm_compute_complex(m, n, golden_a, ld, &options, &r); break;
  case 2: perm_compute_integer(m, n, golden_i, ld, &options, &r); break;
  default: perm_compute_gaussian(m, n, golden_i, ld, &options, &r); break;
  }
  golden_result(&r);
  golden_end();
}

static void golden_repeated(int index)
{
  const int kind = index % 4, m = golden_from(1, 6), n = golden_from(1, 6), total = golden_from(0, 20);
  const int ld = kind < 2 ? golden_matrix(m, n, kind + 1) : golden_integers(m, n, kind - 1);
  const int rows_once = golden_below(5) == 0, columns_once = golden_below(5) == 0;
  static const perm_method method[] = {PERM_METHOD_AUTO,    PERM_METHOD_AUTO,  PERM_METHOD_AUTO,  PERM_METHOD_SUBSETS,
                                       PERM_METHOD_MULTIPLICITIES, PERM_METHOD_GLYNN, PERM_METHOD_COUNT,
                                           PERM_METHOD_DENSE};
  const int sum = rows_once ? m : columns_once ? n : total;
  int rows[8], columns[8];
  perm_options options;
  perm_result r;
  golden_draw_counts(m, sum, rows);
  golden_draw_counts(n, golden_below(30) ? sum : sum + 1, columns);
  golden_describe(" sum %d%s%s", sum, rows_once ? " rows" : "", columns_once ? " columns" : "");
  options = golden_options(kind < 2 ? GOLDEN_ALL_OPTIONS : GOLDEN_FORCE);
  options.method = method[golden_below(8)];
  if (options.method == PERM_METHOD_COUNT) {
    golden_now.described = 0;
    return;
  }
  if (options.method)
    golden_describe(" %s", perm_name("method", options.method));
  if (kind >= 2)
    golden_modulus(&options);
  switch (kind) {
  case 0:
    perm_compute_repeated_real(m, n, golden_a, ld, rows_once ? NULL : rows, columns_once ? NULL : columns, &options,
                               &r);
    break;
  case 1:
    perm_compute_repeated_complex(m, n, golden_a, ld, rows_once ? NULL : rows, columns_once ? NULL : columns, &options,
                                  &r);
    break;
  case 2:
    perm_compute_repeated_integer(m, n, golden_i, ld, rows_once ? NULL : rows, columns_once ? NULL : columns, &options,
                                  &r);
    break;
  default:
    perm_compute_repeated_gaussian(m, n, golden_i, ld, rows_once ? NULL : rows, columns_once ? NULL : columns, &options,
                                   &r);
    break;
  }
  golden_result(&r);
  golden_end();
}

static void golden_rectangular(int index)
{
  static const perm_method method[] = {PERM_METHOD_AUTO,    PERM_METHOD_AUTO,     PERM_METHOD_AUTO,
                                       PERM_METHOD_SUBSETS, PERM_METHOD_SHORT,    PERM_METHOD_COUNT,
                                       PERM_METHOD_MULTIPLICITIES, PERM_METHOD_COUNT};
  const int kind = index % 4, chosen = golden_below(8), most = chosen == 7 ? 6 : 9;
  const int one = golden_from(0, most), other = golden_from(0, chosen == 7 ? 8 : 24), turned = golden_below(2);
  const int m = turned ? other : one, n = turned ? one : other;
  const int ld = kind < 2 ? golden_matrix(m, n, kind + 1) : golden_integers(m, n, kind - 1);
  perm_options options = golden_options(kind < 2 ? GOLDEN_ALL_OPTIONS : GOLDEN_FORCE);
  perm_result r;
  options.method = method[chosen];
  if (options.method == PERM_METHOD_COUNT) {
    golden_now.described = 0;
    return;
  }
  if (chosen >= 3)
    golden_describe(" %s", perm_name("method", options.method));
  if (kind >= 2)
    golden_modulus(&options);
  switch (kind) {
  case 0: perm_compute_real(m, n, golden_a, ld, &options, &r); break;
  case 1: perm_compute_complex(m, n, golden_a, ld, &options, &r); break;
  case 2: perm_compute_integer(m, n, golden_i, ld, &options, &r); break;
  default: perm_compute_gaussian(m, n, golden_i, ld, &options, &r); break;
  }
  golden_result(&r);
  golden_end();
}

/* Minors and gradients, with multiplicities or without. */
static void golden_minors(int index)
{
  const int parts = 1 + index % 2, gradient = index / 2 % 2, counted = golden_below(2);
  const int m = golden_from(1, counted ? 5 : 9), n = counted ? golden_from(1, 5) : m, ld = golden_matrix(m, n, parts);
  const int total = golden_from(1, 9);
  int rows[9], columns[9], row = golden_below(m);
  const perm_options options = golden_options(GOLDEN_ALL_OPTIONS);
  const size_t numbers = (size_t)(parts * n * (gradient ? m : 1));
  const int marginals = gradient && parts == 1 && index / 4 % 2;
  perm_result r;
  golden_draw_counts(m, total, rows);
  golden_draw_counts(n, golden_below(20) ? total : total + 1, columns);
  if (counted)
    golden_describe(" sum %d", total);
  golden_describe(marginals ? " marginals" : gradient ? " gradient" : " row %d", row);
  memset(golden_out, 0, sizeof golden_out);
  if (marginals)
    perm_marginals_real(m, n, golden_a, ld, counted ? rows : NULL, counted ? columns : NULL, &options, golden_out, &r);
  else if (gradient)
    (parts == 2 ? perm_gradient_complex : perm_gradient_real)(m, n, golden_a, ld, counted ? rows : NULL,
                                                              counted ? columns : NULL, &options, golden_out, &r);
  else
    (parts == 2 ? perm_minors_complex : perm_minors_real)(m, n, golden_a, ld, counted ? rows : NULL,
                                                          counted ? columns : NULL, row, &options, golden_out, &r);
  if (r.status >= 0)
    golden_hash("h", golden_out, numbers * sizeof *golden_out);
  golden_result(&r);
  golden_end();
}

/* Batches: both layouts, three types. */
static void golden_batch(int index)
{
  static double a[2 * 70 * 144];
  const int type = index % 3, soa = index / 3 % 2, parts = type == 1 ? 2 : 1, n = golden_from(0, index % 7 ? 8 : 12);
  const int count = golden_from(0, n > 8 ? 5 : 40), gap = golden_below(3) == 0 ? golden_below(9) : 0;
  const int pattern = golden_below(golden_patterns), values = golden_below(golden_value_kinds);
  const size_t square = (size_t)(n * n), stride = soa ? (size_t)(count + gap) : square + (size_t)gap;
  perm_options options;
  perm_result r;
  int k, p;
  size_t e;
  golden_describe("%d x %d %s %s %s%s%s", count, n, golden_pattern_name[pattern], golden_value_name[values],
                  type == 2 ? "float"
                  : type    ? "complex"
                            : "real",
                  soa ? " soa" : "", gap ? " gap" : "");
  options = golden_options(golden_below(3) ? GOLDEN_FORCE : GOLDEN_PRECISION | GOLDEN_CERTIFY | GOLDEN_TOLERANCE);
  memset(a, 0, sizeof a);
  for (k = 0; k < count; k++) {
    golden_draw_matrix(pattern, values, n, n, parts, golden_b, n);
    for (e = 0; e < square; e++)
      for (p = 0; p < parts; p++)
        a[(soa ? e * stride + (size_t)k : (size_t)k * stride + e) * (size_t)parts + (size_t)p] =
            golden_b[e * (size_t)parts + (size_t)p];
  }
  if (golden_below(15) == 0 && count && n) {
    a[0] = (double)INFINITY;
    golden_describe(" infinite");
  }
  for (e = 0; type == 2 && e < sizeof a / sizeof a[0]; e++) /* of single precision */
    a[e] = a[e] > 1e30 || a[e] < -1e30 ? (a[e] > 1e308 ? (double)INFINITY : 7) : (double)(float)a[e];
  memset(golden_out, 0, sizeof golden_out);
  if (type == 1)
    (soa ? perm_batch_complex_soa : perm_batch_complex)(n, (size_t)count, a, stride, &options, golden_out, &r);
  else
    (soa ? perm_batch_real_soa : perm_batch_real)(n, (size_t)count, a, stride, &options, golden_out, &r);
  golden_array(golden_out, (size_t)(count * parts));
  golden_failure(r.status, &r);
  golden_end();
}

static void golden_select(int index)
{
  static int rows[40 * 8], columns[40 * 8];
  const int parts = 1 + index % 2, m = golden_from(1, 12), n = golden_from(1, 12), k = golden_from(0, 6);
  const int count = golden_from(0, 40), first_rows = golden_below(3) == 0, bad = golden_below(20) == 0;
  const int ld = golden_matrix(m, n, parts);
  const perm_options options = golden_options(golden_below(4) ? 0 : GOLDEN_PRECISION);
  perm_result r;
  int s;
  golden_describe(" %d of %d%s%s", count, k, first_rows ? " first rows" : "", bad ? " bad" : "");
  for (s = 0; s < count * k; s++)
    rows[s] = golden_below(m);
  for (s = 0; s < count * k; s++)
    columns[s] = golden_below(n + bad);
  memset(golden_out, 0, sizeof golden_out);
  (parts == 2 ? perm_select_complex : perm_select_real)(m, n, golden_a, ld, k, (size_t)count, first_rows ? NULL : rows,
                                                        columns, &options, golden_out, &r);
  golden_array(golden_out, (size_t)(count * parts));
  golden_failure(r.status, &r);
  golden_end();
}

static void golden_low_rank(int index)
{
  const int parts = 1 + index % 2, n = golden_from(0, 12), rank = golden_from(0, n < 4 ? n + 1 : 4);
  const int ldu = rank + golden_below(2), ldv = n + golden_below(2), values = golden_below(golden_value_kinds);
  const perm_options options = golden_options(GOLDEN_PRECISION | GOLDEN_TOLERANCE);
  perm_result r;
  golden_describe(" %d rank %d %s%s", n, rank, golden_value_name[values], parts == 2 ? " complex" : "");
  golden_draw_matrix(golden_full, values, n, rank, parts, golden_a, ldu);
  golden_draw_matrix(golden_full, values, rank, n, parts, golden_b, ldv);
  (parts == 2 ? perm_compute_low_rank_complex : perm_compute_low_rank_real)(n, rank, golden_a, ldu, golden_b, ldv,
                                                                            &options, &r);
  golden_result(&r);
  golden_end();
}

static void golden_cauchy(int index)
{
  const int parts = 1 + index % 2, n = golden_from(0, index % 5 ? 9 : 30), apart = golden_below(3);
  perm_options options = golden_options(GOLDEN_PRECISION | GOLDEN_TOLERANCE);
  double condition = 0;
  perm_result r;
  int k;
  golden_describe("%d nodes %s%s", n,
                  apart == 0   ? "close"
                  : apart == 1 ? "apart"
                               : "mixed",
                  parts == 2 ? " complex" : "");
  if (golden_below(3) == 0) {
    options.method = PERM_METHOD_BORCHARDT;
    golden_describe(" borchardt");
  }
  for (k = 0; k < n * parts; k++) {
    golden_a[k] = golden_unit() + k;
    golden_b[k] = golden_unit();
    golden_b[k] += apart == 0 ? k : apart == 1 ? -1 - 2 * k : golden_below(n * parts);
  }
  (parts == 2 ? perm_compute_cauchy_complex : perm_compute_cauchy_real)(n, golden_a, golden_b, &options, &condition,
                                                                        &r);
  golden_result(&r);
  golden_double("condition", condition);
  golden_end();
}

static void golden_estimate(int index)
{
  const int parts = 1 + index % 2, n = golden_from(0, 20), ld = golden_matrix(n, n, parts);
  const perm_options options = golden_options(0);
  perm_estimate_plan plan;
  perm_estimate e;
  memset(&plan, 0, sizeof plan);
  plan.estimator = (perm_estimator)golden_below(PERM_ESTIMATOR_COUNT);
  plan.samples = 256 * golden_from(1, 12);
  plan.confidence = golden_below(3) ? 0 : 0.99;
  plan.relative_error = golden_below(4) ? 0 : 0.25;
  plan.seed = golden_bits();
  golden_describe(" %s %g%s", perm_name("estimator", plan.estimator), plan.samples,
                  plan.relative_error > 0 ? " to 0.25" : "");
  (parts == 2 ? perm_estimate_complex : perm_estimate_real)(n, golden_a, ld, &plan, &options, &e);
  golden_say(" by=%s", perm_name("estimator", e.estimator));
  golden_double("v", e.value);
  if (parts == 2)
    golden_double("w", e.imaginary);
  golden_say(" x=%lld", e.exp2);
  golden_double("e", e.standard_error);
  golden_double("low", e.low);
  golden_double("high", e.high);
  golden_double("radius", e.radius);
  golden_say(" t=%.17g sure=%g s=%d", e.samples, e.confidence, (int)e.status);
  if (e.argument)
    golden_say(" a=%d", e.argument);
  if (e.message[0])
    golden_text(e.message);
  golden_end();
}

/* ------------------------------------------------------------------------------------------- sparse matrices */
#include "golden_sparse.h"

/* ------------------------------------------------------------------------------- jobs in pieces, stops and refusals */
#include "golden_jobs.h"

/* ------------------------------------------------------------------------------------------- polynomials */
#include "golden_polynomials.h"

/* ------------------------------------------------------------------------------------------- names and texts */
static void golden_names(int index)
{
  golden_say(" status=%s \"%s\"", perm_name("status", (perm_status)(index - 20)),
             perm_status_text((perm_status)(index - 20)));
  golden_end();
  golden_say(" method=%s precision=%s isa=%s format=%s estimator=%s", perm_name("method", (perm_method)(index - 2)),
             perm_name("precision", (perm_precision)(index - 2)), perm_name("isa", (perm_isa)(index - 2)),
             perm_name("format", (perm_format)(index - 2)), perm_name("estimator", (perm_estimator)(index - 2)));
  golden_end();
}

static void golden_layout(int index)
{
  static const char *const name[] = {"perm_result",
                                     "perm_result.value",
                                     "perm_result.imaginary",
                                     "perm_result.exp2",
                                     "perm_result.integer",
                                     "perm_result.message",
                                     "perm_options",
                                     "perm_options.threads",
                                     "perm_options.format",
                                     "perm_integer",
                                     "perm_partial",
                                     "perm_leaf",
                                     "perm_estimate",
                                     "perm_estimate_plan"};
  size_t offset = 0, bytes = 0;
  golden_describe("%s", name[index]);
  golden_say(" s=%d", (int)(strncmp(name[index], "perm_estimate", 13) ? perm_layout : perm_more_layout)(
                          name[index], &offset, &bytes));
  golden_say(" %d %d", (int)offset, (int)bytes);
  golden_end();
}

/* A result as text. */
static void golden_texts(int index)
{
  char text[PERM_TEXT_BYTES];
  const int parts = 1 + index % 2, n = golden_from(0, 9), whole = golden_below(2);
  perm_options options;
  perm_result r;
  int ld;
  memset(&options, 0, sizeof options);
  options.threads = golden_now.threads;
  ld = whole ? golden_integers(n, n, parts) : golden_matrix(n, n, parts);
  if (whole && parts == 2)
    perm_compute_gaussian(n, n, golden_i, ld, &options, &r);
  else if (whole)
    perm_compute_integer(n, n, golden_i, ld, &options, &r);
  else if (parts == 2)
    perm_compute_complex(n, n, golden_a, ld, &options, &r);
  else
    perm_compute_real(n, n, golden_a, ld, &options, &r);
  perm_result_text(&r, text, sizeof text);
  golden_text(text);
  golden_end();
}

/* -------------------------------------------------------------------------------------- threads, large orders, GPUs */
#include "golden_large.h"

/* ------------------------------------------------------------------------------------------- the classes */
typedef struct golden_class_entry {
  const char *name;
  int problems, gpus;
  void (*run)(int index);
} golden_class_entry;

static const golden_class_entry golden_class[] = {
    {"one-line", 440, 0, golden_one_line},
    {"real", 560, 0, golden_real},
    {"complex", 460, 0, golden_complex},
    {"float", 30, 0, golden_float},
    {"families", PERM_ISA_COUNT * 12, 0, golden_families},
    {"families-exact", PERM_ISA_COUNT * 6, 0, golden_families_exact},
    {"integer", 420, 0, golden_integer_class},
    {"methods", GOLDEN_METHODS * 4 + GOLDEN_DENSE_METHODS * 44, 0, golden_methods},
    {"repeated", 320, 0, golden_repeated},
    {"rectangular", 280, 0, golden_rectangular},
    {"minors", 240, 0, golden_minors},
    {"batch", 180, 0, golden_batch},
    {"select", 60, 0, golden_select},
    {"low-rank", 60, 0, golden_low_rank},
    {"cauchy", 60, 0, golden_cauchy},
    {"estimate", 60, 0, golden_estimate},
    {"sparse", 400, 0, golden_sparse},
    {"sparse-methods", GOLDEN_METHODS * 16, 0, golden_sparse_methods},
    {"sparse-large", 176, 0, golden_sparse_large},
    {"routed", 60, 0, golden_routed},
    {"report", 80, 0, golden_report},
    {"explain", 200, 0, golden_explain},
    {"read", 160, 0, golden_read_text},
    {"write", 20, 0, golden_write},
    {"formats", 26, 0, golden_formats},
    {"pieces", 75, 0, golden_pieces},
    {"states", 60, 0, golden_states},
    {"parts", 40, 0, golden_parts},
    {"stops", 72, 0, golden_stops},
    {"bad", 16, 0, golden_bad},
    {"names", 45, 0, golden_names},
    {"layout", 14, 0, golden_layout},
    {"texts", 40, 0, golden_texts},
    {"threads", 60, 0, golden_threads},
    {"large", GOLDEN_LARGE, 0, golden_large},
    {"graphs", 16, 0, golden_graphs},
    {"polynomials", 9 * 12, 0, golden_polynomials},
    {"sparse-polynomials", 3 * 16, 0, golden_sparse_polynomials},
    {"gpu-large", GOLDEN_LARGE, 1, golden_gpu_large},
    {"gpu-dense", 200, 1, golden_gpu_dense},
    {"gpu-integer", 80, 1, golden_gpu_integer},
    {"gpu-repeated", 40, 1, golden_gpu_repeated},
    {"gpu-batch", 40, 1, golden_gpu_batch},
    {"gpu-sparse", 64, 1, golden_gpu_sparse}};
/* SPDX-License-Identifier: MIT */
