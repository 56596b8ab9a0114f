/* A test harness in one header: TEST(t_name) { CHECK(...); } registers itself by a table that all.c builds.

   Run:  build/tests [-v] [-x] [-q] [-s I/K] [-r SEED] [FILTER...]   FILTER: only tests whose name contains it, or one
   of several. -v: a line each, with seconds; -x: nothing after the first failed CHECK; -q: no TEST_LONG, and others are
   smaller (test_some, test_quick); -s: the I-th of K parts (I = 0 .. K - 1), for several processes at once: whole
   files of tests, which may share a file's name; -r: other random numbers than those of seed 0. No verdict hangs on a
   seed: what fails at one has a limit that holds by luck.
   A failed CHECK prints file:line, the expression and the command that repeats the test; the test goes on.
   SKIP(reason) ends a test and is counted. A test that makes no check fails: nothing passes by doing nothing. */
#ifndef PERM_TEST_H_INCLUDED
#define PERM_TEST_H_INCLUDED

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct test_case { const char *name, *file; void (*run)(void); int lasting; } test_case;

static struct { test_case table[1024]; int count; } test_list;
static struct { const char *name; long checks, failures; int skipped; } test_now;
static int test_verbose; /* -v: tests may print figures */
static int test_ends;    /* -x */
static int test_quick;   /* -q */
static void (*test_before)(void); /* NULL, or what happens before every test */

__attribute__((unused)) static int test_register(const char *name, const char *file, void (*run)(void), int lasting)
{
  const test_case test = {name, file, run, lasting};
  if (test_list.count == 1024)
    abort();
  test_list.table[test_list.count++] = test;
  return 1;
}

/* A constructor keeps a test's name in one place. */
#define TEST_OF(name, lasting)                                                                                       \
  static void name(void);                                                                                            \
  static void __attribute__((constructor)) register_##name(void) { test_register(#name, __FILE__, name, lasting); } \
  static void name(void)
#define TEST(name) TEST_OF(name, 0)
/* A search or a statistic whose content takes a second of a core or more: `make check` leaves it to check-ci. */
#define TEST_LONG(name) TEST_OF(name, 1)

static uint64_t test_base_seed;    /* -r */
static const char *test_hidden = ""; /* all.c: what the processor is said not to have */

static void test_fail(const char *file, int line, const char *what, const char *detail)
{
  if (++test_now.failures > 5)
    return;
  printf("FAIL %s:%d: %s%s%s\n     repeat: build/tests ", file, line, what, *detail ? ": " : "", detail);
  if (*test_hidden)
    printf("--hide %s ", test_hidden);
  if (test_quick)
    printf("-q ");
  if (test_base_seed)
    printf("-r %llu ", (unsigned long long)test_base_seed);
  printf("%s\n", test_now.name);
  if (test_ends)
    exit(1);
}

