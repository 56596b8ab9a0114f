/* ======================================================================================= >>low_rank
   Products of thin factors [Bar96]. A = U V with r columns in U: with
     prod_i sum_t u_it x_t = sum_k p_k x^k,   prod_j sum_t v_tj y_t = sum_k q_k y^k,   per(A) = sum_k k! p_k q_k
   over the C(n + r - 1, r - 1) exponents k of degree n, k! = prod k_t!, in double-double; non-negative factors do not
   cancel. Exponents without k_r are numbered by degree: with c_t = k_t + .. + k_(r-1) and d_t = c_t + r - 1 - t, k has
   number sum_t C(d_t, r - t), and k with k_t one less that number less sum over s <= t of C(d_s - 1, r - s - 1). */
#pragma once
#include "../api/more_calls.h"
#include "../graph/engines.h"
#include "../plan/judge.h"

/* Returns C(n, k), or more than any size_t. */
static double permi_binomial(int n, int k)
{
  double c = 1;
  for (int i = 1; i <= k; i++)
    c = c * (n - k + i) / i;
  return k < 0 || k > n ? 0 : c;
}

typedef struct permi_factors {
  int n, r, parts;
  permi_view view[2];
} permi_factors;

typedef struct permi_low_rank {
  permi_owned owned;
  int n, r, parts, *factorial_exp2;
  size_t count;
  uint32_t *below;              /* the task's: (r - 1) each: number with k_t one less; UINT32_MAX: k_t is 0 */
  permi_dd *factorial, *weight; /* t! 2^-factorial_exp2[t]; the task's: k! 2^-factorial_exp2[n] */
  double *factor[2];            /* U's rows, V's columns: moduli sum to at most 1 */
} permi_low_rank;

static perm_status permi_low_rank_exponents(const permi_low_rank *low, permi_control *control)
{
  int d[20], t, r = low->r, n = low->n; /* r <= n, C(2 r - 1, r - 1) <= 4e9 */
  for (t = 1; t < r; t++)
    d[t] = r - 1 - t;
  for (size_t number = 0; number < low->count; number++) {
    double less = 0;
    int degree = 0, exp2 = -low->factorial_exp2[n];
    permi_dd weight = permi_dd_make(1);
    if (permi_watch_step(control, number, 5.0 * r * r))
      return control->stopped;
    for (t = 1; t < r; t++) {
      const int k = d[t] - (r - 1 - t) - (t + 1 < r ? d[t + 1] - (r - 2 - t) : 0);
      less += permi_binomial(d[t] - 1, r - t - 1);
      low->below[number * (size_t)(r - 1) + (size_t)(t - 1)] = k ? (uint32_t)((double)number - less) : UINT32_MAX;
      weight = permi_dd_multiply(weight, low->factorial[k]);
      exp2 += low->factorial_exp2[k];
      degree += k;
    }
    weight = permi_dd_multiply(weight, low->factorial[n - degree]);
    low->weight[number] = permi_dd_scale(weight, exp2 + low->factorial_exp2[n - degree]);
    for (t = r - 1; t > 1 && d[t] + 1 == d[t - 1]; t--)
      d[t] = r - 1 - t;
    if (r > 1)
      d[t]++;
  }
  return PERM_OK;
}

