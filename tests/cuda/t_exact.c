/* >>exact_gpu, >>exact_device, >>text_exact */
/* Exact integers on a GPU, or its twin, against the CPU. */

/* ---- exact integers */
enum { WHOLE_ONES, WHOLE_SIGNS, WHOLE_THIN, WHOLE_SMALL, WHOLE_HUNDRED, WHOLE_MILLION, WHOLE_MIXED, WHOLE_62,
       WHOLE_EXTREME, WHOLE_SINGULAR, WHOLE_ODD, WHOLE_KINDS };
static const char *const whole_name[] = {"0/1",   "-1/0/1",  "0/1 thin", "[-9,9]",   "[-100,100]", "+-2^20",
                                         "mixed", "62 bits", "extreme",  "singular", "odd"};

static void whole_matrix(int kind, int n, int parts, int transposed, int64_t *a)
{
  int i, j, part;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (part = 0; part < parts; part++) {
        const int64_t wide = (int64_t)(((uint64_t)test_below(1 << 30) << 32) | (uint64_t)test_below(1 << 30) << 2);
        int64_t x = 0;
        switch (kind) {
        case WHOLE_ONES: x = test_below(2); break;
        case WHOLE_SIGNS: x = test_below(3) - 1; break;
        case WHOLE_THIN: x = test_below(4) == 0 || j == i; break;
        case WHOLE_SMALL: x = test_below(19) - 9; break;
        case WHOLE_HUNDRED: x = test_below(201) - 100; break;
        case WHOLE_MILLION: x = test_below(1 << 21) - (1 << 20); break;
        case WHOLE_MIXED: x = i % 4 == 0 ? test_below(3) - 1 : i % 4 == 1 ? test_below(2000) - 1000
                              : i % 4 == 2 ? test_below(1 << 28) - (1 << 27) : wide / 16; break;
        case WHOLE_62: x = test_below(2) ? wide : -wide; break;
        case WHOLE_EXTREME: x = test_below(3) ? INT64_MIN : test_below(2) ? INT64_MAX : 0; break;
        case WHOLE_SINGULAR: x = i == n - 1 ? a[j * parts + part] * (transposed ? -1 : 1) : test_below(5) - 2; break;
        default: x = 2 * test_below(2) - 1; /* n odd: no row sum is even */
        }
        a[(i * n + j) * parts + part] = x;
      }
  for (i = 0; i < n && transposed; i++)
    for (j = 0; j < i; j++)
      for (part = 0; part < parts; part++) {
        int64_t *x = &a[(i * n + j) * parts + part], *y = &a[(j * n + i) * parts + part], z = *x;
        *x = *y;
        *y = z;
      }
}

static perm_result whole_compute(int n, int parts, const int64_t *a, const perm_options *options)
{
  perm_result r;
  if (parts == 2)
    perm_compute_gaussian(n, n, a, n, options, &r);
  else
    perm_compute_integer(n, n, a, n, options, &r);
  return r;
}

static perm_options whole_options(int gpus)
{
  perm_options options = cuda_options(PERM_PRECISION_DEFAULT, 0);
  options.method = PERM_METHOD_EXACT;
  if (!gpus) {
    options.gpu.devices = 0;
    options.isa = PERM_ISA_AUTO;
  }
  return options;
}

static int whole_same(const perm_result *a, const perm_result *b)
{
  return a->exact && b->exact && !memcmp(&a->integer, &b->integer, sizeof a->integer) &&
         !memcmp(&a->imaginary_integer, &b->imaginary_integer, sizeof a->integer);
}

