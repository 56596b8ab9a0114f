/* ========================================================================================= >>several
   per(C + x_1 L_1 + ..), the degree in each variable cut: for all sets S of columns the permanents of the first |S|
   rows there, as sums over the columns of S, without signs: in doubles, beside moduli, or modulo primes below 2^62.
   THE BOUND, u = 2^-53: row i adds at most 2 (v + 1) i products to a part, and moduli are rounded thrice: a complex sum
   is wrong by sqrt(2) gamma(2 (v + 1) i + 6) times that of moduli, a coefficient by gamma of 3/2 the sum over rows, and
   of what is added at the end. What underflows, 2^-1074 a product, meets rows of (v + 1) n entries of at most 1. */
#pragma once
#include "circle.h"

#define PERMI_SEVERAL_LINES 30

typedef struct permi_several {
  int m, n, forms, planes; /* m <= n; forms: C, L_1, .. */
  size_t count;            /* coefficients */
  int *unit;               /* of forms: the exponent of the largest entry */
  size_t *step;            /* of forms: the distance of x_k; then periods */
  double *entry, least;    /* of row i, column j, form k: re, im, modulus, of at most 1; the least */
  uint64_t *residue;       /* re 2^64, im 2^64, modulo p */
  double *value;           /* of sets: re, im, moduli */
  uint64_t *word;          /* there, too: residues */
  permi_control *watch;
} permi_several;

/* to += c x_k from. */
static void permi_several_add(const permi_several *s, int k, const double *c, const double *from, double *to)
{
  const size_t count = s->count, period = s->step[s->forms + k], step = s->step[k];
  for (size_t base = 0; base < count; base += period)
    for (size_t t = base + step; t < base + period; t++) {
      const double *x = from + t - step;
      if (s->planes == 3) {
        to[t] += c[0] * x[0] - c[1] * x[count];
        to[t + count] += c[0] * x[count] + c[1] * x[0];
        to[t + 2 * count] += c[2] * x[2 * count];
      } else {
        to[t] += c[0] * x[0];
        to[t + count] += c[2] * x[count];
      }
    }
}

static void permi_several_add_residues(const permi_several *s, int k, const uint64_t *c, const uint64_t *from,
                                       uint64_t *to, const permi_odd_modulus *prime)
{
  const size_t count = s->count, period = s->step[s->forms + k], step = s->step[k];
  for (size_t base = 0; base < count; base += period)
    for (size_t t = base + step; t < base + period; t++)
      for (int part = 0; part < s->planes; part++)
        for (int other = 0; other < s->planes; other++) { /* i times i is -1 */
          uint64_t *y = to + (size_t)(part ^ other) * count + t;
          const uint64_t product = permi_montgomery(c[part], from[(size_t)other * count + t - step], prime);
          *y = permi_residue_add(*y, product, part & other, prime->p);
        }
}

/* The sum goes behind the sets. */
static perm_status permi_several_pass(permi_several *s, const permi_odd_modulus *prime)
{
  permi_control *watch = s->watch;
  const size_t size = s->count * (size_t)s->planes, sets = (size_t)1 << s->n, all = sets * size;
  memset(s->value, 0, size * sizeof *s->value);
  memset(s->value + all, 0, size * sizeof *s->value);
  if (prime)
    s->word[0] = 1;
  else
    s->value[0] = s->value[size - s->count] = 1;
  for (size_t set = s->m > 0; set < sets; set++) {
    const size_t to = set * size;
    const int row = permi_count_ones(set) - 1;
    if (row >= s->m)
      continue;
    if (set)
      memset(s->value + to, 0, size * sizeof *s->value);
    for (int j = 0; j < s->n; j++)
      for (int k = 0; k < s->forms && set >> j & 1; k++) {
        const size_t at = ((size_t)(row * s->n + j) * (size_t)s->forms + (size_t)k) * 3;
        const size_t from = (set ^ (size_t)1 << j) * size;
        if (prime && s->entry[at + 2] > 0)
          permi_several_add_residues(s, k, s->residue + at, s->word + from, s->word + to, prime);
        else if (s->entry[at + 2] > 0)
          permi_several_add(s, k, s->entry + at, s->value + from, s->value + to);
      }
    for (size_t t = 0; t < size && row == s->m - 1; t++)
      if (prime)
        s->word[all + t] = permi_residue_add(s->word[all + t], s->word[to + t], 0, prime->p);
      else
        s->value[all + t] += s->value[to + t];
    const double units = (row + 1.0) * s->forms * (double)size * (prime ? 4 : 1);
    watch->done += 1e-9 * units;
    if (permi_watch(watch, units))
      return watch->stopped;
  }
  return PERM_OK;
}

