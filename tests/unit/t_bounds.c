/* >>bounds, >>dense_kernels */
/* `error_bound` is a theorem: against permanents computed without any rounding (oracle_exact), for every way to ask for
   it, every kernel family and the matrices that are worst for the proofs. Run with -v for the figures. */

/* One run at exactly the precision that options ask for: no escalation. bounds_number is its result before rounding to
   a double, which hides what double-double does. */
static permi_number bounds_number;
static int bounds_has_number;

static perm_result bounds_run(int parts, int n, const double *a, const perm_options *options)
{
  perm_result result;
  permi_dense_plan plan;
  perm_job *job = NULL;
  perm_partial partial;
  perm_status status = parts == 2 ? inside_plan_complex(n, n, a, n, options, &plan, &result)
                                  : inside_plan_real(n, n, a, n, options, &plan, &result);
  if (status != PERM_OK)
    return result;
  status = parts == 2 ? inside_job_complex(&plan, a, n, options, &job, &result)
                      : inside_job_real(&plan, a, n, options, &job, &result);
  if (status != PERM_OK)
    return result;
  memset(&partial, 0, sizeof partial);
  if (perm_job_leaves(job))
    CHECK(perm_job_run(job, 0, 0, plan.chunks, &partial) == PERM_OK);
  bounds_has_number = perm_job_leaves(job);
  CHECK(permi_job_value(job, &partial, &bounds_number) == PERM_OK);
  perm_job_finish(job, &partial, &result);
  perm_job_free(job);
  return result;
}

static double bounds_sign(void)
{
  return test_random() & 1 ? 1 : -1;
}

static double bounds_entry(double least) /* +-[least, 1) */
{
  return bounds_sign() * (least + (1 - least) * test_uniform());
}

/* The kinds of matrices; those from BOUNDS_ONES on are real and have exact row sums. */
enum {
  BOUNDS_UNIFORM,    /* well-conditioned enough */
  BOUNDS_POSITIVE,
  BOUNDS_GRADED,     /* every entry times 2^+-400 */
  BOUNDS_GRADED_LITTLE,
  BOUNDS_PAIRS,      /* every column beside its negative */
  BOUNDS_RANK_ONE,   /* nearly */
  BOUNDS_ZERO,       /* blocks (u, u; v, -v), permuted: the permanent is 0 */
  BOUNDS_SMALL,      /* integers to 9 */
  BOUNDS_PRODUCTS,   /* integers to 2^19: products of two rows fill a double */
  BOUNDS_LARGE,      /* integers to 2^53 */
  BOUNDS_TINY,       /* denormal */
  BOUNDS_HUGE,       /* to 1.8e308 */
  BOUNDS_LOST,       /* 1 beside entries of 2^-60 to 2^-130 */
  BOUNDS_POWERS,     /* powers of two, so that sums of rows are exactly such */
  BOUNDS_RESIDUES,   /* rows +-1, +-1 and entries about the last bit of their grid: terms made of low parts */
  BOUNDS_LOSSY,      /* beside 2^-980 to 2^-1040: scaling pushes some below the normal doubles */
  BOUNDS_SPARSE,     /* half zero */
  BOUNDS_TERMS,      /* entries about 1 / (1 + i j): terms 10^10 times the permanent */
  BOUNDS_LADDER,     /* 2^(-40 i): every partial sum of a row has other bits */
  BOUNDS_CANCEL,     /* rows (1, .., x), (1, .., -x) with x next to 1: every term has a factor next to 0 */
  BOUNDS_NOT_EXACT,
  BOUNDS_ONES = BOUNDS_NOT_EXACT,
  BOUNDS_SIGNS,
  BOUNDS_ZERO_ONE,   /* 0/1 with a column of ones */
  BOUNDS_EXACT_CANCEL, /* rows (1, x, ..), (1, -x, ..), x next to 1 + 2^-9, the others +-1 */
  BOUNDS_KINDS
};

static const char *const bounds_name[] = {
    "uniform", "positive", "graded", "graded little", "pairs", "rank one", "zero",    "small integers", "2^19",
    "2^53",    "tiny",     "huge",   "lost",          "powers", "residues", "lossy",  "sparse", "terms",
    "ladder",  "cancel",   "ones",   "signs",         "0/1",    "exact cancel"};

