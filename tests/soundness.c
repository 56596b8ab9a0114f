/* Is `error_bound` what it says? Random matrices of many kinds against the permanent without any rounding (oracle.h),
   by every engine, precision and instruction set that gives a finite bound. No result may be further from the permanent
   than its bound; results with error 0 must be the permanent itself.

   Run:  build/soundness [MATRICES [SEED [PROCESSES]]]   default 20000 1 1; a Markdown table, and what was violated,
   with the matrix. Processes take equal parts, with seeds SEED, SEED + 1, ...
   The closing line is `N passed, N failed, N skipped`: matrices without and with a violation. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <unistd.h>
#include "perm_sparse.h"
#include "test.h"
#include "oracle.h"

enum { MOST = 10, ENTRIES = 2 * MOST * MOST, TOTAL = 12, BINS = 2048 };

/* Results of one engine, precision and instruction set: bound / true error as a histogram of eighths of octaves. */
typedef struct soundness_row {
  perm_method method;
  perm_precision precision;
  perm_isa isa;
  long results, exact, unbounded, above, violations, short_estimates; /* above: with an error to divide by */
  long bin[BINS];
  double least;
} soundness_row;

static struct { soundness_row table[512]; int count; } rows;
static long results, bad_matrices;

static soundness_row *row_of(const perm_result *r)
{
  int k;
  for (k = 0; k < rows.count; k++)
    if (rows.table[k].method == r->method && rows.table[k].precision == r->precision && rows.table[k].isa == r->isa)
      return &rows.table[k];
  if (rows.count == 512)
    abort();
  memset(&rows.table[k], 0, sizeof rows.table[k]);
  rows.table[k].method = r->method;
  rows.table[k].precision = r->precision;
  rows.table[k].isa = r->isa;
  rows.table[k].least = HUGE_VAL;
  rows.count++;
  return &rows.table[k];
}

typedef struct problem {
  const char *kind;
  int m, n, parts, repeated;
  double a[ENTRIES];
  int row_counts[MOST], column_counts[MOST];
  oracle_exact exact;
  int bad;
} problem;

static void show(const problem *p, const perm_result *r, double distance)
{
  int i;
  printf("VIOLATION %s, %d x %d, %d part(s): method %s, precision %s, isa %s: (%.17g, %.17g) 2^%lld, error %.17g, "
         "true %.17g\n  entries:",
         p->kind, p->m, p->n, p->parts, perm_method_name(r->method), perm_precision_name(r->precision),
         perm_isa_name(r->isa), r->value, r->imaginary, r->exp2, r->error_bound, distance);
  for (i = 0; i < p->m * p->n * p->parts; i++)
    printf(" %a", p->a[i]);
  if (p->repeated)
    for (i = 0; i < p->m + p->n; i++)
      printf(" %s%d", i == 0 ? "rows " : i == p->m ? "columns " : "",
             i < p->m ? p->row_counts[i] : p->column_counts[i - p->m]);
  printf("\n");
}

/* A finished result against the permanent. */
static void judge(problem *p, const perm_result *r)
{
  soundness_row *to;
  double distance, ratio;
  if (r->status != PERM_OK && r->status != PERM_TOLERANCE_NOT_MET)
    return; /* refused */
  results++;
  to = row_of(r);
  to->results++;
  distance = oracle_exact_distance(&p->exact, r->value, r->imaginary, r->exp2);
  if (r->exact) { /* value is then a rounding of what is judged */
    if (!oracle_exact_is(&p->exact, 0, r->integer.negative, r->integer.words, r->integer.word, 0) ||
        (p->parts == 2 && !oracle_exact_is(&p->exact, 1, r->imaginary_integer.negative, r->imaginary_integer.words,
                                           r->imaginary_integer.word, 0))) {
      to->violations++;
      p->bad = 1;
      show(p, r, distance);
    }
    to->exact++;
    return;
  }
  to->short_estimates += distance > r->error_estimate;
  if (r->error_bound == HUGE_VAL) {
    to->unbounded++;
    return;
  }
  to->exact += r->error_bound == 0;
  if (!(distance <= r->error_bound * (1 + 4 * DBL_EPSILON))) { /* the distance is right to about 1e-15 */
    to->violations++;
    p->bad = 1;
    show(p, r, distance);
  }
  if (distance > 0 && r->error_bound > 0) {
    int bin;
    ratio = r->error_bound / distance;
    to->least = ratio < to->least ? ratio : to->least;
    bin = (int)floor(8 * log2(ratio)) + 8;
    to->bin[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin]++;
    to->above++;
  }
}

