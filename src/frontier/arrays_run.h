/* ===================================================================================== >>arrays_run
   Running the arrays: passes, underflow, the task, what it costs. */
#pragma once
#include "steps_run.h"
#include "streams.h"
#include "array_layout.h"
#include "arrays_gpu.h"

/* Smallest and largest of the non-zero moduli of every stride-th double. What is 0 stays 0 and loses nothing. */
static void permi_array_track(const double *x, size_t doubles, size_t stride, double *smallest, double *largest)
{
  double low = *smallest, high = *largest;
  size_t k;
  for (k = 0; k < doubles; k += stride) {
    const double y = fabs(x[k]);
    low = y < low && y > 0 ? y : low;
    high = y > high ? y : high;
  }
  *smallest = low;
  *largest = high;
}

/* The blocks under one word of top bits. */
static void permi_array_blocks(const permi_arrays_run *run, const permi_layout *source, const permi_layout *target,
                               const char *from, char *to, int ways, uint32_t top, permi_origin *origin,
                               double *smallest, double *largest)
{
  const permi_arrays *arrays = run->arrays;
  const int ones = permi_count_ones(top), bits = arrays->middle;
  const uint32_t middle_mask = (1u << bits) - 1;
  const size_t doubles = run->bytes / sizeof(double);
  const size_t stride = run->kind == PERMI_CELL_COMPLEX_DD ? 2 : 1, tracked = run->kind == PERMI_CELL_DD ? 1 : doubles;
  char *y = to + (size_t)target->top_offset[top] * run->bytes;
  int i, s;
  for (i = target->middle_start[ones]; i < target->middle_start[ones + 1]; i++) {
    const uint32_t high = top << bits | target->middle[i];
    const int left = target->left[i], start = target->start[left];
    const size_t count = (size_t)(target->start[left + 1] - start);
    int origins = 0;
    for (s = 0; s < ways; s++) {
      const permi_way *way = &run->way[s];
      const int low_ones = left + way->low_ones;
      uint32_t word;
      if ((high & way->test) != way->want || low_ones < 0 || low_ones > source->low)
        continue;
      word = (high & way->keep) ^ way->flip;
      origin[origins] = way->origin;
      const size_t middle = (size_t)(ones + way->top_ones) << bits | (word & middle_mask);
      origin[origins].x =
          from + (size_t)(source->top_offset[word >> bits] + source->middle_offset[middle]) * run->bytes;
      origin[origins].count = (size_t)(source->start[low_ones + 1] - source->start[low_ones]);
      origin[origins].place = way->place ? way->place + start : NULL;
      origin[origins++].eight = way->place ? way->eight + start / 8 + left : NULL;
    }
    run->kernel(run, y, count, origin, origins);
    if (run->tracking)
      permi_array_track((const double *)(const void *)y, count * tracked, stride, smallest, largest);
    y += count * run->bytes;
  }
}

#define PERMI_ARRAY_POLL 262144 /* states between polls */

/* A step of the programme on arrays: blocks of the target with the same top bits, shared by threads. */
typedef struct permi_array_stepping {
  permi_arrays_run *run;
  const permi_layout *source, *target;
  const char *from;
  char *to;
  int ways;
  double before, seconds;
  size_t unpolled;
} permi_array_stepping;

static perm_status permi_array_top(void *context, uint64_t number, int thread)
{
  permi_array_stepping *step = (permi_array_stepping *)context;
  permi_arrays_run *run = step->run;
  const permi_layout *target = step->target;
  const uint32_t top = target->top[number];
  permi_extremes *sizes = &run->sizes[thread];
  permi_array_blocks(run, step->source, target, step->from, step->to, step->ways, top,
                     run->origin + (size_t)thread * (size_t)run->most, &sizes->smallest, &sizes->largest);
  if (thread || !run->control || (step->unpolled += target->states / (size_t)target->tops) <= PERMI_ARRAY_POLL)
    return PERM_OK;
  step->unpolled = 0;
  return permi_control_poll(run->control, step->before + step->seconds * (double)target->top_offset[top] /
                                                             (double)target->states, "frontier");
}

