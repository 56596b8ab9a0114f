/* ======================================================================================== >>sorting
   A step expands its terms (takes: states that streams move), sorts them by state (keys of
   mask_words words), adds equal ones. */
#pragma once
#include "../frontier/steps.h"

/* A term; `key` is the word of its state by which it is sorted. */
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
  const perm_allocator *allocator = run->base.pool.allocator;
  const size_t most = source->states * (size_t)(frontier->stream_start[p + 1] - frontier->stream_start[p]);
  permi_term *const memory = (permi_term *)permi_allocate(allocator, most, 2 * sizeof *memory);
  permi_term *term = memory, *other = memory + most, *sorted;
  perm_status status = PERM_OK;
  size_t count = 0, k;
  if (!memory)
    return PERM_ERROR_MEMORY;
  permi_run_prepare(run, p);
  for (int s = frontier->stream_start[p]; s < frontier->stream_start[p + 1] && status == PERM_OK; s++) {
    for (k = 0; k < source->states; k++) {
      uint64_t differs = 0;
      int ones = 0;
      for (int w = 0; w < frontier->mask_words; w++)
        differs |= (source->high[k * words + (size_t)w] & permi_stream_word(frontier, s, 0, w)) ^
                   permi_stream_word(frontier, s, 1, w);
      for (int w = 0; w < frontier->mask_words && frontier->rows; w++)
        ones += permi_count_ones(source->high[k * words + (size_t)w] ^ permi_stream_word(frontier, s, 2, w) ^
                                 run->rows[w]);
      if (differs || (frontier->rows && ones > frontier->most[p + 1]))
        continue;
      term[count].take.group = (uint32_t)k;
      term[count++].take.stream = (uint32_t)s;
    }
    status = permi_runner_poll(&run->base, (double)source->states, run->base.done, 0);
  }
  count = status == PERM_OK ? count : 0;
  for (int w = 0; w < frontier->mask_words; w++) {
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
    for (int w = 0; w < frontier->mask_words; w++)
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
  permi_release(allocator, memory);
  return status;
}

static perm_status permi_sorting_run(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  return permi_frontier_run_by(leaf, control, permi_sorting_step, partial);
}
/* SPDX-License-Identifier: MIT */
