/* The net: every engine, kind of number, size of entries and modulus, order, structure, call, floating-point mode and
   option crossed with every other one, against an oracle that shares nothing with the library.
       differential [--seed S] [--seconds T] [--cases N] [--jobs PROCESSES] [--only FACTOR=LEVEL,...] [--case K]
                    [--until CLASS] [--list]
   Cases are chosen until every pair of levels has had an answer; then one of LATER for the pairs again, the others
   freely, few of them long (one_of in levels.h). Without --seconds and --cases it ends when each pair that can be
   had one.
   Processes take equal parts of the cases, with seeds S, S + 1, .., and are fewer if each would not meet every pair.
   --case K with all that a failure printed after --only is that case alone; its matrix is in
   build/differential-CLASS.mtx. --until ends at the first failure whose class contains that text. --list prints the
   pairs without an answer. The last line is `N passed, N failed, N skipped`.
   levels.h has the factors, impossible.h the pairs that cannot be, matrices.h the problems, subsets.h the oracle,
   calls.h what is asked of results. */
#if defined(_OPENMP)
#include <omp.h>
#endif
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "calls.h"
#include "processes.h"

enum { CLASSES_MOST = 200, LATER = 64, SHARE_LEAST = 5000 }; /* cases in which a process meets every pair */
typedef struct failures { char name[120], first[500]; long count, first_case; double first_seconds; } failures;
static struct {
  failures class[CLASSES_MOST];
  int classes, covers; /* covers: how often each pair had its answer */
  long failed, cases, answered, declined, skipped;
  double passed_at;
} found;
static char only_text[1200];
static uint64_t seed = 1;
static long case_now;
static const char *until;
static int until_met, single, trace, jobs = 1;
static double started;
static struct { double seconds; long cases; int pins[FACTORS]; } asked_for;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void describe(const problem *p)
{
  size_t used = 0;
  int f;
  for (f = 0; f < FACTORS; f++)
    used += (size_t)snprintf(only_text + used, sizeof only_text - used, "%s%s=%s", f ? "," : "", factors[f].word,
                             factors[f].level[p->level[f]]);
}

static failures *class_named(const char *name)
{
  int k = 0;
  while (k < found.classes && strcmp(found.class[k].name, name))
    k++;
  if (k == CLASSES_MOST)
    return NULL;
  found.classes += k == found.classes;
  strcpy(found.class[k].name, name);
  return &found.class[k];
}

/* A class of failures: what, in which call, of which kind of number, and whose mode was strange. */
static void failure(const problem *p, const char *what, const char *format, ...)
{
  const int *level = p->level;
  const int strange = level[ROUNDING] || level[FLUSH];
  const char *how = level[FLUSH] & 2 ? "DAZ" : level[FLUSH] ? "FTZ" : "rounding";
  char name[120], path[200], *at;
  failures *of;
  va_list list;
  leave();
  snprintf(name, sizeof name, "%s, %s, %s, %s%s", what, factors[CALL].level[level[CALL]],
           factors[KIND].level[level[KIND]],
           strange && level[STAGE]     ? "in a stage of a job: "
           : strange && level[WORKERS] ? "workers and caller: "
           : strange                   ? "caller: "
           : level[WORKERS]            ? "workers"
                                       : "ordinary modes",
           strange ? how : "");
  found.failed += strcmp(what, "estimate") != 0;
  of = class_named(name);
  if (!of)
    return;
  if (until && strstr(name, until))
    until_met = 1;
  if (of->count++ && !single)
    return;
  of->first_seconds = now() - started;
  of->first_case = case_now;
  va_start(list, format);
  vsnprintf(of->first, sizeof of->first, format, list);
  va_end(list);
  describe(p);
  snprintf(path, sizeof path, "build/differential-%s.mtx", name);
  for (at = path; *at; at++)
    if (*at == ' ' || *at == ',')
      *at = '_';
  write_matrix(p, path);
  printf("%s %s: %s\n  %.1f s; build/differential --seed %" PRIu64 " --case %ld --only %s\n",
         strcmp(what, "estimate") ? "FAIL" : "NOTE", name, of->first,
         of->first_seconds, seed, case_now, only_text);
  fflush(stdout);
}

