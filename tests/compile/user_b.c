/* Translation unit 2 of 2: declarations only; links against unit 1. */
#define PERM_HEADER_FILE "renamed_permanent.h"
#include "vendored/renamed_permanent.h"

#ifdef __cplusplus
extern "C"
#endif
double user_b_permanent(void);

double user_b_permanent(void)
{
  double a[36];
  int i;
  for (i = 0; i < 36; i++)
    a[i] = i % 7 - 3;
  return perm_real(6, a);
}
/* SPDX-License-Identifier: MIT */