static void bounds_matrix(int kind, int parts, int n, double *a)
{
  double u[2][16], v[2][16];
  int column[16], i, j, k, e;
  for (i = 0; i < n; i++) {
    for (k = 0; k < 2; k++) {
      u[k][i] = bounds_entry(0.1);
      v[k][i] = bounds_entry(0.1);
    }
    column[i] = i;
  }
  for (i = n - 1; i > 0; i--) {
    j = test_below(i + 1);
    k = column[i], column[i] = column[j], column[j] = k;
  }
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < parts; k++) {
        const int c = column[j], pair = i / 2 == c / 2 && (i | 1) < n && (c | 1) < n;
        double x = bounds_entry(0), *at = &a[(i * n + j) * parts + k];
        switch (kind) {
        case BOUNDS_UNIFORM: *at = x; break;
        case BOUNDS_POSITIVE: *at = fabs(x); break;
        case BOUNDS_GRADED: *at = ldexp(bounds_entry(0.5), test_below(801) - 400); break;
        case BOUNDS_GRADED_LITTLE: *at = ldexp(bounds_entry(0.5), test_below(61) - 30); break;
        case BOUNDS_PAIRS: *at = j & 1 ? -at[-parts] * (1 + ldexp(test_below(3), -52)) : x; break;
        case BOUNDS_RANK_ONE: *at = u[k][i] * v[k][j] + ldexp(x, -50); break;
        case BOUNDS_ZERO: *at = pair ? (i & 1 ? (c & 1 ? -v[k][i / 2] : v[k][i / 2]) : u[k][i / 2]) : i == c; break;
        case BOUNDS_SMALL: *at = test_below(19) - 9; break;
        case BOUNDS_PRODUCTS: *at = bounds_sign() * (double)(test_random() >> 45); break;
        case BOUNDS_LARGE: *at = bounds_sign() * (double)(test_random() >> 11); break;
        case BOUNDS_TINY: *at = ldexp((double)(test_below(2001) - 1000), -1074); break;
        case BOUNDS_HUGE: *at = bounds_entry(0) * DBL_MAX; break;
        case BOUNDS_LOSSY:
        case BOUNDS_LOST: /* a pair that cancels, so that the entries lost are what counts */
          e = kind == BOUNDS_LOST ? -60 - test_below(70) : -980 - test_below(60);
          *at = i < 2 ? (c < 2 ? (i & c ? -1 : 1) : ldexp(x, e)) : i == c || i == n - 1;
          *at = k && i >= 2 ? 0 : *at;
          break;
        case BOUNDS_POWERS: *at = bounds_sign() * ldexp(1, -(j < n - 1 ? j + 1 : j)); break;
        case BOUNDS_RESIDUES:
          *at = pair ? (i & c & 1 ? -1 : 1) : i == c ? 1 : ldexp(test_below(41) - 20, -57);
          *at = k ? 0 : *at;
          break;
        case BOUNDS_TERMS: *at = bounds_entry(0.9) / (1 + i * j); break;
        case BOUNDS_SPARSE: *at = test_below(2) ? x : 0; break;
        case BOUNDS_LADDER: *at = ldexp(bounds_entry(0.5), -40 * ((i + j) % n)); break;
        case BOUNDS_CANCEL:
          *at = k ? 0 : j == 0 ? 1 : pair && (c & 1) ? (i & 1 ? -1 : 1) * (1 - ldexp(u[0][i / 2], -45))
                                                     : ldexp(x, -48);
          break;
        case BOUNDS_ONES: *at = 1; break;
        case BOUNDS_SIGNS: *at = bounds_sign(); break;
        case BOUNDS_ZERO_ONE: *at = j == n / 2 || test_below(2); break;
        default:
          *at = bounds_sign() * (i > 1 ? 1 : ldexp(1, -13) + ldexp(test_below(99), -50));
          *at = j == 0 ? (i > 1 ? 4 : 1) : *at;
          *at = j == 1 && i < 2 ? (i ? -1 : 1) * (1 + ldexp(1, -9) + ldexp(5, -50)) : *at;
        }
      }
}

/* Bound / error over the runs of one way to ask and one kind. */
#define BOUNDS_ROOM 4000
typedef struct bounds_tally {
  double ratio[BOUNDS_ROOM], inner[BOUNDS_ROOM]; /* of the result; of hi + lo */
  int count, inner_count, exact, finite, runs, narrow; /* narrow: bound below 1e-10 of the value */
} bounds_tally;

static int bounds_compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double bounds_median(double *ratio, int count)
{
  qsort(ratio, (size_t)count, sizeof *ratio, bounds_compare);
  return count ? ratio[count / 2] : 0;
}

static void bounds_figures(const char *kind, const char *what, bounds_tally *tally)
{
  double median = bounds_median(tally->ratio, tally->count), inner = bounds_median(tally->inner, tally->inner_count);
  if (test_verbose)
    printf("     %-22s %-16s bound/error: median %-8.3g least %-8.3g hi + lo: median %-8.3g least %-8.3g (%d runs, "
           "%d exact, %d below 1e-10)\n",
           kind, what, median, tally->count ? tally->ratio[0] : 0, inner, tally->inner_count ? tally->inner[0] : 0,
           tally->runs, tally->exact, tally->narrow);
}

