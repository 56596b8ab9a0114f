/* >>device, >>control, >>check, >>batch, >>minors_calls, >>estimate_calls, >>sample, >>rook, >>job */
/* Each bound of each argument, one beyond it and, where that is cheap, at it: the refusal names the argument, and what
   was to hold numbers holds NaN. t_arguments.c has the rest. */

TEST(t_refusals_options)
{
  static const double a[4] = {1, 2, 3, 4};
  static const char *const no_name = NULL;
  perm_options options;
  perm_result r;
#define REFUSED(field, value_, text_)                                                                             \
  memset(&options, 0, sizeof options);                                                                            \
  options.field = value_;                                                                                         \
  ARGUMENTS_BAD(perm_compute_real(2, 2, a, 2, &options, &r), PERM_ERROR_OPTION, 5, text_)
  REFUSED(method, (perm_method)-1, "method is not one of perm_method")
  REFUSED(method, PERM_METHOD_COUNT, "method is not one of perm_method")
  REFUSED(method, PERM_METHOD_STRUCTURE, "method is not one of perm_method")
  REFUSED(precision, (perm_precision)-1, "precision is not one of perm_precision")
  REFUSED(precision, PERM_PRECISION_COUNT, "precision is not one of perm_precision")
  REFUSED(isa, (perm_isa)-1, "isa is not one of perm_isa")
  REFUSED(isa, PERM_ISA_COUNT, "isa is not one of perm_isa")
  REFUSED(certify, 2, "certify is neither 0 nor 1")
  REFUSED(certify, -1, "certify is neither 0 nor 1")
  REFUSED(threads, -1, "threads is negative")
  REFUSED(threads, 65537, "threads is above 65536")
  REFUSED(tolerance, -1e-300, "tolerance is negative or not finite")
  REFUSED(tolerance, (double)INFINITY, "tolerance is negative or not finite")
  REFUSED(tolerance, (double)NAN, "tolerance is negative or not finite")
  REFUSED(max_seconds, -1, "max_seconds is negative or NaN")
  REFUSED(max_bytes, (double)NAN, "max_bytes is negative or NaN")
  REFUSED(plan_effort, -1, "plan_effort is not between 0 and 1e6")
  REFUSED(plan_effort, 1e6 + 1, "plan_effort is not between 0 and 1e6")
  REFUSED(gpu.cpu_fallback, -1, "gpu.cpu_fallback is neither 0 nor 1")
  REFUSED(checkpoint.seconds, -1, "checkpoint.seconds is negative or NaN")
  REFUSED(checkpoint.parts, -1, "checkpoint.part is not one of 1 to parts")
  REFUSED(checkpoint.parts, 2, "checkpoint.part is not one of 1 to parts")
  REFUSED(checkpoint.part, (options.checkpoint.parts = 2, 3), "checkpoint.part is not one of 1 to parts")
  REFUSED(checkpoint.merge, &no_name, "checkpoint.merge is an empty list")
  REFUSED(allocator.allocate, fault_allocate, "allocator needs both allocate and release, or neither")
  REFUSED(allocator.release, fault_release, "allocator needs both allocate and release, or neither")
#undef REFUSED
  memset(&options, 0, sizeof options);
  options.threads = 65536;
  options.plan_effort = 1e6;
  CHECK(perm_compute_real(2, 2, a, 2, &options, &r) == PERM_OK && r.value == 10);
}

TEST(t_refusals_sizes)
{
  static const double a[4] = {1, 2, 3, 4};
  const int most[2] = {PERM_MAX_LINES, 1}, once[2] = {1, 1};
  double ones[130];
  perm_result r;
  int k;
  ARGUMENTS_BAD(perm_compute_real(PERM_MAX_LINES + 1, 2, a, 2, NULL, &r), PERM_ERROR_SIZE, 1, "up to 4096")
  ARGUMENTS_BAD(perm_compute_real(2, PERM_MAX_LINES + 1, a, PERM_MAX_LINES + 1, NULL, &r), PERM_ERROR_SIZE, 2,
                "up to 4096")
  ARGUMENTS_BAD(perm_compute_repeated_real(2, 2, a, 2, most, once, NULL, &r), PERM_ERROR_SIZE, 5, "more than 4096 rows")
  ARGUMENTS_BAD(perm_compute_repeated_real(2, 2, a, 2, once, most, NULL, &r), PERM_ERROR_SIZE, 6,
                "more than 4096 columns")
  for (k = 0; k < 130; k++)
    ones[k] = 1;
  CHECK(perm_compute_real(65, 2, ones, 2, NULL, &r) == PERM_OK && r.value == 65 * 64);
  CHECK(perm_compute_real(2, 65, ones, 65, NULL, &r) == PERM_OK && r.value == 65 * 64);
}

