/* ==================================================================================== >>hybrid_leaf
   The program with its matrix: rounding, estimate, search and price. */
#pragma once
#include "../dense/plan.h"
#include "hybrid_program.h"

static void permi_hybrid_release(const perm_allocator *allocator, void *context)
{
  permi_hybrid *hybrid = (permi_hybrid *)context, *next;
  for (; hybrid; hybrid = next) {
    next = hybrid->next;
    permi_code_release(allocator, hybrid->code);
    permi_release(allocator, hybrid->gpu.memory);
    permi_release(allocator, hybrid->operation);
    permi_release(allocator, hybrid->statement);
    permi_release(allocator, hybrid->constant);
    permi_release(allocator, hybrid->start);
    permi_release(allocator, hybrid);
  }
}

/* The coefficient of an entry on the grid of its row, by parts of the algebra; a: real and imaginary part. */
static void permi_hybrid_round(permi_hybrid_algebra algebra, const double *a, double power, double *out)
{
  out[0] = permi_to_grid(a[0], power);
  if (algebra == PERMI_HYBRID_COMPLEX)
    out[1] = permi_to_grid(a[1], power);
  else if (algebra == PERMI_HYBRID_COMPENSATED)
    out[1] = permi_to_grid(a[0] - out[0], ldexp(power, -PERMI_GRID_LOW_BITS));
}

/* ---- what rounding does: the rows of a program as they were, and what their grids took */
typedef struct permi_hybrid_rows {
  int n;
  double modulus[64][64], lost[64][64];
  double lost_square[64], square[64], below_square[64]; /* of rows: sums of squares */
  double sum[64];                                       /* of a row's numbers, by parts */
  double unit[64];                                      /* all numbers of a row are multiples; 0: none is there */
} permi_hybrid_rows;

/* Entry j of row i is `number` (parts of the algebra) in the program, and `lost` more in truth. */
static void permi_hybrid_row_entry(permi_hybrid_rows *rows, permi_hybrid_algebra algebra, int i, int j,
                                   const double *number, const double *lost)
{
  const int parts = algebra == PERMI_HYBRID_REAL ? 1 : 2;
  int p;
  rows->modulus[i][j] = algebra == PERMI_HYBRID_COMPLEX ? permi_modulus(number[0], number[1]) : fabs(number[0]);
  rows->lost[i][j] = algebra == PERMI_HYBRID_COMPLEX ? permi_modulus(lost[0], lost[1]) : fabs(lost[0]);
  rows->square[i] += rows->modulus[i][j] * rows->modulus[i][j];
  rows->lost_square[i] += rows->lost[i][j] * rows->lost[i][j];
  if (algebra == PERMI_HYBRID_COMPENSATED)
    rows->below_square[i] += number[1] * number[1];
  for (p = 0; p < parts; p++)
    if (number[p] != 0) {
      const double unit = permi_unit_of(number[p]);
      rows->sum[i] += fabs(number[p]);
      rows->unit[i] = rows->unit[i] > 0 ? fmin(rows->unit[i], unit) : unit;
    }
}

/* At least the share in the permanent of a row of n moduli: permanents are at most products of these. With x_1 >= x_2
   >= ..., a row is the sum over k of (x_k - x_k+1) times a row of 0s with 1s at its k largest, permanents are linear in
   each row, and those of 0s and 1s are bounded by [Bre73]. Sorts x. */
static double permi_bregman_row(double *x, int n)
{
  double sum = 0, before = 0, factorial = 0; /* logarithm of k! */
  int i, k;
  for (i = 1; i < n; i++) {
    const double move = x[i];
    for (k = i; k > 0 && x[k - 1] < move; k--)
      x[k] = x[k - 1];
    x[k] = move;
  }
  for (k = 1; k <= n && x[k - 1] > 0; k++) {
    double root;
    factorial += log((double)k);
    root = exp(factorial / k);
    sum += x[k - 1] * (root - before);
    before = root;
  }
  return sum;
}

