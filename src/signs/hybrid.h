/* ========================================================================================= >>hybrid
   Signs outside, elimination inside. Glynn's sum over the signs d of the columns,
       per A = 2^-(n-1) sum over d, d_last = +1, of prod_j d_j prod_i y_i(d),   y = A d,
   is taken apart: over the signs of the outer columns it is summed term by term; over those of the inner ones, which
   have few entries, by elimination (bucket elimination [Dec99]): a row is a table over the signs of its own inner
   columns; an inner column's sum is the product of the tables that contain it, folded: f = f[+] - f[-].
   All this does not depend on the outer signs but through the rows' base, the sum of their outer entries with signs. So
   it is one straight program over numbers that stand for vectors of outer sign patterns:

     slots       a slot holds one number for each of PERMI_HYBRID_LANES patterns. Slots 0 .. n - 1 are the bases of the
                 rows; a table over k columns takes 2^k slots in sequence, bit b of the index set where the b-th of its
                 columns (in the order of their numbers) has sign -.
     constants   of a row with d inner columns 2^d, likewise indexed: their sum with signs. Row sum y = base + constant.
     instructions  runs of statements of one kind, see permi_opcode. Of two factors, the one that has fewer columns is
                 held: statements are sorted such that it is loaded, or added up, once a group.
     columns     inner, eliminated | low, whose 2^low patterns in Gray order are unrolled in the program: a table is
                 computed again only where a column that it depends on has turned | high, a loop in Gray order |
                 lanes | one fixed +.
   Row sums are exact: coefficients are on the grid of >>dense. A row is not divided by its largest inner entry, which
   would turn base + constant and a product into one fused operation f z +- f: held sums make the additions few, loads
   and stores are what limits the interpreter, and what is divided is no longer exact.
   Tried without gain on a 2.5 GHz Cascade Lake: 16 or 64 doubles a slot (within 10%); budgets of slots that fit the
   first-level cache (110 slots: 1.4 times as slow, since there are twice as many operations).
   Nothing in the program knows about vectors or caches: another back end may compile it, with another budget of slots
   and other weights for the annealing. */
#pragma once
#include "../dense/gpu.h"
#include "../block/order.h"

#define PERMI_HYBRID_DOUBLES 32 /* of a slot: patterns, or patterns times 2 parts */
#define PERMI_HYBRID_SLOTS 768  /* 192 KiB a thread */
#define PERMI_HYBRID_INNER 24
#define PERMI_HYBRID_LOW 6
#define PERMI_HYBRID_STATEMENTS 60000

/* y = slot[row] + constant[h], y' = slot[row] + constant[g], z = slot[other] + constant[p] */
typedef enum permi_opcode {
  PERMI_OP_ROW,        /* out = y */
  PERMI_OP_ROWS,       /* out = y z */
  PERMI_OP_TIMES_ROW,  /* out = p y */
  PERMI_OP_TIMES,      /* out = p h */
  PERMI_OP_DIFFERENCE, /* out = p - q */
  PERMI_OP_FOLD_ROW,   /* out = p y - q y' */
  PERMI_OP_FOLD,       /* out = p h - q g */
  PERMI_OP_CHAIN,      /* out = the product of all p: one slot */
  PERMI_OP_FLIP,       /* slot[p] += constant[h] */
  PERMI_OP_TOTAL       /* block += slot[p], or -= if h */
} permi_opcode;

/* Where a slot begins, in units of 8 doubles. Tables are powers of two: without the shift of 64 bytes every 16 slots
   their rows would meet in the same sets of the cache. */
static int permi_hybrid_line(int slot)
{
  return slot * (PERMI_HYBRID_DOUBLES / 8) + (slot >> 4);
}
#define PERMI_HYBRID_BASES (64 * (PERMI_HYBRID_DOUBLES / 8) + 4) /* lines of the rows' bases */
#define PERMI_HYBRID_ROOM (8 * (PERMI_HYBRID_SLOTS * (PERMI_HYBRID_DOUBLES / 8) + PERMI_HYBRID_SLOTS / 16))
#define PERMI_HYBRID_WORKSPACE ((PERMI_HYBRID_ROOM + 5 * PERMI_HYBRID_DOUBLES) * sizeof(double)) /* of a thread */

typedef struct permi_statement {
  uint16_t out, p, q; /* slots, as permi_hybrid_line has them */
  uint16_t h, g;      /* slots or constants, held: the same in all statements of a group */
} permi_statement;

