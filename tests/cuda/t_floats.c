/* >>floats >>text_floats >>dense_gpu */
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
  inside_gpu_ratio = 64;
  const perm_status status = inside_plan_real(n, n, a, n, options, plan, &r);
  inside_gpu_ratio = 2;
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
  CHECK_SHOW(r->status == PERM_OK && r->isa == PERM_ISA_CUDA, "%s", r->message);
  perm_state_free(state);
  perm_job_free(job);
  return 1;
}

static double floats_error(const perm_result *r, const perm_result *truth)
{
  return fabs(r->value - ldexp(truth->value, permi_int_exponent(truth->exp2 - r->exp2)));
}

/* `rounds` matrices of a kind: errors within estimates and bounds. way 0: groups of 4, 1: one row, 2: certified. */
static void floats_against_cpu(int kind, int n, int rounds)
{
  static double a[64 * 64];
  double worst[3] = {0, 0, 0}, bound = 0, width = 0;
  int above[3] = {0, 0, 0}, ran = 0;
  for (int round = 0; round < rounds; round++) {
    perm_options best = cuda_options(PERM_PRECISION_DD, 0);
    perm_result truth, r;
    best.isa = PERM_ISA_AUTO;
    best.gpu.devices = 0;
    floats_matrix(kind, n, a);
    truth = cuda_compute(n, 1, a, &best);
    CHECK_SHOW(truth.status == PERM_OK, "%s", truth.message);
    for (int way = 0; way < 3; way++) {
      if (!floats_compute(n, a, way == 2, way == 0 ? 4 : 1, &r))
        continue;
      const double slack = ldexp(truth.error_bound, permi_int_exponent(truth.exp2 - r.exp2)) +
                           2 * PERMI_UNIT * fabs(r.value);
      const double error = fmax(0, floats_error(&r, &truth) - slack);
      ran++;
      CHECK_SHOW(error <= r.error_bound, "%s n %d way %d: %.17g, error %g, bound %g", floats_name[kind], n, way,
                 r.value, error, r.error_bound);
      CHECK_SHOW(way < 2 || r.error_bound < (double)INFINITY, "%s n %d: no bound", floats_name[kind], n);
      CHECK_SHOW(error <= 10 * r.error_estimate, "%s n %d way %d: %.17g, error %g, estimate %g", floats_name[kind], n,
                 way, r.value, error, r.error_estimate);
      above[way] += error > r.error_estimate;
      if (error > 0)
        worst[way] = fmax(worst[way], error / r.error_estimate);
      if (way == 2) {
        bound = fmax(bound, error / r.error_bound);
        width = fmax(width, r.error_bound / fabs(truth.value));
      }
    }
  }
  CHECK_SHOW(ran == 3 * rounds || kind == FLOATS_WILD || kind == FLOATS_BLOCKS, "%s n %d: %d", floats_name[kind], n,
             ran);
  if (test_verbose)
    printf("  %-19s n %d, %d: error / estimate at most %.2g (groups of 4), %.2g, %.2g (certified), above it %d %d %d; "
           "/ bound %.2g\n", floats_name[kind], n, ran / 3, worst[0], worst[1], worst[2], above[0], above[1], above[2],
           bound);
}

TEST(t_cuda_twin_floats_against_cpu)
{
  perm_cuda_test_driver(1);
  for (int kind = 0; kind < FLOATS_KINDS; kind++)
    for (int n = 13; n <= 14; n++)
      floats_against_cpu(kind, n, 12);
  floats_against_cpu(FLOATS_SIGNED, 16, 3);
  floats_against_cpu(FLOATS_UNIFORM, 17, 2);
  perm_cuda_test_driver(0);
}
