/* perm_mpi.c: clusters for perm.h. The calls of perm.h with a communicator before them; rank 0's arguments count.

       mpicc -O2 -c perm_mpi.c                                   // beside perm.h; compiled on its own, it is the code
       mpicc program.c perm_mpi.o -lm                            // program.c: #include "perm_mpi.c" declares the calls

   or all in one file: #define PERM_MPI_IMPLEMENTATION before the #include (and PERM_IMPLEMENTATION for the headers).
   The command: mpicc -O2 -fopenmp -DPERM_MPI_MAIN perm_mpi.c -o perm_mpi -lm (`make mpi`). Needs MPI 3.

   CONTENTS (search for the tag)
     >>config       macros that a project may define before
     >>api          every public function
     >>coordinator  who computes which chunks: no MPI in it
     >>session      a communicator of our own, waiting, agreement of all ranks
     >>run          one job: rank 0 and the others
     >>calls        matrices and options from rank 0 to all, results back
     >>main         the command

   EXAMPLE
       MPI_Init(&argc, &argv);
       MPI_Comm_rank(MPI_COMM_WORLD, &rank);
       if (rank == 0) fill(a);                                    // a: n * n doubles; not looked at elsewhere
       perm_mpi_real(MPI_COMM_WORLD, n, n, a, n, &options, &result);
       if (rank == 0) printf("%.17g\n", result.value);            // every rank has the result

   HOW  Every rank makes the same plan, for the best kernel family that all of them have. Rank 0 hands out ranges of
   chunks, seconds each by every rank's measured speed and less towards the end, one ahead of what a rank is at; it adds
   up what comes back, writes the checkpoint, and computes too. Tasks go to one rank each; a job of only one task, or
   of less than PERM_MPI_SECONDS, runs on rank 0.

   GUARANTEES
     - The bits are those of the same call without MPI on a machine of that kernel family, for any number of ranks,
       threads, GPUs, kills and restarts (options.checkpoint).
     - Every rank returns the same status, message and result.
     - A rank that fails (memory, GPU, another matrix, another version) ends the job on all of them: status and message
       name it. The checkpoint then holds all that was finished.
     - A rank that is killed takes the job with it: mpirun sees to that, and so does an MPI call that fails
       (MPI_ERRORS_ARE_FATAL). Start again with any number of ranks and the same checkpoint: lost are at most the seconds
       since it was last written.

   THREADS AND GPUS  A rank uses options.threads threads; 0: its share of what OpenMP offers on its node. MPI is called by
   the calling thread only (MPI_THREAD_FUNNELED). options.gpus: of the GPUs that a rank sees; set CUDA_VISIBLE_DEVICES
   for each (the command does, by local rank). A job is on GPUs or not: every rank needs one then.

   DOES NOT  divide one task among ranks, survive a lost rank without a restart, mix byte orders. */
#if !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#endif

/* ======================================================================================== >>config
   PERM_MPI_IMPLEMENTATION  the code too (a compiler that knows __INCLUDE_LEVEL__ sees by itself that this file is not
                            included)
   PERM_MPI_MAIN            and the command
   PERM_MPI_SECONDS         jobs predicted to take less on one thread run on rank 0 (default 0.1)
   PERM_MPI_RANGE_SECONDS   how long a range lasts (default 4)                                                  */
#if defined(PERM_MPI_MAIN) && !defined(PERM_IMPLEMENTATION)
#define PERM_IMPLEMENTATION
#endif
#if defined(PERM_MPI_MAIN) && !defined(PERM_MPI_IMPLEMENTATION)
#define PERM_MPI_IMPLEMENTATION
#endif
#if defined(__INCLUDE_LEVEL__) && !defined(PERM_MPI_IMPLEMENTATION)
#if __INCLUDE_LEVEL__ == 0
#define PERM_MPI_IMPLEMENTATION
#endif
#endif
#ifndef PERM_MPI_SECONDS
#define PERM_MPI_SECONDS 0.1
#endif
#ifndef PERM_MPI_RANGE_SECONDS
#define PERM_MPI_RANGE_SECONDS 4.0
#endif