TEST(t_refusals_selections)
{
  static const double a[6] = {1, 2, 3, 4, 5, 6};
  static const int rows[4] = {0, 1, 1, 0}, columns[4] = {0, 1, 2, 1}, low[4] = {0, 1, 0, -1}, high[4] = {0, 1, 3, 0};
  static const int last[4] = {0, 1, 2, 0};
  perm_options options = {0};
  double out[2];
  perm_result r;
#define SELECT(m, n, a, ld, k, rows, columns, out) perm_select_real(m, n, a, ld, k, 2, rows, columns, &options, out, &r)
  CHECK(SELECT(2, 3, a, 3, 2, rows, columns, out) == PERM_OK && out[0] == 13 && out[1] == 27);
  CHECK(SELECT(2, 3, a, 3, 2, NULL, columns, out) == PERM_OK && out[0] == 13 && out[1] == 27);
  CHECK(SELECT(2, 3, NULL, 0, 0, NULL, NULL, out) == PERM_OK && out[0] == 1 && out[1] == 1);
  CHECK(perm_select_real(2, 3, NULL, 0, 2, 0, NULL, NULL, NULL, NULL, &r) == PERM_OK);
  ARGUMENTS_BAD(SELECT(-1, 3, a, 3, 2, rows, columns, out), PERM_ERROR_SIZE, 1, "-1 x 3")
  ARGUMENTS_BAD(SELECT(2, -1, a, 3, 2, rows, columns, out), PERM_ERROR_SIZE, 2, "2 x -1")
  ARGUMENTS_BAD(SELECT(2, 3, a, 3, -1, rows, columns, out), PERM_ERROR_SIZE, 5, "k is -1")
  ARGUMENTS_BAD(SELECT(2, 3, a, 3, 65, rows, columns, out), PERM_ERROR_SIZE, 5, "k is 65")
  ARGUMENTS_BAD(SELECT(2, 3, NULL, 3, 2, rows, columns, out), PERM_ERROR_NULL, 3, "a is NULL")
  ARGUMENTS_BAD(SELECT(2, 3, a, 2, 2, rows, columns, out), PERM_ERROR_STRIDE, 4, "smaller than the 3 columns")
  ARGUMENTS_BAD(SELECT(2, 3, a, 3, 2, rows, NULL, out), PERM_ERROR_NULL, 8, "columns is NULL")
  ARGUMENTS_BAD(SELECT(2, 3, a, 3, 3, NULL, columns, out), PERM_ERROR_RANGE, 7, "the first 3 of 2 rows")
  ARGUMENTS_BAD(SELECT(2, 3, a, 3, 2, rows, columns, NULL), PERM_ERROR_NULL, 10, "permanents is NULL")
  ARGUMENTS_BAD(SELECT(2, 3, a, 3, 2, low, columns, out), PERM_ERROR_RANGE, 7, "selection 1")
  ARGUMENTS_BAD(SELECT(2, 3, a, 3, 2, last, columns, out), PERM_ERROR_RANGE, 7, "selection 1")
  ARGUMENTS_BAD(SELECT(2, 3, a, 3, 2, rows, low, out), PERM_ERROR_RANGE, 8, "selection 1")
  ARGUMENTS_BAD(SELECT(2, 3, a, 3, 2, rows, high, out), PERM_ERROR_RANGE, 8, "selection 1")
  options.certify = 2;
  ARGUMENTS_BAD(SELECT(2, 3, a, 3, 2, rows, columns, out), PERM_ERROR_OPTION, 9, "certify is neither 0 nor 1")
#undef SELECT
  CHECK(perm_batch_real(2, 0, NULL, 4, NULL, NULL, &r) == PERM_OK);
  ARGUMENTS_BAD(perm_batch_real(2, 1, NULL, 4, NULL, out, &r), PERM_ERROR_NULL, 3, "NULL")
}

