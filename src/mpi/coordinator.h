/* ==================================================================================== >>coordinator
   Which rank computes which chunks. Times are arguments, so that a test simulates a thousand ranks.
   Invariants: 1. a chunk is finished (in the state), handed out (in one rank's `sent`) or neither; before a leaf's
   `next` all are finished or handed out; 2. a report counts only for its rank's first range, so no chunk enters twice;
   3. after a stop or failure nothing is handed out, and `outstanding` falls to 0.
   Guided self-scheduling: a range is a third of its rank's share of the rest at measured speeds, at most
   PERM_MPI_RANGE_SECONDS, shorter on rank 0. One range waits ahead. */
#pragma once

#define PERMI_MPI_AHEAD 2

typedef struct permi_mpi_range {
  int leaf;
  uint64_t begin, end;
} permi_mpi_range;

typedef struct permi_mpi_rank {
  double speed;       /* predicted seconds of one thread that are done in a second */
  int measured, gpus; /* measured: 1 once speed is; gpus: the most in one range */
  int ranges;
  permi_mpi_range sent[PERMI_MPI_AHEAD];
} permi_mpi_rank;

typedef struct permi_mpi_leaf {
  int index, task;
  double per_chunk; /* predicted seconds */
  double work;      /* of one chunk */
  uint64_t next;    /* first chunk not handed out */
} permi_mpi_leaf;

typedef struct permi_mpi_coordinator {
  const perm_job *job;
  perm_state *state; /* not owned */
  perm_allocator allocator;
  int ranks, leaves, current;
  permi_mpi_leaf *leaf;               /* tasks first, the longest first */
  permi_mpi_rank *rank;               /* behind them */
  double total, before, done, unsent; /* predicted seconds: of the job, finished before, since, not handed out */
  double speed;                       /* of all ranks */
  double elements;                    /* terms since the begin */
  int outstanding;
  perm_status status;
  char message[PERM_MESSAGE_BYTES];
} permi_mpi_coordinator;

static void *permi_mpi_allocate(const perm_allocator *allocator, size_t bytes)
{
  return allocator->allocate ? allocator->allocate(bytes ? bytes : 1, allocator->user_data) : malloc(bytes ? bytes : 1);
}

static void permi_mpi_release(const perm_allocator *allocator, void *pointer)
{
  if (pointer && allocator->release)
    allocator->release(pointer, allocator->user_data);
  else if (!allocator->allocate)
    free(pointer);
}

static void permi_mpi_coordinator_free(permi_mpi_coordinator *c)
{
  permi_mpi_release(&c->allocator, c->leaf);
}

/* Returns 0 without memory. */
static int permi_mpi_coordinator_create(permi_mpi_coordinator *c, const perm_job *job, int ranks,
                                        const perm_allocator *allocator)
{
  memset(c, 0, sizeof *c);
  c->job = job;
  c->allocator = *allocator;
  c->ranks = ranks;
  c->leaves = perm_job_leaves(job);
  c->leaf = (permi_mpi_leaf *)permi_mpi_allocate(allocator, (size_t)c->leaves * sizeof *c->leaf +
                                                               (size_t)ranks * sizeof *c->rank);
  c->rank = c->leaf ? (permi_mpi_rank *)(void *)(c->leaf + c->leaves) : NULL;
  return c->rank != NULL;
}

/* Returns a leaf's predicted seconds, above 0 even where its engine predicts 0. */
static double permi_mpi_leaf_seconds(const perm_leaf *leaf)
{
  return leaf->seconds > 1e-9 ? leaf->seconds : 1e-9;
}

/* Begins with `threads` as a first guess of speeds; NULL: 1 each. */
static void permi_mpi_coordinator_begin(permi_mpi_coordinator *c, perm_state *state, const int *threads)
{
  c->state = state;
  for (int i = 0; i < c->ranks; i++) {
    memset(&c->rank[i], 0, sizeof c->rank[i]);
    c->rank[i].speed = threads && threads[i] > 0 ? threads[i] : 1;
    c->speed += c->rank[i].speed;
  }
  for (int k = 0, tasks = 1; tasks >= 0; tasks--)
    for (int i = 0; i < c->leaves; i++) {
      perm_leaf leaf;
      uint64_t begin = 0, end = 0;
      int at = k;
      perm_job_leaf(c->job, i, &leaf);
      if ((leaf.kind == PERM_LEAF_TASK) != tasks)
        continue;
      const permi_mpi_leaf fresh = {i, tasks, permi_mpi_leaf_seconds(&leaf) / (double)leaf.chunks,
                                    leaf.work / (double)leaf.chunks, 0};
      c->total += permi_mpi_leaf_seconds(&leaf);
      for (;; begin = end) {
        perm_state_left(c->job, state, i, end, &begin, &end);
        if (begin >= end)
          break;
        c->unsent += (double)(end - begin) * fresh.per_chunk;
      }
      for (; tasks && at > 0 && c->leaf[at - 1].per_chunk < fresh.per_chunk; at--)
        c->leaf[at] = c->leaf[at - 1];
      c->leaf[at] = fresh;
      k++;
    }
  c->before = c->total - c->unsent;
}

