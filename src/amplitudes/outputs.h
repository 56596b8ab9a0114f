/* ========================================================================================= >>outputs
   Ranks of outputs. Modes count from the last row: s_1 .. s_m, d_j = s_1 + .. + s_j. States go by (d_(m-1), .., d_1):
   (n,0,..,0) in the caller's order of rows first, then (n-1,1,0,..). With P_j(d) states of modes 1 .. j that have fewer
   than d photons, within the limits,
       rank(s) = sum over j < m of P_j(d_j) - P_j(max(0, d_(j+1) - most_(j+1))).
   Without limits this is the combinatorial number system of {d_j + j - 1}. Only sums that some output completes are
   counted, so no number exceeds that of the outputs. */
#pragma once
#include "../api/more_calls.h"
#include "../base/memory.h"

typedef struct permi_ranks {
  int modes, n;
  int *least, *most; /* of mode j at j - 1 */
  size_t *first;     /* P_j(d) at j (n + 2) + d, j < modes */
} permi_ranks;

static size_t permi_ranks_first(const permi_ranks *ranks, int level, int d)
{
  return ranks->first[(size_t)level * ((size_t)ranks->n + 2) + (size_t)(d > 0 ? d : 0)];
}

static size_t permi_ranks_states(const permi_ranks *ranks, int level, int d)
{
  return permi_ranks_first(ranks, level, d + 1) - permi_ranks_first(ranks, level, d);
}

/* Returns the number of outputs, SIZE_MAX if it is larger. partial: of states of modes 1 .. modes - 1 with up to n
   photons instead, limited by `most` alone. */
static size_t permi_ranks_fill(permi_ranks *ranks, int partial)
{
  const int n = ranks->n, modes = ranks->modes;
  int low = partial ? 0 : n, high = n, j, d;
  for (j = 0; j < modes && !partial; j++) {
    if (ranks->most[j] < ranks->least[j])
      return 0;
    low -= ranks->most[j];
    high -= ranks->least[j];
  }
  if (low > 0 || high < 0)
    return 0;
  for (d = 0; d < n + 2; d++)
    ranks->first[d] = d > 0;
  for (j = 1; j < modes; j++) {
    const int most = ranks->most[j - 1], least = partial ? 0 : ranks->least[j - 1];
    size_t *to = ranks->first + (size_t)j * ((size_t)n + 2), total = 0;
    low += partial ? 0 : most;
    high += least;
    for (d = 0; d < n + 2; d++) {
      to[d] = total;
      if (d >= low && d >= least && d <= high) {
        const size_t more = permi_ranks_first(ranks, j - 1, d - least + 1) - permi_ranks_first(ranks, j - 1, d - most);
        if (more > SIZE_MAX - 1 - total)
          return SIZE_MAX;
        total += more;
      }
    }
  }
  return partial ? permi_ranks_first(ranks, modes - 1, n + 1)
                 : permi_ranks_first(ranks, modes - 1, n - ranks->least[modes - 1] + 1) -
                       permi_ranks_first(ranks, modes - 1, n - ranks->most[modes - 1]);
}

/* Returns the most (or the least) photons of row i; more than n is n (or n + 1). */
static int permi_outputs_limit(const perm_outputs *outputs, int most, int i, int n)
{
  const int *limit = !outputs ? NULL : most ? outputs->most : outputs->least;
  return !limit ? most * n : limit[i] > n ? n + 1 - most : limit[i];
}