static perm_status permi_array_step(permi_arrays_run *run, int p)
{
  const permi_frontier *frontier = run->frontier;
  permi_array_stepping step;
  perm_status status;
  int k, threads;
  step.run = run;
  step.ways = run->arrays->pull_start[p + 1] - run->arrays->pull_start[p];
  step.source = &run->layout[p & 1];
  step.target = &run->layout[(p + 1) & 1];
  step.from = run->values[p & 1];
  step.to = run->values[(p + 1) & 1];
  step.seconds = (frontier->cost[p + 1] - frontier->cost[p]) * run->seconds_each;
  step.before = run->seconds_before + frontier->cost[p] * run->seconds_each;
  step.unpolled = 0;
  threads = step.seconds < PERMI_PARALLEL_SECONDS ? 1 : run->threads;
  for (k = 0; k < threads; k++) {
    run->sizes[k].smallest = DBL_MAX;
    run->sizes[k].largest = 0;
  }
  status = permi_share(threads, 0, (uint64_t)step.target->tops, permi_array_top, &step, NULL);
  if (run->tracking) {
    run->smallest = DBL_MAX;
    run->largest = 0;
    for (k = 0; k < threads; k++) {
      run->smallest = run->sizes[k].smallest < run->smallest ? run->sizes[k].smallest : run->smallest;
      run->largest = run->sizes[k].largest > run->largest ? run->sizes[k].largest : run->largest;
    }
  }
  return status;
}

/* -- running ----------------------------------------------------------------------------------- */

static size_t permi_cell_bytes(const permi_frontier *frontier, permi_cell_kind kind)
{
  static const size_t doubles[] = {1, 2, 2, 4};
  return sizeof(double) * (kind < PERMI_CELL_WORD ? doubles[kind] : (size_t)(frontier->words * frontier->parts));
}

/* What the first pass computes; moduli, if they are wanted, come in a second one. */
static permi_cell_kind permi_arrays_kind(const permi_frontier *frontier)
{
  static const permi_cell_kind kind[] = {PERMI_CELL_DOUBLE, PERMI_CELL_DOUBLE, PERMI_CELL_COMPLEX,
                                         PERMI_CELL_DD,     PERMI_CELL_DD,     PERMI_CELL_COMPLEX_DD,
                                         PERMI_CELL_WORD,   PERMI_CELL_WIDE,   PERMI_CELL_WORDS,
                                         PERMI_CELL_RESIDUES};
  return kind[frontier->algebra];
}

static int permi_arrays_passes(const permi_frontier *frontier)
{
  return frontier->algebra >= PERMI_WORD || frontier->algebra == PERMI_MAGNITUDES ||
                 frontier->algebra == PERMI_MAGNITUDES_DD
             ? 1
             : 2;
}

/* As permi_run_rescale; values are those of the buffer times 2^exp2. */
static perm_status permi_array_rescale(permi_arrays_run *run, double *x, size_t states)
{
  perm_status status = PERM_OK;
  size_t k;
  int e, half;
  if (run->largest == 0 || (run->largest > 1e-150 && run->largest < 1e150))
    return status;
  frexp(run->largest, &e);
  half = e / 2;
  if (run->gpu)
    status = permi_gpu_scale(run, states, ldexp(1, -half), ldexp(1, half - e));
  else
    for (k = 0; k < states * run->bytes / sizeof(double); k++)
      x[k] = x[k] * ldexp(1, -half) * ldexp(1, half - e);
  run->loss = permi_loss_scaled(run->loss, 1, -e);
  run->smallest = ldexp(run->smallest, -e);
  run->largest = ldexp(run->largest, -e);
  if (e > 0 && run->smallest < PERMI_ARRAY_SAFE)
    run->loss += 2 * DBL_MIN;
  run->exp2 += e;
  return status;
}

