/* ========================================================================================== >>write
   Matrix Market files written as a whole or not at all (>>files). */
#pragma once
#include <errno.h>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#endif
#include "../base/files.h"
#include "market.h"

/* 17 significant digits read back to the same double; from 1e17 to 2^63 all 19, or it would be another integer. */
static int permi_print_double(FILE *file, double value)
{
  char text[64];
  permi_say(text, sizeof text, " %.*g", fabs(value) >= 1e17 && fabs(value) <= 9223372036854775808.0 ? 19 : 17, value);
  return fputs(text, file) >= 0;
}

typedef struct permi_matrix_written {
  const perm_matrix *matrix;
  permi_control *watch;
} permi_matrix_written;

static int permi_print_matrix(FILE *file, const void *what)
{
  const permi_matrix_written *written = (const permi_matrix_written *)what;
  const perm_matrix *matrix = written->matrix;
  size_t k;
  int i;
  if (fprintf(file, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %llu\n",
              permi_banner[2].keyword[matrix->kind], matrix->m, matrix->n, (unsigned long long)matrix->nnz) < 0)
    return 0;
  for (i = 0; i < matrix->m; i++)
    for (k = matrix->row_start[i]; k < matrix->row_start[i + 1]; k++) {
      if (permi_watch(written->watch, 200) || fprintf(file, "%d %d", i + 1, matrix->column[k] + 1) < 0 ||
          (matrix->kind == PERM_KIND_INTEGER && fprintf(file, " %lld", (long long)matrix->integer[k]) < 0) ||
          (matrix->kind >= PERM_KIND_REAL && !permi_print_double(file, matrix->real[k])) ||
          (matrix->kind == PERM_KIND_COMPLEX && !permi_print_double(file, matrix->imaginary[k])) ||
          putc('\n', file) == EOF)
        return 0;
    }
  return fflush(file) == 0;
}

/* Is path written to directly, as an open file or device? Names come first, since stat follows them (/dev/stdout is a
   regular file after "> file"). */
static int permi_is_stream(const char *path)
{
  static const char *const links[3] = {"/dev/std", "/dev/fd/", "/proc/"};
  int k;
#if defined(__unix__) || defined(__APPLE__)
  struct stat information;
  for (k = 0; k < 3; k++)
    if (!strncmp(path, links[k], strlen(links[k])))
      return 1;
  return stat(path, &information) == 0 && S_ISCHR(information.st_mode);
#else
  (void)path, (void)links, (void)k;
  return 0;
#endif
}

static perm_status permi_write_file(const char *path, const perm_allocator *allocator,
                                    int (*print)(FILE *file, const void *what), const void *what, perm_result *result)
{
  const char *why, *failed = "write";
  const int standard = !strcmp(path, "-");
  char doing[40];
  errno = 0;
  if (standard || permi_is_stream(path)) {
    FILE *file = standard ? stdout : fopen(path, "wb");
    int error, printed;
    if (!file)
      return permi_file_fail(result, path, "cannot create", errno);
    printed = print(file, what);
    error = errno;
    if (!standard && fclose(file) != 0 && printed) {
      printed = 0;
      error = errno;
    }
    return printed ? PERM_OK
                   : permi_file_fail(result, standard ? "standard output" : path, "cannot write", error);
  }
  why = permi_file_replace(path, allocator, 1, print, what, 0, &failed);
  if (!why)
    return PERM_OK;
  if (!failed)
    return permi_fail(result, PERM_ERROR_MEMORY, 0, "out of memory for a file name");
  snprintf(doing, sizeof doing, "cannot %s", strcmp(failed, "sync the directory of") ? failed : "sync its directory");
  return permi_file_because(result, path, doing, why);
}

PERM_SPARSE_API perm_status perm_matrix_write(const char *path, const perm_matrix *matrix, const perm_options *options,
                                              perm_result *result)
{
  permi_control watch = permi_control_begin(permi_options(options));
  permi_environment environment;
  permi_matrix_written written;
  perm_status status;
  permi_result_clear(result);
  if (!path)
    return permi_fail(result, PERM_ERROR_NULL, 1, "path is NULL");
  if (!matrix)
    return permi_fail(result, PERM_ERROR_NULL, 2, "matrix is NULL");
  if ((matrix->m && !matrix->row_start) ||
      (matrix->nnz && (!matrix->column || (matrix->kind == PERM_KIND_INTEGER && !matrix->integer) ||
                       (matrix->kind >= PERM_KIND_REAL && !matrix->real) ||
                       (matrix->kind == PERM_KIND_COMPLEX && !matrix->imaginary))))
    return permi_fail(result, PERM_ERROR_NULL, 2, "an array that a matrix of this kind needs is NULL");
  watch.activity = "writing";
  written.matrix = matrix;
  written.watch = &watch;
  status = PERMI_SOUNDLY(&environment,
                         permi_write_file(path, &matrix->allocator, permi_print_matrix, &written, result));
  if (watch.stopped != PERM_OK)
    status = permi_fail(result, watch.stopped, 0, "%s while writing", perm_status_text(watch.stopped));
  if (result)
    result->seconds = permi_seconds() - watch.start;
  return status;
}
/* SPDX-License-Identifier: MIT */
