/* >>hybrid_layout, >>hybrid_program, >>hybrid_leaf, >>hybrid_residues, >>hybrid_offer, >>hybrid_kernels */
/* Method hybrid: layouts of every shape against the dense engine, estimates that cover what is off, the
   same bits for any number of threads, families of kernels, refusals. */

static perm_matrix hybrid_random(int n, double p, int complex, int spread)
{
  perm_matrix a;
  perm_result result;
  static double x[64 * 64 * 2], real[64 * 64], imaginary[64 * 64];
  static int row[64 * 64], column[64 * 64];
  double transversal;
  size_t nnz = 0;
  int i, j, parts = complex ? 2 : 1;
  memset(x, 0, sizeof x);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if (test_uniform() < p)
        for (int part = 0; part < parts; part++)
          x[(i * n + j) * parts + part] = ldexp(test_below(3) ? test_uniform() : test_uniform() - 0.5,
                                                spread ? test_below(2 * spread) - spread : 0);
  transversal = test_uniform();
  j = test_below(n);
  for (i = 0; i < n && transversal < 0.9; i++)
    x[(i * n + (i + j) % n) * parts] += 0.5;
  for (i = 0; i < n * n; i++)
    if (x[i * parts] != 0 || (complex && x[i * parts + 1] != 0)) {
      row[nnz] = i / n;
      column[nnz] = i % n;
      real[nnz] = x[i * parts];
      imaginary[nnz++] = complex ? x[i * parts + 1] : 0;
    }
  CHECK(perm_matrix_from_triplets(n, n, nnz, row, column, real, imaginary, NULL,
                                  complex ? PERM_KIND_COMPLEX : PERM_KIND_REAL, NULL, &a, &result) == PERM_OK);
  return a;
}

static perm_result hybrid_compute(const perm_matrix *a, perm_method method, perm_precision precision, perm_isa isa,
                                  int threads)
{
  perm_options options;
  perm_result result;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.precision = precision;
  options.isa = isa;
  options.threads = threads;
  perm_compute_sparse(a, &options, &result);
  return result;
}

static int hybrid_close(perm_result x, perm_result referee, double *ratio)
{
  const double scale = ldexp(1, (int)(x.exp2 - referee.exp2));
  const double off = hypot(x.value * scale - referee.value, x.imaginary * scale - referee.imaginary);
  const double allowed = x.error_estimate * scale + referee.error_estimate;
  if (ratio && allowed > 0 && allowed < HUGE_VAL)
    *ratio = fmax(*ratio, off / allowed);
  return test_within(off, allowed);
}

TEST(t_hybrid_matches_dense)
{
  double worst = 0;
  int t;
  for (t = 0; t < 400; t++) {
    const int n = 2 + test_below(15), complex = t % 4 == 3;
    perm_matrix a = hybrid_random(n, 0.1 + 0.9 * test_uniform(), complex, t % 3 ? 0 : 8);
    perm_result referee = hybrid_compute(&a, PERM_METHOD_DENSE, PERM_PRECISION_DD, PERM_ISA_AUTO, 1);
    perm_result r = hybrid_compute(&a, PERM_METHOD_HYBRID, PERM_PRECISION_DEFAULT, PERM_ISA_AUTO, 1);
    CHECK_SHOW(r.status == PERM_OK, "n = %d: %s", n, r.message);
    CHECK_SHOW(hybrid_close(r, referee, &worst), "n = %d: %.17g +- %g, not %.17g +- %g", n, r.value, r.error_estimate,
               referee.value, referee.error_estimate);
    CHECK(r.error_bound == HUGE_VAL || fabs(r.value - referee.value) <= r.error_bound + referee.error_bound);
    perm_matrix_free(&a);
  }
  if (test_verbose)
    printf("     worst error / estimate %.3f\n", worst);
}

static double hybrid_sum(const perm_sum *sum, int shift)
{
  long long exp2;
  const permi_dd x = permi_sum_value(sum, &exp2);
  return ldexp(x.hi, (int)exp2 + shift);
}

/* |both words of the sum, times 2^shift, - a part of the permanent| */
static double hybrid_sum_off(const perm_sum *sum, int shift, const oracle_exact *exact, int part)
{
  long long exp2;
  const permi_dd x = permi_sum_value(sum, &exp2);
  return ldexp(oracle_exact_part(exact, part, x.hi, x.lo, exp2 + shift), (int)exp2 + shift);
}