/* sum |c| and the least |c| != 0 of the parts of the coefficients of a step. */
static double permi_ways_weight(const permi_arrays_run *run, int p, double *least)
{
  const permi_arrays *arrays = run->arrays;
  double weight = 0;
  int s;
  *least = 1;
  for (s = arrays->pull_start[p]; s < arrays->pull_start[p + 1]; s++) {
    const permi_pull *pull = &arrays->pull[s];
    const double real = run->absolute ? pull->absolute : fabs(pull->real);
    const double imaginary = run->absolute ? 0 : fabs(pull->imaginary);
    weight += pull->absolute;
    *least = real > 0 && real < *least ? real : *least;
    *least = imaginary > 0 && imaginary < *least ? imaginary : *least;
  }
  return weight * (1 + 1e-12);
}

/* UNDERFLOW. smallest and largest bound the moduli of the non-zero parts of the values, high parts of double-doubles.
   They are measured only when needed: products of doubles are multiples of 2^-106 times themselves, and so are their
   sums, however they cancel; thus smallest 2^-106 least |c| bounds the next step's values that are not 0, and where
   nothing can cancel the power of two may be left out. A step whose values might then make a product below
   PERMI_ARRAY_SAFE, or one beyond 1e150, is measured. If all products are above it, everything is a multiple of
   2^-936 and nothing underflows but low parts of double-doubles, by less than 2^-200 of the product, for which
   PERMI_DD_UNIT has room. Else a product and its sum lose at most 16 DBL_MIN in every part, as in >>steps. */
static perm_status permi_arrays_pass(permi_arrays_run *run)
{
  const permi_arrays *arrays = run->arrays;
  const permi_frontier *frontier = run->frontier;
  const int doubles = run->kind < PERMI_CELL_WORD, cancels = !run->absolute && frontier->algebra != PERMI_MAGNITUDES &&
                                                           frontier->algebra != PERMI_MAGNITUDES_DD;
  double least, weight, next_least;
  perm_status status = PERM_OK;
  int p;
  run->bytes = permi_cell_bytes(frontier, run->kind);
  run->kernel = permi_arrays_kernel(run->kind, arrays->isa);
  run->kernel_eights = run->kind < PERMI_CELL_COMPLEX && arrays->isa >= PERM_ISA_AVX512;
  run->smallest = run->largest = 1;
  run->loss = 0;
  run->exp2 = 0;
  permi_layout_fill(arrays, &run->layout[0], 0, 0);
  memset(run->values[0], 0, run->bytes);
  if (run->gpu)
    status = permi_gpu_begin(run);
  else if (doubles)
    *(double *)(void *)run->values[0] = 1;
  else
    *(uint64_t *)(void *)run->values[0] = 1;
  for (p = 0; p < frontier->steps && status == PERM_OK; p++) {
    permi_layout *source = &run->layout[p & 1], *target = &run->layout[(p + 1) & 1];
    if (!arrays->lists) {
      permi_layout_fill(arrays, target, arrays->occupied[p + 1], arrays->ones[p + 1]);
      permi_ways_fill(run, p, source, target);
    }
    run->tracking = 0;
    if (doubles) {
      weight = permi_ways_weight(run, p, &least);
      run->loss = permi_loss_scaled(run->loss, weight, 0);
      if (run->smallest * least < PERMI_ARRAY_SAFE)
        run->loss += 16 * DBL_MIN * (arrays->pull_start[p + 1] - arrays->pull_start[p]);
      run->smallest *= least * (cancels ? 1.2e-32 : 1 - 1e-9);
      run->largest *= 2 * weight;
      if (p + 1 < frontier->steps) {
        weight = permi_ways_weight(run, p + 1, &next_least);
        run->tracking = run->smallest * next_least < PERMI_ARRAY_SAFE || run->largest * weight > 1e150;
      }
    }
    if (run->control && (run->gpu || (p & 15) == 0))
      status =
          permi_control_poll(run->control, run->seconds_before + frontier->cost[p] * run->seconds_each, "frontier");
    if (status == PERM_OK)
      status = arrays->lists ? permi_gpu_unite(run, p)
               : run->gpu    ? permi_gpu_step(run, p)
                             : permi_array_step(run, p);
    if (status == PERM_OK && run->tracking)
      status = permi_array_rescale(run, (double *)(void *)run->values[(p + 1) & 1], target->states);
    run->visited += run->absolute ? 0 : (double)target->states;
  }
  if (status == PERM_OK && run->gpu)
    status = permi_gpu_value(run, run->values[frontier->steps & 1]);
  return status;
}

