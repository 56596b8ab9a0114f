/* ========================================================================================= >>outputs
   Ranks. Modes are rows from the last on, unseen ones (of outputs all as one) first, heralded ones behind: s_1 .. s_m,
   d_j = s_1 + .. + s_j. States go by (d_(m-1), .., d_1). With P_j(d) of modes 1 .. j, in limits, of under d photons,
       rank(s) = sum over j < m of P_j(d_j) - P_j(max(0, d_(j+1) - most_(j+1))). */
#pragma once
#include "../api/more_calls.h"
#include "../base/memory.h"

typedef struct permi_ranks {
  int modes, n;
  int open, loose;      /* modes without heralds, their photons, below 0: too few */
  int unseen;
  int *most, *row;      /* of mode j at j - 1; row -1: none */
  size_t *first, *turn; /* P_j(d) at j (n + 2) + d, j < modes; T_j(d) of >>amplitudes */
} permi_ranks;

static size_t permi_ranks_first(const permi_ranks *ranks, int level, int d)
{
  return ranks->first[(size_t)level * ((size_t)ranks->n + 2) + (size_t)(d > 0 ? d : 0)];
}

static size_t permi_ranks_states(const permi_ranks *ranks, int level, int d)
{
  return permi_ranks_first(ranks, level, d + 1) - permi_ranks_first(ranks, level, d);
}

/* Returns the most photons of row i, or those heralded, up to photons + 1. *side: 1: herald; -1: unseen; 0. */
static int permi_outputs_limit(const perm_outputs *outputs, int i, int photons, int *side)
{
  const int exactly = outputs && outputs->exactly ? outputs->exactly[i] : -1;
  *side = exactly >= 0 ? 1 : -(exactly == PERM_MODE_UNSEEN);
  const int *limit = !outputs ? NULL : *side > 0 ? outputs->exactly : outputs->most;
  return limit && limit[i] >= 0 && limit[i] <= photons ? limit[i] : photons + 1;
}

/* ints: 2 m + 4 zeros. all: also heralded ones, each unseen one. */
static void permi_ranks_modes(permi_ranks *ranks, int m, int photons, const perm_outputs *outputs, int all, int *ints)
{
  memset(ranks, 0, sizeof *ranks);
  ranks->most = ints;
  ranks->row = ints + m + 2;
  ranks->loose = photons;
  for (int side = -1; side < 2; side++)
    for (int i = m - 1; i >= 0; i--) {
      int of;
      const int most = permi_outputs_limit(outputs, i, photons, &of), j = side < 0 && !all ? 0 : ranks->modes;
      ranks->loose -= of > 0 && side > 0 && ranks->loose >= 0 ? most : 0;
      if (of != side || most == 0 || (of > 0 && !all))
        continue;
      ranks->row[j] = i;
      ranks->most[j] = ranks->most[j] + most > photons ? photons + 1 : ranks->most[j] + most;
      ranks->modes = j + 1;
      ranks->open += side < 1 && j == ranks->open;
      ranks->unseen = side < 0 ? j + 1 : ranks->unseen;
    }
  for (; ranks->modes < 1 + all; ranks->modes++)
    ranks->row[ranks->modes] = -1;
  ranks->n = all ? photons : ranks->loose;
}

/* Returns the number of states of n photons (SIZE_MAX: too many), counts none that none completes. turn given: of up
   to n photons in modes 1 .. modes - 1, `loose` where no herald is. */
static size_t permi_ranks_fill(permi_ranks *ranks)
{
  const int n = ranks->n;
  int low = ranks->turn ? 0 : n, j;
  if (ranks->loose < 0)
    return 0;
  for (j = 0; j < ranks->modes && !ranks->turn; j++)
    low -= ranks->most[j];
  for (int d = 0; d < n + 2; d++)
    ranks->first[d] = d > 0;
  for (j = 1; j < ranks->modes; j++) {
    const int full = ranks->most[j - 1], high = j <= ranks->open ? ranks->loose : n;
    const size_t row = (size_t)j * ((size_t)n + 2);
    size_t total = 0;
    low += ranks->turn ? 0 : full;
    for (int d = 0; d < n + 2; d++) {
      const size_t gone = d <= n ? permi_ranks_first(ranks, j - 1, d - full) : 0;
      ranks->first[row + (size_t)d] = total;
      if (d > 0 && d <= n && ranks->turn)
        ranks->turn[row + (size_t)d] = permi_ranks_states(ranks, j, d - 1) - gone +
                                       permi_ranks_first(ranks, j - 1, d - 1 - full);
      if (d < low || d > high)
        continue;
      if (permi_ranks_first(ranks, j - 1, d + 1) - gone > SIZE_MAX - 1 - total)
        return SIZE_MAX;
      total += permi_ranks_first(ranks, j - 1, d + 1) - gone;
    }
  }
  return permi_ranks_first(ranks, j - 1, n + 1) -
         (ranks->turn ? 0 : permi_ranks_first(ranks, j - 1, n - ranks->most[j - 1]));
}

