/* Calls of amplitudes and polynomials for t_faults.c, which includes this where its own stand. */
#ifndef PERM_FAULTS_MORE_H_INCLUDED
#define PERM_FAULTS_MORE_H_INCLUDED

static int fault_block(void *user_data, size_t first, size_t count, const double *values)
{
  fault_hash((fault_outcome *)user_data, values, (first + count) * sizeof *values); /* first is 0 */
  return 0;
}
static void fault_amplitudes(fault_outcome *o, const perm_options *options)
{
  perm_outputs outputs = {NULL, NULL, 1, 0, fault_block, o};
  o->status = perm_amplitudes_complex(4, 3, fault.real, 4, NULL, &outputs, options, NULL, &o->r);
}
FAULT_RUN(perm_amplitudes_complex, { fault_amplitudes(o, opt); })
FAULT_RUN(perm_amplitudes_count, { size_t count; o->no_result = 1;
          o->status = perm_amplitudes_count(4, 3, NULL, &count); CHECK(count == (o->status ? 0 : 20)); (void)opt; })
FAULT_RUN(perm_amplitudes_index, { size_t index; o->no_result = 1;
          o->status = perm_amplitudes_index(4, fault.twice, NULL, &index); (void)opt; })
FAULT_RUN(perm_amplitudes_state, { int s[4]; o->no_result = 1; (void)opt;
          o->status = perm_amplitudes_state(4, 3, NULL, 7, s); })

/* 0: arrays of integers; 1: Gaussian; 2: doubles; 3: complex; 4, 5: sparse integers, doubles; 6, 7: of x I - A; 8 to
   11: several variables, as 0 to 3 */
static void fault_polynomial(fault_outcome *o, const perm_options *options, int kind)
{
  static const size_t start[] = {0, 2, 4, 6, 7, 8, 9};
  static const int entry[] = {0, 1, 1, 2, 2, 3, 4, 5, 0};
  static perm_integer numbers[2 * N + 2];
  const int degree = kind < 8 ? 6 : 3, cuts[2] = {1, 1}, odd = kind & 1;
  const int count = (degree + 1) * (kind == 1 || kind == 3 || (kind > 8 && odd) ? 2 : 1);
  double value[2 * N + 2], bound[N + 1];
  perm_matrix ring;
  int k;
  CHECK(perm_matrix_borrow_csr(6, 6, start, entry, NULL, NULL, NULL, PERM_KIND_PATTERN, &ring, NULL) == PERM_OK);
  o->status = kind == 0   ? perm_polynomial_integer(6, 6, Z, N, Z + 1, N, degree, options, numbers, &o->r)
              : kind == 1 ? perm_polynomial_gaussian(4, 4, Z, 4, Z + 2, 4, degree, options, numbers, &o->r)
              : kind == 2 ? perm_polynomial_real(6, 6, R, N, R + 1, N, degree, options, value, bound, &o->r)
              : kind == 3 ? perm_polynomial_complex(4, 4, R, 4, R + 2, 4, degree, options, value, bound, &o->r)
              : kind == 4 ? perm_polynomial_sparse_integer(&ring, &ring, degree, options, numbers, &o->r)
              : kind == 5 ? perm_polynomial_sparse(&ring, &ring, degree, options, value, bound, &o->r)
              : kind == 6 ? perm_permanental_polynomial(6, Z, N, options, numbers, &o->r)
              : kind == 7 ? perm_permanental_polynomial_sparse(&ring, options, numbers, &o->r)
              : kind == 8 ? perm_polynomial_several_integer(3, 3, 2, Z, 3, cuts, options, numbers, &o->r)
              : kind == 9 ? perm_polynomial_several_gaussian(2, 2, 2, Z, 2, cuts, options, numbers, &o->r)
              : kind == 10
                  ? perm_polynomial_several_real(3, 3, 2, R, 3, cuts, options, value, bound, &o->r)
                  : perm_polynomial_several_complex(2, 2, 2, R, 2, cuts, options, value, bound, &o->r);
  for (k = 0; o->status == PERM_OK && k < count; k++)
    if (kind == 2 || kind == 3 || kind == 5 || kind > 9)
      fault_hash(o, &value[k], sizeof value[k]);
    else
      fault_hash(o, numbers[k].word, sizeof *numbers[k].word);
}
FAULT_RUN(perm_polynomial_integer, { fault_polynomial(o, opt, 0); })
FAULT_RUN(perm_polynomial_gaussian, { fault_polynomial(o, opt, 1); })
FAULT_RUN(perm_polynomial_real, { fault_polynomial(o, opt, 2); })
FAULT_RUN(perm_polynomial_complex, { fault_polynomial(o, opt, 3); })
FAULT_RUN(perm_polynomial_sparse_integer, { fault_polynomial(o, opt, 4); })
FAULT_RUN(perm_polynomial_sparse, { fault_polynomial(o, opt, 5); })
FAULT_RUN(perm_permanental_polynomial, { fault_polynomial(o, opt, 6); })
FAULT_RUN(perm_permanental_polynomial_sparse, { fault_polynomial(o, opt, 7); })
FAULT_RUN(perm_polynomial_several_integer, { fault_polynomial(o, opt, 8); })
FAULT_RUN(perm_polynomial_several_gaussian, { fault_polynomial(o, opt, 9); })
FAULT_RUN(perm_polynomial_several_real, { fault_polynomial(o, opt, 10); })
FAULT_RUN(perm_polynomial_several_complex, { fault_polynomial(o, opt, 11); })

#endif
/* SPDX-License-Identifier: MIT */
