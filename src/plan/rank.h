/* ============================================================================================ >>rank
   Square arrays of rank 4 or less: the sum of >>low_rank modulo primes, joined by the Chinese remainder theorem. It is
   exact, as doubles are whole numbers of a unit of their row and column.
   THE PROOF that the rank is r: all minors of order r + 1 vanish modulo primes whose product is above Hadamard's bound
   on them (of the modulus squared, for Gaussian integers: a prime is the norm of what divides them), so they are 0.
   Modulo every further prime the rank is r or less, then. */
#pragma once
#include "../multiplicities/counts.h"
#include "../exact/residues.h"
#include "../job/job.h"
#include "engine.h"

#define PERMI_RANK_MOST 4
#define PERMI_RANK_LEAST 17   /* chosen: arrays up to order 16 are summed at once */
#define PERMI_RANK_SAMPLE 8   /* lines that settle most cases */
#define PERMI_RANK_SPAN 4096  /* chosen: bits of an entry, of doubles */
#define PERMI_RANK_PRIME UINT64_C(4611686018427387817) /* below 2^62, 1 modulo 4 */

typedef struct permi_rank {
  permi_pool pool;
  perm_allocator allocator;
  permi_control *watch; /* of the proof; NULL: it is over */
  int n, parts, rank, integer;
  int row[PERMI_RANK_MOST]; /* independent ones, modulo one prime */
  int primes;               /* 0: the modulus itself is one */
  uint64_t modulus;
  int64_t *entry;  /* [n][n][parts] */
  int *shift;      /* NULL for integers: entries count 2^shift times */
  long long exp2;  /* permanent = integer * 2^exp2 */
  double bits, monomials;
} permi_rank;

/* Releases a plan that begins with the pool of its memory. */
static void permi_rank_release(const perm_allocator *allocator, void *plan)
{
  permi_pool pool;
  if (!plan)
    return;
  pool = *(permi_pool *)plan;
  pool.allocator = allocator;
  permi_pool_release(&pool);
}

/* Splits x into *entry 2^*exponent, *entry odd or 0. Returns 0 if x is not finite. */
static int permi_rank_split(double x, int64_t *entry, int *exponent)
{
  int e;
  *entry = 0;
  *exponent = 0;
  if (permi_not_finite(x))
    return 0;
  if (x == 0)
    return 1;
  *entry = (int64_t)ldexp(frexp(x, &e), 53);
  for (*exponent = e - 53; !(*entry & 1); ++*exponent)
    *entry /= 2;
  return 1;
}

/* x 2^shift mod p. */
static uint64_t permi_rank_residue(int64_t x, int shift, uint64_t p)
{
  uint64_t y = permi_residue_of(x, p);
  for (; shift > 0; shift -= 60)
    y = permi_residue_multiply(y, UINT64_C(1) << (shift < 60 ? shift : 60), p);
  return y;
}

/* Takes one more row into a reduced basis modulo a prime: row t is 1 in column[t] and 0 in the others. Returns whether
   the rank grew. */
static int permi_rank_take(uint64_t *basis, int n, int *column, int rank, const permi_odd_modulus *prime)
{
  uint64_t *x = basis + (size_t)rank * (size_t)n, inverse;
  const uint64_t p = prime->p;
  int t, j, at;
  for (t = 0; t < rank; t++) {
    const uint64_t *y = basis + (size_t)t * (size_t)n, c = permi_montgomery(x[column[t]], prime->square, prime);
    for (j = 0; c && j < n; j++)
      x[j] = permi_residue_add(x[j], permi_montgomery(c, y[j], prime), 1, p);
  }
  for (at = 0; at < n && !x[at]; at++)
    ;
  if (at == n || rank == PERMI_RANK_MOST)
    return at < n;
  inverse = permi_prime_inverse(x[at], prime);
  for (j = 0; j < n; j++)
    x[j] = permi_montgomery(x[j], inverse, prime);
  for (t = 0; t < rank; t++) {
    uint64_t *y = basis + (size_t)t * (size_t)n;
    const uint64_t c = permi_montgomery(y[at], prime->square, prime);
    for (j = 0; c && j < n; j++)
      y[j] = permi_residue_add(y[j], permi_montgomery(c, x[j], prime), 1, p);
  }
  column[rank] = at;
  return 1;
}

