/* Which measurement is of which target? A radar sees each target with a chance, somewhere near, and clutter besides. A
   target has one measurement at most and a measurement one target. The weight of an association is a product of
   entries, so the sum of all weights is the permanent of a matrix targets x (measurements + targets): its last columns
   are misses, one for each target. The chance of a pair is its marginal; a column that stays unmatched is clutter.
   That is joint probabilistic data association (T. E. Fortmann, Y. Bar-Shalom, M. Scheffe, IEEE J. Oceanic Eng. 8
   (1983) 173); as permanents: D. F. Crouse, P. Willett, IEEE Trans. Aerosp. Electron. Syst. 53 (2017) 698.
   Build:  cc -O2 -I.. tracking.c -o tracking -lm
   Usage:  tracking [TARGETS [SPACING [SEED]]]      60 targets; spacing in standard deviations of the radar: 4 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define PERM_IMPLEMENTATION
#include "perm_more.h"
#include "perm_random.h"

static const double pi = 3.14159265358979324, detected = 0.9, gate = 3, clutter = 0.05; /* clutter in a unit of area */
static size_t *start; /* the matrix by compressed rows */
static int *column;
static double *weight;

static void *array(size_t count)
{
  void *room = calloc(count, sizeof(double));
  if (!room) {
    fprintf(stderr, "tracking: out of memory\n");
    exit(1);
  }
  return room;
}

/* Targets lie in a square. A pair weighs the measurement's density if it is the target's, over that of clutter.
   Returns how many measurements there are. */
static int observe(int targets, double spacing, uint64_t seed)
{
  generate_random random = {seed};
  const double side = spacing * sqrt(targets), most = clutter * side * side;
  const size_t room = 2 * (size_t)targets + (size_t)(2 * most) + 100;
  double *x = (double *)array(room), *y = (double *)array(room), left = 0;
  size_t e = 0;
  int i, j, k = targets;
  for (i = 0; i < targets; i++) {
    x[i] = side * generate_uniform(&random);
    y[i] = side * generate_uniform(&random);
    generate_normals(&random, &x[k], &y[k]);
    x[k] += x[i];
    y[k] += y[i];
    k += generate_uniform(&random) < detected;
  }
  for (; k < (int)room && (left -= log(generate_positive(&random))) < most; k++) {
    x[k] = side * generate_uniform(&random);
    y[k] = side * generate_uniform(&random);
  }
  start = (size_t *)array((size_t)targets + 1);
  column = (int *)array((size_t)targets * (size_t)k);
  weight = (double *)array((size_t)targets * (size_t)k);
  for (i = 0; i < targets; i++) {
    for (j = targets; j < k; j++) {
      const double square = pow(x[j] - x[i], 2) + pow(y[j] - y[i], 2);
      if (square < gate * gate) {
        column[e] = j - targets;
        weight[e++] = detected * exp(-square / 2) / (2 * pi) / clutter;
      }
    }
    column[e] = k - targets + i;
    weight[e++] = 1 - detected * (1 - exp(-gate * gate / 2));
    start[i + 1] = e;
  }
  free(x);
  free(y);
  return k - targets;
}

int main(int argc, char **argv)
{
  const int targets = argc > 1 ? atoi(argv[1]) : 60;
  const double spacing = argc > 2 ? atof(argv[2]) : 4;
  double *chance, *unmatched;
  int i, j, measurements;
  perm_matrix matrix;
  perm_result r;
  clock_t begin;
  size_t e;
  if (targets < 1 || targets > 2000 || !(spacing > 0 && spacing <= 20)) {
    fprintf(stderr, "usage: tracking [TARGETS, 1 to 2000 [SPACING, up to 20 [SEED]]]\n");
    return 2;
  }
  measurements = observe(targets, spacing, argc > 3 ? strtoull(argv[3], NULL, 10) : 1983);
  chance = (double *)array(start[targets]);
  unmatched = (double *)array((size_t)(measurements + targets));
  begin = clock();
  if (perm_matrix_borrow_csr(targets, measurements + targets, start, column, weight, NULL, NULL, PERM_KIND_REAL,
                             &matrix, &r) != PERM_OK ||
      perm_marginals_sparse(&matrix, NULL, chance, unmatched, &r) != PERM_OK) {
    fprintf(stderr, "tracking: %s\n", r.message);
    return 1;
  }
  printf("%d targets, %d measurements: %.2f ms, relative error of a chance at most %.0e\n", targets, measurements,
         1e3 * (double)(clock() - begin) / CLOCKS_PER_SEC, r.error_bound);
  printf("target measurement  weight                probability; measurement 0: missed\n");
  for (i = 0; i < targets; i++)
    for (e = start[i]; e < start[i + 1]; e++)
      printf("%6d %11d  %-20.16g  %.15f\n", i + 1, column[e] < measurements ? column[e] + 1 : 0, weight[e], chance[e]);
  for (j = 0; j < measurements; j++)
    printf("clutter: %8d  %.15f\n", j + 1, unmatched[j]);
  return 0;
}
/* SPDX-License-Identifier: MIT */
