/* perm_cli_amplitudes.h: amplitudes or probabilities of all outputs of photons, listed or as .npy. Part of
   perm_cli.c. */
#ifndef PERM_CLI_AMPLITUDES_H
#define PERM_CLI_AMPLITUDES_H

#include "perm_cli_dense.h"

typedef struct cli_array { FILE *file; size_t bytes; int failed; } cli_array; /* bytes: of a number */

static int cli_array_block(void *user_data, size_t first, size_t count, const double *values)
{
  cli_array *array = (cli_array *)user_data;
  (void)first;
  array->failed |= fwrite(values, array->bytes, count, array->file) != count;
  return array->failed;
}

/* Opens the file that is to replace `path`, by the library's rules for names, locks and modes. */
static FILE *cli_beside(const char *path, char *name)
{
  sprintf(name, "%s.%016x.tmp", path, 0);
#if defined(CLI_STAT)
  struct stat old;
  const int kept = lstat(path, &old) == 0, left = open(name, O_WRONLY | O_NONBLOCK);
  if (left >= 0 && flock(left, LOCK_EX | LOCK_NB) == 0) /* by a killed writer */
    remove(name);
  errno = EEXIST;
  const int file = kept && !S_ISREG(old.st_mode) ? -1 : open(name, O_WRONLY | O_CREAT | O_EXCL, kept ? 0600 : 0666);
  if (file >= 0)
    (void)!(flock(file, LOCK_EX | LOCK_NB) + (kept ? fchmod(file, old.st_mode & 0777) : 0));
  if (left >= 0)
    close(left);
  return file < 0 ? NULL : fdopen(file, "wb");
#else
  (void)path;
  return fopen(name, "wb");
#endif
}

/* Writes amplitudes as they come, in place of a list. */
static void cli_write_amplitudes(const cli *run, const perm_matrix *matrix, const double *a, perm_outputs *outputs,
                                 double count, perm_result *result)
{
  const short one = 1;
  char *const name = (char *)malloc(strlen(run->npy) + CLI_LEFT + 1);
  cli_array array = {name ? cli_beside(run->npy, name) : NULL, run->probabilities ? 8 : 16, 0};
  if (array.file) {
    char text[128];
    snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%.0f,), }",
             *(const char *)&one ? '<' : '>', run->probabilities ? "f8" : "c16", count);
    array.failed = fprintf(array.file, "\223NUMPY\1%c\166%c%-117s\n", 0, 0, text) != 128; /* 10 + 118 bytes */
    outputs->block = cli_array_block;
    outputs->user_data = &array;
    perm_amplitudes_complex(matrix->m, matrix->n, a, matrix->n, run->column_counts, outputs, &run->options, NULL,
                            result);
    array.failed |= fflush(array.file) != 0 || CLI_SYNC(array.file) != 0;
    array.failed |= fclose(array.file) != 0;
    if (result->value == result->value && !array.failed) {
#if !defined(CLI_STAT)
      remove(run->npy); /* rename may not replace it */
#endif
      array.failed = rename(name, run->npy) != 0;
    }
  }
  if (!array.file || array.failed)
    generate_fail(result, PERM_ERROR_FILE, "%.150s: cannot write: %s", run->npy,
                  errno == EEXIST ? "another run writes it, or it is no plain file" : strerror(errno));
  if (array.file && result->value != result->value)
    remove(name);
  free(name);
}

