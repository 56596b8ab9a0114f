/* ========================================================================================== >>batch
   Many small matrices, one for each element of a vector: Laplace expansion (n = 2 .. 4), also along halves of the rows
   (real, n = 5 .. 8), or Glynn's signs (complex, n = 5 .. 11). Single calls take other orders, and values not large
   against their rounding errors. Blocks are copied: entries a power of two apart drive each other out of the cache. */
#pragma once
#include "../minors/minors.h"

#if !defined(PERM_NO_EXTRAS)
#define PERMI_BATCH_TASK 256 /* matrices of a task up to order 14; 8 above, */
#define PERMI_BATCH_LARGE 14
#define PERMI_BATCH_APART 20 /* one, which threads share, above this */
#define PERMI_BATCH_ROW 544  /* doubles for tables of signs, times n + 1 */

typedef enum permi_batch_kind { PERMI_BATCH_MATRICES, PERMI_BATCH_ENTRIES, PERMI_BATCH_SELECTIONS } permi_batch_kind;

/* `most` is the largest order; `above` takes orders from 5 on. */
typedef struct permi_batch_kernel {
  perm_isa isa;
  int parts, width, most;
  int (*stream)(int n, const double *a, size_t stride, size_t vectors, double largest, double least, double *values);
  unsigned (*above)(const permi_batch_split *split, int n, const double *a, size_t stride, double least, double *out);
} permi_batch_kernel;

static const permi_batch_kernel permi_batch_kernels[] = {
#if PERMI_X86
    {PERM_ISA_AVX512, 1, 8, 8, permi_batch_stream_real_avx512, permi_batch_halves_real_avx512},
    {PERM_ISA_AVX2, 1, 4, 8, permi_batch_stream_real_avx2, permi_batch_halves_real_avx2},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_AVX512, 2, 8, 11, permi_batch_stream_complex_avx512, permi_batch_signs_complex_avx512},
    {PERM_ISA_AVX2, 2, 4, 11, permi_batch_stream_complex_avx2, permi_batch_signs_complex_avx2},
#endif
#elif PERMI_ARM
    {PERM_ISA_NEON, 1, 2, 4, permi_batch_stream_real_neon, NULL},
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_NEON, 2, 2, 4, permi_batch_stream_complex_neon, NULL},
#endif
#endif
#if !defined(PERM_NO_COMPLEX)
    {PERM_ISA_PLAIN, 2, 1, 4, permi_batch_stream_complex_plain, NULL},
#endif
    {PERM_ISA_PLAIN, 1, 1, 4, permi_batch_stream_real_plain, NULL}};

typedef struct permi_batch {
  permi_batch_kind kind;
  int n, parts, floats; /* floats: of GPUs */
  size_t count;
  const double *a;
  size_t stride;
  ptrdiff_t ld;
  const int *rows, *columns;
  const perm_options *options;
  const permi_batch_kernel *kernel;
  permi_batch_split split[70]; /* of halves */
  int plain;
  perm_isa isa;
  double *out;
  unsigned char *todo; /* 1: left by GPUs; NULL: GPUs not asked */
  size_t *list;        /* NULL, or what GPUs take */
  const size_t *place; /* of the caller's, or NULL */
  permi_control *control;
} permi_batch;

static size_t permi_batch_step(const permi_batch *batch)
{
  const size_t numbers = batch->kind == PERMI_BATCH_MATRICES ? batch->stride : (size_t)(batch->n * batch->n);
  return numbers * (size_t)batch->parts;
}

/* Returns row-major matrices, which other layouts copy to `to`. */
static const double *permi_batch_matrices(const permi_batch *batch, size_t first, size_t count, double *to)
{
  const int n = batch->n, parts = batch->parts;
  const size_t step = permi_batch_step(batch);
  const double *const matrices = to;
  size_t e, k;
  if (batch->kind == PERMI_BATCH_MATRICES)
    return batch->a + first * step;
  for (e = 0; e < step && batch->kind == PERMI_BATCH_ENTRIES; e++) {
    const double *from = batch->a + (e / (size_t)parts * batch->stride + first) * (size_t)parts + e % (size_t)parts;
    for (k = 0; k < count; k++, from += parts)
      to[k * step + e] = *from;
  }
  for (k = first * (size_t)n; k < (first + count) * (size_t)n && batch->kind == PERMI_BATCH_SELECTIONS; k += (size_t)n)
    for (int i = 0; i < n; i++) {
      const double *row = batch->a + (batch->rows ? batch->rows[k + (size_t)i] : i) * batch->ld * parts;
      for (int j = 0; j < n; j++, to += parts) {
        const double *entry = row + batch->columns[k + (size_t)j] * parts;
        to[0] = entry[0];
        to[parts - 1] = entry[parts - 1];
      }
    }
  return matrices;
}

