/* ========================================================================================= >>reduce
   Lines of one or two entries are eliminated. Invariant:
     permanent = constant * 2^exp2 * permanent of the live entries.
   An entry alone in its line goes into the constant. A row of entries a, b in columns c, d is eliminated [FM03]: both
   columns become a (column d) + b (column c), with at least 2 entries fewer. Columns of a matrix with fewer rows are
   free: the only entry of one goes into the factor of its row if unmatched, `alone`. */
#pragma once
#include "split.h"

/* Scaling by powers of two: lines get mean exponent 0, then largest entries in [1/2, 1). Rounding an entry below the
   normal doubles changes the permanent by at most DBL_MIN times a minor's permanent of moduli, at most
   prod max(1, row sum). */
#define PERMI_SCALING_SWEEPS 200
#define PERMI_SCALING_VISITS 2e7

/* Returns the least e with modulus <= 2^e. */
static int permi_cell_exponent(const permi_cell *cell)
{
  if (cell->imaginary == 0)
    return permi_exponent(cell->real);
  const int e = permi_exponent(fmax(fabs(cell->real), fabs(cell->imaginary)));
  const double x = ldexp(cell->real, -e), y = ldexp(cell->imaginary, -e);
  return x * x + y * y < 1 - 1e-15 ? e : e + 1;
}

/* Multiplies by 2^by; returns 1 if rounded, by at most DBL_MIN. No entry vanishes. */
static int permi_cell_scale(permi_cell *cell, int by)
{
  const double real = ldexp(cell->real, by), imaginary = cell->imaginary == 0 ? 0 : ldexp(cell->imaginary, by);
  if (cell->imaginary == 0) {
    const int lost = permi_exponent(cell->real) + by < DBL_MIN_EXP;
    cell->real = lost ? (cell->real < 0 ? -DBL_MIN / 2 : DBL_MIN / 2) : real;
    cell->absolute = fabs(cell->real);
    return lost;
  }
  const int lost = ldexp(real, -by) != cell->real || ldexp(imaginary, -by) != cell->imaginary;
  cell->real = real == 0 && imaginary == 0 ? DBL_MIN / 2 : real;
  cell->imaginary = imaginary;
  cell->absolute = hypot(cell->real, imaginary) * (1 + 8 * PERMI_UNIT) + 8 * PERMI_UNIT * DBL_MIN;
  return lost;
}

static double permi_scale_sweep(permi_working *working, double *shift, int side, int largest)
{
  int n = working->n, vertex, index;
  double moved = 0;
  for (vertex = side * n; vertex < side * n + n; vertex++) {
    double sum = 0, most = -1e9, change;
    int count = 0;
    if (working->degree[vertex] <= 0)
      continue;
    if (permi_watch(working->watch, 10.0 * working->degree[vertex]))
      return 0;
    for (index = working->head[vertex]; index >= 0; index = working->cell[index].next[side]) {
      const double x = working->cell[index].exponent + shift[working->cell[index].vertex[1 - side]];
      if (working->cell[index].exponent == PERMI_NO_EXPONENT)
        continue;
      sum += x;
      most = x > most ? x : most;
      count++;
    }
    if (!count)
      continue;
    change = -(largest ? most : sum / count) - shift[vertex];
    shift[vertex] += change;
    moved = fmax(moved, fabs(change));
  }
  return moved;
}

