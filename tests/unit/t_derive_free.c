/* >>derive >>derive_tree >>derive_frontier of rectangular matrices: derivatives, chances of entries and of lines that
   stay empty, against sums over subsets of the short side. */

/* Sums over matchings of the first lines of the long side, and of the last ones, by the short side's matched lines. */
typedef struct t_derive_sums {
  oracle_int before[16][1 << T_FREE_ROWS], after[16][1 << T_FREE_ROWS];
} t_derive_sums;

static void t_derive_line(const t_free *f, int line, const oracle_int *from, oracle_int *to)
{
  int s;
  size_t e;
  for (s = 0; s < 1 << T_FREE_ROWS; s++)
    for (e = 0, to[s] = from[s]; e < f->matrix.nnz; e++)
      if ((f->m > f->n ? f->row[e] : f->column[e]) == line) {
        const int r = f->m > f->n ? f->column[e] : f->row[e];
        to[s] += s >> r & 1 ? f->integer[e] * from[s ^ 1 << r] : 0;
      }
}

/* The same minor by rows, or columns where these are fewer, one after the other. */
static oracle_int t_derive_rectangle(const t_free *f, size_t without, int i, unsigned used)
{
  const int turned = f->m > f->n;
  const int *line[2] = {turned ? f->column : f->row, turned ? f->row : f->column};
  oracle_int sum = 0;
  size_t e;
  if (i == (turned ? f->n : f->m))
    return 1;
  if (i == line[0][without])
    return t_derive_rectangle(f, without, i + 1, used);
  for (e = 0; e < f->matrix.nnz; e++)
    if (line[0][e] == i && line[1][e] != line[1][without] && !(used >> line[1][e] & 1))
      sum += f->integer[e] * t_derive_rectangle(f, without, i + 1, used | 1u << line[1][e]);
  return sum;
}

/* m <= 6, n <= 15, either way round, with columns of one entry, zeros, signs: the permanent and every derivative
   exactly, modulo primes, in doubles within bounds; of entries >= 0 also the chances of entries and of empty lines. */
