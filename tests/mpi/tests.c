/* >>api, >>mpi_calls, >>mpi_run, >>session, >>main */
/* perm_mpi.c on the ranks of one mpirun: every test runs on all of them in step. Rank 0 prints; a check counts the
   ranks on which it fails. Usage: mpirun -np K build/tests_mpi [-t THREADS] [-v] [FILTER...]
   For tests/mpi/kill.sh: ... --job KIND METHOD CHECKPOINT DIRECTORY: one job, slow, that writes a checkpoint very
   often; every rank's process number goes to DIRECTORY/RANK, the result's bits to standard output. */
#define _POSIX_C_SOURCE 200809L
#define INSIDE_MPI
#include "../unit/inside.h"

#include "examples/perm_generate.h"

#include "../unit/test.h"

#include <unistd.h>

static int mpi_rank, mpi_ranks, mpi_threads;

/* The condition on all ranks. */
static int everywhere(int condition)
{
  int all;
  MPI_Allreduce(&condition, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all;
}
#define ALL(condition) CHECK(everywhere(condition))

static int same_on_all(const perm_result *result)
{
  perm_result zero = *result;
  MPI_Bcast(&zero, (int)sizeof zero, MPI_BYTE, 0, MPI_COMM_WORLD);
  return everywhere(!memcmp(&zero, result, sizeof zero));
}

/* The same bits in all that a plan determines. */
static int same_bits(const perm_result *a, const perm_result *b)
{
  return a->status == b->status && !memcmp(&a->value, &b->value, sizeof(double)) &&
         !memcmp(&a->imaginary, &b->imaginary, sizeof(double)) && a->exp2 == b->exp2 &&
         !memcmp(&a->error_bound, &b->error_bound, sizeof(double)) &&
         !memcmp(&a->error_estimate, &b->error_estimate, sizeof(double)) && a->exact == b->exact &&
         a->is_complex == b->is_complex && a->method == b->method && a->isa == b->isa && a->precision == b->precision &&
         a->terms == b->terms && a->modulus == b->modulus && a->escalated == b->escalated &&
         a->integer.negative == b->integer.negative && a->integer.words == b->integer.words &&
         !memcmp(a->integer.word, b->integer.word, (size_t)a->integer.words * 8);
}

static perm_options mpi_options(void)
{
  perm_options options;
  memset(&options, 0, sizeof options);
  options.threads = mpi_threads;
  return options;
}

static void no_fault(void)
{
  memset(&permi_mpi_fault, 0, sizeof permi_mpi_fault);
  permi_mpi_fault.rank = -1;
  permi_mpi_fault.least = 1e-12;
}

/* How many jobs were shared out since the last look? */
static int was_shared(void)
{
  const int since = permi_mpi_fault_shared;
  permi_mpi_fault_shared = 0;
  return since;
}

/* A generated matrix, on rank 0 only; the results of all ranks against the single process. */
static void compare_generated(const char *kind, perm_options options, int must_share)
{
  perm_matrix matrix;
  perm_result alone, result;
  memset(&matrix, 0, sizeof matrix);
  memset(&alone, 0, sizeof alone);
  was_shared();
  if (mpi_rank == 0) {
    CHECK(perm_generate(kind, 7, NULL, &matrix, &alone) == PERM_OK);
    perm_compute_sparse(&matrix, &options, &alone);
  }
  perm_mpi_sparse(MPI_COMM_WORLD, mpi_rank ? NULL : &matrix, mpi_rank ? NULL : &options, &result);
  if (mpi_rank == 0) {
    CHECK_SHOW(same_bits(&alone, &result), "%s: %.17g, alone %.17g: %s", kind, result.value, alone.value,
               result.message);
    CHECK_SHOW(!must_share || mpi_ranks == 1 || was_shared(), "%s: %s was not shared out", kind,
               perm_name("method", result.method));
  }
  CHECK(same_on_all(&result));
  perm_matrix_free(&matrix);
}

static perm_options with_method(perm_method method)
{
  perm_options options = mpi_options();
  options.method = method;
  return options;
}

TEST(t_mpi_bits_of_one_process)
{
  perm_options options = mpi_options();
  compare_generated("uniform:22", options, 1);
  compare_generated("gauss:23", options, 1);
  compare_generated("complex-gauss:20", options, 1);
  compare_generated("binary:22:0.5", with_method(PERM_METHOD_EXACT), 1);
  compare_generated("bernoulli:22", with_method(PERM_METHOD_EXACT), 1);
  compare_generated("er:26:0.5", with_method(PERM_METHOD_HYBRID), 1);
  compare_generated("er:20:0.4", with_method(PERM_METHOD_SPARYSER), 1);
  compare_generated("er:19:0.4", with_method(PERM_METHOD_DOMINATING), 0);
  compare_generated("blocks:3:18:0.9", with_method(PERM_METHOD_DENSE), 1); /* several leaves */
  compare_generated("er:30:0.2", options, 0);
  compare_generated("grid:8:8", options, 0);
  options.precision = PERM_PRECISION_DD;
  compare_generated("uniform:19", options, 1);
  options.precision = PERM_PRECISION_DEFAULT;
  options.certify = 1;
  compare_generated("gauss:20", options, 1);
  options.certify = 0;
  options.modulus = 1000003;
  compare_generated("binary:22:0.6", options, 0);
}

TEST(t_mpi_arrays)
{
  enum { M = 9, N = 21 };
  static double a[2 * N * N];
  static int64_t z[2 * N * N];
  int counts[M], columns[M], i;
  perm_options options = mpi_options();
  perm_result alone, result;
  for (i = 0; i < 2 * N * N; i++) {
    a[i] = mpi_rank ? 0 : test_uniform() - 0.3;
    z[i] = mpi_rank ? 0 : test_below(19) - 9;
  }
  for (i = 0; i < M; i++) {
    counts[i] = mpi_rank ? 99 : 1 + i % 3;
    columns[i] = mpi_rank ? 99 : 1 + (i + 1) % 3;
  }
#define COMPARE(call, arguments)                                                     \
  perm_mpi_##call(MPI_COMM_WORLD, mpi_rank ? -1 : M, arguments, &options, &result);  \
  perm_compute_##call(M, arguments, &options, &alone);                               \
  CHECK_SHOW(mpi_rank || same_bits(&alone, &result), "%s: %.17g, alone %.17g: %s", #call, result.value, alone.value,  \
             result.message);                                                                                         \
  CHECK(same_on_all(&result));
#define ARRAY(x) N, x, N
#define COUNTS(x) M, x, M, counts, columns
  COMPARE(real, ARRAY(a))
  COMPARE(complex, ARRAY(a))
  COMPARE(integer, ARRAY(z))
  COMPARE(gaussian, ARRAY(z))
  COMPARE(repeated_real, COUNTS(a))
  COMPARE(repeated_complex, COUNTS(a))
  COMPARE(repeated_integer, COUNTS(z))
  COMPARE(repeated_gaussian, COUNTS(z))
#undef COMPARE
  perm_mpi_real(MPI_COMM_WORLD, N, N, a, N, &options, &result);
  perm_compute_real(N, N, a, N, &options, &alone);
  CHECK(mpi_rank || same_bits(&alone, &result));
  CHECK(same_on_all(&result));
}

/* What one process would escalate is escalated here too. */
TEST(t_mpi_escalates)
{
  enum { N = 20 };
  static double a[N * N];
  perm_options options = mpi_options();
  perm_result alone, result;
  int i;
  for (i = 0; i < N * N; i++)
    a[i] = test_uniform() - 0.5 + (i % N == 3) - 4e7 * (i % N == 4) * (i / N % 2 ? 1 : -1);
  for (i = 0; i < N; i++)
    a[i * N + 1] = -a[i * N] * (i & 1 ? 1 : 1 + 1e-13);
  options.tolerance = 1e-15;
  was_shared();
  perm_mpi_real(MPI_COMM_WORLD, N, N, a, N, &options, &result);
  perm_compute_real(N, N, a, N, &options, &alone);
  CHECK_SHOW(alone.escalated > 0, "estimate %g of %g", alone.error_estimate, alone.value);
  CHECK_SHOW(mpi_rank || same_bits(&alone, &result), "%.17g %d, alone %.17g %d: %s", result.value, result.escalated,
             alone.value, alone.escalated, result.message);
  CHECK(mpi_rank || mpi_ranks == 1 || was_shared() == alone.escalated + 1);
  CHECK(same_on_all(&result));
}

/* Refusals: the words of the function itself, on all ranks. */
TEST(t_mpi_refuses)
{
  enum { N = 14 };
  static double a[N * N];
  perm_options options = mpi_options();
  perm_result alone, result;
  int i;
  for (i = 0; i < N * N; i++)
    a[i] = 1 + i % 3;
#define REFUSED(m, n, x, ld, number)                                                                           \
  perm_mpi_real(MPI_COMM_WORLD, m, n, x, ld, &options, &result);                                               \
  perm_compute_real(m, n, x, ld, &options, &alone);                                                            \
  CHECK_SHOW(result.status == number && !strcmp(result.message, alone.message), "%s, alone %s", result.message, \
             alone.message);                                                                                   \
  CHECK(same_on_all(&result));
  REFUSED(N, N, NULL, N, PERM_ERROR_NULL)
  REFUSED(N, N, a, N - 1, PERM_ERROR_STRIDE)
  REFUSED(-1, N, a, N, PERM_ERROR_SIZE)
  REFUSED(0, 0, NULL, 0, PERM_OK)
  options.method = PERM_METHOD_FRONTIER;
  REFUSED(N, N, a, N, alone.status)
  options.method = PERM_METHOD_AUTO;
  a[5] = NAN;
  REFUSED(N, N, a, N, PERM_ERROR_NOT_FINITE)
  a[5] = 1;
  options.threads = -1;
  REFUSED(N, N, a, N, PERM_ERROR_OPTION)
  options.threads = 1;
  CHECK(perm_mpi_real(MPI_COMM_WORLD, N, N, a, N, &options, NULL) == PERM_ERROR_NULL);
  options.checkpoint.part = 1;
  options.checkpoint.parts = 2;
  CHECK(perm_mpi_real(MPI_COMM_WORLD, N, N, a, N, &options, &result) == PERM_ERROR_OPTION);
  CHECK_TEXT(result.message, "parts go without MPI");
}

static void big_matrix(perm_matrix *matrix)
{
  perm_result result;
  memset(matrix, 0, sizeof *matrix);
  if (mpi_rank == 0)
    perm_generate("uniform:26", 3, NULL, matrix, &result);
}

#define CHECKPOINT "build/mpi/tests.checkpoint"

/* A stop, by time or by any rank's cancel, and a start with the checkpoint: the same bits. */
TEST(t_mpi_stops_and_resumes)
{
  perm_options options = mpi_options();
  perm_result alone, result;
  perm_matrix matrix;
  volatile int cancel;
  int rank, stopped = 0;
  big_matrix(&matrix);
  memset(&alone, 0, sizeof alone);
  options.checkpoint.file = CHECKPOINT;
  options.checkpoint.seconds = 1e-3;
  permi_mpi_fault.delay = 0.004;
  for (rank = -1; rank < mpi_ranks; rank++) {
    remove(CHECKPOINT);
    cancel = rank == mpi_rank;
    options.cancel = &cancel;
    options.max_seconds = rank < 0 ? 0.01 : 0;
    perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result);
    CHECK_SHOW(result.status == (rank < 0 ? PERM_STOPPED_TIME : PERM_STOPPED_CANCELLED), "%d: %s", rank,
               result.message);
    CHECK_TEXT(result.message, "there is no value, only the sum of the terms so far");
    CHECK(same_on_all(&result));
    stopped += result.status > 0;
    cancel = 0;
    options.max_seconds = 0;
    perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result);
    if (mpi_rank == 0) {
      perm_options single = mpi_options();
      single.checkpoint.file = "build/mpi/none";
      remove(single.checkpoint.file);
      perm_compute_sparse(&matrix, &single, &alone);
      remove(single.checkpoint.file);
    }
    CHECK_SHOW(mpi_rank || same_bits(&alone, &result), "%.17g, alone %.17g: %s", result.value, alone.value,
               result.message);
    CHECK(same_on_all(&result));
  }
  /* a finished job's file answers without computing, one process too, and the other way round */
  permi_mpi_fault_ranges = 0;
  perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result);
  ALL(permi_mpi_fault_ranges == 0);
  CHECK(mpi_rank || same_bits(&alone, &result));
  if (mpi_rank == 0) {
    options.checkpoint.seconds = 0;
    CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK && same_bits(&alone, &result));
    remove(CHECKPOINT);
    options.max_seconds = 0.01;
    perm_compute_sparse(&matrix, &options, &result);
  }
  options.max_seconds = 0;
  perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result);
  CHECK(mpi_rank || same_bits(&alone, &result));
  perm_matrix_free(&matrix);
}