/* The heart of it: the true error is not above r->error. Returns the true error. */
static double bounds_check(const oracle_exact *exact, const perm_result *r, bounds_tally *tally, const char *what,
                           int n)
{
  double error = oracle_exact_distance(exact, r->value, r->imaginary, r->exp2);
  CHECK_SHOW(r->status == PERM_OK || (r->status == PERM_TOLERANCE_NOT_MET && r->error_bound == INFINITY),
             "%s n=%d: %s", what, n, r->message); /* a job, too, says that certify is not met */
  CHECK_SHOW(error <= r->error_bound * (1 + 1e-14), "%s n=%d %s: error %g, bound %g, value %g %g 2^%lld", what, n,
             perm_name("isa", r->isa), error, r->error_bound, r->value, r->imaginary, r->exp2);
  if (bounds_has_number) {
    const permi_number *number = &bounds_number;
    double x = oracle_exact_part(exact, 0, number->value.hi, number->value.lo, number->exp2);
    double y = oracle_exact_part(exact, 1, number->imaginary.hi, number->imaginary.lo, number->exp2);
    double inner = exact->parts == 1 ? x : hypot(x, y);
    CHECK_SHOW(inner <= number->error * (1 + 1e-14), "%s n=%d %s: error %g of hi + lo, bound %g", what, n,
               perm_name("isa", r->isa), inner, number->error);
    if (inner > 0 && number->error < (double)INFINITY && tally->inner_count < BOUNDS_ROOM)
      tally->inner[tally->inner_count++] = number->error / inner;
  }
  tally->runs++;
  tally->finite += r->error_bound < (double)INFINITY;
  tally->narrow += r->error_bound <= 1e-10 * fmax(fabs(r->value), fabs(r->imaginary));
  if (error == 0)
    tally->exact++;
  else if (r->error_bound < (double)INFINITY && tally->count < BOUNDS_ROOM)
    tally->ratio[tally->count++] = r->error_bound / error;
  return error;
}

/* How a guaranteed bound is asked for. */
static const struct {
  const char *name;
  perm_method method;
  perm_precision precision;
  int certify;
} bounds_ways[] = {{"certify", PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 1},
                   {"dd", PERM_METHOD_DENSE, PERM_PRECISION_DD, 0},
                   {"dd certify", PERM_METHOD_DENSE, PERM_PRECISION_DD, 1},
                   {"expansion", PERM_METHOD_EXPANSION, PERM_PRECISION_DEFAULT, 0}};

static perm_options bounds_options(int way, int isa)
{
  perm_options options;
  memset(&options, 0, sizeof options);
  options.method = bounds_ways[way].method;
  options.precision = bounds_ways[way].precision;
  options.certify = bounds_ways[way].certify;
  options.isa = (perm_isa)isa;
  return options;
}

static void bounds_sweep(int parts)
{
  static bounds_tally tally[4];
  static const int wide[] = {BOUNDS_GRADED, BOUNDS_LOSSY, BOUNDS_LADDER, BOUNDS_LOST}; /* long exact numbers */
  double a[2 * 14 * 14];
  int kind, way, isa, n, trial;
  for (kind = 0; kind < (parts == 2 ? BOUNDS_NOT_EXACT : BOUNDS_KINDS); kind++) {
    int most = 14 - 2 * (parts - 1), k;
    for (k = 0; k < 4; k++)
      most = kind == wide[k] ? 9 - (parts - 1) : most;
    memset(tally, 0, sizeof tally);
    for (n = 1; n <= most; n += n < 9 ? 1 : n == 9 ? 3 : 2)
      for (trial = 0; trial < test_some(n < 7 ? 12 : n < 10 ? 3 : 1); trial++) {
        oracle_exact exact;
        bounds_matrix(kind, parts, n, a);
        exact = oracle_exact_make(parts, n, a);
        for (isa = isa_first(); isa; isa = isa_next(isa))
          for (way = 0; way < 4; way++) {
            perm_options options = bounds_options(way, isa);
            perm_result r;
            char what[80];
            if (bounds_ways[way].method == PERM_METHOD_EXPANSION && (n > 6 || isa > PERM_ISA_PLAIN))
              continue;
            r = bounds_run(parts, n, a, &options);
            snprintf(what, sizeof what, "%s, %s, %s", parts == 2 ? "complex" : "real", bounds_name[kind],
                     bounds_ways[way].name);
            bounds_check(&exact, &r, &tally[way], what, n);
            if (r.method == PERM_METHOD_DENSE)
              CHECK(r.precision == (way == 0 ? PERM_PRECISION_DEFAULT : PERM_PRECISION_DD));
          }
        oracle_exact_free(&exact);
      }
    for (way = 0; way < 4; way++) {
      char name[40];
      double median;
      snprintf(name, sizeof name, "%s %s", parts == 2 ? "complex" : "real", bounds_name[kind]);
      bounds_figures(name, bounds_ways[way].name, &tally[way]);
      median = bounds_median(tally[way].ratio, tally[way].count);
      /* the error may be more than 2^1024 times a permanent that underflows */
      CHECK_SHOW(tally[way].finite == tally[way].runs || kind == BOUNDS_LOSSY,
                 "%s, %s: %d of %d bounds are finite", bounds_name[kind],
                 bounds_ways[way].name, tally[way].finite, tally[way].runs);
      if (kind == BOUNDS_UNIFORM || kind == BOUNDS_POSITIVE || kind == BOUNDS_SPARSE || kind == BOUNDS_SMALL) {
        CHECK_SHOW(median <= 1000 || 2 * tally[way].count < tally[way].runs, /* most errors are 0: better than that */
                   "%s, %s: median bound/error %g", bounds_name[kind], bounds_ways[way].name, median);
        CHECK_SHOW(10 * tally[way].narrow >= (kind == BOUNDS_SPARSE ? 8 : 9) * tally[way].runs,
                   "%s, %s: %d of %d bounds below 1e-10", bounds_name[kind], bounds_ways[way].name, tally[way].narrow,
                   tally[way].runs);
      }
    }
  }
}