TEST(t_refusals_minors)
{
  static const double a[66 * 2] = {1, 2, 3, 4};
  static const int once[2] = {1, 1}, many[2] = {(1 << 20) + 1, 0}, two[2] = {2, 0}, half[2] = {1 << 19, 1 << 19};
  perm_options options = {0};
  double out[128];
  perm_result r;
#define MINORS(m, n, a, row_counts, column_counts, row, out) \
  perm_minors_real(m, n, a, 2, row_counts, column_counts, row, &options, out, &r)
#define GRADIENT(m, n, a, row_counts, column_counts, out) \
  perm_gradient_real(m, n, a, 2, row_counts, column_counts, &options, out, &r)
  CHECK(MINORS(2, 2, a, NULL, NULL, 0, out) == PERM_OK && out[0] == 4 && out[1] == 3);
  CHECK(GRADIENT(2, 2, a, NULL, NULL, out) == PERM_OK && out[0] == 4 && out[1] == 3 && out[2] == 2 && out[3] == 1);
  ARGUMENTS_BAD(MINORS(2, 2, a, NULL, NULL, 0, NULL), PERM_ERROR_NULL, 9, "minors is NULL")
  ARGUMENTS_BAD(GRADIENT(2, 2, a, NULL, NULL, NULL), PERM_ERROR_NULL, 8, "gradient is NULL")
  CHECK(GRADIENT(0, 0, NULL, NULL, NULL, NULL) == PERM_OK);
  ARGUMENTS_BAD(MINORS(65, 2, a, NULL, NULL, 0, out), PERM_ERROR_SIZE, 1, "65 x 2")
  ARGUMENTS_BAD(GRADIENT(0, 65, NULL, NULL, NULL, NULL), PERM_ERROR_SIZE, 2, "0 x 65; at most 64")
  ARGUMENTS_BAD(GRADIENT(65, 0, NULL, NULL, NULL, NULL), PERM_ERROR_SIZE, 1, "65 x 0; at most 64")
  ARGUMENTS_BAD(MINORS(2, 2, a, many, once, 0, out), PERM_ERROR_COUNTS, 5, "a multiplicity is negative or above")
  ARGUMENTS_BAD(MINORS(2, 2, a, once, many, 0, out), PERM_ERROR_COUNTS, 6, "a multiplicity is negative or above")
  CHECK(isnan(out[0]) && isnan(out[1]));
  ARGUMENTS_BAD(MINORS(2, 2, a, half, half, 0, out), PERM_ERROR_SIZE, 5, "1048576 rows with their copies; at most")
  ARGUMENTS_BAD(MINORS(2, 1, a, once, once, 0, out), PERM_ERROR_COUNTS, 6, "2 rows with their copies, but 1 columns")
  ARGUMENTS_BAD(MINORS(2, 2, a, two, once, 1, out), PERM_ERROR_RANGE, 7, "of 2 rows (counted from 0), and has")
  ARGUMENTS_BAD(MINORS(2, 2, a, NULL, NULL, 2, out), PERM_ERROR_RANGE, 7, "row is 2, of 2 rows")
  ARGUMENTS_BAD(MINORS(2, 2, a, NULL, NULL, -1, out), PERM_ERROR_RANGE, 7, "row is -1")
  options.method = PERM_METHOD_RYSER;
  ARGUMENTS_BAD(MINORS(2, 2, a, NULL, NULL, 0, out), PERM_ERROR_UNSUPPORTED, 8, "methods auto, dense and glynn")
  options.method = PERM_METHOD_GLYNN;
  CHECK(MINORS(2, 2, a, NULL, NULL, 1, out) == PERM_OK && out[0] == 2 && out[1] == 1);
  options.precision = PERM_PRECISION_EXACT;
  ARGUMENTS_BAD(GRADIENT(2, 2, a, NULL, NULL, out), PERM_ERROR_UNSUPPORTED, 7, "precisions default and dd")
  options.certify = 1;
  ARGUMENTS_BAD(GRADIENT(2, 2, a, NULL, NULL, out), PERM_ERROR_UNSUPPORTED, 7, "no guaranteed bound")
#undef MINORS
#undef GRADIENT
}

