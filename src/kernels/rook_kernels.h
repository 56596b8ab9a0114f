/* =================================================================================== >>rook_kernels
   Values of >>placements in units of 64 bytes: y = sum of c x, modulo 2^32 or 2^64. */

#if PERMI_WIDTH >= 4
#define PERMI_ROOK_PARTS (8 / PERMI_WIDTH) /* vectors of a unit */

PERMI_TARGET static PERMI_ALWAYS_INLINE PERMI_I PERMI_NAME(rook_part)(const permi_rook_way *way, size_t at, int i)
{
  const permi_rook_lanes *lanes = way->lanes;
  const PERMI_I *x = (const PERMI_I *)(const void *)(way->x + at);
  if (!lanes)
    return x[i];
#if PERMI_WIDTH == 8
  return _mm512_permutexvar_epi32(PERMI_I_LOAD_ANY(lanes->from), x[i]) & PERMI_I_LOAD_ANY(lanes->mask);
#else
  return _mm256_permutevar8x32_epi32(x[i ^ lanes->other_half], PERMI_I_LOAD_ANY(lanes->from + 8 * i)) &
         PERMI_I_LOAD_ANY(lanes->mask + 8 * i);
#endif
}

PERMI_TARGET static PERMI_ALWAYS_INLINE void PERMI_NAME(rook_sum)(const permi_rook_pass *pass, int wide, int times,
                                                                  const permi_rook_way *way, int ways, char *y,
                                                                  uint64_t *seen)
{
  PERMI_I any[PERMI_ROOK_PARTS];
  size_t r, k;
  int s, i;
  PERMI_UNROLL
  for (i = 0; i < PERMI_ROOK_PARTS; i++)
    any[i] = PERMI_I_LOAD_ANY(seen + i * PERMI_WIDTH);
  for (r = 0; r < pass->repeats; r++)
    for (k = 0; k < pass->run; k++) {
      const size_t at = (r * pass->stride + k) * 64;
      PERMI_I sum[PERMI_ROOK_PARTS];
      PERMI_UNROLL
      for (i = 0; i < PERMI_ROOK_PARTS; i++)
        sum[i] = PERMI_I_SET(0);
      for (s = 0; s < ways; s++) {
        PERMI_UNROLL
        for (i = 0; i < PERMI_ROOK_PARTS; i++) {
          PERMI_I x = PERMI_NAME(rook_part)(&way[s], at, i);
          if (times && wide)
            x = x * (long long)way[s].c;
          else if (times)
            x = PERMI_I_MUL32(x, PERMI_I_SET(way[s].c));
          sum[i] = wide ? PERMI_I_ADD64(sum[i], x) : PERMI_MM(add_epi32)(sum[i], x);
        }
      }
      PERMI_UNROLL
      for (i = 0; i < PERMI_ROOK_PARTS; i++) {
        any[i] = any[i] | (sum[i] ^ (wide ? (PERMI_I)(sum[i] >> 63) : PERMI_MM(srai_epi32)(sum[i], 31)));
        PERMI_I_STORE(y + at + i * (64 / PERMI_ROOK_PARTS), sum[i]);
      }
    }
  PERMI_UNROLL
  for (i = 0; i < PERMI_ROOK_PARTS; i++)
    PERMI_I_STORE_ANY(seen + i * PERMI_WIDTH, any[i]);
}
#undef PERMI_ROOK_PARTS
#else
PERMI_TARGET static PERMI_ALWAYS_INLINE void PERMI_NAME(rook_sum)(const permi_rook_pass *pass, int wide, int times,
                                                                  const permi_rook_way *way, int ways, char *y,
                                                                  uint64_t *seen)
{
  size_t r, k;
  int s, i;
  (void)times;
  for (r = 0; r < pass->repeats; r++)
    for (k = 0; k < pass->run; k++) {
      const size_t at = (r * pass->stride + k) * 64;
      uint32_t sum[16], x[16];
      uint64_t sums[8], xs[8];
      memset(sum, 0, sizeof sum);
      memset(sums, 0, sizeof sums);
      for (s = 0; s < ways; s++) {
        const permi_rook_lanes *lanes = way[s].lanes;
        memcpy(x, way[s].x + at, sizeof x);
        for (i = 0; lanes && i < 16; i++) {
          memcpy(&x[i], way[s].x + at + 4 * lanes->from[i], sizeof *x);
          x[i] &= lanes->mask[i];
        }
        memcpy(xs, x, sizeof xs);
        if (wide)
          for (i = 0; i < 8; i++)
            sums[i] += (uint64_t)way[s].c * xs[i];
        else
          for (i = 0; i < 16; i++)
            sum[i] += (uint32_t)way[s].c * x[i];
      }
      for (i = 0; !wide && i < 16; i++)
        seen[0] |= sum[i] ^ (0 - (sum[i] >> 31));
      for (i = 0; wide && i < 8; i++)
        seen[0] |= sums[i] ^ (0 - (sums[i] >> 63));
      memcpy(y + at, wide ? (const void *)sums : (const void *)sum, 64);
    }
}
#endif

PERMI_TARGET static void PERMI_NAME(rook_values)(const permi_rook_pass *pass, const permi_rook_way *way, int ways,
                                                 char *y, uint64_t *seen)
{
  if (pass->words == 0 && !pass->times)
    PERMI_NAME(rook_sum)(pass, 0, 0, way, ways, y, seen);
  else if (pass->words == 0)
    PERMI_NAME(rook_sum)(pass, 0, 1, way, ways, y, seen);
  else if (!pass->times)
    PERMI_NAME(rook_sum)(pass, 1, 0, way, ways, y, seen);
  else
    PERMI_NAME(rook_sum)(pass, 1, 1, way, ways, y, seen);
}
/* SPDX-License-Identifier: MIT */
