/* >>values, >>reduce, >>judge */
/* Long tridiagonal chains whose values are far below their sums of |terms|, against the recurrence in 113 bits: the
   digits that a method has stay, whatever the length, though bounds and estimates have nothing to say. */

typedef struct chain_value { oracle_wide re, im; long long exp2; } chain_value;

/* p_k = d p_(k-1) + u l p_(k-2); u, d, l of re, im */
static chain_value chain_truth(int n, const double *d, const double *u, const double *l)
{
  const oracle_wide x = (oracle_wide)u[0] * l[0] - (oracle_wide)u[1] * l[1];
  const oracle_wide y = (oracle_wide)u[0] * l[1] + (oracle_wide)u[1] * l[0];
  chain_value last = {0, 0, 0}, now = {1, 0, 0};
  int k;
  for (k = 0; k < n; k++) {
    const chain_value before = last;
    last = now;
    now.re = d[0] * last.re - d[1] * last.im + x * before.re - y * before.im;
    now.im = d[0] * last.im + d[1] * last.re + x * before.im + y * before.re;
    while (fabs((double)now.re) + fabs((double)now.im) > 2) {
      now.re /= 2, now.im /= 2, last.re /= 2, last.im /= 2;
      now.exp2++;
    }
    while (fabs((double)now.re) + fabs((double)now.im) < 0.5) {
      now.re *= 2, now.im *= 2, last.re *= 2, last.im *= 2;
      now.exp2--;
    }
  }
  return now;
}

static perm_matrix chain_matrix(int n, int complex, const double *d, const double *u, const double *l)
{
  const size_t nnz = 3 * (size_t)(n > 0 ? n : 1) - 2;
  int *row = (int *)malloc(2 * nnz * sizeof *row), *column = row + nnz, i, k;
  double *re = (double *)malloc(2 * nnz * sizeof *re), *im = re + nnz;
  perm_matrix matrix;
  perm_result r;
  size_t at = 0;
  for (i = 0; i < n; i++)
    for (k = -1; k < 2; k++)
      if (i + k >= 0 && i + k < n) {
        const double *x = k < 0 ? l : k > 0 ? u : d;
        row[at] = i;
        column[at] = i + k;
        re[at] = x[0];
        im[at++] = x[1];
      }
  CHECK(perm_matrix_from_triplets(n, n, nnz, row, column, re, complex ? im : NULL, NULL,
                                  complex ? PERM_KIND_COMPLEX : PERM_KIND_REAL, NULL, &matrix, &r) == PERM_OK);
  free(row);
  free(re);
  return matrix;
}

static void chain_check(int n, int complex, const double *x, perm_method method, perm_precision precision)
{
  const chain_value truth = chain_truth(n, x, x + 2, x + 4);
  perm_matrix matrix = chain_matrix(n, complex, x, x + 2, x + 4);
  perm_options options;
  perm_result r;
  double off, size, limit;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.precision = precision;
  options.threads = 1;
  if (perm_compute_sparse(&matrix, &options, &r) == PERM_OK) {
    const int shift = (int)(r.exp2 - truth.exp2 < -999 ? -999 : r.exp2 - truth.exp2 > 999 ? 999 : r.exp2 - truth.exp2);
    off = hypot((double)((oracle_wide)ldexp(r.value, shift) - truth.re),
                (double)((oracle_wide)ldexp(r.imaginary, shift) - truth.im));
    size = hypot((double)truth.re, (double)truth.im);
    limit = r.precision == PERM_PRECISION_DD ? 1e-15 : 1e-15 * n;
    CHECK_SHOW(off <= limit * size, "n = %d, %g %g %g, %s, precision %d: %.17g * 2^%lld by %s, not %.17g * 2^%lld", n,
               x[0], x[2], x[4], perm_name("method", method), (int)precision, r.value, (long long)r.exp2,
               perm_name("method", r.method), (double)truth.re, truth.exp2);
  } else {
    CHECK_SHOW(method != PERM_METHOD_AUTO && (r.status == PERM_ERROR_LIMIT || r.status == PERM_ERROR_UNSUPPORTED),
               "n = %d, %s: %s", n, perm_name("method", method), r.message);
  }
  perm_matrix_free(&matrix);
}

TEST(t_chains_keep_their_digits)
{
  static const double chain[][6] = {{1.5, 0, 0.5, 0, -0.25, 0}, {1.1, 0, 0.7, 0, -0.3, 0}, {3, 0, 1, 0, 1, 0},
                                    {1.5, 0.1, 0.5, 0.2, -0.25, 0.1}, {1.1, 0, 0.3, 0.4, 0.3, 0.4}};
  static const int order[] = {1000, 8000, 100000};
  static const perm_method method[] = {PERM_METHOD_AUTO, PERM_METHOD_BAND, PERM_METHOD_FRONTIER, PERM_METHOD_LISTS,
                                       PERM_METHOD_ARRAYS, PERM_METHOD_TREE};
  static const perm_precision precision[] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_DD};
  int c, k, m, p;
  for (c = 0; c < 5; c++)
    for (k = 0; k < (test_quick ? 2 : 3); k++)
      for (m = 0; m < 6; m++)
        for (p = 0; p < 2; p++)
          if (k < 2 || m < 3)
            chain_check(order[k], c > 2, chain[c], method[m], precision[p]);
}
/* SPDX-License-Identifier: MIT */