TEST(t_bounds_real)
{
  bounds_sweep(1);
}

TEST(t_bounds_complex)
{
  bounds_sweep(2);
}

/* The permanent of the discrete Fourier transform of even order is 0 (Graham, Lehmer): entries are rounded, so the
   oracle says how far from 0. */
TEST(t_bounds_of_fourier_matrices)
{
  static bounds_tally tally;
  double a[2 * 12 * 12];
  int n, i, way, isa;
  memset(&tally, 0, sizeof tally);
  for (n = 2; n <= 12; n++) {
    oracle_exact exact;
    for (i = 0; i < n * n; i++) {
      double angle = 2 * 3.14159265358979323846 * (i / n * (i % n) % n) / n;
      a[2 * i] = cos(angle);
      a[2 * i + 1] = sin(angle);
    }
    exact = oracle_exact_make(2, n, a);
    for (isa = isa_first(); isa; isa = isa_next(isa))
      for (way = 0; way < 3; way++) {
        perm_options options = bounds_options(way, isa);
        perm_result r = bounds_run(2, n, a, &options);
        bounds_check(&exact, &r, &tally, bounds_ways[way].name, n);
        if (n % 2 == 0)
          CHECK_SHOW(hypot(r.value, r.imaginary) <= r.error_bound + 1e-13 * pow(n, 3) * sqrt(pow(n, n)), "n=%d: %g", n,
                     hypot(r.value, r.imaginary));
        if (way == 1 && n > 2 && n % 2 == 0) /* 0 or not: dd tells the rounded matrix from the true one */
          CHECK(r.error_bound < 1e-12);
      }
    oracle_exact_free(&exact);
  }
}

/* Nothing rounds before the products (whole rows or whole pairs of rows): the bound comes with default precision. */
static void bounds_for_free(int parts, int kind)
{
  static bounds_tally tally;
  double a[2 * 14 * 14];
  int n, isa, trial;
  memset(&tally, 0, sizeof tally);
  for (n = 4; n <= 16 - 2 * parts; n += n < 10 ? 1 : 2)
    for (trial = 0; trial < (n < 10 ? 6 : 2); trial++) {
      oracle_exact exact;
      bounds_matrix(kind, parts, n, a);
      exact = oracle_exact_make(parts, n, a);
      for (isa = isa_first(); isa; isa = isa_next(isa)) {
        perm_options options = bounds_options(0, isa);
        permi_dense_plan plan;
        perm_result r;
        options.certify = kind < BOUNDS_NOT_EXACT; /* else form normalised may be taken, which divides */
        CHECK((parts == 2 ? inside_plan_complex(n, n, a, n, &options, &plan, NULL)
                          : inside_plan_real(n, n, a, n, &options, &plan, NULL)) == PERM_OK);
        if (kind == BOUNDS_EXACT_CANCEL && !plan.exact_rows) /* a pivot was chosen that does not divide exactly */
          continue;
        CHECK_SHOW(plan.zero || (plan.exact_rows && plan.form != PERMI_FORM_SPLIT), "%s n=%d", bounds_name[kind], n);
        r = bounds_run(parts, n, a, &options);
        bounds_check(&exact, &r, &tally, bounds_name[kind], n);
      }
      oracle_exact_free(&exact);
    }
  CHECK(tally.finite == tally.runs);
  bounds_figures(bounds_name[kind], parts == 2 ? "complex, free" : "free", &tally);
}

