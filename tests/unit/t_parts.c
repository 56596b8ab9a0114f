/* >>checkpoint, >>run, >>judge */
/* Parts and resumed runs give the bits of a single run; what a job in pieces refuses. */

/* Limits of time do not change what is computed in pieces: another call may have another limit. */
TEST(t_limits_do_not_plan_pieces)
{
  perm_matrix matrix;
  perm_result r;
  perm_options options;
  perm_job *job = NULL, *limited = NULL;
  memset(&options, 0, sizeof options);
  options.isa = PERM_ISA_PLAIN;
  options.checkpoint.file = "unused";
  CHECK(perm_generate("bernoulli:22", 5, NULL, &matrix, &r) == PERM_OK);
  CHECK(perm_sparse_job(&matrix, &options, &job, &r) == PERM_OK);
  CHECK(job->leaf[0].information.kind == PERM_LEAF_TASK);
  options.max_seconds = 1e-6;
  CHECK(perm_sparse_job(&matrix, &options, &limited, &r) == PERM_OK);
  CHECK(limited && perm_job_fingerprint(limited) == perm_job_fingerprint(job));
  options.checkpoint.file = NULL; /* alone, the limit decides */
  perm_job_free(limited);
  limited = NULL;
  perm_sparse_job(&matrix, &options, &limited, &r);
  CHECK(!limited || perm_job_fingerprint(limited) != perm_job_fingerprint(job));
  perm_job_free(limited);
  perm_job_free(job);
  perm_matrix_free(&matrix);
}

/* Problems of all kinds, by number; how many there are. */
static int checkpoint_problem(int k, perm_options *options, perm_result *r)
{
  static double a[2 * 40 * 40];
  static int64_t integer[2 * 20 * 20];
  static const char *const kind[] = {"er:28:0.35", "blocks:3:13:0.9", "symmetric-uniform:21", "bernoulli:22"};
  int i, counts[8] = {2, 4, 1, 4, 2, 4, 2, 5}, others[6] = {5, 3, 2, 4, 5, 5};
  perm_matrix matrix;
  test_seed(7);
  for (i = 0; i < 2 * 40 * 40; i++)
    a[i] = 2 * test_uniform() - 1;
  for (i = 0; i < 2 * 20 * 20; i++)
    integer[i] = test_below(19) - 9;
  switch (k) {
  case 0: perm_compute_real(19, 19, a, 20, options, r); return 1;
  case 1: perm_compute_complex(17, 17, a, 20, options, r); return 1;
  case 2: perm_compute_integer(18, 18, integer, 20, options, r); return 1;
  case 3: perm_compute_gaussian(15, 15, integer, 15, options, r); return 1;
  case 4:
    options->method = PERM_METHOD_MULTIPLICITIES;
    perm_compute_repeated_real(8, 6, a, 6, counts, others, options, r);
    return 1;
  case 5:
    options->method = PERM_METHOD_MULTIPLICITIES;
    perm_compute_repeated_integer(8, 6, integer, 6, counts, others, options, r);
    return 1;
  case 6: perm_compute_real(9, 40, a, 40, options, r); return 1;
  case 7:
    options->method = PERM_METHOD_SHORT;
    perm_compute_real(17, 25, a, 40, options, r);
    return 1;
  case 8: options->modulus = 1000003; perm_compute_integer(16, 16, integer, 16, options, r); return 1;
  case 9:
    options->method = PERM_METHOD_RYSER;
    perm_compute_real(15, 15, a, 15, options, r);
    return 1;
  case 10: options->precision = PERM_PRECISION_DD; perm_compute_real(14, 14, a, 15, options, r); return 1;
  case 11: perm_compute_low_rank_real(12, 2, a, 2, a + 100, 12, options, r); return 1;
  case 12: perm_compute_real(0, 0, a, 0, options, r); return 1;
  case 13:
  case 14:
  case 15:
  case 16:
    if (perm_generate(kind[k - 13], 5, NULL, &matrix, r) == PERM_OK) {
      options->method = k == 13 ? PERM_METHOD_HYBRID : k == 14 ? PERM_METHOD_DENSE : PERM_METHOD_AUTO;
      perm_compute_sparse(&matrix, options, r);
      perm_matrix_free(&matrix);
    }
    return 1;
  default: return 0;
  }
}

