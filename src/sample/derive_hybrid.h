/* ================================================================================== >>derive_hybrid
   Derivatives of a block of doubles by one pass back through the program of >>hybrid_layout, whose slots all stay.
   Where y_i = sum of a_ij d_j the derivative by a_ij is the sum over the signs d of d_j times the adjoint of y_i. An
   adjoint collects terms while its value stays: before a column turns, operations that depend on it hand theirs on to
   their operands, and rows that it touches add theirs to derivatives, with the step's signs. Inner columns have
   adjoints by setting, lanes by lane. A second program sums moduli of terms by row: of every block with certify, else
   of samples, for the estimate. Chunks are summed in order. THE BOUND: docs/proofs-rounding.md. */
#pragma once
#include "../hybrid/hybrid_offer.h"
#include "../proof/lanes.h"
#include "trace.h"

#define PERMI_REVERSE_STEPS 128     /* that are summed in blocks */
#define PERMI_REVERSE_CHUNKS_LOG2 8 /* at most, */
#define PERMI_REVERSE_LEAST_LOG2 8  /* of so many steps at least */
#define PERMI_REVERSE_WIDE 1.65     /* prod (1 + 1 / 2n): sums of moduli with floors */
#define PERMI_REVERSE_ZERO 30       /* log2 of a stored zero's scale over that of entries */
#define PERMI_REVERSE_FEW 1e-9      /* relative error, beyond which others win that take less than */
#define PERMI_REVERSE_WORTH 20      /* times as long */

typedef struct permi_reverse {
  permi_owned owned;
  permi_hybrid *hybrid;
  permi_hybrid back; /* the program of adjoints; slots, then sums of rows by constant; slot_count: lines of these */
  const permi_back_family *family;
  permi_numbers numbers;
  int edges, *edge, *place; /* by rows of the program: the block's, the column's place in the order */
  int start[65], high_start[65];
  unsigned char *column; /* [row][start + row]: high columns, then 255 */
  double size[64];       /* rows' sums of moduli */
  double additions, bytes, each;
  int exp2[2];           /* most of entries: zeros, others */
} permi_reverse;

typedef struct permi_reverse_slot {
  int reads, set; /* h and g are read once a group; set: its adjoint is written, not added to */
  unsigned dirty;
  double additions; /* in its adjoint, at most */
} permi_reverse_slot;

static void permi_reverse_release(const perm_allocator *allocator, void *plan)
{
  if (plan)
    permi_hybrid_release(allocator, ((permi_reverse *)plan)->hybrid);
  permi_owned_release(allocator, plan);
}

/* Makes an operation one of few kinds: sums of rows are operands like others. */
static void permi_reverse_turn(const permi_hybrid *hybrid, permi_instruction *operation, permi_statement *t)
{
  const int opcode = operation->opcode, lines = hybrid->slot_count, bases = permi_hybrid_line(hybrid->n);
  const int rows = opcode == PERMI_OP_ROW || opcode == PERMI_OP_ROWS || opcode == PERMI_OP_TIMES_ROW ||
                   opcode == PERMI_OP_FOLD_ROW;
  const permi_statement *end = t + operation->count;
  operation->opcode = (uint16_t)(opcode == PERMI_OP_ROWS || opcode == PERMI_OP_TIMES_ROW ? PERMI_OP_TIMES
                                 : opcode == PERMI_OP_FOLD_ROW                            ? PERMI_OP_FOLD
                                                                                          : opcode);
  for (; t < end; t++) {
    if (opcode == PERMI_OP_CHAIN && t->p < bases) {
      int i = 0;
      while (permi_hybrid_line(i) < t->p)
        i++;
      t->p = (uint16_t)permi_hybrid_line(lines + hybrid->row_constant[i]);
    }
    if (opcode == PERMI_OP_ROWS)
      t->p = t->q = (uint16_t)permi_hybrid_line(lines + t->p);
    if (rows)
      t->h = (uint16_t)permi_hybrid_line(lines + t->h);
    if (rows && opcode != PERMI_OP_ROW)
      t->g = (uint16_t)permi_hybrid_line(lines + t->g);
  }
}

