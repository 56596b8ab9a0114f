/* ======================================================================================= >>kasteleyn
   The left-right algorithm [Bra09] draws planar graphs, and refuses others, in linear time: edges that a depth-first
   search leaves out return to an ancestor, left or right of the path up. Those of one side must not cross; a stack of
   conflict pairs keeps which are on the same side.
   Signs that make a permanent a determinant [Kas61]. THE PROOF, for a connected graph in the plane whose vertices are
   rows and columns:
   1. A face of length l (an edge with the face on both sides counts twice) gets l/2 + 1 minus signs, modulo 2.
   2. A cycle of length c with v vertices inside then has c/2 + 1 + v minus signs: add up the faces inside; edges inside
      count twice, and Euler's formula gives their number.
   3. Two perfect matchings differ by cycles; inside each, vertices are matched among themselves, so v is even. A cycle
      of length c multiplies the sign of the permutation by (-1)^(c/2 + 1), and the signs of its entries by the same.
   4. So all terms of the signed determinant have one sign: +, with rows negated until one perfect matching has only
      plus signs and stands on the diagonal. The determinant is the permanent.
   5. The same holds for any rows and the columns matched to them: principal minors of a non-negative matrix are sums of
      products too, and not 0. No pivot on the diagonal vanishes then. */
#pragma once
#include "../graph/engines.h"

/* Half-edge 2 e + s leaves end s of edge e; end 0 is the row. */
typedef struct permi_embedding {
  int vertices, edges;
  int *end;                          /* left by a half-edge */
  int *clockwise, *counterclockwise; /* next around it */
} permi_embedding;

typedef struct permi_returns {
  int low, high; /* by height of their upper end; -1: none */
} permi_returns;

typedef struct permi_conflict {
  permi_returns left, right;
} permi_conflict;

typedef struct permi_drawing {
  const permi_block *block;
  permi_control *watch;
  int *height, *up;            /* depth, -1: not met; the edge to it, -1: a root */
  int *first, *cursor; /* outgoing edges; the search */
  int *from, *to;
  int *low, *next_low; /* heights that an edge's subtree returns to: least, second */
  int *outgoing, *nesting, *reference, *side, *low_edge, *bottom, *bucket;
  permi_conflict *conflict;
  int conflicts;
} permi_drawing;

static void permi_drawing_finish(permi_drawing *d, int e)
{
  const int v = d->from[e], parent = d->up[v];
  d->nesting[e] = 2 * d->low[e] + (d->next_low[e] < d->height[v]); /* inner ones last */
  if (parent < 0)
    return;
  if (d->low[e] < d->low[parent]) {
    d->next_low[parent] = d->low[parent] < d->next_low[e] ? d->low[parent] : d->next_low[e];
    d->low[parent] = d->low[e];
  } else {
    const int candidate = d->low[e] > d->low[parent] ? d->low[e] : d->next_low[e];
    d->next_low[parent] = candidate < d->next_low[parent] ? candidate : d->next_low[parent];
  }
}

static void permi_drawing_direct(permi_drawing *d)
{
  const permi_block *block = d->block;
  const int vertices = 2 * block->n;
  for (int v = 0; v < vertices; v++) {
    d->height[v] = d->up[v] = -1;
    d->cursor[v] = block->start[v];
  }
  for (int e = 0; e < block->edges; e++)
    d->from[e] = -1;
  for (int root = 0; root < vertices; root++) {
    if (d->height[root] >= 0)
      continue;
    d->height[root] = 0;
    for (int v = root; v >= 0 && !permi_watch(d->watch, 10);) {
      const int at = d->cursor[v]++;
      if (at == block->start[v + 1]) {
        const int e = d->up[v];
        if (e >= 0)
          permi_drawing_finish(d, e);
        v = e >= 0 ? d->from[e] : -1;
        continue;
      }
      const int e = block->edge[at];
      if (d->from[e] >= 0)
        continue;
      const int w = block->neighbour[at];
      d->from[e] = v;
      d->to[e] = w;
      d->low[e] = d->next_low[e] = d->height[v];
      if (d->height[w] < 0) {
        d->up[w] = e;
        d->height[w] = d->height[v] + 1;
        v = w;
      } else {
        d->low[e] = d->height[w];
        permi_drawing_finish(d, e);
      }
    }
  }
}

