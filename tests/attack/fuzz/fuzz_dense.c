/* Fuzzing the public calls on dense matrices: bytes choose the function, sizes, strides, options, entries (NaN and
   infinities too), counts, and now and then something hostile: NULL, negative or huge sizes, short strides. Finite
   results must be within their bounds of an exact expansion, exact ones equal it; minors, gradients, batches and
   selections agree with single permanents; statuses are clean and memory is given back. */
#ifndef PERM_FUZZ_LINKED
#define PERM_IMPLEMENTATION
#endif
#include "perm_more.h"
#include "fuzz.h"
#include "fuzz_result.h"

enum { FUZZ_MOST = 9, FUZZ_ROOM = 2 * FUZZ_MOST * FUZZ_MOST, FUZZ_TOTAL = 9 };

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count, (void)arguments;
  fuzz_begin_openmp();
  return 0;
}

/* The permanent with multiplicities, by expansion; words 0: too large. `without`: a row and a column less one copy. */
static oracle_exact fuzz_expand(int parts, int m, int n, const oracle_entry *a, const int *row_counts,
                                const int *column_counts, int row, int column)
{
  static oracle_entry entry[2 * 16 * 16];
  oracle_exact none;
  int of_row[16], of_column[16], rows = 0, columns = 0, i, j, k;
  memset(&none, 0, sizeof none);
  for (i = 0; i < m; i++)
    for (k = row_counts ? row_counts[i] - (i == row) : i != row; k > 0; k--)
      if (rows == 16)
        return none;
      else
        of_row[rows++] = i;
  for (j = 0; j < n; j++)
    for (k = column_counts ? column_counts[j] - (j == column) : j != column; k > 0; k--)
      if (columns == 16)
        return none;
      else
        of_column[columns++] = j;
  if ((rows < columns ? columns : rows) > 12)
    return none;
  for (i = 0; i < rows; i++)
    for (j = 0; j < columns; j++)
      for (k = 0; k < parts; k++)
        entry[(rows <= columns ? i * columns + j : j * rows + i) * parts + k] =
            a[(of_row[i] * n + of_column[j]) * parts + k];
  return oracle_exact_entries(parts, rows < columns ? rows : columns, rows < columns ? columns : rows, entry, 3e6);
}

/* Counts that agree mostly, or anything; NULL: none. */
static const int *fuzz_counts(fuzz_bytes *from, int count, int total, int *counts)
{
  const unsigned b = fuzz_byte(from);
  int i;
  if (b < 100)
    return NULL;
  for (i = 0; i < count; i++)
    counts[i] = b > 250 ? (int)fuzz_byte(from) - 100 : 0;
  for (; b <= 250 && total > 0 && count > 0; total--)
    counts[fuzz_byte(from) % (unsigned)count]++;
  return counts;
}