/* Decides which adjoints are written once, by an operation that runs whenever the slot's own does. */
static void permi_reverse_sets(permi_instruction *operation, const permi_statement *t, int sums,
                               permi_reverse_slot *slot)
{
  const permi_statement *end = t + operation->count, *first = t;
  const int folds = operation->opcode == PERMI_OP_FOLD;
  int sets = operation->opcode == PERMI_OP_TIMES || folds, holds = sets, k;
  for (; t < end && (sets || holds); t++)
    for (k = 0; k < (folds ? 2 : 1); k++) {
      const int p = k ? t->q : t->p, h = k ? t->g : t->h;
      sets &= p < sums && slot[p].reads == 1 && slot[p].dirty == operation->dirty;
      holds &= h < sums && slot[h].reads == 1 && slot[h].dirty == operation->dirty;
    }
  operation->growth = sets;
  operation->halved = holds;
  for (t = first; t < end; t++) {
    slot[t->p].set |= sets;
    slot[t->h].set |= holds;
    if (folds) {
      slot[t->q].set |= sets;
      slot[t->g].set |= holds;
    }
  }
}

/* Returns 0 without memory. */
static int permi_reverse_program(permi_reverse *reverse)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  permi_hybrid *back = &reverse->back;
  permi_pool pool = {reverse->owned.pool.allocator, NULL, 0}, *lasting = &reverse->owned.pool;
  const int lines = permi_hybrid_line(hybrid->slot_count + hybrid->constants);
  const int sums = permi_hybrid_line(hybrid->slot_count);
  const double own = ldexp(1, hybrid->low);
  permi_reverse_slot *slot = (permi_reverse_slot *)permi_pool_zeros(&pool, (size_t)lines, sizeof *slot);
  int k, i;
  *back = *hybrid;
  back->slot_count = lines;
  back->operation = (permi_instruction *)permi_pool_kept(lasting, hybrid->operation, (size_t)hybrid->operations,
                                                         sizeof *back->operation);
  back->statement = (permi_statement *)permi_pool_kept(lasting, hybrid->statement, (size_t)hybrid->statements,
                                                       sizeof *back->statement);
  if (!slot || lasting->failed) {
    permi_pool_release(&pool);
    return 0;
  }
  for (k = 0; k < back->operations; k++) {
    permi_instruction *operation = &back->operation[k];
    permi_statement *t = back->statement + operation->first;
    permi_reverse_turn(hybrid, operation, t);
    const int opcode = operation->opcode, folds = opcode == PERMI_OP_FOLD, factors = folds || opcode == PERMI_OP_TIMES;
    for (i = 0; i < operation->count; i++, t++) {
      const int first = !operation->group || i % operation->group == 0;
      slot[t->p].reads += opcode == PERMI_OP_CHAIN ? 2 : opcode != PERMI_OP_ROW;
      slot[t->q].reads += folds || opcode == PERMI_OP_DIFFERENCE;
      slot[t->h].reads += (factors && first) || opcode == PERMI_OP_ROW;
      slot[t->g].reads += folds && first;
      slot[t->out].dirty = operation->dirty;
    }
  }
  for (k = 0; k < back->operations; k++)
    permi_reverse_sets(&back->operation[k], back->statement + back->operation[k].first, sums, slot);
  while (--k >= 0) {
    permi_instruction *operation = &back->operation[k];
    permi_statement *t = back->statement + operation->first;
    operation->other = !slot[t->out].set;
    for (i = 0; i < operation->count; i++, t++) { /* its adjoint's additions, its own while it collects, a group's */
      const permi_reverse_slot *out = &slot[t->out];
      const int operand[4] = {t->p, t->q, t->h, t->g};
      const double all = out->additions + (out->set ? 0 : own * out->reads);
      for (int q = 0; q < 4; q++) /* at 0 is none */
        slot[operand[q]].additions = fmax(slot[operand[q]].additions, q < 2 ? all : all + operation->group);
    }
  }
  for (k = 0; k < hybrid->constants; k++) {
    const permi_reverse_slot *sum = &slot[permi_hybrid_line(hybrid->slot_count + k)];
    reverse->additions = fmax(reverse->additions, sum->additions + PERMI_REVERSE_STEPS * (sum->reads + 1));
  }
  for (i = 0, k = 0; i < hybrid->n; i++)
    k = permi_count_ones(hybrid->row_scope[i]) > k ? permi_count_ones(hybrid->row_scope[i]) : k;
  reverse->additions += ldexp(1, k) + PERMI_HYBRID_DOUBLES;
  permi_pool_release(&pool);
  return 1;
}

