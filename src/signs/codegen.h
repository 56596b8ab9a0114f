/* ======================================================================================== >>codegen
   The published sparse sums for GPUs, for comparisons and as oracles: D. Elbek, K. Kaya, Fully-automated code
   generation for efficient computation of sparse matrix permanents on GPUs. Ryser's sum after Nijenhuis and Wilf, as
   in >>sparyser, over all sets of the columns but the last, in Gray order. A kernel is made for the matrix: every
   column has code that includes it and code that excludes it, which names the row sums it changes, entries as
   literals, so that row sums stay in registers; each ends with the product of the row sums.
     codegen-registers  all row sums in registers, columns in the given order
     codegen-memory     columns and rows in the permanent ordering (Algorithm 3, as in permi_ryser_plan): fast columns
                 touch few rows. Of these, the k rows of the first c columns are in registers, the others in memory,
                 with their product kept: only columns from c on, 1 in 2^c, ask for memory. c and k by the score of
                 Algorithm 4: threads that fit, over the cost of what they do
   Launches (Algorithm 2): a thread takes 2^d consecutive terms, the largest such that all threads that fit at a time
   have as many, so that all threads of a warp move the same column the same way, but for one term; what remains is
   handled the same way with a smaller d, down to 1024 terms, where threads may be left without work.
   What differs: d is at most PERMI_CODEGEN_WALK, with launches repeated, so that kernels take a quarter of a second
   and a chunk may go to any GPU; threads that fit are those of one nominal GPU, so that bits do not depend on the
   machine; a thread's first term is made with its row sums, not by a move, which leaves out columns from the d-th on;
   a launch is a range of chunks, of 128 threads each, since the runner cuts launches anyhow; row sums are exact, on
   the grid of >>sparyser, and terms are added by TwoSum, with the sum of their moduli: the same error bound. Memory is
   shared memory as long as that leaves as many threads as registers do, otherwise global memory, in which a thread's
   own array is interleaved with its neighbours' by hardware. */
#pragma once
#include "program_tune.h"
#include "sparyser.h"

#define PERMI_CODEGEN_WALK 16
#define PERMI_CODEGEN_LEAST 10 /* 1024 terms */
#define PERMI_CODEGEN_RATIO 16 /* a change in global memory, of one in a register [EK] */
#define PERMI_CODEGEN_PROCESSORS 132
#define PERMI_CODEGEN_SHARED 232448 /* bytes of shared memory on one of them */
#define PERMI_CODEGEN_OTHERS 38 /* registers beside row sums */
#define PERMI_CODEGEN_BLOCKS 12 /* 1536 threads: what every GPU allows */
#define PERMI_CODEGEN_LOAD 3   /* operations that a row in memory is worth */

typedef struct permi_codegen_launch {
  uint64_t chunk, term; /* its first; the last launch ends where terms do */
  int walk;             /* a thread has 2^walk terms */
} permi_codegen_launch;

typedef struct permi_codegen {
  permi_gpu gpu; /* comes first, where perm.h looks for it */
  permi_code *code;
  permi_ryser ryser;
  int place[PERM_MAX_N];   /* of a row: registers first */
  int kept, quick;         /* rows in registers; columns that need no others: k and c */
  int blocks, shared;      /* that fit on a multiprocessor; 1: memory is shared memory */
  int launches, walk;      /* the longest walk */
  permi_codegen_launch launch[PERMI_CODEGEN_WALK - PERMI_CODEGEN_LEAST + 3];
  uint64_t chunks;
  double operations, seconds; /* of a term; predicted */
} permi_codegen;

static void permi_codegen_release(const perm_allocator *allocator, void *context)
{
  permi_codegen *codegen = (permi_codegen *)context;
  permi_code_release(allocator, codegen->code);
  permi_release(allocator, codegen->gpu.memory);
  permi_release(allocator, codegen);
}

/* Blocks of 128 threads that fit on a multiprocessor, each thread with so many row sums in registers. */
static int permi_codegen_blocks(int rows)
{
  const int registers = (2 * rows + PERMI_CODEGEN_OTHERS + 7) / 8 * 8;
  return permi_clamp(65536 / (128 * registers), 1, PERMI_CODEGEN_BLOCKS);
}

