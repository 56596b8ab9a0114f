/* ================================================================================= >>estimate_calls */
#pragma once
#include "../base/names.h"
#include "rejection.h"

/* With signs a guarantee does not stop at an error. */
static perm_status permi_estimate_check(int n, const permi_view *view, perm_estimate_plan *plan,
                                        permi_control *watch, int *negative, perm_result *result)
{
  const int parts = view->parts;
  const char *wrong;
  *negative = 0;
  wrong = (int)plan->estimator < 0 || plan->estimator >= PERM_ESTIMATOR_COUNT ? "estimator is not one of perm_estimator"
          : !(plan->samples >= 0) || plan->samples > 9e15
              ? "samples is negative, NaN or above 9e15 (0 means until another limit)"
          : !(plan->relative_error >= 0) || plan->relative_error == (double)INFINITY
              ? "relative_error is negative or not finite (0 means none)"
          : !(plan->confidence >= 0) || plan->confidence >= 1 ? "confidence is not between 0 and 1 (0 means 0.95)"
          : plan->guarantee && plan->estimator != PERM_ESTIMATOR_AUTO
              ? "guarantee chooses the estimator, which has to be auto" : NULL;
  if (wrong)
    return permi_fail(result, PERM_ERROR_OPTION, 4, "plan: %s", wrong);
  const perm_status status = permi_check_whole(watch->options, 5, result);
  if (status != PERM_OK)
    return status;
  if (n < 0 || n > PERM_ESTIMATE_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "n is negative or above PERM_ESTIMATE_MAX_N");
  if (n && !view->a)
    return permi_fail(result, PERM_ERROR_NULL, 2, "a is NULL");
  if (n && !permi_stride_fits(n, n, view->ld, 8 * parts))
    return permi_fail_stride(result, 3, "ld", n, n, view->ld);
  watch->activity = "preparing";
  for (int i = 0; i < n && !permi_watch(watch, 1.5 * n * parts); i++)
    for (int j = 0; j < n * parts; j++) {
      const double x = view->a[(ptrdiff_t)i * view->ld * parts + j];
      if (permi_not_finite(x))
        return permi_fail(result, PERM_ERROR_NOT_FINITE, 2, "a has a NaN or an infinity");
      *negative |= x < 0 || (parts == 2 && x != 0);
    }
  if (watch->stopped != PERM_OK)
    return permi_fail(result, watch->stopped, 0, "%s before there were %d samples", perm_status_text(watch->stopped),
                      PERMI_BLOCK_SAMPLES);
  if (plan->estimator >= PERM_ESTIMATOR_SINKHORN && *negative)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 4,
                      "plan: estimator %s is for matrices without negative or complex entries; glynn takes any",
                      perm_name("estimator", plan->estimator));
  if (plan->estimator == PERM_ESTIMATOR_AUTO)
    plan->estimator = *negative ? PERM_ESTIMATOR_GLYNN
                      : plan->guarantee ? PERM_ESTIMATOR_REJECTION : PERM_ESTIMATOR_SINKHORN;
  if (plan->guarantee && *negative)
    plan->relative_error = 0;
  if (plan->estimator != PERM_ESTIMATOR_REJECTION)
    return PERM_OK;
  if (plan->relative_error >= 1 || plan->confidence > 1 - 1e-9)
    return permi_fail(result, PERM_ERROR_OPTION, 4,
                      "plan: estimator rejection takes a relative_error below 1 and a confidence up to 1 - 1e-9");
  if (n > PERMI_REJECTION_MOST)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "n = %d is above %d, up to which estimator rejection goes; sinkhorn "
                      "goes further%s", n, PERMI_REJECTION_MOST, plan->guarantee ? ", without a guarantee" : "");
  return PERM_OK;
}

