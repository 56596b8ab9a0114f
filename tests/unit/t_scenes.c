/* >>derive */
/* perm_marginals_sparse_batch: each scene as a single call has it, whatever threads, allocators and other scenes do. */

#include <sched.h>
#if defined(_WIN32) /* mingw-w64 has it in libwinpthread alone */
#define sched_yield() usleep(0)
#endif

enum { T_SCENES = 12, T_SCENES_ROWS = 14, T_SCENES_MOST = 10 * T_SCENES_ROWS, T_SCENES_LINES = 2 * T_SCENES_ROWS + 9 };

/* An allocator that is for one thread at a time, counts, and may sleep or cancel. */
static struct {
  long calls, live, sleep_at[2], cancel_at, fail_at;
  size_t bytes, most;
  int inside, together;
  volatile int cancel;
} scenes_own;

static void scenes_enter(void)
{
  int k;
  if (__atomic_exchange_n(&scenes_own.inside, 1, __ATOMIC_SEQ_CST))
    scenes_own.together = 1;
  for (k = 0; k < 4; k++)
    sched_yield();
}

static void *scenes_allocate(size_t bytes, void *user_data)
{
  size_t *memory;
  int k;
  (void)user_data;
  scenes_enter();
  scenes_own.calls++;
  for (k = 0; k < 2; k++)
    if (scenes_own.calls == scenes_own.sleep_at[k])
      usleep(250000);
  scenes_own.cancel |= scenes_own.calls == scenes_own.cancel_at;
  memory = scenes_own.calls == scenes_own.fail_at ? NULL : (size_t *)malloc(16 + bytes);
  if (memory) {
    scenes_own.live++;
    *memory = bytes;
    scenes_own.bytes += bytes;
    scenes_own.most = scenes_own.bytes > scenes_own.most ? scenes_own.bytes : scenes_own.most;
  }
  __atomic_store_n(&scenes_own.inside, 0, __ATOMIC_SEQ_CST);
  return memory ? (char *)memory + 16 : NULL;
}

static void scenes_release(void *pointer, void *user_data)
{
  (void)user_data;
  scenes_enter();
  scenes_own.live--;
  pointer = (char *)pointer - 16;
  scenes_own.bytes -= *(size_t *)pointer;
  free(pointer);
  __atomic_store_n(&scenes_own.inside, 0, __ATOMIC_SEQ_CST);
}

static struct {
  perm_matrix matrix[T_SCENES];
  const perm_matrix *scene[T_SCENES];
  double chance[2][T_SCENES][T_SCENES_MOST], free[2][T_SCENES][T_SCENES_LINES];
  double *marginal[T_SCENES], *unmatched[T_SCENES];
  perm_result alone[T_SCENES], result[T_SCENES];
} scenes;

static void scenes_make(void)
{
  static int row[T_SCENES_MOST], column[T_SCENES_MOST];
  static double weight[T_SCENES_MOST];
  int k, i, j;
  test_seed(91);
  memset(&scenes_own, 0, sizeof scenes_own);
  for (k = 0; k < T_SCENES; k++) {
    const int m = 1 + (5 * k + 3) % T_SCENES_ROWS, seen = m + k % 9;
    size_t used = 0;
    for (i = 0; i < m; i++)
      for (j = 0; j <= seen; j++)
        if (j == seen || (abs(i - j) < 4 && test_below(4))) {
          row[used] = i;
          column[used] = j == seen ? seen + i : j;
          weight[used++] = 0.1 + test_uniform();
        }
    CHECK(used <= T_SCENES_MOST && seen + m <= T_SCENES_LINES);
    CHECK(perm_matrix_from_triplets(k % 2 ? seen + m : m, k % 2 ? m : seen + m, used, k % 2 ? column : row,
                                    k % 2 ? row : column, weight, NULL, NULL, PERM_KIND_REAL, NULL, &scenes.matrix[k],
                                    NULL) == PERM_OK);
    scenes.scene[k] = &scenes.matrix[k];
    scenes.marginal[k] = scenes.chance[1][k];
    scenes.unmatched[k] = scenes.free[1][k];
    CHECK_SHOW(perm_marginals_sparse(&scenes.matrix[k], NULL, scenes.chance[0][k], scenes.free[0][k],
                                     &scenes.alone[k]) == PERM_OK, "%s", scenes.alone[k].message);
  }
}

