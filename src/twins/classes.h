/* ======================================================================================== >>classes
   Method twins: the frontier with waiting vertices counted, not told apart. */
#pragma once
#include "../frontier/frontier.h"

/* Vertices come one by one. One that comes is matched with a waiting neighbour, or waits itself. What lies ahead of a
   vertex are its entries towards those still to come: its rest. Waiting vertices of one side whose rests are
   proportional are a class, of which only the number that waits matters: a state is a number for each class.
   Its value sums, over the ways to wait so, the products of the entries used and of the members' factors, where
   rest = factor * rest of the class.
   Matching the vertex with a class of which c wait multiplies by c and the class's entry, and leaves c - 1. Then that
   entry is behind; classes whose rests are now proportional become one, and their numbers add up. At most as many may
   wait as there are vertices ahead that the class meets: its room; none where nothing lies ahead. So nested rows,
   intervals, J minus a sparse matrix, equal or proportional lines and blocks of constants take few states, and a vertex
   like no other is a class of one, which makes the states of >>frontier.

   Integers: the rest of a class is primitive, a factor is the content, so all numbers are whole; where a content grows,
   the value is multiplied by the quotient for every member that waits. Doubles: a factor is the entry towards the last
   neighbour, a rest has the quotients by it. Rests are proportional where cross products are equal, exactly. Some
   vertices have the factor 1 (permi_class_plain).

   >>subsets counts equal columns as well, but shares nothing with this: its states are a table of the numbers used,
   walked in order; here they are hashed. So 6 x 6 integers, each line five times, take 0.01 s there (1.40e6 terms),
   here 0.06 to 0.08 (4.67e4 states), and auto takes the former; classes are for lines that become equal behind the
   frontier.

   The order is made from its end: a vertex goes ahead of those that came, and their classes are refined
   (permi_class_refine), so no class is searched for twice. */
#define PERMI_CLASSES 64 /* at a time */
#define PERMI_CLASS_LEAST 4.909093465297727e-91 /* 2^-300: quotients stay below 2^301 */
#define PERMI_CLASS_WORDS 4

/* Rows with nothing ahead are class 0, such columns class 1: none of these waits. */
typedef struct permi_class {
  int first, size; /* its vertices: member[first] .. */
  int ahead;       /* vertices that each of them meets, and that are still to come */
  int touched, slot;
  int most;        /* that ever wait */
  int born;        /* the first step that it is in the states after */
  int word, shift; /* its number in a key */
  uint64_t mask;
} permi_class;

/* A class before a step, whose members meet the step's vertex (entry), or become members of another class. */
typedef struct permi_class_part {
  int from, into;
  int meets, grows; /* grows: each that waits multiplies by growth */
  permi_coefficient entry, growth;
} permi_class_part;

typedef struct permi_class_limit {
  int number, most; /* class `number` must come down to `most` */
} permi_class_limit;

typedef struct permi_class_step {
  int vertex;
  int joins, most; /* the class in which the vertex may wait, or -1: the most that wait there then */
  int part, parts, limit, limits;
  double states, ways; /* states after it, at most; those that merge into one, at most */
  double done;         /* share of all work before it */
  permi_coefficient factor;
} permi_class_step;

typedef struct permi_classes {
  permi_owned owned;
  permi_numbers numbers;
  int steps, words; /* of a key */
  int numbered;
  permi_class *class_of; /* a number */
  permi_class_step *step;
  permi_class_part *part;
  permi_class_limit *limit;
  double most;    /* states */
  double product; /* the largest product of (most of a class + 1) */
  double cost, each, seconds; /* ways; of a way; of all */
  double bound_relative, lost_error;
} permi_classes;

/* ---- proportional entries */

/* May v only be in a class with vertices of equal rests, without factors? Quotients by tiny entries overflow, INT64_MIN
   has no magnitude, and Gaussian integers are divided where products are exact in doubles. */
static int permi_class_plain(const permi_block *block, int v)
{
  const int64_t most = block->imaginary_integer ? 1 << 25 : INT64_MAX;
  int e;
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int edge = block->edge[e];
    if (block->integer ? block->integer[edge] < -most || block->integer[edge] > most ||
                             (block->imaginary_integer && (block->imaginary_integer[edge] < -most ||
                                                           block->imaginary_integer[edge] > most))
                       : fmax(fabs(block->real[edge]), block->imaginary ? fabs(block->imaginary[edge]) : 0) <
                             PERMI_CLASS_LEAST)
      return 1;
  }
  return 0;
}

static void permi_class_product(permi_wide *sum, int64_t a, int64_t b, int negative)
{
  permi_wide p = {0, 0}, x = permi_wide_of(a);
  permi_wide_add_product(&p, &x, b);
  permi_wide_add(sum, negative ? permi_wide_negate(p) : p);
}

/* Adds x y exactly, or -x y, unless a part of it underflows: then returns 0. */
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

static int permi_sum_is_zero(const perm_sum *sum)
{
  int w;
  for (w = 0; w < PERM_SUM_WORDS && !sum->word[w]; w++)
    ;
  return w == PERM_SUM_WORDS;
}