#ifndef PERM_MPI_C_INCLUDED
#define PERM_MPI_C_INCLUDED

#include "perm_sparse.h"
#if !defined(PERM_MPI_SIMULATE) /* tests/mpi/simulate.c wants the coordinator only */
/* MPI's C++ interface is not used, and not free of warnings */
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

/* =========================================================================================== >>api
   All are collective over the ranks of `comm`. Rank 0's arguments count: on the others matrices, sizes and options are
   ignored but options->allocator and options->cancel (each may be NULL), and options may be NULL. result is required
   everywhere. progress is called on rank 0; its checkpoint is read and written there; cancel counts wherever it is set.
   parts and checkpoints as in perm.h. Arguments, errors and everything else as for the perm_compute_ function of the
   same name. Between calls nothing is left behind. Not thread-safe beyond MPI's own rules. */
#if defined(__cplusplus)
extern "C" {
#endif
perm_status perm_mpi_real(MPI_Comm comm, int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                          perm_result *result);
perm_status perm_mpi_complex(MPI_Comm comm, int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                             perm_result *result);
perm_status perm_mpi_integer(MPI_Comm comm, int m, int n, const int64_t *a, ptrdiff_t ld, const perm_options *options,
                             perm_result *result);
perm_status perm_mpi_gaussian(MPI_Comm comm, int m, int n, const int64_t *a, ptrdiff_t ld, const perm_options *options,
                              perm_result *result);
perm_status perm_mpi_sparse(MPI_Comm comm, const perm_matrix *matrix, const perm_options *options, perm_result *result);

/* With multiplicities, as perm_compute_repeated_*. */
perm_status perm_mpi_repeated_real(MPI_Comm comm, int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                   const int *column_counts, const perm_options *options, perm_result *result);
perm_status perm_mpi_repeated_complex(MPI_Comm comm, int m, int n, const double *a, ptrdiff_t ld,
                                      const int *row_counts, const int *column_counts, const perm_options *options,
                                      perm_result *result);
perm_status perm_mpi_repeated_integer(MPI_Comm comm, int m, int n, const int64_t *a, ptrdiff_t ld,
                                      const int *row_counts, const int *column_counts, const perm_options *options,
                                      perm_result *result);
perm_status perm_mpi_repeated_gaussian(MPI_Comm comm, int m, int n, const int64_t *a, ptrdiff_t ld,
                                       const int *row_counts, const int *column_counts, const perm_options *options,
                                       perm_result *result);

/* For programs that run on rank 0 only: the others call perm_mpi_serve, which takes part in every call above until
   rank 0 calls perm_mpi_dismiss. Of the options allocator and cancel count. */
perm_status perm_mpi_serve(MPI_Comm comm, const perm_options *options);
perm_status perm_mpi_dismiss(MPI_Comm comm);

/* perm_job_execute on all ranks: every one has made the same job (PERM_ERROR_STATE names one that has not). state:
   rank 0's counts, and gets all that is finished; may be NULL elsewhere. */
perm_status perm_mpi_execute(MPI_Comm comm, const perm_job *job, perm_state *state, const perm_options *options,
                             perm_result *result);
#if defined(__cplusplus)
}
#endif
#endif /* PERM_MPI_SIMULATE */
#endif /* end of declarations */

#if (defined(PERM_MPI_IMPLEMENTATION) || defined(PERM_MPI_SIMULATE)) && !defined(PERM_MPI_IMPLEMENTED)
#define PERM_MPI_IMPLEMENTED

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(_OPENMP)
#include <omp.h>
#endif

