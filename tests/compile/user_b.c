/* Translation unit 2 of 2: declarations only; links against unit 1. Compiled with -fshort-enums, which unit 1 is not:
   results have the same layout, and nothing behind one is written to. */
#define PERM_HEADER_FILE "renamed_permanent.h"
#include "vendored/renamed_permanent.h"

#ifdef __cplusplus
extern "C"
#endif
double user_b_permanent(void);

double user_b_permanent(void)
{
  struct {
    perm_result result;
    unsigned char behind[64];
  } here;
  perm_options options;
  double a[36];
  int i;
  for (i = 0; i < 36; i++)
    a[i] = i % 7 - 3;
  for (i = 0; i < (int)sizeof here; i++)
    ((unsigned char *)&here)[i] = 0xa5;
  for (i = 0; i < (int)sizeof options; i++)
    ((unsigned char *)&options)[i] = 0;
  options.precision = PERM_PRECISION_DD;
  options.threads = 1;
  if (perm_compute_real(6, 6, a, 6, &options, &here.result) != PERM_OK || here.result.precision != PERM_PRECISION_DD)
    return 0;
  for (i = 0; i < 64; i++)
    if (here.behind[i] != 0xa5)
      return 0;
  return here.result.value;
}
/* SPDX-License-Identifier: MIT */
