/* =================================================================================== >>counts_choice
   Chooses the engine for counts, its precision and price. Rectangular matrices by name:
     subsets    2^m m n / 2, m < n; subtracts nothing that the permanent does not
     short      Glynn's sum over the short side: 2^(m-1) m n
     ryser      2^n m, for n close to m [Rys63; MRA, algorithm 2]
     padded     Glynn's sum with n - m rows of ones, divided by (n - m)! [MRA, algorithm 4, whose sum over 2^n signs
                needs 2^-n, not 2^-(n-1)]
     expansion  all injections */
#pragma once
#include "../dense/gpu.h"
#include "counts.h"
#include "digits.h"

typedef struct permi_shape {
  int digits, forms, given; /* given: forms without padded's row of ones */
  int padding;              /* copies of that row */
  int digit_total, form_total, needed, skips;
  const int *digit_count, *form_count;
} permi_shape;

typedef struct permi_choice {
  perm_method method;
  int by_columns;
  permi_shape shape;
  perm_precision precision;
  int words;
  uint64_t modulus;
  perm_isa isa;
  double terms, work, seconds, bytes; /* seconds: INFINITY if the engine cannot */
  const char *why;                    /* why it cannot */
} permi_choice;

static permi_shape permi_shape_of(const permi_counted *counted, perm_method method, int by_columns)
{
  permi_shape shape;
  shape.padding = method == PERM_METHOD_PADDED ? counted->columns - counted->rows : 0;
  shape.digits = by_columns ? counted->n : counted->m;
  shape.given = by_columns ? counted->m : counted->n;
  shape.forms = shape.given + (shape.padding > 0);
  shape.digit_total = by_columns ? counted->columns : counted->rows;
  shape.form_total = (by_columns ? counted->rows : counted->columns) + shape.padding;
  shape.needed = shape.form_total < shape.digit_total ? shape.form_total : shape.digit_total;
  shape.skips = shape.form_total - shape.needed;
  shape.digit_count = by_columns ? counted->column_count : counted->row_count;
  shape.form_count = by_columns ? counted->row_count : counted->column_count;
  return shape;
}

static size_t permi_counted_at(const permi_counted *counted, int by_columns, int digit, int form, int part)
{
  const size_t i = (size_t)(by_columns ? form : digit), j = (size_t)(by_columns ? digit : form);
  return (i * (size_t)counted->n + j) * (size_t)counted->parts + (size_t)part;
}

/* Bounds of integers, by rows and by columns, made when first asked for: log2 of the product of the lines' sums of
   moduli, with counts, and the sum of these. */
typedef struct permi_counted_bound {
  int known[2];
  double bits[2], sums[2];
} permi_counted_bound;

PERMI_COLD static double permi_counted_bits(const permi_counted *counted, int by_columns, permi_counted_bound *bound)
{
  const permi_shape shape = permi_shape_of(counted, PERM_METHOD_AUTO, by_columns);
  double bits = 0, sums = 0;
  int x, k, part;
  if (bound->known[by_columns])
    return bound->bits[by_columns];
  for (x = 0; x < shape.digits; x++) {
    double sum = 0;
    for (k = 0; k < shape.forms; k++)
      for (part = 0; part < counted->parts; part++)
        sum += shape.form_count[k] *
               fabs((double)counted->integer[permi_counted_at(counted, by_columns, x, k, part)]);
    bits += shape.digit_count[x] * log2(fmax(sum, 1) * (1 + 1e-12));
    sums += shape.digit_count[x] * sum;
  }
  bound->known[by_columns] = 1;
  bound->sums[by_columns] = sums;
  return bound->bits[by_columns] = bits;
}

/* Words, sign included, for every sum that must not wrap; 0: too many. */
PERMI_COLD static int permi_choice_words(const permi_counted *counted, const permi_choice *choice,
                                         permi_counted_bound *bound)
{
  const permi_shape *shape = &choice->shape;
  const int subsets = choice->method == PERM_METHOD_SUBSETS;
  const int by_columns = !subsets && !choice->by_columns && !shape->skips;
  double bits = permi_counted_bits(counted, by_columns, bound);
  if (choice->method == PERM_METHOD_RYSER) {
    bits += 2.0 * counted->columns;
  } else if (!subsets && choice->method != PERM_METHOD_EXPANSION) {
    if (shape->skips) /* |e_M| <= (sum of |forms|)^M / M! */
      bits = fmax(0, counted->rows * log2(fmax(bound->sums[by_columns], 1)) - permi_log2_factorial(counted->rows)) + 1;
    bits += shape->digit_total;
  }
  bits = ceil(bits * (1 + 1e-9)) + 3;
  return bits > 64.0 * PERM_INTEGER_WORDS - 1 ? 0 : (int)(bits / 64) + 1;
}

