/* ===================================================================================== >>arrays_run */
#pragma once
#include "../graph/device.h"
#include "arrays.h"

#define PERMI_ARRAY_PIECES 4
typedef struct permi_array_stepping {
  permi_arrays_run *run;
  int p;
  double before, seconds;
  int words;              /* of source integers */
  char *kept;             /* targets of >>derive_frontier, or NULL */
  double **sum;           /* by stream, or NULL: */
  size_t sums;            /* so many for a piece */
} permi_array_stepping;

static char *permi_array_values(const permi_arrays_run *run, int p, uint32_t top)
{
  return run->memory + (size_t)run->places->at[p & 1][top];
}

/* The value: 0 where lone entries cancelled, so that no state is left. */
static char *permi_arrays_last(const permi_arrays_run *run)
{
  const int p = run->frontier->steps;
  if (run->frontier->ones[p] > run->frontier->most[p])
    return (char *)memset(run->memory, 0, run->bytes);
  return permi_array_values(run, p, 0);
}

static perm_status permi_array_piece(void *context, uint64_t number, int thread)
{
  const permi_array_stepping *step = (const permi_array_stepping *)context;
  permi_arrays_run *run = step->run;
  const uint32_t top = run->top[number / PERMI_ARRAY_PIECES];
  const int piece = (int)(number % PERMI_ARRAY_PIECES);
  const int p = step->p, *stream = run->frontier->stream_start + p, ways = stream[1] - stream[0];
  const permi_layout *source = &run->layout[p & 1], *target = &run->layout[(p + 1) & 1];
  permi_origin *origin = run->origin + (size_t)thread * (size_t)run->most;
  const int ones = permi_count_ones(top), bits = run->arrays->middle;
  const uint32_t middle_mask = (1u << bits) - 1;
  const size_t doubles = run->bytes / sizeof(double), from = run->own ? run->from : run->bytes;
  const permi_algebra algebra = run->numbers.algebra; /* double-doubles: high parts first */
  const size_t stride = algebra == PERMI_PAIR_DD_VALUES ? 2 : 1, tracked = algebra == PERMI_MAGNITUDES_DD ? 1 : doubles;
  const int first = target->middle_start[ones], middles = target->middle_start[ones + 1] - first;
  const int end = first + middles * (piece + 1) / PERMI_ARRAY_PIECES;
  permi_sizes sizes;
  permi_sizes_clear(&sizes);
  for (int i = first + middles * piece / PERMI_ARRAY_PIECES; i < end; i++) {
    const uint32_t high = top << bits | target->middle[i];
    const int left = target->left[i], start = target->start[left], all = ones + target->middle_ones[target->middle[i]];
    const size_t count = (size_t)(target->start[left + 1] - start);
    char *y = (step->kept ? step->kept + target->top_offset[top] * run->bytes : permi_array_values(run, p + 1, top)) +
              (size_t)(target->middle_offset[(size_t)ones << bits | target->middle[i]] + (uint64_t)start) * run->bytes;
    int origins = 0;
    for (int s = 0; s < ways; s++) {
      const perm_gpu_way *way = &run->way[s];
      const permi_lookup *lookup = &run->lookup[s];
      const int low_ones = left + way->low_ones;
      if ((high & way->test) != way->want || low_ones < 0 || low_ones > source->low ||
          (uint32_t)(all + left - way->least) > (uint32_t)way->span)
        continue;
      const uint32_t word = (high & way->keep) ^ way->flip;
      const size_t middle = (size_t)(ones + lookup->top_ones) << bits | (word & middle_mask);
      origin[origins].x = permi_array_values(run, p, word >> bits) +
                          (size_t)(source->middle_offset[middle] + (uint64_t)source->start[low_ones]) * from;
      origin[origins].count = (size_t)(source->start[low_ones + 1] - source->start[low_ones]);
      origin[origins].real = lookup->c.real;
      origin[origins].c = &lookup->c;
      origin[origins].sum = step->kept && step->sum[s] ? step->sum[s] + number * step->sums : NULL;
      origin[origins].place = lookup->place ? lookup->place + start : NULL;
      origin[origins++].eight = lookup->place ? lookup->eight + start / 8 + left : NULL;
    }
    run->kernel(&run->numbers, y, count, origin, origins);
    if (run->tracking)
      permi_values_extremes((const double *)(const void *)y, count * tracked, stride, &sizes);
  }
  if (run->tracking) {
    PERMI_OMP(critical(permi_array_sizes))
    permi_sizes_join(&run->base.sizes, &sizes);
  }
  return permi_runner_poll(&run->base, (double)target->states / (target->tops * PERMI_ARRAY_PIECES),
                           step->before + step->seconds * (double)number, thread);
}