static int checkpoint_same(const perm_result *a, const perm_result *b)
{
  return a->status == b->status && a->exact == b->exact && job_same_bits(a, b) && a->error_bound == b->error_bound &&
         !memcmp(&a->imaginary, &b->imaginary, sizeof a->imaginary) && a->terms == b->terms &&
         !memcmp(&a->integer, &b->integer, sizeof a->integer) && a->method == b->method;
}

/* Parts, each its own run, merged in any order: the bits of the single run; gaps, overlaps and strangers are
   refused. */
TEST_LONG(t_parts_merge_to_the_single_run)
{
  int k, split = 0, gaps = 0, overlaps = 0;
  perm_options none;
  memset(&none, 0, sizeof none);
  for (k = 0;; k++) {
    const int parts = 2 + k % 3;
    const char *path[4], *order[5];
    perm_options options = none;
    perm_result wanted, r;
    int i, done = 0;
    options.checkpoint.file = path[0] = checkpoint_path(0); /* which freezes the precision */
    options.isa = PERM_ISA_PLAIN;
    if (!checkpoint_problem(k, &options, &wanted))
      break;
    CHECK_SHOW(wanted.status == PERM_OK, "problem %d: %s", k, wanted.message);
    remove(path[0]);
    for (i = 0; i < parts; i++) {
      options = none;
      options.isa = PERM_ISA_PLAIN;
      options.checkpoint.file = path[i] = checkpoint_path(i);
      options.checkpoint.part = i + 1;
      options.checkpoint.parts = parts;
      options.threads = 1 + i;
      checkpoint_problem(k, &options, &r);
      CHECK_SHOW(r.status == PERM_PART_DONE || (r.status == PERM_OK && checkpoint_same(&r, &wanted)), "problem %d: %s",
                 k, r.message);
      done += r.status == PERM_PART_DONE;
    }
    for (i = 0; i < parts; i++)
      order[i] = path[(i + k) % parts];
    options = none;
    options.isa = PERM_ISA_PLAIN;
    options.checkpoint.merge = order;
    order[parts] = NULL;
    checkpoint_problem(k, &options, &r);
    CHECK_SHOW(done == 0 || checkpoint_same(&r, &wanted), "problem %d: %.17g, not %.17g: %s", k, r.value, wanted.value,
               r.message);
    split += done == parts;
    if (test_verbose && done < parts)
      printf("  problem %d: no parts, %s\n", k, perm_name("method", wanted.method));
    if (done == parts) {
      order[parts - 1] = NULL;
      checkpoint_problem(k, &options, &r); /* without a part, which may be an empty one */
      CHECK(r.status == PERM_OK ? checkpoint_same(&r, &wanted) : r.status == PERM_ERROR_STATE && isnan(r.value));
      gaps += r.status == PERM_ERROR_STATE && strstr(r.message, "missing");
      order[parts - 1] = path[(parts - 1 + k) % parts];
      order[0] = order[1];
      checkpoint_problem(k, &options, &r);
      CHECK(r.status == PERM_OK ? checkpoint_same(&r, &wanted) : r.status == PERM_ERROR_STATE && isnan(r.value));
      overlaps += r.status == PERM_ERROR_STATE && strstr(r.message, "already");
      order[0] = "build/no such file";
      checkpoint_problem(k, &options, &r);
      CHECK(r.status == PERM_ERROR_FILE && isnan(r.value));
    }
    for (i = 0; i < parts; i++)
      remove(path[i]);
  }
  CHECK_SHOW(split >= 11 && gaps >= 8 && overlaps >= 8, "%d of %d problems have parts: %d gaps, %d overlaps", split, k,
             gaps, overlaps);
}

