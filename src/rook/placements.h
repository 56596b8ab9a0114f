/* ===================================================================================== >>placements
   Rook numbers by a frontier whose vertices may stay unmatched. A state is the set of matched frontier vertices, bits
   w - 1 .. 0 of an index. Plane i holds the sums of products of matchings with i matched eliminated vertices of the
   counted side. Eliminating v takes f to g, which lacks v's bit:
       g_i[S] = f_i[S] + f_(i-s)[S + v] + sum over neighbours t in S of c_t f_(i-s)[S - t],
   s = 1 if v is counted. A new neighbour gets the highest bit, which then moves to v's place. In the end r_i is in
   plane i at the empty set.
   Steps work in place: S depends on smaller sets, on sets with v and on lower planes, so sets and planes descend. Only
   sets that differ in a step's own bits depend on each other, so chunks of sets take a group of steps while cached, and
   threads share the chunks.
   Values are as short as a step's were seen to be: 32 bits, 64, or words. A step multiplies them by at most 2 + sum
   |c|; they never exceed the product over lines of (1 + sum of |entries|). Low bits of states with 32 and 64 bit values
   are lanes of a vector. */
#pragma once
#include "../frontier/frontier.h"
#include "../proof/lanes.h"

#define PERMI_ROOK_PLACES 40                            /* bits: 2^40 states are beyond any memory */
#define PERMI_ROOK_WORDS (PERM_INTEGER_WORDS + 1)
#define PERMI_ROOK_SEEN ((PERMI_ROOK_WORDS + 15) / 8 * 8) /* of a thread, in lines of cache */
#define PERMI_ROOK_CHUNK 655360 /* bytes of values; 4, 5, 6 times 2^17: 0.220, 0.218, 0.252 s */
#define PERMI_ROOK_BUFFER 1048576
#define PERMI_ROOK_GROUP 12     /* steps at once */
#define PERMI_ROOK_LENGTH 0.7   /* predicted length over that of the bound, in bits: 0.5 to 0.75 were seen */

/* y[S] += c x[S ^ flip] where (S & test) == want. */
typedef struct permi_rook_source {
  uint64_t test, want, flip;
  int64_t c;
  int behind; /* x is the plane before y's */
  permi_rook_lanes lanes;
} permi_rook_source;

/* An elimination, or the move of the highest bit. */
typedef struct permi_rook_step {
  int width, start;         /* bits of its sets; before it */
  int planes, before;       /* after it, and before it */
  double growth;            /* values grow by at most */
  uint64_t moved;           /* where the highest bit goes, or 0 */
  uint64_t fixed, fixed_to; /* bits of the targets */
  uint64_t involved;
  uint64_t choices;         /* target bits taken one by one; the pass has the rest */
  permi_rook_pass pass;
  int sources;
  permi_rook_source source[PERMI_ROOK_PLACES + 2];
} permi_rook_step;

typedef struct permi_placements {
  const permi_block *block;
  const perm_allocator *allocator;
  permi_control *watch;
  const int *order;
  double bits;   /* of every value and its sign */
  int threads;
  permi_rook_kernel lanes;  /* of 32 and 64 bits */
  int counted;   /* 0: rows, 1: columns */
  int *place;    /* place on the frontier, -1 before and -2 after */
  int *open;     /* entries to vertices not yet eliminated */
  int *sequence;
  double *most;  /* sets in a step and all after it */
  double *done;  /* seconds before it */
  int steps, width;
  int vertex[64]; /* at a place */
  int gone[2];   /* rows, columns eliminated */
  double seconds, bytes; /* predicted */
  permi_rook_step *step; /* steps of the group, and prepared behind it */
  int prepared, group;
  /* of a run */
  permi_rook_kernel kernel;
  int words;             /* of a value, 0: 32 bits */
  char **plane, **memory; /* memory: as allocated; plane: aligned to a cache line */
  int planes;
  size_t unit;           /* bytes of a unit */
  int low;               /* bits within it */
  uint64_t inside, outer; /* bits in a chunk; of chunks */
  char *buffer, **local; /* PERMI_ROOK_BUFFER bytes a thread, or NULL; planes of a chunk, */
  size_t pitch;          /* so far apart */
  int copied, end;       /* chunks are copied to buffers and back; bits of a copy */
  uint64_t *seen;
  double chunk_units;
} permi_placements;

