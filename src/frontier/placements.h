/* ===================================================================================== >>placements
   Rook numbers by a frontier of rows and columns, whose vertices may stay unmatched.

   A state is the set of matched frontier vertices, at bits w - 1 .. 0 of an index; plane i holds, for all 2^w states,
   the sums of the products of matchings with i eliminated vertices of one side, the counted one, matched. Eliminating v
   sends f to g, without v's bit,
       g_i[S] = f_i[S] + f_(i-s)[S + v] + sum over neighbours t in S of c_t f_(i-s)[S - t],
   s = 1 if v is counted; a neighbour that was not on the frontier gets the highest bit. Then the highest bit moves to
   v's place. In the end plane i, at the empty set, is r_i.

   A step is in place: S comes from smaller sets or from those with v, and planes from lower ones; so sets descend, and
   planes for each. Sets that differ in bits of the step alone are apart from others: threads share the others.

   Values are as short as all of a step are seen to be: 32 bits, 64, or words; a step takes them to at most 2 + sum |c|
   times as much, and to no more than the product over lines of (1 + sum of |entries|). Low bits of values of 32 and 64
   bits are lanes of a vector. */
#pragma once
#include "streams.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_ROOK_PLACES 40                            /* bits: 2^40 states are beyond any memory */
#define PERMI_ROOK_WORDS (PERM_INTEGER_WORDS + 1)
#define PERMI_ROOK_SEEN ((PERMI_ROOK_WORDS + 15) / 8 * 8) /* of a thread, in lines of cache */
#define PERMI_ROOK_CHUNK 131072                         /* bytes of values, in the second cache */

/* y[S] += c x[S ^ flip] where (S & test) == want. */
typedef struct permi_rook_source {
  uint64_t test, want, flip;
  int64_t c;
  int behind; /* x is the plane before y's */
  permi_rook_lanes lanes;
} permi_rook_source;

typedef struct permi_placements {
  const permi_block *block;
  const perm_allocator *allocator;
  permi_control *watch;
  const int *order;
  double bits;   /* of every value and its sign */
  int threads;
  permi_rook_kernel lanes;  /* of 32 and 64 bits */
  int counted;   /* 0: rows, 1: columns */
  int *place;    /* of a vertex on the frontier, -1 before and -2 after */
  int *open;     /* entries to vertices not yet eliminated */
  int *sequence;
  double *most;  /* sets in a step and all after it */
  double *done;  /* seconds before it */
  int steps, width;
  int vertex[64]; /* at a place */
  int gone[2];   /* rows, columns eliminated */
  double seconds, bytes; /* predicted */
  /* of a step */
  permi_rook_source source[PERMI_ROOK_PLACES + 2];
  int sources;
  uint64_t fixed, fixed_to; /* bits of the targets */
  double growth;            /* 2 + sum |c| */
  /* of a run */
  int planes, before;       /* after the step, and before it */
  permi_rook_pass pass;
  permi_rook_kernel kernel;
  char **plane, **memory;   /* memory: as allocated; plane: a line of cache */
  size_t unit;              /* bytes of a unit */
  int low;                  /* bits within it */
  uint64_t choices, outer;  /* bits of the step that targets take; of chunks */
  uint64_t *seen;
  double unit_work;
} permi_placements;

static void permi_placements_begin(permi_placements *p)
{
  const permi_block *block = p->block;
  int v;
  for (v = 0; v < block->vertices; v++) {
    p->place[v] = -1;
    p->open[v] = block->start[v + 1] - block->start[v];
  }
  p->width = p->gone[0] = p->gone[1] = 0;
  p->planes = 1;
}

static permi_rook_source *permi_placements_source(permi_placements *p, uint64_t want, uint64_t flip, int64_t c,
                                                  int behind)
{
  permi_rook_source *source = &p->source[p->sources++];
  source->test = p->fixed | want;
  source->want = want;
  source->flip = flip;
  source->c = c;
  source->behind = behind;
  return source;
}

