/* ==================================================================================== >>hybrid_leaf
   A program with its matrix: rounding, search, price. */
#pragma once
#include "../dense/plan.h"
#include "../graph/device.h"
#include "../graph/engines.h"
#include "hybrid_program.h"

/* A run modulo a prime; without primes all numbers are exact. */
typedef struct permi_hybrid_run {
  permi_odd_modulus prime;
  uint64_t root;        /* stands for i; 0: all entries are real */
  permi_hybrid *tables; /* bases and constants of this run, or NULL */
  uint64_t *factor;     /* product of the other primes */
} permi_hybrid_run;

typedef struct permi_hybrid_runs {
  permi_hybrid_run *run; /* of each prime; for Gaussian integers again, with the other root */
  uint64_t *factor;
  int primes, passes, words;
  uint64_t modulus, stand_in; /* the caller's; what runs for all primes, or 0 */
  double bits;      /* of the permanent's bound */
} permi_hybrid_runs;

static void permi_hybrid_release(const perm_allocator *allocator, void *context)
{
  permi_hybrid *hybrid = (permi_hybrid *)context;
  permi_hybrid_runs *runs = hybrid ? hybrid->runs : NULL;
  if (!hybrid)
    return;
  for (int k = 0; runs && runs->run && k < runs->passes; k++)
    permi_hybrid_release(allocator, runs->run[k].tables);
  if (runs) {
    permi_release(allocator, runs->run);
    permi_release(allocator, runs->factor);
  }
  permi_release(allocator, runs);
  permi_code_drop(allocator, hybrid);
  permi_release(allocator, hybrid->operation);
  permi_release(allocator, hybrid->statement);
  permi_release(allocator, hybrid->constant);
  permi_release(allocator, hybrid->start);
  permi_release(allocator, hybrid);
}

typedef struct permi_hybrid_rows {
  int n;
  double number[64][64][4];
  double modulus[64][64], lost[64][64];
  double lost_square[64], square[64], below[64], below_square[64]; /* below: second words */
  double sum[64], unit[64];
} permi_hybrid_rows;

/* a: [n][n][1, complex 2]; columns by `order` unless NULL. */
static void permi_hybrid_row(permi_hybrid_rows *rows, permi_hybrid_algebra algebra, const double *a, const int *order,
                             int i)
{
  const int n = rows->n, width = permi_hybrid_is_complex((int)algebra) ? 2 : 1;
  const int doubled = permi_hybrid_is_doubled((int)algebra), parts = doubled ? 2 * width : width;
  double row[2][64] = {{0}};
  for (int k = 0; k < n; k++)
    for (int p = 0; p < width; p++)
      row[p][k] = a[(i * n + (order ? order[k] : k)) * width + p];
  const double power = fmax(permi_grid_power(row[0], n), permi_grid_power(row[1], n));
  for (int k = 0; k < n; k++) {
    double *number = rows->number[i][k], lost[2] = {0, 0}, below[2] = {0, 0};
    double *modulus = &rows->modulus[i][k], *gone = &rows->lost[i][k];
    memset(number, 0, sizeof rows->number[i][k]);
    for (int p = 0; p < width; p++) {
      double *word = number + p * parts / width;
      word[0] = permi_to_grid(row[p][k], power);
      if (doubled)
        word[1] = below[p] = permi_to_grid(row[p][k] - word[0], ldexp(power, -PERMI_GRID_LOW_BITS));
      lost[p] = row[p][k] - word[0] - below[p];
    }
    *modulus = permi_modulus(number[0], width == 2 ? number[parts / 2] : 0);
    *gone = permi_modulus(lost[0], lost[1]);
    rows->square[i] += *modulus * *modulus;
    rows->lost_square[i] += *gone * *gone;
    rows->below[i] += permi_modulus(below[0], below[1]) * (1 + 1e-12);
    rows->below_square[i] += below[0] * below[0] + below[1] * below[1];
    for (int p = 0; p < parts; p++)
      if (number[p] != 0) {
        const double step = permi_unit_of(number[p]);
        rows->sum[i] += fabs(number[p]);
        rows->unit[i] = rows->unit[i] > 0 ? fmin(rows->unit[i], step) : step;
      }
  }
}

