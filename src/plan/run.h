/* ============================================================================================ >>run
   Runs a job under limits, with checkpoint and parts; merges files. */
#pragma once
#include "../job/job.h"
#include "../job/checkpoint.h"
#include "../dense/dense.h"

static int permi_leaf_threads(const permi_leaf *leaf, const perm_options *options)
{
  const int shared = leaf->information.kind == PERM_LEAF_RANGE && !leaf->run_range ? 1 : leaf->threaded;
  return shared && leaf->information.seconds >= PERMI_PARALLEL_SECONDS ? permi_threads(options) : 1;
}

static perm_status permi_stopped(perm_status status, const permi_control *control, perm_result *result)
{
  return permi_fail(result, status, 0, "%s",
                    status < 0 && control->message[0] ? control->message : perm_status_text(status));
}

PERM_API perm_status perm_job_range(const perm_job *job, int leaf, uint64_t begin, uint64_t end,
                                    const perm_options *options_given, perm_partial *partial, perm_result *result)
{
  const perm_options *options = permi_options(options_given);
  permi_environment environment;
  permi_result_clear(result);
  if (!job || !partial)
    return permi_fail(result, PERM_ERROR_NULL, job ? 6 : 1, "%s is NULL", job ? "partial" : "job");
  memset(partial, 0, sizeof *partial);
  perm_status status = permi_check_options(options, 5, result);
  if (status != PERM_OK)
    return status;
  if (leaf < 0 || leaf >= job->leaves || begin > end || end > job->leaf[leaf].information.chunks)
    return permi_fail(result, PERM_ERROR_RANGE, 2, "leaf %d has no chunks %llu to %llu", leaf,
                      (unsigned long long)begin, (unsigned long long)end);
  permi_control control = permi_control_begin(options);
  control.work_total = job->leaf[leaf].information.seconds * ((double)(end - begin) /
                                                              (double)job->leaf[leaf].information.chunks);
  status = PERMI_SOUNDLY(&environment, permi_run_range(job, &job->leaf[leaf], begin, end, &control,
                                                       permi_leaf_threads(&job->leaf[leaf], options), partial));
  if (status != PERM_OK)
    status = permi_meter_verdict(&job->allocator, permi_stopped(status, &control, result), result);
  if (result) {
    result->gpus = control.gpus;
    result->seconds = permi_seconds() - control.start;
  }
  return status;
}

static permi_interval permi_wanted(const perm_job *job, int leaf, const perm_options *options)
{
  return permi_part_of(job->leaf[leaf].information.chunks, leaf,
                       options->checkpoint.parts ? options->checkpoint.part : 1,
                       options->checkpoint.parts ? options->checkpoint.parts : 1);
}

/* Returns 0 if none is left. */
static int permi_leaf_left(const perm_job *job, const perm_state *state, const perm_options *options, int leaf,
                           uint64_t from, permi_interval *range)
{
  const permi_interval wanted = permi_wanted(job, leaf, options);
  perm_state_left(job, state, leaf, from > wanted.begin ? from : wanted.begin, &range->begin, &range->end);
  range->end = range->end < wanted.end ? range->end : wanted.end;
  return range->begin < range->end;
}

static int permi_next_range(const perm_job *job, const perm_state *state, const perm_options *options, int *leaf,
                            permi_interval *range)
{
  while (*leaf < job->leaves && !permi_leaf_left(job, state, options, *leaf, 0, range))
    ++*leaf;
  return *leaf < job->leaves;
}

/* Adds what the next range lacks, or a prefix. */
static perm_status permi_run_next(const perm_job *job, perm_state *state, int leaf, permi_interval range,
                                  permi_control *control, int threads, perm_result *result)
{
  const perm_leaf *information = &job->leaf[leaf].information;
  perm_partial done;
  memset(&done, 0, sizeof done);
  const perm_status stopped = permi_run_range(job, &job->leaf[leaf], range.begin, range.end, control, threads, &done);
  control->work_before += information->seconds / (double)information->chunks * (double)done.chunks;
  const perm_status status = perm_state_add(job, state, leaf, range.begin, range.begin + done.chunks, &done, result);
  if (status == PERM_OK)
    return stopped;
  snprintf(control->message, sizeof control->message, "%s", result->message);
  return status;
}

