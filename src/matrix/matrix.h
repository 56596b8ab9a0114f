/* ========================================================================================= >>matrix
   Compressed rows from lists and arrays, in linear time and memory. Functions return 0 without memory or if stopped;
   *matrix is then all zero, a list or array unchanged. */
#pragma once
#include "../api/calls.h"
#include "../base/memory.h"
#include "../job/job.h"
#include "../job/problem.h"
#include "../api/sparse_calls.h"

typedef struct permi_entry {
  unsigned long long key;  /* row << 32 | column */
  unsigned long long line; /* or number of the triplet */
  double real, imaginary;
  int64_t integer;
} permi_entry;

typedef struct permi_entries {
  permi_entry *entry;
  size_t count, capacity;
} permi_entries;

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

static const char *permi_matrix_missing(const perm_matrix *matrix)
{
  return matrix->m && !matrix->row_start                           ? "row_start"
         : !matrix->nnz                                            ? NULL
         : !matrix->column                                         ? "column"
         : matrix->kind == PERM_KIND_INTEGER && !matrix->integer   ? "integer"
         : matrix->kind >= PERM_KIND_REAL && !matrix->real         ? "real"
         : matrix->kind == PERM_KIND_COMPLEX && !matrix->imaginary ? "imaginary"
                                                                   : NULL;
}

static int permi_matrix_allocate(perm_matrix *matrix, int m, int n, size_t nnz, perm_kind kind,
                                 const perm_allocator *allocator)
{
  const int reals = kind != PERM_KIND_PATTERN, complex_kind = kind == PERM_KIND_COMPLEX;
  const int integers = kind == PERM_KIND_INTEGER;
  memset(matrix, 0, sizeof *matrix);
  matrix->allocator = *allocator;
  matrix->m = m;
  matrix->n = n;
  matrix->nnz = nnz;
  matrix->kind = kind;
  if ((matrix->row_start = (size_t *)permi_allocate_zeros(allocator, (size_t)m + 1, sizeof(size_t))) != NULL &&
      (matrix->column = (int *)permi_allocate(allocator, nnz, sizeof(int))) != NULL &&
      (!reals || (matrix->real = (double *)permi_allocate(allocator, nnz, sizeof(double))) != NULL) &&
      (!complex_kind || (matrix->imaginary = (double *)permi_allocate(allocator, nnz, sizeof(double))) != NULL) &&
      (!integers || (matrix->integer = (int64_t *)permi_allocate(allocator, nnz, sizeof(int64_t))) != NULL))
    return 1;
  perm_matrix_free(matrix);
  return 0;
}

static uint64_t permi_entry_key(uint64_t row, uint64_t column)
{
  return row << 32 | column;
}

static permi_entry permi_entry_one(void)
{
  const permi_entry one = {0, 0, 1, 0, 1};
  return one;
}

static int permi_entry_is_zero(const permi_entry *entry, perm_kind kind)
{
  if (kind == PERM_KIND_PATTERN)
    return 0;
  if (kind == PERM_KIND_INTEGER)
    return entry->integer == 0;
  return permi_is_zero(entry->real) && permi_is_zero(entry->imaginary);
}

/* Asks at each 65536th step; returns 1 to stop. */
#if !defined(PERMI_WATCH_STEPS)
#define PERMI_WATCH_STEPS 65536
#endif
static int permi_watch_step(permi_control *watch, size_t k, double units)
{
  if (~k & (PERMI_WATCH_STEPS - 1))
    return watch && watch->stopped != PERM_OK;
  return permi_watch(watch, units * PERMI_WATCH_STEPS);
}

static int permi_watch_gather(permi_control *watch, double *gathered, double units)
{
  *gathered += units;
  if (*gathered < PERMI_WATCH_STEPS)
    return watch && watch->stopped != PERM_OK;
  units = *gathered;
  *gathered = 0;
  return permi_watch(watch, units);
}

static int permi_room(const perm_allocator *allocator, permi_control *watch, void *array, size_t used, size_t more,
                      size_t *room, size_t size)
{
  const size_t wanted = 2 * *room + more + 64;
  if (used + more <= *room)
    return 1;
  if (!permi_enlarge(allocator, watch, array, used, wanted, size))
    return 0;
  *room = wanted;
  return 1;
}

