/* ======================================================================================== >>mpi_run
   Runs one job on all ranks. Between ranges and in the progress callback rank 0 (permi_mpi_lead) serves the others,
   and these (permi_mpi_work) look for orders. */
#pragma once
#include "session.h"

typedef struct permi_mpi_channel { /* the orders of rank 0 to another */
  permi_mpi_order order[PERMI_MPI_SLOTS];
  MPI_Request request[PERMI_MPI_SLOTS];
  int slot;
} permi_mpi_channel;

typedef struct permi_mpi_leader {
  permi_mpi_session *session;
  const perm_options *options;
  permi_mpi_coordinator coordinator;
  permi_mpi_channel *channel; /* by rank */
  int *threads;               /* by rank, behind channels */
  int stopping, gone;         /* 1 once ranks are told to stop; how many have said good-bye */
  double start, deadline, next_report, next_checkpoint, least;
  perm_result unwritten; /* why the last checkpoint was not written */
  char activity[160];
} permi_mpi_leader;

static void permi_mpi_leader_free(permi_mpi_leader *leader)
{
  permi_mpi_coordinator_free(&leader->coordinator);
  permi_mpi_release(&leader->session->options->allocator, leader->channel);
}

static int permi_mpi_leader_create(permi_mpi_leader *leader, permi_mpi_session *session, const perm_job *job)
{
  const perm_allocator *allocator = &session->options->allocator;
  const size_t ranks = (size_t)session->ranks;
  memset(leader, 0, sizeof *leader);
  leader->session = session;
  if (!permi_mpi_coordinator_create(&leader->coordinator, job, session->ranks, allocator))
    return 0;
  leader->channel = (permi_mpi_channel *)permi_mpi_allocate(allocator, ranks * (sizeof *leader->channel + sizeof(int)));
  if (!leader->channel) {
    permi_mpi_leader_free(leader);
    return 0;
  }
  leader->threads = (int *)(void *)(leader->channel + ranks);
  for (size_t i = 0; i < ranks * PERMI_MPI_SLOTS; i++)
    leader->channel[i / PERMI_MPI_SLOTS].request[i % PERMI_MPI_SLOTS] = MPI_REQUEST_NULL;
  for (size_t i = 0; i < ranks; i++)
    leader->channel[i].slot = 0;
  return 1;
}

/* Sends an order without waiting: a slot is free once its rank has answered. */
static void permi_mpi_send(permi_mpi_leader *leader, int rank, int kind, const permi_mpi_range *range)
{
  permi_mpi_channel *channel = &leader->channel[rank];
  permi_mpi_order *order = &channel->order[channel->slot];
  MPI_Request *request = &channel->request[channel->slot];
  channel->slot = (channel->slot + 1) % PERMI_MPI_SLOTS;
  MPI_Wait(request, MPI_STATUS_IGNORE);
  memset(order, 0, sizeof *order);
  order->kind = kind;
  if (range)
    order->range = *range;
  MPI_Isend(order, (int)sizeof *order, MPI_BYTE, rank, PERMI_MPI_TO_RANK, leader->session->comm, request);
}

static void permi_mpi_hand_out(permi_mpi_leader *leader, int rank)
{
  permi_mpi_range range;
  while (permi_mpi_next(&leader->coordinator, rank, leader->least, &range))
    permi_mpi_send(leader, rank, PERMI_MPI_RUN, &range);
}

static double permi_mpi_interval(const perm_options *options)
{
#if defined(PERM_MPI_TESTS)
  if (options->checkpoint.file && permi_mpi_fault.checkpoint > 0)
    return permi_mpi_fault.checkpoint;
#endif
  return !options->checkpoint.file         ? (double)INFINITY
         : options->checkpoint.seconds > 0 ? options->checkpoint.seconds
                                           : 60;
}

/* Writes the checkpoint. If that fails, the job continues and retries at the next interval. */
static void permi_mpi_checkpoint(permi_mpi_leader *leader)
{
  const perm_options *options = leader->options;
  if (!options->checkpoint.file)
    return;
  memset(&leader->unwritten, 0, sizeof leader->unwritten);
  perm_checkpoint_write(leader->coordinator.job, leader->coordinator.state, options->checkpoint.file, options,
                        &leader->unwritten);
  leader->next_checkpoint = MPI_Wtime() + permi_mpi_interval(options);
}

