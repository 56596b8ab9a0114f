/* perm_cli_options.h: the words of the command line: help, exit codes, options, what goes with what, files that may be
   replaced. Part of perm_cli.c. */
#ifndef PERM_CLI_OPTIONS_H
#define PERM_CLI_OPTIONS_H

#include "perm_cli_help.h"

enum { CLI_DONE = 0, CLI_EARLY = 1, CLI_USAGE = 2, CLI_REFUSED = 3, CLI_FAILED = 4, CLI_TOLERANCE = 5 };
enum { CLI_ELSEWHERE = -1 }; /* not an option of this function */

#define CLI_COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* All options; the place of each in cli.given. */
static const char *const cli_options[] = {
    "--generate", "--format", "--seed", "--rows", "--cols", "--write", "--minors", "--gradient", "--mod", "--estimate",
    "--samples", "--sample", "--relative-error", "--guarantee", "--seconds", "--explain", "--ranks", "--spy", "--force",
    "--precision", "--certify", "--tolerance", "--method", "--effort", "--threads", "--isa", "--gpus",
    "--cpu-fallback", "--gpu-cache",
    "--max-seconds", "--max-bytes", "--checkpoint", "--checkpoint-seconds", "--resume", "--part", "--merge",
    "--progress", "--json", "--rook", "--marginals", "--market", "--prove", "--polynomial", "--permanental",
    "--amplitudes", "--probabilities", "--exactly", "--npy"};

typedef struct cli {
  perm_options options;
  int progress;         /* 2: a terminal, ten times a second; 1: asked for, a line a minute; 0: on what takes long */
  const char *told;     /* the activity of which that line was written */
  double told_seconds;  /* and when the last line was */
  int explain;          /* 2: all that the plan says */
  const char *name;     /* of the matrix that is explained */
  const perm_matrix *matrix;
  const char *taken;     /* what is taken for --guarantee, and why; NULL: not asked */
  double begun, samples; /* for it: seconds when samples were accepted, predicted of all */
  double done;           /* of the job that is resumed and explained: its share, 0 to 1 */
  int json, market, estimate, gradient, marginals, rook, amplitudes, probabilities, permanental;
  int minors;             /* the row, counted from 1 */
  const char *polynomial; /* the file of L, or NULL */
  perm_estimate_plan estimate_plan;
  int rows, columns, heralds; /* multiplicities given; 0: none */
  int *row_counts, *column_counts, *exactly;
  const char *generate, *write, *spy, *prove, *npy, *resume;
  int merge, ranks, force;
  char given[CLI_COUNT(cli_options)]; /* by the place in cli_options: the option was given */
  perm_matrix restored;      /* from a checkpoint, and its name; NULL: none */
  char *restored_name;
  const char *source;        /* the file that a resumed or merged checkpoint is of; NULL: none is there */
  uint64_t seed, sample; /* sample: permutations to draw; 0: none */
  int files;
  const char **file;
  double max_seconds; /* of each matrix; options.max_seconds is what its reading left */
} cli;

static int cli_seconds_given; /* by --seconds, not --max-seconds */
/* Methods by older names, and what they are now. */
static const char *const cli_older[][2] = {
    {"classes", "twins"}, {"signs", "sign-search"}, {"repeats", "multiplicities"}, {"proof", "auto"},
    {"cached", "hybrid"}, {"codegen-registers", "codegen"}, {"codegen-memory", "codegen"}};
static int cli_proves; /* --prove, or --method proof, the older words, which need no file */

#define CLI_PLANNED " --generate --method --precision --isa --tolerance --mod --certify --effort --max-bytes --rows " \
                    "--cols --cpu-fallback " /* what a checkpoint says for itself */
#define CLI_LISTS " --minors --gradient --marginals --rook --polynomial --permanental --amplitudes "
#define CLI_POLYNOMIAL_USELESS " --certify --tolerance --minors --gradient --marginals --estimate --sample --rows " \
                               "--cols --gpus --cpu-fallback --gpu-cache ",                                         \
                               "the coefficients of one polynomial are computed on the CPU, with bounds"

