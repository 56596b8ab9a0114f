/* ================================================================================== >>small_kernels
   Columns 0 and 1 expanded exactly, Glynn's signs for the other n - 2, the third +. With z_i the signed sum of row i,
   the permanent is
       2^-(n-3) sum over signs of (product of the signs) [x y] prod_i (z_i + a_i0 x + a_i1 y),  x^2 = y^2 = 0.
   A pair of rows is p + u x + v y + c xy: p = z_i z_j; u = a_i0 z_j + a_j0 z_i and v, linear in the signs, come from
   tables like z_i (tests/proofs/small_orders.sh).
   Constants: order, or 0 if n is an argument (n = 3 + lane + block columns: all in registers); parts; block columns, 0
   to 2.
   out: value; the sum of the larger modulus of each term's halves, to which errors are relative (no cancelled term
   looks accurate); at least the sum of squares. */
#define PERMI_LANES (PERMI_WIDTH == 8 ? 3 : PERMI_WIDTH == 4 ? 2 : PERMI_WIDTH == 2)
#define PERMI_TABLE (5 - PERMI_LANES) /* 32 table numbers and 16 outer ones a row */
#define PERMI_EXPANDED PERMI_NAME(small_expanded)
#define PERMI_EVERY_SETTING(q, call) /* a loop's arrays stay in clang's memory */                                      \
  do { q = 0; call; if (block >= 1) { q = 1; call; }                                                                   \
    if (block == 2) { q = 2; call; q = 3; call; }                                                                      \
  } while (0)

typedef struct {
  PERMI_N p, u, v, c;
} PERMI_EXPANDED;
typedef struct {
  PERMI_N i0, i1, j0, j1;
} PERMI_NAME(small_entries);
typedef struct {
  PERMI_V sign0, sign1, sign2;
} PERMI_NAME(small_lanes);
typedef struct {
  PERMI_N even, odd; /* of minus block signs */
  PERMI_V absolute;
} PERMI_NAME(small_sums);

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_signed)(PERMI_N x, PERMI_V sign, PERMI_N y, int parts)
{
  x.re = PERMI_FMA(sign, y.re, x.re);
  if (parts == 2)
    x.im = PERMI_FMA(sign, y.im, x.im);
  return x;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_lane_sum)(PERMI_N z, const double *row, int columns,
                                                             PERMI_NAME(small_lanes) lanes, int parts)
{
  if (PERMI_LANES > 0 && columns > 0)
    z = PERMI_NAME(small_signed)(z, lanes.sign0, PERMI_NAME(spread)(row, 1, parts), parts);
  if (PERMI_LANES > 1 && columns > 1)
    z = PERMI_NAME(small_signed)(z, lanes.sign1, PERMI_NAME(spread)(row + parts, 1, parts), parts);
  if (PERMI_LANES > 2 && columns > 2)
    z = PERMI_NAME(small_signed)(z, lanes.sign2, PERMI_NAME(spread)(row + 2 * parts, 1, parts), parts);
  return z;
}

/* z by setting: 1 turns the first block column, 2 the second, 3 both. */
typedef struct {
  PERMI_N z[4];
} PERMI_NAME(small_row);
PERMI_TARGET PERMI_INLINE PERMI_NAME(small_row)
    PERMI_NAME(small_row_sums)(const double *row, PERMI_NAME(small_lanes) lanes, int parts, int block)
{
  const PERMI_N fixed = PERMI_NAME(spread)(row + 2 * parts, 1, parts);
  PERMI_NAME(small_row) sums;
  sums.z[0] = PERMI_NAME(small_lane_sum)(fixed, row + 3 * parts, PERMI_LANES, lanes, parts);
  if (block >= 1) {
    const PERMI_N e = PERMI_NAME(spread)(row + (3 + PERMI_LANES) * parts, 1, parts);
    sums.z[1] = PERMI_NAME(minus)(sums.z[0], e);
    sums.z[0] = PERMI_NAME(plus)(sums.z[0], e);
  }
  if (block == 2) {
    const PERMI_N e = PERMI_NAME(spread)(row + (4 + PERMI_LANES) * parts, 1, parts);
    sums.z[2] = PERMI_NAME(minus)(sums.z[0], e);
    sums.z[0] = PERMI_NAME(plus)(sums.z[0], e);
    sums.z[3] = PERMI_NAME(minus)(sums.z[1], e);
    sums.z[1] = PERMI_NAME(plus)(sums.z[1], e);
  }
  return sums;
}

