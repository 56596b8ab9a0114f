/* ========================================================================================== >>signs
   Glynn's sum over columns' signs d,
       per A = 2^-(n-1) sum over d, d_first = +1, of prod_j d_j prod_i sum_j a_ij d_j,
   as a search: a row whose columns all have signs and whose sum is 0 ends the branch.

     prefix      columns in an order, a sign at each step
     blocks      two sets of up to 9 columns after the prefix. A row that touches one block only takes from its living
                 patterns those with which it vanishes. The branch ends when a set is empty; else the sets are joined
     classes     of rows: FIRST and SECOND thin out a set, NONE ends branches, BOTH is tested on pairs of patterns
     counts      a byte a row: half its sum plus 128. A column's + adds a constant to the words of all counts
     weights     a row with an odd sum never vanishes; per(A diag c) = per(A) prod c, and c_j in {1, 2} makes rows even
   Patterns that do the same to rows of class BOTH are added in groups, so most terms are never listed. Sums are exact:
   at most 2^(n-1) terms, each at most the product of the rows' moduli. */
#pragma once
#include "../graph/engines.h"
#include "../graph/vectors.h"

typedef struct permi_signs_matrix {
  int n, entry[PERM_MAX_N][PERM_MAX_N];
  int sum[PERM_MAX_N], size[PERM_MAX_N]; /* of moduli */
  uint64_t touched[PERM_MAX_N];          /* a row's columns */
} permi_signs_matrix;

typedef struct permi_signs_order {
  int prefix, length[2], column[PERM_MAX_N];
} permi_signs_order;

#define PERMI_SIGNS_MOST 254 /* of a row's moduli: counts are bytes */

PERMI_INLINE uint64_t permi_signs_bits(int begin, int count)
{
  return count ? (~UINT64_C(0) >> (64 - count)) << begin : 0;
}

static uint64_t permi_signs_columns(const permi_signs_order *order, int begin, int end)
{
  uint64_t set = 0;
  for (; begin < end; begin++)
    set |= UINT64_C(1) << order->column[begin];
  return set;
}

/* Rows stand by class, then by the step of their last prefix column (-1: none). */
static void permi_signs_places(permi_signs *signs, const permi_signs_matrix *matrix, const permi_signs_order *order,
                               int *row_at, int *step_at)
{
  const int n = matrix->n, p = order->prefix;
  const uint64_t block[2] = {permi_signs_columns(order, p, p + order->length[0]),
                             permi_signs_columns(order, p + order->length[0], n)};
  int c, i, k, used = 0;
  for (c = 0; c < 4; c++) {
    signs->place[c] = used;
    for (k = -1; k < p; k++)
      for (i = 0; i < n; i++) {
        const int touches = (matrix->touched[i] & block[0] ? 1 : 0) | (matrix->touched[i] & block[1] ? 2 : 0);
        int last = p - 1;
        while (last >= 0 && !(matrix->touched[i] >> order->column[last] & 1))
          last--;
        if (last == k && touches == (c == PERMI_SIGNS_BOTH ? 3 : c == PERMI_SIGNS_NONE ? 0 : c)) {
          row_at[used] = i;
          step_at[used++] = k;
        }
      }
  }
  signs->place[4] = used;
}

static void permi_signs_add(uint64_t *count, int place, int64_t x) /* digits end from 1 to 255 */
{
  const union { uint64_t word; unsigned char byte[8]; } one = {1};
  count[place >> 3] += (uint64_t)x << (8 * ((place & 7) ^ (one.byte[7] ? 7 : 0)));
}

