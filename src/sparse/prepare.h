/* ======================================================================================== >>prepare
   A sparse matrix checked, reduced and cut into blocks. */
#pragma once
#include "../graph/reduce.h"
#include "../graph/order.h"

static perm_status permi_fail_long(perm_result *result)
{
  return permi_fail(result, PERM_ERROR_OVERFLOW, 0,
                    "the permanent may need more than %d bits: ask for it modulo a prime, or in doubles",
                    64 * PERM_INTEGER_WORDS);
}

static perm_status permi_check_sparse(const perm_matrix *matrix, permi_control *watch, perm_result *result)
{
  const char *missing;
  size_t i, e, previous;
  int part;
  if (!matrix)
    return permi_fail(result, PERM_ERROR_NULL, 1, "matrix is NULL");
  if (matrix->m < 0 || matrix->n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: %d x %d is negative", matrix->m, matrix->n);
  if ((int)matrix->kind < 0 || (int)matrix->kind > (int)PERM_KIND_COMPLEX)
    return permi_fail(result, PERM_ERROR_OPTION, 1, "matrix: kind %d is unknown", (int)matrix->kind);
  if (matrix->m == 0)
    return PERM_OK;
  if (matrix->m > INT_MAX / 16 || matrix->n > INT_MAX / 16 || matrix->nnz > INT_MAX / 4)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: %d x %d with %.0f entries is too large", matrix->m,
                      matrix->n, (double)matrix->nnz);
  if (!matrix->row_start || (matrix->nnz && !matrix->column))
    return permi_fail(result, PERM_ERROR_NULL, 1, "matrix: %s is NULL", matrix->row_start ? "column" : "row_start");
  missing = matrix->kind == PERM_KIND_INTEGER && !matrix->integer ? "integer"
            : matrix->kind >= PERM_KIND_REAL && !matrix->real     ? "real"
            : matrix->kind == PERM_KIND_COMPLEX && !matrix->imaginary ? "imaginary"
                                                                      : NULL;
  if (matrix->nnz && missing)
    return permi_fail(result, PERM_ERROR_NULL, 1, "matrix: %s is NULL", missing);
  if (matrix->row_start[0] != 0 || matrix->row_start[matrix->m] != matrix->nnz)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: row_start does not run from 0 to nnz");
  for (i = 0; i < (size_t)matrix->m && !permi_watch_step(watch, i, 3); i++)
    if (matrix->row_start[i] > matrix->row_start[i + 1] || matrix->row_start[i + 1] > matrix->nnz)
      return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: row_start decreases after row %d (counted from 1)",
                        (int)i + 1);
  for (i = 0; i < (size_t)matrix->m && !permi_watch_step(watch, i, 5); i++)
    for (e = previous = matrix->row_start[i]; e < matrix->row_start[i + 1] && !permi_watch_step(watch, e, 5);
         previous = e++) {
      if (matrix->column[e] < 0 || matrix->column[e] >= matrix->n)
        return permi_fail(result, PERM_ERROR_SIZE, 1,
                          "matrix: row %d (counted from 1) has column index %d of %d columns", (int)i + 1,
                          matrix->column[e], matrix->n);
      if (e > previous && matrix->column[e] <= matrix->column[previous])
        return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: the columns of row %d (counted from 1) do not ascend",
                          (int)i + 1);
      for (part = 0; part < (matrix->kind == PERM_KIND_COMPLEX ? 2 : matrix->kind == PERM_KIND_REAL); part++) {
        const char *bad = permi_not_finite(part ? matrix->imaginary[e] : matrix->real[e]);
        if (bad)
          return permi_fail(result, PERM_ERROR_NOT_FINITE, 1, "matrix: %s in row %d, column %d (counted from 1)", bad,
                            (int)i + 1, matrix->column[e] + 1);
      }
    }
  return watch->stopped == PERM_OK ? PERM_OK : permi_fail_stopped(watch, result);
}

/* A matrix read where the call left it: compressed rows, or an array, whose zeros are entries too. */
typedef struct permi_given {
  perm_kind kind;
  int m, n;
  size_t nnz;
  const size_t *row_start; /* NULL: an array, whose row i begins at i * ld */
  const int *column;
  const double *real, *imaginary;
  const int64_t *integer, *imaginary_integer;
  size_t ld, step;
} permi_given;

