/* perm: exact permanents from the command line.

   Build:  cc -std=c99 -O2 -I../.. perm_cli.c -o perm -lm        (add -fopenmp for threads)
   Help:   perm --help                                        (what scripts may rely on) */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* isatty */
#endif
#if defined(CLI_COMPUTE) || defined(PERM_WITH_CUDA)
#define CLI_WHY_NO_GPU "none was predicted to be faster; --isa cuda insists"
#define CLI_ONE_GPU "one GPU (as of an H200)"
#else
#define CLI_NO_CUDA 1
#define CLI_WHY_NO_GPU "this perm was built without CUDA; make cuda builds build/perm_gpu with it"
#define CLI_ONE_GPU "one GPU (as of an H200; this perm was built without CUDA and uses none)"
#endif
#ifndef CLI_COMPUTE /* perm_mpi.c includes this file with functions of its own */
#define CLI_COMPUTE(name) perm_compute_##name
#define CLI_PROVE perm_prove_sparse
#define CLI_MAIN main
#ifndef PERM_CLI_LINKED /* the Makefile has perm.o for several programs */
#define PERM_IMPLEMENTATION
#endif
#endif
#include "perm_more.h"

#include "perm_fractions.h"
#include "../perm_generate.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <time.h>
#if defined(_OPENMP)
#include <omp.h>
#define CLI_NO_THREADS ""
#else
#define CLI_NO_THREADS ", built without OpenMP: it uses one thread"
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#if defined(_OPENMP)
#include <pthread.h>
#include <sys/resource.h>
#endif
#define CLI_IS_TERMINAL isatty(2)
#define CLI_SYNC(file) fsync(fileno(file))
#else
#define CLI_IS_TERMINAL 0
#define CLI_SYNC(file) 0
#endif

#include "perm_cli_options.h"
#include "perm_cli_answer.h"
#include "perm_cli_explain.h"
#include "perm_cli_checkpoint.h"
#include "perm_cli_amplitudes.h"

static volatile int cli_interrupted;

static void cli_interrupt(int number)
{
  (void)number;
  cli_interrupted = 1;
}

/* What to try after a refusal or a failure, to stand behind its message; empty where the message says enough. */
static const char *cli_next_step(const cli *run, const perm_matrix *matrix, const perm_result *result)
{
  const int one = !cli_given(run, CLI_LISTS " --estimate --guarantee --sample --rows --cols ");
  const int samples = one && !run->options.modulus && matrix->m == matrix->n;
  const char *const message = result->message;
  switch (result->status) {
  case PERM_ERROR_LIMIT:
    if (strstr(message, "too little"))
      return "; allow more --max-bytes";
    if (strstr(message, "certify") && !strstr(message, "certify:"))
      return "; without --certify there is a value with an estimate";
    if (strstr(message, "over max_bytes"))
      return samples ? "; allow more --max-bytes, --effort 10 looks for an order that needs less, --estimate takes "
                       "random samples"
                     : "; allow more --max-bytes, or --effort 10 looks for an order that needs less";
    if (strstr(message, "over max_seconds"))
      return samples ? "; allow more --max-seconds, --effort 10 looks longer for another plan, --estimate takes random "
                       "samples"
                     : "; allow more --max-seconds";
    return !one ? ""
           : !samples ? "; --effort 10 looks longer for another plan"
           : run->explain ? "; --effort 10 looks longer for another plan, --estimate takes random samples"
                          : "; --explain shows what is left of it, --effort 10 looks longer for a plan, --estimate "
                            "takes random samples";
  case PERM_ERROR_OVERFLOW:
    return run->options.precision == PERM_PRECISION_EXACT ? "; --precision default gives the leading digits" : "";
  case PERM_ERROR_MEMORY:
    return one && !run->explain ? "; --explain tells how much is needed, --max-bytes takes what fits or refuses" : "";
  case PERM_ERROR_STATE:
    if (run->merge && strstr(message, "are missing"))
      return cli_missing_parts(&run->options.checkpoint);
    if (run->resume || run->merge || !run->options.checkpoint.file)
      return strstr(message, "of another matrix") ? ", or of a perm that plans otherwise, which can go on" : "";
    return strstr(message, "made with") ? "; give the same, or another --checkpoint to begin anew"
                                        : "; to begin anew, name another --checkpoint";
  case PERM_ERROR_UNSUPPORTED:
    return run->sample && strstr(message, "no chances")
               ? "; outputs of photons: examples/boson_sampling.c FILE PHOTONS COUNT, or perm.sampler.boson" : "";
  case PERM_ERROR_DEVICE:
    return strstr(message, "PERM_WITH_CUDA") ? "; make cuda builds build/perm_gpu with it" : "";
  default: return "";
  }
}