/* Orders the block's entries by rows of the program and places in its order. */
static int permi_reverse_entries(permi_reverse *reverse, const permi_block *block)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const int n = hybrid->n, turned = hybrid->transposed;
  int i, k, e, exp2, *most, count = 0, marks = 0, highs = 0;
  reverse->exp2[0] = reverse->exp2[1] = INT_MIN / 2;
  reverse->edges = block->edges;
  reverse->column = (unsigned char *)permi_pool_get(&reverse->owned.pool, (size_t)(block->edges + n), 1);
  if (!permi_pool_ints(&reverse->owned.pool, &reverse->edge, (size_t)block->edges, &reverse->place,
                       (size_t)block->edges, (int **)NULL) || reverse->owned.pool.failed)
    return 0;
  for (i = 0; i < n; i++) {
    const int v = turned ? n + i : i;
    reverse->start[i] = count;
    reverse->high_start[i] = highs;
    for (k = 0; k < n; k++)
      for (e = block->start[v]; e < block->start[v + 1]; e++) {
        const int j = hybrid->order[k], high = k - hybrid->inner;
        if (block->neighbour[e] != (turned ? j : n + j))
          continue;
        exp2 = hybrid->line_exp2[0][i] + hybrid->line_exp2[1][j];
        most = &reverse->exp2[block->absolute[block->edge[e]] > 0];
        *most = exp2 > *most ? exp2 : *most;
        reverse->edge[count] = block->edge[e];
        reverse->place[count++] = k;
        reverse->size[i] += ldexp(block->absolute[block->edge[e]], exp2) * (1 + 1e-13);
        if (high >= 0 && high < hybrid->high) {
          reverse->column[marks++] = (unsigned char)high;
          highs++;
        }
      }
    reverse->column[marks++] = 255;
  }
  reverse->start[n] = count;
  reverse->high_start[n] = highs;
  return 1;
}

/* Doubles of a thread's program: totals, values, adjoints, a chain, sums by row, by constant, by high entry. */
static size_t permi_reverse_doubles(const permi_reverse *reverse, int signs)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const size_t blocks = (size_t)(64 + PERMI_HYBRID_INNER + hybrid->n) +
                        (signs ? (size_t)(hybrid->constants + reverse->high_start[hybrid->n]) : 0);
  return 16 * (size_t)reverse->back.slot_count + PERMI_HYBRID_DOUBLES * (2 + blocks);
}

static size_t permi_reverse_results(const permi_reverse *reverse)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  return (size_t)(reverse->edges * hybrid->parts + hybrid->parts + hybrid->n + 1);
}

static perm_status permi_reverse_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  permi_reverse *reverse;
  const perm_status status = permi_hybrid_offer(maker, block, rival, offer);
  permi_hybrid *hybrid = (permi_hybrid *)offer->plan;
  if (status != PERM_OK || !hybrid)
    return status;
  offer->plan = reverse = (permi_reverse *)permi_owned_new(allocator, sizeof *reverse);
  if (!reverse) {
    permi_hybrid_release(allocator, hybrid);
    return permi_fail_memory(maker->result);
  }
  reverse->hybrid = hybrid;
  reverse->family = PERMI_OF_X86(permi_back_family, hybrid->isa);
  reverse->numbers.algebra = hybrid->parts == 2 ? PERMI_COMPLEX : PERMI_SIGNED;
  reverse->numbers.parts = hybrid->parts;
  const int least = hybrid->high < PERMI_REVERSE_LEAST_LOG2 ? hybrid->high : PERMI_REVERSE_LEAST_LOG2;
  hybrid->chunk_log2 = permi_clamp(hybrid->high - PERMI_REVERSE_CHUNKS_LOG2, least, hybrid->high);
  reverse->each = offer->seconds / ldexp(1, hybrid->high);
  offer->likely = offer->seconds; /* sums of |terms| are seen to be at most e^(0.4 n) times a positive permanent */
  if (PERMI_HYBRID_ALIKE(hybrid->n) * sqrt(2 * hybrid->n) * PERMI_UNIT * exp(0.4 * hybrid->n) > PERMI_REVERSE_FEW)
    offer->seconds *= PERMI_REVERSE_WORTH;
  if (!permi_reverse_entries(reverse, block) || !permi_reverse_program(reverse))
    return permi_fail_memory(maker->result);
  if (reverse->exp2[0] > reverse->exp2[1] + PERMI_REVERSE_ZERO) { /* without zeros it falls into parts */
    permi_reverse_release(allocator, reverse);
    offer->plan = NULL;
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has stored zeros whose minors have no scale");
  }
  reverse->bytes = ldexp(sizeof(permi_dd) * (double)permi_reverse_results(reverse), hybrid->high - hybrid->chunk_log2) +
                   8.0 * permi_threads(maker->options) *
                       (double)(permi_reverse_doubles(reverse, 1) + permi_reverse_doubles(reverse, 0)) +
                   sizeof *reverse + 16.0 * (hybrid->operations + hybrid->statements) + 20.0 * block->edges;
  return PERM_OK;
}