/* Free columns keep their scale. */
static int permi_scale(permi_working *working)
{
  const int square = !working->alone;
  int(*exponent)[PERM_MAX_N], row_exp2[PERM_MAX_N], column_exp2[PERM_MAX_N];
  int n = working->n, sweep, vertex, index, seen = 0, fine = 1, i, j;
  double growth = 1, moved = 1, least = 0;
  double *const given = working->shift;
  double *shift = given ? given : (double *)permi_allocate_zeros(&working->allocator, 2 * (size_t)n, sizeof *shift);
  if (!shift)
    return 0;
  for (sweep = 0; sweep < PERMI_SCALING_SWEEPS && moved > 0.5 && square; sweep++) {
    moved = permi_scale_sweep(working, shift, 0, 0);
    moved += permi_scale_sweep(working, shift, 1, 0);
    if (sweep > 8 && (double)sweep * working->live > PERMI_SCALING_VISITS)
      break;
  }
  for (vertex = 0; vertex < 2 * n; vertex++)
    shift[vertex] = floor(shift[vertex]);
  if (n <= PERM_MAX_N && square) { /* exponents of -400 or less as >>scale does */
    exponent = permi_scale_room(&working->allocator, n);
    fine = exponent != NULL;
    if (!fine)
      goto done;
    for (i = 0; i < n; i++) {
      for (j = 0; j < n; j++)
        exponent[i][j] = PERMI_NO_EXPONENT;
      for (index = working->head[i]; index >= 0; index = working->cell[index].next[0]) {
        j = working->cell[index].vertex[1];
        exponent[i][j - n] = working->cell[index].exponent;
        if (exponent[i][j - n] != PERMI_NO_EXPONENT)
          least = fmin(least, exponent[i][j - n] + shift[i] + shift[j]);
      }
    }
    if (least <= -PERMI_SCALE_WIDE && permi_scale_exponents(n, exponent, row_exp2, column_exp2))
      for (i = 0; i < n; i++) {
        shift[i] = row_exp2[i];
        shift[n + i] = column_exp2[i];
      }
    permi_release(&working->allocator, exponent);
  }
  permi_scale_sweep(working, shift, 0, 1);
  if (square)
    permi_scale_sweep(working, shift, 1, 1);
  for (vertex = 0; vertex < n; vertex++) {
    double sum = 0;
    for (index = working->head[vertex]; index >= 0; index = working->cell[index].next[0]) {
      permi_cell *cell = &working->cell[index];
      if (cell->exponent != PERMI_NO_EXPONENT &&
          permi_cell_scale(cell, (int)(shift[vertex] + shift[cell->vertex[1]]))) {
        working->lost++;
        cell->rounded = 1;
      }
      sum += cell->absolute;
      if (permi_watch_step(working->watch, (size_t)seen++, 30))
        goto done;
    }
    growth *= sum > 1 ? sum * (1 + 1e-12) : 1;
  }
  for (vertex = 0; vertex < 2 * n; vertex++)
    working->exp2 -= (long long)shift[vertex];
  if (working->lost)
    working->lost_error = growth * DBL_MIN * working->lost;
done:
  permi_release(&working->allocator, given ? NULL : shift);
  return fine;
}

static void permi_reduce_look(permi_working *working, int *tail, int vertex)
{
  if (!working->queued[vertex] && working->degree[vertex] >= 0 && working->degree[vertex] <= 2) {
    working->queued[vertex] = 1;
    working->queue[*tail] = vertex;
    *tail = *tail == 2 * working->n ? 0 : *tail + 1;
  }
}

/* *sum = a x + b y; returns 0 if these are over 64 bits, or INT64_MIN. */
static int permi_combine_integers(int64_t a, int64_t x, int64_t b, int64_t y, int64_t *sum)
{
  const permi_wide first = permi_wide_of(a), second = permi_wide_of(b);
  permi_wide total = {0, 0};
  if (a && b && !(permi_combine_integers(a, x, 0, 0, sum) && permi_combine_integers(0, 0, b, y, sum)))
    return 0;
  permi_wide_add_product(&total, &first, x);
  permi_wide_add_product(&total, &second, y);
  *sum = (int64_t)total.low;
  return total.high == (*sum < 0 ? UINT64_MAX : 0) && *sum != INT64_MIN;
}

static int permi_combine_gaussian(const permi_cell *a, const permi_cell *x, permi_cell *product)
{
  return permi_combine_integers(a->integer, x->integer, -a->imaginary_integer, x->imaginary_integer,
                                &product->integer) &&
         permi_combine_integers(a->integer, x->imaginary_integer, a->imaginary_integer, x->integer,
                                &product->imaginary_integer);
}

/* sum = a x + b y; y may be NULL. Returns 0 on overflow, or near underflow, which costs more than a rounding. A complex
   product is off by at most 2 sqrt(2) u |a| |x| [Hig02, 3.6], contracted or not, the sum by u, underflow by 2^-1072
   with absolute > 1e-270: in all PERMI_COMPLEX_ROUNDINGS u absolute (tests/proofs/complex.v). */
