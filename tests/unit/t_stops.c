/* >>control, >>memory, >>choose, >>cauchy, >>read, >>market, >>plain_text, >>graph, >>matrix */
/* Every kind of run, with every allocation failing once and with a stop at every look at the limits: a clean status,
   nothing leaks, and the same call afterwards gives what it gave before. Loops that are watched look at each step here,
   not at every so many: what is stopped between two looks of a long run is stopped here in a short one. */

static struct { long looks, at; double by; } stop_fault; /* stops at the look `at` and all after it, or by a time */

static int test_stop_fault(void)
{
  const long look = __atomic_add_fetch(&stop_fault.looks, 1, __ATOMIC_RELAXED);
  return (stop_fault.at && look >= stop_fault.at) || (stop_fault.by > 0 && test_seconds() >= stop_fault.by);
}

typedef enum stop_call {
  STOP_COMPUTE, STOP_JOB, STOP_REPORT, STOP_SPY, STOP_ROOK, STOP_POLYNOMIAL, STOP_SAMPLE, STOP_DERIVE, STOP_WRITE,
  STOP_DENSE,
  STOP_MINORS, STOP_GRADIENT, STOP_MARGINALS, STOP_ESTIMATE, STOP_REPEATED, STOP_LOW_RANK, STOP_CAUCHY, STOP_READ,
  STOP_FRACTIONS
} stop_call;

enum { STOP_AS_MADE, STOP_REAL, STOP_COMPLEX, STOP_INTEGER, STOP_GAUSSIAN }; /* values */
enum {
  STOP_CERTIFY = 1, STOP_MODULUS = 2, STOP_TOLERANCE = 4, STOP_THREADS = 8, STOP_PROVE = 16, STOP_FILE = 32,
  STOP_LIMITS = 64
};

typedef struct stop_case {
  const char *matrix; /* of perm_generate; to be read: the text */
  stop_call call;
  perm_method method;
  perm_precision precision;
  int values, more;
} stop_case;

