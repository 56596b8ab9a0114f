/* ===================================================================================== >>text_proof
   The kernel for the polynomial of a proof modulo a prime p below 2^50: see perm_gpu_proof, and >>polynomial of
   perm_more.h; arithmetic as in >>arithmetic. A block is 32 points, a lane each, whose row sums stay in registers. Its
   four warps share the other columns' settings, and before that the sums by which Lagrange's weights make the signs
   D_j. */
#pragma once
#include "text.h"

/* clang-format off */
PERMI_TEXT(proof,
struct permi_proof_prime {
  double p;
  double inverse;
};

PERMI_BOTH double permi_proof_quotient(double x, const permi_proof_prime &prime)
{
  return permi_add(permi_fma(x, prime.inverse, 6755399441055744.0), -6755399441055744.0);
}

PERMI_BOTH double permi_proof_reduce(double x, const permi_proof_prime &prime)
{
  return permi_fma(-permi_proof_quotient(x, prime), prime.p, x);
}

PERMI_BOTH double permi_proof_product(double a, double b, const permi_proof_prime &prime)
{
  const double high = permi_mul(a, b);
  const double low = permi_fma(a, b, -high);
  return permi_add(low, permi_fma(-permi_proof_quotient(high, prime), prime.p, high));
}

/* A warp's quarter of the sums over s of weight[s] / (t - s), with the signs of each column, with S, with none: to
   form[j * 32]. Sixteen s at a time: sums of four, then of four of these. */
template <class S>
PERMI_BOTH void permi_proof_sums(const S &shape, const permi_proof_prime &prime, const double *weight,
                                 const double *inverse, int t, int quarter, double *form)
{
  const int signs = shape.signs();
  const int quarters = 1 << (signs - 2);
  double sum[S::SIGNS + 2];
  PERMI_UNROLL
  for (int j = 0; j < signs + 2; j++)
    sum[j] = 0;
  PERMI_ROLLED
  for (int s = quarter * quarters; s < (quarter + 1) * quarters; s += 16) {
    double low[6] = {0, 0, 0, 0, 0, 0};
    PERMI_UNROLL
    for (int g = 0; g < 4; g++) {
      double x[4] = {0, 0, 0, 0};
      PERMI_UNROLL
      for (int k = 0; k < 4; k++)
        x[k] = permi_proof_product(weight[s + 4 * g + k], inverse[t - s - 4 * g - k], prime);
      const double a = permi_add(x[0], x[1]);
      const double b = permi_add(x[2], x[3]);
      const double c = permi_add(x[0], -x[1]);
      const double d = permi_add(x[2], -x[3]);
      const double all = permi_proof_reduce(permi_add(a, b), prime);
      const double odd = permi_proof_reduce(permi_add(c, -d), prime);
      low[0] = permi_add(low[0], permi_proof_reduce(permi_add(c, d), prime));
      low[1] = permi_add(low[1], permi_proof_reduce(permi_add(a, -b), prime));
      low[2] = permi_add(low[2], g & 1 ? -all : all);
      low[3] = permi_add(low[3], g & 2 ? -all : all);
      low[4] = permi_add(low[4], g == 1 || g == 2 ? -odd : odd);
      low[5] = permi_add(low[5], all);
    }
    PERMI_UNROLL
    for (int j = 0; j < signs + 2; j++) {
      const int high = j < signs ? s >> j & 1 : j == signs ? permi_parity((unsigned long long)(s >> 4)) : 0;
      const double x = j < 4 ? low[j < 4 ? j : 0] : j == signs ? low[4] : low[5];
      sum[j] = permi_proof_reduce(permi_add(sum[j], j >= 4 && high ? -x : x), prime);
    }
  }
  PERMI_UNROLL
  for (int j = 0; j < signs + 2; j++)
    form[32 * j] = sum[j];
}

PERMI_BOTH double permi_proof_inverse(double x, const permi_proof_prime &prime)
{
  double power = 1;
  PERMI_ROLLED
  for (unsigned long long e = (unsigned long long)prime.p - 2; e; e >>= 1) {
    power = e & 1 ? permi_proof_product(power, x, prime) : power;
    x = permi_proof_product(x, x, prime);
  }
  return power;
}

/* The warp's share of D_j and S at t, from the sums of all quarters, or by themselves. */
template <class S>
PERMI_BOTH void permi_proof_forms(const S &shape, const permi_proof_prime &prime, int t, int quarter, double *form)
{
  const int signs = shape.signs();
  const int apart = 32 * (signs + 2);
  const double *total = form + 32 * (signs + 1);
  double by = 0;
  if (t >> signs)
    by = permi_proof_inverse(permi_proof_reduce(permi_add(permi_add(total[0], total[apart]),
                                                          permi_add(total[2 * apart], total[3 * apart])), prime),
                             prime);
  PERMI_ROLLED
  for (int j = quarter; j <= signs; j += 4) {
    double *at = form + 32 * j;
    const int minus = j < signs ? t >> j & 1 : permi_parity((unsigned long long)t);
    if (t >> signs)
      at[0] = permi_proof_product(permi_proof_reduce(permi_add(permi_add(at[0], at[apart]),
                                                               permi_add(at[2 * apart], at[3 * apart])), prime),
                                  by, prime);
    else
      at[0] = minus ? -1 : 1;
  }
}

/* The warp's share of the signed products: of the settings of all columns but those of D_j and one. `columns`: start,
   steps, entries, see perm_gpu_proof; table: in shared memory. */
template <class S>
PERMI_BOTH double permi_proof_walk(const S &shape, const permi_proof_prime &prime, const double *columns,
                                   const double *table, const double *form, int quarter)
{
  const int rows = shape.rows();
  const int outer = shape.outer();
  const int fixed = outer < 2 ? outer : 2;
  const double *step = columns + rows;
  const double *entry = step + outer * rows;
  double x[S::ROWS];
  double total = 0;
  if (quarter >> fixed)
    return 0;
  PERMI_UNROLL
  for (int i = 0; i < rows; i++)
    x[i] = columns[i];
  PERMI_ROLLED
  for (int j = 0; j < fixed; j++)
    if (quarter >> j & 1) {
      PERMI_UNROLL
      for (int i = 0; i < rows; i++)
        x[i] = permi_proof_reduce(permi_add(x[i], -step[(outer - fixed + j) * rows + i]), prime);
    }
  PERMI_ROLLED
  for (int j = 0; j < shape.signs(); j++) {
    const double d = form[32 * j];
    PERMI_UNROLL
    for (int i = 0; i < rows; i++)
      x[i] = permi_proof_reduce(permi_add(x[i], permi_proof_product(d, entry[j * rows + i], prime)), prime);
  }
  PERMI_ROLLED
  for (unsigned state = 0;;) {
    const int odd = (int)(state & 1) ^ permi_parity((unsigned long long)quarter);
    PERMI_ROLLED
    for (int s = 0; s < shape.settings() / 4; s++) {
      const double2 *four = (const double2 *)(table + 4 * s * rows);
      double p[4] = {0, 0, 0, 0};
      PERMI_UNROLL
      for (int i = 0; i < rows; i++) {
        const double2 one = four[2 * i];
        const double2 two = four[2 * i + 1];
        PERMI_UNROLL
        for (int k = 0; k < 4; k++) {
          const double y = permi_add(x[i], k == 0 ? one.x : k == 1 ? one.y : k == 2 ? two.x : two.y);
          p[k] = i ? permi_proof_product(p[k], y, prime) : y;
        }
      }
      const double sum = permi_add(permi_add(p[0], -p[1]), permi_add(p[3], -p[2]));
      total = permi_proof_reduce(permi_add(total, odd ^ permi_parity((unsigned long long)s) ? -sum : sum), prime);
    }
    if (++state >> (outer - fixed))
      return total;
    const int j = permi_ctz(state);
    const int minus = (int)((state ^ state >> 1) >> j & 1);
    PERMI_UNROLL
    for (int i = 0; i < rows; i++) {
      const double y = step[j * rows + i];
      x[i] = permi_proof_reduce(permi_add(x[i], minus ? -y : y), prime);
    }
  }
}

/* P(t), from the shares, 32 apart. */
PERMI_BOTH double permi_proof_end(const permi_proof_prime &prime, const double *share, double signs)
{
  const double sum = permi_add(permi_add(share[0], share[32]), permi_add(share[64], share[96]));
  const double value = permi_proof_product(permi_proof_reduce(sum, prime), signs, prime);
  return value < 0 ? permi_add(value, prime.p) : value;
}

template <class S>
__device__ __forceinline__ void permi_proof_chunk(const S &shape, const permi_arguments<1> &a)
{
  extern __shared__ double2 permi_shared[];
  double *table = (double *)permi_shared;
  double *room = table + shape.settings() * shape.rows();
  const double *weight = a.table + 4;
  const double *columns = weight + (1 << shape.signs());
  const int words = (1 + shape.outer() + shape.signs()) * shape.rows();
  const int lane = (int)threadIdx.x & 31;
  const int quarter = (int)threadIdx.x >> 5;
  const int t = (int)a.table[(long long)a.table[2] + (long long)(a.first + blockIdx.x)] + lane;
  const permi_proof_prime prime = {a.table[0], a.table[1]};
  double share = 0;
  for (int i = (int)threadIdx.x; i < shape.settings() * shape.rows(); i += 128)
    table[i] = columns[words + i];
  if (t >> shape.signs())
    permi_proof_sums(shape, prime, weight, columns + words + shape.settings() * shape.rows(), t, quarter,
                     room + 32 * (shape.signs() + 2) * quarter + lane);
  __syncthreads();
  permi_proof_forms(shape, prime, t, quarter, room + lane);
  __syncthreads();
  share = permi_proof_walk(shape, prime, columns, table, room + lane, quarter);
  __syncthreads();
  table[32 * quarter + lane] = share;
  __syncthreads();
  if (quarter == 0)
    a.out[32 * (unsigned long long)blockIdx.x + lane] =
        permi_proof_end(prime, table + lane, room[32 * shape.signs() + lane]);
}
)
/* clang-format on */
/* SPDX-License-Identifier: MIT */