#define PERMI_COMBINE_TINY 1e-270
#define PERMI_COMPLEX_ROUNDINGS 4
static int permi_combine(const permi_working *working, const permi_cell *a, const permi_cell *x, const permi_cell *b,
                         const permi_cell *y, permi_cell *sum)
{
  double p = a->real * x->real, q = y ? b->real * y->real : 0;
  double p_absolute = a->absolute * x->absolute, q_absolute = y ? b->absolute * y->absolute : 0;
  if (working->integer && !working->is_complex)
    return permi_combine_integers(a->integer, x->integer, y ? b->integer : 0, y ? y->integer : 0, &sum->integer);
  if (working->integer) {
    permi_cell first, second;
    second.integer = second.imaginary_integer = 0;
    return permi_combine_gaussian(a, x, &first) && (!y || permi_combine_gaussian(b, y, &second)) &&
           permi_combine_integers(1, first.integer, 1, second.integer, &sum->integer) &&
           permi_combine_integers(1, first.imaginary_integer, 1, second.imaginary_integer, &sum->imaginary_integer);
  }
  if (p_absolute < PERMI_COMBINE_TINY || (y && q_absolute < PERMI_COMBINE_TINY))
    return 0;
  if (working->is_complex) {
    p -= a->imaginary * x->imaginary;
    q -= y ? b->imaginary * y->imaginary : 0;
    sum->imaginary = a->real * x->imaginary + a->imaginary * x->real;
    sum->imaginary += y ? b->real * y->imaginary + b->imaginary * y->real : 0;
  } else if ((fabs(p) < PERMI_COMBINE_TINY && a->real != 0 && x->real != 0) ||
             (y && fabs(q) < PERMI_COMBINE_TINY && b->real != 0 && y->real != 0)) {
    return 0;
  }
  sum->real = p + q;
  sum->absolute = p_absolute + q_absolute;
  return 1;
}

static int permi_cell_is_zero(const permi_working *working, const permi_cell *cell)
{
  return working->integer ? cell->integer == 0 && cell->imaginary_integer == 0
                          : cell->real == 0 && cell->imaginary == 0;
}

/* Values that cancel further below their sums of |terms| are scaled without those, and have no bound or estimate. */
#define PERMI_CANCELS -400 /* log2 */

/* Largest entries come into [1/2, 1) unless something falls near underflow. */
static void permi_reduce_scale(permi_working *working, int vertex, int side)
{
  int index, e, largest = INT_MIN, scale = INT_MIN;
  double smallest = 1;
  for (index = working->head[vertex]; index >= 0; index = working->cell[index].next[side]) {
    const permi_cell *cell = &working->cell[index];
    const double x = fabs(cell->real), y = fabs(cell->imaginary);
    frexp(cell->absolute, &e);
    largest = e > largest ? e : largest;
    frexp(fmax(x, y), &e);
    scale = e > scale && fmax(x, y) > 0 ? e : scale;
    smallest = x != 0 && x < smallest ? x : smallest;
    smallest = y != 0 && y < smallest ? y : smallest;
  }
  if (largest == INT_MIN || (largest > 0 && ldexp(smallest, -largest) <= PERMI_COMBINE_TINY))
    return;
  if (scale == INT_MIN || scale > largest + PERMI_CANCELS)
    scale = largest;
  else
    working->lost_error = (double)INFINITY;
  working->lost += scale != largest;
  for (index = working->head[vertex]; index >= 0; index = working->cell[index].next[side]) {
    permi_cell *cell = &working->cell[index];
    cell->real = ldexp(cell->real, -scale);
    cell->imaginary = ldexp(cell->imaginary, -scale);
    cell->absolute = fmax(ldexp(cell->absolute, -largest), fabs(cell->real) + fabs(cell->imaginary));
  }
  working->exp2 += scale;
}

