/* ========================================================================================== >>batch
   Many small matrices: an element of a vector is a matrix.
     n = 2 .. 4    Laplace expansion (real: where matrices lie entry by entry)
     n = 5 .. 8    AVX-512, real, entry by entry: subsets of columns of the upper n/2 rows and of the lower ones, then
                   the sum over complementary subsets. n 2^(n-1) fused products and additions; nothing is subtracted,
                   so non-negative matrices keep all but the last few bits.
   Other matrices go through single calls. Measured (Cascade Lake, 2 GHz under AVX-512), ns a matrix, n = 5, 6, 7, 8, 9,
   10: 21, 31, 54, 93, 214, 440 by subsets; 38, 46, 62, 97, 222, 350 by single calls. From n = 10 on eight tables leave
   the first-level cache. Complex numbers gained nothing from n = 5 on; transposing real matrices that lie one after the
   other lost at every n.
   A value stands if it is large against its rounding errors, relative to per |A| <= n! n^(-n/2) times the product of
   the rows' Euclidean norms [CLL06]. Others are computed again by single calls. */
#pragma once
#include "compute.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_BATCH_N 8
#define PERMI_BATCH_TASK 256 /* matrices a thread takes at once, a multiple of every width */
#define PERMI_BATCH_LARGE 14 /* the same from order 9 on */
#define PERMI_BATCH_APART 20 /* threads share larger matrices */

typedef enum permi_batch_kind { PERMI_BATCH_MATRICES, PERMI_BATCH_ENTRIES, PERMI_BATCH_SELECTIONS } permi_batch_kind;

typedef struct permi_batch_kernel {
  perm_isa isa;
  int parts, width;
  void (*small)(int n, const double *a, size_t stride, double *out); /* entry e at a + e * stride */
  int (*stream)(int n, const double *a, size_t stride, size_t vectors, double largest, double least, double *values);
  void (*subsets)(const permi_batch_program *program, const double *a, size_t stride, double *work,
                  const double *accept, double *out);
} permi_batch_kernel;

static const permi_batch_kernel permi_batch_kernels[] = {
#if PERMI_X86
    {PERM_ISA_AVX512, 1, 8, permi_batch_four_real_avx512, permi_batch_stream_real_avx512, permi_batch_real_avx512},
    {PERM_ISA_AVX2, 1, 4, permi_batch_four_real_avx2, permi_batch_stream_real_avx2, NULL},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_AVX512, 2, 8, permi_batch_four_complex_avx512, NULL, NULL},
    {PERM_ISA_AVX2, 2, 4, permi_batch_four_complex_avx2, NULL, NULL},
#endif
#endif
#if PERMI_ARM
    {PERM_ISA_NEON, 1, 2, permi_batch_four_real_neon, permi_batch_stream_real_neon, NULL},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_NEON, 2, 2, permi_batch_four_complex_neon, NULL, NULL},
#endif
#endif
    {PERM_ISA_PLAIN, 1, 1, permi_batch_four_real_plain, permi_batch_stream_real_plain, NULL},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_PLAIN, 2, 1, permi_batch_four_complex_plain, NULL, NULL},
#endif
};

typedef struct permi_batch {
  permi_batch_kind kind;
  int n, parts;
  size_t count;
  const double *a;
  const float *single;
  size_t stride;
  ptrdiff_t ld;
  const int *rows, *columns;
  const perm_options *options;
  const permi_batch_kernel *kernel;
  int plain;
  perm_isa isa;
  permi_batch_program *program;
  double accept[3], scale;
  double *out;
  unsigned char *todo; /* 1: left by GPUs; NULL: GPUs not asked */
  permi_control *control;
} permi_batch;

/* How many low columns a subset of `level` columns with the high columns `mask` has. */
static int permi_batch_low(int level, int mask)
{
  for (; mask; mask &= mask - 1)
    level--;
  return level;
}