/* Takes int ** and size_t of each array, last NULL. Returns 0 without memory. */
static int permi_pool_ints(permi_pool *pool, ...)
{
  va_list arrays;
  int **array, *next = NULL;
  size_t all = 0;
  for (int pass = 0; pass < 2; pass++) {
    va_start(arrays, pool);
    while ((array = va_arg(arrays, int **)) != NULL) {
      const size_t count = va_arg(arrays, size_t);
      *array = next;
      if (pass)
        next += count;
      else
        all += count;
    }
    va_end(arrays);
    if (!pass && (next = (int *)permi_pool_get(pool, all + 1, sizeof(int))) == NULL)
      return 0;
  }
  return 1;
}

static uint64_t permi_greatest_divisor(uint64_t a, uint64_t b)
{
  while (b) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

typedef struct permi_ranked {
  uint64_t key;
  int vertex;
} permi_ranked;

static PERMI_ALWAYS_INLINE uint64_t permi_key_of(const char *item)
{
  uint64_t key;
  memcpy(&key, item, sizeof key);
  return key;
}

/* Sorts stably by the first 64 bits, by radix over bytes that differ: linear for hostile input, without n counters (n
   may be 2^31-1 in a file of 60 bytes). Returns items or room; NULL: stopped. */
static PERMI_ALWAYS_INLINE void *permi_sort(void *items, void *room, size_t count, size_t size, permi_control *watch)
{
  char *from = (char *)items, *to = (char *)room, *swap;
  uint64_t varying = 0;
  size_t k, start, next, place[256];
  for (k = 1; k < count && !permi_watch_step(watch, k, 2); k++)
    varying |= permi_key_of(from + k * size) ^ permi_key_of(from);
  for (int shift = 0; shift < 64; shift += 8) {
    if (!(varying >> shift & 255))
      continue;
    memset(place, 0, sizeof place);
    for (k = 0; k < count && !permi_watch_step(watch, k, 3); k++)
      place[permi_key_of(from + k * size) >> shift & 255]++;
    for (k = 0, start = 0; k < 256; k++, start = next) {
      next = start + place[k];
      place[k] = start;
    }
    for (k = 0; k < count; k++) {
      const char *item = from + k * size;
      if (permi_watch_step(watch, k, 1.25 * (double)size)) /* the places are not complete */
        return NULL;
      memcpy(to + place[permi_key_of(item) >> shift & 255]++ * size, item, size);
    }
    swap = from;
    from = to;
    to = swap;
  }
  return permi_watch(watch, 0) ? NULL : from;
}

static int permi_entries_push(permi_entries *list, const permi_entry *entry, const perm_allocator *allocator,
                              permi_control *watch)
{
  if (!permi_room(allocator, watch, &list->entry, list->count, 1, &list->capacity, sizeof *entry))
    return 0;
  list->entry[list->count++] = *entry;
  return 1;
}

PERMI_NEVER_INLINE static int permi_entries_sort(permi_entries *list, const perm_allocator *allocator,
                                                 permi_control *watch)
{
  size_t k;
  for (k = 1; k < list->count && list->entry[k - 1].key <= list->entry[k].key; k++)
    if (permi_watch_step(watch, k, 2))
      return 0;
  if (k >= list->count)
    return 1;
  permi_entry *room = (permi_entry *)permi_allocate(allocator, list->count, sizeof *room);
  if (!room)
    return 0;
  permi_entry *sorted = (permi_entry *)permi_sort(list->entry, room, list->count, sizeof *room, watch);
  if (sorted == room) {
    permi_release(allocator, list->entry);
    list->entry = room;
    list->capacity = list->count;
  } else {
    permi_release(allocator, room);
  }
  return sorted != NULL;
}

/* Sorts, and mirrors. *second: the first of the input that was given before (*again 1), or that has another value
   across, or NULL. Of a mirrored pair (same line) the file has the larger key. */
static int permi_entries_settle(permi_entries *list, int mirrored, const perm_allocator *allocator,
                                permi_control *watch, const permi_entry **second, int *again)
{
  const int sorted = permi_entries_sort(list, allocator, watch);
  const size_t count = list->count;
  *second = NULL;
  for (size_t k = 1; sorted && k < count && !permi_watch_step(watch, k, 3); k++)
    if (list->entry[k].key == list->entry[k - 1].key && (!*second || list->entry[k].line <= (*second)->line))
      *second = &list->entry[k];
  *again = *second != NULL;
  if (!sorted || *again || !mirrored)
    return sorted;
  for (size_t k = 0; k < count && !permi_watch_step(watch, k, 60); k++) {
    permi_entry entry = list->entry[k];
    size_t at = 0, high = count;
    entry.key = permi_entry_key(entry.key & 0xffffffff, entry.key >> 32);
    while (at < high) { /* the first entry with at least this key */
      const size_t middle = at + (high - at) / 2;
      if (list->entry[middle].key < entry.key)
        at = middle + 1;
      else
        high = middle;
    }
    if (at == count || list->entry[at].key != entry.key) {
      if (!permi_entries_push(list, &entry, allocator, watch))
        return 0;
    } else if (list->entry[at].real != entry.real || list->entry[at].imaginary != entry.imaginary ||
               list->entry[at].integer != entry.integer) {
      *second = &list->entry[list->entry[at].line > entry.line ? at : k];
      return 1;
    }
  }
  return permi_entries_sort(list, allocator, watch);
}

/* Of a sorted list without duplicates; drops zeros. */
static int permi_entries_compress(const permi_entries *list, int m, int n, perm_kind kind,
                                  const perm_allocator *allocator, permi_control *watch, perm_matrix *matrix)
{
  size_t k, nnz = 0;
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
  for (int i = 0; i < m; i++)
    matrix->row_start[i + 1] += matrix->row_start[i];
  return 1;
}

static perm_status permi_matrix_begin(int m, int n, perm_matrix *matrix, int argument, perm_result *result)
{
  permi_result_clear(result);
  if (!matrix)
    return permi_fail(result, PERM_ERROR_NULL, argument, "matrix is NULL");
  memset(matrix, 0, sizeof *matrix);
  if (m < 0 || m > PERM_MATRIX_MAX_ROWS)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "m = %d outside 0..%d", m, PERM_MATRIX_MAX_ROWS);
  if (n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "n = %d is negative", n);
  return PERM_OK;
}

