/* >>calls, >>sparse_calls, >>more_calls, >>memory, >>files */
/* Every public function, with every allocation and every write failing once: a clean status, nothing leaks, and the
   same call afterwards gives what it gave before. The table must name every PERM_API function of both headers;
   those without a call neither allocate nor write (texts, names, what frees). Allocations come from options.allocator
   where a function has options, and then only from there. */

/* Allocation by the C library, for what has no options; all.c puts this under the headers' malloc and free. */
typedef struct fault_memory { long calls, fail_at, live; } fault_memory;
static fault_memory fault_own; /* what options.allocator gives; the other is test_heap of all.c */

static void *fault_allocate(size_t bytes, void *user_data)
{
  fault_memory *memory = (fault_memory *)user_data;
  const long number = __atomic_add_fetch(&memory->calls, 1, __ATOMIC_RELAXED);
  void *pointer = number == memory->fail_at ? NULL : (malloc)(bytes);
  if (pointer)
    __atomic_add_fetch(&memory->live, 1, __ATOMIC_RELAXED);
  return pointer;
}

static void fault_release(void *pointer, void *user_data)
{
  if (pointer)
    __atomic_sub_fetch(&((fault_memory *)user_data)->live, 1, __ATOMIC_RELAXED);
  (free)(pointer);
}

/* A disk of so many bytes (-1: no end of them), for files that the headers write through the C library. */
static struct { long room, opened; int close_fails; } fault_disk = {-1, 0, 0};

#if defined(__GLIBC__)
static ssize_t fault_disk_write(void *cookie, const char *data, size_t bytes)
{
  const size_t fits = (long)bytes <= fault_disk.room ? bytes : (size_t)fault_disk.room;
  const size_t written = fwrite(data, 1, fits, (FILE *)cookie);
  fault_disk.room -= (long)fits;
  if (written == bytes)
    return (ssize_t)bytes;
  errno = ENOSPC;
  return (ssize_t)written;
}

static int fault_disk_close(void *cookie)
{
  const int code = fclose((FILE *)cookie);
  errno = EIO;
  return fault_disk.close_fails ? EOF : code;
}
#endif

/* Signals, of which each interrupts an opening or a read of a file once; and a file, if `bytes` is not 0, of so many
   bytes: a comment, and at its end the lines 1 2 and 3 4. */
static struct { long opens, reads, bytes, given; } fault_source;

#if defined(__GLIBC__)
static ssize_t fault_source_read(void *cookie, char *to, size_t bytes)
{
  static const char last[] = "\n1 2\n3 4\n";
  const long tail = (long)sizeof last - 1, left = fault_source.bytes - fault_source.given;
  const size_t count = (long)bytes < left ? bytes : (size_t)left;
  size_t k;
  if (fault_source.reads > 0) {
    fault_source.reads--;
    errno = EINTR;
    return -1;
  }
  if (cookie)
    return (ssize_t)fread(to, 1, bytes < 1000 ? bytes : 1000, (FILE *)cookie);
  memset(to, '#', count);
  for (k = (long)count > left - tail ? (size_t)(left > tail ? left - tail : 0) : count; k < count; k++)
    to[k] = last[tail - left + (long)k];
  fault_source.given += (long)count;
  return (ssize_t)count;
}

static int fault_source_close(void *cookie)
{
  return cookie ? fclose((FILE *)cookie) : 0;
}
#endif

static FILE *fault_stream(FILE *file, const char *mode)
{
#if defined(__GLIBC__)
  if (*mode == 'r' && ((file && fault_source.reads) || fault_source.bytes)) {
    cookie_io_functions_t functions = {fault_source_read, NULL, NULL, fault_source_close};
    return fopencookie(file, "r", functions);
  }
  if (file && *mode == 'w' && fault_disk.room >= 0) {
    cookie_io_functions_t functions = {NULL, fault_disk_write, NULL, fault_disk_close};
    fault_disk.opened++;
    return fopencookie(file, "w", functions);
  }
#endif
  (void)mode;
  return file;
}

static FILE *test_fopen(const char *path, const char *mode)
{
  if (*mode == 'r' && fault_source.opens > 0) {
    fault_source.opens--;
    errno = EINTR;
    return NULL;
  }
  return fault_stream(*mode == 'r' && fault_source.bytes ? NULL : fopen(path, mode), mode);
}

__attribute__((unused)) static FILE *test_fdopen(int descriptor, const char *mode)
{
  return fault_stream(fdopen(descriptor, mode), mode);
}

enum { FAULT_N = 17, FAULT_SMALL = 5 };

/* What the calls work on, made before anything fails. */
static struct {
  double real[2 * FAULT_N * FAULT_N], nodes[4 * FAULT_N];
  int64_t integer[2 * FAULT_N * FAULT_N];
  int ones[FAULT_N], twice[FAULT_N], select[64];
  perm_matrix matrix;
  perm_job *job;
  perm_state *state; /* everything is done */
  perm_partial partial;
  unsigned char bytes[65536];
  size_t size;
  char path[128], other[128];
  perm_options options;
} fault;

/* What a call gives: its result, or a hash of its other output. */
typedef struct fault_outcome { perm_status status; perm_result r; uint64_t hash; int no_result; } fault_outcome;

static void fault_hash(fault_outcome *o, const void *data, size_t bytes)
{
  const unsigned char *p = (const unsigned char *)data;
  size_t k;
  for (k = 0; k < bytes; k++)
    o->hash = (o->hash ^ p[k]) * UINT64_C(1099511628211);
}

static const char *fault_name;

/* On an error all are NaN; of a batch at least the matrix that failed is. */
static void fault_doubles(fault_outcome *o, const double *x, size_t count)
{
  size_t nans = 0, k;
  for (k = 0; k < count; k++)
    nans += x[k] != x[k];
  if (o->status >= 0)
    fault_hash(o, x, count * sizeof *x);
  else
    CHECK_SHOW(nans == count || (nans > 0 && (!strncmp(fault_name, "perm_batch", 10) ||
                                              !strncmp(fault_name, "perm_select", 11))),
               "%s: %d NaN of %d", fault_name, (int)nans, (int)count);
}

