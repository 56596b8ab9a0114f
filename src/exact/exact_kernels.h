/* ================================================================================== >>exact_kernels
   Kernels of >>exact. `atom` has four vectors of 4 WIDTH int16 an atom, the first `settings` in use.
     atoms    products of rows below 2^15, int16; 4 or 5 a limb; 1 without rows
     halves   atoms 0 1 (4) and 2 3, below 2^31, int32: PAIRS16 adds products of neighbours, one of them cleared
     limbs    products of halves, |g| <= G < 2^51, the plan's cap: exact doubles
     terms    (prod of the first limbs) (prod of the others), limbs of weights u_k = 2^(51 k), IFMA: 2^(52 k)
   A number is sum_i a_i, its limbs a_i multiples of u_i = 2^(51 i) unit, below 2^52 u_i; round[i] = C_i = 1.5 *
   2^103 u_i. fma(a, g, C_i) = C_i + h and l = fma(a, g, -h) split ag = h + l exactly. A vector of atoms ends as
   four of limbs, the places, lanes 0, 2, 1, 3 modulo 4. Bit q of `negative` turns setting q, place_signs lanes 1
   and 2 modulo 4. Accumulators stay below 2^63 (docs/proofs-rounding.md; tests/proofs/limbs.g,
   tests/proofs/limbs_orders.sh). */

#if defined(PERMI_I) && !defined(PERM_NO_EXACT)
#define PERMI_LANES (4 * PERMI_WIDTH) /* of int16; twice as many bytes */

PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_limb)(const permi_exact *exact, const permi_exact_work *work, int k,
                                                      int q, PERMI_I *limb)
{
  const PERMI_I even = PERMI_I_SET(0xffff), odd = PERMI_I_SET(0xffff0000);
  const int16_t *from = work->atom + (k * PERMI_EXACT_ATOMS * 4 + q) * PERMI_LANES;
  const PERMI_I a = PERMI_I_LOAD(from), b = PERMI_I_LOAD(from + 4 * PERMI_LANES);
  const PERMI_I c = PERMI_I_LOAD(from + 8 * PERMI_LANES), d = PERMI_I_LOAD(from + 12 * PERMI_LANES);
  const PERMI_I f0 = PERMI_I_PAIRS16(c & even, d), f1 = PERMI_I_PAIRS16(c & odd, d);
  PERMI_I e0 = PERMI_I_PAIRS16(a & even, b), e1 = PERMI_I_PAIRS16(a & odd, b);
  if (exact->fifth[k]) {
    const PERMI_I fifth = PERMI_I_LOAD(from + 16 * PERMI_LANES);
    e0 = PERMI_I_MUL32(e0, PERMI_I_PAIRS16(fifth, PERMI_I_SET(1)));
    e1 = PERMI_I_MUL32(e1, PERMI_I_PAIRS16(fifth, PERMI_I_SET(0x10000)));
  }
  limb[0] = PERMI_I_EVEN32(e0, f0);
  limb[1] = PERMI_I_EVEN32(PERMI_I_HIGH32(e0), PERMI_I_HIGH32(f0));
  limb[2] = PERMI_I_EVEN32(e1, f1);
  limb[3] = PERMI_I_EVEN32(PERMI_I_HIGH32(e1), PERMI_I_HIGH32(f1));
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_limb_doubles)(const permi_exact *exact, const permi_exact_work *work,
                                                              int k, int q, double *to)
{
  PERMI_I limb[4];
  PERMI_NAME(exact_limb)(exact, work, k, q, limb);
  PERMI_UNROLL
  for (int place = 0; place < 4; place++)
    PERMI_STORE(to + place * PERMI_WIDTH, PERMI_I_DOUBLES(limb[place]));
}

PERMI_TARGET PERMI_INLINE int PERMI_NAME(exact_sign)(int negative, int place_signs, int q, int place)
{
  return (negative >> q ^ (place_signs & (place ^ place >> 1))) & 1;
}