static void permi_batch_make_program(int n, int width, permi_batch_program *program)
{
  static const int subsets[6] = {1, 5, 10, 10, 5, 1};
  int offset[5][8];
  const int high = n - 5, masks = 1 << high, top = n / 2;
  int *code = program->code;
  int level, low, mask, j;
  program->n = n;
  program->most = 0;
  for (level = 1; level <= n - top; level++) {
    int at = 0;
    for (mask = 0; mask < masks; mask++) {
      low = permi_batch_low(level, mask);
      offset[level][mask] = at;
      at += low >= 0 && low <= 5 ? subsets[low] : 0;
    }
    program->most = at > program->most ? at : program->most;
  }
  for (level = 2; level <= n - top; level++) {
    program->groups[level] = 0;
    program->start[level] = (int)(code - program->code);
    for (low = 0; low <= 4; low++) {
      permi_batch_group *group = &program->group[level][program->groups[level]];
      group->low = low;
      group->sources = level - low;
      group->items = 0;
      for (mask = 0; mask < masks; mask++) {
        if (permi_batch_low(level, mask) != low)
          continue;
        group->items++;
        *code++ = low ? offset[level - 1][mask] * width : 0;
        *code++ = offset[level][mask] * width;
        *code++ = level == n - top ? offset[top][masks - 1 - mask] * width : 0;
        for (j = 0; j < high; j++)
          if (mask >> j & 1) {
            *code++ = (5 + j) * width;
            *code++ = offset[level - 1][mask & ~(1 << j)] * width;
          }
      }
      program->groups[level] += group->items > 0;
    }
  }
}

static void permi_batch_gather(const permi_batch *batch, size_t first, size_t count, double *to)
{
  const size_t parts = (size_t)batch->parts, entries = (size_t)(batch->n * batch->n) * parts;
  size_t e, k;
  for (e = 0; e < entries; e++) {
    const size_t at = (e / parts * batch->stride + first) * parts + e % parts;
    if (batch->single)
      for (k = 0; k < count; k++)
        to[k * entries + e] = (double)batch->single[at + k];
    else
      for (k = 0; k < count; k++)
        to[k * entries + e] = batch->a[at + k * parts];
  }
}

static const double *permi_batch_fetch(const permi_batch *batch, size_t k, double *matrix)
{
  const int n = batch->n, parts = batch->parts;
  const double *a = batch->a;
  int i, j, part;
  if (batch->kind == PERMI_BATCH_SELECTIONS) {
    const int *columns = batch->columns + k * (size_t)n;
    double *to = matrix;
    for (i = 0; i < n; i++) {
      const double *row = a + (batch->rows ? batch->rows[k * (size_t)n + (size_t)i] : i) * batch->ld * parts;
      for (j = 0; j < n; j++)
        for (part = 0; part < parts; part++)
          *to++ = row[columns[j] * parts + part];
    }
  } else if (batch->kind == PERMI_BATCH_ENTRIES) {
    permi_batch_gather(batch, k, 1, matrix);
  } else if (a) {
    return a + k * batch->stride * (size_t)parts;
  } else {
    for (i = 0; i < n * n; i++)
      matrix[i] = (double)batch->single[k * batch->stride + (size_t)i];
  }
  return matrix;
}

/* Loads matrices side by side, [entry][part][width]; the last one repeats. */
static void permi_batch_load(const permi_batch *batch, size_t first, double *room, double *to)
{
  const int width = batch->kernel->width, entries = batch->n * batch->n * batch->parts;
  const size_t left = batch->count - first - 1;
  int e, k;
  if (batch->kind == PERMI_BATCH_ENTRIES && batch->single && left >= (size_t)width) {
    for (e = 0; e < entries; e++, to += width)
      for (k = 0; k < width; k++)
        to[k] = (double)batch->single[(size_t)e * batch->stride + first + (size_t)k];
    return;
  }
  for (k = 0; k < width; k++) {
    const double *from = permi_batch_fetch(batch, first + ((size_t)k < left ? (size_t)k : left), room);
    for (e = 0; e < entries; e++)
      to[e * width + k] = from[e];
  }
}

