/* ========================================================================================== >>fronts
   Determinants by multifrontal elimination [DR83] along a dissection. A front is a full matrix of the lines that its
   pairs touch. Pivots are lines that no other front touches; others are put off to the parent. At the root all may be
   pivots, so a determinant of 0 is found.
   THE BOUND: a number is within its radius of the true one. A sum or product adds PERMI_DD_UNIT of the moduli involved,
   a complex one 4 times that, and radii as in interval arithmetic; a quotient is measured by its residual. Radii are
   rounded up by PERMI_RADIUS_UP, their underflow by adding PERMI_RADIUS_LEAST. Entries without a pivot at the root
   bound what is left by the product of their row sums. Radii grow by about a bit with each pivot of a front, true
   errors hardly, so that in large fronts pivots above their radius run out. Then pivots go by size alone, and the error
   is measured: with low parts cut to the 24 bits of a float it is about 2^(104 - 53 - 24) times as large. */
#pragma once
#include "../graph/primes.h"
#include "../frontier/values.h"
#include "dissection.h"

/* Columns have the numbers of their rows. */
typedef struct permi_fronts {
  const permi_dissection *dissection;
  const int *row, *column;
  const signed char *sign;
  perm_allocator allocator;
} permi_fronts;

typedef struct permi_frontal {
  int size, summed, pivots; /* may be pivots */
  int *row, *column;
  char *value;
} permi_frontal;

/* ---- numbers: residues, or double-doubles with a radius */
#define PERMI_RADIUS_UP (1 + 1e-13) /* tests/proofs/frontier.g */
#define PERMI_RADIUS_LEAST 1e-290
#define PERMI_PIVOT_LEAST 0.1  /* times the column's largest */
#define PERMI_PIVOT_SURE 4     /* times its radius */
#define PERMI_PIVOT_NOISE 1e-27 /* chosen: 1e5 roundings */
#define PERMI_COARSE_PART 6e-8 /* 2^-24, where 2^-27 would do */

typedef struct permi_ball {
  permi_dd re, im;
  double radius;
} permi_ball;

typedef enum permi_trust { /* pivots above their radii, which hold; any pivots; and with short low parts */
  PERMI_SURE, PERMI_UNSURE, PERMI_COARSE
} permi_trust;

typedef struct permi_determinant {
  permi_ball ball; /* times 2^exp2 */
  long long exp2;
  int noisy; /* a pivot is below PERMI_PIVOT_NOISE of one before, perhaps 0 */
} permi_determinant;

/* The numbers of an elimination; one whose bits are all zero is 0. */
typedef struct permi_field {
  const permi_odd_modulus *prime; /* NULL: balls */
  const uint64_t *residue;
  const double *real, *imaginary;
  int parts;
  permi_trust trust;
  size_t bytes;
  int largest;  /* fronts; 0: any */
  uint64_t determinant; /* for Montgomery products */
  permi_determinant made;
  double top;
} permi_field;

static double permi_ball_modulus(const permi_ball *x)
{
  return permi_modulus(x->re.hi, x->im.hi) * (1 + 4 * PERMI_UNIT);
}

static double permi_ball_least(const permi_ball *x)
{
  return fmax(fabs(x->re.hi), fabs(x->im.hi)) * (1 - 4 * PERMI_UNIT) - x->radius;
}

static permi_ball permi_ball_times(const permi_ball *a, const permi_ball *b, int parts)
{
  const double x = permi_ball_modulus(a), y = permi_ball_modulus(b);
  permi_ball c = *a;
  if (parts == 2)
    permi_dd_multiply_complex(&c.re, &c.im, b->re, b->im);
  else
    c.re = permi_dd_multiply(a->re, b->re);
  c.radius = (x * b->radius + y * a->radius + a->radius * b->radius + 4 * PERMI_DD_UNIT * x * y) * PERMI_RADIUS_UP +
             PERMI_RADIUS_LEAST;
  return c;
}

static void permi_ball_accumulate(permi_ball *a, const permi_ball *b, int subtract, int parts)
{
  const double moduli = permi_ball_modulus(a) + permi_ball_modulus(b);
  a->re = permi_dd_add(a->re, subtract ? permi_dd_negate(b->re) : b->re);
  if (parts == 2)
    a->im = permi_dd_add(a->im, subtract ? permi_dd_negate(b->im) : b->im);
  a->radius = (a->radius + b->radius + PERMI_DD_UNIT * moduli) * PERMI_RADIUS_UP + PERMI_RADIUS_LEAST;
}