/* Copies pairs x[0], x[other]: stores take longest. */
PERMI_INLINE void permi_batch_copy(const double *x, size_t other, size_t next, double *to, size_t apart, size_t times)
{
  PERMI_UNROLL_UP_TO(3)
  for (size_t k = 0; k < times; k++, x += next, to += apart) {
    const double two[2] = {x[0], x[other]};
    memcpy(to, two, sizeof two);
  }
}

/* Writes [entry][part][matrix]; the last matrix repeats. room: for the matrices. */
static void permi_batch_load(const permi_batch *batch, size_t first, size_t count, double *room, double *to)
{
  const size_t parts = (size_t)batch->parts, entries = (size_t)(batch->n * batch->n) * parts;
  const size_t step = permi_batch_step(batch);
  if (batch->kind == PERMI_BATCH_ENTRIES && count == PERMI_BATCH_BLOCK) {
    for (size_t e = 0; e < entries; e++, to += PERMI_BATCH_BLOCK)
      permi_batch_copy(batch->a + (e / parts * batch->stride + first) * parts + e % parts, parts, 2 * parts, to, 2,
                       PERMI_BATCH_BLOCK / 2);
    return;
  }
  const double *from = permi_batch_matrices(batch, first, count, room);
  for (size_t k = 0; k < PERMI_BATCH_BLOCK; k += 2)
    permi_batch_copy(from + (k < count ? k : count - 1) * step, k + 1 < count ? step : 0, 1, to + k, PERMI_BATCH_BLOCK,
                     entries);
}

/* Computes a matrix as a single call; NaN if stopped. */
PERMI_NEVER_INLINE static perm_status permi_batch_general(const permi_batch *batch, const double *matrix, int threads,
                                                          double *value)
{
  const double each = 1 / (double)batch->count;
  const int apart = batch->n > PERMI_BATCH_APART;
  permi_inner inner = {batch->control, (double)((size_t)(value - batch->out) / (size_t)batch->parts) * each, each};
  perm_options options = *batch->options;
  perm_result result;
  const permi_problem problem =
      permi_problem_make(batch->n, batch->n, matrix, NULL, batch->n, permi_reach_of(batch->parts), NULL, NULL);
  options.threads = threads;
  if (batch->todo) {
    options.gpu.devices = 0;
    options.isa = options.isa == PERM_ISA_CUDA ? PERM_ISA_AUTO : options.isa;
  }
  options.progress = apart ? permi_inner_progress : NULL;
  options.user_data = &inner;
  options.cancel = apart ? options.cancel : NULL;
  options.max_seconds = 0;
  permi_compute(&problem, PERMI_AS_IT_STANDS, 5, &options, &result);
  if (result.status == PERM_STOPPED_CANCELLED) {
    value[0] = value[batch->parts - 1] = (double)NAN;
    batch->control->stopped = batch->control->stopped != PERM_OK ? batch->control->stopped : result.status;
    return result.status;
  }
  value[batch->parts - 1] = permi_ldexp(result.imaginary, result.exp2);
  value[0] = permi_ldexp(result.value, result.exp2);
  return result.status;
}

/* Returns 1 if nothing was rounded or, by expansion, nothing lost or cancelled. */
static int permi_batch_stands(const permi_batch *batch, const double *a, const double *out, const double *value)
{
  const int n = batch->n, parts = batch->parts, entries = n * n * parts;
  int e, stands = fabs(value[0]) >= PERMI_SMALL_LEAST || fabs(value[parts - 1]) >= PERMI_SMALL_LEAST;
  if (n > 4)
    return out[parts * PERMI_BATCH_BLOCK] <= 1e30 &&
           permi_small_rounds_nothing(
               n, entries, a, 4 * sqrt(out[(parts + 1) * PERMI_BATCH_BLOCK]) * pow(n * parts, 0.5 * n));
  for (e = 0; e < entries; e++)
    stands &= fabs(a[e]) <= PERMI_FOUR_LARGEST;
  return stands || permi_small_is_safe(entries, a);
}

