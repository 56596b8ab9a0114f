/* perm_cli_answer.h: what the command prints of a result: text for people, JSON for programs. Part of perm_cli.c. */
#ifndef PERM_CLI_ANSWER_H
#define PERM_CLI_ANSWER_H

#include "perm_cli_options.h"

static char cli_reading[PERM_MESSAGE_BYTES]; /* how a file without a banner was read; empty: as what it can only be */

static struct { const char *file; unsigned long long line; } cli_graph; /* one of many in a file; 0: there is one */

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
  printf(isfinite(x) ? ",\"%s\":%.17g" : ",\"%s\":null", key, x);
}

static void cli_json_status(perm_status status, const char *message)
{
  printf(",\"status\":\"%s\"", perm_name("status", status));
  if (message[0]) {
    printf(",\"message\":");
    cli_json_string(message);
  }
}

static void cli_json_head(const char *name, const perm_matrix *matrix)
{
  static const char *const kind[] = {"integer", "integer", "real", "complex"};
  printf("{\"file\":");
  cli_json_string(cli_graph.line ? cli_graph.file : name);
  if (cli_graph.line)
    printf(",\"line\":%llu", cli_graph.line);
  printf(",\"m\":%d,\"n\":%d,\"nnz\":%.0f,\"kind\":\"%s\"", matrix->m, matrix->n, (double)matrix->nnz,
         kind[matrix->kind]);
  if (cli_reading[0]) {
    printf(",\"reading\":");
    cli_json_string(cli_reading);
  }
}

/* A list of `parts` numbers each: doubles, or integers; NULL, NULL: none. In rows of `columns`,
   or at: one for each entry of a matrix. */
typedef struct cli_minors {
  double *number, *unmatched; /* unmatched: chances of the longer side's lines, or NULL */
  double *bound;              /* of a polynomial, else NULL */
  perm_integer *integer;
  const char *what;
  int count, columns, parts;
  const perm_matrix *at;
  int photons, *state; /* of amplitudes, and room for a state; else NULL */
  perm_outputs outputs;
} cli_minors;

static void cli_list_free(cli_minors *list)
{
  free(list->number);
  free(list->integer);
  free(list->unmatched);
  free(list->bound);
  free(list->state);
  list->number = list->unmatched = list->bound = NULL;
  list->state = NULL;
  list->integer = NULL;
}

static int cli_longer(const perm_matrix *matrix)
{
  return matrix->m > matrix->n ? matrix->m : matrix->n;
}

static void cli_no_memory(perm_result *result)
{
  generate_fail(result, PERM_ERROR_MEMORY, "out of memory");
}

/* The row of entry k of the list, from 0; *row: of the one before. */
static int cli_list_row(const cli_minors *list, int k, int *row)
{
  while (list->at->row_start[*row + 1] <= (size_t)k)
    ++*row;
  return *row;
}

static int cli_has(const cli_minors *list)
{
  return list->number || list->integer;
}

/* Number k, in a static buffer. */
static const char *cli_list_text(const cli_minors *list, int k)
{
  static char text[PERM_TEXT_BYTES];
  if (list->integer)
    perm_integer_text(&list->integer[k], text, sizeof text);
  else
    snprintf(text, sizeof text, "%.17g", list->number[k]);
  return text;
}

/* Number k's parts. */
static void cli_print_parts(const cli_minors *list, int k)
{
  for (int part = 0; part < list->parts; part++)
    printf(" %s%s", cli_list_text(list, list->parts * k + part), part == list->parts - 1 ? "\n" : "");
}

static const char *cli_method_name(perm_method method)
{
  return cli_proves && method == PERM_METHOD_EXACT ? "proof" : perm_name("method", method);
}

/* A proof that was stopped has residues, which are no sum. */
static int cli_is_part_of_proof(const perm_result *result)
{
  return result->status > 0 && cli_proves && result->value != result->value;
}