/* As permi_frontier_finish: value and the sum of moduli of the terms, each with its own exponent and loss. The theorem
   there is about additions of products, whatever holds them. */
static void permi_arrays_finish(const permi_frontier *frontier, const permi_arrays_run *run, const double (*x)[4],
                                const double *loss, const long long *exp2, perm_partial *partial)
{
  const int passes = permi_arrays_passes(frontier), kind = (int)permi_arrays_kind(frontier);
  const int apart = kind == PERMI_CELL_DD || kind == PERMI_CELL_COMPLEX_DD ? 2 : 1;
  const int parts = kind == PERMI_CELL_COMPLEX || kind == PERMI_CELL_COMPLEX_DD ? 2 : 1;
  const long long common = passes == 2 && exp2[1] > exp2[0] ? exp2[1] : exp2[0];
  double lost = 0;
  int pass, k;
  for (pass = 0; pass < passes; pass++) {
    const int shift = permi_int_exponent(exp2[pass] - common);
    for (k = 0; k < (pass ? 1 : apart * parts); k++) {
      const double y = ldexp(x[pass][k], shift);
      permi_sum_add_double(pass ? &partial->absolute : k < apart ? &partial->value : &partial->imaginary, y);
      if (passes == 1)
        permi_sum_add_double(&partial->absolute, y);
    }
    lost += ldexp(loss[pass], shift) + (shift ? 4 * DBL_MIN : 0);
  }
  if (frontier->lost_error > 0)
    lost += DBL_MIN + ldexp(frontier->lost_error, permi_int_exponent(-common));
  partial->lost += 2 * lost; /* 2: its own roundings, generously */
  partial->exp2 = common;
  partial->terms += run->visited;
}

