/* perm: exact permanents from the command line.

   Build:  cc -std=c99 -O2 -I.. perm_cli.c -o perm -lm        (add -fopenmp for threads)
   Help:   perm --help                                        (what scripts may rely on) */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* isatty */
#endif
#define PERM_IMPLEMENTATION
#include "perm_sparse.h"

#include "perm_generate.h"

#include <errno.h>
#include <signal.h>
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#define CLI_IS_TERMINAL isatty(2)
#else
#define CLI_IS_TERMINAL 0
#endif

enum { CLI_DONE = 0, CLI_EARLY = 1, CLI_USAGE = 2, CLI_REFUSED = 3, CLI_FAILED = 4 };

typedef struct cli {
  perm_options options;
  int json, explain, estimate, gradient, minors; /* minors: the row, counted from 1 */
  perm_estimate_plan estimate_plan;
  int rows, columns; /* multiplicities given; 0: none */
  int *row_counts, *column_counts;
  const char *generate, *write, *spy;
  uint64_t seed;
  int files;
  const char **file;
} cli;

static volatile int cli_interrupted;

static void cli_interrupt(int number)
{
  (void)number;
  cli_interrupted = 1;
}

/* SIGINT and SIGTERM stop the job at the next chunk; a second Ctrl-C kills, a second SIGTERM does not (schedulers send
   several). signal() would leave a gap in which it does. */
static void cli_catch_signals(void)
{
#if defined(__unix__) || defined(__APPLE__)
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = cli_interrupt;
  sigaction(SIGTERM, &action, NULL);
  action.sa_flags = (int)SA_RESETHAND;
  sigaction(SIGINT, &action, NULL);
#else
  signal(SIGINT, cli_interrupt);
  signal(SIGTERM, cli_interrupt);
#endif
}

static const char cli_help[] =
    "perm [options] FILE...   exact permanents of matrices\n"
    "\n"
    "FILE is Matrix Market (array or coordinate; real, complex, integer, pattern; general,\n"
    "symmetric, skew-symmetric, hermitian), or rows of numbers separated by blanks or commas\n"
    "(complex as a+bi); - is standard input.\n"
    "\n"
    "  --generate KIND   instead of FILE: ones:N uniform:N symmetric-uniform:N gauss:N\n"
    "                    bernoulli:N er:N:P binary:N:P band:N:K grid:R:C (dominoes)\n"
    "                    regular:N:D mycielskian:K hexagonal:K benzene naphthalene anthracene\n"
    "                    phenanthrene pyrene perylene coronene circumcoronene complex-gauss:N\n"
    "                    circular:N unitary:N dft:N blocks:COUNT:ORDER:P tree:N arrow:N:HUBS\n"
    "  --seed S          of --generate and of --estimate (default 1)\n"
    "  --write FILE      the matrix as Matrix Market; computes as well, but not with --explain\n"
    "                    or when FILE is -, which is standard output\n"
    "  --spy FILE.svg    a picture of structure, elimination and plan; computes as well, but not with --explain\n"
    "  --explain         the plan with predicted seconds and bytes; computes nothing\n"
    "  --json            one JSON object a matrix, one line\n"
    "  --method NAME     auto (default) dense exact glynn ryser expansion; sparse: frontier lists sorting\n"
    "                    arrays tree band hybrid cached dominating sparyser decompose transversals,\n"
    "                    with --gpus codegen-registers codegen-memory;\n"
    "                    subsets repeats short padded (with ryser and expansion: rectangular matrices,\n"
    "                    repeats and subsets: equal rows or columns)\n"
    "  --precision NAME  fast default accurate dd exact, or kahan with methods glynn and ryser\n"
    "                    (default: default, exact for integer files)\n"
    "  --mod P           the exact permanent of integers modulo P, 2 to 2^63\n"
    "  --certify         the error must be a guaranteed bound (up to 3 times the time)\n"
    "  --tolerance REL   relative error wanted: rerun in higher precision until it is met\n"
    "  --threads K       0: all (default)\n"
    "  --isa NAME        highest instruction set: plain avx2 avx512 avx512ifma neon cuda (default: best)\n"
    "  --gpus K          at most K GPUs, or all, where predicted faster (default 0; in the command that `make cuda`\n"
    "                    builds); --isa cuda: wherever they can; --cpu-fallback: without one, on the CPU;\n"
    "                    --gpu-cache DIR: keep compiled kernels there\n"
    "  --tune[=K]        long sums of sparse matrices on GPUs: compile several kernels and take the one that is\n"
    "                    fastest on a slice. The choice, which is told, and so last bits may differ from run to\n"
    "                    run; with K: that candidate again\n"
    "  --rows M1,M2,..   row i counts Mi times, --cols K1,K2,.. column j Kj times\n"
    "  --minors R        permanents without row R (counted from 1) and one column each\n"
    "  --gradient        derivatives by every entry\n"
    "  --estimate        by random samples: value, standard error, 95 % interval; stops at\n"
    "                    --samples N, --relative-error E or --seconds S, whichever is first\n"
    "  --max-seconds S   stop there (sums) or refuse beforehand (single tasks)\n"
    "  --max-bytes B     refuse what is predicted to need more memory\n"
    "  --effort X        look X times as long for elimination orders of sparse matrices\n"
    "  --progress        progress on standard error (automatic on a terminal)\n"
    "  --version  --help\n"
    "\n"
    "Exit: 0 done; 1 stopped early or tolerance not met (the value so far is printed); 2 bad\n"
    "usage or input; 3 refused beforehand by a limit; 4 memory or input/output.\n"
    "\n"
    "Examples:\n"
    "  perm matrix.mtx\n"
    "  echo '1 2 3, 4 5 6, 7 8 9' | tr , '\\n' | perm -\n"
    "  perm --generate grid:8:8 --json           12988816 domino tilings of a chessboard\n"
    "  perm --generate uniform:40 --explain      how long would that take?\n";

