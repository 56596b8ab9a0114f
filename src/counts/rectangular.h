/* ==================================================================================== >>rectangular
   Which engine for which counts, in which precision, and its leaf. Rectangular matrices by name:
     subsets    2^m m n / 2 for m < n; no subtraction that the permanent does not have
     short      Glynn's sum over the short side [see >>repeats]: 2^(m-1) m n
     ryser      2^n m, for n close to m [Rys63; MRA, algorithm 2]
     padded     Glynn's sum of the square matrix with n - m rows of ones, divided by (n - m)! [MRA, algorithm 4, whose
                sum over all 2^n signs needs 2^-n, not 2^-(n-1)]: for comparisons
     expansion  all injections */
#pragma once
#include "../dense/gpu.h"
#include "counts.h"
#include "ring.h"

typedef struct permi_choice {
  perm_method method;
  int by_columns;           /* 1: the digits are the columns */
  perm_precision precision; /* default, dd, or exact */
  int words;                /* of exact numbers, */
  uint64_t modulus;         /* or of their residues, if not 0 */
  perm_isa isa;
  double terms, work, seconds, bytes; /* seconds: INFINITY if the engine cannot, and then */
  const char *why;                    /* why not */
} permi_choice;

PERMI_NEVER_INLINE static double permi_counted_modulus(const permi_counted *counted, int i, int j)
{
  const size_t at = ((size_t)i * (size_t)counted->n + (size_t)j) * (size_t)counted->parts;
  double sum = 0;
  int part;
  for (part = 0; part < counted->parts; part++)
    sum += fabs(counted->integer ? (double)counted->integer[at + (size_t)part] : counted->real[at + (size_t)part]);
  return sum;
}

/* log2 of prod over the rows (columns) of (sum of |entries|, with counts); *sums: the sum of those sums, likewise. */
PERMI_COLD static double permi_counted_bits(const permi_counted *counted, int by_columns, double *sums)
{
  const int lines = by_columns ? counted->n : counted->m, others = by_columns ? counted->m : counted->n;
  const int *count = by_columns ? counted->column_count : counted->row_count;
  const int *other = by_columns ? counted->row_count : counted->column_count;
  double bits = 0;
  int x, k;
  *sums = 0;
  for (x = 0; x < lines; x++) {
    double sum = 0;
    for (k = 0; k < others; k++)
      sum += other[k] * (by_columns ? permi_counted_modulus(counted, k, x) : permi_counted_modulus(counted, x, k));
    bits += count[x] * log2(fmax(sum, 1) * (1 + 1e-12));
    *sums += count[x] * sum;
  }
  return bits;
}

/* Words that hold every sum that must not wrap, with its sign. */
PERMI_COLD static int permi_choice_words(const permi_counted *counted, const permi_choice *choice)
{
  const int skips = !choice->by_columns && counted->columns > counted->rows;
  double sums,
      bits =
          permi_counted_bits(counted, choice->method == PERM_METHOD_SUBSETS ? 0 : !choice->by_columns && !skips, &sums);
  if (choice->method == PERM_METHOD_RYSER)
    bits += 2.0 * counted->columns;
  else if (choice->method != PERM_METHOD_SUBSETS && choice->method != PERM_METHOD_EXPANSION) {
    const int total = choice->by_columns ? counted->columns : counted->rows;
    if (skips) /* |e_M| <= (sum of |forms|)^M / M! */
      bits = fmax(0, counted->rows * log2(fmax(sums, 1)) - permi_log2_factorial(counted->rows)) + 1;
    bits += total;
  }
  bits = ceil(bits * (1 + 1e-9)) + 3;
  return bits > 64.0 * PERM_INTEGER_WORDS - 1 ? 0 : (int)(bits / 64) + 1;
}

