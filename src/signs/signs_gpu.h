/* ====================================================================================== >>signs_gpu
   The search of >>signs on GPUs, by a kernel compiled for the shape. A warp takes a prefix: lane l has word l & 15 of
   the counts and 32 patterns of block l / 16. Patterns of a group are neighbours, so that a group's products are added
   before the join; in a join lanes are pairs of groups. Sums are modulo 2^192: any order gives the same. */
#pragma once
#include "program_text.h"
#include "signs.h"

static int permi_signs_gpu_takes(const permi_signs *signs)
{
  return signs->narrow && signs->words == 3 && !signs->negative && signs->prefix > signs->depth;
}

#if defined(PERM_WITH_CUDA)
typedef struct permi_signs_gpu {
  permi_gpu gpu; /* first, for >>gpu */
  perm_gpu_program program;
  permi_signs *signs;
  permi_code *code;
} permi_signs_gpu;

/* Words of 32 bits of the table: where parts of it begin. */
typedef struct permi_signs_table {
  int own[2], shared;      /* words of a pattern: of its own rows, of rows of both blocks */
  int column, done, start, cut, target, root, pattern[2], group[2], alive, path, end;
} permi_signs_table;

static permi_signs_table permi_signs_table_of(const permi_signs *signs)
{
  const int p = signs->prefix, cuts = signs->cut_start[2 * p];
  permi_signs_table table;
  int block, at = 0;
  table.shared = (signs->place[1] + 3) / 4;
  table.column = at, at += 16 * p;
  table.done = at, at += 16 * p;
  table.start = at, at += 2 * p + 2;
  table.cut = at, at += 2 * cuts;
  table.target = at, at += 16;
  table.root = at, at += 48;
  for (block = 0; block < 2; block++) {
    const int begin = signs->place[block + 1], end = signs->place[block + 2];
    table.own[block] = begin < end ? (end + 3) / 4 - begin / 4 : 0;
    table.pattern[block] = at, at += (table.own[block] + table.shared) << signs->length[block];
    table.group[block] = at, at += 1 << signs->length[block];
  }
  table.alive = at;
  return table;
}

/* Orders a block's patterns by group. */
static void permi_signs_gpu_sort(const permi_signs *signs, int block, uint16_t *sorted)
{
  const int patterns = 1 << signs->length[block];
  int g, y, at = 0;
  for (g = 0; g < signs->groups[block]; g++)
    for (y = 0; y < patterns; y++)
      if (signs->group[block][y] >> 1 == g)
        sorted[at++] = (uint16_t)y;
}

static void permi_signs_gpu_set(const permi_signs *signs, int block, const uint16_t *sorted, const uint64_t *set,
                                uint32_t *to)
{
  int z;
  for (z = 0; z < 1 << signs->length[block]; z++)
    to[z >> 5] |= (uint32_t)(set[sorted[z] >> 6] >> (sorted[z] & 63) & 1) << (z & 31);
}

static void permi_signs_gpu_words(const uint64_t *from, int first, int words, uint32_t *to)
{
  int w;
  for (w = 0; w < words; w++)
    to[w] = (uint32_t)(from[(first + w) >> 1] >> 32 * ((first + w) & 1));
}

static void permi_signs_gpu_patterns(const permi_signs *signs, const permi_signs_table *table, int block,
                                     const uint16_t *sorted, uint32_t *word)
{
  const int each = table->own[block] + table->shared;
  int z;
  for (z = 0; z < 1 << signs->length[block]; z++) {
    uint64_t shared[PERMI_SIGNS_WORDS] = {0}, own[2 * PERMI_SIGNS_WORDS] = {0};
    const uint64_t *from = signs->pattern[block] + sorted[z] * signs->width[block];
    memcpy(shared, from, (size_t)signs->shared_words * sizeof *shared);
    memcpy(own + signs->own_word[block], from + signs->shared_words,
           (size_t)(signs->width[block] - signs->shared_words) * sizeof *own);
    permi_signs_gpu_words(shared, 0, table->shared, word + table->pattern[block] + z * each);
    permi_signs_gpu_words(own, signs->place[block + 1] / 4, table->own[block],
                          word + table->pattern[block] + z * each + table->shared);
    word[table->group[block] + z] = signs->group[block][sorted[z]];
  }
}