typedef struct permi_reverse_side {
  double *values, *bars, *sum, *each, *entry; /* by row, by constant, by high entry */
} permi_reverse_side;

typedef struct permi_reverse_run {
  permi_runner base;
  const permi_reverse *reverse;
  double *room;
  size_t doubles; /* of a thread */
  permi_dd *result; /* by chunk: derivatives, the permanent, sums of moduli by row and of terms */
} permi_reverse_run;

static permi_reverse_side permi_reverse_side_of(const permi_reverse *reverse, double *room, int signs)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const size_t lines = (size_t)reverse->back.slot_count;
  permi_reverse_side side;
  side.values = room + 2 * PERMI_HYBRID_DOUBLES;
  side.bars = side.values + 8 * lines;
  side.sum = side.bars + 8 * lines + (64 + PERMI_HYBRID_INNER) * PERMI_HYBRID_DOUBLES;
  side.each = signs ? side.sum + hybrid->n * PERMI_HYBRID_DOUBLES : NULL;
  side.entry = signs ? side.each + hybrid->constants * PERMI_HYBRID_DOUBLES : NULL;
  return side;
}

/* Returns the sum of lanes, of those with this bit minus. */
static double permi_reverse_lanes(const double *x, int lanes, int bit)
{
  double sum[8] = {0};
  for (int k = 0; k < lanes; k++)
    sum[k & 7] += bit >= 0 && k >> bit & 1 ? -x[k] : x[k];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* Moves row i's adjoints on, gray: the high columns with -. */
static void permi_reverse_row(const permi_reverse *reverse, const permi_reverse_side *side, int i, uint64_t gray)
{
  static const unsigned char none = 255;
  const permi_hybrid *hybrid = reverse->hybrid;
  const int slot = hybrid->slot_count + hybrid->row_constant[i], end = hybrid->slot_count + hybrid->row_constant[i + 1];
  const int signs = side->each != NULL;
  reverse->family->row(side->bars, slot, end,
                       signs ? side->each + hybrid->row_constant[i] * PERMI_HYBRID_DOUBLES : NULL,
                       side->sum + i * PERMI_HYBRID_DOUBLES,
                       signs ? reverse->column + reverse->high_start[i] + i : &none, gray,
                       signs ? side->entry + reverse->high_start[i] * PERMI_HYBRID_DOUBLES : side->sum);
}

/* Adds row i's blocks to derivatives, and clears them. */
static void permi_reverse_collect(const permi_reverse *reverse, const permi_reverse_side *side, int i, permi_dd *result)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const int lanes = hybrid->lanes, parts = hybrid->parts, inner = hybrid->inner;
  const int settings = hybrid->row_constant[i + 1] - hybrid->row_constant[i];
  double *each = side->each + hybrid->row_constant[i] * PERMI_HYBRID_DOUBLES;
  double *entry = side->entry + reverse->high_start[i] * PERMI_HYBRID_DOUBLES;
  double *sum = side->sum + i * PERMI_HYBRID_DOUBLES, of[2];
  for (int s = 0; s < settings; s++) {
    double *block = each + s * PERMI_HYBRID_DOUBLES;
    for (int p = 0; p < parts; p++)
      of[p] = permi_reverse_lanes(block + p * lanes, lanes, -1);
    memcpy(block, of, (size_t)parts * sizeof *of);
  }
  for (int e = reverse->start[i]; e < reverse->start[i + 1]; e++) {
    const int k = reverse->place[e], high = k >= inner && k < inner + hybrid->high;
    const int bit = k < inner ? permi_count_ones(hybrid->row_scope[i] & ((1u << k) - 1)) : k - inner - hybrid->high;
    for (int p = 0; p < parts; p++) {
      double x = 0;
      for (int s = 0; k < inner && s < settings; s++)
        x += s >> bit & 1 ? -each[s * PERMI_HYBRID_DOUBLES + p] : each[s * PERMI_HYBRID_DOUBLES + p];
      if (high)
        x = permi_reverse_lanes(entry + p * lanes, lanes, -1);
      else if (k >= inner)
        x = permi_reverse_lanes(sum + p * lanes, lanes, k == hybrid->n - 1 ? -1 : bit);
      result[e * parts + p] = permi_dd_add_double(result[e * parts + p], x);
    }
    if (high) {
      memset(entry, 0, PERMI_HYBRID_DOUBLES * sizeof *entry);
      entry += PERMI_HYBRID_DOUBLES;
    }
  }
  memset(each, 0, (size_t)settings * PERMI_HYBRID_DOUBLES * sizeof *each);
  memset(sum, 0, PERMI_HYBRID_DOUBLES * sizeof *sum);
}

