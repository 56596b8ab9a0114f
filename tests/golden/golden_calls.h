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
    golden_say(" i=%s", perm_isa_name(isa));
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
    golden_say(" m=%s", perm_method_name(r->method));
    if (r->precision != PERM_PRECISION_DEFAULT)
      golden_say(" p=%s", perm_precision_name(r->precision));
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
enum { GOLDEN_PRECISION = 1, GOLDEN_CERTIFY = 2, GOLDEN_TOLERANCE = 4, GOLDEN_FORCE = 8, GOLDEN_ALL_OPTIONS = 15 };

static perm_options golden_options(int what)
{
  static const double tolerances[] = {1e-3, 1e-10, 1e-14, 1e-20, 1e-27};
  const int precision = golden_below(8) ? golden_below(4) : golden_below(PERM_PRECISION_COUNT);
  const int certify = golden_below(4) == 0, tolerance = golden_below(25), force = golden_below(8) == 0;
  perm_options options;
  memset(&options, 0, sizeof options);
  options.threads = golden_now.threads;
  if (what & GOLDEN_PRECISION && precision) {
    options.precision = (perm_precision)precision;
    golden_describe(" %s", perm_precision_name(options.precision));
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
  static float a[16 * 16];
  const int m = golden_from(1, 10), n = index % 3 ? m : golden_from(1, 10), ld = golden_matrix(m, n, 1);
  const perm_options options = golden_options(GOLDEN_PRECISION | GOLDEN_CERTIFY);
  perm_result r;
  int i;
  for (i = 0; i < m * ld; i++) /* huge and tiny entries: what does not fit is small */
    a[i] = golden_a[i] > 1e30 || golden_a[i] < -1e30 ? 7 : (float)golden_a[i];
  perm_compute_float(m, n, a, ld, &options, &r);
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
  golden_describe(" on %s", perm_isa_name(options.isa));
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
  golden_describe(" on %s", perm_isa_name(options.isa));
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
    options.precision = (perm_precision)golden_below(PERM_PRECISION_COUNT);
    golden_describe(" %s", perm_precision_name(options.precision));
  }
  if (parts == 2)
    perm_compute_gaussian(n, n, golden_i, ld, &options, &r);
  else
    perm_compute_integer(n, n, golden_i, ld, &options, &r);
  if (r.exact && perm_integer_int64(&r.integer, &small) == PERM_OK)
    golden_say(" short=%lld", (long long)small);
  golden_result(&r);
  golden_end();
}

