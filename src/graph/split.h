/* ========================================================================================== >>split
   Entries linked along rows (side 0, vertices 0..n-1) and columns (side 1, n..2n-1); matching, components. */
#pragma once
#include "../multiplicities/counts_leaf.h"
#include "../matrix/matrix.h"

/* Finds a maximum matching in O(nnz sqrt(n)) [HK73]; returns its size, less if stopped. *_match: the partner or -1.
   work: 3 n, cursor: n. */
static int permi_matching(int n, const size_t *start, const int *column, int *row_match, int *column_match, int *work,
                          size_t *cursor, permi_control *watch)
{
  int *distance = work, *queue = work + n, *stack = work + 2 * (size_t)n;
  int i, pairs = 0;
  for (i = 0; i < n; i++)
    row_match[i] = column_match[i] = -1;
  for (i = 0; i < n && !permi_watch_step(watch, (size_t)i, 20); i++)
    for (size_t e = start[i]; e < start[i + 1] && row_match[i] < 0 && !permi_watch_step(watch, e, 5); e++)
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
      for (size_t e = start[row]; e < start[row + 1]; e++) {
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
    for (i = 0; i < n; i++) { /* depth first, by distance */
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

/* Finds the strong components in O(nnz) [Tar72], with arcs from a row to the rows matched to its columns; returns their
   number, less if stopped. Entries in perfect matchings are those within components [DM58]. work: 4 n, cursor: n. */
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
        if (number[next] < 0) {
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

typedef struct permi_cell {
  int vertex[2], next[2], previous[2]; /* links along row and column */
  double real, absolute, imaginary;    /* absolute: sum of |terms| behind the value */
  int rounded, exponent;
  int64_t integer, imaginary_integer;
} permi_cell;

static permi_cell permi_cell_one(void)
{
  const permi_cell one = {{0, 0}, {0, 0}, {0, 0}, 1, 1, 0, 0, 0, 1, 0};
  return one;
}

typedef struct permi_working {
  perm_allocator allocator;
  permi_pool pool;
  int n, live;
  int integer; /* nothing rounds */
  uint64_t modulus;
  int is_complex, keep, degree_two, blocks;
  int zeros;     /* 1: stored zeros are kept, cell e is entry e; 2: there are some */
  double *shift; /* NULL, or room for the lines' exponents of scaling */
  int inexact, lost; /* integers were rounded; entries below the normal doubles */
  double lost_error; /* of these, in units of 2^exp2 */
  perm_preparation report;
  int reported; /* >>choose's part of it is done */
  permi_cell *cell;
  int *head, *degree; /* first entry of a vertex; -1 once eliminated */
  int *at;            /* a line's entry, while merging */
  int *queue, *queued, *component, *column;
  int *first, *line; /* >>choose: in the room of queue, queued */
  int *work; /* 9 n + 2 */
  permi_cell *alone; /* of rows; vertex[1]: 0 if none went there; rounded: additions. NULL: square */
  size_t *start, *cursor; /* n + 1, n */
  long long exp2;
  permi_number constant;
  permi_control *watch;
} permi_working;

static int permi_working_create(permi_working *working, const perm_allocator *allocator, int n, size_t entries)
{
  const size_t rows = (size_t)n, vertices = 2 * rows;
  memset(working, 0, sizeof *working);
  working->allocator = *allocator;
  working->pool.allocator = &working->allocator;
  working->n = n;
  working->constant = permi_number_one();
  working->cell = (permi_cell *)permi_pool_get(&working->pool, entries, sizeof *working->cell);
  working->start = (size_t *)permi_pool_get(&working->pool, 2 * rows + 1, sizeof(size_t));
  if (!permi_pool_ints(&working->pool, &working->head, vertices, &working->degree, vertices, &working->at, vertices,
                       &working->queued, vertices, &working->component, vertices, &working->queue, vertices + 1,
                       &working->work, 9 * rows + 2, &working->column, entries, (int **)NULL)) {
    permi_pool_release(&working->pool);
    return 0;
  }
  working->first = working->queue;
  working->line = working->queued;
  working->cursor = working->start + rows + 1;
  for (size_t v = 0; v < vertices; v++) {
    working->head[v] = working->at[v] = -1;
    working->degree[v] = 0;
  }
  return 1;
}

static void permi_cell_link(permi_working *working, int index)
{
  permi_cell *cell = &working->cell[index];
  for (int side = 0; side < 2; side++) {
    int vertex = cell->vertex[side], head = working->head[vertex];
    cell->next[side] = head;
    cell->previous[side] = -1;
    if (head >= 0)
      working->cell[head].previous[side] = index;
    working->head[vertex] = index;
    working->degree[vertex]++;
  }
  working->live++;
}

static void permi_cell_unlink(permi_working *working, int index)
{
  permi_cell *cell = &working->cell[index];
  for (int side = 0; side < 2; side++) {
    int next = cell->next[side], previous = cell->previous[side];
    if (next >= 0)
      working->cell[next].previous[side] = previous;
    if (previous >= 0)
      working->cell[previous].next[side] = next;
    else
      working->head[cell->vertex[side]] = next;
    working->degree[cell->vertex[side]]--;
  }
  working->live--;
}

/* Removes entries in no perfect matching. Returns 0 if singular or stopped. */
static int permi_split(permi_working *working)
{
  int n = working->n, rows = 0, columns = 0, i, index, next;
  int *row_of = working->work, *number = working->work + n, *row_match = number + n, *column_match = row_match + n;
  int *column_of = column_match + n, *scratch = column_of + n; /* 4 n */
  size_t used = 0;
  for (i = 0; i < n && !permi_watch_step(working->watch, (size_t)i, 40); i++) {
    if (working->degree[i] >= 0)
      row_of[rows++] = i;
    if (working->degree[n + i] >= 0) {
      number[i] = columns;
      column_of[columns++] = i;
    }
  }
  if (permi_watch(working->watch, 0))
    return 0;
  working->start[0] = 0;
  for (i = 0; i < rows; i++) {
    for (index = working->head[row_of[i]]; index >= 0; index = working->cell[index].next[0]) {
      working->column[used++] = number[working->cell[index].vertex[1] - n];
      if (permi_watch_step(working->watch, used, 60))
        return 0;
    }
    working->start[i + 1] = used;
  }
  i = permi_matching(rows, working->start, working->column, row_match, column_match, scratch, working->cursor,
                     working->watch);
  if (permi_watch(working->watch, 30.0 * (double)used))
    return 0;
  if (++working->report.rounds == 1)
    working->report.structural_rank = i;
  if (i < rows) {
    /* rows that alternating paths reach from an unmatched row have one column fewer */
    int *queue = scratch, *seen = queue + rows, head = 0, tail = 0;
    memset(seen, 0, (size_t)rows * sizeof *seen);
    for (i = 0; row_match[i] >= 0; i++)
      ;
    seen[i] = 1;
    queue[tail++] = i;
    while (head < tail) {
      const int row = queue[head++];
      if (permi_watch_step(working->watch, (size_t)head, 20))
        return 0;
      for (used = working->start[row]; used < working->start[row + 1]; used++) {
        next = column_match[working->column[used]];
        if (!seen[next]++) /* next >= 0, or the matching would grow */
          queue[tail++] = next;
      }
    }
    perm_preparation *report = &working->report;
    const char *const names[] = {"row", "column", "row"}, *const *name = names + (report->m > report->n);
    const int several = (report->hall_lines = tail) > 1;
    report->hall_others = tail - 1;
    used = permi_say(report->hall, sizeof report->hall, "%d %s%s entries in only %d %s%s: %s%s", tail, *name,
                     several ? "s have" : " has", tail - 1, name[1], tail == 2 ? "" : "s", *name, several ? "s" : "");
    for (i = 0, head = 0; i < rows && head < 8; head += seen[i++] > 0)
      if (seen[i])
        used += permi_say(report->hall + used, sizeof report->hall - used, "%s %d%s", head ? "," : "", row_of[i] + 1,
                          head == 7 && tail > 8 ? ", .." : "");
    return 0;
  }
  working->blocks = permi_components(rows, working->start, working->column, column_match, row_match, scratch,
                                     working->cursor, working->watch);
  if (permi_watch(working->watch, 30.0 * (double)used))
    return 0;
  if (working->report.rounds == 1)
    working->report.components = working->blocks;
  for (i = 0; i < rows; i++)
    working->component[row_of[i]] = row_match[i];
  for (i = 0; i < columns; i++)
    working->component[n + column_of[i]] = row_match[column_match[i]];
  used = 0;
  for (i = 0; i < rows; i++)
    for (index = working->head[row_of[i]]; index >= 0; index = next) {
      if (permi_watch_step(working->watch, used++, 30))
        return 0;
      next = working->cell[index].next[0];
      if (working->component[working->cell[index].vertex[1]] != working->component[row_of[i]]) {
        permi_cell_unlink(working, index);
        working->report.dead_entries++;
      }
    }
  return 1;
}

/* Without empty columns. */
static void permi_components_number(permi_working *working)
{
  int *queue = working->queue, head, tail, v, index, seen = 0;
  working->blocks = 0;
  for (v = 0; v < 2 * working->n; v++)
    working->component[v] = -1;
  for (v = 0; v < 2 * working->n; v++) {
    if (working->degree[v] == 0 && (v >= working->n || !working->alone[v].vertex[1]))
      working->degree[v] = -1;
    if (working->degree[v] < 0 || working->component[v] >= 0)
      continue;
    queue[0] = v;
    working->component[v] = working->blocks;
    for (head = 0, tail = 1; head < tail; head++) {
      const int side = queue[head] >= working->n;
      for (index = working->head[queue[head]]; index >= 0; index = working->cell[index].next[side]) {
        const int other = working->cell[index].vertex[1 - side];
        if (permi_watch_step(working->watch, (size_t)seen++, 20))
          return;
        if (working->component[other] < 0) {
          working->component[other] = working->blocks;
          queue[tail++] = other;
        }
      }
    }
    working->blocks++;
  }
  working->report.components = working->report.blocks = working->blocks;
}
/* SPDX-License-Identifier: MIT */