/* Binary logarithm of a bound on the permanent of the moduli, and to share[i], where it is not NULL, of what a bound
   of row i's losses is of that of the row. turned: by columns. */
static double permi_hybrid_majorant(const permi_hybrid_rows *rows, int turned, double *share)
{
  double row_scale[64], column_scale[64], x[64], bound = 0;
  const int n = rows->n;
  int turn, i, j;
  for (i = 0; i < n; i++)
    row_scale[i] = column_scale[i] = 1;
  for (turn = 0; turn < 8; turn++) { /* towards lines that add up to 1 [Sin64], where the bound is good */
    for (i = 0; i < n; i++) {
      double sum = 0;
      for (j = 0; j < n; j++)
        sum += rows->modulus[i][j] * column_scale[j];
      row_scale[i] = sum > 0 ? 1 / sum : row_scale[i];
    }
    for (j = 0; j < n; j++) {
      double sum = 0;
      for (i = 0; i < n; i++)
        sum += rows->modulus[i][j] * row_scale[i];
      column_scale[j] = sum > 0 ? 1 / sum : column_scale[j];
    }
  }
  for (i = 0; i < n; i++) {
    double size;
    for (j = 0; j < n; j++)
      x[j] = turned ? rows->modulus[j][i] * row_scale[j] * column_scale[i]
                    : rows->modulus[i][j] * row_scale[i] * column_scale[j];
    size = permi_bregman_row(x, n);
    bound += log2(size) - log2(row_scale[i]) - log2(column_scale[i]);
    for (j = 0; j < n && share; j++)
      x[j] = rows->lost[i][j] * row_scale[i] * column_scale[j];
    if (share)
      share[i] = permi_bregman_row(x, n) / size;
  }
  return bound;
}

/* From the rows of a program to what its roundings may do, y = A d for signs d, u the rounding unit:

   1. What grids and divisions took from the entries, all terms share: it changes the permanent by the sum over entries
      of lost_ij per A_ij, to first order. (a) As terms have it, row i is off by g_i = (sum_j lost_ij^2)^(1/2) or so,
      and |y_i| mostly about r_i = (sum_j a_ij^2)^(1/2): relative to the terms all rows together
      2 (sum_i (g_i / r_i)^2)^(1/2). That fails where y_i is small whenever the others are large: rows of which anything
      was lost count as |y_i| + r_i / 2n, which raises the sum of usual |terms| by a factor below 2, and of which g_i is
      2n g_i / r_i at most. Minors are smaller than the terms that they are made of, as permanents are, by a factor that
      falls with n like exp(-n/4) to exp(-n/2) unless nothing cancels, and then the value is as large as they are.
      (b) As entries have it, per A_ij is at most the permanent of the moduli: where terms cancel massively, as in
      non-negative matrices, that is far less.
   2. Products and differences round independently: of k of them in a term t, u k^(1/2) |t|; all terms together, of
      which the larger ones are but (4/5 2)^n or so, by the root of their number less. Terms may repeat, then they err
      alike: a small part of u k^(1/2) sum |t| is always left. Nothing rounds before a product of whole numbers (of the
      rows' units) takes 53 bits. */
static void permi_hybrid_errors(const permi_hybrid_rows *rows, permi_hybrid_rounding *rounding)
{
  const int n = rows->n;
  double share[64], all = 0, squares = 0, majorant;
  int i;
  memset(rounding, 0, sizeof *rounding);
  for (i = 0; i < n; i++) {
    if (rows->unit[i] == 0)
      continue;
    if (rows->lost_square[i] > 0 || rows->below_square[i] > 0)
      rounding->floor[i] = sqrt(rows->square[i]) / (2 * n);
    squares += rows->lost_square[i] / rows->square[i];
    rounding->below += rows->below_square[i] / rows->square[i];
    rounding->bits += log2(rows->sum[i] / rows->unit[i]);
  }
  rounding->shared.relative = 2 * sqrt(squares);
  rounding->shared.part = fmin(1, 3.6 * exp(-0.2 * n));
  majorant = permi_hybrid_majorant(rows, 0, share);
  majorant = fmin(majorant, permi_hybrid_majorant(rows, 1, NULL));
  for (i = 0; i < n; i++)
    all += share[i];
  rounding->majorant = exp2(fmin(majorant + n - 1, 1000));
  rounding->shared.most = all * rounding->majorant;
}

