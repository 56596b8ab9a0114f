/* ======================================================================================= >>estimate
   Unbiased estimates.
     GLYNN [Gly10, Gur05]: for random signs z the mean of prod z_j prod_i (sum_j a_ij z_j) is the permanent. Lines are
     scaled to sums of squares of about 1, which lessens the spread.
     SINKHORN [Sin64, SB99]: entries >= 0, lines scaled to sum 1. Rows, fewest entries first, draw a free column with
     the chances of their entries; a sample is the product of their sums over free columns. A permutation has the chance
     of its product over that, so the mean is the permanent.
   Sample s is seeded with (seed, s), and blocks are added in order: threads change nothing. */
#pragma once
#include "../api/more_calls.h"
#include "../plan/compute.h"

#define PERMI_BLOCK_SAMPLES 256
#define PERMI_ESTIMATE_SWEEPS 100

/* splitmix64 */
static PERMI_ALWAYS_INLINE uint64_t permi_random(uint64_t *state)
{
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static double permi_random_uniform(uint64_t *state)
{
  return (double)(permi_random(state) >> 11) * (1.0 / 9007199254740992.0);
}

/* The largest sample sets the unit, 2^exp2. */
typedef struct permi_moments {
  double samples, value, imaginary, squares;
  int exp2;
} permi_moments;

typedef struct permi_sampler {
  int n, parts, signs;
  double most; /* log2 of the largest modulus of a sample, or INFINITY */
  uint64_t seed;
  const double *a;
  const int *order; /* of the rows */
  permi_control *watch;
  int *stop;              /* 1 once watch stops; NULL for short blocks */
  uint64_t block;
  double *rooms;          /* n a thread, doubles or ints */
  permi_moments *moments; /* of samples */
} permi_sampler;

/* Returns 1 to stop; `master`, the calling thread, asks `watch` for all. */
static int permi_sample_stop(const permi_sampler *sampler, int master, double units)
{
  int stopping;
  if (!sampler->stop)
    return 0;
  if (master && permi_watch(sampler->watch, units)) {
    PERMI_OMP(atomic write)
    *sampler->stop = 1;
  }
  PERMI_OMP(atomic read)
  stopping = *sampler->stop;
  return stopping;
}

static void permi_moments_raise(permi_moments *moments, int exp2)
{
  const int shift = permi_int_exponent((long long)moments->exp2 - exp2);
  moments->value = ldexp(moments->value, shift);
  moments->imaginary = ldexp(moments->imaginary, shift);
  moments->squares = ldexp(moments->squares, 2 * shift);
  moments->exp2 = exp2;
}

/* Chan, Golub and LeVeque's update. */
static void permi_moments_merge(permi_moments *into, const permi_moments *given)
{
  const double all = into->samples + given->samples, share = given->samples / all;
  permi_moments from = *given;
  if (into->samples == 0)
    into->exp2 = from.exp2;
  else if (into->exp2 < from.exp2)
    permi_moments_raise(into, from.exp2);
  else
    permi_moments_raise(&from, into->exp2);
  const double x = from.value - into->value, y = from.imaginary - into->imaginary;
  into->squares += from.squares + (x * x + y * y) * (into->samples * share);
  into->value += x * share;
  into->imaginary += y * share;
  into->samples = all;
}

/* 0 gets the least unit. */
static void permi_sample_normalise(permi_moments *sample)
{
  double largest = fmax(fabs(sample->value), fabs(sample->imaginary));
  const int e = permi_exponent(largest);
  if (largest > 1e-100 && largest < 1e100)
    return;
  sample->value = ldexp(sample->value, -e);
  sample->imaginary = ldexp(sample->imaginary, -e);
  sample->exp2 = largest == 0 ? INT_MIN / 2 : sample->exp2 + e;
}

static void permi_sample_signs(const permi_sampler *sampler, uint64_t state, int master, double *sign,
                               permi_moments *sample)
{
  const int n = sampler->n, parts = sampler->parts;
  uint64_t bits = 0;
  for (int j = 0; j < n; j++) {
    bits = j % 64 ? bits >> 1 : permi_random(&state);
    sign[j] = bits & 1 ? -1 : 1;
    sample->value *= sign[j];
  }
  for (int i = 0; i < n; i++) {
    const double *row = sampler->a + (size_t)sampler->order[i] * (size_t)(n * parts);
    double re[2] = {0, 0}, im = 0;
    if (parts == 1) {
      for (int j = 0; j + 1 < n; j += 2)
        for (int k = 0; k < 2; k++)
          re[k] += row[j + k] * sign[j + k];
      if (n & 1)
        re[0] += row[n - 1] * sign[n - 1];
      sample->value *= re[0] + re[1];
    } else {
      const double x = sample->value, y = sample->imaginary;
      for (int j = 0; j < n; j++) {
        re[0] += row[2 * j] * sign[j];
        im += row[2 * j + 1] * sign[j];
      }
      sample->value = x * re[0] - y * im;
      sample->imaginary = x * im + y * re[0];
    }
    permi_sample_normalise(sample);
    if ((sample->value == 0 && sample->imaginary == 0) || permi_sample_stop(sampler, master, 0.5 * n * parts))
      return;
  }
}

static void permi_sample_matching(const permi_sampler *sampler, uint64_t state, int master, int *column,
                                  permi_moments *sample)
{
  const int n = sampler->n;
  int i, j, free_columns = n;
  for (j = 0; j < n; j++)
    column[j] = j;
  for (i = 0; i < n && sample->value != 0 && !permi_sample_stop(sampler, master, 1.5 * n); i++) {
    const double *row = sampler->a + (size_t)sampler->order[i] * (size_t)n;
    double sum = 0, at;
    int last = -1;
    for (j = 0; j < free_columns; j++)
      sum += row[column[j]];
    sample->value *= sum;
    at = sum * permi_random_uniform(&state);
    for (j = 0; j < free_columns; j++) {
      const double entry = row[column[j]];
      if (entry > 0) { /* never of chance 0 */
        last = j;
        at -= entry;
        if (at < 0)
          break;
      }
    }
    if (last >= 0)
      column[last] = column[--free_columns];
    permi_sample_normalise(sample);
  }
}

static perm_status permi_sample_one(void *context, uint64_t s, int thread)
{
  const permi_sampler *sampler = (const permi_sampler *)context;
  const uint64_t state = permi_hash(permi_hash(PERMI_HASH_START, sampler->seed),
                                    sampler->block * PERMI_BLOCK_SAMPLES + s);
  double *room = sampler->rooms + (size_t)thread * (size_t)sampler->n;
  permi_moments sample = {1, 1, 0, 0, 0};
  if (permi_sample_stop(sampler, !thread, 0))
    return thread ? PERM_OK : sampler->watch->stopped;
  if (sampler->signs)
    permi_sample_signs(sampler, state, !thread, room, &sample);
  else
    permi_sample_matching(sampler, state, !thread, (int *)(void *)room, &sample);
  sampler->moments[s] = sample;
  return PERM_OK;
}

/* Scales lines by powers of two. Returns 0 if one is zero, -1 if an entry is too small beside others. shift: 2 n. */
static int permi_estimate_copy(const permi_view *view, int n, int parts, int *shift, double *a, long long *exp2,
                               permi_control *watch)
{
  memset(shift, 0, 2 * (size_t)n * sizeof *shift);
  for (int sweep = 0; sweep < 4; sweep++) {
    const int side = sweep & 1, *others = shift + (1 - side) * n;
    const ptrdiff_t line = side ? 1 : view->ld, along = side ? view->ld : 1;
    for (int i = 0; i < n; i++) {
      int largest = INT_MIN;
      if (permi_watch(watch, 8.0 * n * parts))
        return 1;
      for (int j = 0; j < n * parts; j++) {
        const double x = view->a[(i * line + j / parts * along) * view->parts + j % parts];
        const int e = x != 0 ? permi_exponent(x) - others[j / parts] : INT_MIN;
        largest = e > largest ? e : largest;
      }
      if (largest == INT_MIN)
        return 0;
      shift[side * n + i] = largest;
    }
  }
  for (int i = 0; i < n; i++)
    *exp2 += (long long)shift[i] + shift[n + i];
  for (int i = 0; i < n && !permi_watch(watch, 10.0 * n * parts); i++)
    for (int j = 0; j < n * parts; j++, a++) {
      const double x = view->a[((ptrdiff_t)i * view->ld + j / parts) * view->parts + j % parts];
      *a = ldexp(x, -(shift[i] + shift[n + j / parts]));
      if (x != 0 && fabs(*a) < 1e-280)
        return -1;
    }
  return 1;
}

static void permi_number_by(permi_number *a, double x, long long exp2)
{
  permi_number by;
  memset(&by, 0, sizeof by);
  by.value = permi_dd_make(x);
  by.exp2 = exp2;
  permi_number_multiply(a, &by);
}

/* Scales lines until moduli to the power p sum to 1 to `within`; *scale keeps the permanent. */
static void permi_sinkhorn(double *a, int n, int parts, int p, double within, permi_number *scale, permi_control *watch)
{
  for (int sweep = 0; sweep < (within < 1e-3 ? 10 : 1) * PERMI_ESTIMATE_SWEEPS; sweep++) {
    double moved = 0;
    for (int side = 0; side < 2; side++)
      for (int i = 0; i < n; i++) {
        const ptrdiff_t step = side ? (ptrdiff_t)n * parts : parts;
        double *line = a + (side ? (ptrdiff_t)i * parts : (ptrdiff_t)i * n * parts), sum = 0, largest = 0, factor;
        if (permi_watch(watch, 10.0 * n * parts))
          return;
        for (int j = 0; j < n; j++)
          largest = fmax(largest, fmax(fabs(line[j * step]), fabs(line[j * step + parts - 1])));
        for (int j = 0; j < n; j++) {
          double x = line[j * step] / largest, y = parts == 2 ? line[j * step + 1] / largest : 0;
          sum += p == 2 ? x * x + y * y : x;
        }
        factor = largest * (p == 2 ? sqrt(sum) : sum);
        for (int j = 0; j < n; j++)
          for (int k = 0; k < parts; k++)
            line[j * step + k] /= factor;
        permi_number_by(scale, factor, 0);
        moved = fmax(moved, sweep ? fabs(factor - 1) : 1);
      }
    if (moved < within)
      break;
  }
}

/* Rows, fewest entries first; entries has room for n. */
static void permi_estimate_order(const double *a, int n, int parts, int *order, int *entries, permi_control *watch)
{
  for (int i = 0; i < n && !permi_watch(watch, 4.0 * n * parts); i++) {
    int count = 0, k = i;
    for (int j = 0; j < n; j++)
      count += a[(i * n + j) * parts] != 0 || (parts == 2 && a[(i * n + j) * 2 + 1] != 0);
    for (; k > 0 && entries[k - 1] > count; k--) {
      entries[k] = entries[k - 1];
      order[k] = order[k - 1];
    }
    entries[k] = count;
    order[k] = i;
  }
}

/* Bounds log2 of the spectral norm by a root of the Frobenius norm of the Gram matrix' 256th power. Squarings are off
   by gamma_m sqrt(m) each, in all less than the last summand. room: 2 m^2, m = n parts; complex: real, of order 2 n. */
static double permi_estimate_norm(const double *a, int n, int parts, double *room, permi_control *watch)
{
  const int m = n * parts;
  double *from = room, *to = room + (size_t)m * (size_t)m, log2_norm = 0, weight = 0.5;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      const double *entry = a + (size_t)((i % n) * n + j % n) * (size_t)parts;
      from[(size_t)i * (size_t)m + (size_t)j] = i / n == j / n ? entry[0] : i / n ? entry[1] : -entry[1];
    }
  for (int round = 0; round < 9; round++, weight *= 0.5) {
    double sum = 0, *next = to;
    for (int i = 0; i < m && !permi_watch(watch, 0.7 * m * m); i++)
      for (int j = 0; j <= i; j++) { /* columns' products first, then symmetric squares */
        const size_t step = round ? 1 : (size_t)m;
        const double *x = from + (size_t)i * (round ? (size_t)m : 1), *y = from + (size_t)j * (round ? (size_t)m : 1);
        double dot = 0;
        for (int k = 0; k < m; k++)
          dot += x[(size_t)k * step] * y[(size_t)k * step];
        to[(size_t)i * (size_t)m + (size_t)j] = to[(size_t)j * (size_t)m + (size_t)i] = dot;
        sum += dot * dot * (i == j ? 1 : 2);
      }
    sum = sqrt(sum);
    if (!(sum > 1e-150) || watch->stopped != PERM_OK)
      return (double)INFINITY;
    log2_norm += weight * log2(sum);
    for (int i = 0; i < m * m; i++)
      to[i] /= sum;
    to = from;
    from = next;
  }
  return log2_norm + 1e-9;
}

