/* ================================================================================== >>decompose_run
   Walking the branches: what it costs, the task, the offer. */
#pragma once
#include "transversals.h"
#include "decompose.h"

/* Predicted seconds of a node, without what it branches into: er:26:0.18 takes 2.9 us a node, others of orders 16 to 40
   (integers, degrees 3 to 8) within a factor of 2 of this. */
static double permi_decompose_seconds(const permi_decompose *plan, int n)
{
  const double cell = plan->words ? 1 + 0.6 * plan->words * plan->words * plan->parts * plan->parts
                                  : (double)plan->parts;
  return n <= PERMI_DECOMPOSE_SMALL ? 1e-6 : (1.3 + 0.13 * n + 0.054 * n * cell) * 1e-6;
}

static double permi_decompose_subsets_seconds(const permi_decompose *plan, int n)
{
  const int length = plan->words * plan->parts;
  const double cell = plan->parts == 1 && plan->words <= 1 ? 1 : 8 + length * length;
  return ldexp(n * 2.2e-9 * cell, n);
}

static int permi_decompose_most(const permi_decompose *plan) /* large cells: not that much memory */
{
  return plan->size <= 4 ? PERMI_DECOMPOSE_SUBSETS : PERMI_DECOMPOSE_SMALL;
}

static perm_status permi_decompose_poll(permi_decomposing *run)
{
  int stop = PERM_OK;
  if (run->control) {
    stop = (int)permi_control_poll(run->control, run->work * run->threads, "decompose");
    if (stop && run->shared) {
      PERMI_OMP(atomic write)
      run->shared->stop = stop;
    }
  } else if (run->shared) {
    PERMI_OMP(atomic read)
    stop = run->shared->stop;
  }
  return (perm_status)stop;
}

static int permi_branch_ticket(permi_branching *shared)
{
  int ticket;
  PERMI_OMP(atomic capture)
  ticket = shared->next++;
  return ticket < shared->room ? ticket : -1;
}

/* Of what comes next: no unit begins with it; one does, which is to be computed here, until permi_branch_end; or one
   whose result is known, or will be in the second pass. */
typedef enum permi_turn { PERMI_TURN_ALL, PERMI_TURN_MINE, PERMI_TURN_NOT } permi_turn;
static permi_turn permi_branch_begin(permi_decomposing *run, permi_branch *before, uint64_t *result, int *additions)
{
  permi_branching *shared = run->shared;
  int unit;
  if (run->pass == PERMI_PASS_WHOLE || run->ways < shared->enough)
    return PERMI_TURN_ALL;
  unit = run->unit++;
  if (run->pass == PERMI_PASS_DRAW && unit != run->ticket) {
    permi_decompose_set(run->plan, result, 0);
    *additions = 0;
    return PERMI_TURN_NOT;
  }
  if (run->pass == PERMI_PASS_TAKE && unit < shared->room) {
    memcpy(result, shared->cell + (size_t)unit * run->plan->size, run->plan->size * sizeof *result);
    *additions = shared->branch[unit].additions;
    run->nodes += shared->branch[unit].nodes;
    run->operations += shared->branch[unit].operations;
    return PERMI_TURN_NOT;
  }
  before->nodes = run->nodes;
  before->operations = run->operations;
  before->pass = run->pass;
  run->pass = PERMI_PASS_WHOLE;
  return PERMI_TURN_MINE;
}

static void permi_branch_end(permi_decomposing *run, const permi_branch *before, const uint64_t *result, int additions)
{
  permi_branching *shared = run->shared;
  run->pass = before->pass;
  if (run->pass == PERMI_PASS_DRAW) {
    permi_branch *branch = &shared->branch[run->ticket];
    memcpy(shared->cell + (size_t)run->ticket * run->plan->size, result, run->plan->size * sizeof *result);
    branch->additions = additions;
    branch->nodes = run->nodes - before->nodes;
    branch->operations = run->operations - before->operations;
    run->ticket = permi_branch_ticket(shared);
  }
}

