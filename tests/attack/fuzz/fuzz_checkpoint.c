/* Fuzzing checkpoints: no bytes may crash perm_state_decode, perm_checkpoint_options or perm_partial_decode, leak, make
   them allocate out of proportion, or give a state that does not hold together: of a state that is accepted the
   intervals are in order and in the leaf, what is left and what is there are all chunks, and encoding it gives the
   same bytes. Bytes come as they are, and again with length and checksum put right, so that they reach what lies
   behind the two. */
#define INSIDE_DENSE
#include "../../unit/inside.h"
#include <unistd.h>

#include "fuzz.h"

static fuzz_memory fuzz_memory_of_job = {0, SIZE_MAX, 1}; /* refuses more than a multiple of the input */

/* The job that all files are for, of 256 chunks; made once. */
static const perm_job *fuzz_job(void)
{
  static perm_job *job;
  if (!job) {
    double a[14 * 14];
    perm_options options;
    int i;
    for (i = 0; i < 14 * 14; i++)
      a[i] = 1.0 / (1 + (i * 7 + i / 14) % 23);
    memset(&options, 0, sizeof options);
    options.method = PERM_METHOD_GLYNN;
    options.allocator.allocate = fuzz_allocate;
    options.allocator.release = fuzz_release;
    options.allocator.user_data = &fuzz_memory_of_job;
    FUZZ_REQUIRE(perm_job_real(14, 14, a, 14, &options, &job, NULL) == PERM_OK);
  }
  return job;
}

static void fuzz_decode(const uint8_t *data, size_t size)
{
  const perm_job *job = fuzz_job();
  const size_t live = fuzz_memory_of_job.live;
  perm_state *state = NULL;
  perm_result result;
  perm_status status;
  fuzz_memory_of_job.bound = 2 * size + 4096;
  status = perm_state_decode(job, data, size, &state, &result);
  FUZZ_REQUIRE(status == PERM_OK ? state != NULL : state == NULL && result.message[0] &&
                                                      fuzz_memory_of_job.live == live);
  if (state) {
    perm_leaf leaf;
    uint64_t begin, end, from = 0, left = 0;
    perm_options options;
    uint8_t *again;
    char *note;
    size_t k, bytes;
    int text;
    perm_job_leaf(job, 0, &leaf);
    for (;; from = end) {
      FUZZ_REQUIRE(perm_state_left(job, state, 0, from, &begin, &end) == PERM_OK);
      FUZZ_REQUIRE(begin >= from && begin <= end && end <= leaf.chunks);
      if (begin == end)
        break;
      left += end - begin;
    }
    FUZZ_REQUIRE(left + state->partial[0].chunks == leaf.chunks);
    for (k = 0; k < state->finished[0].count; k++)
      FUZZ_REQUIRE(state->finished[0].list[k].begin < state->finished[0].list[k].end &&
                   (!k || state->finished[0].list[k - 1].end < state->finished[0].list[k].begin));
    status = perm_state_finish(job, state, &result);
    FUZZ_REQUIRE(status == (left ? PERM_ERROR_STATE : PERM_OK));
    memset(&options, 0, sizeof options);
    bytes = (size_t)permi_get(data + 104, 8);
    note = (char *)calloc(bytes + 1, 1);
    FUZZ_REQUIRE(note);
    memcpy(note, data + size - 8 - bytes, bytes);
    options.checkpoint.note = note;
    text = strlen(note) == bytes; /* else it is none that was given */
    if (!text)
      memset(note, '.', bytes);
    FUZZ_REQUIRE(perm_state_encode(job, state, &options, NULL, 0) == size);
    again = (uint8_t *)malloc(size);
    FUZZ_REQUIRE(again && perm_state_encode(job, state, &options, again, size) == size);
    FUZZ_REQUIRE(!memcmp(again + PERMI_CHECKPOINT_HEAD, data + PERMI_CHECKPOINT_HEAD,
                         size - 8 - PERMI_CHECKPOINT_HEAD - (text ? 0 : bytes)));
    free(again);
    free(note);
  }
  perm_state_free(state);
  FUZZ_REQUIRE(fuzz_memory_of_job.live == live);
}

