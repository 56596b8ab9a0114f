/* Threads for a wheel without a library: what clang's -fopenmp calls for the constructs that the headers have (parallel
   num_threads, critical, atomic). A region starts its threads and ends them, so a forked process has all of them; a
   region inside another has one. build_backend.py takes it where the compiler has no OpenMP of its own. */
#define _GNU_SOURCE 1 /* sched_getaffinity */
#include <stdarg.h>
#include <stdlib.h>
#if defined(_WIN32)
#include <windows.h>
#else
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#endif

enum { MOST_SHARED = 8, MOST_THREADS = 4096 }; /* variables of a region; as `threads` of perm.py */
typedef void (*region)(int *, int *, void *, void *, void *, void *, void *, void *, void *, void *);
typedef struct member { region work; void *const *shared; int number; } member;
static __thread int number, inside, wanted;

static void take_part(const member *m)
{
  void *const *v = m->shared;
  int here = number = m->number;
  inside = 1;
  m->work(&here, &here, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
  number = inside = 0;
}

#if defined(_WIN32)
typedef HANDLE thread;
static DWORD WINAPI run(void *m) { take_part((const member *)m); return 0; }
static int start(thread *t, member *m) { return (*t = CreateThread(NULL, 0, run, m, 0, NULL)) != NULL; }
static void finish(thread t) { WaitForSingleObject(t, INFINITE); CloseHandle(t); }
static int processors(void) { return (int)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS); }
static void yield(void) { SwitchToThread(); }
#else
typedef pthread_t thread;
static void *run(void *m) { take_part((const member *)m); return NULL; }
static int start(thread *t, member *m)
{
  pthread_attr_t attributes; /* musl's own stacks have 128 KiB */
  return !pthread_attr_init(&attributes) && !pthread_attr_setstacksize(&attributes, (size_t)1 << 21) &&
         !pthread_create(t, &attributes, run, m) && !pthread_attr_destroy(&attributes);
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
static void yield(void) { sched_yield(); }
#endif

int omp_get_thread_num(void) { return number; }
int omp_get_max_threads(void)
{
  const char *told = getenv("OMP_NUM_THREADS");
  const int n = told && atoi(told) > 0 ? atoi(told) : processors();
  return n < 1 ? 1 : n < MOST_THREADS ? n : MOST_THREADS;
}
int __kmpc_global_thread_num(void *place) { return place ? number : 0; }
void __kmpc_push_num_threads(void *place, int own, int threads) { wanted = place || own ? threads : 0; }

void __kmpc_fork_call(void *place, int count, region work, ...)
{
  void *shared[MOST_SHARED] = {place};
  const int own = number, nested = inside, threads = nested ? 1 : wanted ? wanted : omp_get_max_threads();
  member first = {work, shared, 0}, *m = threads > 1 ? (member *)malloc((size_t)threads * sizeof *m) : NULL;
  thread *started = m ? (thread *)malloc((size_t)threads * sizeof *started) : NULL;
  int n = 1, k;
  va_list given;
  if (count > MOST_SHARED)
    abort(); /* a region with more variables: MOST_SHARED, and take_part */
  va_start(given, work);
  for (k = 0; k < count; k++)
    shared[k] = va_arg(given, void *);
  va_end(given);
  for (wanted = 0; started && n < threads; n++) { /* as many as start */
    m[n] = first;
    m[n].number = n;
    if (!start(&started[n], &m[n]))
      break;
  }
  take_part(&first);
  number = own;
  inside = nested;
  while (--n > 0)
    finish(started[n]);
  free(m);
  free(started);
}

void __kmpc_critical(void *place, int own, int *name)
{
  while (__sync_lock_test_and_set(name, 1))
    yield();
  (void)place, (void)own;
}
void __kmpc_end_critical(void *place, int own, int *name) { (void)place, (void)own, __sync_lock_release(name); }
/* SPDX-License-Identifier: MIT */
