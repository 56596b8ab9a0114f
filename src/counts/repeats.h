/* ======================================================================================== >>repeats
   Sums over numbers v_d = 0 .. c_d of copies of each digit, in n-ary reflected Gray order:
     Glynn [Gly10, CH18]  2^-M sum_v prod_d (-1)^v_d binom(c_d, v_d) F(sum_d (c_d - 2 v_d) a_fd)
     Ryser [Rys63]        sum_v (-1)^(M-k) binom(N-k, M-k) prod_d binom(c_d, v_d) F(sum_d v_d a_fd), k = sum_d v_d <= M
   F is the product of the forms with their counts, or, where Glynn's digits are the M rows and the forms the N > M
   columns, the elementary symmetric function e_M of them. v -> c - v leaves Glynn's terms as they are, so the last
   digit takes only v <= c/2, doubled but for v = c/2 itself. Weights are scaled by 2^-c_d.
   Row sums are exact wherever a walk starts: entries are split into two parts on two grids, as in PERM_FORM_SPLIT of
   >>dense; integers have 128 bits. */
#pragma once
#include "../dense/kernels.h"
#include "subsets.h"

typedef struct permi_nary {
  int v[PERMI_MOST_DIGITS], up[PERMI_MOST_DIGITS]; /* up: 1 or -1, where the digit goes next */
  int total, digit;                                /* sum of v; the digit that moved last */
  uint64_t left;                                   /* terms still to come */
} permi_nary;

/* Chunk c of n terms in 2^k chunks: boundaries as even as can be. */
static uint64_t permi_nary_begin(const permi_counts *counts, uint64_t chunk)
{
  const uint64_t size = counts->terms / counts->chunks, rest = counts->terms % counts->chunks;
  return chunk * size + (chunk < rest ? chunk : rest);
}

PERMI_NEVER_INLINE static void permi_nary_start(const permi_counts *counts, uint64_t chunk, permi_nary *walk)
{
  uint64_t s = permi_nary_begin(counts, chunk);
  int d;
  walk->left = permi_nary_begin(counts, chunk + 1) - s;
  walk->total = 0;
  walk->digit = counts->digits - 1;
  for (d = 0; d < counts->digits; d++) {
    const uint64_t radix = (uint64_t)counts->radix[d];
    const int plain = (int)(s % radix);
    s /= radix;
    walk->up[d] = s & 1 ? -1 : 1; /* every turn of the higher digits turns this one round */
    walk->v[d] = s & 1 ? counts->radix[d] - 1 - plain : plain;
    walk->total += walk->v[d];
  }
}

/* To the next term; 0 when all are done. */
static int permi_nary_next(const permi_counts *counts, permi_nary *walk)
{
  int d;
  if (!--walk->left)
    return 0;
  for (d = 0; walk->v[d] + walk->up[d] < 0 || walk->v[d] + walk->up[d] == counts->radix[d]; d++)
    walk->up[d] = -walk->up[d];
  walk->v[d] += walk->up[d];
  walk->total += walk->up[d];
  walk->digit = d;
  return 1;
}

/* How often a form has digit d. */
static int permi_nary_times(const permi_counts *counts, const permi_nary *walk, int d)
{
  return counts->ryser ? walk->v[d] : counts->digit_count[d] - 2 * walk->v[d];
}

static int permi_nary_negative(const permi_counts *counts, const permi_nary *walk)
{
  return (counts->ryser ? counts->needed - walk->total : walk->total) & 1;
}

#define PERMI_TERMS 8 /* products at once: with AVX2 in 1/2.7 of their time one by one, where each factor waits */

/* term := weight times the product of the forms, PERMI_TERMS apart. Returns its modulus, parts added. */
PERMI_NEVER_INLINE static double permi_nary_product(const permi_counts *counts, const double *form, double weight,
                                                    double *term)
{
  const double *other = form + counts->forms * PERMI_TERMS;
  double even = weight, odd = 1, im = 0;
  int f, k;
  if (counts->parts == 1) {
    for (f = 0; f < counts->forms; f++) {
      double power = form[f * PERMI_TERMS], product = 1;
      for (k = counts->form_count[f]; k > 1; k /= 2) {
        product *= k & 1 ? power : 1;
        power *= power;
      }
      power *= product;
      product = even * power; /* in turn, so that two chains overlap */
      even = odd;
      odd = product;
    }
    term[0] = even * odd;
    return fabs(term[0]);
  }
  for (f = 0; f < counts->forms; f++)
    for (k = 0; k < counts->form_count[f]; k++) {
      const double re = even * form[f * PERMI_TERMS] - im * other[f * PERMI_TERMS];
      im = even * other[f * PERMI_TERMS] + im * form[f * PERMI_TERMS];
      even = re;
    }
  term[0] = even;
  term[1] = im;
  return fabs(even) + fabs(im);
}

