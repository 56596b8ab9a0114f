/* Is `error_bound` what it says? Random matrices of many kinds against the permanent without any rounding (oracle.h),
   by every engine, precision and instruction set that gives a finite bound. No result may be further from the permanent
   than its bound; results with error 0 must be the permanent itself.

   Run:  build/soundness [MATRICES [SEED [PROCESSES]]]   default 20000 1 1; Markdown tables, and what was violated, with
   the matrix. Processes take equal parts, with seeds SEED, SEED + 1, ...
   A part fails if the median of bound / true error is above its limit (limits[]): a bound may not be vacuous either.
   The closing line is `N passed, N failed, N skipped`: matrices without and with a violation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perm_more.h"
#include "soundness_mix.h"
#include "processes.h"

enum { BINS = 1024, ROWS = 1024 };

typedef enum call { COMPUTE, REPEATED, INTEGER, SPARSE_CALL, FACTORS, MINORS, GRADIENT, ROOK, CALLS } call;
static const char *const call_name[CALLS] = {"compute", "repeated", "integer", "sparse", "low rank",
                                             "minors", "gradient", "rook"};

/* Results by call, engine, precision asked for and instruction set, without and with certify. ratio: bound / true error
   as a histogram of eighths of octaves. */
typedef struct soundness_row {
  call by;
  perm_method method;
  perm_precision precision;
  perm_isa isa;
  long results, raised, exact, bounded, violations, short_estimates;
  long ratios[2], bin[2][BINS];
  double least;
} soundness_row;

static struct { soundness_row table[ROWS]; int count; } rows;
static struct { long results, bad, estimates, missed; double expected; } found; /* estimates: with a guarantee */

static soundness_row *row_of(call by, perm_method method, perm_precision precision, perm_isa isa)
{
  soundness_row *row;
  int k;
  for (k = 0; k < rows.count; k++) {
    row = &rows.table[k];
    if (row->by == by && row->method == method && row->precision == precision && row->isa == isa)
      return row;
  }
  if (rows.count == ROWS)
    abort();
  row = &rows.table[rows.count++];
  memset(row, 0, sizeof *row);
  row->by = by;
  row->method = method;
  row->precision = precision;
  row->isa = isa;
  row->least = HUGE_VAL;
  return row;
}

static void show(const problem *p, call by, const perm_result *r, double distance)
{
  int i;
  printf("VIOLATION %s: %s, %d x %d, %d part(s): method %s, precision %s, isa %s: (%.17g, %.17g) 2^%lld, error %.17g, "
         "true %.17g\n  entries:",
         call_name[by], p->kind, p->m, p->n, p->parts, perm_name("method", r->method), perm_name("precision",
                                                                                                 r->precision),
         perm_name("isa", r->isa), r->value, r->imaginary, r->exp2, r->error_bound, distance);
  for (i = 0; i < p->m * p->n * p->parts; i++)
    printf(" %a", p->a[i]);
  if (p->repeated)
    for (i = 0; i < p->m + p->n; i++)
      printf(" %s%d", i == 0 ? "rows " : i == p->m ? "columns " : "",
             i < p->m ? p->row_counts[i] : p->column_counts[i - p->m]);
  printf("\n");
}

static int is_finished(const perm_result *r)
{
  return r->status == PERM_OK || r->status == PERM_TOLERANCE_NOT_MET;
}

