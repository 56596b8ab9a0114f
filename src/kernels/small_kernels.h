/* ================================================================================== >>small_kernels
   Small orders: columns 0 and 1 expanded exactly, Glynn's signs for the other n - 2, the third +. With z_i the signed
   sum of row i, the permanent is
       2^-(n-3) sum over signs of (product of the signs) [x y] prod_i (z_i + a_i0 x + a_i1 y),  x^2 = y^2 = 0.
   A pair of rows is p + u x + v y + c xy: p = z_i z_j; u = a_i0 z_j + a_j0 z_i and v, linear in the signs, come from
   tables like z_i; c is constant. The first pair takes no product, the others 9 operations, the last 4: 74 for 48
   elements at n = 12 (normalised rows: 72 and a division; Glynn's pairs: 104).
   Constants: order, or 0 if n is an argument (n = 3 + lane + block columns: all in registers); parts; block columns, 0
   to 2.
   out: value; the sum of the larger modulus of each term's halves, to which errors are relative (no cancelled term
   looks accurate); at least the sum of squares.
   AVX-512 at n = 12 has 92% of the peak. There an unrolled loop over pairs lost 4%, moduli of both halves and a
   broadcast sign 1 to 2%. n as an argument costs 11% at n = 9, 8% at 10, 2% at 11 and 12; a constant, 0.05 to 0.2 s of
   compile time. clang keeps arrays in memory, so settings have names (permi_small_real_n8_avx512: 99 ns, not 60 to
   76). */
#define PERMI_LANES (PERMI_WIDTH == 8 ? 3 : PERMI_WIDTH == 4 ? 2 : PERMI_WIDTH == 2)
#define PERMI_TABLE (5 - PERMI_LANES) /* a row has 32 table numbers and 16 outer ones */
#define PERMI_EXPANDED PERMI_NAME(small_expanded)

typedef struct {
  PERMI_N p, u, v, c;
} PERMI_EXPANDED;
typedef struct {
  PERMI_N i0, i1, j0, j1;
} PERMI_NAME(small_entries);
typedef struct {
  PERMI_N zi, zj, u, v;
} PERMI_NAME(small_forms);
typedef struct {
  PERMI_V sign0, sign1, sign2;
} PERMI_NAME(small_lanes);
typedef struct {
  PERMI_V even, odd, even_im, odd_im, absolute;
} PERMI_NAME(small_sums); /* by parity of the minus signs */

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_plus)(PERMI_N a, PERMI_N b, int parts)
{
  a.re = PERMI_ADD(a.re, b.re);
  if (parts == 2)
    a.im = PERMI_ADD(a.im, b.im);
  return a;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_minus)(PERMI_N a, PERMI_N b, int parts)
{
  a.re = PERMI_SUB(a.re, b.re);
  if (parts == 2)
    a.im = PERMI_SUB(a.im, b.im);
  return a;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_signed)(PERMI_N x, PERMI_V sign, PERMI_N y, int parts)
{
  x.re = PERMI_FMA(sign, y.re, x.re);
  if (parts == 2)
    x.im = PERMI_FMA(sign, y.im, x.im);
  return x;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_add_product)(PERMI_N x, PERMI_N a, PERMI_N b, int parts)
{
  if (parts == 2) {
    x.re = PERMI_FMS(a.re, b.re, PERMI_FMS(a.im, b.im, x.re));
    x.im = PERMI_FMA(a.re, b.im, PERMI_FMA(a.im, b.re, x.im));
  } else {
    x.re = PERMI_FMA(a.re, b.re, x.re);
  }
  return x;
}

