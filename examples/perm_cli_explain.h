/* perm_cli_explain.h: --explain: what the matrix is, what will be done, how long that takes, why not otherwise. Part of
   perm_cli.c. */
#ifndef PERM_CLI_EXPLAIN_H
#define PERM_CLI_EXPLAIN_H

#include "perm_cli_answer.h"

/* Ranges shared ideally over all threads or GPUs of all ranks, tasks one a rank; from predicted seconds alone. */
typedef struct cli_prediction { double elements, seconds, task_seconds; int workers, gpus; } cli_prediction;

static cli_prediction cli_predict(const cli *run, const perm_job *job)
{
  cli_prediction all;
  double tasks = 0, longest = 0;
  int i;
  memset(&all, 0, sizeof all);
  all.workers = run->options.threads > 0 ? run->options.threads : 1;
#if defined(_OPENMP)
  all.workers = run->options.threads > 0 ? run->options.threads : omp_get_max_threads();
#endif
  for (i = 0; i < perm_job_leaves(job); i++) {
    perm_leaf leaf;
    int workers = all.workers;
    perm_job_leaf(job, i, &leaf);
    all.elements += leaf.work;
    if (leaf.isa == PERM_ISA_CUDA)
      all.gpus = workers = run->options.gpu.devices > 0 ? run->options.gpu.devices : 1;
    if (leaf.kind == PERM_LEAF_RANGE) {
      const double pieces = (double)run->ranks * workers;
      all.seconds += leaf.seconds / (pieces < (double)leaf.chunks ? pieces : (double)leaf.chunks);
    } else {
      tasks += leaf.seconds;
      longest = leaf.seconds > longest ? leaf.seconds : longest;
    }
  }
  all.task_seconds = tasks / run->ranks > longest ? tasks / run->ranks : longest;
  all.seconds += all.task_seconds;
  return all;
}

static int cli_explain(const cli *run, const char *name, const perm_matrix *matrix, perm_result *result)
{
  const perm_options *options = &run->options;
  cli_prediction predicted;
  perm_job *job = NULL;
  char *text;
  size_t length;
  if (perm_sparse_job(matrix, options, &job, result) != PERM_OK)
    return 0;
  predicted = cli_predict(run, job);
  length = perm_job_explain(job, NULL, 0);
  text = (char *)malloc(length + 1);
  if (text) {
    perm_job_explain(job, text, length + 1);
    if (run->json) {
      printf("{\"file\":");
      cli_json_string(name);
      printf(",\"m\":%d,\"n\":%d,\"nnz\":%.0f", matrix->m, matrix->n, (double)matrix->nnz);
      cli_json_reading();
      printf(",\"explain\":");
      cli_json_string(text);
      if (run->ranks) {
        printf(",\"ranks\":%d,\"%s\":%d", run->ranks, predicted.gpus ? "gpus" : "threads",
               predicted.gpus ? predicted.gpus : predicted.workers);
        cli_json_number("elements", predicted.elements);
        cli_json_number("seconds", predicted.seconds);
        cli_json_number("rank_elements", predicted.elements / run->ranks);
      }
      printf("}\n");
    } else {
      const int each = predicted.gpus ? predicted.gpus : predicted.workers;
      printf("%s: %d x %d, %.0f entries\n%s", name, matrix->m, matrix->n, (double)matrix->nnz, text);
      if (run->ranks)
        printf("%d rank%s of %d %s%s, ideally shared: %.3g elements, %.3g s (%.3g h); a rank %.3g elements, %.3g %%\n",
               run->ranks, run->ranks == 1 ? "" : "s", each, predicted.gpus ? "GPU" : "thread", each == 1 ? "" : "s",
               predicted.elements, predicted.seconds, predicted.seconds / 3600, predicted.elements / run->ranks,
               100.0 / run->ranks);
    }
  }
  free(text);
  perm_job_free(job);
  return 1;
}

#endif
