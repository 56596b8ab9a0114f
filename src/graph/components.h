/* ===================================================================================== >>components
   Strong components of the digraph with an arc from row i to the row matched to each column of i, in O(nnz)
   [Tar72]: the fine Dulmage-Mendelsohn decomposition [DM58]. An entry lies in some perfect matching if and only if
   its row and column are of one component. work: 4 n, cursor: n. Returns their number; fewer if stopped. */
#pragma once
#include "../job/control.h"

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
        if (number[next] < 0) { /* looked at again when next is done, to take over its low */
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
