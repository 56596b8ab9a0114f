/* ====================================================================================== >>amplitudes
   All amplitudes per(U[s, t]) / sqrt(prod s! prod t!), by the recursion of SLOS [HMSV23] over photons k = 1 .. n:
       A_k(s) = sum over j of u_jc sqrt(s_j / r) A_(k-1)(s - e_j),  the k-th in column c, its r-th there.
   1. Places are ranks (>>outputs) of s_1 .. s_(m-1), whatever k. Mode m's source is the same place, others are at
   d_(m-1) less 1: in place, d_(m-1) going down; states of one d_(m-1) are independent.
   2. Blocks of one s_(g+1) .. s_(m-1) and d_g are contiguous. A photon of mode i > g comes from a block as long, below
   by the sum over i <= j < m of T_j(d_j), T_j(d) = P_j(d) - P_j(d - 1) less that of P_(j-1)(max(0, d - most_j)); of
   others by a table for each d_g.
   3. Outputs are the last layer's places from one on; with heralds a block; of unseen rows sums of blocks.
   4. Next is the photon of the column with the largest share left: errors hardly grow (>>amplitudes_bound).
   Parts of a layer, and so sums, are the same for any threads. */
#pragma once
#include "outputs.h"
#include "../proof/lanes.h"
#include "../job/job.h"

#define PERMI_AMPLITUDES_PART 8192         /* states */
#define PERMI_AMPLITUDES_CALL 131072       /* outputs handed out together, and a block */
#define PERMI_AMPLITUDES_TABLE 131072.0    /* sources within blocks */
#define PERMI_AMPLITUDES_BLOCK 40          /* states, where photons lie evenly */
#define PERMI_AMPLITUDES_RANGE 400.0       /* log2 of amplitudes that need no exponent */
#define PERMI_AMPLITUDES_TERM_SECONDS 1e-9 /* AVX-512, 2026; plain C: twice */

typedef struct permi_amplitudes permi_amplitudes;
typedef struct permi_amplitude_walk { /* of a thread */
  const permi_amplitudes *of;
  permi_amplitude_source *source;
  double *room;
  permi_amplitude_block *table; /* to be filled, or NULL */
  int sources, inner;
  size_t low, high, end; /* blocks that begin in between; of outputs */
  double norm;
} permi_amplitude_walk;

struct permi_amplitudes {
  permi_ranks ranks;
  int n, modes, inner, columns, threads;   /* inner: g */
  int *column, *times, *used, *order;      /* order: the k-th's column */
  int *seen;                               /* the next output's d_j */
  int layer, top[2];                       /* top: d_(m-1) of parts */
  int elsewhere, pieces, on_gpu, exp2;     /* the last layer does not go to `work`; nor to `given` */
  perm_outputs asked;                      /* zeros: NULL */
  double *u, *unit, *root;                 /* [mode][column][2], units of 2^exp2; the layer's; of 0 .. n */
  double scale;                            /* log2 of a layer's, or 0 */
  size_t offset, count, from, to, shown;   /* the first output's place; outputs; places of parts; out[0]'s output */
  double *work, *out, *given, *norm, total; /* given: to the call; norm: of parts; total: of |A|^2 */
  size_t handed, left;                     /* outputs; states that the next one's sum lacks */
  permi_dd sum;
  permi_amplitude_block *table;            /* by d_g */
  uint16_t (*photon)[2];                   /* of tables: mode, photons */
  size_t entries, longest;                 /* of all tables; of a block */
  permi_amplitude_walk *walk;
  void (*kernel)(const permi_amplitude_block *block);
  permi_control *watch;
  double each, done, places; /* seconds of a state, of what is done; of all layers */
};

