/* ======================================================================================== >>subsets
   The dynamic programme over counts of used rows or columns, and expansion. */
#pragma once
#include "../job/job.h"
#include "ring.h"

#define PERMI_SWEEP_ROW 64 /* states that are swept together */

/* ---- subsets: state[v] = sum over the ways in which the forms so far take up v_d copies of digit d, of products.
     state'[v] = state[v] (if forms may stay unused) + sum_d (count_d - (v_d - 1)) a_fd state[v - e_d],
   in place, v descending. Only totals of v from which the end can be reached are kept up. */
typedef struct permi_subsets {
  const permi_counts *counts;
  int skip, digits;
  size_t stride[PERMI_MOST_DIGITS], states;
  int v[PERMI_MOST_DIGITS];
  double *plane[3];          /* real, imaginary, absolute (NULL where not needed) */
  uint64_t *cell;            /* instead of the first two */
  int at[PERMI_MOST_DIGITS]; /* weights of digit d: from there, by v_d */
  double *weight[3];         /* real, imaginary, absolute */
  permi_factor *factor;      /* instead */
  double *sum[3];            /* a row of states as it grows */
  int block, row;            /* digits 0 .. block - 1 run along a row of that many states, */
  double *inner[4]; /* [digit][row] with these weights: real, imaginary, absolute, -imaginary; 0 where v_d is */
  int inner_total;  /* the largest total of these digits */
  const struct permi_sweep *sweep;
  permi_control *control; /* or NULL */
  double least_state, least_weight; /* but for zeros: where products cannot underflow, nothing is lost */
  /* the digits that can be taken back from the present row: how far, and their weights */
  int active;
  size_t offset[PERMI_MOST_DIGITS];
  int which[PERMI_MOST_DIGITS];
} permi_subsets;

/* Along a row: to += w from, with one weight or one for each; to = from, with its largest and least moduli (zeros
   apart). */
typedef struct permi_sweep {
  void (*scaled)(double *to, const double *from, double w, int n);
  void (*weighted)(double *to, const double *from, const double *w, int n);
  void (*store)(double *to, const double *from, int n, double *most, double *least);
} permi_sweep;

static void permi_sweep_scaled(double *to, const double *from, double w, int n)
{
  int x;
  for (x = 0; x < n; x++)
    to[x] += w * from[x];
}

static void permi_sweep_weighted(double *to, const double *from, const double *w, int n)
{
  int x;
  for (x = 0; x < n; x++)
    to[x] += w[x] * from[x];
}

static void permi_sweep_store(double *to, const double *from, int n, double *most, double *least)
{
  int x;
  for (x = 0; x < n; x++) {
    const double size = fabs(from[x]), other = size != 0 ? size : (double)INFINITY;
    to[x] = from[x];
    *most = size > *most ? size : *most;
    *least = other < *least ? other : *least;
  }
}

static const permi_sweep permi_sweep_plain = {permi_sweep_scaled, permi_sweep_weighted, permi_sweep_store};

#if PERMI_X86
#define PERMI_AVX2 __attribute__((target("avx2,fma")))
PERMI_AVX2 static void permi_sweep_scaled_avx2(double *to, const double *from, double w, int n)
{
  const __m256d all = _mm256_set1_pd(w);
  int x;
  for (x = 0; x + 4 <= n; x += 4)
    _mm256_storeu_pd(to + x, _mm256_fmadd_pd(all, _mm256_loadu_pd(from + x), _mm256_loadu_pd(to + x)));
  for (; x < n; x++)
    to[x] = fma(w, from[x], to[x]);
}

PERMI_AVX2 static void permi_sweep_weighted_avx2(double *to, const double *from, const double *w, int n)
{
  int x;
  for (x = 0; x + 4 <= n; x += 4)
    _mm256_storeu_pd(to + x,
                     _mm256_fmadd_pd(_mm256_loadu_pd(w + x), _mm256_loadu_pd(from + x), _mm256_loadu_pd(to + x)));
  for (; x < n; x++)
    to[x] = fma(w[x], from[x], to[x]);
}