static perm_status permi_arrays_run_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_frontier *frontier = (const permi_frontier *)leaf->context;
  const permi_arrays *arrays = frontier->arrays;
  const perm_allocator *allocator = &frontier->allocator;
  const int passes = permi_arrays_passes(frontier);
  const size_t table = ((size_t)1 << arrays->low) + PERMI_ARRAY_PAD;
  const int gpu = arrays->isa == PERM_ISA_CUDA;
  permi_arrays_run run;
  double value[2][4], loss[2];
  char message[PERM_MESSAGE_BYTES] = "";
  long long exp2[2];
  int p, pass, ok = 1;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&run, 0, sizeof run);
  memset(value, 0, sizeof value);
  run.frontier = frontier;
  run.arrays = arrays;
  run.control = control;
  run.threads =
      control && !gpu && leaf->information.seconds >= PERMI_PARALLEL_SECONDS ? permi_threads(control->options) : 1;
  run.kind = permi_arrays_kind(frontier);
  run.words = frontier->words;
  run.parts = frontier->parts;
  run.modulus = frontier->modulus;
  run.stride = (size_t)(frontier->words * frontier->parts);
  run.seconds_each = leaf->information.seconds / (passes * (frontier->cost[frontier->steps] + 1));
  for (p = 0; p < frontier->steps; p++) {
    const int ways = arrays->pull_start[p + 1] - arrays->pull_start[p];
    run.most = ways > run.most ? ways : run.most;
  }
  run.way = (permi_way *)permi_allocate(allocator, (size_t)run.most, sizeof *run.way);
  run.origin = (permi_origin *)permi_allocate(allocator, (size_t)run.most * (size_t)run.threads, sizeof *run.origin);
  run.sizes = (permi_extremes *)permi_allocate(allocator, (size_t)run.threads, sizeof *run.sizes);
  run.places = (uint16_t *)permi_allocate(allocator, (size_t)run.most * table, sizeof(uint16_t));
  run.eights = (permi_eight *)permi_allocate(
      allocator, (size_t)run.most * (((size_t)1 << arrays->low) / 8 + PERMI_ARRAY_LOW + 2), sizeof(permi_eight));
  for (p = 0; p < 2; p++) {
    const double size = (gpu ? 1 : frontier->room[p]) * (double)permi_cell_bytes(frontier, run.kind) + PERMI_ARRAY_PAD;
    ok = permi_layout_create(allocator, arrays, &run.layout[p]) && ok;
    if (size < (double)(SIZE_MAX / 2))
      run.values[p] = (char *)permi_allocate(allocator, (size_t)size, 1);
  }
  if (gpu) {
    run.gpu_way = (perm_gpu_way *)permi_allocate(allocator, (size_t)run.most, sizeof *run.gpu_way);
    run.gpu_stream = (perm_gpu_stream *)permi_allocate(allocator, (size_t)run.most, sizeof *run.gpu_stream);
  }
  if (ok && run.way && run.origin && run.sizes && run.places && run.eights && run.values[0] && run.values[1] &&
      (!gpu || (run.gpu_way && run.gpu_stream))) {
    memset(run.places, 0, (size_t)run.most * table * sizeof(uint16_t)); /* vectors read a little beyond */
    status = gpu ? permi_gpu_create(&run, permi_cell_bytes(frontier, run.kind), message) : PERM_OK;
  }
  for (pass = 0; pass < passes && status == PERM_OK; pass++) {
    run.absolute = pass;
    if (pass)
      run.kind = PERMI_CELL_DOUBLE;
    run.seconds_before = pass * leaf->information.seconds / passes;
    status = permi_arrays_pass(&run);
    if (frontier->algebra < PERMI_WORD)
      memcpy(value[pass], run.values[frontier->steps & 1], run.bytes);
    loss[pass] = run.loss;
    exp2[pass] = run.exp2;
  }
  if (status == PERM_OK && frontier->algebra < PERMI_WORD) {
    permi_arrays_finish(frontier, &run, (const double(*)[4])value, loss, exp2, partial);
  } else if (status == PERM_OK) {
    const uint64_t *x = (const uint64_t *)(const void *)run.values[frontier->steps & 1];
    permi_frontier_add_integer(&partial->value, x, frontier);
    if (frontier->parts == 2)
      permi_frontier_add_integer(&partial->imaginary, x + frontier->words, frontier);
    partial->terms += run.visited;
  }
  if (gpu) {
    permi_gpu_free(&run);
    if (control && status == PERM_OK)
      control->gpus = control->gpus > 1 ? control->gpus : 1;
    else if (control)
      memcpy(control->message, message, sizeof message);
  }
  for (p = 0; p < 2; p++) {
    permi_layout_release(allocator, &run.layout[p]);
    permi_release(allocator, run.values[p]);
  }
  permi_release(allocator, run.gpu_way);
  permi_release(allocator, run.gpu_stream);
  permi_release(allocator, run.way);
  permi_release(allocator, run.origin);
  permi_release(allocator, run.sizes);
  permi_release(allocator, run.places);
  permi_release(allocator, run.eights);
  return status;
}

/* -- from an order to pulls -------------------------------------------------------------------- */

/* As permi_frontier_slots: the lowest free slot, in the order of the states lived through. Returns how many slots, or
   0: over 64, or watch says stop. */
