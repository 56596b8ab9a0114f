/* =================================================================================== >>program_text
   The text of a kernel, as CUDA C++ or with its arithmetic in PTX; its twin on the CPU. */
#pragma once
#include "programs.h"

/* A literal that reads back as x, -0 too, whatever the locale writes for its point. */
static const char *permi_code_literal(double x, char text[32])
{
  char *comma;
  snprintf(text, 32, "%.16e", x);
  comma = strchr(text, ',');
  if (comma)
    *comma = '.';
  return text;
}

static void permi_code_print_statement(permi_coder *coder, int k)
{
  const permi_code_statement *t = &coder->code->statement[k];
  const int negative = t->negative;
  char text[32];
  switch ((permi_code_kind)t->kind) {
  case PERMI_CODE_BASE: permi_code_print(coder, "N v%d=B(%d);\n", k, t->a); break;
  case PERMI_CODE_ADD:
    permi_code_print(coder, "N v%d=%c(v%d,%d);\n", k, negative ? 'V' : 'A', t->a, t->b);
    break;
  case PERMI_CODE_TURN:
    permi_code_print(coder, "N v%d=U(v%d,%d,%cm%d);\n", k, t->a, t->b, negative ? '-' : '+', t->c);
    break;
  case PERMI_CODE_NEAR: permi_code_print(coder, "N v%d=%c(v%d,v%d);\n", k, negative ? 'M' : 'P', t->a, t->b); break;
  case PERMI_CODE_TIMES: permi_code_print(coder, "N v%d=T(v%d,v%d);\n", k, t->a, t->b); break;
  case PERMI_CODE_CROSS: permi_code_print(coder, "N v%d=X(v%d,v%d,v%d,v%d);\n", k, t->a, t->b, t->c, t->d); break;
  case PERMI_CODE_MINUS: permi_code_print(coder, "N v%d=D(v%d,v%d);\n", k, t->a, t->b); break;
  case PERMI_CODE_TOTAL: permi_code_print(coder, "%c(v%d);\n", negative ? 'W' : 'S', t->a); break;
  case PERMI_CODE_MODULUS:
    permi_code_print(coder, "double v%d=Q(v%d,%s);\n", k, t->a, permi_code_literal(coder->floor[t->b], text));
    break;
  case PERMI_CODE_MULTIPLY: permi_code_print(coder, "double v%d=permi_mul(v%d,v%d);\n", k, t->a, t->b); break;
  case PERMI_CODE_JOIN:
    permi_code_print(coder, "double v%d=permi_fma(v%d,v%d,permi_mul(v%d,v%d));\n", k, t->a, t->b, t->c, t->d);
    break;
  case PERMI_CODE_PLUS: permi_code_print(coder, "double v%d=permi_add(v%d,v%d);\n", k, t->a, t->b); break;
  case PERMI_CODE_RETURN: permi_code_print(coder, "return v%d;\n", t->a); break;
  }
}

/* Value k is value a and the constant x. */
static void permi_code_print_sum(permi_coder *coder, int k, int a, double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  permi_code_print(coder, "add.rn.f64 v%d,v%d,0d%08lx%08lx;\n", k, a, (unsigned long)(bits >> 32),
                   (unsigned long)(bits & 0xffffffff));
}

/* Real programs are one piece of assembly, which NVRTC's C++ compiler has no part in but to hand it on: it would spend
   as long on it as the assembler and leave it an order of statements in which more values wait (er:40:0.5, sm_90: 144
   bytes of spills, assembly none; compiled in 0.6 of the time). A neg is folded into its use. */