/* Every method by name for every kind of value: those of perm.h, and among the first problems those that decline. */
static void golden_methods(int index)
{
  const int first = 4 * PERM_METHOD_COUNT, all = index < first;
  const perm_method method = (perm_method)(all ? index % PERM_METHOD_COUNT : (index - first) % PERM_METHOD_LOW_RANK);
  const int kind = (all ? index / PERM_METHOD_COUNT : (index - first) / PERM_METHOD_LOW_RANK) % 4;
  const int slow = method == PERM_METHOD_EXPANSION || method == PERM_METHOD_TRANSVERSALS;
  const int square = golden_below(4) != 0, m = golden_from(1, slow ? 8 : 13);
  const int n = square ? m : golden_from(1, slow ? 8 : 10);
  int ld;
  perm_options options;
  perm_result r;
  golden_describe("%s ", perm_method_name(method));
  ld = kind < 2 ? golden_matrix(m, n, kind + 1) : golden_integers(m, n, kind - 1);
  options = golden_options(kind < 2 ? GOLDEN_ALL_OPTIONS : GOLDEN_FORCE);
  options.method = method;
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

static void golden_repeated(int index)
{
  const int kind = index % 4, m = golden_from(1, 6), n = golden_from(1, 6), total = golden_from(0, 20);
  const int ld = kind < 2 ? golden_matrix(m, n, kind + 1) : golden_integers(m, n, kind - 1);
  const int rows_once = golden_below(5) == 0, columns_once = golden_below(5) == 0;
  static const perm_method method[] = {PERM_METHOD_AUTO,    PERM_METHOD_AUTO,  PERM_METHOD_AUTO,  PERM_METHOD_SUBSETS,
                                       PERM_METHOD_REPEATS, PERM_METHOD_GLYNN, PERM_METHOD_RYSER, PERM_METHOD_DENSE};
  const int sum = rows_once ? m : columns_once ? n : total;
  int rows[8], columns[8];
  perm_options options;
  perm_result r;
  golden_draw_counts(m, sum, rows);
  golden_draw_counts(n, golden_below(30) ? sum : sum + 1, columns);
  golden_describe(" sum %d%s%s", sum, rows_once ? " rows" : "", columns_once ? " columns" : "");
  options = golden_options(kind < 2 ? GOLDEN_ALL_OPTIONS : GOLDEN_FORCE);
  options.method = method[golden_below(8)];
  if (options.method)
    golden_describe(" %s", perm_method_name(options.method));
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
                                       PERM_METHOD_SUBSETS, PERM_METHOD_SHORT,    PERM_METHOD_PADDED,
                                       PERM_METHOD_REPEATS, PERM_METHOD_EXPANSION};
  const int kind = index % 4, chosen = golden_below(8), most = chosen == 7 ? 6 : 9;
  const int one = golden_from(0, most), other = golden_from(0, chosen == 7 ? 8 : 24), turned = golden_below(2);
  const int m = turned ? other : one, n = turned ? one : other;
  const int ld = kind < 2 ? golden_matrix(m, n, kind + 1) : golden_integers(m, n, kind - 1);
  perm_options options = golden_options(kind < 2 ? GOLDEN_ALL_OPTIONS : GOLDEN_FORCE);
  perm_result r;
  options.method = method[chosen];
  if (chosen >= 3)
    golden_describe(" %s", perm_method_name(options.method));
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
  int rows[8], columns[8], row = golden_below(m);
  const perm_options options = golden_options(GOLDEN_ALL_OPTIONS);
  const size_t numbers = (size_t)(parts * n * (gradient ? m : 1));
  perm_result r;
  golden_draw_counts(m, total, rows);
  golden_draw_counts(n, golden_below(20) ? total : total + 1, columns);
  if (counted)
    golden_describe(" sum %d", total);
  golden_describe(gradient ? " gradient" : " row %d", row);
  memset(golden_out, 0, sizeof golden_out);
  if (gradient)
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
  static float narrow[70 * 144];
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
  for (e = 0; type == 2 && e < sizeof narrow / sizeof narrow[0]; e++)
    narrow[e] = a[e] > 1e30 || a[e] < -1e30 ? (a[e] > 1e308 ? (float)INFINITY : 7) : (float)a[e];
  memset(golden_out, 0, sizeof golden_out);
  if (type == 2)
    (soa ? perm_batch_float_soa : perm_batch_float)(n, (size_t)count, narrow, stride, &options, golden_out, &r);
  else if (type == 1)
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
  golden_describe(" %s %g%s", perm_estimator_name(plan.estimator), plan.samples,
                  plan.relative_error > 0 ? " to 0.25" : "");
  (parts == 2 ? perm_estimate_complex : perm_estimate_real)(n, golden_a, ld, &plan, &options, &e);
  golden_say(" by=%s", perm_estimator_name(e.estimator));
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
static const char *const golden_kind_name[] = {"pattern", "integer", "real", "complex"};

/* A sparse matrix of order n (or m x n), described; values of one kind. */
static perm_matrix golden_sparse_matrix(int m, int n, perm_kind kind, const perm_options *options)
{
  static int row[GOLDEN_MOST * GOLDEN_MOST], column[GOLDEN_MOST * GOLDEN_MOST];
  static double real[GOLDEN_MOST * GOLDEN_MOST], imaginary[GOLDEN_MOST * GOLDEN_MOST];
  static int64_t integer[GOLDEN_MOST * GOLDEN_MOST];
  static const int sparse[] = {golden_few,  golden_few,  golden_few,      golden_band,   golden_band,
                               golden_grid, golden_hubs, golden_blocks,   golden_tree,   golden_circulant,
                               golden_half, golden_full, golden_triangle, golden_lonely, golden_zero_row};
  const int pattern = n > 14 ? sparse[golden_below(10)] : sparse[golden_below(15)];
  const int values = golden_below(golden_value_kinds), size = golden_below(GOLDEN_SIZES), turned = golden_below(2);
  const int shuffled = golden_below(2);
  int rows[GOLDEN_MOST], columns[GOLDEN_MOST], i, j;
  size_t used = 0, k;
  perm_matrix matrix;
  perm_result r;
  golden_describe("%dx%d %s %s %s%s%s", m, n, golden_kind_name[kind], golden_pattern_name[pattern],
                  kind == PERM_KIND_PATTERN   ? "1"
                  : kind == PERM_KIND_INTEGER ? golden_size_name[size]
                                              : golden_value_name[values],
                  shuffled ? " shuffled" : "", turned ? " turned" : "");
  for (i = 0; i < m; i++)
    rows[i] = i;
  for (i = 0; i < n; i++)
    columns[i] = i;
  for (i = m - 1; i > 0 && shuffled; i--) {
    const int other = golden_below(i + 1), swap = rows[i];
    rows[i] = rows[other];
    rows[other] = swap;
  }
  for (i = n - 1; i > 0 && shuffled; i--) {
    const int other = golden_below(i + 1), swap = columns[i];
    columns[i] = columns[other];
    columns[other] = swap;
  }
  golden_draw_pattern(pattern, m, n);
  for (i = 0; i < m; i++) {
    const double scale = golden_power(golden_from(-40, 40));
    for (j = 0; j < n; j++)
      if (golden_there[turned && m == n ? j * n + i : i * n + j]) {
        row[used] = rows[i];
        column[used] = columns[j];
        integer[used] = golden_integer(size);
        real[used] = golden_value(values, scale);
        imaginary[used++] = golden_value(values, scale);
      }
  }
  for (k = used; k > 1; k--) { /* any order will do */
    const size_t other = (size_t)golden_below((int)k), last = k - 1;
    const int r0 = row[last], c0 = column[last];
    const double x = real[last], y = imaginary[last];
    const int64_t z = integer[last];
    row[last] = row[other], column[last] = column[other];
    real[last] = real[other], imaginary[last] = imaginary[other], integer[last] = integer[other];
    row[other] = r0, column[other] = c0;
    real[other] = x, imaginary[other] = y, integer[other] = z;
  }
  if (perm_matrix_from_triplets(m, n, used, row, column, real, imaginary, integer, kind, options, &matrix, &r) !=
      PERM_OK)
    golden_failure(r.status, &r);
  return matrix;
}

static int golden_sparse_order(int most)
{
  const int kind = golden_below(3);
  return kind == 0 ? golden_from(1, 9) : kind == 1 ? golden_from(8, 20 < most ? 20 : most) : golden_from(1, most);
}

static void golden_sparse(int index)
{
  const perm_kind kind = (perm_kind)(index % 4);
  const int n = golden_sparse_order(48), m = golden_below(25) ? n : golden_from(1, 9);
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  memset(&options, 0, sizeof options);
  matrix = golden_sparse_matrix(m, m == n ? n : golden_from(1, 12), kind, &options);
  options = golden_options(GOLDEN_ALL_OPTIONS);
  if (kind <= PERM_KIND_INTEGER)
    golden_modulus(&options);
  perm_compute_sparse(&matrix, &options, &r);
  golden_result(&r);
  golden_end();
  perm_matrix_free(&matrix);
}

static void golden_sparse_methods(int index)
{
  const perm_kind kind = (perm_kind)(index / PERM_METHOD_COUNT % 4);
  const perm_method method = (perm_method)(index % PERM_METHOD_COUNT);
  const int slow = method == PERM_METHOD_EXPANSION || method == PERM_METHOD_TRANSVERSALS;
  const int n = slow ? golden_from(1, 10) : golden_below(3) ? golden_from(1, 13) : golden_from(10, 20);
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  memset(&options, 0, sizeof options);
  golden_describe("%s ", perm_method_name(method));
  matrix = golden_sparse_matrix(n, n, kind, &options);
  options = golden_options(GOLDEN_ALL_OPTIONS);
  options.method = method;
  if (kind <= PERM_KIND_INTEGER)
    golden_modulus(&options);
  perm_compute_sparse(&matrix, &options, &r);
  golden_result(&r);
  golden_end();
  perm_matrix_free(&matrix);
}

/* Larger ones, where threads share the steps of a task; what is predicted to take long is left out. */
static void golden_sparse_large(int index)
{
  static const perm_method method[] = {PERM_METHOD_AUTO,     PERM_METHOD_LISTS,    PERM_METHOD_SORTING,
                                       PERM_METHOD_ARRAYS,   PERM_METHOD_TREE,     PERM_METHOD_BAND,
                                       PERM_METHOD_HYBRID,   PERM_METHOD_CACHED,   PERM_METHOD_DOMINATING,
                                       PERM_METHOD_SPARYSER, PERM_METHOD_DECOMPOSE};
  const perm_kind kind = (perm_kind)(index % 4);
  const int n = golden_from(20, 60);
  perm_options options;
  perm_matrix matrix;
  perm_job *job = NULL;
  perm_leaf leaf;
  perm_result r;
  double seconds = 0;
  int k;
  memset(&options, 0, sizeof options);
  matrix = golden_sparse_matrix(n, n, kind, &options);
  options = golden_options(GOLDEN_PRECISION | GOLDEN_CERTIFY);
  options.method = method[index / 4 % 11];
  options.threads = 3;
  golden_describe(" %s", perm_method_name(options.method));
  if (kind <= PERM_KIND_INTEGER)
    golden_modulus(&options);
  if (perm_sparse_job(&matrix, &options, &job, &r) == PERM_OK)
    for (k = 0; k < perm_job_leaves(job); k++)
      seconds += perm_job_leaf(job, k, &leaf) == PERM_OK ? leaf.seconds : 0;
  if (seconds > 0.2) {
    golden_say(" long");
  } else {
    perm_compute_sparse(&matrix, &options, &r);
    golden_result(&r);
  }
  golden_end();
  perm_job_free(job);
  perm_matrix_free(&matrix);
}

/* Dense arrays that perm.h hands over. */
static void golden_routed(int index)
{
  static const int sparse[] = {golden_few, golden_band, golden_grid, golden_hubs, golden_tree, golden_circulant};
  const int kind = index % 4, n = golden_from(18, 40), pattern = sparse[golden_below(6)];
  const int values = golden_below(golden_value_kinds), size = golden_below(GOLDEN_SIZES);
  perm_options options;
  perm_result r;
  golden_describe("%d %s %s", n, golden_pattern_name[pattern],
                  kind < 2 ? golden_value_name[values] : golden_size_name[size]);
  options = golden_options(kind < 2 ? GOLDEN_PRECISION | GOLDEN_CERTIFY | GOLDEN_TOLERANCE : 0);
  if (kind < 2)
    golden_draw_matrix(pattern, values, n, n, kind + 1, golden_a, n);
  else
    golden_draw_integers(pattern, size, n, n, kind - 1, golden_i, n);
  switch (kind) {
  case 0: perm_compute_real(n, n, golden_a, n, &options, &r); break;
  case 1: perm_compute_complex(n, n, golden_a, n, &options, &r); break;
  case 2: perm_compute_integer(n, n, golden_i, n, &options, &r); break;
  default: perm_compute_gaussian(n, n, golden_i, n, &options, &r); break;
  }
  golden_result(&r);
  golden_end();
}

static void golden_report(int index)
{
  const perm_kind kind = (perm_kind)(index % 4);
  const int n = golden_sparse_order(60), m = golden_below(5) ? n : golden_from(1, 60);
  perm_options options;
  perm_matrix matrix;
  perm_preparation p;
  perm_result r;
  memset(&options, 0, sizeof options);
  options.threads = golden_now.threads;
  matrix = golden_sparse_matrix(m, n, kind, &options);
  if (perm_sparse_report(&matrix, &options, &p, &r) != PERM_OK)
    golden_failure(r.status, &r);
  else
    golden_say(" %dx%d:%d rank=%d hall=%d,%d parts=%d dead=%d one=%d,%d two=%d,%d rounds=%d cancelled=%d"
               " blocks=%d,%d,%d equal=%d,%d three=%d four=%d",
               p.m, p.n, (int)p.entries, p.structural_rank, p.hall_lines, p.hall_others, p.components,
               (int)p.dead_entries, p.degree_one, (int)p.entries_one, p.degree_two, (int)p.entries_two, p.rounds,
               p.cancelled, p.blocks, p.largest, (int)p.entries_left, p.equal_rows, p.equal_columns, p.degree_three,
               p.degree_four);
  golden_end();
  perm_matrix_free(&matrix);
}

/* What --explain prints, a line each; twenty of them with the picture, of which there is a hash. */
static void golden_explain(int index)
{
  const perm_kind kind = (perm_kind)(index % 4);
  const int n = index % 5 ? golden_sparse_order(48) : golden_from(20, 30), picture = index % 10 == 0;
  perm_options options;
  perm_matrix matrix;
  perm_job *job = NULL;
  perm_result r;
  char *text, *at, *next;
  size_t length;
  memset(&options, 0, sizeof options);
  matrix = golden_sparse_matrix(n, n, kind, &options);
  options = golden_options(GOLDEN_PRECISION | GOLDEN_CERTIFY | GOLDEN_TOLERANCE);
  if (golden_below(2)) {
    options.method = (perm_method)(golden_below(5) ? golden_from(PERM_METHOD_FRONTIER, PERM_METHOD_TRANSVERSALS)
                                                   : golden_below(PERM_METHOD_COUNT));
    golden_describe(" %s", perm_method_name(options.method));
  }
  if (kind <= PERM_KIND_INTEGER)
    golden_modulus(&options);
  if (picture && perm_sparse_spy(&matrix, &options, "spy.svg", &r) == PERM_OK) {
    text = golden_read_file("spy.svg", &length);
    golden_mask(text);
    golden_hash("svg", text, strlen(text));
    free(text);
    remove("spy.svg");
  }
  if (perm_sparse_job(&matrix, &options, &job, &r) != PERM_OK) {
    golden_failure(r.status, &r);
    golden_end();
  } else {
    golden_end();
    length = perm_job_explain(job, NULL, 0);
    text = (char *)malloc(length + 1);
    if (!text || perm_job_explain(job, text, length + 1) != length)
      golden_die("perm_job_explain has two lengths", NULL);
    golden_mask(text);
    for (at = text; *at; at = next) {
      next = at + strcspn(at, "\n");
      if (*next)
        *next++ = 0;
      golden_say(" %s", at);
      golden_end();
    }
    free(text);
  }
  perm_job_free(job);
  perm_matrix_free(&matrix);
}

/* Texts to read, whole and damaged. */
static void golden_read_text(int index)
{
  static const char alphabet[] = "0123456789 .-+eEi%#\n\tx,NaInf";
  static char text[1 << 14];
  static const char *const symmetry[] = {"general", "general", "symmetric", "skew-symmetric", "hermitian"};
  static const char *const field[] = {"pattern", "integer", "real", "complex"};
  const int form = index % 4, kind = golden_below(4), n = golden_from(1, 6), like = golden_below(5);
  const int damage = golden_below(3) == 0 ? 0 : golden_from(1, 2);
  int i, j, k, entries = 0;
  size_t used = 0;
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  golden_draw_pattern(golden_few, n, n);
  for (i = 0; i < n * n; i++)
    entries += golden_there[i];
#define GOLDEN_ADD(...) (used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__))
  if (form == 0 || form == 1) {
    GOLDEN_ADD("%%%%MatrixMarket matrix %s %s %s\n", form ? "array" : "coordinate", field[kind], symmetry[like]);
    if (form)
      GOLDEN_ADD("%d %d\n", n, n);
    else
      GOLDEN_ADD("%d %d %d\n", n, n, entries);
  } else if (form == 2) {
    GOLDEN_ADD("%d %d %d\n", n, n, entries);
  }
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      const int there = golden_there[i * n + j], style = golden_below(4), x = golden_from(-30, 30);
      const int y = golden_from(1, 99);
      if (form != 1 && form != 3 && !there)
        continue;
      if (form == 0 || form == 2)
        GOLDEN_ADD("%d %d ", like >= 2 && i < j ? j + 1 : i + 1, like >= 2 && i < j ? i + 1 : j + 1);
      for (k = 0; k < (form > 1 || kind == 3 ? 1 + (kind == 3 && form < 2) : kind > 0); k++) {
        if (style == 0 || kind == 1)
          GOLDEN_ADD("%d ", x + k);
        else if (style == 1)
          GOLDEN_ADD("%d.%02d ", x, y);
        else if (style == 2)
          GOLDEN_ADD("%d.%de-%d ", x, y, y % 9);
        else if (form == 3 && kind == 3)
          GOLDEN_ADD("%d+%di ", x, y);
        else
          GOLDEN_ADD("%de%d ", x, y % 7);
      }
      if (form != 3)
        GOLDEN_ADD("\n");
    }
    if (form == 3)
      GOLDEN_ADD("\n");
  }
