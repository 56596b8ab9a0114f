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

/* Sums of P_i, by products forward and backward. The last row is in no forward product: a pass back to least = n - 1
   yields its minors. Cache traffic limits: separate sums of every setting, two operations fewer, are slower. */

PERMI_TARGET PERMI_INLINE void PERMI_NAME(add_wide)(double *high, double *low, PERMI_V x)
{
  PERMI_V error;
  PERMI_STORE(high, PERMI_NAME(vector_two_sum)(PERMI_LOAD(high), x, &error));
  PERMI_STORE(low, PERMI_LOAD(low) + error);
}

/* Folds pairs that differ in one column's sign: differences to `rest`, sums to *sum. */
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
  PERMI_NAME(put)(sum, PERMI_WIDTH, PERMI_NAME(plus)(PERMI_NAME(get)(sum, PERMI_WIDTH, parts), both[0]), parts);
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_row)(PERMI_N *p, const double *t, const double *x, int parts,
                                                      int block)
{
  const PERMI_N outer = PERMI_NAME(spread)(x, 1, parts);
  const int settings = 1 << block;
  int q;
  PERMI_EVERY(q, settings, p[q] = PERMI_NAME(times)(
                               p[q], PERMI_NAME(plus)(PERMI_NAME(get)(t + q * PERMI_WIDTH, settings * PERMI_WIDTH,
                                                                      parts), outer), parts));
}

/* Adds four states to the first two outer columns, `number` apart. done: earlier fours. */
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
  /* complete blocks meet; column k has + where bits k and k + 1 of c are equal */
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
        PERMI_EVERY(q, settings, absolute = absolute + (parts == 2 ? (PERMI_V)(PERMI_ABS(term[q].re) +
                                                                               PERMI_ABS(term[q].im))
                                                                   : (PERMI_V)PERMI_ABS(term[q].re)));
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

/* Small orders. With z_i the sum of row i over signs of the n columns, the first +, minors of all columns are
       2^-(n-1) sum over signs of (product of the signs) d_j P,  P = product of the rows' z_i.
   A term enters all columns' sums at once:
     block columns     two, in registers: sums and differences of four products
     state columns     a binary counter, as in >>minors
     the first, lanes  the sum over all states, by lane
   z_i is a table's number plus one of eight of outer columns, renewed for each setting of the next three, whose eight
   are renewed for each of the last: all fits a small stack. With n - 1 rows out gets the minors of the row not given.
   With n rows it gets the gradient, up to eight rows at once, by prefixes and suffixes of their product. */

#define PERMI_LANES (PERMI_WIDTH == 8 ? 3 : PERMI_WIDTH == 4 ? 2 : PERMI_WIDTH == 2)
#define PERMI_TABLE (5 - PERMI_LANES) /* a row has 32 table numbers */
#define PERMI_STATE_COLUMNS (13 - PERMI_LANES)
#define PERMI_ROWS PERMI_NAME(small_minors_rows)
#define PERMI_SUMS PERMI_NAME(small_minors_sums)

/* low, high: of outer columns; outer: their sums. */
typedef struct {
  double table[16 * 2 * 32], low[16 * 2 * 8], high[16 * 2 * 8], outer[16 * 2 * 8];
  int rows;
} PERMI_ROWS;

/* Block and state columns; waiting states, the last of all. */
typedef struct {
  double column[(2 + PERMI_STATE_COLUMNS) * 2 * PERMI_WIDTH], waiting[(1 + PERMI_STATE_COLUMNS) * 2 * PERMI_WIDTH];
  double absolute[PERMI_WIDTH];
} PERMI_SUMS;

