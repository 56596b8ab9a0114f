/* perm_cli_checkpoint.h: matrix and options of a job in its checkpoint, for --resume and --merge. Part of
   perm_cli.c. */
#ifndef PERM_CLI_CHECKPOINT_H
#define PERM_CLI_CHECKPOINT_H

#include "perm_cli_options.h"

/* What goes into a checkpoint besides the library's part: lines "perm note 1", "file NAME", perhaps "proof", "rows
   2,0,1" and "cols ..", an empty one, and then the matrix as Matrix Market. NULL: out of memory. */
static char *cli_note(const cli *run, const char *name, const perm_matrix *matrix)
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
  to += sprintf(to, "%s", cli_proves ? "proof\n" : "");
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
  *to = 0;
  return note;
}

/* The value of the line that begins with `key`, freshly allocated; NULL: there is none before the empty line. */
static char *cli_note_line(const char *note, const char *key)
{
  const size_t length = strlen(key);
  while (*note && *note != '\n') {
    const char *next = note + strcspn(note, "\n");
    if (!strncmp(note, key, length)) {
      char *value = (char *)malloc((size_t)(next - note) - length + 1);
      if (value) {
        memcpy(value, note + length, (size_t)(next - note) - length);
        value[(size_t)(next - note) - length] = 0;
      }
      return value;
    }
    note = next + (*next != 0);
  }
  return NULL;
}

/* Matrix and options from a checkpoint's note. Returns an exit code; a failure has been reported. */
static int cli_restore(cli *run, const char *path)
{
  static const char real[] = "%%MatrixMarket matrix coordinate real ";
  perm_options *options = &run->options, given = run->options;
  perm_result result;
  char *note = NULL;
  perm_status status = perm_checkpoint_options(path, options, &note, &result);
  if (status == PERM_OK) {
    const char *text = note ? strstr(note, "\n\n") : NULL;
    if (!text || strncmp(note, "perm note 1\n", 12) != 0) {
      status = PERM_ERROR_FORMAT;
      snprintf(result.message, sizeof result.message, "%s: this checkpoint has no matrix; the program that made it, or "
               "the command that did with --checkpoint, can go on with it", path);
    } else {
      char *rows = cli_note_line(note, "rows "), *columns = cli_note_line(note, "cols ");
      text += 2;
      run->restored_name = cli_note_line(note, "file ");
      cli_proves |= strstr(note, "\nproof\n") != NULL; /* names have no line breaks */
      status = perm_matrix_read_memory(text, strlen(text), path, NULL, &run->restored, &result);
      if (status == PERM_OK && run->restored.kind == PERM_KIND_INTEGER && !strncmp(text, real, strlen(real))) {
        free(run->restored.integer); /* the job was one of doubles, whole ones */
        run->restored.integer = NULL;
        run->restored.kind = PERM_KIND_REAL;
      }
      if (status == PERM_OK && (!run->restored_name || (rows && !cli_counts(rows, "", &run->row_counts, &run->rows)) ||
                                (columns && !cli_counts(columns, "", &run->column_counts, &run->columns)))) {
        status = PERM_ERROR_FORMAT;
        snprintf(result.message, sizeof result.message, "%s: its note is not as this command writes it", path);
      }
      free(rows);
      free(columns);
    }
  }
  free(note);
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

/* Does an output leave the files alone that the checkpoints are of, as they are named in their notes? */
static int cli_check_sources(cli *run)
{
  const int outputs = run->write || run->spy || run->prove || run->options.checkpoint.file;
  int i, code = CLI_DONE;
  for (i = 0; outputs && code == CLI_DONE && i < (run->merge ? run->files : 1); i++) {
    perm_options options;
    perm_result result;
    char *note = NULL, *name;
    memset(&options, 0, sizeof options);
    if (perm_checkpoint_options(run->merge ? run->file[i] : run->resume, &options, &note, &result) != PERM_OK) {
      fprintf(stderr, "perm: %s\n", result.message);
      return cli_exit_code(result.status);
    }
    name = note ? cli_note_line(note, "file ") : NULL;
    run->source = name;
#if defined(CLI_STAT)
    struct stat there; /* what is not there may be written again */
    run->source = name && stat(name, &there) == 0 ? name : NULL;
#endif
    code = cli_check_files(run);
    run->source = NULL;
    free(name);
    free(note);
  }
  return code;
}

/* What to do where chunks are missing in merged checkpoints: which parts of how many are not there, or which files are
   of no part. In a static buffer. */
static const char *cli_missing_parts(const perm_checkpoint_file *merged)
{
  static char text[620];
  size_t used = 0;
  int i, k, files = 0, all = 0, missing = 0, told = 0;
  char list[200] = "", *there = NULL;
  text[0] = 0;
  while (merged->merge && merged->merge[files])
    files++;
  for (i = 0; i < files; i++) {
    perm_options options;
    memset(&options, 0, sizeof options);
    if (perm_checkpoint_options(merged->merge[i], &options, NULL, NULL) != PERM_OK)
      break;
    if (!options.checkpoint.parts) {
      snprintf(text, sizeof text, "; perm --resume %.300s finishes what is left there", merged->merge[i]);
      break;
    }
    if (!there && (there = (char *)calloc((size_t)options.checkpoint.parts + 1, 1)) == NULL)
      break;
    all = all ? all : options.checkpoint.parts;
    if (options.checkpoint.parts != all) {
      snprintf(text, sizeof text, "; the files are of %d and of %d parts: name those of one number", all,
               options.checkpoint.parts);
      break;
    }
    there[options.checkpoint.part] = 1;
  }
  for (k = 1; i == files && k <= all; k++)
    if (!there[k] && ++missing && used < 60) {
      used += (size_t)sprintf(list + used, "%s%d", told++ ? ", " : "", k);
    }
  if (missing == 1)
    snprintf(text, sizeof text, "; part %s of %d is not among the files: compute it with --part %s/%d, and name its "
             "checkpoint, too", list, all, list, all);
  else if (missing)
    snprintf(text, sizeof text, "; parts %s%s of %d are not among the files: compute them with --part I/%d, and name "
             "their checkpoints, too", list, told < missing ? " and more" : "", all, all);
  else if (i == files && all)
    snprintf(text, sizeof text, "; all %d parts are named, so one of them is not finished: perm --resume FILE finishes "
             "it", all);
  free(there);
  return text;
}

/* The kernel family of a checkpoint is kept where none is asked for, since this machine may have a better one. */
static void cli_keep_choices(perm_options *options)
{
  perm_options kept;
  memset(&kept, 0, sizeof kept);
  if (perm_checkpoint_options(options->checkpoint.file, &kept, NULL, NULL) != PERM_OK)
    return;
  if (options->isa == PERM_ISA_AUTO && kept.isa != PERM_ISA_CUDA)
    options->isa = kept.isa;
}

#endif
/* SPDX-License-Identifier: MIT */
