/* ================================================================================== >>batch_kernels
   Batches: each vector element has its own matrix. */

#if !defined(PERM_NO_EXTRAS)
/* Entry (i, j), then the 2 x 2 permanent of rows i, i + 1, columns j, k; numbers are `stride` apart, parts
   half of it. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(entry)(const double *a, size_t stride, int n, int i, int j, int parts)
{
  return PERMI_NAME(get_any)(a + (size_t)(i * n + j) * stride, parts == 2 ? (int)(stride / 2) : 0, parts);
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(expand_two)(const double *a, size_t stride, int n, int i, int j, int k,
                                                         int parts)
{
  const PERMI_N p = PERMI_NAME(entry)(a, stride, n, i, j, parts);
  const PERMI_N q = PERMI_NAME(entry)(a, stride, n, i + 1, k, parts);
  const PERMI_N r = PERMI_NAME(entry)(a, stride, n, i, k, parts);
  const PERMI_N s = PERMI_NAME(entry)(a, stride, n, i + 1, j, parts);
  return PERMI_NAME(plus_times)(PERMI_NAME(times)(p, q, parts), r, s, parts);
}

/* Adds the terms with columns j, k in rows 0, 1 and l, m in rows 2, 3; or j in row 0 and k, l behind. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(expand_four)(PERMI_N sum, const double *a, size_t stride, int j, int k,
                                                          int l, int m, int parts)
{
  return PERMI_NAME(plus_times)(sum, PERMI_NAME(expand_two)(a, stride, 4, 0, j, k, parts),
                                PERMI_NAME(expand_two)(a, stride, 4, 2, l, m, parts), parts);
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(expand_three)(PERMI_N sum, const double *a, size_t stride, int j, int k,
                                                           int l, int parts)
{
  return PERMI_NAME(plus_times)(sum, PERMI_NAME(entry)(a, stride, 3, 0, j, parts),
                                PERMI_NAME(expand_two)(a, stride, 3, 1, k, l, parts), parts);
}

/* n = 2, 3, 4 as in >>small; updates *largest with moduli of parts. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(expand)(int n, const double *a, size_t stride, PERMI_V *largest, int parts)
{
  PERMI_V large = *largest;
  PERMI_N sum;
  int i;
  PERMI_UNROLL
  for (i = 0; i + 1 < n * n; i += 2) { /* pairs first: a shorter chain */
    const double *p = a + (size_t)i * stride, *q = p + stride;
    large = PERMI_LARGER(large, PERMI_LARGER(PERMI_LOAD_ANY(p), PERMI_LOAD_ANY(q)));
    if (parts == 2)
      large = PERMI_LARGER(large, PERMI_LARGER(PERMI_LOAD_ANY(p + stride / 2), PERMI_LOAD_ANY(q + stride / 2)));
  }
  if (n == 3) {
    large = PERMI_LARGER(large, PERMI_LOAD_ANY(a + 8 * stride));
    if (parts == 2)
      large = PERMI_LARGER(large, PERMI_LOAD_ANY(a + 8 * stride + stride / 2));
  }
  *largest = large;
  sum.re = sum.im = PERMI_SET(0.0);
  if (n == 4) {
    sum = PERMI_NAME(expand_four)(sum, a, stride, 0, 1, 2, 3, parts);
    sum = PERMI_NAME(expand_four)(sum, a, stride, 0, 2, 1, 3, parts);
    sum = PERMI_NAME(expand_four)(sum, a, stride, 0, 3, 1, 2, parts);
    sum = PERMI_NAME(expand_four)(sum, a, stride, 1, 2, 0, 3, parts);
    sum = PERMI_NAME(expand_four)(sum, a, stride, 1, 3, 0, 2, parts);
    return PERMI_NAME(expand_four)(sum, a, stride, 2, 3, 0, 1, parts);
  }
  if (n == 3) {
    sum = PERMI_NAME(expand_three)(sum, a, stride, 0, 1, 2, parts);
    sum = PERMI_NAME(expand_three)(sum, a, stride, 1, 0, 2, parts);
    return PERMI_NAME(expand_three)(sum, a, stride, 2, 0, 1, parts);
  }
  return PERMI_NAME(expand_two)(a, stride, 2, 0, 0, 1, parts);
}

