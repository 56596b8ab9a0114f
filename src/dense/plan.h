/* =========================================================================================== >>plan
   Bits follow from matrix, options and kernel family alone, never from threads, time or load. */
#pragma once
#include "small.h"
#include "scale.h"
#include "gpu.h"
#include "../job/control.h"

/* Scales as >>scale, then row sums of |a| to at most 1, so no term overflows. exponent has 2n rows. */
static void permi_plan_scale(permi_dense_plan *plan, const permi_view *view, int (*exponent)[PERM_MAX_N])
{
  int n = plan->n, i, j, part;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double x = fabs(permi_at(view, i, j, 0));
      if (view->parts == 2)
        x = fmax(x, fabs(permi_at(view, i, j, 1)));
      exponent[i][j] = x != 0 ? permi_exponent(x) : PERMI_NO_EXPONENT;
    }
  plan->zero = !permi_scale_exponents(n, exponent, plan->row_exp2, plan->column_exp2);
  for (i = 0; i < n && !plan->zero; i++) {
    double sum = 0;
    for (part = 0; part < view->parts; part++)
      for (j = 0; j < n; j++)
        sum += fabs(permi_scaled(plan, view, i, j, part));
    plan->row_exp2[i] -= permi_log2_ceiling(sum * (1 + 1e-12));
    for (part = 0; part < view->parts; part++)
      for (j = 0; j < n; j++) {
        double x = permi_at(view, i, j, part);
        plan->lossy |= x != 0 && exponent[i][j] > PERMI_NO_EXPONENT &&
                       permi_exponent(x) + plan->row_exp2[i] + plan->column_exp2[j] < DBL_MIN_EXP;
      }
  }
}

/* Chooses the column of largest least |pivot| / max|row|. If that is below 2^-10, or products could pass 2^900, the
   pair form divides by nothing. */
static void permi_plan_pivot(permi_dense_plan *plan, const permi_view *view)
{
  double least[PERM_MAX_N], best = -1;
  int n = plan->n, i, j;
  for (j = 0; j < n; j++)
    least[j] = (double)INFINITY;
  for (i = 0; i < n; i++) {
    double row[PERM_MAX_N], most = 0;
    for (j = 0; j < n; j++) {
      row[j] = fabs(permi_scaled(plan, view, i, j, 0));
      most = row[j] > most ? row[j] : most;
    }
    for (j = 0; j < n; j++)
      least[j] = row[j] < least[j] * most ? row[j] / most : least[j];
  }
  for (j = 0; j < n; j++)
    if (least[j] > best) {
      best = least[j];
      plan->pivot = j;
    }
  plan->form = PERMI_FORM_NORMALISED;
  if (best < 1.0 / 1024 || permi_plan_growth(plan, view) >= 900)
    plan->form = PERMI_FORM_PAIR;
}

/* Returns the largest power of two that divides x; 2^1000 for 0. */
static double permi_unit_of(double x)
{
  return permi_shift(1, x == 0 ? 1000
                               : (int)(permi_bits(x) >> 52 & 2047) - 1075 +
                                     permi_trailing_zeros((permi_bits(x) << 12 >> 12) | UINT64_C(1) << 52));
}

/* Returns 1 if all before the products of pairs is exact: rows of multiples of g_i with sums of moduli R_i make parts
   of E and O (>>dense_kernels) multiples of g_i g_j up to R_i R_j (complex: 4 times that). */
static int permi_plan_exact_pairs(const permi_dense_plan *plan, const permi_view *view)
{
  double before = 1;
  for (int i = 0; i < plan->n; i++) {
    double sum = 0, unit = permi_shift(1, 1000);
    for (int part = 0; part < view->parts; part++)
      for (int j = 0; j < plan->n; j++) {
        double x = permi_scaled(plan, view, i, j, part);
        sum += fabs(x);
        unit = fmin(unit, permi_unit_of(x));
      }
    sum = sum / unit * (1 + 1e-12);
    if (sum * (i & 1 ? before : 1) > 1125899906842624.0) /* 2^50 */
      return 0;
    before = sum;
  }
  return !plan->lossy;
}

static void permi_plan_fingerprint(permi_dense_plan *plan, const permi_view *view)
{
  uint64_t hash = PERMI_HASH_START;
  const int fields[] = {plan->version, plan->n, plan->is_complex, (int)plan->method,
                        permi_precision_number(plan->precision), plan->certify, (int)plan->isa, (int)plan->form,
                        plan->pivot, plan->lane_columns, plan->block_columns, plan->outer_columns, plan->chunk_log2,
                        plan->zero, plan->lossy, plan->exact_rows};
  for (int i = 0; i < (int)(sizeof fields / sizeof fields[0]); i++)
    hash = permi_hash(hash, (uint64_t)fields[i]);
  hash = permi_hash(hash, plan->form == PERMI_FORM_FLOATS ? plan->chunks ^ (uint64_t)plan->group << 32 : plan->chunks);
  for (int i = 0; i < plan->n; i++) {
    uint64_t row = (uint64_t)(uint32_t)plan->row_exp2[i] << 32 | (uint32_t)plan->column_exp2[i];
    for (int j = 0; j < plan->n * view->parts; j++)
      row = permi_hash_double(row, view->a[(ptrdiff_t)i * view->ld * view->parts + j]);
    hash = permi_hash(hash, row);
  }
  plan->fingerprint = hash;
}

