/* ================================================================================== >>signs_kernels
   The search of >>signs. Sums are modulo 2^64 a word: any order will do. */

#if PERMI_WIDTH >= 4
#define PERMI_SIGNS_V PERMI_I
#define PERMI_SIGNS_ADD(a, b) PERMI_I_ADD64(a, b)
#else
#define PERMI_SIGNS_V uint64_t
#define PERMI_SIGNS_ADD(a, b) ((a) + (b))
#endif
#define PERMI_SIGNS_VECTORS ((int)(PERMI_SIGNS_WORDS * sizeof(uint64_t) / sizeof(PERMI_SIGNS_V)))
#define PERMI_SIGNS_LOAD(p, i) (((const PERMI_SIGNS_V *)(const void *)(p))[i])
#define PERMI_SIGNS_STORE(p, i, v) (((PERMI_SIGNS_V *)(void *)(p))[i] = (v))

/* Returns 1 if a byte of a is that of b. Borrows start at zero bytes. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(signs_meet)(const uint64_t *a, const uint64_t *b)
{
#if PERMI_WIDTH == 8
  return _mm512_cmpeq_epi8_mask(PERMI_SIGNS_LOAD(a, 0), PERMI_SIGNS_LOAD(b, 0)) != 0;
#elif PERMI_WIDTH == 4
  return _mm256_movemask_epi8(_mm256_cmpeq_epi8(PERMI_SIGNS_LOAD(a, 0), PERMI_SIGNS_LOAD(b, 0)) |
                              _mm256_cmpeq_epi8(PERMI_SIGNS_LOAD(a, 1), PERMI_SIGNS_LOAD(b, 1))) != 0;
#else
  uint64_t met = 0;
  for (int i = 0; i < PERMI_SIGNS_WORDS; i++)
    met |= permi_signs_zeros(a[i] ^ b[i]);
  return met != 0;
#endif
}

PERMI_TARGET PERMI_INLINE int PERMI_NAME(signs_any)(const uint64_t *a)
{
#if PERMI_WIDTH == 8
  return _mm512_test_epi64_mask(PERMI_SIGNS_LOAD(a, 0), PERMI_SIGNS_LOAD(a, 0)) != 0;
#elif PERMI_WIDTH == 4
  const PERMI_I any = PERMI_SIGNS_LOAD(a, 0) | PERMI_SIGNS_LOAD(a, 1);
  return !_mm256_testz_si256(any, any);
#else
  return (a[0] | a[1] | a[2] | a[3] | a[4] | a[5] | a[6] | a[7]) != 0;
#endif
}

/* Sets column k. Reads counts of the frame before, as a store under way would stall bytes. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(signs_advance)(permi_signs_walk *walk, int k, int bit)
{
  const permi_signs *signs = walk->signs;
  const permi_signs_frame *from = &walk->frame[k];
  permi_signs_frame *to = &walk->frame[k + 1];
  const unsigned char *count = (const unsigned char *)from->count;
  int64_t product = bit ? -walk->product[k] : walk->product[k];
  walk->counted[0]++;
  walk->known[0] &= k > signs->last[0];
  walk->known[1] &= k > signs->last[1];
  for (int i = 0; i < PERMI_SIGNS_VECTORS; i++) {
    PERMI_SIGNS_V v = PERMI_SIGNS_LOAD(from->count, i);
    if (bit)
      v = PERMI_SIGNS_ADD(v, PERMI_SIGNS_LOAD(signs->column[k], i));
    PERMI_SIGNS_STORE(to->count, i, v);
  }
  if (signs->done_place[k] < signs->done_place[k + 1]) {
    if (PERMI_NAME(signs_meet)(to->count, signs->done[k]))
      return 0;
    for (int place = signs->done_place[k]; signs->narrow && place < signs->done_place[k + 1]; place++)
      product *= permi_signs_value(signs, (const unsigned char *)to->count, place);
  }
  walk->product[k + 1] = product;
  for (int block = 0; block < 2; block++) {
    const permi_signs_cut *cut = signs->cut + signs->cut_start[2 * k + block];
    const permi_signs_cut *end = signs->cut + signs->cut_start[2 * k + block + 1];
    PERMI_SIGNS_V alive[PERMI_SIGNS_VECTORS];
    for (int i = 0; i < PERMI_SIGNS_VECTORS; i++)
      alive[i] = PERMI_SIGNS_LOAD(from->alive[block], i);
    if (cut < end) {
      for (; cut < end; cut++) {
        const uint64_t *left = cut->alive[count[cut->place] + (bit ? cut->entry : 0) - cut->least];
        for (int i = 0; i < PERMI_SIGNS_VECTORS; i++)
          alive[i] &= PERMI_SIGNS_LOAD(left, i);
      }
      if (!PERMI_NAME(signs_any)((const uint64_t *)(const void *)alive))
        return 0;
    }
    for (int i = 0; i < PERMI_SIGNS_VECTORS; i++)
      PERMI_SIGNS_STORE(to->alive[block], i, alive[i]);
  }
  return 1;
}

#if PERMI_WIDTH >= 4
/* Writes products of own rows with patterns, without signs; `vectors` of 32 rows. AVX2 is enough, as lists are short.
   */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(signs_products)(const permi_signs *signs, const uint64_t *count, int block,
                                                          const uint16_t *pattern, int patterns, int64_t *value,
                                                          int vectors, int fours)
{
  const uint64_t *own = count + signs->own_word[block], *add = signs->pattern[block] + signs->shared_words;
  const uint64_t rows = signs->own_rows[block];
  const __m256i codes = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)permi_signs_codes));
  const __m256i nibble = _mm256_set1_epi8(15);
  for (int k = 0; k < patterns; k++) {
    const uint64_t *word = add + pattern[k] * signs->width[block];
    uint64_t minus = 0, two = 0, four = 0, three = 0;
    for (int v = 0; v < vectors; v++) {
      const __m256i sum = _mm256_add_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(own + 4 * v)),
                                           _mm256_loadu_si256((const __m256i *)(const void *)(word + 4 * v)));
      const __m256i code = _mm256_shuffle_epi8(codes, sum & nibble);
      minus |= (uint64_t)(uint32_t)_mm256_movemask_epi8(code) << 32 * v;
      two |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(code, 7)) << 32 * v;
      three |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(code, 5)) << 32 * v;
      if (fours)
        four |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(code, 6)) << 32 * v;
    }
    const int twos = __builtin_popcountll(two & rows) + (fours ? 2 * __builtin_popcountll(four & rows) : 0);
    const int64_t sign = -(int64_t)(__builtin_popcountll(minus & rows) & 1);
    value[k] = ((signs->three[__builtin_popcountll(three & rows)] << twos) ^ sign) - sign;
  }
}

