/* Permanents beyond the lists that we have, each by two ways that share no kernel: two engines of perm, or one and a
   sum of records_own.h. README.md has the table.
   Build:  cc -O2 -I../../.. records.c -o records -lm
   Usage:  records                     a small member of every family by both ways
           records FAMILY SIZE WAY     WAY: an engine of `perm --list methods` or own; after it :P for the value modulo
                                       P. schur by an engine: P a prime that is 1 modulo the order, such as exact:47 */
#include <math.h>
#include <time.h>
#define PERM_IMPLEMENTATION
#include "perm_sparse.h"
#include "records_own.h"

enum { LARGEST = OWN_LARGEST };

/* -- entries of the matrices, rows and columns from 0 --------------------------------------------- */

static int same(int n)
{
  return n;
}

static int64_t cayley(int n, int i, int j)
{
  return (i + j) % n;
}

static int64_t cyclic(int n, int i, int j)
{
  return 1 + (i + j) % n;
}

static int64_t zigzag(int n, int i, int j)
{
  return i % 2 ? n * (i + 1) - j : n * i + j + 1;
}

static int64_t squares(int n, int i, int j)
{
  (void)n;
  return (i - j) * (i - j) % 3;
}

static int64_t is_prime(int x)
{
  int d;
  for (d = 2; d * d <= x && x % d; d++)
    ;
  return d * d > x;
}

static int64_t primes(int n, int i, int j)
{
  (void)n;
  return is_prime(2 * (i + 1) + 2 * (j + 1) + 1);
}

static int64_t prime_sums(int n, int i, int j)
{
  (void)n;
  return is_prime(i + 1 + j + 1 + 1);
}

/* Cubes of a box with even sides, one colour against the other, neighbours. */
static int box_order(int side)
{
  return side * side * side / 2;
}

static int64_t box(int side, int i, int j)
{
  int at[2], k, c, apart = 0, of[2][3];
  at[0] = i, at[1] = j;
  for (k = 0; k < 2; k++) {
    of[k][1] = at[k] * 2 / side % side;
    of[k][2] = at[k] * 2 / side / side;
    of[k][0] = 2 * (at[k] % (side / 2)) + (of[k][1] + of[k][2] + k) % 2;
  }
  for (c = 0; c < 3; c++)
    apart += abs(of[0][c] - of[1][c]);
  return apart == 1;
}

/* Points and lines of the projective plane over the integers modulo q: 1 a b, then 0 1 a, then 0 0 1. */
static int plane_order(int q)
{
  return q * q + q + 1;
}

static int64_t plane(int q, int i, int j)
{
  int at[2], k, x[2][3];
  at[0] = i, at[1] = j;
  for (k = 0; k < 2; k++) {
    x[k][0] = at[k] < q * q;
    x[k][1] = at[k] < q * q ? at[k] / q : at[k] < q * q + q;
    x[k][2] = at[k] < q * q + q ? at[k] % q : 1;
  }
  return (x[0][0] * x[1][0] + x[0][1] * x[1][1] + x[0][2] * x[1][2]) % q == 0;
}

/* Schur's matrix without row 0, which is all ones, and one column, modulo a prime that is 1 modulo n: powers of a root
   of 1 there. All minors of row 0 are equal. */
static uint64_t modulus; /* of the values, 0: none */

static int schur_order(int n)
{
  return n - 1;
}

static int64_t schur(int n, int i, int j)
{
  const int64_t p = (int64_t)modulus;
  const int64_t power = (int64_t)own_power(own_root(n, modulus), (uint64_t)((i + 1) * (j + 1) % n), modulus);
  return 2 * power > p ? power - p : power;
}

/* -- the families ----------------------------------------------------------------------------------- */

static uint64_t own_cayley(int n, uint64_t p)
{
  return own_cyclic(n, 0, p); /* columns in the order 0, n - 1, n - 2, .. */
}

static uint64_t own_cyclic_table(int n, uint64_t p)
{
  return own_cyclic(n, 1, p);
}

static uint64_t own_zigzag(int n, uint64_t p)
{
  int64_t a[LARGEST], b[LARGEST];
  int i;
  for (i = 0; i < n; i++) {
    b[i] = i % 2 ? -1 : 1;
    a[i] = zigzag(n, i, 0);
  }
  return own_lines(n, a, b, p);
}

typedef struct family {
  const char *name, *sequence;
  int (*order)(int size);
  int64_t (*entry)(int size, int i, int j);
  uint64_t (*own)(int size, uint64_t p);
  const char *small, *first, *second; /* of the test: a member, its two ways */
} family;

static const family families[] = {
    {"plane", "A000794", plane_order, plane, NULL, "5", "sign-search", "exact"},
    {"box", "A028446", box_order, box, NULL, "4", "arrays", "band"},
    {"schur", "A003112", schur_order, schur, own_schur_matrix, "23", "exact:47", "own:47"},
    {"cayley", "A086759", same, cayley, own_cayley, "24", "exact", "own"},
    {"cyclic", "A085719", same, cyclic, own_cyclic_table, "24", "exact", "own"},
    {"zigzag", "A322277", same, zigzag, own_zigzag, "20", "exact", "own"},
    {"squares", "A340900", same, squares, NULL, "100", "multiplicities", "twins"},
    {"primes", "A134293", same, primes, NULL, "26", "exact", "sign-search"},
    {"prime-sums", "A103687", same, prime_sums, NULL, "44", "exact", "sign-search"}};