#define AUTO PERM_METHOD_AUTO
#define DEFAULT PERM_PRECISION_DEFAULT
#define EXACT PERM_PRECISION_EXACT
static const stop_case stop_cases[] = {
    {"er:12:0.4", STOP_COMPUTE, AUTO, DEFAULT, STOP_REAL, 0},
    {"er:12:0.4", STOP_COMPUTE, AUTO, PERM_PRECISION_DD, STOP_COMPLEX, STOP_CERTIFY},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_FRONTIER, DEFAULT, STOP_REAL, 0},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_FRONTIER, EXACT, STOP_GAUSSIAN, 0},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_FRONTIER, EXACT, STOP_INTEGER, STOP_MODULUS},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_LISTS, DEFAULT, STOP_COMPLEX, 0},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_LISTS, EXACT, STOP_INTEGER, STOP_THREADS},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_SORTING, DEFAULT, STOP_REAL, STOP_THREADS},
    {"er:12:0.3", STOP_COMPUTE, PERM_METHOD_SORTING, EXACT, STOP_INTEGER, 0},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_ARRAYS, DEFAULT, STOP_REAL, STOP_THREADS},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_ARRAYS, PERM_PRECISION_DD, STOP_COMPLEX, 0},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_ARRAYS, EXACT, STOP_INTEGER, 0},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_ARRAYS, EXACT, STOP_GAUSSIAN, 0},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_ARRAYS, EXACT, STOP_INTEGER, STOP_MODULUS},
    {"er:14:0.2", STOP_COMPUTE, PERM_METHOD_TREE, DEFAULT, STOP_REAL, STOP_THREADS},
    {"er:14:0.2", STOP_COMPUTE, PERM_METHOD_TREE, EXACT, STOP_GAUSSIAN, 0},
    {"band:24:3", STOP_COMPUTE, PERM_METHOD_BAND, DEFAULT, STOP_REAL, STOP_THREADS},
    {"band:24:3", STOP_COMPUTE, PERM_METHOD_BAND, EXACT, STOP_INTEGER, 0},
    {"band:24:3", STOP_COMPUTE, PERM_METHOD_BAND, EXACT, STOP_GAUSSIAN, STOP_MODULUS},
    {"er:12:0.3", STOP_COMPUTE, PERM_METHOD_HYBRID, DEFAULT, STOP_REAL, STOP_CERTIFY},
    {"er:12:0.3", STOP_COMPUTE, PERM_METHOD_HYBRID, DEFAULT, STOP_COMPLEX, STOP_THREADS},
    {"er:12:0.3", STOP_COMPUTE, PERM_METHOD_HYBRID, EXACT, STOP_INTEGER, 0},
    {"er:12:0.3", STOP_COMPUTE, PERM_METHOD_HYBRID, EXACT, STOP_GAUSSIAN, 0},
    {"er:12:0.3", STOP_COMPUTE, PERM_METHOD_HYBRID, DEFAULT, STOP_COMPLEX, STOP_CERTIFY},
    {"er:12:0.3", STOP_COMPUTE, PERM_METHOD_SPARYSER, DEFAULT, STOP_REAL, 0},
    {"er:12:0.3", STOP_COMPUTE, PERM_METHOD_SPARYSER, EXACT, STOP_INTEGER, 0},
    {"er:12:0.3", STOP_COMPUTE, PERM_METHOD_DOMINATING, DEFAULT, STOP_COMPLEX, 0},
    {"er:14:0.25", STOP_COMPUTE, PERM_METHOD_DECOMPOSE, DEFAULT, STOP_REAL, 0},
    {"er:14:0.25", STOP_COMPUTE, PERM_METHOD_DECOMPOSE, EXACT, STOP_GAUSSIAN, 0},
    {"er:14:0.25", STOP_COMPUTE, PERM_METHOD_DECOMPOSE, EXACT, STOP_INTEGER, STOP_MODULUS},
    {"er:12:0.25", STOP_COMPUTE, PERM_METHOD_TRANSVERSALS, DEFAULT, STOP_COMPLEX, 0},
    {"er:12:0.25", STOP_COMPUTE, PERM_METHOD_TRANSVERSALS, EXACT, STOP_INTEGER, STOP_THREADS},
    {"nested:12", STOP_COMPUTE, PERM_METHOD_TWINS, DEFAULT, STOP_AS_MADE, 0},
    {"er:12:0.3", STOP_COMPUTE, PERM_METHOD_TWINS, EXACT, STOP_GAUSSIAN, 0},
    {"er:12:0.3", STOP_COMPUTE, PERM_METHOD_TWINS, DEFAULT, STOP_REAL, 0},
    {"grid:6:6", STOP_COMPUTE, PERM_METHOD_PLANAR, DEFAULT, STOP_REAL, STOP_THREADS},
    {"grid:6:6", STOP_COMPUTE, PERM_METHOD_PLANAR, DEFAULT, STOP_COMPLEX, STOP_CERTIFY},
    {"grid:6:6", STOP_COMPUTE, PERM_METHOD_PLANAR, EXACT, STOP_INTEGER, 0},
    {"grid:6:6", STOP_COMPUTE, PERM_METHOD_PLANAR, EXACT, STOP_GAUSSIAN, STOP_THREADS},
    {"grid:6:6", STOP_COMPUTE, PERM_METHOD_PLANAR, EXACT, STOP_INTEGER, STOP_MODULUS},
    {"regular:14:4", STOP_COMPUTE, PERM_METHOD_SIGN_SEARCH, EXACT, STOP_AS_MADE, 0},
    {"bernoulli:10", STOP_COMPUTE, PERM_METHOD_SIGN_SEARCH, EXACT, STOP_AS_MADE, STOP_THREADS},
    {"er:12:0.3", STOP_COMPUTE, AUTO, EXACT, STOP_INTEGER, STOP_PROVE},
    {"blocks:3:6:0.3", STOP_COMPUTE, AUTO, DEFAULT, STOP_REAL, STOP_TOLERANCE},
    {"blocks:3:6:0.3", STOP_COMPUTE, AUTO, EXACT, STOP_INTEGER, STOP_FILE},
    {"gauss:14", STOP_COMPUTE, AUTO, DEFAULT, STOP_REAL, STOP_FILE}, /* the precision is raised, and planned for that */
    {"gauss:13", STOP_COMPUTE, PERM_METHOD_FRONTIER, DEFAULT, STOP_REAL, STOP_FILE},
    {"gauss:14", STOP_DENSE, AUTO, DEFAULT, STOP_REAL, STOP_FILE},
    {"hexagonal:3", STOP_COMPUTE, AUTO, DEFAULT, STOP_AS_MADE, 0},
    {"menage:16", STOP_COMPUTE, AUTO, DEFAULT, STOP_AS_MADE, 0},
    {"ones:12", STOP_COMPUTE, AUTO, DEFAULT, STOP_AS_MADE, 0},
    {"arrow:30:3", STOP_COMPUTE, AUTO, DEFAULT, STOP_COMPLEX, 0},
    {"er:14:0.3", STOP_JOB, PERM_METHOD_FRONTIER, DEFAULT, STOP_REAL, 0},
    {"er:14:0.3", STOP_JOB, PERM_METHOD_TREE, EXACT, STOP_GAUSSIAN, 0},
    {"er:14:0.3", STOP_JOB, PERM_METHOD_HYBRID, DEFAULT, STOP_COMPLEX, 0},
    {"grid:6:6", STOP_JOB, PERM_METHOD_PLANAR, DEFAULT, STOP_COMPLEX, 0},
    {"er:14:0.3", STOP_JOB, PERM_METHOD_TWINS, DEFAULT, STOP_REAL, 0},
    {"er:12:0.3", STOP_JOB, PERM_METHOD_LISTS, DEFAULT, STOP_REAL, STOP_LIMITS},
    {"er:12:0.3", STOP_JOB, PERM_METHOD_SORTING, EXACT, STOP_INTEGER, STOP_LIMITS},
    {"er:12:0.3", STOP_JOB, PERM_METHOD_ARRAYS, DEFAULT, STOP_COMPLEX, STOP_LIMITS},
    {"er:12:0.3", STOP_JOB, PERM_METHOD_ARRAYS, EXACT, STOP_INTEGER, STOP_LIMITS},
    {"er:12:0.3", STOP_JOB, PERM_METHOD_BAND, DEFAULT, STOP_COMPLEX, STOP_LIMITS},
    {"er:12:0.3", STOP_JOB, PERM_METHOD_BAND, EXACT, STOP_INTEGER, STOP_LIMITS},
    {"er:12:0.3", STOP_JOB, PERM_METHOD_SPARYSER, DEFAULT, STOP_COMPLEX, STOP_LIMITS},
    {"er:12:0.3", STOP_JOB, PERM_METHOD_DOMINATING, DEFAULT, STOP_REAL, STOP_LIMITS},
    {"er:12:0.3", STOP_JOB, PERM_METHOD_DECOMPOSE, DEFAULT, STOP_REAL, STOP_LIMITS},
    {"er:12:0.3", STOP_JOB, PERM_METHOD_TRANSVERSALS, DEFAULT, STOP_REAL, STOP_LIMITS},
    {"er:12:0.3", STOP_JOB, PERM_METHOD_HYBRID, EXACT, STOP_INTEGER, STOP_LIMITS},
    {"er:12:0.3", STOP_JOB, PERM_METHOD_HYBRID, DEFAULT, STOP_REAL, STOP_LIMITS},
    {"bernoulli:10", STOP_JOB, PERM_METHOD_SIGN_SEARCH, EXACT, STOP_AS_MADE, STOP_LIMITS},
    {"er:12:0.3", STOP_JOB, AUTO, DEFAULT, STOP_REAL, STOP_LIMITS},
    {"er:12:0.3", STOP_JOB, AUTO, EXACT, STOP_GAUSSIAN, STOP_LIMITS},
    {"grid:6:6", STOP_JOB, PERM_METHOD_PLANAR, DEFAULT, STOP_REAL, STOP_LIMITS},
    {"grid:6:6", STOP_JOB, PERM_METHOD_PLANAR, EXACT, STOP_INTEGER, STOP_LIMITS},
    {"grid:6:6", STOP_JOB, PERM_METHOD_PLANAR, EXACT, STOP_GAUSSIAN, STOP_LIMITS},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_FRONTIER, DEFAULT, STOP_COMPLEX, STOP_LIMITS},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_TREE, DEFAULT, STOP_COMPLEX, STOP_LIMITS},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_HYBRID, DEFAULT, STOP_REAL, STOP_LIMITS},
    {"er:14:0.3", STOP_COMPUTE, PERM_METHOD_TWINS, DEFAULT, STOP_COMPLEX, STOP_LIMITS},
    {"er:14:0.3", STOP_COMPUTE, AUTO, DEFAULT, STOP_REAL, STOP_LIMITS},
    {"er:14:0.3", STOP_COMPUTE, AUTO, PERM_PRECISION_DD, STOP_REAL, STOP_LIMITS},
    {"er:14:0.3", STOP_COMPUTE, AUTO, EXACT, STOP_INTEGER, STOP_LIMITS},
    {"blocks:3:6:0.3", STOP_REPORT, AUTO, DEFAULT, STOP_REAL, 0},
    {"grid:5:6", STOP_REPORT, AUTO, EXACT, STOP_INTEGER, 0},
    {"blocks:3:6:0.3", STOP_SPY, AUTO, DEFAULT, STOP_REAL, 0},
    {"er:24:0.2", STOP_SPY, AUTO, DEFAULT, STOP_REAL, 0},
    {"band:40:4", STOP_SPY, PERM_METHOD_BAND, DEFAULT, STOP_REAL, 0},
    {"tree:40", STOP_SPY, PERM_METHOD_TREE, DEFAULT, STOP_AS_MADE, 0},
    {"grid:4:5", STOP_ROOK, AUTO, DEFAULT, STOP_AS_MADE, 0},
    {"er:8:0.4", STOP_ROOK, AUTO, EXACT, STOP_INTEGER, 0},
    {"ones:6", STOP_ROOK, AUTO, DEFAULT, STOP_AS_MADE, 0},
    {"ones:6", STOP_ROOK, PERM_METHOD_EXACT, DEFAULT, STOP_AS_MADE, STOP_LIMITS},
    {"er:8:0.4", STOP_ROOK, PERM_METHOD_EXACT, DEFAULT, STOP_INTEGER, 0},
    {"er:8:0.4", STOP_ROOK, PERM_METHOD_FRONTIER, EXACT, STOP_INTEGER, STOP_LIMITS},
    {"er:12:0.3", STOP_SAMPLE, PERM_METHOD_LISTS, DEFAULT, STOP_AS_MADE, STOP_LIMITS},
    {"er:12:0.3", STOP_SAMPLE, PERM_METHOD_ARRAYS, DEFAULT, STOP_AS_MADE, STOP_LIMITS},
    {"er:12:0.3", STOP_SAMPLE, PERM_METHOD_FRONTIER, EXACT, STOP_INTEGER, 0},
    {"er:12:0.3", STOP_SAMPLE, PERM_METHOD_TWINS, EXACT, STOP_INTEGER, 0},
    {"er:12:0.3", STOP_SAMPLE, PERM_METHOD_TREE, EXACT, STOP_INTEGER, 0},
    {"er:12:0.3", STOP_SAMPLE, AUTO, DEFAULT, STOP_AS_MADE, 0},
    {"er:12:0.3", STOP_SAMPLE, PERM_METHOD_TREE, DEFAULT, STOP_AS_MADE, 0},
    {"er:12:0.3", STOP_SAMPLE, PERM_METHOD_TWINS, DEFAULT, STOP_AS_MADE, 0},
    {"band:16:2", STOP_SAMPLE, PERM_METHOD_TREE, DEFAULT, STOP_AS_MADE, 0},
    {"grid:4:5", STOP_SAMPLE, AUTO, EXACT, STOP_AS_MADE, 0},
    {"er:12:0.3", STOP_DERIVE, PERM_METHOD_TREE, DEFAULT, STOP_AS_MADE, STOP_LIMITS},
    {"band:16:2", STOP_DERIVE, AUTO, DEFAULT, STOP_AS_MADE, STOP_THREADS},
    {"grid:4:5", STOP_DERIVE, AUTO, DEFAULT, STOP_INTEGER, STOP_MODULUS},
    {"er:12:0.3", STOP_DERIVE, PERM_METHOD_LISTS, DEFAULT, STOP_COMPLEX, STOP_LIMITS},
    {"er:12:0.3", STOP_DERIVE, PERM_METHOD_ARRAYS, DEFAULT, STOP_COMPLEX, STOP_LIMITS},
    {"band:16:2", STOP_DERIVE, PERM_METHOD_ARRAYS, DEFAULT, STOP_AS_MADE, STOP_THREADS},
    {"er:12:0.4", STOP_WRITE, AUTO, DEFAULT, STOP_COMPLEX, 0},
    {"uniform:14", STOP_DENSE, AUTO, DEFAULT, STOP_REAL, 0},
    {"uniform:14", STOP_DENSE, AUTO, PERM_PRECISION_DD, STOP_COMPLEX, STOP_THREADS},
    {"uniform:14", STOP_DENSE, AUTO, PERM_PRECISION_DD, STOP_REAL, STOP_CERTIFY},
    {"bernoulli:14", STOP_DENSE, AUTO, DEFAULT, STOP_REAL, STOP_TOLERANCE},
    {"bernoulli:14", STOP_DENSE, AUTO, EXACT, STOP_INTEGER, 0},
    {"bernoulli:12", STOP_DENSE, AUTO, EXACT, STOP_GAUSSIAN, STOP_THREADS},
    {"bernoulli:14", STOP_DENSE, AUTO, EXACT, STOP_INTEGER, STOP_MODULUS},
    {"bernoulli:8", STOP_DENSE, AUTO, EXACT, STOP_INTEGER, STOP_PROVE},
    {"bernoulli:6", STOP_DENSE, AUTO, EXACT, STOP_GAUSSIAN, STOP_PROVE},
    {"uniform:14", STOP_DENSE, PERM_METHOD_SUBSETS, DEFAULT, STOP_REAL, STOP_FILE},
    {"uniform:12", STOP_MINORS, AUTO, DEFAULT, STOP_REAL, STOP_THREADS},
    {"uniform:12", STOP_MINORS, AUTO, PERM_PRECISION_DD, STOP_COMPLEX, 0},
    {"uniform:12", STOP_GRADIENT, AUTO, DEFAULT, STOP_REAL, 0},
    {"uniform:10", STOP_GRADIENT, AUTO, DEFAULT, STOP_COMPLEX, 0},
    {"uniform:12", STOP_MARGINALS, AUTO, DEFAULT, STOP_REAL, STOP_LIMITS},
    {"uniform:12", STOP_MARGINALS, PERM_METHOD_DENSE, DEFAULT, STOP_REAL, 0},
    {"uniform:12", STOP_ESTIMATE, AUTO, DEFAULT, STOP_REAL, STOP_THREADS},
    {"uniform:12", STOP_ESTIMATE, AUTO, DEFAULT, STOP_COMPLEX, 0},
    {"binary:10:0.2", STOP_ESTIMATE, AUTO, DEFAULT, STOP_REAL, 0}, /* all samples are 0, and so is the permanent */
    {"er:12:0.3", STOP_POLYNOMIAL, AUTO, DEFAULT, STOP_INTEGER, 0},
    {"er:12:0.3", STOP_POLYNOMIAL, AUTO, DEFAULT, STOP_REAL, 0},
    {"er:12:0.3", STOP_POLYNOMIAL, PERM_METHOD_EXACT, DEFAULT, STOP_INTEGER, 0},
    {"er:12:0.3", STOP_POLYNOMIAL, AUTO, DEFAULT, STOP_COMPLEX, 0},
    {"uniform:8", STOP_REPEATED, AUTO, DEFAULT, STOP_REAL, 0},
    {"uniform:8", STOP_REPEATED, AUTO, DEFAULT, STOP_COMPLEX, STOP_CERTIFY},
    {"bernoulli:8", STOP_REPEATED, AUTO, EXACT, STOP_INTEGER, 0},
    {"bernoulli:8", STOP_REPEATED, AUTO, EXACT, STOP_GAUSSIAN, 0},
    {"uniform:16", STOP_LOW_RANK, AUTO, DEFAULT, STOP_REAL, 0},
    {"uniform:16", STOP_LOW_RANK, AUTO, DEFAULT, STOP_COMPLEX, STOP_CERTIFY},
    {"uniform:12", STOP_CAUCHY, AUTO, DEFAULT, STOP_REAL, 0},
    {"uniform:12", STOP_CAUCHY, AUTO, DEFAULT, STOP_COMPLEX, 0},
    {"ones:17", STOP_DENSE, AUTO, DEFAULT, STOP_REAL, 0},