/* The sources of v's elimination; returns 0 if there are too many places. Its new neighbours have places then. */
static int permi_placements_eliminate(permi_placements *p, int v)
{
  const permi_block *block = p->block;
  const int side = v >= block->n, behind = side == p->counted, place = p->place[v], before = p->width;
  const uint64_t own = place < 0 ? 0 : (uint64_t)1 << place;
  uint64_t fresh;
  int e, s;
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int t = block->neighbour[e];
    if (p->place[t] == -1) {
      if (p->width == PERMI_ROOK_PLACES)
        return 0;
      p->vertex[p->width] = t;
      p->place[t] = p->width++;
    }
  }
  fresh = ((uint64_t)1 << p->width) - ((uint64_t)1 << before);
  p->sources = 0;
  p->growth = 1;
  p->fixed = own;
  p->fixed_to = 0;
  permi_placements_source(p, 0, 0, 1, 0)->test |= fresh;
  if (own)
    permi_placements_source(p, 0, own, 1, behind)->test |= fresh;
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int t = block->neighbour[e];
    const int64_t c = block->integer[block->edge[e]];
    const uint64_t bit = p->place[t] < 0 ? 0 : (uint64_t)1 << p->place[t];
    if (!bit)
      continue;
    permi_placements_source(p, bit, bit, c, behind)->test |= fresh;
    p->growth += fabs((double)c);
    p->open[t]--;
  }
  p->growth += own != 0;
  p->pass.times = 0;
  for (s = 0; s < p->sources; s++)
    p->pass.times |= p->source[s].c != 1;
  p->place[v] = -2;
  p->gone[side]++;
  p->before = p->planes;
  p->planes = p->gone[p->counted] + 1;
  return 1;
}

/* The sources of the highest bit's move to `place`, which is no longer in use; returns 0 if there is nothing to move. */
static int permi_placements_close(permi_placements *p, int place, int low)
{
  const int last = --p->width;
  const uint64_t to = (uint64_t)1 << place, top = (uint64_t)1 << last;
  if (place == last)
    return 0;
  p->vertex[place] = p->vertex[last];
  p->place[p->vertex[place]] = place;
  p->sources = 0;
  p->fixed = top | (place < low ? 0 : to);
  p->fixed_to = place < low ? 0 : to;
  p->before = p->planes;
  p->pass.times = 0;
  if (place < low)
    permi_placements_source(p, 0, 0, 1, 0)->test |= to;
  permi_placements_source(p, to, to | top, 1, 0);
  return 1;
}

/* Values of the least length for `bits` with a sign: 0 words are 32 bits. */
static int permi_placements_words(const permi_placements *p, double bits)
{
  bits = fmin(bits, p->bits);
  return bits <= 31 ? 0 : (int)(bits / 64) + (fmod(bits, 64) > 63) + 1;
}

static size_t permi_placements_value_bytes(int words)
{
  return words ? 8 * (size_t)words : 4;
}

/* Orders all vertices, leaves before their neighbours, as this halves the states sooner; predicts with rows counted,
   and with columns. Seconds INFINITY: too many places. */
static void permi_placements_plan(permi_placements *p)
{
  const permi_block *block = p->block;
  double seconds[2] = {0, 0}, bytes[2] = {0, 0}, bits = 1;
  int i, e, side;
  permi_placements_begin(p);
  p->steps = 0;
  p->seconds = (double)INFINITY;
  for (i = 0; i < block->vertices; i++) {
    const int u = p->order[i];
    if (p->place[u] == -2)
      continue;
    for (e = block->start[u]; e <= block->start[u + 1]; e++) {
      const int v = e < block->start[u + 1] ? block->neighbour[e] : u;
      double sets, work = 2;
      int words, place = p->place[v];
      if (place == -2 || (v != u && p->open[v] != 1))
        continue;
      p->done[p->steps] = seconds[0] + seconds[1];
      if (!permi_placements_eliminate(p, v) || permi_watch(p->watch, 99 + 9.0 * (block->start[v + 1] - block->start[v])))
        return;
      sets = ldexp(1, p->width - (place >= 0));
      bits += log2(p->growth);
      words = permi_placements_words(p, bits);
      work += 0.5 * (p->sources - 1 - (place >= 0)) + (place >= 0);
      for (side = 0; side < 2; side++) {
        const double values = ldexp(p->gone[side] + 1, p->width) * (double)permi_placements_value_bytes(words);
        seconds[side] += sets * (p->gone[side] + 1) * work *
                             (words < 2 ? PERMI_ROOK_BYTE_SECONDS * (words ? 8 : 4) : PERMI_ROOK_WORD_SECONDS * words) +
                         PERMI_ROOK_STEP_SECONDS;
        bytes[side] = fmax(bytes[side], values);
      }
      p->most[p->steps] = ldexp(1, p->width);
      p->sequence[p->steps++] = v;
      if (place >= 0)
        permi_placements_close(p, place, 0);
    }
  }
  for (i = p->steps - 2; i >= 0; i--)
    p->most[i] = fmax(p->most[i], p->most[i + 1]);
  p->done[p->steps] = seconds[0] + seconds[1];
  p->counted = seconds[1] < seconds[0];
  p->seconds = seconds[p->counted];
  p->bytes = bytes[p->counted];
}

