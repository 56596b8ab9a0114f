/* ===================================================================================== >>text_batch
   The kernels for many matrices of one order. */
#pragma once
#include "text.h"

/* clang-format off */
PERMI_TEXT(batch,
/* The kernel's arguments. A value stays if (base + share * shares) / relative of the sum of |terms| is no more. */
struct permi_batch_given {
  const double *in;
  double *out;              /* values; NaN: left */
  unsigned long long *left; /* how many, and PERM_GPU_BATCH_LIST numbers of theirs, or NULL */
  unsigned long long count, first;
  double base, shares, relative;
  int n;
};

/* Computes a matrix by a team of 8 to 128 threads, with the tables of >>gpu in shared memory: pivot form, or plain if
   every column has a small entry. F float: >>text_batch_floats. */
template <int N, int PARTS, class F = double>
struct alignas(16) permi_batch_room {
  enum { TEAM = N < 9 ? 8 : N < 10 ? 16 : N < 17 ? 32 : 128, MOST = N < 9 ? 3 : N < 10 ? 4 : N < 17 ? 5 : 7,
         HIGH = N - 2 < MOST ? N - 2 : MOST, WALK = N - 2 - HIGH, STRIDE = (N * PARTS + 1) / 2 * 2,
         SAMPLES = 4, MASK = WALK < 5 ? 0 : 3, COUNT = N * PARTS };
  double table[STRIDE * (2 + HIGH + 2 * WALK)];
  double a[N * N * PARTS];
  permi_arguments<sizeof(F) == 8 ? N * PARTS : 2 * N + 1, F> arguments;
  double largest[N], worst[N], pivot[N * PARTS];
  double size[N * SAMPLES], share[N * SAMPLES];
};

PERMI_BOTH double permi_batch_size(const double *z, int parts)
{
  const double x = fabs(z[0]), y = parts == 2 ? fabs(z[1]) : 0;
  return x < y ? y : x;
}

template <int N, int PARTS, class F>
PERMI_BOTH void permi_batch_row_largest(permi_batch_room<N, PARTS, F> &room, int i)
{
  double most = 0;
  PERMI_ROLLED
  for (int j = 0; j < N; j++) {
    const double size = permi_batch_size(room.a + (i * N + j) * PARTS, PARTS);
    most = size <= most ? most : size;
  }
  room.largest[i] = most;
}

/* Floats need no pivot where it is 0. */
template <int N, int PARTS, class F>
PERMI_BOTH void permi_batch_column_worst(permi_batch_room<N, PARTS, F> &room, int j)
{
  double least = 1;
  PERMI_ROLLED
  for (int i = 0; i < N; i++) {
    const double share = permi_batch_size(room.a + (i * N + j) * PARTS, PARTS) / room.largest[i];
    least = share < least && (sizeof(F) == 8 || share > 0) ? share : least;
  }
  room.worst[j] = least;
}

/* Returns the pivot column; *plain says that no row is divided. */
template <int N, int PARTS, class F>
PERMI_BOTH int permi_batch_pivot(const permi_batch_room<N, PARTS, F> &room, int *plain)
{
  int best = 0;
  PERMI_ROLLED
  for (int j = 1; j < N; j++)
    best = room.worst[j] > room.worst[best] ? j : best;
  *plain = !(room.worst[best] * (sizeof(F) == 8 ? 1024 : 65536) >= 1);
  return best;
}

template <int PARTS>
PERMI_BOTH void permi_batch_divide(double *z, double c_re, double c_im, double square)
{
  if (PARTS == 1) {
    z[0] = z[0] / c_re;
  } else {
    const double re = permi_fma(z[0], c_re, permi_mul(z[1], c_im));
    const double im = permi_fma(z[1], c_re, -permi_mul(z[0], c_im));
    z[0] = re / square;
    z[1] = im / square;
  }
}

template <int N, int PARTS>
PERMI_BOTH void permi_batch_row(permi_batch_room<N, PARTS> &room, int i, int pivot, int plain)
{
  typedef permi_batch_room<N, PARTS> R;
  const double *row = room.a + i * N * PARTS;
  const double c_re = row[pivot * PARTS];
  const double c_im = PARTS == 2 ? row[pivot * PARTS + PARTS - 1] : 0;
  const double square = permi_fma(c_re, c_re, permi_mul(c_im, c_im));
  double norm[2] = {0, 0}, start[2] = {0, 0}, power[2];
  double sample[R::SAMPLES][2] = {{0, 0}};
  PERMI_ROLLED
  for (int pass = 0; pass < 2; pass++) {
    int at = -1;
    PERMI_ROLLED
    for (int j = 0; j < N; j++) {
      double z[2] = {row[j * PARTS], PARTS == 2 ? row[j * PARTS + PARTS - 1] : 0};
      if (j == pivot && !plain)
        z[0] = 1, z[1] = 0;
      else if (!plain)
        permi_batch_divide<PARTS>(z, c_re, c_im, square);
      at += j != pivot;
      PERMI_UNROLL
      for (int part = 0; part < PARTS; part++) {
        if (pass == 0) {
          norm[part] = permi_add(norm[part], fabs(z[part]));
        } else {
          const double magic = permi_mul(1.5, power[part]);
          const double x = permi_add(permi_add(z[part], magic), -magic);
          double *step = room.table + i * PARTS + part;
          PERMI_UNROLL
          for (int k = 0; k < R::SAMPLES; k++)
            sample[k][part] = permi_add(sample[k][part], (j + 1) * 0x9e3779b9u >> (27 + k) & 1 ? -x : x);
          if (j == pivot) {
            room.pivot[i * PARTS + part] = plain ? 1 - part : row[j * PARTS + part];
            room.arguments.constant[i * PARTS + part] = x;
          } else {
            start[part] = permi_add(start[part], x);
            if (at > R::WALK) {
              step[R::STRIDE * (at - R::WALK)] = permi_mul(2.0, x);
            } else if (at > 0) {
              step[R::STRIDE * (1 + R::HIGH + 2 * (at - 1))] = permi_mul(-2.0, x);
              step[R::STRIDE * (2 + R::HIGH + 2 * (at - 1))] = permi_mul(2.0, x);
            }
          }
        }
      }
    }
    PERMI_UNROLL
    for (int part = 0; part < PARTS && pass == 0; part++) {
      norm[part] = permi_add(permi_mul(norm[part], 1.0000001), 1e-30);
      power[part] = permi_of_bits((permi_bits(norm[part]) + 0xfffffffffffffll) & 0x7ff0000000000000ll);
    }
  }
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++) {
    room.table[i * PARTS + part] = start[part];
    room.table[R::STRIDE * (1 + R::HIGH + 2 * R::WALK) + i * PARTS + part] = 0;
  }
  PERMI_UNROLL
  for (int k = 0; k < R::SAMPLES; k++) {
    const double lost = permi_mul(permi_add(norm[0], norm[1]), 4.4e-16);
    const double size = permi_add(permi_add(fabs(sample[k][0]), fabs(sample[k][1])), lost);
    room.size[i * R::SAMPLES + k] = size;
    room.share[i * R::SAMPLES + k] = lost / size;
  }
}