static void permi_mpi_stop(permi_mpi_coordinator *c, perm_status status, const char *message)
{
  if (c->status < 0 || (c->status != PERM_OK && status > 0)) /* the first failure comes before other stops */
    return;
  c->status = status;
  snprintf(c->message, sizeof c->message, "%s", message);
}

/* Gives a rank a range of at least `least` seconds. Returns 0 if it needs none, or none is left. */
static int permi_mpi_next(permi_mpi_coordinator *c, int rank, double least, permi_mpi_range *range)
{
  permi_mpi_rank *r = &c->rank[rank];
  if (c->status != PERM_OK || r->ranges == PERMI_MPI_AHEAD || (rank == 0 && r->ranges))
    return 0;
  for (; c->current < c->leaves; c->current++) {
    permi_mpi_leaf *leaf = &c->leaf[c->current];
    const double left = c->unsent / c->speed;
    double target = left / 3, chunks;
    uint64_t begin = 0, end = 0;
    perm_state_left(c->job, c->state, leaf->index, leaf->next, &begin, &end);
    if (begin >= end)
      continue;
    if (leaf->task && r->ranges) /* nothing waits behind a long task */
      return 0;
    if (rank == 0 && target < 0.6) /* rank 0 serves the others between ranges */
      target = left / 10;
    target = target < PERM_MPI_RANGE_SECONDS ? target : PERM_MPI_RANGE_SECONDS;
    if (!r->measured && target > 0.25)
      target = 0.25;
    target = target > least ? target : least;
    chunks = target * r->speed / leaf->per_chunk;
    if (chunks < (double)(end - begin))
      end = begin + (chunks < 1 ? 1 : (uint64_t)chunks);
    range->leaf = leaf->index;
    range->begin = begin;
    range->end = leaf->next = end;
    c->unsent -= (double)(end - begin) * leaf->per_chunk;
    c->unsent = c->unsent > 0 ? c->unsent : 0;
    r->sent[r->ranges++] = *range;
    c->outstanding++;
    return 1;
  }
  return 0;
}

/* Takes a report, whose first chunks are in *partial. */
static void permi_mpi_take(permi_mpi_coordinator *c, int rank, const permi_mpi_range *range,
                           const perm_partial *partial, double seconds, int gpus)
{
  permi_mpi_rank *r = &c->rank[rank];
  perm_result result;
  if (!r->ranges || r->sent[0].leaf != range->leaf || r->sent[0].begin != range->begin ||
      r->sent[0].end != range->end || partial->chunks > range->end - range->begin) {
    char message[PERM_MESSAGE_BYTES];
    snprintf(message, sizeof message, "rank %d reports chunks that it was not given", rank);
    permi_mpi_stop(c, PERM_ERROR_STATE, message);
    return;
  }
  for (int i = 1; i < r->ranges; i++)
    r->sent[i - 1] = r->sent[i];
  r->ranges--;
  r->gpus = gpus > r->gpus ? gpus : r->gpus;
  c->outstanding--;
  if (!partial->chunks)
    return;
  if (perm_state_add(c->job, c->state, range->leaf, range->begin, range->begin + partial->chunks, partial, &result) !=
      PERM_OK) {
    permi_mpi_stop(c, result.status, result.message);
    return;
  }
  for (int i = 0; i < c->leaves; i++)
    if (c->leaf[i].index == range->leaf) {
      const double work = (double)partial->chunks * c->leaf[i].per_chunk;
      c->done += work;
      c->elements += (double)partial->chunks * c->leaf[i].work;
      if (seconds > 1e-6) { /* weighs long ranges most */
        const double weight = r->measured ? (seconds < 0.05 ? 10 * seconds : 0.5) : 1;
        const double speed = r->speed + weight * (work / seconds - r->speed);
        c->speed += speed - r->speed;
        r->speed = speed;
        r->measured = 1;
      }
      return;
    }
}

/* Returns the least seconds of a range: shorter ones, at 20 us each, would take a tenth of rank 0's time at the end. */
static double permi_mpi_least(int ranks)
{
  const double least = 2e-4 * ranks;
  return least > 2e-3 ? least : 2e-3;
}
/* SPDX-License-Identifier: MIT */