/* Largest entry, smallest value, 0 or NaN of a stream. */
typedef struct PERMI_NAME(stream) {
  PERMI_V large, small, poison;
} PERMI_NAME(stream);

PERMI_TARGET PERMI_INLINE void PERMI_NAME(stream_order)(PERMI_NAME(stream) *stream, int n, const double *a,
                                                        size_t stride, size_t vectors, double *values, int parts)
{
  size_t v;
  for (v = 0; v < vectors; v++, a += PERMI_WIDTH, values += PERMI_WIDTH * parts) {
    const PERMI_N value = PERMI_NAME(expand)(n, a, stride, &stream->large, parts);
    PERMI_V modulus = PERMI_ABS(value.re);
    PERMI_STORE_ANY(values, value.re);
    stream->poison = PERMI_FMA(value.re, PERMI_SET(0.0), stream->poison);
    if (parts == 2) {
      PERMI_STORE_ANY(values + PERMI_WIDTH, value.im);
      modulus = PERMI_LARGER(value.re, value.im);
      stream->poison = PERMI_FMA(value.im, PERMI_SET(0.0), stream->poison);
    }
    stream->small = PERMI_LESSER(modulus, stream->small);
  }
}

/* Returns whether all entries are up to `largest`, all |values| from `least`, none NaN. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(batch_stream)(int n, const double *a, size_t stride, size_t vectors,
                                                       double largest, double least, double *values, int parts)
{
  PERMI_NAME(stream) stream;
  double check[3 * PERMI_WIDTH] PERMI_ALIGN64;
  int k, stand = 1;
  stream.large = stream.poison = PERMI_SET(0.0);
  stream.small = PERMI_SET(least);
  if (n == 4)
    PERMI_NAME(stream_order)(&stream, 4, a, stride, vectors, values, parts);
  else if (n == 3)
    PERMI_NAME(stream_order)(&stream, 3, a, stride, vectors, values, parts);
  else
    PERMI_NAME(stream_order)(&stream, 2, a, stride, vectors, values, parts);
  PERMI_STORE(check, stream.large);
  PERMI_STORE(check + PERMI_WIDTH, stream.small);
  PERMI_STORE(check + 2 * PERMI_WIDTH, stream.poison);
  PERMI_LEAVE();
  for (k = 0; k < PERMI_WIDTH; k++)
    stand &= (check[k] <= largest) & (check[PERMI_WIDTH + k] >= least) & (check[2 * PERMI_WIDTH + k] == 0);
  return stand;
}

PERMI_TARGET static int PERMI_NAME(batch_stream_real)(int n, const double *a, size_t stride, size_t vectors,
                                                      double largest, double least, double *values)
{
  return PERMI_NAME(batch_stream)(n, a, stride, vectors, largest, least, values, 1);
}

#if !defined(PERM_NO_COMPLEX)
PERMI_TARGET static int PERMI_NAME(batch_stream_complex)(int n, const double *a, size_t stride, size_t vectors,
                                                         double largest, double least, double *values)
{
  return PERMI_NAME(batch_stream)(n, a, stride, vectors, largest, least, values, 2);
}
#endif

#if PERMI_WIDTH >= 4
/* n = 5 .. 12 by Glynn's signs, that of column 0 +. A row's sum is a number of its table of columns 0 to 4 plus its outer
   sum: one of the next three columns' settings, and the far columns' sum. It is rounded n - 1 times: nothing drifts. */
#define PERMI_BATCH_TERMS(parts) (PERMI_WIDTH == 4 && (parts) == 2 ? 4 : 8) /* in registers */