static void permi_code_print_assembly(permi_coder *coder, int k)
{
  const permi_code *code = coder->code;
  const permi_code_statement *t = &code->statement[k];
  const char *const add = t->negative ? "sub" : "add";
  double constant;
  switch ((permi_code_kind)t->kind) {
  case PERMI_CODE_BASE: permi_code_print(coder, "ld.volatile.shared.f64 v%d,[b+%d];\n", k, 1024 * t->a); break;
  case PERMI_CODE_ADD:
    if (coder->literals) {
      constant = t->negative ? -code->constant[t->b] : code->constant[t->b];
      permi_code_print_sum(coder, k, t->a, constant);
    } else {
      permi_code_print(coder, "ld.const.f64 c,[C+%d];\n%s.rn.f64 v%d,v%d,c;\n", 8 * t->b, add, k, t->a);
    }
    break;
  case PERMI_CODE_TURN: /* operand 2 + c: 0 or -1, by the sign of low column c */
    permi_code_print(coder, "ld.const.f64 c,[C+%d];\n", 8 * t->b);
    if (t->negative)
      permi_code_print(coder, "neg.f64 c,c;\n");
    permi_code_print(coder, "fma.rn.f64 v%d,%%%d,c,v%d;\n", k, 2 + t->c, t->a);
    break;
  case PERMI_CODE_NEAR:
    if (t->negative)
      permi_code_print(coder, "neg.f64 c,v%d;\nfma.rn.f64 v%d,v%d,v%d,c;\n", t->a, k, t->a, t->b);
    else
      permi_code_print(coder, "fma.rn.f64 v%d,v%d,v%d,v%d;\n", k, t->a, t->b, t->a);
    break;
  case PERMI_CODE_MULTIPLY:
  case PERMI_CODE_TIMES: permi_code_print(coder, "mul.rn.f64 v%d,v%d,v%d;\n", k, t->a, t->b); break;
  case PERMI_CODE_CROSS:
    permi_code_print(coder, "mul.rn.f64 c,v%d,v%d;\nneg.f64 c,c;\nfma.rn.f64 v%d,v%d,v%d,c;\n", t->c, t->d, k, t->a,
                     t->b);
    break;
  case PERMI_CODE_JOIN:
    permi_code_print(coder, "mul.rn.f64 c,v%d,v%d;\nfma.rn.f64 v%d,v%d,v%d,c;\n", t->c, t->d, k, t->a, t->b);
    break;
  case PERMI_CODE_MINUS: permi_code_print(coder, "sub.rn.f64 v%d,v%d,v%d;\n", k, t->a, t->b); break;
  case PERMI_CODE_PLUS: permi_code_print(coder, "add.rn.f64 v%d,v%d,v%d;\n", k, t->a, t->b); break;
  case PERMI_CODE_TOTAL: permi_code_print(coder, "%s.rn.f64 block,block,v%d;\n", add, t->a); break;
  case PERMI_CODE_MODULUS:
    permi_code_print(coder, "abs.f64 v%d,v%d;\n", k, t->a);
    if (coder->floor[t->b] > 0)
      permi_code_print_sum(coder, k, k, coder->floor[t->b]);
    break;
  case PERMI_CODE_RETURN: permi_code_print(coder, "mov.f64 block,v%d;\n", t->a); break;
  }
}

/* Statements from `begin` to before `end` on bases b; block is what they make. `low`: of the moduli. */
static void permi_code_print_statements(permi_coder *coder, int begin, int end, int low)
{
  int k;
  if (coder->parts == 2) {
    for (k = begin; k < end; k++)
      permi_code_print_statement(coder, k);
    return;
  }
  permi_code_print(coder, "asm volatile(R\"({\n.reg .f64 block,c,v<%d>;\n.reg .u32 b;\nmov.u32 b,%%1;\n"
                          "mov.f64 block,0d0000000000000000;\n", end);
  for (k = begin; k < end; k++)
    permi_code_print_assembly(coder, k);
  permi_code_print(coder, "mov.f64 %%0,block;\n})\" : \"=d\"(block) : \"r\"((unsigned)__cvta_generic_to_shared(b))");
  for (k = 0; k < low; k++)
    permi_code_print(coder, ", \"d\"(m%d)", k);
  permi_code_print(coder, " : \"memory\");\n");
}