/* Sets five numbers of out, 128 apart. */
template <int N, int PARTS>
PERMI_BOTH void permi_batch_walk(permi_batch_room<N, PARTS> &room, int t, int plain, double *out)
{
  typedef permi_batch_room<N, PARTS> R;
  const double *walk = room.table + R::STRIDE * (1 + R::HIGH);
  double kept[5];
  if (plain)
    permi_walk<N, PARTS, 0, 0, 0, N, R::COUNT, 1>(room.arguments, walk, 0, t, kept);
  else
    permi_walk<N, PARTS, 0, 0, 0, 0, R::COUNT, 1>(room.arguments, walk, 0, t, kept);
  for (int k = 0; k < 5; k++)
    out[128 * k] = t >> R::HIGH ? 0 : kept[k];
}

template <int N, int PARTS>
PERMI_BOTH void permi_batch_arguments(permi_batch_room<N, PARTS> &room, int plain)
{
  typedef permi_batch_room<N, PARTS> R;
  room.arguments.table = room.table;
  room.arguments.n = N;
  room.arguments.plain = plain ? N : 0;
  room.arguments.block = 0;
  room.arguments.walk = R::WALK;
  room.arguments.high = R::HIGH;
  room.arguments.mask = R::MASK;
}

/* Sets out to the permanent, the sum of |terms| and the share that rounding may have taken (huge: the CPU must take the
   matrix). `sum` has hi, lo, hi, lo, sum of |terms|, `apart` doubles apart. */