/* The largest sample is at most the product of rows' sums of moduli, and a power of the norm. */
#define PERMI_ESTIMATE_NORM 256 /* chosen: above, the norm takes seconds */
static double permi_estimate_most(const double *a, int n, int parts, double *room, permi_control *watch)
{
  double rows = 0;
  for (int i = 0; i < n && !permi_watch(watch, 5.0 * n * parts); i++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += parts == 2 ? hypot(a[(i * n + j) * 2], a[(i * n + j) * 2 + 1]) : fabs(a[i * n + j]);
    rows += log2(sum * (1 + 2 * n * PERMI_UNIT));
  }
  rows += n * 1e-14;
  return room ? fmin(rows, n * permi_estimate_norm(a, n, parts, room, watch)) : rows;
}

/* `rounding` is that of a mean, relative to samples' root mean square: n products of sums of n
   entries >= 0, divided twice a sweep. Signed sums may cancel, so there it is no bound, but then samples differ by
   more. The k-th of `looks` whether to stop has 1 / (k (k + 1)) of the chance to err. */
static void permi_estimate_value(const permi_sampler *sampler, const permi_moments *moments, const permi_number *scale,
                                 double looks, perm_estimate *estimate)
{
  const double samples = moments->samples, parts = estimate->is_complex ? 2 : 1, most = sampler->most;
  const double rounding = PERMI_UNIT * sampler->n * (sampler->n + 2.0 + 2 * PERMI_ESTIMATE_SWEEPS);
  /* empirical Bernstein [AMS09]: a mean of samples in [-largest, largest] is off by more with chance delta */
  const double delta = (1 - estimate->confidence) / (parts * looks * (looks + 1)), logarithm = log(3 / delta);
  const double variance = moments->squares / samples;
  const double largest = permi_ldexp(exp2(most - floor(most)), (long long)fmin(floor(most), 1e6) - moments->exp2);
  double proved = (sqrt(2 * variance * logarithm / samples) + 6 * largest * logarithm / samples) * sqrt(parts);
  double error = sqrt(moments->squares / (samples - 1) / samples), low = 0, quantile = 40, rounded;
  permi_number number = *scale;
  for (int i = 0; i < 100; i++) { /* of a normal variable: erfc(quantile / sqrt 2) = 1 - confidence */
    const double middle = 0.5 * (low + quantile);
    *(erfc(middle * 0.7071067811865476) > 1 - estimate->confidence ? &low : &quantile) = middle;
  }
  permi_number_normalise(&number);
  number.exp2 += moments->value == 0 && moments->squares == 0 ? 0 : moments->exp2;
  /* equal samples still have rounding */
  error = fmax(error, 64 * PERMI_UNIT * hypot(moments->value, moments->imaginary));
  if (!(error <= DBL_MAX))
    error = (double)INFINITY;
  estimate->value = moments->value * number.value.hi;
  estimate->imaginary = moments->imaginary * number.value.hi;
  estimate->standard_error = error * fabs(number.value.hi);
  estimate->exp2 = number.exp2;
  if (estimate->is_complex) /* a circular normal variable reaches farther */
    quantile = fmax(quantile, sqrt(-log(1 - estimate->confidence)));
  if (error < (double)INFINITY && (estimate->value != 0 || estimate->imaginary != 0)) {
    int e = permi_exponent(fmax(fabs(estimate->value), fabs(estimate->imaginary)));
    if (number.exp2 + e > -900 && number.exp2 + e < 900)
      e = -(int)number.exp2;
    estimate->value = ldexp(estimate->value, -e);
    estimate->imaginary = ldexp(estimate->imaginary, -e);
    estimate->standard_error = ldexp(estimate->standard_error, -e);
    estimate->exp2 += e;
    proved *= ldexp(1, -e);
  }
  proved *= fabs(number.value.hi) * (1 + 1e-9);
  rounded = rounding * (hypot(estimate->value, estimate->imaginary) + sqrt(samples) * estimate->standard_error);
  proved += fmax(1e-9 * hypot(estimate->value, estimate->imaginary), rounded); /* for what samples round */
  estimate->proved_radius = proved <= DBL_MAX ? proved : (double)INFINITY;
  estimate->radius = quantile * estimate->standard_error + rounded;
  estimate->low = estimate->value - estimate->radius;
  estimate->high = estimate->value + estimate->radius;
  estimate->samples = samples;
}