/* Works in place, highest exponents first. */
static perm_status permi_linear_product(const permi_low_rank *low, int side, permi_control *control, double done,
                                        double work, permi_dd *product, double *absolute)
{
  const int r = low->r, parts = low->parts;
  double before = 1, units = 1e9 * work / ((double)low->count * low->n);
  product[parts - 1] = permi_dd_make(0);
  product[0] = permi_dd_make(1);
  absolute[0] = 1;
  for (int i = 0; i < low->n; i++) {
    const double *row = low->factor[side] + (size_t)i * (size_t)(r * parts);
    const double after = permi_binomial(i + r, r - 1);
    size_t number = (size_t)after;
    if (control)
      control->done = done + work * i / low->n;
    permi_watch(control, i ? units * before : PERMI_WATCH_UNITS);
    while (number-- > 0) {
      const uint32_t *below = low->below + number * (size_t)(r - 1);
      permi_dd re = {0, 0}, im = {0, 0};
      double sum = 0;
      if (permi_watch_step(control, number, units))
        return control->stopped;
      for (int t = 0; t < r; t++) {
        const size_t from = t < r - 1 ? below[t] : number;
        const double *u = row + t * parts;
        if ((double)from >= before) /* or none */
          continue;
        permi_dd a = product[from * (size_t)parts];
        if (parts == 1) {
          re = permi_dd_add(re, permi_dd_multiply(a, permi_dd_make(u[0])));
          sum += absolute[from] * fabs(u[0]);
          continue;
        }
        permi_dd b = product[from * 2 + 1];
        permi_dd_multiply_complex(&a, &b, permi_dd_make(u[0]), permi_dd_make(u[1]));
        re = permi_dd_add(re, a);
        im = permi_dd_add(im, b);
        sum += absolute[from] * (fabs(u[0]) + fabs(u[1]));
      }
      product[number * (size_t)parts] = re;
      if (parts == 2)
        product[number * 2 + 1] = im;
      absolute[number] = sum;
    }
    before = after;
  }
  return PERM_OK;
}

static perm_status permi_low_rank_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  permi_low_rank copy = *(const permi_low_rank *)leaf->context, *low = &copy;
  const size_t parts = (size_t)low->parts;
  const double half = leaf->information.seconds / 2;
  permi_pool pool = {&low->owned.allocator, NULL, 0};
  permi_dd *product[2];
  double *absolute[2];
  for (int side = 0; side < 2; side++) {
    product[side] = (permi_dd *)permi_pool_get(&pool, low->count * parts, sizeof(permi_dd));
    absolute[side] = (double *)permi_pool_get(&pool, low->count, sizeof(double));
  }
  low->below = (uint32_t *)permi_pool_get(&pool, low->count * (size_t)(low->r - 1), sizeof *low->below);
  low->weight = (permi_dd *)permi_pool_get(&pool, low->count, sizeof *low->weight);
  if (control)
    control->activity = "low rank";
  perm_status status = pool.failed ? PERM_ERROR_MEMORY : permi_low_rank_exponents(low, control);
  for (int side = 0; side < 2 && status == PERM_OK; side++)
    status = permi_linear_product(low, side, control, half * side, half, product[side], absolute[side]);
  for (size_t k = 0; status == PERM_OK && k < low->count; k++) {
    status = permi_watch_step(control, k, 20) ? control->stopped : PERM_OK;
    permi_dd a = product[0][k * parts], b = permi_dd_make(0);
    if (low->parts == 2) {
      b = product[0][2 * k + 1];
      permi_dd_multiply_complex(&a, &b, product[1][2 * k], product[1][2 * k + 1]);
      permi_sum_add_dd(&partial->imaginary, permi_dd_multiply(b, low->weight[k]));
    } else {
      a = permi_dd_multiply(a, product[1][k]);
    }
    permi_sum_add_dd(&partial->value, permi_dd_multiply(a, low->weight[k]));
    permi_sum_add_double(&partial->absolute, absolute[0][k] * absolute[1][k] * low->weight[k].hi);
  }
  if (status == PERM_OK) {
    partial->terms += (double)low->count;
    partial->lost += 8.0 * low->n * (double)low->count * low->r * low->parts * DBL_MIN;
  }
  permi_pool_release(&pool);
  return status;
}

static size_t permi_low_rank_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_low_rank *low = (const permi_low_rank *)leaf->context;
  return permi_say(buffer, size, "low rank, order %d, rank %d: %.0f monomials, predicted %.3g s, %.3g bytes\n",
                   low->n, low->r, (double)low->count, leaf->information.seconds, leaf->information.bytes);
}

/* Returns 0 if a line is zero. */
static int permi_low_rank_lines(permi_low_rank *low, int side, const double *from, ptrdiff_t line, ptrdiff_t step,
                                long long *exp2)
{
  const int parts = low->parts;
  double *to = low->factor[side];
  for (int i = 0; i < low->n; i++) {
    double largest = 0;
    for (int t = 0; t < low->r * parts; t++)
      largest = fmax(largest, fabs(from[(i * line + t / parts * step) * parts + t % parts]));
    if (largest == 0)
      return 0;
    const int e = permi_exponent(largest) + permi_log2_ceiling(low->r * parts);
    for (int t = 0; t < low->r * parts; t++)
      *to++ = ldexp(from[(i * line + t / parts * step) * parts + t % parts], -e);
    *exp2 += e;
  }
  return 1;
}

