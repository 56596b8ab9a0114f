/* ==================================================================================== >>counts_leaf
   The chosen engine made into a leaf: scaling, bounds, GPUs. */
#pragma once
#include "../exact/exact_gpu.h"
#include "../dense/plan.h"
#include "repeats.h"
#include "rectangular.h"

#define PERMI_SCALE_WIDE 400 /* entries further apart than 2^400 are scaled by a transversal of largest product */

/* Of the larger part of an entry, as frexp has it; PERMI_NO_EXPONENT for zero. */
PERMI_COLD static int permi_counts_exponent(const permi_counts *counts, int digit, int form)
{
  const double x = fabs(permi_counts_entry(counts, digit, 0, form));
  const double size = counts->parts == 2 ? fmax(x, fabs(permi_counts_entry(counts, digit, 1, form))) : x;
  return size != 0 ? permi_exponent(size) : PERMI_NO_EXPONENT;
}

/* Are two entries that are not 0 more than 2^PERMI_SCALE_WIDE apart? */
PERMI_COLD static int permi_counts_wide(const permi_counts *counts)
{
  int least = INT_MAX, most = INT_MIN, d, f;
  for (d = 0; d < counts->digits; d++)
    for (f = 0; f < counts->forms; f++) {
      const int e = permi_counts_exponent(counts, d, f);
      least = e != PERMI_NO_EXPONENT && e < least ? e : least;
      most = e != PERMI_NO_EXPONENT && e > most ? e : most;
    }
  return most - (double)least > PERMI_SCALE_WIDE;
}

/* >>scale for digits and forms, the repeated ones written out: the largest products of a permanent are then about 1,
   and what underflows is nothing beside them. By means of exponents they may be 2^-3000, and sums of products lose all
   bounds on the way. 0: not square, too large, nothing is that far apart, or there is no transversal; -1: out of
   memory. */
PERMI_COLD static int permi_counts_scale_wide(const permi_counts *counts, int *digit_exp2, int *form_exp2)
{
  int(*exponent)[PERM_MAX_N], row_exp2[PERM_MAX_N], column_exp2[PERM_MAX_N];
  const int n = counts->digit_total;
  int scaled, d, f, i, j, at;
  if (n != counts->form_total || n > PERM_MAX_N || !permi_counts_wide(counts))
    return 0;
  exponent = permi_scale_room(&counts->allocator, n);
  if (!exponent)
    return -1;
  for (d = i = 0; d < counts->digits; i += counts->digit_count[d++])
    for (f = j = 0; f < counts->forms; j += counts->form_count[f++])
      for (at = 0; at < counts->digit_count[d] * counts->form_count[f]; at++)
        exponent[i + at / counts->form_count[f]][j + at % counts->form_count[f]] = permi_counts_exponent(counts, d, f);
  scaled = permi_scale_exponents(n, exponent, row_exp2, column_exp2);
  permi_release(&counts->allocator, exponent);
  if (!scaled)
    return 0;
  for (d = i = 0; d < counts->digits; i += counts->digit_count[d++])
    digit_exp2[d] = counts->digit_count[d] ? row_exp2[i] : 0;
  for (f = j = 0; f < counts->forms; j += counts->form_count[f++])
    form_exp2[f] = counts->form_count[f] ? column_exp2[j] : 0;
  return 1;
}

/* Powers of two for digits and forms; see >>counts. Columns of square ones are brought to their rows by the means of
   exponents first. 1: every entry is still exact; 0: some are off by up to half the least double; -1: out of memory. */