/* Programs of random layouts, good or bad, on every family of kernels and cut into any chunks. */
TEST(t_hybrid_programs)
{
  static const perm_isa family[] = {PERM_ISA_PLAIN, PERM_ISA_AVX2, PERM_ISA_AVX512};
  static permi_layouts work;
  perm_allocator allocator;
  static const permi_hybrid_algebra kinds[] = {PERMI_HYBRID_REAL, PERMI_HYBRID_COMPLEX, PERMI_HYBRID_DOUBLED,
                                               PERMI_HYBRID_COMPLEX_DOUBLED};
  double worst[PERMI_HYBRID_ALGEBRAS] = {0};
  double off_doubled = 0;
  int t, ran = 0;
  memset(&allocator, 0, sizeof allocator);
  for (t = 0; t < 300; t++) {
    const permi_hybrid_algebra algebra = kinds[t % 4];
    const int n = 4 + test_below(permi_hybrid_is_doubled((int)algebra) ? 8 : 13);
    const int parts = permi_hybrid_is_complex((int)algebra) ? 2 : 1;
    const double p = 0.2 + 0.8 * test_uniform();
    double a[16 * 16 * 2];
    perm_result referee;
    perm_options options;
    permi_arrangement layout;
    permi_hybrid *hybrid;
    oracle_exact exact = {0, 0, 0, {NULL, NULL}};
    int i, j, f;
    memset(a, 0, sizeof a);
    memset(&options, 0, sizeof options);
    memset(&work, 0, sizeof work);
    options.method = PERM_METHOD_DENSE;
    options.precision = PERM_PRECISION_DD;
    for (i = 0; i < n * n * parts; i++)
      if ((i / parts) % (n + 1) == 0 || test_uniform() < p)
        a[i] = (test_uniform() - 0.3) / n;
    work.n = n;
    work.budget = 500;
    for (j = 0; j < PERMI_HYBRID_INNER + 2; j++)
      work.power[j] = ldexp(1, j);
    layout.transposed = test_below(2);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        if (a[(i * n + j) * parts] != 0 || (parts == 2 && a[(i * n + j) * 2 + 1] != 0)) {
          work.column[layout.transposed][j] |= UINT64_C(1) << i; /* a has this orientation already */
          work.degree[layout.transposed][j]++;
        }
    for (i = 0; i < n; i++) { /* a random permutation */
      j = test_below(i + 1);
      layout.order[i] = layout.order[j];
      layout.order[j] = i;
    }
    layout.inner = test_below(n < 9 ? n : 9);
    layout.low = test_below(n - layout.inner < 5 ? n - layout.inner : 5);
    if (parts == 2)
      perm_compute_complex(n, n, a, n, &options, &referee);
    else
      perm_compute_real(n, n, a, n, &options, &referee);
    CHECK(permi_hybrid_create(&allocator, &work, &layout, algebra, a, NULL, &hybrid) == PERM_OK);
    if (!hybrid)
      continue;
    ran++;
    if (permi_hybrid_is_doubled((int)algebra))
      exact = oracle_exact_make(parts, n, a);
    for (f = 0; f < 3; f++) {
      static double workspace[PERMI_HYBRID_WORKSPACE / sizeof(double)] PERMI_ALIGN64;
      permi_leaf leaf;
      perm_partial partial;
      double value, imaginary, absolute, relative;
      uint64_t chunk;
      if (!permi_isa_here(family[f]))
        continue;
      hybrid->family = PERMI_OF_X86(permi_hybrid_family, family[f]);
      hybrid->chunk_log2 = test_below(hybrid->high + 1);
      memset(&leaf, 0, sizeof leaf);
      memset(&partial, 0, sizeof partial);
      leaf.context = hybrid;
      for (chunk = 0; chunk < UINT64_C(1) << (hybrid->high - hybrid->chunk_log2); chunk++)
        permi_hybrid_chunk(&leaf, chunk, workspace, &partial);
      CHECK(partial.terms == ldexp(1, n - 1 - hybrid->inner));
      value = hybrid_sum(&partial.value, 1 - n);
      imaginary = hybrid_sum(&partial.imaginary, 1 - n);
      absolute = hybrid_sum(&partial.absolute, 1 - n);
      relative = hypot(value - ldexp(referee.value, (int)referee.exp2),
                       imaginary - ldexp(referee.imaginary, (int)referee.exp2)) / absolute;
      worst[algebra] = fmax(worst[algebra], relative);
      CHECK_SHOW(relative <= (permi_hybrid_is_doubled(algebra) ? 2e-16 * fabs(value) / absolute + 1e-26 : 1e-15),
                 "n = %d, algebra %d, %s, inner %d, low %d: %.17g, not %.17g, off by %g of the sum of moduli", n,
                 (int)algebra, perm_name("isa", family[f]), hybrid->inner, hybrid->low, value,
                 ldexp(referee.value, (int)referee.exp2), relative);
      if (exact.parts) {
        relative = hypot(hybrid_sum_off(&partial.value, 1 - n, &exact, 0),
                         parts == 2 ? hybrid_sum_off(&partial.imaginary, 1 - n, &exact, 1) : 0) / absolute;
        off_doubled = fmax(off_doubled, relative);
        CHECK_SHOW(relative <= 2e-31, "n = %d, algebra %d, %s, inner %d, low %d: both words are off by %g", n,
                   (int)algebra, perm_name("isa", family[f]), hybrid->inner, hybrid->low, relative);
      }
    }
    if (exact.parts)
      oracle_exact_free(&exact);
    permi_hybrid_release(&allocator, hybrid);
  }
  CHECK_SHOW(ran > 280, "%d programs", ran);
  if (test_verbose)
    printf("     %d programs, worst error / sum of moduli: real %.2g, complex %.2g, dd %.2g\n", ran,
           worst[PERMI_HYBRID_REAL], worst[PERMI_HYBRID_COMPLEX], off_doubled);
}