/* An entry modulo a prime; root: that of -1, times 2^64. */
static uint64_t permi_rank_entry(const permi_rank *rank, size_t at, const permi_odd_modulus *prime, uint64_t root)
{
  const int64_t *entry = rank->entry + at * (size_t)rank->parts;
  const int *shift = rank->shift ? rank->shift + at * (size_t)rank->parts : NULL;
  const uint64_t x = permi_rank_residue(entry[0], shift ? shift[0] : 0, prime->p);
  return rank->parts == 1 ? x
                          : permi_residue_add(x, permi_montgomery(permi_rank_residue(entry[1], shift ? shift[1] : 0,
                                                                                     prime->p), root, prime),
                                              0, prime->p);
}

static uint64_t permi_rank_root(const permi_rank *rank, const permi_odd_modulus *prime)
{
  return rank->parts == 2 ? permi_montgomery(permi_prime_root(prime), prime->square, prime) : 0;
}

/* The rank of the rows listed, or of all, at most PERMI_RANK_MOST + 1; row: those that count. basis: PERMI_RANK_MOST +
   1 rows. */
static int permi_rank_reduce(const permi_rank *rank, const int *rows, int count, const permi_odd_modulus *prime,
                             uint64_t root, uint64_t *basis, int *column, int *row)
{
  const int n = rank->n;
  int r = 0, k;
  for (k = 0; k < count && r <= PERMI_RANK_MOST && !permi_watch(rank->watch, 40.0 * n); k++) {
    const int i = rows ? rows[k] : k;
    int j;
    for (j = 0; j < n; j++)
      basis[(size_t)r * (size_t)n + (size_t)j] = permi_rank_entry(rank, (size_t)i * (size_t)n + (size_t)j, prime, root);
    if (permi_rank_take(basis, n, column, r, prime)) {
      if (r < PERMI_RANK_MOST)
        row[r] = i;
      r++;
    }
  }
  permi_watch(rank->watch, 40.0 * n * (count - k)); /* also rows not needed: plans depend on it */
  return r;
}

static size_t permi_rank_at(const permi_rank *rank, int side, int i, int j)
{
  const int parts = rank->parts, width = rank->n * parts;
  return side ? (size_t)(j / parts) * (size_t)width + (size_t)(i * parts + j % parts)
              : (size_t)i * (size_t)width + (size_t)j;
}

/* Makes doubles multiples of units of their rows, then columns. Returns 0 if they span too many bits. */
static int permi_rank_units(permi_rank *rank)
{
  const int n = rank->n, width = n * rank->parts;
  int side, i, j, largest = 0;
  for (side = 0; side < 2; side++)
    for (i = 0; i < n; i++) {
      int least = INT_MAX;
      for (j = 0; j < width; j++) {
        const size_t at = permi_rank_at(rank, side, i, j);
        if (rank->entry[at] && rank->shift[at] < least)
          least = rank->shift[at];
      }
      if (least == INT_MAX)
        continue; /* a line of zeros: the permanent is 0 */
      rank->exp2 += least;
      for (j = 0; j < width; j++) {
        const size_t at = permi_rank_at(rank, side, i, j);
        rank->shift[at] = rank->entry[at] ? rank->shift[at] - least : 0;
        largest = side && rank->shift[at] > largest ? rank->shift[at] : largest;
      }
    }
  return largest <= PERMI_RANK_SPAN;
}

/* log2 of bounds on the permanent, by rows or columns, and on minors: products of the largest sums of moduli, each at
   least 1. */