PERMI_COLD static int permi_counts_scale(const permi_counts *counts, int *digit_exp2, int *form_exp2)
{
  const int square = counts->digit_total == counts->form_total && !counts->skips;
  int turn, d, f, exact = 1, wide = 0;
  memset(digit_exp2, 0, (size_t)counts->digits * sizeof *digit_exp2);
  memset(form_exp2, 0, (size_t)counts->forms * sizeof *form_exp2);
  /* turns: digits by means, forms by means, digits by the largest; then the lines that are all used */
  if (square && (wide = permi_counts_scale_wide(counts, digit_exp2, form_exp2)) < 0)
    return -1;
  turn = square && !wide ? 0 : counts->skips ? 4 : 3;
  for (; turn < (counts->skips ? 5 : 4); turn++) {
    const int of_forms = turn & 1, lines = of_forms ? counts->forms : counts->digits;
    const int others = of_forms ? counts->digits : counts->forms;
    int x, k;
    for (x = 0; x < lines; x++) {
      int *exp2 = of_forms ? &form_exp2[x] : &digit_exp2[x], most = INT_MIN, used = 0;
      long long sum = 0;
      double total = 0;
      for (k = 0; k < others; k++) {
        const double size = permi_counts_modulus(counts, of_forms ? k : x, of_forms ? x : k);
        const int e =
            size == 0 ? 0 : (size <= DBL_MAX ? permi_exponent(size) : 1025) + (of_forms ? digit_exp2[k] : form_exp2[k]);
        if (size == 0)
          continue;
        sum += e;
        used++;
        most = e > most ? e : most;
      }
      if (!used)
        continue;
      *exp2 = turn < 2 ? (int)-(sum / used) : -most;
      if (turn < 3)
        continue;
      for (k = 0; k < others; k++) {
        d = of_forms ? k : x;
        f = of_forms ? x : k;
        total +=
            (of_forms ? counts->digit_count[d] : counts->form_count[f]) *
            (ldexp(fabs(permi_counts_entry(counts, d, 0, f)), digit_exp2[d] + form_exp2[f]) +
             (counts->parts == 2 ? ldexp(fabs(permi_counts_entry(counts, d, 1, f)), digit_exp2[d] + form_exp2[f]) : 0));
      }
      *exp2 -= permi_log2_ceiling(total * (1 + 1e-12));
    }
  }
  for (d = 0; d < counts->digits * counts->parts; d++)
    for (f = 0; f < counts->forms; f++) {
      double *x = &counts->high[d * counts->forms + f];
      const int shift = digit_exp2[d / counts->parts] + form_exp2[f];
      const double given = *x;
      *x = permi_shift(given, shift);
      exact = exact && ldexp(*x, -shift) == given;
    }
  return exact;
}

/* Is every sum a whole number of less than 2^53 units, so that nothing rounds? The lines that are all used have whole
   numbers of a unit each. */
PERMI_COLD static int permi_counts_whole(const permi_counts *counts)
{
  const int lines = counts->skips ? counts->digits : counts->forms;
  const int others = counts->skips ? counts->forms : counts->digits;
  double most = counts->skips ? ldexp(1, counts->digit_total < 60 ? counts->digit_total : 60) : 1;
  int x, k, part;
  for (x = 0; x < lines; x++) {
    double sum = 0, unit = permi_shift(1, 1000);
    for (k = 0; k < others; k++)
      for (part = 0; part < counts->parts; part++) {
        const int d = counts->skips ? x : k, f = counts->skips ? k : x;
        const double y = permi_counts_entry(counts, d, part, f);
        sum += (counts->skips ? counts->form_count[f] : counts->digit_count[d]) * fabs(y);
        if (y != 0 && fabs(y) < DBL_MIN)
          return 0;
        unit = fmin(unit, permi_unit_of(y));
      }
    for (k = counts->skips ? counts->digit_count[x] : counts->form_count[x]; k > 0 && most < 9e15; k--)
      most *= sum / unit * (1 + 1e-12);
    if (!(most < 9e15))
      return 0;
  }
  return 1;
}

/* >>repeats in double and double-double: every form's entries into whole numbers of two units, exact in all sums.
   Returns a bound of what the forms lose, with their counts. */
PERMI_COLD static double permi_counts_split(const permi_counts *counts)
{
  const int low_bits = 53 - permi_log2_ceiling(counts->digit_total);
  double lost = 0;
  int d, f, part;
  for (f = 0; f < counts->forms; f++) {
    double sum = 0, power, low_power;
    for (d = 0; d < counts->digits; d++)
      sum += counts->digit_count[d] * permi_counts_modulus(counts, d, f);
    power = sum > 0 ? permi_shift(1, permi_log2_ceiling(sum * (1 + 1e-12))) : 0;
    low_power = ldexp(power, -low_bits);
    for (d = 0; d < counts->digits; d++)
      for (part = 0; part < counts->parts; part++) {
        const int at = (d * counts->parts + part) * counts->forms + f;
        const double x = counts->high[at], high = permi_to_grid(x, power), low = permi_to_grid(x - high, low_power);
        counts->high[at] = high;
        counts->low[at] = low;
        lost += counts->form_count[f] * (counts->digit_count[d] * fabs(x - high - low));
      }
  }
  return lost * (1 + 1e-12);
}

