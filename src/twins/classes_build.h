/* ================================================================================== >>classes_build
   Makes the steps of method twins, the last one first. */
#pragma once
#include "classes.h"

/* Vertices that have come (not yet taken away) by classes. Counts of the neighbours of a vertex in a class are for
   >>classes_order. */
typedef struct permi_class_build {
  const permi_block *block;
  permi_control *watch;
  permi_pool pool;
  permi_classes *plan;
  permi_class *list;
  int numbered, doubled;
  int taken, come[2];
  int active[2][PERMI_CLASSES], actives[2];
  unsigned char slot[PERMI_CLASSES];
  int *member, *place, *number, *last, *edge; /* of a vertex: its class, edge to its last neighbour, to the taken one */
  int *open; /* neighbours that have come */
  unsigned char *gone, *plain;
  permi_gaussian *content;
  int *met, *odd; /* [vertex][slot]: neighbours in the class, those by an uncommon entry */
  unsigned char *uncommon; /* entries */
  size_t part_room, limit_room, class_room;
  int parts, limits;
  double *line; /* two polynomials */
  double left; /* of the price */
  perm_status status;
} permi_class_build;

/* How many of each class may wait; the rows' classes, then the columns'. */
typedef struct permi_class_rooms {
  int most[2][PERMI_CLASSES], count[2];
  int more; /* rows than columns wait */
} permi_class_rooms;

static int permi_class_most(int size, int ahead)
{
  return size < ahead ? size : ahead;
}

/* Writes the coefficients of prod (1 + x + .. + x^most[k]), returns the degree. Differences only while all is exact. */
static int permi_class_polynomial(const int *most, int count, double *line)
{
  int degree = 0, k, i, j;
  double product = 1;
  line[0] = 1;
  for (k = 0; k < count; k++) {
    const int m = most[k];
    product *= m + 1;
    for (i = degree + m; i > degree; i--)
      line[i] = 0;
    degree += m;
    if (product < 9007199254740992.0) {
      for (i = 1; i <= degree; i++)
        line[i] += line[i - 1];
      for (i = degree; i > m; i--)
        line[i] -= line[i - m - 1];
      continue;
    }
    for (i = degree; i >= 0; i--)
      for (j = 1; j <= m && j <= i; j++)
        line[i] += line[i - j];
  }
  return degree;
}

static double permi_class_states(const permi_class_rooms *rooms, double *line, int room)
{
  double *other = line + room, sum = 0;
  const int rows = permi_class_polynomial(rooms->most[0], rooms->count[0], line);
  const int columns = permi_class_polynomial(rooms->most[1], rooms->count[1], other);
  int i;
  for (i = rooms->more > 0 ? rooms->more : 0; i <= rows && i - rooms->more <= columns; i++)
    sum += line[i] * other[i - rooms->more];
  return sum;
}

/* Returns the number of a new class, or -1. */
static int permi_class_new(permi_class_build *build, int side, int first, int size, int ahead)
{
  permi_class *c;
  int slot;
  for (slot = 0; slot < PERMI_CLASSES && build->slot[slot]; slot++)
    ;
  if (slot == PERMI_CLASSES)
    build->status = build->status == PERM_OK ? PERM_ERROR_LIMIT : build->status;
  else if (!permi_room(build->pool.allocator, build->watch, &build->list, (size_t)build->numbered, 1,
                       &build->class_room, sizeof *build->list))
    build->status = PERM_ERROR_MEMORY;
  if (build->status != PERM_OK)
    return -1;
  c = &build->list[build->numbered];
  memset(c, 0, sizeof *c);
  c->first = first;
  c->size = size;
  c->ahead = ahead;
  c->most = permi_class_most(size, ahead);
  c->slot = slot;
  build->slot[slot] = 1;
  build->active[side][build->actives[side]++] = build->numbered;
  return build->numbered++;
}

/* Neighbours of u, which moves from one class to another, count it there. */
static void permi_class_count(permi_class_build *build, int u, int from, int into)
{
  const permi_block *block = build->block;
  int e;
  for (e = block->start[u]; e < block->start[u + 1]; e++) {
    const size_t at = (size_t)block->neighbour[e] * PERMI_CLASSES;
    const int odd = build->uncommon[block->edge[e]];
    if (from > 1) {
      build->met[at + (size_t)build->list[from].slot]--;
      build->odd[at + (size_t)build->list[from].slot] -= odd;
    }
    if (into > 1) {
      build->met[at + (size_t)build->list[into].slot]++;
      build->odd[at + (size_t)build->list[into].slot] += odd;
    }
  }
}

