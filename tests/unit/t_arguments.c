/* >>check, >>control, >>types, >>names, >>compute */
/* What the public functions do not take: each refuses by name, says which argument it was, and yields no number. */

/* The last result says that much. */
#define ARGUMENTS_BAD(call, status_, argument_, text_)                                                                 \
  CHECK_SHOW((call) == (status_) && r.status == (status_), "%s: %s", text_, r.message);                                \
  CHECK_SHOW(r.argument == (argument_), "%s: argument %d, not %d", r.message, r.argument, argument_);                  \
  CHECK(isnan(r.value) && r.error_bound == (double)INFINITY);                                                          \
  CHECK_TEXT(r.message, text_);

TEST(t_arguments_null)
{
  double a[36], minors[6];
  unsigned char bytes[PERM_PARTIAL_BYTES];
  const int counts[2] = {1, 1};
  perm_options options = {0};
  permi_dense_plan plan;
  perm_job *job;
  perm_state *state = NULL, *other = NULL;
  perm_partial partial;
  perm_leaf leaf;
  perm_matrix matrix;
  perm_result r;
  uint64_t begin, end;
  char text[8] = "before";
  job_matrix(6, a);
  job = job_make(6, a, &options, &plan);
  memset(&partial, 0, sizeof partial);
  CHECK(perm_job_leaf(NULL, 0, &leaf) == PERM_ERROR_NULL && perm_job_leaf(job, 0, NULL) == PERM_ERROR_NULL);
  CHECK(perm_job_leaf(job, -1, &leaf) == PERM_ERROR_RANGE && perm_job_leaf(job, 1, &leaf) == PERM_ERROR_RANGE);
  CHECK(perm_job_fingerprint(NULL) == 0 && perm_job_fingerprint(job) != 0);
  CHECK(perm_job_run(NULL, 0, 0, 1, &partial) == PERM_ERROR_NULL);
  CHECK(perm_job_run(job, 0, 0, 1, NULL) == PERM_ERROR_NULL);
  CHECK(perm_job_run(job, 1, 0, 1, &partial) == PERM_ERROR_RANGE && !partial.chunks);
  CHECK(perm_partial_merge(NULL, &partial) == PERM_ERROR_NULL && perm_partial_merge(&partial, NULL) == PERM_ERROR_NULL);
  CHECK(perm_partial_encode(&partial, bytes, sizeof bytes) == sizeof bytes);
  CHECK(perm_partial_decode(NULL, sizeof bytes, &partial) == PERM_ERROR_NULL);
  CHECK(perm_partial_decode(bytes, sizeof bytes, NULL) == PERM_ERROR_NULL);
  CHECK(perm_state_create(NULL, &state) == PERM_ERROR_NULL && perm_state_create(job, NULL) == PERM_ERROR_NULL);
  CHECK(perm_state_create(job, &state) == PERM_OK);
  CHECK(perm_state_left(job, NULL, 0, 0, &begin, &end) == PERM_ERROR_NULL);
  CHECK(perm_state_left(job, state, 0, 0, &begin, NULL) == PERM_ERROR_NULL);
  CHECK(perm_state_finish(job, state, NULL) == PERM_ERROR_NULL);
  CHECK(perm_job_execute(job, state, NULL, NULL) == PERM_ERROR_NULL);
  CHECK(perm_job_finish(job, &partial, NULL) == PERM_ERROR_NULL);
  ARGUMENTS_BAD(perm_job_finish(NULL, &partial, &r), PERM_ERROR_NULL, 1, "job is NULL")
  ARGUMENTS_BAD(perm_job_finish(job, NULL, &r), PERM_ERROR_NULL, 2, "partials is NULL")
  ARGUMENTS_BAD(perm_checkpoint_write(job, NULL, "build/none", NULL, &r), PERM_ERROR_NULL, 2, "state is NULL")
  ARGUMENTS_BAD(perm_checkpoint_write(job, state, NULL, NULL, &r), PERM_ERROR_NULL, 3, "path is NULL")
  ARGUMENTS_BAD(perm_checkpoint_read(NULL, "build/none", NULL, &other, &r), PERM_ERROR_NULL, 1, "job is NULL")
  ARGUMENTS_BAD(perm_checkpoint_read(job, NULL, NULL, &other, &r), PERM_ERROR_NULL, 2, "path is NULL")
  ARGUMENTS_BAD(perm_checkpoint_read(job, "build/none", NULL, NULL, &r), PERM_ERROR_NULL, 4, "state is NULL")
  ARGUMENTS_BAD(perm_checkpoint_options(NULL, &options, NULL, &r), PERM_ERROR_NULL, 1, "path is NULL")
  ARGUMENTS_BAD(perm_checkpoint_options("build/none", NULL, NULL, &r), PERM_ERROR_NULL, 2, "options is NULL")
  CHECK(!other);
  CHECK(perm_compute_repeated_real(2, 2, a, 2, counts, counts, NULL, NULL) == PERM_ERROR_NULL);
  CHECK(perm_minors_real(2, 2, a, 2, NULL, NULL, 0, NULL, minors, NULL) == PERM_ERROR_NULL);
  CHECK(perm_compute_sparse(NULL, NULL, NULL) == PERM_ERROR_NULL);
  CHECK(perm_matrix_from_triplets(2, 2, 1, NULL, counts, NULL, NULL, NULL, PERM_KIND_PATTERN, NULL, &matrix, &r) ==
        PERM_ERROR_NULL && r.argument == 4);
  CHECK(perm_result_text(NULL, text, sizeof text) == 0 && !text[0]);
  perm_state_free(state);
  perm_job_free(job);
}