#define CHECK(condition)                                        \
  do {                                                          \
    test_now.checks++;                                          \
    if (!(condition))                                           \
      test_fail(__FILE__, __LINE__, #condition, "");            \
  } while (0)

/* The same with numbers to look at: CHECK_SHOW(x < y, "n = %d, x = %g", n, x) */
#define CHECK_SHOW(condition, ...)                              \
  do {                                                          \
    test_now.checks++;                                          \
    if (!(condition)) {                                         \
      char detail_[8192];                                       \
      snprintf(detail_, sizeof detail_, __VA_ARGS__);           \
      test_fail(__FILE__, __LINE__, #condition, detail_);       \
    }                                                           \
  } while (0)

/* The file NAME.mtx of the directory that the environment variable PERM_MATRICES names; 0: no variable or no file. */
__attribute__((unused)) static int test_matrix_path(const char *name, char *path, size_t size)
{
  const char *directory = getenv("PERM_MATRICES");
  FILE *file;
  if (!directory || (size_t)snprintf(path, size, "%s/%s.mtx", directory, name) >= size || !(file = fopen(path, "rb")))
    return 0;
  fclose(file);
  return 1;
}

/* actual contains expected */
#define CHECK_TEXT(actual, expected) \
  CHECK_SHOW(strstr((actual), (expected)) != NULL, "\"%s\" in \"%s\"", (expected), (actual))

#define SKIP(reason)                                            \
  do {                                                          \
    printf("SKIP %s: %s\n", test_now.name, reason);             \
    test_now.skipped = 1;                                       \
    return;                                                     \
  } while (0)

/* error <= estimate, as far as it is promised: no error is above 10 estimates, and few (3, and 2 in 100) are above one.
   They are counted, and a test with more of them fails at its end. */
#define TEST_ESTIMATES 10
static struct { long seen, beyond; } test_estimates;

__attribute__((unused)) static int test_within(double error, double estimate)
{
  test_estimates.seen++;
  test_estimates.beyond += error > estimate;
  return error <= TEST_ESTIMATES * estimate;
}

/* xorshift64*: the same numbers everywhere. */
static uint64_t test_random_state = 1;

static void test_seed(uint64_t seed)
{
  test_random_state = (seed + 1000000 * test_base_seed) * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

static uint64_t test_random(void)
{
  test_random_state ^= test_random_state >> 12;
  test_random_state ^= test_random_state << 25;
  test_random_state ^= test_random_state >> 27;
  return test_random_state * UINT64_C(2685821657736338717);
}

static double test_uniform(void) /* [0, 1) */
{
  return (double)(test_random() >> 11) / 9007199254740992.0;
}

static int test_below(int n) /* 0..n-1 */
{
  return (int)(test_random() % (uint64_t)n);
}

/* So many trials: a quarter with -q. */
__attribute__((unused)) static int test_some(int trials)
{
  return test_quick ? (trials + 3) / 4 : trials;
}

static int test_wanted(const char *name, char **filter)
{
  int i;
  for (i = 0; filter[i]; i++)
    if (strstr(name, filter[i]))
      return 1;
  return i == 0;
}

/* system() where it is a shell as of POSIX; elsewhere 0, as after success. */
__attribute__((unused)) static int test_shell(const char *command)
{
#if defined(_WIN32)
  return (void)command, 0;
#else
  return system(command);
#endif
}

static double test_seconds(void)
{
#if defined(TIME_UTC)
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#else
  return (double)clock() / CLOCKS_PER_SEC;
#endif
}

__attribute__((unused)) static int test_main(int argc, char **argv)
{
  int verbose = argc > 1 && !strcmp(argv[1], "-v"), i, wanted = 0, part = 0, parts = 1, file = -1;
  unsigned long long base_seed = 0;
  char **filter = argv + 1 + verbose;
  int passed = 0, failed = 0, skipped = 0;
  test_ends = filter[0] && !strcmp(filter[0], "-x");
  filter += test_ends;
  test_quick = filter[0] && !strcmp(filter[0], "-q");
  filter += test_quick;
  if (filter[0] && !strcmp(filter[0], "-s")) {
    if (!filter[1] || sscanf(filter[1], "%d/%d", &part, &parts) != 2 || part < 0 || part >= parts)
      abort();
    filter += 2;
  }
  if (filter[0] && !strcmp(filter[0], "-r")) {
    if (!filter[1] || sscanf(filter[1], "%llu", &base_seed) != 1)
      abort();
    filter += 2;
  }
  test_base_seed = base_seed;
  test_verbose = verbose;
  for (i = 0; i < test_list.count; i++) {
    test_case *test = &test_list.table[i];
    const double start = test_seconds();
    file += !i || strcmp(test->file, test_list.table[i - 1].file) != 0;
    if ((test_quick && test->lasting) || !test_wanted(test->name, filter) || (wanted++, file % parts != part))
      continue;
    memset(&test_now, 0, sizeof test_now);
    memset(&test_estimates, 0, sizeof test_estimates);
    test_now.name = test->name;
    test_seed(1);
    if (test_before)
      test_before();
    test->run();
    if (test_estimates.beyond > 3 + test_estimates.seen / 50)
      test_fail(__FILE__, __LINE__, "more than a few errors are above their estimates", "");
    if (!test_now.checks && !test_now.skipped)
      test_fail(__FILE__, __LINE__, "the test made no check", "");
    if (verbose)
      printf("%s %s (%ld checks, %.1f s)\n", test_now.failures ? "FAIL" : test_now.skipped ? "skip" : "ok  ",
             test->name, test_now.checks, test_seconds() - start);
    fflush(stdout);
    if (test_now.failures)
      failed++;
    else if (test_now.skipped)
      skipped++;
    else
      passed++;
  }
  if (!wanted) {
    printf("no test matches \"%s\"\n", filter[0]);
    failed = 1;
  }
  printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed != 0;
}

#endif
/* SPDX-License-Identifier: MIT */
