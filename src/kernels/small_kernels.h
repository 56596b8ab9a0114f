/* ================================================================================== >>small_kernels
   A kernel for small orders. */

/* Small orders: two columns, 0 and 1, are expanded exactly and the other n - 2 summed over signs as by Glynn, the
   third column always +. With z_i the signed row sum of row i, the permanent is
       2^-(n-3) sum over signs of (product of the signs) [x y] prod_i (z_i + a_i0 x + a_i1 y),  x^2 = y^2 = 0.
   A pair of rows is the element p + u x + v y + c xy: p = z_i z_j, and u = a_i0 z_j + a_j0 z_i and v are linear in the
   signs, so rows of tables as z_i is; c is constant. The first pair costs no product, the others 9 operations, the
   last 4: at n = 12 74 operations for 48 elements, where normalised rows take 72 and a division, pairs of Glynn 104.
     PERMI_PASS_SMALL    n, or 0: n is the argument. n = 3 + lane + block columns: no tables, all in registers
     PERMI_PASS_PARTS    1 real, 2 complex
     PERMI_PASS_BLOCK    columns (0, 1, 2) whose settings stay in registers
   out: value (re, im), then what rounding errors are relative to: the sum of max(|one half of a term|, |the other|) -
   halves, since a term that is small by cancellation must not look accurate - and at least the sum of all squares.
   At n = 12 AVX-512 does 5100 operations in the time of 5550 at the processor's peak. In vain there: the loop over
   pairs unrolled (4% slower); both halves' moduli and a broadcast sign for each parity (1 to 2% slower together). n as
   an argument instead of a constant costs 11% at n = 9, 8% at 10, 2% at 11 and 12, a constant some 50 ms of compile
   time: so only 12 is one. */
#if PERMI_WIDTH == 8
#define PERMI_LANES 3
#define PERMI_ADD_LANES(z, row) PERMI_ADD_LANE(z, row, 0) PERMI_ADD_LANE(z, row, 1) PERMI_ADD_LANE(z, row, 2)
#elif PERMI_WIDTH == 4
#define PERMI_LANES 2
#define PERMI_ADD_LANES(z, row) PERMI_ADD_LANE(z, row, 0) PERMI_ADD_LANE(z, row, 1)
#elif PERMI_WIDTH == 2
#define PERMI_LANES 1
#define PERMI_ADD_LANES(z, row) PERMI_ADD_LANE(z, row, 0)
#else
#define PERMI_LANES 0
#define PERMI_ADD_LANES(z, row)
#endif
#define PERMI_TABLE (5 - PERMI_LANES) /* columns in a table: 32 numbers a row; outer columns: at most 4, 16 numbers */
#define PERMI_SETTINGS (1 << PERMI_PASS_BLOCK)

/* The algebra: statements, x distinct from a and b in MULTIPLY, x += ab in ACCUMULATE, x += sign y in SIGNED. */
#if PERMI_PASS_PARTS == 2
#define PERMI_NEW(x) PERMI_V x##_r, x##_i
#define PERMI_GET(x, p, apart) x##_r = PERMI_LOAD(p), x##_i = PERMI_LOAD((p) + (apart))
#define PERMI_PUT(p, apart, x) PERMI_STORE(p, x##_r), PERMI_STORE((p) + (apart), x##_i)
#define PERMI_SPREAD(x, p, apart) x##_r = PERMI_SET((p)[0]), x##_i = PERMI_SET((p)[apart])
#define PERMI_COPY(x, a) x##_r = a##_r, x##_i = a##_i
#define PERMI_PLUS(x, a, b) x##_r = PERMI_ADD(a##_r, b##_r), x##_i = PERMI_ADD(a##_i, b##_i)
#define PERMI_MINUS(x, a, b) x##_r = PERMI_SUB(a##_r, b##_r), x##_i = PERMI_SUB(a##_i, b##_i)
#define PERMI_SIGNED(x, sign, y) x##_r = PERMI_FMA(sign, y##_r, x##_r), x##_i = PERMI_FMA(sign, y##_i, x##_i)
#define PERMI_MULTIPLY(x, a, b)                                                                                        \
  x##_r = PERMI_FMS(a##_r, b##_r, PERMI_MUL(a##_i, b##_i)), x##_i = PERMI_FMA(a##_r, b##_i, PERMI_MUL(a##_i, b##_r))
