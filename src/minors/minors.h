/* ========================================================================================= >>minors
   Permanents without one row and one column. Glynn's sum is 2^-N sum over d of (signs) prod_i y_i, y_i = sum_j d_j
   a_ij; its derivative by a_ij sums d_j P_i, P_i the product of the other y, by prefixes and suffixes. As d_j is
   constant over nested stretches, sums of P_i suffice:
     lane and block columns   a sum for each vector element and setting, folded at the end of a chunk
     outer columns            a binary counter: of two blocks of 2^k states the difference goes to column k, the sum to
                              column k + 1
   With r_i and c_j copies, d_j = c_j - 2 v_j, v_j = 0..c_j, has binomial weights, and P_i contains y_i^(r_i - 1); the
   transpose may have fewer terms. Few copies are written out. */
#pragma once
#include "../dense/plan.h"
#include "../job/control.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_MINORS_TOTAL 256 /* products of binomials stay below 2^256 */

typedef struct permi_minors {
  int parts, lines[2]; /* distinct; a wanted row is last */
  int least;           /* first wanted row */
  int total;           /* of copies */
  int count[2][PERM_MAX_N], origin[2][PERM_MAX_N], exp2[2][PERM_MAX_N]; /* of rows and columns */
  int lossy, drops;   /* drops: entries on no transversal */
  double below, lost; /* by the grid; by underflow, times 2^scale_exp2 */
  const permi_minors_kernel *kernel; /* or NULL */
  int subsets, in_doubles;           /* in_doubles: not single terms */
  permi_dense dense;
  int transposed; /* for single terms and subsets */
  int inner;      /* columns before it vary within a chunk */
  double work_doubles;
  uint64_t chunks;
  double terms, seconds;
  double estimate_relative;   /* to the sum of |terms| */
  double without[PERM_MAX_N]; /* of permi_terms_norms */
  int scale_exp2;             /* of sums, */
  long long unit_exp2;        /* of the permanent, over scaled minors */
  double largest;             /* modulus of what was written */
  double entry[PERM_MAX_N][PERM_MAX_N][2]; /* not scaled; last: not cleared */
} permi_minors;

/* Values and sums of |terms| by row. Chunks are added exactly: threads change nothing. */
typedef struct permi_minors_total {
  permi_dd *value;
  long long *exp2;
  double *absolute;
  int count; /* of values */
} permi_minors_total;

static double permi_minors_scaled(const permi_minors *minors, int turned, int i, int j, int part)
{
  const double x = turned ? minors->entry[j][i][part] : minors->entry[i][j][part];
  return permi_shift(x, minors->exp2[turned][i] + minors->exp2[!turned][j]);
}

static int permi_minors_exponent(const permi_minors *minors, int turned, int i, int j, int part)
{
  const double x = turned ? minors->entry[j][i][part] : minors->entry[i][j][part];
  return x != 0 ? permi_exponent(x) + minors->exp2[turned][i] + minors->exp2[!turned][j] : INT_MIN;
}

/* Negative: not wanted. */
static int permi_minors_place(const permi_minors *minors, int turned, int i, int j)
{
  return ((turned ? j : i) - minors->least) * minors->lines[1] + (turned ? i : j);
}

static int permi_minors_most(const permi_minors *minors, int side, int i, int others)
{
  int j, part, most = INT_MIN;
  for (j = 0; j < others; j++)
    for (part = 0; part < minors->parts; part++) {
      const int e = permi_minors_exponent(minors, side, i, j, part);
      most = e > most ? e : most;
    }
  return most;
}

