/* >>floats, >>text_floats */
/* Dense sums in pairs of floats on a GPU, or its twin, against double-doubles: errors, estimates, bounds, bits. */
enum { FLOATS_UNIFORM, FLOATS_SIGNED, FLOATS_BINARY, FLOATS_INTEGERS, FLOATS_BLOCKS, FLOATS_NEAR_BLOCKS, FLOATS_ZEROS,
       FLOATS_PIVOTS, FLOATS_SCALED, FLOATS_WILD, FLOATS_HALF, FLOATS_KINDS };
static const char *const floats_name[] = {"U(0,1)", "U(-1,1)", "0/1", "integers", "blocks (1 1; 1 -1)", "near blocks",
                                          "zeros", "pivots 0 and 2^-21", "scaled lines", "wild", "half integers"};

static void floats_matrix(int kind, int n, double *a)
{
  double row[64], column[64];
  for (int i = 0; i < n; i++) {
    row[i] = ldexp(1 + test_uniform(), test_below(400) - 200);
    column[i] = ldexp(1 + test_uniform(), test_below(400) - 200);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double u = test_uniform(), s = 2 * u - 1;
      const int block = i / 2 == j / 2;
      double x = s;
      switch (kind) {
      case FLOATS_UNIFORM: x = u; break;
      case FLOATS_BINARY: x = u < 0.5 || i == j; break;
      case FLOATS_INTEGERS: x = test_below(2001) - 1000; break;
      case FLOATS_BLOCKS: x = block ? (i & j & 1 ? -1 : 1) * row[i / 2] : 0.01 * s * row[i / 2]; break;
      case FLOATS_NEAR_BLOCKS: x = block ? (i & j & 1 ? -1 : 1) * (1 + 1e-7 * s) : 1e-3 * s; break;
      case FLOATS_ZEROS: x = u < 0.6 && i != j ? 0 : s; break;
      case FLOATS_PIVOTS: x = (i + j) % 3 == 0 ? 0 : (i + j) % 3 == 1 ? ldexp(s, -20) : s; break;
      case FLOATS_SCALED: x = s * row[i] * column[j]; break;
      case FLOATS_WILD: x = ldexp(s, test_below(60) - 30); break;
      case FLOATS_HALF: x = i % 2 ? test_below(5) - 2 : s; break;
      }
      a[i * n + j] = x;
    }
}

/* Plans and makes a job as on a card of little FP64; `group` 1 or 4 changes the plan's. NULL: not in floats. */
static perm_job *floats_job(int n, const double *a, int certify, int group, perm_options *options,
                            permi_dense_plan *plan)
{
  perm_job *job = NULL;
  perm_result r;
  *options = cuda_options(PERM_PRECISION_DEFAULT, certify);
  options->tolerance = 1e9; /* whatever is to be expected */
  inside_floats_gain = 0;
  const perm_status status = inside_plan_real(n, n, a, n, options, plan, &r);
  inside_floats_gain = 2;
  CHECK_SHOW(status == PERM_OK, "%s", r.message);
  if (status != PERM_OK || plan->form != PERMI_FORM_FLOATS)
    return NULL;
  if (group && !plan->exact_rows)
    plan->group = group;
  CHECK(inside_job_real(plan, a, n, options, &job, &r) == PERM_OK);
  return job;
}

static int floats_compute(int n, const double *a, int certify, int group, perm_result *r)
{
  permi_dense_plan plan;
  perm_options options;
  perm_job *job = floats_job(n, a, certify, group, &options, &plan);
  perm_state *state = NULL;
  if (!job)
    return 0;
  CHECK(perm_state_create(job, &state) == PERM_OK);
  perm_job_execute(job, state, &options, r);
  CHECK_SHOW((r->status == PERM_OK || r->status == PERM_TOLERANCE_NOT_MET) && r->isa == PERM_ISA_CUDA, "%s",
             r->message);
  perm_state_free(state);
  perm_job_free(job);
  return 1;
}

static double floats_error(const perm_result *r, const perm_result *truth)
{
  return fabs(r->value - ldexp(truth->value, permi_int_exponent(truth->exp2 - r->exp2)));
}

/* Returns error / estimate, or / bound if certified, less what the truth may be off; below 0: not in floats. way 0:
   groups of 4, 1: one row, 2: certified. */
