/* ======================================================================================== >>classes
   The frontier with waiting vertices counted, not told apart. */
#pragma once
#include "../frontier/frontier.h"

/* Vertices come one by one, to be matched with a waiting neighbour or to wait. A vertex's rest is its entries towards
   vertices to come. Waiting vertices of one side with proportional rests are a class, of which only the number that
   waits matters: a state is a number for each class. Its value sums, over the ways to wait so, the products of entries
   used and of members' factors, where rest = factor * rest of the class.
   Matching with a class of which c wait multiplies by c and the class's entry, and leaves c - 1. Classes whose rests
   become proportional are united and their numbers added. At most as many may wait as the class meets vertices ahead.
   Integers: a rest is primitive, a factor the content; if it grows, the value is multiplied by the quotient for every
   waiting member. Doubles: a factor is the entry towards the last neighbour, a rest has the quotients by it;
   proportional means equal cross products. Some vertices have factor 1 (permi_class_plain).
   The order is made from its end: a vertex goes ahead of those that came, and classes are refined, not searched for. */
#define PERMI_CLASSES 64
#define PERMI_CLASS_LEAST 4.909093465297727e-91 /* 2^-300: quotients stay below 2^301 */
#define PERMI_CLASS_WORDS 4

/* Members of classes 0 (rows) and 1 (columns) have nothing ahead and do not wait. */
typedef struct permi_class {
  int first, size, ahead; /* vertices to come that it meets */
  int touched, slot, most, born; /* most that ever wait; born: the class is there after this step */
  int word, shift;
  uint64_t mask;
} permi_class;

/* Members of a class that meet the step's vertex, or change class. */
typedef struct permi_class_part {
  int from, into;
  int meets, grows; /* each that waits multiplies by growth */
  permi_coefficient entry, growth;
} permi_class_part;

typedef struct permi_class_limit {
  int number, most;
} permi_class_limit;

typedef struct permi_class_step {
  int vertex, part, parts, limit, limits;
  int joins, most;     /* class that the vertex waits in, or -1; most that may wait there */
  double states, ways; /* after the step; ways that merge into one state */
  double done;         /* ways before it */
  permi_coefficient factor;
} permi_class_step;

typedef struct permi_classes {
  permi_owned owned;
  permi_numbers numbers;
  int steps, words, numbered;
  permi_class *class_of;
  permi_class_step *step;
  permi_class_part *part;
  permi_class_limit *limit;
  double most, product;       /* states; the largest product of (most + 1) */
  double cost, each, seconds; /* ways */
  double bound_relative, lost_error;
} permi_classes;

/* Returns 1 if a vertex must have factor 1: quotients by tiny entries overflow, and INT64_MIN has no magnitude. */
static int permi_class_plain(const permi_block *block, int v)
{
  int e, plain = block->imaginary_integer != NULL;
  for (e = block->start[v]; e < block->start[v + 1] && !plain; e++) {
    const int edge = block->edge[e];
    plain = block->integer ? block->integer[edge] == INT64_MIN
                           : fmax(fabs(block->real[edge]), block->imaginary ? fabs(block->imaginary[edge]) : 0) <
                                 PERMI_CLASS_LEAST;
  }
  return plain;
}

/* Adds x y or -x y exactly. Returns 0 if the product may underflow. */
static int permi_class_add(perm_sum *sum, double x, double y, int negative)
{
  double high = x * y;
  PERMI_KEEP_DOUBLE(high);
  if (high == 0 && (x == 0 || y == 0))
    return 1;
  if (fabs(high) < 1e-250)
    return 0;
  permi_sum_add_double(sum, negative ? -high : high);
  permi_sum_add_double(sum, negative ? -PERMI_REST(x, y, high) : PERMI_REST(x, y, high));
  return 1;
}