#undef GOLDEN_ADD
  for (k = 0; k < damage && used; k++) {
    const int way = golden_below(3);
    const size_t at = (size_t)golden_below((int)used);
    if (way == 0)
      text[at] = alphabet[golden_below((int)sizeof alphabet - 1)];
    else if (way == 1)
      memmove(text + at, text + at + 1, --used - at);
    else
      used = used / 2 + at / 2;
  }
  memset(&options, 0, sizeof options);
  options.format = golden_below(2) ? PERM_FORMAT_AUTO : (perm_format)golden_below(PERM_FORMAT_COUNT);
  golden_describe("text %d %s %s damage %d as %s", form, field[kind], symmetry[like], damage,
                  perm_format_name(options.format));
  perm_matrix_read_memory(text, used, index % 2 ? "it.txt" : NULL, &options, &matrix, &r);
  if (r.status == PERM_OK) {
    golden_say(" %dx%d:%d %s", matrix.m, matrix.n, (int)matrix.nnz, golden_kind_name[matrix.kind]);
    golden_hash("rows", matrix.row_start, ((size_t)matrix.m + 1) * sizeof *matrix.row_start);
    golden_hash("columns", matrix.column, matrix.nnz * sizeof *matrix.column);
    if (matrix.real)
      golden_hash("real", matrix.real, matrix.nnz * sizeof *matrix.real);
    if (matrix.imaginary)
      golden_hash("imaginary", matrix.imaginary, matrix.nnz * sizeof *matrix.imaginary);
    if (matrix.integer)
      golden_hash("integer", matrix.integer, matrix.nnz * sizeof *matrix.integer);
  }
  golden_failure(r.status, &r);
  golden_end();
  perm_matrix_free(&matrix);
}

/* A matrix written, read again, and made from its dense form. */
static void golden_write(int index)
{
  const perm_kind kind = (perm_kind)(index % 4);
  const int n = golden_from(1, 12), m = golden_below(3) ? n : golden_from(1, 12);
  perm_options options;
  perm_matrix matrix, again;
  perm_result r;
  char *text;
  size_t bytes;
  int ld;
  memset(&options, 0, sizeof options);
  matrix = golden_sparse_matrix(m, n, kind, &options);
  if (perm_matrix_write("matrix.mtx", &matrix, &r) != PERM_OK)
    golden_failure(r.status, &r);
  if (perm_matrix_write_within("matrix.mtx", &matrix, &options, &r) != PERM_OK) /* replaces it by the same */
    golden_failure(r.status, &r);
  text = golden_read_file("matrix.mtx", &bytes);
  golden_hash("file", text, bytes);
  free(text);
  perm_matrix_read("matrix.mtx", &options, &again, &r);
  golden_say(" same=%d", again.nnz == matrix.nnz && again.kind == matrix.kind &&
                             !memcmp(again.column, matrix.column, matrix.nnz * sizeof *matrix.column) &&
                             (!matrix.real || kind == PERM_KIND_INTEGER ||
                              !memcmp(again.real, matrix.real, matrix.nnz * sizeof *matrix.real)));
  golden_failure(r.status, &r);
  remove("matrix.mtx");
  perm_matrix_free(&again);
  perm_matrix_free(&matrix);
  golden_end();
  ld = golden_matrix(m, n, 1);
  perm_matrix_from_dense(m, n, golden_a, ld, &options, &matrix, &r);
  golden_say(" %d", (int)matrix.nnz);
  golden_hash("real", matrix.real, matrix.nnz * sizeof *matrix.real);
  golden_hash("columns", matrix.column, matrix.nnz * sizeof *matrix.column);
  golden_failure(r.status, &r);
  golden_end();
  perm_matrix_free(&matrix);
  perm_matrix_read("missing.mtx", &options, &matrix, &r);
  golden_failure(r.status, &r);
  golden_end();
}

