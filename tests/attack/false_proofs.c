/* False proofs: mutations of a true one, half with the checksum made right again, of which examples/perm_verify.c, here
   with its exits and messages caught, must accept none.
       false_proofs [MUTATIONS [SEED]]
   Ends with how often it gave each reason, and `N passed, N failed, N skipped`. */
#include "../unit/inside.h"
#include <setjmp.h>
#include <stdio.h>

static jmp_buf caught;
static char reason[400];
static FILE *silence;
static unsigned char arena[1 << 20];
static size_t arena_used;
static void *arena_take(size_t bytes)
{
  unsigned char *at = arena + arena_used;
  if ((arena_used += (bytes + 63) / 64 * 64) > sizeof arena)
    abort();
  memset(at, 0, bytes);
  return at;
}
#define calloc(count, bytes) arena_take((count) * (bytes))
#define main verify
#define exit(code) longjmp(caught, (code) + 1)
#define fprintf(stream, ...) snprintf(reason + strlen(reason), sizeof reason - strlen(reason), __VA_ARGS__)
#define printf(...) (fprintf)(silence, __VA_ARGS__)
#include "examples/perm_verify.c"
#undef calloc
#undef main
#undef exit
#undef fprintf
#undef printf

static uint64_t seed = 1;
static uint64_t below(uint64_t most)
{
  seed = permi_hash(seed, seed + UINT64_C(0x9e3779b97f4a7c15));
  return (seed >> 8) % most;
}

static void put_file(const char *path, const void *bytes, size_t size)
{
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
    abort();
}

/* 0: accepted. */
static int run_verifier(const char *matrix, const char *proof)
{
  char name[] = "perm_verify", *argument[4];
  int code;
  argument[0] = name;
  argument[1] = (char *)(uintptr_t)matrix;
  argument[2] = (char *)(uintptr_t)proof;
  argument[3] = NULL;
  reason[0] = 0;
  arena_used = 0;
  n = 0;
  parts = 1;
  memset(entry, 0, sizeof entry);
  code = setjmp(caught);
  return code ? code - 1 : verify(3, argument);
}

#define MOST_BYTES 65536
#define ORDERS 8
static const char matrix_file[] = "false_proofs.mtx", proof_file[] = "false_proofs.prf";
static int64_t a[2 * ORDERS * ORDERS];
static unsigned char proof[MOST_BYTES], changed[MOST_BYTES + 64];
static size_t size;

static void put_matrix(int order, int of_parts)
{
  char text[64 * ORDERS * ORDERS * 2];
  size_t used = (size_t)snprintf(text, sizeof text, "%%%%MatrixMarket matrix array %s general\n%d %d\n",
                                 of_parts == 2 ? "complex" : "integer", order, order);
  int i, part;
  for (i = 0; i < order * order; i++)
    for (part = 0; part < of_parts; part++)
      used += (size_t)snprintf(text + used, sizeof text - used, "%lld%c",
                               (long long)a[((i % order) * order + i / order) * of_parts + part],
                               part + 1 == of_parts ? '\n' : ' ');
  put_file(matrix_file, text, used);
}

/* A random matrix and its proof. */
static void make_proof(int order, int of_parts)
{
  perm_options options;
  perm_result result;
  FILE *file;
  int i;
  memset(&options, 0, sizeof options);
  for (i = 0; i < order * order * of_parts; i++)
    a[i] = (int64_t)below(1999) - 999;
  options.threads = 1;
  (of_parts == 2 ? perm_prove_gaussian : perm_prove_integer)(order, order, a, order, proof_file, &options, &result);
  if (result.status != PERM_OK)
    abort();
  file = fopen(proof_file, "rb");
  size = file ? fread(proof, 1, sizeof proof, file) : 0;
  if (file)
    fclose(file);
  put_matrix(order, of_parts);
}

static void checksum(size_t bytes)
{
  uint64_t sum = PERMI_HASH_START;
  size_t k;
  for (k = 0; k + 8 < bytes; k += 8)
    sum = permi_hash(sum, permi_get(changed + k, 8));
  if (bytes >= 8 && bytes % 8 == 0)
    permi_put(changed + bytes - 8, sum, 8);
}

static void matrix_hash(int order, int of_parts)
{
  uint64_t sum = permi_hash(PERMI_HASH_START, (uint64_t)order * 4 + (uint64_t)of_parts);
  int i;
  for (i = 0; i < order * order * of_parts; i++)
    sum = permi_hash(sum, (uint64_t)a[i]);
  permi_put(changed + 24, sum, 8);
}

