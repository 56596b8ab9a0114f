/* ======================================================================================== >>sorting
   Method sorting: the same sums from sorted lists of states. */
#pragma once
#include "steps_run.h"

typedef struct permi_sorting {
  uint64_t *key[2];   /* mask_words each */
  permi_take *take[2]; /* whence: number of the state, and stream */
  size_t room;
} permi_sorting;

static void permi_sorting_release(const perm_allocator *allocator, permi_sorting *sorting)
{
  int k;
  for (k = 0; k < 2; k++) {
    permi_release(allocator, sorting->key[k]);
    permi_release(allocator, sorting->take[k]);
    sorting->key[k] = NULL;
    sorting->take[k] = NULL;
  }
  sorting->room = 0;
}

static int permi_sorting_reserve(const perm_allocator *allocator, permi_sorting *sorting, size_t count, int words)
{
  int k, ok = 1;
  if (count <= sorting->room)
    return 1;
  permi_sorting_release(allocator, sorting);
  count += count / 4 + 64;
  for (k = 0; k < 2; k++) {
    sorting->key[k] = (uint64_t *)permi_allocate(allocator, count, (size_t)words * sizeof(uint64_t));
    sorting->take[k] = (permi_take *)permi_allocate(allocator, count, sizeof(permi_take));
    ok = ok && sorting->key[k] && sorting->take[k];
  }
  if (ok)
    sorting->room = count;
  return ok;
}

/* Stable, by one byte after the other, least significant first; bytes that are equal in all keys are passed over. The
   sorted ones end in key[0], take[0]. */
static void permi_sorting_sort(permi_sorting *sorting, size_t count, int words)
{
  size_t start[256], k;
  int byte, w, b;
  for (byte = 0; byte < 8 * words; byte++) {
    const uint64_t *key = sorting->key[0] + byte / 8;
    const int shift = byte % 8 * 8;
    uint64_t *keys, differs = 0;
    permi_take *takes;
    for (k = 0; k < count; k++)
      differs |= key[k * (size_t)words] ^ key[0];
    if (!(differs >> shift & 255))
      continue;
    memset(start, 0, sizeof start);
    for (k = 0; k < count; k++)
      start[key[k * (size_t)words] >> shift & 255]++;
    for (k = 0, b = 0; b < 256; b++) {
      const size_t here = start[b];
      start[b] = k;
      k += here;
    }
    for (k = 0; k < count; k++) {
      const size_t to = start[key[k * (size_t)words] >> shift & 255]++;
      for (w = 0; w < words; w++)
        sorting->key[1][to * (size_t)words + (size_t)w] = sorting->key[0][k * (size_t)words + (size_t)w];
      sorting->take[1][to] = sorting->take[0][k];
    }
    keys = sorting->key[0];
    sorting->key[0] = sorting->key[1];
    sorting->key[1] = keys;
    takes = sorting->take[0];
    sorting->take[0] = sorting->take[1];
    sorting->take[1] = takes;
  }
}

typedef void (*permi_term_add)(const permi_run *run, permi_part *part, const permi_cursor *cursor, void *to,
                               const void *from, int fresh);
static const permi_term_add permi_terms_of[] = {
    permi_step_magnitudes_term,    permi_step_signed_term,    permi_step_complex_term,
    permi_step_magnitudes_dd_term, permi_step_signed_dd_term, permi_step_complex_dd_term,
    permi_step_word_term,          permi_step_wide_term,      permi_step_words_term,
    permi_step_residues_term};

/* Does the stream take the mask? */
static int permi_sorting_takes(const permi_frontier *frontier, int stream, const uint64_t *mask)
{
  int w;
  for (w = 0; w < frontier->mask_words; w++)
    if ((mask[w] & permi_stream_word(frontier, stream, 0, w)) != permi_stream_word(frontier, stream, 1, w))
      return 0;
  return 1;
}

static perm_status permi_sorting_step(const permi_frontier *frontier, permi_run *run, int p)
{
  const int streams = permi_run_prepare(frontier, run, p), first = frontier->stream_start[p];
  const int words = frontier->mask_words;
  const size_t bytes = permi_value_bytes(frontier);
  const permi_term_add term = permi_terms_of[frontier->algebra];
  const permi_list *source = &run->list[p & 1];
  permi_list *target = &run->list[(p + 1) & 1];
  permi_sorting *sorting = run->sorting;
  size_t count = 0, k;
  perm_status status = PERM_OK;
  int s, w;
  for (s = 0; s < streams; s++)
    for (k = 0; k < source->states; k++)
      count += (size_t)permi_sorting_takes(frontier, first + s, source->high + k * (size_t)words);
  if (!permi_sorting_reserve(run->allocator, sorting, count, words))
    return PERM_ERROR_MEMORY;
  count = 0;
  for (s = 0; s < streams && status == PERM_OK; s++) {
    for (k = 0; k < source->states; k++) {
      const uint64_t *mask = source->high + k * (size_t)words;
      if (!permi_sorting_takes(frontier, first + s, mask))
        continue;
      for (w = 0; w < words; w++)
        sorting->key[0][count * (size_t)words + (size_t)w] = mask[w] ^ permi_stream_word(frontier, first + s, 2, w);
      sorting->take[0][count].group = (uint32_t)k;
      sorting->take[0][count++].stream = (uint32_t)s;
    }
    if (run->control)
      status = permi_control_poll(run->control, frontier->cost[p] * PERMI_STATE_SECONDS, "frontier");
  }
  if (status != PERM_OK)
    return status;
  permi_sorting_sort(sorting, count, words);
  target->states = 0;
  run->part->smallest = DBL_MAX;
  run->part->largest = 0;
  for (k = 0; k < count; k++) {
    const uint64_t *key = sorting->key[0] + k * (size_t)words;
    const permi_take *take = &sorting->take[0][k];
    const int fresh = k == 0 || memcmp(key, key - words, (size_t)words * sizeof *key) != 0;
    if (fresh) {
      if (target->states == target->state_room) /* cannot be: the room is a bound */
        return PERM_ERROR_MEMORY;
      memcpy(target->high + target->states++ * (size_t)words, key, (size_t)words * sizeof *key);
    }
    term(run, run->part, &run->part->cursor[take->stream], (char *)target->value + (target->states - 1) * bytes,
         (const char *)source->value + take->group * bytes, fresh);
  }
  for (k = 0; k < target->states; k++)
    term(run, run->part, run->part->cursor, (char *)target->value + k * bytes, NULL, 0);
  permi_run_note(run, run->part);
  return PERM_OK;
}