static void permi_work(const perm_job *job, const perm_state *state, const perm_options *options,
                       permi_control *control, double *task_seconds)
{
  *task_seconds = 0;
  for (int i = 0; i < job->leaves; i++) {
    const perm_leaf *leaf = &job->leaf[i].information;
    const permi_interval wanted = permi_wanted(job, i, options);
    const double each = leaf->seconds / (double)leaf->chunks;
    permi_interval range = {0, 0};
    uint64_t left = 0;
    while (permi_leaf_left(job, state, options, i, range.end, &range))
      left += range.end - range.begin;
    control->work_total += each * (double)(wanted.end - wanted.begin);
    control->work_before += each * (double)(wanted.end - wanted.begin - left);
    *task_seconds += leaf->kind == PERM_LEAF_TASK ? each * (double)left : 0;
  }
  control->fraction_start = control->work_before / (control->work_total > 0 ? control->work_total : 1);
}

#define PERMI_CHECKPOINT_SECONDS 60.0

/* Keeps the work in the checkpoint. A failure goes to *why, and is told when the run ends. */
static void permi_keep(const perm_job *job, const perm_state *state, permi_control *control, perm_result *why)
{
  const perm_options *options = control->options;
  if (!options->checkpoint.file)
    return;
  permi_result_clear(why);
  control->unwritten =
      permi_checkpoint_write(job, state, options->checkpoint.file, options, /* the first one cleans up */
                             control->next_checkpoint == (double)INFINITY, why) != PERM_OK;
  control->next_checkpoint =
      permi_seconds() + (options->checkpoint.seconds > 0 ? options->checkpoint.seconds : PERMI_CHECKPOINT_SECONDS);
}

static perm_status permi_begin(const perm_job *job, perm_state *state, permi_control *control, int *found,
                               perm_result *result)
{
  const perm_options *options = control->options;
  const char *const *merge = options->checkpoint.merge;
  perm_status status = PERM_OK;
  int i, empty = 1;
  for (i = 0; i < job->leaves; i++)
    empty &= !state->finished[i].count;
  for (i = options->checkpoint.file ? -1 : 0; status == PERM_OK && (i < 0 || (merge && merge[i])); i++) {
    const char *path = i < 0 ? options->checkpoint.file : merge[i];
    perm_options any = *options;
    perm_state *kept = NULL;
    int missing;
    any.checkpoint.parts = i < 0 ? options->checkpoint.parts : 0;
    status = permi_checkpoint_read(job, path, &any, &kept, &missing, result);
    if (i < 0 && missing)
      status = PERM_OK;
    else if (status == PERM_OK && (i >= 0 || empty)) {
      status = perm_state_merge(job, state, kept, result);
      if (status == PERM_OK && i >= 0 && job->sample)
        status = job->sample(job, kept, control, result);
      if (status == PERM_ERROR_STATE && result) {
        char why[PERM_MESSAGE_BYTES];
        snprintf(why, sizeof why, "%.100s", result->message);
        permi_fail(result, status, 0, "%s: merging it: %s", path, why);
      }
    }
    *found |= i < 0 && kept;
    perm_state_free(kept);
  }
  return status;
}

