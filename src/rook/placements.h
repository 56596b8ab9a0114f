/* ===================================================================================== >>placements
   Rook numbers on tables of >>tree with free lines. A table sums products of matchings by the set S of matched vertices
   of its scope and the number i of matched eliminated vertices of the side that has fewer of them; S tells the other
   side's. Of t vertices, r rows and c columns below, it has 2^t (1 + min(r, c)) values. Eliminating v takes f to g:
       g_i[S] = f_i[S] + f_(i-s)[S + v] + sum over neighbours t in S of c_t f_(i-s)[S - t],
   s = 1 if v is counted. Tables are multiplied by sums over the values of one of them; a leaf has few. A shift by one
   does not touch the next set, as the last values of f are 0. Sums are modulo primes; a run in doubles on |entries|,
   for all i at once, tells how many are needed. */
#pragma once
#include "../polynomial/coefficients.h"
#include "../tree/tree_build.h"

#define PERMI_ROOK_WAYS 64
#define PERMI_ROOK_TILE 128      /* doubles, at least */
#define PERMI_ROOK_TRIED 2e-4    /* seconds that no further order improves */
#define PERMI_ROOK_BITS 49.99    /* of a prime */

typedef struct permi_rook_table {
  const permi_tree_node *node;
  int gone[2], counted, degrees; /* degrees: 1 + the largest i */
  size_t at;                     /* its values; a leaf has none */
} permi_rook_table;

typedef struct permi_rook_source { /* c f[S - from], of sets that contain `want` */
  uint32_t want;
  ptrdiff_t from;
  permi_rook_way way; /* x, mask: of each tile */
} permi_rook_source;

typedef struct permi_placements {
  const permi_block *block;
  const perm_allocator *allocator;
  permi_control *watch;
  permi_rook_kernel kernel[2]; /* second: of words, or NULL */
  int threads;
  double way_seconds;         /* of a double of a source */
  permi_tree *tree;
  double bits;                /* log2 of a bound on |r_k| */
  double seconds, bytes;      /* predicted */
  double spent, most[3];      /* doubles of tables, of a product, of a tile */
  /* of a run */
  int numbered;               /* 0: in doubles */
  permi_odd_modulus modulus;
  double prime, inverse;
  permi_rook_table *table;
  int tables;
  size_t held;                /* doubles of tables */
  double *work[2], *values, *mask; /* NULL: prices */
  /* of a node */
  const permi_tree_node *node;
  int counted, low;           /* low: bits of sets within a tile */
  size_t pitch, sets;         /* pitch: doubles of a set */
  uint32_t outside, never;    /* vertices unknown to f; high ones, to y */
  const double *x;
  double *y;
  permi_rook_source source[PERMI_ROOK_WAYS];
  double terms;               /* size of the sum, in units of p / 2 */
  int sources, parts, again;  /* again: adds to y */
} permi_placements;

static perm_status permi_rook_tiles(void *context, uint64_t part, int thread)
{
  const permi_placements *p = (const permi_placements *)context;
  const size_t tiles = p->sets >> p->low ? p->sets >> p->low : 1, words = p->pitch << p->low;
  const uint32_t within = (1u << p->low) - 1;
  const size_t end = permi_tree_begin(tiles, (int)part + 1, p->parts);
  for (size_t tile = permi_tree_begin(tiles, (int)part, p->parts); tile < end; tile++) {
    const uint32_t set = (uint32_t)tile << p->low;
    double *y = p->y + set * p->pitch;
    const permi_rook_way again = {y, NULL, 1, 1, 1, 0};
    permi_rook_way way[PERMI_ROOK_WAYS + 1];
    int s, ways = p->again;
    if (set & p->never) { /* only read by a shift */
      memset(y + words - p->pitch, 0, p->pitch * sizeof *y);
      continue;
    }
    way[0] = again;
    for (s = 0; s < p->sources; s++) {
      const permi_rook_source *source = &p->source[s];
      if ((set ^ source->want) & (source->want | p->outside) & ~within)
        continue;
      way[ways] = source->way;
      way[ways++].x = p->x + (ptrdiff_t)(set * p->pitch) - source->from;
    }
    p->kernel[p->prime == 1](p->prime, p->inverse, way, ways, y, words);
  }
  return thread == 0 && permi_watch(p->watch, 0) ? p->watch->stopped : PERM_OK;
}

