/* >>coordinator */
/* The coordinator of perm_mpi.c with a thousand simulated ranks: what rank 0 spends on them, as a share of the time
   that the job takes. Its logic, partials encoded and decoded, sums, states and checkpoints are real; computing and
   messages take no time here. Usage: build/simulate_mpi [RANKS [SECONDS]]   (1000 ranks, a job of about 300 s)
   The last line is `N passed, N failed, N skipped`. */
#define INSIDE_MPI
#define INSIDE_SIMULATE
#include "../unit/inside.h"

typedef struct event {
  double time;
  int rank;
} event;

static event *heap;
static int heap_size;

static void heap_put(event e)
{
  int i = heap_size++;
  for (; i && heap[(i - 1) / 2].time > e.time; i = (i - 1) / 2)
    heap[i] = heap[(i - 1) / 2];
  heap[i] = e;
}

static event heap_take(void)
{
  const event first = heap[0], last = heap[--heap_size];
  int i = 0;
  for (;;) {
    int k = 2 * i + 1;
    if (k + 1 < heap_size && heap[k + 1].time < heap[k].time)
      k++;
    if (k >= heap_size || heap[k].time >= last.time)
      break;
    heap[i] = heap[k];
    i = k;
  }
  heap[i] = last;
  return first;
}

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t random_state = 88172645463325252u;
static double uniform(void)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (double)(random_state >> 11) / 9007199254740992.0;
}

/* Sums of the numbers and squares below n, modulo 2^64. */
static void prefix_sums(uint64_t n, uint64_t *indices, uint64_t *squares)
{
  const unsigned __int128 x = n;
  *indices = (uint64_t)(n ? x * (x - 1) / 2 : 0);
  *squares = (uint64_t)(n ? x * (x - 1) / 2 * (2 * x - 1) / 3 : 0); /* n < 2^42 */
}

static permi_mpi_coordinator coordinator;
static perm_leaf leaf;
static int ranks;
static double now, spent, *speed, *free_at;

static double duration(uint64_t chunks, int rank)
{
  return (double)chunks * (leaf.seconds / (double)leaf.chunks) / speed[rank];
}

static void hand_out(int rank)
{
  permi_mpi_range range;
  for (;;) {
    const double start = seconds();
    const int more = permi_mpi_next(&coordinator, rank, permi_mpi_least(ranks), &range);
    event done;
    spent += seconds() - start;
    if (!more)
      return;
    free_at[rank] = (free_at[rank] > now ? free_at[rank] : now) + duration(range.end - range.begin, rank) *
                                                                      (0.9 + 0.2 * uniform());
    done.time = free_at[rank];
    done.rank = rank;
    heap_put(done);
  }
}

int main(int argc, char **argv)
{
  enum { N = 52 };
  static double a[N * N];
  static perm_allocator allocator;
  static perm_options options;
  const double wanted = argc > 2 ? atof(argv[2]) : 300;
  perm_job *job;
  perm_state *state;
  perm_partial one, partial;
  perm_result result;
  double start, all = 0, largest = 0, shortest = 1e30, written = 0, next_checkpoint = 60;
  long messages = 0, writes = 0;
  int i, failed = 0, late;
  ranks = argc > 1 ? atoi(argv[1]) : 1000;
  for (i = 0; i < N * N; i++)
    a[i] = uniform();
  speed = (double *)malloc((size_t)ranks * sizeof *speed);
  free_at = (double *)calloc((size_t)ranks, sizeof *free_at);
  heap = (event *)malloc((size_t)ranks * (PERMI_MPI_AHEAD + 1) * sizeof *heap);
  if (ranks < 2 || !speed || !free_at || !heap || perm_job_real(N, N, a, N, NULL, &job, &result) != PERM_OK ||
      perm_state_create(job, &state) != PERM_OK ||
      !permi_mpi_coordinator_create(&coordinator, job, ranks, &allocator)) {
    printf("FAIL to begin\n0 passed, 1 failed, 0 skipped\n");
    return 1;
  }
  perm_job_leaf(job, 0, &leaf);
  memset(&one, 0, sizeof one);
  perm_job_run(job, 0, 5, 6, &one); /* sums as large as real ones */
  for (i = 0; i < ranks; i++) { /* one to a hundred times as fast as the slowest: processors and GPUs */
    speed[i] = exp(uniform() * log(100.0));
    all += speed[i];
  }
  for (i = 0; i < ranks; i++) /* all together take as long as asked for */
    speed[i] *= leaf.seconds / (wanted * all);
  options.checkpoint.file = "build/mpi/simulated";
  permi_mpi_coordinator_begin(&coordinator, state, NULL);
  for (i = ranks - 1; i >= 0; i--)
    hand_out(i);
  while (heap_size) {
    const event done = heap_take();
    const permi_mpi_range range = coordinator.rank[done.rank].sent[0];
    unsigned char bytes[PERM_PARTIAL_BYTES];
    uint64_t from[2], to[2];
    double took;
    now = done.time;
    prefix_sums(range.begin, &from[0], &from[1]);
    prefix_sums(range.end, &to[0], &to[1]);
    partial = one;
    partial.chunks = range.end - range.begin;
    partial.indices = to[0] - from[0];
    partial.squares = to[1] - from[1];
    took = duration(partial.chunks, done.rank);
    largest = took > largest ? took : largest;
    shortest = took < shortest ? took : shortest;
    perm_partial_encode(&partial, bytes, sizeof bytes); /* the rank's own work */
    start = seconds();
    failed += perm_partial_decode(bytes, sizeof bytes, &partial) != PERM_OK;
    permi_mpi_take(&coordinator, done.rank, &range, &partial, took, 0);
    spent += seconds() - start;
    messages++;
    hand_out(done.rank);
    if (now > next_checkpoint) {
      start = seconds();
      failed += perm_checkpoint_write(job, state, options.checkpoint.file, &options, &result) != PERM_OK;
      written += seconds() - start;
      writes++;
      next_checkpoint = now + 60;
    }
  }
  failed += coordinator.status != PERM_OK || coordinator.outstanding != 0;
  failed += perm_state_finish(job, state, &result) != PERM_OK;
  late = now > 1.005 * wanted; /* somebody had nothing to do */
  printf("%d ranks, a job of %.0f s: rank 0 spent %.3f s on %ld reports (%.1f us each) and %.3f s on %ld checkpoints, "
         "%.3f%% of the time\n", ranks, now, spent, messages, 1e6 * spent / (double)messages, written, writes,
         100 * (spent + written) / now);
  printf("ranges of %.3g to %.3g s; the end came %.2f%% after the best possible\n", shortest, largest,
         100 * (now / wanted - 1));
  if (failed)
    printf("FAIL chunks are missing, or twice: %s %s\n", coordinator.message, result.message);
  if (spent + written > 0.01 * now)
    printf("FAIL more than 1%%\n");
  if (late)
    printf("FAIL ranks without work\n");
  permi_mpi_coordinator_free(&coordinator);
  perm_state_free(state);
  perm_job_free(job);
  free(speed);
  free(free_at);
  free(heap);
  remove(options.checkpoint.file);
  i = (failed != 0) + (spent + written > 0.01 * now) + late;
  printf("%d passed, %d failed, 0 skipped\n", 3 - i, i);
  return i != 0;
}
/* SPDX-License-Identifier: MIT */