static permi_given permi_given_rows(const perm_matrix *matrix)
{
  permi_given given;
  memset(&given, 0, sizeof given);
  given.kind = matrix->kind;
  given.m = matrix->m;
  given.n = matrix->n;
  given.nnz = matrix->nnz;
  given.row_start = matrix->row_start;
  given.column = matrix->column;
  given.real = matrix->kind >= PERM_KIND_REAL ? matrix->real : NULL;
  given.imaginary = matrix->kind == PERM_KIND_COMPLEX ? matrix->imaginary : NULL;
  given.integer = matrix->kind == PERM_KIND_INTEGER ? matrix->integer : NULL;
  given.step = 1;
  return given;
}

static size_t permi_given_row(const permi_given *given, int i, size_t *end)
{
  const size_t begin = given->row_start ? given->row_start[i] : (size_t)i * given->ld;
  *end = given->row_start ? given->row_start[i + 1] : begin + (size_t)given->n;
  return begin;
}

typedef struct permi_given_item {
  int column;
  double real, imaginary;
  int64_t integer[2];
} permi_given_item;

/* Returns 1 if entry e of row i is an integer (Gaussian if complex) for exact engines. */
static int permi_given_entry(const permi_given *given, int i, size_t e, permi_given_item *entry)
{
  const size_t at = e * given->step;
  entry->column = given->row_start ? given->column[e] : (int)(e - (size_t)i * given->ld);
  entry->integer[0] = given->integer ? given->integer[at] : 1;
  entry->integer[1] = given->imaginary_integer ? given->imaginary_integer[at] : 0;
  entry->real = given->real ? given->real[at] : (double)entry->integer[0];
  entry->imaginary = given->imaginary ? given->imaginary[at] : (double)entry->integer[1];
  if (!given->real)
    return 1;
  if (!(fabs(entry->real) < 9007199254740992.0 && fabs(entry->imaginary) < 9007199254740992.0) ||
      entry->real != floor(entry->real) || entry->imaginary != floor(entry->imaginary))
    return 0;
  entry->integer[0] = (int64_t)entry->real;
  entry->integer[1] = (int64_t)entry->imaginary;
  return 1;
}

/* *row and *entry: the first that is no integer, or where watch stopped. */
static int permi_given_integers(const permi_given *given, int *row, permi_given_item *entry, permi_control *watch)
{
  size_t e, end;
  for (*row = 0; *row < given->m; ++*row)
    for (e = permi_given_row(given, *row, &end); e < end; e++)
      if (permi_watch_step(watch, e, 5) || !permi_given_entry(given, *row, e, entry))
        return 0;
  return 1;
}

static void permi_sparse_fill(const permi_given *given, int exact, int transposed, permi_working *working)
{
  permi_cell cell;
  permi_given_item entry;
  int i, used = 0;
  size_t e, end;
  memset(&cell, 0, sizeof cell);
  working->integer = exact;
  for (i = 0; i < given->m; i++) {
    e = permi_given_row(given, i, &end);
    if (permi_watch(working->watch, 50.0 * (double)(end - e)))
      break;
    for (; e < end && !permi_watch_step(working->watch, e, 0); e++) {
      permi_given_entry(given, i, e, &entry);
      if (exact ? entry.integer[0] == 0 && entry.integer[1] == 0 : entry.real == 0 && entry.imaginary == 0)
        continue;
      cell.real = entry.real;
      cell.imaginary = entry.imaginary;
      cell.absolute = fabs(entry.real);
      cell.integer = entry.integer[0];
      cell.imaginary_integer = entry.integer[1];
      cell.rounded = !exact && given->kind == PERM_KIND_INTEGER && cell.absolute >= 9007199254740992.0;
      working->inexact |= cell.rounded;
      cell.vertex[0] = transposed ? entry.column : i;
      cell.vertex[1] = working->n + (transposed ? i : entry.column);
      working->cell[used] = cell;
      permi_cell_link(working, used++);
    }
  }
  working->report.m = given->m;
  working->report.n = given->n;
  working->report.entries = (size_t)used;
}