static perm_status permi_no_matrix_memory(size_t nnz, perm_result *result)
{
  return permi_fail(result, PERM_ERROR_MEMORY, 0, "out of memory for a matrix of %.0f entries", (double)nnz);
}

static double permi_array_part(const permi_problem *array, int i, int j, int part)
{
  const ptrdiff_t at = ((ptrdiff_t)i * array->ld + j) * array->parts + part;
  return part >= array->parts ? 0 : array->integer ? (double)array->integer[at] : array->real[at];
}

/* Makes *matrix of an array; complex integers become doubles. */
static int permi_matrix_of_array(const permi_problem *array, size_t nnz, const perm_allocator *allocator,
                                 perm_matrix *matrix)
{
  const int m = array->m, n = array->n, parts = array->parts;
  const perm_kind kind = parts == 2 ? PERM_KIND_COMPLEX : array->integer ? PERM_KIND_INTEGER : PERM_KIND_REAL;
  size_t k = 0;
  if (!permi_matrix_allocate(matrix, m, n, nnz, kind, allocator))
    return 0;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      const double real = permi_array_part(array, i, j, 0), imaginary = permi_array_part(array, i, j, 1);
      if (real == 0 && imaginary == 0)
        continue;
      matrix->column[k] = j;
      matrix->real[k] = real;
      if (matrix->imaginary)
        matrix->imaginary[k] = imaginary;
      if (matrix->integer)
        matrix->integer[k] = array->integer[(ptrdiff_t)i * array->ld + j];
      k++;
    }
    matrix->row_start[i + 1] = k;
  }
  return 1;
}

