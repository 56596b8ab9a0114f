/* ======================================================================================= >>programs
   >>hybrid_layout on GPUs. Each statement of a program makes a value; a thread runs it for every pattern of its walk.

     columns     inner | walk, a loop in Gray order | high, as in >>gpu | one fixed +
     values      in registers, made on demand so that few wait; bases in shared, constants in constant memory
     sum of |terms|  a second program, of moduli, for a hashed sample of patterns, the same in a warp; all with certify
     integers    as in >>hybrid_residues; one program serves all primes and roots
   Bits depend on the plan alone: a walk adds by TwoSum, threads in a tree, chunks exactly. */
#pragma once
#include "../dense/dense_gpu.h"
#include "hybrid_residues.h"

#define PERMI_GPU_WALK 8
typedef enum permi_code_kind {
  PERMI_CODE_BASE,    /* base of row a */
  PERMI_CODE_ADD,     /* a + constant b, or - */
  PERMI_CODE_TIMES,
  PERMI_CODE_CROSS,   /* a b - c d; of moduli a b + c d */
  PERMI_CODE_MINUS,   /* a - b; of moduli a + b */
  PERMI_CODE_SETTLE,  /* a row sum as a double-double */
  PERMI_CODE_HALF,
  PERMI_CODE_REDUCE,  /* a modulo the prime, |a| <= 2^52 */
  PERMI_CODE_TIMES_LONG, /* reduced from two doubles */
  PERMI_CODE_CROSS_LONG,
  PERMI_CODE_RESIDUE, /* a + residue b, or -, reduced */
  PERMI_CODE_TOTAL,   /* the result is a */
  PERMI_CODE_MODULUS  /* |a| + the floor of row b; what follows is of moduli */
} permi_code_kind;

typedef struct permi_code_statement {
  int kind, negative;
  int a, b, c, d;
} permi_code_statement;

typedef struct permi_code_flip {
  int row, constant, negative, reduced;
} permi_code_flip;

typedef struct permi_code {
  perm_gpu_program program;
  permi_code_statement *statement;
  double *constant;
  double *residue;
  permi_code_flip *flip;
  char *text;
  int statements, statement_room, moduli; /* the second program begins at `moduli` */
  int constants, constant_room, residues, residue_room;
  int flips, flip_room, first_flip[PERMI_GPU_WALK + 2];
  int text_room;
  size_t length;
  int walk, samples_log2, live;
  int certify;
  double operations, moves;
  const perm_allocator *allocator;
  int failed; /* 1: too large, 2: no memory */
} permi_code;

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
#define PERMI_GPU_MOVES 100000
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
  int remake, reload;        /* then a row sum, a base is made again */
  int base[64], *memo; /* the value; -1: to be made */
  int place[PERMI_HYBRID_NODES]; /* in memo, of nodes */
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

static int permi_code_is_zero(const permi_coder *coder, int row, const double *x)
{
  int p, zero = 1;
  for (p = 0; p < permi_code_words(coder, row); p++)
    zero &= x[p] == 0;
  return zero;
}

/* Returns the number of |x| among constants or residues; adds a new one. */
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

