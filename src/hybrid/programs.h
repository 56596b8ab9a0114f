/* ======================================================================================= >>programs
   The sums of >>hybrid on GPUs. A layout becomes a straight program, where each statement makes a value; a thread runs
   it for every pattern of its walk.

     columns     inner | low, unrolled in Gray order | walk, a loop in Gray order | high, the bits of the thread's
                 number: 2^PERM_GPU_THREADS_LOG2 threads are a chunk | one fixed +
     values      in registers, made on demand so that few wait; bases in shared memory, constants in constant memory
                 (literals, 5 % slower, compile sooner and serve short runs)
     rows        real ones are divided by their largest inner entry, unless it is small: f (z +- 1) = fma(f, z, +-f)
     sum of |terms|  a second program, of moduli, for a hashed sample of patterns; with certify for every pattern,
                 without division
     integers    as in >>hybrid_residues; one program serves all primes and roots, each pass has a table of residues
   Bits depend on the plan alone: a walk adds by TwoSum, threads in a tree, chunks exactly. An H200 reaches 80-90 % of
   its FP64 rate up to 130 waiting values. */
#pragma once
#include "../dense/dense_gpu.h"
#include "hybrid_residues.h"

#define PERMI_GPU_WALK 8
typedef enum permi_code_kind {
  PERMI_CODE_BASE,    /* base of row a */
  PERMI_CODE_ADD,     /* a + constant b, or - */
  PERMI_CODE_TURN,    /* a - constant b, or + where low column c has sign - */
  PERMI_CODE_NEAR,    /* a (b +- 1) */
  PERMI_CODE_TIMES,
  PERMI_CODE_CROSS,   /* a b - c d; of moduli a b + c d */
  PERMI_CODE_MINUS,   /* a - b; of moduli a + b */
  PERMI_CODE_SETTLE,  /* a row sum as a double-double */
  PERMI_CODE_HALF,
  PERMI_CODE_REDUCE,  /* a modulo the prime, |a| <= 2^52 */
  PERMI_CODE_TIMES_LONG, /* reduced from two doubles */
  PERMI_CODE_CROSS_LONG,
  PERMI_CODE_RESIDUE, /* a + residue b, or -, reduced */
  PERMI_CODE_TOTAL,   /* block += a, or -= */
  PERMI_CODE_MODULUS, /* |a| + the floor of row b; what follows is of moduli */
  PERMI_CODE_RETURN
} permi_code_kind;

typedef struct permi_code_statement {
  int kind, negative;
  int a, b, c, d;
} permi_code_statement;

typedef struct permi_code_flip {
  int row, constant, negative, reduced; /* reduced: the constant is a residue */
} permi_code_flip;

typedef struct permi_code {
  perm_gpu_program program;
  permi_code_statement *statement;
  double *constant;
  double *residue; /* of reduced rows, in words */
  permi_code_flip *flip;
  char *text;
  int statements, statement_room, moduli; /* from `moduli` on: the second program */
  int constants, constant_room, residues, residue_room;
  int flips, flip_room, first_flip[PERMI_GPU_WALK + 2];
  int text_room;
  size_t length;
  int walk, samples_log2, live;
  int certify;
  double operations, moves;
  permi_dd scale;               /* product of the rows' divisors */
  long long scale_exp2;
  int divided;
  const perm_allocator *allocator;
  int failed; /* 1: too large, 2: no memory */
} permi_code;

static permi_code *permi_code_new(const perm_allocator *allocator)
{
  permi_code *code = (permi_code *)permi_allocate_zeros(allocator, 1, sizeof *code);
  if (code)
    code->allocator = allocator;
  return code;
}

static void permi_code_release(const perm_allocator *allocator, permi_code *code)
{
  if (!code)
    return;
  permi_release(allocator, code->statement);
  permi_release(allocator, code->constant);
  permi_release(allocator, code->residue);
  permi_release(allocator, code->flip);
  permi_release(allocator, code->text);
  permi_release(allocator, code);
}

static void permi_code_drop(const perm_allocator *allocator, permi_hybrid *hybrid)
{
  permi_code_release(allocator, hybrid->code);
  permi_release(allocator, hybrid->gpu.memory);
}