/* Returns [x] of (w_i + a_i x) (w_j + a_j x). */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_linear)(PERMI_N ai, PERMI_N wj, PERMI_N aj,
                                                                PERMI_N wi, int parts)
{
  return PERMI_NAME(plus_times)(PERMI_NAME(times)(ai, wj, parts), aj, wi, parts);
}

/* This order keeps gcc's AVX2 kernels in registers: 0.87 to 0.92 of the time. */
PERMI_TARGET PERMI_INLINE PERMI_EXPANDED PERMI_NAME(small_multiply)(PERMI_EXPANDED f, PERMI_EXPANDED by, int parts)
{
  PERMI_EXPANDED g;
  g.c = PERMI_NAME(plus_times)(PERMI_NAME(times)(by.c, f.p, parts), by.v, f.u, parts);
  g.c = PERMI_NAME(plus_times)(g.c, by.u, f.v, parts);
  g.c = PERMI_NAME(plus_times)(g.c, by.p, f.c, parts);
  g.u = PERMI_NAME(plus_times)(PERMI_NAME(times)(by.u, f.p, parts), by.p, f.u, parts);
  g.v = PERMI_NAME(plus_times)(PERMI_NAME(times)(by.v, f.p, parts), by.p, f.v, parts);
  g.p = PERMI_NAME(times)(by.p, f.p, parts);
  return g;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_finish)(PERMI_NAME(small_sums) * sums, PERMI_N g, PERMI_N h,
                                                        PERMI_V sign, int setting, int parts)
{
  PERMI_N *sum = setting == 1 || setting == 2 ? &sums->odd : &sums->even;
  PERMI_V larger = PERMI_LARGER(g.re, h.re);
  *sum = PERMI_NAME(small_signed)(*sum, sign, PERMI_NAME(plus)(g, h), parts);
  if (parts == 2)
    larger = larger + PERMI_LARGER(g.im, h.im);
  sums->absolute = sums->absolute + larger;
}

/* Adds [xy] of f times a pair. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_end_pair)(PERMI_NAME(small_sums) * sums, PERMI_EXPANDED f,
                                                          PERMI_EXPANDED last, PERMI_V sign, int setting, int parts)
{
  const PERMI_N h = PERMI_NAME(plus_times)(PERMI_NAME(times)(last.u, f.v, parts), last.v, f.u, parts);
  const PERMI_N g = PERMI_NAME(plus_times)(PERMI_NAME(times)(last.c, f.p, parts), last.p, f.c, parts);
  PERMI_NAME(small_finish)(sums, g, h, sign, setting, parts);
}

/* The same of f times a last row. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_end_row)(PERMI_NAME(small_sums) * sums, PERMI_EXPANDED f,
                                                         PERMI_N z, const double *row, PERMI_V sign, int setting,
                                                         int parts)
{
  const PERMI_N a0 = PERMI_NAME(spread)(row, 1, parts), a1 = PERMI_NAME(spread)(row + parts, 1, parts);
  const PERMI_N h = PERMI_NAME(plus_times)(PERMI_NAME(times)(a0, f.v, parts), a1, f.u, parts);
  PERMI_NAME(small_finish)(sums, PERMI_NAME(times)(z, f.c, parts), h, sign, setting, parts);
}

/* *c = a_i0 a_j1 + a_i1 a_j0. */
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

/* Forms 4k + (0, 1, 2, 3) are z_i, z_j, u, v of pair k, a part 32 doubles of `table` and 16 of `outer`; cross is c. */
#define PERMI_ROOM_TABLE (8 * 4 * 32)
#define PERMI_ROOM_OUTER (8 * 4 * 16)
#define PERMI_ROOM (PERMI_ROOM_TABLE + PERMI_ROOM_OUTER + 8 * PERMI_WIDTH)

