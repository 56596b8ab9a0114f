/* Joined by `make headers` from the files of src/: change those. */
/* perm_mpi.c: clusters for perm.h. The calls of perm.h with a communicator before them; rank 0's arguments count.

       mpicc -O2 -c perm_mpi.c                                   // beside perm.h; compiled on its own, it is the code
       mpicc program.c perm_mpi.o -lm                            // program.c: #include "perm_mpi.c" declares the calls,
                                                                 // perm_more.h with PERM_IMPLEMENTATION defines perm

   or all in one file: #define PERM_MPI_IMPLEMENTATION before the #include (and PERM_IMPLEMENTATION for the headers).
   The command is `make mpi`, or

       mpicc -O2 -fopenmp -DPERM_MPI_MAIN -DPERM_IMPLEMENTATION -I. perm_mpi.c -o perm_mpi -lm

   Needs MPI 3.

   CONTENTS (each tag is a file of src/mpi)
     >>config       what a project may define
     >>api          every public function
     >>coordinator  which rank computes which chunks: self-scheduling
     >>session      communicator, waiting, agreement of all ranks
     >>mpi_run      one job: ranges, reports, checkpoint, stops
     >>mpi_calls    the public functions
     >>main         the command

   EXAMPLE
       MPI_Init(&argc, &argv);
       MPI_Comm_rank(MPI_COMM_WORLD, &rank);
       if (rank == 0) fill(a);                                    // a: n * n doubles; not looked at elsewhere
       perm_mpi_real(MPI_COMM_WORLD, n, n, a, n, &options, &result);
       if (rank == 0) printf("%.17g\n", result.value);            // every rank has the result

   HOW  Every rank makes the same plan, for the best kernel family that all have. Rank 0 hands out ranges of chunks,
   adds up the results, writes the checkpoint, and computes too (>>coordinator). A job of one task, or of less than
   PERM_MPI_SECONDS, runs on rank 0.

   GUARANTEES
     - The bits are those of the same call without MPI on a machine of that kernel family, for any number of ranks,
       threads, GPUs, kills and restarts (options.checkpoint).
     - Every rank returns the same status, message and result.
     - A rank that fails (memory, GPU, another matrix, another version) ends the job on all ranks; status and message
       name it. The checkpoint then holds all that was finished.
     - A rank that is killed takes the job with it, by mpirun or MPI_ERRORS_ARE_FATAL. Start again with any number of
       ranks and the same checkpoint: at most the seconds since it was last written are lost.

   THREADS AND GPUS  A rank uses options.threads threads; 0: its share of its node. Only the calling thread calls MPI
   (MPI_THREAD_FUNNELED). options.gpu counts GPUs that a rank sees; set CUDA_VISIBLE_DEVICES for each, as the command
   does. If a job is on GPUs, every rank needs one.

   DOES NOT  divide one task among ranks, survive a lost rank without a restart, mix byte orders. */
#if !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#endif

/* ======================================================================================== >>config
   PERM_MPI_IMPLEMENTATION  the code too (implied where __INCLUDE_LEVEL__ tells that this file is not included)
   PERM_MPI_MAIN            and the command; with PERM_IMPLEMENTATION, or linked with an object that has it
   PERM_MPI_SECONDS         jobs predicted to take less on one thread run on rank 0 (default 0.1)
   PERM_MPI_RANGE_SECONDS   how long a range lasts (default 4)                                                  */
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

#include "perm_more.h"
#if !defined(PERM_MPI_SIMULATE) /* for tests/mpi/simulate.c */
/* MPI's C++ interface is unused and has warnings */
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

/* ============================================================================================ >>api
   Each call is collective over `comm` and as the perm_compute_ function of its name. Rank 0's arguments count; other
   ranks pass options (or NULL) for allocator and cancel. result is required everywhere. Rank 0 calls progress and has
   the checkpoint; cancel counts on any rank. Nothing remains between calls. Thread-safe as far as MPI is. */

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

#if !defined(PERM_NO_EXTRAS)
/* perm_prove_sparse; rank 0 writes the file. */
perm_status perm_mpi_prove_sparse(MPI_Comm comm, const perm_matrix *matrix, const char *path,
                                  const perm_options *options, perm_result *result);
#endif

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

/* For programs that run on rank 0 only: perm_mpi_serve takes part in every call above until rank 0 calls
   perm_mpi_dismiss. Of the options allocator and cancel count. */
perm_status perm_mpi_serve(MPI_Comm comm, const perm_options *options);
perm_status perm_mpi_dismiss(MPI_Comm comm);

