/* ========================================================================================== >>calls
   Rank 0's matrix and options go to all, all call the same perm_compute_ function, and options.execute brings each of
   its jobs here. What rank 0 can refuse by itself, or answer without a plan, it does alone. */
#pragma once
#include "api.h"
#include "run.h"

enum {
  PERMI_MPI_REAL,
  PERMI_MPI_COMPLEX,
  PERMI_MPI_INTEGER,
  PERMI_MPI_GAUSSIAN,
  PERMI_MPI_SPARSE,
  PERMI_MPI_ALONE,  /* rank 0 calls the function, the others get the result */
  PERMI_MPI_DISMISS /* perm_mpi_serve ends */
};

typedef struct permi_mpi_call { /* arguments, as they were given on rank 0 */
  int kind, m, n;
  const void *a;
  ptrdiff_t ld;
  int repeated; /* 1: perm_compute_repeated_ */
  const int *row_counts, *column_counts;
  const perm_matrix *matrix;
} permi_mpi_call;

typedef struct permi_mpi_header { /* what goes to all first. The first three fields are the same in every version */
  uint64_t magic, version, sizes;
  int kind, m, n, repeated, rows, columns, matrix_kind, checkpoint;
  uint64_t nnz, bytes;
  perm_options options; /* pointers in it mean nothing elsewhere */
  char gpu_cache[1024];
} permi_mpi_header;
#define PERMI_MPI_HEADER_BYTES 2048
typedef char permi_mpi_header_fits[sizeof(permi_mpi_header) <= PERMI_MPI_HEADER_BYTES ? 1 : -1];
#define PERMI_MPI_MAGIC UINT64_C(0x3149504d4d524550) /* "PERMMPI1" */

static uint64_t permi_mpi_version(void)
{
  return (uint64_t)PERM_VERSION_MAJOR * 1000000 + (uint64_t)PERM_VERSION_MINOR * 1000 + PERM_VERSION_PATCH +
         (uint64_t)PERMI_MPI_PROTOCOL * UINT64_C(1000000000);
}

static uint64_t permi_mpi_sizes(void) /* builds differ in more than versions */
{
  return (uint64_t)sizeof(perm_options) | (uint64_t)sizeof(perm_result) << 16 |
         (uint64_t)sizeof(permi_mpi_report) << 32 | (uint64_t)sizeof(void *) << 56;
}

/* Entries of an array, 8 bytes each. */
static size_t permi_mpi_entries(const permi_mpi_header *header)
{
  return (size_t)header->m * (size_t)header->n *
         (header->kind == PERMI_MPI_COMPLEX || header->kind == PERMI_MPI_GAUSSIAN ? 2 : 1);
}

/* Copies an array into the message; *at moves on, by a multiple of 8. */
static void permi_mpi_put(unsigned char **at, const void *array, size_t bytes)
{
  if (bytes)
    memcpy(*at, array, bytes);
  *at += (bytes + 7) / 8 * 8;
}

/* The message of a sparse matrix: row_start (as 64 bits), column, then the values that its kind has. */
static size_t permi_mpi_sparse_bytes(const permi_mpi_header *header)
{
  const size_t nnz = (size_t)header->nnz;
  const size_t values = header->matrix_kind == PERM_KIND_PATTERN ? 0 : header->matrix_kind == PERM_KIND_REAL ? 1 : 2;
  return ((size_t)header->m + 1) * 8 + (nnz * sizeof(int) + 7) / 8 * 8 + values * nnz * 8;
}

static size_t permi_mpi_counts_bytes(const permi_mpi_header *header)
{
  return ((size_t)header->rows * sizeof(int) + 7) / 8 * 8 + ((size_t)header->columns * sizeof(int) + 7) / 8 * 8;
}

/* Are the arguments such that they can be copied? If not, the function itself says what is wrong. */
static int permi_mpi_copies(const permi_mpi_call *call)
{
  if (call->kind == PERMI_MPI_SPARSE)
    return call->matrix && call->matrix->m > 0 && call->matrix->n > 0 && call->matrix->row_start &&
           call->matrix->column && (call->matrix->kind == PERM_KIND_PATTERN || call->matrix->real) &&
           (call->matrix->kind != PERM_KIND_INTEGER || call->matrix->integer) &&
           (call->matrix->kind != PERM_KIND_COMPLEX || call->matrix->imaginary);
  return call->a && call->m > 0 && call->n > 0 && call->m <= PERM_MAX_LINES && call->n <= PERM_MAX_LINES &&
         call->ld >= call->n;
}