static int permi_array_slots(const permi_frontier *frontier, int vertices, const int *birth, const int *death,
                             permi_life *life, uint64_t *busy, int *slot, permi_control *watch)
{
  int v, p, i, lives = 0, most = 1;
  double units = 0;
  for (v = 0; v < vertices; v++) {
    slot[v] = 0;
    if (birth[v] < 0 || death[v] <= birth[v])
      continue;
    if (permi_watch_gather(watch, &units, 20.0 + death[v] - birth[v]))
      return 0;
    life[lives].vertex = v;
    life[lives].weight = 0;
    for (p = birth[v] + 1; p <= death[v]; p++)
      life[lives].weight += frontier->states[p];
    lives++;
  }
  if (!permi_sort(life, (size_t)lives, sizeof *life, permi_life_compare, watch))
    return 0;
  memset(busy, 0, ((size_t)frontier->steps + 1) * sizeof *busy);
  for (i = 0; i < lives; i++) {
    uint64_t taken = 0;
    v = life[i].vertex;
    if (permi_watch_gather(watch, &units, 20 + 2.0 * (death[v] - birth[v])))
      return 0;
    for (p = birth[v] + 1; p <= death[v]; p++)
      taken |= busy[p];
    if (!~taken)
      return 0;
    slot[v] = permi_trailing_zeros(~taken);
    most = slot[v] >= most ? slot[v] + 1 : most;
    for (p = birth[v] + 1; p <= death[v]; p++)
      busy[p] |= UINT64_C(1) << slot[v];
  }
  return most;
}

/* The pulls of step p, which eliminates v; returns how many. Bits e: see above. */
static int permi_array_pulls(const permi_block *block, const permi_arrays *arrays, const permi_frontier *frontier,
                             int p, int v, const int *birth, const int *death, const int *slot, permi_pull *pull)
{
  const int n = block->n, held = birth[v] >= 0 && birth[v] < p;
  const uint64_t one = 1, mine = v < n ? 0 : ~UINT64_C(0), theirs = ~mine; /* e of the matched on v's and t's side */
  uint64_t born = 0, dead = 0, test, none, full;
  int e, used = 0;
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int t = block->neighbour[e];
    if (death[t] == p)
      dead |= one << slot[t];
    else if (birth[t] == p)
      born |= one << slot[t];
  }
  test = born;
  none = born & ~theirs; /* the target where none of those that enter is matched */
  full = dead & theirs;  /* the source where all that leave are matched */
  for (e = block->start[v] - 1; e < block->start[v + 1]; e++) {
    permi_pull *next = &pull[used];
    const int drop = e < block->start[v], t = drop ? -1 : block->neighbour[e];
    const uint64_t bit = drop ? 0 : one << slot[t];
    if (drop ? !held : death[t] < p)
      continue;
    next->test = test;
    next->want = none;
    next->keep = arrays->occupied[p + 1] & ~born;
    next->flip = full;
    if (held)
      next->flip |= (one << slot[v]) & (drop ? mine : ~mine);
    if (drop) {
      next->real = next->absolute = 1;
      next->imaginary = 0;
      next->integer[0] = 1;
      next->integer[1] = 0;
    } else {
      if (death[t] == p) {
        next->flip ^= bit; /* it leaves, matched with v */
      } else if (birth[t] == p) {
        next->want ^= bit;
      } else {
        next->test |= bit;
        next->want |= bit & theirs;
        next->flip |= bit;
      }
      next->real = block->real ? block->real[block->edge[e]] : 0;
      next->imaginary = block->imaginary ? block->imaginary[block->edge[e]] : 0;
      next->absolute = block->real ? block->absolute[block->edge[e]] : 0;
      next->integer[0] = block->integer ? block->integer[block->edge[e]] : 0;
      next->integer[1] = block->imaginary_integer ? block->imaginary_integer[block->edge[e]] : 0;
      if (frontier->algebra == PERMI_RESIDUES) {
        next->integer[0] = permi_residue_of(next->integer[0], frontier->modulus);
        next->integer[1] = permi_residue_of(next->integer[1], frontier->modulus);
      }
    }
    used++;
  }
  return used;
}

/* The frontier programme of this order on arrays, *made; NULL where it has too many slots, or watch says stop. 0: out
   of memory. */
