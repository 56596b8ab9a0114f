/* ======================================================================================== >>sorting
   Method sorting, lists without merging: a step expands its terms (takes: states that streams move), sorts them by
   state (keys of mask_words words) and adds equal ones. */
#pragma once
#include "../frontier/steps.h"

/* A term; `key` is the word of its state by which it is sorted. */
typedef struct permi_term {
  uint64_t key;
  permi_take take;
} permi_term;

/* Returns word w of the state that a take moves to; with `differs`, adds to it where the stream does not fit. */
static uint64_t permi_sorting_key(const permi_run *run, int p, permi_take take, int w, uint64_t *differs)
{
  const permi_frontier *frontier = run->frontier;
  const int s = (int)take.stream;
  const uint64_t state = run->list[p & 1].high[(size_t)take.group * (size_t)frontier->mask_words + (size_t)w];
  *differs |= (state & permi_stream_word(frontier, s, 0, w)) ^ permi_stream_word(frontier, s, 1, w);
  return state ^ permi_stream_word(frontier, s, 2, w);
}

static perm_status permi_sorting_step(permi_run *run, int p)
{
  const permi_frontier *frontier = run->frontier;
  const size_t words = (size_t)frontier->mask_words, bytes = permi_value_bytes(frontier);
  const size_t first = (size_t)frontier->stream_start[p], streams = (size_t)frontier->stream_start[p + 1] - first;
  const permi_list *source = &run->list[p & 1];
  permi_list *target = &run->list[(p + 1) & 1];
  const size_t most = source->states * streams;
  permi_term *const room = (permi_term *)permi_allocate(run->base.pool.allocator, 2 * most + 1, sizeof *room);
  permi_term *term = room;
  size_t count = 0, k;
  uint64_t key[PERMI_MASK_WORDS], differs;
  int w;
  if (!room)
    return PERM_ERROR_MEMORY;
  permi_run_prepare(run, p);
  for (k = 0; k < most; k++) {
    term[count].take.group = (uint32_t)(k % source->states);
    term[count].take.stream = (uint32_t)(first + k / source->states);
    for (w = 0, differs = 0; w < frontier->mask_words; w++)
      permi_sorting_key(run, p, term[count].take, w, &differs);
    count += differs == 0;
  }
  for (w = 0; w < frontier->mask_words; w++) {
    for (k = 0; k < count; k++)
      term[k].key = permi_sorting_key(run, p, term[k].take, w, &differs);
    term = (permi_term *)permi_sort(term, term == room ? room + most : room, count, sizeof *term, NULL);
  }
  target->states = 0;
  for (k = 0; k < count; k++) {
    const permi_take take = term[k].take;
    for (w = 0; w < frontier->mask_words; w++)
      key[w] = permi_sorting_key(run, p, take, w, &differs);
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
  permi_release(run->base.pool.allocator, room);
  return permi_runner_poll(&run->base, (double)most, run->base.done, 0);
}

static perm_status permi_sorting_run(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  return permi_frontier_run_by(leaf, control, permi_sorting_step, partial);
}
/* SPDX-License-Identifier: MIT */