static void t_derive_rectangles(int trials)
{
  static const uint64_t moduli[] = {(UINT64_C(1) << 61) - 1, 97, (UINT64_C(1) << 61) - 1, 6};
  static perm_integer whole[T_FREE_MOST];
  static t_derive_sums sums;
  static t_free f;
  int trial, at_zero = 0, chances = 0, empty = 0, chained = 0;
  double worst[2] = {0, 0};
  for (trial = 0; trial < trials; trial++) {
    double out[T_FREE_MOST], unmatched[16], largest = 0, used[16];
    uint64_t residue[T_FREE_MOST];
    oracle_int minor[T_FREE_MOST], all, apart;
    perm_options options;
    perm_result result;
    perm_status status;
    const int sign = trial % 3 == 0;
    int shorter, longer, full, s, c, negative = 0;
    size_t e;
    t_free_random(&f, 1, trial % 2 ? 3 : 3000, sign);
    shorter = f.m < f.n ? f.m : f.n;
    longer = f.m < f.n ? f.n : f.m;
    full = (1 << shorter) - 1;
    memset(sums.before[0], 0, sizeof sums.before[0]);
    memset(sums.after[longer], 0, sizeof sums.after[0]);
    sums.before[0][0] = sums.after[longer][0] = 1;
    for (c = 0; c < longer; c++) {
      t_derive_line(&f, c, sums.before[c], sums.before[c + 1]);
      t_derive_line(&f, longer - 1 - c, sums.after[longer - c], sums.after[longer - 1 - c]);
    }
    all = sums.before[longer][full];
    for (e = 0; e < f.matrix.nnz; e++) {
      const int line = f.m > f.n ? f.row[e] : f.column[e], r = f.m > f.n ? f.column[e] : f.row[e];
      for (s = 0, minor[e] = 0; s <= full; s++)
        minor[e] += s >> r & 1 ? 0 : sums.before[line][s] * sums.after[line + 1][full ^ s ^ 1 << r];
      if (trial % 100 == 0 && (double)longer * shorter < 40)
        CHECK(minor[e] == t_derive_rectangle(&f, e, 0, 0) && ++chained);
      at_zero += f.integer[e] == 0 && minor[e] != 0;
      negative |= f.integer[e] < 0;
      largest = fmax(largest, fabs((double)minor[e]));
    }
    memset(&options, 0, sizeof options);
    options.method = t_derive_methods[trial % T_DERIVE_METHODS];
    options.modulus = moduli[trial % 4];
    CHECK_SHOW(perm_gradient_sparse_mod(&f.matrix, &options, residue, &result) == PERM_OK, "%s", result.message);
    CHECK(t_free_is(&result.integer, (oracle_int)oracle_remainder(all, options.modulus)) && result.exact);
    for (e = 0; e < f.matrix.nnz; e++)
      CHECK_SHOW(residue[e] == oracle_remainder(minor[e], options.modulus), "trial %d, %d x %d, entry %d: %llu", trial,
                 f.m, f.n, (int)e, (unsigned long long)residue[e]);
    options.modulus = 0;
    CHECK_SHOW(perm_gradient_sparse_integer(&f.matrix, &options, whole, &result) == PERM_OK, "%s", result.message);
    CHECK(t_free_is(&result.integer, all));
    for (e = 0; e < f.matrix.nnz; e++)
      CHECK_SHOW(t_free_is(&whole[e], minor[e]), "trial %d, %d x %d, entry %d", trial, f.m, f.n, (int)e);
    f.matrix.kind = PERM_KIND_REAL;
    CHECK_SHOW(perm_gradient_sparse(&f.matrix, &options, out, &result) == PERM_OK && result.exp2 == 0, "%s",
               result.message);
    for (e = 0; e < f.matrix.nnz; e++) {
      const double wrong = fabs((double)((oracle_wide)out[e] - (oracle_wide)minor[e]));
      CHECK_SHOW(wrong <= result.error_bound, "trial %d: %g, bound %g", trial, wrong, result.error_bound);
      worst[0] = result.error_bound > 0 ? fmax(worst[0], wrong / result.error_bound) : worst[0];
    }
    CHECK_SHOW(sign || result.error_bound <= 1e-13 * largest, "%g of %g", result.error_bound, largest);
    status = perm_marginals_sparse(&f.matrix, &options, out, unmatched, &result);
    if (negative || all == 0) {
      CHECK(status == (negative ? PERM_ERROR_UNSUPPORTED : PERM_ERROR_ZERO) && isnan(unmatched[longer - 1]));
      CHECK(f.matrix.nnz == 0 || isnan(out[0]));
      continue;
    }
    chances++;
    CHECK_SHOW(status == PERM_OK && result.error_bound < 1e-12, "%s %g", result.message, result.error_bound);
    memset(used, 0, sizeof used);
    for (c = 0; c < shorter; c++) {
      double sum = 0;
      for (e = 0; e < f.matrix.nnz; e++)
        sum += (f.m > f.n ? f.column[e] : f.row[e]) == c ? out[e] : 0;
      CHECK_SHOW(fabs(sum - 1) < 1e-14, "trial %d, line %d: 1 + %g", trial, c, sum - 1);
    }
    for (e = 0; e < f.matrix.nnz; e++) {
      const oracle_wide right = (oracle_wide)f.integer[e] * (oracle_wide)minor[e] / (oracle_wide)all;
      const double wrong = fabs((double)((oracle_wide)out[e] - right));
      CHECK_SHOW(wrong <= result.error_bound * (double)right, "trial %d: %g of %g", trial, wrong, (double)right);
      worst[1] = right > 0 ? fmax(worst[1], wrong / (double)right / result.error_bound) : worst[1];
      used[f.m > f.n ? f.row[e] : f.column[e]] += out[e];
    }
    for (c = 0; c < longer; c++) {
      for (s = 0, apart = 0; s <= full; s++)
        apart += sums.before[c][s] * sums.after[c + 1][full ^ s];
      CHECK_SHOW(fabs((double)((oracle_wide)unmatched[c] - (oracle_wide)apart / (oracle_wide)all)) <=
                     result.error_bound * (double)apart / (double)all,
                 "trial %d, %d x %d, line %d: %.17g", trial, f.m, f.n, c, unmatched[c]);
      CHECK_SHOW(fabs(unmatched[c] + used[c] - 1) < 1e-14, "trial %d: 1 + %g", trial, unmatched[c] + used[c] - 1);
      empty += apart != 0;
    }
  }
  CHECK_SHOW(at_zero > trials / 50 && chances > trials / 10 && empty > trials / 2 && chained > trials / 50,
             "%d, %d, %d, %d", at_zero, chances, empty, chained);
  CHECK_SHOW(worst[0] > 0.01 && worst[1] > 0.01, "%g, %g", worst[0], worst[1]);
  if (test_verbose)
    printf("at most %.2g of the bound, %.2g of a marginal's; %d matrices with chances\n", worst[0], worst[1], chances);
}

