/* ====================================================================================== >>decompose
   Eliminates lines of few entries by sums over branches [FM03]. Orders up to 64: a set of lines is a word. */
#pragma once
#include "transversals.h"

/* With entries a, b of a line in lines c, d across:
     per A = per (A without the line and d; c replaced by a d + b c) + per (A without the two entries),
   so a line of 2k or 2k - 1 entries gives k permanents of one order less. The line with the fewest entries is branched
   on. Between branches go degrees 1 and 2, and the fine Dulmage-Mendelsohn decomposition. Pieces that are small or have
   over 4 entries in all lines are summed over subsets, which cancel nothing (DecompRyser [SUP] takes Ryser's formula).

   THE BOUND. permi_decompose_node bounds a matching's additions: one a line merged, branches less one, the sum over
   blocks, (k - 1) k / 2 for subsets of k lines. With n - 1 products, R roundings in all (complex products count as 3)
   and S the sum of moduli, |error| <= g / (1 - g) (computed S), g = gamma_R. An intermediate is multiplied by at most
   a minor's permanent of moduli, at most growth = prod max(1, row sum): underflow costs DBL_MIN growth an operation.

   THREADS. First every thread walks the top of the tree and computes the units (>>transversals) of its tickets; then
   one walks it again and takes results, in the order of a single thread. */

#define PERMI_DECOMPOSE_ORDER 64
#define PERMI_DECOMPOSE_SMALL 7    /* pieces summed over subsets: about a microsecond */
#define PERMI_DECOMPOSE_SUBSETS 14 /* the same where all lines have over 4 entries */
#define PERMI_DECOMPOSE_PROBES 48
#define PERMI_DECOMPOSE_ADDITIONS 40 /* for each line, within the plan's bound */
#define PERMI_DECOMPOSE_UNITS 16384
#define PERMI_DECOMPOSE_ROOM 8        /* times `enough` units have a place; others wait for the second pass */
#define PERMI_DECOMPOSE_THREADED 4e-2 /* above PERMI_WALK_SECONDS: the top is walked twice */

typedef struct permi_decompose {
  permi_owned owned;
  permi_numbers numbers;
  int n, words;
  size_t size;
  uint64_t row[PERMI_DECOMPOSE_ORDER];
  uint64_t *cell;
  double nodes, seconds;
  double entry_roundings, growth, lost_error;
} permi_decompose;

/* A matrix in the making: entries and live lines of each side. */
typedef struct permi_piece {
  int n;
  uint64_t live[2], mask[2][PERMI_DECOMPOSE_ORDER];
  uint64_t *cell;
} permi_piece;

typedef struct permi_decompose_level {
  permi_piece child;
  int side, line, count;
  uint64_t rows[PERMI_DECOMPOSE_ORDER], columns[PERMI_DECOMPOSE_ORDER];
} permi_decompose_level;

/* WHOLE: a unit, or nothing is shared. */
typedef enum permi_pass { PERMI_PASS_WHOLE, PERMI_PASS_DRAW, PERMI_PASS_TAKE } permi_pass;

typedef struct permi_branch {
  int additions;
  double nodes, operations;
} permi_branch;

typedef struct permi_branching {
  permi_search search;
  const permi_decompose *plan;
  int room;
  double work;
  permi_branch *branch;
  uint64_t *cell, *arena;
} permi_branching;

typedef struct permi_decomposing {
  const permi_decompose *plan;
  permi_branching *shared;
  permi_coefficient one;
  permi_pass pass;
  int thread, unit, ticket; /* next unit; the one to compute, or -1 */
  double ways, threads;
  perm_status status;
  permi_decompose_level *level;
  uint64_t *spare, *result;
  uint64_t *subsets;
  double nodes, operations, work;
  uint64_t seed;
  double weight;
} permi_decomposing;

static PERMI_ALWAYS_INLINE void permi_decompose_pair(permi_algebra algebra, permi_decomposing *run, uint64_t *to,
                                                     const uint64_t *a, const uint64_t *x, const uint64_t *b,
                                                     const uint64_t *y)
{
  const permi_numbers *numbers = &run->plan->numbers;
  const size_t bytes = 8 * permi_value_words(algebra, numbers);
  double real[3];
  uint64_t word;
  void *sum = algebra == PERMI_WORDS ? run->spare : algebra == PERMI_WORD ? (void *)&word : (void *)real;
  memset(sum, 0, bytes);
  if (x)
    permi_value_fuse(algebra, numbers, a, sum, x);
  if (y)
    permi_value_fuse(algebra, numbers, b, sum, y);
  memcpy(to, sum, bytes);
}

