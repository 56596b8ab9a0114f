/* ====================================================================================== >>rejection
   Estimates for entries >= 0 whose relative error is kept with a proved chance.
     Entries are in [0, 1]; r is the sum of a row's entries in free columns. The permanent is at most the product over
     rows of h(r) / e, h(r) = r + ln(r) / 2 + e - 1 from 1 on, 1 + (e - 1) r below. With one column assigned, its
     entries times the bounds of the rest sum up to no more [HL08]: columns draw rows with these chances, what is
     missing to 1 rejects, and a trial is accepted with chance permanent / bound [HRK21]. An exact programme over
     subsets of the first columns draws those, for a nearer bound.
     Each trial adds an exponential variable of mean 1 until k are accepted: the sum is Gamma(k) / chance, and k - 1
     over it estimates the chance [Hub17]. k follows from the error and its chance.
     Blocks of entries in perfect matchings are taken apart first; small ones are computed.
   Trial t is seeded with (seed, block, t); blocks are added in order. Chances are right to about n^2 u. */
#pragma once
#include "../sparse/sparse.h"
#include "estimate.h"

#define PERMI_REJECTION_MOST 2000   /* chosen: the tables take 28 n^2 bytes */
#define PERMI_REJECTION_COMPUTED 20 /* chosen: such blocks take a millisecond */
#define PERMI_REJECTION_TABLE 20    /* log2 of the numbers of the programme */
#define PERMI_REJECTION_SHARE 4 /* chosen: its steps over those of trials that are all accepted */
#define PERMI_REJECTION_TRIALS 64
#define PERMI_E 2.718281828459045
#define PERMI_RATHER_LEAST 0.1 /* chosen: computed, if in less */

typedef struct permi_rather {
  int n, guarantee;
  const permi_view *view;
  permi_control *watch;
  double asked, computed; /* seconds: of samples when asked last; of the permanent */
  perm_result *result;
} permi_rather;

/* Returns PERM_PART_DONE with the permanent in *result, PERM_OK if samples, of `seconds`, are sooner. */
static perm_status permi_rather_exact(permi_rather *rather, double seconds)
{
  const permi_view *view = rather->view;
  perm_options options = *rather->watch->options;
  const double limit = options.max_seconds, left = rather->watch->deadline - permi_seconds();
  perm_matrix matrix;
  perm_job *job;
  size_t at;
  int row;
  if (!rather->guarantee || view->parts == 2 || left <= 0 || rather->n > PERMI_REJECTION_MOST ||
      seconds < fmax(PERMI_RATHER_LEAST, 1.4 * rather->asked) ||
      perm_matrix_from_dense(rather->n, rather->n, view->a, view->ld, &options, &matrix, rather->result) != PERM_OK)
    return PERM_OK;
  rather->asked = seconds;
  options.certify = 1;
  options.tolerance = 1e-6;
  options.modulus = 0;
  options.precision = permi_matrix_integers(&matrix, &row, &at, rather->watch) ? PERM_PRECISION_EXACT
                                                                               : PERM_PRECISION_DEFAULT;
  options.max_seconds = fmin(seconds, left);
  perm_status status = perm_sparse_job(&matrix, &options, &job, rather->result);
  rather->computed = status == PERM_OK ? permi_job_seconds(job) : (double)INFINITY;
  perm_job_free(job);
  options.max_seconds = limit > 0 ? left : 0;
  if (rather->computed < seconds)
    status = perm_compute_sparse(&matrix, &options, rather->result);
  else if (status != PERM_STOPPED_CANCELLED)
    status = PERM_ERROR_LIMIT;
  perm_matrix_free(&matrix);
  return status == PERM_OK ? PERM_PART_DONE : status == PERM_TOLERANCE_NOT_MET || status < 0 ? PERM_OK : status;
}

typedef struct permi_rejection {
  int n, deep;
  uint64_t seed, first; /* the first trial of a round */
  double *a;
  double *ratio;  /* h of row i after column j, by before: [j n + i] */
  double *weight; /* a_ij e / h of row i after column j */
  double *table;  /* (n + 1) 2^deep: rows before i, columns taken */
  double *taken;  /* n (deep + 1): a row's factors, free at last */
  int *rooms;     /* n a thread */
  int *order;     /* of the columns */
  double *waited; /* of blocks of trials: exponentials, accepted ones */
  int *accepted;
} permi_rejection;

static double permi_rejection_h(double r)
{
  return r >= 1 ? r + 0.5 * log(r) + PERMI_E - 1 : 1 + (PERMI_E - 1) * fmax(r, 0);
}