/* A run before its first step; to be released also after a failure. control may be NULL. sorting, all zero: expand,
   sort, contract in every step; NULL: merge. */
static perm_status permi_run_open(const permi_frontier *frontier, permi_control *control, permi_sorting *sorting,
                                  permi_run *run)
{
  const perm_allocator *allocator = &frontier->allocator;
  const size_t size = permi_value_bytes(frontier);
  uint64_t none[PERMI_LOW_WORDS];
  double growth = 0;
  int p, most = 1, complete;
  memset(run, 0, sizeof *run);
  memset(none, 0, sizeof none);
  run->sorting = sorting;
  run->allocator = allocator;
  run->control = control;
  run->smallest = run->largest = 1;
  run->words = frontier->words;
  run->parts = frontier->parts;
  run->slots = frontier->slots;
  run->modulus = frontier->modulus;
  run->stride = (size_t)(frontier->words * frontier->parts);
  for (p = 0; p < frontier->steps; p++) {
    int streams = frontier->stream_start[p + 1] - frontier->stream_start[p], s;
    double weight = 0;
    for (s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++)
      weight += frontier->stream[s].absolute;
    growth += weight > 1 ? log2(weight) : 0;
    most = streams > most ? streams : most;
  }
  run->careful = growth > 300;
  complete = permi_run_create(run, frontier, most);
  for (p = 0; p < 2 && complete; p++) { /* the bound of every step at once: growing would touch fresh pages each time */
    permi_list *list = &run->list[p];
    list->words = frontier->mask_words;
    if (frontier->room[p] >= (double)(SIZE_MAX / 64))
      return PERM_ERROR_MEMORY;
    list->state_room = (size_t)frontier->room[p];
    list->value = permi_allocate(allocator, list->state_room, size);
    if (sorting)
      list->high = (uint64_t *)permi_allocate(allocator, list->state_room, (size_t)list->words * sizeof(uint64_t));
    complete = list->value && (!sorting || list->high);
  }
  none[0] = 1; /* the start: nothing matched, in one way */
  if (!complete || (!sorting && (!permi_list_more_groups(allocator, &run->list[0]) ||
                                 permi_patterns_find(allocator, &run->list[0].patterns, none) != 0)))
    return PERM_ERROR_MEMORY;
  run->list[0].groups = run->list[0].states = 1;
  memset(run->list[0].high, 0, (size_t)frontier->mask_words * sizeof *run->list[0].high);
  if (!sorting) {
    run->list[0].first[0] = 0;
    run->list[0].pattern[0] = 0;
  }
  memset(run->list[0].value, 0, size);
  if (frontier->algebra >= PERMI_WORD)
    *(uint64_t *)run->list[0].value = 1;
  else
    *(double *)run->list[0].value = 1;
  if (frontier->algebra < PERMI_WORD && frontier->algebra % 3) /* the absolute of numbers with signs */
    ((double *)run->list[0].value)[permi_algebra_doubles(frontier->algebra) - 1] = 1;
  return PERM_OK;
}

static perm_status permi_frontier_run_by(const permi_leaf *leaf, permi_control *control, permi_sorting *sorting,
                                         perm_partial *partial)
{
  const permi_frontier *frontier = (const permi_frontier *)leaf->context;
  permi_run run;
  perm_status status = permi_run_open(frontier, control, sorting, &run);
  int p;
  for (p = 0; p < frontier->steps && status == PERM_OK; p++) {
    if (control && (p & 15) == 0)
      status = permi_control_poll(control, frontier->cost[p] * PERMI_STATE_SECONDS, "frontier");
    if (status == PERM_OK)
      status = sorting ? permi_sorting_step(frontier, &run, p) : permi_run_step(frontier, &run, p);
    if (status == PERM_OK && frontier->algebra < PERMI_WORD && run.tracking)
      permi_run_rescale(&run, &run.list[(p + 1) & 1], permi_algebra_doubles(frontier->algebra));
    run.visited += (double)run.list[(p + 1) & 1].states;
  }
  if (status == PERM_OK)
    status = permi_frontier_finish(frontier, &run, &run.list[p & 1], partial);
  permi_run_release(&run);
  return status;
}

static perm_status permi_frontier_run(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  return permi_frontier_run_by(leaf, control, NULL, partial);
}

static perm_status permi_sorting_run(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  permi_sorting sorting;
  perm_status status;
  memset(&sorting, 0, sizeof sorting);
  status = permi_frontier_run_by(leaf, control, &sorting, partial);
  permi_sorting_release(&((const permi_frontier *)leaf->context)->allocator, &sorting);
  return status;
}