#define PERMI_MERGE_DEGREE 256
static int permi_reduce_two(permi_working *working, int *tail, int vertex)
{
  int side = vertex >= working->n, other = 1 - side, first = working->head[vertex], second, kept, merged, index, next;
  int pass, fits = 1;
  second = working->cell[first].next[side];
  if (working->degree[working->cell[first].vertex[other]] < working->degree[working->cell[second].vertex[other]]) {
    index = first;
    first = second;
    second = index;
  }
  permi_cell a = working->cell[first], b = working->cell[second];
  kept = a.vertex[other];
  merged = b.vertex[other];
  if (working->degree[kept] > PERMI_MERGE_DEGREE)
    return 0; /* merges into a hub would take n^2 */
  for (index = working->head[kept]; index >= 0; index = working->cell[index].next[other])
    if (index != first)
      working->at[working->cell[index].vertex[side]] = index;
  for (pass = 0; pass < 2 && fits; pass++) {
    for (index = working->head[merged]; index >= 0 && fits; index = next) {
      permi_cell *cell = &working->cell[index];
      int line = cell->vertex[side], partner = working->at[line];
      next = cell->next[other];
      if (index == second)
        continue;
      permi_cell sum = *cell;
      sum.rounded = 1;
      fits = permi_combine(working, &a, cell, &b, partner >= 0 ? &working->cell[partner] : NULL, &sum) &&
             (working->integer || !permi_cell_is_zero(working, &sum)); /* doubles that cancel may not be 0 */
      if (pass == 1) {
        permi_cell_unlink(working, index);
        *cell = sum;
        cell->vertex[other] = kept;
        if (partner >= 0)
          permi_cell_unlink(working, partner);
        working->at[line] = -1;
        if (!permi_cell_is_zero(working, cell))
          permi_cell_link(working, index);
        permi_reduce_look(working, tail, line);
      }
    }
    for (index = working->head[kept]; index >= 0 && fits; index = next) {
      permi_cell *cell = &working->cell[index];
      next = cell->next[other];
      if (index == first || working->at[cell->vertex[side]] != index)
        continue;
      permi_cell sum = *cell;
      sum.rounded = 1;
      fits = permi_combine(working, &b, cell, NULL, NULL, &sum);
      if (pass == 1) {
        *cell = sum;
        permi_reduce_look(working, tail, cell->vertex[side]);
      }
    }
  }
  for (index = working->head[kept]; index >= 0; index = working->cell[index].next[other])
    working->at[working->cell[index].vertex[side]] = -1;
  if (!fits)
    return 0;
  permi_cell_unlink(working, first);
  permi_cell_unlink(working, second);
  permi_watch(working->watch, 60.0 * (working->degree[kept] + working->degree[merged]));
  working->degree[vertex] = working->degree[merged] = -1;
  working->degree_two++;
  permi_reduce_look(working, tail, kept);
  if (!working->integer)
    permi_reduce_scale(working, kept, other);
  return 1;
}

/* Returns k u / (1 - k u) [Hig02, 3.1], rounded up: k roundings (tests/proofs/chains.v, tests/proofs/frontier.g). */
static double permi_gamma(double k)
{
  return k * PERMI_UNIT / (1 - k * PERMI_UNIT) * (1 + 8 * PERMI_UNIT);
}

/* Returns the roundings of an entry's terms: those of degree-2 steps, and 1 an entry if integers were rounded.
   `absolute` has them too: g / (1 - g) below. */
static double permi_entry_roundings(const permi_working *working, int entries)
{
  return (working->is_complex ? PERMI_COMPLEX_ROUNDINGS : 2.0) * working->degree_two +
         (working->inexact ? entries : 0);
}

static double permi_entry_bound(double roundings)
{
  const double gamma = permi_gamma(roundings);
  return gamma / (1 - gamma) * (1 + 8 * PERMI_UNIT);
}

static permi_number permi_cell_number(const permi_working *working, const permi_cell *cell)
{
  permi_number number;
  memset(&number, 0, sizeof number);
  if (working->integer) {
    number.integer = permi_integer_of(cell->integer);
    number.imaginary_integer = permi_integer_of(cell->imaginary_integer);
    number.exact = 1;
    number.value.hi = (double)cell->integer;
    number.imaginary.hi = (double)cell->imaginary_integer;
  } else {
    double roundings = permi_entry_roundings(working, working->degree_two + 1) + (working->alone ? cell->rounded : 0);
    number.value.hi = cell->real;
    number.imaginary.hi = cell->imaginary;
    number.error = permi_entry_bound(roundings) * cell->absolute + working->lost_error;
    number.estimate = PERMI_UNIT * sqrt(roundings) * cell->absolute + working->lost_error;
  }
  return number;
}

static perm_status permi_absorb(permi_working *working, const permi_cell *cell)
{
  if (working->integer && cell->integer == 1 && cell->imaginary_integer == 0)
    return PERM_OK;
  permi_number number = permi_cell_number(working, cell);
  const perm_status status = permi_number_multiply(&working->constant, &number);
  permi_number_reduce(&working->constant, working->modulus);
  return status;
}