static void crashed(int signal_number)
{
  char line[1600];
  const int length = snprintf(line, sizeof line,
                              "FAIL signal %d (14: over a minute)\n  build/differential --seed %" PRIu64
                              " --case %ld --only %s\n%s",
                              signal_number, seed, case_now, only_text,
                              jobs > 1 ? "" : "0 passed, 1 failed, 0 skipped\n");
  if (write(1, line, (size_t)length) < 0)
    _exit(2);
  _exit(1);
}

/* The cover: how often a pair was tried, whether it was answered, or refused as it must. */
static unsigned short tried[LEVELS_ALL][LEVELS_ALL];
static unsigned char covered[LEVELS_ALL][LEVELS_ALL];
static unsigned char target_list[LEVELS_ALL]; /* factor of a level */
static int levels_count;

static void pair_mark(const int *level, int was_answered)
{
  int f, g;
  for (f = 0; f < FACTORS; f++)
    for (g = 0; g < f; g++) {
      const int a = factors[f].first + level[f], b = factors[g].first + level[g];
      if (was_answered < 0)
        tried[a][b]++;
      else if (pair_is[a][b] == (was_answered ? POSSIBLE : REFUSED))
        covered[a][b] = 1;
    }
}

static int is_open(int f, int k, int g, int l)
{
  const int a = factors[f > g ? f : g].first + (f > g ? k : l), b = factors[f > g ? g : f].first + (f > g ? l : k);
  return pair_is[a][b] != NEVER && !covered[a][b] && !factors[f].barred[k] && !factors[g].barred[l];
}

/* Of cases that are not chosen for a pair, how often a level is drawn: what is asked most, and has the most to get
   wrong. */
static int weight(int f, int k)
{
  const int often = f == CALL     ? k == ARRAY || k == SPARSE || k == JOB || k == PARTS
                    : f == ENGINE ? k == PERM_METHOD_AUTO || k == PERM_METHOD_EXACT || k == PERM_METHOD_HYBRID
                    : f == KIND   ? k >= INTEGER
                    : f == SHAPE || f == CERTIFY || f == PRECISION || f == THREADS ? k == 0
                                                                                   : 0;
  return often ? 4 : 1;
}

/* Levels of the factors that have none (-1) yet, each the one that opens the most pairs, or any if `greedy` is 0. */
static int complete(int *level, int greedy, int refused)
{
  int order[FACTORS], f, g, k, i;
  for (f = 0; f < FACTORS; f++)
    for (order[f] = f, g = 0; g < f; g++)
      if (level[f] >= 0 && level[g] >= 0 && pair_state(f, level[f], g, level[g]) == NEVER)
        return 0;
  for (f = FACTORS - 1; f > 0; f--) {
    k = random_below(f + 1), g = order[f];
    order[f] = order[k], order[k] = g;
  }
  for (i = 0; i < FACTORS; i++) {
    double best = -1;
    int chosen = -1;
    f = order[i];
    if (level[f] >= 0)
      continue;
    for (k = 0; k < factors[f].count; k++) {
      double score = 1e-3 * random_below(1000);
      int bars = factors[f].barred[k], draws;
      for (draws = greedy ? 1 : weight(f, k); draws > 1; draws--) {
        const double again = 1e-3 * random_below(1000);
        score = again > score ? again : score;
      }
      for (g = 0; g < FACTORS && !bars; g++)
        if (level[g] >= 0) {
          const impossible is = pair_state(f, k, g, level[g]);
          const int a = factors[f > g ? f : g].first + (f > g ? k : level[g]);
          const int b = factors[f > g ? g : f].first + (f > g ? level[g] : k);
          bars = is == NEVER || (is == REFUSED && !refused);
          if (greedy && is == POSSIBLE && is_open(f, k, g, level[g]))
            score += 1.0 / (1 + tried[a][b]);
        }
      if (!bars && score > best)
        best = score, chosen = k;
    }
    if (chosen < 0)
      return 0;
    level[f] = chosen;
  }
  return too_long(level) == NULL;
}

/* The next case: freely, of long ones few, or an open pair, of those that were tried least, and what goes best with it;
   half of the times with modes that are ordinary, a quarter but for the workers', an eighth in some stage of a job, as
   far as the pair leaves that free. 0: none is open. */
