/* ========================================================================================= >>vectors
   Input of vector kernels, whose text is read once an instruction set. */
#pragma once
#include "../api/sparse_config.h"
#include "../base/ring.h"
#include "../dense/gpu.h"
#include "engines.h"

typedef enum permi_growth { /* exact; reduced; reduced from two doubles */
  PERMI_GROWS_NOT, PERMI_GROWS_SHORT, PERMI_GROWS_LONG
} permi_growth;

/* ---- blocks of arrays */

#define PERMI_ARRAY_NOWHERE 0xffff

/* Eight words of a block, base + at[i] of those in `here`: a window of 16 nearly always has them. */
typedef struct permi_eight {
  uint16_t base;
  unsigned char here, wide; /* beyond the window */
  unsigned char at[8];
} permi_eight;

typedef struct permi_origin {
  const void *x;
  size_t count;
  const uint16_t *place; /* or NOWHERE */
  const permi_eight *eight;
  double real;
  const permi_coefficient *c;
  void *sum; /* of >>derive_frontier, or NULL */
} permi_origin;

typedef void (*permi_block_kernel)(const permi_numbers *numbers, void *y, size_t count, const permi_origin *origin,
                                   int origins);

/* ---- programs of the hybrid */

#define PERMI_HYBRID_DOUBLES 32 /* lanes times parts */
#define PERMI_HYBRID_SLOTS 768
#define PERMI_HYBRID_KEPT 16000 /* with constants, where no slot is used again */
#define PERMI_HYBRID_INNER 24
#define PERMI_HYBRID_LOW 4
#define PERMI_HYBRID_ALL (1u << PERMI_HYBRID_LOW)
#define PERMI_HYBRID_STATEMENTS 60000

/* y = slot[row] + constant[h], y' = slot[row] + constant[g], z = slot[other] + constant[p]. */
typedef enum permi_opcode {
  PERMI_OP_ROW,        /* out = y */
  PERMI_OP_ROWS,       /* out = y z */
  PERMI_OP_TIMES_ROW,  /* out = p y */
  PERMI_OP_TIMES,      /* out = p h */
  PERMI_OP_DIFFERENCE, /* out = p - q */
  PERMI_OP_FOLD_ROW,   /* out = p y - q y' */
  PERMI_OP_FOLD,       /* out = p h - q g */
  PERMI_OP_CHAIN       /* the product of all p */
} permi_opcode;

/* In units of 8 doubles; the shift keeps rows of tables out of one cache set. */
static int permi_hybrid_line(int slot)
{
  return slot * (PERMI_HYBRID_DOUBLES / 8) + (slot >> 4);
}
#define PERMI_HYBRID_BASES (64 * (PERMI_HYBRID_DOUBLES / 8) + 4)
#define PERMI_HYBRID_ROOM (8 * (PERMI_HYBRID_SLOTS * (PERMI_HYBRID_DOUBLES / 8) + PERMI_HYBRID_SLOTS / 16))
#define PERMI_HYBRID_WORKSPACE ((2 * PERMI_HYBRID_ROOM + 4 * PERMI_HYBRID_DOUBLES) * sizeof(double))

typedef struct permi_statement {
  uint16_t out, p, q; /* by permi_hybrid_line */
  uint16_t h, g;      /* or constants */
} permi_statement;

typedef struct permi_instruction {
  uint16_t opcode, row, other, group;
  int first, count;
  int growth, halved; /* permi_growth; halves differences */
  unsigned dirty;     /* low columns it depends on, ALL */
} permi_instruction;

typedef enum permi_hybrid_algebra {
  PERMI_HYBRID_REAL, PERMI_HYBRID_COMPLEX, PERMI_HYBRID_DOUBLED, /* entries with 47 bits more; double-doubles */
  PERMI_HYBRID_WHOLE, PERMI_HYBRID_COMPLEX_DOUBLED, /* real value, error, imaginary value, error */
  PERMI_HYBRID_SHORT, PERMI_HYBRID_LONG, /* WHOLE + permi_growth */
  PERMI_HYBRID_MODULI, PERMI_HYBRID_COMPLEX_MODULI, /* for sums of |terms| */
  PERMI_HYBRID_ALGEBRAS = PERMI_HYBRID_SHORT
} permi_hybrid_algebra;

/* Primes below 2^47 reduce numbers below 2^97: 1.5 2^98 has the last place 2^46. */
#define PERMI_RESIDUE_BITS 47
#define PERMI_RESIDUE_GRID 475368975085586025561263702016.0