/* `failed` is the first that failed, or count. */
typedef struct permi_batch_task {
  const permi_batch *batch;
  int threads;
  double *memory;
  size_t failed;
  perm_status status;
} permi_batch_task;

static void permi_batch_one(permi_batch_task *task, size_t at, const double *matrix)
{
  const permi_batch *batch = task->batch;
  const int n = batch->n;
  double *value = batch->out + at * (size_t)batch->parts;
  perm_status status = PERM_OK;
  if (!(batch->plain && n >= 2 && n <= PERMI_SMALL_N && permi_small_value(batch->isa, n, batch->parts, matrix, value)))
    status = permi_batch_general(batch, matrix, task->threads, value);
  if (status < 0 && task->failed == batch->count) {
    task->failed = at;
    task->status = status;
  }
}

static void permi_batch_singles(permi_batch_task *task, size_t begin, size_t end)
{
  const permi_batch *batch = task->batch;
  for (size_t first = begin; first < end; first += PERMI_BATCH_BLOCK) {
    const size_t count = end - first < PERMI_BATCH_BLOCK ? end - first : PERMI_BATCH_BLOCK;
    const double *matrix = permi_batch_matrices(batch, first, count, task->memory);
    for (size_t k = first; k < first + count; k++, matrix += permi_batch_step(batch))
      if (!batch->todo || batch->todo[k])
        permi_batch_one(task, k, matrix);
  }
}

/* Values without a bit in `stand` are computed again unless they stand. */
static void permi_batch_write(permi_batch_task *task, size_t first, size_t count, const double *out, unsigned stand)
{
  const permi_batch *batch = task->batch;
  const int parts = batch->parts;
  double *value = batch->out + first * (size_t)parts;
  for (size_t k = 0; k < count; k++, value += parts, stand >>= 1) {
    value[0] = out[k];
    if (parts == 2)
      value[1] = out[PERMI_BATCH_BLOCK + k];
    if (!(stand & 1)) {
      const double *matrix = permi_batch_matrices(batch, first + k, 1, task->memory);
      if (!permi_batch_stands(batch, matrix, out + k, value))
        permi_batch_one(task, first + k, matrix);
    }
  }
}

static void permi_batch_vectors(permi_batch_task *task, size_t begin, size_t end)
{
  const permi_batch *batch = task->batch;
  const permi_batch_kernel *kernel = batch->kernel;
  const int n = batch->n, parts = batch->parts, entries = n * n * parts;
  const int in_place = parts == 1 && batch->kind == PERMI_BATCH_ENTRIES && (n < 4 || batch->stride % 512);
  double *lanes = task->memory + entries * PERMI_BATCH_BLOCK, *out;
  size_t first, count;
  lanes += (64 - ((uintptr_t)lanes & 63)) % 64 / sizeof(double);
  out = lanes + entries * PERMI_BATCH_BLOCK;
  if (in_place && n <= 4) {
    count = (end - begin) / (size_t)kernel->width;
    if (kernel->stream(n, batch->a + begin, batch->stride, count, PERMI_FOUR_LARGEST, PERMI_SMALL_LEAST,
                       batch->out + begin))
      begin += count * (size_t)kernel->width;
  }
  for (first = begin; first < end; first += count) {
    const int whole = end - first >= PERMI_BATCH_BLOCK, given = whole && in_place && n > 4;
    const double *a = given ? batch->a + first : lanes;
    const size_t stride = given ? batch->stride : (size_t)(PERMI_BATCH_BLOCK * parts);
    double *values = n <= 4 && parts == 1 && whole ? batch->out + first : out;
    unsigned stand = 0;
    count = whole ? PERMI_BATCH_BLOCK : end - first;
    if (!given)
      permi_batch_load(batch, first, count, task->memory, lanes);
    if (n > 4)
      stand = kernel->above(batch->split, n, a, stride, PERMI_SMALL_LEAST, values);
    else if (kernel->stream(n, a, stride, PERMI_BATCH_BLOCK / (size_t)kernel->width, PERMI_FOUR_LARGEST,
                            PERMI_SMALL_LEAST, values) ||
             permi_small_is_safe(entries * PERMI_BATCH_BLOCK, a))
      stand = ~0u;
    if (values == out || !stand)
      permi_batch_write(task, first, count, values, stand);
  }
}