template <int N, int PARTS, class F>
PERMI_BOTH void permi_batch_finish(const permi_batch_room<N, PARTS, F> &room, const double *sum, int apart, double *out)
{
  typedef permi_batch_room<N, PARTS, F> R;
  double all[2] = {1, 0}, weights = 0, share = 0;
  bool fine = sizeof(F) == 8 || sum[4 * apart] > 1e-12;
  PERMI_ROLLED
  for (int i = 0; i < N; i++) {
    fine = fine && room.largest[i] >= 1e-6 && room.largest[i] <= 1e10;
    permi_number_times<PARTS>(all, room.pivot + i * PARTS);
  }
  all[0] = permi_mul(all[0], 1.0 / (double)(1ll << (N - 1)));
  all[1] = permi_mul(all[1], 1.0 / (double)(1ll << (N - 1)));
  PERMI_ROLLED
  for (int k = 0; k < R::SAMPLES; k++) {
    double weight = 1, part = 0;
    PERMI_ROLLED
    for (int i = 0; i < N; i++) {
      weight = permi_mul(weight, room.size[i * R::SAMPLES + k]);
      part = permi_add(part, room.share[i * R::SAMPLES + k]);
    }
    weights = permi_add(weights, weight);
    share = permi_fma(weight, part, share);
  }
  {
    const double total[2] = {permi_add(sum[0], sum[apart]), PARTS == 2 ? permi_add(sum[2 * apart], sum[3 * apart]) : 0};
    out[2] = permi_mul(permi_mul(sum[4 * apart], R::MASK + 1.0), permi_add(fabs(all[0]), fabs(all[1])));
    permi_number_times<PARTS>(all, total);
    out[0] = all[0];
    out[1] = all[1];
    out[3] = fine && weights > 0 ? share / weights : 1e300;
  }
}

/* Writes the value that permi_batch_finish found, or NaN, and notes that. */
template <int PARTS>
PERMI_BOTH void permi_batch_keep(const permi_batch_given &a, const double *found, unsigned long long matrix)
{
  double *out = a.out + PARTS * matrix;
  const double size = permi_add(fabs(found[0]), fabs(found[1]));
  const double value = permi_mul(size, found[1] != 0 ? 1 + 4.440892098500626e-16 : 1); /* permi_modulus */
  const double unit = permi_add(a.base, permi_mul(found[3], a.shares)) / a.relative;
  const bool stays = value <= 1.7976931348623157e308 && value > 1e-250 && permi_mul(unit, found[2]) <= value &&
                     found[3] <= a.relative;
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++)
    out[part] = stays ? found[part] : permi_of_bits(0x7ff8000000000000ll);
  if (!stays && a.left) {
    const unsigned long long at = permi_atomic_add(a.left, 1);
    if (at < 16384)
      a.left[1 + at] = a.first + matrix;
  }
}

template <int N, int PARTS, class F>
__device__ __forceinline__ void permi_batch_kernel(const permi_batch_given &a)
{
  typedef permi_batch_room<N, PARTS, F> R;
  extern __shared__ double2 permi_shared[];
  double *fold = (double *)permi_shared;
  const int t = (int)threadIdx.x, i = t % R::TEAM;
  const unsigned long long matrix = blockIdx.x * (128ull / R::TEAM) + (unsigned long long)(t / R::TEAM);
  R &room = ((R *)(fold + 5 * 128))[t / R::TEAM];
  int plain, pivot;
  if (matrix < a.count)
    for (int k = i; k < N * N * PARTS; k += R::TEAM)
      room.a[k] = a.in[matrix * (N * N * PARTS) + k];
  __syncthreads();
  if (i < N)
    permi_batch_row_largest(room, i);
  __syncthreads();
  if (i < N)
    permi_batch_column_worst(room, i);
  __syncthreads();
  pivot = permi_batch_pivot(room, &plain);
  if (i < N)
    permi_batch_row(room, i, pivot, plain);
  if (i == 0)
    permi_batch_arguments(room, plain);
  __syncthreads();
  if (matrix < a.count)
    permi_batch_walk(room, i, plain, fold + t);
  for (int half = R::TEAM / 2; half; half /= 2) {
    __syncthreads();
    if (i < half)
      permi_fold(fold, t, half);
  }
  if (i == 0 && matrix < a.count) {
    double found[4];
    permi_batch_finish(room, fold + t, 128, found);
    permi_batch_keep<PARTS>(a, found, matrix);
  }
}
)
/* clang-format on */
/* SPDX-License-Identifier: MIT */
