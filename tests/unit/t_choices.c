/* >>limbs, >>exact, >>plan, >>bounds, >>problem, >>offers, >>choose, >>judge */
/* What is planned for seeded matrices, with each prediction, bound and estimate to six digits, is what was recorded: a
   hash for each family of problems. Who means to change a price, a packing or a choice sees here how far that reaches,
   and records the hash that the failed check prints; `-v` prints the lines themselves, for a diff. The golden record
   masks predictions, as it is of answers. */

static struct { uint64_t hash; } choices_now;

static void choices_begin(void)
{
  choices_now.hash = UINT64_C(0xcbf29ce484222325);
}

/* The same numbers whatever seed is asked for. */
static void choices_seed(uint64_t seed)
{
  const uint64_t base = test_base_seed;
  test_base_seed = 0;
  test_seed(seed);
  test_base_seed = base;
}

static void choices_line(const char *format, ...)
{
  char line[1024];
  const char *at;
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  for (at = line; *at; at++)
    choices_now.hash = (choices_now.hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
  if (test_verbose)
    printf("    %s\n", line);
}

static void choices_are(const char *name, uint64_t recorded)
{
  if (test_verbose)
    printf("    %s: 0x%016llx\n", name, (unsigned long long)choices_now.hash);
  CHECK_SHOW(choices_now.hash == recorded, "%s: now 0x%016llx", name, (unsigned long long)choices_now.hash);
}

#if defined(__x86_64__)
#define CHOICES_HERE()
#else
#define CHOICES_HERE() SKIP("recorded on x86-64")
#endif

static void choices_leaf(const permi_leaf *leaf)
{
  const perm_leaf *is = &leaf->information;
  choices_line("leaf %s %d n %d chunks %llu work %.6g seconds %.6g bytes %.6g", perm_name("method", is->method),
               is->isa, is->n, (unsigned long long)is->chunks, is->work, is->seconds, is->bytes);
  choices_line("bound %.6g %.6g estimate %.6g %.6g %.6g scale %lld", leaf->bound_relative, leaf->bound_absolute,
               leaf->estimate_relative, leaf->estimate_absolute, leaf->estimate_squares, leaf->scale_exp2);
}

static void choices_job(const perm_job *job)
{
  int i;
  for (i = 0; i < job->leaves; i++)
    choices_leaf(&job->leaf[i]);
}

/* Entries of up to `bits` bits, whole rows of them smaller; the share of zeros grows with `kind`. */
static void choices_integers(int64_t *a, int n, int parts, int bits, int kind)
{
  int i;
  for (i = 0; i < n * n * parts; i++) {
    const int row_bits = kind & 1 ? 1 + (i / parts / n * 7 + bits) % bits : bits;
    const int64_t x = (int64_t)(test_random() >> (64 - row_bits));
    a[i] = (kind & 2 && test_below(2)) ? 0 : test_below(2) ? x : -x;
  }
}

static void choices_packing(const permi_exact_plan *plan)
{
  const permi_exact_packing *packing = &plan->packing;
  const permi_exact_rows *rows = &plan->rows;
  uint64_t hash = 0;
  int i;
  for (i = 0; i < rows->n; i++)
    hash = permi_hash(hash, (uint64_t)((packing->atom_of[i] + 1) * 4096 + rows->order[i] * 2 + rows->half[i]));
  choices_line("limbs %d narrow %d fifths %d wide %d rows %llx", packing->limbs, packing->narrow, packing->fifths,
               packing->wide, (unsigned long long)hash);
  choices_line("bits %.9g survivors %.6g skip %d %d turned %d seconds %.6g", rows->bits, plan->survivors,
               plan->can_skip, plan->skip, rows->transposed, plan->seconds);
}

/* How exact integers are packed into limbs, by every family of kernels, and the tables' bytes. */
TEST(t_choices_of_limbs)
{
  static const int sizes[] = {1, 3, 7, 9, 14, 16, 20, 31, 40, 51, 57, 63};
  static const struct { const char *name; int isa, parts; uint64_t hash; } recorded[] = {
      {"IFMA", PERM_ISA_AVX512IFMA, 1, UINT64_C(0xa987f8bec36385c1)},
      {"AVX-512", PERM_ISA_AVX512, 1, UINT64_C(0x9720ba852ef761f4)},
      {"AVX2", PERM_ISA_AVX2, 1, UINT64_C(0xc13d17889f4f8519)},
      {"Gaussian, AVX-512", PERM_ISA_AVX512, 2, UINT64_C(0x232be605b108af73)},
      {"Gaussian, AVX2", PERM_ISA_AVX2, 2, UINT64_C(0xc088170c2d8a88c8)},
      {"portable", PERM_ISA_PLAIN, 1, UINT64_C(0xed0e6799186c44ec)},
      {"Gaussian, portable", PERM_ISA_PLAIN, 2, UINT64_C(0x03aba60bbe6cbcaa)}};
  int64_t *a = (int64_t *)malloc(2 * 64 * 64 * sizeof *a);
  size_t k, s;
  CHOICES_HERE();
  for (k = 0; k < sizeof recorded / sizeof *recorded; k++) {
    int n, kind;
    choices_begin();
    choices_seed(40 + (uint64_t)recorded[k].parts);
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (n = 10; n <= 64; n += 3)
        for (kind = 0; kind < 4; kind++) {
          const permi_integer_view view = {a, n, recorded[k].parts};
          perm_options options;
          permi_exact_plan plan;
          permi_leaf leaf;
          memset(&options, 0, sizeof options);
          options.isa = (perm_isa)recorded[k].isa;
          choices_integers(a, n, recorded[k].parts, sizes[s], kind);
          permi_exact_fastest(&options, n, &view, &plan);
          choices_packing(&plan);
          if (n < 30 && permi_exact_leaf(&options, &plan, &leaf, NULL) == PERM_OK) {
            choices_leaf(&leaf);
            leaf.release(&options.allocator, leaf.context);
          }
        }
    choices_are(recorded[k].name, recorded[k].hash);
  }
  free(a);
}

/* Real or complex matrices: full, graded, small integers, some zeros, an equal line, rank 2, rows that cancel, and as
   said below. */
static void choices_doubles(double *a, int n, int parts, int kind)
{
  int i, j, part;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (part = 0; part < parts; part++) {
        double x = 2 * test_uniform() - 1;
        if (kind == 1)
          x = ldexp(x, test_below(61) - 30 + 4 * i);
        else if (kind == 2)
          x = test_below(7) - 3;
        else if (kind == 3)
          x = test_below(3) ? fabs(x) : 0;
        else if (kind == 4 && i == n - 1)
          x = a[j * parts + part];
        else if (kind == 5)
          x = (i + 1.0) * (part ? 0 : j + 2.0) + (i % 3) * (j % 2 + 0.5);
        else if (kind == 6)
          x = (j ^ i) & 1 ? 1 : -1 + ldexp(x, -40);
        else if (kind == 7)
          x = ldexp(x, j % 2 ? -1000 : 1000);
        else if (kind == 8 && i > 2) /* three rows, again and again */
          x = a[((i % 3) * n + j) * parts + part];
        else if (kind == 9 && j > 1) /* two columns */
          x = a[(i * n + j % 2) * parts + part];
        else if (kind == 10 && i > 2 && j) /* rows that differ in their first entry */
          x = a[((i % 3) * n + j) * parts + part];
        else if (kind == 11) /* subnormal entries */
          x = ldexp(x, j ? -1060 : 0);
        else if (kind == 12)
          x = x < 0 ? -1 : 1;
        a[(i * n + j) * parts + part] = x;
      }
}

static void choices_array(const permi_problem *problem, const perm_options *options)
{
  permi_maker maker;
  permi_array array;
  perm_result result;
  perm_job *job = NULL;
  double seconds = 0;
  perm_status status;
  permi_result_clear(&result);
  memset(&array, 0, sizeof array); /* what is not chosen is asked for too */
  permi_array_begin(&maker, &array, problem, 5);
  status = problem->integer ? permi_array_reduce(&array, 0, options, &result) : PERM_OK;
  if (status == PERM_OK)
    status = permi_array_plan(&maker, options, &seconds, &job, &result);
  choices_line("order %d kind %s/%d/%d: %d, %.6g s %s", problem->n, perm_name("method", options->method),
               options->precision, options->certify, status, seconds, result.message);
  choices_line("argument %d", result.argument);
  if (status == PERM_OK) {
    const permi_dense_plan *plan = &array.plan;
    choices_line("engine %s plan %s %d %d pivot %d columns %d %d %d chunk %d lossy %d exact %d seconds %.6g bytes %.6g",
                 perm_name("method", array.engine->method), perm_name("method", plan->method), plan->precision,
                 plan->form, plan->pivot, plan->lane_columns,
                 plan->block_columns, plan->outer_columns, plan->chunk_log2, plan->lossy, plan->exact_rows,
                 plan->seconds, plan->bytes);
    status = permi_array_make(&maker, options, &job, &result);
    choices_line("made: %d %s", status, result.message);
    if (status == PERM_OK) {
      result.method = job->leaves ? job->leaf[0].information.method : PERM_METHOD_STRUCTURE;
      choices_job(job);
      choices_line("next %d, precision %d", permi_array_next(&maker, options, &result), job->precision);
    }
    perm_job_free(job);
  }
  permi_array_free(&array, &options->allocator);
}

/* The engine for real and complex arrays, its plan, bound and estimate, in every precision, by portable kernels. */
TEST(t_choices_of_arrays)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_DENSE, PERM_METHOD_GLYNN, PERM_METHOD_RYSER,
                                        PERM_METHOD_EXPANSION};
  static const uint64_t recorded[] = {UINT64_C(0xb1f9eb43ab476521), UINT64_C(0x32655745c7cbdd54)};
  static double a[2 * 65 * 65];
  int parts, kind, n, precision, certify;
  size_t m;
  CHOICES_HERE();
  for (parts = 1; parts <= 2; parts++) {
    choices_begin();
    choices_seed(50);
    for (kind = 0; kind < 13; kind++)
      for (n = 1; n <= 65; n += n < 10 ? 1 : n < 26 ? 5 : n < 56 ? 13 : 9)
        for (m = 0; m < sizeof methods / sizeof *methods; m++)
          for (precision = 0; precision < PERM_PRECISION_COUNT; precision++)
            for (certify = 0; certify < 3; certify++) { /* 2: a part, to a tolerance */
              const permi_problem problem = permi_problem_make(n, n, a, NULL, n, permi_reach_of(parts), NULL, NULL);
              perm_options options;
              if (n > 26 && m)
                continue;
              memset(&options, 0, sizeof options);
              options.method = methods[m];
              options.precision = (perm_precision)precision;
              options.certify = certify == 1;
              options.tolerance = certify == 2 ? 1e-13 : 0;
              options.checkpoint.part = certify / 2;
              options.checkpoint.parts = certify / 2 * 2;
              options.isa = PERM_ISA_PLAIN;
              choices_doubles(a, n, parts, kind);
              choices_array(&problem, &options);
            }
    choices_are(parts == 1 ? "real" : "complex", recorded[parts - 1]);
  }
}

