/* ======================================================================================= >>frontier
   The dynamic program over the vertices of a frontier, and sorted lists of its states. */
#pragma once
#include "../api/sparse_config.h"
#include "../dense/kernels.h"
#include "../graph/order.h"
#include "../graph/reduce.h"
#include "values.h"

/* A state is a mask of slots (1: that vertex is matched); its value sums the products of entries over the ways to it.
   Eliminating v drops its bit where v is matched, else matches v with each free neighbour t. A vertex without
   neighbours left must be matched; with free lines (>>walk) it has a step of its own, and a further stream leaves v
   unmatched. So a step is a union of streams, the drop and one for each t: states with (mask & test) == want go to mask
   ^ flip, times a coefficient. Flipped bits are tested or free, so streams stay sorted, and are merged [DOB15] by
   groups, states with equal bits above the low PERMI_LOW_BITS. Their low masks are their pattern, of few: a state costs
   its value. */

#define PERMI_LOW_BITS 9 /* the fastest: docs/engines.md */
#define PERMI_LOW_STATES (1 << PERMI_LOW_BITS)
#define PERMI_LOW_WORDS (PERMI_LOW_STATES / 64)
#define PERMI_FRONTIER_WIDTH PERMI_ORDER_WIDTH
#define PERMI_MASK_WORDS (PERMI_FRONTIER_WIDTH / 64)
#define PERMI_GROUP_BYTES 2

typedef struct permi_array_residues {
  int passes, primes, bits; /* 0 passes: impossible; 0 primes: modulo `modulus` or, if 0, whole doubles */
  uint64_t modulus;
  double seconds;
} permi_array_residues;

typedef struct permi_arrays {
  perm_isa isa;
  int by_residues, low, middle, top, lefts; /* lefts: >>arrays */
  permi_array_residues residues;
  unsigned char *growth;
  double bytes;
  uint64_t *occupied, *rows, *born; /* steps + 1: slots in use, of rows, new */
} permi_arrays;

typedef struct permi_frontier {
  permi_owned owned;
  permi_numbers numbers;
  int steps, width, slot_count, mask_words, vertices, rows; /* rows: 0 without free lines */
  int *stream_start; /* steps + 1 */
  permi_coefficient *coefficient;
  int *partner, *entry;   /* of a stream: t, -1: none; the edge, or -1 - v: v stays, or INT_MIN */
  uint64_t *mask;         /* test, want, flip */
  double *states, *cost;  /* bounds; costs before steps */
  double additions, bound_relative, lost_error, room[2]; /* room: states of even, odd steps */
  int *sequence, *birth, *death, *slot; /* of a step: vertex; of a vertex: steps or -1 */
  int *ones, *most, *words; /* >>arrays: least, most; words of an integer, or NULL */
  double *bits;      /* log2 of a bound on integers, or NULL */
  permi_arrays *arrays; /* or NULL: lists */
} permi_frontier;

static int permi_frontier_streams_most(const permi_frontier *frontier)
{
  int p, most = 1;
  for (p = 0; p < frontier->steps; p++) {
    const int streams = frontier->stream_start[p + 1] - frontier->stream_start[p];
    most = streams > most ? streams : most;
  }
  return most;
}

typedef struct permi_patterns {
  int count, room;
  uint64_t *bits;
  size_t *first;
  uint16_t *low;
  size_t low_room;
  int *table;
} permi_patterns;

typedef struct permi_list {
  size_t groups, group_room, states, state_room;
  int words;
  uint64_t *high;
  size_t *first;
  int *pattern;
  void *value;
  permi_patterns patterns;
} permi_list;

static void permi_list_release(const perm_allocator *allocator, permi_list *list)
{
  permi_release(allocator, list->high);
  permi_release(allocator, list->first);
  permi_release(allocator, list->pattern);
  permi_release(allocator, list->patterns.bits);
  permi_release(allocator, list->patterns.first);
  permi_release(allocator, list->patterns.low);
  permi_release(allocator, list->patterns.table);
}