/* The permanent of the piece into result; additions: see THE BOUND. room: for the pieces below. In a probe, one of the
   pieces below is followed, and counts for all. */
static int permi_decompose_node(permi_decomposing *run, permi_piece *piece, uint64_t *result, uint64_t *room)
{
  const permi_decompose *plan = run->plan;
  permi_decompose_level *level = run->level;
  permi_piece *child = &level->child;
  uint64_t *rows = level->rows, *columns = level->columns;
  const int probing = !piece->cell;
  const double ways = run->ways;
  int additions = 0, side = 0, line = 0, order, count, dead, k, below, deeper = 0;
  permi_branch before;
  permi_turn turn;
  uint64_t *value = room;
  if (!probing)
    room += plan->size;
  run->nodes += run->weight;
  run->work += run->weight * permi_decompose_seconds(plan, piece->n);
  if (!probing) {
    permi_decompose_set(plan, result, 1);
    if (run->status == PERM_OK && ((uint64_t)run->nodes & 1023) == 0)
      run->status = permi_decompose_poll(run);
    if (run->status != PERM_OK)
      return 0;
  }
  for (;;) {
    const int degree = permi_piece_least(piece, &side, &line);
    order = permi_bits_count(piece->live[0]);
    if (order == 0)
      return additions;
    if (degree == 0)
      goto zero;
    if (degree == 1) {
      const int partner = permi_bits_first(piece->mask[side][line]);
      if (!probing)
        permi_decompose_combine(run, result, result, permi_piece_at(plan, piece, side, line, partner), NULL, NULL);
      permi_piece_remove(piece, side, line);
      permi_piece_remove(piece, 1 - side, partner);
      continue;
    }
    if (degree == 2) {
      permi_piece_merge(run, piece, side, line);
      additions++;
      continue;
    }
    if (order <= PERMI_DECOMPOSE_SMALL || (degree > 4 && order <= permi_decompose_most(plan))) {
      run->ways = (double)INFINITY;
      turn = permi_branch_begin(run, &before, value, &below);
      run->ways = ways;
      if (turn != PERMI_TURN_NOT) {
        run->work += run->weight * permi_decompose_subsets_seconds(plan, order);
        permi_piece_subsets(run, piece, value);
      }
      if (turn == PERMI_TURN_MINE)
        permi_branch_end(run, &before, value, 0);
      if (!probing)
        permi_decompose_combine(run, result, result, value, NULL, NULL);
      return additions + order * (order - 1) / 2;
    }
    count = permi_piece_split(piece, rows, columns, &dead);
    if (count == 0)
      goto zero;
    if (count > 1 || !dead)
      break;
  }
  if (count > 1) {
    const int only = probing ? (int)(permi_order_random(&run->seed) * count) : -1;
    int most = 0;
    for (k = 0; k < count; k++)
      most = permi_bits_count(rows[k]) > most ? permi_bits_count(rows[k]) : most;
    run->weight *= probing ? count : 1;
    for (k = probing ? only : 0; k < (probing ? only + 1 : count); k++) {
      permi_piece_copy(plan, piece, rows[k], columns[k], child, room);
      run->ways = ldexp(ways, (most - child->n) / 4); /* the largest block has most of the work, and few lines less */
      turn = permi_branch_begin(run, &before, value, &below);
      if (turn != PERMI_TURN_NOT) {
        run->level = level + 1;
        below = permi_decompose_node(run, child, value,
                                     probing ? NULL : room + (size_t)child->n * (size_t)child->n * plan->size);
        run->level = level;
      }
      if (turn == PERMI_TURN_MINE)
        permi_branch_end(run, &before, value, below);
      additions += below;
      if (!probing)
        permi_decompose_combine(run, result, result, value, NULL, NULL);
    }
    run->ways = ways;
    return additions;
  }
  {
    uint64_t *sum = room;
    count = permi_piece_pairs(piece, side, line, rows);
    if (!probing) {
      room += plan->size;
      permi_decompose_set(plan, sum, 0);
    }
    k = 0;
    if (probing) {
      k = (int)(permi_order_random(&run->seed) * count);
      run->weight *= count;
    }
    run->ways = ways * count;
    for (; k < count; k++) {
      uint64_t others;
      permi_piece_copy(plan, piece, piece->live[0], piece->live[1], child, room);
      { /* the line keeps this pair only; lines are numbered anew */
        const int at = permi_bits_count(piece->live[side] & ((UINT64_C(1) << line) - 1));
        uint64_t keep = 0;
        for (others = rows[k]; others; others &= others - 1)
          keep |= UINT64_C(1) << permi_bits_count(piece->live[1 - side] & ((others & (0 - others)) - 1));
        for (others = child->mask[side][at] & ~keep; others; others &= others - 1)
          child->mask[1 - side][permi_bits_first(others)] &= ~(UINT64_C(1) << at);
        child->mask[side][at] = keep;
      }
      turn = permi_branch_begin(run, &before, value, &below);
      if (turn != PERMI_TURN_NOT) {
        run->level = level + 1;
        below = permi_decompose_node(run, child, value,
                                     probing ? NULL : room + (size_t)child->n * (size_t)child->n * plan->size);
        run->level = level;
      }
      if (turn == PERMI_TURN_MINE)
        permi_branch_end(run, &before, value, below);
      deeper = below > deeper ? below : deeper;
      if (probing)
        break;
      permi_decompose_add(plan, sum, value);
    }
    run->ways = ways;
    if (!probing)
      permi_decompose_combine(run, result, result, sum, NULL, NULL);
    return additions + deeper + count - 1;
  }
zero:
  if (!probing)
    permi_decompose_set(plan, result, 0);
  return additions;
}

