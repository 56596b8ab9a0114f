/* make run: exact permanents of real structures, from the headers alone.

   Build:  cc -std=c99 -O2 -I.. tour.c -o tour -lm
   Usage:  tour [FILE.mtx ...]      the files come after the built-in structures */
#define PERM_IMPLEMENTATION
#include "perm_sparse.h"

#include "perm_generate.h"

/* Seconds on one A100 GPU as published for SuiteSparse matrices (Elbek and Kaya, "Fully-Automated Code Generation
   for Efficient Computation of Sparse Matrix Permanents on GPUs"): another machine, for orientation. */
static const struct { const char *name, *seconds; } tour_published[] = {
    {"bcspwr02", "1317"}, {"mycielskian6", "478"}, {"mesh1e1", "860"}, {"bcsstk01", "883"}};

static int tour_failures;

static void tour_line(const char *title, const char *name, const perm_matrix *matrix)
{
  perm_result result;
  char value[PERM_TEXT_BYTES], digits[64];
  const char *published = "";
  double least;
  size_t i;
  if (perm_compute_sparse(matrix, NULL, &result) != PERM_OK) {
    printf("%-34s %s\n", title, result.message);
    tour_failures++;
    return;
  }
  perm_result_text(&result, value, sizeof value);
  least = result.error_bound <= result.error_estimate ? result.error_bound : result.error_estimate;
  if (result.exact)
    snprintf(digits, sizeof digits, "exact");
  else
    snprintf(digits, sizeof digits, "%.0f digits %s",
             fmin(floor(-log10(least / hypot(result.value, result.imaginary))), 17),
             result.error_bound <= result.error_estimate ? "guaranteed" : "estimated");
  for (i = 0; i < sizeof tour_published / sizeof tour_published[0]; i++)
    if (!strcmp(name, tour_published[i].name))
      published = tour_published[i].seconds;
  printf("%-34s %3d %5.0f  %-46s %-21s %-9s %9.4f %8s\n", title, matrix->n, (double)matrix->nnz, value, digits,
         perm_name("method", result.method), result.plan_seconds + result.seconds, published);
}

static void tour_generated(const char *title, const char *specification)
{
  perm_matrix matrix;
  perm_result result;
  if (perm_generate(specification, 1, NULL, &matrix, &result) != PERM_OK) {
    printf("%-34s %s\n", title, result.message);
    tour_failures++;
    return;
  }
  tour_line(title, strcmp(specification, "mycielskian:6") ? "" : "mycielskian6", &matrix);
  perm_matrix_free(&matrix);
}

int main(int argc, char **argv)
{
  int i;
  printf("%-34s %3s %5s  %-46s %-21s %-9s %9s %8s\n", "structure", "n", "nnz", "permanent", "known", "method",
         "seconds", "A100 s*");
  tour_generated("perfect matchings, Mycielski M6 x 2", "mycielskian:6");
  tour_generated("domino tilings of a chessboard", "grid:8:8");
  tour_generated("domino tilings, 16 x 16 board", "grid:16:16");
  tour_generated("Kekule structures of coronene", "coronene");
  tour_generated("Kekule structures, 37-ring hexagon", "hexagonal:4");
  tour_generated("random 3-regular bipartite, 2 x 60", "regular:60:3");
  tour_generated("real, dense, U[-1,1]", "symmetric-uniform:20");
  tour_generated("real, dense, U[0,1]", "uniform:24");
  tour_generated("complex, Haar unitary: 20 photons", "unitary:20");
  for (i = 1; i < argc; i++) {
    perm_matrix matrix;
    perm_result result;
    char name[64];
    const char *base = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
    if (perm_matrix_read(argv[i], NULL, &matrix, &result) != PERM_OK) {
      printf("%s\n", result.message);
      tour_failures++;
      continue;
    }
    tour_line(name, name, &matrix);
    perm_matrix_free(&matrix);
  }
  printf("* published seconds on one A100 GPU: another machine, another program, the same matrix\n");
  return tour_failures != 0;
}
/* SPDX-License-Identifier: MIT */
