/* ========================================================================================= >>derive
   Derivatives by stored entries: >>derive_tree or >>derive_frontier times the other blocks' permanents. Stored zeros
   count, and lines of degree 2 stay. An entry in no perfect matching has derivative 0. */
#pragma once
#include "../minors/minors_calls.h"
#include "sample.h"

#define PERMI_DERIVE_LOST 1e-290 /* of a marginal, besides its bound */
#define PERMI_DERIVE_TOLD 1e-9   /* of value */

typedef enum permi_derive_what {
  PERMI_DERIVATIVES, PERMI_CHANCES, PERMI_RESIDUE_DERIVATIVES, PERMI_INTEGER_DERIVATIVES
} permi_derive_what;

typedef struct permi_derivation {
  permi_sampling sampling;
  const perm_matrix *matrix;
  permi_derive_what wanted;
  void *out; /* by entry */
  double *unmatched;
  permi_number *whole, *rest; /* by block: its permanent, the others' product */
  permi_number permanent;
  long long *exp2; /* of derivatives */
  double worst[2];     /* error and estimate, times 2^worst_exp2 */
  long long worst_exp2;
  double relative, lost; /* errors of marginals, at most: all, by underflow */
} permi_derivation;

static permi_number permi_derive_number(const permi_numbers *numbers, const uint64_t *value, long long exp2,
                                        double roundings, double loss, const double *error)
{
  const size_t size = permi_numbers_words(numbers);
  permi_number number;
  memset(&number, 0, sizeof number);
  if (permi_algebra_is_integer(numbers->algebra)) {
    number.exact = 1;
    if (numbers->algebra == PERMI_RESIDUES)
      number.integer.word[0] = *value;
    else
      number.integer.negative = permi_words_magnitude(number.integer.word, value, (int)size);
    permi_integer_trim(&number.integer);
  } else {
    const permi_coefficient c = permi_coefficient_from(numbers->algebra, numbers, value);
    const double bound = permi_entry_bound(roundings);
    number.value.hi = c.real;
    number.imaginary.hi = c.imaginary;
    number.exp2 = exp2;
    number.error = permi_times(bound, c.absolute) * (1 + 1e-12) + 2 * loss;
    number.estimate = permi_times(fmin(4 * sqrt(PERMI_UNIT * bound), bound), c.absolute) + 2 * loss;
    if (error) {
      number.error = error[0];
      number.estimate = error[1];
    }
  }
  return number;
}

/* The factor of a block of one row. */
static const permi_cell *permi_derive_single(const permi_sampling *sampling, int k)
{
  const permi_working *working = &sampling->working;
  const int row = working->line[working->first[k]];
  return working->alone ? &working->alone[row] : &working->cell[working->head[row]];
}

static perm_status permi_derive_multiply(const permi_derivation *derivation, permi_number *a, const permi_number *b)
{
  const perm_status status = permi_number_multiply(a, b);
  permi_number_reduce(a, derivation->sampling.options->modulus);
  return status;
}

static perm_status permi_derive_products(permi_derivation *derivation)
{
  permi_sampling *sampling = &derivation->sampling;
  permi_working *working = &sampling->working;
  const int blocks = working->blocks;
  const permi_trace *trace = sampling->trace;
  permi_number product = permi_number_one();
  perm_status status = PERM_OK;
  derivation->whole = (permi_number *)permi_pool_get(&working->pool, (size_t)blocks, sizeof product);
  derivation->rest = (permi_number *)permi_pool_get(&working->pool, (size_t)blocks, sizeof product);
  if (working->pool.failed)
    return PERM_ERROR_MEMORY;
  permi_number_reduce(&product, sampling->options->modulus);
  for (int k = 0; k < blocks && status == PERM_OK && !permi_watch_step(sampling->watch, (size_t)k, 500); k++) {
    if (permi_sample_single(sampling, k)) {
      derivation->whole[k] = permi_cell_number(working, permi_derive_single(sampling, k));
    } else {
      const permi_derived *derived = (trace++)->derived;
      derivation->whole[k] = permi_derive_number(derived->numbers, derived->whole.value, derived->whole.sizes.exp2,
                                                 derived->roundings[0], derived->whole.sizes.loss,
                                                 derived->error ? derived->error[derived->count] : NULL);
    }
    permi_number_reduce(&derivation->whole[k], sampling->options->modulus);
    derivation->rest[k] = product;
    status = permi_derive_multiply(derivation, &product, &derivation->whole[k]);
  }
  derivation->permanent = product;
  product = permi_number_one();
  for (int k = derivation->wanted == PERMI_CHANCES ? -1 : blocks - 1;
       k >= 0 && status == PERM_OK && !permi_watch_step(sampling->watch, (size_t)k, 500); k--) {
    status = permi_derive_multiply(derivation, &derivation->rest[k], &product);
    if (status == PERM_OK)
      status = permi_derive_multiply(derivation, &product, &derivation->whole[k]);
  }
  return status == PERM_OK ? sampling->watch->stopped : status;
}