/* Multiplies p by four settings of row i. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_minors_row)(PERMI_N *p, const PERMI_ROWS *from, int i, int at, int s,
                                                            int parts)
{
  const PERMI_N outer = PERMI_NAME(spread)(from->outer + i * parts * 8 + s, 8, parts);
  const double *table = from->table + i * parts * 32 + at;
  int q;
  PERMI_EVERY(q, 4, p[q] = PERMI_NAME(times)(
                        p[q], PERMI_NAME(plus)(PERMI_NAME(get)(table + q * PERMI_WIDTH, 32, parts), outer), parts));
}

/* Adds products of state c, whose bits are minus signs. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_minors_add)(PERMI_SUMS *sums, const PERMI_N *t, int c, int parts)
{
  const PERMI_V sign = PERMI_SET(permi_parity_signs[(c ^ c >> 5 ^ c >> 10) & 31]);
  const PERMI_N both0 = PERMI_NAME(plus)(t[0], t[1]), turn0 = PERMI_NAME(minus)(t[0], t[1]);
  const PERMI_N both1 = PERMI_NAME(plus)(t[2], t[3]), turn1 = PERMI_NAME(minus)(t[2], t[3]);
  const int number = PERMI_WIDTH * parts;
  PERMI_V absolute = PERMI_LARGER(both0.re, turn0.re) + PERMI_LARGER(both1.re, turn1.re); /* |t_0| + |t_1|, .. */
  PERMI_N now = PERMI_NAME(minus)(turn0, turn1);
  double *column = sums->column, *waiting = sums->waiting;
  if (parts == 2)
    absolute = absolute + (PERMI_LARGER(both0.im, turn0.im) + PERMI_LARGER(both1.im, turn1.im));
  PERMI_STORE(sums->absolute, PERMI_LOAD(sums->absolute) + absolute);
  PERMI_NAME(put)(column, PERMI_WIDTH,
                  PERMI_NAME(small_signed)(PERMI_NAME(get)(column, PERMI_WIDTH, parts), sign,
                                           PERMI_NAME(minus)(both0, both1), parts), parts);
  column += number;
  PERMI_NAME(put)(column, PERMI_WIDTH,
                  PERMI_NAME(small_signed)(PERMI_NAME(get)(column, PERMI_WIDTH, parts), sign,
                                           PERMI_NAME(plus)(turn0, turn1), parts), parts);
  now.re = sign * now.re;
  now.im = sign * now.im;
  for (; c & 1; c >>= 1, waiting += number) {
    const PERMI_N before = PERMI_NAME(get)(waiting, PERMI_WIDTH, parts);
    column += number;
    PERMI_NAME(put)(column, PERMI_WIDTH,
                    PERMI_NAME(plus)(PERMI_NAME(get)(column, PERMI_WIDTH, parts), PERMI_NAME(minus)(before, now)),
                    parts);
    now = PERMI_NAME(plus)(before, now);
  }
  PERMI_NAME(put)(waiting, PERMI_WIDTH, now, parts);
}