/* Makes `count` numbers z to z + y, the next ones to z - y. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_double)(double *z, int count, PERMI_N y, int apart, int parts)
{
  for (int at = 0; at < count; at += PERMI_WIDTH) {
    const PERMI_N before = PERMI_NAME(get)(z + at, apart, parts);
    PERMI_NAME(put)(z + at + count, apart, PERMI_NAME(minus)(before, y), parts);
    PERMI_NAME(put)(z + at, apart, PERMI_NAME(plus)(before, y), parts);
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_table_row)(const double *row, double *t, int columns,
                                                           PERMI_NAME(small_lanes) lanes, int parts, int block)
{
  const PERMI_NAME(small_row) sums = PERMI_NAME(small_row_sums)(row, lanes, parts, block);
  int b;
  PERMI_EVERY_SETTING(b, PERMI_NAME(put)(t + b * PERMI_WIDTH, 32, sums.z[b], parts));
  for (b = block; b < columns; b++)
    PERMI_NAME(small_double)(t, PERMI_WIDTH << b, PERMI_NAME(spread)(row + (3 + PERMI_LANES + b) * parts, 1, parts), 32,
                             parts);
}

/* Sets x to sums of `count` columns for all signs; the `more` that follow have the signs of `away`. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_outer_row)(const double *row, double *x, int apart, int count, int more,
                                                           uint64_t away, PERMI_NAME(small_lanes) lanes, int parts)
{
  PERMI_N z = PERMI_NAME(spread)(permi_lane_zero, 1, parts);
  for (int b = 0; b < more; b++)
    z = PERMI_NAME(small_signed)(z, PERMI_SET(permi_parity_signs[away >> b & 1]),
                                 PERMI_NAME(spread)(row + (count + b) * parts, 1, parts), parts);
  PERMI_NAME(put)(x, apart, PERMI_NAME(small_lane_sum)(z, row, count, lanes, parts), parts);
  for (int b = PERMI_LANES; b < count; b++)
    PERMI_NAME(small_double)(x, 1 << b, PERMI_NAME(spread)(row + b * parts, 1, parts), apart, parts);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_mix)(double *from, int count, PERMI_NAME(small_entries) entries,
                                                     int apart, int parts)
{
  for (int at = 0; at < count; at += PERMI_WIDTH, from += PERMI_WIDTH) {
    const PERMI_N zi = PERMI_NAME(get)(from, apart, parts), zj = PERMI_NAME(get)(from + parts * apart, apart, parts);
    const PERMI_N u = PERMI_NAME(small_linear)(entries.i0, zj, entries.j0, zi, parts);
    const PERMI_N v = PERMI_NAME(small_linear)(entries.i1, zj, entries.j1, zi, parts);
    PERMI_NAME(put)(from + 2 * parts * apart, apart, u, parts);
    PERMI_NAME(put)(from + 3 * parts * apart, apart, v, parts);
  }
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(small_form)(const double *from, PERMI_N x, int q, int parts)
{
  return PERMI_NAME(plus)(PERMI_NAME(get)(from + q * PERMI_WIDTH, 32, parts), x);
}

typedef struct {
  const double *a, *table, *outer, *cross;
  PERMI_NAME(small_lanes) lanes;
  PERMI_V squares;
  int n;
} PERMI_NAME(small_source);
typedef struct {
  PERMI_NAME(small_row) i, j;
  PERMI_NAME(small_entries) entries;
  const double *table;
  PERMI_N zi, zj, u, v; /* outer columns' */
  PERMI_N c;
} PERMI_NAME(small_rows);

/* Fetches rows 2k and, unless `single`, 2k + 1. */
PERMI_TARGET PERMI_INLINE PERMI_NAME(small_rows)
    PERMI_NAME(small_fetch)(const PERMI_NAME(small_source) * from, int k, int single, int tables, int parts,
                             int block)
{
  const double *a = from->a + 2 * k * from->n * parts, *other = a + from->n * parts;
  PERMI_NAME(small_rows) rows;
  if (tables) {
    const double *outer = from->outer + k * 64 * parts;
    rows.table = from->table + k * 128 * parts;
    rows.zi = PERMI_NAME(spread)(outer, 16, parts);
    if (!single) {
      rows.zj = PERMI_NAME(spread)(outer + 16 * parts, 16, parts);
      rows.u = PERMI_NAME(spread)(outer + 32 * parts, 16, parts);
      rows.v = PERMI_NAME(spread)(outer + 48 * parts, 16, parts);
      rows.c = PERMI_NAME(get)(from->cross + k * parts * PERMI_WIDTH, PERMI_WIDTH, parts);
    }
  } else {
    rows.i = PERMI_NAME(small_row_sums)(a, from->lanes, parts, block);
    if (!single) {
      rows.j = PERMI_NAME(small_row_sums)(other, from->lanes, parts, block);
      rows.entries = PERMI_NAME(small_exact)(a, other, &rows.c, parts);
    }
  }
  return rows;
}