/* Entries >= 0 may move by a known share: certify then takes divided rows, not split ones. Against double-double. */
TEST(t_bounds_of_entries_that_move)
{
  double a[19 * 19];
  int trial, isa, kind, taken = 0, larger = 0;
  for (trial = 0; trial < 40; trial++)
    for (isa = isa_first(), kind = trial % 5; isa; isa = isa_next(isa)) {
      const int n = 17 + test_below(3);
      perm_options options = bounds_options(0, isa), best;
      perm_result r, truth;
      permi_dense_plan plan;
      int i;
      for (i = 0; i < n * n; i++) /* 1: of one large term, so that its bound is of what moves */
        a[i] = kind == 1 ? (i % (n + 1) == 0) + 0.06 + 0.04 * test_uniform()
                         : kind == 2 && test_below(3) == 0 ? 0 : 0.6 + 0.4 * test_uniform();
      a[n + 1] = kind == 3 ? -a[n + 1] : kind == 4 ? 1e-9 * a[n + 1] : a[n + 1];
      CHECK(inside_plan_real(n, n, a, n, &options, &plan, NULL) == PERM_OK);
      if (kind == 0)
        CHECK_SHOW(plan.exact_rows == 2 && plan.form == PERMI_FORM_NORMALISED, "n=%d, %s: %d, %d", n,
                   perm_name("isa", plan.isa), plan.exact_rows, (int)plan.form);
      if (kind > 2)
        CHECK_SHOW(plan.exact_rows == 0 && plan.form == PERMI_FORM_SPLIT, "n=%d, kind %d", n, kind);
      r = bounds_run(1, n, a, &options);
      best = options;
      best.precision = PERM_PRECISION_DD;
      truth = bounds_run(1, n, a, &best);
      CHECK_SHOW(fabs(ldexp(r.value, (int)(r.exp2 - truth.exp2)) - truth.value) <=
                 ldexp(r.error_bound, (int)(r.exp2 - truth.exp2)) + truth.error_bound, "n=%d, kind %d", n, kind);
      CHECK_SHOW(r.error_bound < 1e-9 * fabs(r.value) || kind > 1, "n=%d: %g of %g", n, r.error_bound, r.value);
      if (plan.exact_rows == 2) {
        permi_view view = permi_view_of(a, n, 1, NULL);
        const double moves = permi_plan_moves(&plan, &view, HUGE_VAL);
        taken++;
        CHECK_SHOW(moves > 0 && r.error_bound >= moves * fabs(r.value), "n=%d: %g", n, moves);
        larger += r.error_bound < 2 * moves * fabs(r.value); /* most of the bound */
      }
    }
  CHECK(taken > 10 && larger > 2);
}

TEST(t_bounds_for_free)
{
  int kind;
  for (kind = BOUNDS_NOT_EXACT; kind < BOUNDS_KINDS; kind++)
    bounds_for_free(1, kind);
  for (kind = 1; kind <= 2; kind++) {
    bounds_for_free(kind, BOUNDS_SMALL);
    bounds_for_free(kind, BOUNDS_PRODUCTS);
  }
}

/* Up to n = 3 (and by default n = 4) the expansion runs, whose bound is free and narrow for every kind of matrix. */
TEST(t_bounds_of_small_orders)
{
  static bounds_tally tally;
  double a[2 * 16];
  int kind, n, parts, trial;
  memset(&tally, 0, sizeof tally);
  for (parts = 1; parts <= 2; parts++)
    for (kind = 0; kind < BOUNDS_NOT_EXACT; kind++)
      for (n = 1; n <= 4; n++)
        for (trial = 0; trial < 20; trial++) {
          perm_options options;
          perm_result r;
          oracle_exact exact;
          double size;
          memset(&options, 0, sizeof options);
          options.precision = trial % 2 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
          bounds_matrix(kind, parts, n, a);
          r = bounds_run(parts, n, a, &options);
          exact = oracle_exact_make(parts, n, a);
          size = oracle_exact_distance(&exact, 0, 0, r.exp2);
          bounds_check(&exact, &r, &tally, bounds_name[kind], n);
          if (kind == BOUNDS_POSITIVE && parts == 1)
            CHECK_SHOW(r.error_bound <= 1.2e-16 * size, "n=%d: error %g of %g", n, r.error_bound, size);
          oracle_exact_free(&exact);
        }
  CHECK(tally.finite > tally.runs - 20);
}

/* One call with certify, as users write it: guaranteed, also after escalation, and for any finite bits. */
TEST(t_bounds_of_any_finite_bits)
{
  static bounds_tally tally;
  double a[2 * 49];
  int n, i, parts, trial;
  memset(&tally, 0, sizeof tally);
  for (trial = 0; trial < 120; trial++) {
    perm_options options;
    perm_result r;
    oracle_exact exact;
    n = 1 + trial % 6;
    parts = 1 + trial / 6 % 2;
    for (i = 0; i < n * n * parts; i++)
      a[i] = trial % 7 && test_below(3) ? core_random_double() : 0;
    for (i = 0; i < n; i++)
      a[i * (n + 1) * parts] = core_random_double();
    memset(&options, 0, sizeof options);
    options.certify = 1;
    options.method = trial & 1 ? PERM_METHOD_AUTO : PERM_METHOD_DENSE;
    if (parts == 2)
      perm_compute_complex(n, n, a, n, &options, &r);
    else
      perm_compute_real(n, n, a, n, &options, &r);
    exact = oracle_exact_make(parts, n, a);
    bounds_has_number = 0;
    bounds_check(&exact, &r, &tally, "any bits", n);
    oracle_exact_free(&exact);
  }
}

/* Entries from the least subnormal to the largest double beside each other: dd, and certify where there is room, give a
   finite bound from every engine that has one, and it holds. Scaled by means instead of by a transversal of largest
   product, sums of products came down to 2^-3000 of the largest entries, and their bounds to infinity. */
