/* climb_splitters.h: part of climb.h, dense matrices that hide a balanced beam splitter. */

/* A dense matrix that hides a balanced beam splitter, [[x, y], [x, -y]] with zeros beside it: n = 5 .. 19. kind 0: the
   permanent is 0; 1: nearly, -y (1 + 1e-12); 2: the zeros beside it are 1e-13 or so. Into truth[2] the permanent, from
   that of the block, without rounding, times that of the rest (kind 2: the whole by double-double); returns how well
   it is known, INFINITY: not at all. */
static double climb_splitter(climb_problem *p, int n, int parts, int kind, double *truth)
{
  climb_problem rest;
  perm_options options;
  perm_result r;
  oracle_wide block[2] = {0, 0};
  double rounded = 0; /* what the block may lose in 113 bits */
  int where[4], i, j, k;
  memset(&options, 0, sizeof options);
  options.precision = PERM_PRECISION_DD;
  options.certify = options.threads = 1;
  memset(p, 0, sizeof *p);
  p->kind = "hidden beam splitter";
  p->parts = parts;
  p->m = p->n = n;
  for (i = 0; i < n * n * parts; i++)
    p->a[i] = test_below(2) ? test_below(10) * 0.1 : 2 * test_uniform() - 0.7;
  climb_hide(p, kind == 1 ? 1e-12 : 0, where);
  rest = *p;
  rest.m = rest.n = kind == 2 ? n : n - 2;
  if (kind == 2) {
    for (i = 0; i < n * n * parts; i++)
      p->a[i] += p->a[i] == 0 ? ldexp(test_uniform(), -43) : 0;
    memcpy(rest.a, p->a, sizeof p->a);
    block[0] = 1;
  } else {
    for (i = 0, k = 0; i < n * n; i++) /* without the two rows and columns */
      if (i / n != where[0] / n && i / n != where[3] / n && i % n != where[0] % n && i % n != where[3] % n)
        for (j = 0; j < parts; j++)
          rest.a[k++] = p->a[i * parts + j];
    for (k = 0; k < 2; k++) { /* a00 a11 + a01 a10 */
      const double *x = &p->a[where[k ? 1 : 0] * parts], *y = &p->a[where[k ? 2 : 3] * parts];
      rounded += ldexp(hypot(x[0], parts == 2 ? x[1] : 0) * hypot(y[0], parts == 2 ? y[1] : 0), -108);
      block[0] += (oracle_wide)x[0] * y[0];
      if (parts == 2) {
        block[0] -= (oracle_wide)x[1] * y[1];
        block[1] += (oracle_wide)x[0] * y[1] + (oracle_wide)x[1] * y[0];
      }
    }
  }
  climb_compute(&rest, &options, &r);
  if (r.status != PERM_OK || r.exp2 || !(r.error_bound < HUGE_VAL))
    return HUGE_VAL;
  truth[0] = (double)(block[0] * r.value - block[1] * r.imaginary);
  truth[1] = (double)(block[0] * r.imaginary + block[1] * r.value);
  return (hypot((double)block[0], (double)block[1]) + rounded) *
             (r.error_bound + DBL_EPSILON * hypot(r.value, r.imaginary)) +
         rounded * hypot(r.value, r.imaginary);
}

typedef struct climb_splitters { long placements, results, met, falsely_met, lies, violations, shown; } climb_splitters;

/* Placements of it, asked with tolerance 1e-10 by method auto and the engines that sum over signs. */
static void climb_run_splitters(long placements, int most_n, climb_splitters *found)
{
  static const perm_method method[] = {PERM_METHOD_AUTO, PERM_METHOD_DENSE, PERM_METHOD_GLYNN};
  const double tolerance = 1e-10;
  int falsely, lie, violation, k;
  memset(found, 0, sizeof *found);
  while (found->placements < placements) {
    climb_problem p;
    climb_way way;
    perm_options options;
    perm_result r;
    double truth[2], distance, known;
    const int n = 5 + test_below(most_n - 4), parts = 1 + test_below(2);
    known = climb_splitter(&p, n, parts, test_below(3), truth);
    if (known == HUGE_VAL)
      continue;
    found->placements++;
    for (k = 0; k < 3; k++) {
      if (method[k] == PERM_METHOD_GLYNN && n > 14)
        continue; /* a scalar engine */
      memset(&options, 0, sizeof options);
      memset(&way, 0, sizeof way);
      way.method = options.method = method[k];
      way.tolerance = options.tolerance = tolerance;
      options.threads = 1;
      climb_compute(&p, &options, &r);
      if (r.status != PERM_OK && r.status != PERM_TOLERANCE_NOT_MET)
        continue;
      distance = hypot(ldexp(r.value, (int)r.exp2) - truth[0], ldexp(r.imaginary, (int)r.exp2) - truth[1]);
      distance = fmax(0, distance - known);
      found->results++;
      found->met += r.status == PERM_OK;
      falsely = r.status == PERM_OK && distance > tolerance * (hypot(truth[0], truth[1]) + known);
      lie = distance > CLIMB_LIE * ldexp(r.error_estimate, (int)r.exp2);
      violation = distance > ldexp(r.error_bound, (int)r.exp2) * (1 + 4 * DBL_EPSILON);
      found->falsely_met += falsely;
      found->lies += lie;
      found->violations += violation;
      if ((falsely || lie || violation) && found->shown++ < 5) {
        printf("%s value (%g, %g), estimate %g, error %g, true error %g: ",
               violation ? "VIOLATION"
               : lie     ? "LIE"
                         : "FALSELY MET",
               r.value, r.imaginary, r.error_estimate, r.error_bound, distance);
        climb_show(&p, &way);
      }
    }
  }
}
/* SPDX-License-Identifier: MIT */