/* Returns a row's factor of [Bre73]'s bound, and sorts x: a sum of (x_k - x_k+1) times 0/1 rows with k ones. */
static double permi_bregman_row(double *x, int n)
{
  double sum = 0, before = 0, factorial = 0;
  int i, k;
  for (i = 1; i < n; i++) {
    const double move = x[i];
    for (k = i; k > 0 && x[k - 1] < move; k--)
      x[k] = x[k - 1];
    x[k] = move;
  }
  for (k = 1; k <= n && x[k - 1] > 0; k++) {
    factorial += log((double)k);
    const double root = exp(factorial / k);
    sum += x[k - 1] * (root - before);
    before = root;
  }
  return sum;
}

/* Returns log2 of that bound by rows or, if `turned`, columns; share[i]: row i's losses over it. */
static double permi_hybrid_majorant(const permi_hybrid_rows *rows, int turned, double *share)
{
  double scale[2][64], x[64], bound = 0; /* of rows, of columns */
  const int n = rows->n;
  for (int i = 0; i < n; i++)
    scale[0][i] = scale[1][i] = 1;
  for (int turn = 0; turn < 16; turn++) /* towards line sums of 1 [Sin64], where the bound is good */
    for (int i = 0; i < n; i++) {
      const int by_columns = turn & 1;
      double sum = 0;
      for (int j = 0; j < n; j++)
        sum += (by_columns ? rows->modulus[j][i] : rows->modulus[i][j]) * scale[!by_columns][j];
      if (sum > 0)
        scale[by_columns][i] = 1 / sum;
    }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      x[j] = turned ? rows->modulus[j][i] * scale[0][j] * scale[1][i] : rows->modulus[i][j] * scale[0][i] * scale[1][j];
    const double size = permi_bregman_row(x, n);
    bound += log2(size) - log2(scale[0][i]) - log2(scale[1][i]);
    for (int j = 0; j < n && share; j++)
      x[j] = rows->lost[i][j] * scale[0][i] * scale[1][j];
    if (share)
      share[i] = permi_bregman_row(x, n) / size;
  }
  return bound;
}

/* Estimates what roundings do (docs/proofs-rounding.md). Rows that lost anything have a floor. */
static void permi_hybrid_errors(const permi_hybrid_rows *rows, permi_hybrid_rounding *rounding)
{
  const int n = rows->n;
  double share[64], all = 0, squares = 0;
  memset(rounding, 0, sizeof *rounding);
  rounding->growth = 1;
  for (int i = 0; i < n; i++) {
    double lost = 0, least = 0;
    if (rows->unit[i] == 0)
      continue;
    rounding->growth *= fmax(rows->sum[i], 1) * (1 + 1e-12);
    if (rows->lost_square[i] > 0 || rows->below_square[i] > 0)
      rounding->floor[i] = least = sqrt(rows->square[i]) / (2 * n);
    squares += rows->lost_square[i] / rows->square[i];
    for (int j = 0; j < n; j++)
      lost += rows->lost[i][j] * (1 + 1e-12);
    if (rows->sum[i] < 0.125)
      rounding->losses = (double)INFINITY;
    else if (least > 0)
      rounding->losses += lost + rows->below[i] <= least ? lost / least * (1 + 1e-12) : (double)INFINITY;
    else
      rounding->unfloored += lost;
    rounding->bits += log2(rows->sum[i] / rows->unit[i]);
  }
  rounding->shared.relative = 2 * sqrt(squares);
  rounding->shared.part = fmin(1, 3.6 * exp(-0.2 * n));
  const double majorant = fmin(permi_hybrid_majorant(rows, 0, share), permi_hybrid_majorant(rows, 1, NULL));
  for (int i = 0; i < n; i++)
    all += share[i];
  rounding->majorant = exp2(fmin(majorant + n - 1, 1000));
  rounding->shared.most = all * rounding->majorant;
}

static void permi_hybrid_begin(permi_hybrid *hybrid, permi_layouts *work, permi_arrangement *layout,
                               permi_hybrid_algebra algebra)
{
  memset(hybrid, 0, sizeof *hybrid);
  hybrid->n = work->n;
  hybrid->inner = layout->inner;
  hybrid->low = layout->low;
  hybrid->transposed = layout->transposed;
  hybrid->algebra = algebra;
  hybrid->parts = permi_hybrid_parts((int)algebra);
  memcpy(hybrid->line_exp2, work->line_exp2, sizeof hybrid->line_exp2);
  permi_layout_by_degree(work, layout, layout->inner + layout->low);
  memcpy(hybrid->order, layout->order, sizeof hybrid->order);
  permi_layout_cost(work, layout, (double)INFINITY, 1);
  hybrid->rows_a_term = work->rows_a_step;
}