TEST(t_arguments_options)
{
  static double a[65 * 65];
  static const int64_t whole[4] = {1, 2, 3, 4};
  const int counts[2] = {1, 1}, row[2] = {0, 1}, column[2] = {0, 1};
  perm_options options;
  perm_job *job;
  perm_matrix matrix;
  perm_result r;
  int i, isa;
  for (i = 0; i < 65 * 65; i++)
    a[i] = 1 + i % 7;
#define ARGUMENTS_OPTION(call, field, value_, status_, argument_, text_) \
  memset(&options, 0, sizeof options);                                   \
  options.field = value_;                                                \
  ARGUMENTS_BAD(call, status_, argument_, text_)
#define ARGUMENTS_DENSE(field, value_, text_) \
  ARGUMENTS_OPTION(perm_compute_real(2, 2, a, 2, &options, &r), field, value_, PERM_ERROR_OPTION, 5, text_)
  ARGUMENTS_DENSE(modulus, 1, "modulus is not between 2 and 2^63")
  ARGUMENTS_DENSE(modulus, (UINT64_C(1) << 63) + 1, "modulus is not between 2 and 2^63")
  ARGUMENTS_DENSE(checkpoint.file, "", "checkpoint.file is an empty name")
  ARGUMENTS_DENSE(threads, INT_MAX, "threads is above 65536")
  ARGUMENTS_DENSE(gpu.devices, -2, "gpu.devices is below -1")
  ARGUMENTS_DENSE(gpu.cpu_fallback, 2, "gpu.cpu_fallback is neither 0 nor 1")
  ARGUMENTS_DENSE(isa, PERM_ISA_CUDA, "isa cuda needs gpu.devices")
  for (isa = 1; isa < PERM_ISA_COUNT; isa++) /* Arm has no AVX2, x86 no NEON */
    if (isa != PERM_ISA_CUDA && !permi_isa_here((perm_isa)isa)) {
      ARGUMENTS_OPTION(perm_compute_real(2, 2, a, 2, &options, &r), isa, (perm_isa)isa, PERM_ERROR_UNSUPPORTED, 5,
                       "this machine has no")
      CHECK_TEXT(r.message, perm_name("isa", (perm_isa)isa));
    }
  ARGUMENTS_OPTION(perm_job_real(65, 65, a, 65, &options, &job, &r), method, PERM_METHOD_DENSE, PERM_ERROR_SIZE, 1,
                   "the matrix is 65 x 65; dense engines go up to order 64, perm_estimate_* further")
  ARGUMENTS_OPTION(perm_job_real(21, 21, a, 65, &options, &job, &r), method, PERM_METHOD_EXPANSION, PERM_ERROR_SIZE,
                   2, "n is 21; the expansion goes up to 20")
  ARGUMENTS_OPTION(perm_job_real(64, 64, a, 65, &options, &job, &r), method, PERM_METHOD_RYSER, PERM_ERROR_SIZE, 2,
                   "n is 64; Ryser's 2^n subsets go up to 63")
  memset(&options, 0, sizeof options);
  ARGUMENTS_BAD(perm_compute_repeated_real(-1, 2, a, 2, counts, counts, &options, &r), PERM_ERROR_SIZE, 1,
                "m is negative (-1 rows)")
  ARGUMENTS_BAD(perm_compute_repeated_real(2, -1, a, 2, counts, counts, &options, &r), PERM_ERROR_SIZE, 2,
                "n is negative (-1 columns)")
#define ARGUMENTS_REPEATED(field, value_, text_)                                                            \
  ARGUMENTS_OPTION(perm_compute_repeated_real(2, 2, a, 2, counts, counts, &options, &r), field, value_,      \
                   PERM_ERROR_UNSUPPORTED, 7, text_)
  ARGUMENTS_REPEATED(modulus, 97, "modulus is for integers")
  ARGUMENTS_REPEATED(precision, PERM_PRECISION_EXACT, "precision exact is for integers")
  ARGUMENTS_REPEATED(precision, PERM_PRECISION_KAHAN, "precision kahan is for square matrices without counts")
  ARGUMENTS_OPTION(perm_compute_repeated_integer(2, 2, whole, 2, counts, counts, &options, &r), precision,
                   PERM_PRECISION_DD, PERM_ERROR_UNSUPPORTED, 7, "integers are computed exactly")
  CHECK(perm_matrix_from_triplets(2, 2, 2, row, column, NULL, NULL, NULL, PERM_KIND_PATTERN, NULL, &matrix, &r) ==
        PERM_OK);
  ARGUMENTS_OPTION(perm_compute_sparse(&matrix, &options, &r), precision, PERM_PRECISION_KAHAN, PERM_ERROR_UNSUPPORTED,
                   2, "precision kahan")
  ARGUMENTS_OPTION((options.modulus = 97, perm_compute_sparse(&matrix, &options, &r)), precision, PERM_PRECISION_DD,
                   PERM_ERROR_OPTION, 2, "modulus goes with precision exact, not dd")
  matrix.kind = (perm_kind)9;
  ARGUMENTS_BAD(perm_compute_sparse(&matrix, NULL, &r), PERM_ERROR_OPTION, 1, "kind 9 is unknown")
  matrix.kind = PERM_KIND_PATTERN;
  perm_matrix_free(&matrix);
}