static void fault_file(fault_outcome *o, const char *path)
{
  static char text[1 << 20];
  FILE *file = fopen(path, "rb");
  if (!file)
    return;
  fault_hash(o, text, fread(text, 1, sizeof text, file));
  fclose(file);
}

/* With the fault off, for what a call needs afresh. */
static long fault_paused[2];
static void fault_pause(void)
{
  fault_paused[0] = fault_own.fail_at;
  fault_paused[1] = test_heap.fail_at;
  fault_own.fail_at = test_heap.fail_at = 0;
}
static void fault_go_on(void)
{
  fault_own.fail_at = fault_paused[0];
  fault_own.calls = test_heap.calls = 0;
  test_heap.fail_at = fault_paused[1];
}

#define FAULT_RUN(name, code) static void fault_run_##name(fault_outcome *o) { perm_options *opt = &fault.options; \
    (void)opt; code }
#define R fault.real
#define Z fault.integer
#define N FAULT_N
FAULT_RUN(perm_real, { double x = perm_real(N, R); o->no_result = 1; o->status = x == x ? PERM_OK : PERM_ERROR_MEMORY;
          fault_doubles(o, &x, 1); })
FAULT_RUN(perm_complex, { double x[2]; o->no_result = 1; o->status = perm_complex(N, R, x);
          fault_doubles(o, x, 2); })
FAULT_RUN(perm_compute_real, { o->status = perm_compute_real(N, N, R, N, opt, &o->r); })
FAULT_RUN(perm_compute_complex, { o->status = perm_compute_complex(N, N, R, N, opt, &o->r); })
FAULT_RUN(perm_compute_integer, { o->status = perm_compute_integer(N, N, Z, N, opt, &o->r); })
FAULT_RUN(perm_compute_gaussian, { o->status = perm_compute_gaussian(N - 1, N - 1, Z, N - 1, opt, &o->r); })
FAULT_RUN(perm_prove_integer, { o->status = perm_prove_integer(8, 8, Z, N, fault.path, opt, &o->r); })
FAULT_RUN(perm_prove_gaussian, { o->status = perm_prove_gaussian(6, 6, Z, 6, fault.path, opt, &o->r); })
FAULT_RUN(perm_prove_sparse, {
  perm_matrix ones;
  size_t start[7];
  int column[36];
  int k;
  for (k = 0; k < 36; k++)
    column[k] = k % 6;
  for (k = 0; k < 7; k++)
    start[k] = (size_t)(6 * k);
  CHECK(perm_matrix_borrow_csr(6, 6, start, column, NULL, NULL, NULL, PERM_KIND_PATTERN, &ones, NULL) == PERM_OK);
  o->status = perm_prove_sparse(&ones, fault.path, opt, &o->r);
})
#define FAULT_REPEATED(kind, a) FAULT_RUN(perm_compute_repeated_##kind, { \
    o->status = perm_compute_repeated_##kind(10, 10, a, 10, fault.twice, fault.twice, opt, &o->r); })
FAULT_REPEATED(real, R)
FAULT_REPEATED(complex, R)
FAULT_REPEATED(integer, Z)
FAULT_REPEATED(gaussian, Z)
#define FAULT_JOB(name, call) FAULT_RUN(name, { perm_job *job = NULL; o->status = call; \
    if (o->status == PERM_OK) { uint64_t print = perm_job_fingerprint(job); fault_hash(o, &print, 8); } \
    CHECK((o->status == PERM_OK) == (job != NULL)); o->r.value = NAN; perm_job_free(job); })
FAULT_JOB(perm_job_integer, perm_job_integer(N, N, Z, N, opt, &job, &o->r))
FAULT_JOB(perm_job_gaussian, perm_job_gaussian(N / 2, N / 2, Z, N / 2, opt, &job, &o->r))
FAULT_JOB(perm_job_real, perm_job_real(N, N, R, N, opt, &job, &o->r))
FAULT_JOB(perm_job_complex, perm_job_complex(N / 2, N / 2, R, N / 2, opt, &job, &o->r))
FAULT_JOB(perm_sparse_job, perm_sparse_job(&fault.matrix, opt, &job, &o->r))
FAULT_RUN(perm_job_run, { perm_partial p; memset(&p, 0, sizeof p); o->no_result = 1;
          o->status = perm_job_run(fault.job, 0, 0, 1, &p);
          if (o->status == PERM_OK) fault_hash(o, &p.value, sizeof p.value); })
FAULT_RUN(perm_job_range, { perm_partial p; perm_leaf leaf = {0}; perm_job_leaf(fault.job, 0, &leaf);
          o->status = perm_job_range(fault.job, 0, 0, leaf.chunks, opt, &p, &o->r);
          if (o->status == PERM_OK) fault_hash(o, &p.value, sizeof p.value); })
FAULT_RUN(perm_job_finish, { o->status = perm_job_finish(fault.job, &fault.partial, &o->r); })
FAULT_RUN(perm_job_explain, { char text[4000]; o->no_result = 1;
          fault_hash(o, text, perm_job_explain(fault.job, text, 4000)); })
FAULT_RUN(perm_job_execute, { perm_state *s; fault_pause(); perm_state_create(fault.job, &s); fault_go_on();
          o->status = perm_job_execute(fault.job, s, opt, &o->r); perm_state_free(s); })
FAULT_RUN(perm_state_create, { perm_state *s = NULL; o->no_result = 1; o->status = perm_state_create(fault.job, &s);
          CHECK((o->status == PERM_OK) == (s != NULL)); perm_state_free(s); })
FAULT_RUN(perm_state_add, { perm_state *s; perm_leaf leaf = {0}; perm_job_leaf(fault.job, 0, &leaf);
          fault_pause(); perm_state_create(fault.job, &s); fault_go_on();
          o->status = perm_state_add(fault.job, s, 0, 0, leaf.chunks, &fault.partial, &o->r); perm_state_free(s); })