/* The same for the interpreter, whose rows are those of a, only on their grids. 0: out of memory. */
static int permi_hybrid_measure(const perm_allocator *allocator, int n, permi_hybrid_algebra algebra, const double *a,
                                permi_hybrid *hybrid)
{
  const int width = algebra == PERMI_HYBRID_COMPLEX ? 2 : 1;
  permi_hybrid_rows *rows = (permi_hybrid_rows *)permi_allocate(allocator, 1, sizeof *rows);
  int i, j, p;
  if (!rows)
    return 0;
  memset(rows, 0, sizeof *rows);
  rows->n = n;
  for (i = 0; i < n; i++) {
    double row[2][64], power, number[2] = {0, 0}, lost[2] = {0, 0};
    for (j = 0; j < n; j++)
      for (p = 0; p < width; p++)
        row[p][j] = a[(i * n + j) * width + p];
    power = permi_grid_power(row[0], n);
    if (width == 2)
      power = fmax(power, permi_grid_power(row[1], n));
    for (j = 0; j < n; j++) {
      permi_hybrid_round(algebra, a + (i * n + j) * width, power, number);
      for (p = 0; p < width; p++)
        lost[p] = row[p][j] - number[p];
      if (algebra == PERMI_HYBRID_COMPENSATED)
        lost[0] -= number[1];
      permi_hybrid_row_entry(rows, algebra, i, j, number, lost);
    }
  }
  permi_hybrid_errors(rows, &hybrid->rounding);
  for (i = 0; i < n; i++)
    hybrid->floor[permi_hybrid_line(i)] = hybrid->rounding.floor[i];
  permi_release(allocator, rows);
  return 1;
}

/* a: the oriented and scaled matrix, [n][n] times 1 or, for complex numbers, 2. *hybrid stays NULL if the program has
   no room. */
