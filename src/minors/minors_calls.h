/* =================================================================================== >>minors_calls */
#pragma once
#include "../plan/check.h"
#include "minors_dense.h"

#if !defined(PERM_NO_EXTRAS)
/* Times 2^absolute_exp2. */
static double permi_minors_lost(const permi_minors *minors, const permi_minors_total *total, int i)
{
  return (minors->estimate_relative + 2 * minors->below) * total->absolute[i - minors->least] +
         (minors->subsets ? minors->lost : 0) +
         (minors->lossy && minors->in_doubles ? ldexp(DBL_MIN, minors->scale_exp2) : 0);
}

/* Rounding of minors that are 0 in truth leaves doubles' range. */
static permi_number permi_minors_value(const permi_minors *minors, const permi_minors_total *total)
{
  const int parts = minors->parts, row = minors->lines[0] - 1;
  permi_number sum, x, y;
  memset(&sum, 0, sizeof sum);
  for (int j = 0; j < minors->lines[1]; j++) {
    const int re = permi_minors_place(minors, 0, row, j) * parts, im = re + parts - 1;
    memset(&x, 0, sizeof x);
    memset(&y, 0, sizeof y);
    y.exp2 = total->exp2[re] > total->exp2[im] ? total->exp2[re] : total->exp2[im];
    for (int part = 0; part < parts; part++) {
      (part ? &x.imaginary : &x.value)->hi = minors->entry[row][j][part];
      *(part ? &y.imaginary : &y.value) =
          permi_dd_scale(total->value[re + part], permi_int_exponent(total->exp2[re + part] - y.exp2));
    }
    permi_number_multiply(&x, &y);
    if (x.value.hi == 0 && x.imaginary.hi == 0)
      continue;
    x.exp2 += minors->exp2[0][row] + minors->exp2[1][j];
    if (sum.value.hi == 0 && sum.imaginary.hi == 0)
      sum.exp2 = x.exp2;
    permi_number_raise(x.exp2 > sum.exp2 ? &sum : &x, llabs(x.exp2 - sum.exp2));
    sum.value = permi_dd_add(sum.value, permi_dd_multiply(x.value, permi_dd_make(minors->count[1][j])));
    sum.imaginary = permi_dd_add(sum.imaginary, permi_dd_multiply(x.imaginary, permi_dd_make(minors->count[1][j])));
  }
  permi_number_normalise(&sum);
  return sum;
}

static void permi_minors_marginals(const permi_minors_call *call, permi_minors *minors,
                                   const permi_minors_total *total, perm_result *result)
{
  const int rows = minors->lines[0], columns = minors->lines[1];
  int spare = 1, i, j, k; /* lines of ones */
  double error = result->value = result->error_estimate = 0;
  permi_number whole = permi_minors_value(minors, total);
  const long long unit = whole.exp2;
  const double value = whole.value.hi;
  if (!(value > 0))
    return;
  const double of_value =
      permi_ldexp(permi_minors_lost(minors, total, rows - 1), total->absolute_exp2[rows - 1] - unit) / value +
      columns * PERMI_UNIT;
  for (i = k = 0; i < rows; i++)
    for (j = 0; j < columns; j++, k++) {
      const int row = minors->origin[0][i], column = minors->origin[1][j];
      const double weight = (double)minors->count[0][i] * minors->count[1][j] * permi_minors_scaled(minors, 0, i, j, 0);
      const double made = weight * permi_ldexp(total->value[k].hi, total->exp2[k] - unit) / value;
      const double most = fmin(minors->count[0][i], minors->count[1][j]);
      const double x = made <= 2 * most ? (made < 0 ? 0 : made) + 0 : most;
      if (row == call->m || column == call->n) {
        spare = row == call->m ? minors->count[0][i] : minors->count[1][j];
        continue;
      }
      call->out[row * call->n + column] = x;
      minors->largest = fmax(minors->largest, x);
      const double lost = permi_ldexp(permi_minors_lost(minors, total, i), total->absolute_exp2[i] - unit);
      error = fmax(error, fmin(weight * lost / value + x * (of_value + 8 * PERMI_UNIT), most));
    }
  for (k = 2; k <= spare; k++) { /* they are not told apart */
    whole.value.hi /= k;
    permi_number_normalise(&whole);
  }
  whole.value.lo = 0;
  whole.exp2 += minors->unit_exp2 - minors->scale_exp2;
  permi_number_result(&whole, result);
  result->error_estimate = minors->below > PERMI_NO_MEASURE ? (double)INFINITY : 1.001 * error;
}

