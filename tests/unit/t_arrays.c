/* >>arrays, >>vectors, >>arrays_run, >>array_kernels */
/* The frontier program on arrays: the same permanents as on lists and as in exact arithmetic, in every kind of value;
   the same bits for any number of threads. */

static perm_options t_arrays_options(perm_method method, perm_precision precision, int threads)
{
  perm_options options = t_sparse_options(method, precision);
  options.threads = threads;
  return options;
}

/* Random integers: sparse, of any shape of graph, now and then singular. */
static perm_matrix t_arrays_integers(int n, int trial, int is_complex)
{
  int row[20 * 20], column[20 * 20], i, j;
  double real[20 * 20], imaginary[20 * 20];
  int64_t integer[20 * 20];
  size_t count = 0;
  const double density = 0.15 + 0.6 * test_uniform();
  perm_matrix matrix;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      const int there = trial % 3 == 0   ? (j - i + n) % n < 3 || (j - i + n) % n > n - 3
                        : trial % 3 == 1 ? test_uniform() < density || i == j
                                         : test_uniform() < density;
      if (!there)
        continue;
      row[count] = i;
      column[count] = j;
      integer[count] = trial % 4 == 0 ? 1 : test_below(7) - 3;
      if (trial % 16 == 5)
        integer[count] *= INT64_C(1) << 40; /* several words */
      real[count] = (double)integer[count];
      imaginary[count] = test_below(5) - 2;
      if (integer[count] != 0)
        count++;
    }
  CHECK(perm_matrix_from_triplets(n, n, count, row, column, real, imaginary, integer,
                                  is_complex ? PERM_KIND_COMPLEX : PERM_KIND_INTEGER, NULL, &matrix, NULL) == PERM_OK);
  return matrix;
}