TEST(t_hybrid_same_bits)
{
  int t, m;
  for (t = 0; t < 6; t++) {
    perm_matrix a = hybrid_random(21 + t % 2, 0.25 + 0.1 * t, t % 3 == 2, 0);
    perm_result referee = hybrid_compute(&a, PERM_METHOD_DENSE, PERM_PRECISION_DD, PERM_ISA_AUTO, 1);
    for (m = 0; m < 2; m++) {
      const perm_method method = PERM_METHOD_HYBRID;
      perm_result one = hybrid_compute(&a, method, PERM_PRECISION_DEFAULT, PERM_ISA_AUTO, 1), other;
      int threads;
      CHECK_SHOW(one.status == PERM_OK, "%s", one.message);
      CHECK(hybrid_close(one, referee, NULL));
      for (threads = 2; threads < 4; threads++) {
        other = hybrid_compute(&a, method, PERM_PRECISION_DEFAULT, PERM_ISA_AUTO, threads);
        CHECK(!memcmp(&one.value, &other.value, sizeof one.value) && one.imaginary == other.imaginary &&
              one.error_estimate == other.error_estimate);
      }
      other = hybrid_compute(&a, method, PERM_PRECISION_DEFAULT, PERM_ISA_PLAIN, 1);
      CHECK(other.isa == PERM_ISA_PLAIN && hybrid_close(other, referee, NULL));
      other = hybrid_compute(&a, method, PERM_PRECISION_DD, PERM_ISA_AUTO, 1);
      CHECK_SHOW(other.precision == PERM_PRECISION_DD &&
                     hybrid_close(other, referee, NULL) &&
                     other.error_estimate <= (t % 3 == 2 ? 1 : 1e-3) * one.error_estimate, /* 0: 0 by structure */
                 "%.17g +- %g, not %.17g", other.value, other.error_estimate, referee.value);
    }
    perm_matrix_free(&a);
  }
}

/* Integers of at most `bits` bits, some of fewer; 0: ones. gaussian: some rows with imaginary parts, of 52 bits at
   most. */
static perm_matrix hybrid_integers(int n, double p, int bits, int gaussian)
{
  static int64_t integer[64 * 64];
  static double real[64 * 64], imaginary[64 * 64];
  static int row[64 * 64], column[64 * 64];
  uint64_t imaginary_rows = gaussian ? test_random() | UINT64_C(1) << test_below(n) : 0;
  perm_matrix a;
  perm_result result;
  size_t nnz = 0;
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if (test_uniform() < p || j == (i + 1) % n || j == (i + 3) % n) {
        const int used = bits ? test_below(bits) : 0;
        const uint64_t x = (UINT64_C(1) << used) + (test_random() & ((UINT64_C(1) << used) - 1));
        row[nnz] = i;
        column[nnz] = j;
        integer[nnz] = bits && test_below(2) ? -(int64_t)x : (int64_t)x;
        real[nnz] = test_below(4) || !(imaginary_rows >> i & 1) ? (double)integer[nnz] : 0;
        imaginary[nnz++] = imaginary_rows >> i & 1 ? ldexp(test_below(9) - 4, test_below(bits + 1)) + test_below(4) : 0;
      }
  CHECK(perm_matrix_from_triplets(n, n, nnz, row, column, gaussian ? real : NULL, gaussian ? imaginary : NULL,
                                  gaussian ? NULL : integer, gaussian ? PERM_KIND_COMPLEX : PERM_KIND_INTEGER, NULL, &a,
                                  &result) == PERM_OK);
  return a;
}

static int hybrid_same_integers(const perm_result *r, const perm_result *referee)
{
  return r->exact && r->precision == PERM_PRECISION_EXACT &&
         !memcmp(&r->integer, &referee->integer, sizeof r->integer) &&
         !memcmp(&r->imaginary_integer, &referee->imaginary_integer, sizeof r->imaginary_integer);
}