/* perm_job_execute on all ranks, which have made the same job (else PERM_ERROR_STATE). Rank 0's state counts and
   receives what is finished; elsewhere it may be NULL. */
perm_status perm_mpi_execute(MPI_Comm comm, const perm_job *job, perm_state *state, const perm_options *options,
                             perm_result *result);
#if defined(__cplusplus)
}
#endif

#endif /* PERM_MPI_SIMULATE */
#endif /* end of declarations */

#if (defined(PERM_MPI_IMPLEMENTATION) || defined(PERM_MPI_SIMULATE)) && !defined(PERM_MPI_IMPLEMENTED)
#define PERM_MPI_IMPLEMENTED

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#if defined(_OPENMP)
#include <omp.h>
#endif

/* ==================================================================================== >>coordinator
   Which rank computes which chunks. Times are arguments, so that a test simulates a thousand ranks.
   Invariants: 1. a chunk is finished (in the state), handed out (in one rank's `sent`) or neither; before a leaf's
   `next` all are finished or handed out; 2. a report counts only for its rank's first range, so no chunk enters twice;
   3. after a stop or failure nothing is handed out, and `outstanding` falls to 0.
   Guided self-scheduling: a range is a third of its rank's share of the rest at measured speeds, at most
   PERM_MPI_RANGE_SECONDS, shorter on rank 0. One range waits ahead. */

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

#endif

#if defined(PERM_MPI_IMPLEMENTATION) && !defined(PERM_MPI_SIMULATE) && !defined(PERM_MPI_CALLS_IMPLEMENTED)
#define PERM_MPI_CALLS_IMPLEMENTED

/* ======================================================================================== >>session
   A communicator of our own, waiting that yields the processor, and agreement: all ranks go on, or all end with the
   same status. */

#define PERMI_MPI_PROTOCOL 4
enum { PERMI_MPI_TO_ZERO = 1, PERMI_MPI_TO_RANK = 2 };             /* tags */
enum { PERMI_MPI_RUN = 1, PERMI_MPI_STOP = 2, PERMI_MPI_END = 3 }; /* orders */
enum { PERMI_MPI_ENTERED = 1, PERMI_MPI_RETURNED = 2 };            /* permi_mpi_meet */
enum { PERMI_MPI_NONE = -1, PERMI_MPI_BYE = -2 };
#define PERMI_MPI_CAUSE 1000
#define PERMI_MPI_SLOTS (PERMI_MPI_AHEAD + 2)

typedef struct permi_mpi_order {
  int kind;
  permi_mpi_range range;
} permi_mpi_order;

typedef struct permi_mpi_report {
  permi_mpi_range range; /* leaf PERMI_MPI_NONE: only a status; PERMI_MPI_BYE: the last report */
  uint64_t chunks;
  double seconds;
  int status, gpus;
  char message[PERM_MESSAGE_BYTES];
  unsigned char partial[PERM_PARTIAL_BYTES]; /* encoded, unless chunks is 0 */
} permi_mpi_report;

typedef struct permi_mpi_session {
  MPI_Comm comm;
  int rank, ranks, nodes, local, locals; /* local: on its node */
  int over;                              /* 1: ranks diverged, and this call ends */
  perm_status status;                    /* why it ends */
  char message[PERM_MESSAGE_BYTES], node[MPI_MAX_PROCESSOR_NAME];
  const perm_options *options; /* the caller's */
  perm_options defaults;
} permi_mpi_session;

#if defined(PERM_MPI_TESTS)
/* For tests: faults on demand, on one rank. */
static struct {
  int rank, version, matrix, memory_at, device_at; /* memory_at, device_at: range, from 1 */
  double delay;                                    /* seconds more a range */
  double least;                                    /* not 0: shares out longer jobs */
  double checkpoint;                               /* not 0: checkpoint.seconds */
  int isa, ranges;                                 /* isa: the rank's best */
} permi_mpi_fault;
static int permi_mpi_fault_shared, permi_mpi_fault_ranges; /* jobs shared out, ranges computed here */
#endif

/* Waits between looks at MPI, longer each time. */
static void permi_mpi_pause(int *looks)
{
#if defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE >= 199309L
  if (++*looks > 50) {
    struct timespec nap;
    nap.tv_sec = 0;
    nap.tv_nsec = *looks > 1000 ? 1000000L : *looks > 200 ? 200000L : 20000L;
    nanosleep(&nap, NULL);
  }
#else
  ++*looks;
#endif
}

static void permi_mpi_wait(MPI_Request *request)
{
  int done = 0, looks = 0;
  for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(request, &done, MPI_STATUS_IGNORE))
    permi_mpi_pause(&looks);
}

