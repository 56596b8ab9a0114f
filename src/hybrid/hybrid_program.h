/* ================================================================================= >>hybrid_program
   A layout made into a straight program. */
#pragma once
#include "hybrid_layout.h"

typedef struct permi_hybrid_maker {
  permi_layouts *work;
  permi_arrangement *layout;
  permi_hybrid *hybrid;
  const perm_allocator *allocator;
  unsigned char busy[PERMI_HYBRID_SLOTS];
  int sequence[PERMI_HYBRID_NODES], evaluated, failed;
  struct permi_growths *growths; /* of whole numbers, else NULL */
} permi_hybrid_maker;

/* Places other than multiples of count fragment the slots. */
static int permi_maker_slots(permi_hybrid_maker *maker, int count)
{
  permi_hybrid *hybrid = maker->hybrid;
  int s, k;
  if (maker->work->keeps && hybrid->slot_count + count + hybrid->constants <= PERMI_HYBRID_KEPT) {
    hybrid->slot_count += count;
    return hybrid->slot_count - count;
  }
  for (s = 0; s + count <= PERMI_HYBRID_SLOTS && !maker->work->keeps; s += count) {
    for (k = s; k < s + count && !maker->busy[k]; k++)
      ;
    if (k < s + count)
      continue;
    memset(maker->busy + s, 1, (size_t)count);
    hybrid->slot_count = k > hybrid->slot_count ? k : hybrid->slot_count;
    return s;
  }
  maker->failed = 1;
  return 0;
}

static permi_hybrid_node *permi_maker_child(permi_hybrid_maker *maker, const permi_hybrid_node *node, int k, int *at)
{
  *at = node->kind == PERMI_NODE_CHAIN ? maker->work->item[k] : k ? node->right : node->left;
  return *at < maker->work->n ? NULL : &maker->work->node[*at];
}

static int permi_maker_children(const permi_hybrid_node *node)
{
  return node->kind == PERMI_NODE_CHAIN ? node->items : 2;
}

/* Orders nodes depth first, so that few tables wait. `given`: slots are the parent's. */
static void permi_maker_visit(permi_hybrid_maker *maker, permi_hybrid_node *node, int number, int given)
{
  const int children = permi_maker_children(node);
  permi_hybrid_node *child, *place = NULL;
  int k, index, swap = 0;
  if (node->kind != PERMI_NODE_CHAIN) {
    permi_hybrid_node *left = permi_maker_child(maker, node, 0, &index);
    const permi_hybrid_node *right = permi_maker_child(maker, node, 1, &index);
    swap = left && right && permi_count_ones(right->all) > permi_count_ones(left->all);
    if (node->kind == PERMI_NODE_MERGE && left && !left->persists && left->scope == node->scope)
      place = left;
    if (place && given)
      place->slot = node->slot;
  }
  for (k = 0; k < children; k++) {
    child = permi_maker_child(maker, node, k ^ swap, &index);
    if (child)
      permi_maker_visit(maker, child, index, child->persists || (given && child == place));
  }
  if (!given)
    node->slot = place ? place->slot : permi_maker_slots(maker, 1 << permi_count_ones(node->scope));
  for (k = 0; k < children; k++) {
    child = permi_maker_child(maker, node, k, &index);
    if (child && !child->persists && child != place)
      memset(maker->busy + child->slot, 0, (size_t)1 << permi_count_ones(child->scope));
  }
  maker->sequence[maker->evaluated++] = number;
}

/* Returns 0, *failed 1 (too many) or 2 (no memory). */
static int permi_append(const perm_allocator *allocator, void **array, int *used, int *room, const void *item,
                        size_t size, int most, int *failed)
{
  if (!*failed && *used >= most)
    *failed = 1;
  if (!*failed && !permi_grow(allocator, array, *used, room, size))
    *failed = 2;
  if (*failed)
    return 0;
  memcpy((char *)*array + (size_t)(*used)++ * size, item, size);
  return 1;
}