static size_t permi_codegen_shared(const permi_codegen *codegen) /* doubles of a thread; sums of threads need five */
{
  const int rows = codegen->shared ? codegen->ryser.n - codegen->kept : 0;
  return (size_t)(rows > PERM_GPU_SUMS ? rows : PERM_GPU_SUMS);
}

/* Algorithm 4: k and c. */
static void permi_codegen_partition(permi_codegen *codegen)
{
  const permi_ryser *ryser = &codegen->ryser;
  const int n = ryser->n;
  double best = 0;
  int rows = 0, j, e;
  for (j = 0; j < ryser->digits; j++) {
    const double share = ldexp(1, -(j + 1));
    double score;
    for (e = ryser->column_start[j]; e < ryser->column_start[j + 1]; e++)
      rows = codegen->place[ryser->touched[e]] >= rows ? codegen->place[ryser->touched[e]] + 1 : rows;
    score = 128.0 * PERMI_CODEGEN_PROCESSORS * permi_codegen_blocks(rows) /
            (2 * rows * (1 - share) + PERMI_CODEGEN_RATIO * share * (n - rows));
    if (score > best || rows == codegen->kept) {
      best = score;
      codegen->kept = rows;
      codegen->quick = j + 1;
    }
  }
}

/* Algorithm 2. */
static void permi_codegen_launches(permi_codegen *codegen)
{
  const uint64_t terms = UINT64_C(1) << codegen->ryser.digits;
  const uint64_t threads = UINT64_C(128) * PERMI_CODEGEN_PROCESSORS * (uint64_t)codegen->blocks;
  uint64_t term = 0, chunks = 0;
  while (term < terms) {
    permi_codegen_launch *launch = &codegen->launch[codegen->launches++];
    int walk = PERMI_CODEGEN_LEAST;
    while (walk < PERMI_CODEGEN_WALK && threads << (walk + 1) <= terms - term)
      walk++;
    launch->chunk = chunks;
    launch->term = term;
    launch->walk = walk;
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

/* All but text and table, for one orientation. */
static void permi_codegen_plan(permi_codegen *codegen, const permi_block *block, int side, int memory)
{
  permi_ryser *ryser = &codegen->ryser;
  const int n = block->n;
  permi_ryser_split split;
  double changed = 0, touched = 0, share;
  int i, j, e;
  memset(&split, 0, sizeof split);
  memset(codegen, 0, sizeof *codegen);
  split.as_given = !memory;
  split.without = n - 1;
  if (memory) { /* the last one in order is left out */
    split.without = -1;
    permi_ryser_plan(ryser, block, side, &split);
    split.without = ryser->column[n - 1];
  }
  permi_ryser_plan(ryser, block, side, &split);
  for (i = 0; i < n; i++)
    codegen->place[ryser->row[i]] = i;
  codegen->kept = memory ? 0 : n;
  codegen->quick = memory ? 0 : ryser->digits;
  if (memory)
    permi_codegen_partition(codegen);
  codegen->blocks = permi_codegen_blocks(codegen->kept);
  codegen->shared = 1;
#if defined(PERMI_CODEGEN_GLOBAL) /* for trials */
  codegen->shared = 0;
#endif
  if ((permi_codegen_shared(codegen) * 128 * sizeof(double) + 1024) * (size_t)codegen->blocks > PERMI_CODEGEN_SHARED)
    codegen->shared = 0;
  permi_codegen_launches(codegen);
  for (j = 0; j < ryser->digits; j++) {
    share = ldexp(1, -(j + 1));
    for (e = ryser->column_start[j]; e < ryser->column_start[j + 1]; e++)
      changed += share;
    touched += j < codegen->quick ? 0 : share * (n - codegen->kept);
  }
  codegen->operations = codegen->kept + (codegen->kept < n) + 9 + changed + PERMI_CODEGEN_LOAD * touched;
  codegen->seconds = codegen->operations * ryser->terms / (PERMI_GPU_PIPE * PERMI_CODEGEN_PART);
}

/* ---- the kernel */
/* Column j included (out 0) or excluded, and the product then. */
static void permi_codegen_print_column(permi_coder *coder, const permi_codegen *codegen, int j, int out)
{
  const permi_ryser *ryser = &codegen->ryser;
  const int n = ryser->n, kept = codegen->kept;
  const char *entry[PERM_MAX_N];
  char text[PERM_MAX_N][32];
  int e, i, seldom = 0;
  memset(entry, 0, sizeof entry);
  permi_code_print(coder, "case %d:\n", 2 * j + out);
  for (e = ryser->column_start[j]; e < ryser->column_start[j + 1]; e++) {
    i = codegen->place[ryser->touched[e]];
    entry[i] = permi_code_literal(out ? -ryser->value[0][e] : ryser->value[0][e], text[i]);
    seldom |= i >= kept;
  }
  for (i = 0; i < kept; i++)
    if (entry[i])
      permi_code_print(coder, "x%d = permi_add(x%d, %s);\n", i, i, entry[i]);
  for (i = kept; i < n; i++)
    if (entry[i])
      permi_code_print(coder, "G(%d) = permi_add(G(%d), %s);\n", i - kept, i - kept, entry[i]);
  if (seldom)
    permi_code_print(coder, "REST\n");
  permi_code_print(coder, "PRODUCT\nbreak;\n");
}

/* The kernel. Its table: row sums with no column, [n]; [digits][n] what columns add; rows by place. */
static void permi_codegen_text(permi_coder *coder, const permi_codegen *codegen)
{
  const permi_ryser *ryser = &codegen->ryser;
  const int n = ryser->n, kept = codegen->kept;
  int i, j;
  permi_code_print(coder, "#define PRODUCT p = x0;");
  for (i = 1; i < kept; i++)
    permi_code_print(coder, " p = permi_mul(p, x%d);", i);
  permi_code_print(coder, kept < n ? " p = permi_mul(p, rest);\n" : "\n");
  if (kept < n) /* loops, as all of them at once would take registers */
    permi_code_print(coder, "#define EVERY _Pragma(\"unroll 4\") for (int i = 0; i < %d; i++)\n"
                            "#define REST rest = 1; EVERY rest = permi_mul(rest, G(i));\n", n - kept);
  permi_code_print(coder, codegen->shared ? "#define G(i) ((volatile double *)room)[128 * (i) + t]\n"
                                          : "#define G(i) g[i]\n");
  permi_code_print(coder, "extern \"C\" __global__ void __launch_bounds__(128, %d) "
                          "permi_kernel(const permi_arguments<1> a)\n{\n", codegen->blocks);
  permi_code_print_all(coder, "extern __shared__ double room[];\n"
                              "const int t = (int)threadIdx.x;\n"
                              "const unsigned long long chunk = a.first + blockIdx.x;\n"
                              "unsigned long long from = 0, begin = 0, left;\n"
                              "unsigned count;\n"
                              "double hi = 0, lo = 0, absolute = 0;\n");
  permi_code_print(coder, "int walk = %d;\n", codegen->walk);
  for (i = 1; i < codegen->launches; i++)
    permi_code_print(coder, "if (chunk >= %lluull) { from = %lluull; begin = %lluull; walk = %d; }\n",
                     (unsigned long long)codegen->launch[i].chunk, (unsigned long long)codegen->launch[i].chunk,
                     (unsigned long long)codegen->launch[i].term, codegen->launch[i].walk);
  permi_code_print(coder, "begin += ((chunk - from) << 7 | (unsigned)t) << walk;\n"
                          "left = begin < %lluull ? %lluull - begin : 0;\n"
                          "count = left >> walk ? 1u << walk : (unsigned)left;\n"
                          "if (count) {\n",
                   1ull << ryser->digits, 1ull << ryser->digits);
  if (kept < n)
    permi_code_print(coder, "double rest;\n");
  if (kept < n && !codegen->shared)
    permi_code_print(coder, "volatile double g[%d];\n", n - kept);
  for (i = 0; i < kept; i++)
    permi_code_print(coder, "double x%d = a.table[%d];\n", i, i);
  if (kept < n)
    permi_code_print(coder, "EVERY G(i) = a.table[%d + i];\n", kept);
  permi_code_print(coder, "double p, e;\nPERMI_ROLLED\nfor (int j = 0; j < %d; j++)\n"
                          "if ((begin ^ begin >> 1) >> j & 1) {\nconst volatile double *c = a.table + %d * (1 + j);\n",
                   ryser->digits, n);
  for (i = 0; i < kept; i++)
    permi_code_print(coder, "x%d = permi_add(x%d, c[%d]);\n", i, i, i);
  if (kept < n)
    permi_code_print(coder, "EVERY G(i) = permi_add(G(i), c[%d + i]);\n", kept);
  permi_code_print(coder, "}\n");
  if (kept < n)
    permi_code_print(coder, "REST\n");
  permi_code_print(coder, "PRODUCT\nhi = p;\nabsolute = fabs(p);\nPERMI_ROLLED\n"
                          "for (unsigned m = 1; m < count; m++) {\nconst int j = permi_ctz(m);\n"
                          "switch (2 * j + (int)((begin + m) >> (j + 1) & 1)) {\n");
  for (j = 0; j < ryser->digits && j < codegen->walk; j++) {
    permi_codegen_print_column(coder, codegen, j, 0);
    permi_codegen_print_column(coder, codegen, j, 1);
  }
  permi_code_print_all(coder,
                       "}\n"
                       "permi_two_sum(hi, e, hi, m & 1 ? -p : p);\n"
                       "lo = permi_add(lo, e);\n"
                       "absolute = permi_add(absolute, fabs(p));\n"
                       "}\n"
                       "}\n"
                       "__syncthreads();\n");
  permi_code_print(coder, "room[t] = %chi;\nroom[128 + t] = %clo;\n", n % 2 ? '+' : '-', n % 2 ? '+' : '-');
  permi_code_print_all(coder,
                       "room[256 + t] = 0;\n"
                       "room[384 + t] = 0;\n"
                       "room[512 + t] = absolute;\n"
                       "for (int half = 64; half; half /= 2) {\n"
                       "  __syncthreads();\n"
                       "  if (t < half) permi_fold(room, t, half);\n"
                       "}\n"
                       "__syncthreads();\n"
                       "if (t < 5) a.out[5 * (unsigned long long)blockIdx.x + t] = room[128 * t];\n"
                       "}\n");
}

#if defined(PERM_CUDA_TESTS)
/* The kernel on the CPU, operation by operation. */
static double permi_codegen_product(const double *x, int begin, int end)
{
  double p = x[begin];
  for (begin++; begin < end; begin++)
    p = permi_code_product(p, x[begin]);
  return p;
}

static void permi_codegen_twin(const void *context, uint64_t chunk, double *sums)
{
  const permi_codegen *codegen = (const permi_codegen *)context;
  const permi_ryser *ryser = &codegen->ryser;
  const double *table = codegen->gpu.work.table;
  const int n = ryser->n, kept = codegen->kept;
  double room[3][128];
  int t, i, j, k, half;
  for (t = 0; t < 128; t++) {
    const permi_codegen_launch *launch = codegen->launch;
    double x[PERM_MAX_N], p, rest = 1, e;
    uint64_t begin, left, m;
    for (i = 1; i < codegen->launches; i++)
      if (chunk >= codegen->launch[i].chunk)
        launch = &codegen->launch[i];
    begin = launch->term + (((chunk - launch->chunk) << 7 | (uint64_t)t) << launch->walk);
    left = begin < UINT64_C(1) << ryser->digits ? (UINT64_C(1) << ryser->digits) - begin : 0;
    left = left >> launch->walk ? UINT64_C(1) << launch->walk : left;
    room[0][t] = room[1][t] = room[2][t] = 0;
    for (i = 0; i < n; i++)
      x[i] = table[i];
    for (j = 0; j < ryser->digits; j++)
      for (i = 0; i < n && (begin ^ begin >> 1) >> j & 1; i++)
        x[i] += table[n * (1 + j) + i];
    for (m = 0; m < left; m++) {
      int seldom = m == 0;
      if (m) {
        j = permi_trailing_zeros(m);
        for (k = ryser->column_start[j]; k < ryser->column_start[j + 1]; k++) {
          i = codegen->place[ryser->touched[k]];
          x[i] += (begin + m) >> (j + 1) & 1 ? -ryser->value[0][k] : ryser->value[0][k];
          seldom |= i >= kept;
        }
      }
      if (seldom && kept < n)
        rest = permi_codegen_product(x, kept, n);
      p = permi_codegen_product(x, 0, kept);
      p = kept < n ? permi_code_product(p, rest) : p;
      room[0][t] = m ? permi_code_two_sum(room[0][t], m & 1 ? -p : p, &e) : p;
      room[1][t] += m ? e : 0;
      room[2][t] += fabs(p);
    }
    room[0][t] = n % 2 ? room[0][t] : -room[0][t];
    room[1][t] = n % 2 ? room[1][t] : -room[1][t];
  }
  for (half = 64; half; half /= 2)
    for (t = 0; t < half; t++) {
      double e, low;
      const double s = permi_code_two_sum(room[0][t], room[0][t + half], &e);
      low = e + (room[1][t] + room[1][t + half]);
      room[0][t] = s + low;
      room[1][t] = low - (room[0][t] - s);
      room[2][t] += room[2][t + half];
    }
  sums[0] = room[0][0];
  sums[1] = room[1][0];
  sums[2] = sums[3] = 0;
  sums[4] = room[2][0];
}
#else
#define permi_codegen_twin NULL
#endif

/* Text and table. */
static perm_status permi_codegen_create(const perm_allocator *allocator, permi_codegen *codegen)
{
  const permi_ryser *ryser = &codegen->ryser;
  const int n = ryser->n;
  const size_t doubles = (size_t)(n * (1 + ryser->digits));
  permi_coder *coder = (permi_coder *)permi_allocate(allocator, 1, sizeof *coder);
  permi_code *code = (permi_code *)permi_allocate(allocator, 1, sizeof *code);
  double *table = (double *)permi_allocate(allocator, doubles, sizeof(double));
  int i, j, e, failed = 1;
  codegen->code = code;
  codegen->gpu.memory = table;
  codegen->gpu.allocator = *allocator;
  if (code)
    memset(code, 0, sizeof *code);
  if (coder && code && table) {
    memset(coder, 0, sizeof *coder);
    coder->allocator = allocator;
    coder->code = code;
    permi_codegen_text(coder, codegen);
    failed = coder->failed;
  }
  permi_release(allocator, coder);
  if (failed)
    return PERM_ERROR_MEMORY;
  memset(table, 0, doubles * sizeof(double));
  for (i = 0; i < n; i++)
    table[codegen->place[i]] = ryser->base[0][i];
  for (j = 0; j < ryser->digits; j++)
    for (e = ryser->column_start[j]; e < ryser->column_start[j + 1]; e++)
      table[n * (1 + j) + codegen->place[ryser->touched[e]]] = ryser->value[0][e];
  code->program.text = code->text;
  code->program.shared = permi_codegen_shared(codegen) * 128 * sizeof(double);
  code->program.twin = permi_codegen_twin;
  code->program.context = codegen;
  codegen->gpu.work.table = table;
  codegen->gpu.work.doubles = doubles;
  codegen->gpu.work.program = &code->program;
  codegen->gpu.work.fingerprint =
      permi_code_hash(permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)n), codegen->chunks), code, &codegen->gpu.work);
  codegen->gpu.terms = (double)(float)(ryser->terms / (double)codegen->chunks); /* multiples are exact */
  return PERM_OK;
}