PERMI_AVX2 static void permi_sweep_store_avx2(double *to, const double *from, int n, double *most, double *least)
{
  const __m256d sign = _mm256_set1_pd(-0.0), infinite = _mm256_set1_pd((double)INFINITY);
  __m256d large = _mm256_setzero_pd(), small = infinite;
  double ends[8] = {0};
  int x, k;
  for (x = 0; x + 4 <= n; x += 4) {
    const __m256d value = _mm256_loadu_pd(from + x), size = _mm256_andnot_pd(sign, value);
    const __m256d zero = _mm256_cmp_pd(size, _mm256_setzero_pd(), _CMP_EQ_OQ);
    _mm256_storeu_pd(to + x, value);
    large = _mm256_max_pd(large, size);
    small = _mm256_min_pd(small, _mm256_blendv_pd(size, infinite, zero));
  }
  _mm256_storeu_pd(ends, large);
  _mm256_storeu_pd(ends + 4, small);
  for (k = 0; k < 4; k++) {
    *most = ends[k] > *most ? ends[k] : *most;
    *least = ends[4 + k] < *least ? ends[4 + k] : *least;
  }
  permi_sweep_store(to + x, from + x, n - x, most, least);
}

static const permi_sweep permi_sweep_avx2 = {permi_sweep_scaled_avx2, permi_sweep_weighted_avx2,
                                             permi_sweep_store_avx2};
#endif

/* One state alone, as where every form must be used; digit 0 is v0. */
static double permi_subsets_state(permi_subsets *dp, size_t at, int v0)
{
  double sum[3] = {0, 0, 0}, most = 0;
  int plane, k;
  for (k = v0 ? -1 : 0; k < dp->active; k++) {
    const size_t from = at - (k < 0 ? 1 : dp->offset[k]);
    const int which = k < 0 ? v0 : dp->which[k];
    const double x = dp->plane[0][from], w = dp->weight[0][which];
    sum[0] += w * x;
    if (dp->plane[1]) {
      const double y = dp->plane[1][from], z = dp->weight[1][which];
      sum[0] -= z * y;
      sum[1] += w * y + z * x;
    }
    if (dp->plane[2])
      sum[2] += dp->weight[2][which] * dp->plane[2][from];
  }
  for (plane = 0; plane < 3; plane++)
    if (dp->plane[plane])
      permi_sweep_store(dp->plane[plane] + at, sum + plane, 1, &most, &dp->least_state);
  return most;
}

/* The states base + x, x0 <= x <= x1, in double. Returns the largest modulus. */
static double permi_subsets_row(permi_subsets *dp, size_t base, int x0, int x1)
{
  const permi_sweep *sweep = dp->sweep;
  double most = 0;
  int plane, k;
  for (plane = 0; plane < 3; plane++) {
    const double *state = dp->plane[plane] ? dp->plane[plane] + base : NULL;
    const double *other = plane < 2 && dp->plane[1] ? dp->plane[1 - plane] + base : NULL; /* times i w */
    double *sum = dp->sum[plane];
    const int which = plane == 2 ? 2 : 0, turned = plane ? 1 : 3;
    if (!state)
      continue;
    memcpy(sum + x0, state + x0, (size_t)(x1 - x0 + 1) * sizeof *sum);
    for (k = 0; k < dp->block; k++) { /* along the row */
      const int stride = (int)dp->stride[k], from = x0 > stride ? x0 : stride, at = k * dp->row + from;
      sweep->weighted(sum + from, state + from - stride, dp->inner[which] + at, x1 - from + 1);
      if (other)
        sweep->weighted(sum + from, other + from - stride, dp->inner[turned] + at, x1 - from + 1);
    }
    for (k = 0; k < dp->active; k++) {
      sweep->scaled(sum + x0, state + x0 - dp->offset[k], dp->weight[which][dp->which[k]], x1 - x0 + 1);
      if (other)
        sweep->scaled(sum + x0, other + x0 - dp->offset[k], (plane ? 1 : -1) * dp->weight[1][dp->which[k]],
                      x1 - x0 + 1);
    }
  }
  for (plane = 0; plane < 3; plane++)
    if (dp->plane[plane])
      sweep->store(dp->plane[plane] + base + x0, dp->sum[plane] + x0, x1 - x0 + 1, &most, &dp->least_state);
  return most;
}