static void permi_rejection_value(const permi_rejection_call *call, const permi_number *scale, double epsilon,
                                  perm_estimate *estimate)
{
  permi_number number = *scale;
  permi_number_normalise(&number);
  if (number.exp2 > -900 && number.exp2 < 900) {
    number.value.hi = ldexp(number.value.hi, (int)number.exp2);
    number.exp2 = 0;
  }
  const double unit = log(2) * (double)number.exp2;
  estimate->value = number.value.hi;
  estimate->exp2 = number.exp2;
  estimate->low = estimate->value / (1 + epsilon);
  estimate->high = estimate->value / (1 - epsilon);
  estimate->radius = estimate->proved_radius = estimate->high - estimate->value;
  estimate->standard_error = call->accepted > 2 ? estimate->value / sqrt(call->accepted - 2) : estimate->radius;
  estimate->certain_low = exp(call->floor - unit) * (1 - 1e-9);
  estimate->certain_high = exp(call->top - unit) * (1 + 1e-9);
  estimate->samples = call->trials;
}

PERMI_NEVER_INLINE static perm_status permi_estimate_metered(int n, const permi_view *view, perm_estimate_plan *plan,
                                                             const perm_options *options, perm_estimate *estimate,
                                                             perm_result *result)
{
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_control watch = permi_control_begin(options);
  permi_number scale = permi_number_one();
  permi_sampler sampler = {n, 1, 0, (double)INFINITY, plan->seed, NULL, NULL, &watch, NULL, 0, NULL, NULL};
  permi_pairing pairing;
  int negative;
  permi_rather rather = {n, plan->guarantee, view, &watch, 0, 0, result};
  perm_status status = permi_estimate_check(n, view, plan, &watch, &negative, result);
  memset(estimate, 0, sizeof *estimate);
  if (status != PERM_OK)
    return status;
  sampler.signs = plan->estimator == PERM_ESTIMATOR_GLYNN;
  const int parts = sampler.parts = sampler.signs ? view->parts : 1;
  estimate->estimator = plan->estimator;
  estimate->seed = plan->seed;
  estimate->confidence = plan->confidence > 0 ? plan->confidence : 0.95;
  estimate->threads = permi_threads(options);
  estimate->is_complex = view->parts == 2;
  estimate->certain_high = estimate->proved_radius = (double)INFINITY;
  estimate->certain_low = negative ? -(double)INFINITY : 0;
  double *a = (double *)permi_pool_get(&pool, (size_t)n * (size_t)(n * parts), sizeof *a);
  int *integers = (int *)permi_pool_get(&pool, 5 * (size_t)n, sizeof *integers);
  sampler.rooms = (double *)permi_pool_get(&pool, (size_t)n * (size_t)estimate->threads, sizeof(double));
  permi_moments *sample =
      (permi_moments *)permi_pool_get(&pool, PERMI_ESTIMATE_TOGETHER * PERMI_BLOCK_SAMPLES, sizeof *sample);
  const int copied = pool.failed ? 0 : permi_estimate_copy(view, n, parts, integers, a, &scale.exp2, &watch);
  if (pool.failed) {
    status = permi_fail_memory(result);
  } else if (copied < 0) {
    status = permi_fail(result, PERM_ERROR_UNSUPPORTED, 2, "the entries span too wide a range for samples in double");
  } else if (!n || !copied || !permi_rejection_match(&pairing, a, n, parts, integers, &watch)) {
    estimate->value = estimate->low = estimate->high = estimate->certain_low = estimate->certain_high = !n;
    estimate->proved_radius = 0;
  } else if (plan->estimator == PERM_ESTIMATOR_REJECTION) {
    const double epsilon = plan->relative_error > 0 ? plan->relative_error : 0.1;
    permi_rejection_call call = {&watch, options, plan->seed, 1 - estimate->confidence, 0, 0, 0,
                                 (double)scale.exp2 * log(2), estimate->threads, 0, &rather};
    call.floor = call.top;
    status = permi_rejection_estimate(&pairing, epsilon, &call, &pool, &scale);
    if (status == PERM_ERROR_LIMIT)
      permi_fail(result, status, 4, "plan: relative_error %.3g with confidence %.3g would take more than %.0e accepted "
                 "trials; ask for less", epsilon, estimate->confidence, PERMI_REJECTION_ACCEPTED);
    else if (status < 0)
      status = permi_fail_memory(result);
    else if (status > 0 && status != PERM_PART_DONE)
      permi_fail(result, status, 0, "%s before %.0f trials were accepted: nothing is known with that chance; twice "
                 "the relative_error takes a quarter of them", perm_status_text(status), call.accepted);
    else if (status == PERM_OK) /* blocks are computed to ten digits */
      permi_rejection_value(&call, &scale, call.accepted > 0 ? epsilon : 1e-10 * n, estimate);
  } else if ((status = permi_rather_exact(&rather, PERMI_TRIAL_SECONDS * n * n *
                                          (plan->samples > 0 ? plan->samples : PERMI_ESTIMATE_SAMPLES))) == PERM_OK) {
    permi_sinkhorn(a, n, parts, sampler.signs ? 2 : 1, 1e-3, &scale, &watch);
    permi_estimate_order(a, n, parts, integers, integers + n, &watch);
    sampler.a = a;
    if (sampler.signs) {
      const size_t m = n > PERMI_ESTIMATE_NORM ? 0 : (size_t)(n * parts);
      double *room = (double *)permi_allocate(&options->allocator, 2 * m * m, sizeof *room);
      sampler.most = permi_estimate_most(a, n, parts, m && room ? room : NULL, &watch);
      permi_release(&options->allocator, room);
    }
    sampler.order = integers;
    status = watch.stopped;
    if (status == PERM_OK)
      status = permi_estimate_run(&sampler, plan, &scale, sample, estimate);
    if (status >= 0 && estimate->samples > 0 && estimate->standard_error == 0) { /* all are 0: no proof */
      estimate->standard_error = (double)INFINITY;
      estimate->radius = estimate->proved_radius;
      estimate->low = fmax(estimate->certain_low, -estimate->radius);
      estimate->high = estimate->radius;
      status = status == PERM_OK && plan->relative_error > 0 ? PERM_TOLERANCE_NOT_MET : status;
    }
    if (status > 0 && estimate->samples == 0)
      permi_fail(result, status, 0, "%s before there were %d samples", perm_status_text(status), PERMI_BLOCK_SAMPLES);
  }
  permi_pool_release(&pool);
  if (status != PERM_PART_DONE)
    return status;
  const double rounded = fabs(result->value) < 9007199254740992.0 ? 0 : 2 * PERMI_UNIT * fabs(result->value);
  estimate->value = result->value;
  estimate->exp2 = result->exp2;
  estimate->radius = estimate->proved_radius = estimate->standard_error = result->exact ? rounded : result->error_bound;
  estimate->low = estimate->certain_low = result->value - estimate->radius;
  estimate->high = estimate->certain_high = result->value + estimate->radius;
  permi_say(estimate->message, sizeof estimate->message, "computed: method %s is predicted to take %s, samples %s or "
            "more", perm_name("method", result->method), permi_time_words(rather.computed).text,
            permi_time_words(rather.asked).text);
  return PERM_OK;
}

