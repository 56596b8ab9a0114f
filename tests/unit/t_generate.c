/* examples/perm_generate.h: structure, known permanents, distributions roughly, the same matrix for the same seed,
   refusals that say what was expected. Permanents by plain recursion over the entries of each row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../examples/perm_generate.h"


/* Sum over the transversals of rows i.. that avoid the used columns; n <= 64. */
static void t_generate_expand(const perm_matrix *a, int i, uint64_t used, double *real, double *imaginary)
{
  size_t k;
  *real = i == a->m;
  *imaginary = 0;
  if (i == a->m) return;
  for (k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
    double x, y, re = a->real ? a->real[k] : 1, im = a->imaginary ? a->imaginary[k] : 0;
    if (used >> a->column[k] & 1) continue;
    t_generate_expand(a, i + 1, used | UINT64_C(1) << a->column[k], &x, &y);
    *real += re * x - im * y;
    *imaginary += re * y + im * x;
  }
}

static perm_matrix t_generate_made(const char *specification, uint64_t seed)
{
  perm_matrix matrix;
  perm_result result;
  CHECK_TEXT(perm_generate(specification, seed, NULL, &matrix, &result) == PERM_OK ? "" : result.message, "");
  CHECK(matrix.row_start != NULL);
  return matrix;
}

static double t_generate_permanent(const char *specification)
{
  perm_matrix matrix = t_generate_made(specification, 1);
  double real = NAN, imaginary = 0;
  if (matrix.row_start) t_generate_expand(&matrix, 0, 0, &real, &imaginary);
  perm_matrix_free(&matrix);
  return fabs(imaginary) < 1e-9 ? real : NAN;
}

static int t_generate_is(const char *specification, int n, size_t nnz, perm_kind kind)
{
  perm_matrix matrix = t_generate_made(specification, 3);
  int right = matrix.m == n && matrix.n == n && matrix.nnz == nnz && matrix.kind == kind;
  perm_matrix_free(&matrix);
  return right;
}

static int t_generate_same(const perm_matrix *a, const perm_matrix *b)
{
  return a->m == b->m && a->n == b->n && a->nnz == b->nnz && a->kind == b->kind &&
         !memcmp(a->row_start, b->row_start, ((size_t)a->m + 1) * sizeof *a->row_start) &&
         !memcmp(a->column, b->column, a->nnz * sizeof *a->column) &&
         (!a->real || !memcmp(a->real, b->real, a->nnz * sizeof *a->real)) &&
         (!a->imaginary || !memcmp(a->imaginary, b->imaginary, a->nnz * sizeof *a->imaginary));
}

static const char *t_generate_refused(const char *specification)
{
  static perm_result result;
  perm_matrix matrix;
  perm_status status = perm_generate(specification, 1, NULL, &matrix, &result);
  if (status == PERM_OK) perm_matrix_free(&matrix);
  return status == PERM_OK ? "[accepted]" : status != PERM_ERROR_OPTION || matrix.row_start ? "[else]" : result.message;
}

TEST(t_generate_known_permanents)
{
  CHECK(t_generate_permanent("ones:0") == 1);
  CHECK(t_generate_permanent("ones:7") == 5040);
  CHECK(t_generate_permanent("grid:2:5") == 8); /* Fibonacci */
  CHECK(t_generate_permanent("derangements:7") == 1854);
  CHECK(t_generate_permanent("menage:7") == 579);
  CHECK(t_generate_is("nested:1", 1, 1, PERM_KIND_INTEGER) && t_generate_is("prefixes:1", 1, 1, PERM_KIND_INTEGER));
  CHECK(t_generate_permanent("nested:8") >= 1 && t_generate_permanent("prefixes:8") >= 1);
  CHECK(t_generate_permanent("grid:4:4") == 36);
  CHECK(t_generate_permanent("grid:3:4") == 11);
  CHECK(t_generate_permanent("grid:4:3") == 11);
  CHECK(t_generate_permanent("grid:5:6") == 1183);
  CHECK(t_generate_permanent("grid:6:6") == 6728);
  CHECK(t_generate_permanent("grid:1:6") == 1);
  CHECK(t_generate_permanent("grid:0:3") == 1);
  CHECK(fabs(t_generate_permanent("dft:3") + 3) < 1e-12); /* OEIS A003112 */
  CHECK(fabs(t_generate_permanent("dft:4")) < 1e-12);
  CHECK(fabs(t_generate_permanent("dft:5") + 5) < 1e-12);
  CHECK(fabs(t_generate_permanent("dft:7") + 105) < 1e-10);
  CHECK(t_generate_permanent("regular:6:6") == 720);
  CHECK(t_generate_permanent("regular:6:5") == 265); /* derangements */
}

