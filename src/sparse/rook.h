/* =========================================================================================== >>rook
   Rook numbers of integer matrices: r_k, the sum of the permanents of all k x k submatrices. Two engines:
   - the board (method frontier): rooks are placed row by row. A state is the set of columns that have a rook, among the
     columns between their first and last row (the frontier); its values count by rooks on columns that are behind. All
     states are in one array, which a new column doubles and a finished column folds.
   - evaluation (method exact): with m <= n, per(A + x J) = sum over j of r_(m-j) x^j (n-m+j)! / (n-m)!, since j rows
     that take x choose among n-m+j columns. The permanents at x = 0 .. m, exact, are interpolated by Newton.
   Words hold 64 W bits with W from |r_k| <= the product over rows of (1 + sum of |entries|): the arithmetic is modulo
   2^(64 W), so what is right at the end is exact. */
#pragma once
#include "sparse.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_ROOK_PLACES 40          /* columns on the frontier at most: 2^40 states are beyond any memory */
#define PERMI_ROOK_STARTS 32          /* chosen: orders are grown from so many rows */
#define PERMI_ROOK_SECONDS 0.8e-9     /* one word of a value, for an entry or a pass */
#define PERMI_ROOK_FREE_SECONDS 1e-3  /* chosen: quicker boards are not compared */

typedef struct permi_board {
  int rows, columns, words;
  size_t *start; /* of the entries of a row */
  int *column;
  int64_t *entry;
  int *order;     /* of the rows */
  int *left;      /* entries of a column in rows to come */
  int *place;     /* of a column on the frontier, or -1 */
  int *at;        /* the column at a place */
  int width;      /* places in use */
  int done;       /* rows */
  size_t stride;  /* values of a state: by rooks on columns that had entries and have none to come */
  double values;  /* at most, at a time */
  double seconds; /* predicted */
} permi_board;

static void permi_board_free(permi_board *board, const perm_allocator *allocator)
{
  permi_release(allocator, board->start);
  permi_release(allocator, board->column);
  permi_release(allocator, board->entry);
  permi_release(allocator, board->order);
  memset(board, 0, sizeof *board);
}

/* The matrix, or its transpose, by rows; returns 0 without memory. */
static int permi_board_create(permi_board *board, const permi_given *given, int transposed,
                              const perm_allocator *allocator)
{
  permi_given_item item;
  size_t e, end, t;
  int i, k;
  memset(board, 0, sizeof *board);
  board->rows = transposed ? given->n : given->m;
  board->columns = transposed ? given->m : given->n;
  board->start = (size_t *)permi_allocate(allocator, (size_t)board->rows + 2, sizeof *board->start);
  board->column = (int *)permi_allocate(allocator, given->nnz + 1, sizeof *board->column);
  board->entry = (int64_t *)permi_allocate(allocator, given->nnz + 1, sizeof *board->entry);
  board->order = (int *)permi_allocate(allocator, (size_t)board->rows + 3 * (size_t)board->columns + 1, sizeof(int));
  if (!board->start || !board->column || !board->entry || !board->order) {
    permi_board_free(board, allocator);
    return 0;
  }
  board->left = board->order + board->rows;
  board->place = board->left + board->columns;
  board->at = board->place + board->columns;
  memset(board->start, 0, ((size_t)board->rows + 2) * sizeof *board->start);
  for (k = 0; k < 2; k++) { /* counts, then entries */
    for (i = 0; i < given->m; i++)
      for (e = permi_given_row(given, i, &end); e < end; e++) {
        permi_given_entry(given, i, e, &item);
        if (!item.integer[0])
          continue;
        t = (size_t)(transposed ? item.column : i);
        if (!k) {
          board->start[t + 2]++;
          continue;
        }
        board->column[board->start[t + 1]] = transposed ? i : item.column;
        board->entry[board->start[t + 1]++] = item.integer[0];
      }
    for (i = 0; i < board->rows && !k; i++)
      board->start[i + 2] += board->start[i + 1];
  }
  return 1;
}

