/* Which measurement is of which target? Aircraft fly abreast; a radar sees each with a chance, somewhere near, and
   clutter besides. A target has one measurement at most and a measurement one target: the weight of an association is a
   product, their sum a permanent, and the chance of a pair its entry times the derivative, over the permanent. That is
   joint probabilistic data association (T. E. Fortmann, Y. Bar-Shalom, M. Scheffe, IEEE J. Oceanic Eng. 8 (1983) 173);
   as permanents: D. F. Crouse, P. Willett, IEEE Trans. Aerosp. Electron. Syst. 53 (2017) 698.
   Build:  cc -O2 -I.. tracking.c -o tracking -lm
   Usage:  tracking [TARGETS [SPACING [SEED]]]      up to 20; spacing in standard deviations of the radar: 2.5 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define PERM_IMPLEMENTATION
#include "perm_sparse.h"
#include "perm_random.h"

enum { TARGETS = 20, MEASUREMENTS = 60, LINES = TARGETS + MEASUREMENTS };
static const double pi = 3.14159265358979324, detected = 0.9, gate = 3, clutter = 0.02; /* clutter in a unit of area */
static int targets, measurements;
static double weight[TARGETS][MEASUREMENTS + 1], chance[TARGETS][MEASUREMENTS + 1]; /* measurement 0: missed */

static void demand(perm_status status, const char *message)
{
  if (status != PERM_OK) {
    fprintf(stderr, "tracking: %s\n", message);
    exit(1);
  }
}

/* Target i is at (i spacing, 0). A measurement weighs: its density if it is the target's, over that of clutter. */
static void observe(double spacing, uint64_t seed)
{
  generate_random random = {seed};
  double x[MEASUREMENTS + 1], y[MEASUREMENTS + 1], area = (targets * spacing + 2 * gate) * 2 * gate, left = 0;
  int i, j;
  for (i = 0; i < targets; i++)
    if (generate_uniform(&random) < detected) {
      measurements++;
      generate_normals(&random, &x[measurements], &y[measurements]);
      x[measurements] += i * spacing;
    }
  while (measurements < MEASUREMENTS && (left -= log(generate_positive(&random))) < clutter * area) {
    measurements++;
    x[measurements] = generate_uniform(&random) * area / (2 * gate) - gate;
    y[measurements] = (2 * generate_uniform(&random) - 1) * gate;
  }
  for (i = 0; i < targets; i++) {
    weight[i][0] = 1 - detected * (1 - exp(-gate * gate / 2));
    for (j = 1; j <= measurements; j++) {
      const double square = pow(x[j] - i * spacing, 2) + y[j] * y[j];
      weight[i][j] = square < gate * gate ? detected * exp(-square / 2) / (2 * pi) / clutter : 0;
    }
  }
}

/* The chances of t targets and m measurements that share gates with nobody else. The matrix: the measurements' columns,
   then one for each target, missed; of many targets, m rows of ones take the columns that are left, in m! ways. */
static void cluster(int t, const int *target, int m, const int *measurement)
{
  double a[LINES * LINES] = {0}, marginals[TARGETS * LINES], row[LINES], whole;
  int i, j, k, n = t + m, column[LINES];
  perm_matrix matrix;
  perm_result r;
  for (j = 0; j < n; j++)
    column[j] = j < m ? measurement[j] : 0;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      a[i * n + j] = i >= t ? 1 : j < m || j == m + i ? weight[target[i]][column[j]] : 0;
  if (t <= 12 && n <= PERM_MAX_N) { /* all at once */
    demand(perm_marginals_real(t, n, a, n, NULL, NULL, NULL, marginals, &r), r.message);
    for (k = 0; k < t * n; k++)
      if (a[k] > 0)
        chance[target[k / n]][column[k % n]] = marginals[k];
    return;
  }
  for (k = -1, whole = 0; k < t * n; k++) { /* the whole, then one entry alone in its row: entry times derivative */
    if (k >= 0 && a[k] == 0)
      continue;
    i = k < 0 ? 0 : k / n;
    memcpy(row, a + i * n, sizeof(double) * (size_t)n);
    for (j = 0; j < n && k >= 0; j++)
      a[i * n + j] = i * n + j == k ? row[j] : 0;
    demand(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, &r), r.message);
    demand(perm_compute_sparse(&matrix, NULL, &r), r.message);
    perm_matrix_free(&matrix);
    memcpy(a + i * n, row, sizeof(double) * (size_t)n);
    if (k < 0)
      whole = ldexp(r.value, (int)r.exp2);
    else
      chance[target[i]][column[k % n]] = ldexp(r.value, (int)r.exp2) / whole;
  }
}

/* Targets whose gates share measurements, again and again, are a cluster. Returns how many there are. */
static int clusters(void)
{
  int of_target[TARGETS] = {0}, of_measurement[MEASUREMENTS + 1] = {0}, found = 0, first, i, j, grown;
  for (first = 0; first < targets; first++)
    if (!of_target[first]) {
      int target[TARGETS], measurement[MEASUREMENTS], t = 0, m = 0;
      of_target[first] = ++found;
      do
        for (grown = i = 0; i < targets; i++)
          for (j = 1; j <= measurements; j++)
            if (weight[i][j] > 0 && (of_target[i] == found) != (of_measurement[j] == found))
              of_target[i] = of_measurement[j] = found, grown = 1;
      while (grown);
      for (i = 0; i < targets; i++)
        if (of_target[i] == found)
          target[t++] = i;
      for (j = 1; j <= measurements; j++)
        if (of_measurement[j] == found)
          measurement[m++] = j;
      cluster(t, target, m, measurement);
    }
  return found;
}

int main(int argc, char **argv)
{
  double spacing = argc > 2 ? atof(argv[2]) : 2.5;
  int i, j, found;
  clock_t start;
  targets = argc > 1 ? atoi(argv[1]) : TARGETS;
  if (targets < 1 || targets > TARGETS || !(spacing > 0 && spacing < 1e6)) {
    fprintf(stderr, "usage: tracking [TARGETS, 1 to %d [SPACING > 0 [SEED]]]\n", TARGETS);
    return 2;
  }
  observe(spacing, argc > 3 ? strtoull(argv[3], NULL, 10) : 1983);
  start = clock();
  found = clusters();
  printf("%d targets, %d measurements, %d clusters: %.1f ms\n", targets, measurements, found,
         1e3 * (double)(clock() - start) / CLOCKS_PER_SEC);
  printf("target measurement  weight                probability\n");
  for (i = 0; i < targets; i++)
    for (j = 0; j <= measurements; j++)
      if (weight[i][j] > 0)
        printf("%6d %11d  %-20.16g  %.15f\n", i + 1, j, weight[i][j], chance[i][j]);
  return 0;
}
/* SPDX-License-Identifier: MIT */