/* Adds state c for the first or the last `group` rows: products of all other rows. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_minors_state)(PERMI_SUMS *sums, const PERMI_ROWS *from, int first,
                                                              int group, int at, int s, int c, int parts)
{
  static const double one[2] = {1, 0};
  double front[8 * 4 * 2 * PERMI_WIDTH] PERMI_ALIGN64;
  const int number = PERMI_WIDTH * parts;
  PERMI_N p[4], back[4];
  int i, k, q;
  PERMI_EVERY(q, 4, p[q] = back[q] = PERMI_NAME(spread)(one, 1, parts));
  for (i = first ? 0 : group; i < (first ? first : from->rows); i++)
    PERMI_NAME(small_minors_row)(p, from, i, at, s, parts);
  for (k = 0; k + 1 < group; k++) {
    PERMI_EVERY(q, 4, PERMI_NAME(put)(front + (4 * k + q) * number, PERMI_WIDTH, p[q], parts));
    PERMI_NAME(small_minors_row)(p, from, first + k, at, s, parts);
  }
  for (;; k--) {
    PERMI_NAME(small_minors_add)(sums + k, p, c, parts);
    if (!k)
      break;
    PERMI_NAME(small_minors_row)(back, from, first + k, at, s, parts);
    PERMI_EVERY(q, 4, p[q] = PERMI_NAME(times)(
                          PERMI_NAME(get)(front + (4 * (k - 1) + q) * number, PERMI_WIDTH, parts), back[q], parts));
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_minors_tables)(PERMI_ROWS *to, int n, const double *a, int columns,
                                                               int low, PERMI_NAME(small_lanes) lanes, int parts)
{
  const double *row = a;
  int i, b;
  for (i = 0; i < to->rows; i++, row += n * parts) {
    const double *next = row + (1 + PERMI_LANES) * parts;
    double *table = to->table + i * parts * 32;
    PERMI_NAME(put)(table, 32, PERMI_NAME(small_lane_sum)(PERMI_NAME(spread)(row, 1, parts), row + parts, PERMI_LANES,
                                                          lanes, parts), parts);
    for (b = 0; b < columns; b++, next += parts)
      PERMI_NAME(small_double)(table, PERMI_WIDTH << b, PERMI_NAME(spread)(next, 1, parts), 32, parts);
    PERMI_NAME(small_outer_row)(next, to->low + i * parts * 8, 8, low, 0, 0, lanes, parts);
  }
}

/* Signs lanes, except bit `but`. */
PERMI_TARGET PERMI_INLINE double PERMI_NAME(small_minors_lanes)(const double *from, int but)
{
  double x[PERMI_WIDTH];
  int k, bit;
  PERMI_EVERY(k, PERMI_WIDTH, x[k] = from[k]);
  PERMI_UNROLL
  for (bit = PERMI_LANES - 1; bit >= 0; bit--) {
    PERMI_UNROLL
    for (k = 0; k < 1 << bit; k++)
      x[k] = but == bit ? x[k] + x[k + (1 << bit)] : x[k] - x[k + (1 << bit)];
  }
  return x[0];
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_minors_fold)(const PERMI_SUMS *sums, int n, double *out, int parts)
{
  const double scale = 2.0 / (double)(1 << n); /* 2^-(n-1) */
  const int states = n - 3 - PERMI_LANES;
  double sum = 0;
  int part, j;
  for (part = 0; part < parts; part++) {
    const double *from = sums->waiting + (states * parts + part) * PERMI_WIDTH;
    PERMI_UNROLL
    for (j = 0; j <= PERMI_LANES; j++)
      out[j * parts + part] = scale * PERMI_NAME(small_minors_lanes)(from, j - 1);
    from = sums->column + part * PERMI_WIDTH;
    for (j = 1 + PERMI_LANES; j < n; j++, from += parts * PERMI_WIDTH)
      out[j * parts + part] = scale * PERMI_NAME(small_minors_lanes)(from, -1);
  }
  for (j = 0; j < PERMI_WIDTH; j++)
    sum += sums->absolute[j];
  out[n * parts] = scale * sum;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(small_minors)(int rows, int n, const double *a, double *out, int parts)
{
  const int gradient = rows == n, group = !gradient ? 1 : n < 8 ? n : 8;
  const int rest = n - 1 - PERMI_LANES, columns = rest < PERMI_TABLE ? rest : PERMI_TABLE;
  const int low = rest - columns < 3 ? rest - columns : 3, left = rest - columns - low;
  const int high = left < 3 ? left : 3, more = left - high, last = n - left;
  const PERMI_V zero = PERMI_SET(0.0);
  PERMI_NAME(small_lanes) lanes;
  PERMI_ROWS from PERMI_ALIGN64;
  PERMI_SUMS sums[8] PERMI_ALIGN64;
  int first, h, s, at, c, i, k;
  lanes.sign0 = PERMI_LANES > 0 ? PERMI_LOAD(permi_lane_signs[0]) : zero;
  lanes.sign1 = PERMI_LANES > 1 ? PERMI_LOAD(permi_lane_signs[1]) : zero;
  lanes.sign2 = PERMI_LANES > 2 ? PERMI_LOAD(permi_lane_signs[2]) : zero;
  from.rows = rows;
  PERMI_NAME(small_minors_tables)(&from, n, a, columns, low, lanes, parts);
  for (first = gradient ? 0 : rows;; first = rows - 8) {
    for (k = 0; k < group; k++) {
      for (i = 0; i < rest * parts; i++)
        PERMI_STORE(sums[k].column + i * PERMI_WIDTH, zero);
      PERMI_STORE(sums[k].absolute, zero);
    }
    for (c = h = 0; h < 1 << left; h++) {
      const int here = h & ((1 << high) - 1);
      for (i = 0; i < rows && !here; i++)
        PERMI_NAME(small_outer_row)(a + (i * n + last) * parts, from.high + i * parts * 8, 8, high, more, h >> high,
                                    lanes, parts);
      for (i = 0; i < rows * parts; i++)
        for (k = 0; k < 8; k += PERMI_WIDTH)
          PERMI_STORE(from.outer + i * 8 + k, PERMI_LOAD(from.low + i * 8 + k) + PERMI_SET(from.high[i * 8 + here]));
      for (s = 0; s < 1 << low; s++)
        for (at = 0; at < PERMI_WIDTH << columns; at += 4 * PERMI_WIDTH, c++)
          PERMI_NAME(small_minors_state)(sums, &from, first, group, at, s, c, parts);
    }
    for (k = 0; k < group; k++)
      PERMI_NAME(small_minors_fold)(sums + k, n, out + (gradient ? first + k : 0) * (n * parts + 1), parts);
    if (first + group >= rows)
      break;
  }
  PERMI_LEAVE();
}

#define PERMI_INSTANCE(name, parts)                                                                                    \
  PERMI_KERNEL PERMI_NAME(name)(int rows, int n, const double *a, double *out)                                         \
  {                                                                                                                    \
    PERMI_NAME(small_minors)(rows, n, a, out, parts);                                                                  \
  }
PERMI_INSTANCE(small_minors_real, 1)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(small_minors_complex, 2)
#endif
#undef PERMI_INSTANCE
#undef PERMI_LANES
#undef PERMI_TABLE
#undef PERMI_STATE_COLUMNS
#undef PERMI_ROWS
#undef PERMI_SUMS
#endif
/* SPDX-License-Identifier: MIT */