/* The same in cells, with the absolute plane beside them. */
static double permi_subsets_cells(permi_subsets *dp, size_t base, int x0, int x1)
{
  const permi_ring *ring = &dp->counts->ring;
  double most = 0;
  int x, k;
  for (x = x1; x >= x0; x--) {
    uint64_t *to = dp->cell + (base + (size_t)x) * ring->size;
    double *absolute = dp->plane[2] ? dp->plane[2] + base + x : NULL, size;
    if (!dp->skip) {
      permi_cell_set(ring, to, 0);
      if (absolute)
        *absolute = 0;
    }
    for (k = x ? -1 : 0; k < dp->active; k++) {
      const size_t offset = k < 0 ? 1 : dp->offset[k];
      const int which = k < 0 ? x : dp->which[k];
      permi_cell_fuse(ring, to, to - offset * ring->size, &dp->factor[which], 0);
      if (absolute)
        *absolute += dp->weight[2][which] * absolute[-(ptrdiff_t)offset];
    }
    size = absolute ? *absolute : permi_cell_modulus(ring, to);
    most = size > most ? size : most;
    for (k = 0; k < ring->parts && !ring->words; k++) {
      size = fabs(((const permi_dd *)(const void *)to)[k].hi);
      if (size < dp->least_state && size != 0)
        dp->least_state = size;
    }
  }
  return most;
}

/* One form takes up its digit; afterwards the totals of v are from `least` to `most`. */
PERMI_NEVER_INLINE static double permi_subsets_step(permi_subsets *dp, int least, int most)
{
  const permi_counts *counts = dp->counts;
  const permi_ring *ring = &counts->ring;
  const double each = dp->cell ? (10.0 + 5 * ring->words) * ring->parts * ring->parts : 1; /* for permi_watch */
  size_t base = dp->states;
  double largest = 0;
  int total = 0, d;
  for (d = dp->block; d < dp->digits; d++) {
    dp->v[d] = counts->radix[d] - 1;
    total += dp->v[d];
  }
  for (;;) {
    double units = 2;
    base -= (size_t)dp->row;
    if (total <= most && total + dp->inner_total >= least) {
      /* of one digit only what is needed; of more all: states with other totals are right, or never looked at */
      const int x0 = dp->block == 1 && least > total ? least - total : 0;
      const int x1 = dp->block == 1 && most - total < dp->row - 1 ? most - total : dp->row - 1;
      double size;
      dp->active = 0;
      for (d = dp->block; d < dp->digits; d++)
        if (dp->v[d] && dp->weight[2][dp->at[d] + dp->v[d]] != 0) {
          dp->offset[dp->active] = dp->stride[d];
          dp->which[dp->active++] = dp->at[d] + dp->v[d];
        }
      if (dp->cell)
        size = permi_subsets_cells(dp, base, x0, x1);
      else if (dp->skip)
        size = permi_subsets_row(dp, base, x0, x1);
      else /* one total is needed */
        size = permi_subsets_state(dp, base + (size_t)x0, x0);
      largest = size > largest ? size : largest;
      units += (double)(x1 - x0 + 1) * (1 + dp->block + dp->active) * each;
    }
    if (permi_watch(dp->control, units))
      return largest;
    for (d = dp->block; d < dp->digits && dp->v[d] == 0; d++) {
      dp->v[d] = counts->radix[d] - 1;
      total += dp->v[d];
    }
    if (d == dp->digits)
      return largest;
    dp->v[d]--;
    total--;
  }
}