/* Returns a / b, |b| over its radius. A c near the quotient has |c - a / b| <= |a - c b| / |b|. */
static permi_ball permi_ball_divide(const permi_ball *a, const permi_ball *b, int parts)
{
  const int e = permi_exponent(fmax(fabs(b->re.hi), fabs(b->im.hi))); /* squares must not underflow */
  const double x = ldexp(b->re.hi, -e), y = ldexp(b->im.hi, -e), norm = x * x + y * y;
  permi_ball c, rest;
  memset(&c, 0, sizeof c);
  for (int round = 0; round < 3; round++) {
    c.radius = 0;
    permi_ball product = permi_ball_times(&c, b, parts);
    rest = *a;
    permi_ball_accumulate(&rest, &product, 1, parts);
    if (round == 2)
      break;
    c.re = permi_dd_add_double(c.re, ldexp((rest.re.hi * x + rest.im.hi * y) / norm, -e));
    if (parts == 2)
      c.im = permi_dd_add_double(c.im, ldexp((rest.im.hi * x - rest.re.hi * y) / norm, -e));
  }
  c.radius = (permi_ball_modulus(&rest) + rest.radius) / permi_ball_least(b) * PERMI_RADIUS_UP + PERMI_RADIUS_LEAST;
  return c;
}

static void permi_bytes_swap(char *x, char *y, size_t bytes)
{
  for (; bytes > 0; bytes--, x++, y++) {
    const char kept = *x;
    *x = *y;
    *y = kept;
  }
}

static void permi_frontal_swap(permi_frontal *front, size_t bytes, int row, int column)
{
  const int k = front->pivots;
  const size_t line = (size_t)front->size * bytes;
  if (row != k) {
    permi_bytes_swap((char *)&front->row[k], (char *)&front->row[row], sizeof(int));
    permi_bytes_swap(front->value + (size_t)k * line, front->value + (size_t)row * line, line);
  }
  if (column != k) {
    permi_bytes_swap((char *)&front->column[k], (char *)&front->column[column], sizeof(int));
    for (int i = 0; i < front->size; i++)
      permi_bytes_swap(front->value + (size_t)i * line + (size_t)k * bytes,
                       front->value + (size_t)i * line + (size_t)column * bytes, bytes);
  }
}

/* Brings a pivot to (pivots, pivots), or returns 0. */
static int permi_residue_find(const permi_field *field, permi_frontal *front)
{
  const uint64_t *value = (const uint64_t *)(const void *)front->value;
  const int k = front->pivots;
  for (int j = k; j < front->summed; j++)
    for (int i = k; i < front->summed; i++)
      if (value[(size_t)i * (size_t)front->size + (size_t)j]) {
        permi_frontal_swap(front, field->bytes, i, j);
        return 1;
      }
  return 0;
}

PERMI_NEVER_INLINE static void permi_residue_eliminate(permi_field *field, permi_frontal *front)
{
  const permi_odd_modulus prime = *field->prime; /* stays in registers */
  const int k = front->pivots, size = front->size;
  uint64_t *value = (uint64_t *)(void *)front->value;
  const uint64_t *pivot = value + (size_t)k * (size_t)size + (size_t)k;
  const uint64_t scaled = permi_montgomery(*pivot, prime.square, &prime), inverse = permi_prime_inverse(*pivot, &prime);
  field->determinant = permi_montgomery(field->determinant, scaled, &prime);
  for (int i = k + 1; i < size; i++) {
    uint64_t *row = value + (size_t)i * (size_t)size + (size_t)k;
    const int columns = *row ? size - k : 0;
    const uint64_t factor = permi_montgomery(permi_montgomery(*row, prime.square, &prime), inverse, &prime);
    for (int j = 1; j < columns; j++) {
      const uint64_t product = permi_montgomery(factor, pivot[j], &prime);
      row[j] = row[j] - product + (row[j] < product ? prime.p : 0);
    }
  }
}

