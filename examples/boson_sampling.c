/* Boson sampling: n photons enter the first n of m modes of a Haar-random interferometer; a permanent is the amplitude
   of every way out. Probabilities of all outputs, and exact samples: photon by photon, each by the minors of one row,
   equal rows once (P. Clifford, R. Clifford, The classical complexity of boson sampling, SODA 2018, algorithm B).
   Build:  cc -O2 -I.. boson_sampling.c -o boson_sampling -lm
   With GPUs, which take the minors of 13 photons and more:
           nvcc -O2 -I.. -c ../perm_cuda.cu
           cc -O2 -I.. -DPERM_WITH_CUDA boson_sampling.c perm_cuda.o -o boson_sampling -L/usr/local/cuda/lib64 \
              -lcudart_static -ldl -lrt -lpthread -lm
   Usage:  boson_sampling                         probabilities, samples against them both ways, samples a second
           boson_sampling PHOTONS MODES [GPUS]    samples of up to 14 photons against probabilities; seconds a sample
           boson_sampling FILE PHOTONS [SAMPLES]  samples (10) of the interferometer in a file: a row for each mode out,
                                                  one photon in each of the first columns; lines of photons by mode */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define PERM_IMPLEMENTATION
#include "perm_more.h"
#include "perm_random.h"