/* Returns one exponent for permanent (normalised) and derivatives, whose own are least to most (LLONG_MIN: all 0): 0
   if no double is then small. */
static long long permi_minors_common(const permi_number *permanent, long long most, long long least)
{
  const int some = permanent->value.hi != 0 || permanent->imaginary.hi != 0;
  const long long whole = some ? permanent->exp2 : most;
  if (some) { /* stays a double */
    most = most == LLONG_MIN || whole - 1000 > most ? whole - 1000 : most;
    least = whole < least ? whole : least;
  }
  if (most == LLONG_MIN || (most < 1000 && least > -1000 && whole < 1000))
    most = 0;
  return !some || whole >= most - 1000 ? most : whole > most - 2000 ? whole + 1000 : most - 1000;
}

static void permi_minors_output(const permi_minors_call *call, permi_minors *minors, permi_minors_total *total,
                                perm_result *result)
{
  const int parts = minors->parts, columns = minors->lines[1], rows = minors->lines[0], gradient = call->gradient;
  const long long unit_exp2 = minors->unit_exp2 - minors->scale_exp2;
  long long most = LLONG_MIN, least = LLONG_MAX, estimate_exp2 = 0;
  double estimate = 0;
  permi_number value = permi_minors_value(minors, total);
  for (int i = minors->least, k = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      const double factor = gradient ? (double)minors->count[0][i] * minors->count[1][j] : 1;
      const long long unit = unit_exp2 + minors->exp2[0][i] + minors->exp2[1][j];
      const double lost = permi_minors_lost(minors, total, i) * factor;
      for (int part = 0; part < parts; part++, k++) {
        total->value[k].hi = (total->value[k].hi + total->value[k].lo) * factor;
        total->exp2[k] += unit;
        if (total->value[k].hi != 0) {
          const long long e = total->exp2[k] + permi_exponent(total->value[k].hi);
          most = e > most ? e : most;
          least = e < least ? e : least;
        }
      }
      const long long lost_exp2 = unit + total->absolute_exp2[i - minors->least];
      if (lost > permi_ldexp(estimate, estimate_exp2 - lost_exp2)) {
        estimate = lost;
        estimate_exp2 = lost_exp2;
      }
    }
  if (estimate != 0 && most == LLONG_MIN)
    most = least = estimate_exp2 + permi_exponent(estimate);
  value.exp2 += unit_exp2;
  const long long common = permi_minors_common(&value, most, least);
  result->exp2 = common;
  permi_number_raise(&value, common - value.exp2);
  result->value = value.value.hi;
  result->imaginary = value.imaginary.hi;
  result->error_estimate = permi_ldexp(estimate, estimate_exp2 - common);
  for (int i = minors->least, k = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      for (int part = 0; part < parts; part++, k++) {
        const double x = permi_ldexp(total->value[k].hi, total->exp2[k] - common);
        call->out[((gradient ? minors->origin[0][i] * call->n : 0) + minors->origin[1][j]) * parts + part] = x;
        minors->largest = fmax(minors->largest, fabs(x));
        if (total->value[k].hi != 0 && fabs(x) < DBL_MIN)
          result->error_estimate += DBL_MIN;
      }
  result->error_estimate += PERMI_UNIT * parts * minors->largest;
  if (minors->below > PERMI_NO_MEASURE)
    result->error_estimate = (double)INFINITY;
}

/* ONE: permanents or subsets. */
typedef enum permi_minors_by { PERMI_MINORS_BY_PERMANENTS, PERMI_MINORS_BY_ONE, PERMI_MINORS_BY_ANY } permi_minors_by;

static void permi_minors_plan_one(permi_minors *minors, const perm_options *options, permi_minors_by by)
{
  permi_minors_plan_permanents(minors);
  if (by != PERMI_MINORS_BY_PERMANENTS && options->method == PERM_METHOD_AUTO)
    permi_minors_plan_subsets(minors, options);
}

/* Returns 1 for GPUs. `full` is room, or NULL. */
static int permi_minors_choose(permi_minors *minors, const perm_options *options, permi_minors_by by, double *full)
{
  permi_minors_plan_one(minors, options, by);
  minors->below = 0;
  if (!full || by != PERMI_MINORS_BY_ANY)
    return 0;
  const double seconds = minors->seconds - (minors->subsets ? 5 * PERMI_STEP_SECONDS : 0);
  if (permi_minors_plan_dense(minors, permi_isa(options), full) && minors->seconds > seconds &&
      options->method != PERM_METHOD_DENSE)
    permi_minors_plan_one(minors, options, by);
  return permi_minors_gpu_takes(minors, options, full);
}

static perm_status permi_minors_run(const permi_minors_call *call, permi_minors *minors, const perm_options *options,
                                    permi_minors_by by, double *full, permi_minors_total *total,
                                    permi_control *control, perm_result *result)
{
  const int on_gpu = permi_minors_choose(minors, options, by, full);
  const int threads =
      on_gpu || minors->seconds < PERMI_PARALLEL_SECONDS || minors->chunks == 1 ? 1 : permi_threads(options);
  if (minors->terms >= 1e18)
    return permi_fail(result, PERM_ERROR_LIMIT, 0, "%.3g terms are too many", minors->terms);
  if (options->max_seconds > 0 && minors->seconds > 100 * options->max_seconds)
    return permi_fail(result, PERM_ERROR_LIMIT, 0, "predicted to take %s, far over max_seconds = %.3g",
                      permi_time_words(minors->seconds).text, options->max_seconds);
  control->work_total = minors->seconds;
  memset(total->absolute, 0, (size_t)(minors->lines[0] - minors->least) * sizeof *total->absolute);
  memset(total->absolute_exp2, 0, sizeof total->absolute_exp2);
  const perm_status status = on_gpu            ? permi_minors_gpu_execute(minors, options, control, total)
                             : minors->subsets ? permi_minors_subsets(minors, options, control, total)
                             : minors->kernel  ? permi_minors_execute(minors, options, control, threads, full, total)
                                               : permi_minors_permanents(minors, options, control, total, result);
  if (status != PERM_OK)
    return permi_fail(result, status, 0, "%s",
                      status > 0            ? permi_early_words(control, status).text
                      : control->message[0] ? control->message
                                            : perm_status_text(status));
  minors->in_doubles = on_gpu || minors->kernel || minors->subsets;
  minors->largest = 0;
  if (call->marginals)
    permi_minors_marginals(call, minors, total, result);
  else
    permi_minors_output(call, minors, total, result);
  result->error_bound = minors->subsets && permi_rounding_is_sound() ? result->error_estimate : (double)INFINITY;
  result->gpus = on_gpu ? control->gpus : 0;
  if (minors->in_doubles) {
    result->method = minors->subsets ? PERM_METHOD_SUBSETS : PERM_METHOD_DENSE;
    result->precision = options->precision;
    result->isa = on_gpu ? PERM_ISA_CUDA : minors->kernel ? minors->kernel->isa : PERM_ISA_PLAIN;
    result->threads = threads;
  }
  result->terms += minors->terms;
  return status;
}

static perm_status permi_minors_check(const permi_minors_call *call, const perm_options *options,
                                      int (*counts)[PERM_MAX_N], int *total, perm_result *result)
{
  const int m = call->m, n = call->n, gradient = call->gradient, arguments = gradient ? 7 : 8;
  const char *refusal = options->certify                             ? "minors have no guaranteed bound (certify)"
                        : options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_DENSE &&
                                options->method != PERM_METHOD_GLYNN ? "minors have methods auto, dense and glynn"
                        : options->precision > PERM_PRECISION_DD
                            ? "minors have precisions default and dd"
                            : NULL;
  perm_status status = permi_check_whole(options, arguments, result);
  if (status == PERM_OK)
    status = permi_check_matrix(m, n, &call->view, result);
  if (status != PERM_OK)
    return status;
  if (!call->out && n > 0 && (m > 0 || !gradient))
    return permi_fail(result, PERM_ERROR_NULL, arguments + 1, "%s is NULL",
                      call->marginals ? "marginals" : gradient ? "gradient" : "minors");
#if defined(PERM_NO_COMPLEX)
  if (call->view.parts == 2)
    refusal = "complex matrices are left out of this build (PERM_NO_COMPLEX)";
#endif
  if (refusal)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, arguments, "options: %s", refusal);
  if (m > PERM_MAX_N || n > PERM_MAX_N) /* an empty side leaves the other unchecked */
    return permi_fail(result, PERM_ERROR_SIZE, m > PERM_MAX_N ? 1 : 2, "the matrix is %d x %d; at most %d", m, n,
                      PERM_MAX_N);
  for (int side = 0; side < 2; side++)
    for (int i = total[side] = 0; i < (side ? n : m); i++) {
      const int copies = call->counts[side] ? call->counts[side][i] : 1;
      if (copies < 0 || copies > 1 << 20)
        return permi_fail(result, PERM_ERROR_COUNTS, 5 + side, "a multiplicity is negative or above a million");
      total[side] += counts[side][i] = copies;
    }
  const int larger = total[0] < total[1];
  if (total[0] != total[1] && !call->marginals)
    return permi_fail(result, PERM_ERROR_COUNTS, 6,
                      "%d rows with their copies, but %d columns: minors are of as many", total[0], total[1]);
  if (total[larger] > PERMI_MINORS_TOTAL)
    return permi_fail(result, PERM_ERROR_SIZE, 5 + larger, "%d %s with their copies; at most %d", total[larger],
                      larger ? "columns" : "rows", PERMI_MINORS_TOTAL);
  if (total[0] != total[1] && (larger ? m : n) == PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 2 - larger, "%d different %s, and some %s left; at most %d",
                      PERM_MAX_N, larger ? "rows" : "columns", larger ? "columns" : "rows", PERM_MAX_N - 1);
  for (int i = 0; call->marginals && i < m; i++)
    for (int j = 0; j < n; j++)
      if (permi_at(&call->view, i, j, 0) < 0)
        return permi_fail(result, PERM_ERROR_UNSUPPORTED, 3, "a has %.17g in row %d, column %d (counted from 1): "
                          "marginals are of weights; derivatives by any entries: perm_gradient_real",
                          permi_at(&call->view, i, j, 0), i + 1, j + 1);
  if (!gradient && (call->row < 0 || call->row >= m || counts[0][call->row] == 0))
    return permi_fail(result, PERM_ERROR_RANGE, 7, "row is %d, of %d rows (counted from 0)%s", call->row, m,
                      call->row < 0 || call->row >= m ? "" : ", and has no copy");
  return PERM_OK;
}