/* The kernel. Its table: start [words]; step [high][words], words = rows times parts. */
static void permi_code_text(permi_coder *coder, const permi_hybrid *hybrid)
{
  permi_code *code = coder->code;
  const int parts = coder->parts, words = hybrid->n * parts;
  const int blocks = code->live <= 40 ? 4 : code->live <= 62 ? 3 : 2;
  char text[32];
  int k, j, p;
  permi_code_print(coder, "__constant__ double C[%d] = {", code->constants * parts + 1);
  for (k = 0; k < code->constants * parts; k++)
    permi_code_print(coder, "%s,%c", permi_code_literal(code->constant[k], text), k % 8 == 7 ? '\n' : ' ');
  permi_code_print(coder, "0};\n");
  permi_code_print_all(coder, permi_code_algebra[hybrid->algebra]);
  permi_code_print(coder, "__device__ __noinline__ void permi_turn(double *b, int j, double s) { switch (j) {\n");
  for (j = 0; j < code->walk; j++) {
    permi_code_print(coder, "case %d:\n", j);
    for (k = code->first_flip[j]; k < code->first_flip[j + 1]; k++)
      for (p = 0; p < parts; p++) {
        const permi_code_flip *flip = &code->flip[k];
        const int at = flip->row * parts + p;
        permi_code_print(coder, "b[%d] = permi_fma(%cs, C[%d], b[%d]);\n", 128 * at, flip->negative ? '-' : '+',
                         flip->constant * parts + p, 128 * at);
      }
    permi_code_print(coder, "break;\n");
  }
  permi_code_print(coder, "} }\n");
  permi_code_print(coder, "__device__ __noinline__ double permi_moduli(const double *b, unsigned low) {\n");
  for (k = 0; k < hybrid->low; k++)
    permi_code_print(coder, "const double m%d = -(double)(int)(low >> %d & 1);\n", k, k);
  permi_code_print(coder, parts == 1 ? "double block;\n" : "");
  permi_code_print_statements(coder, code->moduli, code->statements, hybrid->low);
  permi_code_print(coder, parts == 1 ? "return block;\n" : "");
  permi_code_print(coder, "}\n" PERM_GPU_ENTRY "{\n", blocks);
  permi_code_print(coder, "enum { WORDS = %d, HIGH = %d, WALK = %d, LOW = %d, SAMPLES = %d };\n", words, hybrid->high,
                   code->walk, hybrid->low, code->samples_log2);
  permi_code_print_all(coder,
                       "extern __shared__ double room[];\n"
                       "const int t = (int)threadIdx.x;\n"
                       "const unsigned long long chunk = a.first + blockIdx.x, number = chunk << 7 | (unsigned)t;\n"
                       "const unsigned key = ((unsigned)chunk * 4 + (unsigned)(t >> 5)) * 0x85ebca6bu;\n"
                       "double *b = room + t, absolute = 0, hi = 0, lo = 0, hi2 = 0, lo2 = 0;\n"
                       "for (int r = 0; r < WORDS; r++) {\n"
                       "  double x = a.table[r];\n"
                       "  for (int k = 0; k < HIGH; k++)\n"
                       "    x = permi_fma(-(double)(int)(number >> k & 1), a.table[WORDS * (1 + k) + r], x);\n"
                       "  b[128 * r] = x;\n"
                       "}\n"
                       "PERMI_ROLLED\n"
                       "for (unsigned i = 0; i < 1u << SAMPLES; i++) {\n"
                       "  unsigned h = key + i * 0x9e3779b9u;\n"
                       "  h = (h ^ h >> 16) * 0x7feb352du;\n"
                       "  h = (h ^ h >> 15) * 0x846ca68bu;\n"
                       "  h = ((h ^ h >> 16) << SAMPLES | i) & ((1u << (WALK + LOW)) - 1);\n"
                       "  PERMI_ROLLED for (int k = 0; k < WALK; k++) if (h >> k & 1) permi_turn(b, k, -1.0);\n"
                       "  absolute = permi_add(absolute, permi_moduli(b, h >> WALK));\n"
                       "  PERMI_ROLLED for (int k = 0; k < WALK; k++) if (h >> k & 1) permi_turn(b, k, 1.0);\n"
                       "}\n"
                       "PERMI_ROLLED\n"
                       "for (unsigned m = 0;;) {\n");
  permi_code_print(coder, parts == 2 ? "N block = {0, 0};\n" : "double block;\n");
  permi_code_print_statements(coder, 0, code->moduli, 0);
  permi_code_print(coder, "double e;\nconst double s = m & 1 ? -1.0 : 1.0;\n");
  if (parts == 1)
    permi_code_print(coder, "permi_two_sum(hi, e, hi, permi_mul(s, block));\nlo = permi_add(lo, e);\n");
  else
    permi_code_print(coder, "permi_two_sum(hi, e, hi, permi_mul(s, block.v));\nlo = permi_add(lo, e);\n");
  if (hybrid->algebra == PERMI_HYBRID_COMPLEX)
    permi_code_print(coder, "permi_two_sum(hi2, e, hi2, permi_mul(s, block.e));\nlo2 = permi_add(lo2, e);\n");
  if (hybrid->algebra == PERMI_HYBRID_COMPENSATED)
    permi_code_print(coder, "lo = permi_fma(s, block.e, lo);\n");
  permi_code_print_all(coder,
                       "if (++m == 1u << WALK) break;\n"
                       "{ const int j = permi_ctz(m); permi_turn(b, j, m >> (j + 1) & 1 ? 1.0 : -1.0); }\n"
                       "}\n"
                       "const double minus = permi_parity(number) ? -1.0 : 1.0;\n"
                       "__syncthreads();\n"
                       "room[t] = permi_mul(minus, hi);\n"
                       "room[128 + t] = permi_mul(minus, lo);\n"
                       "room[256 + t] = permi_mul(minus, hi2);\n"
                       "room[384 + t] = permi_mul(minus, lo2);\n"
                       "room[512 + t] = absolute;\n"
                       "for (int half = 64; half; half /= 2) {\n"
                       "  __syncthreads(); if (t < half) permi_fold(room, t, half); }\n"
                       "__syncthreads();\n"
                       "if (t < 5) a.out[5 * (unsigned long long)blockIdx.x + t] = room[128 * t];\n"
                       "}\n");
}

