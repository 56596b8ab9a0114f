/* ======================================================================================== >>control
   Cancellation, time limit, progress, checkpoints. Only the calling thread polls. */
#pragma once
#include "../api/types.h"
#include "../api/calls.h"
#include "../base/memory.h"
#include "../base/cpu.h"

typedef struct permi_control {
  const perm_options *options;
  double start, deadline, next_report;
  double work_total, work_before; /* predicted seconds of all leaves (planning: of the best offer), of finished ones */
  double expected; /* seconds, by the plan; 0: unknown */
  double fraction_start, fraction_time; /* of GPUs: when they had started */
  double next_checkpoint;
  int unwritten, gpus;
  char message[PERM_MESSAGE_BYTES];
  double worked, next_look, done;
  perm_status stopped;
  const char *activity;
} permi_control;

#if !defined(PERMI_WATCH_UNITS) /* tests look more often */
#define PERMI_WATCH_UNITS 1e7
#endif
#if !defined(PERMI_STOP_FAULT)
#define PERMI_STOP_FAULT() 0
#endif

static permi_control permi_control_begin(const perm_options *options)
{
  permi_control control;
  memset(&control, 0, sizeof control);
  control.options = options;
  control.start = permi_seconds();
  control.deadline = options->max_seconds > 0 ? control.start + options->max_seconds : (double)INFINITY;
  control.next_report = control.start + 0.2;
  control.next_checkpoint = (double)INFINITY;
  control.next_look = PERMI_WATCH_UNITS;
  return control;
}

/* The plan weighs as much as a hundredth of the work. */
static double permi_control_left(const permi_control *control, double fraction, double seconds)
{
  const double done = fraction - control->fraction_start, trust = control->expected > 0 ? 0.01 : 0;
  return done > 0 ? (seconds + trust * control->expected) * (1 - fraction) / (done + trust) : (double)INFINITY;
}

/* Returns why to stop, or PERM_OK; work_done: predicted seconds of this leaf. */
static perm_status permi_control_poll(permi_control *control, double work_done, const char *activity)
{
  const perm_options *options = control->options;
  if ((options->cancel && *options->cancel) || PERMI_STOP_FAULT())
    return PERM_STOPPED_CANCELLED;
  if (!options->progress && control->deadline == (double)INFINITY)
    return PERM_OK;
  const double now = permi_seconds();
  if (options->progress && now >= control->next_report) {
    perm_progress report;
    const double total = control->work_total > 0 ? control->work_total : 1;
    control->next_report = now + 0.1;
    report.fraction = fmin((control->work_before + work_done) / total, 1);
    report.seconds = now - control->start;
    if (options->gpu.devices && report.fraction > control->fraction_start && control->fraction_time == 0) {
      control->fraction_start = report.fraction;
      control->fraction_time = now;
    }
    report.seconds_left = permi_control_left(
        control, report.fraction, control->fraction_time > 0 ? now - control->fraction_time : report.seconds);
    report.activity = activity;
    if (options->progress(&report, options->user_data))
      return PERM_STOPPED_CANCELLED;
  }
  return now >= control->deadline ? PERM_STOPPED_TIME : PERM_OK;
}

/* Counts units, about nanoseconds. Returns 1 to stop. */
PERMI_UNUSED
static int permi_watch(permi_control *watch, double units)
{
  if (!watch)
    return 0;
  watch->worked += units;
  if (watch->worked >= watch->next_look && watch->stopped == PERM_OK) {
    watch->next_look = watch->worked + PERMI_WATCH_UNITS;
    watch->stopped = permi_control_poll(watch, watch->done, watch->activity ? watch->activity : "planning");
  }
  return watch->stopped != PERM_OK;
}

/* Uncounted by plans. */
PERMI_UNUSED
static int permi_watch_apart(permi_control *watch, double units)
{
  if (watch)
    watch->next_look -= units;
  return permi_watch(watch, 0);
}