/* -- matrices ---------------------------------------------------------------------------------- */

static double sign(void) { return test_below(2) ? 1 : -1; }
static double entry(void) { return sign() * (test_uniform() + ldexp(1, -53)); }

typedef enum shape {
  UNIFORM, POSITIVE, SIGNS, ZERO_ONE, INTEGERS, LARGE_INTEGERS, GRADED, GRADED_LINES, POWERS, CANCELLING, RANK_ONE,
  SPARSE, BAND, EQUAL_ROWS, EQUAL_COLUMNS, SUBNORMAL, HUGE_ENTRIES, EDGES, TERNARY, NEAR_SINGULAR,
  BOARD, NESTED, ALL_BUT_FEW, LOW_RANK, SHAPES
} shape;
static const char *const shape_name[SHAPES] = {
    "uniform", "positive", "signs", "0/1", "integers", "integers to 2^53", "graded", "graded lines", "powers of 2",
    "cancelling rows", "rank one", "sparse", "band", "equal rows", "equal columns", "subnormal", "huge",
    "extremes mixed",     "ternary", "2 x 2 blocks of permanent about 0", "board",
    "nested", "all but few", "rank 2 to 4"};

/* Black square i and white square j of a board of so many columns, an even number, are neighbours. */
static int are_neighbours(int i, int j, int columns)
{
  const int y = 2 * i / columns, z = 2 * j / columns;
  return abs(y - z) + abs(2 * (i % (columns / 2)) + y % 2 - 2 * (j % (columns / 2)) - (z + 1) % 2) == 1;
}

static void make(problem *p, shape kind)
{
  double u[MOST], v[MOST];
  int up[MOST], across[MOST], i, j, k;
  const int wide = kind == GRADED_LINES ? 400 : 30, n = p->n, few = test_below(3), columns = 4 + 2 * test_below(2);
  const int whole = test_below(2), rank = 2 + test_below(3);
  for (i = 0; i < MOST; i++) {
    u[i] = entry();
    v[i] = entry();
    up[i] = test_below(2 * wide) - wide;
    across[i] = test_below(2 * wide) - wide;
  }
  for (i = 0; i < p->m; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < p->parts; k++) {
        double *at = &p->a[(i * n + j) * p->parts + k], x = entry();
        switch (kind) {
        case UNIFORM: *at = x; break;
        case POSITIVE: *at = fabs(x); break;
        case SIGNS: *at = sign(); break;
        case ZERO_ONE: *at = test_below(2); break;
        case INTEGERS: *at = test_below(199) - 99; break;
        case LARGE_INTEGERS: *at = sign() * (double)(test_random() >> 11); break;
        case GRADED: *at = ldexp(x, test_below(601) - 300); break;
        case GRADED_LINES: *at = ldexp(x, up[i] + across[j]); break;
        case POWERS: *at = sign() * ldexp(1, test_below(60) - 30); break;
        case CANCELLING: /* rows in pairs: (x, y, ..), (x, -y, ..), nearly */
          *at = i & 1 ? p->a[((i - 1) * n + j) * p->parts + k] * (j & 1 ? -1 : 1) * (1 + ldexp(test_below(5), -52)) : x;
          break;
        case RANK_ONE: *at = u[i] * v[j] + ldexp(x, -45); break;
        case SPARSE: *at = test_below(10) < 4 || i == j ? x : 0; break;
        case BAND: *at = abs(i - j) <= 2 ? x : 0; break;
        case EQUAL_ROWS: *at = i >= 2 && i % 2 ? p->a[((i - 2) * n + j) * p->parts + k] : x; break;
        case EQUAL_COLUMNS: *at = j >= 2 && j % 2 ? p->a[(i * n + j - 2) * p->parts + k] : x; break;
        case SUBNORMAL: *at = ldexp((double)(test_below(4001) - 2000), -1074); break;
        case HUGE_ENTRIES: *at = x * DBL_MAX; break;
        case EDGES: *at = test_below(3) ? x : ldexp(x, test_below(2) ? 1020 : -1040); break;
        case TERNARY: *at = test_below(3) - 1; break;
        case BOARD: /* planar */
          *at = are_neighbours(i, j, columns) ? (whole ? sign() * (1 + test_below(few + 1)) : x) : 0;
          break;
        case NESTED: /* classes: proportional where they are */
          *at = j < 1 + (i * 7 + few) % n ? (whole ? 1 + i % 3 : u[i] * ldexp(1, j % 3)) : 0;
          break;
        case ALL_BUT_FEW: *at = (i * (few + 1) - j) % n == 0 || test_below(12) == 0 ? x : whole ? 1 : u[i]; break;
        case LOW_RANK: /* whole numbers over powers of 2 */
          *at = (i + 1) * (whole ? 1 : 0.125) + (rank > 2 ? i * i * (j - 3) : j) + (rank > 3 ? (i % 3) * (j % 2) : 0);
          break;
        default: /* a d + b c about 0 in every diagonal block, little elsewhere */
          *at = i / 2 != j / 2 ? ldexp(x, -50) : i & 1 ? (j & 1 ? -1 : 1) * (j & 1 ? v[i / 2] : u[i / 2])
                                               : (j & 1 ? v[i / 2] : u[i / 2]) * (1 + ldexp(test_below(3), -52));
        }
      }
  p->kind = shape_name[kind];
}

