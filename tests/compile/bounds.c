/* Without an argument: a guaranteed bound is given. With one, where flags broke the arithmetic: none is, and certify is
   not met. */
#define PERM_NO_EXTRAS
#define PERM_NO_COMPLEX
#define PERM_NO_EXACT
#define PERM_IMPLEMENTATION
#include "perm.h"

int main(int count, char **argument)
{
  double a[100];
  perm_options options = {0};
  perm_result r;
  int i;
  (void)argument;
  for (i = 0; i < 100; i++)
    a[i] = 1.0 / (i + 3);
  options.certify = 1;
  if (perm_compute_real(10, 10, a, 10, &options, &r) != (count == 1 ? PERM_OK : PERM_TOLERANCE_NOT_MET))
    return 1;
  printf("%g +- %g\n", r.value, r.error_bound);
  return (r.error_bound <= 1e-9 * r.value) != (count == 1);
}
/* SPDX-License-Identifier: MIT */
