/* Fuzzing the verifier of proofs: no matrix and no proof may crash examples/perm_verify.c or make it read outside its
   bytes, and what it accepts is the permanent, which perm computes again by another sum. Bytes: the first's lowest bits
   say what is put right behind the reader's back, so that mutations reach what lies there (1 the checksum, 2 the
   matrix's hash, 4 the length); two bytes, how long the matrix is; the matrix; the proof. */
#ifndef PERM_FUZZ_LINKED
#define PERM_IMPLEMENTATION
#endif
#include "perm_more.h"
#include "fuzz.h"
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

/* The verifier as it is, but for its files, which are in memory, its memory, its exits and its output. */
static jmp_buf fuzz_caught;
static char fuzz_said[8192];
static size_t fuzz_said_length;
static const uint8_t *fuzz_file[2];
static size_t fuzz_file_bytes[2];
static void *fuzz_taken[8];
static int fuzz_takes;

static FILE *fuzz_open(const char *path, const char *mode)
{
  const int which = *path == 'P';
  if (*path == '/')
    return fopen(path, mode); /* entropy */
  return fuzz_file_bytes[which] ? fmemopen((void *)(uintptr_t)fuzz_file[which], fuzz_file_bytes[which], mode)
                                : fopen("/dev/null", mode);
}

static void *fuzz_take(size_t count, size_t bytes)
{
  FUZZ_REQUIRE(fuzz_takes < 8);
  return fuzz_taken[fuzz_takes++] = calloc(count, bytes);
}

__attribute__((format(printf, 1, 2))) static void fuzz_say(const char *format, ...)
{
  va_list arguments;
  int length;
  va_start(arguments, format);
  length = vsnprintf(fuzz_said + fuzz_said_length, sizeof fuzz_said - fuzz_said_length, format, arguments);
  va_end(arguments);
  FUZZ_REQUIRE(length >= 0);
  fuzz_said_length += (size_t)length;
  if (fuzz_said_length >= sizeof fuzz_said)
    fuzz_said_length = sizeof fuzz_said - 1;
}

#define calloc(count, bytes) fuzz_take(count, bytes)
#define fopen(path, mode) fuzz_open(path, mode)
#define main verify
#define exit(code) longjmp(fuzz_caught, (code) + 1)
#define fprintf(stream, ...) fuzz_say(__VA_ARGS__)
#define printf(...) fuzz_say(__VA_ARGS__)
#include "../../../examples/perm_verify.c"
#undef calloc
#undef fopen
#undef main
#undef exit
#undef fprintf
#undef printf

/* 0: accepted; 1: refused; 2: unreadable. */
static int fuzz_verify(void)
{
  char name[] = "perm_verify", matrix[] = "M", proof[] = "P", *argument[4];
  int code, k;
  argument[0] = name;
  argument[1] = matrix;
  argument[2] = proof;
  argument[3] = NULL;
  fuzz_said_length = 0;
  fuzz_said[0] = 0;
  n = 0;
  parts = 1;
  memset(entry, 0, sizeof entry);
  code = setjmp(fuzz_caught);
  code = code ? code - 1 : verify(3, argument);
  for (k = 0; k < fuzz_takes; k++)
    free(fuzz_taken[k]);
  fuzz_takes = 0;
  return code;
}

/* The first line that an accepted proof gives is the permanent. */
static void fuzz_accepted(void)
{
  static int64_t a[2 * MOST_N * MOST_N];
  char text[2 * PERM_TEXT_BYTES];
  perm_options options;
  perm_result r;
  size_t length;
  int i;
  for (i = 0; i < n * n; i++) {
    a[i * parts] = entry[i][0];
    if (parts == 2)
      a[2 * i + 1] = entry[i][1];
  }
  memset(&options, 0, sizeof options);
  options.threads = 1;
  (parts == 2 ? perm_compute_gaussian : perm_compute_integer)(n, n, a, n, &options, &r);
  FUZZ_REQUIRE(r.status == PERM_OK && r.exact);
  length = perm_integer_text(&r.integer, text, sizeof text);
  if (parts == 2) {
    if (!r.imaginary_integer.negative)
      text[length++] = '+';
    length += perm_integer_text(&r.imaginary_integer, text + length, sizeof text - length);
    text[length++] = 'i';
  }
  text[length++] = '\n';
  FUZZ_REQUIRE(!strncmp(fuzz_said, text, length));
}

static void fuzz_put(uint8_t *to, uint64_t x, int bytes)
{
  for (; bytes > 0; bytes--, x >>= 8)
    *to++ = (uint8_t)x;
}