/* Exact integers, by residues or not, on every family, modulo anything, cut into any parts, against method exact. */
static void hybrid_check_integers(int gaussian, int trials)
{
  static const perm_isa isa[] = {PERM_ISA_AUTO, PERM_ISA_PLAIN, PERM_ISA_AVX2};
  static const int sizes[] = {0, 2, 9, 21, 30, 44, 62};
  int t, grew = 0, stood_in = 0, whole = 0, tables = 0, imaginary = 0;
  for (t = 0; t < trials; t++) {
    const int n = 4 + test_below(12), bits = gaussian ? sizes[t % 7] * 50 / 62 : sizes[t % 7];
    perm_matrix a = hybrid_integers(n, 0.1 + 0.9 * test_uniform(), bits, gaussian);
    perm_options options;
    perm_result r, referee;
    perm_partial partial[64];
    perm_job *job;
    int m, k;
    memset(&options, 0, sizeof options);
    options.threads = 1 + t % 3;
    options.modulus = t % 4    ? 0
                      : t % 8  ? 2 + test_random() % 1000
                      : t % 16 ? (test_random() >> 2) + 3
                               : (UINT64_C(1) << 47) - 5 + 2 * (uint64_t)test_below(6); /* from -5 to + 5 */
    options.method = PERM_METHOD_EXACT;
    options.precision = PERM_PRECISION_EXACT;
    CHECK_SHOW(perm_compute_sparse(&a, &options, &referee) == PERM_OK, "%s", referee.message);
    options.isa = permi_isa_here(isa[t % 3]) ? isa[t % 3] : PERM_ISA_AUTO;
    for (m = 0; m < 2; m++) {
      options.method = PERM_METHOD_HYBRID;
      CHECK_SHOW(perm_compute_sparse(&a, &options, &r) == PERM_OK, "n = %d, %d bits: %s", n, bits, r.message);
      CHECK_SHOW(hybrid_same_integers(&r, &referee), "n = %d, %d bits, %s: %.17g + %.17g i, not %.17g + %.17g i", n,
                 bits, perm_name("method", options.method), r.value, r.imaginary, referee.value, referee.imaginary);
      CHECK(r.value == referee.value && r.exp2 == referee.exp2);
      imaginary += r.imaginary_integer.words > 0;
      if (perm_sparse_job(&a, &options, &job, &r) != PERM_OK || perm_job_leaves(job) > 64) {
        CHECK(!"a job");
        continue;
      }
      for (k = 0; k < perm_job_leaves(job); k++) {
        const permi_leaf *leaf = &job->leaf[k];
        const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
        const uint64_t middle = (leaf->information.chunks + 1) / 2;
        memset(&partial[k], 0, sizeof partial[k]);
        perm_job_run(job, k, middle, leaf->information.chunks, &partial[k]);
        perm_job_run(job, k, 0, middle, &partial[k]);
        grew += hybrid->runs->primes > 1;
        stood_in += hybrid->runs->stand_in > 0;
        tables += hybrid->runs->primes && hybrid->runs->run[0].tables;
        whole += !hybrid->runs->primes;
      }
      CHECK(perm_job_finish(job, partial, &r) == PERM_OK && hybrid_same_integers(&r, &referee));
      perm_job_free(job);
    }
    perm_matrix_free(&a);
  }
  CHECK_SHOW(grew > 50 && (whole > 50 || gaussian) && tables > 50 && (imaginary > trials) == gaussian &&
                 (stood_in > 20) == !gaussian,
             "%d, %d, %d, %d, %d", grew, whole, tables, imaginary, stood_in);
}

TEST(t_hybrid_integers)
{
  hybrid_check_integers(0, 420);
}

static int hybrid_allocations_left, hybrid_blocks, hybrid_only_one; /* only_one: those after the failing one succeed */

static void *hybrid_allocate(size_t bytes, void *user_data)
{
  const int left = hybrid_allocations_left--;
  void *block = left > 0 || (left < 0 && hybrid_only_one) ? malloc(bytes) : NULL;
  (void)user_data;
  hybrid_blocks += block != NULL;
  return block;
}

static void hybrid_free(void *block, void *user_data)
{
  (void)user_data;
  hybrid_blocks -= block != NULL;
  free(block);
}

TEST(t_hybrid_allocation_fails)
{
  perm_matrix given[3] = {hybrid_random(13, 0.4, 0, 0), hybrid_integers(13, 0.5, 62, 0),
                          hybrid_integers(13, 0.5, 40, 1)};
  perm_matrix a;
  perm_options options;
  perm_result result;
  perm_status status;
  int k, whole;
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_HYBRID;
  options.threads = 1;
  options.allocator.allocate = hybrid_allocate;
  options.allocator.release = hybrid_free;
  for (whole = 0; whole < 6; whole++) {
    a = given[whole / 2];
    options.precision = whole / 2 == 2 ? PERM_PRECISION_EXACT : PERM_PRECISION_DEFAULT;
    hybrid_only_one = whole % 2;
    status = PERM_ERROR_MEMORY;
    for (k = 0; status == PERM_ERROR_MEMORY && k < 1000; k++) {
      hybrid_allocations_left = k;
      hybrid_blocks = 0;
      status = perm_compute_sparse(&a, &options, &result);
      CHECK(hybrid_blocks == 0);
    }
    CHECK(status == PERM_OK && k > 10);
  }
  for (k = 0; k < 3; k++)
    perm_matrix_free(&given[k]);
}

/* ---- estimates: matrices that are to break them, and not too wide for those of every day */
static double hybrid_gauss(void)
{
  return sqrt(-2 * log(1 - test_uniform())) * cos(6.283185307179586 * test_uniform());
}

static perm_matrix hybrid_whole(int n, int complex, const double *x)
{
  static double real[24 * 24], imaginary[24 * 24];
  static int row[24 * 24], column[24 * 24];
  perm_matrix a;
  perm_result result;
  size_t nnz = 0;
  int i;
  for (i = 0; i < n * n; i++)
    if (x[2 * i] != 0 || (complex && x[2 * i + 1] != 0)) {
      row[nnz] = i / n;
      column[nnz] = i % n;
      real[nnz] = x[2 * i];
      imaginary[nnz++] = complex ? x[2 * i + 1] : 0;
    }
  CHECK(perm_matrix_from_triplets(n, n, nnz, row, column, real, imaginary, NULL,
                                  complex ? PERM_KIND_COMPLEX : PERM_KIND_REAL, NULL, &a, &result) == PERM_OK);
  return a;
}

