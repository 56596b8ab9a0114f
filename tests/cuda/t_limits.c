/* >>gpu_run, >>compile */
/* A compiler that takes long: calls leave it when they are to stop, what it makes is kept, nobody else waits for it,
   and the process may end. On the twin, whose compiler takes as long as the test says. */

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

void perm_cuda_test_compiling(int milliseconds);
int perm_cuda_test_making(void);

enum { LIMITS_DENSE, LIMITS_EXACT, LIMITS_HYBRID, LIMITS_CODEGEN, LIMITS_FRONTIER, LIMITS_BATCH, LIMITS_WAYS };
static const char *const limits_name[] = {"dense", "exact", "hybrid", "codegen", "frontier", "batch"};

static perm_result limits_compute(int way, const perm_options *limits)
{
  static double a[64 * 256], value[64];
  static int64_t whole[16 * 16];
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  perm_matrix matrix;
  perm_result r;
  int i;
  options.gpu.devices = 1;
  options.threads = 1;
  options.max_seconds = limits->max_seconds;
  options.cancel = limits->cancel;
  options.progress = limits->progress;
  options.user_data = limits->user_data;
  for (i = 0; i < 64 * 256; i++)
    a[i] = sin(i + 1.0);
  for (i = 0; i < 16 * 16; i++)
    whole[i] = i * i % 7 - 2 + (i % 17 == 0);
  if (way == LIMITS_DENSE || way == LIMITS_EXACT) {
    if (way == LIMITS_EXACT) {
      options = whole_options(1);
      options.max_seconds = limits->max_seconds;
      options.cancel = limits->cancel;
      options.progress = limits->progress;
      return whole_compute(16, 1, whole, &options);
    }
    perm_compute_real(15, 15, a, 16, &options, &r);
    return r;
  }
  if (way == LIMITS_BATCH) {
    options.method = PERM_METHOD_AUTO;
    options.isa = PERM_ISA_CUDA;
    perm_batch_real(10, 64, a, 100, &options, value, &r);
    r.value = value[63];
    return r;
  }
  options.method = way == LIMITS_CODEGEN    ? PERM_METHOD_CODEGEN
                   : way == LIMITS_FRONTIER ? PERM_METHOD_ARRAYS
                                            : PERM_METHOD_HYBRID;
  if (way == LIMITS_CODEGEN)
    options.isa = PERM_ISA_AUTO;
  CHECK(perm_generate("er:15:0.4", 7, NULL, &matrix, &r) == PERM_OK);
  perm_compute_sparse(&matrix, &options, &r);
  perm_matrix_free(&matrix);
  return r;
}

static int limits_reports;
static int limits_progress(const perm_progress *progress, void *user_data)
{
  (void)user_data;
  limits_reports++;
  return progress->seconds > 0.1;
}

static void *limits_cancel(void *cancel)
{
  usleep(150000);
  *(volatile int *)cancel = 1;
  return NULL;
}