#define PERMI_GPU_CONSTANTS 7800
#define PERMI_GPU_MOVES 40000
#define PERMI_GPU_MOVES_MORE 300000
#define PERMI_GPU_MEMO 400000
#define PERMI_GPU_LOAD 2.2         /* operations: 4 processors share 128 bytes a cycle */
#define PERMI_GPU_FLIP 5           /* load and store */
#define PERMI_GPU_LIVE 120         /* doubles that wait unspilled; SPILL more double the time: */
#define PERMI_GPU_SPILL 85         /* measured: 145 waiting cost 1.1 times, 165 1.25, 185 1.55 */
#define PERMI_GPU_LARGE 1600       /* statements; 2400 are slower by an eighth */
#define PERMI_GPU_VALUES 30000

typedef struct permi_coder {
  permi_hybrid_maker maker; /* of the CPU's program: its growths, of whole numbers, else NULL */
  permi_layouts *work;
  permi_arrangement *layout;
  permi_code *code;
  int parts, moduli;
  uint32_t minus;
  int literals;
  int remake, reload;        /* then a row sum, a base is made again */
  uint32_t scope[64], dirty[64];
  int unit[64]; /* column of the row's divisor; -1: none */
  int base[64], *memo; /* the value; -1: to be made */
  int row[64], node[PERMI_HYBRID_NODES]; /* in memo: whole rows, then without the divisor */
  int memos;
  permi_hybrid_rows rows;
  const double *floor;
  const int *reduced;     /* rows that are residues */
  int whole, doubled, grows; /* grows: some numbers are residues */
} permi_coder;

static int permi_code_put(permi_coder *coder, permi_code_kind kind, int negative, int a, int b, int c, int d)
{
  permi_code *code = coder->code;
  const permi_code_statement statement = {(int)kind, negative, a, b, c, d};
  return permi_append(code->allocator, (void **)&code->statement, &code->statements, &code->statement_room, &statement,
                      sizeof statement, PERMI_GPU_VALUES, &code->failed)
             ? code->statements - 1
             : 0;
}

static int permi_code_words(const permi_coder *coder, int row)
{
  return coder->reduced[row] ? PERMI_WHOLE_WORDS : coder->parts;
}

/* Returns whether moduli run once for each setting of low columns. */
static int permi_code_sampled(const permi_coder *coder)
{
  return coder->moduli && !coder->code->certify;
}

static int permi_code_is_zero(const permi_coder *coder, int row, const double *x)
{
  int p, zero = 1;
  for (p = 0; p < permi_code_words(coder, row); p++)
    zero &= x[p] == 0;
  return zero;
}

/* Returns the number of |x| among constants or residues, to which it is added if it is new. */
static int permi_code_constant(permi_coder *coder, int row, const double *x, int *negative)
{
  permi_code *code = coder->code;
  const int words = permi_code_words(coder, row), reduced = coder->reduced[row];
  double **list = reduced ? &code->residue : &code->constant, y[PERMI_WHOLE_WORDS];
  int *count = reduced ? &code->residues : &code->constants;
  int *room = reduced ? &code->residue_room : &code->constant_room;
  int k, p, same;
  for (p = 0; p < words - 1 && x[p] == 0;)
    p++;
  *negative = x[p] < 0;
  for (p = 0; p < words; p++)
    y[p] = *negative ? -x[p] : x[p];
  for (k = 0; k < *count; k++) {
    for (p = 0, same = 1; p < words; p++)
      same &= (*list)[k * words + p] == y[p];
    if (same)
      return k;
  }
  return permi_append(code->allocator, (void **)list, count, room, y, (size_t)words * sizeof *y,
                      PERMI_GPU_CONSTANTS / coder->parts, &code->failed)
             ? k
             : 0;
}

static int permi_code_twice(permi_coder *coder, int row, int place, int *negative)
{
  const double *number = coder->rows.number[row][place];
  const double twice[PERMI_WHOLE_WORDS] = {2 * number[0], 2 * number[1], 2 * number[2], 2 * number[3]};
  return permi_code_constant(coder, row, twice, negative);
}

static int permi_code_base(permi_coder *coder, int row)
{
  const permi_arrangement *layout = coder->layout;
  int k, negative, constant;
  if (coder->base[row] >= 0 &&
      (permi_code_sampled(coder) || coder->code->statements - coder->base[row] < coder->reload))
    return coder->base[row];
  coder->base[row] = permi_code_put(coder, PERMI_CODE_BASE, 0, row, 0, 0, 0);
  for (k = 0; k < layout->low && permi_code_sampled(coder); k++)
    if (coder->dirty[row] >> k & 1) {
      constant = permi_code_twice(coder, row, layout->inner + k, &negative);
      coder->base[row] = permi_code_put(coder, PERMI_CODE_TURN, negative, coder->base[row], constant, k, 0);
    }
  return coder->base[row];
}