/* Computes the moduli of the block at hand, of which what `owed` says has changed since the last. */
static double permi_reverse_moduli(const permi_reverse *reverse, const permi_reverse_side *side, unsigned owed,
                                   double weight)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const int algebra = hybrid->parts == 2 ? PERMI_HYBRID_COMPLEX_MODULI : PERMI_HYBRID_MODULI;
  double *result = permi_hybrid_slot(side[1].values, hybrid->result), sum = 0;
  double *bar = permi_hybrid_slot(side[1].bars, hybrid->result);
  const int *row;
  reverse->family->back[0](&reverse->back, side[1].values, side[1].bars, owed, 1);
  memcpy(side[1].values, side[0].values, (size_t)permi_hybrid_line(hybrid->n) * 8 * sizeof(double));
  for (int i = 0; owed & PERMI_HYBRID_ALL && i < hybrid->n; i++)
    reverse->family->sums(hybrid, algebra, i, hybrid->slot_count, side[1].values);
  for (int j = 0; !(owed & PERMI_HYBRID_ALL) && j < hybrid->low; j++)
    for (row = hybrid->touched[j]; owed >> j & 1 && *row >= 0; row++)
      reverse->family->sums(hybrid, algebra, *row, hybrid->slot_count, side[1].values);
  hybrid->family->absolute[hybrid->algebra](hybrid, side[1].values, owed);
  for (int k = 0; k < hybrid->lanes; k++) {
    bar[k] = weight * fabs(hybrid->sign[k]);
    sum += bar[k] * result[k];
  }
  return sum;
}

