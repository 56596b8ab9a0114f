/* =================================================================================== >>minors_calls */
#pragma once
#include "../plan/check.h"
#include "minors_subsets.h"

#if !defined(PERM_NO_EXTRAS)
/* Returns the sum of the counts, 1 by default, or -1. */
static int permi_minors_counts(int count, const int *given, int *counts)
{
  int i, total = 0;
  for (i = 0; i < count; i++) {
    counts[i] = given ? given[i] : 1;
    if (counts[i] < 0 || counts[i] > 1 << 20)
      return -1;
    total += counts[i];
  }
  return total;
}

/* The estimate of a scaled minor. */
static double permi_minors_lost(const permi_minors *minors, const permi_minors_total *total, int i, int j)
{
  const double sum = total->absolute[i - minors->least] + minors->without[minors->transposed ? j : i];
  return (minors->estimate_relative + 2 * minors->below) * sum + (minors->subsets ? minors->lost : 0) +
         (minors->lossy ? ldexp(DBL_MIN, minors->scale_exp2) : 0);
}

static perm_status permi_minors_weightless(perm_result *result)
{
  return permi_fail(result, PERM_ERROR_UNSUPPORTED, 3, "the permanent is 0: no assignment has a weight");
}

/* Marginals, in which the scales cancel, and the permanent. */
static perm_status permi_minors_marginals(const permi_minors_call *call, permi_minors *minors,
                                          const permi_minors_total *total, perm_result *result)
{
  const int rows = minors->rows, columns = minors->columns;
  double value = 0, error = 0, of_value = 0;
  int i, j, k, e;
  result->exp2 = minors->unit_exp2 - minors->scale_exp2;
  for (j = 0, k = (rows - 1) * columns; j < columns; j++, k++)
    value += minors->column_count[j] * permi_minors_scaled(minors, rows - 1, j, 0) *
             permi_ldexp(total->value[k].hi, total->exp2[k]);
  if (!(value > 0))
    return permi_minors_weightless(result);
  for (j = 0; j < columns; j++)
    of_value = fmax(of_value, permi_minors_lost(minors, total, rows - 1, j) / value + columns * PERMI_UNIT);
  for (i = k = 0; i < rows; i++)
    for (j = 0; j < columns; j++, k++) {
      const double weight =
          (double)minors->row_count[i] * minors->column_count[j] * permi_minors_scaled(minors, i, j, 0);
      const double x = weight * permi_ldexp(total->value[k].hi, total->exp2[k]) / value;
      if (minors->row_of[i] == call->m || minors->column_of[j] == call->n)
        continue;
      call->out[minors->row_of[i] * call->n + minors->column_of[j]] = x;
      minors->largest = fmax(minors->largest, x);
      error = fmax(error, weight * permi_minors_lost(minors, total, i, j) / value + x * (of_value + 8 * PERMI_UNIT));
    }
  result->error_estimate = minors->below > PERMI_NO_MEASURE ? (double)INFINITY : 1.001 * error;
  for (k = 2; k <= abs(call->spare); k++) { /* lines of ones are not told apart */
    value = frexp(value / k, &e);
    result->exp2 += e;
  }
  value = frexp(value, &e);
  result->exp2 += e;
  if (result->exp2 > -1000 && result->exp2 <= 1000) {
    value = ldexp(value, (int)result->exp2);
    result->exp2 = 0;
  }
  result->value = value;
  return PERM_OK;
}

