/* ================================================================================== >>dense_kernels
   Glynn's sum in blocks (>>dense). Constants: form; parts, 1 real, 2 complex; product; block: K columns. A setting has
   a bit for each minus; even ones come first. Row loops take the outer state's sign, `one`, to products p and, with the
   pivot turned, m (split: low parts c). */

/* Returns the setting in place k: 0 3 5 6 1 2 4 7, or 0 3 1 2, or 0 1. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(setting)(int k, int block)
{
  const int odd = k >> (block - 1), half = k - (odd << (block - 1));
  return 2 * half + ((half ^ half >> 1 ^ odd) & 1);
}

/* Returns the sum over even settings; *odd: over odd ones. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(sum_by_parity)(const PERMI_V *term, int block, PERMI_V *odd)
{
  *odd = block == 1 ? term[1]
                    : (PERMI_V)(block == 2 ? term[2] + term[3] : (term[4] + term[5]) + (term[6] + term[7]));
  return block == 1 ? term[0]
                    : (PERMI_V)(block == 2 ? term[0] + term[1] : (term[0] + term[1]) + (term[2] + term[3]));
}

/* Returns a table's number plus a row sum; with 32 registers by a load of its own (docs/engines.md). */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(table_sum)(const double *t, const double *x)
{
  PERMI_V y = PERMI_LOAD(t);
#if PERMI_WIDTH == 8
  PERMI_KEEP(y);
#endif
  return y + PERMI_SET(*x);
}

/* The pivot is 1: P (y + 1) = P y + P and M (y - 1) = M y - M, rounded once. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(times_normalised)(PERMI_V *p, PERMI_V *m, PERMI_V y)
{
#if PERMI_WIDTH > 1
  *p = PERMI_FMA(*p, y, *p);
  *m = PERMI_FMS(*m, y, *m);
#else /* the grid holds y + 1 */
  *p = *p * (y + 1);
  *m = *m * (y - 1);
#endif
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(rows_normalised)(const permi_dense *dense, const double *t, const double *x,
                                                           PERMI_V one, PERMI_UNUSED int product, int block,
                                                           PERMI_V (*p)[8], PERMI_V (*m)[8])
{
  const int settings = 1 << block;
  int i, k;
  PERMI_EVERY(k, settings, p[0][k] = m[0][k] = one);
  for (i = 0; i < dense->rows; i++) {
    const PERMI_V outer = PERMI_SET(x[i]);
    PERMI_EVERY(k, settings, PERMI_NAME(times_normalised)(
                              p[0] + k, m[0] + k, outer + PERMI_LOAD(t + PERMI_NAME(setting)(k, block) * PERMI_WIDTH)));
    t += settings * PERMI_WIDTH;
  }
}