enum { APART_SIZES = 8 };
static double apart_entry(int size, int i, int j)
{
  const double x = bounds_entry(0.1);
  switch (size) {
  case 0: return x * 1e300;
  case 1: return x * 1e-300;
  case 2: return x * (test_random() & 1 ? 1e300 : 1e-300);
  case 3: return x * (test_random() & 1 ? 1e-308 : 1);
  case 4: return x * 4e-321;
  case 5: return x * pow(10, 600 * test_uniform() - 300);
  case 6: return x * (test_random() & 1 ? 5e-323 : 1e307);
  default: return x * ((i + j) & 1 ? 1e300 : 1e-300);
  }
}

/* Returns 1 for methods with a bound for every matrix, in both precisions: of engines for blocks all but hybrid. */
static int apart_bounded(perm_method method)
{
  static const perm_method arrays[] = {PERM_METHOD_AUTO, PERM_METHOD_DENSE, PERM_METHOD_SUBSETS,
                                       PERM_METHOD_MULTIPLICITIES, PERM_METHOD_EXPANSION, PERM_METHOD_SHORT};
  const permi_engine *engine = permi_block_engine(method);
  size_t k = 0;
  while (k < sizeof arrays / sizeof *arrays && arrays[k] != method)
    k++;
  return k < sizeof arrays / sizeof *arrays ||
         (engine && !(engine->flags & (PERMI_ARRAY | PERMI_LONE | PERMI_CAUTION)));
}

static void apart_check(int parts, int n, const double *a, const perm_matrix *matrix, int size)
{
  oracle_exact exact;
  int certify, k, methods = 0;
  if (n <= 6)
    exact = oracle_exact_make(parts, n, a);
  for (k = 0; k < PERM_METHOD_COUNT; methods += apart_bounded((perm_method)k++))
    for (certify = 0; certify < 2 && apart_bounded((perm_method)k); certify++) {
      const perm_method method = (perm_method)k;
      perm_options options;
      perm_result r;
      memset(&options, 0, sizeof options);
      options.method = method;
      options.certify = certify;
      options.precision = certify ? PERM_PRECISION_DEFAULT : PERM_PRECISION_DD;
      if (n > 6 &&
          (method == PERM_METHOD_EXPANSION || method == PERM_METHOD_TRANSVERSALS ||
           method == PERM_METHOD_MULTIPLICITIES || method == PERM_METHOD_SHORT))
        continue;
      if (method >= PERM_METHOD_FRONTIER)
        perm_compute_sparse(matrix, &options, &r);
      else
        (parts == 2 ? perm_compute_complex : perm_compute_real)(n, n, a, n, &options, &r);
      CHECK_SHOW(r.status == PERM_OK && r.error_bound < (double)INFINITY,
                 "size %d parts %d n %d %s certify %d: error %g, %s", size, parts, n, perm_name("method", method),
                 certify, r.error_bound, r.message);
      if (n <= 6) {
        const double error = oracle_exact_distance(&exact, r.value, r.imaginary, r.exp2);
        CHECK_SHOW(error <= r.error_bound * (1 + 1e-14), "size %d parts %d n %d %s certify %d: error %g, bound %g",
                   size, parts, n, perm_name("method", method), certify, error, r.error_bound);
      }
    }
  CHECK(methods >= 14);
  if (n <= 6)
    oracle_exact_free(&exact);
}

TEST_LONG(t_bounds_of_entries_far_apart)
{
  static const int orders[] = {3, 6, 13};
  static double a[2 * 13 * 13], real[13 * 13], imaginary[13 * 13];
  static int row[13 * 13], column[13 * 13];
  int size, parts, o, sparse, i, j, p;
  test_seed(13);
  for (size = 0; size < APART_SIZES; size++)
    for (parts = 1; parts <= 2; parts++)
      for (o = 0; o < 3; o++)
        for (sparse = 0; sparse < 2; sparse++) {
          const int n = orders[o];
          perm_matrix matrix;
          size_t entries = 0;
          for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) {
              const int keep = !sparse || abs(i - j) <= 2;
              for (p = 0; p < parts; p++)
                a[(i * n + j) * parts + p] = keep ? apart_entry(size, i, j) : 0;
              if (!keep)
                continue;
              row[entries] = i;
              column[entries] = j;
              real[entries] = a[(i * n + j) * parts];
              imaginary[entries++] = parts == 2 ? a[(i * n + j) * parts + 1] : 0;
            }
          CHECK(perm_matrix_from_triplets(n, n, entries, row, column, real, imaginary, NULL,
                                          parts == 2 ? PERM_KIND_COMPLEX : PERM_KIND_REAL, NULL, &matrix,
                                          NULL) == PERM_OK);
          apart_check(parts, n, a, &matrix, size);
          perm_matrix_free(&matrix);
        }
}

/* Scaling by a transversal works in as many rows again as the matrix has: order 64, and multiplicities that add up to
   it. AddressSanitizer sees what is written elsewhere. */
