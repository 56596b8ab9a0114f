/* perm: exact permanents from the command line.

   Build:  cc -std=c99 -O2 -I.. perm_cli.c -o perm -lm        (add -fopenmp for threads)
   Help:   perm --help                                        (what scripts may rely on) */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* isatty */
#endif
#ifndef CLI_COMPUTE /* perm_mpi.c includes this file with functions of its own */
#define CLI_COMPUTE(name) perm_compute_##name
#define CLI_MAIN main
#ifndef PERM_CLI_LINKED /* the Makefile has perm.o for several programs */
#define PERM_IMPLEMENTATION
#endif
#endif
#include "perm_sparse.h"

#include "perm_fractions.h"
#include "perm_generate.h"

#include <errno.h>
#include <signal.h>
#if defined(_OPENMP)
#include <omp.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#if defined(_OPENMP)
#include <pthread.h>
#include <sys/resource.h>
#endif
#define CLI_IS_TERMINAL isatty(2)
#else
#define CLI_IS_TERMINAL 0
#endif

enum { CLI_DONE = 0, CLI_EARLY = 1, CLI_USAGE = 2, CLI_REFUSED = 3, CLI_FAILED = 4, CLI_TOLERANCE = 5 };

typedef struct cli {
  perm_options options;
  int json, explain, estimate, guarantee, gradient, rook, minors; /* minors: the row, counted from 1 */
  perm_estimate_plan estimate_plan;
  int rows, columns; /* multiplicities given; 0: none */
  int *row_counts, *column_counts;
  const char *generate, *write, *spy, *resume;
  int merge, ranks, planned; /* planned: an option of cli_plan_options was given */
  int force;
  char given[48]; /* by the place in cli_options: the option was given */
  perm_matrix restored;      /* from a checkpoint, and its name; NULL: none */
  char *restored_name;
  uint64_t seed, sample; /* sample: permutations to draw; 0: none */
  int files;
  const char **file;
  double max_seconds; /* of each matrix; options.max_seconds is what its reading left */
} cli;

static volatile int cli_interrupted;
static char cli_reading[PERM_MESSAGE_BYTES]; /* how a file without a banner was read; empty: as what it can only be */

static void cli_interrupt(int number)
{
  (void)number;
  cli_interrupted = 1;
}

/* What to try after a refusal or a failure, to stand behind its message; empty where the message says enough. */
static const char *cli_next_step(const cli *run, const perm_matrix *matrix, const perm_result *result)
{
  const int one = !run->minors && !run->gradient && !run->rook && !run->estimate && !run->sample && !run->rows &&
                  !run->columns;
  switch (result->status) {
  case PERM_ERROR_LIMIT:
    return !one || run->explain || run->options.modulus || matrix->m != matrix->n ||
                   strstr(result->message, "too little")
             ? "" : "; --explain shows the plan, --effort 10 looks longer for another, --estimate takes random samples";
  case PERM_ERROR_MEMORY:
    return one && !run->explain ? "; --explain tells how much is needed, --max-bytes takes what fits or refuses" : "";
  case PERM_ERROR_STATE:
    return run->resume || run->merge || !run->options.checkpoint.file ? ""
                                                                      : "; to begin anew, name another --checkpoint";
  case PERM_ERROR_DEVICE:
    return strstr(result->message, "PERM_WITH_CUDA") ? "; make cuda builds build/perm_gpu with it" : "";
  default: return "";
  }
}

/* Of two exit codes the one that says more: a missed tolerance comes between success and everything else. */
static int cli_worse(int a, int b)
{
  return a == CLI_TOLERANCE && b != CLI_DONE ? b : b == CLI_TOLERANCE && a != CLI_DONE ? a : a > b ? a : b;
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

#if defined(__unix__) || defined(__APPLE__)
static void cli_tick(int number)
{
  (void)number;
}
#endif

/* While a matrix is read: ten signals a second, so that a pipe which nobody writes to does not wait through
   --max-seconds, nor through a signal that came just before the system was asked for bytes. */
static void cli_ticks(int on)
{
#if defined(__unix__) || defined(__APPLE__)
  struct sigaction action;
  struct itimerval timer;
  memset(&action, 0, sizeof action);
  memset(&timer, 0, sizeof timer);
  action.sa_handler = cli_tick;
  sigaction(SIGALRM, &action, NULL);
  timer.it_value.tv_usec = timer.it_interval.tv_usec = on ? 100000 : 0;
  setitimer(ITIMER_REAL, &timer, NULL);
#else
  (void)on;
#endif
}

#if defined(_OPENMP) && (defined(__unix__) || defined(__APPLE__))
static void *cli_wait(void *gate)
{
  pthread_mutex_lock((pthread_mutex_t *)gate);
  pthread_mutex_unlock((pthread_mutex_t *)gate);
  return NULL;
}

/* How many threads can be there at a time, up to `threads`, this one counted. */
static int cli_startable(int threads)
{
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t *thread = (pthread_t *)malloc((size_t)threads * sizeof *thread);
  int started = 0, i;
  if (!thread)
    return 1;
  pthread_mutex_lock(&gate);
  while (started < threads - 1 && !pthread_create(&thread[started], NULL, cli_wait, &gate))
    started++;
  pthread_mutex_unlock(&gate);
  for (i = 0; i < started; i++)
    pthread_join(thread[i], NULL);
  free(thread);
  return started + 1;
}
#endif

/* GCC's OpenMP ends the process when a thread cannot be started, in the middle of a job: whether they all can is seen
   beforehand. Where memory is limited they are started for good, before it is used up. */
static int cli_start_threads(const perm_options *options)
{
#if defined(_OPENMP) && (defined(__unix__) || defined(__APPLE__))
  const int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
  const int started = threads > 1 ? cli_startable(threads) : threads;
  struct rlimit limit;
  if (started < threads) {
    fprintf(stderr, "perm: only %d of %d threads can be started (ulimit -u and -v, a cgroup's pids.max): "
            "give --threads %d or fewer\n", started, threads, started);
    return CLI_REFUSED;
  }
  if (threads > 1 && !getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY) {
    int here = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp atomic
      here++;
    }
  }
#else
  (void)options;
#endif
  return CLI_DONE;
}

