/* >>dense */
/* The program of the README, as users compile it: no warning, with what is called inlined. */
#define PERM_STATIC
#define PERM_IMPLEMENTATION
#include "perm.h"
#include <stdio.h>

int main(void)
{
  double a[2][3] = {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}};
  perm_options options = {0};
  perm_result result;
  options.certify = 1;                                /* a proved bound, not only an estimate */
  if (perm_compute_real(2, 3, &a[0][0], 3, &options, &result) != PERM_OK) {
    fprintf(stderr, "%s\n", result.message);          /* which argument, why, what to try */
    return 1;
  }
  printf("%.16g, wrong by at most %.1g\n", result.value, result.error_bound);
  return 0;
}
/* SPDX-License-Identifier: MIT */