static void permi_minors_take(permi_minors *minors, int side, int line, int count)
{
  if (!count)
    return;
  minors->origin[side][minors->lines[side]] = line;
  minors->count[side][minors->lines[side]++] = count;
}

/* Puts the wanted row last; marginals get ones for missing copies. */
static void permi_minors_gather(const permi_minors_call *call, int (*counts)[PERM_MAX_N], const int *total,
                                permi_minors *minors)
{
  const int m = call->m, n = call->n;
  memset(minors, 0, offsetof(permi_minors, entry));
  minors->parts = call->view.parts;
  minors->total = total[0] > total[1] ? total[0] : total[1];
  minors->drops = call->marginals;
  for (int i = 0; i < m; i++)
    permi_minors_take(minors, 0, i, call->gradient || i != call->row ? counts[0][i] : 0);
  permi_minors_take(minors, 0, call->gradient ? m : call->row,
                    call->gradient ? minors->total - total[0] : counts[0][call->row]);
  for (int j = 0; j < n; j++)
    permi_minors_take(minors, 1, j, counts[1][j]);
  permi_minors_take(minors, 1, n, minors->total - total[1]);
  minors->least = call->gradient ? 0 : minors->lines[0] - 1;
  for (int i = 0; i < minors->lines[0]; i++)
    for (int j = 0; j < minors->lines[1]; j++)
      for (int part = 0; part < minors->parts; part++) {
        const int row = minors->origin[0][i], column = minors->origin[1][j];
        minors->entry[i][j][part] = row == m || column == n ? 1 : permi_at(&call->view, row, column, part);
      }
}