static perm_status permi_array_lengthen(void *context, uint64_t number, int thread)
{
  const permi_array_stepping *step = (const permi_array_stepping *)context;
  const permi_arrays_run *run = step->run;
  const uint32_t top = run->layout[step->p & 1].top[number];
  const size_t from = (size_t)step->words, to = (size_t)run->numbers.words;
  uint64_t *x = (uint64_t *)(void *)permi_array_values(run, step->p, top);
  size_t k = permi_layout_states(&run->layout[step->p & 1], top) * (size_t)run->numbers.parts;
  (void)thread;
  while (k-- > 0) {
    const int negative = (int)(x[(k + 1) * from - 1] >> 63);
    memmove(x + k * to, x + k * from, from * sizeof *x);
    memset(x + k * to + from, negative ? 255 : 0, (to - from) * sizeof *x);
  }
  return PERM_OK;
}

static perm_status permi_array_step(permi_arrays_run *run, int p)
{
  const permi_frontier *frontier = run->frontier;
  const permi_layout *target = &run->layout[(p + 1) & 1];
  const double seconds = (frontier->cost[p + 1] - frontier->cost[p]) * run->seconds_each;
  const int threads = seconds < PERMI_PARALLEL_SECONDS ? 1 : run->base.threads;
  permi_array_stepping step = {run, p, run->base.done, seconds / ((double)target->tops * PERMI_ARRAY_PIECES), 0, NULL,
                               NULL, 0};
  perm_status status = PERM_OK;
  if (run->tracking)
    permi_sizes_clear(&run->base.sizes);
  if (frontier->words && !run->own && !run->arrays->by_residues && frontier->words[p] < frontier->words[p + 1]) {
    step.words = frontier->words[p];
    permi_share(threads, 0, (uint64_t)run->layout[p & 1].tops, permi_array_lengthen, &step, NULL);
  }
  permi_places_step(run->places, p);
  while (!run->places->done && status == PERM_OK) {
    const int tops = permi_places_turn(run->places, (p + 1) & 1, run->top);
    status = permi_share(threads, 0, (uint64_t)tops * PERMI_ARRAY_PIECES, permi_array_piece, &step, NULL);
    permi_places_turned(run->places, (p + 1) & 1);
    step.before += step.seconds * tops * PERMI_ARRAY_PIECES;
  }
  return status;
}

static double permi_ways_weight(const permi_arrays_run *run, int p, double *least)
{
  const permi_frontier *frontier = run->frontier;
  double weight = 0;
  *least = 1;
  for (int s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++) {
    permi_coefficient c = frontier->coefficient[s];
    if (run->absolute)
      c.real = c.imaginary = 0;
    permi_coefficient_weigh(&c, &weight, least);
  }
  return weight * (1 + 1e-12);
}

static void permi_arrays_shorten(permi_arrays_run *run, int p)
{
  const permi_arrays *arrays = run->arrays;
  const permi_algebra algebra = run->numbers.algebra;
  run->from = run->bytes;
  run->kernel_eights = (run->own || algebra == PERMI_MAGNITUDES || algebra == PERMI_MAGNITUDES_DD) &&
                       arrays->isa > PERM_ISA_PLAIN;
  if (!run->absolute && !arrays->by_residues)
    run->numbers = permi_arrays_numbers_at(run->frontier, p);
  run->bytes = 8 * permi_numbers_words(&run->numbers);
  const int growth = arrays->by_residues && p ? (int)arrays->growth[p - 1] : (int)PERMI_GROWS_NOT;
  run->kernel = run->own ? run->own : permi_arrays_kernel(run->numbers.algebra, arrays->isa, growth);
}

/* UNDERFLOW (tests/proofs/frontier.g). `smallest` and `largest` bound non-zero high parts. Products of doubles are
   multiples of 2^-106 times themselves, and so are sums, however they cancel. So smallest 2^-106 least |c| bounds the
   next non-zero values, without the power if nothing cancels. Steps are measured before a product may fall below
   PERMI_ARRAY_SAFE or exceed 1e150. Above that all is a multiple of 2^-936: only low parts underflow, by less than
   2^-200 of the product, for which PERMI_DD_UNIT has room. Below it a product and its sum lose 16 DBL_MIN a part. */
