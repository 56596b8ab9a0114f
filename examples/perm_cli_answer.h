/* perm_cli_answer.h: what the command prints of a result: text for people, JSON for programs. Part of perm_cli.c. */
#ifndef PERM_CLI_ANSWER_H
#define PERM_CLI_ANSWER_H

#include "perm_cli_options.h"

static char cli_reading[PERM_MESSAGE_BYTES]; /* how a file without a banner was read; empty: as what it can only be */

/* Bytes of the UTF-8 character at text, 0 if it is none. */
static int cli_utf8(const unsigned char *text)
{
  int length = *text < 0x80 ? 1 : *text >= 0xc2 && *text < 0xe0 ? 2 : (*text & 0xf0) == 0xe0 ? 3
               : *text >= 0xf0 && *text < 0xf5 ? 4 : 0;
  int i;
  for (i = 1; i < length; i++)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  if ((*text == 0xe0 && text[1] < 0xa0) || (*text == 0xed && text[1] > 0x9f) || (*text == 0xf0 && text[1] < 0x90) ||
      (*text == 0xf4 && text[1] > 0x8f))
    return 0;
  return length;
}

static void cli_json_string(const char *text)
{
  const unsigned char *c = (const unsigned char *)text;
  putchar('"');
  while (*c) {
    int length = cli_utf8(c);
    if (*c == '"' || *c == '\\')
      printf("\\%c", *c);
    else if (*c < 32 || !length) /* a file name may hold any bytes: those that are not UTF-8 as if Latin-1 */
      printf("\\u%04x", *c);
    else
      printf("%.*s", length, (const char *)c);
    c += length ? length : 1;
  }
  putchar('"');
}

static void cli_json_number(const char *key, double x) /* JSON has no infinity: null */
{
  if (isfinite(x))
    printf(",\"%s\":%.17g", key, x);
  else
    printf(",\"%s\":null", key);
}

static void cli_json_reading(void)
{
  if (cli_reading[0]) {
    printf(",\"reading\":");
    cli_json_string(cli_reading);
  }
}

static void cli_json_head(const char *name, const perm_matrix *matrix)
{
  static const char *const kind[] = {"integer", "integer", "real", "complex"};
  printf("{\"file\":");
  cli_json_string(name);
  printf(",\"m\":%d,\"n\":%d,\"nnz\":%.0f,\"kind\":\"%s\"", matrix->m, matrix->n, (double)matrix->nnz,
         kind[matrix->kind]);
  cli_json_reading();
}

static void cli_print_rook(const perm_integer *numbers, int count, int json)
{
  char text[PERM_TEXT_BYTES];
  int k;
  printf(json ? ",\"rook\":[" : "  rook numbers =");
  for (k = 0; k < count; k++) {
    perm_integer_text(&numbers[k], text, sizeof text);
    printf(json ? "%s\"%s\"" : "%s %s", json && k ? "," : "", text);
  }
  printf(json ? "]" : "\n");
}

/* list: NULL, or what goes in as "minors" or "gradient": count numbers of `parts` doubles, in rows of `columns`. */
static void cli_print_json(const char *name, const perm_matrix *matrix, const perm_result *result, const char *key,
                           const double *list, int count, int columns, const perm_integer *numbers)
{
  const int parts = matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  char value[PERM_TEXT_BYTES], imaginary[PERM_TEXT_BYTES];
  int k;
  cli_json_head(name, matrix);
  if (result->value != result->value) {
    printf(",\"value\":null");
    if (result->status > 0 && parts == 2)
      printf(",\"partial_sum\":[\"%.17g\",\"%.17g\"]", result->partial_sum, result->partial_imaginary);
    else if (result->status > 0)
      printf(",\"partial_sum\":\"%.17g\"", result->partial_sum);
    printf(",\"exp2\":%lld", result->exp2);
  } else {
    if (result->exact) {
      perm_integer_text(&result->integer, value, sizeof value);
      perm_integer_text(&result->imaginary_integer, imaginary, sizeof imaginary);
    } else {
      snprintf(value, sizeof value, "%.17g", result->value);
      snprintf(imaginary, sizeof imaginary, "%.17g", result->imaginary);
    }
    if (result->is_complex)
      printf(",\"value\":[\"%s\",\"%s\"]", value, imaginary);
    else
      printf(",\"value\":\"%s\"", value);
    printf(",\"exp2\":%lld", result->exact ? 0 : result->exp2);
  }
  printf(",\"exact\":%s", result->exact ? "true" : "false");
  cli_json_number("error_bound", result->error_bound);
  cli_json_number("error_estimate", result->error_estimate);
  printf(",\"method\":\"%s\",\"isa\":\"%s\",\"threads\":%d,\"gpus\":%d", perm_method_name(result->method),
         perm_isa_name(result->isa), result->threads, result->gpus);
  if (result->tuned)
    printf(",\"tuned\":%d", result->tuned);
  cli_json_number("terms", result->terms);
  cli_json_number("plan_seconds", result->plan_seconds);
  cli_json_number("seconds", result->seconds);
  if (result->modulus)
    printf(",\"modulus\":\"%llu\"", (unsigned long long)result->modulus);
  for (k = 0; list && result->status >= 0 && k < count && !ferror(stdout); k++) { /* as the value */
    if (k == 0)
      printf(",\"%s\":[", key);
    printf("%s%s", k ? "," : "", columns < count && k % columns == 0 ? "[" : "");
    if (parts == 2)
      printf("[\"%.17g\",\"%.17g\"]", list[2 * k], list[2 * k + 1]);
    else
      printf("\"%.17g\"", list[k]);
    printf("%s%s", columns < count && k % columns == columns - 1 ? "]" : "", k == count - 1 ? "]" : "");
  }
  printf(",\"escalated\":%d,\"status\":\"%s\"", result->escalated, perm_status_name(result->status));
  if (result->message[0]) {
    printf(",\"message\":");
    cli_json_string(result->message);
  }
  if (numbers)
    cli_print_rook(numbers, (matrix->m < matrix->n ? matrix->m : matrix->n) + 1, 1);
  printf("}\n");
}

