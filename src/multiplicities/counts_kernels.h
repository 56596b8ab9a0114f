/* ================================================================================= >>counts_kernels
   For >>subsets and >>sign_sums. AVX-512 uses those of AVX2, NEON those of plain C, which multiply in their own
   order. */

#if PERMI_WIDTH == 4 || PERMI_WIDTH == 1
/* Adds sum_k weight[k] from[k]; four vectors overlap. */
PERMI_TARGET static void PERMI_NAME(add_scaled)(double *to, const double *const *from, const double *weight, int count,
                                                int n)
{
  int x = 0, k, j;
  for (; x + 4 * PERMI_WIDTH <= n; x += 4 * PERMI_WIDTH) {
    PERMI_V sum[4];
    PERMI_UNROLL
    for (j = 0; j < 4; j++)
      sum[j] = PERMI_LOAD_ANY(to + x + j * PERMI_WIDTH);
    for (k = 0; k < count; k++) {
      const PERMI_V all = PERMI_SET(weight[k]);
      const double *other = from[k] + x;
      PERMI_UNROLL
      for (j = 0; j < 4; j++)
        sum[j] = PERMI_FMA(all, PERMI_LOAD_ANY(other + j * PERMI_WIDTH), sum[j]);
    }
    PERMI_UNROLL
    for (j = 0; j < 4; j++)
      PERMI_STORE_ANY(to + x + j * PERMI_WIDTH, sum[j]);
  }
  for (; x < n; x++)
    for (k = 0; k < count; k++)
      to[x] = PERMI_WIDTH > 1 ? fma(weight[k], from[k][x], to[x]) : weight[k] * from[k][x] + to[x];
}

PERMI_TARGET static void PERMI_NAME(add_weighted)(double *to, const double *from, const double *weight, int n)
{
  int x;
  for (x = 0; x + PERMI_WIDTH <= n; x += PERMI_WIDTH)
    PERMI_STORE_ANY(to + x,
                    PERMI_FMA(PERMI_LOAD_ANY(weight + x), PERMI_LOAD_ANY(from + x), PERMI_LOAD_ANY(to + x)));
  for (; PERMI_WIDTH > 1 && x < n; x++)
    to[x] = fma(weight[x], from[x], to[x]);
}

PERMI_TARGET static void PERMI_NAME(store_states)(double *to, const double *from, int n, double *most, double *least)
{
  const PERMI_V infinite = PERMI_SET((double)INFINITY);
  PERMI_V large = PERMI_SET(0.0), lesser = infinite;
  double largest[PERMI_WIDTH], smallest[PERMI_WIDTH];
  int x, k;
  for (x = 0; x + PERMI_WIDTH <= n; x += PERMI_WIDTH) {
    const PERMI_V state = PERMI_LOAD_ANY(from + x), size = PERMI_ABS(state);
    PERMI_STORE_ANY(to + x, state);
    large = PERMI_GREATER(large, size);
    lesser = PERMI_LESSER(PERMI_UNLESS_ZERO(size, infinite), lesser);
  }
  PERMI_STORE_ANY(largest, large);
  PERMI_STORE_ANY(smallest, lesser);
  for (k = 0; k < PERMI_WIDTH; k++) {
    *most = largest[k] > *most ? largest[k] : *most;
    *least = smallest[k] < *least ? smallest[k] : *least;
  }
  for (; PERMI_WIDTH > 1 && x < n; x++) {
    to[x] = from[x];
    permi_size_seen(fabs(from[x]), most, least);
  }
}