/* Returns 1 if a : b = c : d. Moduli may differ by PERMI_CLASS_ROOM. */
#define PERMI_CLASS_ROOM 5.684341886080802e-14
PERMI_NEVER_INLINE static int permi_class_alike(const permi_block *block, int a, int b, int c, int d)
{
  const double *part[] = {block->real, block->imaginary};
  const int edge[2][2] = {{a, d}, {b, c}}, parts = part[1] != NULL;
  perm_sum sum[2];
  if (permi_entries_equal(block, a, c) && permi_entries_equal(block, b, d))
    return 1;
  if (block->integer) {
    permi_wide p = {0, 0}, q = {0, 0};
    const permi_wide left = permi_wide_of(block->integer[a]), right = permi_wide_of(block->integer[b]);
    permi_wide_add_product(&p, &left, block->integer[d]);
    permi_wide_add_product(&q, &right, block->integer[c]);
    return p.low == q.low && p.high == q.high;
  }
  const double x = block->absolute[a] * block->absolute[d];
  const double y = block->absolute[b] * block->absolute[c];
  if (fabs(x - y) > PERMI_CLASS_ROOM / 4 * x)
    return 0;
  memset(sum, 0, sizeof sum);
  for (int i = 0; i <= parts; i++)
    for (int j = 0; j <= parts; j++)
      for (int pair = 0; pair < 2; pair++)
        if (!permi_class_add(&sum[i ^ j], part[i][edge[pair][0]], part[j][edge[pair][1]], pair ^ (i & j)))
          return 0;
  for (int w = 0; w < 2 * PERM_SUM_WORDS; w++)
    if (sum[w / PERM_SUM_WORDS].word[w % PERM_SUM_WORDS])
      return 0;
  return 1;
}

static permi_dd permi_dd_divide(permi_dd a, permi_dd b)
{
  const double first = a.hi / b.hi;
  const permi_dd rest = permi_dd_subtract(a, permi_dd_multiply(b, permi_dd_make(first)));
  return permi_dd_add_double(permi_dd_make(first), rest.hi / b.hi);
}

/* Returns a / b, each part rounded once (double-double: to PERMI_DD_UNIT). */
static permi_coefficient permi_class_quotient(const permi_block *block, int a, int b, int doubled)
{
  permi_coefficient c = permi_coefficient_one();
  permi_dd real, imaginary = {0, 0};
  if (permi_entries_equal(block, a, b))
    return c;
  real = permi_dd_divide(permi_dd_make(block->real[a]), permi_dd_make(block->real[b] != 0 ? block->real[b] : 1));
  if (block->imaginary && (block->imaginary[a] != 0 || block->imaginary[b] != 0)) {
    const permi_dd x = permi_dd_make(block->real[a]), y = permi_dd_make(block->imaginary[a]);
    const permi_dd u = permi_dd_make(block->real[b]), v = permi_dd_make(block->imaginary[b]);
    const permi_dd square = permi_dd_add(permi_dd_multiply(u, u), permi_dd_multiply(v, v));
    real = permi_dd_divide(permi_dd_add(permi_dd_multiply(x, u), permi_dd_multiply(y, v)), square);
    imaginary = permi_dd_divide(permi_dd_subtract(permi_dd_multiply(y, u), permi_dd_multiply(x, v)), square);
  }
  c.real = real.hi;
  c.imaginary = imaginary.hi;
  c.real_low = doubled ? real.lo : 0;
  c.imaginary_low = doubled ? imaginary.lo : 0;
  c.absolute = block->absolute[a] / block->absolute[b] * (1 + PERMI_CLASS_ROOM);
  if (!block->imaginary && block->absolute[a] == fabs(block->real[a]) && block->absolute[b] == fabs(block->real[b]))
    c.absolute = fabs(c.real);
  return c;
}

static permi_coefficient permi_class_whole(int64_t x, const permi_numbers *numbers)
{
  permi_coefficient c = permi_coefficient_one();
  c.integer[0] = x;
  return permi_coefficient_reduced(c, numbers);
}

typedef struct permi_class_build {
  const permi_block *block;
  permi_control *watch;
  permi_pool pool;
  permi_classes *plan;
  permi_class *list;
  int numbered, doubled, taken, come[2], parts, limits, active[2][PERMI_CLASSES], actives[2];
  unsigned char slot[PERMI_CLASSES], *gone, *plain, *uncommon; /* entries */
  int *member, *place, *number, *last, *edge; /* class, last edge, taken edge */
  int *open, *met, *odd; /* neighbours that came; [vertex][slot]: neighbours, by uncommon entries */
  int64_t *content;
  size_t part_room, limit_room, class_room;
  double *line, left; /* two polynomials */
  perm_status status;
} permi_class_build;

static int permi_class_most(int size, int ahead)
{
  return size < ahead ? size : ahead;
}

/* Expands prod (1 + x + .. + x^most[k]), by differences only if exact. Returns the degree. */
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