/* A finished result that is so far from what it stands for. wrong: it says exact, and is not. */
static void judge_distance(problem *p, call by, const perm_options *options, const perm_result *r, double distance,
                           int wrong)
{
  soundness_row *to = row_of(by, r->method, options->precision, r->isa);
  int violated = r->exact ? wrong : !(distance <= r->error_bound * (1 + 4 * DBL_EPSILON)); /* right to about 1e-15 */
  found.results++;
  to->results++;
  to->raised += !r->exact && r->precision != options->precision;
  to->exact += r->exact || r->error_bound == 0;
  to->bounded += !r->exact && r->error_bound > 0 && r->error_bound < HUGE_VAL;
  to->short_estimates += !r->exact && distance > r->error_estimate;
  if (violated) {
    to->violations++;
    p->bad = 1;
    show(p, by, r, distance);
  }
  if (!r->exact && distance > 0 && r->error_bound > 0 && r->error_bound < HUGE_VAL) {
    const double ratio = r->error_bound / distance;
    const int bin = (int)fmin(floor(8 * log2(ratio)) + 8, BINS - 1), certify = options->certify;
    to->least = ratio < to->least ? ratio : to->least;
    to->bin[certify][bin < 0 ? 0 : bin]++;
    to->ratios[certify]++;
  }
}

static void judge(problem *p, call by, const perm_options *options, const perm_result *r)
{
  int wrong = 0;
  if (!is_finished(r))
    return; /* refused */
  if (r->exact) /* value is then a rounding of what is judged */
    wrong = !oracle_exact_is(&p->exact, 0, r->integer.negative, r->integer.words, r->integer.word, 0) ||
            (p->parts == 2 && !oracle_exact_is(&p->exact, 1, r->imaginary_integer.negative, r->imaginary_integer.words,
                                               r->imaginary_integer.word, 0));
  judge_distance(p, by, options, r, oracle_exact_distance(&p->exact, r->value, r->imaginary, r->exp2), wrong);
}

/* The permanent by expansion, rows and columns as often as they stand there, but one row and one column less (-1: all).
   words 0: too much work. */
static oracle_exact expand_without(const problem *p, int row, int column, double limit)
{
  oracle_entry e[2 * TOTAL * TOTAL];
  int of_row[TOTAL], of_column[TOTAL], m = 0, n = 0, i, j, k;
  for (i = 0; i < p->m; i++)
    for (k = (p->repeated ? p->row_counts[i] : 1) - (i == row); k > 0; k--)
      of_row[m++] = i;
  for (j = 0; j < p->n; j++)
    for (k = (p->repeated ? p->column_counts[j] : 1) - (j == column); k > 0; k--)
      of_column[n++] = j;
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < p->parts; k++)
        e[(m <= n ? i * n + j : j * m + i) * p->parts + k] =
            oracle_double(p->a[(of_row[i] * p->n + of_column[j]) * p->parts + k]);
  return oracle_exact_entries(p->parts, m < n ? m : n, m < n ? n : m, e, limit);
}

static int expand(problem *p)
{
  p->exact = expand_without(p, -1, -1, 1.5e5);
  return p->exact.words > 0;
}

/* -- ways to ask -------------------------------------------------------------------------------- */

static perm_options any_options(perm_method method)
{
  static const perm_precision precision[2] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_DD};
  static const perm_isa isa[4] = {PERM_ISA_AUTO, PERM_ISA_PLAIN, PERM_ISA_AVX2, PERM_ISA_AUTO};
  perm_options options;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.precision = precision[test_below(2)];
  options.isa = isa[test_below(4)];
  options.certify = test_below(2);
  options.threads = 1;
  options.tolerance = test_below(4) ? 1 : 0; /* mostly no rerun: the precision asked for is the one judged */
  return options;
}