enum { FAMILIES = sizeof families / sizeof *families };

static void fail(const char *what, const char *which)
{
  fprintf(stderr, "records: %s: %s\n", which, what);
  exit(2);
}

/* -- the ways ----------------------------------------------------------------------------------------- */

/* Row sums are below 2 n^3; Schur's matrix has length sqrt(n) in each row, so at most n^(n/2). */
static void by_own(const family *of, int size, char *text)
{
  uint64_t prime[OWN_PRIMES], residue[OWN_PRIMES], below = UINT64_C(1) << 62;
  const double bits = of->entry == schur ? 0.5 * size * log2(size) : size * log2(2.0 * size * size * size);
  const int many = 1 + (int)((bits + 2) / 61.9);
  int k;
  for (k = 0; k < many; k++) {
    prime[k] = below = own_prime(below, size);
    residue[k] = of->own(size, prime[k]);
  }
  own_text(many, prime, residue, text);
  if (modulus) {
    const int negative = *text == '-';
    uint64_t rest = 0;
    for (k = negative; text[k]; k++)
      rest = (own_product(rest, 10, modulus) + (uint64_t)(text[k] - '0')) % modulus;
    sprintf(text, "%llu", (unsigned long long)(negative && rest ? modulus - rest : rest));
  }
}

static void by_engine(const family *of, int size, const char *way, char *text)
{
  static int row[LARGEST * LARGEST], column[LARGEST * LARGEST];
  static int64_t value[LARGEST * LARGEST];
  const int n = of->order(size);
  const size_t length = strcspn(way, ":");
  perm_options options = {0};
  perm_matrix matrix;
  perm_result r;
  size_t entries = 0;
  int i, j, method;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if ((value[entries] = of->entry(size, i, j)) != 0) {
        row[entries] = i;
        column[entries++] = j;
      }
  options.precision = PERM_PRECISION_EXACT;
  for (method = PERM_METHOD_COUNT - 1; method >= 0; method--)
    if (!strncmp(perm_name("method", method), way, length) && !perm_name("method", method)[length])
      break;
  if (method < 0)
    fail("expected an engine, such as exact", way);
  options.method = (perm_method)method;
  options.modulus = modulus;
  if (perm_matrix_from_triplets(n, n, entries, row, column, NULL, NULL, value, PERM_KIND_INTEGER, NULL, &matrix, &r) ||
      perm_compute_sparse(&matrix, &options, &r))
    fail(r.message, of->name);
  perm_result_text(&r, text, PERM_TEXT_BYTES);
  if (of->entry == schur)
    sprintf(text, "%llu", (unsigned long long)own_product(strtoull(text, NULL, 10), (uint64_t)size, modulus));
  perm_matrix_free(&matrix);
}

static double by_way(const family *of, int size, const char *way, char *text)
{
  const clock_t start = clock();
  const char *colon = strchr(way, ':');
  modulus = colon ? strtoull(colon + 1, NULL, 10) : 0;
  if (of->entry == schur && strncmp(way, "own", 3) &&
      (!modulus || modulus >> 31 || modulus % (uint64_t)size != 1 || !own_is_prime(modulus)))
    fail("expected a prime that is 1 modulo the order, such as exact:47 for order 23", way);
  if (!strncmp(way, "own", 3) && (way[3] == ':' || !way[3]) && of->own)
    by_own(of, size, text);
  else
    by_engine(of, size, way, text);
  return (double)(clock() - start) / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
  static char first[PERM_TEXT_BYTES], second[PERM_TEXT_BYTES];
  int k, size, bad = 0;
  if (argc != 1 && argc != 4)
    fail("records, or records FAMILY SIZE WAY", "usage");
  for (k = 0; k < FAMILIES; k++) {
    const family *of = &families[k];
    size = atoi(argc == 4 ? argv[2] : of->small);
    if (argc == 4 && strcmp(argv[1], of->name))
      continue;
    if (size < 2 || size > LARGEST || of->order(size) > LARGEST || (of->entry == box && size % 2) ||
        (of->entry == schur && (size % 2 == 0 || size > 63)))
      fail("no member of the family, or too large", argv[2]);
    if (argc == 4) {
      const double seconds = by_way(of, size, argv[3], first);
      printf("%s %s %d: %s, by %s in %.3g s\n", of->sequence, of->name, size, first, argv[3], seconds);
      return 0;
    } else {
      double seconds = by_way(of, size, of->first, first), of_second = by_way(of, size, of->second, second);
      const int same_value = !strcmp(first, second);
      bad += !same_value;
      printf("%s %s %d: %s; by %s in %.3g s, %s in %.3g s: %s\n", of->sequence, of->name, size, second, of->first,
             seconds, of->second, of_second, same_value ? "equal" : "DIFFERENT");
    }
  }
  if (argc == 4)
    fail("no such family: plane, box, schur, cayley, cyclic, zigzag, squares, primes, prime-sums", argv[1]);
  return bad;
}
/* SPDX-License-Identifier: MIT */