static void cli_print_json(const char *name, const perm_matrix *matrix, const perm_result *result,
                           const cli_minors *list)
{
  const int parts = list->parts, count = list->count, columns = list->columns;
  char value[2 * PERM_TEXT_BYTES], imaginary[PERM_TEXT_BYTES];
  int k, row = 0;
  cli_json_head(name, matrix);
  if (result->value != result->value) {
    printf(",\"value\":null");
    if (result->status > 0)
      printf(cli_is_part_of_proof(result) ? ",\"partial_sum\":null"
             : parts == 2 ? ",\"partial_sum\":[\"%.17g\",\"%.17g\"]" : ",\"partial_sum\":\"%.17g\"",
             result->partial_sum, result->partial_imaginary);
    printf(",\"exp2\":%lld", result->exp2);
  } else {
    if (result->exact) {
      fraction_text(result, value, sizeof value, 0);
      perm_integer_text(&result->imaginary_integer, imaginary, sizeof imaginary);
    } else {
      snprintf(value, sizeof value, "%.17g", result->value);
      snprintf(imaginary, sizeof imaginary, "%.17g", result->imaginary);
    }
    printf(result->is_complex ? ",\"value\":[\"%s\",\"%s\"]" : ",\"value\":\"%s\"", value, imaginary);
    printf(",\"exp2\":%lld", result->exact ? 0 : result->exp2);
  }
  printf(",\"exact\":%s", result->exact || (cli_has(list) && result->error_bound == 0) ? "true" : "false");
  cli_json_number("error_bound", result->error_bound);
  cli_json_number("error_estimate", result->error_estimate);
  printf(",\"method\":\"%s\",\"precision\":\"%s\",\"isa\":\"%s\",\"threads\":%d,\"gpus\":%d",
         cli_method_name(result->method), perm_name("precision", result->precision), perm_name("isa", result->isa),
         result->threads, result->gpus);
  cli_json_number("terms", result->terms);
  cli_json_number("plan_seconds", result->plan_seconds);
  cli_json_number("seconds", result->seconds);
  if (result->modulus)
    printf(",\"modulus\":\"%llu\"", (unsigned long long)result->modulus);
  for (k = 0; cli_has(list) && result->status >= 0 && k < count && !ferror(stdout); k++) { /* as the value */
    if (k == 0)
      printf(",\"%s\":[", list->what);
    printf("%s%s", k ? "," : "", columns < count && k % columns == 0 ? "[" : "");
    if (list->at)
      printf("[%d,%d,", cli_list_row(list, k, &row) + 1, list->at->column[k] + 1);
    if (list->state) {
      perm_amplitudes_state(matrix->m, list->photons, &list->outputs, (size_t)k, list->state);
      for (int i = 0; i < matrix->m; i++)
        printf("%s%d", i ? "," : "[[", list->state[i]);
      printf(matrix->m ? "]," : "[[],");
    }
    printf("%s\"%s\"", parts == 2 ? "[" : "", cli_list_text(list, parts * k));
    if (parts == 2)
      printf(",\"%s\"]", cli_list_text(list, 2 * k + 1));
    if (list->at || list->state)
      putchar(']');
    printf("%s%s", columns < count && k % columns == columns - 1 ? "]" : "", k == count - 1 ? "]" : "");
  }
  if (list->state && !count)
    printf(",\"%s\":[]", list->what);
  for (k = 0; list->unmatched && k < cli_longer(matrix); k++)
    printf("%s\"%.17g\"%s", k ? "," : ",\"unmatched\":[", list->unmatched[k], k + 1 < cli_longer(matrix) ? "" : "]");
  for (k = 0; list->bound && !list->integer && k < count; k++)
    printf(isfinite(list->bound[k]) ? "%s%.3g" : "%snull", k ? "," : ",\"bounds\":[", list->bound[k]);
  printf("%s,\"escalated\":%d", list->bound && !list->integer && count ? "]" : "", result->escalated);
  cli_json_status(result->status, result->message);
  printf("}\n");
}