/* Integers that were computed in doubles, by themselves; what exactness takes, the library says if it knows. */
static void cli_hint_exact(const cli *run, const perm_matrix *matrix, const perm_result *result)
{
  const char *const about = strncmp(result->message, "exactly in about ", 17) ? NULL : result->message;
  const int length = about ? (int)(strstr(about, " with precision") - about) : 0;
  if (matrix->kind <= PERM_KIND_INTEGER && !result->exact && result->value == result->value && !run->json &&
      run->options.precision == PERM_PRECISION_DEFAULT &&
      !cli_given(run, " --estimate --guarantee --sample --marginals --amplitudes "))
    fprintf(stderr, "perm: the entries are integers: %.*s%s%s\n", length, about ? about : "", about ? ": " : "",
            run->gradient || run->minors ? "--precision exact gives every digit"
            : log2(fabs(result->value)) + (double)result->exp2 < 64.0 * PERM_INTEGER_WORDS
                ? "--precision exact gives every digit, --mod P the permanent modulo P"
                : "--mod P gives the permanent modulo P, exactly");
}

/* Where zeros alone decide: which rows cannot have a column each. */
static void cli_hint_zero(const cli *run, const char *name, const perm_matrix *matrix, const perm_result *result)
{
  perm_preparation report;
  if (result->method == PERM_METHOD_STRUCTURE && result->value == 0 && !run->json && !run->rows && !run->columns &&
      !cli_graph.line && perm_sparse_report(matrix, &run->options, &report, NULL) == PERM_OK &&
      report.structural_rank < report.m && report.structural_rank < report.n)
    fprintf(stderr, "perm: %s: no permutation avoids the zeros: %s\n", name, report.hall);
}

/* Of two exit codes the one that says more: a missed tolerance comes between success and everything else. */
static int cli_worse(int a, int b)
{
  return a == CLI_TOLERANCE && b != CLI_DONE ? b : b == CLI_TOLERANCE && a != CLI_DONE ? a : a > b ? a : b;
}

/* SIGINT, SIGTERM and SIGHUP (but under nohup) stop the job at the next chunk; a second Ctrl-C kills, a second SIGTERM
   does not (schedulers send several). signal() would leave a gap in which it does. */
static void cli_catch_signals(void)
{
#if defined(__unix__) || defined(__APPLE__)
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = cli_interrupt;
  sigaction(SIGTERM, &action, NULL);
  if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, NULL);
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

#define CLI_TOLD_SECONDS 1 /* what takes longer is told, and work */
#define CLI_TOLD_LEFT 10   /* of which more than this is left */
#if !defined(CLI_LINE_SECONDS) /* tests do not wait */
#define CLI_LINE_SECONDS 60
#endif

/* On a terminal a line that changes; else a line a minute if asked for, or one for each activity that takes long. */
static int cli_progress(const perm_progress *progress, void *user_data)
{
  cli *run = (cli *)user_data;
  const double rest = progress->seconds_left;
  const int known = isfinite(rest), begins = progress->fraction <= 0;
  const cli_words so_far = cli_amount("seconds", progress->seconds), left = cli_amount("seconds", rest);
  if (run->progress == 1 && run->told && progress->seconds >= run->told_seconds &&
      progress->seconds < run->told_seconds + CLI_LINE_SECONDS)
    return 0; /* seconds begin anew with each matrix */
  if (run->progress) {
    fprintf(stderr, "%s%s:", run->progress > 1 ? "\r" : "perm: ", progress->activity);
    if (known)
      fprintf(stderr, " %5.1f%%, %s so far, about %s left", 100 * progress->fraction, so_far.text, left.text);
    else
      fprintf(stderr, " %s so far", so_far.text);
    fprintf(stderr, run->progress > 1 ? "   " : "\n");
    run->told = progress->activity;
    run->told_seconds = progress->seconds;
  } else if (progress->seconds > CLI_TOLD_SECONDS && run->told != progress->activity &&
             (known ? rest > CLI_TOLD_LEFT : begins)) {
    fprintf(stderr, "perm: %s, %s so far%s%s%s\n", progress->activity, so_far.text, known ? ", about " : "",
            known ? left.text : "", known ? " left" : "");
    run->told = progress->activity;
  }
  fflush(stderr);
  return 0;
}