static void permi_maker_statement(permi_hybrid_maker *maker, int out, int p, int q, int h, int g)
{
  permi_hybrid *hybrid = maker->hybrid;
  const permi_statement statement = {(uint16_t)out, (uint16_t)p, (uint16_t)q, (uint16_t)h, (uint16_t)g};
  permi_append(maker->allocator, (void **)&hybrid->statement, &hybrid->statements, &hybrid->statement_room, &statement,
               sizeof statement, PERMI_HYBRID_STATEMENTS, &maker->failed);
}

static int permi_pack_bits(uint32_t x, uint32_t mask)
{
  int packed = 0, at = 0;
  for (; mask; mask &= mask - 1, at++)
    packed |= (x & mask & (0 - mask)) ? 1 << at : 0;
  return packed;
}

static int permi_maker_at(permi_hybrid_maker *maker, int index, uint32_t setting)
{
  const permi_hybrid_node *node = &maker->work->node[index];
  const int at = node->slot + permi_pack_bits(setting, node->scope);
  return index < maker->work->n ? at : permi_hybrid_line(at);
}

/* ---- growth of whole numbers
   Tables of integers are exact in doubles while products are below 2^53; beyond PERMI_GROWTH_CAP residues stand for
   them, modulo a prime near 2^47 or an odd number from 2^47 / 3 to 2^47. Exact differences are even, and halves are
   kept. Products up to 2^52 are reduced from one double, longer ones from two (docs/proofs-rounding.md; by machine 2 to
   4: tests/proofs/hybrid.g). */
#define PERMI_GROWTH_CAP 225179981368524.0       /* 0.8 2^48 */
#define PERMI_GROWTH_SHORT 4503599627370496.0    /* 2^52 */
#define PERMI_GROWTH_EXACT 9007199254740992.0    /* 2^53 */
#define PERMI_GROWTH_HALF 70368744177665.0       /* 2^46 + 1 */
typedef struct permi_growths {
  double modulus[64][PERMI_HYBRID_INNER]; /* of entries of inner columns */
  double outer[64]; /* sums of moduli of outer entries */
  double table[PERMI_HYBRID_SLOTS][2];    /* of values; with + for - */
  int item[192];                          /* growth of chains' products */
  int halvings, most_halvings;
  double cap;
} permi_growths;

static double permi_growth_size(permi_hybrid_maker *maker, int index, int *whole)
{
  *whole &= maker->work->node[index].whole;
  return maker->work->node[index].size;
}

static void permi_growth_at(permi_hybrid_maker *maker, int index, uint32_t setting, double *x)
{
  const permi_growths *growths = maker->growths;
  const permi_hybrid_node *node = &maker->work->node[index];
  if (node->kind != PERMI_NODE_ROW) {
    memcpy(x, growths->table[node->slot + permi_pack_bits(setting, node->scope)], 2 * sizeof *x);
    return;
  }
  x[0] = growths->outer[index];
  x[1] = node->size;
  for (int k = 0; k < maker->hybrid->inner; k++)
    x[0] += setting >> k & 1 ? -growths->modulus[index][k] : growths->modulus[index][k];
}

static double permi_growth_table(permi_hybrid_maker *maker, const permi_hybrid_node *node, double half)
{
  double (*table)[2] = maker->growths->table + node->slot, size = 0;
  for (int k = 0; k < 1 << permi_count_ones(node->scope); k++) {
    double sum[2] = {0, 0};
    for (int side = 0; side < (node->kind == PERMI_NODE_FOLD ? 2 : 1); side++) {
      const uint32_t setting = (uint32_t)permi_deposit_bits((unsigned)k, node->scope) |
                               (side ? node->all & ~node->scope : 0);
      double x[2], product[2] = {half, half};
      for (int factor = 0; factor < (node->right < 0 ? 1 : 2); factor++) {
        permi_growth_at(maker, factor ? node->right : node->left, setting, x);
        product[0] *= x[0];
        product[1] *= x[1];
      }
      sum[0] += side ? -product[0] : product[0];
      sum[1] += product[1];
    }
    memcpy(table[k], sum, sizeof sum);
    if (k == 0)
      size = (sum[0] + 2e-12 * sum[1]) * (1 + 1e-12);
  }
  return size;
}