/* A stride whose rows would be more bytes than memory has is refused before an entry is read. */
TEST(t_arguments_strides)
{
  static double a[20 * 20];
  static const int64_t whole[4] = {1, 2, 3, 4};
  const ptrdiff_t far = PTRDIFF_MAX, double_rows = PTRDIFF_MAX / 8 + 1;
  const int row[2] = {0, 1};
  double out[400];
  perm_job *job;
  perm_matrix matrix;
  perm_estimate estimate;
  perm_result r;
  int i;
  for (i = 0; i < 400; i++)
    a[i] = 1 + i % 7;
#define ARGUMENTS_STRIDE(call, argument_) \
  ARGUMENTS_BAD(call, PERM_ERROR_STRIDE, argument_, "more bytes than memory has")
  ARGUMENTS_STRIDE(perm_compute_real(2, 3, a, far, NULL, &r), 4)
  ARGUMENTS_STRIDE(perm_compute_real(2, 2, a, double_rows, NULL, &r), 4)
  ARGUMENTS_STRIDE(perm_compute_real(20, 20, a, double_rows, NULL, &r), 4)
  ARGUMENTS_STRIDE(perm_compute_complex(2, 2, a, PTRDIFF_MAX / 16 + 1, NULL, &r), 4)
  ARGUMENTS_STRIDE(perm_compute_integer(2, 2, whole, double_rows, NULL, &r), 4)
  ARGUMENTS_STRIDE(perm_compute_gaussian(2, 1, whole, PTRDIFF_MAX / 16 + 1, NULL, &r), 4)
  ARGUMENTS_STRIDE(perm_compute_repeated_gaussian(2, 2, whole, far, NULL, NULL, NULL, &r), 4)
  ARGUMENTS_STRIDE(perm_job_gaussian(2, 1, whole, far, NULL, &job, &r), 4)
  ARGUMENTS_STRIDE(perm_compute_repeated_integer(2, 2, whole, double_rows, NULL, NULL, NULL, &r), 4)
  ARGUMENTS_STRIDE(perm_compute_repeated_real(2, 2, a, double_rows, NULL, NULL, NULL, &r), 4)
  ARGUMENTS_STRIDE(perm_job_real(20, 20, a, far, NULL, &job, &r), 4)
  ARGUMENTS_STRIDE(perm_job_integer(2, 2, whole, far, NULL, &job, &r), 4)
  ARGUMENTS_STRIDE(perm_compute_low_rank_real(2, 1, a, far, a, 2, NULL, &r), 4)
  ARGUMENTS_STRIDE(perm_compute_low_rank_real(2, 2, a, 2, a, far, NULL, &r), 6)
  ARGUMENTS_STRIDE(perm_minors_real(2, 2, a, far, NULL, NULL, 0, NULL, out, &r), 4)
  ARGUMENTS_STRIDE(perm_gradient_real(2, 2, a, double_rows, NULL, NULL, NULL, out, &r), 4)
  ARGUMENTS_STRIDE(perm_select_real(2, 2, a, double_rows, 2, 1, row, row, NULL, out, &r), 4)
  ARGUMENTS_STRIDE(perm_batch_real(3, SIZE_MAX, a, SIZE_MAX, NULL, out, &r), 4)
  ARGUMENTS_STRIDE(perm_batch_real_soa(3, 2, a, SIZE_MAX, NULL, out, &r), 4)
  ARGUMENTS_STRIDE(perm_matrix_from_dense(2, 2, a, double_rows, NULL, &matrix, &r), 4)
  CHECK(perm_estimate_real(2, a, far, NULL, NULL, &estimate) == PERM_ERROR_STRIDE && estimate.argument == 3);
  CHECK(perm_compute_real(1, 2, a, far, NULL, &r) == PERM_OK && r.value == a[0] + a[1]); /* no second row */
}