/* Writes minors in units of 2^result->exp2. */
static void permi_minors_output(const permi_minors_call *call, permi_minors *minors, permi_minors_total *total,
                                perm_result *result)
{
  const int parts = minors->parts, columns = minors->columns, rows = minors->rows, gradient = call->gradient;
  const long long whole = minors->unit_exp2 - minors->scale_exp2;
  long long most = LLONG_MIN, least = LLONG_MAX, estimate_exp2 = 0, common;
  permi_dd value[2] = {{0, 0}, {0, 0}};
  double estimate = 0, lead;
  int i, j, part, e, k;
  for (j = 0; j < columns; j++) {
    permi_dd x[2], y[2];
    for (part = 0; part < 2; part++) {
      const int at = ((rows - 1 - minors->least) * columns + j) * parts + part;
      x[part] = y[part] = permi_dd_make(0);
      if (part < parts) {
        x[part] = permi_dd_make(minors->column_count[j] * permi_minors_scaled(minors, rows - 1, j, part));
        y[part] = permi_dd_scale(total->value[at], permi_int_exponent(total->exp2[at]));
      }
    }
    permi_dd_multiply_complex(&x[0], &x[1], y[0], y[1]);
    for (part = 0; part < 2; part++)
      value[part] = permi_dd_add(value[part], x[part]);
  }
  for (i = minors->least, k = 0; i < rows; i++)
    for (j = 0; j < columns; j++) {
      const double factor = gradient ? (double)minors->row_count[i] * minors->column_count[j] : 1;
      const long long unit = whole + minors->row_exp2[i] + minors->column_exp2[j];
      const double lost = permi_minors_lost(minors, total, i, j) * factor;
      for (part = 0; part < parts; part++, k++) {
        total->value[k].hi = (total->value[k].hi + total->value[k].lo) * factor;
        total->exp2[k] += unit;
        if (total->value[k].hi != 0) {
          frexp(total->value[k].hi, &e);
          most = total->exp2[k] + e > most ? total->exp2[k] + e : most;
          least = total->exp2[k] + e < least ? total->exp2[k] + e : least;
        }
      }
      if (lost > 0 && (estimate == 0 || lost > permi_ldexp(estimate, estimate_exp2 - unit))) {
        estimate = lost;
        estimate_exp2 = unit;
      }
    }
  lead = fmax(fabs(value[0].hi), fabs(value[1].hi));
  if (lead != 0) {
    frexp(lead, &e); /* the unit fits the minors and keeps the permanent a double */
    most = most == LLONG_MIN || whole + e - 1000 > most ? whole + e - 1000 : most;
    least = whole + e < least ? whole + e : least;
  }
  if (estimate != 0 && most == LLONG_MIN) {
    frexp(estimate, &e);
    most = least = estimate_exp2 + e;
  }
  common = most == LLONG_MIN || (most < 1000 && least > -1000 && (lead == 0 || whole + e < 1000)) ? 0 : most;
  result->exp2 = common;
  result->value = permi_ldexp(value[0].hi, whole - common);
  result->imaginary = parts == 2 ? permi_ldexp(value[1].hi, whole - common) : 0;
  result->error_estimate = permi_ldexp(estimate, estimate_exp2 - common);
  for (i = minors->least, k = 0; i < rows; i++)
    for (j = 0; j < columns; j++)
      for (part = 0; part < parts; part++, k++) {
        const double x = permi_ldexp(total->value[k].hi, total->exp2[k] - common);
        call->out[((gradient ? minors->row_of[i] * call->n : 0) + minors->column_of[j]) * parts + part] = x;
        minors->largest = fmax(minors->largest, fabs(x));
        if (total->value[k].hi != 0 && fabs(x) < DBL_MIN)
          result->error_estimate += DBL_MIN;
      }
  result->error_estimate += PERMI_UNIT * parts * minors->largest;
  if (minors->below > PERMI_NO_MEASURE)
    result->error_estimate = (double)INFINITY;
}

typedef enum permi_minors_by { PERMI_MINORS_BY_TERMS, PERMI_MINORS_BY_ONE, PERMI_MINORS_BY_ANY } permi_minors_by;

/* Plans single terms, in double-double, or subsets. */
static void permi_minors_plan_one(permi_minors *minors, const perm_options *options, permi_minors_by by)
{
  permi_minors_plan_terms(minors);
  if (by != PERMI_MINORS_BY_TERMS && options->method == PERM_METHOD_AUTO)
    permi_minors_plan_subsets(minors, options);
}

/* Plans the predicted fastest of these, kernels and GPUs. Returns 1 for GPUs. full: room for the matrix, or NULL. */
static int permi_minors_choose(permi_minors *minors, const perm_options *options, permi_minors_by by, double *full)
{
  double seconds;
  permi_minors_plan_one(minors, options, by);
  minors->below = 0;
  if (!full || by != PERMI_MINORS_BY_ANY)
    return 0;
  seconds = minors->seconds - (minors->subsets ? 5 * PERMI_STEP_SECONDS : 0);
  if (permi_minors_plan_dense(minors, permi_isa(options)) && minors->seconds > seconds &&
      options->method != PERM_METHOD_DENSE)
    permi_minors_plan_one(minors, options, by);
  if (permi_minors_gpu_takes(minors, options, full))
    return 1;
  if (minors->kernel) {
    permi_minors_write_out(minors, 1, full);
    minors->below = permi_minors_below_grid(minors, full);
  }
  return 0;
}