static perm_status permi_reverse_chunk(void *context, uint64_t chunk, int thread)
{
  permi_reverse_run *run = (permi_reverse_run *)context;
  const permi_reverse *reverse = run->reverse;
  const permi_hybrid *hybrid = reverse->hybrid;
  const permi_hybrid_family *family = hybrid->family;
  const int parts = hybrid->parts, lanes = hybrid->lanes, lines = hybrid->slot_count;
  const size_t results = permi_reverse_results(reverse);
  double *room = run->room + (size_t)thread * run->doubles, *total = room, absolute = 0;
  permi_dd *result = run->result + chunk * results, *whole = result + reverse->edges * parts, *moduli = whole + parts;
  const permi_reverse_side side[2] = {permi_reverse_side_of(reverse, room, 1),
                                      permi_reverse_side_of(reverse, room + permi_reverse_doubles(reverse, 1), 0)};
  double *values = side[0].values, *bar = permi_hybrid_slot(side[0].bars, hybrid->result);
  uint64_t s = chunk << hybrid->chunk_log2, last = s + (UINT64_C(1) << hybrid->chunk_log2), gray = s ^ s >> 1;
  unsigned turned = PERMI_HYBRID_ALL, owed = PERMI_HYBRID_ALL;
  perm_status status = PERM_OK;
  const int *row;
  memset(total, 0, 2 * PERMI_HYBRID_DOUBLES * sizeof *total);
  permi_hybrid_bases(hybrid, gray, values);
  for (int i = 0; i < hybrid->n; i++)
    reverse->family->sums(hybrid, (int)hybrid->algebra, i, lines, values);
  for (; status == PERM_OK; gray = s ^ s >> 1) {
    const double weight = permi_hybrid_weight(hybrid, s);
    family->execute[hybrid->algebra](hybrid, values, turned);
    family->add(hybrid, permi_hybrid_slot(values, hybrid->result), total, (int)(s & 1));
    for (int k = 0; k < lanes; k++)
      bar[k] = s & 1 ? -hybrid->sign[k] : hybrid->sign[k];
    if (weight > 0) {
      absolute += permi_reverse_moduli(reverse, side, owed, weight);
      owed = 0;
    }
    const int all = ++s == last || s % PERMI_REVERSE_STEPS == 0;
    const int j = permi_trailing_zeros(s);
    turned = !all && j < hybrid->low ? 1u << j : PERMI_HYBRID_ALL;
    owed |= turned;
    if (all) { /* goes back through all of both programs */
      reverse->family->back[parts - 1](&reverse->back, values, side[0].bars, PERMI_HYBRID_ALL, -1);
      reverse->family->back[0](&reverse->back, side[1].values, side[1].bars, PERMI_HYBRID_ALL, 1);
      for (int i = 0; i < hybrid->n; i++) {
        double *sum = side[1].sum + i * PERMI_HYBRID_DOUBLES;
        permi_reverse_row(reverse, &side[0], i, gray);
        permi_reverse_row(reverse, &side[1], i, gray);
        permi_reverse_collect(reverse, &side[0], i, result);
        moduli[i] = permi_dd_add_double(moduli[i], permi_reverse_lanes(sum, lanes, -1));
        memset(sum, 0, PERMI_HYBRID_DOUBLES * sizeof *sum);
      }
      status = permi_runner_poll(&run->base, PERMI_RUNNER_POLL, ldexp(reverse->each, hybrid->high) *
                                 ((double)s / ldexp(1, hybrid->high)), thread);
    } else {
      reverse->family->back[parts - 1](&reverse->back, values, side[0].bars, turned, -1);
      for (row = hybrid->touched[j]; *row >= 0; row++)
        permi_reverse_row(reverse, &side[0], *row, gray);
    }
    if (s == last)
      break;
    family->turn(hybrid, j, (int)((s ^ s >> 1) >> j & 1), values);
    for (row = hybrid->touched[j]; *row >= 0; row++)
      reverse->family->sums(hybrid, (int)hybrid->algebra, *row, lines, values);
  }
  for (int k = 0; k < lanes; k++)
    for (int p = 0; p < 2 * parts && hybrid->sign[k] != 0; p++)
      whole[p / 2] = permi_dd_add_double(whole[p / 2], hybrid->sign[k] *
                                         total[p % 2 * PERMI_HYBRID_DOUBLES + p / 2 * lanes + k]);
  result[results - 1] = permi_dd_make(absolute);
  return status;
}

/* Writes bound and estimate of what is off by K roundings of terms, given the product of row sums of moduli and the sum
   of |terms|, sampled unless certified. largest: the largest number. The estimate is permi_hybrid_estimate's. */
static void permi_reverse_error(const permi_trace *trace, const permi_reverse *reverse, double product, double terms,
                                double largest, double *error)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const permi_hybrid_rounding *rounding = &hybrid->rounding;
  const int parts = hybrid->parts, n = hybrid->n;
  const double roundings = (2 * parts - 1) * n + hybrid->inner +
                           parts * reverse->additions + 4;
  const double alike = PERMI_HYBRID_ALIKE(n) * parts;
  const double most = ldexp(product, n - 1), moduli = permi_gamma(2 * roundings + 5 * n);
  const double absolute = ldexp(rounding->growth * rounding->unfloored, n + 1) +
                          ldexp(rounding->growth * (12 * roundings + 4 * n * n), n - 1073);
  const double given = permi_entry_bound(trace->given) * most, lost = rounding->losses;
  const double sum = hybrid->absolute_mask ? PERMI_REVERSE_WIDE * most : terms * (1 + 4 * moduli);
  error[0] = lost < 1 ? (permi_gamma(roundings) + lost) * sum * 1.0001 + given + absolute : (double)INFINITY;
  error[1] = 2 * PERMI_UNIT * terms * (alike * sqrt(2 * n + hybrid->inner + 30) + trace->given) +
             rounding->shared.relative * (rounding->shared.part * terms + largest) + PERMI_UNIT * largest + absolute;
  error[1] = fmin(error[1], error[0]);
}

