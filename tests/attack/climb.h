/* An adversary of `error_estimate`: climbs from matrices that nearly cancel towards those whose true error is the
   largest multiple of what was said of it. perm_compute_* and everything else that tells an error, by every engine,
   precision and kernel family, against the permanent without any rounding (oracle.h). Used by climb.c and t_climb.c.

   A lie is a finished result that is further from the permanent than CLIMB_LIE times its estimate. A tolerance is
   falsely met by a result with PERM_OK that is further from the permanent than CLIMB_LIE times what was asked for.
   perm_real, perm_complex and batches return no estimate: they are held to that of the plain call (climb_ask_one). */
#ifndef PERM_CLIMB_H_INCLUDED
#define PERM_CLIMB_H_INCLUDED

#include <float.h>
#include "../unit/test.h"
#include "../unit/oracle.h"

#define CLIMB_LIE 10.0
#if !defined(CLIMB_GOOD)
#define CLIMB_GOOD 1e-11
#endif
enum { CLIMB_MOST = 20, CLIMB_EXPANDED = 12, CLIMB_ENTRIES = 2 * CLIMB_MOST * CLIMB_MOST, CLIMB_ROWS = 512 };

typedef struct climb_problem {
  const char *kind;
  int m, n, parts, repeated, tiny; /* tiny: entries down to the least double */
  double a[CLIMB_ENTRIES];
  int row_counts[CLIMB_MOST], column_counts[CLIMB_MOST];
} climb_problem;

/* -- ways to ask -------------------------------------------------------------------------------- */

typedef enum climb_call {
  CLIMB_COMPUTE,  /* perm_compute_real, _complex: dense arrays, with multiplicities or without */
  CLIMB_SPARSE,   /* perm_compute_sparse */
  CLIMB_ONE,      /* perm_real, perm_complex */
  CLIMB_BATCH,    /* perm_batch_real, _complex */
  CLIMB_ARRAYS,   /* perm_batch_real_soa, _complex_soa */
  CLIMB_SELECT,   /* perm_select_real, _complex */
  CLIMB_MINORS,   /* perm_minors_real, _complex */
  CLIMB_GRADIENT, /* perm_gradient_real, _complex */
  CLIMB_LOW_RANK, /* perm_compute_low_rank_real, _complex */
  CLIMB_WHOLE,    /* perm_compute_sparse of whole numbers */
  CLIMB_INTEGER,  /* perm_compute_integer, _gaussian, with multiplicities or without */
  CLIMB_CALLS
} climb_call;
static const char *const climb_call_name[CLIMB_CALLS] = {"compute", "sparse", "one", "batch", "batch soa", "select",
                                                         "minors", "gradient", "low rank", "whole", "integer"};

typedef enum climb_shape {
  CLIMB_SQUARE, CLIMB_OTHER, CLIMB_COUNTS, CLIMB_FACTORS,
  CLIMB_THIN /* square, of order 5 to 20, with two to four entries a row */
} climb_shape;

typedef struct climb_way {
  climb_call call;
  perm_method method;
  climb_shape shape;
  perm_precision precision;
  perm_isa isa;
  int certify, row, engine;
  int bound; /* 1: climbs towards error / bound, where there is one */
  double tolerance;
} climb_way;