static void permi_mpi_pack(const permi_mpi_call *call, const permi_mpi_header *header, unsigned char *at)
{
  if (call->kind == PERMI_MPI_SPARSE) {
    const perm_matrix *matrix = call->matrix;
    size_t i;
    for (i = 0; i <= (size_t)matrix->m; i++) {
      uint64_t start = matrix->row_start[i];
      permi_mpi_put(&at, &start, 8);
    }
    permi_mpi_put(&at, matrix->column, matrix->nnz * sizeof(int));
    if (matrix->kind != PERM_KIND_PATTERN)
      permi_mpi_put(&at, matrix->real, matrix->nnz * 8);
    if (matrix->kind == PERM_KIND_COMPLEX)
      permi_mpi_put(&at, matrix->imaginary, matrix->nnz * 8);
    if (matrix->kind == PERM_KIND_INTEGER)
      permi_mpi_put(&at, matrix->integer, matrix->nnz * 8);
  } else {
    const size_t parts = permi_mpi_entries(header) / (size_t)header->m / (size_t)header->n;
    int i;
    for (i = 0; i < call->m; i++) {
      const size_t before = (size_t)i * (size_t)call->ld * parts * 8;
      permi_mpi_put(&at, (const unsigned char *)call->a + before, (size_t)call->n * parts * 8);
    }
    permi_mpi_put(&at, call->row_counts, (size_t)header->rows * sizeof(int));
    permi_mpi_put(&at, call->column_counts, (size_t)header->columns * sizeof(int));
  }
}

/* The other way: a call on what has come. */
typedef struct permi_mpi_arguments {
  permi_mpi_call call;
  perm_matrix matrix;
  unsigned char *bytes;
} permi_mpi_arguments;

/* The message itself holds the arrays, but for row_start where size_t is shorter. */
static void permi_mpi_unpack(const permi_mpi_header *header, permi_mpi_arguments *arguments)
{
  permi_mpi_call *call = &arguments->call;
  perm_matrix *matrix = &arguments->matrix;
  unsigned char *at = arguments->bytes;
  const size_t nnz = (size_t)header->nnz;
  call->kind = header->kind;
  call->m = header->m;
  call->n = header->n;
  call->ld = header->n;
  call->repeated = header->repeated;
  if (header->kind == PERMI_MPI_SPARSE) {
    size_t i;
    matrix->m = header->m;
    matrix->n = header->n;
    matrix->nnz = nnz;
    matrix->kind = (perm_kind)header->matrix_kind;
    matrix->row_start = (size_t *)(void *)at;
    for (i = 0; i <= (size_t)header->m; i++) {
      uint64_t start;
      memcpy(&start, at + 8 * i, 8);
      matrix->row_start[i] = (size_t)start;
    }
    at += ((size_t)header->m + 1) * 8;
    matrix->column = (int *)(void *)at;
    at += (nnz * sizeof(int) + 7) / 8 * 8;
    if (matrix->kind != PERM_KIND_PATTERN)
      matrix->real = (double *)(void *)at;
    at += nnz * 8;
    if (matrix->kind == PERM_KIND_COMPLEX)
      matrix->imaginary = (double *)(void *)at;
    if (matrix->kind == PERM_KIND_INTEGER)
      matrix->integer = (int64_t *)(void *)at;
    call->matrix = matrix;
  } else {
    call->a = at;
    at += permi_mpi_entries(header) * 8;
    if (header->rows)
      call->row_counts = (const int *)(void *)at;
    at += ((size_t)header->rows * sizeof(int) + 7) / 8 * 8;
    if (header->columns)
      call->column_counts = (const int *)(void *)at;
  }
}