static perm_status permi_reverse_values(permi_trace *trace, const permi_reverse *reverse, const permi_dd *result)
{
  const permi_hybrid *hybrid = reverse->hybrid;
  const int n = hybrid->n, parts = hybrid->parts, edges = reverse->edges;
  const permi_dd *moduli = result + (edges + 1) * parts;
  permi_derived *derived = trace->derived;
  double product = 1;
  derived->error = (double (*)[2])permi_pool_get(&trace->lasting, (size_t)edges + 1, sizeof *derived->error);
  if (trace->lasting.failed)
    return PERM_ERROR_MEMORY;
  for (int i = 0; i <= n; i++) {
    const int first = i < n ? reverse->start[i] * parts : edges * parts;
    const int end = i < n ? reverse->start[i + 1] * parts : first + parts;
    double *value = (double *)(void *)derived->whole.value, error[2], largest = 0;
    for (int e = first; e < end; e++)
      largest = fmax(largest, 1.5 * fabs(result[e].hi));
    product = 1;
    for (int l = 0; l < n; l++)
      product *= l == i ? 1 : reverse->size[l] * (1 + 1e-12);
    permi_reverse_error(trace, reverse, product, moduli[i].hi, largest, error);
    for (int e = reverse->start[i]; i < n && e < reverse->start[i + 1]; e++) {
      const int at = reverse->edge[e];
      value = (double *)(void *)(derived->value + (size_t)at * derived->size);
      for (int p = 0; p < parts; p++)
        value[p] = result[e * parts + p].hi;
      derived->of[at] = at;
      derived->sizes[at].exp2 = hybrid->scale_exp2 - (n - 1) + hybrid->line_exp2[0][i] +
                                hybrid->line_exp2[1][hybrid->order[reverse->place[e]]];
      memcpy(derived->error[at], error, sizeof error);
    }
    for (int p = 0; i == n && p < parts; p++)
      value[p] = result[edges * parts + p].hi;
    if (i == n)
      memcpy(derived->error[edges], error, sizeof error);
  }
  derived->whole.sizes.exp2 = hybrid->scale_exp2 - (n - 1);
  return PERM_OK;
}

static perm_status permi_reverse_derive(permi_trace *trace, permi_control *control)
{
  const permi_reverse *reverse = (const permi_reverse *)trace->plan;
  const permi_hybrid *hybrid = reverse->hybrid;
  const size_t results = permi_reverse_results(reverse);
  const uint64_t chunks = UINT64_C(1) << (hybrid->high - hybrid->chunk_log2);
  permi_reverse_run run;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&run, 0, sizeof run);
  permi_runner_begin(&run.base, reverse->owned.pool.allocator, control, "hybrid");
  const int threads = ldexp(reverse->each, hybrid->high) < PERMI_PARALLEL_SECONDS ? 1 : run.base.threads;
  run.reverse = reverse;
  run.doubles = permi_reverse_doubles(reverse, 1) + permi_reverse_doubles(reverse, 0);
  run.room = (double *)permi_pool_zeros(&run.base.pool, run.doubles * (size_t)threads + 8, sizeof(double));
  run.result = (permi_dd *)permi_pool_zeros(&run.base.pool, results * (size_t)chunks, sizeof *run.result);
  const int fine = permi_derived_begin(trace, &reverse->numbers, reverse->edges);
  if (!run.base.pool.failed && fine) {
    run.room += (64 - ((uintptr_t)run.room & 63)) % 64 / sizeof(double);
    status = permi_share(threads, 0, chunks, permi_reverse_chunk, &run, NULL);
  }
  for (uint64_t chunk = 1; chunk < chunks && status == PERM_OK; chunk++)
    for (size_t k = 0; k < results; k++)
      run.result[k] = permi_dd_add(run.result[k], run.result[chunk * results + k]);
  if (status == PERM_OK)
    status = permi_reverse_values(trace, reverse, run.result);
  trace->visited = ldexp(hybrid->rows_a_term, hybrid->n - 1 - hybrid->inner);
  permi_pool_release(&run.base.pool);
  return status;
}

static double permi_reverse_bytes(const void *plan)
{
  return ((const permi_reverse *)plan)->bytes;
}

static const permi_tracer permi_hybrid_deriver = {permi_reverse_bytes, permi_reverse_derive, NULL, NULL};
/* SPDX-License-Identifier: MIT */