/* Calls and engines, those whose sums cancel, and default calls, more often; then every engine for blocks by name. */
typedef struct climb_engine {
  climb_call call;
  perm_method method;
  climb_shape shape;
  int weight;
} climb_engine;
static const climb_engine climb_more[] = {
    {CLIMB_COMPUTE, PERM_METHOD_AUTO, CLIMB_SQUARE, 5},        {CLIMB_COMPUTE, PERM_METHOD_DENSE, CLIMB_SQUARE, 12},
    {CLIMB_COMPUTE, PERM_METHOD_GLYNN, CLIMB_SQUARE, 5},       {CLIMB_COMPUTE, PERM_METHOD_RYSER, CLIMB_SQUARE, 2},
    {CLIMB_COMPUTE, PERM_METHOD_EXPANSION, CLIMB_SQUARE, 1},   {CLIMB_COMPUTE, PERM_METHOD_SUBSETS, CLIMB_SQUARE, 1},
    {CLIMB_COMPUTE, PERM_METHOD_MULTIPLICITIES, CLIMB_SQUARE, 2},     {CLIMB_COMPUTE, PERM_METHOD_AUTO, CLIMB_OTHER, 2},
    {CLIMB_COMPUTE, PERM_METHOD_SUBSETS, CLIMB_OTHER, 1},      {CLIMB_COMPUTE, PERM_METHOD_SHORT, CLIMB_OTHER, 2},
    {CLIMB_COMPUTE, PERM_METHOD_MULTIPLICITIES, CLIMB_OTHER, 2},
    {CLIMB_COMPUTE, PERM_METHOD_AUTO, CLIMB_COUNTS, 2},        {CLIMB_COMPUTE, PERM_METHOD_SUBSETS, CLIMB_COUNTS, 1},
    {CLIMB_COMPUTE, PERM_METHOD_MULTIPLICITIES, CLIMB_COUNTS, 2},
    {CLIMB_SPARSE, PERM_METHOD_AUTO, CLIMB_SQUARE, 2},         {CLIMB_SPARSE, PERM_METHOD_HYBRID, CLIMB_SQUARE, 15},
    {CLIMB_SPARSE, PERM_METHOD_DENSE, CLIMB_SQUARE, 3},        {CLIMB_SPARSE, PERM_METHOD_TWINS, CLIMB_SQUARE, 1},
    {CLIMB_SPARSE, PERM_METHOD_PLANAR, CLIMB_SQUARE, 1},
    {CLIMB_COMPUTE, PERM_METHOD_DENSE, CLIMB_THIN, 8},         {CLIMB_COMPUTE, PERM_METHOD_AUTO, CLIMB_THIN, 1},
    {CLIMB_SPARSE, PERM_METHOD_HYBRID, CLIMB_THIN, 5},
    {CLIMB_SPARSE, PERM_METHOD_DENSE, CLIMB_THIN, 2},          {CLIMB_SPARSE, PERM_METHOD_AUTO, CLIMB_THIN, 1},
    {CLIMB_SPARSE, PERM_METHOD_AUTO, CLIMB_OTHER, 1},          {CLIMB_ONE, PERM_METHOD_AUTO, CLIMB_SQUARE, 6},
    {CLIMB_BATCH, PERM_METHOD_AUTO, CLIMB_SQUARE, 3},          {CLIMB_ARRAYS, PERM_METHOD_AUTO, CLIMB_SQUARE, 2},
    {CLIMB_SELECT, PERM_METHOD_AUTO, CLIMB_SQUARE, 1},         {CLIMB_LOW_RANK, PERM_METHOD_LOW_RANK, CLIMB_FACTORS, 1},
    {CLIMB_MINORS, PERM_METHOD_AUTO, CLIMB_SQUARE, 6},         {CLIMB_MINORS, PERM_METHOD_AUTO, CLIMB_COUNTS, 3},
    {CLIMB_GRADIENT, PERM_METHOD_AUTO, CLIMB_SQUARE, 8},       {CLIMB_GRADIENT, PERM_METHOD_AUTO, CLIMB_COUNTS, 3},
    {CLIMB_WHOLE, PERM_METHOD_AUTO, CLIMB_SQUARE, 1},          {CLIMB_WHOLE, PERM_METHOD_SIGN_SEARCH, CLIMB_SQUARE, 1},
    {CLIMB_WHOLE, PERM_METHOD_HYBRID, CLIMB_SQUARE, 1},        {CLIMB_WHOLE, PERM_METHOD_ARRAYS, CLIMB_SQUARE, 1},
    {CLIMB_INTEGER, PERM_METHOD_AUTO, CLIMB_SQUARE, 1},        {CLIMB_INTEGER, PERM_METHOD_EXACT, CLIMB_SQUARE, 1},
    {CLIMB_INTEGER, PERM_METHOD_AUTO, CLIMB_COUNTS, 1}};
enum { CLIMB_MORE = sizeof climb_more / sizeof *climb_more,
       CLIMB_ENGINES = CLIMB_MORE + PERM_METHOD_COUNT - PERM_METHOD_FRONTIER };

static climb_engine climb_engine_at(int k)
{
  const climb_engine engine = {CLIMB_SPARSE, (perm_method)(PERM_METHOD_FRONTIER + k - CLIMB_MORE), CLIMB_SQUARE, 1};
  return k < CLIMB_MORE ? climb_more[k] : engine;
}

/* What one way, precision and kind of number has yielded. */
typedef struct climb_row {
  climb_call call;
  perm_method method;
  perm_precision precision;
  int parts;
  long results, over_10, over_100, over_1000, violations, falsely_met;
  double worst, worst_bound; /* true error / estimate; / bound */
  climb_way way; /* of the worst, and its matrix */
  climb_problem problem;
} climb_row;

static struct {
  climb_row table[CLIMB_ROWS];
  int count;
  long results, lies, over_100, over_1000, violations, falsely_met;
} climb_found;

static climb_row *climb_row_of(climb_call call, const perm_result *r, int parts)
{
  int k;
  climb_row *row;
  for (k = 0; k < climb_found.count; k++) {
    row = &climb_found.table[k];
    if (row->call == call && row->method == r->method && row->precision == r->precision && row->parts == parts)
      return row;
  }
  if (k == CLIMB_ROWS)
    abort();
  row = &climb_found.table[climb_found.count++];
  memset(row, 0, sizeof *row);
  row->call = call;
  row->method = r->method;
  row->precision = r->precision;
  row->parts = parts;
  return row;
}

/* One line from which the result can be had again. */
static void climb_show(const climb_problem *p, const climb_way *way)
{
  int i;
  printf("%s, %d x %d of %d part(s), %s: method %s, precision %s, isa %s, certify %d, tolerance %g", p->kind, p->m,
         p->n, p->parts, climb_call_name[way->call], perm_name("method", way->method),
         perm_name("precision", way->precision), perm_name("isa", way->isa), way->certify, way->tolerance);
  if (way->call == CLIMB_MINORS)
    printf(", row %d", way->row);
  if (p->repeated)
    for (i = 0; i < p->m + p->n; i++)
      printf("%s%d", i == 0 ? ", rows " : i == p->m ? ", columns " : " ",
             i < p->m ? p->row_counts[i] : p->column_counts[i - p->m]);
  printf("; entries");
  for (i = 0; i < p->m * p->n * p->parts; i++)
    printf(" %a", p->a[i]);
  printf("\n");
}

/* The oracle's limit: entries of 0 cost nothing. */
static double climb_patience(const climb_problem *p)
{
  int i, count = 1;
  for (i = 0; i < p->m * p->n * p->parts; i++)
    count += p->a[i] != 0;
  return 1.5e6 * p->m * p->n * p->parts / count;
}

