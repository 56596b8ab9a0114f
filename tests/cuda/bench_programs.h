/* Rows of bench.cu about generated kernels: hybrid and the published code generation. */
/* Kernel: a slice of at most 1.5 s predicted, without compiling, as a whole; process: everything. */
static void bench_sparse(const char *spec, perm_method method, perm_precision precision, int whole)
{
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  perm_job *job = NULL;
  perm_leaf leaf;
  perm_partial partial;
  uint64_t chunks;
  double plan, first, kernel;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.precision = precision;
  options.isa = PERM_ISA_CUDA;
  options.gpu.devices = 1;
  options.tolerance = 1;
  if (perm_generate(spec, 1, NULL, &matrix, &r) != PERM_OK) {
    printf("| %s: %s |\n", spec, r.message);
    return;
  }
  plan = permi_seconds();
  if (perm_sparse_job(&matrix, &options, &job, &r) != PERM_OK || perm_job_leaves(job) != 1 ||
      perm_job_leaf(job, 0, &leaf) != PERM_OK || leaf.isa != PERM_ISA_CUDA) {
    printf("| %s %s: no kernel: %s |\n", spec, perm_name("method", method), r.message);
  } else {
    perm_status status;
    plan = permi_seconds() - plan;
    memset(&partial, 0, sizeof partial);
    first = permi_seconds();
    status = perm_job_run(job, 0, 0, leaf.chunks < 264 ? leaf.chunks : 264, &partial);
    first = permi_seconds() - first;
    chunks = leaf.seconds > 1.5 ? (uint64_t)((double)leaf.chunks * 1.5 / leaf.seconds) : leaf.chunks;
    chunks = chunks < 264 ? 264 : chunks;
    chunks = chunks < leaf.chunks ? chunks : leaf.chunks;
    memset(&partial, 0, sizeof partial);
    kernel = permi_seconds();
    if (status == PERM_OK)
      status = perm_job_run(job, 0, 0, chunks, &partial);
    kernel = (permi_seconds() - kernel) * (double)leaf.chunks / (double)chunks;
    if (status != PERM_OK) {
      printf("| %s %s: %s |\n", spec, perm_name("method", method), perm_status_text(status));
    } else {
      printf("| %s | %s | %s | %.3f | %.3f | %.3f | %.4f%s |", spec, perm_name("method", leaf.method),
             perm_name("precision", precision), plan, leaf.seconds, first, kernel,
                 chunks < leaf.chunks ? " (slice)" : "");
      if (whole && perm_compute_sparse(&matrix, &options, &r) >= 0)
        printf(" %.3f | %.15g | %.2g |\n", r.seconds, r.value, r.error_estimate / fabs(r.value));
      else
        printf(" | %s | |\n", whole ? r.message : "");
    }
  }
  fflush(stdout);
  perm_job_free(job);
  perm_matrix_free(&matrix);
}

void bench_sparse_table(int whole); /* for bench.cu */
void bench_sparse_table(int whole)
{
  static const char *const specs[] = {"er:40:0.2", "er:40:0.3", "er:40:0.5", "er:45:0.3", "er:48:0.2", "er:48:0.3"};
  size_t k;
  printf("\nGenerated kernels, one GPU; seconds\n\n| matrix | method | precision | plan | predicted, compiler included "
         "| compiler and first chunks | kernel | whole call | value | estimate |\n"
         "|---|---|---|---|---|---|---|---|---|---|\n");
  for (k = 0; k < sizeof specs / sizeof specs[0]; k++)
    bench_sparse(specs[k], PERM_METHOD_HYBRID, PERM_PRECISION_DEFAULT, whole && k < 3);
  bench_sparse(specs[1], PERM_METHOD_HYBRID, PERM_PRECISION_DD, 0);
  for (k = 0; k < 2; k++)
    bench_sparse(specs[k], PERM_METHOD_CODEGEN, PERM_PRECISION_DEFAULT, 0);
}