#if defined(PERM_CUDA_TESTS)
/* ---- the kernel on the CPU, operation by operation */
typedef struct permi_code_number {
  double v, e;
} permi_code_number;

static double permi_code_product(double a, double b)
{
  double p = a * b;
  PERMI_KEEP_DOUBLE(p); /* not to be contracted with a later sum */
  return p;
}

static double permi_code_two_sum(double a, double b, double *error)
{
  const double s = a + b, t = s - a;
  *error = (a - (s - t)) + (b - t);
  return s;
}

static permi_code_number permi_code_times(permi_hybrid_algebra algebra, permi_code_number a, permi_code_number b)
{
  permi_code_number r;
  if (algebra == PERMI_HYBRID_COMPLEX) {
    r.v = fma(-a.e, b.e, permi_code_product(a.v, b.v));
    r.e = fma(a.v, b.e, permi_code_product(a.e, b.v));
  } else {
    r.v = permi_code_product(a.v, b.v);
    r.e = algebra == PERMI_HYBRID_REAL ? 0 : fma(a.v, b.e, fma(a.e, b.v, fma(a.v, b.v, -r.v)));
  }
  return r;
}

static permi_code_number permi_code_minus(permi_hybrid_algebra algebra, permi_code_number a, permi_code_number b)
{
  permi_code_number r;
  if (algebra == PERMI_HYBRID_COMPENSATED) {
    r.v = permi_code_two_sum(a.v, -b.v, &r.e);
    r.e = r.e + (a.e - b.e);
  } else {
    r.v = a.v - b.v;
    r.e = a.e - b.e;
  }
  return r;
}