/* Plans, sums and writes what is wanted of scaled entries. */
static perm_status permi_minors_run(const permi_minors_call *call, permi_minors *minors, const perm_options *options,
                                    permi_minors_by by, double *full, permi_minors_total *total,
                                    permi_control *control, perm_result *result)
{
  const int threads = permi_threads(options);
  const int on_gpu = permi_minors_choose(minors, options, by, full);
  perm_status status = PERM_OK;
  minors->dense.memory = NULL;
  if (minors->terms >= 1e18)
    return permi_fail(result, PERM_ERROR_LIMIT, 0, "%.3g terms are too many", minors->terms);
  if (options->max_seconds > 0 && minors->seconds > 100 * options->max_seconds)
    return permi_fail(result, PERM_ERROR_LIMIT, 0, "predicted to take %s, far over max_seconds = %.3g",
                      permi_time_words(minors->seconds).text, options->max_seconds);
  control->work_total = minors->seconds;
  if (minors->kernel)
    status = permi_minors_tables(minors, &options->allocator, full);
  if (status == PERM_OK)
    status = on_gpu            ? permi_minors_gpu_execute(minors, options, control, total)
             : minors->subsets ? permi_minors_subsets(minors, options, control, total)
                               : permi_minors_execute(minors, options, control, threads, total);
  permi_release(&options->allocator, minors->dense.memory);
  if (status != PERM_OK)
    return permi_fail(result, status, 0, "%s",
                      status > 0            ? permi_early_words(control, status).text
                      : control->message[0] ? control->message
                                            : perm_status_text(status));
  minors->in_doubles = on_gpu || minors->kernel || minors->subsets;
  minors->largest = 0;
  permi_terms_norms(minors);
  if (call->marginals)
    status = permi_minors_marginals(call, minors, total, result);
  else
    permi_minors_output(call, minors, total, result);
  result->error_bound = minors->subsets && permi_rounding_is_sound() ? result->error_estimate : (double)INFINITY;
  result->method = minors->subsets ? PERM_METHOD_SUBSETS : minors->in_doubles ? PERM_METHOD_DENSE : PERM_METHOD_GLYNN;
  result->precision = minors->in_doubles ? options->precision : PERM_PRECISION_DD;
  result->isa = on_gpu ? PERM_ISA_CUDA : minors->kernel ? minors->kernel->isa : PERM_ISA_PLAIN;
  result->gpus = on_gpu ? control->gpus : 0;
  result->threads = on_gpu || minors->seconds < PERMI_PARALLEL_SECONDS || minors->chunks == 1 ? 1 : threads;
  result->terms += minors->terms;
  return status;
}

/* Sets the results to NaN where their number is one that a call may have. */
static void permi_minors_blank(permi_minors_call *call)
{
  const int rows = call->gradient ? call->m : 1;
  int k;
  if (!call->out || rows < 1 || call->n < 1 || rows > PERM_MAX_N || call->n > PERM_MAX_N)
    return;
  call->entries = rows * call->n * call->view.parts;
  for (k = 0; k < call->entries; k++)
    call->out[k] = (double)NAN;
}

/* Checks a call and completes it. */
static perm_status permi_minors_check(permi_minors_call *call, const perm_options *options, perm_result *result)
{
  const int m = call->m, n = call->n, gradient = call->gradient, arguments = gradient ? 7 : 8;
  const char *refusal = options->certify                             ? "minors have no guaranteed bound (certify)"
                        : options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_DENSE &&
                                options->method != PERM_METHOD_GLYNN ? "minors have methods auto, dense and glynn"
                        : options->precision > PERM_PRECISION_DD
                            ? "minors have precisions default and dd"
                            : NULL;
  int i, j;
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
  i = permi_minors_counts(m, call->row_counts, call->row_count);
  j = permi_minors_counts(n, call->column_counts, call->column_count);
  if (i < 0 || j < 0 || (i != j && !call->marginals))
    return permi_fail(result, PERM_ERROR_COUNTS, i < 0 ? 5 : 6,
                      i < 0 || j < 0 ? "a multiplicity is negative or above a million"
                                     : "%d rows with their copies, but %d columns: minors are of as many",
                      i, j);
  call->spare = j - i;
  call->total = i > j ? i : j;
  if (call->total > PERMI_MINORS_TOTAL)
    return permi_fail(result, PERM_ERROR_SIZE, i < j ? 6 : 5, "%d %s with their copies; at most %d", call->total,
                      i < j ? "columns" : "rows", PERMI_MINORS_TOTAL);
  if (call->spare && (i < j ? m : n) == PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, i < j ? 1 : 2, "%d different %s, and some %s left; at most %d",
                      PERM_MAX_N, i < j ? "rows" : "columns", i < j ? "columns" : "rows", PERM_MAX_N - 1);
  for (i = 0; call->marginals && i < m; i++)
    for (j = 0; j < n; j++)
      if (permi_at(&call->view, i, j, 0) < 0)
        return permi_fail(result, PERM_ERROR_UNSUPPORTED, 3, "a has %.17g in row %d, column %d (counted from 1): "
                          "marginals are of weights; derivatives by any entries: perm_gradient_real",
                          permi_at(&call->view, i, j, 0), i + 1, j + 1);
  if (!gradient && (call->row < 0 || call->row >= m || call->row_count[call->row] == 0))
    return permi_fail(result, PERM_ERROR_RANGE, 7, "row is %d, of %d rows (counted from 0)%s", call->row, m,
                      call->row < 0 || call->row >= m ? "" : ", and has no copy");
  return PERM_OK;
}