FAULT_RUN(perm_state_merge, { perm_state *s; fault_pause(); perm_state_create(fault.job, &s); fault_go_on();
          o->status = perm_state_merge(fault.job, s, fault.state, &o->r); perm_state_free(s); })
FAULT_RUN(perm_state_finish, { o->status = perm_state_finish(fault.job, fault.state, &o->r); })
FAULT_RUN(perm_state_encode, { static unsigned char to[65536]; o->no_result = 1;
          fault_hash(o, to, perm_state_encode(fault.job, fault.state, opt, to, sizeof to)); })
FAULT_RUN(perm_state_decode, { perm_state *s = NULL;
          o->status = perm_state_decode(fault.job, fault.bytes, fault.size, &s, &o->r);
          CHECK((o->status == PERM_OK) == (s != NULL)); perm_state_free(s); })
FAULT_RUN(perm_checkpoint_write, { o->status = perm_checkpoint_write(fault.job, fault.state, fault.path, opt, &o->r); })
FAULT_RUN(perm_checkpoint_read, { perm_state *s = NULL;
          o->status = perm_checkpoint_read(fault.job, fault.other, opt, &s, &o->r);
          CHECK((o->status == PERM_OK) == (s != NULL)); perm_state_free(s); })
FAULT_RUN(perm_checkpoint_options, { perm_options found = *opt; char *note = NULL;
          o->status = perm_checkpoint_options(fault.other, &found, &note, &o->r);
          CHECK((o->status == PERM_OK) == (note != NULL && strlen(note) == 7));
          if (opt->allocator.release) opt->allocator.release(note, opt->allocator.user_data); else test_free(note); })
FAULT_RUN(perm_compute_low_rank_real, { o->status = perm_compute_low_rank_real(N, 2, R, 2, R, N, opt, &o->r); })
FAULT_RUN(perm_compute_low_rank_complex, {
          o->status = perm_compute_low_rank_complex(N / 2, 2, R, 2, R, N / 2, opt, &o->r); })
FAULT_RUN(perm_compute_cauchy_real, {
          o->status = perm_compute_cauchy_real(N, fault.nodes, fault.nodes + N, opt, NULL, &o->r); })
FAULT_RUN(perm_compute_cauchy_complex, {
          o->status = perm_compute_cauchy_complex(N, fault.nodes, fault.nodes + 2 * N, opt, NULL, &o->r); })
#define FAULT_ESTIMATE(kind, n) FAULT_RUN(perm_estimate_##kind, { perm_estimate e; perm_estimate_plan plan; \
    memset(&plan, 0, sizeof plan); plan.samples = 512; o->no_result = 1; \
    o->status = perm_estimate_##kind(n, R, n, &plan, opt, &e); CHECK(o->status == e.status); \
    fault_doubles(o, &e.value, 1); })
FAULT_ESTIMATE(real, N)
FAULT_ESTIMATE(complex, N / 2)
#define FAULT_LIST(name, count, call) FAULT_RUN(name, { double list[2 * FAULT_N * FAULT_N]; \
    memset(list, 0, sizeof list); o->status = call; fault_doubles(o, list, count); \
    o->r.value = o->status < 0 ? NAN : 0; })
FAULT_LIST(perm_minors_real, N, perm_minors_real(N, N, R, N, NULL, NULL, 1, opt, list, &o->r))
FAULT_LIST(perm_minors_complex, 20, perm_minors_complex(10, 10, R, 10, fault.twice, fault.twice, 1, opt, list, &o->r))
FAULT_LIST(perm_gradient_real, N * N, perm_gradient_real(N, N, R, N, NULL, NULL, opt, list, &o->r))
FAULT_LIST(perm_gradient_complex, 200, perm_gradient_complex(10, 10, R, 10, fault.twice, fault.twice, opt, list, &o->r))
FAULT_LIST(perm_marginals_real, N * N, perm_marginals_real(N, N, R, N, NULL, NULL, opt, list, &o->r))
#define FAULT_BATCH(kind, n, count, stride, a, doubles) \
  FAULT_LIST(perm_batch_##kind, doubles, perm_batch_##kind(n, count, a, stride, opt, list, &o->r))
FAULT_BATCH(real, 13, 2, 169, R, 2)
FAULT_BATCH(complex, 5, 7, 25, R, 14)
FAULT_BATCH(real_soa, 5, 7, 7, R, 7)
FAULT_BATCH(complex_soa, 5, 7, 7, R, 14)
FAULT_LIST(perm_select_real, 8, perm_select_real(N, N, R, N, 7, 8, NULL, fault.select, opt, list, &o->r))
FAULT_LIST(perm_select_complex, 16, perm_select_complex(9, 9, R, 9, 7, 8, fault.select, fault.select, opt, list, &o->r))
#define FAULT_MATRIX(name, call) FAULT_RUN(name, { perm_matrix made; o->status = call; \
    CHECK(o->status == PERM_OK || (!made.row_start && !made.column && !made.nnz)); o->r.value = NAN; \
    if (o->status == PERM_OK) fault_hash(o, made.column, made.nnz * sizeof *made.column); perm_matrix_free(&made); })
static perm_integer fault_below;
FAULT_MATRIX(perm_matrix_read, perm_matrix_read("build/fault.mtx", opt, &made, &fault_below, &o->r))
FAULT_MATRIX(perm_matrix_read_memory, perm_matrix_read_memory("3 0\n+1i 2\n", 10, NULL, opt, &made, &o->r))
FAULT_MATRIX(perm_matrix_from_dense, perm_matrix_from_dense(N, N, R, N, opt, &made, &o->r))
FAULT_MATRIX(perm_matrix_from_triplets, perm_matrix_from_triplets(N, N, 3, fault.ones, fault.select, R, R, Z,
                                                                 PERM_KIND_COMPLEX, opt, &made, &o->r))
static const size_t fault_rows[] = {0, 2, 3};
FAULT_MATRIX(perm_matrix_from_csr, perm_matrix_from_csr(2, 7, fault_rows, fault.select, R, R, Z, PERM_KIND_INTEGER, opt,
                                                       &made, &o->r))