static void cli_compute_rook(const cli *run, const perm_matrix *matrix, perm_result *result, cli_minors *list)
{
  list->what = "rook";
  list->count = list->columns = (matrix->m < matrix->n ? matrix->m : matrix->n) + 1;
  list->integer = (perm_integer *)calloc((size_t)list->count, sizeof *list->integer);
  if (!list->integer)
    cli_no_memory(result);
  else if (perm_rook_numbers(matrix, &run->options, list->integer, result) != PERM_OK)
    cli_list_free(list);
}

static cli_minors cli_list_of(const cli *run, const perm_matrix *matrix)
{
  const int m = matrix->m, n = matrix->n, large = m > PERM_MAX_N || n > PERM_MAX_N;
  const int entries = run->marginals || run->market || (run->gradient && large && !run->rows && !run->columns);
  cli_minors list = {NULL, NULL, NULL, NULL, "minors", n, n, 1, NULL, 0, NULL, {NULL, NULL, 0, 0, NULL, NULL}};
  list.what = run->probabilities ? "probabilities" : run->amplitudes ? "amplitudes" : list.what;
  list.what = run->marginals ? "marginals" : run->gradient ? "gradient" : list.what;
  list.count = entries ? (int)matrix->nnz : run->gradient ? m * n : n;
  list.columns = entries ? list.count : n;
  list.parts = matrix->kind == PERM_KIND_COMPLEX && !run->marginals ? 2 : 1;
  list.at = entries ? matrix : NULL;
  return list;
}

/* Derivatives by the entries that are not 0, of integers exactly unless they may be too long; or marginals. */
static void cli_compute_entries(const cli *run, const perm_matrix *matrix, perm_result *result, cli_minors *list)
{
  const int asked = run->options.precision == PERM_PRECISION_EXACT;
  const int exact = !run->marginals && (asked || matrix->kind <= PERM_KIND_INTEGER);
  const size_t count = matrix->nnz * (size_t)list->parts + 1;
  list->number = (double *)calloc(count, sizeof *list->number);
  list->unmatched = run->marginals ? (double *)calloc((size_t)cli_longer(matrix) + 1, sizeof(double)) : NULL;
  list->integer = exact ? (perm_integer *)calloc(count, sizeof *list->integer) : NULL;
  if (!list->number || (run->marginals && !list->unmatched) || (exact && !list->integer)) {
    cli_no_memory(result);
    return;
  }
  if (list->integer)
    perm_gradient_sparse_integer(matrix, &run->options, list->integer, result);
  if (list->integer && !asked && result->status == PERM_ERROR_OVERFLOW) {
    free(list->integer);
    list->integer = NULL;
  }
  if (run->marginals) {
    perm_marginals_sparse(matrix, &run->options, list->number, list->unmatched, result);
    result->error_bound *= run->json ? 1 : fabs(result->value); /* relative, and so of the permanent */
    result->error_estimate *= run->json ? 1 : fabs(result->value);
  } else if (!list->integer)
    perm_gradient_sparse(matrix, &run->options, list->number, result);
}

