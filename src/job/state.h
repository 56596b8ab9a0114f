/* ========================================================================================== >>state
   Finished work: for every leaf the sum of its finished chunks and their intervals [begin, end). 1. Intervals are
   sorted, not empty, and do not touch. 2. The partial holds their chunks, each once. A failure changes nothing. */
#pragma once
#include "job.h"

typedef struct permi_interval {
  uint64_t begin, end;
} permi_interval;

struct perm_state {
  perm_allocator allocator;
  int leaves;
  perm_partial *partial;
  permi_interval **interval;
  size_t *intervals;
};

PERM_API perm_status perm_state_create(const perm_job *job, perm_state **state)
{
  const size_t leaves = job ? (size_t)job->leaves : 0;
  perm_state *fresh;
  if (!job || !state)
    return PERM_ERROR_NULL;
  *state = NULL;
  fresh = (perm_state *)permi_allocate(&job->allocator, 1, sizeof *fresh);
  if (!fresh)
    return PERM_ERROR_MEMORY;
  memset(fresh, 0, sizeof *fresh);
  fresh->allocator = job->allocator;
  fresh->partial = (perm_partial *)permi_allocate(&job->allocator, leaves, sizeof *fresh->partial);
  fresh->interval = (permi_interval **)permi_allocate(&job->allocator, leaves, sizeof *fresh->interval);
  fresh->intervals = (size_t *)permi_allocate(&job->allocator, leaves, sizeof *fresh->intervals);
  if (!fresh->partial || !fresh->interval || !fresh->intervals) {
    perm_state_free(fresh);
    return PERM_ERROR_MEMORY;
  }
  fresh->leaves = job->leaves;
  memset(fresh->partial, 0, leaves * sizeof *fresh->partial);
  memset((void *)fresh->interval, 0, leaves * sizeof *fresh->interval);
  memset(fresh->intervals, 0, leaves * sizeof *fresh->intervals);
  *state = fresh;
  return PERM_OK;
}

PERM_API void perm_state_free(perm_state *state)
{
  perm_allocator allocator;
  int i;
  if (!state)
    return;
  allocator = state->allocator;
  for (i = 0; i < state->leaves; i++)
    permi_release(&allocator, state->interval[i]);
  permi_release(&allocator, state->partial);
  permi_release(&allocator, (void *)state->interval);
  permi_release(&allocator, state->intervals);
  permi_release(&allocator, state);
}

static perm_status permi_check_state(const perm_job *job, const perm_state *state, int argument, perm_result *result)
{
  int i;
  permi_result_clear(result);
  if (!job || !state)
    return permi_fail(result, PERM_ERROR_NULL, job ? argument : 1, "%s is NULL", job ? "state" : "job");
  if (state->leaves != job->leaves)
    return permi_fail(result, PERM_ERROR_STATE, argument, "state belongs to a job of %d leaves, not %d", state->leaves,
                      job->leaves);
  for (i = 0; i < job->leaves; i++)
    if (state->partial[i].chunks && state->partial[i].fingerprint != job->leaf[i].information.fingerprint)
      return permi_fail(result, PERM_ERROR_STATE, argument, "leaf %d of the state belongs to another matrix or plan",
                        i);
  return PERM_OK;
}

PERM_API perm_status perm_state_left(const perm_job *job, const perm_state *state, int leaf, uint64_t from,
                                     uint64_t *begin, uint64_t *end)
{
  uint64_t chunks;
  size_t i;
  if (!job || !state || !begin || !end)
    return PERM_ERROR_NULL;
  *begin = *end = 0;
  if (leaf < 0 || leaf >= job->leaves || leaf >= state->leaves)
    return PERM_ERROR_RANGE;
  chunks = job->leaf[leaf].information.chunks;
  for (i = 0; i < state->intervals[leaf] && state->interval[leaf][i].begin <= from; i++)
    from = state->interval[leaf][i].end > from ? state->interval[leaf][i].end : from;
  *begin = from < chunks ? from : chunks;
  *end = i < state->intervals[leaf] ? state->interval[leaf][i].begin : chunks;
  return PERM_OK;
}

/* *joined := the union, which fits. 0: they share *common. */
static int permi_intervals_join(const permi_interval *a, size_t of_a, const permi_interval *b, size_t of_b,
                                permi_interval *joined, size_t *count, permi_interval *common)
{
  size_t i = 0, j = 0, k = 0;
  while (i < of_a || j < of_b) {
    const permi_interval next = j == of_b || (i < of_a && a[i].begin <= b[j].begin) ? a[i++] : b[j++];
    if (k && next.begin < joined[k - 1].end) {
      common->begin = next.begin;
      common->end = next.end < joined[k - 1].end ? next.end : joined[k - 1].end;
      return 0;
    }
    if (k && next.begin == joined[k - 1].end)
      joined[k - 1].end = next.end;
    else
      joined[k++] = next;
  }
  *count = k;
  return 1;
}

