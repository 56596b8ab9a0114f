/* Boson sampling: n photons enter the first n of m modes of a Haar-random interferometer; a permanent is the amplitude
   of every way out. Probabilities of all outputs, and exact samples: photon by photon, each by the minors of one row,
   equal rows once (P. Clifford, R. Clifford, The classical complexity of boson sampling, SODA 2018, algorithm B).
   Build:  cc -O2 -I.. boson_sampling.c -o boson_sampling -lm */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define PERM_IMPLEMENTATION
#include "perm.h"
#include "perm_random.h"

enum { MOST = 20, MOST_MODES = 400 }; /* photons, modes */

static void need(perm_status status, const perm_result *result)
{
  if (status == PERM_OK)
    return;
  fprintf(stderr, "boson_sampling: %s\n", result->message);
  exit(1);
}

/* The first n columns of a random unitary, m x n, real and imaginary parts in turn. */
static void interferometer(int m, int n, double *u, generate_random *random)
{
  int i;
  for (i = 0; i < m * n; i++)
    generate_normals(random, u + 2 * i, u + 2 * i + 1);
  generate_orthonormalise(m, n, u, u + 1, 2);
}

/* One sample: count[i] photons in mode i. Photon k goes to mode i with the chance of that given the k - 1 before it:
   the squared permanent of a k x k matrix whose rows are the modes so far and mode i. Expanded by the row of mode i it
   takes k minors, which are the same for all i. */
static void sample(int m, int n, const double *u, generate_random *random, int *count)
{
  const perm_options options = {.threads = 1};
  double rows[2 * MOST * MOST], minors[2 * MOST], chance[MOST_MODES], total; /* chance: cumulative, times anything */
  int photon[MOST], row_counts[MOST] = {1}, mode[MOST], used = 1, i, j, k, row;
  perm_result result;
  memset(count, 0, (size_t)m * sizeof *count);
  generate_permutation(random, n, photon);
  for (j = 0; j < 2 * n; j++)
    rows[j] = 1; /* row 0, the one to expand by: anything */
  for (k = 1; k <= n; k++) {
    need(perm_minors_complex(used, k, rows, n, row_counts, NULL, 0, &options, minors, &result), &result);
    for (total = 0, i = 0; i < m; i++) {
      double x = 0, y = 0;
      for (j = 0; j < k; j++) {
        const double *a = u + 2 * (i * n + photon[j]), *b = minors + 2 * j;
        x += a[0] * b[0] - a[1] * b[1];
        y += a[0] * b[1] + a[1] * b[0];
      }
      chance[i] = total += x * x + y * y;
    }
    total *= generate_uniform(random);
    for (i = 0; i < m - 1 && chance[i] <= total; i++)
      ;
    for (row = 1; row < used && mode[row] != i; row++)
      ;
    if (row == used) { /* a mode that had no photon */
      mode[row] = i;
      row_counts[used++] = 0;
      for (j = 0; j < n; j++)
        memcpy(rows + 2 * (row * n + j), u + 2 * (i * n + photon[j]), 2 * sizeof *u);
    }
    row_counts[row]++;
    count[i]++;
  }
}

enum { M = 8, N = 4, OUTPUTS = 330 }; /* OUTPUTS = C(M + N - 1, N): small enough to see all */
static struct {
  double probability;
  int count[M], seen;
} output[OUTPUTS];

/* Appends to output[] every way to put `left` photons into modes `mode` and later, given those before. Its probability:
   the squared permanent, each row as often as there are photons in its mode, over the factorials of these numbers. */
static int list_outputs(const double *u, int *count, int mode, int left, double factorials, int found)
{
  perm_result r;
  int k;
  if (mode == M - 1) {
    for (count[mode] = left; left > 1; left--)
      factorials *= left;
    need(perm_compute_repeated_complex(M, N, u, N, count, NULL, NULL, &r), &r);
    memcpy(output[found].count, count, sizeof output[found].count);
    output[found].probability = ldexp(r.value * r.value + r.imaginary * r.imaginary, 2 * (int)r.exp2) / factorials;
    return found + 1;
  }
  for (k = 0; k <= left; k++, factorials *= k) {
    count[mode] = k;
    found = list_outputs(u, count, mode + 1, left - k, factorials, found);
  }
  return found;
}

int main(void)
{
  enum { SAMPLES = 20000, PHOTONS = 12, MODES = 144 };
  static double u[2 * MODES * PHOTONS];
  double total = 0, apart = 1, chi_square = 0, expected, seconds = 0;
  double rare = 0, rare_seen = 0; /* outputs expected fewer than five times: one cell */
  int count[MODES], outputs, cells = 0, k, s;
  generate_random random = {2018};
  clock_t start;

  interferometer(M, N, u, &random);
  outputs = list_outputs(u, count, 0, N, 1, 0);
  for (k = 0; k < outputs; k++)
    total += output[k].probability;
  printf("%d photons in %d modes: %d outputs, total probability %.13f\n", N, M, outputs, total);
  for (k = 0; k < N; k++) /* the last output: all in the first mode */
    apart *= u[2 * k] * u[2 * k] + u[2 * k + 1] * u[2 * k + 1];
  printf("all in one mode: %.11f times as often as distinguishable photons\n", output[outputs - 1].probability / apart);

  for (s = 0; s < SAMPLES; s++) {
    sample(M, N, u, &random, count);
    for (k = 0; memcmp(output[k].count, count, sizeof output[k].count); k++)
      ;
    output[k].seen++;
  }
  for (k = 0; k < outputs; k++)
    if ((expected = SAMPLES * output[k].probability) < 5) {
      rare += expected;
      rare_seen += output[k].seen;
    } else {
      chi_square += pow(output[k].seen - expected, 2) / expected;
      cells++;
    }
  if (rare > 0) {
    chi_square += pow(rare_seen - rare, 2) / rare;
    cells++;
  }
  printf("%d samples against these: chi-square %.1f, %d degrees of freedom\n", SAMPLES, chi_square, cells - 1);

  interferometer(MODES, PHOTONS, u, &random);
  for (s = 0, start = clock(); seconds < 0.5; s++) {
    sample(MODES, PHOTONS, u, &random, count);
    seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  }
  printf("%d photons in %d modes: %.0f samples/s\n", PHOTONS, MODES, s / seconds);
  return 0;
}