static void permi_maker_row(permi_hybrid_maker *maker, const permi_hybrid_rows *rows, int i)
{
  const permi_arrangement *layout = maker->layout;
  permi_hybrid *hybrid = maker->hybrid;
  permi_hybrid_node *node = &maker->work->node[i];
  const int inner = layout->inner, parts = hybrid->parts;
  double *lane = hybrid->lane + i * parts * hybrid->lanes;
  node->slot = hybrid->row_constant[i] = hybrid->constants;
  hybrid->row_scope[i] = node->scope;
  for (int s = 0; s < 1 << permi_count_ones(node->scope); s++) {
    const uint32_t setting = (uint32_t)permi_deposit_bits((unsigned)s, node->scope);
    double sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < inner; k++)
      for (int p = 0; p < parts && node->scope >> k & 1; p++)
        sum[p] += setting >> k & 1 ? -rows->number[i][layout->order[k]][p] : rows->number[i][layout->order[k]][p];
    permi_append(maker->allocator, (void **)&hybrid->constant, &hybrid->constants, &hybrid->constant_room, sum,
                 (size_t)parts * sizeof *sum, 65535, &maker->failed);
  }
  hybrid->row_constant[i + 1] = hybrid->constants;
  for (int k = inner; k < hybrid->n; k++) {
    const double *number = rows->number[i][layout->order[k]];
    const double twice[4] = {2 * number[0], 2 * number[1], 2 * number[2], 2 * number[3]};
    const int high = k - inner, bit = high - hybrid->high;
    for (int p = 0; p < parts; p++) {
      hybrid->start[i * parts + p] += number[p];
      if (high < hybrid->high)
        hybrid->step[(high * hybrid->n + i) * parts + p] = twice[p];
      for (int s = 0; bit >= 0 && bit < hybrid->lanes_log2 && s < hybrid->lanes; s++)
        if (s >> bit & 1)
          lane[p * hybrid->lanes + s] -= twice[p];
    }
  }
}

static int permi_maker_outer(permi_hybrid_maker *maker)
{
  const permi_arrangement *layout = maker->layout;
  permi_hybrid *hybrid = maker->hybrid;
  const int n = hybrid->n, words = n * hybrid->parts, outer = n - 1 - layout->inner;
  int i, j, k, s;
  hybrid->lanes = PERMI_HYBRID_DOUBLES / hybrid->parts;
  while (2 << hybrid->lanes_log2 <= hybrid->lanes && hybrid->lanes_log2 < outer)
    hybrid->lanes_log2++;
  hybrid->high = outer - hybrid->lanes_log2;
  hybrid->doubles = (size_t)(words * (1 + hybrid->lanes + hybrid->high) + hybrid->lanes);
  hybrid->start = (double *)permi_allocate_zeros(maker->allocator, hybrid->doubles, sizeof(double));
  if (!hybrid->start)
    return 0;
  hybrid->lane = hybrid->start + words;
  hybrid->sign = hybrid->lane + words * hybrid->lanes;
  hybrid->step = hybrid->sign + hybrid->lanes;
  for (s = 0; s < 1 << hybrid->lanes_log2; s++)
    hybrid->sign[s] = permi_count_ones((uint32_t)s) & 1 ? -1 : 1;
  for (j = 0; j < hybrid->high; j++) {
    const uint64_t column = maker->work->column[layout->transposed][layout->order[layout->inner + j]];
    for (i = k = 0; i < n; i++)
      if (column >> i & 1)
        hybrid->touched[j][k++] = i;
    hybrid->touched[j][k] = -1;
  }
  return 1;
}

static void permi_whole_row(permi_hybrid_maker *maker, const double *row, int i, int reduced)
{
  permi_growths *growths = maker->growths;
  permi_hybrid_node *node = &maker->work->node[i];
  const int n = maker->hybrid->n;
  for (int k = 0; k < n; k++) {
    const double x = row[maker->layout->order[k]];
    if (k < maker->hybrid->inner)
      growths->modulus[i][k] = fabs(x);
    else
      growths->outer[i] += fabs(x);
    node->size += fabs(x);
  }
  node->whole = !reduced;
  if (reduced)
    node->size = PERMI_GROWTH_HALF;
  maker->hybrid->floor[permi_hybrid_line(i)] = reduced;
}

/* Returns which high columns are - where terms are likely largest: columns, one by one, take the sign that raises the
   sum of |row sum|^2; without negative entries all take +. */