static perm_status permi_matrix_from_dense(int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                                           perm_matrix *matrix, perm_result *result)
{
  const permi_problem array = {m, n, 1, a, NULL, ld, NULL, NULL, NULL};
  size_t nnz = 0;
  const perm_status status = permi_matrix_begin(m, n, matrix, 6, result);
  if (status != PERM_OK)
    return status;
  if (!a && m && n)
    return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL");
  if (m ? !permi_stride_fits(m, n, ld, 8) : ld < n)
    return permi_fail_stride(result, 4, "ld", m, n, ld);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      const double value = a[(ptrdiff_t)i * ld + j];
      if (permi_not_finite(value))
        return permi_fail(result, PERM_ERROR_NOT_FINITE, 3, "a[%d][%d] is not finite", i, j);
      nnz += value != 0;
    }
  return permi_matrix_of_array(&array, nnz, &options->allocator, matrix) ? PERM_OK
                                                                         : permi_no_matrix_memory(nnz, result);
}

PERM_SPARSE_API perm_status perm_matrix_from_dense(int m, int n, const double *a, ptrdiff_t ld,
                                                   const perm_options *options_given, perm_matrix *matrix,
                                                   perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, 8.0 * fmax(m, 0) * fmax((double)ld, 0));
  return permi_meter_end(&call, permi_matrix_from_dense(m, n, a, ld, options, matrix, result), result);
}

/* Triplets; compressed rows, with row_start; edges, two ints each. */
typedef struct permi_triplets {
  int m, n;
  size_t nnz;
  const int *row, *column;
  const double *real, *imaginary;
  const int64_t *integer;
  perm_kind kind;
  const char *what;        /* "triplet", "entry", "edge" */
  const size_t *row_start; /* NULL: row has them */
  int step;                /* from one column to the next */
  int mirrored;
  int argument; /* of column; the others follow */
} permi_triplets;

static perm_status permi_check_triplets(const permi_triplets *given, perm_result *result)
{
  static const char *const name[5] = {"row", "column", "real", "imaginary", "integer"};
  const int kind = (int)given->kind;
  const int missing[5] = {!given->row && !given->row_start, !given->column, kind >= (int)PERM_KIND_REAL && !given->real,
                          kind == (int)PERM_KIND_COMPLEX && !given->imaginary,
                          kind == (int)PERM_KIND_INTEGER && !given->integer};
  if (kind < 0 || kind > (int)PERM_KIND_COMPLEX)
    return permi_fail(result, PERM_ERROR_OPTION, given->argument + 4, "kind = %d is no perm_kind", kind);
  for (int k = 0; given->nnz && k < 5; k++)
    if (missing[k])
      return permi_fail(result, PERM_ERROR_NULL, given->argument - 1 + k, "%s is NULL", name[k]);
  return PERM_OK;
}

static perm_status permi_triplet(const permi_triplets *given, size_t k, int row, permi_entry *entry,
                                 perm_result *result)
{
  const int column = given->column[k * (size_t)given->step];
  *entry = permi_entry_one();
  entry->line = k;
  if (given->kind == PERM_KIND_INTEGER)
    entry->real = (double)(entry->integer = given->integer[k]);
  else if (given->kind != PERM_KIND_PATTERN)
    entry->real = given->real[k];
  if (given->kind == PERM_KIND_COMPLEX)
    entry->imaginary = given->imaginary[k];
  if (row < 0 || row >= given->m)
    return permi_fail(result, PERM_ERROR_RANGE, given->argument - (given->step == 1), "%s %.0f: row index %d outside "
                      "0..%d", given->what, (double)k, row, given->m - 1);
  if (column < 0 || column >= given->n)
    return permi_fail(result, PERM_ERROR_RANGE, given->argument, "%s %.0f: column index %d outside 0..%d", given->what,
                      (double)k, column, given->n - 1);
  for (int part = 0; part < 2; part++)
    if (permi_not_finite(part ? entry->imaginary : entry->real))
      return permi_fail(result, PERM_ERROR_NOT_FINITE, given->argument + 1 + part, "%s %.0f: the %s is not finite",
                        given->what, (double)k, part ? "imaginary part" : "value");
  entry->key = permi_entry_key((uint64_t)row, (uint64_t)column);
  return PERM_OK;
}