/* Draws rows for the first columns; returns how many are free, in *row. */
static int permi_rejection_deep(const permi_rejection *r, uint64_t *state, int *row)
{
  const size_t size = (size_t)1 << r->deep;
  size_t mask = size - 1;
  int i, j, last, live = 0;
  for (i = r->n - 1; i >= 0; i--) {
    const double *before = r->table + (size_t)i * size, *factor = r->taken + (size_t)i * (size_t)(r->deep + 1);
    double at = permi_random_uniform(state) * before[size + mask] - before[mask] * factor[r->deep];
    last = -1;
    for (j = 0; j < r->deep && (at >= 0 || (last < 0 && before[mask] == 0)); j++)
      if (mask >> j & 1 && factor[j] > 0 && before[mask ^ (size_t)1 << j] > 0) {
        last = j;
        at -= before[mask ^ (size_t)1 << j] * factor[j];
      }
    if (last < 0)
      row[live++] = i;
    else
      mask ^= (size_t)1 << last;
  }
  return live;
}

/* Returns 1 if accepted; *waited grows by an exponential. */
static int permi_rejection_trial(const permi_rejection *r, uint64_t trial, int *row, double *waited)
{
  const int n = r->n;
  uint64_t state = permi_hash(permi_hash(PERMI_HASH_START, r->seed), trial);
  *waited -= log(1 - permi_random_uniform(&state));
  int live = permi_rejection_deep(r, &state, row), i, j;
  for (j = r->deep; j < n; j++) {
    const double *ratio = r->ratio + (size_t)j * (size_t)n, *weight = r->weight + (size_t)j * (size_t)n;
    double product[4] = {1, 1, 1, 1}, at = permi_random_uniform(&state), all;
    for (i = 0; i + 4 <= live; i += 4)
      for (int k = 0; k < 4; k++)
        product[k] *= ratio[row[i + k]];
    for (; i < live; i++)
      product[0] *= ratio[row[i]];
    all = (product[0] * product[1]) * (product[2] * product[3]);
    for (i = 0; i < live && at >= 0; i++)
      at -= weight[row[i]] * all;
    if (at >= 0)
      return 0;
    row[i - 1] = row[--live];
  }
  return 1;
}

static perm_status permi_rejection_block(void *context, uint64_t b, int thread)
{
  const permi_rejection *r = (const permi_rejection *)context;
  int *row = r->rooms + (size_t)thread * (size_t)r->n, t;
  r->waited[b] = 0;
  r->accepted[b] = 0;
  for (t = 0; t < PERMI_REJECTION_TRIALS; t++)
    r->accepted[b] += permi_rejection_trial(r, r->first + b * PERMI_REJECTION_TRIALS + (uint64_t)t, row, &r->waited[b]);
  return PERM_OK;
}

/* Returns the chance that Gamma(k) is above x, by a Poisson distribution. */
static double permi_gamma_above(double k, double x)
{
  double below = 1, above = 0, term = 1, i;
  for (i = k - 1; i > 0 && term > 1e-18 * below; i--)
    below += term *= i / x;
  for (i = k, term = x / k; term > 1e-18 * (above + term); term *= x / ++i)
    above += term;
  return below / (below + above);
}

static double permi_gamma_misses(double k, double epsilon)
{
  return 1 - permi_gamma_above(k, (k - 1) / (1 + epsilon)) + permi_gamma_above(k, (k - 1) / (1 - epsilon));
}

#define PERMI_REJECTION_ACCEPTED 1e9
/* Returns how many accepted trials miss an error of epsilon with chance delta, or INFINITY. */
static double permi_rejection_accepted(double epsilon, double delta)
{
  double low = 2, high = 4, middle;
  while (permi_gamma_misses(high, epsilon) > delta)
    if ((high *= 2) > PERMI_REJECTION_ACCEPTED)
      return (double)INFINITY;
  while (high - low > 1) {
    middle = floor(0.5 * (low + high));
    *(permi_gamma_misses(middle, epsilon) > delta ? &low : &high) = middle;
  }
  return high;
}