/* Sums of terms, lane by lane, as hi + lo, and of their moduli. */
typedef struct permi_lane_sums {
  double hi[2][PERMI_TERMS], lo[2][PERMI_TERMS], absolute[PERMI_TERMS];
} permi_lane_sums;

static void permi_lane_add(permi_lane_sums *sums, int part, int lane, double term)
{
  permi_dd sum;
  sum.hi = sums->hi[part][lane];
  sum.lo = sums->lo[part][lane];
  sum = permi_dd_add_double(sum, term);
  sums->hi[part][lane] = sum.hi;
  sums->lo[part][lane] = sum.lo;
}

static void permi_nary_products(const permi_counts *counts, const double *form, const double *weight,
                                permi_lane_sums *sums)
{
  int lane, part;
  for (lane = 0; lane < PERMI_TERMS; lane++) {
    double term[2];
    sums->absolute[lane] += permi_nary_product(counts, form + lane, weight[lane], term);
    for (part = 0; part < counts->parts; part++)
      permi_lane_add(sums, part, lane, term[part]);
  }
}

/* To the next term: `step` times a digit's entries are added to the forms. form: their values, `apart` places apart. */
static void permi_nary_step(int rows, double step, const double *high_step, const double *low_step, double *high,
                            double *low, double *form, int apart)
{
  int f;
  for (f = 0; f < rows; f++) {
    high[f] += step * high_step[f];
    low[f] += step * low_step[f];
    form[f * apart] = high[f] + low[f];
  }
}

#if PERMI_X86
#define PERMI_COMPLEX_TIMES(x, y, u, v) /* (x, y) *= (u, v) */                                                         \
  {                                                                                                                    \
    const __m256d re_ = _mm256_fmsub_pd(x, u, _mm256_mul_pd(y, v));                                                    \
    y = _mm256_fmadd_pd(x, v, _mm256_mul_pd(y, u));                                                                    \
    x = re_;                                                                                                           \
  }

/* One half of the lanes: powers by squaring, which round no more often than copies in turn. */
PERMI_AVX2 static inline void permi_nary_half_avx2(const permi_counts *counts, const double *form, __m256d *re,
                                                   __m256d *im)
{
  const double *other = form + counts->forms * PERMI_TERMS;
  __m256d x = *re, y = _mm256_setzero_pd();
  int f, k;
  for (f = 0; f < counts->forms; f++) {
    __m256d u = _mm256_loadu_pd(form + f * PERMI_TERMS);
    if (counts->parts == 1) {
      for (k = counts->form_count[f]; k > 1; k /= 2) {
        x = k & 1 ? _mm256_mul_pd(x, u) : x;
        u = _mm256_mul_pd(u, u);
      }
      x = _mm256_mul_pd(x, u);
    } else {
      __m256d v = _mm256_loadu_pd(other + f * PERMI_TERMS);
      for (k = counts->form_count[f]; k > 1; k /= 2) {
        const __m256d twice = _mm256_add_pd(u, u);
        if (k & 1)
          PERMI_COMPLEX_TIMES(x, y, u, v)
        u = _mm256_fmsub_pd(u, u, _mm256_mul_pd(v, v));
        v = _mm256_mul_pd(twice, v);
      }
      PERMI_COMPLEX_TIMES(x, y, u, v)
    }
  }
  *re = x;
  *im = y;
}
#undef PERMI_COMPLEX_TIMES