TEST(t_refusals_estimates)
{
  static const double a[4] = {1, 2, 3, 4}, signs[4] = {1, -2, 3, 4};
  perm_estimate_plan plan;
  perm_estimate e;
#define ESTIMATE(n, a, ld, field, value_, status_, argument_, text_)                                     \
  memset(&plan, 0, sizeof plan);                                                                         \
  plan.field = value_;                                                                                   \
  CHECK(perm_estimate_real(n, a, ld, &plan, NULL, &e) == (status_) && e.status == (status_));            \
  CHECK_SHOW(e.argument == (argument_) && isnan(e.value), "%s: argument %d", e.message, e.argument);     \
  CHECK_TEXT(e.message, text_);
  ESTIMATE(2, a, 2, estimator, (perm_estimator)-1, PERM_ERROR_OPTION, 4, "estimator is not one of perm_estimator")
  ESTIMATE(2, a, 2, estimator, PERM_ESTIMATOR_COUNT, PERM_ERROR_OPTION, 4, "estimator is not one of perm_estimator")
  ESTIMATE(2, a, 2, samples, -1, PERM_ERROR_OPTION, 4, "samples is negative, NaN or above 9e15")
  ESTIMATE(2, a, 2, samples, 1e16, PERM_ERROR_OPTION, 4, "samples is negative, NaN or above 9e15")
  ESTIMATE(2, a, 2, relative_error, -1, PERM_ERROR_OPTION, 4, "relative_error is negative or not finite")
  ESTIMATE(2, a, 2, relative_error, (double)INFINITY, PERM_ERROR_OPTION, 4, "relative_error is negative or not finite")
  ESTIMATE(2, a, 2, confidence, (double)NAN, PERM_ERROR_OPTION, 4, "confidence is not between 0 and 1")
  ESTIMATE(2, a, 2, confidence, 1, PERM_ERROR_OPTION, 4, "confidence is not between 0 and 1")
  ESTIMATE(-1, a, 2, samples, 512, PERM_ERROR_SIZE, 1, "n is negative or above PERM_ESTIMATE_MAX_N")
  ESTIMATE(PERM_ESTIMATE_MAX_N + 1, a, 30000, samples, 512, PERM_ERROR_SIZE, 1, "n is negative or above")
  ESTIMATE(2, NULL, 2, samples, 512, PERM_ERROR_NULL, 2, "a is NULL")
  ESTIMATE(2, a, 1, samples, 512, PERM_ERROR_STRIDE, 3, "smaller than the 2 columns")
  ESTIMATE(2, signs, 2, estimator, PERM_ESTIMATOR_SINKHORN, PERM_ERROR_UNSUPPORTED, 4, "without negative or complex")
  ESTIMATE(2, signs, 2, estimator, PERM_ESTIMATOR_REJECTION, PERM_ERROR_UNSUPPORTED, 4, "without negative or complex")
  ESTIMATE(2, a, 2, estimator, (plan.relative_error = 1, PERM_ESTIMATOR_REJECTION), PERM_ERROR_OPTION, 4, "below 1")
  ESTIMATE(2, a, 2, estimator, (plan.confidence = 1 - 1e-10, PERM_ESTIMATOR_REJECTION), PERM_ERROR_OPTION, 4,
           "1 - 1e-9")
#undef ESTIMATE
  CHECK(!strcmp(perm_name("estimator", (perm_estimator)-1), "unknown"));
  CHECK(!strcmp(perm_name("estimator", PERM_ESTIMATOR_COUNT), "unknown"));
  {
    const int n = PERMI_REJECTION_MOST + 1;
    double *large = (double *)calloc((size_t)n * (size_t)n, sizeof *large);
    memset(&plan, 0, sizeof plan);
    plan.estimator = PERM_ESTIMATOR_REJECTION;
    CHECK(perm_estimate_real(n, large, n, &plan, NULL, &e) == PERM_ERROR_SIZE && e.argument == 1);
    CHECK_TEXT(e.message, "up to which estimator rejection goes; sinkhorn goes further");
    free(large);
  }
}