FAULT_MATRIX(perm_matrix_from_edges, perm_matrix_from_edges(7, 7, 3, fault.select, R, 0, opt, &made, &o->r))
static int fault_take(perm_matrix *made, const perm_integer *below, unsigned long long line, void *user_data)
{
  (void)below, (void)line;
  fault_hash((fault_outcome *)user_data, made->column, made->nnz * sizeof *made->column);
  perm_matrix_free(made);
  return 0;
}
FAULT_RUN(perm_matrix_read_each, { o->status = perm_matrix_read_each("build/fault.mtx", opt, fault_take, o, &o->r);
                                   o->r.value = NAN; })
static void fault_rook(fault_outcome *o, const perm_options *options)
{
  static size_t start[] = {0, 2, 4, 6};
  static int column[] = {0, 1, 1, 2, 0, 2};
  static perm_integer numbers[4];
  perm_matrix board;
  int k;
  memset(&board, 0, sizeof board);
  board.kind = PERM_KIND_PATTERN;
  board.m = board.n = 3;
  board.nnz = 6;
  board.row_start = start;
  board.column = column;
  o->status = perm_rook_numbers(&board, options, numbers, &o->r);
  for (k = 0; o->status == PERM_OK && k < 4; k++)
    fault_hash(o, numbers[k].word, sizeof *numbers[k].word);
}

FAULT_RUN(perm_matrix_write, {
  o->status = perm_matrix_write(fault.path, &fault.matrix, opt, &o->r);
})
FAULT_RUN(perm_compute_sparse, { o->status = perm_compute_sparse(&fault.matrix, opt, &o->r); })
FAULT_RUN(perm_sparse_report, { perm_preparation p; o->status = perm_sparse_report(&fault.matrix, opt, &p, &o->r);
          if (o->status == PERM_OK) fault_hash(o, &p.entries, sizeof p.entries); })
FAULT_RUN(perm_workspace_create, { perm_options kept = *opt;
          o->status = perm_workspace_create(&opt->allocator, &kept.allocator);
          if (o->status != PERM_OK) { o->no_result = 1; return; }
          o->status = perm_compute_sparse(&fault.matrix, &kept, &o->r);
          perm_workspace_free(&kept.allocator);
          CHECK(!memcmp(&kept.allocator, &opt->allocator, sizeof kept.allocator)); })
FAULT_RUN(perm_rook_numbers, { fault_rook(o, opt); })
#include "faults_more.h"
FAULT_RUN(perm_sparse_spy, { o->status = perm_sparse_spy(&fault.matrix, opt, fault.path, NULL, &o->r); })
FAULT_RUN(perm_sample_sparse, { perm_matrix a = fault.matrix; double x[N * N]; int drawn[4 * N]; int k;
          CHECK(a.n <= N && a.nnz <= N * N && a.kind == PERM_KIND_REAL);
          for (k = 0; k < (int)a.nnz; k++)
            x[k] = fabs(a.real[k]);
          a.real = x;
          o->status = perm_sample_sparse(&a, opt, 1, 0, 4, drawn, &o->r);
          if (o->status == PERM_OK) fault_hash(o, drawn, 4 * (size_t)a.n * sizeof *drawn); })
/* chances: of entries >= 0 (2: in a batch); else exact ones of whole numbers. */
static void fault_derive(fault_outcome *o, const perm_options *opt, int chances, int whole)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_LISTS, PERM_METHOD_ARRAYS};
  static perm_integer integer[FAULT_N * FAULT_N];
  double x[FAULT_N * FAULT_N], out[FAULT_N * FAULT_N];
  uint64_t residue[FAULT_N * FAULT_N];
  perm_matrix a = fault.matrix;
  const perm_matrix *scene = &a;
  double *const list = out;
  perm_options options = *opt;
  int k;
  CHECK(a.nnz <= FAULT_N * FAULT_N && a.kind == PERM_KIND_REAL);
  for (k = 0; k < (int)a.nnz; k++)
    x[k] = whole ? k % 5 - 2 : chances ? fabs(a.real[k]) : a.real[k];
  a.real = x;
  options.modulus = whole == 2 ? 97 : 0;
  for (k = 0, o->status = PERM_OK; k < 3 && o->status == PERM_OK; k++) {
    options.method = methods[k];
    o->status = whole == 2 ? perm_gradient_sparse_mod(&a, &options, residue, &o->r)
                : whole    ? perm_gradient_sparse_integer(&a, &options, integer, &o->r)
                : chances == 2 ? perm_marginals_sparse_batch(1, &scene, &options, &list, NULL, &o->r)
                : chances  ? perm_marginals_sparse(&a, &options, out, NULL, &o->r)
                           : perm_gradient_sparse(&a, &options, out, &o->r);
    if (o->status == PERM_OK)
      fault_hash(o, whole ? (const void *)residue : out, whole == 1 ? 0 : a.nnz * sizeof *out);
  }
}
FAULT_RUN(perm_gradient_sparse, { fault_derive(o, opt, 0, 0); })
FAULT_RUN(perm_gradient_sparse_integer, { fault_derive(o, opt, 0, 1); })
FAULT_RUN(perm_gradient_sparse_mod, { fault_derive(o, opt, 0, 2); })
FAULT_RUN(perm_marginals_sparse, { fault_derive(o, opt, 1, 0); })
FAULT_RUN(perm_marginals_sparse_batch, { fault_derive(o, opt, 2, 0); })
#undef R
#undef Z
#undef N

typedef enum fault_way {
  FAULT_PURE,    /* neither allocates nor writes: only that it does not is seen, where there is a call */
  FAULT_OPTIONS, /* allocates from options.allocator, or from the one that the job or matrix was made with */
  FAULT_HEAP,    /* allocates from the C library: no options */
  FAULT_MAY      /* may allocate, need not */
} fault_way;
typedef struct fault_case {
  const char *name;
  fault_way way;
  void (*run)(fault_outcome *o);
  int writes; /* 1: to fault.path, which holds the old file or all of the new one */
} fault_case;
#define FAULT_CASE(name, way) {#name, way, fault_run_##name, 0}
#define FAULT_NONE(name) {#name, FAULT_PURE, NULL, 0}