/* Words for every r_k, and one bit of sign. */
static double permi_board_bits(const permi_board *board)
{
  double bits = 2, sum;
  size_t e;
  int i;
  for (i = 0; i < board->rows; i++) {
    for (sum = 1, e = board->start[i]; e < board->start[i + 1]; e++)
      sum += fabs((double)board->entry[e]);
    bits += log2(sum) * (1 + 1e-12) + 1e-12;
  }
  return bits;
}

static void permi_board_begin(permi_board *board)
{
  size_t e;
  int j;
  board->width = board->done = 0;
  board->stride = 1;
  for (j = 0; j < board->columns; j++) {
    board->left[j] = 0;
    board->place[j] = -1;
  }
  for (e = 0; e < board->start[board->rows]; e++)
    board->left[board->column[e]]++;
}

/* The columns of a row come to the frontier; returns how many. */
static int permi_board_meet(permi_board *board, int row)
{
  const int before = board->width;
  size_t e;
  for (e = board->start[row]; e < board->start[row + 1]; e++)
    if (board->place[board->column[e]] < 0) {
      board->at[board->width] = board->column[e];
      board->place[board->column[e]] = board->width++;
    }
  return board->width - before;
}

/* Takes the column at a place off the frontier: one more rook may be behind, but none without a row. */
static void permi_board_leave(permi_board *board, int place)
{
  int k;
  board->place[board->at[place]] = -1;
  board->width--;
  board->stride += board->stride <= (size_t)board->done;
  for (k = place; k < board->width; k++) {
    board->at[k] = board->at[k + 1];
    board->place[board->at[k]] = k;
  }
}

static void permi_board_count(permi_board *board, int row)
{
  size_t e;
  for (e = board->start[row]; e < board->start[row + 1]; e++)
    board->left[board->column[e]]--;
  board->done++;
}

/* The row with which the frontier grows least. */
static int permi_board_next(const permi_board *board)
{
  int i, best = -1, least = INT_MAX;
  for (i = board->done; i < board->rows; i++) {
    const int row = board->order[i];
    int grows = 0;
    size_t e;
    for (e = board->start[row]; e < board->start[row + 1]; e++)
      grows += (board->place[board->column[e]] < 0) - (board->left[board->column[e]] == 1);
    if (grows < least) {
      least = grows;
      best = i;
    }
  }
  return best;
}

/* Grows an order from a row; sets values and seconds, INFINITY if the frontier is too wide. */
static void permi_board_grow(permi_board *board, int first, permi_control *watch)
{
  double work = 0;
  int i, k;
  for (i = 0; i < board->rows; i++)
    board->order[i] = i;
  permi_board_begin(board);
  board->values = 1;
  for (i = 0; i < board->rows; i++) {
    const int pick = i ? permi_board_next(board) : first, row = board->order[pick];
    double size;
    board->order[pick] = board->order[i];
    board->order[i] = row;
    permi_board_meet(board, row);
    size = ldexp((double)board->stride, board->width);
    board->values = fmax(board->values, size);
    work += size * (2 + 0.5 * (double)(board->start[row + 1] - board->start[row]));
    permi_board_count(board, row);
    for (k = board->width - 1; k >= 0; k--)
      if (!board->left[board->at[k]])
        permi_board_leave(board, k);
    if (size > ldexp(1, PERMI_ROOK_PLACES) || permi_watch(watch, 3.0 * (double)(board->start[board->rows] + 1)))
      break;
  }
  board->seconds = i < board->rows ? (double)INFINITY : work * board->words * PERMI_ROOK_SECONDS;
}

static void permi_board_order(permi_board *board, permi_control *watch)
{
  const int step = board->rows / PERMI_ROOK_STARTS + 1;
  double least = (double)INFINITY;
  int first, best = 0;
  for (first = 0; first < board->rows && watch->stopped == PERM_OK; first += step) {
    permi_board_grow(board, first, watch);
    if (board->seconds < least) {
      least = board->seconds;
      best = first;
    }
  }
  if (board->rows)
    permi_board_grow(board, best, watch);
}

