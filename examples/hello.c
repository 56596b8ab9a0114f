/* The smallest program: three lines of use.
   Build:  cc -O2 -I.. hello.c -o hello -lm */
#include <stdio.h>
#define PERM_IMPLEMENTATION
#include "perm.h"

int main(void)
{
  double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  printf("%.17g\n", perm_real(3, a)); /* 450 */
  return 0;
}
/* SPDX-License-Identifier: MIT */