#define READ(text) \
  {text, STOP_READ, AUTO, DEFAULT, STOP_AS_MADE, 0}, {text, STOP_READ, AUTO, DEFAULT, STOP_AS_MADE, STOP_FILE}
    READ("1 2 3\n4 5 6\n7 8 9\n"),
    READ("0+2i 1\n1.5 (2j)\n"),
    READ("a,b\n1,2\n3,4\n"),
    READ("3 3 4\n1 1\n2 2\n3 3\n1 3\n"),
    READ("3 3 4\n1 1 2 3\n2 2 1 0\n3 3 1 1\n1 3 0 1\n"),
    READ("%%MatrixMarket matrix coordinate complex hermitian\n% text\n2 2 2\n1 1 3 0\n2 1 4 5\n"),
    READ("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"),
    READ("p edge 4 3\ne 1 2 5\ne 2 3 7\ne 3 4 1\n"),
    READ("DQc\n"),
    READ(":Fa@x^\n"),
    READ(">" ">digraph6<<&DI?AO?\n"),
#undef READ
    {"1/2 1/3 2\n3 1/4 1\n1 1 1/5\n", STOP_FRACTIONS, AUTO, DEFAULT, STOP_AS_MADE, 0},
};
#undef AUTO
#undef DEFAULT
#undef EXACT
enum { STOP_CASES = sizeof stop_cases / sizeof *stop_cases, STOP_N = 18 };