/* Draws until k trials are accepted; *chance estimates theirs. */
static perm_status permi_rejection_run(permi_rejection *r, permi_rather *rather, double k, int threads, double *chance,
                                       double *trials)
{
  permi_control *watch = rather->watch;
  const double block = PERMI_TRIAL_SECONDS * PERMI_REJECTION_TRIALS * r->n * r->n;
  double waited[64], sum = 0, accepted = 0;
  int count[64], b, t, together = (int)fmin(64, threads * fmax(1, floor(1e-9 * PERMI_ESTIMATE_POLL / block)));
  perm_status status = PERM_OK;
  r->waited = waited;
  r->accepted = count;
  for (r->first = 0; status == PERM_OK; r->first += (uint64_t)together * PERMI_REJECTION_TRIALS) {
    permi_share(threads, 0, (uint64_t)together, permi_rejection_block, r, NULL);
    for (b = 0; b < together && status == PERM_OK; b++) {
      const uint64_t blocks = r->first / PERMI_REJECTION_TRIALS + (uint64_t)b + 1;
      if (accepted + count[b] >= k) { /* trial by trial, as it ends in this block */
        const uint64_t begin = r->first + (uint64_t)b * PERMI_REJECTION_TRIALS;
        for (t = 0; accepted < k; t++)
          accepted += permi_rejection_trial(r, begin + (uint64_t)t, r->rooms, &sum);
        *chance = (k - 1) / sum;
        *trials += (double)begin + t;
        watch->work_before++;
        return PERM_OK;
      }
      sum += waited[b];
      accepted += count[b];
      if (!(blocks & (blocks - 1))) /* of any threads */
        status = permi_rather_exact(rather, block * k * (double)blocks / (accepted + 1));
    }
    if (status == PERM_OK)
      status = permi_control_poll(watch, accepted / k, "samples");
  }
  *trials += (double)r->first;
  return status;
}

/* Orders columns, large entries first, and makes the bounds of rows. */
static void permi_rejection_rows(permi_rejection *work, permi_number *scale)
{
  const int n = work->n;
  double *a = work->a, *key = work->ratio;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    int k = j;
    for (int i = 0; i < n; i++)
      sum += a[i * n + j] * a[i * n + j];
    for (; k > 0 && key[k - 1] < sum; k--) {
      key[k] = key[k - 1];
      work->order[k] = work->order[k - 1];
    }
    key[k] = sum;
    work->order[k] = j;
  }
  for (int i = 0; i < n; i++) {
    double largest = 0, sum = 0, *row = a + (size_t)i * (size_t)n;
    memcpy(key, row, (size_t)n * sizeof *key);
    for (int j = 0; j < n; j++)
      largest = fmax(largest, key[j]);
    for (int j = 0; j < n; j++)
      sum += row[j] = key[work->order[j]] / largest;
    permi_number_by(scale, largest * (permi_rejection_h(sum) / PERMI_E), 0);
  }
}

/* Returns the programme's bound over that of the rows. */
static double permi_rejection_tables(const permi_rejection *work)
{
  const int n = work->n, deep = work->deep;
  const size_t size = (size_t)1 << deep;
  for (int i = 0; i < n; i++) {
    const double *row = work->a + (size_t)i * (size_t)n;
    double *factor = work->taken + (size_t)i * (size_t)(deep + 1), rest = 0, h = permi_rejection_h(0), before;
    for (int j = n - 1; j >= 0; j--, h = before) {
      work->weight[(size_t)j * (size_t)n + (size_t)i] = row[j] * PERMI_E / h;
      if (j == deep - 1)
        factor[deep] = h;
      rest += row[j];
      before = permi_rejection_h(rest);
      work->ratio[(size_t)j * (size_t)n + (size_t)i] = h / before;
    }
    for (int j = 0; j < deep; j++)
      factor[j] = row[j] * PERMI_E / h;
    factor[deep] = deep ? factor[deep] / h : 1;
  }
  memset(work->table, 0, size * sizeof(double));
  work->table[0] = 1;
  for (int i = 0; i < n; i++) {
    const double *before = work->table + (size_t)i * size, *factor = work->taken + (size_t)i * (size_t)(deep + 1);
    double *now = work->table + (size_t)(i + 1) * size;
    for (size_t mask = 0; mask < size; mask++)
      now[mask] = before[mask] * factor[deep];
    for (int j = 0; j < deep; j++)
      for (size_t mask = 0; factor[j] > 0 && mask < size; mask++)
        if (mask >> j & 1)
          now[mask] += before[mask ^ (size_t)1 << j] * factor[j];
  }
  return work->table[(size_t)n * size + size - 1];
}

/* Returns the logarithm of the product of (1 - a_ij)^(1 - a_ij), or -INFINITY: at most the permanent if lines sum to 1
   [Sch98, Gur11]. If they are off by `off`, a tree of entries carries that, at most 2 n off each, which moves the
   logarithm by at most 3 + ln(1 / least entry) times that. */