/* Makes ranks of all m rows, m > 0, by malloc, for the caller to release ranks->first. */
static perm_status permi_ranks_make(int m, int photons, const perm_outputs *outputs, permi_ranks *ranks, size_t *count)
{
  const perm_allocator *allocator = &permi_options(NULL)->allocator;
  int i, bad = 0;
  memset(ranks, 0, sizeof *ranks);
  *count = 0;
  if (m < 1 || m > PERM_MAX_LINES || photons < 0 || photons > PERM_MAX_LINES)
    return PERM_ERROR_SIZE;
  ranks->modes = m;
  ranks->n = photons;
  ranks->first = (size_t *)permi_allocate(allocator, (size_t)m, ((size_t)photons + 2) * sizeof(size_t) + 2 * sizeof(int));
  if (!ranks->first)
    return PERM_ERROR_MEMORY;
  ranks->least = (int *)(ranks->first + (size_t)m * ((size_t)photons + 2));
  ranks->most = ranks->least + m;
  for (i = 0; i < m; i++) {
    ranks->least[m - 1 - i] = permi_outputs_limit(outputs, 0, i, photons);
    ranks->most[m - 1 - i] = permi_outputs_limit(outputs, 1, i, photons);
    bad |= ranks->least[m - 1 - i] < 0 || ranks->most[m - 1 - i] < 0;
  }
  if (bad)
    return PERM_ERROR_COUNTS;
  *count = permi_ranks_fill(ranks, 0);
  return *count == SIZE_MAX ? PERM_ERROR_OVERFLOW : PERM_OK;
}

PERM_MORE_API perm_status perm_amplitudes_count(int m, int photons, const perm_outputs *outputs, size_t *count)
{
  permi_ranks ranks;
  perm_status status = PERM_OK;
  if (!count)
    return PERM_ERROR_NULL;
  if (m == 0 && photons >= 0) {
    *count = photons == 0;
    return PERM_OK;
  }
  status = permi_ranks_make(m, photons, outputs, &ranks, count);
  *count = status == PERM_OK ? *count : 0;
  permi_release(&permi_options(NULL)->allocator, ranks.first);
  return status;
}

PERM_MORE_API perm_status perm_amplitudes_index(int m, const int *state, const perm_outputs *outputs, size_t *index)
{
  permi_ranks ranks;
  perm_status status = PERM_OK;
  int photons = 0, d = 0, i;
  size_t count = 0;
  if (!index || (m > 0 && !state))
    return PERM_ERROR_NULL;
  *index = 0;
  if (m == 0)
    return PERM_OK;
  for (i = 0; i < m && m <= PERM_MAX_LINES; i++) {
    if (state[i] < 0 || state[i] > PERM_MAX_LINES - photons)
      return state[i] < 0 ? PERM_ERROR_COUNTS : PERM_ERROR_SIZE;
    photons += state[i];
  }
  status = permi_ranks_make(m, photons, outputs, &ranks, &count);
  for (i = m - 1; i >= 0 && status == PERM_OK; i--) { /* mode m - i */
    if (state[i] < ranks.least[m - i - 1] || state[i] > ranks.most[m - i - 1])
      status = PERM_ERROR_RANGE;
    d += state[i];
    if (i > 0 && status == PERM_OK)
      *index += permi_ranks_first(&ranks, m - i, d) -
                permi_ranks_first(&ranks, m - i, d + state[i - 1] - ranks.most[m - i]);
  }
  *index = status == PERM_OK ? *index : 0;
  permi_release(&permi_options(NULL)->allocator, ranks.first);
  return status;
}

PERM_MORE_API perm_status perm_amplitudes_state(int m, int photons, const perm_outputs *outputs, size_t index,
                                                int *state)
{
  permi_ranks ranks;
  perm_status status;
  size_t count;
  int d, from, j;
  if (m > 0 && !state)
    return PERM_ERROR_NULL;
  if (m == 0 && photons >= 0)
    return index || photons ? PERM_ERROR_RANGE : PERM_OK;
  status = permi_ranks_make(m, photons, outputs, &ranks, &count);
  if (status == PERM_OK && index >= count)
    status = PERM_ERROR_RANGE;
  for (j = m - 1, d = photons; j >= 0 && status == PERM_OK; j--) {
    const int low = d - ranks.most[j] > 0 ? d - ranks.most[j] : 0;
    size_t base;
    from = d;
    if (j > 0) {
      base = permi_ranks_first(&ranks, j, low);
      for (d = low; permi_ranks_first(&ranks, j, d + 1) - base <= index; d++)
        ;
      index -= permi_ranks_first(&ranks, j, d) - base;
    }
    state[m - 1 - j] = j > 0 ? from - d : from;
  }
  permi_release(&permi_options(NULL)->allocator, ranks.first);
  return status;
}
/* SPDX-License-Identifier: MIT */