TEST(t_arrays_integers_match_lists)
{
  int trial, threads, arrays = 0, nonzero = 0, wide = 0;
  for (trial = 0; trial < 600; trial++) {
    const int n = trial % 40 == 0 ? 16 + test_below(4) : 2 + test_below(9), is_complex = trial % 5 == 4;
    perm_matrix matrix = t_arrays_integers(n, trial, is_complex);
    perm_options options = t_arrays_options(PERM_METHOD_LISTS, PERM_PRECISION_EXACT, 1);
    perm_result lists, r;
    if (trial % 7 == 3)
      options.modulus = trial & 8 ? UINT64_C(9223372036854775783) : 1000;
    CHECK(perm_compute_sparse(&matrix, &options, &lists) == PERM_OK);
    for (threads = 1; threads <= 3; threads++) {
      options.method = PERM_METHOD_ARRAYS;
      options.threads = threads;
      CHECK_SHOW(perm_compute_sparse(&matrix, &options, &r) == PERM_OK, "trial %d: %s", trial, r.message);
      CHECK_SHOW(r.exact && !memcmp(&r.integer, &lists.integer, sizeof r.integer) &&
                     !memcmp(&r.imaginary_integer, &lists.imaginary_integer, sizeof r.integer),
                 "trial %d n %d threads %d: %g, not %g", trial, n, threads, r.value, lists.value);
      arrays += r.method == PERM_METHOD_ARRAYS;
    }
    nonzero += lists.value != 0;
    wide += lists.integer.words > 2;
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(arrays > 800 && nonzero > 300 && wide > 10, "%d arrays, %d not 0, %d wide", arrays, nonzero, wide);
}

/* Makes all leaves of arrays go by residues, whatever the prices say. Returns how many do. */
static int t_arrays_force_residues(perm_job *job, permi_growth *most)
{
  int leaf, forced = 0, p;
  for (leaf = 0; leaf < job->leaves; leaf++) {
    permi_frontier *frontier = (permi_frontier *)job->leaf[leaf].context;
    permi_arrays *arrays;
    if (job->leaf[leaf].information.method != PERM_METHOD_ARRAYS || !frontier->arrays->residues.passes)
      continue;
    arrays = frontier->arrays;
    if (!arrays->by_residues) {
      arrays->by_residues = 1;
      arrays->bytes = 0;
      CHECK(permi_places_measure(frontier, NULL));
    }
    for (p = 0; p < frontier->steps; p++)
      if (arrays->growth[p] > *most)
        *most = (permi_growth)arrays->growth[p];
    forced++;
  }
  return forced;
}

/* The permanent of a job by residues where it can be; adds to *forced, and to growths[the most of all steps]. */
static perm_status t_arrays_by_residues(const perm_matrix *matrix, const perm_options *options, perm_result *r,
                                        int *forced, int *growths)
{
  perm_job *job;
  perm_state *state;
  permi_growth most = PERMI_GROWS_NOT;
  int now;
  perm_status status = perm_sparse_job(matrix, options, &job, r);
  if (status != PERM_OK)
    return status;
  now = t_arrays_force_residues(job, &most);
  *forced += now;
  growths[most] += now > 0;
  status = perm_state_create(job, &state);
  if (status == PERM_OK)
    status = perm_job_execute(job, state, options, r);
  perm_state_free(state);
  perm_job_free(job);
  return status;
}

/* Entries of up to `bits` bits, real or Gaussian, a few on each line. */
static perm_matrix t_arrays_long_integers(int n, int bits, int is_complex)
{
  int row[12 * 12], column[12 * 12], i, j, part;
  double value[2][12 * 12];
  int64_t integer[12 * 12];
  size_t count = 0;
  perm_matrix matrix;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      if ((j - i + n) % n < 2 || test_below(3) == 0) {
        row[count] = i;
        column[count] = j;
        for (part = 0; part < 2; part++) {
          const uint64_t size = (test_random() >> (64 - bits)) | (test_below(4) == 0 ? UINT64_C(1) << (bits - 1) : 1);
          value[part][count] = (double)size * (test_below(2) ? 1 : -1);
        }
        integer[count] = (int64_t)value[0][count];
        count++;
      }
  CHECK(perm_matrix_from_triplets(n, n, count, row, column, value[0], value[1], integer,
                                  is_complex ? PERM_KIND_COMPLEX : PERM_KIND_INTEGER, NULL, &matrix, NULL) == PERM_OK);
  return matrix;
}

/* Entries of 1 to 52 bits, of all families, with and without moduli: as lists, whose integers are of several words, and
   as all perfect matchings one by one. */
TEST(t_arrays_residues_match_lists)
{
  static const perm_isa isa[] = {PERM_ISA_AUTO, PERM_ISA_PLAIN, PERM_ISA_AVX2};
  int trial, forced = 0, growths[3] = {0, 0, 0}, primes = 0, nonzero = 0, moduli = 0;
  for (trial = 0; trial < 3000; trial++) {
    const int n = 2 + test_below(8), is_complex = trial % 5 == 4, bits = 1 + trial % 52;
    perm_matrix matrix = trial % 3 ? t_arrays_long_integers(n, bits, is_complex)
                                   : t_arrays_integers(trial % 60 == 0 ? 14 : n + 1, trial, is_complex);
    perm_options options = t_arrays_options(trial & 1 || trial % 60 == 0 ? PERM_METHOD_LISTS : PERM_METHOD_TRANSVERSALS,
                                            PERM_PRECISION_EXACT, 1);
    perm_result lists, r;
    if (trial / 2 % 4 == 1)
      options.modulus = 2 + (test_random() >> (1 + test_below(60)));
    CHECK(perm_compute_sparse(&matrix, &options, &lists) == PERM_OK);
    options.method = PERM_METHOD_ARRAYS;
    options.threads = 1 + trial % 2;
    options.isa = isa[trial % 3];
    if (!permi_isa_here(options.isa == PERM_ISA_AVX2 ? PERM_ISA_AVX2 : PERM_ISA_PLAIN))
      options.isa = PERM_ISA_PLAIN;
    CHECK_SHOW(t_arrays_by_residues(&matrix, &options, &r, &forced, growths) == PERM_OK, "trial %d: %s", trial,
               r.message);
    CHECK_SHOW(r.exact && !memcmp(&r.integer, &lists.integer, sizeof r.integer) &&
                   !memcmp(&r.imaginary_integer, &lists.imaginary_integer, sizeof r.integer),
               "trial %d n %d bits %d: %g, not %g", trial, n, bits, r.value, lists.value);
    nonzero += lists.value != 0;
    primes += lists.integer.words > 1;
    moduli += options.modulus != 0;
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(forced > 2200 && growths[0] > 200 && growths[1] > 60 && growths[2] > 200 && nonzero > 2400 &&
                 primes > 1000 && moduli > 600,
             "%d forced, growths %d %d %d, %d not 0, %d long, %d moduli", forced, growths[0], growths[1], growths[2],
             nonzero, primes, moduli);
}

/* Values at the edges of a reduction: every coefficient as large as a step allows, every number of bits. */
TEST(t_arrays_residues_keep_their_room)
{
  int bits, ways, checked = 0;
  for (bits = PERMI_ARRAY_RESIDUE_LEAST; bits <= 52; bits++)
    for (ways = 1; ways <= 40; ways++) {
      permi_frontier frontier;
      double bound[2] = {0, 1e6}, half = ldexp(1, bits - 1), x[40], y[1], weight = 0;
      permi_origin origin[40];
      permi_numbers numbers;
      permi_odd_modulus prime;
      uint64_t expected = 0;
      int start[2] = {0, 0}, k, growth;
      memset(&frontier, 0, sizeof frontier);
      frontier.numbers.parts = 1;
      memset(&numbers, 0, sizeof numbers);
      numbers.words = 1;
      memset(origin, 0, sizeof origin);
      start[1] = ways;
      frontier.bits = bound;
      frontier.stream_start = start;
      permi_primes_choose(&prime, 1, 0, bits);
      numbers.modulus = prime.p;
      for (k = 0; k < ways; k++) {
        const double most = bits % 2 ? (double)(prime.p / 2) : floor(PERMI_ARRAY_RESIDUE_ROOM / ways / (half + 1));
        origin[k].real = (most > 1 ? most : 1) * (k % 3 == 2 ? -1 : 1);
        x[k] = (double)(prime.p / 2) * (k % 3 == 2 ? -1 : 1);
        weight += fabs(origin[k].real);
        origin[k].x = &x[k];
        expected = permi_residue_add(
            expected,
            permi_residue_multiply(permi_residue_of((int64_t)origin[k].real, prime.p),
                                   permi_residue_of((int64_t)x[k], prime.p), prime.p),
            0, prime.p);
      }
      growth = permi_residues_growth(&frontier, 0, weight, half);
      if (growth < 0)
        continue;
      for (k = 0; k < 3; k++) {
        const perm_isa isa = k == 0 ? PERM_ISA_PLAIN : k == 1 ? PERM_ISA_AVX2 : PERM_ISA_AVX512;
        double wide[40][40]; /* vectors read beyond a block */
        int w;
        if (!permi_isa_here(isa))
          continue;
        for (w = 0; w < ways; w++) {
          memset(wide[w], 0, sizeof wide[w]);
          wide[w][0] = x[w];
          origin[w].x = wide[w];
        }
        permi_arrays_kernel(PERMI_MAGNITUDES, isa, growth)(&numbers, y, 1, origin, ways);
        CHECK_SHOW(permi_residue_of_double(y[0], prime.p) == expected && fabs(y[0]) <= half + 1,
                   "%d bits, %d ways, %s: %.17g", bits, ways, perm_name("isa", isa), y[0]);
        checked++;
      }
    }
  CHECK_SHOW(checked > 300, "%d checked", checked);
}

/* Where integers do not fit into max_bytes, residues do: the same permanent; samples keep integers as they are. */
TEST(t_arrays_residues_fit_where_integers_do_not)
{
  perm_matrix matrix;
  perm_options options = t_arrays_options(PERM_METHOD_ARRAYS, PERM_PRECISION_EXACT, 1);
  perm_result many, few, modulo;
  perm_job *job;
  char text[1000];
  int columns[70];
  size_t e;
  CHECK(perm_generate("regular:70:3", 3, NULL, &matrix, &many) == PERM_OK);
  for (e = 0; e < matrix.nnz; e++) {
    matrix.integer[e] = 1 + test_below(2);
    matrix.real[e] = (double)matrix.integer[e];
  }
  CHECK(perm_compute_sparse(&matrix, &options, &many) == PERM_OK);
  CHECK(perm_sparse_job(&matrix, &options, &job, &few) == PERM_OK);
  perm_job_explain(job, text, sizeof text);
  CHECK_TEXT(text, "transitions of integers of several words");
  perm_job_free(job);
  options.max_bytes = 4.5e6;
  CHECK(perm_sparse_job(&matrix, &options, &job, &few) == PERM_OK);
  perm_job_explain(job, text, sizeof text);
  CHECK_TEXT(text, "residues modulo");
  perm_job_free(job);
  CHECK(perm_compute_sparse(&matrix, &options, &few) == PERM_OK);
  CHECK(!memcmp(&few.integer, &many.integer, sizeof few.integer));
  options.modulus = 1000003;
  CHECK(perm_compute_sparse(&matrix, &options, &modulo) == PERM_OK);
  CHECK(modulo.value == (double)permi_words_residue(many.integer.word, many.integer.words, 0, 1000003));
  options.modulus = 0;
  options.max_bytes = 1e9;
  CHECK(perm_sample_sparse(&matrix, &options, 1, 0, 1, columns, &many) == PERM_OK);
  CHECK(many.method == PERM_METHOD_ARRAYS);
  perm_matrix_free(&matrix);
}

TEST(t_arrays_values_match_exact_arithmetic)
{
  static const perm_precision precisions[] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_DD};
  double a[2 * 12 * 12];
  int trial, p, finite = 0, close = 0, arrays = 0;
  for (trial = 0; trial < 240; trial++) {
    const int parts = 1 + trial / 8 % 2, n = 2 + trial % 11;
    perm_matrix matrix;
    oracle_exact exact;
    t_lists_random(n, parts, trial, a);
    exact = oracle_exact_make(parts, n, a);
    if (parts == 2)
      matrix = t_sparse_complex_matrix(n, a);
    else
      CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL) == PERM_OK);
    for (p = 0; p < 2; p++) {
      perm_options options = t_arrays_options(PERM_METHOD_ARRAYS, precisions[p], 1);
      permi_number number;
      perm_precision precision = PERM_PRECISION_DEFAULT;
      perm_result r;
      double error, size;
      options.isa = trial % 3 == 1 ? PERM_ISA_PLAIN : PERM_ISA_AUTO;
#if PERMI_X86
      if (trial % 3 == 2 && permi_isa_here(PERM_ISA_AVX2))
        options.isa = PERM_ISA_AVX2;
#endif
      CHECK(t_lists_number(&matrix, &options, &number, &precision) == PERM_OK);
      error = oracle_exact_part(&exact, 0, number.value.hi, number.value.lo, number.exp2);
      if (parts == 2)
        error = hypot(error, oracle_exact_part(&exact, 1, number.imaginary.hi, number.imaginary.lo, number.exp2));
      size = hypot(number.value.hi, number.imaginary.hi);
      CHECK_SHOW(error <= number.error * (1 + 1e-14) && error <= number.estimate * (1 + 1e-14) + 1e-30 * size,
                 "trial %d n %d parts %d %s: error %g, bound %g, estimate %g, value %g", trial, n, parts,
                 perm_name("precision", precisions[p]), error, number.error, number.estimate, size);
      finite += number.error < (double)INFINITY;
      close += number.error < (p < 1 ? 1e-12 : 1e-27) * size;
      CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_OK);
      arrays += r.method == PERM_METHOD_ARRAYS;
    }
    perm_matrix_free(&matrix);
    oracle_exact_free(&exact);
  }
  CHECK_SHOW(finite == 480 && close > 380 && arrays > 400, "%d finite, %d close, %d arrays", finite, close, arrays);
}

