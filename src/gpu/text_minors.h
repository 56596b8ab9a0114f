/* ==================================================================================== >>text_minors
   The kernels for minors, see perm_gpu_minors. Eight lanes share a term: form f is number f / 8 of lane f % 8. A lane
   multiplies its forms (forward), lanes exchange products (meet), and every form gets the product of all others
   (backward). A form that pads has x = 1. A lane's numbers stay in registers. */
#pragma once
#include "text.h"

/* clang-format off */
PERMI_TEXT(minors,
/* A lane's registers; C = 0: any number of forms, as the twin has. `fast`: half the sums by the first FAST digits. */
template <int C, int PARTS, int FAST>
struct permi_minors_lane {
  enum { MOST = (C ? C : 8) * PARTS };
  double x[MOST], front[MOST], sum[MOST];
  double absolute[C ? C : 8];
  double fast[FAST ? FAST * MOST : 1];
  double product[2], outside[2];
};

/* The table: numbers, chunks, digits, walked digits, terms of a walk, scale, place of the walk; for each digit
   settings, count, place of its weights, setting at the walk's end; start; steps of the digits; weights; the walk,
   term by term: weight, digit that moves (from 1; negative: down). */
struct permi_minors_view {
  const double *digit, *start, *step, *walk;
  unsigned long long begin, end;
  int digits, walked, terms;
};

PERMI_BOTH permi_minors_view permi_minors_open(const double *table, int size, unsigned long long chunk)
{
  permi_minors_view view;
  const unsigned long long numbers = (unsigned long long)table[0], chunks = (unsigned long long)table[1];
  const unsigned long long each = numbers / chunks, rest = numbers % chunks;
  view.digits = (int)table[2];
  view.walked = (int)table[3];
  view.terms = (int)table[4];
  view.digit = table + 8;
  view.start = view.digit + 4 * view.digits;
  view.step = view.start + 8 * size;
  view.walk = table + (int)table[6];
  view.begin = chunk * each + (chunk < rest ? chunk : rest);
  view.end = view.begin + each + (chunk < rest ? 1 : 0);
  return view;
}

/* Sets row sums; returns the weight of the high digits, 0 beyond the end. */
template <int C, int PARTS, int FAST>
PERMI_BOTH double permi_minors_number(permi_minors_lane<C, PARTS, FAST> &o, const double *table,
                                      const permi_minors_view &view, int columns, unsigned long long number, int lane)
{
  const int size = (C ? C : columns) * PARTS;
  unsigned long long left = number < view.end ? number : view.end - 1;
  double weight = number < view.end ? table[5] : 0;
  PERMI_UNROLL
  for (int i = 0; i < size; i++) {
    o.x[i] = view.start[8 * i + lane];
    o.sum[i] = 0;
    PERMI_UNROLL
    for (int k = 0; k < (FAST ? FAST : 1); k++)
      o.fast[FAST ? k * size + i : 0] = 0;
  }
  PERMI_ROLLED
  for (int d = view.walked; d < view.digits; d++) {
    const unsigned long long settings = (unsigned long long)view.digit[4 * d];
    const int v = (int)(left % settings);
    left /= settings;
    weight = permi_mul(weight, table[(int)view.digit[4 * d + 2] + v]);
    PERMI_UNROLL
    for (int i = 0; i < size; i++)
      o.x[i] = permi_fma((double)v, view.step[8 * (d * size + i) + lane], o.x[i]); /* exact, as all row sums */
  }
  return weight;
}

/* Moves a digit by `way`; its sums at `plane` grow by what its factor changes times the sum of the terms before. */
template <int C, int PARTS, int FAST>
PERMI_BOTH void permi_minors_move(permi_minors_lane<C, PARTS, FAST> &o, const double *step, int columns, int digit,
                                  double way, double *plane)
{
  const int size = (C ? C : columns) * PARTS;
  PERMI_UNROLL
  for (int k = 0; k < (FAST ? FAST : 1); k++)
    if (FAST && k == digit) {
      PERMI_UNROLL
      for (int i = 0; i < size; i++)
        o.fast[k * size + i] = permi_fma(way, o.sum[i], o.fast[k * size + i]);
    }
  if (FAST && digit >= FAST) {
    PERMI_UNROLL
    for (int i = 0; i < size; i++)
      plane[8 * i] = permi_fma(2 * way, o.sum[i], plane[8 * i]);
  }
  PERMI_UNROLL
  for (int i = 0; i < size; i++)
    o.x[i] = permi_fma(way, step[8 * i], o.x[i]);
}

template <int C, int PARTS, int FAST>
PERMI_BOTH void permi_minors_forward(permi_minors_lane<C, PARTS, FAST> &o, int columns)
{
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++)
    o.product[part] = o.x[part];
  PERMI_UNROLL
  for (int c = 1; c < (C ? C : columns); c++) {
    PERMI_UNROLL
    for (int part = 0; part < PARTS; part++)
      o.front[c * PARTS + part] = o.product[part];
    permi_number_times<PARTS>(o.product, o.x + c * PARTS);
  }
}