/* to: for each setting `begin` plus the signed entries from a on; bit k of a setting: column k has -. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_settings)(double *to, const double *a, size_t stride, int columns,
                                                          PERMI_N begin, int parts)
{
  const int apart = PERMI_WIDTH * parts;
  int size, k;
  PERMI_NAME(put)(to, PERMI_WIDTH, begin, parts);
  for (size = apart; columns > 0; columns--, size *= 2, a += stride) {
    const PERMI_N entry = PERMI_NAME(entry)(a, stride, 0, 0, 0, parts);
    for (k = 0; k < size; k += apart) {
      const PERMI_N sum = PERMI_NAME(get)(to + k, PERMI_WIDTH, parts);
      PERMI_NAME(put)(to + k, PERMI_WIDTH, PERMI_NAME(plus)(sum, entry), parts);
      PERMI_NAME(put)(to + size + k, PERMI_WIDTH, PERMI_NAME(minus)(sum, entry), parts);
    }
  }
}

typedef struct PERMI_NAME(batch_total) {
  PERMI_N value;
  PERMI_V absolute; /* at least half of the sum of moduli */
} PERMI_NAME(batch_total);

/* Adds the products over n rows for settings of the table from `table` on, times `sign`. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_terms)(PERMI_NAME(batch_total) *total, int n, const double *table,
                                                       const double *outer, double sign, int parts)
{
  const int terms = PERMI_BATCH_TERMS(parts), apart = PERMI_WIDTH * parts;
  const PERMI_V signs = PERMI_SET(sign);
  PERMI_N p[8], z, o = PERMI_NAME(get)(outer, PERMI_WIDTH, parts);
  int i, k;
  PERMI_EVERY(k, 8, if (k < terms) p[k] = PERMI_NAME(plus)(PERMI_NAME(get)(table + k * apart, PERMI_WIDTH, parts), o));
  for (i = 1; i < n; i++) {
    table += 16 * apart;
    outer += apart;
    o = PERMI_NAME(get)(outer, PERMI_WIDTH, parts);
    PERMI_EVERY(k, 8, if (k < terms) {
      z = PERMI_NAME(plus)(PERMI_NAME(get)(table + k * apart, PERMI_WIDTH, parts), o);
      p[k] = PERMI_NAME(times)(p[k], z, parts);
    });
  }
  PERMI_EVERY(k, 8, if (k < terms && (parts == 2 || k % 2 == 0)) total->absolute =
                        total->absolute + PERMI_LARGER(p[k].re, parts == 2 ? p[k].im : p[k + 1].re));
  PERMI_EVERY(k, 8, if (k < terms && k % 2 == 0) p[k] = PERMI_NAME(minus)(p[k], p[k + 1]));
  PERMI_EVERY(k, 8, if (k < terms && k % 4 == 0) p[k] = PERMI_NAME(minus)(p[k], p[k + 2]));
  if (terms == 8)
    p[0] = PERMI_NAME(minus)(p[0], p[4]);
  total->value.re = PERMI_FMA(signs, p[0].re, total->value.re);
  if (parts == 2)
    total->value.im = PERMI_FMA(signs, p[0].im, total->value.im);
}

/* The sum over all signs; room for 25 n numbers behind the tables. */
PERMI_TARGET PERMI_INLINE PERMI_NAME(batch_total) PERMI_NAME(batch_sum)(int n, const double *a, size_t stride,
                                                                        double *table, int parts)
{
  const int apart = PERMI_WIDTH * parts, terms = PERMI_BATCH_TERMS(parts), near = n < 8 ? n - 5 : 3;
  double *settings = table + 16 * n * apart, *far = settings + 8 * n * apart, *outer = far + n * apart;
  PERMI_NAME(batch_total) total;
  int high, low, i, j, q;
  total.absolute = total.value.re = total.value.im = PERMI_SET(0.0);
  for (i = 0; i < n; i++) {
    const double *row = a + (size_t)(i * n) * stride;
    PERMI_NAME(batch_settings)(table + 16 * i * apart, row + stride, stride, 4,
                               PERMI_NAME(entry)(row, stride, 0, 0, 0, parts), parts);
    PERMI_NAME(batch_settings)(settings + 8 * i * apart, row + 5 * stride, stride, near, total.value, parts);
  }
  for (high = 0; high < 1 << (n - 5 - near); high++) {
    for (i = 0; i < n; i++) {
      PERMI_N sum;
      sum.re = sum.im = PERMI_SET(0.0);
      for (j = 8; j < n; j++) {
        const PERMI_N entry = PERMI_NAME(entry)(a, stride, n, i, j, parts);
        sum = high >> (j - 8) & 1 ? PERMI_NAME(minus)(sum, entry) : PERMI_NAME(plus)(sum, entry);
      }
      PERMI_NAME(put)(far + i * apart, PERMI_WIDTH, sum, parts);
    }
    for (low = 0; low < 1 << near; low++) {
      for (i = 0; i < n; i++)
        PERMI_NAME(put)(outer + i * apart, PERMI_WIDTH,
                        PERMI_NAME(plus)(PERMI_NAME(get)(settings + (8 * i + low) * apart, PERMI_WIDTH, parts),
                                         PERMI_NAME(get)(far + i * apart, PERMI_WIDTH, parts)), parts);
      for (q = 0; q < 16; q += terms)
        PERMI_NAME(batch_terms)(&total, n, table + q * apart, outer,
                                permi_parity_signs[q / terms] * permi_parity_signs[low] * permi_parity_signs[high],
                                parts);
    }
  }
  return total;
}
#undef PERMI_BATCH_TERMS