/* to += factor from, modulo 2^(64 words) */
static PERMI_ALWAYS_INLINE void permi_rook_add(uint64_t *to, const uint64_t *from, int words, int64_t factor)
{
  const uint64_t magnitude = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
  if (words == 1)
    to[0] += (uint64_t)factor * from[0];
  else if (factor == 1)
    permi_words_add(to, from, words);
  else
    permi_words_times(to, from, words, magnitude, factor < 0 ? -1 : 1);
}

static PERMI_ALWAYS_INLINE void permi_rook_add_all(uint64_t *to, const uint64_t *from, size_t count, int words,
                                                   int64_t factor)
{
  size_t c;
  for (c = 0; c < count; c++)
    permi_rook_add(to + c * (size_t)words, from + c * (size_t)words, words, factor);
}

/* The rooks of a row: from the last state down, states with a column less are still those before the row. */
static int permi_board_place(permi_board *board, int row, uint64_t *value, permi_control *watch)
{
  const size_t stride = board->stride, bytes = stride * (size_t)board->words;
  const size_t begin = board->start[row], end = board->start[row + 1];
  size_t state, e;
  for (state = (size_t)1 << board->width; state-- > 1;) {
    uint64_t *to = value + state * bytes;
    for (e = begin; e < end; e++) {
      const size_t bit = (size_t)1 << board->place[board->column[e]];
      const uint64_t *from = value + (state ^ bit) * bytes;
      if (!(state & bit))
        continue;
      switch (board->words) {
      case 1: permi_rook_add_all(to, from, stride, 1, board->entry[e]); break;
      case 2: permi_rook_add_all(to, from, stride, 2, board->entry[e]); break;
      case 3: permi_rook_add_all(to, from, stride, 3, board->entry[e]); break;
      default: permi_rook_add_all(to, from, stride, board->words, board->entry[e]);
      }
    }
    if (permi_watch(watch, (double)bytes * (1 + 0.5 * (double)(end - begin))))
      return 0;
  }
  return 1;
}

/* The column at a place goes: its rook is one behind from now on. */
static int permi_board_fold(permi_board *board, int place, const uint64_t *from, uint64_t *to, permi_control *watch)
{
  const size_t words = (size_t)board->words, stride = board->stride, low = ((size_t)1 << place) - 1;
  size_t after, state, count, bytes;
  permi_board_leave(board, place);
  after = board->stride;
  count = after - 1 < stride ? after - 1 : stride;
  bytes = after * words;
  for (state = 0; state < (size_t)1 << board->width; state++) {
    const size_t without = (state & low) | (state & ~low) << 1;
    const uint64_t *with = from + (without | (low + 1)) * stride * words;
    uint64_t *sum = to + state * bytes;
    memset(sum, 0, bytes * sizeof *sum);
    memcpy(sum, from + without * stride * words, (stride < after ? stride : after) * words * sizeof *sum);
    permi_rook_add_all(sum + words, with, count, board->words, 1);
    if (permi_watch(watch, 2.0 * (double)bytes))
      return 0;
  }
  return 1;
}

static perm_status permi_board_run(permi_board *board, const perm_allocator *allocator, permi_control *watch,
                                   perm_integer *numbers, int count, perm_result *result)
{
  const size_t words = (size_t)board->words, length = (size_t)board->values;
  uint64_t *value = (uint64_t *)permi_allocate(allocator, length, words * sizeof *value);
  uint64_t *other = (uint64_t *)permi_allocate(allocator, length, words * sizeof *other), *keep;
  int i, k, fine = value && other;
  if (fine) {
    memset(value, 0, words * sizeof *value);
    value[0] = 1;
    permi_board_begin(board);
  }
  for (i = 0; i < board->rows && fine; i++) {
    const int row = board->order[i];
    const size_t before = ((size_t)1 << board->width) * board->stride * words;
    permi_board_meet(board, row);
    fine = permi_copy(watch, value + before, NULL,
                      (((size_t)1 << board->width) * board->stride * words - before) * sizeof *value) &&
           permi_board_place(board, row, value, watch);
    watch->done = board->seconds * (i + 1) / board->rows;
    permi_board_count(board, row);
    for (k = board->width - 1; k >= 0 && fine; k--)
      if (!board->left[board->at[k]]) {
        fine = permi_board_fold(board, k, value, other, watch);
        keep = value;
        value = other;
        other = keep;
      }
  }
  for (i = 0; i < count && fine; i++) {
    memset(&numbers[i], 0, sizeof numbers[i]);
    if ((size_t)i < board->stride)
      numbers[i].negative = permi_words_magnitude(numbers[i].word, value + (size_t)i * words, board->words);
    permi_integer_trim(&numbers[i]);
  }
  permi_release(allocator, other);
  permi_release(allocator, value);
  return fine ? PERM_OK : watch->stopped != PERM_OK ? permi_fail_stopped(watch, result) : permi_fail_memory(result);
}

