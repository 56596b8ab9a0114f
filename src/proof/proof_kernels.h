/* ================================================================================== >>proof_kernels
   The polynomial of >>polynomial; a vector is of consecutive points. */

#define PERMI_STRANDS 4
#define PERMI_GROUPS (PERMI_WIDTH == 8 ? 3 : PERMI_WIDTH == 1 ? 4 : 2) /* vectors at once, by four settings */

/* x[k] := 1 / x[k] for `count` vectors, as the power p - 2; power: as many. */
PERMI_TARGET static void PERMI_NAME(proof_invert)(PERMI_P p, double prime, double *x, double *power, int count)
{
  uint64_t e = (uint64_t)prime - 2;
  for (int k = 0; k < count * PERMI_WIDTH; k++)
    power[k] = 1;
  for (; e; e >>= 1)
    for (int k = 0; k < count * PERMI_WIDTH; k += PERMI_WIDTH) {
      const PERMI_V v = PERMI_LOAD(x + k);
      if (e & 1)
        PERMI_STORE(power + k, PERMI_NAME(prime_product)(PERMI_LOAD(power + k), v, p));
      PERMI_STORE(x + k, PERMI_NAME(prime_product)(v, v, p));
    }
  memcpy(x, power, (size_t)(count * PERMI_WIDTH) * sizeof *x);
}

/* inverse[k] := 1 / (least + k), or 1 for 1 / 0, k < size, a multiple of PERMI_STRANDS vectors, by one inversion for
   each lane of a strand. before: as many. */
