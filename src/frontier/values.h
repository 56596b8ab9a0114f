/* ========================================================================================= >>values
   Values of >>ring, and what runs engines. Functions return 0 without memory. */
#pragma once
#include "../base/ring.h"
#include "../graph/engines.h"
#include "../graph/primes.h"

#define PERMI_SAFE_PRODUCT 1e-290 /* larger products lose nothing by underflow: tests/proofs/frontier.g */

#define PERMI_ALGEBRAS(DO)                                                                                             \
  DO(magnitudes, PERMI_MAGNITUDES) DO(signed, PERMI_SIGNED) DO(complex, PERMI_COMPLEX)                                 \
  DO(magnitudes_dd, PERMI_MAGNITUDES_DD) DO(signed_dd, PERMI_SIGNED_DD) DO(complex_dd, PERMI_COMPLEX_DD)               \
  DO(word, PERMI_WORD) DO(wide, PERMI_WIDE) DO(words, PERMI_WORDS) DO(residues, PERMI_RESIDUES)

static permi_coefficient permi_coefficient_reduced(permi_coefficient c, const permi_numbers *numbers)
{
  for (int part = 0; part < 2 && numbers->algebra == PERMI_RESIDUES; part++)
    c.integer[part] = (int64_t)permi_wide_residue(permi_wide_of(c.integer[part]), numbers->modulus);
  return c;
}

static permi_coefficient permi_coefficient_of(const permi_block *block, int edge, const permi_numbers *numbers)
{
  permi_coefficient c;
  memset(&c, 0, sizeof c);
  if (block->real) {
    c.real = block->real[edge];
    c.imaginary = block->imaginary ? block->imaginary[edge] : 0;
    c.absolute = block->absolute[edge];
  }
  if (block->integer)
    c.integer[0] = block->integer[edge];
  if (block->imaginary_integer)
    c.integer[1] = block->imaginary_integer[edge];
  return permi_coefficient_reduced(c, numbers);
}

static int permi_entries_equal(const permi_block *block, int a, int b)
{
  if (block->integer)
    return block->integer[a] == block->integer[b] &&
           (!block->imaginary_integer || block->imaginary_integer[a] == block->imaginary_integer[b]);
  return block->real[a] == block->real[b] && block->absolute[a] == block->absolute[b] &&
         (!block->imaginary || block->imaginary[a] == block->imaginary[b]);
}

static uint64_t permi_coefficient_hash(uint64_t hash, const permi_coefficient *c)
{
  hash = permi_hash_double(permi_hash_double(permi_hash_double(hash, c->real), c->imaginary), c->absolute);
  return permi_hash(permi_hash(hash, (uint64_t)c->integer[0]), (uint64_t)c->integer[1]);
}

static permi_coefficient permi_coefficient_one(void)
{
  const permi_coefficient one = {1, 0, 1, 0, 0, {1, 0}};
  return one;
}

/* Adds the modulus to *weight; lowers *least to the least non-zero part. */
static void permi_coefficient_weigh(const permi_coefficient *c, double *weight, double *least)
{
  *weight += c->absolute;
  *least = fmin(*least, c->absolute > 0 ? c->absolute : *least);
  *least = fmin(*least, c->real != 0 ? fabs(c->real) : *least);
  *least = fmin(*least, c->imaginary != 0 ? fabs(c->imaginary) : *least);
}

/* Integers have one word a part. */
static PERMI_ALWAYS_INLINE permi_coefficient permi_coefficient_from(permi_algebra algebra, const permi_numbers *numbers,
                                                                    const void *value)
{
  const double *x = (const double *)value;
  const int dd = permi_algebra_is_dd(algebra), size = (int)permi_value_words(algebra, numbers);
  permi_coefficient c;
  memset(&c, 0, sizeof c);
  if (permi_algebra_is_integer(algebra)) {
    memcpy(c.integer, value, (size_t)size * sizeof(int64_t));
    return c;
  }
  c.real = x[0];
  c.real_low = dd ? x[1] : 0;
  c.imaginary = algebra == PERMI_PAIR_VALUES || size > 2 + 2 * dd ? x[1 + dd] : 0;
  c.imaginary_low = dd && size > 4 ? x[3] : 0;
  c.absolute = x[size - 1];
  return c;
}