static void permi_so_far(const perm_job *job, const perm_state *state, int index, perm_result *result)
{
  const perm_partial *partial = &state->partial[index];
  permi_leaf leaf = job->leaf[index];
  permi_number number;
  perm_integer residue[2];
  if (job->modulus && leaf.integer && !leaf.finish && !job->sweep && permi_sum_integer(&partial->value, &residue[0]) &&
      permi_sum_integer(&partial->imaginary, &residue[1])) {
    permi_result_clear(result);
    for (int i = 0; i < 2; i++) {
      uint64_t *word = residue[i].word;
      permi_integer_reduce(&residue[i], job->modulus);
      word[0] &= word[0] >> 53 ? ~(uint64_t)1023 : ~(uint64_t)0;
      *(i ? &result->partial_imaginary : &result->partial_sum) = (double)word[0];
    }
    result->exp2 = residue[0].words || residue[1].words ? leaf.scale_exp2 + partial->exp2 : 0;
  } else if (leaf.finish || job->sweep) { /* residues say nothing */
    permi_result_clear(result);
  } else {
    leaf.integer = 0;
    permi_leaf_number(&leaf, partial, &number);
    permi_number_result(&number, result);
    result->partial_sum = result->value;
    result->partial_imaginary = result->imaginary;
  }
  result->value = result->imaginary = (double)NAN;
  result->error_bound = result->error_estimate = (double)INFINITY;
  result->is_complex = job->is_complex;
  result->modulus = job->modulus;
  result->method = leaf.information.method;
  result->isa = leaf.information.isa;
  result->precision = job->precision;
  result->plan_seconds = job->plan_seconds;
  for (int i = 0; i < job->leaves; i++)
    result->terms += state->partial[i].terms;
}

static perm_status permi_execute(const perm_job *job, perm_state *state, const perm_options *options_given,
                                 perm_result *result)
{
  const perm_options *options = permi_options(options_given);
  permi_interval range;
  perm_result unwritten;
  perm_status status, stopped = PERM_OK;
  double task_seconds = 0;
  int i, threads = 1, leaf = 0, left, kept = 0;
  uint64_t begin = 0, end = 0;
  if (!result)
    return PERM_ERROR_NULL;
  status = permi_check_state(job, state, 2, result);
  if (status == PERM_OK)
    status = permi_check_options(options, 3, result);
  permi_control control = permi_control_begin(options);
  if (status == PERM_OK && (options->checkpoint.file || options->checkpoint.merge))
    status = permi_begin(job, state, &control, &kept, result);
  if (status != PERM_OK)
    return status;
  permi_result_clear(&unwritten);
  permi_work(job, state, options, &control, &task_seconds);
  for (i = 0; i < job->leaves; i++)
    threads = threads == 1 ? permi_leaf_threads(&job->leaf[i], options) : threads;
  control.expected = options->gpu.devices ? 0 : control.work_total / threads;
  if (options->max_seconds > 0 && task_seconds > options->max_seconds)
    return permi_fail(result, PERM_ERROR_LIMIT, 3,
                      "predicted to take %s in tasks that cannot be resumed, over max_seconds, of which %s are left",
                      permi_time_words(task_seconds).text, permi_time_words(options->max_seconds).text);
  left = !options->checkpoint.merge && permi_next_range(job, state, options, &leaf, &range);
  if (left && options->checkpoint.file) {
    permi_keep(job, state, &control, &unwritten);
    if (control.unwritten) {
      *result = unwritten;
      return result->status;
    }
  }
  kept &= !left;
  while (left && (stopped == PERM_OK || stopped == PERMI_CHECKPOINT_DUE)) {
    if (control.next_checkpoint < (double)INFINITY && permi_seconds() >= control.next_checkpoint)
      permi_keep(job, state, &control, &unwritten);
    stopped = job->sweep ? job->sweep(job, state, leaf, &control, threads, result)
                         : permi_run_next(job, state, leaf, range, &control, threads, result);
    if (stopped >= 0)
      left = permi_next_range(job, state, options, &leaf, &range);
  }
  if (!left && stopped > 0) /* with the last chunk: nothing is left to stop */
    stopped = PERM_OK;
  for (i = 0; i < job->leaves && !left && begin == end; i++)
    perm_state_left(job, state, leaf = i, 0, &begin, &end);
  if (begin < end && !options->checkpoint.merge)
    stopped = PERM_PART_DONE;
  if (!kept && !(begin < end && options->checkpoint.merge))
    permi_keep(job, state, &control, &unwritten);
  if (stopped > 0 && control.unwritten) {
    *result = unwritten;
    stopped = unwritten.status;
  } else if (stopped < 0) {
    stopped = permi_meter_verdict(&job->allocator, permi_stopped(stopped, &control, result), result);
  } else if (stopped == PERM_OK) {
    stopped = permi_state_finish(job, state, state, &control, result);
    if (stopped == PERM_ERROR_STATE && job->inspect) /* without what is wrong */
      permi_keep(job, state, &control, &unwritten);
    if (stopped == PERM_OK && control.unwritten)
      memcpy(result->message, unwritten.message, sizeof result->message);
  } else {
    permi_so_far(job, state, leaf, result);
    snprintf(result->message, sizeof result->message, "%s; there is no value, only the sum of the terms so far",
             stopped == PERM_PART_DONE ? perm_status_text(stopped) : permi_early_words(&control, stopped).text);
  }
  result->status = stopped;
  result->threads = threads;
  result->gpus = control.gpus;
  result->seconds = permi_seconds() - control.start;
  return stopped;
}