static void permi_placements_begin(permi_placements *p)
{
  const permi_block *block = p->block;
  int v;
  for (v = 0; v < block->vertices; v++) {
    p->place[v] = -1;
    p->open[v] = block->start[v + 1] - block->start[v];
  }
  p->width = p->gone[0] = p->gone[1] = p->prepared = 0;
}

static void permi_rook_add(permi_rook_step *step, uint64_t test, uint64_t want, uint64_t flip, int64_t c, int behind)
{
  permi_rook_source *source = &step->source[step->sources++];
  source->test = step->fixed | want | test;
  source->want = want;
  source->flip = flip;
  source->c = c;
  source->behind = behind;
  step->involved |= source->test | flip;
  step->growth += fabs((double)c);
  step->pass.times |= c != 1;
}

static permi_rook_step *permi_rook_prepare(permi_placements *p, int start, uint64_t fixed)
{
  permi_rook_step *step = &p->step[p->prepared++];
  memset(step, 0, offsetof(permi_rook_step, source));
  step->width = p->width;
  step->start = start;
  step->before = step->planes = p->gone[p->counted] + 1;
  step->fixed = step->involved = fixed;
  return step;
}

/* Gives places to v's new neighbours; returns NULL if they are too many. */
static permi_rook_step *permi_placements_eliminate(permi_placements *p, int v)
{
  const permi_block *block = p->block;
  const int side = v >= block->n, behind = side == p->counted, place = p->place[v], before = p->width;
  const uint64_t own = place < 0 ? 0 : (uint64_t)1 << place;
  uint64_t fresh;
  permi_rook_step *step;
  int e;
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int t = block->neighbour[e];
    if (p->place[t] == -1) {
      if (p->width == PERMI_ROOK_PLACES)
        return NULL;
      p->vertex[p->width] = t;
      p->place[t] = p->width++;
    }
  }
  step = permi_rook_prepare(p, before, own);
  fresh = ((uint64_t)1 << p->width) - ((uint64_t)1 << before);
  permi_rook_add(step, fresh, 0, 0, 1, 0);
  if (own)
    permi_rook_add(step, fresh, 0, own, 1, behind);
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int t = block->neighbour[e];
    const uint64_t bit = p->place[t] < 0 ? 0 : (uint64_t)1 << p->place[t];
    if (!bit)
      continue;
    permi_rook_add(step, fresh, bit, bit, block->integer[block->edge[e]], behind);
    p->open[t]--;
  }
  p->place[v] = -2;
  p->gone[side]++;
  step->planes += behind;
  return step;
}

/* Moves the highest bit to `place`, which is free. */
static void permi_placements_close(permi_placements *p, int place)
{
  const int last = p->width - 1;
  const uint64_t to = (uint64_t)1 << place, top = (uint64_t)1 << last;
  permi_rook_step *step;
  if (place < last) {
    step = permi_rook_prepare(p, p->width, top);
    step->moved = to;
    permi_rook_add(step, 0, to, to | top, 1, 0);
    permi_rook_add(step, to, 0, 0, 1, 0); /* for lanes */
    step->growth = 1;
    p->vertex[place] = p->vertex[last];
    p->place[p->vertex[place]] = place;
  }
  p->width = last;
}

/* Returns the words of values of `bits` and a sign; 0: 32 bits. */
static int permi_placements_words(const permi_placements *p, double bits)
{
  bits = fmin(bits, p->bits);
  return bits <= 31 ? 0 : (int)(bits / 64) + (fmod(bits, 64) > 63) + 1;
}

/* Plans the order's steps, leaves before their neighbours, which halves the states sooner; counts rows or columns, as
   is predicted faster. Seconds are INFINITY for too many places. */
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
      const int place = p->place[v];
      const permi_rook_step *step;
      double sets, work = 2;
      int words;
      if (place == -2 || (v != u && p->open[v] != 1))
        continue;
      p->done[p->steps] = seconds[0] + seconds[1];
      p->prepared = 0;
      step = permi_placements_eliminate(p, v);
      if (!step || permi_watch(p->watch, 99 + 9.0 * (block->start[v + 1] - block->start[v])))
        return;
      sets = ldexp(1, p->width - (place >= 0));
      bits += log2(step->growth);
      words = permi_placements_words(p, PERMI_ROOK_LENGTH * bits);
      work += 0.5 * (step->sources - 1 - (place >= 0)) + (place >= 0);
      for (side = 0; side < 2; side++) {
        const double values = ldexp(p->gone[side] + 1, p->width) * 8 * (words ? words : 1);
        seconds[side] += sets * (p->gone[side] + 1) * work *
                             (words < 2 ? PERMI_ROOK_BYTE_SECONDS * (words ? 8 : 4) : PERMI_WORD_SECONDS * words) +
                         PERMI_STEP_SECONDS;
        bytes[side] = fmax(bytes[side], values);
      }
      p->most[p->steps] = ldexp(1, p->width);
      p->sequence[p->steps++] = v;
      if (place >= 0)
        permi_placements_close(p, place);
    }
  }
  for (i = p->steps - 2; i >= 0; i--)
    p->most[i] = fmax(p->most[i], p->most[i + 1]);
  p->done[p->steps] = seconds[0] + seconds[1];
  p->counted = seconds[1] < seconds[0];
  p->seconds = seconds[p->counted];
  p->bytes = bytes[p->counted];
}