/* Brings rows' sums to at most 1; sets lossy and unit_exp2. */
static void permi_minors_scale_rows(permi_minors *minors)
{
  int side, i, j, part;
  minors->lossy = 0;
  for (i = 0; i < minors->lines[0]; i++) {
    const int most = permi_minors_most(minors, 0, i, minors->lines[1]);
    double sum = 0;
    if (most == INT_MIN)
      continue;
    minors->exp2[0][i] -= most;
    for (j = 0; j < minors->lines[1]; j++)
      for (part = 0; part < minors->parts; part++)
        sum += minors->count[1][j] * fabs(permi_minors_scaled(minors, 0, i, j, part));
    minors->exp2[0][i] -= permi_log2_ceiling(sum * (1 + 1e-12));
    for (j = 0; j < minors->lines[1]; j++)
      for (part = 0; part < minors->parts; part++) {
        const int e = permi_minors_exponent(minors, 0, i, j, part);
        minors->lossy |= e > INT_MIN && e < DBL_MIN_EXP;
      }
  }
  for (side = 0; side < 2; side++)
    for (i = 0; i < minors->lines[side]; i++)
      minors->unit_exp2 -= (long long)minors->count[side][i] * minors->exp2[side][i];
}

/* Writes out copies, too. */
static void permi_minors_write_out(const permi_minors *minors, int turned, double *full)
{
  int i, j, copy, k, part;
  for (i = 0; i < minors->lines[turned]; i++)
    for (copy = 0; copy < minors->count[turned][i]; copy++)
      for (j = 0; j < minors->lines[!turned]; j++)
        for (k = 0; k < minors->count[!turned][j]; k++)
          for (part = 0; part < minors->parts; part++)
            *full++ = permi_minors_scaled(minors, turned, i, j, part);
}

/* Scales columns as >>scale does, unless that drops entries which minors need, else largest entries to about 1; then
   rows. Returns 0 if all that is wanted is 0. full: room for PERM_MAX_N rows, or NULL. */
static int permi_minors_scale(permi_minors *minors, double *full)
{
  const int one_row = minors->least == minors->lines[0] - 1, n = minors->total;
  permi_dense_plan plan;
  int side, i, j, first, useful = full != NULL;
  if (full) {
    const permi_view view = permi_view_of(full, n, minors->parts, NULL);
    permi_minors_write_out(minors, 0, full);
    for (j = 0; one_row && j < n * minors->parts; j++)
      full[(size_t)(n - 1) * (size_t)(n * minors->parts) + (size_t)j] = 1;
    memset(&plan, 0, sizeof plan);
    plan.n = n;
    permi_plan_scale(&plan, &view, (int (*)[PERM_MAX_N])(void *)(full + n * n * view.parts));
    if (plan.zero && (one_row || minors->drops))
      return 0;
    useful = !plan.zero;
    for (i = 0; i < n && !one_row && !minors->drops && useful; i++)
      for (j = 0; j < n * view.parts; j++) {
        const double x = permi_at(&view, i, j / view.parts, j % view.parts);
        useful &= x == 0 || permi_exponent(x) + plan.row_exp2[i] + plan.column_exp2[j / view.parts] >= DBL_MIN_EXP;
      }
    for (j = 0, first = 0; j < minors->lines[1] && useful; first += minors->count[1][j++])
      for (i = 1; i < minors->count[1][j]; i++) /* copies must be scaled alike */
        useful &= plan.column_exp2[first + i] == plan.column_exp2[first];
  }
  for (side = 0; side < 2; side++)
    for (i = 0; i < minors->lines[side]; i++) {
      const int most = permi_minors_most(minors, side, i, minors->lines[!side] - (side && one_row));
      minors->exp2[side][i] = most > INT_MIN ? -most : 0;
    }
  for (j = 0, first = 0; j < minors->lines[1] && useful; first += minors->count[1][j++])
    minors->exp2[1][j] = plan.column_exp2[first];
  permi_minors_scale_rows(minors);
  return 1;
}

static void permi_dd_complex_add(permi_dd_complex *a, permi_dd_complex b, int parts)
{
  a->re = permi_dd_add(a->re, b.re);
  if (parts == 2)
    a->im = permi_dd_add(a->im, b.im);
}

static permi_dd permi_dd_times_double(permi_dd a, double b)
{
  return permi_dd_multiply(a, permi_dd_make(b));
}