/* Runs stopped again and again, the state only in the file, with another number of threads each time and checkpoints
   all the time: the bits of the single run. And the file of a finished job answers without computing. */
TEST_LONG(t_checkpoint_resumes)
{
  int k, stops = 0;
  for (k = 0;; k++) {
    const char *path = checkpoint_path(0);
    perm_options options;
    perm_result wanted, r;
    int run;
    memset(&options, 0, sizeof options);
    options.isa = PERM_ISA_PLAIN;
    options.checkpoint.file = path;
    if (!checkpoint_problem(k, &options, &wanted))
      break;
    remove(path);
    for (run = 0; run < 2000; run++) {
      memset(&options, 0, sizeof options);
      options.isa = PERM_ISA_PLAIN;
      options.checkpoint.file = path;
      options.checkpoint.seconds = run % 2 ? 1e-9 : 0;
      options.threads = 1 + run % 3;
      options.max_seconds = wanted.seconds / 6 + 1e-4 + run * wanted.seconds / 20;
      checkpoint_problem(k, &options, &r);
      if (r.status == PERM_OK)
        break;
      CHECK_SHOW(r.status == PERM_STOPPED_TIME || r.status == PERM_ERROR_LIMIT, "problem %d: %s", k, r.message);
      stops += r.status == PERM_STOPPED_TIME;
    }
    CHECK_SHOW(checkpoint_same(&r, &wanted), "problem %d: %.17g, not %.17g; terms %.17g, not %.17g; %s", k, r.value,
               wanted.value, r.terms, wanted.terms, perm_name("method", r.method));
    memset(&options, 0, sizeof options);
    options.isa = PERM_ISA_PLAIN;
    options.checkpoint.file = path;
    options.checkpoint.seconds = 1e-9;
    fault_set(100, EIO, 1, 0); /* reads are fewer; a write would show */
    test_fault.at = 0;
    checkpoint_problem(k, &options, &r);
    CHECK_SHOW(checkpoint_same(&r, &wanted) && test_fault.count <= 6, "problem %d: %ld", k, test_fault.count);
    fault_set(0, 0, 0, 0);
    CHECK(!checkpoint_litter(path));
    remove(path);
  }
  CHECK_SHOW(stops >= 10, "%d stops", stops);
}

#if !defined(_WIN32)
/* Files are replaced whole: their mode stays, what a killed process left goes, what a living one writes does not, and
   nothing but regular files is touched or waited for. */