static void permi_mpi_broadcast(const permi_mpi_session *session, void *bytes, size_t size, int root)
{
  const size_t most = (size_t)1 << 30; /* MPI counts in int */
  while (size) {
    const size_t now = size < most ? size : most;
    MPI_Request request;
    MPI_Ibcast(bytes, (int)now, MPI_BYTE, root, session->comm, &request);
    permi_mpi_wait(&request);
    bytes = (char *)bytes + now;
    size -= now;
  }
}

static perm_status permi_mpi_fail(perm_result *result, perm_status status, const char *message)
{
  memset(result, 0, sizeof *result);
  result->value = result->imaginary = (double)NAN;
  result->error_bound = result->error_estimate = (double)INFINITY;
  result->status = status;
  snprintf(result->message, sizeof result->message, "%s", message);
  return status;
}

static perm_status permi_mpi_fail_memory(perm_result *result)
{
  return permi_mpi_fail(result, PERM_ERROR_MEMORY, "out of memory");
}

/* Returns the smallest value of all ranks; *rank: the first that has it. */
static int permi_mpi_least_of(const permi_mpi_session *session, int value, int *rank)
{
  struct {
    int value, rank;
  } mine = {value, session->rank}, least;
  MPI_Request request;
  MPI_Iallreduce(&mine, &least, 1, MPI_2INT, MPI_MINLOC, session->comm, &request);
  permi_mpi_wait(&request);
  *rank = least.rank;
  return least.value;
}

/* Returns the worst verdict, 0 or negative; session->message: whose and why. */
static int permi_mpi_agree(permi_mpi_session *session, int verdict, const char *message)
{
  int rank, worst = permi_mpi_least_of(session, verdict, &rank);
  if (worst == 0)
    return 0;
  if (session->rank == rank)
    snprintf(session->message, sizeof session->message, "rank %d (%.60s): %.170s", rank, session->node, message);
  permi_mpi_broadcast(session, session->message, sizeof session->message, rank);
  session->over = 1;
  session->status = (perm_status)(worst < -PERMI_MPI_CAUSE ? worst + PERMI_MPI_CAUSE : worst);
  return worst;
}