static int permi_arrays_create(const perm_allocator *allocator, const permi_block *block, const int *order,
                               const permi_frontier *frontier, perm_isa isa, permi_control *watch,
                               permi_arrays **made)
{
  const int n = block->n;
  const size_t vertices = 2 * (size_t)n;
  permi_walk walk;
  permi_arrays *arrays = (permi_arrays *)permi_allocate(allocator, 1, sizeof *arrays);
  int *numbers = (int *)permi_allocate(allocator, 7 * vertices, sizeof(int)), *sequence, *birth, *death, *slot;
  permi_life *life = (permi_life *)permi_allocate(allocator, vertices, sizeof *life);
  uint64_t *busy = (uint64_t *)permi_allocate(allocator, vertices + 1, sizeof *busy);
  int i, e, v, p = 0, slots, ok = 0;
  walk.state = (unsigned char *)permi_allocate(allocator, vertices, 1);
  *made = NULL;
  if (arrays)
    memset(arrays, 0, sizeof *arrays);
  if (!arrays || !numbers || !life || !busy || !walk.state)
    goto done;
  arrays->isa = isa;
  arrays->pull_start = (int *)permi_allocate(allocator, vertices + 1, sizeof(int));
  arrays->pull = (permi_pull *)permi_allocate(allocator, (size_t)block->edges + vertices, sizeof(permi_pull));
  arrays->occupied = (uint64_t *)permi_allocate(allocator, vertices + 1, sizeof(uint64_t));
  arrays->ones = (int *)permi_allocate(allocator, vertices + 1, sizeof(int));
  if (!arrays->pull_start || !arrays->pull || !arrays->occupied || !arrays->ones)
    goto done;
  walk.open = numbers;
  walk.frontier = numbers + vertices;
  walk.place = numbers + 2 * vertices;
  sequence = numbers + 3 * vertices;
  birth = numbers + 4 * vertices;
  death = numbers + 5 * vertices;
  slot = numbers + 6 * vertices;
  for (v = 0; v < 2 * n; v++)
    birth[v] = death[v] = -1;
  permi_walk_start(block, &walk);
  arrays->ones[0] = 0;
  ok = 1;
  for (i = 0; i < 2 * n; i++) {
    v = order[i];
    if (permi_watch_step(watch, (size_t)i, 100))
      goto done;
    if (walk.state[v] == 2)
      continue;
    permi_walk_step(block, &walk, v);
    sequence[p] = v;
    death[v] = p;
    for (e = block->start[v]; e < block->start[v + 1]; e++) {
      const int t = block->neighbour[e];
      if (walk.state[t] == 2 && death[t] < 0)
        death[t] = p;
      if (walk.state[t] == 1 && birth[t] < 0)
        birth[t] = p;
    }
    arrays->ones[++p] = walk.width[0] - (walk.eliminated[1] - walk.eliminated[0]);
  }
  slots = permi_array_slots(frontier, 2 * n, birth, death, life, busy, slot, watch);
  arrays->low = slots < PERMI_ARRAY_LOW ? slots : PERMI_ARRAY_LOW;
  arrays->middle = (slots - arrays->low + 1) / 2;
  arrays->top = slots - arrays->low - arrays->middle;
  if (!slots || arrays->middle > PERMI_ARRAY_HIGH)
    goto done;
  memcpy(arrays->occupied, busy, ((size_t)p + 1) * sizeof *busy);
  arrays->pull_start[0] = 0;
  for (p = 0; p < frontier->steps && !permi_watch_step(watch, (size_t)p, 300); p++)
    arrays->pull_start[p + 1] =
        arrays->pull_start[p] + permi_array_pulls(block, arrays, frontier, p, sequence[p], birth, death, slot,
                                                  arrays->pull + arrays->pull_start[p]);
  *made = permi_watch(watch, 0) ? NULL : arrays;
done:
  permi_release(allocator, numbers);
  permi_release(allocator, life);
  permi_release(allocator, busy);
  permi_release(allocator, walk.state);
  if (!*made)
    permi_arrays_release(allocator, arrays);
  return ok;
}

