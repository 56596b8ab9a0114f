/* ======================================================================================== >>session
   A communicator of our own, waiting that yields the processor, and agreement: all ranks go on, or all end with the
   same status. */
#pragma once
#include "coordinator.h"

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
/* SPDX-License-Identifier: MIT */