TEST(t_files)
{
  static const char *const beside[] = {".0123456789abcdef.tmp", ".fedcba9876543210.tmp", ".0123456789abcdeX.tmp",
                                       ".tmp"};
  const char *path = checkpoint_path(0);
  char name[4][300], other[300];
  perm_state *state, *back;
  perm_job *job = checkpoint_job(&state);
  perm_result r;
  struct stat information;
  int k, held = -1, kind;
  perm_matrix matrix;
  double one = 1;
  fault_set(0, 0, 0, 0);
  checkpoint_litter(path);
  remove(path);
  CHECK(perm_checkpoint_write(job, state, path, NULL, &r) == PERM_OK);
  for (k = 0600; k <= 0640; k += 040) {
    CHECK(chmod(path, (mode_t)k) == 0 && perm_checkpoint_write(job, state, path, NULL, &r) == PERM_OK);
    CHECK_SHOW(stat(path, &information) == 0 && (information.st_mode & 0777) == (mode_t)k, "%o", information.st_mode);
  }
  for (k = 0; k < 4; k++) {
    int made;
    snprintf(name[k], sizeof name[k], "%s%s", path, beside[k]);
    made = open(name[k], O_CREAT | O_RDWR, 0600);
    CHECK(made >= 0);
    if (k == 1)
      CHECK(flock(held = made, LOCK_EX | LOCK_NB) == 0);
    else
      close(made);
  }
  CHECK(perm_checkpoint_write(job, state, path, NULL, &r) == PERM_OK);
  CHECK(stat(name[0], &information) != 0); /* nobody's */
  for (k = 1; k < 4; k++)
    CHECK_SHOW(stat(name[k], &information) == 0, "%s", name[k]); /* somebody's; not of our making */
  close(held);
  checkpoint_litter(path);
  alarm(60); /* should anything wait after all */
  for (kind = 0; kind < 3; kind++) {
    static const char *const why[] = {"it is a FIFO", "it is a directory", "it is a symbolic link"};
    snprintf(other, sizeof other, "%s.other", path);
    CHECK((kind == 0 ? mkfifo(other, 0600) : kind == 1 ? mkdir(other, 0700) : symlink("nowhere", other)) == 0);
    CHECK(perm_checkpoint_write(job, state, other, NULL, &r) == PERM_ERROR_FILE);
    CHECK_TEXT(r.message, why[kind]);
    CHECK(perm_matrix_from_dense(1, 1, &one, 1, NULL, &matrix, &r) == PERM_OK);
    CHECK(perm_matrix_write(other, &matrix, NULL, &r) == PERM_ERROR_FILE);
    CHECK_TEXT(r.message, why[kind]);
    perm_matrix_free(&matrix);
    CHECK(perm_checkpoint_read(job, other, NULL, &back, &r) == PERM_ERROR_FILE);
    CHECK_TEXT(r.message, kind == 2 ? "No such file" : why[kind]);
    CHECK(remove(other) == 0);
  }
  alarm(0);
  CHECK(symlink(strrchr(path, '/') + 1, other) == 0); /* read through, not written through */
  CHECK(perm_checkpoint_read(job, other, NULL, &back, &r) == PERM_OK);
  perm_state_free(back);
  CHECK(perm_checkpoint_write(job, state, other, NULL, &r) == PERM_ERROR_FILE);
  CHECK(remove(other) == 0 && checkpoint_litter(path) == 0);
  remove(path);
  perm_state_free(state);
  perm_job_free(job);
}
#endif

/* A tolerance with a checkpoint or parts plans the precision that is expected to meet it, as --explain says; without
   one, a job in pieces gives the bits of the plain call, which may run again in a higher precision. */
TEST(t_checkpoint_precision)
{
  double a[20 * 20];
  const char *path = checkpoint_path(0), *const merge[] = {path, NULL};
  static const double tolerance[] = {1e-3, 1e-13, 1e-28};
  static const perm_precision wanted[] = {PERM_PRECISION_DEFAULT, PERM_PRECISION_DD, PERM_PRECISION_DD};
  perm_options options;
  perm_result plain, r;
  perm_matrix matrix;
  perm_job *job;
  int k, i;
  job_matrix(20, a);
  CHECK(perm_matrix_from_dense(20, 20, a, 20, NULL, &matrix, &r) == PERM_OK);
  for (k = 0; k < 3; k++) {
    char text[4000];
    memset(&options, 0, sizeof options);
    options.checkpoint.file = path;
    options.tolerance = tolerance[k];
    options.method = PERM_METHOD_DENSE;
    remove(path);
    perm_compute_real(20, 20, a, 20, &options, &r);
    CHECK_SHOW(r.precision == wanted[k] && !r.escalated && (k == 2 || r.status == PERM_OK), "%s: %s",
               perm_name("precision", r.precision), r.message);
    remove(path);
    perm_compute_sparse(&matrix, &options, &r);
    CHECK_SHOW(r.precision == wanted[k] && !r.escalated, "%s", perm_name("precision", r.precision));
    CHECK(perm_sparse_job(&matrix, &options, &job, &r) == PERM_OK);
    perm_job_explain(job, text, sizeof text);
    CHECK((strstr(text, "at once for the tolerance") != NULL) == (k > 0));
    perm_job_free(job);
    if (k == 2)
      CHECK(r.status == PERM_OK || strstr(r.message, "the precision is not raised"));
  }
  options.tolerance = 1e-3;
  CHECK(perm_compute_sparse(&matrix, &options, &r) == PERM_ERROR_STATE);
  CHECK_TEXT(r.message, "made with tolerance 1e-28, not 0.001");
  remove(path);
  perm_matrix_free(&matrix);

  job_matrix(18, a);
  for (i = 0; i < 18; i++) { /* the difference of two columns that are nearly equal */
    a[i] = i == 0 ? 1 : i == 1 ? -1 : 0;
    a[18 * i + 1] = i ? a[18 * i] * (1 + 1e-13 * test_uniform()) : -1;
  }
  memset(&options, 0, sizeof options);
  CHECK(perm_compute_real(18, 18, a, 18, &options, &plain) == PERM_OK && plain.escalated);
  options.checkpoint.file = path;
  for (k = 0; k < 2; k++) { /* begun, and from the file of the finished job */
    CHECK(perm_compute_real(18, 18, a, 18, &options, &r) == PERM_OK && job_same_bits(&plain, &r));
    CHECK(r.escalated == plain.escalated && r.precision == plain.precision);
  }
  memset(&options, 0, sizeof options);
  options.checkpoint.merge = merge;
  CHECK(perm_compute_real(18, 18, a, 18, &options, &r) == PERM_OK && job_same_bits(&plain, &r) && r.escalated);
  remove(path);
}