static perm_status permi_mpi_apply(const permi_mpi_call *call, const perm_options *options, perm_result *result)
{
  const double *x = (const double *)call->a;
  const int64_t *z = (const int64_t *)call->a;
  const int plain = !call->repeated;
  switch (call->kind) {
  case PERMI_MPI_SPARSE: return perm_compute_sparse(call->matrix, options, result);
  case PERMI_MPI_REAL:
    return plain ? perm_compute_real(call->m, call->n, x, call->ld, options, result)
                 : perm_compute_repeated_real(call->m, call->n, x, call->ld, call->row_counts, call->column_counts,
                                              options, result);
  case PERMI_MPI_COMPLEX:
    return plain ? perm_compute_complex(call->m, call->n, x, call->ld, options, result)
                 : perm_compute_repeated_complex(call->m, call->n, x, call->ld, call->row_counts, call->column_counts,
                                                 options, result);
  case PERMI_MPI_INTEGER:
    return plain ? perm_compute_integer(call->m, call->n, z, call->ld, options, result)
                 : perm_compute_repeated_integer(call->m, call->n, z, call->ld, call->row_counts,
                                                 call->column_counts, options, result);
  default:
    return plain ? perm_compute_gaussian(call->m, call->n, z, call->ld, options, result)
                 : perm_compute_repeated_gaussian(call->m, call->n, z, call->ld, call->row_counts,
                                                  call->column_counts, options, result);
  }
}

/* options.execute of every rank */
static perm_status permi_mpi_hook(const perm_job *job, perm_state *state, const perm_options *options,
                                  perm_result *result)
{
  return permi_mpi_run((permi_mpi_session *)options->execute_data, job, state, options, result);
}

/* What all ranks have: the lower one, or portable C for processors of different makes. */
static int permi_mpi_family(const permi_mpi_session *session)
{
  int own = (int)perm_isa_best(), rank, least, most;
#if defined(PERM_MPI_TESTS)
  own = permi_mpi_fault.isa && permi_mpi_fault.rank == session->rank ? permi_mpi_fault.isa : own;
#endif
  least = permi_mpi_least_of(session, own, &rank);
  most = -permi_mpi_least_of(session, -own, &rank);
  return least == most ? PERM_ISA_AUTO : most == PERM_ISA_NEON ? PERM_ISA_PLAIN : least;
}

/* Fills in what rank 0 tells. */
static void permi_mpi_header_fill(permi_mpi_header *header, const permi_mpi_call *call, const perm_options *options)
{
  header->kind = call->kind < PERMI_MPI_ALONE && !permi_mpi_copies(call) ? PERMI_MPI_ALONE : call->kind;
  header->options = *options;
  if (options->checkpoint.file && options->isa == PERM_ISA_AUTO) { /* the family that the job was begun with */
    perm_options begun = *options;
    if (perm_checkpoint_options(options->checkpoint.file, &begun, NULL, NULL, NULL) == PERM_OK &&
        begun.isa != PERM_ISA_CUDA)
      header->options.isa = begun.isa;
  }
  header->checkpoint = options->checkpoint.file != NULL;
#if defined(PERM_TUNE)
  if (options->gpu.tune == PERM_TUNE) { /* what is timed is timed on rank 0, so that all have the same kernel */
    perm_job *job = NULL;
    int i;
    header->options.gpu.tune = 0;
    if (call->kind == PERMI_MPI_SPARSE && perm_sparse_job(call->matrix, options, &job, NULL) == PERM_OK)
      for (i = 0; i < perm_job_leaves(job) && !header->options.gpu.tune; i++) {
        perm_leaf leaf;
        perm_job_leaf(job, i, &leaf);
        header->options.gpu.tune = leaf.tuned;
      }
    perm_job_free(job);
  }
#endif
  if (options->gpu.cache)
    snprintf(header->gpu_cache, sizeof header->gpu_cache, "%s", options->gpu.cache);
  if (header->kind >= PERMI_MPI_ALONE)
    return;
  if (call->kind == PERMI_MPI_SPARSE) {
    header->m = call->matrix->m;
    header->n = call->matrix->n;
    header->nnz = call->matrix->nnz;
    header->matrix_kind = (int)call->matrix->kind;
    header->bytes = permi_mpi_sparse_bytes(header);
  } else {
    header->m = call->m;
    header->n = call->n;
    header->repeated = call->repeated;
    header->rows = call->row_counts ? call->m : 0;
    header->columns = call->column_counts ? call->n : 0;
    header->bytes = permi_mpi_entries(header) * 8 + permi_mpi_counts_bytes(header);
  }
}