static int permi_signs_patterns(permi_signs *signs, const permi_signs_matrix *matrix, const permi_signs_order *order,
                                int block, const int *row_at)
{
  const int first = order->prefix + (block ? order->length[0] : 0), patterns = 1 << order->length[block];
  const int begin = signs->place[block + 1], end = signs->place[block + 2];
  signs->own_word[block] = begin < end ? begin >> 3 : 0;
  signs->width[block] = signs->shared_words + (begin < end ? ((end + 7) >> 3) - (begin >> 3) : 0);
  signs->width[block] += !signs->width[block]; /* one is read */
  signs->pattern[block] = (uint64_t *)permi_pool_get( /* vectors read beyond */
      &signs->owned.pool, (size_t)(patterns * signs->width[block] + PERMI_SIGNS_WORDS), sizeof(uint64_t));
  if (!signs->pattern[block])
    return 0;
  signs->own_rows[block] = permi_signs_bits(begin - 8 * signs->own_word[block], end - begin);
  for (int y = 0; y < patterns; y++) {
    uint64_t *word = signs->pattern[block] + (size_t)(y * signs->width[block]);
    memset(word, 0, (size_t)signs->width[block] * sizeof *word);
    for (int j = 0; j < order->length[block]; j++)
      if (y >> j & 1) {
        const int column = order->column[first + j];
        for (int place = 0; place < signs->place[1]; place++)
          permi_signs_add(word, place, matrix->entry[row_at[place]][column]);
        for (int place = begin; place < end; place++)
          permi_signs_add(word + signs->shared_words, place - (begin & ~7), matrix->entry[row_at[place]][column]);
      }
  }
  return 1;
}

static int permi_signs_groups(permi_signs *signs, int block)
{
  const int patterns = 1 << signs->length[block], shared = signs->shared_words;
  const size_t bytes = (size_t)shared * sizeof(uint64_t);
  int y, g, groups = 0;
  signs->group[block] = (uint16_t *)permi_pool_get(&signs->owned.pool, (size_t)patterns, sizeof(uint16_t));
  signs->group_word[block] = (uint64_t *)permi_pool_get(&signs->owned.pool, (size_t)patterns, bytes + !shared);
  if (!signs->group[block] || !signs->group_word[block])
    return 0;
  for (y = 0; y < patterns; y++) {
    const uint64_t *word = signs->pattern[block] + y * signs->width[block];
    for (g = 0; g < groups; g++)
      if (!memcmp(signs->group_word[block] + g * shared, word, bytes))
        break;
    if (g == groups)
      memcpy(signs->group_word[block] + shared * groups++, word, bytes);
    signs->group[block][y] = (uint16_t)(2 * g + (permi_count_ones((uint64_t)y) & 1));
  }
  signs->groups[block] = groups;
  return 1;
}

/* Returns zeros, aligned. */
static uint64_t (*permi_signs_vectors(permi_signs *signs, int count))[PERMI_SIGNS_WORDS]
{
  const size_t bytes = (size_t)count * PERMI_SIGNS_WORDS * sizeof(uint64_t);
  char *at = (char *)permi_pool_zeros(&signs->owned.pool, bytes + 64, 1);
  if (!at)
    return NULL;
  at += (64 - ((uintptr_t)at & 63)) & 63;
  return (uint64_t (*)[PERMI_SIGNS_WORDS])(void *)at;
}

static int permi_signs_start(const permi_signs_matrix *matrix, int row) /* if all signs are - */
{
  return PERMI_SIGNS_ZERO - (matrix->sum[row] + (matrix->sum[row] & 1)) / 2;
}