TEST(t_derive_of_rectangles)
{
  test_seed(75);
  t_derive_rectangles(4000);
}

TEST_LONG(t_derive_of_100000_rectangles)
{
  test_seed(76);
  t_derive_rectangles(100000);
}

/* Doubles of 53 bits over a few, many or all exponents: derivatives, chances and those of empty lines within their
   bounds, by the same sums in 113 bits; refused only where exponents range widely. */
TEST(t_derive_rectangles_within_bounds)
{
  static oracle_wide before[16][1 << T_FREE_ROWS], after[16][1 << T_FREE_ROWS];
  static t_free f;
  int trial, refused[3] = {0, 0, 0}, done[3] = {0, 0, 0};
  double worst[2] = {0, 0};
  test_seed(77);
  for (trial = 0; trial < 1200; trial++) {
    const perm_method method = t_derive_methods[trial / 6 % T_DERIVE_METHODS];
    const int range = trial % 3, bits = range == 0 ? 3 : range == 1 ? 60 : 900;
    double out[T_FREE_MOST], chance[T_FREE_MOST], unmatched[16], shift[2][16];
    oracle_wide all, part, unit = 1;
    perm_options options;
    perm_result result, chances;
    int c, s, k, shorter, longer, full;
    size_t e;
    t_free_random(&f, 1, 3, 0);
    f.matrix.kind = PERM_KIND_REAL;
    shorter = f.m < f.n ? f.m : f.n;
    longer = f.m < f.n ? f.n : f.m;
    full = (1 << shorter) - 1;
    for (c = 0; c < 32; c++) /* of lines, in half of the trials */
      shift[c / 16][c % 16] = trial % 2 ? bits * (2 * test_uniform() - 1) / 2 : 0;
    for (e = 0; e < f.matrix.nnz; e++)
      f.real[e] *= ldexp(1 + test_uniform(), (int)(trial % 2 ? shift[0][f.row[e]] + shift[1][f.column[e]]
                                                             : bits * (2 * test_uniform() - 1)));
    memset(before[0], 0, sizeof before[0]);
    memset(after[longer], 0, sizeof after[0]);
    before[0][0] = after[longer][0] = 1;
    for (c = 0; c < longer; c++)
      for (s = 0; s <= full; s++) {
        before[c + 1][s] = before[c][s];
        after[longer - 1 - c][s] = after[longer - c][s];
        for (e = 0; e < f.matrix.nnz; e++) {
          const int line = f.m > f.n ? f.row[e] : f.column[e], r = f.m > f.n ? f.column[e] : f.row[e];
          if (s >> r & 1 && line == c)
            before[c + 1][s] += f.real[e] * before[c][s ^ 1 << r];
          if (s >> r & 1 && line == longer - 1 - c)
            after[line][s] += f.real[e] * after[line + 1][s ^ 1 << r];
        }
      }
    all = before[longer][full];
    memset(&options, 0, sizeof options);
    options.method = method;
    if (perm_marginals_sparse(&f.matrix, &options, chance, unmatched, &chances) != PERM_OK) {
      CHECK_SHOW(range == 2 || (chances.status == PERM_ERROR_ZERO && all == 0), "%s", chances.message);
      refused[range] += all != 0;
      continue;
    }
    done[range]++;
    CHECK_SHOW(perm_gradient_sparse(&f.matrix, &options, out, &result) == PERM_OK, "%s", result.message);
    CHECK_SHOW(chances.error_bound < (range == 2 ? 1e-6 : 1e-13), "%g", chances.error_bound);
    for (k = 0; k < (result.exp2 < 0 ? -result.exp2 : result.exp2); k++)
      unit *= result.exp2 < 0 ? 2 : 0.5;
    for (e = 0; e < f.matrix.nnz; e++) {
      const int line = f.m > f.n ? f.row[e] : f.column[e], r = f.m > f.n ? f.column[e] : f.row[e];
      oracle_wide minor = 0, wrong;
      for (s = 0; s <= full; s++)
        minor += s >> r & 1 ? 0 : before[line][s] * after[line + 1][full ^ s ^ 1 << r];
      wrong = (oracle_wide)out[e] - minor * unit;
      wrong = wrong < 0 ? -wrong : wrong;
      CHECK_SHOW(wrong <= (oracle_wide)result.error_bound, "trial %d: %g, bound %g", trial, (double)wrong,
                 result.error_bound);
      worst[0] = result.error_bound > 0 ? fmax(worst[0], (double)wrong / result.error_bound) : worst[0];
      part = f.real[e] * minor / all;
      wrong = (oracle_wide)chance[e] - part;
      wrong = wrong < 0 ? -wrong : wrong;
      CHECK_SHOW(wrong <= (oracle_wide)chances.error_bound * part + (oracle_wide)1e-290, "trial %d: %g of %g", trial,
                 (double)wrong, (double)part);
      worst[1] = part > (oracle_wide)1e-200 ? fmax(worst[1], (double)(wrong / part) / chances.error_bound) : worst[1];
    }
    for (c = 0; c < longer; c++) {
      for (s = 0, part = 0; s <= full; s++)
        part += before[c][s] * after[c + 1][full ^ s] / all;
      part = (oracle_wide)unmatched[c] - part;
      CHECK_SHOW((part < 0 ? -part : part) <= (oracle_wide)(chances.error_bound * unmatched[c] * 1.01 + 1e-290),
                 "trial %d, line %d: %g of %g", trial, c, (double)part, unmatched[c]);
    }
  }
  CHECK_SHOW(done[0] > 250 && done[1] > 250 && done[2] > 100, "%d, %d, %d", done[0], done[1], done[2]);
  CHECK_SHOW(worst[0] > 0.01 && worst[1] > 0.01, "%g, %g", worst[0], worst[1]);
  if (test_verbose)
    printf("at most %.2g of the bound, %.2g of a marginal's; %d, %d, %d done; %d, %d, %d refused\n", worst[0], worst[1],
           done[0], done[1], done[2], refused[0], refused[1], refused[2]);
}
/* Lines up to 2^450 and down to 2^-450: the permanent beside derivatives has nine digits, or a message says that it has
   lost them, and error_bound is of it, too. */