/* Weights of a form: by digit and v_d, what v_d - 1 used copies leave times the entry. */
static void permi_subsets_weights(permi_subsets *dp, int form)
{
  const permi_counts *counts = dp->counts;
  int d, v, part;
  dp->least_weight = 1;
  for (d = 0; d < dp->digits; d++)
    for (part = 0; part < counts->parts; part++) {
      const double x = fabs(permi_counts_entry(counts, d, part, form));
      if (x < dp->least_weight && x != 0)
        dp->least_weight = x;
    }
  for (d = 0; d < dp->digits; d++)
    for (v = 1; v < counts->radix[d]; v++) {
      const int left = counts->digit_count[d] - (v - 1), at = dp->at[d] + v;
      dp->weight[2][at] = left * permi_counts_modulus(counts, d, form);
      if (dp->factor)
        dp->factor[at] = permi_counts_factor(counts, d, form, left);
      else {
        dp->weight[0][at] = left * permi_counts_entry(counts, d, 0, form);
        if (counts->parts == 2)
          dp->weight[1][at] = left * permi_counts_entry(counts, d, 1, form);
      }
    }
  for (d = 0; d < dp->block && dp->skip && !dp->factor; d++) {
    const int stride = (int)dp->stride[d];
    int x, k, plane;
    for (plane = 0; plane < 4; plane++) {
      const double *weight = dp->weight[plane == 3 ? 1 : plane] + dp->at[d], sign = plane == 3 ? -1 : 1;
      double *inner = dp->inner[plane] + d * dp->row;
      if (plane == 2 ? !dp->plane[2] : plane && !dp->plane[1])
        continue;
      for (x = 0, v = 0; x < dp->row; x += stride, v = v + 1 < counts->radix[d] ? v + 1 : 0)
        for (k = x; k < x + stride; k++)
          inner[k] = v ? sign * weight[v] : 0;
    }
  }
}

/* All states times 2^-e; exact but for what underflows. */
PERMI_COLD static void permi_subsets_rescale(permi_subsets *dp, int e)
{
  const permi_ring *ring = &dp->counts->ring;
  size_t s;
  int plane;
  for (plane = 0; plane < 3; plane++)
    for (s = 0; dp->plane[plane] && s < dp->states; s++)
      dp->plane[plane][s] = ldexp(dp->plane[plane][s], -e);
  if (dp->cell)
    for (s = 0; s < dp->states * (size_t)ring->parts; s++)
      ((permi_dd *)(void *)dp->cell)[s] = permi_dd_scale(((permi_dd *)(void *)dp->cell)[s], -e);
}

PERMI_COLD static size_t permi_counts_states(const permi_counts *counts)
{
  double states = 1;
  int d;
  for (d = 0; d < counts->digits; d++)
    states *= counts->radix[d];
  return states < 1e18 ? (size_t)states : 0;
}

/* The sum of the states at the end: of all whose total is what is needed. */
PERMI_COLD static void permi_subsets_finish(permi_subsets *dp, perm_partial *partial)
{
  const permi_counts *counts = dp->counts;
  size_t s;
  int d, total;
  memset(dp->v, 0, sizeof dp->v);
  for (s = 0, total = 0; s < dp->states; s++) {
    if (total == counts->needed) {
      if (dp->cell) {
        permi_cell_sum(&counts->ring, dp->cell + s * counts->ring.size, partial);
        permi_sum_add_double(&partial->absolute,
                             dp->plane[2] ? dp->plane[2][s]
                                          : permi_cell_modulus(&counts->ring, dp->cell + s * counts->ring.size));
      } else {
        permi_sum_add_double(&partial->value, dp->plane[0][s]);
        if (dp->plane[1])
          permi_sum_add_double(&partial->imaginary, dp->plane[1][s]);
        permi_sum_add_double(&partial->absolute, dp->plane[2] ? dp->plane[2][s] : dp->plane[0][s]);
      }
    }
    for (d = 0; d < dp->digits && dp->v[d] == counts->radix[d] - 1; d++) {
      total -= dp->v[d];
      dp->v[d] = 0;
    }
    if (d < dp->digits) {
      dp->v[d]++;
      total++;
    }
  }
}

/* What an operation can lose by underflow, a few times the least double: double-doubles lose several. */
#define PERMI_LEAST 4e-323