/* The case that runs now, and what it works on: the matrix; the same as arrays, for dense calls. */
static struct {
  const stop_case *of;
  perm_options options;
  perm_matrix matrix;
  double real[2 * STOP_N * STOP_N];
  int64_t integer[2 * STOP_N * STOP_N];
  char path[128];
} stop_now;

static void stop_begin(const stop_case *of)
{
  const int parts = of->values == STOP_COMPLEX || of->values == STOP_GAUSSIAN ? 2 : 1;
  perm_matrix *matrix = &stop_now.matrix, made;
  size_t e;
  int i, k, *row;
  double *part[2];
  memset(&stop_now, 0, sizeof stop_now);
  memset(&fault_own, 0, sizeof fault_own);
  memset(&test_heap, 0, sizeof test_heap);
  stop_now.of = of;
  stop_now.options.method = of->method;
  stop_now.options.precision = of->precision;
  stop_now.options.certify = (of->more & STOP_CERTIFY) != 0;
  stop_now.options.tolerance = of->more & STOP_TOLERANCE ? 1e-6 : 0;
  stop_now.options.modulus = of->more & STOP_MODULUS ? 1000003 : 0;
  stop_now.options.threads = of->more & STOP_THREADS ? 2 : 1;
  if (of->more & STOP_LIMITS) { /* none of which is reached */
    stop_now.options.max_seconds = 1e9;
    stop_now.options.max_bytes = 1e12;
    stop_now.options.plan_effort = 2;
  }
  snprintf(stop_now.path, sizeof stop_now.path, "build/stop.%ld.out", (long)getpid());
  stop_now.options.checkpoint.file = of->more & STOP_FILE ? stop_now.path : NULL;
  stop_now.options.allocator.allocate = fault_allocate;
  stop_now.options.allocator.release = fault_release;
  stop_now.options.allocator.user_data = &fault_own;
  if (of->call == STOP_READ || of->call == STOP_FRACTIONS) {
    FILE *file = fopen(stop_now.path, "wb");
    CHECK(file && fputs(of->matrix, file) >= 0 && !fclose(file));
    stop_now.options.checkpoint.file = NULL;
    return;
  }
  CHECK(perm_generate(of->matrix, 5, &stop_now.options, &made, NULL) == PERM_OK);
  row = (int *)malloc((made.nnz + 1) * sizeof *row);
  for (k = 0; k < 2; k++)
    part[k] = (double *)malloc((made.nnz + 1) * sizeof *part[k]);
  for (i = 0; i < made.m; i++)
    for (e = made.row_start[i]; e < made.row_start[i + 1]; e++)
      row[e] = i;
  for (e = 0; e < made.nnz; e++)
    for (k = 0; k < 2; k++)
      part[k][e] = of->values >= STOP_INTEGER ? 1 + test_below(9)
                   : k                        ? 0.5 + test_uniform()
                                              : made.real ? made.real[e] : 1;
  if (of->values == STOP_AS_MADE) {
    *matrix = made;
    memset(&made, 0, sizeof made);
  } else {
    int64_t *integer = (int64_t *)malloc((made.nnz + 1) * sizeof *integer);
    for (e = 0; e < made.nnz; e++)
      integer[e] = (int64_t)part[0][e];
    CHECK(perm_matrix_from_triplets(made.m, made.n, made.nnz, row, made.column, part[0], part[1], integer,
                                    parts == 2 ? PERM_KIND_COMPLEX : of->values == STOP_INTEGER ? PERM_KIND_INTEGER
                                                                                               : PERM_KIND_REAL,
                                    &stop_now.options, matrix, NULL) == PERM_OK);
    free(integer);
  }
  for (i = 0; i < matrix->m && matrix->n <= STOP_N; i++)
    for (e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++)
      for (k = 0; k < parts; k++) {
        const int at = (i * matrix->n + matrix->column[e]) * parts + k;
        stop_now.real[at] = k ? matrix->imaginary[e] : matrix->real ? matrix->real[e] : 1;
        stop_now.integer[at] = (int64_t)stop_now.real[at];
      }
  perm_matrix_free(&made);
  for (k = 0; k < 2; k++)
    free(part[k]);
  free(row);
}