/* Opens the session, on all ranks. Ranks that can share memory are on one node. */
static void permi_mpi_session_open(permi_mpi_session *session, MPI_Comm comm, const perm_options *options)
{
  MPI_Comm node;
  MPI_Request request;
  int first, length;
  memset(session, 0, sizeof *session);
  MPI_Comm_idup(comm, &session->comm, &request);
  permi_mpi_wait(&request);
  MPI_Comm_set_errhandler(session->comm, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_rank(session->comm, &session->rank);
  MPI_Comm_size(session->comm, &session->ranks);
  MPI_Comm_split_type(session->comm, MPI_COMM_TYPE_SHARED, session->rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &session->local);
  MPI_Comm_size(node, &session->locals);
  MPI_Comm_free(&node);
  first = session->local == 0;
  MPI_Iallreduce(&first, &session->nodes, 1, MPI_INT, MPI_SUM, session->comm, &request);
  permi_mpi_wait(&request);
  MPI_Get_processor_name(session->node, &length);
  session->options = options ? options : &session->defaults;
}

/* Returns 0 if all ranks stand where rank 0 does, about to run the same job or back from it; else the call is over. */
static int permi_mpi_meet(permi_mpi_session *session, int place, uint64_t fingerprint, perm_status status,
                          const char *message)
{
  uint64_t lead[2] = {(uint64_t)place, fingerprint};
  int verdict = 0;
  permi_mpi_broadcast(session, lead, sizeof lead, 0);
  if (place == PERMI_MPI_RETURNED && status < 0) {
    verdict = status - PERMI_MPI_CAUSE; /* a cause precedes its consequences */
  } else if (lead[0] != (uint64_t)place || lead[1] != fingerprint) {
    verdict = PERM_ERROR_STATE;
    message = lead[0] == (uint64_t)place ? "another matrix, or another plan for it, than rank 0's"
                                         : "another plan than rank 0's, with more or fewer jobs";
  }
  return permi_mpi_agree(session, verdict, message);
}

/* ======================================================================================== >>mpi_run
   Runs one job on all ranks. Between ranges and in the progress callback rank 0 (permi_mpi_lead) serves the others,
   and these (permi_mpi_work) look for orders. */

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

/* ====================================================================================== >>mpi_calls
   All ranks call the same perm_compute_ function on rank 0's arguments; options.execute brings its jobs here. Rank 0
   does alone what needs no plan, and small matrices. */

enum {
  PERMI_MPI_REAL,
  PERMI_MPI_COMPLEX,
  PERMI_MPI_INTEGER,
  PERMI_MPI_GAUSSIAN,
  PERMI_MPI_SPARSE,
  PERMI_MPI_ALONE, /* rank 0 computes alone, and the others get the result */
  PERMI_MPI_DISMISS
};

#define PERMI_MPI_ARRAYS 5
typedef struct permi_mpi_call {
  int kind, m, n;
  int repeated; /* 1: multiplicities; sparse: a proof */
  const void *a;
  ptrdiff_t ld;
  const int *row_counts, *column_counts;
  const perm_matrix *matrix;
  const char *path; /* of a proof */
} permi_mpi_call;

typedef struct permi_mpi_header { /* build never changes */
  uint64_t build[3]; /* magic, version, sizes: builds differ in more than versions */
  permi_mpi_call call; /* its pointers hold on rank 0 only */
  perm_matrix matrix;
  perm_options options;
  uint64_t bytes[PERMI_MPI_ARRAYS];
  int checkpoint;
  char gpu_cache[1024];
} permi_mpi_header;
typedef union permi_mpi_first { /* the first message, of one length in all versions */
  permi_mpi_header header;
  unsigned char bytes[2048];
} permi_mpi_first;
typedef char permi_mpi_header_fits[sizeof(permi_mpi_first) == 2048 ? 1 : -1];
#define PERMI_MPI_MAGIC UINT64_C(0x3149504d4d524550) /* "PERMMPI1" */

static const uint64_t permi_mpi_build[3] = {
    PERMI_MPI_MAGIC,
    (uint64_t)PERM_VERSION_MAJOR * 1000000 + (uint64_t)PERM_VERSION_MINOR * 1000 + PERM_VERSION_PATCH +
        (uint64_t)PERMI_MPI_PROTOCOL * UINT64_C(1000000000),
    (uint64_t)sizeof(perm_options) | (uint64_t)sizeof(perm_result) << 16 | (uint64_t)sizeof(permi_mpi_report) << 32 |
        (uint64_t)sizeof(void *) << 56};

/* Lists the arrays of a call and their bytes. Sparse matrices: row_start, column, real, imaginary, integer; others:
   entries without gaps, row counts, column counts. */
static void permi_mpi_arrays(const permi_mpi_call *call, const void *array[PERMI_MPI_ARRAYS],
                             uint64_t bytes[PERMI_MPI_ARRAYS])
{
  const perm_matrix *matrix = call->matrix;
  memset(array, 0, PERMI_MPI_ARRAYS * sizeof *array);
  memset(bytes, 0, PERMI_MPI_ARRAYS * sizeof *bytes);
  if (call->kind == PERMI_MPI_SPARSE) {
    const uint64_t values = (uint64_t)matrix->nnz * 8;
    const void *const own[] = {matrix->row_start, matrix->column, matrix->real, matrix->imaginary, matrix->integer};
    memcpy(array, own, sizeof own);
    bytes[0] = ((uint64_t)matrix->m + 1) * sizeof(size_t);
    bytes[1] = (uint64_t)matrix->nnz * sizeof(int);
    bytes[2] = matrix->kind == PERM_KIND_PATTERN ? 0 : values;
    bytes[3] = matrix->kind == PERM_KIND_COMPLEX ? values : 0;
    bytes[4] = matrix->kind == PERM_KIND_INTEGER ? values : 0;
  } else {
    const int parts = call->kind == PERMI_MPI_COMPLEX || call->kind == PERMI_MPI_GAUSSIAN ? 2 : 1;
    array[0] = call->a;
    array[1] = call->row_counts;
    array[2] = call->column_counts;
    bytes[0] = (uint64_t)call->m * (uint64_t)call->n * (uint64_t)parts * 8;
    bytes[1] = call->row_counts ? (uint64_t)call->m * sizeof(int) : 0;
    bytes[2] = call->column_counts ? (uint64_t)call->n * sizeof(int) : 0;
  }
}

/* Returns where array k begins, a multiple of 8; k = PERMI_MPI_ARRAYS: the end. */
static size_t permi_mpi_at(const permi_mpi_header *header, int k)
{
  size_t at = 0;
  while (k-- > 0)
    at += ((size_t)header->bytes[k] + 7) / 8 * 8;
  return at;
}

static void permi_mpi_pack(const permi_mpi_call *call, const permi_mpi_header *header, unsigned char *message)
{
  const void *array[PERMI_MPI_ARRAYS];
  uint64_t bytes[PERMI_MPI_ARRAYS];
  const int dense = call->kind != PERMI_MPI_SPARSE;
  permi_mpi_arrays(call, array, bytes);
  for (int i = 0; dense && i < call->m; i++) {
    const size_t row = (size_t)bytes[0] / (size_t)call->m, stride = row / (size_t)call->n * (size_t)call->ld;
    memcpy(message + (size_t)i * row, (const unsigned char *)call->a + (size_t)i * stride, row);
  }
  for (int k = dense; k < PERMI_MPI_ARRAYS; k++)
    if (bytes[k])
      memcpy(message + permi_mpi_at(header, k), array[k], (size_t)bytes[k]);
}

static void permi_mpi_unpack(const permi_mpi_header *header, unsigned char *message, permi_mpi_call *call,
                             perm_matrix *matrix)
{
  void *array[PERMI_MPI_ARRAYS];
  for (int k = 0; k < PERMI_MPI_ARRAYS; k++)
    array[k] = header->bytes[k] ? message + permi_mpi_at(header, k) : NULL;
  *call = header->call;
  call->ld = call->n;
  call->a = array[0];
  call->row_counts = (const int *)array[1];
  call->column_counts = (const int *)array[2];
  call->matrix = matrix;
  *matrix = header->matrix;
  matrix->row_start = (size_t *)array[0];
  matrix->column = (int *)(void *)(message + permi_mpi_at(header, 1)); /* there even when empty */
  matrix->real = (double *)array[2];
  matrix->imaginary = (double *)array[3];
  matrix->integer = (int64_t *)array[4];
  call->path = NULL;
}

static perm_status permi_mpi_apply(const permi_mpi_call *call, const perm_options *options, perm_result *result)
{
  const double *x = (const double *)call->a;
  const int64_t *z = (const int64_t *)call->a;
  const int m = call->m, n = call->n, *rows = call->row_counts, *columns = call->column_counts;
  const ptrdiff_t ld = call->ld;
#if !defined(PERM_NO_EXTRAS)
  if (call->kind == PERMI_MPI_SPARSE && call->repeated)
    return perm_prove_sparse(call->matrix, call->path, options, result);
#endif
  if (call->kind == PERMI_MPI_SPARSE)
    return perm_compute_sparse(call->matrix, options, result);
  switch (2 * call->kind + call->repeated) {
  case 2 * PERMI_MPI_REAL: return perm_compute_real(m, n, x, ld, options, result);
  case 2 * PERMI_MPI_REAL + 1: return perm_compute_repeated_real(m, n, x, ld, rows, columns, options, result);
  case 2 * PERMI_MPI_COMPLEX: return perm_compute_complex(m, n, x, ld, options, result);
  case 2 * PERMI_MPI_COMPLEX + 1: return perm_compute_repeated_complex(m, n, x, ld, rows, columns, options, result);
  case 2 * PERMI_MPI_INTEGER: return perm_compute_integer(m, n, z, ld, options, result);
  case 2 * PERMI_MPI_INTEGER + 1: return perm_compute_repeated_integer(m, n, z, ld, rows, columns, options, result);
  case 2 * PERMI_MPI_GAUSSIAN: return perm_compute_gaussian(m, n, z, ld, options, result);
  default: return perm_compute_repeated_gaussian(m, n, z, ld, rows, columns, options, result);
  }
}

static perm_status permi_mpi_hook(const perm_job *job, perm_state *state, const perm_options *options,
                                  perm_result *result)
{
  return permi_mpi_run((permi_mpi_session *)options->user_data, job, state, options, result);
}

static int permi_mpi_progress(const perm_progress *progress, void *user_data)
{
  const perm_options *options = ((const permi_mpi_session *)user_data)->options;
  return options->progress(progress, options->user_data);
}

/* Returns the lowest kernel family of all ranks, PERM_ISA_PLAIN on different makes, PERM_ISA_AUTO where all agree. */
static int permi_mpi_family(const permi_mpi_session *session)
{
  int own = (int)perm_isa_best(), rank, least, most;
#if defined(PERM_MPI_TESTS)
  own = permi_mpi_fault.isa && permi_mpi_fault.rank == session->rank ? permi_mpi_fault.isa : own;
#endif
  least = permi_mpi_least_of(session, own, &rank);
  most = -permi_mpi_least_of(session, -own, &rank);
  return least == most ? PERM_ISA_AUTO : least == PERM_ISA_NEON || most == PERM_ISA_NEON ? PERM_ISA_PLAIN : least;
}

/* Returns 1 if a call is for rank 0 alone: of so few lines, with copies, that one process computes it without a job.
   Its bits are those of that process. */
#define PERMI_MPI_FEW 16
static int permi_mpi_is_small(const permi_mpi_call *call, const perm_options *options)
{
  if (call->kind >= PERMI_MPI_SPARSE || options->checkpoint.file || options->checkpoint.parts ||
      options->checkpoint.merge || call->m > PERMI_MPI_FEW || call->n > PERMI_MPI_FEW)
    return 0;
  for (int side = 0; side < 2; side++) {
    const int *count = side ? call->column_counts : call->row_counts;
    int total = 0;
    for (int i = 0; count && i < (side ? call->n : call->m); i++) {
      if (count[i] > PERMI_MPI_FEW - total)
        return 0;
      total += count[i] > 0 ? count[i] : 0;
    }
  }
  return 1;
}

static void permi_mpi_header_fill(permi_mpi_header *header, const permi_mpi_call *call, const perm_options *options)
{
  const perm_matrix *matrix = call->matrix;
  const void *array[PERMI_MPI_ARRAYS];
  int copies; /* wrong ones are left to the function, which says what is wrong */
  if (call->kind == PERMI_MPI_SPARSE)
    copies = matrix && matrix->m > 0 && matrix->n > 0 && matrix->row_start && matrix->column &&
             (matrix->kind == PERM_KIND_PATTERN || matrix->real) &&
             (matrix->kind != PERM_KIND_INTEGER || matrix->integer) &&
             (matrix->kind != PERM_KIND_COMPLEX || matrix->imaginary);
  else
    copies = call->a && call->m > 0 && call->n > 0 && call->m <= PERM_MAX_LINES && call->n <= PERM_MAX_LINES &&
             call->ld >= call->n;
  header->call = *call;
  if (call->kind < PERMI_MPI_ALONE && (!copies || permi_mpi_is_small(call, options)))
    header->call.kind = PERMI_MPI_ALONE;
  header->options = *options;
  if (options->checkpoint.file && options->isa == PERM_ISA_AUTO) { /* takes the family of the checkpoint */
    perm_options begun = *options;
    if (perm_checkpoint_options(options->checkpoint.file, &begun, NULL, NULL) == PERM_OK &&
        begun.isa != PERM_ISA_CUDA)
      header->options.isa = begun.isa;
  }
  header->checkpoint = options->checkpoint.file != NULL;
  if (options->gpu.cache)
    snprintf(header->gpu_cache, sizeof header->gpu_cache, "%s", options->gpu.cache);
  if (header->call.kind == PERMI_MPI_SPARSE)
    header->matrix = *matrix;
  if (header->call.kind < PERMI_MPI_ALONE)
    permi_mpi_arrays(call, array, header->bytes);
  memcpy(header->build, permi_mpi_build, sizeof permi_mpi_build);
}

static perm_options permi_mpi_options(permi_mpi_session *session, const permi_mpi_header *header, int family)
{
  perm_options options = header->options;
  if (session->rank) {
    options.allocator = session->options->allocator;
    options.cancel = session->options->cancel;
    options.checkpoint.note = NULL;
    options.checkpoint.file = header->checkpoint ? "rank 0's" : NULL;
    options.checkpoint.merge = NULL;
  }
  options.gpu.cache = header->gpu_cache[0] ? header->gpu_cache : NULL;
  options.progress = session->rank == 0 && options.progress ? permi_mpi_progress : NULL;
  options.execute = permi_mpi_hook;
  options.user_data = session;
  if (family != PERM_ISA_AUTO && (options.isa == PERM_ISA_AUTO || (int)options.isa > family))
    options.isa = (perm_isa)family;
  return options;
}

/* Takes part in a call, on all ranks; `call` is NULL except on rank 0. Sets *dismissed after the last call. */
static perm_status permi_mpi_call_all(permi_mpi_session *session, const permi_mpi_call *call, perm_result *result,
                                      int *dismissed)
{
  const perm_allocator *allocator = &session->options->allocator;
  permi_mpi_first first;
  permi_mpi_header *header = &first.header;
  permi_mpi_call copy;
  perm_matrix matrix;
  int rank, family, same;
  *dismissed = 0;
  session->over = 0;
  memset(result, 0, sizeof *result);
  memset(&first, 0, sizeof first);
  if (session->rank == 0)
    permi_mpi_header_fill(header, call, session->options);
  permi_mpi_broadcast(session, &first, sizeof first, 0);
#if defined(PERM_MPI_TESTS)
  header->build[1] += (uint64_t)(permi_mpi_fault.version && permi_mpi_fault.rank == session->rank);
#endif
  same = !memcmp(header->build, permi_mpi_build, sizeof permi_mpi_build);
  if (permi_mpi_agree(session, same ? 0 : PERM_ERROR_STATE, "another version or build of perm than rank 0's"))
    return permi_mpi_fail(result, session->status, session->message);
  *dismissed = header->call.kind == PERMI_MPI_DISMISS;
  if (*dismissed)
    return PERM_OK;
  if (header->call.kind == PERMI_MPI_ALONE) {
    if (session->rank == 0)
      permi_mpi_apply(call, session->options, result);
    permi_mpi_broadcast(session, result, sizeof *result, 0);
    return result->status;
  }
  family = permi_mpi_family(session);
  unsigned char *message = (unsigned char *)permi_mpi_allocate(allocator, permi_mpi_at(header, PERMI_MPI_ARRAYS));
  if (permi_mpi_agree(session, message ? 0 : PERM_ERROR_MEMORY, "out of memory")) {
    permi_mpi_release(allocator, message);
    return permi_mpi_fail(result, session->status, session->message);
  }
  if (session->rank == 0)
    permi_mpi_pack(call, header, message);
  permi_mpi_broadcast(session, message, permi_mpi_at(header, PERMI_MPI_ARRAYS), 0);
  permi_mpi_unpack(header, message, &copy, &matrix);
  copy.path = session->rank == 0 ? call->path : NULL;
  perm_options options = permi_mpi_options(session, header, family);
  permi_mpi_apply(&copy, &options, result);
  permi_mpi_release(allocator, message);
  if (!session->over)
    permi_mpi_meet(session, PERMI_MPI_RETURNED, 0, result->status, result->message);
  permi_mpi_least_of(session, result->status < 0 ? (int)result->status : 0, &rank);
  permi_mpi_broadcast(session, result, sizeof *result, rank);
  return result->status;
}

/* dismissed: as of permi_mpi_call_all, or NULL. */
static perm_status permi_mpi_once(MPI_Comm comm, const permi_mpi_call *call, const perm_options *options,
                                  perm_result *result, int *dismissed)
{
  permi_mpi_session session;
  perm_result unwanted;
  int ignored;
  permi_mpi_session_open(&session, comm, options);
  const perm_status status =
      permi_mpi_call_all(&session, call, result ? result : &unwanted, dismissed ? dismissed : &ignored);
  MPI_Comm_free(&session.comm);
  return result || status < 0 ? status : PERM_ERROR_NULL;
}

#define PERMI_MPI_DEFINE(name, type, kind)                                                                             \
  perm_status perm_mpi_##name(MPI_Comm comm, int m, int n, const type *a, ptrdiff_t ld, const perm_options *options,   \
                              perm_result *result)                                                                     \
  {                                                                                                                    \
    const permi_mpi_call call = {kind, m, n, 0, a, ld, NULL, NULL, NULL, NULL};                                        \
    return permi_mpi_once(comm, &call, options, result, NULL);                                                         \
  }                                                                                                                    \
  perm_status perm_mpi_repeated_##name(MPI_Comm comm, int m, int n, const type *a, ptrdiff_t ld,                       \
                                       const int *row_counts, const int *column_counts, const perm_options *options,   \
                                       perm_result *result)                                                            \
  {                                                                                                                    \
    const permi_mpi_call call = {kind, m, n, 1, a, ld, row_counts, column_counts, NULL, NULL};                         \
    return permi_mpi_once(comm, &call, options, result, NULL);                                                         \
  }
