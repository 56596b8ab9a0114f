/* ================================================================================== >>signs_kernels
   The search and the join of >>signs. Sums are modulo 2^64 a word, so their order does not matter. */

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

/* Is a byte of a that of b? Exact: a borrow starts at a zero byte. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(signs_meet)(const uint64_t *a, const uint64_t *b)
{
#if PERMI_WIDTH == 8
  return _mm512_cmpeq_epi8_mask(PERMI_SIGNS_LOAD(a, 0), PERMI_SIGNS_LOAD(b, 0)) != 0;
#elif PERMI_WIDTH == 4
  return _mm256_movemask_epi8(_mm256_cmpeq_epi8(PERMI_SIGNS_LOAD(a, 0), PERMI_SIGNS_LOAD(b, 0)) |
                              _mm256_cmpeq_epi8(PERMI_SIGNS_LOAD(a, 1), PERMI_SIGNS_LOAD(b, 1))) != 0;
#else
  uint64_t met = 0;
  int i;
  for (i = 0; i < PERMI_SIGNS_WORDS; i++)
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

PERMI_TARGET static int PERMI_NAME(signs_step)(permi_signs_walk *walk, int k, int bit)
{
  const permi_signs *signs = walk->signs;
  const permi_signs_frame *from = &walk->frame[k];
  permi_signs_frame *to = &walk->frame[k + 1];
  const permi_signs_cut *cut = signs->cut + signs->cut_start[k], *end = signs->cut + signs->cut_start[k + 1];
  const unsigned char *count = (const unsigned char *)to->count;
  int64_t product = bit ? -walk->product[k] : walk->product[k];
  int i, place;
  walk->nodes++;
  for (i = 0; i < PERMI_SIGNS_VECTORS; i++) {
    PERMI_SIGNS_V v = PERMI_SIGNS_LOAD(from->count, i);
    if (bit)
      v = PERMI_SIGNS_ADD(v, PERMI_SIGNS_LOAD(signs->column[k], i));
    PERMI_SIGNS_STORE(to->count, i, v);
  }
  if (signs->done_place[k] < signs->done_place[k + 1]) {
    if (PERMI_NAME(signs_meet)(to->count, signs->done[k]))
      return 0;
    for (place = signs->done_place[k]; signs->narrow && place < signs->done_place[k + 1]; place++)
      product *= permi_signs_value(signs, count, place);
  }
  walk->product[k + 1] = product;
  for (i = 0; i < 2 * PERMI_SIGNS_VECTORS; i++)
    PERMI_SIGNS_STORE(to->alive, i, PERMI_SIGNS_LOAD(from->alive, i));
  for (; cut < end; cut++) {
    const uint64_t *alive = cut->alive[count[cut->place] - cut->least];
    uint64_t *left = to->alive[cut->place >= signs->place[PERMI_SIGNS_SECOND]];
    for (i = 0; i < PERMI_SIGNS_VECTORS; i++)
      PERMI_SIGNS_STORE(left, i, PERMI_SIGNS_LOAD(left, i) & PERMI_SIGNS_LOAD(alive, i));
    if (!PERMI_NAME(signs_any)(left))
      return 0;
  }
  return 1;
}

/* The product of a block's own rows with a pattern, without its sign. */
PERMI_TARGET PERMI_INLINE int64_t PERMI_NAME(signs_own)(const permi_signs *signs, const uint64_t *count, int block,
                                                        const uint64_t *word)
{
  const uint64_t *own = count + signs->own_word[block], *add = word + signs->shared_words;
#if PERMI_WIDTH == 8
  if (signs->small) { /* reads beyond what it uses */
    const __m512i sum = _mm512_add_epi64(_mm512_loadu_si512((const void *)own), _mm512_loadu_si512((const void *)add));
    const __m512i code = _mm512_shuffle_epi8(PERMI_I_TABLE(permi_signs_codes), sum & _mm512_set1_epi8(15));
    const uint64_t rows = signs->own_rows[block];
    const int two = __builtin_popcountll(_mm512_test_epi8_mask(code, _mm512_set1_epi8(1)) & rows);
    const int four = __builtin_popcountll(_mm512_test_epi8_mask(code, _mm512_set1_epi8(2)) & rows);
    const int three = __builtin_popcountll(_mm512_test_epi8_mask(code, _mm512_set1_epi8(4)) & rows);
    const int64_t minus = -(int64_t)(__builtin_popcountll(_mm512_movepi8_mask(code) & rows) & 1);
    return ((permi_signs_threes[three] << (two + 2 * four)) ^ minus) - minus;
  }
#endif
  return permi_signs_own(signs, own, block, add);
}

/* The sum over the listed groups of block 1 of their values times the products of the rows of both blocks, if those
   have counts u without block 1. */