/* Fills the table, or returns its words if it is NULL. */
static int permi_signs_gpu_fill(const permi_signs *signs, const permi_signs_table *table, uint32_t *word)
{
  uint16_t sorted[2][1 << PERMI_SIGNS_BLOCK];
  int block, k, cut, level, at = table->alive;
  for (block = 0; block < 2; block++)
    permi_signs_gpu_sort(signs, block, sorted[block]);
  for (k = 0; k < 2 * signs->prefix && word; k++)
    word[table->start + k] = (uint32_t)signs->cut_start[k];
  if (word)
    word[table->start + k] = (uint32_t)signs->cut_start[k];
  for (k = 0; k < signs->prefix && word; k++) {
    permi_signs_gpu_words(signs->column[k], 0, 16, word + table->column + 16 * k);
    permi_signs_gpu_words(signs->done[k], 0, 16, word + table->done + 16 * k);
  }
  for (k = 0; k < 2 * signs->prefix; k++)
    for (cut = signs->cut_start[k]; cut < signs->cut_start[k + 1]; cut++)
      for (level = 0; level < signs->cut[cut].levels; level++, at += 16) {
        if (!word)
          continue;
        if (level == 0) {
          word[table->cut + 2 * cut] = (uint32_t)signs->cut[cut].place;
          word[table->cut + 2 * cut + 1] = (uint32_t)(at - 16 * signs->cut[cut].least);
        }
        permi_signs_gpu_set(signs, k & 1, sorted[k & 1], signs->cut[cut].alive[level], word + at);
      }
  if (!word)
    return at;
  permi_signs_gpu_words(signs->target, 0, 16, word + table->target);
  permi_signs_gpu_words(signs->root.count, 0, 16, word + table->root);
  for (block = 0; block < 2; block++) {
    permi_signs_gpu_set(signs, block, sorted[block], signs->root.alive[block], word + table->root + 16 + 16 * block);
    permi_signs_gpu_patterns(signs, table, block, sorted[block], word);
  }
  return at;
}

static const char permi_signs_gpu_walk[] =
    "PERMI_BOTH int permi_row(const unsigned *w, int place) {\n"
    "  const int half = (int)(w[place >> 2] >> 8 * (place & 3) & 255u) - 128;\n"
    "  return ODD >> place & 1 ? 2 * half + 1 : half; }\n"
    "template <int BEGIN, int END> PERMI_BOTH long long permi_rows(const unsigned *w) {\n"
    "  long long product = 1;\n"
    "  PERMI_UNROLL\n"
    "  for (int i = BEGIN; i < END; i += 3) {\n"
    "    int part = permi_row(w - BEGIN / 4, i);\n"
    "    if (i + 1 < END) part *= permi_row(w - BEGIN / 4, i + 1);\n"
    "    if (i + 2 < END) part *= permi_row(w - BEGIN / 4, i + 2);\n"
    "    product *= part; }\n"
    "  return product; }\n"
    /* Sets column k; returns whether the branch lives. */
    "__device__ __forceinline__ bool permi_step(const unsigned *t, int k, int bit, int lane, unsigned &count,\n"
    "                                           unsigned &alive) {\n"
    "  const int half = lane >> 4, word = lane & 15;\n"
    "  const unsigned c = count + (bit ? t[COLUMN + 16 * k + word] : 0u);\n"
    "  const int begin = (int)t[START + 2 * k], middle = (int)t[START + 2 * k + 1], end = (int)t[START + 2 * k + 2];\n"
    "  const int first = half ? middle : begin, cuts = half ? end - middle : middle - begin;\n"
    "  const int most = end - middle > middle - begin ? end - middle : middle - begin;\n"
    "  if (__any_sync(~0u, __vcmpeq4(c, t[DONE + 16 * k + word]) != 0u)) return false;\n"
    "  PERMI_ROLLED\n"
    "  for (int i = 0; i < most; i++) {\n"
    "    const int at = CUT + 2 * (first + i);\n"
    "    const unsigned place = i < cuts ? t[at] : 0u;\n"
    "    const unsigned level = __shfl_sync(~0u, c, (int)(place >> 2)) >> 8 * (place & 3u) & 255u;\n"
    "    if (i < cuts) alive &= t[(int)t[at + 1] + 16 * (int)level + word]; }\n"
    "  const unsigned any = __ballot_sync(~0u, alive != 0u);\n"
    "  count = c;\n"
    "  return (any & 0xffffu) && any >> 16; }\n";

