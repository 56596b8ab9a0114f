/* ======================================================================================= >>programs
   The same sums on GPUs. A layout becomes one straight program without loops, every statement of which makes a new
   value; printed as CUDA C++ it is compiled by NVRTC, and a thread runs it for every pattern of its walk.

     columns     inner | low, unrolled in Gray order | walk, a loop in Gray order | high, by the bits of the thread's
                 number: 2^PERM_GPU_THREADS_LOG2 threads are a chunk | one fixed +
     values      in registers: layouts are searched with a budget of them, 8 warps of 255 registers a multiprocessor.
                 Bases of rows, as they are at the beginning of a step of the walk, are in shared memory, one of every
                 thread; what columns add in constant memory, equal moduli once (literals are 5% slower, but compiled
                 sooner: for short runs)
     order       on demand, entry by entry from the program's end, so that few values wait
     rows        real ones are divided by their largest inner entry h where that is not small against the row (the
                 product of all h goes into the scale): a product f (z +- 1) = fma(f, z, +-f) is one operation, and
                 z = base + constant is needed for half of the settings. All are on the grid of >>dense, so that bases
                 are exact whatever the order of steps
     sum of |terms|  a second program, of moduli, at a sample of the patterns: the same for all threads of a warp, so
                 that they do not part, otherwise by hashing
   Bits depend on the plan alone: statements are a fixed sequence, each rounded once; steps of a walk are added by
   TwoSum, threads in a tree, chunks exactly. What may be tried without leaving a trace in a result is only how a text
   is compiled. So the choice among programs is by prediction (operations, values that wait), not by timing.
   Predictions are of one H200 (FP64 1.67e13 operations/s). Measured there, folds weighted: 80-90% of it up to 130
   values that wait; what is missing is mostly loads of bases. */
#pragma once
#include "hybrid_leaf.h"

#define PERMI_GPU_CONSTANTS 7800   /* doubles: 64 KB */
#define PERMI_GPU_MOVES 40000
#define PERMI_GPU_MOVES_MORE 300000
#define PERMI_GPU_MEMO 400000
#define PERMI_GPU_LOAD 2.2         /* of a base, in operations: 4 processors share 128 bytes a cycle */
#define PERMI_GPU_FLIP 5           /* of a row by a column of the walk: a load and a store */
#define PERMI_GPU_LIVE 120         /* doubles that wait without being spilled; so many more take twice the time: */
#define PERMI_GPU_SPILL 85         /* of 180 programs measured, 145 waiting cost 1.1 times, 165 1.25, 185 1.55 */
#define PERMI_GPU_LARGE 1600       /* statements, above which programs are slower: 2400 by an eighth */
#define PERMI_GPU_VALUES 30000

/* ---- from a layout to statements */
typedef struct permi_coder {
  permi_layouts *work;
  const permi_arrangement *layout;
  const perm_allocator *allocator;
  permi_code *code;
  int parts, moduli, failed; /* failed: 1 too large, 2 memory */
  uint32_t minus;            /* low columns that have sign - */
  int literals;              /* constants into the text: real programs of short runs */
  int remake, reload;        /* statements after which a row sum, a base is made again rather than kept */
  uint32_t scope[64], dirty[64];
  int unit[64]; /* the inner column by whose entry the row was divided; -1: none */
  double coefficient[64][64][2]; /* of row and place in the layout's order, on the grid */
  int base[64], *memo;           /* values, -1: to be made */
  int whole[64], near[64], node[PERMI_HYBRID_NODES]; /* where tables begin in memo */
  int memos;
  permi_hybrid_rows rows;
  const double *floor; /* of rows, see permi_hybrid_errors */
} permi_coder;

static int permi_code_put(permi_coder *coder, permi_code_kind kind, int negative, int a, int b, int c, int d)
{
  permi_code *code = coder->code;
  permi_code_statement *statement;
  if (coder->failed)
    return 0;
  if (code->statements >= PERMI_GPU_VALUES) {
    coder->failed = 1;
    return 0;
  }
  if (!permi_grow(coder->allocator, (void **)&code->statement, code->statements, &code->statement_room,
                  sizeof *statement)) {
    coder->failed = 2;
    return 0;
  }
  statement = &code->statement[code->statements];
  statement->kind = (int)kind;
  statement->negative = negative;
  statement->a = a;
  statement->b = b;
  statement->c = c;
  statement->d = d;
  return code->statements++;
}