/* The permanent without `without_row` and `without_column` (-1: with them) by expansion. words 0: too much work. */
static oracle_exact climb_exact(const climb_problem *p, int without_row, int without_column)
{
  enum { TOTAL = CLIMB_EXPANDED };
  oracle_entry e[2 * TOTAL * TOTAL];
  oracle_exact none;
  int of_row[TOTAL], of_column[TOTAL], m = 0, n = 0, i, j, k;
  memset(&none, 0, sizeof none);
  for (i = 0; i < p->m; i++)
    for (k = (p->repeated ? p->row_counts[i] : 1) - (i == without_row); k > 0 && m < TOTAL; k--)
      of_row[m++] = i;
  for (j = 0; j < p->n; j++)
    for (k = (p->repeated ? p->column_counts[j] : 1) - (j == without_column); k > 0 && n < TOTAL; k--)
      of_column[n++] = j;
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < p->parts; k++)
        e[(m <= n ? i * n + j : j * m + i) * p->parts + k] =
            oracle_double(p->a[(of_row[i] * p->n + of_column[j]) * p->parts + k]);
  return oracle_exact_entries(p->parts, m < n ? m : n, m < n ? n : m, e, climb_patience(p));
}

/* What a call said, and what is so; all in units of 2^exp2. */
typedef struct climb_answer {
  perm_result r; /* estimate and error are those of the worst of all values */
  double distance, modulus; /* of the worst value; of the permanent, for the tolerance */
} climb_answer;

/* The permanent of the moduli of all parts, generously: what sums in doubles are relative to. */
static double climb_moduli(const climb_problem *p)
{
  double product = 1, sum;
  int i, j;
  for (i = 0; i < p->m; i++) {
    for (sum = 0, j = 0; j < p->n * p->parts; j++)
      sum += fabs(p->a[i * p->n * p->parts + j]);
    product *= sum;
  }
  return product;
}

static void climb_compute(const climb_problem *p, const perm_options *options, perm_result *r)
{
  if (p->repeated)
    (p->parts == 1 ? perm_compute_repeated_real : perm_compute_repeated_complex)(
        p->m, p->n, p->a, p->n, p->row_counts, p->column_counts, options, r);
  else
    (p->parts == 1 ? perm_compute_real : perm_compute_complex)(p->m, p->n, p->a, p->n, options, r);
}

/* Entries of at most three digits: those of WHOLE and INTEGER. */
static double climb_whole(double x) { return nearbyint(fmod(x, 1000)); }

static void climb_ask_integer(const climb_problem *p, const perm_options *options, perm_result *r)
{
  int64_t a[CLIMB_ENTRIES];
  int i;
  for (i = 0; i < p->m * p->n * p->parts; i++)
    a[i] = (int64_t)p->a[i];
  if (p->repeated)
    (p->parts == 1 ? perm_compute_repeated_integer : perm_compute_repeated_gaussian)(
        p->m, p->n, a, p->n, p->row_counts, p->column_counts, options, r);
  else
    (p->parts == 1 ? perm_compute_integer : perm_compute_gaussian)(p->m, p->n, a, p->n, options, r);
}

static void climb_ask_sparse(const climb_problem *p, int whole, const perm_options *options, perm_result *r)
{
  perm_matrix matrix;
  int row[CLIMB_ENTRIES], column[CLIMB_ENTRIES], i;
  double part[2][CLIMB_ENTRIES];
  int64_t integer[CLIMB_ENTRIES];
  for (i = 0; i < p->m * p->n; i++) {
    row[i] = i / p->n;
    column[i] = i % p->n;
    part[0][i] = p->a[i * p->parts];
    part[1][i] = p->parts == 2 ? p->a[2 * i + 1] : 0;
    integer[i] = whole ? (int64_t)part[0][i] : 0;
  }
  if (perm_matrix_from_triplets(p->m, p->n, (size_t)(p->m * p->n), row, column, part[0], part[1], integer,
                                p->parts == 2 ? PERM_KIND_COMPLEX : whole ? PERM_KIND_INTEGER : PERM_KIND_REAL, NULL,
                                &matrix, NULL) != PERM_OK)
    abort();
  perm_compute_sparse(&matrix, options, r);
  perm_matrix_free(&matrix);
}

/* perm_real, batches and selections: a value without an estimate. Held to that of the plain call or, where that is
   smaller, to CLIMB_GOOD of the value: a tenth of the relative error above which the plain call is computed again.
   Batches of order 4 and less: of the moduli too, as the header says. */
