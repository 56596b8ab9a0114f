/* ========================================================================================= >>counts
   Equal rows and columns stand once, with counts, declared or found here; the choice of the engine. permi_counted is
   what is left: rows <= columns (else transposed), no count 0, no equal lines, no zero lines where some are to
   spare. An engine takes one side as digits, v_d = 0 .. count_d of them used, the other as forms. Forms to spare
   stay unused ("skips"). The engines:
     subsets         >>subsets: each form takes up one more digit, or none. 2^m m n / 2 for m < n without counts;
                     subtracts nothing that the permanent does not
     multiplicities  >>sign_sums: Glynn's sum over signs, or numbers, of digits
     short           the same for rectangular matrices: over the short side, 2^(m-1) m n */
#pragma once
#include "../base/memory.h"
#include "../job/problem.h"
#include "../dense/dense.h"

typedef struct permi_counted {
  int m, n, parts;   /* distinct rows and columns */
  int rows, columns; /* with counts; rows <= columns */
  int zero, *row_count, *column_count;
  double *real;     /* [m][n][parts]; NULL if integers */
  int64_t *integer;
  int scaled, exp2; /* scaled: doubles are integers times 2^exp2 */
  const permi_reach *reach;
} permi_counted;

/* Returns the bits of an entry, for -0 those of 0. */
PERMI_NEVER_INLINE static uint64_t permi_line_bits(const permi_problem *problem, int by_columns, int line, int other,
                                                   int part)
{
  const ptrdiff_t i = by_columns ? other : line, j = by_columns ? line : other;
  const ptrdiff_t at = (i * problem->ld + j) * problem->parts + part;
  uint64_t bits;
  if (problem->integer)
    return (uint64_t)problem->integer[at];
  double x = problem->real[at] + 0;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

typedef struct permi_lines {
  int *line, *count, lines;
  int total; /* of the counts */
} permi_lines;

/* y < 0: a line of zeros. */
static int permi_lines_equal(const permi_problem *problem, int by_columns, int x, int y, const permi_lines *other)
{
  for (int k = 0; k < other->lines; k++)
    for (int part = 0; part < problem->parts; part++)
      if (permi_line_bits(problem, by_columns, x, other->line[k], part) !=
          (y < 0 ? 0 : permi_line_bits(problem, by_columns, y, other->line[k], part)))
        return 0;
  return 1;
}

/* Of a square matrix up to PERM_MAX_N; zero lines count as equal. */
static int permi_lines_differ(const permi_problem *problem)
{
  int line[PERM_MAX_N], side, i, j;
  const permi_lines all = {line, NULL, problem->n, 0};
  for (i = 0; i < problem->n; i++)
    line[i] = i;
  for (side = 0; side < 2; side++)
    for (i = 0; i < problem->n; i++)
      for (j = -1; j < i; j++)
        if (permi_lines_equal(problem, side, i, j, &all))
          return 0;
  return 1;
}

/* Most lines differ in their first places (`first` is room for these). */
static void permi_lines_merge(const permi_problem *problem, int by_columns, const permi_lines *other,
                              permi_lines *lines, uint64_t *first)
{
  const int size = by_columns ? problem->n : problem->m;
  const int *given = by_columns ? problem->column_count : problem->row_count;
  int used = 0, x, k;
  for (x = 0; x < size && other->lines; x++) {
    const int times = given ? given[x] : 1;
    const uint64_t place = permi_line_bits(problem, by_columns, x, other->line[0], 0);
    if (!times)
      continue;
    for (k = 0; k < used; k++)
      if (first[k] == place && permi_lines_equal(problem, by_columns, lines->line[k], x, other))
        break;
    if (k == used) {
      first[used] = place;
      lines->line[used] = x;
      lines->count[used++] = 0;
    }
    lines->count[k] += times;
    lines->total += times;
  }
  lines->lines = used;
}

static size_t permi_counted_entries(const permi_counted *counted)
{
  return (size_t)counted->m * (size_t)counted->n * (size_t)counted->parts;
}

static int permi_counted_room(const perm_allocator *allocator, permi_counted *counted)
{
  const size_t entries = permi_counted_entries(counted), counts = (size_t)(counted->m + counted->n);
  counted->real = (double *)permi_allocate(allocator, 1, entries * sizeof(double) + counts * sizeof(int));
  if (!counted->real)
    return 0;
  counted->row_count = (int *)(counted->real + entries);
  counted->column_count = counted->row_count + counted->m;
  return 1;
}

/* Makes *counted, in O(m n) where lines differ. */
PERMI_COLD static perm_status permi_counted_make(const permi_problem *problem, const perm_allocator *allocator,
                                                 permi_counted *counted)
{
  const int most = problem->m > problem->n ? problem->m : problem->n;
  permi_lines side[2];
  uint64_t *first = (uint64_t *)permi_allocate(allocator, (size_t)most, sizeof *first + 4 * sizeof(int));
  memset(counted, 0, sizeof *counted);
  if (!first)
    return PERM_ERROR_MEMORY;
  for (int s = 0; s < 2; s++) {
    side[s].line = (int *)(first + most) + 2 * s * most;
    side[s].count = side[s].line + most;
    side[s].total = 0;
  }
  for (int j = 0; j < problem->n; j++)
    side[1].line[j] = j;
  side[1].lines = problem->n;
  for (int s = 0; s < 2; s++)
    permi_lines_merge(problem, s, &side[1 - s], &side[s], first);
  const int needed = side[0].total < side[1].total ? side[0].total : side[1].total;
  for (int s = 0; s < 2; s++) { /* harmless where lines are to spare */
    permi_lines *lines = &side[s];
    const int all = lines->lines;
    for (int i = lines->lines = 0; i < all; i++) {
      const int zero = permi_lines_equal(problem, s, lines->line[i], -1, &side[1 - s]);
      lines->line[lines->lines] = lines->line[i];
      lines->count[lines->lines] = lines->count[i];
      lines->total -= zero ? lines->count[i] : 0;
      lines->lines += !zero;
    }
    counted->zero |= side[s].total < needed;
  }
  const int s = side[0].total > side[1].total;
  const permi_lines *rows = &side[s], *columns = &side[1 - s];
  counted->m = rows->lines;
  counted->n = columns->lines;
  counted->rows = rows->total;
  counted->columns = columns->total;
  counted->parts = problem->parts;
  counted->reach = problem->reach;
  if (!permi_counted_room(allocator, counted)) {
    permi_release(allocator, first);
    return PERM_ERROR_MEMORY;
  }
  double *to = counted->real;
  if (problem->integer)
    counted->integer = (int64_t *)(void *)to;
  for (int i = 0; i < counted->m; i++)
    for (int j = 0; j < counted->n; j++)
      for (int part = 0; part < problem->parts; part++) {
        const uint64_t bits = permi_line_bits(problem, s, rows->line[i], columns->line[j], part);
        memcpy(to++, &bits, sizeof bits);
      }
  memcpy(counted->row_count, rows->count, (size_t)counted->m * sizeof(int));
  memcpy(counted->column_count, columns->count, (size_t)counted->n * sizeof(int));
  permi_release(allocator, first);
  return PERM_OK;
}

/* Doubles become multiples of their least bit. Returns 0 if that takes over 62 bits, or without memory. */
PERMI_COLD static int permi_counted_whole(const permi_counted *counted, const perm_allocator *allocator,
                                          permi_counted *whole)
{
  const size_t entries = permi_counted_entries(counted);
  int least = INT_MAX, most = INT_MIN;
  for (size_t k = 0; k < entries; k++)
    if (counted->real[k] != 0) {
      const int e = permi_exponent(counted->real[k]);
      const int low = e - 53 + permi_trailing_zeros((uint64_t)ldexp(fabs(counted->real[k]), 53 - e));
      most = e > most ? e : most;
      least = low < least ? low : least;
    }
  if (most - least > 62)
    return 0;
  *whole = *counted;
  if (!permi_counted_room(allocator, whole))
    return 0;
  memcpy(whole->row_count, counted->row_count, (size_t)(counted->m + counted->n) * sizeof(int));
  whole->integer = (int64_t *)(void *)whole->real;
  whole->scaled = 1;
  whole->exp2 = least;
  for (size_t k = 0; k < entries; k++) {
    const int64_t x = (int64_t)ldexp(counted->real[k], -least);
    memcpy(whole->real + k, &x, sizeof x);
  }
  return 1;
}

static void permi_counted_free(const perm_allocator *allocator, permi_counted *counted)
{
  permi_release(allocator, counted->real);
}

PERMI_COLD static uint64_t permi_counted_fingerprint(const permi_counted *counted)
{
  const size_t entries = permi_counted_entries(counted);
  uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)counted->m);
  for (int x = 0; x < counted->m + counted->n; x++)
    hash = permi_hash(hash, (uint64_t)counted->row_count[x]);
  for (size_t k = 0; k < entries; k++) {
    uint64_t bits;
    memcpy(&bits, counted->real + k, sizeof bits);
    hash = permi_hash(hash, bits);
  }
  return hash;
}

