/* What the fuzzers share: requirements, memory that is counted, bytes read as numbers, and a program without libFuzzer.

   With libFuzzer:  make fuzz-hours [FUZZ_SECONDS=3600]
   Without:         -DPERM_FUZZ_STANDALONE: NAME COUNT mutates seeds so many times, the same way every time, or as
                    FUZZ_SEED says; NAME FILE... replays inputs, such as those of tests/attack/fuzz/crashers */
#ifndef PERM_FUZZ_H_INCLUDED
#define PERM_FUZZ_H_INCLUDED

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(_OPENMP)
#include <omp.h>
#endif

#define FUZZ_REQUIRE(condition) \
  ((condition) ? (void)0 : (fflush(NULL), fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

/* Counts what is live; an allocation above `bound` fails, or is a failure where `strict`. */
typedef struct fuzz_memory { size_t live, bound; int strict; } fuzz_memory;

__attribute__((unused)) static void *fuzz_allocate(size_t bytes, void *user_data)
{
  fuzz_memory *memory = (fuzz_memory *)user_data;
  void *pointer;
  if (bytes > memory->bound) {
    FUZZ_REQUIRE(!memory->strict);
    return NULL;
  }
  pointer = malloc(bytes ? bytes : 1);
  memory->live += pointer != NULL;
  return pointer;
}

__attribute__((unused)) static void fuzz_release(void *pointer, void *user_data)
{
  ((fuzz_memory *)user_data)->live -= pointer != NULL;
  free(pointer);
}

/* Bytes as numbers. They begin again at their end: short inputs are repetitive matrices, not zero ones. */
typedef struct fuzz_bytes { const uint8_t *data; size_t size, at; } fuzz_bytes;

__attribute__((unused)) static unsigned fuzz_byte(fuzz_bytes *from)
{
  return from->size ? from->data[from->at++ % from->size] : 0;
}

__attribute__((unused)) static uint64_t fuzz_word(fuzz_bytes *from)
{
  uint64_t word = 0;
  int i;
  for (i = 0; i < 8; i++)
    word = word << 8 | fuzz_byte(from);
  return word;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); /* libFuzzer declares it in no header */
int LLVMFuzzerInitialize(int *count, char ***arguments);

/* Threads that wait sleep, and are few; the runtime starts now, and not amidst an input. */
__attribute__((unused)) static void fuzz_begin_openmp(void)
{
#if defined(_OPENMP)
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("OMP_THREAD_LIMIT", "4", 0);
  setenv("OMP_TOOL", "disabled", 0);
  omp_set_num_threads(2);
#endif
}

/* Allocations that cannot be met are answers, not failures. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
  return "allocator_may_return_null=1:max_allocation_size_mb=1000:detect_stack_use_after_return=0";
}

/* Where FUZZ_SEEDS names a directory, the k-th seed goes there: a corpus to begin with. */
__attribute__((unused)) static void fuzz_seed(int k, const void *data, size_t size)
{
  const char *directory = getenv("FUZZ_SEEDS");
  char path[4096];
  FILE *file;
  if (!directory)
    return;
  snprintf(path, sizeof path, "%s/seed%d", directory, k);
  file = fopen(path, "wb");
  FUZZ_REQUIRE(file && fwrite(data, 1, size, file) == size && !fclose(file));
}

#if defined(PERM_FUZZ_STANDALONE)
static uint64_t fuzz_state;
static size_t fuzz_below(size_t n) /* xorshift64 */
{
  if (!fuzz_state)
    fuzz_state = 88172645463325252u + (getenv("FUZZ_SEED") ? strtoull(getenv("FUZZ_SEED"), NULL, 10) << 32 : 0);
  fuzz_state ^= fuzz_state << 13;
  fuzz_state ^= fuzz_state >> 7;
  fuzz_state ^= fuzz_state << 17;
  return (size_t)(fuzz_state % n);
}

/* Replays the files named; 0: there are none, count[0] is a number. */
static int fuzz_replay(int count, char **arguments)
{
  int i;
  if (count < 2 || strspn(arguments[1], "0123456789") == strlen(arguments[1]))
    return 0;
  for (i = 1; i < count; i++) {
    static uint8_t buffer[1 << 20];
    FILE *file = fopen(arguments[i], "rb");
    size_t size;
    FUZZ_REQUIRE(file != NULL);
    size = fread(buffer, 1, sizeof buffer, file);
    fclose(file);
    LLVMFuzzerTestOneInput(buffer, size);
  }
  printf("%d files, no failure\n", count - 1);
  return 1;
}

/* For inputs that are decisions, so that any bytes will do. */
__attribute__((unused)) static int fuzz_random_main(int count, char **arguments, size_t most)
{
  long iterations, k;
  static uint8_t buffer[4096];
  LLVMFuzzerInitialize(&count, &arguments);
  if (fuzz_replay(count, arguments))
    return 0;
  iterations = count > 1 ? strtol(arguments[1], NULL, 10) : 10000;
  for (k = 0; k < iterations; k++) {
    size_t size = fuzz_below(most + 1), i;
    for (i = 0; i < size; i++)
      buffer[i] = (uint8_t)fuzz_below(256);
    LLVMFuzzerTestOneInput(buffer, size);
  }
  printf("%ld inputs, no failure\n", iterations);
  return 0;
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