static void permi_rank_bound(const permi_rank *rank, int order, double *permanent, double *minor)
{
  const int n = rank->n, width = n * rank->parts;
  double bits[2] = {0, 0}, top[PERMI_RANK_MOST + 1] = {0};
  int side, i, j, k;
  for (side = 0; side < 2; side++)
    for (i = 0; i < n; i++) {
      double sum = 0, line;
      int unit = 0;
      for (j = 0; j < width; j++) {
        const size_t at = permi_rank_at(rank, side, i, j);
        const int shift = rank->shift ? rank->shift[at] : 0;
        if (shift > unit) {
          sum = ldexp(sum, unit - shift);
          unit = shift;
        }
        sum += ldexp(fabs((double)rank->entry[at]), shift - unit);
      }
      line = sum > 0 ? fmax(0, log2(sum) + unit) : 0;
      bits[side] += line;
      if (side)
        continue;
      for (k = order - 1; k >= 0 && line > top[k]; k--) {
        if (k + 1 < order)
          top[k + 1] = top[k];
        top[k] = line;
      }
    }
  *permanent = fmin(bits[0], bits[1]) * (1 + 1e-10) + 1e-6;
  for (*minor = 1e-6, k = 0; k < order; k++)
    *minor += top[k] * (1 + 1e-10);
}

/* Reads n x n entries, all or spread evenly. Returns why not, or NULL. */
static const char *permi_rank_read(const permi_problem *problem, permi_rank *rank)
{
  const int n = rank->n, parts = rank->parts;
  int i, j, part;
  size_t to = 0;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (part = 0; part < parts; part++, to++) {
        const ptrdiff_t row = (ptrdiff_t)i * problem->n / n, column = (ptrdiff_t)j * problem->n / n;
        const ptrdiff_t from = (row * problem->ld + column) * parts + part;
        if (problem->integer)
          rank->entry[to] = problem->integer[from];
        else if (!permi_rank_split(problem->real[from], &rank->entry[to], &rank->shift[to]))
          return "has an entry that is not finite";
      }
  return rank->shift && !permi_rank_units(rank) ? "has doubles of too many bits for its rank" : NULL;
}

/* Whether a sample of lines has a larger rank modulo a prime, in microseconds. */
static int permi_rank_sampled(const permi_problem *problem)
{
  const permi_odd_modulus prime = permi_odd_modulus_of(PERMI_RANK_PRIME);
  int64_t entry[2 * PERMI_RANK_SAMPLE * PERMI_RANK_SAMPLE];
  uint64_t basis[(PERMI_RANK_MOST + 1) * PERMI_RANK_SAMPLE];
  int shift[2 * PERMI_RANK_SAMPLE * PERMI_RANK_SAMPLE], column[PERMI_RANK_MOST + 1], row[PERMI_RANK_MOST];
  permi_rank sample;
  memset(&sample, 0, sizeof sample);
  sample.n = PERMI_RANK_SAMPLE;
  sample.parts = problem->parts;
  sample.entry = entry;
  sample.shift = problem->integer ? NULL : shift;
  return permi_rank_read(problem, &sample) ||
         permi_rank_reduce(&sample, NULL, sample.n, &prime, permi_rank_root(&sample, &prime), basis, column, row) >
             PERMI_RANK_MOST;
}

/* The rank by all primes that the proof needs. basis: PERMI_RANK_MOST + 1 rows. */
static int permi_rank_proven(permi_rank *rank, uint64_t *basis)
{
  int column[PERMI_RANK_MOST + 1], row[PERMI_RANK_MOST], found = 0, k, most = 1;
  uint64_t above = UINT64_C(1) << 62;
  for (k = 0; k < most && !permi_watch(rank->watch, 0); k++) {
    permi_odd_modulus prime;
    int r;
    above = permi_prime_below(above, rank->parts == 2);
    prime = permi_odd_modulus_of(above);
    r = permi_rank_reduce(rank, NULL, rank->n, &prime, permi_rank_root(rank, &prime), basis, column, row);
    if (r > found || !k) {
      double minor;
      found = r;
      if (r > PERMI_RANK_MOST)
        return r;
      memcpy(rank->row, row, sizeof row);
      permi_rank_bound(rank, r + 1, &rank->bits, &minor);
      most = permi_primes_needed(minor * rank->parts);
    }
  }
  return found;
}

/* Words of signed integers below 2^bits; PERM_INTEGER_WORDS + 1: too many. */
PERMI_UNUSED static int permi_words_of_bits(double bits)
{
  return bits + 1 < 64 * PERM_INTEGER_WORDS ? (int)((bits + 1) / 64) + 1 : PERM_INTEGER_WORDS + 1;
}