/* Few entries a line, at a diagonal or a permutation of entries that are not 0. */
TEST(t_generate_few_entries)
{
  static const struct { const char *name; size_t least, most; double lowest, highest; } kind[] = {
    {"random-entries:30", 31, 30 * 6, 0.5, 1}, {"random-lines:30", 31, 30 * 21, 0, 1},
    {"random-permutations:30", 30, 30 * 5, 0, 1}, {"mixed:30", 31, 24 * 17 + 6 * 4, 0, 1}};
  perm_matrix matrix;
  int k, i, seed;
  size_t e;
  for (k = 0; k < 4; k++)
    for (seed = 1; seed <= 20; seed++) {
      double sum = 0, difference = 0;
      CHECK(perm_generate(kind[k].name, (uint64_t)seed, NULL, &matrix, NULL) == PERM_OK);
      CHECK(matrix.m == 30 && matrix.kind == PERM_KIND_REAL);
      CHECK(matrix.nnz >= kind[k].least && matrix.nnz <= kind[k].most);
      for (i = 0; i < 30; i++)
        for (e = matrix.row_start[i]; e < matrix.row_start[i + 1]; e++) {
          const int j = matrix.column[e];
          CHECK(matrix.real[e] > kind[k].lowest && matrix.real[e] <= kind[k].highest);
          if (k % 2 && i != j && i < 24)
            CHECK(matrix.real[e] <= 0.25);
          if (k % 2 && i == j)
            CHECK(matrix.real[e] > 0.5);
          CHECK(k != 3 || (i < 24) == (j < 24));
          sum += matrix.real[e] * (i * i + 31 * j);
          difference += matrix.real[e] * (j * j + 31 * i);
        }
      CHECK(k != 1 || fabs(sum - difference) < 1e-9 * sum); /* symmetric */
      perm_matrix_free(&matrix);
    }
  CHECK(t_generate_permanent("random-entries:8") > 0 && t_generate_permanent("random-lines:8") > 0);
  CHECK(t_generate_permanent("random-permutations:8") > 0 && t_generate_permanent("mixed:8") > 0);
  CHECK(t_generate_permanent("mixed:0") == 1 && t_generate_permanent("random-permutations:0") == 1);
}

/* Kekule structures; [k]acene: k + 1, a hexagon: MacMahon's box of side k. */
TEST(t_generate_benzenoids)
{
  static const struct { const char *name; int atoms, bonds, count; } known[] = {
    {"benzene", 6, 6, 2}, {"naphthalene", 10, 11, 3}, {"anthracene", 14, 16, 4}, {"phenanthrene", 14, 16, 5},
    {"tetracene", 18, 21, 5}, {"chrysene", 18, 21, 8}, {"triphenylene", 18, 21, 9}, {"pyrene", 16, 19, 6},
    {"perylene", 20, 24, 9}, {"coronene", 24, 30, 20}, {"ovalene", 32, 41, 50}, {"circumcoronene", 54, 72, 980},
    {"hexagonal:1", 6, 6, 2}, {"hexagonal:2", 24, 30, 20}, {"hexagonal:3", 54, 72, 980}};
  size_t k;
  for (k = 0; k < sizeof known / sizeof *known; k++) {
    CHECK(t_generate_is(known[k].name, known[k].atoms / 2, (size_t)known[k].bonds, PERM_KIND_INTEGER));
    CHECK(t_generate_permanent(known[k].name) == known[k].count);
  }
  CHECK(t_generate_is("hexagonal:20", 1200, 3 * 1200 - 60, PERM_KIND_INTEGER)); /* 9k^2 - 3k bonds */
}