static void stop_end(void)
{
  perm_matrix_free(&stop_now.matrix);
  remove(stop_now.path);
}

static void stop_job(fault_outcome *o)
{
  static char text[8000];
  perm_job *job = NULL;
  o->status = perm_sparse_job(&stop_now.matrix, &stop_now.options, &job, &o->r);
  o->r.value = NAN;
  CHECK(o->status == PERM_OK ? job != NULL : !job || o->status == PERM_ERROR_LIMIT); /* which explains */
  if (job) {
    const uint64_t print = perm_job_fingerprint(job);
    fault_hash(o, &print, sizeof print);
    fault_hash(o, text, perm_job_explain(job, text, sizeof text));
  }
  perm_job_free(job);
}

static void stop_dense(fault_outcome *o)
{
  const perm_options *options = &stop_now.options;
  const int n = stop_now.matrix.n, values = stop_now.of->values, parts = values == STOP_COMPLEX ? 2 : 1;
  static const int twice[STOP_N] = {1, 2, 1, 2, 1, 0, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1};
  double list[2 * STOP_N * STOP_N], *a = stop_now.real;
  int64_t *z = stop_now.integer;
  double condition;
  size_t count = 0;
  int k;
  memset(list, 0, sizeof list);
  switch (stop_now.of->call) {
  case STOP_DENSE:
    if (stop_now.of->more & STOP_PROVE)
      o->status = values == STOP_INTEGER ? perm_prove_integer(n, n, z, n, stop_now.path, options, &o->r)
                                         : perm_prove_gaussian(n, n, z, n, stop_now.path, options, &o->r);
    else
      o->status = values == STOP_REAL      ? perm_compute_real(n, n, a, n, options, &o->r)
                  : values == STOP_COMPLEX ? perm_compute_complex(n, n, a, n, options, &o->r)
                  : values == STOP_INTEGER ? perm_compute_integer(n, n, z, n, options, &o->r)
                                           : perm_compute_gaussian(n, n, z, n, options, &o->r);
    break;
  case STOP_REPEATED:
    o->status = values == STOP_REAL      ? perm_compute_repeated_real(n, n, a, n, twice, twice, options, &o->r)
                : values == STOP_COMPLEX ? perm_compute_repeated_complex(n, n, a, n, twice, twice, options, &o->r)
                : values == STOP_INTEGER ? perm_compute_repeated_integer(n, n, z, n, twice, twice, options, &o->r)
                                         : perm_compute_repeated_gaussian(n, n, z, n, twice, twice, options, &o->r);
    break;
  case STOP_LOW_RANK:
    o->status = values == STOP_REAL ? perm_compute_low_rank_real(n, 3, a, 3, a + 3 * n, n, options, &o->r)
                                    : perm_compute_low_rank_complex(n, 3, a, 3, a + 6 * n, n, options, &o->r);
    break;
  case STOP_CAUCHY: /* x and y in turn, so that no other method is wanted */
    for (k = 0; k < 2 * n; k++)
      list[k * parts] = 0.25 * a[k * parts] + (k < n ? k : k - n + 0.5);
    o->status = parts == 1 ? perm_compute_cauchy_real(n, list, list + n, options, &condition, &o->r)
                           : perm_compute_cauchy_complex(n, list, list + 2 * n, options, &condition, &o->r);
    memset(list, 0, sizeof list);
    CHECK((o->status == PERM_OK) == (condition == condition));
    break;
  case STOP_MINORS:
    count = (size_t)n;
    o->status = values == STOP_REAL ? perm_minors_real(n, n, a, n, NULL, NULL, 1, options, list, &o->r)
                                    : perm_minors_complex(n, n, a, n, NULL, NULL, 1, options, list, &o->r);
    break;
  case STOP_GRADIENT:
    count = (size_t)(n * n);
    o->status = values == STOP_REAL ? perm_gradient_real(n, n, a, n, NULL, NULL, options, list, &o->r)
                                    : perm_gradient_complex(n, n, a, n, NULL, NULL, options, list, &o->r);
    break;
  case STOP_MARGINALS:
    count = (size_t)((n - 3) * n);
    o->status = perm_marginals_real(n - 3, n, a, n, NULL, NULL, options, list, &o->r);
    break;
  default: {
    perm_estimate estimate;
    perm_estimate_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.samples = 512;
    o->no_result = 1;
    o->status = values == STOP_REAL ? perm_estimate_real(n, a, n, &plan, options, &estimate)
                                    : perm_estimate_complex(n, a, n, &plan, options, &estimate);
    CHECK(o->status == estimate.status);
    if (o->status == PERM_OK)
      fault_hash(o, &estimate.value, sizeof estimate.value), fault_hash(o, &estimate.high, sizeof estimate.high);
    return;
  }
  }
  if (count && o->status == PERM_OK)
    fault_hash(o, list, count * (size_t)(values == STOP_COMPLEX ? 2 : 1) * sizeof *list);
  if (count)
    o->r.value = NAN;
}