/* Gathers distinct rows, the wanted one last, and columns. */
static void permi_minors_gather(const permi_minors_call *call, permi_minors *minors)
{
  const int gradient = call->gradient;
  int i, j, part;
  memset(minors, 0, offsetof(permi_minors, entry));
  minors->parts = call->view.parts;
  minors->total = call->total;
  minors->drops = call->marginals;
  for (i = 0; i <= call->m; i++) {
    const int from = i == call->m ? call->row : i;
    if (i == call->m ? gradient : call->row_count[i] == 0 || (!gradient && i == call->row))
      continue;
    minors->row_of[minors->rows] = from;
    minors->row_count[minors->rows++] = call->row_count[from];
  }
  for (j = 0; j < call->n; j++)
    if (call->column_count[j]) {
      minors->column_of[minors->columns] = j;
      minors->column_count[minors->columns++] = call->column_count[j];
    }
  if (call->spare > 0) {
    minors->row_of[minors->rows] = call->m;
    minors->row_count[minors->rows++] = call->spare;
  } else if (call->spare < 0) {
    minors->column_of[minors->columns] = call->n;
    minors->column_count[minors->columns++] = -call->spare;
  }
  minors->least = gradient ? 0 : minors->rows - 1;
  for (i = 0; i < minors->rows; i++)
    for (j = 0; j < minors->columns; j++)
      for (part = 0; part < minors->parts; part++)
        minors->entry[i][j][part] = minors->row_of[i] == call->m || minors->column_of[j] == call->n
                                        ? 1
                                        : permi_at(&call->view, minors->row_of[i], minors->column_of[j], part);
}

