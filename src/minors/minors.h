/* ========================================================================================= >>minors
   Permanents without one row and one column: by kernels that write copies out (>>minors_dense), of non-negative
   matrices by a dynamic program, else, and in double-double, each as a permanent of its own. */
#pragma once
#include "../dense/plan.h"
#include "../job/control.h"
#include "../plan/compute.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_MINORS_TOTAL 256 /* products of binomials stay below 2^256 */

typedef struct permi_minors {
  int parts, lines[2]; /* distinct; a wanted row is last */
  int least;           /* the first wanted row */
  int total;           /* of copies */
  int count[2][PERM_MAX_N], origin[2][PERM_MAX_N], exp2[2][PERM_MAX_N]; /* of rows and columns */
  int lossy, drops;   /* drops: entries on no transversal */
  double below, lost; /* by the grid; by underflow, times 2^scale_exp2 */
  const permi_minors_kernel *kernel; /* or NULL */
  permi_minors_sum sum;
  int subsets, in_doubles; /* in_doubles: not permanents of their own */
  int transposed;          /* for subsets */
  uint64_t chunks;
  double terms, seconds;
  double estimate_relative;   /* to the sum of |terms|, or to the largest error */
  int scale_exp2;             /* of sums, */
  long long unit_exp2;        /* of the permanent, over scaled minors */
  double largest;             /* modulus of what was written */
  double entry[PERM_MAX_N][PERM_MAX_N][2]; /* not scaled; last: not cleared */
} permi_minors;

/* absolute: by row, sums of |terms| or the largest error, times 2^absolute_exp2. */
typedef struct permi_minors_total {
  permi_dd *value;
  long long *exp2;
  double *absolute;
  long long absolute_exp2[PERM_MAX_N];
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

/* Returns a minor's place, negative if it is not wanted. */
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

/* Scales rows to sums of at most 1; sets lossy and unit_exp2. */
static void permi_minors_scale_rows(permi_minors *minors)
{
  minors->lossy = 0;
  for (int i = 0; i < minors->lines[0]; i++) {
    const int most = permi_minors_most(minors, 0, i, minors->lines[1]);
    double sum = 0;
    if (most == INT_MIN)
      continue;
    minors->exp2[0][i] -= most;
    for (int j = 0; j < minors->lines[1]; j++)
      for (int part = 0; part < minors->parts; part++)
        sum += minors->count[1][j] * fabs(permi_minors_scaled(minors, 0, i, j, part));
    minors->exp2[0][i] -= permi_log2_ceiling(sum * (1 + 1e-12));
    for (int j = 0; j < minors->lines[1]; j++)
      for (int part = 0; part < minors->parts; part++) {
        const int e = permi_minors_exponent(minors, 0, i, j, part);
        minors->lossy |= e > INT_MIN && e < DBL_MIN_EXP;
      }
  }
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < minors->lines[side]; i++)
      minors->unit_exp2 -= (long long)minors->count[side][i] * minors->exp2[side][i];
}

static void permi_minors_write_out(const permi_minors *minors, int turned, double *full)
{
  for (int i = 0; i < minors->lines[turned]; i++)
    for (int copy = 0; copy < minors->count[turned][i]; copy++)
      for (int j = 0; j < minors->lines[!turned]; j++)
        for (int k = 0; k < minors->count[!turned][j]; k++)
          for (int part = 0; part < minors->parts; part++)
            *full++ = permi_minors_scaled(minors, turned, i, j, part);
}

/* Scales columns as >>scale unless that drops entries that minors need, else to largest entries of about 1; then rows.
   Returns 0 if all that is wanted is 0. full: room for PERM_MAX_N rows, or NULL. */
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

static permi_dd permi_dd_divide_double(permi_dd a, double b)
{
  const double quotient = a.hi / b;
  const permi_dd rest = permi_dd_add(a, permi_dd_multiply(permi_dd_make(quotient), permi_dd_make(-b)));
  return permi_two_sum(quotient, rest.hi / b);
}

/* Permanents inside a call report to its control by this. */
typedef struct permi_inner {
  permi_control *control;
  double before, each; /* of the call's predicted work */
} permi_inner;