/* Another matrix with the same norms, for which the kernel is the same: lines change places and, if they may, signs. */
static void whole_vary(int n, int parts, int64_t *a)
{
  const int i = test_below(n), j = test_below(n), wide = parts * n;
  int k, part, may = 1;
  for (k = 0; k < n * wide; k++)
    may &= a[k] != INT64_MIN;
  for (k = 0; k < wide; k++) {
    const int64_t x = a[i * wide + k];
    a[i * wide + k] = a[j * wide + k];
    a[j * wide + k] = may ? -x : x;
  }
  for (k = 0; k < n; k++)
    for (part = 0; part < parts; part++) {
      int64_t *x = &a[(k * n + i) * parts + part], *y = &a[(k * n + (j + 1) % n) * parts + part], z = *x;
      *x = may ? -*y : *y;
      *y = z;
    }
}

/* Bit for bit what the CPU computes; `gpus`: devices of the twin, 0: the real ones, for which kernels are compiled:
   0.005 s a product of words. */
static void whole_against_cpu(int rounds, int variants, int most, int gpus)
{
  static int64_t a[2 * 64 * 64];
  int kind, parts, round, variant, skipped = 0, matrices = 0;
  for (kind = 0; kind < WHOLE_KINDS; kind++)
    for (parts = 1; parts <= 2; parts++)
      for (round = 0; round < rounds; round++) {
        const perm_options options = whole_options(1), none = whole_options(0);
        const int n = 13 + test_below((kind >= WHOLE_62 && (parts == 2 || !gpus) ? 13 : most) - 12);
        char text[1000] = "";
        perm_job *job = NULL;
        if (!gpus && parts == 2 && (kind == WHOLE_62 || kind == WHOLE_MIXED))
          continue;
        whole_matrix(kind, n, parts, (round + kind) & 1, a);
        for (variant = 0; variant < variants; variant++) {
          perm_result r, truth;
          if (variant)
            whole_vary(n, parts, a);
          perm_cuda_test_driver(gpus);
          r = whole_compute(n, parts, a, &options);
          truth = whole_compute(n, parts, a, &none);
          CHECK_SHOW(truth.status == PERM_OK && truth.gpus == 0, "%s", truth.message);
          CHECK_SHOW(r.status == PERM_OK &&
                         (truth.method != PERM_METHOD_EXACT || (r.isa == PERM_ISA_CUDA && r.gpus > 0)),
                     "%s parts %d n %d: %s (%s)", whole_name[kind], parts, n, r.message, perm_name("isa", r.isa));
          CHECK_SHOW(whole_same(&r, &truth), "%s parts %d n %d round %d, %d: %.17g, CPU %.17g", whole_name[kind], parts,
                     n, round, variant, r.value, truth.value);
          matrices++;
        }
        if (parts == 1 && perm_job_integer(n, n, a, n, &options, &job, NULL) == PERM_OK && perm_job_leaves(job))
          perm_job_explain(job, text, sizeof text);
        skipped += strstr(text, "zeros skipped") != NULL;
        if (test_verbose)
          printf("  %-10s %s", whole_name[kind], text[0] ? text : "\n");
        perm_job_free(job);
      }
  perm_cuda_test_driver(0);
  CHECK_SHOW(skipped > 0 && skipped < matrices, "%d of %d matrices by skipping zeros", skipped, matrices);
}

TEST(t_cuda_twin_exact)
{
  whole_against_cpu(3, 3, 15, 2);
}

TEST(t_cuda_gpu_exact)
{
  if (!cuda_real_gpus())
    SKIP("no GPU, driver or NVRTC");
  whole_against_cpu(1, 20, 18, 0);
}