static PERMI_ALWAYS_INLINE int permi_hybrid_is_whole(int algebra)
{
  return algebra == PERMI_HYBRID_WHOLE || algebra == PERMI_HYBRID_SHORT || algebra == PERMI_HYBRID_LONG;
}

static PERMI_ALWAYS_INLINE int permi_hybrid_is_doubled(int algebra)
{
  return algebra == PERMI_HYBRID_DOUBLED || algebra == PERMI_HYBRID_COMPLEX_DOUBLED;
}

static PERMI_ALWAYS_INLINE int permi_hybrid_is_complex(int algebra)
{
  return algebra == PERMI_HYBRID_COMPLEX || algebra == PERMI_HYBRID_COMPLEX_DOUBLED;
}

static PERMI_ALWAYS_INLINE int permi_hybrid_parts(int algebra)
{
  return (permi_hybrid_is_complex(algebra) ? 2 : 1) * (permi_hybrid_is_doubled(algebra) ? 2 : 1);
}

static PERMI_ALWAYS_INLINE int permi_hybrid_row_parts(int algebra)
{
  return algebra == PERMI_HYBRID_COMPLEX_MODULI ? 2 : permi_hybrid_parts(algebra);
}

static PERMI_ALWAYS_INLINE double *permi_hybrid_slot(double *values, int line)
{
  return values + (size_t)line * 8;
}

typedef struct permi_hybrid_rounding {
  double floor[64];    /* raises a row's modulus */
  permi_shared shared;
  double majorant;     /* of moduli */
  double bits;
  double losses;       /* of terms with floors, or INFINITY */
  double unfloored;    /* without floors */
  double growth;       /* of sums of moduli and 1 */
} permi_hybrid_rounding;

struct permi_hybrid;
typedef struct permi_hybrid_family {
  void (*execute[PERMI_HYBRID_ALGEBRAS])(const struct permi_hybrid *hybrid, double *values, unsigned turned);
  void (*absolute[PERMI_HYBRID_ALGEBRAS])(const struct permi_hybrid *hybrid, double *values, unsigned turned);
  void (*add)(const struct permi_hybrid *hybrid, const double *block, double *total, int negative);
  void (*turn)(const struct permi_hybrid *hybrid, int j, int minus, double *values);
} permi_hybrid_family;

typedef struct permi_hybrid {
#if defined(PERM_WITH_CUDA)
  permi_gpu gpu;
#endif
  struct permi_code *code;    /* a GPU's, or NULL */
  int n, inner, low, high, lanes_log2, chunk_log2, walked, transposed, parts, lanes;
  permi_hybrid_algebra algebra;
  int operations, operation_room, statements, statement_room, constants, constant_room, slot_count, result;
  permi_instruction *operation;
  permi_statement *statement;
  double *constant;
  double *start;          /* [n][parts]: all signs + */
  double *lane;           /* [n][parts][lanes], added */
  double *sign;           /* 0: no pattern */
  double *step;           /* [high][n][parts]: 2a */
  size_t doubles;
  int touched[64][65];    /* a column's rows, then -1 */
  int order[64], line_exp2[2][64]; /* of the layout; of the scaling */
  int row_constant[65];           /* a row's first */
  uint32_t row_scope[64]; /* its inner columns */
  unsigned absolute_mask; /* one block in mask + 1 */
  uint64_t centre;        /* high columns with - in the largest terms */
  double rows_a_term;
  permi_hybrid_rounding rounding;
  double floor[PERMI_HYBRID_BASES]; /* 1: reduces a whole row */
  long long scale_exp2;
  perm_isa isa;
  uint64_t fingerprint;
  const permi_hybrid_family *family;
  struct permi_hybrid_runs *runs;
  double prime, inverse;          /* of residues, or 0 */
  int grows;
  int halvings;                   /* times 2^halvings */
} permi_hybrid;

/* ---- the sign search */

#define PERMI_SIGNS_BLOCK 9 /* columns: a set of patterns has 512 bits */
#define PERMI_SIGNS_WORDS 8 /* of counts or patterns */
#define PERMI_SIGNS_SUM_WORDS 10 /* 63 signs, 64 sums below 2^8, the sign */
#define PERMI_SIGNS_ZERO 128 /* counts sum 0; rows never 0 have target 0 */

/* A row of one block after its last prefix column: the patterns alive[count - least] do not make it 0. */
typedef struct permi_signs_cut {
  const uint64_t (*alive)[PERMI_SIGNS_WORDS];
  int place, least, entry, levels; /* what + adds */
} permi_signs_cut;