/* Adds the entry of a column of its own to what its row has alone. Returns 0 if that rounds unasked or is too long. */
static int permi_alone_add(permi_working *working, const permi_cell *cell)
{
  permi_cell *alone = &working->alone[cell->vertex[0]], sum = *alone;
  const permi_cell one = permi_cell_one();
  if (!alone->vertex[1]) {
    *alone = *cell;
    return 1;
  }
  if (working->keep || !permi_combine(working, &one, alone, &one, cell, &sum))
    return 0;
  sum.rounded += !working->integer;
  *alone = sum;
  return 1;
}

/* Eliminates lines of degree 1 and 2, with free columns of degree 1. Sets *singular if a line is empty. Only the
   constant can overflow. */
static perm_status permi_reduce(permi_working *working, int *changed, int *singular)
{
  int n = working->n, head = 0, tail = 0, vertex;
  *changed = *singular = 0;
  for (vertex = 0; vertex < 2 * n; vertex++) {
    working->queued[vertex] = 0;
    permi_reduce_look(working, &tail, vertex);
  }
  while (head != tail) {
    const int live = working->live;
    if (permi_watch(working->watch, 100))
      return PERM_OK;
    vertex = working->queue[head];
    head = head == 2 * n ? 0 : head + 1;
    working->queued[vertex] = 0;
    const int degree = working->degree[vertex];
    const int side = vertex >= n;
    if (working->alone && degree >= 0 && (degree != 1 || side || working->alone[vertex].vertex[1])) {
      const int index = working->head[vertex];
      const permi_cell *cell = &working->cell[index < 0 ? 0 : index];
      perm_status status = PERM_OK;
      if (index < 0) {
        *singular = !side && !working->alone[vertex].vertex[1];
        working->degree[vertex] = -1;
        if (!side && !*singular)
          status = permi_absorb(working, &working->alone[vertex]);
      } else if (degree == 1 && side && permi_alone_add(working, cell)) {
        permi_cell_unlink(working, index);
        working->degree[vertex] = -1;
        permi_reduce_look(working, &tail, cell->vertex[0]);
      }
      if (status != PERM_OK || *singular)
        return status;
      continue;
    }
    if (degree == 0) {
      *singular = 1;
      return PERM_OK;
    }
    if (degree == 1) {
      int index = working->head[vertex], other = working->cell[index].vertex[1 - side], next;
      perm_status status = permi_absorb(working, &working->cell[index]);
      if (status != PERM_OK)
        return status;
      for (index = working->head[other]; index >= 0; index = next) {
        int neighbour = working->cell[index].vertex[side];
        next = working->cell[index].next[1 - side];
        permi_cell_unlink(working, index);
        if (neighbour != vertex)
          permi_reduce_look(working, &tail, neighbour);
      }
      working->degree[vertex] = working->degree[other] = -1;
      working->report.degree_one++;
      working->report.entries_one += (size_t)(live - working->live);
      *changed = 1;
    } else if (degree == 2 && !working->keep && permi_reduce_two(working, &tail, vertex)) {
      working->report.degree_two++;
      working->report.entries_two += (size_t)(live - working->live);
      *changed = 1;
    }
  }
  return PERM_OK;
}

/* Sets *cell to entry e; returns 1 if integer, Gaussian if complex. */
static int permi_matrix_entry(const perm_matrix *matrix, size_t e, permi_cell *cell)
{
  const double limit = 9007199254740992.0;
  const int reals = matrix->kind >= PERM_KIND_REAL;
  memset(cell, 0, sizeof *cell);
  cell->integer = matrix->kind == PERM_KIND_INTEGER ? matrix->integer[e] : 1;
  cell->real = reals ? matrix->real[e] : (double)cell->integer;
  cell->absolute = fabs(cell->real);
  cell->imaginary = matrix->kind == PERM_KIND_COMPLEX ? matrix->imaginary[e] : 0;
  if (!reals)
    return 1;
  if (!(cell->absolute < limit && fabs(cell->imaginary) < limit) || cell->real != floor(cell->real) ||
      cell->imaginary != floor(cell->imaginary))
    return 0;
  cell->integer = (int64_t)cell->real;
  cell->imaginary_integer = (int64_t)cell->imaginary;
  return 1;
}