/* Contract names that this version refuses; a name is refused rather than ignored. */
static const char *const cli_later_options[] = {"--ranks", "--checkpoint", "--part", "--merge"};

#define CLI_COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static int cli_among(const char *word, const char *const *list, int count)
{
  int i;
  for (i = 0; i < count; i++)
    if (!strcmp(word, list[i]))
      return 1;
  return 0;
}

static int cli_usage(const char *what, const char *word, const char *expected)
{
  fprintf(stderr, "perm: %s%s%s%s; %s\n", what, word ? " \"" : "", word ? word : "", word ? "\"" : "", expected);
  return CLI_USAGE;
}

static int cli_later(const char *kind, const char *word)
{
  fprintf(stderr, "perm: %s %s is not in this version (%d.%d.%d); perm --help lists what is\n", kind, word,
          PERM_VERSION_MAJOR, PERM_VERSION_MINOR, PERM_VERSION_PATCH);
  return CLI_USAGE;
}

/* The whole of text as a number in [low, high]; 0 if it is not. */
static int cli_number(const char *text, double low, double high, double *number)
{
  char *end;
  *number = strtod(text, &end);
  return *text && !*end && !strpbrk(text, "xXpPnN \t") && *number >= low && *number <= high;
}

static int cli_whole(const char *text, uint64_t *number)
{
  char *end;
  errno = 0;
  *number = strtoull(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && !*end && !errno;
}

/* Whole numbers separated by commas; 0 if text is anything else. Negative ones pass: the library says what is wrong. */
static int cli_counts(const char *text, int **counts, int *count)
{
  const char *c;
  int room = 1;
  for (c = text; *c; c++)
    room += *c == ',';
  free(*counts);
  *counts = (int *)malloc((size_t)room * sizeof **counts);
  for (*count = 0; *counts && *count < room; ++*count) {
    char *end;
    long number = strtol(text, &end, 10);
    if (end == text || (*end && *end != ',') || number < -1000000000 || number > 1000000000)
      return 0;
    (*counts)[*count] = (int)number;
    text = end + (*end == ',');
  }
  return *counts != NULL;
}

static int cli_parse(cli *run, int argc, char **argv)
{
  perm_options *options = &run->options;
  int i, k, only_files = 0, seconds = 0;
  double number;
  for (i = 1; i < argc; i++) {
    const char *word = argv[i], *value = NULL;
    char name[40];
    const char *equals;
    if (only_files || word[0] != '-' || !word[1]) {
      run->file[run->files++] = word;
      continue;
    }
    if (!strcmp(word, "--")) {
      only_files = 1;
      continue;
    }
    equals = strchr(word, '='); /* --name=value is --name value */
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - word) : (int)strlen(word), word);
    if (!strcmp(name, "--json") || !strcmp(name, "--explain") || !strcmp(name, "--progress") ||
        !strcmp(name, "--certify") || !strcmp(name, "--estimate") || !strcmp(name, "--gradient") ||
        !strcmp(name, "--cpu-fallback")) {
      if (equals)
        return cli_usage("no value goes with", name, "see perm --help");
      run->json |= !strcmp(name, "--json");
      run->explain |= !strcmp(name, "--explain");
      run->estimate |= !strcmp(name, "--estimate");
      run->gradient |= !strcmp(name, "--gradient");
      options->certify |= !strcmp(name, "--certify");
      options->cpu_fallback |= !strcmp(name, "--cpu-fallback");
      if (!strcmp(name, "--progress"))
        options->user_data = run; /* marks it as asked for; the callback is set in main */
      continue;
    }
    if (!strcmp(name, "--tune")) {
      number = PERM_TUNE;
      if (equals && (!cli_number(equals + 1, 1, 1000, &number) || number != floor(number)))
        return cli_usage("bad candidate", equals + 1, "expected --tune, or --tune=K with K that an earlier run told");
      options->tune = (int)number;
      continue;
    }
    if (cli_among(name, cli_later_options, CLI_COUNT(cli_later_options)))
      return cli_later("option", name);
    if (equals)
      value = equals + 1;
    else if (i + 1 < argc)
      value = argv[i + 1];
#define CLI_NEED(what)                                         \
  {                                                            \
    if (!value)                                                \
      return cli_usage("missing value after", name, what);     \
    i += !equals;                                              \
  }
    if (!strcmp(name, "--method")) {
      CLI_NEED("expected a method name")
      for (k = 0; k < PERM_METHOD_COUNT && (k == PERM_STRUCTURE || strcmp(value, perm_method_name((perm_method)k)));)
        k++;
      if (k == PERM_METHOD_COUNT)
        return cli_usage("unknown method", value, "perm --help lists them");
      options->method = (perm_method)k;
    } else if (!strcmp(name, "--precision")) {
      CLI_NEED("expected a precision")
      for (k = 0; k < PERM_PRECISION_COUNT && strcmp(value, perm_precision_name((perm_precision)k));)
        k++;
      if (k == PERM_PRECISION_COUNT)
        return cli_usage("unknown precision", value, "expected fast, default, accurate, dd, kahan or exact");
      options->precision = (perm_precision)k;
    } else if (!strcmp(name, "--isa")) {
      CLI_NEED("expected an instruction set")
      for (k = PERM_ISA_PLAIN; k < PERM_ISA_COUNT && strcmp(value, perm_isa_name((perm_isa)k));)
        k++;
      if (k == PERM_ISA_COUNT)
        return cli_usage("unknown instruction set", value, "expected plain, avx2, avx512, avx512ifma, neon or cuda");
      options->isa = (perm_isa)k;
    } else if (!strcmp(name, "--tolerance")) {
      CLI_NEED("expected a relative error such as 1e-12")
      if (!cli_number(value, 0, 1, &options->tolerance))
        return cli_usage("bad tolerance", value, "expected a relative error from 0 to 1, such as 1e-12");
    } else if (!strcmp(name, "--threads")) {
      CLI_NEED("expected a number of threads")
      if (!cli_number(value, 0, 4096, &number) || number != floor(number))
        return cli_usage("bad number of threads", value, "expected a whole number from 0 (all) to 4096");
      options->threads = (int)number;
    } else if (!strcmp(name, "--gpus")) {
      CLI_NEED("expected a number of GPUs, or all")
      number = PERM_ALL_GPUS;
      if (strcmp(value, "all") != 0 && (!cli_number(value, 0, 64, &number) || number != floor(number)))
        return cli_usage("bad number of GPUs", value, "expected a whole number from 0 (none) to 64, or all");
      options->gpus = (int)number;
    } else if (!strcmp(name, "--gpu-cache")) {
      CLI_NEED("expected a directory")
      options->gpu_cache = value;
    } else if (!strcmp(name, "--max-seconds")) {
      CLI_NEED("expected seconds")
      if (!cli_number(value, 0, 1e18, &options->max_seconds) || options->max_seconds == 0)
        return cli_usage("bad --max-seconds", value, "expected a positive number of seconds");
    } else if (!strcmp(name, "--seconds")) {
      CLI_NEED("expected seconds")
      if (!cli_number(value, 0, 1e18, &options->max_seconds) || options->max_seconds == 0)
        return cli_usage("bad --seconds", value, "expected a positive number of seconds");
      seconds = 1;
    } else if (!strcmp(name, "--samples")) {
      CLI_NEED("expected a number of samples")
      if (!cli_number(value, 1, 9e15, &run->estimate_plan.samples))
        return cli_usage("bad --samples", value, "expected a number from 1 to 9e15");
    } else if (!strcmp(name, "--relative-error")) {
      CLI_NEED("expected a relative error such as 0.01")
      if (!cli_number(value, 0, 1, &run->estimate_plan.relative_error) || run->estimate_plan.relative_error == 0)
        return cli_usage("bad --relative-error", value, "expected a number above 0, up to 1");
    } else if (!strcmp(name, "--mod")) {
      CLI_NEED("expected a modulus")
      if (!cli_whole(value, &options->modulus) || options->modulus < 2 || options->modulus > (uint64_t)1 << 63)
        return cli_usage("bad modulus", value, "expected a whole number from 2 to 2^63");
    } else if (!strcmp(name, "--rows") || !strcmp(name, "--cols")) {
      CLI_NEED("expected multiplicities such as 2,0,1")
      if (!cli_counts(value, name[2] == 'r' ? &run->row_counts : &run->column_counts,
                      name[2] == 'r' ? &run->rows : &run->columns))
        return cli_usage(name[2] == 'r' ? "bad --rows" : "bad --cols", value,
                         "expected whole numbers separated by commas, such as 2,0,1");
    } else if (!strcmp(name, "--minors")) {
      CLI_NEED("expected a row")
      if (!cli_number(value, 1, 1e9, &number) || number != floor(number))
        return cli_usage("bad row", value, "expected the number of a row, counted from 1");
      run->minors = (int)number;
    } else if (!strcmp(name, "--max-bytes")) {
      CLI_NEED("expected bytes")
      if (!cli_number(value, 0, 1e18, &options->max_bytes) || options->max_bytes == 0)
        return cli_usage("bad --max-bytes", value, "expected a positive number of bytes, such as 8e9");
    } else if (!strcmp(name, "--effort")) {
      CLI_NEED("expected a factor")
      if (!cli_number(value, 0, 1e6, &options->plan_effort) || options->plan_effort == 0)
        return cli_usage("bad --effort", value, "expected a positive number up to 1e6, such as 10");
    } else if (!strcmp(name, "--seed")) {
      CLI_NEED("expected a whole number")
      if (!cli_whole(value, &run->seed))
        return cli_usage("bad seed", value, "expected a whole number from 0 to 2^64-1");
    } else if (!strcmp(name, "--generate")) {
      CLI_NEED("expected a kind such as er:40:0.2")
      run->generate = value;
    } else if (!strcmp(name, "--spy")) {
      CLI_NEED("expected a file name")
      run->spy = value;
    } else if (!strcmp(name, "--write")) {
      CLI_NEED("expected a file name")
      run->write = value;
    } else {
      return cli_usage("unknown option", word, "perm --help lists them");
    }
  }
  if (run->generate && run->files)
    return cli_usage("--generate goes without files, but there is", run->file[0], "leave one of the two out");
  if (!run->generate && !run->files)
    return cli_usage("no matrix", NULL, "expected a file, - or --generate; perm --help explains");
  if (!run->estimate && (seconds || run->estimate_plan.samples > 0 || run->estimate_plan.relative_error > 0))
    return cli_usage("--samples, --relative-error and --seconds go with --estimate", NULL, "add it or leave them out");
  if (run->estimate + run->gradient + (run->minors > 0) > 1)
    return cli_usage("only one of --estimate, --gradient and --minors", NULL, "choose one");
  if (run->explain && (run->estimate || run->gradient || run->minors || run->rows || run->columns))
    return cli_usage("--explain is about permanents", NULL,
                     "leave out --estimate, --gradient, --minors, --rows and --cols");
  if (run->estimate && (run->rows || run->columns))
    return cli_usage("--estimate takes no multiplicities", NULL, "leave out --rows and --cols");
  if (run->spy && run->files > 1)
    return cli_usage("--spy takes one matrix", NULL, "give one file");
  if (run->write && run->files > 1)
    return cli_usage("--write takes one matrix", NULL, "give one file");
  return CLI_DONE;
}