TEST_LONG(t_bounds_far_apart_up_to_order_64)
{
  static double a[64 * 64];
  int counts[6], i, j;
  perm_options options = {0};
  perm_matrix matrix;
  perm_result r;
  memset(a, 0, sizeof a);
  for (i = 0; i < 64; i++)
    for (j = i ? i - 1 : 0; j < 64 && j < i + 4; j++)
      a[64 * i + j] = ldexp(1 + 0.01 * i, (7 * i + 13 * j) % 2 ? 400 : -400);
  CHECK(perm_matrix_from_dense(64, 64, a, 64, NULL, &matrix, NULL) == PERM_OK);
  CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_OK && r.value != 0 && r.error_bound <= 1e-9 * fabs(r.value));
  perm_matrix_free(&matrix);
  for (i = 0; i < 6; i++) {
    counts[i] = i < 4 ? 11 : 10;
    for (j = 0; j < 6; j++)
      a[6 * i + j] = j + 1 < i || j > i + 1 ? 0 : ldexp(1 + 0.01 * i, (7 * i + 13 * j) % 3 ? 300 : -300);
  }
  CHECK(perm_compute_repeated_real(6, 6, a, 6, counts, counts, &options, &r) == PERM_OK && r.value != 0);
}

/* With certify, method auto takes double-double where it costs next to nothing: the bound is the value's own rounding.
   By name, and for integers, all is as asked. */
TEST(t_bounds_of_certified_small_matrices)
{
  double a[2 * 8 * 8];
  perm_options options;
  perm_result r;
  permi_dense_plan plan;
  perm_job *job = NULL;
  int n, parts, i;
  memset(&options, 0, sizeof options);
  options.certify = options.threads = 1;
  for (parts = 1; parts <= 2; parts++)
    for (n = 5; n <= (parts == 2 ? 6 : 8); n++) {
      for (i = 0; i < n * n * parts; i++)
        a[i] = test_uniform() + 0.1;
      options.method = PERM_METHOD_AUTO;
      (parts == 2 ? perm_compute_complex : perm_compute_real)(n, n, a, n, &options, &r);
      CHECK(r.status == PERM_OK && r.precision == PERM_PRECISION_DD && r.method == PERM_METHOD_DENSE);
      CHECK_SHOW(r.error_bound <= 1.2e-16 * hypot(r.value, r.imaginary), "n %d: %g of %g", n, r.error_bound, r.value);
      inside_plan(parts, n, n, a, n, &options, &plan, &r);
      CHECK(plan.precision == PERM_PRECISION_DD);
      CHECK(inside_job(parts, &plan, a, n, &options, &job, &r) == PERM_OK);
      perm_job_free(job);
      options.method = PERM_METHOD_DENSE;
      (parts == 2 ? perm_compute_complex : perm_compute_real)(n, n, a, n, &options, &r);
      CHECK(r.status == PERM_OK && r.precision == PERM_PRECISION_DEFAULT && r.error_bound < 1e-13 * fabs(r.value));
    }
  options.method = PERM_METHOD_AUTO;
  for (i = 0; i < 64; i++)
    a[i] = i % 3;
  CHECK(perm_compute_real(8, 8, a, 8, &options, &r) == PERM_OK && r.error_bound <= 1e-16 * fabs(r.value));
}

/* What a reader computes from n, entries and precision by docs/proofs-rounding.md, "The dense bound as one formula". */
TEST(t_bounds_are_the_formula)
{
  const double u = ldexp(1, -53);
  double a[2 * 16 * 16], moduli[16 * 16], c;
  int n, i, j, isa, parts, way, s;
  for (parts = 1; parts <= 2; parts++)
    for (n = 2; n <= 16; n++) {
      double R = 1, S = 0, sum;
      perm_result r;
      for (i = 0; i < n * n * parts; i++)
        a[i] = 0.5 + 0.5 * test_uniform();
      for (i = 0; i < n; R *= sum, i++)
        for (sum = 0, j = 0; j < n; j++)
          sum += moduli[i * n + j] = a[(i * n + j) * parts] + (parts == 2 ? a[(i * n + j) * 2 + 1] : 0);
      (parts == 2 ? perm_compute_complex : perm_compute_real)(n, n, a, n, NULL, &r);
      c = n <= 4 ? 16.016 * u * perm_real(n, moduli)
                 : 1.001 * u * (ldexp(1, n - 3) + n * (n + 3) + 8) * R;
      CHECK_SHOW(fabs(r.error_bound - c) <= 1e-12 * c, "n %d: %g, not %g", n, r.error_bound, c);
      if (n < 5 || n > 9)
        continue;
      for (s = 0; s < 1 << (n - 1); s++) {
        double z[2], x = 1, y = 0, real;
        for (i = 0; i < n; real = x * z[0] - y * z[1], y = x * z[1] + y * z[0], x = real, i++)
          for (z[0] = z[1] = 0, j = 0; j < n * parts; j++)
            z[j % parts] += (s >> (j / parts) & 1 ? -1 : 1) * a[i * n * parts + j];
        S += ldexp(fabs(x) + fabs(y), 1 - n);
      }
      for (isa = isa_first(); isa; isa = isa_next(isa))
        for (way = 0; way < 2; way++) { /* certify; dd */
          perm_options options = bounds_options(way, isa);
          permi_dense_plan plan;
          double bound, k = parts == 1 ? 2 : 3;
          inside_plan(parts, n, n, a, n, &options, &plan, &r);
          k += parts == 2 && plan.isa == PERM_ISA_PLAIN ? 0.42 : 0;
          s = plan.chunk_log2 + plan.block_columns;
          CHECK(plan.block_columns <= 3 && s <= n - 1);
          c = way ? 1.0001 * u * u * ((parts == 2 ? 60 : 14) * n + ldexp(40, s))
                  : 1.0001 * u * (k * n + plan.block_columns + 10);
          r = bounds_run(parts, n, a, &options);
          c = c * S + (n + 3) * 8e-31 * (fabs(r.value) + fabs(r.imaginary));
          bound = ldexp(bounds_number.error, (int)bounds_number.exp2);
          CHECK_SHOW(fabs(bound - c) <= 1e-9 * c, "n %d, %s: %g, not %g", n, bounds_ways[way].name, bound, c);
        }
    }
}

