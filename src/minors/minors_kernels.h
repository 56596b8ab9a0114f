/* ================================================================================= >>minors_kernels */

#if !defined(PERM_NO_EXTRAS)
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_NAME(get_any)(const double *p, int apart, int parts)
{
  PERMI_N x;
  x.re = PERMI_LOAD_ANY(p);
  x.im = parts == 2 ? PERMI_LOAD_ANY(p + apart) : x.re;
  return x;
}

/* With z_i = sum_j d_j a_ij over signs d_j of the n columns, the first +, minors of all columns are
       2^-(n-1) sum over signs of (product of the signs) d_j P,  P = product of the rows' z_i.
   A term enters all columns' sums at once:
     block columns     two, in registers: sums and differences of four products
     state columns     a binary counter: two blocks of 2^k states give column k their difference, column k + 1 the sum
     the first, lanes  the sum over all states, by lane
   z_i is a table's number plus one of eight of outer columns, renewed for each setting of the next three, whose eight
   are renewed for each of the last. The signs of `fixed` columns are the chunk's bits: a sum is of 2^13 states.
   n - 1 rows give minors of the row left out, n rows the gradient, `group` rows at once, by prefixes and suffixes of
   their product. The sum of |terms| follows each row. */

#define PERMI_LANES (PERMI_WIDTH == 8 ? 3 : PERMI_WIDTH == 4 ? 2 : PERMI_WIDTH == 2)
#define PERMI_TABLE (5 - PERMI_LANES) /* a row has 32 table numbers */
#define PERMI_ROWS PERMI_NAME(minors_rows)

/* outer: low plus high; sums: for each row of a group those of block and state columns, waiting states and |terms|. */
typedef struct {
  double *table, *low, *high, *outer, *front, *sums;
  int rows, group, states, apart;
} PERMI_ROWS;

/* Multiplies p by four settings of row i. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_row)(PERMI_N *p, const PERMI_ROWS *from, int i, int at, int s,
                                                            int parts)
{
  const PERMI_N outer = PERMI_NAME(spread)(from->outer + i * parts * 8 + s, 8, parts);
  const double *table = from->table + i * parts * 32 + at;
  int q;
  PERMI_EVERY(q, 4, p[q] = PERMI_NAME(times)(
                        p[q], PERMI_NAME(plus)(PERMI_NAME(get)(table + q * PERMI_WIDTH, 32, parts), outer), parts));
}

/* The bits of state c are minus signs. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_add)(const PERMI_ROWS *to, int row, const PERMI_N *t, int c,
                                                      int parts)
{
  const PERMI_V sign = PERMI_SET(permi_parity_signs[(c ^ c >> 5 ^ c >> 10) & 31]);
  const PERMI_N both0 = PERMI_NAME(plus)(t[0], t[1]), turn0 = PERMI_NAME(minus)(t[0], t[1]);
  const PERMI_N both1 = PERMI_NAME(plus)(t[2], t[3]), turn1 = PERMI_NAME(minus)(t[2], t[3]);
  const int number = PERMI_WIDTH * parts;
  PERMI_V absolute = PERMI_LARGER(both0.re, turn0.re) + PERMI_LARGER(both1.re, turn1.re); /* |t_0| + |t_1|, .. */
  PERMI_N now = PERMI_NAME(minus)(turn0, turn1);
  double *column = to->sums + row * to->apart, *waiting = column + (2 + to->states) * number;
  double *moduli = waiting + (1 + to->states) * number;
  if (parts == 2)
    absolute = absolute + (PERMI_LARGER(both0.im, turn0.im) + PERMI_LARGER(both1.im, turn1.im));
  PERMI_STORE(moduli, PERMI_LOAD(moduli) + absolute);
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