PERMI_MPI_DEFINE(real, double, PERMI_MPI_REAL)
PERMI_MPI_DEFINE(complex, double, PERMI_MPI_COMPLEX)
PERMI_MPI_DEFINE(integer, int64_t, PERMI_MPI_INTEGER)
PERMI_MPI_DEFINE(gaussian, int64_t, PERMI_MPI_GAUSSIAN)
#undef PERMI_MPI_DEFINE

perm_status perm_mpi_sparse(MPI_Comm comm, const perm_matrix *matrix, const perm_options *options, perm_result *result)
{
  const permi_mpi_call call = {PERMI_MPI_SPARSE, 0, 0, 0, NULL, 0, NULL, NULL, matrix, NULL};
  return permi_mpi_once(comm, &call, options, result, NULL);
}

#if !defined(PERM_NO_EXTRAS)
perm_status perm_mpi_prove_sparse(MPI_Comm comm, const perm_matrix *matrix, const char *path,
                                  const perm_options *options, perm_result *result)
{
  const permi_mpi_call call = {PERMI_MPI_SPARSE, 0, 0, 1, NULL, 0, NULL, NULL, matrix, path};
  return permi_mpi_once(comm, &call, options, result, NULL);
}
#endif

perm_status perm_mpi_dismiss(MPI_Comm comm)
{
  const permi_mpi_call call = {PERMI_MPI_DISMISS, 0, 0, 0, NULL, 0, NULL, NULL, NULL, NULL};
  perm_result result;
  return permi_mpi_once(comm, &call, NULL, &result, NULL);
}