static const char *const cli_help[] = { /* C99 promises 4095 characters a string; perm_man.awk reads this form */
    "perm: exact permanents of matrices, with the digits that are known\n"
    "\n"
    "Usage: perm [options] FILE...\n"
    "       perm [options] --generate KIND\n"
    "       perm --resume FILE | --merge FILE... | --list WHAT | --help | --version\n"
    "\n"
    "FILE is Matrix Market (array or coordinate; real, complex, integer, pattern; general, symmetric,\n"
    "skew-symmetric, hermitian), .npy of NumPy, a graph (graph6, sparse6, digraph6, DIMACS), or rows of numbers\n"
    "separated by blanks, commas or ';', perhaps below a header line (complex as 1+2i, 1+2j, (1+2j); fractions\n"
    "as 1/2); known by its bytes, not by its name. - is standard input: zcat FILE.gz | perm -. Integers, also as\n"
    "2.0, are computed exactly (if that takes long, only with --precision exact), fractions always, all else in\n"
    "doubles of known accuracy.\n"
    "\n"
    "Examples:\n"
    "  perm matrix.mtx                             a matrix; dense or sparse, the fastest engine is taken\n"
    "  printf '1 2\\n3 4\\n' | perm -                10\n"
    "  perm --generate grid:8:8 --json             12988816 domino tilings of a chessboard, as JSON\n"
    "  perm --generate uniform:40 --explain        how long would that take, and why?\n"
    "  perm --generate uniform:30 --precision dd   all digits of a double, proved\n"
    "  perm --generate unitary:6 --rows 2,1,3,0,0,0 --cols 1,1,1,1,1,1   bosons in a mode\n"
    "  perm --checkpoint job.ck matrix.mtx         days of work: stop it, kill it, then\n"
    "  perm --resume job.ck                        go on, here or elsewhere\n"
    "\n"
    "The matrix:\n"
    "  --format NAME     what a FILE without a banner is: array (rows of numbers); coordinate (rows columns entries,\n"
    "                    then row column [value]), coordinate-complex; edges (row column [weight], from 0 or 1);\n"
    "                    npy, graph6, dimacs. Default: what fits; told if not array, refused if two do\n"
    "  --generate KIND   instead of FILE, such as uniform:30; perm --list generators\n"
    "  --seed S          of --generate, --estimate and --sample (default 1)\n"
    "  --rows M1,M2,...  row i counts Mi times; as many as rows\n"
    "  --cols K1,K2,...  column j counts Kj times\n"
    "  --write FILE      the matrix as Matrix Market; computes as well, but not with --explain or when FILE is -,\n"
    "                    which is standard output. An input, or a file that is no Matrix Market, stays\n"
    "\n"
    "What to compute (default: the permanent):\n"
    "  --minors R        permanents without row R (counted from 1) and one column each\n"
    "  --gradient        derivatives by every entry\n"
    "  --rook            of integers: the sums of all k x k submatrices' permanents, k = 0, 1, ..: rook numbers;\n"
    "                    methods auto, frontier and exact\n"
    "  --mod P           the permanent of integers modulo P, 2 to 2^63\n"
    "  --estimate        by random samples: value, standard error, 95 % interval; stops at the first of\n"
    "  --samples N       so many samples,\n"
    "  --relative-error E  a standard error of E times the value,\n"
    "  --seconds S       so many seconds\n"
    "  --guarantee E,D   the same, proved: of a matrix without negative entries within E times the value, with a\n"
    "                    chance of D at most to miss that; of others, a radius that holds with chance 1 - D\n"
    "  --sample N        N permutations of a matrix without negative entries, with probability (product of entries) /\n"
    "                    permanent: a line has the columns of rows 1, 2, ..., counted from 1. Exact for integers;\n"
    "                    methods auto, band, tree, classes, frontier, lists, arrays; rows may be fewer than columns\n"
    "  --explain         the plan with predicted seconds and bytes; computes nothing\n"
    "  --ranks R         with --explain: predicted for R ranks, each of --threads K or --gpus K, ideally shared\n"
    "  --spy FILE.svg    a picture of structure, elimination and plan; computes as well, but not with --explain or\n"
    "                    when FILE is -. An input, or a file that is no SVG, stays\n"
    "  --force           --write and --spy replace whatever file is there\n"
    ,
    "How accurately:\n"
    "  --precision NAME  fast default accurate dd exact, or kahan with methods glynn and ryser (default: default;\n"
    "                    exact for integer files)\n"
    "  --certify         the error must be a proved bound (up to 3 times the time; under a second, what has\n"
    "                    a poor bound is computed again in dd, 8 to 17 times)\n"
    "  --tolerance REL   relative error wanted: computed again in higher precision until it is met; with a checkpoint\n"
    "                    in the precision that is expected to meet it, at once\n"
    "\n"
    "How:\n"
    "  --method NAME     an engine by name (default auto, the least predicted time); perm --list methods\n"
    "  --effort X        look X times as long for elimination orders of sparse matrices\n"
    "  --threads K       0: all (default)\n"
    "  --isa NAME        highest instruction set: plain avx2 avx512 avx512ifma neon cuda (default: best)\n"
    "  --gpus K          at most K GPUs, or all, where predicted faster (default 0; in the command that `make cuda`\n"
    "                    builds); with --isa cuda: wherever they can\n"
    "  --cpu-fallback    without a GPU, on the CPU\n"
    "  --gpu-cache DIR   keep compiled kernels there\n"
    "  --tune[=K]        long sums of sparse matrices on GPUs: compile several kernels and take the one that is\n"
    "                    fastest on a slice. The choice, which is told, and so last bits may differ from run to\n"
    "                    run; with K: that candidate again\n"
    "\n"
    "Limits:\n"
    "  --max-seconds S   stop there (sums) or refuse beforehand (single tasks)\n"
    "  --max-bytes B     memory, the matrix included; refuse what needs more\n"
    "\n"
    "Long jobs:\n"
    "  --prove FILE      a proof of the exact permanent there, which perm_verify checks without perm: method proof, to\n"
    "                    order 44; about (n + 1) / 3 times the work of the sum for each 50 bits of the result\n"
    "  --checkpoint FILE  keep finished work there, every minute and at any stop (SIGTERM, Ctrl-C, --max-seconds);\n"
    "                    the same command goes on where it was, after a kill too. A regular file, no link\n"
    "  --checkpoint-seconds S  how often (default 60)\n"
    "  --resume FILE     the same by the file alone, on any machine with its instruction set: matrix and options are\n"
    "                    in there; with --threads, --gpus, --max-seconds and options for output\n"
    "  --part I/K        only the I-th of K parts, into the --checkpoint\n"
    "  --merge FILE...   the permanent from the checkpoints of all parts, into a --checkpoint if there is one\n"
    "  --progress        progress on standard error (automatic on a terminal)\n"
    "\n"
    "Output:\n"
    "  --json            one JSON object a matrix, one line\n"
    "  --list WHAT       names, one a line: methods precisions isas formats generators options\n"
    "  --version         the version\n"
    "  --help            this text\n"
    "\n"
    "Options may also be given as --name=value; -- ends them.\n"
    "\n"
    "Exit codes:\n"
    "  0  done (a part too)\n"
    "  1  stopped early: there is no value; with --checkpoint what is finished is kept, to go on\n"
    "  2  bad usage or input: one line says file, line, what is wrong and what was expected\n"
    "  3  refused beforehand by a limit, with the prediction\n"
    "  4  memory or input/output failed\n"
    "  5  finished, but --tolerance, --relative-error or --certify is not met; the value is printed\n"
    "Of several files the worst is told, in the order 0 5 1 2 3 4.\n"
    "\n"
    "In a program of your own:\n"
    "  #define PERM_IMPLEMENTATION, #include \"perm_sparse.h\" (or perm.h, for arrays alone) in one file a.c\n"
    "  cc -O2 a.c -lm    takes about 20 seconds (10); PERM_STATIC before it makes everything private to that file\n"};