static perm_status permi_hybrid_create(const perm_allocator *allocator, permi_layouts *work, permi_arrangement *layout,
                                       permi_hybrid_algebra algebra, const double *a, permi_hybrid **made)
{
  const int n = work->n, width = algebra == PERMI_HYBRID_COMPLEX ? 2 : 1;
  permi_hybrid_maker maker;
  permi_hybrid *hybrid = (permi_hybrid *)permi_allocate(allocator, 1, sizeof *hybrid);
  int i, j, k, p, s, root, turned[PERMI_HYBRID_LOW + 1][64];
  double power[64], term[2] = {0, 0};
  *made = NULL;
  if (!hybrid)
    return PERM_ERROR_MEMORY;
  memset(hybrid, 0, sizeof *hybrid);
  if (!permi_hybrid_measure(allocator, n, algebra, a, hybrid)) {
    permi_release(allocator, hybrid);
    return PERM_ERROR_MEMORY;
  }
  memset(&maker, 0, sizeof maker);
  memset(turned, 0, sizeof turned);
  maker.work = work;
  maker.layout = layout;
  maker.hybrid = hybrid;
  maker.allocator = allocator;
  hybrid->n = n;
  hybrid->inner = layout->inner;
  hybrid->low = layout->low;
  hybrid->transposed = layout->transposed;
  hybrid->algebra = algebra;
  hybrid->parts = algebra == PERMI_HYBRID_REAL ? 1 : 2;
  hybrid->lanes = PERMI_HYBRID_DOUBLES / hybrid->parts;
  for (hybrid->lanes_log2 = 0; 2 << hybrid->lanes_log2 <= hybrid->lanes; hybrid->lanes_log2++)
    ;
  k = n - 1 - layout->inner - layout->low;
  if (hybrid->lanes_log2 > k)
    hybrid->lanes_log2 = k;
  hybrid->high = k - hybrid->lanes_log2;
  permi_layout_sort(work, layout);
  hybrid->cost = permi_layout_cost(work, layout, (double)INFINITY, 1);
  hybrid->rows_a_term = work->rows_a_step;
  root = n + work->nodes - 1;

  /* rows: grid, constants, bases, what columns add */
  hybrid->start = (double *)permi_allocate(
      allocator, (size_t)(n * hybrid->parts * (1 + hybrid->lanes + hybrid->high) + hybrid->lanes), sizeof(double));
  if (!hybrid->start) {
    permi_hybrid_release(allocator, hybrid);
    return PERM_ERROR_MEMORY;
  }
  hybrid->lane = hybrid->start + n * hybrid->parts;
  hybrid->sign = hybrid->lane + n * hybrid->parts * hybrid->lanes;
  hybrid->step = hybrid->sign + hybrid->lanes;
  for (i = 0; i < n; i++) {
    double row[2][64], coefficient[2];
    for (j = 0; j < n; j++)
      for (p = 0; p < width; p++)
        row[p][j] = a[(i * n + j) * width + p];
    power[i] = permi_grid_power(row[0], n);
    if (width == 2)
      power[i] = fmax(power[i], permi_grid_power(row[1], n));
    for (k = 0; k < layout->inner; k++)
      if (work->column[layout->transposed][layout->order[k]] >> i & 1)
        maker.scope[i] |= UINT32_C(1) << k;
    maker.constant[i] = hybrid->constants;
    for (s = 0; s < 1 << permi_bits32(maker.scope[i]); s++) {
      const uint32_t setting = permi_spread_bits(s, maker.scope[i]);
      double sum[2] = {0, 0};
      for (k = 0; k < layout->inner; k++)
        if (maker.scope[i] >> k & 1) {
          permi_hybrid_round(algebra, a + (i * n + layout->order[k]) * width, power[i], coefficient);
          for (p = 0; p < hybrid->parts; p++)
            sum[p] += setting >> k & 1 ? -coefficient[p] : coefficient[p];
        }
      permi_maker_constant(&maker, sum);
    }
    for (p = 0; p < hybrid->parts; p++)
      hybrid->start[i * hybrid->parts + p] = 0;
    memset(hybrid->lane + i * hybrid->parts * hybrid->lanes, 0,
           (size_t)(hybrid->parts * hybrid->lanes) * sizeof(double));
    for (k = layout->inner; k < n; k++) {
      const int at = k - layout->inner - layout->low, high = at, lane = at - hybrid->high;
      permi_hybrid_round(algebra, a + (i * n + layout->order[k]) * width, power[i], coefficient);
      for (p = 0; p < hybrid->parts; p++) {
        hybrid->start[i * hybrid->parts + p] += coefficient[p];
        if (at >= 0 && high < hybrid->high)
          hybrid->step[(high * n + i) * hybrid->parts + p] = 2 * coefficient[p];
        for (s = 0; lane >= 0 && lane < hybrid->lanes_log2 && s < hybrid->lanes; s++)
          if (s >> lane & 1)
            hybrid->lane[(i * hybrid->parts + p) * hybrid->lanes + s] -= 2 * coefficient[p];
      }
      if (k < layout->inner + layout->low && work->column[layout->transposed][layout->order[k]] >> i & 1) {
        for (p = 0; p < hybrid->parts; p++)
          term[p] = 2 * coefficient[p];
        turned[k - layout->inner][i] = permi_maker_constant(&maker, term);
        for (p = 0; p < hybrid->parts; p++)
          term[p] = -term[p];
        permi_maker_constant(&maker, term);
      }
    }
  }
  for (s = 0; s < hybrid->lanes; s++) {
    int minus = 0;
    for (k = 0; k < hybrid->lanes_log2; k++)
      minus ^= s >> k & 1;
    hybrid->sign[s] = s >> hybrid->lanes_log2 ? 0 : minus ? -1 : 1;
  }
  for (j = 0; j < hybrid->high; j++) {
    for (i = k = 0; i < n; i++)
      if (work->column[layout->transposed][layout->order[layout->inner + layout->low + j]] >> i & 1)
        hybrid->touched[j][k++] = i;
    hybrid->touched[j][k] = -1;
  }

  /* statements, step after step of the low columns */
  hybrid->slots = n;
  for (i = 0; i < n; i++)
    maker.busy[i >> 6] |= UINT64_C(1) << (i & 63);
  permi_maker_keep(&maker, permi_maker_node(&maker, root));
  permi_maker_visit(&maker, permi_maker_node(&maker, root), root, 0);
  for (s = 0; s < 1 << layout->low && !maker.failed; s++) {
    const int turns = s ? permi_trailing_zeros((uint64_t)s) : 0;
    for (k = 0; k < maker.evaluated; k++)
      if (s == 0 || permi_maker_node(&maker, maker.sequence[k])->dirty >> turns & 1)
        permi_maker_emit(&maker, maker.sequence[k]);
    permi_maker_operation(&maker, PERMI_OP_TOTAL);
    permi_maker_statement(&maker, 0, permi_hybrid_line(permi_maker_node(&maker, root)->slot), 0, s & 1, 0);
    if (layout->low) { /* on to the next step; from the last, where only the last low column is -, to the first */
      const int next = s + 1 < 1 << layout->low ? permi_trailing_zeros((uint64_t)s + 1) : layout->low - 1;
      const int minus = s + 1 < 1 << layout->low && ((s + 1) ^ (s + 1) >> 1) >> next & 1;
      permi_maker_operation(&maker, PERMI_OP_FLIP);
      for (i = 0; i < n; i++)
        if (work->column[layout->transposed][layout->order[layout->inner + next]] >> i & 1)
          permi_maker_statement(&maker, permi_hybrid_line(i), permi_hybrid_line(i), 0, turned[next][i] + minus, 0);
    }
  }
  if (maker.failed) {
    permi_hybrid_release(allocator, hybrid);
    return maker.failed == 2 ? PERM_ERROR_MEMORY : PERM_OK;
  }
  for (k = 0; k < hybrid->operations; k++)
    hybrid->operations_a_term += permi_instruction_operations(&hybrid->operation[k]);
  hybrid->operations_a_term = ldexp(hybrid->operations_a_term, -layout->low);
  *made = hybrid;
  return PERM_OK;
}