/* Of the transpose if m > n. Returns log2 of a bound on the sum of moduli. */
static double permi_several_fill(permi_several *s, const permi_pencil_call *call, const permi_odd_modulus *prime)
{
  const int by = call->m > call->n;
  double bits = 0;
  for (int k = 0; k < s->forms; k++) {
    double largest = 0;
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < s->m; i++)
        for (int j = 0; j < s->n; j++) {
          const size_t at = ((size_t)(i * s->n + j) * (size_t)s->forms + (size_t)k) * 3;
          double *to = s->entry + at;
          permi_cell cell;
          permi_side_entry(&call->side[0], k * call->m + (by ? j : i), (size_t)(by ? i : j), call->n, call->parts,
                           &cell);
          largest = fmax(largest, fmax(fabs(cell.real), fabs(cell.imaginary)));
          to[0] = call->integers ? cell.real : ldexp(cell.real, -s->unit[k]);
          to[1] = call->integers ? cell.imaginary : ldexp(cell.imaginary, -s->unit[k]);
          to[2] = hypot(to[0], to[1]);
          s->least = pass && cell.absolute > 0 && to[2] < s->least ? to[2] : s->least;
          for (int part = 0; part < 2 && prime; part++)
            s->residue[at + (size_t)part] = permi_montgomery(
                permi_residue_of(part ? cell.imaginary_integer : cell.integer, prime->p), prime->square, prime);
          s->unit[k] = largest > 0 ? permi_exponent(largest) + (call->parts == 2) : 0;
        }
  }
  for (int i = 0; i < s->m; i++) {
    double sum = 0;
    for (size_t t = 0; t < (size_t)s->n * (size_t)s->forms; t++)
      sum += s->entry[((size_t)(i * s->n) * (size_t)s->forms + t) * 3 + 2];
    bits += log2(fmax(sum, 1));
  }
  return bits * (1 + 1e-12) + 1e-9;
}

static void permi_several_doubles(const permi_several *s, const permi_pencil_call *call, double roundings, double lost)
{
  const int parts = call->parts;
  const double gamma = permi_gamma(roundings), *all = s->value + ((size_t)s->planes * s->count << s->n);
  for (size_t t = 0; t < s->count; t++) {
    const double moduli = all[(size_t)parts * s->count + t];
    long long unit = (long long)s->unit[0] * s->m;
    for (int k = 1; k < s->forms; k++)
      unit += (long long)(t % s->step[s->forms + k] / s->step[k]) * (s->unit[k] - s->unit[0]);
    for (int part = 0; part < parts; part++)
      call->values[t * (size_t)parts + (size_t)part] = permi_ldexp(all[(size_t)part * s->count + t], unit);
    call->bounds[t] = moduli > 0 || pow(s->least, s->m) < 1e-290 /* or underflowed */
                          ? permi_ldexp(gamma / (1 - gamma) * moduli + lost, unit) * (1 + 1e-9) + DBL_MIN : 0;
  }
}