/* One call on all ranks. call: rank 0's; NULL elsewhere. 1 in *dismissed: there will be no more. */
static perm_status permi_mpi_call_all(permi_mpi_session *session, const permi_mpi_call *call, perm_result *result,
                                      int *dismissed)
{
  const perm_options *own = session->options;
  unsigned char bytes[PERMI_MPI_HEADER_BYTES];
  permi_mpi_header header;
  permi_mpi_arguments arguments;
  perm_options options;
  int rank, family;
  *dismissed = 0;
  session->over = 0;
  memset(result, 0, sizeof *result);
  memset(&header, 0, sizeof header);
  memset(&arguments, 0, sizeof arguments);
  if (session->rank == 0) {
    permi_mpi_header_fill(&header, call, own);
    header.magic = PERMI_MPI_MAGIC;
    header.version = permi_mpi_version();
    header.sizes = permi_mpi_sizes();
  }
  memset(bytes, 0, sizeof bytes);
  memcpy(bytes, &header, sizeof header);
  permi_mpi_broadcast(session, bytes, sizeof bytes, 0);
  memcpy(&header, bytes, sizeof header);
#if defined(PERM_MPI_TESTS)
  header.version += (uint64_t)(permi_mpi_fault.version && permi_mpi_fault.rank == session->rank);
#endif
  {
    const int same = header.magic == PERMI_MPI_MAGIC && header.version == permi_mpi_version() &&
                     header.sizes == permi_mpi_sizes();
    if (permi_mpi_agree(session, same ? 0 : PERM_ERROR_STATE, "another version or build of perm than rank 0's"))
      return permi_mpi_fail(result, session->status, session->message);
  }
  *dismissed = header.kind == PERMI_MPI_DISMISS;
  if (*dismissed)
    return PERM_OK;
  if (header.kind == PERMI_MPI_ALONE) {
    if (session->rank == 0)
      permi_mpi_apply(call, own, result);
    permi_mpi_broadcast(session, result, sizeof *result, 0);
    return result->status;
  }
  family = permi_mpi_family(session);
  arguments.bytes = (unsigned char *)permi_mpi_allocate(&own->allocator, (size_t)header.bytes);
  if (permi_mpi_agree(session, arguments.bytes ? 0 : PERM_ERROR_MEMORY, "out of memory")) {
    permi_mpi_release(&own->allocator, arguments.bytes);
    return permi_mpi_fail(result, session->status, session->message);
  }
  if (session->rank == 0)
    permi_mpi_pack(call, &header, arguments.bytes);
  permi_mpi_broadcast(session, arguments.bytes, (size_t)header.bytes, 0);
  permi_mpi_unpack(&header, &arguments);
  options = header.options;
  options.allocator = own->allocator;
  options.cancel = own->cancel;
  options.progress = session->rank == 0 ? own->progress : NULL;
  options.user_data = own->user_data;
  options.gpu.cache = header.gpu_cache[0] ? header.gpu_cache : NULL;
  options.checkpoint.note = session->rank == 0 ? own->checkpoint.note : NULL;
  options.checkpoint.note_bytes = session->rank == 0 ? own->checkpoint.note_bytes : 0;
  options.checkpoint.file = session->rank == 0 ? own->checkpoint.file : header.checkpoint ? "rank 0's" : NULL;
  options.checkpoint.merges = session->rank == 0 ? own->checkpoint.merges : 0;
  options.execute = permi_mpi_hook;
  options.execute_data = session;
  if (family != PERM_ISA_AUTO && (options.isa == PERM_ISA_AUTO || (int)options.isa > family))
    options.isa = (perm_isa)family;
  permi_mpi_apply(&arguments.call, &options, result);
  permi_mpi_release(&own->allocator, arguments.bytes);
  if (!session->over)
    permi_mpi_meet(session, PERMI_MPI_RETURNED, 0, result->status, result->message);
  permi_mpi_least_of(session, result->status < 0 ? (int)result->status : 0, &rank);
  permi_mpi_broadcast(session, result, sizeof *result, rank);
  return result->status;
}

