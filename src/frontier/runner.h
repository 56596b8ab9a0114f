/* ========================================================================================= >>runner
   Runs engines step by step: threads, stopping, counters, memory, the last value. */
#pragma once
#include "values.h"

typedef struct permi_runner permi_runner;
struct permi_runner {
  permi_control *control; /* may be NULL */
  const char *activity;
  int threads;
  permi_pool pool;
  perm_allocator locked; /* a caller's need not be thread-safe */
  double done;           /* predicted seconds */
  double unpolled, visited;
  int stop; /* perm_status of thread 0 */
  permi_sizes sizes;
  perm_status (*keep)(permi_runner *run, int p); /* or NULL; takes states before step p: >>trace */
  void *keeper;
};

typedef perm_status (*permi_runner_step)(permi_runner *run, int p);

static void *permi_locked_allocate(size_t bytes, void *user_data)
{
  void *memory;
  PERMI_OMP(critical(permi_lists_memory))
  memory = permi_allocate((const perm_allocator *)user_data, bytes, 1);
  return memory;
}

static void permi_locked_release(void *memory, void *user_data)
{
  PERMI_OMP(critical(permi_lists_memory))
  permi_release((const perm_allocator *)user_data, memory);
}

#define PERMI_RUNNER_POLL 262144

/* The caller has cleared the run, except for `keep`. */
static void permi_runner_begin(permi_runner *run, const perm_allocator *allocator, permi_control *control,
                               const char *activity)
{
  run->control = control;
  run->activity = activity;
  run->threads = control ? permi_threads(control->options) : 1;
  run->pool.allocator = allocator;
  run->locked.allocate = permi_locked_allocate;
  run->locked.release = permi_locked_release;
  run->locked.user_data = (void *)(uintptr_t)allocator;
  run->sizes.smallest = run->sizes.largest = 1;
  run->unpolled = PERMI_RUNNER_POLL;
}

/* Returns why to stop. Thread 0 asks, once every PERMI_RUNNER_POLL states. */
static perm_status permi_runner_poll(permi_runner *run, double states, double seconds, int thread)
{
  int stop = PERM_OK;
  if (thread) {
    PERMI_OMP(atomic read)
    stop = run->stop;
  } else if (run->control && (run->unpolled += states) >= PERMI_RUNNER_POLL) {
    run->unpolled = 0;
    stop = (int)permi_control_poll(run->control, seconds, run->activity);
    PERMI_OMP(atomic write)
    run->stop = stop;
  }
  return (perm_status)stop;
}

static perm_status permi_runner_go(permi_runner *run, int from, int to, permi_runner_step step)
{
  perm_status status = PERM_OK;
  int p;
  for (p = from; p < to && status == PERM_OK; p++) {
    status = permi_runner_poll(run, PERMI_RUNNER_POLL / 16, run->done, 0);
    if (status == PERM_OK && run->keep)
      status = run->keep(run, p);
    if (status == PERM_OK)
      status = step(run, p);
  }
  return status;
}

/* Adds the last value and the loss. NULL: 0. */
static void permi_runner_finish(const permi_runner *run, const permi_numbers *numbers, const void *value,
                                double lost_error, perm_partial *partial)
{
  double loss = run->sizes.loss;
  partial->terms += run->visited;
  if (value)
    permi_value_sum(numbers, value, partial);
  if (!value || permi_algebra_is_integer(numbers->algebra))
    return;
  if (lost_error > 0)
    loss += DBL_MIN + permi_ldexp(lost_error, -run->sizes.exp2);
  partial->lost += 2 * loss;
  partial->exp2 = run->sizes.exp2;
}

/* unit: of roundings in `bound`. */
static void permi_leaf_values(permi_leaf *leaf, const permi_numbers *numbers, double bound, double unit,
                              perm_status (*task)(const permi_leaf *, permi_control *, perm_partial *),
                              size_t (*explain)(const permi_leaf *, char *, size_t))
{
  leaf->run_task = task;
  leaf->explain = explain;
  leaf->integer = permi_algebra_is_integer(numbers->algebra);
  if (!leaf->integer) {
    leaf->bound_relative = bound;
    leaf->estimate_relative = fmin(4 * sqrt(unit * bound), bound);
  }
}
/* SPDX-License-Identifier: MIT */