static const fault_case fault_cases[] = {
    FAULT_CASE(perm_real, FAULT_HEAP), FAULT_CASE(perm_complex, FAULT_HEAP),
    FAULT_CASE(perm_compute_real, FAULT_OPTIONS), FAULT_CASE(perm_compute_complex, FAULT_OPTIONS),
    FAULT_CASE(perm_compute_integer, FAULT_OPTIONS),
    FAULT_CASE(perm_compute_gaussian, FAULT_OPTIONS), FAULT_CASE(perm_compute_repeated_real, FAULT_OPTIONS),
    FAULT_CASE(perm_compute_repeated_complex, FAULT_OPTIONS), FAULT_CASE(perm_compute_repeated_integer, FAULT_OPTIONS),
    FAULT_CASE(perm_compute_repeated_gaussian, FAULT_OPTIONS), FAULT_CASE(perm_job_integer, FAULT_OPTIONS),
    FAULT_CASE(perm_job_gaussian, FAULT_OPTIONS), FAULT_CASE(perm_job_real, FAULT_OPTIONS),
    FAULT_CASE(perm_job_complex, FAULT_OPTIONS), FAULT_CASE(perm_job_run, FAULT_MAY),
    FAULT_CASE(perm_job_range, FAULT_MAY), FAULT_CASE(perm_job_finish, FAULT_MAY),
    FAULT_CASE(perm_job_explain, FAULT_MAY), FAULT_CASE(perm_job_execute, FAULT_OPTIONS),
    FAULT_CASE(perm_state_create, FAULT_OPTIONS), FAULT_CASE(perm_state_add, FAULT_OPTIONS),
    FAULT_CASE(perm_state_merge, FAULT_OPTIONS), FAULT_CASE(perm_state_finish, FAULT_MAY),
    FAULT_CASE(perm_state_encode, FAULT_PURE), FAULT_CASE(perm_state_decode, FAULT_OPTIONS),
    {"perm_checkpoint_write", FAULT_OPTIONS, fault_run_perm_checkpoint_write, 1},
    FAULT_CASE(perm_checkpoint_read, FAULT_OPTIONS), FAULT_CASE(perm_checkpoint_options, FAULT_OPTIONS),
    FAULT_CASE(perm_compute_low_rank_real, FAULT_OPTIONS), FAULT_CASE(perm_compute_low_rank_complex, FAULT_OPTIONS),
    FAULT_CASE(perm_compute_cauchy_real, FAULT_OPTIONS), FAULT_CASE(perm_compute_cauchy_complex, FAULT_OPTIONS),
    FAULT_CASE(perm_estimate_real, FAULT_OPTIONS), FAULT_CASE(perm_estimate_complex, FAULT_OPTIONS),
    FAULT_CASE(perm_minors_real, FAULT_OPTIONS), FAULT_CASE(perm_minors_complex, FAULT_OPTIONS),
    FAULT_CASE(perm_gradient_real, FAULT_OPTIONS), FAULT_CASE(perm_gradient_complex, FAULT_OPTIONS),
    FAULT_CASE(perm_marginals_real, FAULT_OPTIONS),
    FAULT_CASE(perm_batch_real, FAULT_OPTIONS), FAULT_CASE(perm_batch_complex, FAULT_MAY),
    FAULT_CASE(perm_batch_real_soa, FAULT_MAY), FAULT_CASE(perm_batch_complex_soa, FAULT_MAY),
    FAULT_CASE(perm_select_real, FAULT_MAY), FAULT_CASE(perm_select_complex, FAULT_MAY),
    FAULT_CASE(perm_matrix_read, FAULT_OPTIONS), FAULT_CASE(perm_matrix_read_memory, FAULT_OPTIONS),
    FAULT_CASE(perm_matrix_from_dense, FAULT_OPTIONS), FAULT_CASE(perm_matrix_from_triplets, FAULT_OPTIONS),
    FAULT_CASE(perm_matrix_from_csr, FAULT_OPTIONS), FAULT_CASE(perm_matrix_from_edges, FAULT_OPTIONS),
    FAULT_CASE(perm_matrix_read_each, FAULT_OPTIONS),
    FAULT_NONE(perm_matrix_borrow_csr),
    {"perm_matrix_write", FAULT_OPTIONS, fault_run_perm_matrix_write, 1},
    FAULT_CASE(perm_sparse_job, FAULT_OPTIONS),
    FAULT_CASE(perm_compute_sparse, FAULT_OPTIONS), FAULT_CASE(perm_sparse_report, FAULT_OPTIONS),
    FAULT_CASE(perm_prove_integer, FAULT_OPTIONS), FAULT_CASE(perm_prove_gaussian, FAULT_OPTIONS),
    FAULT_CASE(perm_prove_sparse, FAULT_OPTIONS),
    FAULT_CASE(perm_rook_numbers, FAULT_OPTIONS),
    FAULT_CASE(perm_polynomial_integer, FAULT_OPTIONS), FAULT_CASE(perm_polynomial_gaussian, FAULT_OPTIONS),
    FAULT_CASE(perm_polynomial_real, FAULT_OPTIONS), FAULT_CASE(perm_polynomial_complex, FAULT_OPTIONS),
    FAULT_CASE(perm_polynomial_sparse, FAULT_OPTIONS), FAULT_CASE(perm_polynomial_sparse_integer, FAULT_OPTIONS),
    FAULT_CASE(perm_permanental_polynomial, FAULT_OPTIONS),
    FAULT_CASE(perm_permanental_polynomial_sparse, FAULT_OPTIONS),
    FAULT_CASE(perm_polynomial_several_integer, FAULT_OPTIONS),
    FAULT_CASE(perm_polynomial_several_gaussian, FAULT_OPTIONS),
    FAULT_CASE(perm_polynomial_several_real, FAULT_OPTIONS), FAULT_CASE(perm_polynomial_several_complex, FAULT_OPTIONS),
    {"perm_sparse_spy", FAULT_OPTIONS, fault_run_perm_sparse_spy, 1},
    FAULT_CASE(perm_sample_sparse, FAULT_OPTIONS), FAULT_CASE(perm_amplitudes_complex, FAULT_OPTIONS),
    FAULT_CASE(perm_amplitudes_count, FAULT_HEAP), FAULT_CASE(perm_amplitudes_index, FAULT_HEAP),
    FAULT_CASE(perm_amplitudes_state, FAULT_HEAP), FAULT_CASE(perm_workspace_create, FAULT_OPTIONS),
    FAULT_NONE(perm_workspace_free), FAULT_CASE(perm_gradient_sparse, FAULT_OPTIONS),
    FAULT_CASE(perm_gradient_sparse_integer, FAULT_OPTIONS),
    FAULT_CASE(perm_gradient_sparse_mod, FAULT_OPTIONS), FAULT_CASE(perm_marginals_sparse, FAULT_OPTIONS),
    FAULT_CASE(perm_marginals_sparse_batch, FAULT_OPTIONS),
    FAULT_NONE(perm_version), FAULT_NONE(perm_layout), FAULT_NONE(perm_more_layout),
    FAULT_NONE(perm_job_free), FAULT_NONE(perm_job_leaves), FAULT_NONE(perm_job_leaf),
    FAULT_NONE(perm_partial_merge),
    FAULT_NONE(perm_job_offer), FAULT_NONE(perm_job_precision), FAULT_NONE(perm_amount_text),
    FAULT_NONE(perm_job_fingerprint), FAULT_NONE(perm_partial_encode), FAULT_NONE(perm_partial_decode),
    FAULT_NONE(perm_state_left), FAULT_NONE(perm_state_free),
    FAULT_NONE(perm_result_text), FAULT_NONE(perm_integer_text), FAULT_NONE(perm_status_text),
    FAULT_NONE(perm_name), FAULT_NONE(perm_isa_best), FAULT_NONE(perm_matrix_free)};