static double permi_rejection_floor(const double *a, int n)
{
  double off = 0, least = 1, sum = 0;
  for (int i = 0; i < n; i++) {
    double row = 0, column = 0;
    for (int j = 0; j < n; j++) {
      const double x = a[i * n + j];
      row += x;
      column += a[j * n + i];
      if (x > 0)
        least = fmin(least, x);
      if (x > 0 && x < 1)
        sum += (1 - x) * log1p(-x);
    }
    off = fmax(off, fmax(fabs(row - 1), fabs(column - 1)));
  }
  off += 2 * n * PERMI_UNIT;
  return 4.0 * n * off < least ? sum - 8.0 * n * n * off * (3 - log(least)) : -(double)INFINITY;
}

/* mate[i] is the column of row i, owner[j] the row of column j. */
typedef struct permi_pairing {
  const double *a; /* n x n x parts */
  int n, parts, *mate, *owner, *block, *mark, *queue;
  permi_control *watch;
} permi_pairing;

static int permi_pairing_entry(const permi_pairing *pairing, int i, int j)
{
  const double *entry = pairing->a + ((size_t)i * (size_t)pairing->n + (size_t)j) * (size_t)pairing->parts;
  return entry[0] != 0 || (pairing->parts == 2 && entry[1] != 0);
}

/* Returns 0 without a perfect matching. integers: 5 n. */
static int permi_rejection_match(permi_pairing *pairing, const double *a, int n, int parts, int *integers,
                                 permi_control *watch)
{
  const permi_pairing made = {a, n, parts, integers, integers + n, integers + 2 * n, integers + 3 * n, integers + 4 * n,
                              watch};
  int *mate = made.mate, *owner = made.owner, *from = made.mark, *queue = made.queue;
  *pairing = made;
  for (int i = 0; i < n; i++)
    mate[i] = owner[i] = -1;
  for (int start = 0; start < n && !permi_watch(watch, 2.0 * n); start++) {
    int end = -1;
    for (int j = 0; j < n; j++)
      from[j] = -1;
    queue[0] = start;
    for (int head = 0, tail = 1; head < tail && end < 0 && !permi_watch(watch, 1.0 * n); head++)
      for (int i = queue[head], j = 0; j < n && end < 0; j++)
        if (from[j] < 0 && permi_pairing_entry(pairing, i, j)) {
          from[j] = i;
          if (owner[j] < 0)
            end = j;
          else
            queue[tail++] = owner[j];
        }
    if (end < 0)
      return watch->stopped != PERM_OK;
    for (int j = end, next; j >= 0; j = next) {
      const int i = from[j];
      next = mate[i];
      owner[j] = i;
      mate[i] = j;
    }
  }
  return 1;
}

/* Strong components are numbered as rows come; entries outside are in no perfect matching. Returns 0 without memory. */
static int permi_rejection_blocks(permi_pairing *pairing, permi_pool *pool)
{
  const int n = pairing->n;
  const size_t all = (size_t)n;
  size_t *start = (size_t *)permi_pool_get(pool, 2 * all + 1, sizeof *start), used = 0;
  int *column = (int *)permi_pool_get(pool, all * all + 4 * all, sizeof *column), *number = pairing->mark;
  int *component = pairing->queue, blocks = 0, i, j;
  if (pool->failed)
    return 0;
  for (i = 0; i < n; i++) {
    start[i] = used;
    number[i] = -1;
    for (j = 0; j < n; j++)
      if (permi_pairing_entry(pairing, i, j))
        column[used++] = j;
  }
  start[n] = used;
  permi_watch(pairing->watch, 2.0 * n * n);
  permi_components(n, start, column, pairing->owner, component, column + used, start + n + 1, pairing->watch);
  for (i = 0; i < n && pairing->watch->stopped == PERM_OK; i++) {
    if (number[component[i]] < 0)
      number[component[i]] = blocks++;
    pairing->block[i] = number[component[i]];
  }
  return blocks;
}

/* floor and top are logarithms of certain bounds. */
typedef struct permi_rejection_call {
  permi_control *watch;
  const perm_options *options;
  uint64_t seed;
  double delta, accepted, trials, floor, top;
  int threads, drawn; /* drawn: blocks so far */
  permi_rather *rather;
} permi_rejection_call;

static double permi_number_log(const permi_number *number)
{
  permi_number x = *number;
  permi_number_normalise(&x);
  return log(x.value.hi) + (double)x.exp2 * log(2);
}

