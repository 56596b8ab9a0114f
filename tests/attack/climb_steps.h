/* climb_steps.h: part of climb.h, a step from a matrix to one beside it. */

static double climb_ulps(double x, int tiny)
{
  int k = 1 + test_below(test_below(3) ? 1 : 8);
  const double to = test_below(2) ? HUGE_VAL : -HUGE_VAL;
  for (; k > 0; k--)
    x = nextafter(x, to);
  return fabs(x) <= 1e-300 && !tiny ? 0 : x;
}

static void climb_step(climb_problem *p)
{
  const int parts = p->parts, n = p->n, lines = p->m, line = n * parts, entries = lines * n;
  const int e = test_below(entries) * parts, f = test_below(entries) * parts, i = e / line, g = test_below(lines);
  double *x = &p->a[e], *y = &p->a[f], z;
  int k, j;
  switch (test_below(20)) {
  case 0: case 1: case 2: x[test_below(parts)] = climb_ulps(x[test_below(parts)], p->tiny); break;
  case 3: for (k = 0; k < parts; k++) x[k] = y[k]; break;
  case 4: for (k = 0; k < parts; k++) x[k] = -y[k]; break;
  case 5: for (k = 0; k < parts; k++) x[k] = -x[k]; break;
  case 6: for (k = 0; k < parts; k++) x[k] = 0; break;
  case 7: for (j = test_below(9) - 4, k = 0; k < parts; k++) x[k] = ldexp(x[k], j); break;
  case 8: x[test_below(parts)] = climb_number(); break;
  case 9: /* nearly the opposite of another in its row */
    for (j = test_below(n) * parts, k = 0; k < parts; k++)
      x[k] = -p->a[i * line + j + k] * (1 + ldexp(test_below(9) - 4, -52));
    break;
  case 10: /* a row is another, or its opposite, but for one entry */
    for (z = climb_sign(), k = 0; k < line; k++)
      p->a[i * line + k] = z * p->a[g * line + k];
    x[0] = test_below(2) ? -x[0] : climb_ulps(x[0], p->tiny);
    break;
  case 11: for (z = test_below(2) ? 2 : -1, k = 0; k < line; k++) p->a[i * line + k] *= z; break;
  case 12: /* the row's sum becomes 0, or nearly */
    for (k = 0; k < parts; k++) {
      for (z = 0, j = 0; j < n; j++)
        z += p->a[i * line + j * parts + k];
      x[k] -= z;
      if (test_below(3) == 0)
        x[k] = climb_ulps(x[k], p->tiny);
    }
    break;
  case 13: x[0] = ldexp(nearbyint(ldexp(x[0], 3)), -3); break;
  case 14: for (k = 0; k < parts; k++) z = x[k], x[k] = y[k], y[k] = z; break;
  case 15: x[test_below(parts)] *= 1 + ldexp(2 * test_uniform() - 1, -test_below(50)); break;
  case 16: /* times i, or the other part alike */
    if (parts == 2) {
      z = x[0], x[0] = test_below(2) ? -x[1] : x[1], x[1] = z;
    } else {
      x[0] = fabs(x[0]);
    }
    break;
  case 17: x[parts - 1] = parts == 2 && test_below(2) ? 0 : x[0]; break;
  case 18: /* a row times a number */
    for (z = climb_number(), k = 0; k < line; k++)
      p->a[i * line + k] *= z;
    break;
  default: /* the moduli of a row become one */
    for (k = 0; k < line; k++)
      if (p->a[i * line + k] != 0)
        p->a[i * line + k] = p->a[i * line + k] < 0 ? -fabs(x[0]) : fabs(x[0]);
  }
}

/* Entries that stay where the oracle is quick. */
static int climb_is_tame(const climb_problem *p)
{
  int i;
  for (i = 0; i < p->m * p->n * p->parts; i++)
    if (p->a[i] != 0 && !(fabs(p->a[i]) < 1e30 && (fabs(p->a[i]) > 1e-48 || p->tiny)))
      return 0;
  return 1;
}
/* SPDX-License-Identifier: MIT */