/* Without a GPU, method sparyser does the work, if the options say so. */
static int permi_codegen_falls_back(const perm_options *options)
{
  char message[PERM_MESSAGE_BYTES];
  return options->method > PERM_METHOD_STRUCTURE && options->gpu.cpu_fallback &&
         !(options->gpu.devices && permi_gpu_devices(options->gpu.devices, message));
}

static perm_status permi_codegen_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_options *options = maker->options;
  const perm_allocator *allocator = &options->allocator;
  permi_codegen *best, *trial;
  int side;
  (void)rival; /* only by name */
  if (!options->gpu.devices)
    permi_refuse(offer, PERM_ERROR_DEVICE, "needs a GPU for this method: options.gpu.devices, or gpu.cpu_fallback");
  else if (block->integer || maker->working->integer)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has exact integers; with precision fast this method takes them");
  else if (block->imaginary || options->precision == PERM_PRECISION_ACCURATE || options->precision == PERM_PRECISION_DD)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has %s, which generated Ryser sums do not take",
                 block->imaginary ? "complex entries" : "another precision than double asked for");
  else if (block->n > PERM_MAX_N)
    permi_refuse(offer, PERM_ERROR_LIMIT, "is larger than the %d rows that sums over sets of columns take", PERM_MAX_N);
  if (offer->why[0])
    return PERM_OK;
  best = (permi_codegen *)permi_allocate(allocator, 1, sizeof *best);
  trial = (permi_codegen *)permi_allocate(allocator, 1, sizeof *trial);
  for (side = 0; side < 2 && best && trial; side++) {
    permi_codegen_plan(side ? trial : best, block, side, options->method == PERM_METHOD_CODEGEN_MEMORY);
    if (side && trial->seconds < best->seconds)
      *best = *trial;
  }
  if (best && trial && best->ryser.growth < 1e300 && permi_codegen_create(allocator, best) == PERM_OK) {
    offer->plan = best;
    offer->seconds = best->seconds + PERMI_GPU_COMPILE + PERMI_GPU_COMPILE_EACH * 2 * best->walk * best->operations;
    offer->bytes = sizeof *best + (double)best->code->length + 8.0 * (double)best->gpu.work.doubles;
  } else if (best && trial && !(best->ryser.growth < 1e300)) {
    permi_refuse(offer, PERM_ERROR_LIMIT, "has row sums whose products may overflow");
    permi_release(allocator, best);
  } else {
    if (best && trial)
      permi_codegen_release(allocator, best);
    else
      permi_release(allocator, best);
    permi_release(allocator, trial);
    return permi_fail_memory(maker->result);
  }
  permi_release(allocator, trial);
  return PERM_OK;
}