static int climb_ask_one(const climb_problem *p, const climb_way *way, const perm_options *options, perm_result *r)
{
  enum { COPIES = 3 };
  double value[2 * COPIES] = {0, 0}, a[COPIES * CLIMB_ENTRIES];
  int lines[CLIMB_MOST], k, i, n = p->n, of_batch = way->call != CLIMB_ONE;
  const int entries = n * n;
  perm_result said;
  perm_status status;
  for (i = 0; i < n; i++)
    lines[i] = i;
  for (k = 0; k < COPIES && of_batch; k++)
    for (i = 0; i < entries * p->parts; i++)
      if (way->call == CLIMB_ARRAYS)
        a[(i / p->parts * COPIES + k) * p->parts + i % p->parts] = p->a[i];
      else
        a[k * entries * p->parts + i] = p->a[i];
  memset(&said, 0, sizeof said);
  if (p->parts == 1) {
    perm_compute_real(n, n, p->a, n, NULL, r);
    status = way->call == CLIMB_ONE      ? (value[0] = perm_real(n, p->a), PERM_OK)
             : way->call == CLIMB_BATCH  ? perm_batch_real(n, COPIES, a, (size_t)entries, options, value, &said)
             : way->call == CLIMB_ARRAYS ? perm_batch_real_soa(n, COPIES, a, COPIES, options, value, &said)
                                         : perm_select_real(n, n, p->a, n, n, 1, lines, lines, options, value, &said);
  } else {
    perm_compute_complex(n, n, p->a, n, NULL, r);
    status = way->call == CLIMB_ONE      ? perm_complex(n, p->a, value)
             : way->call == CLIMB_BATCH  ? perm_batch_complex(n, COPIES, a, (size_t)entries, options, value, &said)
             : way->call == CLIMB_ARRAYS ? perm_batch_complex_soa(n, COPIES, a, COPIES, options, value, &said)
                                         : perm_select_complex(n, n, p->a, n, n, 1, lines, lines, options, value,
                                                               &said);
  }
  if (status < 0 || !(fabs(value[0]) <= DBL_MAX) || !(fabs(value[p->parts - 1]) <= DBL_MAX) || r->status < 0)
    return 0;
  if (p->parts == 2 || way->call == CLIMB_ONE)
    r->imaginary = p->parts == 2 ? value[1] : 0;
  r->value = value[0];
  r->error_estimate = ldexp(r->error_estimate, (int)r->exp2) + CLIMB_GOOD * hypot(r->value, r->imaginary) + 5e-324;
  r->exp2 = 0;
  if (of_batch && n <= 4)
    r->error_estimate += DBL_EPSILON * climb_moduli(p);
  r->error_bound = HUGE_VAL;
  r->exact = 0;
  r->precision = PERM_PRECISION_DEFAULT;
  r->method = PERM_METHOD_AUTO;
  return 1;
}

/* Minors and gradients: the worst of many values against the one estimate. */
static int climb_ask_minors(const climb_problem *p, const climb_way *way, const perm_options *options,
                            climb_answer *answer)
{
  double to[CLIMB_ENTRIES], distance, most = 0;
  perm_result *r = &answer->r;
  const int *rows = p->repeated ? p->row_counts : NULL, *columns = p->repeated ? p->column_counts : NULL;
  const int gradient = way->call == CLIMB_GRADIENT, first = gradient ? 0 : way->row, lines = gradient ? p->m : 1;
  int i, j;
  if (gradient)
    (p->parts == 1 ? perm_gradient_real : perm_gradient_complex)(p->m, p->n, p->a, p->n, rows, columns, options, to, r);
  else
    (p->parts == 1 ? perm_minors_real : perm_minors_complex)(p->m, p->n, p->a, p->n, rows, columns, way->row, options,
                                                             to, r);
  if (r->status != PERM_OK && r->status != PERM_TOLERANCE_NOT_MET)
    return 0;
  answer->distance = answer->modulus = 0;
  for (i = first; i < first + lines; i++)
    for (j = 0; j < p->n; j++) {
      const double *at = &to[((i - first) * p->n + j) * p->parts];
      const double times = gradient && p->repeated ? rows[i] * columns[j] : 1; /* 1, 2 or 4: division is exact */
      oracle_exact exact;
      if ((rows && !rows[i]) || (columns && !columns[j])) {
        distance = hypot(at[0], p->parts == 2 ? at[1] : 0);
      } else {
        exact = climb_exact(p, i, j);
        if (!exact.words)
          return 0;
        distance = times * oracle_exact_distance(&exact, at[0] / times, p->parts == 2 ? at[1] / times : 0, r->exp2);
        oracle_exact_free(&exact);
      }
      answer->distance = fmax(answer->distance, distance);
      most = fmax(most, hypot(at[0], p->parts == 2 ? at[1] : 0));
    }
  r->exact = 0;
  answer->modulus = most;
  return 1;
}

/* The first rows of p are u of p->n x rank, the next, read likewise, v: both of so few bits that u v is of doubles. */
static void climb_ask_low_rank(const climb_problem *p, const perm_options *options, climb_problem *product,
                               perm_result *r)
{
  double u[CLIMB_ENTRIES], v[CLIMB_ENTRIES];
  const int n = p->n, rank = 1 + (p->m > 2), parts = p->parts;
  int i, j, k;
  for (i = 0; i < n * rank * parts; i++) {
    u[i] = ldexp(nearbyint(ldexp(fmod(p->a[i], 16), 20)), -20);
    v[i] = ldexp(nearbyint(ldexp(fmod(p->a[(n * n * parts - 1) - i], 16), 20)), -20);
  }
  *product = *p;
  product->m = n;
  memset(product->a, 0, sizeof product->a);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < rank; k++) {
        const double *x = &u[(i * rank + k) * parts], *y = &v[(k * n + j) * parts];
        double *at = &product->a[(i * n + j) * parts];
        at[0] += x[0] * y[0] - (parts == 2 ? x[1] * y[1] : 0);
        if (parts == 2)
          at[1] += x[0] * y[1] + x[1] * y[0];
      }
  (parts == 1 ? perm_compute_low_rank_real : perm_compute_low_rank_complex)(n, rank, u, rank, v, n, options, r);
}