PERMI_AVX2 static void permi_nary_products_avx2(const permi_counts *counts, const double *form, const double *weight,
                                                permi_lane_sums *sums)
{
  const __m256d sign = _mm256_set1_pd(-0.0);
  int half, part;
  for (half = 0; half < PERMI_TERMS; half += 4) {
    __m256d term[2], absolute = _mm256_loadu_pd(sums->absolute + half);
    term[0] = _mm256_loadu_pd(weight + half);
    permi_nary_half_avx2(counts, form + half, &term[0], &term[1]);
    for (part = 0; part < counts->parts; part++) { /* permi_dd_add_double */
      const __m256d hi = _mm256_loadu_pd(sums->hi[part] + half), sum = _mm256_add_pd(hi, term[part]);
      const __m256d other = _mm256_sub_pd(sum, hi);
      const __m256d of_hi = _mm256_sub_pd(hi, _mm256_sub_pd(sum, other)), of_term = _mm256_sub_pd(term[part], other);
      const __m256d lo = _mm256_add_pd(_mm256_add_pd(of_hi, of_term), _mm256_loadu_pd(sums->lo[part] + half));
      const __m256d total = _mm256_add_pd(sum, lo);
      _mm256_storeu_pd(sums->hi[part] + half, total);
      _mm256_storeu_pd(sums->lo[part] + half, _mm256_sub_pd(lo, _mm256_sub_pd(total, sum)));
      absolute = _mm256_add_pd(absolute, _mm256_andnot_pd(sign, term[part]));
    }
    _mm256_storeu_pd(sums->absolute + half, absolute);
  }
}

PERMI_AVX2 static void permi_nary_step_avx2(int rows, double step, const double *high_step, const double *low_step,
                                            double *high, double *low, double *form, int apart)
{
  const __m256d times = _mm256_set1_pd(step);
  int f;
  for (f = 0; f + 4 <= rows; f += 4) {
    const __m256d h = _mm256_fmadd_pd(times, _mm256_loadu_pd(high_step + f), _mm256_loadu_pd(high + f));
    const __m256d l = _mm256_fmadd_pd(times, _mm256_loadu_pd(low_step + f), _mm256_loadu_pd(low + f));
    const __m256d sum = _mm256_add_pd(h, l);
    const __m128d first = _mm256_castpd256_pd128(sum), last = _mm256_extractf128_pd(sum, 1);
    _mm256_storeu_pd(high + f, h);
    _mm256_storeu_pd(low + f, l);
    _mm_storel_pd(form + f * apart, first);
    _mm_storeh_pd(form + (f + 1) * apart, first);
    _mm_storel_pd(form + (f + 2) * apart, last);
    _mm_storeh_pd(form + (f + 3) * apart, last);
  }
  permi_nary_step(rows - f, step, high_step + f, low_step + f, high + f, low + f, form + f * apart, apart);
}
#endif

/* e_M of PERMI_LANES sets of forms (form[f][lane], imaginary parts behind): e_k += x e_(k-1) for one form after the
   other, only the e_k from which e_M can be reached. absolute: of |forms|, parts added. e: room for M + 1 numbers, by
   lane, and as many imaginary parts; the result is the last of each. */
#define PERMI_LANES 4

static void permi_symmetric_real(const double *x, double *e, int most, int least)
{
  int k, lane;
  for (k = most; k >= least; k--)
    for (lane = 0; lane < PERMI_LANES; lane++)
      e[k * PERMI_LANES + lane] += x[lane] * e[(k - 1) * PERMI_LANES + lane];
}

static void permi_symmetric_complex(const double *x, const double *y, double *e, double *i, int most, int least)
{
  int k, lane;
  for (k = most * PERMI_LANES; k >= least * PERMI_LANES; k -= PERMI_LANES)
    for (lane = 0; lane < PERMI_LANES; lane++) {
      const double re = e[k - PERMI_LANES + lane], im = i[k - PERMI_LANES + lane];
      e[k + lane] += x[lane] * re - y[lane] * im;
      i[k + lane] += x[lane] * im + y[lane] * re;
    }
}

#if PERMI_X86
PERMI_AVX2 static void permi_symmetric_real_avx2(const double *x, double *e, int most, int least)
{
  const __m256d form = _mm256_loadu_pd(x);
  __m256d upper = _mm256_loadu_pd(e + most * PERMI_LANES);
  int k;
  for (k = most; k >= least; k--) {
    const __m256d lower = _mm256_loadu_pd(e + (k - 1) * PERMI_LANES);
    _mm256_storeu_pd(e + k * PERMI_LANES, _mm256_fmadd_pd(form, lower, upper));
    upper = lower;
  }
}