/* Is a : b = c : d for edges? Sums of moduli may differ by roundings, for which permi_class_quotient has room. */
#define PERMI_CLASS_ROOM 5.684341886080802e-14
static int permi_class_alike(const permi_block *block, int a, int b, int c, int d)
{
  perm_sum sum[2];
  double x, y;
  if (permi_entries_equal(block, a, c) && permi_entries_equal(block, b, d))
    return 1;
  if (block->integer) {
    const int64_t *re = block->integer, *im = block->imaginary_integer;
    permi_wide real = {0, 0}, imaginary = {0, 0};
    permi_class_product(&real, re[a], re[d], 0);
    permi_class_product(&real, re[b], re[c], 1);
    if (im) {
      permi_class_product(&real, im[a], im[d], 1);
      permi_class_product(&real, im[b], im[c], 0);
      permi_class_product(&imaginary, re[a], im[d], 0);
      permi_class_product(&imaginary, im[a], re[d], 0);
      permi_class_product(&imaginary, re[b], im[c], 1);
      permi_class_product(&imaginary, im[b], re[c], 1);
    }
    return !(real.low | real.high | imaginary.low | imaginary.high);
  }
  x = block->absolute[a] * block->absolute[d];
  y = block->absolute[b] * block->absolute[c];
  if (fabs(x - y) > PERMI_CLASS_ROOM / 4 * x)
    return 0;
  memset(sum, 0, sizeof sum);
  if (!permi_class_add(&sum[0], block->real[a], block->real[d], 0) ||
      !permi_class_add(&sum[0], block->real[b], block->real[c], 1))
    return 0;
  if (block->imaginary) {
    const double *re = block->real, *im = block->imaginary;
    if (!permi_class_add(&sum[0], im[a], im[d], 1) || !permi_class_add(&sum[0], im[b], im[c], 0) ||
        !permi_class_add(&sum[1], re[a], im[d], 0) || !permi_class_add(&sum[1], im[a], re[d], 0) ||
        !permi_class_add(&sum[1], re[b], im[c], 1) || !permi_class_add(&sum[1], im[b], re[c], 1))
      return 0;
  }
  return permi_sum_is_zero(&sum[0]) && permi_sum_is_zero(&sum[1]);
}

/* a / b to about 100 bits. */
static permi_dd permi_dd_divide(permi_dd a, permi_dd b)
{
  const double first = a.hi / b.hi;
  const permi_dd rest = permi_dd_subtract(a, permi_dd_multiply(b, permi_dd_make(first)));
  return permi_dd_add_double(permi_dd_make(first), rest.hi / b.hi);
}

/* Entry a divided by entry b: of a block of doubles, so as a coefficient; rounded once a part (double-double: to
   PERMI_DD_UNIT). */
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

/* ---- contents */

typedef struct permi_gaussian {
  int64_t re, im;
} permi_gaussian;

static permi_gaussian permi_gaussian_entry(const permi_block *block, int e)
{
  permi_gaussian g = {block->integer[e], block->imaginary_integer ? block->imaginary_integer[e] : 0};
  return g;
}

/* a - q b, modulo 2^64: what it is where that is short. */
static permi_gaussian permi_gaussian_rest(permi_gaussian a, permi_gaussian q, permi_gaussian b)
{
  a.re = (int64_t)((uint64_t)a.re - (uint64_t)q.re * (uint64_t)b.re + (uint64_t)q.im * (uint64_t)b.im);
  a.im = (int64_t)((uint64_t)a.im - (uint64_t)q.re * (uint64_t)b.im - (uint64_t)q.im * (uint64_t)b.re);
  return a;
}

static int64_t permi_gaussian_round(double x)
{
  return (int64_t)fmax(-9.2e18, fmin(9.2e18, floor(x + 0.5)));
}

/* a / b, rounded to the nearest Gaussian integer: quotients of 63 bits in doubles, what is left twice again. */
static permi_gaussian permi_gaussian_divide(permi_gaussian a, permi_gaussian b)
{
  const double x = (double)b.re, y = (double)b.im, norm = x * x + y * y;
  permi_gaussian q = {0, 0}, more;
  int pass;
  if (b.im == 0) {
    q.re = a.re / b.re;
    q.im = a.im / b.re;
    return q;
  }
  for (pass = 0; pass < 3; pass++) {
    more.re = permi_gaussian_round(((double)a.re * x + (double)a.im * y) / norm);
    more.im = permi_gaussian_round(((double)a.im * x - (double)a.re * y) / norm);
    a = permi_gaussian_rest(a, more, b);
    q.re = (int64_t)((uint64_t)q.re + (uint64_t)more.re);
    q.im = (int64_t)((uint64_t)q.im + (uint64_t)more.im);
  }
  return q;
}

/* a greatest common divisor, by which `like` has a quotient with re > 0 and im >= 0. */
static permi_gaussian permi_gaussian_common(permi_gaussian a, permi_gaussian b, permi_gaussian like)
{
  permi_gaussian q;
  int64_t swap;
  if (a.im == 0 && (a.re == 1 || a.re == -1) && like.im == 0)
    return a;
  while (b.re || b.im) {
    const permi_gaussian rest = permi_gaussian_rest(a, permi_gaussian_divide(a, b), b);
    a = b;
    b = rest;
  }
  for (q = permi_gaussian_divide(like, a); !(q.re > 0 && q.im >= 0); q = permi_gaussian_divide(like, a)) {
    swap = a.re; /* a = i a */
    a.re = -a.im;
    a.im = swap;
  }
  return a;
}

static permi_coefficient permi_class_whole(permi_gaussian g, const permi_numbers *numbers)
{
  permi_coefficient c = permi_coefficient_one();
  c.integer[0] = g.re;
  c.integer[1] = g.im;
  if (numbers->algebra == PERMI_RESIDUES) {
    c.integer[0] = (int64_t)permi_wide_residue(permi_wide_of(g.re), numbers->modulus);
    c.integer[1] = (int64_t)permi_wide_residue(permi_wide_of(g.im), numbers->modulus);
  }
  return c;
}
/* SPDX-License-Identifier: MIT */