/* *zero: the permanent is 0 by structure. */
static perm_status permi_sparse_prepare(const permi_given *given, int exact, permi_working *working, int *zero,
                                        perm_result *result)
{
  int first = 1, changed = 1;
  perm_status status = PERM_OK;
  *zero = 0;
  permi_sparse_fill(given, exact, 0, working);
  while (changed && !*zero && status == PERM_OK && !permi_watch(working->watch, 0)) {
    if (!permi_split(working)) {
      *zero = 1;
      break;
    }
    if (first && !exact && !permi_scale(working))
      return permi_fail_memory(result);
    first = 0;
    if (working->lost) /* its bound is about the entries as they are */
      break;
    status = permi_reduce(working, &changed, zero);
  }
  working->report.cancelled = *zero && working->report.structural_rank == working->n;
  if (status != PERM_OK)
    status = status == PERM_ERROR_MEMORY ? permi_fail_memory(result) : permi_fail_long(result);
  return status;
}

static uint64_t permi_cell_hash(const permi_working *working, const permi_cell *cell, int other)
{
  const uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)cell->vertex[other]);
  return working->integer ? permi_hash(permi_hash(hash, (uint64_t)cell->integer), (uint64_t)cell->imaginary_integer)
                          : permi_hash_double(permi_hash_double(hash, cell->real), cell->imaginary);
}

static int permi_lines_same(permi_working *working, int side, int a, int b)
{
  int index, equal = working->degree[a] == working->degree[b];
  for (index = working->head[a]; index >= 0; index = working->cell[index].next[side])
    working->at[working->cell[index].vertex[1 - side]] = index;
  for (index = working->head[b]; index >= 0 && equal; index = working->cell[index].next[side]) {
    const permi_cell *y = &working->cell[index], *x = y;
    const int at = working->at[y->vertex[1 - side]];
    if (at >= 0)
      x = &working->cell[at];
    equal = at >= 0 && (working->integer
                            ? x->integer == y->integer && x->imaginary_integer == y->imaginary_integer
                            : x->real == y->real && x->imaginary == y->imaginary);
  }
  for (index = working->head[a]; index >= 0; index = working->cell[index].next[side])
    working->at[working->cell[index].vertex[1 - side]] = -1;
  return equal;
}

/* Takes O(nnz + n); returns 0 if memory runs out. */
static int permi_report_left(permi_working *working)
{
  perm_preparation *report = &working->report;
  const int n = working->n;
  permi_ranked *line = (permi_ranked *)permi_allocate(&working->allocator, 2 * (size_t)n, sizeof *line), *sorted;
  int *size = working->work, side, v, k, lines, index;
  if (!line)
    return 0;
  for (k = 0; k < working->blocks; k++)
    size[k] = 0;
  for (v = 0; v < n; v++)
    if (working->degree[v] >= 0)
      size[working->component[v]]++;
  report->blocks = report->largest = 0;
  for (k = 0; k < working->blocks; k++) {
    report->blocks += size[k] > 1;
    report->largest = size[k] > 1 && size[k] > report->largest ? size[k] : report->largest;
  }
  for (side = 0; side < 2; side++) {
    int *equal = side ? &report->equal_columns : &report->equal_rows;
    for (lines = 0, v = side * n; v < side * n + n; v++)
      if (working->degree[v] >= 0 && size[working->component[v]] > 1 &&
          !permi_watch(working->watch, 20.0 * working->degree[v])) {
        line[lines].key = 0;
        line[lines].vertex = v;
        for (index = working->head[v]; index >= 0; index = working->cell[index].next[side])
          line[lines].key += permi_cell_hash(working, &working->cell[index], 1 - side);
        lines++;
        report->degree_three += working->degree[v] == 3;
        report->degree_four += working->degree[v] == 4;
        if (!side)
          report->entries_left += (size_t)working->degree[v];
      }
    sorted = (permi_ranked *)permi_sort(line, line + n, (size_t)lines, sizeof *line, working->watch);
    for (k = 1; k < lines && sorted; k++)
      if (sorted[k].key == sorted[k - 1].key && !permi_watch(working->watch, 20.0 * working->degree[sorted[k].vertex]))
        *equal += permi_lines_same(working, side, sorted[k - 1].vertex, sorted[k].vertex);
  }
  permi_release(&working->allocator, line);
  return 1;
}

static void permi_block_release(const perm_allocator *allocator, permi_block *block)
{
  permi_release(allocator, block->start); /* neighbour and edge too */
  permi_release(allocator, block->integer);
  permi_release(allocator, block->real);
}

/* Lists the live rows (*line), then from n on the columns, by blocks; those of block k begin at (*first)[k]. The caller
   releases both; on PERM_ERROR_MEMORY there is none. */