/* Pairs of which one would do nothing: `with` has no use for any of `others`. */
static const struct { const char *with, *others, *why; } cli_useless[] = {
    {"--estimate", " --mod --precision --certify --tolerance --method --effort --isa --gpus --cpu-fallback --gpu-cache "
                   "--max-bytes ",
     "samples are of doubles, on the CPU, and have --samples, --relative-error and --seconds"},
    {"--seconds", " --max-seconds ", "they are the same; give one"},
    {"--guarantee", " --relative-error ", "the error is the first of --guarantee's numbers"},
    {"--minors", " --mod --certify --effort --max-bytes ",
     "minors are computed exactly of integers, else in double or double-double, without a bound"},
    {"--gradient", " --mod --certify --effort --max-bytes ",
     "derivatives are computed exactly of integers, else in double or double-double, without a bound"},
    {"--marginals", " --mod --tolerance --precision --minors --gradient --rook --estimate --sample --prove --explain "
                    "--rows --cols --isa --gpus --cpu-fallback --gpu-cache ",
     "chances of entries are computed in doubles, on the CPU, and nothing else is"},
    {"--amplitudes", " --sample ", "outputs are drawn by perm.sampler.boson in Python and examples/boson_sampling.c; "
                                   "--probabilities lists the chances of all"},
    {"--amplitudes", " --mod --precision --effort --minors --gradient --marginals --market --rook --estimate --prove "
                     "--explain --spy --gpus --cpu-fallback --gpu-cache ",
     "amplitudes are computed in doubles, on the CPU, and nothing else is"},
    {"--market", " --json --rows --cols ", "it prints one matrix, of entries as they are"},
    {"--rook", " --polynomial --permanental --certify --tolerance --gpus --cpu-fallback --gpu-cache ",
     "rook numbers are computed exactly on the CPU"},
    {"--polynomial", " --permanental" CLI_POLYNOMIAL_USELESS},
    {"--permanental", CLI_POLYNOMIAL_USELESS},
    {"--merge", " --threads --gpus --cpu-fallback --gpu-cache --max-seconds --checkpoint-seconds --part ",
     "nothing is computed"},
    {"--sample", " --mod --certify --tolerance --minors --gradient --rook --estimate --explain --rows --cols --isa "
                 "--gpus --cpu-fallback --gpu-cache --json ",
     "permutations are drawn on the CPU, a line each, and nothing else is computed"},
    {"--prove", " --rows --cols --minors --gradient --rook --polynomial --permanental --estimate --sample --certify "
                "--tolerance ",
     "a proof is of the exact permanent of one whole matrix"},
    {"--explain", " --checkpoint-seconds --progress --seconds ", "nothing is computed"}};

/* Options that do nothing without one of others. */
static const struct { const char *option, *needs; } cli_needs[] = {
    {"--seed", " --generate --estimate --guarantee --sample "}, {"--force", " --write --spy --prove --npy "},
    {"--probabilities", " --amplitudes "}, {"--exactly", " --amplitudes "}, {"--npy", " --amplitudes "},
    {"--cpu-fallback", " --gpus "}, {"--gpu-cache", " --gpus --resume "}, {"--market", " --gradient --marginals "}};

/* How many letters are put in, left out or changed between two words of less than 32; other than that, many. */
static int cli_distance(const char *a, const char *b)
{
  int row[32], i, j, n = (int)strlen(b), left, above;
  if (n >= 32 || strlen(a) >= 32)
    return 32;
  for (j = 0; j <= n; j++)
    row[j] = j;
  for (i = 1; a[i - 1]; i++)
    for (left = row[0], row[0] = i, j = 1; j <= n; j++) {
      above = row[j];
      row[j] = left + (a[i - 1] != b[j - 1]);
      if (row[j] > above + 1)
        row[j] = above + 1;
      if (row[j] > row[j - 1] + 1)
        row[j] = row[j - 1] + 1;
      left = above;
    }
  return row[n];
}

/* What was meant: the nearest of the options, or of the methods, if it is near; else where they are listed. */
static const char *cli_meant(const char *word, int methods)
{
  static char text[96];
  int k, least = 3;
  snprintf(text, sizeof text, "perm --%s", methods ? "list methods has them" : "help lists them");
  if (!methods && (strstr(word, "time") || strstr(word, "limit") || strstr(word, "memory")))
    return strstr(word, "mem") ? "did you mean --max-bytes? perm --help lists all"
                               : "did you mean --max-seconds? perm --help lists all";
  for (k = 0; k < (methods ? PERM_METHOD_COUNT : CLI_COUNT(cli_options)); k++) {
    const char *name = methods ? perm_name("method", (perm_method)k) : cli_options[k];
    const int distance = methods && k == PERM_METHOD_STRUCTURE ? least : cli_distance(word, name); /* of results only */
    if (distance < least && distance < (int)strlen(name) / 2) {
      least = distance;
      snprintf(text, sizeof text, "did you mean %s? perm --%s", name,
               methods ? "list methods has them all" : "help lists all");
    }
  }
  return text;
}

typedef struct cli_words { char text[40]; } cli_words;

/* An amount with its unit, "seconds" or "bytes", as people say it. */
static cli_words cli_amount(const char *unit, double amount)
{
  cli_words words;
  perm_amount_text(unit, amount, words.text, sizeof words.text);
  return words;
}

static int cli_usage(const char *what, const char *word, const char *expected)
{
  fprintf(stderr, "perm: %s%s%s%s; %s\n", what, word ? " \"" : "", word ? word : "", word ? "\"" : "", expected);
  return CLI_USAGE;
}

/* The first of the options in `list`, which has blanks around each, that was given; NULL: none. */
static const char *cli_given(const cli *run, const char *list)
{
  for (int k = 0; k < CLI_COUNT(cli_options); k++) {
    char name[40];
    snprintf(name, sizeof name, " %s ", cli_options[k]);
    if (run->given[k] && strstr(list, name))
      return cli_options[k];
  }
  return NULL;
}

static int cli_writes_output(const cli *run)
{
  return (run->write && !strcmp(run->write, "-")) || (run->spy && !strcmp(run->spy, "-"));
}