#define PERMI_MOST_DIGITS 62
#define PERMI_MOST_FORMS 512
#define PERMI_MOST_NEEDED 128
#define PERMI_MOST_CELLS 8192
#define PERMI_MOST_WALKED 900 /* total of digits: binomials are scaled by 2^-total */

typedef struct permi_shape {
  int digits, forms, digit_total, form_total;
  int needed, skips; /* in a product, to spare */
  const int *digit_count, *form_count;
} permi_shape;

typedef struct permi_choice {
  perm_method method;
  int by_columns; /* digits are columns */
  permi_shape shape;
  perm_precision precision;
  int words;
  uint64_t modulus;
  perm_isa isa;
  double terms, work, seconds, bytes; /* seconds: INFINITY if the engine cannot */
  const char *why;                    /* why it cannot */
} permi_choice;

static permi_shape permi_shape_of(const permi_counted *counted, int by_columns)
{
  const permi_shape rows = {counted->m, counted->n, counted->rows, counted->columns, counted->rows,
                            counted->columns - counted->rows, counted->row_count, counted->column_count};
  const permi_shape columns = {counted->n, counted->m, counted->columns, counted->rows, counted->rows,
                               0, counted->column_count, counted->row_count};
  return by_columns ? columns : rows;
}

static size_t permi_counted_at(const permi_counted *counted, int by_columns, int digit, int form, int part)
{
  const size_t i = (size_t)(by_columns ? form : digit), j = (size_t)(by_columns ? digit : form);
  return (i * (size_t)counted->n + j) * (size_t)counted->parts + (size_t)part;
}

