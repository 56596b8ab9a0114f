/* ======================================================================================= >>dissection
   An elimination of pairs, a row and the column matched to it, by nested dissection [Geo73]: a level of a breadth-first
   search separates the pairs, and its two sides go first, each the same way. A front is a separator or a small part:
   its own pairs and, on its boundary, the later pairs that they or those below touch. Planar graphs have separators of
   O(sqrt n) pairs and take O(n^1.5) products; the levels of boards are such separators. */
#pragma once
#include "kasteleyn.h"

#define PERMI_FRONT_LEAST 10 /* chosen: smaller parts are one front */

typedef struct permi_front {
  int begin, end;                  /* own pairs: order[begin..end) */
  int parent;                      /* before it; -1: none */
  int boundary, boundary_end;      /* of boundary[] */
  int entry, entry_end;            /* of entry[] */
} permi_front;

typedef struct permi_dissection {
  int n, fronts, largest;
  permi_front *front; /* parents first: eliminated from the last to the first */
  int *order;         /* pairs; pair i is row i and its column */
  int *boundary, *entry;
  double products, bytes_each; /* of one elimination; numbers held at a time */
} permi_dissection;

typedef struct permi_dissection_part {
  int begin, end, parent;
} permi_dissection_part;

typedef struct permi_dissecting {
  permi_dissection *made;
  permi_control *watch;
  int *start, *next;          /* the graph of the pairs */
  int *part, *level, *queue, *place;
  int parts;
} permi_dissecting;

/* A breadth-first search of the part of `from`; its pairs in queue[0..returned). */
static int permi_dissection_search(permi_dissecting *d, int from)
{
  const int part = d->part[from];
  int head = 0, tail = 0, e;
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
  return tail;
}

static void permi_dissection_forget(permi_dissecting *d, int count)
{
  int k;
  for (k = 0; k < count; k++)
    d->level[d->queue[k]] = -1;
}

/* The level that separates best: small, with no side over three quarters. *count: pairs before it. */
static int permi_dissection_level(const permi_dissecting *d, int count, int *before)
{
  const int levels = d->level[d->queue[count - 1]] + 1;
  double best = (double)INFINITY;
  int k = 0, l, chosen = 0;
  *before = 0;
  for (l = 0; l < levels - 1; l++) { /* the last one has no far side */
    const int begin = k;
    double price, larger;
    for (; k < count && d->level[d->queue[k]] == l; k++)
      ;
    larger = fmax(begin, count - k);
    price = (k - begin) * (larger > 0.75 * count ? 1e6 * larger : 1 + larger / count);
    if (price < best) {
      best = price;
      chosen = l;
      *before = begin;
    }
  }
  return chosen;
}