/* to = a x + b y; to may be x or y; these may be NULL. */
static void permi_decompose_combine(permi_decomposing *run, uint64_t *to, const uint64_t *a, const uint64_t *x,
                                    const uint64_t *b, const uint64_t *y)
{
  if (!to)
    return;
  run->operations++;
  switch (run->plan->numbers.algebra) {
  case PERMI_WORD: permi_decompose_pair(PERMI_WORD, run, to, a, x, b, y); break;
  case PERMI_WORDS: permi_decompose_pair(PERMI_WORDS, run, to, a, x, b, y); break;
  case PERMI_SIGNED: permi_decompose_pair(PERMI_SIGNED, run, to, a, x, b, y); break;
  default: permi_decompose_pair(PERMI_COMPLEX, run, to, a, x, b, y); break;
  }
}

static void permi_decompose_set(const permi_decompose *plan, uint64_t *cell, int one)
{
  if (cell && one)
    permi_value_one(&plan->numbers, cell);
  else if (cell)
    memset(cell, 0, plan->size * sizeof *cell);
}

/* Doubles count as entries even where terms cancelled. */
static int permi_decompose_zero(const permi_decompose *plan, const uint64_t *cell)
{
  size_t k;
  for (k = 0; plan->words && k < plan->size && !cell[k];)
    k++;
  return k == plan->size;
}

static permi_piece permi_piece_whole(const permi_decompose *plan)
{
  permi_piece piece;
  uint64_t left;
  int i;
  memset(&piece, 0, sizeof piece);
  piece.n = plan->n;
  piece.live[0] = piece.live[1] = ~UINT64_C(0) >> (64 - plan->n);
  for (i = 0; i < plan->n; i++) {
    piece.mask[0][i] = plan->row[i];
    for (left = plan->row[i]; left; left &= left - 1)
      piece.mask[1][permi_trailing_zeros(left)] |= UINT64_C(1) << i;
  }
  return piece;
}

static uint64_t *permi_piece_at(const permi_decompose *plan, const permi_piece *piece, int side, int i, int j)
{
  const size_t row = (size_t)(side ? j : i), column = (size_t)(side ? i : j);
  return piece->cell + (row * (size_t)piece->n + column) * plan->size;
}

static void permi_piece_line(permi_piece *piece, int side, int line, uint64_t entries)
{
  uint64_t changed = piece->mask[side][line] ^ entries;
  for (; changed; changed &= changed - 1)
    piece->mask[1 - side][permi_trailing_zeros(changed)] ^= UINT64_C(1) << line;
  piece->mask[side][line] = entries;
}

static void permi_piece_remove(permi_piece *piece, int side, int line)
{
  permi_piece_line(piece, side, line, 0);
  piece->live[side] &= ~(UINT64_C(1) << line);
}

/* Returns the fewest entries of a line, INT_MAX: no line. */
static int permi_piece_least(const permi_piece *piece, int *side, int *line)
{
  int least = INT_MAX, s;
  uint64_t lines;
  for (s = 0; s < 2; s++)
    for (lines = piece->live[s]; lines; lines &= lines - 1) {
      const int i = permi_trailing_zeros(lines);
      const uint64_t x = piece->mask[s][i], but_one = x & (x - 1);
      int degree;
      if (least == 3 && (but_one & (but_one - 1)))
        continue;
      degree = permi_count_ones(x);
      if (degree < least) {
        least = degree;
        *side = s;
        *line = i;
        if (degree <= 2)
          return degree;
      }
    }
  return least;
}

/* Eliminates a line of two entries, in lines c and d across: c takes over d. */
static void permi_piece_merge(permi_decomposing *run, permi_piece *piece, int side, int line)
{
  const permi_decompose *plan = run->plan;
  const uint64_t entries = piece->mask[side][line];
  const int other = 1 - side, c = permi_trailing_zeros(entries), d = permi_trailing_zeros(entries & (entries - 1));
  const uint64_t in_c = piece->mask[other][c], in_d = piece->mask[other][d];
  uint64_t lines = (in_c | in_d) & ~(UINT64_C(1) << line);
  for (; lines; lines &= lines - 1) {
    const int r = permi_trailing_zeros(lines);
    const uint64_t bit = UINT64_C(1) << r;
    piece->mask[side][r] |= UINT64_C(1) << c;
    piece->mask[other][c] |= bit;
    if (piece->cell) {
      const uint64_t *a = permi_piece_at(plan, piece, side, line, c);
      const uint64_t *b = permi_piece_at(plan, piece, side, line, d);
      uint64_t *x = permi_piece_at(plan, piece, side, r, c), *y = permi_piece_at(plan, piece, side, r, d);
      permi_decompose_combine(run, x, a, in_d & bit ? y : NULL, b, in_c & bit ? x : NULL);
      if (permi_decompose_zero(plan, x)) {
        piece->mask[side][r] &= ~(UINT64_C(1) << c);
        piece->mask[other][c] &= ~bit;
      }
    }
  }
  permi_piece_remove(piece, side, line);
  permi_piece_remove(piece, other, d);
}

