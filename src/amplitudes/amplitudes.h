/* ====================================================================================== >>amplitudes
   All amplitudes per(U[s, t]) / sqrt(prod s! prod t!), by the recursion of SLOS [HMSV23] over photons k = 1 .. n:
       A_k(s) = sum over j of u_jc sqrt(s_j / r) A_(k-1)(s - e_j),  the k-th in column c, its r-th there.
   1. Places are ranks (>>outputs) of s_1 .. s_(m-1), which do not depend on k: layer k - 1 stands in the first places
   of layer k. Mode m's source is the same place, all others are in places of one photon less, so d_(m-1) goes down, in
   place, and within one d_(m-1) all states are independent.
   2. Blocks of one s_(g+1) .. s_(m-1) and d_g are contiguous. A photon from mode i > g comes from a block as long,
   below by the sum over i <= j < m of T_j(d_j), T_j(d) = P_j(d) - P_j(d - 1) less the same of P_(j-1)(max(0, d -
   most_j)); a photon from modes 1 .. g by a table for each d_g.
   3. Modes that are full are places that are not there; the last layer has its own ranks where modes need photons, and
   before it states are left out that lack more than are to come.
   4. The order of photons decides how errors grow (>>amplitudes_bound): next is the column with the largest share left.
   Parts of a layer, and so all sums, are the same for any threads. */
#pragma once
#include "outputs.h"
#include "../proof/lanes.h"
#include "../dense/dense.h"
#include "../job/job.h"

#define PERMI_AMPLITUDES_PART 8192         /* states */
#define PERMI_AMPLITUDES_CALL 131072       /* outputs handed out together, and those of one block more */
#define PERMI_AMPLITUDES_TABLE 131072.0    /* sources within blocks */
#define PERMI_AMPLITUDES_BLOCK 40.0        /* states, where photons lie evenly */
#define PERMI_AMPLITUDES_RANGE 400.0       /* log2 of amplitudes that need no other exponent */
#define PERMI_AMPLITUDES_TERM_SECONDS 1e-9 /* AVX-512 of a Xeon, 2026; plain C: three times */

typedef struct permi_amplitude_inner_table {
  permi_amplitude_inner inner;
  size_t lower; /* beside the sum of T_j: how much less lies the block with a photon less */
  int *kept;    /* of the last layer, or NULL: all */
  uint16_t (*photon)[2]; /* mode, from 0, and photons of a source */
} permi_amplitude_inner_table;

typedef struct permi_amplitudes permi_amplitudes;
typedef struct permi_amplitude_walk { /* of a thread */
  const permi_amplitudes *of;
  permi_amplitude_source *source;
  double *room;
  int sources;
  size_t low, high; /* blocks that begin in between */
  size_t end;        /* of outputs */
  permi_dd norm;
} permi_amplitude_walk;

struct permi_amplitudes {
  permi_ranks place, output; /* modes >= 2 */
  int modes, n, inner;       /* g */
  int *lacks;                /* photons that modes 1 .. j need */
  size_t *turn, *skip, *shift; /* [j][d]: T_j(d). [d][j]: sums over levels below j of where a mode without photons
                                  begins, of places, then of outputs; of T */
  permi_amplitude_inner_table *table; /* by d */
  double *root, *unit;       /* of 0 .. n; [mode][2]: the layer's column */
  void (*kernel)(const permi_amplitude_block *block);
  permi_control *watch;
  double each, done;         /* seconds a state; of all layers before */
  permi_amplitude_walk *walk;
  permi_dd *norm;            /* of a part */
  const permi_ranks *cut;    /* ranks of the parts: output's in the last layer */
  int layer, top[2];         /* d_(m-1) of the parts */
  size_t from, to, offset;   /* ranks of the parts; of the first output */
  double *work, *out;        /* out: not `work` in a last layer that goes elsewhere */
  size_t out_first;          /* the output that is out[0] */
  int probabilities, threads;
  size_t states, count;      /* places of layer n; outputs */
  size_t entries, inside, longest, parts; /* sources and states of all tables, states of a block, parts of a layer */
  int elsewhere;             /* the last layer is not in place */
  double *u;                 /* [mode][column][2], times 2^exp2 */
  int exp2, *row, *column;         /* of modes, -1: none; of columns that have photons */
  int columns, *times, *order, *used; /* used: photons so far */
  double scale;              /* log2 of the norm by which layers are scaled */
};