typedef struct permi_finished { /* of a leaf */
  permi_interval *interval;
  size_t intervals;
  perm_partial partial;
} permi_finished;

static permi_finished permi_state_finished(const perm_state *state, int leaf)
{
  permi_finished finished;
  finished.interval = state->interval[leaf];
  finished.intervals = state->intervals[leaf];
  finished.partial = state->partial[leaf];
  return finished;
}

/* Puts what is finished of a leaf in place of what the state has. */
static void permi_state_put(perm_state *state, int leaf, const permi_finished *finished)
{
  permi_release(&state->allocator, state->interval[leaf]);
  state->interval[leaf] = finished->interval;
  state->intervals[leaf] = finished->intervals;
  state->partial[leaf] = finished->partial;
}

/* What the state has of a leaf, with `more` added, newly allocated. */
static perm_status permi_state_joined(const perm_state *state, int leaf, const permi_finished *more,
                                      permi_finished *both, perm_result *result)
{
  const permi_finished here = permi_state_finished(state, leaf);
  permi_interval common;
  perm_status status;
  *both = here;
  status = perm_partial_merge(&both->partial, &more->partial);
  if (status != PERM_OK)
    return permi_fail(result, status, 0, "partials of leaf %d belong to different jobs", leaf);
  both->interval =
      (permi_interval *)permi_allocate(&state->allocator, here.intervals + more->intervals, sizeof *both->interval);
  if (!both->interval)
    return permi_fail_memory(result);
  if (permi_intervals_join(here.interval, here.intervals, more->interval, more->intervals, both->interval,
                           &both->intervals, &common))
    return PERM_OK;
  permi_release(&state->allocator, both->interval);
  return permi_fail(result, PERM_ERROR_STATE, 0, "chunks %llu to %llu of leaf %d are there already",
                    (unsigned long long)common.begin, (unsigned long long)(common.end - 1), leaf);
}

PERM_API perm_status perm_state_add(const perm_job *job, perm_state *state, int leaf, uint64_t begin, uint64_t end,
                                    const perm_partial *partial, perm_result *result)
{
  permi_interval interval;
  permi_finished more, both;
  perm_status status = permi_check_state(job, state, 2, result);
  if (status != PERM_OK)
    return status;
  if (!partial)
    return permi_fail(result, PERM_ERROR_NULL, 6, "partial is NULL");
  if (leaf < 0 || leaf >= job->leaves || begin > end || end > job->leaf[leaf].information.chunks)
    return permi_fail(result, PERM_ERROR_RANGE, 3, "leaf %d has no chunks %llu to %llu", leaf,
                      (unsigned long long)begin, (unsigned long long)end);
  if (!permi_partial_covers(partial, begin, end) ||
      (begin < end && partial->fingerprint != job->leaf[leaf].information.fingerprint))
    return permi_fail(result, PERM_ERROR_STATE, 6, "partial is not of the chunks %llu to %llu of leaf %d",
                      (unsigned long long)begin, (unsigned long long)end, leaf);
  if (begin == end)
    return PERM_OK;
  interval.begin = begin;
  interval.end = end;
  more.interval = &interval;
  more.intervals = 1;
  more.partial = *partial;
  status = permi_state_joined(state, leaf, &more, &both, result);
  if (status == PERM_OK)
    permi_state_put(state, leaf, &both);
  return status;
}

PERM_API perm_status perm_state_merge(const perm_job *job, perm_state *into, const perm_state *from,
                                      perm_result *result)
{
  perm_state *joined = NULL, old;
  permi_finished both;
  perm_status status = permi_check_state(job, into, 2, result);
  int i;
  if (status == PERM_OK)
    status = permi_check_state(job, from, 3, result);
  if (status == PERM_OK && perm_state_create(job, &joined) != PERM_OK)
    status = permi_fail_memory(result);
  for (i = 0; status == PERM_OK && i < job->leaves; i++) {
    const permi_finished more = permi_state_finished(from, i);
    status = permi_state_joined(into, i, &more, &both, result);
    if (status == PERM_OK)
      permi_state_put(joined, i, &both);
  }
  if (status == PERM_OK) {
    old = *into;
    *into = *joined;
    *joined = old;
  }
  perm_state_free(joined);
  return status;
}

PERM_API perm_status perm_state_finish(const perm_job *job, const perm_state *state, perm_result *result)
{
  perm_status status;
  int i;
  if (!result)
    return PERM_ERROR_NULL;
  status = permi_check_state(job, state, 2, result);
  for (i = 0; status == PERM_OK && i < job->leaves; i++) {
    uint64_t begin, end;
    perm_state_left(job, state, i, 0, &begin, &end);
    if (begin < end)
      status = permi_fail(result, PERM_ERROR_STATE, 2, "chunks %llu to %llu of the %llu of leaf %d are missing",
                          (unsigned long long)begin, (unsigned long long)(end - 1),
                          (unsigned long long)job->leaf[i].information.chunks, i);
  }
  return status == PERM_OK ? perm_job_finish(job, state->partial, result) : status;
}