perm_status perm_mpi_serve(MPI_Comm comm, const perm_options *options)
{
  perm_result result;
  int dismissed = 0;
  while (!dismissed)
    permi_mpi_once(comm, NULL, options, &result, &dismissed);
  return PERM_OK;
}

perm_status perm_mpi_execute(MPI_Comm comm, const perm_job *job, perm_state *state, const perm_options *options,
                             perm_result *result)
{
  permi_mpi_session session;
  perm_result unwanted;
  permi_mpi_session_open(&session, comm, options);
  const perm_status status = permi_mpi_run(&session, job, state, session.options, result ? result : &unwanted);
  MPI_Comm_free(&session.comm);
  return result || status < 0 ? status : PERM_ERROR_NULL;
}

#endif

/* =========================================================================================== >>main
   The command: examples/command/perm_cli.c runs on rank 0, and the others serve. SIGTERM (Slurm), SIGINT and SIGUSR1 on
   any rank stop with a checkpoint; mpirun passes SIGUSR1 on, but kills seconds after SIGTERM. */

#if defined(PERM_MPI_MAIN)
#define CLI_COMPUTE(name) permi_mpi_cli_##name
#define CLI_PROVE permi_mpi_cli_prove
#define CLI_MAIN permi_mpi_cli_main
static perm_status permi_mpi_cli_sparse(const perm_matrix *matrix, const perm_options *options, perm_result *result)
{
  return perm_mpi_sparse(MPI_COMM_WORLD, matrix, options, result);
}
static perm_status permi_mpi_cli_prove(const perm_matrix *matrix, const char *path, const perm_options *options,
                                       perm_result *result)
{
  return perm_mpi_prove_sparse(MPI_COMM_WORLD, matrix, path, options, result);
}
#define PERMI_MPI_CLI(name, type)                                                                                      \
  static perm_status permi_mpi_cli_repeated_##name(int m, int n, const type *a, ptrdiff_t ld, const int *row_counts,   \
                                                   const int *column_counts, const perm_options *options,              \
                                                   perm_result *result)                                                \
  {                                                                                                                    \
    return perm_mpi_repeated_##name(MPI_COMM_WORLD, m, n, a, ld, row_counts, column_counts, options, result);          \
  }