/* Returns how a product, or a difference of two, of size x grows; *size: the result's. */
static int permi_growth_kind(double x, int folds, double *size)
{
  if (x <= PERMI_GROWTH_CAP) {
    *size = x;
    return PERMI_GROWS_NOT;
  }
  *size = PERMI_GROWTH_HALF;
  if (x <= PERMI_GROWTH_SHORT)
    return PERMI_GROWS_SHORT;
  *size += ldexp(x, -51) + (folds ? ldexp(1.25, 46) : ldexp(1, 44));
  return PERMI_GROWS_LONG;
}

static void permi_growth_chain(permi_hybrid_maker *maker, permi_hybrid_node *node)
{
  permi_growths *growths = maker->growths;
  double *table = growths->table[node->slot];
  node->whole = 1;
  node->size = 1;
  for (int k = 0; k < node->items; k++) {
    const int item = maker->work->item[k];
    double size = node->size * permi_growth_size(maker, item, &node->whole) * (1 + 1e-12);
    growths->item[k] = PERMI_GROWS_NOT;
    if (k > 0 && !(node->whole && size <= growths->cap))
      growths->item[k] = permi_growth_kind(size, 0, &size);
    node->whole &= growths->item[k] == PERMI_GROWS_NOT;
    node->size = size;
  }
  table[0] = table[1] = node->size;
}

static void permi_growth_node(permi_hybrid_maker *maker, permi_hybrid_node *node)
{
  permi_growths *growths = maker->growths;
  const int folds = node->kind == PERMI_NODE_FOLD, halves = folds && growths->halvings < growths->most_halvings;
  node->growth = node->halved = 0;
  if (node->kind == PERMI_NODE_CHAIN) {
    permi_growth_chain(maker, node);
    return;
  }
  node->whole = 1;
  double product = permi_growth_size(maker, node->left, &node->whole) * (1 + 1e-12);
  if (node->right >= 0)
    product *= permi_growth_size(maker, node->right, &node->whole);
  node->whole &= product <= PERMI_GROWTH_EXACT;
  if (node->whole) {
    node->size = permi_growth_table(maker, node, halves ? 0.5 : 1);
    node->whole = node->size <= growths->cap;
    node->halved = node->whole && halves;
    growths->halvings += node->halved;
  }
  if (!node->whole) {
    node->growth = permi_growth_kind(folds ? 2 * product : product, folds, &node->size);
    memset(growths->table[node->slot], 0, sizeof growths->table[0] << permi_count_ones(node->scope));
  }
}

static int permi_growth_decide(permi_hybrid_maker *maker, double cap, const permi_hybrid_node *root)
{
  int k, whole = 1;
  for (k = 0; k < maker->work->n; k++)
    whole &= maker->work->node[k].whole;
  maker->growths->cap = cap;
  maker->growths->halvings = 0;
  for (k = 0; k < maker->evaluated; k++) {
    permi_hybrid_node *node = &maker->work->node[maker->sequence[k]];
    permi_growth_node(maker, node);
    whole &= node->whole;
  }
  return whole && root->size <= PERMI_GROWTH_EXACT;
}

