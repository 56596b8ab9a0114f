/* Threads for a wheel without a library: what clang's -fopenmp calls of its runtime for the three constructs that the
   headers have (parallel num_threads, critical, atomic). A region starts its threads and ends them, so a forked
   process has all of them; a region inside another has one. build_backend.py compiles it where the compiler has no
   OpenMP of its own, with the omp.h that it writes beside it. */
#define _GNU_SOURCE 1 /* sched_getaffinity */
#include <stdarg.h>
#include <stdlib.h>
#if defined(_WIN32)
#include <windows.h>
#define YIELD() SwitchToThread()
#else
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#define YIELD() sched_yield()
#endif

enum { MOST_SHARED = 8, MOST_THREADS = 4096 }; /* variables of a region; as `threads` of perm.py */
typedef void (*region)(int *, int *, void *, void *, void *, void *, void *, void *, void *, void *);
typedef struct team { region work; void *shared[MOST_SHARED]; } team;
typedef struct member { const team *of; int number; } member;
static __thread int number, inside, wanted;

static void take_part(const member *m)
{
  void *const *v = m->of->shared;
  int here = m->number;
  number = here;
  inside = 1;
  m->of->work(&here, &here, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
  number = inside = 0;
}

#if defined(_WIN32)
typedef HANDLE thread;
static DWORD WINAPI run(void *m) { take_part((const member *)m); return 0; }
static int start(thread *t, member *m) { return (*t = CreateThread(NULL, 0, run, m, 0, NULL)) != NULL; }
static void finish(thread t) { WaitForSingleObject(t, INFINITE); CloseHandle(t); }
static int processors(void) { return (int)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS); }
#else
typedef pthread_t thread;
static void *run(void *m) { take_part((const member *)m); return NULL; }
static int start(thread *t, member *m)
{
  pthread_attr_t attributes; /* musl's own stacks have 128 KiB */
  int made = !pthread_attr_init(&attributes);
  if (made) {
    made = !pthread_attr_setstacksize(&attributes, (size_t)1 << 21) && !pthread_create(t, &attributes, run, m);
    pthread_attr_destroy(&attributes);
  }
  return made;
}
static void finish(thread t) { pthread_join(t, NULL); }
static int processors(void)
{
#if defined(__linux__)
  cpu_set_t set;
  if (!sched_getaffinity(0, sizeof set, &set))
    return CPU_COUNT(&set);
#endif
  return (int)sysconf(_SC_NPROCESSORS_ONLN);
}
#endif

int omp_get_thread_num(void) { return number; }
int omp_get_max_threads(void)
{
  const char *told = getenv("OMP_NUM_THREADS");
  const int n = told && atoi(told) > 0 ? atoi(told) : processors();
  return n < 1 ? 1 : n < MOST_THREADS ? n : MOST_THREADS;
}
int __kmpc_global_thread_num(void *place) { (void)place; return number; }
void __kmpc_push_num_threads(void *place, int own, int threads) { (void)place; (void)own; wanted = threads; }

void __kmpc_fork_call(void *place, int count, region work, ...)
{
  team all = {work, {0}};
  member first = {&all, 0}, *others = NULL;
  thread *started = NULL;
  const int nested = inside;
  int n = 1, k, threads = nested ? 1 : wanted ? wanted : omp_get_max_threads();
  va_list shared;
  (void)place;
  if (count > MOST_SHARED)
    abort(); /* a region with more variables: MOST_SHARED, and take_part */
  va_start(shared, work);
  for (k = 0; k < count; k++)
    all.shared[k] = va_arg(shared, void *);
  va_end(shared);
  wanted = 0;
  if (threads > 1) {
    others = (member *)malloc((size_t)threads * sizeof *others);
    started = (thread *)malloc((size_t)threads * sizeof *started);
  }
  for (; others && started && n < threads; n++) { /* with as many as there are, if not all start */
    others[n].of = &all;
    others[n].number = n;
    if (!start(&started[n], &others[n]))
      break;
  }
  k = number;
  take_part(&first);
  number = k;
  inside = nested;
  while (--n > 0)
    finish(started[n]);
  free(others);
  free(started);
}

void __kmpc_critical(void *place, int own, int *name)
{
  (void)place;
  (void)own;
  while (__sync_lock_test_and_set(name, 1))
    YIELD();
}
void __kmpc_end_critical(void *place, int own, int *name) { (void)place; (void)own; __sync_lock_release(name); }
/* SPDX-License-Identifier: MIT */