typedef struct permi_batch_share {
  permi_control *control;
  double before, each;
} permi_batch_share;

static int permi_batch_progress(const perm_progress *progress, void *user_data)
{
  const permi_batch_share *share = (const permi_batch_share *)user_data;
  share->control->stopped =
      permi_control_poll(share->control, share->before + share->each * progress->fraction, progress->activity);
  return share->control->stopped != PERM_OK;
}

/* NaN if stopped. Not inlined: a perm_result is large. */
PERMI_NEVER_INLINE static perm_status permi_batch_general(const permi_batch *batch, const double *matrix, int threads,
                                                          double *value)
{
  perm_options options = *batch->options;
  perm_result result;
  permi_batch_share share;
  const permi_problem problem =
      permi_problem_make(batch->n, batch->n, matrix, NULL, batch->n, permi_reach_of(batch->parts), NULL, NULL);
  options.threads = threads;
  if (batch->todo) {
    options.gpu.devices = 0;
    options.isa = options.isa == PERM_ISA_CUDA ? PERM_ISA_AUTO : options.isa;
  }
  options.progress = NULL;
  options.cancel = NULL;
  options.max_seconds = 0;
  if (batch->n > PERMI_BATCH_APART) {
    share.control = batch->control;
    share.each = 1 / (double)batch->count;
    share.before = (double)((size_t)(value - batch->out) / (size_t)batch->parts) * share.each;
    options.progress = permi_batch_progress;
    options.user_data = &share;
    options.cancel = batch->options->cancel;
  }
  permi_compute(&problem, PERMI_AS_IT_STANDS, 5, &options, &result);
  if (result.status == PERM_STOPPED_CANCELLED) {
    value[0] = value[batch->parts - 1] = (double)NAN;
    batch->control->stopped = batch->control->stopped != PERM_OK ? batch->control->stopped : result.status;
    return result.status;
  }
  value[0] = ldexp(result.value, permi_int_exponent(result.exp2));
  if (batch->parts == 2)
    value[1] = ldexp(result.imaginary, permi_int_exponent(result.exp2));
  return result.status;
}

static perm_status permi_batch_single(const permi_batch *batch, const double *matrix, int threads, double *value)
{
  const int n = batch->n;
  if (batch->plain && n >= 2 && n <= PERMI_SMALL_N && permi_small_value(batch->isa, n, batch->parts, matrix, value))
    return PERM_OK;
  return permi_batch_general(batch, matrix, threads, value);
}

/* Is 0 the permanent? Yes for whole numbers below 2^53, and for non-negative entries without underflow. */
static int permi_batch_zero_stands(const permi_batch *batch, size_t k, double *room, double bound)
{
  const double *a = permi_batch_fetch(batch, k, room);
  int e, whole = bound < 4503599627370496.0, positive = batch->parts == 1;
  for (e = 0; e < batch->n * batch->n * batch->parts && (whole || positive); e++) {
    whole = whole && a[e] == floor(a[e]);
    positive = positive && (a[e] == 0 || (a[e] >= 1e-12 && a[e] <= 1e12));
  }
  return whole || positive;
}

/* A value stands if value^2 >= (its possible error)^2 10^20. Up to order 4 expansion cancels nothing. */
static void permi_batch_limits(permi_batch *batch)
{
  const int n = batch->n;
  double factorial = 1, limit;
  int k;
  for (k = 1; k <= n; k++)
    factorial *= k;
  batch->scale = factorial / pow(n, 0.5 * n);
  limit = n > 4 ? 4e10 * n * PERMI_UNIT * batch->scale : 0;
  batch->accept[0] = n > 4 ? 1e24 : PERMI_FOUR_LARGEST; /* squares of row norms; entries */
  batch->accept[1] = n > 4 ? PERMI_SMALL_LEAST * PERMI_SMALL_LEAST : 1e-300;
  batch->accept[2] = limit * limit;
}

