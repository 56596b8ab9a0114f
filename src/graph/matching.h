/* ======================================================================================= >>matching
   Makes blocks of a matrix. */
#pragma once
#include "../matrix/matrix.h"

/* Finds a maximum matching in O(nnz sqrt(n)) [HK73]. Row i has column[start[i]..start[i+1]). row_match and column_match
   get the partner or -1. work: 3 n, cursor: n. Returns the pairs, fewer if stopped. */
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
          nearest = nearest == INT_MAX ? distance[row] : nearest;
        } else if (distance[next] < 0) {
          distance[next] = distance[row] + 1;
          queue[tail++] = next;
        }
      }
    }
    if (nearest == INT_MAX)
      return pairs;
    for (i = 0; i < n; i++) { /* depth first by distance: no row twice on the stack */
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

/* Finds the strong components, with an arc from row i to the row matched to each column of i, in O(nnz) [Tar72]: the
   fine decomposition of [DM58]. An entry is in a perfect matching if and only if its row and column are of one
   component. work: 4 n, cursor: n. Returns their number, fewer if stopped. */
static int permi_components(int n, const size_t *start, const int *column, const int *column_match, int *component,
                            int *work, size_t *cursor, permi_control *watch)
{
  int *number = work, *low = work + n, *open = work + 2 * (size_t)n, *path = work + 3 * (size_t)n;
  int i, count = 0, visited = 0, opened = 0;
  for (i = 0; i < n; i++) {
    number[i] = component[i] = -1;
    cursor[i] = start[i];
  }
  for (i = 0; i < n; i++) {
    int depth = 0;
    if (number[i] >= 0)
      continue;
    path[0] = i;
    while (depth >= 0) {
      int row = path[depth];
      if (permi_watch(watch, 5))
        return count;
      if (number[row] < 0) {
        number[row] = low[row] = visited++;
        open[opened++] = row;
      }
      if (cursor[row] < start[row + 1]) {
        int next = column_match[column[cursor[row]]];
        if (number[next] < 0) { /* looked at again when next is done */
          path[++depth] = next;
          continue;
        }
        cursor[row]++;
        if (component[next] < 0 && low[next] < low[row])
          low[row] = low[next];
        continue;
      }
      if (low[row] == number[row]) {
        int member;
        do {
          member = open[--opened];
          component[member] = count;
        } while (member != row);
        count++;
      }
      depth--;
    }
  }
  return count;
}
/* SPDX-License-Identifier: MIT */
