/* ====================================================================================== >>decompose
   Lines of few entries eliminated, sums over branches [FM03]. With entries a, b of a line in lines c, d across:
       per A = per (A without the line and d; c replaced by a d + b c) + per (A without the two entries),
   so a line of 2k or 2k - 1 entries gives k permanents of one order less, each again with a line of degree 1 or 2 to
   begin with. Between branches: degree 1 and 2, and the fine Dulmage-Mendelsohn decomposition, so that what falls into
   blocks is a product. The line with the fewest entries is branched on, its partners paired by the rows they share.
   Small pieces are summed over subsets, larger ones as well when no line has 4 entries or fewer. (DecompRyser hands
   those on to Ryser's formula; subsets cancel nothing.) Orders up to 64: sets of lines are words.

   Numbers are cells of `size` 8-byte words: for doubles the real and imaginary part and the sum of moduli of the terms,
   for integers `parts` numbers of `words` words modulo 2^(64 words), where wrapping does no harm.

   THE BOUND. A perfect matching's product of n entries is rounded in n - 1 products and in the additions that it passes
   through. permi_decompose_node returns a bound on those: one for every line merged, the number of branches less one
   at a branch, the sum over the blocks of a product, (k - 1) k / 2 in the sum over subsets of k lines. With R
   roundings in all (a complex product counts as 3, see permi_combine) and S the sum of moduli,
       |error| <= g / (1 - g) (computed S), g = gamma_R.
   Every intermediate is multiplied into the result by at most the permanent of a minor of the moduli, which is at most
   growth = prod max(1, row sum): what an operation loses to underflow, DBL_MIN at most, costs DBL_MIN * growth.

   THREADS. Units as in >>transversals: pieces whose branches along the path multiply up to `enough`, and sums over
   subsets before that. In a first pass every thread walks the top of the tree and computes the units for which it draws
   tickets; in a second one a single thread walks it again and takes their results, so that sums have the order, and
   counts the values, of a single thread. What the walk does depends on the entries of the pieces only, never on the
   results below. */
#pragma once
#include "../job/control.h"
#include "../counts/ring.h"

#define PERMI_DECOMPOSE_ORDER 64
#define PERMI_DECOMPOSE_SMALL 7      /* pieces up to here are summed over subsets, which takes about a microsecond, */
#define PERMI_DECOMPOSE_SUBSETS 14   /* and up to here when all their lines have more than 4 entries */
#define PERMI_DECOMPOSE_PROBES 48    /* random descents that the prediction averages */
#define PERMI_DECOMPOSE_ADDITIONS 40 /* that the plan's bound pays for, per line */
#define PERMI_DECOMPOSE_UNITS 16384  /* bounds `enough`, */
#define PERMI_DECOMPOSE_ROOM 8       /* times which there is room for results; units beyond wait for the second pass */
#define PERMI_DECOMPOSE_THREADED 4e-2 /* as PERMI_WALK_SECONDS, for a top that is walked twice, in dearer nodes */

typedef struct permi_decompose {
  perm_allocator allocator;
  int n, parts, words; /* words 0: doubles */
  size_t size;         /* of a cell, in words of 8 bytes */
  uint64_t row[PERMI_DECOMPOSE_ORDER];
  void *cell; /* n x n */
  double nodes, seconds;
  double entry_roundings, growth, lost_error;
} permi_decompose;

/* A matrix in the making: mask[side][i] are the partners of line i, live[side] the lines left. */
typedef struct permi_piece {
  int n;
  uint64_t live[2], mask[2][PERMI_DECOMPOSE_ORDER];
  uint64_t *cell; /* NULL in a probe */
} permi_piece;

typedef enum permi_pass { PERMI_PASS_WHOLE, PERMI_PASS_DRAW, PERMI_PASS_TAKE } permi_pass;

typedef struct permi_branch { /* the result of a unit, beside its cell; or what was when it began */
  int additions;
  permi_pass pass;
  double nodes, operations;
} permi_branch;

typedef struct permi_branching { /* what threads share */
  double enough;
  int room, next, stop; /* units that have a place; ticket; a perm_status, written by the calling thread only */
  permi_branch *branch;
  uint64_t *cell;
} permi_branching;