static perm_status permi_minors_solve(const permi_minors_call *call, permi_minors *minors, const perm_options *options,
                                      double *full, permi_minors_total *total, perm_result *result)
{
  permi_minors_by by = options->precision == PERM_PRECISION_DD || options->method == PERM_METHOD_GLYNN
                           ? PERMI_MINORS_BY_PERMANENTS
                           : PERMI_MINORS_BY_ANY;
  permi_control control = permi_control_begin(options);
  perm_status status = permi_minors_run(call, minors, options, by, full, total, &control, result);
  double relative = status == PERM_OK && result->error_estimate > 0 ? result->error_estimate / minors->largest : 0;
  while (status == PERM_OK && minors->in_doubles && relative > permi_wanted_relative(options)) {
    const perm_result finished = *result;
    by = minors->subsets ? PERMI_MINORS_BY_PERMANENTS : PERMI_MINORS_BY_ONE;
    permi_minors_plan_one(minors, options, by);
    if ((options->tolerance > 0 ? options->max_seconds > 0 && minors->seconds > options->max_seconds
                                : minors->seconds >= PERMI_ESCALATE_SECONDS) ||
        permi_minors_run(call, minors, options, by, full, total, &control, result) != PERM_OK) {
      *result = finished;
      break;
    }
    result->escalated = 1;
    relative = result->error_estimate > 0 ? result->error_estimate / minors->largest : 0;
  }
  if (status == PERM_OK && options->tolerance > 0 && relative > options->tolerance) {
    status = result->status = PERM_TOLERANCE_NOT_MET;
    permi_say(result->message, sizeof result->message,
              "tolerance %.3g not met: the estimated error relative to the largest minor is %.3g", options->tolerance,
              relative);
  }
  return status;
}