/* Computes [begin, end) one by one; returns the first that fails, or count. */
static size_t permi_batch_singles(const permi_batch *batch, size_t begin, size_t end, int threads, double *memory,
                                  perm_status *status)
{
  const size_t entries = (size_t)(batch->n * batch->n * batch->parts);
  size_t first, at, failed = batch->count;
  for (first = begin; first < end; first += 8) {
    const size_t last = end - first < 8 ? end : first + 8;
    if (batch->kind == PERMI_BATCH_ENTRIES)
      permi_batch_gather(batch, first, last - first, memory);
    for (at = first; at < last; at++) {
      const double *matrix = memory + (at - first) * entries;
      perm_status one;
      if (batch->todo && !batch->todo[at])
        continue;
      if (batch->kind != PERMI_BATCH_ENTRIES)
        matrix = permi_batch_fetch(batch, at, memory);
      one = permi_batch_single(batch, matrix, threads, batch->out + at * (size_t)batch->parts);
      if (one < 0 && failed == batch->count) {
        failed = at;
        *status = one;
      }
    }
  }
  return failed;
}

static int permi_batch_take(const permi_batch *batch, const double *out, double *value)
{
  const int parts = batch->parts, width = batch->kernel->width;
  int all = 1, k;
  for (k = 0; k < width && batch->n > 4; k++)
    all &= out[3 * width + k] >= 0;
  for (k = 0; k < width && batch->n <= 4; k++) {
    const double x = out[k], y = parts == 2 ? out[width + k] : 0, square = x * x + y * y;
    const double large = out[parts * width + k], norms = out[(parts + 1) * width + k];
    all &= (large <= batch->accept[0]) & (square >= batch->accept[1]) & (batch->accept[2] * norms <= square);
  }
  if (!all)
    return 0;
  if (parts == 1)
    memcpy(value, out, (size_t)width * sizeof *out);
  for (k = 0; k < width && parts == 2; k++) {
    value[2 * k] = out[k];
    value[2 * k + 1] = out[width + k];
  }
  return 1;
}

static int permi_batch_take_one(const permi_batch *batch, const double *out, int k, size_t at, double *room)
{
  const int n = batch->n, parts = batch->parts, width = batch->kernel->width;
  const double large = out[parts * width + k], norms = out[(parts + 1) * width + k];
  double *value = batch->out + at * (size_t)parts, square = 0;
  int part;
  for (part = 0; part < parts; part++) {
    value[part] = out[part * width + k];
    square += value[part] * value[part];
  }
  if (large <= batch->accept[0] && square >= batch->accept[1] && batch->accept[2] * norms <= square)
    return 1;
  return large <= 1e24 && square == 0 &&
         permi_batch_zero_stands(batch, at, room, n <= 4 ? 24 * large * large * large * large
                                                         : 4 * batch->scale * sqrt(norms) + large);
}

/* The same in vectors. */
static size_t permi_batch_vectors(const permi_batch *batch, size_t begin, size_t end, int threads, double *memory,
                                  perm_status *status)
{
  const permi_batch_kernel *kernel = batch->kernel;
  const int n = batch->n, parts = batch->parts, entries = n * n * parts, width = kernel->width;
  double *matrix = memory, *vectors, *work, out[4 * 8] PERMI_ALIGN64;
  size_t first = begin, failed = batch->count, k;
  memory += entries;
  vectors = memory + (64 - ((uintptr_t)memory & 63)) % 64 / sizeof(double);
  work = vectors + entries * width;
  memset(out, 0, sizeof out);
  if (n <= 4 && kernel->stream && batch->kind == PERMI_BATCH_ENTRIES && !batch->single) {
    const size_t whole = (end - begin) / (size_t)width;
    if (kernel->stream(n, batch->a + begin, batch->stride, whole, batch->accept[0], PERMI_SMALL_LEAST,
                       batch->out + begin))
      first += whole * (size_t)width;
  }
  for (; first < end; first += (size_t)width) {
    const int direct = batch->kind == PERMI_BATCH_ENTRIES && parts == 1 && !batch->single &&
                       batch->count - first >= (size_t)width;
    const double *from = direct ? batch->a + first : vectors;
    const size_t stride = direct ? batch->stride : (size_t)(width * parts);
    const size_t last = end - first < (size_t)width ? end : first + (size_t)width;
    if (!direct)
      permi_batch_load(batch, first, matrix, vectors);
    if (n > 4)
      kernel->subsets(batch->program, from, stride, work, batch->accept, out);
    else
      kernel->small(n, from, stride, out);
    if (last - first == (size_t)width && permi_batch_take(batch, out, batch->out + first * (size_t)parts))
      continue;
    for (k = first; k < last; k++)
      if (!permi_batch_take_one(batch, out, (int)(k - first), k, matrix)) {
        const perm_status one = permi_batch_single(batch, permi_batch_fetch(batch, k, matrix), threads,
                                                   batch->out + k * (size_t)parts);
        if (one < 0 && failed == batch->count) {
          failed = k;
          *status = one;
        }
      }
  }
  return failed;
}