/* Returns v c modulo 2^64, |c| < 2^31. */
PERMI_TARGET PERMI_INLINE __m256i PERMI_NAME(signs_times)(__m256i v, __m256i c)
{
  const __m256i high = _mm256_srli_epi64(_mm256_add_epi64(v, _mm256_set1_epi64x(0x80000000)), 32);
  return _mm256_add_epi64(_mm256_mul_epi32(v, c), _mm256_slli_epi64(_mm256_mul_epu32(high, c), 32));
}
#endif

/* Sums over groups of block 1 their values times the products of shared rows, of counts u without block 1. */
PERMI_TARGET PERMI_INLINE int64_t PERMI_NAME(signs_partners)(permi_signs_walk *walk, const uint64_t *u, int groups,
                                                             int shared)
{
  const permi_signs *signs = walk->signs;
  int64_t sum = 0;
#if PERMI_WIDTH >= 4
  if (signs->by_table) { /* marks are 0 beyond the last row */
    const __m256i codes =
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)permi_signs_marks));
    const __m256i nibble = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
    __m256i sums = zero;
    for (int at = 0; at < groups; at += 4) {
      __m256i value = _mm256_loadu_si256((const __m256i *)(const void *)(walk->value[1] + at));
      for (int i = 0; i < shared; i++) {
        const __m256i count = _mm256_add_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(walk->word[i] + at)),
                                               _mm256_set1_epi64x((long long)u[i]));
        const __m256i dead = _mm256_cmpeq_epi8(count, _mm256_set1_epi64x((long long)signs->target[i]));
        const __m256i code = _mm256_shuffle_epi8(codes, count & nibble) &
                             _mm256_set1_epi64x((long long)signs->target_all[i]);
        const __m256i product = _mm256_i64gather_epi64((const long long *)(const void *)signs->product,
                                                       _mm256_sad_epu8(code, zero), 8);
        value = PERMI_NAME(signs_times)(value, product) & _mm256_cmpeq_epi64(dead, zero);
      }
      sums = _mm256_add_epi64(sums, value);
    }
    __m128i both = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return _mm_add_epi64(both, _mm_unpackhi_epi64(both, both))[0];
  }
#endif
  for (int at = 0; at < groups; at++) {
    uint64_t c[PERMI_SIGNS_WORDS], zeros = 0;
    for (int i = 0; i < shared; i++) {
      c[i] = u[i] + walk->word[i][at];
      zeros |= permi_signs_zeros(c[i] ^ signs->target[i]);
    }
    if (!zeros)
      sum += walk->value[1][at] * permi_signs_product(signs, (const unsigned char *)c, 0, signs->place[1]);
  }
  return sum;
}

