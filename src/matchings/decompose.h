/* ====================================================================================== >>decompose
   Eliminates lines of few entries, by sums over branches [FM03]. With entries a, b of a line in lines c, d across:
       per A = per (A without the line and d; c replaced by a d + b c) + per (A without the two entries),
   so a line of 2k or 2k - 1 entries gives k permanents of one order less, each beginning with a line of degree 1 or 2.
   Between branches: degree 1 and 2, and the fine Dulmage-Mendelsohn decomposition into blocks, whose permanents are
   multiplied. The line with the fewest entries is branched on, its partners paired by the rows they share. Small pieces
   are summed over subsets, larger ones as well when all lines have more than 4 entries. (DecompRyser hands those on to
   Ryser's formula; subsets cancel nothing.) Orders up to 64: a set of lines is a word.

   A number is a cell of `size` words: for doubles the real and imaginary part and the sum of moduli of the terms, for
   integers `parts` numbers of `words` words modulo 2^(64 words), where wrapping does no harm.

   THE BOUND. The product of a perfect matching, of n entries, is rounded in n - 1 products and in the additions that it
   passes through. permi_decompose_node returns a bound on those: one for every line merged, the number of branches less
   one at a branch, the sum over the blocks of a product, (k - 1) k / 2 in the sum over subsets of k lines. With R
   roundings in all (a complex product counts as 3, see permi_combine) and S the sum of moduli,
       |error| <= g / (1 - g) (computed S), g = gamma_R.
   Every intermediate is multiplied into the result by at most the permanent of a minor of the moduli, which is at most
   growth = prod max(1, row sum): an operation loses DBL_MIN at most to underflow, which costs DBL_MIN * growth.

   THREADS. Units as in >>transversals: pieces whose branches along the path multiply up to `enough`, and sums over
   subsets before that. In a first pass every thread walks the top of the tree and computes the units for which it draws
   tickets. In a second pass a single thread walks the tree again and takes their results, so that sums have the order,
   and counts the values, of a single thread. The walk depends on the entries of the pieces, never on results below. */
#pragma once
#include "../base/ring.h"
#include "transversals.h"

#define PERMI_DECOMPOSE_ORDER 64
#define PERMI_DECOMPOSE_SMALL 7       /* pieces up to here are summed over subsets, which takes about a microsecond, */
#define PERMI_DECOMPOSE_SUBSETS 14    /* and up to here when all their lines have more than 4 entries */
#define PERMI_DECOMPOSE_PROBES 48     /* random descents that the prediction averages */
#define PERMI_DECOMPOSE_ADDITIONS 40  /* that the plan's bound pays for, per line */
#define PERMI_DECOMPOSE_UNITS 16384   /* bounds `enough`; */
#define PERMI_DECOMPOSE_ROOM 8        /* results of so many times as many have room; other units wait for pass two */
#define PERMI_DECOMPOSE_THREADED 4e-2 /* as PERMI_WALK_SECONDS, for a top that is walked twice, in dearer nodes */

typedef union permi_cell_word {
  double real;
  uint64_t word;
} permi_cell_word;

typedef struct permi_decompose { /* context of a leaf */
  perm_allocator allocator;
  int n, parts, words; /* words 0: doubles */
  size_t size;         /* words of a cell */
  uint64_t row[PERMI_DECOMPOSE_ORDER];
  permi_cell_word *cell; /* n x n */
  double nodes, seconds;
  double entry_roundings, growth, lost_error;
} permi_decompose;

/* A matrix in the making: mask[side][i] are the partners of line i, live[side] the lines left. */
typedef struct permi_piece {
  int n;
  uint64_t live[2], mask[2][PERMI_DECOMPOSE_ORDER];
  permi_cell_word *cell; /* NULL in a probe, as are all other cells there */
} permi_piece;

typedef struct permi_decompose_level { /* what a node keeps while those below it run; stacks may be small */
  permi_piece child;
  int side, line, count; /* the line with the fewest entries; number of blocks, or of pairs of its entries: */
  uint64_t rows[PERMI_DECOMPOSE_ORDER], columns[PERMI_DECOMPOSE_ORDER];
} permi_decompose_level;

/* Whole: nothing is shared from here on down. */
typedef enum permi_pass { PERMI_PASS_WHOLE, PERMI_PASS_DRAW, PERMI_PASS_TAKE } permi_pass;

typedef struct permi_branch { /* the result of a unit, beside its cell */
  int additions;
  double nodes, operations;
} permi_branch;

typedef struct permi_branching { /* what threads share */
  permi_search search;
  const permi_decompose *plan;
  int room;     /* units that have a place */
  double work;  /* of the first pass, in predicted seconds */
  permi_branch *branch;
  permi_cell_word *cell, *arena;
} permi_branching;