static int permi_code_row(permi_coder *coder, int row, uint32_t setting)
{
  const permi_hybrid_node *node = &coder->work->node[row];
  int *memo = coder->memo + coder->place[row] + permi_pack_bits(setting, node->scope);
  const int words = permi_code_words(coder, row);
  double sum[PERMI_WHOLE_WORDS] = {0, 0, 0, 0};
  int k, p, negative, constant, value;
  if (*memo >= 0 && coder->code->statements - *memo < coder->remake)
    return *memo;
  for (k = 0; k < coder->layout->inner; k++)
    for (p = 0; p < words && node->scope >> k & 1; p++)
      sum[p] += setting >> k & 1 ? -coder->rows.number[row][k][p] : coder->rows.number[row][k][p];
  if (coder->base[row] < 0 || coder->code->statements - coder->base[row] >= coder->reload)
    coder->base[row] = permi_code_put(coder, PERMI_CODE_BASE, 0, row, 0, 0, 0);
  value = coder->base[row];
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

static int permi_code_grown(permi_coder *coder, permi_code_kind kind, int growth, int half, int a, int b, int c, int d)
{
  if (coder->whole && growth == PERMI_GROWS_LONG && kind != PERMI_CODE_MINUS)
    return permi_code_put(coder, kind == PERMI_CODE_TIMES ? PERMI_CODE_TIMES_LONG : PERMI_CODE_CROSS_LONG, 0, a, b, c,
                          d);
  int value = permi_code_put(coder, kind, coder->moduli, a, b, c, d);
  if (coder->whole && half)
    value = permi_code_put(coder, PERMI_CODE_HALF, 0, value, 0, 0, 0);
  return !coder->whole || growth == PERMI_GROWS_NOT ? value
                                                    : permi_code_put(coder, PERMI_CODE_REDUCE, 0, value, 0, 0, 0);
}

/* A fold makes its larger factor first, so that few values wait. */
static int permi_code_entry(permi_coder *coder, int index, uint32_t setting)
{
  const int n = coder->work->n;
  const permi_hybrid_node *nodes = coder->work->node, *node = &nodes[index];
  const int left = node->left, right = node->right;
  int value = 0, minus;
  if (index < n)
    return permi_code_row(coder, index, setting);
  int *memo = coder->memo + coder->place[index] + permi_pack_bits(setting, node->scope);
  if (*memo >= 0 || coder->code->failed)
    return *memo;
  const uint32_t folded = node->all & ~node->scope;
  if (node->kind == PERMI_NODE_CHAIN) {
    for (int k = 0; k < node->items; k++) {
      const int next = permi_code_entry(coder, coder->work->item[k], 0);
      const int growth = coder->maker.growths ? coder->maker.growths->item[k] : PERMI_GROWS_NOT;
      value = k ? permi_code_grown(coder, PERMI_CODE_TIMES, growth, 0, value, next, 0, 0) : next;
    }
  } else if (right < 0) {
    value = permi_code_entry(coder, left, setting);
    if (node->kind == PERMI_NODE_FOLD) {
      minus = permi_code_entry(coder, left, setting | folded);
      value = permi_code_grown(coder, PERMI_CODE_MINUS, node->growth, node->halved, value, minus, 0, 0);
    }
  } else if (node->kind == PERMI_NODE_MERGE) {
    int swap = left < n && right < n && permi_count_ones(nodes[left].scope) > permi_count_ones(nodes[right].scope);
    const int first = swap ? right : left, second = swap ? left : right;
    value = permi_code_entry(coder, first, setting);
    minus = permi_code_entry(coder, second, setting);
    value = permi_code_grown(coder, PERMI_CODE_TIMES, node->growth, 0, value, minus, 0, 0);
  } else {
    const int swap =
        left < n || (right >= n && permi_count_ones(nodes[right].all) > permi_count_ones(nodes[left].all));
    int f[4];
    for (int k = 0; k < 4; k++) {
      const int second = (k >> 1) ^ swap;
      minus = k & 1;
      f[2 * minus + second] = permi_code_entry(coder, second ? right : left, minus ? setting | folded : setting);
    }
    value = permi_code_grown(coder, PERMI_CODE_CROSS, node->growth, node->halved, f[0], f[1], f[2], f[3]);
  }
  *memo = value;
  return value;
}

static int permi_code_operands(const permi_code_statement *statement, int *operand)
{
  static const int count[] = {0, 1, 2, 4, 2, 1, 1, 1, 2, 4, 1, 1, 1};
  operand[0] = statement->a;
  operand[1] = statement->b;
  operand[2] = statement->c;
  operand[3] = statement->d;
  return count[statement->kind];
}

/* Notes how many doubles wait at most. Returns 0 without memory. */
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

static double permi_code_operations(const permi_code *code, int k, permi_hybrid_algebra algebra)
{
  static const double each[PERMI_HYBRID_ALGEBRAS][PERMI_CODE_TOTAL + 1] = {
      {0, 1, 1, PERMI_GPU_WEIGHT_FOLD, 1},
      {0, 2, 5, 11, 2},
      {0, 2, 8, 21, 11, 6},
      {0, 1, 1, PERMI_GPU_WEIGHT_FOLD, 1, 0, 1, 3.5, 7, 15, 4.5 + PERMI_GPU_LOAD},
      {0, 4, 42, 94, 22, 12}};
  const int kind = code->statement[k].kind;
  if (kind == PERMI_CODE_MODULUS)
    return permi_hybrid_is_complex((int)algebra) ? 20 : 1;
  return each[k >= code->moduli && kind >= PERMI_CODE_TIMES ? PERMI_HYBRID_REAL : algebra][kind];
}

static void permi_code_values(permi_coder *coder)
{
  memset(coder->memo, -1, (size_t)coder->memos * sizeof *coder->memo);
  memset(coder->base, -1, sizeof coder->base);
  const int value = permi_code_entry(coder, coder->work->n + coder->work->nodes - 1, 0);
  permi_code_put(coder, PERMI_CODE_TOTAL, 0, value, 0, 0, 0);
}

static void permi_code_statements(permi_coder *coder)
{
  const permi_arrangement *layout = coder->layout;
  permi_code *code = coder->code;
  const int n = coder->work->n;
  permi_code_values(coder);
  code->moduli = code->statements;
  coder->moduli = 1;
  if (!coder->whole)
    permi_code_values(coder);
  for (int j = 0; j <= code->walk && !code->failed; j++) {
    const int k = layout->inner + j;
    code->first_flip[j] = code->flips;
    for (int i = 0; i < n && j < code->walk; i++)
      if (!permi_code_is_zero(coder, i, coder->rows.number[i][k])) {
        const double *number = coder->rows.number[i][k];
        const double twice[PERMI_WHOLE_WORDS] = {2 * number[0], 2 * number[1], 2 * number[2], 2 * number[3]};
        permi_code_flip flip = {i, 0, 0, coder->reduced[i]};
        flip.constant = permi_code_constant(coder, i, twice, &flip.negative);
        permi_append(code->allocator, (void **)&code->flip, &code->flips, &code->flip_room, &flip, sizeof flip,
                     INT_MAX, &code->failed);
      }
  }
}

/* ---- the kernel's text: CUDA C++, real arithmetic in PTX (docs/engines.md) */
#if !defined(PERMI_CODE_TWIN)
#define PERMI_CODE_TWIN NULL
#define PERMI_CODEGEN_TWIN NULL
#endif

static void permi_code_print(permi_code *code, const char *format, ...)
{
  while (!code->failed) {
    const size_t left = (size_t)code->text_room - code->length;
    va_list arguments;
    va_start(arguments, format);
    const size_t length = permi_vsay(left ? code->text + code->length : NULL, left, format, arguments);
    va_end(arguments);
    if (length < left) {
      code->length += length;
      return;
    }
    if (!permi_grow(code->allocator, (void **)&code->text, code->text_room, &code->text_room, 1))
      code->failed = 2;
  }
}

static const char *permi_code_literal(double x, char text[32])
{
  permi_say(text, 32, "%.16e", x);
  return text;
}

/* Texts of statements: in real programs, for numbers of several parts, for moduli (NULL: as numbers); positive,
   negative (NULL: the same). Operands stand before a text: k the value made, A = 1024 a, B = 8 b. With residues operand
   2 is minus the prime, 3 its inverse; quotients count ones below 1.5 2^52, and 1.5 2^98 is the grid. C++: A adds a
   constant, V subtracts it, T times, X cross, D difference, Z settles a row, Q modulus; R settles T2 and D2. */
#define PERMI_CODE_QUOTIENT(x) \
  "fma.rn.f64 c," x ",%%3,0d4338000000000000;\nadd.rn.f64 c,c,0dc338000000000000;\n"
static const char *const permi_code_form[PERMI_CODE_MODULUS + 1][3][2] = {
    {{"kA ld.volatile.shared.f64 v%d,[b+%d];\n"}, {"ka N v%d=B(%d);\n"}, {"ka const auto v%d=BM(%d);\n"}},
    {{"Bka ld.const.f64 c,[C+%d];\nadd.rn.f64 v%d,v%d,c;\n", "Bka ld.const.f64 c,[C+%d];\nsub.rn.f64 v%d,v%d,c;\n"},
     {"kab N v%d=A(v%d,%d);\n", "kab N v%d=V(v%d,%d);\n"}},
    {{"kab mul.rn.f64 v%d,v%d,v%d;\n"}, {"kab N v%d=T(v%d,v%d);\n"}, {"kab double v%d=permi_mul(v%d,v%d);\n"}},
    {{"cdkab mul.rn.f64 c,v%d,v%d;\nneg.f64 c,c;\nfma.rn.f64 v%d,v%d,v%d,c;\n",
      "cdkab mul.rn.f64 c,v%d,v%d;\nfma.rn.f64 v%d,v%d,v%d,c;\n"},
     {"kabcd N v%d=X(v%d,v%d,v%d,v%d);\n"},
     {"kabcd double v%d=permi_fma(v%d,v%d,permi_mul(v%d,v%d));\n"}},
    {{"kab sub.rn.f64 v%d,v%d,v%d;\n", "kab add.rn.f64 v%d,v%d,v%d;\n"},
     {"kab N v%d=D(v%d,v%d);\n"}, {"kab double v%d=permi_add(v%d,v%d);\n"}},
    {{NULL}, {"ka N v%d=Z(v%d);\n"}},
    {{"ka mul.rn.f64 v%d,v%d,0d3fe0000000000000;\n"}},
    {{"aka " PERMI_CODE_QUOTIENT("v%d") "fma.rn.f64 v%d,c,%%2,v%d;\n"}},
    {{"ababk mul.rn.f64 h,v%d,v%d;\nneg.f64 c,h;\nfma.rn.f64 l,v%d,v%d,c;\n" PERMI_CODE_QUOTIENT("h")
      "fma.rn.f64 c,c,%%2,h;\nadd.rn.f64 v%d,l,c;\n"}},
    {{"abcdabcdk fma.rn.f64 f,v%d,v%d,0d4618000000000000;\nneg.f64 c,v%d;\nfma.rn.f64 s,c,v%d,f;\n"
      "add.rn.f64 h,s,0dc618000000000000;\nsub.rn.f64 c,0d4618000000000000,f;\nfma.rn.f64 l,v%d,v%d,c;\n"
      "sub.rn.f64 c,s,f;\nfma.rn.f64 f,v%d,v%d,c;\nsub.rn.f64 l,l,f;\n" PERMI_CODE_QUOTIENT("h")
      "fma.rn.f64 c,c,%%2,h;\nadd.rn.f64 v%d,l,c;\n"}},
    {{"Bkakkk ld.global.nc.f64 c,[t+%d];\nadd.rn.f64 v%d,v%d,c;\n" PERMI_CODE_QUOTIENT("v%d")
      "fma.rn.f64 v%d,c,%%2,v%d;\n",
      "Bkakkk ld.global.nc.f64 c,[t+%d];\nsub.rn.f64 v%d,v%d,c;\n" PERMI_CODE_QUOTIENT("v%d")
      "fma.rn.f64 v%d,c,%%2,v%d;\n"}},
    {{"a mov.f64 block,v%d;\n"}, {"a block=v%d;\n"}, {"a return v%d;\n"}},
    {{"ka abs.f64 v%d,v%d;\n"}, {"ka double v%d=Q(v%d,"}}};

static void permi_code_print_statement(permi_coder *coder, int k)
{
  static const char names[] = "kabcdAB";
  permi_code *code = coder->code;
  const permi_code_statement *t = &code->statement[k];
  const int value[] = {k, t->a, t->b, t->c, t->d, 1024 * t->a, 8 * t->b};
  const int real = coder->parts == 1, of_moduli = k >= code->moduli && permi_code_form[t->kind][2][0];
  const char *const *forms = permi_code_form[t->kind][real ? 0 : of_moduli ? 2 : 1];
  const char *form = forms[t->negative && forms[1]];
  int operand[9] = {0}, i;
  uint64_t bits;
  char text[32];
  for (i = 0; *form != ' '; form++)
    operand[i++] = value[strchr(names, *form) - names];
  permi_code_print(code, form + 1, operand[0], operand[1], operand[2], operand[3], operand[4], operand[5], operand[6],
                   operand[7], operand[8]);
  if (t->kind == PERMI_CODE_MODULUS && !real)
    permi_code_print(code, "%s);\n", permi_code_literal(coder->floor[t->b], text));
  if (t->kind == PERMI_CODE_MODULUS && real && coder->floor[t->b] > 0) {
    memcpy(&bits, &coder->floor[t->b], sizeof bits);
    permi_code_print(code, "add.rn.f64 v%d,v%d,0d%08x%08x;\n", k, k, (unsigned)(bits >> 32), (unsigned)bits);
  }
}

static void permi_code_print_statements(permi_coder *coder, int begin, int end)
{
  permi_code *code = coder->code;
  if (coder->parts == 1)
    permi_code_print(code, "asm volatile(R\"({\n.reg .f64 block,c,%sv<%d>;\n.reg .u32 b;\nmov.u32 b,%%1;\n"
                           "mov.f64 block,0d0000000000000000;\n%s", coder->grows ? "f,h,l,s," : "", end,
                     coder->grows ? ".reg .u64 t;\ncvta.to.global.u64 t,%4;\n" : "");
  for (int k = begin; k < end; k++)
    permi_code_print_statement(coder, k);
  if (coder->parts > 1)
    return;
  permi_code_print(code, "mov.f64 %%0,block;\n})\" : \"=d\"(block) : \"r\"((unsigned)__cvta_generic_to_shared(b))");
  if (coder->grows)
    permi_code_print(code, ", \"d\"(minus_prime), \"d\"(inverse), \"l\"(residue)");
  permi_code_print(code, " : \"memory\");\n");
}

#define PERMI_CODE_BASE_TEXT(word) "((const volatile double *)b)[128 * (" word ")]"
#define PERMI_CODE_NUMBER_TEXT \
    "struct P { double v, e; };\n" \
    "PERMI_BOTH P permi_n(double v, double e) { P r; r.v = v; r.e = e; return r; }\n" \
    "#define A(v, k) U(v, k, 1.0)\n" \
    "#define V(v, k) U(v, k, -1.0)\n"
static const char permi_code_two_parts[] =
    "typedef P N;\n"
    "PERMI_BOTH N U(N a, int k, double m) {\n"
    "  return permi_n(permi_fma(m, C[2 * k], a.v), permi_fma(m, C[2 * k + 1], a.e)); }\n"
    "#define B1(r) " PERMI_CODE_BASE_TEXT("2 * (r)") "\n"
    "#define B(r) permi_n(B1(r), " PERMI_CODE_BASE_TEXT("2 * (r) + 1") ")\n";
static const char permi_code_pairs[] =
    "PERMI_BOTH P T2(P a, P b) {\n"
    "  const double p = permi_mul(a.v, b.v);\n"
    "  return permi_n(p, permi_fma(a.v, b.e, permi_fma(a.e, b.v, permi_fma(a.v, b.v, -p)))); }\n"
    "PERMI_BOTH P D2(P a, P b) {\n"
    "  P r; permi_two_sum(r.v, r.e, a.v, -b.v);\n"
    "  r.e = permi_add(r.e, permi_add(a.e, -b.e)); return r; }\n"
    "PERMI_BOTH P L(P a, P b) {\n"
    "  double e; permi_two_sum(a.v, e, a.v, b.v);\n"
    "  a.e = permi_add(a.e, permi_add(b.e, e)); return a; }\n"
    "PERMI_BOTH P R(P a) { permi_fast_two_sum(a.v, a.e, a.v, a.e); return a; }\n"
    "PERMI_BOTH P Z(P a) { permi_two_sum(a.v, a.e, a.v, a.e); return a; }\n";
static const char permi_code_real_pairs[] =
    "#define Q(x, f) permi_add(fabs(x.v), f)\n"
    "#define BM(r) permi_n(B1(r), 0.0)\n";
static const char permi_code_complex_pairs[] =
    "struct N { P x, y; };\n"
    "PERMI_BOTH N permi_m(P x, P y) { N r; r.x = x; r.y = y; return r; }\n"
    "PERMI_BOTH P permi_shifted(P a, int k, double m) {\n"
    "  return permi_n(permi_fma(m, C[k], a.v), permi_fma(m, C[k + 1], a.e)); }\n"
    "PERMI_BOTH N U(N a, int k, double m) {\n"
    "  return permi_m(permi_shifted(a.x, 4 * k, m), permi_shifted(a.y, 4 * k + 2, m)); }\n"
    "#define B1(k) " PERMI_CODE_BASE_TEXT("k") "\n"
    "#define B(r) permi_m(permi_n(B1(4 * (r)), B1(4 * (r) + 1)), permi_n(B1(4 * (r) + 2), B1(4 * (r) + 3)))\n"
    "#define BM(r) permi_m(permi_n(B1(4 * (r)), 0.0), permi_n(B1(4 * (r) + 2), 0.0))\n"
    "PERMI_BOTH N D2(N a, N b) { return permi_m(D2(a.x, b.x), D2(a.y, b.y)); }\n"
    "PERMI_BOTH N T2(N a, N b) {\n"
    "  return permi_m(D2(T2(a.x, b.x), T2(a.y, b.y)), L(T2(a.x, b.y), T2(a.y, b.x))); }\n"
    "PERMI_BOTH N R(N a) { return permi_m(R(a.x), R(a.y)); }\n"
    "PERMI_BOTH N Z(N a) { return permi_m(Z(a.x), Z(a.y)); }\n"
    "PERMI_BOTH double Q(N a, double f) {\n"
    "  return permi_add(sqrt(permi_fma(a.x.v, a.x.v, permi_mul(a.y.v, a.y.v))), f); }\n";
static const char permi_code_settled[] =
    "PERMI_BOTH N T(N a, N b) { return R(T2(a, b)); }\n"
    "PERMI_BOTH N D(N a, N b) { return R(D2(a, b)); }\n"
    "PERMI_BOTH N X(N a, N b, N c, N d) { return R(D2(T2(a, b), T2(c, d))); }\n";
static const char permi_code_complex[] =
    "PERMI_BOTH N T(N a, N b) {\n"
    "  return permi_n(permi_fma(-a.e, b.e, permi_mul(a.v, b.v)), permi_fma(a.v, b.e, permi_mul(a.e, b.v))); }\n"
    "PERMI_BOTH N X(N a, N b, N c, N d) {\n"
    "  return permi_n(permi_fma(a.v, b.v, permi_fma(-a.e, b.e, permi_fma(-c.v, d.v, permi_mul(c.e, d.e)))),\n"
    "                 permi_fma(a.v, b.e, permi_fma(a.e, b.v, permi_fma(-c.v, d.e, -permi_mul(c.e, d.v))))); }\n"
    "PERMI_BOTH N D(N a, N b) { return permi_n(permi_add(a.v, -b.v), permi_add(a.e, -b.e)); }\n"
    "PERMI_BOTH double Q(N a, double f) {\n"
    "  return permi_add(sqrt(permi_fma(a.v, a.v, permi_mul(a.e, a.e))), f); }\n"
    "#define BM(r) B(r)\n";

static int permi_code_pass(const permi_hybrid *hybrid)
{
  return hybrid->n * hybrid->parts * (1 + hybrid->high) + 2 + hybrid->code->residues;
}

static void permi_code_functions(permi_coder *coder, const permi_hybrid *hybrid)
{
  permi_code *code = coder->code;
  const int parts = coder->parts;
  char text[32];
  permi_code_print(code, "__constant__ double C[%d] = {", code->constants * parts + 1);
  for (int k = 0; k < code->constants * parts; k++)
    permi_code_print(code, "%s,%c", permi_code_literal(code->constant[k], text), k % 8 == 7 ? '\n' : ' ');
  permi_code_print(code, "0};\n");
  if (parts > 1) {
    const permi_hybrid_algebra algebra = hybrid->algebra;
    const int doubled = permi_hybrid_is_doubled((int)algebra);
    permi_code_print(code, PERMI_CODE_NUMBER_TEXT "%s%s%s%s%s", doubled ? permi_code_pairs : "",
                     algebra == PERMI_HYBRID_COMPLEX_DOUBLED ? permi_code_complex_pairs : permi_code_two_parts,
                     algebra == PERMI_HYBRID_COMPLEX ? permi_code_complex : "",
                     algebra == PERMI_HYBRID_DOUBLED ? permi_code_real_pairs : "", doubled ? permi_code_settled : "");
  }
  permi_code_print(code, "__device__ __noinline__ void permi_turn(double *b, int j, double s, "
                         "const double *residue = 0) "
                         "{ switch (j) {\n");
  for (int j = 0; j < code->walk; j++) {
    permi_code_print(code, "case %d:\n", j);
    for (int k = code->first_flip[j]; k < code->first_flip[j + 1]; k++)
      for (int p = 0; p < parts; p++) {
        const permi_code_flip *flip = &code->flip[k];
        const int at = 128 * (flip->row * parts + p);
        permi_code_print(code, "b[%d] = permi_fma(%cs, %s[%d], b[%d]);\n", at, flip->negative ? '-' : '+',
                         flip->reduced ? "residue" : "C", flip->constant * parts + p, at);
      }
    permi_code_print(code, "break;\n");
  }
  permi_code_print(code, "} }\n");
  if (hybrid->algebra == PERMI_HYBRID_WHOLE)
    return;
  permi_code_print(code, "__device__ __noinline__ double permi_moduli(const double *b) {\n");
  permi_code_print(code, parts == 1 ? "double block;\n" : "");
  permi_code_print_statements(coder, code->moduli, code->statements);
  permi_code_print(code, parts == 1 ? "return block;\n}\n" : "}\n");
}

/* Adds the moduli of the sample. */
static const char permi_code_samples[] =
    "PERMI_ROLLED\n"
    "for (unsigned i = 0; i < 1u << SAMPLES; i++) {\n"
    "  unsigned h = key + i * 0x9e3779b9u;\n"
    "  h = (h ^ h >> 16) * 0x7feb352du;\n"
    "  h = (h ^ h >> 15) * 0x846ca68bu;\n"
    "  h = ((h ^ h >> 16) << SAMPLES | i) & ((1u << WALK) - 1);\n"
    "  PERMI_ROLLED for (int k = 0; k < WALK; k++) if (h >> k & 1) permi_turn(b, k, -1.0);\n"
    "  absolute = permi_add(absolute, permi_moduli(b));\n"
    "  PERMI_ROLLED for (int k = 0; k < WALK; k++) if (h >> k & 1) permi_turn(b, k, 1.0);\n"
    "}\n";
static const char permi_code_all_moduli[] =
    "absolute = permi_add(absolute, permi_moduli(b));\n";

static const char *const permi_code_add_text[PERMI_HYBRID_ALGEBRAS] = {
    "lo = permi_add(lo, e);\n",
    "lo = permi_add(lo, e);\n"
    "permi_two_sum(hi2, e, hi2, permi_mul(s, block.e));\nlo2 = permi_add(lo2, e);\n",
    "permi_fast_two_sum(hi, lo, hi, permi_add(lo, permi_fma(s, block.e, e)));\n",
    "lo = permi_add(lo, e);\n",
    "permi_fast_two_sum(hi, lo, hi, permi_add(lo, permi_fma(s, block.x.e, e)));\n"
    "permi_two_sum(hi2, e, hi2, permi_mul(s, block.y.v));\n"
    "permi_fast_two_sum(hi2, lo2, hi2, permi_add(lo2, permi_fma(s, block.y.e, e)));\n"};

/* The kernel's table is start [words], step [high][words], words = rows times parts. Where numbers grow each pass has
   one, which ends with minus the prime, its inverse and residues. */
static void permi_code_text(permi_coder *coder, const permi_hybrid *hybrid)
{
  permi_code *code = coder->code;
  const int real = coder->parts == 1, whole = hybrid->algebra == PERMI_HYBRID_WHOLE;
  permi_code_functions(coder, hybrid);
  permi_code_print(code,
                   PERM_GPU_ENTRY "{\n"
                   "enum { WORDS = %d, HIGH = %d, WALK = %d, SAMPLES = %d, PASS = %d };\n"
                   "extern __shared__ double room[];\n"
                   "const int t = (int)threadIdx.x;\n"
                   "const unsigned long long chunk = a.first + blockIdx.x, number = %s << 7 | (unsigned)t;\n"
                   "const unsigned key = ((unsigned)chunk * 4 + (unsigned)(t >> 5)) * 0x85ebca6bu;\n"
                   "double *b = room + t, absolute = 0, hi = 0, lo = 0, hi2 = 0, lo2 = 0;\n"
                   "const double *table = a.table%s"
                   "for (int r = 0; r < WORDS; r++) {\n"
                   "  double x = table[r];\n"
                   "  for (int k = 0; k < HIGH; k++)\n"
                   "    x = permi_fma(-(double)(int)(number >> k & 1), table[WORDS * (1 + k) + r], x);\n"
                   "  b[128 * r] = x;\n"
                   "}\n"
                   "%s"
                   "PERMI_ROLLED\n"
                   "for (unsigned m = 0;;) {\n"
                   "%s%s",
                   code->live <= 40 ? 4 : code->live <= 62 ? 3 : 2, hybrid->n * coder->parts, hybrid->high, code->walk,
                   code->samples_log2, permi_code_pass(hybrid),
                   coder->grows ? "(chunk & ((1ull << (HIGH - 7)) - 1))" : "chunk",
                   coder->grows ? " + PASS * (chunk >> (HIGH - 7)), *residue = table + WORDS * (1 + HIGH) + 2;\n"
                                  "const double minus_prime = residue[-2], inverse = residue[-1];\n"
                                : ";\n",
                   whole || code->certify ? "" : permi_code_samples, code->certify ? permi_code_all_moduli : "",
                   real                ? "double block;\n"
                   : coder->parts == 2 ? "N block = {0, 0};\n"
                                       : "N block = {{0, 0}, {0, 0}};\n");
  permi_code_print_statements(coder, 0, code->moduli);
  permi_code_print(code,
                   "double e;\n"
                   "const double s = m & 1 ? -1.0 : 1.0;\n"
                   "permi_two_sum(hi, e, hi, permi_mul(s, block%s));\n"
                   "%s"
                   "if (++m == 1u << WALK) break;\n"
                   "{ const int j = permi_ctz(m); permi_turn(b, j, m >> (j + 1) & 1 ? 1.0 : -1.0%s); }\n"
                   "}\n"
                   "const double minus = permi_parity(number) ? -1.0 : 1.0;\n"
                   "const double sum[5] = {permi_mul(minus, hi), permi_mul(minus, lo), permi_mul(minus, hi2),\n"
                   "  permi_mul(minus, lo2), absolute};\n"
                   "permi_finish(room, a.out, sum);\n}\n",
                   real ? "" : coder->parts == 2 ? ".v" : ".x.v", permi_code_add_text[hybrid->algebra],
                   coder->grows ? ", residue" : "");
}
/* SPDX-License-Identifier: MIT */