enum { FAULT_CASES = sizeof fault_cases / sizeof *fault_cases };

/* Every function that a header declares is in the table. Returns how many it declares, -1: no such file here. */
static int fault_declared(const char *header)
{
  char line[512], statement[2048] = "";
  FILE *file = fopen(header, "rb");
  int count = 0, i;
  if (!file)
    return -1;
  while (fgets(line, sizeof line, file)) {
    char *open, *name;
    if (!*statement && strncmp(line, "PERM_API ", 9) && strncmp(line, "PERM_SPARSE_API ", 16) &&
        strncmp(line, "PERM_MORE_API ", 14))
      continue;
    if (strlen(statement) + strlen(line) < sizeof statement)
      strcat(statement, line);
    open = strchr(statement, '(');
    if (!open)
      continue;
    *open = 0;
    for (name = open; name > statement && (name[-1] == '_' || (name[-1] >= '0' && name[-1] <= '9') ||
                                          (name[-1] >= 'a' && name[-1] <= 'z'));)
      name--;
    for (i = 0; i < FAULT_CASES && strcmp(fault_cases[i].name, name);)
      i++;
    CHECK_SHOW(i < FAULT_CASES, "%s of %s has no entry in fault_cases", name, header);
    count++;
    *statement = 0;
  }
  fclose(file);
  return count;
}

static void fault_world(int own)
{
  perm_leaf leaf = {0};
  int i;
  memset(&fault, 0, sizeof fault);
  memset(&fault_own, 0, sizeof fault_own);
  memset(&test_heap, 0, sizeof test_heap);
  if (own) {
    fault.options.allocator.allocate = fault_allocate;
    fault.options.allocator.release = fault_release;
    fault.options.allocator.user_data = &fault_own;
  }
  fault.options.threads = 1;
  for (i = 0; i < 2 * FAULT_N * FAULT_N; i++) {
    fault.real[i] = 0.25 + test_uniform();
    fault.integer[i] = 1 + test_below(9);
  }
  for (i = 0; i < 4 * FAULT_N; i++)
    fault.nodes[i] = i + 0.5 * test_uniform();
  for (i = 0; i < FAULT_N; i++) {
    fault.ones[i] = 1;
    fault.twice[i] = 1 + i % 2;
  }
  for (i = 0; i < 64; i++)
    fault.select[i] = i % 7;
  snprintf(fault.path, sizeof fault.path, "build/fault.%ld.out", (long)getpid());
  snprintf(fault.other, sizeof fault.other, "build/fault.%ld.ck", (long)getpid());
  { /* a matrix that is reduced, and has a block left */
    perm_matrix varied = t_sparse_varied(1);
    int *row = (int *)malloc(varied.nnz * sizeof *row);
    size_t k;
    for (i = 0; i < varied.m; i++)
      for (k = varied.row_start[i]; k < varied.row_start[i + 1]; k++)
        row[k] = i;
    CHECK(perm_matrix_from_triplets(varied.m, varied.n, varied.nnz, row, varied.column, varied.real, NULL, NULL,
                                    PERM_KIND_REAL, &fault.options, &fault.matrix, NULL) == PERM_OK);
    free(row);
    CHECK(perm_matrix_write("build/fault.mtx", &varied, NULL, NULL) == PERM_OK);
    perm_matrix_free(&varied);
  }
  CHECK(perm_job_real(FAULT_N, FAULT_N, fault.real, FAULT_N, &fault.options, &fault.job, NULL) == PERM_OK);
  perm_job_leaf(fault.job, 0, &leaf);
  CHECK(perm_job_range(fault.job, 0, 0, leaf.chunks, &fault.options, &fault.partial, NULL) == PERM_OK);
  CHECK(perm_state_create(fault.job, &fault.state) == PERM_OK);
  CHECK(perm_state_add(fault.job, fault.state, 0, 0, leaf.chunks, &fault.partial, NULL) == PERM_OK);
  fault.options.checkpoint.note = "a note.";
  fault.size = perm_state_encode(fault.job, fault.state, &fault.options, fault.bytes, sizeof fault.bytes);
  CHECK(perm_checkpoint_write(fault.job, fault.state, fault.other, &fault.options, NULL) == PERM_OK);
  fault.options.checkpoint.note = NULL;
}

