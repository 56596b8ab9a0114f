/* ===================================================================================== >>minors_gpu
   Minors in double: forms are the copies of one side's lines, digits the counts of the other's.
     one sum      of a row: forms are columns, digits the other rows; prefix and suffix products make every minor
     by digits    of every row: a sum for each digit, whose factor count - 2 v goes into the term
   A thread's number sets the high digits; all walk over the low ones by one n-ary Gray code. Row sums on grids and sums
   of chunks are exact. */
#pragma once
#include "../job/job.h"
#include "../dense/bounds.h"
#include "minors_dense.h"
#include "../dense/dense_gpu.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_MINORS_GPU_GROUPS 16
#define PERMI_MINORS_GPU_EXP2 300   /* of all terms: the smallest do not vanish */
#define PERMI_MINORS_GPU_CHUNKS(by_digits) ((by_digits) ? 1024 : 2048) /* chosen: keep GPUs busy, not hosts */

typedef struct permi_minors_gpu {
  const permi_minors *minors;
  int transposed, by_digits; /* transposed: digits are rows */
  int forms, columns, digits, walked, walk;
  int form[PERM_MAX_N];                                              /* a form's line */
  int line[PERM_MAX_N], count[PERM_MAX_N], settings[PERM_MAX_N];     /* of the last digit half, by symmetry */
  int total; /* of the counts */
  double terms, seconds;
  uint64_t numbers, chunks;

  perm_gpu_minors shape;
  perm_gpu_program program;
  perm_gpu_work work;
  char text[256];
  permi_control *control;
  perm_sum *sums; /* of minors, then of rows' moduli */
  int place[2][PERM_MAX_N]; /* of a row and of a column */
} permi_minors_gpu;

/* Digits of fewest settings come first, to be walked. Symmetry halves the last, best an odd one. */
static void permi_minors_gpu_shape(permi_minors_gpu *gpu, const permi_minors *minors, int transposed, int by_digits)
{
  static const double rate[2] = PERMI_MINORS_GPU_RATE;
  const int lines = minors->lines[!transposed];
  int copies[PERM_MAX_N], i, c, half = 0;
  memset(gpu, 0, sizeof *gpu);
  gpu->minors = minors;
  gpu->transposed = transposed;
  gpu->by_digits = by_digits;
  for (i = 0; i < minors->lines[transposed]; i++)
    for (c = 0; c < minors->count[transposed][i]; c++)
      gpu->form[gpu->forms++] = i;
  gpu->columns = (gpu->forms + 7) / 8;
  for (i = 0; i < lines; i++) { /* of a wanted row less */
    copies[i] = minors->count[!transposed][i] - (!by_digits && i == lines - 1);
    if ((copies[i] & 1) * PERMI_MINORS_TOTAL + copies[i] >= (copies[half] & 1) * PERMI_MINORS_TOTAL + copies[half])
      half = i;
  }
  gpu->terms = 1;
  for (c = 1; c <= PERMI_MINORS_TOTAL + 1; c++)
    for (i = 0; i < lines; i++)
      if (i == half ? c > PERMI_MINORS_TOTAL && copies[i] : copies[i] == c) {
        gpu->line[gpu->digits] = i;
        gpu->count[gpu->digits] = copies[i];
        gpu->settings[gpu->digits] = (i == half ? copies[i] / 2 : copies[i]) + 1;
        gpu->terms *= gpu->settings[gpu->digits++];
        gpu->total += copies[i];
      }
  gpu->seconds = gpu->terms * 8 * gpu->columns / rate[minors->parts - 1] * permi_gpu_slower(PERM_GPU_FP64) *
                 (by_digits ? PERMI_MINORS_GPU_SLOWER : 1);
}

static void permi_minors_gpu_cut(permi_minors_gpu *gpu)
{
  const int least = PERMI_MINORS_GPU_CHUNKS(gpu->by_digits);
  const double most = least * fmax(1, gpu->seconds);
  int d;
  for (d = 0, gpu->numbers = 1; d < gpu->digits; d++)
    gpu->numbers *= (uint64_t)gpu->settings[d];
  for (gpu->walk = 1; gpu->walked < gpu->digits; gpu->walked++) {
    const uint64_t settings = (uint64_t)gpu->settings[gpu->walked];
    if ((uint64_t)gpu->walk * settings > PERM_GPU_MINORS_WALK ||
        (gpu->numbers / settings < (uint64_t)least * PERMI_MINORS_GPU_GROUPS && gpu->walk >= 64))
      break;
    gpu->walk *= (int)settings;
    gpu->numbers /= settings;
  }
  for (gpu->chunks = 1; (double)gpu->chunks < most && gpu->chunks * 2 * PERMI_MINORS_GPU_GROUPS <= gpu->numbers;)
    gpu->chunks *= 2;
}