static void scenes_free(void)
{
  int k;
  for (k = 0; k < T_SCENES; k++)
    perm_matrix_free(&scenes.matrix[k]);
}

static perm_status scenes_run(const perm_options *options)
{
  memset(scenes.chance[1], 0xee, sizeof scenes.chance[1]);
  memset(scenes.free[1], 0xee, sizeof scenes.free[1]);
  memset(scenes.result, 0xee, sizeof scenes.result);
  return perm_marginals_sparse_batch(T_SCENES, scenes.scene, options, scenes.marginal, scenes.unmatched,
                                     scenes.result);
}

static size_t scenes_lines(int k)
{
  const perm_matrix *matrix = &scenes.matrix[k];
  return (size_t)(matrix->m > matrix->n ? matrix->m : matrix->n);
}

/* The bits of the single call. */
static int scenes_same(int k)
{
  const perm_result *x = &scenes.alone[k], *y = &scenes.result[k];
  return y->status == PERM_OK && x->value == y->value && x->exp2 == y->exp2 && x->error_bound == y->error_bound &&
         x->terms == y->terms && x->method == y->method && y->threads == 1 &&
         !memcmp(scenes.chance[0][k], scenes.chance[1][k], scenes.matrix[k].nnz * sizeof(double)) &&
         !memcmp(scenes.free[0][k], scenes.free[1][k], scenes_lines(k) * sizeof(double));
}

static int scenes_blank(int k, perm_status status)
{
  return scenes.result[k].status == status && isnan(scenes.result[k].value) && scenes.result[k].message[0] &&
         isnan(scenes.chance[1][k][0]) && isnan(scenes.chance[1][k][scenes.matrix[k].nnz - 1]) &&
         isnan(scenes.free[1][k][0]) && isnan(scenes.free[1][k][scenes_lines(k) - 1]);
}

TEST(t_scenes_same_for_threads_and_allocators)
{
  perm_options options;
  long calls = 0;
  int threads, way, again, k;
  scenes_make();
  for (threads = 1; threads <= 3; threads += 2)
    for (way = 0; way < 3; way++) { /* malloc, an allocator of one thread, a workspace over it */
      memset(&options, 0, sizeof options);
      options.threads = threads;
      if (way) {
        options.allocator.allocate = scenes_allocate;
        options.allocator.release = scenes_release;
      }
      if (way == 2)
        CHECK(perm_workspace_create(&options.allocator, &options.allocator) == PERM_OK);
      for (again = 0; again < 2; again++) {
        calls = scenes_own.calls;
        CHECK(scenes_run(&options) == PERM_OK);
        for (k = 0; k < T_SCENES; k++)
          CHECK_SHOW(scenes_same(k), "threads %d, way %d, scene %d: %s", threads, way, k, scenes.result[k].message);
      }
      if (way && threads == 1)
        CHECK_SHOW((scenes_own.calls == calls) == (way == 2), "way %d: %ld calls", way, scenes_own.calls - calls);
      if (way == 2)
        perm_workspace_free(&options.allocator);
      CHECK(scenes_own.live == 0);
    }
  CHECK(scenes_own.calls > 0 && !scenes_own.together);
  memset(scenes.free[1], 0xee, sizeof scenes.free[1]);
  CHECK(perm_marginals_sparse_batch(T_SCENES, scenes.scene, NULL, scenes.marginal, NULL, scenes.result) == PERM_OK);
  for (k = 0; k < T_SCENES; k++)
    CHECK(!memcmp(scenes.chance[0][k], scenes.chance[1][k], scenes.matrix[k].nnz * sizeof(double)) &&
          scenes.free[1][k][0] != scenes.free[0][k][0]);
  scenes_free();
}