/* Returns 0 without memory. */
static int permi_signs_cut_make(permi_signs *signs, const permi_signs_matrix *matrix, const permi_signs_order *order,
                                int place, int row, int step)
{
  const int block = place >= signs->place[PERMI_SIGNS_SECOND];
  const int first = order->prefix + (block ? order->length[0] : 0), patterns = 1 << order->length[block];
  int least = permi_signs_start(matrix, row), most = least;
  for (int j = 0; j < order->prefix; j++) {
    const int x = matrix->entry[row][order->column[j]];
    least += x < 0 ? x : 0;
    most += x > 0 ? x : 0;
  }
  uint64_t (*alive)[PERMI_SIGNS_WORDS] = permi_signs_vectors(signs, most - least + 1);
  if (!alive)
    return 0;
  for (int y = 0; y < patterns; y++) {
    int sum = 0;
    for (int j = 0; j < order->length[block]; j++)
      sum += y >> j & 1 ? matrix->entry[row][order->column[first + j]] : 0;
    for (int level = 0; level <= most - least; level++)
      if (least + level + sum != PERMI_SIGNS_ZERO || matrix->sum[row] & 1)
        alive[level][y >> 6] |= UINT64_C(1) << (y & 63);
  }
  for (int j = 0; step < 0 && j < PERMI_SIGNS_WORDS; j++)
    signs->root.alive[block][j] &= alive[0][j];
  if (step < 0)
    return 1;
  const permi_signs_cut cut = {(const uint64_t (*)[PERMI_SIGNS_WORDS])alive, place, least,
                               matrix->entry[row][order->column[step]], most - least + 1};
  signs->cut[signs->cut_start[2 * PERM_MAX_N]++] = cut;
  return 1;
}

/* Rows without prefix columns thin out the root. */
static int permi_signs_cuts(permi_signs *signs, const permi_signs_matrix *matrix, const permi_signs_order *order,
                            const int *row_at, const int *step_at)
{
  int *used = &signs->cut_start[2 * PERM_MAX_N], k, place;
  *used = 0;
  for (k = -2; k < 2 * order->prefix; k++) {
    const int block = k & 1, step = (k - block) / 2;
    if (k >= 0)
      signs->cut_start[k] = *used;
    for (place = signs->place[1 + block]; place < signs->place[2 + block]; place++)
      if (step_at[place] == step && !(matrix->sum[row_at[place]] & 1) &&
          !permi_signs_cut_make(signs, matrix, order, place, row_at[place], step))
        return 0;
  }
  signs->cut_start[2 * order->prefix] = *used;
  return 1;
}

static void permi_signs_width(permi_signs *signs, const permi_signs_matrix *matrix, const int *row_at)
{
  double *bits = signs->bits;
  int place, c = 0;
  memset(bits, 0, sizeof signs->bits);
  for (place = 0; place < matrix->n; place++) {
    const int row = row_at[place], most = matrix->sum[row] & 1 ? matrix->size[row] : matrix->size[row] / 2;
    while (place >= signs->place[c + 1])
      c++;
    bits[c] += most > 1 ? log2(most) + 1e-9 : 0;
  }
  signs->sum_bits = matrix->n - 1 + bits[0] + bits[1] + bits[2] + bits[3];
  signs->words = (int)fmax((signs->sum_bits + 2) / 64 + 1, 3); /* twice the sum, signed */
  signs->narrow = bits[1] + signs->length[0] < 63 && bits[0] + bits[2] + signs->length[1] < 63 && bits[3] < 63 &&
                  bits[0] + bits[1] + bits[2] + signs->length[0] + signs->length[1] < 127;
}