/* a /= d, which divides it; d below 2^63. */
static void permi_integer_divide(perm_integer *a, uint64_t d)
{
  uint64_t rest = 0;
  int i, bit;
  for (i = a->words - 1; i >= 0; i--) {
    uint64_t quotient = 0;
    for (bit = 63; bit >= 0; bit--) {
      rest = rest << 1 | (a->word[i] >> bit & 1);
      quotient = quotient << 1 | (rest >= d);
      rest -= rest >= d ? d : 0;
    }
    a->word[i] = quotient;
  }
  permi_integer_trim(a);
}

/* From values at x = 0 .. degree to r_k, rows <= columns; returns 0 if a number on the way is too long. */
static int permi_rook_interpolate(perm_integer *f, int degree, int columns)
{
  perm_integer x, product;
  int i, k;
  for (k = 1; k <= degree; k++) /* divided differences, whole since the coefficients are */
    for (i = degree; i >= k; i--) {
      if (!permi_integer_add(&f[i], &f[i - 1], 1))
        return 0;
      permi_integer_divide(&f[i], (uint64_t)k);
    }
  for (k = degree - 1; k >= 0; k--)
    for (i = k; i < degree; i++) {
      x = permi_integer_of(k);
      if (!permi_integer_multiply(&f[i + 1], &x, &product) || !permi_integer_add(&f[i], &product, 1))
        return 0;
    }
  for (k = 0; k <= degree; k++)
    for (i = 1; i <= k; i++)
      permi_integer_divide(&f[k], (uint64_t)(columns - degree + i));
  for (k = 0; k < degree - k; k++) { /* the coefficient of x^j is r_(degree - j) */
    x = f[k];
    f[k] = f[degree - k];
    f[degree - k] = x;
  }
  return 1;
}

/* The matrix plus x everywhere, rows <= columns. */
static void permi_rook_shift(const permi_board *board, int64_t x, int64_t *a)
{
  size_t e, k, n = (size_t)board->columns;
  int i;
  for (k = 0; k < (size_t)board->rows * n; k++)
    a[k] = x;
  for (i = 0; i < board->rows; i++)
    for (e = board->start[i]; e < board->start[i + 1]; e++)
      a[(size_t)i * n + (size_t)board->column[e]] += board->entry[e];
}

/* What all evaluations take by prediction; INFINITY: they cannot be done. */
static double permi_rook_evaluation_seconds(const permi_board *board, const perm_options *options, int64_t *a)
{
  perm_options one = *options;
  perm_job *job = NULL;
  perm_result result;
  double seconds = (double)INFINITY;
  size_t e;
  for (e = 0; e < board->start[board->rows]; e++)
    if (board->entry[e] > INT64_MAX / 2 || board->entry[e] < -(INT64_MAX / 2))
      return seconds;
  permi_rook_shift(board, board->rows, a);
  one.max_seconds = 0;
  one.progress = NULL;
  if (perm_job_integer(board->rows, board->columns, a, board->columns, &one, &job, &result) == PERM_OK)
    seconds = permi_job_seconds(job) * (board->rows + 1);
  perm_job_free(job);
  return seconds;
}