/* one: seconds of a visit. */
PERMI_COLD static void permi_expansion_price(double one, double size, permi_choice *choice)
{
  const permi_shape *shape = &choice->shape;
  double visits = 1, level = 1;
  int d;
  for (d = 0; d < shape->form_total && visits < 1e30; d++) {
    level *= shape->digit_total - d < shape->digits ? shape->digit_total - d : shape->digits;
    visits += level;
  }
  choice->terms = choice->work = visits;
  choice->bytes = 8.0 * size * (shape->form_total + 2.0);
  if (visits > 1e14)
    choice->why = "the expansion has more than 1e14 products";
  else
    choice->seconds = visits * (one + 1e-8);
}

/* one: seconds of an operation in dd or exact. */
PERMI_COLD static void permi_signs_price(int parts, double one, double size, permi_choice *choice)
{
  const permi_shape *shape = &choice->shape;
  const int plain = choice->precision == PERM_PRECISION_DEFAULT, skips = shape->skips, needed = shape->needed;
  double powers = 0;
  int f;
  for (f = 0; f < shape->forms; f++) {
    const int count = f < shape->given ? shape->form_count[f] : shape->padding;
    powers += parts == 2 ? count : 1 + log2(count);
  }
  choice->work = choice->terms * (skips ? needed * (skips + 1.0) : shape->form_total);
  choice->bytes = 8.0 * parts * (2.0 * shape->digits * shape->forms + 4e3) + 65536;
  if (shape->forms > PERMI_MOST_FORMS || shape->digit_total > PERMI_MOST_WALKED || needed > PERMI_MOST_WALKED ||
      (skips && needed > PERMI_MOST_NEEDED))
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

/* modulus: 0, or the one wanted. */
PERMI_COLD static permi_choice permi_choice_make(const permi_counted *counted, perm_method method, int by_columns,
                                                 perm_precision precision, uint64_t modulus,
                                                 permi_counted_bound *bound)
{
  const permi_shape shape = permi_shape_of(counted, method, by_columns);
  const int exact = precision == PERM_PRECISION_EXACT, dd = precision == PERM_PRECISION_DD;
  const int parts = counted->parts, skips = shape.skips;
  permi_choice choice;
  double product = 1, fraction = 0, one, size;
  int odd = 0, largest = 0, d;
  memset(&choice, 0, sizeof choice);
  choice.method = method;
  choice.by_columns = by_columns;
  choice.shape = shape;
  choice.precision = precision;
  choice.isa = PERM_ISA_PLAIN;
  choice.seconds = (double)INFINITY;
  if (exact) {
    choice.words = permi_choice_words(counted, &choice, bound);
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
    one = method == PERM_METHOD_SUBSETS              ? permi_seconds_sweep_dd[parts - 1]
          : skips || method == PERM_METHOD_EXPANSION ? permi_seconds_e_dd[parts - 1]
                                                     : permi_seconds_form_dd[parts - 1];
  for (d = 0; d < shape.digits; d++) {
    const int used = shape.digit_count[d] < shape.needed ? shape.digit_count[d] : shape.needed;
    product *= used + 1.0;
    fraction += used / (used + 1.0);
    largest = used > largest ? used : largest;
    odd |= used & 1;
  }
  choice.terms = product;
  if (method == PERM_METHOD_EXPANSION) {
    permi_expansion_price(one, size, &choice);
  } else if (shape.digits > PERMI_MOST_DIGITS || product > 2e18) {
    choice.terms = 0;
    choice.why = "there are too many distinct rows and columns";
  } else if (method == PERM_METHOD_SUBSETS) {
    const int plain = !exact && !dd;
    double scan = shape.form_total * product / (largest + 1.0) * PERMI_SECONDS_SCAN;
    if (plain && skips) /* rows of up to 64 states */
      scan = shape.form_total * (PERMI_SECONDS_STEP + product / 64 * PERMI_SECONDS_SCAN);
    choice.work = product * (skips + 1.0) * fraction;
    choice.bytes = product * 8 * (size + 1);
    choice.seconds = choice.work * (plain ? permi_seconds_sweep[parts - 1] * (skips ? 1 : 2) : one) + scan;
  } else {
    if (method != PERM_METHOD_RYSER) /* the last digit counts half: an odd one, or the largest */
      choice.terms = odd ? product / 2 : product / (largest + 1) * (largest / 2 + 1);
    permi_signs_price(parts, one, size, &choice);
  }
  return choice;
}

/* No engine here is predicted to be faster for integers of order n without equal lines, in words of any number. */
static double permi_counts_least_seconds(int n, int parts)
{
  return n * ldexp(1, n - 1) * (permi_seconds_exact[parts - 1] + permi_seconds_word[parts - 1]);
}

#define PERMI_COUNTS_GPU_STEPS 2000

PERMI_COLD static double permi_choice_gpu_seconds(const permi_counted *counted, const permi_choice *choice)
{
  const permi_shape *shape = &choice->shape;
  const int parts = counted->parts, rows = parts * shape->forms;
  double steps = shape->form_total;
  if (shape->skips)
    steps = shape->needed * (shape->skips + 1.0) * (parts == 2 ? 1 : 1.1);
  steps = 3.0 * rows + parts * parts * steps;
  if (choice->precision != PERM_PRECISION_DEFAULT || choice->seconds == (double)INFINITY || choice->terms < 256 ||
      choice->method == PERM_METHOD_SUBSETS || choice->method == PERM_METHOD_EXPANSION ||
      steps > PERMI_COUNTS_GPU_STEPS || 2 * rows > PERM_GPU_COUNTS_SIZE || shape->needed > 64 ||
      shape->digit_total + shape->digits + 2 * rows * (shape->digits + 1) > 16000)
    return (double)INFINITY;
  return choice->terms * (steps + 20) / PERMI_COUNTS_GPU_RATE + 0.4 + 3e-3 * steps; /* the rest is for compiling */
}

/* The cheapest engine, or the one requested. Subsets may take twice as long: they do not cancel. */
PERMI_COLD static permi_choice permi_choose(const permi_counted *counted, const perm_options *options,
                                            perm_precision precision)
{
  static const struct {
    perm_method method;
    int by_columns, square_only;
  } engines[] = {{PERM_METHOD_SUBSETS, 0, 0}, {PERM_METHOD_SUBSETS, 1, 0}, {PERM_METHOD_MULTIPLICITIES, 0, 0},
                 {PERM_METHOD_MULTIPLICITIES, 1, 1}, {PERM_METHOD_SHORT, 0, 0},   {PERM_METHOD_SHORT, 1, 1},
                 {PERM_METHOD_RYSER, 1, 0},   {PERM_METHOD_RYSER, 0, 1},   {PERM_METHOD_PADDED, 1, 0},
                 {PERM_METHOD_EXPANSION, 1, 0}};
  const int square = counted->rows == counted->columns, chosen = options->method == PERM_METHOD_AUTO;
  /* For complex terms the estimate asks for dd in either case. */
  const double favour = square && counted->parts == 2 ? 1 : 2;
  permi_counted_bound bound = {{0, 0}, {0, 0}, {0, 0}};
  permi_choice best;
  size_t k;
  memset(&best, 0, sizeof best);
  best.seconds = (double)INFINITY;
  best.why = "this method is for square matrices without counts";
  for (k = 0; k < sizeof engines / sizeof engines[0]; k++) {
    permi_choice choice;
    const perm_method method = engines[k].method;
    if (chosen ? method == PERM_METHOD_PADDED || method == PERM_METHOD_EXPANSION ||
                     method == (square ? PERM_METHOD_SHORT : PERM_METHOD_MULTIPLICITIES)
               : method != options->method)
      continue;
    if (engines[k].square_only && !square)
      continue;
    choice = permi_choice_make(counted, method, engines[k].by_columns, precision, options->modulus, &bound);
    if (chosen && method == PERM_METHOD_SUBSETS) {
      if (choice.bytes > (options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_COUNTS_BYTES))
        choice.seconds = (double)INFINITY;
      choice.seconds /= favour;
    }
    if (options->gpu.devices && counted->reach->gpu) {
      const double gpu = counted->reach->gpu->counts_seconds(counted, &choice);
      char message[PERM_MESSAGE_BYTES];
      if (gpu < (options->isa == PERM_ISA_CUDA ? (double)INFINITY : choice.seconds) &&
          (!options->gpu.cpu_fallback || permi_gpu_devices(options->gpu.devices, message))) {
        choice.isa = PERM_ISA_CUDA;
        choice.seconds = gpu;
      }
    }
    if (choice.seconds < best.seconds || best.method == PERM_METHOD_AUTO)
      best = choice;
  }
  if (chosen && best.method == PERM_METHOD_SUBSETS)
    best.seconds *= favour;
#if PERMI_X86
  if (best.isa != PERM_ISA_CUDA && best.precision == PERM_PRECISION_DEFAULT && permi_isa(options) >= PERM_ISA_AVX2)
    best.isa = PERM_ISA_AVX2;
#endif
  return best;
}
/* SPDX-License-Identifier: MIT */