#if !defined(PERM_WITH_CUDA)
static perm_status permi_batch_on_gpus(const permi_batch *batch, int threads, perm_result *result)
{
  static const double rate[2] = PERMI_BATCH_RATE;
  const int n = batch->n, fits = batch->plain && n >= PERM_GPU_BATCH_LEAST_N && n <= PERM_GPU_BATCH_MOST_N && threads;
  return permi_gpu_missed(batch->options, fits ? PERM_MAX_N : 0,
                          (double)batch->count * ldexp(n, n - 1) / rate[batch->parts - 1])
             ? permi_gpu_absent(result)
             : PERM_OK;
}
#endif

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
  const size_t first = (size_t)number * run->step, last = (size_t)number + 1 == run->tasks;
  permi_batch_task task = {batch, run->threads_inside, run->memory + (size_t)thread * run->room, batch->count, PERM_OK};
  (batch->kernel && !batch->todo ? permi_batch_vectors : permi_batch_singles)(&task, first,
                                                                              last ? batch->count : first + run->step);
  if (task.failed < batch->count) {
    PERMI_OMP(critical(permi_batch_failed))
    if (task.failed < run->failed) {
      run->failed = task.failed;
      run->failure = task.status;
    }
  }
  if (thread)
    return PERM_OK;
  const perm_status status = permi_control_poll(control, (double)(number + 1) / (double)run->tasks, "summing");
  return control->stopped != PERM_OK ? control->stopped : last ? PERM_OK : status;
}

/* Lists the factors of the products of rows that take `columns`. */
static void permi_batch_products(int columns, unsigned char *to)
{
  static const unsigned char four[6][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}};
  int at[4] = {0, 0, 0, 0}, few = 0, j;
  for (j = 0; j < 8; j++)
    if (columns >> j & 1)
      at[few++] = j;
  for (j = 0; j < 6; j++) {
    const int x = at[few % 2 ? j == 1 : four[j][0]], y = at[few % 2 ? 2 - (j == 5) : four[j][1]];
    to[j] = (unsigned char)(few % 2 && j % 2 == 0 ? at[j / 2] : x + y * (y - 1) / 2);
  }
}

static void permi_batch_splits(int n, permi_batch_split *split)
{
  const int free = n < 8 ? n : 7, step = n > 6 ? 2 : 1;
  for (int first = 0; first < step; first++)
    for (int m = (1 << free) - 1 - first; m > 0; m -= step) {
      int columns = n == 8 ? 128 : 0, few = n == 8;
      for (int j = 0; j < free; j++) {
        columns |= (m >> (free - 1 - j) & 1) << j;
        few += m >> j & 1;
      }
      if (few != n - 4)
        continue;
      permi_batch_products(((1 << n) - 1) ^ columns, split->upper);
      permi_batch_products(columns, split->lower);
      if (n == 8) {
        memcpy(split[1].upper, split->lower, sizeof split->upper);
        memcpy(split[1].lower, split->upper, sizeof split->lower);
      }
      split += 1 + (n == 8);
    }
}

static void permi_batch_prepare(permi_batch *batch)
{
  const perm_options *options = batch->options;
  const int n = batch->n;
  batch->isa = permi_isa(options);
  batch->plain = (options->method == PERM_METHOD_AUTO || options->method == PERM_METHOD_DENSE) &&
                 options->precision == PERM_PRECISION_DEFAULT && !options->certify &&
                 (options->tolerance == 0 || options->tolerance >= 1e-10) && permi_arithmetic_is_sound();
  for (size_t k = 0; k < sizeof permi_batch_kernels / sizeof *permi_batch_kernels && batch->plain && n >= 2; k++)
    if (!batch->kernel && permi_batch_kernels[k].isa <= batch->isa &&
        permi_batch_kernels[k].parts == batch->parts && n <= permi_batch_kernels[k].most)
      batch->kernel = &permi_batch_kernels[k];
}