/* One row has no second one: its stride, of any size, takes part in nothing (sanitizers see where it does). */
TEST(t_arguments_strides_of_one_row)
{
  static const ptrdiff_t far[3] = {PTRDIFF_MAX, PTRDIFF_MAX / 2 + 1, PTRDIFF_MAX / 16};
  static const int64_t whole[4] = {3, 4, 5, 6};
  const double a[4] = {3, 4, 5, 6};
  const int one[1] = {1}, two[1] = {2}, ones[2] = {1, 1}, first[1] = {0};
  double out[8];
  int k;
  perm_options options = {0};
  perm_job *job;
  perm_matrix matrix;
  perm_estimate estimate;
  perm_result r;
#define ARGUMENTS_ROW(call, real, imaginary_) \
  CHECK_SHOW((call) == PERM_OK && r.value == (real) && r.imaginary == (imaginary_), "%g + %gi: %s", r.value, \
             r.imaginary, r.message)
  for (k = 0; k < 6; k++) {
    const ptrdiff_t ld = far[k % 3];
    options.precision = k < 3 ? PERM_PRECISION_DEFAULT : PERM_PRECISION_EXACT;
    options.checkpoint.seconds = k == 5 ? 60 : 0;
    ARGUMENTS_ROW(perm_compute_gaussian(1, 1, whole, ld, &options, &r), 3, 4);
    ARGUMENTS_ROW(perm_compute_gaussian(1, 2, whole, ld, &options, &r), 8, 10);
    ARGUMENTS_ROW(perm_compute_repeated_gaussian(1, 1, whole, ld, one, one, &options, &r), 3, 4);
    ARGUMENTS_ROW(perm_compute_repeated_gaussian(1, 2, whole, ld, two, ones, &options, &r), -18, 76);
    ARGUMENTS_ROW(perm_compute_integer(1, 1, whole, ld, &options, &r), 3, 0);
    ARGUMENTS_ROW(perm_compute_integer(1, 2, whole, ld, &options, &r), 7, 0);
    ARGUMENTS_ROW(perm_compute_repeated_integer(1, 2, whole, ld, two, ones, &options, &r), 24, 0);
    CHECK(perm_job_gaussian(1, 1, whole, ld, &options, &job, &r) == PERM_OK);
    perm_job_free(job);
    options.precision = PERM_PRECISION_DEFAULT;
    ARGUMENTS_ROW(perm_compute_real(1, 1, a, ld, &options, &r), 3, 0);
    ARGUMENTS_ROW(perm_compute_complex(1, 1, a, ld, &options, &r), 3, 4);
    ARGUMENTS_ROW(perm_compute_complex(1, 2, a, ld, &options, &r), 8, 10);
    ARGUMENTS_ROW(perm_compute_repeated_complex(1, 2, a, ld, two, ones, &options, &r), -18, 76);
    CHECK(perm_job_complex(1, 1, a, ld, &options, &job, &r) == PERM_OK);
    perm_job_free(job);
    ARGUMENTS_ROW(perm_compute_low_rank_complex(1, 1, a, ld, a, ld, NULL, &r), -7, 24);
    CHECK(perm_minors_complex(1, 2, a, ld, two, ones, 0, NULL, out, &r) == PERM_OK && out[0] == 5);
    CHECK(perm_gradient_complex(1, 1, a, ld, NULL, NULL, NULL, out, &r) == PERM_OK && out[0] == 1);
    CHECK(perm_select_complex(1, 2, a, ld, 1, 1, first, first, NULL, out, &r) == PERM_OK && out[0] == 3);
    CHECK(perm_estimate_complex(1, a, ld, NULL, NULL, &estimate) == PERM_OK && estimate.value == 3);
    CHECK(perm_matrix_from_dense(1, 2, a, ld, NULL, &matrix, &r) == PERM_OK && matrix.nnz == 2);
    perm_matrix_free(&matrix);
  }
}