/* A checkpoint that cannot be written or belongs to another matrix: refused by name on all ranks, and left alone. */
TEST(t_mpi_strange_checkpoints)
{
  perm_options options = mpi_options();
  perm_result result;
  perm_matrix matrix;
  big_matrix(&matrix);
  options.checkpoint.file = "build/no/such/directory/file";
  CHECK(perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result) == PERM_ERROR_FILE);
  CHECK_TEXT(result.message, "build/no/such/directory/file");
  CHECK(same_on_all(&result));
  options.checkpoint.file = CHECKPOINT;
  remove(CHECKPOINT);
  CHECK(perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result) == PERM_OK);
  if (mpi_rank == 0)
    matrix.real[5] *= 2;
  CHECK(perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result) == PERM_ERROR_STATE);
  CHECK_TEXT(result.message, CHECKPOINT);
  CHECK(same_on_all(&result));
  if (mpi_rank == 0)
    matrix.real[5] /= 2;
  CHECK(perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result) == PERM_OK);
  perm_matrix_free(&matrix);
}

/* A rank that fails ends the job everywhere with a status that names it, and the checkpoint is good. */
TEST(t_mpi_a_rank_fails)
{
  perm_options options = mpi_options();
  perm_result alone, result;
  perm_matrix matrix;
  char name[32];
  int rank, fault;
  big_matrix(&matrix);
  memset(&alone, 0, sizeof alone);
  if (mpi_ranks == 1)
    SKIP("one rank");
  options.checkpoint.file = CHECKPOINT;
  if (mpi_rank == 0) {
    remove(CHECKPOINT);
    perm_compute_sparse(&matrix, &options, &alone);
  }
  for (rank = 0; rank < mpi_ranks; rank++)
    for (fault = 0; fault < 6; fault++) {
      static const perm_status expected[] = {PERM_ERROR_MEMORY, PERM_ERROR_MEMORY, PERM_ERROR_DEVICE,
                                             PERM_ERROR_DEVICE, PERM_ERROR_STATE,  PERM_ERROR_STATE};
      static const char *const words[] = {"out of memory", "out of memory", "off the bus",
                                          "off the bus", "another version or build", "another matrix"};
      const int at = fault & 1 && rank ? 2 : 1; /* rank 0 may have one range only */
      if (rank == 0 && fault >= 4) /* the others differ from rank 0 */
        continue;
      remove(CHECKPOINT);
      no_fault();
      permi_mpi_fault.rank = rank;
      permi_mpi_fault.delay = 0.001;
      permi_mpi_fault.memory_at = fault < 2 ? at : 0;
      permi_mpi_fault.device_at = fault == 2 || fault == 3 ? at : 0;
      permi_mpi_fault.version = fault == 4;
      permi_mpi_fault.matrix = fault == 5;
      perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result);
      snprintf(name, sizeof name, "rank %d (", rank);
      CHECK_SHOW(result.status == expected[fault], "fault %d of rank %d: %s", fault, rank, result.message);
      CHECK_TEXT(result.message, words[fault]);
      CHECK_TEXT(result.message, name);
      CHECK(result.value != result.value);
      CHECK(same_on_all(&result));
      no_fault();
      perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result);
      CHECK_SHOW(mpi_rank || same_bits(&alone, &result), "fault %d of rank %d, again: %s", fault, rank,
                 result.message);
    }
  perm_matrix_free(&matrix);
}