static size_t permi_codegen_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_codegen *codegen = (const permi_codegen *)leaf->context;
  const int length = snprintf(
      buffer, size,
      "%s, order %d%s: %d row sums in registers, enough for the first %d columns, %d in %s memory; %.3g terms in %d "
      "kinds of launches, up to 2^%d a thread, %d blocks a multiprocessor; %.0f chunks, predicted %.3g s on one GPU\n",
      perm_method_name(leaf->information.method), codegen->ryser.n, codegen->ryser.transposed ? " transposed" : "",
      codegen->kept, codegen->quick, codegen->ryser.n - codegen->kept, codegen->shared ? "shared" : "global",
      codegen->ryser.terms, codegen->launches, codegen->walk, codegen->blocks, (double)leaf->information.chunks,
      leaf->information.seconds);
  return length > 0 ? (size_t)length : 0;
}

/* The bound of >>sparyser: a chunk is 128 threads, folded pairwise with what TwoSum gives, and no term is cut. */
static perm_status permi_codegen_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                      permi_leaf *leaf)
{
  permi_codegen *codegen = (permi_codegen *)offer->plan;
  leaf->information.kind = PERM_LEAF_RANGE;
  leaf->information.method = maker->options->method;
  leaf->information.isa = PERM_ISA_CUDA;
  leaf->information.n = block->n;
  leaf->information.chunks = codegen->chunks;
  leaf->information.work = codegen->operations * codegen->ryser.terms;
  leaf->information.fingerprint = codegen->gpu.work.fingerprint;
  leaf->run_range = permi_gpu_range;
  leaf->release = permi_codegen_release;
  leaf->explain = permi_codegen_explain;
  leaf->context = codegen;
  offer->plan = NULL;
  leaf->scale_exp2 = 1;
  permi_ryser_bounds(maker, block, &codegen->ryser, ldexp(128, codegen->walk), leaf);
  return PERM_OK;
}