/* True error over estimate; estimates are of the method as asked for: nothing is computed again. */
static double hybrid_ratio(int n, int complex, perm_method method, perm_precision precision, const double *x)
{
  perm_matrix a = hybrid_whole(n, complex, x);
  perm_result truth = hybrid_compute(&a, PERM_METHOD_AUTO, PERM_PRECISION_DD, PERM_ISA_AUTO, 1), r;
  perm_options options;
  double scale, off, ratio = 0;
  memset(&options, 0, sizeof options);
  options.method = method;
  options.precision = precision;
  options.threads = 1;
  options.tolerance = 1;
  perm_compute_sparse(&a, &options, &r);
  perm_matrix_free(&a);
  if (r.status < 0 || r.method != method || !(r.error_estimate < HUGE_VAL) || !(truth.error_bound < HUGE_VAL))
    return 0;
  scale = ldexp(1, (int)(truth.exp2 - r.exp2));
  off = hypot(r.value - truth.value * scale, r.imaginary - truth.imaginary * scale) - truth.error_bound * scale;
  if (off > 0)
    ratio = off / (r.error_estimate + DBL_MIN);
  return ratio;
}

/* Gaussian, signs, 0/1 times a number, {-1, 0, 1}, wide, near-Hadamard; one in three hides (x y; x -y). */
static void hybrid_attack_start(int n, int kind, double *x)
{
  const double c = 0.3 * (1 + test_below(2) * test_uniform());
  int i, j, p;
  for (i = 0; i < n * n; i++)
    for (p = 0; p < 2; p++)
      x[2 * i + p] = kind == 0   ? hybrid_gauss()
                     : kind == 1 ? (test_below(2) ? c : -c)
                     : kind == 2 ? c * test_below(2) * (1 - p)
                     : kind == 3 ? test_below(3) - 1
                     : kind == 4 ? ldexp(hybrid_gauss(), test_below(60) - 30)
                                 : (__builtin_popcount((unsigned)((i / n) & (i % n))) & 1 ? -1 : 1) * (1 - p);
  if (test_below(3) == 0) {
    const int r = test_below(n - 1), u = test_below(n - 1), zeros = test_below(2);
    for (j = 0; j < 2 * n; j++)
      if (zeros)
        x[2 * r * n + j] = x[2 * (r + 1) * n + j] = 0;
    for (i = 0; i < n; i++)
      for (p = 0; p < 4 && !zeros; p++)
        x[2 * (i * n + u) + p] = 0;
    for (p = 0; p < 2; p++) {
      x[2 * (r * n + u) + p] = x[2 * ((r + 1) * n + u) + p] = test_uniform();
      x[2 * (r * n + u + 1) + p] = test_uniform();
      x[2 * ((r + 1) * n + u + 1) + p] = -x[2 * (r * n + u + 1) + p] * (1 + 1e-12 * test_below(2));
    }
  }
}

/* Climbing to where an estimate says least; see make check-soundness for longer searches. */
TEST_LONG(t_hybrid_estimates_survive_climbing)
{
  static double x[64 * 2], next[64 * 2];
  double worst = 0;
  int climb, step, moves, from, lies = 0;
  for (climb = 0; climb < 60; climb++) {
    const int n = 4 + climb % 5, complex = climb % 3 == 2;
    const perm_method method = PERM_METHOD_HYBRID;
    const perm_precision precision = climb % 4 ? PERM_PRECISION_DEFAULT : PERM_PRECISION_DD;
    double best, ratio;
    hybrid_attack_start(n, climb % 6, x);
    best = hybrid_ratio(n, complex, method, precision, x);
    for (step = 0; step < 150; step++) {
      memcpy(next, x, sizeof x);
      for (moves = test_below(2); moves >= 0; moves--) {
        double *entry = &next[2 * test_below(n * n) + (complex ? test_below(2) : 0)];
        from = test_below(n * n);
        switch (test_below(7)) {
        case 0: *entry = nextafter(*entry, test_below(2) ? 10 : -10); break;
        case 1: *entry *= 1 + ldexp(hybrid_gauss(), -test_below(53)); break;
        case 2: *entry = next[2 * from]; break;
        case 3: *entry = -*entry; break;
        case 4: *entry = test_below(2); break;
        case 5: *entry = -next[2 * from] * (1 + ldexp(test_below(2), -test_below(53))); break;
        default: memcpy(next + from / n * 2 * n, next + from % n * 2 * n, 2 * (size_t)n * sizeof *next); break;
        }
      }
      for (from = 0; from < 2 * n * n; from++) /* beyond that exponents no double-double is a referee */
        next[from] = fabs(next[from]) < 1e-30 ? 0 : next[from];
      ratio = hybrid_ratio(n, complex, method, precision, next);
      if (ratio >= best) {
        best = ratio;
        memcpy(x, next, sizeof x);
      }
      lies += ratio > 10;
    }
    worst = fmax(worst, best);
  }
  CHECK_SHOW(lies == 0, "%d of %d true errors are over 10 estimates, the worst %.3g", lies, 60 * 150, worst);
  if (test_verbose)
    printf("     worst error / estimate %.3g\n", worst);
}