/* Cells of the arena: the piece given; one of every order, since the next is of one line less; two numbers each. */
static size_t permi_decompose_cells(const permi_decompose *plan)
{
  size_t n = (size_t)plan->n;
  return n * (n + 1) * (2 * n + 1) / 6 + n * n + 3 * n + 8;
}

static void permi_decompose_piece(const permi_decompose *plan, permi_piece *piece)
{
  int i;
  uint64_t left;
  memset(piece, 0, sizeof *piece);
  piece->n = plan->n;
  piece->live[0] = piece->live[1] = plan->n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << plan->n) - 1;
  for (i = 0; i < plan->n; i++) {
    piece->mask[0][i] = plan->row[i];
    for (left = plan->row[i]; left; left &= left - 1)
      piece->mask[1][permi_bits_first(left)] |= UINT64_C(1) << i;
  }
}

static size_t permi_decompose_levels(const permi_decompose *plan) /* a child may be as large as the piece given */
{
  return (size_t)plan->n + 2;
}

static size_t permi_decompose_arena(const permi_decompose *plan) /* in words; 8: threads share no line of cache */
{
  return (permi_decompose_cells(plan) + 2 + ((size_t)1 << permi_decompose_most(plan))) * plan->size +
         permi_decompose_levels(plan) * (sizeof(permi_decompose_level) / sizeof(uint64_t)) + 8;
}

/* The whole tree, or the top that the pass leaves of it. */
static int permi_decompose_walk(permi_decomposing *run, uint64_t *arena, uint64_t *result)
{
  const permi_decompose *plan = run->plan;
  const size_t size = plan->size, cells = (size_t)plan->n * (size_t)plan->n;
  permi_piece piece;
  run->weight = run->ways = 1;
  run->level = (permi_decompose_level *)(void *)arena;
  arena = (uint64_t *)(void *)(run->level + permi_decompose_levels(plan));
  run->spare = arena;
  run->subsets = arena + 2 * size;
  permi_decompose_piece(plan, &piece);
  piece.cell = run->subsets + (size << permi_decompose_most(plan));
  memcpy(piece.cell, plan->cell, cells * size * sizeof *arena);
  return permi_decompose_node(run, &piece, result, piece.cell + cells * size);
}