/* The number of the constant x or -x; *negative says which. */
static int permi_code_constant(permi_coder *coder, const double *x, int *negative)
{
  permi_code *code = coder->code;
  const int parts = coder->parts;
  const double sign = x[0] < 0 || (x[0] == 0 && parts == 2 && x[1] < 0) ? -1 : 1;
  int k, p;
  *negative = sign < 0;
  for (k = 0; k < code->constants; k++)
    if (code->constant[k * parts] == sign * x[0] && (parts == 1 || code->constant[k * 2 + 1] == sign * x[1]))
      return k;
  if ((code->constants + 1) * parts > PERMI_GPU_CONSTANTS) {
    coder->failed = coder->failed ? coder->failed : 1;
    return 0;
  }
  for (p = 0; p < parts; p++) {
    if (!permi_grow(coder->allocator, (void **)&code->constant, code->constants * parts + p, &code->constant_room,
                    sizeof(double))) {
      coder->failed = 2;
      return 0;
    }
    code->constant[code->constants * parts + p] = sign * x[p];
  }
  return code->constants++;
}

/* Loaded again rather than kept for long: loads from shared memory do not go through the FP64 pipe. */
static int permi_code_base(permi_coder *coder, int row)
{
  const permi_arrangement *layout = coder->layout;
  int k, p, negative, constant;
  if (coder->base[row] >= 0 && (coder->moduli || coder->code->statements - coder->base[row] < coder->reload))
    return coder->base[row];
  coder->base[row] = permi_code_put(coder, PERMI_CODE_BASE, 0, row, 0, 0, 0);
  for (k = 0; k < layout->low && coder->moduli; k++)
    if (coder->dirty[row] >> k & 1) {
      double twice[2];
      for (p = 0; p < 2; p++)
        twice[p] = 2 * coder->coefficient[row][layout->inner + k][p];
      constant = permi_code_constant(coder, twice, &negative);
      coder->base[row] = permi_code_put(coder, PERMI_CODE_TURN, negative, coder->base[row], constant, k, 0);
    }
  return coder->base[row];
}

/* Row sum under the setting of inner columns, all of them or without the row's unit column; of moduli its modulus. */
static int permi_code_row(permi_coder *coder, int row, uint32_t setting, int whole)
{
  const uint32_t scope = whole ? coder->scope[row] : coder->scope[row] & ~(UINT32_C(1) << coder->unit[row]);
  int *memo = coder->memo + (whole ? coder->whole : coder->near)[row] + permi_pack_bits(setting, scope);
  double sum[2] = {0, 0};
  int k, p, negative, constant, value;
  if (*memo >= 0 && (coder->moduli || coder->code->statements - *memo < coder->remake))
    return *memo;
  for (k = 0; k < coder->layout->low; k++) /* low columns that are - */
    for (p = 0; p < coder->parts && coder->minus >> k & coder->dirty[row] >> k & 1; p++)
      sum[p] -= 2 * coder->coefficient[row][coder->layout->inner + k][p];
  for (k = 0; k < coder->layout->inner; k++)
    for (p = 0; p < coder->parts && scope >> k & 1; p++)
      sum[p] += setting >> k & 1 ? -coder->coefficient[row][k][p] : coder->coefficient[row][k][p];
  value = permi_code_base(coder, row);
  if (sum[0] != 0 || sum[1] != 0) {
    constant = permi_code_constant(coder, sum, &negative);
    value = permi_code_put(coder, PERMI_CODE_ADD, negative, value, constant, 0, 0);
  }
  if (coder->moduli)
    value = permi_code_put(coder, PERMI_CODE_MODULUS, 0, value, row, 0, 0);
  *memo = value;
  return value;
}

