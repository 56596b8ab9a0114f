/* ====================================================================================== >>mpi_calls
   All ranks call the same perm_compute_ function on rank 0's arguments; options.execute brings its jobs here. Rank 0
   does alone what needs no plan, and small matrices. */
#pragma once
#include "api.h"
#include "mpi_run.h"

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
/* SPDX-License-Identifier: MIT */
