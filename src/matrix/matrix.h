/* ========================================================================================= >>matrix
   Compressed rows from lists of entries and from arrays. Promises: after a failure *matrix is all zero and nothing
   stays allocated; the result has ascending columns, no zeros and no position twice; linear time and memory. */
#pragma once
#include "../api/calls.h"
#include "../base/memory.h"
#include "../job/control.h"
#include "../api/sparse_calls.h"

typedef struct permi_entry {
  uint64_t key;  /* row << 32 | column: ascending keys are the order of compressed rows */
  uint64_t line; /* where it was given; for triplets their number */
  double real, imaginary;
  int64_t integer;
} permi_entry;

typedef struct permi_entries {
  permi_entry *entry;
  size_t count, capacity;
} permi_entries;

/* -- matrices ---------------------------------------------------------------------------------- */

PERM_SPARSE_API size_t perm_matrix_bytes(void)
{
  return sizeof(perm_matrix);
}

PERM_SPARSE_API void perm_matrix_free(perm_matrix *matrix)
{
  if (!matrix)
    return;
  permi_release(&matrix->allocator, matrix->row_start);
  permi_release(&matrix->allocator, matrix->column);
  permi_release(&matrix->allocator, matrix->real);
  permi_release(&matrix->allocator, matrix->imaginary);
  permi_release(&matrix->allocator, matrix->integer);
  memset(matrix, 0, sizeof *matrix);
}

/* The arrays of a matrix, contents undefined but for row_start = 0. 0: no memory, *matrix all zero. */
static int permi_matrix_allocate(perm_matrix *matrix, int m, int n, size_t nnz, perm_kind kind,
                                 const perm_allocator *allocator)
{
  int complete;
  memset(matrix, 0, sizeof *matrix);
  matrix->allocator = *allocator;
  matrix->m = m;
  matrix->n = n;
  matrix->nnz = nnz;
  matrix->kind = kind;
  matrix->row_start = (size_t *)permi_allocate(allocator, (size_t)m + 1, sizeof *matrix->row_start);
  complete = matrix->row_start != NULL;
  if (complete)
    matrix->column = (int *)permi_allocate(allocator, nnz, sizeof *matrix->column);
  complete = complete && matrix->column;
  if (complete && kind != PERM_KIND_PATTERN) {
    matrix->real = (double *)permi_allocate(allocator, nnz, sizeof *matrix->real);
    complete = matrix->real != NULL;
  }
  if (complete && kind == PERM_KIND_COMPLEX) {
    matrix->imaginary = (double *)permi_allocate(allocator, nnz, sizeof *matrix->imaginary);
    complete = matrix->imaginary != NULL;
  }
  if (complete && kind == PERM_KIND_INTEGER) {
    matrix->integer = (int64_t *)permi_allocate(allocator, nnz, sizeof *matrix->integer);
    complete = matrix->integer != NULL;
  }
  if (!complete) {
    perm_matrix_free(matrix);
    return 0;
  }
  memset(matrix->row_start, 0, ((size_t)m + 1) * sizeof *matrix->row_start);
  return 1;
}

/* -- lists of entries -------------------------------------------------------------------------- */

static uint64_t permi_entry_key(uint64_t row, uint64_t column)
{
  return row << 32 | column;
}

static int permi_entry_is_zero(const permi_entry *entry, perm_kind kind)
{
  if (kind == PERM_KIND_PATTERN)
    return 0;
  if (kind == PERM_KIND_INTEGER)
    return entry->integer == 0;
  return entry->real == 0 && entry->imaginary == 0;
}

/* permi_watch inside long loops: step k of so many units each. Only every 65536th counts, so that what is small costs
   nothing and changes no plan. 1 from the step that was told to stop on. */
#define PERMI_WATCH_STEPS 65536 /* a power of two */
static int permi_watch_step(permi_control *watch, size_t k, double units)
{
  if (~k & (PERMI_WATCH_STEPS - 1))
    return watch && watch->stopped != PERM_OK;
  return permi_watch(watch, units * PERMI_WATCH_STEPS);
}