/* The answer's distance from a permanent that is too large to expand: by a frontier, with a bound, in double-double. */
static int climb_ask_bounded(const climb_problem *p, climb_answer *answer)
{
  perm_options options;
  perm_result truth;
  const perm_result *r = &answer->r;
  int shift;
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_FRONTIER;
  options.precision = PERM_PRECISION_DD;
  options.certify = options.threads = 1;
  options.plan_effort = 0.01;
  climb_ask_sparse(p, 0, &options, &truth);
  if (truth.status != PERM_OK || !(truth.error_bound < 1e-12 * hypot(truth.value, truth.imaginary)))
    return 0;
  shift = (int)(truth.exp2 - r->exp2);
  answer->modulus = ldexp(hypot(truth.value, truth.imaginary), shift);
  answer->distance = hypot(ldexp(truth.value, shift) - r->value, ldexp(truth.imaginary, shift) - r->imaginary);
  answer->distance = r->exact ? 0 : fmax(0, answer->distance - ldexp(truth.error_bound, shift));
  return 1;
}

/* 0: refused, or too much for the oracle. */
static int climb_ask(const climb_problem *p, const climb_way *way, climb_answer *answer)
{
  perm_options options;
  perm_result *r = &answer->r;
  climb_problem product; /* what is asked, where that is not p */
  oracle_exact exact;
  int done = 1, k;
  if ((way->method == PERM_METHOD_EXPANSION || way->method == PERM_METHOD_TRANSVERSALS) && p->m > 8 && p->n > 8)
    return 0; /* n! terms */
  memset(&options, 0, sizeof options);
  options.method = way->method;
  options.precision = way->precision;
  options.isa = way->isa;
  options.certify = way->certify;
  options.tolerance = way->tolerance;
  options.threads = 1;
  options.plan_effort = 0.01;
  if (way->call == CLIMB_MINORS || way->call == CLIMB_GRADIENT)
    return climb_ask_minors(p, way, &options, answer);
  if (way->call == CLIMB_WHOLE || way->call == CLIMB_INTEGER) {
    product = *p;
    for (k = 0; k < p->m * p->n * p->parts; k++)
      product.a[k] = climb_whole(p->a[k]);
    p = &product;
  }
  if (way->call == CLIMB_SPARSE || way->call == CLIMB_WHOLE)
    climb_ask_sparse(p, way->call == CLIMB_WHOLE, &options, r);
  else if (way->call == CLIMB_INTEGER)
    climb_ask_integer(p, &options, r);
  else if (way->call == CLIMB_LOW_RANK)
    climb_ask_low_rank(p, &options, &product, r);
  else if (way->call == CLIMB_COMPUTE)
    climb_compute(p, &options, r);
  else
    done = climb_ask_one(p, way, &options, r);
  if (!done || (r->status != PERM_OK && r->status != PERM_TOLERANCE_NOT_MET))
    return 0;
  if (p->n > CLIMB_EXPANDED && !p->repeated)
    return climb_ask_bounded(p, answer);
  exact = climb_exact(way->call == CLIMB_LOW_RANK ? &product : p, -1, -1);
  if (!exact.words)
    return 0;
  answer->distance = oracle_exact_distance(&exact, r->value, r->imaginary, r->exp2);
  answer->modulus = oracle_exact_distance(&exact, 0, 0, r->exp2);
  if (r->exact && (!oracle_exact_is(&exact, 0, r->integer.negative, r->integer.words, r->integer.word, 0) ||
                   (p->parts == 2 && !oracle_exact_is(&exact, 1, r->imaginary_integer.negative,
                                                      r->imaginary_integer.words, r->imaginary_integer.word, 0))))
    answer->distance = HUGE_VAL;
  else if (r->exact)
    answer->distance = 0; /* value is a rounding of what was judged */
  oracle_exact_free(&exact);
  return 1;
}

/* Counts a result; true error / estimate. */
static double climb_judge(const climb_problem *p, const climb_way *way, const climb_answer *answer)
{
  const perm_result *r = &answer->r;
  climb_row *row = climb_row_of(way->call, r, p->parts);
  const double ratio = answer->distance == 0 || r->error_estimate == HUGE_VAL ? 0
                       : r->error_estimate > 0 ? fmin(answer->distance / r->error_estimate, 1e300)
                                               : 1e300;
  const int violation = !r->exact && !(answer->distance <= r->error_bound * (1 + 4 * DBL_EPSILON));
  const int claims = way->tolerance > 0 && r->status == PERM_OK && !r->exact &&
                     (way->call == CLIMB_COMPUTE || way->call == CLIMB_SPARSE);
  const double modulus = fmax(answer->modulus, hypot(r->value, r->imaginary));
  const int falsely_met = claims && answer->distance > CLIMB_LIE * way->tolerance * modulus;
  row->results++;
  if (answer->distance > 0 && !r->exact && r->error_bound < HUGE_VAL)
    row->worst_bound = fmax(row->worst_bound, r->error_bound > 0 ? answer->distance / r->error_bound : 1e300);
  row->over_10 += ratio > CLIMB_LIE;
  row->over_100 += ratio > 100;
  row->over_1000 += ratio > 1000;
  row->violations += violation;
  row->falsely_met += falsely_met;
  climb_found.results++;
  climb_found.lies += ratio > CLIMB_LIE;
  climb_found.over_100 += ratio > 100;
  climb_found.over_1000 += ratio > 1000;
  climb_found.violations += violation;
  climb_found.falsely_met += falsely_met;
  if (violation && row->violations <= 3) {
    printf("VIOLATION error %g, true %g: ", r->error_bound, answer->distance);
    climb_show(p, way);
  }
  if (falsely_met && row->falsely_met <= 1 && ratio <= CLIMB_LIE) {
    printf("FALSELY MET estimate %g, true %g, value %g: ", r->error_estimate, answer->distance, answer->modulus);
    climb_show(p, way);
  }
  if (ratio > row->worst) {
    row->worst = ratio;
    row->way = *way;
    row->problem = *p;
  }
  return ratio;
}