PERMI_MPI_CLI(real, double)
PERMI_MPI_CLI(complex, double)
PERMI_MPI_CLI(integer, int64_t)
PERMI_MPI_CLI(gaussian, int64_t)
#include "examples/command/perm_cli.c"

/* Gives each rank its GPUs: --gpus K, else one; CUDA_VISIBLE_DEVICES is respected. */
static void permi_mpi_cli_gpus(int argc, char **argv)
{
  MPI_Comm node;
  char list[1024] = "";
  int local, gpus = 0, i;
  if (getenv("CUDA_VISIBLE_DEVICES"))
    return;
  for (i = 1; i < argc; i++) {
    const char *value = !strncmp(argv[i], "--gpus=", 7) ? argv[i] + 7
                        : !strcmp(argv[i], "--gpus") && i + 1 < argc ? argv[i + 1] : NULL;
    if (value)
      gpus = !strcmp(value, "all") ? 1 : atoi(value);
  }
  if (gpus < 1 || gpus > 64)
    return;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &local);
  MPI_Comm_free(&node);
  for (i = 0; i < gpus; i++)
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%d", i ? "," : "", local * gpus + i);
  setenv("CUDA_VISIBLE_DEVICES", list, 1);
}

int main(int argc, char **argv)
{
  struct sigaction action;
  perm_options options;
  int rank, level, code = CLI_DONE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  permi_mpi_cli_gpus(argc, argv);
  memset(&options, 0, sizeof options);
  options.cancel = &cli_interrupted;
  cli_catch_signals();
  memset(&action, 0, sizeof action);
  action.sa_handler = cli_interrupt;
  sigaction(SIGUSR1, &action, NULL);
  if (rank == 0) {
    code = permi_mpi_cli_main(argc, argv);
    perm_mpi_dismiss(MPI_COMM_WORLD);
  } else {
    perm_mpi_serve(MPI_COMM_WORLD, &options);
  }
  MPI_Finalize();
  return code;
}
#endif

/* Copyright (c) 2026 the perm authors. SPDX-License-Identifier: MIT; its text stands at the end of perm.h. */