/* Of two proved bounds the smaller one stays, with its value. */
TEST(t_certify_keeps_the_smaller_bound)
{
  perm_options options;
  perm_result low, high;
  memset(&options, 0, sizeof options);
  memset(&low, 0, sizeof low);
  low.value = 1;
  low.error_bound = 1;
  low.exp2 = -10;
  high = low;
  high.value = 2;
  high.exp2 = -9;
  high.escalated = 1;
  permi_keep_better(&options, &low, &high);
  CHECK(high.value == 2); /* not asked to certify: estimates count, and are the same */
  high.error_estimate = 1e-3;
  low.error_estimate = 1e-3;
  permi_keep_better(&options, &low, &high); /* 2^-10 and 2^-9 */
  CHECK(high.value == 1 && high.exp2 == -10 && high.escalated == 1);
  high.value = 2;
  high.exp2 = -9;
  options.certify = 1;
  permi_keep_better(&options, &low, &high);
  CHECK(high.value == 1 && high.error_bound == 1 && high.exp2 == -10 && high.escalated == 1);
  high.error_bound = 0.5;
  high.value = 3;
  permi_keep_better(&options, &low, &high);
  CHECK(high.value == 3);
  low.error_bound = (double)INFINITY;
  high.error_bound = (double)INFINITY;
  permi_keep_better(&options, &low, &high);
  CHECK(high.value == 3);
}

/* precision is exact where the result is, and only there, by every engine; what stopped has no value. */
TEST(t_precision_and_exact_agree)
{
  int k, exact = 0, finished = 0;
  for (k = 0; k < 1500; k++) {
    static const perm_method methods[] = {PERM_METHOD_AUTO,      PERM_METHOD_SUBSETS, PERM_METHOD_SHORT,
                                          PERM_METHOD_EXPANSION, PERM_METHOD_MULTIPLICITIES, PERM_METHOD_AUTO};
    const int n = 1 + (int)test_below(6), m = k % 3 ? n : 1 + (int)test_below(6), whole = k & 1;
    double a[2 * 36];
    int64_t b[2 * 36];
    perm_options options;
    perm_result r;
    int i;
    for (i = 0; i < 2 * m * n; i++) {
      b[i] = test_below(3) ? (int64_t)test_below(9) - 4 : 0;
      a[i] = whole ? (double)b[i] : b[i] ? test_uniform() - 0.5 : 0;
    }
    memset(&options, 0, sizeof options);
    options.threads = 1;
    options.method = methods[test_below(6)];
    options.precision = test_below(2) ? PERM_PRECISION_DEFAULT : PERM_PRECISION_DD;
    options.certify = k % 5 == 0;
    switch (k % 4) {
    case 0: perm_compute_real(m, n, a, n, &options, &r); break;
    case 1: perm_compute_complex(m, n, a, n, &options, &r); break;
    case 2: perm_compute_integer(m, n, b, n, &options, &r); break;
    default: perm_compute_repeated_real(m, n, a, n, NULL, NULL, &options, &r);
    }
    if (r.status != PERM_OK && r.status != PERM_TOLERANCE_NOT_MET)
      continue;
    finished++;
    exact += r.exact;
    CHECK_SHOW((r.precision == PERM_PRECISION_EXACT) == r.exact, "%s, exact %d, precision %s",
               perm_name("method", r.method), r.exact, perm_name("precision", r.precision));
  }
  CHECK_SHOW(finished > 400 && exact > 50 && exact < finished - 50, "%d of %d", exact, finished);
}