static permi_code_number permi_code_cross(permi_hybrid_algebra algebra, permi_code_number a, permi_code_number b,
                                          permi_code_number c, permi_code_number d)
{
  permi_code_number r;
  if (algebra == PERMI_HYBRID_COMPENSATED)
    return permi_code_minus(algebra, permi_code_times(algebra, a, b), permi_code_times(algebra, c, d));
  if (algebra == PERMI_HYBRID_REAL) {
    r.v = fma(a.v, b.v, -permi_code_product(c.v, d.v));
    r.e = 0;
  } else {
    r.v = fma(a.v, b.v, fma(-a.e, b.e, fma(-c.v, d.v, permi_code_product(c.e, d.e))));
    r.e = fma(a.v, b.e, fma(a.e, b.v, fma(-c.v, d.e, -permi_code_product(c.e, d.v))));
  }
  return r;
}

/* Statements [begin, end) on bases b, [row][part]; `low`: of the second program. Returns what that returns, or the
   block. */
static permi_code_number permi_code_run(const permi_hybrid *hybrid, int begin, int end, const double *b, unsigned low,
                                        permi_code_number *value)
{
  const permi_code *code = hybrid->code;
  const permi_hybrid_algebra algebra = hybrid->algebra;
  const int parts = hybrid->parts;
  permi_code_number block = {0, 0};
  int k;
  for (k = begin; k < end; k++) {
    const permi_code_statement *t = &code->statement[k];
    const double *constant = code->constant + t->b * parts;
    permi_code_number *r = &value[k];
    const permi_code_number *a = &value[t->a], *c = &value[t->c], *d = &value[t->d];
    const permi_code_number *second = t->kind == PERMI_CODE_ADD || t->kind == PERMI_CODE_TURN ? a : &value[t->b];
    double sign = t->negative ? -1 : 1;
    switch ((permi_code_kind)t->kind) {
    case PERMI_CODE_BASE:
      r->v = b[t->a * parts];
      r->e = parts == 2 ? b[t->a * 2 + 1] : 0;
      break;
    case PERMI_CODE_TURN:
      sign *= -(double)(int)(low >> t->c & 1); /* fall through */
    case PERMI_CODE_ADD:
      r->v = fma(sign, constant[0], a->v);
      r->e = parts == 2 ? fma(sign, constant[1], a->e) : 0;
      break;
    case PERMI_CODE_NEAR: r->v = fma(a->v, second->v, sign * a->v), r->e = 0; break;
    case PERMI_CODE_TIMES: *r = permi_code_times(algebra, *a, *second); break;
    case PERMI_CODE_CROSS: *r = permi_code_cross(algebra, *a, *second, *c, *d); break;
    case PERMI_CODE_MINUS: *r = permi_code_minus(algebra, *a, *second); break;
    case PERMI_CODE_TOTAL:
      if (algebra == PERMI_HYBRID_COMPENSATED) {
        double error;
        block.v = permi_code_two_sum(block.v, sign * a->v, &error);
        block.e = block.e + fma(sign, a->e, error);
      } else {
        block.v = block.v + sign * a->v;
        block.e = block.e + sign * a->e;
      }
      break;
    case PERMI_CODE_MODULUS:
      r->v = algebra == PERMI_HYBRID_COMPLEX ? sqrt(fma(a->v, a->v, permi_code_product(a->e, a->e))) : fabs(a->v);
      r->v += hybrid->rounding.floor[t->b];
      break;
    case PERMI_CODE_MULTIPLY: r->v = permi_code_product(a->v, second->v); break;
    case PERMI_CODE_JOIN: r->v = fma(a->v, second->v, permi_code_product(c->v, d->v)); break;
    case PERMI_CODE_PLUS: r->v = a->v + second->v; break;
    case PERMI_CODE_RETURN: return *a;
    }
  }
  return block;
}