/* Would an option do nothing? */
static int cli_check_pairs(const cli *run)
{
  char name[40], text[80];
  const char *other;
  int k;
  for (k = 0; k < CLI_COUNT(cli_useless); k++) {
    snprintf(name, sizeof name, " %s ", cli_useless[k].with);
    if (cli_given(run, name) && (other = cli_given(run, cli_useless[k].others)) != NULL) {
      snprintf(text, sizeof text, "%s has no use for", cli_useless[k].with);
      return cli_usage(text, other, cli_useless[k].why);
    }
  }
  for (k = 0; k < CLI_COUNT(cli_needs); k++) {
    snprintf(name, sizeof name, " %s ", cli_needs[k].option);
    if (cli_given(run, name) && !cli_given(run, cli_needs[k].needs)) {
      char needs[80];
      snprintf(text, sizeof text, "%s does nothing without%s", cli_needs[k].option,
               strstr(cli_needs[k].needs, " --") != strrchr(cli_needs[k].needs, '-') - 2 ? " one of" : "");
      snprintf(needs, sizeof needs, "%.*s", (int)strlen(cli_needs[k].needs) - 2, cli_needs[k].needs + 1);
      return cli_usage(text, needs, "add one or leave it out");
    }
  }
  if (cli_writes_output(run) &&
      (other = cli_given(run, CLI_LISTS " --estimate --sample --explain --checkpoint --part --mod --certify "
                                        "--tolerance ")) != NULL)
    return cli_usage("with standard output for the file nothing is computed, so there is no use for", other,
                     "name another file");
  if (run->json && cli_writes_output(run))
    return cli_usage("with standard output for the file there is no place for", "--json", "name another file");
  return CLI_DONE;
}

#if defined(__unix__) || defined(__APPLE__)
#define CLI_STAT 1
#endif

/* Do two names mean one regular file? One that is not there yet has a directory and a last part. */
static int cli_same_file(const char *a, const char *b)
{
#if defined(CLI_STAT)
  const char *const path[2] = {a, b}, *last[2];
  struct stat at[2];
  int k, there = 0;
  for (k = 0; k < 2; k++)
    there += (strcmp(path[k], "-") ? stat(path[k], &at[k]) : fstat(0, &at[k])) == 0;
  for (k = 0; k < 2 && there == 0; k++) {
    char *directory = (char *)malloc(strlen(path[k]) + 2);
    const char *slash = strrchr(path[k], '/');
    int found;
    if (!directory)
      return !strcmp(a, b);
    sprintf(directory, "%.*s", slash ? (int)(slash - path[k]) + 1 : 1, slash ? path[k] : ".");
    last[k] = slash ? slash + 1 : path[k];
    found = stat(directory, &at[k]) == 0;
    free(directory);
    if (!found)
      return !strcmp(a, b);
  }
  return there != 1 && at[0].st_dev == at[1].st_dev && at[0].st_ino == at[1].st_ino &&
         (there == 2 ? S_ISREG(at[0].st_mode) : !strcmp(last[0], last[1]));
#else
  return !strcmp(a, b);
#endif
}

#define CLI_LEFT 21 /* ".0123456789abcdef.tmp" ends the name of what a killed writer left: the next one removes it */

static int cli_is_left(const char *name)
{
  const size_t length = strlen(name);
  const char *const end = name + (length > CLI_LEFT ? length - CLI_LEFT : 0);
  return length > CLI_LEFT && *end == '.' && strspn(end + 1, "0123456789abcdef") == 16 && !strcmp(end + 17, ".tmp");
}

/* Would the writer of `path` remove `other` as left by a killed one? By its name, or by any other name of that file. */
static int cli_would_clean(const char *path, const char *other)
{
  int found = 0;
#if defined(CLI_STAT)
  const char *const slash = strrchr(path, '/');
  const size_t base = slash ? (size_t)(slash - path) + 1 : 0, length = strlen(path), size = strlen(other);
  char *name = (char *)malloc((length > size ? length : size) + CLI_LEFT + 1);
  const struct dirent *entry;
  DIR *directory = NULL;
  if (name && strcmp(path, "-") != 0) {
    if (cli_is_left(other)) {
      sprintf(name, "%.*s", (int)(size - CLI_LEFT), other);
      found = cli_same_file(name, path);
    }
    sprintf(name, "%.*s", (int)base, path);
    directory = opendir(base ? name : ".");
  }
  while (!found && directory && (entry = readdir(directory)) != NULL)
    if (!strncmp(entry->d_name, path + base, length - base) && cli_is_left(entry->d_name) &&
        strlen(entry->d_name) == length - base + CLI_LEFT) {
      sprintf(name + base, "%s", entry->d_name);
      found = cli_same_file(name, other);
    }
  if (directory)
    closedir(directory);
  free(name);
#else
  (void)path, (void)other;
#endif
  return found;
}