/* Digits known: guaranteed ones when there is a bound, and estimated ones where those are more. */
static void cli_digits(const perm_result *result, char *text, size_t size)
{
  double modulus = hypot(result->value, result->imaginary);
  double guaranteed = fmin(-log10(result->error_bound / modulus), 17);
  double estimated = fmin(-log10(result->error_estimate / modulus), 17);
  const char *unit = result->exp2 ? " times that power of 2" : "";
  if (result->exact)
    snprintf(text, size, "exact");
  else if (result->value != result->value)
    snprintf(text, size, "%.3g terms", result->terms);
  else if (guaranteed > 0 && estimated > guaranteed + 0.5)
    snprintf(text, size, "%.1f digits guaranteed, %.1f estimated", guaranteed, estimated);
  else if (guaranteed > 0)
    snprintf(text, size, "%.1f digits guaranteed", guaranteed);
  else if (isfinite(result->error_bound))
    snprintf(text, size, "no digit guaranteed: error up to %.2g%s", result->error_bound, unit);
  else if (estimated > 0)
    snprintf(text, size, "%.1f digits estimated", estimated);
  else
    snprintf(text, size, "no digit estimated: error up to %.2g%s", result->error_estimate, unit);
}

/* "0.35 ms", "45 s", "3 h 12 min"; of two at a time. */
static const char *cli_time(double s, int which)
{
  static char text[2][32];
  if (s < 59.95)
    snprintf(text[which], sizeof text[which], "%.3g %s", s < 1e-3 ? 1e6 * s : s < 1 ? 1e3 * s : s,
             s < 1e-3 ? "us" : s < 1 ? "ms" : "s");
  else
    snprintf(text[which], sizeof text[which], s < 3600 ? "%.0f min %.0f s" : "%.0f h %.0f min",
             floor(s / (s < 3600 ? 60 : 3600)), floor(s < 3600 ? fmod(s, 60) : fmod(s, 3600) / 60));
  return text[which];
}

static void cli_print(const char *name, const perm_matrix *matrix, const perm_result *result)
{
  char value[PERM_TEXT_BYTES], digits[96];
  perm_result_text(result, value, sizeof value);
  cli_digits(result, digits, sizeof digits);
  printf("%s: %d x %d, %.0f entries\n", name, matrix->m, matrix->n, (double)matrix->nnz);
  if (result->value == result->value)
    printf("  permanent = %s", value);
  else /* and no line with "permanent =", which scripts look for */
    printf("  %s", result->message);
  if (result->value == result->value && !result->exact && !result->is_complex && result->exp2) { /* for people */
    double log10_value = log10(fabs(result->value)) + (double)result->exp2 * log10(2.0), whole = floor(log10_value);
    printf("  (about %s%.6fe%+.0f)", result->value < 0 ? "-" : "", pow(10, log10_value - whole), whole);
  }
  if (result->value != result->value && result->method == PERM_METHOD_AUTO) { /* stopped before there was a plan */
    printf("\n  total %.3g s\n", result->seconds);
    return;
  }
  if (result->value != result->value) {
    perm_result so_far = *result;
    so_far.value = result->partial_sum;
    so_far.imaginary = result->partial_imaginary;
    perm_result_text(&so_far, value, sizeof value);
    printf("\n  sum so far = %s", value);
    if (result->modulus)
      printf(" modulo %llu", (unsigned long long)result->modulus);
  }
  printf("\n  %s; %s, %s%s%s, ", digits, perm_method_name(result->method),
         result->exact ? "" : perm_precision_name(result->precision), result->exact ? "" : ", ",
         perm_isa_name(result->isa));
  if (result->gpus)
    printf("%d GPU%s, ", result->gpus, result->gpus == 1 ? "" : "s");
  if (result->tuned)
    printf("candidate %d (--tune=%d: again), ", result->tuned, result->tuned);
  printf("%d thread%s, plan %s, total %s\n", result->threads, result->threads == 1 ? "" : "s",
         cli_time(result->plan_seconds, 0), cli_time(result->seconds, 1));
  if (result->status != PERM_OK && result->value == result->value)
    printf("  %s\n", result->message);
}