/* Products far below and above the doubles on the way, which powers of two must take up and bounds must cover. */
TEST_LONG(t_arrays_survive_underflow_and_overflow)
{
  double a[2 * 12 * 12];
  int trial, n = 12, i, finite = 0, uncertain = 0;
  for (trial = 0; trial < 120; trial++) {
    const int parts = 1 + trial % 2, steep = trial / 2 % 3;
    const perm_precision precision = trial / 6 % 2 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
    perm_options options = t_arrays_options(PERM_METHOD_ARRAYS, precision, 1);
    perm_matrix matrix;
    permi_number number;
    perm_precision used = PERM_PRECISION_DEFAULT;
    oracle_exact exact;
    double error;
    memset(a, 0, sizeof a);
    for (i = 0; i < n * n; i++)
      if ((i % n - i / n + n) % n < 3 || !test_below(5)) {
        const int e = test_below(steep == 0 ? 700 : steep == 1 ? 1000 : 200) - (steep == 2 ? 900 : 350);
        a[i * parts] = ldexp((trial & 4 ? 1 : 2 * test_below(2) - 1) * (1 + test_uniform()), e);
        if (parts == 2)
          a[2 * i + 1] = ldexp(test_uniform() - 0.5, e - test_below(300) > -1000 ? e - 20 : e);
      }
    exact = oracle_exact_make(parts, n, a);
    if (parts == 2)
      matrix = t_sparse_complex_matrix(n, a);
    else
      CHECK(perm_matrix_from_dense(n, n, a, n, NULL, &matrix, NULL) == PERM_OK);
    CHECK(t_lists_number(&matrix, &options, &number, &used) == PERM_OK);
    error = oracle_exact_part(&exact, 0, number.value.hi, number.value.lo, number.exp2);
    if (parts == 2)
      error = hypot(error, oracle_exact_part(&exact, 1, number.imaginary.hi, number.imaginary.lo, number.exp2));
    CHECK_SHOW(error <= number.error * (1 + 1e-14) && number.error == number.error, "trial %d: error %g, bound %g",
               trial, error, number.error);
    finite += number.error < (double)INFINITY;
    uncertain += number.error > 1e-12 * hypot(number.value.hi, number.imaginary.hi);
    perm_matrix_free(&matrix);
    oracle_exact_free(&exact);
  }
  CHECK_SHOW(finite > 60 && uncertain < 60, "%d finite, %d uncertain", finite, uncertain);
}