/* C(n, k), or more than any size_t. */
static double permi_binomial(int n, int k)
{
  double c = 1;
  int i;
  for (i = 1; i <= k; i++)
    c = c * (n - k + i) / i;
  return k < 0 || k > n ? 0 : c;
}

/* Looks at an array: sets *plan if its rank is small, else *why, or stops. Returns 0 without memory. */
static int permi_rank_look(const permi_problem *problem, const perm_options *options, permi_control *watch,
                           permi_rank **plan, const char **why)
{
  const perm_allocator *allocator = &options->allocator;
  permi_pool pool = {allocator, NULL, 0};
  const int named = options->method == PERM_METHOD_LOW_RANK; /* any order, and zeros only */
  const size_t entries = (size_t)problem->n * (size_t)problem->n * (size_t)problem->parts;
  permi_rank *rank;
  uint64_t *basis;
  int found = 0, failed;
  *plan = NULL;
  *why = NULL;
  if (problem->n < PERMI_RANK_LEAST && !named)
    *why = "is too small for its rank to matter";
  else if (problem->m != problem->n || problem->n > PERM_MAX_LINES || problem->row_count || problem->column_count ||
           (!problem->real && !problem->integer) ||
           !permi_stride_fits(problem->m, problem->n, problem->ld, 8 * problem->parts))
    *why = "is no square array without counts";
  else if (problem->n && permi_rank_sampled(problem))
    *why = "has a rank over 4, as a sample of its lines shows";
  if (*why)
    return 1;
  rank = (permi_rank *)permi_pool_zeros(&pool, 1, sizeof *rank);
  basis = (uint64_t *)permi_allocate(allocator, (PERMI_RANK_MOST + 1) * (size_t)problem->n, sizeof *basis);
  if (rank) {
    rank->allocator = *allocator;
    rank->pool = pool;
    rank->watch = watch;
    rank->n = problem->n;
    rank->parts = problem->parts;
    rank->integer = problem->integer != NULL;
    rank->modulus = rank->integer ? options->modulus : 0;
    rank->entry = (int64_t *)permi_pool_get(&rank->pool, entries, sizeof(int64_t));
    if (!rank->integer)
      rank->shift = (int *)permi_pool_get(&rank->pool, entries, sizeof(int));
  }
  failed = !rank || !basis || rank->pool.failed;
  if (!failed)
    *why = permi_rank_read(problem, rank);
  if (!failed && !*why)
    found = permi_rank_proven(rank, basis);
  permi_release(allocator, basis);
  if (failed || *why || found > PERMI_RANK_MOST || found < !named ||
      permi_watch(watch, 0)) { /* what a stopped search found is unproved */
    if (!*why)
      *why = found < 1 ? "has only zeros" : "has a rank over 4";
    permi_rank_release(allocator, rank);
    return !failed;
  }
  rank->watch = NULL;
  rank->rank = found;
  rank->monomials = found ? permi_binomial(rank->n + found - 1, found - 1) : 1;
  if (!(rank->modulus & 1) || rank->parts == 2 || rank->modulus >= UINT64_C(1) << 62 || !permi_is_prime(rank->modulus))
    rank->primes = permi_primes_needed(rank->bits);
  *plan = rank;
  return 1;
}

/* ---- the run */
typedef struct permi_rank_run {
  const permi_rank *rank;
  permi_control *control;
  permi_odd_modulus *prime;
  uint64_t *residue[2]; /* of the parts, by prime */
  uint64_t *memory;     /* each for each thread */
  size_t each, terms;
  double seconds; /* of one prime */
  int stopped;    /* by any thread */
} permi_rank_run;

/* Thread 0 polls; others ask whether it stopped, and the clock, as it may have ended. */
static perm_status permi_rank_stop(permi_rank_run *run, int thread, double done)
{
  permi_control *control = run->control;
  int stopped = control && !thread ? (int)permi_control_poll(control, done, "low rank")
                : control && permi_seconds() >= control->deadline ? (int)PERM_STOPPED_TIME
                : control && control->options->cancel && *control->options->cancel ? (int)PERM_STOPPED_CANCELLED
                                                                                    : (int)PERM_OK;
  if (stopped != PERM_OK) {
    PERMI_OMP(atomic write)
    run->stopped = stopped;
  }
  PERMI_OMP(atomic read)
  stopped = run->stopped;
  return (perm_status)stopped;
}

