/* ========================================================================================== >>state
   Finished work: for each leaf intervals [begin, end) of chunks, sorted, not empty, not touching, and the partial with
   each chunk once. A failure changes nothing. */
#pragma once
#include "job.h"

typedef struct permi_interval {
  uint64_t begin, end;
} permi_interval;

typedef struct permi_intervals {
  permi_interval *list;
  size_t count;
} permi_intervals;

struct perm_state {
  perm_allocator allocator;
  int leaves;
  perm_partial *partial; /* by leaf */
  permi_intervals *finished;
};

PERM_API perm_status perm_state_create(const perm_job *job, perm_state **state)
{
  const size_t leaves = job ? (size_t)job->leaves : 0;
  if (!job || !state)
    return PERM_ERROR_NULL;
  *state = NULL;
  perm_state *fresh = (perm_state *)permi_allocate_zeros(&job->allocator, 1, sizeof *fresh);
  if (!fresh)
    return PERM_ERROR_MEMORY;
  fresh->allocator = job->allocator;
  fresh->partial = (perm_partial *)permi_allocate_zeros(&job->allocator, leaves, sizeof *fresh->partial);
  fresh->finished = (permi_intervals *)permi_allocate_zeros(&job->allocator, leaves, sizeof *fresh->finished);
  if (!fresh->partial || !fresh->finished) {
    perm_state_free(fresh);
    return PERM_ERROR_MEMORY;
  }
  fresh->leaves = job->leaves;
  *state = fresh;
  return PERM_OK;
}

PERM_API void perm_state_free(perm_state *state)
{
  if (!state)
    return;
  perm_allocator allocator = state->allocator;
  for (int i = 0; i < state->leaves; i++)
    permi_release(&allocator, state->finished[i].list);
  permi_release(&allocator, state->partial);
  permi_release(&allocator, state->finished);
  permi_release(&allocator, state);
}

static perm_status permi_check_state(const perm_job *job, const perm_state *state, int argument, perm_result *result)
{
  permi_result_clear(result);
  if (!job || !state)
    return permi_fail(result, PERM_ERROR_NULL, job ? argument : 1, "%s is NULL", job ? "state" : "job");
  if (state->leaves != job->leaves)
    return permi_fail(result, PERM_ERROR_STATE, argument, "state belongs to a job of %d leaves, not %d", state->leaves,
                      job->leaves);
  for (int i = 0; i < job->leaves; i++)
    if (state->partial[i].chunks && state->partial[i].fingerprint != job->leaf[i].information.fingerprint)
      return permi_fail(result, PERM_ERROR_STATE, argument, "leaf %d of the state belongs to another matrix or plan",
                        i);
  return PERM_OK;
}

PERM_API perm_status perm_state_left(const perm_job *job, const perm_state *state, int leaf, uint64_t from,
                                     uint64_t *begin, uint64_t *end)
{
  size_t i;
  if (!job || !state || !begin || !end)
    return PERM_ERROR_NULL;
  *begin = *end = 0;
  if (leaf < 0 || leaf >= job->leaves || leaf >= state->leaves)
    return PERM_ERROR_RANGE;
  const uint64_t chunks = job->leaf[leaf].information.chunks;
  const permi_intervals *finished = &state->finished[leaf];
  for (i = 0; i < finished->count && finished->list[i].begin <= from; i++)
    from = finished->list[i].end > from ? finished->list[i].end : from;
  *begin = from < chunks ? from : chunks;
  *end = i < finished->count ? finished->list[i].begin : chunks;
  return PERM_OK;
}

/* Puts the union into joined->list; returns 0 if they share *common. */
static int permi_intervals_join(const permi_intervals *a, const permi_intervals *b, permi_intervals *joined,
                                permi_interval *common)
{
  size_t i = 0, j = 0, k = 0;
  while (i < a->count || j < b->count) {
    const permi_interval next = j == b->count || (i < a->count && a->list[i].begin <= b->list[j].begin) ? a->list[i++]
                                                                                                        : b->list[j++];
    permi_interval *last = k ? &joined->list[k - 1] : NULL;
    if (last && next.begin < last->end) {
      common->begin = next.begin;
      common->end = next.end < last->end ? next.end : last->end;
      return 0;
    }
    if (last && next.begin == last->end)
      last->end = next.end;
    else
      joined->list[k++] = next;
  }
  joined->count = k;
  return 1;
}

/* Adds `more` to what the state has of a leaf: *both, newly allocated, and *sum. */
static perm_status permi_state_joined(const perm_state *state, int leaf, const permi_intervals *more,
                                      const perm_partial *partial, permi_intervals *both, perm_partial *sum,
                                      perm_result *result)
{
  const permi_intervals *here = &state->finished[leaf];
  permi_interval common;
  *sum = state->partial[leaf];
  const perm_status status = perm_partial_merge(sum, partial);
  if (status != PERM_OK)
    return permi_fail(result, status, 0, "partials of leaf %d belong to different jobs", leaf);
  both->list = (permi_interval *)permi_allocate(&state->allocator, here->count + more->count, sizeof *both->list);
  if (!both->list)
    return permi_fail_memory(result);
  if (permi_intervals_join(here, more, both, &common))
    return PERM_OK;
  permi_release(&state->allocator, both->list);
  both->list = NULL;
  return permi_fail(result, PERM_ERROR_STATE, 0, "chunks %llu to %llu of leaf %d are there already",
                    (unsigned long long)common.begin, (unsigned long long)(common.end - 1), leaf);
}