/* Counts ways to wait that differ as the sides do. *product: all. */
static double permi_class_states(const permi_class_build *build, double *product)
{
  const int more = build->come[0] - build->come[1]; /* rows less columns that wait */
  double *line[2], sum = 0;
  int degree[2], side, k, i;
  *product = 1;
  for (side = 0; side < 2; side++) {
    int most[PERMI_CLASSES];
    for (k = 0; k < build->actives[side]; k++) {
      const permi_class *c = &build->list[build->active[side][k]];
      most[k] = permi_class_most(c->size, c->ahead);
      *product *= most[k] + 1;
    }
    line[side] = build->line + side * (build->block->n + 1);
    degree[side] = permi_class_polynomial(most, build->actives[side], line[side]);
  }
  for (i = more > 0 ? more : 0; i <= degree[0] && i - more <= degree[1]; i++)
    sum += line[0][i] * line[1][i - more];
  return fmax(sum, 1);
}

/* Returns -1 if refused. */
static int permi_class_new(permi_class_build *build, int side, int first, int size, int ahead)
{
  permi_class made = {first, size, ahead, 0, 0, permi_class_most(size, ahead), 0, 0, 0, 0};
  int slot = 0;
  while (slot < PERMI_CLASSES && build->slot[slot])
    slot++;
  if (slot == PERMI_CLASSES)
    build->status = build->status == PERM_OK ? PERM_ERROR_LIMIT : build->status;
  else if (!permi_room(build->pool.allocator, build->watch, &build->list, (size_t)build->numbered, 1,
                       &build->class_room, sizeof *build->list))
    build->status = PERM_ERROR_MEMORY;
  if (build->status != PERM_OK)
    return -1;
  made.slot = slot;
  build->list[build->numbered] = made;
  build->slot[slot] = 1;
  build->active[side][build->actives[side]++] = build->numbered;
  return build->numbered++;
}