/* Multiplies a polynomial of so many factors by u[3] z + u[2] y + u[1] x + u[0], u times 2^64. Highest exponents first:
   those below are still the old ones. */
static void permi_rank_multiply(uint64_t *polynomial, const int *extent, int factors, const uint64_t *u,
                                const permi_odd_modulus *given)
{
  const permi_odd_modulus prime = *given;
  const ptrdiff_t up = extent[0], far_up = up * extent[1];
  const int degree = factors + 1;
  int a, b, c;
  for (a = degree < extent[2] ? degree : extent[2] - 1; a >= 0; a--)
    for (b = degree - a < extent[1] ? degree - a : extent[1] - 1; b >= 0; b--) {
      uint64_t *at = polynomial + a * far_up + b * up;
      for (c = degree - a - b < extent[0] ? degree - a - b : extent[0] - 1; c >= 0; c--) {
        permi_wide t = permi_multiply_words(u[0], at[c]);
        if (c)
          t = permi_products_add(t, u[1], at[c - 1]);
        if (b)
          t = permi_products_add(t, u[2], at[c - up]);
        if (a)
          t = permi_products_add(t, u[3], at[c - far_up]);
        at[c] = permi_montgomery_reduce(t, &prime);
      }
    }
}

/* sum_k k! p_k q_k; factorial: times 2^64. */
static uint64_t permi_rank_sum(const uint64_t *p, const uint64_t *q, const int *extent, int n,
                               const uint64_t *factorial, const permi_odd_modulus *prime)
{
  uint64_t sum = 0;
  int a, b, c;
  for (a = 0; a < extent[2]; a++)
    for (b = 0; b < extent[1] && a + b <= n; b++) {
      const size_t at = ((size_t)a * (size_t)extent[1] + (size_t)b) * (size_t)extent[0];
      const uint64_t weight = permi_montgomery(factorial[a], factorial[b], prime);
      for (c = 0; c < extent[0] && a + b + c <= n; c++) {
        const uint64_t rest = permi_montgomery(factorial[c], factorial[n - a - b - c], prime);
        const uint64_t x = permi_montgomery(p[at + (size_t)c], permi_montgomery(rest, weight, prime), prime);
        const uint64_t y = permi_montgomery(q[at + (size_t)c], prime->square, prime);
        sum = permi_residue_add(sum, permi_montgomery(x, y, prime), 0, prime->p);
      }
    }
  return sum;
}

/* The permanent modulo a prime, if not stopped. A_i = sum_t A_i[column t] B_t for the reduced basis B. */
static uint64_t permi_rank_value(permi_rank_run *run, const permi_odd_modulus *prime, uint64_t root, uint64_t *memory,
                                 int thread, double done)
{
  const permi_rank *rank = run->rank;
  const int n = rank->n;
  uint64_t *polynomial[2], *basis, *factorial, u[4] = {0, 0, 0, 0};
  int extent[3] = {1, 1, 1}, column[PERMI_RANK_MOST + 1], row[PERMI_RANK_MOST], r, side, i, t;
  polynomial[0] = memory;
  polynomial[1] = memory + run->terms;
  basis = memory + 2 * run->terms;
  factorial = basis + (PERMI_RANK_MOST + 1) * (size_t)n;
  r = permi_rank_reduce(rank, rank->row, rank->rank, prime, root, basis, column, row);
  if (r < rank->rank) /* modulo this prime those rows depend */
    r = permi_rank_reduce(rank, NULL, n, prime, root, basis, column, row);
  for (t = 1; t < r; t++)
    extent[t - 1] = n + 1;
  for (factorial[0] = prime->one, i = 1; i <= n; i++)
    factorial[i] =
        permi_montgomery(factorial[i - 1], permi_montgomery((uint64_t)i % prime->p, prime->square, prime), prime);
  for (side = 0; side < 2; side++) {
    for (i = 0; i < extent[2]; i++) {
      const size_t plane = (size_t)extent[0] * (size_t)extent[1];
      if (permi_rank_stop(run, thread, done) != PERM_OK)
        return 0;
      memset(polynomial[side] + (size_t)i * plane, 0, plane * sizeof(uint64_t));
    }
    polynomial[side][0] = 1 % prime->p;
    for (i = 0; i < n; i++) {
      if (permi_rank_stop(run, thread, done + run->seconds * (side * n + i) / (2 * n)) != PERM_OK)
        return 0;
      for (t = 0; t < r; t++) {
        const uint64_t x = side ? basis[(size_t)t * (size_t)n + (size_t)i]
                                : permi_rank_entry(rank, (size_t)i * (size_t)n + (size_t)column[t], prime, root);
        u[t] = permi_montgomery(x, prime->square, prime);
      }
      permi_rank_multiply(polynomial[side], extent, i, u, prime);
    }
  }
  return r ? permi_rank_sum(polynomial[0], polynomial[1], extent, n, factorial, prime) : 0;
}