/* Rook numbers of integers against sums over sets of columns. */
static void ask_rook(problem *p, const perm_matrix *matrix)
{
  static oracle_int board[1 << MOST];
  perm_integer numbers[MOST + 1];
  oracle_int sum;
  perm_options options = any_options(test_below(3) ? PERM_METHOD_AUTO
                                     : test_below(2) ? PERM_METHOD_FRONTIER : PERM_METHOD_EXACT);
  perm_result r;
  const int most = p->m < p->n ? p->m : p->n;
  int i, j, set, k;
  options.precision = PERM_PRECISION_DEFAULT;
  for (i = 0; i < p->m * p->n; i++)
    if (fabs(p->a[i]) > 1000)
      return; /* beyond 128 bits */
  if (perm_rook_numbers(matrix, &options, numbers, &r) != PERM_OK)
    return;
  found.results++;
  row_of(ROOK, r.method, options.precision, r.isa)->results++;
  row_of(ROOK, r.method, options.precision, r.isa)->exact++;
  memset(board, 0, sizeof board);
  board[0] = 1;
  for (i = 0; i < p->m; i++)
    for (set = (1 << p->n) - 1; set > 0; set--)
      for (j = 0; j < p->n; j++)
        if (set >> j & 1)
          board[set] += board[set & ~(1 << j)] * (int)p->a[i * p->n + j];
  for (k = 0; k <= most; k++) {
    for (sum = 0, set = 0; set < 1 << p->n; set++)
      if (__builtin_popcount((unsigned)set) == k)
        sum += board[set];
    if (sum < 0 ? !numbers[k].negative : numbers[k].negative)
      sum = 0, p->bad = 1;
    sum = sum < 0 ? -sum : sum;
    for (i = 0; i < numbers[k].words; i++)
      p->bad |= i > 1 ? numbers[k].word[i] != 0 : numbers[k].word[i] != (uint64_t)(sum >> 64 * i);
    p->bad |= (numbers[k].words < 2 && sum >> 64 * numbers[k].words != 0);
  }
  if (p->bad)
    show(p, ROOK, &r, NAN);
}

/* Minors of a row, or the gradient: the worst of all values against the one bound. Small orders have a bound where the
   options ask for nothing. */
static void ask_minors(problem *p, int gradient)
{
  static const perm_isa isa[3] = {PERM_ISA_AUTO, PERM_ISA_PLAIN, PERM_ISA_AVX2};
  double to[ENTRIES], worst = 0;
  const int *const of_rows = p->repeated ? p->row_counts : NULL;
  const int *const of_columns = p->repeated ? p->column_counts : NULL;
  const int first = gradient ? 0 : test_below(p->m), lines = gradient ? p->m : 1;
  perm_options options;
  perm_result r;
  int i, j;
  memset(&options, 0, sizeof options);
  options.threads = 1;
  options.isa = isa[test_below(3)];
  if (gradient)
    (p->parts == 1 ? perm_gradient_real : perm_gradient_complex)(p->m, p->n, p->a, p->n, of_rows, of_columns, &options,
                                                                 to, &r);
  else
    (p->parts == 1 ? perm_minors_real : perm_minors_complex)(p->m, p->n, p->a, p->n, of_rows, of_columns, first,
                                                             &options, to, &r);
  if (!is_finished(&r) || r.error_bound == HUGE_VAL)
    return;
  for (i = first; i < first + lines; i++)
    for (j = 0; j < p->n; j++) {
      const double *at = &to[((i - first) * p->n + j) * p->parts], imaginary = p->parts == 2 ? at[1] : 0;
      const int times = gradient && p->repeated ? of_rows[i] * of_columns[j] : 1;
      double distance = hypot(at[0], imaginary);
      if ((!of_rows || of_rows[i]) && (!of_columns || of_columns[j])) {
        oracle_exact exact;
        if (times & (times - 1))
          return; /* the oracle's double would be rounded */
        exact = expand_without(p, i, j, 1e5);
        if (!exact.words)
          return;
        distance = times * oracle_exact_distance(&exact, at[0] / times, imaginary / times, r.exp2);
        oracle_exact_free(&exact);
      }
      worst = fmax(worst, distance);
    }
  judge_distance(p, gradient ? GRADIENT : MINORS, &options, &r, worst, 0);
}