/* -- where to begin ----------------------------------------------------------------------------- */

typedef enum climb_start {
  CLIMB_HADAMARD, CLIMB_SPLITTER, CLIMB_FOURIER, CLIMB_BALANCED, CLIMB_KILLED, CLIMB_RANK_ONE, CLIMB_ROW_SUMS,
  CLIMB_PAIRS, CLIMB_SCALES, CLIMB_ZERO_ONE, CLIMB_TENTHS, CLIMB_UNIFORM, CLIMB_BLOCKS,
  CLIMB_BOARD, CLIMB_NESTED, CLIMB_LOW_RANKS, CLIMB_FEW, CLIMB_TINY, CLIMB_STARTS
} climb_start;
static const char *const climb_start_name[CLIMB_STARTS] = {
    "near-Hadamard", "hidden beam splitter", "Fourier", "balanced", "rows killed", "rank one", "rows of sum zero",
    "rows in pairs", "scales mixed", "0/1-like", "tenths", "uniform", "2 x 2 blocks",
    "board", "nested", "rank 2 to 4", "few a row", "subnormal"};

static double climb_sign(void) { return test_below(2) ? 1 : -1; }
static double climb_tenth(void) { return (1 + test_below(19)) * 0.1; }

/* A number of some kind: short, decimal or any. */
static double climb_number(void)
{
  const int kind = test_below(4);
  return climb_sign() * (kind == 0   ? 1 + test_below(9)
                         : kind == 1 ? climb_tenth()
                         : kind == 2 ? test_uniform() + 1e-3
                                     : ldexp(1, test_below(7) - 3));
}

/* [[x, y], [x, -y]], perhaps turned and perhaps with -y (1 + delta), in two columns that are else zero (or, hidden in
   rows, in two rows). at[4]: where it stands, row by row. */
static void climb_hide(climb_problem *p, double delta, int at[4])
{
  const int parts = p->parts, turned = test_below(2), i0 = test_below(p->m), j0 = test_below(p->n);
  const int i1 = (i0 + 1 + test_below(p->m - 1)) % p->m, j1 = (j0 + 1 + test_below(p->n - 1)) % p->n;
  double x[2], y[2];
  int i, k;
  for (i = 0; i < (turned ? p->n : p->m); i++)
    for (k = 0; k < parts; k++)
      if (turned)
        p->a[(i0 * p->n + i) * parts + k] = p->a[(i1 * p->n + i) * parts + k] = 0;
      else
        p->a[(i * p->n + j0) * parts + k] = p->a[(i * p->n + j1) * parts + k] = 0;
  at[0] = i0 * p->n + j0;
  at[1] = i0 * p->n + j1;
  at[2] = i1 * p->n + j0;
  at[3] = i1 * p->n + j1;
  if (turned) /* [[x, x], [y, -y]]: what hides in rows has x twice in one */
    i = at[1], at[1] = at[2], at[2] = i;
  for (k = 0; k < 2; k++) {
    x[k] = climb_number();
    y[k] = climb_number();
  }
  for (k = 0; k < parts; k++) {
    p->a[at[0] * parts + k] = p->a[at[2] * parts + k] = x[k];
    p->a[at[1] * parts + k] = y[k];
    p->a[at[3] * parts + k] = -y[k] * (1 + delta);
  }
}