/* Changes the proof, or the matrix; returns the bytes of the file, 0 if nothing has changed. */
static size_t mutate(int order, int of_parts, int kind, int right)
{
  const size_t primes = (size_t)permi_get(proof + 36, 4), from = 48 + 8 * primes, values = (size - from) / 8 - 1;
  const size_t at = from + 8 * (size_t)below(values), other = from + 8 * (size_t)below(values);
  const uint64_t p = permi_get(proof + 48, 8), value = permi_get(proof + at, 8);
  size_t bytes = size;
  int row = (int)below((uint64_t)order) * order * of_parts, k;
  memcpy(changed, proof, size);
  switch (kind) {
  case 0: changed[below(size)] ^= (unsigned char)(1 << below(8)); break;
  case 1: changed[below(48 + 8 * primes)] ^= (unsigned char)(1 << below(8)); break;
  case 2: permi_put(changed + at, (value + 1 + below(p - 1)) % p, 8); break;
  case 3: permi_put(changed + at, value + p, 8); break;
  case 4: memcpy(changed + at, proof + other, 8); memcpy(changed + other, proof + at, 8); break;
  case 5: bytes = (size_t)below(size); break;
  case 6: bytes = size - 8 * (1 + (size_t)below(size / 8)); permi_put(changed + 16, bytes, 8); break;
  case 7: bytes = size + 8; permi_put(changed + 16, bytes, 8); break;
  case 8: permi_put(changed + 48, p - 2 * (1 + below(1000)), 8); break;
  case 9: permi_put(changed + 48, permi_get(proof + 40 + 8 * primes, 8), 8); break; /* repeated, if there are two */
  case 10:
    permi_put(changed + 48 + 8 * below(primes), permi_prime_below(p - 1000 - below(1000000), of_parts == 2), 8);
    break;
  case 11: memset(changed + at, 0, 8 * (size_t)(1 + below((size - at) / 8 - 1))); break;
  case 12: /* all values of the sum but one, which makes up */
    permi_put(changed + from, (permi_get(proof + from, 8) + 1) % p, 8);
    permi_put(changed + from + 8, (permi_get(proof + from + 8, 8) + p - 1) % p, 8);
    break;
  case 13: a[below((uint64_t)(order * order * of_parts))] += 1 + (int64_t)below(9); break;
  default: /* rows in another order have the same polynomial: here with the first one's fingerprint */
    for (k = 0; k < order * of_parts; k++) {
      const int64_t x = a[k];
      a[k] = a[row + k];
      a[row + k] = x;
    }
  }
  if (kind >= 13) {
    matrix_hash(order, of_parts);
    if (!memcmp(changed, proof, size))
      return 0;
    put_matrix(order, of_parts);
    if (kind > 13 || !right)
      memcpy(changed, proof, size);
  }
  if (right)
    checksum(bytes);
  return kind < 13 && bytes == size && !memcmp(changed, proof, size) ? 0 : bytes;
}

static struct { char text[60]; long count; } told[40];
static void tell(void)
{
  int k, letters = 0;
  for (k = 0; reason[k] && letters < 50; k++)
    if (reason[k] < '0' || reason[k] > '9')
      reason[letters++] = reason[k];
  reason[letters] = 0;
  for (k = 0; k < 39 && told[k].text[0] && strcmp(told[k].text, reason); k++)
    ;
  strcpy(told[k].text, reason);
  told[k].count++;
}

int main(int argc, char **argv)
{
  const long wanted = argc > 1 ? atol(argv[1]) : 300;
  long done = 0, accepted = 0, refused_true = 0;
  int k;
  seed = argc > 2 ? (uint64_t)atol(argv[2]) : 1;
  silence = fopen("/dev/null", "w");
  while (done < wanted) {
    const int of_parts = 1 + (int)below(2), order = 1 + (int)below(ORDERS);
    int64_t kept[2 * ORDERS * ORDERS];
    make_proof(order, of_parts);
    refused_true += run_verifier(matrix_file, proof_file) != 0;
    memcpy(kept, a, sizeof kept);
    for (k = 0; k < 60 && done < wanted; k++) {
      const int right = k & 1, moves = k / 2 % 15 == 8 || k / 2 % 15 == 10; /* to another modulus, where small values */
      const int kind = moves && order < 5 ? 2 : k / 2 % 15;                 /* would be true as well */
      const size_t bytes = mutate(order, of_parts, kind, right);
      if (bytes || kind == 5) {
        put_file(proof_file, changed, bytes);
        done++;
        if (run_verifier(matrix_file, proof_file) == 0) {
          accepted++;
          printf("FAIL accepted: order %d, parts %d, mutation %d, checksum %d\n", order, of_parts, kind, right);
        }
        tell();
      }
      memcpy(a, kept, sizeof kept);
      if (kind >= 13)
        put_matrix(order, of_parts);
    }
  }
  for (k = 0; k < 40 && told[k].text[0]; k++)
    printf("%7ld %s\n", told[k].count, told[k].text);
  remove(matrix_file);
  remove(proof_file);
  printf("%ld mutations, %ld accepted, %ld true proofs refused\n", done, accepted, refused_true);
  printf("%ld passed, %ld failed, 0 skipped\n", done - accepted, accepted + refused_true);
  return accepted || refused_true;
}
/* SPDX-License-Identifier: MIT */