/* Error measures, u = 2^-53, for M forms in a product, of N in all:
   subsets    a state gains a rounded product (complex parts: two) of a rounded weight, and is one of nz + 1 summands,
              nz the digits whose entry is not 0: (nz + 4) u a form, of the same sum over moduli (of complex ones: of
              sums of parts, which bound products' sums of parts);
   repeats    M forms rounded once, as many products; complex ones 2.42 u each (see permi_plan_bounds); a weight of two
              roundings a digit;
   e_M        M products of rounded forms and N sums; complex parts are sums of two;
   dd         the same in units of PERMI_DD_UNIT, generous by 16, and the recursion for binomials.
   Relative to sums of |terms| that are rounded themselves: a factor 1.0001. What underflows, and what grids take, is
   absolute: no product of sums exceeds 1, no e_M e^M, Ryser's weights are at most binom(N, M). */
PERMI_COLD static void permi_counts_bounds(const permi_counts *counts, double lost, double visits, permi_leaf *leaf)
{
  const double M = counts->needed, N = counts->form_total, unit = counts->plain ? PERMI_UNIT : PERMI_DD_UNIT;
  const int parts = counts->parts, symmetric = counts->skips > 0;
  double steps = 0, most = 1;
  int d, f;
  if (counts->integer)
    return;
  switch (counts->method) {
  case PERM_METHOD_SUBSETS:
    if (counts->whole)
      return;
    for (f = 0; f < counts->forms; f++) {
      double size = 4;
      for (d = 0; d < counts->digits; d++)
        size += permi_counts_modulus(counts, d, f) != 0;
      steps += counts->form_count[f] * size;
    }
    leaf->bound_relative = steps * unit * (counts->plain ? 1 : parts * parts);
    leaf->estimate_relative = (M + 4) * unit * parts;
    leaf->bound_absolute = counts->lossy ? PERMI_LEAST * N * counts->digit_total : 0; /* the rest is the partial's */
    break;
  case PERM_METHOD_EXPANSION:
    leaf->bound_relative = 2 * (M + 1) * unit * parts * parts;
    leaf->estimate_relative = leaf->bound_relative / 4;
    leaf->bound_absolute = fmin(visits, 1e300) * PERMI_LEAST * (M + 1);
    break;
  default:
    steps = (symmetric ? N + (parts == 2 ? 4 : 2) * M : (parts == 2 ? 3.5 : 2) * M) + 2 * counts->digits + 8;
    if (!counts->plain) {
      for (d = 0; d < counts->digits; d++)
        steps += 2 * counts->digit_count[d];
      steps += (parts == 2 ? 4 : 1) * (M + N);
    }
    leaf->bound_relative = counts->plain && symmetric && counts->absolute_mask ? (double)INFINITY : steps * unit;
    leaf->estimate_relative = (M + 4) * unit * parts;
    if (counts->ryser)
      for (f = 1; f <= counts->needed; f++)
        most *= (counts->digit_total - counts->needed + f) / (double)f;
    else if (symmetric)
      most = exp(M);
    leaf->bound_absolute = (lost + PERMI_LEAST * 8 * (M + 1) * (N + 1)) * most * 1.001;
    leaf->estimate_absolute = lost * most;
  }
  leaf->bound_relative *= 1.0001;
  if (leaf->bound_relative < leaf->estimate_relative)
    leaf->estimate_relative = leaf->bound_relative;
}

static int permi_counts_odd(const int *count, const int *order, int digits)
{
  int d;
  for (d = digits - 1; d >= 0 && !(count[order[d]] & 1); d--)
    ;
  return d;
}

/* ---- GPUs: sums over counts in double, where the forms find room in registers and the text can be unrolled */
#define PERMI_COUNTS_GPU_WALK 1024
#define PERMI_MEMBER(name, value) permi_gpu_member(text + at, room - at, name, NULL, 0, value)