typedef struct permi_decomposing { /* a walk of the tree */
  const permi_decompose *plan;
  permi_branching *shared; /* NULL: nobody polls */
  permi_pass pass;
  int thread, unit, ticket; /* number of the next unit; of the one to compute, -1: none */
  double ways, threads;     /* branches along the path multiplied; for the progress */
  perm_status status;
  permi_decompose_level *level;     /* of the present node; permi_decompose_levels of them */
  permi_cell_word *spare, *result;  /* a cell each */
  permi_cell_word *subsets;         /* 2^permi_decompose_most cells */
  double nodes, operations, work;   /* work: predicted seconds done */
  uint64_t seed;                    /* of a probe */
  double weight;                    /* of what a probe looks at */
} permi_decomposing;

static int permi_bits_count(uint64_t x)
{
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  return (int)(((x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101) >> 56);
}

/* -- cells: words, parts are constants where that pays ------------------------------------------ */

static PERMI_ALWAYS_INLINE int permi_decompose_size(int words, int parts)
{
  return words ? words * parts : parts + 1;
}

static PERMI_ALWAYS_INLINE void permi_decompose_clear(int words, int parts, permi_cell_word *cell)
{
  int k;
  for (k = 0; k < permi_decompose_size(words, parts); k++)
    cell[k].word = 0; /* which is 0.0, too */
}

/* to += a x */
static PERMI_ALWAYS_INLINE void permi_decompose_fuse(int words, int parts, permi_cell_word *to,
                                                     const permi_cell_word *a, const permi_cell_word *x)
{
  if (words == 1 && parts == 1) {
    to->word += a->word * x->word;
  } else if (words) {
    permi_words_accumulate(words, parts, &x->word, &to->word, &a->word);
  } else if (parts == 1) {
    to[0].real += a[0].real * x[0].real;
    to[1].real += a[1].real * x[1].real;
  } else {
    to[0].real += a[0].real * x[0].real - a[1].real * x[1].real;
    to[1].real += a[0].real * x[1].real + a[1].real * x[0].real;
    to[2].real += a[2].real * x[2].real;
  }
}

static PERMI_ALWAYS_INLINE void permi_decompose_pair(int words, int parts, permi_cell_word *sum, permi_cell_word *to,
                                                     const permi_cell_word *a, const permi_cell_word *x,
                                                     const permi_cell_word *b, const permi_cell_word *y)
{
  int k;
  permi_decompose_clear(words, parts, sum);
  if (x)
    permi_decompose_fuse(words, parts, sum, a, x);
  if (y)
    permi_decompose_fuse(words, parts, sum, b, y);
  for (k = 0; k < permi_decompose_size(words, parts); k++)
    to[k] = sum[k];
}

/* to = a x + b y; to may be one of them, x or y may be NULL. */
static void permi_decompose_combine(permi_decomposing *run, permi_cell_word *to, const permi_cell_word *a,
                                    const permi_cell_word *x, const permi_cell_word *b, const permi_cell_word *y)
{
  const int words = run->plan->words, parts = run->plan->parts;
  permi_cell_word sum[3];
  if (!to)
    return;
  run->operations++;
  if (words == 1 && parts == 1)
    permi_decompose_pair(1, 1, sum, to, a, x, b, y);
  else if (words)
    permi_decompose_pair(words, parts, run->spare, to, a, x, b, y);
  else if (parts == 1)
    permi_decompose_pair(0, 1, sum, to, a, x, b, y);
  else
    permi_decompose_pair(0, 2, sum, to, a, x, b, y);
}

static void permi_decompose_add(const permi_decompose *plan, permi_cell_word *to, const permi_cell_word *x)
{
  int k;
  if (!to)
    return;
  for (k = 0; k < (plan->words ? plan->parts : (int)plan->size); k++)
    if (plan->words)
      permi_words_add(&to[k * plan->words].word, &x[k * plan->words].word, plan->words);
    else
      to[k].real += x[k].real;
}

static void permi_decompose_set(const permi_decompose *plan, permi_cell_word *cell, int one)
{
  if (!cell)
    return;
  permi_decompose_clear(plan->words, plan->parts, cell);
  if (one && plan->words)
    cell->word = 1;
  else if (one)
    cell[0].real = cell[plan->parts].real = 1;
}

/* An integer is 0 in its ring; a double counts as an entry even when its terms have cancelled. */
static int permi_decompose_zero(const permi_decompose *plan, const permi_cell_word *cell)
{
  size_t k;
  for (k = 0; plan->words && k < plan->size && !cell[k].word;)
    k++;
  return k == plan->size;
}

/* -- pieces ------------------------------------------------------------------------------------ */

/* The piece given, without its cells. */
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

static permi_cell_word *permi_piece_at(const permi_decompose *plan, const permi_piece *piece, int side, int i, int j)
{
  const size_t row = (size_t)(side ? j : i), column = (size_t)(side ? i : j);
  return piece->cell + (row * (size_t)piece->n + column) * plan->size;
}

/* Gives a line these entries, and no others. */
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

/* The degree of the line with the fewest entries, INT_MAX when nothing is left. */
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
      degree = permi_bits_count(x);
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

/* Eliminates a line with two entries, which are in c and d: c takes over the entries of d. */
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
      const permi_cell_word *a = permi_piece_at(plan, piece, side, line, c);
      const permi_cell_word *b = permi_piece_at(plan, piece, side, line, d);
      permi_cell_word *x = permi_piece_at(plan, piece, side, r, c), *y = permi_piece_at(plan, piece, side, r, d);
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

/* The given lines of `from`, packed, into `to`, whose cells are at `room`. */
static void permi_piece_copy(const permi_decompose *plan, const permi_piece *from, uint64_t rows, uint64_t columns,
                             permi_piece *to, permi_cell_word *room)
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
               plan->size * sizeof(permi_cell_word));
    }
  }
}