/* Whether the exact engine is taken without counting equal lines. */
static int choices_surely(const permi_problem *problem, const perm_options *options)
{
  permi_maker maker;
  permi_array array;
  perm_result result;
  perm_job *job = NULL;
  double seconds;
  int surely;
  memset(&array, 0, sizeof array);
  permi_array_begin(&maker, &array, problem, 5);
  surely = permi_array_reduce(&array, 0, options, &result) == PERM_OK &&
           permi_array_plan(&maker, options, &seconds, &job, &result) == PERM_OK &&
           array.engine->method == PERM_METHOD_EXACT && !array.counted_made;
  permi_array_free(&array, &options->allocator);
  return surely;
}

/* The engine for arrays of integers. */
TEST(t_choices_of_integers)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_EXACT, PERM_METHOD_MULTIPLICITIES};
  static const uint64_t recorded[] = {UINT64_C(0xe8ce5a45ce2a14c7), UINT64_C(0x657cd0605b40e33e)};
  static int64_t a[2 * 67 * 67];
  int parts, kind, n, bits;
  size_t m;
  CHOICES_HERE();
  for (parts = 1; parts <= 2; parts++) {
    choices_begin();
    choices_seed(60);
    for (bits = 1; bits <= 41; bits += 10)
      for (kind = 0; kind < 6; kind++)
        for (n = 1; n <= 66; n += n < 10 ? 3 : n < 40 ? 9 : 13)
          for (m = 0; m < sizeof methods / sizeof *methods; m++) {
            const permi_problem problem = permi_problem_make(n, n, NULL, a, n, permi_reach_of(parts), NULL, NULL);
            perm_options options;
            memset(&options, 0, sizeof options);
            options.method = methods[m];
            options.isa = PERM_ISA_PLAIN;
            choices_integers(a, n, parts, bits, kind);
            if (kind > 3)
              memcpy(a + (n - 1) * n * parts, a, (size_t)(n * parts) * sizeof *a);
            if (kind > 4)
              memset(a + (n - 1) * parts, 0, (size_t)parts * sizeof *a);
            choices_array(&problem, &options);
            choices_line("surely %d", choices_surely(&problem, &options));
          }
    for (n = 0; n <= 66; n += 11)
      for (m = 0; m < sizeof methods / sizeof *methods; m++)
        for (kind = 0; kind < 4; kind++) { /* bounds, of GPUs too; rectangular arrays */
          const permi_problem problem = permi_problem_make(n, n + kind / 3, NULL, a, 67,
                                                           permi_reach_of(parts), NULL, NULL);
          permi_maker maker;
          permi_array array;
          permi_offer offer;
          perm_options options;
          memset(&options, 0, sizeof options);
          memset(&offer, 0, sizeof offer);
          offer.seconds = (double)INFINITY;
          options.method = methods[m];
          options.isa = PERM_ISA_PLAIN;
          options.gpu.devices = kind == 1;
          memset(&array, 0, sizeof array);
          permi_array_begin(&maker, &array, &problem, 5);
          maker.options = &options;
          if (n && (n > 36 || kind == 3) && permi_exact_least(&maker, NULL, (double)INFINITY, &offer) == PERM_OK)
            choices_line("exact sums of order %d: at least %.6g s, likely %.6g s", n, offer.least, offer.likely);
          if (n && kind == 3)
            choices_line("surely %d", choices_surely(&problem, &options));
        }
    choices_are(parts == 1 ? "integers" : "Gaussian integers", recorded[parts - 1]);
  }
}