/* What is given was checked with `status`; `cost` is the bytes of its arrays. */
static perm_status permi_matrix_from(const permi_triplets *given, perm_status status, const perm_options *options_given,
                                     double cost, perm_matrix *matrix, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, cost);
  const perm_allocator *allocator = &options->allocator;
  permi_control watch = permi_control_begin(options);
  permi_entries list = {NULL, 0, given->nnz};
  const permi_entry *second;
  int row = 0, again, settled;
  if (status == PERM_OK)
    status = permi_check_triplets(given, result);
  if (status == PERM_OK) {
    list.entry = (permi_entry *)permi_allocate(allocator, given->nnz, sizeof *list.entry);
    if (!list.entry)
      status = permi_no_matrix_memory(given->nnz, result);
  }
  for (; status == PERM_OK && list.count < given->nnz && !permi_watch_step(&watch, list.count, 40); list.count++) {
    while (given->row_start && list.count == given->row_start[row + 1])
      row++;
    status = permi_triplet(given, list.count, given->row_start ? row : given->row[list.count * (size_t)given->step],
                           &list.entry[list.count], result);
  }
  if (status == PERM_OK && watch.stopped == PERM_OK) {
    settled = permi_entries_settle(&list, given->mirrored, allocator, &watch, &second, &again);
    if (second)
      status = again ? permi_fail(result, PERM_ERROR_FORMAT, given->argument - (given->step == 1), "%s %llu: entry "
                                  "(%llu,%llu) given before by %s %llu", given->what, second->line, second->key >> 32,
                                  second->key & 0xffffffff, given->what, second[-1].line)
                     : permi_fail(result, PERM_ERROR_FORMAT, given->argument + 1, "%s %llu: another weight than in the "
                                  "other direction", given->what, second->line);
    else if (!settled || !permi_entries_compress(&list, given->m, given->n, given->kind, allocator, &watch, matrix))
      status = permi_no_matrix_memory(given->nnz, result);
  }
  if (watch.stopped != PERM_OK)
    status = permi_fail(result, watch.stopped, 0, "%s", perm_status_text(watch.stopped));
  permi_release(allocator, list.entry);
  return permi_meter_end(&call, status, result);
}

PERM_SPARSE_API perm_status perm_matrix_from_triplets(int m, int n, size_t nnz, const int *row, const int *column,
                                                      const double *real, const double *imaginary,
                                                      const int64_t *integer, perm_kind kind,
                                                      const perm_options *options_given, perm_matrix *matrix,
                                                      perm_result *result)
{
  const permi_triplets given = {m, n, nnz, row, column, real, imaginary, integer, kind, "triplet", NULL, 1, 0, 5};
  return permi_matrix_from(&given, permi_matrix_begin(m, n, matrix, 11, result), options_given, 16.0 * (double)nnz,
                           matrix, result);
}

/* Clears *matrix; checks that row_start runs from 0 upwards. */
static perm_status permi_check_rows(int m, int n, const size_t *row_start, perm_matrix *matrix, perm_result *result)
{
  const perm_status status = permi_matrix_begin(m, n, matrix, 10, result);
  if (status != PERM_OK)
    return status;
  if (!row_start)
    return permi_fail(result, PERM_ERROR_NULL, 3, "row_start is NULL");
  if (row_start[0])
    return permi_fail(result, PERM_ERROR_RANGE, 3, "row_start[0] = %.0f, 0 was expected", (double)row_start[0]);
  for (int i = 0; i < m; i++)
    if (row_start[i] > row_start[i + 1])
      return permi_fail(result, PERM_ERROR_RANGE, 3, "row_start[%d] = %.0f is less than the one before", i + 1,
                        (double)row_start[i + 1]);
  return PERM_OK;
}

PERM_SPARSE_API perm_status perm_matrix_from_csr(int m, int n, const size_t *row_start, const int *column,
                                                 const double *real, const double *imaginary, const int64_t *integer,
                                                 perm_kind kind, const perm_options *options_given, perm_matrix *matrix,
                                                 perm_result *result)
{
  const perm_status status = permi_check_rows(m, n, row_start, matrix, result);
  const size_t nnz = status == PERM_OK ? row_start[m] : 0;
  const permi_triplets given = {m, n, nnz, NULL, column, real, imaginary, integer, kind, "entry", row_start, 1, 0, 4};
  return permi_matrix_from(&given, status, options_given, 12.0 * (double)nnz, matrix, result);
}