/* Coefficients of per(matrix + x L), of which L = I has those of per(x I - matrix) but for signs. */
static void cli_compute_polynomial(const cli *run, const perm_matrix *matrix, perm_result *result, cli_minors *list)
{
  const int n = matrix->m < matrix->n ? matrix->m : matrix->n, exact = run->options.precision == PERM_PRECISION_EXACT;
  int *ends = (int *)malloc(2 * (size_t)n * sizeof *ends + 1);
  perm_matrix l;
  memset(&l, 0, sizeof l);
  for (int k = 0; ends && k < 2 * n; k++)
    ends[k] = k / 2;
  if (run->permanental && matrix->m != matrix->n)
    generate_fail(result, PERM_ERROR_SIZE, "--permanental is of square matrices, not %d x %d", matrix->m, matrix->n);
  else if (!ends)
    cli_no_memory(result);
  else if (run->polynomial)
    perm_matrix_read(run->polynomial, &run->options, &l, NULL, result);
  else
    perm_matrix_from_edges(n, n, (size_t)n, ends, NULL, 0, &run->options, &l, result);
  list->what = run->polynomial ? "polynomial" : "permanental";
  list->count = list->columns = n + 1;
  list->parts = matrix->kind == PERM_KIND_COMPLEX || l.kind == PERM_KIND_COMPLEX ? 2 : 1;
  list->number = (double *)calloc(2 * (size_t)n + 2, sizeof(double));
  list->bound = (double *)calloc((size_t)n + 1, sizeof(double));
  if (exact || (matrix->kind <= PERM_KIND_INTEGER && l.kind <= PERM_KIND_INTEGER))
    list->integer = (perm_integer *)calloc(2 * (size_t)n + 2, sizeof *list->integer);
  if (result->status != PERM_OK) { /* L is not there */
  } else if (!list->number || !list->bound || (exact && !list->integer)) {
    cli_no_memory(result);
  } else if (list->integer) {
    perm_polynomial_sparse_integer(matrix, &l, n, &run->options, list->integer, result);
  } else {
    perm_polynomial_sparse(matrix, &l, n, &run->options, list->number, list->bound, result);
    result->error_bound = result->error_estimate = list->bound[0];
  }
  for (int k = 0; run->permanental && result->status == PERM_OK && k < (n + 1) * list->parts; k++) {
    perm_integer *x = list->integer ? &list->integer[k] : NULL;
    if ((n - k / list->parts) % 2 == 0)
      continue;
    list->number[k] = -list->number[k];
    if (x && x->words && run->options.modulus)
      x->word[0] = run->options.modulus - x->word[0];
    else if (x && x->words)
      x->negative = !x->negative;
  }
  perm_matrix_free(&l);
  free(ends);
}

/* Rook numbers and polynomials have no job: with a second for them the library says what it predicts. */
static int cli_explain_list(cli *run, const char *name, const perm_matrix *matrix, perm_result *result)
{
  cli_minors list = cli_list_of(run, matrix);
  run->options.max_seconds = 1;
  (run->rook ? cli_compute_rook : cli_compute_polynomial)(run, matrix, result, &list);
  cli_list_free(&list);
  const char *const begin = strstr(result->message, ": "), *const end = strstr(result->message, " predicted, more");
  if (result->status < 0 && !end)
    return 0;
  if (run->json)
    cli_json_head(name, matrix);
  else
    printf("%s: %d x %d, %.0f entries\n", name, matrix->m, matrix->n, (double)matrix->nnz);
  printf(run->json ? ",\"time\":\"%s%.*s\"}\n" : "  time       %s%.*s\n",
         end ? "about " : result->status ? "over a second" : "under a second", end ? (int)(end - begin) - 2 : 0,
         end ? begin + 2 : "");
  return 1;
}

/* Draws and prints permutations, as many at a time as CLI_SAMPLE_INTS hold. */
#define CLI_SAMPLE_INTS 67108864
static void cli_sample(const cli *run, const perm_matrix *matrix, perm_result *result)
{
  const uint64_t m = matrix->m > 0 ? (uint64_t)matrix->m : 1;
  const uint64_t most = m < CLI_SAMPLE_INTS ? CLI_SAMPLE_INTS / m : 1, room = run->sample < most ? run->sample : most;
  int *columns = (int *)malloc((size_t)(room * m) * sizeof *columns);
  if (!columns) {
    cli_no_memory(result);
    return;
  }
  for (uint64_t first = 0; first < run->sample && result->status == PERM_OK && !ferror(stdout); first += room) {
    const uint64_t count = run->sample - first < room ? run->sample - first : room;
    if (perm_sample_sparse(matrix, &run->options, run->seed, first, count, columns, result) == PERM_OK)
      for (uint64_t k = 0; k < count && !ferror(stdout); k++) {
        for (int i = 0; i < matrix->m; i++)
          printf("%s%d", i ? " " : "", columns[k * m + (uint64_t)i] + 1);
        putchar('\n');
      }
  }
  free(columns);
}