/* One job on 1, 2, 4, .. GPUs (or on all alone): kernels compiled and every GPU warm before the clock starts. */
static void bench_gpus_job(const char *name, const perm_matrix *matrix, const perm_options *asked, int all,
                           perm_result *r)
{
  char message[PERM_MESSAGE_BYTES];
  const int most = perm_cuda_devices(PERM_ALL_GPUS, message);
  perm_result first;
  double one = 0;
  int gpus;
  memset(&first, 0, sizeof first);
  for (gpus = all ? most : 1; gpus <= most; gpus = gpus < most && 2 * gpus > most ? most : 2 * gpus) {
    perm_options options = *asked;
    perm_job *job = NULL;
    perm_state *state = NULL;
    perm_leaf leaf;
    perm_status status;
    double seconds = 0;
    int turn;
    options.gpu.devices = gpus;
    options.isa = PERM_ISA_CUDA;
    status = perm_sparse_job(matrix, &options, &job, r);
    if (status == PERM_OK)
      status = perm_job_leaf(job, 0, &leaf);
    for (turn = 0; turn < 2 && status >= 0; turn++) {
      options.max_seconds = turn ? 0 : 1;
      status = perm_state_create(job, &state);
      seconds = permi_seconds();
      if (status == PERM_OK)
        status = perm_job_execute(job, state, &options, r);
      seconds = permi_seconds() - seconds;
      perm_state_free(state);
    }
    perm_job_free(job);
    if (status != PERM_OK || r->gpus != gpus) {
      printf("| %s | | %d of %d | %s: %s |\n", name, r->gpus, gpus, perm_status_text(status), r->message);
      return;
    }
    if (gpus == 1 || all) {
      one = seconds;
      first = *r;
    }
    printf("| %s | %s | %d | %.3f | %.3f | %.17g | %.2g%s | %s |\n", name, perm_name("method", leaf.method), gpus,
           seconds,
           one / seconds, r->value, (r->error_bound < 1e300 ? r->error_bound : r->error_estimate) / fabs(r->value),
           r->error_bound < 1e300 ? " (bound)" : "",
           r->value == first.value && r->error_estimate == first.error_estimate ? "the same bits" : "NOT THE SAME");
    fflush(stdout);
  }
}

static void bench_gpus_agree(const char *name, const perm_result *a, const perm_result *b)
{
  const double scale = ldexp(1, (int)(a->exp2 - b->exp2)), difference = fabs(a->value * scale - b->value);
  const double within = (a->error_bound < 1e300 ? a->error_bound : a->error_estimate) * scale +
                        (b->error_bound < 1e300 ? b->error_bound : b->error_estimate);
  printf("\n%s: relative difference %.2g, within %.2g: %s\n", name, difference / fabs(b->value),
         within / fabs(b->value), difference <= within ? "agree" : "DO NOT AGREE");
}

void bench_gpus(void); /* for bench.cu */
void bench_gpus(void)
{
  enum { N = 42 };
  static double a[2][N * N];
  perm_options options;
  perm_matrix matrix;
  perm_result r[4];
  uint64_t state = 1;
  int side, i, j;
  memset(r, 0, sizeof r);
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      a[0][i * N + j] = a[1][j * N + i] = (double)(state >> 11) / 9007199254740992.0;
    }
  printf("\nSeveral GPUs: kernels compiled before, the whole sum\n\n"
         "| matrix | method | GPUs | seconds | times one | value | relative estimate or bound | bits |\n"
         "|---|---|---|---|---|---|---|---|\n");
  memset(&options, 0, sizeof options);
  options.tolerance = 1;
  options.method = PERM_METHOD_DENSE;
  for (side = 0; side < 2; side++) {
    options.certify = side;
    if (perm_matrix_from_dense(N, N, a[side], N, NULL, &matrix, &r[side]) != PERM_OK)
      return;
    bench_gpus_job(side ? "its transpose, certified" : "U(0,1) n = 42", &matrix, &options, side, &r[side]);
    perm_matrix_free(&matrix);
  }
  options.certify = 0;
  if (perm_generate("er:45:0.3", 1, NULL, &matrix, &r[2]) == PERM_OK) {
    options.method = PERM_METHOD_HYBRID;
    bench_gpus_job("er:45:0.3", &matrix, &options, 0, &r[2]);
    options.certify = 1;
    bench_gpus_job("er:45:0.3, certified", &matrix, &options, 1, &r[3]);
    perm_matrix_free(&matrix);
  }
  bench_gpus_agree("n = 42, two orientations", &r[0], &r[1]);
  bench_gpus_agree("er:45:0.3, certified and not", &r[2], &r[3]);
}

/* The matrix of a spec with other numbers: REAL: its own as doubles; COMPLEX: random ones, or `whole` from -9 to 9. */
static perm_status bench_numbers_matrix(const char *spec, unsigned seed, perm_kind kind, int whole, perm_matrix *matrix)
{
  uint64_t random = 88172645463325252u + seed;
  perm_matrix given;
  perm_result r;
  perm_status status = perm_generate(spec, seed, NULL, &given, &r);
  int *row = status == PERM_OK ? (int *)malloc(given.nnz * sizeof *row) : NULL, i;
  double *part[2] = {NULL, NULL};
  size_t at;
  if (status != PERM_OK)
    return status;
  for (i = 0; i < 2; i++)
    part[i] = (double *)malloc(given.nnz * sizeof **part);
  for (i = 0; i < given.m; i++)
    for (at = given.row_start[i]; at < given.row_start[i + 1]; at++) {
      int k;
      row[at] = i;
      for (k = 0; k < 2; k++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        part[k][at] = whole ? (double)(random % 19) - 9 : (double)(random >> 11) / 9007199254740992.0 - 0.5;
      }
      if (kind == PERM_KIND_REAL)
        part[0][at] = given.real ? given.real[at] : 1;
    }
  status = perm_matrix_from_triplets(given.m, given.n, given.nnz, row, given.column, part[0],
                                     kind == PERM_KIND_REAL ? NULL : part[1], NULL, kind, NULL, matrix, &r);
  free(part[0]), free(part[1]), free(row);
  perm_matrix_free(&given);
  return status;
}

