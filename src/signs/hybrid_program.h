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
  int sequence[PERMI_HYBRID_NODES], evaluated;
  uint32_t scope[64];
  int constant[64];
  int turned[PERMI_HYBRID_LOW + 1][64];
  int failed;
  permi_instruction nowhere;
} permi_hybrid_maker;

static permi_hybrid_node *permi_maker_node(permi_hybrid_maker *maker, int node)
{
  return node >= maker->work->n ? &maker->work->node[node - maker->work->n] : NULL;
}

/* First fit at a multiple of count, a power of two; other places fragment the slots. */
static int permi_maker_slots(permi_hybrid_maker *maker, int count)
{
  int s, k;
  for (s = 0; s + count <= PERMI_HYBRID_SLOTS; s += count) {
    for (k = s; k < s + count && !maker->busy[k]; k++)
      ;
    if (k < s + count)
      continue;
    memset(maker->busy + s, 1, (size_t)count);
    maker->hybrid->slots = k > maker->hybrid->slots ? k : maker->hybrid->slots;
    return s;
  }
  maker->failed = 1;
  return 0;
}

static permi_hybrid_node *permi_maker_child(permi_hybrid_maker *maker, const permi_hybrid_node *node, int k, int *index)
{
  *index = node->kind == PERMI_NODE_CHAIN ? maker->work->item[node->first + k] : k ? node->right : node->left;
  return *index < 0 ? NULL : permi_maker_node(maker, *index);
}

static int permi_maker_children(const permi_hybrid_node *node)
{
  return node->kind == PERMI_NODE_CHAIN ? node->items : 2;
}

/* Gives persisting tables slots of their own: their users change more often, others write meanwhile. */
static void permi_maker_keep(permi_hybrid_maker *maker, permi_hybrid_node *node)
{
  int k, index;
  for (k = 0; k < permi_maker_children(node); k++) {
    permi_hybrid_node *child = permi_maker_child(maker, node, k, &index);
    if (!child)
      continue;
    child->persists = child->dirty != node->dirty;
    if (child->persists)
      child->slot = permi_maker_slots(maker, 1 << permi_count_ones(child->scope));
    permi_maker_keep(maker, child);
  }
}

/* Orders nodes depth first, so that few tables wait; products may be computed in place. `given`: slots are the
   parent's, or the table persists. */
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

/* Returns 0 with *failed 1 (more than `most`) or 2 (no memory). */
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

static permi_instruction *permi_maker_operation(permi_hybrid_maker *maker, permi_opcode opcode)
{
  permi_hybrid *hybrid = maker->hybrid;
  permi_instruction operation;
  memset(&operation, 0, sizeof operation);
  operation.opcode = (uint16_t)opcode;
  operation.first = hybrid->statements;
  return permi_append(maker->allocator, (void **)&hybrid->operation, &hybrid->operations, &hybrid->operation_room,
                      &operation, sizeof operation, INT_MAX, &maker->failed)
             ? &hybrid->operation[hybrid->operations - 1]
             : &maker->nowhere;
}

static void permi_maker_statement(permi_hybrid_maker *maker, int out, int p, int q, int h, int g)
{
  permi_hybrid *hybrid = maker->hybrid;
  const permi_statement statement = {(uint16_t)out, (uint16_t)p, (uint16_t)q, (uint16_t)h, (uint16_t)g};
  if (permi_append(maker->allocator, (void **)&hybrid->statement, &hybrid->statements, &hybrid->statement_room,
                   &statement, sizeof statement, PERMI_HYBRID_STATEMENTS, &maker->failed))
    hybrid->operation[hybrid->operations - 1].count++;
}

static int permi_maker_constant(permi_hybrid_maker *maker, const double *x)
{
  permi_hybrid *hybrid = maker->hybrid;
  return permi_append(maker->allocator, (void **)&hybrid->constant, &hybrid->constants, &hybrid->constant_room, x,
                      (size_t)hybrid->parts * sizeof *x, 65535, &maker->failed)
             ? hybrid->constants - 1
             : 0;
}

static int permi_pack_bits(uint32_t x, uint32_t mask)
{
  int packed = 0, at = 0;
  for (; mask; mask &= mask - 1, at++)
    packed |= (x & mask & (0 - mask)) ? 1 << at : 0;
  return packed;
}

static uint32_t permi_spread_bits(int packed, uint32_t mask)
{
  uint32_t x = 0;
  for (; mask; mask &= mask - 1, packed >>= 1)
    x |= packed & 1 ? mask & (0 - mask) : 0;
  return x;
}

static int permi_maker_at(permi_hybrid_maker *maker, int index, uint32_t setting)
{
  const permi_hybrid_node *node = permi_maker_node(maker, index);
  return node ? permi_hybrid_line(node->slot + permi_pack_bits(setting, node->scope))
              : maker->constant[index] + permi_pack_bits(setting, maker->scope[index]);
}