/* Sets state to that of *index, or *index to that of `given`, or to their number. */
static perm_status permi_outputs_rank(int m, int photons, const perm_outputs *outputs, size_t *index, const int *given,
                                      int *state)
{
  const perm_allocator *allocator = &permi_options(NULL)->allocator;
  size_t left = *index;
  permi_ranks ranks;
  int side, unseen = 0;
  if (m < 0 || m > PERM_MAX_LINES || photons < 0 || photons > PERM_MAX_LINES)
    return PERM_ERROR_SIZE;
  int *ints = (int *)permi_allocate_zeros(allocator, (size_t)m + 2, sizeof(size_t) * ((size_t)photons + 3));
  if (!ints)
    return PERM_ERROR_MEMORY;
  permi_ranks_modes(&ranks, m, photons, outputs, 0, ints);
  ranks.first = (size_t *)(void *)(ints + 2 * m + 4);
  *index = permi_ranks_fill(&ranks);
  for (int j = 0; j < m && (given || state); j++) {
    const int most = permi_outputs_limit(outputs, j, photons, &side);
    if (state)
      state[j] = side > 0 ? most : 0;
    else if (side < 0)
      unseen += given[j];
    else if (given[j] > most || (side > 0 && given[j] < most))
      *index = 0;
  }
  if (unseen > (ranks.unseen ? ranks.most[0] : 0))
    *index = 0;
  const perm_status status = *index == SIZE_MAX                      ? PERM_ERROR_OVERFLOW
                             : (given || state) && left >= *index ? PERM_ERROR_RANGE : PERM_OK;
  *index = given || status ? 0 : *index;
  for (int j = 1, d = unseen; given && j < ranks.modes && status == PERM_OK; j++) {
    d += ranks.unseen >= j ? 0 : given[ranks.row[j - 1]];
    *index += permi_ranks_first(&ranks, j, d) - permi_ranks_first(&ranks, j, d + given[ranks.row[j]] - ranks.most[j]);
  }
  for (int j = ranks.modes - 1, from = ranks.n; state && j >= 0 && ranks.row[j] >= 0 && status == PERM_OK; j--) {
    int d = j && from > ranks.most[j] ? from - ranks.most[j] : 0;
    for (left += permi_ranks_first(&ranks, j, d); j && permi_ranks_first(&ranks, j, d + 1) <= left;)
      d++;
    left -= permi_ranks_first(&ranks, j, d);
    state[ranks.row[j]] = from - d;
    from = d;
  }
  permi_release(allocator, ints);
  return status;
}

PERM_MORE_API perm_status perm_amplitudes_count(int m, int photons, const perm_outputs *outputs, size_t *count)
{
  if (!count)
    return PERM_ERROR_NULL;
  *count = 0;
  return permi_outputs_rank(m, photons, outputs, count, NULL, NULL);
}

PERM_MORE_API perm_status perm_amplitudes_index(int m, const int *state, const perm_outputs *outputs, size_t *index)
{
  int photons = 0, none = 0;
  if (!index || (m > 0 && !state))
    return PERM_ERROR_NULL;
  *index = 0;
  for (int i = 0; i < m && i < PERM_MAX_LINES; i++) {
    if (state[i] < 0 || state[i] > PERM_MAX_LINES - photons)
      return state[i] < 0 ? PERM_ERROR_COUNTS : PERM_ERROR_SIZE;
    photons += state[i];
  }
  return permi_outputs_rank(m, photons, outputs, index, state ? state : &none, NULL);
}

PERM_MORE_API perm_status perm_amplitudes_state(int m, int photons, const perm_outputs *outputs, size_t index,
                                                int *state)
{
  int none;
  return m > 0 && !state ? PERM_ERROR_NULL
                         : permi_outputs_rank(m, photons, outputs, &index, NULL, state ? state : &none);
}
/* SPDX-License-Identifier: MIT */