static int permi_list_room(const perm_allocator *allocator, permi_list *list, size_t more)
{
  const size_t used = list->groups;
  size_t room = list->group_room ? list->group_room : 64;
  while (room < used + more)
    room *= 2;
  if (room > list->group_room &&
      !(permi_enlarge(allocator, NULL, &list->high, used, room, (size_t)list->words * sizeof *list->high) &&
        permi_enlarge(allocator, NULL, &list->first, used, room, sizeof *list->first) &&
        permi_enlarge(allocator, NULL, &list->pattern, used, room, sizeof *list->pattern)))
    return 0;
  list->group_room = room;
  return 1;
}

static void permi_patterns_clear(permi_patterns *patterns)
{
  patterns->count = 0;
  if (patterns->table)
    memset(patterns->table, 0, 2 * (size_t)patterns->room * sizeof *patterns->table);
}

static int *permi_patterns_place(const permi_patterns *patterns, const uint64_t *bits)
{
  const size_t mask = 2 * (size_t)patterns->room - 1;
  uint64_t h = 0, g = 1;
  for (int w = 0; w < PERMI_LOW_WORDS; w += 2) {
    h = (h ^ bits[w]) * UINT64_C(0x9e3779b97f4a7c15);
    g = (g ^ bits[w + 1]) * UINT64_C(0xc2b2ae3d27d4eb4f);
  }
  h ^= g + (h >> 29) + (g >> 31);
  size_t place = (size_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
  for (; patterns->table[place]; place = (place + 1) & mask)
    if (!memcmp(patterns->bits + (size_t)(patterns->table[place] - 1) * PERMI_LOW_WORDS, bits,
                PERMI_LOW_WORDS * sizeof *bits))
      break;
  return &patterns->table[place];
}

static int permi_patterns_find(const perm_allocator *allocator, permi_patterns *patterns, const uint64_t *bits)
{
  const int pattern = patterns->count;
  if (pattern == patterns->room) {
    const size_t room = pattern ? 2 * (size_t)pattern : 32, count = (size_t)pattern;
    if (!(permi_enlarge(allocator, NULL, &patterns->bits, count, room, PERMI_LOW_WORDS * sizeof(uint64_t)) &&
          permi_enlarge(allocator, NULL, &patterns->first, count ? count + 1 : 0, room + 1, sizeof(size_t)) &&
          permi_enlarge(allocator, NULL, &patterns->table, 0, 2 * room, sizeof *patterns->table)))
      return -1;
    patterns->room = (int)room;
    patterns->first[0] = 0;
    memset(patterns->table, 0, 2 * room * sizeof *patterns->table);
    for (int i = 0; i < pattern; i++)
      *permi_patterns_place(patterns, patterns->bits + (size_t)i * PERMI_LOW_WORDS) = i + 1;
  }
  int *place = permi_patterns_place(patterns, bits);
  if (*place)
    return *place - 1;
  size_t used = patterns->first[pattern];
  if (!permi_room(allocator, NULL, &patterns->low, used, PERMI_LOW_STATES, &patterns->low_room, sizeof(uint16_t)))
    return -1;
  for (int w = 0; w < PERMI_LOW_WORDS; w++) {
    uint64_t x = bits[w];
    for (; x; x &= x - 1)
      patterns->low[used++] = (uint16_t)(64 * w + permi_trailing_zeros(x));
  }
  memcpy(patterns->bits + (size_t)pattern * PERMI_LOW_WORDS, bits, PERMI_LOW_WORDS * sizeof *bits);
  patterns->first[++patterns->count] = used;
  *place = pattern + 1;
  return pattern;
}

static const uint64_t permi_even[6] = {UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
                                       UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x00ff00ff00ff00ff),
                                       UINT64_C(0x0000ffff0000ffff), UINT64_C(0x00000000ffffffff)};