/* Every allocation of every rank fails once: memory on all ranks, or it did not matter. */
static int allocations, allocations_left, allocations_live;
static void *failing_allocate(size_t bytes, void *user_data)
{
  (void)user_data;
  if (allocations++ == allocations_left)
    return NULL;
  allocations_live++;
  return malloc(bytes);
}
static void failing_release(void *pointer, void *user_data)
{
  (void)user_data;
  allocations_live -= pointer != NULL;
  free(pointer);
}

TEST(t_mpi_allocations_fail)
{
  static const char *const kinds[] = {"uniform:18", "er:20:0.5"};
  perm_matrix matrix;
  perm_result alone, result;
  perm_options options = mpi_options();
  int kind, rank, k, failed = 0, most;
  for (kind = 0; kind < 2; kind++) {
    memset(&matrix, 0, sizeof matrix);
    memset(&alone, 0, sizeof alone);
    options = mpi_options();
    options.method = kind ? PERM_METHOD_HYBRID : PERM_METHOD_AUTO;
    if (mpi_rank == 0) {
      perm_generate(kinds[kind], 5, NULL, &matrix, &alone);
      perm_compute_sparse(&matrix, &options, &alone);
    }
    options.allocator.allocate = failing_allocate;
    options.allocator.release = failing_release;
    for (rank = 0; rank < mpi_ranks; rank++)
      for (k = 0, most = 1; k < most; k += kind ? 7 : 1) { /* until a run needs no more than k */
        allocations = 0;
        allocations_left = mpi_rank == rank ? k : -1;
        perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result);
        most = allocations;
        MPI_Bcast(&most, 1, MPI_INT, rank, MPI_COMM_WORLD);
        CHECK_SHOW(mpi_rank || result.status == PERM_ERROR_MEMORY || same_bits(&alone, &result),
                   "%s, rank %d, allocation %d: %d %s", kinds[kind], rank, k, result.status, result.message);
        CHECK(same_on_all(&result));
        ALL(allocations_live == 0);
        failed += result.status == PERM_ERROR_MEMORY;
        most = most > k ? k + 1000 : most;
      }
    perm_matrix_free(&matrix);
  }
  CHECK(failed > 10 * mpi_ranks);
}