/* Real or complex whole numbers as 64-bit integers, by the engines of arrays. */
static void ask_integer(problem *p)
{
  static const perm_method method[] = {PERM_METHOD_AUTO,    PERM_METHOD_AUTO,    PERM_METHOD_EXACT,
                                       PERM_METHOD_SUBSETS, PERM_METHOD_MULTIPLICITIES, PERM_METHOD_SHORT};
  perm_options options = any_options(method[test_below((int)(sizeof method / sizeof *method))]);
  int64_t a[ENTRIES];
  perm_result r;
  int i;
  options.precision = PERM_PRECISION_DEFAULT;
  for (i = 0; i < p->m * p->n * p->parts; i++) {
    if (!(fabs(p->a[i]) < 0x1p53) || p->a[i] != nearbyint(p->a[i]))
      return;
    a[i] = (int64_t)p->a[i];
  }
  if (p->repeated)
    (p->parts == 1 ? perm_compute_repeated_integer : perm_compute_repeated_gaussian)(
        p->m, p->n, a, p->n, p->row_counts, p->column_counts, &options, &r);
  else
    (p->parts == 1 ? perm_compute_integer : perm_compute_gaussian)(p->m, p->n, a, p->n, &options, &r);
  judge(p, INTEGER, &options, &r);
}

/* An estimate with a guarantee: the permanent is surely within its interval, and within its radius with its chance. */
static void ask_estimate(problem *p)
{
  static const double chance[3] = {0.5, 0.75, 0.95};
  perm_estimate_plan plan;
  perm_estimate estimate;
  double value;
  int i;
  for (i = 0; i < p->m * p->n; i++)
    if (p->a[i] < 0)
      return;
  memset(&plan, 0, sizeof plan);
  plan.estimator = PERM_ESTIMATOR_REJECTION;
  plan.relative_error = 0.5;
  plan.confidence = chance[test_below(3)];
  plan.seed = test_random();
  if (perm_estimate_real(p->n, p->a, p->n, &plan, NULL, &estimate) != PERM_OK)
    return;
  value = oracle_exact_part(&p->exact, 0, 0, 0, estimate.exp2);
  found.estimates++;
  found.expected += 1 - plan.confidence;
  found.missed += !(fabs(value - estimate.value) <= estimate.proved_radius * (1 + 1e-12));
  if (!(value >= estimate.certain_low * (1 - 1e-12) && value <= estimate.certain_high * (1 + 1e-12))) {
    printf("VIOLATION estimate: %s, %d x %d: %.17g is not from %.17g to %.17g\n", p->kind, p->n, p->n, value,
           estimate.certain_low, estimate.certain_high);
    p->bad = 1;
  }
}

