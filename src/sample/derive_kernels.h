/* ================================================================================= >>derive_kernels
   Sums of x y for >>derive_frontier, of a block of doubles and each of its origins (>>array_kernels). */

#if PERMI_WIDTH >= 4
PERMI_TARGET static void PERMI_NAME(block_dots)(const permi_numbers *numbers, void *block, size_t count,
                                                const permi_origin *origin, int origins)
{
  const double *x = (const double *)block;
  size_t k;
  int i;
  (void)numbers;
  for (; origins > 0; origins--, origin++) {
    const double *y = (const double *)origin->x;
    double lane[PERMI_WIDTH], other[PERMI_WIDTH], *sum = (double *)origin->sum;
    PERMI_V all = PERMI_SET(0.0);
    if (!sum)
      continue;
    for (k = 0; k + PERMI_WIDTH <= count; k += PERMI_WIDTH)
      if (!PERMI_NAME(array_nothing)(origin, k))
        all = PERMI_FMA(PERMI_LOAD_ANY(x + k), origin->place ? PERMI_NAME(array_fetch)(y, origin, k, PERMI_WIDTH)
                                                             : PERMI_LOAD_ANY(y + k), all);
    for (i = 0; k < count && i < PERMI_WIDTH; i++) {
      const size_t at = k + (size_t)i;
      const int here = at < count && (!origin->place || origin->place[at] != PERMI_ARRAY_NOWHERE);
      lane[i] = here ? x[at] : 0;
      other[i] = here ? y[origin->place ? origin->place[at] : at] : 0;
    }
    if (k < count)
      all = PERMI_FMA(PERMI_LOAD_ANY(lane), PERMI_LOAD_ANY(other), all);
    PERMI_STORE_ANY(lane, all);
    for (i = 0; i < PERMI_WIDTH; i++)
      *sum += lane[i];
  }
}
#endif
/* SPDX-License-Identifier: MIT */