/* The value of a node, or of all of a row, under a setting. */
static int permi_code_entry(permi_coder *coder, int index, uint32_t setting)
{
  const int n = coder->work->n, moduli = coder->moduli;
  const permi_hybrid_node *node;
  uint32_t folded;
  int *memo, value = 0, f[4], k, left, right, swap;
  if (index < n)
    return permi_code_row(coder, index, setting, 1);
  node = &coder->work->node[index - n];
  memo = coder->memo + coder->node[index - n] + permi_pack_bits(setting, node->scope);
  if (*memo >= 0 || coder->failed)
    return *memo;
  left = node->left;
  right = node->right;
  folded = node->all & ~node->scope;
  if (node->kind == PERMI_NODE_CHAIN) {
    for (k = 0; k < node->items; k++) {
      const int item = coder->work->item[node->first + k];
      const int next = permi_code_entry(coder, item, 0);
      value = k ? permi_code_put(coder, moduli ? PERMI_CODE_MULTIPLY : PERMI_CODE_TIMES, 0, value, next, 0, 0) : next;
    }
  } else if (right < 0) {
    value = permi_code_entry(coder, left, setting);
    if (node->kind == PERMI_NODE_FOLD) {
      const int minus = permi_code_entry(coder, left, setting | folded);
      value = permi_code_put(coder, moduli ? PERMI_CODE_PLUS : PERMI_CODE_MINUS, 0, value, minus, 0, 0);
    }
  } else if (node->kind == PERMI_NODE_MERGE) {
    if (left < n && right < n && permi_bits32(coder->scope[left]) > permi_bits32(coder->scope[right])) {
      k = left;
      left = right;
      right = k;
    }
    value = permi_code_entry(coder, left, setting);
    if (right < n && coder->unit[right] >= 0 && !moduli)
      value = permi_code_put(coder, PERMI_CODE_NEAR, (int)(setting >> coder->unit[right] & 1), value,
                             permi_code_row(coder, right, setting, 0), 0, 0);
    else
      value = permi_code_put(coder, moduli ? PERMI_CODE_MULTIPLY : PERMI_CODE_TIMES, 0, value,
                             permi_code_entry(coder, right, setting), 0, 0);
  } else {
    swap = left < n || (right >= n && permi_bits32(coder->work->node[right - n].all) >
                                          permi_bits32(coder->work->node[left - n].all)); /* the larger one first */
    for (k = 0; k < 4; k++) {
      const int second = (k >> 1) ^ swap, minus = k & 1;
      f[2 * minus + second] = permi_code_entry(coder, second ? right : left, minus ? setting | folded : setting);
    }
    value = permi_code_put(coder, moduli ? PERMI_CODE_JOIN : PERMI_CODE_CROSS, 0, f[0], f[1], f[2], f[3]);
  }
  *memo = value;
  return value;
}

/* Operands of a statement that are values. */
static int permi_code_operands(const permi_code_statement *statement, int *operand)
{
  static const int count[] = {0, 1, 1, 2, 2, 4, 2, 1, 1, 2, 4, 2, 1};
  operand[0] = statement->a;
  operand[1] = statement->b;
  operand[2] = statement->c;
  operand[3] = statement->d;
  return count[statement->kind];
}

/* Values that wait at a time, at most; of statements [begin, end). 0: out of memory. */
static int permi_code_live(permi_coder *coder, int begin, int end)
{
  permi_code *code = coder->code;
  int *last = (int *)permi_allocate(coder->allocator, (size_t)code->statements + 1, sizeof *last);
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
        last[operand[o]] = -1; /* an operand twice */
        live--;
      }
    live += last[k] >= 0;
    most = live > most ? live : most;
  }
  permi_release(coder->allocator, last);
  most *= begin ? 1 : coder->parts; /* moduli are real, but for a moment */
  code->live = most > code->live ? most : code->live;
  return 1;
}

/* Operations of the pipe. */
static double permi_code_operations(const permi_code_statement *statement, permi_hybrid_algebra algebra)
{
  static const double each[3][8] = {{0, 1, 1, 1, 1, PERMI_GPU_WEIGHT_FOLD, 1, 1},
                                    {0, 2, 2, 4, 5, 11, 2, 2},
                                    {0, 2, 2, 5, 5, 18, 8, 9}};
  return statement->kind <= PERMI_CODE_TOTAL ? each[algebra][statement->kind] : 1;
}

/* Row i of the scaled matrix a (n x n in the layout's orientation), divided by its largest inner entry where it may
   be, to coder->coefficient; *growth: powers of two by which products may exceed 1 for that. */
static void permi_code_prepare_row(permi_coder *coder, permi_hybrid_algebra algebra, const double *a, int i,
                                   int *growth)
{
  const permi_arrangement *layout = coder->layout;
  const int n = coder->work->n, width = algebra == PERMI_HYBRID_COMPLEX ? 2 : 1;
  double row[2][64] = {{0}}, rest[64], power, most = 0, unit = 0;
  int k, p;
  memset(row, 0, sizeof row);
  memset(rest, 0, sizeof rest);
  for (k = 0; k < n; k++) {
    for (p = 0; p < width; p++)
      row[p][k] = a[(i * n + layout->order[k]) * width + p];
    most = fmax(most, fabs(row[0][k]));
    if (algebra == PERMI_HYBRID_REAL && k < layout->inner && fabs(row[0][k]) > fabs(unit)) {
      unit = row[0][k];
      coder->unit[i] = k;
    }
  }
  if (unit == 0 || fabs(unit) * 1024 < most || *growth + 1 - permi_exponent(unit) > 900) {
    coder->unit[i] = -1;
  } else {
    int e;
    *growth += 1 - permi_exponent(unit);
    coder->code->scale = permi_dd_multiply(coder->code->scale, permi_dd_make(unit));
    frexp(coder->code->scale.hi, &e);
    coder->code->scale = permi_dd_scale(coder->code->scale, -e);
    coder->code->scale_exp2 += e;
    coder->code->divided++;
    for (k = 0; k < n; k++) {
      const double quotient = k == coder->unit[i] ? 1 : row[0][k] / unit;
      rest[k] = fma(-quotient, unit, row[0][k]) / unit;
      row[0][k] = quotient;
    }
  }
  power = permi_grid_power(row[0], n);
  if (width == 2)
    power = fmax(power, permi_grid_power(row[1], n));
  for (k = 0; k < n; k++) {
    const double entry[2] = {row[0][k], row[1][k]}, *number = coder->coefficient[i][k];
    double lost[2];
    coder->coefficient[i][k][1] = 0;
    permi_hybrid_round(algebra, entry, power, coder->coefficient[i][k]);
    lost[0] = row[0][k] - number[0] + rest[k] - (algebra == PERMI_HYBRID_COMPENSATED ? number[1] : 0);
    lost[1] = row[1][k] - number[1];
    permi_hybrid_row_entry(&coder->rows, algebra, i, k, number, lost);
  }
}

