/* ======================================================================================= >>dissection
   Eliminates pairs, a row and the column matched to it, by nested dissection [Geo73]: a level of a breadth-first search
   separates them, and its two sides go first, each the same way. A front is a separator or a small part: its own pairs
   and, on its boundary, the later pairs that it touches. Planar graphs have separators of O(sqrt n) pairs and take
   O(n^1.5) products. */
#pragma once
#include "kasteleyn.h"

#define PERMI_FRONT_LEAST 10 /* chosen: smaller parts are one front */

typedef struct permi_front {
  int begin, end;                  /* of order */
  int parent;                      /* -1: none */
  int child, sibling;              /* last one, those before; -1: none */
  int boundary, boundary_end, entry, entry_end;
} permi_front;

typedef struct permi_dissection {
  int n, fronts, largest;
  permi_front *front; /* parents first, eliminated last */
  int *order;         /* pair i is row i and its column */
  int *boundary, *entry;
  double products, bytes_each; /* of one elimination; numbers held at a time */
} permi_dissection;

typedef struct permi_dissection_part {
  int begin, end, parent;
} permi_dissection_part;

typedef struct permi_dissecting {
  permi_dissection *made;
  permi_control *watch;
  int *start, *next, *part, *level, *queue, *place, *key;
  int *count; /* 2 n + 1, twice */
  int parts, used, room;
  double work;
} permi_dissecting;

#define PERMI_DISSECTION_WORK 100 /* chosen: for each pair, of searches (three a level) and of boundaries */

/* Returns the end of what it adds to the queue from `tail` on. */
static int permi_dissection_search(permi_dissecting *d, int from, int tail)
{
  const int part = d->part[from];
  int head = tail, e;
  d->queue[tail++] = from;
  d->level[from] = 0;
  while (head < tail) {
    const int v = d->queue[head++];
    for (e = d->start[v]; e < d->start[v + 1]; e++) {
      const int w = d->next[e];
      if (d->part[w] == part && d->level[w] < 0) {
        d->level[w] = d->level[v] + 1;
        d->queue[tail++] = w;
      }
    }
    permi_watch(d->watch, 20);
  }
  d->work += tail;
  return tail;
}

static void permi_dissection_forget(permi_dissecting *d, int count)
{
  for (int k = 0; k < count; k++)
    d->level[d->queue[k]] = -1;
}

/* Finds what separates the queue: pairs of keys up to *at touching one above. Returns its price; no side over 3/4. */
static double permi_dissection_cut(const permi_dissecting *d, int count, const int *key, int *at)
{
  int *const many = d->count, *const touching = many + 2 * d->made->n + 1; /* from the least key on */
  int least = key[d->queue[0]], most = least, before = 0, separating = 0, k, e;
  double best = (double)INFINITY;
  for (k = 0; k < count; k++) {
    least = key[d->queue[k]] < least ? key[d->queue[k]] : least;
    most = key[d->queue[k]] > most ? key[d->queue[k]] : most;
  }
  memset(many, 0, (size_t)(most - least + 1) * sizeof *many);
  memset(touching, 0, (size_t)(most - least + 1) * sizeof *touching);
  for (k = 0; k < count; k++) {
    const int v = d->queue[k];
    int above = key[v];
    for (e = d->start[v]; e < d->start[v + 1]; e++)
      if (d->part[d->next[e]] == d->part[v] && key[d->next[e]] > above)
        above = key[d->next[e]];
    many[key[v] - least]++;
    touching[key[v] - least]++; /* counts from its key to below the largest that it touches */
    touching[above - least]--;
  }
  for (k = least; k < most; k++) {
    before += many[k - least];
    separating += touching[k - least];
    const double larger = fmax(before - separating, count - before);
    const double price = separating * (larger > 0.75 * count ? 1e6 * larger : 1 + larger / count);
    if (price < best) {
      best = price;
      *at = k;
    }
  }
  return best;
}

