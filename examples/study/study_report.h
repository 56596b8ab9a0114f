/* study_report.h */
#ifndef PERM_STUDY_REPORT_H_INCLUDED
#define PERM_STUDY_REPORT_H_INCLUDED
#include "study.h"
/* The moments of every cell, beside the exact ones. */
static void study_report_cells(const study *all)
{
  int e, n, k;
  printf("| ensemble | n | samples | X | X^2 | exact | X^3 | X^4 | exact | P(X < 1e-4) |\n"
         "|---|---|---|---|---|---|---|---|---|---|\n");
  for (e = 0; e < STUDY_ENSEMBLES; e++)
    for (n = 1; n <= STUDY_MOST_N; n++) {
      const study_cell *cell = all->cell[e][n];
      if (!cell || !cell->count)
        continue;
      printf("| %s | %d | %" PRIu64 " |", study_ensembles[e].name, n, cell->count);
      for (k = 1; k <= 4; k++) {
        printf(" %.7g (%.2g) |", study_moment(cell, k), study_moment_error(cell, k));
        if (k == 2)
          printf(" %.7g |", study_second(&study_ensembles[e], n));
        if (k == 4)
          printf(" %.7g |", study_fourth(&study_ensembles[e], n));
      }
      printf(" %.3g |\n", (double)cell->bin[0] / (double)cell->count);
    }
}
static void study_report_table(const study *all)
{
  (void)all;
}
static void study_report_plots(const study *all, const char *directory)
{
  (void)all, (void)directory;
}
#endif
