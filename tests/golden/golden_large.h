/* golden_large.h: part of golden_calls.h, threads, large orders, GPUs. */

static void golden_threads(int index)
{
  const int parts = 1 + index % 2, n = golden_from(8, 20), ld = golden_matrix(n, n, parts);
  perm_options options = golden_options(GOLDEN_ALL_OPTIONS);
  perm_result r[3];
  int k;
  for (k = 0; k < 3; k++) {
    options.threads = k + 1;
    (parts == 2 ? perm_compute_complex : perm_compute_real)(n, n, golden_a, ld, &options, &r[k]);
    if (golden_double_bits(r[k].value) != golden_double_bits(r[0].value) || r[k].method != r[0].method ||
        golden_double_bits(r[k].imaginary) != golden_double_bits(r[0].imaginary) ||
        golden_double_bits(GOLDEN_ERROR(&r[k])) != golden_double_bits(GOLDEN_ERROR(&r[0])) ||
        golden_double_bits(GOLDEN_ESTIMATE(&r[k])) != golden_double_bits(GOLDEN_ESTIMATE(&r[0])))
      golden_say(" OTHER-BITS-FOR-THREADS=%d", k + 1);
  }
  golden_result(&r[0]);
  golden_end();
}

/* Each form of kernel at orders where there are many chunks. */
typedef struct golden_large_entry {
  char kind;              /* r real, c complex, i integer, g Gaussian */
  int n, pattern, values; /* values: of golden_size_name for i, g */
  perm_method method;
  perm_precision precision;
  int certify;
} golden_large_entry;

#define GOLDEN_GONE PERM_PRECISION_COUNT /* a precision that is gone: no line, but the others keep their numbers */

static const golden_large_entry golden_large_table[] = {
    {'r', 26, golden_full, golden_uniform, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'r', 25, golden_full, golden_gauss, PERM_METHOD_AUTO, GOLDEN_GONE, 0},
    {'r', 24, golden_half, golden_gauss, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 23, golden_full, golden_symmetric, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_full, golden_sign, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_full, golden_mixed, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_full, golden_huge, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'r', 21, golden_full, golden_graded, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_half, golden_symmetric, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_half, golden_one, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_derangement, golden_one, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 21, golden_unitary, golden_one, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 20, golden_full, golden_whole, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'r', 22, golden_full, golden_uniform, PERM_METHOD_AUTO, GOLDEN_GONE, 0},
    {'r', 20, golden_full, golden_gauss, PERM_METHOD_AUTO, PERM_PRECISION_DD, 0},
    {'r', 20, golden_full, golden_gauss, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 1},
    {'r', 20, golden_full, golden_symmetric, PERM_METHOD_AUTO, GOLDEN_GONE, 1},
    {'r', 20, golden_half, golden_gauss, PERM_METHOD_DENSE, GOLDEN_GONE, 0},
    {'r', 20, golden_half, golden_gauss, PERM_METHOD_DENSE, PERM_PRECISION_DD, 0},
    {'r', 20, golden_half, golden_gauss, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 1},
    {'r', 20, golden_full, golden_gauss, PERM_METHOD_GLYNN, PERM_PRECISION_DEFAULT, 0},
    {'r', 20, golden_full, golden_gauss, PERM_METHOD_RYSER, PERM_PRECISION_KAHAN, 0},
    {'r', 20, golden_equal_columns, golden_gauss, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'r', 20, golden_few, golden_gauss, PERM_METHOD_HYBRID, PERM_PRECISION_DEFAULT, 0},
    {'r', 20, golden_few, golden_gauss, PERM_METHOD_HYBRID, GOLDEN_GONE, 0},
    {'r', 20, golden_few, golden_gauss, PERM_METHOD_SPARYSER, PERM_PRECISION_DEFAULT, 0},
    {'r', 20, golden_few, golden_gauss, PERM_METHOD_HYBRID, GOLDEN_GONE, 0},
    {'c', 24, golden_full, golden_uniform, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'c', 22, golden_full, golden_gauss, PERM_METHOD_AUTO, GOLDEN_GONE, 0},
    {'c', 21, golden_unitary, golden_one, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'c', 20, golden_half, golden_symmetric, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'c', 20, golden_full, golden_digit, PERM_METHOD_DENSE, PERM_PRECISION_DEFAULT, 0},
    {'c', 20, golden_full, golden_mixed, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 0},
    {'c', 18, golden_full, golden_gauss, PERM_METHOD_AUTO, GOLDEN_GONE, 0},
    {'c', 18, golden_full, golden_gauss, PERM_METHOD_AUTO, PERM_PRECISION_DD, 0},
    {'c', 19, golden_full, golden_gauss, PERM_METHOD_AUTO, PERM_PRECISION_DEFAULT, 1},
    {'c', 18, golden_half, golden_gauss, PERM_METHOD_DENSE, PERM_PRECISION_DD, 0},
    {'c', 18, golden_full, golden_gauss, PERM_METHOD_GLYNN, PERM_PRECISION_DEFAULT, 0},
    {'c', 20, golden_few, golden_gauss, PERM_METHOD_HYBRID, PERM_PRECISION_DEFAULT, 0},
    {'c', 20, golden_few, golden_gauss, PERM_METHOD_HYBRID, GOLDEN_GONE, 0},
    {'i', 25, golden_full, 0, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 22, golden_half, 0, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 22, golden_full, 1, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 20, golden_full, 2, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 22, golden_full, 3, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 20, golden_half, 4, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 18, golden_full, 5, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 18, golden_full, 6, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'i', 17, golden_full, 7, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'g', 22, golden_full, 1, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'g', 18, golden_full, 2, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'g', 17, golden_half, 4, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'g', 16, golden_full, 6, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0},
    {'g', 15, golden_full, 7, PERM_METHOD_EXACT, PERM_PRECISION_DEFAULT, 0}};