/* Samples and rook numbers of a 2 x 3 matrix, or of its transpose. */
TEST(t_refusals_samples_and_rooks)
{
  static size_t start[] = {0, 2, 4};
  static int column[] = {0, 1, 1, 2};
  static double real[] = {1, 2, 3, 0.5}, negative[] = {1, 2, -3, 1}, imaginary[] = {0, 0, 1, 0};
  static int64_t integer[] = {1, 2, 3, 4}, large[] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  perm_options options;
  perm_integer numbers[3];
  perm_matrix matrix;
  perm_result r;
  int drawn[8];
  memset(&matrix, 0, sizeof matrix);
  matrix.m = 2;
  matrix.n = 3;
  matrix.nnz = 4;
  matrix.row_start = start;
  matrix.column = column;
  matrix.kind = PERM_KIND_REAL;
  matrix.real = real;
#define SAMPLE(count, drawn) perm_sample_sparse(&matrix, &options, 1, 0, count, drawn, &r)
#define SAMPLE_REFUSED(field, value_) \
  memset(&options, 0, sizeof options); \
  options.field = value_;              \
  ARGUMENTS_BAD(SAMPLE(2, drawn), PERM_ERROR_UNSUPPORTED, 2, "samples take methods auto, tree")
  memset(&options, 0, sizeof options);
  CHECK(SAMPLE(2, drawn) == PERM_OK && drawn[0] != drawn[1]);
  CHECK(SAMPLE(0, NULL) == PERM_OK);
  ARGUMENTS_BAD(SAMPLE(2, NULL), PERM_ERROR_NULL, 6, "columns is NULL")
  ARGUMENTS_BAD(SAMPLE(UINT64_MAX, drawn), PERM_ERROR_SIZE, 5, "count is too large")
  SAMPLE_REFUSED(certify, 1)
  SAMPLE_REFUSED(tolerance, 0.1)
  SAMPLE_REFUSED(checkpoint.file, "build/none")
  SAMPLE_REFUSED(method, PERM_METHOD_HYBRID)
  SAMPLE_REFUSED(precision, PERM_PRECISION_DD)
  memset(&options, 0, sizeof options);
  CHECK(SAMPLE(2, drawn) == PERM_OK);
  matrix.real = negative;
  ARGUMENTS_BAD(SAMPLE(2, drawn), PERM_ERROR_UNSUPPORTED, 1, "row 2, column 2 (counted from 1) has -3: entries below 0")
  matrix.real = real;
  matrix.imaginary = imaginary;
  matrix.kind = PERM_KIND_COMPLEX;
  ARGUMENTS_BAD(SAMPLE(2, drawn), PERM_ERROR_UNSUPPORTED, 1, "row 2, column 2 (counted from 1) has 1 i: ")
#undef SAMPLE
#undef SAMPLE_REFUSED
  memset(&options, 0, sizeof options);
#define ROOK() perm_rook_numbers(&matrix, &options, numbers, &r)
  ARGUMENTS_BAD(ROOK(), PERM_ERROR_UNSUPPORTED, 1, "rook numbers are of integers")
  matrix.kind = PERM_KIND_REAL;
  ARGUMENTS_BAD(ROOK(), PERM_ERROR_UNSUPPORTED, 1, "rook numbers are of integers")
  matrix.kind = PERM_KIND_INTEGER;
  matrix.integer = integer;
  CHECK(ROOK() == PERM_OK && numbers[0].word[0] == 1 && numbers[1].word[0] == 10 && numbers[2].word[0] == 15);
  numbers[2].words = 0;
  CHECK(perm_rook_numbers(&matrix, &options, numbers, NULL) == PERM_OK && numbers[2].word[0] == 15);
  ARGUMENTS_BAD(perm_rook_numbers(&matrix, &options, NULL, &r), PERM_ERROR_NULL, 3, "numbers is NULL")
  options.precision = PERM_PRECISION_DD;
  ARGUMENTS_BAD(ROOK(), PERM_ERROR_OPTION, 2, "rook numbers are exact, by method auto, frontier or exact")
  options.precision = PERM_PRECISION_EXACT;
  CHECK(ROOK() == PERM_OK && numbers[2].word[0] == 15);
  options.method = PERM_METHOD_TREE;
  ARGUMENTS_BAD(ROOK(), PERM_ERROR_OPTION, 2, "rook numbers are exact, by method auto, frontier or exact")
  options.method = PERM_METHOD_AUTO;
  options.checkpoint.file = "build/none";
  ARGUMENTS_BAD(ROOK(), PERM_ERROR_OPTION, 2, "have no checkpoints")
  options.checkpoint.file = NULL;
  matrix.integer = large; /* no word holds a sum of these, but a perm_integer does */
  CHECK(ROOK() == PERM_OK && numbers[1].words == 2 && numbers[1].word[1] == 1);
#undef ROOK
}