TEST(t_generate_mycielskian)
{
  perm_matrix matrix;
  int i;
  size_t k, l;
  CHECK(t_generate_is("mycielskian:2", 2, 2, PERM_KIND_INTEGER));
  CHECK(t_generate_is("mycielskian:3", 5, 10, PERM_KIND_INTEGER));
  CHECK(t_generate_is("mycielskian:4", 11, 40, PERM_KIND_INTEGER));
  CHECK(t_generate_is("mycielskian:5", 23, 142, PERM_KIND_INTEGER));
  CHECK(t_generate_is("mycielskian:6", 47, 472, PERM_KIND_INTEGER));
  CHECK(t_generate_permanent("mycielskian:3") == 2); /* the two directions of a 5-cycle */
  matrix = t_generate_made("mycielskian:6", 1);
  for (i = 0; i < matrix.m; i++) /* no vertex is its own neighbour, and no triangles */
    for (k = matrix.row_start[i]; k < matrix.row_start[i + 1]; k++) {
      int j = matrix.column[k], common = 0;
      size_t from;
      for (l = matrix.row_start[i]; l < matrix.row_start[i + 1]; l++)
        for (from = matrix.row_start[j]; from < matrix.row_start[j + 1]; from++)
          common += matrix.column[l] == matrix.column[from];
      CHECK(i != j && common == 0);
    }
  perm_matrix_free(&matrix);
}

/* The generator's matrix is the file's of that name. */
TEST(t_generate_mycielskian_is_the_file)
{
  perm_matrix matrix, file;
  char path[512];
  int i;
  if (!test_matrix_path("mycielskian6", path, sizeof path)) SKIP("mycielskian6.mtx is not in PERM_MATRICES");
  matrix = t_generate_made("mycielskian:6", 1);
  CHECK(perm_matrix_read(path, NULL, &file, NULL, NULL) == PERM_OK);
  CHECK(file.m == matrix.m && file.nnz == matrix.nnz);
  for (i = 0; i < 48 && file.m == matrix.m; i++) CHECK(file.row_start[i] == matrix.row_start[i]);
  CHECK(file.nnz == matrix.nnz && !memcmp(file.column, matrix.column, matrix.nnz * sizeof *matrix.column));
  perm_matrix_free(&file);
  perm_matrix_free(&matrix);
}

/* Kind, size, range and mean of what is drawn entry by entry. */
TEST(t_generate_distributions)
{
  static const struct { const char *name; perm_kind kind; double least, most, mean, square; } drawn[] = {
    {"uniform:60", PERM_KIND_REAL, 0, 1, 0.5, 1 / 3.0}, {"symmetric-uniform:60", PERM_KIND_REAL, -1, 1, 0, 1 / 3.0},
    {"gauss:60", PERM_KIND_REAL, -7, 7, 0, 1}, {"complex-gauss:60", PERM_KIND_COMPLEX, -7, 7, 0, 2},
    {"circular:60", PERM_KIND_COMPLEX, -1, 1, 0, 1}, {"bernoulli:60", PERM_KIND_INTEGER, -1, 1, 0, 1},
    {"unitary:60", PERM_KIND_COMPLEX, -1, 1, 0, 1 / 60.0}, {"ones:60", PERM_KIND_INTEGER, 1, 1, 1, 1}};
  size_t t, k;
  for (t = 0; t < sizeof drawn / sizeof *drawn; t++) {
    perm_matrix matrix = t_generate_made(drawn[t].name, 11);
    double mean = 0, square = 0;
    int outside = 0;
    CHECK(matrix.m == 60 && matrix.n == 60 && matrix.nnz == 3600 && matrix.kind == drawn[t].kind);
    for (k = 0; k < matrix.nnz; k++) {
      double x = matrix.real[k], y = matrix.imaginary ? matrix.imaginary[k] : 0;
      outside += x < drawn[t].least || x > drawn[t].most || y < -7 || y > 7;
      mean += x / 3600;
      square += (x * x + y * y) / 3600;
    }
    CHECK(outside == 0);
    CHECK(fabs(mean - drawn[t].mean) < 0.08);
    CHECK(fabs(square - drawn[t].square) < 0.1 * drawn[t].square + 1e-12);
    perm_matrix_free(&matrix);
  }
}