/* Jobs made by the caller; ranks with different ones are told apart. */
TEST(t_mpi_execute)
{
  enum { N = 20 };
  static double a[N * N];
  perm_options options = mpi_options();
  perm_job *job;
  perm_state *state;
  perm_result alone, result;
  int i;
  for (i = 0; i < N * N; i++)
    a[i] = test_uniform();
  CHECK(perm_job_real(N, N, a, N, &options, &job, &alone) == PERM_OK);
  CHECK(perm_state_create(job, &state) == PERM_OK);
  perm_compute_real(N, N, a, N, &options, &alone);
  perm_mpi_execute(MPI_COMM_WORLD, job, mpi_rank ? NULL : state, mpi_rank ? NULL : &options, &result);
  CHECK_SHOW(same_bits(&alone, &result), "%.17g, alone %.17g: %s", result.value, alone.value, result.message);
  CHECK(same_on_all(&result));
  CHECK(mpi_rank || (perm_state_finish(job, state, &result) == PERM_OK && same_bits(&alone, &result)));
  perm_state_free(state);
  perm_job_free(job);
  if (mpi_ranks > 1) {
    a[7] += mpi_rank == mpi_ranks - 1;
    perm_job_real(N, N, a, N, &options, &job, &alone);
    perm_state_create(job, &state);
    CHECK(perm_mpi_execute(MPI_COMM_WORLD, job, state, &options, &result) == PERM_ERROR_STATE);
    CHECK_TEXT(result.message, "another matrix");
    CHECK(same_on_all(&result));
    perm_state_free(state);
    perm_job_free(job);
  }
}