static void permi_dissection_split(permi_dissecting *d, permi_dissection_part part, int *first_end, int *second_end)
{
  int *order = d->made->order;
  const int size = part.end - part.begin, *key;
  int count = permi_dissection_search(d, order[part.begin], 0), k, e, level = 0, middle = 0, at[3] = {0, 0, 0};
  if (count < size) { /* takes components, about half of the pairs */
    int all = count;
    for (k = part.begin; 2 * all < size; k++)
      if (d->level[order[k]] < 0) {
        count = all;
        all = permi_dissection_search(d, order[k], all);
      }
    count = all < size ? all : count;
    for (k = part.begin; k < part.end; k++)
      d->place[order[k]] = 1;
    for (k = 0; k < count; k++)
      d->place[d->queue[k]] = 0;
    permi_dissection_forget(d, all);
    memcpy(d->queue, order + part.begin, (size_t)size * sizeof *order);
    count = size;
  } else {
    for (k = 0; k < 2; k++) { /* searches nearly from one end, then from the other */
      const int far_end = d->queue[count - 1];
      for (e = 0; e < count; e++)
        d->key[d->queue[e]] = d->level[d->queue[e]];
      permi_dissection_forget(d, count);
      count = permi_dissection_search(d, far_end, 0);
    }
    for (k = 0; k < count; k++) /* takes differences, straight where levels bend around an end */
      d->key[d->queue[k]] = d->level[d->queue[k]] - d->key[d->queue[k]];
    const double price = permi_dissection_cut(d, count, d->level, &level);
    key = permi_dissection_cut(d, count, d->key, &middle) < price ? d->key : d->level;
    level = key == d->key ? middle : level;
    for (k = 0; k < count; k++) {
      const int v = d->queue[k];
      int side = key[v] > level;
      for (e = d->start[v]; e < d->start[v + 1] && !side; e++)
        side = d->part[d->next[e]] == d->part[v] && key[d->next[e]] > level ? 2 : 0;
      d->place[v] = side;
    }
  }
  for (k = 0; k < count; k++)
    at[d->place[d->queue[k]]]++;
  *first_end = part.begin + at[0];
  *second_end = *first_end + at[1];
  at[2] = *second_end;
  at[1] = *first_end;
  at[0] = part.begin;
  for (k = 0; k < count; k++) {
    const int v = d->queue[k];
    order[at[d->place[v]]++] = v;
    d->part[v] = d->parts + d->place[v];
  }
  d->parts += 3;
  permi_dissection_forget(d, count);
}

static void permi_dissection_grow(permi_dissecting *d, permi_dissection_part *stack)
{
  permi_dissection *made = d->made;
  const permi_dissection_part whole = {0, made->n, -1};
  int depth = 0, k;
  for (k = 0; k < made->n; k++) {
    made->order[k] = k;
    d->part[k] = 0;
    d->level[k] = -1;
  }
  d->parts = 1;
  d->work = 0;
  made->fronts = 0;
  stack[depth++] = whole;
  while (depth > 0 && !permi_watch(d->watch, 100)) {
    permi_dissection_part part = stack[--depth];
    int first_end = part.begin, second_end = part.begin, parent = part.parent;
    if (part.end - part.begin > PERMI_FRONT_LEAST && d->work < PERMI_DISSECTION_WORK * (double)made->n)
      permi_dissection_split(d, part, &first_end, &second_end);
    if (second_end < part.end) {
      permi_front *front = &made->front[made->fronts];
      memset(front, 0, sizeof *front);
      front->begin = second_end;
      front->end = part.end;
      front->parent = parent;
      front->child = front->sibling = -1;
      if (parent >= 0) {
        front->sibling = made->front[parent].child;
        made->front[parent].child = made->fronts;
      }
      parent = made->fronts++;
    }
    part.parent = parent;
    part.end = first_end;
    stack[depth] = part;
    depth += first_end > part.begin;
    part.begin = first_end;
    part.end = second_end;
    stack[depth] = part;
    depth += second_end > first_end;
  }
}

/* Leaves out pairs that are there or are eliminated below. Returns 0 without memory. */
static int permi_dissection_touch(permi_dissecting *d, const perm_allocator *allocator, int f, int pair)
{
  permi_dissection *made = d->made;
  if (d->level[pair] >= f || d->place[pair] == f) /* level is its front */
    return 1;
  d->place[pair] = f;
  if (!permi_grow(allocator, &made->boundary, d->used, &d->room, sizeof *made->boundary))
    return 0;
  made->boundary[d->used++] = pair;
  return 1;
}

/* Makes boundaries, last front first: those below and what own pairs touch, less these. Returns 0 if they are too many,
   -1 without memory. */
static int permi_dissection_bound(permi_dissecting *d, const perm_allocator *allocator)
{
  permi_dissection *made = d->made;
  const double most = PERMI_DISSECTION_WORK * (double)made->n;
  int f, c, k, e, good = 1;
  for (k = 0; k < made->n; k++)
    d->place[k] = -1;
  for (f = made->fronts - 1; f >= 0 && good && d->used < most && !permi_watch(d->watch, 50); f--) {
    permi_front *front = &made->front[f];
    front->boundary = d->used;
    for (k = front->begin; k < front->end && good; k++)
      for (e = d->start[made->order[k]]; e < d->start[made->order[k] + 1] && good; e++)
        good = permi_dissection_touch(d, allocator, f, d->next[e]);
    for (c = front->child; c >= 0 && good; c = made->front[c].sibling)
      for (k = made->front[c].boundary; k < made->front[c].boundary_end && good; k++)
        good = permi_dissection_touch(d, allocator, f, made->boundary[k]);
    front->boundary_end = d->used;
  }
  return !good ? -1 : d->used < most;
}

