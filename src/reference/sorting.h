/* ======================================================================================== >>sorting
   Method sorting, lists without merging: a step expands its terms (takes: states that streams move), sorts them by
   state (keys of mask_words words) and adds equal ones. */
#pragma once
#include "../frontier/steps.h"

/* key: the word of the state that is sorted by. A term has the room of two takes. */
typedef struct permi_term {
  uint64_t key;
  permi_take take;
} permi_term;

static uint64_t permi_sorting_key(const permi_run *run, int p, permi_take take, int w)
{
  const permi_frontier *frontier = run->frontier;
  return run->list[p & 1].high[(size_t)take.group * (size_t)frontier->mask_words + (size_t)w] ^
         permi_stream_word(frontier, (int)take.stream, 2, w);
}

static perm_status permi_sorting_step(permi_run *run, int p)
{
  const permi_frontier *frontier = run->frontier;
  const size_t words = (size_t)frontier->mask_words, bytes = permi_value_bytes(frontier);
  const permi_list *source = &run->list[p & 1];
  permi_list *target = &run->list[(p + 1) & 1];
  permi_part *part = run->part;
  permi_term *term, *other, *sorted;
  perm_status status = PERM_OK;
  size_t count, k;
  int s, w;
  permi_run_prepare(run, p);
  part->takes = 0;
  for (s = frontier->stream_start[p]; s < frontier->stream_start[p + 1] && status == PERM_OK; s++) {
    for (k = 0; k < source->states; k++) {
      uint64_t differs = 0;
      for (w = 0; w < frontier->mask_words; w++)
        differs |= (source->high[k * words + (size_t)w] & permi_stream_word(frontier, s, 0, w)) ^
                   permi_stream_word(frontier, s, 1, w);
      if (differs)
        continue;
      if (!permi_takes_more(&run->base.locked, part, 2))
        return PERM_ERROR_MEMORY;
      part->take[part->takes + 1].group = (uint32_t)k;
      part->take[part->takes + 1].stream = (uint32_t)s;
      part->takes += 2;
    }
    status = permi_runner_poll(&run->base, (double)source->states, run->base.done, 0);
  }
  part[1].takes = 0;
  if (status == PERM_OK && !permi_takes_more(&run->base.locked, &part[1], part->takes))
    status = PERM_ERROR_MEMORY;
  if (status != PERM_OK)
    return status;
  count = part->takes / 2;
  term = (permi_term *)(void *)part[0].take;
  other = (permi_term *)(void *)part[1].take;
  for (w = 0; w < frontier->mask_words; w++) {
    for (k = 0; k < count; k++)
      term[k].key = permi_sorting_key(run, p, term[k].take, w);
    sorted = (permi_term *)permi_sort(term, other, count, sizeof *term, NULL);
    other = sorted == term ? other : term;
    term = sorted;
  }
  target->states = 0;
  for (k = 0; k < count; k++) {
    const permi_take take = term[k].take;
    uint64_t key[PERMI_MASK_WORDS];
    for (w = 0; w < frontier->mask_words; w++)
      key[w] = permi_sorting_key(run, p, take, w);
    if (k == 0 || memcmp(key, target->high + (target->states - 1) * words, words * sizeof *key)) {
      memcpy(target->high + target->states * words, key, words * sizeof *key);
      memset((char *)target->value + target->states++ * bytes, 0, bytes);
    }
    permi_values_add(&frontier->numbers, &frontier->coefficient[take.stream],
                     (char *)target->value + (target->states - 1) * bytes,
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