static void golden_large_run(const golden_large_entry *e, int gpus, int most)
{
  const int parts = e->kind == 'c' || e->kind == 'g' ? 2 : 1, whole = e->kind == 'i' || e->kind == 'g';
  const int n = e->n < most ? e->n : most;
  perm_options options;
  perm_result r;
  memset(&options, 0, sizeof options);
  options.threads = golden_now.threads;
  options.method = e->method;
  options.precision = e->precision;
  options.certify = e->certify;
  options.gpu.devices = gpus;
  options.isa = gpus ? PERM_ISA_CUDA : PERM_ISA_AUTO;
  if (e->precision == GOLDEN_GONE)
    return;
  golden_describe("%d %s %s%s %s %s%s", n, golden_pattern_name[e->pattern],
                  whole ? golden_size_name[e->values] : golden_value_name[e->values], parts == 2 ? " complex" : "",
                  perm_name("method", e->method), perm_name("precision", e->precision), e->certify ? " certify" : "");
  if (whole) {
    golden_draw_integers(e->pattern, e->values, n, n, parts, golden_i, n);
    (parts == 2 ? perm_compute_gaussian : perm_compute_integer)(n, n, golden_i, n, &options, &r);
  } else {
    golden_draw_matrix(e->pattern, e->values, n, n, parts, golden_a, n);
    (parts == 2 ? perm_compute_complex : perm_compute_real)(n, n, golden_a, n, &options, &r);
  }
  golden_result(&r);
  golden_end();
}

#define GOLDEN_LARGE ((int)(sizeof golden_large_table / sizeof golden_large_table[0]))
static void golden_large(int index)
{
  golden_large_run(&golden_large_table[index], 0, 64);
}

/* ------------------------------------------------------------------------------------------- GPUs */
#if defined(PERM_WITH_CUDA)
int perm_cuda_devices(int gpus, char message[PERM_MESSAGE_BYTES]); /* perm.h declares it to its implementation only */
static int golden_gpu_there(void)
{
  char message[PERM_MESSAGE_BYTES];
  if (perm_cuda_devices(1, message) > 0)
    return 1;
  printf("SKIP golden record of GPUs: %s\n", message);
  return 0;
}
#else
static int golden_gpu_there(void)
{
  printf("SKIP golden record of GPUs: this program was made without perm_cuda.cu (make golden-gpu)\n");
  return 0;
}
#endif

static perm_options golden_gpu_options(int what)
{
  perm_options options = golden_options(what);
  options.gpu.devices = 1;
  options.isa = PERM_ISA_CUDA;
  return options;
}

