/* >>cpu, >>kernels */
/* For ThreadSanitizer (make check-thread): what the headers promise to several threads at once. Threads of the
   program's own share one job's ranges, compute, read and write side by side; the results are those of one thread, bit
   for bit.
   Without OpenMP: its runtimes are not instrumented, so that each of their barriers would be a false alarm. */
#define PERM_IMPLEMENTATION
#include "perm_more.h"
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 4, N = 16 };
static double a[2 * N * N];
static int64_t whole[N * N];
static perm_matrix band;
static perm_job *job;
static perm_partial part[THREADS];
static perm_result alone[5], beside[THREADS][5];
static int failures;

static void require(int condition, const char *what)
{
  if (!condition) {
    printf("FAIL %s\n", what);
    __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
  }
}

static void compute(int threads, perm_result *r)
{
  perm_options options;
  memset(&options, 0, sizeof options);
  options.threads = threads;
  perm_compute_real(N, N, a, N, &options, &r[0]);
  perm_compute_complex(N / 2, N / 2, a, N / 2, &options, &r[1]);
  perm_compute_integer(N, N, whole, N, &options, &r[2]);
  perm_compute_sparse(&band, &options, &r[3]);
  options.method = PERM_METHOD_HYBRID;
  perm_compute_sparse(&band, &options, &r[4]);
}

static int same(const perm_result *x, const perm_result *y)
{
  return x->status == PERM_OK && y->status == PERM_OK && x->value == y->value && x->imaginary == y->imaginary &&
         x->exp2 == y->exp2 && !memcmp(&x->integer, &y->integer, sizeof x->integer);
}

static void *work(void *argument)
{
  const int t = (int)(intptr_t)argument;
  perm_leaf leaf;
  uint64_t chunk;
  char path[64];
  perm_matrix matrix;
  perm_isa_best(); /* all at once, the first time */
  require(perm_job_leaf(job, 0, &leaf) == PERM_OK && leaf.chunks >= THREADS, "the job has chunks for all");
  for (chunk = (uint64_t)t; chunk < leaf.chunks; chunk += THREADS)
    require(perm_job_run(job, 0, chunk, chunk + 1, &part[t]) == PERM_OK, "perm_job_run");
  compute(1 + t % 2, beside[t]);
  snprintf(path, sizeof path, "build/threads.%ld.mtx", (long)getpid()); /* all write the same file: one of them wins */
  require(perm_matrix_write(path, &band, NULL, NULL) == PERM_OK, "perm_matrix_write");
  require(perm_matrix_read(path, NULL, &matrix, NULL, NULL) == PERM_OK && matrix.nnz == band.nnz, "perm_matrix_read");
  perm_matrix_free(&matrix);
  return NULL;
}

int main(void)
{
  pthread_t thread[THREADS];
  perm_options options;
  perm_result r, first;
  char path[64];
  double b[N * N];
  int i, k;
  for (i = 0; i < 2 * N * N; i++)
    a[i] = 1.0 / (1 + (i * 7 + i / N) % 23);
  for (i = 0; i < N * N; i++) {
    whole[i] = i * 5 % 9 - 3;
    b[i] = abs(i / N - i % N) <= 3 ? a[i] : 0;
  }
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_GLYNN;
  require(perm_job_real(N, N, a, N, &options, &job, NULL) == PERM_OK, "perm_job_real");
  require(perm_matrix_from_dense(N, N, b, N, NULL, &band, NULL) == PERM_OK, "perm_matrix_from_dense");
  for (i = 0; i < THREADS; i++)
    if (pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i))
      return 2;
  for (i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  for (i = 1; i < THREADS; i++)
    require(perm_partial_merge(&part[0], &part[i]) == PERM_OK, "perm_partial_merge");
  require(perm_job_finish(job, part, &r) == PERM_OK, "perm_job_finish");
  perm_compute_real(N, N, a, N, &options, &first);
  require(r.value == first.value, "ranges of several threads give the bits of one");
  compute(1, alone);
  for (i = 0; i < THREADS; i++)
    for (k = 0; k < 5; k++)
      require(same(&alone[k], &beside[i][k]), "side by side, the same bits");
  snprintf(path, sizeof path, "build/threads.%ld.mtx", (long)getpid());
  require(remove(path) == 0, "the file is there");
  perm_job_free(job);
  perm_matrix_free(&band);
  printf("%d passed, %d failed, 0 skipped\n", failures ? 0 : 1, failures ? 1 : 0);
  return failures != 0;
}
/* SPDX-License-Identifier: MIT */