PERMI_COLD static perm_status permi_subsets_run(permi_subsets *dp, permi_control *control, double seconds,
                                                perm_partial *partial)
{
  const permi_counts *counts = dp->counts;
  double lost = 0;
  int form, copy, step = 0;
  dp->control = control;
  if (control)
    control->done = 0;
  dp->least_state = 1;
  for (form = 0; form < counts->forms; form++) {
    permi_subsets_weights(dp, form);
    for (copy = 0; copy < counts->form_count[form]; copy++) {
      const int reach = ++step < counts->needed ? step : counts->needed, left = counts->form_total - step;
      const int safe = dp->least_state * dp->least_weight > 1e-250; /* double-doubles keep their low parts too */
      double most;
      int e;
      dp->least_state = (double)INFINITY;
      most = permi_subsets_step(dp, counts->needed > left ? counts->needed - left : 0, reach);
      if (control && control->stopped != PERM_OK)
        return control->stopped;
      if (!counts->integer && !counts->whole) {
        lost += safe ? 0 : PERMI_LEAST * (dp->digits + 2.0) * (double)dp->states;
        if (most > 0 && (most < 1e120 || most > 1e200)) { /* to about 2^600: as far above underflow as is safe */
          frexp(most, &e);
          e -= 600;
          permi_subsets_rescale(dp, e);
          partial->exp2 += e;
          lost = ldexp(lost, -e) + (dp->least_state > 1e-190 ? 0 : PERMI_LEAST * (double)dp->states);
          dp->least_state = ldexp(dp->least_state, -e);
        }
      }
      if (control)
        control->done = seconds * step / counts->form_total;
    }
  }
  permi_subsets_finish(dp, partial);
  partial->lost += lost;
  partial->terms += (double)dp->states * counts->form_total;
  return PERM_OK;
}

PERMI_COLD static perm_status permi_subsets_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_counts *counts = (const permi_counts *)leaf->context;
  const perm_allocator *allocator = &counts->allocator;
  permi_subsets dp;
  perm_partial mine;
  perm_status status = PERM_ERROR_MEMORY;
  size_t weights = 0, size;
  double *memory;
  int d, plane;
  memset(&dp, 0, sizeof dp);
  memset(&mine, 0, sizeof mine);
  dp.counts = counts;
  dp.digits = counts->digits;
  dp.skip = counts->skips > 0;
  dp.states = permi_counts_states(counts);
  for (d = 0; d < dp.digits; d++) {
    dp.at[d] = (int)weights;
    weights += (size_t)counts->radix[d];
    dp.stride[d] = d ? dp.stride[d - 1] * (size_t)counts->radix[d - 1] : 1;
  }
  size = (counts->plain ? (size_t)counts->parts : counts->ring.size) + (counts->signs && !counts->integer);
  if (dp.states > SIZE_MAX / 32 / size)
    return PERM_ERROR_MEMORY;
  dp.block = 1;
  dp.row = counts->radix[0];
  while (dp.skip && counts->plain && dp.block < dp.digits && dp.row * counts->radix[dp.block] <= PERMI_SWEEP_ROW)
    dp.row *= counts->radix[dp.block++];
  for (d = 0; d < dp.block; d++)
    dp.inner_total += counts->radix[d] - 1;
  dp.sweep = &permi_sweep_plain;
#if PERMI_X86
  if (leaf->information.isa >= PERM_ISA_AVX2)
    dp.sweep = &permi_sweep_avx2;