static void permi_minors_gpu_plan(permi_minors_gpu *gpu, const permi_minors *minors)
{
  permi_minors_gpu other;
  permi_minors_gpu_shape(gpu, minors, 0, 1);
  permi_minors_gpu_shape(&other, minors, 1, minors->least == 0);
  if (other.seconds < gpu->seconds)
    *gpu = other;
  if (gpu->terms < 1e17)
    permi_minors_gpu_cut(gpu);
  gpu->seconds += PERMI_GPU_START_SECONDS + PERMI_MINORS_GPU_SUM_SECONDS * (double)gpu->chunks *
                                                ((minors->lines[0] - minors->least) * minors->lines[1] * minors->parts);
}

/* Returns the grid's share of terms. */
static double permi_minors_below(const permi_minors *minors, int turned, double *full)
{
  const int n = minors->total, parts = minors->parts, entries = n * parts;
  const permi_view view = permi_view_of(full, n, parts, NULL);
  permi_dense_plan plain;
  permi_minors_write_out(minors, turned, full);
  for (int i = 0; i < entries && minors->least; i++)
    full[turned ? (i / parts * n + n - 1) * parts + i % parts : (n - 1) * entries + i] = 0;
  memset(&plain, 0, sizeof plain);
  plain.n = n;
  return permi_plan_rounded_rows(&plain, &view, 4 * PERMI_SAMPLED_TERMS).share;
}

static int permi_minors_gpu_takes(permi_minors *minors, const perm_options *options, double *full)
{
  const int n = minors->total;
  permi_minors_gpu gpu;
  char message[PERM_MESSAGE_BYTES];
  if (!options->gpu.devices || n < PERMI_GPU_LEAST_N || n > PERM_MAX_N)
    return 0;
  permi_minors_gpu_plan(&gpu, minors);
  if (gpu.terms >= 1e17 || (options->isa != PERM_ISA_CUDA && gpu.seconds >= minors->seconds) ||
      (options->gpu.cpu_fallback && !permi_gpu_devices(options->gpu.devices, message)))
    return 0;
  minors->kernel = NULL;
  minors->subsets = 0;
  minors->terms = gpu.terms;
  minors->seconds = gpu.seconds;
  /* additions of a walk and, by digits, of a thread's numbers */
  const double rounds = gpu.by_digits ? (double)gpu.numbers / (double)gpu.chunks / PERMI_MINORS_GPU_GROUPS : 0;
  minors->estimate_relative = (gpu.forms + 6 + sqrt(gpu.walk) + sqrt(rounds)) * PERMI_UNIT * minors->parts;
  minors->scale_exp2 = gpu.total + PERMI_MINORS_GPU_EXP2;
  minors->below = permi_minors_below(minors, gpu.transposed, full);
  return 1;
}

/* Puts a form on the grid of all copies. */
static void permi_minors_gpu_form(const permi_minors_gpu *gpu, int form, int part, double *entry)
{
  double copies[PERM_MAX_N], power;
  int d, k, count = 0;
  for (d = 0; d < gpu->digits; d++) {
    entry[d] = permi_minors_scaled(gpu->minors, gpu->transposed, gpu->form[form], gpu->line[d], part);
    for (k = 0; k < gpu->count[d]; k++)
      copies[count++] = entry[d];
  }
  power = permi_grid_power(copies, count);
  for (d = 0; d < gpu->digits; d++)
    entry[d] = permi_to_grid(entry[d], power);
}

static int permi_minors_gpu_doubles(const permi_minors_gpu *gpu)
{
  int d, doubles = 8 + 4 * gpu->digits + 8 * gpu->columns * gpu->minors->parts * (1 + gpu->digits) + 2 * gpu->walk;
  for (d = 0; d < gpu->digits; d++)
    doubles += gpu->settings[d];
  return doubles;
}

/* Weights and digits that move; *last: final settings. */
static void permi_minors_gpu_walk(const permi_minors_gpu *gpu, const double *table, double *to, int *last)
{
  int up[PERM_MAX_N], m, d, move = 0;
  for (d = 0; d < gpu->digits; d++) {
    up[d] = 1;
    last[d] = 0;
  }
  for (m = 0; m < gpu->walk; m++, to += 2) {
    to[0] = 1;
    for (d = 0; d < gpu->walked; d++)
      to[0] *= table[(int)table[10 + 4 * d] + last[d]];
    to[1] = move;
    for (d = 0; d < gpu->walked && (up[d] ? last[d] == gpu->settings[d] - 1 : last[d] == 0); d++)
      up[d] = !up[d];
    if (d < gpu->walked && m + 1 < gpu->walk) {
      last[d] += up[d] ? 1 : -1;
      move = up[d] ? d + 1 : -(d + 1);
    }
  }
}