/* Rows i, j with y = z + l, l over pivot and block columns: turning l's signs takes (z_i z_j + l_i l_j) + (z_i l_j +
   z_j l_i) = E + O to E - O. l_i l_j are constants; O, linear in z's signs, is a virtual row a setting: (2^K + 2 + 6
   2^K) / 4 2^K operations an element, no division. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(times_pair_real)(PERMI_V *p, PERMI_V *m, PERMI_V even, PERMI_V odd)
{
  *p = *p * (even + odd);
  *m = *m * (even - odd);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(rows_pair_real)(const permi_dense *dense, const double *t, const double *x,
                                                          PERMI_V one, PERMI_UNUSED int product, int block,
                                                          PERMI_V (*p)[8], PERMI_V (*m)[8])
{
  const double *constant = dense->constant;
  const int settings = 1 << block;
  int i, k;
  PERMI_EVERY(k, settings, p[0][k] = m[0][k] = one);
  for (i = 0; i + 1 < dense->n; i += 2) {
    const PERMI_V zi = PERMI_LOAD(t) + PERMI_SET(x[0]), zj = PERMI_LOAD(t + PERMI_WIDTH) + PERMI_SET(x[1]);
    PERMI_EVERY(k, settings, const int q = PERMI_NAME(setting)(k, block);
                PERMI_NAME(times_pair_real)(p[0] + k, m[0] + k, PERMI_FMA(zi, zj, PERMI_SET(constant[q])),
                                            PERMI_LOAD(t + (2 + q) * PERMI_WIDTH) + PERMI_SET(x[2 + q])));
    x += 2 + settings;
    t += (2 + settings) * PERMI_WIDTH;
    constant += settings;
  }
  if (i < dense->n) {
    const PERMI_V z = PERMI_LOAD(t) + PERMI_SET(x[0]);
    PERMI_EVERY(k, settings, PERMI_NAME(times_pair_real)(p[0] + k, m[0] + k, z,
                                                        PERMI_SET(constant[PERMI_NAME(setting)(k, block)])));
  }
}

/* Complex, K = 2: 4.4 operations an element, single rows 5. z_i z_j plus setting 0's constant is made half a pair
   ahead. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(pair_product)(const double *t, const double *x, const double *constant)
{
  const PERMI_V ur = PERMI_NAME(table_sum)(t, x), ui = PERMI_NAME(table_sum)(t + PERMI_WIDTH, x + 1);
  const PERMI_V vr = PERMI_NAME(table_sum)(t + 2 * PERMI_WIDTH, x + 2);
  const PERMI_V vi = PERMI_NAME(table_sum)(t + 3 * PERMI_WIDTH, x + 3);
  PERMI_N z;
  z.re = PERMI_FMA(ur, vr, PERMI_FNMA(ui, vi, PERMI_SET(constant[0])));
  z.im = PERMI_FMA(ur, vi, PERMI_FMA(ui, vr, PERMI_SET(constant[1])));
  return z;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(times_pair_complex)(PERMI_V (*p)[8], PERMI_V (*m)[8], PERMI_N even,
                                                              PERMI_N odd, int k)
{
  const PERMI_N plus = PERMI_NAME(plus)(even, odd), minus = PERMI_NAME(minus)(even, odd);
  PERMI_NAME(multiply_by)(&p[0][k], &p[1][k], plus.re, plus.im);
  PERMI_NAME(multiply_by)(&m[0][k], &m[1][k], minus.re, minus.im);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(pair_complex_setting)(PERMI_V (*p)[8], PERMI_V (*m)[8], const double *t,
                                                                const double *x, const double *constant, PERMI_N z,
                                                                int k, int block)
{
  const int q = 2 * PERMI_NAME(setting)(k, block);
  PERMI_N odd;
  odd.re = PERMI_NAME(table_sum)(t + q * PERMI_WIDTH, x + q);
  odd.im = PERMI_NAME(table_sum)(t + (q + 1) * PERMI_WIDTH, x + q + 1);
  if (q) {
    z.re = z.re + PERMI_SET(constant[q]);
    z.im = z.im + PERMI_SET(constant[q + 1]);
  }
  PERMI_NAME(times_pair_complex)(p, m, z, odd, k);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(rows_pair_complex)(const permi_dense *dense, const double *t,
                                                             const double *x, PERMI_V one, PERMI_UNUSED int product,
                                                             int block, PERMI_V (*p)[8], PERMI_V (*m)[8])
{
  const double *constant = dense->constant;
  const int settings = 1 << block;
  int i, k;
  PERMI_EVERY(k, settings, p[0][k] = m[0][k] = one);
  PERMI_EVERY(k, settings, p[1][k] = m[1][k] = PERMI_SET(0.0));
  PERMI_N z = PERMI_NAME(pair_product)(t, x, constant);
  for (i = 0; i + 1 < dense->n; i += 2) {
    const double *odd_t = t + 4 * PERMI_WIDTH, *odd_x = x + 4, *c = constant;
    PERMI_N next = z;
    x += 4 + 2 * settings;
    t += (4 + 2 * settings) * PERMI_WIDTH;
    constant += 2 * settings;
    PERMI_EVERY(k, settings,
                if (k == settings / 2) next = PERMI_NAME(pair_product)(t, x, constant);
                PERMI_NAME(pair_complex_setting)(p, m, odd_t, odd_x, c, z, k, block));
    z = next;
  }
  if (i < dense->n) {
    z.re = PERMI_SET(x[0]) + PERMI_LOAD(t);
    z.im = PERMI_SET(x[1]) + PERMI_LOAD(t + PERMI_WIDTH);
    PERMI_EVERY(k, settings, PERMI_NAME(times_pair_complex)(
                              p, m, z, PERMI_NAME(spread)(constant + 2 * PERMI_NAME(setting)(k, block), 1, 2), k));
  }
}

/* Row sums Y + L are exact multiples of both grids' units. ROUNDED: fl(Y + L) is rounded once. DOUBLED: Y + L = s + l
   exactly; P + C is a renormalised double-double. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(split_real_setting)(PERMI_V *p, PERMI_V *c, const double *t, int apart,
                                                              const double *x, int product)
{
  PERMI_V y = PERMI_SET(x[0]) + PERMI_LOAD(t), l = PERMI_SET(x[1]) + PERMI_LOAD(t + apart);
  const PERMI_V before = *p;
  PERMI_V e;
  if (product == PERMI_ROUNDED) {
    *p = *p * (y + l);
    return;
  }
  y = PERMI_NAME(vector_fast_two_sum)(y, l, &l);
  *p = PERMI_NAME(vector_two_product)(before, y, &e);
  *c = PERMI_FMA(*c, y, PERMI_FMA(before, l, e));
  *p = PERMI_NAME(vector_fast_two_sum)(*p, PERMI_NAME(kept)(*c), c);
}

/* The same by parts; products may cancel, so sums take TwoSum. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(split_complex_setting)(PERMI_V (*p)[8], PERMI_V (*c)[8], const double *t,
                                                                 int apart, const double *x, int product, int k)
{
  PERMI_V pr = p[0][k], pi = p[1][k], cr = c[0][k], ci = c[1][k];
  PERMI_V sr = PERMI_NAME(table_sum)(t, x), lr = PERMI_NAME(table_sum)(t + apart, x + 1);
  PERMI_V si = PERMI_NAME(table_sum)(t + 2 * apart, x + 2), li = PERMI_NAME(table_sum)(t + 3 * apart, x + 3);
  PERMI_V rr, rr_e, ii, ii_e, ri, ri_e, ir, ir_e, hr, hr_e, hi, hi_e;
  if (product == PERMI_ROUNDED) {
    PERMI_NAME(multiply_by)(&pr, &pi, sr + lr, si + li);
    p[0][k] = pr;
    p[1][k] = pi;
    return;
  }
  sr = PERMI_NAME(vector_fast_two_sum)(sr, lr, &lr);
  si = PERMI_NAME(vector_fast_two_sum)(si, li, &li);
  rr = PERMI_NAME(vector_two_product)(pr, sr, &rr_e);
  ii = PERMI_NAME(vector_two_product)(pi, si, &ii_e);
  ri = PERMI_NAME(vector_two_product)(pr, si, &ri_e);
  ir = PERMI_NAME(vector_two_product)(pi, sr, &ir_e);
  hr = PERMI_NAME(vector_two_sum)(rr, PERMI_SET(0.0) - ii, &hr_e);
  hi = PERMI_NAME(vector_two_sum)(ri, ir, &hi_e);
  hr_e = hr_e + (rr_e - ii_e);
  hi_e = hi_e + (ri_e + ir_e);
  hr_e = PERMI_FNMA(ci, si, PERMI_FMA(cr, sr, PERMI_FNMA(pi, li, PERMI_FMA(pr, lr, hr_e))));
  hi_e = PERMI_FMA(ci, sr, PERMI_FMA(cr, si, PERMI_FMA(pi, lr, PERMI_FMA(pr, li, hi_e))));
  PERMI_KEEP(hr_e);
  PERMI_KEEP(hi_e);
  p[0][k] = PERMI_NAME(vector_two_sum)(hr, hr_e, &c[0][k]);
  p[1][k] = PERMI_NAME(vector_two_sum)(hi, hi_e, &c[1][k]);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(rows_split_real)(const permi_dense *dense, const double *t, const double *x,
                                                           PERMI_V one, int product, int block, PERMI_V (*p)[8],
                                                           PERMI_V (*c)[8])
{
  const int settings = 1 << block, apart = settings * PERMI_WIDTH;
  int i, k;
  PERMI_EVERY(k, settings, p[0][k] = one);
  PERMI_EVERY(k, settings, c[0][k] = PERMI_SET(0.0));
  for (i = 0; i < dense->rows; i += 2, x += 2, t += 2 * apart) {
    PERMI_EVERY(k, settings, PERMI_NAME(split_real_setting)(
                              p[0] + k, c[0] + k, t + PERMI_NAME(setting)(k, block) * PERMI_WIDTH, apart, x, product));
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(rows_split_complex)(const permi_dense *dense, const double *t,
                                                              const double *x, PERMI_V one, int product, int block,
                                                              PERMI_V (*p)[8], PERMI_V (*c)[8])
{
  const int settings = 1 << block, apart = settings * PERMI_WIDTH;
  int i, k;
  PERMI_EVERY(k, settings, p[0][k] = one);
  PERMI_EVERY(k, settings, p[1][k] = c[0][k] = c[1][k] = PERMI_SET(0.0));
  for (i = 0; i < dense->rows; i += 4, x += 4, t += 4 * apart) {
    PERMI_EVERY(k, settings, PERMI_NAME(split_complex_setting)(
                              p, c, t + PERMI_NAME(setting)(k, block) * PERMI_WIDTH, apart, x, product, k));
  }
}

/* Sums of the present group, and of all before. */
typedef struct PERMI_NAME(total) {
  PERMI_V group, hi, lo;
} PERMI_NAME(total);

PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(modulus)(PERMI_V (*p)[8], PERMI_V (*m)[8], int form, int parts, int k)
{
  const PERMI_V re = form == PERMI_FORM_SPLIT ? PERMI_ABS(p[0][k]) : PERMI_ABS_SUM(p[0][k], m[0][k]);
  if (parts == 1)
    return re;
  return re + (form == PERMI_FORM_SPLIT ? PERMI_ABS(p[1][k]) : PERMI_ABS_SUM(p[1][k], m[1][k]));
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(add_wide_term)(PERMI_NAME(total) *total, PERMI_V term, PERMI_V low, int minus)
{
  PERMI_V error;
  if (minus)
    term = PERMI_SET(0.0) - term;
  total->hi = PERMI_NAME(vector_two_sum)(total->hi, term, &error);
  total->lo = total->lo + (minus ? error - low : error + low);
}

/* Adds a state's terms, to the sum of all if it is the group's last. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(add_terms)(PERMI_NAME(total) *total, const PERMI_V *p, const PERMI_V *m,
                                                     int last, int form, int product, int block)
{
  const int settings = 1 << block;
  PERMI_V term[8], even, odd, error;
  int k;
  if (product == PERMI_ROUNDED) {
    PERMI_EVERY(k, settings,
                if (form == PERMI_FORM_SPLIT) term[k] = p[k];
                else if (form == PERMI_FORM_PAIR && block % 2 != 0) term[k] = p[k] + m[k]; /* m: K + 1 signs */
                else term[k] = p[k] - m[k]);
    even = PERMI_NAME(sum_by_parity)(term, block, &odd);
    total->group = total->group + (even - odd);
    if (last) {
      total->hi = PERMI_NAME(vector_two_sum)(total->hi, total->group, &error);
      total->lo = total->lo + error;
      total->group = PERMI_SET(0.0);
    }
    return;
  }
  /* renormalised once a state */
  PERMI_EVERY(k, settings, PERMI_NAME(add_wide_term)(total, p[k], m[k], k >= settings / 2));
  total->hi = PERMI_NAME(vector_two_sum)(total->hi, total->lo, &total->lo);
}