/* Part 1 .. parts of [0, chunks). The larger shares start at a different part for each leaf, lest part 1 get all
   tasks. */
static permi_interval permi_part_of(uint64_t chunks, int leaf, int part, int parts)
{
  const uint64_t each = chunks / (uint64_t)parts, rest = chunks % (uint64_t)parts;
  const uint64_t k = ((uint64_t)part - 1 + (uint64_t)leaf) % (uint64_t)parts;
  permi_interval share;
  share.begin = each * k + (k < rest ? k : rest);
  share.end = share.begin + each + (k < rest);
  return share;
}

static void permi_put(unsigned char *bytes, uint64_t number, int size)
{
  for (; size-- > 0; number >>= 8)
    *bytes++ = (unsigned char)(number & 255);
}

static uint64_t permi_get(const unsigned char *bytes, int size)
{
  uint64_t number = 0;
  while (size-- > 0)
    number = number << 8 | bytes[size];
  return number;
}

static void permi_put_double(unsigned char *bytes, double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  permi_put(bytes, bits, 8);
}

static int permi_get_int(const unsigned char *bytes)
{
  return (int)((int64_t)(permi_get(bytes, 4) ^ 0x80000000u) - INT64_C(0x80000000));
}

static double permi_get_double(const unsigned char *bytes)
{
  const uint64_t bits = permi_get(bytes, 8);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* A partial as bytes, numbers as in >>checkpoint:
     offset  bytes
          0      8  fingerprint of the leaf
          8      8  chunks
         16      8  indices
         24      8  squares
         32      8  exp2, two's complement, at most 2^60 in size: sums of a few do not overflow
         40      8  lost, a double
         48      8  terms, a double
         56    704  value: PERM_SUM_WORDS words
        760    704  imaginary
       1464    704  absolute
       2168         end: PERM_PARTIAL_BYTES */
PERM_API size_t perm_partial_encode(const perm_partial *partial, void *bytes, size_t size)
{
  const perm_sum *sum[3];
  unsigned char *to = (unsigned char *)bytes;
  int k, i;
  if (!partial || !bytes || size < PERM_PARTIAL_BYTES)
    return PERM_PARTIAL_BYTES;
  sum[0] = &partial->value;
  sum[1] = &partial->imaginary;
  sum[2] = &partial->absolute;
  permi_put(to, partial->fingerprint, 8);
  permi_put(to + 8, partial->chunks, 8);
  permi_put(to + 16, partial->indices, 8);
  permi_put(to + 24, partial->squares, 8);
  permi_put(to + 32, (uint64_t)partial->exp2, 8);
  permi_put_double(to + 40, partial->lost);
  permi_put_double(to + 48, partial->terms);
  for (k = 0; k < 3; k++)
    for (i = 0; i < PERM_SUM_WORDS; i++)
      permi_put(to + 56 + 8 * (k * PERM_SUM_WORDS + i), sum[k]->word[i], 8);
  return PERM_PARTIAL_BYTES;
}

PERM_API perm_status perm_partial_decode(const void *bytes, size_t size, perm_partial *partial)
{
  const unsigned char *from = (const unsigned char *)bytes;
  perm_sum *sum[3];
  uint64_t exp2;
  int k, i;
  if (!bytes || !partial)
    return PERM_ERROR_NULL;
  memset(partial, 0, sizeof *partial);
  if (size != PERM_PARTIAL_BYTES)
    return PERM_ERROR_FORMAT;
  sum[0] = &partial->value;
  sum[1] = &partial->imaginary;
  sum[2] = &partial->absolute;
  partial->fingerprint = permi_get(from, 8);
  partial->chunks = permi_get(from + 8, 8);
  partial->indices = permi_get(from + 16, 8);
  partial->squares = permi_get(from + 24, 8);
  exp2 = permi_get(from + 32, 8);
  partial->exp2 = exp2 >> 63 ? -(long long)(~exp2) - 1 : (long long)exp2;
  partial->lost = permi_get_double(from + 40);
  partial->terms = permi_get_double(from + 48);
  for (k = 0; k < 3; k++)
    for (i = 0; i < PERM_SUM_WORDS; i++)
      sum[k]->word[i] = permi_get(from + 56 + 8 * (k * PERM_SUM_WORDS + i), 8);
  if (partial->lost >= 0 && partial->terms >= 0 && partial->terms <= DBL_MAX &&
      partial->exp2 >= -(INT64_C(1) << 60) && partial->exp2 <= INT64_C(1) << 60)
    return PERM_OK;
  memset(partial, 0, sizeof *partial);
  return PERM_ERROR_FORMAT;
}
