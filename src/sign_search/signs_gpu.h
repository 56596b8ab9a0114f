/* ====================================================================================== >>signs_gpu
   Table and shape of the kernel of text_signs in perm_cuda.cu. Sums are modulo 2^192: those of a chunk are shorter. */
#pragma once
#include "../exact/exact_gpu.h"
#include "signs_offer.h"

#define PERMI_SIGNS_GPU_TASK 20000 /* chosen: nodes of a task of a warp, on average */
#define PERMI_SIGNS_GPU_BLOCKS 6 /* chosen: of 4 warps, on a multiprocessor */
#define PERMI_SIGNS_GPU_OUT 8 /* a chunk's sum, 5 for the kernel */

typedef struct permi_signs_gpu {
  permi_gpu gpu; /* first */
  perm_gpu_program program;
  perm_gpu_signs shape;
  permi_signs *signs;
  char text[2048];
} permi_signs_gpu;

static int permi_signs_gpu_bits(const perm_gpu_signs *shape)
{
  return shape->by_table ? 4 : 8;
}

static void permi_signs_gpu_digit(const permi_signs *signs, const perm_gpu_signs *shape, int place, int x, uint32_t *to)
{
  const int bits = permi_signs_gpu_bits(shape);
  int c = 0, at;
  while (place >= signs->place[c + 1])
    c++;
  at = (place - signs->place[c]) * bits;
  to[shape->word[c] + at / 32] += (uint32_t)x << at % 32;
}

/* As many cuts for both blocks. */
static int permi_signs_gpu_cuts(const permi_signs *signs, int k)
{
  const int *start = signs->cut_start + 2 * k, first = start[1] - start[0], second = start[2] - start[1];
  return first > second ? first : second;
}

static int permi_signs_gpu_row(const perm_gpu_signs *shape, int block)
{
  return (shape->word[block + 2] - shape->word[block + 1] + 3) / 4 * 4 + (shape->word[1] + 3) / 4 * 4;
}

static perm_gpu_signs permi_signs_gpu_shape(const permi_signs *signs)
{
  perm_gpu_signs shape;
  int c, k, at = 64, words, cuts = 0;
  memset(&shape, 0, sizeof shape);
  shape.by_table = signs->by_table != 0;
  shape.prefix = signs->prefix;
  shape.depth = signs->depth;
  shape.paths = (int)signs->paths;
  for (c = 0; c < 4; c++)
    shape.word[c + 1] =
        (short)(shape.word[c] + ((signs->place[c + 1] - signs->place[c]) * permi_signs_gpu_bits(&shape) + 31) / 32);
  words = shape.word[4];
  for (k = 0; k < signs->prefix; k++)
    cuts += permi_signs_gpu_cuts(signs, k);
  for (c = 0; c < 2; c++) /* and cuts: in fours of words */
    shape.pattern[c] = at, at += 48 * permi_signs_gpu_row(&shape, c);
  shape.cut = at, at += 8 * cuts;
  shape.start = at, at += signs->prefix + 1;
  shape.target = at, at += words;
  shape.odd = at, at += words;
  shape.column = at, at += signs->prefix * (words + 1);
  shape.done = at, at += signs->prefix * words;
  shape.path = at; /* after what the cuts leave */
  while (shape.more < 10 && shape.depth + shape.more + 2 < shape.prefix &&
         ldexp(signs->counted[0] / signs->paths, -shape.more) > PERMI_SIGNS_GPU_TASK)
    shape.more++;
  shape.room = 128 + (shape.by_table ? 1 : 2) * (32 + 256) + 33 * (words + 1) + 256 * shape.word[1];
  shape.room = (shape.room + 3) / 4 * 4;
  return shape;
}

static void permi_signs_gpu_set(const uint64_t *set, uint32_t *to)
{
  for (int w = 0; w < 2 * PERMI_SIGNS_WORDS; w++)
    to[w] = (uint32_t)(set[w / 2] >> 32 * (w % 2));
}