#define PERMI_ACCUMULATE(x, a, b)                                                                                      \
  x##_r = PERMI_FMS(a##_r, b##_r, PERMI_FMS(a##_i, b##_i, x##_r)),                                                     \
  x##_i = PERMI_FMA(a##_r, b##_i, PERMI_FMA(a##_i, b##_r, x##_i))
#define PERMI_LARGER_HALF(g, h) PERMI_ADD(PERMI_LARGER(g##_r, h##_r), PERMI_LARGER(g##_i, h##_i))
#else
#define PERMI_NEW(x) PERMI_V x
#define PERMI_GET(x, p, apart) x = PERMI_LOAD(p)
#define PERMI_PUT(p, apart, x) PERMI_STORE(p, x)
#define PERMI_SPREAD(x, p, apart) x = PERMI_SET((p)[0])
#define PERMI_COPY(x, a) x = a
#define PERMI_PLUS(x, a, b) x = PERMI_ADD(a, b)
#define PERMI_MINUS(x, a, b) x = PERMI_SUB(a, b)
#define PERMI_SIGNED(x, sign, y) x = PERMI_FMA(sign, y, x)
#define PERMI_MULTIPLY(x, a, b) x = PERMI_MUL(a, b)
#define PERMI_ACCUMULATE(x, a, b) x = PERMI_FMA(a, b, x)
#define PERMI_LARGER_HALF(g, h) PERMI_LARGER(g, h)
#endif