/* Returns "max_seconds reached after 20 s of about 3 h 10 min". */
static permi_words_of permi_early_words(const permi_control *control, perm_status status)
{
  const double seconds = permi_seconds() - control->start, total = control->work_total;
  const double done = total > 0 ? control->work_before / total : 0;
  const double all = done > control->fraction_start ? seconds + permi_control_left(control, done, seconds) : total;
  permi_words_of words;
  snprintf(words.text, sizeof words.text, "%s", perm_status_text(status));
  if (all > 0 && all < (double)INFINITY)
    snprintf(words.text, sizeof words.text, "%.50s after %.20s%s%.20s%.15s", perm_status_text(status),
             permi_time_words(seconds).text, all < seconds ? ", predicted " : " of about ", permi_time_words(all).text,
             control->fraction_start > 0 && control->fraction_time == 0 ? " that were left" : "");
  return words;
}

static perm_status permi_fail_stopped(const permi_control *watch, perm_result *result)
{
  permi_fail(result, watch->stopped, 0, "%s while %s", permi_early_words(watch, watch->stopped).text,
             watch->activity ? watch->activity : "preparing");
  if (result)
    result->seconds = permi_seconds() - watch->start;
  return watch->stopped;
}

/* Copies bytes, or zeros if from is NULL, in pieces; returns 0 to stop. */
#define PERMI_PIECE ((size_t)1 << 24)
static int permi_copy(permi_control *watch, void *to, const void *from, size_t bytes)
{
  for (size_t k = 0; k < bytes; k += PERMI_PIECE) {
    const size_t piece = bytes - k < PERMI_PIECE ? bytes - k : PERMI_PIECE;
    if (k && permi_watch(watch, PERMI_PIECE))
      return 0;
    if (from)
      memcpy((char *)to + k, (const char *)from + k, piece);
    else
      memset((char *)to + k, 0, piece);
  }
  return 1;
}

#define PERMI_CHECKPOINT_DUE ((perm_status)1000)

static perm_status permi_control_poll_range(permi_control *control, double work_done, const char *activity)
{
  const perm_status status =
      permi_control_poll(control, work_done, control->unwritten ? "the checkpoint cannot be written" : activity);
  return status == PERM_OK && control->next_checkpoint < (double)INFINITY && permi_seconds() >= control->next_checkpoint
             ? PERMI_CHECKPOINT_DUE
             : status;
}

static const char *permi_bad_option(const perm_options *options)
{
  const perm_checkpoint_file *checkpoint = &options->checkpoint;
  const struct {
    int bad;
    const char *because;
  } rule[] = {
      {(int)options->method < 0 || options->method >= PERM_METHOD_COUNT || options->method == PERM_METHOD_STRUCTURE,
       "method is not one of perm_method"},
      {(int)options->precision < 0 || options->precision >= PERM_PRECISION_COUNT,
       "precision is not one of perm_precision"},
      {(int)options->isa < 0 || options->isa >= PERM_ISA_COUNT, "isa is not one of perm_isa"},
      {(int)options->format < 0 || options->format >= PERM_FORMAT_COUNT, "format is not one of perm_format"},
      {options->certify != 0 && options->certify != 1, "certify is neither 0 nor 1"},
      {options->threads < 0, "threads is negative (0 means all)"},
      {options->threads > 1 << 16, "threads is above 65536"},
      {options->modulus == 1 || options->modulus > UINT64_C(1) << 63,
       "modulus is not between 2 and 2^63 (0 means none)"},
      {!(options->tolerance >= 0) || options->tolerance == (double)INFINITY,
       "tolerance is negative or not finite (0 means none)"},
      {!(options->max_seconds >= 0), "max_seconds is negative or NaN (0 means no limit)"},
      {!(options->max_bytes >= 0), "max_bytes is negative or NaN (0 means no limit)"},
      {!(options->plan_effort >= 0 && options->plan_effort <= 1e6), "plan_effort is not between 0 and 1e6 (0 means 1)"},
      {options->gpu.devices < PERM_ALL_GPUS, "gpu.devices is below -1 (PERM_ALL_GPUS)"},
      {options->gpu.cpu_fallback != 0 && options->gpu.cpu_fallback != 1, "gpu.cpu_fallback is neither 0 nor 1"},
      {options->isa == PERM_ISA_CUDA && !options->gpu.devices, "isa cuda needs gpu.devices"},
      {(unsigned)options->gpu.resident > (options->gpu.devices ? 3 : 0), "gpu.resident is not 0 to 3 with gpu.devices"},
      {!(checkpoint->seconds >= 0), "checkpoint.seconds is negative or NaN (0 means 60)"},
      {checkpoint->parts < 0 || (checkpoint->parts && (checkpoint->part < 1 || checkpoint->part > checkpoint->parts)),
       "checkpoint.part is not one of 1 to parts (parts 0 means everything)"},
      {checkpoint->part && !checkpoint->parts, "checkpoint.part is given, but checkpoint.parts is 0"},
      {checkpoint->merge && !*checkpoint->merge, "checkpoint.merge is an empty list (NULL means none)"},
      {checkpoint->file && !*checkpoint->file, "checkpoint.file is an empty name (NULL means none)"},
      {!options->allocator.allocate != !options->allocator.release,
       "allocator needs both allocate and release, or neither"}
  };
  for (size_t k = 0; k < sizeof rule / sizeof *rule; k++)
    if (rule[k].bad)
      return rule[k].because;
  return NULL;
}