/* Fills the cuts and, from `at` on, what they leave. */
static void permi_signs_gpu_fill_cuts(const permi_signs *signs, const perm_gpu_signs *shape, int at, uint32_t *word)
{
  const int bits = permi_signs_gpu_bits(shape), zero = 1 << (bits - 1), all = at;
  int k, i, block, level, first = 0;
  memset(word + at, 255, 2 * PERMI_SIGNS_WORDS * sizeof *word);
  at += 16;
  for (k = 0; k < signs->prefix; first += permi_signs_gpu_cuts(signs, k++)) {
    word[shape->start + k] = (uint32_t)(2 * first + (signs->done_place[k] < signs->done_place[k + 1]));
    for (i = 0; i < permi_signs_gpu_cuts(signs, k); i++)
      for (block = 0; block < 2; block++) {
        const int number = signs->cut_start[2 * k + block] + i, here = number < signs->cut_start[2 * k + block + 1];
        const permi_signs_cut *cut = &signs->cut[here ? number : 0];
        const int digit = (cut->place - signs->place[block + 1]) * bits;
        uint32_t *to = word + shape->cut + 8 * (first + i) + 4 * block;
        to[0] = (uint32_t)all;
        if (!here)
          continue;
        to[0] = (uint32_t)(at - 16 * (cut->least - PERMI_SIGNS_ZERO + zero));
        to[1] = (uint32_t)((shape->word[block + 1] + digit / 32) << 8 | digit % 32);
        to[2] = 16;
        to[3] = (uint32_t)(16 * cut->entry);
        for (level = 0; level < cut->levels; level++, at += 16)
          permi_signs_gpu_set(cut->alive[level], word + at);
      }
  }
  word[shape->start + k] = (uint32_t)(2 * first);
}

static void permi_signs_gpu_fill(const permi_signs *signs, const perm_gpu_signs *shape, uint32_t *word)
{
  const int words = shape->word[4], bits = permi_signs_gpu_bits(shape), zero = 1 << (bits - 1);
  const unsigned char *count = (const unsigned char *)signs->root.count;
  int block, place, k, j, c;
  for (block = 0; block < 2; block++)
    permi_signs_gpu_set(signs->root.alive[block], word + shape->root + 16 * block);
  for (c = 0; c < 4; c++) /* no row's digits */
    for (k = (signs->place[c + 1] - signs->place[c]) * bits; k < (shape->word[c + 1] - shape->word[c]) * 32; k += bits)
      word[shape->root + 32 + shape->word[c] + k / 32] += (uint32_t)(zero + 1) << k % 32;
  word[shape->root + 32 + words] = (uint32_t)signs->n;
  for (place = 0; place < signs->n; place++) {
    permi_signs_gpu_digit(signs, shape, place, count[place] - PERMI_SIGNS_ZERO + zero, word + shape->root + 32);
    permi_signs_gpu_digit(signs, shape, place, signs->odd[place] ? 0 : zero, word + shape->target);
    permi_signs_gpu_digit(signs, shape, place, signs->odd[place], word + shape->odd);
    for (k = 0; k < signs->prefix; k++)
      permi_signs_gpu_digit(signs, shape, place, signs->entry[place][k], word + shape->column + k * (words + 1));
  }
  for (k = 0; k < signs->prefix; k++) {
    word[shape->column + k * (words + 1) + words] = 1;
    for (place = signs->done_place[k]; place < signs->done_place[k + 1]; place++)
      permi_signs_gpu_digit(signs, shape, place, signs->odd[place] ? 0 : zero, word + shape->done + k * words);
  }
  for (block = 0; block < 2; block++) {
    const int first = signs->prefix + (block ? signs->length[0] : 0);
    const int begin = shape->word[block + 1], own = shape->word[block + 2] - begin;
    for (k = 0; k < 48; k++) { /* low 5 columns, high 4 */
      const int y = k < 32 ? k : (k - 32) << 5;
      uint32_t sum[PERM_MAX_N] = {0}, *to = word + shape->pattern[block] + k * permi_signs_gpu_row(shape, block);
      for (j = 0; j < signs->length[block]; j++)
        for (place = 0; place < signs->place[4] && y >> j & 1; place++)
          permi_signs_gpu_digit(signs, shape, place, signs->entry[place][first + j], sum);
      memcpy(to, sum + begin, (size_t)own * sizeof *sum);
      memcpy(to + (own + 3) / 4 * 4, sum, (size_t)shape->word[1] * sizeof *sum);
    }
  }
}