/* A stream in a list of groups: masks and key have the high bits. */
typedef struct permi_cursor {
  uint64_t test[PERMI_MASK_WORDS], want[PERMI_MASK_WORDS], flip[PERMI_MASK_WORDS];
  uint64_t key[PERMI_MASK_WORDS]; /* at the end all ones */
  size_t group, end;
  unsigned low_test, low_want, low_flip;
  uint64_t keep[PERMI_LOW_WORDS];
  permi_coefficient c;
} permi_cursor;

static PERMI_ALWAYS_INLINE int permi_key_compare(const uint64_t *a, const uint64_t *b, int words)
{
  int w;
  for (w = words - 1; w > 0 && a[w] == b[w]; w--)
    ;
  return a[w] < b[w] ? -1 : a[w] > b[w];
}

/* The first key not below, or after. */
static size_t permi_list_seek(const permi_list *list, const uint64_t *key, int after)
{
  size_t begin = 0, end = list->groups;
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (permi_key_compare(list->high + middle * (size_t)list->words, key, list->words) < after)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

static PERMI_ALWAYS_INLINE void permi_cursor_settle(permi_cursor *cursor, const permi_list *source, int words)
{
  const uint64_t *high = source->high + cursor->group * (size_t)words;
  for (; cursor->group < cursor->end; cursor->group++, high += words) {
    uint64_t differs = 0;
    for (int w = 0; w < words; w++)
      differs |= (high[w] & cursor->test[w]) ^ cursor->want[w];
    if (!differs)
      break;
  }
  for (int w = 0; w < words; w++)
    cursor->key[w] = cursor->group < cursor->end ? high[w] ^ cursor->flip[w] : UINT64_MAX;
}

static uint64_t permi_stream_word(const permi_frontier *frontier, int stream, int which, int word)
{
  const size_t words = (size_t)frontier->mask_words;
  return word < frontier->mask_words ? frontier->mask[((size_t)stream * 3 + (size_t)which) * words + (size_t)word] : 0;
}

static void permi_cursor_make(permi_cursor *cursor, const permi_frontier *frontier, int number)
{
  const unsigned mask = PERMI_LOW_STATES - 1;
  uint64_t within = ~UINT64_C(0);
  for (int which = 0; which < 3; which++) {
    uint64_t *to = which == 0 ? cursor->test : which == 1 ? cursor->want : cursor->flip;
    for (int w = 0; w < frontier->mask_words; w++)
      to[w] = permi_stream_word(frontier, number, which, w) >> PERMI_LOW_BITS |
              permi_stream_word(frontier, number, which, w + 1) << (64 - PERMI_LOW_BITS);
  }
  cursor->low_test = (unsigned)permi_stream_word(frontier, number, 0, 0) & mask;
  cursor->low_want = (unsigned)permi_stream_word(frontier, number, 1, 0) & mask;
  cursor->low_flip = (unsigned)permi_stream_word(frontier, number, 2, 0) & mask;
  cursor->c = frontier->coefficient[number];
  for (unsigned i = 0; i < 6; i++)
    if (cursor->low_test >> i & 1)
      within &= cursor->low_want >> i & 1 ? ~permi_even[i] : permi_even[i];
  for (unsigned i = 0; i < PERMI_LOW_WORDS; i++)
    cursor->keep[i] = (i & cursor->low_test >> 6) == cursor->low_want >> 6 ? within : 0;
  cursor->group = 0;
}

static int permi_pattern_move(const uint64_t *bits, const permi_cursor *cursor, uint64_t *into)
{
  unsigned words = cursor->low_flip >> 6, w;
  uint64_t moved[PERMI_LOW_WORDS], any = 0;
  for (w = 0; w < PERMI_LOW_WORDS; w++) {
    moved[w] = bits[w] & cursor->keep[w];
    any |= moved[w];
  }
  if (!any)
    return 0;
  for (int b = 0; b < 6; b++)
    if (cursor->low_flip >> b & 1)
      for (w = 0; w < PERMI_LOW_WORDS; w++)
        moved[w] = (moved[w] & permi_even[b]) << (1 << b) | (moved[w] >> (1 << b) & permi_even[b]);
  for (w = 0; w < PERMI_LOW_WORDS; w++)
    into[w ^ words] |= moved[w];
  return 1;
}

/* Pairs of low masks, ascending, that a stream moves. */
#define PERMI_MOVES_LOG2 11
#define PERMI_MOVES_PAIRS 262144
typedef struct permi_move {
  int step, stream, source, target;
  int whole; /* k to k, for all states of both */
  int first, count;
} permi_move;

typedef struct permi_moves { /* a direct-mapped cache */
  int used;
  permi_move move[1 << PERMI_MOVES_LOG2];
  uint32_t pair[PERMI_MOVES_PAIRS]; /* from | to << 16 */
} permi_moves;

static const permi_move *permi_moves_find(permi_moves *moves, int step, int stream, const permi_cursor *cursor,
                                          const permi_patterns *from, int source, const permi_patterns *to, int target)
{
  uint32_t hash = ((uint32_t)source * 0x9e3779b1u ^ (uint32_t)target * 0x85ebca77u ^ (uint32_t)stream * 0xc2b2ae3du);
  const permi_move fresh = {step, stream, source, target, 0, 0, 0};
  permi_move *move = &moves->move[hash >> (32 - PERMI_MOVES_LOG2)];
  size_t k, count, goals = to->first[target + 1] - to->first[target], j = 0;
  if (move->step == step && move->stream == stream && move->source == source && move->target == target)
    return move;
  if (moves->used > PERMI_MOVES_PAIRS - PERMI_LOW_STATES) {
    moves->used = 0;
    memset(moves->move, 0, sizeof(permi_move) << PERMI_MOVES_LOG2);
  }
  *move = fresh;
  move->first = moves->used;
  const uint16_t *low = from->low + from->first[source], *goal = to->low + to->first[target];
  count = from->first[source + 1] - from->first[source];
  for (k = 0; k < count; k++)
    if ((low[k] & cursor->low_test) == cursor->low_want) {
      unsigned place = low[k] ^ cursor->low_flip;
      while (j < goals && goal[j] < place)
        j++;
      if (j < goals && goal[j] == place) /* else left out */
        moves->pair[moves->used++] = (uint32_t)k | (uint32_t)j << 16;
    }
  move->count = moves->used - move->first;
  move->whole = (size_t)move->count == count && count == goals;
  return move;
}

/* Lives are (birth, death]; those with the most states get low slots: patterns change least. Room: `life` 2 * vertices;
   `busy` PERMI_MASK_WORDS for each of steps + 1. Returns 0 if slots are too many, or if stopped. */
static int permi_frontier_slots(const permi_frontier *frontier, int vertices, permi_ranked *life, uint64_t *busy,
                                permi_control *watch)
{
  const int *birth = frontier->birth, *death = frontier->death, words = PERMI_MASK_WORDS;
  int *slot = frontier->slot, v, p, i, w, lives = 0, most = 1;
  double units = 0;
  for (v = 0; v < vertices; v++) {
    double weight = 0;
    slot[v] = -1;
    if (birth[v] < 0 || death[v] <= birth[v])
      continue;
    if (permi_watch_gather(watch, &units, 20.0 + death[v] - birth[v]))
      return 0;
    for (p = birth[v] + 1; p <= death[v]; p++)
      weight += frontier->states[p];
    memcpy(&life[lives].key, &weight, sizeof weight);
    life[lives].key = ~life[lives].key; /* greatest first */
    life[lives++].vertex = v;
  }
  life = (permi_ranked *)permi_sort(life, life + vertices, (size_t)lives, sizeof *life, watch);
  if (!life)
    return 0;
  memset(busy, 0, ((size_t)frontier->steps + 1) * (size_t)words * sizeof *busy);
  for (i = 0; i < lives; i++) {
    v = life[i].vertex;
    if (permi_watch_gather(watch, &units, 20 + 4.0 * (death[v] - birth[v])))
      return 0;
    for (w = 0; w < words && slot[v] < 0; w++) {
      uint64_t taken = 0;
      for (p = birth[v] + 1; p <= death[v]; p++)
        taken |= busy[p * words + w];
      if (~taken)
        slot[v] = 64 * w + permi_trailing_zeros(~taken);
    }
    if (slot[v] < 0)
      return 0;
    most = slot[v] >= most ? slot[v] + 1 : most;
    for (p = birth[v] + 1; p <= death[v]; p++)
      busy[p * words + (slot[v] >> 6)] |= UINT64_C(1) << (slot[v] & 63);
  }
  return most;
}

PERMI_NEVER_INLINE static void permi_frontier_streams(permi_frontier *frontier, const permi_block *block,
                                                      permi_control *watch)
{
  const size_t words = (size_t)frontier->mask_words, bytes = words * sizeof(uint64_t);
  const int *birth = frontier->birth, *death = frontier->death, *slot = frontier->slot;
  uint64_t *test = frontier->mask, gone[PERMI_MASK_WORDS], mine[PERMI_MASK_WORDS];
  double units = 0;
  int p, e, used = 0;
  for (p = 0; p < frontier->steps && !permi_watch_gather(watch, &units, 400); p++) {
    const int v = frontier->sequence[p], held = birth[v] >= 0 && birth[v] < p;
    frontier->stream_start[p] = used;
    memset(gone, 0, sizeof gone); /* bits that vanish; `mine` has v's */
    for (e = block->start[v]; e < block->start[v + 1]; e++)
      if (death[block->neighbour[e]] == p && slot[block->neighbour[e]] >= 0) /* -1: none */
        gone[slot[block->neighbour[e]] >> 6] |= UINT64_C(1) << (slot[block->neighbour[e]] & 63);
    memcpy(mine, gone, sizeof mine);
    if (held)
      mine[slot[v] >> 6] |= UINT64_C(1) << (slot[v] & 63);
    for (e = block->start[v] - 2; e < block->start[v + 1]; e++) {
      const int k = e - block->start[v], drop = k == -1, t = k < 0 ? v : block->neighbour[e], word = slot[t] >> 6;
      const uint64_t bit = k < 0 || slot[t] < 0 ? 0 : UINT64_C(1) << (slot[t] & 63);
      uint64_t *want = test + words, *flip = want + words;
      if (drop ? !held : k < 0 ? !permi_block_stays(block, v) : death[t] < p)
        continue;
      memcpy(test, mine, bytes);
      memcpy(want, drop ? mine : gone, bytes);
      memcpy(flip, want, bytes);
      frontier->partner[used] = k < 0 ? -1 : t;
      frontier->entry[used] = drop ? INT_MIN : k < 0 ? -1 - v : block->edge[e];
      frontier->coefficient[used++] =
          drop ? permi_coefficient_one()
               : permi_coefficient_of(block, k < 0 ? permi_block_alone(block, v) : block->edge[e], &frontier->numbers);
      if (bit && birth[t] >= 0 && birth[t] < p) {
        test[word] |= bit;
        want[word] &= ~bit;
        flip[word] = death[t] == p ? flip[word] & ~bit : flip[word] | bit;
      } else if (bit && death[t] > p) {
        flip[word] ^= bit;
      }
      test = flip + words;
    }
  }
  frontier->stream_start[p] = used;
}

/* v goes in step p with `left` entries, and `meet` neighbours go with it. */
static void permi_frontier_note(permi_frontier *frontier, const permi_block *block, const double *binomial,
                                const permi_walk *walk, int p, int v, int left, int meet)
{
  const int width = walk->width[0] + walk->width[1], stays = permi_block_stays(block, v), to = p + 1;
  frontier->sequence[p] = v;
  frontier->death[v] = p;
  frontier->width = width > frontier->width ? width : frontier->width;
  permi_order_ones(block, walk->width, walk->eliminated, &frontier->ones[to], &frontier->most[to]);
  meet += v < block->n ? frontier->most[to] : width - frontier->ones[to];
  frontier->additions += (meet < left ? meet : left) + (frontier->birth[v] >= 0) + stays - 1;
  frontier->states[to] = permi_order_states(block, binomial, walk->width, walk->eliminated);
  frontier->cost[to] = frontier->cost[p] + frontier->states[p] / 4 + frontier->states[to] * (1 + stays + 0.5 * left);
  frontier->room[to & 1] = fmax(frontier->room[to & 1], frontier->states[to]);
}

PERMI_NEVER_INLINE static int permi_frontier_walk(permi_frontier *frontier, const permi_block *block, const int *order,
                                                  const double *binomial, permi_walk *walk, permi_control *watch)
{
  const int vertices = block->vertices;
  int p = 0;
  frontier->additions = 0;
  for (int v = 0; v < vertices; v++)
    frontier->birth[v] = frontier->death[v] = -1;
  permi_walk_start(block, walk);
  frontier->states[0] = frontier->room[0] = frontier->room[1] = 1;
  frontier->cost[0] = frontier->ones[0] = frontier->most[0] = 0;
  for (int i = 0; i < vertices; i++) {
    const int v = order[i], other = v < block->n, left = walk->open[v];
    int waiting = 0, went = 0;
    if (permi_watch_step(watch, (size_t)i, 100))
      return 0;
    if (walk->state[v] == 2)
      continue;
    permi_walk_step(block, walk, v);
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      const int t = block->neighbour[e];
      if (walk->state[t] == 2 && frontier->death[t] < 0) {
        *(block->free_lines ? &waiting : &went) += 1;
        frontier->death[t] = block->free_lines ? -1 : p;
      }
      if (frontier->death[t] < 0 && frontier->birth[t] < 0)
        frontier->birth[t] = p;
    }
    walk->width[other] += waiting;
    walk->eliminated[other] -= waiting;
    permi_frontier_note(frontier, block, binomial, walk, p++, v, left, went);
    for (int e = block->start[v]; waiting > 0; e++) {
      const int t = block->neighbour[e];
      if (walk->state[t] < 2 || frontier->death[t] >= 0)
        continue;
      walk->width[other]--;
      walk->eliminated[other]++;
      waiting--;
      permi_frontier_note(frontier, block, binomial, walk, p++, t, 0, 0);
    }
  }
  frontier->steps = p;
  return 1;
}

