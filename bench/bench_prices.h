/* Prices: what each engine is predicted to take on one thread, beside what it takes, engine by engine, by problems
   whose time one price decides; then the choices of auto. A price of src/base/prices.h is right on this machine if the
   quotient beside its name is 1; multiply it by the quotient to make it so. What takes 2.5 times as long as the others
   say is a failure: an engine may have become slow and its answers right. Two minutes in all. */
#define BENCH_PRICES_SECONDS 0.2 /* of repetitions of a run */

typedef struct bench_price {
  const char *prices; /* names in prices.h, or of tables there, without PERMI_ */
  perm_method method;
  const char *matrix;
  perm_precision precision;
  uint64_t modulus;
} bench_price;

/* Predicted and measured seconds of a run, the least of several; what is predicted above a limit is not run. */
static int bench_prices_run(const perm_matrix *matrix, const bench_price *price, double limit, double *predicted,
                            double *measured, perm_result *result)
{
  perm_options options;
  perm_job *job;
  perm_state *state;
  int run, runs = 1;
  memset(&options, 0, sizeof options);
  options.method = price->method;
  options.precision = price->precision;
  options.modulus = price->modulus;
  options.threads = 1;
  if (perm_sparse_job(matrix, &options, &job, result) != PERM_OK)
    return 0;
  *predicted = permi_job_seconds(job);
  *measured = (double)INFINITY;
  for (run = 0; run < runs && *predicted <= limit; run++) {
    const double start = bench_planner_clock();
    double took;
    perm_status status = perm_state_create(job, &state);
    if (status == PERM_OK)
      status = perm_job_execute(job, state, &options, result);
    perm_state_free(state);
    took = bench_planner_clock() - start;
    if (status != PERM_OK)
      break;
    *measured = fmin(*measured, took);
    runs = run ? runs : (int)fmin(50, 1 + BENCH_PRICES_SECONDS / took);
  }
  perm_job_free(job);
  return *measured < (double)INFINITY;
}

/* Returns the quotient, INFINITY of what failed. */
static double bench_prices_row(const bench_price *price)
{
  bench_planner_case given;
  perm_result result;
  double predicted, measured, quotient = (double)INFINITY;
  if (!bench_planner_make(price->matrix, &given))
    return quotient;
  if (bench_prices_run(&given.matrix, price, 10, &predicted, &measured, &result))
    printf("| %s | %s | %s | %s | %.3g | %.3g | %.2f |\n", price->prices, price->matrix,
           perm_name("method", price->method), price->modulus ? "residues" : perm_name("precision", result.precision),
           predicted, measured, quotient = measured / predicted);
  else
    printf("| %s | %s | %s | %s | - | - | %s |\n", price->prices, price->matrix, perm_name("method", price->method),
           perm_name("precision", price->precision), result.message);
  fflush(stdout);
  perm_matrix_free(&given.matrix);
  return quotient;
}

static int bench_prices_order(const void *a, const void *b)
{
  return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b;
}