static perm_status permi_several_integers(permi_several *s, permi_pencil *pencil, const permi_pencil_call *call,
                                          int primes)
{
  const size_t parts = (size_t)call->parts, words = (size_t)primes + 1, numbers = s->count * parts;
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_pool_get(&pencil->pool, words, sizeof *prime);
  uint64_t *residue = (uint64_t *)permi_pool_get(&pencil->pool, numbers * words + 2 * words, sizeof *residue);
  s->residue = (uint64_t *)permi_pool_get(&pencil->pool, (size_t)(s->m * s->n) * (size_t)s->forms * 3 + 1, 8);
  const uint64_t *all = s->word + ((parts * s->count) << s->n);
  perm_status status = pencil->pool.failed ? PERM_ERROR_MEMORY : PERM_OK;
  if (status == PERM_OK)
    permi_primes_choose(prime, (size_t)primes, 0, 62);
  for (int q = 0; q < primes && status == PERM_OK; q++) {
    permi_several_fill(s, call, &prime[q]);
    status = permi_several_pass(s, &prime[q]);
    for (size_t t = 0; t < numbers; t++)
      residue[t * (size_t)primes + (size_t)q] = all[t % parts * s->count + t / parts];
  }
  for (size_t t = 0; t < numbers && status == PERM_OK; t++)
    permi_chinese_integer(prime, residue + t * (size_t)primes, primes, residue + numbers * words, &call->integers[t]);
  return status;
}

static perm_status permi_several_compute(permi_pencil *pencil, permi_pencil_call *call)
{
  const int by = call->m > call->n, forms = call->forms, exact = call->integers != NULL;
  permi_several s = {by ? call->n : call->m, by ? call->m : call->n, forms, call->parts + !exact,
                     (size_t)call->degree + 1, NULL, NULL, NULL, 1, NULL, NULL, NULL, pencil->watch};
  const double most = pencil->options->max_bytes > 0 ? permi_max_bytes(pencil->options) : PERMI_DEFAULT_BYTES;
  const double bytes = (ldexp(1, s.n) + 1) * 8 * s.planes * (double)s.count;
  permi_pool *pool = &pencil->pool;
  double sets = 1, ways = 0, roundings = 0;
  if (s.n > PERMI_SEVERAL_LINES || bytes > most)
    return permi_fail(pencil->result, PERM_ERROR_LIMIT, 0, "polynomials in several variables: %s of sets, over %s",
                      permi_size_words(bytes).text, permi_size_words(most).text);
  for (int i = 1; i <= s.m; i++) {
    sets *= (s.n - i + 1.0) / i;
    ways += sets * i * forms;
    roundings += 1.5 * (2.0 * forms * i + 6);
  }
  s.unit = (int *)permi_pool_zeros(pool, (size_t)forms, sizeof(int));
  s.step = (size_t *)permi_pool_zeros(pool, 2 * (size_t)forms, sizeof(size_t));
  s.entry = (double *)permi_pool_get(pool, (size_t)(s.m * s.n) * (size_t)forms * 3 + 1, sizeof(double));
  s.value = (double *)permi_pool_get(pool, (((size_t)1 << s.n) + 1) * (size_t)s.planes * s.count, sizeof(double));
  if (pool->failed)
    return PERM_ERROR_MEMORY;
  s.word = (uint64_t *)(void *)s.value;
  s.step[forms] = s.count;
  for (int k = 1; k < forms; k++) {
    s.step[k] = k > 1 ? s.step[forms + k - 1] : 1;
    s.step[forms + k] = s.step[k] * ((size_t)call->cuts[k - 1] + 1);
  }
  const double bits = permi_several_fill(&s, call, NULL);
  const int primes = exact ? (int)((bits + 1) / 61.99) + 1 : 0;
  if (exact && bits > 64 * PERM_INTEGER_WORDS - 2)
    return permi_pencil_overflows(pencil, bits);
  pencil->result->method = PERM_METHOD_FRONTIER;
  pencil->result->terms = ways;
  perm_status status = permi_pencil_may(pencil, 1e-9 * ways * (double)s.count * s.planes * (exact ? 4 * primes : 1),
                                        PERM_OK);
  if (status == PERM_OK && exact)
    return permi_several_integers(&s, pencil, call, primes);
  if (status == PERM_OK)
    status = permi_several_pass(&s, NULL);
  if (status == PERM_OK)
    permi_several_doubles(&s, call, roundings + sets, ldexp(4 * ways * pow(forms * s.n, s.m), -1074));
  return status;
}
/* SPDX-License-Identifier: MIT */
