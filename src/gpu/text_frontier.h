/* ================================================================================== >>text_frontier
   The kernels of arrays. Sorted lists united by merge path [DOB15] took 9 to 12 times as long on a GPU. */
#pragma once
#include "text.h"

#define PERMI_HEAD_BYTES 48 /* of permi_arguments before its constants */

/* Arrays (>>arrays). A warp sums a block of the target, each value in the order of the ways: the CPU's bits. First
   words of a block's values come before second ones, so that lanes read side by side. */
/* clang-format off */
PERMI_TEXT(arrays,
union permi_coefficient {
  double real;
  unsigned long long integer;
};

struct permi_gpu_way {
  unsigned test, want, keep, flip, low_test, low_want, low_keep, low_flip;
  int low_ones, least, span;
  int place; /* below 0: low words stay */
  permi_coefficient c[2];
};

struct permi_step_arguments {
  const void *from;
  void *to;
  const permi_gpu_way *way;
  const unsigned long long *from_top, *from_middle, *to_top, *to_middle;
  const unsigned short *top, *middle;
  const unsigned char *left;
  const int *from_start, *to_start, *middle_start;
  const unsigned short *word, *rank;
  unsigned short *place;
  unsigned long long *sizes; /* bits of least and largest modulus, or NULL */
  int ways, bits, from_shift, to_shift, low, words, spans, span;
};

struct permi_route {
  unsigned long long offset;
  permi_coefficient c[2];
  unsigned test, want, keep, flip;
  int row, low_ones, place, least, span;
};

struct permi_origin {
  unsigned long long offset;
  permi_coefficient c[2];
  int count, place;
};

PERMI_BOTH bool permi_route_make(const permi_step_arguments &a, unsigned top, const permi_gpu_way &way, permi_route &r)
{
  const unsigned mask = (1u << a.bits) - 1;
  const unsigned source = (top & way.keep >> a.bits) ^ way.flip >> a.bits;
  if ((top & way.test >> a.bits) != way.want >> a.bits)
    return false;
  r.offset = a.from_top[source];
  r.c[0] = way.c[0];
  r.c[1] = way.c[1];
  r.test = way.test & mask;
  r.want = way.want & mask;
  r.keep = way.keep & mask;
  r.flip = way.flip & mask;
  r.row = permi_ones(source) << a.from_shift;
  r.low_ones = way.low_ones;
  r.least = way.least - permi_ones(top);
  r.span = way.span;
  r.place = way.place;
  return true;
}

PERMI_BOTH bool permi_origin_make(const permi_step_arguments &a, unsigned middle, int left, const permi_route &r,
                                  permi_origin &o)
{
  const int low_ones = left + r.low_ones;
  if ((middle & r.test) != r.want || low_ones < 0 || low_ones > a.low ||
      (unsigned)(permi_ones(middle) + left - r.least) > (unsigned)r.span)
    return false;
  o.offset = r.offset + a.from_middle[r.row + (int)((middle & r.keep) ^ r.flip)] + a.from_start[low_ones];
  o.count = a.from_start[low_ones + 1] - a.from_start[low_ones];
  o.c[0] = r.c[0];
  o.c[1] = r.c[1];
  o.place = r.place < 0 ? -1 : r.place + a.to_start[left];
  return true;
}

PERMI_BOTH unsigned short permi_place(const permi_step_arguments &a, const permi_gpu_way &way, int k)
{
  const unsigned word = a.word[k];
  return (word & way.low_test) == way.low_want ? a.rank[(word & way.low_keep) ^ way.low_flip] : (unsigned short)0xffff;
}

struct permi_double_double {
  double hi, lo;
};

PERMI_BOTH permi_double_double permi_dd_sum(permi_double_double a, permi_double_double b)
{
  permi_double_double s, t;
  permi_two_sum(s.hi, s.lo, a.hi, b.hi);
  permi_two_sum(t.hi, t.lo, a.lo, b.lo);
  permi_two_sum(s.hi, s.lo, s.hi, permi_add(s.lo, t.hi));
  permi_two_sum(s.hi, s.lo, s.hi, permi_add(s.lo, t.lo));
  return s;
}

/* Returns (hi, lo) c with the CPU's bits, whose vectors fuse real double-doubles. */
PERMI_BOTH permi_double_double permi_dd_times(double hi, double lo, double c, bool fused)
{
  permi_double_double p;
  double e;
  permi_two_product(p.hi, e, hi, c);
  permi_two_sum(p.hi, p.lo, p.hi, fused ? permi_fma(lo, c, e) : permi_add(e, permi_mul(lo, c)));
  return p;
}

template <int CELL, int WORDS, int PARTS>
struct permi_cell {
  enum { PLANES = CELL == 0 ? 1 : CELL == 3 ? 4 : 2, TRACKED = CELL == 3 ? 2 : 1, TRACK_END = CELL == 1 ? 1 : PLANES };
  typedef double number;
  static PERMI_BOTH void add(double *y, const double *x, const permi_coefficient *c)
  {
    const double real = c[0].real, imaginary = c[1].real;
    if (CELL == 0) {
      y[0] = permi_fma(real, x[0], y[0]);
    } else if (CELL == 1) {
      permi_double_double sum = {y[0], y[1 % PLANES]};
      sum = permi_dd_sum(sum, permi_dd_times(x[0], x[1 % PLANES], real, true));
      y[0] = sum.hi;
      y[1 % PLANES] = sum.lo;
    } else if (CELL == 2) {
      const double re = permi_add(permi_mul(real, x[0]), -permi_mul(imaginary, x[1 % PLANES]));
      const double im = permi_add(permi_mul(real, x[1 % PLANES]), permi_mul(imaginary, x[0]));
      y[0] = permi_add(y[0], re);
      y[1 % PLANES] = permi_add(y[1 % PLANES], im);
    } else {
      permi_double_double re = permi_dd_times(x[0], x[1 % PLANES], real, false);
      permi_double_double im = permi_dd_times(x[2 % PLANES], x[3 % PLANES], real, false);
      permi_double_double sum = {y[0], y[1 % PLANES]};
      if (imaginary != 0) {
        re = permi_dd_sum(re, permi_dd_times(x[2 % PLANES], x[3 % PLANES], -imaginary, false));
        im = permi_dd_sum(im, permi_dd_times(x[0], x[1 % PLANES], imaginary, false));
      }
      sum = permi_dd_sum(sum, re);
      y[0] = sum.hi;
      y[1 % PLANES] = sum.lo;
      sum.hi = y[2 % PLANES];
      sum.lo = y[3 % PLANES];
      sum = permi_dd_sum(sum, im);
      y[2 % PLANES] = sum.hi;
      y[3 % PLANES] = sum.lo;
    }
  }
};

template <int WORDS, int PARTS>
struct permi_cell<4, WORDS, PARTS> {
  enum { PLANES = WORDS * PARTS, TRACKED = 1, TRACK_END = 0 };
  typedef unsigned long long number;
  /* y += |c| x or, `minus`, y -= |c| x, modulo 2^(64 WORDS) */
  static PERMI_BOTH void part(number *y, const number *x, number c, bool minus)
  {
    const number magnitude = minus ? 0 - c : c;
    number carry = 0, borrow = 0;
    PERMI_UNROLL
    for (int w = 0; w < WORDS; w++) {
      const number low = magnitude * x[w];
      const number term = low + carry, sum = minus ? y[w] - term : y[w] + term;
      const number all = minus ? sum - borrow : sum + borrow;
      if (w + 1 < WORDS)
        carry = permi_high(magnitude, x[w]) + (term < low);
      borrow = minus ? (number)(sum > y[w]) + (number)(all > sum) : (number)(sum < term) + (number)(all < sum);
      y[w] = all;
    }
  }
  static PERMI_BOTH void add(number *y, const number *x, const permi_coefficient *c)
  {
    const number real = c[0].integer, imaginary = c[1].integer;
    part(y, x, real, (long long)real < 0);
    if (PARTS == 2) {
      part(y + WORDS % PLANES, x + WORDS % PLANES, real, (long long)real < 0);
      if (imaginary != 0) {
        part(y, x + WORDS % PLANES, 0 - imaginary, (long long)imaginary > 0);
        part(y + WORDS % PLANES, x, imaginary, (long long)imaginary < 0);
      }
    }
  }
};

template <int CELL, int WORDS, int PARTS, int U>
PERMI_BOTH void permi_values(const permi_step_arguments &a, const permi_origin *origin, int origins,
                             unsigned long long to, int count, int first, int apart, unsigned long long *sizes)
{
  typedef permi_cell<CELL, WORDS, PARTS> cell;
  typedef typename cell::number number;
  enum { PLANES = cell::PLANES };
  number y[U][PLANES];
  PERMI_UNROLL
  for (int u = 0; u < U; u++) {
    PERMI_UNROLL
    for (int w = 0; w < PLANES; w++)
      y[u][w] = 0;
  }
  PERMI_ROLLED
  for (int s = 0; s < origins; s++) {
    const permi_origin o = origin[s];
    const number *x = (const number *)a.from + o.offset * PLANES;
    number z[U][PLANES];
    int at[U];
    PERMI_UNROLL
    for (int u = 0; u < U; u++)
      at[u] = first + u * apart < count ? first + u * apart : 0xffff;
    if (o.place >= 0) {
      PERMI_UNROLL
      for (int u = 0; u < U; u++)
        if (at[u] != 0xffff)
          at[u] = a.place[o.place + at[u]];
    }
    PERMI_UNROLL
    for (int u = 0; u < U; u++) {
      PERMI_UNROLL
      for (int w = 0; w < PLANES; w++)
        z[u][w] = at[u] != 0xffff ? x[w * o.count + at[u]] : 0;
    }
    PERMI_UNROLL
    for (int u = 0; u < U; u++)
      cell::add(y[u], z[u], o.c); /* adding 0 changes nothing */
  }
  PERMI_UNROLL
  for (int u = 0; u < U; u++)
    if (first + u * apart < count) {
      number *out = (number *)a.to + to * PLANES + (first + u * apart);
      PERMI_UNROLL
      for (int w = 0; w < PLANES; w++)
        out[w * count] = y[u][w];
      if (a.sizes) {
        PERMI_UNROLL
        for (int w = 0; w < (int)cell::TRACK_END; w += cell::TRACKED) {
          permi_coefficient size;
          size.real = fabs((double)y[u][w]);
          if (size.integer && size.integer < sizes[0])
            sizes[0] = size.integer;
          if (size.integer > sizes[1])
            sizes[1] = size.integer;
        }
      }
    }
}

template <int CELL, int WORDS, int PARTS, int U>
__device__ __forceinline__ void permi_step(const permi_step_arguments &a)
{
  extern __shared__ double2 permi_shared[];
  __shared__ int routes;
  __shared__ unsigned long long all[2];
  const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
  const unsigned below = (1u << lane) - 1, top = a.top[blockIdx.x / a.spans];
  const int ones = permi_ones(top);
  permi_route *route = (permi_route *)permi_shared;
  permi_origin *origin = (permi_origin *)(route + a.ways) + warp * a.ways;
  unsigned long long sizes[2] = {0x7fefffffffffffffull, 0};
  int begin = a.middle_start[ones], end = a.middle_start[ones + 1];
  begin += (int)(blockIdx.x % a.spans) * a.span;
  if (end > begin + a.span)
    end = begin + a.span;
  if (begin >= end)
    return;
  if (warp == 0) {
    int used = 0;
    for (int w = 0; w < a.ways; w += 32) {
      permi_route r;
      const bool in = w + lane < a.ways && permi_route_make(a, top, a.way[w + lane], r);
      const unsigned vote = __ballot_sync(~0u, in);
      if (in)
        route[used + permi_ones(vote & below)] = r;
      used += permi_ones(vote);
    }
    if (lane == 0) {
      routes = used;
      all[0] = sizes[0];
      all[1] = 0;
    }
  }
  __syncthreads();
  PERMI_ROLLED
  for (int m = begin + warp; m < end; m += (int)blockDim.x >> 5) {
    const unsigned middle = a.middle[m];
    const int left = a.left[m], count = a.to_start[left + 1] - a.to_start[left];
    const unsigned long long to = a.to_top[top] + a.to_middle[(ones << a.to_shift) + (int)middle] + a.to_start[left];
    int origins = 0;
    for (int w = 0; w < routes; w += 32) {
      permi_origin o;
      const bool in = w + lane < routes && permi_origin_make(a, middle, left, route[w + lane], o);
      const unsigned vote = __ballot_sync(~0u, in);
      if (in)
        origin[origins + permi_ones(vote & below)] = o;
      origins += permi_ones(vote);
    }
    __syncwarp();
    PERMI_ROLLED
    for (int first = lane; first < count; first += 32 * U)
      permi_values<CELL, WORDS, PARTS, U>(a, origin, origins, to, count, first, 32, sizes);
    __syncwarp();
  }
  if (a.sizes) {
    atomicMin(&all[0], sizes[0]);
    atomicMax(&all[1], sizes[1]);
    __syncthreads();
    if (threadIdx.x == 0) {
      if (all[0] < *(volatile unsigned long long *)&a.sizes[0])
        atomicMin(&a.sizes[0], all[0]);
      if (all[1] > *(volatile unsigned long long *)&a.sizes[1])
        atomicMax(&a.sizes[1], all[1]);
    }
  }
}

__device__ __forceinline__ void permi_places(const permi_step_arguments &a)
{
  const permi_gpu_way way = a.way[blockIdx.x];
  if (way.place >= 0)
    for (int k = (int)threadIdx.x; k < a.words; k += (int)blockDim.x)
      a.place[way.place + k] = permi_place(a, way, k);
}

PERMI_BOTH double permi_scaled(double x, double first, double second)
{
  return permi_mul(permi_mul(x, first), second);
}

__device__ __forceinline__ void permi_scale(double *x, unsigned long long count, double first, double second)
{
  const unsigned long long apart = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long k = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += apart)
    x[k] = permi_scaled(x[k], first, second);
}
)
/* clang-format on */

#define PERMI_STEP_THREADS 256
/* SPDX-License-Identifier: MIT */