static double floats_ratio(int n, const double *a, int way, const char *name)
{
  perm_options best = cuda_options(PERM_PRECISION_DD, 0);
  perm_result truth, r;
  best.isa = PERM_ISA_AUTO;
  best.gpu.devices = 0;
  truth = cuda_compute(n, 1, a, &best);
  CHECK_SHOW(truth.status >= 0, "%s", truth.message);
  if (!floats_compute(n, a, way == 2, way == 0 ? 4 : 1, &r))
    return -1;
  const double slack = ldexp(truth.error_bound, permi_int_exponent(truth.exp2 - r.exp2)) +
                       2 * PERMI_UNIT * fabs(r.value);
  const double error = fmax(0, floats_error(&r, &truth) - slack);
  CHECK_SHOW(error <= r.error_bound, "%s n %d way %d: %.17g, error %g, bound %g", name, n, way, r.value, error,
             r.error_bound);
  CHECK_SHOW(way < 2 || r.error_bound < (double)INFINITY, "%s n %d: no bound", name, n);
  CHECK_SHOW(error <= 10 * r.error_estimate, "%s n %d way %d: %.17g, error %g, estimate %g", name, n, way, r.value,
             error, r.error_estimate);
  return error == 0 ? 0 : error / (way == 2 ? r.error_bound : r.error_estimate);
}

/* `rounds` matrices of a kind: errors within estimates and bounds, or only the latter (PERM_FLOATS_BOUNDS set). */
static void floats_against_cpu(int kind, int n, int rounds)
{
  static double a[64 * 64];
  double worst[3] = {0, 0, 0};
  const int first = getenv("PERM_FLOATS_BOUNDS") ? 2 : 0, ways = 3 - first;
  int above = 0, ran = 0;
  for (int round = 0; round < rounds; round++) {
    floats_matrix(kind, n, a);
    for (int way = first; way < 3; way++) {
      const double ratio = floats_ratio(n, a, way, floats_name[kind]);
      ran += ratio >= 0;
      above += ratio > 1;
      worst[way] = fmax(worst[way], ratio);
    }
  }
  /* about one wild matrix of a hundred has, scaled, a column of pivots */
  CHECK_SHOW(kind == FLOATS_WILD ? ran % ways == 0 && ran <= ways * (1 + rounds / 20) : ran == ways * rounds,
             "%s n %d: %d", floats_name[kind], n, ran);
  if (test_verbose)
    printf("  %-19s n %d, %d: error / estimate at most %.2g (groups of 4), %.2g (one row), above it %d; / bound %.2g\n",
           floats_name[kind], n, ran / ways, worst[0], worst[1], above, worst[2]);
}

/* Sets b to a with some of its n x columns numbers moved. */
static void floats_moved(int n, int columns, const double *a, double *b)
{
  const int what = test_below(7);
  memcpy(b, a, (size_t)(n * columns) * sizeof *b);
  for (int k = test_below(3); k >= 0; k--) {
    const int i = test_below(n), j = test_below(columns);
    double *row = b + i * columns, *x = row + j, sum = 0;
    for (int c = 0; c < columns; c++) {
      sum += c == j ? 0 : row[c] * (test_below(2) ? 1 : -1);
      row[c] = what == 5 ? a[(i + 1) % n * columns + c] : row[c];
    }
    *x = what == 0   ? 2 * test_uniform() - 1
         : what == 1 ? *x * (0.9 + 0.2 * test_uniform())
         : what == 2 ? -*x
         : what == 3 ? 0
         : what == 4 ? *x * (1 + 1e-6 * (test_uniform() - 0.5))
         : what == 6 ? sum
                     : *x;
  }
}

/* Climbs from matrices of every kind to the largest ratio, by `count` of them. */
static double floats_climb(int way, long count)
{
  static double a[13 * 13], b[13 * 13];
  const int n = 13;
  double top = 0;
  while (count > 0) {
    const int kind = test_below(FLOATS_KINDS);
    int stale = 0;
    floats_matrix(kind == FLOATS_WILD ? FLOATS_BLOCKS : kind, n, a);
    double best = floats_ratio(n, a, way, "climbed");
    for (; count > 0 && stale < 120; count--) {
      floats_moved(n, n, a, b);
      const double ratio = floats_ratio(n, b, way, "climbed");
      stale = ratio > best ? 0 : stale + 1;
      if (ratio > best)
        memcpy(a, b, sizeof a);
      best = fmax(best, ratio);
    }
    top = fmax(top, best);
  }
  return top;
}