static void permi_minors_fill(const permi_minors_call *call, int entries, double x)
{
  for (int k = 0; k < entries; k++)
    call->out[k] = x;
}

static perm_status permi_minors_metered(const permi_minors_call *call, const perm_options *options, perm_result *result)
{
  const double start = permi_seconds();
  const int parts = call->view.parts, rows = call->gradient ? call->m : 1, n = call->n;
  const int entries = call->out && rows > 0 && n > 0 && rows <= PERM_MAX_N && n <= PERM_MAX_N ? rows * n * parts : 0;
  int counts[2][PERM_MAX_N], totals[2], full;
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_minors_total total;
  permi_minors_fill(call, entries, (double)NAN);
  if (!result)
    return call->gradient || call->row >= 0 ? PERM_ERROR_NULL : PERM_ERROR_RANGE;
  permi_result_clear(result);
  perm_status status = permi_minors_check(call, options, counts, totals, result);
  if (status != PERM_OK)
    return status;
  permi_minors *minors = (permi_minors *)permi_pool_get(&pool, 1, sizeof *minors);
  if (!minors)
    return permi_fail_memory(result);
  permi_minors_gather(call, counts, totals, minors);
  total.count = (minors->lines[0] - minors->least) * minors->lines[1] * parts;
  full = minors->total <= PERM_MAX_N ? minors->total * (minors->total * parts + PERM_MAX_N) : 0;
  total.value = (permi_dd *)permi_pool_get(&pool, (size_t)total.count, sizeof *total.value);
  total.exp2 = (long long *)permi_pool_get(&pool, (size_t)total.count, sizeof *total.exp2);
  total.absolute = (double *)permi_pool_get(&pool, (size_t)(minors->lines[0] + full), sizeof *total.absolute);
  if (pool.failed) {
    permi_pool_release(&pool);
    return permi_fail_memory(result);
  }
  permi_minors_fill(call, entries, 0);
  result->method = PERM_METHOD_STRUCTURE;
  result->isa = PERM_ISA_PLAIN;
  result->threads = 1;
  result->value = minors->lines[0] == 0;
  if (minors->lines[0] && permi_minors_scale(minors, full ? total.absolute + minors->lines[0] : NULL))
    status = permi_minors_solve(call, minors, options, full ? total.absolute + minors->lines[0] : NULL, &total, result);
  else
    result->error_bound = 0;
  if (status == PERM_OK && call->marginals && result->value == 0)
    status = permi_fail(result, PERM_ERROR_ZERO, 3, "the permanent is 0: no assignment has a weight");
  if (status == PERM_OK || status == PERM_TOLERANCE_NOT_MET)
    result->is_complex = parts == 2;
  else
    permi_minors_fill(call, entries, (double)NAN);
  result->seconds = permi_seconds() - start;
  permi_pool_release(&pool);
  return status;
}