/* Reorders order[begin..end) into two sides and, last, what separates them. */
static void permi_dissection_split(permi_dissecting *d, permi_dissection_part part, int *first_end, int *second_end)
{
  int *order = d->made->order;
  const int size = part.end - part.begin;
  int count = permi_dissection_search(d, order[part.begin]), k, e, level, before, at[3];
  if (count < size) { /* a component: nothing separates it from the others */
    const int name = d->parts++;
    for (k = 0; k < count; k++)
      d->part[d->queue[k]] = name;
    permi_dissection_forget(d, count);
    at[0] = part.begin;
    at[1] = part.begin + count;
    memcpy(d->queue, order + part.begin, (size_t)size * sizeof *order);
    for (k = 0; k < size; k++)
      order[at[d->part[d->queue[k]] != name]++] = d->queue[k];
    *first_end = part.begin + count;
    *second_end = part.end;
    return;
  }
  for (k = 0; k < 2; k++) { /* from an end of the part, nearly */
    const int far_end = d->queue[count - 1];
    permi_dissection_forget(d, count);
    count = permi_dissection_search(d, far_end);
  }
  level = permi_dissection_level(d, count, &before);
  for (k = 0; k < count; k++) {
    const int v = d->queue[k];
    int side = d->level[v] < level ? 0 : d->level[v] > level;
    if (d->level[v] == level) {
      side = 0; /* unless it touches the far side */
      for (e = d->start[v]; e < d->start[v + 1] && !side; e++)
        side = d->level[d->next[e]] > level ? 2 : 0;
    }
    d->place[v] = side;
  }
  at[0] = at[1] = at[2] = 0;
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

/* The tree of fronts. stack: room for n + 1 parts. */
static void permi_dissection_grow(permi_dissecting *d, permi_dissection_part *stack)
{
  permi_dissection *made = d->made;
  int depth = 0, k;
  for (k = 0; k < made->n; k++) {
    made->order[k] = k;
    d->part[k] = 0;
    d->level[k] = -1;
  }
  d->parts = 1;
  made->fronts = 0;
  stack[depth].begin = 0;
  stack[depth].end = made->n;
  stack[depth++].parent = -1;
  while (depth > 0 && !permi_watch(d->watch, 100)) {
    const permi_dissection_part part = stack[--depth];
    int first_end = part.begin, second_end = part.begin, parent = part.parent;
    if (part.end - part.begin > PERMI_FRONT_LEAST)
      permi_dissection_split(d, part, &first_end, &second_end);
    if (second_end < part.end) {
      permi_front *front = &made->front[made->fronts];
      memset(front, 0, sizeof *front);
      front->begin = second_end;
      front->end = part.end;
      front->parent = parent;
      parent = made->fronts++;
    }
    stack[depth].begin = part.begin;
    stack[depth].end = first_end;
    stack[depth].parent = parent;
    depth += first_end > part.begin;
    stack[depth].begin = first_end;
    stack[depth].end = second_end;
    stack[depth].parent = parent;
    depth += second_end > first_end;
  }
}

/* Boundaries, from the last front to the first: those of the fronts below and what own pairs touch, less own pairs.
   seen, front_of: of a pair. Returns their number; with made->boundary NULL only that. */
static int permi_dissection_bound(permi_dissecting *d, int *seen, const int *front_of, const int *child,
                                  const int *sibling)
{
  permi_dissection *made = d->made;
  int used = 0, f, c, k, e;
  for (k = 0; k < made->n; k++)
    seen[k] = -1;
  for (f = made->fronts - 1; f >= 0 && !permi_watch(d->watch, 50); f--) {
    permi_front *front = &made->front[f];
    front->boundary = used;
    for (k = front->begin; k < front->end; k++)
      for (e = d->start[made->order[k]]; e < d->start[made->order[k] + 1]; e++) {
        const int w = d->next[e];
        if (front_of[w] < f && seen[w] != f) {
          seen[w] = f;
          made->boundary[used++] = w;
        }
      }
    for (c = child[f]; c >= 0; c = sibling[c])
      for (k = made->front[c].boundary; k < made->front[c].boundary_end; k++) {
        const int w = made->boundary[k];
        if (front_of[w] < f && seen[w] != f) {
          seen[w] = f;
          made->boundary[used++] = w;
        }
      }
    front->boundary_end = used;
  }
  return used;
}

/* A bound on the room for boundaries, from sizes alone: each is at most the boundaries below and the pairs touched. */
static double permi_dissection_room(const permi_dissecting *d, double *room)
{
  const permi_dissection *made = d->made;
  double sum = 0;
  int f, k;
  memset(room, 0, (size_t)made->fronts * sizeof *room);
  for (f = made->fronts - 1; f >= 0; f--) {
    const permi_front *front = &made->front[f];
    for (k = front->begin; k < front->end; k++)
      room[f] += d->start[made->order[k] + 1] - d->start[made->order[k]];
    room[f] = fmin(room[f], made->n);
    sum += room[f];
    if (front->parent >= 0)
      room[front->parent] += room[f];
  }
  return sum;
}

/* Products, memory and the largest front, when no pivot is put off. */
static void permi_dissection_price(permi_dissection *made, const int *child, const int *sibling)
{
  double held = 0, most = 0;
  int f, c;
  made->products = 0;
  made->largest = 0;
  for (f = made->fronts - 1; f >= 0; f--) {
    const permi_front *front = &made->front[f];
    const double own = front->end - front->begin, rest = front->boundary_end - front->boundary, size = own + rest;
    made->products += (size * (size + 1) * (2 * size + 1) - rest * (rest + 1) * (2 * rest + 1)) / 6;
    made->largest = size > made->largest ? (int)size : made->largest;
    most = fmax(most, held + size * size + rest * rest);
    held += rest * rest;
    for (c = child[f]; c >= 0; c = sibling[c]) {
      const double below = made->front[c].boundary_end - made->front[c].boundary;
      held -= below * below;
    }
  }
  made->bytes_each = most;
}

/* The graph of pairs: two touch if an entry has the row of one and the column of the other. */
static void permi_dissection_graph(const permi_block *block, const int *partner, permi_dissecting *d)
{
  const int n = block->n;
  int used = 0, i, e, c;
  for (c = 0; c < n; c++)
    d->place[partner[c]] = n + c; /* the row's column */
  for (i = 0; i < n; i++) {
    int side;
    d->start[i] = used;
    for (side = 0; side < 2; side++) {
      const int v = side ? d->place[i] : i;
      for (e = block->start[v]; e < block->start[v + 1]; e++) {
        const int w = side ? block->neighbour[e] : partner[block->neighbour[e] - n];
        if (w != i)
          d->next[used++] = w;
      }
    }
  }
  d->start[n] = used;
}

/* Lists the entries of each front: where the first of their two pairs is eliminated. */
static void permi_dissection_entries(const permi_block *block, const int *partner, const int *front_of,
                                     permi_dissection *made)
{
  int pass, i, e, f;
  for (pass = 0; pass < 2; pass++) {
    for (i = 0; i < block->n; i++)
      for (e = block->start[i]; e < block->start[i + 1]; e++) {
        const int other = front_of[partner[block->neighbour[e] - block->n]];
        permi_front *front = &made->front[front_of[i] > other ? front_of[i] : other];
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

/* In memory of *pool; incomplete if watch stops. 0: out of memory. partner: of a column, its row. */
static int permi_dissect(const permi_block *block, const int *partner, permi_pool *pool, permi_control *watch,
                         permi_dissection *made)
{
  const size_t n = (size_t)block->n, edges = (size_t)block->edges;
  permi_pool own = {pool->allocator, NULL, 0};
  permi_dissecting d;
  permi_dissection_part *stack;
  double *room;
  int *number, *child, *sibling, *front_of, f, k;
  d.made = made;
  d.watch = watch;
  made->n = block->n;
  made->front = (permi_front *)permi_pool_get(pool, n, sizeof *made->front);
  made->order = (int *)permi_pool_get(pool, n + edges, sizeof(int));
  number = (int *)permi_pool_get(&own, 8 * n + 1 + 2 * edges, sizeof(int));
  stack = (permi_dissection_part *)permi_pool_get(&own, n + 2, sizeof *stack);
  room = (double *)permi_pool_get(&own, n, sizeof *room);
  if (pool->failed || own.failed) {
    permi_pool_release(&own);
    return 0;
  }
  made->entry = made->order + n;
  d.start = number;
  d.next = d.start + n + 1;
  d.part = d.next + 2 * edges;
  d.level = d.part + n;
  d.queue = d.level + n;
  d.place = d.queue + n;
  child = d.place + n;
  sibling = child + n;
  front_of = sibling + n;
  permi_dissection_graph(block, partner, &d);
  permi_dissection_grow(&d, stack);
  for (f = 0; f < made->fronts; f++) {
    child[f] = -1;
    for (k = made->front[f].begin; k < made->front[f].end; k++)
      front_of[made->order[k]] = f;
    if (made->front[f].parent >= 0) {
      sibling[f] = child[made->front[f].parent];
      child[made->front[f].parent] = f;
    } else {
      sibling[f] = -1;
    }
  }
  if (!permi_watch(watch, 40.0 * (double)(n + edges))) {
    made->boundary = (int *)permi_pool_get(pool, (size_t)permi_dissection_room(&d, room) + 1, sizeof(int));
    if (made->boundary) {
      permi_dissection_bound(&d, d.place, front_of, child, sibling);
      permi_dissection_price(made, child, sibling);
      permi_dissection_entries(block, partner, front_of, made);
    }
  }
  permi_pool_release(&own);
  return !pool->failed;
}