static int choose(int *level, const int *pins, int freely)
{
  static int list[LEVELS_ALL * LEVELS_ALL][2];
  int f, g, a, b, k, count = 0, least = 60000, attempt;
  for (a = 0; a < levels_count && !freely; a++)
    for (b = 0; b < a; b++) {
      f = target_list[a], g = target_list[b];
      if (f == g || !is_open(f, a - factors[f].first, g, b - factors[g].first) || tried[a][b] > least)
        continue;
      if (tried[a][b] < least)
        least = tried[a][b], count = 0;
      list[count][0] = a;
      list[count++][1] = b;
    }
  for (attempt = 0; attempt < 200; attempt++) {
    int refused = 0;
    memcpy(level, pins, sizeof(int) * FACTORS);
    if (count && least < 400) {
      k = random_below(count);
      a = list[k][0], b = list[k][1];
      f = target_list[a], g = target_list[b];
      level[f] = a - factors[f].first;
      level[g] = b - factors[g].first;
      refused = pair_is[a][b] == REFUSED;
      if (attempt % 20 == 19)
        tried[a][b]++;
    }
    for (k = 0; k < 4; k++) {
      static const int modes[] = {ROUNDING, FLUSH, STAGE, WORKERS};
      f = modes[k];
      if (level[f] < 0 && case_now % 8 < (f == WORKERS ? 4 : 6) && !factors[f].barred[0])
        level[f] = 0;
    }
    if (case_now % 8 == 7 && level[STAGE] < 0 && level[ROUNDING] < 0 && !refused) {
      level[STAGE] = pins[STAGE] < 0 ? 1 + random_below(3) : pins[STAGE];
      level[ROUNDING] = pins[ROUNDING] < 0 ? 1 + random_below(3) : pins[ROUNDING];
    }
    /* only what takes longer has threads, and several chunks */
    if (case_now % 8 > (freely ? 6 : 3) && !refused && attempt < 20) {
      level[THREADS] = level[THREADS] < 0 ? 1 + random_below(2) : level[THREADS];
      level[ORDER] = level[ORDER] < 0 ? 15 + random_below(7) : level[ORDER];
      if (level[STRUCTURE] < 0 && random_below(3) == 0)
        level[STRUCTURE] = random_below(2) ? EQUAL : HOLES;
      for (f = 0; f < FACTORS; f++)
        level[f] = pins[f] < 0 ? level[f] : pins[f];
    }
    if (complete(level, attempt < 100 && !freely, refused) && (!freely || !random_below(one_of(level))))
      return freely || count > 0;
  }
  return -1;
}

static int coverage(int list)
{
  long possible = 0, reached = 0, refused = 0, must = 0;
  int f, g, k, l;
  for (f = 0; f < FACTORS; f++)
    for (g = 0; g < f; g++)
      for (k = 0; k < factors[f].count; k++)
        for (l = 0; l < factors[g].count; l++) {
          const int a = factors[f].first + k, b = factors[g].first + l;
          if (pair_is[a][b] == NEVER || factors[f].barred[k] || factors[g].barred[l])
            continue;
          *(pair_is[a][b] == REFUSED ? &must : &possible) += 1;
          *(pair_is[a][b] == REFUSED ? &refused : &reached) += covered[a][b];
          if (list && !covered[a][b])
            printf("%s: %s %s x %s %s, tried %d times\n",
                           pair_is[a][b] == REFUSED ? "never refused" : "never reached", factors[f].word,
                           factors[f].level[k], factors[g].word, factors[g].level[l], tried[a][b]);
        }
  printf("pairs reached: %ld of %ld possible; refused as declared: %ld of %ld\n", reached, possible, refused, must);
  return (int)(possible - reached + must - refused);
}

static int parse_only(char *text, int *pins)
{
  char *one = strtok(text, ",");
  for (; one; one = strtok(NULL, ",")) {
    char *word = strchr(one, '=');
    int f, k, l;
    if (!word)
      return 0;
    *word++ = 0;
    for (f = 0; f < FACTORS && strcmp(factors[f].word, one);)
      f++;
    if (f == FACTORS || (k = level_named(f, word)) < 0)
      return 0;
    for (l = 0; l < factors[f].count; l++)
      factors[f].barred[l] = l != k;
    pins[f] = k;
  }
  return 1;
}