/* The same for steps of any length: units gather in *gathered until they are a look's worth. */
static int permi_watch_gather(permi_control *watch, double *gathered, double units)
{
  *gathered += units;
  if (*gathered < PERMI_WATCH_STEPS)
    return watch && watch->stopped != PERM_OK;
  units = *gathered;
  *gathered = 0;
  return permi_watch(watch, units);
}

/* Copies a piece at a time, under the eyes of watch. 0: it says stop. */
#define PERMI_PIECE ((size_t)1 << 24)
static int permi_copy(permi_control *watch, void *to, const void *from, size_t bytes)
{
  size_t k;
  for (k = 0; k < bytes; k += PERMI_PIECE) {
    if (k && permi_watch(watch, PERMI_PIECE))
      return 0;
    memcpy((char *)to + k, (const char *)from + k, bytes - k < PERMI_PIECE ? bytes - k : PERMI_PIECE);
  }
  return 1;
}

/* The same for zeros. */
static int permi_clear(permi_control *watch, void *to, size_t bytes)
{
  size_t k;
  for (k = 0; k < bytes; k += PERMI_PIECE) {
    if (k && permi_watch(watch, PERMI_PIECE))
      return 0;
    memset((char *)to + k, 0, bytes - k < PERMI_PIECE ? bytes - k : PERMI_PIECE);
  }
  return 1;
}

/* qsort under the eyes of watch: what is long is parted first (Hoare), in place. 0: it says stop, and the order is any.
   compare must tell all items apart; size: at most PERMI_SORT_BYTES. */
#define PERMI_SORT_BYTES 32
#define PERMI_SORT_WHOLE 65536
static int permi_sort(void *items, size_t count, size_t size, int (*compare)(const void *left, const void *right),
                      permi_control *watch)
{
  char pivot[PERMI_SORT_BYTES], held[PERMI_SORT_BYTES], *first = (char *)items;
  while (count > PERMI_SORT_WHOLE) {
    char *low = first, *high = first + (count - 1) * size;
    size_t left;
    if (permi_watch(watch, 15.0 * (double)count))
      return 0;
    memcpy(pivot, first + count / 2 * size, size);
    while (low <= high) {
      while (compare(low, pivot) < 0)
        low += size;
      while (compare(high, pivot) > 0)
        high -= size;
      if (low > high)
        break;
      memcpy(held, low, size);
      memcpy(low, high, size);
      memcpy(high, held, size);
      low += size;
      if (high == first) /* no pointer before the array */
        break;
      high -= size;
    }
    left = (size_t)(low - first) / size;
    if (left <= count / 2) { /* the shorter part by a call, so that calls nest 32 deep at most */
      if (!permi_sort(first, left, size, compare, watch))
        return 0;
      first += left * size;
      count -= left;
    } else {
      if (!permi_sort(first + left * size, count - left, size, compare, watch))
        return 0;
      count = left;
    }
  }
  qsort(first, count, size, compare);
  return !permi_watch(watch, 0);
}

/* 0: no memory, or watch says stop; the list is as before. */
static int permi_entries_push(permi_entries *list, const permi_entry *entry, const perm_allocator *allocator,
                              permi_control *watch)
{
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? list->capacity : 32;
    permi_entry *larger;
    if (capacity > (size_t)-1 / 2)
      return 0;
    capacity *= 2;
    larger = (permi_entry *)permi_allocate(allocator, capacity, sizeof *larger);
    if (!larger)
      return 0;
    if (!permi_copy(watch, larger, list->entry, list->count * sizeof *larger)) {
      permi_release(allocator, larger);
      return 0;
    }
    permi_release(allocator, list->entry);
    list->entry = larger;
    list->capacity = capacity;
  }
  list->entry[list->count++] = *entry;
  return 1;
}