static uint64_t permi_hybrid_centre(const permi_hybrid *hybrid, const permi_hybrid_rows *rows, const int *order)
{
  const int n = hybrid->n, second = permi_hybrid_is_complex((int)hybrid->algebra) ? hybrid->parts / 2 : 0;
  double sum[64][2] = {{0}}, sign[64] = {0}, gain;
  uint64_t centre = 0;
  for (int turn = 0; turn < 4; turn++)
    for (int k = 0; k < n; k++) {
      const int j = order[k];
      gain = 0;
      for (int i = 0; i < n; i++) {
        const double *x = rows->number[i][j];
        sum[i][0] -= sign[k] * x[0];
        sum[i][1] -= sign[k] * x[second];
        gain += sum[i][0] * x[0] + sum[i][1] * x[second];
      }
      sign[k] = gain < 0 ? -1 : 1;
      for (int i = 0; i < n; i++) {
        sum[i][0] += sign[k] * rows->number[i][j][0];
        sum[i][1] += sign[k] * rows->number[i][j][second];
      }
    }
  for (int k = 0; k < hybrid->high; k++)
    centre |= (uint64_t)(sign[hybrid->inner + k] != sign[n - 1]) << k;
  return centre;
}

static void permi_maker_rows(permi_hybrid_maker *maker, permi_hybrid_rows *rows, const double *a, const int *reduced)
{
  permi_hybrid *hybrid = maker->hybrid;
  rows->n = hybrid->n;
  for (int i = 0; i < rows->n; i++) {
    if (reduced)
      permi_whole_row(maker, a + i * rows->n, i, reduced[i]);
    for (int k = 0; k < rows->n && reduced; k++)
      rows->number[i][k][0] = a[i * rows->n + k];
    if (!reduced)
      permi_hybrid_row(rows, hybrid->algebra, a, NULL, i);
    permi_maker_row(maker, rows, i);
  }
  if (reduced)
    return;
  permi_hybrid_errors(rows, &hybrid->rounding);
  hybrid->centre = permi_hybrid_centre(hybrid, rows, maker->layout->order);
  for (int i = 0; i < rows->n; i++)
    hybrid->floor[permi_hybrid_line(i)] = hybrid->rounding.floor[i];
}

/* a: [n][n][1, complex 2], oriented and scaled; *made stays NULL if it does not fit. */
static perm_status permi_hybrid_create(const perm_allocator *allocator, permi_layouts *work, permi_arrangement *layout,
                                       permi_hybrid_algebra algebra, const double *a, const int *reduced,
                                       permi_hybrid **made)
{
  permi_hybrid *hybrid = (permi_hybrid *)permi_allocate(allocator, 1, sizeof *hybrid);
  permi_hybrid_rows *rows = (permi_hybrid_rows *)permi_allocate_zeros(allocator, 1, sizeof *rows);
  permi_growths *growths = reduced ? (permi_growths *)permi_allocate_zeros(allocator, 1, sizeof *growths) : NULL;
  permi_hybrid_maker maker = {work, layout, hybrid, allocator, {0}, {0}, 0, 2, growths};
  *made = NULL;
  if (hybrid)
    permi_hybrid_begin(hybrid, work, layout, algebra);
  if (hybrid && rows && (growths || !reduced) && permi_maker_outer(&maker)) {
    maker.failed = 0;
    if (growths)
      growths->most_halvings = work->n - 1;
    permi_maker_rows(&maker, rows, a, reduced);
    const int root = work->n + work->nodes - 1;
    permi_maker_plan(&maker);
    for (int k = 0; k < maker.evaluated && !maker.failed; k++)
      permi_maker_emit(&maker, maker.sequence[k]);
    hybrid->result = permi_hybrid_line(work->node[root].slot);
  }
  permi_release(allocator, rows);
  permi_release(allocator, growths);
  if (maker.failed) {
    permi_hybrid_release(allocator, hybrid);
    return maker.failed == 2 ? PERM_ERROR_MEMORY : PERM_OK;
  }
  *made = hybrid;
  return PERM_OK;
}

static uint64_t permi_hybrid_fingerprint(const permi_hybrid *hybrid)
{
  uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)hybrid->algebra);
  hash = permi_hash(permi_hash(hash, (uint64_t)hybrid->high), (uint64_t)hybrid->chunk_log2);
  hash = permi_hash(hash, hybrid->absolute_mask);
  for (int i = 0; i < hybrid->operations; i++) {
    const permi_instruction *t = &hybrid->operation[i];
    hash = permi_hash(hash, t->opcode | (uint64_t)t->row << 16 | (uint64_t)t->other << 32 | (uint64_t)t->group << 48);
    hash = permi_hash(hash, (uint64_t)t->count << 3 | (uint64_t)t->growth << 1 | (uint64_t)t->halved);
  }
  for (int i = 0; i < hybrid->statements; i++) {
    const permi_statement *t = &hybrid->statement[i];
    hash = permi_hash(hash, (uint64_t)t->p | (uint64_t)t->q << 16 | (uint64_t)t->h << 32 | (uint64_t)t->g << 48);
    hash = permi_hash(hash, t->out);
  }
  for (int i = 0; i < hybrid->constants * hybrid->parts; i++)
    hash = permi_hash_double(hash, hybrid->constant[i]);
  for (int i = 0; i < (int)hybrid->doubles; i++)
    hash = permi_hash_double(hash, hybrid->start[i]);
  return hash;
}