static permi_dd_complex permi_dd_complex_by(permi_dd_complex a, double b, int parts)
{
  a.re = permi_dd_times_double(a.re, b);
  if (parts == 2)
    a.im = permi_dd_times_double(a.im, b);
  return a;
}

static permi_dd permi_dd_divide_double(permi_dd a, double b)
{
  const double quotient = a.hi / b;
  const permi_dd rest = permi_dd_add(a, permi_dd_times_double(permi_dd_make(quotient), -b));
  return permi_two_sum(quotient, rest.hi / b);
}

/* Level 0 is one term. */
typedef struct permi_terms {
  const int *row_count, *column_count;
  int rows, columns, least, parts;
  permi_dd_complex *twice;      /* [column][row]: 2 a */
  permi_dd_complex *row_sum;    /* [level][row] */
  permi_dd_complex *sum;        /* [level][row]: of P over columns below */
  permi_dd_complex *difference; /* [column][row]: of d_j P */
  permi_dd_complex *front;
  double *absolute; /* [row] */
} permi_terms;

static size_t permi_terms_doubles(int rows, int columns)
{
  return (size_t)(4 * columns + 3) * (size_t)rows * 4 + (size_t)(rows + 1) * 5 + 8;
}

/* Sets sum[0] = weight P_i. */
static void permi_terms_leaf(const permi_terms *terms, permi_dd weight)
{
  const int parts = terms->parts, rows = terms->rows;
  permi_dd_complex back;
  int i, k;
  memset(&back, 0, sizeof back);
  terms->front[0] = back;
  terms->front[0].re = weight;
  back.re = permi_dd_make(1);
  for (i = 0; i + 1 < rows; i++) {
    terms->front[i + 1] = terms->front[i];
    for (k = 0; k < terms->row_count[i]; k++)
      terms->front[i + 1] = permi_dd_complex_times(terms->front[i + 1], terms->row_sum[i], parts);
  }
  for (i = rows - 1; i >= terms->least; i--) {
    permi_dd_complex *p = &terms->sum[i];
    for (k = 1; k < terms->row_count[i]; k++)
      back = permi_dd_complex_times(back, terms->row_sum[i], parts);
    *p = permi_dd_complex_times(terms->front[i], back, parts);
    terms->absolute[i] += permi_modulus(p->re.hi, p->im.hi);
    back = permi_dd_complex_times(back, terms->row_sum[i], parts);
  }
}

/* without[i]: the product of norms except one of row i's copies. Terms round row sums by units of norms, which |terms|
   hide if a row cancels in all. */
static void permi_terms_norms(permi_minors *minors)
{
  const int turned = minors->transposed, *const count = minors->count[turned], rows = minors->lines[turned];
  int i, j, k, part;
  memset(minors->without, 0, sizeof minors->without);
  for (k = 0; k < rows && !minors->in_doubles; k++) {
    double square = 0, all, less;
    for (j = 0; j < minors->lines[!turned]; j++)
      for (part = 0; part < minors->parts; part++) {
        const double x = permi_minors_scaled(minors, turned, k, j, part);
        square += minors->count[!turned][j] * x * x;
      }
    all = pow(square, 0.5 * count[k]);
    less = pow(square, 0.5 * (count[k] - 1));
    for (i = 0; i < rows; i++)
      minors->without[i] = (k ? minors->without[i] : ldexp(1, minors->scale_exp2)) * (i == k ? less : all);
  }
}