/* ---- GPUs, from order 10 on: below, sending takes longer than computing here (H200 against 16 cores, 10^6 matrices:
   real n = 10 0.066 s, 0.030 s; complex n = 12 0.11 s, 0.33 s; n = 16 0.30 s, 7.7 s). */
#if defined(PERM_WITH_CUDA)
static void permi_batch_gpu_fill(void *context, size_t first, size_t count, double *to)
{
  const permi_batch *batch = (const permi_batch *)context;
  const size_t entries = (size_t)(batch->n * batch->n * batch->parts);
  size_t k;
  if (batch->kind == PERMI_BATCH_ENTRIES) {
    permi_batch_gather(batch, first, count, to);
    return;
  }
  for (k = 0; k < count; k++, to += entries) {
    const double *from = permi_batch_fetch(batch, first + k, to);
    if (from != to)
      memcpy(to, from, entries * sizeof *to);
  }
}

static void permi_batch_gpu_take(void *context, size_t first, size_t count, const double *from)
{
  const permi_batch *batch = (const permi_batch *)context;
  const int parts = batch->parts;
  const double relative = permi_wanted_relative(batch->options);
  const double unit = (batch->n + 8) * PERMI_UNIT * parts / relative; /* as in permi_plan_bounds, and the division */
  size_t k;
  int part;
  for (k = first; k < first + count; k++, from += PERM_GPU_BATCH_SUMS) {
    const double value = permi_modulus(from[0], from[1]);
    if (value <= DBL_MAX && value > 1e-250 && unit * from[2] <= value && from[3] <= relative) {
      batch->todo[k] = 0;
      for (part = 0; part < parts; part++)
        batch->out[k * (size_t)parts + (size_t)part] = from[part];
    }
  }
}

static perm_status permi_batch_gpu_poll(void *context, double fraction)
{
  return permi_control_poll(((const permi_batch *)context)->control, fraction, "summing on GPUs");
}

static perm_status permi_batch_gpu_run(permi_batch *batch, int threads, int *gpus, char *message)
{
  perm_gpu_batch work;
  work.n = batch->n;
  work.parts = batch->parts;
  work.count = batch->count;
  work.context = batch;
  work.fill = permi_batch_gpu_fill;
  work.take = permi_batch_gpu_take;
  work.poll = permi_batch_gpu_poll;
  return perm_cuda_batch(&work, batch->options, threads, gpus, message);
}
#else
static perm_status permi_batch_gpu_run(permi_batch *batch, int threads, int *gpus, char *message)
{
  (void)batch, (void)threads, (void)gpus;
  permi_gpu_devices(1, message);
  return PERM_ERROR_DEVICE;
}
#endif