static void run_case(problem *p)
{
  clock_t began;
  outcome is;
  random_state = seed * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)case_now * UINT64_C(0xd6e8feb86659fd93);
  random_bits();
  describe(p);
  make_problem(p);
  began = clock();
  alarm(60);
  is = run_problem(p);
  alarm(0);
  if (trace && clock() - began > CLOCKS_PER_SEC / 10)
    printf("slow, %.1f s: --only %s\n", (double)(clock() - began) / CLOCKS_PER_SEC, only_text);
  found.cases++;
  *(is == ANSWERED ? &found.answered : is == DECLINED ? &found.declined : &found.skipped) += 1;
  if (trace)
    printf("%s %s: %s\n", only_text, is == ANSWERED ? "answered" : is == DECLINED ? "refused" : "skipped",
           is == DECLINED ? refusal : "");
  pair_mark(p->level, -1);
  if (is != SKIPPED)
    pair_mark(p->level, is == ANSWERED);
}

/* A share of the cases, in a process with a seed of its own */
static void run_cases(int process, int count)
{
  static problem p;
  const long cases = asked_for.cases / count + (process < asked_for.cases % count);
  int f, k;
  seed += (uint64_t)process;
  for (f = 0; f < 3; f++)
    snprintf(scratch_file[f], sizeof scratch_file[f], "build/differential.%ld.%d", (long)getpid(), f);
  for (case_now = 0; !until_met; case_now++) {
    int more;
    if (asked_for.cases ? case_now >= cases : asked_for.seconds > 0 && now() - started > asked_for.seconds)
      break;
    random_state = seed * UINT64_C(0xbf58476d1ce4e5b9) + (uint64_t)case_now;
    random_bits();
    more = choose(p.level, asked_for.pins, found.covers && random_below(LATER));
    if (more == 0) { /* all again */
      if (!found.covers++)
        found.passed_at = now() - started;
      for (f = 0; f < LEVELS_ALL; f++) /* but what is refused */
        for (k = 0; k < LEVELS_ALL; k++)
          covered[f][k] &= pair_is[f][k] == REFUSED;
      memset(tried, 0, sizeof tried);
      if (!asked_for.cases && asked_for.seconds <= 0)
        break;
    }
    if (more >= 0)
      run_case(&p);
  }
  leave();
}

static void share(int process, int count, FILE *to)
{
  run_cases(process, count);
  fwrite(&found, sizeof found, 1, to);
  fwrite(&tally, sizeof tally, 1, to);
  fwrite(covered, sizeof covered, 1, to);
  fwrite(tried, sizeof tried, 1, to);
}

static int add(FILE *from)
{
  static typeof(found) theirs;
  static typeof(tally) results;
  static typeof(covered) theirs_covered;
  static typeof(tried) theirs_tried;
  int f, k;
  if (fread(&theirs, sizeof theirs, 1, from) != 1 || fread(&results, sizeof results, 1, from) != 1 ||
      fread(theirs_covered, sizeof covered, 1, from) != 1 || fread(theirs_tried, sizeof tried, 1, from) != 1)
    return 0;
  for (k = 0; k < theirs.classes; k++) {
    failures *of = class_named(theirs.class[k].name);
    const long before = of ? of->count : 0;
    if (!before && of)
      *of = theirs.class[k];
    else if (of)
      of->count += theirs.class[k].count;
  }
  found.passed_at = fmax(found.passed_at, theirs.passed_at);
  found.covers += theirs.covers;
  found.failed += theirs.failed;
  found.cases += theirs.cases;
  found.answered += theirs.answered;
  found.declined += theirs.declined;
  found.skipped += theirs.skipped;
  tally.results += results.results;
  tally.bounds += results.bounds;
  tally.exact += results.exact;
  tally.above += results.above;
  tally.worst_estimate = fmax(tally.worst_estimate, results.worst_estimate);
  for (f = 0; f < LEVELS_ALL; f++)
    for (k = 0; k < LEVELS_ALL; k++) {
      covered[f][k] |= theirs_covered[f][k];
      tried[f][k] = (unsigned short)(tried[f][k] + theirs_tried[f][k]);
    }
  return 1;
}