static void permi_derive_put(permi_derivation *derivation, size_t e, permi_number number)
{
  const permi_working *working = &derivation->sampling.working;
  const permi_cell *cell = &working->cell[e];
  double *out = (double *)derivation->out + (working->is_complex ? 2 : 1) * e;
  permi_number_normalise(&number);
  number.exp2 += working->exp2 + (long long)(working->shift[cell->vertex[0]] + working->shift[cell->vertex[1]]);
  number.error += permi_modulus(number.value.lo, number.imaginary.lo);
  out[0] = number.value.hi;
  if (working->is_complex)
    out[1] = number.imaginary.hi;
  derivation->exp2[e] = number.exp2;
  if (!(number.error <= permi_ldexp(derivation->worst[0], derivation->worst_exp2 - number.exp2))) {
    derivation->worst[0] = number.error >= 0 ? number.error : (double)INFINITY;
    derivation->worst[1] = number.error >= 0 ? number.estimate : (double)INFINITY;
    derivation->worst_exp2 = number.exp2;
  }
}

/* Returns c c' / permanent of the block. */
static double permi_derive_chance(permi_derivation *derivation, const permi_derived *derived, double factor, int e)
{
  const double whole = *(const double *)(const void *)derived->whole.value; /* within 2^-100, 2^100 */
  const double derivative = ((const double *)(const void *)derived->value)[e];
  const long long exp2 = derived->sizes[e].exp2 - derived->whole.sizes.exp2;
  int of_c, of_x;
  const double c = frexp(factor, &of_c), x = frexp(derivative, &of_x);
  const double chance = permi_ldexp(c * x / whole, exp2 + of_c + of_x);
  const double lost = permi_ldexp(2 * derived->sizes[e].loss * c / whole, exp2 + of_c);
  derivation->lost = lost > PERMI_DERIVE_LOST ? fmax(derivation->lost, lost / chance) : derivation->lost;
  return factor == 0 ? 0 : chance;
}

static void permi_derive_relative(permi_derivation *derivation, const permi_derived *derived)
{
  const double relative = permi_gamma(derived->roundings[0] + derived->roundings[1] + 2) +
                          2 * derived->whole.sizes.loss / *(const double *)(const void *)derived->whole.value;
  derivation->relative = fmax(derivation->relative, relative);
}

/* Writes entry `at` by derivative e of block k. */
static perm_status permi_derive_entry(permi_derivation *derivation, int k, int at, const permi_derived *derived, int e)
{
  permi_number number;
  perm_status status = PERM_OK;
  if (derivation->wanted == PERMI_CHANCES) {
    ((double *)derivation->out)[at] =
        permi_derive_chance(derivation, derived, derivation->sampling.working.cell[at].real, e);
    return PERM_OK;
  }
  number = derived->numbers ? permi_derive_number(derived->numbers, derived->value + (size_t)e * derived->size,
                                                  derived->sizes[e].exp2, derived->roundings[1], derived->sizes[e].loss,
                                                  derived->error ? derived->error[e] : NULL)
                            : permi_number_one();
  permi_number_reduce(&number, derivation->sampling.options->modulus);
  if (derivation->sampling.working.blocks > 1)
    status = permi_derive_multiply(derivation, &number, &derivation->rest[k]);
  if (derivation->wanted == PERMI_INTEGER_DERIVATIVES)
    ((perm_integer *)derivation->out)[at] = number.integer;
  else if (derivation->wanted == PERMI_RESIDUE_DERIVATIVES)
    ((uint64_t *)derivation->out)[at] = number.integer.word[0];
  else
    permi_derive_put(derivation, (size_t)at, number);
  return status;
}