/* With certify: true error over bound, 2 if there is no bound. */
static double hybrid_bound_ratio(int n, int complex, const perm_options *options, const double *x)
{
  perm_matrix a = hybrid_whole(n, complex, x);
  perm_result truth = hybrid_compute(&a, PERM_METHOD_AUTO, PERM_PRECISION_DD, PERM_ISA_AUTO, 1), r;
  double scale, off;
  perm_compute_sparse(&a, options, &r);
  perm_matrix_free(&a);
  if (r.status < 0 || r.method != options->method || !(truth.error_bound < HUGE_VAL))
    return 0;
  if (!(r.error_bound < HUGE_VAL))
    return 2;
  scale = ldexp(1, (int)(truth.exp2 - r.exp2));
  off = hypot(r.value - truth.value * scale, r.imaginary - truth.imaginary * scale) - truth.error_bound * scale;
  return off > 0 ? off / (r.error_bound + DBL_MIN) : 0;
}

/* The bound holds for what climbing towards it finds, and is finite. */
TEST(t_hybrid_bound)
{
  static double x[64 * 2], next[64 * 2];
  double worst = 0, ratio, best;
  int climb, step, ran = 0, e;
  perm_options options;
  memset(&options, 0, sizeof options);
  options.certify = options.threads = 1;
  options.tolerance = 1;
  for (climb = 0; climb < 60; climb++) {
    const int n = 4 + climb % 5, complex = climb % 3 == 2;
    static const perm_isa isa[] = {PERM_ISA_AUTO, PERM_ISA_PLAIN, PERM_ISA_AVX2};
    options.method = PERM_METHOD_HYBRID;
    options.isa = isa[climb / 6 % 3];
    options.precision = climb % 4 ? PERM_PRECISION_DEFAULT : PERM_PRECISION_DD;
    hybrid_attack_start(n, climb % 6, x);
    best = hybrid_bound_ratio(n, complex, &options, x);
    for (step = 0; step < 40; step++) {
      memcpy(next, x, sizeof x);
      e = 2 * test_below(n * n) + (complex ? test_below(2) : 0);
      next[e] = test_below(2) ? -next[2 * test_below(n * n)] * (1 + ldexp(test_below(2), -test_below(53)))
                              : next[e] * (1 + ldexp(hybrid_gauss(), -test_below(53)));
      next[e] = fabs(next[e]) < 1e-30 ? 0 : next[e];
      ratio = hybrid_bound_ratio(n, complex, &options, next);
      ran++;
      if (ratio >= best) {
        best = ratio;
        memcpy(x, next, sizeof x);
      }
    }
    worst = fmax(worst, best);
  }
  CHECK(ran > 0);
  CHECK_SHOW(worst <= 1, "true error / bound %.3g", worst);
  if (test_verbose)
    printf("     worst error / bound %.3g\n", worst);
}

/* Orders where blocks are many: the bound holds against dd and is narrow, with the same bits for any threads. */
TEST_LONG(t_hybrid_bound_of_many_blocks)
{
  static double x[24 * 24 * 2];
  int t, i, p;
  for (t = 0; t < 16; t++) {
    const int n = 20 + t % 4, doubled = t >= 8, complex = t % 2;
    perm_options options;
    perm_result r, again, truth;
    perm_matrix a;
    for (i = 0; i < n * n; i++)
      for (p = 0; p < 2; p++)
        x[2 * i + p] = test_uniform() < 0.3 || i % n == (i / n + 1) % n ? (t < 4 ? 0.1 : 1) * test_uniform() : 0;
    a = hybrid_whole(n, complex, x);
    truth = hybrid_compute(&a, PERM_METHOD_DENSE, PERM_PRECISION_DD, PERM_ISA_AUTO, 1);
    memset(&options, 0, sizeof options);
    options.method = PERM_METHOD_HYBRID;
    options.certify = options.threads = 1;
    if (doubled)
      options.precision = PERM_PRECISION_DD;
    CHECK_SHOW(perm_compute_sparse(&a, &options, &r) == PERM_OK, "n = %d: %s", n, r.message);
    options.threads = 3;
    CHECK(perm_compute_sparse(&a, &options, &again) == PERM_OK);
    CHECK(r.method == options.method && again.value == r.value && again.imaginary == r.imaginary &&
          again.error_bound == r.error_bound);
    CHECK(hypot(r.value * ldexp(1, (int)(r.exp2 - truth.exp2)) - truth.value,
                r.imaginary * ldexp(1, (int)(r.exp2 - truth.exp2)) - truth.imaginary) <=
          r.error_bound * ldexp(1, (int)(r.exp2 - truth.exp2)) + truth.error_bound);
    CHECK(!doubled || r.precision == PERM_PRECISION_DD);
    CHECK_SHOW(r.error_bound > 0 && r.error_bound < (doubled ? 2.3e-16 : 1e-4) * hypot(r.value, r.imaginary),
               "n = %d: %g +- %g", n, r.value, r.error_bound);
    if (test_verbose)
      printf("     n = %d: relative bound %.2g\n", n, r.error_bound / hypot(r.value, r.imaginary));
    perm_matrix_free(&a);
  }
}