static void climb_begin(climb_problem *p, climb_start kind)
{
  const int parts = p->parts, n = p->n, decimal = test_below(2), wide = 1 + test_below(20);
  double u[CLIMB_MOST], v[CLIMB_MOST], *at, x, angle;
  int up[CLIMB_MOST], across[CLIMB_MOST], few[CLIMB_MOST], i, j, k, where[4];
  for (i = 0; i < CLIMB_MOST; i++) {
    u[i] = climb_number();
    v[i] = climb_number();
    up[i] = test_below(2 * wide) - wide;
    across[i] = test_below(2 * wide) - wide;
    few[i] = 2 + 2 * test_below(3);
  }
  for (i = 0; i < p->m; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < parts; k++) {
        at = &p->a[(i * n + j) * parts + k];
        x = decimal ? climb_sign() * climb_tenth() : 2 * test_uniform() - 1;
        switch (kind) {
        case CLIMB_HADAMARD:
          *at = parts == 1 || k == test_below(2) ? (__builtin_popcount((unsigned)(i & j)) & 1 ? -1 : 1) : 0;
          break;
        case CLIMB_FOURIER:
          angle = 6.283185307179586 * i * j / (decimal ? n : 4);
          *at = parts == 1 ? cos(angle) + (wide & 1 ? sin(angle) : 0) : k ? sin(angle) : cos(angle);
          *at /= wide & 2 ? sqrt(n) : 1;
          break;
        case CLIMB_BALANCED: /* phases 1, i, -1, -i times a number for each line */
          *at = parts == 1 ? climb_sign() * u[i] : k ? 0 : climb_sign() * u[i] * (wide & 1 ? v[j] : 1);
          if (k && test_below(2)) {
            *at = at[-1];
            at[-1] = 0;
          }
          break;
        case CLIMB_KILLED: /* entries of the same modulus in an even number of places: most signs make the row 0 */
          *at = test_below(n) < few[i] ? climb_sign() * u[i] : 0;
          break;
        case CLIMB_RANK_ONE: *at = u[i] * v[j] + (wide & 1 ? ldexp(x, -40 - test_below(14)) : 0); break;
        case CLIMB_ROW_SUMS: *at = j + 1 < n ? x : 0; break;
        case CLIMB_PAIRS:
          *at = i & 1 ? p->a[((i - 1) * n + j) * parts + k] * (j & 1 ? -1 : 1) : x;
          break;
        case CLIMB_SCALES: *at = ldexp(x, up[i] + across[j]); break;
        case CLIMB_ZERO_ONE: *at = test_below(2) * (k ? test_below(2) : 1) * (wide & 1 ? 1 : u[i]); break;
        case CLIMB_TENTHS: *at = (test_below(21) - 10) * 0.1; break;
        case CLIMB_BLOCKS:
          *at = i / 2 != j / 2 ? (wide & 1 ? 0 : ldexp(x, -30 - wide * (wide & 2 ? 1 : 6)))
                               : (i & j & 1 ? -1 : 1) * (j & 1 ? v[i / 2] : u[i / 2]);
          break;
        case CLIMB_BOARD: /* black squares against white neighbours, four columns: planar */
          *at = abs(i / 2 - j / 2) + abs(2 * (i % 2 - j % 2) + (i / 2) % 2 - (j / 2 + 1) % 2) != 1 ? 0
                : wide & 1                                                             ? climb_sign() * u[few[0]] : x;
          break;
        case CLIMB_NESTED: /* proportional where they are: classes */
          *at = j > (i * few[0] + wide) % n ? 0 : wide & 1 ? u[i] * ldexp(1, j % 3) : u[i] * v[j];
          break;
        case CLIMB_LOW_RANKS: /* short numbers, so that products are exact */
          *at = k ? (i + 1) * (j - few[0]) : (i - few[0]) * (wide & 1 ? 0.125 : 1) + (wide & 2 ? i * i * (j - 3) : j);
          break;
        case CLIMB_FEW: /* in a ring, about the diagonal or anywhere */
          *at = (wide % 3 == 0   ? (j - i + n) % n <= few[0] / 2
                 : wide % 3 == 1 ? i == j || test_below(2 * n) < few[0]
                                 : (k ? at[-1] != 0 : test_below(2 * n) < few[0] + 2))
                    ? x
                    : 0;
          break;
        case CLIMB_TINY: /* among numbers that may cancel, or others */
          *at = test_below(n + 1) == 0 ? ldexp(test_below(9) - 4, -1074)
                : wide % 3 == 0        ? ldexp(x, 20 * (up[i] + across[j]))
                : wide & 1             ? test_below(3) - 1
                                       : x;
          break;
        default: *at = x;
        }
      }
  if (kind == CLIMB_ROW_SUMS)
    for (i = 0; i < p->m; i++)
      for (k = 0; k < parts; k++)
        for (j = 0; j + 1 < n; j++)
          p->a[(i * n + n - 1) * parts + k] -= p->a[(i * n + j) * parts + k];
  if (kind == CLIMB_SPLITTER && p->m > 1 && n > 1)
    climb_hide(p, test_below(2) ? 0 : ldexp(test_below(5), test_below(20) - 53), where);
  if (test_below(5) == 0) /* zeros among them */
    for (i = 0; i < p->m * n; i++)
      if (test_below(3) == 0)
        for (k = 0; k < parts; k++)
          p->a[i * parts + k] = 0;
  if (test_below(5) == 0) /* lines of other scales */
    for (i = 0; i < p->m * n * parts; i++)
      p->a[i] *= wide & 1 ? u[i / parts / n] : ldexp(1, up[i / parts / n] + across[i / parts % n]);
  p->kind = climb_start_name[kind];
  p->tiny = kind == CLIMB_TINY;
}

#include "climb_steps.h"

/* -- climbing ----------------------------------------------------------------------------------- */

static void climb_new_problem(climb_problem *p, const climb_way *way)
{
  const int many = way->call == CLIMB_GRADIENT, sparse = way->call == CLIMB_SPARSE || way->call == CLIMB_WHOLE;
  int i, total;
  memset(p, 0, sizeof *p);
  p->parts = 1 + test_below(2);
  p->n = 2 + test_below(many ? 4 : way->call == CLIMB_MINORS ? 5 : p->parts == 2 ? 6 : 7);
  if (!many && !sparse && way->call != CLIMB_MINORS && test_below(10) == 0)
    p->n = 9 + test_below(p->parts == 2 ? 2 : 4);
  if (way->shape == CLIMB_FACTORS)
    p->n = 3 + test_below(4);
  if (way->shape == CLIMB_THIN)
    p->n = test_below(3) ? 5 + test_below(7) : 12 + test_below(9);
  p->m = p->n;
  if (way->shape == CLIMB_OTHER) {
    p->n = 2 + test_below(p->parts == 2 ? 5 : 6);
    p->m = 1 + test_below(p->n);
    if (test_below(2))
      i = p->m, p->m = p->n, p->n = i;
  }
  if (way->shape == CLIMB_COUNTS) {
    p->n = 2 + test_below(4);
    p->m = 2 + test_below(4);
    p->repeated = 1;
    total = 2 + test_below(many ? 4 : 6);
    for (; total > 0; total--) {
      int *row = &p->row_counts[test_below(p->m)], *column = &p->column_counts[test_below(p->n)];
      if (!many || (*row < 2 && *column < 2))
        ++*row, ++*column;
    }
    for (i = 0; i < p->m; i++)
      total += p->row_counts[i];
    if (total < 2)
      p->row_counts[0] = p->column_counts[0] = 2, p->row_counts[1] = p->column_counts[1] = 0;
  }
  climb_begin(p, way->shape == CLIMB_THIN                                ? CLIMB_FEW
                 : way->method == PERM_METHOD_PLANAR                       ? CLIMB_BOARD
                 : way->method == PERM_METHOD_TWINS && test_below(2) ? CLIMB_NESTED
                 : (many || way->call == CLIMB_MINORS) && test_below(4) == 0 ? CLIMB_BLOCKS
                                                                       : (climb_start)test_below(CLIMB_STARTS));
}