/* The next diagonal entry, if large enough, comes before the pivot that is largest against its column. */
static int permi_ball_find(const permi_field *field, permi_frontal *front)
{
  const permi_trust trust = field->trust;
  const permi_ball *value = (const permi_ball *)(const void *)front->value;
  const int k = front->pivots, size = front->size;
  double best = 0;
  int i, j, row = -1, column = -1;
  for (j = k; j < front->summed && best < 1; j++) {
    double most = 0, largest = 0, here;
    int at = -1;
    for (i = k; i < size; i++) {
      const permi_ball *x = &value[(size_t)i * (size_t)size + (size_t)j];
      here = permi_ball_modulus(x);
      most = fmax(most, here);
      if (i < front->summed && here > largest &&
          (trust != PERMI_SURE || permi_ball_least(x) > (PERMI_PIVOT_SURE - 1) * x->radius)) {
        largest = here;
        at = i;
      }
    }
    if (at >= 0 && (largest >= PERMI_PIVOT_LEAST * most || front->summed == size) && largest / most > best) {
      best = largest / most;
      row = at;
      column = j;
    }
    if (j == k && best > 0)
      break; /* searching all takes longer than eliminating */
  }
  if (row < 0)
    return 0;
  permi_frontal_swap(front, field->bytes, row, column);
  return 1;
}

static void permi_ball_normalise(permi_field *own)
{
  permi_ball *x = &own->made.ball;
  double most = fmax(fabs(x->re.hi), fabs(x->im.hi));
  if (own->trust == PERMI_SURE)
    most = fmax(most, x->radius);
  if (most == 0 || !(most <= DBL_MAX))
    return;
  const int e = permi_exponent(most);
  x->re = permi_dd_scale(x->re, -e);
  x->im = permi_dd_scale(x->im, -e);
  x->radius = ldexp(x->radius, -e) + PERMI_RADIUS_LEAST;
  own->made.exp2 += e;
}

PERMI_NEVER_INLINE static void permi_ball_eliminate(permi_field *own, permi_frontal *front)
{
  const int k = front->pivots, size = front->size;
  permi_ball *value = (permi_ball *)(void *)front->value;
  const permi_ball *pivot = value + (size_t)k * (size_t)size + (size_t)k;
  own->made.noisy |= permi_ball_modulus(pivot) < PERMI_PIVOT_NOISE * own->top;
  own->top = fmax(own->top, permi_ball_modulus(pivot));
  own->made.ball = permi_ball_times(&own->made.ball, pivot, own->parts);
  permi_ball_normalise(own);
  for (int i = k + 1; i < size; i++) {
    permi_ball *row = value + (size_t)i * (size_t)size + (size_t)k, factor;
    if (row->re.hi == 0 && row->im.hi == 0 && row->radius == 0)
      continue;
    factor = permi_ball_divide(row, pivot, own->parts);
    for (int j = 1; j < size - k; j++) {
      const permi_ball product = permi_ball_times(&factor, pivot + j, own->parts);
      permi_ball_accumulate(row + j, &product, 1, own->parts);
      if (own->trust == PERMI_COARSE) {
        row[j].re.lo = (double)(float)row[j].re.lo;
        row[j].im.lo = (double)(float)row[j].im.lo;
      }
    }
  }
}

typedef struct permi_front_work {
  const permi_fronts *fronts;
  permi_field *field;
  permi_frontal *below; /* of a front, for its parent */
  int *row_at, *column_at; /* in the front at hand */
  int *pivot_column, pivots;
} permi_front_work;

static void permi_frontal_free(const perm_allocator *allocator, permi_frontal *front)
{
  permi_release(allocator, front->row);
  permi_release(allocator, front->value);
  memset(front, 0, sizeof *front);
}

static int permi_frontal_create(const perm_allocator *allocator, int size, size_t bytes, permi_frontal *front)
{
  memset(front, 0, sizeof *front);
  front->size = size;
  front->row = (int *)permi_allocate(allocator, 2 * (size_t)size + 1, sizeof(int));
  front->value = (char *)permi_allocate(allocator, (size_t)size * (size_t)size + 1, bytes);
  front->column = front->row ? front->row + size : NULL;
  if (front->row && front->value)
    return 1;
  permi_frontal_free(allocator, front);
  return 0;
}