/* The predicted cost of one engine, or why it cannot. modulus: 0, or what the permanent is wanted modulo. */
PERMI_COLD static permi_choice permi_choice_make(const permi_counted *counted, perm_method method, int by_columns,
                                                 perm_precision precision, uint64_t modulus)
{
  permi_choice choice;
  const int digits = by_columns ? counted->n : counted->m, padding = counted->columns - counted->rows;
  const int *count = by_columns ? counted->column_count : counted->row_count;
  const int *other = by_columns ? counted->row_count : counted->column_count;
  const int digit_total = by_columns ? counted->columns : counted->rows;
  int forms = by_columns ? counted->m : counted->n, form_total = by_columns ? counted->rows : counted->columns;
  const int complex_parts = counted->parts - 1;
  int needed = counted->rows, symmetric, odd = 0, d, largest = 0;
  double product = 1, fraction = 0, powers = 0, one, size;
  memset(&choice, 0, sizeof choice);
  choice.method = method;
  choice.by_columns = by_columns;
  choice.precision = precision;
  choice.seconds = (double)INFINITY;
  for (d = 0; d < forms; d++)
    powers += counted->parts == 2 ? other[d] : 1 + log2(other[d]);
  if (method == PERM_METHOD_PADDED && padding) {
    forms++;
    form_total = needed = counted->columns;
    powers += counted->parts == 2 ? padding : 1 + log2(padding);
  }
  symmetric = form_total > needed && method != PERM_METHOD_RYSER;
  for (d = 0; d < digits; d++) {
    const int used = count[d] < needed ? count[d] : needed;
    product *= used + 1.0;
    fraction += used / (used + 1.0);
    largest = used > largest ? used : largest;
    odd |= used & 1;
  }
  if (precision == PERM_PRECISION_EXACT) {
    choice.words = permi_choice_words(counted, &choice);
    if (!choice.words && modulus && method == PERM_METHOD_SUBSETS) { /* which only multiplies and adds */
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
  size = precision == PERM_PRECISION_EXACT ? choice.words : precision == PERM_PRECISION_DD ? 2 : 1;
  size *= counted->parts;
  one = permi_seconds_exact[complex_parts] + permi_seconds_word[complex_parts] * choice.words;
  if (precision == PERM_PRECISION_DD)
    one = method == PERM_METHOD_SUBSETS                  ? permi_seconds_sweep_dd[complex_parts]
          : symmetric || method == PERM_METHOD_EXPANSION ? permi_seconds_e_dd[complex_parts]
                                                         : permi_seconds_form_dd[complex_parts];
  if (method == PERM_METHOD_EXPANSION) {
    double visits = 1, level = 1;
    for (d = 0; d < form_total && visits < 1e30; d++) {
      level *= digit_total - d < digits ? digit_total - d : digits;
      visits += level;
    }
    choice.terms = choice.work = visits;
    choice.seconds = visits * (one + 1e-8);
    choice.bytes = 8.0 * size * (form_total + 2.0);
    if (visits > 1e14) {
      choice.seconds = (double)INFINITY;
      choice.why = "the expansion has more than 1e14 products";
    }
    return choice;
  }
  if (digits > PERMI_MOST_DIGITS || product > 2e18) {
    choice.why = "there are too many distinct rows and columns";
    return choice;
  }
  choice.terms = product;
  if (method == PERM_METHOD_SUBSETS) {
    choice.work = product * (form_total - needed + 1.0) * fraction;
    choice.bytes = product * 8 * (size + 1);
    if (precision == PERM_PRECISION_DEFAULT)
      one = permi_seconds_sweep[complex_parts] * (form_total > needed ? 1 : 2);
    choice.seconds = choice.work * one + form_total * product / (largest + 1.0) * PERMI_SECONDS_SCAN;
    if (precision == PERM_PRECISION_DEFAULT && form_total > needed) /* rows of up to 64 states */
      choice.seconds = choice.work * one + form_total * (PERMI_SECONDS_STEP + product / 64 * PERMI_SECONDS_SCAN);
    return choice;
  }
  if (method != PERM_METHOD_RYSER) { /* the last digit counts half: an odd one, or else the largest */
    choice.terms = odd ? product / 2 : product / (largest + 1) * (largest / 2 + 1);
  }
  choice.work = choice.terms * (symmetric ? needed * (form_total - needed + 1.0) : form_total);
  if (forms > PERMI_MOST_FORMS || digit_total > PERMI_MOST_WALKED || needed > PERMI_MOST_WALKED ||
      (symmetric && needed > PERMI_MOST_NEEDED))
    choice.why = "the totals are too large for sums over signs";
  else if (precision != PERM_PRECISION_DEFAULT && (digits + 4.0 + (symmetric ? needed : 0)) * size > PERMI_MOST_CELLS)
    choice.why = "the numbers are too long for sums over signs";
  else if (precision == PERM_PRECISION_DEFAULT)
    choice.seconds = choice.terms * (PERMI_SECONDS_TERM + permi_seconds_form[complex_parts] *
                                                              (counted->parts * forms + (symmetric ? forms : powers))) +
                     (symmetric ? choice.work * permi_seconds_e[complex_parts] : 0);
  else
    choice.seconds = PERMI_SECONDS_TERM * choice.terms * size + one * choice.work;
  choice.bytes = 8.0 * counted->parts * (2.0 * digits * forms + 4e3) + 65536;
  return choice;
}

#define PERMI_COUNTS_GPU_STEPS 2000 /* most operations of a term on its forms */

/* Seconds that a choice takes on a GPU; INFINITY: it is the CPU's. */
PERMI_COLD static double permi_choice_gpu_seconds(const permi_counted *counted, const permi_choice *choice)
{
  const int digits = choice->by_columns ? counted->n : counted->m, parts = counted->parts;
  const int *count = choice->by_columns ? counted->column_count : counted->row_count;
  const int *other = choice->by_columns ? counted->row_count : counted->column_count;
  int forms = choice->by_columns ? counted->m : counted->n, needed = counted->rows, total = 0, weights = 0, f;
  double steps;
  for (f = 0; f < forms; f++)
    total += other[f];
  if (choice->method == PERM_METHOD_PADDED && counted->columns > counted->rows) {
    forms++;
    total = needed = counted->columns;
  }
  for (f = 0; f < digits; f++)
    weights += count[f] + 1;
  steps = parts * 3.0 * forms + parts * parts *
                                    (total > needed && choice->method != PERM_METHOD_RYSER
                                         ? needed * (total - needed + 1.0) * (parts == 2 ? 1 : 1.1)
                                         : (double)total);
  if (choice->precision != PERM_PRECISION_DEFAULT || choice->seconds == (double)INFINITY || choice->terms < 256 ||
      choice->method == PERM_METHOD_SUBSETS || choice->method == PERM_METHOD_EXPANSION ||
      steps > PERMI_COUNTS_GPU_STEPS || 2 * forms * parts > PERM_GPU_COUNTS_SIZE || needed > 64 ||
      weights + 2 * forms * parts * (digits + 1) > 16000)
    return (double)INFINITY;
  return choice->terms * (steps + 20) / PERMI_COUNTS_GPU_RATE + 0.4 + 3e-3 * steps; /* for compiling */
}

/* The cheapest engine, or the one that `method` names. Subsets may take twice as long as others: they do not cancel. */
PERMI_COLD static permi_choice permi_choose(const permi_counted *counted, const perm_options *options,
                                            perm_precision precision)
{
  static const struct {
    perm_method method;
    int by_columns, square; /* square: 0: not for square ones, 1: only for them, 2: for all */
  } engines[] = {{PERM_METHOD_SUBSETS, 0, 2},  {PERM_METHOD_SUBSETS, 1, 2}, {PERM_METHOD_REPEATS, 0, 2},
                 {PERM_METHOD_REPEATS, 1, 1},  {PERM_METHOD_SHORT, 0, 2},   {PERM_METHOD_SHORT, 1, 1},
                 {PERM_METHOD_RYSER, 1, 2},    {PERM_METHOD_RYSER, 0, 1},   {PERM_METHOD_PADDED, 1, 2},
                 {PERM_METHOD_EXPANSION, 1, 2}};
  const int square = counted->rows == counted->columns;
  /* Subsets do not cancel by themselves, but of complex terms the estimate would want dd all the same. */
  const double favour = square && counted->parts == 2 ? 1 : 2;
  permi_choice best;
  size_t k;
  memset(&best, 0, sizeof best);
  best.seconds = (double)INFINITY;
  best.why = "this method is for square matrices without counts";
  for (k = 0; k < sizeof engines / sizeof engines[0]; k++) {
    permi_choice choice;
    const perm_method method = engines[k].method;
    if (options->method == PERM_METHOD_AUTO ? method == PERM_METHOD_PADDED || method == PERM_METHOD_EXPANSION ||
                                                  method == (square ? PERM_METHOD_SHORT : PERM_METHOD_REPEATS)
                                            : method != options->method)
      continue;
    if (engines[k].square != 2 && engines[k].square != square)
      continue;
    choice = permi_choice_make(counted, method, engines[k].by_columns, precision, options->modulus);
    if (options->method == PERM_METHOD_AUTO && method == PERM_METHOD_SUBSETS) {
      if (choice.bytes > (options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_COUNTS_BYTES))
        choice.seconds = (double)INFINITY;
      choice.seconds /= favour;
    }
    choice.isa = PERM_ISA_PLAIN;
    if (options->gpu.devices && counted->reach->gpu) { /* as permi_plan_gpu */
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
  if (options->method == PERM_METHOD_AUTO && best.method == PERM_METHOD_SUBSETS)
    best.seconds *= favour;
  if (best.isa == PERM_ISA_CUDA)
    return best;
#if PERMI_X86
  if (best.precision == PERM_PRECISION_DEFAULT && permi_isa(options) >= PERM_ISA_AVX2)
    best.isa = PERM_ISA_AVX2;
#endif
  return best;
}