static perm_status permi_rank_prime(void *context, uint64_t part, int thread)
{
  permi_rank_run *run = (permi_rank_run *)context;
  const permi_odd_modulus *prime = &run->prime[part];
  uint64_t *memory = run->memory + (size_t)thread * run->each, value[2] = {0, 0};
  const uint64_t root = run->rank->parts == 2 ? permi_prime_root(prime) : 0;
  int k;
  for (k = 0; k < run->rank->parts; k++)
    value[k] = permi_rank_value(run, prime, permi_montgomery(k ? prime->p - root : root, prime->square, prime), memory,
                                thread, (double)part * run->seconds);
  run->residue[0][part] = value[0];
  if (run->rank->parts == 2)
    permi_residue_parts(value, root, prime, &run->residue[0][part], &run->residue[1][part]);
  return permi_rank_stop(run, thread, (double)(part + 1) * run->seconds);
}

/* Adds the parts of doubles: words that a sum does not hold count as lost. word: for two CRTs. */
#define PERMI_RANK_WORDS 64
static void permi_rank_doubles(const permi_rank_run *run, uint64_t *word, perm_partial *partial)
{
  const int words = run->rank->primes + 1;
  int part, negative[2], used = PERMI_RANK_WORDS, drop;
  for (part = 0; part < run->rank->parts; part++) {
    uint64_t *at = word + 3 * part * words;
    int k;
    negative[part] = permi_chinese_remainder(run->prime, run->residue[part], run->rank->primes, at, at + words);
    for (k = words; k > used && !at[k - 1]; k--)
      ;
    used = k > used ? k : used;
  }
  drop = used - PERMI_RANK_WORDS;
  for (part = 0; part < run->rank->parts; part++)
    permi_sum_add_integer(part ? &partial->imaginary : &partial->value, word + 3 * part * words + drop,
                          (words < used ? words : used) - drop, negative[part]);
  partial->exp2 = 64 * drop;
  partial->lost += drop ? 2 : 0;
}

