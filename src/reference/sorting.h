/* ======================================================================================== >>sorting
   Method sorting: the lists without merging. Expands all terms of a step, sorts them by state, adds equal ones.

   Symbols    here
     state    a key of mask_words words; term: a take, of a state by a stream */
#pragma once
#include "../frontier/steps.h"

static uint64_t permi_sorting_key(const permi_frontier *frontier, const permi_list *source, permi_take take, int w)
{
  return source->high[(size_t)take.group * (size_t)frontier->mask_words + (size_t)w] ^
         permi_stream_word(frontier, (int)take.stream, 2, w);
}

static perm_status permi_sorting_expand(permi_run *run, int p, permi_part *part)
{
  const permi_frontier *frontier = run->frontier;
  const permi_list *source = &run->list[p & 1];
  const int words = frontier->mask_words, first = frontier->stream_start[p];
  perm_status status = PERM_OK;
  size_t k;
  int s, w;
  part->takes = 0;
  for (s = first; s < frontier->stream_start[p + 1] && status == PERM_OK; s++) {
    for (k = 0; k < source->states; k++) {
      uint64_t differs = 0;
      for (w = 0; w < words; w++)
        differs |= (source->high[k * (size_t)words + (size_t)w] & permi_stream_word(frontier, s, 0, w)) ^
                   permi_stream_word(frontier, s, 1, w);
      if (differs)
        continue;
      if (!permi_takes_more(&run->base.locked, part, 1))
        return PERM_ERROR_MEMORY;
      part->take[part->takes].group = (uint32_t)k;
      part->take[part->takes++].stream = (uint32_t)s;
    }
    status = permi_runner_poll(&run->base, (double)source->states, run->base.done, 0);
  }
  return status;
}

/* Sorts by bytes of the keys, low ones first. 0: out of memory. */
static int permi_sorting_sort(const permi_run *run, const permi_list *source, permi_part *part)
{
  const permi_frontier *frontier = run->frontier;
  const size_t count = part[0].takes;
  size_t start[256], k, sum;
  int byte, b;
  part[1].takes = 0;
  if (!permi_takes_more(&run->base.locked, &part[1], count))
    return 0;
  part[1].takes = count;
  for (byte = 0; byte < 8 * frontier->mask_words; byte++) {
    const int shift = byte % 8 * 8;
    const permi_part swap = part[0];
    memset(start, 0, sizeof start);
    for (k = 0; k < count; k++)
      start[permi_sorting_key(frontier, source, part[0].take[k], byte / 8) >> shift & 255]++;
    for (sum = 0, b = 0; b < 256 && start[b] < count; b++) {
      const size_t here = start[b];
      start[b] = sum;
      sum += here;
    }
    if (b < 256)
      continue;
    for (k = 0; k < count; k++)
      part[1].take[start[permi_sorting_key(frontier, source, part[0].take[k], byte / 8) >> shift & 255]++] =
          part[0].take[k];
    part[0] = part[1];
    part[1] = swap;
  }
  return 1;
}

static perm_status permi_sorting_step(permi_run *run, int p)
{
  const permi_frontier *frontier = run->frontier;
  const size_t words = (size_t)frontier->mask_words, bytes = permi_value_bytes(frontier);
  const permi_list *source = &run->list[p & 1];
  permi_list *target = &run->list[(p + 1) & 1];
  permi_part *part = run->part;
  perm_status status;
  size_t k;
  int w;
  permi_run_prepare(run, p);
  status = permi_sorting_expand(run, p, part);
  if (status == PERM_OK && !permi_sorting_sort(run, source, part))
    status = PERM_ERROR_MEMORY;
  if (status != PERM_OK)
    return status;
  target->states = 0;
  for (k = 0; k < part->takes; k++) {
    const permi_take take = part->take[k];
    uint64_t key[PERMI_MASK_WORDS];
    char *y;
    for (w = 0; w < frontier->mask_words; w++)
      key[w] = permi_sorting_key(frontier, source, take, w);
    if (k == 0 || memcmp(key, target->high + (target->states - 1) * words, words * sizeof *key)) {
      memcpy(target->high + target->states * words, key, words * sizeof *key);
      memset((char *)target->value + target->states++ * bytes, 0, bytes);
    }
    y = (char *)target->value + (target->states - 1) * bytes;
    permi_values_add(&frontier->numbers, &frontier->coefficient[take.stream], y,
                     (const char *)source->value + take.group * bytes, 1);
  }
  if (run->tracking)
    permi_values_track(frontier->numbers.algebra, target->value, target->states, &run->base.sizes);
  return PERM_OK;
}

static perm_status permi_sorting_advance(permi_runner *run, int p)
{
  return permi_run_advance_by((permi_run *)run, p, permi_sorting_step);
}

static perm_status permi_sorting_run(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  return permi_frontier_run_by(leaf, control, permi_sorting_advance, 1, partial);
}
/* SPDX-License-Identifier: MIT */