static int cli_exit_code(perm_status status)
{
  switch (status) {
  case PERM_OK: return CLI_DONE;
  case PERM_ERROR_LIMIT:
  case PERM_ERROR_OVERFLOW: return CLI_REFUSED;
  case PERM_ERROR_MEMORY:
  case PERM_ERROR_DEVICE:
  case PERM_ERROR_FILE: return CLI_FAILED;
  default: return status > 0 ? CLI_EARLY : CLI_USAGE;
  }
}

static int cli_progress(const perm_progress *progress, void *user_data)
{
  (void)user_data;
  if (isfinite(progress->seconds_left))
    fprintf(stderr, "\r%s: %5.1f%%, %.1f s so far, about %.1f s left   ", progress->activity, 100 * progress->fraction,
            progress->seconds, progress->seconds_left);
  else
    fprintf(stderr, "\r%s: %.1f s so far   ", progress->activity, progress->seconds);
  fflush(stderr);
  return 0;
}

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

static void cli_json_head(const char *name, const perm_matrix *matrix)
{
  static const char *const kind[] = {"integer", "integer", "real", "complex"};
  printf("{\"file\":");
  cli_json_string(name);
  printf(",\"m\":%d,\"n\":%d,\"nnz\":%.0f,\"kind\":\"%s\"", matrix->m, matrix->n, (double)matrix->nnz,
         kind[matrix->kind]);
}