/* Adds l and h of a g to low and high, or sets these if fresh. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_split)(PERMI_V a, PERMI_V g, PERMI_V c, int fresh_low, PERMI_V *low,
                                                       int fresh_high, PERMI_V *high)
{
  PERMI_V h = PERMI_FMA(a, g, c) - c, l = PERMI_FMS(a, g, h);
  if (!fresh_low)
    l = l + *low;
  if (!fresh_high)
    h = h + *high;
  *low = l;
  *high = h;
}

/* Sets a[0 .. k] = a[0 .. k - 1] g, limbs `apart`; parts of g are four vectors apart. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_times)(PERMI_V *a, int k, const double *g, const double *round,
                                                       int apart, int parts)
{
  const PERMI_V re = PERMI_LOAD(g);
  PERMI_V carry[2];
  carry[0] = carry[1] = PERMI_SET(0);
  PERMI_UNROLL_UP_TO(3)
  for (int i = 0; i < k; i++, a += apart) {
    const PERMI_V c = PERMI_SET(round[i]);
    PERMI_V low[2] = {carry[0], carry[1]};
    PERMI_NAME(exact_split)(a[0], re, c, !i, low, 1, carry);
    if (parts == 2) {
      const PERMI_V im = PERMI_LOAD(g + 4 * PERMI_WIDTH);
      PERMI_NAME(exact_split)(a[1], PERMI_SET(0) - im, c, 0, low, 0, carry);
      PERMI_NAME(exact_split)(a[0], im, c, !i, low + 1, 1, carry + 1);
      PERMI_NAME(exact_split)(a[1], re, c, 0, low + 1, 0, carry + 1);
      a[1] = low[1];
    }
    a[0] = low[0];
  }
  a[0] = carry[0];
  if (parts == 2)
    a[1] = carry[1];
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_sum)(PERMI_I *to, PERMI_V a, PERMI_V b, PERMI_V round, PERMI_V rest)
{
  const PERMI_V high = PERMI_FMA(a, b, round), low = PERMI_FMA(a, b, rest - high);
  to[0] = PERMI_I_ADD64(to[0], PERMI_I_BITS(low));
  to[1] = PERMI_I_ADD64(to[1], PERMI_I_BITS(high));
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_few)(const permi_exact *exact, permi_exact_work *work, int settings,
                                                     int negative, int place_signs, int limbs)
{
  const int first = (limbs + 1) / 2, second = limbs - first;
  const PERMI_V minus = PERMI_SET(-0.0), plus = PERMI_SET(0.0);
  double limb[6 * 4 * PERMI_WIDTH] PERMI_ALIGN64;
  uint64_t *accumulator = work->accumulator[0];
  PERMI_I sum[7];
  int i, j, k, q, place;
  PERMI_UNROLL
  for (k = 0; k <= limbs; k++)
    sum[k] = PERMI_I_LOAD(accumulator + k * PERMI_WIDTH);
  for (q = 0; q < settings; q++) {
    PERMI_UNROLL
    for (k = 0; k < limbs; k++)
      PERMI_NAME(exact_limb_doubles)(exact, work, k, q, limb + k * 4 * PERMI_WIDTH);
    for (place = 0; place < 4; place++) {
      const double *from = limb + place * PERMI_WIDTH, *other = from + first * 4 * PERMI_WIDTH;
      PERMI_V a[3], b[3];
      a[0] = PERMI_XOR(PERMI_LOAD(from), PERMI_NAME(exact_sign)(negative, place_signs, q, place) ? minus : plus);
      b[0] = PERMI_LOAD(other);
      PERMI_EVERY(k, 2, if (k + 1 < first)
                  PERMI_NAME(exact_times)(a, k + 1, from + (k + 1) * 4 * PERMI_WIDTH, exact->round, 1, 1));
      PERMI_EVERY(k, 2, if (k + 1 < second)
                  PERMI_NAME(exact_times)(b, k + 1, other + (k + 1) * 4 * PERMI_WIDTH, exact->round, 1, 1));
      PERMI_UNROLL_UP_TO(3)
      for (i = 0; i < first; i++) {
        PERMI_UNROLL_UP_TO(3)
        for (j = 0; j < second; j++)
          PERMI_NAME(exact_sum)(sum + i + j, a[i], b[j], PERMI_SET(exact->round[i + j]), PERMI_SET(exact->rest[i + j]));
      }
    }
  }
  PERMI_UNROLL
  for (k = 0; k <= limbs; k++)
    PERMI_I_STORE(accumulator + k * PERMI_WIDTH, sum[k]);
}

/* Stores wide limbs of setting q, [limb][part][4]. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_factors)(const permi_exact *exact, const double *x, int q, double *to,
                                                         int parts)
{
  const double *table = exact->wide_table + q * exact->wide_entries * 4 * PERMI_WIDTH;
  for (int k = 0; k < exact->limbs - exact->narrow; k++, to += 4 * parts * PERMI_WIDTH) {
    const int rows = exact->atom_rows[(exact->narrow + k) * PERMI_EXACT_ATOMS];
    PERMI_V product[4][2];
    PERMI_UNROLL
    for (int place = 0; place < 4; place++) {
      product[place][0] = PERMI_SET(1);
      product[place][1] = PERMI_SET(0);
    }
    for (int i = 0; i < rows; i++, table += 4 * parts * PERMI_WIDTH, x += parts) {
      const PERMI_V re = PERMI_SET(x[0]), im = PERMI_SET(parts == 2 ? x[1] : 0);
      PERMI_UNROLL
      for (int place = 0; place < 4; place++) {
        const PERMI_V y = re + PERMI_LOAD(table + place * PERMI_WIDTH);
        if (parts == 1) {
          product[place][0] = product[place][0] * y;
        } else {
          const PERMI_V z = im + PERMI_LOAD(table + (4 + place) * PERMI_WIDTH), was = product[place][0];
          const PERMI_V cross = product[place][1] * z, other = product[place][1] * y; /* integers below 2^51 */
          product[place][0] = PERMI_FMS(was, y, cross);
          product[place][1] = PERMI_FMA(was, z, other);
        }
      }
    }
    PERMI_UNROLL
    for (int place = 0; place < 4; place++) {
      PERMI_STORE(to + place * PERMI_WIDTH, product[place][0]);
      if (parts == 2)
        PERMI_STORE(to + (4 + place) * PERMI_WIDTH, product[place][1]);
    }
  }
}

