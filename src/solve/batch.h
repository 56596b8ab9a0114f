/* ========================================================================================== >>batch
   Many small matrices: an element of a vector is a matrix.
     n = 2 .. 4    Laplace expansion (real: where matrices lie entry by entry)
     n = 5 .. 8    AVX-512, real, entry by entry: dynamic programming over subsets of columns, of the upper n/2 rows and
                   of the lower ones; then the sum over complementary subsets. n 2^(n-1) products and as many additions,
                   fused; nothing is subtracted, so non-negative matrices keep every digit but the last few bits.
   All other matrices go through single calls, whose kernels are faster. Measured (Cascade Lake, 2 GHz under AVX-512),
   ns a matrix, n = 5, 6, 7, 8, 9, 10: 21, 31, 54, 93, 214, 440 by subsets; 38, 46, 62, 97, 222, 350 by single calls.
   From n = 10 on the tables of eight matrices leave the first-level cache; complex numbers gained nothing from n = 5
   on; and turning real matrices that lie one after the other cost more than it saved at every n.
   A value is accepted when it is large against its rounding errors, which are relative to per |A| <= n! n^(-n/2)
   times the product of the Euclidean norms of the rows [CLL06]. All others are computed again by single calls. */
#pragma once
#include "compute.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_BATCH_N 8
#define PERMI_BATCH_TASK 256 /* matrices that a thread takes at once: a multiple of every width; */
#define PERMI_BATCH_LARGE 14 /* of larger orders 8 */
#define PERMI_BATCH_APART 20 /* beyond that, threads share a matrix */

typedef enum permi_batch_kind { PERMI_BATCH_MATRICES, PERMI_BATCH_ENTRIES, PERMI_BATCH_SELECTIONS } permi_batch_kind;

typedef struct permi_batch_kernel {
  perm_isa isa;
  int parts, width;
  void (*small)(int n, const double *a, size_t stride, double *out); /* entry e of the matrices is at a + e * stride */
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
  const double *a;    /* or */
  const float *single; /* the entries */
  size_t stride;      /* of matrices or of entries */
  ptrdiff_t ld;       /* PERMI_BATCH_SELECTIONS */
  const int *rows, *columns;
  const perm_options *options;
  const permi_batch_kernel *kernel; /* NULL: every matrix by itself, */
  int plain;                        /* 1: which may be by the kernels of >>small */
  perm_isa isa;
  permi_batch_program *program;
  double *out;
  unsigned char *todo; /* after GPUs, not NULL: 1: the matrix is still to do */
  permi_control *control;
} permi_batch;

/* Makes the subset program of order n for vectors of that width: blocks in the order of their masks of high columns. */
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
      int size = level;
      for (j = 0; j < high; j++)
        size -= mask >> j & 1;
      offset[level][mask] = at;
      at += size >= 0 && size <= 5 ? subsets[size] : 0;
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
        int size = level;
        for (j = 0; j < high; j++)
          size -= mask >> j & 1;
        if (size != low)
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

/* Returns matrix k row by row: where it lies, or copied into `matrix`. */
static const double *permi_batch_fetch(const permi_batch *batch, size_t k, double *matrix)
{
  const int n = batch->n, parts = batch->parts;
  const size_t entries = (size_t)(n * n), size = (size_t)parts;
  const double *a = batch->a;
  size_t e;
  int i, j, part;
  if (batch->kind == PERMI_BATCH_SELECTIONS) {
    double *to = matrix;
    for (i = 0; i < n; i++) {
      const int *columns = batch->columns + k * (size_t)n;
      const double *row = a + (batch->rows ? batch->rows[k * (size_t)n + (size_t)i] : i) * batch->ld * parts;
      for (j = 0; j < n; j++)
        for (part = 0; part < parts; part++)
          *to++ = row[columns[j] * parts + part];
    }
  } else if (batch->kind == PERMI_BATCH_MATRICES) {
    if (a)
      return a + k * batch->stride * size;
    for (e = 0; e < entries; e++)
      matrix[e] = (double)batch->single[k * batch->stride + e];
  } else {
    for (e = 0; e < entries; e++)
      for (part = 0; part < parts; part++)
        matrix[e * size + (size_t)part] = batch->single ? (double)batch->single[e * batch->stride + k]
                                                        : a[(e * batch->stride + k) * size + (size_t)part];
  }
  return matrix;
}