/* Numbers as text: integers of two words, complex values with an exponent, names of what is none. */
TEST(t_arguments_texts)
{
  perm_integer integer;
  perm_result r;
  char text[64];
  memset(&integer, 0, sizeof integer);
  integer.words = 2;
  integer.negative = 1;
  integer.word[0] = integer.word[1] = UINT64_MAX;
  CHECK(perm_integer_text(&integer, text, sizeof text) == 40);
  CHECK(!strcmp(text, "-340282366920938463463374607431768211455"));
  memset(&r, 0, sizeof r);
  r.is_complex = 1;
  r.value = 1.5;
  r.imaginary = -0.25;
  CHECK(perm_result_text(&r, text, sizeof text) == 9 && !strcmp(text, "1.5-0.25i"));
  r.exp2 = 5000;
  CHECK(perm_result_text(&r, text, sizeof text) == 20 && !strcmp(text, "(1.5-0.25i) * 2^5000"));
  r.is_complex = 0;
  CHECK(perm_result_text(&r, text, sizeof text) == 12 && !strcmp(text, "1.5 * 2^5000"));
  memset(&integer, 0, sizeof integer);
  integer.words = -1;
  CHECK(perm_integer_text(&integer, text, sizeof text) == 0 && !text[0]);
  integer.words = PERM_INTEGER_WORDS + 1;
  CHECK(perm_integer_text(&integer, text, sizeof text) == 0);
  CHECK(perm_integer_text(NULL, text, sizeof text) == 0 && perm_integer_text(NULL, NULL, 64) == 0);
  integer.words = 0;
  CHECK(perm_integer_text(&integer, NULL, 64) == 1);
  CHECK(perm_amount_text("seconds", 1, NULL, 9) == 3 && perm_amount_text("bytes", 1, NULL, 9) == 6);
  CHECK(perm_amount_text("miles", 1, text, 9) == 0 && !text[0] && perm_amount_text(NULL, 1, text, 9) == 0);
  CHECK(perm_result_text(&r, NULL, 9) == 12);
  CHECK(perm_partial_encode(NULL, text, sizeof text) == 0);
  CHECK_TEXT(perm_name("status", (perm_status)77), "unknown");
  CHECK_TEXT(perm_name("precision", (perm_precision)77), "unknown");
  CHECK_TEXT(perm_name("isa", (perm_isa)77), "unknown");
}
/* SPDX-License-Identifier: MIT */