/* Runs a job by halves, the second first. */
static void hybrid_run_halves(perm_job *job, perm_partial *partial)
{
  int k;
  for (k = 0; k < perm_job_leaves(job); k++) {
    const uint64_t chunks = job->leaf[k].information.chunks, middle = (chunks + 1) / 2;
    memset(&partial[k], 0, sizeof partial[k]);
    perm_job_run(job, k, middle, chunks, &partial[k]);
    perm_job_run(job, k, 0, middle, &partial[k]);
  }
}

/* Residues need rounding to nearest, and have it in other modes of the caller. */
TEST(t_hybrid_integers_in_other_rounding_modes)
{
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  int t;
  for (t = 0; t < 30; t++) {
    perm_matrix a = hybrid_integers(12, 0.5, t % 2 ? 62 - 20 * (t / 20) : 30, t >= 20);
    perm_options options;
    perm_result r, referee;
    memset(&options, 0, sizeof options);
    options.method = PERM_METHOD_EXACT;
    options.precision = PERM_PRECISION_EXACT;
    CHECK(perm_compute_sparse(&a, &options, &referee) == PERM_OK);
    options.method = PERM_METHOD_HYBRID;
    CHECK(fesetround(modes[t % 3]) == 0);
    CHECK_SHOW(perm_compute_sparse(&a, &options, &r) == PERM_OK && hybrid_same_integers(&r, &referee), "%s", r.message);
    options.method = PERM_METHOD_AUTO;
    CHECK(perm_compute_sparse(&a, &options, &r) == PERM_OK && hybrid_same_integers(&r, &referee));
    fesetround(FE_TONEAREST);
    perm_matrix_free(&a);
  }
}

/* Both words of precision dd, of complex ones both words of both parts, against exact expansions, on every family: the
   bound holds and is narrow. */
TEST(t_hybrid_doubled)
{
  static const perm_isa isa[] = {PERM_ISA_AUTO, PERM_ISA_PLAIN, PERM_ISA_AVX2};
  static double x[16 * 16 * 2], plain[16 * 16 * 2];
  double worst[2][2] = {{0, 0}, {0, 0}}, tight = 0;
  int t, i, power, ran[2] = {0, 0}, lost[2] = {0, 0};
  for (t = 0; t < 840; t++) {
    const int complex = t >= 480, parts = 1 + complex, n = 4 + test_below(8 - complex);
    perm_partial partial[16];
    perm_options options;
    perm_result r, again;
    perm_matrix a;
    perm_job *job;
    oracle_exact truth;
    memset(&options, 0, sizeof options);
    hybrid_attack_start(n, t % 6, x);
    for (i = 0; i < n * n * parts; i++) {
      const double entry = x[i * 2 / parts];
      plain[i] = t % 5 == 4 && t % 6 != 2 && t % 6 != 3 ? entry * (1 + ldexp(test_uniform(), -40)) : entry;
    }
    for (i = 0; i < n * n * parts; i++)
      x[i * 2 / parts] = plain[i];
    a = hybrid_whole(n, complex, x);
    truth = oracle_exact_make(parts, n, plain);
    options.method = PERM_METHOD_HYBRID;
    options.precision = PERM_PRECISION_DD;
    options.isa = permi_isa_here(isa[t / 2 % 3]) ? isa[t / 2 % 3] : PERM_ISA_AUTO;
    options.certify = 1;
    options.threads = 1 + t % 3;
    if (perm_sparse_job(&a, &options, &job, &r) == PERM_OK && job->leaves == 1 && job->numbered &&
        fabs(frexp(job->number.value.hi, &power)) == 0.5 && job->number.value.lo == 0 &&
        job->number.imaginary.hi == 0 &&
        job->leaf[0].information.kind == PERM_LEAF_RANGE) {
      permi_number number;
      long long exp2;
      const double sign = job->number.value.hi < 0 ? -1 : 1;
      const int loses = ((const permi_hybrid *)job->leaf[0].context)->rounding.losses > 0;
      double off, absolute;
      hybrid_run_halves(job, partial);
      CHECK(permi_leaf_number(&job->leaf[0], &partial[0], &number) == PERM_OK);
      absolute = permi_sum_value(&partial[0].absolute, &exp2).hi;
      absolute = ldexp(absolute, (int)(exp2 + job->leaf[0].scale_exp2 - number.exp2));
      exp2 = number.exp2 + job->number.exp2 + power - 1;
      off = oracle_exact_part(&truth, 0, sign * number.value.hi, sign * number.value.lo, exp2);
      if (complex)
        off = hypot(off, oracle_exact_part(&truth, 1, sign * number.imaginary.hi, sign * number.imaginary.lo, exp2));
      CHECK_SHOW(off <= number.error, "n = %d, kind %d: off by %g, bound %g", n, t % 6, off, number.error);
      CHECK_SHOW(off <= (loses ? 1e-30 : 4e-32) * absolute + DBL_MIN, "n = %d, kind %d: off by %g of %g", n, t % 6, off,
                 absolute);
      CHECK_SHOW(number.error <= 4e-28 * absolute + 4 * DBL_MIN, "n = %d, kind %d: bound %g of %g", n, t % 6,
                 number.error, absolute);
      worst[complex][loses] = fmax(worst[complex][loses], off / (absolute + DBL_MIN));
      tight = fmax(tight, off / (number.error + DBL_MIN));
      lost[complex] += loses;
      CHECK(perm_job_finish(job, partial, &r) == PERM_OK && r.precision == PERM_PRECISION_DD);
      CHECK_SHOW(perm_compute_sparse(&a, &options, &again) == PERM_OK, "n = %d: %s", n, again.message);
      CHECK(r.value == again.value && r.error_bound == again.error_bound && r.exp2 == again.exp2);
      CHECK(!complex || r.imaginary == again.imaginary);
      CHECK(oracle_exact_distance(&truth, again.value, complex ? again.imaginary : 0, again.exp2) <=
            again.error_bound);
      ran[complex]++;
    }
    perm_job_free(job);
    oracle_exact_free(&truth);
    perm_matrix_free(&a);
  }
  for (i = 0; i < 2; i++) {
    CHECK_SHOW(ran[i] > 200 && lost[i] > 20, "%d ran, %d with losses", ran[i], lost[i]);
    if (test_verbose)
      printf("     %s %d, %d with losses: worst error / sum of moduli %.2g, %.2g; / bound %.2g\n",
             i ? "complex" : "real", ran[i], lost[i], worst[i][0], worst[i][1], tight);
  }
}

