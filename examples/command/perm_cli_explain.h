/* perm_cli_explain.h: --explain: what the matrix is, what will be done, how long that takes, why not otherwise. Part of
   perm_cli.c. */
#ifndef PERM_CLI_EXPLAIN_H
#define PERM_CLI_EXPLAIN_H

#include "perm_cli_answer.h"

/* Ranges shared ideally over all threads or GPUs of all ranks, tasks one a rank; from predicted seconds alone. */
typedef struct cli_prediction { double elements, seconds; int each, gpus; } cli_prediction; /* each: of a rank */

static cli_prediction cli_predict(const cli *run, const perm_job *job)
{
  cli_prediction all;
  double tasks = 0, longest = 0;
  const int ranks = run->ranks > 0 ? run->ranks : 1;
  memset(&all, 0, sizeof all);
#if defined(_OPENMP)
  const int threads = run->options.threads > 0 ? run->options.threads : omp_get_max_threads();
#else
  const int threads = 1;
#endif
  for (int i = 0; i < perm_job_leaves(job); i++) {
    perm_leaf leaf;
    int workers = threads;
    perm_job_leaf(job, i, &leaf);
    all.elements += leaf.work;
    if (leaf.isa == PERM_ISA_CUDA)
      all.gpus = workers = run->options.gpu.devices > 0 ? run->options.gpu.devices : 1;
    if (leaf.kind == PERM_LEAF_RANGE) {
      const double pieces = (double)ranks * workers;
      all.seconds += leaf.seconds / (pieces < (double)leaf.chunks ? pieces : (double)leaf.chunks);
    } else {
      tasks += leaf.seconds;
      longest = leaf.seconds > longest ? leaf.seconds : longest;
    }
  }
  all.each = all.gpus ? all.gpus : threads;
  all.seconds += fmax(tasks / ranks, longest);
  return all;
}

/* Has this a matrix and options that are right, but no plan? */
static int cli_is_refusal(perm_status status)
{
  return cli_exit_code(status) == CLI_REFUSED || status == PERM_ERROR_SIZE || status == PERM_ERROR_UNSUPPORTED;
}

/* What a job says of itself, gathered. */
typedef struct cli_outline {
  perm_preparation structure;
  int prepared;             /* structure is known, and used */
  int costliest;            /* the leaf that takes longest; -1: none */
  double seconds, bytes;    /* predicted, on one thread */
  int proved;
  perm_precision precision;
} cli_outline;

static cli_outline cli_outline_of(const cli *run, const perm_matrix *matrix, const perm_job *job)
{
  cli_outline outline;
  double most = -1;
  memset(&outline, 0, sizeof outline);
  outline.costliest = -1;
  outline.prepared = !cli_proves && perm_sparse_report(matrix, &run->options, &outline.structure, NULL) == PERM_OK &&
                     (matrix->m == matrix->n || outline.structure.hall[0]);
  outline.precision = perm_job_precision(job, &outline.proved);
  for (int i = 0; i < perm_job_leaves(job); i++) {
    perm_leaf leaf;
    perm_job_leaf(job, i, &leaf);
    outline.seconds += leaf.seconds;
    outline.bytes = cli_proves ? outline.bytes + leaf.bytes /* all are held until the end */
                    : leaf.bytes > outline.bytes ? leaf.bytes : outline.bytes;
    if (leaf.seconds > most) {
      most = leaf.seconds;
      outline.costliest = i;
    }
  }
  return outline;
}

static void cli_explain_matrix(const perm_matrix *matrix, const cli_outline *outline)
{
  static const char *const kind[] = {"ones", "integers", "real numbers", "complex numbers"};
  const perm_preparation *s = &outline->structure;
  printf("  matrix     %.0f entries (%s)", (double)matrix->nnz, kind[matrix->kind]);
  if ((double)matrix->nnz == (double)matrix->m * matrix->n)
    printf(", none is 0");
  if (!outline->prepared) {
    printf("%s\n", cli_proves ? "; taken whole, without any reduction" : "");
    return;
  }
  if (s->structural_rank < s->m && s->structural_rank < s->n) {
    printf("; no permutation avoids the zeros, so the permanent is 0: %s\n", s->hall);
    return;
  }
  if (s->dead_entries)
    printf("; %.0f in no perfect matching are dropped", (double)s->dead_entries);
  if (s->degree_one + s->degree_two)
    printf("; %d row%s of one or two entries eliminated", s->degree_one + s->degree_two,
           s->degree_one + s->degree_two == 1 ? "" : "s");
  if (s->blocks == 1)
    printf("; one block of order %d is left", s->largest);
  else if (s->blocks)
    printf("; %d blocks are left, the largest of order %d", s->blocks, s->largest);
  if (s->blocks && s->equal_rows + s->equal_columns)
    printf("; %d rows and %d columns equal others", s->equal_rows, s->equal_columns);
  printf("\n");
}

