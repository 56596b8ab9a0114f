/* >>dense, >>more_config */
/* PERM_STATIC: a private copy, warnings-clean although most of it is not called. */
#define PERM_STATIC
#define PERM_IMPLEMENTATION
#include "perm_more.h"

int main(void)
{
  double a[4] = {1, 2, 3, 4};
  return perm_real(2, a) == 10 ? 0 : 1;
}
/* SPDX-License-Identifier: MIT */
