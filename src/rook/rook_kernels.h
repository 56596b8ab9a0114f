/* =================================================================================== >>rook_kernels
   Values of >>placements in units of 64 bytes: y = sum of c x, modulo 2^32 or 2^64. */

#if PERMI_WIDTH >= 4
#define PERMI_ROOK_PARTS (8 / PERMI_WIDTH) /* vectors of a unit */
#define PERMI_ROOK_PLANES 4                /* share lanes */

PERMI_TARGET static PERMI_ALWAYS_INLINE PERMI_I PERMI_NAME(rook_part)(const permi_rook_lanes *lanes, const char *from,
                                                                      int i)
{
  const PERMI_I *x = (const PERMI_I *)(const void *)from;
  if (!lanes)
    return x[i];
#if PERMI_WIDTH == 8
  return _mm512_permutexvar_epi32(PERMI_I_LOAD_ANY(lanes->from), x[i]) & PERMI_I_LOAD_ANY(lanes->mask);
#else
  return _mm256_permutevar8x32_epi32(x[i ^ lanes->other_half], PERMI_I_LOAD_ANY(lanes->from + 8 * i)) &
         PERMI_I_LOAD_ANY(lanes->mask + 8 * i);
#endif
}

/* kind: 2 for 64 bits, and 1 for factors. */
PERMI_TARGET static PERMI_ALWAYS_INLINE void PERMI_NAME(rook_unit)(int kind, int planes, size_t pitch,
                                                                   const permi_rook_way *way, int ways, ptrdiff_t at,
                                                                   char *y, PERMI_I *any)
{
  PERMI_I sum[PERMI_ROOK_PLANES][PERMI_ROOK_PARTS];
  int s, i, k;
  PERMI_UNROLL
  for (k = 0; k < planes; k++)
    PERMI_UNROLL
    for (i = 0; i < PERMI_ROOK_PARTS; i++)
      sum[k][i] = PERMI_I_SET(0);
  for (s = 0; s < ways; s++) {
    const permi_rook_lanes *lanes = way[s].lanes;
    const char *x = way[s].x + at;
    PERMI_UNROLL
    for (k = 0; k < planes; k++)
      PERMI_UNROLL
      for (i = 0; i < PERMI_ROOK_PARTS; i++) {
        PERMI_I part = PERMI_NAME(rook_part)(lanes, x - (size_t)k * pitch, i);
        if (kind == 3)
          part = part * (long long)way[s].c;
        else if (kind == 1)
          part = PERMI_I_MUL32(part, PERMI_I_SET(way[s].c));
        sum[k][i] = kind >= 2 ? PERMI_I_ADD64(sum[k][i], part) : PERMI_MM(add_epi32)(sum[k][i], part);
      }
  }
  PERMI_UNROLL
  for (k = 0; k < planes; k++)
    PERMI_UNROLL
    for (i = 0; i < PERMI_ROOK_PARTS; i++) {
      const PERMI_I total = sum[k][i];
      any[i] = any[i] | (total ^ (kind >= 2 ? (PERMI_I)(total >> 63) : PERMI_MM(srai_epi32)(total, 31)));
      PERMI_I_STORE(y + at - (size_t)k * pitch + i * (64 / PERMI_ROOK_PARTS), total);
    }
}

PERMI_TARGET static PERMI_ALWAYS_INLINE void PERMI_NAME(rook_sum)(const permi_rook_pass *pass, int kind,
                                                                  const permi_rook_way *way, int ways, int planes,
                                                                  char *y, uint64_t *seen)
{
  PERMI_I any[PERMI_ROOK_PARTS];
  size_t r, k;
  int i;
  PERMI_UNROLL
  for (i = 0; i < PERMI_ROOK_PARTS; i++)
    any[i] = PERMI_I_LOAD_ANY(seen + i * PERMI_WIDTH);
  for (r = 0; r < pass->repeats; r++)
    for (k = 0; k < pass->run; k++) {
      ptrdiff_t at = (ptrdiff_t)((r * pass->stride + k) * 64);
      int left = planes;
      for (; left >= PERMI_ROOK_PLANES; left -= PERMI_ROOK_PLANES, at -= (ptrdiff_t)(PERMI_ROOK_PLANES * pass->pitch))
        PERMI_NAME(rook_unit)(kind, PERMI_ROOK_PLANES, pass->pitch, way, ways, at, y, any);
      for (; left > 0; left--, at -= (ptrdiff_t)pass->pitch)
        PERMI_NAME(rook_unit)(kind, 1, 0, way, ways, at, y, any);
    }
  PERMI_UNROLL
  for (i = 0; i < PERMI_ROOK_PARTS; i++)
    PERMI_I_STORE_ANY(seen + i * PERMI_WIDTH, any[i]);
}
#undef PERMI_ROOK_PARTS
#undef PERMI_ROOK_PLANES
#else
static void PERMI_NAME(rook_sum)(const permi_rook_pass *pass, int kind, const permi_rook_way *way, int ways, int planes,
                                 char *y, uint64_t *seen)
{
  size_t r, k;
  int plane, s, i;
  for (plane = 0; plane < planes; plane++)
    for (r = 0; r < pass->repeats; r++)
      for (k = 0; k < pass->run; k++) {
        const ptrdiff_t at = (ptrdiff_t)((r * pass->stride + k) * 64) - plane * (ptrdiff_t)pass->pitch;
        uint32_t sum[16] = {0}, x[16];
        uint64_t sums[8] = {0}, xs[8];
        for (s = 0; s < ways; s++) {
          const permi_rook_lanes *lanes = way[s].lanes;
          memcpy(x, way[s].x + at, sizeof x);
          for (i = 0; lanes && i < 16; i++) {
            memcpy(&x[i], way[s].x + at + 4 * lanes->from[i], sizeof *x);
            x[i] &= lanes->mask[i];
          }
          memcpy(xs, x, sizeof xs);
          for (i = 0; kind >= 2 && i < 8; i++)
            sums[i] += (uint64_t)way[s].c * xs[i];
          for (i = 0; kind < 2 && i < 16; i++)
            sum[i] += (uint32_t)way[s].c * x[i];
        }
        for (i = 0; i < 16; i++)
          seen[0] |= kind < 2 ? sum[i] ^ (0 - (sum[i] >> 31)) : sums[i / 2] ^ (0 - (sums[i / 2] >> 63));
        memcpy(y + at, kind >= 2 ? (const void *)sums : (const void *)sum, 64);
      }
}
#endif

PERMI_UNUSED PERMI_TARGET static void PERMI_NAME(rook_values)(const permi_rook_pass *pass, const permi_rook_way *way,
                                                              int ways, int planes, char *y, uint64_t *seen)
{
  if (pass->words == 0 && !pass->times)
    PERMI_NAME(rook_sum)(pass, 0, way, ways, planes, y, seen);
  else if (pass->words == 0)
    PERMI_NAME(rook_sum)(pass, 1, way, ways, planes, y, seen);
  else if (!pass->times)
    PERMI_NAME(rook_sum)(pass, 2, way, ways, planes, y, seen);
  else
    PERMI_NAME(rook_sum)(pass, 3, way, ways, planes, y, seen);
}
/* SPDX-License-Identifier: MIT */