typedef struct permi_instruction {
  uint16_t opcode, row, other, group; /* row, other: slots likewise */
  int first, count; /* statements, a multiple of group */
} permi_instruction;

typedef enum permi_hybrid_algebra {
  PERMI_HYBRID_REAL,
  PERMI_HYBRID_COMPLEX,    /* real and imaginary part */
  PERMI_HYBRID_COMPENSATED /* value and error: rows with 47 bits more, products and differences as in [Gra09] */
} permi_hybrid_algebra;

/* The program for GPUs, see >>programs. */
#define PERMI_GPU_WALK 8
typedef enum permi_code_kind { /* numbers have the algebra's parts; moduli are real */
  PERMI_CODE_BASE,    /* base of row a */
  PERMI_CODE_ADD,     /* a + constant b, or - */
  PERMI_CODE_TURN,    /* a - constant b (or +) where low column c has sign - */
  PERMI_CODE_NEAR,    /* a (b +- 1) */
  PERMI_CODE_TIMES,   /* a b */
  PERMI_CODE_CROSS,   /* a b - c d */
  PERMI_CODE_MINUS,   /* a - b */
  PERMI_CODE_TOTAL,   /* block += a, or -= */
  PERMI_CODE_MODULUS, /* |a| and the floor of row b, a modulus; so are the following */
  PERMI_CODE_MULTIPLY, /* a b */
  PERMI_CODE_JOIN,    /* a b + c d */
  PERMI_CODE_PLUS,    /* a + b */
  PERMI_CODE_RETURN   /* a */
} permi_code_kind;

typedef struct permi_code_statement { /* statement k makes value k */
  int kind, negative;
  int a, b, c, d; /* values, or what the kind says */
} permi_code_statement;

typedef struct permi_code_flip { /* in a column of the walk: 2 a_ij is constant, or its negative */
  int row, constant, negative;
} permi_code_flip;

typedef struct permi_code {
  perm_gpu_program program;
  permi_code_statement *statement;
  double *constant; /* of each its parts */
  permi_code_flip *flip;
  char *text;
  int statements, statement_room, moduli; /* from number `moduli` on those of the second program */
  int constants, constant_room, flips, flip_room, first_flip[PERMI_GPU_WALK + 2];
  int text_room;
  size_t length;
  int walk, samples_log2, live; /* live: most doubles that wait at a time */
  double operations, moves;     /* of the pipe, in a step of the walk; loads and stores, in such operations */
  permi_dd scale;               /* product of what rows were divided by, times 2^scale_exp2 */
  long long scale_exp2;
  int divided; /* rows */
} permi_code;

static void permi_code_release(const perm_allocator *allocator, permi_code *code)
{
  if (!code)
    return;
  permi_release(allocator, code->statement);
  permi_release(allocator, code->constant);
  permi_release(allocator, code->flip);
  permi_release(allocator, code->text);
  permi_release(allocator, code);
}

#define PERMI_GPU_CANDIDATES 6

/* What rounding does to a sum, from its rows before and after: see permi_hybrid_errors. */
typedef struct permi_hybrid_rounding {
  double floor[64];    /* of a row: what its modulus is raised by for the sum of |terms| */
  permi_shared shared;
  double majorant;     /* no less than the permanent of the moduli, as a sum of terms */
  double bits;         /* of the longest products; up to 53 are exact */
  double below;        /* compensated rows: their second words, relative, squared and summed */
} permi_hybrid_rounding;

