/* make bench-sparse, part `tracking`: scenes of targets and measurements, as sparse rectangular matrices. Targets are
   uniform in a square; a radar sees each with chance 0.9, at a normal distance of unit variance, and clutter besides
   (Poisson, 0.05 per unit of area). A measurement within distance 3 is an entry; every row has a column of its own,
   for the target that was missed. To measure another call, add it to bench_tracking_calls. */
#ifndef PERM_BENCH_TRACKING_H_INCLUDED
#define PERM_BENCH_TRACKING_H_INCLUDED

#include "../examples/perm_random.h"

enum { BENCH_TRACKING_RUNS = 9 };

typedef struct bench_scene {
  perm_matrix matrix;
  int measurements;
} bench_scene;

static double bench_scene_distance(const double *one, const double *other)
{
  return (one[0] - other[0]) * (one[0] - other[0]) + (one[1] - other[1]) * (one[1] - other[1]);
}

static bench_scene bench_scene_make(int targets, double side, uint64_t seed)
{
  const double detected = 0.9, gate = 3, clutter = 0.05, pi = 3.14159265358979324;
  generate_random random = {seed};
  const int most = targets + (int)(4 * clutter * side * side) + 100; /* of clutter: far above its mean */
  double(*target)[2] = (double(*)[2])malloc((size_t)targets * sizeof *target);
  double(*seen)[2] = (double(*)[2])malloc((size_t)most * sizeof *seen), left = 0;
  bench_scene scene;
  perm_matrix *matrix = &scene.matrix;
  size_t room = 0;
  int i, j, n = 0;
  memset(&scene, 0, sizeof scene);
  for (i = 0; i < targets; i++) {
    target[i][0] = side * generate_uniform(&random);
    target[i][1] = side * generate_uniform(&random);
    if (generate_uniform(&random) < detected) {
      generate_normals(&random, &seen[n][0], &seen[n][1]);
      seen[n][0] += target[i][0];
      seen[n++][1] += target[i][1];
    }
  }
  while (n < most && (left -= log(generate_positive(&random))) < clutter * side * side) {
    seen[n][0] = side * generate_uniform(&random);
    seen[n++][1] = side * generate_uniform(&random);
  }
  for (i = 0; i < targets; i++)
    for (room++, j = 0; j < n; j++)
      room += bench_scene_distance(target[i], seen[j]) < gate * gate;
  scene.measurements = n;
  matrix->m = targets;
  matrix->n = n + targets;
  matrix->kind = PERM_KIND_REAL;
  matrix->row_start = (size_t *)malloc(((size_t)targets + 1) * sizeof *matrix->row_start);
  matrix->column = (int *)malloc(room * sizeof *matrix->column);
  matrix->real = (double *)malloc(room * sizeof *matrix->real);
  matrix->row_start[0] = 0;
  for (i = 0; i < targets; i++) {
    for (j = 0; j < n; j++) {
      const double square = bench_scene_distance(target[i], seen[j]);
      if (square < gate * gate) {
        matrix->column[matrix->nnz] = j;
        matrix->real[matrix->nnz++] = detected * exp(-square / 2) / (2 * pi) / clutter;
      }
    }
    matrix->column[matrix->nnz] = n + i;
    matrix->real[matrix->nnz++] = 1 - detected;
    matrix->row_start[i + 1] = matrix->nnz;
  }
  free(target);
  free(seen);
  return scene;
}

static void bench_scene_free(bench_scene *scene)
{
  free(scene->matrix.row_start);
  free(scene->matrix.column);
  free(scene->matrix.real);
}

static perm_status bench_tracking_permanent(const perm_matrix *matrix, const perm_options *options, perm_result *result)
{
  return perm_compute_sparse(matrix, options, result);
}

static double *bench_tracking_chances; /* of entries, then of columns */
static perm_status bench_tracking_marginals(const perm_matrix *matrix, const perm_options *options, perm_result *result)
{
  return perm_marginals_sparse(matrix, options, bench_tracking_chances, bench_tracking_chances + matrix->nnz, result);
}