/* ------------------------------------------------------------------------------------------- jobs in pieces */
static void golden_fingerprint(uint64_t number)
{
  golden_now.versioned = 1;
  golden_say(" fingerprint=%016llx", (unsigned long long)number);
  golden_end();
}

static void golden_plan(int index)
{
  const int parts = 1 + index % 2, n = index % 4 == 3 ? golden_from(20, 64) : golden_from(0, 24);
  const int ld = golden_matrix(n, n, parts);
  const perm_options options = golden_options(GOLDEN_ALL_OPTIONS);
  perm_plan p;
  perm_result r;
  const perm_status status = (parts == 2 ? perm_plan_complex : perm_plan_real)(n, n, golden_a, ld, &options, &p, &r);
  if (status != PERM_OK) {
    golden_failure(status, &r);
    golden_end();
    return;
  }
  golden_say(" m=%s p=%s", perm_method_name(p.method), perm_precision_name(p.precision));
  golden_isa_field(p.isa);
  golden_say(" n=%d complex=%d certify=%d form=%d pivot=%d columns=%d,%d,%d chunk=%d chunks=%llu zero=%d lossy=%d "
             "exact=%d t=%.17g",
             p.n, p.is_complex, p.certify, (int)p.form, p.pivot, p.lane_columns, p.block_columns, p.outer_columns,
             p.chunk_log2, (unsigned long long)p.chunks, p.zero, p.lossy, p.exact_rows, p.elements);
  golden_hash("rows", p.row_exp2, (size_t)n * sizeof *p.row_exp2);
  golden_hash("by", p.column_exp2, (size_t)n * sizeof *p.column_exp2);
  golden_end();
  golden_fingerprint(p.fingerprint);
}

/* A job of any kind, described; NULL and a line if there is none. */
static perm_job *golden_job(int kind, perm_options *options)
{
  const int big = golden_below(3) == 0;
  perm_job *job = NULL;
  perm_plan plan;
  perm_result r;
  int n, ld;
  memset(&r, 0, sizeof r);
  if (kind < 2) {
    n = big ? golden_from(18, 22 - kind) : golden_from(1, 15);
    ld = golden_matrix(n, n, kind + 1);
    *options = golden_options(GOLDEN_ALL_OPTIONS);
    if ((kind ? perm_plan_complex : perm_plan_real)(n, n, golden_a, ld, options, &plan, &r) == PERM_OK)
      (kind ? perm_job_create_complex : perm_job_create_real)(&plan, golden_a, ld, options, &job, &r);
  } else if (kind < 4) {
    n = big ? golden_from(16, 21 - kind) : golden_from(1, 13);
    ld = golden_integers(n, n, kind - 1);
    *options = golden_options(GOLDEN_FORCE);
    golden_modulus(options);
    (kind == 3 ? perm_job_gaussian : perm_job_integer)(n, n, golden_i, ld, options, &job, &r);
  } else {
    const int square = golden_sparse_order(24);
    perm_matrix matrix;
    memset(options, 0, sizeof *options);
    matrix = golden_sparse_matrix(square, square, (perm_kind)golden_below(4), options);
    *options = golden_options(GOLDEN_ALL_OPTIONS);
    if (golden_below(3) == 0) {
      static const perm_method method[] = {PERM_METHOD_HYBRID, PERM_METHOD_CACHED, PERM_METHOD_SPARYSER,
                                           PERM_METHOD_DOMINATING, PERM_METHOD_DENSE};
      options->method = method[golden_below(5)];
      golden_describe(" %s", perm_method_name(options->method));
    }
    perm_sparse_job(&matrix, options, &job, &r);
    perm_matrix_free(&matrix);
  }
  if (!job) {
    golden_failure(r.status, &r);
    golden_end();
  }
  return job;
}

/* Leaves, their chunks in several partials, as bytes and back, merged, finished; lines of their own for what has
   fingerprints in it. */
static void golden_pieces(int index)
{
  enum { MOST = 16 };
  static unsigned char bytes[PERM_PARTIAL_BYTES];
  static perm_partial partial[MOST], part;
  perm_options options;
  perm_job *job = golden_job(index % 5, &options);
  perm_result r;
  uint64_t hash = GOLDEN_HASH;
  int leaf, leaves;
  if (!job)
    return;
  leaves = perm_job_leaves(job);
  golden_say(" leaves=%d", leaves);
  for (leaf = 0; leaf < leaves && leaves <= MOST; leaf++) {
    perm_leaf information;
    uint64_t at = 0, chunks;
    perm_job_leaf(job, leaf, &information);
    chunks = information.chunks;
    golden_say(" %s:%d:%llu", perm_method_name(information.method), information.n, (unsigned long long)chunks);
    memset(&partial[leaf], 0, sizeof partial[leaf]);
    while (at < chunks) {
      const uint64_t left = chunks - at, step = 1 + golden_bits() % left;
      memset(&part, 0, sizeof part);
      if (golden_below(2))
        perm_job_run(job, leaf, at, at + step, &part);
      else
        perm_job_range(job, leaf, at, at + step, &options, &part, NULL);
      if (perm_partial_encode(&part, bytes, sizeof bytes) != sizeof bytes ||
          perm_partial_decode(bytes, sizeof bytes, &part) != PERM_OK ||
          perm_partial_merge(&partial[leaf], &part) != PERM_OK)
        golden_say(" partials=bad");
      hash = golden_hash_bytes(hash, bytes, sizeof bytes);
      at += step;
    }
  }
  if (leaves <= MOST) {
    perm_job_finish(job, partial, &r);
    golden_result(&r);
  }
  golden_end();
  golden_say(" bytes=%016llx", (unsigned long long)hash);
  golden_fingerprint(perm_job_fingerprint(job));
  perm_job_free(job);
}

/* States: some chunks at a time, two states merged, as bytes and as a file. */
static void golden_states(int index)
{
  static unsigned char bytes[1 << 20];
  static perm_partial part;
  perm_options options, read;
  perm_job *job = golden_job(index % 5, &options);
  perm_state *state[3] = {NULL, NULL, NULL};
  perm_result r;
  uint64_t begin, end, at = 0;
  size_t size;
  int leaf, turn = 0;
  if (!job)
    return;
  if (perm_state_create(job, &state[0]) != PERM_OK || perm_state_create(job, &state[1]) != PERM_OK)
    golden_die("no state", NULL);
  for (leaf = 0; leaf < perm_job_leaves(job); leaf++)
    for (at = 0; perm_state_left(job, state[0], leaf, at, &begin, &end) == PERM_OK && begin < end; at = end, turn++) {
      const uint64_t step = 1 + golden_bits() % (end - begin);
      end = begin + step;
      memset(&part, 0, sizeof part);
      perm_job_range(job, leaf, begin, end, &options, &part, NULL);
      if (perm_state_add(job, state[turn % 2], leaf, begin, end, &part, &r) != PERM_OK)
        golden_failure(r.status, &r);
    }
  if (turn > 1 && perm_state_finish(job, state[0], &r) != PERM_OK)
    golden_failure(r.status, NULL);
  if (perm_state_merge(job, state[0], state[1], &r) != PERM_OK)
    golden_failure(r.status, &r);
  size = perm_state_encode(job, state[0], &options, bytes, sizeof bytes);
  if (perm_state_decode(job, bytes, size, &state[2], &r) != PERM_OK)
    golden_failure(r.status, &r);
  else
    perm_state_finish(job, state[2], &r);
  golden_result(&r);
  golden_end();
  golden_hash("state", bytes, size);
  golden_fingerprint(perm_job_fingerprint(job));
  if (size) { /* damaged */
    perm_state_free(state[2]);
    state[2] = NULL;
    bytes[golden_below((int)size)] ^= 1;
    golden_failure(perm_state_decode(job, bytes, size - (size_t)golden_below(2), &state[2], &r), &r);
    golden_now.versioned = 1;
    golden_end();
  }
  options.checkpoint.note = "a note";
  options.checkpoint.note_bytes = 6;
  if (perm_checkpoint_write(job, state[0], "state.ck", &options, &r) != PERM_OK)
    golden_failure(r.status, &r);
  perm_state_free(state[2]);
  state[2] = NULL;
  if (perm_checkpoint_read(job, "state.ck", &options, &state[2], &r) == PERM_OK)
    perm_job_execute(job, state[2], &options, &r);
  golden_result(&r);
  memset(&read, 0, sizeof read);
  {
    void *note = NULL;
    size_t note_bytes = 0;
    golden_failure(perm_checkpoint_options("state.ck", &read, &note, &note_bytes, &r), &r);
    golden_say(" method=%d precision=%d certify=%d modulus=%llu note=%d", (int)read.method, (int)read.precision,
               read.certify, (unsigned long long)read.modulus, (int)note_bytes);
    free(note);
  }
  remove("state.ck");
  golden_end();
  for (turn = 0; turn < 3; turn++)
    perm_state_free(state[turn]);
  perm_job_free(job);
}