/* The program and what it runs on; immutable while it runs. */
typedef struct permi_hybrid {
  permi_gpu gpu; /* comes first, where perm.h looks for it; used with `code`, the program of >>programs, not NULL */
  permi_code *code;
  struct permi_hybrid *next; /* with candidates for options.gpu.tune: the next best by prediction */
  int candidate, candidates; /* number, from 1, and how many there are; 0: the best by prediction, no others are kept */
  double timed[PERMI_GPU_CANDIDATES]; /* seconds by a slice, INFINITY: failed, 0: not timed */
  int n, inner, low, high, lanes_log2, chunk_log2, transposed;
  int parts, lanes; /* numbers of a pattern, patterns of a slot */
  permi_hybrid_algebra algebra;
  int operations, operation_room, statements, statement_room, constants, constant_room, slots;
  permi_instruction *operation;
  permi_statement *statement;
  double *constant;       /* of each its parts */
  double *start;          /* [n][parts]: bases with all signs + */
  double *lane;           /* [n][parts][lanes]: what is added to that */
  double *sign;           /* [lanes]: of the patterns of lane columns; 0: no pattern */
  double *step;           /* [high][n][parts]: 2a */
  int touched[64][65];    /* of a high column: its rows, -1 after the last */
  unsigned absolute_mask; /* one in mask + 1 blocks enters the sum of |terms| */
  double cost, operations_a_term, rows_a_term; /* of an outer pattern: statements; additions, products; factors */
  permi_hybrid_rounding rounding;
  double floor[PERMI_HYBRID_BASES]; /* the same by where a row's slot begins, for the interpreter */
  long long scale_exp2;
  perm_isa isa;
  uint64_t fingerprint;
  void (*execute)(const struct permi_hybrid *hybrid, double *slot, double *block);
  void (*absolute)(const struct permi_hybrid *hybrid, double *slot, double *block);
  void (*add)(const struct permi_hybrid *hybrid, const double *block, double *total, int negative);
  void (*turn)(const struct permi_hybrid *hybrid, int j, int minus, double *slot);
} permi_hybrid;

/* What the numbers of a program are, a constant of its instances: as permi_hybrid_algebra, or moduli, for |terms|. Of
   value and error the value counts, in the first half of a slot; what comes of the second half is not used. */
enum {
  PERMI_PROGRAM_REAL,
  PERMI_PROGRAM_COMPLEX,
  PERMI_PROGRAM_COMPENSATED,
  PERMI_PROGRAM_MODULI,
  PERMI_PROGRAM_COMPLEX_MODULI
};

/* Parts of a number; of a row's base and constants. */
static PERMI_ALWAYS_INLINE int permi_program_parts(int kind)
{
  return kind == PERMI_PROGRAM_COMPLEX || kind == PERMI_PROGRAM_COMPENSATED ? 2 : 1;
}

static PERMI_ALWAYS_INLINE int permi_program_row_parts(int kind)
{
  return kind == PERMI_PROGRAM_COMPLEX_MODULI ? 2 : permi_program_parts(kind);
}

static PERMI_ALWAYS_INLINE double *permi_program_slot(double *slots, int line)
{
  return slots + (size_t)line * 8;
}

/* One text (>>vocabulary), read for each instruction set. */
#if PERMI_X86
#define PERMI_PROGRAM_WIDTH 8
#define PERMI_PROGRAM_NAME(name) permi_##name##_avx512
#include PERM_SPARSE_HEADER_FILE
#define PERMI_PROGRAM_WIDTH 4
#define PERMI_PROGRAM_NAME(name) permi_##name##_avx2
#include PERM_SPARSE_HEADER_FILE
#endif
#define PERMI_PROGRAM_WIDTH 1
#define PERMI_PROGRAM_NAME(name) permi_##name##_plain
#include PERM_SPARSE_HEADER_FILE