/* Returns 1 if the options allow a small sum without a job, which takes no memory and hardly time. exact: the matrix,
   of so many bytes, is of integers. */
static int permi_asks_no_more(const perm_options *options, int exact, double bytes)
{
  return !options ||
         ((options->method == PERM_METHOD_AUTO || (exact && options->method == PERM_METHOD_EXACT)) &&
          (options->precision == PERM_PRECISION_DEFAULT || (exact && options->precision == PERM_PRECISION_EXACT)) &&
          !(options->certify && !exact) && !options->modulus && !options->gpu.devices &&
          !options->execute && (options->max_seconds == 0 || options->max_seconds >= 1e-3) &&
          (options->max_bytes == 0 || options->max_bytes >= bytes) && !permi_in_pieces(options) &&
          permi_isa_here(options->isa) && !permi_bad_option(options));
}

static perm_status permi_check_options(const perm_options *options, int argument, perm_result *result)
{
  const char *bad = permi_bad_option(options);
  if (bad)
    return permi_fail(result, PERM_ERROR_OPTION, argument, "options: %s", bad);
  if (options->isa != PERM_ISA_CUDA && !permi_isa_here(options->isa))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, argument, "options: this machine has no %s; its best is %s",
                      perm_name("isa", options->isa), perm_name("isa", perm_isa_best()));
  return PERM_OK;
}

/* Returns the error to expect, in units of 2^exp2; guaranteed under certify. */
static double permi_error(const perm_options *options, const perm_result *result)
{
  return result->error_bound < result->error_estimate || options->certify ? result->error_bound
                                                                          : result->error_estimate;
}

/* Returns the relative error; INFINITY for an inexact 0. */
static double permi_relative(const perm_options *options, const perm_result *result)
{
  const double size = hypot(0.5 * result->value, 0.5 * result->imaginary); /* halves cannot overflow */
  if (result->exact || result->error_bound == 0)
    return 0;
  return size == 0 ? (double)INFINITY : 0.5 * permi_error(options, result) / size;
}

/* Returns PERM_TOLERANCE_NOT_MET for a result that is worse than asked for, else its status. */
static perm_status permi_judge(const perm_options *options, perm_result *result)
{
  double relative = permi_relative(options, result);
  if (result->status == PERM_OK && options->certify && result->error_bound == (double)INFINITY) {
    result->status = PERM_TOLERANCE_NOT_MET;
    snprintf(result->message, sizeof result->message, "certify: no guaranteed bound for this matrix by method %s",
             perm_name("method", result->method));
  }
  if (result->status == PERM_OK && options->tolerance > 0 && relative > options->tolerance) {
    result->status = PERM_TOLERANCE_NOT_MET;
    permi_say(result->message, sizeof result->message, "tolerance %.3g not met: the %s relative error is %.3g; %s",
             options->tolerance,
             options->certify || result->error_bound <= result->error_estimate ? "guaranteed" : "estimated", relative,
             permi_in_pieces(options) ? "in a job, with a checkpoint or parts the precision is not raised"
             : result->precision == PERM_PRECISION_DD ? "no precision is higher"
                                                      : "no higher precision fits method and limits");
  }
  return result->status;
}
/* SPDX-License-Identifier: MIT */
