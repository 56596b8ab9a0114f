/* Rows of bench.cu about the frontier program on arrays. bytes/s: of every step's source read once and its target
   written once. "steps" are timed from the first step's start to the value's arrival; a run also takes and gives back
   memory. */
double bench_frontier_seconds(int reset); /* of steps since the last reset; in bench.cu */

static void bench_row(const char *name, const perm_matrix *matrix, perm_method method, perm_precision precision,
                      double effort)
{
  perm_options options;
  perm_job *job = NULL;
  perm_result r;
  double start, planned, run[2], steps[2] = {0, 0}, bytes;
  const permi_frontier *frontier;
  int k;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.isa = PERM_ISA_CUDA;
  options.gpu.devices = 1;
  options.precision = precision;
  options.plan_effort = effort;
  start = permi_seconds();
  if (perm_sparse_job(matrix, &options, &job, &r) != PERM_OK) {
    printf("| %s | %s |\n", name, r.message);
    return;
  }
  planned = permi_seconds() - start;
  memset(&r, 0, sizeof r);
  for (k = 0; k < 2; k++) { /* the first one compiles */
    perm_state *state = NULL;
    bench_frontier_seconds(1);
    start = permi_seconds();
    if (perm_state_create(job, &state) == PERM_OK)
      perm_job_execute(job, state, &options, &r);
    run[k] = permi_seconds() - start;
    steps[k] = bench_frontier_seconds(0);
    perm_state_free(state);
  }
  if (r.status != PERM_OK || job->leaves != 1 || job->leaf[0].information.isa != PERM_ISA_CUDA) {
    printf("| %s | %s, %d leaves |\n", name, r.message, job->leaves);
  } else {
    frontier = (const permi_frontier *)job->leaf[0].context;
    bytes = 8.0 * (permi_arrays_passes(frontier) - 1) + (double)permi_arrays_bytes_at(frontier, frontier->steps);
    printf("| %s, %s, %s, effort %g | %d | %.3g | %.3g | %.2f | %.3f | %.4f | %.4f | %.1f | %.3g | %.3g | "
           "%.17g * 2^%lld |\n",
           name, perm_name("method", r.method), perm_name("precision", precision), effort, frontier->width,
           fmax(frontier->room[0], frontier->room[1]), r.terms, planned, run[0], run[1], steps[1],
           1e12 * steps[1] / r.terms, 2 * bytes * r.terms / steps[1], steps[1] / frontier->cost[frontier->steps],
           r.value, r.exp2);
  }
  fflush(stdout);
  perm_job_free(job);
}

/* The standard rows, then a row for each file. */
void bench_frontier(int files, char **file);
void bench_frontier(int files, char **file)
{
  static const struct {
    const char *kind;
    int seed;
    perm_method method;
    perm_precision precision;
    double effort;
  } rows[] = {{"regular:110:3", 1, PERM_METHOD_ARRAYS, PERM_PRECISION_DEFAULT, 1},
              {"regular:110:3", 1, PERM_METHOD_ARRAYS, PERM_PRECISION_EXACT, 1},
              {"regular:110:3", 1, PERM_METHOD_ARRAYS, PERM_PRECISION_DD, 1},
              {"regular:120:3", 1, PERM_METHOD_ARRAYS, PERM_PRECISION_DEFAULT, 1},
              {"regular:120:3", 1, PERM_METHOD_ARRAYS, PERM_PRECISION_DEFAULT, 10},
              {"regular:120:3", 2, PERM_METHOD_ARRAYS, PERM_PRECISION_DEFAULT, 1},
              {"regular:120:3", 1, PERM_METHOD_ARRAYS, PERM_PRECISION_EXACT, 1},
              {"er:40:0.2", 1, PERM_METHOD_ARRAYS, PERM_PRECISION_DEFAULT, 1},
              {"er:40:0.2", 1, PERM_METHOD_ARRAYS, PERM_PRECISION_DEFAULT, 30}};
  perm_matrix matrix;
  perm_result r;
  size_t k;
  int i;
  printf("\n| frontier program | width | peak states | all states | plan s | first run s | run s | steps s | "
         "ps a state | bytes/s | s a unit of cost | value |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (i = 0; i < files; i++)
    if (perm_matrix_read(file[i], NULL, &matrix, NULL, &r) == PERM_OK) {
      bench_row(file[i], &matrix, PERM_METHOD_ARRAYS, PERM_PRECISION_DEFAULT, 1);
      bench_row(file[i], &matrix, PERM_METHOD_ARRAYS, PERM_PRECISION_DEFAULT, 10);
      perm_matrix_free(&matrix);
    } else {
      printf("| %s |\n", r.message);
    }
  for (k = 0; k < sizeof rows / sizeof rows[0]; k++)
    if (perm_generate(rows[k].kind, (uint64_t)rows[k].seed, NULL, &matrix, &r) == PERM_OK) {
      bench_row(rows[k].kind, &matrix, rows[k].method, rows[k].precision, rows[k].effort);
      perm_matrix_free(&matrix);
    }
}
/* SPDX-License-Identifier: MIT */