PERMI_NEVER_INLINE static perm_status permi_frontal_assemble(permi_front_work *work, int f, permi_frontal *front)
{
  const permi_fronts *fronts = work->fronts;
  const permi_dissection *dissection = fronts->dissection;
  const permi_front *plan = &dissection->front[f];
  permi_field *field = work->field;
  const size_t bytes = field->bytes;
  int size = plan->end - plan->begin, summed, c, i, j, k;
  for (c = plan->child; c >= 0; c = dissection->front[c].sibling)
    size += work->below[c].summed;
  summed = size;
  size += plan->boundary_end - plan->boundary;
  if (field->largest && size > field->largest)
    return PERM_ERROR_LIMIT;
  if (!permi_frontal_create(&fronts->allocator, size, bytes, front))
    return PERM_ERROR_MEMORY;
  front->summed = summed;
  memset(front->value, 0, (size_t)size * (size_t)size * bytes);
  for (i = 0; i < plan->end - plan->begin; i++)
    front->row[i] = front->column[i] = dissection->order[plan->begin + i];
  for (c = plan->child; c >= 0; c = dissection->front[c].sibling)
    for (k = 0; k < work->below[c].summed; k++, i++) {
      front->row[i] = work->below[c].row[k];
      front->column[i] = work->below[c].column[k];
    }
  for (k = plan->boundary; k < plan->boundary_end; k++, i++)
    front->row[i] = front->column[i] = dissection->boundary[k];
  for (i = 0; i < size; i++) {
    work->row_at[front->row[i]] = i;
    work->column_at[front->column[i]] = i;
  }
  for (k = plan->entry; k < plan->entry_end; k++) {
    const int e = dissection->entry[k];
    const size_t at = (size_t)work->row_at[fronts->row[e]] * (size_t)size + (size_t)work->column_at[fronts->column[e]];
    if (field->prime) {
      const uint64_t x = field->residue[e];
      ((uint64_t *)(void *)front->value)[at] = fronts->sign[e] < 0 && x ? field->prime->p - x : x;
    } else {
      permi_ball *y = (permi_ball *)(void *)front->value + at;
      y->re = permi_dd_make(fronts->sign[e] * field->real[e]);
      if (field->imaginary)
        y->im = permi_dd_make(fronts->sign[e] * field->imaginary[e]);
    }
  }
  for (c = plan->child; c >= 0; c = dissection->front[c].sibling) {
    permi_frontal *below = &work->below[c];
    for (i = 0; i < below->size; i++) {
      const char *from = below->value + (size_t)i * (size_t)below->size * bytes;
      char *to = front->value + (size_t)work->row_at[below->row[i]] * (size_t)size * bytes;
      for (j = 0; j < below->size; j++) {
        const size_t at = (size_t)work->column_at[below->column[j]];
        if (field->prime) {
          uint64_t *sum = (uint64_t *)(void *)to + at;
          *sum = permi_residue_add(*sum, ((const uint64_t *)(const void *)from)[j], 0, field->prime->p);
        } else {
          const permi_ball *x = (const permi_ball *)(const void *)from + j;
          permi_ball *y = (permi_ball *)(void *)to + at;
          if (y->re.hi == 0 && y->im.hi == 0 && y->radius == 0)
            *y = *x;
          else
            permi_ball_accumulate(y, x, 0, field->parts);
        }
      }
    }
    permi_frontal_free(&fronts->allocator, below);
  }
  return PERM_OK;
}

/* `run` is NULL while planning. */
typedef struct permi_front_poll {
  permi_runner *run;
  int thread;
  double done, seconds; /* eliminations done; seconds of one */
  permi_control *watch;
} permi_front_poll;

