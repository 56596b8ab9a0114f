/* Does `estimate` survive an adversary? See climb.h.

   Run:  build/climb [RESULTS [SEED [ENGINE]]]   default 1000000 1; ENGINE: only ways whose call or method is so named
   A Markdown table, and of every row with a lie its worst matrix. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perm_sparse.h"
#include "climb.h"

static int by_name(const void *x, const void *y)
{
  const climb_row *a = (const climb_row *)x, *b = (const climb_row *)y;
  return a->call != b->call             ? (int)a->call - (int)b->call
         : a->method != b->method       ? (int)a->method - (int)b->method
         : a->precision != b->precision ? (int)a->precision - (int)b->precision : a->parts - b->parts;
}

static void table(double seconds)
{
  int k;
  qsort(climb_found.table, (size_t)climb_found.count, sizeof *climb_found.table, by_name);
  printf("| call | engine | precision | numbers | results | worst true error / estimate | over 10 | over 100 | over 1,000 "
         "| bounds violated | tolerance falsely met |\n|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|\n");
  for (k = 0; k < climb_found.count; k++) {
    const climb_row *row = &climb_found.table[k];
    printf("| %s | %s | %s | %s | %ld | %.2g | %ld | %ld | %ld | %ld | %ld |\n", climb_call_name[row->call],
           perm_method_name(row->method), perm_precision_name(row->precision), row->parts == 1 ? "real" : "complex",
           row->results, row->worst, row->over_10, row->over_100, row->over_1000, row->violations, row->falsely_met);
  }
  printf("\n");
  for (k = 0; k < climb_found.count; k++)
    if (climb_found.table[k].worst > CLIMB_LIE) {
      printf("LIE %.3g times, %s %s: ", climb_found.table[k].worst, perm_method_name(climb_found.table[k].method),
             perm_precision_name(climb_found.table[k].precision));
      climb_show(&climb_found.table[k].problem, &climb_found.table[k].way);
    }
  printf("\n%ld results: %ld over 10 times the estimate, %ld over 100, %ld over 1,000; %ld bounds violated, %ld tolerances "
         "falsely met; %.0f s\n", climb_found.results, climb_found.lies, climb_found.over_100, climb_found.over_1000,
         climb_found.violations, climb_found.falsely_met, seconds);
}

int main(int argc, char **argv)
{
  const long results = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  const double start = test_seconds();
  const char *name = argc > 3 ? argv[3] : NULL;
  long bad;
  test_seed(seed);
  if (climb_any_engine(name) < 0)
    return 2;
  while (climb_found.results < results)
    climb_once(name);
  table(test_seconds() - start);
  bad = climb_found.lies + climb_found.violations + climb_found.falsely_met;
  printf("%ld passed, %ld failed, 0 skipped\n", climb_found.results - bad, bad);
  return bad != 0;
}