static perm_status permi_mpi_once(MPI_Comm comm, const permi_mpi_call *call, const perm_options *options,
                                  perm_result *result)
{
  permi_mpi_session session;
  perm_result unwanted;
  perm_status status;
  int dismissed;
  permi_mpi_session_open(&session, comm, options);
  status = permi_mpi_call_all(&session, call, result ? result : &unwanted, &dismissed);
  permi_mpi_session_close(&session);
  return result || status < 0 ? status : PERM_ERROR_NULL;
}

static perm_status permi_mpi_array(MPI_Comm comm, int kind, int m, int n, const void *a, ptrdiff_t ld, int repeated,
                                   const int *row_counts, const int *column_counts, const perm_options *options,
                                   perm_result *result)
{
  permi_mpi_call call;
  memset(&call, 0, sizeof call);
  call.kind = kind;
  call.m = m;
  call.n = n;
  call.a = a;
  call.ld = ld;
  call.repeated = repeated;
  call.row_counts = row_counts;
  call.column_counts = column_counts;
  return permi_mpi_once(comm, &call, options, result);
}

#define PERMI_MPI_DEFINE(name, type, kind)                                                                             \
  perm_status perm_mpi_##name(MPI_Comm comm, int m, int n, const type *a, ptrdiff_t ld, const perm_options *options,   \
                              perm_result *result)                                                                     \
  {                                                                                                                    \
    return permi_mpi_array(comm, kind, m, n, a, ld, 0, NULL, NULL, options, result);                                   \
  }                                                                                                                    \
  perm_status perm_mpi_repeated_##name(MPI_Comm comm, int m, int n, const type *a, ptrdiff_t ld,                       \
                                       const int *row_counts, const int *column_counts, const perm_options *options,   \
                                       perm_result *result)                                                            \
  {                                                                                                                    \
    return permi_mpi_array(comm, kind, m, n, a, ld, 1, row_counts, column_counts, options, result);                    \
  }
PERMI_MPI_DEFINE(real, double, PERMI_MPI_REAL)
PERMI_MPI_DEFINE(complex, double, PERMI_MPI_COMPLEX)
PERMI_MPI_DEFINE(integer, int64_t, PERMI_MPI_INTEGER)
PERMI_MPI_DEFINE(gaussian, int64_t, PERMI_MPI_GAUSSIAN)
#undef PERMI_MPI_DEFINE

perm_status perm_mpi_sparse(MPI_Comm comm, const perm_matrix *matrix, const perm_options *options, perm_result *result)
{
  permi_mpi_call call;
  memset(&call, 0, sizeof call);
  call.kind = PERMI_MPI_SPARSE;
  call.matrix = matrix;
  return permi_mpi_once(comm, &call, options, result);
}

perm_status perm_mpi_dismiss(MPI_Comm comm)
{
  perm_result result;
  permi_mpi_call call;
  memset(&call, 0, sizeof call);
  call.kind = PERMI_MPI_DISMISS;
  return permi_mpi_once(comm, &call, NULL, &result);
}

perm_status perm_mpi_serve(MPI_Comm comm, const perm_options *options)
{
  perm_result result;
  int dismissed = 0;
  while (!dismissed) {
    permi_mpi_session session;
    permi_mpi_session_open(&session, comm, options);
    permi_mpi_call_all(&session, NULL, &result, &dismissed);
    permi_mpi_session_close(&session);
  }
  return PERM_OK;
}

perm_status perm_mpi_execute(MPI_Comm comm, const perm_job *job, perm_state *state, const perm_options *options,
                             perm_result *result)
{
  permi_mpi_session session;
  perm_result unwanted;
  perm_status status;
  permi_mpi_session_open(&session, comm, options);
  status = permi_mpi_run(&session, job, state, session.options, result ? result : &unwanted);
  permi_mpi_session_close(&session);
  return result || status < 0 ? status : PERM_ERROR_NULL;
}