static int permi_code_row(permi_coder *coder, int row, uint32_t setting, int whole)
{
  const uint32_t scope = whole ? coder->scope[row] : coder->scope[row] & ~(UINT32_C(1) << coder->unit[row]);
  int *memo = coder->memo + coder->row[row] + permi_pack_bits(setting, scope) +
              (whole ? 0 : 1 << permi_count_ones(coder->scope[row]));
  const int words = permi_code_words(coder, row);
  double sum[PERMI_WHOLE_WORDS] = {0, 0, 0, 0};
  int k, p, negative, constant, value;
  if (*memo >= 0 && (permi_code_sampled(coder) || coder->code->statements - *memo < coder->remake))
    return *memo;
  for (k = 0; k < coder->layout->low; k++)
    for (p = 0; p < words && coder->minus >> k & coder->dirty[row] >> k & 1; p++)
      sum[p] -= 2 * coder->rows.number[row][coder->layout->inner + k][p];
  for (k = 0; k < coder->layout->inner; k++)
    for (p = 0; p < words && scope >> k & 1; p++)
      sum[p] += setting >> k & 1 ? -coder->rows.number[row][k][p] : coder->rows.number[row][k][p];
  value = permi_code_base(coder, row);
  if (!permi_code_is_zero(coder, row, sum)) {
    constant = permi_code_constant(coder, row, sum, &negative);
    value = permi_code_put(coder, coder->reduced[row] ? PERMI_CODE_RESIDUE : PERMI_CODE_ADD, negative, value, constant,
                           0, 0);
  } else if (coder->reduced[row]) {
    value = permi_code_put(coder, PERMI_CODE_REDUCE, 0, value, 0, 0, 0);
  }
  if (coder->moduli)
    value = permi_code_put(coder, PERMI_CODE_MODULUS, 0, value, row, 0, 0);
  else if (coder->doubled)
    value = permi_code_put(coder, PERMI_CODE_SETTLE, 0, value, 0, 0, 0);
  *memo = value;
  return value;
}

/* Puts a result; whole numbers that grow are reduced. */
static int permi_code_grown(permi_coder *coder, permi_code_kind kind, int growth, int halved, int a, int b, int c,
                            int d)
{
  int value;
  if (coder->whole && growth == PERMI_GROWS_LONG && kind != PERMI_CODE_MINUS)
    return permi_code_put(coder, kind == PERMI_CODE_TIMES ? PERMI_CODE_TIMES_LONG : PERMI_CODE_CROSS_LONG, 0, a, b, c,
                          d);
  value = permi_code_put(coder, kind, coder->moduli, a, b, c, d);
  if (coder->whole && halved)
    value = permi_code_put(coder, PERMI_CODE_HALF, 0, value, 0, 0, 0);
  return !coder->whole || growth == PERMI_GROWS_NOT ? value
                                                    : permi_code_put(coder, PERMI_CODE_REDUCE, 0, value, 0, 0, 0);
}