/* What a job in pieces does not do, and calls without a job refuse. */
TEST(t_checkpoint_options)
{
  double a[18 * 18], out[18];
  const char *path = checkpoint_path(0), *const none = NULL;
  perm_options options;
  perm_job *job = NULL;
  perm_result r;
  perm_estimate estimate;
  int i;
  job_matrix(18, a);
  for (i = 0; i < 18; i++) { /* the difference of two columns that are nearly equal */
    a[i] = i == 0 ? 1 : i == 1 ? -1 : 0;
    a[18 * i + 1] = i ? a[18 * i] * (1 + 1e-13 * test_uniform()) : -1;
  }
  memset(&options, 0, sizeof options);
  CHECK(perm_compute_real(18, 18, a, 18, &options, &r) == PERM_OK);
  CHECK(r.escalated);
  options.checkpoint.file = path;
  options.tolerance = 1e-25;
  CHECK(perm_compute_real(18, 18, a, 18, &options, &r) == PERM_TOLERANCE_NOT_MET && !r.escalated);
  options.tolerance = 0;
  CHECK(perm_minors_real(18, 18, a, 18, NULL, NULL, 0, &options, out, &r) == PERM_ERROR_OPTION);
  CHECK_TEXT(r.message, "checkpoint, parts and merge are for single permanents");
  CHECK(perm_batch_real(3, 2, a, 9, &options, out, &r) == PERM_ERROR_OPTION);
  CHECK(perm_estimate_real(18, a, 18, NULL, &options, &estimate) == PERM_ERROR_OPTION);
  CHECK(perm_compute_cauchy_real(2, a, a + 5, &options, NULL, &r) == PERM_ERROR_OPTION);
  JOB_OPTION(checkpoint.seconds, -1, "checkpoint.seconds is negative or NaN")
  JOB_OPTION(checkpoint.seconds, NAN, "checkpoint.seconds is negative or NaN")
  JOB_OPTION(checkpoint.parts, -1, "checkpoint.part is not one of 1 to parts")
  JOB_OPTION(checkpoint.parts, 2, "checkpoint.part is not one of 1 to parts")
  JOB_OPTION(checkpoint.part, 2, "checkpoint.part is given, but checkpoint.parts is 0")
  JOB_OPTION(format, (perm_format)77, "format is not one of perm_format")
  JOB_OPTION(checkpoint.merge, &none, "checkpoint.merge is an empty list")
  remove(path);
}

/* options.execute gets the jobs of all kinds, but not merging. */
static int checkpoint_executed;
static perm_status checkpoint_execute(const perm_job *job, perm_state *state, const perm_options *options,
                                      perm_result *result)
{
  checkpoint_executed += *(int *)options->user_data;
  return perm_job_execute(job, state, options, result);
}

TEST(t_another_scheduler)
{
  int k, one = 1, jobs = 0;
  checkpoint_executed = 0;
  for (k = 0;; k++) {
    perm_options options;
    perm_result wanted, r;
    memset(&options, 0, sizeof options);
    options.checkpoint.parts = options.checkpoint.part = 1;
    if (!checkpoint_problem(k, &options, &wanted))
      break;
    memset(&options, 0, sizeof options);
    options.checkpoint.parts = options.checkpoint.part = 1;
    options.execute = checkpoint_execute;
    options.user_data = &one;
    checkpoint_problem(k, &options, &r);
    CHECK_SHOW(checkpoint_same(&r, &wanted), "problem %d", k);
    jobs += 1 + r.escalated;
    CHECK_SHOW(checkpoint_executed == jobs, "problem %d: %d", k, checkpoint_executed);
  }
}