/* Would one output replace or clean away another one of this command? What destroys a checkpoint: cli_check_inputs. */
static int cli_check_outputs(const cli *run)
{
  const char *const option[5] = {"--write", "--spy", "--prove", "--npy", run->resume ? "--resume" : "--checkpoint"};
  const char *const path[5] = {run->write, run->spy, run->prove, run->npy, run->options.checkpoint.file};
  char text[64];
  int i, k;
  for (i = 0; i < 5; i++)
    for (k = 0; k < 4; k++)
      if (!path[i] || !path[k] || k == i) {
        continue;
      } else if (k < i && i < 4 && (!strcmp(path[i], path[k]) || cli_same_file(path[i], path[k]))) {
        snprintf(text, sizeof text, "%s and %s have one name", option[k], option[i]);
        return cli_usage(text, path[i], "give two");
      } else if (cli_would_clean(path[i], path[k])) {
        snprintf(text, sizeof text, "%s would destroy the file of %s", option[i], option[k]);
        return cli_usage(text, path[k], "name another file");
      }
  return CLI_DONE;
}

/* Would an output destroy a checkpoint or an input of this command, by whatever name? The checkpoint that is resumed is
   replaced, merged parts may be the whole. */
static int cli_check_inputs(const cli *run, const char *option, const char *path)
{
  const char *const checkpoint = run->options.checkpoint.file;
  const int replaced = path == checkpoint && (run->resume || run->merge);
  char text[64];
  int i;
  for (i = -3; path && i < run->files; i++) {
    const char *const input = i == -3 ? run->polynomial : i == -2 ? run->source : i == -1 ? checkpoint : run->file[i];
    if (input && input != path && ((!replaced && cli_same_file(path, input)) || cli_would_clean(path, input))) {
      snprintf(text, sizeof text, "%s would destroy the %s", option,
               i == -1 || (run->merge && i >= 0) ? "checkpoint" : "input");
      return cli_usage(text, path, "name another file");
    }
  }
  return CLI_DONE;
}

/* May --write, --spy or --prove replace this file? Never a checkpoint or an input of this command, and only a file that
   begins as what it writes, but for --force. A link, a directory and the like: the library refuses them. */
static int cli_check_output(const cli *run, const char *option, const char *path, const char *begins, const char *kind)
{
  char head[32] = "", text[100] = "";
  FILE *file;
  if (!path || !strcmp(path, "-"))
    return CLI_DONE;
  if (cli_check_inputs(run, option, path) != CLI_DONE)
    return CLI_USAGE;
  if (run->force)
    return CLI_DONE;
#if defined(CLI_STAT)
  struct stat there;
  if (stat(path, &there) != 0 || !S_ISREG(there.st_mode))
    return CLI_DONE;
#endif
  if (!strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6)) /* open files by name */
    return CLI_DONE;
  file = fopen(path, "rb");
  if (file) {
    const size_t bytes = fread(head, 1, sizeof head - 1, file);
    if (bytes && strncmp(head, begins, strlen(begins)) != 0)
      snprintf(text, sizeof text, "%s would replace a file that is no %s:", option, kind);
    fclose(file);
  } else if (errno != ENOENT) /* it may be anything */
    snprintf(text, sizeof text, "%s would replace a file that cannot be read:", option);
  return *text ? cli_usage(text, path, "name another file, or add --force") : CLI_DONE;
}

/* Do the files that are written leave each other and the inputs alone? */
static int cli_check_files(const cli *run)
{
  return cli_check_outputs(run) ||
                 cli_check_inputs(run, run->resume ? "--resume" : "--checkpoint", run->options.checkpoint.file) ||
                 cli_check_output(run, "--write", run->write, "%%MatrixMarket", "Matrix Market") ||
                 cli_check_output(run, "--prove", run->prove, "\211PROOF", "proof of a permanent") ||
                 cli_check_output(run, "--npy", run->npy, "\223NUMPY", ".npy") ||
                 cli_check_output(run, "--spy", run->spy, "<svg", "SVG")
             ? CLI_USAGE : CLI_DONE;
}

#define CLI_METHOD(name, word, text) text,
static const char *const cli_method_text[] = {PERM_METHOD_LIST(CLI_METHOD)};
#undef CLI_METHOD

/* Names, one a line, some with a tab and what they are: for people, shell completion and the manual page. */
static int cli_list(const char *what)
{
  int k;
  if (!strcmp(what, "methods")) {
    for (k = 0; k < PERM_METHOD_COUNT; k++)
      if (k != PERM_METHOD_STRUCTURE)
        printf("%s\t%s\n", perm_name("method", (perm_method)k), cli_method_text[k]);
  } else if (!strcmp(what, "precisions")) {
    for (k = 0; k < PERM_PRECISION_COUNT; k++)
      puts(perm_name("precision", (perm_precision)k));
  } else if (!strcmp(what, "isas")) {
    for (k = PERM_ISA_PLAIN; k < PERM_ISA_COUNT; k++)
      puts(perm_name("isa", (perm_isa)k));
  } else if (!strcmp(what, "formats")) {
#define CLI_FORMAT(name, word, text) printf("%s\t%s\n", word, text);
    PERM_FORMAT_LIST(CLI_FORMAT)
#undef CLI_FORMAT
  } else if (!strcmp(what, "generators")) {
    for (k = 0; k < CLI_COUNT(generate_kinds); k++)
      printf("%s\t%s\n", generate_kinds[k].form, generate_kinds[k].text);
    for (k = 0; k < CLI_COUNT(generate_molecules); k++)
      printf("%s\tKekule structures\n", generate_molecules[k].name);
    puts("circumcoronene\tKekule structures");
  } else if (!strcmp(what, "options")) { /* the lines of the help that begin with one */
    for (k = 0; k < CLI_COUNT(cli_help); k++) {
      const char *line, *next;
      for (line = cli_help[k]; *line; line = next) {
        next = strchr(line, '\n') + 1;
        if (!strncmp(line, "  --", 4))
          printf("%.*s\n", (int)(strstr(line + 2, "  ") - line - 2), line + 2);
      }
    }
  } else {
    return cli_usage("no list of", what, "expected methods, precisions, isas, formats, generators or options");
  }
  return CLI_DONE;
}