/* Adds `times` a digit's entries exactly; form: high + low. */
PERMI_TARGET static void PERMI_NAME(move_forms)(int rows, double times, const double *high_step,
                                                const double *low_step, double *high, double *low, double *form,
                                                int apart)
{
  const PERMI_V all = PERMI_SET(times);
  int f, k;
  for (f = 0; f + PERMI_WIDTH <= rows; f += PERMI_WIDTH) {
    const PERMI_V h = PERMI_FMA(all, PERMI_LOAD_ANY(high_step + f), PERMI_LOAD_ANY(high + f));
    const PERMI_V l = PERMI_FMA(all, PERMI_LOAD_ANY(low_step + f), PERMI_LOAD_ANY(low + f));
    const PERMI_V sum = h + l;
    PERMI_STORE_ANY(high + f, h);
    PERMI_STORE_ANY(low + f, l);
    PERMI_UNROLL
    for (k = 0; k < PERMI_WIDTH; k++)
      form[(f + k) * apart] = PERMI_ELEMENT(sum, k);
  }
  for (; PERMI_WIDTH > 1 && f < rows; f++) {
    high[f] += times * high_step[f];
    low[f] += times * low_step[f];
    form[f * apart] = high[f] + low[f];
  }
}

/* Multiplies *re (+ i *im) by powers of forms, whose parts are PERMI_TERMS apart. */
#if PERMI_WIDTH > 1
/* Squaring rounds no more often than copies. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(multiply_forms)(int forms, const int *count, const double *form,
                                                          const double *other, PERMI_V *re, PERMI_V *im, int parts)
{
  for (int f = 0; f < forms; f++) {
    PERMI_V u = PERMI_LOAD_ANY(form + f * PERMI_TERMS), v = u;
    if (parts == 1) {
      for (int k = count[f]; k > 1; k /= 2) {
        if (k & 1)
          *re = *re * u;
        u = u * u;
      }
      *re = *re * u;
      continue;
    }
    v = PERMI_LOAD_ANY(other + f * PERMI_TERMS);
    for (int k = count[f]; k > 1; k /= 2) {
      const PERMI_V twice = u + u;
      if (k & 1)
        PERMI_NAME(multiply_by)(re, im, u, v);
      u = PERMI_FMS(u, u, v * v);
      v = twice * v;
    }
    PERMI_NAME(multiply_by)(re, im, u, v);
  }
}
#else
/* The same into two products, which overlap. */
PERMI_INLINE void PERMI_NAME(multiply_forms)(int forms, const int *count, const double *form, const double *other,
                                             double *re, double *im, int parts)
{
  double even = *re, odd = 1;
  for (int f = 0; f < forms && parts == 1; f++) {
    double power = form[f * PERMI_TERMS], product = 1;
    for (int k = count[f]; k > 1; k /= 2) {
      product *= k & 1 ? power : 1;
      power *= power;
    }
    product = even * (power * product);
    even = odd;
    odd = product;
  }
  if (parts == 1)
    *re = even * odd;
  for (int f = 0; f < forms && parts == 2; f++)
    for (int k = 0; k < count[f]; k++)
      PERMI_NAME(multiply_by)(re, im, form[f * PERMI_TERMS], other[f * PERMI_TERMS]);
}
#endif

PERMI_TARGET PERMI_INLINE void PERMI_NAME(add_products)(int forms, const int *count, const double *form,
                                                        const double *weight, permi_lane_sums *sums, int parts)
{
  for (int lane = 0; lane < PERMI_TERMS; lane += PERMI_WIDTH) {
    PERMI_V term[2], absolute = PERMI_LOAD_ANY(sums->absolute + lane);
    term[0] = PERMI_LOAD_ANY(weight + lane);
    term[1] = PERMI_SET(0.0);
    PERMI_NAME(multiply_forms)(forms, count, form + lane, form + forms * PERMI_TERMS + lane, &term[0], &term[1], parts);
    for (int part = 0; part < parts; part++) { /* as permi_dd_add_double */
      PERMI_V error;
      const PERMI_V sum = PERMI_NAME(vector_two_sum)(PERMI_LOAD_ANY(sums->hi[part] + lane), term[part], &error);
      const PERMI_V low = error + PERMI_LOAD_ANY(sums->lo[part] + lane);
      PERMI_STORE_ANY(sums->hi[part] + lane, PERMI_NAME(vector_fast_two_sum)(sum, low, &error));
      PERMI_STORE_ANY(sums->lo[part] + lane, error);
    }
    if (parts == 1)
      absolute = absolute + PERMI_ABS(term[0]);
    else if (PERMI_WIDTH == 1)
      absolute = absolute + PERMI_ABS_SUM(term[0], term[1]);
    else
      absolute = absolute + PERMI_ABS(term[0]) + PERMI_ABS(term[1]);
    PERMI_STORE_ANY(sums->absolute + lane, absolute);
  }
}