/* Takes over the product of lane ^ bit, `other`, for bits 1, 2, 4. */
template <int C, int PARTS, int FAST>
PERMI_BOTH void permi_minors_meet(permi_minors_lane<C, PARTS, FAST> &o, const double *other, int bit)
{
  if (bit > 1) {
    permi_number_times<PARTS>(o.outside, other);
  } else {
    PERMI_UNROLL
    for (int part = 0; part < PARTS; part++)
      o.outside[part] = other[part];
  }
  if (bit < 4)
    permi_number_times<PARTS>(o.product, other);
}

template <int C, int PARTS, int FAST>
PERMI_BOTH void permi_minors_backward(permi_minors_lane<C, PARTS, FAST> &o, int columns, double weight, bool sampled)
{
  double back[2] = {0, 0};
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++)
    back[part] = permi_mul(o.outside[part], weight);
  PERMI_UNROLL
  for (int c = (C ? C : columns) - 1; c >= 0; c--) {
    double p[2] = {back[0], back[1]};
    if (c)
      permi_number_times<PARTS>(p, o.front + c * PARTS);
    PERMI_UNROLL
    for (int part = 0; part < PARTS; part++)
      o.sum[c * PARTS + part] = permi_add(o.sum[c * PARTS + part], p[part]);
    if (sampled)
      o.absolute[c] = permi_add(o.absolute[c], PARTS == 1 ? fabs(p[0]) : permi_add(fabs(p[0]), fabs(p[1])));
    if (c)
      permi_number_times<PARTS>(back, o.x + c * PARTS);
  }
}

/* Adds a number's sums to the planes of a group: sums by each digit, or (FAST = 0) hi and lo of the sum; moduli. */
template <int C, int PARTS, int FAST>
PERMI_BOTH void permi_minors_put(const permi_minors_lane<C, PARTS, FAST> &o, const permi_minors_view &view, int columns,
                                 unsigned long long number, double *planes)
{
  const int size = (C ? C : columns) * PARTS;
  unsigned long long left = number < view.end ? number : view.end - 1;
  PERMI_UNROLL
  for (int i = 0; i < size; i++) {
    double error = 0;
    if (!FAST) {
      permi_two_sum(planes[8 * i], error, planes[8 * i], o.sum[i]);
      planes[8 * (size + i)] = permi_add(planes[8 * (size + i)], error);
    }
    PERMI_UNROLL
    for (int k = 0; k < (FAST ? FAST : 1); k++)
      if (FAST && k < view.walked)
        planes[8 * (k * size + i)] = permi_fma(2, o.fast[k * size + i], planes[8 * (k * size + i)]);
  }
  PERMI_ROLLED
  for (int d = 0; d < view.digits; d++) {
    const unsigned long long settings = (unsigned long long)view.digit[4 * d];
    const int v = d < view.walked ? (int)view.digit[4 * d + 3] : (int)(left % settings);
    const double factor = view.digit[4 * d + 1] - 2 * v;
    if (!FAST)
      break;
    left = d < view.walked ? left : left / settings;
    PERMI_UNROLL
    for (int i = 0; i < size; i++)
      planes[8 * (d * size + i)] = permi_fma(factor, o.sum[i], planes[8 * (d * size + i)]);
  }
}