static void fault_end(void)
{
  perm_state_free(fault.state);
  perm_job_free(fault.job);
  perm_matrix_free(&fault.matrix);
  remove("build/fault.mtx");
  remove(fault.path);
  remove(fault.other);
  CHECK(fault_own.live == 0 && test_heap.live == 0);
}

/* The call, and whether status, result and memory are in order; `wanted`: the status of a failure. */
static fault_outcome fault_try(const fault_case *of, perm_status wanted)
{
  const long live = fault_own.live + test_heap.live;
  fault_outcome o;
  memset(&o, 0, sizeof o);
  memset(&o.r, 0x55, sizeof o.r);
  fault_own.calls = test_heap.calls = 0;
  fault_name = of->name;
  of->run(&o);
  fault_own.fail_at = test_heap.fail_at = 0;
  CHECK_SHOW(fault_own.live + test_heap.live == live, "%s: %ld live", of->name, fault_own.live + test_heap.live - live);
  CHECK_SHOW(o.status == PERM_OK || o.status == wanted, "%s: %s, %s", of->name, perm_name("status", o.status),
             o.no_result ? "" : o.r.message);
  if (!o.no_result)
    CHECK_SHOW(o.r.status == o.status && (o.status == PERM_OK || (o.r.message[0] && o.r.value != o.r.value)),
               "%s: %s, %g, %s", of->name, perm_name("status", o.r.status), o.r.value, o.r.message);
  return o;
}

static int fault_same(const fault_outcome *a, const fault_outcome *b)
{
  return a->status == b->status && a->hash == b->hash &&
         (a->no_result || a->r.value == b->r.value || (a->r.value != a->r.value && b->r.value != b->r.value));
}

TEST(t_faults_every_function_is_here)
{
  const int dense = fault_declared("perm.h"), sparse = fault_declared("perm_sparse.h");
  const int more = fault_declared("perm_more.h");
  if (dense < 0 || sparse < 0 || more < 0)
    SKIP("no headers in the working directory: run from the repository's root");
  /* declarations and definitions; macros have the names of 21 definitions */
  CHECK_SHOW(dense >= 2 * 60 - 21 && sparse >= 2 * 10 && more >= 2 * 10, "%d, %d, %d", dense, sparse, more);
}

TEST(t_faults_fail_every_allocation)
{
  long failures = 0, absorbed = 0;
  int i, own, covered = 0;
  for (own = 0; own < 2; own++) {
    fault_world(own);
    for (i = 0; i < FAULT_CASES; i++) {
      const fault_case *of = &fault_cases[i];
      fault_outcome first, o;
      long k;
      if (!of->run || (own && of->way == FAULT_HEAP))
        continue;
      covered += own || of->way == FAULT_HEAP;
      first = fault_try(of, PERM_OK);
      if (own) /* an allocator of one's own is the only one */
        CHECK_SHOW(test_heap.calls == 0, "%s: %ld allocations beside options.allocator", of->name, test_heap.calls);
      CHECK_SHOW(of->way == FAULT_MAY || (fault_own.calls + test_heap.calls > 0) == (of->way != FAULT_PURE),
                 "%s: %ld allocations", of->name, fault_own.calls + test_heap.calls);
      for (k = 1;; k++) {
        fault_own.fail_at = own ? k : 0;
        test_heap.fail_at = own ? 0 : k;
        o = fault_try(of, PERM_ERROR_MEMORY);
        if (fault_own.calls + test_heap.calls < k)
          break;
        failures += o.status == PERM_ERROR_MEMORY;
        absorbed += o.status == PERM_OK;
        if (o.status == PERM_OK && !o.no_result && o.r.value == o.r.value) /* perhaps another plan: the same number */
          CHECK_SHOW(fabs(o.r.value - first.r.value) <= 1e-9 * fabs(first.r.value), "%s, allocation %ld: %.17g",
                     of->name, k, o.r.value);
      }
      o = fault_try(of, PERM_OK);
      CHECK_SHOW(fault_same(&first, &o), "%s gives something else after %ld failures", of->name, k - 1);
    }
    fault_end();
  }
  CHECK(failures > 500 && covered >= 55);
  if (test_verbose)
    printf("     %d functions, %ld failed allocations, %ld absorbed\n", covered, failures, absorbed);
}

/* The entries of scene `number`: targets in rows, measurements near them, and a column of each, missed. */
static perm_matrix fault_scene(int number)
{
  enum { TARGETS = 30, SEEN = 40 };
  int row[TARGETS * 8], column[TARGETS * 8], i, k, used = 0;
  double real[TARGETS * 8];
  perm_matrix matrix;
  test_seed((uint64_t)number);
  for (i = 0; i < TARGETS; i++) {
    const int first = i + test_below(6), entries = 1 + test_below(5);
    for (k = 0; k < entries && first + k < SEEN; k++, used++) {
      row[used] = i;
      column[used] = first + k;
      real[used] = 0.1 + test_uniform();
    }
    row[used] = i;
    column[used] = SEEN + i;
    real[used++] = 0.1;
  }
  CHECK(perm_matrix_from_triplets(TARGETS, SEEN + TARGETS, (size_t)used, row, column, real, NULL, NULL, PERM_KIND_REAL,
                                  NULL, &matrix, NULL) == PERM_OK);
  return matrix;
}

/* With a workspace, calls after the first allocate nothing, with max_bytes, too, within which it stays; scenes that
   differ soon allocate nothing, either; values have the bits of calls without it. */