/* Multiplies c. Returns how often to add it: `factor` times if the product overflows, else once. */
static size_t permi_coefficient_multiply(const permi_numbers *numbers, permi_coefficient *c, uint32_t factor)
{
  const int64_t times = (int64_t)factor;
  if (permi_algebra_is_integer(numbers->algebra)) {
    for (int part = 0; part < 2 && numbers->algebra != PERMI_RESIDUES; part++)
      if (c->integer[part] > INT64_MAX / times || c->integer[part] < -(INT64_MAX / times))
        return factor;
    for (int part = 0; part < 2; part++)
      c->integer[part] = numbers->algebra == PERMI_RESIDUES
                             ? (int64_t)permi_residue_multiply((uint64_t)c->integer[part], factor % numbers->modulus,
                                                               numbers->modulus)
                             : c->integer[part] * times;
    return 1;
  }
  if (permi_algebra_is_dd(numbers->algebra)) {
    const permi_dd real = {c->real, c->real_low}, imaginary = {c->imaginary, c->imaginary_low};
    const permi_dd x = permi_dd_multiply(real, permi_dd_make(factor));
    const permi_dd y = permi_dd_multiply(imaginary, permi_dd_make(factor));
    c->real = x.hi;
    c->real_low = x.lo;
    c->imaginary = y.hi;
    c->imaginary_low = y.lo;
  } else {
    c->real *= factor;
    c->imaginary *= factor;
  }
  c->absolute *= factor;
  return 1;
}

static PERMI_ALWAYS_INLINE void permi_value_fuse(permi_algebra algebra, const permi_numbers *numbers, const void *a,
                                                 void *y, const void *x)
{
  if (algebra == PERMI_WORDS) {
    permi_words_accumulate(numbers->words, numbers->parts, (const uint64_t *)a, (uint64_t *)y, (const uint64_t *)x);
  } else {
    const permi_coefficient c = permi_coefficient_from(algebra, numbers, a);
    permi_value_add(algebra, numbers, &c, y, x, 0);
  }
}

static PERMI_ALWAYS_INLINE void permi_values_add_of(permi_algebra algebra, const permi_numbers *numbers,
                                                    const permi_coefficient *c, void *y, const void *x, size_t count,
                                                    int fresh)
{
  const size_t bytes = 8 * permi_value_words(algebra, numbers);
  for (size_t k = 0; k < count; k++)
    permi_value_add(algebra, numbers, c, (char *)y + k * bytes, (const char *)x + k * bytes, fresh);
}

/* Adds c times values, or stores them if fresh; pair: places, from | to << 16, or NULL. */
static PERMI_ALWAYS_INLINE void permi_values_move_of(permi_algebra algebra, const permi_numbers *numbers,
                                                     const permi_coefficient *c, void *y, const void *x,
                                                     const uint32_t *pair, size_t count, int fresh)
{
  const permi_coefficient kept = *c;
  const size_t bytes = 8 * permi_value_words(algebra, numbers);
  if (fresh)
    permi_values_add_of(algebra, numbers, &kept, y, x, count, 1);
  else if (!pair)
    permi_values_add_of(algebra, numbers, &kept, y, x, count, 0);
  else
    for (size_t k = 0; k < count; k++)
      permi_value_add(algebra, numbers, &kept, (char *)y + (pair[k] >> 16) * bytes,
                      (const char *)x + (pair[k] & 65535) * bytes, 0);
}

typedef void (*permi_values_adder)(const permi_numbers *numbers, const permi_coefficient *c, void *y, const void *x,
                                   const uint32_t *pair, size_t count, int fresh);
#define PERMI_INSTANCE(name, algebra)                                                                                  \
  static void permi_values_add_##name(const permi_numbers *numbers, const permi_coefficient *c, void *y,               \
                                      const void *x, const uint32_t *pair, size_t count, int fresh)                    \
  { permi_values_move_of(algebra, numbers, c, y, x, pair, count, fresh); }
PERMI_ALGEBRAS(PERMI_INSTANCE)
#undef PERMI_INSTANCE