/* Stable radix sort by key, byte by byte, skipping bytes that all keys share: linear for hostile input too, and
   it needs no array of n counters (n may be 2^31-1 in a file of 60 bytes). 0: no memory, or watch says stop. */
static int permi_entries_sort(permi_entries *list, const perm_allocator *allocator, permi_control *watch)
{
  permi_entry *from = list->entry, *to, *swap;
  uint64_t varying = 0;
  size_t k, start, next, count[256];
  int shift, ascending = 1;
  for (k = 1; k < list->count; k++) {
    if (permi_watch_step(watch, k, 2))
      return 0;
    ascending &= from[k - 1].key <= from[k].key;
    varying |= from[k].key ^ from[0].key;
  }
  if (ascending)
    return 1;
  to = (permi_entry *)permi_allocate(allocator, list->count, sizeof *to);
  if (!to)
    return 0;
  for (shift = 0; shift < 64; shift += 8) {
    if (!(varying >> shift & 255))
      continue;
    memset(count, 0, sizeof count);
    for (k = 0; k < list->count && !permi_watch_step(watch, k, 3); k++)
      count[from[k].key >> shift & 255]++;
    for (k = 0, start = 0; k < 256; k++, start = next) {
      next = start + count[k];
      count[k] = start;
    }
    for (k = 0; k < list->count; k++) {
      if (permi_watch_step(watch, k, 60)) /* at once if the counts are not complete */
        break;
      to[count[from[k].key >> shift & 255]++] = from[k];
    }
    swap = from;
    from = to;
    to = swap;
  }
  permi_release(allocator, to);
  list->entry = from;
  list->capacity = list->count;
  return !permi_watch(watch, 0);
}

/* In a sorted list: the entry whose position was given before and that came first in the input; NULL: none.
   The earlier one of the same position stands just before it. Of a mirrored pair (same line) the lower entry,
   which is the one in the file, has the larger key. NULL too if watch says stop. */
static const permi_entry *permi_entries_duplicate(const permi_entries *list, permi_control *watch)
{
  const permi_entry *found = NULL;
  size_t k;
  for (k = 1; k < list->count && !permi_watch_step(watch, k, 3); k++)
    if (list->entry[k].key == list->entry[k - 1].key && (!found || list->entry[k].line <= found->line))
      found = &list->entry[k];
  return found;
}

/* Compressed rows of a sorted list without duplicates; zeros are left out. 0: no memory, or watch says stop. */
static int permi_entries_compress(const permi_entries *list, int m, int n, perm_kind kind,
                                  const perm_allocator *allocator, permi_control *watch, perm_matrix *matrix)
{
  size_t k, nnz = 0;
  int i;
  for (k = 0; k < list->count && !permi_watch_step(watch, k, 3); k++)
    nnz += !permi_entry_is_zero(&list->entry[k], kind);
  if (permi_watch(watch, 0) || !permi_matrix_allocate(matrix, m, n, nnz, kind, allocator))
    return 0;
  for (k = 0, nnz = 0; k < list->count; k++) {
    const permi_entry *entry = &list->entry[k];
    if (permi_watch_step(watch, k, 30)) {
      perm_matrix_free(matrix);
      return 0;
    }
    if (permi_entry_is_zero(entry, kind))
      continue;
    matrix->row_start[(entry->key >> 32) + 1]++;
    matrix->column[nnz] = (int)(entry->key & 0x7fffffff);
    if (matrix->real)
      matrix->real[nnz] = entry->real;
    if (matrix->imaginary)
      matrix->imaginary[nnz] = entry->imaginary;
    if (matrix->integer)
      matrix->integer[nnz] = entry->integer;
    nnz++;
  }
  for (i = 0; i < m; i++)
    matrix->row_start[i + 1] += matrix->row_start[i];
  return 1;
}

/* -- from arrays ------------------------------------------------------------------------------- */