/* y := the sum of the sources (+ y if `again`), which are gone then. */
static void permi_rook_pass(permi_placements *p)
{
  const uint32_t within = (1u << p->low) - 1, high = (uint32_t)(p->sets - 1) & ~within;
  const size_t words = p->pitch << p->low;
  const double values = fmax((double)(p->sets * p->pitch), (double)words);
  double ways = 2, value;
  for (int s = 0; s < p->sources; s++)
    ways += ldexp(1, -permi_count_ones((p->source[s].want | p->outside) & high)) + 8.0 / (double)words;
  ways *= values * p->way_seconds;
  p->spent += ways + PERMI_TREE_NODE_SECONDS;
  p->parts = ways < PERMI_PARALLEL_SECONDS || p->threads == 1 ? 1 : 8 * p->threads;
  for (int s = 0; s < p->sources && p->values; s++) {
    permi_rook_source *source = &p->source[s];
    const uint32_t test = (source->want | p->outside) & within;
    double *mask = p->mask + (size_t)s * words;
    source->way.mask = test ? mask : NULL;
    if (p->prime == 1)
      memset(&value, 255, sizeof value);
    else
      value = source->way.c;
    for (uint32_t set = 0; set <= within && test; set++)
      for (size_t k = 0; k < p->pitch; k++)
        *mask++ = (set ^ source->want) & test ? 0 : value;
  }
  if (p->values) {
    p->watch->done = p->spent;
    permi_share(p->parts > 1 ? p->threads : 1, 0, (uint64_t)p->parts, permi_rook_tiles, p, NULL);
  }
  permi_watch(p->watch, p->values ? 1e9 * ways : 100);
  p->sources = 0;
  p->terms = p->again = 1;
}

static void permi_rook_add(permi_placements *p, uint32_t want, ptrdiff_t from, double c, uint64_t word)
{
  const double size = !p->numbered ? 0 : c < -4 || c > 4 ? 2 : fabs(c); /* in units of p / 2 */
  if (p->sources == PERMI_ROOK_WAYS)
    permi_rook_pass(p);
  permi_rook_source *source = &p->source[p->sources++];
  source->want = want;
  source->from = (ptrdiff_t)(want * p->pitch) + from;
  source->way.c = c;
  source->way.word = word;
  source->way.is_short = !p->numbered || fabs(c) <= 4;
  source->way.full = p->terms + size > 7;
  p->terms = (source->way.full ? 1 : p->terms) + size;
}

/* Its scope lies at `scope` in the node's. Returns what its matching counts. */
static int permi_rook_entries(permi_placements *p, const permi_tree_node *node, uint32_t scope)
{
  const int shift = p->numbered && (node->vertex >= p->block->n) == p->counted;
  for (int e = node->edge; e < node[1].edge; e++) {
    const int64_t c = p->tree->edge[e].c.integer[0];
    double x = (double)c;
    if (!p->numbered || p->prime == 1)
      x = fabs(x);
    else if (c < -4 || c > 4)
      x = permi_balanced(permi_residue_of(c, p->modulus.p), p->modulus.p);
    permi_rook_add(p, (uint32_t)permi_deposit_bits(1u << p->tree->edge[e].bit, scope), shift, x, (uint64_t)c);
  }
  return shift;
}

/* By how much i is larger, counted on the node's side. */
static int permi_rook_offset(const permi_placements *p, const permi_rook_table *table, uint32_t set)
{
  const int rows = permi_count_ones(set & p->node->rows), columns = permi_count_ones(set & ~p->node->rows);
  return !p->numbered || table->counted == p->counted ? 0 : p->counted ? rows - columns : columns - rows;
}