/* list: NULL, or what goes in as "minors" or "gradient": count numbers of `parts` doubles, in rows of `columns`. */
static void cli_print_json(const char *name, const perm_matrix *matrix, const perm_result *result, const char *key,
                           const double *list, int count, int columns)
{
  const int parts = matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  char value[PERM_TEXT_BYTES], imaginary[PERM_TEXT_BYTES];
  int k;
  cli_json_head(name, matrix);
  if (result->value != result->value) {
    printf(",\"value\":null,\"exp2\":0");
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
  cli_json_number("error", result->error);
  cli_json_number("estimate", result->estimate);
  printf(",\"method\":\"%s\",\"isa\":\"%s\",\"threads\":%d,\"gpus\":%d", perm_method_name(result->method),
         perm_isa_name(result->isa), result->threads, result->gpus);
  if (result->tuned)
    printf(",\"tuned\":%d", result->tuned);
  cli_json_number("terms", result->terms);
  cli_json_number("plan_seconds", result->plan_seconds);
  cli_json_number("seconds", result->seconds);
  if (result->modulus)
    printf(",\"modulus\":\"%llu\"", (unsigned long long)result->modulus);
  for (k = 0; list && result->status >= 0 && k < count; k++) { /* in units of 2^exp2, like the value */
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
  printf("}\n");
}

/* Digits known: guaranteed ones when there is a bound, and estimated ones where those are more. */
static void cli_digits(const perm_result *result, char *text, size_t size)
{
  double modulus = hypot(result->value, result->imaginary);
  double guaranteed = fmin(-log10(result->error / modulus), 17);
  double estimated = fmin(-log10(result->estimate / modulus), 17);
  const char *unit = result->exp2 ? " times that power of 2" : "";
  if (result->exact)
    snprintf(text, size, "exact");
  else if (result->status == PERM_STOPPED_CANCELLED || result->status == PERM_STOPPED_TIME)
    snprintf(text, size, "the terms so far, no approximation");
  else if (guaranteed > 0 && estimated > guaranteed + 0.5)
    snprintf(text, size, "%.1f digits guaranteed, %.1f estimated", guaranteed, estimated);
  else if (guaranteed > 0)
    snprintf(text, size, "%.1f digits guaranteed", guaranteed);
  else if (isfinite(result->error))
    snprintf(text, size, "no digit guaranteed: error up to %.2g%s", result->error, unit);
  else if (estimated > 0)
    snprintf(text, size, "%.1f digits estimated", estimated);
  else
    snprintf(text, size, "no digit estimated: error up to %.2g%s", result->estimate, unit);
}

static void cli_print(const char *name, const perm_matrix *matrix, const perm_result *result)
{
  char value[PERM_TEXT_BYTES], digits[96];
  perm_result_text(result, value, sizeof value);
  cli_digits(result, digits, sizeof digits);
  printf("%s: %d x %d, %.0f entries\n  permanent = %s", name, matrix->m, matrix->n, (double)matrix->nnz, value);
  if (!result->exact && !result->is_complex && result->exp2) { /* for people: the power of ten */
    double log10_value = log10(fabs(result->value)) + (double)result->exp2 * log10(2.0), whole = floor(log10_value);
    printf("  (about %s%.6fe%+.0f)", result->value < 0 ? "-" : "", pow(10, log10_value - whole), whole);
  }
  printf("\n  %s; %s, %s, %s, ", digits, perm_method_name(result->method), perm_precision_name(result->precision),
         perm_isa_name(result->isa));
  if (result->gpus)
    printf("%d GPU%s, ", result->gpus, result->gpus == 1 ? "" : "s");
  if (result->tuned)
    printf("candidate %d (--tune=%d: again), ", result->tuned, result->tuned);
  printf("%d thread%s, plan %.3g s, total %.3g s\n", result->threads, result->threads == 1 ? "" : "s",
         result->plan_seconds, result->seconds);
  if (result->status != PERM_OK)
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
    if (e->is_complex)
      printf(",\"value\":[\"%.17g\",\"%.17g\"]", e->value, e->imaginary);
    else
      printf(",\"value\":\"%.17g\"", e->value);
    printf(",\"exp2\":%lld,\"exact\":false,\"error\":null", e->exp2);
    cli_json_number("estimate", e->standard_error);
    cli_json_number("standard_error", e->standard_error);
    cli_json_number("low", e->low);
    cli_json_number("high", e->high);
    cli_json_number("radius", e->radius);
    cli_json_number("confidence", e->confidence);
    printf(",\"samples\":%.0f,\"seed\":%llu,\"method\":\"estimate-%s\",\"threads\":%d", e->samples,
           (unsigned long long)e->seed, perm_estimator_name(e->estimator), e->threads);
    cli_json_number("seconds", e->seconds);
    printf(",\"status\":\"%s\"}\n", perm_status_name(e->status));
    return;
  }
  printf("%s: %d x %d, %.0f entries\n  permanent about ", name, matrix->m, matrix->n, (double)matrix->nnz);
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
  printf("; estimator %s, %.0f samples, seed %llu, %d thread%s, %.3g s\n", perm_estimator_name(e->estimator),
         e->samples,
         (unsigned long long)e->seed, e->threads, e->threads == 1 ? "" : "s", e->seconds);
  if (e->status != PERM_OK)
    printf("  %s\n", e->message);
}

/* The matrix as rows of doubles or, where every entry is a whole number that fits, also of int64; NULL in *integer if
   not. 0: out of memory. */
static int cli_dense(const perm_matrix *matrix, double **real, int64_t **integer)
{
  const int parts = matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  const size_t count = (size_t)matrix->m * (size_t)matrix->n * (size_t)parts;
  int i, whole = 1;
  size_t e;
  *real = (double *)calloc(count + 1, sizeof **real);
  *integer = (int64_t *)calloc(count + 1, sizeof **integer);
  if (!*real || !*integer)
    return 0;
  for (i = 0; i < matrix->m; i++)
    for (e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++) {
      const size_t at = ((size_t)i * (size_t)matrix->n + (size_t)matrix->column[e]) * (size_t)parts;
      if (matrix->kind == PERM_KIND_PATTERN || matrix->kind == PERM_KIND_INTEGER) {
        (*integer)[at] = matrix->kind == PERM_KIND_PATTERN ? 1 : matrix->integer[e];
        (*real)[at] = (double)(*integer)[at];
      } else {
        const double x = matrix->real[e], y = parts == 2 ? matrix->imaginary[e] : 0;
        (*real)[at] = x;
        if (parts == 2)
          (*real)[at + 1] = y;
        whole &= fabs(x) < 9007199254740992.0 && x == floor(x) && fabs(y) < 9007199254740992.0 && y == floor(y);
        if (whole) {
          (*integer)[at] = (int64_t)x;
          if (parts == 2)
            (*integer)[at + 1] = (int64_t)y;
        }
      }
    }
  if (!whole) {
    free(*integer);
    *integer = NULL;
  }
  return 1;
}

/* What needs the matrix as an array: multiplicities, minors, gradient, estimate. *list: what was asked for besides. */
static void cli_compute_dense(const cli *run, const perm_matrix *matrix, perm_result *result, perm_estimate *estimate,
                              double **list)
{
  const perm_options *options = &run->options;
  const int m = matrix->m, n = matrix->n, parts = matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  const int exactly = options->precision == PERM_PRECISION_EXACT || options->modulus ||
                      (options->precision == PERM_PRECISION_DEFAULT && matrix->kind <= PERM_KIND_INTEGER);
  double *real = NULL;
  int64_t *integer = NULL;
  *list = NULL;
  if ((run->rows && run->rows != m) || (run->columns && run->columns != n)) {
    const int rows = run->rows && run->rows != m;
    result->status = PERM_ERROR_COUNTS;
    snprintf(result->message, sizeof result->message, "--%s has %d numbers for %d %s", rows ? "rows" : "cols",
             rows ? run->rows : run->columns, rows ? m : n, rows ? "rows" : "columns");
  } else if (!cli_dense(matrix, &real, &integer)) {
    result->status = PERM_ERROR_MEMORY;
    snprintf(result->message, sizeof result->message, "out of memory");
  } else if (run->estimate) {
    perm_estimate_plan plan = run->estimate_plan;
    plan.seed = run->seed;
    result->status = m != n ? PERM_ERROR_UNSUPPORTED
                     : parts == 1 ? perm_estimate_real(n, real, n, &plan, options, estimate)
                                  : perm_estimate_complex(n, real, n, &plan, options, estimate);
    snprintf(result->message, sizeof result->message, "%s",
             m != n ? "--estimate takes square matrices" : estimate->message);
  } else if (run->gradient || run->minors) {
    *list = (double *)calloc((size_t)n * (size_t)(run->gradient ? m : 1) * (size_t)parts + 1, sizeof **list);
    if (!*list) {
      result->status = PERM_ERROR_MEMORY;
      snprintf(result->message, sizeof result->message, "out of memory");
    } else if (run->gradient) {
      (parts == 1 ? perm_gradient_real : perm_gradient_complex)(m, n, real, n, run->row_counts, run->column_counts,
                                                                options, *list, result);
    } else {
      (parts == 1 ? perm_minors_real : perm_minors_complex)(m, n, real, n, run->row_counts, run->column_counts,
                                                            run->minors - 1, options, *list, result);
    }
  } else if (exactly && integer) {
    (parts == 1 ? perm_compute_repeated_integer : perm_compute_repeated_gaussian)(
        m, n, integer, n, run->row_counts, run->column_counts, options, result);
  } else {
    (parts == 1 ? perm_compute_repeated_real : perm_compute_repeated_complex)(m, n, real, n, run->row_counts,
                                                                              run->column_counts, options, result);
  }
  free(real);
  free(integer);
}

static int cli_explain(const char *name, const perm_matrix *matrix, const perm_options *options, int json,
                       perm_result *result)
{
  perm_job *job = NULL;
  char *text;
  size_t length;
  if (perm_sparse_job(matrix, options, &job, result) != PERM_OK)
    return 0;
  length = perm_job_explain(job, NULL, 0);
  text = (char *)malloc(length + 1);
  if (text) {
    perm_job_explain(job, text, length + 1);
    if (json) {
      printf("{\"file\":");
      cli_json_string(name);
      printf(",\"m\":%d,\"n\":%d,\"nnz\":%.0f,\"explain\":", matrix->m, matrix->n, (double)matrix->nnz);
      cli_json_string(text);
      printf("}\n");
    } else {
      printf("%s: %d x %d, %.0f entries\n%s", name, matrix->m, matrix->n, (double)matrix->nnz, text);
    }
  }
  free(text);
  perm_job_free(job);
  return 1;
}

static int cli_matrix(const cli *run, const char *file)
{
  const char *name = run->generate ? run->generate : !strcmp(file, "-") ? "standard input" : *file ? file : "\"\"";
  const int dense = run->rows || run->columns || run->minors || run->gradient || run->estimate;
  perm_matrix matrix;
  perm_result result;
  perm_estimate estimate;
  double *list = NULL;
  int code;
  memset(&estimate, 0, sizeof estimate);
  memset(&matrix, 0, sizeof matrix);
  memset(&result, 0, sizeof result);
  if (run->generate)
    result.status = perm_generate(run->generate, run->seed, &run->options, &matrix, &result);
  else
    result.status = perm_matrix_read(file, &run->options, &matrix, &result);
  if (result.status == PERM_OK && run->write) {
    result.status = perm_matrix_write(run->write, &matrix, &result);
    if (result.status != PERM_OK)
      name = run->write;
    else if (!strcmp(run->write, "-")) { /* standard output is taken: nothing else goes there */
      perm_matrix_free(&matrix);
      return CLI_DONE;
    }
  }
  if (result.status == PERM_OK && run->spy) {
    result.status = perm_sparse_spy(&matrix, &run->options, run->spy, &result);
    if (result.status == PERM_OK && !strcmp(run->spy, "-")) {
      perm_matrix_free(&matrix);
      return CLI_DONE;
    }
    if (result.status == PERM_ERROR_FILE)
      name = run->spy;
  }
  if (result.status == PERM_OK && run->explain) {
    if (cli_explain(name, &matrix, &run->options, run->json, &result)) {
      perm_matrix_free(&matrix);
      return CLI_DONE;
    }
  } else if (result.status == PERM_OK) {
    if (dense)
      cli_compute_dense(run, &matrix, &result, &estimate, &list);
    else
      perm_compute_sparse(&matrix, &run->options, &result);
    if (run->options.progress)
      fprintf(stderr, "\r%72s\r", "");
  }
  code = cli_exit_code(result.status);
  if (run->estimate && result.status >= 0) {
    cli_print_estimate(name, &matrix, &estimate, run->json);
  } else if (run->json) {
    cli_print_json(name, &matrix, &result, run->gradient ? "gradient" : "minors", list,
                   run->gradient ? matrix.m * matrix.n : matrix.n, matrix.n);
  } else if (result.status >= 0) {
    cli_print(name, &matrix, &result);
    if (list)
      cli_print_list(&result, run->gradient ? "gradient" : "minors", list,
                     run->gradient ? matrix.m * matrix.n : matrix.n, matrix.n,
                     matrix.kind == PERM_KIND_COMPLEX ? 2 : 1);
  }
  free(list);
  if (result.status < 0) /* file errors already begin with FILE:LINE: */
    fprintf(stderr, "perm: %s%s%s\n", strstr(result.message, name) ? "" : name,
            strstr(result.message, name) ? "" : ": ", result.message);
  perm_matrix_free(&matrix);
  return code;
}

int main(int argc, char **argv)
{
  cli run;
  int i, code;
  for (i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--"))
      break;
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
      fputs(cli_help, stdout);
      return CLI_DONE;
    }
    if (!strcmp(argv[i], "--version")) {
      printf("perm %d.%d.%d\n", PERM_VERSION_MAJOR, PERM_VERSION_MINOR, PERM_VERSION_PATCH);
      return CLI_DONE;
    }
  }
  memset(&run, 0, sizeof run);
  run.seed = 1;
  run.file = (const char **)malloc((size_t)argc * sizeof *run.file);
  if (!run.file) {
    fprintf(stderr, "perm: out of memory\n");
    return CLI_FAILED;
  }
  code = cli_parse(&run, argc, argv);
  if (code == CLI_DONE) {
    if (run.options.user_data || CLI_IS_TERMINAL)
      run.options.progress = cli_progress;
    run.options.cancel = &cli_interrupted;
    cli_catch_signals();
    for (i = 0; i < (run.generate ? 1 : run.files) && !cli_interrupted; i++) {
      int one = cli_matrix(&run, run.generate ? NULL : run.file[i]);
      code = one > code ? one : code;
    }
    if (fflush(stdout) || ferror(stdout)) {
      fprintf(stderr, "perm: cannot write to standard output\n");
      code = CLI_FAILED;
    }
  }
  free(run.file);
  free(run.row_counts);
  free(run.column_counts);
  return code;
}
