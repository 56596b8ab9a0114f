/* ===================================================================================== >>text_exact
   The kernels for integers. S has the members of perm_gpu_exact. */
#pragma once
#include "text.h"

/* clang-format off */
PERMI_TEXT(exact,
template <class S>
PERMI_BOTH int permi_exact_value(const S &shape, const unsigned *x, int line)
{
  const int kind = shape.kind(line);
  const unsigned word = x[shape.at(line)];
  if (kind < 4)
    return permi_byte(word ^ 0x80808080u, kind);
  if (kind < 6)
    return permi_half(word ^ 0x80008000u, kind - 4);
  return (int)word;
}

PERMI_BOTH unsigned permi_exact_word(const uint4 &four, int k)
{
  return k == 0 ? four.x : k == 1 ? four.y : k == 2 ? four.z : four.w;
}

/* Moves row sums by `step`, which is at a multiple of 16 bytes. */
template <class S>
PERMI_BOTH void permi_exact_step(const S &shape, unsigned *to, const unsigned *x, const unsigned *step)
{
  unsigned carry = 0;
  uint4 four = {0, 0, 0, 0};
  PERMI_UNROLL
  for (int w = 0; w < shape.words(); w++) {
    if (!(w & 3))
      four = ((const uint4 *)step)[w / 4];
    const unsigned long long sum =
        (unsigned long long)x[w] + permi_exact_word(four, w & 3) + (shape.carries(w) ? carry : 0u);
    to[w] = (unsigned)sum;
    carry = (unsigned)(sum >> 32);
  }
}

/* Makes c the magnitude of a row sum; returns its sign in bit 31. */
template <class S>
PERMI_BOTH unsigned permi_exact_magnitude(const S &shape, const unsigned *x, int line, int wide, unsigned *c)
{
  const int at = shape.at(line);
  const unsigned top = x[at + wide - 1], mask = top >> 31 ? 0xffffffffu : 0u;
  unsigned carry = mask & 1u;
  PERMI_UNROLL
  for (int k = 0; k < wide; k++) {
    const unsigned long long sum = (unsigned long long)(x[at + k] ^ mask) + carry;
    c[k] = (unsigned)sum;
    carry = (unsigned)(sum >> 32);
  }
  return top;
}

/* Sets out to p c modulo 2^(32 grown), p of `words` words, then `fill`. */
template <int ROOM>
PERMI_BOTH void permi_exact_times(unsigned *out, int grown, const unsigned *p, int words, unsigned fill,
                                  const unsigned *c, int wide)
{
  PERMI_UNROLL
  for (int j = 0; j < wide; j++) {
    unsigned carry = 0;
    PERMI_UNROLL
    for (int k = 0; k < grown - j; k++) {
      const unsigned word = k < words ? p[k] : fill;
      const unsigned long long t =
          (unsigned long long)word * c[j] + (unsigned long long)(j ? out[k + j] : 0u) + carry;
      out[k + j] = (unsigned)t;
      carry = (unsigned)(t >> 32);
    }
  }
}

/* Multiplies a group into the product: real ones as magnitudes, signs in bit 31 of `sign`; complex ones in two's
   complement, the imaginary part ROOM words on. */
template <class S>
PERMI_BOTH void permi_exact_group(const S &shape, int g, const unsigned *x, unsigned *p, unsigned &sign)
{
  const int first = shape.first(g), end = shape.first(g + 1);
  const int words = g ? shape.product(g - 1) : 0, grown = shape.product(g);
  const int wide = shape.wide(g);
  unsigned c[2][3] = {{0, 0, 0}, {0, 0, 0}}, signs[2] = {0, 0}, out[2 * S::ROOM] = {0};
  if (S::PARTS == 1) {
    if (wide == 1) {
      int y = permi_exact_value(shape, x, first);
      PERMI_UNROLL
      for (int r = first + 1; r < end; r++)
        y *= permi_exact_value(shape, x, r);
      sign ^= (unsigned)y;
      c[0][0] = (unsigned)(y < 0 ? -y : y);
    } else {
      sign ^= permi_exact_magnitude(shape, x, first, wide, c[0]);
    }
    if (g == 0) {
      PERMI_UNROLL
      for (int k = 0; k < grown; k++)
        p[k] = c[0][k];
    } else {
      permi_exact_times<S::ROOM>(out, grown, p, words, 0u, c[0], wide);
      PERMI_UNROLL
      for (int k = 0; k < grown; k++)
        p[k] = out[k];
    }
  } else {
    if (wide == 1) {
      unsigned re = (unsigned)permi_exact_value(shape, x, 2 * first);
      unsigned im = (unsigned)permi_exact_value(shape, x, 2 * first + 1);
      PERMI_UNROLL
      for (int r = first + 1; r < end; r++) {
        const unsigned a = (unsigned)permi_exact_value(shape, x, 2 * r);
        const unsigned b = (unsigned)permi_exact_value(shape, x, 2 * r + 1);
        const unsigned was = re;
        re = re * a - im * b;
        im = was * b + im * a;
      }
      signs[0] = re;
      signs[1] = im;
      c[0][0] = re >> 31 ? 0u - re : re;
      c[1][0] = im >> 31 ? 0u - im : im;
    } else {
      signs[0] = permi_exact_magnitude(shape, x, 2 * first, wide, c[0]);
      signs[1] = permi_exact_magnitude(shape, x, 2 * first + 1, wide, c[1]);
    }
    PERMI_UNROLL
    for (int part = 0; part < 2; part++) {
      PERMI_UNROLL
      for (int term = 0; term < 2; term++) {
        const int other = part ^ term;
        unsigned one[S::ROOM] = {0};
        unsigned mask = (signs[other] >> 31) ^ (unsigned)(term & (part ^ 1)) ? 0xffffffffu : 0u;
        unsigned carry = mask & 1u;
        const unsigned fill = g && p[term * S::ROOM + (words ? words - 1 : 0)] >> 31 ? 0xffffffffu : 0u;
        if (g == 0 && term)
          continue;
        if (g)
          permi_exact_times<S::ROOM>(one, grown, p + term * S::ROOM, words, fill, c[other], wide);
        PERMI_UNROLL
        for (int k = 0; k < grown; k++) {
          const unsigned word = g ? one[k] : k < 3 ? c[part][k < 3 ? k : 0] : 0u;
          const unsigned long long sum =
              (unsigned long long)(word ^ mask) + (term ? out[part * S::ROOM + k] : 0u) + carry;
          out[part * S::ROOM + k] = (unsigned)sum;
          carry = (unsigned)(sum >> 32);
        }
      }
    }
    PERMI_UNROLL
    for (int part = 0; part < 2; part++) {
      PERMI_UNROLL
      for (int k = 0; k < grown; k++)
        p[part * S::ROOM + k] = out[part * S::ROOM + k];
    }
  }
}

/* Multiplies the groups from G on; recursive, so that G is a constant. */
template <class S, int G, int END>
struct permi_exact_groups {
  static PERMI_BOTH void run(const S &shape, const unsigned *x, unsigned *p, unsigned &sign)
  {
    permi_exact_group(shape, G, x, p, sign);
    permi_exact_groups<S, G + 1, END>::run(shape, x, p, sign);
  }
};

template <class S, int END>
struct permi_exact_groups<S, END, END> {
  static PERMI_BOTH void run(const S &, const unsigned *, unsigned *, unsigned &) {}
};

template <class S>
PERMI_BOTH void permi_exact_term(const S &shape, const unsigned *x, unsigned odd, unsigned *sum)
{
  unsigned p[S::PARTS * S::ROOM] = {0};
  unsigned sign = odd << 31;
  if (S::GROUPS)
    permi_exact_groups<S, 0, S::GROUPS>::run(shape, x, p, sign);
  else
    for (int g = 0; g < shape.groups(); g++)
      permi_exact_group(shape, g, x, p, sign);
  PERMI_UNROLL
  for (int part = 0; part < S::PARTS; part++) {
    const int words = shape.product(shape.groups() - 1);
    const unsigned mask = sign >> 31 ? 0xffffffffu : 0u;
    const unsigned fill = S::PARTS == 2 && p[part * S::ROOM + words - 1] >> 31 ? 0xffffffffu : 0u;
    unsigned carry = mask & 1u;
    PERMI_UNROLL
    for (int k = 0; k < shape.sum(); k++) {
      const unsigned long long t =
          (unsigned long long)((k < words ? p[part * S::ROOM + k] : fill) ^ mask) + sum[part * S::SUM_ROOM + k] + carry;
      sum[part * S::SUM_ROOM + k] = (unsigned)t;
      carry = (unsigned)(t >> 32);
    }
  }
}

template <class S>
PERMI_BOTH void permi_exact_start(const S &shape, const unsigned *table, unsigned long long number, int high,
                                  unsigned *x)
{
  PERMI_UNROLL
  for (int w = 0; w < shape.words(); w++)
    x[w] = table[w];
  PERMI_ROLLED
  for (int k = 0; k < high; k++)
    if (number >> k & 1)
      permi_exact_step(shape, x, x, table + shape.stride() * (1 + k));
}

/* Returns the bits of the block columns' settings in which an even row is 0. */
template <class S>
PERMI_BOTH unsigned long long permi_exact_zeros(const S &shape, const unsigned *x, const unsigned long long *masks)
{
  unsigned long long zeros = 0;
  PERMI_UNROLL
  for (int z = 0; z < shape.zeros(); z++) {
    const int line = shape.zero_line(z);
    zeros |= masks[shape.zero_base(z) + (int)(x[shape.at(line)] >> 8 * shape.kind(line) & 255)];
  }
  return zeros;
}

/* Sums a chunk. When skipping, a warp collects the settings in which no even row is 0, and shares these few out. */
template <class S>
__device__ __forceinline__ void permi_exact_chunk(const S &shape, const permi_arguments<1> &a)
{
  extern __shared__ double2 permi_shared[];
  const unsigned *table = (const unsigned *)a.table;
  const int t = (int)threadIdx.x, lane = t & 31;
  const int totals = (S::PARTS * shape.sum() + 1) / 2 * 2;
  const int stride = shape.stride();
  unsigned long long *total = (unsigned long long *)permi_shared;
  unsigned long long *masks = total + totals;
  unsigned *walk = (unsigned *)(masks + shape.masks());
  unsigned *settings = walk + stride * (2 * a.walk + 1);
  unsigned *states = settings + stride * 64;
  unsigned short *queue = (unsigned short *)(states + stride * 128) + (t >> 5) * 2048;
  const unsigned long long number = (a.first + blockIdx.x) << 7 | (unsigned long long)t;
  unsigned sum[S::PARTS * S::SUM_ROOM] = {0}, x[S::WORDS] = {0};
  for (int i = t; i < totals; i += 128)
    total[i] = 0;
  for (int i = t; i < stride * (2 * a.walk + 1); i += 128)
    walk[i] = table[stride * (1 + a.high) + i];
  if (S::SKIP) {
    const unsigned *more = table + stride * (2 + a.high + 2 * a.walk);
    for (int i = t; i < stride * 64; i += 128)
      settings[i] = more[i];
    for (int i = t; i < shape.masks(); i += 128)
      masks[i] = ((const unsigned long long *)(more + stride * 64))[i];
  }
  __syncthreads();
  permi_exact_start(shape, table, number, a.high, x);
  const unsigned *row = walk + stride * 2 * a.walk;
  PERMI_ROLLED
  for (unsigned m = 0; m < 1u << a.walk; m++) {
    permi_exact_step(shape, x, x, row);
    row = walk + stride * permi_walk_row(m);
    if (!S::SKIP) {
      permi_exact_term(shape, x, (m ^ (unsigned)permi_parity(number)) & 1u, sum);
    } else {
      unsigned long long alive = ~permi_exact_zeros(shape, x, masks);
      const unsigned odd = (m ^ (unsigned)permi_parity(number >> 5)) & 1u;
      int at = __popcll(alive), end = at;
      for (int k = 1; k < 32; k *= 2) {
        const int before = __shfl_up_sync(0xffffffffu, end, k);
        end += lane >= k ? before : 0;
      }
      at = end - at;
      end = __shfl_sync(0xffffffffu, end, 31);
      PERMI_UNROLL
      for (int w = 0; w < S::WORDS; w += 4) {
        const uint4 four = {x[w], x[w + 1], x[w + 2], x[w + 3]};
        ((uint4 *)(states + stride * t))[w / 4] = four;
      }
      for (int half = 0; half < 2; half++)
        for (unsigned left = (unsigned)(alive >> 32 * half); left; left &= left - 1)
          queue[at++] = (unsigned short)(lane << 6 | half << 5 | permi_ctz(left));
      __syncwarp();
      for (int i = lane; i < end; i += 32) {
        const int code = queue[i];
        unsigned own[S::WORDS], y[S::WORDS];
        PERMI_UNROLL
        for (int w = 0; w < S::WORDS; w += 4) {
          const uint4 four = ((const uint4 *)(states + stride * (t - lane + (code >> 6))))[w / 4];
          PERMI_UNROLL
          for (int k = 0; k < 4; k++)
            own[w + k] = permi_exact_word(four, k);
        }
        permi_exact_step(shape, y, own, settings + stride * (code & 63));
        permi_exact_term(shape, y, odd ^ (unsigned)(__popc((unsigned)code) & 1), sum);
      }
      __syncwarp();
    }
  }
  PERMI_UNROLL
  for (int i = 0; i < S::PARTS * shape.sum(); i++) /* words apart, carries last: any order gives the same */
    atomicAdd(total + i, (unsigned long long)sum[i / shape.sum() * S::SUM_ROOM + i % shape.sum()]);
  __syncthreads();
  for (int i = t; i < S::PARTS * shape.sum(); i += 128)
    ((unsigned long long *)a.out)[(unsigned long long)S::PARTS * shape.sum() * blockIdx.x + i] = total[i];
}
)
/* clang-format on */
/* SPDX-License-Identifier: MIT */