/* Chunk: 2^chunk_log2 states of the high columns, in Gray order. */
static void permi_hybrid_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  const int n = hybrid->n, parts = hybrid->parts, lanes = hybrid->lanes;
  double *slot = (double *)workspace;
  double *block = slot + PERMI_HYBRID_ROOM;
  double *total = block + PERMI_HYBRID_DOUBLES, *absolute = total + 2 * PERMI_HYBRID_DOUBLES;
  double sampled = 0;
  uint64_t s = chunk << hybrid->chunk_log2, last = s + (UINT64_C(1) << hybrid->chunk_log2), gray = s ^ s >> 1;
  int i, j, k, p;
  for (i = 0; i < n; i++)
    for (p = 0; p < parts; p++) {
      double base = hybrid->start[i * parts + p];
      for (j = 0; j < hybrid->high; j++)
        if (gray >> j & 1)
          base -= hybrid->step[(j * n + i) * parts + p];
      for (k = 0; k < lanes; k++)
        slot[8 * permi_hybrid_line(i) + p * lanes + k] = base + hybrid->lane[(i * parts + p) * lanes + k];
    }
  memset(total, 0, 4 * PERMI_HYBRID_DOUBLES * sizeof *total);
  for (;;) {
    memset(block, 0, PERMI_HYBRID_DOUBLES * sizeof *block);
    hybrid->execute(hybrid, slot, block);
    hybrid->add(hybrid, block, total, (int)(s & 1));
    if (!(permi_scatter(s) & hybrid->absolute_mask)) {
      memset(block, 0, PERMI_HYBRID_DOUBLES * sizeof *block);
      hybrid->absolute(hybrid, slot, block);
      for (k = 0; k < lanes; k++)
        absolute[k] += block[k];
    }
    if (++s == last)
      break;
    j = permi_trailing_zeros(s);
    hybrid->turn(hybrid, j, (int)((s ^ s >> 1) >> j & 1), slot);
  }
  /* Value and error of lane k are total[k] and total[DOUBLES + k]; compensated numbers' errors went into the latter. */
  for (p = 0; p < (hybrid->algebra == PERMI_HYBRID_COMPLEX ? 2 : 1); p++)
    for (k = 0; k < lanes; k++)
      if (hybrid->sign[k] != 0) {
        perm_sum *sum = p ? &partial->imaginary : &partial->value;
        permi_sum_add_double(sum, hybrid->sign[k] * total[p * lanes + k]);
        permi_sum_add_double(sum, hybrid->sign[k] * total[PERMI_HYBRID_DOUBLES + p * lanes + k]);
      }
  for (k = 0; k < lanes; k++)
    sampled += absolute[k] * fabs(hybrid->sign[k]);
  permi_sum_add_double(&partial->absolute, sampled * (hybrid->absolute_mask + 1.0));
  partial->terms += ldexp(1, hybrid->chunk_log2 + hybrid->low + hybrid->lanes_log2);
}

/* ---- which columns are inner, in what order, and which are low */
typedef struct permi_arrangement {
  int transposed, inner, low;
  int order[64]; /* inner columns as they are eliminated, low ones (the first turns fastest), all others */
} permi_arrangement;

/* Times of statements, in those of one that multiplies a table by a row: a load, a product, a store. */
#define PERMI_WEIGHT_ROWS 1.0
#define PERMI_WEIGHT_FOLD 1.4
#define PERMI_WEIGHT_CHAIN 0.6
#define PERMI_HYBRID_SLOT_BUDGET 500
#define PERMI_GPU_WEIGHT_FOLD 2.5 /* a fused operation with three different registers takes a slot and a half */
#define PERMI_GPU_STATEMENTS 3000 /* larger programs lose: of 4000 statements a third */
#define PERMI_GPU_LEAST_OUTER (PERM_GPU_THREADS_LOG2 + 2)

/* A factor of the elimination, a row (node < n) or the result of a node; columns and low columns as bits. */
typedef struct permi_hybrid_factor {
  uint32_t scope, dirty;
  int node;
} permi_hybrid_factor;

typedef enum permi_node_kind { PERMI_NODE_MERGE, PERMI_NODE_FOLD, PERMI_NODE_CHAIN } permi_node_kind;
typedef struct permi_hybrid_node { /* computes out of left and right; right < 0: a fold of left only */
  permi_node_kind kind;
  int left, right;
  uint32_t all, scope, dirty; /* columns of the operands, of the result; low columns that it depends on */
  int first, items;           /* of a chain: in permi_layouts.item; the first may be the chain before */
  int slot, persists;
} permi_hybrid_node;

#define PERMI_HYBRID_NODES 320
typedef struct permi_layouts {
  int n, budget, nodes, items;
  int gpu; /* costs of >>programs: 1 with rows divided by an entry, 2 without; 0: of the interpreter */
  uint64_t row[2][64], column[2][64]; /* bits of a row's columns, and of a column's rows, in both orientations */
  int degree[2][64];
  double add;  /* weight of an entry of a row's table: alone 1, with its part of loads more */
  double power[PERMI_HYBRID_INNER + 2], rate[1 << PERMI_HYBRID_LOW];
  permi_hybrid_factor factor[128];
  permi_hybrid_node node[PERMI_HYBRID_NODES]; /* n + k: the k-th */
  int item[192];
  double rows_a_step;
  double units, calls; /* of permi_layout_cost, as permi_watch counts them */
  double speed, rival;   /* statements a second; seconds of another engine */
  const permi_account *account; /* what may be spent; NULL: whatever is asked for */
  double scaled[PERM_MAX_N * PERM_MAX_N * 2]; /* the matrix for permi_hybrid_create */
} permi_layouts;