static void permi_maker_emit(permi_hybrid_maker *maker, int index)
{
  const permi_hybrid_node *nodes = maker->work->node, *node = &nodes[index];
  const int n = maker->work->n, size = 1 << permi_count_ones(node->scope);
  const uint32_t folded = node->all & ~node->scope;
  int moving = node->left, held = node->right, k;
  permi_hybrid *hybrid = maker->hybrid;
  permi_opcode opcode;
  if (node->kind == PERMI_NODE_CHAIN)
    opcode = PERMI_OP_CHAIN;
  else if (node->kind == PERMI_NODE_MERGE)
    opcode = held < 0 ? PERMI_OP_ROW : moving < n ? PERMI_OP_ROWS : held < n ? PERMI_OP_TIMES_ROW : PERMI_OP_TIMES;
  else
    opcode = held < 0 ? PERMI_OP_DIFFERENCE : held < n ? PERMI_OP_FOLD_ROW : PERMI_OP_FOLD;
  if (held >= 0 && (held >= n || moving < n) &&
      permi_count_ones(nodes[held].scope) > permi_count_ones(nodes[moving].scope)) {
    held = moving;
    moving = node->right;
  }
  const uint32_t slow = node->scope & (held < 0 ? 0 : nodes[held].scope);
  const uint32_t fast = node->scope & ~slow;
  const int row = permi_hybrid_line(opcode == PERMI_OP_ROW ? moving : held >= 0 && held < n ? held : 0);
  const permi_instruction operation = {
      (uint16_t)opcode, (uint16_t)row, (uint16_t)permi_hybrid_line(opcode == PERMI_OP_ROWS ? moving : 0),
      (uint16_t)(1 << permi_count_ones(fast)), hybrid->statements, opcode == PERMI_OP_CHAIN ? node->items : size,
      node->growth, node->halved, node->dirty | PERMI_HYBRID_ALL};
  permi_append(maker->allocator, (void **)&hybrid->operation, &hybrid->operations, &hybrid->operation_room, &operation,
               sizeof operation, INT_MAX, &maker->failed);
  for (k = 0; k < node->items; k++) { /* of a chain */
    const int item = maker->work->item[k];
    permi_maker_statement(maker, permi_hybrid_line(node->slot), permi_hybrid_line(item < n ? item : nodes[item].slot),
                          maker->growths ? maker->growths->item[k] : 0, 0, 0);
  }
  for (k = 0; k < size && opcode != PERMI_OP_CHAIN; k++) {
    const uint32_t plus = (uint32_t)(permi_deposit_bits((unsigned)k, fast) |
                                     permi_deposit_bits((unsigned)(k >> permi_count_ones(fast)), slow));
    const uint32_t minus = plus | folded;
    const int p = permi_maker_at(maker, moving, plus), q = permi_maker_at(maker, moving, minus);
    const int h = held < 0 ? 0 : permi_maker_at(maker, held, plus);
    const int g = held < 0 ? 0 : permi_maker_at(maker, held, minus);
    const int out = permi_maker_at(maker, index, plus);
    if (opcode == PERMI_OP_ROW)
      permi_maker_statement(maker, out, 0, 0, p, 0);
    else
      permi_maker_statement(maker, out, p, q, h, g);
  }
}

static void permi_maker_plan(permi_hybrid_maker *maker)
{
  const int n = maker->work->n, root = n + maker->work->nodes - 1;
  permi_hybrid_node *const node = &maker->work->node[root];
  maker->hybrid->slot_count = n;
  memset(maker->busy, 1, (size_t)n);
  for (const permi_hybrid_node *parent = &maker->work->node[n]; parent <= node; parent++)
    for (int k = 0, index; k < permi_maker_children(parent); k++) {
      permi_hybrid_node *child = permi_maker_child(maker, parent, k, &index);
      if (child && (child->persists = maker->work->keeps || child->dirty != parent->dirty) != 0)
        child->slot = permi_maker_slots(maker, 1 << permi_count_ones(child->scope));
    }
  permi_maker_visit(maker, node, root, 0);
  if (maker->growths) {
    maker->hybrid->grows = !permi_growth_decide(maker, PERMI_GROWTH_EXACT, node);
    if (maker->hybrid->grows)
      permi_growth_decide(maker, PERMI_GROWTH_CAP, node);
    maker->hybrid->halvings = maker->growths->halvings;
  }
}
/* SPDX-License-Identifier: MIT */
