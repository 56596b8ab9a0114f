/* ======================================================================================= >>kasteleyn
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
      products too, and not 0. No pivot on the diagonal vanishes then.
   Step 1 and Euler's formula are checked for the drawing at hand. */
#pragma once
#include "../graph/matching.h"
#include "embedding.h"

typedef struct permi_faces {
  int count;
  int *of;     /* of a half-edge: the face beside it */
  int *length; /* of a face: half-edges */
  int *any;    /* of a face: a half-edge */
} permi_faces;

/* Lists the faces; 0 unless V - E + F = 2: a drawing in the plane, if connected. */
static int permi_faces_list(const permi_embedding *map, permi_control *watch, permi_faces *faces)
{
  int h, at, steps;
  faces->count = 0;
  for (h = 0; h < 2 * map->edges; h++)
    faces->of[h] = -1;
  for (h = 0; h < 2 * map->edges; h++) {
    if (faces->of[h] >= 0)
      continue;
    if (permi_watch(watch, 20) || faces->count > map->edges)
      return 0;
    faces->any[faces->count] = h;
    for (at = h, steps = 0; faces->of[at] < 0; at = map->counterclockwise[at ^ 1], steps++)
      faces->of[at] = faces->count;
    if (at != h)
      return 0; /* no permutation */
    faces->length[faces->count++] = steps;
  }
  return map->vertices - map->edges + faces->count == 2;
}

/* Chooses signs along a spanning tree of the dual graph: from its leaves, each face mends its parity by the edge to its
   parent. The root's follows from Euler's formula; all are checked, and that edges lead to all faces: the graph is
   connected. 0: a check failed. work: 3 for each face, 1 for each edge. */
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
  int planar;        /* 0: the graph is not; -1: a check failed, our mistake */
  signed char *sign; /* of an edge */
  int *partner;      /* a column's row */
} permi_kasteleyn;

/* Makes the signs in memory of *pool; unknown if watch stops. 0: out of memory. */
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
  if (block->edges > 4 * block->n - 4) /* faces of bipartite graphs have four edges or more */
    return 1;
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
    faces.count = 0;
    good = permi_faces_list(&map, watch, &faces) && permi_signs_choose(&map, &faces, result->sign, column);
    result->faces = faces.count;
    result->planar = good ? 1 : -1;
    for (i = 0; i < block->n; i++) {
      start[i] = used;
      for (e = block->start[i]; e < block->start[i + 1]; e++)
        column[used++] = block->neighbour[e] - block->n;
    }
    start[n] = used;
    if (good && permi_matching(block->n, start, column, matched, result->partner, matched + n, start + n + 1, watch) <
                    block->n)
      result->planar = -1;
    for (i = 0; i < block->n && result->planar > 0; i++) { /* negates rows until the matching's signs are + */
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