/* Parts through the options of one call, then put together. */
static void golden_parts(int index)
{
  static const char *const name[] = {"1.ck", "2.ck", "3.ck"};
  const int kind = index % 4, parts = golden_from(1, 3), n = golden_from(2, kind < 2 ? 18 : 15);
  const int ld = kind < 2 ? golden_matrix(n, n, kind + 1) : golden_integers(n, n, kind - 1);
  perm_options options = golden_options(kind < 2 ? GOLDEN_PRECISION | GOLDEN_CERTIFY : 0);
  perm_result r;
  int part;
  golden_describe(" %d parts", parts);
  for (part = 1; part <= parts + 1; part++) {
    options.checkpoint.part = part <= parts ? part : 0;
    options.checkpoint.parts = part <= parts ? parts : 0;
    options.checkpoint.file = part <= parts ? name[part - 1] : NULL;
    options.checkpoint.merge = part <= parts ? NULL : name;
    options.checkpoint.merges = part <= parts ? 0 : parts - (index % 7 == 6);
    switch (kind) {
    case 0: perm_compute_real(n, n, golden_a, ld, &options, &r); break;
    case 1: perm_compute_complex(n, n, golden_a, ld, &options, &r); break;
    case 2: perm_compute_integer(n, n, golden_i, ld, &options, &r); break;
    default: perm_compute_gaussian(n, n, golden_i, ld, &options, &r); break;
    }
    golden_result(&r);
    golden_end();
  }
  for (part = 0; part < parts; part++)
    remove(name[part]);
}

/* ------------------------------------------------------------------------------------------- stops and refusals */
static int golden_no(const perm_progress *progress, void *user_data)
{
  (void)progress;
  (void)user_data;
  return 1;
}

static void golden_stops(int index)
{
  static const volatile int now = 1;
  const int what = index % 6, sparse = index / 6 % 2, n = golden_from(5, 17);
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  int ld = 0;
  memset(&options, 0, sizeof options);
  memset(&matrix, 0, sizeof matrix);
  if (sparse)
    matrix = golden_sparse_matrix(n, n, (perm_kind)golden_below(4), &options);
  else
    ld = golden_matrix(n, n, 1);
  options = golden_options(GOLDEN_PRECISION);
  switch (what) {
  case 0:
    options.cancel = &now;
    golden_describe(" cancelled");
    break;
  case 1:
    options.progress = golden_no;
    golden_describe(" no progress");
    break;
  case 2:
    options.max_bytes = 100;
    golden_describe(" 100 bytes");
    break;
  case 3:
    options.max_bytes = 1e12;
    golden_describe(" 1e12 bytes");
    break;
  case 4:
    options.max_seconds = 1e-12;
    golden_describe(" 1e-12 seconds");
    break;
  default:
    options.max_seconds = 1e9;
    options.tolerance = 1e-25;
    golden_describe(" to 1e-25 in 1e9 seconds");
    break;
  }
  if (sparse)
    perm_compute_sparse(&matrix, &options, &r);
  else
    perm_compute_real(n, n, golden_a, ld, &options, &r);
  golden_result(&r);
  golden_end();
  perm_matrix_free(&matrix);
}