/* The same of a row's free columns of one entry. */
static perm_status permi_derive_peeled(permi_derivation *derivation, int k, int row, const permi_derived *derived,
                                       int e)
{
  const permi_working *working = &derivation->sampling.working;
  perm_status status = PERM_OK;
  int at = working->alone && working->alone[row].vertex[1] ? working->alone[row].next[0] : -1;
  for (; at >= 0 && status == PERM_OK; at = working->cell[at].next[0])
    status = permi_derive_entry(derivation, k, at, derived, e);
  return status;
}

static perm_status permi_derive_block(permi_derivation *derivation, int k, const permi_trace *trace)
{
  const permi_working *working = &derivation->sampling.working;
  const permi_derived *derived = trace->derived;
  perm_status status = PERM_OK;
  int *cell = working->column, i, e = 0, at;
  if (derivation->wanted == PERMI_CHANCES)
    permi_derive_relative(derivation, derived);
  for (i = 0; i < trace->n; i++)
    for (at = working->head[trace->row[i]]; at >= 0; at = working->cell[at].next[0])
      cell[e++] = at;
  for (e = 0; e < derived->count && status == PERM_OK; e++) {
    const int of = derived->of[e], v = -1 - of;
    if (permi_watch_step(derivation->sampling.watch, (size_t)e, 500))
      return PERM_OK;
    if (of >= 0)
      status = permi_derive_entry(derivation, k, cell[of], derived, e);
    else if (of != INT_MIN && v < trace->n)
      status = permi_derive_peeled(derivation, k, trace->row[v], derived, e);
    else if (of != INT_MIN && derivation->unmatched)
      derivation->unmatched[trace->column[v - trace->n] - working->n] =
          permi_derive_chance(derivation, derived, 1, e);
  }
  return status;
}

static void permi_derive_unmatched(permi_derivation *derivation)
{
  permi_working *working = &derivation->sampling.working;
  const double *chance = (const double *)derivation->out, relative = derivation->relative;
  for (int row = 0; row < permi_matrix_shorter(derivation->matrix); row++) {
    permi_cell *alone = &working->alone[row];
    int terms = 2;
    double sum = 0;
    for (int at = working->head[row]; at >= 0; at = working->cell[at].next[0], terms++)
      sum += chance[at];
    for (int pass = 0; pass < 2 && alone->vertex[1]; pass++, sum = 0) { /* the columns before it; those after it */
      int last = -1;
      for (int at = alone->next[0], next; at >= 0; at = next, terms++) {
        double *to = &derivation->unmatched[working->cell[at].vertex[1] - working->n];
        *to = pass ? *to + sum : sum;
        sum += chance[at];
        next = working->cell[at].next[0];
        working->cell[at].next[0] = last;
        last = at;
      }
      alone->next[0] = last;
    }
    derivation->relative = fmax(derivation->relative, relative + permi_gamma(terms) * (1 + 1e-5));
  }
}

static perm_status permi_derive_entries(permi_derivation *derivation)
{
  permi_sampling *sampling = &derivation->sampling;
  const permi_working *working = &sampling->working;
  const permi_trace *trace = sampling->trace;
  perm_status status = PERM_OK;
  for (int k = 0; k < working->blocks && status == PERM_OK && !permi_watch_step(sampling->watch, (size_t)k, 500); k++) {
    if (permi_sample_single(sampling, k)) {
      const permi_cell *single = permi_derive_single(sampling, k);
      double value[2] = {1, single->real};
      permi_sizes sizes = {1, 1, 0, 0};
      permi_derived derived;
      memset(&derived, 0, sizeof derived);
      derived.value = (uint64_t *)(void *)value;
      derived.whole.value = derived.value + 1;
      derived.sizes = &sizes;
      derived.roundings[0] = permi_entry_roundings(working, 1) + single->rounded;
      permi_derive_relative(derivation, &derived);
      status = working->alone ? permi_derive_peeled(derivation, k, single->vertex[0], &derived, 0)
                              : permi_derive_entry(derivation, k, (int)(single - working->cell), &derived, 0);
    } else {
      status = permi_derive_block(derivation, k, trace++);
    }
  }
  derivation->relative = (derivation->relative + derivation->lost) * (1 + 1e-5);
  if (status == PERM_OK && derivation->unmatched && working->alone)
    permi_derive_unmatched(derivation);
  return status == PERM_OK ? sampling->watch->stopped : status;
}