/* The same for any number of GPUs, in pieces, resumed after faults and stops; a large matrix by chunks. */
static void whole_splits(int n, int kind, int parts, int most_gpus)
{
  static int64_t a[2 * 64 * 64];
  perm_options options = whole_options(1);
  perm_result first, r;
  perm_job *job = NULL;
  perm_state *state = NULL;
  perm_leaf leaf;
  perm_partial pieces, piece;
  volatile int cancel = 1;
  uint64_t begin, width;
  long call, failed = 0, ended = 0;
  int gpus, calls = 0, stops = 0;
  memset(&leaf, 0, sizeof leaf);
  whole_matrix(kind, n, parts, 0, a);
  options.gpu.devices = 1;
  first = whole_compute(n, parts, a, &options);
  CHECK_SHOW(first.status == PERM_OK && first.gpus == 1, "%s", first.message);
  for (gpus = 2; gpus <= most_gpus; gpus++) {
    options.gpu.devices = gpus;
    r = whole_compute(n, parts, a, &options);
    CHECK(whole_same(&first, &r));
  }
  CHECK((parts == 2 ? perm_job_gaussian : perm_job_integer)(n, n, a, n, &options, &job, &r) == PERM_OK);
  CHECK(perm_job_leaf(job, 0, &leaf) == PERM_OK && leaf.isa == PERM_ISA_CUDA && leaf.chunks >= 5);
  memset(&pieces, 0, sizeof pieces);
  width = leaf.chunks / 5 + 1;
  for (begin = (leaf.chunks - 1) / width * width;; begin -= width) {
    memset(&piece, 0, sizeof piece);
    CHECK(perm_job_run(job, 0, begin, begin + width < leaf.chunks ? begin + width : leaf.chunks, &piece) == PERM_OK);
    CHECK(perm_partial_merge(&pieces, &piece) == PERM_OK);
    if (begin == 0)
      break;
  }
  CHECK(perm_job_finish(job, &pieces, &r) == PERM_OK && whole_same(&first, &r));
  CHECK(r.terms == ldexp(1, n - 1));
  for (call = 0; call < 60; call++) {
    CHECK(perm_state_create(job, &state) == PERM_OK);
    perm_cuda_test_fault(call);
    perm_job_execute(job, state, &options, &r);
    if (perm_cuda_test_fault(-1) >= 0) {
      CHECK(r.status == PERM_OK);
      perm_state_free(state);
      break;
    }
    failed++;
    if (r.status == PERM_OK)
      CHECK(whole_same(&first, &r));
    else
      CHECK_SHOW(r.status == PERM_ERROR_DEVICE && strstr(r.message, "GPU"), "call %ld: %s", call, r.message);
    ended += r.status != PERM_OK;
    perm_job_execute(job, state, &options, &r);
    CHECK_SHOW(r.status == PERM_OK && whole_same(&first, &r), "resumed after call %ld: %s", call, r.message);
    perm_state_free(state);
  }
  CHECK_SHOW(failed > 5 && ended > 3, "%ld faults, %ld ends", failed, ended);
  CHECK(perm_state_create(job, &state) == PERM_OK);
  do {
    options.cancel = calls % 2 ? &cancel : NULL;
    options.max_seconds = calls % 2 ? 0 : 1e-6;
    perm_job_execute(job, state, &options, &r);
    stops += r.status == PERM_STOPPED_CANCELLED || r.status == PERM_STOPPED_TIME;
    CHECK_SHOW(r.status >= 0, "%s", r.message);
    calls++;
  } while (r.status != PERM_OK && calls < 100000);
  CHECK_SHOW(whole_same(&first, &r), "%d stops of %d calls: %s", stops, calls, r.message);
  perm_state_free(state);
  perm_job_free(job);
}

/* A GPU whose blocks share less memory than the kernel wants: named, not left to the driver's words. */
TEST(t_cuda_shared_memory_is_named)
{
  int64_t a[15 * 15];
  perm_options options = whole_options(1);
  perm_result r;
  whole_matrix(WHOLE_THIN, 15, 1, 0, a);
  perm_cuda_test_shared(1024);
  perm_cuda_test_driver(1);
  r = whole_compute(15, 1, a, &options);
  CHECK_SHOW(r.status == PERM_ERROR_DEVICE, "%s", r.message);
  CHECK_TEXT(r.message, "bytes of shared memory, a block there has 1024");
  perm_cuda_test_shared(232448);
  perm_cuda_test_driver(1);
  r = whole_compute(15, 1, a, &options);
  CHECK_SHOW(r.status == PERM_OK && r.isa == PERM_ISA_CUDA, "%s", r.message);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_twin_exact_splits)
{
  perm_cuda_test_driver(3);
  whole_splits(18, WHOLE_HUNDRED, 1, 3);
  whole_splits(16, WHOLE_SMALL, 2, 3);
  perm_cuda_test_driver(2);
  whole_splits(22, WHOLE_ONES, 1, 2);
  perm_cuda_test_driver(0);
}