/* Reports progress, at most every 0.1 s. */
static void permi_mpi_tell(permi_mpi_leader *leader, double now)
{
  const permi_mpi_coordinator *c = &leader->coordinator;
  const perm_options *options = leader->options;
  const double seconds = now - leader->start;
  perm_progress progress;
  leader->next_report = now + 0.1;
  progress.fraction = c->total > 0 ? (c->before + c->done) / c->total : 0;
  progress.fraction = progress.fraction < 1 ? progress.fraction : 1;
  progress.seconds = seconds;
  progress.seconds_left = c->done > 0 ? seconds * (c->total - c->before - c->done) / c->done : (double)INFINITY;
  snprintf(leader->activity, sizeof leader->activity, "%d ranks on %d node%s, %.0f million elements/s", c->ranks,
           leader->session->nodes, leader->session->nodes == 1 ? "" : "s",
           c->elements / (seconds > 0 ? 1e6 * seconds : 1e6));
  progress.activity = leader->activity;
  if (options->progress(&progress, options->user_data))
    permi_mpi_stop(&leader->coordinator, PERM_STOPPED_CANCELLED, perm_status_text(PERM_STOPPED_CANCELLED));
}

static void permi_mpi_receive(permi_mpi_leader *leader)
{
  permi_mpi_coordinator *c = &leader->coordinator;
  permi_mpi_report report;
  perm_partial partial;
  MPI_Status message;
  int there;
  for (;;) {
    MPI_Iprobe(MPI_ANY_SOURCE, PERMI_MPI_TO_ZERO, leader->session->comm, &there, &message);
    if (!there)
      return;
    MPI_Recv(&report, (int)sizeof report, MPI_BYTE, message.MPI_SOURCE, PERMI_MPI_TO_ZERO, leader->session->comm,
             MPI_STATUS_IGNORE);
    memset(&partial, 0, sizeof partial);
    if (report.chunks && perm_partial_decode(report.partial, sizeof report.partial, &partial) != PERM_OK)
      permi_mpi_stop(c, PERM_ERROR_STATE, "a rank's partial cannot be decoded");
    if (report.range.leaf >= 0)
      permi_mpi_take(c, message.MPI_SOURCE, &report.range, &partial, report.seconds, report.gpus);
    leader->gone += report.range.leaf == PERMI_MPI_BYE;
    if (report.status != PERM_OK)
      permi_mpi_stop(c, (perm_status)report.status, report.message);
    permi_mpi_hand_out(leader, message.MPI_SOURCE);
  }
}

static void permi_mpi_look(permi_mpi_leader *leader)
{
  const perm_options *options = leader->options;
  permi_mpi_coordinator *c = &leader->coordinator;
  permi_mpi_receive(leader);
  const double now = MPI_Wtime();
  if (options->cancel && *options->cancel)
    permi_mpi_stop(c, PERM_STOPPED_CANCELLED, perm_status_text(PERM_STOPPED_CANCELLED));
  if (now >= leader->deadline)
    permi_mpi_stop(c, PERM_STOPPED_TIME, perm_status_text(PERM_STOPPED_TIME));
  if (options->progress && now >= leader->next_report && c->status == PERM_OK)
    permi_mpi_tell(leader, now);
  if (c->status != PERM_OK && !leader->stopping) { /* stops the ranks at once, as time may be short */
    leader->stopping = 1;
    for (int rank = 1; rank < c->ranks; rank++)
      permi_mpi_send(leader, rank, PERMI_MPI_STOP, NULL);
    permi_mpi_checkpoint(leader);
  } else if (now >= leader->next_checkpoint) {
    permi_mpi_checkpoint(leader);
  }
}

static int permi_mpi_look_within(const perm_progress *progress, void *user_data)
{
  permi_mpi_leader *leader = (permi_mpi_leader *)user_data;
  (void)progress;
  permi_mpi_look(leader);
  return leader->stopping;
}

/* Returns the caller's threads, else a share of the node, or OpenMP's if ranks are bound to cores. */
static int permi_mpi_threads(const permi_mpi_session *session)
{
#if defined(_OPENMP)
  const int threads = omp_get_max_threads(), share = omp_get_num_procs() / session->locals;
  if (session->options->threads > 0)
    return session->options->threads;
#if defined(_SC_NPROCESSORS_ONLN)
  if (omp_get_num_procs() < sysconf(_SC_NPROCESSORS_ONLN))
    return threads;
#endif
  return share < 1 ? 1 : share < threads ? share : threads;
#else
  return session->options->threads > 0 ? session->options->threads : 1;
#endif
}

