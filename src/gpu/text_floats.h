/* ==================================================================================== >>text_floats
   The dense kernel in pairs of floats (>>floats): row sums y + l with the pivot, products p + c that begin at 2^120 and
   only fall. FP32 pipes wait for registers: an fma of three counts 1.6, so columns come from shared memory. */
#pragma once
#include "text.h"

/* clang-format off */
PERMI_TEXT(floats,
PERMI_BOTH void permi_two_sum_float(float &s, float &e, float a, float b)
{
  const float sum = permi_add_float(a, b), with = permi_add_float(sum, -a);
  e = permi_add_float(permi_add_float(a, -permi_add_float(sum, -with)), permi_add_float(b, -with));
  s = sum;
}

/* Multiplies p + c by y + l; `both` is y, or y + l in one float, which keeps c small. `first`: c is 0. */
template <int LOW>
PERMI_BOTH void permi_float_times(float &p, float &c, float y, float l, float both, int first)
{
  const float product = permi_mul_float(p, both);
  float e = permi_fma_float(p, y, -product);
  if (LOW)
    e = permi_fma_float(p, l, e);
  c = first ? e : permi_fma_float(c, both, e);
  p = product;
}

template <int ROOM>
struct permi_float_registers {
  float y[ROOM], l[ROOM];
};

/* Sets out[] to P - Q (hi, lo), |P| + |Q|, and the sum of both products of |row sum| + 2^-10. Rows are multiplied in
   groups, each of which becomes one float and its rest. */
template <int N, int GROUP, int LOW, int MAJORANT, int COUNT, int ROOM>
PERMI_BOTH void permi_float_state(const permi_arguments<COUNT, float> &a, const permi_float_registers<ROOM> &o,
                                  float *out)
{
  const int n = N ? N : a.n;
  const float begin = 1.32922799578491587e36f;
  float p[2] = {0, 0}, c[2] = {0, 0}, high[2] = {0, 0}, low[2] = {0, 0}, most[2] = {0, 0};
  PERMI_UNROLL
  for (int r = 0; r < n; r++) {
    PERMI_UNROLL
    for (int k = 0; k < 2; k++) {
      const float y = k ? permi_add_float(o.y[r], -a.constant[r]) : o.y[r];
      if (!LOW) {
        if (r == 0)
          p[k] = permi_mul_float(y, begin);
        else
          permi_float_times<0>(p[k], c[k], y, 0, y, r == 1);
        continue;
      }
      if (r % GROUP == 0) {
        high[k] = y;
        low[k] = o.l[r];
      } else {
        permi_float_times<1>(high[k], low[k], y, o.l[r], y, 0);
      }
      if (r % GROUP == GROUP - 1 || r == n - 1) {
        const float both = permi_add_float(high[k], low[k]);
        if (MAJORANT) {
          const float more = permi_add_float(fabsf(both), 0.0009765625f);
          most[k] = permi_mul_float(r == 0 ? begin : most[k], more);
        }
        if (r < GROUP) {
          p[k] = permi_mul_float(both, begin);
          c[k] = permi_mul_float(permi_add_float(permi_add_float(high[k], -both), low[k]), begin);
        } else {
          permi_float_times<1>(p[k], c[k], high[k], low[k], both, 0);
        }
      }
    }
  }
  permi_two_sum_float(out[0], out[1], p[0], -p[1]);
  out[1] = permi_add_float(out[1], permi_add_float(c[0], -c[1]));
  out[2] = permi_add_float(fabsf(p[0]), fabsf(p[1]));
  out[3] = MAJORANT ? permi_add_float(most[0], most[1]) : 0;
}

/* The same of complex numbers: y and l are [row][part], pivots are real. out[]: real part of P - Q, moduli, imaginary
   part. Differences of products cancel, and need TwoSum. */
template <int N, int COUNT, int ROOM>
PERMI_BOTH void permi_float_state_complex(const permi_arguments<COUNT, float> &a, const permi_float_registers<ROOM> &o,
                                          float *out)
{
  const int n = N ? N : a.n;
  const float begin = 1.32922799578491587e36f;
  float p[2] = {0, 0}, q[2] = {0, 0}, c[2] = {0, 0}, d[2] = {0, 0};
  PERMI_UNROLL
  for (int r = 0; r < n; r++) {
    const float z = o.y[2 * r + 1], m = o.l[2 * r + 1], Z = permi_add_float(z, m);
    PERMI_UNROLL
    for (int k = 0; k < 2; k++) {
      const float y = k ? permi_add_float(o.y[2 * r], -a.constant[r]) : o.y[2 * r];
      const float l = o.l[2 * r], Y = permi_add_float(y, l);
      if (r == 0) {
        p[k] = permi_mul_float(Y, begin);
        q[k] = permi_mul_float(Z, begin);
        c[k] = permi_mul_float(permi_add_float(permi_add_float(y, -Y), l), begin);
        d[k] = permi_mul_float(permi_add_float(permi_add_float(z, -Z), m), begin);
      } else {
        const float py = permi_mul_float(p[k], Y), qz = permi_mul_float(q[k], Z);
        const float pz = permi_mul_float(p[k], Z), qy = permi_mul_float(q[k], Y);
        float re = 0, im = 0, re_e = 0, im_e = 0;
        permi_two_sum_float(re, re_e, py, -qz);
        permi_two_sum_float(im, im_e, pz, qy);
        re_e = permi_add_float(re_e, permi_add_float(permi_fma_float(p[k], y, -py), -permi_fma_float(q[k], z, -qz)));
        im_e = permi_add_float(im_e, permi_add_float(permi_fma_float(p[k], z, -pz), permi_fma_float(q[k], y, -qy)));
        re_e = permi_fma_float(-q[k], m, permi_fma_float(p[k], l, re_e));
        im_e = permi_fma_float(q[k], l, permi_fma_float(p[k], m, im_e));
        re_e = permi_fma_float(-d[k], Z, permi_fma_float(c[k], Y, re_e));
        d[k] = permi_fma_float(d[k], Y, permi_fma_float(c[k], Z, im_e));
        c[k] = re_e;
        p[k] = re;
        q[k] = im;
      }
    }
  }
  permi_two_sum_float(out[0], out[1], p[0], -p[1]);
  permi_two_sum_float(out[3], out[4], q[0], -q[1]);
  out[1] = permi_add_float(out[1], permi_add_float(c[0], -c[1]));
  out[4] = permi_add_float(out[4], permi_add_float(d[0], -d[1]));
  out[2] = permi_add_float(permi_add_float(fabsf(p[0]), fabsf(q[0])), permi_add_float(fabsf(p[1]), fabsf(q[1])));
}

/* Fixed and high columns are summed in units of 2^-62, and split: hi of 2^-24, lo of 2^(a.plain - 62). */
template <int N, int PARTS, int LOW, int COUNT, int ROOM>
PERMI_BOTH void permi_float_start(const permi_arguments<COUNT, float> &a, unsigned long long number,
                                  permi_float_registers<ROOM> &o)
{
  const int n = N ? N : a.n, stride = (n * PARTS + 1) / 2 * 2;
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++) {
    const unsigned long long *table = (const unsigned long long *)a.table + part;
    unsigned long long x[N ? N : 64];
    PERMI_UNROLL
    for (int r = 0; r < n; r++)
      x[r] = table[r * PARTS];
    PERMI_ROLLED
    for (int k = 0; k < a.high; k++) {
      const unsigned long long minus = 0 - (number >> k & 1);
      const unsigned long long *step = table + stride * (1 + k);
      PERMI_UNROLL
      for (int r = 0; r < n; r++)
        x[r] -= step[r * PARTS] & minus;
    }
    PERMI_UNROLL
    for (int r = 0; r < n; r++) {
      const long long sum = (long long)x[r], high = (sum + (1ll << 37)) >> 38;
      o.y[r * PARTS + part] = permi_mul_float((float)(int)high, 5.9604644775390625e-8f);
      if (LOW)
        o.l[r * PARTS + part] = permi_mul_float(
            (float)(int)((sum - high * (1ll << 38) + (1ll << a.plain >> 1)) >> a.plain), a.constant[n]);
    }
  }
}