static void cli_compute_amplitudes(const cli *run, const perm_matrix *matrix, perm_result *result, cli_minors *list)
{
  const int m = matrix->m, n = matrix->n;
  perm_options options = run->options;
  perm_outputs outputs = {run->row_counts, run->exactly, run->probabilities, 0, NULL, NULL};
  double *a = (double *)calloc(2 * (size_t)m * (size_t)n + 1, sizeof *a), photons = 0, bytes;
  const int64_t most = 9007199254740992;
  size_t count = 0;
  int i, known = 0;
  for (i = 0; i < n; i++)
    photons += run->columns ? i < run->columns ? run->column_counts[i] : 0 : 1;
  list->state = (int *)calloc((size_t)m + 1, sizeof *list->state);
  list->outputs = outputs;
  list->parts = run->probabilities ? 1 : 2;
  list->photons = photons >= 0 && photons <= PERM_MAX_LINES ? (int)photons : 0;
  if (!a || !list->state) {
    cli_no_memory(result);
  } else if (cli_check_counts(run, matrix, result)) {
    known = perm_amplitudes_count(m, list->photons, &outputs, &count) == PERM_OK && photons == list->photons;
    bytes = 8.0 * list->parts * (double)count;
    for (i = 0; i < m; i++)
      for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++) {
        double *to = a + 2 * ((size_t)i * (size_t)n + (size_t)matrix->column[e]);
        to[0] = matrix->real ? matrix->real[e] : matrix->integer ? (double)matrix->integer[e] : 1;
        to[1] = matrix->imaginary ? matrix->imaginary[e] : 0;
        if (matrix->integer && (matrix->integer[e] > most || matrix->integer[e] < -most))
          generate_fail(result, PERM_ERROR_UNSUPPORTED, "an integer above 2^53 is no double");
      }
    if (result->status != PERM_OK) { /* is told */
    } else if (known && run->npy) {
      cli_write_amplitudes(run, matrix, a, &outputs, (double)count, result);
    } else if (known && (count >= INT_MAX / 2 || (options.max_bytes > 0 && bytes >= options.max_bytes))) {
      generate_fail(result, PERM_ERROR_LIMIT, "%.0f outputs take %s; --npy FILE keeps them elsewhere, --rows limits "
                    "them", (double)count, cli_amount("bytes", bytes).text);
    } else {
      options.max_bytes -= options.max_bytes > 0 ? bytes : 0;
      list->count = list->columns = (int)count;
      list->number = known ? (double *)calloc((size_t)list->parts * count + 1, sizeof *list->number) : NULL;
      if (known && !list->number)
        cli_no_memory(result);
      else
        perm_amplitudes_complex(m, n, a, n, run->column_counts, &outputs, &options, list->number, result);
    }
  }
  result->is_complex = 0; /* the sum of squares */
  free(a);
}

static void cli_print_amplitudes(const char *name, const perm_matrix *matrix, const perm_result *result,
                                 const cli_minors *list)
{
  char unit[2][40] = {"", ""}; /* of amplitudes, of their squares */
  int k, i;
  printf("%s: %d x %d, %.0f entries\n", name, matrix->m, matrix->n, (double)matrix->nnz);
  if (result->value != result->value) {
    printf("  %s\n", result->message);
    return;
  }
  for (k = 0; k < 2 && result->exp2; k++)
    snprintf(unit[k], sizeof unit[k], " times 2^%lld", (k + 1) * result->exp2);
  printf("  %d photon%s: the squares of %s have the sum %.17g%s\n"
         "  the vector of amplitudes errs by %.2g%s at most, proved; %s, %d thread%s, total %s\n", list->photons,
         list->photons == 1 ? "" : "s", list->outputs.most || list->outputs.exactly ? "those listed" : "all amplitudes",
         result->value, unit[1], result->error_bound, unit[0],
         perm_name("isa", result->isa), result->threads, result->threads == 1 ? "" : "s",
         cli_amount("seconds", result->seconds).text);
  printf("  %s%s%s\n", list->what, unit[list->parts == 1],
         !list->number ? " are in the file" : list->count ? ":" : ": none within the limits");
  for (k = 0; list->number && k < list->count && !ferror(stdout); k++) {
    perm_amplitudes_state(matrix->m, list->photons, &list->outputs, (size_t)k, list->state);
    for (i = 0; i < matrix->m; i++)
      printf("%s%d", i ? "," : "    ", list->state[i]);
    cli_print_parts(list, k);
  }
  if (result->status != PERM_OK)
    printf("  %s\n", result->message);
}

#endif
/* SPDX-License-Identifier: MIT */
