/* ========================================================================================== >>steps
   Fills a step of the lists. */
#pragma once
#include "frontier.h"

typedef struct permi_take {
  uint32_t group, stream;
} permi_take;

/* Part of a step's target; once merged, takes stand in order of groups, then streams. */
typedef struct permi_part {
  permi_cursor *cursor;
  permi_list list;
  size_t takes, take_room;
  permi_take *take;
  int own, *number; /* has patterns itself; their numbers in the target */
  size_t number_room, group_at, state_at;
  uint64_t end[PERMI_MASK_WORDS];
  permi_sizes sizes;
  int done; /* nothing is left below `end` */
  perm_status status;
} permi_part;

typedef struct permi_run {
  const permi_frontier *frontier;
  const perm_allocator *allocator;
  perm_allocator locked;
  permi_pool pool;
  permi_control *control;
  permi_list list[2];
  permi_part *part;
  int parts_at_once, threads;
  int sorting;
  permi_moves *moves;
  size_t *weight; /* [stream][block of groups]: states before that take part */
  size_t weight_room;
  permi_sizes sizes;
  double visited;
  int step;
  int careful, tracking;
  double state_seconds;
} permi_run;

/* Fills a placed part: where a stream takes all of one group to all of another, y += c x over arrays. */
static PERMI_ALWAYS_INLINE void permi_step_of(permi_algebra algebra, const permi_run *run, const permi_list *source,
                                              permi_list *target, permi_part *part, permi_moves *moves)
{
  const permi_numbers *numbers = &run->frontier->numbers;
  const permi_list *list = &part->list;
  const size_t size = 8 * permi_value_words(algebra, numbers), words = (size_t)target->words;
  size_t group, states = part->state_at, k, count, j;
  permi_sizes_clear(&part->sizes);
  if (list->groups)
    memcpy(target->high + part->group_at * words, list->high, list->groups * words * sizeof *list->high);
  for (group = 0; group < list->groups; group++) {
    const size_t end = group + 1 < list->groups ? list->first[group + 1] : part->takes;
    const int pattern = part->own ? part->number[list->pattern[group]] : list->pattern[group];
    char *y = (char *)target->value + states * size;
    int pass, fresh = 1;
    count = target->patterns.first[pattern + 1] - target->patterns.first[pattern];
    for (pass = 0; pass < 2; pass++) /* whole moves first: one replaces zeroing */
      for (j = list->first[group]; j < end; j++) {
        const permi_take take = part->take[j];
        const permi_cursor *cursor = &part->cursor[take.stream];
        const char *x = (const char *)source->value + source->first[take.group] * size;
        const permi_move *move = permi_moves_find(moves, run->step, (int)take.stream, cursor, &source->patterns,
                                                  source->pattern[take.group], &target->patterns, pattern);
        const uint32_t *pair = moves->pair + move->first;
        const permi_coefficient c = permi_coefficient_short(&cursor->c);
        int runs = move->runs;
        if (move->whole == pass)
          continue;
        if (pass == 0 && fresh)
          permi_values_add_of(algebra, numbers, &c, y, x, count, 1);
        else if (pass == 0)
          permi_values_add_of(algebra, numbers, &c, y, x, count, 0);
        else if (fresh)
          memset(y, 0, count * size);
        for (k = 0; pass && !runs && k < (size_t)move->count; k++)
          permi_value_add(algebra, numbers, &c, y + (pair[k] >> 16) * size, x + (pair[k] & 65535) * size, 0);
        for (; pass && runs > 0; runs--, pair += 2)
          permi_values_add_of(algebra, numbers, &c, y + (pair[0] >> 16) * size, x + (pair[0] & 65535) * size, pair[1],
                              0);
        fresh = 0;
      }
    if (run->tracking)
      permi_values_track(algebra, y, count, &part->sizes);
    target->pattern[part->group_at + group] = pattern;
    target->first[part->group_at + group] = states;
    states += count;
  }
}

static void permi_step(const permi_run *run, const permi_list *source, permi_list *target, permi_part *part,
                       permi_moves *moves)
{
  switch (run->frontier->numbers.algebra) {
#define PERMI_CASE(name, algebra) case algebra: permi_step_of(algebra, run, source, target, part, moves); break;
    PERMI_ALGEBRAS(PERMI_CASE)
#undef PERMI_CASE
  default: break;
  }
}
/* SPDX-License-Identifier: MIT */