static int permi_batch_gpu_wanted(const permi_batch *batch)
{
  const perm_options *options = batch->options;
  const int n = batch->n, parts = batch->parts;
  const double elements = (double)batch->count * n * ldexp(1, n - 1), bytes = (double)batch->count * n * n * parts * 8;
  static const double rate[2] = PERMI_BATCH_RATE, gpu_rate[2] = PERMI_BATCH_GPU_RATE;
  const double seconds =
      PERMI_GPU_DENSE_COMPILE + elements / gpu_rate[parts - 1] + bytes / PERMI_BATCH_GPU_BYTES_RATE;
  char message[PERM_MESSAGE_BYTES];
  if (!options->gpu.devices || !batch->plain || n < PERM_GPU_BATCH_LEAST_N || n > PERM_GPU_BATCH_MOST_N ||
      !batch->count)
    return 0;
  if (options->isa != PERM_ISA_CUDA && seconds >= elements / rate[parts - 1])
    return 0;
  return !options->gpu.cpu_fallback || permi_gpu_devices(options->gpu.devices, message);
}

typedef struct permi_batch_sharing {
  permi_batch *batch;
  size_t step, tasks, failed;
  perm_status failure;
  size_t room;
  double *memory;
  int threads_inside;
} permi_batch_sharing;

static perm_status permi_batch_sharing_task(void *context, uint64_t number, int thread)
{
  permi_batch_sharing *run = (permi_batch_sharing *)context;
  permi_batch *batch = run->batch;
  permi_control *control = batch->control;
  const size_t task = (size_t)number, last = task + 1 == run->tasks;
  perm_status status = PERM_OK;
  const size_t begin = task * run->step, end = last ? batch->count : begin + run->step;
  double *memory = run->memory + (size_t)thread * run->room;
  const size_t first = batch->kernel
                           ? permi_batch_vectors(batch, begin, end, run->threads_inside, memory, &status)
                           : permi_batch_singles(batch, begin, end, run->threads_inside, memory, &status);
  if (first < batch->count) {
    PERMI_OMP(critical(permi_batch_failed))
    if (first < run->failed) {
      run->failed = first;
      run->failure = status;
    }
  }
  if (thread)
    return PERM_OK;
  status = permi_control_poll(control, (double)(task + 1) / (double)run->tasks, "summing");
  return control->stopped != PERM_OK ? control->stopped : last ? PERM_OK : status;
}

/* Chooses the kernel; returns a thread's room in doubles, or 0. */
static size_t permi_batch_prepare(permi_batch *batch)
{
  const perm_options *options = batch->options;
  const int n = batch->n, parts = batch->parts;
  const int most = parts == 2 ? 4 : batch->kind == PERMI_BATCH_ENTRIES ? PERMI_BATCH_N : 0;
  const size_t entries = (size_t)(n * n * parts);
  size_t k, room = 9 * entries + 8;
  batch->isa = permi_isa(options);
  batch->plain = (options->method == PERM_METHOD_AUTO || options->method == PERM_METHOD_DENSE) &&
                 options->precision <= PERM_PRECISION_FAST && !options->certify &&
                 (options->tolerance == 0 || options->tolerance >= 1e-10);
  for (k = 0; k < sizeof permi_batch_kernels / sizeof permi_batch_kernels[0] && !batch->kernel; k++)
    if (batch->plain && n >= 2 && n <= most && permi_batch_kernels[k].isa <= batch->isa &&
        permi_batch_kernels[k].parts == parts && (n <= 4 || permi_batch_kernels[k].subsets))
      batch->kernel = &permi_batch_kernels[k];
  if (!batch->kernel)
    return room;
  permi_batch_limits(batch);
  if (n <= 4)
    return room;
  batch->program = (permi_batch_program *)permi_allocate(&options->allocator, 1, sizeof *batch->program);
  if (!batch->program)
    return 0;
  permi_batch_make_program(n, batch->kernel->width, batch->program);
  return room + (size_t)((3 * batch->program->most + n * n) * parts * batch->kernel->width);
}