/* What one scene lacks is told of that scene; the first is returned. */
TEST(t_scenes_refusals)
{
  perm_options options;
  double one;
  int threads, k;
  scenes_make();
  memset(&options, 0, sizeof options);
  for (threads = 1; threads <= 3; threads += 2) {
    options.threads = threads;
    one = scenes.matrix[5].real[1];
    scenes.matrix[5].real[1] = -1;
    scenes.marginal[8] = NULL;
    CHECK(scenes_run(&options) == PERM_ERROR_UNSUPPORTED);
    for (k = 0; k < T_SCENES; k++)
      CHECK(k == 8 || (k == 5 ? scenes_blank(5, PERM_ERROR_UNSUPPORTED) : scenes_same(k)));
    CHECK(scenes.result[5].argument == 1 && strstr(scenes.result[5].message, "entries below 0"));
    CHECK(scenes.result[8].status == PERM_ERROR_NULL && scenes.result[8].argument == 3);
    scenes.matrix[5].real[1] = one;
    CHECK(scenes_run(&options) == PERM_ERROR_NULL && scenes_same(5));
    scenes.marginal[8] = scenes.chance[1][8];
    scenes.scene[2] = NULL;
    CHECK(scenes_run(&options) == PERM_ERROR_NULL && scenes.result[2].argument == 1 && scenes_same(3));
    scenes.scene[2] = &scenes.matrix[2];
    options.tolerance = 0.1;
    CHECK(scenes_run(&options) == PERM_ERROR_UNSUPPORTED && scenes.result[11].argument == 2);
    options.tolerance = 0;
    options.allocator.allocate = scenes_allocate; /* and no release */
    CHECK(scenes_run(&options) == PERM_ERROR_OPTION && scenes.result[11].argument == 2 && scenes_own.calls == 0);
    options.allocator.allocate = NULL;
    options.max_bytes = 1;
    CHECK(scenes_run(&options) == PERM_ERROR_LIMIT && scenes_blank(11, PERM_ERROR_LIMIT));
    options.max_bytes = 0;
    options.allocator.allocate = scenes_allocate;
    options.allocator.release = scenes_release;
    for (k = 1; k <= 1 + (PERMI_OPENMP ? threads : 1); k++) { /* of what threads share, and their workspaces */
      scenes_own.calls = 0;
      scenes_own.fail_at = k;
      CHECK(scenes_run(&options) == PERM_ERROR_MEMORY && scenes_own.live == 0 && scenes_own.calls == k);
      CHECK(scenes_blank(0, PERM_ERROR_MEMORY) && scenes_blank(T_SCENES - 1, PERM_ERROR_MEMORY));
    }
    scenes_own.calls = scenes_own.fail_at = 0;
    memset(&options.allocator, 0, sizeof options.allocator);
  }
  options.threads = -1;
  CHECK(scenes_run(&options) == PERM_ERROR_OPTION && scenes.result[7].argument == 2 && isnan(scenes.result[7].value));
  CHECK(perm_marginals_sparse_batch(1, NULL, NULL, NULL, NULL, scenes.result) == PERM_ERROR_NULL &&
        scenes.result[0].argument == 1);
  CHECK(perm_marginals_sparse_batch(1, scenes.scene, NULL, NULL, NULL, scenes.result) == PERM_ERROR_NULL &&
        scenes.result[0].argument == 3);
  CHECK(perm_marginals_sparse_batch(1, scenes.scene, NULL, scenes.marginal, NULL, NULL) == PERM_ERROR_NULL);
  CHECK(perm_marginals_sparse_batch(0, NULL, NULL, NULL, NULL, NULL) == PERM_OK);
  scenes_free();
}

/* max_bytes is of all threads together, and refuses no scene that it does not refuse alone. */
TEST(t_scenes_within_memory)
{
  perm_options options;
  int threads, own, k, step, whole = 0, refused = 0, tight = 0;
  scenes_make();
  memset(&options, 0, sizeof options);
  for (step = 0; step < 18; step++) {
    options.max_bytes = 8000 * pow(1.35, step);
    options.threads = 1;
    memset(&options.allocator, 0, sizeof options.allocator);
    for (k = 0; k < T_SCENES; k++)
      perm_marginals_sparse(&scenes.matrix[k], &options, scenes.chance[0][k], scenes.free[0][k], &scenes.alone[k]);
    for (threads = 1; threads <= 3; threads += 2)
      for (own = 0; own < 2; own++) {
        options.threads = threads;
        options.allocator.allocate = own ? scenes_allocate : NULL;
        options.allocator.release = own ? scenes_release : NULL;
        scenes_own.most = 0;
        scenes_run(&options);
        CHECK_SHOW((double)scenes_own.most <= options.max_bytes, "%d threads: %g, not %g", threads,
                   (double)scenes_own.most, options.max_bytes);
        tight += own && (double)scenes_own.most > 0.8 * options.max_bytes;
        for (k = 0; k < T_SCENES; k++) {
          const perm_status status = scenes.alone[k].status;
          const int same = status == PERM_OK ? scenes.result[k].status == PERM_OK : scenes_blank(k, status);
          scenes.result[k].threads = 1; /* of all by a single call */
          CHECK_SHOW(same && (status != PERM_OK || scenes_same(k)), "%g bytes, %d threads, scene %d: %s, not %s",
                     options.max_bytes, threads, k, scenes.result[k].message, scenes.alone[k].message);
          whole += status == PERM_OK;
          refused += status == PERM_ERROR_LIMIT && strstr(scenes.result[k].message, "max_bytes");
        }
      }
  }
  CHECK(scenes_own.live == 0 && scenes_own.bytes == 0);
  CHECK_SHOW(whole > 200 && refused > 200 && tight > 5, "%d, %d, %d", whole, refused, tight);
  scenes_free();
}

