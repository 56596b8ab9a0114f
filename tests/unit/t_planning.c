/* >>order, >>prices, >>sparse */
/* What planning takes, in work and not in seconds; what results say of the time of the whole; when integers are exact
   by default. */

/* Plans an exact job. *worked: units of planning, about nanoseconds. */
static perm_job *planning_planned(const char *name, const perm_options *options, double *worked, perm_result *result)
{
  permi_control watch = permi_control_begin(options);
  perm_job *job = NULL;
  perm_matrix matrix;
  CHECK(perm_generate(name, 1, NULL, &matrix, NULL) == PERM_OK);
  CHECK(permi_make_job(&matrix, 0, &watch, matrix.kind != PERM_KIND_REAL, (double)INFINITY, &job, result) == PERM_OK);
  *worked = watch.worked;
  perm_matrix_free(&matrix);
  return job;
}

/* Planning takes a share of the predicted run, and no more for orders that do not fit into memory. */
TEST(t_planning_is_brief)
{
  static const struct {
    const char *name;
    double units;
  } of[] = {{"uniform:62", 1e7}, {"regular:48:6", 4e8}, {"er:60:0.3", 1e9}, {"regular:60:5", 1.5e9}};
  int k;
  for (k = 0; k < (int)(sizeof of / sizeof *of); k++) {
    const perm_options options = {0};
    perm_result result;
    double worked;
    perm_job_free(planning_planned(of[k].name, &options, &worked, &result));
    CHECK_SHOW(worked <= of[k].units, "%s: %g units", of[k].name, worked);
  }
}

/* Under a time limit planning takes a share of that, and passing time does not change the plan; a job in pieces keeps
   the plan that it has without a limit. */
TEST_LONG(t_planning_keeps_to_max_seconds)
{
  static const double seconds[] = {0, 8, 7.9, 8};
  uint64_t fingerprint[4];
  int k;
  for (k = 0; k < 4; k++) {
    perm_options options = {0};
    perm_result result;
    perm_job *job;
    double worked;
    options.max_seconds = seconds[k];
    options.checkpoint.parts = options.checkpoint.part = k == 3;
    job = planning_planned("regular:52:6", &options, &worked, &result);
    if (!job)
      return;
    fingerprint[k] = job->leaf[0].information.fingerprint;
    CHECK_SHOW(k % 3 == 0 || worked <= 1e8 * seconds[k], "%g s: %g units", seconds[k], worked);
    perm_job_free(job);
  }
  CHECK(fingerprint[1] == fingerprint[2] && fingerprint[3] == fingerprint[0] && fingerprint[1] != fingerprint[0]);
}

/* What is stopped or refused says what the whole takes. */
TEST(t_planning_the_whole_is_told)
{
  perm_options options = {0};
  perm_matrix matrix;
  perm_result result;
  CHECK(perm_generate("regular:52:6", 1, NULL, &matrix, NULL) == PERM_OK);
  options.threads = 1;
  options.max_seconds = 3;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_TIME);
  CHECK_TEXT(result.message, "max_seconds reached after ");
  CHECK_TEXT(result.message, " of about ");
  options.max_seconds = 0.02;
  options.plan_effort = 1e3;
  options.checkpoint.parts = options.checkpoint.part = 1; /* is planned whatever the limit */
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_STOPPED_TIME);
  CHECK_TEXT(result.message, " while planning");
  perm_matrix_free(&matrix);
  CHECK(perm_generate("regular:44:5", 1, NULL, &matrix, NULL) == PERM_OK);
  memset(&options, 0, sizeof options);
  options.method = PERM_METHOD_FRONTIER;
  options.max_bytes = 2e6;
  CHECK(perm_compute_sparse(&matrix, &options, &result) == PERM_ERROR_LIMIT);
  CHECK_TEXT(result.message, "s for a block of order ");
  CHECK_TEXT(result.message, "over max_bytes = 2 MB");
  perm_matrix_free(&matrix);
}

/* Integers are exact where that takes ten seconds, or five times as long as doubles, and ends in time; else doubles say
   what it takes. */
TEST(t_planning_integers_are_exact)
{
  static char text[20000];
  uint64_t seed;
  for (seed = 1; seed <= (test_quick ? 2 : 5); seed++) {
    perm_options options = {0};
    perm_job *job = NULL;
    perm_matrix matrix;
    perm_result result;
    double seconds;
    CHECK(perm_generate("binary:40:0.2", seed, NULL, &matrix, NULL) == PERM_OK);
    CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK && job->precision == PERM_PRECISION_EXACT);
    seconds = job ? permi_job_seconds(job) : 0;
    perm_job_free(job);
    options.max_seconds = 0.9 * seconds;
    CHECK(perm_sparse_job(&matrix, &options, &job, &result) == PERM_OK);
    perm_job_explain(job, text, sizeof text);
    CHECK_SHOW((job->precision == PERM_PRECISION_EXACT && permi_job_seconds(job) <= options.max_seconds) ||
                   (job->precision != PERM_PRECISION_EXACT && job->exact_seconds > options.max_seconds &&
                    strstr(text, "\nexactly in about ")) ||
                   permi_job_seconds(job) >= options.max_seconds,
               "seed %d: %g s, %.900s", (int)seed, seconds, text);
    perm_job_free(job);
    perm_matrix_free(&matrix);
  }
}
/* SPDX-License-Identifier: MIT */
