/* ============================================================================== >>text_batch_floats
   Many matrices of one order in pairs of floats: >>text_batch with >>text_floats' walk, whose tables threads make. */
#pragma once
#include "text_batch.h"
#include "text_floats.h"

/* clang-format off */
PERMI_TEXT(batch_floats,
/* Low words are multiples of 2^(UNIT - 62): 24 bits hold their sums. */
template <int WALK>
struct permi_batch_low {
  enum { UNIT = WALK < 4 ? 15 : WALK < 8 ? 16 : 17 };
};

/* A row over its pivot, if that is not 0, times a number of 24 bits that makes |row sum| < 1. */
template <int N, int PARTS>
PERMI_BOTH void permi_batch_row(permi_batch_room<N, PARTS, float> &room, int i, int pivot, int plain)
{
  typedef permi_batch_room<N, PARTS, float> R;
  enum { UNIT = permi_batch_low<R::WALK>::UNIT };
  const double *row = room.a + i * N * PARTS;
  const double c_re = row[pivot * PARTS];
  const double c_im = PARTS == 2 ? row[pivot * PARTS + PARTS - 1] : 0;
  const double square = permi_fma(c_re, c_re, permi_mul(c_im, c_im));
  const bool none = c_re == 0 && c_im == 0;
  unsigned long long *start = (unsigned long long *)room.table + i * PARTS;
  float *walk = (float *)(room.table + R::STRIDE * (1 + R::HIGH)) + 2 * i * PARTS;
  double norm = 1e-30, times = 0;
  double sample[R::SAMPLES][2] = {{0, 0}};
  long long first[2][2] = {{0, 0}, {0, 0}};
  long long fixed[2] = {0, 0};
  PERMI_ROLLED
  for (int pass = 0; pass < 2; pass++) {
    int at = -1;
    PERMI_ROLLED
    for (int j = 0; j < N; j++) {
      double z[2] = {row[j * PARTS], PARTS == 2 ? row[j * PARTS + PARTS - 1] : 0};
      if (j == pivot && !none)
        z[0] = 1, z[1] = 0;
      else if (!none)
        permi_batch_divide<PARTS>(z, c_re, c_im, square);
      at += j != pivot;
      PERMI_UNROLL
      for (int part = 0; part < PARTS; part++) {
        if (pass == 0) {
          norm = permi_add(norm, fabs(z[part]));
        } else {
          const double scaled = permi_mul(permi_mul(z[part], times), 4611686018427387904.0);
          const long long x = fabs(scaled) <= 4611686018427387904.0 ? (long long)scaled : 0;
          const long long high = (x + (1ll << 37)) >> 38;
          const long long low = (x - high * (1ll << 38) + (1ll << UNIT >> 1)) >> UNIT;
          PERMI_UNROLL
          for (int k = 0; k < R::SAMPLES; k++)
            sample[k][part] = permi_add(sample[k][part], 2.168404344971009e-19 *
                                                             (double)((j + 1) * 0x9e3779b9u >> (27 + k) & 1 ? -x : x));
          if (j != pivot && (at == 0 || at > R::WALK)) {
            fixed[part] += x;
            if (at)
              start[R::STRIDE * (at - R::WALK) + part] = 2 * (unsigned long long)x;
          } else {
            first[part][0] += high;
            first[part][1] += low;
            for (int up = 0; up < 2 && j != pivot; up++) {
              float *step = walk + 2 * R::STRIDE * (2 * (at - 1) + up) + 2 * part;
              step[0] = (float)(up ? 2 * high : -2 * high) * 5.9604644775390625e-8f;
              step[1] = (float)(up ? 2 * low : -2 * low) * (float)((1 << UNIT) * 2.168404344971009e-19);
            }
          }
        }
      }
    }
    if (pass == 0)
      times = none ? 1 / permi_mul(norm, 1.00002) : permi_mul(floor(16777151.0 / norm), 5.9604644775390625e-8);
  }
  room.arguments.constant[i] = none ? 0 : (float)(2 * times);
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++) {
    float *step = walk + 4 * R::STRIDE * R::WALK + 2 * part;
    start[part] = (unsigned long long)fixed[part];
    step[0] = (float)first[part][0] * 5.9604644775390625e-8f;
    step[1] = (float)first[part][1] * (float)((1 << UNIT) * 2.168404344971009e-19);
    room.pivot[i * PARTS + part] = (none ? 1.0 - part : row[pivot * PARTS + part]) / times;
    if (i == 0) /* products begin at 2^120 */
      room.pivot[part] = permi_mul(room.pivot[part], 7.52316384526264e-37);
  }
  PERMI_UNROLL
  for (int k = 0; k < R::SAMPLES; k++) { /* M + u L of the bound */
    const double lost = (R::WALK + 1) * PARTS * ((1 << UNIT) * 1.0842021724855044e-19 + 1.7763568394002505e-15);
    const double size = permi_add(permi_add(fabs(sample[k][0]), fabs(sample[k][1])), lost);
    room.size[i * R::SAMPLES + k] = size;
    room.share[i * R::SAMPLES + k] = lost / size;
  }
  if (plain)
    room.largest[i] = 0; /* the CPU's */
}

template <int N, int PARTS>
PERMI_BOTH void permi_batch_arguments(permi_batch_room<N, PARTS, float> &room, int)
{
  typedef permi_batch_room<N, PARTS, float> R;
  room.arguments.table = room.table;
  room.arguments.n = N;
  room.arguments.plain = permi_batch_low<R::WALK>::UNIT;
  room.arguments.block = 0;
  room.arguments.walk = R::WALK;
  room.arguments.high = R::HIGH;
  room.arguments.mask = R::MASK;
  room.arguments.constant[N] = (float)((1 << permi_batch_low<R::WALK>::UNIT) * 2.168404344971009e-19);
}

template <int N, int PARTS>
PERMI_BOTH void permi_batch_walk(permi_batch_room<N, PARTS, float> &room, int t, int, double *out)
{
  typedef permi_batch_room<N, PARTS, float> R;
  const float *walk = (const float *)(room.table + R::STRIDE * (1 + R::HIGH));
  permi_float_walk<N, PARTS, 1, 1, 0, 0, 2 * N + 1>(room.arguments, walk, 0, t, out);
}
)
/* clang-format on */
/* SPDX-License-Identifier: MIT */