static void permi_class_count(permi_class_build *build, int u, int from, int into)
{
  const permi_block *block = build->block;
  for (int pass = 0; pass < 2; pass++) {
    const int number = pass ? into : from, change = pass ? 1 : -1;
    for (int e = block->start[u]; e < block->start[u + 1] && number > 1; e++) {
      const size_t at = (size_t)block->neighbour[e] * PERMI_CLASSES + (size_t)build->list[number].slot;
      build->met[at] += change;
      build->odd[at] += change * build->uncommon[block->edge[e]];
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

static void permi_class_leave(permi_class_build *build, int v, int p)
{
  const permi_block *block = build->block;
  const int number = build->number[v], side = v >= block->n;
  permi_class *c = &build->list[number];
  permi_class_step *step = &build->plan->step[p];
  int k;
  step->joins = number > 1 ? number : -1;
  step->factor = permi_coefficient_one();
  if (number > 1 && !build->plain[v])
    step->factor = block->integer ? permi_class_whole(build->content[v], &build->plan->numbers)
                                  : permi_coefficient_of(block, build->last[v], &build->plan->numbers);
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

/* Returns the number of parts that stay proportional with the step's vertex, touched first; -1 if too many. */
static int permi_class_sort(permi_class_build *build, const permi_class *c, int number, int *begin)
{
  const int end = c->first + c->touched;
  int at = c->first, parts = 0, k;
  while (at < end) {
    const int leader = build->member[at];
    if (parts == PERMI_CLASSES)
      return -1;
    begin[parts++] = at++;
    for (k = at; k < end; k++) {
      const int u = build->member[k], e = build->edge[u], of = build->edge[leader];
      if (build->plain[u] || build->plain[leader]
              ? build->plain[u] && build->plain[leader] && permi_entries_equal(build->block, e, of)
              : number < 2 || permi_class_alike(build->block, e, build->last[u], of, build->last[leader]))
        permi_class_place(build, u, at++);
    }
  }
  begin[parts] = end;
  return parts;
}

static int64_t permi_class_ahead(permi_class_build *build, int number, int u)
{
  const int64_t *integer = build->block->integer;
  if (number < 2)
    build->last[u] = build->edge[u];
  if (!integer || build->plain[u])
    return 1;
  const int64_t before = number < 2 ? integer[build->edge[u]] : build->content[u];
  int64_t common = (int64_t)permi_greatest_divisor((uint64_t)llabs(before), (uint64_t)llabs(integer[build->edge[u]]));
  build->content[u] = integer[build->last[u]] < 0 ? -common : common; /* the last entry's sign */
  return number < 2 ? 1 : before / build->content[u];
}

/* u is a member that meets the step's vertex. */
static permi_class_part *permi_class_enter(permi_class_build *build, int p, int from, int into, int u)
{
  const permi_block *block = build->block;
  permi_classes *plan = build->plan;
  const permi_coefficient one = permi_coefficient_one();
  const permi_class_part made = {from, into, u >= 0, 0, one, one};
  if (!permi_room(build->pool.allocator, build->watch, &plan->part, (size_t)build->parts, 1, &build->part_room,
                  sizeof *plan->part)) {
    build->status = PERM_ERROR_MEMORY;
    return NULL;
  }
  permi_class_part *part = &plan->part[build->parts++];
  *part = made;
  plan->step[p].parts++;
  if (u >= 0 && build->plain[u])
    part->entry = permi_coefficient_of(block, build->edge[u], &plan->numbers);
  else if (u >= 0 && block->integer)
    part->entry = permi_class_whole(block->integer[build->edge[u]] / build->content[u], &plan->numbers);
  else if (u >= 0)
    part->entry = permi_class_quotient(block, build->edge[u], build->last[u], build->doubled);
  return part;
}

/* The largest part keeps the number, and what has nothing ahead keeps 0 or 1. */
PERMI_NEVER_INLINE static void permi_class_refine(permi_class_build *build, int p, int number)
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
  begin[parts + 1] = c.first + c.size;
  for (k = 0; k < parts && number > 1; k++)
    if (begin[k + 1] - begin[k] > begin[keeps + 1] - begin[keeps])
      keeps = k;
  for (k = 0; k <= parts; k++) {
    const int size = begin[k + 1] - begin[k], meets = k < parts, ahead = c.ahead + meets;
    const double room = permi_class_most(size, ahead);
    int64_t growth = 1;
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
      permi_class_part *part = permi_class_enter(build, p, from, number, meets ? build->member[begin[k]] : -1);
      if (part) {
        part->grows = growth != 1;
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
  if (most <= permi_class_most(c.size, c.ahead))
    return;
  if (permi_room(build->pool.allocator, build->watch, &plan->limit, (size_t)build->limits, 1, &build->limit_room,
                 sizeof *plan->limit)) {
    plan->limit[build->limits].number = number;
    plan->limit[build->limits++].most = permi_class_most(c.size, c.ahead);
    plan->step[p].limits++;
  } else {
    build->status = PERM_ERROR_MEMORY;
  }
}

static void permi_class_take_away(permi_class_build *build, int v)
{
  const permi_block *block = build->block;
  const int p = 2 * block->n - 1 - build->taken;
  permi_class_step *step = &build->plan->step[p];
  double product;
  int touched[PERMI_CLASSES + 2], count = 0, e, k;
  step->states = permi_class_states(build, &product);
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

PERMI_NEVER_INLINE static void permi_class_build_begin(permi_class_build *build, permi_classes *plan,
                                                       const permi_block *block, permi_control *watch, int doubled,
                                                       double most)
{
  const size_t vertices = 2 * (size_t)block->n;
  permi_pool *pool = &build->pool;
  memset(build, 0, sizeof *build);
  build->block = block;
  build->watch = watch;
  build->plan = plan;
  build->doubled = doubled;
  build->left = most;
  pool->allocator = &plan->owned.allocator;
  build->gone = (unsigned char *)permi_pool_zeros(pool, vertices, 2);
  build->content = (int64_t *)permi_pool_get(pool, vertices, sizeof *build->content);
  build->met = (int *)permi_pool_zeros(pool, vertices, 2 * PERMI_CLASSES * sizeof(int));
  build->uncommon = (unsigned char *)permi_pool_get(pool, (size_t)block->edges, 1);
  build->line = (double *)permi_pool_get(pool, vertices + 2, sizeof(double));
  plan->step = (permi_class_step *)permi_pool_get(&plan->owned.pool, vertices, sizeof *plan->step);
  plan->steps = (int)vertices;
  if (!permi_pool_ints(pool, &build->member, vertices, &build->place, vertices, &build->number, vertices, &build->last,
                       vertices, &build->edge, vertices, &build->open, vertices, (int **)NULL) || !plan->step ||
      !permi_room(pool->allocator, watch, &build->list, 0, 2, &build->class_room, sizeof *build->list)) {
    build->status = PERM_ERROR_MEMORY;
    return;
  }
  build->plain = build->gone + vertices;
  build->odd = build->met + PERMI_CLASSES * vertices;
  memset(build->list, 0, 2 * sizeof *build->list);
  build->numbered = 2;
  for (int side = 0; side < 2; side++) {
    build->list[side].first = side * block->n;
    build->come[side] = build->list[side].size = block->n;
  }
  for (int v = 0; v < 2 * block->n; v++) {
    build->member[v] = build->place[v] = v;
    build->number[v] = v >= block->n;
    build->open[v] = block->start[v + 1] - block->start[v];
    build->plain[v] = (unsigned char)permi_class_plain(block, v);
  }
}

/* Gives classes bits of the key. Returns 0 for too many. */
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