static size_t permi_rook_pitch(int degrees)
{
  return degrees < 16 ? (size_t)degrees : ((size_t)degrees + 3) / 4 * 4;
}

/* Spreads a table over the node's sets, or 1. */
static void permi_rook_spread(permi_placements *p, const permi_rook_table *table, double *y)
{
  const uint32_t scope = table ? table->node->set : 0;
  const size_t pitch = p->pitch, from = table ? permi_rook_pitch(table->degrees) : 1;
  double one = 1;
  const double *x = table && p->values ? p->values + table->at : &one;
  const double seconds = ldexp(3 * (double)from * p->way_seconds + 2e-9, permi_count_ones(scope));
  const size_t words = pitch << p->low;
  const uint32_t within = (1u << p->low) - 1;
  uint32_t set = 0;
  int run = 0; /* so many bits are the same */
  while (table && scope >> run & 1 && from == pitch && (!p->numbered || table->counted == p->counted))
    run++;
  if (p->prime == 1)
    memcpy(&one, &p->modulus.one, sizeof one);
  p->spent += seconds;
  for (; p->values; x += from << run) {
    const int shift = table ? permi_rook_offset(p, table, set) : 0, first = shift < 0 ? -shift : 0;
    const int degrees = table ? table->degrees : 1;
    const int last = shift + degrees > (int)pitch ? (int)pitch - shift : degrees;
    double *to = y + set * pitch;
    if (!(set & within) && run < p->low) /* the next tile */
      memset(to, 0, words * sizeof *y);
    if (((set - 1) & ~scope & ~within)) /* what a shift reads before it */
      memset(to - pitch, 0, pitch * sizeof *y);
    if (run)
      memcpy(to, x, (from << run) * sizeof *y);
    else if (first < last)
      memcpy(to + shift + first, x + first, (size_t)(last - first) * sizeof *y);
    set = ((set | ((1u << run) - 1)) - scope) & scope;
    if (!set)
      break;
  }
  permi_watch(p->watch, p->values ? 1e9 * seconds : 10);
}

static uint64_t permi_rook_word(const double *x)
{
  uint64_t word;
  memcpy(&word, x, sizeof word);
  return word;
}

static void permi_rook_join(permi_placements *p, const permi_rook_table *table)
{
  const uint32_t scope = table->node->set;
  const double *x = p->values ? p->values + table->at : NULL;
  uint32_t set = 0;
  if (!x)
    p->spent += table->degrees * (2 * p->way_seconds * (double)(p->sets * p->pitch) *
                                      ldexp(pow(1.5, permi_count_ones(scope & ~p->outside)),
                                            -permi_count_ones(p->outside & (uint32_t)(p->sets - 1))) +
                                  ldexp((double)(p->sets >> p->low), permi_count_ones(scope)) * 1e-9);
  for (; x && p->watch->stopped == PERM_OK; x += permi_rook_pitch(table->degrees)) {
    const int shift = permi_rook_offset(p, table, set);
    for (int k = 0; k < table->degrees; k++)
      if (permi_rook_word(x + k))
        permi_rook_add(p, set, shift + k, x[k], permi_rook_word(x + k));
    set = (set - scope) & scope;
    if (!set)
      break;
  }
}