static void permi_counts_gpu_text(const perm_gpu_counts *counts, char *text, size_t room)
{
  const int size = counts->forms * counts->parts * (1 + counts->low);
  const int need = 2 * size + 60 + 2 * counts->needed * counts->parts;
  const int blocks = need <= 80 ? 6 : need <= 128 ? 4 : need <= 168 ? 3 : 2;
  size_t at = (size_t)snprintf(text, room,
                               "struct permi_shape {\n  enum { PARTS = %d, LOW = %d, RYSER = %d, NEEDED = %d, "
                               "FORMS = %d, SIZE = %d };\n",
                               counts->parts, counts->low, counts->ryser, counts->needed, counts->forms, size);
  at += PERMI_MEMBER("forms", counts->forms);
  at += PERMI_MEMBER("needed", counts->needed);
  at += PERMI_MEMBER("walk", counts->walk);
  at += PERMI_MEMBER("table", counts->table);
  at += permi_gpu_member(text + at, room - at, "before", counts->before, counts->forms + 1, 0);
  snprintf(text + at, room - at,
           "};\nextern \"C\" __global__ void __launch_bounds__(128, %d) permi_kernel(const permi_arguments<1> a)\n"
           "{ permi_counts_chunk(permi_shape(), a); }\n",
           blocks);
}

typedef struct permi_counts_gpu {
  permi_gpu gpu; /* first: >>gpu knows only that */
  perm_gpu_program program;
  perm_gpu_counts shape;
  char text[4096];
} permi_counts_gpu;

/* The leaf of counts, whose tables are copied. */
PERMI_COLD static perm_status permi_counts_gpu_leaf(const permi_counts *counts, const perm_allocator *allocator,
                                                    permi_leaf *leaf)
{
  const int parts = counts->parts, rows = counts->forms * parts, digits = counts->digits;
  permi_counts_gpu *made = (permi_counts_gpu *)permi_allocate(allocator, 1, sizeof *made);
  perm_gpu_work *work;
  perm_gpu_counts *shape;
  permi_counts low; /* the digits of a walk */
  permi_nary walk;
  double *table, *to;
  uint64_t threads = counts->terms;
  int walked = 0, high, size, words, d, f, k, part, v, weights = 0;
  if (!made)
    return PERM_ERROR_MEMORY;
  memset(made, 0, sizeof *made);
  shape = &made->shape;
  work = &made->gpu.work;
  shape->parts = parts;
  shape->ryser = counts->ryser;
  shape->forms = counts->forms;
  shape->needed = counts->skips && !counts->ryser ? counts->needed : 0;
  for (k = 0; k < rows * digits; k++)
    shape->low |= counts->low[k] != 0;
  for (f = 0; f < counts->forms; f++)
    shape->before[f + 1] = (short)(shape->before[f] + counts->form_count[f]);
  words = 1 + shape->low;
  size = rows * words;
  for (shape->walk = 1; walked < digits && shape->walk * counts->radix[walked] <= PERMI_COUNTS_GPU_WALK &&
                        (threads / (uint64_t)counts->radix[walked] >= 1 << 18 ||
                         shape->walk * counts->radix[walked] <= 16);
       walked++) {
    shape->walk *= counts->radix[walked];
    threads /= (uint64_t)counts->radix[walked];
  }
  high = digits - walked;
  for (d = walked; d < digits; d++)
    weights += counts->radix[d];
  shape->table = 4 + 2 * high + size * (1 + digits) + weights + 3 * shape->walk;
  shape->table += counts->ryser ? counts->digit_total + 1 : 0;
  work->doubles = (size_t)shape->table;
  made->gpu.allocator = *allocator;
  made->gpu.memory = (double *)permi_allocate(allocator, work->doubles, sizeof(double));
  if (!made->gpu.memory) {
    permi_release(allocator, made);
    return PERM_ERROR_MEMORY;
  }
  work->table = table = made->gpu.memory;
  memset(table, 0, work->doubles * sizeof *table);
  leaf->information.chunks = 1;
  while (leaf->information.chunks * (threads < 1 << 20 ? 128 : 1024) * 2 <= threads)
    leaf->information.chunks *= 2;
  table[0] = (double)threads;
  table[1] = (double)leaf->information.chunks;
  table[2] = high;
  to = table + 4 + 2 * high;
  for (d = -1; d < digits; d++, to += size) { /* start; high digits; low ones */
    const int digit = d < high ? d + walked : d - high;
    for (f = 0; f < counts->forms; f++)
      for (part = 0; part < parts; part++)
        for (k = 0; k < words; k++) {
          const double *from = (k ? counts->low : counts->high) + part * counts->forms + f;
          double *at = &to[(f * parts + part) * words + k];
          if (d >= 0)
            *at = from[digit * rows] * (counts->ryser ? 1 : -2);
          for (v = 0; d < 0 && v < digits && !counts->ryser; v++)
            *at += from[v * rows] * counts->digit_count[v]; /* exact */
        }
  }
  for (d = 0; d < high; d++) {
    const int radix = counts->radix[walked + d];
    table[4 + 2 * d] = radix;
    table[5 + 2 * d] = (double)(to - table);
    for (v = 0; v < radix; v++, to++) {
      memcpy(to, counts->weight + counts->weight_at[walked + d] + v, sizeof *to);
      *to *= v & 1 && !counts->ryser ? -1 : 1;
    }
  }
  table[3] = (double)(to - table);
  low = *counts;
  low.digits = walked;
  low.terms = (uint64_t)shape->walk;
  low.chunks = 1;
  permi_nary_start(&low, 0, &walk);
  for (k = 0; k < shape->walk; k++, to += 3) {
    to[0] = walk.total & 1 && !counts->ryser ? -1 : 1;
    for (d = 0; d < walked; d++) {
      double weight;
      memcpy(&weight, counts->weight + counts->weight_at[d] + walk.v[d], sizeof weight);
      to[0] *= weight;
    }
    to[1] = k ? (walk.digit + 1) * walk.up[walk.digit] : 0;
    to[2] = walk.total;
    permi_nary_next(&low, &walk);
  }
  for (k = 0; counts->ryser && k <= counts->needed; k++) {
    memcpy(to + k, counts->rank_weight + k, sizeof *to);
    to[k] *= (counts->needed - k) & 1 ? -1 : 1;
  }
  permi_counts_gpu_text(shape, made->text, sizeof made->text);
  made->program.text = made->text;
  made->program.shared = (640 + work->doubles) * sizeof(double);
  made->program.counts = shape;
  work->program = &made->program;
  work->absolute_mask = shape->needed ? counts->absolute_mask : 0;
  made->gpu.terms = (double)(float)((double)counts->terms / (double)leaf->information.chunks); /* multiples are exact */
  leaf->context = made;
  leaf->release = permi_gpu_release;
  leaf->run_range = permi_gpu_range;
  leaf->run_chunk = NULL;
  return PERM_OK;
}