/* The first pass. Returns the status; work: see permi_decomposing. */
static perm_status permi_decompose_draw(const permi_decompose *plan, permi_control *control, permi_branching *shared,
                                        int threads, uint64_t *arena, double *work)
{
  (void)threads;
  PERMI_OMP(parallel num_threads(threads))
  {
    permi_decomposing run;
    uint64_t result[3 * PERM_INTEGER_WORDS];
    int me = 0;
#if defined(_OPENMP)
    me = omp_get_thread_num();
#endif
    memset(&run, 0, sizeof run);
    run.plan = plan;
    run.control = me == 0 ? control : NULL;
    run.shared = shared;
    run.pass = PERMI_PASS_DRAW;
    run.ticket = permi_branch_ticket(shared);
    run.threads = threads;
    permi_decompose_walk(&run, arena + (size_t)me * permi_decompose_arena(plan), result);
    if (me == 0)
      *work = run.work * threads;
  }
  return (perm_status)shared->stop;
}

static perm_status permi_decompose_run(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_decompose *plan = (const permi_decompose *)leaf->context;
  const size_t size = plan->size, words = permi_decompose_arena(plan);
  permi_decomposing run;
  permi_branching shared;
  uint64_t result[3 * PERM_INTEGER_WORDS], *arena;
  int additions = 0, threads = permi_walk_threads(leaf, control);
  memset(&shared, 0, sizeof shared);
  if (threads > 1) { /* what one thread leaves of the memory is for the other arenas; the rest of it, for results */
    const double bytes = control->options->max_bytes > 0 ? permi_max_bytes(control->options) : PERMI_DECOMPOSE_BYTES;
    const double left = fmax(0, bytes - leaf->information.bytes), arena_bytes = 8.0 * (double)words;
    const double unit_bytes = 8.0 * (double)size + (double)sizeof *shared.branch;
    double units;
    threads = (int)fmin(threads, 1 + left / (arena_bytes + PERMI_WALK_UNITS * unit_bytes));
    units = floor((left - (threads - 1) * arena_bytes) / unit_bytes);
    shared.enough = fmin(fmin(permi_walk_enough(leaf, threads), PERMI_DECOMPOSE_UNITS), units);
    shared.room = (int)fmin(PERMI_DECOMPOSE_ROOM * shared.enough, units);
  }
  memset(&run, 0, sizeof run);
  run.plan = plan;
  run.control = control;
  run.threads = 1;
  arena = (uint64_t *)permi_allocate(&plan->allocator, (size_t)threads, words * sizeof *arena);
  run.status = arena ? PERM_OK : PERM_ERROR_MEMORY;
  if (threads > 1) {
    shared.branch = (permi_branch *)permi_allocate(&plan->allocator, (size_t)shared.room, sizeof *shared.branch);
    shared.cell = (uint64_t *)permi_allocate(&plan->allocator, (size_t)shared.room, size * sizeof *shared.cell);
    if (!shared.branch || !shared.cell)
      run.status = PERM_ERROR_MEMORY;
    if (run.status == PERM_OK)
      run.status = permi_decompose_draw(plan, control, &shared, threads, arena, &run.work);
    run.shared = &shared;
    run.pass = PERMI_PASS_TAKE;
  }
  if (run.status == PERM_OK)
    additions = permi_decompose_walk(&run, arena, result);
  permi_release(&plan->allocator, arena);
  permi_release(&plan->allocator, shared.branch);
  permi_release(&plan->allocator, shared.cell);
  if (run.status != PERM_OK)
    return run.status;
  if (plan->words) {
    const permi_ring ring = permi_ring_make(plan->parts, plan->words);
    permi_cell_sum(&ring, result, partial);
  } else {
    double value[3];
    const int excess = additions - PERMI_DECOMPOSE_ADDITIONS * plan->n;
    memcpy(value, result, size * sizeof *value);
    permi_sum_add_double(&partial->value, value[0]);
    if (plan->parts == 2)
      permi_sum_add_double(&partial->imaginary, value[1]);
    permi_sum_add_double(&partial->absolute, value[plan->parts]);
    partial->lost += 2 * (8 * (run.operations + run.nodes) * DBL_MIN * plan->growth + plan->lost_error);
    if (excess > 0) /* more than the plan's bound has paid for; g (1 + g) < 2 g */
      partial->lost += 2 * permi_gamma(excess) * value[plan->parts];
  }
  partial->terms += run.nodes;
  return PERM_OK;
}