/* One processor that can do less: its family for all. */
TEST(t_mpi_family)
{
  perm_options options = mpi_options();
  perm_result alone, result;
  perm_matrix matrix;
  if (mpi_ranks == 1 || perm_isa_best() == PERM_ISA_PLAIN)
    SKIP("one rank, or portable C only");
  memset(&matrix, 0, sizeof matrix);
  if (mpi_rank == 0)
    perm_generate("uniform:23", 3, NULL, &matrix, &result);
  memset(&alone, 0, sizeof alone);
  permi_mpi_fault.rank = mpi_ranks - 1;
  permi_mpi_fault.isa = PERM_ISA_PLAIN;
  perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result);
  CHECK(result.isa == PERM_ISA_PLAIN);
  options.isa = PERM_ISA_PLAIN;
  if (mpi_rank == 0)
    perm_compute_sparse(&matrix, &options, &alone);
  CHECK(mpi_rank || same_bits(&alone, &result));
  CHECK(same_on_all(&result));
  /* a checkpoint keeps to its family where a better one is at hand, and one that needs more is refused */
  options.isa = PERM_ISA_AUTO;
  options.checkpoint.file = CHECKPOINT;
  options.max_seconds = 0.01;
  permi_mpi_fault.delay = 0.004;
  remove(CHECKPOINT);
  CHECK(perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result) == PERM_STOPPED_TIME);
  no_fault();
  options.max_seconds = 0;
  perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result);
  CHECK_SHOW(mpi_rank || same_bits(&alone, &result), "%s", result.message);
  remove(CHECKPOINT);
  perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result);
  CHECK(result.isa != PERM_ISA_PLAIN);
  permi_mpi_fault.rank = mpi_ranks - 1;
  permi_mpi_fault.isa = PERM_ISA_PLAIN;
  CHECK_SHOW(perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result) == PERM_ERROR_STATE, "%s", result.message);
  CHECK_TEXT(result.message, CHECKPOINT);
  perm_matrix_free(&matrix);
}