static double permi_wanted_relative(const perm_options *options)
{
  return options->tolerance > 0 ? options->tolerance : 1e-10;
}

/* Returns the expected relative error of doubles, 0 of others. sum |terms| / |permanent| is e^(n/2) for ones, less for
   random and unitary matrices, more where terms cancel. */
static double permi_expected_relative(int n, perm_precision precision)
{
  return precision == PERM_PRECISION_DEFAULT ? n * PERMI_UNIT * exp(0.5 * n) : 0;
}

/* Returns 1 if a job in pieces, which cannot escalate, needs a higher precision. */
static int permi_plans_higher(const perm_options *options, double relative)
{
  return options->tolerance > 0 && permi_in_pieces(options) && relative > options->tolerance;
}

static const char *permi_plan_refusal(const perm_options *options, perm_method method)
{
  const int scalar = method == PERM_METHOD_GLYNN || method == PERM_METHOD_RYSER;
  if (method >= PERM_METHOD_FRONTIER)
    return "this method is for sparse matrices: perm_compute_sparse of perm_sparse.h";
  if (!scalar && method != PERM_METHOD_DENSE && method != PERM_METHOD_EXPANSION)
    return "this method has no plan: use perm_compute_real, perm_compute_complex";
  if (options->precision == PERM_PRECISION_EXACT || options->modulus)
    return "precision exact and modulus are for integers: perm_compute_integer, perm_compute_gaussian";
  if (options->precision == PERM_PRECISION_KAHAN && !scalar)
    return "precision kahan is for methods glynn and ryser: dd is better";
  if (options->certify && scalar)
    return "methods glynn and ryser have no guaranteed bound: certify needs method dense or auto";
  return NULL;
}

/* Returns 1 if a bound costs at most 15 % of a call, 5 us beside its kernel, and tables of complex pairs. */
static int permi_plan_proof_is_cheap(const permi_dense_plan *plan, const permi_view *view, const perm_options *options)
{
  const permi_kernel_table *kernels = &view->reach->kernels;
  const perm_isa isa = permi_isa(options);
  const int parts = view->parts, n = plan->n;
  const permi_kernel *usual =
      permi_kernel_for(kernels, isa, parts == 2 ? PERMI_FORM_PAIR : PERMI_FORM_NORMALISED, PERMI_ROUNDED, n);
  const permi_kernel *proven = permi_kernel_for(kernels, isa, PERMI_FORM_SPLIT, PERMI_ROUNDED, n);
  const double seconds = plan->elements / usual->rate, tables = parts == 2 ? 2e-8 * n * n : 0;
  return n <= PERMI_NEAR_N && plan->elements / proven->rate - seconds <= 0.15 * (5e-6 + seconds) + tables;
}

static const permi_kernel *permi_plan_dense(permi_dense_plan *plan, const permi_view *view, const perm_options *options)
{
  const int proven = plan->certify || permi_plan_proof_is_cheap(plan, view, options);
  const double allowed = proven ? permi_moves_allowed(plan->n) : 0;
  const permi_kernel *kernel;
  int product = PERMI_ROUNDED;
  if (plan->precision == PERM_PRECISION_DD) {
    product = PERMI_DOUBLED;
    plan->form = PERMI_FORM_SPLIT;
  } else {
    plan->form = PERMI_FORM_PAIR;
    if (view->parts == 1 && (!proven || plan->n > PERMI_NEAR_N))
      permi_plan_pivot(plan, view);
    plan->exact_rows = plan->form == PERMI_FORM_NORMALISED
                           ? permi_rows_kind(permi_plan_moves(plan, view, allowed), allowed)
                           : permi_plan_exact_pairs(plan, view);
    if (proven && !plan->exact_rows) { /* pairs cost a quarter more, split rows 2.6 times as much */
      plan->exact_rows = permi_plan_exact_pairs(plan, view);
      plan->form = plan->exact_rows ? PERMI_FORM_PAIR : PERMI_FORM_SPLIT;
    }
  }
  if (plan->form != PERMI_FORM_NORMALISED)
    plan->pivot = 0;
  kernel = permi_kernel_for(&view->reach->kernels, permi_isa(options), plan->form, product, plan->n);
  plan->isa = kernel->isa;
  plan->lane_columns = kernel->lane_columns;
  plan->block_columns = kernel->block_columns;
  plan->outer_columns = plan->n - 1 - (plan->form != PERMI_FORM_SPLIT) - plan->lane_columns - plan->block_columns;
  plan->seconds = plan->elements / kernel->rate;
  return kernel;
}