/* Makes word `at` of a chunk (hi, lo, moduli) from its 16 groups, `apart` words apart. */
PERMI_BOTH void permi_minors_total(const double *planes, int apart, int words, int low, int at, double *out)
{
  double hi = 0, lo = 0, error;
  for (int group = 0; group < 16; group++) {
    const double *from = planes + (long long)group * apart;
    permi_two_sum(hi, error, hi, from[low && at >= words ? words + at : at]);
    lo = permi_add(lo, low && at < words ? permi_add(error, from[words + at]) : error);
  }
  if (at < words) {
    out[2 * at] = hi;
    out[2 * at + 1] = lo;
  } else {
    out[words + at] = permi_add(hi, lo);
  }
}

template <int C, int PARTS, int FAST>
__device__ __forceinline__ void permi_minors_chunk(const permi_arguments<1> &a)
{
  enum { SIZE = C * PARTS };
  extern __shared__ double2 permi_shared[];
  double *walk = (double *)permi_shared, *steps = walk + 2048;
  const unsigned long long chunk = a.first + blockIdx.x;
  const permi_minors_view view = permi_minors_open(a.table, SIZE, chunk);
  const int t = (int)threadIdx.x, lane = t & 7;
  const int words = 8 * SIZE * (FAST ? view.digits : 1), apart = words * (FAST ? 1 : 2) + 8 * C;
  double *all = a.out + (unsigned long long)gridDim.x * (2 * words + 8 * C) + blockIdx.x * 16ull * apart;
  double *planes = all + (t >> 3) * apart + lane;
  permi_minors_lane<C, PARTS, FAST> o;
  for (int i = t; i < 2 * view.terms; i += 128)
    walk[i] = view.walk[i];
  for (int i = t; i < 8 * SIZE * view.walked; i += 128)
    steps[i] = view.step[i];
  for (int i = 0; i < apart; i += 8)
    planes[i] = 0;
  PERMI_UNROLL
  for (int c = 0; c < C; c++)
    o.absolute[c] = 0;
  __syncthreads();
  PERMI_ROLLED
  for (unsigned long long base = view.begin; base < view.end; base += 16) {
    const unsigned long long number = base + (unsigned long long)(t >> 3);
    const double weight = permi_minors_number<C, PARTS, FAST>(o, a.table, view, C, number, lane);
    PERMI_ROLLED
    for (int m = 0; m < view.terms; m++) {
      const int move = (int)walk[2 * m + 1];
      const int digit = (move < 0 ? -move : move) - 1;
      if (move)
        permi_minors_move<C, PARTS, FAST>(o, steps + 8 * SIZE * digit + lane, C, digit, move < 0 ? -1.0 : 1.0,
                                          planes + 8 * SIZE * digit);
      permi_minors_forward<C, PARTS, FAST>(o, C);
      PERMI_UNROLL
      for (int bit = 1; bit < 8; bit *= 2) {
        double other[2] = {0, 0};
        PERMI_UNROLL
        for (int part = 0; part < PARTS; part++)
          other[part] = __shfl_xor_sync(0xffffffffu, o.product[part], bit);
        permi_minors_meet<C, PARTS, FAST>(o, other, bit);
      }
      permi_minors_backward<C, PARTS, FAST>(
          o, C, permi_mul(walk[2 * m], weight),
          permi_sampled(permi_term_key(chunk, (unsigned)(base - view.begin) / 16, (unsigned)m), a.mask));
    }
    permi_minors_put<C, PARTS, FAST>(o, view, C, number, planes);
  }
  PERMI_UNROLL
  for (int c = 0; c < C; c++)
    planes[apart - 8 * C + 8 * c] = o.absolute[c];
  __syncthreads();
  for (int i = t; i < words + 8 * C; i += 128)
    permi_minors_total(all, apart, words, !FAST, i, a.out + (unsigned long long)blockIdx.x * (2 * words + 8 * C));
}
)
/* clang-format on */
/* SPDX-License-Identifier: MIT */