static void permi_code_forget(permi_coder *coder, int turned) /* what depends on low column `turned`; -1: everything */
{
  const int n = coder->work->n;
  int i, k;
  for (i = 0; i < n; i++)
    if (turned < 0 || coder->dirty[i] >> turned & 1) {
      for (k = coder->whole[i]; k < coder->whole[i] + (1 << permi_bits32(coder->scope[i])); k++)
        coder->memo[k] = -1;
      for (k = coder->near[i]; coder->unit[i] >= 0 && k < coder->near[i] + (1 << (permi_bits32(coder->scope[i]) - 1));
           k++)
        coder->memo[k] = -1;
      if (turned < 0)
        coder->base[i] = -1;
    }
  for (i = 0; i < coder->work->nodes; i++) {
    const permi_hybrid_node *node = &coder->work->node[i];
    if (turned < 0 || node->dirty >> turned & 1)
      for (k = coder->node[i]; k < coder->node[i] + (1 << permi_bits32(node->scope)); k++)
        coder->memo[k] = -1;
  }
}

/* Both programs, and what the columns of the walk do. */
static void permi_code_statements(permi_coder *coder)
{
  const permi_layouts *work = coder->work;
  const permi_arrangement *layout = coder->layout;
  permi_code *code = coder->code;
  const int n = work->n, root = n + work->nodes - 1;
  int s, i, j, p, negative, constant;
  double twice[2];
  permi_code_forget(coder, -1);
  for (s = 0; s < 1 << layout->low && !coder->failed; s++) {
    const int next = permi_trailing_zeros((uint64_t)s + 1);
    permi_code_put(coder, PERMI_CODE_TOTAL, s & 1, permi_code_entry(coder, root, 0), 0, 0, 0);
    if (s + 1 == 1 << layout->low)
      break;
    permi_code_forget(coder, next);
    coder->minus ^= UINT32_C(1) << next;
  }
  coder->minus = 0;
  code->moduli = code->statements;
  coder->moduli = 1;
  permi_code_forget(coder, -1);
  permi_code_put(coder, PERMI_CODE_RETURN, 0, permi_code_entry(coder, root, 0), 0, 0, 0);
  for (j = 0; j <= code->walk && !coder->failed; j++) {
    const int k = layout->inner + layout->low + j;
    code->first_flip[j] = code->flips;
    for (i = 0; i < n && j < code->walk; i++)
      if (coder->coefficient[i][k][0] != 0 || coder->coefficient[i][k][1] != 0) {
        for (p = 0; p < 2; p++)
          twice[p] = 2 * coder->coefficient[i][k][p];
        constant = permi_code_constant(coder, twice, &negative);
        if (!permi_grow(coder->allocator, (void **)&code->flip, code->flips, &code->flip_room, sizeof *code->flip)) {
          coder->failed = 2;
          break;
        }
        code->flip[code->flips].row = i;
        code->flip[code->flips].constant = constant;
        code->flip[code->flips++].negative = negative;
      }
  }
}

/* ---- from statements to CUDA C++ */
static void permi_code_print(permi_coder *coder, const char *format, ...)
{
  permi_code *code = coder->code;
  va_list arguments;
  int length;
  if (coder->failed)
    return;
  if (code->length + 512 > (size_t)code->text_room) {
    const int room = code->text_room ? 2 * code->text_room : 16384;
    char *text = (char *)permi_allocate(coder->allocator, (size_t)room, 1);
    if (!text) {
      coder->failed = 2;
      return;
    }
    if (code->length)
      memcpy(text, code->text, code->length);
    permi_release(coder->allocator, code->text);
    code->text = text;
    code->text_room = room;
  }
  va_start(arguments, format);
  length = vsnprintf(code->text + code->length, 512, format, arguments);
  va_end(arguments);
  if (length < 0 || length >= 512)
    coder->failed = 1;
  else
    code->length += (size_t)length;
}