/* Rank 0 calls, the others serve; and a part of the ranks is a communicator like another. */
TEST(t_mpi_serve)
{
  perm_options options = mpi_options();
  perm_result alone, result;
  perm_matrix matrix;
  MPI_Comm half;
  int i;
  big_matrix(&matrix);
  if (mpi_rank == 0) {
    perm_compute_sparse(&matrix, &options, &alone);
    for (i = 0; i < 3; i++) {
      perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result);
      CHECK(same_bits(&alone, &result));
    }
    CHECK(perm_mpi_dismiss(MPI_COMM_WORLD) == PERM_OK);
  } else {
    CHECK(perm_mpi_serve(MPI_COMM_WORLD, NULL) == PERM_OK);
  }
  perm_matrix_free(&matrix);
  MPI_Comm_split(MPI_COMM_WORLD, mpi_rank & 1, -mpi_rank, &half);
  perm_generate("uniform:21", 9, NULL, &matrix, &result);
  perm_compute_sparse(&matrix, &options, &alone);
  perm_mpi_sparse(half, &matrix, &options, &result);
  ALL(same_bits(&alone, &result));
  MPI_Comm_free(&half);
  perm_matrix_free(&matrix);
}

static int told;
static char told_activity[200];
static int tell(const perm_progress *progress, void *user_data)
{
  told += progress->fraction >= 0 && progress->fraction <= 1 && user_data == &told;
  snprintf(told_activity, sizeof told_activity, "%s", progress->activity);
  return told == 2;
}