/* *scale takes the permanent, floor and top what is certain. */
static perm_status permi_rejection_one(permi_rejection_call *call, permi_rejection *r, permi_number *scale)
{
  const int n = r->n;
  permi_number own = permi_number_one();
  double bound, chance = 1;
  perm_status status = PERM_OK;
  perm_result result;
  permi_sinkhorn(r->a, n, 1, 1, 1e-13, &own, call->watch);
  if (n <= PERMI_REJECTION_COMPUTED) {
    perm_options options; /* samples know few of the caller's */
    memset(&options, 0, sizeof options);
    options.allocator = call->options->allocator;
    options.threads = call->threads;
    status = perm_compute_real(n, n, r->a, n, &options, &result);
    permi_number_by(&own, result.value, result.exp2);
    permi_number_multiply(scale, &own);
    call->floor += permi_number_log(&own);
    call->top += permi_number_log(&own);
    return status;
  }
  call->floor += permi_number_log(&own) + permi_rejection_floor(r->a, n);
  permi_rejection_rows(r, &own);
  r->seed = permi_hash(permi_hash(PERMI_HASH_START, call->seed), (uint64_t)call->drawn++);
  for (r->deep = 0; r->deep < n && (n + 1.0) * ldexp(2, r->deep) <= ldexp(1, PERMI_REJECTION_TABLE) &&
                    ldexp(r->deep + 2, r->deep + 1) <= PERMI_REJECTION_SHARE * call->accepted * n;)
    r->deep++;
  bound = permi_rejection_tables(r);
  call->top += permi_number_log(&own) + log(bound);
  status = call->watch->stopped;
  if (status == PERM_OK)
    status = permi_rejection_run(r, call->rather, call->accepted, call->threads, &chance, &call->trials);
  permi_number_by(&own, bound * chance, 0);
  permi_number_multiply(scale, &own);
  return status;
}

static perm_status permi_rejection_estimate(permi_pairing *pairing, double epsilon, permi_rejection_call *call,
                                            permi_pool *pool, permi_number *scale)
{
  const int n = pairing->n, blocks = permi_rejection_blocks(pairing, pool);
  const size_t all = (size_t)n, square = all * all, table = ((size_t)1 << PERMI_REJECTION_TABLE) + all + 1;
  permi_rejection work;
  int large = 0, b, i, j, k;
  perm_status status = call->watch->stopped;
  work.order = pairing->queue;
  work.a = (double *)permi_pool_get(pool, square, sizeof(double));
  work.ratio = (double *)permi_pool_get(pool, square + 1, sizeof(double));
  work.weight = (double *)permi_pool_get(pool, square + 1, sizeof(double));
  work.table = (double *)permi_pool_get(pool, table, sizeof(double));
  work.taken = (double *)permi_pool_get(pool, all * (PERMI_REJECTION_TABLE + 1), sizeof(double));
  work.rooms = (int *)permi_pool_get(pool, all * (size_t)call->threads, sizeof(int));
  if (status != PERM_OK || pool->failed)
    return status != PERM_OK ? status : PERM_ERROR_MEMORY;
  for (b = 0; b < blocks; b++) {
    for (i = k = 0; i < n; i++)
      k += pairing->block[i] == b;
    large += k > PERMI_REJECTION_COMPUTED;
  }
  call->watch->work_total = large;
  if (large) /* errors multiply, chances add up */
    call->accepted = permi_rejection_accepted(large == 1 ? epsilon : expm1(log1p(epsilon) / large),
                                              call->delta / large);
  if (call->accepted == (double)INFINITY)
    return PERM_ERROR_LIMIT;
  if (large)
    status = permi_rather_exact(call->rather, PERMI_RATHER_LEAST + PERMI_TRIAL_SECONDS * n * n * call->accepted);
  for (b = 0; b < blocks && status == PERM_OK && call->watch->stopped == PERM_OK; b++) {
    double *to = work.a;
    int *row = pairing->mark;
    work.n = 0;
    for (i = 0; i < n; i++)
      if (pairing->block[i] == b)
        row[work.n++] = i;
    for (i = 0; i < work.n; i++)
      for (j = 0; j < work.n; j++)
        *to++ = pairing->a[(size_t)row[i] * (size_t)n + (size_t)pairing->mate[row[j]]];
    status = permi_rejection_one(call, &work, scale);
  }
  return status != PERM_OK ? status : call->watch->stopped;
}
/* SPDX-License-Identifier: MIT */