static perm_status permi_rook_evaluate(const permi_board *board, const perm_options *options, permi_control *watch,
                                       int64_t *a, perm_integer *numbers, perm_result *result)
{
  perm_options one = *options;
  perm_status status;
  int x;
  one.progress = NULL;
  for (x = 0; x <= board->rows; x++) {
    permi_rook_shift(board, x, a);
    if (options->max_seconds > 0)
      one.max_seconds = fmax(watch->deadline - permi_seconds(), 1e-9);
    status = perm_compute_integer(board->rows, board->columns, a, board->columns, &one, result);
    if (status != PERM_OK)
      return status;
    numbers[x] = result->integer;
    watch->done = watch->work_total * (x + 1) / (board->rows + 1);
    if (permi_watch(watch, PERMI_WATCH_UNITS))
      return permi_fail_stopped(watch, result);
  }
  return permi_rook_interpolate(numbers, board->rows, board->columns)
             ? PERM_OK
             : permi_fail(result, PERM_ERROR_OVERFLOW, 0, "the rook numbers may need more than %d bits: scale the "
                                                          "entries down, or try method frontier",
                          64 * PERM_INTEGER_WORDS);
}

/* Chooses by predicted seconds, within max_bytes and max_seconds. */
static perm_status permi_rook_solve(permi_board side[2], const perm_options *given_options, permi_control *watch,
                                    perm_integer *numbers, int count, perm_result *result)
{
  perm_options options = *given_options;
  permi_board *board = side[1].seconds < side[0].seconds ? &side[1] : &side[0];
  const permi_board *wide = side[0].rows <= side[0].columns ? &side[0] : &side[1];
  const double bytes = 16 * board->values * board->words, most = permi_max_bytes(&options);
  const double area = (double)wide->rows * wide->columns;
  const int fits = bytes < (double)(SIZE_MAX / 4) && (!(most > 0) || bytes <= most);
  double first = fits && options.method != PERM_METHOD_EXACT ? board->seconds : (double)INFINITY;
  double second = (double)INFINITY, planned;
  int64_t *a = NULL;
  perm_status status;
  options.method = PERM_METHOD_AUTO;
  if (given_options->method != PERM_METHOD_FRONTIER && first > PERMI_ROOK_FREE_SECONDS && wide->rows > 0 &&
      wide->columns <= PERM_MAX_LINES && area < 1e8) {
    if (!(a = (int64_t *)permi_allocate(&options.allocator, (size_t)area + 1, sizeof *a)))
      return permi_fail_memory(result);
    second = permi_rook_evaluation_seconds(wide, &options, a);
  }
  planned = permi_seconds() - watch->start;
  watch->work_total = fmin(first, second);
  watch->activity = "placing rooks";
  if (watch->work_total == (double)INFINITY)
    status = permi_fail(result, PERM_ERROR_LIMIT, 0,
                        "rook numbers: no engine, the board would have %.3g bytes of states: allow more max_bytes, or "
                        "try a sparser matrix", bytes);
  else if (options.max_seconds > 0 && watch->work_total > watch->deadline - permi_seconds())
    status = permi_fail(result, PERM_ERROR_LIMIT, 0, "rook numbers: %.3g s predicted, more than max_seconds = %.3g",
                        watch->work_total, options.max_seconds);
  else if (first <= second) {
    result->method = PERM_METHOD_FRONTIER;
    result->isa = PERM_ISA_PLAIN;
    result->threads = 1;
    status = permi_board_run(board, &options.allocator, watch, numbers, count, result);
  } else {
    status = permi_rook_evaluate(wide, &options, watch, a, numbers, result);
    result->method = PERM_METHOD_EXACT;
  }
  result->plan_seconds = planned;
  permi_release(&options.allocator, a);
  return status;
}