static void cli_explain_plan(const cli *run, const perm_job *job, const cli_outline *outline)
{
  const cli_prediction predicted = cli_predict(run, job);
  const int leaves = perm_job_leaves(job), each = predicted.each;
  perm_leaf leaf;
  if (outline->costliest < 0) {
    printf("  plan       nothing is left to compute\n");
    return;
  }
  perm_job_leaf(job, outline->costliest, &leaf);
  printf("  plan       method %s (%s)%s", cli_method_name(leaf.method),
         cli_proves ? "integers: values of a polynomial modulo primes" : cli_method_text[leaf.method],
         leaf.isa == PERM_ISA_CUDA ? ", on GPUs" : "");
  if (leaves > 1)
    printf(cli_proves ? ", in %d ranges of values" : ", for the longest of %d blocks", leaves);
  printf("\n  time       about %s on %s", cli_amount("seconds", outline->seconds).text,
         leaf.isa == PERM_ISA_CUDA ? CLI_ONE_GPU : "one thread");
  if (predicted.seconds < 0.9 * outline->seconds) {
    printf(", %s on ", cli_amount("seconds", predicted.seconds).text);
    if (run->ranks > 1)
      printf("%d ranks of ", run->ranks);
    printf("%d %s%s", each, predicted.gpus ? "GPU" : "thread", each == 1 ? "" : "s");
  }
  if (outline->bytes > 0)
    printf("; %s of memory", cli_amount("bytes", outline->bytes).text);
  printf("\n");
  if (run->resume)
    printf(run->options.checkpoint.parts ? "  checkpoint %.4g %% is done, about %s left of all; part %d of %d\n"
                                         : "  checkpoint %.4g %% is done, about %s left\n", 100 * run->done,
           cli_amount("seconds", predicted.seconds * (1 - run->done)).text, run->options.checkpoint.part,
           run->options.checkpoint.parts);
  if (run->max_seconds > 0)
    printf("  limit      the run is %spredicted to end within --max-seconds %s\n",
           predicted.seconds > run->max_seconds ? "stopped there: it is not " : "",
           cli_amount("seconds", run->max_seconds).text);
}

static void cli_explain_answer(const cli *run, const cli_outline *outline, const char *text)
{
  const char *const error = outline->proved          ? "a proved bound of its error"
                            : run->options.certify ? "an estimate of its error"
                                                   : "an estimate of its error; --certify asks for a proved bound";
  const char *const exactly = strstr(text, "exactly in about ");
  printf("  answer     ");
  if (run->options.modulus)
    printf("the permanent modulo %llu, exactly\n", (unsigned long long)run->options.modulus);
  else if (outline->precision == PERM_PRECISION_EXACT)
    printf("every digit, exactly\n");
  else if (outline->precision == PERM_PRECISION_DEFAULT)
    printf("a double with %s%s%.*s%s\n", error, exactly ? "; " : "",
           exactly ? (int)(strstr(exactly, "precision") - exactly) : 0, exactly ? exactly : "",
           exactly ? "--precision exact" : "");
  else
    printf("a double of precision %s with %s\n", perm_name("precision", outline->precision), error);
  if (outline->precision != PERM_PRECISION_EXACT && run->options.tolerance > 0 && run->options.tolerance < 5e-17)
    printf("  tolerance  %.3g is finer than a double's last digit: expect exit code 5\n", run->options.tolerance);
}