static int permi_gpu_wanted(const perm_options *options, int n)
{
  char message[PERM_MESSAGE_BYTES];
  return options->gpu.devices && n >= PERMI_GPU_LEAST_N &&
         (!options->gpu.cpu_fallback || permi_gpu_devices(options->gpu.devices, message));
}

static void permi_plan_gpu(permi_dense_plan *plan, const permi_view *view, const perm_options *options)
{
  permi_dense_plan gpu = *plan;
  if (!options->gpu.devices || plan->n < PERMI_GPU_LEAST_N ||
      (options->isa != PERM_ISA_CUDA && plan->seconds < PERMI_GPU_DENSE_COMPILE))
    return;
  permi_gpu_plan(&gpu, view);
  if ((options->isa == PERM_ISA_CUDA || gpu.seconds < plan->seconds) && permi_gpu_wanted(options, plan->n))
    *plan = gpu;
  if (plan->isa == PERM_ISA_CUDA)
    permi_floats_plan(plan, view, options);
}

static perm_status permi_plan(int n, const permi_view *view, const perm_options *options, permi_dense_plan *plan,
                              perm_result *result)
{
  double visits = 1, terms = 1;
  int i, most_chunk = 18, (*exponent)[PERM_MAX_N];
  memset(plan, 0, sizeof *plan);
  plan->version = PERMI_VERSION;
  plan->n = n;
  plan->is_complex = view->parts == 2;
  plan->method = options->method != PERM_METHOD_AUTO ? options->method
                 : n <= 4                            ? PERM_METHOD_EXPANSION
                                                     : PERM_METHOD_DENSE;
  plan->precision = options->precision;
  plan->certify = options->certify;
  plan->isa = PERM_ISA_PLAIN;
  plan->chunks = 1;
  const char *refusal = permi_plan_refusal(options, plan->method);
#if defined(PERM_NO_COMPLEX)
  if (view->parts == 2)
    refusal = "complex matrices are left out of this build (PERM_NO_COMPLEX)";
#endif
  if (refusal)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 5, "options: %s", refusal);
  if (n > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "order %d: dense engines go up to %d", n, PERM_MAX_N);
  plan->elements = (double)n * ldexp(1, n - 1);
  exponent = permi_scale_room(&options->allocator, n);
  if (!exponent)
    return permi_fail_memory(result);
  permi_plan_scale(plan, view, exponent);
  permi_release(&options->allocator, exponent);
  if (plan->zero) {
    plan->method = PERM_METHOD_STRUCTURE;
    permi_plan_fingerprint(plan, view);
    return PERM_OK;
  }
  if (plan->method == PERM_METHOD_EXPANSION && n > 20)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "n is %d; the expansion goes up to 20: take method auto", n);
  if (plan->method == PERM_METHOD_RYSER && n == PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "n is 64; Ryser's 2^n subsets go up to 63: take method auto");
  if (plan->method == PERM_METHOD_EXPANSION) {
    for (i = 0; i < n; i++) {
      terms *= n - i;
      visits += terms;
    }
    plan->seconds = visits / (PERMI_RATE_GLYNN / 20);
  } else if (plan->method == PERM_METHOD_DENSE && n < 4) {
    plan->method = PERM_METHOD_EXPANSION;
    plan->seconds = 1e-7;
  } else if (plan->method == PERM_METHOD_DENSE) {
    most_chunk = permi_plan_dense(plan, view, options)->product == PERMI_ROUNDED ? 18 : 10;
    if (view->reach->gpu)
      view->reach->gpu->plan(plan, view, options);
  } else {
    plan->outer_columns = n - (plan->method == PERM_METHOD_GLYNN);
    plan->seconds = plan->elements / (PERMI_RATE_GLYNN / (plan->method == PERM_METHOD_GLYNN ? 1 : 2));
    plan->seconds *= view->parts * view->parts * (plan->precision == PERM_PRECISION_DD ? 20 : 1);
  }
  /* Chunks are small enough to share and stop; starting one costs nothing. */
  if (plan->isa != PERM_ISA_CUDA)
    plan->chunk_log2 = permi_clamp(plan->outer_columns, 0, permi_clamp(plan->outer_columns - 12, 10, most_chunk));
  plan->chunks = UINT64_C(1) << (plan->outer_columns - plan->chunk_log2);
  plan->bytes =
      16e3 + (double)n * view->parts * (16.0 * (double)(1 << (plan->lane_columns + plan->block_columns)) + 80.0 * n);
  permi_plan_fingerprint(plan, view);
  return PERM_OK;
}

static size_t permi_plan_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const perm_leaf *information = &leaf->information;
  return permi_say(
      buffer, size, "block of order %d: %s, %s, %s of %.0f chunk%s, %.3g elements, %.3g s on one %s, %.3g bytes\n",
      information->n, perm_name("method", information->method), perm_name("isa", information->isa),
      information->kind == PERM_LEAF_TASK ? "task" : "range", (double)information->chunks,
      information->chunks == 1 ? "" : "s", information->work, information->seconds,
      information->isa == PERM_ISA_CUDA ? "GPU" : "thread", information->bytes);
}
/* SPDX-License-Identifier: MIT */