static int scenes_progress(const perm_progress *progress, void *user_data)
{
  CHECK(progress->fraction >= 0 && progress->fraction < 1);
  return ++*(int *)user_data == 1;
}

/* After a stop scenes that are done stay, and all others are NaN. */
TEST(t_scenes_stops)
{
  perm_options options;
  int threads, k, done = 0, told = 0;
  long each;
  scenes_make();
  memset(&options, 0, sizeof options);
  test_watch_units = 0; /* also where a scene is checked */
  test_watch_steps = 1;
  for (threads = 1; threads <= 3; threads += 2) {
    options.threads = threads;
    options.cancel = &scenes_own.cancel;
    scenes_own.cancel = 1;
    CHECK(scenes_run(&options) == PERM_STOPPED_CANCELLED);
    for (k = 0; k < T_SCENES; k++)
      CHECK(scenes_blank(k, PERM_STOPPED_CANCELLED));
    scenes_own.cancel = 0;
    options.max_seconds = 1e-9;
    CHECK(scenes_run(&options) == PERM_STOPPED_TIME);
    for (k = 0; k < T_SCENES; k++)
      CHECK(scenes_blank(k, PERM_STOPPED_TIME));
    options.max_seconds = 0;
  }
  options.threads = 1;
  options.allocator.allocate = scenes_allocate;
  options.allocator.release = scenes_release;
  CHECK(perm_marginals_sparse_batch(1, scenes.scene, &options, scenes.marginal, scenes.unmatched, scenes.result) ==
        PERM_OK);
  each = scenes_own.calls; /* the array, the workspace, the first scene */
  scenes_own.calls = 0;
  scenes_own.cancel_at = each + 1; /* in the first scene that needs more */
  CHECK(scenes_run(&options) == PERM_STOPPED_CANCELLED && scenes_own.cancel);
  while (done < T_SCENES && scenes_same(done))
    done++;
  CHECK_SHOW(done > 0 && done < T_SCENES, "%d done", done);
  for (k = done; k < T_SCENES; k++)
    CHECK(scenes_blank(k, PERM_STOPPED_CANCELLED));
  scenes_own.cancel = 0;
  scenes_own.cancel_at = 0;
  scenes_own.calls = 0;
  scenes_own.sleep_at[0] = each; /* scene 0 and that one take a quarter of a second each, */
  scenes_own.sleep_at[1] = each + 1;
  options.max_seconds = 0.4; /* which one may, but both may not */
  CHECK(scenes_run(&options) == PERM_STOPPED_TIME);
  for (k = 0; k < T_SCENES; k++)
    CHECK((k < done && scenes_same(k)) || scenes_blank(k, PERM_STOPPED_TIME));
  scenes_own.calls = 0;
  scenes_own.sleep_at[1] = 0;
  options.max_seconds = 0;
  options.progress = scenes_progress;
  options.user_data = &told;
  CHECK(scenes_run(&options) == PERM_STOPPED_CANCELLED && told == 1);
  CHECK(scenes_blank(T_SCENES - 1, PERM_STOPPED_CANCELLED));
  test_watch_units = 1e7;
  test_watch_steps = 65536;
  CHECK(scenes_own.live == 0);
  scenes_free();
}
/* SPDX-License-Identifier: MIT */