static void permi_decompose_release(const perm_allocator *allocator, void *context)
{
  permi_decompose *plan = (permi_decompose *)context;
  if (plan)
    permi_release(allocator, plan->cell);
  permi_release(allocator, plan);
}

static size_t permi_decompose_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_decompose *plan = (const permi_decompose *)leaf->context;
  const int length = snprintf(buffer, size,
                              "decompose, order %d: about %.3g branches of %s, predicted %.3g s, %.3g bytes\n", plan->n,
                              plan->nodes, plan->words ? "integers" : "doubles with moduli",
                              leaf->information.seconds, leaf->information.bytes);
  return length > 0 ? (size_t)length : 0;
}

/* Knuth's estimate of the size of the tree: random descents, each piece weighed by the number of its siblings. D. E.
   Knuth, Math. Comp. 29 (1975) 121-136. 0: out of memory. */
static int permi_decompose_predict(const perm_allocator *allocator, permi_decompose *plan, double rival,
                                   permi_control *watch)
{
  permi_decompose_level *level =
      (permi_decompose_level *)permi_allocate(allocator, permi_decompose_levels(plan), sizeof *level);
  permi_decomposing run;
  int probe, probes = PERMI_DECOMPOSE_PROBES, least = 8;
  if (rival < 0.1)
    probes = least;
  if (!level)
    return 0;
  memset(&run, 0, sizeof run);
  run.plan = plan;
  run.level = level;
  run.seed = UINT64_C(0x9e3779b97f4a7c15);
  for (probe = 0; probe < probes && !permi_watch(watch, 0.5 * plan->n * plan->n * plan->n); probe++) {
    permi_piece piece;
    if (probe >= least && run.work > 2 * rival * probes) /* work only grows: the mean will be over the rival's */
      break;
    permi_decompose_piece(plan, &piece);
    run.weight = 1;
    permi_decompose_node(&run, &piece, NULL, NULL);
  }
  plan->nodes = run.nodes / fmax(probe, 1);
  plan->seconds = run.work / fmax(probe, 1);
  permi_release(allocator, level);
  return 1;
}