int main(int argc, char **argv)
{
  long wanted = -1, rest = 0;
  int f, k, list = 0;
  if (!getenv("OMP_WAIT_POLICY")) { /* more threads than cores: none should spin */
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv(argv[0], argv);
  }
  levels_set_up();
  for (f = 0; f < FACTORS; f++) {
    asked_for.pins[f] = -1;
    for (k = 0; k < factors[f].count; k++)
      target_list[levels_count++] = (unsigned char)f;
  }
  for (k = 1; k < argc; k++) {
    const char *value = k + 1 < argc ? argv[k + 1] : "";
    if (!strcmp(argv[k], "--list"))
      list = 1;
    else if (!strcmp(argv[k], "--trace"))
      trace = 1;
    else if (!strcmp(argv[k], "--seed"))
      seed = strtoull(value, NULL, 10), k++;
    else if (!strcmp(argv[k], "--seconds"))
      asked_for.seconds = atof(value), k++;
    else if (!strcmp(argv[k], "--cases"))
      asked_for.cases = atol(value), k++;
    else if (!strcmp(argv[k], "--jobs"))
      jobs = atoi(value), k++;
    else if (!strcmp(argv[k], "--case"))
      wanted = atol(value), k++;
    else if (!strcmp(argv[k], "--until"))
      until = value, k++;
    else if (strcmp(argv[k], "--only") || !parse_only(k + 1 < argc ? argv[++k] : argv[k], asked_for.pins)) {
      fprintf(stderr, "differential: %s: see the head of tests/attack/differential.c\n", argv[k]);
      return 2;
    }
  }
  signal(SIGSEGV, crashed), signal(SIGFPE, crashed), signal(SIGABRT, crashed), signal(SIGALRM, crashed);
  signal(SIGILL, crashed), signal(SIGBUS, crashed);
  if (asked_for.cases && jobs > 1 + asked_for.cases / SHARE_LEAST)
    jobs = 1 + (int)(asked_for.cases / SHARE_LEAST);
  started = now();
  if (wanted >= 0) {
    static problem p;
    for (f = 0; f < FACTORS; f++)
      p.level[f] = asked_for.pins[f] < 0 ? 0 : asked_for.pins[f];
    case_now = wanted;
    single = 1;
    for (f = 0; f < 3; f++)
      snprintf(scratch_file[f], sizeof scratch_file[f], "build/differential.%ld.%d", (long)getpid(), f);
    run_case(&p);
    write_matrix(&p, "build/differential.mtx");
    printf("%s; %d x %d, build/differential.mtx\n",
           found.answered ? "answered" : found.declined ? "refused" : "skipped", p.m, p.n);
  } else if (jobs == 1)
    run_cases(0, 1);
  else
    found.failed += processes_run(jobs, share, add);
  leave();
  printf("seed %" PRIu64 ": %ld cases, %.2f ms of a core each: %ld answered, %ld refused, %ld beyond the oracle; %ld "
         "results in doubles, %ld bounds, %ld exact\n", seed, found.cases,
         1e3 * processes_seconds() / (double)(found.cases ? found.cases : 1), found.answered, found.declined,
         found.skipped, tally.results, tally.bounds, tally.exact);
  printf("estimates exceeded by more than 13 times: %ld, the worst %.3g times\n", tally.above, tally.worst_estimate);
  for (k = 0; k < found.classes; k++)
    printf("%6ld  %s; first in case %ld after %.1f s\n", found.class[k].count, found.class[k].name,
           found.class[k].first_case, found.class[k].first_seconds);
  if (wanted < 0) {
    if (found.covers)
      printf("every pair after %.1f s, %d times\n", found.passed_at, found.covers);
    else
      rest = coverage(list || asked_for.seconds > 60);
  }
  printf("%ld passed, %ld failed, 0 skipped\n", found.cases - found.failed > 0 ? found.cases - found.failed : 0,
         found.failed + (rest > 0));
  return found.failed + rest > 0;
}
/* SPDX-License-Identifier: MIT */
