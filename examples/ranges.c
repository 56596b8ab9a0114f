/* A job in ranges, run by a thread pool of your own: each worker takes the next range of chunks from a queue and adds
   it to its own partial; what the workers have is merged in any order, to the bits of one piece. Instead of threads
   these could be processes or machines, as long as their partials come back (perm_partial_encode).
   Build:  cc -O2 -I.. ranges.c -o ranges -pthread -lm
   Usage:  ranges [WORKERS] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define PERM_IMPLEMENTATION
#include "perm.h"

enum { N = 22, MOST_WORKERS = 64, RANGES = 100 };

typedef struct queue {
  const perm_job *job;
  pthread_mutex_t lock;
  uint64_t next, chunks; /* those before `next` are given away */
  perm_partial total;    /* of the workers that have ended */
  perm_status status;
} queue;

static int take(queue *q, uint64_t *begin, uint64_t *end)
{
  const uint64_t size = q->chunks / RANGES + 1;
  pthread_mutex_lock(&q->lock);
  *begin = q->next;
  *end = q->next += q->chunks - q->next > size ? size : q->chunks - q->next;
  pthread_mutex_unlock(&q->lock);
  return *begin < *end;
}

static void *worker(void *argument)
{
  queue *q = (queue *)argument;
  perm_partial mine;
  perm_status status = PERM_OK;
  uint64_t begin, end;
  memset(&mine, 0, sizeof mine);
  while (status == PERM_OK && take(q, &begin, &end))
    status = perm_job_run(q->job, 0, begin, end, &mine); /* jobs are immutable: no lock */
  pthread_mutex_lock(&q->lock);
  if (status == PERM_OK)
    status = perm_partial_merge(&q->total, &mine);
  if (status != PERM_OK)
    q->status = status;
  pthread_mutex_unlock(&q->lock);
  return NULL;
}

int main(int argc, char **argv)
{
  static queue q; /* zero-initialised, as a partial must be */
  static double a[N * N];
  int workers = argc > 1 ? atoi(argv[1]) : 4, started = 0, i;
  pthread_t thread[MOST_WORKERS];
  perm_job *job;
  permi_dense_plan plan;
  perm_result whole, merged;
  for (i = 0; i < N * N; i++)
    a[i] = (double)((i * 7919) % 1000) / 1000 - 0.5;
  if (perm_compute_real(N, N, a, N, NULL, &whole) || perm_plan_real(N, N, a, N, NULL, &plan, &merged) ||
      perm_job_create_real(&plan, a, N, NULL, &job, &merged)) {
    fprintf(stderr, "ranges: %s\n", whole.status ? whole.message : merged.message);
    return 1;
  }
  q.job = job;
  q.chunks = plan.chunks;
  pthread_mutex_init(&q.lock, NULL);
  while (started < workers && started < MOST_WORKERS && !pthread_create(&thread[started], NULL, worker, &q))
    started++;
  if (!started)
    worker(&q); /* then by ourselves */
  for (i = 0; i < started; i++)
    pthread_join(thread[i], NULL);
  pthread_mutex_destroy(&q.lock);
  if (perm_job_finish(job, &q.total, &merged)) /* refused if a chunk is missing */
    fprintf(stderr, "ranges: %s\n", q.status ? perm_status_text(q.status) : merged.message);
  perm_job_free(job);
  printf("one piece                  %.17g\n%2d workers, %3.0f chunks    %.17g\n", whole.value, started,
         (double)plan.chunks, merged.value);
  return !(whole.value == merged.value);
}
/* SPDX-License-Identifier: MIT */