/* What auto chooses: the figure that a user sees as "predicted", over the seconds that the run takes. */
static void bench_prices_chosen(void)
{
  static const char *const more[] = {"binary:36:0.2", "binary:38:0.2", "binary:40:0.2", "binary:42:0.2"};
  double ratio[200], inside = 0;
  int count = 0, k, seed, real;
  printf("\n## Predicted over measured seconds of what auto chooses, one thread\n\n"
         "| matrix | seed | engine | precision | predicted | measured | quotient |\n|---|---|---|---|---|---|---|\n");
  for (k = 0; k < (int)(sizeof more / sizeof *more); k++)
    for (seed = 1; seed <= 5; seed++)
      for (real = 0; real < 2; real++) {
        const bench_price automatic = {"", PERM_METHOD_AUTO, more[k],
                                       real ? PERM_PRECISION_DD : PERM_PRECISION_EXACT, 0};
        perm_matrix matrix;
        perm_result result;
        double predicted, measured;
        if (perm_generate(more[k], (uint64_t)seed, NULL, &matrix, &result) != PERM_OK)
          continue;
        if (bench_prices_run(&matrix, &automatic, 3, &predicted, &measured, &result)) {
          ratio[count++] = predicted / measured;
          printf("| %s | %d | %s | %s | %.3g | %.3g | %.2f |\n", more[k], seed, perm_name("method", result.method),
                 perm_name("precision", result.precision), predicted, measured, predicted / measured);
        }
        fflush(stdout);
        perm_matrix_free(&matrix);
      }
  qsort(ratio, (size_t)count, sizeof *ratio, bench_prices_order);
  for (k = 0; k < count; k++)
    inside += ratio[k] >= 0.6 && ratio[k] <= 1.6;
  if (count)
    printf("\nFrom 0.6 to 1.6: %g of %d; least %.2f, median %.2f, greatest %.2f.\n", inside, count, ratio[0],
           ratio[count / 2], ratio[count - 1]);
}