/* Over the fixed and the lane columns. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_row_sum)(const double *row, PERMI_NAME(small_lanes) lanes,
                                                                 int parts)
{
  PERMI_N z = PERMI_NAME(spread)(row + 2 * parts, 1, parts);
  if (PERMI_LANES > 0)
    z = PERMI_NAME(small_signed)(z, lanes.sign0, PERMI_NAME(spread)(row + 3 * parts, 1, parts), parts);
  if (PERMI_LANES > 1)
    z = PERMI_NAME(small_signed)(z, lanes.sign1, PERMI_NAME(spread)(row + 4 * parts, 1, parts), parts);
  if (PERMI_LANES > 2)
    z = PERMI_NAME(small_signed)(z, lanes.sign2, PERMI_NAME(spread)(row + 5 * parts, 1, parts), parts);
  return z;
}

/* Settings: 1 turns the first block column, 2 the second, 3 both. */
typedef struct {
  PERMI_N z0, z1, z2, z3;
} PERMI_NAME(small_row);
PERMI_TARGET PERMI_INLINE PERMI_NAME(small_row)
    PERMI_NAME(small_row_sums)(const double *row, PERMI_NAME(small_lanes) lanes, int parts, int block)
{
  PERMI_NAME(small_row) sums;
  PERMI_N e;
  sums.z0 = sums.z1 = sums.z2 = sums.z3 = PERMI_NAME(small_row_sum)(row, lanes, parts);
  if (block >= 1) {
    e = PERMI_NAME(spread)(row + (3 + PERMI_LANES) * parts, 1, parts);
    sums.z1 = PERMI_NAME(small_minus)(sums.z0, e, parts);
    sums.z0 = PERMI_NAME(small_plus)(sums.z0, e, parts);
  }
  if (block == 2) {
    e = PERMI_NAME(spread)(row + (4 + PERMI_LANES) * parts, 1, parts);
    sums.z2 = PERMI_NAME(small_minus)(sums.z0, e, parts);
    sums.z0 = PERMI_NAME(small_plus)(sums.z0, e, parts);
    sums.z3 = PERMI_NAME(small_minus)(sums.z1, e, parts);
    sums.z1 = PERMI_NAME(small_plus)(sums.z1, e, parts);
  }
  return sums;
}

/* [x] of (w_i + a_i x) (w_j + a_j x). */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_linear)(PERMI_N ai, PERMI_N wj, PERMI_N aj,
                                                                PERMI_N wi, int parts)
{
  return PERMI_NAME(small_add_product)(PERMI_NAME(times)(ai, wj, parts), aj, wi, parts);
}

/* This order keeps gcc's AVX2 kernels in registers: 0.87 to 0.92 of the time. */
PERMI_TARGET PERMI_INLINE PERMI_EXPANDED PERMI_NAME(small_multiply)(PERMI_EXPANDED f, PERMI_EXPANDED by, int parts)
{
  PERMI_EXPANDED g;
  g.c = PERMI_NAME(small_add_product)(PERMI_NAME(times)(by.c, f.p, parts), by.v, f.u, parts);
  g.c = PERMI_NAME(small_add_product)(g.c, by.u, f.v, parts);
  g.c = PERMI_NAME(small_add_product)(g.c, by.p, f.c, parts);
  g.u = PERMI_NAME(small_add_product)(PERMI_NAME(times)(by.u, f.p, parts), by.p, f.u, parts);
  g.v = PERMI_NAME(small_add_product)(PERMI_NAME(times)(by.v, f.p, parts), by.p, f.v, parts);
  g.p = PERMI_NAME(times)(by.p, f.p, parts);
  return g;
}

/* Adds a term's halves g, h; `odd`: an odd number of minus block signs. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_finish)(PERMI_NAME(small_sums) * sums, PERMI_N g, PERMI_N h,
                                                        PERMI_V sign, int odd, int parts)
{
  PERMI_V larger = PERMI_LARGER(g.re, h.re);
  if (odd)
    sums->odd = PERMI_FMA(sign, PERMI_ADD(g.re, h.re), sums->odd);
  else
    sums->even = PERMI_FMA(sign, PERMI_ADD(g.re, h.re), sums->even);
  if (parts == 2) {
    if (odd)
      sums->odd_im = PERMI_FMA(sign, PERMI_ADD(g.im, h.im), sums->odd_im);
    else
      sums->even_im = PERMI_FMA(sign, PERMI_ADD(g.im, h.im), sums->even_im);
    larger = PERMI_ADD(larger, PERMI_LARGER(g.im, h.im));
  }
  sums->absolute = PERMI_ADD(sums->absolute, larger);
}

/* Adds [xy] of f times the last pair. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_end_pair)(PERMI_NAME(small_sums) * sums, PERMI_EXPANDED f,
                                                          PERMI_EXPANDED last, PERMI_V sign, int odd, int parts)
{
  const PERMI_N h = PERMI_NAME(small_add_product)(PERMI_NAME(times)(last.u, f.v, parts), last.v, f.u, parts);
  const PERMI_N g = PERMI_NAME(small_add_product)(PERMI_NAME(times)(last.c, f.p, parts), last.p, f.c, parts);
  PERMI_NAME(small_finish)(sums, g, h, sign, odd, parts);
}

/* Adds [xy] of f times a last row. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_end_row)(PERMI_NAME(small_sums) * sums, PERMI_EXPANDED f,
                                                         PERMI_N z, const double *row, PERMI_V sign, int odd,
                                                         int parts)
{
  const PERMI_N a0 = PERMI_NAME(spread)(row, 1, parts), a1 = PERMI_NAME(spread)(row + parts, 1, parts);
  const PERMI_N h = PERMI_NAME(small_add_product)(PERMI_NAME(times)(a0, f.v, parts), a1, f.u, parts);
  PERMI_NAME(small_finish)(sums, PERMI_NAME(times)(z, f.c, parts), h, sign, odd, parts);
}

/* clang-format off */
#define PERMI_EACH_SETTING(DO)                                                                                         \
  DO(0) if (block >= 1) { DO(1) } if (block == 2) { DO(2) DO(3) }