TEST(t_generate_circular_has_modulus_one)
{
  perm_matrix matrix = t_generate_made("circular:40", 5);
  size_t k, quadrant[4] = {0, 0, 0, 0};
  for (k = 0; k < matrix.nnz; k++) {
    CHECK(fabs(matrix.real[k] * matrix.real[k] + matrix.imaginary[k] * matrix.imaginary[k] - 1) < 1e-15);
    quadrant[(matrix.real[k] > 0) + 2 * (matrix.imaginary[k] > 0)]++;
  }
  for (k = 0; k < 4; k++) CHECK(quadrant[k] > 320 && quadrant[k] < 480);
  perm_matrix_free(&matrix);
}

TEST(t_generate_unitary_is_unitary)
{
  perm_matrix matrix = t_generate_made("unitary:30", 9);
  double worst = 0;
  int i, j, k;
  CHECK(matrix.nnz == 900);
  for (i = 0; i < 30 && matrix.nnz == 900; i++)
    for (j = 0; j < 30; j++) {
      double x = i == j ? -1 : 0, y = 0; /* rows i and j */
      for (k = 0; k < 30; k++) {
        double a = matrix.real[30 * i + k], b = matrix.imaginary[30 * i + k];
        double c = matrix.real[30 * j + k], d = matrix.imaginary[30 * j + k];
        x += a * c + b * d;
        y += b * c - a * d;
      }
      if (fabs(x) + fabs(y) > worst) worst = fabs(x) + fabs(y);
    }
  CHECK(worst < 1e-14);
  perm_matrix_free(&matrix);
}

/* dft(j,k)^n = 1, exact where the angle is a multiple of a quarter turn, and opposite entries are exact negatives,
   mirrored ones exact conjugates. */
TEST(t_generate_dft_symmetries)
{
  perm_matrix matrix = t_generate_made("dft:12", 1);
  int j, k;
  CHECK(matrix.nnz == 144);
  for (j = 0; j < 12 && matrix.nnz == 144; j++)
    for (k = 0; k < 12; k++) {
      double x = matrix.real[12 * j + k], y = matrix.imaginary[12 * j + k], angle = -6.283185307179586477 * j * k / 12;
      CHECK(fabs(x - cos(angle)) + fabs(y - sin(angle)) < 1e-13);
      if (j * k % 3 == 0) CHECK((x == 0 || fabs(x) == 1) && (y == 0 || fabs(y) == 1));
      if (k) CHECK(x == matrix.real[12 * j + 12 - k] && y == -matrix.imaginary[12 * j + 12 - k]);
      if (k < 6 && j % 2)
        CHECK(x == -matrix.real[12 * j + k + 6] && y == -matrix.imaginary[12 * j + k + 6]);
    }
  perm_matrix_free(&matrix);
}