/* ==================================================================================== >>coordinator
   Which rank computes which chunks. Time comes in as numbers, so that a test can simulate a thousand ranks.

   Invariants: 1. a chunk is finished (in the state), handed out (in one rank's `sent`) or neither; those before a
   leaf's `next` are finished or handed out; 2. a report is taken only for the range that its rank was sent first, so
   no chunk goes in twice; 3. after a stop or failure nothing is handed out, and `outstanding` falls to 0.

   Guided self-scheduling by predicted seconds: a range is a third of what its rank could do of the work that is left,
   if all went on at the measured speeds, but no longer than PERM_MPI_RANGE_SECONDS. A rank has one range ahead, so that
   rank 0 may answer late; rank 0 itself takes ranges that are short enough to answer in time. */
#define PERMI_MPI_AHEAD 2 /* ranges that a rank has: one it computes, one it has ready */

typedef struct permi_mpi_range {
  int leaf;
  uint64_t begin, end;
} permi_mpi_range;

typedef struct permi_mpi_rank {
  double speed;         /* predicted seconds of one thread done in a second */
  int measured, ranges; /* ranges: in sent */
  permi_mpi_range sent[PERMI_MPI_AHEAD];
} permi_mpi_rank;

typedef struct permi_mpi_leaf {
  int index, task;
  double per_chunk; /* predicted seconds */
  double work;      /* of one chunk */
  uint64_t next;    /* first chunk that may not have been handed out */
} permi_mpi_leaf;

typedef struct permi_mpi_coordinator {
  const perm_job *job;
  perm_state *state; /* not owned */
  perm_allocator allocator;
  int ranks, leaves, current; /* current: leaves before it, in order of handing out, have nothing left */
  permi_mpi_rank *rank;
  permi_mpi_leaf *leaf;              /* tasks first, the longest first */
  double total, before, done, unsent; /* predicted seconds: of the job, finished when it began, since, not handed out */
  double speed;                       /* of all ranks */
  double elements;                    /* terms summed since it began */
  int outstanding;                    /* ranges handed out and not reported */
  perm_status status;                 /* not PERM_OK: nothing more is handed out */
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
  permi_mpi_release(&c->allocator, c->rank);
  permi_mpi_release(&c->allocator, c->leaf);
  c->rank = NULL;
  c->leaf = NULL;
}

/* Room only; 0: out of memory. */
static int permi_mpi_coordinator_create(permi_mpi_coordinator *c, const perm_job *job, int ranks,
                                        const perm_allocator *allocator)
{
  memset(c, 0, sizeof *c);
  c->job = job;
  c->allocator = *allocator;
  c->ranks = ranks;
  c->leaves = perm_job_leaves(job);
  c->rank = (permi_mpi_rank *)permi_mpi_allocate(allocator, (size_t)ranks * sizeof *c->rank);
  c->leaf = (permi_mpi_leaf *)permi_mpi_allocate(allocator, (size_t)c->leaves * sizeof *c->leaf);
  if (!c->rank || !c->leaf) {
    permi_mpi_coordinator_free(c);
    return 0;
  }
  return 1;
}

/* How long a leaf is predicted to take; engines may say 0. */
static double permi_mpi_leaf_seconds(const perm_leaf *leaf)
{
  return leaf->seconds > 1e-9 ? leaf->seconds : 1e-9;
}