#define PERMI_NAMED(name, algebra) permi_values_add_##name,
static const permi_values_adder permi_values_adders[] = {PERMI_ALGEBRAS(PERMI_NAMED) NULL};
#undef PERMI_NAMED

static PERMI_ALWAYS_INLINE void permi_values_add(const permi_numbers *numbers, const permi_coefficient *c, void *y,
                                                 const void *x, size_t count)
{
  permi_values_adders[numbers->algebra](numbers, c, y, x, NULL, count, 0);
}

static void permi_value_sum(const permi_numbers *numbers, const void *value, perm_partial *partial)
{
  const int size = permi_algebra_is_integer(numbers->algebra) ? 0 : (int)permi_numbers_words(numbers);
  permi_value_sum_parts(numbers, value, partial);
  for (int k = permi_algebra_has_moduli(numbers->algebra) ? size - 1 : 0; k < size; k++)
    permi_sum_add_double(&partial->absolute, ((const double *)value)[k]);
}

/* True values are 2^exp2 times as large. `smallest` and `largest` bound non-zero moduli; underflow causes `loss`. */
typedef struct permi_sizes {
  double smallest, largest, loss;
  long long exp2;
} permi_sizes;

static void permi_sizes_clear(permi_sizes *sizes)
{
  sizes->smallest = DBL_MAX;
  sizes->largest = 0;
}

static void permi_sizes_join(permi_sizes *sizes, const permi_sizes *other)
{
  sizes->smallest = other->smallest < sizes->smallest ? other->smallest : sizes->smallest;
  sizes->largest = other->largest > sizes->largest ? other->largest : sizes->largest;
}

/* Measures in four chains, as a minimum takes four cycles. */
static void permi_values_extremes(const double *x, size_t doubles, size_t stride, permi_sizes *sizes)
{
  double low[4], high[4];
  size_t k;
  for (int j = 0; j < 4; j++) {
    low[j] = sizes->smallest;
    high[j] = sizes->largest;
  }
  for (k = 0; k + 3 * stride < doubles; k += 4 * stride)
    for (int j = 0; j < 4; j++) {
      const double y = fabs(x[k + (size_t)j * stride]), z = y > 0 ? y : DBL_MAX;
      low[j] = z < low[j] ? z : low[j];
      high[j] = y > high[j] ? y : high[j];
    }
  for (; k < doubles; k += stride) {
    const double y = fabs(x[k]), z = y > 0 ? y : DBL_MAX;
    low[0] = z < low[0] ? z : low[0];
    high[0] = y > high[0] ? y : high[0];
  }
  for (int j = 0; j < 4; j++) {
    sizes->smallest = low[j] < sizes->smallest ? low[j] : sizes->smallest;
    sizes->largest = high[j] > sizes->largest ? high[j] : sizes->largest;
  }
}

/* Returns e of the factor 2^-e, 0 between 1 / beyond and beyond. Products below `safe` may lose low parts. */
static int permi_sizes_rescale(permi_sizes *sizes, double beyond, double safe)
{
  if (sizes->largest == 0 || (sizes->largest > 1 / beyond && sizes->largest < beyond))
    return 0;
  const int e = permi_exponent(sizes->largest);
  sizes->loss = permi_loss_scaled(sizes->loss, 1, -e);
  sizes->smallest = ldexp(sizes->smallest, -e);
  sizes->largest = ldexp(sizes->largest, -e);
  if (e > 0 && sizes->smallest < safe)
    sizes->loss += 2 * DBL_MIN;
  sizes->exp2 += e;
  return e;
}

static void permi_values_scale(double *x, size_t doubles, int e)
{
  const double first = ldexp(1, -(e / 2)), second = ldexp(1, e / 2 - e);
  for (size_t k = 0; k < doubles; k++)
    x[k] = x[k] * first * second;
}