static void permi_class_place(permi_class_build *build, int u, int place)
{
  const int other = build->member[place], from = build->place[u];
  build->member[from] = other;
  build->place[other] = from;
  build->member[place] = u;
  build->place[u] = place;
}

/* Takes v out of its class; writes how it joined that in step p. */
static void permi_class_leave(permi_class_build *build, int v, int p)
{
  const permi_block *block = build->block;
  const int number = build->number[v], side = v >= block->n;
  permi_class *c = &build->list[number];
  permi_class_step *step = &build->plan->step[p];
  int k;
  step->joins = number > 1 ? number : -1;
  step->factor = permi_coefficient_one();
  if (number > 1 && block->integer)
    step->factor = permi_class_whole(build->content[v], &build->plan->numbers);
  else if (number > 1 && !build->plain[v])
    step->factor = permi_coefficient_of(block, build->last[v], &build->plan->numbers);
  step->most = permi_class_most(c->size, c->ahead);
  permi_class_count(build, v, number, 0);
  permi_class_place(build, v, c->first + c->size - 1);
  c->size--;
  build->gone[v] = 1;
  build->come[side]--;
  build->taken++;
  if (number > 1 && c->size == 0) {
    c->born = p;
    build->slot[c->slot] = 0;
    for (k = 0; build->active[side][k] != number; k++)
      ;
    build->active[side][k] = build->active[side][--build->actives[side]];
  }
}

/* Do rests of u and the leader, both in class `number`, stay proportional with the step's vertex ahead? */
static int permi_class_agree(const permi_class_build *build, int number, int u, int leader)
{
  const permi_block *block = build->block;
  if (build->plain[u] || build->plain[leader])
    return build->plain[u] && build->plain[leader] && permi_entries_equal(block, build->edge[u], build->edge[leader]);
  return number < 2 ||
         permi_class_alike(block, build->edge[u], build->last[u], build->edge[leader], build->last[leader]);
}

/* Sorts the touched members of a class, which stand first, into parts. Writes where parts begin and end, returns how
   many; -1: too many. */
static int permi_class_sort(permi_class_build *build, const permi_class *c, int number, int *begin)
{
  const int end = c->first + c->touched;
  int at = c->first, parts = 0, k;
  while (at < end) {
    const int leader = build->member[at];
    if (parts == PERMI_CLASSES)
      return -1;
    begin[parts++] = at++;
    for (k = at; k < end; k++)
      if (permi_class_agree(build, number, build->member[k], leader))
        permi_class_place(build, build->member[k], at++);
  }
  begin[parts] = end;
  return parts;
}

/* Puts the step's vertex ahead of u, which is in class `number`. Returns by how much its factor grows when that vertex
   comes. */
static permi_gaussian permi_class_ahead(permi_class_build *build, int number, int u)
{
  const permi_block *block = build->block;
  const permi_gaussian one = {1, 0};
  permi_gaussian before, entry;
  if (number < 2)
    build->last[u] = build->edge[u];
  if (!block->integer)
    return one;
  entry = permi_gaussian_entry(block, build->edge[u]);
  before = number < 2 ? entry : build->content[u];
  build->content[u] =
      build->plain[u] ? one : permi_gaussian_common(before, entry, permi_gaussian_entry(block, build->last[u]));
  return number < 2 || build->plain[u] ? one : permi_gaussian_divide(before, build->content[u]);
}

/* Adds to step p that the members of class `from`, before it, are in `into` after it. u: one of them, if they meet the
   step's vertex. */
static permi_class_part *permi_class_enter(permi_class_build *build, int p, int from, int into, int u)
{
  const permi_block *block = build->block;
  permi_classes *plan = build->plan;
  permi_class_part *part;
  if (!permi_room(build->pool.allocator, build->watch, &plan->part, (size_t)build->parts, 1, &build->part_room,
                  sizeof *plan->part)) {
    build->status = PERM_ERROR_MEMORY;
    return NULL;
  }
  part = &plan->part[build->parts++];
  plan->step[p].parts++;
  part->from = from;
  part->into = into;
  part->meets = u >= 0;
  part->grows = 0;
  part->entry = part->growth = permi_coefficient_one();
  if (u >= 0 && block->integer)
    part->entry = permi_class_whole(
        permi_gaussian_divide(permi_gaussian_entry(block, build->edge[u]), build->content[u]), &plan->numbers);
  else if (u >= 0 && build->plain[u])
    part->entry = permi_coefficient_of(block, build->edge[u], &plan->numbers);
  else if (u >= 0)
    part->entry = permi_class_quotient(block, build->edge[u], build->last[u], build->doubled);
  return part;
}