/* Computes a block, or fills a table's state. */
static void permi_amplitudes_leaf(permi_amplitude_walk *walk, int d, size_t place, size_t shift)
{
  const permi_amplitudes *p = walk->of;
  permi_amplitude_block block = walk->table ? *walk->table : p->table[d];
  const size_t out = place - p->offset;
  const int last = p->layer == p->n;
  double sum[4] = {0, 0, 0, 0};
  for (int k = 0; k < walk->sources && walk->table; k++) {
    const size_t at = 2 * (place / 2 * (size_t)block.width + (size_t)k) + place % 2;
    uint16_t *photon = p->photon[(size_t)(block.at - p->table->at) + at];
    block.at[at] = (int32_t)((ptrdiff_t)place + block.lower - walk->source[k].below);
    photon[0] = (uint16_t)walk->source[k].mode;
    photon[1] = (uint16_t)walk->source[k].photons;
  }
  if (walk->table)
    return;
  block.from = p->work;
  block.place = (ptrdiff_t)place;
  block.lower = (ptrdiff_t)(place - shift) - block.lower;
  block.source = walk->source;
  block.sources = walk->sources;
  block.room = walk->room;
  block.to = !last ? p->work + 2 * place : p->asked.probabilities ? walk->room : p->out + 2 * (out - p->shown);
  p->kernel(&block);
  for (int k = 0; k < block.states && last; k++) {
    const double square = block.to[2 * k] * block.to[2 * k] + block.to[2 * k + 1] * block.to[2 * k + 1];
    sum[k & 3] += square;
    if (p->asked.probabilities)
      p->out[out - p->shown + (size_t)k] = square;
  }
  walk->norm += (sum[0] + sum[1]) + (sum[2] + sum[3]);
  if (last && out + (size_t)block.states > walk->end)
    walk->end = out + (size_t)block.states;
}

/* d photons are in modes 1 .. top. place: the first; shift: the sum of T_j over j >= top. */
static void permi_amplitudes_walk(permi_amplitude_walk *walk, int top, int d, size_t place, size_t shift)
{
  const permi_amplitudes *p = walk->of;
  const size_t levels = (size_t)p->n + 2, states = permi_ranks_states(&p->ranks, top, d);
  permi_amplitude_source *source = walk->source + walk->sources++;
  for (int i = place < walk->high && place + states > walk->low ? top : 0;
       i > walk->inner && d > 0 && permi_ranks_states(&p->ranks, i, d); i--) {
    const int full = p->ranks.most[i - 1]; /* i: the highest with photons */
    const size_t row = (size_t)(i - 1) * levels + (size_t)d, *ranks = p->ranks.first + row, *turn = p->ranks.turn + row;
    place -= d > full ? ranks[-full] : 0;
    source->below = (ptrdiff_t)shift;
    source->mode = i - 1;
    for (int s = 1; s <= d && s <= full; s++) {
      source->photons = s;
      source->c[0] = p->unit[2 * i - 2] * p->root[s];
      source->c[1] = p->unit[2 * i - 1] * p->root[s];
      permi_amplitudes_walk(walk, i - 1, d - s, place + ranks[-s], shift + turn[-s]);
    }
    place += ranks[0];
    shift += turn[0];
  }
  walk->sources--;
  if (place >= walk->low && place < walk->high && permi_ranks_states(&p->ranks, walk->inner, d))
    permi_amplitudes_leaf(walk, d, place, shift);
}

static perm_status permi_amplitudes_part(void *context, uint64_t part, int thread)
{
  permi_amplitudes *p = (permi_amplitudes *)context;
  permi_amplitude_walk *walk = &p->walk[thread];
  const int last = p->modes - 1;
  walk->low = p->from + (size_t)part * PERMI_AMPLITUDES_PART;
  walk->high = p->to - walk->low > PERMI_AMPLITUDES_PART ? walk->low + PERMI_AMPLITUDES_PART : p->to;
  walk->norm = 0;
  for (int d = p->top[0]; d <= p->top[1]; d++) {
    const int s = p->layer - d;
    walk->sources = s > 0;
    walk->source->below = 0;
    walk->source->c[0] = p->unit[2 * last] * p->root[s];
    walk->source->c[1] = p->unit[2 * last + 1] * p->root[s];
    permi_amplitudes_walk(walk, last, d, permi_ranks_first(&p->ranks, last, d),
                          p->ranks.turn[(size_t)last * ((size_t)p->n + 2) + (size_t)d]);
  }
  p->norm[part] = walk->norm;
  if (thread)
    return PERM_OK;
  p->watch->done = p->done + (double)part * PERMI_AMPLITUDES_PART * p->each;
  return permi_watch(p->watch, PERMI_AMPLITUDES_PART * 1e9 * p->each) ? p->watch->stopped : PERM_OK;
}

static perm_status permi_amplitudes_share(permi_amplitudes *p, size_t from, size_t to, int low, int high)
{
  const uint64_t parts = (to - from) / PERMI_AMPLITUDES_PART + ((to - from) % PERMI_AMPLITUDES_PART > 0);
  const double seconds = (double)(to - from) * p->each;
  p->from = from;
  p->to = to;
  p->top[0] = low;
  p->top[1] = high;
  const int threads = seconds < PERMI_SHARE_SECONDS ? 1 : p->threads;
  const perm_status status = permi_share(threads, 0, parts, permi_amplitudes_part, p, NULL);
  p->done += seconds;
  for (uint64_t k = 0; k < parts && status == PERM_OK; k++)
    p->total += p->norm[k];
  return status;
}