/* Moduli above 2^-PERMI_CANCELS times all values come down, and bound nothing. */
#define PERMI_CANCELS_STEPS 31 /* a mask */
static void permi_values_ease(const permi_numbers *numbers, void *values, size_t count, permi_sizes *sizes)
{
  const size_t size = permi_numbers_words(numbers), all = count * size;
  double *x = (double *)values, most = 0, most_value = 0;
  if (!permi_algebra_has_moduli(numbers->algebra))
    return;
  for (size_t t = 0; t < all; t += size) {
    most = fmax(most, x[t + size - 1]);
    for (size_t k = 0; k + 1 < size; k++)
      most_value = fmax(most_value, fabs(x[t + k]));
  }
  const int e = most_value > 0 ? permi_exponent(most_value) - permi_exponent(most) : 0;
  if (e > PERMI_CANCELS)
    return;
  permi_sizes_clear(sizes);
  sizes->loss = (double)INFINITY;
  for (size_t t = 0; t < all; t += size) {
    double *modulus = &x[t + size - 1];
    *modulus = ldexp(*modulus, e);
    for (size_t k = 0; k + 1 < size; k++)
      *modulus = fmax(*modulus, fabs(x[t + k]));
  }
  permi_values_extremes(x + size - 1, all, size, sizes);
}

/* Scales moduli into [1/2, 1). `sizes` comes in every 32nd step, where cancelled values give up moduli. */
static void permi_values_normalise(const permi_numbers *numbers, void *values, size_t count, int64_t *exp2,
                                   permi_sizes *sizes)
{
  const size_t size = permi_numbers_words(numbers);
  permi_sizes own;
  double *x = (double *)values;
  for (size_t t = 0; t < count; t++, x += size)
    if (x[size - 1] != 0) {
      own.loss = 0;
      if (sizes && fabs(x[0]) < 1e-180 * x[size - 1])
        permi_values_ease(numbers, x, 1, &own);
      if (own.loss > 0)
        sizes->loss = own.loss;
      const int e = permi_exponent(x[size - 1]);
      for (size_t k = 0; k < size; k++)
        x[k] = permi_shift(x[k], -e);
      exp2[t] += e;
    }
}

/* Adds c x 2^exp2 to y 2^*to. */
static void permi_value_add_apart(const permi_numbers *numbers, const permi_coefficient *c, void *to_value, int64_t *to,
                                  const void *x, int64_t exp2)
{
  const permi_coefficient one = permi_coefficient_one();
  const size_t size = permi_numbers_words(numbers);
  double product[5] = {0, 0, 0, 0, 0}, *y = (double *)to_value;
  const int fresh = y[size - 1] == 0, e = fresh ? 0 : permi_int_exponent(exp2 - *to);
  if (((const double *)x)[size - 1] == 0)
    return;
  if (fresh || e > 0)
    *to = exp2;
  if (e == 0) {
    permi_values_add(numbers, c, y, x, 1);
    return;
  }
  permi_values_add(numbers, c, product, x, 1);
  for (size_t k = 0; k < size; k++)
    if (e > 0)
      y[k] = permi_shift(y[k], -e);
    else
      product[k] = permi_shift(product[k], e);
  permi_values_add(numbers, &one, y, product, 1);
}

static void permi_values_track(permi_algebra algebra, const void *values, size_t count, permi_sizes *sizes)
{
  const double *x = (const double *)values;
  const size_t size = permi_algebra_is_integer(algebra) ? 0 : permi_value_words(algebra, NULL);
  const size_t stride = permi_algebra_is_dd(algebra) ? 2 : 1;
  if (size % stride == 0)
    permi_values_extremes(x, count * size, stride, sizes);
  else
    for (; count > 0; count--, x += size)
      permi_values_extremes(x, size, 2, sizes);
}

/* Returns a bound relative to the sum of moduli, which has `moduli` roundings (tests/proofs/frontier.g). */
static double permi_terms_bound(const permi_numbers *numbers, double roundings, double operations, double moduli)
{
  double gamma = permi_gamma(roundings + operations);
  if (permi_algebra_is_dd(numbers->algebra))
    gamma = permi_gamma(roundings) * (1 + 1e-12) + operations * PERMI_DD_UNIT / (1 - operations * PERMI_DD_UNIT);
  return gamma / (1 - permi_gamma(roundings + moduli)) * (1 + 8 * PERMI_UNIT);
}