/* There are `count` exponents, r >= 1; sets *zero if a line is zero. THE BOUND: 2 n r + 2 n + r + 8 double-double
   operations (complex: thrice), underflow (tests/proofs/doubles.g). */
static perm_status permi_low_rank_leaf(const permi_factors *factors, const perm_allocator *allocator, double count,
                                       double bytes, permi_leaf *leaf, int *zero)
{
  const permi_view *u = &factors->view[0], *v = &factors->view[1];
  const int n = factors->n, r = factors->r, parts = factors->parts;
  const size_t entries = (size_t)n * (size_t)(r * parts);
  permi_low_rank *low = (permi_low_rank *)permi_owned_new(allocator, sizeof *low);
  long long exp2 = 0;
  uint64_t hash = PERMI_HASH_START;
  if (!low)
    return PERM_ERROR_MEMORY;
  permi_pool *pool = &low->owned.pool;
  permi_dd *factorial = low->factorial = (permi_dd *)permi_pool_get(pool, (size_t)n + 1, sizeof *factorial);
  int e, *factorial_exp2 = low->factorial_exp2 = (int *)permi_pool_zeros(pool, (size_t)n + 1, sizeof *factorial_exp2);
  low->n = n;
  low->r = r;
  low->parts = parts;
  low->count = (size_t)count;
  low->factor[0] = (double *)permi_pool_get(pool, 2 * entries, sizeof(double));
  if (pool->failed) {
    permi_owned_release(allocator, low);
    return PERM_ERROR_MEMORY;
  }
  low->factor[1] = low->factor[0] + entries;
  *zero = !permi_low_rank_lines(low, 0, u->a, u->ld, 1, &exp2) || !permi_low_rank_lines(low, 1, v->a, 1, v->ld, &exp2);
  factorial[0] = permi_dd_make(1);
  for (int t = 1; t <= n; t++) {
    factorial[t] = permi_dd_multiply(factorial[t - 1], permi_dd_make(t));
    frexp(factorial[t].hi, &e);
    factorial[t] = permi_dd_scale(factorial[t], -e);
    factorial_exp2[t] = factorial_exp2[t - 1] + e;
  }
  for (size_t k = 0; k < entries && !*zero; k++)
    hash = permi_hash_double(permi_hash_double(hash, low->factor[0][k]), low->factor[1][k]);
  const perm_leaf information = {PERM_LEAF_TASK, PERM_METHOD_LOW_RANK, PERM_ISA_PLAIN, n, 1, 2 * count * n,
                                 2 * count * n * PERMI_LOW_RANK_SECONDS * (parts == 2 ? 5 : 1), bytes,
                                 permi_hash(permi_hash(hash, (uint64_t)r), (uint64_t)exp2)};
  memset(leaf, 0, sizeof *leaf);
  leaf->information = information;
  leaf->scale = permi_dd_make(1);
  leaf->context = low;
  leaf->run_task = permi_low_rank_task;
  leaf->release = permi_owned_release;
  leaf->explain = permi_low_rank_explain;
  leaf->scale_exp2 = exp2 + factorial_exp2[n];
  leaf->bound_relative = 1.001 * PERMI_DD_UNIT * (parts == 2 ? 3 : 1) * (2.0 * n * r + 2.0 * n + r + 8);
  leaf->estimate_relative = leaf->bound_relative;
  return PERM_OK;
}