PERM_API perm_status perm_job_execute(const perm_job *job, perm_state *state, const perm_options *options,
                                      perm_result *result)
{
  permi_environment environment;
  return PERMI_SOUNDLY(&environment, permi_execute(job, state, options, result));
}

static perm_status permi_run_state(const perm_job *job, const perm_options *options, perm_result *result)
{
  perm_state *state = NULL;
  const perm_status status = perm_state_create(job, &state) != PERM_OK ? permi_fail_memory(result)
                             : options->execute && !options->checkpoint.merge
                                 ? options->execute(job, state, options, result)
                                 : perm_job_execute(job, state, options, result);
  perm_state_free(state);
  return status;
}

/* Runs without a state, with the same bits. Returns 0 if something may stop or observe the job. */
#define PERMI_PLAIN_LEAVES 2 /* on the stack */
static int permi_run_plain(const perm_job *job, const perm_options *options, perm_result *result)
{
  perm_partial few[PERMI_PLAIN_LEAVES], *partial = few;
  perm_status status = PERM_OK;
  int i, threads = 1;
  if (job->sweep || job->inspect || options->execute || options->progress || options->cancel ||
      options->max_seconds > 0 || permi_in_pieces(options))
    return 0;
  permi_control control = permi_control_begin(options);
  if (job->leaves > PERMI_PLAIN_LEAVES)
    partial = (perm_partial *)permi_allocate(&job->allocator, (size_t)job->leaves, sizeof *partial);
  if (!partial)
    status = PERM_ERROR_MEMORY;
  for (i = 0; i < job->leaves && status == PERM_OK; i++) {
    const int here = permi_leaf_threads(&job->leaf[i], options);
    memset(&partial[i], 0, sizeof *partial);
    status = permi_run_range(job, &job->leaf[i], 0, job->leaf[i].information.chunks, &control, here, &partial[i]);
    threads = here > threads ? here : threads;
  }
  if (status == PERM_OK)
    perm_job_finish(job, partial, result);
  else
    permi_meter_verdict(&job->allocator, permi_stopped(status, &control, result), result);
  if (partial != few)
    permi_release(&job->allocator, partial);
  result->threads = threads;
  result->gpus = control.gpus;
  result->seconds = permi_seconds() - control.start;
  return 1;
}

static perm_status permi_run_job(perm_job *job, const perm_options *options, const permi_reach *reach,
                                 perm_result *result)
{
  const perm_status status = permi_run_plain(job, options, result) ? result->status : reach->run(job, options, result);
  perm_job_free(job);
  return status;
}
/* SPDX-License-Identifier: MIT */