/* Large enough that threads share steps. */
TEST_LONG(t_arrays_bits_do_not_depend_on_threads)
{
  static const char *const kind[] = {"er:30:0.2", "regular:70:3", "grid:12:12", "mycielskian:6"};
  int k, precision, threads;
  for (k = 0; k < 4; k++)
    for (precision = 0; precision < 2; precision++) {
      perm_matrix matrix;
      perm_options options =
          t_arrays_options(PERM_METHOD_ARRAYS, precision ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT, 1);
      perm_result one, many;
      CHECK(perm_generate(kind[k], 3, NULL, &matrix, &one) == PERM_OK);
      CHECK(perm_compute_sparse(&matrix, &options, &one) == PERM_OK);
      CHECK(one.error_bound < 1e-12 * fabs(one.value));
      for (threads = 2; threads <= 3; threads++) {
        options.threads = threads;
        CHECK(perm_compute_sparse(&matrix, &options, &many) == PERM_OK);
        CHECK_SHOW(many.value == one.value && many.error_bound == one.error_bound && many.exp2 == one.exp2,
                   "%s: %.17g, %.17g", kind[k], many.value, one.value);
      }
      options = t_arrays_options(PERM_METHOD_LISTS, PERM_PRECISION_DD, 1);
      CHECK(perm_compute_sparse(&matrix, &options, &many) == PERM_OK && many.method == PERM_METHOD_LISTS);
      CHECK_SHOW(fabs(many.value - one.value) <= 1e-13 * one.value, "%s: %.17g, lists %.17g", kind[k], one.value,
                 many.value);
      perm_matrix_free(&matrix);
    }
}