/* Reads the text, from memory or from a file. */
static void stop_read(fault_outcome *o)
{
  const char *text = stop_now.of->matrix, *path = stop_now.path;
  const perm_options *options = &stop_now.options;
  perm_integer below;
  perm_matrix made;
  o->status = stop_now.of->call == STOP_FRACTIONS ? perm_matrix_read(path, options, &made, &below, &o->r)
              : stop_now.of->more & STOP_FILE     ? perm_matrix_read(path, options, &made, NULL, &o->r)
                                    : perm_matrix_read_memory(text, strlen(text), "text", options, &made, &o->r);
  CHECK(o->status == PERM_OK || (!made.row_start && !made.column && !made.nnz));
  o->r.value = NAN;
  if (o->status == PERM_OK && made.nnz)
    fault_hash(o, made.column, made.nnz * sizeof *made.column);
  perm_matrix_free(&made);
}

static void stop_run(fault_outcome *o)
{
  const perm_options *options = &stop_now.options;
  const perm_matrix *matrix = &stop_now.matrix;
  static perm_integer numbers[64];
  perm_preparation report;
  int drawn[4 * 64], k;
  stop_fault.looks = 0;
  if (stop_now.of->call != STOP_READ && stop_now.of->call != STOP_FRACTIONS)
    remove(stop_now.path);
  switch (stop_now.of->call) {
  case STOP_READ:
  case STOP_FRACTIONS: stop_read(o); break;
  case STOP_COMPUTE:
    o->status = stop_now.of->more & STOP_PROVE ? perm_prove_sparse(matrix, stop_now.path, options, &o->r)
                                               : perm_compute_sparse(matrix, options, &o->r);
    break;
  case STOP_JOB: stop_job(o); break;
  case STOP_REPORT:
    o->status = perm_sparse_report(matrix, options, &report, &o->r);
    if (o->status == PERM_OK)
      fault_hash(o, &report.entries, sizeof report.entries);
    break;
  case STOP_SPY:
    o->status = perm_sparse_spy(matrix, options, stop_now.path, NULL, &o->r);
    fault_file(o, stop_now.path);
    break;
  case STOP_WRITE:
    o->status = perm_matrix_write(stop_now.path, matrix, options, &o->r);
    fault_file(o, stop_now.path);
    break;
  case STOP_ROOK:
    CHECK(matrix->n < 64);
    o->status = perm_rook_numbers(matrix, options, numbers, &o->r);
    for (k = 0; o->status == PERM_OK && k <= matrix->n; k++)
      fault_hash(o, numbers[k].word, (size_t)numbers[k].words * sizeof *numbers[k].word);
    break;
  case STOP_POLYNOMIAL: {
    static double values[64];
    const int whole = stop_now.of->values == STOP_INTEGER;
    memset(numbers, 0, sizeof numbers);
    o->status = whole ? perm_polynomial_sparse_integer(matrix, matrix, 4, options, numbers, &o->r)
                      : perm_polynomial_sparse(matrix, matrix, 4, options, values, NULL, &o->r);
    if (o->status == PERM_OK)
      fault_hash(o, whole ? (void *)numbers : (void *)values, whole ? 5 * sizeof *numbers : 5 * sizeof *values);
    break;
  }
  case STOP_SAMPLE:
    CHECK(matrix->n <= 64);
    o->status = perm_sample_sparse(matrix, options, 1, 0, 4, drawn, &o->r);
    if (o->status == PERM_OK)
      fault_hash(o, drawn, 4 * (size_t)matrix->n * sizeof *drawn);
    break;
  case STOP_DERIVE: {
    static double gradient[4096];
    CHECK(matrix->nnz <= 4096);
    o->status = options->modulus ? perm_gradient_sparse_mod(matrix, options, (uint64_t *)(void *)gradient, &o->r)
                                 : perm_gradient_sparse(matrix, options, gradient, &o->r);
    if (o->status == PERM_OK)
      fault_hash(o, gradient, matrix->nnz * sizeof *gradient);
    break;
  }
  default: stop_dense(o);
  }
}

/* The k-th number of 1 .. count to try: `most` of them, dense at both ends. */
static long stop_place(long count, long most, long k)
{
  const long third = most / 3;
  return count <= most || k <= third ? k
         : k > most - third          ? count - (most - k)
                                     : k + (count - most) * (k - third) / (third + 2);
}

/* Too little memory or time: refused, stopped, or the same number by another plan. */
static void stop_limits(const fault_case *call, const fault_outcome *first, long counts[3])
{
  static const double bytes[] = {1, 1e3, 1e4, 3e4, 1e5, 3e5, 1e6}, seconds[] = {1e-9, 1e-6, 1e-5, 1e-4, 1e-3};
  size_t k;
  for (k = 0; k < 12; k++) {
    const long live = fault_own.live;
    fault_outcome o;
    memset(&o, 0, sizeof o);
    stop_now.options.max_bytes = k < 7 ? bytes[k] : 0;
    stop_now.options.max_seconds = k < 7 ? 0 : seconds[k - 7];
    call->run(&o);
    CHECK_SHOW(fault_own.live == live, "%s: %ld live", call->name, fault_own.live - live);
    CHECK_SHOW(o.status == PERM_OK || o.status == PERM_ERROR_LIMIT || (k >= 7 && o.status == PERM_STOPPED_TIME),
               "%s, method %s, limit %d: %s, %s", call->name, perm_name("method", stop_now.of->method), (int)k,
               perm_name("status", o.status), o.r.message);
    counts[0] += o.status != PERM_OK;
    if (o.no_result)
      continue;
    if (o.status != PERM_OK)
      CHECK_SHOW(o.r.message[0] && isnan(o.r.value), "%s: %s", call->name, perm_name("status", o.status));
    else if (o.r.value == o.r.value)
      CHECK_SHOW(fabs(o.r.value - first->r.value) <= 1e-9 * fabs(first->r.value), "%s, method %s, limit %d: %.17g",
                 call->name, perm_name("method", stop_now.of->method), (int)k, o.r.value);
  }
  stop_now.options.max_bytes = stop_now.of->more & STOP_LIMITS ? 1e12 : 0;
  stop_now.options.max_seconds = stop_now.of->more & STOP_LIMITS ? 1e9 : 0;
}