/* Minors and derivatives for people: a row a line, in units of 2^exp2. */
static void cli_print_list(const perm_result *result, const char *what, const double *list, int count, int columns,
                           int parts)
{
  int k;
  printf("  %s%s", what, result->exp2 ? "" : ":\n");
  if (result->exp2)
    printf(", in units of 2^%lld:\n", result->exp2);
  for (k = 0; k < count; k++) {
    if (parts == 2)
      printf("%s%.17g%+.17gi", k % columns ? " " : "    ", list[2 * k], list[2 * k + 1]);
    else
      printf("%s%.17g", k % columns ? " " : "    ", list[k]);
    if (k % columns == columns - 1)
      printf("\n");
  }
}

static void cli_print_estimate(const char *name, const perm_matrix *matrix, const perm_estimate *e, int json)
{
  if (json) {
    cli_json_head(name, matrix);
    if (e->value != e->value)
      printf(",\"value\":null");
    else if (e->is_complex)
      printf(",\"value\":[\"%.17g\",\"%.17g\"]", e->value, e->imaginary);
    else
      printf(",\"value\":\"%.17g\"", e->value);
    printf(",\"exp2\":%lld,\"exact\":false,\"error_bound\":null", e->exp2);
    cli_json_number("error_estimate", e->standard_error);
    cli_json_number("standard_error", e->standard_error);
    cli_json_number("low", e->low);
    cli_json_number("high", e->high);
    cli_json_number("radius", e->radius);
    cli_json_number("confidence", e->confidence);
    cli_json_number("proved_radius", e->proved_radius);
    cli_json_number("certain_low", e->certain_low);
    cli_json_number("certain_high", e->certain_high);
    printf(",\"samples\":%.0f,\"seed\":%llu,\"method\":\"estimate-%s\",\"threads\":%d", e->samples,
           (unsigned long long)e->seed, perm_estimator_name(e->estimator), e->threads);
    cli_json_number("seconds", e->seconds);
    printf(",\"status\":\"%s\"}\n", perm_status_name(e->status));
    return;
  }
  printf("%s: %d x %d, %.0f entries\n", name, matrix->m, matrix->n, (double)matrix->nnz);
  if (e->value != e->value) {
    printf("  %s\n", e->message);
    return;
  }
  printf("  permanent about ");
  if (e->is_complex)
    printf("%.6g%+.6gi", e->value, e->imaginary);
  else
    printf("%.6g", e->value);
  printf(" +- %.2g%s", e->standard_error, e->is_complex ? " (standard error of the modulus)" : " (standard error)");
  if (e->exp2)
    printf(", all times 2^%lld", e->exp2);
  if (e->is_complex)
    printf("\n  %g %% confidence: within %.3g", 100 * e->confidence, e->radius);
  else
    printf("\n  %g %% confidence: %.6g to %.6g", 100 * e->confidence, e->low, e->high);
  if (e->proved_radius < (double)INFINITY && e->estimator == PERM_ESTIMATOR_REJECTION)
    printf(", proved; certainly %.4g to %.4g\n ", e->certain_low, e->certain_high);
  else if (e->proved_radius < (double)INFINITY)
    printf(", proved within %.3g\n ", e->proved_radius);
  printf("%s estimator %s, %.0f samples, seed %llu, %d thread%s, %.3g s\n",
         e->proved_radius < (double)INFINITY ? "" : ";", perm_estimator_name(e->estimator),
         e->samples,
         (unsigned long long)e->seed, e->threads, e->threads == 1 ? "" : "s", e->seconds);
  if (e->status == PERM_TOLERANCE_NOT_MET)
    printf("  the relative error asked for is not met, it is %.2g; let it have more --samples or --seconds\n",
           e->standard_error / hypot(e->value, e->imaginary));
  else if (e->status != PERM_OK)
    printf("  %s\n", e->message);
}

#endif