/* The permanent by expansion, rows and columns as often as they stand there. 0: too much work. */
static int expand(problem *p)
{
  oracle_entry e[2 * TOTAL * TOTAL];
  int of_row[TOTAL], of_column[TOTAL], m = 0, n = 0, i, j, k;
  for (i = 0; i < p->m; i++)
    for (k = p->repeated ? p->row_counts[i] : 1; k > 0; k--)
      of_row[m++] = i;
  for (j = 0; j < p->n; j++)
    for (k = p->repeated ? p->column_counts[j] : 1; k > 0; k--)
      of_column[n++] = j;
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < p->parts; k++)
        e[(m <= n ? i * n + j : j * m + i) * p->parts + k] =
            oracle_double(p->a[(of_row[i] * p->n + of_column[j]) * p->parts + k]);
  p->exact = oracle_exact_entries(p->parts, m < n ? m : n, m < n ? n : m, e, 1.5e5);
  return p->exact.words > 0;
}

/* -- ways to ask -------------------------------------------------------------------------------- */

static perm_options any_options(perm_method method)
{
  static const perm_precision precision[4] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_FAST, PERM_PRECISION_ACCURATE,
                                              PERM_PRECISION_DD};
  static const perm_isa isa[4] = {PERM_ISA_AUTO, PERM_ISA_PLAIN, PERM_ISA_AVX2, PERM_ISA_AUTO};
  perm_options options;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.precision = precision[test_below(4)];
  options.isa = isa[test_below(4)];
  options.certify = test_below(2);
  options.threads = 1;
  options.tolerance = test_below(4) ? 1 : 0; /* mostly no rerun: the precision asked for is the one judged */
  return options;
}

/* Rook numbers of integers against sums over sets of columns. */
static void ask_rook(problem *p, const perm_matrix *matrix)
{
  static oracle_int board[1 << MOST];
  perm_integer numbers[MOST + 1];
  oracle_int sum;
  perm_options options = any_options(test_below(3) ? PERM_METHOD_AUTO
                                     : test_below(2) ? PERM_METHOD_FRONTIER : PERM_METHOD_EXACT);
  perm_result r;
  const int most = p->m < p->n ? p->m : p->n;
  int i, j, set, k;
  options.precision = PERM_PRECISION_DEFAULT;
  for (i = 0; i < p->m * p->n; i++)
    if (fabs(p->a[i]) > 1000)
      return; /* beyond 128 bits */
  if (perm_rook_numbers(matrix, &options, numbers, &r) != PERM_OK)
    return;
  results++;
  memset(board, 0, sizeof board);
  board[0] = 1;
  for (i = 0; i < p->m; i++)
    for (set = (1 << p->n) - 1; set > 0; set--)
      for (j = 0; j < p->n; j++)
        if (set >> j & 1)
          board[set] += board[set & ~(1 << j)] * (int)p->a[i * p->n + j];
  for (k = 0; k <= most; k++) {
    for (sum = 0, set = 0; set < 1 << p->n; set++)
      if (__builtin_popcount((unsigned)set) == k)
        sum += board[set];
    if (sum < 0 ? !numbers[k].negative : numbers[k].negative)
      sum = 0, p->bad = 1;
    sum = sum < 0 ? -sum : sum;
    for (i = 0; i < numbers[k].words; i++)
      p->bad |= i > 1 ? numbers[k].word[i] != 0 : numbers[k].word[i] != (uint64_t)(sum >> 64 * i);
    p->bad |= (numbers[k].words < 2 && sum >> 64 * numbers[k].words != 0);
  }
  if (p->bad)
    show(p, &r, NAN);
}