PERMI_AVX2 static void permi_symmetric_complex_avx2(const double *x, const double *y, double *e, double *i, int most,
                                                    int least)
{
  const __m256d real = _mm256_loadu_pd(x), imaginary = _mm256_loadu_pd(y);
  int k;
  for (k = most * PERMI_LANES; k >= least * PERMI_LANES; k -= PERMI_LANES) {
    const __m256d re = _mm256_loadu_pd(e + k - PERMI_LANES), im = _mm256_loadu_pd(i + k - PERMI_LANES);
    const __m256d sum = _mm256_fmadd_pd(real, re, _mm256_loadu_pd(e + k));
    const __m256d other = _mm256_fmadd_pd(real, im, _mm256_loadu_pd(i + k));
    _mm256_storeu_pd(e + k, _mm256_fnmadd_pd(imaginary, im, sum));
    _mm256_storeu_pd(i + k, _mm256_fmadd_pd(imaginary, re, other));
  }
}
#endif

static void permi_nary_symmetric(const permi_counts *counts, const double *form, int absolute, double *e)
{
  const int planes = absolute ? 1 : counts->parts;
  const double *other = form + counts->forms * PERMI_LANES;
  double *i = e + (counts->needed + 1) * PERMI_LANES;
  int f, copy, k, step = 0;
  memset(e, 0, (size_t)((counts->needed + 1) * planes * PERMI_LANES) * sizeof *e);
  for (k = 0; k < PERMI_LANES; k++)
    e[k] = 1;
  for (f = 0; f < counts->forms; f++) {
    const double *x = form + f * PERMI_LANES, *y = other + f * PERMI_LANES;
    double size[PERMI_LANES];
    if (absolute) {
      for (k = 0; k < PERMI_LANES; k++)
        size[k] = fabs(x[k]) + (counts->parts == 2 ? fabs(y[k]) : 0);
      x = size;
    }
    for (copy = 0; copy < counts->form_count[f]; copy++) {
      const int most = ++step < counts->needed ? step : counts->needed, left = counts->form_total - step;
      const int least = counts->needed - left > 1 ? counts->needed - left : 1;
#if PERMI_X86
      if (counts->isa >= PERM_ISA_AVX2) {
        if (planes == 2)
          permi_symmetric_complex_avx2(x, y, e, i, most, least);
        else
          permi_symmetric_real_avx2(x, e, most, least);
        continue;
      }
#endif
      if (planes == 2)
        permi_symmetric_complex(x, y, e, i, most, least);
      else
        permi_symmetric_real(x, e, most, least);
    }
  }
}

/* What is gathered before its products or e_M are taken. */
typedef struct permi_form_batch {
  double form[2 * PERMI_MOST_FORMS * PERMI_TERMS], e[2 * (PERMI_MOST_NEEDED + 1) * PERMI_LANES], weight[PERMI_TERMS];
  int lanes; /* filled so far */
} permi_form_batch;

/* Adds e_M of the batch's forms, and of their moduli, if it is a chosen one. */
static void permi_batch_symmetric(const permi_counts *counts, permi_form_batch *batch, uint64_t place,
                                  permi_lane_sums *sums)
{
  const double *last = batch->e + counts->needed * PERMI_LANES;
  int lane, part;
  permi_nary_symmetric(counts, batch->form, 0, batch->e);
  for (part = 0; part < counts->parts; part++, last += (counts->needed + 1) * PERMI_LANES)
    for (lane = 0; lane < PERMI_LANES; lane++)
      permi_lane_add(sums, part, 0, batch->weight[lane] * last[lane]);
  if ((permi_scatter(place) & counts->absolute_mask) == 0) {
    permi_nary_symmetric(counts, batch->form, 1, batch->e);
    last = batch->e + counts->needed * PERMI_LANES;
    for (lane = 0; lane < PERMI_LANES; lane++)
      sums->absolute[0] += (counts->absolute_mask + 1.0) * fabs(batch->weight[lane]) * last[lane];
  }
}

/* Adds the batch's terms; places that are empty are of forms 0. */
static void permi_batch_sum(const permi_counts *counts, permi_form_batch *batch, int room, uint64_t place,
                            permi_lane_sums *sums)
{
  int lane, f;
  for (lane = batch->lanes; lane < room; lane++) {
    for (f = 0; f < counts->forms * counts->parts; f++)
      batch->form[f * room + lane] = 0;
    batch->weight[lane] = 0;
  }
  batch->lanes = 0;
  if (room == PERMI_LANES)
    permi_batch_symmetric(counts, batch, place, sums);
#if PERMI_X86
  else if (counts->isa >= PERM_ISA_AVX2)
    permi_nary_products_avx2(counts, batch->form, batch->weight, sums);
#endif
  else
    permi_nary_products(counts, batch->form, batch->weight, sums);
}