/* Multiplies one half; Gaussian limbs are carried to at most 2^50. */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_half)(PERMI_V *a, const double *limb, int limbs, const double *round,
                                                      int parts)
{
  for (int k = 1; k < limbs; k++) {
    PERMI_UNROLL
    for (int place = 0; place < 4; place++)
      PERMI_NAME(exact_times)(a + parts * place, k, limb + (k * 4 * parts + place) * PERMI_WIDTH, round, 4 * parts,
                              parts);
  }
  for (int k = 0; parts == 2 && k + 1 < limbs; k++)
    for (int v = 0; v < 8; v++, a++) {
      const PERMI_V c = PERMI_SET(round[k]), sum = *a + c, high = sum - c;
      *a = *a - high;
      a[8] = a[8] + high;
    }
}

/* Evaluates any limbs; Gaussian planes are re re', im im', (re + im)(re' + im'). */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_any)(const permi_exact *exact, permi_exact_work *work, int settings,
                                                     int negative, int place_signs, int parts)
{
  const int limbs = exact->limbs, first = (limbs + 1) / 2, second = limbs - first;
  const int many = 4 * parts, planes = 2 * parts - 1;
  double *limb = work->limb, *other = limb + first * many * PERMI_WIDTH;
  PERMI_V *a = (PERMI_V *)(void *)work->first, *b = (PERMI_V *)(void *)work->second;
  PERMI_V *a_sum = a + 8 * PERMI_EXACT_HALF, *b_sum = b + 8 * PERMI_EXACT_HALF;
  PERMI_I sum[3][PERMI_EXACT_LIMBS + 1];
  for (int plane = 0; plane < planes; plane++)
    for (int k = 0; k <= limbs; k++)
      sum[plane][k] = PERMI_I_LOAD(work->accumulator[plane] + k * PERMI_WIDTH);
  for (int q = 0; q < settings; q++) {
    for (int k = 0; k < exact->narrow; k++)
      PERMI_NAME(exact_limb_doubles)(exact, work, k, q, limb + k * 4 * PERMI_WIDTH);
    PERMI_NAME(exact_factors)(exact, work->x, q, limb + exact->narrow * many * PERMI_WIDTH, parts);
    for (int place = 0; place < 4; place++) {
      const int sign = PERMI_NAME(exact_sign)(negative, place_signs, q, place);
      for (int part = 0; part < parts; part++) {
        a[parts * place + part] =
            PERMI_LOAD(limb + (4 * part + place) * PERMI_WIDTH) * PERMI_SET(sign ? -exact->unit : exact->unit);
        b[parts * place + part] = PERMI_LOAD(other + (4 * part + place) * PERMI_WIDTH);
      }
    }
    PERMI_NAME(exact_half)(a, limb, first, exact->round, parts);
    PERMI_NAME(exact_half)(b, other, second, exact->second, parts);
    for (int k = 0; parts == 2 && k < 4 * first; k++)
      a_sum[k] = a[2 * k] + a[2 * k + 1];
    for (int k = 0; parts == 2 && k < 4 * second; k++)
      b_sum[k] = b[2 * k] + b[2 * k + 1];
    for (int plane = 0; plane < planes; plane++) {
      const int apart = plane == 2 ? 1 : parts;
      const PERMI_V *x = plane == 2 ? a_sum : a + plane, *y = plane == 2 ? b_sum : b + plane;
      for (int i = 0; i < first; i++)
        for (int j = 0; j < second; j++) {
          const PERMI_V round = PERMI_SET(exact->round[i + j]), rest = PERMI_SET(exact->rest[i + j]);
          PERMI_UNROLL
          for (int place = 0; place < 4; place++)
            PERMI_NAME(exact_sum)(sum[plane] + i + j, x[apart * (4 * i + place)], y[apart * (4 * j + place)], round,
                                  rest);
        }
    }
  }
  for (int plane = 0; plane < planes; plane++)
    for (int k = 0; k <= limbs; k++)
      PERMI_I_STORE(work->accumulator[plane] + k * PERMI_WIDTH, sum[plane][k]);
}