typedef struct permi_majorant {
  double sum, bits;
  int count, others; /* of modulus not 1; with free lines all */
} permi_majorant;

static void permi_majorant_enter(const permi_block *block, int edge, permi_majorant *line)
{
  double x = fabs((double)block->integer[edge]);
  if (block->imaginary_integer)
    x += fabs((double)block->imaginary_integer[edge]);
  line->sum += x;
  line->count++;
  line->others += x != 1 || block->free_lines;
}

/* Returns log2 of a line's factor in a bound on permanents, which never falls as entries come: the sum of moduli, or
   r!^(1/r) for moduli 1 [Bre73]. */
static double permi_majorant_bits(const permi_majorant *line)
{
  return line->count == 0 ? 0
         : line->others   ? log2(fmax(line->sum, 1))
                          : permi_log2_factorial(line->count) / line->count;
}

static double permi_majorants_bits(const double *bits)
{
  return (bits[0] < bits[1] ? bits[0] : bits[1]) * (1 + 1e-10) + 1e-6;
}

static double permi_block_bits(const permi_block *block)
{
  double bits[2] = {0, 0};
  for (int v = 0; v < block->vertices; v++) {
    permi_majorant line = {0, 0, 0, 0};
    for (int e = block->start[v]; e < block->start[v + 1]; e++)
      permi_majorant_enter(block, block->edge[e], &line);
    if (block->free_lines)
      permi_majorant_enter(block, permi_block_alone(block, v), &line);
    bits[v >= block->n] += permi_majorant_bits(&line);
  }
  if (block->free_lines) /* sums of columns bound nothing */
    bits[1] = (double)INFINITY;
  return permi_majorants_bits(bits);
}

static void permi_numbers_lengthen(permi_numbers *numbers, int words)
{
  numbers->words = words;
  numbers->algebra = numbers->parts == 2 || words > 2 ? PERMI_WORDS : words == 2 ? PERMI_WIDE : PERMI_WORD;
}

static int permi_sparse_doubled(const perm_options *options)
{
  return options->precision == PERM_PRECISION_DD;
}

/* Returns 0 if integers are too long without modulus. */
#define PERMI_RESIDUE_WORDS 8
static int permi_numbers_choose(permi_numbers *numbers, const permi_block *block, uint64_t modulus, int doubled)
{
  memset(numbers, 0, sizeof *numbers);
  numbers->words = 1;
  numbers->parts = (block->integer ? block->imaginary_integer != NULL : block->imaginary != NULL) ? 2 : 1;
  if (block->integer) {
    permi_numbers_lengthen(numbers, permi_words_of_bits(permi_block_bits(block)));
    if (modulus && numbers->words > PERMI_RESIDUE_WORDS) {
      numbers->algebra = PERMI_RESIDUES;
      numbers->modulus = modulus;
      numbers->words = 1;
    }
    return numbers->words <= PERM_INTEGER_WORDS;
  }
  for (int e = 0; e < permi_block_values(block) && numbers->algebra == PERMI_MAGNITUDES; e++)
    if (block->real[e] != block->absolute[e])
      numbers->algebra = PERMI_SIGNED;
  if (block->imaginary)
    numbers->algebra = PERMI_COMPLEX;
  if (doubled)
    numbers->algebra = (permi_algebra)((int)numbers->algebra + PERMI_MAGNITUDES_DD);
  return 1;
}

static const char *permi_numbers_text(const permi_numbers *numbers, int moduli)
{
  static const char *const text[] = {"doubles", "doubles with moduli", "complex doubles", "double-doubles",
                                     "double-doubles with moduli", "complex double-doubles", "64-bit integers",
                                     "128-bit integers", "integers of several words", "residues"};
  return text[numbers->algebra == PERMI_SIGNED_DD && !moduli ? PERMI_MAGNITUDES_DD : numbers->algebra];
}

/* The same; double-doubles get moduli. */
static int permi_numbers_choose_moduli(permi_numbers *numbers, const permi_block *block, uint64_t modulus, int doubled)
{
  const int fits = permi_numbers_choose(numbers, block, modulus, doubled);
  if (numbers->algebra == PERMI_MAGNITUDES_DD)
    numbers->algebra = PERMI_SIGNED_DD;
  return fits;
}