typedef struct permi_decompose_level { /* what a node keeps while those below it run; stacks may be small */
  permi_piece child;
  uint64_t rows[PERMI_DECOMPOSE_ORDER], columns[PERMI_DECOMPOSE_ORDER];
} permi_decompose_level;

typedef struct permi_decomposing {
  const permi_decompose *plan;
  permi_control *control; /* NULL but in the calling thread */
  permi_branching *shared; /* NULL: one thread */
  permi_pass pass;         /* whole: nothing is shared from here on down */
  int unit, ticket;        /* number of the next unit; of the one to compute */
  double ways, threads;    /* branches along the path multiplied; for the progress */
  perm_status status;
  permi_decompose_level *level; /* of the present node; permi_decompose_levels of them */
  uint64_t *subsets;  /* 2^permi_decompose_most cells */
  uint64_t *spare;    /* 2 cells */
  double nodes, operations, work; /* work: predicted seconds done */
  uint64_t seed;      /* of a probe */
  double weight;      /* of what a probe looks at */
} permi_decomposing;

static int permi_bits_count(uint64_t x)
{
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  return (int)(((x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101) >> 56);
}

static int permi_bits_first(uint64_t x) /* x != 0 */
{
#if defined(__GNUC__)
  return __builtin_ctzll(x);
#else
  int k = 0;
  while (!(x >> k & 1))
    k++;
  return k;
#endif
}

static uint64_t *permi_piece_at(const permi_decompose *plan, const permi_piece *piece, int side, int i, int j)
{
  const size_t row = (size_t)(side ? j : i), column = (size_t)(side ? i : j);
  return piece->cell + (row * (size_t)piece->n + column) * plan->size;
}

/* to = a x + b y; to may be x or y, b and y may be NULL together. */
static void permi_decompose_combine(permi_decomposing *run, uint64_t *to, const uint64_t *a, const uint64_t *x,
                                    const uint64_t *b, const uint64_t *y)
{
  const permi_decompose *plan = run->plan;
  const int words = plan->words, parts = plan->parts;
  uint64_t *sum = run->spare;
  int k;
  run->operations++;
  if (words == 1 && parts == 1) {
    *to = *a * *x + (b ? *b * *y : 0);
    return;
  }
  if (words) {
    memset(sum, 0, plan->size * sizeof *sum);
    for (k = 0; k < (b ? 2 : 1); k++) {
      const uint64_t *f = k ? b : a, *g = k ? y : x;
      permi_words_fuse(sum, f, words, g, words, 0);
      if (parts == 2) {
        permi_words_fuse(sum, f + words, words, g + words, words, 1);
        permi_words_fuse(sum + words, f, words, g + words, words, 0);
        permi_words_fuse(sum + words, f + words, words, g, words, 0);
      }
    }
    memcpy(to, sum, plan->size * sizeof *sum);
    return;
  }
  {
    double p[3], q[3], r[3], t[3], z[3];
    memset(r, 0, sizeof r);
    memset(t, 0, sizeof t);
    memcpy(p, a, plan->size * sizeof *p);
    memcpy(q, x, plan->size * sizeof *q);
    if (b) {
      memcpy(r, b, plan->size * sizeof *r);
      memcpy(t, y, plan->size * sizeof *t);
    }
    if (parts == 2) {
      z[0] = (p[0] * q[0] - p[1] * q[1]) + (r[0] * t[0] - r[1] * t[1]);
      z[1] = (p[0] * q[1] + p[1] * q[0]) + (r[0] * t[1] + r[1] * t[0]);
      z[2] = p[2] * q[2] + r[2] * t[2];
    } else {
      z[0] = p[0] * q[0] + r[0] * t[0];
      z[1] = p[1] * q[1] + r[1] * t[1];
    }
    memcpy(to, z, plan->size * sizeof *z);
  }
}

static void permi_decompose_add(const permi_decompose *plan, uint64_t *to, const uint64_t *x)
{
  size_t k;
  double p, q;
  if (plan->words) {
    permi_words_add(to, x, plan->words);
    if (plan->parts == 2)
      permi_words_add(to + plan->words, x + plan->words, plan->words);
    return;
  }
  for (k = 0; k < plan->size; k++) {
    memcpy(&p, to + k, sizeof p);
    memcpy(&q, x + k, sizeof q);
    p += q;
    memcpy(to + k, &p, sizeof p);
  }
}

static void permi_decompose_set(const permi_decompose *plan, uint64_t *cell, int one)
{
  const double unit = 1;
  memset(cell, 0, plan->size * sizeof *cell);
  if (one && plan->words) {
    *cell = 1;
  } else if (one) {
    memcpy(cell, &unit, sizeof unit);
    memcpy(cell + plan->parts, &unit, sizeof unit);
  }
}

/* An integer is 0 in its ring; a double counts as an entry even when its terms have cancelled. */
static int permi_decompose_zero(const permi_decompose *plan, const uint64_t *cell)
{
  size_t k;
  if (!plan->words)
    return 0;
  for (k = 0; k < plan->size; k++)
    if (cell[k])
      return 0;
  return 1;
}

static void permi_piece_remove(permi_piece *piece, int side, int line)
{
  uint64_t others = piece->mask[side][line];
  for (; others; others &= others - 1)
    piece->mask[1 - side][permi_bits_first(others)] &= ~(UINT64_C(1) << line);
  piece->mask[side][line] = 0;
  piece->live[side] &= ~(UINT64_C(1) << line);
}

/* The line with the fewest entries: its degree, or INT_MAX when nothing is left. */
static int permi_piece_least(const permi_piece *piece, int *side, int *line)
{
  int least = INT_MAX, s;
  uint64_t lines;
  for (s = 0; s < 2; s++)
    for (lines = piece->live[s]; lines; lines &= lines - 1) {
      const int i = permi_bits_first(lines);
      const uint64_t x = piece->mask[s][i];
      int degree;
      if (least == 3 && (x & (x - 1)) != 0 && ((x & (x - 1)) & ((x & (x - 1)) - 1)) != 0)
        continue; /* 3 or more */
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

/* Eliminates a line with two entries. */
static void permi_piece_merge(permi_decomposing *run, permi_piece *piece, int side, int line)
{
  const permi_decompose *plan = run->plan;
  const int other = 1 - side, c = permi_bits_first(piece->mask[side][line]);
  const int d = permi_bits_first(piece->mask[side][line] & (piece->mask[side][line] - 1));
  const uint64_t in_c = piece->mask[other][c], in_d = piece->mask[other][d], self = UINT64_C(1) << line;
  uint64_t lines = (in_c | in_d) & ~self;
  for (; lines; lines &= lines - 1) {
    const int r = permi_bits_first(lines);
    const uint64_t bit = UINT64_C(1) << r;
    piece->mask[side][r] |= UINT64_C(1) << c;
    piece->mask[other][c] |= bit;
    if (piece->cell) {
      const uint64_t *a = permi_piece_at(plan, piece, side, line, c), *b = permi_piece_at(plan, piece, side, line, d);
      uint64_t *x = permi_piece_at(plan, piece, side, r, c), *y = permi_piece_at(plan, piece, side, r, d);
      if (!(in_c & bit))
        permi_decompose_combine(run, x, a, y, NULL, NULL);
      else if (!(in_d & bit))
        permi_decompose_combine(run, x, b, x, NULL, NULL);
      else
        permi_decompose_combine(run, x, a, y, b, x);
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
                             permi_piece *to, uint64_t *room)
{
  int place[PERMI_DECOMPOSE_ORDER], n = 0, i = 0;
  uint64_t left;
  for (left = columns; left; left &= left - 1)
    place[permi_bits_first(left)] = n++;
  to->n = n;
  to->live[0] = to->live[1] = n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
  to->cell = from->cell ? room : NULL;
  memset(to->mask[1], 0, (size_t)n * sizeof(uint64_t));
  for (; rows; rows &= rows - 1, i++) {
    const int row = permi_bits_first(rows);
    uint64_t mask = 0;
    for (left = from->mask[0][row] & columns; left; left &= left - 1) {
      const int column = permi_bits_first(left), at = place[column];
      mask |= UINT64_C(1) << at;
      to->mask[1][at] |= UINT64_C(1) << i;
      if (room && from->cell)
        memcpy(permi_piece_at(plan, to, 0, i, at), permi_piece_at(plan, from, 0, row, column),
               plan->size * sizeof(uint64_t));
    }
    to->mask[0][i] = mask;
  }
}

/* The sum over subsets of columns, rows one after the other, into result. */
PERMI_NEVER_INLINE static void permi_piece_subsets(permi_decomposing *run, const permi_piece *piece, uint64_t *result)
{
  const permi_decompose *plan = run->plan;
  const size_t size = plan->size;
  int columns[PERMI_DECOMPOSE_SUBSETS], rows[PERMI_DECOMPOSE_SUBSETS], k = 0, i, j, s;
  unsigned mask[PERMI_DECOMPOSE_SUBSETS];
  uint64_t left;
  for (left = piece->live[0]; left; left &= left - 1)
    rows[k++] = permi_bits_first(left);
  for (k = 0, left = piece->live[1]; left; left &= left - 1)
    columns[k++] = permi_bits_first(left);
  for (i = 0; i < k; i++)
    for (mask[i] = 0, j = 0; j < k; j++)
      mask[i] |= (unsigned)(piece->mask[0][rows[i]] >> columns[j] & 1) << j;
  if (!piece->cell)
    return;
  permi_decompose_set(plan, run->subsets, 1);
  if (plan->parts == 1 && plan->words <= 1) { /* the common cases: each state gathers, without calls */
    double entry[PERMI_DECOMPOSE_SUBSETS][PERMI_DECOMPOSE_SUBSETS][2], *value = (double *)(void *)run->subsets;
    uint64_t integer[PERMI_DECOMPOSE_SUBSETS][PERMI_DECOMPOSE_SUBSETS];
    for (i = 0; i < k; i++)
      for (j = 0; j < k; j++)
        if (mask[i] >> j & 1)
          memcpy(plan->words ? (void *)&integer[i][j] : (void *)entry[i][j],
                 permi_piece_at(plan, piece, 0, rows[i], columns[j]), size * sizeof(uint64_t));
    for (s = 1; s < 1 << k; s++) {
      unsigned last;
      i = permi_bits_count((uint64_t)s) - 1;
      last = mask[i] & (unsigned)s;
      if (plan->words) {
        uint64_t sum = 0;
        for (; last; last &= last - 1) {
          j = permi_bits_first(last);
          sum += run->subsets[s ^ 1 << j] * integer[i][j];
        }
        run->subsets[s] = sum;
      } else {
        double sum = 0, absolute = 0;
        for (; last; last &= last - 1) {
          j = permi_bits_first(last);
          sum += value[2 * (s ^ 1 << j)] * entry[i][j][0];
          absolute += value[2 * (s ^ 1 << j) + 1] * entry[i][j][1];
        }
        value[2 * s] = sum;
        value[2 * s + 1] = absolute;
      }
    }
    run->operations += (double)k * (1 << k);
    memcpy(result, run->subsets + (size_t)(s - 1) * size, size * sizeof *result);
    return;
  }
  memset(run->subsets + size, 0, ((size << k) - size) * sizeof(uint64_t));
  for (s = 0; s < (1 << k) - 1; s++) {
    unsigned free_columns;
    for (i = 0, j = s; j; j &= j - 1)
      i++;
    for (free_columns = mask[i] & ~(unsigned)s; free_columns; free_columns &= free_columns - 1) {
      j = permi_bits_first(free_columns);
      permi_decompose_combine(run, run->spare + size, run->subsets + (size_t)s * size,
                              permi_piece_at(plan, piece, 0, rows[i], columns[j]), NULL, NULL);
      permi_decompose_add(plan, run->subsets + (size_t)(s | 1 << j) * size, run->spare + size);
    }
  }
  memcpy(result, run->subsets + (size_t)s * size, size * sizeof *result);
}

/* Kuhn's matching on words: partner[column] of every live column. 0: there is none. */
static int permi_piece_match(const permi_piece *piece, int *partner)
{
  uint64_t rows = piece->live[0], taken = 0;
  for (; rows; rows &= rows - 1) {
    int from[PERMI_DECOMPOSE_ORDER], queue[PERMI_DECOMPOSE_ORDER], head = 0, tail = 0, end = -1;
    int mate[PERMI_DECOMPOSE_ORDER]; /* of a row on the queue: the column that led to it */
    uint64_t seen = 0;
    const int root = permi_bits_first(rows);
    queue[tail++] = root;
    mate[root] = -1;
    while (head < tail && end < 0) {
      const int row = queue[head++];
      uint64_t next = piece->mask[0][row] & ~seen, open = next & ~taken;
      seen |= next;
      if (open) {
        end = permi_bits_first(open);
        from[end] = row;
        break;
      }
      for (; next; next &= next - 1) {
        const int column = permi_bits_first(next);
        from[column] = row;
        mate[partner[column]] = column;
        queue[tail++] = partner[column];
      }
    }
    if (end < 0)
      return 0;
    taken |= UINT64_C(1) << end;
    while (end >= 0) {
      const int row = from[end], before = mate[row];
      partner[end] = row;
      end = before;
    }
  }
  return 1;
}

/* What the rows `reached` lead to, along entries and back by the matching (forward), or the other way round. */
static uint64_t permi_piece_reach(const permi_piece *piece, const int *partner, const int *column_of, int row,
                                  uint64_t within, int forward)
{
  uint64_t reached = UINT64_C(1) << row, todo = reached;
  while (todo) {
    const int at = permi_bits_first(todo);
    uint64_t next = forward ? piece->mask[0][at] : piece->mask[1][column_of[at]];
    todo &= todo - 1;
    if (forward) {
      uint64_t columns = next;
      for (next = 0; columns; columns &= columns - 1)
        next |= UINT64_C(1) << partner[permi_bits_first(columns)];
    }
    next &= within & ~reached;
    reached |= next;
    todo |= next;
  }
  return reached;
}

/* Fine Dulmage-Mendelsohn decomposition: rows[] and columns[] of each block, their number, 0 when singular. Entries
   between blocks are deleted; *dead says whether there were any. */
static int permi_piece_split(permi_piece *piece, uint64_t *rows, uint64_t *columns, int *dead)
{
  int partner[PERMI_DECOMPOSE_ORDER], column_of[PERMI_DECOMPOSE_ORDER], count = 0;
  uint64_t left = piece->live[0], c;
  *dead = 0;
  if (!permi_piece_match(piece, partner))
    return 0;
  for (c = piece->live[1]; c; c &= c - 1)
    column_of[partner[permi_bits_first(c)]] = permi_bits_first(c);
  while (left) {
    const int row = permi_bits_first(left);
    uint64_t members = permi_piece_reach(piece, partner, column_of, row, left, 1), r;
    members &= permi_piece_reach(piece, partner, column_of, row, left, 0);
    rows[count] = members;
    columns[count] = 0;
    for (r = members; r; r &= r - 1)
      columns[count] |= UINT64_C(1) << column_of[permi_bits_first(r)];
    for (r = members; r; r &= r - 1) {
      const int at = permi_bits_first(r);
      uint64_t other = piece->mask[0][at] & ~columns[count];
      *dead |= other != 0;
      for (; other; other &= other - 1)
        piece->mask[1][permi_bits_first(other)] &= ~(UINT64_C(1) << at);
      piece->mask[0][at] &= columns[count];
    }
    left &= ~members;
    count++;
  }
  return count;
}

/* The entries of a line, in the pairs that are merged together; an odd one last. Partners that share most lines come
   first: merging them fills in least. */
static int permi_piece_pairs(const permi_piece *piece, int side, int line, uint64_t *pair)
{
  uint64_t left = piece->mask[side][line];
  int pairs = 0;
  while (left & (left - 1)) {
    uint64_t first, second, best = 0;
    int most = -1;
    for (first = left; first & (first - 1); first &= first - 1)
      for (second = first & (first - 1); second; second &= second - 1) {
        const uint64_t x = piece->mask[1 - side][permi_bits_first(first)];
        const int shared = permi_bits_count(x & piece->mask[1 - side][permi_bits_first(second)]);
        if (shared > most) {
          most = shared;
          best = (first & (0 - first)) | (second & (0 - second));
        }
      }
    pair[pairs++] = best;
    left &= ~best;
  }
  if (left)
    pair[pairs++] = left;
  return pairs;
}