static perm_status permi_matrix_from_dense(int m, int n, const double *a, ptrdiff_t ld,
                                           const perm_options *options, perm_matrix *matrix,
                                           perm_result *result)
{
  perm_allocator allocator = permi_options(options)->allocator;
  size_t nnz = 0;
  int i, j;
  permi_result_clear(result);
  if (!matrix)
    return permi_fail(result, PERM_ERROR_NULL, 6, "matrix is NULL");
  memset(matrix, 0, sizeof *matrix);
  if (m < 0 || m > PERM_MATRIX_MAX_ROWS)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "m = %d outside 0..%d", m, PERM_MATRIX_MAX_ROWS);
  if (n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "n = %d is negative", n);
  if (!a && m && n)
    return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL");
  if (ld < n)
    return permi_fail(result, PERM_ERROR_STRIDE, 4, "ld = %lld is less than n = %d", (long long)ld, n);
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++) {
      double value = a[(ptrdiff_t)i * ld + j];
      if (!(fabs(value) <= DBL_MAX))
        return permi_fail(result, PERM_ERROR_NOT_FINITE, 3, "a[%d][%d] is not finite", i, j);
      nnz += value != 0;
    }
  if (!permi_matrix_allocate(matrix, m, n, nnz, PERM_KIND_REAL, &allocator))
    return permi_fail(result, PERM_ERROR_MEMORY, 0, "out of memory for a matrix of %zu entries", nnz);
  for (i = 0, nnz = 0; i < m; i++) {
    for (j = 0; j < n; j++) {
      double value = a[(ptrdiff_t)i * ld + j];
      if (value == 0)
        continue;
      matrix->column[nnz] = j;
      matrix->real[nnz++] = value;
    }
    matrix->row_start[i + 1] = nnz;
  }
  return PERM_OK;
}

PERM_SPARSE_API perm_status perm_matrix_from_dense(int m, int n, const double *a, ptrdiff_t ld,
                                                   const perm_options *options_given, perm_matrix *matrix,
                                                   perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, 8.0 * fmax(m, 0) * fmax((double)ld, 0));
  return permi_meter_end(&call, permi_matrix_from_dense(m, n, a, ld, options, matrix, result), result);
}

/* The arguments but for the entries themselves. */
static perm_status permi_check_triplets(int m, int n, size_t nnz, const int *row, const int *column, const double *real,
                                        const double *imaginary, const int64_t *integer, perm_kind kind,
                                        perm_result *result)
{
  if (m < 0 || m > PERM_MATRIX_MAX_ROWS)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "m = %d outside 0..%d", m, PERM_MATRIX_MAX_ROWS);
  if (n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "n = %d is negative", n);
  if ((int)kind < 0 || (int)kind > (int)PERM_KIND_COMPLEX)
    return permi_fail(result, PERM_ERROR_OPTION, 9, "kind = %d is no perm_kind", (int)kind);
  if (!nnz)
    return PERM_OK;
  if (!row)
    return permi_fail(result, PERM_ERROR_NULL, 4, "row is NULL");
  if (!column)
    return permi_fail(result, PERM_ERROR_NULL, 5, "column is NULL");
  if (kind >= PERM_KIND_REAL && !real)
    return permi_fail(result, PERM_ERROR_NULL, 6, "real is NULL");
  if (kind == PERM_KIND_COMPLEX && !imaginary)
    return permi_fail(result, PERM_ERROR_NULL, 7, "imaginary is NULL");
  if (kind == PERM_KIND_INTEGER && !integer)
    return permi_fail(result, PERM_ERROR_NULL, 8, "integer is NULL");
  return PERM_OK;
}