static perm_status permi_block_lines(permi_working *working, int **first, int **line)
{
  const perm_allocator *allocator = &working->allocator;
  const int n = working->n, blocks = working->blocks;
  int *begin = (int *)permi_allocate_zeros(allocator, 2 * ((size_t)blocks + 1), sizeof *begin), *fill;
  int *lines = (int *)permi_allocate(allocator, 2 * (size_t)n, sizeof *lines), v, k;
  if (!begin || !lines) {
    permi_release(allocator, begin);
    permi_release(allocator, lines);
    return PERM_ERROR_MEMORY;
  }
  fill = begin + blocks + 1;
  *first = begin;
  *line = lines;
  for (v = 0; v < n; v++)
    if (working->degree[v] >= 0)
      begin[working->component[v] + 1]++;
  for (k = 0; k < blocks; k++)
    begin[k + 1] += begin[k];
  for (v = 0; v < 2 * n; v++) {
    if (v % n == 0)
      memcpy(fill, begin, (size_t)blocks * sizeof *fill);
    if (permi_watch_step(working->watch, (size_t)v, 20))
      return working->watch->stopped;
    if (working->degree[v] >= 0)
      lines[(v < n ? 0 : n) + fill[working->component[v]]++] = v;
  }
  return PERM_OK;
}

/* The block is incomplete if watch stops; returns 0 if memory runs out. */
static int permi_block_create(permi_working *working, const int *rows, const int *columns, int n, permi_block *block)
{
  const perm_allocator *allocator = &working->allocator;
  int *number = working->work, *fill = working->work + 2 * (size_t)working->n;
  int i, index, edges = 0, c;
  memset(block, 0, sizeof *block);
  for (i = 0; i < n; i++) {
    number[rows[i]] = i;
    number[columns[i]] = n + i;
    edges += working->degree[rows[i]];
  }
  block->n = n;
  block->vertices = 2 * n;
  block->edges = edges;
  block->start = (int *)permi_allocate(allocator, 2 * (size_t)n + 1 + 4 * (size_t)edges, sizeof(int));
  if (working->integer)
    block->integer = (int64_t *)permi_allocate(allocator, (size_t)edges, (size_t)(1 + working->is_complex) * 8);
  else
    block->real = (double *)permi_allocate(allocator, (size_t)edges, (size_t)(2 + working->is_complex) * 8);
  if (!block->start || (!block->integer && !block->real)) {
    permi_block_release(allocator, block);
    return 0;
  }
  block->neighbour = block->start + (2 * n + 1);
  block->edge = block->neighbour + 2 * edges;
  block->absolute = block->real ? block->real + edges : NULL;
  block->imaginary = block->real && working->is_complex ? block->absolute + edges : NULL;
  block->imaginary_integer = block->integer && working->is_complex ? block->integer + edges : NULL;
  block->start[0] = 0;
  for (i = 0; i < 2 * n; i++) {
    block->start[i + 1] = block->start[i] + working->degree[i < n ? rows[i] : columns[i - n]];
    fill[i] = block->start[i];
  }
  edges = 0;
  for (i = 0; i < n; i++)
    for (index = working->head[rows[i]]; index >= 0; index = working->cell[index].next[0]) {
      if (permi_watch_step(working->watch, (size_t)edges, 30))
        return 1;
      const permi_cell *cell = &working->cell[index];
      c = number[cell->vertex[1]];
      block->neighbour[fill[c]] = i;
      block->edge[fill[c]++] = edges;
      if (block->integer) {
        block->integer[edges] = cell->integer;
        if (block->imaginary_integer)
          block->imaginary_integer[edges] = cell->imaginary_integer;
      } else {
        block->real[edges] = cell->real;
        block->absolute[edges] = cell->absolute;
        block->rounded |= cell->rounded;
        if (block->imaginary)
          block->imaginary[edges] = cell->imaginary;
      }
      edges++;
    }
  for (c = n; c < 2 * n; c++)
    for (index = block->start[c]; index < block->start[c + 1] && !permi_watch_step(working->watch, (size_t)index, 20);
         index++) {
      i = block->neighbour[index];
      block->neighbour[fill[i]] = c;
      block->edge[fill[i]++] = block->edge[index];
    }
  return 1;
}
/* SPDX-License-Identifier: MIT */