static int permi_signs_lay(permi_signs *signs, const permi_signs_matrix *matrix, const permi_signs_order *order)
{
  const int n = matrix->n, p = order->prefix;
  int row_at[PERM_MAX_N], step_at[PERM_MAX_N], k, block, place, y;
  signs->n = n;
  signs->prefix = p;
  permi_signs_places(signs, matrix, order, row_at, step_at);
  signs->shared_words = (signs->place[1] + 7) >> 3;
  signs->column = permi_signs_vectors(signs, p);
  signs->done = permi_signs_vectors(signs, p);
  if (!signs->column || !signs->done)
    return 0;
  signs->by_table = 2;
  for (place = n; place < PERM_MAX_N; place++)
    permi_signs_add(signs->root.count, place, 1); /* no target */
  for (place = 0; place < n; place++) {
    const int row = row_at[place], odd = matrix->sum[row] & 1;
    signs->odd[place] = (unsigned char)odd;
    if (odd || matrix->size[row] > 8)
      signs->by_table = 0;
    else if (signs->by_table && matrix->size[row] == 8)
      signs->by_table = 1;
    permi_signs_add(signs->root.count, place, permi_signs_start(matrix, row));
    if (place < signs->place[1])
      permi_signs_add(signs->target_all, place, 255);
    if (place < signs->place[1] && !odd)
      permi_signs_add(signs->target, place, PERMI_SIGNS_ZERO);
    if (place >= signs->place[3] && !odd)
      permi_signs_add(signs->done[step_at[place]], place, PERMI_SIGNS_ZERO);
    for (k = 0; k < p; k++)
      permi_signs_add(signs->column[k], place, matrix->entry[row][order->column[k]]);
    for (k = 0; k < n; k++)
      signs->entry[place][k] = (int16_t)matrix->entry[row][order->column[k]];
  }
  for (k = 0, place = signs->place[3]; k < p; k++) {
    signs->done_place[k] = place;
    while (place < n && step_at[place] == k)
      place++;
  }
  signs->done_place[p] = place;
  for (block = 0; block < 2; block++) {
    signs->last[block] = signs->place[block + 1] < signs->place[block + 2] ? step_at[signs->place[block + 2] - 1] : -1;
    signs->length[block] = order->length[block];
    for (y = 0; y < 1 << order->length[block]; y++)
      signs->root.alive[block][y >> 6] |= UINT64_C(1) << (y & 63);
    if (!permi_signs_patterns(signs, matrix, order, block, row_at) || !permi_signs_groups(signs, block))
      return 0;
  }
  signs->product = (int64_t *)permi_pool_get(&signs->owned.pool, PERMI_SIGNS_SUMS, sizeof *signs->product);
  if (!signs->product)
    return 0;
  signs->three[0] = 1;
  for (k = 1; k < 40; k++)
    signs->three[k] = 3 * signs->three[k - 1];
  for (k = 0; k < PERMI_SIGNS_SUMS; k++)
    signs->product[k] = (k / 153 & 1 ? -1 : 1) * signs->three[k % 153 / 17] * (INT64_C(1) << k % 17);
  permi_signs_width(signs, matrix, row_at);
  return permi_signs_cuts(signs, matrix, order, row_at, step_at);
}

static void permi_signs_begin(permi_signs_walk *walk, const permi_signs *signs, permi_signs_frame *frame)
{
  memset(walk, 0, sizeof *walk);
  walk->signs = signs;
  walk->frame = frame;
  frame[0] = signs->root;
  walk->product[0] = signs->n & 1 ? -1 : 1;
}

/* Returns 0 if no pattern is left. */
static int permi_signs_follow(permi_signs_walk *walk, uint64_t path, int from, int depth)
{
  for (; from < depth; from++)
    if (!walk->signs->family->step(walk, from, (int)(path >> from & 1)))
      return 0;
  return 1;
}

static void permi_signs_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_signs *signs = (const permi_signs *)leaf->context;
  permi_signs_frame *frame = (permi_signs_frame *)workspace;
  permi_signs_walk *walk = (permi_signs_walk *)(void *)(frame + PERM_MAX_N + 1);
  uint64_t i, path, before = 0;
  int from = 0;
  permi_signs_begin(walk, signs, frame);
  for (i = signs->begin[chunk]; i < signs->begin[chunk + 1]; i++, before = path) {
    path = signs->path[i];
    if (i > signs->begin[chunk])
      from = permi_trailing_zeros(path ^ before);
    if (permi_signs_follow(walk, path, from, signs->depth))
      signs->family->search(walk, signs->depth);
  }
  if (signs->doubled)
    permi_words_add(walk->sum, walk->sum, signs->words);
  permi_sum_add_signed(&partial->value, walk->sum, signs->words);
  partial->terms += (double)walk->counted[3];
}
/* SPDX-License-Identifier: MIT */