/* Fills the table of >>text_minors, which was zero. */
static void permi_minors_gpu_table(const permi_minors_gpu *gpu, double *table)
{
  const int parts = gpu->minors->parts, plane = 8 * gpu->columns * parts, digits = gpu->digits;
  double *start = table + 8 + 4 * digits, *weight = start + plane * (1 + digits), entry[PERM_MAX_N];
  int last[PERM_MAX_N], d, f, v, part;
  table[0] = (double)gpu->numbers;
  table[1] = (double)gpu->chunks;
  table[2] = digits;
  table[3] = gpu->walked;
  table[4] = gpu->walk;
  table[5] = ldexp(1, PERMI_MINORS_GPU_EXP2);
  for (f = 0; f < 8 * gpu->columns; f++)
    for (part = 0; part < parts; part++) {
      const int at = (f / 8 * parts + part) * 8 + f % 8;
      if (f >= gpu->forms) {
        start[at] = part == 0;
        continue;
      }
      permi_minors_gpu_form(gpu, f, part, entry);
      for (d = 0; d < digits; d++) {
        start[at] += gpu->count[d] * entry[d]; /* exact, as all that follows */
        start[plane * (1 + d) + at] = -2 * entry[d];
      }
    }
  for (d = 0; d < digits; d++) {
    double binomial = 1;
    table[8 + 4 * d] = gpu->settings[d];
    table[9 + 4 * d] = gpu->count[d];
    table[10 + 4 * d] = (double)(weight - table);
    for (v = 0; v < gpu->settings[d]; v++) {
      *weight++ = d == digits - 1 && 2 * v < gpu->count[d] ? 2 * binomial : binomial;
      binomial *= -(double)(gpu->count[d] - v) / (v + 1);
    }
  }
  table[6] = (double)(weight - table);
  permi_minors_gpu_walk(gpu, table, weight, last);
  for (d = 0; d < gpu->walked; d++)
    table[11 + 4 * d] = last[d];
}

static void permi_minors_gpu_work(permi_minors_gpu *gpu, const double *table)
{
  const int parts = gpu->minors->parts, columns = gpu->columns, fast = gpu->by_digits ? PERM_GPU_MINORS_FAST : 0;
  const int plane = 8 * columns * parts, words = plane * (gpu->by_digits ? gpu->digits : 1);
  const int need = 2 * (columns * parts * (3 + fast) + columns) + 50;
  snprintf(gpu->text, sizeof gpu->text, PERM_GPU_ENTRY "{ permi_minors_chunk<%d, %d, %d>(a); }\n",
           need <= 80 ? 6 : need <= 128 ? 4 : need <= 168 ? 3 : 2, columns, parts, fast);
  gpu->shape.parts = parts;
  gpu->shape.columns = columns;
  gpu->shape.fast = fast;
  gpu->program.text = gpu->text;
  gpu->program.shared = (size_t)(2 * PERM_GPU_MINORS_WALK + 10 * plane) * sizeof(double); /* 2^10 is the longest walk */
  gpu->program.sums = 2 * words + 8 * columns;
  gpu->program.scratch = PERMI_MINORS_GPU_GROUPS * (words * (gpu->by_digits ? 1 : 2) + 8 * columns);
  gpu->program.minors = &gpu->shape;
  gpu->work.program = &gpu->program;
  gpu->work.table = table;
  gpu->work.doubles = (size_t)permi_minors_gpu_doubles(gpu);
  gpu->work.absolute_mask = gpu->terms < 1 << 14 ? 0 : 7;
}