/* Computes a range without limits, checkpoints or progress; `look` is asked for orders meanwhile. */
static void permi_mpi_compute(const permi_mpi_session *session, const perm_job *job, const permi_mpi_range *range,
                              const perm_options *options_given,
                              int (*look)(const perm_progress *progress, void *user_data), void *user_data,
                              perm_partial *partial, permi_mpi_report *report)
{
  perm_options options = *options_given;
  perm_result result;
  const double start = MPI_Wtime();
  options.cancel = session->options->cancel;
  options.progress = look;
  options.user_data = user_data;
  options.threads = permi_mpi_threads(session);
  options.max_seconds = 0;
  options.checkpoint.file = NULL;
  memset(report, 0, sizeof *report);
  memset(&result, 0, sizeof result);
  report->range = *range;
  report->status = perm_job_range(job, range->leaf, range->begin, range->end, &options, partial, &result);
#if defined(PERM_MPI_TESTS)
  permi_mpi_fault_ranges++;
  if (permi_mpi_fault.delay > 0) {
    const double until = MPI_Wtime() + permi_mpi_fault.delay;
    int looks = 100;
    while (MPI_Wtime() < until && !look(NULL, user_data))
      permi_mpi_pause(&looks);
  }
  if (permi_mpi_fault.rank == session->rank) {
    permi_mpi_fault.ranges++;
    if (permi_mpi_fault.ranges == permi_mpi_fault.memory_at)
      permi_mpi_fail_memory(&result);
    if (permi_mpi_fault.ranges == permi_mpi_fault.device_at)
      permi_mpi_fail(&result, PERM_ERROR_DEVICE, "GPU 0 has fallen off the bus");
    report->status = result.status;
    if (result.status < 0)
      memset(partial, 0, sizeof *partial);
  }
#endif
  report->chunks = partial->chunks;
  report->seconds = MPI_Wtime() - start;
  report->gpus = result.gpus;
  if (report->status < 0)
    snprintf(report->message, sizeof report->message, "rank %d (%.60s): %.170s", session->rank, session->node,
             result.message);
  else
    snprintf(report->message, sizeof report->message, "%s", perm_status_text((perm_status)report->status));
}

static perm_status permi_mpi_so_far(permi_mpi_leader *leader, const perm_options *options_given, perm_result *result)
{
  static const volatile int cancelled = 1;
  permi_mpi_coordinator *c = &leader->coordinator;
  perm_options options = *options_given;
  options.cancel = &cancelled;
  options.progress = NULL;
  options.max_seconds = 0;
  options.checkpoint.file = NULL;
  options.threads = 1;
  perm_job_execute(c->job, c->state, &options, result);
  if (result->status == PERM_STOPPED_CANCELLED) {
    const double seconds = MPI_Wtime() - leader->start, all = c->done > 0 ? seconds * c->total / c->done : c->total;
    char after[40], whole[40];
    perm_amount_text("seconds", seconds, after, sizeof after);
    perm_amount_text("seconds", all, whole, sizeof whole);
    result->status = c->status;
    snprintf(result->message, sizeof result->message,
             "%.100s after %s%s%s; there is no value, only the sum of the terms so far", c->message, after,
             all < seconds ? ", predicted " : " of about ", whole);
  }
  return result->status;
}

static perm_status permi_mpi_lead(permi_mpi_leader *leader, const perm_job *job, perm_state *state,
                                  const perm_options *options, perm_result *result)
{
  MPI_Status ended[PERMI_MPI_SLOTS]; /* gcc 12 warns of MPI_STATUSES_IGNORE of MPICH */
  permi_mpi_session *session = leader->session;
  permi_mpi_coordinator *c = &leader->coordinator;
  int rank, looks = 0;
  leader->options = options;
  leader->start = MPI_Wtime();
  leader->deadline = options->max_seconds > 0 ? leader->start + options->max_seconds : (double)INFINITY;
  leader->next_report = leader->start + 0.2;
  leader->next_checkpoint = leader->start + permi_mpi_interval(options);
  leader->least = permi_mpi_least(session->ranks);
  permi_mpi_coordinator_begin(c, state, leader->threads);
  for (rank = 1; rank < session->ranks; rank++)
    permi_mpi_hand_out(leader, rank);
  for (;;) {
    permi_mpi_range range;
    permi_mpi_look(leader);
    if (permi_mpi_next(c, 0, leader->least, &range)) {
      perm_partial partial;
      permi_mpi_report report;
      permi_mpi_compute(session, job, &range, options, permi_mpi_look_within, leader, &partial, &report);
      permi_mpi_take(c, 0, &range, &partial, report.seconds, report.gpus);
      if (report.status != PERM_OK)
        permi_mpi_stop(c, (perm_status)report.status, report.message);
      looks = 0;
    } else if (c->outstanding) {
      permi_mpi_pause(&looks);
    } else if (c->status == PERM_OK || leader->stopping) {
      break;
    }
  }
  for (rank = 1; rank < session->ranks; rank++)
    permi_mpi_send(leader, rank, PERMI_MPI_END, NULL);
  while (leader->gone < session->ranks - 1) { /* leaves no message behind */
    permi_mpi_receive(leader);
    permi_mpi_pause(&looks);
  }
  for (rank = 0; rank < session->ranks; rank++)
    MPI_Waitall(PERMI_MPI_SLOTS, leader->channel[rank].request, ended);
  permi_mpi_checkpoint(leader);
  if (c->status < 0)
    permi_mpi_fail(result, c->status, c->message);
  else if (c->status == PERM_OK)
    perm_state_finish(job, state, result);
  else if (leader->unwritten.status < 0)
    *result = leader->unwritten;
  else
    permi_mpi_so_far(leader, options, result);
  if (result->status == PERM_OK && leader->unwritten.status < 0)
    snprintf(result->message, sizeof result->message, "%s", leader->unwritten.message);
  result->threads = result->gpus = 0;
  for (rank = 0; rank < session->ranks; rank++) {
    result->threads += leader->threads[rank];
    result->gpus += c->rank[rank].gpus;
  }
  result->seconds = MPI_Wtime() - leader->start;
  return result->status;
}