static perm_status permi_arrays_advance(permi_runner *runner, int p)
{
  permi_arrays_run *run = (permi_arrays_run *)runner;
  const permi_arrays *arrays = run->arrays;
  const permi_frontier *frontier = run->frontier;
  const permi_layout *source = &run->layout[p & 1];
  permi_layout *target = &run->layout[(p + 1) & 1];
  permi_sizes *sizes = &runner->sizes;
  perm_status status = PERM_OK;
  runner->done = run->seconds_before + frontier->cost[p] * run->seconds_each;
  permi_layout_fill(arrays, target, arrays->occupied[p + 1], frontier->ones[p + 1], frontier->most[p + 1]);
  permi_ways_fill(run, p, source, target);
  permi_arrays_shorten(run, p + 1);
  status = run->back ? run->back(run, p) : status;
  run->tracking = 0;
  if (!permi_algebra_is_integer(frontier->numbers.algebra)) {
    const int cancels = !run->absolute && permi_algebra_has_moduli(frontier->numbers.algebra);
    double least, next_least, weight = permi_ways_weight(run, p, &least);
    sizes->loss = permi_loss_scaled(sizes->loss, weight, 0);
    if (sizes->smallest * least < PERMI_ARRAY_SAFE)
      sizes->loss += 16 * DBL_MIN * (frontier->stream_start[p + 1] - frontier->stream_start[p]);
    sizes->smallest *= least * (cancels ? 1.2e-32 : 1 - 1e-9);
    sizes->largest *= 2 * weight;
    if (p + 1 < frontier->steps) {
      weight = permi_ways_weight(run, p + 1, &next_least);
      run->tracking = sizes->smallest * next_least < PERMI_ARRAY_SAFE || sizes->largest * weight > 1e150;
    }
  }
  if (run->gpu && status == PERM_OK)
    status = permi_runner_poll(runner, PERMI_RUNNER_POLL, runner->done, 0);
  if (status == PERM_OK)
    status = run->gpu ? permi_gpu_step(run, p) : permi_array_step(run, p);
  const int e = status == PERM_OK && run->tracking ? permi_sizes_rescale(sizes, 1e150, PERMI_ARRAY_SAFE) : 0;
  if (e && run->gpu)
    status = permi_gpu_scale(run, target->states, ldexp(1, -(e / 2)), ldexp(1, e / 2 - e));
  for (int k = 0; e && !run->gpu && k < target->tops; k++)
    permi_values_scale((double *)(void *)permi_array_values(run, p + 1, target->top[k]),
                       permi_layout_states(target, target->top[k]) * run->bytes / sizeof(double), e);
  runner->visited += run->again ? 0 : (double)target->states;
  return status;
}

static perm_status permi_arrays_pass(permi_arrays_run *run)
{
  perm_status status = PERM_OK;
  memset(&run->base.sizes, 0, sizeof run->base.sizes);
  run->base.sizes.smallest = run->base.sizes.largest = 1;
  permi_layout_fill(run->arrays, &run->layout[0], 0, 0, 0);
  if (run->gpu)
    status = permi_gpu_begin(run);
  else
    permi_places_start(run->places);
  permi_arrays_shorten(run, 0);
  permi_value_one(&run->numbers, permi_array_values(run, 0, 0));
  if (status == PERM_OK)
    status = permi_runner_go(&run->base, 0, run->frontier->steps, permi_arrays_advance);
  if (status == PERM_OK && run->gpu)
    status = permi_gpu_value(run, run->memory);
  return status;
}

/* For the pass of moduli. */
static void permi_arrays_aim(permi_arrays_run *run, int absolute)
{
  run->absolute = run->again = absolute;
  run->numbers.algebra = absolute ? PERMI_MAGNITUDES : run->numbers.algebra;
}