/* The environment's PERM_FLOATS: so many matrices of each kind and order (8000: 144,000 bounds). */
TEST(t_cuda_twin_floats_against_cpu)
{
  const int rounds = getenv("PERM_FLOATS") ? atoi(getenv("PERM_FLOATS")) : 12;
  perm_cuda_test_driver(1);
  for (int kind = 0; kind < FLOATS_KINDS; kind++)
    for (int n = 13; n <= 14; n++)
      floats_against_cpu(kind, n, rounds);
  floats_against_cpu(FLOATS_SIGNED, 16, 3);
  floats_against_cpu(FLOATS_UNIFORM, 17, 2);
  perm_cuda_test_driver(0);
}

/* PERM_FLOATS: a hundred times so many each way (1000: 10^5, three minutes each). */
TEST(t_cuda_twin_floats_climbed)
{
  const long count = getenv("PERM_FLOATS") ? 100 * atol(getenv("PERM_FLOATS")) : 400;
  perm_cuda_test_driver(1);
  for (int way = 0; way < 3; way++) {
    const double top = floats_climb(way, count);
    CHECK_SHOW(way == 2 ? top <= 1 : top < 3, "way %d: %g", way, top);
    if (test_verbose)
      printf("  way %d: error / %s climbed to %.2g\n", way, way == 2 ? "bound" : "estimate", top);
  }
  perm_cuda_test_driver(0);
}

/* Complex numbers: within estimates, the same bits in pieces and on any number of GPUs, planned up to order 56. */
static perm_job *floats_complex_job(int n, const double *a, perm_options *options, permi_dense_plan *plan)
{
  perm_job *job = NULL;
  perm_result r;
  *options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  options->tolerance = 1e9;
  inside_floats_gain = 0;
  CHECK(inside_plan_complex(n, n, a, n, options, plan, &r) == PERM_OK);
  CHECK((plan->form == PERMI_FORM_FLOATS) == (n <= 56));
  inside_floats_gain = 2;
  CHECK(inside_job_complex(plan, a, n, options, &job, &r) == PERM_OK);
  return job;
}

static void floats_complex(int n, int rounds)
{
  static double a[2 * 24 * 24];
  double worst = 0;
  for (int round = 0; round < rounds; round++) {
    perm_options options, best = cuda_options(PERM_PRECISION_DD, 0);
    permi_dense_plan plan;
    perm_state *state = NULL;
    perm_partial pieces, piece;
    perm_result r, again, truth;
    best.isa = PERM_ISA_AUTO;
    best.gpu.devices = 0;
    cuda_matrix(round % 5 == 2 ? CUDA_ONES : round % 5, n, 2, a); /* uniform, signed, integers without imaginary .. */
    for (int i = 0; i < n && round % 2; i++)
      a[2 * (i * n + test_below(n))] = a[2 * (i * n + 1) + 1] = 0;
    truth = cuda_compute(n, 2, a, &best);
    perm_job *job = floats_complex_job(n, a, &options, &plan);
    CHECK(perm_state_create(job, &state) == PERM_OK);
    perm_job_execute(job, state, &options, &r);
    perm_state_free(state);
    const double scale = ldexp(1, permi_int_exponent(truth.exp2 - r.exp2));
    const double error = permi_modulus(r.value - truth.value * scale, r.imaginary - truth.imaginary * scale);
    CHECK_SHOW(r.status >= 0 && r.isa == PERM_ISA_CUDA && error <= 10 * r.error_estimate &&
                   r.error_bound == (double)INFINITY,
               "n %d round %d: error %g, estimate %g: %s", n, round, error, r.error_estimate, r.message);
    worst = r.error_estimate > 0 ? fmax(worst, error / r.error_estimate) : worst;
    memset(&pieces, 0, sizeof pieces);
    for (uint64_t chunk = plan.chunks; chunk-- > 0;) {
      memset(&piece, 0, sizeof piece);
      CHECK(perm_job_run(job, 0, chunk, chunk + 1, &piece) == PERM_OK);
      CHECK(perm_partial_merge(&pieces, &piece) == PERM_OK);
    }
    CHECK(perm_job_finish(job, &pieces, &again) >= 0 && cuda_same_bits(&r, &again));
    perm_job_free(job);
  }
  if (test_verbose)
    printf("  complex n %d, %d: error / estimate at most %.2g\n", n, rounds, worst);
}

TEST(t_cuda_gpu_floats_complex)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  floats_complex(18, 5);
}