static perm_status permi_estimate(int n, permi_view view, const perm_estimate_plan *plan_given,
                                  const perm_options *options_given, perm_estimate *estimate)
{
  static const perm_estimate_plan no_plan = {PERM_ESTIMATOR_AUTO, 0, 0, 0, 0, 0};
  perm_estimate_plan plan = plan_given ? *plan_given : no_plan;
  const double wanted = plan.relative_error > 0 ? plan.relative_error : 0.1;
  const double start = permi_seconds();
  permi_metered call;
  perm_result result;
  if (!estimate)
    return PERM_ERROR_NULL;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_view_bytes(n, n, &view));
  perm_status status = permi_estimate_metered(n, &view, &plan, options, estimate, &result);
  status = permi_meter_end(&call, status, &result);
  const double size = hypot(estimate->value, estimate->imaginary);
  if (status < 0 || (status > 0 && estimate->samples == 0)) {
    memset(estimate, 0, sizeof *estimate);
    estimate->value = estimate->imaginary = estimate->low = estimate->high = (double)NAN;
    estimate->standard_error = estimate->radius = estimate->proved_radius = estimate->certain_high = (double)INFINITY;
    estimate->certain_low = -(double)INFINITY;
    estimate->argument = result.argument;
    snprintf(estimate->message, sizeof estimate->message, "%s", result.message);
  } else if (status > 0) {
    snprintf(estimate->message, sizeof estimate->message, "%s", perm_status_text(status));
  } else if (plan.guarantee && estimate->estimator == PERM_ESTIMATOR_GLYNN &&
             !(estimate->proved_radius <= wanted * size)) {
    status = PERM_TOLERANCE_NOT_MET;
    permi_say(estimate->message, sizeof estimate->message,
              "the error asked for is not met: entries are negative or complex, and what is proved of them is the "
              "radius, %.2g times the value", estimate->proved_radius / size);
  }
  estimate->status = status;
  estimate->seconds = permi_seconds() - start;
  return status;
}