static int permi_inner_progress(const perm_progress *progress, void *user_data)
{
  const permi_inner *inner = (const permi_inner *)user_data;
  inner->control->stopped =
      permi_control_poll(inner->control, inner->before + inner->each * progress->fraction, progress->activity);
  return inner->control->stopped != PERM_OK;
}

static double permi_minors_terms(const permi_minors *minors, int side, int half)
{
  const int *count = minors->count[side], last = minors->lines[side] - 1;
  double terms = (half ? count[last] / 2 : count[last]) + 1;
  for (int j = 0; j < last; j++)
    terms *= count[j] + 1;
  return terms;
}

static void permi_minors_plan_permanents(permi_minors *minors)
{
  const int copies = minors->total > minors->lines[0] || minors->total > minors->lines[1];
  const double each = copies ? permi_seconds_form_dd[minors->parts - 1] : PERMI_MINORS_DD_SECONDS * minors->parts;
  minors->kernel = NULL;
  minors->subsets = 0;
  minors->terms = fmin(permi_minors_terms(minors, 0, 1), permi_minors_terms(minors, 1, 1));
  minors->seconds = each * minors->terms * minors->total * (minors->lines[0] - minors->least) * minors->lines[1];
  minors->chunks = 1;
  minors->scale_exp2 = 0;
  minors->estimate_relative = 1;
}

/* Minor (i, j) in double-double. */
static perm_status permi_minors_permanent(const permi_minors *minors, int i, int j, const perm_options *options,
                                          double *entry, permi_minors_total *total, perm_result *result)
{
  const int parts = minors->parts, row = i - minors->least, place = row * minors->lines[1] + j;
  const long long unit = minors->unit_exp2 + minors->exp2[0][i] + minors->exp2[1][j];
  int line[2][PERM_MAX_N], count[2][PERM_MAX_N], kept[2], side, k, r, s, part, e, copies = 0;
  perm_options own = *options;
  double *to = entry;
  for (side = 0; side < 2; side++)
    for (k = kept[side] = 0; k < minors->lines[side]; k++) {
      const int left = minors->count[side][k] - (k == (side ? j : i));
      copies |= left > 1;
      if (left) {
        line[side][kept[side]] = k;
        count[side][kept[side]++] = left;
      }
    }
  for (r = 0; r < kept[0]; r++)
    for (s = 0; s < kept[1]; s++)
      for (part = 0; part < parts; part++)
        *to++ = minors->entry[line[0][r]][line[1][s]][part];
  own.method = options->method != PERM_METHOD_GLYNN ? PERM_METHOD_AUTO
               : copies                             ? PERM_METHOD_MULTIPLICITIES
                                                    : PERM_METHOD_GLYNN;
  const permi_problem problem = permi_problem_make(kept[0], kept[1], entry, NULL, kept[1], permi_reach_of(parts),
                                                   copies ? count[0] : NULL, copies ? count[1] : NULL);
  permi_compute(&problem, copies ? PERMI_WITH_COUNTS : PERMI_AS_IT_STANDS, 7, &own, result);
  for (part = 0; part < parts; part++) { /* times copies it may leave double's range */
    total->value[place * parts + part] = permi_dd_make(frexp(part ? result->imaginary : result->value, &e));
    total->exp2[place * parts + part] = result->exp2 - unit + e;
  }
  if (result->error_estimate > permi_ldexp(total->absolute[row], total->absolute_exp2[row] - result->exp2 + unit)) {
    total->absolute[row] = result->error_estimate;
    total->absolute_exp2[row] = result->exp2 - unit;
  }
  return result->status;
}