TEST(t_cuda_twin_floats_complex)
{
  const int rounds = getenv("PERM_FLOATS") ? atoi(getenv("PERM_FLOATS")) : 20;
  perm_cuda_test_driver(2);
  floats_complex(13, rounds);
  floats_complex(14, rounds);
  floats_complex(16, 3);
  perm_cuda_test_driver(0);
}

/* Sums of 0/1 matrices and small integers that fit 48 bits are exact; planning says how entries are held. */
TEST(t_cuda_twin_floats_exact)
{
  static double a[64 * 64];
  perm_options best = cuda_options(PERM_PRECISION_DD, 0);
  best.isa = PERM_ISA_AUTO;
  best.gpu.devices = 0;
  perm_cuda_test_driver(1);
  for (int n = 13; n <= 20; n++) {
    permi_dense_plan plan;
    perm_options options;
    perm_result r, truth;
    floats_matrix(FLOATS_BINARY, n, a);
    perm_job *job = floats_job(n, a, 0, 0, &options, &plan);
    CHECK(job && plan.exact_rows == 1 && plan.group == 1);
    perm_job_free(job);
    CHECK(floats_compute(n, a, 1, 0, &r) && r.error_bound < (double)INFINITY);
    truth = cuda_compute(n, 1, a, &best);
    CHECK_SHOW(n > 16 || (r.value == truth.value && r.exp2 == truth.exp2), "n %d: %.17g, %.17g", n, r.value,
               truth.value);
    a[0] += 0x1p-40;
    job = floats_job(n, a, 1, 0, &options, &plan);
    CHECK(job && plan.exact_rows == 0 && plan.group == 1);
    perm_job_free(job);
  }
  perm_cuda_test_driver(0);
}

/* Where floats are planned: by the card's ratio and the wish, never for complex numbers, dd and small pivots. */
TEST(t_cuda_floats_plans)
{
  static double a[2 * 64 * 64];
  for (int n = 12; n <= 64; n++) {
    perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
    permi_dense_plan plan, other;
    perm_result r;
    floats_matrix(FLOATS_SIGNED, n, a);
    options.isa = n < 13 ? PERM_ISA_AUTO : options.isa;
    for (int way = 0; way < 6; way++) {
      options.precision = way == 4 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
      options.certify = way == 2;
      options.tolerance = way == 1 ? 0 : way == 3 ? 1e-12 : 1;
      inside_floats_gain = way == 5 ? 2 : 0;
      CHECK(inside_plan_real(n, n, a, n, &options, &plan, &r) == PERM_OK);
      inside_floats_gain = 2;
      const int takes = way == 0 || (way == 1 && n < 47) || (way == 2 && n < 63);
      CHECK_SHOW((plan.form == PERMI_FORM_FLOATS) == (n >= 13 && takes), "n %d way %d form %d", n, way,
                 (int)plan.form);
      if (plan.form != PERMI_FORM_FLOATS)
        continue;
      CHECK(plan.isa == PERM_ISA_CUDA && plan.group == (way == 2 ? 1 : 4) && plan.outer_columns == n - 2);
      CHECK(plan.chunk_log2 >= 7 && plan.chunk_log2 <= 19);
      CHECK(inside_plan_real(n, n, a, n, &options, &other, &r) == PERM_OK && other.fingerprint != plan.fingerprint);
    }
  }
}