/* Whether the place of a word lies in another. */
static int t_arrays_place_meets(const permi_places *places, const unsigned char *const *live, int side, size_t word)
{
  const uint64_t from = places->at[side][word], to = from + places->bytes[side][permi_count_ones(word)];
  const size_t tops = permi_places_tops(places->frontier);
  size_t k;
  for (k = 0; k < 2 * tops; k++) {
    const size_t other = k % tops;
    const int at = k >= tops;
    const uint64_t begin = places->at[at][other], end = begin + places->bytes[at][permi_count_ones(other)];
    if (live[at][other] && (at != side || other != word) && from < end && begin < to)
      return 1;
  }
  return 0;
}

/* Plays a program's places: none meet, all of a state's sources are there when it is summed, every word of top bits
   gets its place once, large enough, and the bytes are those of the plan. Returns its turns. */
static int t_arrays_play(const permi_frontier *frontier)
{
  const permi_arrays *arrays = frontier->arrays;
  const size_t tops = permi_places_tops(frontier);
  const int above = arrays->low + arrays->middle;
  permi_pool pool = {&frontier->owned.allocator, NULL, 0};
  permi_places places;
  permi_layout layout;
  unsigned char *live[2];
  uint16_t *top = (uint16_t *)calloc(tops, sizeof *top);
  size_t k;
  int p, s, turns = 0;
  live[0] = (unsigned char *)calloc(tops, 1);
  live[1] = (unsigned char *)calloc(tops, 1);
  CHECK(permi_places_open(&pool, frontier, &places));
  permi_layout_create(&pool, arrays, &layout);
  permi_places_start(&places);
  live[0][0] = 1;
  for (p = 0; p < frontier->steps; p++) {
    const int side = (p + 1) & 1;
    permi_layout_fill(arrays, &layout, arrays->occupied[p + 1], frontier->ones[p + 1], frontier->most[p + 1]);
    permi_places_step(&places, p);
    while (!places.done) {
      const int count = permi_places_turn(&places, side, top);
      int i;
      for (i = 0; i < count; i++) {
        CHECK(!live[side][top[i]]);
        live[side][top[i]] = 1;
        CHECK(permi_layout_states(&layout, top[i]) * permi_arrays_bytes_at(frontier, p + 1) + PERMI_ARRAY_PAD <=
              places.bytes[side][permi_count_ones(top[i])]);
        for (s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++) {
          const permi_pull pull = permi_pull_of(frontier, p, s);
          const uint64_t state = (uint64_t)top[i] << above;
          const size_t from = (size_t)(((state & pull.keep) ^ pull.flip) >> above);
          CHECK((((state & pull.test) ^ pull.want) >> above) != 0 || live[side ^ 1][from] ||
                places.bytes[side ^ 1][permi_count_ones(from)] == 0);
        }
      }
      for (i = 0; i < count; i++)
        CHECK(!t_arrays_place_meets(&places, (const unsigned char *const *)live, side, top[i]));
      permi_places_turned(&places, side);
      for (k = 0; k < tops; k++) /* the source's settings of this turn */
        for (s = (int)places.begin; live[side ^ 1][k]; s = (int)(((uint32_t)s - places.fixed) & places.fixed)) {
          live[side ^ 1][k] = ((uint32_t)k & places.fixed) != (uint32_t)s;
          if ((((uint32_t)s - places.fixed) & places.fixed) == places.next)
            break;
        }
      turns++;
    }
    for (k = 0; k < tops; k++) {
      int listed = 0, i;
      for (i = 0; i < layout.tops; i++)
        listed |= layout.top[i] == k;
      CHECK(!live[side ^ 1][k] && live[side][k] == listed);
    }
  }
  CHECK_SHOW((double)places.most == arrays->bytes, "%g bytes, not %g", (double)places.most, arrays->bytes);
  free(top);
  free(live[0]);
  free(live[1]);
  permi_pool_release(&pool);
  return turns - frontier->steps;
}