/* Values of several words, one by one. */
static void permi_rook_long(const permi_rook_pass *pass, const permi_rook_way *way, int ways, char *y, uint64_t *seen)
{
  const int words = pass->words;
  const size_t size = 8 * (size_t)words;
  uint64_t sum[PERMI_ROOK_WORDS], sign;
  size_t r, k;
  int s, w;
  for (r = 0; r < pass->repeats; r++)
    for (k = 0; k < pass->run; k++) {
      const size_t at = (r * pass->stride + k) * size;
      memset(sum, 0, size);
      for (s = 0; s < ways; s++) {
        const uint64_t *x = (const uint64_t *)(const void *)(way[s].x + at);
        if (way[s].c == 1)
          permi_words_add(sum, x, words);
        else
          permi_words_times(sum, x, words, way[s].c < 0 ? 0 - (uint64_t)way[s].c : (uint64_t)way[s].c,
                            way[s].c < 0 ? -1 : 1);
      }
      sign = 0 - (sum[words - 1] >> 63);
      for (w = 0; w < words; w++)
        seen[w] |= sum[w] ^ sign;
      memcpy(y + at, sum, size);
    }
}

static perm_isa permi_placements_isa(const perm_options *options, permi_rook_kernel *lanes)
{
  const perm_isa isa = permi_isa(options);
  *lanes = permi_rook_values_plain;
#if PERMI_X86
  if (isa >= PERM_ISA_AVX2 && isa <= PERM_ISA_AVX512IFMA) {
    *lanes = isa == PERM_ISA_AVX2 ? permi_rook_values_avx2 : permi_rook_values_avx512;
    return isa;
  }
#endif
  return PERM_ISA_PLAIN;
}

/* Bits of position b of a chunk's number go to the b-th bit of mask. */
static uint64_t permi_rook_deposit(uint64_t number, uint64_t mask)
{
  uint64_t bits = 0;
  for (; mask; mask &= mask - 1, number >>= 1)
    if (number & 1)
      bits |= mask & (0 - mask);
  return bits;
}

static size_t permi_rook_offset(const permi_placements *p, uint64_t index)
{
  return (size_t)(index >> p->low) * p->unit;
}

static perm_status permi_rook_chunk(void *context, uint64_t number, int thread)
{
  const permi_placements *p = (const permi_placements *)context;
  const uint64_t base = permi_rook_deposit(number, p->outer) | p->fixed_to, low = ((uint64_t)1 << p->low) - 1;
  uint64_t set = p->choices;
  permi_rook_way way[PERMI_ROOK_PLACES + 2];
  const permi_rook_source *use[PERMI_ROOK_PLACES + 2];
  size_t offset[PERMI_ROOK_PLACES + 2];
  int s, i;
  for (;; set = (set - 1) & p->choices) {
    const uint64_t index = base | set;
    int uses = 0;
    for (s = 0; s < p->sources; s++) {
      const permi_rook_source *source = &p->source[s];
      if ((index ^ source->want) & source->test & ~low)
        continue;
      use[uses] = source;
      offset[uses++] = permi_rook_offset(p, index ^ (source->flip & ~low));
    }
    for (i = p->planes - 1; i >= 0; i--) {
      int ways = 0;
      for (s = 0; s < uses; s++) {
        const int from = i - use[s]->behind;
        if (from < 0 || from >= p->before)
          continue;
        way[ways].x = p->plane[from] + offset[s];
        way[ways].lanes = (use[s]->test | use[s]->flip) & low ? &use[s]->lanes : NULL;
        way[ways++].c = use[s]->c;
      }
      p->kernel(&p->pass, way, ways, p->plane[i] + permi_rook_offset(p, index), p->seen + thread * PERMI_ROOK_SEEN);
    }
    if (!set)
      break;
  }
  return thread == 0 && permi_watch(p->watch, p->unit_work) ? p->watch->stopped : PERM_OK;
}