/* A thread's sums, 128 places apart: value hi, lo, imaginary hi, lo (or majorants, 0), sampled |terms|. K: an unrolled
   column, of entries on the grid. */
template <int N, int PARTS, int GROUP, int LOW, int MAJORANT, int K, int COUNT>
PERMI_BOTH void permi_float_walk(const permi_arguments<COUNT, float> &a, const float *table, unsigned long long chunk,
                                 int thread, double *kept)
{
  enum { ROOM = (N ? N : 64) * PARTS, STEP = 128 };
  const int n = (N ? N : a.n) * PARTS, stride = (n + 1) / 2 * 4;
  const unsigned states = 1u << a.walk, group = states < 8 ? states : 8;
  const unsigned long long number = chunk << 7 | (unsigned long long)thread;
  const unsigned key = ((unsigned)chunk * 4 + (unsigned)(thread >> 5)) * 0x85ebca6bu;
  const float *row = table + stride * 2 * a.walk;
  permi_float_registers<ROOM> o;
  double sum[2] = {0, 0};
  float size = 0, most = 0;
  permi_float_start<N, PARTS, LOW, COUNT, ROOM>(a, number, o);
  PERMI_UNROLL
  for (int k = 0; k < 5; k++)
    kept[STEP * k] = 0;
  PERMI_ROLLED
  for (unsigned m = 0; m < states; m++) {
    float out[5];
    float4 four = {0, 0, 0, 0};
    PERMI_UNROLL
    for (int r = 0; r < n; r++) {
      if (!(r & (LOW ? 1 : 3)))
        four = ((const float4 *)row)[LOW ? r / 2 : r / 4];
      if (LOW) {
        o.y[r] = permi_add_float(o.y[r], r & 1 ? four.z : four.x);
        o.l[r] = permi_add_float(o.l[r], r & 1 ? four.w : four.y);
      } else {
        o.y[r] = permi_add_float(o.y[r], r & 2 ? (r & 1 ? four.w : four.z) : r & 1 ? four.y : four.x);
      }
    }
    if (PARTS == 2)
      permi_float_state_complex<N, COUNT, ROOM>(a, o, out);
    else
      permi_float_state<N, GROUP, LOW, MAJORANT, COUNT, ROOM>(a, o, out);
    if (K) {
      float next[5];
      float rest;
      PERMI_UNROLL
      for (int r = 0; r < n; r++)
        o.y[r] = permi_add_float(o.y[r], -a.constant[n + 1 + r]);
      permi_float_state<N, GROUP, LOW, MAJORANT, COUNT, ROOM>(a, o, next);
      permi_two_sum_float(out[0], rest, out[0], -next[0]);
      out[1] = permi_add_float(out[1], permi_add_float(rest, -next[1]));
      out[2] = permi_add_float(out[2], next[2]);
    }
    PERMI_UNROLL
    for (int part = 0; part < PARTS; part++) {
      const double term = permi_add((double)out[3 * part], (double)out[3 * part + 1]);
      sum[part] = permi_add(sum[part], m & 1 ? -term : term);
    }
    size = permi_add_float(size, out[2]);
    if (MAJORANT)
      most = permi_add_float(most, out[3]);
    if ((m & (group - 1)) == group - 1) {
      PERMI_UNROLL
      for (int part = 0; part < PARTS; part++) {
        double *hi = kept + 2 * STEP * part;
        double error;
        permi_two_sum(*hi, error, *hi, sum[part]);
        hi[STEP] = permi_add(hi[STEP], error);
        sum[part] = 0;
      }
      if (MAJORANT)
        kept[2 * STEP] = permi_add(kept[2 * STEP], (double)most);
      if (!a.mask || permi_sampled(key + m / group * 0x9e3779b9u, a.mask))
        kept[4 * STEP] = permi_add(kept[4 * STEP], (double)size);
      size = most = 0;
    }
    row = table + stride * permi_walk_row(m);
  }
  if (permi_parity(number)) {
    PERMI_UNROLL
    for (int k = 0; k < 2 * PARTS; k++)
      kept[STEP * k] = -kept[STEP * k];
  }
}

template <int N, int PARTS, int GROUP, int LOW, int MAJORANT, int K, int COUNT>
__device__ __forceinline__ void permi_float_chunk(const permi_arguments<COUNT, float> &a)
{
  extern __shared__ double2 permi_shared[];
  double *room = (double *)permi_shared; /* [5][128], then the walk's table */
  double *table = room + 640;
  const int t = (int)threadIdx.x, stride = (N * PARTS + 1) / 2 * 2;
  for (int i = t; i < stride * (2 * a.walk + 1); i += 128)
    table[i] = a.table[stride * (1 + a.high) + i];
  __syncthreads();
  permi_float_walk<N, PARTS, GROUP, LOW, MAJORANT, K, COUNT>(a, (const float *)table, a.first + blockIdx.x, t,
                                                             room + t);
  permi_total(room, a.out);
}
)
/* clang-format on */
/* SPDX-License-Identifier: MIT */