/* Forms in whatever precision, kept from term to term. */
typedef struct permi_forms {
  double high[2 * PERMI_MOST_FORMS], low[2 * PERMI_MOST_FORMS];
  uint64_t word[2 * PERMI_MOST_FORMS][2]; /* two's complement */
} permi_forms;

/* What a thread works in. */
typedef struct permi_nary_work {
  permi_forms forms;
  union {
    permi_form_batch batch;
    struct {
      uint64_t cell[PERMI_MOST_CELLS];
      double e[PERMI_MOST_NEEDED + 1];
    } terms;
  } of;
} permi_nary_work;

/* A chunk in double. */
static void permi_nary_plain(const permi_counts *counts, permi_nary *walk, uint64_t place, permi_nary_work *work,
                             perm_partial *partial)
{
  const int rows = counts->forms * counts->parts, room = counts->skips && !counts->ryser ? PERMI_LANES : PERMI_TERMS;
  double *high = work->forms.high, *low = work->forms.low;
  double weight[PERMI_MOST_DIGITS + 1], step = 0;
  permi_lane_sums sums;
  permi_form_batch *batch = &work->of.batch;
  int d, f, lane;
  batch->lanes = 0;
  memset(&sums, 0, sizeof sums);
  memset(high, 0, (size_t)rows * sizeof *high);
  memset(low, 0, (size_t)rows * sizeof *low);
  for (d = 0; d < counts->digits; d++)
    for (f = 0; f < rows; f++) {
      const double times = permi_nary_times(counts, walk, d);
      high[f] += times * counts->high[d * rows + f];
      low[f] += times * counts->low[d * rows + f];
    }
  weight[counts->digits] = 1;
  for (;; place++) {
    const double *high_step = counts->high + walk->digit * rows, *low_step = counts->low + walk->digit * rows;
#if PERMI_X86
    if (counts->isa >= PERM_ISA_AVX2)
      permi_nary_step_avx2(rows, step, high_step, low_step, high, low, batch->form + batch->lanes, room);
    else
#endif
      permi_nary_step(rows, step, high_step, low_step, high, low, batch->form + batch->lanes, room);
    for (d = walk->digit; d >= 0; d--)
      weight[d] = weight[d + 1] * ((const double *)(const void *)counts->weight)[counts->weight_at[d] + walk->v[d]];
    if (!counts->ryser || walk->total <= counts->needed) {
      double w = permi_nary_negative(counts, walk) ? -weight[0] : weight[0];
      if (counts->ryser)
        w *= ((const double *)(const void *)counts->rank_weight)[walk->total];
      batch->weight[batch->lanes++] = w;
      if (batch->lanes == room)
        permi_batch_sum(counts, batch, room, place, &sums);
    }
    if (!permi_nary_next(counts, walk))
      break;
    step = (counts->ryser ? 1 : -2) * walk->up[walk->digit];
  }
  if (batch->lanes)
    permi_batch_sum(counts, batch, room, place, &sums);
  for (lane = 0; lane < PERMI_TERMS; lane++) {
    for (d = 0; d < counts->parts; d++) {
      permi_sum_add_double(d ? &partial->imaginary : &partial->value, sums.hi[d][lane]);
      permi_sum_add_double(d ? &partial->imaginary : &partial->value, sums.lo[d][lane]);
    }
    permi_sum_add_double(&partial->absolute, sums.absolute[lane]);
  }
}

/* times times the digit's entries are added to the forms. */
PERMI_NEVER_INLINE static void permi_forms_move(const permi_counts *counts, permi_forms *forms, int digit, int times)
{
  const int rows = counts->forms * counts->parts;
  int f;
  for (f = 0; f < rows; f++)
    if (counts->integer) {
      const int64_t x = counts->integer[digit * rows + f];
      uint64_t product[2];
      const uint64_t factor = times < 0 ? 0 - (uint64_t)times : (uint64_t)times;
      product[0] = permi_words_product(x < 0 ? 0 - (uint64_t)x : (uint64_t)x, factor, &product[1]);
      if ((x < 0) != (times < 0))
        permi_words_subtract(forms->word[f], product, 2);
      else
        permi_words_add(forms->word[f], product, 2);
    } else {
      forms->high[f] += times * counts->high[digit * rows + f];
      forms->low[f] += times * counts->low[digit * rows + f];
    }
}