/* One case, at most so many places each. */
static void stop_try(const stop_case *of, long most, long counts[3])
{
  fault_case call;
  fault_outcome first, o;
  long k, count;
  stop_begin(of);
  memset(&call, 0, sizeof call);
  call.name = of->matrix;
  call.run = stop_run;
  first = fault_try(&call, PERM_OK);
  CHECK_SHOW(test_heap.calls == 0, "%s: %ld allocations beside options.allocator", of->matrix, test_heap.calls);
  count = fault_own.calls;
  for (k = 1; k <= count && k <= most; k++) {
    const long at = stop_place(count, most, k);
    fault_own.fail_at = at;
    o = fault_try(&call, PERM_ERROR_MEMORY);
    counts[o.status == PERM_OK]++;
    if (o.status == PERM_OK && o.r.value == o.r.value) /* perhaps another plan: the same number */
      CHECK_SHOW(fabs(o.r.value - first.r.value) <= 1e-9 * fabs(first.r.value), "%s, method %s, allocation %ld: %.17g",
                 of->matrix, perm_name("method", of->method), at, o.r.value);
  }
  stop_limits(&call, &first, counts);
  test_watch_units = 0;
  test_watch_steps = 1;
  o = fault_try(&call, PERM_OK);
  CHECK_SHOW(fault_same(&first, &o), "%s, method %s: looks change it", of->matrix, perm_name("method", of->method));
  count = stop_fault.looks;
  CHECK_SHOW(count > 0 || of->call != STOP_CAUCHY, "%s: no look", of->matrix);
  for (k = 1; k <= count && k <= most; k++) {
    stop_fault.at = stop_place(count, most, k);
    o = fault_try(&call, PERM_STOPPED_CANCELLED);
    /* Behind the last step nothing is left to stop; with threads one may look when others have done it all. */
    CHECK_SHOW(o.status == PERM_STOPPED_CANCELLED ||
                   ((count - stop_fault.at < 3 || of->more & STOP_THREADS) && fault_same(&first, &o)),
               "%s, method %s, call %d: look %ld of %ld does not stop it", of->matrix, perm_name("method", of->method),
               (int)of->call, stop_fault.at, count);
    counts[2] += o.status == PERM_STOPPED_CANCELLED;
    stop_fault.at = 0;
  }
  test_watch_units = 1e7;
  test_watch_steps = 65536;
  o = fault_try(&call, PERM_OK);
  CHECK_SHOW(fault_same(&first, &o), "%s, method %s: another answer after a stop", of->matrix,
             perm_name("method", of->method));
  stop_end();
  CHECK(fault_own.live == 0);
}

static void stop_all(long most)
{
  long counts[3] = {0, 0, 0}; /* failed allocations, absorbed ones, stops */
  int k;
  for (k = 0; k < STOP_CASES; k++)
    stop_try(&stop_cases[k], most, counts);
  if (test_verbose)
    printf("     %ld failed allocations, %ld absorbed, %ld stops\n", counts[0], counts[1], counts[2]);
  CHECK(counts[0] > STOP_CASES && counts[2] > STOP_CASES);
}

/* A file that a signal interrupts, at its opening and between its bytes, is read, and no longer than it is wanted. */
TEST(t_stops_by_signals_in_files)
{
#if defined(__GLIBC__)
  static const char *const path = "build/stop_signals.txt";
  volatile int cancel = 0;
  perm_options options;
  perm_matrix made;
  perm_result r;
  FILE *file = fopen(path, "wb");
  int k;
  memset(&options, 0, sizeof options);
  for (k = 0; k < 4000; k++)
    fprintf(file, "%d %d\n", k % 7, -k);
  fclose(file);
  options.format = PERM_FORMAT_ARRAY;
  options.cancel = &cancel;
  fault_source.opens = 2;
  fault_source.reads = 3;
  CHECK_SHOW(perm_matrix_read(path, &options, &made, NULL, &r) == PERM_OK, "%s", r.message);
  CHECK(made.m == 4000 && made.n == 2 && made.integer[made.nnz - 1] == -3999);
  CHECK(!fault_source.opens && !fault_source.reads);
  perm_matrix_free(&made);
  cancel = 1;
  fault_source.opens = 5;
  CHECK(perm_matrix_read(path, &options, &made, NULL, &r) == PERM_STOPPED_CANCELLED && fault_source.opens == 4);
  CHECK_TEXT(r.message, "stop_signals.txt: ");
  CHECK_TEXT(r.message, "while reading");
  fault_source.opens = 0;
  fault_source.reads = 5;
  CHECK(perm_matrix_read(path, &options, &made, NULL, &r) == PERM_STOPPED_CANCELLED && fault_source.reads == 4);
  fault_source.reads = 0;
  remove(path);
  /* Longer than any piece; and so long that it is not read to its end before the first look. */
  cancel = 0;
  options.max_seconds = 60;
  fault_source.bytes = 9 << 20;
  CHECK_SHOW(perm_matrix_read(path, &options, &made, NULL, &r) == PERM_OK, "%s", r.message);
  CHECK(made.m == 2 && made.n == 2 && made.nnz == 4 && made.integer[0] == 1 && made.integer[3] == 4);
  CHECK(fault_source.given == fault_source.bytes);
  perm_matrix_free(&made);
  cancel = 1;
  fault_source.bytes = 100 << 20;
  fault_source.given = 0;
  CHECK(perm_matrix_read(path, &options, &made, NULL, &r) == PERM_STOPPED_CANCELLED && !made.row_start);
  CHECK_SHOW(fault_source.given < 16 << 20, "%ld bytes", fault_source.given);
  memset(&fault_source, 0, sizeof fault_source);
#else
  SKIP("no files of one's own here");
#endif
}