static perm_status permi_batch_on_gpus(permi_batch *batch, int threads, perm_result *result)
{
  permi_control *control = batch->control;
  perm_status status;
  if (!permi_batch_gpu_wanted(batch))
    return PERM_OK;
  batch->todo = (unsigned char *)permi_allocate(&batch->options->allocator, batch->count, 1);
  if (!batch->todo)
    return permi_fail_memory(result);
  memset(batch->todo, 1, batch->count);
  status = permi_batch_gpu_run(batch, threads, &control->gpus, control->message);
  if (status >= 0 || batch->options->gpu.cpu_fallback)
    return status < 0 ? PERM_OK : status;
  return permi_fail(result, status, 0, "%s", control->message);
}

/* Computes a checked batch, whose other fields are 0. */
static perm_status permi_batch_metered(permi_batch *batch, perm_result *result)
{
  const perm_options *options = batch->options;
  const int n = batch->n, parts = batch->parts, apart = n > PERMI_BATCH_APART;
  const double start = permi_seconds(), terms = (double)batch->count * (n ? ldexp(1, n - 1) : 1);
  permi_control control = permi_control_begin(options);
  permi_batch_sharing run;
  perm_status status;
  perm_isa isa;
  size_t next = 0, k;
  int threads = permi_threads(options), all = 0;
  batch->control = &control;
  control.work_total = 1;
  for (k = 0; k < batch->count * (size_t)parts; k++)
    batch->out[k] = (double)NAN;
  run.batch = batch;
  run.step = apart ? 1 : n > PERMI_BATCH_LARGE ? 8 : PERMI_BATCH_TASK;
  run.tasks = batch->count / run.step + (batch->count % run.step != 0);
  run.failed = batch->count;
  run.failure = PERM_OK;
  run.threads_inside = apart ? options->threads : 1;
  run.room = permi_batch_prepare(batch);
  status = run.room ? permi_batch_on_gpus(batch, threads, result) : permi_fail_memory(result);
  isa = batch->todo ? PERM_ISA_CUDA : batch->kernel ? batch->kernel->isa : batch->isa;
  if (status < 0) {
    permi_release(&options->allocator, batch->todo);
    permi_release(&options->allocator, batch->program);
    return status;
  }
  while (batch->todo && next < batch->count && !batch->todo[next])
    next++;
  next = next < batch->count ? 0 : run.tasks;
  /* at 1e9 elements a second */
  if (apart || run.tasks - next < 2 || n * terms * 1e-9 < PERMI_PARALLEL_SECONDS)
    threads = 1;
  if (status == PERM_OK && next < run.tasks) {
    run.memory = (double *)permi_allocate(&options->allocator, (size_t)threads, run.room * sizeof(double));
    status = run.memory ? permi_share(threads, next, run.tasks, permi_batch_sharing_task, &run, &all)
                        : PERM_ERROR_MEMORY;
    status = all ? PERM_OK : status;
    permi_release(&options->allocator, run.memory);
  } else if (next >= run.tasks) {
    status = PERM_OK;
  }
  if (status == PERM_OK && control.stopped != PERM_OK)
    status = control.stopped;
  permi_release(&options->allocator, batch->program);
  permi_release(&options->allocator, batch->todo);
  if (status < 0)
    return permi_fail_memory(result);
  if (run.failed < batch->count) {
    permi_fail(result, run.failure, 0, "matrix %llu (counted from 0): %s", (unsigned long long)run.failed,
               run.failure == PERM_ERROR_NOT_FINITE ? "an entry is NaN or infinite" : perm_status_text(run.failure));
    status = run.failure;
  }
  if (result) {
    result->status = status;
    if (status > 0)
      snprintf(result->message, sizeof result->message, "%s; what is missing is NaN", perm_status_text(status));
    result->value = result->imaginary = 0;
    result->error_bound = result->error_estimate = (double)INFINITY;
    result->is_complex = parts == 2;
    result->method = batch->kernel && n <= 4 ? PERM_METHOD_EXPANSION : PERM_METHOD_DENSE;
    result->precision = options->precision;
    result->isa = isa;
    result->gpus = control.gpus;
    result->threads = apart ? permi_threads(options) : threads;
    result->terms = terms;
    result->seconds = permi_seconds() - start;
  }
  return status;
}
#endif
