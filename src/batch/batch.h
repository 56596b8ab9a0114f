/* ========================================================================================== >>batch
   Many small matrices: an element of a vector is a matrix.
     n = 2 .. 4    Laplace expansion
     n = 5 .. 8    real: Laplace expansion of halves of the rows
     n = 5 .. 11   as single calls compute it, >>small_kernels
   Other matrices go through single calls, and so do those whose value is not large against its rounding errors, as in
   >>small. Data entry by entry, copied into matrices by the user, would take 1.8 to 2.7 times as long at n = 5 .. 7.
   Ratios to single calls on a Zen 4 core, entry by entry and one after the other, n =
   5 .. 12: AVX-512, real .56 .57 .69 .78 .67 .80 1.0 1.1 and .68 .65 .74 .79 .69 .88 1.0 1.0; complex .81 .86 .87 .65
   .79 .90 .98 1.1 and .93 .96 .93 .67 .85 .99 1.0 1.0; AVX2, real .78 .78 .51 .63 .78 1.0 1.1 1.3 and 1.0 1.0 .61 .70
   .80 1.1 1.1 1.3. Entries 512 doubles apart or a multiple of that: n = 4 takes 5.6 ns, not 2.6; without copies n = 5
   takes 31 ns, not 11. Pieces of 16 matrices instead of 8 do not help n = 12.
   Not taken: Glynn's signs with 4 complex or 8 real products in registers, row sums from two tables; complex 5 to 14%
   faster from n = 6 on, real 13 to 60% slower from n = 5 on. */
#pragma once
#include "../plan/compute.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_BATCH_BLOCK 32 /* matrices loaded at once, a multiple of every width */
#define PERMI_BATCH_TASK 256 /* matrices a thread takes at once, a multiple of every width */
#define PERMI_BATCH_LARGE 14 /* the same from order 9 on */
#define PERMI_BATCH_APART 20 /* threads share larger matrices */

typedef enum permi_batch_kind { PERMI_BATCH_MATRICES, PERMI_BATCH_ENTRIES, PERMI_BATCH_SELECTIONS } permi_batch_kind;

/* Up to order `expanded`, and from 5 to most, where matrices lie one after the other or are selected, and entry by
   entry. */
typedef struct permi_batch_kernel {
  perm_isa isa;
  int parts, width, expanded[2], most[2];
  int (*stream)(int n, const double *a, size_t stride, size_t vectors, double largest, double least, double *values);
  void (*take)(int n, const double *a, size_t stride, size_t vectors, double *to, size_t room);
  int (*signs)(int n, const double *a, size_t stride, double *work, const double *accept, double *out);
} permi_batch_kernel;

static const permi_batch_kernel permi_batch_kernels[] = {
#if PERMI_X86
    {PERM_ISA_AVX512, 1, 8, {3, 4}, {11, 11}, permi_batch_stream_real_avx512,
     permi_batch_take_real_avx512, permi_batch_signs_real_avx512},
    {PERM_ISA_AVX2, 1, 4, {3, 4}, {9, 10}, permi_batch_stream_real_avx2,
     permi_batch_take_real_avx2, permi_batch_signs_real_avx2},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_AVX512, 2, 8, {4, 4}, {11, 11}, permi_batch_stream_complex_avx512,
     permi_batch_take_complex_avx512, permi_batch_signs_complex_avx512},
    {PERM_ISA_AVX2, 2, 4, {4, 4}, {10, 11}, permi_batch_stream_complex_avx2,
     permi_batch_take_complex_avx2, permi_batch_signs_complex_avx2},
#endif
#elif PERMI_ARM
    {PERM_ISA_NEON, 1, 2, {4, 4}, {4, 4}, permi_batch_stream_real_neon, NULL, NULL},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_NEON, 2, 2, {4, 4}, {4, 4}, permi_batch_stream_complex_neon, NULL, NULL},
#endif
#endif
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_PLAIN, 2, 1, {4, 4}, {4, 4}, permi_batch_stream_complex_plain, NULL, NULL},
#endif
    {PERM_ISA_PLAIN, 1, 1, {4, 4}, {4, 4}, permi_batch_stream_real_plain, NULL, NULL}};

typedef struct permi_batch {
  permi_batch_kind kind;
  int n, parts;
  size_t count;
  const double *a;
  size_t stride;
  ptrdiff_t ld;
  const int *rows, *columns;
  const perm_options *options;
  const permi_batch_kernel *kernel;
  int plain;
  perm_isa isa;
  double accept[3]; /* by signs: the largest square of a row's norm, the least modulus, 1e10 times the error's unit */
  double *out;
  unsigned char *todo; /* 1: left by GPUs; NULL: GPUs not asked */
  permi_control *control;
} permi_batch;

