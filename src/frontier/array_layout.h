/* =================================================================================== >>array_layout
   The words and ways of a step. */
#pragma once
#include "array_residues.h"

static void permi_layout_create(permi_pool *pool, const permi_arrays *arrays, permi_layout *layout)
{
  const size_t low = (size_t)1 << arrays->low, middle = (size_t)1 << arrays->middle, top = (size_t)1 << arrays->top;
  const size_t middles = (size_t)(arrays->top + 1) << arrays->middle;
  memset(layout, 0, sizeof *layout);
  layout->word = (uint16_t *)permi_pool_get(pool, low, sizeof(uint16_t));
  layout->rank = (uint16_t *)permi_pool_get(pool, low, sizeof(uint16_t));
  layout->middle_offset = (uint64_t *)permi_pool_get(pool, middles, sizeof(uint64_t));
  layout->middle = (uint16_t *)permi_pool_get(pool, middles, sizeof(uint16_t));
  layout->left = (unsigned char *)permi_pool_get(pool, middles, 1);
  layout->middle_ones = (unsigned char *)permi_pool_get(pool, middle, 1);
  layout->top_offset = (uint64_t *)permi_pool_get(pool, top, sizeof(uint64_t));
  layout->top = (uint16_t *)permi_pool_get(pool, top, sizeof(uint16_t));
}

static size_t permi_layout_states(const permi_layout *layout, uint32_t top)
{
  return layout->total[permi_count_ones(top)];
}

static void permi_layout_fill(const permi_arrays *arrays, permi_layout *layout, uint64_t occupied, int ones)
{
  const uint32_t low_mask = (uint32_t)occupied & ((1u << arrays->low) - 1);
  const uint32_t middle_mask = (uint32_t)(occupied >> arrays->low) & ((1u << arrays->middle) - 1);
  const uint32_t top_mask = (uint32_t)(occupied >> (arrays->low + arrays->middle));
  const int low = permi_count_ones(low_mask), tops = permi_count_ones(top_mask);
  int size[PERMI_ARRAY_LOW + 3 * PERMI_ARRAY_HIGH + 1];
  int fill[PERMI_ARRAY_LOW + 1], j, c, used = 0;
  uint32_t x;
  if (layout->low != low || ((layout->occupied ^ occupied) & ((1u << arrays->low) - 1)) || layout->start[1] == 0) {
    layout->start[0] = 0;
    for (j = 0; j <= low; j++) {
      int k, binomial = 1;
      for (k = 1; k <= j; k++)
        binomial = binomial * (low - k + 1) / k;
      fill[j] = layout->start[j];
      layout->start[j + 1] = layout->start[j] + binomial;
    }
    x = 0;
    do {
      const int of = permi_count_ones(x);
      layout->rank[x] = (uint16_t)(fill[of] - layout->start[of]);
      layout->word[fill[of]++] = (uint16_t)x;
      x = (x - low_mask) & low_mask;
    } while (x);
  }
  layout->occupied = occupied;
  layout->ones = ones;
  layout->low = low;
  memset(size, 0, sizeof size);
  for (j = 0; j <= low; j++)
    size[PERMI_ARRAY_HIGH + j] = layout->start[j + 1] - layout->start[j];
  x = 0;
  do {
    layout->middle_ones[x] = (unsigned char)permi_count_ones(x);
    x = (x - middle_mask) & middle_mask;
  } while (x);
  for (c = 0; c <= arrays->top; c++) {
    const int rest = ones - c;
    size_t offset = 0;
    layout->middle_start[c] = used;
    layout->total[c] = 0;
    if (c > tops || rest < 0)
      continue;
    x = 0;
    do { /* branches would be mispredicted */
      const int left = rest - layout->middle_ones[x], states = size[PERMI_ARRAY_HIGH + left];
      layout->middle_offset[(size_t)c << arrays->middle | x] = offset;
      layout->middle[used] = (uint16_t)x;
      layout->left[used] = (unsigned char)left;
      used += states != 0;
      offset += (size_t)states;
      x = (x - middle_mask) & middle_mask;
    } while (x);
    layout->total[c] = offset;
  }
  layout->middle_start[c] = used;
  layout->states = 0;
  layout->tops = 0;
  x = 0;
  do {
    const size_t states = permi_layout_states(layout, x);
    if (states) {
      layout->top_offset[x] = layout->states;
      layout->top[layout->tops++] = (uint16_t)x;
      layout->states += states;
    }
    x = (x - top_mask) & top_mask;
  } while (x);
}