static void permi_rook_lanes_fill(const permi_placements *p, permi_rook_source *source)
{
  const unsigned each = p->pass.words ? 2 : 1, mask = (1u << p->low) - 1;
  const unsigned flip = ((unsigned)source->flip & mask) * each;
  unsigned e;
  for (e = 0; e < 16; e++) {
    source->lanes.from[e] = e ^ flip;
    source->lanes.mask[e] = ((e / each) ^ (unsigned)source->want) & (unsigned)source->test & mask ? 0 : ~0u;
  }
  source->lanes.other_half = flip >= 8;
}

/* Runs the sources over all targets. */
static perm_status permi_placements_step(permi_placements *p, int width)
{
  const uint64_t all = ((uint64_t)1 << width) - 1, high = all & ~(((uint64_t)1 << p->low) - 1);
  uint64_t involved = p->fixed, free;
  const int threads = ldexp(p->planes, width) * p->sources * (double)p->unit / (1 << p->low) * PERMI_ROOK_BYTE_SECONDS <
                              PERMI_PARALLEL_SECONDS
                          ? 1
                          : p->threads;
  double room;
  int s, bit = p->low, next;
  for (s = 0; s < p->sources; s++) {
    involved |= p->source[s].test | p->source[s].flip;
    if (p->low)
      permi_rook_lanes_fill(p, &p->source[s]);
  }
  p->choices = involved & ~p->fixed & high;
  free = high & ~involved;
  room = PERMI_ROOK_CHUNK / ((double)p->unit * p->planes * ldexp(1, permi_count_ones(p->choices)));
  p->pass.run = p->pass.repeats = 1;
  p->pass.stride = 0;
  for (; free >> bit & 1 && (double)p->pass.run < fmax(room, 4); bit++)
    p->pass.run *= 2;
  free &= ~(uint64_t)0 << bit;
  if (free && !(free >> bit & 1)) {
    next = permi_trailing_zeros(free);
    p->pass.stride = (size_t)1 << (next - p->low);
    for (; free >> next & 1 && (double)(p->pass.run * p->pass.repeats) < fmax(room, 4); next++)
      p->pass.repeats *= 2;
    free &= ~(uint64_t)0 << next;
  }
  p->outer = free;
  p->unit_work = 1e9 * PERMI_ROOK_BYTE_SECONDS * (double)(p->pass.run * p->pass.repeats) * (double)p->unit * p->planes *
                 ldexp(1, permi_count_ones(p->choices)) * (1 + 0.5 * p->sources);
  return permi_share(threads, 0, (uint64_t)1 << permi_count_ones(free), permi_rook_chunk, p, NULL);
}

/* A plane for the step and all after it. */
static int permi_placements_allocate(permi_placements *p, int i, int step, int words)
{
  const double bytes = fmax(p->most[step], 16) * (double)permi_placements_value_bytes(words) + 64;
  p->memory[i] = bytes < (double)(SIZE_MAX / 2) ? (char *)permi_allocate(p->allocator, (size_t)bytes, 1) : NULL;
  if (!p->memory[i])
    return 0;
  p->plane[i] = p->memory[i] + (64 - (uintptr_t)p->memory[i] % 64);
  return 1;
}

static void permi_placements_kind(permi_placements *p, int words)
{
  p->pass.words = words;
  p->unit = words > 1 ? 8 * (size_t)words : 64;
  p->low = words > 1 ? 0 : 4 - words;
  p->kernel = words > 1 ? permi_rook_long : p->lanes;
}

/* Values of the planes before a step get as many words; also those of a unit beyond the sets. */
static perm_status permi_placements_lengthen(permi_placements *p, int step, int width, int words)
{
  const int from = p->pass.words, held = from ? from : 1;
  const size_t count = (size_t)1 << (width < p->low ? p->low : width);
  size_t k;
  int i, w;
  for (i = 0; i < p->before; i++) {
    char *memory = p->memory[i];
    const char *x = p->plane[i];
    uint64_t *y;
    if (!permi_placements_allocate(p, i, step, words)) {
      p->memory[i] = memory;
      return PERM_ERROR_MEMORY;
    }
    y = (uint64_t *)(void *)p->plane[i];
    for (k = 0; k < count; k++, y += words) {
      int32_t narrow;
      memcpy(&narrow, x + 4 * k, sizeof narrow);
      y[0] = (uint64_t)narrow;
      if (from)
        memcpy(y, x + 8 * k * (size_t)from, 8 * (size_t)from);
      for (w = held; w < words; w++)
        y[w] = 0 - (y[held - 1] >> 63);
    }
    permi_release(p->allocator, memory);
    if (permi_watch(p->watch, 2.0 * (double)(count * (size_t)words)))
      return p->watch->stopped;
  }
  permi_placements_kind(p, words);
  return PERM_OK;
}