static void permi_class_bound(permi_class_build *build, int p, int number, int most)
{
  permi_classes *plan = build->plan;
  if (!permi_room(build->pool.allocator, build->watch, &plan->limit, (size_t)build->limits, 1, &build->limit_room,
                  sizeof *plan->limit)) {
    build->status = PERM_ERROR_MEMORY;
    return;
  }
  plan->limit[build->limits].number = number;
  plan->limit[build->limits++].most = most;
  plan->step[p].limits++;
}

/* Refines class `number`, whose touched members meet the vertex of step p. The largest part keeps the number; what has
   nothing ahead keeps class 0 or 1. */
static void permi_class_refine(permi_class_build *build, int p, int number)
{
  permi_classes *plan = build->plan;
  const permi_class c = build->list[number];
  const int side = build->member[c.first] >= build->block->n;
  int begin[PERMI_CLASSES + 2], parts = permi_class_sort(build, &c, number, begin), k, i, keeps = parts;
  double ways = 1, most = 0, widest = 0;
  if (parts < 0) {
    build->status = PERM_ERROR_LIMIT;
    return;
  }
  begin[parts + 1] = c.first + c.size; /* the last part meets nothing new */
  for (k = 0; k < parts && number > 1; k++)
    if (begin[k + 1] - begin[k] > begin[keeps + 1] - begin[keeps])
      keeps = k;
  for (k = 0; k <= parts; k++) {
    const int size = begin[k + 1] - begin[k], meets = k < parts, ahead = c.ahead + meets;
    const double room = permi_class_most(size, ahead);
    permi_gaussian growth = {1, 0};
    permi_class_part *part;
    int from = number;
    if (size > 0 && k != keeps)
      from = permi_class_new(build, side, begin[k], size, ahead);
    for (i = begin[k]; i < begin[k + 1] && build->status == PERM_OK && (meets || from != number); i++) {
      const int u = build->member[i];
      if (meets)
        growth = permi_class_ahead(build, number, u);
      if (from != number)
        permi_class_count(build, u, number, from);
      build->number[u] = from;
    }
    if (build->status == PERM_OK && size > 0 && (meets || from != number)) {
      part = permi_class_enter(build, p, from, number, meets ? build->member[begin[k]] : -1);
      if (part) {
        part->grows = growth.re != 1 || growth.im != 0;
        part->growth = permi_class_whole(growth, &plan->numbers);
      }
    }
    if (build->status != PERM_OK)
      return;
    if (k == keeps) {
      build->list[number].first = begin[k];
      build->list[number].size = size;
      build->list[number].ahead = number > 1 ? ahead : 0;
    }
    most += room;
    ways *= room + 1;
    widest = fmax(widest, room + 1);
  }
  build->list[number].touched = 0;
  if (number < 2)
    return;
  plan->step[p].ways *= ways / widest;
  if (most > build->list[number].most)
    build->list[number].most = (int)most;
  if (most > permi_class_most(c.size, c.ahead))
    permi_class_bound(build, p, number, permi_class_most(c.size, c.ahead));
}

static void permi_class_rooms_of(const permi_class_build *build, permi_class_rooms *rooms)
{
  int side, k;
  for (side = 0; side < 2; side++) {
    rooms->count[side] = build->actives[side];
    for (k = 0; k < build->actives[side]; k++) {
      const permi_class *c = &build->list[build->active[side][k]];
      rooms->most[side][k] = permi_class_most(c->size, c->ahead);
    }
  }
  rooms->more = build->come[0] - build->come[1];
}

/* Makes v the vertex of the last step that is left: what came before goes on without it, and has it ahead. */
static void permi_class_take_away(permi_class_build *build, int v)
{
  const permi_block *block = build->block;
  const int p = 2 * block->n - 1 - build->taken;
  permi_class_step *step = &build->plan->step[p];
  permi_class_rooms rooms;
  double product = 1;
  int touched[PERMI_CLASSES + 2], count = 0, e, k, side;
  permi_class_rooms_of(build, &rooms);
  step->states = fmax(permi_class_states(&rooms, build->line, block->n + 1), 1);
  for (side = 0; side < 2; side++)
    for (k = 0; k < rooms.count[side]; k++)
      product *= rooms.most[side][k] + 1;
  build->plan->product = fmax(build->plan->product, product);
  build->plan->most = fmax(build->plan->most, step->states);
  permi_class_leave(build, v, p);
  step->vertex = v;
  step->ways = 1;
  step->parts = step->limits = 0;
  step->part = build->parts;
  step->limit = build->limits;
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int u = block->neighbour[e];
    permi_class *c = &build->list[build->number[u]];
    build->open[u]--;
    if (build->gone[u])
      continue;
    if (!c->touched)
      touched[count++] = build->number[u];
    build->edge[u] = block->edge[e];
    permi_class_place(build, u, c->first + c->touched++);
  }
  for (k = 0; k < count && build->status == PERM_OK; k++)
    permi_class_refine(build, p, touched[k]);
  build->left -= step->states * (1 + step->parts);
  if (build->left < 0 && build->status == PERM_OK)
    build->status = PERM_ERROR_LIMIT;
  permi_watch(build->watch, 100 + 40.0 * (block->start[v + 1] - block->start[v]));
}