static size_t permi_hybrid_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  static const char *const algebra[] = {"real", "complex", "compensated"};
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  const double dense = 1.5 * hybrid->n * ldexp(1, hybrid->n - 1);
  int length = snprintf(
      buffer, size,
      "block of order %d: %s, %s, %s%s; columns: %d inner, %d low, %d high, %d lanes; %d statements on %d slots, %.4g "
      "operations per outer pattern, %.3g in all, dense has %.3g times as many; %.0f chunks, predicted %.3g s on one "
      "thread\n",
      hybrid->n, perm_method_name(leaf->information.method), perm_isa_name(leaf->information.isa),
      algebra[hybrid->algebra], hybrid->transposed ? ", transposed" : "", hybrid->inner, hybrid->low, hybrid->high,
      hybrid->lanes_log2, hybrid->statements, hybrid->slots, hybrid->operations_a_term,
      hybrid->operations_a_term * ldexp(1, hybrid->n - 1 - hybrid->inner),
      dense / (hybrid->operations_a_term * ldexp(1, hybrid->n - 1 - hybrid->inner)),
      (double)leaf->information.chunks, leaf->information.seconds);
  return length > 0 ? (size_t)length : 0;
}

static uint64_t permi_hybrid_fingerprint(const permi_hybrid *hybrid)
{
  uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)hybrid->algebra);
  int i;
  hash = permi_hash(permi_hash(hash, (uint64_t)hybrid->high), (uint64_t)hybrid->chunk_log2);
  hash = permi_hash(permi_hash(hash, (uint64_t)hybrid->low), hybrid->absolute_mask);
  for (i = 0; i < hybrid->operations; i++) {
    const permi_instruction *t = &hybrid->operation[i];
    hash = permi_hash(hash, (uint64_t)t->opcode | (uint64_t)t->row << 16 | (uint64_t)t->other << 32 |
                                (uint64_t)t->group << 48);
    hash = permi_hash(hash, (uint64_t)t->count);
  }
  for (i = 0; i < hybrid->statements; i++) {
    const permi_statement *t = &hybrid->statement[i];
    hash = permi_hash(hash, (uint64_t)t->p | (uint64_t)t->q << 16 | (uint64_t)t->h << 32 | (uint64_t)t->g << 48);
    hash = permi_hash(hash, t->out);
  }
  for (i = 0; i < hybrid->constants * hybrid->parts; i++)
    hash = permi_hash_double(hash, hybrid->constant[i]);
  for (i = 0; i < hybrid->n * hybrid->parts * (1 + hybrid->lanes + hybrid->high) + hybrid->lanes; i++)
    hash = permi_hash_double(hash, hybrid->start[i]);
  return hash;
}