/* weight: binomials of the columns from `level` on. */
static void permi_terms_level(const permi_terms *terms, int level, permi_dd weight)
{
  const int rows = terms->rows, parts = terms->parts, j = level - 1, count = level ? terms->column_count[j] : 0;
  permi_dd_complex *sum = terms->sum + level * rows, *row_sum = terms->row_sum + (level ? j : 0) * rows;
  permi_dd binomial = weight;
  int i, v;
  if (!level) {
    permi_terms_leaf(terms, weight);
    return;
  }
  memset(sum, 0, (size_t)rows * sizeof *sum);
  for (v = 0; v <= count; v++) {
    const permi_dd_complex *one = terms->sum + j * rows;
    permi_dd_complex *difference = terms->difference + j * rows;
    for (i = 0; i < rows; i++) {
      row_sum[i] = terms->row_sum[level * rows + i];
      permi_dd_complex_add(&row_sum[i], permi_dd_complex_by(terms->twice[j * rows + i], -v, parts), parts);
    }
    permi_terms_level(terms, j, binomial);
    for (i = terms->least; i < rows; i++) {
      permi_dd_complex_add(&sum[i], one[i], parts);
      permi_dd_complex_add(&difference[i], permi_dd_complex_by(one[i], count - 2 * v, parts), parts);
    }
    /* C(c, v + 1) = C(c, v) (c - v) / (v + 1), negated */
    binomial = permi_dd_divide_double(permi_dd_times_double(binomial, -(double)(count - v)), v + 1);
  }
}

#define PERMI_TERMS_EXP2 900 /* from 2^900 terms may lose 2^1900 */

static void permi_terms_chunk(const permi_minors *minors, uint64_t chunk, double *work, permi_minors_total *out)
{
  const int parts = minors->parts, turned = minors->transposed, rows = minors->lines[turned];
  const int columns = minors->lines[!turned], inner = minors->inner;
  permi_dd_complex *const room = (permi_dd_complex *)(void *)work, *const behind = room + (4 * columns + 3) * rows + 1;
  const permi_terms terms = {minors->count[turned], minors->count[!turned], rows, columns, turned ? 0 : minors->least,
                             parts, room, room + columns * rows, room + (2 * columns + 1) * rows,
                             room + (3 * columns + 2) * rows, room + (4 * columns + 2) * rows,
                             (double *)(void *)behind};
  permi_dd weight = permi_dd_make(ldexp(1, PERMI_TERMS_EXP2 - minors->total));
  int factor[PERM_MAX_N], i, j, v, part;
  uint64_t rest = chunk;
  memset(work, 0, permi_terms_doubles(rows, columns) * sizeof *work);
  for (j = columns - 1; j >= 0; j--) {
    const int count = terms.column_count[j], half = j == columns - 1; /* half the last one, by symmetry */
    const uint64_t range = (uint64_t)(half ? count / 2 : count) + 1;
    const int digit = j < inner ? 0 : (int)(rest % range);
    factor[j] = count - 2 * digit;
    if (j < inner)
      continue;
    rest /= range;
    for (v = 0; v < digit; v++) { /* exact up to 2^106 */
      weight = permi_dd_times_double(weight, -(double)(count - v));
      weight = permi_dd_divide_double(weight, v + 1);
    }
    if (half && factor[j] > 0)
      weight = permi_dd_add(weight, weight);
  }
  for (i = 0; i < rows; i++)
    for (j = 0; j < columns; j++)
      for (part = 0; part < parts; part++) {
        const permi_dd x = permi_dd_make(permi_minors_scaled(minors, turned, i, j, part));
        permi_dd_complex *to = &terms.row_sum[inner * rows + i], *twice = &terms.twice[j * rows + i];
        permi_dd *sum = part ? &to->im : &to->re;
        *(part ? &twice->im : &twice->re) = permi_dd_scale(x, 1);
        *sum = permi_dd_add(*sum, permi_dd_times_double(x, factor[j]));
      }
  permi_terms_level(&terms, inner, weight);
  for (i = terms.least; i < rows; i++)
    for (j = turned ? minors->least : 0; j < columns; j++) {
      const permi_dd_complex d = j < inner ? terms.difference[j * rows + i]
                                           : permi_dd_complex_by(terms.sum[inner * rows + i], factor[j], parts);
      const int place = permi_minors_place(minors, turned, i, j), row = place / minors->lines[1];
      for (part = 0; part < parts; part++)
        out->value[place * parts + part] = permi_dd_divide_double(part ? d.im : d.re, terms.column_count[j]);
      out->absolute[row] = fmax(out->absolute[row], terms.absolute[i]);
    }
}