static perm_status permi_matrix_from_triplets(int m, int n, size_t nnz, const int *row, const int *column,
                                              const double *real, const double *imaginary,
                                              const int64_t *integer, perm_kind kind,
                                              const perm_options *options, perm_matrix *matrix,
                                              perm_result *result)
{
  perm_allocator allocator = permi_options(options)->allocator;
  permi_control watch = permi_control_begin(permi_options(options));
  permi_entries list;
  const permi_entry *second;
  perm_status status;
  size_t k;
  permi_result_clear(result);
  if (!matrix)
    return permi_fail(result, PERM_ERROR_NULL, 11, "matrix is NULL");
  memset(matrix, 0, sizeof *matrix);
  status = permi_check_triplets(m, n, nnz, row, column, real, imaginary, integer, kind, result);
  if (status != PERM_OK)
    return status;
  list.count = 0;
  list.capacity = nnz;
  list.entry = (permi_entry *)permi_allocate(&allocator, nnz, sizeof *list.entry);
  if (!list.entry)
    return permi_fail(result, PERM_ERROR_MEMORY, 0, "out of memory for %zu triplets", nnz);
  for (k = 0; k < nnz && status == PERM_OK && !permi_watch_step(&watch, k, 40); k++) {
    permi_entry *entry = &list.entry[list.count++];
    entry->integer = kind == PERM_KIND_INTEGER ? integer[k] : 0;
    entry->real = kind == PERM_KIND_INTEGER ? (double)integer[k] : kind == PERM_KIND_PATTERN ? 1 : real[k];
    entry->imaginary = kind == PERM_KIND_COMPLEX ? imaginary[k] : 0;
    entry->line = k;
    if (row[k] < 0 || row[k] >= m)
      status = permi_fail(result, PERM_ERROR_RANGE, 4, "triplet %zu: row index %d outside 0..%d", k, row[k], m - 1);
    else if (column[k] < 0 || column[k] >= n)
      status =
          permi_fail(result, PERM_ERROR_RANGE, 5, "triplet %zu: column index %d outside 0..%d", k, column[k], n - 1);
    else if (!(fabs(entry->real) <= DBL_MAX))
      status = permi_fail(result, PERM_ERROR_NOT_FINITE, 6, "triplet %zu: the value is not finite", k);
    else if (!(fabs(entry->imaginary) <= DBL_MAX))
      status = permi_fail(result, PERM_ERROR_NOT_FINITE, 7, "triplet %zu: the imaginary part is not finite", k);
    else
      entry->key = permi_entry_key((uint64_t)row[k], (uint64_t)column[k]);
  }
  if (status == PERM_OK && watch.stopped == PERM_OK) {
    if (!permi_entries_sort(&list, &allocator, &watch))
      status = permi_fail(result, PERM_ERROR_MEMORY, 0, "out of memory for sorting %zu triplets", nnz);
    else if ((second = permi_entries_duplicate(&list, &watch)) != NULL)
      status = permi_fail(result, PERM_ERROR_FORMAT, 4, "triplet %llu: entry (%llu,%llu) given before by triplet %llu",
                          (unsigned long long)second->line, (unsigned long long)(second->key >> 32),
                          (unsigned long long)(second->key & 0xffffffff), (unsigned long long)second[-1].line);
    else if (!permi_entries_compress(&list, m, n, kind, &allocator, &watch, matrix))
      status = permi_fail(result, PERM_ERROR_MEMORY, 0, "out of memory for a matrix of %zu entries", nnz);
  }
  if (watch.stopped != PERM_OK)
    status = permi_fail(result, watch.stopped, 0, "%s", perm_status_text(watch.stopped));
  permi_release(&allocator, list.entry);
  return status;
}

PERM_SPARSE_API perm_status perm_matrix_from_triplets(int m, int n, size_t nnz, const int *row, const int *column,
                                                      const double *real, const double *imaginary,
                                                      const int64_t *integer, perm_kind kind,
                                                      const perm_options *options_given, perm_matrix *matrix,
                                                      perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, 16.0 * (double)nnz);
  perm_status status;
  status = permi_matrix_from_triplets(m, n, nnz, row, column, real, imaginary, integer, kind, options, matrix, result);
  return permi_meter_end(&call, status, result);
}