static void ask(problem *p)
{
  static const perm_method square[] = {PERM_METHOD_AUTO,    PERM_METHOD_AUTO,      PERM_METHOD_DENSE,
                                       PERM_METHOD_DENSE,   PERM_METHOD_EXPANSION, PERM_METHOD_SUBSETS,
                                       PERM_METHOD_REPEATS, PERM_METHOD_GLYNN,     PERM_METHOD_RYSER};
  static const perm_method other[] = {PERM_METHOD_AUTO,     PERM_METHOD_SUBSETS, PERM_METHOD_SHORT,
                                      PERM_METHOD_PADDED,   PERM_METHOD_REPEATS, PERM_METHOD_RYSER,
                                      PERM_METHOD_EXPANSION};
  static const perm_method sparse[] = {PERM_METHOD_AUTO,      PERM_METHOD_FRONTIER,     PERM_METHOD_LISTS,
                                       PERM_METHOD_SORTING,   PERM_METHOD_ARRAYS,       PERM_METHOD_TREE,
                                       PERM_METHOD_BAND,      PERM_METHOD_DOMINATING,   PERM_METHOD_SPARYSER,
                                       PERM_METHOD_DECOMPOSE, PERM_METHOD_TRANSVERSALS, PERM_METHOD_DENSE,
                                       PERM_METHOD_HYBRID,    PERM_METHOD_CACHED,       PERM_METHOD_CLASSES,
                                       PERM_METHOD_CLASSES,   PERM_METHOD_PLANAR,       PERM_METHOD_PLANAR,
                                       PERM_METHOD_LOW_RANK,  PERM_METHOD_SIGNS,        PERM_METHOD_SIGNS};
  const int *const of_rows = p->repeated ? p->row_counts : NULL;
  const int *const of_columns = p->repeated ? p->column_counts : NULL;
  perm_result r;
  perm_options options;
  int k;
  for (k = 0; k < 2; k++) {
    options = any_options(p->m == p->n && !p->repeated ? square[test_below((int)(sizeof square / sizeof *square))]
                                                       : other[test_below((int)(sizeof other / sizeof *other))]);
    if (p->parts == 1)
      perm_compute_repeated_real(p->m, p->n, p->a, p->n, of_rows, of_columns, &options, &r);
    else
      perm_compute_repeated_complex(p->m, p->n, p->a, p->n, of_rows, of_columns, &options, &r);
    judge(p, &r);
  }
  if (!p->repeated) {
    perm_matrix matrix;
    int row[ENTRIES], column[ENTRIES], used = 0, whole = p->parts == 1 && test_below(4), i;
    int64_t integer[ENTRIES];
    double part[2][ENTRIES];
    options = any_options(PERM_METHOD_AUTO);
    if (p->parts == 1)
      perm_compute_real(p->m, p->n, p->a, p->n, &options, &r);
    else
      perm_compute_complex(p->m, p->n, p->a, p->n, &options, &r);
    judge(p, &r);
    for (i = 0; i < p->m * p->n; i++, used++) {
      row[used] = i / p->n;
      column[used] = i % p->n;
      part[0][used] = p->a[i * p->parts];
      part[1][used] = p->parts == 2 ? p->a[2 * i + 1] : 0;
      whole = whole && fabs(part[0][used]) < 0x1p53 && part[0][used] == nearbyint(part[0][used]);
      integer[used] = whole ? (int64_t)part[0][used] : 0;
    }
    if (perm_matrix_from_triplets(p->m, p->n, (size_t)used, row, column, part[0], part[1], integer,
                                  whole ? PERM_KIND_INTEGER : p->parts == 1 ? PERM_KIND_REAL : PERM_KIND_COMPLEX, NULL,
                                  &matrix, NULL) != PERM_OK)
      abort();
    if (whole)
      ask_rook(p, &matrix);
    for (k = 0; k < 2; k++) {
      options = any_options(sparse[test_below((int)(sizeof sparse / sizeof *sparse))]);
      options.plan_effort = 0.01;
      if (whole && test_below(2))
        options.precision = PERM_PRECISION_DEFAULT; /* exact */
      perm_compute_sparse(&matrix, &options, &r);
      judge(p, &r);
    }
    perm_matrix_free(&matrix);
  }
}