/* What a checkpoint says for itself. */
static const char *const cli_plan_options[] = {"--method", "--precision", "--isa",  "--tolerance", "--mod", "--certify",
                                               "--effort", "--max-bytes", "--rows", "--cols",      "--tune",
                                               "--cpu-fallback"};

/* All options; the bit of each in cli.given. */
static const char *const cli_options[] = {
    "--generate", "--seed", "--rows", "--cols", "--write", "--minors", "--gradient", "--mod", "--estimate", "--samples",
    "--sample", "--relative-error", "--guarantee", "--seconds", "--explain", "--ranks", "--spy", "--force",
    "--precision", "--certify", "--tolerance", "--method", "--effort", "--threads", "--isa", "--gpus",
    "--cpu-fallback", "--gpu-cache", "--tune",
    "--max-seconds", "--max-bytes", "--checkpoint", "--checkpoint-seconds", "--resume", "--part", "--merge",
    "--progress", "--json", "--rook", "--prove"};

/* Pairs of which one would do nothing: `with` has no use for any of `others`. */
static const struct { const char *with, *others, *why; } cli_useless[] = {
    {"--estimate", " --mod --precision --certify --tolerance --method --effort --isa --gpus --cpu-fallback --gpu-cache "
                   "--tune --max-bytes ",
     "samples are of doubles, on the CPU, and have --samples, --relative-error and --seconds"},
    {"--seconds", " --max-seconds ", "they are the same; give one"},
    {"--guarantee", " --relative-error ", "the error is the first of --guarantee's numbers"},
    {"--minors", " --mod --certify --effort --tune --max-bytes ",
     "minors are computed in double or double-double, without a bound"},
    {"--gradient", " --mod --certify --effort --tune --max-bytes ",
     "derivatives are computed in double or double-double, without a bound"},
    {"--rook", " --certify --tolerance --gpus --cpu-fallback --gpu-cache --tune ",
     "rook numbers are computed exactly on the CPU"},
    {"--merge", " --threads --gpus --cpu-fallback --gpu-cache --max-seconds --checkpoint-seconds --part ",
     "nothing is computed"},
    {"--sample", " --mod --certify --tolerance --minors --gradient --rook --estimate --explain --rows --cols --isa "
                 "--gpus --cpu-fallback --gpu-cache --tune --json ",
     "permutations are drawn on the CPU, a line each, and nothing else is computed"},
    {"--prove", " --rows --cols --minors --gradient --rook --estimate --sample --certify --tolerance --gpus "
                "--cpu-fallback --gpu-cache --tune ",
     "a proof is of the exact permanent of one whole matrix, made on the CPU"},
    {"--explain", " --checkpoint-seconds --progress --max-seconds ", "nothing is computed"}};

/* Options that do nothing without one of others. */
static const struct { const char *option, *needs; } cli_needs[] = {
    {"--seed", " --generate --estimate --sample "}, {"--force", " --write --spy "}, {"--tune", " --gpus --isa "},
    {"--cpu-fallback", " --gpus --isa "}, {"--gpu-cache", " --gpus --isa --resume "}};

#define CLI_COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static int cli_among(const char *word, const char *const *list, int count)
{
  int i;
  for (i = 0; i < count; i++)
    if (!strcmp(word, list[i]))
      return 1;
  return 0;
}

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
  for (k = 0; k < (methods ? PERM_METHOD_COUNT : CLI_COUNT(cli_options)); k++) {
    const char *name = methods ? perm_method_name((perm_method)k) : cli_options[k];
    const int distance = cli_distance(word, name);
    if (distance < least && distance < (int)strlen(name) / 2) {
      least = distance;
      snprintf(text, sizeof text, "did you mean %s? perm --%s", name,
               methods ? "list methods has them all" : "help lists all");
    }
  }
  return text;
}

static int cli_usage(const char *what, const char *word, const char *expected)
{
  fprintf(stderr, "perm: %s%s%s%s; %s\n", what, word ? " \"" : "", word ? word : "", word ? "\"" : "", expected);
  return CLI_USAGE;
}

/* The first of the options in `list`, which has blanks around each, that was given; NULL: none. */
static const char *cli_given(const cli *run, const char *list)
{
  int k;
  for (k = 0; k < CLI_COUNT(cli_options); k++) {
    char name[40];
    snprintf(name, sizeof name, " %s ", cli_options[k]);
    if (run->given[k] && strstr(list, name))
      return cli_options[k];
  }
  return NULL;
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
      snprintf(text, sizeof text, "%s does nothing without one of", cli_needs[k].option);
      snprintf(needs, sizeof needs, "%.*s", (int)strlen(cli_needs[k].needs) - 2, cli_needs[k].needs + 1);
      return cli_usage(text, needs, "add one or leave it out");
    }
  }
  if (((run->write && !strcmp(run->write, "-")) || (run->spy && !strcmp(run->spy, "-"))) &&
      (other = cli_given(run, " --minors --gradient --rook --estimate --sample --explain --checkpoint --part --mod "
                              "--certify --tolerance ")) != NULL)
    return cli_usage("with standard output for the file nothing is computed, so there is no use for", other,
                     "name another file");
  if (run->write && run->spy && !strcmp(run->write, run->spy))
    return cli_usage("--write and --spy have one name", run->write, "give two");
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

/* May --write or --spy replace this file? Never a checkpoint of this command. No input either, and only a file that
   begins as what it writes, but for --force. A link, a directory and the like: the library refuses them. */
static int cli_check_output(const cli *run, const char *option, const char *path, const char *begins, const char *kind)
{
  const char *why = NULL;
  char head[32] = "", text[400], no_kind[40];
  const int files = run->generate || run->resume ? 0 : run->files; /* names of them */
  const char *const checkpoint = run->options.checkpoint.file;
  FILE *file;
  int i;
  if (!path || !strcmp(path, "-"))
    return CLI_DONE;
  for (i = checkpoint ? -1 : 0; i < (run->merge ? files : 0); i++)
    if (cli_same_file(path, i < 0 ? checkpoint : run->file[i])) {
      snprintf(text, sizeof text, "%s would destroy the checkpoint", option);
      return cli_usage(text, path, "name another file");
    }
  if (run->force)
    return CLI_DONE;
#if defined(CLI_STAT)
  {
    struct stat there;
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode))
      return CLI_DONE;
  }