/* Adds state c, `sign` times products of other rows, for `group` rows from `first` on. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_state)(const PERMI_ROWS *from, int first, double sign, int at, int s,
                                                        int c, int parts)
{
  const double turn[2] = {sign, 0}, one[2] = {1, 0};
  const int number = PERMI_WIDTH * parts, group = from->group, rows = from->rows;
  double *front = from->front;
  PERMI_N p[4], back[4];
  int i, k, q;
  PERMI_EVERY(q, 4, p[q] = PERMI_NAME(spread)(turn, 1, parts));
  PERMI_EVERY(q, 4, back[q] = PERMI_NAME(spread)(one, 1, parts));
  for (i = first + group; i < first + (first < rows ? rows : rows + 1); i++)
    PERMI_NAME(minors_row)(p, from, i < rows ? i : i - rows - (first == rows), at, s, parts);
  for (k = 0; k + 1 < group; k++) {
    PERMI_EVERY(q, 4, PERMI_NAME(put)(front + (4 * k + q) * number, PERMI_WIDTH, p[q], parts));
    PERMI_NAME(minors_row)(p, from, first + k, at, s, parts);
  }
  for (;; k--) {
    PERMI_NAME(minors_add)(from, k, p, c, parts);
    if (!k)
      break;
    PERMI_NAME(minors_row)(back, from, first + k, at, s, parts);
    PERMI_EVERY(q, 4, p[q] = PERMI_NAME(times)(
                          PERMI_NAME(get)(front + (4 * (k - 1) + q) * number, PERMI_WIDTH, parts), back[q], parts));
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_tables)(const PERMI_ROWS *to, int n, const double *a, int columns,
                                                               int low, PERMI_NAME(small_lanes) lanes, int parts)
{
  const double *row = a;
  for (int i = 0; i < to->rows; i++, row += n * parts) {
    const double *next = row + (1 + PERMI_LANES) * parts;
    double *table = to->table + i * parts * 32;
    PERMI_NAME(put)(table, 32, PERMI_NAME(small_lane_sum)(PERMI_NAME(spread)(row, 1, parts), row + parts, PERMI_LANES,
                                                          lanes, parts), parts);
    for (int b = 0; b < columns; b++, next += parts)
      PERMI_NAME(small_double)(table, PERMI_WIDTH << b, PERMI_NAME(spread)(next, 1, parts), 32, parts);
    PERMI_NAME(small_outer_row)(next, to->low + i * parts * 8, 8, low, 0, 0, lanes, parts);
  }
}

/* Sums lanes with their signs, leaving out bit `but`. */
PERMI_TARGET PERMI_INLINE double PERMI_NAME(minors_lanes)(const double *from, int but)
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

PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors_fold)(const double *sums, int n, int fixed, uint64_t chunk,
                                                       double *out, int parts)
{
  const double *waiting = sums + (n - 1 - PERMI_LANES) * parts * PERMI_WIDTH, *moduli;
  const double scale = 2.0 / (double)(1 << n); /* 2^-(n-1) */
  const int states = n - 3 - PERMI_LANES;
  double sum = 0;
  for (int part = 0; part < parts; part++) {
    const double *from = waiting + (states * parts + part) * PERMI_WIDTH;
    PERMI_UNROLL
    for (int j = 0; j <= PERMI_LANES; j++)
      out[j * parts + part] = scale * PERMI_NAME(minors_lanes)(from, j - 1);
    from = sums + part * PERMI_WIDTH;
    for (int j = 1 + PERMI_LANES; j < n; j++, from += parts * PERMI_WIDTH)
      out[j * parts + part] = scale * PERMI_NAME(minors_lanes)(from, -1);
    for (int j = 0; j < fixed; j++)
      out[(n + j) * parts + part] = chunk >> j & 1 ? -out[part] : out[part];
  }
  moduli = waiting + (1 + states) * parts * PERMI_WIDTH;
  for (int j = 0; j < PERMI_WIDTH; j++)
    sum += moduli[j];
  out[(n + fixed) * parts] = scale * sum;
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(minors)(const permi_minors_sum *of, uint64_t chunk, double *work,
                                                        double *out, int parts)
{
  const double *a = of->a;
  const int rows = of->rows, all = of->n, fixed = of->fixed, n = all - fixed, gradient = rows == all, group = of->group;
  const int rest = n - 1 - PERMI_LANES, columns = rest < PERMI_TABLE ? rest : PERMI_TABLE;
  const int low = rest - columns < 3 ? rest - columns : 3, left = rest - columns - low;
  const int high = left < 3 ? left : 3, more = left - high, last = n - left, row = rows * parts;
  const int number = parts * PERMI_WIDTH, apart = (2 * rest - 1) * number + PERMI_WIDTH;
  const PERMI_V zero = PERMI_SET(0.0);
  double *const front = work + row * 56;
  const PERMI_ROWS from = {work, work + row * 32, work + row * 40, work + row * 48, front, front + group * 4 * number,
                           rows, group, rest - 2, apart};
  PERMI_NAME(small_lanes) lanes;
  double sign = 1;
  int first, h, s, at, c, i, k;
  for (i = 0; i < fixed; i++)
    sign = chunk >> i & 1 ? -sign : sign;
  lanes.sign0 = PERMI_LANES > 0 ? PERMI_LOAD(permi_lane_signs[0]) : zero;
  lanes.sign1 = PERMI_LANES > 1 ? PERMI_LOAD(permi_lane_signs[1]) : zero;
  lanes.sign2 = PERMI_LANES > 2 ? PERMI_LOAD(permi_lane_signs[2]) : zero;
  PERMI_NAME(minors_tables)(&from, all, a, columns, low, lanes, parts);
  for (first = gradient ? 0 : rows;; first = first + 2 * group > rows ? rows - group : first + group) {
    for (k = 0; k < group; k++) {
      for (i = 0; i < rest * parts; i++)
        PERMI_STORE(from.sums + k * apart + i * PERMI_WIDTH, zero);
      PERMI_STORE(from.sums + (k + 1) * apart - PERMI_WIDTH, zero);
    }
    for (c = h = 0; h < 1 << left; h++) {
      const int here = h & ((1 << high) - 1);
      const uint64_t away = (uint64_t)(h >> high) | chunk << more;
      for (i = 0; i < rows && !here; i++)
        PERMI_NAME(small_outer_row)(a + (i * all + last) * parts, from.high + i * parts * 8, 8, high, more + fixed,
                                    away, lanes, parts);
      for (i = 0; i < row; i++)
        for (k = 0; k < 8; k += PERMI_WIDTH)
          PERMI_STORE(from.outer + i * 8 + k, PERMI_LOAD(from.low + i * 8 + k) + PERMI_SET(from.high[i * 8 + here]));
      for (s = 0; s < 1 << low; s++)
        for (at = 0; at < PERMI_WIDTH << columns; at += 4 * PERMI_WIDTH, c++)
          PERMI_NAME(minors_state)(&from, first, sign, at, s, c, parts);
    }
    for (k = 0; k < group; k++)
      PERMI_NAME(minors_fold)(from.sums + k * apart, n, fixed, chunk,
                              out + (gradient ? first + k : 0) * (all * parts + 1), parts);
    if (first + group >= rows)
      break;
  }
  PERMI_LEAVE();
}

#define PERMI_INSTANCE(name, parts)                                                                                    \
  PERMI_KERNEL PERMI_NAME(name)(const permi_minors_sum *of, uint64_t chunk, double *work, double *out)                 \
  {                                                                                                                    \
    PERMI_NAME(minors)(of, chunk, work, out, parts);                                                             \
  }
PERMI_INSTANCE(minors_real, 1)
#if !defined(PERM_NO_COMPLEX)
PERMI_INSTANCE(minors_complex, 2)
#endif
#undef PERMI_INSTANCE
#undef PERMI_LANES
#undef PERMI_TABLE
#undef PERMI_ROWS
#endif
/* SPDX-License-Identifier: MIT */