/* The three next engines for a block, the best first, and a line on those that decline it. taken: AUTO if none is. */
static void cli_explain_others(const perm_job *job, int block, perm_method taken, double taken_seconds)
{
  perm_offer offer, next;
  const int exact = perm_job_precision(job, NULL) == PERM_PRECISION_EXACT;
  double above = 0;
  int k, shown, declined = 0, over;
  for (shown = 0; shown < 3; shown++, above = next.seconds) {
    next.seconds = INFINITY;
    for (k = 0; perm_job_offer(job, k, &offer) == PERM_OK; k++)
      if (offer.block == block && offer.method != taken && offer.seconds > above && offer.seconds < next.seconds)
        next = offer;
    if (next.seconds == (double)INFINITY)
      break;
    cli_in_options(PERM_OK, next.reason, sizeof next.reason);
    over = next.seconds < taken_seconds && !strncmp(next.reason, "takes more", 10);
    printf("%s%s about %s%s%s%s%s", shown ? "; " : taken ? "  otherwise  " : "  predicted  ",
           perm_name("method", next.method), cli_amount("seconds", next.seconds).text, next.bytes > 0 ? ", " : "",
           next.bytes > 0 ? cli_amount("bytes", next.bytes).text : "",
           over                                    ? ", but it "
           : next.seconds < taken_seconds && !exact ? ", but it may lose more digits"
                                                    : "",
           over ? next.reason : "");
  }
  if (shown)
    printf("\n");
  for (k = 0; perm_job_offer(job, k, &offer) == PERM_OK; k++)
    if (offer.block == block && offer.seconds == (double)INFINITY) {
      cli_in_options(PERM_OK, offer.reason, sizeof offer.reason);
      printf("%s%s: it %s", declined++ ? "; " : "  declined   ", perm_name("method", offer.method), offer.reason);
    }
  if (declined)
    printf("\n");
}

/* For programs. The keys of a prediction for ranks come last. refused: NULL, or why there is no plan. */
static void cli_explain_json(const cli *run, const char *name, const perm_matrix *matrix, const perm_job *job,
                             const cli_outline *outline, const char *text, const perm_result *refused)
{
  const perm_preparation *s = &outline->structure;
  const cli_prediction predicted = cli_predict(run, job);
  const int leaves = perm_job_leaves(job), most = 100;
  perm_offer offer;
  perm_leaf leaf;
  int k;
  cli_json_head(name, matrix);
  if (run->taken)
    printf(",\"guarantee\":\"%s\"", run->taken);
  if (outline->prepared)
    printf(",\"structure\":{\"structural_rank\":%d,\"components\":%d,\"dropped\":%.0f,\"degree_one\":%d,"
           "\"degree_two\":%d,\"blocks\":%d,\"largest\":%d,\"entries_left\":%.0f,\"equal_rows\":%d,"
           "\"equal_columns\":%d}",
           s->structural_rank, s->components, (double)s->dead_entries, s->degree_one, s->degree_two, s->blocks,
           s->largest, (double)s->entries_left, s->equal_rows, s->equal_columns);
  printf(",\"leaves\":%d,\"plan\":[", leaves);
  for (k = 0; k < leaves && k < most; k++) {
    perm_job_leaf(job, k, &leaf);
    printf("%s{\"block\":%d,\"order\":%d,\"method\":\"%s\",\"isa\":\"%s\"", k ? "," : "", k, leaf.n,
           cli_method_name(leaf.method), perm_name("isa", leaf.isa));
    cli_json_number("seconds", leaf.seconds);
    cli_json_number("bytes", leaf.bytes);
    printf("}");
  }
  printf("],\"offers\":[");
  for (k = 0; perm_job_offer(job, k, &offer) == PERM_OK; k++) {
    printf("%s{\"block\":%d,\"order\":%d,\"method\":\"%s\"", k ? "," : "", offer.block, offer.n,
           perm_name("method", offer.method));
    cli_json_number("seconds", offer.seconds);
    cli_json_number("bytes", offer.seconds < (double)INFINITY && offer.bytes > 0 ? offer.bytes : (double)INFINITY);
    printf(",\"reason\":");
    cli_json_string(offer.reason);
    printf("}");
  }
  if (refused) {
    printf("],\"value\":null,\"status\":\"%s\",\"message\":", perm_name("status", refused->status));
    cli_json_string(refused->message);
    printf("}\n");
    return;
  }
  printf("],\"precision\":\"%s\",\"proved\":%s", perm_name("precision", outline->precision),
         outline->proved ? "true" : "false");
  cli_json_number("predicted_seconds", outline->seconds);
  cli_json_number("predicted_bytes", outline->bytes);
  if (run->resume)
    cli_json_number("done", run->done);
  if (run->max_seconds > 0)
    printf(",\"would_stop\":%s", predicted.seconds > run->max_seconds ? "true" : "false");
  printf(",\"explain\":");
  cli_json_string(text);
  if (run->ranks) {
    printf(",\"ranks\":%d,\"%s\":%d", run->ranks, predicted.gpus ? "gpus" : "threads", predicted.each);
    cli_json_number("elements", predicted.elements);
    cli_json_number("seconds", predicted.seconds);
    cli_json_number("rank_elements", predicted.elements / run->ranks);
  }
  printf("}\n");
}

/* The plan; or why there is none: what the matrix is, and of the block that was refused what engines predict or why
   they decline. job: what was planned until then, or NULL; refused: NULL, or with the reason. */