/* The children's tables are the last ones. */
static void permi_rook_visit(permi_placements *p, int i)
{
  const permi_tree_node *node = &p->tree->node[i];
  permi_rook_table *end = p->table + p->tables, *table = end - node->children, *child, *first = NULL;
  const int t = permi_count_ones(node->all) - 1, side = node->vertex >= p->block->n;
  uint32_t known = 0;
  int gone[2] = {!side, side}, turn = 0, shift;
  size_t at = p->held;
  for (child = table; child < end; child++) {
    at = child->at < at ? child->at : at;
    gone[0] += child->gone[0];
    gone[1] += child->gone[1];
    known |= child->node->set;
    first = !first && child->node->children ? child : first;
  }
  p->node = node;
  p->counted = gone[1] < gone[0];
  p->pitch = permi_rook_pitch(p->numbered ? 1 + gone[p->counted] : 1);
  for (p->low = p->pitch < 16 ? 3 : 1; p->pitch << p->low < PERMI_ROOK_TILE && p->low <= t;)
    p->low++;
  p->sets = (known >> t ? (size_t)2 : 1) << t;
  if (node->children)
    permi_rook_spread(p, first, p->work[0]);
  known = first ? first->node->set : 0;
  for (child = table; child < end; child++)
    if (child != first) {
      p->x = p->work[turn];
      p->y = p->work[turn = 1 - turn];
      p->outside = ~known;
      p->never = ~(known | child->node->set) & ~((1u << p->low) - 1);
      p->terms = p->sources = p->again = 0;
      if (child->node->children) {
        permi_rook_join(p, child);
      } else {
        permi_rook_add(p, 0, 0, 1, 1);
        permi_rook_entries(p, child->node, child->node->set);
      }
      permi_rook_pass(p);
      known |= child->node->set;
    }
  if (node->children) {
    p->most[1] = fmax(p->most[1], (double)(p->pitch * (p->sets + ((size_t)2 << p->low))));
    p->sets = (size_t)1 << t;
    p->never = 0;
    p->x = p->work[turn];
    p->y = p->values ? p->values + at : NULL;
    p->outside = ~(known & (uint32_t)(p->sets - 1));
    p->terms = p->sources = p->again = 0;
    permi_rook_add(p, 0, 0, 1, 1);
    shift = permi_rook_entries(p, node, node->all);
    if (known & (uint32_t)p->sets)
      permi_rook_add(p, 0, shift - (ptrdiff_t)(p->sets * p->pitch), 1, 1);
    permi_rook_pass(p);
    p->held = at + p->pitch * (p->sets >> p->low ? p->sets : (size_t)1 << p->low);
  }
  p->most[0] = fmax(p->most[0], (double)p->held);
  p->most[2] = fmax(p->most[2], (double)(p->pitch << p->low));
  table->node = node;
  table->gone[0] = gone[0];
  table->gone[1] = gone[1];
  table->counted = p->counted;
  table->degrees = p->numbered ? 1 + gone[p->counted] : 1;
  table->at = at;
  p->tables += 1 - node->children;
}

/* Modulo p->modulus, of p 1: 2^64; in doubles unless `numbered`; prices without p->values. */
static void permi_rook_walk(permi_placements *p, int numbered)
{
  p->numbered = numbered;
  p->prime = numbered ? (double)p->modulus.p : 0;
  p->inverse = numbered ? 1 / p->prime : 0;
  p->tables = 0;
  p->held = 0;
  for (int i = 0; i < p->tree->nodes && p->watch->stopped == PERM_OK; i++)
    permi_rook_visit(p, i);
}

static perm_isa permi_placements_isa(permi_placements *p, const perm_options *options)
{
  const perm_isa isa = permi_isa(options);
  p->kernel[0] = permi_rook_kernel_of(isa, 0);
  p->kernel[1] = permi_rook_kernel_of(isa, 1);
  p->way_seconds = (p->kernel[1] ? 1 : 10) * PERMI_ROOK_WAY_SECONDS;
  return p->kernel[1] ? isa : PERM_ISA_PLAIN;
}

static int permi_rook_primes(const permi_placements *p)
{
  return p->bits < 62.99 && p->kernel[1] ? 1 : (int)((p->bits + 1) / PERMI_ROOK_BITS) + 1;
}

/* Returns 0 without memory. */
static int permi_rook_price(permi_placements *p)
{
  p->table = (permi_rook_table *)permi_allocate(p->allocator, (size_t)p->tree->depth + 1, sizeof *p->table);
  if (!p->table)
    return 0;
  p->modulus.p = UINT64_C(1) << PERMI_PROOF_PRIME_BITS; /* any */
  p->spent = p->most[0] = p->most[1] = p->most[2] = 0;
  permi_rook_walk(p, 1);
  p->seconds = p->spent * permi_rook_primes(p);
  p->bytes = 8 * (p->most[0] + 2 * p->most[1] + (PERMI_ROOK_WAYS + 16) * p->most[2]) +
             8.0 * permi_rook_primes(p) * p->block->vertices;
  permi_release(p->allocator, p->table);
  return 1;
}