/* Loads matrices first, first + 1, ... side by side, [entry][part][width]. After the last one, the last one repeats. */
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

/* Progress of one large matrix, reported as a share of its batch. */
typedef struct permi_batch_share {
  permi_control *control;
  double before, each; /* of the batch */
} permi_batch_share;

static int permi_batch_progress(const perm_progress *progress, void *user_data)
{
  const permi_batch_share *share = (const permi_batch_share *)user_data;
  share->control->stopped =
      permi_control_poll(share->control, share->before + share->each * progress->fraction, progress->activity);
  return share->control->stopped != PERM_OK;
}

/* Computes one matrix by a single call; NaN if stopped. Not inlined, because a perm_result is large. */
PERMI_NEVER_INLINE static perm_status permi_batch_general(const permi_batch *batch, const double *matrix, int threads,
                                                          double *value)
{
  perm_options options = *batch->options;
  perm_result result;
  permi_batch_share share;
  const permi_problem problem =
      permi_problem_make(batch->n, batch->n, matrix, NULL, batch->n, permi_reach_of(batch->parts), NULL, NULL);
  options.threads = threads;
  if (batch->todo) { /* GPUs have seen it */
    options.gpu.devices = 0;
    options.isa = options.isa == PERM_ISA_CUDA ? PERM_ISA_AUTO : options.isa;
  }
  options.progress = NULL; /* the batch's own affair, */
  options.cancel = NULL;
  options.max_seconds = 0;
  if (batch->n > PERMI_BATCH_APART) { /* unless one takes long; then this is the calling thread */
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
  if (batch->plain && n >= 2 && n <= PERMI_SMALL_N &&
      (batch->parts == 1 ? permi_small_real(batch->isa, n, matrix, value)
                         : permi_small_complex(batch->isa, n, matrix, value)))
    return PERM_OK;
  return permi_batch_general(batch, matrix, threads, value);
}

/* Is the value 0 of matrix k its permanent? Yes for whole numbers that stay below 2^53, and for non-negative entries
   that cannot underflow. */
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

/* Computes matrices [begin, end), in whole vectors but at the end of the batch. Returns the first that fails, or
   count. */
static size_t permi_batch_task(const permi_batch *batch, size_t begin, size_t end, int threads, double *memory,
                               perm_status *status)
{
  const permi_batch_kernel *kernel = batch->kernel;
  const int n = batch->n, parts = batch->parts, entries = n * n * parts, width = kernel ? kernel->width : 8;
  double *matrix = memory, *vectors, *work, out[4 * 8] PERMI_ALIGN64, scale = 1, factorial = 1, limit, largest, least;
  double accept[3]; /* largest, least, limit */
  size_t first, failed = batch->count;
  int e, k, part;
  memory += entries;
  vectors = memory + (64 - ((uintptr_t)memory & 63)) % 64 / sizeof(double);
  work = vectors + entries * width;
  memset(out, 0, sizeof out);
  for (k = 1; k <= n && kernel; k++)
    factorial *= k;
  /* value^2 >= (what errors may be)^2 10^20; n <= 4: no such check, Laplace's expansion cancels nothing by itself */
  scale = kernel ? factorial / pow(n, 0.5 * n) : 1;
  limit = n > 4 ? 4e10 * n * PERMI_UNIT * scale : 0;
  limit *= limit;
  largest = n > 4 ? 1e24 : PERMI_FOUR_LARGEST; /* of squares of row norms; of entries */
  least = n > 4 ? PERMI_SMALL_LEAST * PERMI_SMALL_LEAST : 1e-300; /* of squares; norms that vanish belong to such */
  accept[0] = largest;
  accept[1] = least;
  accept[2] = limit;
  for (first = begin; first < end && !kernel; first += 8) { /* eight are fetched at once where entries lie apart */
    const int here = end - first < 8 ? (int)(end - first) : 8;
    for (e = 0; e < n * n && batch->kind == PERMI_BATCH_ENTRIES; e++) {
      const size_t at = (size_t)e * batch->stride + first;
      double *to = vectors + e * parts;
      if (batch->single)
        for (k = 0; k < here; k++)
          to[k * entries] = (double)batch->single[at + (size_t)k];
      else if (parts == 1)
        for (k = 0; k < here; k++)
          to[k * entries] = batch->a[at + (size_t)k];
      else
        for (k = 0; k < here; k++) {
          to[k * entries] = batch->a[2 * (at + (size_t)k)];
          to[k * entries + 1] = batch->a[2 * (at + (size_t)k) + 1];
        }
    }
    for (k = 0; k < here; k++) {
      const size_t at = first + (size_t)k;
      perm_status one;
      if (batch->todo && !batch->todo[at])
        continue;
      one = permi_batch_single(
          batch, batch->kind == PERMI_BATCH_ENTRIES ? vectors + k * entries : permi_batch_fetch(batch, at, matrix),
          threads, batch->out + at * (size_t)parts);
      if (one < 0 && at < failed) {
        failed = at;
        *status = one;
      }
    }
  }
  first = begin;
  if (kernel && n <= 4 && kernel->stream && batch->kind == PERMI_BATCH_ENTRIES && !batch->single) {
    const size_t whole = (end - begin) / (size_t)width; /* most often all of them stand */
    if (kernel->stream(n, batch->a + begin, batch->stride, whole, largest, PERMI_SMALL_LEAST, batch->out + begin))
      first += whole * (size_t)width;
  }
  for (; first < end && kernel; first += (size_t)width) {
    const int direct = batch->kind == PERMI_BATCH_ENTRIES && parts == 1 && !batch->single &&
                       batch->count - first >= (size_t)width;
    const double *from = direct ? batch->a + first : vectors;
    const size_t stride = direct ? batch->stride : (size_t)(width * parts);
    if (!direct)
      permi_batch_load(batch, first, matrix, vectors);
    if (n > 4)
      kernel->subsets(batch->program, from, stride, work, accept, out);
    else
      kernel->small(n, from, stride, out);
    if (first + (size_t)width <= end) { /* most often all of them stand */
      int all = 1;
      for (k = 0; k < width && n > 4; k++)
        all &= out[3 * width + k] >= 0;
      for (k = 0; k < width && n <= 4; k++) {
        const double x = out[k], y = parts == 2 ? out[width + k] : 0, square = x * x + y * y;
        const double large = out[parts * width + k], norms = out[(parts + 1) * width + k];
        all &= (large <= largest) & (square >= least) & (limit * norms <= square);
      }
      if (all) {
        double *value = batch->out + first * (size_t)parts;
        if (parts == 1)
          memcpy(value, out, (size_t)width * sizeof *out);
        for (k = 0; k < width && parts == 2; k++) {
          value[2 * k] = out[k];
          value[2 * k + 1] = out[width + k];
        }
        continue;
      }
    }
    for (k = 0; k < width && first + (size_t)k < end; k++) {
      double *value = batch->out + (first + (size_t)k) * (size_t)parts, square = 0;
      const double large = out[parts * width + k], norms = out[(parts + 1) * width + k];
      int stands;
      for (part = 0; part < parts; part++) {
        value[part] = out[part * width + k];
        square += value[part] * value[part];
      }
      stands = large <= largest && square >= least && limit * norms <= square;
      if (!stands && large <= 1e24 && square == 0)
        stands = permi_batch_zero_stands(batch, first + (size_t)k, matrix,
                                         n <= 4 ? 24 * large * large * large * large : 4 * scale * sqrt(norms) + large);
      if (!stands) {
        const perm_status one =
            permi_batch_single(batch, permi_batch_fetch(batch, first + (size_t)k, matrix), threads, value);
        if (one < 0 && first + (size_t)k < failed) {
          failed = first + (size_t)k;
          *status = one;
        }
      }
    }
  }
  return failed;
}

/* ---- GPUs: orders from 10 on; below, sending a matrix there takes longer than computing it here (H200 against 16
   cores, 10^6 matrices: real n = 10 0.066 s, 0.030 s; complex n = 12 0.11 s, 0.33 s; n = 16 0.30 s, 7.7 s). Values
   that are not accepted are computed by single calls. */
#if defined(PERM_WITH_CUDA)
static void permi_batch_gpu_fill(void *context, size_t first, size_t count, double *to)
{
  const permi_batch *batch = (const permi_batch *)context;
  const size_t entries = (size_t)(batch->n * batch->n * batch->parts);
  size_t k, e;
  if (batch->kind == PERMI_BATCH_ENTRIES) { /* along the entries */
    const int parts = batch->parts;
    for (e = 0; e < entries; e++)
      for (k = 0; k < count; k++) {
        const size_t at = e / (size_t)parts * batch->stride + first + k;
        to[k * entries + e] =
            batch->single ? (double)batch->single[at] : batch->a[at * (size_t)parts + e % (size_t)parts];
      }
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
  const double unit = (batch->n + 8) * PERMI_UNIT * parts / relative; /* as permi_plan_bounds; division */
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

/* Are GPUs wanted, and predicted faster than one thread? */
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

/* The tasks of a batch, shared by threads. failed: the first matrix that is refused, with the reason. */
typedef struct permi_batch_sharing {
  permi_batch *batch;
  size_t step, tasks, failed;
  perm_status failure;
  size_t room; /* doubles of memory for each thread */
  double *memory;
  int threads_inside; /* of the call for a large matrix */
} permi_batch_sharing;

static perm_status permi_batch_sharing_task(void *context, uint64_t number, int thread)
{
  permi_batch_sharing *run = (permi_batch_sharing *)context;
  permi_batch *batch = run->batch;
  permi_control *control = batch->control;
  const size_t task = (size_t)number, last = task + 1 == run->tasks;
  perm_status status = PERM_OK;
  const size_t first = permi_batch_task(batch, task * run->step, last ? batch->count : (task + 1) * run->step,
                                        run->threads_inside, run->memory + (size_t)thread * run->room, &status);
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

/* Computes a batch whose arguments have been checked. */
static perm_status permi_batch_metered(permi_batch *batch, perm_result *result)
{
  const perm_options *options = batch->options;
  const int n = batch->n, parts = batch->parts, apart = n > PERMI_BATCH_APART;
  const int most = parts == 2 ? 4 : batch->kind == PERMI_BATCH_ENTRIES ? PERMI_BATCH_N : 0;
  const int plain = (options->method == PERM_METHOD_AUTO || options->method == PERM_METHOD_DENSE) &&
                    options->precision <= PERM_PRECISION_FAST && !options->certify &&
                    (options->tolerance == 0 || options->tolerance >= 1e-10);
  const double start = permi_seconds();
  const size_t step = apart ? 1 : n > PERMI_BATCH_LARGE ? 8 : PERMI_BATCH_TASK;
  const size_t tasks = batch->count / step + (batch->count % step != 0);
  size_t next = 0, room, k;
  permi_batch_sharing run;
  perm_status gpu;
  perm_isa isa;
  permi_control control;
  int threads = permi_threads(options), stop = 0, all = 0;
  batch->kernel = NULL;
  batch->program = NULL;
  batch->plain = plain;
  batch->isa = permi_isa(options);
  batch->todo = NULL;
  batch->control = &control;
  if (plain && n >= 2 && n <= most)
    for (k = 0; k < sizeof permi_batch_kernels / sizeof permi_batch_kernels[0] && !batch->kernel; k++)
      if (permi_batch_kernels[k].isa <= permi_isa(options) && permi_batch_kernels[k].parts == parts &&
          (n <= 4 || permi_batch_kernels[k].subsets))
        batch->kernel = &permi_batch_kernels[k];
  for (k = 0; k < batch->count * (size_t)parts; k++)
    batch->out[k] = (double)NAN;
  room = (size_t)(n * n * parts) + 8;
  if (batch->kernel && n > 4) {
    batch->program = (permi_batch_program *)permi_allocate(&options->allocator, 1, sizeof *batch->program);
    if (!batch->program)
      return permi_fail_memory(result);
    permi_batch_make_program(n, batch->kernel->width, batch->program);
    room += (size_t)((3 * batch->program->most + n * n) * parts * batch->kernel->width);
  }
  room += (size_t)(n * n * parts * 8);
  control = permi_control_begin(options);
  control.work_total = 1;
  if (permi_batch_gpu_wanted(batch)) {
    batch->todo = (unsigned char *)permi_allocate(&options->allocator, batch->count, 1);
    if (!batch->todo)
      return permi_fail_memory(result);
    memset(batch->todo, 1, batch->count);
    gpu = permi_batch_gpu_run(batch, threads, &control.gpus, control.message);
    if (gpu < 0 && !options->gpu.cpu_fallback) { /* otherwise what it left is the CPU's */
      permi_release(&options->allocator, batch->todo);
      return permi_fail(result, gpu, 0, "%s", control.message);
    }
    stop = gpu > 0 ? (int)gpu : 0;
    while (next < batch->count && !batch->todo[next])
      next++;
    next = next < batch->count ? 0 : tasks; /* what is left is the CPU's */
  }
  /* n 2^(n-1) elements at 1e9/s: a parallel region has to be worth it */
  if (apart || tasks - next < 2 || (double)batch->count * n * ldexp(1, n - 1) * 1e-9 < PERMI_PARALLEL_SECONDS)
    threads = 1;
  run.batch = batch;
  run.step = step;
  run.tasks = tasks;
  run.failed = batch->count;
  run.failure = PERM_OK;
  run.room = room;
  run.threads_inside = apart ? options->threads : 1;
  if (!stop && next < tasks) {
    run.memory = (double *)permi_allocate(&options->allocator, (size_t)threads, room * sizeof(double));
    stop = PERM_ERROR_MEMORY;
    if (run.memory)
      stop = (int)permi_share(threads, next, tasks, permi_batch_sharing_task, &run, &all);
    stop = run.memory && all ? PERM_OK : stop;
    permi_release(&options->allocator, run.memory);
  } else if (next >= tasks) { /* GPUs have done all */
    stop = PERM_OK;
  }
  if (stop == PERM_OK && control.stopped != PERM_OK) /* in the middle of a task */
    stop = control.stopped;
  isa = batch->todo ? PERM_ISA_CUDA : batch->kernel ? batch->kernel->isa : permi_isa(options);
  permi_release(&options->allocator, batch->program);
  permi_release(&options->allocator, batch->todo);
  if (stop < 0)
    return permi_fail_memory(result);
  if (run.failed < batch->count) {
    permi_fail(result, run.failure, 0, "matrix %llu (counted from 0): %s", (unsigned long long)run.failed,
               run.failure == PERM_ERROR_NOT_FINITE ? "an entry is NaN or infinite" : perm_status_text(run.failure));
  }
  if (result) {
    result->status = run.failed < batch->count ? run.failure : (perm_status)stop;
    if (result->status > 0)
      snprintf(result->message, sizeof result->message, "%s; what is missing is NaN", perm_status_text(result->status));
    result->value = result->imaginary = 0;
    result->error_bound = result->error_estimate = (double)INFINITY;
    result->is_complex = parts == 2;
    result->method = batch->kernel && n <= 4 ? PERM_METHOD_EXPANSION : PERM_METHOD_DENSE;
    result->precision = options->precision;
    result->isa = isa;
    result->gpus = control.gpus;
    result->threads = apart ? permi_threads(options) : threads;
    result->terms = (double)batch->count * (n ? ldexp(1, n - 1) : 1);
    result->seconds = permi_seconds() - start;
  }
  return run.failed < batch->count ? run.failure : (perm_status)stop;
}

/* Runs a batch with max_bytes metered; input: bytes that the call was given. */
static perm_status permi_batch_run(permi_batch *batch, double input, perm_result *result)
{
  permi_metered call;
  batch->options = permi_meter_begin(&call, batch->options, input);
  return permi_meter_end(&call, permi_batch_metered(batch, result), result);
}

/* Checks and computes a batch that is laid out by a stride; options is argument 5. */
static perm_status permi_batch_laid_out(permi_batch_kind kind, int n, int parts, size_t count, const double *a,
                                        const float *single, size_t stride, const perm_options *options,
                                        double *permanents, perm_result *result)
{
  permi_batch batch;
  const size_t least = kind == PERMI_BATCH_ENTRIES ? count : (size_t)(n > 0 ? n : 0) * (size_t)(n > 0 ? n : 0);
  perm_status status;
  permi_result_clear(result);
  memset(&batch, 0, sizeof batch);
  batch.kind = kind;
  batch.n = n;
  batch.parts = parts;
  batch.count = count;
  batch.a = a;
  batch.single = single;
  batch.stride = stride;
  batch.options = permi_options(options);
  batch.out = permanents;
  if (n < 0 || n > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "n is %d, not 0 to %d", n, PERM_MAX_N);
  if (!a && !single && n && count)
    return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL for %llu matrices", (unsigned long long)count);
  if (n && count && stride < least)
    return permi_fail(result, PERM_ERROR_STRIDE, 4, "the stride is %llu, smaller than %llu", (unsigned long long)stride,
                      (unsigned long long)least);
  status = permi_check_whole(batch.options, 5, result);
  if (status != PERM_OK)
    return status;
  if (!permanents && count)
    return permi_fail(result, PERM_ERROR_NULL, 6, "permanents is NULL");
  return permi_batch_run(&batch, (single ? 4.0 : 8.0) * parts * n * n * (double)count, result);
}

PERM_API perm_status perm_batch_real(int n, size_t count, const double *a, size_t matrix_stride,
                                     const perm_options *options, double *permanents, perm_result *result)
{
  return permi_batch_laid_out(PERMI_BATCH_MATRICES, n, 1, count, a, NULL, matrix_stride, options, permanents, result);
}

PERM_API perm_status perm_batch_complex(int n, size_t count, const double *a, size_t matrix_stride,
                                        const perm_options *options, double *permanents, perm_result *result)
{
  return permi_batch_laid_out(PERMI_BATCH_MATRICES, n, 2, count, a, NULL, matrix_stride, options, permanents, result);
}

PERM_API perm_status perm_batch_float(int n, size_t count, const float *a, size_t matrix_stride,
                                      const perm_options *options, double *permanents, perm_result *result)
{
  return permi_batch_laid_out(PERMI_BATCH_MATRICES, n, 1, count, NULL, a, matrix_stride, options, permanents, result);
}

PERM_API perm_status perm_batch_real_soa(int n, size_t count, const double *a, size_t entry_stride,
                                         const perm_options *options, double *permanents, perm_result *result)
{
  return permi_batch_laid_out(PERMI_BATCH_ENTRIES, n, 1, count, a, NULL, entry_stride, options, permanents, result);
}

PERM_API perm_status perm_batch_complex_soa(int n, size_t count, const double *a, size_t entry_stride,
                                            const perm_options *options, double *permanents, perm_result *result)
{
  return permi_batch_laid_out(PERMI_BATCH_ENTRIES, n, 2, count, a, NULL, entry_stride, options, permanents, result);
}

PERM_API perm_status perm_batch_float_soa(int n, size_t count, const float *a, size_t entry_stride,
                                          const perm_options *options, double *permanents, perm_result *result)
{
  return permi_batch_laid_out(PERMI_BATCH_ENTRIES, n, 1, count, NULL, a, entry_stride, options, permanents, result);
}

static perm_status permi_select(int m, int n, const permi_view *view, int k, size_t count, const int *rows,
                                const int *columns, const perm_options *options, double *permanents,
                                perm_result *result)
{
  permi_batch batch;
  perm_status status;
  size_t s;
  permi_result_clear(result);
  memset(&batch, 0, sizeof batch);
  batch.kind = PERMI_BATCH_SELECTIONS;
  batch.n = k;
  batch.parts = view->parts;
  batch.count = count;
  batch.a = view->a;
  batch.ld = view->ld;
  batch.rows = rows;
  batch.columns = columns;
  batch.options = permi_options(options);
  batch.out = permanents;
  status = permi_check_whole(batch.options, 9, result);
  if (status != PERM_OK)
    return status;
  if (m < 0 || n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, m < 0 ? 1 : 2, "the matrix is %d x %d", m, n);
  if (k < 0 || k > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 5, "k is %d, not 0 to %d", k, PERM_MAX_N);
  if (k && count) {
    if (!view->a)
      return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL for a %d x %d matrix", m, n);
    if (view->ld < n)
      return permi_fail(result, PERM_ERROR_STRIDE, 4, "ld is %lld, smaller than the %d columns of a row",
                        (long long)view->ld, n);
    if (!columns)
      return permi_fail(result, PERM_ERROR_NULL, 8, "columns is NULL");
    if (!rows && k > m)
      return permi_fail(result, PERM_ERROR_RANGE, 7, "rows is NULL: the first %d of %d rows", k, m);
  }
  if (!permanents && count)
    return permi_fail(result, PERM_ERROR_NULL, 10, "permanents is NULL");
  for (s = 0; s < count * (size_t)k; s++)
    if ((rows && (rows[s] < 0 || rows[s] >= m)) || columns[s] < 0 || columns[s] >= n)
      return permi_fail(result, PERM_ERROR_RANGE, rows && (rows[s] < 0 || rows[s] >= m) ? 7 : 8,
                        "selection %llu (counted from 0) leaves the %d x %d matrix",
                        (unsigned long long)(s / (size_t)k), m, n);
  return permi_batch_run(&batch, permi_view_bytes(m, n, view) + 4.0 * (rows ? 2 : 1) * k * (double)count, result);
}

PERM_API perm_status perm_select_real(int m, int n, const double *a, ptrdiff_t ld, int k, size_t count, const int *rows,
                                      const int *columns, const perm_options *options, double *permanents,
                                      perm_result *result)
{
  const permi_view view = permi_view_make(a, ld, 1);
  return permi_select(m, n, &view, k, count, rows, columns, options, permanents, result);
}

PERM_API perm_status perm_select_complex(int m, int n, const double *a, ptrdiff_t ld, int k, size_t count,
                                         const int *rows, const int *columns, const perm_options *options,
                                         double *permanents, perm_result *result)
{
  const permi_view view = permi_view_make(a, ld, 2);
  return permi_select(m, n, &view, k, count, rows, columns, options, permanents, result);
}

PERM_API perm_status perm_compute_float(int m, int n, const float *a, ptrdiff_t ld, const perm_options *options_given,
                                        perm_result *result)
{
  const perm_options *options = permi_options(options_given);
  double *copy;
  perm_status status;
  int i, j;
  if (!result)
    return PERM_ERROR_NULL;
  if (!a || m <= 0 || n <= 0 || m > PERM_MAX_N || n > PERM_MAX_N || ld < n) /* nothing to read, or it says why not */
    return perm_compute_real(m, n, a ? (const double *)(const void *)permi_lane_signs : NULL, ld, options, result);
  status = permi_check_options(options, 5, result);
  if (status != PERM_OK)
    return status;
  copy = (double *)permi_allocate(&options->allocator, (size_t)m * (size_t)n, sizeof *copy);
  if (!copy)
    return permi_fail_memory(result);
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++)
      copy[i * n + j] = (double)a[(ptrdiff_t)i * ld + j];
  status = perm_compute_real(m, n, copy, n, options, result);
  permi_release(&options->allocator, copy);
  return status;
}
#endif /* PERM_NO_EXTRAS */