static perm_status permi_minors_solve(const permi_minors_call *call, permi_minors *minors, const perm_options *options,
                                      double *full, permi_minors_total *total, perm_result *result)
{
  permi_minors_by by = options->precision == PERM_PRECISION_DD || options->method == PERM_METHOD_GLYNN
                           ? PERMI_MINORS_BY_TERMS
                           : PERMI_MINORS_BY_ANY;
  permi_control control = permi_control_begin(options);
  perm_status status = permi_minors_run(call, minors, options, by, full, total, &control, result);
  double relative = status == PERM_OK && result->error_estimate > 0 ? result->error_estimate / minors->largest : 0;
  while (status == PERM_OK && minors->in_doubles && relative > permi_wanted_relative(options)) {
    const perm_result finished = *result;
    by = minors->subsets ? PERMI_MINORS_BY_TERMS : PERMI_MINORS_BY_ONE;
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

static perm_status permi_minors_metered(permi_minors_call *call, const perm_options *options, perm_result *result)
{
  const double start = permi_seconds();
  const int parts = call->view.parts;
  permi_minors *minors;
  permi_minors_total total;
  double *memory, *full = NULL;
  int k;
  perm_status status;
  permi_minors_blank(call);
  if (!result)
    return call->gradient || call->row >= 0 ? PERM_ERROR_NULL : PERM_ERROR_RANGE;
  permi_result_clear(result);
  status = permi_minors_check(call, options, result);
  if (status != PERM_OK)
    return status;
  minors = (permi_minors *)permi_allocate(&options->allocator, 1, sizeof *minors);
  if (!minors)
    return permi_fail_memory(result);
  permi_minors_gather(call, minors);
  total.count = (minors->rows - minors->least) * minors->columns * parts;
  k = minors->total <= PERM_MAX_N ? minors->total * (minors->total * parts + PERM_MAX_N) : 0;
  memory = (double *)permi_allocate(&options->allocator, (size_t)(3 * total.count + minors->rows + k), sizeof(double));
  if (!memory) {
    permi_release(&options->allocator, minors);
    return permi_fail_memory(result);
  }
  for (k = 0; k < call->entries; k++)
    call->out[k] = 0;
  total.value = (permi_dd *)(void *)memory;
  total.exp2 = (long long *)(void *)(memory + 2 * total.count);
  total.absolute = memory + 3 * total.count;
  if (minors->total <= PERM_MAX_N)
    full = total.absolute + minors->rows;
  result->method = PERM_METHOD_STRUCTURE;
  result->isa = PERM_ISA_PLAIN;
  result->threads = 1;
  result->value = minors->rows == 0;
  if (minors->rows && permi_minors_scale(minors, full))
    status = permi_minors_solve(call, minors, options, full, &total, result);
  else if (minors->rows && call->marginals)
    status = permi_minors_weightless(result);
  else
    result->error_bound = 0;
  if (status == PERM_OK || status == PERM_TOLERANCE_NOT_MET) {
    result->is_complex = parts == 2;
  } else {
    for (k = 0; k < call->entries; k++)
      call->out[k] = (double)NAN;
  }
  result->seconds = permi_seconds() - start;
  permi_release(&options->allocator, memory);
  permi_release(&options->allocator, minors);
  return status;
}

static perm_status permi_minors_compute(permi_minors_call *call, const perm_options *options_given,
                                        perm_result *result)
{
  permi_environment environment;
  perm_status status = PERM_OK;
  permi_environment_begin(&environment);
  if (call->marginals || !permi_small_minors_result(call, options_given, result)) {
    permi_metered meter;
    const double bytes = permi_view_bytes(call->m, call->n, &call->view);
    const perm_options *options = permi_meter_begin(&meter, options_given, bytes);
    int counts[2][PERM_MAX_N];
    call->row_count = counts[0];
    call->column_count = counts[1];
    status = permi_minors_metered(call, options, result);
    status = permi_kind(permi_meter_end(&meter, status, result), call->view.parts, options_given, result);
  }
  return permi_environment_end(&environment, status);
}

PERM_API perm_status perm_minors_real(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                      const int *column_counts, int row, const perm_options *options, double *minors,
                                      perm_result *result)
{
  permi_minors_call call = {m, n, row, 0, 0, permi_view_of(a, ld, 1, NULL), row_counts, column_counts, minors,
                            NULL, NULL, 0, 0, 0};
  return permi_minors_compute(&call, options, result);
}

PERM_API perm_status perm_minors_complex(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                         const int *column_counts, int row, const perm_options *options, double *minors,
                                         perm_result *result)
{
  permi_minors_call call = {m, n, row, 0, 0, permi_view_of(a, ld, 2, NULL), row_counts, column_counts, minors,
                            NULL, NULL, 0, 0, 0};
  return permi_minors_compute(&call, options, result);
}

PERM_API perm_status perm_gradient_real(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                        const int *column_counts, const perm_options *options, double *gradient,
                                        perm_result *result)
{
  permi_minors_call call = {m, n, 0, 1, 0, permi_view_of(a, ld, 1, NULL), row_counts, column_counts, gradient,
                            NULL, NULL, 0, 0, 0};
  return permi_minors_compute(&call, options, result);
}

PERM_API perm_status perm_gradient_complex(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                           const int *column_counts, const perm_options *options, double *gradient,
                                           perm_result *result)
{
  permi_minors_call call = {m, n, 0, 1, 0, permi_view_of(a, ld, 2, NULL), row_counts, column_counts, gradient,
                            NULL, NULL, 0, 0, 0};
  return permi_minors_compute(&call, options, result);
}

PERM_API perm_status perm_marginals_real(int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                         const int *column_counts, const perm_options *options, double *marginals,
                                         perm_result *result)
{
  permi_minors_call call = {m, n, 0, 1, 1, permi_view_of(a, ld, 1, NULL), row_counts, column_counts, marginals,
                            NULL, NULL, 0, 0, 0};
  return permi_minors_compute(&call, options, result);
}
#endif
/* SPDX-License-Identifier: MIT */