TEST(t_arrays_have_one_memory_for_two_steps)
{
  static const char *const kind[] = {"regular:90:3", "regular:80:3", "er:34:0.2", "mycielskian:6", "grid:20:20"};
  int k, more = 0, smaller = 0;
  for (k = 0; k < 5; k++) {
    perm_matrix matrix;
    perm_options options =
        t_arrays_options(PERM_METHOD_ARRAYS, PERM_PRECISION_DEFAULT, 1);
    perm_result result;
    perm_job *job;
    int leaf;
    CHECK(perm_generate(kind[k], 3, NULL, &matrix, &result) == PERM_OK);
    CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK);
    for (leaf = 0; leaf < job->leaves; leaf++) {
      const permi_frontier *frontier = (const permi_frontier *)job->leaf[leaf].context;
      if (job->leaf[leaf].information.method != PERM_METHOD_ARRAYS)
        continue;
      more += t_arrays_play(frontier);
      smaller += frontier->arrays->bytes < 0.85 * (frontier->room[0] + frontier->room[1]) *
                                               (double)permi_arrays_bytes_at(frontier, frontier->steps);
    }
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(more > 60 && smaller >= 4, "%d turns more than steps, %d smaller", more, smaller);
}

/* One large entry a row: values come close to the bound. */
static perm_matrix t_arrays_steep(int n)
{
  int row[36], column[36], i, k;
  int64_t integer[36];
  double real[36];
  perm_matrix matrix;
  for (i = 0; i < n; i++)
    for (k = 0; k < 3; k++) {
      row[3 * i + k] = i;
      column[3 * i + k] = (i + k) % n;
      integer[3 * i + k] = k == 1 ? INT64_C(1) << (20 + test_below(30)) : 1;
      real[3 * i + k] = (double)integer[3 * i + k];
    }
  CHECK(perm_matrix_from_triplets(n, n, 3 * (size_t)n, row, column, real, NULL, integer, PERM_KIND_INTEGER, NULL,
                                  &matrix, NULL) == PERM_OK);
  return matrix;
}