static void permi_piece_copy(const permi_decompose *plan, const permi_piece *from, uint64_t rows, uint64_t columns,
                             permi_piece *to, uint64_t *room)
{
  int place[PERMI_DECOMPOSE_ORDER], n = 0, i = 0;
  uint64_t left;
  for (left = columns; left; left &= left - 1)
    place[permi_trailing_zeros(left)] = n++;
  to->n = n;
  to->live[0] = to->live[1] = ~UINT64_C(0) >> (64 - n);
  to->cell = room;
  memset(to->mask[1], 0, (size_t)n * sizeof(uint64_t));
  for (; rows; rows &= rows - 1, i++) {
    const int row = permi_trailing_zeros(rows);
    to->mask[0][i] = 0;
    for (left = from->mask[0][row] & columns; left; left &= left - 1) {
      const int column = permi_trailing_zeros(left), at = place[column];
      to->mask[0][i] |= UINT64_C(1) << at;
      to->mask[1][at] |= UINT64_C(1) << i;
      if (room)
        memcpy(permi_piece_at(plan, to, 0, i, at), permi_piece_at(plan, from, 0, row, column),
               plan->size * sizeof(uint64_t));
    }
  }
}

/* subset[s]: permanent of the first rows in the columns s. Entry (i, j) is at at[0][i] + at[1][j]. */
static PERMI_ALWAYS_INLINE void permi_subsets_sum(permi_algebra algebra, const permi_numbers *numbers, int k,
                                                  const uint64_t *cell, size_t at[2][PERMI_DECOMPOSE_SUBSETS],
                                                  const unsigned *mask, uint64_t *subset)
{
  const size_t size = permi_value_words(algebra, numbers);
  unsigned s, last;
  for (s = 1; s < 1u << k; s++) {
    const int i = permi_count_ones(s) - 1;
    double real[3];
    uint64_t word;
    void *sum = algebra == PERMI_WORDS ? subset + s * size : algebra == PERMI_WORD ? (void *)&word : (void *)real;
    memset(sum, 0, 8 * size);
    for (last = mask[i] & s; last; last &= last - 1) {
      const int j = permi_trailing_zeros(last);
      permi_value_fuse(algebra, numbers, subset + (s ^ 1u << j) * size, sum, cell + at[0][i] + at[1][j]);
    }
    if (algebra != PERMI_WORDS)
      memcpy(subset + s * size, sum, 8 * size);
  }
}

PERMI_NEVER_INLINE static void permi_piece_subsets(permi_decomposing *run, const permi_piece *piece,
                                                   uint64_t *result)
{
  const permi_decompose *plan = run->plan;
  const permi_numbers *numbers = &plan->numbers;
  const int k = permi_count_ones(piece->live[0]);
  int line[2][PERMI_DECOMPOSE_SUBSETS], side, i, j;
  size_t at[2][PERMI_DECOMPOSE_SUBSETS];
  unsigned mask[PERMI_DECOMPOSE_SUBSETS];
  uint64_t left;
  if (!piece->cell)
    return;
  for (side = 0; side < 2; side++)
    for (i = 0, left = piece->live[side]; left; left &= left - 1, i++) {
      const int last_first = side && numbers->algebra == PERMI_COMPLEX; /* the order, and so the bits, of the sums */
      line[side][last_first ? k - 1 - i : i] = permi_trailing_zeros(left);
    }
  for (i = 0; i < k; i++) {
    at[0][i] = (size_t)line[0][i] * (size_t)piece->n * plan->size;
    at[1][i] = (size_t)line[1][i] * plan->size;
    for (mask[i] = 0, j = 0; j < k; j++)
      mask[i] |= (unsigned)(piece->mask[0][line[0][i]] >> line[1][j] & 1) << j;
  }
  permi_decompose_set(plan, run->subsets, 1);
  switch (numbers->algebra) {
  case PERMI_WORD: permi_subsets_sum(PERMI_WORD, numbers, k, piece->cell, at, mask, run->subsets); break;
  case PERMI_WORDS: permi_subsets_sum(PERMI_WORDS, numbers, k, piece->cell, at, mask, run->subsets); break;
  case PERMI_SIGNED: permi_subsets_sum(PERMI_SIGNED, numbers, k, piece->cell, at, mask, run->subsets); break;
  default: permi_subsets_sum(PERMI_COMPLEX, numbers, k, piece->cell, at, mask, run->subsets); break;
  }
  run->operations += (double)k * (1 << k);
  memcpy(result, run->subsets + (((size_t)1 << k) - 1) * plan->size, plan->size * sizeof *result);
}