typedef struct permi_mpi_worker {
  permi_mpi_session *session;
  permi_mpi_range range[PERMI_MPI_AHEAD];
  int ranges, stop, end;
} permi_mpi_worker;

static int permi_mpi_look_for_orders(const perm_progress *progress, void *user_data)
{
  permi_mpi_worker *worker = (permi_mpi_worker *)user_data;
  permi_mpi_order order;
  int there;
  (void)progress;
  for (;;) {
    MPI_Iprobe(0, PERMI_MPI_TO_RANK, worker->session->comm, &there, MPI_STATUS_IGNORE);
    if (!there)
      return worker->stop;
    MPI_Recv(&order, (int)sizeof order, MPI_BYTE, 0, PERMI_MPI_TO_RANK, worker->session->comm, MPI_STATUS_IGNORE);
    if (order.kind == PERMI_MPI_RUN && worker->ranges < PERMI_MPI_AHEAD)
      worker->range[worker->ranges++] = order.range;
    worker->stop |= order.kind == PERMI_MPI_STOP;
    worker->end |= order.kind == PERMI_MPI_END;
  }
}

/* Sends a status; the range is PERMI_MPI_NONE, PERMI_MPI_BYE, or one that is handed back. */
static void permi_mpi_send_status(const permi_mpi_session *session, permi_mpi_range range, perm_status status)
{
  permi_mpi_report report;
  memset(&report, 0, sizeof report);
  report.range = range;
  report.status = status;
  if (status != PERM_OK)
    snprintf(report.message, sizeof report.message, "%s", perm_status_text(status));
  MPI_Send(&report, (int)sizeof report, MPI_BYTE, 0, PERMI_MPI_TO_ZERO, session->comm);
}

static void permi_mpi_work(permi_mpi_session *session, const perm_job *job, const perm_options *options)
{
  const permi_mpi_range none = {PERMI_MPI_NONE, 0, 0}, bye = {PERMI_MPI_BYE, 0, 0};
  permi_mpi_worker worker = {session, {none, none}, 0, 0, 0};
  int looks = 0, told = 0;
  for (;;) {
    permi_mpi_look_for_orders(NULL, &worker);
    if (worker.ranges) {
      const permi_mpi_range range = worker.range[0];
      worker.range[0] = worker.range[1];
      worker.ranges--;
      if (worker.stop) {
        permi_mpi_send_status(session, range, PERM_OK); /* hands it back */
      } else {
        permi_mpi_report report;
        perm_partial partial;
        permi_mpi_compute(session, job, &range, options, permi_mpi_look_for_orders, &worker, &partial, &report);
        if (report.chunks)
          perm_partial_encode(&partial, report.partial, sizeof report.partial);
        MPI_Send(&report, (int)sizeof report, MPI_BYTE, 0, PERMI_MPI_TO_ZERO, session->comm);
      }
      looks = 0;
    } else if (worker.end) {
      break;
    } else if (session->options->cancel && *session->options->cancel && !told) {
      permi_mpi_send_status(session, none, PERM_STOPPED_CANCELLED);
      told = 1;
    } else {
      permi_mpi_pause(&looks);
    }
  }
  permi_mpi_send_status(session, bye, PERM_OK);
}