/* The engine of a choice as a leaf. fingerprint: of the problem. */
PERMI_COLD static perm_status permi_choice_leaf(const permi_counted *counted, const permi_choice *choice, int certify,
                                                uint64_t fingerprint, const perm_allocator *allocator, permi_leaf *leaf)
{
  const int by_columns = choice->by_columns, digits = by_columns ? counted->n : counted->m;
  const int padding = choice->method == PERM_METHOD_PADDED ? counted->columns - counted->rows : 0;
  const int given = by_columns ? counted->m : counted->n, forms = given + (padding > 0), parts = counted->parts;
  const int *count = by_columns ? counted->column_count : counted->row_count;
  const int *other = by_columns ? counted->row_count : counted->column_count;
  const int walks = choice->method != PERM_METHOD_SUBSETS && choice->method != PERM_METHOD_EXPANSION;
  const size_t coefficients = (size_t)digits * (size_t)forms * (size_t)parts;
  permi_counts *counts;
  int *order, *digit_exp2, *form_exp2, d, f, part;
  size_t cells = 0, size;
  permi_ring ring = permi_ring_make(parts, choice->words);
  double lost = 0;
  memset(leaf, 0, sizeof *leaf);
  ring.modulus = choice->modulus;
  size = choice->precision == PERM_PRECISION_DEFAULT ? 1 : ring.size;
  for (d = 0; walks && d < digits; d++)
    cells += (size_t)count[d] + 1;
  cells += walks && choice->method == PERM_METHOD_RYSER ? (size_t)counted->rows + 1 : 0;
  counts = (permi_counts *)permi_allocate(allocator, 1,
                                          sizeof *counts + (2 * coefficients + cells * size) * sizeof(double) +
                                              (size_t)(6 * digits + 2 * forms) * sizeof(int));
  if (!counts)
    return PERM_ERROR_MEMORY;
  memset(counts, 0, sizeof *counts);
  counts->allocator = *allocator;
  counts->ring = ring;
  counts->plain = choice->precision == PERM_PRECISION_DEFAULT;
  counts->method = choice->method;
  counts->isa = choice->isa;
  counts->ryser = choice->method == PERM_METHOD_RYSER;
  counts->parts = parts;
  counts->digits = digits;
  counts->forms = forms;
  counts->high = (double *)(counts + 1);
  counts->low = counts->high + coefficients;
  counts->weight = (uint64_t *)(void *)(counts->low + coefficients);
  counts->digit_count = (int *)(counts->weight + cells * size);
  counts->radix = counts->digit_count + digits;
  counts->weight_at = counts->radix + digits;
  order = counts->weight_at + digits;
  digit_exp2 = order + digits;
  counts->form_count = digit_exp2 + 2 * digits;
  form_exp2 = counts->form_count + forms;
  for (f = 0; f < given; f++)
    counts->form_count[f] = other[f];
  if (padding)
    counts->form_count[given] = padding;
  counts->form_total = permi_counts_total(counts->form_count, forms);
  counts->digit_total = permi_counts_total(count, digits);
  counts->needed = counts->form_total < counts->digit_total ? counts->form_total : counts->digit_total;
  counts->skips = counts->form_total - counts->needed;
  for (d = 0; d < digits; d++) { /* largest counts first: insertion keeps equal ones in their order */
    int k = d;
    for (; k > 0 && count[order[k - 1]] < count[d]; k--)
      order[k] = order[k - 1];
    order[k] = d;
  }
  if (walks && !counts->ryser) { /* the last digit takes half its values */
    const int odd = permi_counts_odd(count, order, digits), at = odd < 0 ? 0 : odd, k = order[at];
    memmove(order + at, order + at + 1, (size_t)(digits - 1 - at) * sizeof *order);
    order[digits - 1] = k;
  }
  for (d = 0; d < digits; d++) {
    counts->digit_count[d] = count[order[d]];
    counts->radix[d] = (counts->digit_count[d] < counts->needed ? counts->digit_count[d] : counts->needed) + 1;
    for (f = 0; f < forms; f++)
      for (part = 0; part < parts; part++) {
        const int i = by_columns ? f : order[d], j = by_columns ? order[d] : f;
        const size_t from = ((size_t)i * (size_t)counted->n + (size_t)j) * (size_t)parts + (size_t)part;
        const size_t to = ((size_t)d * (size_t)parts + (size_t)part) * (size_t)forms + (size_t)f;
        if (f == given)
          counts->high[to] = part == 0;
        else
          memcpy(counts->high + to, counted->real + from, sizeof(double)); /* or an integer */
      }
  }
  if (counted->integer) {
    counts->integer = (int64_t *)(void *)counts->high;
    counts->low = NULL;
  } else {
    for (cells = 0; cells < coefficients; cells++)
      counts->signs |= parts == 2 || counts->high[cells] < 0;
    const int exact = permi_counts_scale(counts, digit_exp2, form_exp2);
    if (exact < 0) {
      permi_release(allocator, counts);
      return PERM_ERROR_MEMORY;
    }
    counts->lossy = !exact;
    counts->whole = !counts->lossy && permi_counts_whole(counts);
    for (d = 0; d < digits; d++)
      leaf->scale_exp2 -= (long long)counts->digit_count[d] * digit_exp2[d];
    for (f = 0; f < forms; f++)
      leaf->scale_exp2 -= (long long)counts->form_count[f] * form_exp2[f];
  }
  leaf->scale = permi_dd_make(1);
  leaf->context = counts;
  leaf->release = permi_context_release;
  leaf->explain = permi_plan_explain;
  leaf->information.kind = walks ? PERM_LEAF_RANGE : PERM_LEAF_TASK;
  leaf->information.method = choice->method;
  leaf->information.isa = choice->isa;
  leaf->information.n = counts->needed;
  leaf->information.work = choice->work;
  leaf->information.seconds = choice->seconds;
  leaf->information.bytes = choice->bytes;
  leaf->information.chunks = 1;
  leaf->integer = counts->integer != NULL;
  leaf->run_task = choice->method == PERM_METHOD_EXPANSION ? permi_expand_counts_task : permi_subsets_task;
  if (walks) {
    int chunks_log2 = 0, at = 0;
    counts->terms = 1;
    for (d = 0; d < digits; d++) {
      const int half = d == digits - 1 && !counts->ryser;
      if (half)
        counts->radix[d] = counts->digit_count[d] / 2 + 1;
      counts->weight_at[d] = at;
      permi_weights_fill(counts, counts->digit_count[d], counts->radix[d] - 1, half,
                         counts->weight + (size_t)at * size);
      at += counts->radix[d];
      counts->terms *= (uint64_t)counts->radix[d];
    }
    counts->rank_weight = counts->weight + (size_t)at * size;
    if (counts->ryser)
      permi_rank_weights(counts);
    if (!counts->integer)
      lost = permi_counts_split(counts);
    while (ldexp(choice->seconds, -chunks_log2) > (chunks_log2 < 30 ? 4e-4 : 0.4) &&
           counts->terms >> chunks_log2 > 32)
      chunks_log2++;
    counts->chunks = UINT64_C(1) << chunks_log2;
    counts->absolute_mask = certify || counts->terms < 2048 ? 0 : 15;
    leaf->information.chunks = counts->chunks;
    leaf->run_chunk = permi_nary_chunk;
    leaf->workspace = sizeof(permi_nary_work);
    if (counts->integer)
      leaf->scale_exp2 = counts->ryser ? 0 : -counts->digit_total;
    else if (counts->ryser)
      leaf->scale_exp2 += counts->digit_total;
    for (d = 2; d <= padding; d++)
      leaf->scale = permi_dd_multiply(leaf->scale, permi_dd_make(d));
    if (padding > 1) { /* its inverse */
      const double x = leaf->scale.hi, inverse = 1 / x;
      leaf->scale.lo = (fma(-inverse, x, 1) - inverse * leaf->scale.lo) * inverse;
      leaf->scale.hi = inverse;
    }
  }
  {
    const int fields[] = {(int)choice->method,       (int)choice->isa, by_columns,
                          (int)choice->precision,    counted->parts,   counted->integer != NULL,
                          (int)counts->absolute_mask};
    for (d = 0; d < (int)(sizeof fields / sizeof fields[0]); d++)
      fingerprint = permi_hash(fingerprint, (uint64_t)fields[d]);
    fingerprint = choice->modulus ? permi_hash(fingerprint, choice->modulus) : fingerprint;
    leaf->information.fingerprint = permi_hash(fingerprint, leaf->information.chunks);
  }
  permi_counts_bounds(counts, lost, choice->terms, leaf);
  if (choice->isa == PERM_ISA_CUDA) {
    const perm_status status = counted->reach->gpu->counts_leaf(counts, allocator, leaf);
    permi_release(allocator, counts);
    if (status != PERM_OK)
      return status;
    leaf->information.fingerprint = permi_hash(leaf->information.fingerprint, leaf->information.chunks);
  }
  if (counted->scaled) { /* exact, but no integer: rounded to double-double */
    leaf->integer = 0;
    leaf->scale_exp2 += (long long)counted->exp2 * counted->rows;
    leaf->bound_relative = leaf->estimate_relative = PERMI_DD_UNIT;
  }
  return PERM_OK;
}

PERMI_COLD static uint64_t permi_counted_fingerprint(const permi_counted *counted)
{
  uint64_t hash = PERMI_HASH_START;
  const size_t entries = (size_t)counted->m * (size_t)counted->n * (size_t)counted->parts;
  size_t k;
  int x;
  hash = permi_hash(hash, (uint64_t)counted->m);
  for (x = 0; x < counted->m; x++)
    hash = permi_hash(hash, (uint64_t)counted->row_count[x]);
  for (x = 0; x < counted->n; x++)
    hash = permi_hash(hash, (uint64_t)counted->column_count[x]);
  for (k = 0; k < entries; k++)
    hash =
        counted->integer ? permi_hash(hash, (uint64_t)counted->integer[k]) : permi_hash_double(hash, counted->real[k]);
  return hash;
}
