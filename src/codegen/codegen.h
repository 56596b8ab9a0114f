/* ======================================================================================== >>codegen
   The generated kernels of [EK], as oracles: Ryser's sum (>>sparyser) in Gray order, where each column has code of its
   own with entries as literals. Row sums stand in registers: all, or in Algorithm 3's order only the k rows of the
   first c columns (Algorithm 4). Of these two plans and both orientations the fastest by prediction runs. Algorithm 2:
   a thread takes 2^d consecutive terms, with the largest d that all threads can have. Different here: 10 <= d <=
   PERMI_CODEGEN_WALK (a quarter of a second a kernel); a nominal GPU says how many threads fit, so that bits do not
   depend on the GPU; row sums are exact, and TwoSum adds terms. */
#pragma once
#include "../hybrid/program_plan.h"
#include "../reference/sparyser.h"

#define PERMI_CODEGEN_WALK 16
#define PERMI_CODEGEN_LEAST 10
#define PERMI_CODEGEN_RATIO 16 /* a change in memory over one in a register [EK] */
#define PERMI_CODEGEN_PROCESSORS 132
#ifndef PERMI_CODEGEN_SHARED
#define PERMI_CODEGEN_SHARED 232448 /* bytes a multiprocessor; 0: rows in global memory */
#endif
#define PERMI_CODEGEN_OTHERS 38 /* registers beside row sums */
#define PERMI_CODEGEN_BLOCKS 12 /* 1536 threads: every GPU has them */
#define PERMI_CODEGEN_LOAD 3   /* operations for a row in memory */

typedef struct permi_codegen_launch {
  uint64_t chunk, term;
  int walk;
} permi_codegen_launch;

typedef struct permi_codegen {
  permi_gpu gpu; /* first, for >>gpu */
  permi_code *code;
  permi_ryser ryser;
  int place[PERM_MAX_N];
  int kept, quick;         /* k and c */
  int blocks, shared, launches, walk;
  permi_codegen_launch launch[PERMI_CODEGEN_WALK - PERMI_CODEGEN_LEAST + 3];
  uint64_t chunks;
  double operations, seconds;
} permi_codegen;

static void permi_codegen_release(const perm_allocator *allocator, void *context)
{
  permi_codegen *codegen = (permi_codegen *)context;
  permi_code_release(allocator, codegen->code);
  permi_release(allocator, codegen->gpu.memory);
  permi_release(allocator, codegen);
}

static int permi_codegen_blocks(int rows)
{
  const int registers = (2 * rows + PERMI_CODEGEN_OTHERS + 7) / 8 * 8;
  return permi_clamp(65536 / (128 * registers), 1, PERMI_CODEGEN_BLOCKS);
}

static size_t permi_codegen_shared(const permi_codegen *codegen)
{
  const int rows = codegen->shared ? codegen->ryser.n - codegen->kept : 0;
  return (size_t)(rows > PERM_GPU_SUMS ? rows : PERM_GPU_SUMS);
}

/* Chooses k and c: Algorithm 4 of [EK]. */
static void permi_codegen_partition(permi_codegen *codegen)
{
  const permi_ryser *ryser = &codegen->ryser;
  const int n = ryser->n;
  double best = 0;
  int rows = 0, j, e;
  for (j = 0; j < ryser->digits; j++) {
    const double share = ldexp(1, -(j + 1));
    for (e = ryser->column_start[j]; e < ryser->column_start[j + 1]; e++)
      rows = codegen->place[ryser->touched[e]] >= rows ? codegen->place[ryser->touched[e]] + 1 : rows;
    const double score = 128.0 * PERMI_CODEGEN_PROCESSORS * permi_codegen_blocks(rows) /
                         (2 * rows * (1 - share) + PERMI_CODEGEN_RATIO * share * (n - rows));
    if (score > best || rows == codegen->kept) {
      best = score;
      codegen->kept = rows;
      codegen->quick = j + 1;
    }
  }
}