static void permi_signs_gpu_text(const perm_gpu_signs *shape, char *text, size_t room)
{
  const permi_gpu_member member[] = {
      {"prefix", NULL, shape->prefix}, {"depth", NULL, shape->depth}, {"more", NULL, shape->more},
      {"word", shape->word, 5},        {"words", NULL, shape->word[4]}, {"root", NULL, shape->root},
      {"start", NULL, shape->start},   {"target", NULL, shape->target}, {"odd", NULL, shape->odd},
      {"column", NULL, shape->column}, {"done", NULL, shape->done},     {"pattern0", NULL, shape->pattern[0]},
      {"pattern1", NULL, shape->pattern[1]}, {"cut", NULL, shape->cut}, {"path", NULL, shape->path},
      {"paths", NULL, shape->paths},   {"room", NULL, shape->room}};
  int c, most = 1, at;
  for (c = 0; c < 4; c++)
    most = shape->word[c + 1] - shape->word[c] > most ? shape->word[c + 1] - shape->word[c] : most;
  at = snprintf(text, room,
                "struct permi_shape {\n  enum { SMALL = %d, LANES = 1, MOST_PREFIX = %d, MOST_FOURS = %d };\n",
                shape->by_table, shape->prefix, (most + 3) / 4);
  permi_gpu_members(member, sizeof member / sizeof *member, "permi_signs_chunk", PERMI_SIGNS_GPU_BLOCKS, text, room,
                    (size_t)at);
}

static int permi_signs_gpu_add(void *context, perm_partial *partial, uint64_t first, uint64_t chunks, const double *sum)
{
  const permi_leaf *leaf = ((const permi_gpu_call *)context)->leaf;
  const permi_signs *signs = ((const permi_signs_gpu *)leaf->context)->signs;
  uint64_t chunk, word[3];
  for (chunk = 0; chunk < chunks; chunk++, sum += PERMI_SIGNS_GPU_OUT) {
    memcpy(word, sum, sizeof word);
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
  permi_owned_release(allocator, run->signs);
  permi_release(allocator, run);
}

static size_t permi_signs_gpu_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  permi_leaf cpu = *leaf;
  cpu.context = ((const permi_signs_gpu *)leaf->context)->signs;
  return permi_signs_explain(&cpu, buffer, size);
}

static perm_status permi_signs_gpu_make(permi_maker *maker, permi_signs *signs, permi_leaf *leaf)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const size_t paths = (size_t)signs->paths, ranges = (size_t)signs->ranges + 1;
  perm_gpu_signs shape = permi_signs_gpu_shape(signs);
  const int alive = shape.path;
  shape.path += 16;
  for (int k = 0; k < signs->cut_start[2 * signs->prefix]; k++)
    shape.path += 16 * signs->cut[k].levels;
  shape.path = (shape.path + 1) / 2 * 2;
  const size_t doubles = (size_t)shape.path / 2 + paths + ranges;
  permi_signs_gpu *run = (permi_signs_gpu *)permi_allocate_zeros(allocator, 1, sizeof *run + doubles * sizeof(double));
  if (!run)
    return permi_fail_memory(maker->result);
  double *table = (double *)(void *)(run + 1);
  run->shape = shape;
  run->gpu.allocator = *allocator;
  run->gpu.add = permi_signs_gpu_add;
  run->gpu.terms = (double)(float)(signs->counted[3] / signs->ranges);
  run->gpu.work.doubles = doubles;
  uint32_t *word = (uint32_t *)(void *)table;
  permi_signs_gpu_fill(signs, &shape, word);
  permi_signs_gpu_fill_cuts(signs, &shape, alive, word);
  memcpy(table + shape.path / 2, signs->path, paths * sizeof(uint64_t));
  memcpy(table + (size_t)shape.path / 2 + paths, signs->begin, ranges * sizeof(uint64_t));
  run->signs = signs;
  permi_signs_gpu_text(&run->shape, run->text, sizeof run->text);
  run->program.text = run->text;
  run->program.shared = (260 + 4 * (size_t)run->shape.room) * sizeof(uint32_t);
  run->program.sums = PERMI_SIGNS_GPU_OUT;
  run->program.signs = &run->shape;
  run->gpu.work.table = table;
  run->gpu.work.program = &run->program;
  run->gpu.work.fingerprint = signs->fingerprint;
  leaf->context = run;
  leaf->explain = permi_signs_gpu_explain;
  leaf->release = permi_signs_gpu_release;
  leaf->run_range = permi_gpu_range;
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