static void fuzz_file(const uint8_t *data, size_t size)
{
  char path[64];
  fuzz_memory memory = {0, 4 * size + 16384, 1};
  perm_options options;
  perm_result result;
  perm_status status;
  char *note = NULL;
  FILE *file;
  snprintf(path, sizeof path, "/tmp/fuzz_checkpoint.%ld", (long)getpid());
  file = fopen(path, "wb");
  FUZZ_REQUIRE(file && fwrite(data, 1, size, file) == size && !fclose(file));
  memset(&options, 0, sizeof options);
  options.allocator.allocate = fuzz_allocate;
  options.allocator.release = fuzz_release;
  options.allocator.user_data = &memory;
  status = perm_checkpoint_options(path, &options, &note, &result);
  FUZZ_REQUIRE(status == PERM_OK ? !note || strlen(note) < size : !note && result.message[0]);
  fuzz_release(note, &memory);
  FUZZ_REQUIRE(memory.live == 0);
  remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  uint8_t *sealed = (uint8_t *)malloc(size ? size : 1); /* of its very length, for the sanitizer */
  perm_partial partial;
  memcpy(sealed, data, size);
  fuzz_decode(sealed, size);
  if (size % 16 == 0) /* files are slower than memory */
    fuzz_file(sealed, size);
  if (size >= PERMI_CHECKPOINT_HEAD + 8) {
    permi_put(sealed + 16, size, 8);
    permi_put(sealed + size - 8, permi_checksum(sealed, size - 8), 8);
    fuzz_decode(sealed, size);
    if (size % 16 == 0)
      fuzz_file(sealed, size);
  }
  if (size >= PERM_PARTIAL_BYTES)
    perm_partial_decode(sealed, PERM_PARTIAL_BYTES, &partial);
  free(sealed);
  return 0;
}

enum { SEEDS = 4, ROOM = 16384 };
static uint8_t fuzz_seeds[SEEDS][ROOM];
static size_t fuzz_sizes[SEEDS];

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  const perm_job *job = fuzz_job();
  perm_leaf leaf;
  int s;
  (void)count, (void)arguments;
  perm_job_leaf(job, 0, &leaf);
  for (s = 0; s < SEEDS; s++) { /* nothing done, some intervals, many, everything; and notes */
    perm_state *state;
    perm_options options;
    uint64_t chunk, each = s == 3 ? leaf.chunks : s == 2 ? 1 : leaf.chunks / 4;
    fuzz_memory_of_job.bound = SIZE_MAX;
    FUZZ_REQUIRE(perm_state_create(job, &state) == PERM_OK);
    for (chunk = s == 0 ? leaf.chunks : 0; chunk < leaf.chunks; chunk += 2 * each) {
      perm_partial partial;
      FUZZ_REQUIRE(perm_job_range(job, 0, chunk, chunk + each, NULL, &partial, NULL) == PERM_OK);
      FUZZ_REQUIRE(perm_state_add(job, state, 0, chunk, chunk + each, &partial, NULL) == PERM_OK);
    }
    memset(&options, 0, sizeof options);
    options.checkpoint.note = s % 2 ? "perm note 1" : NULL;
    fuzz_sizes[s] = perm_state_encode(job, state, &options, fuzz_seeds[s], ROOM);
    FUZZ_REQUIRE(fuzz_sizes[s] <= ROOM - 16);
    perm_state_free(state);
    fuzz_seed(s, fuzz_seeds[s], fuzz_sizes[s]);
  }
  return 0;
}

#if defined(PERM_FUZZ_STANDALONE)
int main(int count, char **arguments)
{
  static uint8_t buffer[ROOM];
  long iterations, k;
  int s;
  LLVMFuzzerInitialize(&count, &arguments);
  if (fuzz_replay(count, arguments))
    return 0;
  iterations = count > 1 ? strtol(arguments[1], NULL, 10) : 20000;
  for (k = 0; k < iterations; k++) {
    size_t size, changes = k < SEEDS ? 0 : 1 + fuzz_below(4), at, length;
    s = (int)(k < SEEDS ? (size_t)k : fuzz_below(SEEDS));
    size = fuzz_sizes[s];
    memcpy(buffer, fuzz_seeds[s], size);
    for (; changes; changes--) {
      at = fuzz_below(4) ? fuzz_below(size < 600 ? size : 600) : fuzz_below(size); /* mostly heads and intervals */
      switch (fuzz_below(6)) {
      case 0: buffer[at] = (uint8_t)fuzz_below(256); break;
      case 1: buffer[at] ^= (uint8_t)(1u << fuzz_below(8)); break;
      case 2: /* a number: little, large or off by one */
        at = at / 8 * 8;
        if (at + 8 <= size)
          permi_put(buffer + at, fuzz_below(2) ? permi_get(buffer + at, 8) + (fuzz_below(2) ? 1 : UINT64_MAX)
                                : fuzz_below(2) ? fuzz_below(300) : UINT64_MAX - fuzz_below(9), 8);
        break;
      case 3: size = fuzz_below(8) ? size : fuzz_below(size + 1); break; /* cut */
      case 4: /* a piece taken out */
        length = 8 * (1 + fuzz_below(4));
        if (at + length < size) {
          memmove(buffer + at, buffer + at + length, size - at - length);
          size -= length;
        }
        break;
      default: /* a piece twice */
        length = 8 * (1 + fuzz_below(2));
        at = at / 8 * 8;
        if (at + length <= size && size + length <= ROOM) {
          memmove(buffer + at + length, buffer + at, size - at);
          size += length;
        }
      }
      if (!size)
        break;
    }
    LLVMFuzzerTestOneInput(buffer, size);
  }
  perm_job_free((perm_job *)(uintptr_t)fuzz_job());
  printf("%ld inputs, no failure\n", iterations);
  return 0;
}
#endif
/* SPDX-License-Identifier: MIT */
