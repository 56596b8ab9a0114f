/* A problem as a Matrix Market file, for the verifier of proofs and for people. */
#ifndef PERM_ATTACK_VERIFY_H_INCLUDED
#define PERM_ATTACK_VERIFY_H_INCLUDED

#include <inttypes.h>
#include "matrices.h"

int verifier(const char *matrix, const char *proof, char *to); /* verifier.c */

static void write_matrix(const problem *p, const char *path)
{
  static const char *const field[] = {"real", "complex", "integer", "complex", "integer", "complex"};
  FILE *file = fopen(path, "w");
  int i, j, k, entries = 0;
  if (!file)
    return;
  for (i = 0; i < p->m * p->n; i++)
    entries += p->a[i * p->parts] || (p->parts == 2 && p->a[i * 2 + 1]);
  fprintf(file, "%%%%MatrixMarket matrix coordinate %s general\n", field[p->level[KIND]]);
  if (p->repeated)
    for (k = 0; k < 2; k++)
      for (i = 0; i < (k ? p->n : p->m); i++)
        fprintf(file, "%s %d%s", i ? "" : k ? "% columns count" : "% rows count",
                (k ? p->column_count : p->row_count)[i], i + 1 == (k ? p->n : p->m) ? "\n" : "");
  fprintf(file, "%d %d %d\n", p->m, p->n, entries);
  for (i = 0; i < p->m; i++)
    for (j = 0; j < p->n; j++) {
      const int at = (i * p->n + j) * p->parts;
      if (!p->a[at] && (p->parts == 1 || !p->a[at + 1]))
        continue;
      fprintf(file, "%d %d", i + 1, j + 1);
      for (k = 0; k < p->parts; k++)
        if (p->level[KIND] >= INTEGER)
          fprintf(file, " %" PRId64, p->a[at + k]);
        else
          fprintf(file, " %.17g", p->real[at + k]);
      fprintf(file, "\n");
    }
  fclose(file);
}

static size_t wide_text(const wide *x, int words, char *to, const char *plus)
{
  uint64_t magnitude[WIDE_MOST];
  char digits[1200];
  int used = wide_magnitude(x, words, magnitude, WIDE_MOST), k, count = 0;
  const int negative = used && wide_is_negative(x, words);
  do {
    uint64_t rest = 0;
    for (k = used - 1; k >= 0; k--) {
      const uint128 here = (uint128)rest << 64 | magnitude[k];
      magnitude[k] = (uint64_t)(here / 10);
      rest = (uint64_t)(here % 10);
    }
    while (used && !magnitude[used - 1])
      used--;
    digits[count++] = (char)('0' + rest);
  } while (used);
  k = sprintf(to, "%s", negative ? "-" : plus);
  while (count)
    to[k++] = digits[--count];
  to[k] = 0;
  return (size_t)k;
}

/* NULL, or why the verifier does not accept the proof of the right value */
static const char *proof_is_wrong(const problem *p, const char *proof, const char *matrix, const answer *exact)
{
  static char said[2000];
  char right[2600];
  size_t used;
  int i;
  for (i = 0; i < p->m * p->n * 2 && p->parts == 2; i++)
    if (llabs(p->a[i]) > INT64_C(1) << 53) /* no file that the verifier reads has these */
      return NULL;
  write_matrix(p, matrix);
  if (verifier(matrix, proof, said))
    return said;
  used = wide_text(&exact->value[0], exact->words, right, "");
  if (p->parts == 2)
    strcpy(right + used + wide_text(&exact->value[1], exact->words, right + used, "+"), "i");
  strcat(right, "\n");
  return strncmp(said, right, strlen(right)) ? said : NULL;
}

#endif
/* SPDX-License-Identifier: MIT */