#endif
  if (!strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6)) /* open files by name */
    return CLI_DONE;
  for (i = 0; i < files; i++)
    if (cli_same_file(path, run->file[i]))
      why = "is an input";
  file = why ? NULL : fopen(path, "rb");
  if (file) {
    const size_t bytes = fread(head, 1, sizeof head - 1, file);
    if (bytes && strncmp(head, begins, strlen(begins)) != 0) {
      snprintf(no_kind, sizeof no_kind, "is no %s", kind);
      why = no_kind;
    }
    fclose(file);
  } else if (!why && errno != ENOENT) { /* it may be anything */
    why = "cannot be read";
  }
  if (!why)
    return CLI_DONE;
  snprintf(text, sizeof text, "%s would replace a file that %s:", option, why);
  return cli_usage(text, path, "name another file, or add --force");
}

/* Names, one a line, some with a tab and what they are: for people, shell completion and the manual page. */
static int cli_list(const char *what)
{
  int k;
  if (!strcmp(what, "methods")) {
#define CLI_METHOD(name, word, text)                                                                                   \
  if (name != PERM_METHOD_STRUCTURE)                                                                                   \
    printf("%s\t%s\n", word, text);
    PERM_METHOD_LIST(CLI_METHOD)
#undef CLI_METHOD
  } else if (!strcmp(what, "precisions")) {
    for (k = 0; k < PERM_PRECISION_COUNT; k++)
      puts(perm_precision_name((perm_precision)k));
  } else if (!strcmp(what, "isas")) {
    for (k = PERM_ISA_PLAIN; k < PERM_ISA_COUNT; k++)
      puts(perm_isa_name((perm_isa)k));
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

/* Do the options of checkpoints go together, and with the others? */
static int cli_check_pieces(const cli *run)
{
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
  if ((run->resume || run->merge) && (run->planned || run->generate))
    return cli_usage("the checkpoint has matrix and options of the job, so they do not go with", what,
                     "leave them out");
  if (run->resume &&
      (run->files || run->merge || options->checkpoint.parts || strcmp(options->checkpoint.file, run->resume) != 0))
    return cli_usage("--resume takes one checkpoint", NULL, "leave out files, --checkpoint, --merge and --part");
  if (run->merge && (!run->files || options->checkpoint.parts))
    return cli_usage("--merge puts checkpoints together", NULL, "name all of them, and no --part");
  if (run->estimate || run->gradient || run->minors || run->rook || run->sample)
    return cli_usage("only permanents have pieces, so --estimate, --sample, --gradient, --minors and --rook do not go "
                     "with", what, "leave one out");
  if (run->explain && (run->resume || run->merge))
    return cli_usage("--explain is for a job that begins, so it does not go with", what, "leave one out");
  if (!run->merge && run->files > 1)
    return cli_usage("a checkpoint is of one matrix", NULL, "give one file");
  return CLI_DONE;
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
    run->planned |= cli_among(name, cli_plan_options, CLI_COUNT(cli_plan_options));
    for (k = 0; k < CLI_COUNT(cli_options); k++)
      run->given[k] |= !strcmp(name, cli_options[k]);
    if (!strcmp(name, "--json") || !strcmp(name, "--explain") || !strcmp(name, "--progress") ||
        !strcmp(name, "--certify") || !strcmp(name, "--estimate") || !strcmp(name, "--gradient") ||
        !strcmp(name, "--rook") || !strcmp(name, "--cpu-fallback") || !strcmp(name, "--merge") ||
        !strcmp(name, "--force")) {
      if (equals)
        return cli_usage("no value goes with", name, "see perm --help");
      run->json |= !strcmp(name, "--json");
      run->force |= !strcmp(name, "--force");
      run->merge |= !strcmp(name, "--merge");
      run->explain |= !strcmp(name, "--explain");
      run->estimate |= !strcmp(name, "--estimate");
      run->gradient |= !strcmp(name, "--gradient");
      run->rook |= !strcmp(name, "--rook");
      options->certify |= !strcmp(name, "--certify");
      options->gpu.cpu_fallback |= !strcmp(name, "--cpu-fallback");
      if (!strcmp(name, "--progress"))
        options->user_data = run; /* marks it as asked for; the callback is set in main */
      continue;
    }
    if (!strcmp(name, "--tune")) {
      number = PERM_TUNE;
      if (equals && (!cli_number(equals + 1, 1, 1000, &number) || number != floor(number)))
        return cli_usage("bad candidate", equals + 1, "expected --tune, or --tune=K with K that an earlier run told");
      options->gpu.tune = (int)number;
      continue;
    }
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
      for (k = 0;
           k < PERM_METHOD_COUNT && (k == PERM_METHOD_STRUCTURE || strcmp(value, perm_method_name((perm_method)k)));)
        k++;
      if (k == PERM_METHOD_COUNT)
        return cli_usage("unknown method", value, cli_meant(value, 1));
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
    } else if (!strcmp(name, "--format")) {
      CLI_NEED("expected a format")
      for (k = 0; k < PERM_FORMAT_COUNT && strcmp(value, perm_format_name((perm_format)k));)
        k++;
      if (k == PERM_FORMAT_COUNT)
        return cli_usage("unknown format", value,
                         "expected auto, coordinate, coordinate-complex, array, edges, npy, graph6 or dimacs");
      options->format = (perm_format)k;
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
      options->gpu.devices = (int)number;
    } else if (!strcmp(name, "--gpu-cache")) {
      CLI_NEED("expected a directory")
      options->gpu.cache = value;
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
    } else if (!strcmp(name, "--sample")) {
      CLI_NEED("expected a number of permutations")
      if (!cli_whole(value, &run->sample) || !run->sample)
        return cli_usage("bad --sample", value, "expected a whole number from 1 to 2^64-1");
    } else if (!strcmp(name, "--relative-error")) {
      CLI_NEED("expected a relative error such as 0.01")
      if (!cli_number(value, 0, 1, &run->estimate_plan.relative_error) || run->estimate_plan.relative_error == 0)
        return cli_usage("bad --relative-error", value, "expected a number above 0, up to 1");
    } else if (!strcmp(name, "--guarantee")) {
      double delta;
      CLI_NEED("expected an error and a chance such as 0.1,0.05")
      if (!cli_two_numbers(value, &run->estimate_plan.relative_error, &delta) || delta < 1e-9)
        return cli_usage("bad --guarantee", value,
                         "expected a relative error between 0 and 1, a comma, and the chance to miss it, 1e-9 to 1: "
                         "0.1,0.05");
      run->estimate_plan.confidence = 1 - delta;
      run->estimate = run->guarantee = 1;
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
    } else if (!strcmp(name, "--checkpoint") || !strcmp(name, "--resume")) {
      CLI_NEED("expected a file name")
      if (!*value)
        return cli_usage("no file name after", name, "expected one");
      options->checkpoint.file = value;
      run->resume = name[2] == 'r' ? value : run->resume;
    } else if (!strcmp(name, "--prove")) {
      CLI_NEED("expected a file name")
      if (!*value)
        return cli_usage("no file name after", name, "expected one");
      options->prove = value;
    } else if (!strcmp(name, "--checkpoint-seconds")) {
      CLI_NEED("expected seconds")
      if (!cli_number(value, 0, 1e18, &options->checkpoint.seconds) || options->checkpoint.seconds == 0)
        return cli_usage("bad --checkpoint-seconds", value, "expected a positive number of seconds");
    } else if (!strcmp(name, "--part")) {
      CLI_NEED("expected a part such as 1/8")
      if (!cli_part(value, &options->checkpoint.part, &options->checkpoint.parts))
        return cli_usage("bad part", value, "expected I/K with I from 1 to K, such as 1/8");
    } else if (!strcmp(name, "--ranks")) {
      CLI_NEED("expected a number of ranks")
      if (!cli_number(value, 1, 1e7, &number) || number != floor(number))
        return cli_usage("bad number of ranks", value, "expected a whole number from 1 to 10000000");
      run->ranks = (int)number;
    } else if (!strcmp(name, "--spy") || !strcmp(name, "--write")) {
      CLI_NEED("expected a file name")
      if (!*value)
        return cli_usage("no file name after", name, "expected one");
      if (name[2] == 's' && strlen(value) > 4 && strstr(".png.jpg.pdf.gif.eps", value + strlen(value) - 4))
        return cli_usage("--spy draws SVG, not what is named", value, "expected a name such as order.svg");
      *(name[2] == 's' ? &run->spy : &run->write) = value;
    } else {
      return cli_usage("unknown option", word, cli_meant(word, 0));
    }
  }
  if (options->format != PERM_FORMAT_AUTO && (run->generate || run->resume || run->merge))
    return cli_usage("--format is for reading a matrix, and there is none to read", NULL, "leave it out");
  if (run->generate && run->files)
    return cli_usage("--generate goes without files, but there is", run->file[0], "leave one of the two out");
  if (!run->generate && !run->files && !run->resume)
    return cli_usage("no matrix", NULL, "expected a file, - or --generate; perm --help explains");
  if (!run->estimate && (seconds || run->estimate_plan.samples > 0 || run->estimate_plan.relative_error > 0))
    return cli_usage("--samples, --relative-error and --seconds go with --estimate", NULL, "add it or leave them out");
  if (run->estimate + run->gradient + run->rook + (run->minors > 0) > 1)
    return cli_usage("only one of --estimate, --gradient, --minors and --rook", NULL, "choose one");
  if (run->rook && (run->explain || run->rows || run->columns))
    return cli_usage("--rook takes the matrix as it is", NULL, "leave out --explain, --rows and --cols");
  if (run->explain && (run->estimate || run->gradient || run->minors || run->rows || run->columns))
    return cli_usage("--explain is about permanents", NULL,
                     "leave out --estimate, --gradient, --minors, --rows and --cols");
  if (run->estimate && (run->rows || run->columns))
    return cli_usage("--estimate takes no multiplicities", NULL, "leave out --rows and --cols");
  if (run->spy && run->files > 1 && !run->merge)
    return cli_usage("--spy takes one matrix", NULL, "give one file");
  if (run->options.prove && run->files > 1 && !run->merge)
    return cli_usage("--prove takes one matrix", NULL, "give one file");
  if (run->write && run->files > 1 && !run->merge)
    return cli_usage("--write takes one matrix", NULL, "give one file");
  i = cli_check_pieces(run);
  if (i == CLI_DONE)
    i = cli_check_pairs(run);
  if (i == CLI_DONE)
    i = cli_check_output(run, "--write", run->write, "%%MatrixMarket", "Matrix Market");
  if (i == CLI_DONE)
    i = cli_check_output(run, "--prove", run->options.prove, "\211PROOF", "proof of a permanent");
  return i == CLI_DONE ? cli_check_output(run, "--spy", run->spy, "<svg", "SVG") : i;
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
  char value[2 * PERM_TEXT_BYTES], imaginary[PERM_TEXT_BYTES];
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
      fraction_text(result, value, sizeof value, 0);
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
  char value[2 * PERM_TEXT_BYTES], digits[96];
  fraction_text(result, value, sizeof value, 1);
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

/* The matrix as rows of doubles or, where every entry is a whole number that fits, also of int64; NULL in *integer if
   not. 0: out of memory, or a signal came. */
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
  for (i = 0; i < matrix->m && !cli_interrupted; i++)
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
  return !cli_interrupted;
}