/* Bytes that a run takes. */
static double permi_arrays_bytes(const permi_frontier *frontier, const permi_arrays *arrays)
{
  const double middles = (double)(arrays->top + 1) * ldexp(1, arrays->middle);
  return (frontier->room[0] + frontier->room[1]) * (double)permi_cell_bytes(frontier, permi_arrays_kind(frontier)) +
         2 * (11 * middles + ldexp(1, arrays->middle) + ldexp(10, arrays->top)) + 65536;
}

/* On a GPU: what the host takes. */
static double permi_arrays_host_bytes(const permi_frontier *frontier, const permi_arrays *arrays)
{
  return permi_arrays_bytes(frontier, arrays) -
         (frontier->room[0] + frontier->room[1]) * (double)permi_cell_bytes(frontier, permi_arrays_kind(frontier));
}

/* Words of a value, for which there are kernels; 0: none for residues, nor for integers of many words. */
static size_t permi_gpu_cell_bytes(const permi_frontier *frontier)
{
  const size_t bytes = permi_cell_bytes(frontier, permi_arrays_kind(frontier));
  return frontier->algebra == PERMI_RESIDUES || bytes > 8 * PERMI_GPU_PLANES ? 0 : bytes;
}

/* Seconds on a GPU. */
static double permi_arrays_gpu_seconds(const permi_frontier *frontier)
{
  static const double each[] = {1, 1, 2, 2.5, 2.5, 6, 1, 2.5, 1.2, 1}; /* of the first pass, times doubles */
  const double words = frontier->algebra == PERMI_WORDS ? frontier->words * frontier->parts * frontier->parts : 1;
  const int passes = permi_arrays_passes(frontier);
  return PERMI_GPU_START_SECONDS + passes * frontier->steps * PERMI_GPU_STEP_SECONDS +
         frontier->cost[frontier->steps] * PERMI_GPU_STATE_SECONDS * (each[frontier->algebra] * words + passes - 1);
}

/* Seconds of one thread. Those of doubles and their moduli are measured per unit of the order's cost, the others follow
   from their size and operations. */
static double permi_arrays_seconds(const permi_frontier *frontier)
{
  static const double each[] = {7e-10, 1.4e-9, 3e-9, 2e-9, 2.7e-9, 3e-8, 1e-9, 2e-9, 2e-8, 2e-8};
  const double words = frontier->algebra == PERMI_WORDS ? frontier->words * frontier->parts * frontier->parts : 1;
  const permi_arrays *arrays = frontier->arrays;
  double tables = 0;
  int p;
  for (p = 1; p <= frontier->steps; p++) {
    const uint64_t high = arrays->occupied[p] >> arrays->low, middle = high & (((uint64_t)1 << arrays->middle) - 1);
    const int tops = permi_count_ones(high ^ middle), ones = arrays->ones[p] < tops ? arrays->ones[p] : tops;
    tables += (ones + 1) * ldexp(1, permi_count_ones(middle)) + ldexp(1, tops);
  }
  return frontier->cost[frontier->steps] * each[frontier->algebra] * words +
         permi_arrays_passes(frontier) * (tables * 2e-9 + 1e-5 * frontier->steps);
}

static uint64_t permi_arrays_fingerprint(uint64_t hash, const permi_arrays *arrays, int steps, permi_control *watch)
{
  int i;
  hash = permi_hash(permi_hash(hash, (uint64_t)arrays->isa), (uint64_t)(arrays->low + (arrays->lists << 8)));
  for (i = 0; i < arrays->pull_start[steps] && !permi_watch_step(watch, (size_t)i, 10); i++) {
    hash = permi_hash(hash, arrays->pull[i].test);
    hash = permi_hash(hash, arrays->pull[i].want);
    hash = permi_hash(hash, arrays->pull[i].keep);
    hash = permi_hash(hash, arrays->pull[i].flip);
  }
  return hash; /* the coefficients are in that of the lists */
}