static climb_way climb_new_way(int engine)
{
  static const perm_precision precision[4] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_DEFAULT, PERM_PRECISION_DEFAULT,
                                              PERM_PRECISION_DD};
  static const perm_isa isa[4] = {PERM_ISA_AUTO, PERM_ISA_PLAIN, PERM_ISA_AVX2, PERM_ISA_AUTO};
  static const double tolerance[4] = {0, 1, 1, 1e-10}; /* 1: no rerun, the precision asked for is the one judged */
  const climb_engine of = climb_engine_at(engine);
  climb_way way;
  memset(&way, 0, sizeof way);
  way.engine = engine;
  way.call = of.call;
  way.method = of.method;
  way.shape = of.shape;
  if (way.call != CLIMB_ONE && !(way.call >= CLIMB_BATCH && way.call <= CLIMB_SELECT)) {
    way.precision = precision[test_below(4)];
    if ((way.method == PERM_METHOD_GLYNN || way.method == PERM_METHOD_RYSER) && test_below(6) == 0)
      way.precision = PERM_PRECISION_KAHAN;
    way.isa = isa[test_below(4)];
    way.certify = test_below(4) == 0;
    way.tolerance = tolerance[test_below(4)];
    way.bound = test_below(4) == 0;
  }
  if (way.call == CLIMB_WHOLE || way.call == CLIMB_INTEGER) {
    way.precision = PERM_PRECISION_DEFAULT;
    way.tolerance = way.certify = way.bound = 0;
  }
  return way;
}

/* An engine, by weight, of those whose call or method is so named (NULL: any); -1: there is none. */
static int climb_any_engine(const char *name)
{
  int total = 0, k, chosen = -1;
  for (k = 0; k < CLIMB_ENGINES; k++) {
    const climb_engine engine = climb_engine_at(k);
    if (!name || !strcmp(name, climb_call_name[engine.call]) || !strcmp(name, perm_name("method", engine.method))) {
      total += engine.weight;
      chosen = test_below(total) < engine.weight ? k : chosen;
    }
  }
  return chosen;
}

/* What others say of a matrix of which one way said too little. */
static void climb_ask_others(const climb_problem *p, const climb_way *way)
{
  climb_answer answer;
  climb_way other;
  int k;
  for (k = 0; k < 8; k++) {
    other = climb_new_way(k < 3 ? way->engine : climb_any_engine(NULL));
    other.row = way->row;
    if (other.shape == way->shape && other.call != CLIMB_GRADIENT && climb_ask(p, &other, &answer))
      climb_judge(p, &other, &answer);
  }
}

/* From one start upwards, until nothing is gained; the same start for a seed whatever was climbed before. */
static void climb_once(const char *name, uint64_t seed)
{
  climb_problem best, next;
  climb_way way;
  climb_answer answer;
  double height = -HUGE_VAL, h, ratio, weight;
  int steps, idle = 0, k;
  test_seed(seed);
  weight = test_below(3) * 0.25; /* of how far the estimate is below the moduli: towards what cancels */
  way = climb_new_way(climb_any_engine(name));
  climb_new_problem(&best, &way);
  way.row = test_below(best.m);
  if (best.repeated)
    while (!best.row_counts[way.row])
      way.row = (way.row + 1) % best.m;
  for (steps = 0; steps < 300 && idle < 50; steps++) {
    next = best;
    for (k = steps ? 1 + test_below(3) : 0; k > 0; k--)
      climb_step(&next);
    idle++;
    if (!climb_is_tame(&next))
      continue;
    if (!climb_ask(&next, &way, &answer)) {
      if (!steps)
        return; /* refused */
      continue;
    }
    ratio = climb_judge(&next, &way, &answer);
    h = log2(fmax(way.bound && answer.r.error_bound < HUGE_VAL ? answer.distance / answer.r.error_bound : ratio, 1e-6));
    if (weight > 0 && answer.r.error_estimate > 0 && answer.r.error_estimate < HUGE_VAL)
      h += weight * log2((climb_moduli(&next) + 1e-290) /
                         (ldexp(answer.r.error_estimate, (int)answer.r.exp2) + 1e-290));
    if (answer.r.method == PERM_METHOD_STRUCTURE) /* nothing is summed there */
      h -= 100;
    if (h > height || (h == height && test_below(2))) {
      idle = h > height ? 0 : idle;
      height = h;
      best = next;
      if (ratio > 1)
        climb_ask_others(&best, &way);
    }
    if (ratio > 1e12)
      return; /* said clearly enough: elsewhere is more to learn */
  }
}

#include "climb_splitters.h"

#endif
/* SPDX-License-Identifier: MIT */