enum { MOST = 63, MOST_MODES = 400 }; /* photons, modes */
static int gpus;
static double in_minors; /* seconds; for many photons all but the whole time */

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
  perm_options options = {.threads = 1};
  double rows[2 * (MOST + 1) * MOST], minors[2 * MOST], total;
  double chance[MOST_MODES]; /* cumulative, times anything */
  int photon[MOST], row_counts[MOST + 1] = {1}, mode[MOST + 1], used = 1, i, j, k, row;
  perm_result result;
  memset(count, 0, (size_t)m * sizeof *count);
  generate_permutation(random, n, photon);
  for (j = 0; j < 2 * n; j++)
    rows[j] = 1; /* row 0, the one to expand by: anything */
  options.gpu.devices = gpus;
  if (n > 16)
    options.tolerance = 0.01; /* by the estimate; errors are far smaller. Not computed again in double-double */
  for (k = 1; k <= n; k++) {
    if (gpus && k > 12) /* a single call would pay for compiling kernels, many samples do not */
      options.isa = PERM_ISA_CUDA;
    need(perm_minors_complex(used, k, rows, n, row_counts, NULL, 0, &options, minors, &result), &result);
    in_minors += result.seconds;
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

/* An output drawn from all probabilities, each added to those before it: sooner for many samples of few outputs. */
static int sample_all(int outputs, const double *cumulative, generate_random *random)
{
  const double x = generate_uniform(random) * cumulative[outputs - 1];
  int low = 0, high = outputs - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (cumulative[middle] <= x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

enum { M = 8, N = 4, OUTPUTS = 330 }; /* OUTPUTS = C(M + N - 1, N): small enough to see all */

/* probability[s]: that s of n photons leave by the first `half` modes. Its generating function in z is the permanent of
   I + (z - 1) V, V the products of the columns over these modes, and is known from n + 1 roots of unity. */
static void half_probabilities(int n, int half, const double *u, double *probability)
{
  double a[2 * MOST * MOST];
  int i, j, k, s, mode;
  memset(probability, 0, (size_t)(n + 1) * sizeof *probability);
  for (k = 0; k <= n; k++) {
    const double angle = 6.283185307179586 * k / (n + 1), z[2] = {cos(angle) - 1, sin(angle)};
    perm_result r;
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) {
        double x = 0, y = 0, *to = a + 2 * (i * n + j);
        for (mode = 0; mode < half; mode++) {
          const double *p = u + 2 * (mode * n + i), *q = u + 2 * (mode * n + j);
          x += p[0] * q[0] + p[1] * q[1];
          y += p[0] * q[1] - p[1] * q[0];
        }
        to[0] = (i == j) + z[0] * x - z[1] * y;
        to[1] = z[0] * y + z[1] * x;
      }
    need(perm_compute_complex(n, n, a, n, NULL, &r), &r);
    for (s = 0; s <= n; s++)
      probability[s] +=
          ldexp(r.value * cos(angle * s) + r.imaginary * sin(angle * s), (int)r.exp2) / (n + 1);
  }
}

/* Adds a cell to chi-square; cells expected fewer than five times are one, *rare. */
static void add_cell(double expected, double seen, double *rare, double *chi_square, int *cells)
{
  if (expected < 5) {
    rare[0] += expected;
    rare[1] += seen;
  } else {
    *chi_square += pow(seen - expected, 2) / expected;
    ++*cells;
  }
}

/* Prints the chi-square of samples. */
static void tell(int samples, double *rare, double chi_square, int cells)
{
  if (rare[0] > 0) {
    chi_square += pow(rare[1] - rare[0], 2) / rare[0];
    cells++;
  }
  printf("%d samples against these: chi-square %.1f, %d degrees of freedom\n", samples, chi_square, cells - 1);
}

static int large(int photons, int modes, generate_random *random)
{
  enum { SAMPLES = 500 };
  static double u[2 * MOST_MODES * MOST];
  double probability[MOST + 1], rare[2] = {0, 0}, chi_square = 0, last;
  int count[MOST_MODES], seen[MOST + 1] = {0}, n = photons < 14 ? photons : 14, cells = 0, i, k, s, t;
  interferometer(modes, n, u, random);
  half_probabilities(n, modes / 2, u, probability);
  for (k = 0; k < SAMPLES; k++) {
    sample(modes, n, u, random, count);
    for (s = 0, i = 0; i < modes / 2; i++)
      s += count[i];
    seen[s]++;
  }
  printf("%d photons in %d modes, by the number in the first %d\n", n, modes, modes / 2);
  for (s = 0; s <= n; s++)
    add_cell(SAMPLES * probability[s], seen[s], rare, &chi_square, &cells);
  tell(SAMPLES, rare, chi_square, cells);

  interferometer(modes, photons, u, random);
  for (in_minors = last = 0, k = 0; k < 2 || (k < 20 && in_minors < 20); k++, last = in_minors) {
    sample(modes, photons, u, random, count);
    for (t = 0, i = 0; i < modes; i++)
      t += count[i] > 0;
    printf("%d photons in %d modes, %d GPUs: %.3f s, in %d modes\n", photons, modes, gpus, in_minors - last, t);
  }
  printf("%d photons in %d modes: %.3f s a sample\n", photons, modes, in_minors / k);
  return 0;
}

/* Samples of a matrix whose first n columns are orthonormal. */
static int of_file(const char *path, int n, int samples, generate_random *random)
{
  static double u[2 * MOST_MODES * MOST];
  int count[MOST_MODES], i, j, k;
  perm_matrix a;
  perm_result r;
  need(perm_matrix_read(path, NULL, &a, NULL, &r), &r);
  if (n < 1 || n > MOST || n > a.n || a.m > MOST_MODES) {
    fprintf(stderr, "boson_sampling: %s: %d x %d, %d photons: at most %d modes, and %d photons, one a column\n", path,
            a.m, a.n, n, MOST_MODES, MOST);
    return 2;
  }
  for (i = 0; i < a.m; i++)
    for (size_t e = a.row_start[i]; e < a.row_start[i + 1] && a.column[e] < n; e++) {
      double *to = u + 2 * (i * n + a.column[e]);
      to[0] = a.real ? a.real[e] : 1;
      to[1] = a.imaginary ? a.imaginary[e] : 0;
    }
  for (j = 0; j < n; j++)
    for (k = 0; k <= j; k++) {
      double x = -(j == k), y = 0;
      for (i = 0; i < a.m; i++) {
        const double *p = u + 2 * (i * n + j), *q = u + 2 * (i * n + k);
        x += p[0] * q[0] + p[1] * q[1];
        y += p[0] * q[1] - p[1] * q[0];
      }
      if (!(fabs(x) + fabs(y) < 1e-6)) {
        fprintf(stderr, "boson_sampling: %s: columns %d and %d are not orthonormal: %.2g\n", path, k + 1, j + 1,
                hypot(x, y));
        return 2;
      }
    }
  for (k = 0; k < samples; k++) {
    sample(a.m, n, u, random, count);
    for (i = 0; i < a.m; i++)
      printf("%d%c", count[i], i < a.m - 1 ? ' ' : '\n');
  }
  perm_matrix_free(&a);
  return 0;
}

int main(int argc, char **argv)
{
  enum { SAMPLES = 20000, PHOTONS = 12, MODES = 144 };
  static double u[2 * MODES * PHOTONS];
  const perm_outputs all = {NULL, NULL, 1, 0, NULL, NULL};
  double probability[OUTPUTS], cumulative[OUTPUTS], apart = 1, seconds = 0;
  int count[MODES], cells, way, k, s;
  size_t at;
  perm_result r;
  generate_random random = {2018};
  clock_t start;

  if (argc > 2 && !isdigit((unsigned char)argv[1][0]) && (argc == 3 || atoi(argv[3]) > 0))
    return of_file(argv[1], atoi(argv[2]), argc > 3 ? atoi(argv[3]) : 10, &random);
  if (argc > 2) {
    const int photons = atoi(argv[1]), modes = atoi(argv[2]);
    gpus = argc > 3 ? atoi(argv[3]) : 0;
    if (photons >= 1 && photons <= MOST && modes >= photons && modes <= MOST_MODES && gpus >= 0)
      return large(photons, modes, &random);
  }
  if (argc > 1) {
    fprintf(stderr, "usage: boson_sampling [PHOTONS MODES [GPUS] | FILE PHOTONS [SAMPLES]], at most %d photons, "
            "%d modes\n", MOST, MOST_MODES);
    return 2;
  }
  interferometer(M, N, u, &random);
  need(perm_amplitudes_complex(M, N, u, N, NULL, &all, NULL, probability, &r), &r);
  printf("%d photons in %d modes: %d outputs, total probability %.13f\n", N, M, OUTPUTS, r.value);
  for (k = 0; k < N; k++) /* the first output: all in the first mode */
    apart *= u[2 * k] * u[2 * k] + u[2 * k + 1] * u[2 * k + 1];
  printf("all in one mode: %.11f times as often as distinguishable photons\n", probability[0] / apart);

  for (k = 0; k < OUTPUTS; k++)
    cumulative[k] = probability[k] + (k ? cumulative[k - 1] : 0);
  for (way = 0; way < 2; way++) {
    double chi_square = 0, rare[2] = {0, 0};
    int seen[OUTPUTS] = {0};
    for (s = 0, start = clock(); s < SAMPLES; s++) {
      if (way == 0) {
        sample(M, N, u, &random, count);
        perm_amplitudes_index(M, count, &all, &at);
      } else
        at = (size_t)sample_all(OUTPUTS, cumulative, &random);
      seen[at]++;
    }
    seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    for (cells = 0, k = 0; k < OUTPUTS; k++)
      add_cell(SAMPLES * probability[k], seen[k], rare, &chi_square, &cells);
    printf("%s, %.3f s: ", way ? "from all probabilities" : "photon by photon", seconds);
    tell(SAMPLES, rare, chi_square, cells);
  }

  interferometer(MODES, PHOTONS, u, &random);
  for (s = 0, seconds = 0, start = clock(); seconds < 0.5; s++) {
    sample(MODES, PHOTONS, u, &random, count);
    seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  }
  printf("%d photons in %d modes: %.0f samples/s\n", PHOTONS, MODES, s / seconds);
  return 0;
}
/* SPDX-License-Identifier: MIT */