/* out: value, largest squared row norm, their product, and a number that is negative or NaN unless the value stands. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(batch_signs)(int n, const double *a, size_t stride, double *work,
                                                       const double *accept, double *out, int parts)
{
  const int apart = PERMI_WIDTH * parts, entries = n * n;
  const PERMI_V scale = PERMI_SET(2.0 / (double)(1 << n)), unit = PERMI_SET(accept[2]);
  PERMI_V norms = PERMI_SET(1.0), large = PERMI_SET(0.0), norm = PERMI_SET(DBL_MIN), sure; /* for what underflows */
  PERMI_NAME(batch_total) total;
  int e;
  for (e = 1; e <= entries; e++) {
    const PERMI_N x = PERMI_NAME(entry)(a, stride, 1, 0, e - 1, parts);
    norm = PERMI_FMA(x.re, x.re, norm);
    if (parts == 2)
      norm = PERMI_FMA(x.im, x.im, norm);
    if (e % n == 0) {
      large = PERMI_LARGER(large, norm);
      norms = PERMI_LARGER(norms * norm, PERMI_SET(DBL_MIN));
      norm = PERMI_SET(DBL_MIN);
    }
  }
  total = PERMI_NAME(batch_sum)(n, a, stride, work, parts);
  total.value.im = scale * (parts == 2 ? total.value.im : total.value.re);
  total.value.re = scale * total.value.re;
  PERMI_NAME(put)(out, PERMI_WIDTH, total.value, parts);
  PERMI_STORE(out + apart, large);
  PERMI_STORE(out + apart + PERMI_WIDTH, norms);
  sure = PERMI_FNMA(unit, scale * total.absolute, PERMI_LARGER(total.value.re, total.value.im));
  norms = PERMI_FNMA(unit * unit, norms, sure * sure);
  norms = PERMI_LESSER(sure - PERMI_SET(accept[1]), norms);
  PERMI_STORE(out + apart + 2 * PERMI_WIDTH, PERMI_LESSER(PERMI_SET(accept[0]) - large, norms)); /* keeps a NaN */
  PERMI_LEAVE();
}

PERMI_TARGET static void PERMI_NAME(batch_signs_real)(int n, const double *a, size_t stride, double *work,
                                                      const double *accept, double *out)
{
  PERMI_NAME(batch_signs)(n, a, stride, work, accept, out, 1);
}

#if !defined(PERM_NO_COMPLEX)
PERMI_TARGET static void PERMI_NAME(batch_signs_complex)(int n, const double *a, size_t stride, double *work,
                                                         const double *accept, double *out)
{
  PERMI_NAME(batch_signs)(n, a, stride, work, accept, out, 2);
}
#endif
#endif
#endif