static perm_status permi_factors_check(const permi_factors *factors, const perm_options *options, perm_result *result)
{
  const int n = factors->n, r = factors->r;
  perm_status status = permi_check_options(options, 7, result);
  if (status != PERM_OK)
    return status;
  if (n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "n is negative (%d)", n);
  if (r < 0 || r > n)
    return permi_fail(result, PERM_ERROR_RANK, 2, "the rank %d is not between 0 and the order %d", r, n);
  if (options->method != PERM_METHOD_AUTO && options->method != PERM_METHOD_LOW_RANK)
    return permi_fail(result, PERM_ERROR_OPTION, 7, "options: method %s does not take factors",
                      perm_name("method", options->method));
  if (options->precision == PERM_PRECISION_EXACT || options->modulus)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 7, "options: factors are computed in double-double only");
  for (int side = 0; side < 2 && r; side++) {
    const permi_view *view = &factors->view[side];
    const int rows = side ? r : n, columns = side ? n : r;
    if (!view->a)
      return permi_fail(result, PERM_ERROR_NULL, 3 + 2 * side, "%s is NULL", side ? "v" : "u");
    if (!permi_stride_fits(rows, columns, view->ld, 8 * view->parts))
      return permi_fail_stride(result, 4 + 2 * side, side ? "ldv" : "ldu", rows, columns, view->ld);
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns * view->parts; j++)
        if (permi_not_finite(view->a[(ptrdiff_t)i * view->ld * view->parts + j]))
          return permi_fail(result, PERM_ERROR_NOT_FINITE, 3 + 2 * side,
                            "%s has a NaN or infinity in row %d, column %d (counted from 1)", side ? "v" : "u", i + 1,
                            j / view->parts + 1);
  }
  return PERM_OK;
}

static perm_status permi_low_rank_metered(const permi_factors *factors, const perm_options *options,
                                          perm_result *result)
{
  const int n = factors->n, r = factors->r, parts = factors->parts;
  const double start = permi_seconds();
  const double limit = options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES;
  permi_leaf leaf;
  int zero = n > 0;
  if (!result)
    return PERM_ERROR_NULL;
  permi_result_clear(result);
  const perm_status status = permi_factors_check(factors, options, result);
  if (status != PERM_OK)
    return status;
  const double count = r ? permi_binomial(n + r - 1, r - 1) : 1;
  const double bytes = count * (4.0 * r + 24 + (parts == 2 ? 80 : 48));
  if (bytes > limit || count > 4e9)
    return permi_fail(result, PERM_ERROR_LIMIT, 2, "%.3g monomials are predicted to need %s, over %s", count,
                      permi_size_words(bytes).text, permi_size_words(limit).text);
  if (r && permi_low_rank_leaf(factors, &options->allocator, count, bytes, &leaf, &zero) != PERM_OK)
    return permi_fail_memory(result);
  perm_job *job = permi_job_new(&options->allocator, PERM_PRECISION_DD);
  if (r && (zero || !job))
    leaf.release(&options->allocator, leaf.context);
  if (!job)
    return permi_fail_memory(result);
  job->is_complex = parts == 2;
  if (!r || zero) {
    permi_job_set_constant(job, !zero);
  } else if (!permi_job_push_leaf(job, &leaf)) {
    perm_job_free(job);
    return permi_fail_memory(result);
  }
  job->plan_seconds = permi_seconds() - start;
  permi_run_job(job, options, &permi_reach_real, result);
  result->seconds = permi_seconds() - start;
  return permi_judge(options, result);
}

static perm_status permi_compute_low_rank(const permi_factors *factors, const perm_options *options_given,
                                          perm_result *result)
{
  const int parts = factors->parts;
  permi_metered call;
  const perm_options *options =
      permi_meter_begin(&call, options_given, 16.0 * parts * fmax(factors->n, 0) * fmax(factors->r, 0));
  perm_status status = permi_low_rank_metered(factors, options, result);
  return permi_kind(permi_meter_end(&call, status, result), parts, options_given, result);
}

PERM_MORE_API perm_status perm_compute_low_rank_real(int n, int r, const double *u, ptrdiff_t ldu, const double *v,
                                                     ptrdiff_t ldv, const perm_options *options, perm_result *result)
{
  const permi_factors factors = {n, r, 1, {{u, ldu, 1, NULL}, {v, ldv, 1, NULL}}};
  return permi_compute_low_rank(&factors, options, result);
}

PERM_MORE_API perm_status perm_compute_low_rank_complex(int n, int r, const double *u, ptrdiff_t ldu, const double *v,
                                                        ptrdiff_t ldv, const perm_options *options, perm_result *result)
{
  const permi_factors factors = {n, r, 2, {{u, ldu, 2, NULL}, {v, ldv, 2, NULL}}};
  return permi_compute_low_rank(&factors, options, result);
}
/* SPDX-License-Identifier: MIT */
