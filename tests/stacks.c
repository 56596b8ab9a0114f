/* Every engine by name, in every precision and for every kind of matrix, on a thread with a stack of 64 KiB and a guard
   page below; musl gives a thread 128 KiB. With OpenMP, OMP_STACKSIZE=64k gives its threads as little.
   Usage: stacks [WORD]     only what has WORD in its name; a crash names what ran last */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "unit/inside.h"
#include <pthread.h>
#include <unistd.h>

enum { SMALL = 8, N = 14, STACK = 65536 };
static double real[2 * N * N], sparse[2 * N * N], nodes[4 * N];
static int64_t integer[2 * N * N];
static int ones[N], twice[N], picked[4 * N];
static double out[2 * N * N];
static perm_matrix matrix[5]; /* real, complex, integer, a long band, a board of 12 x 12 */
static int ran, done, failed, reached[PERM_METHOD_COUNT];
static const char *wanted;

typedef struct stack_case {
  perm_options options;
  perm_result r;
  int kind;
  void (*run)(struct stack_case *of);
} stack_case;

static void *stack_thread(void *of)
{
  ((stack_case *)of)->run((stack_case *)of);
  return NULL;
}

static void stack_try(stack_case *of, const char *what)
{
  pthread_attr_t attributes;
  pthread_t thread;
  char line[200];
  const perm_options *options = &of->options;
  const int length = snprintf(line, sizeof line, "%s kind %d, %s, %s, %s%s%s\n", what, of->kind,
                              perm_name("method", options->method), perm_name("precision", options->precision),
                              perm_name("isa", options->isa), options->certify ? ", certified" : "",
                              options->modulus ? ", modulo" : "");
  if (wanted && !strstr(line, wanted))
    return;
  if (write(2, line, (size_t)length) < 0) /* the last line before a crash */
    failed++;
  ran++;
  memset(&of->r, 0, sizeof of->r);
  if (pthread_attr_init(&attributes) || pthread_attr_setstacksize(&attributes, STACK) ||
      pthread_attr_setguardsize(&attributes, 4096) || pthread_create(&thread, &attributes, stack_thread, of)) {
    failed++;
    return;
  }
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  if (of->r.status == PERM_OK) {
    done++;
    reached[of->r.method]++;
  }
}

static void run_sparse(stack_case *of)
{
  char text[PERM_TEXT_BYTES];
  perm_job *job;
  perm_compute_sparse(&matrix[of->kind], &of->options, &of->r);
  perm_result_text(&of->r, text, sizeof text);
  if (perm_sparse_job(&matrix[of->kind], &of->options, &job, NULL) == PERM_OK) {
    char lines[2000];
    perm_partial partial;
    memset(&partial, 0, sizeof partial);
    perm_job_explain(job, lines, sizeof lines);
    if (perm_job_leaves(job))
      perm_job_run(job, 0, 0, 1, &partial);
    perm_job_free(job);
  }
}

static void run_dense(stack_case *of)
{
  const perm_options *options = &of->options;
  perm_result *r = &of->r;
  switch (of->kind) {
  case 0: perm_compute_real(N, N, real, N, options, r); break;
  case 1: perm_compute_complex(SMALL + 1, SMALL + 1, real, N, options, r); break;
  case 2: perm_compute_integer(N, N, integer, N, options, r); break;
  case 3: perm_compute_gaussian(SMALL, SMALL, integer, N, options, r); break;
  case 4: perm_compute_real(6, 12, real, N, options, r); break;
  case 5: perm_compute_complex(5, 9, real, N, options, r); break;
  case 6: perm_compute_integer(5, 9, integer, N, options, r); break;
  case 7: perm_compute_repeated_real(6, 6, real, N, twice, twice, options, r); break;
  case 8: perm_compute_repeated_complex(6, 6, real, N, twice, twice, options, r); break;
  case 9: perm_compute_repeated_integer(6, 6, integer, N, twice, twice, options, r); break;
  case 10: perm_compute_real(SMALL, SMALL, real, N, options, r); break;
  default: perm_compute_real(N, N, sparse, N, options, r); break;
  }
}