static void permi_frontier_enter(const permi_block *block, int edge, permi_majorant *line, double *bits)
{
  *bits -= line->bits;
  permi_majorant_enter(block, edge, line);
  line->bits = permi_majorant_bits(line);
  *bits += line->bits;
}

/* A state is the permanent of some lines, all eliminated ones among them, without entries between two others: the bound
   by entries so far holds, with free lines that of rows. */
static int permi_frontier_lengths(permi_frontier *frontier, const permi_block *block, permi_pool *room)
{
  permi_majorant *line = (permi_majorant *)permi_pool_zeros(room, (size_t)block->vertices, sizeof *line);
  const size_t steps = (size_t)frontier->steps + 1;
  const int residues = frontier->numbers.algebra == PERMI_RESIDUES;
  double bits[2] = {0, block->free_lines ? (double)INFINITY : 0};
  frontier->bits = (double *)permi_pool_get(&frontier->owned.pool, steps, sizeof(double));
  frontier->words = residues ? NULL : (int *)permi_pool_get(&frontier->owned.pool, steps, sizeof(int));
  if (!line || frontier->owned.pool.failed)
    return 0;
  frontier->bits[0] = 0;
  for (int p = 0; p < frontier->steps; p++) {
    const int v = frontier->sequence[p];
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      const int t = block->neighbour[e];
      if (frontier->death[t] < p)
        continue;
      permi_frontier_enter(block, block->edge[e], &line[v], &bits[v >= block->n]);
      permi_frontier_enter(block, block->edge[e], &line[t], &bits[t >= block->n]);
    }
    if (permi_block_stays(block, v))
      permi_frontier_enter(block, permi_block_alone(block, v), &line[v], &bits[v >= block->n]);
    frontier->bits[p + 1] = fmax(frontier->bits[p], permi_majorants_bits(bits));
  }
  for (int p = 0; p <= frontier->steps && !residues; p++) {
    const int words = permi_words_of_bits(frontier->bits[p]);
    frontier->words[p] = words < frontier->numbers.words && p < frontier->steps ? words : frontier->numbers.words;
  }
  return 1;
}