TEST(t_derive_value_keeps_digits_or_says_so)
{
  static oracle_wide sums[16][1 << T_FREE_ROWS];
  static t_free f;
  int trial, kept = 0, told = 0, gone = 0;
  test_seed(79);
  for (trial = 0; trial < 1500; trial++) {
    double out[T_FREE_MOST];
    oracle_wide all, unit = 1, wrong;
    perm_options options;
    perm_result result;
    int shift[2][16], c, s, k, shorter, longer;
    size_t e;
    t_free_random(&f, 1, 3, trial % 3 == 0);
    f.matrix.kind = PERM_KIND_REAL;
    shorter = f.m < f.n ? f.m : f.n;
    longer = f.m < f.n ? f.n : f.m;
    for (c = 0; c < 32; c++)
      shift[c / 16][c % 16] = trial % 2 ? test_below(901) - 450 : test_below(2) ? 450 : -450;
    for (e = 0; e < f.matrix.nnz; e++)
      f.real[e] *= ldexp(1 + test_uniform(), shift[0][f.row[e]] + shift[1][f.column[e]]);
    memset(sums[0], 0, sizeof sums[0]);
    sums[0][0] = 1;
    for (c = 0; c < longer; c++)
      for (s = 0; s < 1 << shorter; s++)
        for (e = 0, sums[c + 1][s] = sums[c][s]; e < f.matrix.nnz; e++) {
          const int line = f.m > f.n ? f.row[e] : f.column[e], r = f.m > f.n ? f.column[e] : f.row[e];
          if (line == c && s >> r & 1)
            sums[c + 1][s] += f.real[e] * sums[c][s ^ 1 << r];
        }
    all = sums[longer][(1 << shorter) - 1];
    memset(&options, 0, sizeof options);
    options.method = t_derive_methods[trial / 6 % T_DERIVE_METHODS];
    CHECK_SHOW(perm_gradient_sparse(&f.matrix, &options, out, &result) == PERM_OK, "%s", result.message);
    for (k = 0; k < (result.exp2 < 0 ? -result.exp2 : result.exp2); k++)
      unit *= result.exp2 < 0 ? 2 : 0.5;
    wrong = (oracle_wide)result.value - all * unit;
    wrong = wrong < 0 ? -wrong : wrong;
    if (result.message[0]) {
      CHECK_SHOW(strstr(result.message, "lost digits") && wrong <= (oracle_wide)result.error_bound,
                 "trial %d: off by %g, bound %g", trial, (double)wrong, result.error_bound);
      told++;
      gone += wrong > 0.1 * fabs(result.value);
    } else {
      CHECK_SHOW(wrong <= (oracle_wide)(1e-9 * fabs(result.value)), "trial %d: %g, off by %g", trial, result.value,
                 (double)wrong);
      kept++;
    }
  }
  CHECK_SHOW(kept > 1000 && told > 50 && gone > 20, "%d kept, %d told, %d gone", kept, told, gone);
  if (test_verbose)
    printf("%d kept their digits, %d say that they may have not, %d have not\n", kept, told, gone);
}