TEST(t_mpi_progress)
{
  perm_options options = mpi_options();
  perm_result result;
  perm_matrix matrix;
  if (mpi_ranks == 1)
    SKIP("one rank");
  memset(&matrix, 0, sizeof matrix);
  if (mpi_rank == 0)
    perm_generate("uniform:30", 3, NULL, &matrix, &result);
  options.progress = mpi_rank ? NULL : tell;
  options.user_data = &told;
  told = 0;
  permi_mpi_fault.delay = 0.05;
  CHECK(perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result) == PERM_STOPPED_CANCELLED);
  CHECK(mpi_rank || told == 2);
  CHECK_TEXT(mpi_rank ? "ranks on 1 node, " : told_activity, "ranks on 1 node, ");
  CHECK(same_on_all(&result));
  perm_matrix_free(&matrix);
}

static int one_job(const char *kind, const char *method, const char *checkpoint, const char *directory)
{
  perm_options options;
  perm_matrix matrix;
  perm_result result;
  char name[256], value[PERM_TEXT_BYTES];
  FILE *file;
  int k = 0;
  memset(&options, 0, sizeof options);
  memset(&matrix, 0, sizeof matrix);
  options.threads = 1;
  while (k < PERM_METHOD_COUNT && strcmp(method, perm_name("method", (perm_method)k)))
    k++;
  options.method = (perm_method)k;
  options.checkpoint.file = *checkpoint ? checkpoint : CHECKPOINT; /* with one, precision does not rise */
  options.checkpoint.seconds = 0.01;
  permi_mpi_fault.rank = -1;
  permi_mpi_fault.least = 1e-12;
  permi_mpi_fault.delay = 0.05;
  snprintf(name, sizeof name, "%s/%d.new", directory, mpi_rank);
  file = fopen(name, "w");
  if (file) {
    char last[256];
    fprintf(file, "%ld\n", (long)getpid());
    fclose(file);
    snprintf(last, sizeof last, "%s/%d", directory, mpi_rank);
    rename(name, last);
  }
  if (mpi_rank == 0)
    perm_generate(kind, 11, NULL, &matrix, &result);
  if (*checkpoint) {
    perm_mpi_sparse(MPI_COMM_WORLD, &matrix, &options, &result);
  } else {
    remove(CHECKPOINT);
    perm_compute_sparse(&matrix, &options, &result);
  }
  if (mpi_rank == 0) {
    perm_result_text(&result, value, sizeof value);
    printf("%s %s %a %a %a %.0f\n", value, perm_name("method", result.method), result.value, result.imaginary,
           result.error_estimate, result.terms);
    if (result.status != PERM_OK)
      printf("%s\n", result.message);
    fflush(stdout);
  }
  perm_matrix_free(&matrix);
  return result.status != PERM_OK;
}

int main(int argc, char **argv)
{
  int level, code, worst;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &mpi_ranks);
  if (argc == 6 && !strcmp(argv[1], "--job")) {
    code = one_job(argv[2], argv[3], argv[4], argv[5]);
    MPI_Finalize();
    return code;
  }
  mpi_threads = 1;
  if (argc > 2 && !strcmp(argv[1], "-t")) {
    mpi_threads = atoi(argv[2]);
    argv[2] = argv[0];
    argv += 2;
    argc -= 2;
  }
  if (mpi_rank && !freopen("/dev/null", "w", stdout))
    return 1;
  test_before = no_fault;
  code = test_main(argc, argv);
  MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (mpi_rank == 0 && worst != code)
    printf("FAIL on another rank\n0 passed, 1 failed, 0 skipped\n");
  MPI_Finalize();
  return worst;
}
/* SPDX-License-Identifier: MIT */