static perm_status bench_tracking_gradient(const perm_matrix *matrix, const perm_options *options, perm_result *result)
{
  return perm_gradient_sparse(matrix, options, bench_tracking_chances, result);
}

enum { BENCH_TRACKING_DRAWS = 1000 };
static int *bench_tracking_columns; /* [draw][target] */
static perm_status bench_tracking_samples(const perm_matrix *matrix, const perm_options *options, perm_result *result)
{
  return perm_sample_sparse(matrix, options, 7, 0, BENCH_TRACKING_DRAWS, bench_tracking_columns, result);
}

static const struct {
  const char *name;
  perm_status (*call)(const perm_matrix *matrix, const perm_options *options, perm_result *result);
} bench_tracking_calls[] = {{"permanent", bench_tracking_permanent}, {"marginals", bench_tracking_marginals},
                          {"1000 samples", bench_tracking_samples}, {"gradient", bench_tracking_gradient}};
enum { BENCH_PERMANENT, BENCH_MARGINALS, BENCH_SAMPLES, BENCH_GRADIENT };

/* The first call's milliseconds, and the median of the next. */
static double bench_tracking_time(const perm_matrix *matrix, int which, const perm_options *options, double *first)
{
  double ms[BENCH_TRACKING_RUNS], now;
  int run, k;
  for (run = -1; run < BENCH_TRACKING_RUNS; run++) {
    const double start = bench_seconds();
    perm_result r;
    const perm_status status = bench_tracking_calls[which].call(matrix, options, &r);
    now = 1e3 * (bench_seconds() - start);
    if (status != PERM_OK)
      fprintf(stderr, "tracking: %s\n", r.message);
    if (run < 0)
      *first = now;
    for (k = run; k > 0 && ms[k - 1] > now; k--)
      ms[k] = ms[k - 1];
    if (run >= 0)
      ms[k] = now;
  }
  return ms[BENCH_TRACKING_RUNS / 2];
}

enum { BENCH_TRACKING_SCENES = 64 };

/* Milliseconds of all scenes: by single calls (threads 0), or by one batch; the median. */
static double bench_tracking_batch(const bench_scene *scene, double *const *chance, double *const *unmatched,
                                   int threads)
{
  static perm_result results[BENCH_TRACKING_SCENES];
  const perm_matrix *matrix[BENCH_TRACKING_SCENES];
  perm_options options = {0};
  double ms[BENCH_TRACKING_RUNS], now;
  int run, k;
  options.threads = threads ? threads : 1;
  for (k = 0; k < BENCH_TRACKING_SCENES; k++)
    matrix[k] = &scene[k].matrix;
  for (run = -1; run < BENCH_TRACKING_RUNS; run++) {
    const double start = bench_seconds();
    for (k = 0; k < BENCH_TRACKING_SCENES && !threads; k++)
      perm_marginals_sparse(matrix[k], &options, chance[k], unmatched[k], &results[k]);
    if (threads && perm_marginals_sparse_batch(BENCH_TRACKING_SCENES, matrix, &options, chance, unmatched, results))
      fprintf(stderr, "tracking: a batch failed\n");
    now = 1e3 * (bench_seconds() - start);
    for (k = run; k > 0 && ms[k - 1] > now; k--)
      ms[k] = ms[k - 1];
    if (run >= 0)
      ms[k] = now;
  }
  return ms[BENCH_TRACKING_RUNS / 2];
}

static void bench_tracking_batches(void)
{
  bench_scene scene[BENCH_TRACKING_SCENES];
  double *chance[BENCH_TRACKING_SCENES], *unmatched[BENCH_TRACKING_SCENES];
  int k;
  for (k = 0; k < BENCH_TRACKING_SCENES; k++) {
    scene[k] = bench_scene_make(60, 30, (uint64_t)k + 1);
    chance[k] = (double *)malloc((scene[k].matrix.nnz + (size_t)scene[k].matrix.n) * sizeof(double));
    unmatched[k] = chance[k] + scene[k].matrix.nnz;
  }
  printf("\n%d scenes of 60 targets, side 30, ms: by single calls %.2f, by one call on one thread %.2f, on two %.2f\n",
         BENCH_TRACKING_SCENES, bench_tracking_batch(scene, chance, unmatched, 0),
         bench_tracking_batch(scene, chance, unmatched, 1), bench_tracking_batch(scene, chance, unmatched, 2));
  for (k = 0; k < BENCH_TRACKING_SCENES; k++) {
    free(chance[k]);
    bench_scene_free(&scene[k]);
  }
}