PERMI_TARGET PERMI_INLINE PERMI_EXPANDED PERMI_NAME(small_pair)(const PERMI_NAME(small_rows) * rows, int q, int tables,
                                                                int parts)
{
  const PERMI_NAME(small_entries) *entries = &rows->entries;
  const double *table = rows->table;
  PERMI_EXPANDED pair;
  PERMI_N zi, zj;
  if (tables) {
    zi = PERMI_NAME(small_form)(table, rows->zi, q, parts);
    zj = PERMI_NAME(small_form)(table + 32 * parts, rows->zj, q, parts);
    pair.u = PERMI_NAME(small_form)(table + 64 * parts, rows->u, q, parts);
    pair.v = PERMI_NAME(small_form)(table + 96 * parts, rows->v, q, parts);
    pair.p = PERMI_NAME(times)(zi, zj, parts);
  } else {
    zi = rows->i.z[q];
    zj = rows->j.z[q];
    pair.p = PERMI_NAME(times)(zi, zj, parts);
    pair.u = PERMI_NAME(small_linear)(entries->i0, zj, entries->j0, zi, parts);
    pair.v = PERMI_NAME(small_linear)(entries->i1, zj, entries->j1, zi, parts);
  }
  pair.c = rows->c;
  return pair;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_terms)(PERMI_NAME(small_sums) * sums,
                                                       const PERMI_NAME(small_source) * from, PERMI_V sign, int tables,
                                                       int parts, int block)
{
  const int n = from->n;
  const double *last = from->a + (n - 1) * n * parts;
  PERMI_NAME(small_rows) rows = PERMI_NAME(small_fetch)(from, 0, 0, tables, parts, block);
  PERMI_EXPANDED f[4];
  int k, q;
  PERMI_EVERY_SETTING(q, f[q] = PERMI_NAME(small_pair)(&rows, q, tables, parts));
  for (k = 1; k < (n - 1) / 2; k++) {
    rows = PERMI_NAME(small_fetch)(from, k, 0, tables, parts, block);
    PERMI_EVERY_SETTING(q,
                f[q] = PERMI_NAME(small_multiply)(f[q], PERMI_NAME(small_pair)(&rows, q, tables, parts), parts));
  }
  rows = PERMI_NAME(small_fetch)(from, k, n % 2, tables, parts, block);
  if (n % 2) {
    PERMI_EVERY_SETTING(q, PERMI_NAME(small_end_row)(
                              sums, f[q], tables ? PERMI_NAME(small_form)(rows.table, rows.zi, q, parts)
                                                 : rows.i.z[q], last, sign, q, parts));
  } else {
    PERMI_EVERY_SETTING(q, PERMI_NAME(small_end_pair)(
                              sums, f[q], PERMI_NAME(small_pair)(&rows, q, tables, parts), sign, q, parts));
  }
}

/* Far columns, from PERMI_NEAR_N on, turn last: each of their settings makes the outer tables again, and has sums of
   its own, as one sum rounds too often. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_by_tables)(PERMI_NAME(small_sums) * sums,
                                                           PERMI_NAME(small_source) from, int parts, int block)
{
  double room[2 * PERMI_ROOM] PERMI_ALIGN64; /* real: half of it */
  double *table = room, *outer = table + PERMI_ROOM_TABLE * parts, *cross = outer + PERMI_ROOM_OUTER * parts;
  const double *a = from.a;
  const int n = from.n, near_columns = n < PERMI_NEAR_N ? n : PERMI_NEAR_N, rest = near_columns - 3 - PERMI_LANES;
  const int columns = rest < PERMI_TABLE ? rest : PERMI_TABLE, stride = n * parts;
  const int settings = 1 << columns, states = 1 << (rest - columns);
  for (int i = 0; i < n; i++)
    PERMI_NAME(small_table_row)(a + i * stride, table + (i / 2 * 4 + i % 2) * 32 * parts, columns, from.lanes, parts,
                                block);
  for (int k = 0; k < n / 2; k++) {
    PERMI_N c;
    const double *row = a + 2 * k * stride;
    const PERMI_NAME(small_entries) entries = PERMI_NAME(small_exact)(row, row + stride, &c, parts);
    PERMI_NAME(put)(cross + k * parts * PERMI_WIDTH, PERMI_WIDTH, c, parts);
    PERMI_NAME(small_mix)(table + 4 * k * parts * 32, settings * PERMI_WIDTH, entries, 32, parts);
  }
  from.cross = cross;
  for (int away = 0; away < 1 << (n - near_columns); away++) {
    PERMI_NAME(small_sums) group = *sums;
    if (away)
      group.even = group.odd = PERMI_NAME(spread)(permi_lane_zero, 1, parts);
    for (int i = 0; i < n; i++)
      PERMI_NAME(small_outer_row)(a + i * stride + (near_columns - rest + columns) * parts,
                                  outer + (i / 2 * 4 + i % 2) * 16 * parts, 16, rest - columns, n - near_columns,
                                  (uint64_t)away, from.lanes, parts);
    for (int k = 0; k < n / 2; k++) {
      PERMI_N c;
      const double *row = a + 2 * k * stride;
      PERMI_NAME(small_mix)(outer + 4 * k * parts * 16, states,
                            PERMI_NAME(small_exact)(row, row + stride, &c, parts), 16, parts);
    }
    for (int s = 0; s < states; s++)
      for (int set = 0; set < settings; set += 1 << block) {
        from.table = table + set * PERMI_WIDTH;
        from.outer = outer + s;
        PERMI_NAME(small_terms)(&group, &from, PERMI_SET(permi_parity_signs[s ^ set >> block ^ away]), 1, parts,
                                block);
      }
    if (away) {
      group.even = PERMI_NAME(plus)(sums->even, group.even);
      group.odd = PERMI_NAME(plus)(sums->odd, group.odd);
    }
    *sums = group;
  }
}