static perm_status permi_rook_numbers(const perm_matrix *matrix, const perm_options *options, perm_integer *numbers,
                                      permi_control *watch, perm_result *result)
{
  const perm_method method = options->method;
  permi_board side[2];
  permi_given given;
  permi_given_item bad;
  perm_options checked = *options;
  perm_status status;
  double bits;
  int row, k, made;
  permi_result_clear(result);
  checked.method = PERM_METHOD_AUTO;
  status = permi_check_options(&checked, 2, result);
  if (status == PERM_OK)
    status = permi_check_sparse(matrix, watch, result);
  if (status != PERM_OK)
    return status;
  if (!numbers)
    return permi_fail(result, PERM_ERROR_NULL, 3, "numbers is NULL");
  if ((method != PERM_METHOD_AUTO && method != PERM_METHOD_FRONTIER && method != PERM_METHOD_EXACT) ||
      (options->precision != PERM_PRECISION_DEFAULT && options->precision != PERM_PRECISION_EXACT) ||
      options->checkpoint.file)
    return permi_fail(result, PERM_ERROR_OPTION, 2,
                      "rook numbers are exact, by method auto, frontier or exact, and have no checkpoints");
  given = permi_given_rows(matrix);
  if (matrix->kind == PERM_KIND_COMPLEX || (matrix->m && !permi_given_integers(&given, &row, &bad, watch)))
    return watch->stopped != PERM_OK
               ? permi_fail_stopped(watch, result)
               : permi_fail(result, PERM_ERROR_UNSUPPORTED, 1, "rook numbers are of integers, and the matrix has "
                                                               "others: try it times a common denominator");
  for (made = 0; made < 2 && status == PERM_OK; made++) {
    if (!permi_board_create(&side[made], &given, made, &options->allocator))
      status = permi_fail_memory(result);
  }
  if (status == PERM_OK) {
    bits = fmin(permi_board_bits(&side[0]), permi_board_bits(&side[1]));
    if (bits > 64 * PERM_INTEGER_WORDS)
      status = permi_fail(result, PERM_ERROR_OVERFLOW, 0, "the rook numbers may need %.0f bits, more than %d: try a "
                                                          "smaller matrix or smaller entries",
                          bits, 64 * PERM_INTEGER_WORDS);
  }
  for (k = 0; k < 2 && status == PERM_OK; k++) {
    side[k].words = (int)(bits / 64) + 1;
    permi_board_order(&side[k], watch);
  }
  if (status == PERM_OK)
    status = watch->stopped != PERM_OK ? permi_fail_stopped(watch, result)
                                       : permi_rook_solve(side, options, watch, numbers,
                                                          (matrix->m < matrix->n ? matrix->m : matrix->n) + 1, result);
  while (made-- > 0)
    permi_board_free(&side[made], &options->allocator);
  return status;
}

PERM_SPARSE_API perm_status perm_rook_numbers(const perm_matrix *matrix, const perm_options *options_given,
                                              perm_integer *numbers, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  permi_control watch = permi_control_begin(options);
  perm_status status;
  perm_result unused;
  permi_number last = permi_number_one();
  int k, count;
  if (!result)
    result = &unused;
  status = permi_meter_end(&call, permi_rook_numbers(matrix, options, numbers, &watch, result), result);
  if (status != PERM_OK)
    return permi_kind(status, 1, options_given, result);
  count = (matrix->m < matrix->n ? matrix->m : matrix->n) + 1;
  for (k = 0; k < count && options->modulus; k++)
    permi_integer_reduce(&numbers[k], options->modulus);
  last.integer = numbers[count - 1];
  permi_number_result(&last, result);
  result->modulus = options->modulus;
  result->precision = PERM_PRECISION_EXACT;
  result->error_bound = result->error_estimate = 0;
  result->seconds = permi_seconds() - watch.start;
  return result->status = PERM_OK;
}

PERM_SPARSE_API void perm_rook_matching_polynomial(int m, int n, const perm_integer *numbers,
                                                   perm_integer *coefficients)
{
  int k;
  if (m < 0 || n < 0 || !numbers || !coefficients)
    return;
  memset(coefficients, 0, ((size_t)m + (size_t)n + 1) * sizeof *coefficients);
  for (k = 0; k <= m && k <= n; k++) {
    coefficients[m + n - 2 * k] = numbers[k];
    coefficients[m + n - 2 * k].negative = numbers[k].words ? numbers[k].negative ^ (k & 1) : 0;
  }
}
#endif