static void permi_batch_gather(const permi_batch *batch, size_t first, size_t count, double *to)
{
  const size_t parts = (size_t)batch->parts, entries = (size_t)(batch->n * batch->n) * parts;
  size_t e, k;
  for (e = 0; e < entries; e += parts) {
    const size_t at = (e / parts * batch->stride + first) * parts;
    double *entry = to + e;
    if (parts == 1 && e + 1 < entries)
      for (e++, k = 0; k < count; k++, entry += entries) { /* stores take longest */
        const double two[2] = {batch->a[at + k], batch->a[at + batch->stride + k]};
        memcpy(entry, two, sizeof two);
      }
    else
      for (k = 0; k < count; k++, entry += entries) {
        entry[0] = batch->a[at + k * parts];
        entry[parts - 1] = batch->a[at + k * parts + parts - 1];
      }
  }
}

static const double *permi_batch_fetch(const permi_batch *batch, size_t k, double *matrix)
{
  const int n = batch->n, parts = batch->parts;
  const double *a = batch->a;
  int i, j;
  if (batch->kind == PERMI_BATCH_SELECTIONS) {
    const int *columns = batch->columns + k * (size_t)n;
    double *to = matrix;
    for (i = 0; i < n; i++) {
      const double *row = a + (batch->rows ? batch->rows[k * (size_t)n + (size_t)i] : i) * batch->ld * parts;
      for (j = 0; j < n; j++, to += parts) {
        to[0] = row[columns[j] * parts];
        to[parts - 1] = row[columns[j] * parts + parts - 1];
      }
    }
  } else if (batch->kind == PERMI_BATCH_ENTRIES) {
    permi_batch_gather(batch, k, 1, matrix);
  } else {
    return a + k * batch->stride * (size_t)parts;
  }
  return matrix;
}