/* The values of every step, from lists, fit the words that the bound gives it, and sometimes need them. */
TEST(t_arrays_integers_are_as_short_as_their_bound)
{
  int trial, shorter = 0, full = 0;
  for (trial = 0; trial < 400; trial++) {
    perm_matrix matrix =
        trial & 1 ? t_arrays_steep(6 + trial % 7) : t_arrays_integers(4 + trial % 8, trial, trial % 5 == 4);
    perm_options options = t_arrays_options(PERM_METHOD_LISTS, PERM_PRECISION_EXACT, 1);
    perm_result result;
    perm_job *job;
    int leaf, p;
    CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK);
    for (leaf = 0; leaf < job->leaves; leaf++) {
      const permi_frontier *frontier = (const permi_frontier *)job->leaf[leaf].context;
      const int words = frontier->numbers.words, parts = frontier->numbers.parts;
      permi_run run;
      memset(&run, 0, sizeof run);
      if (job->leaf[leaf].information.method != PERM_METHOD_LISTS || !frontier->words)
        continue;
      CHECK(permi_run_open(frontier, NULL, permi_run_step, &run) == PERM_OK);
      CHECK(frontier->words[frontier->steps] == words);
      for (p = 0; p < frontier->steps; p++) {
        const permi_list *list = &run.list[(p + 1) & 1];
        const int kept = frontier->words[p + 1];
        size_t k;
        int w, needed = 0;
        CHECK(kept >= frontier->words[p] && permi_run_step(&run, p) == PERM_OK);
        for (k = 0; k < list->states * (size_t)parts; k++) {
          const uint64_t *x = (const uint64_t *)list->value + k * (size_t)words, sign = x[kept - 1] >> 63;
          for (w = kept; w < words; w++)
            CHECK_SHOW(x[w] == 0 - sign, "trial %d step %d: %d words", trial, p, kept);
          needed |= kept > 1 && x[kept - 1] != 0 - (x[kept - 2] >> 63);
        }
        shorter += kept < words;
        full += needed;
      }
      permi_run_release(&run);
    }
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
  CHECK_SHOW(shorter > 50 && full > 50, "%d steps shorter, %d need all words", shorter, full);
}