/* Writes what the last layer's block becomes. */
static void permi_amplitudes_write(permi_amplitude_walk *walk, const permi_amplitude_inner_table *table,
                                   const double *z, size_t out, size_t count)
{
  const permi_amplitudes *p = walk->of;
  double *to = p->out + (p->probabilities ? 1 : 2) * (out - p->out_first), sum[4] = {0, 0, 0, 0};
  size_t k;
  for (k = 0; k < count; k++) {
    const double *x = z + 2 * (table->kept ? (size_t)table->kept[k] : k);
    const double square = x[0] * x[0] + x[1] * x[1];
    sum[k & 3] += square;
    if (p->probabilities) {
      to[k] = square;
    } else if (table->kept) {
      to[2 * k] = x[0];
      to[2 * k + 1] = x[1];
    }
  }
  walk->end = out + count > walk->end ? out + count : walk->end;
  walk->norm = permi_dd_add_double(walk->norm, (sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/* A block of d photons in modes 1 .. g. place, out: ranks of its first state; shift: the sum of T_j over j >= g. */
static void permi_amplitudes_leaf(permi_amplitude_walk *walk, int d, size_t place, size_t out, size_t shift)
{
  const permi_amplitudes *p = walk->of;
  const permi_amplitude_inner_table *table = &p->table[d];
  const int last = p->layer == p->n;
  permi_amplitude_block block;
  block.inner = table->inner;
  block.from = p->work;
  block.place = (ptrdiff_t)place;
  block.lower = (ptrdiff_t)(place - shift - table->lower);
  block.source = walk->source;
  block.sources = walk->sources;
  block.room = walk->room;
  block.to = !last                              ? p->work + 2 * place
             : p->probabilities || table->kept ? walk->room
                                                : p->out + 2 * (out - p->out_first);
  p->kernel(&block);
  if (last)
    permi_amplitudes_write(walk, table, block.to, out, permi_ranks_states(p->cut, p->inner, d));
}

/* Without needs of modes, all of a part: d photons are in modes 1 .. top, the others are settled. place: the first rank;
   shift: the sum of T_j over j >= top. */
static void permi_amplitudes_inside(permi_amplitude_walk *walk, int top, int d, size_t place, size_t shift)
{
  const permi_amplitudes *p = walk->of;
  const size_t row = (size_t)d * ((size_t)p->modes + 1), *skip = p->skip + row, *steps = p->shift + row;
  const size_t levels = (size_t)p->n + 2;
  const int g = p->inner;
  const size_t at = place + skip[top] - skip[g];
  int i, s;
  permi_amplitudes_leaf(walk, d, at, at - p->offset, shift + steps[top] - steps[g]);
  if (d == 0)
    return;
  for (i = g + 1; i <= top; i++) { /* the highest mode with photons */
    const int full = p->place.most[i - 1], most = full < d ? full : d;
    const size_t below = shift + steps[top] - steps[i];
    const size_t *ranks = p->place.first + (size_t)(i - 1) * levels + d, *turns = p->turn + (size_t)(i - 1) * levels + d;
    const size_t first = place + skip[top] - skip[i] - (full < d ? ranks[-full] : 0);
    const double re = p->unit[2 * i - 2], im = p->unit[2 * i - 1];
    permi_amplitude_source *source = &walk->source[walk->sources++];
    source->below = (ptrdiff_t)below;
    for (s = 1; s <= most; s++) {
      source->c[0] = source->c[1] = re * p->root[s];
      source->c[2] = source->c[3] = im * p->root[s];
      permi_amplitudes_inside(walk, i - 1, d - s, first + ranks[-s], below + turns[-s]);
    }
    walk->sources--;
  }
}

/* The same with what modes need, and blocks that begin outside left out. out: the first output; lacking: photons that
   settled modes need. */
static void permi_amplitudes_walk(permi_amplitude_walk *walk, int top, int d, size_t place, size_t out, size_t shift,
                                  int lacking)
{
  const permi_amplitudes *p = walk->of;
  const size_t row = (size_t)d * ((size_t)p->modes + 1), *skip = p->skip + row, *steps = p->shift + row;
  const size_t levels = (size_t)p->n + 2, states = permi_ranks_states(p->cut, top, d);
  const permi_ranks *cut = p->cut;
  const int g = p->inner, left = p->n - p->layer, needs = p->lacks[p->modes];
  const size_t *other = cut == &p->output ? skip + levels * ((size_t)p->modes + 1) : skip;
  const size_t begin = out + other[top] - other[g];
  int i, s;
  if (lacking > left || !states || out >= walk->high || out + states <= walk->low)
    return;
  if (!needs && out >= walk->low && out + states <= walk->high) {
    permi_amplitudes_inside(walk, top, d, place, shift);
    return;
  }
  if (begin >= walk->low && begin < walk->high && lacking + p->lacks[top] - p->lacks[g] <= left &&
      permi_ranks_states(cut, g, d))
    permi_amplitudes_leaf(walk, d, place + skip[top] - skip[g], begin, shift + steps[top] - steps[g]);
  for (i = g + 1; i <= top && d > 0; i++) {
    const int full = p->place.most[i - 1], least = p->output.least[i - 1];
    const size_t below = shift + steps[top] - steps[i];
    const size_t first = place + skip[top] - skip[i] - permi_ranks_first(&p->place, i - 1, d - full);
    const size_t first_out = out + other[top] - other[i] - permi_ranks_first(cut, i - 1, d - full);
    permi_amplitude_source *source = &walk->source[walk->sources++];
    source->below = (ptrdiff_t)below;
    for (s = 1; s <= d && s <= full; s++) {
      source->c[0] = source->c[1] = p->unit[2 * i - 2] * p->root[s];
      source->c[2] = source->c[3] = p->unit[2 * i - 1] * p->root[s];
      permi_amplitudes_walk(walk, i - 1, d - s, first + permi_ranks_first(&p->place, i - 1, d - s),
                            first_out + permi_ranks_first(cut, i - 1, d - s),
                            below + p->turn[(size_t)(i - 1) * levels + (size_t)(d - s)],
                            lacking + p->lacks[top] - p->lacks[i] + (least > s ? least - s : 0));
    }
    walk->sources--;
  }
}

static perm_status permi_amplitudes_part(void *context, uint64_t part, int thread)
{
  permi_amplitudes *p = (permi_amplitudes *)context;
  permi_amplitude_walk *walk = &p->walk[thread];
  const int last = p->modes - 1;
  int d;
  walk->low = p->from + (size_t)part * PERMI_AMPLITUDES_PART;
  walk->high = p->to - walk->low > PERMI_AMPLITUDES_PART ? walk->low + PERMI_AMPLITUDES_PART : p->to;
  walk->norm = permi_dd_make(0);
  for (d = p->top[1]; d >= p->top[0]; d--) {
    const int s = p->layer - d, least = p->output.least[last];
    const size_t out = permi_ranks_first(p->cut, last, d) - (p->cut == &p->output ? p->offset : 0);
    if (s > p->output.most[last])
      continue;
    walk->sources = s > 0;
    walk->source->below = 0;
    walk->source->c[0] = walk->source->c[1] = p->unit[2 * last] * p->root[s > 0 ? s : 0];
    walk->source->c[2] = walk->source->c[3] = p->unit[2 * last + 1] * p->root[s > 0 ? s : 0];
    permi_amplitudes_walk(walk, last, d, permi_ranks_first(&p->place, last, d), out,
                          p->turn[(size_t)last * ((size_t)p->n + 2) + (size_t)d], least > s ? least - s : 0);
  }
  p->norm[part] = walk->norm;
  if (thread)
    return PERM_OK;
  p->watch->done = p->done + (double)part * PERMI_AMPLITUDES_PART * p->each;
  return permi_watch(p->watch, PERMI_AMPLITUDES_PART * 1e9 * p->each) ? p->watch->stopped : PERM_OK;
}

/* Runs parts of a layer; adds to *norm in their order. */
static perm_status permi_amplitudes_share(permi_amplitudes *p, size_t from, size_t to, permi_dd *norm)
{
  const uint64_t parts = (to - from) / PERMI_AMPLITUDES_PART + ((to - from) % PERMI_AMPLITUDES_PART > 0);
  const double seconds = (double)(to - from) * p->each;
  perm_status status;
  uint64_t k;
  p->from = from;
  p->to = to;
  status = permi_share(seconds < PERMI_SHARE_SECONDS ? 1 : p->threads, 0, parts, permi_amplitudes_part, p, NULL);
  p->done += seconds;
  for (k = 0; k < parts && status == PERM_OK; k++)
    *norm = permi_dd_add(*norm, p->norm[k]);
  return status;
}

/* Sets the layer's column. */
static void permi_amplitudes_layer(permi_amplitudes *p)
{
  const int column = p->order[p->layer - 1], exp2 = (int)(floor(p->layer * p->scale + 0.5) -
                                                          floor((p->layer - 1) * p->scale + 0.5));
  const double root = sqrt((double)++p->used[column]);
  int j, d, part;
  size_t k;
  for (j = 0; j < p->modes; j++)
    for (part = 0; part < 2; part++)
      p->unit[2 * j + part] = ldexp(p->u[2 * ((size_t)j * (size_t)p->columns + (size_t)column) + (size_t)part],
                                    p->exp2 - exp2) / root;
  for (d = 1; d <= p->layer; d++) {
    const permi_amplitude_inner_table *table = &p->table[d];
    const uint16_t (*photon)[2] = (const uint16_t (*)[2])table->photon;
    double *c = table->inner.factor;
    for (k = (size_t)table->inner.states * (size_t)table->inner.width; k > 0; k--, photon++, c += 4) {
      c[0] = c[1] = p->root[(*photon)[1]] * p->unit[2 * (*photon)[0]];
      c[2] = c[3] = p->root[(*photon)[1]] * p->unit[2 * (*photon)[0] + 1];
    }
  }
}

/* All layers; outputs go to `out`, or with a buffer to the caller's function. *norm: the sum of |A|^2. */
static perm_status permi_amplitudes_run(permi_amplitudes *p, const perm_outputs *outputs, double *buffer,
                                        permi_dd *norm)
{
  const int last = p->modes - 1;
  perm_status status = PERM_OK;
  size_t at, end = 0;
  int d, k;
  p->work[0] = 1;
  p->work[1] = 0;
  for (p->layer = 1; p->layer <= p->n && status == PERM_OK; p->layer++) {
    const int final = p->layer == p->n;
    p->cut = final ? &p->output : &p->place;
    permi_amplitudes_layer(p);
    if (final && p->out != p->work)
      break;
    for (d = p->layer; d >= 0 && status == PERM_OK; d--) {
      p->top[0] = p->top[1] = d;
      if (p->layer - d <= p->output.most[last])
        status = permi_amplitudes_share(p, permi_ranks_first(p->cut, last, d), permi_ranks_first(p->cut, last, d + 1),
                                        norm);
    }
    if (final || status != PERM_OK)
      return status;
  }
  p->top[0] = 0;
  p->top[1] = p->n;
  if (!buffer)
    return status == PERM_OK ? permi_amplitudes_share(p, 0, p->count, norm) : status;
  for (at = 0; at < p->count && status == PERM_OK; at += PERMI_AMPLITUDES_CALL) {
    p->out = buffer;
    p->out_first = end;
    status = permi_amplitudes_share(p, at, p->count - at > PERMI_AMPLITUDES_CALL ? at + PERMI_AMPLITUDES_CALL : p->count,
                                    norm);
    for (k = 0; k < p->threads; k++)
      end = p->walk[k].end > end ? p->walk[k].end : end;
    if (status == PERM_OK && end > p->out_first &&
        outputs->block(outputs->user_data, p->out_first, end - p->out_first, buffer))
      status = p->watch->stopped = PERM_STOPPED_CANCELLED;
  }
  return status;
}

/* Fills the table of a block, as permi_amplitudes_walk goes: d photons are in modes 1 .. top; `settled` sources, with
   mode and photons, are above. */
static void permi_amplitudes_table(const permi_amplitudes *p, permi_amplitude_inner_table *table, int top, int d,
                                   size_t place, size_t shift, int settled, int lacking)
{
  const size_t row = (size_t)p->modes + 1, at = place * (size_t)table->inner.width;
  const size_t *skip = p->skip + (size_t)d * row, *steps = p->shift + (size_t)d * row;
  permi_amplitude_source *source = p->walk->source + settled;
  int i, s;
  if (d == 0) {
    memset(table->photon + at, 0, (size_t)table->inner.width * sizeof *table->photon);
    memset(table->inner.place + at, 0, (size_t)table->inner.width * sizeof *table->inner.place);
    for (i = 0, source = p->walk->source; i < settled; i++) {
      table->inner.place[at + (size_t)i] = (int32_t)((ptrdiff_t)(place + table->lower) - source[i].below);
      table->photon[at + (size_t)i][0] = (uint16_t)source[i].c[0];
      table->photon[at + (size_t)i][1] = (uint16_t)source[i].c[1];
    }
    if (table->kept)
      table->kept[place] = lacking + p->lacks[top] == 0;
    return;
  }
  for (i = 1; i <= top; i++) {
    const int full = p->place.most[i - 1], least = p->output.least[i - 1];
    const size_t below = shift + steps[top] - steps[i];
    const size_t first = place + skip[top] - skip[i] - permi_ranks_first(&p->place, i - 1, d - full);
    source->below = (ptrdiff_t)below;
    source->c[0] = i - 1;
    for (s = i > 1 ? 1 : d; s <= d && s <= full; s++) {
      source->c[1] = s;
      permi_amplitudes_table(p, table, i - 1, d - s, first + permi_ranks_first(&p->place, i - 1, d - s),
                             below + p->turn[(size_t)(i - 1) * ((size_t)p->n + 2) + (size_t)(d - s)], settled + 1,
                             lacking + p->lacks[top] - p->lacks[i] + (least > s ? least - s : 0));
    }
  }
}
/* SPDX-License-Identifier: MIT */