/* *numbers: min(m, n) + 1 rook numbers, to be freed. */
static void cli_compute_rook(const cli *run, const perm_matrix *matrix, perm_result *result, perm_integer **numbers)
{
  const int count = (matrix->m < matrix->n ? matrix->m : matrix->n) + 1;
  *numbers = (perm_integer *)calloc((size_t)count, sizeof **numbers);
  if (*numbers) {
    perm_rook_numbers(matrix, &run->options, *numbers, result);
  } else {
    result->status = PERM_ERROR_MEMORY;
    snprintf(result->message, sizeof result->message, "out of memory");
  }
  if (result->status != PERM_OK) {
    free(*numbers);
    *numbers = NULL;
  }
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
    result->status = cli_interrupted ? PERM_STOPPED_CANCELLED : PERM_ERROR_MEMORY;
    snprintf(result->message, sizeof result->message, "%s", cli_interrupted ? "cancelled" : "out of memory");
  } else if (run->estimate) {
    perm_estimate_plan plan = run->estimate_plan;
    size_t k;
    int negative = parts == 2;
    plan.seed = run->seed;
    for (k = 0; k < (size_t)m * (size_t)n && !negative; k++)
      negative = real[k] < 0;
    if (run->guarantee && !negative)
      plan.estimator = PERM_ESTIMATOR_REJECTION;
    else if (run->guarantee) /* a radius, however large: an error relative to the value may be out of reach */
      plan.relative_error = 0;
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
    (parts == 1 ? CLI_COMPUTE(repeated_integer) : CLI_COMPUTE(repeated_gaussian))(
        m, n, integer, n, run->row_counts, run->column_counts, options, result);
  } else {
    (parts == 1 ? CLI_COMPUTE(repeated_real) : CLI_COMPUTE(repeated_complex))(m, n, real, n, run->row_counts,
                                                                              run->column_counts, options, result);
  }
  free(real);
  free(integer);
}

/* Ranges shared ideally over all threads or GPUs of all ranks, tasks one a rank; from predicted seconds alone. */
typedef struct cli_prediction { double elements, seconds, task_seconds; int workers, gpus; } cli_prediction;

static cli_prediction cli_predict(const cli *run, const perm_job *job)
{
  cli_prediction all;
  double tasks = 0, longest = 0;
  int i;
  memset(&all, 0, sizeof all);
  all.workers = run->options.threads > 0 ? run->options.threads : 1;
#if defined(_OPENMP)
  all.workers = run->options.threads > 0 ? run->options.threads : omp_get_max_threads();
#endif
  for (i = 0; i < perm_job_leaves(job); i++) {
    perm_leaf leaf;
    int workers = all.workers;
    perm_job_leaf(job, i, &leaf);
    all.elements += leaf.work;
    if (leaf.isa == PERM_ISA_CUDA)
      all.gpus = workers = run->options.gpu.devices > 0 ? run->options.gpu.devices : 1;
    if (leaf.kind == PERM_LEAF_RANGE) {
      const double pieces = (double)run->ranks * workers;
      all.seconds += leaf.seconds / (pieces < (double)leaf.chunks ? pieces : (double)leaf.chunks);
    } else {
      tasks += leaf.seconds;
      longest = leaf.seconds > longest ? leaf.seconds : longest;
    }
  }
  all.task_seconds = tasks / run->ranks > longest ? tasks / run->ranks : longest;
  all.seconds += all.task_seconds;
  return all;
}