/* One exponent for all: 0 if no double is then small. */
static void permi_derive_align(permi_derivation *derivation, perm_result *result)
{
  permi_number *permanent = &derivation->permanent;
  const int parts = derivation->sampling.working.is_complex ? 2 : 1;
  const size_t count = derivation->matrix->nnz * (size_t)parts;
  double *gradient = (double *)derivation->out, largest = 0, error = derivation->worst[0] > 0 ? DBL_MIN : 0;
  double lost, bound, estimate, least_told;
  long long most = LLONG_MIN, least = LLONG_MAX;
  permi_number_normalise(permanent);
  for (size_t k = 0; k < count; k++)
    if (gradient[k] != 0) {
      const long long e = derivation->exp2[k / (size_t)parts] + permi_exponent(gradient[k]);
      most = e > most ? e : most;
      least = e < least ? e : least;
    }
  const long long common = permi_minors_common(permanent, most, least);
  for (size_t k = 0; k < count; k++) {
    const double x = gradient[k], y = permi_ldexp(x, derivation->exp2[k / (size_t)parts] - common);
    gradient[k] = y + 0;
    error = x != 0 && fabs(y) < DBL_MIN ? DBL_MIN : error;
    largest = fmax(largest, fabs(y));
  }
  result->value = permi_ldexp(permanent->value.hi, permanent->exp2 - common);
  result->imaginary = permi_ldexp(permanent->imaginary.hi, permanent->exp2 - common);
  result->exp2 = common;
  result->error_bound = permi_ldexp(derivation->worst[0], derivation->worst_exp2 - common) * (1 + 1e-12) + 2 * error;
  result->error_estimate = permi_ldexp(derivation->worst[1], derivation->worst_exp2 - common) + error;
  result->error_estimate = fmin(result->error_estimate + PERMI_UNIT * largest, result->error_bound);
  lost = permi_modulus(permanent->value.hi, permanent->imaginary.hi) + permanent->error > 0 ? DBL_MIN * DBL_EPSILON : 0;
  least_told = PERMI_DERIVE_TOLD * permi_modulus(result->value, result->imaginary);
  bound = permi_ldexp(permanent->error, permanent->exp2 - common) + 2 * lost;
  estimate = permi_ldexp(permanent->estimate, permanent->exp2 - common) + 2 * lost;
  if (bound > least_told)
    result->error_bound = fmax(result->error_bound, bound);
  if (estimate > least_told) {
    permi_say(result->message, sizeof result->message, "value has lost digits: error_bound is of it, too");
    result->error_estimate = fmax(result->error_estimate, estimate);
  }
}

static perm_status permi_derive_array(permi_derivation *derivation, perm_result *result)
{
  const perm_matrix *matrix = derivation->matrix;
  const perm_options *options = derivation->sampling.options;
  const int n = matrix->n, parts = matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  const int chances = derivation->wanted == PERMI_CHANCES;
  permi_minors_call call = {n, n, 0, 1, 0, permi_view_of(NULL, n, parts, NULL), {NULL, NULL}, NULL};
  double *out = (double *)derivation->out;
  permi_problem problem;
  void *entries;
  perm_status status = permi_sparse_array(matrix, &options->allocator, 0, &problem, &entries, result);
  call.out = (double *)permi_allocate(&options->allocator, (size_t)n * (size_t)n * (size_t)parts, sizeof *call.out);
  if (status == PERM_OK && !call.out)
    status = permi_fail_memory(result);
  call.marginals = chances;
  if (status == PERM_OK) {
    call.view = permi_view_of(problem.real, n, parts, NULL);
    status = permi_minors_metered(&call, options, result);
    result->argument = status < 0 && result->argument ? 1 : result->argument;
  }
  for (int i = 0; i < n && status == PERM_OK; i++)
    for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++)
      for (int part = 0; part < parts; part++)
        out[e * (size_t)parts + (size_t)part] = call.out[(i * n + matrix->column[e]) * parts + part];
  if (chances || permi_sparse_rounds(matrix, derivation->sampling.watch))
    result->error_bound = (double)INFINITY;
  permi_release(&options->allocator, call.out);
  permi_release(&options->allocator, entries);
  return status;
}