typedef struct permi_signs_frame {
  uint64_t count[PERMI_SIGNS_WORDS], alive[2][PERMI_SIGNS_WORDS];
} permi_signs_frame;

typedef enum permi_signs_class { /* the blocks that a row touches */
  PERMI_SIGNS_BOTH, PERMI_SIGNS_FIRST, PERMI_SIGNS_SECOND, PERMI_SIGNS_NONE
} permi_signs_class;

struct permi_signs_walk;
typedef struct permi_signs_family {
  /* Sets column k in frame k + 1; 0: no pattern is left. */
  int (*step)(struct permi_signs_walk *walk, int k, int bit);
  void (*search)(struct permi_signs_walk *walk, int k);
} permi_signs_family;

/* Rows have places by class, then when done. */
typedef struct permi_signs {
  permi_owned owned;
  const permi_signs_family *family;
  int n, prefix, length[2]; /* columns: prefix, block 0, block 1 */
  int words;
  double bits[4], sum_bits; /* of classes' products; of sums */
  int narrow;               /* 63 bits: products, sums of partners */
  int place[5];             /* where class c begins */
  int shared_words, own_word[2], width[2];
  int last[2];              /* last prefix column of own rows, or -1 */
  int16_t entry[PERM_MAX_N][PERM_MAX_N]; /* by place, column */
  unsigned char odd[PERM_MAX_N]; /* by place: the sum is odd */
  permi_signs_frame root;
  uint64_t target[PERMI_SIGNS_WORDS];      /* of class BOTH */
  uint64_t (*column)[PERMI_SIGNS_WORDS];   /* what + adds */
  uint64_t (*done)[PERMI_SIGNS_WORDS];     /* class NONE, by last column */
  int done_place[PERM_MAX_N + 1], cut_start[2 * PERM_MAX_N + 1]; /* step k, block b: from [2 k + b] */
  permi_signs_cut cut[PERM_MAX_N];
  uint64_t *pattern[2];     /* class BOTH, then own rows */
  uint16_t *group[2];       /* 2 group + (sign is -); same on BOTH */
  uint64_t *group_word[2];  /* [group][shared_words] */
  int groups[2];
  int by_table;             /* 1: sums even, to 8; 2: to 7 */
  uint64_t own_rows[2];     /* bytes from own_word on */
  uint64_t target_all[PERMI_SIGNS_WORDS]; /* 255 at class BOTH */
  int64_t *product;         /* by the sum of permi_signs_marks */
  int64_t three[40];
  /* living prefixes of `depth` columns, as bits; where chunks begin */
  int depth, ranges, doubled, twos, evens, gpu;
  uint64_t *path, *begin;
  perm_isa isa, isa_asked;
  int moves;
  double paths, seconds, gpu_seconds, spread, counted[4]; /* predicted: 95 %; nodes, joins, patterns, pairs */
  uint64_t fingerprint;
} permi_signs;

typedef struct permi_signs_walk {
  const permi_signs *signs;
  permi_signs_frame *frame; /* PERM_MAX_N + 1, aligned */
  int64_t product[PERM_MAX_N + 1]; /* its sign, unless narrow */
  uint64_t sum[PERMI_SIGNS_SUM_WORDS]; /* two's complement */
  uint64_t counted[4];
  /* until a column touches a block's own rows: sums of products, what block 1's groups add */
  int known[2], groups[2];
  uint16_t group[2][1 << PERMI_SIGNS_BLOCK];
  int64_t value[2][(1 << PERMI_SIGNS_BLOCK) + 8];
  uint64_t word[PERMI_SIGNS_WORDS][(1 << PERMI_SIGNS_BLOCK) + 8];
} permi_signs_walk;

static void permi_signs_pattern(const permi_signs *signs, int block, int y, uint64_t *count)
{
  const uint64_t *add = signs->pattern[block] + y * signs->width[block];
  const int shared = signs->shared_words, own = signs->own_word[block];
  for (int i = 0; i < shared; i++)
    count[i] += add[i];
  for (int i = shared; i < signs->width[block]; i++)
    count[own + i - shared] += add[i];
}