TEST(t_generate_er_binary_band)
{
  perm_matrix matrix = t_generate_made("er:50:0.2", 3);
  double real, imaginary;
  size_t k;
  int i;
  CHECK(matrix.nnz > 440 && matrix.nnz < 640 && matrix.kind == PERM_KIND_REAL);
  for (k = 0; k < matrix.nnz; k++) CHECK(matrix.real[k] > 0 && matrix.real[k] <= 1);
  perm_matrix_free(&matrix);
  for (i = 0; i < 20; i++) { /* nothing but the transversal: a permutation matrix */
    matrix = t_generate_made("er:9:0", (uint64_t)i);
    t_generate_expand(&matrix, 0, 0, &real, &imaginary);
    CHECK(matrix.nnz == 9 && real > 0);
    perm_matrix_free(&matrix);
  }
  CHECK(t_generate_is("er:9:1", 9, 81, PERM_KIND_REAL));
  CHECK(t_generate_is("binary:9:1.0", 9, 81, PERM_KIND_INTEGER));
  CHECK(t_generate_is("binary:9:0", 9, 0, PERM_KIND_INTEGER));
  matrix = t_generate_made("binary:50:.5", 3);
  CHECK(matrix.nnz > 1150 && matrix.nnz < 1350);
  for (k = 0; k < matrix.nnz; k++) CHECK(matrix.integer[k] == 1);
  perm_matrix_free(&matrix);
  CHECK(t_generate_is("band:10:0", 10, 10, PERM_KIND_REAL));
  CHECK(t_generate_is("band:10:2", 10, 44, PERM_KIND_REAL));
  CHECK(t_generate_is("band:10:99", 10, 100, PERM_KIND_REAL));
  matrix = t_generate_made("band:10:2", 3);
  for (i = 0; i < matrix.m; i++)
    for (k = matrix.row_start[i]; k < matrix.row_start[i + 1]; k++) CHECK(abs(i - matrix.column[k]) <= 2);
  perm_matrix_free(&matrix);
}

/* Every degree at n = 9, and a larger one: D ones in every row and column. */
TEST(t_generate_regular)
{
  char specification[32];
  int degree, i, column[60];
  size_t k;
  for (degree = 1; degree <= 10; degree++) {
    int n = degree < 10 ? 9 : 60;
    perm_matrix matrix;
    snprintf(specification, sizeof specification, "regular:%d:%d", n, degree);
    matrix = t_generate_made(specification, 77);
    memset(column, 0, sizeof column);
    CHECK(matrix.m == n && matrix.n == n && matrix.nnz == (size_t)n * (size_t)degree);
    for (i = 0; i < matrix.m; i++) CHECK(matrix.row_start[i + 1] - matrix.row_start[i] == (size_t)degree);
    for (k = 0; k < matrix.nnz; k++) {
      column[matrix.column[k]]++;
      CHECK(matrix.integer[k] == 1);
    }
    for (i = 0; i < matrix.n; i++) CHECK(column[i] == degree);
    perm_matrix_free(&matrix);
  }
}

/* Entries as counted by construction; what the blocks' couplings do not change; the tree's one transversal. */
TEST(t_generate_blocks_tree_arrow)
{
  perm_matrix matrix;
  double real, imaginary;
  int i;
  CHECK(t_generate_is("blocks:0:3:0.5", 0, 0, PERM_KIND_REAL));
  CHECK(t_generate_is("blocks:1:1:0", 1, 1, PERM_KIND_REAL));
  CHECK(t_generate_is("blocks:5:1:0", 5, 5 + 4 + 3, PERM_KIND_REAL));
  CHECK(t_generate_is("blocks:5:4:0", 20, 5 * 8 + 4 * 4 + 3 * 4, PERM_KIND_REAL));
  CHECK(t_generate_is("blocks:3:4:1", 12, 3 * 16 + 2 * 4 + 4, PERM_KIND_REAL));
  CHECK(t_generate_is("tree:0", 0, 0, PERM_KIND_INTEGER));
  CHECK(t_generate_is("tree:1000", 1000, 1999, PERM_KIND_INTEGER));
  for (i = 1; i < 15; i++) {
    char name[32];
    snprintf(name, sizeof name, "tree:%d", i);
    CHECK(t_generate_permanent(name) == 1);
  }
  CHECK(t_generate_is("arrow:9:0", 9, 9, PERM_KIND_REAL));
  CHECK(t_generate_is("arrow:9:2", 9, 7 + 2 * 7 + 2 * 9, PERM_KIND_REAL));
  CHECK(t_generate_is("arrow:9:9", 9, 81, PERM_KIND_REAL));
  matrix = t_generate_made("arrow:9:2", 1);
  t_generate_expand(&matrix, 0, 0, &real, &imaginary);
  CHECK(real > 0);
  perm_matrix_free(&matrix);
}