/* clang-format on */
#define PERMI_FIRST(q) f##q = PERMI_PAIR_OF(q);
#define PERMI_NEXT(q) f##q = PERMI_NAME(small_multiply)(f##q, PERMI_PAIR_OF(q), parts);
#define PERMI_LAST(q) PERMI_NAME(small_end_pair)(sums, f##q, PERMI_PAIR_OF(q), sign, q == 1 || q == 2, parts);

PERMI_TARGET PERMI_INLINE PERMI_EXPANDED PERMI_NAME(small_pair)(PERMI_N zi, PERMI_N zj,
                                                                PERMI_NAME(small_entries) entries, PERMI_N c,
                                                                int parts)
{
  PERMI_EXPANDED pair;
  pair.p = PERMI_NAME(times)(zi, zj, parts);
  pair.u = PERMI_NAME(small_linear)(entries.i0, zj, entries.j0, zi, parts);
  pair.v = PERMI_NAME(small_linear)(entries.i1, zj, entries.j1, zi, parts);
  pair.c = c;
  return pair;
}

/* Also *c = a_i0 a_j1 + a_i1 a_j0. */
PERMI_TARGET PERMI_INLINE PERMI_NAME(small_entries)
    PERMI_NAME(small_exact)(const double *i, const double *j, PERMI_N *c, int parts)
{
  PERMI_NAME(small_entries) entries;
  entries.i0 = PERMI_NAME(spread)(i, 1, parts);
  entries.i1 = PERMI_NAME(spread)(i + parts, 1, parts);
  entries.j0 = PERMI_NAME(spread)(j, 1, parts);
  entries.j1 = PERMI_NAME(spread)(j + parts, 1, parts);
  *c = PERMI_NAME(small_linear)(entries.i0, entries.j1, entries.i1, entries.j0, parts);
  return entries;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_in_registers)(PERMI_NAME(small_sums) * sums, const double *a, int n,
                                                              PERMI_NAME(small_lanes) lanes, int parts, int block)
{
  const PERMI_V sign = PERMI_SET(1.0);
  const int stride = n * parts;
  PERMI_EXPANDED f0, f1, f2, f3;
  PERMI_NAME(small_entries) entries;
  PERMI_NAME(small_row) i, j;
  PERMI_N c;
  int k;
#define PERMI_PAIR_OF(q) PERMI_NAME(small_pair)(i.z##q, j.z##q, entries, c, parts)
#define PERMI_ALONE(q) PERMI_NAME(small_end_row)(sums, f##q, i.z##q, a, sign, q == 1 || q == 2, parts);
#define PERMI_TWO_ROWS(DO)                                                                                             \
  i = PERMI_NAME(small_row_sums)(a, lanes, parts, block);                                                              \
  j = PERMI_NAME(small_row_sums)(a + stride, lanes, parts, block);                                                     \
  entries = PERMI_NAME(small_exact)(a, a + stride, &c, parts);                                                         \
  PERMI_EACH_SETTING(DO)
  PERMI_TWO_ROWS(PERMI_FIRST)
  for (k = 1; k < (n - 1) / 2; k++) {
    a += 2 * stride;
    PERMI_TWO_ROWS(PERMI_NEXT)
  }
  a += 2 * stride;
  if (n % 2) {
    i = PERMI_NAME(small_row_sums)(a, lanes, parts, block);
    PERMI_EACH_SETTING(PERMI_ALONE)
  } else {
    PERMI_TWO_ROWS(PERMI_LAST)
  }
#undef PERMI_TWO_ROWS
#undef PERMI_PAIR_OF
#undef PERMI_ALONE
}