static void ask(problem *p)
{
  static const perm_method square[] = {PERM_METHOD_AUTO,    PERM_METHOD_AUTO,      PERM_METHOD_DENSE,
                                       PERM_METHOD_DENSE,   PERM_METHOD_EXPANSION, PERM_METHOD_SUBSETS,
                                       PERM_METHOD_MULTIPLICITIES, PERM_METHOD_GLYNN,     PERM_METHOD_RYSER};
  static const perm_method other[] = {PERM_METHOD_AUTO,     PERM_METHOD_SUBSETS, PERM_METHOD_SHORT,
                                      PERM_METHOD_MULTIPLICITIES};
  enum { sparse = PERM_METHOD_COUNT - PERM_METHOD_FRONTIER };
  static const perm_method more[] = {PERM_METHOD_AUTO,  PERM_METHOD_DENSE,  PERM_METHOD_HYBRID,
                                     PERM_METHOD_TWINS, PERM_METHOD_PLANAR, PERM_METHOD_SIGN_SEARCH};
  const int *const of_rows = p->repeated ? p->row_counts : NULL;
  const int *const of_columns = p->repeated ? p->column_counts : NULL;
  perm_result r;
  perm_options options;
  int k;
  for (k = 0; k < 2; k++) {
    options = any_options(p->m == p->n && !p->repeated ? square[test_below((int)(sizeof square / sizeof *square))]
                                                       : other[test_below((int)(sizeof other / sizeof *other))]);
    if (p->parts == 1)
      perm_compute_repeated_real(p->m, p->n, p->a, p->n, of_rows, of_columns, &options, &r);
    else
      perm_compute_repeated_complex(p->m, p->n, p->a, p->n, of_rows, of_columns, &options, &r);
    judge(p, p->repeated ? REPEATED : COMPUTE, &options, &r);
  }
  ask_integer(p);
  if (p->m == p->n && p->n <= (p->repeated ? 5 : 7) && test_below(4) == 0)
    ask_minors(p, p->n <= 5 && test_below(2));
  if (p->m == p->n && p->parts == 1 && !p->repeated && p->n <= 6 && test_below(20) == 0)
    ask_estimate(p);
  if (!p->repeated) {
    perm_matrix matrix;
    int row[ENTRIES], column[ENTRIES], used = 0, whole = p->parts == 1 && test_below(4), i;
    int64_t integer[ENTRIES];
    double part[2][ENTRIES];
    options = any_options(PERM_METHOD_AUTO);
    if (p->parts == 1)
      perm_compute_real(p->m, p->n, p->a, p->n, &options, &r);
    else
      perm_compute_complex(p->m, p->n, p->a, p->n, &options, &r);
    judge(p, COMPUTE, &options, &r);
    for (i = 0; i < p->m * p->n; i++, used++) {
      row[used] = i / p->n;
      column[used] = i % p->n;
      part[0][used] = p->a[i * p->parts];
      part[1][used] = p->parts == 2 ? p->a[2 * i + 1] : 0;
      whole = whole && fabs(part[0][used]) < 0x1p53 && part[0][used] == nearbyint(part[0][used]);
      integer[used] = whole ? (int64_t)part[0][used] : 0;
    }
    if (perm_matrix_from_triplets(p->m, p->n, (size_t)used, row, column, part[0], part[1], integer,
                                  whole ? PERM_KIND_INTEGER : p->parts == 1 ? PERM_KIND_REAL : PERM_KIND_COMPLEX, NULL,
                                  &matrix, NULL) != PERM_OK)
      abort();
    if (whole)
      ask_rook(p, &matrix);
    for (k = 0; k < 2; k++) {
      options = any_options(test_below(10) < 7 ? (perm_method)(PERM_METHOD_FRONTIER + test_below(sparse))
                                               : more[test_below((int)(sizeof more / sizeof *more))]);
      options.plan_effort = 0.01;
      if (whole && test_below(2))
        options.precision = PERM_PRECISION_DEFAULT; /* exact */
      perm_compute_sparse(&matrix, &options, &r);
      judge(p, SPARSE_CALL, &options, &r);
    }
    perm_matrix_free(&matrix);
  }
}

/* u v of few bits, so that the product's entries are doubles. */
static void ask_low_rank(problem *p)
{
  double u[2 * MOST * 3], v[2 * MOST * 3];
  const int n = p->n, rank = 1 + test_below(n < 3 ? n : 3);
  perm_options options = any_options(test_below(2) ? PERM_METHOD_AUTO : PERM_METHOD_LOW_RANK);
  perm_result r;
  int i, j, k;
  for (i = 0; i < n * rank * p->parts; i++) {
    u[i] = ldexp(test_below(2001) - 1000, -5);
    v[i] = ldexp(test_below(2001) - 1000, -9);
  }
  memset(p->a, 0, sizeof p->a);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < rank; k++) {
        const double *x = &u[(i * rank + k) * p->parts], *y = &v[(k * n + j) * p->parts];
        double *at = &p->a[(i * n + j) * p->parts];
        at[0] += x[0] * y[0] - (p->parts == 2 ? x[1] * y[1] : 0);
        if (p->parts == 2)
          at[1] += x[0] * y[1] + x[1] * y[0];
      }
  p->kind = "low rank";
  if (!expand(p))
    return;
  if (p->parts == 1)
    perm_compute_low_rank_real(n, rank, u, rank, v, n, &options, &r);
  else
    perm_compute_low_rank_complex(n, rank, u, rank, v, n, &options, &r);
  judge(p, FACTORS, &options, &r);
}