#define PERMI_DERIVE_FREE 0.02 /* seconds; chosen: trees win below it */
static perm_status permi_derive(permi_derivation *derivation)
{
  permi_sampling *sampling = &derivation->sampling;
  permi_working *working = &sampling->working;
  const perm_matrix *matrix = derivation->matrix;
  const perm_options *options = sampling->options;
  const int longer = permi_matrix_longer(matrix), chances = derivation->wanted == PERMI_CHANCES;
  const int array = derivation->wanted < PERMI_RESIDUE_DERIVATIVES && matrix->n <= PERM_MAX_N &&
                    matrix->m == matrix->n && !options->certify && options->method == PERM_METHOD_AUTO;
  const double seconds = array ? 8 * matrix->n * ldexp(1, matrix->n - 1) / permi_dense_rate(options) : (double)INFINITY;
  perm_result *result = sampling->result;
  perm_status status = PERM_ERROR_MEMORY;
  int zero = 0;
  if (!permi_working_create(working, &sampling->options->allocator, longer, matrix->nnz))
    return permi_fail_memory(result);
  sampling->engines = derivation->wanted == PERMI_DERIVATIVES ? PERMI_TRACERS : PERMI_TRACERS - 1;
  sampling->tracer = permi_derivers;
  sampling->worth = array ? fmax(PERMI_DERIVE_FREE, seconds) / 3 : seconds; /* a gradient is about 8 permanents */
  working->is_complex = matrix->kind == PERM_KIND_COMPLEX;
  working->zeros = 1;
  working->shift = (double *)permi_pool_zeros(&working->pool, 2 * (size_t)longer, sizeof(double));
  derivation->exp2 = (long long *)permi_pool_zeros(&working->pool, matrix->nnz, sizeof *derivation->exp2);
  if (!working->pool.failed)
    status = permi_sample_prepare(sampling, matrix, derivation->wanted >= PERMI_RESIDUE_DERIVATIVES, &zero);
  if (status == PERM_OK && zero) {
    memset(&derivation->permanent, 0, sizeof derivation->permanent);
    derivation->permanent.exact = working->integer;
    if (chances)
      status = permi_sample_zero(sampling);
  } else if (status == PERM_OK) {
    status = permi_sample_blocks(sampling);
    if (status == PERM_OK)
      status = permi_derive_products(derivation);
    if (status == PERM_OK && chances && derivation->permanent.value.hi == 0)
      status = permi_fail(result, PERM_ERROR_ZERO, 1, "matrix: its permanent is 0: nothing has a chance");
    if (status == PERM_OK)
      status = permi_derive_entries(derivation);
    if (status == PERM_ERROR_OVERFLOW && !result->message[0])
      status = permi_fail_long(result);
    if (status == PERM_OK && chances && !(derivation->relative < 1e-6))
      status = permi_fail(result, PERM_ERROR_UNSUPPORTED, 1, "matrix: its products range beyond doubles");
  }
  if (status == PERM_OK) {
    derivation->permanent.exp2 += working->exp2;
    if (derivation->wanted == PERMI_DERIVATIVES)
      permi_derive_align(derivation, result);
    else
      permi_number_result(&derivation->permanent, result);
    if (chances)
      result->error_bound = result->error_estimate = derivation->relative;
    if (!result->exact && !permi_rounding_is_sound())
      result->error_bound = (double)INFINITY;
    result->method = sampling->method ? sampling->method : PERM_METHOD_STRUCTURE;
    result->terms = sampling->visited;
    result->threads = permi_threads(sampling->options);
    result->isa = PERM_ISA_PLAIN;
  }
  status = permi_sample_end(sampling, status, "differentiating");
  if (status == PERM_ERROR_LIMIT && seconds < PERMI_HOPELESS_SECONDS) {
    permi_result_clear(result);
    status = permi_derive_array(derivation, result);
  }
  return status;
}