/* u v of few bits, so that the product's entries are doubles. */
static void ask_low_rank(problem *p)
{
  double u[2 * MOST * 3], v[2 * MOST * 3];
  const int n = p->n, rank = 1 + test_below(n < 3 ? n : 3);
  perm_options options = any_options(test_below(2) ? PERM_METHOD_AUTO : PERM_METHOD_LOW_RANK);
  perm_result r;
  int i, j, k;
  for (i = 0; i < n * rank * p->parts; i++) {
    u[i] = ldexp(test_below(2001) - 1000, -5);
    v[i] = ldexp(test_below(2001) - 1000, -9);
  }
  memset(p->a, 0, sizeof p->a);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < rank; k++) {
        const double *x = &u[(i * rank + k) * p->parts], *y = &v[(k * n + j) * p->parts];
        double *at = &p->a[(i * n + j) * p->parts];
        at[0] += x[0] * y[0] - (p->parts == 2 ? x[1] * y[1] : 0);
        if (p->parts == 2)
          at[1] += x[0] * y[1] + x[1] * y[0];
      }
  p->kind = "low rank";
  if (!expand(p))
    return;
  if (p->parts == 1)
    perm_compute_low_rank_real(n, rank, u, rank, v, n, &options, &r);
  else
    perm_compute_low_rank_complex(n, rank, u, rank, v, n, &options, &r);
  judge(p, &r);
}

static void one_matrix(void)
{
  static problem p;
  const int kind = test_below(SHAPES + 1), extreme = kind == GRADED || kind == GRADED_LINES || kind == EDGES;
  int i, total;
  memset(&p, 0, sizeof p);
  p.parts = 1 + test_below(2);
  p.n = p.m = 1 + test_below(extreme ? 5 : p.parts == 2 ? 7 : test_below(10) ? 8 : MOST);
  if (kind == SHAPES) {
    ask_low_rank(&p);
  } else {
    if (test_below(5) == 0)
      p.m = 1 + test_below(p.n);
    if (test_below(8) == 0)
      i = p.m, p.m = p.n, p.n = i;
    make(&p, (shape)kind);
    if (test_below(6) == 0) { /* some lines several times, some not at all */
      p.repeated = 1;
      total = 1 + test_below(extreme ? 5 : 8);
      for (i = 0; i < total; i++) {
        p.row_counts[test_below(p.m)]++;
        p.column_counts[test_below(p.n)]++;
      }
    }
    if (expand(&p))
      ask(&p);
  }
  bad_matrices += p.bad;
  if (p.exact.words)
    oracle_exact_free(&p.exact);
}

static int by_name(const void *x, const void *y)
{
  const soundness_row *a = (const soundness_row *)x, *b = (const soundness_row *)y;
  int by = a->method != b->method ? (int)a->method - (int)b->method
           : a->precision != b->precision ? (int)a->precision - (int)b->precision : (int)a->isa - (int)b->isa;
  return by;
}

/* The lower end of the eighth of an octave in which the middle ratio lies. */
static double median(const soundness_row *of)
{
  long seen = 0;
  int bin;
  for (bin = 0; bin < BINS; bin++)
    if ((seen += of->bin[bin]) * 2 >= of->above)
      break;
  return exp2((bin - 8) / 8.0);
}

