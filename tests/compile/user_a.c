/* >>config, >>sparse_config */
/* Translation unit 1 of 2: the header vendored in a subfolder under another name, implementation here. */
#define PERM_HEADER_FILE "renamed_permanent.h"
#define PERM_IMPLEMENTATION
#include "vendored/renamed_permanent.h"
#include "vendored/renamed_permanent.h" /* a second inclusion is harmless */

#ifdef __cplusplus
extern "C"
#endif
double user_b_permanent(void);

int main(void)
{
  double a[36], here, there;
  int i;
  for (i = 0; i < 36; i++)
    a[i] = i % 7 - 3;
  here = perm_real(6, a);
  there = user_b_permanent();
  printf("%.17g\n", here);
  return here == there ? 0 : 1;
}
/* SPDX-License-Identifier: MIT */