/* The whole of text as a number in [low, high]; 0 if it is not. */
static int cli_number(const char *text, double low, double high, double *number)
{
  char *end;
  *number = strtod(text, &end);
  return *text && !*end && !strpbrk(text, "xXpPnN \t") && *number >= low && *number <= high;
}

/* Bytes: a positive number, perhaps with k, M, G or T (powers of 1000, or with i of 1024) and B: 8e9, 8G, 8GB, 8GiB. */
static int cli_bytes(const char *text, double *bytes)
{
  static const char units[] = "kMGT";
  char number[64];
  const char *end = text + strlen(text), *unit;
  double each = 1;
  int binary;
  end -= end > text && end[-1] == 'B';
  binary = end > text && end[-1] == 'i';
  end -= binary;
  unit = end > text ? strchr(units, end[-1] == 'K' ? 'k' : end[-1]) : NULL;
  if (unit && *unit)
    for (end--; unit >= units; unit--)
      each *= binary ? 1024 : 1000;
  if (end - text >= (ptrdiff_t)sizeof number || (binary && each == 1))
    return 0;
  snprintf(number, sizeof number, "%.*s", (int)(end - text), text);
  if (!cli_number(number, 0, 1e18 / each, bytes) || *bytes == 0)
    return 0;
  *bytes *= each;
  return 1;
}

/* Two numbers between 0 and 1, without these, and a comma. */
static int cli_two_numbers(const char *text, double *first, double *second)
{
  const char *comma = strchr(text, ',');
  char begin[64];
  if (!comma || comma - text >= (ptrdiff_t)sizeof begin)
    return 0;
  memcpy(begin, text, (size_t)(comma - text));
  begin[comma - text] = 0;
  return cli_number(begin, 0, 1, first) && cli_number(comma + 1, 0, 1, second) && *first > 0 && *first < 1 &&
         *second > 0 && *second < 1;
}