/* Forms 4k + (0, 1, 2, 3): z_i, z_j, u, v of pair k; `table`: 32 doubles a part, `outer`: 16; cross: c. */
#define PERMI_ROOM_TABLE (6 * 4 * 32)
#define PERMI_ROOM_OUTER (6 * 4 * 16)
#define PERMI_ROOM (PERMI_ROOM_TABLE + PERMI_ROOM_OUTER + 6 * PERMI_WIDTH)

/* `count` numbers at z become z + y, the next z - y. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_double)(double *z, int count, PERMI_N y, int apart, int parts)
{
  int at;
  for (at = 0; at < count; at += PERMI_WIDTH) {
    const PERMI_N before = PERMI_NAME(get)(z + at, apart, parts);
    PERMI_NAME(put)(z + at + count, apart, PERMI_NAME(small_minus)(before, y, parts), parts);
    PERMI_NAME(put)(z + at, apart, PERMI_NAME(small_plus)(before, y, parts), parts);
  }
}

/* Row sums for all settings into t, for outer states into x. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_table_row)(const double *row, double *t, double *x, int columns,
                                                           int outer, PERMI_NAME(small_lanes) lanes, int parts,
                                                           int block)
{
  const PERMI_NAME(small_row) sums = PERMI_NAME(small_row_sums)(row, lanes, parts, block);
  PERMI_N z;
  int b;
#define PERMI_PUT_SETTING(q) PERMI_NAME(put)(t + q * PERMI_WIDTH, 32, sums.z##q, parts);
  PERMI_EACH_SETTING(PERMI_PUT_SETTING)
#undef PERMI_PUT_SETTING
  for (b = block; b < columns; b++)
    PERMI_NAME(small_double)
  (t, PERMI_WIDTH << b, PERMI_NAME(spread)(row + (3 + PERMI_LANES + b) * parts, 1, parts), 32, parts);
  row += (3 + PERMI_LANES + columns) * parts;
  z = PERMI_NAME(spread)(permi_lane_zero, 1, parts);
  if (PERMI_LANES > 0 && outer > 0)
    z = PERMI_NAME(small_signed)(z, lanes.sign0, PERMI_NAME(spread)(row, 1, parts), parts);
  if (PERMI_LANES > 1 && outer > 1)
    z = PERMI_NAME(small_signed)(z, lanes.sign1, PERMI_NAME(spread)(row + parts, 1, parts), parts);
  if (PERMI_LANES > 2 && outer > 2)
    z = PERMI_NAME(small_signed)(z, lanes.sign2, PERMI_NAME(spread)(row + 2 * parts, 1, parts), parts);
  PERMI_NAME(put)(x, 16, z, parts);
  for (b = PERMI_LANES; b < outer; b++)
    PERMI_NAME(small_double)(x, 1 << b, PERMI_NAME(spread)(row + b * parts, 1, parts), 16, parts);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_mix)(double *from, int count, PERMI_NAME(small_entries) entries,
                                                     int apart, int parts)
{
  int at;
  for (at = 0; at < count; at += PERMI_WIDTH, from += PERMI_WIDTH) {
    const PERMI_N zi = PERMI_NAME(get)(from, apart, parts);
    const PERMI_N zj = PERMI_NAME(get)(from + parts * apart, apart, parts);
    PERMI_NAME(put)
    (from + 2 * parts * apart, apart, PERMI_NAME(small_linear)(entries.i0, zj, entries.j0, zi, parts), parts);
    PERMI_NAME(put)
    (from + 3 * parts * apart, apart, PERMI_NAME(small_linear)(entries.i1, zj, entries.j1, zi, parts), parts);
  }
}

/* The outer columns' x plus the table's q. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_form)(const double *from, PERMI_N x, int q, int parts)
{
  return PERMI_NAME(small_plus)(PERMI_NAME(get)(from + q * PERMI_WIDTH, 32, parts), x, parts);
}

PERMI_TARGET PERMI_INLINE PERMI_EXPANDED PERMI_NAME(small_table_pair)(const double *from, PERMI_NAME(small_forms) outer,
                                                                      PERMI_N c, int q, int parts)
{
  PERMI_EXPANDED pair;
  const PERMI_N zi = PERMI_NAME(small_form)(from, outer.zi, q, parts);
  const PERMI_N zj = PERMI_NAME(small_form)(from + 32 * parts, outer.zj, q, parts);
  pair.u = PERMI_NAME(small_form)(from + 64 * parts, outer.u, q, parts);
  pair.v = PERMI_NAME(small_form)(from + 96 * parts, outer.v, q, parts);
  pair.p = PERMI_NAME(times)(zi, zj, parts);
  pair.c = c;
  return pair;
}

PERMI_TARGET PERMI_INLINE PERMI_NAME(small_forms) PERMI_NAME(small_outer_pair)(const double *state, int parts)
{
  PERMI_NAME(small_forms) x;
  x.zi = PERMI_NAME(spread)(state, 16, parts);
  x.zj = PERMI_NAME(spread)(state + 16 * parts, 16, parts);
  x.u = PERMI_NAME(spread)(state + 32 * parts, 16, parts);
  x.v = PERMI_NAME(spread)(state + 48 * parts, 16, parts);
  return x;
}

/* Adds the terms of one outer state and 2^block settings. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_terms)(PERMI_NAME(small_sums) * sums, const double *from,
                                                       const double *state, const double *cross, const double *last_row,
                                                       int n, PERMI_V sign, int parts, int block)
{
  PERMI_EXPANDED f0, f1, f2, f3;
  PERMI_NAME(small_forms) x;
  PERMI_N c;
  int k;
#define PERMI_PAIR_OF(q) PERMI_NAME(small_table_pair)(from, x, c, q, parts)
#define PERMI_ALONE(q)                                                                                                 \
  PERMI_NAME(small_end_row)                                                                                            \
  (sums, f##q, PERMI_NAME(small_form)(from, x.zi, q, parts), last_row, sign, q == 1 || q == 2, parts);
#define PERMI_TWO_ROWS(k, DO)                                                                                          \
  x = PERMI_NAME(small_outer_pair)(state + (k)*64 * parts, parts);                                                     \
  c = PERMI_NAME(get)(cross + (k)*parts * PERMI_WIDTH, PERMI_WIDTH, parts);                                      \
  PERMI_EACH_SETTING(DO)
  PERMI_TWO_ROWS(0, PERMI_FIRST)
  for (k = 1; k < (n - 1) / 2; k++) {
    from += 128 * parts;
    PERMI_TWO_ROWS(k, PERMI_NEXT)
  }
  from += 128 * parts;
  if (n % 2) {
    x.zi = PERMI_NAME(spread)(state + k * 64 * parts, 16, parts);
    PERMI_EACH_SETTING(PERMI_ALONE)
  } else {
    PERMI_TWO_ROWS(k, PERMI_LAST)
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_by_tables)(PERMI_NAME(small_sums) * sums, const double *a, int n,
                                                           PERMI_NAME(small_lanes) lanes, double *room, int parts,
                                                           int block)
{
  double *table = room, *outer = table + PERMI_ROOM_TABLE * parts, *cross = outer + PERMI_ROOM_OUTER * parts;
  const int rest = n - 3 - PERMI_LANES, columns = rest < PERMI_TABLE ? rest : PERMI_TABLE, stride = n * parts;
  const int settings = 1 << columns, states = 1 << (rest - columns);
  int i, k, s, set;
  for (i = 0; i < n; i++)
    PERMI_NAME(small_table_row)
  (a + i * stride, table + (i / 2 * 4 + i % 2) * 32 * parts, outer + (i / 2 * 4 + i % 2) * 16 * parts, columns,
   rest - columns, lanes, parts, block);
  for (k = 0; k < n / 2; k++) {
    PERMI_N c;
    const double *row = a + 2 * k * stride;
    const PERMI_NAME(small_entries) entries = PERMI_NAME(small_exact)(row, row + stride, &c, parts);
    PERMI_NAME(put)(cross + k * parts * PERMI_WIDTH, PERMI_WIDTH, c, parts);
    PERMI_NAME(small_mix)(table + 4 * k * parts * 32, settings * PERMI_WIDTH, entries, 32, parts);
    PERMI_NAME(small_mix)(outer + 4 * k * parts * 16, states, entries, 16, parts);
  }
  for (s = 0; s < states; s++)
    for (set = 0; set < settings; set += 1 << block)
      PERMI_NAME(small_terms)
  (sums, table + set * PERMI_WIDTH, outer + s, cross, a + (n - 1) * stride, n,
   PERMI_SET(permi_parity_signs[s ^ set >> block]), parts, block);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small)(const double *a, double *out, double *room, int n, int in_registers,
                                                 int parts, int block)
{
  const int entries = n * n * parts;
  const PERMI_V zero = PERMI_SET(0.0);
  double lane[8 * 4] PERMI_ALIGN64;
  PERMI_V squares0 = zero, squares1 = zero;
  PERMI_NAME(small_lanes) lanes;
  PERMI_NAME(small_sums) sums;
  int i;
  lanes.sign0 = PERMI_LANES > 0 ? PERMI_LOAD(permi_lane_signs[0]) : zero;
  lanes.sign1 = PERMI_LANES > 1 ? PERMI_LOAD(permi_lane_signs[1]) : zero;
  lanes.sign2 = PERMI_LANES > 2 ? PERMI_LOAD(permi_lane_signs[2]) : zero;
  sums.even = sums.odd = sums.even_im = sums.odd_im = PERMI_SET(permi_lane_zero[0]);
  sums.absolute = zero;
  for (i = 0; i < entries; i += 2 * PERMI_WIDTH) { /* some squares count twice */
    const double *at = a + (i + 2 * PERMI_WIDTH <= entries ? i : entries - 2 * PERMI_WIDTH);
    const PERMI_V x0 = PERMI_LOAD_ANY(at), x1 = PERMI_LOAD_ANY(at + PERMI_WIDTH);
    squares0 = PERMI_FMA(x0, x0, squares0);
    squares1 = PERMI_FMA(x1, x1, squares1);
  }
  if (in_registers)
    PERMI_NAME(small_in_registers)(&sums, a, n, lanes, parts, block);
  else
    PERMI_NAME(small_by_tables)(&sums, a, n, lanes, room, parts, block);
  PERMI_STORE(lane, PERMI_SUB(sums.even, sums.odd));
  if (parts == 2)
    PERMI_STORE(lane + 8, PERMI_SUB(sums.even_im, sums.odd_im));
  PERMI_STORE(lane + 8 * parts, sums.absolute);
  PERMI_STORE(lane + 8 * parts + 8, PERMI_ADD(squares0, squares1));
  PERMI_LEAVE();
  permi_small_fold(lane, PERMI_WIDTH, parts, n, out);
}