/* On a simulated RTX 4090 floats are planned, in the card's time; what they leave to wish goes to doubles. */
TEST(t_cuda_twin_floats_on_a_card)
{
  static const int card[5] = {128, 2520000, 32, 10501000, 384}; /* 64; the twin is of sm_22, half the lanes */
  static double a[64 * 64], whole[20 * 20];
  perm_options options;
  permi_dense_plan plan;
  perm_result r, truth;
  perm_job *job = NULL;
  char text[512];
  memset(&options, 0, sizeof options);
  options.gpu.devices = 1;
  floats_matrix(FLOATS_UNIFORM, 40, a);
  perm_cuda_test_driver(1); /* tells nothing: as an H200 */
  CHECK(inside_plan_real(40, 40, a, 40, &options, &plan, &r) == PERM_OK && plan.form == PERMI_FORM_NORMALISED);
  perm_cuda_test_card(card);
  perm_cuda_test_driver(1);
  CHECK(inside_plan_real(40, 40, a, 40, &options, &plan, &r) == PERM_OK && plan.form == PERMI_FORM_FLOATS);
  const double expected = ldexp(40, 39) / (3.9e12 / permi_gpu_slower(PERM_GPU_32));
  CHECK_SHOW(plan.seconds < 1.3 * expected && plan.seconds > expected, "%g s, not %g", plan.seconds, expected);
  CHECK(perm_job_real(40, 40, a, 40, &options, &job, &r) == PERM_OK);
  perm_job_explain(job, text, sizeof text);
  CHECK_SHOW(strstr(text, "in pairs of floats, some 7 digits; in doubles: 5") != NULL, "%s", text);
  perm_job_free(job);
  inside_floats_gain = 0; /* compilers take longer than order 18 */
  for (int k = 0; k < 30 && (!k || r.error_estimate < 1e-10 * fabs(r.value)); k++) {
    floats_matrix(FLOATS_SIGNED, 18, a);
    options = cuda_options(PERM_PRECISION_DEFAULT, 0);
    r = cuda_compute(18, 1, a, &options);
  }
  perm_matrix matrix; /* the same, and a block of permanent 1 */
  memset(whole, 0, sizeof whole);
  for (int i = 0; i < 18; i++)
    memcpy(whole + 20 * i, a + 18 * i, 18 * sizeof *a);
  whole[18 * 20 + 18] = whole[18 * 20 + 19] = whole[19 * 20 + 18] = 0.5;
  whole[19 * 20 + 19] = 1.5;
  CHECK(perm_matrix_from_dense(20, 20, whole, 20, NULL, &matrix, &r) == PERM_OK);
  for (int k = 0; k < 6; k++) {
    const int way = k / 2;
    options = cuda_options(way == 2 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT, 0);
    options.tolerance = way == 1 ? 1e-10 : 1;
    r = k % 2 ? cuda_compute_sparse(&matrix, &options) : cuda_compute(18, 1, a, &options);
    truth = way == 0 ? r : truth;
    CHECK_SHOW(r.status == PERM_OK && r.isa == PERM_ISA_CUDA && r.escalated == (way == 1) &&
                   r.precision == options.precision && (strstr(r.message, "floats") != NULL) == (way == 0),
               "sparse %d, way %d: escalated %d: %s", k % 2, way, r.escalated, r.message);
    CHECK(r.error_estimate <= options.tolerance * fabs(r.value));
    CHECK(fabs(r.value - truth.value) <= truth.error_estimate);
  }
  perm_matrix_free(&matrix);
  inside_floats_gain = 2;
  perm_cuda_test_card(NULL);
  perm_cuda_test_driver(0);
}

/* Ranges in any order and any number of GPUs: the same bits. */
static void floats_determinism(int n, int most_gpus)
{
  static double a[64 * 64];
  floats_matrix(FLOATS_SIGNED, n, a);
  for (int way = 0; way < 3; way++) {
    permi_dense_plan plan;
    perm_options options;
    perm_result first, again;
    perm_partial pieces, piece;
    perm_job *job = floats_job(n, a, way == 2, way ? 1 : 4, &options, &plan);
    CHECK(job != NULL && floats_compute(n, a, way == 2, way ? 1 : 4, &first));
    for (int gpus = 1; job && gpus <= most_gpus; gpus++) {
      perm_state *state = NULL;
      options.gpu.devices = gpus;
      CHECK(perm_state_create(job, &state) == PERM_OK);
      perm_job_execute(job, state, &options, &again);
      CHECK_SHOW(cuda_same_bits(&first, &again), "n %d way %d, %d GPUs", n, way, gpus);
      perm_state_free(state);
    }
    const uint64_t width = plan.chunks / 7 + 1;
    memset(&pieces, 0, sizeof pieces);
    for (uint64_t begin = (plan.chunks - 1) / width * width; job; begin -= width) { /* from the last to the first */
      memset(&piece, 0, sizeof piece);
      CHECK(perm_job_run(job, 0, begin, begin + width < plan.chunks ? begin + width : plan.chunks, &piece) == PERM_OK);
      CHECK(perm_partial_merge(&pieces, &piece) == PERM_OK);
      if (begin == 0)
        break;
    }
    CHECK(perm_job_finish(job, &pieces, &again) == PERM_OK);
    CHECK_SHOW(cuda_same_bits(&first, &again), "n %d way %d in pieces", n, way);
    perm_job_free(job);
  }
}

TEST(t_cuda_twin_floats_determinism)
{
  perm_cuda_test_driver(4);
  floats_determinism(19, 4);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_floats_determinism)
{
  const int gpus = cuda_real_gpus();
  if (!gpus)
    SKIP("no GPU, driver or NVRTC");
  floats_determinism(27, gpus);
}

