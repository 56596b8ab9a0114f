/* ==================================================================================== >>text_counts
   The kernels for sums over counts, see perm_gpu_counts. */
#pragma once
#include "text.h"

/* clang-format off */
PERMI_TEXT(counts,
template <class S>
PERMI_BOTH void permi_counts_term(const S &shape, const double *x, double *term)
{
  term[0] = 1;
  term[1] = 0;
  PERMI_UNROLL
  for (int f = 0; f < shape.forms(); f++) {
    const double *at = x + f * S::PARTS * (1 + S::LOW);
    const double a = S::LOW ? permi_add(at[0], at[1]) : at[0];
    if (S::PARTS == 1) {
      double power = a;
      PERMI_UNROLL
      for (int k = shape.before(f + 1) - shape.before(f); k > 0; k /= 2) {
        term[0] = k & 1 ? permi_mul(term[0], power) : term[0];
        power = permi_mul(power, power);
      }
    } else {
      const double number[2] = {a, S::LOW ? permi_add(at[2], at[3]) : at[1]};
      PERMI_UNROLL
      for (int k = shape.before(f); k < shape.before(f + 1); k++)
        permi_number_times<2>(term, number);
    }
  }
}

template <class S>
PERMI_BOTH void permi_counts_form(const S &shape, int f, const double *x, int absolute, double *e)
{
  const double *at = x + f * S::PARTS * (1 + S::LOW);
  const int needed = shape.needed();
  double a = S::LOW ? permi_add(at[0], at[1]) : at[0];
  double b = S::PARTS == 1 ? 0 : S::LOW ? permi_add(at[2], at[3]) : at[1];
  if (absolute) {
    a = permi_add(fabs(a), fabs(b));
    b = 0;
  }
  PERMI_UNROLL
  for (int copy = shape.before(f); copy < shape.before(f + 1); copy++) {
    const int most = copy + 1 < needed ? copy + 1 : needed;
    const int least = needed + copy + 1 - shape.before(shape.forms());
    PERMI_UNROLL
    for (int k = most; k >= (least < 1 ? 1 : least); k--) {
      if (S::PARTS == 1) {
        e[k] = permi_fma(a, e[k - 1], e[k]);
      } else {
        e[2 * k] = permi_fma(-b, e[2 * k - 1], permi_fma(a, e[2 * k - 2], e[2 * k]));
        e[2 * k + 1] = permi_fma(b, e[2 * k - 2], permi_fma(a, e[2 * k - 1], e[2 * k + 1]));
      }
    }
  }
}

template <class S, int F, int END>
struct permi_counts_forms {
  static PERMI_BOTH void run(const S &shape, const double *x, int absolute, double *e)
  {
    permi_counts_form(shape, F, x, absolute, e);
    permi_counts_forms<S, F + 1, END>::run(shape, x, absolute, e);
  }
};

template <class S, int END>
struct permi_counts_forms<S, END, END> {
  static PERMI_BOTH void run(const S &, const double *, int, double *) {}
};

template <class S>
PERMI_BOTH void permi_counts_symmetric(const S &shape, const double *x, int absolute, double *term)
{
  double e[S::PARTS * (S::NEEDED + 1)];
  PERMI_UNROLL
  for (int k = 0; k < (shape.needed() + 1) * S::PARTS; k++)
    e[k] = k == 0 ? 1 : 0;
  if (S::FORMS)
    permi_counts_forms<S, 0, S::FORMS>::run(shape, x, absolute, e);
  else
    for (int f = 0; f < shape.forms(); f++)
      permi_counts_form(shape, f, x, absolute, e);
  term[0] = e[S::PARTS * shape.needed()];
  term[1] = S::PARTS == 2 ? e[2 * shape.needed() + 1] : 0;
}

/* Thread t's part of a chunk. Table: threads, chunks, high digits, the walk's place; radix and weights' place of high
   digits; start; steps of high, low digits; weights; the walk, term by term: weight, digit that moves (from 1;
   negative: down). */
template <class S>
PERMI_BOTH void permi_counts_walk(const S &shape, const double *table, unsigned mask, unsigned long long chunk, int t,
                                  double *out)
{
  const int size = shape.forms() * S::PARTS * (1 + S::LOW);
  const int high = (int)table[2];
  const double *start = table + 4 + 2 * high;
  const double *steps = start + size;
  const double *walk = table + (int)table[3];
  const unsigned long long threads = (unsigned long long)table[0];
  const unsigned long long chunks = (unsigned long long)table[1];
  const unsigned long long each = threads / chunks;
  const unsigned long long rest = threads % chunks;
  const unsigned long long begin = chunk * each + (chunk < rest ? chunk : rest);
  const unsigned long long end = begin + each + (chunk < rest ? 1 : 0);
  double total[2] = {0, 0};
  double low[2] = {0, 0};
  double moduli = 0, x[S::SIZE];
  PERMI_ROLLED
  for (unsigned long long number = begin + (unsigned long long)t; number < end; number += 128) {
    unsigned long long left = number;
    double weight = 1;
    double hi[2] = {0, 0};
    double lo[2] = {0, 0};
    double absolute = 0;
    PERMI_UNROLL
    for (int i = 0; i < size; i++)
      x[i] = start[i];
    PERMI_ROLLED
    for (int d = 0; d < high; d++) {
      const unsigned long long radix = (unsigned long long)table[4 + 2 * d];
      const int v = (int)(left % radix);
      left /= radix;
      weight = permi_mul(weight, table[(int)table[5 + 2 * d] + v]);
      PERMI_UNROLL
      for (int i = 0; i < size; i++)
        x[i] = permi_fma((double)v, steps[d * size + i], x[i]); /* exact, as all forms */
    }
    PERMI_ROLLED
    for (int m = 0; m < shape.walk(); m++) {
      const int move = (int)walk[2 * m + 1];
      const double w = walk[2 * m];
      double term[2], error;
      if (move) {
        const double *step = steps + (high + (move < 0 ? -move : move) - 1) * size;
        const double sign = move < 0 ? -1 : 1;
        PERMI_UNROLL
        for (int i = 0; i < size; i++)
          x[i] = permi_fma(sign, step[i], x[i]);
      }
      if (S::NEEDED > 0) {
        if (permi_sampled(permi_term_key(chunk, (unsigned)(number - begin) / 128, (unsigned)m), mask)) {
          permi_counts_symmetric(shape, x, 1, term);
          absolute = permi_fma(fabs(w), term[0], absolute);
        }
        permi_counts_symmetric(shape, x, 0, term);
      } else {
        permi_counts_term(shape, x, term);
        absolute = permi_fma(fabs(w), permi_add(fabs(term[0]), fabs(term[1])), absolute);
      }
      PERMI_UNROLL
      for (int part = 0; part < S::PARTS; part++) {
        permi_two_sum(hi[part], error, hi[part], permi_mul(w, term[part]));
        lo[part] = permi_add(lo[part], error);
      }
    }
    PERMI_UNROLL
    for (int part = 0; part < S::PARTS; part++) {
      double product, error;
      permi_two_product(product, error, hi[part], weight);
      error = permi_fma(lo[part], weight, error);
      permi_two_sum(total[part], product, total[part], product);
      low[part] = permi_add(low[part], permi_add(product, error));
    }
    moduli = permi_fma(absolute, fabs(weight), moduli);
  }
  out[0] = total[0];
  out[1] = low[0];
  out[2] = total[1];
  out[3] = low[1];
  out[4] = moduli;
}

template <class S>
__device__ __forceinline__ void permi_counts_chunk(const S &shape, const permi_arguments<1> &a)
{
  extern __shared__ double2 permi_shared[];
  double *room = (double *)permi_shared;
  double *table = room + 640;
  const int t = (int)threadIdx.x;
  double out[5];
  for (int i = t; i < shape.table(); i += 128)
    table[i] = a.table[i];
  __syncthreads();
  permi_counts_walk(shape, table, a.mask, a.first + blockIdx.x, t, out);
  permi_finish(room, a.out, out);
}
)
/* clang-format on */
/* SPDX-License-Identifier: MIT */