static perm_status permi_derive_check(const permi_derivation *derivation, permi_control *watch, perm_result *result)
{
  const perm_options *options = watch->options;
  const perm_matrix *matrix = derivation->matrix;
  const int exact = derivation->wanted >= PERMI_RESIDUE_DERIVATIVES;
  const permi_engine *named = permi_engine_of(permi_sample_engines, PERMI_TRACERS, options->method);
  if (options->method == PERM_METHOD_HYBRID && (derivation->wanted != PERMI_DERIVATIVES || matrix->m != matrix->n))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2, "options: method hybrid is for derivatives of square matrices "
                      "in doubles; leave method as it is");
  if ((options->method != PERM_METHOD_AUTO && (options->method == PERM_METHOD_TWINS || !named)) ||
      options->tolerance > 0 || permi_in_pieces(options) ||
      (options->precision != PERM_PRECISION_DEFAULT && !(exact && options->precision == PERM_PRECISION_EXACT)))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2, "options: derivatives take methods auto, tree, frontier, "
                      "lists and arrays (of squares in doubles also hybrid), precision default (of integers also "
                      "exact), and no tolerance or checkpoint");
  if (!options->modulus != (derivation->wanted != PERMI_RESIDUE_DERIVATIVES))
    return permi_fail(result, PERM_ERROR_OPTION, 2, "options: %s", options->modulus
                      ? "a modulus is for perm_gradient_sparse_mod" : "perm_gradient_sparse_mod needs a modulus");
  if (!derivation->out && matrix->nnz)
    return permi_fail(result, PERM_ERROR_NULL, 3, "%s is NULL",
                      derivation->wanted == PERMI_CHANCES ? "marginal" : "gradient");
  if (exact && matrix->kind == PERM_KIND_COMPLEX)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 1, "matrix: exact derivatives are of real integers");
  if (exact)
    return permi_check_integers(matrix, watch, result);
  return derivation->wanted == PERMI_CHANCES ? permi_sample_weights_check(matrix, watch, result) : PERM_OK;
}

static void permi_derive_fill(const permi_derivation *derivation, perm_status status)
{
  static const size_t bytes[] = {sizeof(double), sizeof(double), sizeof(uint64_t), sizeof(perm_integer)};
  const perm_matrix *matrix = derivation->matrix;
  const size_t parts = derivation->wanted == PERMI_DERIVATIVES && matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  const size_t count = derivation->out ? parts * matrix->nnz : 0;
  if (count)
    memset(derivation->out, 0, count * bytes[derivation->wanted]);
  for (size_t k = 0; status != PERM_OK && derivation->wanted <= PERMI_CHANCES && k < count; k++)
    ((double *)derivation->out)[k] = (double)NAN;
  for (size_t k = 0; derivation->unmatched && k < (size_t)permi_matrix_longer(matrix); k++)
    derivation->unmatched[k] = status != PERM_OK ? (double)NAN : matrix->m != matrix->n;
}