/* Finds a column for a row, moving others (Kuhn); 0: none. */
static int permi_piece_match(const permi_piece *piece, int row, int *partner, uint64_t *taken, uint64_t *seen)
{
  uint64_t next = piece->mask[0][row] & ~*taken;
  int column = next ? permi_trailing_zeros(next) : -1;
  while (column < 0 && (next = piece->mask[0][row] & ~*seen) != 0) {
    const int tried = permi_trailing_zeros(next);
    *seen |= UINT64_C(1) << tried;
    if (permi_piece_match(piece, partner[tried], partner, taken, seen))
      column = tried;
  }
  if (column < 0)
    return 0;
  partner[column] = row;
  *taken |= UINT64_C(1) << column;
  return 1;
}

/* Rows of `within` that a row reaches by steps from a row to a column (an entry) to its partner; not forward: by the
   same steps reversed. */
static uint64_t permi_piece_reach(const permi_piece *piece, const int *partner, const int *column_of, int row,
                                  uint64_t within, int forward)
{
  uint64_t reached = UINT64_C(1) << row, todo = reached, next, columns;
  for (; todo; todo |= next) {
    const int at = permi_trailing_zeros(todo);
    next = forward ? 0 : piece->mask[1][column_of[at]];
    for (columns = forward ? piece->mask[0][at] : 0; columns; columns &= columns - 1)
      next |= UINT64_C(1) << partner[permi_trailing_zeros(columns)];
    todo &= todo - 1;
    next &= within & ~reached;
    reached |= next;
  }
  return reached;
}

/* Returns the number of blocks, 0: singular. Deletes entries between blocks; *dead: some. */
static int permi_piece_split(permi_piece *piece, uint64_t *rows, uint64_t *columns, int *dead)
{
  int partner[PERMI_DECOMPOSE_ORDER], column_of[PERMI_DECOMPOSE_ORDER], count = 0;
  uint64_t left, members, taken = 0, seen;
  *dead = 0;
  for (left = piece->live[0]; left; left &= left - 1) {
    seen = 0;
    if (!permi_piece_match(piece, permi_trailing_zeros(left), partner, &taken, &seen))
      return 0;
  }
  for (left = piece->live[1]; left; left &= left - 1)
    column_of[partner[permi_trailing_zeros(left)]] = permi_trailing_zeros(left);
  for (left = piece->live[0]; left; left &= ~rows[count++]) {
    const int row = permi_trailing_zeros(left);
    rows[count] = permi_piece_reach(piece, partner, column_of, row, left, 1) &
                  permi_piece_reach(piece, partner, column_of, row, left, 0);
    columns[count] = 0;
    for (members = rows[count]; members; members &= members - 1)
      columns[count] |= UINT64_C(1) << column_of[permi_trailing_zeros(members)];
    for (members = rows[count]; members; members &= members - 1) {
      const int at = permi_trailing_zeros(members);
      *dead |= (piece->mask[0][at] & ~columns[count]) != 0;
      permi_piece_line(piece, 0, at, piece->mask[0][at] & columns[count]);
    }
  }
  return count;
}

/* Pairs a line's entries, an odd one last. Partners that share most lines come first: merging fills in least. */
static int permi_piece_pairs(const permi_piece *piece, int side, int line, uint64_t *pair)
{
  uint64_t left = piece->mask[side][line];
  int pairs = 0;
  for (; left & (left - 1); left &= ~pair[pairs++]) {
    uint64_t first, second;
    int most = -1;
    for (first = left; first & (first - 1); first &= first - 1)
      for (second = first & (first - 1); second; second &= second - 1) {
        const uint64_t x = piece->mask[1 - side][permi_trailing_zeros(first)];
        const int shared = permi_count_ones(x & piece->mask[1 - side][permi_trailing_zeros(second)]);
        if (shared > most) {
          most = shared;
          pair[pairs] = (first & (0 - first)) | (second & (0 - second));
        }
      }
  }
  if (left)
    pair[pairs++] = left;
  return pairs;
}
/* SPDX-License-Identifier: MIT */