TEST(t_cuda_gpu_exact_splits)
{
  const int gpus = cuda_real_gpus();
  if (!gpus)
    SKIP("no GPU, driver or NVRTC");
  whole_splits(32, WHOLE_ONES, 1, gpus);
  whole_splits(26, WHOLE_SMALL, 2, gpus);
}

/* With and without skipping, the transposed matrix, and a permanent in closed form: per(J) = n!, per(2I + J). */
TEST(t_cuda_exact_known)
{
  static int64_t a[64 * 64];
  perm_options options = whole_options(1);
  perm_result r;
  int n, i, j;
  if (!cuda_real_gpus())
    perm_cuda_test_driver(1);
  for (n = 13; n <= 15; n++) {
    double known = 1, sum = 0;
    for (i = 0; i < n * n; i++)
      a[i] = (i % (n + 1) == 0 ? 3 : 1);
    for (i = 0; i <= n; i++) { /* per(J + 2I) = n! sum_k 2^k / k! */
      sum += known;
      known *= 2.0 / (i + 1);
    }
    for (i = 2; i <= n; i++)
      sum *= i;
    r = whole_compute(n, 1, a, &options);
    CHECK_SHOW(r.status == PERM_OK && fabs(r.value - sum) <= 1e-9 * sum, "n %d: %.17g, %.17g", n, r.value, sum);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        a[i * n + j] = (int64_t)1 << (i + j); /* 2^(n (n - 1)) n! */
    r = whole_compute(n, 1, a, &options);
    for (sum = ldexp(1, n * (n - 1)), i = 2; i <= n; i++)
      sum *= i;
    CHECK_SHOW(r.status == PERM_OK && r.value == sum, "n %d: %.17g, %.17g", n, r.value, sum);
  }
  perm_cuda_test_driver(0);
}
/* NVRTC takes the kernels, also for cards of little FP64. PERM_CUDA_KEEP: as in t_cuda_compiles. */
TEST(t_cuda_exact_compiles)
{
  static const int kinds[] = {WHOLE_ONES, WHOLE_SMALL, WHOLE_MILLION}, archs[] = {89, 90};
  int64_t *a = (int64_t *)calloc(32 * 32, sizeof *a);
  for (int k = 0; k < 6; k++) {
    const int kind = kinds[k / 2], arch = archs[k % 2];
    perm_options options = whole_options(1);
    perm_job *job = NULL;
    perm_result r;
    char message[PERM_MESSAGE_BYTES] = "", *image;
    size_t size = 0;
    whole_matrix(kind, 32, 1, 0, a);
    CHECK_SHOW(perm_job_integer(32, 32, a, 32, &options, &job, &r) == PERM_OK, "%s", r.message);
    image = perm_cuda_test_compile(&((const permi_gpu *)job->leaf[0].context)->work, arch, &size, message);
    perm_job_free(job);
    if (!image && strstr(message, "no NVRTC")) {
      free(a);
      SKIP("no NVRTC");
    }
    CHECK_SHOW(image && size > 1000, "%s, sm_%d: %s", whole_name[kind], arch, message);
    if (image && getenv("PERM_CUDA_KEEP")) {
      char name[64];
      snprintf(name, sizeof name, "build/exact_%d_sm%d.cubin", kind, arch);
      FILE *file = fopen(name, "wb");
      if (file && fwrite(image, 1, size, file) == size)
        fclose(file);
    }
    free(image);
  }
  free(a);
}
/* SPDX-License-Identifier: MIT */