static double core_seconds(void)
{
  struct tms used;
  times(&used);
  return (double)(used.tms_utime + used.tms_stime + used.tms_cutime + used.tms_cstime) / (double)sysconf(_SC_CLK_TCK);
}

/* What a process has found, to be added up. */
static void add_up(int descriptor)
{
  struct { long results, bad; int count; } head;
  soundness_row one, *to;
  perm_result key;
  int k, bin;
  FILE *from = fdopen(descriptor, "rb");
  if (!from || fread(&head, sizeof head, 1, from) != 1) {
    printf("FAIL a process ended early\n");
    bad_matrices++;
    return;
  }
  results += head.results;
  bad_matrices += head.bad;
  for (k = 0; k < head.count && fread(&one, sizeof one, 1, from) == 1; k++) {
    key.method = one.method;
    key.precision = one.precision;
    key.isa = one.isa;
    to = row_of(&key);
    to->results += one.results;
    to->exact += one.exact;
    to->unbounded += one.unbounded;
    to->above += one.above;
    to->violations += one.violations;
    to->short_estimates += one.short_estimates;
    to->least = one.least < to->least ? one.least : to->least;
    for (bin = 0; bin < BINS; bin++)
      to->bin[bin] += one.bin[bin];
  }
  fclose(from);
}

/* The share of one process, sent through the pipe. */
static void share(long matrices, uint64_t seed, int descriptor)
{
  struct { long results, bad; int count; } head;
  FILE *to = fdopen(descriptor, "wb");
  test_seed(seed);
  for (; matrices > 0; matrices--)
    one_matrix();
  memset(&head, 0, sizeof head);
  head.results = results;
  head.bad = bad_matrices;
  head.count = rows.count;
  if (!to || fwrite(&head, sizeof head, 1, to) != 1 ||
      fwrite(rows.table, sizeof *rows.table, (size_t)rows.count, to) != (size_t)rows.count || fclose(to))
    exit(1);
  exit(0);
}

int main(int argc, char **argv)
{
  const long matrices = argc > 1 ? strtol(argv[1], NULL, 10) : 20000;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  const int processes = argc > 3 ? atoi(argv[3]) : 1;
  const double start = test_seconds();
  int ends[256][2], p;
  long k, exact = 0, bounded = 0, violations = 0;
  if (processes < 1 || processes > 256)
    return 2;
  for (p = 0; p < processes; p++) {
    if (pipe(ends[p]))
      return 2;
    fflush(stdout);
    if (fork() == 0) {
      close(ends[p][0]);
      share(matrices / processes + (p < matrices % processes), seed + (uint64_t)p, ends[p][1]);
    }
    close(ends[p][1]);
  }
  for (p = 0; p < processes; p++)
    add_up(ends[p][0]);
  while (wait(NULL) > 0)
    ;
  qsort(rows.table, (size_t)rows.count, sizeof *rows.table, by_name);
  printf("| engine | precision | kernels | results | with error 0 | with a bound | bound / true error: least | "
         "median | violations | estimate below the true error |\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|\n");
  for (k = 0; k < rows.count; k++) {
    const soundness_row *of = &rows.table[k];
    printf("| %s | %s | %s | %ld | %ld | %ld | ", perm_method_name(of->method), perm_precision_name(of->precision),
           perm_isa_name(of->isa), of->results, of->exact, of->results - of->exact - of->unbounded);
    if (of->above)
      printf("%.3g | %.2g | ", of->least, median(of));
    else
      printf("- | - | ");
    printf("%ld | %.2g %% |\n", of->violations, 100.0 * (double)of->short_estimates / (double)of->results);
    exact += of->exact;
    bounded += of->results - of->exact - of->unbounded;
    violations += of->violations;
  }
  printf("\n%ld matrices, %ld results: %ld with error 0, %ld with a bound above 0; %ld violations; %.0f s, "
         "%.0f s of one core\n", matrices, results, exact, bounded, violations, test_seconds() - start, core_seconds());
  if (bounded < matrices) { /* nothing passes by doing nothing */
    printf("FAIL too few bounds\n");
    bad_matrices++;
  }
  printf("%ld passed, %ld failed, 0 skipped\n", matrices - bad_matrices, bad_matrices);
  return bad_matrices != 0;
}
/* SPDX-License-Identifier: MIT */