static perm_status permi_batch_metered(permi_batch *batch, perm_result *result)
{
  const perm_options *options = batch->options;
  const int n = batch->n, parts = batch->parts, apart = n > PERMI_BATCH_APART;
  const size_t count = batch->count, step = apart ? 1 : n > PERMI_BATCH_LARGE ? 8 : PERMI_BATCH_TASK;
  const double start = permi_seconds(), terms = (double)count * (n ? ldexp(1, n - 1) : 1);
  permi_control control = permi_control_begin(options);
  permi_batch_sharing run = {batch, step, count / step + (count % step != 0), count, PERM_OK, 0, NULL,
                             apart ? options->threads : 1};
  int threads = permi_threads(options), all = 0;
  batch->control = &control;
  control.work_total = 1;
  for (size_t k = 0; k < count * (size_t)parts; k++)
    batch->out[k] = (double)NAN;
  permi_batch_prepare(batch);
  if (batch->kernel && parts == 1 && n > 4)
    permi_batch_splits(n, batch->split);
  run.room = (size_t)(n * n * parts) * PERMI_BATCH_BLOCK;
  if (batch->kernel)
    run.room += run.room + 4 * PERMI_BATCH_BLOCK + 8 + (size_t)(n + 1) * PERMI_BATCH_ROW;
  perm_status status = permi_batch_on_gpus(batch, threads, result);
  if (status < 0) {
    permi_release(&options->allocator, batch->todo);
    return status;
  }
  if (apart || run.tasks < 2 || n * terms * 1e-9 < PERMI_PARALLEL_SECONDS) /* at 1e9 elements a second */
    threads = 1;
  if (status == PERM_OK && run.tasks) {
    run.memory = (double *)permi_allocate(&options->allocator, (size_t)threads, run.room * sizeof(double));
    status = run.memory ? permi_share(threads, 0, run.tasks, permi_batch_sharing_task, &run, &all) : PERM_ERROR_MEMORY;
    status = all ? PERM_OK : status;
    permi_release(&options->allocator, run.memory);
  }
  if (status == PERM_OK && control.stopped != PERM_OK)
    status = control.stopped;
  const perm_isa isa = batch->todo ? PERM_ISA_CUDA : batch->kernel ? batch->kernel->isa : batch->isa;
  permi_release(&options->allocator, batch->todo);
  if (status < 0)
    return permi_fail_memory(result);
  if (run.failed < count)
    status = permi_fail(result, run.failure, 0, "matrix %llu (counted from 0): %s",
                        (unsigned long long)(batch->place ? batch->place[run.failed] : run.failed),
                        run.failure == PERM_ERROR_NOT_FINITE ? "an entry is NaN or infinite"
                                                             : perm_status_text(run.failure));
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

static perm_status permi_batch_run(permi_batch *batch, double input, perm_result *result)
{
  permi_metered call;
  batch->options = permi_meter_begin(&call, batch->options, input);
  const perm_status status = batch->options->gpu.resident ? permi_batch_resident(batch, result)
                                                          : permi_batch_metered(batch, result);
  return permi_meter_end(&call, status, result);
}

static permi_batch permi_batch_of(permi_batch_kind kind, int n, int parts, size_t count, const double *a, size_t stride,
                                  const perm_options *options, double *permanents)
{
  permi_batch batch;
  memset(&batch, 0, sizeof batch);
  batch.kind = kind;
  batch.n = n;
  batch.parts = parts;
  batch.count = count;
  batch.a = a;
  batch.stride = stride;
  batch.options = permi_options(options);
  batch.out = permanents;
  return batch;
}

static perm_status permi_batch_laid_out(permi_batch batch, perm_result *result)
{
  const int n = batch.n;
  const size_t count = batch.count, stride = batch.stride, square = (size_t)(n > 0 ? n : 0) * (size_t)(n > 0 ? n : 0);
  const size_t least = batch.kind == PERMI_BATCH_ENTRIES ? count : square;
  permi_result_clear(result);
  if (n < 0 || n > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "n is %d, not 0 to %d", n, PERM_MAX_N);
  if (!batch.a && n && count)
    return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL for %llu matrices", (unsigned long long)count);
  if (n && count && stride < least)
    return permi_fail(result, PERM_ERROR_STRIDE, 4, "the stride is %llu, smaller than %llu", (unsigned long long)stride,
                      (unsigned long long)least);
  if (n && count && /* numbers of 16 bytes, at most */
      (double)stride * ((double)(least == count ? square : count) - 1) + (double)least >= (double)(PTRDIFF_MAX / 16))
    return permi_fail(result, PERM_ERROR_STRIDE, 4, "the stride is %llu: so many numbers apart, %llu matrices are more "
                      "bytes than memory has", (unsigned long long)stride, (unsigned long long)count);
  const perm_status status = permi_check_whole(batch.options, 5, result);
  if (status != PERM_OK)
    return status;
  if (!batch.out && count)
    return permi_fail(result, PERM_ERROR_NULL, 6, "permanents is NULL");
  return permi_batch_run(&batch, 8.0 * batch.parts * n * n * (double)count, result);
}

#define PERMI_BATCH(name, kind, parts)                                                                                 \
  PERM_API perm_status name(int n, size_t count, const double *a, size_t stride, const perm_options *options,          \
                            double *permanents, perm_result *result)                                                   \
  { return permi_batch_laid_out(permi_batch_of(kind, n, parts, count, a, stride, options, permanents), result); }
PERMI_BATCH(perm_batch_real, PERMI_BATCH_MATRICES, 1)
PERMI_BATCH(perm_batch_complex, PERMI_BATCH_MATRICES, 2)
PERMI_BATCH(perm_batch_real_soa, PERMI_BATCH_ENTRIES, 1)
PERMI_BATCH(perm_batch_complex_soa, PERMI_BATCH_ENTRIES, 2)

static perm_status permi_select(permi_batch batch, int m, int n, ptrdiff_t ld, const int *rows, const int *columns,
                                perm_result *result)
{
  const int k = batch.n;
  const size_t count = batch.count;
  permi_result_clear(result);
  batch.ld = ld;
  batch.rows = rows;
  batch.columns = columns;
  const perm_status status = permi_check_whole(batch.options, 9, result);
  if (status != PERM_OK)
    return status;
  if (m < 0 || n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, m < 0 ? 1 : 2, "the matrix is %d x %d", m, n);
  if (k < 0 || k > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_SIZE, 5, "k is %d, not 0 to %d", k, PERM_MAX_N);
  if (k && count) {
    if (!batch.a)
      return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL for a %d x %d matrix", m, n);
    if (!permi_stride_fits(m, n, ld, 8 * batch.parts))
      return permi_fail_stride(result, 4, "ld", m, n, ld);
    if (!columns)
      return permi_fail(result, PERM_ERROR_NULL, 8, "columns is NULL");
    if (!rows && k > m)
      return permi_fail(result, PERM_ERROR_RANGE, 7, "rows is NULL: the first %d of %d rows", k, m);
  }
  if (!batch.out && count)
    return permi_fail(result, PERM_ERROR_NULL, 10, "permanents is NULL");
  for (size_t s = 0; s < count * (size_t)k; s++)
    if ((rows && (rows[s] < 0 || rows[s] >= m)) || columns[s] < 0 || columns[s] >= n)
      return permi_fail(result, PERM_ERROR_RANGE, rows && (rows[s] < 0 || rows[s] >= m) ? 7 : 8,
                        "selection %llu (counted from 0) leaves the %d x %d matrix",
                        (unsigned long long)(s / (size_t)k), m, n);
  return permi_batch_run(&batch, 8.0 * batch.parts * m * n + 4.0 * (rows ? 2 : 1) * k * (double)count, result);
}

PERM_API perm_status perm_select_real(int m, int n, const double *a, ptrdiff_t ld, int k, size_t count, const int *rows,
                                      const int *columns, const perm_options *options, double *permanents,
                                      perm_result *result)
{
  return permi_select(permi_batch_of(PERMI_BATCH_SELECTIONS, k, 1, count, a, 0, options, permanents), m, n, ld, rows,
                      columns, result);
}

PERM_API perm_status perm_select_complex(int m, int n, const double *a, ptrdiff_t ld, int k, size_t count,
                                         const int *rows, const int *columns, const perm_options *options,
                                         double *permanents, perm_result *result)
{
  return permi_select(permi_batch_of(PERMI_BATCH_SELECTIONS, k, 2, count, a, 0, options, permanents), m, n, ld, rows,
                      columns, result);
}
#endif
/* SPDX-License-Identifier: MIT */