static int permi_minors_gpu_add(void *context, perm_partial *partial, uint64_t first, uint64_t chunks,
                                const double *sums)
{
  permi_minors_gpu *gpu = (permi_minors_gpu *)context;
  const permi_minors *minors = gpu->minors;
  const int words = gpu->program.sums, parts = minors->parts;
  int i, j, k, f, part;
  (void)partial, (void)first;
  for (; chunks; chunks--, sums += words) {
    for (k = 0; k < words; k++)
      if (!(fabs(sums[k]) <= DBL_MAX))
        return 0;
    for (i = minors->least, k = 0; i < minors->lines[0]; i++)
      for (j = 0; j < minors->lines[1]; j++)
        for (part = 0; part < parts; part++, k++) {
          const double *sum = sums + 2 * (gpu->place[0][i] + gpu->place[1][j] + 8 * part);
          permi_sum_add_double(&gpu->sums[k], sum[0]);
          permi_sum_add_double(&gpu->sums[k], sum[1]);
        }
    for (i = minors->least; i < minors->lines[0]; i++, k++) { /* of |terms|; transposed: the largest */
      const double *moduli = sums + words - 8 * gpu->columns;
      double most = 0;
      for (f = 0; f < gpu->forms; f++)
        if (gpu->transposed || gpu->form[f] == i)
          most = gpu->transposed ? fmax(most, moduli[f]) : moduli[f];
      permi_sum_add_double(&gpu->sums[k], most);
    }
  }
  return 1;
}

static perm_status permi_minors_gpu_poll(void *context, uint64_t done)
{
  const permi_minors_gpu *gpu = (const permi_minors_gpu *)context;
  return permi_control_poll(gpu->control, gpu->seconds * (double)done / (double)gpu->chunks, "summing on GPUs");
}

static perm_status permi_minors_gpu_execute(const permi_minors *minors, const perm_options *options,
                                            permi_control *control, permi_minors_total *total)
{
  const int rows = minors->lines[0] - minors->least, parts = minors->parts;
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_minors_gpu gpu;
  const perm_gpu_sink sink = {&gpu, permi_minors_gpu_add, NULL, permi_minors_gpu_poll, 1};
  perm_partial none;
  perm_status status = PERM_ERROR_MEMORY;
  permi_minors_gpu_plan(&gpu, minors);
  gpu.control = control;
  gpu.sums = (perm_sum *)permi_pool_zeros(&pool, (size_t)(total->count + rows), sizeof *gpu.sums);
  double *table = (double *)permi_pool_zeros(&pool, (size_t)permi_minors_gpu_doubles(&gpu), sizeof *table);
  if (!pool.failed) {
    permi_minors_gpu_table(&gpu, table);
    permi_minors_gpu_work(&gpu, table);
    memset(gpu.place, 0, sizeof gpu.place); /* a minor is at its row's place plus its column's */
    for (int f = 0; f < gpu.forms; f++)
      gpu.place[gpu.transposed][gpu.form[f]] = f / 8 * parts * 8 + f % 8;
    for (int d = 0; d < gpu.digits && gpu.by_digits; d++)
      gpu.place[!gpu.transposed][gpu.line[d]] = d * gpu.columns * parts * 8;
    memset(&none, 0, sizeof none);
    status = perm_cuda_run(&gpu.work, 0, gpu.chunks, options, &sink, &none, &control->gpus, control->message);
  }
  if (status == PERM_OK) {
    permi_minors_collect(gpu.sums, rows, total);
    for (int i = 0; i < total->count && gpu.by_digits; i++) {
      const int minor = i / parts, row = minors->least + minor / minors->lines[1];
      const int count = gpu.transposed ? minors->count[0][row] : minors->count[1][minor % minors->lines[1]];
      total->value[i] = permi_dd_divide_double(total->value[i], count);
    }
    for (int i = 0; i < rows; i++)
      total->absolute[i] *= gpu.work.absolute_mask + 1.0;
  }
  permi_pool_release(&pool);
  return status;
}

/* Values are made on the host. */
static perm_status permi_minors_resident(const permi_minors_call *call, const perm_options *options,
                                         perm_result *result)
{
  const int argument = call->gradient ? 8 : 9;
  permi_minors_call here = *call;
  perm_options plain = *options;
  int device;
  permi_result_clear(result);
  perm_status status = permi_check_whole(options, argument - 1, result);
  if (status == PERM_OK)
    status = permi_gpu_owns(call->out, argument, call->gradient ? "out" : "minors", &device, result);
  if (status != PERM_OK)
    return status;
  plain.gpu.resident = 0;
  here.out = (double *)permi_allocate(&options->allocator, PERM_MAX_N * PERM_MAX_N, 2 * sizeof(double));
  if (!here.out)
    return permi_fail_memory(result);
  status = permi_minors_compute(&here, &plain, result);
  perm_gpu_move back = {here.out, call->out, 0, status >= 0 && call->n, NULL, 1};
  if (back.count) {
    back.bytes = (size_t)((call->gradient ? call->m : 1) * call->n * call->view.parts) * sizeof(double);
    status = permi_gpu_move(&back, options, status, result);
  }
  permi_release(&options->allocator, here.out);
  return status;
}
#endif
/* SPDX-License-Identifier: MIT */