static void fuzz_put_right(unsigned what, uint8_t *proof, size_t bytes)
{
  uint64_t sum = UINT64_C(14695981039346656037);
  size_t k;
  int i;
  if (bytes < HEAD + 8 || bytes % 8)
    return;
  if (what & 4)
    fuzz_put(proof + 16, bytes, 8);
  if (what & 2 && n > 0 && n <= MOST_N) { /* of the matrix that was read last, unless it was refused for its order */
    uint64_t h = hash(sum, (u64)n * 4 + (u64)parts);
    for (i = 0; i < n * n * parts; i++)
      h = hash(h, (u64)entry[i / parts][i % parts]);
    fuzz_put(proof + 24, h, 8);
  }
  for (k = 0; k + 8 < bytes; k += 8)
    sum = hash(sum, get(proof + k, 8));
  if (what & 1)
    fuzz_put(proof + bytes - 8, sum, 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const size_t matrix = size < 3 ? 0 : (size_t)(data[1] | data[2] << 8) % (size - 2);
  const size_t bytes = size < 3 ? 0 : size - 3 - matrix;
  uint8_t *proof = (uint8_t *)malloc(bytes ? bytes : 1), *text = (uint8_t *)malloc(matrix ? matrix : 1);
  if (size < 3 || !proof || !text) {
    free(proof);
    free(text);
    return 0;
  }
  memcpy(text, data + 3, matrix); /* of their very lengths, for the sanitizer */
  memcpy(proof, data + 3 + matrix, bytes);
  fuzz_file[0] = text;
  fuzz_file_bytes[0] = matrix;
  fuzz_file[1] = proof;
  fuzz_file_bytes[1] = bytes;
  if (data[0] & 7) {
    fuzz_verify(); /* reads the matrix */
    fuzz_put_right(data[0], proof, bytes);
  }
  if (fuzz_verify() == 0)
    fuzz_accepted();
  free(proof);
  free(text);
  return 0;
}

/* True proofs of small matrices: real, Gaussian, long entries. */
enum { SEEDS = 10, ROOM = 16384 };
static uint8_t fuzz_seeds[SEEDS][ROOM];
static size_t fuzz_sizes[SEEDS];

static size_t fuzz_true_proof(int k, uint8_t *to)
{
  const int order = 1 + k / 2, of_parts = 1 + k % 2;
  int64_t a[2 * SEEDS * SEEDS];
  char path[64], *text = (char *)to + 3;
  perm_options options;
  perm_result r;
  FILE *file;
  int i;
  size_t size;
  for (i = 0; i < order * order * of_parts; i++)
    a[i] = k == 9 ? (int64_t)1 << (i % 50) : (i * 7 + k) % 11 - 5;
  snprintf(path, sizeof path, "/tmp/fuzz_proof.%ld", (long)getpid());
  memset(&options, 0, sizeof options);
  options.threads = 1;
  (of_parts == 2 ? perm_prove_gaussian : perm_prove_integer)(order, order, a, order, path, &options, &r);
  FUZZ_REQUIRE(r.status == PERM_OK);
  size = (size_t)snprintf(text, ROOM - 3, "%%%%MatrixMarket matrix array %s general\n%d %d\n",
                          of_parts == 2 ? "complex" : "integer", order, order);
  for (i = 0; i < order * order * of_parts; i++) {
    const int at = i / of_parts;
    size += (size_t)snprintf(text + size, ROOM - 3 - size, "%lld%c",
                             (long long)a[(at % order * order + at / order) * of_parts + i % of_parts],
                             i % of_parts + 1 == of_parts ? '\n' : ' ');
  }
  to[0] = 0;
  fuzz_put(to + 1, size, 2);
  file = fopen(path, "rb");
  FUZZ_REQUIRE(file != NULL);
  size += 3 + fread(text + size, 1, ROOM - 3 - size, file);
  FUZZ_REQUIRE(feof(file) && !fclose(file) && !remove(path));
  return size;
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  int k;
  (void)count, (void)arguments;
  fuzz_begin_openmp();
  for (k = 0; k < SEEDS; k++) {
    fuzz_sizes[k] = fuzz_true_proof(k, fuzz_seeds[k]);
    fuzz_seed(k, fuzz_seeds[k], fuzz_sizes[k]);
    FUZZ_REQUIRE(LLVMFuzzerTestOneInput(fuzz_seeds[k], fuzz_sizes[k]) == 0 &&
                 strstr(fuzz_said, "a false proof passes"));
  }
  return 0;
}

#if defined(PERM_FUZZ_STANDALONE)
int main(int count, char **arguments)
{
  static uint8_t buffer[ROOM];
  long iterations, k;
  LLVMFuzzerInitialize(&count, &arguments);
  if (fuzz_replay(count, arguments))
    return 0;
  iterations = count > 1 ? strtol(arguments[1], NULL, 10) : 10000;
  for (k = 0; k < iterations; k++) {
    const int s = (int)fuzz_below(SEEDS);
    size_t size = fuzz_sizes[s], changes = 1 + fuzz_below(3);
    memcpy(buffer, fuzz_seeds[s], size);
    buffer[0] = (uint8_t)fuzz_below(8);
    for (; changes; changes--)
      switch (fuzz_below(4)) {
      case 0: size = 3 + fuzz_below(size - 2); break;
      case 1: buffer[fuzz_below(size)] ^= (uint8_t)(1 << fuzz_below(8)); break;
      case 2: buffer[fuzz_below(size < 200 ? size : 200)] = (uint8_t)fuzz_below(256); break;
      default: buffer[fuzz_below(size)] = (uint8_t)fuzz_below(256);
      }
    LLVMFuzzerTestOneInput(buffer, size);
  }
  printf("%ld inputs, no failure\n", iterations);
  return 0;
}
#endif
/* SPDX-License-Identifier: MIT */