/* Minors of non-negative matrices without cancellation, by a dynamic program: v_i = 0..r_i of the r_i copies of row i
   are used, columns with copies are places, and |v| is the next.
       before[v]          permanent of v's rows and the first |v| places: sum_i v_i a_ip before[v - e_i], p = |v|
       after[v]           d per / d before[v]: after[v - e_i] sums v_i a_ip after[v]
       d per / d a_ip     sum over |v| = p of v_i after[v] before[v - e_i]: r_i times the minor
   or the same of the transpose, if that has fewer states.
   THE BOUND. 1. Rows' sums are at most 1, so before[v] <= 1, and after[v] <= prod C(r_i, v_i) <= 2^N, N places. 2. All
   signs are +. A place rounds a number rows + 1 times at most, the last product twice, a sum of PERMI_PLACING_APART
   states so often; then double-doubles add. So a minor errs by (N (rows + 2) + PERMI_PLACING_APART + 8) u of itself, to
   a thousandth. 3. Tables begin at 2^500 and 2^(500 - N). What falls below 2^-1022 loses less, times 256 2^500 in a
   derivative: less than 2^-498 states rows in all. */
#define PERMI_PLACING_EXP2 1000
#define PERMI_PLACING_APART 256
#define PERMI_PLACING_BYTES 1e9 /* chosen: of both tables */

typedef struct permi_placing {
  int rows, places;
  const int *count;
  double *entry, *recent; /* [place][row]; recent: derivatives of the last states */
  permi_dd *derivative;   /* in units of 2^(N - PERMI_PLACING_EXP2) */
} permi_placing;

static void permi_placing_gather(permi_placing *of)
{
  int k;
  for (k = 0; k < of->rows * of->places; k++) {
    of->derivative[k] = permi_dd_add(of->derivative[k], permi_dd_make(of->recent[k]));
    of->recent[k] = 0;
  }
}

static perm_status permi_placing_sum(permi_placing *of, size_t states, double *before, double *after, double seconds,
                                    permi_control *control)
{
  const int rows = of->rows, *count = of->count;
  size_t stride[PERM_MAX_N], s;
  double v[PERM_MAX_N];
  uint64_t some = 0, left; /* rows of which v is not 0 */
  perm_status status = PERM_OK;
  int i, used = 0;
  for (i = 0; i < rows; i++) {
    stride[i] = i ? stride[i - 1] * (size_t)(count[i - 1] + 1) : 1;
    v[i] = 0;
  }
  before[0] = ldexp(1, PERMI_PLACING_EXP2 / 2);
  for (s = 1; s < states && status == PERM_OK; s++) {
    const double *a;
    double sum = 0;
    for (i = 0; v[i] == count[i]; i++) {
      used -= count[i];
      v[i] = 0;
    }
    v[i]++;
    some = (some >> i | 1) << i;
    a = of->entry + used++ * rows;
    for (left = some; left; left &= left - 1) {
      i = permi_trailing_zeros(left);
      sum += v[i] * a[i] * before[s - stride[i]];
    }
    before[s] = sum;
    if (!(s & 0xffff))
      status = permi_control_poll(control, seconds * (double)s / (3.0 * (double)states), "subsets");
  }
  after[states - 1] = ldexp(1, PERMI_PLACING_EXP2 / 2 - of->places);
  for (s = states - 1; s > 0 && status == PERM_OK; s--) {
    const double *a = of->entry + --used * rows;
    double *sum = of->recent + used * rows;
    for (left = after[s] > 0 ? some : 0; left; left &= left - 1) {
      double weight;
      i = permi_trailing_zeros(left);
      weight = v[i] * after[s];
      sum[i] += weight * before[s - stride[i]];
      after[s - stride[i]] += weight * a[i];
    }
    for (i = 0; v[i] == 0; i++) {
      v[i] = count[i];
      used += count[i];
    }
    v[i]--;
    some = v[i] > 0 ? some | ((UINT64_C(1) << i) - 1) : some - 1;
    if (!(s % PERMI_PLACING_APART))
      permi_placing_gather(of);
    if (!(s & 0xffff))
      status = permi_control_poll(control, seconds * (1 - (double)s / (1.5 * (double)states)), "subsets");
  }
  permi_placing_gather(of);
  return status;
}