/* What goes with one matrix: its file, its result, what is told of it. */
static int cli_one_matrix(cli *run, const char *name, const perm_matrix *given, perm_result result)
{
  const perm_matrix matrix = *given;
  const int dense = run->rows || run->columns || run->minors || run->gradient || run->estimate;
  perm_estimate estimate;
  cli_minors list = cli_list_of(run, &matrix);
  char *note = NULL;
  const char *next;
  int code;
  memset(&estimate, 0, sizeof estimate); /* none yet */
  estimate.value = estimate.imaginary = estimate.low = estimate.high = NAN;
  estimate.standard_error = estimate.radius = INFINITY;
  cli_seconds_taken(&run->options, result.seconds);
  if (result.status == PERM_OK && run->write) {
    result.status = perm_matrix_write(run->write, &matrix, &run->options, &result);
    cli_seconds_taken(&run->options, result.seconds);
    if (result.status != PERM_OK)
      name = run->write;
    else if (!strcmp(run->write, "-")) /* standard output is taken: nothing else goes there */
      return CLI_DONE;
  }
  if (result.status == PERM_OK && run->write && cli_check_outputs(run) != CLI_DONE) /* now that it is there */
    return CLI_USAGE;
  if (result.status == PERM_OK && run->spy) {
    result.status = perm_sparse_spy(&matrix, &run->options, run->spy, name, &result);
    if (result.status == PERM_OK && !strcmp(run->spy, "-"))
      return CLI_DONE;
    if (result.status == PERM_ERROR_FILE)
      name = run->spy;
  }
  if (result.status == PERM_OK && run->minors > matrix.m) {
    generate_fail(&result, PERM_ERROR_RANGE, "--minors %d: the matrix has %d row%s", run->minors, matrix.m,
                  matrix.m == 1 ? "" : "s");
  } else if (result.status == PERM_OK && run->minors && run->rows == matrix.m && !run->row_counts[run->minors - 1]) {
    generate_fail(&result, PERM_ERROR_RANGE, "--minors %d: --rows has no copy of row %d", run->minors, run->minors);
  } else if (result.status == PERM_OK && run->explain) {
    if ((run->estimate ? cli_explain_guarantee : cli_given(run, CLI_LISTS) ? cli_explain_list : cli_explain)(
            run, name, &matrix, &result))
      return CLI_DONE;
  } else if (result.status == PERM_OK && run->sample) {
    cli_sample(run, &matrix, &result);
    if (run->progress > 1)
      fprintf(stderr, "\r%72s\r", "");
    if (result.status >= 0) {
      if (result.status > 0)
        fprintf(stderr, "perm: %s: %s\n", name, result.message);
      return cli_exit_code(result.status);
    }
  } else if (result.status == PERM_OK) {
    if (run->options.checkpoint.file) {
      cli_keep_choices(&run->options);
      run->options.checkpoint.note = note = cli_note(run, name, &matrix);
      if (run->options.tolerance > 0 && !run->merge && !run->resume)
        fprintf(stderr, "perm: with a checkpoint the precision is planned for the tolerance at once, and not raised "
                        "later; --explain tells it\n");
    }
    if (run->options.checkpoint.file && !note) {
      cli_no_memory(&result);
    } else if (list.at)
      cli_compute_entries(run, &matrix, &result, &list);
    else if (run->amplitudes)
      cli_compute_amplitudes(run, &matrix, &result, &list);
    else if (dense)
      cli_compute_dense(run, &matrix, &result, &estimate, &list);
    else if (run->polynomial || run->permanental)
      cli_compute_polynomial(run, &matrix, &result, &list);
    else if (run->rook)
      cli_compute_rook(run, &matrix, &result, &list);
    else if (cli_proves)
      CLI_PROVE(&matrix, run->prove, &run->options, &result);
    else
      CLI_COMPUTE(sparse)(&matrix, &run->options, &result);
    if (run->progress > 1)
      fprintf(stderr, "\r%72s\r", "");
  }
  fraction_part(&result);
  code = cli_exit_code(result.status);
  next = cli_next_step(run, &matrix, &result); /* which knows the library's words */
  cli_in_options(result.status, result.message, sizeof result.message);
  cli_in_options(estimate.status, estimate.message, sizeof estimate.message);
  if (cli_is_part_of_proof(&result) && strstr(result.message, "; there is no value"))
    strcpy(strstr(result.message, "; there is no value"), "; a proof has no value before its end"); /* is shorter */
  if (result.status > 0 && cli_writes_output(run)) {
    fprintf(stderr, "perm: %s: %s\n", name, result.message); /* standard output is for the file */
    return code;
  }
  if (result.status > 0)
    result.modulus = run->options.modulus;
  if (result.value != result.value || result.status < 0) /* no minor, no derivative is known */
    cli_list_free(&list);
  if (run->estimate && result.status >= 0) {
    if (estimate.value != estimate.value) { /* perhaps it was not even begun */
      estimate.status = result.status;
      snprintf(estimate.message, sizeof estimate.message, "%s", result.message);
    }
    cli_print_estimate(name, &matrix, &estimate, run->json);
  } else if (run->json && run->explain && !run->estimate && cli_is_refusal(result.status)) { /* it is explained */
  } else if (run->json) {
    cli_print_json(name, &matrix, &result, &list);
  } else if (result.status == PERM_PART_DONE) {
    printf("%s: part %d of %d is done: %s\n", name, run->options.checkpoint.part, run->options.checkpoint.parts,
           run->options.checkpoint.file);
  } else if (run->market && result.status >= 0) { /* nothing else in the file */
    if (cli_has(&list))
      cli_print_market(&result, &list);
    if (result.status > 0)
      fprintf(stderr, "perm: %s: %s\n", name, result.message);
  } else if (run->amplitudes && result.status >= 0) {
    cli_print_amplitudes(name, &matrix, &result, &list);
  } else if (result.status >= 0) {
    cli_print(name, &matrix, &result);
    if (cli_has(&list))
      cli_print_list(&matrix, &result, &list);
  }
  fflush(stdout);
  cli_list_free(&list);
  free(note);
  if (result.status == PERM_STOPPED_CANCELLED || result.status == PERM_STOPPED_TIME) {
    FILE *kept = run->options.checkpoint.file ? fopen(run->options.checkpoint.file, "rb") : NULL;
    if (kept)
      fprintf(stderr, "perm: what is finished is kept; to go on: perm --resume %s\n", run->options.checkpoint.file);
    else if (run->options.checkpoint.file)
      fprintf(stderr, "perm: nothing is kept yet, for planning was not finished; the same command begins anew\n");
    else if (result.terms > 0 && !cli_graph.line && fraction_is_whole() &&
             !cli_given(run, CLI_LISTS " --estimate --guarantee --rows --cols "))
      fprintf(stderr, "perm: nothing is kept; with --checkpoint FILE the same command could go on from here\n");
    if (kept)
      fclose(kept);
  }
  if (result.status < 0) /* file errors already begin with FILE:LINE: */
    fprintf(stderr, "perm: %s%s%s%s\n", strstr(result.message, name) ? "" : name,
            strstr(result.message, name) ? "" : ": ", result.message, next);
  if (result.status >= 0 && run->options.gpu.devices && !run->options.gpu.cpu_fallback && !result.gpus &&
      !run->explain && result.value == result.value)
    fprintf(stderr, "perm: no GPU was used: %s\n", CLI_WHY_NO_GPU);
  if (result.status >= 0)
    cli_hint_exact(run, &matrix, &result);
  cli_hint_zero(run, name, &matrix, &result);
  return code;
}