/* Gives both values one exponent and loss. */
static void permi_arrays_join(double *value, int last, permi_sizes *sizes)
{
  double lost = 0, most = 0;
  for (int k = 0; k < last; k++)
    most = fmax(most, fabs(value[k]));
  if (most > 0 && sizes[1].exp2 > sizes[0].exp2 &&
      sizes[0].exp2 + permi_exponent(most) - sizes[1].exp2 - permi_exponent(value[last]) < PERMI_CANCELS) {
    sizes[1].exp2 = sizes[0].exp2;
    sizes[1].loss = (double)INFINITY;
  }
  const long long common = sizes[1].exp2 > sizes[0].exp2 ? sizes[1].exp2 : sizes[0].exp2;
  for (int pass = 0; pass < 2; pass++) {
    const int shift = permi_int_exponent(sizes[pass].exp2 - common);
    for (int k = pass ? last : 0; k < last + pass; k++)
      value[k] = ldexp(value[k], shift);
    lost += ldexp(sizes[pass].loss, shift) + (shift ? 4 * DBL_MIN : 0);
  }
  sizes->loss = lost;
  sizes->exp2 = common;
}

PERMI_COLD static int permi_arrays_open(permi_arrays_run *run, const permi_frontier *frontier, permi_control *control,
                                        double seconds)
{
  const permi_arrays *arrays = frontier->arrays;
  const size_t lows = (size_t)1 << arrays->low;
  const int gpu = arrays->isa == PERM_ISA_CUDA;
  const double bytes = gpu ? (double)permi_arrays_bytes_at(frontier, frontier->steps) : arrays->bytes;
  const size_t most = (size_t)permi_frontier_streams_most(frontier), origins = most * (run->own ? 3 : 1);
  permi_pool *pool = &run->base.pool;
  permi_runner_begin(&run->base, &frontier->owned.allocator, control, "frontier");
  if (gpu || seconds < PERMI_PARALLEL_SECONDS)
    run->base.threads = 1;
  run->frontier = frontier;
  run->arrays = arrays;
  run->numbers = permi_arrays_numbers(frontier);
  run->seconds_each = seconds / (permi_arrays_passes(frontier) * (frontier->cost[frontier->steps] + 1));
  run->most = (int)origins;
  run->way = (perm_gpu_way *)permi_pool_get(pool, most, sizeof *run->way);
  run->lookup = (permi_lookup *)permi_pool_get(pool, most, sizeof *run->lookup);
  run->origin = (permi_origin *)permi_pool_get(pool, origins * (size_t)run->base.threads, sizeof *run->origin);
  run->low = (uint16_t *)permi_pool_zeros(pool, most * (lows + PERMI_ARRAY_PAD), sizeof(uint16_t));
  run->eights = (permi_eight *)permi_pool_get(pool, most * (lows / 8 + PERMI_ARRAY_LOW + 2), sizeof(permi_eight));
  for (int p = 0; p < 2; p++)
    permi_layout_create(pool, arrays, &run->layout[p]);
  run->places = (permi_places *)permi_pool_get(pool, 1, sizeof *run->places);
  run->top = (uint16_t *)permi_pool_get(pool, permi_places_tops(frontier), sizeof *run->top);
  if (pool->failed)
    return 0;
  permi_places_open(pool, frontier, run->places);
  run->memory = (char *)permi_pool_get(pool, bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX / 2, 1);
  return !pool->failed;
}

PERMI_COLD static perm_status permi_arrays_residues(permi_arrays_run *run, double seconds, perm_partial *partial)
{
  permi_pool *pool = &run->base.pool;
  const permi_array_residues *plan = &run->arrays->residues;
  const size_t primes = (size_t)plan->primes;
  const int parts = primes ? plan->passes / plan->primes : 1;
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_pool_get(pool, primes + 1, sizeof *prime);
  uint64_t *residue[2], *word = (uint64_t *)permi_pool_get(pool, 4 * (primes + 1), sizeof *word), value[2] = {0, 0};
  uint64_t root = 0;
  perm_status status = PERM_OK;
  if (pool->failed)
    return PERM_ERROR_MEMORY;
  residue[0] = word + 2 * (primes + 1);
  residue[1] = residue[0] + primes + 1;
  permi_primes_choose(prime, primes, parts == 2, plan->bits);
  for (int pass = 0; pass < plan->passes && status == PERM_OK; pass++) {
    const int k = pass / parts, part = pass % parts;
    const uint64_t p = primes ? prime[k].p : plan->modulus;
    double last;
    if (parts == 2 && part == 0)
      root = permi_prime_root(&prime[k]);
    run->numbers.modulus = p;
    run->root = part ? p - root : root;
    run->again = pass > 0;
    run->seconds_before = pass * seconds / plan->passes;
    status = permi_arrays_pass(run);
    memcpy(&last, permi_arrays_last(run), sizeof last);
    if (status == PERM_OK && !p)
      permi_sum_add_double(&partial->value, last);
    else if (status == PERM_OK)
      value[part] = permi_residue_of_double(last, p);
    residue[0][k] = value[0];
    if (part == 1)
      permi_residue_parts(value, root, &prime[k], &residue[0][k], &residue[1][k]);
  }
  if (status == PERM_OK && (primes || plan->modulus))
    status = permi_residues_sum(prime, residue[0], (int)primes, 0, word, &partial->value);
  if (status == PERM_OK && parts == 2)
    status = permi_residues_sum(prime, residue[1], (int)primes, 0, word, &partial->imaginary);
  return status;
}

