/* make bench, part exact: the exact engine beside the plain programs of bench_exact_plain.c (-O3), one core. Each
   figure is the median over matrices of the same kind; times are processor times of this process, since machines are
   shared. The plain programs run at n = 24; their elements/s do not depend on n. */
#ifndef BENCH_EXACT_H_INCLUDED
#define BENCH_EXACT_H_INCLUDED

__extension__ typedef unsigned __int128 bench_words;
bench_words bench_exact_wide(int n, const int64_t *a);
void bench_exact_gaussian(int n, const int64_t *a, bench_words *total);
void bench_exact_limbs4(int n, const int64_t *a, uint64_t *total);
void bench_exact_limbs5(int n, const int64_t *a, uint64_t *total);

#define BENCH_EXACT_MATRICES 5
#define BENCH_EXACT_N 24

typedef struct bench_exact_kind {
  const char *name, *plain;
  int limbs; /* of the plain program; 2: unsigned __int128 */
} bench_exact_kind;

static const bench_exact_kind bench_exact_kinds[] = {{"0/1, density 1/2", "unsigned __int128", 2},
                                                     {"-1/0/1", "unsigned __int128", 2},
                                                     {"[-100,100]", "4 limbs", 4},
                                                     {"1..n^2", "5 limbs", 5}};

static double bench_exact_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void bench_exact_matrix(int kind, int n, int which, int64_t *a)
{
  uint64_t state = (uint64_t)which + 1;
  int i;
  for (i = 0; i < n * n; i++) {
    double u = bench_random(&state);
    a[i] = kind == 0   ? u > 0
           : kind == 1 ? (int64_t)floor(1.5 * u + 0.5)
           : kind == 2 ? (int64_t)floor(100.5 * u + 0.5)
                       : i + 1;
    if (kind == 3 && which) { /* the same entries elsewhere */
      int j = (int)((u + 1) / 2 * (i + 1)), other = j <= i ? j : i;
      int64_t swap = a[other];
      a[other] = a[i];
      a[i] = swap;
    }
  }
}

/* Elements/s of the plain program, whose total must be `expected` modulo 2^128; 0: it is not. */
static double bench_exact_plain(int limbs, const int64_t *a, const uint64_t *expected)
{
  const double start = bench_exact_seconds();
  uint64_t total[8];
  if (limbs == 2) {
    bench_words value = bench_exact_wide(BENCH_EXACT_N, a);
    total[0] = (uint64_t)value;
    total[1] = (uint64_t)(value >> 64);
  } else {
    (limbs == 4 ? bench_exact_limbs4 : bench_exact_limbs5)(BENCH_EXACT_N, a, total);
  }
  return total[0] == expected[0] && total[1] == expected[1]
             ? bench_elements(BENCH_EXACT_N) / (bench_exact_seconds() - start)
             : 0;
}

/* Elements/s of the engine; skip: 1 as planned, 0 without. expected: 2^(n-1) times the permanent modulo 2^128. */
static double bench_exact_rate(int n, const int64_t *a, perm_isa isa, int skip, uint64_t *expected)
{
  perm_options options = bench_options(isa, NULL);
  permi_integer_view view;
  permi_exact_plan plan;
  permi_leaf leaf;
  permi_number number;
  perm_partial partial;
  double best = INFINITY;
  void *memory;
  int repeat;
  view.a = a;
  view.ld = n;
  view.parts = 1;
  permi_exact_fastest(&options, n, &view, &plan);
  plan.skip = plan.skip && skip;
  if (!plan.family || permi_exact_tables(&options, &plan, &leaf, NULL) != PERM_OK ||
      !permi_workspace_make(&options.allocator, &leaf, 1, &memory))
    return 0;
  for (repeat = 0; repeat < 3 && (repeat == 0 || best < 0.05); repeat++) {
    double start = bench_exact_seconds();
    memset(&partial, 0, sizeof partial);
    permi_leaf_run(&leaf, 0, leaf.information.chunks, permi_workspace_of(&leaf, memory, 0), NULL, &partial);
    best = fmin(best, bench_exact_seconds() - start);
  }
  permi_release(&options.allocator, memory);
  permi_leaf_number(&leaf, &partial, &number);
  leaf.release(&options.allocator, leaf.context);
  {
    bench_words value = ((bench_words)number.integer.word[1] << 64 | number.integer.word[0]) << (n - 1);
    value = number.integer.negative ? 0 - value : value;
    expected[0] = (uint64_t)value;
    expected[1] = (uint64_t)(value >> 64);
  }
  return bench_elements(n) / best;
}