static void permi_drawing_sort(permi_drawing *d)
{
  const int vertices = 2 * d->block->n, edges = d->block->edges, offset = 2 * vertices + 1;
  int *count = d->bucket, *sorted = d->bucket + 2 * offset + 2;
  memset(count, 0, (size_t)(2 * offset + 2) * sizeof *count);
  memset(d->first, 0, (size_t)(vertices + 1) * sizeof *d->first);
  for (int e = 0; e < edges; e++) {
    count[d->nesting[e] + offset + 1]++;
    d->first[d->from[e] + 1]++;
  }
  for (int k = 0; k <= 2 * offset; k++)
    count[k + 1] += count[k];
  for (int e = 0; e < edges; e++)
    sorted[count[d->nesting[e] + offset]++] = e;
  for (int v = 0; v < vertices; v++)
    d->first[v + 1] += d->first[v];
  memcpy(d->cursor, d->first, (size_t)vertices * sizeof *d->cursor);
  for (int k = 0; k < edges; k++)
    d->outgoing[d->cursor[d->from[sorted[k]]]++] = sorted[k];
  memcpy(d->cursor, d->first, (size_t)vertices * sizeof *d->cursor);
}

static void permi_conflict_swap(permi_conflict *pair)
{
  const permi_returns left = pair->left;
  pair->left = pair->right;
  pair->right = left;
}

static int permi_returns_below(const permi_drawing *d, const permi_returns *interval, int e)
{
  return interval->high >= 0 && d->low[interval->high] > d->low[e];
}

static void permi_drawing_refer(permi_drawing *d, int e, int to)
{
  if (e >= 0)
    d->reference[e] = to;
}

/* Sets the return edges of e against those of elder siblings; `parent` leads to their vertex. Returns 0 if not planar.
   */
static int permi_drawing_constrain(permi_drawing *d, int e, int parent)
{
  permi_conflict merged = {{-1, -1}, {-1, -1}}, pair;
  do { /* those of e: to one side */
    pair = d->conflict[--d->conflicts];
    if (pair.left.high >= 0)
      permi_conflict_swap(&pair);
    if (pair.left.high >= 0)
      return 0;
    if (d->low[pair.right.low] > d->low[parent]) {
      if (merged.right.high < 0)
        merged.right.high = pair.right.high;
      else
        permi_drawing_refer(d, merged.right.low, pair.right.high);
      merged.right.low = pair.right.low;
    } else {
      permi_drawing_refer(d, pair.right.low, d->low_edge[parent]);
    }
  } while (d->conflicts > d->bottom[e]);
  while (d->conflicts > 0 && (permi_returns_below(d, &d->conflict[d->conflicts - 1].left, e) ||
                              permi_returns_below(d, &d->conflict[d->conflicts - 1].right, e))) {
    pair = d->conflict[--d->conflicts]; /* those that cross them: to the other */
    if (permi_returns_below(d, &pair.right, e))
      permi_conflict_swap(&pair);
    if (permi_returns_below(d, &pair.right, e))
      return 0;
    permi_drawing_refer(d, merged.right.low, pair.right.high);
    if (pair.right.low >= 0)
      merged.right.low = pair.right.low;
    if (merged.left.high < 0)
      merged.left.high = pair.left.high;
    else
      permi_drawing_refer(d, merged.left.low, pair.left.high);
    merged.left.low = pair.left.low;
  }
  if (merged.left.high >= 0 || merged.right.high >= 0)
    d->conflict[d->conflicts++] = merged;
  return 1;
}

/* Drops what returns to u from an interval; `other` is beside it. */
static void permi_drawing_trim(permi_drawing *d, permi_returns *interval, const permi_returns *other, int u)
{
  while (interval->high >= 0 && d->to[interval->high] == u)
    interval->high = d->reference[interval->high];
  if (interval->high < 0 && interval->low >= 0) {
    d->reference[interval->low] = other->low;
    d->side[interval->low] = -1;
    interval->low = -1;
  }
}