static perm_status permi_decompose_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const permi_working *working = maker->working;
  const int n = block->n;
  permi_decompose *plan;
  uint64_t *cell;
  int i, e;
  if (n > PERMI_DECOMPOSE_ORDER) {
    permi_refuse(offer, PERM_ERROR_LIMIT, "is too large for method decompose, which takes orders up to %d",
                 PERMI_DECOMPOSE_ORDER);
    return PERM_OK;
  }
  if (!block->integer && (maker->options->precision == PERM_PRECISION_ACCURATE ||
                          maker->options->precision == PERM_PRECISION_DD)) {
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "is asked for in more than double precision");
    return PERM_OK;
  }
  plan = (permi_decompose *)permi_allocate(allocator, 1, sizeof *plan);
  if (!plan)
    return permi_fail_memory(maker->result);
  memset(plan, 0, sizeof *plan);
  offer->plan = plan;
  plan->allocator = *allocator;
  plan->n = n;
  plan->parts = working->is_complex ? 2 : 1;
  if (block->integer) {
    const double bits = permi_block_bits(block) + 1; /* the sign */
    if (bits >= 64 * PERM_INTEGER_WORDS) {
      permi_refuse(offer, PERM_ERROR_OVERFLOW, "may have a permanent of over %d bits", 64 * PERM_INTEGER_WORDS);
      return PERM_OK;
    }
    plan->words = (int)(bits / 64) + 1;
  }
  plan->size = (size_t)plan->parts * (size_t)(plan->words ? plan->words : 1) + (plan->words ? 0 : 1);
  plan->cell = permi_allocate(allocator, (size_t)n * (size_t)n, plan->size * sizeof(uint64_t));
  if (!plan->cell)
    return permi_fail_memory(maker->result);
  memset(plan->cell, 0, (size_t)n * (size_t)n * plan->size * sizeof(uint64_t));
  cell = (uint64_t *)plan->cell;
  plan->growth = 1;
  for (i = 0; i < n; i++) {
    double sum = 0;
    for (e = block->start[i]; e < block->start[i + 1]; e++) {
      const int j = block->neighbour[e] - n, edge = block->edge[e];
      uint64_t *at = cell + ((size_t)i * (size_t)n + (size_t)j) * plan->size;
      plan->row[i] |= UINT64_C(1) << j;
      if (block->integer) {
        int part, w;
        for (part = 0; part < plan->parts; part++) {
          const int64_t x = part ? block->imaginary_integer[edge] : block->integer[edge];
          at[part * plan->words] = (uint64_t)x;
          for (w = 1; w < plan->words; w++)
            at[part * plan->words + w] = x < 0 ? ~UINT64_C(0) : 0;
        }
      } else {
        memcpy(at, &block->real[edge], sizeof(double));
        if (plan->parts == 2)
          memcpy(at + 1, &block->imaginary[edge], sizeof(double));
        memcpy(at + plan->parts, &block->absolute[edge], sizeof(double));
        sum += block->absolute[edge];
      }
    }
    plan->growth *= sum > 1 ? sum * (1 + 1e-12) : 1;
  }
  plan->entry_roundings = permi_entry_roundings(working, working->n);
  plan->lost_error = working->lost_error;
  if (!permi_decompose_predict(allocator, plan, rival, maker->watch))
    return permi_fail_memory(maker->result);
  offer->seconds = plan->seconds;
  offer->bytes = 8.0 * (double)((size_t)(n * n) * plan->size + permi_decompose_arena(plan)); /* of one thread */
  return PERM_OK;
}

static perm_status permi_decompose_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                        permi_leaf *leaf)
{
  permi_decompose *plan = (permi_decompose *)offer->plan;
  uint64_t hash = PERMI_HASH_START;
  size_t k;
  (void)maker;
  leaf->information.kind = PERM_LEAF_TASK;
  leaf->information.method = PERM_METHOD_DECOMPOSE;
  leaf->information.isa = PERM_ISA_PLAIN;
  leaf->information.n = block->n;
  leaf->information.chunks = 1;
  leaf->information.work = plan->nodes;
  hash = permi_hash(permi_hash(hash, (uint64_t)plan->n), (uint64_t)plan->words);
  for (k = 0; k < (size_t)plan->n * (size_t)plan->n * plan->size; k++)
    hash = permi_hash(hash, ((const uint64_t *)plan->cell)[k]);
  leaf->information.fingerprint = hash;
  leaf->threaded = offer->seconds >= PERMI_DECOMPOSE_THREADED;
  leaf->run_task = permi_decompose_run;
  leaf->release = permi_decompose_release;
  leaf->explain = permi_decompose_explain;
  leaf->context = plan;
  leaf->integer = plan->words != 0;
  if (!leaf->integer) {
    const double n = plan->n, products = plan->parts == 2 ? 3 : 1;
    leaf->bound_relative = permi_entry_bound(plan->entry_roundings + (products + PERMI_DECOMPOSE_ADDITIONS) * n);
    leaf->estimate_relative = 4 * PERMI_UNIT * sqrt(plan->entry_roundings + (products + 1) * n);
  }
  offer->plan = NULL;
  return PERM_OK;
}