#define PERMI_ESTIMATE_POLL 5e7
#define PERMI_ESTIMATE_TOGETHER 64 /* blocks */
#define PERMI_ESTIMATE_SAMPLES 65536.0 /* when nothing else stops */

/* Without a block *estimate stays as it is. */
PERMI_NEVER_INLINE static perm_status permi_estimate_run(permi_sampler *sampler, const perm_estimate_plan *plan,
                                                         const permi_number *scale, permi_moments *sample,
                                                         perm_estimate *estimate)
{
  permi_control *control = sampler->watch;
  const double most = plan->samples > 0                                                 ? plan->samples
                      : plan->relative_error > 0 || control->options->max_seconds > 0 ? 9e15
                                                                                        : PERMI_ESTIMATE_SAMPLES;
  const double units = (double)PERMI_BLOCK_SAMPLES * sampler->n * sampler->n + 1, limit = control->options->max_seconds;
  const double short_blocks = floor(PERMI_ESTIMATE_POLL / units);
  const double together = fmax(1, fmin(PERMI_ESTIMATE_TOGETHER, estimate->threads * short_blocks));
  uint64_t blocks = (uint64_t)ceil(most / PERMI_BLOCK_SAMPLES), done = 0, round = 4;
  double looks = 1;
  permi_moments moments = {0, 0, 0, 0, 0}, part;
  perm_status status = PERM_OK;
  int stop = 0, count, s;
  sampler->stop = units > PERMI_ESTIMATE_POLL ? &stop : NULL;
  sampler->moments = sample;
  control->work_total = (double)blocks;
  control->activity = "samples";
  while (done < blocks && status == PERM_OK) {
    sampler->block = done;
    count = (int)fmin((double)(blocks - done), together) * PERMI_BLOCK_SAMPLES;
    permi_share(estimate->threads, 0, (uint64_t)count, permi_sample_one, sampler, NULL);
    control->done = limit > 0 ? control->work_total * (permi_seconds() - control->start) / limit : 0;
    if (control->stopped != PERM_OK) {
      status = control->stopped;
      break;
    }
    memset(&part, 0, sizeof part);
    for (s = 0; s < count && done < blocks; s++) {
      permi_moments_merge(&part, &sample[s]);
      if ((s + 1) % PERMI_BLOCK_SAMPLES)
        continue;
      permi_moments_merge(&moments, &part);
      memset(&part, 0, sizeof part);
      done++;
      if (plan->relative_error > 0 && done >= round) { /* asks seldom: stopping at a lucky moment biases */
        permi_estimate_value(sampler, &moments, scale, looks++, estimate);
        if (estimate->standard_error <= plan->relative_error * hypot(estimate->value, estimate->imaginary) &&
            (estimate->standard_error > 0 || (double)done * PERMI_BLOCK_SAMPLES >= PERMI_ESTIMATE_SAMPLES))
          blocks = done;
        round = 2 * done;
      }
    }
    if (done < blocks)
      status = permi_control_poll(control, fmax(control->done, (double)done), control->activity);
  }
  if (!done)
    return status;
  permi_estimate_value(sampler, &moments, scale, looks, estimate);
  if (status == PERM_STOPPED_TIME && plan->samples == 0)
    status = PERM_OK;
  if (status == PERM_OK && plan->relative_error > 0 &&
      estimate->standard_error > plan->relative_error * hypot(estimate->value, estimate->imaginary))
    status = PERM_TOLERANCE_NOT_MET;
  return status;
}
/* SPDX-License-Identifier: MIT */