static int cli_explain(const cli *run, const char *name, const perm_matrix *matrix, perm_result *result)
{
  const perm_options *options = &run->options;
  cli_prediction predicted;
  perm_job *job = NULL;
  char *text;
  size_t length;
  if (perm_sparse_job(matrix, options, &job, result) != PERM_OK)
    return 0;
  predicted = cli_predict(run, job);
  length = perm_job_explain(job, NULL, 0);
  text = (char *)malloc(length + 1);
  if (text) {
    perm_job_explain(job, text, length + 1);
    if (run->json) {
      printf("{\"file\":");
      cli_json_string(name);
      printf(",\"m\":%d,\"n\":%d,\"nnz\":%.0f", matrix->m, matrix->n, (double)matrix->nnz);
      cli_json_reading();
      printf(",\"explain\":");
      cli_json_string(text);
      if (run->ranks) {
        printf(",\"ranks\":%d,\"%s\":%d", run->ranks, predicted.gpus ? "gpus" : "threads",
               predicted.gpus ? predicted.gpus : predicted.workers);
        cli_json_number("elements", predicted.elements);
        cli_json_number("seconds", predicted.seconds);
        cli_json_number("rank_elements", predicted.elements / run->ranks);
      }
      printf("}\n");
    } else {
      const int each = predicted.gpus ? predicted.gpus : predicted.workers;
      printf("%s: %d x %d, %.0f entries\n%s", name, matrix->m, matrix->n, (double)matrix->nnz, text);
      if (run->ranks)
        printf("%d rank%s of %d %s%s, ideally shared: %.3g elements, %.3g s (%.3g h); a rank %.3g elements, %.3g %%\n",
               run->ranks, run->ranks == 1 ? "" : "s", each, predicted.gpus ? "GPU" : "thread", each == 1 ? "" : "s",
               predicted.elements, predicted.seconds, predicted.seconds / 3600, predicted.elements / run->ranks,
               100.0 / run->ranks);
    }
  }
  free(text);
  perm_job_free(job);
  return 1;
}

/* What goes into a checkpoint besides the library's part: lines "perm note 1", "file NAME", perhaps "rows 2,0,1" and
   "cols ..", an empty one, and then the matrix as Matrix Market. NULL: out of memory. */
static char *cli_note(const cli *run, const char *name, const perm_matrix *matrix, size_t *bytes)
{
  static const char *const field[] = {"pattern", "integer", "real", "complex"};
  const size_t room = 512 + strlen(name) + 12 * ((size_t)run->rows + (size_t)run->columns) + 96 * matrix->nnz;
  char *note = matrix->nnz > SIZE_MAX / 200 ? NULL : (char *)malloc(room), *to = note;
  int i, side;
  size_t e;
  if (!note)
    return NULL;
  to += sprintf(to, "perm note 1\nfile ");
  for (; *name; name++)
    *to++ = *name == '\n' ? ' ' : *name;
  *to++ = '\n';
  for (side = 0; side < 2; side++) {
    const int count = side ? run->columns : run->rows, *counts = side ? run->column_counts : run->row_counts;
    for (i = 0; i < count; i++)
      to += sprintf(to, "%s%d%s", i ? "," : side ? "cols " : "rows ", counts[i], i == count - 1 ? "\n" : "");
  }
  to += sprintf(to, "\n%%%%MatrixMarket matrix coordinate %s general\n%d %d %.0f\n", field[matrix->kind], matrix->m,
                matrix->n, (double)matrix->nnz);
  for (i = 0; i < matrix->m; i++)
    for (e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++) {
      to += sprintf(to, "%d %d", i + 1, matrix->column[e] + 1);
      if (matrix->kind == PERM_KIND_INTEGER)
        to += sprintf(to, " %lld", (long long)matrix->integer[e]);
      else if (matrix->kind != PERM_KIND_PATTERN)
        to += sprintf(to, " %.17g", matrix->real[e]);
      if (matrix->kind == PERM_KIND_COMPLEX)
        to += sprintf(to, " %.17g", matrix->imaginary[e]);
      *to++ = '\n';
    }
  *bytes = (size_t)(to - note);
  return note;
}

/* The value of the line that begins with `key`, freshly allocated; NULL: there is none before the empty line. */
static char *cli_note_line(const char *note, const char *end, const char *key)
{
  const size_t length = strlen(key);
  while (note < end && *note != '\n') {
    const char *next = (const char *)memchr(note, '\n', (size_t)(end - note));
    next = next ? next : end;
    if ((size_t)(next - note) >= length && !memcmp(note, key, length)) {
      char *value = (char *)malloc((size_t)(next - note) - length + 1);
      if (value) {
        memcpy(value, note + length, (size_t)(next - note) - length);
        value[(size_t)(next - note) - length] = 0;
      }
      return value;
    }
    note = next + (next < end);
  }
  return NULL;
}

/* Matrix and options from a checkpoint's note. Returns an exit code; a failure has been reported. */
static int cli_restore(cli *run, const char *path)
{
  static const char real[] = "%%MatrixMarket matrix coordinate real ";
  perm_options *options = &run->options, given = run->options;
  perm_result result;
  void *bytes = NULL;
  size_t size = 0, k;
  perm_status status = perm_checkpoint_options(path, options, &bytes, &size, &result);
  const char *note = (const char *)bytes;
  if (status == PERM_OK) {
    const char *end = note + size, *text = NULL;
    for (k = 0; k + 1 < size && !text; k++)
      text = note[k] == '\n' && note[k + 1] == '\n' ? note + k + 2 : NULL;
    if (!text || size < 12 || memcmp(note, "perm note 1\n", 12) != 0) {
      status = PERM_ERROR_FORMAT;
      snprintf(result.message, sizeof result.message, "%s: this checkpoint has no matrix; the program that made it, or "
               "the command that did with --checkpoint, can go on with it", path);
    } else {
      char *rows = cli_note_line(note, end, "rows "), *columns = cli_note_line(note, end, "cols ");
      run->restored_name = cli_note_line(note, end, "file ");
      status = perm_matrix_read_memory(text, (size_t)(end - text), path, NULL, &run->restored, &result);
      if (status == PERM_OK && run->restored.kind == PERM_KIND_INTEGER && !strncmp(text, real, strlen(real))) {
        free(run->restored.integer); /* the job was one of doubles, whole ones */
        run->restored.integer = NULL;
        run->restored.kind = PERM_KIND_REAL;
      }
      if (status == PERM_OK && (!run->restored_name || (rows && !cli_counts(rows, &run->row_counts, &run->rows)) ||
                                (columns && !cli_counts(columns, &run->column_counts, &run->columns)))) {
        status = PERM_ERROR_FORMAT;
        snprintf(result.message, sizeof result.message, "%s: its note is not as this command writes it", path);
      }
      free(rows);
      free(columns);
    }
  }
  free(bytes);
  if (status != PERM_OK) {
    fprintf(stderr, "perm: %s\n", result.message);
    return cli_exit_code(status);
  }
  options->gpu.devices = options->gpu.devices && given.gpu.devices
                             ? given.gpu.devices
                             : options->gpu.devices; /* how many is not a matter of the plan */
  options->gpu.cache = given.gpu.cache;
  if (run->merge)
    options->checkpoint.part = options->checkpoint.parts = 0;
  return CLI_DONE;
}