TEST(t_refusals_of_jobs)
{
  double a[36];
  perm_options options = {0};
  permi_dense_plan plan;
  perm_offer offer;
  perm_partial partial, other;
  perm_leaf leaf = {0};
  perm_job *job;
  perm_result r;
  char text[8] = "before";
  int proved = 7;
  job_matrix(6, a);
  job = job_make(6, a, &options, &plan);
  CHECK(perm_job_leaf(job, 0, &leaf) == PERM_OK);
  options.threads = -1;
#define RANGE_BAD(call, status_, argument_, text_) \
  CHECK((call) == (status_) && r.argument == (argument_)); \
  CHECK_TEXT(r.message, text_);
  RANGE_BAD(perm_job_range(NULL, 0, 0, 1, NULL, &partial, &r), PERM_ERROR_NULL, 1, "job is NULL")
  RANGE_BAD(perm_job_range(job, 0, 0, 1, NULL, NULL, &r), PERM_ERROR_NULL, 6, "partial is NULL")
  RANGE_BAD(perm_job_range(job, 0, 0, 1, &options, &partial, &r), PERM_ERROR_OPTION, 5, "threads is negative")
  RANGE_BAD(perm_job_range(job, -1, 0, 1, NULL, &partial, &r), PERM_ERROR_RANGE, 2, "leaf -1 has no chunks 0 to 1")
  RANGE_BAD(perm_job_range(job, 1, 0, 1, NULL, &partial, &r), PERM_ERROR_RANGE, 2, "leaf 1 has no chunks 0 to 1")
  RANGE_BAD(perm_job_range(job, 0, 1, 0, NULL, &partial, &r), PERM_ERROR_RANGE, 2, "leaf 0 has no chunks 1 to 0")
  RANGE_BAD(perm_job_range(job, 0, 0, leaf.chunks + 1, NULL, &partial, &r), PERM_ERROR_RANGE, 2, "leaf 0 has no chunks")
#undef RANGE_BAD
  CHECK(perm_job_range(job, 0, 0, leaf.chunks, NULL, &partial, NULL) == PERM_OK && partial.chunks == leaf.chunks);
  other = partial;
  other.exp2++;
  CHECK(perm_partial_merge(&other, &partial) == PERM_ERROR_STATE && other.chunks == partial.chunks);
  other = partial;
  other.fingerprint++;
  CHECK(perm_partial_merge(&other, &partial) == PERM_ERROR_STATE);
  CHECK(perm_job_explain(NULL, text, sizeof text) == 0 && !*text);
  CHECK(perm_job_explain(job, NULL, 0) == perm_job_explain(job, text, sizeof text) && strlen(text) < sizeof text);
  CHECK(perm_job_offer(NULL, 0, &offer) == PERM_ERROR_NULL && perm_job_offer(job, 0, NULL) == PERM_ERROR_NULL);
  CHECK(perm_job_offer(job, -1, &offer) == PERM_ERROR_RANGE && perm_job_offer(job, 1000, &offer) == PERM_ERROR_RANGE);
  CHECK(perm_job_precision(NULL, &proved) == PERM_PRECISION_DEFAULT && proved == 0);
  CHECK(perm_job_precision(job, NULL) == plan.precision);
  CHECK(!strcmp(perm_name("isa", (perm_isa)-1), "unknown") && !strcmp(perm_name("isa", PERM_ISA_COUNT), "unknown"));
  perm_job_free(job);
}