/* By rows and by columns: log2 of the product of the lines' sums of moduli, with counts; their sum. */
typedef struct permi_counted_bound {
  double bits[2], sums[2];
} permi_counted_bound;

/* `one`: the time of an operation in dd or exact. */
PERMI_COLD static void permi_signs_price(int parts, double one, double size, permi_choice *choice)
{
  const permi_shape *shape = &choice->shape;
  const int plain = choice->precision == PERM_PRECISION_DEFAULT, skips = shape->skips, needed = shape->needed;
  double powers = 0;
  for (int f = 0; f < shape->forms; f++)
    powers += parts == 2 ? shape->form_count[f] : 1 + log2(shape->form_count[f]);
  choice->work = choice->terms * (skips ? needed * (skips + 1.0) : shape->form_total);
  choice->bytes = 8.0 * parts * (2.0 * shape->digits * shape->forms + 4e3) + 65536;
  if (shape->forms > PERMI_MOST_FORMS || needed > (skips ? PERMI_MOST_NEEDED : PERMI_MOST_WALKED))
    choice->why = "the totals are too large for sums over signs";
  else if (!plain && (shape->digits + 4.0 + (skips ? needed : 0)) * size > PERMI_MOST_CELLS)
    choice->why = "the numbers are too long for sums over signs";
  else if (plain)
    choice->seconds =
        choice->terms * (PERMI_SECONDS_TERM + permi_seconds_form[parts - 1] *
                                                  (parts * shape->forms + (skips ? shape->forms : powers))) +
        (skips ? choice->work * permi_seconds_e[parts - 1] : 0);
  else
    choice->seconds = PERMI_SECONDS_TERM * choice->terms * size + one * choice->work;
}

