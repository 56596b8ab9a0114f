/* perm_cli_dense.h: what needs the matrix as an array: multiplicities, minors, derivatives, estimates. Part of
   perm_cli.c. */
#ifndef PERM_CLI_DENSE_H
#define PERM_CLI_DENSE_H

#include "perm_cli_explain.h"

/* A clock that only goes forward; 0 where there is none. */
static double cli_clock(void)
{
#if defined(CLI_STAT)
  struct timespec now;
  return clock_gettime(CLOCK_MONOTONIC, &now) ? 0 : (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#else
  return 0;
#endif
}

/* The matrix as rows of doubles and, where `integer` is not NULL and every entry is a whole number that fits, of int64;
   else NULL in *integer. */
static perm_status cli_dense(const cli *run, const perm_matrix *matrix, double **real, int64_t **integer)
{
  const perm_options *options = &run->options;
  const int parts = matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  const size_t count = (size_t)matrix->m * (size_t)matrix->n * (size_t)parts;
  const double start = cli_clock();
  int i, whole = integer != NULL;
  size_t e;
  if (options->max_bytes > 0 && 8.0 * (double)count * (1 + whole) > options->max_bytes)
    return PERM_ERROR_LIMIT;
  *real = (double *)calloc(count + 1, sizeof **real);
  if (whole)
    *integer = (int64_t *)calloc(count + 1, sizeof **integer);
  if (!*real || (whole && !*integer))
    return PERM_ERROR_MEMORY;
  for (i = 0; i < matrix->m; i++) {
    if (*options->cancel || (options->max_seconds > 0 && cli_clock() - start > options->max_seconds))
      return *options->cancel ? PERM_STOPPED_CANCELLED : PERM_STOPPED_TIME;
    for (e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++) {
      const size_t at = ((size_t)i * (size_t)matrix->n + (size_t)matrix->column[e]) * (size_t)parts;
      const int64_t known = matrix->kind == PERM_KIND_INTEGER ? matrix->integer[e] : 1;
      for (int part = 0; part < parts; part++) {
        const double x = matrix->kind <= PERM_KIND_INTEGER ? (double)known
                         : part ? matrix->imaginary[e] : matrix->real[e];
        (*real)[at + (size_t)part] = x;
        whole = whole && (matrix->kind <= PERM_KIND_INTEGER || (fabs(x) < 9007199254740992.0 && x == floor(x)));
        if (whole)
          (*integer)[at + (size_t)part] = matrix->kind <= PERM_KIND_INTEGER ? known : (int64_t)x;
      }
    }
  }
  if (integer && !whole) {
    free(*integer);
    *integer = NULL;
  }
  return *options->cancel ? PERM_STOPPED_CANCELLED : PERM_OK;
}

/* max_seconds begin with the reading: what is left of them; 0 would be none. */
static void cli_seconds_taken(perm_options *options, double seconds)
{
  if (options->max_seconds > 0)
    options->max_seconds = options->max_seconds > seconds + 1e-3 ? options->max_seconds - seconds : 1e-3;
}

#define CLI_PATIENCE 0.5 /* seconds of sampling, after which a quarter of them for the permanent is worth a word */

/* After samples that took long: would the permanent itself have been there sooner? (A guarantee asks by itself.) */
static void cli_rather_exact(const cli *run, const perm_matrix *matrix, double seconds)
{
  perm_options options = run->options;
  perm_result result;
  perm_job *job = NULL;
  options.max_seconds = 0.1 * seconds < 1 ? 0.1 * seconds : 1; /* of planning */
  if (seconds < CLI_PATIENCE || *options.cancel || perm_sparse_job(matrix, &options, &job, &result) != PERM_OK)
    return;
  if (cli_predict(run, job).seconds < 0.25 * seconds)
    fprintf(stderr, "perm: without --estimate the permanent itself is predicted to take %s\n",
            cli_amount("seconds", cli_predict(run, job).seconds).text);
  perm_job_free(job);
}

static void cli_compute_estimate(const cli *run, const perm_matrix *matrix, int parts, const double *real,
                                 perm_result *result, perm_estimate *estimate)
{
  perm_estimate_plan plan = run->estimate_plan;
  const int n = matrix->n;
  plan.seed = run->seed;
  (parts == 1 ? perm_estimate_real : perm_estimate_complex)(n, real, n, &plan, &run->options, estimate);
  if (estimate->status == PERM_TOLERANCE_NOT_MET && !plan.guarantee)
    snprintf(estimate->message, sizeof estimate->message, "the relative error asked for is not met, it is %.2g; let it "
             "have more --samples or --seconds",
             estimate->standard_error / hypot(estimate->value, estimate->imaginary));
  result->status = estimate->status;
  snprintf(result->message, sizeof result->message, "%s", estimate->message);
  cli_rather_exact(run, matrix, plan.guarantee ? 0 : estimate->seconds);
}

/* *part, which has arrays as long as those of the matrix, becomes the matrix without a row and a column. */
static void cli_leave_out(const perm_matrix *matrix, int row, int column, perm_matrix *part)
{
  size_t e;
  int i;
  part->m = 0;
  part->nnz = 0;
  part->n = matrix->n - 1;
  for (i = 0; i < matrix->m; i++)
    if (i != row) {
      for (e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++)
        if (matrix->column[e] != column) {
          part->column[part->nnz] = matrix->column[e] - (matrix->column[e] > column);
          if (part->integer)
            part->integer[part->nnz] = matrix->integer[e];
          if (part->real)
            part->real[part->nnz] = matrix->real[e];
          if (part->imaginary)
            part->imaginary[part->nnz] = matrix->imaginary[e];
          part->nnz++;
        }
      part->row_start[++part->m] = part->nnz;
    }
}

/* The first line that is equal to this one. Entry k of line i: `bytes` bytes at a + i * next + k * step. */
static int cli_first_equal(const int64_t *a, int line, int entries, size_t next, size_t step, size_t bytes)
{
  int i, k;
  for (i = 0; i < line; i++) {
    for (k = 0; k < entries; k++)
      if (memcmp(a + (size_t)i * next + (size_t)k * step, a + (size_t)line * next + (size_t)k * step, bytes))
        break;
    if (k == entries)
      break;
  }
  return i;
}

/* *a times a number below 2^32, neither is 0; returns 0 if that is too long. */
static int cli_integer_times(perm_integer *a, uint64_t by)
{
  uint64_t carry = 0;
  int i;
  for (i = 0; i < a->words; i++) {
    const uint64_t low = (a->word[i] & 0xffffffffu) * by + carry, high = (a->word[i] >> 32) * by + (low >> 32);
    a->word[i] = high << 32 | (low & 0xffffffffu);
    carry = high >> 32;
  }
  if (carry && i == PERM_INTEGER_WORDS)
    return 0;
  if (carry)
    a->word[a->words++] = carry;
  return 1;
}

/* One of many permanents is on its way. */
typedef struct cli_many { const perm_options *options; double done, all, start; } cli_many;

static int cli_progress_of_many(const perm_progress *progress, void *user_data)
{
  const cli_many *many = (const cli_many *)user_data;
  perm_progress whole = *progress;
  whole.activity = "computing minors";
  whole.fraction = (many->done + progress->fraction) / many->all;
  whole.seconds = cli_clock() - many->start;
  whole.seconds_left = whole.fraction > 0 ? whole.seconds * (1 - whole.fraction) / whole.fraction : (double)INFINITY;
  return many->options->progress(&whole, many->options->user_data);
}

/* Minors of integers, or derivatives, exactly: a permanent for each row and column that are not the same as others;
   with multiplicities for each. counts: room for one number a line. */
static void cli_compute_exact_minors(const cli *run, const perm_matrix *matrix, const int64_t *a, perm_matrix *part,
                                     int *counts, perm_result *result, cli_minors *list)
{
  const int m = matrix->m, n = matrix->n, parts = matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  const int begin = run->gradient ? 0 : run->minors - 1, end = run->gradient ? m : run->minors;
  const int counted = run->rows || run->columns;
  const size_t row = (size_t)n * (size_t)parts, column = (size_t)parts, bytes = (size_t)parts * sizeof *a;
  perm_options options = run->options;
  cli_many many = {&run->options, 0, (double)(end - begin) * n, cli_clock()};
  perm_result one;
  int i, j, k, first, equal;
  memset(&one, 0, sizeof one);
  options.precision = PERM_PRECISION_EXACT;
  options.progress = cli_progress_of_many;
  options.user_data = &many;
  for (i = 0; i < m; i++)
    counts[i] = run->rows ? run->row_counts[i] : 1;
  for (j = 0; j < n; j++)
    counts[m + j] = run->columns ? run->column_counts[j] : 1;
  for (i = begin; i < end; i++) {
    first = counted || !run->gradient ? i : cli_first_equal(a, i, n, row, column, bytes);
    for (j = 0; j < n; j++, many.done++) {
      perm_integer *number = list->integer + ((size_t)(i - begin) * (size_t)n + (size_t)j) * (size_t)parts;
      equal = counted ? j : cli_first_equal(a, j, m, column, row, bytes);
      if (first < i || equal < j) {
        memcpy(number, list->integer + ((size_t)(first - begin) * (size_t)n + (size_t)equal) * (size_t)parts,
               (size_t)parts * sizeof *number);
        continue;
      }
      if (!counts[i] || !counts[m + j])
        continue;
      options.max_seconds = run->options.max_seconds;
      cli_seconds_taken(&options, cli_clock() - many.start);
      if (counted) {
        counts[i]--, counts[m + j]--;
        (parts == 1 ? perm_compute_repeated_integer : perm_compute_repeated_gaussian)(m, n, a, n, counts, counts + m,
                                                                                      &options, &one);
        counts[i]++, counts[m + j]++;
      } else {
        cli_leave_out(matrix, i, j, part);
        perm_compute_sparse(part, &options, &one);
      }
      if (one.status == PERM_OK && (*options.cancel || (run->options.max_seconds > 0 && options.max_seconds <= 1e-3))) {
        one.status = *options.cancel ? PERM_STOPPED_CANCELLED : PERM_STOPPED_TIME;
        snprintf(one.message, sizeof one.message, "%s", perm_status_text(one.status));
      }
      number[0] = one.integer;
      if (parts == 2)
        number[1] = one.imaginary_integer;
      for (k = 0; k < parts && run->gradient && one.status == PERM_OK; k++)
        if (!cli_integer_times(&number[k], (uint64_t)counts[i]) ||
            !cli_integer_times(&number[k], (uint64_t)counts[m + j])) {
          one.status = PERM_ERROR_OVERFLOW;
          snprintf(one.message, sizeof one.message, "a derivative has over %d bits", 64 * PERM_INTEGER_WORDS);
        }
      if (one.status != PERM_OK) { /* of all of them nothing is known */
        generate_fail(result, one.status, "%s", one.message);
        return;
      }
      result->terms += one.terms;
    }
  }
}

/* In doubles, of as many rows as columns with their copies. */
static void cli_compute_square_minors(const cli *run, int m, int n, int parts, const double *a, const int *row_counts,
                                      const int *column_counts, perm_result *result, double *list)
{
  if (run->gradient)
    (parts == 1 ? perm_gradient_real : perm_gradient_complex)(m, n, a, n, row_counts, column_counts, &run->options,
                                                              list, result);
  else
    (parts == 1 ? perm_minors_real : perm_minors_complex)(m, n, a, n, row_counts, column_counts, run->minors - 1,
                                                          &run->options, list, result);
}

/* A rectangle gets a line of ones that stands as often as lines are missing: that multiplies everything by the
   factorial of their number. */
static void cli_compute_long_minors(const cli *run, int m, int n, int parts, const double *a, perm_result *result,
                                    double *list)
{
  const int spare = abs(m - n), rows = m + (m < n), columns = n + (n < m), lines = run->gradient ? m : 1;
  double square[2 * (PERM_MAX_N + 1) * PERM_MAX_N], all[2 * (PERM_MAX_N + 1) * PERM_MAX_N];
  double factor = 1, rest = 0, largest = 0;
  int counts[PERM_MAX_N + 1], i, j, part;
  for (i = 0; i < rows; i++)
    for (j = 0; j < columns; j++)
      for (part = 0; part < parts; part++)
        square[(i * columns + j) * parts + part] = i < m && j < n ? a[(i * n + j) * parts + part] : !part;
  for (i = 0; i <= PERM_MAX_N; i++)
    counts[i] = i == (m < n ? m : n) ? spare : 1;
  cli_compute_square_minors(run, rows, columns, parts, square, m < n ? counts : NULL, n < m ? counts : NULL, result,
                            all);
  for (i = 2; i <= spare; i++) { /* factor + rest is the factorial */
    const double product = factor * i;
    rest = rest * i + fma(factor, i, -product);
    factor = product;
  }
  factor += rest;
  for (i = 0; i < lines; i++)
    for (j = 0; j < n * parts; j++) {
      list[i * n * parts + j] = all[i * columns * parts + j] / factor;
      largest = fmax(largest, fabs(list[i * n * parts + j]));
    }
  result->value /= factor;
  result->imaginary /= factor;
  result->error_bound = result->error_bound / factor + ldexp(largest, -51); /* the factor errs, and each division */
  result->error_estimate = result->error_estimate / factor + ldexp(largest, -52);
  result->exact = 0;
}

/* Are exact minors, each predicted to take at most as long as the permanent, a matter of ten seconds, or at most 5
   times as long as doubles (two permanents, derivatives eight)? The clock has no say: one call, one kind of answer. */
static int cli_is_short(const cli *run, const perm_matrix *matrix, const double *real, const perm_options *options)
{
  const int m = matrix->m, n = matrix->n;
  double all = 0;
  perm_job *job = NULL;
  perm_leaf leaf;
  perm_result one;
  int k;
  if (m != n || run->rows || run->columns)
    return 1;
  if (perm_sparse_job(matrix, options, &job, &one) == PERM_OK)
    for (k = 0; k < perm_job_leaves(job); k++)
      all += perm_job_leaf(job, k, &leaf) == PERM_OK ? leaf.seconds * (run->gradient ? m : 1) * n : 0;
  perm_job_free(job);
  if (all < 10 || perm_job_real(m, n, real, n, NULL, &job, NULL) != PERM_OK)
    return 1;
  k = perm_job_leaf(job, 0, &leaf) != PERM_OK || all < 5 * (run->gradient ? 8 : 2) * leaf.seconds;
  perm_job_free(job);
  return k;
}

/* Minors of a row, or derivatives: exactly where the permanent is and that is short, else in doubles. */
static void cli_compute_minors(const cli *run, const perm_matrix *matrix, const double *real, const int64_t *integer,
                               perm_result *result, cli_minors *list)
{
  const int m = matrix->m, n = matrix->n, parts = matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  const int asked = run->options.precision == PERM_PRECISION_EXACT;
  const size_t count = (size_t)(run->gradient ? m : 1) * (size_t)n * (size_t)parts;
  perm_options options = run->options;
  perm_matrix part;
  int *counts;
  memset(&part, 0, sizeof part);
  if (asked || (options.precision == PERM_PRECISION_DEFAULT && matrix->kind <= PERM_KIND_INTEGER)) {
    if (integer && (m > PERM_MAX_N || n > PERM_MAX_N)) /* doubles have no room */
      options.precision = PERM_PRECISION_EXACT;
    if (integer && (run->rows || run->columns))
      (parts == 1 ? perm_compute_repeated_integer : perm_compute_repeated_gaussian)(
          m, n, integer, n, run->row_counts, run->column_counts, &options, result);
    else
      perm_compute_sparse(matrix, &options, result);
    if (result->exact && (asked || cli_is_short(run, matrix, real, &options))) {
      counts = (int *)malloc(((size_t)m + (size_t)n + 1) * sizeof *counts);
      list->integer = (perm_integer *)calloc(count + 1, sizeof *list->integer);
      if (!counts || !list->integer ||
          perm_matrix_from_csr(m, n, matrix->row_start, matrix->column, matrix->real, matrix->imaginary,
                               matrix->integer, matrix->kind, &run->options, &part, NULL) != PERM_OK) {
        cli_no_memory(result);
      } else {
        cli_compute_exact_minors(run, matrix, integer, &part, counts, result, list);
      }
      perm_matrix_free(&part);
      free(counts);
      result->seconds = 0; /* to be timed as a whole */
      return;
    }
    if (asked || (result->status != PERM_OK && result->status != PERM_ERROR_OVERFLOW))
      return;
    memset(result, 0, sizeof *result);
  }
  list->number = (double *)calloc(count + 1, sizeof *list->number);
  if (!list->number) {
    cli_no_memory(result);
  } else if (m == n || run->rows || run->columns || m > PERM_MAX_N || n > PERM_MAX_N) {
    cli_compute_square_minors(run, m, n, parts, real, run->row_counts, run->column_counts, result, list->number);
  } else {
    cli_compute_long_minors(run, m, n, parts, real, result, list->number);
  }
}

/* Is there a number for every row and column? */
static int cli_check_counts(const cli *run, const perm_matrix *matrix, perm_result *result)
{
  const char *const name[] = {"rows", "exactly", "cols"};
  const int given[] = {run->rows, run->heralds, run->columns};
  int k;
  for (k = 0; k < 3; k++)
    if (given[k] && given[k] != (k < 2 ? matrix->m : matrix->n)) {
      generate_fail(result, PERM_ERROR_COUNTS, "--%s has %d numbers for %d %s", name[k], given[k],
                    k < 2 ? matrix->m : matrix->n, k < 2 ? "rows" : "columns");
      return 0;
    }
  return 1;
}

/* What needs the matrix as an array: multiplicities, minors, gradient, estimate. *list: what was asked for besides. */
static void cli_compute_dense(const cli *run, const perm_matrix *matrix, perm_result *result, perm_estimate *estimate,
                              cli_minors *list)
{
  cli rest = *run; /* with the seconds that the array leaves */
  const perm_options *options = &rest.options;
  const int m = matrix->m, n = matrix->n, parts = matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  const int exactly = options->precision == PERM_PRECISION_EXACT || options->modulus ||
                      (options->precision == PERM_PRECISION_DEFAULT && matrix->kind <= PERM_KIND_INTEGER);
  const double start = cli_clock();
  double *real = NULL;
  int64_t *integer = NULL;
  if (!cli_check_counts(run, matrix, result)) { /* is told */
  } else if (run->estimate && m != n) {
    generate_fail(result, PERM_ERROR_UNSUPPORTED, "--estimate takes square matrices");
  } else if (!run->estimate || n <= PERM_ESTIMATE_MAX_N) { /* beyond, the library refuses without an array */
    result->status = cli_dense(run, matrix, &real, run->estimate ? NULL : &integer);
    cli_seconds_taken(&rest.options, cli_clock() - start);
    if (result->status == PERM_ERROR_LIMIT)
      generate_fail(result, PERM_ERROR_LIMIT, "max_bytes = %s is too little: at least %s of input are needed",
                    cli_amount("bytes", options->max_bytes).text,
                    cli_amount("bytes", (run->estimate ? 8.0 : 16.0) * parts * m * n).text);
    else if (result->status != PERM_OK)
      generate_fail(result, result->status, "%s", perm_status_text(result->status));
  }
  if (result->status != PERM_OK) { /* is told */
  } else if (run->estimate) {
    cli_compute_estimate(&rest, matrix, parts, real, result, estimate);
  } else if (run->gradient || run->minors) {
    cli_compute_minors(&rest, matrix, real, integer, result, list);
  } else if (exactly && integer) {
    (parts == 1 ? CLI_COMPUTE(repeated_integer) : CLI_COMPUTE(repeated_gaussian))(
        m, n, integer, n, run->row_counts, run->column_counts, options, result);
  } else {
    (parts == 1 ? CLI_COMPUTE(repeated_real) : CLI_COMPUTE(repeated_complex))(m, n, real, n, run->row_counts,
                                                                              run->column_counts, options, result);
  }
  if (result->seconds == 0) /* what is small is not timed by the library */
    result->seconds = cli_clock() - start;
  free(real);
  free(integer);
}

/* Half a second of samples, counted from the first that was accepted, tells what all take. */
static int cli_guarantee_progress(const perm_progress *progress, void *user_data)
{
  cli *run = (cli *)user_data;
  if (strcmp(progress->activity, "samples") != 0 || progress->seconds_left == (double)INFINITY)
    return run->options.progress(progress, run);
  run->begun = run->samples > 0 ? run->begun : progress->seconds;
  run->samples = progress->seconds + progress->seconds_left;
  return progress->seconds > run->begun + CLI_PATIENCE;
}

/* The plan, and whether it is taken for --guarantee, or samples. 0: as cli_explain. */
static int cli_explain_guarantee(cli *run, const char *name, const perm_matrix *matrix, perm_result *result)
{
  cli asked = *run;
  perm_estimate estimate;
  char taken[160];
  asked.options.execute = cli_explain_proof;
  asked.options.progress = cli_guarantee_progress;
  run->samples = 0;
  cli_compute_dense(&asked, matrix, result, &estimate, NULL);
  if (result->status < 0 || *run->options.cancel)
    return 0;
  const char *const computed = strncmp(estimate.message, "computed", 8) ? NULL : strstr(estimate.message, "samples ");
  const double seconds = run->samples > 0 ? run->samples : estimate.seconds;
  if (computed)
    snprintf(taken, sizeof taken, "the plan, sooner than samples: %.100s", computed + 8);
  else
    snprintf(taken, sizeof taken, "%s%s",
             estimate.samples == 0 && run->samples == 0 ? "the plan: blocks are too small for samples; it took "
             : matrix->kind == PERM_KIND_COMPLEX           ? "samples, as always of complex entries: they take "
             : seconds < 1 /* measured; the library's own price decides */
                 ? "samples, predicted below 100 ms or sooner than the plan: they take "
                 : "samples, sooner than the plan: predicted to take ",
             cli_amount("seconds", seconds).text);
  asked.options = run->options; /* what the library asks for instead */
  asked.options.certify = 1;
  asked.options.tolerance = 1e-6;
  asked.options.precision = matrix->kind <= PERM_KIND_INTEGER ? PERM_PRECISION_EXACT : PERM_PRECISION_DEFAULT;
  asked.taken = taken;
  if (!cli_explain(&asked, name, matrix, result) && !cli_is_refusal(result->status))
    return 0;
  if (!run->json)
    printf("  guarantee  %s\n", taken);
  return 1;
}

#endif
/* SPDX-License-Identifier: MIT */
