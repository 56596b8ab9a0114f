/* >>rounding, >>judge */
/* `error_estimate` under attack: climb.h, in seconds. The longer search is make check-soundness. */

#include "climb.h"

/* No lie and no bound violated so far; the worst of each row is shown. */
static void climb_check(void)
{
  int k;
  for (k = 0; k < climb_found.count; k++)
    if (climb_found.table[k].worst > CLIMB_LIE) {
      printf("LIE %.3g times: ", climb_found.table[k].worst);
      climb_show(&climb_found.table[k].problem, &climb_found.table[k].way);
    }
  CHECK_SHOW(climb_found.lies == 0, "%ld of %ld", climb_found.lies, climb_found.results);
  CHECK_SHOW(climb_found.falsely_met == 0, "%ld of %ld", climb_found.falsely_met, climb_found.results);
  CHECK_SHOW(climb_found.violations == 0, "%ld of %ld", climb_found.violations, climb_found.results);
}

TEST_LONG(t_climb_short_run)
{
  uint64_t seed;
  memset(&climb_found, 0, sizeof climb_found);
  for (seed = 1; climb_found.results < 40000; seed++)
    climb_once(NULL, seed);
  climb_check();
}

/* From starts in which these engines are at home. Eliminations of planar matrices once agreed by chance where all
   cancels, and said so. */
TEST(t_climb_structure)
{
  static const char *const name[] = {"planar", "classes", "low-rank"};
  static const perm_method method[] = {PERM_METHOD_PLANAR, PERM_METHOD_CLASSES, PERM_METHOD_LOW_RANK};
  uint64_t seed;
  int k, at;
  memset(&climb_found, 0, sizeof climb_found);
  for (k = 0; k < 3; k++)
    for (seed = 1; climb_found.results < 6000 * (k + 1); seed++)
      climb_once(name[k], seed << 32);
  for (k = 0; k < 3; k++) {
    for (at = 0; at < climb_found.count && climb_found.table[at].method != method[k]; at++)
      ;
    CHECK_SHOW(at < climb_found.count && climb_found.table[at].results > 100, "method %s was not climbed", name[k]);
  }
  climb_check();
}

/* Every way of asking for this matrix: two of each engine, with any precision, kernels and tolerance. */
static void climb_ask_all(const climb_problem *p)
{
  climb_answer answer;
  int engine, k;
  for (engine = 0; engine < CLIMB_ENGINES; engine++)
    for (k = 0; k < 2; k++) {
      climb_way way = climb_new_way(engine);
      way.row = test_below(p->m);
      if (way.shape == CLIMB_SQUARE && way.call != CLIMB_GRADIENT && climb_ask(p, &way, &answer))
        climb_judge(p, &way, &answer);
    }
}

/* Rows of signs, one or a few entries off by units in the last place: every sign vector nearly makes some row 0. */
TEST_LONG(t_climb_near_hadamard)
{
  static const double study[36] = {1, 1, 1, 1, 1, 1,  1, -1, 1, -1, 1, -1,                  1, 1, -1, -1, 1,  1,
                                   1, -1, -1, 1, 0.9999999999999993, -1, 1, 1, 1, 1, -1, -1, 1, -1, 1,  -1, -1, 1};
  climb_problem p;
  int trial, k;
  memset(&climb_found, 0, sizeof climb_found);
  for (trial = 0; trial < 120; trial++) {
    memset(&p, 0, sizeof p);
    p.parts = trial ? 1 + test_below(2) : 1;
    p.m = p.n = trial ? 3 + test_below(6) : 6;
    if (trial)
      climb_begin(&p, trial % 4 ? CLIMB_HADAMARD : CLIMB_FOURIER);
    else
      memcpy(p.a, study, sizeof study);
    p.kind = "near-Hadamard";
    for (k = trial ? 1 + test_below(3) : 0; k > 0; k--) {
      double *at = &p.a[test_below(p.n * p.n * p.parts)];
      *at = climb_ulps(*at);
    }
    climb_ask_all(&p);
  }
  CHECK(climb_found.results > 2000); /* without vector kernels there are fewer ways */
  climb_check();
}

/* A hidden balanced beam splitter makes the permanent 0, or nearly: no tolerance is said to be met that is not. */
TEST(t_climb_hidden_beam_splitters)
{
  static const double study[25] = {0,  .6, .2, .8, 0,  .3, .4, .6, .1, -.3, .9, .2, .5,
                                   .7, .9, 0,  .3, .8, .8, 0,  0,  .7, .9,  .4, 0};
  climb_splitters found;
  climb_problem p;
  perm_options options;
  perm_result r;
  memset(&climb_found, 0, sizeof climb_found);
  memset(&options, 0, sizeof options);
  options.tolerance = 1e-10;
  perm_compute_real(5, 5, study, 5, &options, &r);
  CHECK_SHOW(fabs(r.value) <= CLIMB_LIE * r.error_estimate && (r.value == 0 || r.status == PERM_TOLERANCE_NOT_MET),
             "value %g, estimate %g, %s", r.value, r.error_estimate, perm_status_name(r.status));
  memset(&p, 0, sizeof p);
  p.kind = "hidden beam splitter";
  p.m = p.n = 5;
  p.parts = 1;
  memcpy(p.a, study, sizeof study);
  climb_ask_all(&p);
  climb_check();
  climb_run_splitters(150, 15, &found);
  CHECK(found.results > 300 && found.met > 50);
  CHECK_SHOW(found.falsely_met == 0, "%ld of %ld", found.falsely_met, found.results);
  CHECK_SHOW(found.lies == 0, "%ld of %ld", found.lies, found.results);
  CHECK(found.violations == 0);
}
/* SPDX-License-Identifier: MIT */