/* Whole calls for Gaussian integers with parts from -9 to 9, beside the plain program. */
static void bench_gaussian_integers(void)
{
  static int64_t a[2 * 20 * 20];
  perm_options options = bench_options(PERM_ISA_AUTO, NULL);
  int n, i, repeat;
  options.threads = 1;
  printf("\n| Gaussian integers, parts -9..9, n | plain __int128, -O3 | ours | ratio |\n|---|---|---|---|\n");
  for (n = 16; n <= 20; n += 4) {
    uint64_t state = (uint64_t)n;
    double plain = INFINITY, ours = INFINITY;
    bench_words total[2], value;
    perm_result result;
    for (i = 0; i < 2 * n * n; i++)
      a[i] = (int64_t)floor(9.5 * bench_random(&state) + 0.5);
    for (repeat = 0; repeat < 20; repeat++) {
      double start = bench_exact_seconds();
      perm_compute_gaussian(n, n, a, n, &options, &result);
      ours = fmin(ours, bench_exact_seconds() - start);
      start = bench_exact_seconds();
      bench_exact_gaussian(n, a, total);
      plain = fmin(plain, bench_exact_seconds() - start);
    }
    value = ((bench_words)result.integer.word[1] << 64 | result.integer.word[0]) << (n - 1);
    if (total[0] != (result.integer.negative ? 0 - value : value))
      fprintf(stderr, "Gaussian integers, n = %d: the engine and the plain program differ\n", n);
    printf("| %d | %.3g ms | %.3g ms | %.1fx |\n", n, 1e3 * plain, 1e3 * ours, plain / ours);
  }
}

static void bench_exact(void)
{
  static const perm_isa isas[] = {PERM_ISA_AVX512IFMA, PERM_ISA_AVX512, PERM_ISA_AVX2};
  static int64_t a[BENCH_EXACT_MATRICES][64 * 64];
  int kind, i, n, w;
  printf("\n| exact integers, n | plain program, -O3 | M elements/s | kernel | all terms | ratio | zeros skipped | "
         "ratio |\n");
  printf("|---|---|---|---|---|---|---|---|\n");
  for (kind = 0; kind < BENCH_COUNT(bench_exact_kinds); kind++) {
    const bench_exact_kind *of = &bench_exact_kinds[kind];
    double plain[BENCH_EXACT_MATRICES], yardstick;
    uint64_t expected[2];
    for (w = 0; w < BENCH_EXACT_MATRICES; w++) {
      bench_exact_matrix(kind, BENCH_EXACT_N, w, a[w]);
      bench_exact_rate(BENCH_EXACT_N, a[w], PERM_ISA_AUTO, 1, expected);
      plain[w] = bench_exact_plain(of->limbs, a[w], expected);
      if (plain[w] == 0)
        fprintf(stderr, "%s, matrix %d: the engine and the plain program differ\n", of->name, w);
    }
    yardstick = bench_median(plain, BENCH_EXACT_MATRICES);
    for (n = BENCH_EXACT_N; n <= (kind < 2 ? 28 : 24); n += 4)
      for (i = 0; i < BENCH_COUNT(isas); i++) {
        double all[BENCH_EXACT_MATRICES], planned[BENCH_EXACT_MATRICES], rate, rate_skipping;
        if (!permi_isa_here(isas[i]))
          continue;
        for (w = 0; w < BENCH_EXACT_MATRICES; w++) {
          bench_exact_matrix(kind, n, w, a[w]);
          all[w] = bench_exact_rate(n, a[w], isas[i], 0, expected);
          planned[w] = bench_exact_rate(n, a[w], isas[i], 1, expected);
        }
        rate = bench_median(all, BENCH_EXACT_MATRICES);
        rate_skipping = bench_median(planned, BENCH_EXACT_MATRICES);
        printf("| %s, %d | %s | %.0f | %s | %.3g G | %.0fx | ", of->name, n, of->plain, yardstick / 1e6,
               perm_name("isa", isas[i]), rate / 1e9, rate / yardstick);
        if (kind < 2)
          printf("%.3g G | %.0fx |\n", rate_skipping / 1e9, rate_skipping / yardstick);
        else
          printf("| |\n");
        fflush(stdout);
      }
  }
  bench_gaussian_integers();
}

#endif
/* SPDX-License-Identifier: MIT */