static const char permi_signs_gpu_groups[] =
    /* Lists a block's living groups with the sums of the products of its own rows; returns their number. */
    "template <int BLOCK, int OWN, int BEGIN, int END> __device__ __forceinline__ int permi_list(const unsigned *t,\n"
    "    int lane, unsigned count, unsigned alive, long long *value, unsigned short *list) {\n"
    "  const unsigned *pattern = t + (BLOCK ? PATTERN1 : PATTERN0), *group = t + (BLOCK ? GROUP1 : GROUP0);\n"
    "  unsigned own[OWN + 1];\n"
    "  unsigned left = lane >> 4 == BLOCK ? alive : 0u;\n"
    "  int items = __popc(left), at, groups = 0;\n"
    "  PERMI_UNROLL\n"
    "  for (int w = 0; w < OWN; w++) own[w] = __shfl_sync(~0u, count, BEGIN / 4 + w);\n"
    "  at = items;\n"
    "  PERMI_UNROLL\n"
    "  for (int k = 1; k < 32; k *= 2) {\n"
    "    const int before = __shfl_up_sync(~0u, items, k);\n"
    "    items += lane >= k ? before : 0; }\n"
    "  at = items - at;\n"
    "  items = __shfl_sync(~0u, items, 31);\n"
    "  for (; left; left &= left - 1) list[at++] = (unsigned short)((lane & 15) << 5 | permi_ctz(left));\n"
    "  __syncwarp();\n"
    "  PERMI_ROLLED\n"
    "  for (int i = lane; i < items; i += 32) {\n"
    "    const unsigned z = list[i];\n"
    "    unsigned w[OWN + 1];\n"
    "    PERMI_UNROLL\n"
    "    for (int k = 0; k < OWN; k++) w[k] = own[k] + pattern[(OWN + SHARED) * z + SHARED + k];\n"
    "    const long long x = permi_rows<BEGIN, END>(w);\n"
    "    value[i] = group[z] & 1u ? -x : x; }\n"
    "  __syncwarp();\n"
    "  PERMI_ROLLED\n"
    "  for (int i = lane; i - lane < items; i += 32) {\n"
    "    const unsigned z = i < items ? list[i] : 0u, g = group[z] >> 1;\n"
    "    const bool first = i < items && (i == 0 || group[list[i - 1]] >> 1 != g);\n"
    "    const unsigned starts = __ballot_sync(~0u, first);\n"
    "    long long sum = 0;\n"
    "    for (int k = i; first && k < items && group[list[k]] >> 1 == g; k++) sum += value[k];\n"
    "    __syncwarp();\n"
    "    if (first) {\n"
    "      const int slot = groups + __popc(starts & ((1u << lane) - 1u));\n"
    "      value[slot] = sum;\n"
    "      list[slot] = (unsigned short)z; }\n"
    "    groups += __popc(starts);\n"
    "    __syncwarp(); }\n"
    "  return groups; }\n";