/* before: why not to begin, or PERM_OK. */
static perm_status permi_derive_call(const perm_matrix *matrix, const perm_options *options_given,
                                     permi_derive_what wanted, void *out, double *unmatched, perm_status before,
                                     perm_result *result)
{
  const double start = permi_seconds();
  permi_derivation derivation;
  permi_metered call;
  permi_control watch;
  perm_matrix real;
  if (!result)
    return PERM_ERROR_NULL;
  memset(&derivation, 0, sizeof derivation);
  perm_status status = permi_sample_begin(&derivation.sampling, matrix, options_given, &call, &watch, result);
  derivation.matrix = matrix;
  derivation.wanted = wanted;
  derivation.out = out;
  derivation.unmatched = unmatched;
  if (status == PERM_OK) {
    permi_derive_fill(&derivation, PERM_OK);
    derivation.permanent = permi_number_one();
    status = before == PERM_OK ? permi_derive_check(&derivation, &watch, result)
                               : permi_fail(result, before, 0, before > 0 ? "%s; what is missing is NaN" : "%s",
                                            perm_status_text(before));
    if (status == PERM_OK && wanted == PERMI_CHANCES) { /* imaginary parts are 0 */
      real = *matrix;
      real.kind = matrix->kind == PERM_KIND_COMPLEX ? PERM_KIND_REAL : matrix->kind;
      derivation.matrix = &real;
    }
    if (status == PERM_OK && permi_matrix_shorter(matrix) > 0)
      status = permi_derive(&derivation);
    else if (status == PERM_OK)
      permi_number_result(&derivation.permanent, result);
    if (status != PERM_OK)
      permi_derive_fill(&derivation, status);
  }
  if (status == PERM_OK) {
    result->is_complex = matrix->kind == PERM_KIND_COMPLEX;
    result->precision = result->exact ? PERM_PRECISION_EXACT : PERM_PRECISION_DEFAULT;
    result->modulus = derivation.sampling.options->modulus;
    status = permi_judge(derivation.sampling.options, result);
  }
  result->seconds = permi_seconds() - start;
  return permi_meter_end(&call, status, result);
}

#define PERMI_ENTRY_GRADIENT(name, type, wanted)                                                                       \
  PERM_MORE_API perm_status name(const perm_matrix *matrix, const perm_options *options, type *gradient,               \
                                 perm_result *result)                                                                  \
  { return permi_derive_call(matrix, options, wanted, gradient, NULL, PERM_OK, result); }
PERMI_ENTRY_GRADIENT(perm_gradient_sparse, double, PERMI_DERIVATIVES)
PERMI_ENTRY_GRADIENT(perm_gradient_sparse_mod, uint64_t, PERMI_RESIDUE_DERIVATIVES)
PERMI_ENTRY_GRADIENT(perm_gradient_sparse_integer, perm_integer, PERMI_INTEGER_DERIVATIVES)

PERM_MORE_API perm_status perm_marginals_sparse(const perm_matrix *matrix, const perm_options *options,
                                                double *marginal, double *unmatched, perm_result *result)
{
  return permi_derive_call(matrix, options, PERMI_CHANCES, marginal, unmatched, PERM_OK, result);
}

typedef struct permi_scenes {
  const perm_matrix *const *matrix;
  const perm_options *options;
  double *const *marginal, *const *unmatched;
  perm_result *result;
  perm_allocator *workspace; /* by thread, or NULL */
  perm_status before;
  permi_control control;
  int stopped;
} permi_scenes;

typedef struct permi_scene {
  permi_scenes *scenes;
  double number;
  int thread;
} permi_scene;

static perm_status permi_scene_poll(const permi_scene *scene, double done)
{
  permi_scenes *scenes = scene->scenes;
  const volatile int *cancel = scenes->options->cancel;
  const double deadline = scenes->control.deadline;
  int stopped;
  PERMI_OMP(atomic read)
  stopped = scenes->stopped;
  if (stopped)
    return (perm_status)stopped;
  if (scene->thread == 0)
    stopped = (int)permi_control_poll(&scenes->control, scene->number + done, "differentiating");
  else if (cancel && *cancel)
    stopped = PERM_STOPPED_CANCELLED;
  else if (deadline < (double)INFINITY && permi_seconds() >= deadline)
    stopped = PERM_STOPPED_TIME;
  if (stopped) {
    PERMI_OMP(atomic write)
    scenes->stopped = stopped;
  }
  return (perm_status)stopped;
}

static int permi_scene_progress(const perm_progress *progress, void *user_data)
{
  return permi_scene_poll((const permi_scene *)user_data, progress->fraction) != PERM_OK;
}

/* Where it is not to begin, nothing stops it: all becomes NaN. */
static perm_status permi_scene_call(permi_scene *scene, size_t k, perm_status before)
{
  const permi_scenes *scenes = scene->scenes;
  perm_options options = *scenes->options;
  options.progress = before == PERM_OK ? permi_scene_progress : NULL;
  options.user_data = scene;
  options.cancel = before == PERM_OK ? options.cancel : NULL;
  options.max_seconds = before == PERM_OK ? options.max_seconds : 0;
  options.threads = scenes->workspace ? 1 : options.threads;
  options.allocator = scenes->workspace ? scenes->workspace[scene->thread] : options.allocator;
  return permi_derive_call(scenes->matrix ? scenes->matrix[k] : NULL, &options, PERMI_CHANCES,
                           scenes->marginal ? scenes->marginal[k] : NULL,
                           scenes->unmatched ? scenes->unmatched[k] : NULL, before, &scenes->result[k]);
}