static permi_hybrid_algebra permi_hybrid_algebra_of(const permi_maker *maker)
{
  const int doubled = maker->options->precision == PERM_PRECISION_DD;
  return maker->working->integer      ? PERMI_HYBRID_WHOLE
         : maker->working->is_complex ? (doubled ? PERMI_HYBRID_COMPLEX_DOUBLED : PERMI_HYBRID_COMPLEX)
                                      : (doubled ? PERMI_HYBRID_DOUBLED : PERMI_HYBRID_REAL);
}

/* Each orientation gets a 30th of the annealing (a 6th: runs 1.04 times as long; none: 1.15). */
static double permi_hybrid_search(permi_layouts *work, permi_arrangement *layout)
{
  const int again = work->budget < PERMI_HYBRID_SLOT_BUDGET;
  permi_arrangement trial[2];
  double cost[2];
  uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
  int t, moves = 80000;
  for (t = 0; t < 2; t++) {
    trial[t] = again ? *layout : work->first[t];
    cost[t] = !again ? work->first_cost[t] : t ? cost[0] : permi_layout_total(work, layout, (double)INFINITY);
  }
  t = cost[1] < cost[0];
  if (cost[t] / work->speed <= 300 * work->rival) { /* annealing gains 2x to 5x */
    moves = (int)fmin(permi_layout_moves(work, cost[t]), moves);
    for (t = 0; t < 2 && !again && moves > 20; t++)
      cost[t] = permi_layout_anneal(work, &trial[t], cost[t], moves / 30, &seed);
    t = cost[1] < cost[0];
    moves = (int)fmin(permi_layout_moves(work, cost[t]), 53334);
    if (moves > 20)
      cost[t] = permi_layout_anneal(work, &trial[t], cost[t], moves, &seed);
  }
  *layout = trial[t];
  return cost[t];
}

static void permi_hybrid_say(char *text, size_t size, size_t *length, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  *length += permi_vsay(*length < size ? text + *length : NULL, *length < size ? size - *length : 0, format, arguments);
  va_end(arguments);
}

/* Sets *zero if a line has no entries. */
static perm_status permi_hybrid_matrix(permi_maker *maker, const permi_block *block, int transposed, double *scaled,
                                       long long *scale_exp2, int (*line_exp2)[64], int *zero)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const int n = block->n, parts = maker->working->is_complex ? 2 : 1;
  const permi_view view = permi_view_of(scaled, n, parts, NULL);
  permi_dense_plan plan;
  int i, j, e, p, (*exponent)[PERM_MAX_N] = permi_scale_room(allocator, n);
  if (!exponent)
    return permi_fail_memory(maker->result);
  memset(scaled, 0, (size_t)(n * n * parts) * sizeof *scaled);
  for (i = 0; i < n; i++)
    for (e = block->start[i]; e < block->start[i + 1]; e++)
      for (p = 0; p < parts; p++) {
        j = block->neighbour[e] - n;
        scaled[(transposed ? j * n + i : i * n + j) * parts + p] = (p ? block->imaginary : block->real)[block->edge[e]];
      }
  memset(&plan, 0, sizeof plan);
  plan.n = n;
  permi_plan_scale(&plan, &view, exponent);
  permi_release(allocator, exponent);
  *zero = plan.zero;
  *scale_exp2 = 0;
  for (i = 0; i < n && !plan.zero; i++) {
    line_exp2[0][i] = plan.row_exp2[i];
    line_exp2[1][i] = plan.column_exp2[i];
    *scale_exp2 -= plan.row_exp2[i] + plan.column_exp2[i];
    for (j = 0; j < n; j++)
      for (p = 0; p < parts; p++)
        scaled[(i * n + j) * parts + p] = permi_scaled(&plan, &view, i, j, p);
  }
  return PERM_OK;
}
/* SPDX-License-Identifier: MIT */
