/* NaN is refused by every call that takes doubles, whatever the compiler assumes of comparisons (-fno-honor-nans). */
#define PERM_IMPLEMENTATION
#include "perm_more.h"

static int refuses(const char *name, perm_status status)
{
  if (status == PERM_ERROR_NOT_FINITE)
    return 1;
  printf("%s: %s\n", name, perm_status_text(status));
  return 0;
}

static int all_refuse(const double *a, double *out, const perm_options *o)
{
  perm_matrix matrix;
  perm_estimate estimate;
  perm_result r;
  int row[1] = {0}, good = 1;
  for (int n = 2; n <= 24; n += n < 12 ? 1 : 4) {
    good &= refuses("perm_compute_real", perm_compute_real(n, n, a, n, o, &r));
    good &= refuses("perm_compute_complex", perm_compute_complex(n, n, a, n, o, &r));
    good &= refuses("perm_minors_real of NaN", perm_minors_real(n, n, a, n, NULL, NULL, n - 1, o, out, &r));
    good &= refuses("perm_minors_real without it", perm_minors_real(n, n, a, n, NULL, NULL, 0, o, out, &r));
    good &= refuses("perm_gradient_complex", perm_gradient_complex(n, n, a, n, NULL, NULL, o, out, &r));
    good &= refuses("perm_compute_repeated_real", perm_compute_repeated_real(n, n, a, n, NULL, NULL, o, &r));
    good &= refuses("perm_batch_real", perm_batch_real(n, 1, a, (size_t)(n * n), o, out, &r));
    good &= refuses("perm_batch_complex", perm_batch_complex(n, 1, a, (size_t)(n * n), o, out, &r));
    good &= refuses("perm_batch_real_soa", perm_batch_real_soa(n < 5 ? n : 4, 9, a, 9, o, out, &r));
    good &= refuses("perm_estimate_real", perm_estimate_real(n, a, n, NULL, o, &estimate));
    good &= refuses("perm_compute_low_rank_real", perm_compute_low_rank_real(n, 2, a, 2, a, n, o, &r));
    good &= refuses("perm_compute_cauchy_real", perm_compute_cauchy_real(n, a, a + 24, NULL, NULL, &r));
    good &= refuses("perm_matrix_from_dense", perm_matrix_from_dense(n, n, a, n, NULL, &matrix, &r));
  }
  good &= refuses("perm_matrix_from_triplets", perm_matrix_from_triplets(1, 1, 1, row, row, a + 1, NULL, NULL,
                                                                         PERM_KIND_REAL, NULL, &matrix, &r));
  return good;
}

int main(void)
{
  const uint64_t bits = UINT64_C(0x7ff8000000000001);
  double a[2 * 24 * 24], out[2 * 24 * 24];
  static perm_options options; /* zeros */
  int good, k;
  for (k = 0; k < 2 * 24 * 24; k++)
    a[k] = 1 + k % 7;
  memcpy(&a[1], &bits, sizeof bits);
  good = all_refuse(a, out, NULL);
  for (k = PERM_ISA_PLAIN; k <= (int)perm_isa_best() && k < PERM_ISA_NEON; k++) {
    options.isa = (perm_isa)k;
    good &= all_refuse(a, out, &options);
  }
  return !good;
}
/* SPDX-License-Identifier: MIT */