static int permi_drawing_test(permi_drawing *d)
{
  int root, e, v, planar = 1;
  for (e = 0; e < d->block->edges; e++) {
    d->reference[e] = -1;
    d->side[e] = 1;
  }
  d->conflicts = 0;
  for (root = 0; root < 2 * d->block->n; root++) {
    if (d->up[root] >= 0)
      continue;
    for (v = root; planar && !permi_watch(d->watch, 20);) {
      if (d->cursor[v] == d->first[v + 1]) { /* back to the edge that led here */
        e = d->up[v];
        if (e < 0)
          break;
        v = d->from[e];
        for (; d->conflicts > 0; d->conflicts--) { /* what returns to v conflicts with none above */
          permi_conflict *top = &d->conflict[d->conflicts - 1];
          const int left = top->left.low >= 0 ? d->low[top->left.low] : INT_MAX;
          const int right = top->right.low >= 0 ? d->low[top->right.low] : INT_MAX;
          if ((left < right ? left : right) != d->height[v])
            break;
          if (top->left.low >= 0)
            d->side[top->left.low] = -1;
        }
        if (d->conflicts > 0) {
          permi_conflict *top = &d->conflict[d->conflicts - 1];
          permi_drawing_trim(d, &top->left, &top->right, v);
          permi_drawing_trim(d, &top->right, &top->left, v);
          if (d->low[e] < d->height[v]) { /* to the side of a highest return edge */
            const int left = top->left.high, right = top->right.high;
            d->reference[e] = left >= 0 && (right < 0 || d->low[left] > d->low[right]) ? left : right;
          }
        }
      } else {
        e = d->outgoing[d->cursor[v]++];
        d->bottom[e] = d->conflicts;
        if (d->up[d->to[e]] == e) {
          v = d->to[e];
          continue;
        }
        d->low_edge[e] = e;
        d->conflict[d->conflicts].left.low = d->conflict[d->conflicts].left.high = -1;
        d->conflict[d->conflicts].right.low = d->conflict[d->conflicts].right.high = e;
        d->conflicts++;
      }
      if (d->low[e] < d->height[v] && e == d->outgoing[d->first[v]])
        d->low_edge[d->up[v]] = d->low_edge[e];
      else if (d->low[e] < d->height[v])
        planar = permi_drawing_constrain(d, e, d->up[v]);
    }
  }
  return planar;
}

/* Puts h after or before `beside`, alone if beside < 0. */
static void permi_embedding_insert(permi_embedding *map, int h, int beside, int after)
{
  if (beside < 0) {
    map->clockwise[h] = map->counterclockwise[h] = h;
    return;
  }
  const int before = after ? beside : map->counterclockwise[beside];
  map->clockwise[h] = map->clockwise[before];
  map->counterclockwise[h] = before;
  map->counterclockwise[map->clockwise[h]] = h;
  map->clockwise[before] = h;
}

/* Outgoing edges come in order, then each return edge beside the path on its side. */
static void permi_drawing_draw(permi_drawing *d, permi_embedding *map)
{
  const int vertices = 2 * d->block->n;
  int *leftmost = d->height, *left = d->next_low, *right = d->bottom;
  for (int v = 0; v < vertices; v++) {
    int last = -1;
    leftmost[v] = -1;
    for (int k = d->first[v]; k < d->first[v + 1]; k++) {
      const int h = 2 * d->outgoing[k] + (map->end[2 * d->outgoing[k]] != v);
      permi_embedding_insert(map, h, last, 1);
      leftmost[v] = last < 0 ? h : leftmost[v];
      last = h;
    }
    d->cursor[v] = d->first[v];
  }
  for (int root = 0; root < vertices; root++) {
    for (int v = d->up[root] < 0 ? root : -1; v >= 0;) {
      if (d->cursor[v] == d->first[v + 1]) {
        v = d->up[v] < 0 ? -1 : d->from[d->up[v]];
        continue;
      }
      const int e = d->outgoing[d->cursor[v]++], w = d->to[e], there = 2 * e + (map->end[2 * e] == v);
      if (d->up[w] == e) {
        permi_embedding_insert(map, there, leftmost[w], 0);
        leftmost[w] = there;
        left[v] = right[v] = there ^ 1;
        v = w;
      } else if (d->side[e] > 0) {
        permi_embedding_insert(map, there, right[w], 1);
      } else {
        permi_embedding_insert(map, there, left[w], 0);
        leftmost[w] = leftmost[w] == left[w] ? there : leftmost[w];
        left[w] = there;
      }
    }
  }
}