typedef struct permi_runner permi_runner;
struct permi_runner {
  permi_control *control; /* or NULL */
  const char *activity;
  int threads;
  permi_pool pool;
  perm_allocator locked; /* the caller's need not be thread-safe */
  double done, unpolled, visited; /* predicted seconds */
  int stop; /* of thread 0 */
  permi_sizes sizes;
  perm_status (*keep)(permi_runner *run, int p); /* or NULL; takes the states before step p: >>trace */
  void *keeper;
};

typedef perm_status (*permi_runner_step)(permi_runner *run, int p);

static void *permi_locked_allocate(size_t bytes, void *user_data)
{
  void *memory;
  PERMI_OMP(critical(permi_lists_memory))
  memory = permi_allocate((const perm_allocator *)user_data, bytes, 1);
  return memory;
}

static void permi_locked_release(void *memory, void *user_data)
{
  PERMI_OMP(critical(permi_lists_memory))
  permi_release((const perm_allocator *)user_data, memory);
}

#define PERMI_RUNNER_POLL 262144

/* Callers, also of functions that open an engine's run, have cleared it except for `keep`. */
static void permi_runner_begin(permi_runner *run, const perm_allocator *allocator, permi_control *control,
                               const char *activity)
{
  run->control = control;
  run->activity = activity;
  run->threads = control ? permi_threads(control->options) : 1;
  run->pool.allocator = allocator;
  run->locked.allocate = permi_locked_allocate;
  run->locked.release = permi_locked_release;
  run->locked.user_data = (void *)(uintptr_t)allocator;
  run->sizes.smallest = run->sizes.largest = 1;
  run->unpolled = PERMI_RUNNER_POLL;
}

/* Thread 0 asks once every PERMI_RUNNER_POLL states whether to stop. */
static perm_status permi_runner_poll(permi_runner *run, double states, double seconds, int thread)
{
  int stop = PERM_OK;
  if (thread) {
    PERMI_OMP(atomic read)
    stop = run->stop;
  } else if (run->control && (run->unpolled += states) >= PERMI_RUNNER_POLL) {
    run->unpolled = 0;
    stop = (int)permi_control_poll(run->control, seconds, run->activity);
    PERMI_OMP(atomic write)
    run->stop = stop;
  }
  return (perm_status)stop;
}

static perm_status permi_runner_go(permi_runner *run, int from, int to, permi_runner_step step)
{
  perm_status status = PERM_OK;
  for (int p = from; p < to && status == PERM_OK; p++) {
    status = permi_runner_poll(run, PERMI_RUNNER_POLL / 16, run->done, 0);
    if (status == PERM_OK && run->keep)
      status = run->keep(run, p);
    if (status == PERM_OK)
      status = step(run, p);
  }
  return status;
}

static void permi_runner_finish(const permi_runner *run, const permi_numbers *numbers, const void *value,
                                double lost_error, perm_partial *partial)
{
  double loss = run->sizes.loss;
  partial->terms += run->visited;
  if (value)
    permi_value_sum(numbers, value, partial);
  if (!value || permi_algebra_is_integer(numbers->algebra))
    return;
  if (lost_error > 0)
    loss += DBL_MIN + permi_ldexp(lost_error, -run->sizes.exp2);
  partial->lost += 2 * loss;
  partial->exp2 = run->sizes.exp2;
}

/* `unit` is that of the roundings in `bound`. */
static void permi_leaf_values(permi_leaf *leaf, const permi_numbers *numbers, double bound, double unit,
                              perm_status (*task)(const permi_leaf *, permi_control *, perm_partial *),
                              size_t (*explain)(const permi_leaf *, char *, size_t))
{
  leaf->run_task = task;
  leaf->explain = explain;
  leaf->integer = permi_algebra_is_integer(numbers->algebra);
  if (!leaf->integer) {
    leaf->bound_relative = bound;
    leaf->estimate_relative = fmin(4 * sqrt(unit * bound), bound);
  }
}
/* SPDX-License-Identifier: MIT */