/* Loads `room` matrices side by side, [entry][part][room]; the last one repeats. */
static void permi_batch_load(const permi_batch *batch, size_t first, size_t count, size_t room, double *matrix,
                             double *to)
{
  const size_t parts = (size_t)batch->parts, entries = (size_t)(batch->n * batch->n) * parts;
  size_t e, k;
  if (batch->kind != PERMI_BATCH_ENTRIES) {
    for (k = 0; k + 1 < count && batch->kind == PERMI_BATCH_MATRICES; k += 2) { /* stores take longest */
      const double *from = batch->a + (first + k) * batch->stride * parts, *other = from + batch->stride * parts;
      double *lane = to + k;
      for (e = 0; e < entries; e++, lane += room) {
        const double two[2] = {from[e], other[e]};
        memcpy(lane, two, sizeof two);
      }
    }
    for (; k < room; k++) {
      const double *from = permi_batch_fetch(batch, first + (k < count ? k : count - 1), matrix);
      for (e = 0; e < entries; e++)
        to[e * room + k] = from[e];
    }
    return;
  }
  for (e = 0; e < entries; e++, to += room) {
    const size_t at = (e / parts * batch->stride + first) * parts + e % parts;
    k = 0;
    if (parts == 1)
      for (; k + 8 <= count; k += 8) /* gcc copies longer pieces by string instructions, slower */
        memcpy(to + k, batch->a + at + k, 8 * sizeof *to);
    for (; k < count; k++)
      to[k] = batch->a[at + k * parts];
    for (; k < room; k++)
      to[k] = to[count - 1];
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

/* Sets NaN if stopped. Not inlined, since a perm_result is large. */
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
  value[0] = permi_ldexp(result.value, result.exp2);
  if (batch->parts == 2)
    value[1] = permi_ldexp(result.imaginary, result.exp2);
  return result.status;
}

/* Whether a value that its kernel doubts stands after all: by signs, as nothing was rounded; by expansion, as value and
   entries lose nothing, or by the entries, whatever cancels. */
static int permi_batch_stands(const permi_batch *batch, const double *a, const double *out, const double *value)
{
  const int n = batch->n, parts = batch->parts, width = batch->kernel->width, entries = n * n * parts;
  int e, stands = fabs(value[0]) >= PERMI_SMALL_LEAST || fabs(value[parts - 1]) >= PERMI_SMALL_LEAST;
  if (n > 4) {
    const double large = out[parts * width], norms = out[(parts + 1) * width];
    return large <= 1e30 && permi_small_rounds_nothing(n, entries, a, 4 * sqrt(norms) * pow(n * parts, 0.5 * n));
  }
  for (e = 0; e < entries; e++)
    stands &= fabs(a[e]) <= PERMI_FOUR_LARGEST;
  return stands || permi_small_is_safe(entries, a);
}

/* Computes one by a single call; *failed is the first that fails. */
static void permi_batch_one(const permi_batch *batch, size_t at, int threads, const double *matrix, size_t *failed,
                            perm_status *status)
{
  const int n = batch->n;
  double *value = batch->out + at * (size_t)batch->parts;
  perm_status one = PERM_OK;
  if (!(batch->plain && n >= 2 && n <= PERMI_SMALL_N && permi_small_value(batch->isa, n, batch->parts, matrix, value)))
    one = permi_batch_general(batch, matrix, threads, value);
  if (one < 0 && *failed == batch->count) {
    *failed = at;
    *status = one;
  }
}

/* Computes [begin, end) one by one; returns the first that fails, or count. */
static size_t permi_batch_singles(const permi_batch *batch, size_t begin, size_t end, int threads, double *memory,
                                  perm_status *status)
{
  const size_t entries = (size_t)(batch->n * batch->n * batch->parts), parts = (size_t)batch->parts;
  const int n = batch->n, at_once = batch->plain && n >= 2 && n <= PERMI_SMALL_N;
  size_t first, at, failed = batch->count;
  if (at_once && batch->kind == PERMI_BATCH_MATRICES && !batch->todo) {
    for (at = begin; at < end; at++) {
      const double *matrix = batch->a + at * batch->stride * parts;
      if (!permi_small_value(batch->isa, n, batch->parts, matrix, batch->out + at * parts))
        permi_batch_one(batch, at, threads, matrix, &failed, status);
    }
    return failed;
  }
  for (first = begin; first < end; first += 8) {
    const size_t last = end - first < 8 ? end : first + 8;
    if (batch->kind == PERMI_BATCH_ENTRIES)
      permi_batch_gather(batch, first, last - first, memory);
    for (at = first; at < last; at++)
      if (!batch->todo || batch->todo[at])
        permi_batch_one(batch, at, threads,
                        batch->kind == PERMI_BATCH_ENTRIES ? memory + (at - first) * entries
                                                           : permi_batch_fetch(batch, at, memory),
                        &failed, status);
  }
  return failed;
}

/* Room for a matrix, and the first that failed. */
typedef struct permi_batch_check {
  const permi_batch *batch;
  int threads;
  double *matrix;
  size_t failed;
  perm_status status;
} permi_batch_check;

/* Writes the values of a vector; `stand` has a bit for each that stands, the others are computed again. */
static void permi_batch_write(permi_batch_check *review, size_t first, size_t count, const double *out, unsigned stand)
{
  const permi_batch *batch = review->batch;
  const int parts = batch->parts;
  const size_t width = (size_t)batch->kernel->width;
  double *value = batch->out + first * (size_t)parts;
  size_t k;
  if (parts == 1 && count == width && !(~stand & ((1u << width) - 1))) {
    memcpy(value, out, width * sizeof *value);
    return;
  }
  for (k = 0; k < count; k++, value += parts, stand >>= 1) {
    value[0] = out[k];
    value[parts - 1] = out[k + (size_t)(parts - 1) * width];
    if (!(stand & 1)) {
      const double *matrix = permi_batch_fetch(batch, first + k, review->matrix);
      if (!permi_batch_stands(batch, matrix, out + k, value))
        permi_batch_one(batch, first + k, review->threads, matrix, &review->failed, &review->status);
    }
  }
}

/* The same in vectors. Blocks are copied, as entries a power of two apart drive each other out of the first-level cache
   before their neighbours are read. */
static size_t permi_batch_vectors(const permi_batch *batch, size_t begin, size_t end, int threads, double *memory,
                                  perm_status *status)
{
  const permi_batch_kernel *kernel = batch->kernel;
  const int n = batch->n, parts = batch->parts, entries = n * n * parts;
  const int in_vectors = batch->kind == PERMI_BATCH_ENTRIES && kernel->take;
  const size_t width = (size_t)kernel->width, room = PERMI_BATCH_BLOCK, stride = room * (size_t)parts;
  double *lanes, *work, out[4 * PERMI_BATCH_BLOCK] PERMI_ALIGN64;
  permi_batch_check review = {batch, threads, memory, batch->count, PERM_OK};
  size_t first, v;
  memory += entries;
  lanes = memory + (64 - ((uintptr_t)memory & 63)) % 64 / sizeof(double);
  work = lanes + (size_t)entries * room;
  first = begin;
  if (n <= 4 && parts == 1 && batch->kind == PERMI_BATCH_ENTRIES && (n < 4 || batch->stride % 512)) {
    const size_t vectors = (end - begin) / width;
    if (kernel->stream(n, batch->a + begin, batch->stride, vectors, PERMI_FOUR_LARGEST, PERMI_SMALL_LEAST,
                       batch->out + begin))
      first += vectors * width;
  }
  for (; first < end; first += room) {
    const size_t count = end - first < room ? end - first : room;
    unsigned stand = 0;
    if (in_vectors && count == room)
      kernel->take(n, batch->a + first * (size_t)parts, batch->stride, room / width, lanes, room);
    else
      permi_batch_load(batch, first, count, room, review.matrix, lanes);
    if (n <= 4)
      stand = kernel->stream(n, lanes, stride, room / width, PERMI_FOUR_LARGEST, PERMI_SMALL_LEAST, out) ||
                      permi_small_is_safe(entries * (int)room, lanes) ? ~0u : 0;
    for (v = 0; v < count; v += width) {
      if (n > 4)
        stand = (unsigned)kernel->signs(n, lanes + v, stride, work, batch->accept, out + v * (size_t)parts);
      permi_batch_write(&review, first + v, count - v < width ? count - v : width, out + v * (size_t)parts, stand);
    }
  }
  *status = review.status;
  return review.failed;
}

/* GPUs compute from order 10 on: below, sending takes longer than computing here (H200 against 16 cores, 10^6 matrices:
   real n = 10 0.066 s, 0.030 s; complex n = 12 0.11 s, 0.33 s; n = 16 0.30 s, 7.7 s). What they leave is marked in
   batch->todo. */
static perm_status permi_batch_on_gpus(permi_batch *batch, int threads, perm_result *result)
{
  const perm_options *options = batch->options;
  permi_control *control = batch->control;
  perm_status status;
  const int n = batch->n, parts = batch->parts;
  const double elements = (double)batch->count * n * ldexp(1, n - 1), bytes = (double)batch->count * n * n * parts * 8;
  static const double rate[2] = PERMI_BATCH_RATE, gpu_rate[3][2] = PERMI_GPU_DENSE_RATES;
  const double seconds =
      PERMI_GPU_DENSE_COMPILE + elements / gpu_rate[0][parts - 1] + bytes / PERMI_BATCH_GPU_BYTES_RATE;
  char message[PERM_MESSAGE_BYTES];
  if (!options->gpu.devices || !batch->plain || n < PERM_GPU_BATCH_LEAST_N || n > PERM_GPU_BATCH_MOST_N ||
      !batch->count || (options->isa != PERM_ISA_CUDA && seconds >= elements / rate[parts - 1]) ||
      (options->gpu.cpu_fallback && !permi_gpu_devices(options->gpu.devices, message)))
    return PERM_OK;
  batch->todo = (unsigned char *)permi_allocate(&options->allocator, batch->count, 1);
  if (!batch->todo)
    return permi_fail_memory(result);
  memset(batch->todo, 1, batch->count);
  status = permi_batch_gpu_run(batch, threads, &control->gpus, control->message);
  if (status >= 0 || options->gpu.cpu_fallback)
    return status < 0 ? PERM_OK : status;
  return permi_fail(result, status, 0, "%s", control->message);
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
  const size_t first = (batch->kernel && !batch->todo ? permi_batch_vectors : permi_batch_singles)(
      batch, begin, end, run->threads_inside, memory, &status);
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
  const int entry_by_entry = batch->kind == PERMI_BATCH_ENTRIES;
  perm_isa isa;
  const size_t entries = (size_t)(n * n * parts);
  size_t k, room = 9 * entries + 8;
  batch->isa = permi_isa(options);
  isa = batch->isa == PERM_ISA_AVX512IFMA ? PERM_ISA_AVX512 : batch->isa;
  batch->plain = (options->method == PERM_METHOD_AUTO || options->method == PERM_METHOD_DENSE) &&
                 options->precision == PERM_PRECISION_DEFAULT && !options->certify &&
                 (options->tolerance == 0 || options->tolerance >= 1e-10);
  for (k = 0; k < sizeof permi_batch_kernels / sizeof permi_batch_kernels[0] && !batch->kernel; k++) {
    const permi_batch_kernel *kernel = &permi_batch_kernels[k];
    const int fits = n <= kernel->expanded[entry_by_entry] || (n > 4 && n <= kernel->most[entry_by_entry]);
    if (batch->plain && n >= 2 && fits && kernel->isa == isa && kernel->parts == parts)
      batch->kernel = kernel;
  }
  if (!batch->kernel)
    return room;
  if (n <= 4)
    return (1 + PERMI_BATCH_BLOCK) * entries + 8;
  batch->accept[0] = 1e24;
  batch->accept[1] = PERMI_SMALL_LEAST;
  batch->accept[2] = 4e10 * n * PERMI_UNIT;
  return (1 + PERMI_BATCH_BLOCK) * entries + 8 + (size_t)(34 * n * parts * batch->kernel->width);
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
/* SPDX-License-Identifier: MIT */