static void *permi_borrow_allocate(size_t bytes, void *user_data)
{
  (void)bytes;
  return user_data;
}

PERM_SPARSE_API perm_status perm_matrix_borrow_csr(int m, int n, const size_t *row_start, const int *column,
                                                   const double *real, const double *imaginary, const int64_t *integer,
                                                   perm_kind kind, perm_matrix *matrix, perm_result *result)
{
  static const perm_allocator borrowed = {permi_borrow_allocate, NULL, NULL};
  permi_triplets given = {m, n, 0, NULL, column, real, imaginary, integer, kind, "entry", row_start, 1, 0, 4};
  perm_status status = permi_check_rows(m, n, row_start, matrix, result);
  permi_entry entry;
  int row = 0;
  if (status != PERM_OK)
    return status;
  given.nnz = row_start[m];
  status = permi_check_triplets(&given, result);
  for (size_t k = 0; k < given.nnz && status == PERM_OK; k++) {
    while (k == row_start[row + 1])
      row++;
    status = permi_triplet(&given, k, row, &entry, result); /* entries must be as perm_matrix promises */
    if (status == PERM_OK && k > row_start[row] && column[k] <= column[k - 1])
      status = permi_fail(result, PERM_ERROR_FORMAT, 4, "entry %.0f: the columns of row %d do not ascend; "
                          "perm_matrix_from_csr sorts a copy", (double)k, row);
    else if (status == PERM_OK && permi_entry_is_zero(&entry, kind))
      status = permi_fail(result, PERM_ERROR_FORMAT, kind == PERM_KIND_INTEGER ? 7 : 5, "entry %.0f: a zero; "
                          "perm_matrix_from_csr leaves zeros out of a copy", (double)k);
    else if (status == PERM_OK && kind == PERM_KIND_INTEGER && real && real[k] != entry.real)
      status = permi_fail(result, PERM_ERROR_FORMAT, 5, "entry %.0f: real is not the double next to integer",
                          (double)k);
  }
  if (status != PERM_OK)
    return status;
  matrix->m = m;
  matrix->n = n;
  matrix->nnz = given.nnz;
  matrix->kind = kind;
  matrix->allocator = borrowed;
  memcpy(&matrix->row_start, &row_start, sizeof row_start);
  memcpy(&matrix->column, &column, sizeof column);
  if (kind != PERM_KIND_PATTERN)
    memcpy(&matrix->real, &real, sizeof real);
  if (kind == PERM_KIND_COMPLEX)
    memcpy(&matrix->imaginary, &imaginary, sizeof imaginary);
  if (kind == PERM_KIND_INTEGER)
    memcpy(&matrix->integer, &integer, sizeof integer);
  return PERM_OK;
}

PERM_SPARSE_API perm_status perm_matrix_from_edges(int m, int n, size_t edges, const int *ends, const double *weight,
                                                   int undirected, const perm_options *options_given,
                                                   perm_matrix *matrix, perm_result *result)
{
  const permi_triplets given = {m, n, edges, ends, ends ? ends + 1 : NULL, weight, NULL, NULL,
                                weight ? PERM_KIND_REAL : PERM_KIND_PATTERN, "edge", NULL, 2, undirected, 4};
  perm_status status = permi_matrix_begin(m, n, matrix, 8, result);
  if (status == PERM_OK && undirected && m != n)
    status = permi_fail(result, PERM_ERROR_SIZE, 6, "undirected edges of a %d x %d matrix, a square one was expected",
                        m, n);
  else if (status == PERM_OK && !ends && edges)
    status = permi_fail(result, PERM_ERROR_NULL, 4, "ends is NULL");
  return permi_matrix_from(&given, status, options_given, 8.0 * (double)edges, matrix, result);
}
/* SPDX-License-Identifier: MIT */