/* Without perm_cuda.cu, methods that go to a GPU are refused by its name, or computed here where they may be. */
TEST(t_refused_without_perm_cuda)
{
  static const perm_method method[] = {PERM_METHOD_HYBRID, PERM_METHOD_ARRAYS, PERM_METHOD_DENSE, PERM_METHOD_CODEGEN};
  perm_matrix matrix;
  perm_result r, here;
  size_t k;
  CHECK(perm_generate("er:20:0.4", 3, NULL, &matrix, &r) == PERM_OK);
  for (k = 0; k < sizeof method / sizeof *method; k++) {
    perm_options options = {0};
    options.method = method[k];
    options.isa = PERM_ISA_CUDA;
    options.gpu.devices = 1;
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_ERROR_DEVICE, "%s: %s", perm_name("method",
                                                                                                    method[k]),
               r.message);
    CHECK_SHOW(strstr(r.message, "compiled without PERM_WITH_CUDA"), "%s: %s", perm_name("method", method[k]),
               r.message);
    options.gpu.cpu_fallback = 1;
    CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_OK, "%s: %s", perm_name("method", method[k]),
               r.message);
    options.isa = PERM_ISA_AUTO;
    options.gpu.devices = 0;
    CHECK(perm_compute_sparse(&matrix, &options, &here) == PERM_OK && here.value == r.value && !r.gpus);
  }
  perm_matrix_free(&matrix);
}

/* The same of minors and batches; what is over before a GPU has started is computed here anyway. Proofs and sums over
   multiplicities have no GPU form: they are computed here whatever is asked. */
TEST(t_refused_dense_without_perm_cuda)
{
  static double a[20 * 20], out[20];
  static int64_t b[16 * 16];
  static const int counts[6] = {3, 2, 3, 2, 3, 2};
  perm_options options = {0};
  perm_job *job = NULL;
  perm_leaf leaf;
  perm_result r;
  int i;
  for (i = 0; i < 20 * 20; i++)
    a[i] = 0.5 + test_uniform();
  for (i = 0; i < 16 * 16; i++)
    b[i] = test_below(2);
  options.gpu.devices = 1;
  CHECK(perm_minors_real(14, 14, a, 20, NULL, NULL, 0, &options, out, &r) == PERM_OK && !r.gpus);
  options.isa = PERM_ISA_CUDA;
  CHECK(perm_minors_real(20, 20, a, 20, NULL, NULL, 0, &options, out, &r) == PERM_ERROR_DEVICE);
  CHECK(strstr(r.message, "compiled without PERM_WITH_CUDA") && out[0] != out[0]);
  CHECK(perm_minors_real(12, 12, a, 20, NULL, NULL, 0, &options, out, &r) == PERM_OK);
  CHECK(perm_batch_real(12, 2, a, 144, &options, out, &r) == PERM_ERROR_DEVICE);
  CHECK(strstr(r.message, "compiled without PERM_WITH_CUDA") && out[0] != out[0]);
  CHECK(t_proof_job(16, 1, b, 16, &options, &job, &r) == PERM_OK);
  CHECK(perm_job_leaf(job, 0, &leaf) == PERM_OK && leaf.isa != PERM_ISA_CUDA);
  perm_job_free(job);
  CHECK(perm_prove_integer(16, 16, b, 16, NULL, &options, &r) == PERM_OK && !r.gpus);
  options.method = PERM_METHOD_MULTIPLICITIES;
  CHECK(perm_compute_repeated_real(6, 6, a, 20, counts, counts, &options, &r) == PERM_OK && !r.gpus &&
        r.isa != PERM_ISA_CUDA);
  options.method = PERM_METHOD_AUTO;
  options.gpu.cpu_fallback = 1;
  CHECK(perm_minors_real(20, 20, a, 20, NULL, NULL, 0, &options, out, &r) == PERM_OK && out[0] > 0);
  CHECK(perm_batch_real(12, 2, a, 144, &options, out, &r) == PERM_OK && out[0] > 0);
}
/* SPDX-License-Identifier: MIT */