static int fuzz_close(double x, double y, double within) { return fabs(x - y) <= within || (x != x && y != y); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static double a[FUZZ_ROOM], b[FUZZ_ROOM], list[2 * FUZZ_ROOM], single[2];
  static int64_t whole[FUZZ_ROOM];
  static oracle_entry entry[FUZZ_ROOM];
  int rows_of[64], columns_of[64], row_counts[FUZZ_MOST], column_counts[FUZZ_MOST];
  const int *rows = NULL, *columns = NULL;
  fuzz_bytes from = {data, size, 0};
  fuzz_memory memory = {0, 400u << 20, 0};
  const unsigned call = fuzz_byte(&from) % 32, shape = fuzz_byte(&from), order = fuzz_byte(&from);
  const int style = (int)(shape & 3), parts = 1 + (int)(shape >> 2 & 1), hostile = (shape >> 4 & 7) == 7;
  const int n = (int)(order % (FUZZ_MOST + 1)), m = (shape >> 3 & 1) ? (int)((order >> 4) % (FUZZ_MOST + 1)) : n;
  perm_options options = fuzz_options(&from);
  const ptrdiff_t ld = n;
  perm_result r, one;
  perm_status status = PERM_OK;
  oracle_exact exact;
  int finite = 1, k, i, j, total = (m < n ? m : n) + (int)(shape >> 7);
  size_t count = 1;
  if (size < 8)
    return 0;
  options.allocator.allocate = fuzz_allocate;
  options.allocator.release = fuzz_release;
  options.allocator.user_data = &memory;
  exact.words = 0;
  memset(&r, 0x55, sizeof r);
  for (k = 0; k < m * n * parts; k++) {
    whole[k] = fuzz_integer(&from, style);
    a[k] = fuzz_entry(&from, style);
    if (hostile && !fuzz_byte(&from))
      a[k] = k & 1 ? (double)NAN : (double)INFINITY;
    finite &= fabs(a[k]) <= DBL_MAX;
    entry[k] = call % 2 ? oracle_whole(whole[k] < 0 ? 0 - (uint64_t)whole[k] : (uint64_t)whole[k], 0, whole[k] < 0)
                        : oracle_double(finite ? a[k] : 0);
  }
  if (getenv("FUZZ_VERBOSE")) {
    fprintf(stderr, "call %u, %d x %d, %d part(s), method %s, precision %s, certify %d:", call, m, n, parts,
            perm_name("method", options.method), perm_name("precision", options.precision), options.certify);
    for (k = 0; k < m * n * parts; k++)
      fprintf(stderr, call % 2 ? " %.0f" : " %a", call % 2 ? (double)whole[k] : a[k]);
    fprintf(stderr, "\n");
  }
  if (call < 16) { /* one permanent, of doubles (even) or integers, perhaps with multiplicities */
    const int repeated = call & 4;
    if (repeated) {
      rows = fuzz_counts(&from, m, total, row_counts);
      columns = fuzz_counts(&from, n, total, column_counts);
    }
    if (call % 2 == 0)
      status = repeated ? (parts == 1 ? perm_compute_repeated_real : perm_compute_repeated_complex)(
                              m, n, a, ld, rows, columns, &options, &r)
                        : (parts == 1 ? perm_compute_real : perm_compute_complex)(m, n, a, ld, &options, &r);
    else
      status = repeated ? (parts == 1 ? perm_compute_repeated_integer : perm_compute_repeated_gaussian)(
                              m, n, whole, ld, rows, columns, &options, &r)
                        : (parts == 1 ? perm_compute_integer : perm_compute_gaussian)(m, n, whole, ld, &options, &r);
    fuzz_check_result(status, &r);
    if (!finite && m && n && call % 2 == 0)
      FUZZ_RESULT(status < 0, &r);
    if (status == PERM_OK && options.certify)
      FUZZ_RESULT(r.error_bound <= DBL_MAX, &r);
    if (status == PERM_OK && finite)
      exact = fuzz_expand(parts, m, n, entry, rows, columns, -1, -1);
    if (exact.words)
      fuzz_check_value(&r, &exact, 1e6);
    if (call % 2 && status == PERM_OK)
      FUZZ_RESULT(r.exact, &r);
  } else if (call < 20 && !(call & 1)) { /* minors of a row; the gradient */
    const int row = m ? (int)(fuzz_byte(&from) % (unsigned)m) : 0, gradient = call == 18;
    rows = fuzz_counts(&from, m, total, row_counts);
    columns = fuzz_counts(&from, n, total, column_counts);
    status = gradient ? (parts == 1 ? perm_gradient_real : perm_gradient_complex)(m, n, a, ld, rows, columns, &options,
                                                                                  list, &r)
                      : (parts == 1 ? perm_minors_real : perm_minors_complex)(
                            m, n, a, ld, rows, columns, row - (hostile ? 1 : 0), &options, list, &r);
    FUZZ_REQUIRE(status == r.status && fuzz_known_status(status) && (status == PERM_OK || r.message[0]));
    for (i = gradient ? 0 : row; status == PERM_OK && finite && i < (gradient ? m : row + 1) && !(hostile && !gradient);
         i++)
      for (j = 0; j < n; j++) {
        const double *at = &list[(gradient ? i * n + j : j) * parts];
        const int copies = (rows ? rows[i] : 1) * (columns ? columns[j] : 1);
        double distance;
        if (!copies) {
          FUZZ_RESULT(at[0] == 0 && (parts == 1 || at[1] == 0), &r);
          continue;
        }
        exact = fuzz_expand(parts, m, n, entry, rows, columns, i, j);
        if (!exact.words)
          continue;
        distance = oracle_exact_distance(&exact, at[0] / (gradient ? copies : 1),
                                         parts == 2 ? at[1] / (gradient ? copies : 1) : 0, r.exp2);
        if (!(distance <= 1e6 * r.error_estimate + 4 * DBL_EPSILON * (fabs(at[0]) + fabs(at[parts - 1])) + 1e-290))
          fprintf(stderr, "row %d, column %d of %d x %d, %d part(s): distance %g\n", i, j, m, n, parts, distance);
        FUZZ_RESULT(distance <= 1e6 * r.error_estimate + 4 * DBL_EPSILON * (fabs(at[0]) + fabs(at[parts - 1])) + 1e-290,
                    &r);
        oracle_exact_free(&exact);
      }
    exact.words = 0;
  } else if (call < 26) { /* batches, selections */
    const int order_of = (m < n ? m : n) % 6, step = order_of * order_of + (int)(fuzz_byte(&from) % 3) - hostile;
    const int selects = call % 3 == 0, taken = m && n ? 1 + (int)(fuzz_byte(&from) % 6) : 0;
    const size_t have = (size_t)(m * n);
    double most;
    count = fuzz_byte(&from) % 10;
    if (selects) {
      for (k = 0; k < (int)count * taken && k < 64; k++) {
        rows_of[k] = (int)(fuzz_byte(&from) % (unsigned)m) - (hostile && k == 3 ? 100 : 0);
        columns_of[k] = (int)(fuzz_byte(&from) % (unsigned)n) + (hostile && k == 5 ? 100 : 0);
      }
      rows = shape & 1 && taken <= m ? NULL : rows_of;
      status = (parts == 1 ? perm_select_real : perm_select_complex)(m, n, a, ld, taken, count, rows, columns_of,
                                                                    &options, list, &r);
    } else {
      while (count && (size_t)(order_of * order_of) + (count - 1) * (size_t)step > have)
        count--;
      status = (parts == 1 ? perm_batch_real : perm_batch_complex)(order_of, count, a, (size_t)step, &options, list,
                                                                   &r);
    }
    FUZZ_REQUIRE(status == r.status && fuzz_known_status(status) && (status == PERM_OK || r.message[0]));
    for (k = 0; status == PERM_OK && finite && k < (int)count; k++) {
      const int size_of = selects ? taken : order_of;
      for (i = 0; i < size_of; i++)
        for (j = 0; j < size_of * parts; j++)
          b[i * size_of * parts + j] =
              selects ? a[((rows ? rows_of[k * taken + i] : i) * n + columns_of[k * taken + j / parts]) * parts +
                          j % parts]
                      : a[k * step * parts + i * size_of * parts + j];
      status = (parts == 1 ? perm_compute_real : perm_compute_complex)(size_of, size_of, b, size_of, NULL, &one);
      FUZZ_REQUIRE(status == PERM_OK);
      for (i = 0, most = 1; i < size_of; i++) { /* above the permanent of the moduli */
        double sum = 0;
        for (j = 0; j < size_of * parts; j++)
          sum += fabs(b[i * size_of * parts + j]);
        most *= sum;
      }
      single[0] = ldexp(one.value, (int)one.exp2);
      single[1] = ldexp(one.imaginary, (int)one.exp2);
      if (one.error_estimate <= 1e-12 * fuzz_modulus(&one) && fuzz_modulus(&one) > 0 && one.exp2 == 0 &&
          options.precision <= PERM_PRECISION_FAST && options.method == PERM_METHOD_AUTO && !options.max_bytes)
        for (i = 0; i < parts; i++)
          if (!fuzz_close(list[k * parts + i], single[i], 1e-10 * (size_of > 4 ? fuzz_modulus(&one) : most))) {
            fprintf(stderr, "matrix %d of order %d: %.17g, alone %.17g\n", k, size_of, list[k * parts + i], single[i]);
            FUZZ_RESULT(!"the batch agrees", &one);
          }
    }
  } else if (call == 26) { /* u v of low rank */
    const int rank = m < n ? m : n;
    status = (parts == 1 ? perm_compute_low_rank_real : perm_compute_low_rank_complex)(
        n, rank - (hostile ? 2 : 0), a, rank, a, n, &options, &r);
    fuzz_check_result(status, &r);
  } else if (call == 27) {
    double condition = 0;
    status = (parts == 1 ? perm_compute_cauchy_real : perm_compute_cauchy_complex)(
        m < 4 ? 0 : n / 2, a, a + parts * (n / 2), &options, hostile ? NULL : &condition, &r);
    fuzz_check_result(status, &r);
  } else if (call == 28) {
    perm_estimate_plan plan = {(perm_estimator)(order % 5), 300, shape & 1 ? 0.1 : 0, hostile ? 2 : 0, 7, shape & 2};
    perm_estimate estimate;
    status = (parts == 1 ? perm_estimate_real : perm_estimate_complex)(m < n ? m : n, a, ld, &plan, &options,
                                                                            &estimate);
    FUZZ_REQUIRE(status == estimate.status && (status == PERM_OK || estimate.message[0]));
    FUZZ_REQUIRE(status < 0 ? estimate.value != estimate.value : estimate.standard_error >= 0);
  } else if (call == 29) { /* nothing may be asked for without pointers */
    status = (parts == 1 ? perm_compute_real : perm_compute_complex)(m, n, shape & 1 ? NULL : a, ld - (hostile ? 3 : 0),
                                                                    &options, shape & 2 ? NULL : &r);
    FUZZ_REQUIRE(status <= 0 || status == PERM_STOPPED_TIME || status == PERM_TOLERANCE_NOT_MET);
    if (shape & 2)
      FUZZ_REQUIRE(status == PERM_ERROR_NULL);
    if ((shape & 1) && m > 0 && n > 0)
      FUZZ_REQUIRE(status < 0);
  } else if (call == 30) { /* sizes that nobody means */
    static const int sizes[8] = {-1, INT32_MIN, INT32_MAX, 65, 4097, 1 << 20, 100, -64};
    const int x = sizes[order & 7], y = shape & 1 ? x : sizes[order >> 3 & 7];
    options.max_bytes = 1;
    status = perm_compute_real(x, y, NULL, y, &options, &r);
    FUZZ_REQUIRE(status < 0 && status == r.status && r.value != r.value);
    status = perm_compute_repeated_integer(x, y, NULL, y, NULL, NULL, &options, &r);
    FUZZ_REQUIRE(status < 0 && status == r.status && r.value != r.value);
    status = perm_batch_real(x, (size_t)order << 50, NULL, (size_t)-1, &options, list, &r);
    FUZZ_REQUIRE(status == r.status);
    status = perm_select_real(x, y, NULL, y, y, (size_t)order << 56, NULL, NULL, &options, list, &r);
    FUZZ_REQUIRE(status == r.status);
    status = perm_minors_real(x, y, NULL, y, NULL, NULL, x, &options, list, &r);
    FUZZ_REQUIRE(status < 0 && status == r.status);
  } else { /* perm_real and perm_complex: the same number, if not its last bits */
    const int square = m < n ? m : n;
    double value[2] = {0, 0}, most;
    if (parts == 1) {
      value[0] = perm_real(square, a);
      status = perm_compute_real(square, square, a, square, NULL, &r);
      FUZZ_RESULT(status == PERM_OK ? value[0] == value[0] : value[0] != value[0], &r);
    } else {
      status = perm_compute_complex(square, square, a, square, NULL, &r);
      FUZZ_RESULT(perm_complex(square, a, value) == status, &r);
    }
    for (i = 0, most = 1; i < square; i++) { /* above the sum of the moduli of all terms, in either engine */
      double sum = 0;
      for (k = 0; k < square * parts; k++)
        sum += fabs(a[i * square * parts + k]);
      most *= sum;
    }
    for (k = 0; status == PERM_OK && most <= DBL_MAX && most > 1e-280 && k < parts; k++)
      FUZZ_RESULT(fuzz_close(value[k], ldexp(k ? r.imaginary : r.value, (int)r.exp2), 1e-12 * most), &r);
  }
  if (exact.words)
    oracle_exact_free(&exact);
  FUZZ_REQUIRE(memory.live == 0);
  return 0;
}

#if defined(PERM_FUZZ_STANDALONE)
int main(int count, char **arguments)
{
  return fuzz_random_main(count, arguments, 300);
}
#endif
/* SPDX-License-Identifier: MIT */