/* Large states choose arrays by themselves, small ones lists. */
TEST(t_arrays_are_chosen_for_many_states)
{
  static const char *const kind[] = {"grid:6:6", "regular:70:3"};
  int k;
  for (k = 0; k < 2; k++) {
    perm_matrix matrix;
    perm_options options = t_arrays_options(PERM_METHOD_FRONTIER, PERM_PRECISION_EXACT, 1);
    perm_result result;
    perm_job *job;
    char text[1000];
    CHECK(perm_generate(kind[k], 3, NULL, &matrix, &result) == PERM_OK);
    CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK);
    perm_job_explain(job, text, sizeof text);
    CHECK_TEXT(text, k ? "states in arrays" : "states in lists");
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
}

static int t_arrays_stop_at;
static int t_arrays_progress(const perm_progress *progress, void *user_data)
{
  (void)user_data;
  CHECK(progress->fraction >= 0 && progress->fraction <= 1);
  return --t_arrays_stop_at < 0;
}

TEST(t_arrays_stop_when_asked)
{
  perm_matrix matrix;
  perm_options options = t_arrays_options(PERM_METHOD_ARRAYS, PERM_PRECISION_EXACT, 2);
  perm_result result;
  volatile int cancel = 1;
  CHECK(perm_generate("regular:70:3", 3, NULL, &matrix, &result) == PERM_OK);
  options.cancel = &cancel;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_CANCELLED);
  options.cancel = NULL;
  options.progress = t_arrays_progress;
  t_arrays_stop_at = 1000000;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_OK);
  options.max_bytes = 1000;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_LIMIT);
  perm_matrix_free(&matrix);
}

/* Every allocation fails once: a status, nothing leaks (the allocator counts), nothing crashes. */
static int t_arrays_left, t_arrays_living;
static void *t_arrays_allocate(size_t bytes, void *user_data)
{
  void *made;
  (void)user_data;
  if (--t_arrays_left < 0)
    return NULL;
  made = malloc(bytes);
  t_arrays_living += made != NULL;
  return made;
}

static void t_arrays_release(void *pointer, void *user_data)
{
  (void)user_data;
  t_arrays_living -= pointer != NULL;
  free(pointer);
}

TEST(t_arrays_survive_every_failing_allocation)
{
  double a[9 * 9];
  perm_matrix matrix;
  perm_options options = t_arrays_options(PERM_METHOD_ARRAYS, PERM_PRECISION_DEFAULT, 1);
  perm_result result;
  int k, done = 0;
  t_lists_random(9, 1, 2, a);
  CHECK(perm_matrix_from_dense(9, 9, a, 9, NULL, &matrix, NULL) == PERM_OK);
  options.allocator.allocate = t_arrays_allocate;
  options.allocator.release = t_arrays_release;
  for (k = 0; k < 400 && !done; k++) {
    perm_status status;
    t_arrays_left = k;
    t_arrays_living = 0;
    status = perm_compute_sparse(&matrix, &options, &result);
    done = status == PERM_OK;
    CHECK(done || status == PERM_ERROR_MEMORY);
    CHECK_SHOW(t_arrays_living == 0, "%d left at %d", t_arrays_living, k);
  }
  CHECK_SHOW(done && k > 40, "%d allocations", k);
  CHECK(result.method == PERM_METHOD_ARRAYS);
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