static void permi_class_build_release(permi_class_build *build)
{
  permi_release(build->pool.allocator, build->list);
  permi_pool_release(&build->pool);
}

/* Begins with all vertices come, and nothing ahead. */
static void permi_class_build_begin(permi_class_build *build, permi_classes *plan, const permi_block *block,
                                    permi_control *watch, int doubled, double most)
{
  const size_t vertices = 2 * (size_t)block->n;
  permi_pool *pool = &build->pool;
  int v, side;
  memset(build, 0, sizeof *build);
  build->block = block;
  build->watch = watch;
  build->plan = plan;
  build->doubled = doubled;
  build->left = most;
  pool->allocator = &plan->owned.allocator;
  build->member = (int *)permi_pool_get(pool, vertices, 6 * sizeof(int));
  build->gone = (unsigned char *)permi_pool_zeros(pool, vertices, 2);
  build->content = (permi_gaussian *)permi_pool_get(pool, vertices, sizeof *build->content);
  build->met = (int *)permi_pool_zeros(pool, vertices, 2 * PERMI_CLASSES * sizeof(int));
  build->uncommon = (unsigned char *)permi_pool_get(pool, (size_t)block->edges, 1);
  build->line = (double *)permi_pool_get(pool, vertices + 2, sizeof(double));
  plan->step = (permi_class_step *)permi_pool_get(&plan->owned.pool, vertices, sizeof *plan->step);
  plan->steps = (int)vertices;
  if (pool->failed || !plan->step ||
      !permi_room(pool->allocator, watch, &build->list, 0, 2, &build->class_room, sizeof *build->list)) {
    build->status = PERM_ERROR_MEMORY;
    return;
  }
  build->place = build->member + vertices;
  build->number = build->place + vertices;
  build->last = build->number + vertices;
  build->edge = build->last + vertices;
  build->open = build->edge + vertices;
  build->plain = build->gone + vertices;
  build->odd = build->met + PERMI_CLASSES * vertices;
  memset(build->list, 0, 2 * sizeof *build->list);
  build->numbered = 2;
  for (side = 0; side < 2; side++) {
    build->list[side].first = side * block->n;
    build->come[side] = build->list[side].size = block->n;
  }
  for (v = 0; v < 2 * block->n; v++) {
    build->member[v] = build->place[v] = v;
    build->number[v] = v >= block->n;
    build->open[v] = block->start[v + 1] - block->start[v];
    build->plain[v] = (unsigned char)permi_class_plain(block, v);
  }
}

/* Gives each class bits of the key. 0: too many. */
static int permi_class_fields(permi_classes *plan)
{
  uint64_t used[PERMI_CLASS_WORDS] = {0};
  int p, k, w, shift;
  plan->words = 1;
  for (p = 0; p < plan->steps; p++) {
    const permi_class_step *step = &plan->step[p];
    for (k = step->part; k < step->part + step->parts; k++) {
      const permi_class *c = &plan->class_of[plan->part[k].from];
      if (plan->part[k].from != plan->part[k].into)
        used[c->word] &= ~(c->mask << c->shift);
    }
    if (step->joins >= 0 && plan->class_of[step->joins].born == p) {
      permi_class *c = &plan->class_of[step->joins];
      for (c->mask = 1; (int)c->mask < c->most; c->mask = 2 * c->mask + 1)
        ;
      for (w = 0; w < PERMI_CLASS_WORDS; w++) {
        for (shift = 0; shift < 64 && (c->mask << shift >> shift != c->mask || used[w] & c->mask << shift); shift++)
          ;
        if (shift < 64)
          break;
      }
      if (w == PERMI_CLASS_WORDS)
        return 0;
      c->word = w;
      c->shift = shift;
      used[w] |= c->mask << shift;
      plan->words = w + 1 > plan->words ? w + 1 : plan->words;
    }
  }
  return 1;
}
/* SPDX-License-Identifier: MIT */