PERMI_TARGET PERMI_INLINE PERMI_NAME(small_source)
    PERMI_NAME(small_begin)(int n, const double *a, PERMI_NAME(small_sums) * sums, int parts)
{
  const int entries = n * n * parts;
  const PERMI_V zero = PERMI_SET(0.0);
  PERMI_V squares0 = zero, squares1 = zero;
  PERMI_NAME(small_source) from;
  from.a = a;
  from.table = NULL;
  from.n = n;
  from.lanes.sign0 = PERMI_LANES > 0 ? PERMI_LOAD(permi_lane_signs[0]) : zero;
  from.lanes.sign1 = PERMI_LANES > 1 ? PERMI_LOAD(permi_lane_signs[1]) : zero;
  from.lanes.sign2 = PERMI_LANES > 2 ? PERMI_LOAD(permi_lane_signs[2]) : zero;
  sums->even = sums->odd = PERMI_NAME(spread)(permi_lane_zero, 1, parts);
  sums->absolute = zero;
  for (int i = 0; i < entries; i += 2 * PERMI_WIDTH) { /* some squares count twice */
    const double *at = a + (i + 2 * PERMI_WIDTH <= entries ? i : entries - 2 * PERMI_WIDTH);
    const PERMI_V x0 = PERMI_LOAD_ANY(at), x1 = PERMI_LOAD_ANY(at + PERMI_WIDTH);
    squares0 = PERMI_FMA(x0, x0, squares0);
    squares1 = PERMI_FMA(x1, x1, squares1);
  }
  from.squares = squares0 + squares1;
  return from;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_end)(const PERMI_NAME(small_source) * from,
                                                     const PERMI_NAME(small_sums) * sums, double *out, int parts)
{
  double lane[8 * 4] PERMI_ALIGN64;
  PERMI_NAME(put)(lane, 8, PERMI_NAME(minus)(sums->even, sums->odd), parts);
  PERMI_STORE(lane + 8 * parts, sums->absolute);
  PERMI_STORE(lane + 8 * parts + 8, from->squares);
  PERMI_LEAVE();
  permi_small_fold(lane, PERMI_WIDTH, parts, from->n, out);
}

/* order 0: any, by tables; else in registers */
#define PERMI_SMALL(order, parts, block)                                                                               \
  PERMI_NAME(small_sums) sums;                                                                                         \
  const PERMI_NAME(small_source) from = PERMI_NAME(small_begin)(order ? order : n, a, &sums, parts);                   \
  if (order) PERMI_NAME(small_terms)(&sums, &from, PERMI_SET(1.0), 0, parts, block);                                   \
  else PERMI_NAME(small_by_tables)(&sums, from, parts, block);
#define PERMI_INSTANCE(name, order, parts, block)                                                                      \
  PERMI_KERNEL PERMI_NAME(name)(int n, const double *a, double *out)                                                   \
  { PERMI_SMALL(order, parts, block)                                                                                   \
    PERMI_NAME(small_end)(&from, &sums, out, parts);                                                                   \
  }
#if PERMI_WIDTH == 8
PERMI_INSTANCE(small_real_n6, 6, 1, 0)
PERMI_INSTANCE(small_real_n7, 7, 1, 1)
PERMI_INSTANCE(small_real_n8, 8, 1, 2)
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
#undef PERMI_SMALL
#undef PERMI_LANES
#undef PERMI_TABLE
#undef PERMI_EXPANDED
#undef PERMI_EVERY_SETTING
#undef PERMI_ROOM
#undef PERMI_ROOM_TABLE
#undef PERMI_ROOM_OUTER
/* SPDX-License-Identifier: MIT */