#define PERMI_ESTIMATES(name, parts)                                                                                   \
  PERM_MORE_API perm_status name(int n, const double *a, ptrdiff_t ld, const perm_estimate_plan *plan,                 \
                                 const perm_options *options, perm_estimate *estimate)                                 \
  { return permi_estimate(n, permi_view_make(a, ld, parts), plan, options, estimate); }
PERMI_ESTIMATES(perm_estimate_real, 1)
PERMI_ESTIMATES(perm_estimate_complex, 2)

#define PERMI_PLAN(member) PERMI_MEMBER(perm_estimate_plan, member)
#define PERMI_ESTIMATE(member) PERMI_MEMBER(perm_estimate, member)
#define PERMI_MATRIX(member) PERMI_MEMBER(perm_matrix, member)
static const permi_member permi_more_members[] = {
    {"perm_estimate_plan", 0, sizeof(perm_estimate_plan)}, PERMI_PLAN(estimator), PERMI_PLAN(samples),
    PERMI_PLAN(relative_error), PERMI_PLAN(confidence), PERMI_PLAN(seed), PERMI_PLAN(guarantee),
    {"perm_estimate", 0, sizeof(perm_estimate)}, PERMI_ESTIMATE(value), PERMI_ESTIMATE(imaginary), PERMI_ESTIMATE(exp2),
    PERMI_ESTIMATE(standard_error), PERMI_ESTIMATE(low), PERMI_ESTIMATE(high), PERMI_ESTIMATE(radius),
    PERMI_ESTIMATE(proved_radius), PERMI_ESTIMATE(certain_low), PERMI_ESTIMATE(certain_high),
    PERMI_ESTIMATE(confidence), PERMI_ESTIMATE(samples), PERMI_ESTIMATE(seed), PERMI_ESTIMATE(estimator),
    PERMI_ESTIMATE(is_complex), PERMI_ESTIMATE(threads), PERMI_ESTIMATE(seconds), PERMI_ESTIMATE(status),
    PERMI_ESTIMATE(argument), PERMI_ESTIMATE(message),
    {"perm_outputs", 0, sizeof(perm_outputs)},
    PERMI_MEMBER(perm_outputs, most), PERMI_MEMBER(perm_outputs, exactly), PERMI_MEMBER(perm_outputs, probabilities),
    PERMI_MEMBER(perm_outputs, on_gpu), PERMI_MEMBER(perm_outputs, block), PERMI_MEMBER(perm_outputs, user_data),
    {"perm_matrix", 0, sizeof(perm_matrix)}, PERMI_MATRIX(m), PERMI_MATRIX(n), PERMI_MATRIX(nnz), PERMI_MATRIX(kind),
    PERMI_MATRIX(row_start), PERMI_MATRIX(column), PERMI_MATRIX(real), PERMI_MATRIX(imaginary), PERMI_MATRIX(integer),
    PERMI_MATRIX(allocator)};

PERM_MORE_API perm_status perm_more_layout(const char *name, size_t *offset, size_t *bytes)
{
  const size_t count = sizeof permi_more_members / sizeof *permi_more_members;
  return permi_member_find(permi_more_members, count, name, offset, bytes);
}
/* SPDX-License-Identifier: MIT */