/* The k-th allocation fails, for every k, of writing and of reading. */
TEST(t_checkpoint_allocations_may_fail)
{
  const uint64_t chunks[2] = {30, 2};
  const char *path = checkpoint_path(0);
  perm_allocator allocator = {job_allocate, job_release, NULL};
  job_memory memory;
  long k;
  int failures = 0;
  memset(&memory, 0, sizeof memory);
  allocator.user_data = &memory;
  for (k = 1; k < 30; k++) {
    perm_job *job;
    perm_state *state = NULL, *back = NULL;
    perm_options options;
    perm_result r;
    perm_status status;
    char *note = NULL;
    memset(&options, 0, sizeof options);
    options.allocator = allocator;
    options.checkpoint.note = "a note";
    memory.calls = memory.fail_at = 0;
    job = state_job(2, chunks, &allocator);
    CHECK(perm_state_create(job, &state) == PERM_OK && state_add(job, state, 0, 4, 6, &r) == PERM_OK);
    memory.calls = 0;
    memory.fail_at = k;
    status = perm_checkpoint_write(job, state, path, &options, &r);
    if (status == PERM_OK)
      status = perm_checkpoint_read(job, path, &options, &back, &r);
    if (status == PERM_OK)
      status = perm_checkpoint_options(path, &options, &note, &r);
    CHECK(status == PERM_OK || (status == PERM_ERROR_MEMORY && !note));
    failures += status != PERM_OK;
    permi_release(&allocator, note);
    perm_state_free(back);
    perm_state_free(state);
    perm_job_free(job);
    CHECK(memory.balance == 0);
  }
  CHECK_SHOW(failures >= 9 && failures < 20, "%d", failures);
  remove(path);
}
/* The judge's small decisions: seconds that are left, the lower result that stands, the better of two bounds. */
TEST(t_judge_decides)
{
  perm_options options;
  perm_result lower, result;
  memset(&options, 0, sizeof options);
  memset(&lower, 0, sizeof lower);
  memset(&result, 0, sizeof result);
  CHECK(permi_seconds_left(&options, 0) == 0);
  options.max_seconds = 1e6;
  CHECK(fabs(permi_seconds_left(&options, permi_seconds() - 4e5) - 6e5) < 1e3);
  CHECK(permi_seconds_left(&options, permi_seconds() - 2e6) == 1e-3);
  CHECK(permi_seconds_left(&options, permi_seconds() + 2e6) == 1e6);
  CHECK(!permi_stands(&options, PERM_OK) && permi_stands(&options, PERM_STOPPED_CANCELLED));
  CHECK(permi_stands(&options, PERM_ERROR_LIMIT));
  options.checkpoint.parts = 2;
  options.checkpoint.part = 1;
  CHECK(!permi_stands(&options, PERM_STOPPED_CANCELLED) && !permi_stands(&options, PERM_ERROR_LIMIT));
  CHECK(permi_stands(&options, PERM_ERROR_MEMORY) && !permi_stands(&options, PERM_OK));
  lower.error_bound = 1;
  lower.value = 5;
  lower.exp2 = 10;
  result.error_bound = 1;
  result.exp2 = 11;
  result.escalated = 1;
  permi_keep_better(&options, &lower, &result);
  CHECK(result.value == 0); /* not certified */
  options.certify = 1;
  result.exact = 1;
  permi_keep_better(&options, &lower, &result);
  CHECK(result.value == 0);
  result.exact = 0;
  result.exp2 = 10;
  permi_keep_better(&options, &lower, &result);
  CHECK(result.value == 0); /* as good */
  result.exp2 = 11;
  permi_keep_better(&options, &lower, &result);
  CHECK(result.value == 5 && result.exp2 == 10 && result.escalated == 1); /* 2^10 is less than 2^11 */
  lower.error_bound = (double)INFINITY;
  lower.value = 6;
  result.error_bound = (double)INFINITY;
  permi_keep_better(&options, &lower, &result);
  CHECK(result.value == 5);
}
/* A job that is run by itself is judged as a call is: by certify, and by the tolerance. */
TEST(t_jobs_are_judged_as_calls)
{
  static const perm_method methods[] = {PERM_METHOD_AUTO, PERM_METHOD_RYSER, PERM_METHOD_GLYNN,
                                        PERM_METHOD_MULTIPLICITIES, PERM_METHOD_FRONTIER};
  int k, way, missed = 0, met = 0;
  for (k = 0; k < 5; k++)
    for (way = 0; way < 16; way++) {
      const int m = way & 8 ? 4 : 5, n = 5;
      perm_options options;
      perm_matrix matrix;
      perm_result call, r[3];
      perm_job *job = NULL;
      perm_state *state = NULL;
      perm_partial *partial;
      perm_status status;
      int64_t integer[25];
      double real[25];
      int row[25], column[25], i;
      memset(&options, 0, sizeof options);
      options.method = methods[k];
      options.precision = way & 1 ? PERM_PRECISION_DD : PERM_PRECISION_DEFAULT;
      options.certify = way & 2 ? 0 : 1;
      options.tolerance = way & 2 ? 1e-300 : 0;
      for (i = 0; i < m * n; i++) {
        row[i] = i / n;
        column[i] = i % n;
        integer[i] = (INT64_C(1) << 61) + (int64_t)(test_random() >> 3);
        real[i] = test_uniform() - 0.5;
      }
      CHECK(perm_matrix_from_triplets(m, n, (size_t)(m * n), row, column, real, NULL, integer,
                                      way & 4 ? PERM_KIND_REAL : PERM_KIND_INTEGER, NULL, &matrix, NULL) == PERM_OK);
      status = perm_compute_sparse(&matrix, &options, &call);
      if (perm_sparse_job(&matrix, &options, &job, &r[0]) != PERM_OK) {
        CHECK_SHOW(status < 0, "%s, %d: %s", perm_name("method", methods[k]), way, r[0].message);
        perm_matrix_free(&matrix);
        continue;
      }
      CHECK(perm_state_create(job, &state) == PERM_OK);
      CHECK(perm_job_execute(job, state, &options, &r[0]) == r[0].status);
      CHECK(perm_state_finish(job, state, &r[1]) == r[1].status);
      partial = (perm_partial *)calloc((size_t)perm_job_leaves(job) + 1, sizeof *partial);
      for (i = 0; i < perm_job_leaves(job); i++) {
        perm_leaf leaf;
        CHECK(perm_job_leaf(job, i, &leaf) == PERM_OK && perm_job_run(job, i, 0, leaf.chunks, &partial[i]) == PERM_OK);
      }
      CHECK(perm_job_finish(job, partial, &r[2]) == r[2].status);
      for (i = 0; i < 3; i++) {
        if (call.escalated || call.precision != r[i].precision)
          CHECK(r[i].status >= PERM_OK);
        else
          CHECK_SHOW(r[i].status == status && job_same_bits(&r[i], &call), "%s, %d, call %d: %s, not %s: %s",
                     perm_name("method", methods[k]), way, i, perm_name("status", r[i].status), perm_name("status",
                                                                                                          status),
                     r[i].message);
        missed += r[i].status == PERM_TOLERANCE_NOT_MET;
        met += r[i].status == PERM_OK;
        CHECK(r[i].status != PERM_OK || !options.certify || r[i].error_bound < INFINITY);
      }
      free(partial);
      perm_state_free(state);
      perm_job_free(job);
      perm_matrix_free(&matrix);
    }
  CHECK_SHOW(missed > 30 && met > 30, "%d missed, %d met", missed, met);
}
/* SPDX-License-Identifier: MIT */