/* *odd says that the determinant has the wrong sign. */
static perm_status permi_fronts_eliminate(const permi_fronts *fronts, permi_field *field, const permi_front_poll *ask,
                                          int *odd)
{
  const permi_dissection *dissection = fronts->dissection;
  const size_t n = (size_t)dissection->n, bytes = field->bytes;
  permi_pool pool = {&fronts->allocator, NULL, 0};
  permi_front_work work = {fronts, field, NULL, NULL, NULL, NULL, 0};
  perm_status status = PERM_OK;
  work.below = (permi_frontal *)permi_pool_zeros(&pool, n, sizeof *work.below);
  if (!permi_pool_ints(&pool, &work.row_at, n, &work.column_at, n, &work.pivot_column, n, (int **)NULL) ||
      pool.failed) {
    permi_pool_release(&pool);
    return PERM_ERROR_MEMORY;
  }
  for (int f = dissection->fronts - 1; f >= 0 && status == PERM_OK; f--) {
    permi_frontal front;
    status = permi_frontal_assemble(&work, f, &front);
    if (status != PERM_OK)
      break;
    for (; front.pivots < front.summed &&
           (field->prime ? permi_residue_find(field, &front) : permi_ball_find(field, &front)); front.pivots++) {
      work.pivot_column[front.row[front.pivots]] = front.column[front.pivots];
      work.pivots++;
      if (field->prime)
        permi_residue_eliminate(field, &front);
      else
        permi_ball_eliminate(field, &front);
    }
    if (dissection->front[f].parent >= 0) {
      const int k = front.pivots, size = front.size - k;
      permi_frontal *below = &work.below[f];
      if (!permi_frontal_create(&fronts->allocator, size, bytes, below))
        status = PERM_ERROR_MEMORY;
      below->summed = front.summed - k;
      for (int i = 0; i < size && status == PERM_OK; i++) {
        below->row[i] = front.row[i + k];
        below->column[i] = front.column[i + k];
        memcpy(below->value + (size_t)i * (size_t)size * bytes,
               front.value + ((size_t)(i + k) * (size_t)front.size + (size_t)k) * bytes, (size_t)size * bytes);
      }
    } else if (front.pivots < front.size) { /* |det| of the rest is at most the product of its row sums */
      permi_ball *x = &field->made.ball;
      field->determinant = 0;
      x->radius += permi_ball_modulus(x);
      x->re = x->im = permi_dd_make(0);
      for (int i = front.pivots; i < front.size && !field->prime; i++) {
        const permi_ball *y = (const permi_ball *)(const void *)front.value + (size_t)i * (size_t)front.size;
        double sum = 0;
        for (int j = front.pivots; j < front.size; j++)
          sum += permi_ball_modulus(&y[j]) + y[j].radius;
        x->radius *= sum * PERMI_RADIUS_UP;
        permi_ball_normalise(field);
      }
    }
    permi_frontal_free(&fronts->allocator, &front);
    if (status == PERM_OK && ask->run)
      status = permi_runner_poll(ask->run, PERMI_RUNNER_POLL,
                                 (ask->done + (double)(dissection->fronts - f) / dissection->fronts) * ask->seconds,
                                 ask->thread);
    else if (status == PERM_OK && permi_watch(ask->watch, PERMI_WATCH_UNITS))
      status = PERM_ERROR_LIMIT;
  }
  *odd = 0;
  memset(work.row_at, 0, n * sizeof *work.row_at);
  for (int f = 0; f < dissection->n && work.pivots == dissection->n; f++) /* the sign of the permutation */
    for (int at = f; !work.row_at[at]; at = work.pivot_column[at]) {
      work.row_at[at] = 1;
      *odd ^= work.pivot_column[at] != f; /* a cycle of length l: l - 1 */
    }
  for (int f = 0; f < dissection->fronts; f++)
    permi_frontal_free(&fronts->allocator, &work.below[f]);
  permi_pool_release(&pool);
  return status;
}

/* Returns PERM_ERROR_LIMIT if too many pivots are not sure. imaginary may be NULL. */
static perm_status permi_fronts_ball(const permi_fronts *fronts, const double *real, const double *imaginary,
                                     permi_trust trust, const permi_front_poll *ask, permi_determinant *determinant)
{
  permi_field field;
  int odd;
  memset(&field, 0, sizeof field);
  field.bytes = sizeof(permi_ball);
  field.largest = trust == PERMI_SURE ? 2 * fronts->dissection->largest + 16 : 0;
  field.trust = trust;
  field.parts = imaginary ? 2 : 1;
  field.real = real;
  field.imaginary = imaginary;
  field.made.ball.re = permi_dd_make(1);
  const perm_status status = permi_fronts_eliminate(fronts, &field, ask, &odd);
  *determinant = field.made;
  if (odd) {
    determinant->ball.re = permi_dd_negate(determinant->ball.re);
    determinant->ball.im = permi_dd_negate(determinant->ball.im);
  }
  return status;
}
/* SPDX-License-Identifier: MIT */