/* Statements times patterns a second, measured on a shared 2.5 GHz Cascade Lake. */
static double permi_hybrid_rate(perm_isa isa, permi_hybrid_algebra algebra)
{
  static const double rate[3][3] = {{6e9, 2.2e9, 2.1e9}, {4.5e9, 1.7e9, 1.3e9}, {1.4e9, 5e8, 2.1e8}};
  return rate[isa == PERM_ISA_AVX512 ? 0 : isa == PERM_ISA_AVX2 ? 1 : 2][(int)algebra];
}

/* The best layout found of both orientations, its predicted cost in statements: a third of what annealing may take for
   both orientations, the rest for the winner. After a program that had no room *layout is where the search goes on. */
static double permi_hybrid_search(permi_layouts *work, int inner, permi_arrangement *layout)
{
  const int n = work->n, least_outer = n > 12 ? 6 : 1, again = work->budget < PERMI_HYBRID_SLOT_BUDGET;
  permi_arrangement trial[2];
  double cost[2], best;
  uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
  int t, k, moves;
  for (t = 0; t < 2 && !again; t++) {
    permi_layout_start(work, t, &trial[t]);
    if (inner) {
      cost[t] = permi_layout_greedy(work, &trial[t]);
    } else {
      cost[t] = permi_layout_total(work, &trial[t], (double)INFINITY);
      for (k = 1; k <= PERMI_HYBRID_LOW && k + least_outer <= n; k++) {
        permi_arrangement deeper = trial[t];
        double price;
        deeper.low = k;
        price = permi_layout_total(work, &deeper, cost[t]);
        if (price < cost[t]) {
          cost[t] = price;
          trial[t] = deeper;
        }
      }
    }
  }
  if (again) {
    trial[0] = *layout;
    cost[0] = permi_layout_total(work, layout, (double)INFINITY);
    cost[1] = (double)INFINITY;
  }
  best = fmin(cost[0], cost[1]);
  if (best / work->speed > 300 * work->rival) { /* annealing gains 2x to 5x */
    *layout = trial[cost[1] < cost[0]];
    return best;
  }
  moves = (int)fmin(permi_layout_moves(work, best), inner ? 80000 : 4000) / 6;
  for (t = 0; t < 2 && moves > 3 && !again; t++)
    cost[t] = permi_layout_anneal(work, &trial[t], cost[t], moves, inner ? 3 : -1, least_outer, 0.2, &seed);
  t = cost[1] < cost[0];
  moves = (int)fmin(permi_layout_moves(work, cost[t]), inner ? 53334 : 2667);
  if (moves > 20)
    cost[t] = permi_layout_anneal(work, &trial[t], cost[t], moves, inner ? 4 : -1, least_outer, 0.1, &seed);
  *layout = trial[t];
  return cost[t];
}