PERMI_TARGET static void PERMI_NAME(proof_inverses)(const permi_polynomial *polynomial, PERMI_P p, int64_t least,
                                                    int size, double *inverse, double *before)
{
  PERMI_V strand[PERMI_STRANDS];
  double end[2][PERMI_STRANDS * PERMI_WIDTH] PERMI_ALIGN64;
  for (int k = 0; k < size; k++)
    inverse[k] = least + k == 0 ? 1 : (double)(least + k);
  PERMI_UNROLL
  for (int s = 0; s < PERMI_STRANDS; s++)
    strand[s] = PERMI_SET(1.0);
  for (int k = 0; k < size; k += PERMI_STRANDS * PERMI_WIDTH) {
    PERMI_UNROLL
    for (int s = 0; s < PERMI_STRANDS; s++) {
      PERMI_STORE(before + k + s * PERMI_WIDTH, strand[s]);
      strand[s] = PERMI_NAME(prime_product)(strand[s], PERMI_LOAD(inverse + k + s * PERMI_WIDTH), p);
    }
  }
  PERMI_UNROLL
  for (int s = 0; s < PERMI_STRANDS; s++)
    PERMI_STORE(end[0] + s * PERMI_WIDTH, strand[s]);
  PERMI_NAME(proof_invert)(p, polynomial->prime, end[0], end[1], PERMI_STRANDS);
  PERMI_UNROLL
  for (int s = 0; s < PERMI_STRANDS; s++)
    strand[s] = PERMI_LOAD(end[0] + s * PERMI_WIDTH);
  for (int k = size - PERMI_STRANDS * PERMI_WIDTH; k >= 0; k -= PERMI_STRANDS * PERMI_WIDTH) {
    PERMI_UNROLL
    for (int s = 0; s < PERMI_STRANDS; s++) {
      double *at = inverse + k + s * PERMI_WIDTH;
      const PERMI_V x = PERMI_LOAD(at);
      PERMI_STORE(at, PERMI_NAME(prime_product)(strand[s], PERMI_LOAD(before + k + s * PERMI_WIDTH), p));
      strand[s] = PERMI_NAME(prime_product)(strand[s], x, p);
    }
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(proof_add)(double *sum, PERMI_V x, double sign, PERMI_P p)
{
  PERMI_STORE(sum, PERMI_NAME(prime_reduce)(PERMI_FMA(PERMI_SET(sign), x, PERMI_LOAD(sum)), p));
}

/* form[j * POINTS] := D_j and S, times the sum of all Lagrange weights, which follows. inverse: of point - (N - 1) on.
   Setting s is (high, low): D_j of a low column sums the 2^low vectors of `column`, that of a high one sums over low
   settings. */
PERMI_TARGET static void PERMI_NAME(proof_signs)(const permi_polynomial *polynomial, PERMI_P p, const double *inverse,
                                                 double *column, double *form)
{
  const int signs = polynomial->signs, low = signs / 2, lows = 1 << low, highs = 1 << (signs - low);
  const double *weight = polynomial->weight, *parity = polynomial->parity;
  double *product = form + signs * PERMI_PROOF_POINTS, *total = product + PERMI_PROOF_POINTS;
  memset(column, 0, (size_t)(lows * PERMI_WIDTH) * sizeof *column);
  for (int j = 0; j < signs + 2; j++)
    PERMI_STORE(form + j * PERMI_PROOF_POINTS, PERMI_SET(0.0));
  for (int s = 0; s < highs; s++) {
    const double *from = inverse + lows * (highs - s) - 1;
    PERMI_V sum = PERMI_SET(0.0), signed_sum = sum;
    for (int t = 0; t < lows; t++) {
      const PERMI_V x = PERMI_NAME(prime_product)(PERMI_LOAD_ANY(from - t), PERMI_SET(weight[s * lows + t]), p);
      sum = sum + x;
      signed_sum = PERMI_FMA(PERMI_SET(parity[t]), x, signed_sum);
      PERMI_NAME(proof_add)(column + t * PERMI_WIDTH, x, 1, p);
      if (t % 4 == 3) { /* of at most 4 1/2 primes */
        sum = PERMI_NAME(prime_reduce)(sum, p);
        signed_sum = PERMI_NAME(prime_reduce)(signed_sum, p);
      }
    }
    PERMI_NAME(proof_add)(total, sum, 1, p);
    PERMI_NAME(proof_add)(product, signed_sum, parity[s], p);
    for (int j = low; j < signs; j++)
      PERMI_NAME(proof_add)(form + j * PERMI_PROOF_POINTS, sum, s >> (j - low) & 1 ? -1 : 1, p);
  }
  for (int t = 0; t < lows; t++)
    for (int j = 0; j < low; j++)
      PERMI_NAME(proof_add)(form + j * PERMI_PROOF_POINTS, PERMI_LOAD(column + t * PERMI_WIDTH), t >> j & 1 ? -1 : 1,
                            p);
}

/* form[j][point] := D_j, and last S; at points below N the signs themselves. */
PERMI_TARGET static void PERMI_NAME(proof_forms)(const permi_polynomial *polynomial, PERMI_P p, uint64_t first,
                                                 double *form, double *inverse)
{
  const int signs = polynomial->signs, N = 1 << signs, stride = PERMI_STRANDS * PERMI_WIDTH;
  const int size = (N + PERMI_PROOF_POINTS + stride - 1) / stride * stride;
  double *total = form + (signs + 1) * PERMI_PROOF_POINTS, *power = total + PERMI_PROOF_POINTS;
  if (first + PERMI_PROOF_POINTS > (uint64_t)N) {
    PERMI_NAME(proof_inverses)(polynomial, p, (int64_t)first - N + 1, size, inverse, inverse + size);
    for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_WIDTH)
      PERMI_NAME(proof_signs)(polynomial, p, inverse + k, inverse + size, form + k);
    PERMI_NAME(proof_invert)(p, polynomial->prime, total, power, PERMI_PROOF_POINTS / PERMI_WIDTH);
    for (int j = 0; j <= signs; j++)
      for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_WIDTH) {
        double *at = form + j * PERMI_PROOF_POINTS + k;
        PERMI_STORE(at, PERMI_NAME(prime_product)(PERMI_LOAD(at), PERMI_LOAD(total + k), p));
      }
  }
  for (int k = 0; k < PERMI_PROOF_POINTS && first + (uint64_t)k < (uint64_t)N; k++) {
    for (int j = 0; j < signs; j++)
      form[j * PERMI_PROOF_POINTS + k] = (first + (uint64_t)k) >> j & 1 ? -1 : 1;
    form[signs * PERMI_PROOF_POINTS + k] = polynomial->parity[first + (uint64_t)k];
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(proof_products)(int n, PERMI_P p, const double *row, const double *table,
                                                          const double *sign, double *total)
{
  PERMI_V product[4 * PERMI_GROUPS];
  PERMI_UNROLL
  for (int g = 0; g < PERMI_GROUPS; g++) {
    PERMI_UNROLL
    for (int k = 0; k < 4; k++)
      product[4 * g + k] = PERMI_LOAD(row + g * PERMI_WIDTH) + PERMI_SET(table[k]);
  }
  for (int i = 1; i < n; i++) {
    row += PERMI_PROOF_POINTS;
    table += 4;
    PERMI_UNROLL
    for (int g = 0; g < PERMI_GROUPS; g++) {
      const PERMI_V x = PERMI_LOAD(row + g * PERMI_WIDTH);
      PERMI_UNROLL
      for (int k = 0; k < 4; k++)
        product[4 * g + k] = PERMI_NAME(prime_product)(product[4 * g + k], x + PERMI_SET(table[k]), p);
    }
  }
  PERMI_UNROLL
  for (int g = 0; g < PERMI_GROUPS; g++) {
    PERMI_V sum = PERMI_LOAD(total + g * PERMI_WIDTH);
    PERMI_UNROLL
    for (int k = 0; k < 4; k++)
      sum = PERMI_FMA(PERMI_SET(sign[k]), product[4 * g + k], sum);
    PERMI_STORE(total + g * PERMI_WIDTH, PERMI_NAME(prime_reduce)(sum, p));
  }
}

PERMI_KERNEL PERMI_NAME(polynomial)(const permi_polynomial *polynomial, uint64_t first, double *workspace,
                                    double *value)
{
  const int n = polynomial->n, signs = polynomial->signs, all = n * PERMI_PROOF_POINTS;
  const PERMI_P p = PERMI_NAME(prime_of)(polynomial->prime, polynomial->inverse);
  double *form = workspace, *row = form + (signs + 3) * PERMI_PROOF_POINTS;
  double total[PERMI_PROOF_POINTS] PERMI_ALIGN64;
  uint64_t state = 0;
  PERMI_NAME(proof_forms)(polynomial, p, first, form, row + all);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_WIDTH) {
      PERMI_V x = PERMI_SET(polynomial->start[i]);
      for (int j = 0; j < signs; j++)
        x = PERMI_NAME(prime_reduce)(x + PERMI_NAME(prime_product)(PERMI_LOAD(form + j * PERMI_PROOF_POINTS + k),
                                                                   PERMI_SET(polynomial->entry[i * signs + j]), p), p);
      PERMI_STORE(row + i * PERMI_PROOF_POINTS + k, x);
    }
  memset(total, 0, sizeof total);
  for (;;) {
    for (int s = 0; s < polynomial->settings; s += 4)
      for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_GROUPS * PERMI_WIDTH)
        PERMI_NAME(proof_products)(n, p, row + k, polynomial->table + s * n, polynomial->sign + s, total + k);
    if (++state >> polynomial->outer)
      break;
    const int j = permi_trailing_zeros(state);
    for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_WIDTH) /* its sign is that of the terms to come */
      PERMI_STORE(total + k, PERMI_SET(0.0) - PERMI_LOAD(total + k));
    for (int i = 0; i < n; i++)
      for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_WIDTH)
        PERMI_NAME(proof_add)(row + i * PERMI_PROOF_POINTS + k, PERMI_SET(polynomial->step[j * n + i]),
                              (state ^ state >> 1) >> j & 1 ? -1 : 1, p);
  }
  form += signs * PERMI_PROOF_POINTS; /* S */
  for (int k = 0; k < PERMI_PROOF_POINTS; k += PERMI_WIDTH)
    PERMI_STORE(total + k, PERMI_NAME(prime_product)(PERMI_LOAD(total + k), PERMI_LOAD(form + k), p));
  for (int k = 0; k < PERMI_PROOF_POINTS; k++)
    value[k] = (polynomial->outer && total[k] != 0 ? -1 : 1) * total[k];
  for (int k = 0; k < PERMI_PROOF_POINTS; k++)
    value[k] += value[k] < 0 ? polynomial->prime : 0;
  PERMI_LEAVE();
}
#undef PERMI_STRANDS
#undef PERMI_GROUPS
/* SPDX-License-Identifier: MIT */