/* Adds products of own rows over living patterns. Branches on patterns would be hard to predict. */
PERMI_TARGET PERMI_NEVER_INLINE static void PERMI_NAME(signs_group)(permi_signs_walk *walk,
                                                                    const permi_signs_frame *frame, int block)
{
  const permi_signs *signs = walk->signs;
  uint16_t *group = walk->group[block];
  int64_t *value = walk->value[block];
  const uint16_t *group_of = signs->group[block];
  uint16_t slot[1 << PERMI_SIGNS_BLOCK]; /* not used before it is written */
  uint16_t pattern[1 << PERMI_SIGNS_BLOCK];
  int64_t product[1 << PERMI_SIGNS_BLOCK];
  uint64_t seen[PERMI_SIGNS_WORDS] = {0, 0, 0, 0, 0, 0, 0, 0}, set[PERMI_SIGNS_WORDS];
  unsigned left = 0; /* words */
  int groups = 0, patterns = 0, k, w;
  for (w = 0; w < PERMI_SIGNS_WORDS; w++) {
    set[w] = frame->alive[block][w];
    left |= (unsigned)(set[w] != 0) << w;
  }
  while (left) {
    w = permi_trailing_zeros(left);
    pattern[patterns++] = (uint16_t)(w << 6 | permi_trailing_zeros(set[w]));
    set[w] &= set[w] - 1;
    left ^= (unsigned)!set[w] << w;
  }
  walk->counted[2] += (unsigned)patterns;
#if PERMI_WIDTH >= 4
  if (signs->by_table == 2 && signs->width[block] - signs->shared_words <= 4)
    PERMI_NAME(signs_products)(signs, frame->count, block, pattern, patterns, product, 1, 0);
  else if (signs->by_table)
    PERMI_NAME(signs_products)(signs, frame->count, block, pattern, patterns, product, 2, 1);
  else
#endif
    for (k = 0; k < patterns; k++)
      product[k] = permi_signs_own(signs, frame->count + signs->own_word[block], block,
                                   signs->pattern[block] + pattern[k] * signs->width[block] + signs->shared_words);
  for (k = 0; k < patterns; k++) {
    const int g = group_of[pattern[k]] >> 1, fresh = !(seen[g >> 6] >> (g & 63) & 1), at = fresh ? groups : slot[g];
    const int64_t minus = -(int64_t)(group_of[pattern[k]] & 1);
    seen[g >> 6] |= UINT64_C(1) << (g & 63);
    slot[g] = (uint16_t)at;
    group[at] = (uint16_t)g;
    value[at] = (product[k] ^ minus) - minus + (value[at] & -(int64_t)!fresh);
    groups += fresh;
  }
  for (k = 0; k < 3; k++)
    value[groups + k] = 0;
  walk->groups[block] = groups;
  walk->known[block] = 1;
}

PERMI_TARGET static void PERMI_NAME(signs_join)(permi_signs_walk *walk)
{
  const permi_signs *signs = walk->signs;
  const permi_signs_frame *frame = &walk->frame[signs->prefix];
  const int shared = signs->shared_words;
  permi_wide total = {0, 0};
  if (!walk->known[1]) {
    PERMI_NAME(signs_group)(walk, frame, 1);
    for (int i = 0; i < shared; i++)
      for (int g = 0; g < walk->groups[1]; g++)
        walk->word[i][g] = signs->group_word[1][walk->group[1][g] * shared + i];
  }
  if (!walk->known[0])
    PERMI_NAME(signs_group)(walk, frame, 0);
  walk->counted[1]++;
  walk->counted[3] += (uint64_t)(walk->groups[0] * walk->groups[1]);
  for (int g = 0; g < walk->groups[0]; g++) {
    const uint64_t *word = signs->group_word[0] + walk->group[0][g] * shared;
    uint64_t u[PERMI_SIGNS_WORDS];
    permi_wide sum;
    if (shared == 1) {
      u[0] = frame->count[0] + word[0];
      sum = permi_wide_of(PERMI_NAME(signs_partners)(walk, u, walk->groups[1], 1));
    } else {
      for (int i = 0; i < shared; i++)
        u[i] = frame->count[i] + word[i];
      sum = permi_wide_of(PERMI_NAME(signs_partners)(walk, u, walk->groups[1], shared));
    }
    permi_wide_add_product(&total, &sum, walk->value[0][g]);
  }
  permi_signs_total(walk, total);
}

PERMI_TARGET static void PERMI_NAME(signs_search)(permi_signs_walk *walk, int k)
{
  if (k == walk->signs->prefix) {
    if (walk->signs->narrow)
      PERMI_NAME(signs_join)(walk);
    else
      permi_signs_join_wide(walk);
    return;
  }
  if (PERMI_NAME(signs_advance)(walk, k, 0))
    PERMI_NAME(signs_search)(walk, k + 1);
  if (PERMI_NAME(signs_advance)(walk, k, 1))
    PERMI_NAME(signs_search)(walk, k + 1);
}

static const permi_signs_family PERMI_NAME(signs_family) = {PERMI_NAME(signs_advance), PERMI_NAME(signs_search)};

#undef PERMI_SIGNS_V
#undef PERMI_SIGNS_ADD
#undef PERMI_SIGNS_VECTORS
#undef PERMI_SIGNS_LOAD
#undef PERMI_SIGNS_STORE
/* SPDX-License-Identifier: MIT */