static void permi_code_print_all(permi_coder *coder, const char *lines)
{
  for (; *lines; lines += strlen(lines) < 500 ? strlen(lines) : 500)
    permi_code_print(coder, "%.500s", lines);
}

/* The functions that statements of two parts name, by algebra: A add a constant, V or subtract it, U turn a base,
   T times, X cross, D difference, S sum of a block, Q modulus. */
static const char *const permi_code_algebra[3] = {
    "",
    "struct N { double v, e; };\n"
    "PERMI_BOTH N permi_n(double v, double e) { N r; r.v = v; r.e = e; return r; }\n"
    "PERMI_BOTH N permi_at(N a, int k, double m) {\n"
    "  return permi_n(permi_fma(m, C[2 * k], a.v), permi_fma(m, C[2 * k + 1], a.e)); }\n"
    "#define A(v, k) permi_at(v, k, 1.0)\n"
    "#define V(v, k) permi_at(v, k, -1.0)\n"
    "#define U(v, k, m) permi_at(v, k, m)\n"
    "#define B(r) permi_n(((const volatile double *)b)[256 * (r)], ((const volatile double *)b)[256 * (r) + 128])\n"
    "PERMI_BOTH N T(N a, N b) {\n"
    "  return permi_n(permi_fma(-a.e, b.e, permi_mul(a.v, b.v)), permi_fma(a.v, b.e, permi_mul(a.e, b.v))); }\n"
    "PERMI_BOTH N X(N a, N b, N c, N d) {\n"
    "  return permi_n(permi_fma(a.v, b.v, permi_fma(-a.e, b.e, permi_fma(-c.v, d.v, permi_mul(c.e, d.e)))),\n"
    "                 permi_fma(a.v, b.e, permi_fma(a.e, b.v, permi_fma(-c.v, d.e, -permi_mul(c.e, d.v))))); }\n"
    "PERMI_BOTH N D(N a, N b) { return permi_n(permi_add(a.v, -b.v), permi_add(a.e, -b.e)); }\n"
    "#define S(f) block = permi_n(permi_add(block.v, f.v), permi_add(block.e, f.e))\n"
    "#define W(f) block = D(block, f)\n"
    "PERMI_BOTH double Q(N a, double f) {\n"
    "  return permi_add(sqrt(permi_fma(a.v, a.v, permi_mul(a.e, a.e))), f); }\n",
    "struct N { double v, e; };\n"
    "PERMI_BOTH N permi_n(double v, double e) { N r; r.v = v; r.e = e; return r; }\n"
    "PERMI_BOTH N permi_at(N a, int k, double m) {\n"
    "  return permi_n(permi_fma(m, C[2 * k], a.v), permi_fma(m, C[2 * k + 1], a.e)); }\n"
    "#define A(v, k) permi_at(v, k, 1.0)\n"
    "#define V(v, k) permi_at(v, k, -1.0)\n"
    "#define U(v, k, m) permi_at(v, k, m)\n"
    "#define B(r) permi_n(((const volatile double *)b)[256 * (r)], ((const volatile double *)b)[256 * (r) + 128])\n"
    "PERMI_BOTH N T(N a, N b) {\n"
    "  const double p = permi_mul(a.v, b.v);\n"
    "  return permi_n(p, permi_fma(a.v, b.e, permi_fma(a.e, b.v, permi_fma(a.v, b.v, -p)))); }\n"
    "PERMI_BOTH N D(N a, N b) {\n"
    "  N r; permi_two_sum(r.v, r.e, a.v, -b.v); r.e = permi_add(r.e, permi_add(a.e, -b.e)); return r; }\n"
    "PERMI_BOTH N X(N a, N b, N c, N d) { return D(T(a, b), T(c, d)); }\n"
    "PERMI_BOTH N L(N a, double s, N b) {\n"
    "  double e; permi_two_sum(a.v, e, a.v, permi_mul(s, b.v));\n"
    "  a.e = permi_add(a.e, permi_fma(s, b.e, e)); return a; }\n"
    "#define S(f) block = L(block, 1.0, f)\n"
    "#define W(f) block = L(block, -1.0, f)\n"
    "#define Q(x, f) permi_add(fabs(x.v), f)\n"};
