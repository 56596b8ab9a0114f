/* ======================================================================================== >>control
   Cancellation, time limit, progress, checkpoints. Only the calling thread polls. */
#pragma once
#include "../api/types.h"
#include "../api/calls.h"
#include "../base/memory.h"

typedef struct permi_control {
  const perm_options *options;
  double start, deadline, next_report;
  double work_total, work_before; /* predicted seconds of all leaves (planning: of the best offer), of finished ones */
  double fraction_start, fraction_time; /* of GPUs: when they had started */
  double next_checkpoint;
  int unwritten;
  int gpus;
  char message[PERM_MESSAGE_BYTES];
  double worked, next_look; /* of permi_watch, in its units */
  perm_status stopped;
  const char *activity;
  double done;
} permi_control;

#if !defined(PERMI_WATCH_UNITS) /* tests look more often, and stop at any look */
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

/* Returns why to stop, or PERM_OK. work_done: predicted seconds of this leaf. */
static perm_status permi_control_poll(permi_control *control, double work_done, const char *activity)
{
  const perm_options *options = control->options;
  double now;
  if ((options->cancel && *options->cancel) || PERMI_STOP_FAULT())
    return PERM_STOPPED_CANCELLED;
  if (!options->progress && control->deadline == (double)INFINITY)
    return PERM_OK;
  now = permi_seconds();
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
    report.seconds_left = report.fraction > control->fraction_start
                              ? (control->fraction_time > 0 ? now - control->fraction_time : report.seconds) *
                                    (1 - report.fraction) / (report.fraction - control->fraction_start)
                              : (double)INFINITY;
    report.activity = activity;
    if (options->progress(&report, options->user_data))
      return PERM_STOPPED_CANCELLED;
  }
  return now >= control->deadline ? PERM_STOPPED_TIME : PERM_OK;
}

/* Counts units, about nanoseconds, of work that nobody predicted; returns 1 to stop, with watch->stopped. Counts, not
   the clock, decide plans. watch may be NULL. */
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

typedef struct permi_early {
  char text[128];
} permi_early;

/* "max_seconds reached after 20 s of about 3 h 10 min": the whole by the fraction done, else as predicted. */
static permi_early permi_early_words(const permi_control *control, perm_status status)
{
  const double seconds = permi_seconds() - control->start, total = control->work_total;
  const double done = total > 0 ? control->work_before / total - control->fraction_start : 0;
  const double whole = done > 0 ? seconds / done : total;
  permi_early words;
  snprintf(words.text, sizeof words.text, "%s", perm_status_text(status));
  if (whole > 0 && whole < (double)INFINITY)
    snprintf(words.text, sizeof words.text, "%s after %s of about %s", perm_status_text(status),
             permi_time_words(seconds).text, permi_time_words(whole).text);
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

/* Copies bytes, or zeros if from is NULL, in pieces, since fresh pages take long. Returns 0 to stop. */
#define PERMI_PIECE ((size_t)1 << 24)
static int permi_copy(permi_control *watch, void *to, const void *from, size_t bytes)
{
  size_t k;
  for (k = 0; k < bytes; k += PERMI_PIECE) {
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
/* SPDX-License-Identifier: MIT */