/* The same, and frees the matrix. */
static int cli_one(cli *run, const char *name, perm_matrix matrix, perm_result result)
{
  const int code = cli_one_matrix(run, name, &matrix, result);
  perm_matrix_free(&matrix);
  return code;
}

/* One file, while it is read. */
typedef struct cli_file {
  cli *run;
  const char *name;
  perm_result result; /* of reading */
  int code, told;     /* told: as what it is read */
} cli_file;

/* Each matrix of a file: one, or graphs, a line each. */
static int cli_each(perm_matrix *matrix, const perm_integer *denominator, unsigned long long line, void *user_data)
{
  cli_file *file = (cli_file *)user_data;
  cli *run = file->run;
  const char *const one_file = line ? cli_given(run, " --write --spy --checkpoint --prove --market --npy ") : NULL;
  perm_result *result = &file->result;
  char *name;
  if (line && cli_interrupted) { /* between two graphs, or at the one before */
    fprintf(stderr, "perm: stopped before %s:%llu; to go on, give the same command again\n", file->name, line);
    file->code = cli_worse(file->code, CLI_EARLY);
    perm_matrix_free(matrix);
    return 1;
  }
  name = line ? (char *)malloc(strlen(file->name) + 24) : NULL;
  cli_ticks(0);
  fraction_below = *denominator;
  cli_graph.file = file->name;
  cli_graph.line = line;
  if (name)
    sprintf(name, "%s:%llu", file->name, line);
  if (!cli_given(run, " --precision "))
    run->options.precision = fraction_is_whole() ? PERM_PRECISION_DEFAULT : PERM_PRECISION_EXACT;
  if (!file->told++ && snprintf(cli_reading, sizeof cli_reading, "%s", result->message) > 0)
    fprintf(stderr, "perm: %s%s\n", cli_reading,
            !strstr(cli_reading, "adjacency") || strstr(cli_reading, "digraph") ? ""
            : "; the permanent counts cycle covers, in bipartite graphs the square of the perfect matchings");
  if (one_file)
    generate_fail(result, PERM_ERROR_UNSUPPORTED, "the file has many graphs, and %s is for one: sed -n %llup FILE | "
                  "perm %s ... - takes this one", one_file, line, one_file);
  else if (!fraction_is_whole() && cli_given(run, fraction_refuses))
    generate_fail(result, PERM_ERROR_UNSUPPORTED, "the permanent of fractions is computed exactly, and nothing else: "
                  "leave out %s, or write decimals", cli_given(run, fraction_refuses));
  file->code = cli_worse(cli_one(run, name ? name : file->name, *matrix, *result), file->code);
  free(name);
  run->options.max_seconds = run->max_seconds;
  return one_file || ferror(stdout);
}