static perm_status permi_scene_run(void *context, uint64_t k, int thread)
{
  permi_scenes *scenes = (permi_scenes *)context;
  permi_scene scene = {scenes, (double)k, thread};
  const int done = scenes->result[k].status != PERM_ERROR_LIMIT && scenes->result[k].status != PERM_ERROR_MEMORY;
  const perm_status before = done || scenes->before != PERM_OK ? scenes->before : permi_scene_poll(&scene, 0);
  const perm_status status = done ? PERM_OK : permi_scene_call(&scene, (size_t)k, before);
  if (before == PERM_OK && (status == PERM_STOPPED_CANCELLED || status == PERM_STOPPED_TIME)) {
    const perm_status all = permi_scene_poll(&scene, 0);
    permi_scene_call(&scene, (size_t)k, all != PERM_OK ? all : status);
  }
  return PERM_OK;
}

static void *permi_scenes_allocate(size_t bytes, void *user_data)
{
  void *memory;
  PERMI_OMP(critical(permi_scenes))
  memory = permi_allocate((const perm_allocator *)user_data, bytes, 1);
  return memory;
}

static void permi_scenes_release(void *pointer, void *user_data)
{
  PERMI_OMP(critical(permi_scenes))
  permi_release((const perm_allocator *)user_data, pointer);
}

PERM_MORE_API perm_status perm_marginals_sparse_batch(size_t count, const perm_matrix *const *matrices,
                                                      const perm_options *options, double *const *marginal,
                                                      double *const *unmatched, perm_result *results)
{
  permi_scenes scenes;
  perm_allocator under = {NULL, NULL, NULL};
  permi_metered call;
  perm_status status = PERM_OK;
  size_t threads, made, k;
  if (!results && count)
    return PERM_ERROR_NULL;
  memset(&scenes, 0, sizeof scenes);
  scenes.matrix = matrices;
  scenes.options = permi_meter_begin(&call, options, 0);
  scenes.marginal = marginal;
  scenes.unmatched = unmatched;
  scenes.result = results;
  scenes.control = permi_control_begin(scenes.options);
  scenes.control.work_total = (double)count;
  threads = permi_bad_option(scenes.options) ? 0 : (size_t)permi_threads(scenes.options);
  threads = threads < count ? threads : count;
  if (threads && scenes.options->allocator.allocate) {
    under.allocate = permi_scenes_allocate;
    under.release = permi_scenes_release;
    under.user_data = (void *)&scenes.options->allocator;
  }
  for (k = 0; k < count; k++)
    results[k].status = PERM_ERROR_LIMIT;
  for (;; threads /= 2) { /* at last single calls */
    scenes.options = threads ? scenes.options : permi_options(options);
    scenes.workspace = threads ? (perm_allocator *)permi_allocate_zeros(&under, threads, sizeof under) : NULL;
    for (made = 0; scenes.workspace && made < threads && !perm_workspace_create(&under, &scenes.workspace[made]);)
      made++;
    scenes.before = made < threads ? PERM_ERROR_MEMORY : PERM_OK;
    permi_share(made < threads ? 1 : (int)threads, 0, count, permi_scene_run, &scenes, NULL);
    for (k = 0; k < made; k++)
      perm_workspace_free(&scenes.workspace[k]);
    permi_release(&under, scenes.workspace);
    for (k = 0; k < count && results[k].status != PERM_ERROR_LIMIT && results[k].status != PERM_ERROR_MEMORY;)
      k++;
    if (k == count || !call.meter || !threads)
      break;
  }
  for (k = 0; k < count && status == PERM_OK; k++)
    status = results[k].status;
  return (permi_meter_end(&call, PERM_OK, NULL), status);
}
/* SPDX-License-Identifier: MIT */