PERMI_TARGET PERMI_INLINE int64_t PERMI_NAME(signs_partners)(permi_signs_walk *walk, const uint64_t *u, int groups)
{
  const permi_signs *signs = walk->signs;
  const int shared = signs->shared_words;
  int64_t sum = 0;
  int at, i;
#if PERMI_WIDTH == 8
  if (signs->small) {
    const __m512i low = _mm512_set1_epi8(1), high = _mm512_set1_epi8(-128), nibble = _mm512_set1_epi8(15);
    const __m512i codes = PERMI_I_TABLE(permi_signs_sums);
    __m512i sums = _mm512_setzero_si512();
    for (at = 0; at < groups; at += 8) {
      __mmask8 alive = (__mmask8)(groups - at < 8 ? (1u << (groups - at)) - 1 : 255);
      __m512i value = _mm512_loadu_si512((const void *)(walk->value + at));
      for (i = 0; i < shared && alive; i++) {
        const __m512i count = _mm512_add_epi64(_mm512_loadu_si512((const void *)(walk->word[i] + at)),
                                               _mm512_set1_epi64((long long)u[i]));
        const __m512i c = count ^ _mm512_set1_epi64((long long)signs->target[i]);
        const __m512i code = _mm512_shuffle_epi8(codes, count & nibble) & _mm512_set1_epi64((long long)signs->target_all[i]);
        alive = _mm512_mask_testn_epi64_mask(alive, _mm512_andnot_si512(c, _mm512_sub_epi64(c, low)), high);
        value = _mm512_mullo_epi64(value, _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), alive,
                                                                      _mm512_sad_epu8(code, _mm512_setzero_si512()),
                                                                      (const void *)signs->product, 8));
      }
      sums = _mm512_mask_add_epi64(sums, alive, sums, value);
    }
    return _mm512_reduce_add_epi64(sums);
  }
#endif
  for (at = 0; at < groups; at++) {
    uint64_t c[PERMI_SIGNS_WORDS], zeros = 0;
    for (i = 0; i < shared; i++) {
      c[i] = u[i] + walk->word[i][at];
      zeros |= permi_signs_zeros(c[i] ^ signs->target[i]);
    }
    if (!zeros)
      sum += walk->value[at] * permi_signs_product(signs, (const unsigned char *)c, 0, signs->place[1]);
  }
  return sum;
}

/* Adds the products of own rows over the living patterns of a block in groups that do the same to the rows of both;
   returns the number of groups. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(signs_group)(permi_signs_walk *walk, const permi_signs_frame *frame, int block,
                                                      uint16_t *group, int64_t *value)
{
  const permi_signs *signs = walk->signs;
  const uint16_t *group_of = signs->group[block];
  uint16_t slot[1 << PERMI_SIGNS_BLOCK]; /* read before it is written, and not used then */
  uint64_t seen[PERMI_SIGNS_WORDS] = {0, 0, 0, 0, 0, 0, 0, 0}, set;
  int groups = 0, w;
  for (w = 0; w << 6 < 1 << signs->length[block]; w++)
    for (set = frame->alive[block][w]; set; set &= set - 1) {
      const int y = w << 6 | permi_trailing_zeros(set), g = group_of[y] >> 1;
      const int64_t minus = -(int64_t)(group_of[y] & 1);
      int64_t x = PERMI_NAME(signs_own)(signs, frame->count, block, signs->pattern[block] + y * signs->width[block]);
      x = (x ^ minus) - minus;
      const int fresh = !(seen[g >> 6] >> (g & 63) & 1); /* a branch would be hard to predict */
      const int at = fresh ? groups : slot[g];
      walk->items++;
      seen[g >> 6] |= UINT64_C(1) << (g & 63);
      slot[g] = (uint16_t)at;
      group[at] = (uint16_t)g;
      value[at] = x + (value[at] & -(int64_t)!fresh);
      groups += fresh;
    }
  return groups;
}

PERMI_TARGET static void PERMI_NAME(signs_join)(permi_signs_walk *walk)
{
  const permi_signs *signs = walk->signs;
  const permi_signs_frame *frame = &walk->frame[signs->prefix];
  const int shared = signs->shared_words;
  uint16_t group[1 << PERMI_SIGNS_BLOCK];
  int64_t value[1 << PERMI_SIGNS_BLOCK];
  permi_wide total = {0, 0};
  const int seconds = PERMI_NAME(signs_group)(walk, frame, 1, group, walk->value);
  int i, g, firsts;
  for (g = 0; g < seconds; g++)
    for (i = 0; i < shared; i++)
      walk->word[i][g] = signs->group_word[1][group[g] * shared + i];
  firsts = PERMI_NAME(signs_group)(walk, frame, 0, group, value);
  walk->joins++;
  walk->pairs += (uint64_t)(firsts * seconds);
  for (g = 0; g < firsts; g++) {
    uint64_t u[PERMI_SIGNS_WORDS];
    for (i = 0; i < shared; i++)
      u[i] = frame->count[i] + signs->group_word[0][group[g] * shared + i];
    {
      const permi_wide sum = permi_wide_of(PERMI_NAME(signs_partners)(walk, u, seconds));
      permi_wide_add_product(&total, &sum, value[g]);
    }
  }
  permi_signs_total(walk, total);
}

PERMI_TARGET static void PERMI_NAME(signs_search)(permi_signs_walk *walk, int k)
{
  int bit;
  if (k == walk->signs->prefix) {
    if (walk->signs->narrow)
      PERMI_NAME(signs_join)(walk);
    else
      permi_signs_join_wide(walk);
    return;
  }
  for (bit = 0; bit < 2; bit++)
    if (PERMI_NAME(signs_step)(walk, k, bit))
      PERMI_NAME(signs_search)(walk, k + 1);
}

static const permi_signs_family PERMI_NAME(signs_family) = {PERMI_NAME(signs_step), PERMI_NAME(signs_search)};

#undef PERMI_SIGNS_V
#undef PERMI_SIGNS_ADD
#undef PERMI_SIGNS_VECTORS
#undef PERMI_SIGNS_LOAD
#undef PERMI_SIGNS_STORE
