/* ================================================================================ >>text_amplitudes
   The kernel of amplitudes, a thread a state. */
#pragma once
#include "text.h"

/* clang-format off */
PERMI_TEXT(amplitudes,
struct permi_photon_arguments {
  const double *from;
  double *to;                      /* of place `origin` */
  double *norm;                    /* sums of |A|^2 of blocks, or NULL */
  const unsigned long long *ranks; /* P_j(d), T_j(d): [2][mode][n + 2] */
  const double *c, *root;          /* [mode][2]; of 0 .. n */
  const int *most;
  unsigned long long low, high, origin; /* places */
  int modes, n, layer, probabilities;
};

/* Adds a photon to the state at a place; returns |A|^2. */
PERMI_BOTH double permi_photon(const permi_photon_arguments &a, unsigned long long place)
{
  const unsigned long long *rank = a.ranks + (a.modes - 1) * (a.n + 2);
  unsigned long long left = place, shift = 0;
  double y[4] = {0, 0, 0, 0};
  int before = a.layer;
  PERMI_ROLLED
  for (int j = a.modes - 1; j >= 0 && before > 0; j--, rank -= a.n + 2) {
    const int full = a.most[j];
    int d = before > full ? before - full : 0;
    left += j > 0 && j < a.modes - 1 ? rank[d] : 0;
    while (j > 0 && rank[d + 1] <= left)
      d++;
    d = j > 0 ? d : 0;
    left -= rank[d];
    if (before > d) {
      const double *x = a.from + 2 * (place - shift);
      const double re = permi_mul(a.root[before - d], a.c[2 * j]), im = permi_mul(a.root[before - d], a.c[2 * j + 1]);
      y[0] = permi_fma(x[0], re, y[0]);
      y[1] = permi_fma(x[1], re, y[1]);
      y[2] = permi_fma(x[0], im, y[2]);
      y[3] = permi_fma(x[1], im, y[3]);
    }
    shift += rank[a.modes * (a.n + 2) + d];
    before = d;
  }
  const double re = permi_add(y[0], -y[3]), im = permi_add(y[1], y[2]);
  const double square = permi_add(permi_mul(re, re), permi_mul(im, im));
  if (a.probabilities) {
    a.to[place - a.origin] = square;
  } else {
    a.to[2 * (place - a.origin)] = re;
    a.to[2 * (place - a.origin) + 1] = im;
  }
  return square;
}

__device__ __forceinline__ void permi_photons_block(const permi_photon_arguments &a)
{
  __shared__ double sum[256];
  const unsigned long long place = a.low + 256ull * blockIdx.x + threadIdx.x;
  sum[threadIdx.x] = place < a.high ? permi_photon(a, place) : 0;
  for (unsigned half = 128; a.norm && half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      sum[threadIdx.x] = permi_add(sum[threadIdx.x], sum[threadIdx.x + half]);
  }
  if (a.norm && threadIdx.x == 0)
    a.norm[blockIdx.x] = sum[0];
}
)
/* clang-format on */

#define PERMI_PHOTON_THREADS 256
/* SPDX-License-Identifier: MIT */
