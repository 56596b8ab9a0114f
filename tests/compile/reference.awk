# Prints the C file that compile times are measured against: 60 times three functions of loops, floating point,
# integers, branches and tables, which differ in their constants only. It never changes: budgets are ratios to it.
# Usage: awk -f tests/compile/reference.awk >reference.c
BEGIN {
  print "#include <math.h>\n#include <stddef.h>\n#include <string.h>"
  print "typedef struct item { double key, weight; int left, right; unsigned bits; } item;"
  for (k = 1; k <= 60; k++) {
    a = k * 7 % 13 + 2; b = k * 11 % 17 + 3; c = k * 5 % 23 + 1
    printf "static double sum_%d(const double *x, size_t n, double *y)\n{\n", k
    printf "  double s = 0, t = %d, lost = 0;\n  size_t i;\n  for (i = 0; i + %d < n; i += %d) {\n", a, a, a
    for (j = 0; j < a; j++)
      printf "    t = t * %d.5 + x[i + %d];\n    s += t > %d ? x[i + %d] * y[i + %d] : lost - t;\n", b, j, c, (j + 1) % a, j
    printf "    if (s > 1e%d) {\n      lost += s - %d;\n      s = sqrt(s) / %d;\n    }\n    y[i] = s;\n  }\n", c, b, a
    printf "  for (; i < n; i++)\n    s += fabs(x[i] - %d) < lost ? x[i] : -y[i];\n  return s + lost;\n}\n", b
    printf "static int tree_%d(item *table, int count, double key, unsigned bits)\n{\n", k
    printf "  int at = count / %d, depth = 0;\n  while (at >= 0 && at < count && depth++ < %d) {\n", a, 8 * c
    printf "    item *here = &table[at];\n    here->weight += key * %d.25;\n    switch (here->bits >> %d & 7) {\n", b, a
    for (j = 0; j < 7; j++)
      printf "    case %d: here->bits ^= bits << %d | bits >> %d; key += here->weight * %d; at = %s; break;\n", j, j + 1,
        (c + j) % 30 + 1, j + b, j % 2 ? "here->left" : "here->right"
    printf "    default: at = here->key < key ? here->left + %d : here->right - %d;\n    }\n", c % 3, a % 3
    printf "    if (here->key > key && (bits & %du)) {\n      const item other = table[count - 1 - at %% count];\n", 2 * c + 1
    printf "      table[count - 1] = *here;\n      *here = other;\n      bits = bits * %du + %du;\n    }\n  }\n", 2 * a + 1, b
    printf "  return depth + (int)(bits %% %du);\n}\n", b
    printf "double reference_%d(double *x, double *y, size_t n, item *table, int count)\n{\n  double best = 0;\n", k
    printf "  size_t i, j;\n  for (i = 0; i < n; i++)\n    for (j = i; j < n; j += %d) {\n", c
    printf "      const double s = x[i * n + j] * y[j * n + i] - x[j] / (%d + fabs(y[i]));\n", a
    printf "      x[i * n + j] = s * %d + best;\n      if (s > best)\n        best = s;\n", b
    printf "      else if (s < -best * %d)\n        memmove(y, y + 1, (n - 1) * sizeof *y);\n    }\n", a
    printf "  return best + sum_%d(x, n, y) + tree_%d(table, count, best, (unsigned)n) + sum_%d(y, n, x);\n}\n", k, k, k
  }
}
# SPDX-License-Identifier: MIT