PERMI_COLD static perm_status permi_arrays_run_task(const permi_leaf *leaf, permi_control *control,
                                                    perm_partial *partial)
{
  const permi_frontier *frontier = (const permi_frontier *)leaf->context;
  const int gpu = frontier->arrays->isa == PERM_ISA_CUDA, residues = frontier->arrays->by_residues;
  const int passes = residues ? 0 : permi_arrays_passes(frontier);
  const int integers = permi_algebra_is_integer(frontier->numbers.algebra);
  const int moduli = (int)permi_numbers_words(&frontier->numbers) - 1;
  permi_arrays_run run;
  permi_sizes sizes[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  char *last = NULL;
  double value[5];
  char message[PERM_MESSAGE_BYTES] = "";
  perm_status status = PERM_ERROR_MEMORY;
  memset(&run, 0, sizeof run);
  if (permi_arrays_open(&run, frontier, control, leaf->information.seconds))
    status = gpu ? permi_gpu_create(&run, message) : PERM_OK;
  if (status == PERM_OK && residues)
    status = permi_arrays_residues(&run, leaf->information.seconds, partial);
  for (int pass = 0; pass < passes && status == PERM_OK; pass++) {
    permi_arrays_aim(&run, pass);
    run.seconds_before = pass * leaf->information.seconds / passes;
    status = permi_arrays_pass(&run);
    last = permi_arrays_last(&run);
    if (!integers)
      memcpy(value + (pass ? moduli : 0), last, run.bytes);
    sizes[pass] = run.base.sizes;
  }
  if (status == PERM_OK) {
    if (passes == 2)
      permi_arrays_join(value, moduli, sizes);
    run.base.sizes = sizes[0];
    permi_runner_finish(&run.base, &frontier->numbers, residues ? NULL : integers ? (void *)last : (void *)value,
                        frontier->lost_error, partial);
  }
  if (gpu) {
    permi_gpu_free(&run);
    if (control && status == PERM_OK)
      control->gpus = control->gpus > 1 ? control->gpus : 1;
    else if (control)
      memcpy(control->message, message, sizeof message);
  }
  permi_pool_release(&run.base.pool);
  return status;
}

/* None if stopped or with too many slots. */
static int permi_arrays_create(const permi_block *block, permi_frontier *frontier, perm_isa isa, int low,
                               permi_control *watch)
{
  const int *birth = frontier->birth, *death = frontier->death, slot_count = frontier->slot_count;
  const size_t steps = (size_t)frontier->steps + 1;
  permi_pool *pool = &frontier->owned.pool;
  permi_arrays *arrays = (permi_arrays *)permi_pool_zeros(pool, 1, sizeof *arrays);
  uint64_t *masks = (uint64_t *)permi_pool_zeros(pool, steps, 3 * sizeof *masks);
  unsigned char *growth = (unsigned char *)permi_pool_get(pool, steps, 1);
  double units = 0;
  if (pool->failed || slot_count > PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH)
    return !pool->failed;
  arrays->occupied = masks;
  arrays->rows = masks + steps;
  arrays->born = arrays->rows + steps;
  arrays->growth = growth;
  arrays->isa = isa;
  arrays->low = slot_count < low ? slot_count : low;
  arrays->lefts = block->free_lines ? arrays->low + 1 : 1;
  arrays->middle = (slot_count - arrays->low + 1) / 2;
  arrays->top = slot_count - arrays->low - arrays->middle;
  for (int v = 0; v < block->vertices; v++) {
    const uint64_t bit = frontier->slot[v] < 0 ? 0 : UINT64_C(1) << frontier->slot[v];
    if (!bit)
      continue;
    if (permi_watch_gather(watch, &units, 40 + 5.0 * (death[v] - birth[v])))
      return 1;
    arrays->born[birth[v] + 1] |= bit;
    for (int p = birth[v] + 1; p <= death[v]; p++) {
      arrays->occupied[p] |= bit;
      arrays->rows[p] |= v < block->n ? bit : 0;
    }
  }
  frontier->arrays = arrays;
  return 1;
}

static int permi_arrays_measured(const permi_frontier *frontier, permi_control *watch)
{
  return frontier->arrays->isa == PERM_ISA_CUDA || frontier->arrays->bytes > 0 || permi_places_measure(frontier, watch);
}

static double permi_arrays_bytes(const permi_arrays *arrays)
{
  const double middles = (double)(arrays->top + 1) * ldexp(1, arrays->middle);
  const double bytes =
      2 * ((8 + 3 * arrays->lefts) * middles + ldexp(1, arrays->middle) + ldexp(35, arrays->top)) + 65536;
  return bytes + (arrays->isa == PERM_ISA_CUDA ? 0 : arrays->bytes);
}

static double permi_arrays_products(const permi_numbers *numbers)
{
  return numbers->algebra == PERMI_WORDS ? numbers->words * numbers->parts * numbers->parts : 1;
}

static double permi_arrays_gpu_seconds(const permi_frontier *frontier)
{
  static const double each[] = {1, 1, 2, 2.5, 2.5, 6, 1, 2.5, 1.2, 1}; /* first pass */
  const int passes = permi_arrays_passes(frontier);
  return PERMI_GPU_START_SECONDS + passes * frontier->steps * PERMI_GPU_STEP_SECONDS +
         frontier->cost[frontier->steps] * PERMI_GPU_STATE_SECONDS * permi_gpu_slower(PERM_GPU_MEMORY) *
             (each[frontier->numbers.algebra] * permi_arrays_products(&frontier->numbers) + passes - 1);
}

PERMI_NEVER_INLINE static double permi_arrays_seconds(const permi_frontier *frontier)
{
  const permi_arrays *arrays = frontier->arrays;
  double tables = 0, values = arrays->by_residues ? arrays->residues.seconds : 0;
  for (int p = 1; p <= frontier->steps; p++) {
    const permi_numbers numbers = permi_arrays_numbers_at(frontier, p);
    const permi_algebra algebra = frontier->words ? numbers.algebra : frontier->numbers.algebra;
    const double bytes = 8 * (double)permi_numbers_words(&numbers);
    const uint64_t high = arrays->occupied[p] >> arrays->low, middle = high & (((uint64_t)1 << arrays->middle) - 1);
    const int spread = frontier->most[p] - frontier->ones[p];
    const double smaller = 1 + 0.25 * spread / (permi_count_ones(arrays->occupied[p]) + 1); /* blocks */
    if (!arrays->by_residues)
      values += (frontier->cost[p] - frontier->cost[p - 1]) * smaller *
                (permi_array_seconds[algebra] * permi_arrays_products(&numbers) +
                 (frontier->states[p] * bytes > PERMI_ARRAY_CACHE_BYTES ? bytes * PERMI_ARRAY_MISS_SECONDS : 0));
    const int tops = permi_count_ones(high ^ middle), ones = frontier->most[p] < tops ? frontier->most[p] : tops;
    tables += (ones + 1) * ldexp(spread + 1, permi_count_ones(middle)) + ldexp(1, tops);
  }
  return values + permi_arrays_passes(frontier) *
                      (tables * 2e-9 + PERMI_ARRAY_STREAM_SECONDS * frontier->stream_start[frontier->steps]);
}

static uint64_t permi_arrays_fingerprint(uint64_t hash, const permi_frontier *frontier, permi_control *watch)
{
  const permi_arrays *arrays = frontier->arrays;
  hash = permi_hash(permi_hash(hash, (uint64_t)arrays->isa), (uint64_t)arrays->low);
  if (arrays->by_residues)
    hash = permi_hash(permi_hash(hash, (uint64_t)arrays->residues.passes), (uint64_t)arrays->residues.bits);
  for (int p = 0; p < frontier->steps; p++)
    for (int s = frontier->stream_start[p];
         s < frontier->stream_start[p + 1] && !permi_watch_step(watch, (size_t)s, 10); s++) {
      const permi_pull pull = permi_pull_of(frontier, p, s);
      hash = permi_hash(permi_hash(hash, pull.test), pull.want);
      hash = permi_hash(permi_hash(hash, pull.keep), pull.flip);
    }
  return hash;
}
/* SPDX-License-Identifier: MIT */