static int permi_mpi_alone(const permi_mpi_session *session, const perm_job *job)
{
  const int leaves = perm_job_leaves(job);
  double seconds = 0, least = PERM_MPI_SECONDS;
  perm_leaf leaf;
  int i, ranges = 0;
#if defined(PERM_MPI_TESTS)
  least = permi_mpi_fault.least > 0 ? permi_mpi_fault.least : least;
#endif
  for (i = 0; i < leaves; i++) {
    perm_job_leaf(job, i, &leaf);
    ranges += leaf.kind == PERM_LEAF_RANGE && leaf.chunks > 1;
    seconds += leaf.seconds;
  }
  return session->ranks == 1 || seconds < least || (leaves < 2 && !ranges);
}

/* Reads the checkpoint into an empty state and writes it at once, so that a bad name shows early. */
static perm_status permi_mpi_resume(const perm_job *job, perm_state *state, const perm_options *options,
                                    perm_result *result)
{
  perm_state *kept = NULL;
  perm_status status = PERM_OK;
  struct stat information;
  int i, empty = 1;
  if (!options->checkpoint.file)
    return PERM_OK;
  if (stat(options->checkpoint.file, &information) == 0 || errno != ENOENT) /* fopen would wait at a FIFO */
    status = perm_checkpoint_read(job, options->checkpoint.file, options, &kept, result);
  for (i = 0; i < perm_job_leaves(job); i++) {
    perm_leaf leaf;
    uint64_t begin, end;
    perm_job_leaf(job, i, &leaf);
    perm_state_left(job, state, i, 0, &begin, &end);
    empty &= begin == 0 && end == leaf.chunks;
  }
  if (status == PERM_OK && kept && empty)
    status = perm_state_merge(job, state, kept, result);
  perm_state_free(kept);
  return status == PERM_OK ? perm_checkpoint_write(job, state, options->checkpoint.file, options, result) : status;
}

/* All ranks call this. */
static perm_status permi_mpi_run(permi_mpi_session *session, const perm_job *job, perm_state *state,
                                 const perm_options *options, perm_result *result)
{
  permi_mpi_leader leader;
  MPI_Request request;
  uint64_t fingerprint = perm_job_fingerprint(job);
  int alone = 0, led = 0, threads;
  if (session->over)
    return permi_mpi_fail(result, session->status, session->message);
#if defined(PERM_MPI_TESTS)
  fingerprint ^= (uint64_t)(permi_mpi_fault.matrix && permi_mpi_fault.rank == session->rank);
#endif
  if (permi_mpi_meet(session, PERMI_MPI_ENTERED, fingerprint, PERM_OK, ""))
    return permi_mpi_fail(result, session->status, session->message);
  memset(result, 0, sizeof *result);
  if (session->rank == 0) {
    alone = options->checkpoint.merge || permi_mpi_alone(session, job);
    if (options->checkpoint.parts)
      permi_mpi_fail(result, PERM_ERROR_OPTION, "parts go without MPI: all ranks together do the whole job");
    else if (!alone && !(led = permi_mpi_leader_create(&leader, session, job)))
      permi_mpi_fail_memory(result);
    else if (!alone)
      permi_mpi_resume(job, state, options, result);
  }
  if (permi_mpi_agree(session, result->status, result->message)) {
    if (led)
      permi_mpi_leader_free(&leader);
    session->over = 0; /* this job alone has failed */
    if (session->rank == 0)
      snprintf(session->message, sizeof session->message, "%s", result->message);
    permi_mpi_broadcast(session, session->message, sizeof session->message, 0); /* what rank 0 says */
    return permi_mpi_fail(result, session->status, session->message);
  }
  permi_mpi_broadcast(session, &alone, sizeof alone, 0);
  if (alone) {
    if (session->rank == 0)
      perm_job_execute(job, state, options, result);
  } else {
#if defined(PERM_MPI_TESTS)
    permi_mpi_fault_shared++;
#endif
    threads = permi_mpi_threads(session);
    MPI_Igather(&threads, 1, MPI_INT, led ? leader.threads : NULL, 1, MPI_INT, 0, session->comm, &request);
    permi_mpi_wait(&request);
    if (session->rank == 0)
      permi_mpi_lead(&leader, job, state, options, result);
    else
      permi_mpi_work(session, job, options);
  }
  if (led)
    permi_mpi_leader_free(&leader);
  permi_mpi_broadcast(session, result, sizeof *result, 0);
  return result->status;
}
/* SPDX-License-Identifier: MIT */