/* Bad arguments of every call, a line each. */
#define GOLDEN_BAD(call) (memset(&r, 0, sizeof r), golden_say(" %s", #call), golden_failure(call, &r), golden_end())
static void golden_bad(int index)
{
  const double nan = golden_keep((double)INFINITY) - (double)INFINITY;
  static double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, bad[9], out[20];
  static int64_t whole[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  static const int counts[3] = {1, 1, 1}, wrong[3] = {2, 1, 1}, below[3] = {-1, 2, 2}, far[3] = {0, 1, 7};
  static const float f[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  perm_options o;
  perm_result r;
  perm_plan plan;
  perm_job *job = NULL, *other = NULL;
  perm_matrix matrix;
  perm_estimate e;
  perm_estimate_plan ep;
  perm_partial partial;
  perm_state *state = NULL;
  size_t size = 0;
  memcpy(bad, a, sizeof a);
  bad[4] = index % 2 ? nan : (double)INFINITY;
  memset(&o, 0, sizeof o);
  memset(&e, 0, sizeof e);
  memset(&ep, 0, sizeof ep);
  memset(&matrix, 0, sizeof matrix);
  memset(&partial, 0, sizeof partial);
  o.threads = 1;
  switch (index / 2) {
  case 0:
    GOLDEN_BAD(perm_compute_real(3, 3, NULL, 3, &o, &r));
    GOLDEN_BAD(perm_compute_real(-1, 3, a, 3, &o, &r));
    GOLDEN_BAD(perm_compute_real(3, -3, a, 3, &o, &r));
    GOLDEN_BAD(perm_compute_real(3, 3, a, 2, &o, &r));
    GOLDEN_BAD(perm_compute_real(3, 3, bad, 3, &o, &r));
    GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, NULL));
    GOLDEN_BAD(perm_compute_real(5000, 5000, a, 5000, &o, &r));
    GOLDEN_BAD(perm_compute_complex(1, 1, bad + 3, 1, &o, &r));
    GOLDEN_BAD(perm_compute_complex(2, 2, NULL, 2, &o, &r));
    GOLDEN_BAD(perm_compute_float(3, 3, NULL, 3, &o, &r));
    GOLDEN_BAD(perm_compute_float(3, 3, f, 1, &o, &r));
    GOLDEN_BAD(perm_complex(2, a, NULL));
    GOLDEN_BAD(perm_complex(-2, a, out));
    golden_double("v", perm_real(3, bad));
    golden_double("w", perm_real(-1, a));
    golden_double("x", perm_real(3, NULL));
    golden_end();
    break;
  case 1:
    o.threads = -1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.threads = 1;
    o.tolerance = -1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.tolerance = 0;
    o.tolerance = nan, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.tolerance = 0;
    o.method = (perm_method)99, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.method = PERM_METHOD_AUTO;
    o.precision = (perm_precision)99, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r));
    o.precision = PERM_PRECISION_DEFAULT;
    o.isa = (perm_isa)99, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.isa = PERM_ISA_AUTO;
    o.max_seconds = -1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.max_seconds = 0;
    o.max_bytes = -1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.max_bytes = 0;
    o.plan_effort = -1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.plan_effort = 0;
    o.modulus = 7, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.modulus = 0;
    o.modulus = 1, GOLDEN_BAD(perm_compute_integer(3, 3, whole, 3, &o, &r)), o.modulus = 0;
    o.certify = 7, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.certify = 0;
    o.checkpoint.part = 3, o.checkpoint.parts = 2, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)),
    o.checkpoint.part = o.checkpoint.parts = 0;
    o.checkpoint.merges = 1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.checkpoint.merges = 0;
    o.gpu.devices = 1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.gpu.devices = 0;
    o.gpu.devices = -7, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r)), o.gpu.devices = 0;
    o.checkpoint.seconds = -1, GOLDEN_BAD(perm_compute_real(3, 3, a, 3, &o, &r));
    break;
  case 2:
    GOLDEN_BAD(perm_compute_integer(3, 3, NULL, 3, &o, &r));
    GOLDEN_BAD(perm_compute_integer(3, 3, whole, 2, &o, &r));
    GOLDEN_BAD(perm_compute_gaussian(2, -2, whole, 2, &o, &r));
    GOLDEN_BAD(perm_compute_repeated_real(3, 3, a, 3, counts, wrong, &o, &r));
    GOLDEN_BAD(perm_compute_repeated_real(3, 3, a, 3, below, counts, &o, &r));
    GOLDEN_BAD(perm_compute_repeated_complex(1, 1, NULL, 1, counts, counts, &o, &r));
    GOLDEN_BAD(perm_compute_repeated_integer(3, 3, whole, 3, below, below, &o, &r));
    GOLDEN_BAD(perm_compute_repeated_gaussian(2, 2, whole, 1, NULL, NULL, &o, &r));
    GOLDEN_BAD(perm_compute_low_rank_real(3, 4, a, 4, a, 3, &o, &r));
    GOLDEN_BAD(perm_compute_low_rank_real(3, 1, NULL, 1, a, 3, &o, &r));
    GOLDEN_BAD(perm_compute_low_rank_complex(2, 1, a, 0, a, 2, &o, &r));
    GOLDEN_BAD(perm_compute_cauchy_real(3, a, a, &o, out, &r));
    GOLDEN_BAD(perm_compute_cauchy_real(3, a, bad + 3, &o, out, &r));
    GOLDEN_BAD(perm_compute_cauchy_complex(-1, a, a, &o, out, &r));
    break;
  case 3:
    GOLDEN_BAD(perm_minors_real(3, 3, a, 3, NULL, NULL, 3, &o, out, &r));
    GOLDEN_BAD(perm_minors_real(3, 3, a, 3, counts, wrong, 0, &o, out, &r));
    GOLDEN_BAD(perm_minors_complex(2, 2, a, 2, NULL, NULL, 0, &o, NULL, &r));
    GOLDEN_BAD(perm_gradient_real(3, 2, a, 3, NULL, NULL, &o, out, &r));
    GOLDEN_BAD(perm_gradient_complex(2, 2, NULL, 2, NULL, NULL, &o, out, &r));
    GOLDEN_BAD(perm_batch_real(3, 1, bad, 9, &o, out, &r));
    GOLDEN_BAD(perm_batch_real(3, 2, a, 8, &o, out, &r));
    GOLDEN_BAD(perm_batch_real(-3, 1, a, 9, &o, out, &r));
    GOLDEN_BAD(perm_batch_complex(2, 1, NULL, 4, &o, out, &r));
    GOLDEN_BAD(perm_batch_float(3, 1, f, 9, &o, NULL, &r));
    GOLDEN_BAD(perm_batch_real_soa(3, 2, a, 1, &o, out, &r));
    GOLDEN_BAD(perm_batch_complex_soa(99, 1, a, 1, &o, out, &r));
    GOLDEN_BAD(perm_batch_float_soa(3, 2, f, 1, &o, out, &r));
    GOLDEN_BAD(perm_select_real(3, 3, a, 3, 2, 1, far + 1, counts, &o, out, &r));
    GOLDEN_BAD(perm_select_complex(2, 2, a, 2, 2, 1, counts, NULL, &o, out, &r));
    break;
  case 4:
    GOLDEN_BAD(perm_estimate_real(3, NULL, 3, NULL, &o, &e)), golden_text(e.message), golden_end();
    GOLDEN_BAD(perm_estimate_real(3, bad, 3, NULL, &o, &e)), golden_text(e.message), golden_end();
    GOLDEN_BAD(perm_estimate_complex(2, a, 1, NULL, &o, &e)), golden_text(e.message), golden_end();
    ep.estimator = (perm_estimator)9;
    GOLDEN_BAD(perm_estimate_real(3, a, 3, &ep, &o, &e)), golden_text(e.message), golden_end();
    ep.estimator = PERM_ESTIMATOR_AUTO, ep.samples = -1;
    GOLDEN_BAD(perm_estimate_real(3, a, 3, &ep, &o, &e)), golden_text(e.message), golden_end();
    ep.samples = 0, ep.confidence = 2;
    GOLDEN_BAD(perm_estimate_real(3, a, 3, &ep, &o, &e)), golden_text(e.message), golden_end();
    break;
  case 5:
    GOLDEN_BAD(perm_plan_real(3, 4, a, 4, &o, &plan, &r));
    GOLDEN_BAD(perm_plan_real(99, 99, a, 99, &o, &plan, &r));
    GOLDEN_BAD(perm_plan_complex(2, 2, a, 2, &o, NULL, &r));
    GOLDEN_BAD(perm_plan_real(3, 3, a, 3, &o, &plan, &r));
    GOLDEN_BAD(perm_job_create_real(&plan, bad, 3, &o, &job, &r));
    plan.pivot = 2, GOLDEN_BAD(perm_job_create_real(&plan, a, 3, &o, &job, &r));
    GOLDEN_BAD(perm_job_create_complex(NULL, a, 3, &o, &job, &r));
    GOLDEN_BAD(perm_job_integer(3, 3, whole, 3, &o, &job, &r));
    GOLDEN_BAD(perm_job_gaussian(2, 2, whole, 2, &o, &other, &r));
    GOLDEN_BAD(perm_job_run(job, 5, 0, 1, &partial));
    GOLDEN_BAD(perm_job_run(job, 0, 1, 0, &partial));
    GOLDEN_BAD(perm_job_range(job, 0, 0, UINT64_C(1) << 60, &o, &partial, &r));
    GOLDEN_BAD(perm_job_finish(job, &partial, &r));
    GOLDEN_BAD(perm_job_run(job, 0, 0, 1, &partial));
    GOLDEN_BAD(perm_job_finish(other, &partial, &r));
    GOLDEN_BAD(perm_job_leaf(job, -1, NULL));
    GOLDEN_BAD(perm_partial_decode(a, 8, &partial));
    GOLDEN_BAD(perm_state_create(job, &state));
    GOLDEN_BAD(perm_state_finish(job, state, &r));
    GOLDEN_BAD(perm_state_finish(other, state, &r));
    GOLDEN_BAD(perm_state_merge(job, state, state, &r));
    GOLDEN_BAD(perm_state_add(job, state, 0, 0, 2, &partial, &r));
    GOLDEN_BAD(perm_job_execute(other, state, &o, &r));
    GOLDEN_BAD(perm_checkpoint_write(job, state, "missing/a.ck", &o, &r));
    GOLDEN_BAD(perm_checkpoint_write(job, state, "a.ck", &o, &r));
    perm_state_free(state), state = NULL;
    GOLDEN_BAD(perm_checkpoint_read(other, "a.ck", &o, &state, &r));
    o.checkpoint.part = 1, o.checkpoint.parts = 2, GOLDEN_BAD(perm_checkpoint_read(job, "a.ck", &o, &state, &r)),
    o.checkpoint.part = o.checkpoint.parts = 0;
    remove("a.ck");
    GOLDEN_BAD(perm_checkpoint_read(job, "missing.ck", &o, &state, &r));
    GOLDEN_BAD(perm_checkpoint_options("missing.ck", &o, NULL, NULL, &r));
    perm_job_free(job);
    perm_job_free(other);
    break;
  case 6:
    GOLDEN_BAD(perm_compute_sparse(NULL, &o, &r));
    GOLDEN_BAD(perm_sparse_job(NULL, &o, &job, &r));
    GOLDEN_BAD(perm_sparse_report(&matrix, &o, NULL, &r));
    GOLDEN_BAD(perm_sparse_spy(&matrix, &o, NULL, &r));
    GOLDEN_BAD(perm_sparse_spy(&matrix, &o, "missing/spy.svg", &r));
    GOLDEN_BAD(perm_matrix_write("missing/a.mtx", &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_dense(3, 3, bad, 3, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_dense(3, 3, a, 1, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_triplets(3, 3, 3, far, counts, a, a, whole, PERM_KIND_REAL, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_triplets(3, 3, 3, counts, counts, a, a, whole, PERM_KIND_REAL, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_triplets(8, 8, 3, far, counts, bad + 3, a, whole, PERM_KIND_REAL, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_triplets(8, 8, 3, far, NULL, a, a, whole, PERM_KIND_REAL, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_from_triplets(8, 8, 3, far, counts, a, a, whole, (perm_kind)9, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_read_memory(NULL, 5, NULL, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_read_memory("", 0, NULL, &o, &matrix, &r));
    GOLDEN_BAD(perm_matrix_read(NULL, &o, &matrix, &r));
    break;
  default:
    GOLDEN_BAD(perm_layout("perm_result", &size, NULL));
    golden_say(" result=%d", (int)size);
    GOLDEN_BAD(perm_layout("perm_result.nothing", &size, &size));
    GOLDEN_BAD(perm_layout(NULL, &size, &size));
    golden_say(" matrix=%d", (int)perm_matrix_bytes());
    golden_end();
    break;
  }
}

/* ------------------------------------------------------------------------------------------- names and texts */
static void golden_names(int index)
{
  golden_say(" status=%s \"%s\"", perm_status_name((perm_status)(index - 20)),
             perm_status_text((perm_status)(index - 20)));
  golden_end();
  golden_say(" method=%s precision=%s isa=%s format=%s estimator=%s", perm_method_name((perm_method)(index - 2)),
             perm_precision_name((perm_precision)(index - 2)), perm_isa_name((perm_isa)(index - 2)),
             perm_format_name((perm_format)(index - 2)), perm_estimator_name((perm_estimator)(index - 2)));
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
                                     "perm_plan",
                                     "perm_plan.fingerprint",
                                     "perm_partial",
                                     "perm_leaf",
                                     "perm_estimate",
                                     "perm_estimate_plan"};
  size_t offset = 0, bytes = 0;
  golden_describe("%s", name[index]);
  golden_say(" s=%d", (int)perm_layout(name[index], &offset, &bytes));
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

/* ------------------------------------------------------------------------------------------- threads, large orders */
static void golden_threads(int index)
{
  const int parts = 1 + index % 2, n = golden_from(8, 20), ld = golden_matrix(n, n, parts);
  perm_options options = golden_options(GOLDEN_ALL_OPTIONS);
  perm_result r[3];
  int k;
  for (k = 0; k < 3; k++) {
    options.threads = k + 1;
    (parts == 2 ? perm_compute_complex : perm_compute_real)(n, n, golden_a, ld, &options, &r[k]);
    if (golden_double_bits(r[k].value) != golden_double_bits(r[0].value) || r[k].method != r[0].method ||
        golden_double_bits(r[k].imaginary) != golden_double_bits(r[0].imaginary) ||
        golden_double_bits(GOLDEN_ERROR(&r[k])) != golden_double_bits(GOLDEN_ERROR(&r[0])) ||
        golden_double_bits(GOLDEN_ESTIMATE(&r[k])) != golden_double_bits(GOLDEN_ESTIMATE(&r[0])))
      golden_say(" OTHER-BITS-FOR-THREADS=%d", k + 1);
  }
  golden_result(&r[0]);
  golden_end();
}

/* Each form of kernel at orders where there are many chunks. */
typedef struct golden_large_entry {
  char kind;              /* r real, c complex, i integer, g Gaussian */
  int n, pattern, values; /* values: of golden_size_name for i, g */
  perm_method method;
  perm_precision precision;
  int certify;
} golden_large_entry;

static const golden_large_entry golden_large_table[] = {
    {'r', 26, golden_full, golden_uniform, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'r', 25, golden_full, golden_gauss, PERM_METHOD_AUTO, PERM_PRECISION_FAST, 0},
    {'r', 24, golden_half, golden_gauss, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 23, golden_full, golden_symmetric, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_full, golden_sign, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_full, golden_mixed, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_full, golden_huge, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'r', 21, golden_full, golden_graded, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_half, golden_symmetric, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_half, golden_one, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_derangement, golden_one, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 21, golden_unitary, golden_one, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 20, golden_full, golden_whole, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_full, golden_uniform, PERM_METHOD_AUTO, PERM_PRECISION_ACCURATE, 0},
    {'r', 20, golden_full, golden_gauss, PERM_METHOD_AUTO, PERM_PRECISION_DD, 0},
    {'r', 20, golden_full, golden_gauss, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 1},
    {'r', 20, golden_full, golden_symmetric, PERM_METHOD_AUTO, PERM_PRECISION_ACCURATE, 1},
    {'r', 20, golden_half, golden_gauss, PERM_METHOD_DENSE, PERM_PRECISION_ACCURATE, 0},
    {'r', 20, golden_half, golden_gauss, PERM_METHOD_DENSE, PERM_PRECISION_DD, 0},
    {'r', 20, golden_half, golden_gauss, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 1},
    {'r', 20, golden_full, golden_gauss, PERM_METHOD_GLYNN, PERM_PRECISION_DEFAULT, 0},
    {'r', 20, golden_full, golden_gauss, PERM_METHOD_RYSER, PERM_PRECISION_KAHAN, 0},
    {'r', 20, golden_equal_columns, golden_gauss, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'r', 20, golden_few, golden_gauss, PERM_METHOD_HYBRID, PERM_PRECISION_DEFAULT, 0},
    {'r', 20, golden_few, golden_gauss, PERM_METHOD_CACHED, PERM_PRECISION_DEFAULT, 0},
    {'r', 20, golden_few, golden_gauss, PERM_METHOD_SPARYSER, PERM_PRECISION_DEFAULT, 0},
    {'r', 20, golden_few, golden_gauss, PERM_METHOD_HYBRID, PERM_PRECISION_ACCURATE, 0},
    {'c', 24, golden_full, golden_uniform, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'c', 22, golden_full, golden_gauss, PERM_METHOD_AUTO, PERM_PRECISION_FAST, 0},
    {'c', 21, golden_unitary, golden_one, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'c', 20, golden_half, golden_symmetric, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'c', 20, golden_full, golden_digit, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'c', 20, golden_full, golden_mixed, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'c', 18, golden_full, golden_gauss, PERM_METHOD_AUTO, PERM_PRECISION_ACCURATE, 0},
    {'c', 18, golden_full, golden_gauss, PERM_METHOD_AUTO, PERM_PRECISION_DD, 0},
    {'c', 19, golden_full, golden_gauss, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 1},
    {'c', 18, golden_half, golden_gauss, PERM_METHOD_DENSE, PERM_PRECISION_DD, 0},
    {'c', 18, golden_full, golden_gauss, PERM_METHOD_GLYNN, PERM_PRECISION_DEFAULT, 0},
    {'c', 20, golden_few, golden_gauss, PERM_METHOD_HYBRID, PERM_PRECISION_DEFAULT, 0},
    {'c', 20, golden_few, golden_gauss, PERM_METHOD_CACHED, PERM_PRECISION_DEFAULT, 0},
    {'i', 25, golden_full, 0, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 22, golden_half, 0, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 22, golden_full, 1, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 20, golden_full, 2, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 22, golden_full, 3, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 20, golden_half, 4, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 18, golden_full, 5, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 18, golden_full, 6, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 17, golden_full, 7, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'g', 22, golden_full, 1, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'g', 18, golden_full, 2, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'g', 17, golden_half, 4, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'g', 16, golden_full, 6, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'g', 15, golden_full, 7, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0}};

static void golden_large_run(const golden_large_entry *e, int gpus, int most)
{
  const int parts = e->kind == 'c' || e->kind == 'g' ? 2 : 1, whole = e->kind == 'i' || e->kind == 'g';
  const int n = e->n < most ? e->n : most;
  perm_options options;
  perm_result r;
  memset(&options, 0, sizeof options);
  options.threads = golden_now.threads;
  options.method = e->method;
  options.precision = e->precision;
  options.certify = e->certify;
  options.gpu.devices = gpus;
  options.isa = gpus ? PERM_ISA_CUDA : PERM_ISA_AUTO;
  golden_describe("%d %s %s%s %s %s%s", n, golden_pattern_name[e->pattern],
                  whole ? golden_size_name[e->values] : golden_value_name[e->values], parts == 2 ? " complex" : "",
                  perm_method_name(e->method), perm_precision_name(e->precision), e->certify ? " certify" : "");
  if (whole) {
    golden_draw_integers(e->pattern, e->values, n, n, parts, golden_i, n);
    (parts == 2 ? perm_compute_gaussian : perm_compute_integer)(n, n, golden_i, n, &options, &r);
  } else {
    golden_draw_matrix(e->pattern, e->values, n, n, parts, golden_a, n);
    (parts == 2 ? perm_compute_complex : perm_compute_real)(n, n, golden_a, n, &options, &r);
  }
  golden_result(&r);
  golden_end();
}

#define GOLDEN_LARGE ((int)(sizeof golden_large_table / sizeof golden_large_table[0]))
static void golden_large(int index)
{
  golden_large_run(&golden_large_table[index], 0, 64);
}

/* ------------------------------------------------------------------------------------------- GPUs */
#if defined(PERM_WITH_CUDA)
int perm_cuda_devices(int gpus, char message[PERM_MESSAGE_BYTES]); /* perm.h declares it to its implementation only */
static int golden_gpu_there(void)
{
  char message[PERM_MESSAGE_BYTES];
  if (perm_cuda_devices(1, message) > 0)
    return 1;
  printf("SKIP golden record of GPUs: %s\n", message);
  return 0;
}
#else
static int golden_gpu_there(void)
{
  printf("SKIP golden record of GPUs: this program was made without perm_cuda.cu (make golden-gpu)\n");
  return 0;
}
#endif

static perm_options golden_gpu_options(int what)
{
  perm_options options = golden_options(what);
  options.gpu.devices = 1;
  options.isa = PERM_ISA_CUDA;
  return options;
}

static void golden_gpu_large(int index)
{
  golden_large_run(&golden_large_table[index], 1, 64);
}

static void golden_gpu_dense(int index)
{
  const int parts = 1 + index % 2, n = golden_from(8, 22), ld = golden_matrix(n, n, parts);
  const perm_options options = golden_gpu_options(GOLDEN_PRECISION | GOLDEN_CERTIFY | GOLDEN_TOLERANCE);
  golden_compute(parts, n, n, ld, &options);
}

static void golden_gpu_integer(int index)
{
  const int parts = 1 + index % 2, n = golden_from(8, 18), ld = golden_integers(n, n, parts);
  perm_options options = golden_gpu_options(0);
  perm_result r;
  golden_modulus(&options);
  (parts == 2 ? perm_compute_gaussian : perm_compute_integer)(n, n, golden_i, ld, &options, &r);
  golden_result(&r);
  golden_end();
}

static void golden_gpu_repeated(int index)
{
  const int parts = 1 + index % 2, m = golden_from(4, 9), n = golden_from(4, 9), total = golden_from(8, 24);
  const int ld = golden_matrix(m, n, parts);
  int rows[16], columns[16];
  perm_options options = golden_gpu_options(GOLDEN_PRECISION | GOLDEN_CERTIFY);
  perm_result r;
  if (golden_below(2))
    options.method = PERM_METHOD_REPEATS;
  golden_describe(" sum %d %s", total, perm_method_name(options.method));
  golden_draw_counts(m, total, rows);
  golden_draw_counts(n, total, columns);
  (parts == 2 ? perm_compute_repeated_complex : perm_compute_repeated_real)(m, n, golden_a, ld, rows, columns, &options,
                                                                            &r);
  golden_result(&r);
  golden_end();
}

static void golden_gpu_batch(int index)
{
  static double a[2 * 40 * 256];
  const int parts = 1 + index % 2, n = golden_from(10, 16), count = golden_from(1, 40);
  const int pattern = golden_below(golden_patterns), values = golden_below(golden_value_kinds);
  const perm_options options = golden_gpu_options(0);
  perm_result r;
  int k;
  golden_describe("%d x %d %s %s%s", count, n, golden_pattern_name[pattern], golden_value_name[values],
                  parts == 2 ? " complex" : "");
  for (k = 0; k < count; k++)
    golden_draw_matrix(pattern, values, n, n, parts, a + k * n * n * parts, n);
  memset(golden_out, 0, sizeof golden_out);
  (parts == 2 ? perm_batch_complex : perm_batch_real)(n, (size_t)count, a, (size_t)(n * n), &options, golden_out, &r);
  golden_array(golden_out, (size_t)(count * parts));
  golden_say(" g=%d", r.gpus);
  golden_failure(r.status, &r);
  golden_end();
}

/* Generated kernels (each is compiled: a second) and frontier programmes. */
static void golden_gpu_sparse(int index)
{
  static const perm_method method[] = {PERM_METHOD_HYBRID,         PERM_METHOD_CACHED,   PERM_METHOD_CODEGEN_REGISTERS,
                                       PERM_METHOD_CODEGEN_MEMORY, PERM_METHOD_FRONTIER, PERM_METHOD_LISTS,
                                       PERM_METHOD_ARRAYS,         PERM_METHOD_AUTO};
  const perm_method chosen = method[index % 8];
  const int frontier = index % 8 >= 4, n = golden_from(14, frontier ? 30 : 20);
  const perm_kind kind = (perm_kind)(frontier ? index / 8 % 4 : 2 + index / 8 % (index % 8 < 2 ? 2 : 1));
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  memset(&options, 0, sizeof options);
  golden_describe("%s ", perm_method_name(chosen));
  matrix = golden_sparse_matrix(n, n, kind, &options);
  options = golden_gpu_options(frontier ? GOLDEN_PRECISION : 0);
  options.method = chosen;
  perm_compute_sparse(&matrix, &options, &r);
  golden_result(&r);
  golden_end();
  perm_matrix_free(&matrix);
}

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
    {"methods", PERM_METHOD_COUNT * 4 + PERM_METHOD_LOW_RANK * 44, 0, golden_methods},
    {"repeated", 320, 0, golden_repeated},
    {"rectangular", 280, 0, golden_rectangular},
    {"minors", 240, 0, golden_minors},
    {"batch", 180, 0, golden_batch},
    {"select", 60, 0, golden_select},
    {"low-rank", 60, 0, golden_low_rank},
    {"cauchy", 60, 0, golden_cauchy},
    {"estimate", 60, 0, golden_estimate},
    {"sparse", 400, 0, golden_sparse},
    {"sparse-methods", PERM_METHOD_COUNT * 16, 0, golden_sparse_methods},
    {"sparse-large", 176, 0, golden_sparse_large},
    {"routed", 60, 0, golden_routed},
    {"report", 80, 0, golden_report},
    {"explain", 200, 0, golden_explain},
    {"read", 160, 0, golden_read_text},
    {"write", 20, 0, golden_write},
    {"plan", 120, 0, golden_plan},
    {"pieces", 75, 0, golden_pieces},
    {"states", 60, 0, golden_states},
    {"parts", 40, 0, golden_parts},
    {"stops", 72, 0, golden_stops},
    {"bad", 16, 0, golden_bad},
    {"names", 45, 0, golden_names},
    {"layout", 16, 0, golden_layout},
    {"texts", 40, 0, golden_texts},
    {"threads", 60, 0, golden_threads},
    {"large", GOLDEN_LARGE, 0, golden_large},
    {"gpu-large", GOLDEN_LARGE, 1, golden_gpu_large},
    {"gpu-dense", 200, 1, golden_gpu_dense},
    {"gpu-integer", 80, 1, golden_gpu_integer},
    {"gpu-repeated", 40, 1, golden_gpu_repeated},
    {"gpu-batch", 40, 1, golden_gpu_batch},
    {"gpu-sparse", 64, 1, golden_gpu_sparse}};
