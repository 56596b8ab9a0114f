/* ============================================================================ >>coefficients_kernels
   Sums of blocks of >>coefficients: a state is some ways of >>rook_kernels. */

#if PERMI_WIDTH != 2 /* NEON runs plain C */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(coefficients_sum)(PERMI_P p, const permi_rook_way *way, int ways, double *y,
                                                            size_t words, int whole)
{
  size_t at = 0;
#if PERMI_WIDTH >= 4
  if (whole) {
    for (; at + 16 <= words; at += 16)
      PERMI_NAME(rook_words)(way, ways, y, at, 16 / PERMI_WIDTH);
    if (at < words)
      PERMI_NAME(rook_words)(way, ways, y, at, 8 / PERMI_WIDTH);
    return;
  }
#endif
  (void)whole;
  for (; at + 16 <= words; at += 16)
    PERMI_NAME(rook_sum)(p, way, ways, y, at, 16 / PERMI_WIDTH);
  if (at < words)
    PERMI_NAME(rook_sum)(p, way, ways, y, at, 8 / PERMI_WIDTH);
}

PERMI_TARGET static void PERMI_NAME(block_coefficients)(const permi_numbers *numbers, void *to, size_t count,
                                                        const permi_origin *origin, int origins)
{
  const size_t words = (size_t)numbers->words;
  const double prime = numbers->modulus > 1 ? (double)numbers->modulus : 0;
  const PERMI_P p = PERMI_NAME(prime_of)(prime, prime > 0 ? 1 / prime : 0);
  permi_rook_way way[PERMI_COEFFICIENT_WAYS + 1];
  size_t k;
  int s, side;
  for (k = 0; k < count; k++) {
    double *y = (double *)to + k * words, terms = 0;
    const permi_rook_way again = {y, NULL, 1, 1, 1, 0};
    int ways = 0;
    for (s = 0; s < origins; s++) {
      const size_t place = origin[s].place ? origin[s].place[k] : k;
      if (origin[s].place && place == PERMI_ARRAY_NOWHERE)
        continue;
      for (side = 0; side < 2; side++) {
        const double c = side ? origin[s].c->imaginary : origin[s].real;
        const int is_short = prime == 0 || fabs(c) <= 4;
        const double size = is_short ? fabs(c) : 2; /* in units of p / 2 */
        if (c == 0)
          continue;
        if (ways == PERMI_COEFFICIENT_WAYS) {
          PERMI_NAME(coefficients_sum)(p, way, ways, y, words, numbers->modulus == 0);
          way[0] = again;
          ways = 1;
          terms = 1;
        }
        way[ways].x = (const double *)origin[s].x + place * words - side;
        way[ways].mask = NULL;
        way[ways].c = c;
        way[ways].word = (uint64_t)origin[s].c->integer[side];
        way[ways].is_short = is_short;
        way[ways].full = prime > 0 && terms + size > 7;
        terms = (way[ways].full ? 1 : terms) + size;
        ways++;
      }
    }
    PERMI_NAME(coefficients_sum)(p, way, ways, y, words, numbers->modulus == 0);
    y[0] = 0;
  }
}
#endif
/* SPDX-License-Identifier: MIT */