static void permi_code_flip_twin(const permi_hybrid *hybrid, double *b, int j, double s)
{
  const permi_code *code = hybrid->code;
  int k, p;
  for (k = code->first_flip[j]; k < code->first_flip[j + 1]; k++)
    for (p = 0; p < hybrid->parts; p++) {
      double *at = &b[code->flip[k].row * hybrid->parts + p];
      *at = fma(code->flip[k].negative ? -s : s, code->constant[code->flip[k].constant * hybrid->parts + p], *at);
    }
}

static void permi_code_twin(const void *context, uint64_t chunk, double *sums)
{
  const permi_hybrid *hybrid = (const permi_hybrid *)context;
  const permi_code *code = hybrid->code;
  const double *table = hybrid->gpu.work.table;
  const int words = hybrid->n * hybrid->parts;
  permi_code_number *value = (permi_code_number *)calloc((size_t)code->statements + 1, sizeof *value);
  double room[5][128];
  int t, r, k, half;
  for (t = 0; t < 128 && value; t++) {
    const uint64_t number = chunk << 7 | (uint64_t)t;
    const unsigned key = ((unsigned)chunk * 4 + (unsigned)(t >> 5)) * 0x85ebca6bu;
    double b[128], absolute = 0, hi = 0, lo = 0, hi2 = 0, lo2 = 0, e;
    unsigned i, m;
    for (r = 0; r < words; r++) {
      b[r] = table[r];
      for (k = 0; k < hybrid->high; k++)
        b[r] = fma(-(double)(int)(number >> k & 1), table[words * (1 + k) + r], b[r]);
    }
    for (i = 0; i < 1u << code->samples_log2; i++) {
      unsigned h = key + i * 0x9e3779b9u;
      h = (h ^ h >> 16) * 0x7feb352du;
      h = (h ^ h >> 15) * 0x846ca68bu;
      h = ((h ^ h >> 16) << code->samples_log2 | i) & ((1u << (code->walk + hybrid->low)) - 1);
      for (k = 0; k < code->walk; k++)
        if (h >> k & 1)
          permi_code_flip_twin(hybrid, b, k, -1);
      absolute += permi_code_run(hybrid, code->moduli, code->statements, b, h >> code->walk, value).v;
      for (k = 0; k < code->walk; k++)
        if (h >> k & 1)
          permi_code_flip_twin(hybrid, b, k, 1);
    }
    for (m = 0;;) {
      const permi_code_number block = permi_code_run(hybrid, 0, code->moduli, b, 0, value);
      const double s = m & 1 ? -1 : 1;
      hi = permi_code_two_sum(hi, s * block.v, &e);
      lo += e;
      if (hybrid->algebra == PERMI_HYBRID_COMPLEX) {
        hi2 = permi_code_two_sum(hi2, s * block.e, &e);
        lo2 += e;
      } else if (hybrid->algebra == PERMI_HYBRID_COMPENSATED) {
        lo = fma(s, block.e, lo);
      }
      if (++m == 1u << code->walk)
        break;
      k = permi_trailing_zeros(m);
      permi_code_flip_twin(hybrid, b, k, m >> (k + 1) & 1 ? 1 : -1);
    }
    for (r = 0, k = 0; r < 64; r++)
      k ^= (int)(number >> r & 1);
    e = k ? -1 : 1;
    room[0][t] = e * hi;
    room[1][t] = e * lo;
    room[2][t] = e * hi2;
    room[3][t] = e * lo2;
    room[4][t] = absolute;
  }
  for (half = 64; half && value; half /= 2)
    for (t = 0; t < half; t++) {
      for (k = 0; k < 4; k += 2) {
        double e, low;
        const double s = permi_code_two_sum(room[k][t], room[k][t + half], &e);
        low = e + (room[k + 1][t] + room[k + 1][t + half]);
        room[k][t] = s + low;
        room[k + 1][t] = low - (room[k][t] - s);
      }
      room[4][t] += room[4][t + half];
    }
  for (k = 0; k < 5; k++)
    sums[k] = value ? room[k][0] : (double)NAN;
  free(value);
}
#else
#define permi_code_twin NULL
#endif