PERMI_NEVER_INLINE static perm_status permi_minors_permanents(permi_minors *minors, const perm_options *options,
                                                              permi_control *control, permi_minors_total *total,
                                                              perm_result *result)
{
  const int rows = minors->lines[0] - minors->least, columns = minors->lines[1];
  perm_options own = *options;
  permi_inner inner = {control, 0, minors->seconds / (rows * columns)};
  double *entry = (double *)permi_allocate(&options->allocator, sizeof minors->entry, 1);
  perm_result one;
  perm_status status = entry ? PERM_OK : PERM_ERROR_MEMORY;
  own.precision = PERM_PRECISION_DD;
  own.tolerance = own.max_seconds = 0;
  own.gpu.devices = 0;
  own.isa = options->isa == PERM_ISA_CUDA ? PERM_ISA_AUTO : options->isa;
  own.progress = permi_inner_progress;
  own.user_data = &inner;
  minors->terms = 0;
  result->precision = PERM_PRECISION_DD;
  for (int k = 0; k < rows * columns && status == PERM_OK; k++) {
    inner.before = k * inner.each;
    status = permi_minors_permanent(minors, minors->least + k / columns, k % columns, &own, entry, total, &one);
    minors->terms += one.terms;
    result->method = one.method;
    result->isa = one.isa;
    result->threads = one.threads > result->threads ? one.threads : result->threads;
    if (status < 0)
      memcpy(control->message, one.message, sizeof control->message);
    else if (status > 0 && control->stopped != PERM_OK)
      status = control->stopped;
    else if (status == PERM_OK)
      status = permi_control_poll(control, inner.before + inner.each, "summing");
  }
  permi_release(&options->allocator, entry);
  return status;
}

/* Minors of non-negative matrices by a dynamic program: v_i = 0..r_i of the r_i copies of row i are used, columns with
   copies are places, and |v| is the next.
       before[v]          permanent of v's rows and the first |v| places: sum_i v_i a_ip before[v - e_i], p = |v|
       after[v]           d per / d before[v]: after[v - e_i] sums v_i a_ip after[v]
       d per / d a_ip     sum over |v| = p of v_i after[v] before[v - e_i]: r_i times the minor
   THE BOUND: a minor errs by (N (rows + 2) + PERMI_PLACING_APART + 8) u of itself, N places, to a thousandth;
   underflow loses less than 2^-498 states rows. */
#define PERMI_PLACING_EXP2 1000
#define PERMI_PLACING_APART 256
#define PERMI_PLACING_BYTES 1e9 /* chosen: of both tables */

typedef struct permi_placing {
  int rows, places;
  const int *count;
  double *entry, *recent; /* [place][row]; recent: last derivatives */
  permi_dd *derivative;   /* in units of 2^(N - PERMI_PLACING_EXP2) */
} permi_placing;

static void permi_placing_gather(permi_placing *of)
{
  for (int k = 0; k < of->rows * of->places; k++) {
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
    double sum = 0;
    for (i = 0; v[i] == count[i]; i++) {
      used -= count[i];
      v[i] = 0;
    }
    v[i]++;
    some = (some >> i | 1) << i;
    const double *a = of->entry + used++ * rows;
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
      i = permi_trailing_zeros(left);
      const double weight = v[i] * after[s];
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

static void permi_minors_plan_subsets(permi_minors *minors, const perm_options *options)
{
  const double states[2] = {permi_minors_terms(minors, 0, 0), permi_minors_terms(minors, 1, 0)};
  const int turned = states[1] * minors->lines[1] < states[0] * minors->lines[0], rows = minors->lines[turned];
  const double bytes = options->max_bytes > 0 ? fmin(PERMI_PLACING_BYTES, options->max_bytes / 2) : PERMI_PLACING_BYTES;
  const double seconds = PERMI_TERMS_SECONDS / 10 * states[turned] * rows;
  if (minors->parts == 2 || 16 * states[turned] > bytes || seconds >= minors->seconds)
    return;
  for (int i = 0; i < minors->lines[0]; i++)
    for (int j = 0; j < minors->lines[1]; j++)
      if (minors->entry[i][j][0] < 0)
        return;
  minors->subsets = 1;
  minors->transposed = turned;
  minors->terms = states[turned];
  minors->seconds = seconds;
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
  if (!pool.failed) {
    of.recent += many;
    for (int line = 0, p = 0; line < lines; line++)
      for (int copy = 0; copy < copies[line]; copy++, p++)
        for (int i = 0; i < rows; i++)
          entry[p * rows + i] = permi_minors_scaled(minors, turned, i, line, 0);
    status = permi_copy(control, table + states, NULL, states * sizeof *table)
                 ? permi_placing_sum(&of, states, table, table + states, minors->seconds, control)
                 : control->stopped;
    memset(total->exp2, 0, (size_t)total->count * sizeof *total->exp2);
    for (int line = 0, p = 0; line < lines; p += copies[line++])
      for (int i = 0; i < rows; i++) {
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