typedef struct permi_exactness {
  double roundings, lost_error; /* of entries */
  uint64_t modulus;             /* or 0 */
  int doubled;
} permi_exactness;

/* PERM_ERROR_LIMIT: too wide or stopped; PERM_ERROR_OVERFLOW: integers too long. */
static perm_status permi_frontier_create(const perm_allocator *allocator, const permi_block *block, const int *order,
                                         const double *binomial, const permi_exactness *exactness,
                                         permi_control *watch, permi_frontier **made)
{
  const size_t vertices = (size_t)block->vertices, streams = (size_t)block->edges + 2 * vertices;
  permi_walk walk;
  permi_frontier *frontier = (permi_frontier *)permi_owned_new(allocator, sizeof *frontier);
  permi_pool room = {allocator, NULL, 0}, *pool;
  permi_ranked *life = (permi_ranked *)permi_pool_get(&room, 2 * vertices, sizeof *life);
  uint64_t *busy = (uint64_t *)permi_pool_get(&room, vertices + 1, PERMI_MASK_WORDS * sizeof *busy);
  perm_status status = PERM_ERROR_MEMORY;
  *made = frontier;
  walk.state = (unsigned char *)permi_pool_get(&room, vertices, 1);
  if (!permi_pool_ints(&room, &walk.open, vertices, &walk.frontier, vertices, &walk.place, vertices, (int **)NULL) ||
      !frontier)
    goto done;
  pool = &frontier->owned.pool;
  frontier->lost_error = exactness->lost_error;
  frontier->vertices = block->vertices;
  frontier->rows = block->free_lines ? block->n : 0;
  if (!permi_numbers_choose(&frontier->numbers, block, exactness->modulus, exactness->doubled)) {
    status = PERM_ERROR_OVERFLOW;
    goto done;
  }
  frontier->coefficient = (permi_coefficient *)permi_pool_get(pool, streams, sizeof *frontier->coefficient);
  frontier->states = (double *)permi_pool_get(pool, 2 * vertices + 2, sizeof(double));
  frontier->entry = (int *)permi_pool_get(pool, streams, sizeof(int));
  if (!permi_pool_ints(pool, &frontier->stream_start, vertices + 1, &frontier->partner, streams, &frontier->sequence,
                       vertices, &frontier->birth, vertices, &frontier->death, vertices, &frontier->slot, vertices,
                       &frontier->ones, vertices + 1, &frontier->most, vertices + 1, (int **)NULL))
    goto done;
  frontier->cost = frontier->states + vertices + 1;
  status = PERM_ERROR_LIMIT;
  if (!permi_frontier_walk(frontier, block, order, binomial, &walk, watch))
    goto done;
  frontier->slot_count = permi_frontier_slots(frontier, (int)vertices, life, busy, watch);
  frontier->mask_words = (frontier->slot_count + 63) / 64;
  if (frontier->slot_count == 0)
    goto done;
  status = PERM_ERROR_MEMORY;
  frontier->mask = (uint64_t *)permi_pool_get(pool, streams, 3 * (size_t)frontier->mask_words * sizeof(uint64_t));
  if (!frontier->mask)
    goto done;
  permi_frontier_streams(frontier, block, watch);
  if (block->integer && !permi_frontier_lengths(frontier, block, &room))
    goto done;
  frontier->bound_relative = permi_terms_bound(
      &frontier->numbers, exactness->roundings, (block->imaginary ? 2.42 : 1.0) * (block->n - 1) + frontier->additions,
      block->n + frontier->additions);
  status = permi_watch(watch, 0) ? PERM_ERROR_LIMIT : PERM_OK;
done:
  permi_pool_release(&room);
  if (status == PERM_ERROR_MEMORY) {
    permi_owned_release(allocator, frontier);
    *made = NULL;
  }
  return status;
}
/* SPDX-License-Identifier: MIT */