/* subset[s]: the permanent of the first rows in the columns of s, as many. at[0][i] + at[1][j] is entry (i, j). */
static PERMI_ALWAYS_INLINE void permi_subsets_sum(int words, int parts, int k, const permi_cell_word *cell,
                                                  size_t at[2][PERMI_DECOMPOSE_SUBSETS], const unsigned *mask,
                                                  permi_cell_word *subset)
{
  const size_t size = (size_t)permi_decompose_size(words, parts);
  unsigned s, last;
  int w;
  for (s = 1; s < 1u << k; s++) {
    const int i = permi_bits_count(s) - 1;
    permi_cell_word local[3], *sum = words > 1 || (words && parts > 1) ? subset + s * size : local;
    permi_decompose_clear(words, parts, sum);
    for (last = mask[i] & s; last; last &= last - 1) {
      const int j = permi_trailing_zeros(last);
      permi_decompose_fuse(words, parts, sum, subset + (s ^ 1u << j) * size, cell + at[0][i] + at[1][j]);
    }
    for (w = 0; sum == local && w < (int)size; w++)
      subset[s * size + (size_t)w] = local[w];
  }
}

/* The sum over subsets of columns into result. */
PERMI_NEVER_INLINE static void permi_piece_subsets(permi_decomposing *run, const permi_piece *piece,
                                                   permi_cell_word *result)
{
  const permi_decompose *plan = run->plan;
  const int words = plan->words, parts = plan->parts, k = permi_bits_count(piece->live[0]);
  int line[2][PERMI_DECOMPOSE_SUBSETS], side, i, j;
  size_t at[2][PERMI_DECOMPOSE_SUBSETS];
  unsigned mask[PERMI_DECOMPOSE_SUBSETS];
  uint64_t left;
  if (!piece->cell)
    return;
  for (side = 0; side < 2; side++)
    for (i = 0, left = piece->live[side]; left; left &= left - 1, i++) {
      const int last_first = side && parts == 2 && !words; /* the order of the sums, and so their bits */
      line[side][last_first ? k - 1 - i : i] = permi_trailing_zeros(left);
    }
  for (i = 0; i < k; i++) {
    at[0][i] = (size_t)line[0][i] * (size_t)piece->n * plan->size;
    at[1][i] = (size_t)line[1][i] * plan->size;
    for (mask[i] = 0, j = 0; j < k; j++)
      mask[i] |= (unsigned)(piece->mask[0][line[0][i]] >> line[1][j] & 1) << j;
  }
  permi_decompose_set(plan, run->subsets, 1);
  if (words == 1 && parts == 1)
    permi_subsets_sum(1, 1, k, piece->cell, at, mask, run->subsets);
  else if (words)
    permi_subsets_sum(words, parts, k, piece->cell, at, mask, run->subsets);
  else if (parts == 1)
    permi_subsets_sum(0, 1, k, piece->cell, at, mask, run->subsets);
  else
    permi_subsets_sum(0, 2, k, piece->cell, at, mask, run->subsets);
  run->operations += (double)k * (1 << k);
  memcpy(result, run->subsets + (((size_t)1 << k) - 1) * plan->size, plan->size * sizeof *result);
}

/* Finds a column for a row, moving other rows (Kuhn). 0: there is none. taken: columns with a partner, seen: columns
   that were tried. */
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

/* The rows that a row leads to within a set, by entries and back by the matching (forward), or against that. */
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

/* Splits a piece into blocks, by rows[] and columns[]: returns their number, 0 when singular. Deletes the entries
   between blocks; *dead says whether there were any. */
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

/* Writes the entries of a line in pairs, an odd one last; returns the number of pairs. Partners that share most lines
   come first: merging them fills in least. */
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
        const int shared = permi_bits_count(x & piece->mask[1 - side][permi_trailing_zeros(second)]);
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