/* What the library says, in the words of this command: options, not fields of C. */
static const struct { const char *from, *to; } cli_wording[] = {
    {"options: ", ""},
    {"cancelled by the caller", "stopped by a signal"},
    {"options.gpu.devices = 0", "without --gpus"},
    {"options.gpu.devices, or gpu.cpu_fallback", "--gpus 1, and --cpu-fallback where there may be none"},
    {"(options.modulus)", "(--mod P)"},
    {"options.isa", "--isa"},
    {"isa cuda needs gpu.devices", "--isa cuda needs --gpus"},
    {"square matrices without counts", "square matrices, without --rows and --cols"},
    {"perm.h was compiled without PERM_WITH_CUDA", "this perm was built without CUDA"},
    {"perm_estimate_* further", "--estimate further"},
    {": perm_compute_integer, perm_compute_gaussian", ""},
    {": use perm_compute_integer or perm_compute_repeated_integer", ""},
    {"for sparse matrices: perm_compute_sparse of perm_sparse.h", "not for --rows and --cols"},
    {"outputs: there", "there"},
    {"rows (most)", "rows (--rows)"},
    {"outputs: an unseen row has probabilities, no amplitudes", "x in --exactly needs --probabilities"},
    {"row_counts:", "--rows:"},
    {"column_counts:", "--cols:"},
    {"max_bytes = ", "--max-bytes "},
    {"max_bytes", "--max-bytes"},
    {"max_seconds = ", "--max-seconds "},
    {"max_seconds", "--max-seconds"},
    {"plan_effort", "--effort"},
    {"so does a modulus", "so does --mod"},
    {"modulus", "--mod"},
    {"certify", "--certify"},
    {"no higher precision fits method and limits", "no higher precision fits --method and the limits"}};

/* Replaces words of a message; those about files stay as they are. */
static void cli_in_options(perm_status status, char *message, size_t size)
{
  char text[2 * PERM_MESSAGE_BYTES];
  const char *c, *to;
  size_t used = 0, k;
  if (status == PERM_ERROR_FILE || status == PERM_ERROR_FORMAT)
    return;
  for (c = message; *c && used + 80 < sizeof text;) {
    const int begins = c == message || (!isalnum((unsigned char)c[-1]) && c[-1] != '_' && c[-1] != '-');
    for (k = 0; k < sizeof cli_wording / sizeof *cli_wording; k++)
      if (begins && !strncmp(c, cli_wording[k].from, strlen(cli_wording[k].from)))
        break;
    if (k < sizeof cli_wording / sizeof *cli_wording) {
      to = cli_wording[k].to; /* --seconds means the same, and is said if it was given */
      const int seconds = cli_seconds_given && !strncmp(to, "--max-seconds", 13);
      used += (size_t)sprintf(text + used, "%s%s", seconds ? "--" : "", to + (seconds ? 6 : 0));
      c += strlen(cli_wording[k].from);
    } else {
      text[used++] = *c++;
    }
  }
  text[used] = 0;
  snprintf(message, size, "%.*s", (int)size - 1, text);
}

/* value 2^exp2 in decimal, with so many digits; of large powers no more than their logarithm leaves. */
static void cli_decimal(double value, long long exp2, int digits, char *text, size_t size)
{
  const double log10_value = log10(fabs(value)) + (double)exp2 * log10(2.0), whole = floor(log10_value);
  digits = digits < 1 ? 1 : digits > 17 ? 17 : digits;
  if (value == 0) {
    snprintf(text, size, "0");
  } else if (exp2 == 0) { /* zeros at the end are digits, too; but a point alone is none */
    char *point;
    snprintf(text, size, "%#.*g", digits, value);
    point = strchr(text, '.');
    if (point && !isdigit((unsigned char)point[1]))
      memmove(point, point + 1, strlen(point));
  } else
    snprintf(text, size, "%s%.*fe%+.0f", value < 0 ? "-" : "", (digits < 7 ? digits : 7) - 1,
             pow(10, log10_value - whole), whole);
}