/* One exponent holds the permanent and derivatives 2^2000 times as large; beyond, value says that it is none. */
TEST(t_derive_value_beside_large_derivatives)
{
  static size_t start[] = {0, 2, 4};
  static int column[] = {0, 1, 0, 1};
  double real[4] = {0, 0, 0, 0}, out[4];
  perm_matrix matrix;
  perm_result r;
  int scale;
  memset(&matrix, 0, sizeof matrix);
  matrix.m = matrix.n = 2;
  matrix.nnz = 4;
  matrix.kind = PERM_KIND_REAL;
  matrix.row_start = start;
  matrix.column = column;
  matrix.real = real;
  for (scale = 0; scale <= 1000; scale += 10) {
    real[0] = real[3] = 1.5 * ldexp(1, -scale); /* the permanent is their product, entry 1 a stored 0 */
    real[2] = ldexp(1, scale);
    CHECK_SHOW(perm_gradient_sparse(&matrix, NULL, out, &r) == PERM_OK, "%s", r.message);
    CHECK(out[1] > 0 && permi_ldexp(out[1], r.exp2 - scale) == 1);
    if (r.message[0]) {
      CHECK_SHOW(scale > 600 && r.value < 1e-300 && r.value <= r.error_bound, "%d: %g", scale, r.value);
      continue;
    }
    CHECK_SHOW(fabs(permi_ldexp(r.value, r.exp2 + 2 * scale) - 2.25) < 3e-9, "%d: %g, 2^%lld", scale, r.value, r.exp2);
    CHECK(scale < 700);
  }
  real[0] = real[3] = 0; /* nothing is lost of a permanent without a product */
  CHECK(perm_gradient_sparse(&matrix, NULL, out, &r) == PERM_OK && r.value == 0 && !r.message[0]);
  real[0] = 1; /* nor of one without rounding; of what cancels, digits are */
  real[1] = real[2] = real[3] = 0.1;
  real[2] = -1;
  CHECK(perm_gradient_sparse(&matrix, NULL, out, &r) == PERM_OK && r.value == 0 && r.message[0] && r.error_bound > 0);
}

/* A larger matrix, whose joins are shared among threads: the same bits for any number of them; chances add up. */
TEST(t_derive_rectangles_same_for_threads)
{
  enum { M = 32, N = 36, MOST = 4 * M };
  static int row[MOST], column[MOST];
  static double real[MOST], chance[2][MOST], unmatched[2][N];
  perm_options options;
  perm_matrix matrix;
  perm_result result;
  size_t e;
  int t, k;
  test_seed(78);
  memset(&options, 0, sizeof options);
  for (k = 0; k < 4 * M; k++) {
    row[k] = k / 4;
    column[k] = k % 4 * 9 + test_below(9);
    real[k] = 0.5 + test_uniform();
  }
  CHECK(perm_matrix_from_triplets(M, N, 4 * M, row, column, real, NULL, NULL, PERM_KIND_REAL, NULL, &matrix,
                                  &result) == PERM_OK);
  for (t = 0; t < 9; t++) {
    const int threads = 1 + t % 3, many = threads > 1;
    double sum[2][N];
    memset(sum, 0, sizeof sum);
    options.method = t_derive_methods[1 + t / 3];
    options.threads = threads;
    CHECK_SHOW(perm_marginals_sparse(&matrix, &options, chance[many], unmatched[many], &result) == PERM_OK, "%s",
               result.message);
    CHECK_SHOW(result.error_bound > 0 && result.error_bound < 1e-10, "%g", result.error_bound);
    CHECK(!many || (!memcmp(chance[0], chance[1], matrix.nnz * sizeof **chance) &&
                  !memcmp(unmatched[0], unmatched[1], sizeof *unmatched)));
    for (k = 0, e = 0; k < M; k++)
      for (; e < matrix.row_start[k + 1]; e++) {
        sum[0][k] += chance[many][e];
        sum[1][matrix.column[e]] += chance[many][e];
      }
    for (k = 0; k < N; k++)
      CHECK((k >= M || fabs(sum[0][k] - 1) < 1e-13) && fabs(sum[1][k] + unmatched[many][k] - 1) < 1e-13);
    if (test_verbose)
      printf("%g states, %.3f s, bound %.2g\n", result.terms, result.seconds, result.error_bound);
  }
  perm_matrix_free(&matrix);
}

/* SPDX-License-Identifier: MIT */