/* Seconds of the kernels of all chunks, from a slice of about 0.4 s; negative: failed. */
static double bench_numbers_seconds(const perm_matrix *matrix, const perm_options *options)
{
  perm_job *job = NULL;
  perm_result r;
  perm_leaf leaf;
  double seconds = -1;
  uint64_t chunks = 264;
  int turn;
  if (perm_sparse_job(matrix, options, &job, &r) != PERM_OK || perm_job_leaf(job, 0, &leaf) != PERM_OK ||
      leaf.isa != PERM_ISA_CUDA) {
    printf("no kernel: %s\n", r.message);
    perm_job_free(job);
    return -1;
  }
  for (turn = 0; turn < 4; turn++) { /* compiling, a rate, and twice that slice */
    perm_partial partial;
    const uint64_t most = chunks < leaf.chunks ? chunks : leaf.chunks;
    memset(&partial, 0, sizeof partial);
    seconds = permi_seconds();
    if (perm_job_run(job, 0, 0, most, &partial) != PERM_OK) {
      seconds = -1;
      break;
    }
    seconds = permi_seconds() - seconds;
    chunks = turn == 0 ? 2640 : turn == 1 ? (uint64_t)((double)most * 0.4 / seconds) + 1 : chunks;
    seconds *= (double)leaf.chunks / (double)most;
  }
  perm_job_free(job);
  return seconds;
}

/* What each kind of number costs in the hybrid engine, over doubles of the same shape. */
void bench_numbers(const char *spec); /* for bench.cu */
void bench_numbers(const char *spec)
{
  static const struct { const char *name; int parts, whole, certify; perm_precision precision; } kind[] = {
      {"doubles", 1, 0, 0, PERM_PRECISION_DEFAULT},          {"certified", 1, 0, 1, PERM_PRECISION_DEFAULT},
      {"double-double", 1, 0, 0, PERM_PRECISION_DD},         {"double-double, certified", 1, 0, 1, PERM_PRECISION_DD},
      {"exact integers", 0, 0, 0, PERM_PRECISION_EXACT},     {"complex", 2, 0, 0, PERM_PRECISION_DEFAULT},
      {"complex, certified", 2, 0, 1, PERM_PRECISION_DEFAULT}, {"complex double-double", 2, 0, 0, PERM_PRECISION_DD},
      {"Gaussian integers", 2, 1, 0, PERM_PRECISION_EXACT}};
  double one[2] = {0, 0};
  unsigned seed;
  size_t k;
  printf("\nNumbers of method hybrid on %s, one GPU: seconds of the kernels, most from a slice; over doubles\n\n"
         "| seed | numbers | seconds | ratio |\n|---|---|---|---|\n", spec);
  for (seed = 1; seed <= 3; seed++)
    for (k = 0; k < sizeof kind / sizeof kind[0]; k++) {
      perm_options options;
      perm_matrix matrix;
      perm_result r;
      double seconds;
      if ((kind[k].parts ? bench_numbers_matrix(spec, seed, kind[k].parts == 2 ? PERM_KIND_COMPLEX : PERM_KIND_REAL,
                                                kind[k].whole, &matrix)
                         : perm_generate(spec, seed, NULL, &matrix, &r)) != PERM_OK) {
        printf("| %s | no such matrix | | |\n", spec);
        return;
      }
      memset(&options, 0, sizeof options);
      options.method = PERM_METHOD_HYBRID;
      options.isa = PERM_ISA_CUDA;
      options.gpu.devices = 1;
      options.tolerance = kind[k].precision == PERM_PRECISION_EXACT ? 0 : 1;
      options.precision = kind[k].precision;
      options.certify = kind[k].certify;
      seconds = bench_numbers_seconds(&matrix, &options);
      one[0] = k == 0 ? seconds : one[0];
      one[1] = k == 5 ? seconds : one[1];
      printf("| %u | %s | %.3f | %.2f |\n", seed, kind[k].name, seconds,
             seconds / one[kind[k].parts == 2 && !kind[k].whole]);
      fflush(stdout);
      perm_matrix_free(&matrix);
    }
}
/* SPDX-License-Identifier: MIT */