/* What is known: "exactly", "1.2006727087512e+23, 13 digits guaranteed, 15 estimated". */
static void cli_known(const perm_result *result, char *text, size_t size)
{
  double modulus = hypot(result->value, result->imaginary);
  double guaranteed = floor(fmin(-log10(result->error_bound / modulus), 17));
  double estimated = floor(fmin(-log10(result->error_estimate / modulus), 17));
  const double digits = guaranteed > 0 ? guaranteed : estimated;
  const char *unit = result->exp2 ? " times that power of 2" : "";
  char value[80] = "";
  if (!result->exact && !result->is_complex && !result->exp2 && digits > 0) { /* beside a power of 2 it stands above */
    cli_decimal(result->value, result->exp2, (int)digits, value, sizeof value - 2);
    strcat(value, ", ");
  }
#define CLI_DIGITS(number) number, number == 1 ? "" : "s"
  if (result->exact && result->modulus)
    snprintf(text, size, "exactly, modulo %llu", (unsigned long long)result->modulus);
  else if (result->exact || result->error_bound == 0)
    snprintf(text, size, "exactly");
  else if (result->value != result->value)
    snprintf(text, size, "%.3g terms", result->terms);
  else if (guaranteed > 0 && estimated > guaranteed)
    snprintf(text, size, "%s%.0f digit%s guaranteed, %.0f estimated", value, CLI_DIGITS(guaranteed), estimated);
  else if (guaranteed > 0)
    snprintf(text, size, "%s%.0f digit%s guaranteed", value, CLI_DIGITS(guaranteed));
  else if (isfinite(result->error_bound))
    snprintf(text, size, "no digit guaranteed: error up to %.2g%s", result->error_bound, unit);
  else if (estimated > 0)
    snprintf(text, size, "%s%.0f digit%s estimated", value, CLI_DIGITS(estimated));
  else
    snprintf(text, size, "no digit estimated: error up to %.2g%s", result->error_estimate, unit);
#undef CLI_DIGITS
}

/* A long integer's decimal form and length, behind it. */
static void cli_print_length(const perm_integer *integer)
{
  char digits[PERM_TEXT_BYTES];
  const int sign = integer->negative;
  const size_t length = perm_integer_text(integer, digits, sizeof digits) - (size_t)sign;
  char about[32];
  snprintf(about, sizeof about, "%.17s", digits + sign);
  snprintf(about, sizeof about, "%.6e", strtod(about, NULL)); /* rounded: 9.9999999 is 1.000000e+1 */
  if (length > 20)
    printf(": %.0f digits, about %s%.8se+%.0f", (double)length, sign ? "-" : "", about,
           (double)length - 17 + strtod(strchr(about, 'e') + 1, NULL));
}

/* The decimal form of a value with a power of 2, in parentheses. */
static void cli_print_decimal(double real, double imaginary, int is_complex, long long exp2)
{
  char text[2][64];
  if (!exp2)
    return;
  cli_decimal(real, exp2, 7, text[0], sizeof text[0]);
  cli_decimal(imaginary, exp2, 7, text[1], sizeof text[1]);
  if (is_complex)
    printf("  (about %s%s%si)", text[0], text[1][0] == '-' ? "" : "+", text[1]);
  else
    printf("  (about %s)", text[0]);
}