/* From 2^12 outer states on an estimate takes one in four groups, by a hash: fixed patterns may miss a matrix' terms.
   */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(add_moduli)(PERMI_V *absolute, PERMI_V (*p)[8], PERMI_V (*m)[8], int form,
                                                      int parts, int block)
{
  const int settings = 1 << block;
  PERMI_V modulus[8], even, odd;
  int k;
  PERMI_EVERY(k, settings, modulus[k] = PERMI_NAME(modulus)(p, m, form, parts, k));
  even = PERMI_NAME(sum_by_parity)(modulus, block, &odd);
  *absolute = *absolute + (even + odd);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(dense_end)(PERMI_NAME(total) re, PERMI_NAME(total) im, PERMI_V absolute,
                                                     int parts, permi_chunk_sum *out)
{
  double hi[2][8] PERMI_ALIGN64, lo[2][8] PERMI_ALIGN64, moduli[8] PERMI_ALIGN64;
  PERMI_STORE(hi[0], re.hi);
  PERMI_STORE(lo[0], re.lo);
  PERMI_STORE(hi[1], im.hi);
  PERMI_STORE(lo[1], im.lo);
  PERMI_STORE(moduli, absolute);
  PERMI_LEAVE();
  memset(out, 0, sizeof *out);
  for (int i = 0; i < PERMI_WIDTH; i++) {
    const double sign = (i ^ i >> 1 ^ i >> 2) & 1 ? -1.0 : 1.0;
    out->value = permi_dd_add(out->value, permi_two_sum(sign * hi[0][i], sign * lo[0][i]));
    if (parts == 2)
      out->imaginary = permi_dd_add(out->imaginary, permi_two_sum(sign * hi[1][i], sign * lo[1][i]));
    out->absolute += moduli[i];
  }
}

/* for 32 registers, or 16; split_complex with 3 has tables > 32 KiB */
#define PERMI_REAL (PERMI_WIDTH == 8 || PERMI_WIDTH == 2 ? 3 : 2)
#define PERMI_COMPLEX (PERMI_REAL - 1)
/* A macro: gcc would compile a function with the rows of all forms, too. */
#define PERMI_INSTANCE(name, rows, form, parts, product, block)                                                        \
  PERMI_KERNEL PERMI_NAME(name)(const permi_dense *dense, uint64_t chunk, permi_chunk_sum *sum)                        \
  {                                                                                                                    \
    double x[PERMI_VIRTUAL_ROWS] PERMI_ALIGN64;                                                                        \
    const uint64_t last = (chunk + 1) << dense->chunk_log2, tables = (UINT64_C(1) << dense->tabled) - 1;               \
    const int group_log2 = dense->chunk_log2 < PERMI_GROUP_LOG2 ? dense->chunk_log2 : PERMI_GROUP_LOG2;                \
    const uint64_t group = (UINT64_C(1) << group_log2) - 1;                                                            \
    PERMI_V absolute = PERMI_SET(0.0);                                                                                 \
    PERMI_NAME(total) re, im;                                                                                          \
    uint64_t c = chunk << dense->chunk_log2;                                                                           \
    re.group = re.hi = re.lo = im.group = im.hi = im.lo = absolute;                                                    \
    for (PERMI_NAME(walk_from)(dense, c, x);; PERMI_NAME(walk_to)(dense, c, x)) {                                      \
      PERMI_V p[2][8], m[2][8];                                                                                        \
      PERMI_NAME(rows)(dense, dense->table + (size_t)((c ^ c >> 1) & tables) * dense->table_size, x,                   \
                       PERMI_SET(c & 1 ? -1.0 : 1.0), product, block, p, m);                                           \
      if (!(permi_scatter(c >> PERMI_GROUP_LOG2) & dense->absolute_mask))                                              \
        PERMI_NAME(add_moduli)(&absolute, p, m, form, parts, block);                                                   \
      c++;                                                                                                             \
      PERMI_NAME(add_terms)(&re, p[0], m[0], !(c & group), form, product, block);                                      \
      if (parts == 2) PERMI_NAME(add_terms)(&im, p[1], m[1], !(c & group), form, product, block);                      \
      if (c == last) break;                                                                                            \
    }                                                                                                                  \
    PERMI_NAME(dense_end)(re, im, absolute, parts, sum);                                                               \
  }
PERMI_INSTANCE(glynn_real, rows_normalised, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, PERMI_REAL)
PERMI_INSTANCE(pair_real, rows_pair_real, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, PERMI_REAL)
#if PERMI_WIDTH == 8
PERMI_INSTANCE(glynn_real_k2, rows_normalised, PERMI_FORM_NORMALISED, 1, PERMI_ROUNDED, 2)
PERMI_INSTANCE(pair_real_k2, rows_pair_real, PERMI_FORM_PAIR, 1, PERMI_ROUNDED, 2)
#endif
PERMI_INSTANCE(split_real, rows_split_real, PERMI_FORM_SPLIT, 1, PERMI_ROUNDED, (PERMI_WIDTH > 1 ? 3 : 2))
PERMI_INSTANCE(dd_real, rows_split_real, PERMI_FORM_SPLIT, 1, PERMI_DOUBLED, PERMI_REAL)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(pair_complex, rows_pair_complex, PERMI_FORM_PAIR, 2, PERMI_ROUNDED, PERMI_COMPLEX)
PERMI_INSTANCE(split_complex, rows_split_complex, PERMI_FORM_SPLIT, 2, PERMI_ROUNDED, (PERMI_WIDTH > 1 ? 2 : 1))
PERMI_INSTANCE(dd_complex, rows_split_complex, PERMI_FORM_SPLIT, 2, PERMI_DOUBLED, PERMI_COMPLEX)
#endif
#undef PERMI_REAL
#undef PERMI_COMPLEX
#undef PERMI_INSTANCE
/* SPDX-License-Identifier: MIT */