/* The generator is fixed for good; each random kind follows the seed and only the seed. */
TEST(t_generate_follows_the_seed)
{
  static const char *const random[] = {"uniform:8", "symmetric-uniform:8", "gauss:8", "complex-gauss:8",
                                       "circular:8", "bernoulli:8", "unitary:8", "er:8:0.5", "binary:8:0.5",
                                       "band:8:2", "regular:8:3", "blocks:3:4:0.3", "tree:20", "arrow:9:2"};
  generate_random state;
  perm_matrix a, b, c;
  size_t k;
  state.counter = 0;
  CHECK(generate_bits(&state) == UINT64_C(0xe220a8397b1dcdaf)); /* as published for SplitMix64 */
  CHECK(generate_bits(&state) == UINT64_C(0x6e789e6aa1b965f4));
  for (k = 0; k < sizeof random / sizeof *random; k++) {
    a = t_generate_made(random[k], 5);
    b = t_generate_made(random[k], 5);
    c = t_generate_made(random[k], UINT64_C(5) + (UINT64_C(1) << 40));
    CHECK(t_generate_same(&a, &b));
    CHECK(!t_generate_same(&a, &c));
    perm_matrix_free(&a);
    perm_matrix_free(&b);
    perm_matrix_free(&c);
  }
}

TEST(t_generate_refuses_bad_specifications)
{
  CHECK_TEXT(t_generate_refused("nonsense:4"), "cannot generate 'nonsense:4', expected a kind with numbers such as");
  CHECK_TEXT(t_generate_refused("nonsense-of-some-length\n:4:5:6"), "such as pyrene; perm --list generators");
  CHECK_TEXT(t_generate_refused(""), "cannot generate ''");
  CHECK_TEXT(t_generate_refused("benzene:3"), "cannot generate 'benzene:3'");
  CHECK_TEXT(t_generate_refused("ones"), "cannot generate 'ones', expected ones:N with integers");
  CHECK_TEXT(t_generate_refused("ones:"), "expected ones:N with integers");
  CHECK_TEXT(t_generate_refused("ones:4:5"), "expected ones:N with integers");
  CHECK_TEXT(t_generate_refused("ones:4 "), "expected ones:N with integers");
  CHECK_TEXT(t_generate_refused("ones:-4"), "expected ones:N with integers");
  CHECK_TEXT(t_generate_refused("ones:4.0"), "expected ones:N with integers");
  CHECK_TEXT(t_generate_refused("ones:99999999999999999999"), "expected ones:N with integers");
  CHECK_TEXT(t_generate_refused("ones:4097"), "expected ones:N with the first number in 0..4096");
  CHECK_TEXT(t_generate_refused("er:4"), "expected er:N:P with an integer and a decimal probability");
  CHECK_TEXT(t_generate_refused("er:4:1.5"), "expected a probability in 0..1");
  CHECK_TEXT(t_generate_refused("er:4:0.5x"), "expected er:N:P");
  CHECK_TEXT(t_generate_refused("band:4:1.5"), "expected band:N:K with integers");
  CHECK_TEXT(t_generate_refused("band:1000000:1000"), "expected at most 1e8 entries");
  CHECK_TEXT(t_generate_refused("grid:3:5"), "expected an even number of squares");
  CHECK_TEXT(t_generate_refused("grid:3000:3000"), "expected at most 4e6 squares");
  CHECK_TEXT(t_generate_refused("regular:4:5"), "expected a degree in 1..4");
  CHECK_TEXT(t_generate_refused("regular:4:0"), "expected a degree in 1..4");
  CHECK_TEXT(t_generate_refused("mycielskian:1"), "expected mycielskian:K with the first number in 2..16");
  CHECK_TEXT(t_generate_refused("blocks:4:5"), "expected blocks:COUNT:ORDER:P with two integers and a decimal");
  CHECK_TEXT(t_generate_refused("blocks:4:5:2"), "expected a probability in 0..1");
  CHECK_TEXT(t_generate_refused("blocks:4:5:0.5:6"), "expected blocks:COUNT:ORDER:P");
  CHECK_TEXT(t_generate_refused("blocks:4:0:0.5"), "expected blocks of order 1 or more, at most 1e6 rows");
  CHECK_TEXT(t_generate_refused("blocks:1000:1001:0"), "expected blocks of order 1 or more, at most 1e6 rows");
  CHECK_TEXT(t_generate_refused("tree:2000000"), "expected tree:N with the first number in 0..1000000");
  CHECK_TEXT(t_generate_refused("arrow:4:5"), "expected at most N hubs");
  CHECK_TEXT(t_generate_refused("hexagonal:0"), "expected hexagonal:K with the first number in 1..500");
}