static void permi_rook_long(const permi_rook_pass *pass, const permi_rook_way *way, int ways, int planes, char *y,
                            uint64_t *seen)
{
  const int words = pass->words;
  const size_t size = 8 * (size_t)words;
  uint64_t sum[PERMI_ROOK_WORDS], sign;
  size_t r, k;
  int plane, s, w;
  for (plane = 0; plane < planes; plane++)
    for (r = 0; r < pass->repeats; r++)
      for (k = 0; k < pass->run; k++) {
        const ptrdiff_t at = (ptrdiff_t)((r * pass->stride + k) * size) - plane * (ptrdiff_t)pass->pitch;
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
  (void)isa;
  return PERM_ISA_PLAIN;
}

static size_t permi_rook_offset(const permi_placements *p, uint64_t index)
{
  return (size_t)(index >> p->low) * p->unit;
}

static void permi_rook_run(const permi_placements *p, const permi_rook_step *step, char *const *plane, uint64_t base,
                           uint64_t *seen)
{
  const uint64_t low = ((uint64_t)1 << p->low) - 1;
  uint64_t set = step->choices;
  permi_rook_way way[PERMI_ROOK_PLACES + 2];
  const permi_rook_source *use[PERMI_ROOK_PLACES + 2];
  size_t offset[PERMI_ROOK_PLACES + 2];
  int s, i, planes;
  for (base |= step->fixed_to;; set = (set - 1) & step->choices) {
    const uint64_t index = base | set;
    int uses = 0;
    for (s = 0; s < step->sources; s++) {
      const permi_rook_source *source = &step->source[s];
      if ((index ^ source->want) & source->test & ~low)
        continue;
      use[uses] = source;
      offset[uses++] = permi_rook_offset(p, index ^ (source->flip & ~low));
    }
    for (i = step->planes - 1; i >= 0; i -= planes) {
      int ways = 0;
      planes = p->copied && i > 0 && i < step->before ? i : 1; /* all sources */
      for (s = 0; s < uses; s++) {
        const int from = i - use[s]->behind;
        if (from < 0 || from >= step->before)
          continue;
        way[ways].x = plane[from] + offset[s];
        way[ways].lanes = (use[s]->test | use[s]->flip) & low ? &use[s]->lanes : NULL;
        way[ways++].c = use[s]->c;
      }
      p->kernel(&step->pass, way, ways, planes, plane[i] + permi_rook_offset(p, index), seen);
    }
    if (!set)
      break;
  }
}

/* Copies a chunk to its buffer, or back. */
static void permi_rook_copy(const permi_placements *p, uint64_t base, int width, int planes, char *const *local,
                            int back)
{
  uint64_t high = p->inside & (((uint64_t)1 << width) - 1), set = 0;
  size_t piece = p->unit, k = 0;
  int i, bit;
  for (bit = p->low; high >> bit & 1; bit++, piece *= 2)
    high ^= (uint64_t)1 << bit;
  do {
    const size_t at = permi_rook_offset(p, base | set);
    for (i = 0; i < planes; i++)
      if (back)
        memcpy(p->plane[i] + at, local[i] + k, piece);
      else
        memcpy(local[i] + k, p->plane[i] + at, piece);
    k += piece;
    set = (set - high) & high;
  } while (set);
}

static perm_status permi_rook_chunk(void *context, uint64_t number, int thread)
{
  const permi_placements *p = (const permi_placements *)context;
  const uint64_t base = permi_deposit_bits(number, p->outer);
  char **local = p->local + (size_t)thread * ((size_t)p->block->vertices + 1);
  uint64_t *seen = p->seen + thread * PERMI_ROOK_SEEN;
  int k;
  if (p->copied)
    permi_rook_copy(p, base, p->step[0].start, p->step[0].before, local, 0);
  for (k = 0; k < p->group; k++)
    permi_rook_run(p, &p->step[k], p->copied ? local : p->plane, p->copied ? 0 : base, seen);
  if (p->copied)
    permi_rook_copy(p, base, p->end, p->step[p->group - 1].planes, local, 1);
  return thread == 0 && permi_watch(p->watch, p->chunk_units) ? p->watch->stopped : PERM_OK;
}

/* Returns bits in the buffer, where those of `inside` are adjacent. */
static uint64_t permi_rook_local(const permi_placements *p, uint64_t bits)
{
  uint64_t mask = p->inside, to = bits & (((uint64_t)1 << p->low) - 1);
  int bit;
  for (bit = p->low; mask; mask &= mask - 1, bit++)
    if (bits & mask & (0 - mask))
      to |= (uint64_t)1 << bit;
  return to;
}

/* The lowest bits that a step does not touch are a run of its pass, the next ones repeats. */
static void permi_rook_finish(const permi_placements *p, permi_rook_step *step)
{
  const uint64_t low = ((uint64_t)1 << p->low) - 1;
  const unsigned each = p->words ? 2 : 1, mask = (unsigned)low; /* each: lanes of 32 bits a value */
  uint64_t all = p->inside & (((uint64_t)1 << step->width) - 1), free;
  int s, bit = p->low, next;
  if (step->moved & ~low) {
    step->fixed |= step->moved;
    step->fixed_to = step->moved;
    step->sources = 1;
  }
  for (s = 0; s < step->sources && low; s++) {
    permi_rook_source *source = &step->source[s];
    const unsigned flip = ((unsigned)source->flip & mask) * each;
    unsigned e;
    for (e = 0; e < 16; e++) {
      source->lanes.from[e] = e ^ flip;
      source->lanes.mask[e] = ((e / each) ^ (unsigned)source->want) & (unsigned)source->test & mask ? 0 : ~0u;
    }
    source->lanes.other_half = flip >= 8;
  }
  if (p->copied) {
    all = permi_rook_local(p, all);
    step->fixed = permi_rook_local(p, step->fixed);
    step->fixed_to = permi_rook_local(p, step->fixed_to);
    step->involved = permi_rook_local(p, step->involved);
    for (s = 0; s < step->sources; s++) {
      permi_rook_source *source = &step->source[s];
      source->test = permi_rook_local(p, source->test);
      source->want = permi_rook_local(p, source->want);
      source->flip = permi_rook_local(p, source->flip);
    }
  }
  step->choices = all & ~step->fixed & ~low;
  free = step->choices & ~step->involved;
  step->pass.words = p->words;
  step->pass.run = step->pass.repeats = 1;
  step->pass.stride = 0;
  step->pass.pitch = p->pitch;
  for (; free >> bit & 1; bit++)
    step->pass.run *= 2;
  step->choices &= ~(((uint64_t)1 << bit) - 1);
  free &= step->choices;
  if (!free)
    return;
  next = permi_trailing_zeros(free);
  step->pass.stride = (size_t)1 << (next - p->low);
  for (; free >> next & 1; next++) {
    step->pass.repeats *= 2;
    step->choices &= ~((uint64_t)1 << next);
  }
}

static double permi_rook_chunk_bytes(const permi_placements *p, uint64_t bits, int planes)
{
  return ldexp((double)p->unit * planes, permi_count_ones(bits & ~(((uint64_t)1 << p->low) - 1)));
}

static perm_status permi_placements_pass(permi_placements *p)
{
  const int start = p->step[0].start, planes = p->step[p->group - 1].planes;
  const double values = ldexp((double)planes * (double)p->unit, start - p->low);
  double pitch;
  int k, bit;
  p->inside = 0;
  for (k = 0; k < p->group; k++)
    p->inside |= p->step[k].involved;
  p->inside &= ~(((uint64_t)1 << p->low) - 1);
  for (bit = p->low; bit < start && 2 * permi_rook_chunk_bytes(p, p->inside, planes) <= PERMI_ROOK_CHUNK; bit++)
    p->inside |= (uint64_t)1 << bit;
  p->outer = (((uint64_t)1 << start) - 1) & ~p->inside & ~(((uint64_t)1 << p->low) - 1);
  pitch = permi_rook_chunk_bytes(p, p->inside, 1) + 320; /* planes fall on other lines of the cache */
  p->copied = p->buffer && p->outer && pitch * planes <= PERMI_ROOK_BUFFER;
  p->pitch = p->copied ? (size_t)pitch : 0;
  p->end = p->group < p->prepared ? p->step[p->group].start : p->width;
  for (k = 0; k < p->threads && p->copied; k++)
    for (bit = 0; bit < planes; bit++)
      p->local[(size_t)k * ((size_t)p->block->vertices + 1) + (size_t)bit] =
          p->buffer + (size_t)k * PERMI_ROOK_BUFFER + (size_t)bit * p->pitch;
  for (k = 0; k < p->group; k++)
    permi_rook_finish(p, &p->step[k]);
  p->chunk_units = 1e9 * PERMI_ROOK_BYTE_SECONDS * 2 * p->group * permi_rook_chunk_bytes(p, p->inside, planes);
  return permi_share(2 * p->group * values * PERMI_ROOK_BYTE_SECONDS < PERMI_PARALLEL_SECONDS ? 1 : p->threads, 0,
                     (uint64_t)1 << permi_count_ones(p->outer), permi_rook_chunk, p, NULL);
}

static int permi_placements_allocate(permi_placements *p, int i, int step, int words)
{
  const double bytes = fmax(p->most[step], 16) * 8 * (words ? words : 1) + 64; /* 32 bits grow in place */
  p->memory[i] = bytes < (double)(SIZE_MAX / 2) ? (char *)permi_allocate(p->allocator, (size_t)bytes, 1) : NULL;
  if (!p->memory[i])
    return 0;
  p->plane[i] = p->memory[i] + (64 - (uintptr_t)p->memory[i] % 64);
  return 1;
}

static void permi_placements_kind(permi_placements *p, int words)
{
  p->words = words;
  p->unit = words > 1 ? 8 * (size_t)words : 64;
  p->low = words > 1 ? 0 : 4 - words;
  p->kernel = words > 1 ? permi_rook_long : p->lanes;
}

/* Widens values of 32 bits to 64, from behind, also in a unit beyond the sets. */
static perm_status permi_placements_widen(permi_placements *p, size_t count)
{
  size_t k;
  int i;
  for (i = 0; i < p->planes; i++) {
    const int32_t *x = (const int32_t *)(void *)p->plane[i];
    int64_t *y = (int64_t *)(void *)p->plane[i];
    for (k = count; k-- > 0;) {
      int32_t narrow;
      int64_t wide;
      memcpy(&narrow, x + k, sizeof narrow);
      wide = narrow;
      memcpy(y + k, &wide, sizeof wide);
    }
    if (permi_watch(p->watch, (double)count))
      return p->watch->stopped;
  }
  return PERM_OK;
}

static perm_status permi_placements_lengthen(permi_placements *p, int step, int before)
{
  const int width = p->step[0].start, words = p->words, from = before ? before : 1;
  const size_t count = (size_t)1 << (width < 3 ? 3 : width);
  perm_status status = before ? PERM_OK : permi_placements_widen(p, count);
  size_t k;
  int i, w;
  for (i = 0; i < p->planes && words > 1 && status == PERM_OK; i++) {
    char *memory = p->memory[i];
    const char *x = p->plane[i];
    uint64_t *y;
    if (!permi_placements_allocate(p, i, step, words)) {
      p->memory[i] = memory;
      return PERM_ERROR_MEMORY;
    }
    y = (uint64_t *)(void *)p->plane[i];
    for (k = 0; k < count; k++, y += words) {
      memcpy(y, x + 8 * k * (size_t)from, 8 * (size_t)from);
      for (w = from; w < words; w++)
        y[w] = 0 - (y[from - 1] >> 63);
    }
    permi_release(p->allocator, memory);
    if (permi_watch(p->watch, 2.0 * (double)(count * (size_t)words)))
      status = p->watch->stopped;
  }
  return status;
}

/* Returns the bits of the last step's values, without sign. */
static double permi_placements_seen(const permi_placements *p)
{
  uint64_t word[PERMI_ROOK_SEEN];
  int t, w, bits = 0;
  memset(word, 0, sizeof word);
  for (t = 0; t < p->threads; t++)
    for (w = 0; w < PERMI_ROOK_SEEN; w++)
      word[p->words > 1 ? w : 0] |= p->seen[t * PERMI_ROOK_SEEN + w];
  if (!p->words)
    word[0] = (word[0] | word[0] >> 32) & UINT32_MAX;
  for (w = PERMI_ROOK_SEEN - 1; w > 0 && !word[w]; w--)
    ;
  for (; word[w]; word[w] >>= 1)
    bits++;
  return 64 * w + bits;
}

/* Prepares a group and the length of its values; returns how many vertices it eliminates. Some steps may be prepared
   before and behind it. */
static int permi_placements_gather(permi_placements *p, int first)
{
  const double seen = permi_placements_seen(p);
  uint64_t involved = 0;
  double growth = 0;
  int k = 0, taken = 0;
  for (p->group = 0; first + taken < p->steps; taken++) {
    const int v = p->sequence[first + taken], place = p->place[v];
    int needed, planes;
    if (k == p->prepared) {
      permi_placements_eliminate(p, v);
      if (place >= 0)
        permi_placements_close(p, place);
    }
    growth += log2(p->step[k].growth) * (1 + 1e-12) + 1e-12;
    needed = permi_placements_words(p, seen + growth);
    needed = needed > p->words ? needed : p->words;
    planes = p->step[k].planes;
    for (; k < p->prepared; k++)
      involved |= p->step[k].involved;
    if (taken && (needed > p->words || k > PERMI_ROOK_GROUP ||
                  permi_rook_chunk_bytes(p, involved, planes) > PERMI_ROOK_CHUNK ||
                  ldexp((double)p->unit * planes, p->step[0].start - p->low) <= 2 * PERMI_ROOK_CHUNK))
      break;
    permi_placements_kind(p, needed);
    p->group = k;
  }
  return taken;
}

static perm_status permi_placements_advance(permi_placements *p, int *next)
{
  const int first = *next, before = p->words;
  perm_status status = PERM_OK;
  int k;
  *next += permi_placements_gather(p, first);
  if (p->words > before)
    status = permi_placements_lengthen(p, first, before);
  for (; status == PERM_OK && p->planes < p->step[p->group - 1].planes; p->planes++)
    if (!permi_placements_allocate(p, p->planes, first, p->words))
      return PERM_ERROR_MEMORY;
  if (status != PERM_OK)
    return status;
  memset(p->seen, 0, (size_t)p->threads * PERMI_ROOK_SEEN * sizeof *p->seen);
  status = permi_placements_pass(p);
  for (k = p->group; k < p->prepared; k++)
    p->step[k - p->group] = p->step[k];
  p->prepared -= p->group;
  return status;
}

static perm_status permi_placements_run(permi_placements *p, perm_integer *numbers, int count)
{
  const size_t planes = (size_t)p->block->vertices + 1, threads = (size_t)p->threads;
  permi_pool pool = {p->allocator, NULL, 0};
  perm_status status = PERM_ERROR_MEMORY;
  int i, step;
  p->memory = (char **)permi_pool_zeros(&pool, 2 * planes, sizeof *p->memory);
  p->seen = (uint64_t *)permi_pool_zeros(&pool, threads * PERMI_ROOK_SEEN, sizeof *p->seen);
  p->local = (char **)permi_pool_get(&pool, threads * planes, sizeof *p->local);
  p->buffer = p->bytes > 2 * PERMI_ROOK_CHUNK ? (char *)permi_pool_get(&pool, threads + 1, PERMI_ROOK_BUFFER) : NULL;
  if (pool.failed)
    goto done;
  if (p->buffer)
    p->buffer += 64 - (uintptr_t)p->buffer % 64;
  p->plane = p->memory + planes;
  permi_placements_begin(p);
  permi_placements_kind(p, 0);
  if (!permi_placements_allocate(p, 0, 0, 0))
    goto done;
  memset(p->plane[0], 0, p->unit);
  *(uint32_t *)(void *)p->plane[0] = 1;
  p->seen[0] = 1;
  p->planes = 1;
  status = PERM_OK;
  for (step = 0; step < p->steps && status == PERM_OK;) {
    status = permi_placements_advance(p, &step);
    p->watch->done = p->seconds * (p->done[step] / p->done[p->steps]);
  }
  for (i = 0; i < count && status == PERM_OK; i++) {
    uint64_t word[PERMI_ROOK_WORDS] = {0};
    const int words = p->words ? p->words : 1;
    memset(&numbers[i], 0, sizeof numbers[i]);
    if (i >= p->planes)
      continue;
    memcpy(word, p->plane[i], p->words ? 8 * (size_t)words : 4);
    if (!p->words)
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
/* SPDX-License-Identifier: MIT */