/* Shares the terms among threads: Algorithm 2 of [EK]. */
static void permi_codegen_launches(permi_codegen *codegen)
{
  const uint64_t terms = UINT64_C(1) << codegen->ryser.digits;
  const uint64_t threads = UINT64_C(128) * PERMI_CODEGEN_PROCESSORS * (uint64_t)codegen->blocks;
  uint64_t term = 0, chunks = 0;
  while (term < terms) {
    int walk = PERMI_CODEGEN_LEAST;
    while (walk < PERMI_CODEGEN_WALK && threads << (walk + 1) <= terms - term)
      walk++;
    const permi_codegen_launch launch = {chunks, term, walk};
    codegen->launch[codegen->launches++] = launch;
    if (threads << walk <= terms - term) {
      const uint64_t times = (terms - term) / (threads << walk);
      chunks += times * (threads / 128);
      term += times * threads << walk;
    } else {
      chunks += ((terms - term - 1) >> (walk + PERM_GPU_THREADS_LOG2)) + 1;
      term = terms;
    }
  }
  codegen->walk = codegen->launch[0].walk;
  codegen->chunks = chunks;
}

static void permi_codegen_plan(permi_codegen *codegen, const permi_block *block, int side, int memory)
{
  permi_ryser *ryser = &codegen->ryser;
  const int n = block->n;
  permi_ryser_split split = {0, n - 1, !memory, {0}};
  double changed = 0, touched = 0;
  memset(codegen, 0, sizeof *codegen);
  if (memory) {
    split.without = -1;
    permi_ryser_plan(ryser, block, side, &split);
    split.without = ryser->column[n - 1];
  }
  permi_ryser_plan(ryser, block, side, &split);
  for (int i = 0; i < n; i++)
    codegen->place[ryser->row[i]] = i;
  codegen->kept = memory ? 0 : n;
  codegen->quick = memory ? 0 : ryser->digits;
  if (memory)
    permi_codegen_partition(codegen);
  codegen->blocks = permi_codegen_blocks(codegen->kept);
  codegen->shared = 1;
  if ((permi_codegen_shared(codegen) * 128 * sizeof(double) + 1024) * (size_t)codegen->blocks > PERMI_CODEGEN_SHARED)
    codegen->shared = 0;
  permi_codegen_launches(codegen);
  for (int j = 0; j < ryser->digits; j++) {
    const double share = ldexp(1, -(j + 1));
    changed += share * (ryser->column_start[j + 1] - ryser->column_start[j]);
    touched += j < codegen->quick ? 0 : share * (n - codegen->kept);
  }
  codegen->operations = codegen->kept + (codegen->kept < n) + 9 + changed + PERMI_CODEGEN_LOAD * touched;
  codegen->seconds =
      codegen->operations * ryser->terms / (PERMI_GPU_PIPE * PERMI_CODEGEN_PART) * permi_gpu_slower(PERM_GPU_FP64);
}

static void permi_codegen_print_column(permi_code *code, const permi_codegen *codegen, int j, int out)
{
  const permi_ryser *ryser = &codegen->ryser;
  const int kept = codegen->kept;
  double entry[PERM_MAX_N];
  uint64_t there = 0;
  char text[32];
  int e, i, seldom = 0;
  permi_code_print(code, "case %d:\n", 2 * j + out);
  for (e = ryser->column_start[j]; e < ryser->column_start[j + 1]; e++) {
    i = codegen->place[ryser->touched[e]];
    entry[i] = out ? -ryser->value[0][e] : ryser->value[0][e];
    there |= UINT64_C(1) << i;
  }
  for (; there; there &= there - 1) {
    i = permi_trailing_zeros(there);
    permi_code_literal(entry[i], text);
    if (i < kept)
      permi_code_print(code, "x%d = permi_add(x%d, %s);\n", i, i, text);
    else
      permi_code_print(code, "G(%d) = permi_add(G(%d), %s);\n", i - kept, i - kept, text);
    seldom |= i >= kept;
  }
  permi_code_print(code, "%sPRODUCT\nbreak;\n", seldom ? "REST\n" : "");
}