#endif
  memory = (double *)permi_allocate(
      allocator, dp.states * size + (3 + 4 * (size_t)dp.block) * (size_t)dp.row + 3 * weights, sizeof(double));
  if (!counts->plain)
    dp.factor = (permi_factor *)permi_allocate(allocator, weights, sizeof *dp.factor);
  if (memory && (counts->plain || dp.factor)) {
    double *next = memory;
    for (plane = 0; plane < 3; plane++) {
      dp.weight[plane] = next;
      dp.sum[plane] = next + weights;
      next += weights + (size_t)dp.row;
    }
    memset(dp.weight[1], 0, weights * sizeof(double));
    for (plane = 0; plane < 4; plane++, next += dp.block * dp.row)
      dp.inner[plane] = next;
    if (control)
      control->activity = "subsets";
    if (!permi_zero(control, next, dp.states * size * sizeof(double))) {
      status = control->stopped;
    } else {
      for (plane = 0; plane < 3; plane++)
        if (plane == 2 ? counts->signs && !counts->integer : counts->plain && plane < counts->parts) {
          dp.plane[plane] = next;
          next += dp.states;
          dp.plane[plane][0] = plane == 1 ? 0 : 1;
        }
      if (!counts->plain) {
        dp.cell = (uint64_t *)(void *)next;
        permi_cell_set(&counts->ring, dp.cell, 1);
      }
      status = permi_subsets_run(&dp, control, leaf->information.seconds, &mine);
    }
  }
  permi_release(allocator, memory);
  permi_release(allocator, dp.factor);
  if (status != PERM_OK)
    return status;
  mine.chunks = 1; /* so that the merge looks at it */
  mine.exp2 += partial->exp2;
  permi_sum_add(&partial->value, &mine.value);
  permi_sum_add(&partial->imaginary, &mine.imaginary);
  permi_sum_add(&partial->absolute, &mine.absolute);
  partial->exp2 = mine.exp2;
  partial->lost += mine.lost;
  partial->terms += mine.terms;
  return PERM_OK;
}

/* ---- expansion: form by form, a digit that is not used up; products of double-doubles, or exact. */
PERMI_COLD static perm_status permi_expand_counts(const permi_counts *counts, permi_control *control, int *left,
                                                  int *chosen, int *form_of, uint64_t *cell, perm_partial *partial)
{
  const permi_ring *ring = &counts->ring;
  uint32_t steps = 0;
  int depth = 0, d;
  permi_cell_set(ring, cell, 1);
  for (d = 0; d < counts->digits; d++)
    left[d] = counts->digit_count[d];
  chosen[0] = -1;
  while (depth >= 0) {
    if (depth == counts->form_total) {
      permi_cell_sum(ring, cell + (size_t)depth * ring->size, partial);
      permi_sum_add_double(&partial->absolute, permi_cell_modulus(ring, cell + (size_t)depth * ring->size));
      partial->terms++;
      depth--;
      continue;
    }
    d = chosen[depth];
    if (d >= 0)
      left[d]++;
    for (d++; d < counts->digits && (!left[d] || permi_counts_modulus(counts, d, form_of[depth]) == 0); d++)
      ;
    chosen[depth] = d;
    if (d == counts->digits) {
      depth--;
      continue;
    }
    {
      const permi_factor factor = permi_counts_factor(counts, d, form_of[depth], left[d]--);
      uint64_t *to = cell + (size_t)(depth + 1) * ring->size;
      memcpy(to, to - ring->size, ring->size * sizeof *to);
      permi_cell_multiply(ring, to, &factor, cell + ((size_t)counts->form_total + 1) * ring->size);
    }
    chosen[++depth] = -1;
    if (control && !(++steps & 0xffff)) {
      perm_status status = permi_control_poll(control, 0, "expanding");
      if (status != PERM_OK)
        return status;
    }
  }
  return PERM_OK;
}

PERMI_COLD static perm_status permi_expand_counts_task(const permi_leaf *leaf, permi_control *control,
                                                       perm_partial *partial)
{
  const permi_counts *counts = (const permi_counts *)leaf->context;
  const perm_allocator *allocator = &counts->allocator;
  const size_t depths = (size_t)counts->form_total + 2;
  perm_partial mine = *partial;
  perm_status status = PERM_ERROR_MEMORY;
  uint64_t *cell = (uint64_t *)permi_allocate(allocator, depths * counts->ring.size, sizeof *cell);
  int *left = (int *)permi_allocate(allocator, 2 * depths + (size_t)counts->digits, sizeof *left);
  if (cell && left) {
    int *chosen = left + counts->digits, *form_of = chosen + depths, k = 0, form, copy;
    for (form = 0; form < counts->forms; form++)
      for (copy = 0; copy < counts->form_count[form]; copy++)
        form_of[k++] = form;
    status = permi_expand_counts(counts, control, left, chosen, form_of, cell, &mine);
  }
  permi_release(allocator, cell);
  permi_release(allocator, left);
  if (status == PERM_OK)
    *partial = mine;
  return status;
}