/* Returns a table entry's value. A fold makes its larger factor first, so that few values wait. */
static int permi_code_entry(permi_coder *coder, int index, uint32_t setting)
{
  const int n = coder->work->n;
  const permi_hybrid_node *nodes = coder->work->node, *node;
  uint32_t folded;
  int *memo, value = 0, left, right, k;
  if (index < n)
    return permi_code_row(coder, index, setting, 1);
  node = &nodes[index - n];
  memo = coder->memo + coder->node[index - n] + permi_pack_bits(setting, node->scope);
  if (*memo >= 0 || coder->code->failed)
    return *memo;
  folded = node->all & ~node->scope;
  left = node->left;
  right = node->right;
  if (node->kind == PERMI_NODE_CHAIN) {
    for (k = 0; k < node->items; k++) {
      const int next = permi_code_entry(coder, coder->work->item[node->first + k], 0);
      const int growth = coder->maker.growths ? coder->maker.growths->item[node->first + k] : PERMI_GROWS_NOT;
      value = k ? permi_code_grown(coder, PERMI_CODE_TIMES, growth, 0, value, next, 0, 0) : next;
    }
  } else if (right < 0) {
    value = permi_code_entry(coder, left, setting);
    if (node->kind == PERMI_NODE_FOLD) {
      const int minus = permi_code_entry(coder, left, setting | folded);
      value = permi_code_grown(coder, PERMI_CODE_MINUS, node->growth, node->halved, value, minus, 0, 0);
    }
  } else if (node->kind == PERMI_NODE_MERGE) {
    const int swap =
        left < n && right < n && permi_count_ones(coder->scope[left]) > permi_count_ones(coder->scope[right]);
    const int first = swap ? right : left, second = swap ? left : right;
    value = permi_code_entry(coder, first, setting);
    if (second < n && coder->unit[second] >= 0 && !coder->moduli) {
      const int near_sum = permi_code_row(coder, second, setting, 0);
      value = permi_code_put(coder, PERMI_CODE_NEAR, (int)(setting >> coder->unit[second] & 1), value, near_sum, 0, 0);
    } else {
      const int other = permi_code_entry(coder, second, setting);
      value = permi_code_grown(coder, PERMI_CODE_TIMES, node->growth, 0, value, other, 0, 0);
    }
  } else {
    const int swap =
        left < n || (right >= n && permi_count_ones(nodes[right - n].all) > permi_count_ones(nodes[left - n].all));
    int f[4];
    for (k = 0; k < 4; k++) {
      const int second = (k >> 1) ^ swap, minus = k & 1;
      f[2 * minus + second] = permi_code_entry(coder, second ? right : left, minus ? setting | folded : setting);
    }
    value = permi_code_grown(coder, PERMI_CODE_CROSS, node->growth, node->halved, f[0], f[1], f[2], f[3]);
  }
  *memo = value;
  return value;
}

static int permi_code_operands(const permi_code_statement *statement, int *operand)
{
  static const int count[] = {0, 1, 1, 2, 2, 4, 2, 1, 1, 1, 2, 4, 1, 1, 1, 1};
  operand[0] = statement->a;
  operand[1] = statement->b;
  operand[2] = statement->c;
  operand[3] = statement->d;
  return count[statement->kind];
}

/* Notes how many doubles wait at most; moduli have one each. 0: out of memory. */
static int permi_code_live(permi_coder *coder, int begin, int end)
{
  permi_code *code = coder->code;
  int *last = (int *)permi_allocate(code->allocator, (size_t)code->statements + 1, sizeof *last);
  int k, o, operand[4], live = 0, most = 0;
  if (!last)
    return 0;
  for (k = begin; k < end; k++) {
    last[k] = -1;
    for (o = permi_code_operands(&code->statement[k], operand) - 1; o >= 0; o--)
      last[operand[o]] = k;
  }
  for (k = begin; k < end; k++) {
    const int operands = permi_code_operands(&code->statement[k], operand);
    for (o = 0; o < operands; o++)
      if (last[operand[o]] == k) {
        last[operand[o]] = -1;
        live--;
      }
    live += last[k] >= 0;
    most = live > most ? live : most;
  }
  permi_release(code->allocator, last);
  most *= begin > 0 ? 1 : coder->parts;
  code->live = most > code->live ? most : code->live;
  return 1;
}

/* Returns the operations of statement k; moduli are real. */
static double permi_code_operations(const permi_code *code, int k, permi_hybrid_algebra algebra)
{
  static const double each[PERMI_HYBRID_ALGEBRAS][PERMI_CODE_TOTAL + 1] = {
      {0, 1, 1, 1, 1, PERMI_GPU_WEIGHT_FOLD, 1, 0, 0, 0, 0, 0, 0, 1},
      {0, 2, 2, 4, 5, 11, 2, 0, 0, 0, 0, 0, 0, 2},
      {0, 2, 1, 5, 8, 21, 11, 6, 0, 0, 0, 0, 0, 12},
      {0, 1, 1, 1, 1, PERMI_GPU_WEIGHT_FOLD, 1, 0, 1, 3.5, 7, 15, 4.5 + PERMI_GPU_LOAD, 1},
      {0, 4, 2, 0, 42, 94, 22, 12, 0, 0, 0, 0, 0, 24}};
  const int kind = code->statement[k].kind;
  if (kind > PERMI_CODE_TOTAL)
    return kind == PERMI_CODE_MODULUS && permi_hybrid_is_complex((int)algebra) ? 20 : 1;
  return each[k >= code->moduli && kind >= PERMI_CODE_TIMES ? PERMI_HYBRID_REAL : algebra][kind];
}