/* Writes the kernel. Its table has row sums without columns [n], then columns [digits][n], rows by place. */
static void permi_codegen_text(permi_code *code, const permi_codegen *codegen)
{
  const permi_ryser *ryser = &codegen->ryser;
  const int n = ryser->n, kept = codegen->kept, rest = n - kept;
  const unsigned long long terms = 1ull << ryser->digits;
  const char sign = n % 2 ? '+' : '-';
  permi_code_print(code, "#define PRODUCT p = x0;");
  for (int i = 1; i < kept; i++)
    permi_code_print(code, " p = permi_mul(p, x%d);", i);
  permi_code_print(code, rest ? " p = permi_mul(p, rest);\n" : "\n");
  if (rest) /* unrolled, these rows would take registers */
    permi_code_print(code, "#define EVERY _Pragma(\"unroll 4\") for (int i = 0; i < %d; i++)\n"
                           "#define REST rest = 1; EVERY rest = permi_mul(rest, G(i));\n", rest);
  permi_code_print(code,
                   "#define G(i) %s\n" PERM_GPU_ENTRY "{\n"
                   "extern __shared__ double room[];\n"
                   "const int t = (int)threadIdx.x;\n"
                   "const unsigned long long chunk = a.first + blockIdx.x;\n"
                   "unsigned long long from = 0, begin = 0, left;\n"
                   "unsigned count;\n"
                   "double hi = 0, lo = 0, absolute = 0;\n"
                   "int walk = %d;\n",
                   codegen->shared ? "((volatile double *)room)[128 * (i) + t]" : "g[i]", codegen->blocks,
                   codegen->walk);
  for (int i = 1; i < codegen->launches; i++)
    permi_code_print(code, "if (chunk >= %lluull) { from = %lluull; begin = %lluull; walk = %d; }\n",
                     (unsigned long long)codegen->launch[i].chunk, (unsigned long long)codegen->launch[i].chunk,
                     (unsigned long long)codegen->launch[i].term, codegen->launch[i].walk);
  permi_code_print(code, "begin += ((chunk - from) << 7 | (unsigned)t) << walk;\n"
                         "left = begin < %lluull ? %lluull - begin : 0;\n"
                         "count = left >> walk ? 1u << walk : (unsigned)left;\n"
                         "if (count) {\n%s", terms, terms, rest ? "double rest;\n" : "");
  if (rest && !codegen->shared)
    permi_code_print(code, "volatile double g[%d];\n", rest);
  for (int i = 0; i < kept; i++)
    permi_code_print(code, "double x%d = a.table[%d];\n", i, i);
  if (rest)
    permi_code_print(code, "EVERY G(i) = a.table[%d + i];\n", kept);
  permi_code_print(code, "double p, e;\nPERMI_ROLLED\nfor (int j = 0; j < %d; j++)\n"
                         "if ((begin ^ begin >> 1) >> j & 1) {\nconst volatile double *c = a.table + %d * (1 + j);\n",
                   ryser->digits, n);
  for (int i = 0; i < kept; i++)
    permi_code_print(code, "x%d = permi_add(x%d, c[%d]);\n", i, i, i);
  if (rest)
    permi_code_print(code, "EVERY G(i) = permi_add(G(i), c[%d + i]);\n", kept);
  permi_code_print(code, "}\n%sPRODUCT\nhi = p;\nabsolute = fabs(p);\nPERMI_ROLLED\n"
                         "for (unsigned m = 1; m < count; m++) {\nconst int j = permi_ctz(m);\n"
                         "switch (2 * j + (int)((begin + m) >> (j + 1) & 1)) {\n", rest ? "REST\n" : "");
  for (int j = 0; j < 2 * ryser->digits && j < 2 * codegen->walk; j++)
    permi_codegen_print_column(code, codegen, j / 2, j % 2);
  permi_code_print(code,
                   "}\n"
                   "permi_two_sum(hi, e, hi, m & 1 ? -p : p);\n"
                   "lo = permi_add(lo, e);\n"
                   "absolute = permi_add(absolute, fabs(p));\n"
                   "}\n"
                   "}\n"
                   "const double sum[5] = {%chi, %clo, 0, 0, absolute};\n"
                   "permi_finish(room, a.out, sum);\n}\n", sign, sign);
}