/* Incomplete if watch stops; partner is a column's row. Returns 0 without memory. */
static int permi_dissect(const permi_block *block, const int *partner, permi_pool *pool, permi_control *watch,
                         permi_dissection *made)
{
  const size_t n = (size_t)block->n, edges = (size_t)block->edges;
  permi_pool own = {pool->allocator, NULL, 0};
  permi_dissecting d = {made, watch, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0};
  int *boundary, bounded = 1, f, k, c, i, e, side, pass;
  double held = 0;
  made->n = block->n;
  made->boundary = NULL;
  made->bytes_each = 0;
  made->front = (permi_front *)permi_pool_get(pool, n, sizeof *made->front);
  permi_dissection_part *stack = (permi_dissection_part *)permi_pool_get(&own, n + 2, sizeof *stack);
  if (!permi_pool_ints(pool, &made->order, n, &made->entry, edges, (int **)NULL) || !made->front || !stack ||
      !permi_pool_ints(&own, &d.start, n + 1, &d.next, 2 * edges, &d.part, n, &d.level, n, &d.queue, n, &d.place, n,
                       &d.key, n, &d.count, 4 * n + 2, (int **)NULL)) {
    permi_pool_release(&own);
    return 0;
  }
  for (c = 0; c < block->n; c++)
    d.place[partner[c]] = block->n + c; /* the row's column */
  for (i = 0; i < block->n; i++) { /* pairs touch if an entry has a row of one and a column of the other */
    d.start[i] = d.used;
    for (side = 0; side < 2; side++) {
      const int v = side ? d.place[i] : i;
      for (e = block->start[v]; e < block->start[v + 1]; e++) {
        const int w = side ? block->neighbour[e] : partner[block->neighbour[e] - block->n];
        if (w != i)
          d.next[d.used++] = w;
      }
    }
  }
  d.start[block->n] = d.used;
  d.used = 0;
  permi_dissection_grow(&d, stack);
  for (f = 0; f < made->fronts; f++)
    for (k = made->front[f].begin; k < made->front[f].end; k++)
      d.level[made->order[k]] = f;
  if (!permi_watch(watch, 40.0 * (double)(n + edges))) {
    bounded = permi_dissection_bound(&d, pool->allocator);
    boundary = made->boundary;
    made->boundary = (int *)permi_pool_kept(pool, boundary, (size_t)d.used, sizeof(int));
    permi_release(pool->allocator, boundary);
    made->products = (double)INFINITY;
    if (bounded > 0 && !pool->failed) {
      made->products = made->largest = 0; /* if no pivot is put off */
      for (f = made->fronts - 1; f >= 0; f--) {
        const permi_front *front = &made->front[f];
        const double rest = front->boundary_end - front->boundary, size = front->end - front->begin + rest;
        made->products += (size * (size + 1) * (2 * size + 1) - rest * (rest + 1) * (2 * rest + 1)) / 6;
        made->largest = size > made->largest ? (int)size : made->largest;
        made->bytes_each = fmax(made->bytes_each, held + size * size + rest * rest);
        held += rest * rest;
        for (c = front->child; c >= 0; c = made->front[c].sibling) {
          const double below = made->front[c].boundary_end - made->front[c].boundary;
          held -= below * below;
        }
      }
      for (pass = 0; pass < 2; pass++) { /* sorts entries by front, where the first of their two pairs is eliminated */
        for (i = 0; i < block->n; i++)
          for (e = block->start[i]; e < block->start[i + 1]; e++) {
            const int one = d.level[i], other = d.level[partner[block->neighbour[e] - block->n]];
            permi_front *front = &made->front[one > other ? one : other];
            if (pass)
              made->entry[front->entry_end] = block->edge[e];
            front->entry_end++;
          }
        for (f = 0, e = 0; f < made->fronts && !pass; f++) {
          made->front[f].entry = e;
          e += made->front[f].entry_end;
          made->front[f].entry_end = made->front[f].entry;
        }
      }
    }
  }
  permi_pool_release(&own);
  return !pool->failed && bounded >= 0;
}
/* SPDX-License-Identifier: MIT */