static uint32_t permi_maker_scope(permi_hybrid_maker *maker, int index)
{
  const permi_hybrid_node *node = permi_maker_node(maker, index);
  return node ? node->scope : maker->scope[index];
}

static void permi_maker_emit(permi_hybrid_maker *maker, int index)
{
  const permi_hybrid_node *node = permi_maker_node(maker, index);
  const int n = maker->work->n, size = 1 << permi_count_ones(node->scope);
  const uint32_t folded = node->all & ~node->scope;
  int moving = node->left, held = node->right, k, swap;
  uint32_t slow, fast;
  permi_instruction *operation;
  permi_opcode opcode;
  if (node->kind == PERMI_NODE_CHAIN)
    opcode = PERMI_OP_CHAIN;
  else if (node->kind == PERMI_NODE_MERGE)
    opcode = held < 0 ? PERMI_OP_ROW : moving < n ? PERMI_OP_ROWS : held < n ? PERMI_OP_TIMES_ROW : PERMI_OP_TIMES;
  else
    opcode = held < 0 ? PERMI_OP_DIFFERENCE : held < n ? PERMI_OP_FOLD_ROW : PERMI_OP_FOLD;
  operation = permi_maker_operation(maker, opcode);
  operation->group = 1;
  if (opcode == PERMI_OP_CHAIN) {
    for (k = 0; k < node->items; k++) {
      const int item = maker->work->item[node->first + k];
      permi_maker_statement(maker, permi_hybrid_line(node->slot),
                            permi_hybrid_line(item < n ? item : permi_maker_node(maker, item)->slot), 0, 0, 0);
    }
    return;
  }
  swap = held >= 0 && (held >= n || moving < n) &&
         permi_count_ones(permi_maker_scope(maker, held)) > permi_count_ones(permi_maker_scope(maker, moving));
  if (swap) {
    held = moving;
    moving = node->right;
  }
  slow = node->scope & (held < 0 ? 0 : permi_maker_scope(maker, held));
  fast = node->scope & ~slow;
  operation->group = (uint16_t)(1 << permi_count_ones(fast));
  operation->row = (uint16_t)permi_hybrid_line(opcode == PERMI_OP_ROW ? moving : held >= 0 && held < n ? held : 0);
  operation->other = (uint16_t)permi_hybrid_line(opcode == PERMI_OP_ROWS ? moving : 0);
  for (k = 0; k < size; k++) {
    const uint32_t plus = permi_spread_bits(k, fast) | permi_spread_bits(k >> permi_count_ones(fast), slow);
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

static void permi_maker_flip(permi_hybrid_maker *maker, int s)
{
  const permi_arrangement *layout = maker->layout;
  const int step = s + 1, last = step == 1 << layout->low;
  const int next = last ? layout->low - 1 : permi_trailing_zeros((uint64_t)step);
  const int minus = !last && (step ^ step >> 1) >> next & 1;
  int i;
  permi_maker_operation(maker, PERMI_OP_FLIP);
  for (i = 0; i < maker->work->n; i++)
    if (maker->work->column[layout->transposed][layout->order[layout->inner + next]] >> i & 1)
      permi_maker_statement(maker, permi_hybrid_line(i), permi_hybrid_line(i), 0, maker->turned[next][i] + minus, 0);
}

static void permi_maker_program(permi_hybrid_maker *maker)
{
  const int n = maker->work->n, low = maker->layout->low, root = n + maker->work->nodes - 1;
  int k, s;
  maker->hybrid->slots = n;
  memset(maker->busy, 1, (size_t)n);
  permi_maker_keep(maker, permi_maker_node(maker, root));
  permi_maker_visit(maker, permi_maker_node(maker, root), root, 0);
  for (s = 0; s < 1 << low && !maker->failed; s++) {
    const int turns = s ? permi_trailing_zeros((uint64_t)s) : 0;
    for (k = 0; k < maker->evaluated; k++)
      if (s == 0 || permi_maker_node(maker, maker->sequence[k])->dirty >> turns & 1)
        permi_maker_emit(maker, maker->sequence[k]);
    permi_maker_operation(maker, PERMI_OP_TOTAL);
    permi_maker_statement(maker, 0, permi_hybrid_line(permi_maker_node(maker, root)->slot), 0, s & 1, 0);
    if (low)
      permi_maker_flip(maker, s);
  }
}

static double permi_instruction_operations(const permi_instruction *operation)
{
  const double groups = operation->group ? (double)operation->count / operation->group : 0;
  switch (operation->opcode) {
  case PERMI_OP_ROWS: return 2.0 * operation->count + groups;
  case PERMI_OP_TIMES_ROW: return operation->count + groups;
  case PERMI_OP_FOLD_ROW: return 2.0 * operation->count + 2 * groups;
  case PERMI_OP_FOLD: return 2.0 * operation->count;
  default: return operation->count;
  }
}