typedef struct t_generate_memory { long calls, fail_at, live; } t_generate_memory;
static void *t_generate_allocate(size_t bytes, void *user_data)
{
  t_generate_memory *memory = (t_generate_memory *)user_data;
  if (++memory->calls == memory->fail_at) return NULL;
  memory->live++;
  return malloc(bytes);
}
static void t_generate_release(void *pointer, void *user_data)
{
  ((t_generate_memory *)user_data)->live -= pointer != NULL;
  free(pointer);
}

TEST(t_generate_survives_every_failing_allocation)
{
  static const char *const kinds[] = {"ones:9", "unitary:9", "er:20:0.5", "regular:20:3", "regular:20:17",
                                      "mycielskian:6", "grid:8:8", "coronene", "blocks:4:5:0.5", "tree:30",
                                      "arrow:20:3"};
  size_t k;
  for (k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    t_generate_memory memory;
    perm_options options;
    perm_matrix matrix;
    perm_result result;
    perm_status status = PERM_ERROR_MEMORY;
    memset(&memory, 0, sizeof memory);
    memset(&options, 0, sizeof options);
    options.allocator.allocate = t_generate_allocate;
    options.allocator.release = t_generate_release;
    options.allocator.user_data = &memory;
    for (memory.fail_at = 1; memory.fail_at < 100; memory.fail_at++) {
      memory.calls = 0;
      status = perm_generate(kinds[k], 1, &options, &matrix, &result);
      if (status == PERM_OK) break;
      CHECK(status == PERM_ERROR_MEMORY && result.status == status && !matrix.row_start && memory.live == 0);
    }
    CHECK(status == PERM_OK && memory.fail_at > 6);
    perm_matrix_free(&matrix);
    CHECK(memory.live == 0);
  }
}

static void *t_generate_slowly(size_t bytes, void *user_data)
{
  const clock_t start = clock();
  while (!*(int *)user_data && clock() - start < CLOCKS_PER_SEC / 10)
    ;
  *(int *)user_data = 1;
  return malloc(bytes);
}
static void t_generate_free(void *pointer, void *user_data)
{
  (void)user_data;
  free(pointer);
}

/* What generating took of max_seconds is not there again for the matrix. The list has fewer entries than one look. */
TEST(t_generate_ends_in_time)
{
  perm_options options;
  perm_matrix matrix;
  const double units = test_watch_units;
  int later = 0;
  memset(&options, 0, sizeof options);
  options.allocator.allocate = t_generate_slowly;
  options.allocator.release = t_generate_free;
  options.allocator.user_data = &later;
  options.max_seconds = 0.05;
  test_watch_units = 0;
  CHECK(perm_generate("uniform:250", 1, &options, &matrix, NULL) == PERM_STOPPED_TIME && !matrix.row_start);
  CHECK(perm_generate("uniform:250", 1, NULL, &matrix, NULL) == PERM_OK && matrix.nnz == 62500);
  test_watch_units = units;
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