static void run_others(stack_case *of)
{
  const perm_options *options = &of->options;
  perm_result *r = &of->r;
  perm_estimate_plan plan;
  perm_estimate estimate;
  double value[2];
  int n;
  memset(&plan, 0, sizeof plan);
  plan.samples = 512;
  switch (of->kind) {
  case 0:
    for (n = 0; n <= N; n++)
      value[0] = perm_real(n, real);
    break;
  case 1:
    for (n = 0; n < N - 3; n++)
      perm_complex(n, real, value);
    break;
  case 2: perm_minors_real(N, N, real, N, NULL, NULL, 1, options, out, r); break;
  case 3: perm_minors_complex(6, 6, real, N, twice, twice, 1, options, out, r); break;
  case 4: perm_gradient_real(N - 4, N - 4, real, N, NULL, NULL, options, out, r); break;
  case 5: perm_gradient_complex(6, 6, real, 6, twice, twice, options, out, r); break;
  case 6: perm_batch_real(8, 4, real, 64, options, out, r); break;
  case 7: perm_batch_complex(6, 4, real, 36, options, out, r); break;
  case 8: perm_batch_complex_soa(5, 7, real, 7, options, out, r); break;
  case 9: perm_batch_real_soa(5, 7, real, 7, options, out, r); break;
  case 10: perm_select_real(N, N, real, N, 7, 8, NULL, picked, options, out, r); break;
  case 11: perm_compute_low_rank_real(N, 2, real, 2, real, N, options, r); break;
  case 12: perm_compute_low_rank_complex(N / 2, 2, real, 2, real, N / 2, options, r); break;
  case 13: perm_compute_cauchy_real(N, nodes, nodes + N, options, NULL, r); break;
  case 14: perm_compute_cauchy_complex(N, nodes, nodes + 2 * N, options, NULL, r); break;
  case 15: r->status = perm_estimate_real(N, real, N, &plan, options, &estimate); break;
  case 16: r->status = perm_estimate_complex(N / 2, real, N / 2, &plan, options, &estimate); break;
  default: {
    perm_preparation report;
    perm_sparse_report(&matrix[0], options, &report, r);
    break;
  }
  }
}

static void fill(void)
{
  uint64_t x = 1;
  int i, j;
  for (i = 0; i < 2 * N * N; i++) {
    x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
    real[i] = (double)(x >> 40) / 16777216 - 0.3;
    integer[i] = (int64_t)(x >> 60) - 7;
    if (i < 4 * N)
      nodes[i] = i + 0.25 * real[i];
  }
  for (i = 0; i < N; i++) {
    ones[i] = 1;
    twice[i] = 2;
    for (j = 0; j < N; j++)
      if ((j - i + N) % N < 3 || (i * 7 + j * 5) % 11 == 0)
        sparse[i * N + j] = real[i * N + j];
  }
  for (i = 0; i < 4 * N; i++)
    picked[i] = i % 8;
}