/* Returns the high bits of bytes that are 0, perhaps of bytes above one, too. */
static PERMI_ALWAYS_INLINE uint64_t permi_signs_zeros(uint64_t word)
{
  return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

/* Returns a row's sum, or half of an even one. */
static PERMI_ALWAYS_INLINE int64_t permi_signs_value(const permi_signs *signs, const unsigned char *count, int place)
{
  const int half = (int)count[place] - PERMI_SIGNS_ZERO;
  return signs->odd[place] ? 2 * half + 1 : half;
}

static PERMI_ALWAYS_INLINE int64_t permi_signs_product(const permi_signs *signs, const unsigned char *count, int place,
                                                       int end)
{
  int64_t product = 1;
  for (; place < end; place++)
    product *= permi_signs_value(signs, count, place);
  return product;
}

/* Codes of half sums -4 to 4 by their low four bits: bit 0: times 2, 1: 4, 2: 3, 7: negative. */
static const unsigned char permi_signs_codes[16] = {0, 0, 1, 4, 2, 0, 0, 0, 0, 0, 0, 0, 130, 132, 129, 128};

/* Marks are summed over eight rows: 1 times 2, 17 times 3, 153 negative. */
#define PERMI_SIGNS_SUMS 1378
static const unsigned char permi_signs_marks[16] = {0, 0, 1, 17, 2, 0, 0, 0, 0, 0, 0, 0, 155, 170, 154, 153};

static PERMI_ALWAYS_INLINE int64_t permi_signs_own(const permi_signs *signs, const uint64_t *own, int block,
                                                   const uint64_t *add)
{
  const int words = signs->width[block] - signs->shared_words;
  uint64_t c[PERMI_SIGNS_WORDS];
  for (int i = 0; i < words; i++)
    c[signs->own_word[block] + i] = own[i] + add[i];
  return permi_signs_product(signs, (const unsigned char *)c, signs->place[block + 1], signs->place[block + 2]);
}

static void permi_signs_total(permi_signs_walk *walk, permi_wide total)
{
  const int64_t factor = walk->product[walk->signs->prefix];
  const int negative = (int)(total.high >> 63) != (factor < 0);
  uint64_t x[PERMI_SIGNS_SUM_WORDS] = {0};
  const permi_wide size = total.high >> 63 ? permi_wide_negate(total) : total;
  const uint64_t times = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
  const permi_wide low = permi_multiply_words(size.low, times), high = permi_multiply_words(size.high, times);
  x[0] = low.low;
  x[1] = low.high + high.low;
  x[2] = high.high + (x[1] < low.high);
  if (negative)
    permi_words_subtract(walk->sum, x, walk->signs->words);
  else
    permi_words_add(walk->sum, x, walk->signs->words);
}

static void permi_signs_join_wide(permi_signs_walk *walk)
{
  const permi_signs *signs = walk->signs;
  const permi_signs_frame *frame = &walk->frame[signs->prefix];
  const int words = signs->words, n = signs->n;
  int pattern[2], w[2], i;
  uint64_t set[2], c[2][PERMI_SIGNS_WORDS], x[PERMI_SIGNS_SUM_WORDS];
  walk->counted[1]++;
  for (w[0] = 0; w[0] << 6 < 1 << signs->length[0]; w[0]++)
    for (set[0] = frame->alive[0][w[0]]; set[0]; set[0] &= set[0] - 1) {
      pattern[0] = w[0] << 6 | permi_trailing_zeros(set[0]);
      memcpy(c[0], frame->count, sizeof c[0]);
      permi_signs_pattern(signs, 0, pattern[0], c[0]);
      walk->counted[2]++;
      for (w[1] = 0; w[1] << 6 < 1 << signs->length[1]; w[1]++)
        for (set[1] = frame->alive[1][w[1]]; set[1]; set[1] &= set[1] - 1) {
          int negative = walk->product[signs->prefix] < 0, dead = 0;
          pattern[1] = w[1] << 6 | permi_trailing_zeros(set[1]);
          memcpy(c[1], c[0], sizeof c[1]);
          permi_signs_pattern(signs, 1, pattern[1], c[1]);
          negative ^= (signs->group[0][pattern[0]] ^ signs->group[1][pattern[1]]) & 1;
          walk->counted[3]++;
          for (i = 0; i < PERMI_SIGNS_SUM_WORDS; i++)
            x[i] = i == 0;
          for (i = 0; i < n && !dead; i++) {
            const int64_t value = permi_signs_value(signs, (const unsigned char *)c[1], i);
            negative ^= value < 0;
            dead = !value;
            permi_words_times(x, x, words, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 0);
          }
          if (!dead && negative)
            permi_words_subtract(walk->sum, x, words);
          else if (!dead)
            permi_words_add(walk->sum, x, words);
        }
    }
}

#define PERMI_FAMILY_TEXT PERM_SPARSE_HEADER_FILE
#define PERMI_FAMILY
#include PERM_HEADER_FILE
#undef PERMI_FAMILY_TEXT
/* SPDX-License-Identifier: MIT */