/* Returns 0 if an entry at *row, *at is not an integer, or watch stopped. */
static int permi_matrix_integers(const perm_matrix *matrix, int *row, size_t *at, permi_control *watch)
{
  permi_cell cell;
  for (*row = 0, *at = 0; *row < matrix->m; ++*row)
    for (; *at < matrix->row_start[*row + 1]; ++*at)
      if (permi_watch_step(watch, *at, 5) || !permi_matrix_entry(matrix, *at, &cell))
        return 0;
  return 1;
}

static int permi_matrix_shorter(const perm_matrix *matrix)
{
  return matrix->m < matrix->n ? matrix->m : matrix->n;
}

static int permi_matrix_longer(const perm_matrix *matrix)
{
  return matrix->m > matrix->n ? matrix->m : matrix->n;
}

static void permi_sparse_fill(const perm_matrix *matrix, int exact, int transposed, permi_working *working)
{
  permi_cell cell;
  int i, used = 0, zero;
  size_t e;
  working->integer = exact;
  for (i = 0; i < matrix->m; i++) {
    if (permi_watch(working->watch, 50.0 * (double)(matrix->row_start[i + 1] - matrix->row_start[i])))
      break;
    for (e = matrix->row_start[i]; e < matrix->row_start[i + 1] && !permi_watch_step(working->watch, e, 0); e++) {
      permi_matrix_entry(matrix, e, &cell);
      zero = permi_cell_is_zero(working, &cell);
      if (zero && !working->zeros)
        continue;
      working->zeros = zero ? 2 : working->zeros;
      cell.rounded = !exact && matrix->kind == PERM_KIND_INTEGER && cell.absolute >= 9007199254740992.0;
      working->inexact |= cell.rounded;
      cell.exponent = zero ? PERMI_NO_EXPONENT : exact ? 0 : permi_cell_exponent(&cell);
      cell.vertex[0] = transposed ? matrix->column[e] : i;
      cell.vertex[1] = working->n + (transposed ? i : matrix->column[e]);
      working->cell[used] = cell;
      permi_cell_link(working, used++);
    }
  }
  working->report.m = matrix->m;
  working->report.n = matrix->n;
  working->report.entries = (size_t)used;
}

static perm_status permi_fail_long(perm_result *result)
{
  return permi_fail(result, PERM_ERROR_OVERFLOW, 0,
                    "the permanent may need more than %d bits: ask for it modulo a prime, or in doubles",
                    64 * PERM_INTEGER_WORDS);
}

/* A matrix of m rows and more columns, filled in: finds the structural rank, then components of what is left, or of
   the whole, but for columns of one entry if zeros are kept. */
static perm_status permi_prepare_free(permi_working *working, int m, int exact, int whole, int *zero)
{
  perm_preparation *report = &working->report;
  perm_status status = PERM_OK;
  int changed;
  permi_split(working); /* rows from m on have no entries, hence no partners */
  *zero = report->structural_rank < m;
  if (*zero || permi_watch(working->watch, 0))
    return PERM_OK;
  report->hall_lines = report->hall_others = 0;
  report->hall[0] = 0;
  working->alone = (permi_cell *)permi_pool_zeros(&working->pool, (size_t)m, sizeof *working->alone);
  if (!working->alone || (!exact && !permi_scale(working)))
    return PERM_ERROR_MEMORY;
  for (int v = m; v < working->n; v++)
    working->degree[v] = -1;
  if (!whole)
    status = permi_reduce(working, &changed, zero);
  const int end = whole && working->zeros ? 2 * working->n : 0;
  for (int v = working->n; v < end && !permi_watch_step(working->watch, (size_t)v, 10); v++) {
    const int index = working->head[v];
    permi_cell *cell = &working->cell[index < 0 ? 0 : index], *alone = &working->alone[cell->vertex[0]];
    const int last = alone->vertex[1] ? alone->next[0] : -1; /* a row's are linked from alone[row].next[0] on */
    if (working->degree[v] != 1 || !permi_alone_add(working, cell))
      continue;
    permi_cell_unlink(working, index);
    working->degree[v] = -1;
    cell->next[0] = last;
    alone->next[0] = index;
  }
  if (status == PERM_OK && !*zero && !permi_watch(working->watch, 0))
    permi_components_number(working);
  return status;
}
/* SPDX-License-Identifier: MIT */