/* A matrix by name, or of choices_doubles; kind 13: ten blocks of order 4. */
static perm_status choices_matrix(const char *pattern, int kind, perm_matrix *matrix)
{
  static double a[40 * 40];
  const int n = kind == 13 ? 40 : 18;
  int i, j;
  if (pattern)
    return perm_generate(pattern, 1, NULL, matrix, NULL);
  choices_seed(70);
  choices_doubles(a, n, 1, kind);
  for (i = 0; i < n; i++)
    for (j = 0; j < n && kind == 13; j++)
      a[i * n + j] = i / 4 == j / 4 ? a[i * n + j] : 0;
  return perm_matrix_from_dense(n, n, a, n, NULL, matrix, NULL);
}

/* Sparse matrices: what every engine predicts or declines, and what is taken, under limits and by name. */
TEST(t_choices_of_sparse_matrices)
{
  static const char *const pattern[] = {"er:12:0.3", "er:18:0.3", "er:20:0.9",  "regular:18:3", "band:30:3",
                                        "menage:20", "er:16:1",   "er:22:0.55", "er:17:1",      "er:15:1",
                                        NULL,        NULL,        NULL,         NULL,           NULL};
  static const int kinds[] = {5, 4, 8, 9, 13}; /* of those without a name */
  static const perm_method methods[] = {PERM_METHOD_AUTO,     PERM_METHOD_AUTO, PERM_METHOD_AUTO, PERM_METHOD_TREE,
                                        PERM_METHOD_SPARYSER, PERM_METHOD_BAND, PERM_METHOD_AUTO};
  static const uint64_t recorded[] = {UINT64_C(0x8d29966a0563d8f3), UINT64_C(0x62dc833d46bdaa33)};
  static char text[65536];
  size_t v, k, budget;
  CHOICES_HERE();
  for (v = 0; v < 2; v++) { /* numbers, or only their places */
    choices_begin();
    for (k = 0; k < sizeof pattern / sizeof *pattern; k++)
      for (budget = 0; budget < sizeof methods / sizeof *methods; budget++) {
        perm_options options =
            t_sparse_options(methods[budget], budget == 1 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT);
        perm_matrix matrix;
        perm_job *job = NULL;
        perm_result result;
        const char *line = text;
        options.isa = PERM_ISA_PLAIN;
        options.max_bytes = budget == 2 ? 3e5 : budget == 4 ? 1 : 0;
        options.max_seconds = budget == 2 || budget == 6 ? 1e-6 : 0;
        options.checkpoint.part = budget == 6;
        options.checkpoint.parts = 2 * (budget == 6);
        if (choices_matrix(pattern[k], kinds[k % 5], &matrix) != PERM_OK) {
          CHECK(0);
          continue;
        }
        matrix.kind = v ? PERM_KIND_PATTERN : matrix.kind;
        choices_line("%d %d: %d %s", (int)k, (int)budget, perm_sparse_job(&matrix, &options, &job, &result),
                     result.message);
        choices_line("argument %d", result.argument);
        if (job) {
          choices_job(job);
          perm_job_explain(job, text, sizeof text);
          while (*line) {
            const char *end = strchr(line, '\n');
            choices_line("%.*s", (int)(end - line), line);
            line = end + 1;
          }
        }
        perm_job_free(job);
        perm_matrix_free(&matrix);
      }
    choices_are(v ? "places" : "numbers", recorded[v]);
  }
}