TEST(t_cuda_gpu_floats_against_cpu)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  for (int kind = 0; kind < FLOATS_KINDS; kind++)
    floats_against_cpu(kind, 18, 6);
  floats_against_cpu(FLOATS_UNIFORM, 24, 2);
}

/* Whole sums, and single chunks of large orders: the GPU's bits are the twin's. */
TEST(t_cuda_gpu_floats_have_the_bits_of_their_twin)
{
  static const int sizes[] = {13, 16, 17, 29, 36, 40, 46, 47, 48, 56, 62, 64};
  static double a[2 * 64 * 64];
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  for (int k = 0; k < (int)(sizeof sizes / sizeof sizes[0]); k++)
    for (int way = 0; way < (sizes[k] > 56 ? 4 : 5); way++) { /* groups of 4, 1, majorants, on the grid, complex */
      const int n = sizes[k], whole = n < 20;
      permi_dense_plan plan;
      perm_options options;
      perm_partial gpu, twin;
      floats_matrix(way == 3 ? FLOATS_BINARY : k % 3 == 0 ? FLOATS_ZEROS : FLOATS_SIGNED, n, a);
      if (way == 4)
        cuda_matrix(CUDA_SPARSE, n, 2, a);
      perm_job *job = way == 4 ? floats_complex_job(n, a, &options, &plan)
                               : floats_job(n, a, way == 2, way == 0 ? 4 : 1, &options, &plan);
      CHECK_SHOW(job != NULL, "n %d way %d", n, way);
      if (!job)
        continue;
      const uint64_t begin = whole ? 0 : plan.chunks / 3, end = whole ? plan.chunks : begin + 2;
      memset(&gpu, 0, sizeof gpu);
      memset(&twin, 0, sizeof twin);
      perm_cuda_test_driver(0);
      CHECK(perm_job_run(job, 0, begin, end, &gpu) == PERM_OK);
      perm_cuda_test_driver(1);
      CHECK(perm_job_run(job, 0, begin, end, &twin) == PERM_OK);
      CHECK_SHOW(!memcmp(&gpu, &twin, sizeof gpu), "n %d way %d", n, way);
      perm_job_free(job);
    }
  perm_cuda_test_driver(0);
}

/* NVRTC takes the source of every kind of kernel; with the environment's PERM_CUDA_KEEP, machine code for the
   architectures of instructions.sh goes to build/floats_*.cubin. */
TEST(t_cuda_floats_compile)
{
  static const int archs[] = {90, 86, 89, 103, 120};
  static double a[2 * 64 * 64];
  const int keep = getenv("PERM_CUDA_KEEP") != NULL;
  for (int arch = 0; arch < (keep ? 5 : 1); arch++)
    for (int way = 0; way < 6; way++) { /* 4: FP64, 5: complex */
      const int n = keep ? 40 : 14;
      char message[PERM_MESSAGE_BYTES] = "", name[64];
      permi_dense_plan plan;
      perm_options options;
      perm_result r;
      size_t size = 0;
      floats_matrix(way == 3 ? FLOATS_BINARY : FLOATS_SIGNED, n, a);
      if (way == 5)
        cuda_matrix(CUDA_SIGNED, n, 2, a);
      perm_job *job = way < 4    ? floats_job(n, a, way == 2, way == 0 ? 4 : 1, &options, &plan)
                      : way == 5 ? floats_complex_job(n, a, &options, &plan)
                                 : NULL;
      options = cuda_options(PERM_PRECISION_DEFAULT, 0);
      if (way == 4)
        CHECK(inside_plan_real(n, n, a, n, &options, &plan, &r) == PERM_OK &&
              inside_job_real(&plan, a, n, &options, &job, &r) == PERM_OK);
      CHECK(job != NULL);
      char *image = perm_cuda_test_compile(&((const permi_gpu *)job->leaf[0].context)->work, archs[arch], &size,
                                           message);
      perm_job_free(job);
      if (!image && strstr(message, "no NVRTC"))
        SKIP("no NVRTC");
      CHECK_SHOW(image && size > 1000, "sm_%d way %d: %s", archs[arch], way, message);
      snprintf(name, sizeof name, "build/floats_sm%d_%d.cubin", archs[arch], way);
      FILE *file = image && keep ? fopen(name, "wb") : NULL;
      if (file && fwrite(image, 1, size, file) == size)
        fclose(file);
      free(image);
    }
}
/* SPDX-License-Identifier: MIT */