/* Squares: all derivatives beside the permanent, both by default. */
static void bench_gradients(void)
{
  static const char *const names[] = {"regular:30:3", "regular:40:3", "regular:28:4", "band:100:2", "band:60:4",
                                      "grid:8:12", "grid:10:10", "grid:12:12", "band:200:8", "er:30:0.2",
                                      "er:34:0.2", "er:40:0.12"};
  size_t k;
  printf("\n| square | permanent, ms | by | gradient, ms | ratio |\n|---|---|---|---|---|\n");
  for (k = 0; k < sizeof names / sizeof *names; k++) {
    perm_options options = {0};
    perm_matrix matrix;
    perm_result r;
    double value, all, first;
    options.threads = 1;
    if (perm_generate(names[k], 1, NULL, &matrix, &r) != PERM_OK ||
        perm_compute_sparse(&matrix, &options, &r) != PERM_OK)
      continue;
    bench_tracking_chances = (double *)malloc(matrix.nnz * sizeof(double));
    value = bench_tracking_time(&matrix, BENCH_PERMANENT, &options, &first);
    all = bench_tracking_time(&matrix, BENCH_GRADIENT, &options, &first);
    printf("| %s | %.3f | %s | %.3f | %.1f |\n", names[k], value, perm_name("method", r.method), all, all / value);
    fflush(stdout);
    free(bench_tracking_chances);
    perm_matrix_free(&matrix);
  }
}

static void bench_tracking(void)
{
  static const struct { int targets; double side; } sizes[] = {{20, 20}, {60, 30}, {100, 60}, {30, 12},
                                                               {40, 12}, {50, 12}, {1000, 160}};
  size_t k;
  int which;
  uint64_t seed;
  printf("\n## Tracking scenes, one thread, ms a call: the first of the scene, the median of the next %d, of as many "
         "with a workspace\n\n| targets/measurements, side | entries | call | first | next | workspace |\n"
         "|---|---|---|---|---|---|\n", BENCH_TRACKING_RUNS);
  for (k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (seed = 1; seed <= 3; seed++) {
      bench_scene scene = bench_scene_make(sizes[k].targets, sizes[k].side, seed);
      bench_tracking_chances = (double *)malloc((scene.matrix.nnz + (size_t)scene.matrix.n) * sizeof(double));
      bench_tracking_columns = (int *)malloc((size_t)sizes[k].targets * BENCH_TRACKING_DRAWS * sizeof(int));
      for (which = 0; which < BENCH_GRADIENT && bench_tracking_chances && bench_tracking_columns; which++) {
        perm_options options = {0};
        double first, next, kept, unused;
        options.threads = 1;
        next = bench_tracking_time(&scene.matrix, which, &options, &first);
        if (perm_workspace_create(NULL, &options.allocator) != PERM_OK)
          return;
        kept = bench_tracking_time(&scene.matrix, which, &options, &unused);
        perm_workspace_free(&options.allocator);
        printf("| %d/%d, %.0f | %d | %s | %.3f | %.3f | %.3f |\n", sizes[k].targets, scene.measurements, sizes[k].side,
               (int)scene.matrix.nnz, bench_tracking_calls[which].name, first, next, kept);
        fflush(stdout);
      }
      free(bench_tracking_chances);
      free(bench_tracking_columns);
      bench_scene_free(&scene);
    }
  bench_tracking_batches();
  bench_gradients();
}

#endif
/* SPDX-License-Identifier: MIT */