/* Certify and a tolerance reach dd by name; above dd is nothing. */
TEST(t_hybrid_escalates_to_doubled)
{
  int complex;
  for (complex = 0; complex < 2; complex++) {
    perm_options options;
    perm_result r, truth;
    perm_matrix a = hybrid_random(16, 0.5, complex, 0);
    memset(&options, 0, sizeof options);
    options.method = PERM_METHOD_HYBRID;
    options.certify = 1;
    options.tolerance = 1e-15;
    CHECK_SHOW(perm_compute_sparse(&a, &options, &r) == PERM_OK, "%s", r.message);
    CHECK(r.method == PERM_METHOD_HYBRID && r.precision == PERM_PRECISION_DD && r.escalated == 1);
    CHECK(r.error_bound <= 1e-15 * hypot(r.value, r.imaginary));
    truth = hybrid_compute(&a, PERM_METHOD_DENSE, PERM_PRECISION_DD, PERM_ISA_AUTO, 1);
    CHECK(hypot(truth.value - r.value, truth.imaginary - r.imaginary) <= r.error_bound + truth.error_bound);
    options.certify = 0;
    options.tolerance = 1e-30;
    CHECK(perm_compute_sparse(&a, &options, &r) == PERM_TOLERANCE_NOT_MET);
    CHECK(r.precision == PERM_PRECISION_DD && r.escalated >= 1);
    CHECK_TEXT(r.message, "no precision is higher");
    perm_matrix_free(&a);
  }
}

static int hybrid_compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Medians of estimate / true error: Gaussian, 0/1 times a number, signs, complex ones. */
TEST_LONG(t_hybrid_estimates_are_no_pessimists)
{
  static double x[24 * 24 * 2], ratio[81];
  int kind, m, t, i;
  for (kind = 0; kind < 4; kind++)
    for (m = 0; m < 2; m++) {
      for (t = 0; t < 81; t++) {
        const int n = 18 + t % 4;
        for (i = 0; i < n * n; i++) {
          const int there = test_uniform() < 0.3 || i % n == (i / n + 1) % n;
          x[2 * i] = !there ? 0 : kind == 1 ? 0.3 : kind == 2 ? 0.7 * (1 - 2 * test_below(2)) : hybrid_gauss();
          x[2 * i + 1] = there && kind == 3 ? hybrid_gauss() : 0;
        }
        ratio[t] = hybrid_ratio(n, kind == 3, PERM_METHOD_HYBRID, PERM_PRECISION_DEFAULT, x);
        CHECK_SHOW(ratio[t] < 10, "n = %d, kind %d: error / estimate %.3g", n, kind, ratio[t]);
      }
      qsort(ratio, 81, sizeof *ratio, hybrid_compare);
      CHECK_SHOW(ratio[40] > 1e-3, "kind %d, method %d: the median of estimate / error is %.3g", kind, m,
                 1 / ratio[40]);
      if (test_verbose)
        printf("     kind %d, %s: median of estimate / error %.3g\n", kind, m ? "cached" : "hybrid", 1 / ratio[40]);
    }
}
/* SPDX-License-Identifier: MIT */