static perm_status permi_minors_compute(const permi_minors_call *call, const perm_options *options_given,
                                        perm_result *result)
{
  permi_environment environment;
  perm_status status = PERM_OK;
  if (options_given && options_given->gpu.resident & 2)
    return permi_minors_resident(call, options_given, result);
  permi_environment_begin(&environment);
  if (call->marginals || !permi_small_minors_result(call, options_given, result)) {
    permi_metered meter;
    const double bytes = permi_view_bytes(call->m, call->n, &call->view);
    const perm_options *options = permi_meter_begin(&meter, options_given, bytes);
    status = permi_minors_metered(call, options, result);
    status = permi_kind(permi_meter_end(&meter, status, result), call->view.parts, options_given, result);
  }
  return permi_environment_end(&environment, status);
}

#define PERMI_MINORS(name, parts)                                                                                      \
  PERM_API perm_status name(int m, int n, const double *a, ptrdiff_t ld, const int *rows, const int *columns, int row, \
                            const perm_options *options, double *minors, perm_result *result)                          \
  { const permi_minors_call call = {m, n, row, 0, 0, permi_view_of(a, ld, parts, NULL), {rows, columns}, minors};      \
    return permi_minors_compute(&call, options, result); }
#define PERMI_GRADIENT(name, parts, marginals)                                                                         \
  PERM_API perm_status name(int m, int n, const double *a, ptrdiff_t ld, const int *rows, const int *columns,          \
                            const perm_options *options, double *out, perm_result *result)                             \
  { const permi_minors_call call = {m, n, 0, 1, marginals, permi_view_of(a, ld, parts, NULL), {rows, columns}, out};   \
    return permi_minors_compute(&call, options, result); }
PERMI_MINORS(perm_minors_real, 1)
PERMI_MINORS(perm_minors_complex, 2)
PERMI_GRADIENT(perm_gradient_real, 1, 0)
PERMI_GRADIENT(perm_gradient_complex, 2, 0)
PERMI_GRADIENT(perm_marginals_real, 1, 1)
#endif
/* SPDX-License-Identifier: MIT */