static const char permi_signs_gpu_join[] =
    "__device__ __forceinline__ void permi_join(const unsigned *t, int lane, unsigned count, unsigned alive,\n"
    "    long long *value, unsigned short *list, unsigned long long *sum, int minus) {\n"
    "  const int groups0 = permi_list<0, OWN0, FIRST, SECOND>(t, lane, count, alive, value, list);\n"
    "  const int groups1 = permi_list<1, OWN1, SECOND, NONE>(t, lane, count, alive, value + 512, list + 512);\n"
    "  unsigned shared[SHARED + 1], target[SHARED + 1], all[16];\n"
    "  PERMI_UNROLL\n"
    "  for (int w = 0; w < 16; w++) all[w] = __shfl_sync(~0u, count, w);\n"
    "  const long long others = permi_rows<NONE, ROWS>(all + NONE / 4), done = minus ? -others : others;\n"
    "  PERMI_UNROLL\n"
    "  for (int w = 0; w < SHARED; w++) { shared[w] = all[w]; target[w] = t[TARGET + w]; }\n"
    "  const int rows = 32 / groups1, rest = 32 % groups1;\n"
    "  int a = lane / groups1, b = lane % groups1;\n"
    "  unsigned long long low = 0, high = 0;\n"
    "  PERMI_ROLLED\n"
    "  while (a < groups0) {\n"
    "    const unsigned *first = t + PATTERN0 + (OWN0 + SHARED) * list[a];\n"
    "    const unsigned *second = t + PATTERN1 + (OWN1 + SHARED) * list[512 + b];\n"
    "    unsigned c[SHARED + 1], zero = 0;\n"
    "    PERMI_UNROLL\n"
    "    for (int w = 0; w < SHARED; w++) {\n"
    "      c[w] = shared[w] + first[w] + second[w];\n"
    "      zero |= __vcmpeq4(c[w], target[w]); }\n"
    "    if (!zero) {\n"
    "      const long long x = permi_rows<0, FIRST>(c) * value[512 + b], y = value[a];\n"
    "      const unsigned long long add = (unsigned long long)(x * y);\n"
    "      low += add;\n"
    "      high += (unsigned long long)__mul64hi(x, y) + (low < add ? 1u : 0u); }\n"
    "    a += rows;\n"
    "    b += rest;\n"
    "    if (b >= groups1) { b -= groups1; a++; } }\n"
    "  const unsigned long long p = (unsigned long long)done, sign = (long long)high < 0 ? ~0ull : 0ull;\n"
    "  unsigned long long r0 = low * p, r1 = permi_high(low, p), r2 = permi_high(high, p) + sign * p;\n"
    "  const unsigned long long middle = high * p;\n"
    "  r1 += middle;\n"
    "  r2 += r1 < middle ? 1u : 0u;\n"
    "  if (done < 0) {\n"
    "    r2 -= high + (r1 < low ? 1u : 0u);\n"
    "    r1 -= low; }\n"
    "  sum[0] += r0;\n"
    "  r1 += sum[0] < r0 ? 1u : 0u;\n"
    "  r2 += sum[0] < r0 && !r1 ? 1u : 0u;\n"
    "  sum[1] += r1;\n"
    "  sum[2] += r2 + (sum[1] < r1 ? 1u : 0u);\n"
    "  __syncwarp(); }\n";