static void permi_eights_fill(const permi_layout *target, const uint16_t *place, permi_eight *eights)
{
  int j, k, i;
  for (j = 0; j <= target->low; j++) {
    permi_eight *eight = eights + target->start[j] / 8 + j;
    for (k = target->start[j]; k < target->start[j + 1]; k += 8, eight++) {
      const int end = target->start[j + 1] - k < 8 ? target->start[j + 1] - k : 8;
      memset(eight, 0, sizeof *eight);
      for (i = 0; i < end; i++) {
        if (place[k + i] == PERMI_ARRAY_NOWHERE)
          continue;
        if (!eight->here)
          eight->base = place[k + i];
        eight->here |= (unsigned char)(1 << i);
        eight->at[i] = (unsigned char)((place[k + i] - eight->base) & 15);
        eight->wide |= place[k + i] - eight->base > 15;
      }
    }
  }
}

static void permi_ways_fill(permi_arrays_run *run, int p, const permi_layout *source, const permi_layout *target)
{
  const permi_frontier *frontier = run->frontier;
  const permi_arrays *arrays = run->arrays;
  const int first = frontier->stream_start[p], ways = frontier->stream_start[p + 1] - first;
  const uint64_t low_mask = ((uint64_t)1 << arrays->low) - 1, top_mask = ~UINT64_C(0) << (arrays->low + arrays->middle);
  const size_t words = (size_t)1 << arrays->low;
  int s, k;
  for (s = 0; s < ways; s++) {
    const permi_pull pull = permi_pull_of(frontier, p, first + s);
    const uint64_t from = (pull.want & pull.keep) ^ pull.flip;
    perm_gpu_way *way = &run->way[s];
    permi_lookup *lookup = &run->lookup[s];
    way->test = (uint32_t)(pull.test >> arrays->low);
    way->want = (uint32_t)(pull.want >> arrays->low);
    way->keep = (uint32_t)(pull.keep >> arrays->low);
    way->flip = (uint32_t)(pull.flip >> arrays->low);
    way->low_test = (uint32_t)(pull.test & low_mask);
    way->low_want = (uint32_t)(pull.want & low_mask);
    way->low_keep = (uint32_t)(pull.keep & low_mask);
    way->low_flip = (uint32_t)(pull.flip & low_mask);
    way->low_ones = permi_count_ones(from & low_mask) - permi_count_ones(pull.want & low_mask);
    way->moves = ((pull.test | pull.flip | (source->occupied ^ target->occupied)) & low_mask) != 0;
    lookup->top_ones = permi_count_ones(from & top_mask) - permi_count_ones(pull.want & top_mask);
    lookup->c = frontier->coefficient[first + s];
    lookup->c.real = run->absolute         ? lookup->c.absolute
                     : arrays->by_residues ? permi_residue_entry(&lookup->c, run->numbers.modulus, run->root)
                                           : lookup->c.real;
    lookup->place = NULL;
    way->real = lookup->c.real;
    way->imaginary = lookup->c.imaginary;
    memcpy(way->integer, lookup->c.integer, sizeof way->integer);
    if (way->moves && !run->gpu) {
      uint16_t *place = run->low + (size_t)s * (words + PERMI_ARRAY_PAD);
      permi_eight *eights = run->eights + (size_t)s * (words / 8 + PERMI_ARRAY_LOW + 2);
      for (k = 0; k < target->start[target->low + 1]; k++) {
        const uint32_t word = target->word[k];
        place[k] = (word & way->low_test) == way->low_want ? source->rank[(word & way->low_keep) ^ way->low_flip]
                                                           : (uint16_t)PERMI_ARRAY_NOWHERE;
      }
      lookup->place = place;
      lookup->eight = eights;
      if (run->kernel_eights)
        permi_eights_fill(target, place, eights);
    }
  }
}
/* SPDX-License-Identifier: MIT */