PERMI_TARGET static void PERMI_NAME(add_products_real)(int forms, const int *count, const double *form,
                                                       const double *weight, permi_lane_sums *sums)
{
  PERMI_NAME(add_products)(forms, count, form, weight, sums, 1);
}

PERMI_TARGET static void PERMI_NAME(add_products_complex)(int forms, const int *count, const double *form,
                                                          const double *weight, permi_lane_sums *sums)
{
  PERMI_NAME(add_products)(forms, count, form, weight, sums, 2);
}

/* Adds a form, x (+ iy), to PERMI_SETS sets e (+ if), lanes adjacent: e_k += x e_(k-1) for k from `most` down to
   `least`. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(symmetric)(const double *x, const double *y, double *e, double *f, int most,
                                                     int least, int parts)
{
  PERMI_V real[PERMI_SETS / PERMI_WIDTH], imaginary[PERMI_SETS / PERMI_WIDTH];
  PERMI_UNROLL
  for (int lane = 0; lane < PERMI_SETS / PERMI_WIDTH; lane++) {
    real[lane] = PERMI_LOAD_ANY(x + lane * PERMI_WIDTH);
    imaginary[lane] = PERMI_LOAD_ANY(y + lane * PERMI_WIDTH);
  }
  for (int k = most * PERMI_SETS; k >= least * PERMI_SETS; k -= PERMI_SETS) {
    PERMI_UNROLL
    for (int lane = 0; lane < PERMI_SETS / PERMI_WIDTH; lane++) {
      const int at = k + lane * PERMI_WIDTH;
      const PERMI_V a = real[lane], b = imaginary[lane], re = PERMI_LOAD_ANY(e + at - PERMI_SETS);
      PERMI_V sum = PERMI_LOAD_ANY(e + at), im, other;
      if (parts == 1) {
        PERMI_STORE_ANY(e + at, PERMI_FMA(a, re, sum));
        continue;
      }
      im = PERMI_LOAD_ANY(f + at - PERMI_SETS);
      other = PERMI_LOAD_ANY(f + at);
      if (PERMI_WIDTH == 1) {
        sum = sum + PERMI_FMS(a, re, b * im);
        other = other + PERMI_FMA(a, im, b * re);
      } else {
        sum = PERMI_FNMA(b, im, PERMI_FMA(a, re, sum));
        other = PERMI_FMA(b, re, PERMI_FMA(a, im, other));
      }
      PERMI_STORE_ANY(e + at, sum);
      PERMI_STORE_ANY(f + at, other);
    }
  }
}

PERMI_TARGET static void PERMI_NAME(symmetric_real)(const double *x, double *e, int most, int least)
{
  PERMI_NAME(symmetric)(x, x, e, e, most, least, 1);
}

PERMI_TARGET static void PERMI_NAME(symmetric_complex)(const double *x, const double *y, double *e, double *f,
                                                       int most, int least)
{
  PERMI_NAME(symmetric)(x, y, e, f, most, least, 2);
}

static const permi_counts_kernels PERMI_NAME(counts_kernels_real) = {
    PERMI_NAME(add_scaled), PERMI_NAME(add_weighted),      PERMI_NAME(store_states),
    PERMI_NAME(move_forms), PERMI_NAME(add_products_real), PERMI_NAME(symmetric_real),
    NULL};
static const permi_counts_kernels PERMI_NAME(counts_kernels_complex) = {
    PERMI_NAME(add_scaled), PERMI_NAME(add_weighted),         PERMI_NAME(store_states),
    PERMI_NAME(move_forms), PERMI_NAME(add_products_complex), PERMI_NAME(symmetric_real),
    PERMI_NAME(symmetric_complex)};
#endif
/* SPDX-License-Identifier: MIT */