static const char permi_signs_gpu_kernel[] =
    "{\n"
    "  extern __shared__ unsigned long long room[];\n"
    "  __shared__ unsigned long long total[6];\n"
    "  __shared__ unsigned next;\n"
    "  const unsigned *t = (const unsigned *)a.table;\n"
    "  const unsigned long long *path = (const unsigned long long *)(t + PATH), *begin = path + PATHS;\n"
    "  const unsigned long long chunk = a.first + blockIdx.x, from = begin[chunk];\n"
    "  const unsigned count_of = (unsigned)(begin[chunk + 1] - from);\n"
    "  const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;\n"
    "  long long *value = (long long *)room + 1280 * warp;\n"
    "  unsigned short *list = (unsigned short *)(value + 1024);\n"
    "  unsigned long long sum[3] = {0, 0, 0};\n"
    "  unsigned kept[PREFIX + 1];\n"
    "  if (threadIdx.x < 6) total[threadIdx.x] = 0;\n"
    "  if (threadIdx.x == 6) next = 0;\n"
    "  __syncthreads();\n"
    "  for (;;) {\n"
    "    unsigned mine = lane ? 0u : atomicAdd(&next, 1u);\n"
    "    unsigned count = t[ROOT + (lane & 15)], alive = t[ROOT + 16 + lane];\n"
    "    mine = __shfl_sync(~0u, mine, 0);\n"
    "    if (mine >= count_of) break;\n"
    "    unsigned long long x = path[from + mine];\n"
    "    int k = 0;\n"
    "    bool lives = true;\n"
    "    PERMI_ROLLED\n"
    "    for (; lives && k < DEPTH; k++) lives = permi_step(t, k, (int)(x >> k & 1), lane, count, alive);\n"
    "    if (!lives) continue;\n"
    "    kept[k] = alive;\n"
    "    PERMI_ROLLED\n"
    "    for (;;) {\n"
    "      unsigned c = count;\n"
    "      alive = kept[k];\n"
    "      if (permi_step(t, k, (int)(x >> k & 1), lane, c, alive)) {\n"
    "        if (k + 1 < PREFIX) {\n"
    "          count = c;\n"
    "          kept[++k] = alive;\n"
    "          continue; }\n"
    "        permi_join(t, lane, c, alive, value, list, sum, permi_parity(x) ^ (ROWS & 1)); }\n"
    "      while (k >= DEPTH && x >> k & 1) {\n"
    "        x &= ~(1ull << k);\n"
    "        k--;\n"
    "        if (k >= DEPTH && x >> k & 1) count -= t[COLUMN + 16 * k + (lane & 15)]; }\n"
    "      if (k < DEPTH) break;\n"
    "      x |= 1ull << k; } }\n"
    "  PERMI_UNROLL\n"
    "  for (int k = 0; k < 6; k++) atomicAdd(total + k, sum[k >> 1] >> 32 * (k & 1) & 0xffffffffull);\n"
    "  __syncthreads();\n"
    "  if (threadIdx.x == 0) {\n"
    "    unsigned long long *out = (unsigned long long *)a.out + 5 * blockIdx.x, carry = 0;\n"
    "    for (int k = 0; k < 6; k += 2) {\n"
    "      carry += total[k];\n"
    "      out[k / 2] = carry & 0xffffffffull;\n"
    "      carry = (carry >> 32) + total[k + 1];\n"
    "      out[k / 2] |= carry << 32;\n"
    "      carry >>= 32; }\n"
    "    out[3] = out[4] = 0; } }\n";

static void permi_signs_gpu_text(permi_code *code, const permi_signs *signs, const permi_signs_table *table)
{
  const int *place = signs->place;
  uint64_t odd = 0;
  int i;
  for (i = 0; i < signs->n; i++)
    odd |= (uint64_t)signs->odd[i] << i;
  permi_code_print(code, "#define ODD 0x%llxull\n#define PREFIX %d\n#define DEPTH %d\n#define FIRST %d\n"
                         "#define SECOND %d\n#define NONE %d\n#define ROWS %d\n", (unsigned long long)odd,
                   signs->prefix, signs->depth, place[1], place[2], place[3], place[4]);
  permi_code_print(code, "#define OWN0 %d\n#define OWN1 %d\n#define SHARED %d\n#define COLUMN %d\n#define DONE %d\n"
                         "#define START %d\n#define CUT %d\n#define TARGET %d\n#define ROOT %d\n", table->own[0],
                   table->own[1], table->shared, table->column, table->done, table->start, table->cut, table->target,
                   table->root);
  permi_code_print(code, "#define PATTERN0 %d\n#define PATTERN1 %d\n#define GROUP0 %d\n#define GROUP1 %d\n"
                         "#define PATH %d\n#define PATHS %.0fu\n", table->pattern[0], table->pattern[1],
                   table->group[0], table->group[1], table->path, signs->paths);
  permi_code_print(code, "%s", permi_signs_gpu_walk);
  permi_code_print(code, "%s", permi_signs_gpu_groups);
  permi_code_print(code, "%s", permi_signs_gpu_join);
  permi_code_print(code, PERM_GPU_ENTRY "%s", 5, permi_signs_gpu_kernel);
}