#if PERMI_WIDTH == 8
#define PERMI_IFMA __attribute__((target("avx512f,avx512dq,avx512bw,popcnt,avx512ifma")))
/* Sets a[0 .. k] = a[0 .. k - 1] a[k], k <= most. */
PERMI_IFMA PERMI_INLINE void permi_ifma_times(__m512i *a, int k, int most)
{
  const __m512i g = a[k], zero = _mm512_setzero_si512();
  __m512i above = zero, carry = zero;
  PERMI_UNROLL
  for (int i = 0; i < most; i++) {
    if (i < k) {
      const __m512i at = _mm512_add_epi64(_mm512_madd52lo_epu64(above, a[i], g), carry);
      above = _mm512_madd52hi_epu64(zero, a[i], g);
      carry = _mm512_srli_epi64(at, 52);
      a[i] = at;
    }
  }
  a[k] = _mm512_add_epi64(above, carry);
}

PERMI_IFMA PERMI_INLINE void permi_ifma_few(const permi_exact *exact, permi_exact_work *work, int settings,
                                            int negative, int place_signs, int limbs)
{
  const int first = (limbs + 1) / 2;
  __m512i limb[6][4], sum[7];
  uint64_t *accumulator = work->accumulator[0];
  int i, j, k, q, place;
  PERMI_UNROLL
  for (k = 0; k <= limbs; k++)
    sum[k] = PERMI_I_LOAD(accumulator + k * PERMI_WIDTH);
  for (q = 0; q < settings; q++) {
    PERMI_UNROLL
    for (k = 0; k < limbs; k++)
      permi_exact_limb_avx512(exact, work, k, q, limb[k]);
    for (place = 0; place < 4; place++) {
      __m512i sign = _mm512_set1_epi64(permi_exact_sign_avx512(negative, place_signs, q, place) ? -1 : 0);
      __m512i magnitude[6], term[6];
      PERMI_UNROLL
      for (k = 0; k < limbs; k++) {
        const __m512i g = limb[k][place];
        sign = _mm512_xor_si512(sign, g);
        magnitude[k] = _mm512_abs_epi64(g);
        term[k] = _mm512_setzero_si512();
      }
      PERMI_EVERY(k, 2, if (k + 1 < first) permi_ifma_times(magnitude, k + 1, first));
      PERMI_EVERY(k, 2, if (k + 1 < limbs - first) permi_ifma_times(magnitude + first, k + 1, first));
      PERMI_UNROLL
      for (i = 0; i < first; i++) {
        PERMI_UNROLL
        for (j = first; j < limbs; j++) {
          const int to = i + j - first;
          term[to] = _mm512_madd52lo_epu64(term[to], magnitude[i], magnitude[j]);
          term[to + 1] = _mm512_madd52hi_epu64(term[to + 1], magnitude[i], magnitude[j]);
        }
      }
      sign = _mm512_srai_epi64(sign, 63);
      PERMI_UNROLL
      for (k = 0; k < limbs; k++)
        sum[k] = _mm512_add_epi64(sum[k], _mm512_sub_epi64(_mm512_xor_si512(term[k], sign), sign));
    }
  }
  PERMI_UNROLL
  for (k = 0; k <= limbs; k++)
    PERMI_I_STORE(accumulator + k * PERMI_WIDTH, sum[k]);
}
#endif