static perm_status permi_codegen_create(const perm_allocator *allocator, permi_codegen *codegen)
{
  const permi_ryser *ryser = &codegen->ryser;
  const int n = ryser->n;
  const size_t doubles = (size_t)(n * (1 + ryser->digits));
  permi_code *code = codegen->code = (permi_code *)permi_allocate_zeros(allocator, 1, sizeof *code);
  double *table = codegen->gpu.memory = (double *)permi_allocate_zeros(allocator, doubles, sizeof(double));
  codegen->gpu.allocator = *allocator;
  if (!code || !table)
    return PERM_ERROR_MEMORY;
  code->allocator = allocator;
  permi_codegen_text(code, codegen);
  if (code->failed)
    return PERM_ERROR_MEMORY;
  for (int i = 0; i < n; i++)
    table[codegen->place[i]] = ryser->base[0][i];
  for (int j = 0; j < ryser->digits; j++)
    for (int e = ryser->column_start[j]; e < ryser->column_start[j + 1]; e++)
      table[n * (1 + j) + codegen->place[ryser->touched[e]]] = ryser->value[0][e];
  code->program.text = code->text;
  code->program.shared = permi_codegen_shared(codegen) * 128 * sizeof(double);
  code->program.twin = PERMI_CODEGEN_TWIN;
  code->program.context = codegen;
  codegen->gpu.work.table = table;
  codegen->gpu.work.doubles = doubles;
  codegen->gpu.work.program = &code->program;
  codegen->gpu.work.fingerprint =
      permi_code_hash(permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)n), codegen->chunks), code, &codegen->gpu.work);
  codegen->gpu.terms = (double)(float)(ryser->terms / (double)codegen->chunks); /* multiples are exact */
  return PERM_OK;
}

static perm_status permi_codegen_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_options *options = maker->options;
  permi_codegen *codegen;
  double least = (double)INFINITY;
  int way, best = 0;
  (void)rival;
  if (!options->gpu.devices)
    permi_refuse(offer, PERM_ERROR_DEVICE, "needs a GPU for this method: options.gpu.devices, or gpu.cpu_fallback");
  else if (block->integer || maker->working->integer)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has exact integers; this method takes them as real numbers");
  else if (block->imaginary || options->precision == PERM_PRECISION_DD)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has %s, which generated Ryser sums do not take",
                 block->imaginary ? "complex entries" : "another precision than double asked for");
  else if (block->n > PERM_MAX_N)
    permi_refuse(offer, PERM_ERROR_LIMIT, "is larger than the %d rows that sums over sets of columns take", PERM_MAX_N);
  if (offer->why[0])
    return PERM_OK;
  offer->plan = codegen = (permi_codegen *)permi_allocate(&options->allocator, 1, sizeof *codegen);
  if (!codegen)
    return permi_fail_memory(maker->result);
  for (way = 0; way < 4; way++) {
    permi_codegen_plan(codegen, block, way & 1, way >> 1);
    best = codegen->seconds < least ? way : best;
    least = fmin(least, codegen->seconds);
  }
  permi_codegen_plan(codegen, block, best & 1, best >> 1);
  if (!(codegen->ryser.growth < 1e300))
    return permi_refuse(offer, PERM_ERROR_LIMIT, "has row sums whose products may overflow");
  if (permi_codegen_create(&options->allocator, codegen) != PERM_OK)
    return permi_fail_memory(maker->result);
  offer->seconds =
      codegen->seconds + PERMI_GPU_COMPILE + PERMI_GPU_COMPILE_EACH * 2 * codegen->walk * codegen->operations;
  offer->bytes = sizeof *codegen + (double)codegen->code->length + 8.0 * (double)codegen->gpu.work.doubles;
  return PERM_OK;
}

static size_t permi_codegen_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_codegen *codegen = (const permi_codegen *)leaf->context;
  return permi_say(
      buffer, size,
      "%s, order %d%s: %d row sums in registers, enough for the first %d columns, %d in %s memory; %.3g terms in %d "
      "kinds of launches, up to 2^%d a thread, %d blocks a multiprocessor; %.0f chunks, predicted %.3g s on one GPU\n",
      perm_name("method", leaf->information.method), codegen->ryser.n, codegen->ryser.transposed ? " transposed" : "",
      codegen->kept, codegen->quick, codegen->ryser.n - codegen->kept, codegen->shared ? "shared" : "global",
      codegen->ryser.terms, codegen->launches, codegen->walk, codegen->blocks, (double)leaf->information.chunks,
      leaf->information.seconds);
}

static perm_status permi_codegen_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                      permi_leaf *leaf)
{
  permi_codegen *codegen = (permi_codegen *)offer->plan;
  permi_leaf_ranges(leaf, PERM_ISA_CUDA, codegen->chunks, codegen->operations * codegen->ryser.terms,
                    codegen->gpu.work.fingerprint, NULL, 0, permi_codegen_explain);
  leaf->run_range = permi_gpu_range;
  leaf->scale_exp2 = 1;
  permi_ryser_bounds(maker, block, &codegen->ryser, ldexp(128, codegen->walk), leaf);
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