/* The kernel family of a checkpoint is kept where none is asked for, since this machine may have a better one, and the
   kernel that was timed best, which may be another one now. */
static void cli_keep_choices(perm_options *options)
{
  perm_options kept;
  memset(&kept, 0, sizeof kept);
  if (perm_checkpoint_options(options->checkpoint.file, &kept, NULL, NULL, NULL) != PERM_OK)
    return;
  if (options->isa == PERM_ISA_AUTO && kept.isa != PERM_ISA_CUDA)
    options->isa = kept.isa;
  if (options->gpu.tune == PERM_TUNE)
    options->gpu.tune = kept.gpu.tune;
}

/* max_seconds begin with the reading: what is left of them; 0 would be none. */
static void cli_seconds_taken(perm_options *options, double seconds)
{
  if (options->max_seconds > 0)
    options->max_seconds = options->max_seconds > seconds + 1e-3 ? options->max_seconds - seconds : 1e-3;
}

/* Draws and prints permutations, as many at a time as CLI_SAMPLE_INTS hold. */
#define CLI_SAMPLE_INTS 67108864
static void cli_sample(const cli *run, const perm_matrix *matrix, perm_result *result)
{
  const uint64_t m = matrix->m > 0 ? (uint64_t)matrix->m : 1;
  const uint64_t most = m < CLI_SAMPLE_INTS ? CLI_SAMPLE_INTS / m : 1, room = run->sample < most ? run->sample : most;
  int *columns = (int *)malloc((size_t)(room * m) * sizeof *columns);
  uint64_t first, k;
  int i;
  if (!columns) {
    result->status = PERM_ERROR_MEMORY;
    snprintf(result->message, sizeof result->message, "out of memory");
    return;
  }
  for (first = 0; first < run->sample && result->status == PERM_OK && !ferror(stdout); first += room) {
    const uint64_t count = run->sample - first < room ? run->sample - first : room;
    if (perm_sample_sparse(matrix, &run->options, run->seed, first, count, columns, result) == PERM_OK)
      for (k = 0; k < count && !ferror(stdout); k++) {
        for (i = 0; i < matrix->m; i++)
          printf("%s%d", i ? " " : "", columns[k * m + (uint64_t)i] + 1);
        putchar('\n');
      }
  }
  free(columns);
}