/* number[k] in units of `stride`. */
static double permi_rook_collect(const permi_placements *p, uint64_t *number, int stride)
{
  const permi_odd_modulus *q = &p->modulus;
  double product = 1;
  int i, j, k, most = 0;
  number[0] = 1;
  for (i = 0; i < p->tables; i++) {
    const double *x = p->values + p->table[i].at;
    const int degrees = p->table[i].degrees;
    product *= x[0];
    for (k = (most += degrees - 1); k >= 0 && p->numbered; k--) {
      uint64_t sum = 0;
      for (j = k < most - degrees + 1 ? 0 : k - (most - degrees + 1); j < degrees && j <= k; j++) {
        const uint64_t from = number[(k - j) * stride];
        if (q->p == 1)
          sum += from * permi_rook_word(x + j);
        else
          sum = permi_residue_add(sum, permi_montgomery(from, permi_montgomery((uint64_t)(x[j] < 0 ? x[j] + p->prime
                                                                                                  : x[j]),
                                                                               q->square, q), q), 0, q->p);
      }
      number[k * stride] = sum;
    }
  }
  return product;
}

static perm_status permi_placements_run(permi_placements *p, perm_integer *numbers, int count)
{
  permi_pool pool = {p->allocator, NULL, 0};
  const size_t slack = 4 * (size_t)p->most[2], product = (size_t)p->most[1] + 2 * slack;
  int primes = permi_rook_primes(p), i, k;
  const size_t words = (size_t)primes + 1;
  permi_odd_modulus word64, *prime = (permi_odd_modulus *)permi_pool_get(&pool, words, sizeof *prime);
  uint64_t *number = (uint64_t *)permi_pool_zeros(&pool, words * ((size_t)count + 2), sizeof *number), *word;
  p->table = (permi_rook_table *)permi_pool_get(&pool, (size_t)p->tree->depth + 1, sizeof *p->table);
  p->values = (double *)permi_pool_get(&pool, (size_t)p->most[0] + 1, sizeof *p->values);
  p->mask = (double *)permi_pool_get(&pool, PERMI_ROOK_WAYS * (size_t)p->most[2] + 1, sizeof *p->mask);
  for (i = 0; i < 2; i++)
    if ((p->work[i] = (double *)permi_pool_zeros(&pool, product, sizeof *p->mask)) != NULL)
      p->work[i] += slack;
  word = number ? number + (size_t)count * words : NULL;
  p->spent = 0;
  if (!pool.failed && primes > 1 && p->bits > 49 && p->bits < 1000) {
    permi_rook_walk(p, 0);
    p->bits = fmin(p->bits, log2(permi_rook_collect(p, number, 1)) + 1e-6); /* fewer than 1e9 roundings */
    primes = permi_rook_primes(p);
  }
  memset(&word64, 0, sizeof word64);
  word64.p = word64.one = 1;
  if (!pool.failed)
    permi_primes_choose(prime, (size_t)primes, 0, PERMI_PROOF_PRIME_BITS);
  for (i = 0; i < primes && !pool.failed && p->watch->stopped == PERM_OK; i++) {
    p->modulus = primes > 1 || !p->kernel[1] ? prime[i] : word64;
    permi_rook_walk(p, 1);
    if (p->watch->stopped == PERM_OK)
      permi_rook_collect(p, number + i, primes);
  }
  for (k = 0; k < count && !pool.failed; k++) {
    if (p->modulus.p == 1)
      numbers[k] = permi_integer_of((int64_t)number[k]);
    else
      permi_chinese_integer(prime, number + (size_t)k * (size_t)primes, primes, word, &numbers[k]);
  }
  permi_pool_release(&pool);
  return pool.failed ? PERM_ERROR_MEMORY : p->watch->stopped;
}
/* SPDX-License-Identifier: MIT */