static void cli_print(const char *name, const perm_matrix *matrix, const perm_result *result)
{
  char value[2 * PERM_TEXT_BYTES], known[160];
  fraction_text(result, value, sizeof value, 1);
  cli_known(result, known, sizeof known);
  const cli_words total = cli_amount("seconds", result->seconds);
  if (cli_graph.line) { /* a line for each of them */
    printf("%s: ", name);
    if (result->value == result->value)
      printf("permanent = %s, %s%s", value, known, result->status == PERM_OK ? "\n" : "; ");
    if (result->value != result->value || result->status != PERM_OK)
      printf("%s\n", result->message);
    return;
  }
  printf("%s: %d x %d, %.0f entries\n", name, matrix->m, matrix->n, (double)matrix->nnz);
  printf("  %s%s", result->value == result->value ? "permanent = " : "", /* which scripts look for */
         result->value == result->value ? value : result->message);
  if (result->value == result->value && !result->exact)
    cli_print_decimal(result->value, result->imaginary, result->is_complex, result->exp2);
  if (result->value != result->value && result->method == PERM_METHOD_AUTO) { /* stopped before there was a plan */
    printf("\n  total %s\n", total.text);
    return;
  }
  if (result->value != result->value && !cli_is_part_of_proof(result)) {
    perm_result so_far = *result;
    so_far.value = result->partial_sum;
    so_far.imaginary = result->partial_imaginary;
    perm_result_text(&so_far, value, sizeof value);
    printf("\n  sum so far = %s", value);
    if (!result->modulus)
      cli_print_decimal(so_far.value, so_far.imaginary, so_far.is_complex, so_far.exp2);
    if (result->modulus)
      printf(" modulo %llu", (unsigned long long)result->modulus);
  }
  printf("\n  %s", known);
  if (result->exact && !result->is_complex && fraction_is_whole())
    cli_print_length(&result->integer);
  printf("; %s, %s%s%s, ", cli_method_name(result->method),
         result->exact ? "" : perm_name("precision", result->precision), result->exact ? "" : ", ",
         perm_name("isa", result->isa));
  if (result->gpus)
    printf("%d GPU%s, ", result->gpus, result->gpus == 1 ? "" : "s");
  printf("%d thread%s, plan %s, total %s\n", result->threads, result->threads == 1 ? "" : "s",
         cli_amount("seconds", result->plan_seconds).text, total.text);
  if (result->status != PERM_OK && result->value == result->value)
    printf("  %s\n", result->message);
}

/* Derivatives or chances as Matrix Market, in the pattern of the matrix. */
static void cli_print_market(const perm_result *result, const cli_minors *list)
{
  int k, row = 0;
  printf("%%%%MatrixMarket matrix coordinate %s general\n",
         list->integer ? "integer" : list->parts == 2 ? "complex" : "real");
  printf(result->exp2 ? "%% %s, in units of 2^%lld\n" : "%% %s\n", list->what, result->exp2);
  printf("%d %d %d\n", list->at->m, list->at->n, list->count);
  for (k = 0; k < list->count && !ferror(stdout); k++) {
    printf("%d %d", cli_list_row(list, k, &row) + 1, list->at->column[k] + 1);
    cli_print_parts(list, k);
  }
}

/* Minors and derivatives for people: a row a line, in units of 2^exp2. */
static void cli_print_list(const perm_matrix *matrix, const perm_result *result, const cli_minors *list)
{
  const int parts = list->parts;
  const int rook = !strcmp(list->what, "rook");
  char unit[64];
  int k, row = 0;
  printf("  %s%s", list->what, rook ? " numbers =" : result->exp2 ? "" : ":\n");
  for (k = 0; rook && k < list->count; k++)
    printf(" %s%s", cli_list_text(list, k), k == list->count - 1 ? "\n" : "");
  if (rook)
    return;
  if (result->exp2) {
    cli_decimal(1, result->exp2, 7, unit, sizeof unit);
    printf(", in units of 2^%lld, about %s:\n", result->exp2, unit);
  }
  for (k = 0; k < list->count; k++) {
    if (list->bound)
      printf("    x^%d", k);
    if (list->at)
      printf("    %d %d", cli_list_row(list, k, &row) + 1, list->at->column[k] + 1);
    printf("%s%s", list->at || list->bound || k % list->columns ? " " : "    ", cli_list_text(list, parts * k));
    if (parts == 2) {
      const char *imaginary = cli_list_text(list, 2 * k + 1);
      printf("%s%si", imaginary[0] == '-' ? "" : "+", imaginary);
    }
    if (list->bound && !list->integer)
      printf(" +- %.2g", list->bound[k]);
    if (list->at || list->bound || k % list->columns == list->columns - 1)
      printf("\n");
  }
  for (k = 0; list->unmatched && matrix->m != matrix->n && k < cli_longer(matrix); k++)
    printf("%s    %d %.17g\n", k ? "" : matrix->m < matrix->n ? "  unmatched columns:\n" : "  unmatched rows:\n", k + 1,
           list->unmatched[k]);
}