static int fill_matrices(void)
{
  static int row[70000], column[70000];
  static double value[70000];
  static int64_t whole[70000];
  int count = 0, i, j, ok;
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      if (sparse[i * N + j] != 0) {
        row[count] = i;
        column[count] = j;
        value[count] = sparse[i * N + j];
        whole[count++] = 1 + (i + j) % 3;
      }
  ok = perm_matrix_from_triplets(N, N, (size_t)count, row, column, value, NULL, NULL, PERM_KIND_REAL, NULL, &matrix[0],
                                 NULL) == PERM_OK &&
       perm_matrix_from_triplets(N, N, (size_t)count, row, column, value, real, NULL, PERM_KIND_COMPLEX, NULL,
                                 &matrix[1], NULL) == PERM_OK &&
       perm_matrix_from_triplets(N, N, (size_t)count, row, column, NULL, NULL, whole, PERM_KIND_INTEGER, NULL,
                                 &matrix[2], NULL) == PERM_OK;
  for (i = count = 0; i < 3000; i++)
    for (j = i < 2 ? 0 : i - 2; j <= i + 2 && j < 3000; j++) {
      row[count] = i;
      column[count] = j;
      value[count] = 1 + real[count % N];
      count++;
    }
  ok = ok && perm_matrix_from_triplets(3000, 3000, (size_t)count, row, column, value, NULL, NULL, PERM_KIND_REAL, NULL,
                                       &matrix[3], NULL) == PERM_OK;
  for (i = count = 0; i < 144; i++)
    for (j = 0; j < 144 && (i / 12 + i) % 2 == 0; j++)
      if (abs(i / 12 - j / 12) + abs(i % 12 - j % 12) == 1) {
        row[count] = i / 2;
        column[count] = j / 2;
        value[count++] = 1 + j % 3;
      }
  return ok && perm_matrix_from_triplets(72, 72, (size_t)count, row, column, value, NULL, NULL, PERM_KIND_REAL, NULL,
                                         &matrix[4], NULL) == PERM_OK;
}

int main(int count, char **argument)
{
  static stack_case of;
  int method, precision, isa, kind, k;
  wanted = count > 1 ? argument[1] : NULL;
  fill();
  if (!fill_matrices())
    return 2;
  for (isa = PERM_ISA_PLAIN; isa < PERM_ISA_COUNT; isa++) {
    if (!permi_isa_here((perm_isa)isa))
      continue;
    memset(&of.options, 0, sizeof of.options);
    of.options.isa = (perm_isa)isa;
    of.options.threads = 2;
    for (method = 0; method < PERM_METHOD_COUNT; method++)
      for (precision = 0; precision < PERM_PRECISION_COUNT; precision++)
        for (k = 0; k < 3; k++) { /* plainly, certified, modulo */
          of.options.method = (perm_method)method;
          of.options.precision = (perm_precision)precision;
          of.options.certify = k == 1;
          of.options.modulus = k == 2 ? 1000003 : 0;
          of.run = run_sparse;
          for (kind = 0; kind < 5; kind++)
            if ((of.kind = kind) == 4 ? method == PERM_METHOD_PLANAR || method == PERM_METHOD_AUTO
                : kind == 3 ? method == PERM_METHOD_BAND || method == PERM_METHOD_TREE || method == PERM_METHOD_AUTO
                            : method != PERM_METHOD_EXPANSION)
              stack_try(&of, "sparse");
          of.run = run_dense;
          for (of.kind = 0; of.kind < 12; of.kind++)
            if (method != PERM_METHOD_EXPANSION || (of.kind > 3 && of.kind < 7) || of.kind == 10)
              stack_try(&of, "dense");
        }
    of.options.method = PERM_METHOD_AUTO;
    of.options.certify = 0;
    of.options.modulus = 0;
    of.run = run_others;
    for (precision = 0; precision <= PERM_PRECISION_DD; precision++)
      for (of.kind = 0, of.options.precision = (perm_precision)precision; of.kind < 18; of.kind++)
        stack_try(&of, "other");
  }
  for (method = PERM_METHOD_DENSE; method < PERM_METHOD_COUNT; method++)
    if (!reached[method] && !wanted && method != PERM_METHOD_STRUCTURE &&
        method != PERM_METHOD_CODEGEN) {
      printf("FAIL method %s never ran\n", perm_name("method", (perm_method)method));
      failed++;
    }
  for (k = 0; k < 5; k++)
    perm_matrix_free(&matrix[k]);
  printf("%d calls, %d with results\n", ran, done);
  printf("%d passed, %d failed, 0 skipped\n", done && !failed, failed);
  return failed != 0;
}
/* SPDX-License-Identifier: MIT */