/* Bits of the values of the last step, without their sign. */
static double permi_placements_seen(const permi_placements *p)
{
  uint64_t word[PERMI_ROOK_SEEN];
  int t, w, bits = 0;
  memset(word, 0, sizeof word);
  for (t = 0; t < p->threads; t++)
    for (w = 0; w < PERMI_ROOK_SEEN; w++)
      word[p->pass.words > 1 ? w : 0] |= p->seen[t * PERMI_ROOK_SEEN + w];
  if (!p->pass.words)
    word[0] = (word[0] | word[0] >> 32) & UINT32_MAX;
  for (w = PERMI_ROOK_SEEN - 1; w > 0 && !word[w]; w--)
    ;
  for (; word[w]; word[w] >>= 1)
    bits++;
  return 64 * w + bits;
}

static perm_status permi_placements_advance(permi_placements *p, int step)
{
  const int v = p->sequence[step], place = p->place[v], width = p->width;
  perm_status status = PERM_OK;
  int words;
  permi_placements_eliminate(p, v);
  words = permi_placements_words(p, permi_placements_seen(p) + log2(p->growth) * (1 + 1e-12) + 1e-12);
  if (words > p->pass.words)
    status = permi_placements_lengthen(p, step, width, words);
  if (status != PERM_OK)
    return status;
  if (p->planes > p->before && !permi_placements_allocate(p, p->before, step, p->pass.words))
    return PERM_ERROR_MEMORY;
  memset(p->seen, 0, (size_t)p->threads * PERMI_ROOK_SEEN * sizeof *p->seen);
  status = permi_placements_step(p, p->width);
  if (status == PERM_OK && place >= 0 && permi_placements_close(p, place, p->low))
    status = permi_placements_step(p, p->width + 1);
  return status;
}

/* numbers[0 .. count - 1], the rook numbers. */
static perm_status permi_placements_run(permi_placements *p, perm_integer *numbers, int count)
{
  const size_t planes = (size_t)p->block->vertices + 1, threads = (size_t)p->threads;
  permi_pool pool = {p->allocator, NULL, 0};
  perm_status status = PERM_ERROR_MEMORY;
  int i, step;
  p->memory = (char **)permi_pool_get(&pool, 2 * planes, sizeof *p->memory);
  p->seen = (uint64_t *)permi_pool_get(&pool, threads * PERMI_ROOK_SEEN, sizeof *p->seen);
  if (pool.failed)
    goto done;
  p->plane = p->memory + planes;
  memset(p->memory, 0, planes * sizeof *p->memory);
  memset(p->seen, 0, threads * PERMI_ROOK_SEEN * sizeof *p->seen);
  permi_placements_begin(p);
  permi_placements_kind(p, 0);
  if (!permi_placements_allocate(p, 0, 0, 0))
    goto done;
  memset(p->plane[0], 0, p->unit);
  *(uint32_t *)(void *)p->plane[0] = 1;
  p->seen[0] = 1;
  status = PERM_OK;
  for (step = 0; step < p->steps && status == PERM_OK; step++) {
    status = permi_placements_advance(p, step);
    p->watch->done = p->seconds * (p->done[step] / p->done[p->steps]);
  }
  for (i = 0; i < count && status == PERM_OK; i++) {
    uint64_t word[PERMI_ROOK_WORDS] = {0};
    const int words = p->pass.words ? p->pass.words : 1;
    memset(&numbers[i], 0, sizeof numbers[i]);
    if (i >= p->planes)
      continue;
    memcpy(word, p->plane[i], p->pass.words ? 8 * (size_t)words : 4);
    if (!p->pass.words)
      word[0] = (uint64_t)(int32_t)(uint32_t)word[0];
    numbers[i].negative = permi_words_magnitude(word, word, words);
    memcpy(numbers[i].word, word, PERM_INTEGER_WORDS * sizeof *word);
    permi_integer_trim(&numbers[i]);
  }
done:
  for (i = 0; p->plane && i < (int)planes; i++)
    permi_release(p->allocator, p->memory[i]);
  permi_pool_release(&pool);
  return status;
}
#endif