static void one_matrix(void)
{
  static problem p;
  const int kind = test_below(SHAPES + 1), extreme = kind == GRADED || kind == GRADED_LINES || kind == EDGES;
  int i, total;
  memset(&p, 0, sizeof p);
  p.parts = 1 + test_below(2);
  p.n = p.m = 1 + test_below(extreme ? 5 : p.parts == 2 ? 7 : test_below(10) ? 8 : MOST);
  if (kind == SHAPES) {
    ask_low_rank(&p);
  } else {
    if (test_below(5) == 0)
      p.m = 1 + test_below(p.n);
    if (test_below(8) == 0)
      i = p.m, p.m = p.n, p.n = i;
    make(&p, (shape)kind);
    if (test_below(6) == 0) { /* some lines several times, some not at all */
      p.repeated = 1;
      total = 1 + test_below(extreme ? 5 : 8);
      for (i = 0; i < total; i++) {
        p.row_counts[test_below(p.m)]++;
        p.column_counts[test_below(p.n)]++;
      }
    }
    if (expand(&p))
      ask(&p);
  }
  found.bad += p.bad;
  if (p.exact.words)
    oracle_exact_free(&p.exact);
}

/* -- what came of it ---------------------------------------------------------------------------- */

static int by_name(const void *x, const void *y)
{
  const soundness_row *a = (const soundness_row *)x, *b = (const soundness_row *)y;
  return a->by != b->by                 ? (int)a->by - (int)b->by
         : a->method != b->method       ? (int)a->method - (int)b->method
         : a->precision != b->precision ? (int)a->precision - (int)b->precision : (int)a->isa - (int)b->isa;
}

/* The lower end of the eighth of an octave in which the middle ratio lies. */
static double median(const long *bin, long ratios)
{
  long seen = 0;
  int k;
  for (k = 0; k < BINS; k++)
    if ((seen += bin[k]) * 2 >= ratios)
      break;
  return exp2((k - 8) / 8.0);
}

/* -1: any; certify as well. */
static const struct limit {
  const char *what;
  int by, first, last, precision, certify;
  double most;
} limits[] = {
    {"dense default with certify", COMPUTE, PERM_METHOD_DENSE, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 1, 20},
    {"frontier, lists, sorting, arrays default", SPARSE_CALL, PERM_METHOD_FRONTIER, PERM_METHOD_ARRAYS,
     PERM_PRECISION_DEFAULT, -1, 60},
    {"dd, every engine", -1, 0, PERM_METHOD_COUNT - 1, PERM_PRECISION_DD, -1, 5}};

static int show_limits(void)
{
  int above = 0, l, k, certify, b;
  printf("\n| bound / true error | results | median | at most |\n|---|--:|--:|--:|\n");
  for (l = 0; l < (int)(sizeof limits / sizeof *limits); l++) {
    const struct limit *limit = &limits[l];
    static long bin[BINS];
    long ratios = 0;
    memset(bin, 0, sizeof bin);
    for (k = 0; k < rows.count; k++) {
      const soundness_row *of = &rows.table[k];
      if ((limit->by >= 0 && (int)of->by != limit->by) || (int)of->method < limit->first ||
          (int)of->method > limit->last || (int)of->precision != limit->precision)
        continue;
      for (certify = 0; certify < 2; certify++)
        if (limit->certify < 0 || certify == limit->certify) {
          ratios += of->ratios[certify];
          for (b = 0; b < BINS; b++)
            bin[b] += of->bin[certify][b];
        }
    }
    printf("| %s | %ld | %.2g | %g |\n", limit->what, ratios, ratios ? median(bin, ratios) : 0, limit->most);
    if (ratios && median(bin, ratios) > limit->most) {
      printf("FAIL the median of %s\n", limit->what);
      above++;
    }
  }
  return above;
}

static void show_median(const soundness_row *of, int certify)
{
  if (of->ratios[certify])
    printf("%.2g | ", median(of->bin[certify], of->ratios[certify]));
  else
    printf("- | ");
}