/* z = the signed sums of row `row` over the fixed and the lane columns; then each block column doubles them. */
#define PERMI_ADD_LANE(z, row, l)                                                                                      \
  {                                                                                                                    \
    PERMI_NEW(e);                                                                                                      \
    PERMI_SPREAD(e, (row) + (3 + (l)) * PERMI_PASS_PARTS, 1);                                                          \
    PERMI_SIGNED(z, sign##l, e);                                                                                       \
  }
#define PERMI_DOUBLE(z, turned, row, b)                                                                                \
  {                                                                                                                    \
    PERMI_NEW(e);                                                                                                      \
    PERMI_SPREAD(e, (row) + (3 + PERMI_LANES + (b)) * PERMI_PASS_PARTS, 1);                                            \
    PERMI_MINUS(turned, z, e);                                                                                         \
    PERMI_PLUS(z, z, e);                                                                                               \
  }
#if PERMI_PASS_BLOCK == 2
#define PERMI_EACH(F, x) F(x, 0) F(x, 1) F(x, 2) F(x, 3)
#define PERMI_SPLITS(z, row)                                                                                           \
  PERMI_DOUBLE(z##0, z##1, row, 0) PERMI_DOUBLE(z##0, z##2, row, 1) PERMI_DOUBLE(z##1, z##3, row, 1)
#elif PERMI_PASS_BLOCK == 1
#define PERMI_EACH(F, x) F(x, 0) F(x, 1)
#define PERMI_SPLITS(z, row) PERMI_DOUBLE(z##0, z##1, row, 0)
#else
#define PERMI_EACH(F, x) F(x, 0)
#define PERMI_SPLITS(z, row)
#endif
#define PERMI_DECLARE(x, q) PERMI_NEW(x##q);
#define PERMI_ROW_SUMS(z, row)                                                                                         \
  PERMI_EACH(PERMI_DECLARE, z)                                                                                         \
  PERMI_SPREAD(z##0, (row) + 2 * PERMI_PASS_PARTS, 1);                                                                 \
  PERMI_ADD_LANES(z##0, row) PERMI_SPLITS(z, row)

/* One setting: f0 + f1 x + f2 y + f3 xy starts as a pair of rows, is multiplied by pairs, and of the last pair or row
   only the coefficient of xy is taken, in two halves. PERMI_FORMS declares what a pair is. */
#define PERMI_START(x, q)                                                                                              \
  {                                                                                                                    \
    PERMI_FORMS(q)                                                                                                     \
    PERMI_COPY(f0##q, p);                                                                                              \
    PERMI_COPY(f1##q, u);                                                                                              \
    PERMI_COPY(f2##q, v);                                                                                              \
    PERMI_COPY(f3##q, c);                                                                                              \
  }
#define PERMI_STEP(x, q)                                                                                               \
  {                                                                                                                    \
    PERMI_NEW(g0);                                                                                                     \
    PERMI_NEW(g1);                                                                                                     \
    PERMI_NEW(g2);                                                                                                     \
    PERMI_NEW(g3);                                                                                                     \
    PERMI_FORMS(q)                                                                                                     \
    PERMI_MULTIPLY(g0, p, f0##q);                                                                                      \
    PERMI_MULTIPLY(g1, u, f0##q);                                                                                      \
    PERMI_MULTIPLY(g2, v, f0##q);                                                                                      \
    PERMI_MULTIPLY(g3, c, f0##q);                                                                                      \
    PERMI_ACCUMULATE(g3, v, f1##q);                                                                                    \
    PERMI_ACCUMULATE(g3, u, f2##q);                                                                                    \
    PERMI_ACCUMULATE(g3, p, f3##q);                                                                                    \
    PERMI_ACCUMULATE(g1, p, f1##q);                                                                                    \
    PERMI_ACCUMULATE(g2, p, f2##q);                                                                                    \
    PERMI_COPY(f0##q, g0);                                                                                             \
    PERMI_COPY(f1##q, g1);                                                                                             \
    PERMI_COPY(f2##q, g2);                                                                                             \
    PERMI_COPY(f3##q, g3);                                                                                             \
  }
#define PERMI_FINISH(q)                                                                                                \
  PERMI_PLUS(t, g, h);                                                                                                 \
  if ((q) == 1 || (q) == 2)                                                                                            \
    PERMI_SIGNED(odd, sign, t);                                                                                        \
  else                                                                                                                 \
    PERMI_SIGNED(even, sign, t);                                                                                       \
  absolute = PERMI_ADD(absolute, PERMI_LARGER_HALF(g, h));
#define PERMI_END_PAIR(x, q)                                                                                           \
  {                                                                                                                    \
    PERMI_NEW(g);                                                                                                      \
    PERMI_NEW(h);                                                                                                      \
    PERMI_NEW(t);                                                                                                      \
    PERMI_FORMS(q)                                                                                                     \
    PERMI_MULTIPLY(h, u, f2##q);                                                                                       \
    PERMI_ACCUMULATE(h, v, f1##q);                                                                                     \
    PERMI_MULTIPLY(g, c, f0##q);                                                                                       \
    PERMI_ACCUMULATE(g, p, f3##q);                                                                                     \
    PERMI_FINISH(q)                                                                                                    \
  }
#define PERMI_END_ROW(x, q)                                                                                            \
  {                                                                                                                    \
    PERMI_NEW(g);                                                                                                      \
    PERMI_NEW(h);                                                                                                      \
    PERMI_NEW(t);                                                                                                      \
    PERMI_SINGLE(q)                                                                                                    \
    PERMI_MULTIPLY(h, a0, f2##q);                                                                                      \
    PERMI_ACCUMULATE(h, a1, f1##q);                                                                                    \
    PERMI_MULTIPLY(g, z, f3##q);                                                                                       \
    PERMI_FINISH(q)                                                                                                    \
  }

/* the exact columns of rows i and j, and what they make */
#define PERMI_EXACT(i, j)                                                                                              \
  PERMI_NEW(ai0);                                                                                                      \
  PERMI_NEW(ai1);                                                                                                      \
  PERMI_NEW(aj0);                                                                                                      \
  PERMI_NEW(aj1);                                                                                                      \
  PERMI_NEW(c);                                                                                                        \
  PERMI_SPREAD(ai0, i, 1);                                                                                             \
  PERMI_SPREAD(ai1, (i) + PERMI_PASS_PARTS, 1);                                                                        \
  PERMI_SPREAD(aj0, j, 1);                                                                                             \
  PERMI_SPREAD(aj1, (j) + PERMI_PASS_PARTS, 1);                                                                        \
  PERMI_MULTIPLY(c, ai0, aj1);                                                                                         \
  PERMI_ACCUMULATE(c, ai1, aj0);
#define PERMI_LINEAR(w, zi, zj, k)                                                                                     \
  PERMI_MULTIPLY(w, ai##k, zj);                                                                                        \
  PERMI_ACCUMULATE(w, aj##k, zi);

PERMI_TARGET static void PERMI_PASS(int order, const double *a, double *out)
{
  const int n = PERMI_PASS_SMALL ? PERMI_PASS_SMALL : order, stride = n * PERMI_PASS_PARTS, entries = n * stride;
  double lane[8 * 4] PERMI_ALIGN64;
  const PERMI_V zero = PERMI_SET(0.0);
  PERMI_V absolute = zero, squares0 = zero, squares1 = zero, x0, x1;
#if PERMI_LANES > 0
  const PERMI_V sign0 = PERMI_LOAD(permi_lane_signs[0]);
#endif
#if PERMI_LANES > 1
  const PERMI_V sign1 = PERMI_LOAD(permi_lane_signs[1]);
#endif
#if PERMI_LANES > 2
  const PERMI_V sign2 = PERMI_LOAD(permi_lane_signs[2]);
#endif
  PERMI_NEW(even);
  PERMI_NEW(odd);
  int i, k;
  PERMI_SPREAD(even, permi_lane_zero, 1);
  PERMI_SPREAD(odd, permi_lane_zero, 1);

  for (i = 0; i < entries; i += 2 * PERMI_WIDTH) { /* the last step goes back: some squares count twice */
    const double *at = a + (i + 2 * PERMI_WIDTH <= entries ? i : entries - 2 * PERMI_WIDTH);
    x0 = PERMI_LOAD_ANY(at);
    x1 = PERMI_LOAD_ANY(at + PERMI_WIDTH);
    squares0 = PERMI_FMA(x0, x0, squares0);
    squares1 = PERMI_FMA(x1, x1, squares1);
  }

#if PERMI_PASS_SMALL && PERMI_PASS_SMALL <= 3 + PERMI_LANES + PERMI_PASS_BLOCK
  {
    const PERMI_V sign = PERMI_SET(1.0);
    PERMI_EACH(PERMI_DECLARE, f0)
    PERMI_EACH(PERMI_DECLARE, f1)
    PERMI_EACH(PERMI_DECLARE, f2)
    PERMI_EACH(PERMI_DECLARE, f3)
#define PERMI_FORMS(q)                                                                                                 \
  PERMI_NEW(p);                                                                                                        \
  PERMI_NEW(u);                                                                                                        \
  PERMI_NEW(v);                                                                                                        \
  PERMI_MULTIPLY(p, zi##q, zj##q);                                                                                     \
  PERMI_LINEAR(u, zi##q, zj##q, 0)                                                                                     \
  PERMI_LINEAR(v, zi##q, zj##q, 1)
#define PERMI_SINGLE(q)                                                                                                \
  PERMI_NEW(z);                                                                                                        \
  PERMI_COPY(z, zi##q);
#define PERMI_TWO_ROWS(k, DO)                                                                                          \
  {                                                                                                                    \
    const double *row = a + 2 * (k)*stride;                                                                            \
    PERMI_ROW_SUMS(zi, row)                                                                                            \
    PERMI_ROW_SUMS(zj, row + stride)                                                                                   \
    PERMI_EXACT(row, row + stride)                                                                                     \
    PERMI_EACH(DO, x)                                                                                                  \
  }
    PERMI_TWO_ROWS(0, PERMI_START)
    for (k = 1; k < (n - 1) / 2; k++)
      PERMI_TWO_ROWS(k, PERMI_STEP)
#if PERMI_PASS_SMALL % 2
      {
        const double *row = a + (n - 1) * stride;
        PERMI_NEW(a0);
        PERMI_NEW(a1);
        PERMI_ROW_SUMS(zi, row)
        PERMI_SPREAD(a0, row, 1);
        PERMI_SPREAD(a1, row + PERMI_PASS_PARTS, 1);
        PERMI_EACH(PERMI_END_ROW, x)
      }
#else
    PERMI_TWO_ROWS(k, PERMI_END_PAIR)
#endif
#undef PERMI_TWO_ROWS
  }
#else
  {
    /* form 4k + (0, 1, 2, 3): z_i, z_j, u, v of pair k; a number is re, then im one row behind */
    double table[6 * 4 * PERMI_PASS_PARTS * 32] PERMI_ALIGN64, outer[6 * 4 * PERMI_PASS_PARTS * 16] PERMI_ALIGN64;
    double cross[6 * PERMI_PASS_PARTS * PERMI_WIDTH] PERMI_ALIGN64;
    const int rest = n - 3 - PERMI_LANES, columns = rest < PERMI_TABLE ? rest : PERMI_TABLE;
    const int settings = 1 << columns, states = 1 << (rest - columns);
    int s, set, at, b;
    for (i = 0; i < n; i++) {
      const double *row = a + i * stride;
      double *t = table + (i / 2 * 4 + i % 2) * 32 * PERMI_PASS_PARTS,
             *x = outer + (i / 2 * 4 + i % 2) * 16 * PERMI_PASS_PARTS;
      PERMI_NEW(y);
      PERMI_NEW(z);
      PERMI_NEW(w);
      {
        PERMI_ROW_SUMS(z, row)
#define PERMI_PUT_SETTING(z, q) PERMI_PUT(t + (q)*PERMI_WIDTH, 32, z##q);
        PERMI_EACH(PERMI_PUT_SETTING, z)
#undef PERMI_PUT_SETTING
      }
      for (b = PERMI_PASS_BLOCK; b < columns; b++) {
        PERMI_SPREAD(y, row + (3 + PERMI_LANES + b) * PERMI_PASS_PARTS, 1);
        for (at = 0; at < PERMI_WIDTH << b; at += PERMI_WIDTH) {
          PERMI_GET(z, t + at, 32);
          PERMI_MINUS(w, z, y);
          PERMI_PLUS(z, z, y);
          PERMI_PUT(t + at + (PERMI_WIDTH << b), 32, w);
          PERMI_PUT(t + at, 32, z);
        }
      }
      row += (3 + PERMI_LANES + columns) * PERMI_PASS_PARTS;
      PERMI_SPREAD(z, permi_lane_zero, 1);
      b = 0;
#define PERMI_ADD_OUTER(l)                                                                                             \
  if (b < rest - columns) {                                                                                            \
    PERMI_SPREAD(y, row + b * PERMI_PASS_PARTS, 1);                                                                    \
    PERMI_SIGNED(z, sign##l, y);                                                                                       \
    b++;                                                                                                               \
  }
#if PERMI_LANES > 0
      PERMI_ADD_OUTER(0)
#endif
#if PERMI_LANES > 1
      PERMI_ADD_OUTER(1)
#endif
#if PERMI_LANES > 2
      PERMI_ADD_OUTER(2)
#endif
#undef PERMI_ADD_OUTER
      PERMI_PUT(x, 16, z);
      for (; b < rest - columns; b++) {
        PERMI_SPREAD(y, row + b * PERMI_PASS_PARTS, 1);
        for (at = 0; at < 1 << b; at += PERMI_WIDTH) {
          PERMI_GET(z, x + at, 16);
          PERMI_MINUS(w, z, y);
          PERMI_PLUS(z, z, y);
          PERMI_PUT(x + at + (1 << b), 16, w);
          PERMI_PUT(x + at, 16, z);
        }
      }
    }
    for (k = 0; k < n / 2; k++) {
      PERMI_NEW(zi);
      PERMI_NEW(zj);
      PERMI_NEW(w);
      PERMI_EXACT(a + 2 * k * stride, a + (2 * k + 1) * stride)
      PERMI_PUT(cross + k * PERMI_PASS_PARTS * PERMI_WIDTH, PERMI_WIDTH, c);
#define PERMI_MIX(from, apart)                                                                                         \
  PERMI_GET(zi, from + (4 * k) * PERMI_PASS_PARTS * apart + at, apart);                                                \
  PERMI_GET(zj, from + (4 * k + 1) * PERMI_PASS_PARTS * apart + at, apart);                                            \
  PERMI_LINEAR(w, zi, zj, 0)                                                                                           \
  PERMI_PUT(from + (4 * k + 2) * PERMI_PASS_PARTS * apart + at, apart, w);                                             \
  PERMI_LINEAR(w, zi, zj, 1)                                                                                           \
  PERMI_PUT(from + (4 * k + 3) * PERMI_PASS_PARTS * apart + at, apart, w);
      for (at = 0; at < settings * PERMI_WIDTH; at += PERMI_WIDTH) {
        PERMI_MIX(table, 32)
      }
      for (at = 0; at < states; at += PERMI_WIDTH) {
        PERMI_MIX(outer, 16)
      }
#undef PERMI_MIX
    }

#undef PERMI_FORMS
#undef PERMI_SINGLE
#define PERMI_FORM(z, x, r, q)                                                                                         \
  PERMI_NEW(z);                                                                                                        \
  PERMI_GET(z, from + (r)*PERMI_PASS_PARTS * 32 + (q)*PERMI_WIDTH, 32);                                                \
  PERMI_PLUS(z, z, x);
#define PERMI_FORMS(q)                                                                                                 \
  PERMI_NEW(p);                                                                                                        \
  PERMI_FORM(zi, xi, 0, q)                                                                                             \
  PERMI_FORM(zj, xj, 1, q)                                                                                             \
  PERMI_FORM(u, xu, 2, q)                                                                                              \
  PERMI_FORM(v, xv, 3, q)                                                                                              \
  PERMI_MULTIPLY(p, zi, zj);
#define PERMI_SINGLE(q) PERMI_FORM(z, xi, 0, q)
#define PERMI_TWO_ROWS(k, DO)                                                                                          \
  {                                                                                                                    \
    const double *from = table + 4 * (k)*PERMI_PASS_PARTS * 32 + set * PERMI_WIDTH;                                    \
    const double *x = outer + 4 * (k)*PERMI_PASS_PARTS * 16 + s;                                                       \
    PERMI_NEW(xi);                                                                                                     \
    PERMI_NEW(xj);                                                                                                     \
    PERMI_NEW(xu);                                                                                                     \
    PERMI_NEW(xv);                                                                                                     \
    PERMI_NEW(c);                                                                                                      \
    PERMI_SPREAD(xi, x, 16);                                                                                           \
    PERMI_SPREAD(xj, x + 16 * PERMI_PASS_PARTS, 16);                                                                   \
    PERMI_SPREAD(xu, x + 32 * PERMI_PASS_PARTS, 16);                                                                   \
    PERMI_SPREAD(xv, x + 48 * PERMI_PASS_PARTS, 16);                                                                   \
    PERMI_GET(c, cross + (k)*PERMI_PASS_PARTS * PERMI_WIDTH, PERMI_WIDTH);                                             \
    PERMI_EACH(DO, x)                                                                                                  \
  }
    for (s = 0; s < states; s++)
      for (set = 0; set < settings; set += PERMI_SETTINGS) {
        const PERMI_V sign = PERMI_SET(permi_parity_signs[s ^ set >> PERMI_PASS_BLOCK]);
        PERMI_EACH(PERMI_DECLARE, f0)
        PERMI_EACH(PERMI_DECLARE, f1)
        PERMI_EACH(PERMI_DECLARE, f2)
        PERMI_EACH(PERMI_DECLARE, f3)
        PERMI_TWO_ROWS(0, PERMI_START)
        for (k = 1; k < (n - 1) / 2; k++)
          PERMI_TWO_ROWS(k, PERMI_STEP)
        if (n % 2) {
          const double *row = a + (n - 1) * stride,
                       *from = table + (2 * n - 2) * PERMI_PASS_PARTS * 32 + set * PERMI_WIDTH;
          PERMI_NEW(a0);
          PERMI_NEW(a1);
          PERMI_NEW(xi);
          PERMI_SPREAD(xi, outer + (2 * n - 2) * PERMI_PASS_PARTS * 16 + s, 16);
          PERMI_SPREAD(a0, row, 1);
          PERMI_SPREAD(a1, row + PERMI_PASS_PARTS, 1);
          PERMI_EACH(PERMI_END_ROW, x)
        } else {
          PERMI_TWO_ROWS(k, PERMI_END_PAIR)
        }
      }
#undef PERMI_TWO_ROWS
#undef PERMI_FORM
  }
#endif
#undef PERMI_FORMS
#undef PERMI_SINGLE

  PERMI_MINUS(even, even, odd);
  PERMI_PUT(lane, 8, even);
  PERMI_STORE(lane + 8 * PERMI_PASS_PARTS, absolute);
  PERMI_STORE(lane + 8 * PERMI_PASS_PARTS + 8, PERMI_ADD(squares0, squares1));
  PERMI_LEAVE();
  permi_small_fold(lane, PERMI_WIDTH, PERMI_PASS_PARTS, n, out);
}

#undef PERMI_ACCUMULATE
#undef PERMI_ADD_LANE
#undef PERMI_ADD_LANES
#undef PERMI_COPY
#undef PERMI_DECLARE
#undef PERMI_EACH
#undef PERMI_END_PAIR
#undef PERMI_END_ROW
#undef PERMI_EXACT
#undef PERMI_FINISH
#undef PERMI_GET
#undef PERMI_LANES
#undef PERMI_LINEAR
#undef PERMI_MINUS
#undef PERMI_LARGER_HALF
#undef PERMI_MULTIPLY
#undef PERMI_NEW
#undef PERMI_PLUS
#undef PERMI_PUT
#undef PERMI_ROW_SUMS
#undef PERMI_SETTINGS
#undef PERMI_SIGNED
#undef PERMI_DOUBLE
#undef PERMI_SPLITS
#undef PERMI_SPREAD
#undef PERMI_START
#undef PERMI_STEP
#undef PERMI_TABLE
#undef PERMI_PASS
#undef PERMI_PASS_SMALL
#undef PERMI_PASS_BLOCK
