/* ================================================================================= >>minors_kernels
   Kernels of >>minors. */

#if !defined(PERM_NO_EXTRAS)
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(get_any)(const double *p, int apart, int parts)
{
  PERMI_N x;
  x.re = PERMI_LOAD_ANY(p);
  x.im = parts == 2 ? PERMI_LOAD_ANY(p + apart) : x.re;
  return x;
}

PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(modulus_of)(PERMI_N x, int parts)
{
  const PERMI_V re = PERMI_ABS(x.re);
  if (parts == 1)
    return re;
  return re + PERMI_ABS(x.im);
}

/* Sums of P_i. Constants: parts and block columns, in registers. Forward: products of the rows before each; backward:
   times those behind it. The last row is in no forward product, so a pass back to least = n - 1 yields its minors.
   First-level cache traffic limits: separate sums of every setting, two operations fewer, are slower. */

PERMI_TARGET PERMI_INLINE void PERMI_NAME(add_wide)(double *high, double *low, PERMI_V x)
{
  PERMI_V error;
  PERMI_STORE(high, PERMI_NAME(vector_two_sum)(PERMI_LOAD(high), x, &error));
  PERMI_STORE(low, PERMI_LOAD(low) + error);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(add_to)(double *sum, PERMI_N x, int parts)
{
  PERMI_NAME(put)(sum, PERMI_WIDTH, PERMI_NAME(plus)(PERMI_NAME(get)(sum, PERMI_WIDTH, parts), x), parts);
}

/* Pairs of settings that differ in one column, hence in sign: differences go to `rest`, sums to that column's *sum. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_fold)(const PERMI_N *term, int pairs, PERMI_N *rest, double *sum,
                                                       int parts)
{
  PERMI_N both[4];
  int k;
  PERMI_EVERY(k, pairs, both[k] = PERMI_NAME(plus)(term[2 * k], term[2 * k + 1]));
  PERMI_EVERY(k, pairs, rest[k] = PERMI_NAME(minus)(term[2 * k], term[2 * k + 1]));
  if (pairs > 1)
    both[0] = PERMI_NAME(minus)(both[0], both[1]);
  if (pairs > 2)
    both[0] = PERMI_NAME(minus)(both[0], PERMI_NAME(minus)(both[2], both[3]));
  PERMI_NAME(add_to)(sum, both[0], parts);
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(minors_entry)(PERMI_N p, const double *t, int apart, PERMI_N outer,
                                                           int parts)
{
  return PERMI_NAME(times)(p, PERMI_NAME(plus)(PERMI_NAME(get)(t, apart, parts), outer), parts);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_row)(PERMI_N *p, const double *t, const double *x, int parts,
                                                      int block)
{
  const PERMI_N outer = PERMI_NAME(spread)(x, 1, parts);
  const int settings = 1 << block;
  int q;
  PERMI_EVERY(q, settings, p[q] = PERMI_NAME(minors_entry)(p[q], t + q * PERMI_WIDTH, settings * PERMI_WIDTH, outer,
                                                           parts));
}

/* Adds the last four states up to c, vector `at`, to the first outer column's `sum` and the second's, `number` behind.
   done: earlier blocks of four. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_meet)(const permi_minors_work *work, int at, double *sum, int number,
                                                       int row, uint64_t c, uint64_t done)
{
  const double *from = work->present + at;
  double *stack = work->stack + at, *high = work->high + 2 * row + at, *low = work->low + 2 * row + at;
  const PERMI_V s0 = PERMI_LOAD(from), s1 = PERMI_LOAD(from + row), s2 = PERMI_LOAD(from + 2 * row);
  const PERMI_V s3 = PERMI_LOAD(from + 3 * row), before = s0 + s1, behind = s2 + s3;
  PERMI_V now = before + behind;
  const PERMI_V turned = PERMI_SET(c & 4 ? -1.0 : 1.0) * (before - behind);
  int k;
  PERMI_STORE(sum, PERMI_LOAD(sum) + ((s0 - s1) - (s2 - s3)));
  PERMI_STORE(sum + number, PERMI_LOAD(sum + number) + turned);
  /* Complete blocks meet. Column k has sign + where bits k and k + 1 of c are equal. */
  for (k = 0; done >> k & 1; k++) {
    const PERMI_V waiting = PERMI_LOAD(stack);
    PERMI_V difference = waiting - now;
    if (c & UINT64_C(8) << k)
      difference = PERMI_SET(0.0) - difference;
    PERMI_NAME(add_wide)(high, low, difference);
    now = waiting + now;
    stack += row;
    high += row;
    low += row;
  }
  PERMI_STORE(stack, now);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors)(const permi_dense *dense, int least, uint64_t chunk,
                                                  const permi_minors_work *work, int parts, int block)
{
  double x[2 * PERM_MAX_N] PERMI_ALIGN64;
  const int n = dense->n, number = parts * PERMI_WIDTH, settings = 1 << block, row = n * number;
  const int products = settings * number, sums = (block + 2) * number, pitch = 2 * products + sums;
  const uint64_t first = chunk << dense->chunk_log2, last = first + (UINT64_C(1) << dense->chunk_log2);
  PERMI_N p[8], term[8], rest[4];
  uint64_t c;
  int i, k, q;
  PERMI_NAME(walk_from)(dense, first, x);
  for (i = 0; i < n; i++) {
    double *to = work->row + i * pitch;
    for (k = 0; k < products; k += PERMI_WIDTH)
      PERMI_STORE(to + k, PERMI_LOAD(dense->table + i * products + k));
    for (k = 0; k < sums; k += PERMI_WIDTH)
      PERMI_STORE(to + 2 * products + k, PERMI_SET(0.0));
  }

  for (c = first;;) {
    const double sign[2] = {c & 1 ? -1.0 : 1.0, 0}, one[2] = {1, 0};
    double *t = work->row, *present = work->present + (c & 3) * (size_t)row;
    const int sampled = !(permi_scatter(c) & dense->absolute_mask);
    PERMI_EVERY(q, settings, p[q] = PERMI_NAME(spread)(sign, 1, parts));
    for (i = 0; i + 1 < n; i++) {
      PERMI_EVERY(q, settings, PERMI_NAME(put)(t + products + q * number, PERMI_WIDTH, p[q], parts));
      PERMI_NAME(minors_row)(p, t, x + i * parts, parts, block);
      t += pitch;
    }
    PERMI_EVERY(q, settings, PERMI_NAME(put)(t + products + q * number, PERMI_WIDTH, p[q], parts));
    PERMI_EVERY(q, settings, p[q] = PERMI_NAME(spread)(one, 1, parts));
    for (;;) {
      double *sum = t + 2 * products;
      PERMI_EVERY(q, settings, term[q] = PERMI_NAME(times)(
                                 PERMI_NAME(get)(t + products + q * number, PERMI_WIDTH, parts), p[q], parts));
      PERMI_NAME(minors_fold)(term, settings / 2, rest, sum, parts);
      if (block > 1)
        PERMI_NAME(minors_fold)(rest, settings / 4, rest, sum + number, parts);
      if (block > 2)
        PERMI_NAME(minors_fold)(rest, settings / 8, rest, sum + 2 * number, parts);
      PERMI_NAME(put)(present + i * number, PERMI_WIDTH, rest[0], parts);
      if (sampled) {
        PERMI_V absolute = PERMI_LOAD(work->absolute + i * PERMI_WIDTH);
        PERMI_EVERY(q, settings, absolute = absolute + PERMI_NAME(modulus_of)(term[q], parts));
        PERMI_STORE(work->absolute + i * PERMI_WIDTH, absolute);
      }
      if (i == least)
        break;
      PERMI_NAME(minors_row)(p, t, x + i * parts, parts, block);
      i--;
      t -= pitch;
    }

    c++;
    if (!(c & 3) || c == last) { /* four states at once, padded with zeros */
      for (k = (int)(c & 3); k & 3; k++)
        for (i = least * number; i < row; i += PERMI_WIDTH)
          PERMI_STORE(work->present + k * row + i, PERMI_SET(0.0));
      for (i = least; i < n; i++) {
        double *sum = work->row + i * pitch + 2 * products + block * number;
        for (k = 0; k < number; k += PERMI_WIDTH)
          PERMI_NAME(minors_meet)(work, i * number + k, sum + k, number, row, c - 1, (c - 1 - first) >> 2);
      }
    }
    if (!(c & 15) || c == last)
      for (i = least; i < n; i++) {
        double *sum = work->row + i * pitch + 2 * products;
        double *high = work->block_high + i * sums, *low = work->block_low + i * sums;
        for (k = 0; k < sums; k += PERMI_WIDTH) {
          PERMI_NAME(add_wide)(high + k, low + k, PERMI_LOAD(sum + k));
          PERMI_STORE(sum + k, PERMI_SET(0.0));
        }
      }
    if (c == last)
      break;
    PERMI_NAME(walk_to)(dense, c, x);
  }
  PERMI_LEAVE();
}

#define PERMI_BLOCK (PERMI_WIDTH == 8 || PERMI_WIDTH == 2 ? 3 : 2) /* complex: one less */
#define PERMI_INSTANCE(name, parts, block)                                                                             \
  PERMI_KERNEL PERMI_NAME(name)(const permi_dense *dense, int least, uint64_t chunk, const permi_minors_work *work)    \
  {                                                                                                                    \
    PERMI_NAME(minors)(dense, least, chunk, work, parts, block);                                                       \
  }
PERMI_INSTANCE(minors_real, 1, PERMI_BLOCK)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(minors_complex, 2, PERMI_BLOCK - 1)
#endif
#undef PERMI_INSTANCE
#undef PERMI_BLOCK
#endif
/* SPDX-License-Identifier: MIT */