static double permi_placing_states(const permi_minors *minors, int turned)
{
  double states = 1;
  int i;
  for (i = 0; i < minors->lines[turned]; i++)
    states *= minors->count[turned][i] + 1;
  return states;
}

static void permi_minors_plan_subsets(permi_minors *minors, const perm_options *options)
{
  const double states[2] = {permi_placing_states(minors, 0), permi_placing_states(minors, 1)};
  const int turned = states[1] * minors->lines[1] < states[0] * minors->lines[0], rows = minors->lines[turned];
  const double bytes = options->max_bytes > 0 ? fmin(PERMI_PLACING_BYTES, options->max_bytes / 2) : PERMI_PLACING_BYTES;
  const double seconds = PERMI_TERMS_SECONDS / 10 * states[turned] * rows;
  int i, j;
  if (minors->parts == 2 || 16 * states[turned] > bytes || seconds >= minors->seconds)
    return;
  for (i = 0; i < minors->lines[0]; i++)
    for (j = 0; j < minors->lines[1]; j++)
      if (minors->entry[i][j][0] < 0)
        return;
  minors->subsets = 1;
  minors->transposed = turned;
  minors->terms = states[turned];
  minors->seconds = seconds;
  minors->chunks = 1;
  minors->scale_exp2 = PERMI_PLACING_EXP2 - minors->total;
  minors->estimate_relative = 1.001 * PERMI_UNIT * (minors->total * (rows + 2) + PERMI_PLACING_APART + 8);
  minors->lost = ldexp(minors->terms * rows, 2 - PERMI_PLACING_EXP2 / 2);
}

static perm_status permi_minors_subsets(const permi_minors *minors, const perm_options *options,
                                        permi_control *control, permi_minors_total *total)
{
  const int turned = minors->transposed, rows = minors->lines[turned], places = minors->total;
  const int lines = minors->lines[!turned], *copies = minors->count[!turned];
  const size_t many = (size_t)rows * (size_t)places, states = (size_t)minors->terms;
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_dd *derivative = (permi_dd *)permi_pool_zeros(&pool, many, sizeof *derivative);
  double *entry = (double *)permi_pool_zeros(&pool, 2 * many, sizeof *entry);
  double *table = (double *)permi_pool_get(&pool, 2 * states, sizeof *table);
  permi_placing of = {rows, places, minors->count[turned], entry, entry, derivative};
  perm_status status = PERM_ERROR_MEMORY;
  int line, copy, i, p;
  if (!pool.failed) {
    of.recent += many;
    for (line = p = 0; line < lines; line++)
      for (copy = 0; copy < copies[line]; copy++, p++)
        for (i = 0; i < rows; i++)
          entry[p * rows + i] = permi_minors_scaled(minors, turned, i, line, 0);
    status = permi_copy(control, table + states, NULL, states * sizeof *table)
                 ? permi_placing_sum(&of, states, table, table + states, minors->seconds, control)
                 : control->stopped;
    memset(total->exp2, 0, (size_t)total->count * sizeof *total->exp2);
    memset(total->absolute, 0, (size_t)(minors->lines[0] - minors->least) * sizeof *total->absolute);
    for (line = p = 0; line < lines; p += copies[line++])
      for (i = 0; i < rows; i++) {
        const int place = permi_minors_place(minors, turned, i, line);
        const permi_dd minor = permi_dd_divide_double(derivative[p * rows + i], of.count[i]);
        const int row = place / minors->lines[1];
        if (place < 0)
          continue;
        total->value[place] = minor;
        total->absolute[row] = fmax(total->absolute[row], minor.hi);
      }
  }
  permi_pool_release(&pool);
  return status;
}
#endif
/* SPDX-License-Identifier: MIT */