#define PERMI_INSTANCE(name, target, few, limbs)                                                                       \
  target static void PERMI_NAME(name)(const permi_exact *exact, permi_exact_work *work, int settings, int negative,    \
                                      int place_signs)                                                                 \
  { few(exact, work, settings, negative, place_signs, limbs); }
PERMI_INSTANCE(exact_many, PERMI_TARGET, PERMI_NAME(exact_any), 1)
PERMI_INSTANCE(gaussian_many, PERMI_TARGET, PERMI_NAME(exact_any), 2)
PERMI_INSTANCE(exact_2, PERMI_TARGET, PERMI_NAME(exact_few), 2)
PERMI_INSTANCE(exact_3, PERMI_TARGET, PERMI_NAME(exact_few), 3)
PERMI_INSTANCE(exact_4, PERMI_TARGET, PERMI_NAME(exact_few), 4)
PERMI_INSTANCE(exact_5, PERMI_TARGET, PERMI_NAME(exact_few), 5)
PERMI_INSTANCE(exact_6, PERMI_TARGET, PERMI_NAME(exact_few), 6)
#if PERMI_WIDTH == 8
PERMI_INSTANCE(ifma_2, PERMI_IFMA, permi_ifma_few, 2)
PERMI_INSTANCE(ifma_3, PERMI_IFMA, permi_ifma_few, 3)
PERMI_INSTANCE(ifma_4, PERMI_IFMA, permi_ifma_few, 4)
PERMI_INSTANCE(ifma_5, PERMI_IFMA, permi_ifma_few, 5)
PERMI_INSTANCE(ifma_6, PERMI_IFMA, permi_ifma_few, 6)
#endif
#undef PERMI_INSTANCE
#undef PERMI_IFMA

PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_step)(uint32_t *x, const uint32_t *step, int padded, int minus,
                                                      int bytes)
{
  for (int i = 0; i < padded; i += 2 * PERMI_WIDTH) {
    const PERMI_I a = PERMI_I_LOAD(x + i), b = PERMI_I_LOAD(step + i);
    if (bytes == 1)
      PERMI_I_STORE(x + i, minus ? PERMI_I_SUB8(a, b) : PERMI_I_ADD8(a, b));
    else
      PERMI_I_STORE(x + i, minus ? PERMI_I_SUB16(a, b) : PERMI_I_ADD16(a, b));
  }
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(exact_move)(const permi_exact *exact, int j, int minus, uint32_t *x,
                                                      double *wide_x)
{
  const double *step = exact->wide_step + j * exact->wide_padded;
  PERMI_NAME(exact_step)(x, exact->step + j * exact->padded, exact->padded, minus, 2);
  for (int i = 0; i < exact->wide_padded; i += PERMI_WIDTH) {
    const PERMI_V a = PERMI_LOAD(wide_x + i), b = PERMI_LOAD(step + i);
    PERMI_STORE(wide_x + i, minus ? a - b : a + b);
  }
}

/* Makes room for `settings` more; moves what is there to *total. */
PERMI_TARGET static void PERMI_NAME(exact_room)(const permi_exact *exact, int settings, int lane_signs, int *used,
                                                permi_exact_work *work, permi_exact_total *total)
{
  if (*used + settings <= exact->settings)
    return;
  for (int plane = 0; plane < 2 * exact->parts - 1; plane++)
    for (int k = 0; k <= exact->limbs; k++)
      permi_exact_empty(work->accumulator[plane] + k * PERMI_WIDTH, PERMI_WIDTH, lane_signs,
                        4 * (uint64_t)*used * exact->bias[k], &total->plane[plane][k]);
  memset(work->accumulator, 0, sizeof work->accumulator);
  *used = 0;
}

PERMI_TARGET static void PERMI_NAME(exact_all)(const permi_exact *exact, uint64_t chunk, permi_exact_work *work,
                                               permi_exact_total *total)
{
  const int atoms = exact->narrow * PERMI_EXACT_ATOMS;
  int16_t *atom = work->atom;
  double *wide_x = work->x;
  uint32_t x[PERM_MAX_N] PERMI_ALIGN64;
  uint64_t s = chunk << exact->chunk_log2, last = s + (UINT64_C(1) << exact->chunk_log2);
  int i, j, k, q, used = 0;
  memcpy(x, exact->start, (size_t)exact->padded * sizeof *x);
  memset(wide_x, 0, (size_t)exact->wide_padded * sizeof *wide_x);
  for (j = 0; j < exact->outer; j++)
    if ((s ^ s >> 1) >> j & 1)
      PERMI_NAME(exact_move)(exact, j, 1, x, wide_x);
  for (k = 0; k < 4 * atoms * PERMI_LANES; k++)
    atom[k] = 1;
  memset(work->accumulator, 0, sizeof work->accumulator);
  for (;;) {
    const int16_t *table = exact->table;
    const uint32_t *row_sum = x;
    for (k = 0; k < atoms; k++) {
      const int rows = exact->atom_rows[k];
      int16_t *to = atom + k * 4 * PERMI_LANES;
      if (rows) {
        PERMI_I p[4], y = PERMI_I_SET(*row_sum++);
        PERMI_EVERY(q, 4, p[q] = PERMI_I_ADD16(y, PERMI_I_LOAD(table + q * PERMI_LANES)));
        for (i = 1, table += 4 * PERMI_LANES; i < rows; i++, table += 4 * PERMI_LANES) {
          y = PERMI_I_SET(*row_sum++);
          PERMI_EVERY(q, 4, p[q] = PERMI_I_MUL16(p[q], PERMI_I_ADD16(y, PERMI_I_LOAD(table + q * PERMI_LANES))));
        }
        PERMI_EVERY(q, 4, PERMI_I_STORE(to + q * PERMI_LANES, p[q]));
      }
    }
    PERMI_NAME(exact_room)(exact, 4, 1, &used, work, total);
    exact->evaluate(exact, work, 4, s & 1 ? 9 : 6, 1); /* settings 1 and 2 have one minus */
    used += 4;
    if (++s == last)
      break;
    j = permi_trailing_zeros(s);
    PERMI_NAME(exact_move)(exact, j, (int)((s ^ s >> 1) >> j & 1), x, wide_x);
  }
  PERMI_NAME(exact_room)(exact, exact->settings + 1, 1, &used, work, total);
  PERMI_LEAVE();
}

/* Sums sign vectors without a zero row, for norms <= 127. A step has 2^6 settings, two columns from a table and four in
   Gray order, each a vector of int8 sums. A term vanishes where the least unsigned sum over even rows is 0. Survivors
   are listed by lane and setting, whose bits choose three bytes, from tables of 16, for each row's sum. */
PERMI_TARGET static void PERMI_NAME(exact_skip)(const permi_exact *exact, uint64_t chunk, permi_exact_work *work,
                                                permi_exact_total *total)
{
  const int atoms = exact->narrow * PERMI_EXACT_ATOMS, bytes = 2 * PERMI_LANES;
  const int shift = PERMI_WIDTH / 4;
  const PERMI_I low = PERMI_I_SET(0x0f0f0f0f), high = PERMI_I_SET((15 << shift & 15) * 0x01010101);
  int16_t *atom = work->atom;
  uint32_t x[PERM_MAX_N] PERMI_ALIGN64, y[PERM_MAX_N] PERMI_ALIGN64;
  uint8_t first[16 * PERM_MAX_N] PERMI_ALIGN64, *lane = work->lane, *setting = work->setting;
  uint64_t s = chunk << exact->chunk_log2, last = s + (UINT64_C(1) << exact->chunk_log2), outer;
  int i, j, k, q, used = 0;
  memcpy(x, exact->start, (size_t)exact->padded * sizeof *x);
  for (j = 0; j < exact->outer; j++)
    if ((s ^ s >> 1) >> j & 1)
      PERMI_NAME(exact_step)(x, exact->step + j * exact->padded, exact->padded, 1, 1);
  for (k = 0; k < 4 * atoms * PERMI_LANES; k++)
    atom[k] = 1;
  memset(work->accumulator, 0, sizeof work->accumulator);
  for (outer = s;;) {
    const PERMI_I parity = PERMI_I_TABLE(exact->parity + 16 * (outer & 1));
    int survivors = 0, done;
    memcpy(y, x, (size_t)exact->padded * sizeof *y);
    for (s = 0;;) {
      const uint8_t *table = exact->lane_bytes;
      PERMI_I least[4];
      uint64_t mask[4];
      PERMI_EVERY(q, 4, least[q] = PERMI_I_SET(-1));
      for (k = 0; k < exact->even_rows; k++, table += 4 * bytes) {
        const PERMI_I sum = PERMI_I_SET(y[exact->even_row[k]]);
        PERMI_EVERY(q, 4, least[q] = PERMI_I_LEAST8(least[q], PERMI_I_ADD8(sum, PERMI_I_LOAD(table + q * bytes))));
      }
      PERMI_EVERY(q, 4, mask[q] = PERMI_I_NONZERO8(least[q]));
      for (k = 0; k < 4; k++) {
        uint64_t left = mask[k];
        uint8_t *to = lane + survivors;
        PERMI_I_STORE_ANY(setting + survivors, PERMI_I_SET(((uint32_t)(s ^ s >> 1) * 4 + (uint32_t)k) * 0x01010101u));
        survivors += __builtin_popcountll(left);
        for (; left; to += 8) { /* always eight: easier to predict */
          PERMI_UNROLL
          for (i = 0; i < 8; i++, left &= left - 1)
            to[i] = (uint8_t)__builtin_ctzll(left | UINT64_C(1) << 63);
        }
      }
      if (++s == 16)
        break;
      j = permi_trailing_zeros(s);
      PERMI_NAME(exact_step)(y, exact->setting_step + j * exact->padded, exact->padded,
                             (int)((s ^ s >> 1) >> j & 1), 1);
    }
    for (k = 0; k < exact->n; k++)
      permi_exact_nibbles(exact->nibbles + 48 * k, x[k], first + 16 * k);
    for (done = 0; done < survivors; done += bytes) {
      const PERMI_I where = PERMI_I_LOAD_ANY(lane + done), what = PERMI_I_LOAD_ANY(setting + done);
      const PERMI_I b0 = where & low, b2 = PERMI_I_SHR16(what, 4 - shift) & low;
      const PERMI_I b1 = (PERMI_I_SHR16(where, 4) & low) | (PERMI_I_SHL16(what, shift) & high);
      const PERMI_I sign = PERMI_I_LOOKUP(parity, b0 ^ b1 ^ b2);
      const int rest = survivors - done < bytes ? survivors - done : bytes;
      const uint8_t *nibbles = exact->nibbles, *with_first = first;
      for (k = 0; k < atoms; k++) {
        const int rows = exact->atom_rows[k];
        PERMI_I p0 = low, p1 = low;
        for (i = 0; i < rows; i++, nibbles += 48, with_first += 16) {
          PERMI_I z = PERMI_I_ADD8(PERMI_I_LOOKUP(PERMI_I_TABLE(with_first), b0),
                                   PERMI_I_ADD8(PERMI_I_LOOKUP(PERMI_I_TABLE(nibbles + 16), b1),
                                                PERMI_I_LOOKUP(PERMI_I_TABLE(nibbles + 32), b2)));
          if (with_first == first) /* it has the sign, 0 beyond the lists */
            z = PERMI_I_SUB8(z ^ sign, sign) & PERMI_I_LOAD_ANY(exact->ends + 64 - rest);
          PERMI_I even = PERMI_I_SAR16(PERMI_I_SHL16(z, 8), 8);
          z = PERMI_I_SAR16(z, 8);
          p0 = i ? PERMI_I_MUL16(p0, even) : even;
          p1 = i ? PERMI_I_MUL16(p1, z) : z;
        }
        if (rows) {
          PERMI_I_STORE(atom + k * 4 * PERMI_LANES, p0);
          PERMI_I_STORE(atom + (k * 4 + 1) * PERMI_LANES, p1);
        }
      }
      PERMI_NAME(exact_room)(exact, 2, 0, &used, work, total);
      exact->evaluate(exact, work, 2, 0, 0);
      used += 2;
    }
    s = ++outer;
    if (s == last)
      break;
    j = permi_trailing_zeros(s);
    PERMI_NAME(exact_step)(x, exact->step + j * exact->padded, exact->padded, (int)((s ^ s >> 1) >> j & 1), 1);
  }
  PERMI_NAME(exact_room)(exact, exact->settings + 1, 0, &used, work, total);
  PERMI_LEAVE();
}
#undef PERMI_LANES
#endif
/* SPDX-License-Identifier: MIT */