static void show_rows(void)
{
  int k;
  qsort(rows.table, (size_t)rows.count, sizeof *rows.table, by_name);
  printf("| call | engine | precision asked | kernels | results | in another precision | with error 0 | with a bound | "
         "bound / true error: least | median | median with certify | violations | estimate below the true error |\n"
         "|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (k = 0; k < rows.count; k++) {
    const soundness_row *of = &rows.table[k];
    printf("| %s | %s | %s | %s | %ld | %ld | %ld | %ld | ", call_name[of->by], perm_name("method", of->method),
           perm_name("precision", of->precision), perm_name("isa", of->isa), of->results, of->raised, of->exact,
               of->bounded);
    if (of->ratios[0] + of->ratios[1])
      printf("%.3g | ", of->least);
    else
      printf("- | ");
    show_median(of, 0);
    show_median(of, 1);
    printf("%ld | %.2g %% |\n", of->violations, 100.0 * (double)of->short_estimates / (double)of->results);
  }
}

/* -- processes ---------------------------------------------------------------------------------- */

static long matrices;
static uint64_t seed;

static void share(int process, int count, FILE *to)
{
  long left = matrices / count + (process < matrices % count);
  test_seed(seed + (uint64_t)process);
  for (; left > 0; left--)
    one_matrix();
  fwrite(&found, sizeof found, 1, to);
  fwrite(&rows.count, sizeof rows.count, 1, to);
  fwrite(rows.table, sizeof *rows.table, (size_t)rows.count, to);
}

static int add(FILE *from)
{
  static soundness_row one;
  soundness_row *to;
  int count, k, certify, b;
  typeof(found) theirs;
  if (fread(&theirs, sizeof theirs, 1, from) != 1 || fread(&count, sizeof count, 1, from) != 1)
    return 0;
  found.results += theirs.results;
  found.bad += theirs.bad;
  found.estimates += theirs.estimates;
  found.missed += theirs.missed;
  found.expected += theirs.expected;
  for (k = 0; k < count; k++) {
    if (fread(&one, sizeof one, 1, from) != 1)
      return 0;
    to = row_of(one.by, one.method, one.precision, one.isa);
    to->results += one.results;
    to->raised += one.raised;
    to->exact += one.exact;
    to->bounded += one.bounded;
    to->violations += one.violations;
    to->short_estimates += one.short_estimates;
    to->least = one.least < to->least ? one.least : to->least;
    for (certify = 0; certify < 2; certify++) {
      to->ratios[certify] += one.ratios[certify];
      for (b = 0; b < BINS; b++)
        to->bin[certify][b] += one.bin[certify][b];
    }
  }
  return 1;
}

int main(int argc, char **argv)
{
  const int processes = argc > 3 ? atoi(argv[3]) : 1;
  const double start = test_seconds();
  long exact = 0, bounded = 0, violations = 0;
  int k, above;
  matrices = argc > 1 ? strtol(argv[1], NULL, 10) : 20000;
  seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  if (processes < 1 || processes > PROCESSES_MOST || matrices < 1)
    return 2;
  found.bad += processes_run(processes, share, add);
  show_rows();
  above = show_limits();
  for (k = 0; k < rows.count; k++) {
    exact += rows.table[k].exact;
    bounded += rows.table[k].bounded;
    violations += rows.table[k].violations;
  }
  printf("\n%ld matrices, %ld results: %ld with error 0, %ld with a bound above 0; %ld violations; %.0f s, "
         "%.0f s of one core\n", matrices, found.results, exact, bounded, violations, test_seconds() - start,
         processes_seconds());
  printf("%ld estimates with a guarantee: %ld beyond their radius, at most %.0f expected\n", found.estimates,
         found.missed, found.expected);
  if (bounded < matrices) { /* nothing passes by doing nothing */
    printf("FAIL too few bounds\n");
    found.bad++;
  }
  if ((double)found.missed > found.expected + 5 * sqrt(found.expected) + 5) {
    printf("FAIL too many estimates beyond their radius\n");
    found.bad++;
  }
  found.bad += above;
  printf("%ld passed, %ld failed, 0 skipped\n", matrices - found.bad, found.bad);
  return found.bad != 0;
}
/* SPDX-License-Identifier: MIT */