/* By max_seconds, cancel, progress; then whole, with the same bits. */
TEST(t_cuda_twin_compiler_is_left)
{
  perm_options none;
  int way, how;
  memset(&none, 0, sizeof none);
  for (way = 0; way < LIMITS_WAYS; way++)
    for (how = way ? way % 3 : 0; how < (way ? way % 3 + 1 : 3); how++) {
      perm_options limits = none;
      volatile int cancel = 0;
      perm_result whole, left, other, again;
      pthread_t thread;
      double start, took;
      perm_cuda_test_driver(1);
      whole = limits_compute(way, &none);
      CHECK_SHOW(whole.status == PERM_OK && whole.isa == PERM_ISA_CUDA, "%s: %s", limits_name[way], whole.message);
      perm_cuda_test_driver(1); /* nothing is compiled */
      perm_cuda_test_compiling(2000);
      limits_reports = 0;
      limits.max_seconds = how == 0 ? 0.2 : 0;
      limits.cancel = how == 1 ? &cancel : NULL;
      limits.progress = how == 2 ? limits_progress : NULL;
      if (how == 1)
        CHECK(!pthread_create(&thread, NULL, limits_cancel, (void *)(uintptr_t)&cancel));
      start = permi_seconds();
      left = limits_compute(way, &limits);
      took = permi_seconds() - start;
      if (how == 1)
        pthread_join(thread, NULL);
      CHECK_SHOW(left.status == (how == 0 ? PERM_STOPPED_TIME : PERM_STOPPED_CANCELLED), "%s, %d: %s: %s",
                 limits_name[way], how, perm_name("status", left.status), left.message);
      CHECK_SHOW(took > 0.1 && took < 1 && perm_cuda_test_making() > 0, "%s, %d: %.3f s", limits_name[way], how, took);
      CHECK(how != 2 || limits_reports > 0);
      perm_cuda_test_compiling(0);
      start = permi_seconds();
      other = limits_compute(way == LIMITS_DENSE ? LIMITS_EXACT : LIMITS_DENSE, &none); /* waits for nobody else */
      took = permi_seconds() - start;
      CHECK_SHOW(other.status == PERM_OK && took < 1 && perm_cuda_test_making() > 0, "%s, %d: %.3f s",
                 limits_name[way], how, took);
      again = limits_compute(way, &none); /* waits for what is left, and has it */
      CHECK_SHOW(again.status == PERM_OK && cuda_same_bits(&again, &whole), "%s: %s, %.17g, not %.17g",
                 limits_name[way], again.message, again.value, whole.value);
    }
  perm_cuda_test_driver(0);
}

/* A process that ends while a kernel is compiled does so at once, and in order. */
TEST(t_cuda_twin_process_ends)
{
  const double start = permi_seconds();
  pid_t child;
  int status = 0;
  perm_cuda_test_driver(1);
  fflush(NULL);
  child = fork();
  if (child == 0) {
    perm_options limits;
    perm_result r;
    memset(&limits, 0, sizeof limits);
    limits.max_seconds = 0.1;
    perm_cuda_test_compiling(10000);
    r = limits_compute(LIMITS_HYBRID, &limits);
    exit(r.status == PERM_STOPPED_TIME && perm_cuda_test_making() == 1 ? 42 : 1);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK_SHOW(WIFEXITED(status) && WEXITSTATUS(status) == 42 && permi_seconds() - start < 3, "status %d after %.3f s",
             status, permi_seconds() - start);
  perm_cuda_test_driver(0);
}

/* The real compiler, where there is a GPU: without a cache, a complex program takes seconds. */
TEST(t_cuda_gpu_compiler_is_left)
{
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  perm_matrix matrix;
  perm_result whole, r;
  double start, took;
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  options.gpu.devices = 1;
  options.method = PERM_METHOD_HYBRID;
  options.gpu.cache = NULL;
  CHECK(perm_generate("er:30:0.4", 11, NULL, &matrix, &r) == PERM_OK);
  options.max_seconds = 1e-3;
  perm_compute_sparse(&matrix, &options, &r); /* the driver is opened, the plan is known */
  perm_cuda_test_driver(0);
  options.max_seconds = 0;
  start = permi_seconds();
  whole = cuda_compute_sparse(&matrix, &options);
  took = whole.seconds;
  CHECK_SHOW(whole.status >= 0 && whole.isa == PERM_ISA_CUDA, "%s", whole.message);
  perm_cuda_test_driver(0);
  options.max_seconds = whole.plan_seconds + 0.05;
  r = cuda_compute_sparse(&matrix, &options);
  CHECK_SHOW(r.status != PERM_STOPPED_TIME || r.seconds < 0.3, "%.3f s, whole %.3f", r.seconds, took);
  if (test_verbose)
    printf("  compiled and summed in %.3f s; stopped after %.3f: %s\n", took, r.seconds, perm_name("status", r.status));
  options.max_seconds = 0;
  r = cuda_compute_sparse(&matrix, &options);
  CHECK_SHOW(r.status >= 0 && cuda_same_bits(&r, &whole), "%s: %.17g, not %.17g", r.message, r.value, whole.value);
  (void)start;
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