static void golden_gpu_large(int index)
{
  golden_large_run(&golden_large_table[index], 1, 64);
}

static void golden_gpu_dense(int index)
{
  const int parts = 1 + index % 2, n = golden_from(8, 22), ld = golden_matrix(n, n, parts);
  const perm_options options = golden_gpu_options(GOLDEN_PRECISION | GOLDEN_CERTIFY | GOLDEN_TOLERANCE);
  golden_compute(parts, n, n, ld, &options);
}

static void golden_gpu_integer(int index)
{
  const int parts = 1 + index % 2, n = golden_from(8, 18), ld = golden_integers(n, n, parts);
  perm_options options = golden_gpu_options(0);
  perm_result r;
  golden_modulus(&options);
  (parts == 2 ? perm_compute_gaussian : perm_compute_integer)(n, n, golden_i, ld, &options, &r);
  golden_result(&r);
  golden_end();
}

static void golden_gpu_repeated(int index)
{
  const int parts = 1 + index % 2, m = golden_from(4, 9), n = golden_from(4, 9), total = golden_from(8, 24);
  const int ld = golden_matrix(m, n, parts);
  int rows[16], columns[16];
  perm_options options = golden_gpu_options(GOLDEN_PRECISION | GOLDEN_CERTIFY);
  perm_result r;
  if (golden_below(2))
    options.method = PERM_METHOD_MULTIPLICITIES;
  golden_describe(" sum %d %s", total, perm_name("method", options.method));
  golden_draw_counts(m, total, rows);
  golden_draw_counts(n, total, columns);
  (parts == 2 ? perm_compute_repeated_complex : perm_compute_repeated_real)(m, n, golden_a, ld, rows, columns, &options,
                                                                            &r);
  golden_result(&r);
  golden_end();
}

static void golden_gpu_batch(int index)
{
  static double a[2 * 40 * 256];
  const int parts = 1 + index % 2, n = golden_from(10, 16), count = golden_from(1, 40);
  const int pattern = golden_below(golden_patterns), values = golden_below(golden_value_kinds);
  const perm_options options = golden_gpu_options(0);
  perm_result r;
  int k;
  golden_describe("%d x %d %s %s%s", count, n, golden_pattern_name[pattern], golden_value_name[values],
                  parts == 2 ? " complex" : "");
  for (k = 0; k < count; k++)
    golden_draw_matrix(pattern, values, n, n, parts, a + k * n * n * parts, n);
  memset(golden_out, 0, sizeof golden_out);
  (parts == 2 ? perm_batch_complex : perm_batch_real)(n, (size_t)count, a, (size_t)(n * n), &options, golden_out, &r);
  golden_array(golden_out, (size_t)(count * parts));
  golden_say(" g=%d", r.gpus);
  golden_failure(r.status, &r);
  golden_end();
}

/* Generated kernels (each is compiled: a second) and frontier programs. */
static void golden_gpu_sparse(int index)
{
  static const perm_method method[] = {PERM_METHOD_HYBRID, PERM_METHOD_COUNT,    PERM_METHOD_CODEGEN, PERM_METHOD_COUNT,
                                       PERM_METHOD_FRONTIER, PERM_METHOD_LISTS,   PERM_METHOD_ARRAYS, PERM_METHOD_AUTO};
  const perm_method chosen = method[index % 8];
  const int frontier = index % 8 >= 4, n = golden_from(14, frontier ? 30 : 20);
  const perm_kind kind = (perm_kind)(frontier ? index / 8 % 4 : 2 + index / 8 % (index % 8 < 2 ? 2 : 1));
  perm_options options;
  perm_matrix matrix;
  perm_result r;
  if (chosen == PERM_METHOD_COUNT)
    return;
  memset(&options, 0, sizeof options);
  golden_describe("%s ", perm_name("method", chosen));
  matrix = golden_sparse_matrix(n, n, kind, &options);
  options = golden_gpu_options(frontier ? GOLDEN_PRECISION : 0);
  options.method = chosen;
  perm_compute_sparse(&matrix, &options, &r);
  golden_result(&r);
  golden_end();
  perm_matrix_free(&matrix);
}
/* SPDX-License-Identifier: MIT */