static void cli_print_estimate(const char *name, const perm_matrix *matrix, const perm_estimate *e, int json)
{
  const double ratio = hypot(e->value, e->imaginary) / e->standard_error;
  const int digits = ratio > 1e15 ? 17 : ratio > 1e4 ? 2 + (int)log10(ratio) : 6; /* that show the error */
  const struct { const char *key; double value; } numbers[] = {
      {"error_estimate", e->standard_error}, {"standard_error", e->standard_error}, {"low", e->low}, {"high", e->high},
      {"radius", e->radius}, {"confidence", e->confidence}, {"proved_radius", e->proved_radius},
      {"certain_low", e->certain_low}, {"certain_high", e->certain_high}};
  if (json) {
    cli_json_head(name, matrix);
    printf(e->value != e->value ? ",\"value\":null"
           : e->is_complex ? ",\"value\":[\"%.17g\",\"%.17g\"]" : ",\"value\":\"%.17g\"", e->value, e->imaginary);
    printf(",\"exp2\":%lld,\"exact\":%s,\"error_bound\":null", e->exp2, e->radius == 0 ? "true" : "false");
    for (int k = 0; k < CLI_COUNT(numbers); k++)
      cli_json_number(numbers[k].key, numbers[k].value);
    printf(",\"samples\":%.0f,\"seed\":%llu,\"method\":\"estimate-%s\",\"threads\":%d", e->samples,
           (unsigned long long)e->seed, perm_name("estimator", e->estimator), e->threads);
    cli_json_number("seconds", e->seconds);
    cli_json_status(e->status, e->message);
    printf("}\n");
    return;
  }
  printf("%s: %d x %d, %.0f entries\n", name, matrix->m, matrix->n, (double)matrix->nnz);
  if (e->value != e->value) {
    printf("  %s\n", e->message);
    return;
  }
  printf("  permanent %s", e->samples > 0 ? "about " : "");
  printf(e->is_complex ? "%.*g%+.*gi" : "%.*g", digits, e->value, digits, e->imaginary);
  printf(" +- %.2g%s", e->standard_error,
         !(e->samples > 0) ? "" : e->is_complex ? " (standard error of the modulus)" : " (standard error)");
  if (e->exp2)
    printf(", all times 2^%lld", e->exp2);
  cli_print_decimal(e->value, e->imaginary, e->is_complex, e->exp2);
  if (e->is_complex)
    printf("\n  %g %% confidence: within %.3g", 100 * e->confidence, e->radius);
  else
    printf("\n  %g %% confidence: %.*g to %.*g", 100 * e->confidence, digits, e->low, digits, e->high);
  if (e->proved_radius < (double)INFINITY && e->estimator == PERM_ESTIMATOR_REJECTION)
    printf(", proved; certainly %.*g to %.*g\n ", digits, e->certain_low, digits, e->certain_high);
  else if (e->proved_radius < (double)INFINITY)
    printf(", proved within %.3g\n ", e->proved_radius);
  printf("%s estimator %s, %.0f samples%s, seed %llu, %d thread%s, %s\n",
         e->proved_radius < (double)INFINITY ? "" : ";", perm_name("estimator", e->estimator), e->samples,
         e->samples > 0 ? "" : " (computed)", (unsigned long long)e->seed, e->threads, e->threads == 1 ? "" : "s",
         cli_amount("seconds", e->seconds).text);
  if (e->samples > 0 && e->standard_error == (double)INFINITY)
    printf("  every sample is 0: next to nothing is known; --guarantee 0.1,0.05 is for matrices like this one\n");
  else if (e->message[0])
    printf("  %s\n", e->message);
}

#endif
/* SPDX-License-Identifier: MIT */