/* Returns how many are slow. */
static int bench_prices(void)
{
  static const uint64_t prime = UINT64_C(2147483647), large = UINT64_C(9223372036854775783);
  const bench_price prices[] = {
      {"RATE_GLYNN", PERM_METHOD_GLYNN, "uniform:22", PERM_PRECISION_DEFAULT, 0},
      {"RATE_GLYNN / 2", PERM_METHOD_RYSER, "uniform:22", PERM_PRECISION_DEFAULT, 0},
      {"kernels of dense sums", PERM_METHOD_DENSE, "uniform:26", PERM_PRECISION_DEFAULT, 0},
      {"kernels of dense sums", PERM_METHOD_DENSE, "complex-gauss:24", PERM_PRECISION_DEFAULT, 0},
      {"kernels of dense sums", PERM_METHOD_DENSE, "uniform:22", PERM_PRECISION_DD, 0},
      {"RATE_GLYNN, RATE_EXACT_WORDS", PERM_METHOD_EXACT, "bernoulli:24", PERM_PRECISION_EXACT, 0},
      {"RATE_GLYNN", PERM_METHOD_EXACT, "binary:26:0.5", PERM_PRECISION_EXACT, 0},
      {"RATE_EXACT_WORDS", PERM_METHOD_EXACT, "binary:26:0.5", PERM_PRECISION_EXACT, large},
      {"seconds_sweep, SECONDS_SCAN", PERM_METHOD_SUBSETS, "uniform:22", PERM_PRECISION_DEFAULT, 0},
      {"STATE_SECONDS", PERM_METHOD_LISTS, "circulant:36:6", PERM_PRECISION_DEFAULT, 0},
      {"STATE_SECONDS, list_weight", PERM_METHOD_LISTS, "regular:60:3", PERM_PRECISION_EXACT, 0},
      {"STATE_SECONDS, list_weight", PERM_METHOD_LISTS, "er:36:0.17", PERM_PRECISION_DD, 0},
      {"STEP_SECONDS", PERM_METHOD_LISTS, "band:2000:3", PERM_PRECISION_DEFAULT, 0},
      {"SORTING_SLOWER", PERM_METHOD_SORTING, "circulant:28:5", PERM_PRECISION_DEFAULT, 0},
      {"array_seconds", PERM_METHOD_ARRAYS, "circulant:36:6", PERM_PRECISION_DEFAULT, 0},
      {"array_seconds", PERM_METHOD_ARRAYS, "regular:40:5", PERM_PRECISION_EXACT, 0},
      {"array_seconds", PERM_METHOD_ARRAYS, "regular:40:4", PERM_PRECISION_DD, 0},
      {"residue_seconds", PERM_METHOD_ARRAYS, "regular:40:5", PERM_PRECISION_EXACT, prime},
      {"ARRAY_MISS_SECONDS", PERM_METHOD_ARRAYS, "circulant:40:7", PERM_PRECISION_DEFAULT, 0},
      {"ARRAY_STREAM_SECONDS", PERM_METHOD_ARRAYS, "band:300:5", PERM_PRECISION_DEFAULT, 0},
      {"ROW_SECONDS", PERM_METHOD_BAND, "band:20000:4", PERM_PRECISION_DEFAULT, 0},
      {"BAND_MADE_SECONDS", PERM_METHOD_BAND, "arrow:50:3", PERM_PRECISION_DEFAULT, 0},
      {"band kernels", PERM_METHOD_BAND, "band:2000:8", PERM_PRECISION_DEFAULT, 0},
      {"CLASS_WAY_SECONDS", PERM_METHOD_TWINS, "ones-arrow:200:4", PERM_PRECISION_EXACT, 0},
      {"ROW_SECONDS, WORD_SECONDS", PERM_METHOD_TWINS, "prefixes:200", PERM_PRECISION_EXACT, 0},
      {"TREE_PAIR_SECONDS", PERM_METHOD_TREE, "ktree:60:4", PERM_PRECISION_DEFAULT, 0},
      {"TREE_PAIR_SECONDS, TREE_SORT_SECONDS", PERM_METHOD_TREE, "ktree:40:5", PERM_PRECISION_DEFAULT, 0},
      {"TREE_NODE_SECONDS", PERM_METHOD_TREE, "ktree:200:2", PERM_PRECISION_DEFAULT, 0},
      {"planar_seconds", PERM_METHOD_PLANAR, "grid:60:60", PERM_PRECISION_EXACT, 0},
      {"planar_seconds", PERM_METHOD_PLANAR, "grid:60:60", PERM_PRECISION_EXACT, prime},
      {"planar_seconds", PERM_METHOD_PLANAR, "grid:30:30", PERM_PRECISION_DD, 0},
      {"kernels of hybrid", PERM_METHOD_HYBRID, "er:32:0.3", PERM_PRECISION_DEFAULT, 0},
      {"kernels of hybrid", PERM_METHOD_HYBRID, "binary:34:0.2", PERM_PRECISION_EXACT, 0},
      {"kernels of hybrid", PERM_METHOD_HYBRID, "binary:34:0.2", PERM_PRECISION_DD, 0},
      {"RYSER_MOVE_SECONDS, RYSER_ENTRY_SECONDS", PERM_METHOD_SPARYSER, "er:24:0.3", PERM_PRECISION_DEFAULT, 0},
      {"signs_each", PERM_METHOD_SIGN_SEARCH, "regular:34:6", PERM_PRECISION_EXACT, 0},
      {"signs_each", PERM_METHOD_SIGN_SEARCH, "projective:5", PERM_PRECISION_EXACT, 0},
      {"signs_each", PERM_METHOD_SIGN_SEARCH, "regular:32:5", PERM_PRECISION_EXACT, 0}};
  enum { COUNT = sizeof prices / sizeof *prices };
  double quotient[COUNT], sorted[COUNT];
  int k, slow = 0;
  printf("\n## Prices: seconds of runs by name, one thread\n\n"
         "| prices | matrix | engine | numbers | predicted | measured | quotient |\n|---|---|---|---|---|---|---|\n");
  for (k = 0; k < COUNT; k++)
    sorted[k] = quotient[k] = bench_prices_row(&prices[k]);
  qsort(sorted, COUNT, sizeof *sorted, bench_prices_order);
  for (k = 0; k < COUNT; k++)
    if (!(quotient[k] <= 2.5 * sorted[COUNT / 2]) && ++slow)
      printf("\nFAIL %s of %s is slow: its quotient is %.2f, the median %.2f.\n", perm_name("method", prices[k].method),
             prices[k].matrix, quotient[k], sorted[COUNT / 2]);
  bench_prices_chosen();
  return slow;
}
/* SPDX-License-Identifier: MIT */