static int cli_matrix(cli *run, const char *file)
{
  const char *name = run->restored_name     ? run->restored_name
                     : run->generate        ? run->generate
                     : !strcmp(file, "-") ? "standard input"
                     : *file                ? file
                                            : "\"\"";
  const int dense = run->rows || run->columns || run->minors || run->gradient || run->estimate;
  perm_matrix matrix;
  perm_result result;
  perm_estimate estimate;
  perm_integer *numbers = NULL;
  double *list = NULL;
  char *note = NULL;
  int code;
  memset(&estimate, 0, sizeof estimate); /* none yet */
  estimate.value = estimate.imaginary = estimate.low = estimate.high = NAN;
  estimate.standard_error = estimate.radius = INFINITY;
  memset(&matrix, 0, sizeof matrix);
  memset(&result, 0, sizeof result);
  if (run->restored_name) {
    matrix = run->restored;
    memset(&run->restored, 0, sizeof run->restored);
  } else if (run->generate)
    result.status = perm_generate(run->generate, run->seed, &run->options, &matrix, &result);
  else {
    cli_ticks(1);
    result.status = perm_matrix_read_fractions(file, &run->options, &matrix, &fraction_below, &result);
    cli_ticks(0);
    if (!cli_given(run, " --precision "))
      run->options.precision = fraction_is_whole() ? PERM_PRECISION_DEFAULT : PERM_PRECISION_EXACT;
    if (result.status == PERM_OK && !fraction_is_whole() && cli_given(run, fraction_refuses)) {
      result.status = PERM_ERROR_UNSUPPORTED;
      snprintf(result.message, sizeof result.message, "the permanent of fractions is computed exactly, and nothing "
               "else: leave out %s, or write decimals", cli_given(run, fraction_refuses));
    }
  }
  cli_seconds_taken(&run->options, result.seconds);
  snprintf(cli_reading, sizeof cli_reading, "%s", result.status == PERM_OK ? result.message : "");
  if (cli_reading[0])
    fprintf(stderr, "perm: %s\n", cli_reading);
  if (result.status == PERM_OK && run->write) {
    result.status = perm_matrix_write_within(run->write, &matrix, &run->options, &result);
    cli_seconds_taken(&run->options, result.seconds);
    if (result.status != PERM_OK)
      name = run->write;
    else if (!strcmp(run->write, "-")) { /* standard output is taken: nothing else goes there */
      perm_matrix_free(&matrix);
      return CLI_DONE;
    }
  }
  if (result.status == PERM_OK && run->spy) {
    if (run->write && cli_check_output(run, "--spy", run->spy, "<svg", "SVG") != CLI_DONE) { /* the same file? */
      perm_matrix_free(&matrix);
      return CLI_USAGE;
    }
    run->options.name = name;
    result.status = perm_sparse_spy(&matrix, &run->options, run->spy, &result);
    if (result.status == PERM_OK && !strcmp(run->spy, "-")) {
      perm_matrix_free(&matrix);
      return CLI_DONE;
    }
    if (result.status == PERM_ERROR_FILE)
      name = run->spy;
  }
  if (result.status == PERM_OK && run->minors > matrix.m) {
    result.status = PERM_ERROR_RANGE;
    snprintf(result.message, sizeof result.message, "--minors %d: the matrix has %d row%s", run->minors, matrix.m,
             matrix.m == 1 ? "" : "s");
  } else if (result.status == PERM_OK && run->minors && run->rows == matrix.m && !run->row_counts[run->minors - 1]) {
    result.status = PERM_ERROR_RANGE;
    snprintf(result.message, sizeof result.message, "--minors %d: --rows has no copy of row %d", run->minors,
             run->minors);
  } else if (result.status == PERM_OK && run->explain) {
    if (cli_explain(run, name, &matrix, &result)) {
      perm_matrix_free(&matrix);
      return CLI_DONE;
    }
  } else if (result.status == PERM_OK && run->sample) {
    cli_sample(run, &matrix, &result);
    if (run->options.progress)
      fprintf(stderr, "\r%72s\r", "");
    if (result.status >= 0) {
      if (result.status > 0)
        fprintf(stderr, "perm: %s: %s\n", name, result.message);
      perm_matrix_free(&matrix);
      return cli_exit_code(result.status);
    }
  } else if (result.status == PERM_OK) {
    if (run->options.checkpoint.file) {
      cli_keep_choices(&run->options);
      run->options.checkpoint.note = note = cli_note(run, name, &matrix, &run->options.checkpoint.note_bytes);
      if (run->options.tolerance > 0 && !run->merge && !run->resume)
        fprintf(stderr, "perm: with a checkpoint the precision is planned for the tolerance at once, and not raised "
                        "later; --explain tells it\n");
    }
    if (run->options.checkpoint.file && !note) {
      result.status = PERM_ERROR_MEMORY;
      snprintf(result.message, sizeof result.message, "out of memory");
    } else if (dense)
      cli_compute_dense(run, &matrix, &result, &estimate, &list);
    else if (run->rook)
      cli_compute_rook(run, &matrix, &result, &numbers);
    else
      CLI_COMPUTE(sparse)(&matrix, &run->options, &result);
    if (run->options.progress)
      fprintf(stderr, "\r%72s\r", "");
  }
  code = cli_exit_code(result.status);
  if (result.status > 0 && ((run->write && !strcmp(run->write, "-")) || (run->spy && !strcmp(run->spy, "-")))) {
    fprintf(stderr, "perm: %s: %s\n", name, result.message); /* standard output is for the file */
    perm_matrix_free(&matrix);
    return code;
  }
  if (result.status > 0)
    result.modulus = run->options.modulus;
  if (result.value != result.value) { /* stopped: no minor, no derivative is known */
    free(list);
    list = NULL;
  }
  if (run->estimate && result.status >= 0) {
    if (estimate.value != estimate.value) { /* perhaps it was not even begun */
      estimate.status = result.status;
      snprintf(estimate.message, sizeof estimate.message, "%s", result.message);
    }
    cli_print_estimate(name, &matrix, &estimate, run->json);
  } else if (run->json) {
    cli_print_json(name, &matrix, &result, run->gradient ? "gradient" : "minors", list,
                   run->gradient ? matrix.m * matrix.n : matrix.n, matrix.n, numbers);
  } else if (result.status == PERM_PART_DONE) {
    printf("%s: part %d of %d is done: %s\n", name, run->options.checkpoint.part, run->options.checkpoint.parts,
           run->options.checkpoint.file);
  } else if (result.status >= 0) {
    cli_print(name, &matrix, &result);
    if (numbers)
      cli_print_rook(numbers, (matrix.m < matrix.n ? matrix.m : matrix.n) + 1, 0);
    if (list)
      cli_print_list(&result, run->gradient ? "gradient" : "minors", list,
                     run->gradient ? matrix.m * matrix.n : matrix.n, matrix.n,
                     matrix.kind == PERM_KIND_COMPLEX ? 2 : 1);
  }
  fflush(stdout);
  free(list);
  free(numbers);
  free(note);
  if (result.status == PERM_STOPPED_CANCELLED || result.status == PERM_STOPPED_TIME) {
    if (run->options.checkpoint.file)
      fprintf(stderr, "perm: what is finished is kept; to go on: perm --resume %s\n", run->options.checkpoint.file);
    else if (result.terms > 0 && !run->estimate && !run->minors && !run->gradient && !run->rook && !run->rows &&
             !run->columns)
      fprintf(stderr, "perm: nothing is kept; with --checkpoint FILE the same command could go on from here\n");
  }
  if (result.status < 0) /* file errors already begin with FILE:LINE: */
    fprintf(stderr, "perm: %s%s%s%s\n", strstr(result.message, name) ? "" : name,
            strstr(result.message, name) ? "" : ": ", result.message, cli_next_step(run, &matrix, &result));
  perm_matrix_free(&matrix);
  return code;
}

/* The last look at standard output: what could not be written is no success. */
static int cli_end(int code)
{
  if (!fflush(stdout) && !ferror(stdout))
    return code;
  fprintf(stderr, "perm: cannot write to standard output\n");
  return CLI_FAILED;
}

int CLI_MAIN(int argc, char **argv)
{
  cli run;
  int i, code;
  static char buffer[1 << 16];
  static int buffered;
  if (!buffered++) /* whole lines go out: one that cannot is not followed by another one */
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
#if defined(SIGXFSZ)
  signal(SIGXFSZ, SIG_IGN); /* a file beyond ulimit -f is a failed write */
#endif
  for (i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--"))
      break;
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
      for (code = 0; code < CLI_COUNT(cli_help); code++)
        printf("%s%s", code ? "\n" : "", cli_help[code]);
      return cli_end(CLI_DONE);
    }
    if (!strcmp(argv[i], "--version") || !strcmp(argv[i], "-V")) {
      printf("perm %d.%d.%d\n", PERM_VERSION_MAJOR, PERM_VERSION_MINOR, PERM_VERSION_PATCH);
      return cli_end(CLI_DONE);
    }
    if (!strncmp(argv[i], "--list", 6) && (!argv[i][6] || argv[i][6] == '='))
      return cli_end(cli_list(argv[i][6] ? argv[i] + 7 : i + 1 < argc ? argv[i + 1] : "nothing"));
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
    if (run.resume || run.merge)
      code = cli_restore(&run, run.resume ? run.resume : run.file[0]);
    if (code == CLI_DONE && !run.explain && !run.merge)
      code = cli_start_threads(&run.options);
    run.options.checkpoint.merge = run.merge ? run.file : NULL;
    run.options.checkpoint.merges = run.merge ? run.files : 0;
    run.files = run.merge || run.resume || run.generate || code != CLI_DONE ? code == CLI_DONE : run.files;
    run.max_seconds = run.options.max_seconds;
    for (i = 0; i < run.files && !cli_interrupted && !ferror(stdout); i++) {
      run.options.max_seconds = run.max_seconds;
      int one = cli_matrix(&run, run.generate || run.merge || run.resume ? NULL : run.file[i]);
      code = cli_worse(one, code);
    }
    if (i < run.files && !ferror(stdout)) { /* a signal between matrices, or before the first one */
      fprintf(stderr, "perm: stopped before %s; to go on, give the same command again\n",
              run.resume || run.merge || run.generate ? "it began" : run.file[i]);
      code = cli_worse(code, CLI_EARLY);
    }
    code = cli_end(code);
  }
  perm_matrix_free(&run.restored);
  free(run.restored_name);
  free(run.file);
  free(run.row_counts);
  free(run.column_counts);
  return code;
}