PERMI_NEVER_INLINE static permi_factor permi_forms_factor(const permi_counts *counts, const permi_forms *forms,
                                                          int form)
{
  permi_factor factor;
  int part;
  memset(&factor, 0, sizeof factor);
  for (part = 0; part < counts->parts; part++) {
    const int f = part * counts->forms + form;
    if (counts->integer) {
      static const uint64_t zero[2] = {0, 0};
      memcpy(factor.magnitude[part], forms->word[f], sizeof factor.magnitude[part]);
      factor.negative[part] = (int)(forms->word[f][1] >> 63);
      if (factor.negative[part]) {
        memcpy(factor.magnitude[part], zero, sizeof zero);
        permi_words_subtract(factor.magnitude[part], forms->word[f], 2);
      }
    } else {
      factor.dd[part] = permi_two_sum(forms->high[f], forms->low[f]);
    }
  }
  return factor;
}

/* cell := product of cells a and b, of which b is a whole number >= 0. */
PERMI_NEVER_INLINE static void permi_cell_weigh(const permi_ring *ring, uint64_t *cell, const uint64_t *a,
                                                const uint64_t *b)
{
  permi_cell_set(ring, cell, 0);
  if (ring->words)
    permi_words_fuse(cell, a, ring->words, b, ring->words, 0);
  else
    *(permi_dd *)(void *)cell =
        permi_dd_multiply(*(const permi_dd *)(const void *)a, *(const permi_dd *)(const void *)b);
}

/* A chunk in cells. Terms go into the sums one by one: exactly. */
static void permi_nary_cells(const permi_counts *counts, permi_nary *walk, permi_nary_work *work, perm_partial *partial)
{
  const permi_ring *ring = &counts->ring;
  const int symmetric = counts->skips && !counts->ryser, size = (int)ring->size, needed = counts->needed;
  uint64_t *cell = work->of.terms.cell;
  double *e = work->of.terms.e;
  uint64_t *weight = cell, *term = cell + (counts->digits + 1) * size;
  uint64_t *room = term + ((symmetric ? needed : 0) + 1) * size, *total = room + size;
  permi_forms *forms = &work->forms;
  int d, f, copy, k;
  memset(forms, 0, sizeof *forms);
  for (d = 0; d < counts->digits; d++)
    permi_forms_move(counts, forms, d, permi_nary_times(counts, walk, d));
  permi_cell_set(ring, weight + counts->digits * size, 1);
  permi_cell_set(ring, total, 0);
  do {
    int step = 0;
    for (d = walk->digit; d >= 0; d--)
      permi_cell_weigh(ring, weight + d * size, weight + (d + 1) * size,
                       counts->weight + (counts->weight_at[d] + walk->v[d]) * size);
    if (!counts->ryser || walk->total <= needed) {
      const permi_factor sign = permi_factor_small(permi_nary_negative(counts, walk) ? -1 : 1);
      if (counts->ryser)
        permi_cell_weigh(ring, term, weight, counts->rank_weight + walk->total * size);
      else
        memcpy(term, weight, ring->size * sizeof *term);
      e[0] = permi_cell_modulus(ring, term);
      if (symmetric) {
        memset(term + size, 0, (size_t)(needed * size) * sizeof *term);
        memset(e + 1, 0, (size_t)needed * sizeof *e);
      }
      for (f = 0; f < counts->forms; f++) {
        const permi_factor factor = permi_forms_factor(counts, forms, f);
        const double modulus = fabs(factor.dd[0].hi) + fabs(factor.dd[1].hi);
        for (copy = 0; copy < counts->form_count[f]; copy++) {
          const int left = counts->form_total - ++step;
          if (!symmetric) {
            permi_cell_multiply(ring, term, &factor, room);
            continue;
          }
          for (k = step < needed ? step : needed; k >= 1 && k >= needed - left; k--) {
            permi_cell_fuse(ring, term + k * size, term + (k - 1) * size, &factor, 0);
            e[k] += e[k - 1] * modulus;
          }
        }
      }
      k = symmetric ? needed : 0;
      permi_cell_set(ring, room, 0);
      permi_cell_fuse(ring, room, term + k * size, &sign, 0);
      permi_sum_add_double(&partial->absolute, symmetric && !ring->words ? e[needed] : permi_cell_modulus(ring, room));
      if (ring->words)
        permi_cell_add(ring, total, room);
      else
        permi_cell_sum(ring, room, partial);
    }
    if (!permi_nary_next(counts, walk))
      break;
    permi_forms_move(counts, forms, walk->digit, (counts->ryser ? 1 : -2) * walk->up[walk->digit]);
  } while (1);
  if (ring->words)
    permi_cell_sum(ring, total, partial);
}