static void choices_explained(const char *name, perm_status status, perm_job *job, const perm_result *result)
{
  static char text[65536];
  const char *line = text, *end;
  choices_line("%s: %d %s", name, status, result->message);
  if (!job)
    return;
  choices_job(job);
  perm_job_explain(job, text, sizeof text);
  for (; *line; line = end + 1) {
    end = strchr(line, '\n');
    choices_line("%.*s", (int)(end - line), line);
  }
  perm_job_free(job);
}

/* How far plans are searched: the shares of several blocks, arrays whose dense sum is known, orders that another engine
   may outdo. */
TEST(t_choices_of_searches)
{
  static const char *const pattern[] = {"blocks:2:26:0.2", "regular:40:6"};
  static const uint64_t recorded[] = {UINT64_C(0xae9f67412e7643e5), UINT64_C(0xd3f674db3a01f6fb)};
  static double a[26 * 26];
  static int64_t integer[26 * 26];
  perm_options options = t_sparse_options(PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
  int k, i, whole;
  CHOICES_HERE();
  options.isa = PERM_ISA_PLAIN;
  choices_begin();
  for (k = 0; k < (int)(sizeof pattern / sizeof *pattern); k++) {
    perm_matrix matrix;
    perm_job *job = NULL;
    perm_result result;
    perm_status status;
    CHECK(perm_generate(pattern[k], 1, NULL, &matrix, NULL) == PERM_OK);
    matrix.kind = PERM_KIND_PATTERN;
    permi_result_clear(&result);
    status = perm_sparse_job(&matrix, &options, &job, &result);
    choices_explained(pattern[k], status, job, &result);
    perm_matrix_free(&matrix);
  }
  choices_are("matrices", recorded[0]);
  choices_begin();
  choices_seed(80);
  for (k = 0; k < 8; k++)
    for (whole = 0; whole < 2; whole++) {
      const int n = 22 + k % 5;
      permi_problem problem;
      perm_matrix matrix;
      size_t nnz = 0;
      perm_job *job = NULL;
      perm_result result;
      perm_status status;
      char name[40];
      for (i = 0; i < n * n; i++) {
        const int in = test_below(12) < 4 + k / 2;
        a[i] = in ? 0.1 + test_uniform() : 0;
        integer[i] = in ? (1 + test_below(9)) * (1 - 2 * test_below(2)) : 0;
      }
      for (i = 0; i < n * n; i++)
        nnz += whole ? integer[i] != 0 : a[i] != 0;
      problem = permi_problem_make(n, n, whole ? NULL : a, whole ? integer : NULL, n, &permi_reach_real, NULL, NULL);
      CHECK(permi_matrix_of_array(&problem, nnz, &options.allocator, &matrix));
      permi_result_clear(&result);
      status = permi_sparse_job(&matrix, PERMI_FROM_ARRAY, &options, &job, &result);
      perm_matrix_free(&matrix);
      snprintf(name, sizeof name, "order %d, kind %d", n, whole);
      choices_explained(name, status, job, &result);
    }
  choices_are("arrays", recorded[1]);
}

/* Trees of rectangles that a frontier beats are not planned for the time that its order deserves. */
TEST(t_choices_scene_order)
{
  double a[20 * 35], seconds[2] = {0, 0};
  uint64_t seed = 7;
  perm_matrix matrix;
  memset(a, 0, sizeof a);
  for (int i = 0; i < 20 * 35; i++)
    a[i] = permi_random_uniform(&seed) < 0.5 || i % 35 == i / 35 ? 0.1 + 0.8 * permi_random_uniform(&seed) : 0;
  CHECK(perm_matrix_from_dense(20, 35, a, 35, NULL, &matrix, NULL) == PERM_OK);
  for (int k = 0; k < 2; k++) {
    perm_options options = t_sparse_options(k ? PERM_METHOD_FRONTIER : PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT);
    perm_job *job = NULL;
    perm_result result;
    CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK);
    seconds[k] = permi_job_seconds(job);
    perm_job_free(job);
  }
  CHECK_SHOW(seconds[0] < 1.25 * seconds[1], "auto %g s, frontier %g s", seconds[0], seconds[1]);
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
