/* A second oracle, built with -DDIFFERENTIAL_GMP and -lgmp: Ryser's sum in GMP's integers, to order 10. */
#ifndef PERM_ATTACK_SECOND_H_INCLUDED
#define PERM_ATTACK_SECOND_H_INCLUDED

#include "verify.h"

#if !defined(DIFFERENTIAL_GMP)
static int second_oracle_agrees(const problem *p, const answer *exact)
{
  (void)p, (void)exact;
  return 1;
}
#else
#include <gmp.h>

/* The sum over subsets of columns of (-1)^(n - size) times the product of the rows' sums over them */
static int second_oracle_agrees(const problem *p, const answer *exact)
{
  const int n = p->n, parts = p->parts;
  mpz_t sum[2], product[2], row[2], swap;
  char text[2][1300], ours[2][1300];
  int subset, i, j, k;
  if (p->repeated || p->m != n || n > 10)
    return 1;
  for (k = 0; k < 2; k++)
    mpz_init(sum[k]), mpz_init(product[k]), mpz_init(row[k]);
  mpz_init(swap);
  for (subset = 0; subset < 1 << n; subset++) {
    mpz_set_si(product[0], (n - __builtin_popcount((unsigned)subset)) % 2 ? -1 : 1);
    mpz_set_si(product[1], 0);
    for (i = 0; i < n; i++) {
      for (k = 0; k < 2; k++) {
        mpz_set_si(row[k], 0);
        for (j = 0; j < n && k < parts; j++)
          if (subset >> j & 1) {
            mpz_set_si(swap, p->a[(i * n + j) * parts + k]);
            mpz_add(row[k], row[k], swap);
          }
      }
      mpz_mul(swap, product[0], row[0]);
      mpz_submul(swap, product[1], row[1]);
      mpz_mul(product[1], product[1], row[0]);
      mpz_addmul(product[1], product[0], row[1]);
      mpz_swap(product[0], swap);
    }
    for (k = 0; k < 2; k++)
      mpz_add(sum[k], sum[k], product[k]);
  }
  for (k = 0; k < 2; k++) {
    mpz_get_str(text[k], 10, sum[k]);
    strcpy(ours[k], "0");
    if (k < parts)
      wide_text(&exact->value[k], exact->words, ours[k], "");
    mpz_clear(sum[k]), mpz_clear(product[k]), mpz_clear(row[k]);
  }
  mpz_clear(swap);
  return !strcmp(text[0], ours[0]) && !strcmp(text[1], ours[1]);
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
