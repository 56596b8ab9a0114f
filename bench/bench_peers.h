/* Other programs in the small table: the plain one of bench_plain.c, and FLINT, one thread. Its shared library is the
   one of python-flint in build/venv, or FLINT=FILE. */
#include <dlfcn.h>
#include <glob.h>

static double bench_small_plain(int n, const double *a)
{
  return bench_plain_real_native(n, a);
}

/* What a program sees of FLINT's integers: a number below 2^62 is itself, entries lie row by row. */
typedef struct bench_flint_matrix {
  intptr_t *entries, reserved[7];
} bench_flint_matrix;

static struct {
  void (*init)(bench_flint_matrix *matrix, intptr_t rows, intptr_t columns);
  void (*permanent)(intptr_t *value, const bench_flint_matrix *matrix);
  double (*as_double)(const intptr_t *value);
  bench_flint_matrix matrix[2][17]; /* by kind and order */
} bench_flint;

static void bench_flint_open(const int64_t *const *entries)
{
  const char *given = getenv("FLINT");
  glob_t found;
  void *library = NULL;
  int kind, n, i;
  if (given)
    library = dlopen(given, RTLD_NOW);
  else if (!glob("build/venv/lib/python*/site-packages/python_flint.libs/libflint*", 0, NULL, &found) &&
           found.gl_pathc)
    library = dlopen(found.gl_pathv[0], RTLD_NOW);
  if (!library) {
    printf("\nFLINT is not here (make bench-python fetches it, or FLINT=its shared library): no column of it.\n");
    return;
  }
  *(void **)&bench_flint.init = dlsym(library, "fmpz_mat_init");
  *(void **)&bench_flint.as_double = dlsym(library, "fmpz_get_d");
  *(void **)&bench_flint.permanent = dlsym(library, "fmpz_mat_permanent");
  for (kind = 0; kind < 2 && bench_flint.permanent; kind++)
    for (n = 2; n <= 16; n++) {
      bench_flint_matrix *matrix = &bench_flint.matrix[kind][n];
      bench_flint.init(matrix, n, n);
      for (i = 0; i < n * n; i++)
        matrix->entries[i] = (intptr_t)entries[kind][i];
    }
}

static double bench_flint_value(int kind, int n)
{
  static intptr_t value; /* an integer in use: FLINT frees what it replaces */
  if (!bench_flint.permanent)
    return (double)NAN;
  bench_flint.permanent(&value, &bench_flint.matrix[kind][n]);
  return bench_flint.as_double(&value);
}

static double bench_small_flint_digits(int n, const double *a)
{
  (void)a;
  return bench_flint_value(0, n);
}

static double bench_small_flint_hundreds(int n, const double *a)
{
  (void)a;
  return bench_flint_value(1, n);
}
/* SPDX-License-Identifier: MIT */