static perm_status permi_rank_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_rank *rank = (const permi_rank *)leaf->context;
  const size_t runs = rank->primes ? (size_t)rank->primes : 1, n = (size_t)rank->n;
  const int threads = control && leaf->threaded ? permi_threads(control->options) : 1;
  permi_pool pool = {&rank->allocator, NULL, 0};
  permi_rank_run run;
  perm_partial mine;
  perm_status status;
  uint64_t *word;
  memset(&run, 0, sizeof run);
  memset(&mine, 0, sizeof mine);
  run.rank = rank;
  run.control = control;
  run.seconds = leaf->information.seconds / (double)runs;
  run.terms = rank->rank <= 1 ? 1 : rank->rank == 2 ? n + 1 : rank->rank == 3 ? (n + 1) * (n + 1)
                                                                                : (n + 1) * (n + 1) * (n + 1);
  run.each = 2 * run.terms + (PERMI_RANK_MOST + 1) * n + n + 1 + 8;
  run.prime = (permi_odd_modulus *)permi_pool_get(&pool, runs, sizeof *run.prime);
  run.residue[0] = (uint64_t *)permi_pool_get(&pool, 2 * runs, sizeof(uint64_t));
  run.memory = (uint64_t *)permi_pool_get(&pool, run.each * (size_t)threads, sizeof(uint64_t));
  word = (uint64_t *)permi_pool_get(&pool, 6 * (runs + 1), sizeof(uint64_t));
  status = pool.failed ? PERM_ERROR_MEMORY : PERM_OK;
  if (status == PERM_OK) {
    run.residue[1] = run.residue[0] + runs;
    if (rank->primes)
      permi_primes_choose(run.prime, runs, rank->parts == 2, 62);
    else
      run.prime[0] = permi_odd_modulus_of(rank->modulus);
    permi_share(threads, 0, runs, permi_rank_prime, &run, NULL);
    status = (perm_status)run.stopped;
  }
  if (status == PERM_OK && !rank->integer)
    permi_rank_doubles(&run, word, &mine);
  if (status == PERM_OK && rank->integer)
    status = permi_residues_sum(run.prime, run.residue[0], rank->primes, rank->modulus, word, &mine.value);
  if (status == PERM_OK && rank->integer && rank->parts == 2)
    status = permi_residues_sum(run.prime, run.residue[1], rank->primes, rank->modulus, word, &mine.imaginary);
  if (status == PERM_OK) {
    permi_sum_add(&partial->value, &mine.value);
    permi_sum_add(&partial->imaginary, &mine.imaginary);
    partial->exp2 = mine.exp2;
    partial->lost += mine.lost;
    partial->terms += rank->monomials * (double)runs * rank->parts;
  }
  permi_residues_too_long(status, control);
  permi_pool_release(&pool);
  return status;
}

static size_t permi_rank_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_rank *rank = (const permi_rank *)leaf->context;
  return permi_say(buffer, size,
                   "low rank, order %d: rank %d, proved; %.0f monomials modulo %d primes, at most %.0f "
                   "bits, predicted %.3g s\n",
                   rank->n, rank->rank, rank->monomials, rank->primes ? rank->primes : 1, rank->bits,
                   leaf->information.seconds);
}

static void permi_rank_price(const permi_rank *rank, permi_offer *offer)
{
  const double n = rank->n, primes = rank->primes ? rank->primes : 1, terms = pow(n + 1, rank->rank - 1);
  offer->seconds = primes * rank->parts *
                   (n * rank->monomials * PERMI_LOW_RANK_SECONDS / 3 + n * rank->rank * PERMI_TERMS_SECONDS);
  offer->bytes = 16 * terms + n * n * 12 * rank->parts + 100 * (n + primes);
}

static void permi_low_rank_begin(permi_leaf *leaf, void *context, int n, double work, double seconds, double bytes,
                                 uint64_t hash)
{
  memset(leaf, 0, sizeof *leaf);
  leaf->information.kind = PERM_LEAF_TASK;
  leaf->information.method = PERM_METHOD_LOW_RANK;
  leaf->information.isa = PERM_ISA_PLAIN;
  leaf->information.n = n;
  leaf->information.chunks = 1;
  leaf->information.work = work;
  leaf->information.seconds = seconds;
  leaf->information.bytes = bytes;
  leaf->information.fingerprint = hash;
  leaf->scale = permi_dd_make(1);
  leaf->context = context;
}

static void permi_rank_leaf(permi_rank *rank, double seconds, double bytes, permi_leaf *leaf)
{
  uint64_t hash = permi_hash(permi_hash(PERMI_HASH_START, rank->modulus), (uint64_t)rank->rank);
  size_t k;
  for (k = 0; k < (size_t)rank->n * (size_t)rank->n * (size_t)rank->parts; k++)
    hash = permi_hash(permi_hash(hash, (uint64_t)rank->entry[k]), rank->shift ? (uint64_t)rank->shift[k] : 0);
  permi_low_rank_begin(leaf, rank, rank->n, rank->monomials, seconds, bytes, hash);
  leaf->scale_exp2 = rank->exp2;
  leaf->integer = rank->integer;
  leaf->threaded = seconds >= PERMI_CHUNK_SECONDS / 10;
  leaf->run_task = permi_rank_task;
  leaf->explain = permi_rank_explain;
  leaf->release = permi_rank_release;
  if (!leaf->integer)
    leaf->bound_absolute = DBL_MIN; /* not 0: of an integer that is exact, 106 bits are kept */
}
/* SPDX-License-Identifier: MIT */