static int permi_signs_gpu_add(void *context, perm_partial *partial, uint64_t first, uint64_t chunks,
                               const double *sums)
{
  const permi_leaf *leaf = ((const permi_gpu_call *)context)->leaf;
  const permi_signs *signs = ((const permi_signs_gpu *)leaf->context)->signs;
  uint64_t chunk, word[PERM_GPU_SUMS];
  for (chunk = 0; chunk < chunks; chunk++, sums += PERM_GPU_SUMS) {
    memcpy(word, sums, sizeof word);
    if (signs->doubled)
      permi_words_add(word, word, 3);
    permi_sum_add_signed(&partial->value, word, 3);
  }
  permi_gpu_count(leaf, partial, first, chunks);
  return 1;
}

static void permi_signs_gpu_release(const perm_allocator *allocator, void *context)
{
  permi_signs_gpu *run = (permi_signs_gpu *)context;
  permi_code_release(allocator, run->code);
  permi_release(allocator, run->gpu.memory);
  permi_owned_release(allocator, run->signs);
  permi_release(allocator, run);
}

/* Turns a leaf of the CPU into one of a GPU, which takes over `signs`. */
static perm_status permi_signs_gpu_make(const perm_allocator *allocator, permi_signs *signs, permi_leaf *leaf)
{
  permi_signs_gpu *run = (permi_signs_gpu *)permi_allocate(allocator, 1, sizeof *run);
  permi_signs_table table = permi_signs_table_of(signs);
  const size_t paths = (size_t)signs->paths, ranges = (size_t)signs->ranges + 1;
  uint32_t *word;
  if (!run)
    return PERM_ERROR_MEMORY;
  memset(run, 0, sizeof *run);
  table.path = (permi_signs_gpu_fill(signs, &table, NULL) + 1) / 2 * 2;
  run->gpu.allocator = *allocator;
  run->gpu.add = permi_signs_gpu_add;
  run->gpu.terms = (double)(float)(signs->counted[3] / signs->ranges);
  run->gpu.work.doubles = (size_t)table.path / 2 + paths + ranges;
  run->gpu.memory = (double *)permi_allocate(allocator, run->gpu.work.doubles, sizeof(double));
  run->code = permi_code_make(allocator);
  if (run->code && run->gpu.memory)
    permi_signs_gpu_text(run->code, signs, &table);
  if (!run->code || !run->gpu.memory || run->code->failed) {
    permi_code_release(allocator, run->code);
    permi_release(allocator, run->gpu.memory);
    permi_release(allocator, run);
    return PERM_ERROR_MEMORY;
  }
  memset(run->gpu.memory, 0, run->gpu.work.doubles * sizeof(double));
  word = (uint32_t *)(void *)run->gpu.memory;
  permi_signs_gpu_fill(signs, &table, word);
  memcpy(run->gpu.memory + table.path / 2, signs->path, paths * sizeof(uint64_t));
  memcpy(run->gpu.memory + (size_t)table.path / 2 + paths, signs->begin, ranges * sizeof(uint64_t));
  run->signs = signs;
  run->program.text = run->code->text;
  run->program.shared = 4 * 1280 * 8;
  run->program.twin = PERMI_SIGNS_TWIN;
  run->program.context = signs;
  run->gpu.work.table = run->gpu.memory;
  run->gpu.work.program = &run->program;
  run->gpu.work.fingerprint = signs->fingerprint;
  leaf->context = run;
  leaf->release = permi_signs_gpu_release;
  leaf->run_range = permi_gpu_range;
  return PERM_OK;
}
#endif