/* `bound` is of integers. */
PERMI_COLD static permi_choice permi_choice_make(const permi_counted *counted, perm_method method, int by_columns,
                                                 perm_precision precision, uint64_t modulus,
                                                 const permi_counted_bound *bound)
{
  const permi_shape shape = permi_shape_of(counted, by_columns);
  const int exact = precision == PERM_PRECISION_EXACT, dd = precision == PERM_PRECISION_DD;
  const int parts = counted->parts, skips = shape.skips;
  permi_choice choice = {method, by_columns, shape, precision, 0, 0, PERM_ISA_PLAIN, 0, 0, (double)INFINITY, 0, NULL};
  double product = 1, fraction = 0, one, size;
  int odd = 0, largest = 0, d;
  if (exact) {
    const int signs = method != PERM_METHOD_SUBSETS;
    double bits = bound->bits[signs && !by_columns && !skips];
    if (signs && skips) /* |e_M| <= (sum of |forms|)^M / M! */
      bits = fmax(0, shape.needed * log2(fmax(bound->sums[0], 1)) - permi_log2_factorial(shape.needed)) + 1;
    bits = ceil((bits + (signs ? shape.digit_total : 0)) * (1 + 1e-9)) + 3;
    choice.words = bits > 64.0 * PERM_INTEGER_WORDS - 1 ? 0 : (int)(bits / 64) + 1; /* with sign, in every sum */
    if (!choice.words && modulus && method == PERM_METHOD_SUBSETS) { /* only multiplies and adds */
      choice.words = 1;
      choice.modulus = modulus;
    }
    if (!choice.words) {
      choice.why = modulus ? "the exact integers are too long, even modulo a number, for all methods but subsets"
                           : "the exact integers may be over 4544 bits long; modulo a number (options.modulus) they "
                             "fit";
      return choice;
    }
  }
  size = parts * (exact ? choice.words : dd ? 2 : 1);
  one = permi_seconds_exact[parts - 1] + permi_seconds_word[parts - 1] * choice.words;
  if (dd)
    one = method == PERM_METHOD_SUBSETS ? permi_seconds_sweep_dd[parts - 1]
          : skips ? permi_seconds_e_dd[parts - 1]
                  : permi_seconds_form_dd[parts - 1];
  for (d = 0; d < shape.digits; d++) {
    const int used = shape.digit_count[d] < shape.needed ? shape.digit_count[d] : shape.needed;
    product *= used + 1.0;
    fraction += used / (used + 1.0);
    largest = used > largest ? used : largest;
    odd |= used & 1;
  }
  choice.terms = product;
  if (shape.digits > PERMI_MOST_DIGITS || product > 2e18) {
    choice.terms = 0;
    choice.why = "there are too many distinct rows and columns";
  } else if (method == PERM_METHOD_SUBSETS) {
    const int plain = !exact && !dd;
    double scan = shape.form_total * product / (largest + 1.0) * PERMI_SECONDS_SCAN;
    if (plain && skips) /* rows of up to 64 states */
      scan = shape.form_total * (PERMI_STEP_SECONDS + product / 64 * PERMI_SECONDS_SCAN);
    choice.work = product * (skips + 1.0) * fraction;
    choice.bytes = product * 8 * (size + 1);
    choice.seconds = choice.work * (plain ? permi_seconds_sweep[parts - 1] * (skips ? 1 : 2) : one) + scan;
  } else { /* the last digit counts half: an odd one, or the largest */
    choice.terms = odd ? product / 2 : product / (largest + 1) * (largest / 2 + 1);
    permi_signs_price(parts, one, size, &choice);
  }
  return choice;
}

/* The cheapest engine, or the requested one. Subsets, which do not cancel, may take twice as long. */
PERMI_COLD static permi_choice permi_choose(const permi_counted *counted, const perm_options *options,
                                            perm_precision precision)
{
  static const perm_method engines[] = {PERM_METHOD_SUBSETS, PERM_METHOD_MULTIPLICITIES, PERM_METHOD_SHORT};
  const int square = counted->rows == counted->columns, chosen = options->method == PERM_METHOD_AUTO;
  /* for complex terms the estimate asks for dd in either case */
  const double favour = square && counted->parts == 2 ? 1 : 2;
  permi_counted_bound bound = {{0, 0}, {0, 0}};
  permi_choice best;
  memset(&best, 0, sizeof best);
  best.seconds = (double)INFINITY;
  best.why = "this method is for square matrices without counts";
  for (int side = 0; side < 2 && precision == PERM_PRECISION_EXACT; side++) {
    const permi_shape shape = permi_shape_of(counted, side);
    for (int x = 0; x < shape.digits; x++) {
      double sum = 0;
      for (int k = 0; k < shape.forms; k++)
        for (int part = 0; part < counted->parts; part++)
          sum += shape.form_count[k] * fabs((double)counted->integer[permi_counted_at(counted, side, x, k, part)]);
      bound.bits[side] += shape.digit_count[x] * log2(fmax(sum, 1) * (1 + 1e-12));
      bound.sums[side] += shape.digit_count[x] * sum;
    }
  }
  for (int k = 0; k < 6; k++) {
    const perm_method method = engines[k / 2];
    const int by_columns = k & 1;
    if ((chosen ? method == (square ? PERM_METHOD_SHORT : PERM_METHOD_MULTIPLICITIES) : method != options->method) ||
        (by_columns && method != PERM_METHOD_SUBSETS && !square))
      continue;
    permi_choice choice = permi_choice_make(counted, method, by_columns, precision, options->modulus, &bound);
    if (chosen && method == PERM_METHOD_SUBSETS) {
      if (choice.bytes > (options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES / 4))
        choice.seconds = (double)INFINITY;
      choice.seconds /= favour;
    }
    if (choice.seconds < best.seconds || best.method == PERM_METHOD_AUTO)
      best = choice;
  }
  if (chosen && best.method == PERM_METHOD_SUBSETS)
    best.seconds *= favour;
#if PERMI_X86
  if (best.precision == PERM_PRECISION_DEFAULT && permi_lanes(permi_isa(options)) >= 4)
    best.isa = PERM_ISA_AVX2;
#endif
  return best;
}
/* SPDX-License-Identifier: MIT */