/* What is wrong with an input behind the place of a stop is not reported: the stop is. No matrix is left. */
TEST(t_stops_before_what_follows)
{
  static const int row[6] = {0, 0, 1, 1, 2, 2}, column[6] = {2, 1, 0, 2, 1, 0}, bad[6] = {0, 1, 2, 0, 1, 3};
  const double one[6] = {1, 1, 1, 1, 1, 1};
  t_io_memory memory;
  perm_options options = t_io_options(&memory);
  perm_matrix made;
  perm_result r;
  volatile int cancel = 1;
  long at, stops = 0;
  test_watch_units = 0;
  test_watch_steps = 1;
  options.cancel = &cancel;
  CHECK(perm_matrix_from_triplets(3, 3, 6, row, bad, one, NULL, NULL, PERM_KIND_REAL, &options, &made, &r) ==
        PERM_STOPPED_CANCELLED);
  CHECK(perm_matrix_read_memory("1 2\n3 \0\n", 8, "a", &options, &made, &r) == PERM_STOPPED_CANCELLED);
  CHECK_TEXT(r.message, "a: ");
  options.cancel = NULL;
  for (at = 1;; at++) {
    perm_status status;
    stop_fault.looks = 0;
    stop_fault.at = at;
    status = perm_matrix_from_triplets(3, 3, 6, row, column, one, NULL, NULL, PERM_KIND_REAL, &options, &made, &r);
    if (status == PERM_OK)
      break;
    CHECK(status == PERM_STOPPED_CANCELLED && t_io_is_zero(&made) && memory.live == 0);
    stops++;
  }
  CHECK(made.nnz == 6 && stops > 20 && stops < 200);
  perm_matrix_free(&made);
  for (at = 1;; at++) { /* each stop is told by the reader of the format itself */
    static const char text[] = ":Fa@x^";
    permi_control watch;
    permi_reader reader;
    int read;
    stop_fault.looks = 0;
    stop_fault.at = at;
    watch = permi_control_begin(&options);
    memset(&reader, 0, sizeof reader);
    reader.name = "a";
    reader.position = text;
    reader.end = text + strlen(text);
    reader.allocator = options.allocator;
    reader.watch = &watch;
    read = permi_read_graph6(&reader, PERM_FORMAT_AUTO);
    permi_release(&options.allocator, reader.entries.entry);
    CHECK(read == (watch.stopped == PERM_OK) && memory.live == 0);
    if (read)
      break;
  }
  CHECK(at > 5 && at < 50);
  {
    permi_control watch = permi_control_begin(&options);
    permi_entry entry[3];
    permi_entries list = {entry, 3, 3};
    for (at = 0; at < 3; at++) { /* in order already, which it takes all steps to see */
      entry[at] = permi_entry_one();
      entry[at].key = (uint64_t)at;
    }
    stop_fault.looks = stop_fault.at = 0;
    CHECK(permi_entries_sort(&list, &options.allocator, &watch) && stop_fault.looks == 2);
    stop_fault.at = 4;
    CHECK(!permi_entries_sort(&list, &options.allocator, &watch) && watch.stopped == PERM_STOPPED_CANCELLED);
  }
  stop_fault.at = 0;
  test_watch_units = 1e7;
  test_watch_steps = 65536;
}

/* Loops that may be long look at the limits at each step that they tell of, each for itself. */
TEST(t_stops_looks_of_loops)
{
  enum { ROWS = 300 };
  static const char *const path = "build/stop_looks.txt";
  static uint64_t item[4 * ROWS];
  perm_options options;
  perm_integer below;
  perm_matrix made;
  permi_control watch;
  long looks[2];
  size_t k;
  int with;
  memset(&options, 0, sizeof options);
  options.format = PERM_FORMAT_ARRAY;
  test_watch_units = 0;
  test_watch_steps = 1;
  for (with = 0; with < 2; with++) { /* the same text but for fractions */
    FILE *file = fopen(path, "wb");
    for (k = 0; k < ROWS; k++)
      fputs(with ? "1/2 1 1\n" : "102 1 1\n", file);
    fclose(file);
    stop_fault.looks = 0;
    CHECK(perm_matrix_read(path, &options, &made, &below, NULL) == PERM_OK && made.m == ROWS);
    perm_matrix_free(&made);
    looks[with] = stop_fault.looks;
  }
  remove(path);
  CHECK_SHOW(looks[1] - looks[0] >= ROWS, "%ld looks, %ld with fractions", looks[0], looks[1]);
  for (k = 0; k < ROWS; k++) /* one byte differs: keys are compared, counted and moved */
    item[2 * k] = k * 7 % 256 << 8;
  watch = permi_control_begin(&options);
  stop_fault.looks = 0;
  CHECK(permi_sort(item, item + 2 * ROWS, ROWS, 2 * sizeof *item, &watch) != NULL);
  CHECK_SHOW(stop_fault.looks >= 3 * ROWS, "%ld looks", stop_fault.looks);
  test_watch_units = 1e7;
  test_watch_steps = 65536;
}

/* A stop of the plan of a polynomial's permanents is told as a stop, and refuses nothing. */
TEST(t_stops_in_plans_of_polynomials)
{
  static int64_t a[2 * 14 * 20];
  static perm_integer numbers[12];
  perm_result r;
  for (int k = 0; k < 2 * 14 * 20; k++)
    a[k] = k * 7 % 5 ? 0 : k % 3 + 1;
  test_watch_units = 0;
  test_watch_steps = 1;
  for (long at = 1; at <= 400; at += 1 + at / 16) {
    stop_fault.looks = 0;
    stop_fault.at = at;
    CHECK_SHOW(perm_polynomial_gaussian(14, 14, a, 14, a + 40, 14, 5, NULL, numbers, &r) == PERM_STOPPED_CANCELLED,
               "look %ld: %s", at, r.message);
  }
  stop_fault.at = 0;
  test_watch_units = 1e7;
  test_watch_steps = 65536;
}

TEST(t_stops_in_every_kind_of_run)
{
  stop_all(6);
}

TEST_LONG(t_stops_at_every_look)
{
  stop_all(300);
}
/* SPDX-License-Identifier: MIT */