/* Draws, or sets *planar to 0; incomplete if watch stops. Returns 0 without memory. */
static int permi_embed(const permi_block *block, permi_pool *pool, permi_control *watch, permi_embedding *map,
                       int *planar)
{
  const size_t vertices = 2 * (size_t)block->n, edges = (size_t)block->edges;
  const size_t most = vertices > edges ? vertices : edges;
  permi_pool own = {pool->allocator, NULL, 0};
  permi_drawing d;
  memset(&d, 0, sizeof d);
  memset(map, 0, sizeof *map);
  d.block = block;
  d.watch = watch;
  map->vertices = (int)vertices;
  map->edges = block->edges;
  d.conflict = (permi_conflict *)permi_pool_get(&own, edges + 1, sizeof *d.conflict);
  if (!permi_pool_ints(pool, &map->end, 2 * edges, &map->clockwise, 2 * edges, &map->counterclockwise, 2 * edges,
                       (int **)NULL) ||
      !permi_pool_ints(&own, &d.height, vertices, &d.up, vertices, &d.cursor, vertices, &d.first, vertices + 1,
                       &d.outgoing, edges, &d.from, edges, &d.to, edges, &d.low, edges, &d.nesting, edges,
                       &d.reference, edges, &d.side, edges, &d.low_edge, edges, &d.next_low, most, &d.bottom, most,
                       &d.bucket, 4 * vertices + 4 + edges, (int **)NULL) || !d.conflict) {
    permi_pool_release(&own);
    return 0;
  }
  for (int v = 0; v < block->n; v++)
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      map->end[2 * block->edge[e]] = v;
      map->end[2 * block->edge[e] + 1] = block->neighbour[e];
    }
  permi_drawing_direct(&d);
  if (!permi_watch(watch, 20.0 * (double)edges))
    permi_drawing_sort(&d);
  *planar = !permi_watch(watch, 0) && permi_drawing_test(&d);
  if (*planar && !permi_watch(watch, 50.0 * (double)edges)) {
    for (int e = 0; e < block->edges; e++) { /* makes relative sides absolute */
      int depth = 0, v = e;
      for (; d.reference[v] >= 0; v = d.reference[v])
        d.bucket[depth++] = v;
      for (; depth > 0; v = d.bucket[depth]) {
        depth--;
        d.side[d.bucket[depth]] *= d.side[v];
        d.reference[d.bucket[depth]] = -1;
      }
      d.nesting[e] *= d.side[e];
    }
    permi_drawing_sort(&d);
    permi_drawing_draw(&d, map);
  }
  permi_pool_release(&own);
  return 1;
}

typedef struct permi_faces {
  int count;
  int *of, *length, *any; /* the face beside a half-edge; its half-edges, one of them */
} permi_faces;

/* Returns 0 unless V - E + F = 2: a drawing in the plane, if connected. */
static int permi_faces_list(const permi_embedding *map, permi_control *watch, permi_faces *faces)
{
  faces->count = 0;
  for (int h = 0; h < 2 * map->edges; h++)
    faces->of[h] = -1;
  for (int h = 0; h < 2 * map->edges; h++) {
    int at = h, steps = 0;
    if (faces->of[h] >= 0)
      continue;
    if (permi_watch(watch, 20) || faces->count > map->edges)
      return 0;
    faces->any[faces->count] = h;
    for (; faces->of[at] < 0; at = map->counterclockwise[at ^ 1], steps++)
      faces->of[at] = faces->count;
    if (at != h)
      return 0; /* no permutation */
    faces->length[faces->count++] = steps;
  }
  return map->vertices - map->edges + faces->count == 2;
}

/* Along a spanning tree of the dual graph, from its leaves, each face mends its parity by the edge to its parent. The
   root's follows from Euler's formula; all are checked, and that edges lead to all faces, as the graph is connected.
   Returns 0 if a check failed. work: 3 a face. */