/* Chooses the row's divisor; *growth: log2 of what products gain by divisors. */
static void permi_code_prepare_row(permi_coder *coder, permi_hybrid_algebra algebra, const double *a, int i,
                                   int *growth)
{
  permi_code *code = coder->code;
  double most = 0, unit = 0;
  int k, e;
  coder->unit[i] = -1;
  if (algebra == PERMI_HYBRID_WHOLE)
    return;
  for (k = 0; k < coder->work->n && algebra == PERMI_HYBRID_REAL && !coder->code->certify; k++) {
    const double x = a[i * coder->work->n + coder->layout->order[k]];
    most = fmax(most, fabs(x));
    if (k < coder->layout->inner && fabs(x) > fabs(unit)) {
      unit = x;
      coder->unit[i] = k;
    }
  }
  if (unit == 0 || fabs(unit) * 1024 < most || *growth + 1 - permi_exponent(unit) > 900) {
    coder->unit[i] = -1;
  } else {
    *growth += 1 - permi_exponent(unit);
    code->scale = permi_dd_multiply(code->scale, permi_dd_make(unit));
    frexp(code->scale.hi, &e);
    code->scale = permi_dd_scale(code->scale, -e);
    code->scale_exp2 += e;
    code->divided++;
  }
  permi_hybrid_row(&coder->rows, algebra, a, coder->layout->order, i, coder->unit[i]);
}

/* Forgets values that low column `turned` (-1: any) changes. */
static void permi_code_forget(permi_coder *coder, int turned)
{
  int i;
  for (i = 0; i < coder->work->n; i++)
    if (turned < 0 || coder->dirty[i] >> turned & 1) {
      memset(coder->memo + coder->row[i], -1, sizeof(int) << (permi_count_ones(coder->scope[i]) + 1));
      if (turned < 0)
        coder->base[i] = -1;
    }
  for (i = 0; i < coder->work->nodes; i++)
    if (turned < 0 || coder->work->node[i].dirty >> turned & 1)
      memset(coder->memo + coder->node[i], -1, sizeof(int) << permi_count_ones(coder->work->node[i].scope));
}

/* Adds a value for every setting of low columns, in Gray order, to the block or the returned modulus. */
static void permi_code_settings(permi_coder *coder)
{
  const int root = coder->work->n + coder->work->nodes - 1, low = permi_code_sampled(coder) ? 0 : coder->layout->low;
  int s, sum = 0;
  permi_code_forget(coder, -1);
  for (s = 0; s < 1 << low && !coder->code->failed; s++) {
    const int next = permi_trailing_zeros((uint64_t)s + 1);
    int value = permi_code_entry(coder, root, 0);
    if (coder->grows)
      value = permi_code_put(coder, PERMI_CODE_REDUCE, 0, value, 0, 0, 0);
    if (!coder->moduli)
      permi_code_put(coder, PERMI_CODE_TOTAL, s & 1, value, 0, 0, 0);
    else
      sum = s ? permi_code_put(coder, PERMI_CODE_MINUS, 1, sum, value, 0, 0) : value;
    if (s + 1 == 1 << low)
      break;
    permi_code_forget(coder, next);
    coder->minus ^= UINT32_C(1) << next;
  }
  coder->minus = 0;
  if (coder->moduli)
    permi_code_put(coder, PERMI_CODE_RETURN, 0, sum, 0, 0, 0);
}

static void permi_code_statements(permi_coder *coder)
{
  const permi_arrangement *layout = coder->layout;
  permi_code *code = coder->code;
  const int n = coder->work->n;
  int i, j;
  permi_code_settings(coder);
  code->moduli = code->statements;
  coder->moduli = 1;
  if (!coder->whole)
    permi_code_settings(coder);
  for (j = 0; j <= code->walk && !code->failed; j++) {
    const int k = layout->inner + layout->low + j;
    code->first_flip[j] = code->flips;
    for (i = 0; i < n && j < code->walk; i++)
      if (!permi_code_is_zero(coder, i, coder->rows.number[i][k])) {
        permi_code_flip flip;
        flip.row = i;
        flip.reduced = coder->reduced[i];
        flip.constant = permi_code_twice(coder, i, k, &flip.negative);
        permi_append(code->allocator, (void **)&code->flip, &code->flips, &code->flip_room, &flip, sizeof flip,
                     INT_MAX, &code->failed);
      }
  }
}
/* SPDX-License-Identifier: MIT */