static int cli_matrix(cli *run, const char *file)
{
  cli_file reading;
  perm_matrix matrix;
  perm_status status;
  memset(&matrix, 0, sizeof matrix);
  memset(&reading, 0, sizeof reading);
  cli_graph.line = 0;
  cli_reading[0] = 0;
  if (run->restored_name) {
    matrix = run->restored;
    memset(&run->restored, 0, sizeof run->restored);
    return cli_one(run, run->restored_name, matrix, reading.result);
  }
  if (run->generate) {
    reading.result.status = perm_generate(run->generate, run->seed, &run->options, &matrix, &reading.result);
    return cli_one(run, run->generate, matrix, reading.result);
  }
  reading.run = run;
  reading.name = !strcmp(file, "-") ? "standard input" : *file ? file : "\"\"";
  cli_ticks(1);
  status = perm_matrix_read_each(file, &run->options, cli_each, &reading, &reading.result);
  cli_ticks(0);
  cli_graph.line = 0;
  if (status == PERM_OK)
    return reading.code;
  return cli_worse(cli_one(run, reading.name, matrix, reading.result), reading.code);
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
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer); /* whole lines go out: one that cannot is not followed by another */
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
      printf("perm %d.%d.%d%s%s\n", PERM_VERSION_MAJOR, PERM_VERSION_MINOR, PERM_VERSION_PATCH,
             PERM_VERSION_PRERELEASE, CLI_NO_THREADS);
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
    if (CLI_IS_TERMINAL)
      run.progress = 2;
    run.options.progress = cli_progress;
    run.options.user_data = &run;
    run.options.cancel = &cli_interrupted;
    cli_catch_signals();
    if (*CLI_NO_THREADS && run.options.threads > 1)
      fprintf(stderr, "perm: --threads %d: this is a perm%s\n", run.options.threads, CLI_NO_THREADS);
    if (run.resume || run.merge)
      code = cli_restore(&run, run.resume ? run.resume : run.file[0]);
    if (code == CLI_DONE && (run.resume || run.merge))
      code = run.explain && (run.rows || run.columns)
                 ? cli_usage("--explain is about permanents of a matrix as it is", NULL, "resume without it")
                 : cli_check_sources(&run);
    if (code == CLI_DONE && !run.explain && !run.merge)
      code = cli_start_threads(&run.options);
    run.file[run.files] = NULL;
    run.options.checkpoint.merge = run.merge ? run.file : NULL;
    run.files = run.merge || run.resume || run.generate || code != CLI_DONE ? code == CLI_DONE : run.files;
    run.max_seconds = run.options.max_seconds;
    for (i = 0; i < run.files && !cli_interrupted && !ferror(stdout); i++) {
      run.options.max_seconds = run.max_seconds;
      code = cli_worse(cli_matrix(&run, run.generate || run.merge || run.resume ? NULL : run.file[i]), code);
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
  free(run.exactly);
  return code;
}
/* SPDX-License-Identifier: MIT */