static int permi_signs_choose(const permi_embedding *map, const permi_faces *faces, signed char *sign, int *work)
{
  int *queue = work, *toward = work + faces->count, *minus = toward + faces->count;
  int head = 0, tail = 0, f, h, k;
  for (f = 0; f < faces->count; f++) {
    toward[f] = -1;
    minus[f] = 0;
  }
  memset(sign, 1, (size_t)map->edges);
  queue[tail++] = 0;
  while (head < tail) {
    f = queue[head++];
    h = faces->any[f];
    for (k = 0; k < faces->length[f]; k++, h = map->counterclockwise[h ^ 1]) {
      const int other = faces->of[h ^ 1];
      if (other != 0 && toward[other] < 0) {
        toward[other] = h;
        queue[tail++] = other;
      }
    }
  }
  for (k = tail - 1; k > 0; k--) {
    f = queue[k];
    if ((faces->length[f] / 2 + 1 + minus[f]) % 2) {
      sign[toward[f] / 2] = -1;
      minus[f]++;
      minus[faces->of[toward[f]]]++;
    }
  }
  for (f = 0; f < faces->count; f++)
    minus[f] = faces->length[f] / 2 + 1;
  for (h = 0; h < 2 * map->edges; h++)
    minus[faces->of[h]] += sign[h / 2] < 0;
  for (f = 0; f < faces->count; f++)
    if (minus[f] % 2 || faces->length[f] % 2)
      return 0;
  return tail == faces->count;
}

typedef struct permi_kasteleyn {
  int faces;
  int planar;        /* 0: not planar; -1: a check failed */
  signed char *sign;
  int *partner;      /* a column's row */
} permi_kasteleyn;

/* Signs stay unknown if watch stops. Returns 0 without memory. */
static int permi_kasteleyn_make(const permi_block *block, permi_pool *pool, permi_control *watch,
                                permi_kasteleyn *result)
{
  const size_t n = (size_t)block->n, edges = (size_t)block->edges;
  permi_pool own = {pool->allocator, NULL, 0};
  permi_embedding map;
  permi_faces faces;
  int *column, *matched, i, e, good; /* column: at first the work of choosing */
  size_t *start, used = 0;
  result->planar = 0;
  result->faces = 0;
  result->sign = (signed char *)permi_pool_get(pool, edges, 1);
  result->partner = (int *)permi_pool_get(pool, n, sizeof(int));
  start = (size_t *)permi_pool_get(&own, 2 * n + 1, sizeof *start);
  if (pool->failed ||
      !permi_pool_ints(&own, &faces.of, 2 * edges, &faces.length, edges + 1, &faces.any, edges + 1, &column,
                       3 * edges + n + 3, &matched, 4 * n, (int **)NULL) ||
      !permi_embed(block, &own, watch, &map, &result->planar)) {
    permi_pool_release(&own);
    return 0;
  }
  if (result->planar && !permi_watch(watch, 0)) {
    good = permi_faces_list(&map, watch, &faces) && permi_signs_choose(&map, &faces, result->sign, column);
    result->faces = faces.count;
    for (i = 0; i < block->n; i++) {
      start[i] = used;
      for (e = block->start[i]; e < block->start[i + 1]; e++)
        column[used++] = block->neighbour[e] - block->n;
    }
    start[n] = used;
    good = good && permi_matching(block->n, start, column, matched, result->partner, matched + n, start + n + 1,
                                  watch) == block->n;
    result->planar = good ? 1 : -1;
    for (i = 0; i < block->n && good; i++) { /* negates rows until the matching's signs are + */
      int flip = 1;
      for (e = block->start[i]; e < block->start[i + 1]; e++)
        if (block->neighbour[e] == matched[i] + block->n)
          flip = result->sign[block->edge[e]];
      for (e = block->start[i]; e < block->start[i + 1]; e++)
        result->sign[block->edge[e]] = (signed char)(result->sign[block->edge[e]] * flip);
    }
  }
  permi_pool_release(&own);
  return 1;
}
/* SPDX-License-Identifier: MIT */
