/* Are residues right, whatever the modulus? Random cases (residues.h) by methods auto and hybrid, every kernel
   family and 1, 2 or 7 threads, against sums over sets of columns modulo the same number (oracle.h).

   Run:  build/residues [CASES [SEED [PROCESSES]]]   default 20000 1 1
   What is wrong is shown with its number, and
   `build/residues --case NUMBER` writes its matrix. The table counts results by method that computed and by length of
   the modulus; a method or a length never reached is a failure. The last line is `N passed, N failed, N skipped`:
   results that took more than 0.25 s are skipped. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perm_more.h"
#include "../unit/oracle.h"
#include "residues.h"
#include "processes.h"

enum { LENGTHS = 8 };
static const perm_method method[] = {PERM_METHOD_AUTO, PERM_METHOD_HYBRID};
static struct {
  long cases, stopped, wrong[2], by_hybrid[2], seen[2][LENGTHS], kind[RESIDUE_KINDS];
} found; /* by_hybrid: of auto, right and wrong */
static uint64_t seed = 1;
static long cases = 20000;

static uint64_t number_of(long k) { return (seed << 40) + (uint64_t)k; }

static void run(uint64_t number)
{
  static const perm_isa isa[] = {PERM_ISA_AUTO, PERM_ISA_PLAIN, PERM_ISA_AVX2};
  static const int threads[] = {1, 1, 1, 1, 1, 2, 1, 7};
  residue_case c;
  perm_result r;
  int m;
  residue_make(number, &c);
  found.cases++;
  found.kind[c.kind]++;
  for (m = 0; m < 2; m++) {
    int holds = residue_holds(&c, method[m], isa[(number + (uint64_t)m) % 3], threads[number % 8], &r);
    found.stopped += r.status == PERM_STOPPED_TIME;
    holds |= r.status == PERM_STOPPED_TIME;
    found.wrong[m] += !holds;
    found.seen[m][c.bits / LENGTHS]++;
    if (m == 0 && r.method == PERM_METHOD_HYBRID)
      found.by_hybrid[!holds]++;
    if (!holds && found.wrong[0] + found.wrong[1] <= 10)
      printf("FAIL case %llu: n = %d, modulo %llu, method %s: %.17g, not %llu (%s)\n", (unsigned long long)number, c.n,
             (unsigned long long)c.modulus, perm_name("method", method[m]), r.value, (unsigned long long)c.expected,
             r.message);
  }
}

static void share(int process, int count, FILE *to)
{
  long k;
  for (k = process; k < cases; k += count)
    run(number_of(k));
  fwrite(&found, sizeof found, 1, to);
}

static int add(FILE *from)
{
  long more[sizeof found / sizeof(long)], *to = (long *)(void *)&found;
  size_t k;
  if (fread(more, sizeof more, 1, from) != 1)
    return 0;
  for (k = 0; k < sizeof found / sizeof(long); k++)
    to[k] += more[k];
  return 1;
}

static void write_case(uint64_t number)
{
  residue_case c;
  int i, j;
  residue_make(number, &c);
  printf("%%%%MatrixMarket matrix array integer general\n%% modulo %llu: %llu\n%d %d\n", (unsigned long long)c.modulus,
         (unsigned long long)c.expected, c.n, c.n);
  for (j = 0; j < c.n; j++)
    for (i = 0; i < c.n; i++)
      printf("%lld\n", (long long)c.a[i * c.n + j]);
}

int main(int count, char **argument)
{
  long wrong = 0, unreached = 0;
  int missing, m, k;
  if (count == 3 && !strcmp(argument[1], "--case")) {
    write_case(strtoull(argument[2], NULL, 10));
    return 0;
  }
  cases = count > 1 ? atol(argument[1]) : cases;
  seed = count > 2 ? strtoull(argument[2], NULL, 10) : seed;
  missing = processes_run(count > 3 ? atoi(argument[3]) : 1, share, add);
  printf("%ld cases, %.0f s of processors\n| method | wrong |", found.cases, processes_seconds());
  for (k = 0; k < LENGTHS; k++)
    printf(" %d..%d bits |", k ? 8 * k : 2, 8 * k + 7);
  printf("\n");
  for (m = 0; m < 2; m++) {
    printf("| %s | %ld |", perm_name("method", method[m]), found.wrong[m]);
    for (k = 0; k < LENGTHS; k++) {
      printf(" %ld |", found.seen[m][k]);
      unreached += !found.seen[m][k];
    }
    printf("\n");
    wrong += found.wrong[m];
  }
  printf("auto took the hybrid %ld times, %ld of them wrong; moduli:", found.by_hybrid[0] + found.by_hybrid[1],
         found.by_hybrid[1]);
  for (k = 0; k < RESIDUE_KINDS; k++) {
    printf(" %s %ld", residue_kind[k], found.kind[k]);
    unreached += !found.kind[k];
  }
  unreached += !(found.by_hybrid[0] + found.by_hybrid[1]); /* some two of 20,000 cases */
  printf("\n%ld passed, %ld failed, %ld skipped\n", 3 * found.cases - wrong - found.stopped,
         wrong + unreached + missing, found.stopped);
  return wrong + unreached + missing > 0;
}
/* SPDX-License-Identifier: MIT */