static void cli_explain_job(const cli *run, const char *name, const perm_matrix *matrix, const perm_job *job,
                            const perm_result *refused)
{
  const cli_outline outline = cli_outline_of(run, matrix, job);
  const size_t length = perm_job_explain(job, NULL, 0);
  char *text = (char *)calloc(length + 1, 1);
  perm_leaf leaf;
  perm_offer offer;
  int block = -1;
  if (!text)
    return;
  perm_job_explain(job, text, length + 1);
  if (!run->json)
    printf("%s: %d x %d, %.0f entries\n", name, matrix->m, matrix->n, (double)matrix->nnz);
  if (run->json) {
    cli_explain_json(run, name, matrix, job, &outline, text, refused);
  } else if (refused) {
    for (int k = 0; perm_job_offer(job, k, &offer) == PERM_OK; k++)
      block = offer.block; /* the last one */
    cli_explain_matrix(matrix, &outline);
    printf("  plan       none within reach and limits%s\n", block > 0 ? ", of a block after others" : "");
    cli_explain_others(job, block, PERM_METHOD_AUTO, 0);
  } else if (run->explain > 1) {
    printf("%s", text);
  } else {
    const char *raised = strstr(text, "precision "), *end = raised ? strchr(raised, '\n') : NULL;
    cli_explain_matrix(matrix, &outline);
    cli_explain_plan(run, job, &outline);
    cli_explain_answer(run, &outline, text);
    if (end && strstr(raised, " at once for the tolerance") && (raised == text || raised[-1] == '\n'))
      printf("  %.*s\n", (int)(end - raised), raised);
    if (perm_job_leaf(job, outline.costliest, &leaf) == PERM_OK)
      cli_explain_others(job, outline.costliest, leaf.method, leaf.seconds);
  }
  if (run->ranks && !refused && !run->json) {
    const cli_prediction all = cli_predict(run, job);
    printf("%d rank%s of %d %s%s, ideally shared: %.3g elements, %s; a rank %.3g elements, %.3g %%\n", run->ranks,
           run->ranks == 1 ? "" : "s", all.each, all.gpus ? "GPU" : "thread", all.each == 1 ? "" : "s", all.elements,
           cli_amount("seconds", all.seconds).text, all.elements / run->ranks, 100.0 / run->ranks);
  }
  free(text);
}

/* The share of the work that the checkpoint of --resume has, into run->done. */
static perm_status cli_read_share(cli *run, const perm_job *job, perm_result *result)
{
  double all = 0, left = 0;
  perm_state *state = NULL;
  perm_leaf leaf;
  const perm_status status =
      run->resume ? perm_checkpoint_read(job, run->resume, &run->options, &state, result) : PERM_OK;
  for (int i = 0; state && perm_job_leaf(job, i, &leaf) == PERM_OK; i++, all += leaf.seconds)
    for (uint64_t begin = 0, end = 0; perm_state_left(job, state, i, end, &begin, &end) == PERM_OK && begin < end;)
      left += leaf.seconds * ((double)(end - begin) / (double)leaf.chunks);
  run->done = left > 0 ? 1 - left / all : 1;
  perm_state_free(state);
  return status;
}

/* Stands for the execution of a proof's job, which is explained, or of one that is taken instead of samples. */
static perm_status cli_explain_proof(const perm_job *job, perm_state *state, const perm_options *options,
                                     perm_result *result)
{
  cli *run = (cli *)options->user_data;
  (void)state;
  memset(result, 0, sizeof *result);
  if (run->estimate || cli_read_share(run, job, result) != PERM_OK)
    return result->status;
  cli_explain_job(run, run->name, run->matrix, job, NULL);
  return PERM_OK;
}

/* 0: there is no plan, and result says why. */
static int cli_explain(cli *run, const char *name, const perm_matrix *matrix, perm_result *result)
{
  perm_options options = run->options;
  perm_job *job = NULL;
  perm_status status;
  run->name = name;
  run->matrix = matrix;
  options.execute = cli_explain_proof;
  status = cli_proves ? perm_prove_sparse(matrix, NULL, &options, result)
                      : perm_sparse_job(matrix, &run->options, &job, result);
  if (status == PERM_OK && job)
    status = cli_read_share(run, job, result);
  if (status == PERM_OK && job)
    cli_explain_job(run, name, matrix, job, NULL);
  else if (cli_is_refusal(status))
    cli_explain_job(run, name, matrix, job, result);
  perm_job_free(job);
  return status == PERM_OK;
}

#endif
/* SPDX-License-Identifier: MIT */