TEST(t_faults_workspaces_keep_memory)
{
  const perm_allocator counted = {fault_allocate, fault_release, &fault_own};
  perm_options options = {0}, plain = {0};
  perm_result result, expected;
  long calls = 0;
  int k, limited;
  memset(&fault_own, 0, sizeof fault_own);
  CHECK(perm_workspace_create(NULL, NULL) == PERM_ERROR_NULL);
  perm_workspace_free(NULL);
  perm_workspace_free(&options.allocator);
  options.threads = plain.threads = 1;
  for (limited = 0; limited < 2; limited++) {
    perm_matrix scene = fault_scene(1);
    options.max_bytes = plain.max_bytes = limited ? 1e6 : 0;
    CHECK(perm_compute_sparse(&scene, &plain, &expected) == PERM_OK && expected.method == PERM_METHOD_TREE);
    CHECK(perm_workspace_create(&counted, &options.allocator) == PERM_OK);
    for (k = 0; k < 101; k++) {
      CHECK(perm_compute_sparse(&scene, &options, &result) == PERM_OK);
      CHECK(result.value == expected.value && result.error_bound == expected.error_bound);
      calls = k ? calls : fault_own.calls;
    }
    CHECK_SHOW(fault_own.calls == calls, "%ld allocations in the first call, %ld later", calls,
               fault_own.calls - calls);
    perm_matrix_free(&scene);
    for (k = 0; k < 200; k++) {
      scene = fault_scene(k % 40);
      calls = k == 160 ? fault_own.calls : calls;
      CHECK(perm_compute_sparse(&scene, &options, &result) == PERM_OK);
      CHECK(perm_compute_sparse(&scene, &plain, &expected) == PERM_OK && result.value == expected.value);
      perm_matrix_free(&scene);
    }
    CHECK_SHOW(fault_own.calls == calls, "%ld allocations", fault_own.calls - calls);
    options.max_bytes = 3e5; /* less than is held: memory is given back */
    scene = fault_scene(1);
    CHECK(perm_compute_sparse(&scene, &options, &result) == PERM_OK);
    CHECK(((permi_workspace *)options.allocator.user_data)->held <= options.max_bytes);
    perm_matrix_free(&scene);
    perm_workspace_free(&options.allocator);
    CHECK(options.allocator.allocate == fault_allocate && fault_own.live == 0);
    memset(&options.allocator, 0, sizeof options.allocator);
  }
}

/* max_bytes counts what malloc adds to blocks that a workspace keeps. */
TEST(t_faults_workspaces_count_all)
{
  const perm_allocator counted = {fault_allocate, fault_release, &fault_own};
  perm_options options = {0};
  permi_metered call;
  void *block[1000];
  int k;
  memset(&fault_own, 0, sizeof fault_own);
  CHECK(perm_workspace_create(&counted, &options.allocator) == PERM_OK);
  for (k = 0; k < 1000; k++)
    CHECK((block[k] = options.allocator.allocate(1, options.allocator.user_data)) != NULL);
  for (k = 0; k < 1000; k++)
    options.allocator.release(block[k], options.allocator.user_data);
  options.max_bytes = 40000; /* 32000 in blocks */
  permi_meter_begin(&call, &options, 0);
  CHECK(fault_own.live == 2 && call.meter);
  permi_meter_end(&call, PERM_OK, NULL);
  perm_workspace_free(&options.allocator);
  CHECK(fault_own.live == 0);
}

/* The disk is full after k bytes, for every k; closing fails; of checkpoints every system call fails in turn, once and
   from there on. The old file is there after that, or the new one, and nothing else. */
TEST(t_faults_fail_every_write)
{
  long failures = 0, full = 0, k;
  int i, way;
  fault_world(1);
  for (i = 0; i < FAULT_CASES; i++) {
    const fault_case *of = &fault_cases[i];
    fault_outcome first, o, old, now;
    long size, step;
    FILE *file;
    if (!of->writes)
      continue;
    first = fault_try(of, PERM_OK);
    memset(&now, 0, sizeof now);
    fault_file(&now, fault.path);
    file = fopen(fault.path, "rb");
    CHECK(file && !fseek(file, 0, SEEK_END));
    size = ftell(file);
    fclose(file);
    step = size / 400 + 1;
    for (way = 0; way < 4; way++) { /* 0: k bytes; 1: closing; 2, 3: the k-th call, and all after it */
      char command[300];
      for (k = way > 1;; k += way ? 1 : step) {
        int more;
        file = fopen(fault.path, "wb");
        CHECK(file && fputs("what was there before", file) >= 0 && !fclose(file));
        memset(&old, 0, sizeof old);
        fault_file(&old, fault.path);
        fault_disk.room = way == 0 ? k : way == 1 ? LONG_MAX : -1;
        fault_disk.close_fails = way == 1;
        fault_disk.opened = 0;
        fault_set(way > 1 ? k : 0, EIO, way == 3, 0);
        o = fault_try(of, PERM_ERROR_FILE);
        more = way == 0 ? fault_disk.opened && k < size : way > 1 && test_fault.count >= k;
        if (way <= 1 && fault_disk.opened)
          CHECK_SHOW((o.status == PERM_OK) == (way == 0 && k >= size), "%s, way %d: %s with %ld of %ld bytes", of->name,
                     way, perm_name("status", o.status), k, size);
        fault_set(0, 0, 0, 0);
        fault_disk.room = -1;
        fault_disk.close_fails = 0;
        if (o.status != PERM_OK) {
          failures++;
          full += way == 0;
          memset(&o, 0, sizeof o);
          fault_file(&o, fault.path);
          CHECK_SHOW(o.hash == old.hash || (way > 1 && o.hash == now.hash), "%s, way %d, %ld: the old file is gone",
                     of->name, way, k);
        }
        if (!more)
          break;
      }
      snprintf(command, sizeof command, way < 3 ? "! ls %s.* >/dev/null 2>&1" : "rm -f %s.*", fault.path);
      CHECK_SHOW(test_shell(command) == 0, "%s, way %d: a temporary file is left", of->name, way); /* 3 cannot remove */
    }
    o = fault_try(of, PERM_OK);
    CHECK(fault_same(&first, &o));
  }
  fault_end();
#if defined(__GLIBC__)
  CHECK(failures > 500 && full > 500);
#elif defined(_WIN32)
  CHECK(failures == 20);
#else
  CHECK(failures > 20);
#endif
  if (test_verbose)
    printf("     %ld failed writes\n", failures);
}
/* SPDX-License-Identifier: MIT */