static void permi_nary_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_counts *counts = (const permi_counts *)leaf->context;
  permi_nary walk;
  permi_nary_start(counts, chunk, &walk);
  partial->terms += (double)walk.left;
  if (!walk.left)
    return;
  if (counts->plain)
    permi_nary_plain(counts, &walk, permi_nary_begin(counts, chunk), (permi_nary_work *)workspace, partial);
  else
    permi_nary_cells(counts, &walk, (permi_nary_work *)workspace, partial);
}

/* binom(c, v) for v = 0 .. most, into cells; double-doubles and doubles times 2^-c. half: doubled but for v = c/2. */
PERMI_COLD static void permi_weights_fill(const permi_counts *counts, int c, int most, int half, uint64_t *weight)
{
  const permi_ring *ring = &counts->ring;
  const size_t size = counts->plain ? 1 : ring->size;
  permi_dd b = permi_dd_make(permi_shift(1, -c));
  int v, k;
  if (ring->words) { /* Pascal's triangle, row by row */
    memset(weight, 0, (size_t)(most + 1) * size * sizeof *weight);
    weight[0] = 1;
    for (k = 1; k <= c; k++)
      for (v = k < most ? k : most; v > 0; v--)
        permi_cell_add(ring, weight + (size_t)v * size, weight + (size_t)(v - 1) * size);
    for (v = 0; half && v <= most; v++)
      if (2 * v != c)
        permi_cell_add(ring, weight + (size_t)v * size, weight + (size_t)v * size);
    return;
  }
  for (v = 0; v <= most; v++) {
    permi_dd w = permi_dd_scale(b, half && 2 * v != c), inverse;
    memset(weight + (size_t)v * size, 0, size * sizeof *weight);
    if (counts->plain)
      memcpy(weight + v, &w.hi, sizeof w.hi);
    else
      *(permi_dd *)(void *)(weight + (size_t)v * size) = w;
    inverse.hi = 1.0 / (v + 1); /* 1/(v + 1) to 106 bits */
    inverse.lo = fma(-inverse.hi, v + 1, 1) / (v + 1);
    b = permi_dd_multiply(permi_dd_multiply(b, permi_dd_make(c - v)), inverse);
  }
}

/* Ryser's binom(N - k, M - k) for k = 0 .. M. */
PERMI_COLD static void permi_rank_weights(const permi_counts *counts)
{
  const permi_ring *ring = &counts->ring;
  const size_t size = counts->plain ? 1 : ring->size;
  uint64_t *weight = counts->rank_weight;
  int t, k;
  if (!ring->words) {
    permi_dd b = permi_dd_make(1), inverse;
    for (t = 0; t <= counts->needed; t++) { /* binom(skips + t, t) */
      uint64_t *at = weight + (size_t)(counts->needed - t) * size;
      memset(at, 0, size * sizeof *at);
      if (counts->plain)
        memcpy(at, &b.hi, sizeof b.hi);
      else
        *(permi_dd *)(void *)at = b;
      inverse.hi = 1.0 / (t + 1);
      inverse.lo = fma(-inverse.hi, t + 1, 1) / (t + 1);
      b = permi_dd_multiply(permi_dd_multiply(b, permi_dd_make(counts->digit_total - counts->needed + t + 1)), inverse);
    }
    return;
  }
  for (k = 0; k <= counts->needed; k++)
    permi_cell_set(ring, weight + (size_t)k * size, 1);
  for (k = 0; k < counts->digit_total - counts->needed; k++)
    for (t = counts->needed; t > 0; t--)
      permi_cell_add(ring, weight + (size_t)(t - 1) * size, weight + (size_t)t * size);
}