/* Begins with what the state has. threads: of each rank, a first guess of its speed; NULL: one each. */
static void permi_mpi_coordinator_begin(permi_mpi_coordinator *c, perm_state *state, const int *threads)
{
  int i, k, tasks;
  c->state = state;
  for (i = 0; i < c->ranks; i++) {
    memset(&c->rank[i], 0, sizeof c->rank[i]);
    c->rank[i].speed = threads && threads[i] > 0 ? threads[i] : 1;
    c->speed += c->rank[i].speed;
  }
  for (i = k = 0, tasks = 1; tasks >= 0; tasks--)
    for (i = 0; i < c->leaves; i++) {
      perm_leaf leaf;
      permi_mpi_leaf fresh;
      uint64_t begin = 0, end = 0;
      int at = k;
      perm_job_leaf(c->job, i, &leaf);
      if ((leaf.kind == PERM_LEAF_TASK) != tasks)
        continue;
      fresh.index = i;
      fresh.task = tasks;
      fresh.next = 0;
      fresh.per_chunk = permi_mpi_leaf_seconds(&leaf) / (double)leaf.chunks;
      fresh.work = leaf.work / (double)leaf.chunks;
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
  if (c->status < 0 || (c->status != PERM_OK && status > 0)) /* the first failure counts, before any other stop */
    return;
  c->status = status;
  snprintf(c->message, sizeof c->message, "%s", message);
}

/* The next range for a rank; 0: it has enough, or there is none. least: seconds that a range should last. */
static int permi_mpi_next(permi_mpi_coordinator *c, int rank, double least, permi_mpi_range *range)
{
  permi_mpi_rank *r = &c->rank[rank];
  if (c->status != PERM_OK || r->ranges == PERMI_MPI_AHEAD || (rank == 0 && r->ranges))
    return 0;
  for (; c->current < c->leaves; c->current++) {
    permi_mpi_leaf *leaf = &c->leaf[c->current];
    const double left = c->unsent / c->speed; /* seconds */
    double target = left / 3, chunks;
    uint64_t begin = 0, end = 0;
    perm_state_left(c->job, c->state, leaf->index, leaf->next, &begin, &end);
    if (begin >= end)
      continue;
    if (leaf->task && r->ranges) /* a task may take long: no rank has one waiting behind another range */
      return 0;
    if (rank == 0 && target < 0.6) /* rank 0 looks after the others between its ranges, and in long ones */
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

/* A rank's report on the range that it was sent first: the chunks in *partial are its first ones; seconds it took. */
static void permi_mpi_take(permi_mpi_coordinator *c, int rank, const permi_mpi_range *range,
                           const perm_partial *partial, double seconds)
{
  permi_mpi_rank *r = &c->rank[rank];
  perm_result result;
  int i;
  if (!r->ranges || r->sent[0].leaf != range->leaf || r->sent[0].begin != range->begin ||
      r->sent[0].end != range->end || partial->chunks > range->end - range->begin) {
    char message[PERM_MESSAGE_BYTES];
    snprintf(message, sizeof message, "rank %d reports chunks that it was not given", rank);
    permi_mpi_stop(c, PERM_ERROR_STATE, message);
    return;
  }
  for (i = 1; i < r->ranges; i++)
    r->sent[i - 1] = r->sent[i];
  r->ranges--;
  c->outstanding--;
  if (!partial->chunks)
    return;
  if (perm_state_add(c->job, c->state, range->leaf, range->begin, range->begin + partial->chunks, partial, &result) !=
      PERM_OK) {
    permi_mpi_stop(c, result.status, result.message);
    return;
  }
  for (i = 0; i < c->leaves; i++)
    if (c->leaf[i].index == range->leaf) {
      const double work = (double)partial->chunks * c->leaf[i].per_chunk;
      c->done += work;
      c->elements += (double)partial->chunks * c->leaf[i].work;
      if (seconds > 1e-6) { /* what lasted long counts most */
        const double weight = r->measured ? (seconds < 0.05 ? 10 * seconds : 0.5) : 1;
        const double speed = r->speed + weight * (work / seconds - r->speed);
        c->speed += speed - r->speed;
        r->speed = speed;
        r->measured = 1;
      }
      return;
    }
}

/* Shorter ranges would cost rank 0 a hundredth of its time, at 20 microseconds each, or lose theirs to the way. */
static double permi_mpi_least(int ranks)
{
  const double least = 2e-5 * 100 * ranks / 10;
  return least > 2e-3 ? least : 2e-3;
}
#endif /* coordinator */

#if defined(PERM_MPI_IMPLEMENTATION) && !defined(PERM_MPI_SIMULATE) && !defined(PERM_MPI_CALLS_IMPLEMENTED)
#define PERM_MPI_CALLS_IMPLEMENTED