/* Sets the layer's column and tables. */
static void permi_amplitudes_layer(permi_amplitudes *p)
{
  const int column = p->order[p->layer - 1];
  const double exp2 = floor(p->layer * p->scale + 0.5) - floor((p->layer - 1) * p->scale + 0.5);
  const double root = sqrt((double)++p->used[column]);
  const size_t entries = p->layer < p->n ? (size_t)(p->table[p->layer + 1].at - p->table->at) : p->entries;
  for (int j = 0; j < 2 * p->modes; j++)
    p->unit[j] = ldexp(p->u[2 * ((size_t)(j / 2) * (size_t)p->columns + (size_t)column) + (size_t)(j & 1)],
                       p->exp2 - (int)exp2) / root;
  for (size_t k = 0; k < entries; k++) {
    const double *unit = p->unit + 2 * p->photon[k][0], size = p->root[p->photon[k][1]];
    double *c = p->table->c + 8 * (k / 2) + 2 * (k % 2);
    c[0] = c[1] = size * unit[0];
    c[4] = c[5] = size * unit[1];
  }
}

/* Returns how many sums are complete; they take the place of states. */
static size_t permi_amplitudes_add(permi_amplitudes *p, size_t states)
{
  const permi_ranks *ranks = &p->ranks;
  const int unseen = ranks->unseen, open = ranks->open;
  size_t count = 0;
  for (size_t k = 0; k < states; count += !p->left) {
    permi_dd sum = {0, 0};
    int *d = p->seen, j = p->handed + count ? unseen : open;
    if (!p->left) {
      d[open] = ranks->loose;
      while (j < open && (d[j] == d[j + 1] || !permi_ranks_states(ranks, j, d[j] + 1)))
        j++;
      for (d[j] += j < open; j > unseen; j--)
        d[j - 1] = d[j] > ranks->most[j - 1] ? d[j] - ranks->most[j - 1] : 0;
      p->left = unseen < open ? permi_ranks_states(ranks, unseen, d[unseen]) : p->count;
      p->sum = sum;
    }
    for (; k < states && p->left; p->left--) {
      const permi_dd next = permi_two_sum(sum.hi, p->out[k++]);
      sum.hi = next.hi;
      sum.lo += next.lo;
    }
    p->sum = permi_dd_add(p->sum, sum);
    p->out[count] = p->sum.hi + p->sum.lo;
  }
  return count;
}

/* Hands out p->out. */
static perm_status permi_amplitudes_hand(permi_amplitudes *p, size_t states)
{
  const size_t count = p->ranks.unseen ? permi_amplitudes_add(p, states) : states;
  if (!p->asked.block)
    memcpy(p->given + p->handed, p->out, count * (p->asked.probabilities ? 1 : 2) * sizeof *p->out);
  else if (count && p->asked.block(p->asked.user_data, p->handed, count, p->out))
    p->watch->stopped = PERM_STOPPED_CANCELLED;
  p->handed += count;
  if (p->asked.block) /* which may take long */
    permi_watch(p->watch, PERMI_WATCH_UNITS);
  return p->watch->stopped;
}

static perm_status permi_amplitudes_run(permi_amplitudes *p)
{
  const int last = p->modes - 1, n = p->n;
  const size_t end = p->offset + p->count, step = p->pieces ? PERMI_AMPLITUDES_CALL : p->count;
  perm_status status = PERM_OK;
  for (p->layer = 1; p->layer < n + !p->elsewhere && status == PERM_OK; p->layer++) {
    permi_amplitudes_layer(p);
    for (int d = p->layer; d >= 0 && p->layer - d <= p->ranks.most[last] && status == PERM_OK; d--)
      status = permi_amplitudes_share(p, permi_ranks_first(&p->ranks, last, d),
                                      permi_ranks_first(&p->ranks, last, d + 1), d, d);
  }
  if (status != PERM_OK || !p->elsewhere)
    return status;
  permi_amplitudes_layer(p);
  for (size_t at = p->offset; at < end && status == PERM_OK; at += step) {
    size_t next = p->shown;
    status = permi_amplitudes_share(p, at, end - at > step ? at + step : end, 0, n);
    for (int k = 0; k < p->threads; k++)
      next = p->walk[k].end > next ? p->walk[k].end : next;
    if (status == PERM_OK && p->pieces)
      status = permi_amplitudes_hand(p, next - p->shown);
    p->shown = next;
  }
  return status;
}
/* SPDX-License-Identifier: MIT */