static int cli_whole(const char *text, uint64_t *number)
{
  char *end;
  errno = 0;
  *number = strtoull(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && !*end && !errno;
}

/* Whole numbers separated by commas; 0 if text is anything else. Negative ones pass: the library says what is wrong.
   words: letters that stand for -1, -2, .. */
static int cli_counts(const char *text, const char *words, int **counts, int *count)
{
  const char *c;
  int room = 1;
  for (c = text; *c; c++)
    room += *c == ',';
  free(*counts);
  *counts = (int *)malloc((size_t)room * sizeof **counts);
  for (*count = 0; *counts && *count < room; ++*count) {
    const char *const word = *text ? strchr(words, *text) : NULL;
    char *end = (char *)text + 1;
    const long number = word ? -1 - (long)(word - words) : strtol(text, &end, 10);
    if (end == text || (*end && *end != ',') || number < -1000000000 || number > 1000000000)
      return 0;
    (*counts)[*count] = (int)number;
    text = end + (*end == ',');
  }
  return *counts != NULL;
}

/* "3/8" */
static int cli_part(const char *text, int *part, int *parts)
{
  const char *slash = strchr(text, '/');
  char first[12];
  uint64_t i, k;
  if (!slash || slash - text >= (ptrdiff_t)sizeof first)
    return 0;
  snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
  if (!cli_whole(first, &i) || !cli_whole(slash + 1, &k) || i < 1 || i > k || k > 1000000000)
    return 0;
  *part = (int)i;
  *parts = (int)k;
  return 1;
}

/* Is it the name of a file that can be replaced? */
static int cli_check_name(const char *option, const char *value)
{
  char text[80];
  snprintf(text, sizeof text, "%s takes a file, not a stream, so there is no use for", option);
  return !*value ? cli_usage("no file name after", option, "expected one")
         : strcmp(value, "-") ? CLI_DONE : cli_usage(text, value, "./- is a file of that name");
}

/* Do the options of checkpoints go together, and with the others? */
static int cli_check_pieces(const cli *run)
{
  int i;
  char text[120];
  const char *other;
  const perm_options *options = &run->options;
  const char *const what = run->resume ? "--resume" : run->merge ? "--merge" : "--checkpoint";
  if (run->ranks && !run->explain)
    return cli_usage("--ranks is for predictions", NULL, "add --explain; to compute, start perm_mpi with mpirun -np");
  if (options->checkpoint.parts && !options->checkpoint.file)
    return cli_usage("--part keeps its work in a file", NULL, "add --checkpoint FILE");
  if (options->checkpoint.seconds > 0 && !options->checkpoint.file)
    return cli_usage("--checkpoint-seconds goes with a file", NULL, "add --checkpoint FILE");
  if (!options->checkpoint.file && !run->merge)
    return CLI_DONE;
  if ((run->resume || run->merge) && (other = cli_given(run, CLI_PLANNED)) != NULL) {
    snprintf(text, sizeof text, "the checkpoint has matrix and options of the job, so %s does not go with", other);
    return cli_usage(text, what, "leave it out, or begin another job with --checkpoint");
  }
  if (run->resume &&
      (run->files || run->merge || options->checkpoint.parts || strcmp(options->checkpoint.file, run->resume) != 0))
    return cli_usage("--resume takes one checkpoint", NULL, "leave out files, --checkpoint, --merge and --part");
  if (run->merge && (!run->files || options->checkpoint.parts))
    return cli_usage("--merge puts checkpoints together", NULL, "name all of them, and no --part");
  if (cli_given(run, CLI_LISTS " --estimate --guarantee --sample "))
    return cli_usage("only permanents have pieces, so --estimate, --sample, --gradient, --minors, --rook, --amplitudes "
                     "and polynomials do not go with", what, "leave one out");
  if (run->explain && run->merge)
    return cli_usage("--explain is of one checkpoint, so it does not go with", what, "take --resume");
  if (!run->merge && run->files > 1)
    return cli_usage("a checkpoint is of one matrix", NULL, "give one file");
  for (i = 0; run->merge && i < run->files; i++)
    if (cli_check_name("--merge", run->file[i]) != CLI_DONE)
      return CLI_USAGE;
  return CLI_DONE;
}

#define CLI_NEED(what)                                         \
  if (!value)                                                  \
    return cli_usage("missing value after", name, what);

/* Takes an option that has no value. Returns 0 if `name` is none. */
static int cli_take_flag(cli *run, const char *name)
{
  const struct { const char *name; int *place; } flags[] = {
      {"--json", &run->json}, {"--force", &run->force}, {"--merge", &run->merge}, {"--estimate", &run->estimate},
      {"--gradient", &run->gradient}, {"--marginals", &run->marginals}, {"--rook", &run->rook},
      {"--permanental", &run->permanental}, {"--progress", &run->progress}, {"--market", &run->market},
      {"--amplitudes", &run->amplitudes}, {"--probabilities", &run->probabilities},
      {"--certify", &run->options.certify}, {"--cpu-fallback", &run->options.gpu.cpu_fallback}};
  int k;
  for (k = 0; k < CLI_COUNT(flags); k++)
    if (!strcmp(name, flags[k].name))
      return *flags[k].place = 1;
  return 0;
}

/* Takes an option whose value is one of a list. Like the next two functions it returns CLI_DONE, CLI_USAGE if there is
   no value or a wrong one, and CLI_ELSEWHERE if `name` is none of its options. */
static int cli_take_choice(perm_options *options, const char *name, const char *value)
{
  const struct { const char *name, *kind, *what, *expected; int first, count; } choices[] = {
      {"--method", "method", "method", "expected a method name", 0, PERM_METHOD_COUNT},
      {"--precision", "precision", "precision", "expected default, dd, kahan or exact", 0, PERM_PRECISION_COUNT},
      {"--isa", "isa", "instruction set", "perm --list isas names them", PERM_ISA_PLAIN, PERM_ISA_COUNT},
      {"--format", "format", "format", "perm --list formats names them", 0, PERM_FORMAT_COUNT}};
  char unknown[32];
  int i = 0, k;
  while (i < CLI_COUNT(choices) && strcmp(name, choices[i].name) != 0)
    i++;
  if (i == CLI_COUNT(choices))
    return CLI_ELSEWHERE;
  CLI_NEED(choices[i].expected)
  cli_proves |= i == 0 && !strcmp(value, "proof");
  for (k = 0; i == 0 && k < CLI_COUNT(cli_older); k++)
    value = strcmp(value, cli_older[k][0]) ? value : cli_older[k][1];
  if (i == 1) /* names of before 1.0 */
    value = !strcmp(value, "accurate") ? "dd" : !strcmp(value, "fast") ? "default" : value;
  for (k = choices[i].first; k < choices[i].count && ((i == 0 && k == PERM_METHOD_STRUCTURE) ||
                                                      strcmp(value, perm_name(choices[i].kind, k)) != 0);)
    k++;
  snprintf(unknown, sizeof unknown, "unknown %s", choices[i].what);
  if (k == choices[i].count)
    return cli_usage(unknown, value, i ? choices[i].expected : cli_meant(value, 1));
  if (i == 0)
    options->method = (perm_method)k;
  else if (i == 1)
    options->precision = (perm_precision)k;
  else if (i == 2)
    options->isa = (perm_isa)k;
  else
    options->format = (perm_format)k;
  return CLI_DONE;
}

/* Takes an option whose value is a number within limits. */
static int cli_take_number(cli *run, const char *name, const char *value)
{
  enum { REAL, POSITIVE, WHOLE }; /* a double, one above 0, an int */
  perm_options *options = &run->options;
  const struct { const char *name; void *place; int kind; double least, most; const char *expected; } numbers[] = {
      {"--tolerance", &options->tolerance, REAL, 0, 1, "expected a relative error from 0 to 1, such as 1e-12"},
      {"--threads", &options->threads, WHOLE, 0, 4096, "expected a whole number from 0 (all) to 4096"},
      {"--max-seconds", &options->max_seconds, POSITIVE, 0, 1e18, "expected a positive number of seconds"},
      {"--seconds", &options->max_seconds, POSITIVE, 0, 1e18, "expected a positive number of seconds"},
      {"--checkpoint-seconds", &options->checkpoint.seconds, POSITIVE, 0, 1e18,
       "expected a positive number of seconds"},
      {"--samples", &run->estimate_plan.samples, REAL, 1, 9e15, "expected a number from 1 to 9e15"},
      {"--relative-error", &run->estimate_plan.relative_error, POSITIVE, 0, 1, "expected a number above 0, up to 1"},
      {"--minors", &run->minors, WHOLE, 1, 1e9, "expected the number of a row, counted from 1"},
      {"--effort", &options->plan_effort, POSITIVE, 0, 1e6, "expected a positive number up to 1e6, such as 10"},
      {"--ranks", &run->ranks, WHOLE, 1, 1e7, "expected a whole number from 1 to 10000000"}};
  char bad[48];
  double number;
  int k;
  for (k = 0; k < CLI_COUNT(numbers) && strcmp(name, numbers[k].name) != 0;)
    k++;
  if (k == CLI_COUNT(numbers))
    return CLI_ELSEWHERE;
  CLI_NEED(numbers[k].expected)
  snprintf(bad, sizeof bad, "bad %s", name);
  if (!cli_number(value, numbers[k].least, numbers[k].most, &number) ||
      (numbers[k].kind == WHOLE && number != floor(number)) || (numbers[k].kind == POSITIVE && number == 0))
    return cli_usage(bad, value, numbers[k].expected);
  if (numbers[k].kind == WHOLE)
    *(int *)numbers[k].place = (int)number;
  else
    *(double *)numbers[k].place = number;
  cli_seconds_given |= !strcmp(name, "--seconds");
  return CLI_DONE;
}

/* Takes an option with a value of its own kind. */
static int cli_take_value(cli *run, const char *name, const char *value)
{
  perm_options *options = &run->options;
  char bad[48];
  double number = PERM_ALL_GPUS, delta;
  snprintf(bad, sizeof bad, "bad %s", name);
  if (!strcmp(name, "--gpus")) {
    CLI_NEED("expected a number of GPUs, or all")
    if (strcmp(value, "all") != 0 && (!cli_number(value, 0, 64, &number) || number != floor(number)))
      return cli_usage(bad, value, "expected a whole number from 0 (none) to 64, or all");
    options->gpu.devices = (int)number;
  } else if (!strcmp(name, "--gpu-cache")) {
    CLI_NEED("expected a directory")
    options->gpu.cache = value;
  } else if (!strcmp(name, "--sample") || !strcmp(name, "--seed")) {
    const int none = name[3] == 'e'; /* a seed may be 0 */
    CLI_NEED("expected a whole number")
    if (!cli_whole(value, none ? &run->seed : &run->sample) || (!none && !run->sample))
      return cli_usage(bad, value, "expected a whole number up to 2^64-1");
  } else if (!strcmp(name, "--guarantee")) {
    CLI_NEED("expected an error and a chance such as 0.1,0.05")
    if (!cli_two_numbers(value, &run->estimate_plan.relative_error, &delta) || delta < 1e-9)
      return cli_usage(bad, value, "expected a relative error between 0 and 1, a comma, and the chance to miss it, "
                                   "1e-9 to 1: 0.1,0.05");
    run->estimate_plan.confidence = 1 - delta;
    run->estimate = run->estimate_plan.guarantee = 1;
  } else if (!strcmp(name, "--mod")) {
    CLI_NEED("expected a modulus")
    if (!cli_whole(value, &options->modulus) || options->modulus < 2 || options->modulus > (uint64_t)1 << 63)
      return cli_usage(bad, value, "expected a whole number from 2 to 2^63");
  } else if (!strcmp(name, "--rows") || !strcmp(name, "--cols")) {
    CLI_NEED("expected multiplicities such as 2,0,1")
    if (!cli_counts(value, "", name[2] == 'r' ? &run->row_counts : &run->column_counts,
                    name[2] == 'r' ? &run->rows : &run->columns))
      return cli_usage(bad, value, "expected whole numbers separated by commas, such as 2,0,1");
  } else if (!strcmp(name, "--exactly")) {
    CLI_NEED("expected photons by row such as 1,-,x")
    if (!cli_counts(value, "-x", &run->exactly, &run->heralds))
      return cli_usage(bad, value, "expected numbers, - or x, separated by commas, such as 1,-,x");
  } else if (!strcmp(name, "--max-bytes")) {
    CLI_NEED("expected bytes")
    if (!cli_bytes(value, &options->max_bytes))
      return cli_usage(bad, value, "expected a positive number of bytes, such as 8e9 or 8G");
  } else if (!strcmp(name, "--generate")) {
    CLI_NEED("expected a kind such as er:40:0.2")
    if (run->generate)
      return cli_usage("a second --generate", value, "give one");
    run->generate = value;
  } else if (!strcmp(name, "--checkpoint") || !strcmp(name, "--resume") || !strcmp(name, "--prove") ||
             !strcmp(name, "--npy")) {
    CLI_NEED("expected a file name")
    if (cli_check_name(name, value) != CLI_DONE)
      return CLI_USAGE;
    *(name[2] == 'p' ? &run->prove : name[2] == 'n' ? &run->npy : &options->checkpoint.file) = value;
    cli_proves |= name[2] == 'p';
    run->resume = name[2] == 'r' ? value : run->resume;
  } else if (!strcmp(name, "--polynomial")) {
    CLI_NEED("expected the file of a matrix L")
    run->polynomial = value;
  } else if (!strcmp(name, "--part")) {
    CLI_NEED("expected a part such as 1/8")
    if (!cli_part(value, &options->checkpoint.part, &options->checkpoint.parts))
      return cli_usage(bad, value, "expected I/K with I from 1 to K, such as 1/8");
  } else if (!strcmp(name, "--spy") || !strcmp(name, "--write")) {
    CLI_NEED("expected a file name")
    if (!*value)
      return cli_usage("no file name after", name, "expected one");
    if (name[2] == 's' && strlen(value) > 4 && strstr(".png.jpg.pdf.gif.eps", value + strlen(value) - 4))
      return cli_usage("--spy draws SVG, not what is named", value, "expected a name such as order.svg");
    *(name[2] == 's' ? &run->spy : &run->write) = value;
  } else
    return CLI_ELSEWHERE;
  return CLI_DONE;
}

/* Does what was asked for go together? */
static int cli_check(cli *run)
{
  const perm_options *options = &run->options;
  const char *const single = cli_given(run, " --spy --prove --write --market --npy ");
  if (options->format != PERM_FORMAT_AUTO && (run->generate || run->resume || run->merge))
    return cli_usage("--format is for reading a matrix, and there is none to read", NULL, "leave it out");
  if (run->generate && run->files)
    return cli_usage("--generate goes without files, but there is", run->file[0], "leave one of the two out");
  if (!run->generate && !run->files && !run->resume && !run->merge)
    return cli_usage("no matrix", NULL, "expected a file, - or --generate; perm --help explains");
  if (!run->estimate && cli_given(run, " --seconds --samples --relative-error "))
    return cli_usage("--samples, --relative-error and --seconds go with --estimate", NULL, "add it or leave them out");
  if (run->estimate + run->gradient + run->rook + (run->minors > 0) > 1)
    return cli_usage("only one of --estimate, --gradient, --minors and --rook", NULL, "choose one");
  if (run->rook && (run->rows || run->columns))
    return cli_usage("--rook takes the matrix as it is", NULL, "leave out --rows and --cols");
  if (run->explain && (run->estimate > run->estimate_plan.guarantee || run->gradient || run->minors || run->rows ||
                       run->columns))
    return cli_usage("--explain is about permanents of a matrix as it is", NULL,
                     "leave out --estimate, --gradient, --minors, --rows and --cols");
  if (run->estimate && (run->rows || run->columns))
    return cli_usage("--estimate takes no multiplicities", NULL, "leave out --rows and --cols");
  if (single && run->files > 1 && !run->merge)
    return cli_usage("only one matrix goes with", single, "give one file");
  return cli_check_pieces(run) || cli_check_pairs(run) ? CLI_USAGE : cli_check_files(run);
}

static int cli_parse(cli *run, int argc, char **argv)
{
  perm_options *options = &run->options;
  int i, k, code, only_files = 0;
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
    for (k = 0; k < CLI_COUNT(cli_options); k++)
      run->given[k] |= !strcmp(name, cli_options[k]);
    if (!strcmp(name, "--explain") || cli_take_flag(run, name)) {
      if (equals && strcmp(word, "--explain=full") != 0)
        return cli_usage(strcmp(name, "--explain") ? "no value goes with" : "the only value is full, of", name,
                         "see perm --help");
      if (!strcmp(name, "--explain"))
        run->explain = equals ? 2 : run->explain ? run->explain : 1;
      continue;
    }
    if (equals)
      value = equals + 1;
    else if (i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0) /* --spy=--x for such a file */
      value = argv[i + 1];
    code = cli_take_choice(options, name, value);
    if (code == CLI_ELSEWHERE)
      code = cli_take_number(run, name, value);
    if (code == CLI_ELSEWHERE)
      code = cli_take_value(run, name, value);
    if (code == CLI_ELSEWHERE)
      return cli_usage("unknown option", word, cli_meant(word, 0));
    if (code != CLI_DONE)
      return code;
    i += !equals;
  }
  return cli_check(run);
}

static int cli_exit_code(perm_status status)
{
  switch (status) {
  case PERM_OK:
  case PERM_PART_DONE: return CLI_DONE;
  case PERM_TOLERANCE_NOT_MET: return CLI_TOLERANCE;
  case PERM_ERROR_LIMIT:
  case PERM_ERROR_OVERFLOW: return CLI_REFUSED;
  case PERM_ERROR_MEMORY:
  case PERM_ERROR_DEVICE:
  case PERM_ERROR_FILE: return CLI_FAILED;
  default: return status > 0 ? CLI_EARLY : CLI_USAGE;
  }
}

#endif
/* SPDX-License-Identifier: MIT */