/* Sums of few large terms, which samples of one term in eight or more can miss: Ryser's of a diagonal matrix has one,
   and a search found this matrix (near rank one), for which the estimate of a sum without inner columns was 31 times
   too small. */
static const double bounds_few_terms[12 * 12] = {
    -797827984, 194293025, -649080710, 582440902, -47830827, 498942277, -159263577, -335967384, 61525171, 424263943,
    783684373, 465997629, -573748482, 139723632, -466778598, 418855444, -34396873, 358808375, 114532437, -241606760,
    44245235, 305104172, 563577309, 335116584, -251648640, 61283302, -204731172, 183711717, -15086750, 157374925,
    -50234339, -105969897, 19406203, 133819980, -247187309, 146983704, -527535006, 128469502, -429181413, 385118147,
    -31626464, 329907618, -105307340, -222146195, 40681244, 280529222, 518183205, 308124152, 791331736, -192711285,
    643795643, -577698609, 47441271, -494879662, 157966811, 333231682, -61024162, -420809361, -777303551, -462203275,
    -505934344, -524360193, -411607757, 369348871, -30331290, 316399176, -100995250, 213050223, 39015570, 269042480,
    496965446, 295507514, -280826844, 68389073, -228469632, 205012924, -16836014, 175622280, -56059078, 118256953,
    21656317, 149336264, 275848699, 164026306, -835288997, -203415925, -679557382, 609788849, 519722479, 522369579,
    -166741680, -351742344, 64414121, 444184802, 820481293, 487877924, -524323937, 127687265, -426568892, 382773788,
    -31757085, 327899489, -104666267, 220794171, 40433597, 278821563, -679557382, 306248522, -106505028, 25936885,
    -34396873, 40433597, 6384971, 66605635, -21260623, -44849538, 8213099, -56636413, -104616752, 62207633, 519722479,
    -126566764, -422825319, -379414547, 31158009, -325021815, 103747795, -126566764, -40078792, 276374648, -510509106,
    -303560903, 273067594, -66499420, 222156728, 147040507, 16370812, -170770002, 54510239, 114989334, 385118148,
    -145222666, -268226795, -159494038};

TEST(t_bounds_estimates_of_few_large_terms)
{
  double a[12 * 12];
  int64_t whole[12 * 12];
  perm_options options;
  perm_result r, exact;
  perm_matrix matrix;
  int i, k;
  memset(&options, 0, sizeof options);
  options.tolerance = 1; /* none is computed again */
  memset(a, 0, sizeof a);
  for (i = 0; i < 12; i++)
    a[13 * i] = 1;
  a[13 * 9] = 386257;
  a[13 * 10] = -6296206;
  a[13 * 11] = -827400; /* the product has 61 bits */
  for (k = 0; k < 2; k++) {
    options.method = k ? PERM_METHOD_RYSER : PERM_METHOD_GLYNN;
    CHECK(perm_compute_real(12, 12, a, 12, &options, &r) == PERM_OK);
    CHECK_SHOW(r.error_estimate >= 20, "%s: %.3g", perm_name("method", r.method), r.error_estimate); /* off by 112 */
  }
  for (i = 0; i < 12 * 12; i++)
    whole[i] = (int64_t)bounds_few_terms[i];
  CHECK(perm_compute_integer(12, 12, whole, 12, NULL, &exact) == PERM_OK && exact.exact);
  CHECK(perm_matrix_from_dense(12, 12, bounds_few_terms, 12, NULL, &matrix, NULL) == PERM_OK);
  options.method = PERM_METHOD_HYBRID;
  for (k = 0; k < 2; k++) {
    options.tolerance = k; /* 1: the doubles stand */
    CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_OK && r.method == PERM_METHOD_HYBRID);
    CHECK_SHOW(fabs(r.value - exact.value) < 5 * r.error_estimate, "off by %.3g, estimated %.3g",
               fabs(r.value - exact.value), r.error_estimate);
  }
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