static perm_status permi_state_put(perm_state *state, int leaf, uint64_t begin, uint64_t end,
                                   const perm_partial *partial, perm_result *result)
{
  permi_interval interval = {begin, end};
  permi_intervals more = {&interval, 1}, both;
  perm_partial sum;
  const perm_status status = permi_state_joined(state, leaf, &more, partial, &both, &sum, result);
  if (status != PERM_OK)
    return status;
  permi_release(&state->allocator, state->finished[leaf].list);
  state->finished[leaf] = both;
  state->partial[leaf] = sum;
  return PERM_OK;
}

PERM_API perm_status perm_state_add(const perm_job *job, perm_state *state, int leaf, uint64_t begin, uint64_t end,
                                    const perm_partial *partial, perm_result *result)
{
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
  return begin == end ? PERM_OK : permi_state_put(state, leaf, begin, end, partial, result);
}

PERM_API perm_status perm_state_merge(const perm_job *job, perm_state *into, const perm_state *from,
                                      perm_result *result)
{
  perm_state *joined = NULL, old;
  perm_status status = permi_check_state(job, into, 2, result);
  if (status == PERM_OK)
    status = permi_check_state(job, from, 3, result);
  if (status == PERM_OK && perm_state_create(job, &joined) != PERM_OK)
    status = permi_fail_memory(result);
  for (int i = 0; status == PERM_OK && i < job->leaves; i++)
    status = permi_state_joined(into, i, &from->finished[i], &from->partial[i], &joined->finished[i],
                                &joined->partial[i], result);
  if (status == PERM_OK) {
    old = *into;
    *into = *joined;
    *joined = old;
  }
  perm_state_free(joined);
  return status;
}

static perm_status permi_state_finish(const perm_job *job, const perm_state *state, perm_state *strike,
                                      permi_control *watch, perm_result *result)
{
  if (!result)
    return PERM_ERROR_NULL;
  perm_status status = permi_check_state(job, state, 2, result);
  for (int i = 0; status == PERM_OK && i < job->leaves; i++) {
    uint64_t begin = 0, end = 0;
    perm_state_left(job, state, i, 0, &begin, &end);
    if (begin < end)
      status = permi_fail(result, PERM_ERROR_STATE, 2, "chunks %llu to %llu of the %llu of leaf %d are missing",
                          (unsigned long long)begin, (unsigned long long)(end - 1),
                          (unsigned long long)job->leaf[i].information.chunks, i);
  }
  return status == PERM_OK ? permi_job_finish(job, state->partial, strike, watch, result) : status;
}

PERM_API perm_status perm_state_finish(const perm_job *job, const perm_state *state, perm_result *result)
{
  permi_environment environment;
  return PERMI_SOUNDLY(&environment, permi_state_finish(job, state, NULL, NULL, result));
}

/* Returns part 1 .. parts of [0, chunks). Larger shares start elsewhere in each leaf: tasks spread. */
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

/* Puts fields at `bytes`, one behind another, or gets them. */
typedef struct permi_stored {
  size_t offset;
  int count, size;
} permi_stored;
static void permi_put_or_get(unsigned char *bytes, void *structure, const permi_stored *field, size_t fields, int put)
{
  const int one = 1, big = !*(const char *)&one; /* whether the most significant byte comes first */
  for (size_t k = 0; k < fields; k++, field++)
    for (int i = 0; i < field->count * field->size; i++, bytes++) {
      unsigned char *byte = (unsigned char *)structure + field->offset + (big ? i ^ (field->size - 1) : i);
      if (put)
        *bytes = *byte;
      else
        *byte = *bytes;
    }
}

/* A partial as bytes, numbers as in >>checkpoint. exp2 is at most 2^60 in size: sums of a few do not overflow. */
static const permi_stored permi_partial_fields[] = {
    {offsetof(perm_partial, fingerprint), 1, 8}, {offsetof(perm_partial, chunks), 1, 8},
    {offsetof(perm_partial, indices), 1, 8}, {offsetof(perm_partial, squares), 1, 8},
    {offsetof(perm_partial, exp2), 1, 8}, {offsetof(perm_partial, lost), 1, 8}, {offsetof(perm_partial, terms), 1, 8},
    {offsetof(perm_partial, value), PERM_SUM_WORDS, 8}, {offsetof(perm_partial, imaginary), PERM_SUM_WORDS, 8},
    {offsetof(perm_partial, absolute), PERM_SUM_WORDS, 8}};
enum { PERMI_PARTIAL_FIELDS = sizeof permi_partial_fields / sizeof *permi_partial_fields };

PERM_API size_t perm_partial_encode(const perm_partial *partial, void *bytes, size_t size)
{
  if (!partial)
    return 0;
  if (bytes && size >= PERM_PARTIAL_BYTES) {
    perm_partial copy = *partial;
    permi_put_or_get((unsigned char *)bytes, &copy, permi_partial_fields, PERMI_PARTIAL_FIELDS, 1);
  }
  return PERM_PARTIAL_BYTES;
}

PERM_API perm_status perm_partial_decode(const void *bytes, size_t size, perm_partial *partial)
{
  if (!bytes || !partial)
    return PERM_ERROR_NULL;
  memset(partial, 0, sizeof *partial);
  if (size != PERM_PARTIAL_BYTES)
    return PERM_ERROR_FORMAT;
  permi_put_or_get((unsigned char *)(uintptr_t)bytes, partial, permi_partial_fields, PERMI_PARTIAL_FIELDS, 0);
  if (partial->lost >= 0 && partial->terms >= 0 && partial->terms <= DBL_MAX &&
      partial->exp2 >= -(INT64_C(1) << 60) && partial->exp2 <= INT64_C(1) << 60)
    return PERM_OK;
  memset(partial, 0, sizeof *partial);
  return PERM_ERROR_FORMAT;
}
/* SPDX-License-Identifier: MIT */