/* order 0: any, by tables; else in registers if possible */
#define PERMI_INSTANCE(name, order, parts, block)                                                                      \
  PERMI_TARGET PERMI_ALIGN_LOOPS static void PERMI_NAME(name)(int n, const double *a, double *out)                     \
  {                                                                                                                    \
    double room[(order) && (order) <= 3 + PERMI_LANES + (block) ? 1 : PERMI_ROOM * (parts)] PERMI_ALIGN64;             \
    PERMI_NAME(small)                                                                                                  \
    (a, out, room, (order) ? (order) : n, (order) && (order) <= 3 + PERMI_LANES + (block), parts, block);              \
  }
#if PERMI_WIDTH == 8
PERMI_INSTANCE(small_real_n6, 6, 1, 0)
PERMI_INSTANCE(small_real_n7, 7, 1, 1)
PERMI_INSTANCE(small_real_n8, 8, 1, 2)
PERMI_INSTANCE(small_real_n12, 12, 1, 2)
#elif PERMI_WIDTH == 4
PERMI_INSTANCE(small_real_n5, 5, 1, 0)
PERMI_INSTANCE(small_real_n6, 6, 1, 1)
#elif PERMI_WIDTH == 1
PERMI_INSTANCE(small_real_n5, 5, 1, 2)
#endif
PERMI_INSTANCE(small_real, 0, 1, (PERMI_WIDTH == 8 ? 2 : 1))
#if !defined(PERM_NO_COMPLEX)
#if PERMI_WIDTH == 8
PERMI_INSTANCE(small_complex_n6, 6, 2, 0)
PERMI_INSTANCE(small_complex_n7, 7, 2, 1)
#elif PERMI_WIDTH == 4
PERMI_INSTANCE(small_complex_n5, 5, 2, 0)
#endif
PERMI_INSTANCE(small_complex, 0, 2, (PERMI_WIDTH == 8))
#endif

#undef PERMI_INSTANCE
#undef PERMI_LANES
#undef PERMI_TABLE
#undef PERMI_EXPANDED
#undef PERMI_EACH_SETTING
#undef PERMI_TWO_ROWS
#undef PERMI_PAIR_OF
#undef PERMI_FIRST
#undef PERMI_NEXT
#undef PERMI_LAST
#undef PERMI_ALONE
#undef PERMI_ROOM
#undef PERMI_ROOM_TABLE
#undef PERMI_ROOM_OUTER
