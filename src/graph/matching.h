/* ======================================================================================= >>matching
   Maximum matching of a bipartite graph in O(nnz sqrt(n)) [HK73]. Row i has columns column[start[i]..start[i+1]).
   row_match and column_match get the partner or -1. work: 3 n, cursor: n. Returns the number of pairs; fewer if
   stopped. */
#pragma once
#include "../matrix/matrix.h"

static int permi_matching(int n, const size_t *start, const int *column, int *row_match, int *column_match, int *work,
                          size_t *cursor, permi_control *watch)
{
  int *distance = work, *queue = work + n, *stack = work + 2 * (size_t)n;
  int i, pairs = 0;
  size_t e;
  for (i = 0; i < n; i++)
    row_match[i] = column_match[i] = -1;
  for (i = 0; i < n && !permi_watch_step(watch, (size_t)i, 20); i++)
    for (e = start[i]; e < start[i + 1] && row_match[i] < 0 && !permi_watch_step(watch, e, 5); e++)
      if (column_match[column[e]] < 0) {
        row_match[i] = column[e];
        column_match[column[e]] = i;
        pairs++;
      }
  for (;;) {
    int head = 0, tail = 0, nearest = INT_MAX;
    for (i = 0; i < n; i++) {
      if (permi_watch_step(watch, (size_t)i, 5))
        return pairs;
      distance[i] = row_match[i] < 0 ? 0 : -1;
      if (row_match[i] < 0)
        queue[tail++] = i;
      cursor[i] = start[i];
    }
    while (head < tail && distance[queue[head]] <= nearest) {
      int row = queue[head++];
      if (permi_watch(watch, 20 + 2 * (double)(start[row + 1] - start[row])))
        return pairs;
      for (e = start[row]; e < start[row + 1]; e++) {
        int next = column_match[column[e]];
        if (next < 0) {
          if (nearest == INT_MAX)
            nearest = distance[row];
        } else if (distance[next] < 0) {
          distance[next] = distance[row] + 1;
          queue[tail++] = next;
        }
      }
    }
    if (nearest == INT_MAX)
      return pairs;
    for (i = 0; i < n; i++) { /* depth first by growing distance: no row twice on the stack */
      int depth = 0;
      if (row_match[i] >= 0)
        continue;
      stack[0] = i;
      while (depth >= 0) {
        int row = stack[depth], next;
        if (permi_watch(watch, 5))
          return pairs;
        if (cursor[row] == start[row + 1]) {
          distance[row] = -1;
          if (--depth >= 0)
            cursor[stack[depth]]++;
          continue;
        }
        next = column_match[column[cursor[row]]];
        if (next < 0) {
          for (; depth >= 0; depth--) {
            row = stack[depth];
            row_match[row] = column[cursor[row]];
            column_match[row_match[row]] = row;
          }
          pairs++;
        } else if (distance[next] == distance[row] + 1) {
          stack[++depth] = next;
        } else {
          cursor[row]++;
        }
      }
    }
  }
}
/* SPDX-License-Identifier: MIT */
