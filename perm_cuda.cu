/* Joined by `make headers` from the files of src/: change those. */
/* perm_cuda.cu: GPUs for perm.h. The same calls, options, results and jobs; options.gpu says how many.

       nvcc -O2 -c perm_cuda.cu
       cc -DPERM_WITH_CUDA program.c perm_cuda.o -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lpthread -lm

   (or nvcc for the last step). Runs without a GPU too: the driver and NVRTC, which compiles kernels, are opened when
   first needed; result.message tells what is missing.

   CONTENTS  Each tag is a file of src/, in the folder before it. With PERM_WITH_CUDA perm.h reads the first part,
   perm_sparse.h the second, perm_more.h the third: C without cuda.h. The last part, kernels and driver, is nvcc's.
     gpu/            >>contract       what plans of GPUs are, as in perm.h
                     >>works          what the host's parts and nvcc's tell each other
     dense/          >>dense_gpu      runs on GPUs, of every engine; dense tables
                     >>floats         dense sums in pairs of floats: plan, tables, bound
     exact/          >>exact_gpu      row sums in words, skipping
     minors/         >>minors_gpu     minors of a row, of all rows
     batch/          >>batch_gpu      many small matrices
     frontier/       >>arrays_gpu     steps of arrays
     hybrid/         >>programs       the sums of hybrid as straight programs, their text in PTX
                     >>program_plan   the plan
     sign_search/    >>signs_gpu      tables of the sign search
     codegen/        >>codegen        the published generated kernels
     amplitudes/     >>amplitudes_gpu all amplitudes

     gpu/            >>text           dense kernels; the table of all kernels; their twins on the host
                     >>text_floats    dense sums in pairs of floats
                     >>text_exact     integers
                     >>text_batch     many small matrices
                     >>text_signs     the pruned sign search
                     >>text_minors    minors of a row, of all rows
                     >>text_frontier  arrays of the frontier
                     >>text_amplitudes  amplitudes
                     >>driver         CUDA driver and NVRTC, opened at run time; devices
                     >>compile        kernels by key: source, NVRTC, caches in memory and in a directory
                     >>gpu_run        chunk ranges on several GPUs; batches
                     >>gpu_frontier   the frontier's dynamic program, on one GPU
                     >>gpu_amplitudes all amplitudes, on one GPU

   GUARANTEES
     - A chunk's sum has the same bits on every GPU: a fixed sequence of operations, each rounded once. Chunks are added
       exactly, so results do not depend on the GPUs and how they shared chunks.
     - A failure ends with PERM_ERROR_DEVICE and a state that holds the chunks before it: call perm_job_execute again,
       in another process if the driver keeps the failure. A GPU that cannot begin (too old, no memory left) leaves the
       work to the others.
     - Kernels take about a tenth of a second, so cancel, progress and max_seconds work. Contexts, compilers and the
       driver's loader take seconds, in threads of their own: a call that is to stop leaves within 0.2 s, and the next
       call uses what they make. The end of the process waits for them; NVRTC from 12.8 on gives up at once. Only
       cuInit, once in a process, cannot be left.
     - The frontier's values have the bits of the CPU's engine. It starts again after a failure or a stop.
   Thread-safe. Each GPU's primary context and the compiled kernels stay until the process ends. */
#if !defined(PERMI_CUDA_HOST)
#include "perm.h"

/* ======================================================================================= >>contract
   What plans of GPUs are, on any machine. */

/* The row sums of an integer matrix in 32-bit words (>>exact_gpu). A line is a part of a row. A group is rows
   multiplied in one word, or one row of two or three words. */
#define PERM_GPU_EXACT_WORDS 48  /* of a product, at most */
#define PERM_GPU_EXACT_LINES 256 /* words of row sums, at most */
typedef struct perm_gpu_exact {
  int parts, skip; /* skip: leave out signs that make a row 0, by masks of 2^6 settings of columns 1 .. 6 */
  int words, stride; /* of the row sums; stride is a multiple of 4 */
  int groups, sum;   /* sum: words of a sum of products */
  int zeros, masks;  /* zeros: rows tested for 0; masks: 64-bit words of their tables, even */
  int walk, high, sums; /* columns; words of the table of row sums */
  int order[64];        /* rows by group */
  double survivors;     /* share of the terms that skipping leaves */
  short at[128], kind[128];  /* a line's first word; 0 .. 3: that byte, + 128; 4, 5: half, + 32768; else whole */
  short carries[PERM_GPU_EXACT_LINES];    /* 1: the word continues the one before */
  short first[65], product[64], wide[64]; /* a group's row, words of the product, words of the row */
  short zero_line[64], zero_base[64];     /* tested rows; their tables' places, - 128 + norm */
} perm_gpu_exact;

/* What kernels wait for: doubles; 32-bit numbers; memory. */
typedef enum perm_gpu_pipe { PERM_GPU_FP64, PERM_GPU_32, PERM_GPU_MEMORY, PERM_GPU_PIPES } perm_gpu_pipe;

#define PERM_GPU_BATCH_LEAST_N 10
#define PERM_GPU_BATCH_MOST_N 24

typedef enum perm_gpu_product { PERM_GPU_PIVOT, PERM_GPU_ROUNDED, PERM_GPU_DOUBLED, PERM_GPU_FLOATS,
                                PERM_GPU_PRODUCT_MAKE_INT = 0x7fffffff } perm_gpu_product;
#define PERM_GPU_THREADS_LOG2 7
/* >>arrays fills it on CPUs, too. */
typedef struct perm_gpu_way { /* as permi_pull */
  uint32_t test, want, keep, flip;
  uint32_t low_test, low_want, low_keep, low_flip;
  int low_ones; /* slots that the source has more */
  int least, span; /* targets of `least` to least + span ones have a source */
  int moves;
  double real, imaginary;
  int64_t integer[2];
} perm_gpu_way;

#endif
#if !defined(PERM_GPU_PROGRAMS)
#define PERM_GPU_PROGRAMS

/* =========================================================================================== >>works
   What the two parts of perm_cuda.cu tell each other. >>gpu describes the tables. */

/* The sign search (>>signs). Rows are digits of words of 32 bits: class c (of block 0 and 1, 0, 1, none) has words
   word[c] .. word[c + 1] - 1; one word more counts signs +. Places of the table's parts, in such words: root: living
   patterns [32], counts [32]; pattern: what the low 5 and the high 4 signs of a block add to its own words, then to
   class 0, each in fours; cut: for blocks 0 and 1, where patterns that a digit leaves stand if it is 0, lane and shift
   of the digit, words that a digit more is away, and what + is; start: by column, twice its first cut, 1: rows end with
   it; target, odd: of counts' words; column: what + adds; done: by column, digits of rows that have vanished; path:
   prefixes of `depth` columns, where chunks begin among them. */
typedef struct perm_gpu_signs {
  int by_table;       /* 1: digits of 4 bits */
  int prefix, depth, more; /* a task has the signs of depth + more columns */
  short word[5];
  int root, pattern[2], cut, start, target, odd, column, done, path, paths;
  int room;           /* words of shared memory, of a warp */
} perm_gpu_signs;

/* All minors of a row, or of all rows (>>minors_gpu). */
#define PERM_GPU_MINORS_WALK 1024 /* terms of a walk, at most */
#define PERM_GPU_MINORS_FAST 4    /* digits whose sums stay in registers */
typedef struct perm_gpu_minors {
  int parts, columns; /* of each of 8 lanes */
  int fast;           /* PERM_GPU_MINORS_FAST: sums by every digit; 0: one sum */
} perm_gpu_minors;

/* A kernel for one matrix. Its text may use >>text and is the cache key; PERM_GPU_ENTRY begins it. A block sums chunk
   a.first + blockIdx.x into a.out + sums * blockIdx.x, where all bits are set before. */
#define PERM_GPU_ENTRY                                                                                                 \
  "extern \"C\" __global__ void __launch_bounds__(128, %d) permi_kernel(const permi_arguments<1> a)\n"
typedef struct perm_gpu_program {
  const char *text;
  size_t shared;
  void (*twin)(const void *context, uint64_t chunk, double *sums); /* the same bits on the CPU, for tests */
  const void *context;
  int sums;                    /* 8-byte words a chunk yields; 0: PERM_GPU_SUMS */
  const perm_gpu_exact *exact; /* the text continues text_exact's, unless NULL */
  int batch, floats;           /* 1 real, 2 complex: the text continues text_batch's; floats: text_batch_floats' */
  const perm_gpu_signs *signs;   /* the text continues text_signs', unless NULL */
  const perm_gpu_minors *minors; /* the text continues text_minors', unless NULL */
  int scratch;                   /* 8-byte words behind the sums of all chunks, for each */
} perm_gpu_program;

/* Matrices of one order. Host threads call `fill`, which writes them row by row, and `take` with each permanent, NaN
   where it is not good enough: base, shares, relative as in >>text_batch. */
typedef struct perm_gpu_batch {
  int n, parts, floats;
  size_t count;
  double base, shares, relative;
  void *context;
  void (*fill)(void *context, size_t first, size_t count, double *to);
  void (*take)(void *context, size_t first, size_t count, const double *from);
  perm_status (*poll)(void *context, double fraction); /* by the calling thread; not PERM_OK: stop */
} perm_gpu_batch;

/* Pieces of `bytes` on a caller's GPU: places list[k], or k, of `there`; here: host memory, one after the other. */
typedef struct perm_gpu_move {
  double *here, *there;
  size_t bytes, count;
  const size_t *list;
  int back; /* 1: to the GPU */
} perm_gpu_move;

typedef struct perm_gpu_work {
  int n, parts, product;
  int low, plain;        /* low: 1, low words; plain: the last rows have no pivot (floats: the low words' unit) */
  int group, majorant;   /* of floats: rows of a group; 1: sums of majorants */
  int stride;            /* words of all rows (row, part, high and low), even */
  int block, walk, high; /* columns: unrolled, walked, set by the thread's number */
  unsigned absolute_mask;
  uint64_t fingerprint;
  const double *table; /* start [stride]; step [high][stride]; walk [2 * walk + 1][stride]; constants */
  size_t doubles, constants;
  const perm_gpu_program *program; /* NULL: a kernel of the template. Else only table, doubles, fingerprint and */
                                   /* absolute_mask (if the sink reads it) count */
} perm_gpu_work;

#define PERM_GPU_SUMS 5         /* value hi, lo, imaginary hi, lo, sum of |terms| */

typedef struct perm_gpu_sink {
  void *context;
  int (*add)(void *context, perm_partial *partial, uint64_t first, uint64_t chunks, const double *sums); /* 0: NaN */
  perm_status (*merge)(perm_partial *into, const perm_partial *from); /* or NULL */
  perm_status (*poll)(void *context, uint64_t done); /* by the calling thread; not PERM_OK: stop */
  int alone; /* 1: add is called by one thread at a time */
} perm_gpu_sink;

/* The frontier on arrays (>>arrays): the host finds words and ways, the GPU values. */
typedef enum perm_gpu_cell {
  PERM_GPU_DOUBLE,
  PERM_GPU_DD,
  PERM_GPU_COMPLEX,
  PERM_GPU_COMPLEX_DD,
  PERM_GPU_INTEGER, /* modulo 2^(64 words); Gaussian: two such numbers */
  PERM_GPU_CELL_MAKE_INT = 0x7fffffff
} perm_gpu_cell;

typedef struct perm_gpu_words { /* as permi_layout */
  const uint16_t *word, *rank, *middle, *top;
  const unsigned char *left;
  const uint64_t *middle_offset, *top_offset;
  const int *start, *middle_start;
  int low, tops; /* low: occupied slots; tops: words of top bits */
} perm_gpu_words;

typedef struct perm_gpu_frontier_shape {
  int low, middle, top, lefts; /* lefts: blocks of a middle word, at most */
  int ways;              /* of a step, at most */
  double states[2];      /* before even and odd steps, at most */
  int words;             /* of 64 bits, of the longest value */
  void *context;
  perm_status (*poll)(void *context); /* while a kernel compiles; not PERM_OK: stop */
} perm_gpu_frontier_shape;

typedef struct perm_gpu_frontier perm_gpu_frontier;

/* Amplitudes (>>amplitudes) on one GPU, by the calling thread. */
typedef struct perm_gpu_photons {
  int modes, n, probabilities, elsewhere;
  int resident, device; /* resident: out is the GPU's, and the stream the caller's */
  const size_t *ranks;  /* P_j(d), T_j(d): [2][mode][n + 2] */
  const double *root;
  const int *most;
  size_t offset, count; /* the outputs' first place */
  size_t piece;         /* outputs handed out together */
  double *out;
  void *context;
  perm_status (*poll)(void *context);                /* not PERM_OK: stop */
  const double *(*layer)(void *context, int layer);  /* returns coefficients [mode][2] */
  perm_status (*give)(void *context, size_t first, size_t count); /* NULL: all stay in out, else each piece is there */
} perm_gpu_photons;

#if defined(__cplusplus)
extern "C" {
#endif
/* Returns how many are usable, at most `gpus`; 0: message says why. */
int perm_cuda_devices(int gpus, char message[PERM_MESSAGE_BYTES]);
double perm_cuda_slower(perm_gpu_pipe pipe); /* as permi_gpu_slower */
/* Adds chunks [begin, end), or a prefix, to *partial. */
perm_status perm_cuda_run(const perm_gpu_work *work, uint64_t begin, uint64_t end, const perm_options *options,
                          const perm_gpu_sink *sink, perm_partial *partial, int *gpus,
                          char message[PERM_MESSAGE_BYTES]);
perm_status perm_cuda_batch(const perm_gpu_batch *batch, const perm_options *options, int threads, int *gpus,
                            char message[PERM_MESSAGE_BYTES]);
/* Returns the GPU whose memory it is; -1: there are none, message says why; -2: no GPU's. The next two wait for what
   they begin on the caller's stream. */
int perm_cuda_owner(const void *at, char message[PERM_MESSAGE_BYTES]);
perm_status perm_cuda_move(const perm_gpu_move *move, void *stream, char message[PERM_MESSAGE_BYTES]);
/* in, out: memory of one GPU. Values that are left become NaN; left: how many, and numbers of theirs. */
#define PERM_GPU_BATCH_LIST 16384 /* >>text_batch */
perm_status perm_cuda_batch_there(const perm_gpu_batch *batch, const double *in, double *out,
                                  const perm_options *options, size_t *left, char message[PERM_MESSAGE_BYTES]);

/* Returns the bytes of the frontier's GPU (0: there is none); the next returns those that a program takes. */
double perm_cuda_frontier_bytes(char message[PERM_MESSAGE_BYTES]);
double perm_cuda_frontier_needs(const perm_gpu_frontier_shape *shape);
/* Makes room for a program. message must outlive *frontier. */
perm_status perm_cuda_frontier_create(const perm_gpu_frontier_shape *shape, const perm_options *options,
                                      perm_gpu_frontier **frontier, char message[PERM_MESSAGE_BYTES]);
perm_status perm_cuda_frontier_begin(perm_gpu_frontier *frontier, perm_gpu_cell cell, int words, int parts,
                                     const perm_gpu_words *source);
/* Starts a step. Waits only if sizes is not NULL, for the least modulus above 0 and the largest. */
perm_status perm_cuda_frontier_step(perm_gpu_frontier *frontier, const perm_gpu_words *target, const perm_gpu_way *way,
                                    int ways, double *sizes);
perm_status perm_cuda_frontier_scale(perm_gpu_frontier *frontier, uint64_t states, double first, double second);
perm_status perm_cuda_frontier_value(perm_gpu_frontier *frontier, void *value);
void perm_cuda_frontier_free(perm_gpu_frontier *frontier);
/* *total: sum of |amplitude|^2. */
perm_status perm_cuda_amplitudes(const perm_gpu_photons *work, const perm_options *options, double *total,
                                 char message[PERM_MESSAGE_BYTES]);
#if defined(__cplusplus)
}
#endif

#endif

#if PERMI_CUDA_HOST == 1

/* ======================================================================================= >>dense_gpu */

typedef struct permi_gpu {
  perm_gpu_work work;
  perm_allocator allocator;
  double *memory;
  double terms, majorant, within; /* the last: >>floats */
  /* NULL: permi_gpu_add */
  int (*add)(void *context, perm_partial *partial, uint64_t first, uint64_t chunks, const double *sums);
} permi_gpu;

static int permi_gpu_devices(int gpus, char *message)
{
  return perm_cuda_devices(gpus, message);
}

static double permi_gpu_slower(perm_gpu_pipe pipe)
{
  return perm_cuda_slower(pipe);
}

/* Finds the GPU of what options say is memory of one, or refuses. */
PERMI_UNUSED static perm_status permi_gpu_owns(const void *at, int argument, const char *name, int *device,
                                               perm_result *result)
{
  char message[PERM_MESSAGE_BYTES] = "";
  *device = perm_cuda_owner(at, message);
  return *device >= 0    ? PERM_OK
         : *device == -1 ? permi_fail(result, PERM_ERROR_DEVICE, 0, "%s", message)
                         : permi_fail(result, PERM_ERROR_OPTION, argument,
                                      "%s: no memory of a GPU (options.gpu.resident)", name);
}

/* Returns the call's status, or why it failed. */
PERMI_UNUSED static perm_status permi_gpu_move(const perm_gpu_move *move, const perm_options *options,
                                               perm_status status, perm_result *result)
{
  char message[PERM_MESSAGE_BYTES] = "";
  const perm_status moved = perm_cuda_move(move, options->gpu.stream, message);
  return moved == PERM_OK ? status : permi_fail(result, moved, 0, "%s", message);
}

typedef struct permi_gpu_call {
  const permi_leaf *leaf;
  permi_control *control;
  uint64_t begin; /* of the range */
} permi_gpu_call;

static void permi_gpu_count(const permi_leaf *leaf, perm_partial *partial, uint64_t first, uint64_t chunks)
{
  permi_partial_count(partial, first, first + chunks);
  partial->terms += ((const permi_gpu *)leaf->context)->terms * (double)chunks;
  partial->fingerprint = leaf->information.fingerprint;
}

static int permi_gpu_add(void *context, perm_partial *partial, uint64_t first, uint64_t chunks, const double *sums)
{
  const permi_leaf *leaf = ((const permi_gpu_call *)context)->leaf;
  const permi_gpu *gpu = (const permi_gpu *)leaf->context;
  for (uint64_t chunk = first; chunk < first + chunks; chunk++, sums += PERM_GPU_SUMS) {
    for (int k = 0; k < PERM_GPU_SUMS; k++)
      if (!(fabs(sums[k]) <= DBL_MAX))
        return 0;
    double absolute = sums[4] * (gpu->work.absolute_mask + 1.0); /* exact */
    permi_dd imaginary = permi_two_sum(sums[2], sums[3]);
    if (gpu->work.majorant) {
      absolute += gpu->majorant * fmax(0, imaginary.hi * (1 + gpu->within) - absolute);
      imaginary = permi_dd_make(0);
    }
    permi_partial_add(partial, permi_two_sum(sums[0], sums[1]), imaginary, absolute, 0);
  }
  permi_gpu_count(leaf, partial, first, chunks);
  return 1;
}

static perm_status permi_gpu_poll(void *context, uint64_t done)
{
  const permi_gpu_call *call = (const permi_gpu_call *)context;
  const perm_leaf *information = &call->leaf->information;
  if (!call->control)
    return PERM_OK;
  return permi_control_poll_range(call->control,
                                  information->seconds * (double)(done - call->begin) / (double)information->chunks,
                                  "summing on GPUs");
}

static perm_status permi_gpu_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                   perm_partial *partial)
{
  const permi_gpu *gpu = (const permi_gpu *)leaf->context;
  permi_gpu_call call = {leaf, control, begin};
  const perm_gpu_sink sink = {&call, gpu->add ? gpu->add : permi_gpu_add, perm_partial_merge, permi_gpu_poll, 0};
  perm_options options;
  char message[PERM_MESSAGE_BYTES] = "";
  int gpus = 0;
  memset(&options, 0, sizeof options);
  if (control)
    options = *control->options;
  if (!options.gpu.devices)
    options.gpu.devices = 1;
  options.allocator = gpu->allocator;
  const perm_status status = perm_cuda_run(&gpu->work, begin, end, &options, &sink, partial, &gpus, message);
  if (control) {
    control->gpus = gpus > control->gpus ? gpus : control->gpus;
    memcpy(control->message, message, sizeof message);
  }
  return status;
}

static void permi_gpu_table_row(const perm_gpu_work *work, double *table, double (*word)[PERM_MAX_N], int r)
{
  const int n = work->n, parts = work->parts, words = parts * (1 + work->low), stride = work->stride;
  const int pivot = work->product == PERM_GPU_PIVOT, block = pivot + 1, plain = r - n + work->plain;
  double *step = table + stride, *walk = step + stride * work->high;
  double *constant = walk + stride * (2 * work->walk + 1);
  for (int w = 0; w < words; w++) {
    const double *a = word[w];
    const int at = r * words + w;
    for (int j = pivot; j < n; j++)
      table[at] += a[j]; /* exact, as all that follows */
    for (int k = 0; k < work->block; k++)
      constant[k * n * words + at] = 2 * a[block + k];
    for (int k = 0; k < work->walk; k++) { /* signs turning - and +; the last block column back to + */
      const double twice = 2 * a[block + work->block + k], back = work->block ? 2 * a[block + work->block - 1] : 0;
      walk[2 * k * stride + at] = back - twice;
      walk[(2 * k + 1) * stride + at] = back + twice;
    }
    for (int k = 0; k < work->high; k++)
      step[k * stride + at] = 2 * a[block + work->block + work->walk + k];
  }
  for (int w = 0; w < parts && pivot && plain >= 0; w++)
    constant[work->block * n * words + plain * parts + w] = word[w][0];
}

/* Makes the leaf's context, with a table of zeros behind it, for rows of so many words. */
static permi_gpu *permi_gpu_open(const permi_dense_plan *plan, perm_gpu_work *work, int words, size_t constants,
                                 const perm_allocator *allocator, permi_leaf *leaf)
{
  work->n = plan->n;
  work->parts = 1 + plan->is_complex;
  work->product = (int)permi_gpu_product_of(plan);
  work->stride = (plan->n * words + 1) / 2 * 2;
  work->block = plan->block_columns;
  work->walk = plan->chunk_log2 - PERM_GPU_THREADS_LOG2;
  work->high = plan->outer_columns - work->walk;
  work->fingerprint = plan->fingerprint;
  work->constants = constants;
  work->doubles = (size_t)work->stride * (size_t)(2 + work->high + 2 * work->walk) + constants;
  permi_gpu *gpu = (permi_gpu *)permi_allocate_zeros(allocator, 1, sizeof *gpu + work->doubles * sizeof(double));
  if (!gpu)
    return NULL;
  work->table = (double *)(void *)(gpu + 1);
  gpu->work = *work;
  gpu->allocator = *allocator;
  gpu->add = permi_gpu_add;
  gpu->terms = leaf->information.work / (double)plan->n / (double)leaf->information.chunks;
  leaf->context = gpu;
  return gpu;
}

static perm_status permi_gpu_tables(const permi_dense_plan *plan, const permi_view *view, const permi_gpu_lines *lines,
                                    const perm_allocator *allocator, permi_leaf *leaf)
{
  const int n = plan->n, parts = view->parts, words = parts * (1 + lines->low);
  double a[2][PERM_MAX_N], word[4][PERM_MAX_N], none = 0;
  perm_gpu_work work;
  memset(&work, 0, sizeof work);
  work.low = lines->low;
  work.plain = lines->plain;
  work.absolute_mask = permi_absolute_mask(plan, 14);
  permi_gpu *gpu = permi_gpu_open(plan, &work, words,
                                  (size_t)(plan->block_columns * n * words + work.plain * parts), allocator, leaf);
  if (!gpu)
    return PERM_ERROR_MEMORY;
  double *table = (double *)(void *)(gpu + 1);
  for (int r = 0; r < n; r++) {
    permi_plan_row(plan, view, lines->order[r], a);
    permi_row_words(plan, parts, permi_gpu_divides(plan, lines, r), work.low, a, word, &none);
    permi_gpu_table_row(&work, table, word, r);
  }
  return PERM_OK;
}

/* ========================================================================================== >>floats
   Dense sums in pairs of floats (>>text_floats), for GPUs with little FP64. A row times a factor near 1 / (its sum of
   moduli) that puts its pivot on the grid of 2^-24, or times a power of two if that holds all entries: |row sum| <= 1,
   no pivot is treated apart but 0 < |pivot| < 2^-22. Columns as in >>gpu, plain; the walk has the entries' high words
   on that grid and low words, and the rest is summed in units of 2^-62 where a chunk starts. */

#define PERMI_FLOATS_WISH 1e-6               /* chosen: relative error, where no tolerance is given */

typedef struct permi_float_row {
  int64_t entry[2][PERM_MAX_N]; /* in units of 2^-62 */
  double times, divisor[2];     /* the row was multiplied by times / (2^24 divisor) */
} permi_float_row;

typedef struct permi_floats {
  int walk, shift;         /* columns; low words are multiples of 2^(shift - 62) */
  double majorant, within; /* what the bound adds of sums of majorants, which are right to `within` */
} permi_floats;

/* Returns 1 if floats are faster, and as good as asked for: sum |terms| / |permanent| is about e^(0.36 n). */
static int permi_floats_pay(const permi_dense_plan *plan, const perm_options *options)
{
  const double n = plan->n, units = plan->certify ? 6 * (2 * n * n + 12 * n) : 16;
  const int parts = 1 + plan->is_complex;
  const double doubles = permi_gpu_seconds(plan->elements, parts, plan->certify ? PERM_GPU_ROUNDED : PERM_GPU_PIVOT);
  return plan->precision == PERM_PRECISION_DEFAULT && (parts == 1 || (!plan->certify && n <= 56)) &&
         PERMI_FLOATS_GAIN * permi_gpu_seconds(plan->elements, parts, PERM_GPU_FLOATS) < doubles &&
         units * PERMI_FLOAT_SQUARE * exp(0.36 * n) <=
             (options->tolerance > 0 ? options->tolerance : PERMI_FLOATS_WISH);
}

static double permi_size_of(double (*a)[PERM_MAX_N], int j, int parts)
{
  return parts == 1 ? fabs(a[0][j]) : sqrt(a[0][j] * a[0][j] + a[1][j] * a[1][j]);
}

static double permi_moduli(double (*a)[PERM_MAX_N], int n, int parts)
{
  double sum = 0;
  for (int j = 0; j < n; j++)
    sum += permi_size_of(a, j, parts);
  return sum;
}

static int64_t permi_high_word(int64_t x) { return (x + ((int64_t)1 << 37)) >> 38; }

static int64_t permi_rest_of(int64_t x) { return x - permi_high_word(x) * ((int64_t)1 << 38); }

/* Returns a / d times at most 2^24, in units of 2^-62: off by half a unit and 2^-40 of it. */
static int64_t permi_float_entry(permi_dd a, permi_dd d, double times)
{
  const double quotient = a.hi / d.hi;
  const double rest = permi_dd_subtract(a, permi_dd_multiply(d, permi_dd_make(quotient))).hi / d.hi;
  double high = quotient * times;
  PERMI_KEEP_DOUBLE(high);
  const double low = ldexp(PERMI_REST(quotient, times, high) + rest * times, 38);
  const double whole = floor(ldexp(high, 38));
  return (int64_t)whole + (int64_t)floor(ldexp(high, 38) - whole + low + 0.5);
}

/* Row a, the pivot first; 2^-18 of 1 is left for what high words round up. */
static void permi_float_row_make(double (*a)[PERM_MAX_N], int n, int parts, permi_float_row *row)
{
  const double moduli = permi_moduli(a, n, parts), pivot = permi_size_of(a, 0, parts);
  row->times = 16777216;
  row->divisor[0] = pivot != 0 ? a[0][0] : moduli * (1 + 1.0 / 131072);
  row->divisor[1] = parts == 2 && pivot != 0 ? a[1][0] : 0;
  if (parts == 1 && permi_few_digits(a[0], n, moduli))
    row->divisor[0] = permi_shift(1, permi_log2_ceiling(moduli));
  else if (pivot != 0)
    row->times = floor(pivot / moduli * (16777216 - 65));
  const permi_dd real = permi_dd_make(row->divisor[0]), minus = permi_dd_make(-row->divisor[1]);
  permi_dd size = real, none = permi_dd_make(row->divisor[1]);
  if (parts == 2)
    permi_dd_multiply_complex(&size, &none, real, minus);
  for (int j = 0; j < n; j++) {
    permi_dd re = permi_dd_make(a[0][j]), im = permi_dd_make(parts == 2 ? a[1][j] : 0);
    if (parts == 2)
      permi_dd_multiply_complex(&re, &im, real, minus);
    row->entry[0][j] = permi_float_entry(re, size, row->times);
    row->entry[1][j] = parts == 2 ? permi_float_entry(im, size, row->times) : 0;
  }
  if (parts == 2 && pivot != 0) {
    row->entry[0][0] = (int64_t)row->times << 38;
    row->entry[1][0] = 0;
  }
}

/* Takes floats unless every column has small pivots. */
static void permi_floats_plan(permi_dense_plan *plan, const permi_view *view, const perm_options *options)
{
  const int n = plan->n;
  double least[PERM_MAX_N], row[2][PERM_MAX_N];
  permi_dense_plan floats = *plan;
  if (plan->lossy || !permi_floats_pay(plan, options))
    return;
  floats.pivot = 0;
  floats.exact_rows = view->parts == 1;
  for (int j = 0; j < n; j++)
    least[j] = 1;
  for (int i = 0; i < n; i++) {
    permi_plan_row(&floats, view, i, row); /* as it stands */
    const double moduli = permi_moduli(row, n, view->parts);
    if (view->parts == 1 && permi_few_digits(row[0], n, moduli))
      continue;
    floats.exact_rows = 0;
    for (int j = 0; j < n; j++) {
      const double size = permi_size_of(row, j, view->parts);
      least[j] = size != 0 ? fmin(least[j], size / moduli) : least[j];
    }
  }
  for (int j = 0; j < n; j++)
    floats.pivot = least[j] > least[floats.pivot] ? j : floats.pivot;
  if (least[floats.pivot] < 1.0 / (1 << 22))
    return;
  floats.form = PERMI_FORM_FLOATS;
  floats.group = plan->certify || floats.exact_rows || view->parts == 2 ? 1 : 4;
  floats.block_columns = floats.exact_rows;
  floats.outer_columns = n - 2 - floats.block_columns;
  const int most = floats.outer_columns - PERM_GPU_THREADS_LOG2;
  floats.chunk_log2 = permi_clamp(most - 12, most < 3 ? most : 3, 12) + PERM_GPU_THREADS_LOG2;
  floats.seconds = permi_gpu_seconds(plan->elements, view->parts, PERM_GPU_FLOATS);
  *plan = floats;
}

/* Returns the digits expected of an estimate that is `relative` to sum |terms|. */
static double permi_floats_digits(int n, double relative) { return -log10(relative) - 0.1563 * n; }

static size_t permi_floats_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const int n = leaf->information.n, product = leaf->bound_relative < 1 ? PERM_GPU_ROUNDED : PERM_GPU_PIVOT;
  const int parts = ((const permi_gpu *)leaf->context)->work.parts;
  const size_t length = permi_plan_explain(leaf, buffer, size);
  return length + permi_say(length < size ? buffer + length : NULL, length < size ? size - length : 0,
                            "in pairs of floats, some %.0f digits; in doubles: %.3g s, %.0f digits\n",
                            permi_floats_digits(n, leaf->estimate_relative),
                            permi_gpu_seconds(leaf->information.work, parts, product),
                            permi_floats_digits(n, 0.3 * PERMI_UNIT));
}

/* THE BOUND, in u = 2^-24, for rows one by one. z is a row sum y + l with |l| <= L, Y its rounding, P = |product of Y|,
   D the sum over rows of the product of the other |Y|; no underflow but 4.
   1. A row is off by u |p l| + 6 u^2 |p Y| + 2 u |c Y| (tests/proofs/floats.g), |c| by row k is up to 2 k u P + u L D:
      a term by (2 n^2 + 4 n) u^2 P + u L D (tests/proofs/floats.v); second order: a factor 1.0001. The pair of signs
      adds (4 n + 1) u^2 P, sums in doubles u^2 P.
   2. Rows where a chunk starts and entries of its walk are rounded to low units, all to 2^-62: z moves by at most M.
      prod(|Y| + x) is convex in x: (u L + M) D, and all that M does, <= (u L + M) (Q - P) / w, Q = prod(|Y| + w), w =
      2^-10. Sums of P and Q are right to (2 n + 17) u.
   3. Rows on the grid of 2^-24: l = 0, an fma's rest is exact: (n^2 / 2 + 5.5 n + 8) u^2 P.
   4. Terms begin at 2^120, and factors are at most 1: 4 n losses of 2^-150. */
static void permi_floats_bounds(const permi_dense_plan *plan, double low, permi_floats *floats, permi_leaf *leaf)
{
  const double n = plan->n, u = 1.0 / 16777216;
  const double moved = ldexp(floats->walk + 1, floats->shift - 63) + ldexp(n + 1, -62);
  leaf->bound_relative = leaf->bound_value = 0;
  leaf->bound_absolute = ldexp(4 * n, plan->n - 151);
  floats->within = (4 * n + 40) * u;
  floats->majorant = 0;
  if (plan->exact_rows) {
    leaf->bound_relative = (0.5 * n * n + 5.5 * n + 8) * PERMI_FLOAT_SQUARE * 1.0001;
    leaf->estimate_relative = 4 * PERMI_FLOAT_SQUARE;
  } else if (plan->certify) {
    leaf->bound_relative = (2 * n * n + 12 * n + 2) * PERMI_FLOAT_SQUARE * 1.0001;
    floats->majorant = 1024 * (u * ldexp(low, -62) + moved) / leaf->bound_relative * 1.0001;
  } else {
    leaf->bound_relative = (double)INFINITY;
  }
  leaf->estimate_relative = fmin(leaf->estimate_relative, leaf->bound_relative);
}

/* Column j's words, `times` as many, are added to the floats of a row of the walk. */
static void permi_float_step(const perm_gpu_work *work, int64_t entry, int times, float *to)
{
  const int shift = work->plain;
  const int64_t low = (permi_rest_of(entry) + ((int64_t)1 << (shift - 1))) >> shift;
  to[0] += (float)(times * permi_high_word(entry)) * (1.0f / 16777216); /* exact, as all that follows */
  if (work->low)
    to[1] += (float)(times * low) * (float)ldexp(1, shift - 62);
}

static perm_status permi_float_tables(const permi_dense_plan *plan, const permi_view *view, const permi_floats *floats,
                                      const perm_allocator *allocator, permi_leaf *leaf)
{
  const int n = plan->n;
  const int parts = view->parts;
  double a[2][PERM_MAX_N];
  permi_float_row row;
  perm_gpu_work work;
  memset(&work, 0, sizeof work);
  work.low = !plan->exact_rows;
  work.plain = floats->shift;
  work.group = plan->group;
  work.majorant = floats->majorant > 0;
  work.absolute_mask = plan->certify || plan->exact_rows || plan->outer_columns < 14 ? 0 : 3;
  permi_gpu *gpu = permi_gpu_open(plan, &work, parts, (size_t)n + 1, allocator, leaf);
  if (!gpu)
    return PERM_ERROR_MEMORY;
  gpu->majorant = floats->majorant;
  gpu->within = floats->within;
  int64_t *start = (int64_t *)(void *)(gpu + 1);
  float *walk = (float *)(void *)(start + (size_t)work.stride * (size_t)(1 + work.high)), *at;
  float *constant = walk + 2 * (size_t)work.stride * (size_t)(2 * work.walk + 1);
  constant[n] = (float)ldexp(1, floats->shift - 62);
  for (int k = 0; k < n * parts; k++) {
    const int r = k / parts, part = k % parts;
    permi_plan_row(plan, view, r, a);
    permi_float_row_make(a, n, parts, &row);
    const int64_t *entry = row.entry[part], *column = entry + 2 + work.walk;
    const int64_t block = work.block ? column[work.high] : 0;
    if (!part)
      constant[r] = (float)ldexp((double)entry[0], -61);
    if (!part)
      constant[n + 1 + r] = (float)ldexp((double)block, -61);
    start[k] = entry[1];
    for (int j = 0; j < work.high; j++) {
      start[k] += column[j];
      start[work.stride * (1 + j) + k] = (int64_t)(2 * (uint64_t)column[j]);
    }
    at = walk + 4 * work.walk * work.stride + k * (1 + work.low); /* the first step: pivot, block and walk, all + */
    permi_float_step(&work, entry[0], 1, at);
    permi_float_step(&work, block, 1, at);
    for (int j = 0; j < work.walk; j++) {
      permi_float_step(&work, entry[2 + j], 1, at);
      for (int up = 0; up < 2; up++) { /* the block column back to + */
        float *to = walk + (4 * j + 2 * up) * work.stride + k * (1 + work.low);
        permi_float_step(&work, entry[2 + j], up ? 2 : -2, to);
        permi_float_step(&work, block, 2, to);
      }
    }
  }
  return PERM_OK;
}

static perm_status permi_floats_leaf(const permi_dense_plan *plan, const permi_view *view,
                                     const perm_allocator *allocator, permi_leaf *leaf)
{
  const int n = plan->n;
  double a[2][PERM_MAX_N], low, unit = ldexp(1, 120);
  permi_floats floats = {plan->chunk_log2 - PERM_GPU_THREADS_LOG2, 13, 0, 0};
  permi_float_row row;
  do { /* low words, in units of 2^-62, of all rows fit 24 bits of 2^(shift - 62) */
    low = 0;
    floats.shift++;
    for (int i = 0; i < n; i++) {
      permi_plan_row(plan, view, i, a);
      permi_float_row_make(a, n, view->parts, &row);
      for (int part = 0; part < view->parts; part++) {
        double sum = ldexp(1, 37);
        for (int j = 2; j < 2 + floats.walk; j++)
          sum += fabs((double)permi_rest_of(row.entry[part][j])) + ldexp(1, floats.shift - 1);
        low = fmax(low, sum);
      }
    }
  } while (low > ldexp(1, floats.shift + 24));
  leaf->scale_exp2 -= 120;
  for (int i = 0; i < n; i++) {
    permi_plan_row(plan, view, i, a);
    permi_float_row_make(a, n, view->parts, &row);
    permi_dd inverse = permi_dd_make(1 / row.times);
    inverse.lo = -PERMI_REST(inverse.hi, row.times, 1) / row.times;
    leaf->scale = permi_dd_multiply(leaf->scale, inverse);
    leaf->scale_imaginary = permi_dd_multiply(leaf->scale_imaginary, inverse);
    leaf->scale_exp2 += 24;
    permi_leaf_scale_by(leaf, view->parts, row.divisor[0], row.divisor[1]);
    unit *= row.times / (16777216 * sqrt(row.divisor[0] * row.divisor[0] + row.divisor[1] * row.divisor[1]));
  }
  leaf->estimate_absolute *= unit;
  leaf->estimate_squares *= unit;
  permi_floats_bounds(plan, low, &floats, leaf);
  leaf->explain = permi_floats_explain;
  leaf->remark = "summed in pairs of floats";
  leaf->release = permi_release;
  leaf->run_range = permi_gpu_range;
  return permi_float_tables(plan, view, &floats, allocator, leaf);
}

/* ====================================================================================== >>exact_gpu
   A kernel is compiled for the shape: row sums are packed into 32-bit words; groups of rows are multiplied in a word,
   then in 32-bit limbs. Skipping: by a halved row's sum over other columns, a table has the settings of 6 columns that
   make it 0: one look-up for 64 terms. */

typedef struct permi_exact_gpu {
  permi_gpu gpu; /* first, for >>gpu */
  perm_gpu_program program;
  perm_gpu_exact shape;
  int transposed;
  char text[24576];
} permi_exact_gpu;

typedef struct permi_gpu_member {
  const char *name;
  const short *list; /* NULL: `count` is the value */
  int count;
} permi_gpu_member;

/* Continues a text of `at` bytes by a shape's members and a kernel that calls `chunk`. Lists are chains of choices:
   compilers may not fold loads from arrays, and then unroll nothing. */
static void permi_gpu_members(const permi_gpu_member *member, size_t members, const char *chunk, int blocks, char *text,
                              size_t room, size_t at)
{
  for (; members; members--, member++) {
    const short *list = member->list;
    const int last = !list ? member->count : member->count ? list[member->count - 1] : 0;
    at += (size_t)snprintf(text + at, room - at, "  PERMI_BOTH constexpr int %s(%s) const { return ", member->name,
                           list ? "int i" : "");
    for (int i = 0; list && i + 1 < member->count; i++)
      if (list[i] != last)
        at += (size_t)snprintf(text + at, room - at, "i == %d ? %d : ", i, list[i]);
    at += (size_t)snprintf(text + at, room - at, "%d; }\n", last);
  }
  snprintf(text + at, room - at, "};\n" PERM_GPU_ENTRY "{ %s(permi_shape(), a); }\n", blocks, chunk);
}

static void permi_exact_gpu_text(const perm_gpu_exact *shape, int lines, char *text, size_t room)
{
  const int product = shape->product[shape->groups - 1], parts = shape->parts;
  const int need = shape->stride * (1 + shape->skip) + parts * (3 * product + shape->sum) + 24;
  const permi_gpu_member member[] = {{"words", NULL, shape->words},
                                     {"stride", NULL, shape->stride},
                                     {"groups", NULL, shape->groups},
                                     {"sum", NULL, shape->sum},
                                     {"zeros", NULL, shape->zeros},
                                     {"masks", NULL, shape->masks},
                                     {"at", shape->at, lines},
                                     {"kind", shape->kind, lines},
                                     {"carries", shape->carries, shape->words},
                                     {"first", shape->first, shape->groups + 1},
                                     {"product", shape->product, shape->groups},
                                     {"wide", shape->wide, shape->groups},
                                     {"zero_line", shape->zero_line, shape->zeros},
                                     {"zero_base", shape->zero_base, shape->zeros}};
  const int at = snprintf(text, room,
                          "struct permi_shape {\n  enum { PARTS = %d, GROUPS = %d, ROOM = %d, SUM_ROOM = %d, "
                          "WORDS = %d, SKIP = %d };\n",
                          parts, shape->groups, product > 3 ? product : 3, shape->sum, shape->stride, shape->skip);
  permi_gpu_members(member, sizeof member / sizeof *member, "permi_exact_chunk",
                    need <= 64 ? 8 : need <= 80 ? 6 : need <= 128 ? 4 : need <= 168 ? 3 : 2, text, room, (size_t)at);
}

static void permi_exact_gpu_put(const perm_gpu_exact *shape, uint32_t *to, int line, int wide, permi_wide x, int times)
{
  const int kind = shape->kind[line];
  uint64_t carry = 0;
  if (times < 0)
    x = permi_wide_negate(x);
  to += shape->at[line];
  if (kind < 6)
    *to += (uint32_t)x.low << (kind < 4 ? 8 * kind : 16 * (kind - 4));
  for (int k = 0; kind == 6 && k < wide; k++) {
    const uint32_t word = (uint32_t)((k < 2 ? x.low : x.high) >> (k & 1 ? 32 : 0));
    carry += (uint64_t)to[k] + word;
    to[k] = (uint32_t)carry;
    carry >>= 32;
  }
}

static int permi_exact_gpu_add(void *context, perm_partial *partial, uint64_t first, uint64_t chunks,
                               const double *sums)
{
  const permi_leaf *leaf = ((const permi_gpu_call *)context)->leaf;
  const perm_gpu_exact *shape = &((const permi_exact_gpu *)leaf->context)->shape;
  uint64_t chunk, word[PERM_GPU_EXACT_WORDS];
  int part, k;
  for (chunk = 0; chunk < chunks; chunk++)
    for (part = 0; part < shape->parts; part++) {
      uint64_t carry = 0, sum;
      memset(word, 0, sizeof word);
      for (k = 0; k < shape->sum; k++, sums++) {
        memcpy(&sum, sums, sizeof sum);
        if (sum >> 40)
          return 0;
        carry += sum;
        word[k / 2] |= (carry & 0xffffffff) << (k & 1 ? 32 : 0);
        carry >>= 32;
      }
      if (shape->sum & 1 && word[k / 2] >> 31)
        word[k / 2] |= UINT64_C(0xffffffff) << 32;
      permi_sum_add_signed(part ? &partial->imaginary : &partial->value, word, (shape->sum + 1) / 2);
    }
  permi_gpu_count(leaf, partial, first, chunks);
  return 1;
}

static size_t permi_exact_gpu_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_exact_gpu *exact = (const permi_exact_gpu *)leaf->context;
  const perm_gpu_exact *shape = &exact->shape;
  char how[128];
  snprintf(how, sizeof how, "%s in %d groups, products of %d words of 32 bits", exact->transposed ? "columns" : "rows",
           shape->groups, shape->product[shape->groups - 1]);
  return permi_exact_say(leaf, shape->parts, how, shape->survivors, buffer, size);
}

/* Row sums: the start, high columns, the walk (see >>gpu), settings. */
static void permi_exact_gpu_rows(const permi_exact_rows *rows, const perm_gpu_exact *shape, uint32_t *table)
{
  const int parts = rows->parts, stride = shape->stride, block = shape->skip ? PERMI_EXACT_GPU_BLOCK : 0;
  uint32_t *step = table + stride, *walk = step + stride * shape->high;
  uint32_t *settings = walk + stride * (2 * shape->walk + 1);
  for (int r = 0, g = 0; r < rows->n; r++) {
    const int i = shape->order[r];
    g += r == shape->first[g + 1];
    for (int part = 0; part < parts; part++) {
      const int line = r * parts + part, wide = shape->wide[g], kind = shape->kind[line];
      permi_wide bias = {0, 0};
      bias.low = kind < 4 ? 128 : kind < 6 ? 32768 : 0;
      permi_exact_gpu_put(shape, table, line, wide, permi_exact_start(rows, i, part), 1);
      permi_exact_gpu_put(shape, table, line, wide, bias, 1);
      for (int k = 0; k < (block ? 64 : 0); k++)
        for (int j = 0; j < block; j++)
          if (k >> j & 1)
            permi_exact_gpu_put(shape, settings + stride * k, line, wide, permi_exact_step(rows, i, 1 + j, part), -1);
      for (int k = 0; k < shape->walk; k++) {
        const permi_wide a = permi_exact_step(rows, i, 1 + block + k, part);
        permi_exact_gpu_put(shape, walk + stride * 2 * k, line, wide, a, -1);
        permi_exact_gpu_put(shape, walk + stride * (2 * k + 1), line, wide, a, 1);
      }
      for (int k = 0; k < shape->high; k++)
        permi_exact_gpu_put(shape, step + stride * k, line, wide,
                            permi_exact_step(rows, i, 1 + block + shape->walk + k, part), -1);
    }
  }
}

static void permi_exact_gpu_masks(const permi_exact_rows *rows, const perm_gpu_exact *shape, uint64_t *masks)
{
  for (int k = 0; k < shape->zeros; k++) {
    const int row = shape->order[shape->zero_line[k]], norm = (int)rows->norm[row];
    for (int v = -norm; v <= norm; v++)
      for (int i = 0; i < 64; i++) {
        int y = v;
        for (int j = 0; j < PERMI_EXACT_GPU_BLOCK; j++)
          y -= i >> j & 1 ? (int)(int64_t)permi_exact_step(rows, row, 1 + j, 0).low : 0;
        if (y == 0)
          masks[shape->zero_base[k] + 128 + v] |= UINT64_C(1) << i;
      }
  }
}

static perm_status permi_exact_gpu_tables(const permi_exact_rows *rows, const perm_gpu_exact *shape,
                                          const perm_allocator *allocator, permi_leaf *leaf)
{
  const int parts = rows->parts;
  const size_t words = (size_t)(shape->sums + 2 * shape->masks), bytes = sizeof(permi_exact_gpu) + 4 * words;
  permi_exact_gpu *exact = (permi_exact_gpu *)permi_allocate_zeros(allocator, 1, bytes);
  if (!exact)
    return PERM_ERROR_MEMORY;
  uint32_t *table = (uint32_t *)(void *)(exact + 1);
  exact->shape = *shape;
  exact->transposed = rows->transposed;
  perm_gpu_work *work = &exact->gpu.work;
  work->walk = shape->walk;
  work->high = shape->high;
  work->doubles = words / 2;
  work->table = (double *)(void *)table;
  work->program = &exact->program;
  exact->gpu.allocator = *allocator;
  exact->gpu.add = permi_exact_gpu_add;
  exact->gpu.terms = leaf->information.work / rows->n / (double)leaf->information.chunks;
  permi_exact_gpu_rows(rows, shape, table);
  permi_exact_gpu_masks(rows, shape, (uint64_t *)(void *)(table + shape->sums));
  permi_exact_gpu_text(shape, rows->n * parts, exact->text, sizeof exact->text);
  exact->program.text = exact->text;
  exact->program.sums = parts * shape->sum;
  exact->program.exact = &exact->shape;
  exact->program.shared = (size_t)((parts * shape->sum + 1) / 2 * 2 + shape->masks) * 8 +
                          (size_t)(shape->stride * (2 * shape->walk + 1)) * 4 +
                          (shape->skip ? (size_t)shape->stride * (64 + 128) * 4 + 4 * 2048 * 2 : 0);
  work->fingerprint = leaf->information.fingerprint;
  leaf->information.bytes = (double)bytes;
  leaf->context = exact;
  leaf->explain = permi_exact_gpu_explain;
  return PERM_OK;
}

/* ===================================================================================== >>minors_gpu
   Minors in double: forms are the copies of one side's lines, digits the counts of the other's.
     one sum      of a row: forms are columns, digits the other rows; prefix and suffix products make every minor
     by digits    of every row: a sum for each digit, whose factor count - 2 v goes into the term
   A thread's number sets the high digits; all walk over the low ones by one n-ary Gray code. Row sums on grids and sums
   of chunks are exact. */

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

/* ======================================================================================= >>batch_gpu */

#if !defined(PERM_NO_EXTRAS)
static void permi_batch_gpu_fill(void *context, size_t first, size_t count, double *to)
{
  const permi_batch *batch = (const permi_batch *)context;
  const size_t entries = (size_t)(batch->n * batch->n * batch->parts);
  const size_t each = batch->list || batch->kind == PERMI_BATCH_MATRICES ? 1 : count;
  for (size_t k = first; k < first + count; k += each, to += each * entries) {
    const double *from = permi_batch_matrices(batch, batch->list ? batch->list[k] : k, each, to);
    if (from != to)
      memcpy(to, from, entries * sizeof *to);
  }
}

static void permi_batch_gpu_take(void *context, size_t first, size_t count, const double *from)
{
  const permi_batch *batch = (const permi_batch *)context;
  const size_t parts = (size_t)batch->parts;
  for (size_t j = first; j < first + count; j++, from += parts) {
    const size_t k = batch->list ? batch->list[j] : j;
    batch->todo[k] = from[0] != from[0];
    if (!batch->todo[k])
      memcpy(batch->out + k * parts, from, parts * sizeof *from);
  }
}

static perm_status permi_batch_gpu_poll(void *context, double fraction)
{
  return permi_control_poll(((const permi_batch *)context)->control, fraction, "summing on GPUs");
}

static perm_gpu_batch permi_batch_gpu_of(permi_batch *batch, size_t count)
{
  const int n = batch->n, parts = batch->parts, floats = batch->floats;
  const double base = floats ? 16 * parts * PERMI_FLOAT_SQUARE : (n + 8) * PERMI_UNIT * parts; /* permi_plan_bounds */
  const double shares = 0.1; /* of many entries, rounded apart; climbed */
  const perm_gpu_batch work = {n, parts, floats, count, base, shares, permi_wanted_relative(batch->options), batch,
                               permi_batch_gpu_fill, permi_batch_gpu_take, permi_batch_gpu_poll};
  return work;
}

static perm_status permi_batch_gpu_pass(permi_batch *batch, size_t count, int threads, int *gpus, char *message)
{
  const perm_gpu_batch work = permi_batch_gpu_of(batch, count);
  return perm_cuda_batch(&work, batch->options, threads, gpus, message);
}

/* What floats leave goes to doubles, where the CPU takes longer than a compilation. */
static perm_status permi_batch_gpu_run(permi_batch *batch, int threads, int *gpus, char *message)
{
  static const double rate[2] = PERMI_BATCH_RATE;
  const perm_options *options = batch->options;
  size_t left = 0;
  int more = 0;
  perm_status status = batch->place ? PERM_OK : permi_batch_gpu_pass(batch, batch->count, threads, gpus, message);
  if (status != PERM_OK || !batch->floats)
    return status;
  batch->list = (size_t *)permi_allocate(&options->allocator, batch->count, sizeof *batch->list);
  for (size_t k = 0; k < batch->count && batch->list; k++)
    if (batch->todo[k])
      batch->list[left++] = k;
  batch->floats = 0;
  if (left && (options->isa == PERM_ISA_CUDA || (double)left * ldexp(batch->n, batch->n - 1) >=
                                                    rate[batch->parts - 1] * 2 * PERMI_GPU_DENSE_COMPILE))
    status = permi_batch_gpu_pass(batch, left, threads, &more, message);
  *gpus = more > *gpus ? more : *gpus;
  permi_release(&options->allocator, batch->list);
  batch->list = NULL;
  return status;
}

/* Predicts; chooses floats. */
static double permi_batch_gpu_seconds(permi_batch *batch)
{
  const int n = batch->n, parts = batch->parts;
  const double elements = (double)batch->count * n * ldexp(1, n - 1), start = PERMI_GPU_DENSE_COMPILE;
  const double doubles = permi_gpu_seconds(elements, parts, PERM_GPU_PIVOT);
  const double floats = permi_gpu_seconds(elements, parts, PERM_GPU_FLOATS);
  batch->floats = PERMI_FLOATS_GAIN * (floats - start) < doubles - start &&
                  (16 + n * n) * parts * PERMI_FLOAT_SQUARE * exp(0.36 * n) <= /* or many are left */
                      permi_wanted_relative(batch->options);
  return batch->floats ? floats : doubles;
}

/* batch->todo marks what GPUs leave. Below order 10 sending takes longer. */
static perm_status permi_batch_on_gpus(permi_batch *batch, int threads, perm_result *result)
{
  const perm_options *options = batch->options;
  permi_control *control = batch->control;
  const int n = batch->n, parts = batch->parts;
  const double elements = (double)batch->count * n * ldexp(1, n - 1), bytes = (double)batch->count * n * n * parts * 8;
  static const double rate[2] = PERMI_BATCH_RATE;
  char message[PERM_MESSAGE_BYTES];
  if (!options->gpu.devices || !batch->plain || n < PERM_GPU_BATCH_LEAST_N || n > PERM_GPU_BATCH_MOST_N ||
      !batch->count)
    return PERM_OK;
  const double seconds = bytes / PERMI_BATCH_GPU_BYTES_RATE + permi_batch_gpu_seconds(batch);
  if ((options->isa != PERM_ISA_CUDA && seconds >= elements / rate[parts - 1]) ||
      (options->gpu.cpu_fallback && !permi_gpu_devices(options->gpu.devices, message)))
    return PERM_OK;
  batch->todo = (unsigned char *)permi_allocate(&options->allocator, batch->count, 1);
  if (!batch->todo)
    return permi_fail_memory(result);
  memset(batch->todo, 1, batch->count);
  const perm_status status = permi_batch_gpu_run(batch, threads, &control->gpus, control->message);
  if (status >= 0 || options->gpu.cpu_fallback)
    return status < 0 ? PERM_OK : status;
  return permi_fail(result, status, 0, "%s", control->message);
}

static int permi_batch_earlier(const void *a, const void *b)
{
  return *(const size_t *)a < *(const size_t *)b ? -1 : 1;
}

/* On GPUs values are written in place, and NaN for what the host is to compute: returns how many, then their places in
   order. NULL: *status says why not, or is PERM_OK where the host is to compute all. */
static size_t *permi_batch_in_place(permi_batch *batch, permi_pool *pool, perm_status *status, perm_result *result)
{
  permi_control control = permi_control_begin(batch->options);
  size_t *left = (size_t *)permi_pool_get(pool, 1 + PERM_GPU_BATCH_LIST, sizeof *left);
  control.work_total = 1;
  batch->control = &control;
  permi_batch_gpu_seconds(batch);
  const perm_gpu_batch work = permi_batch_gpu_of(batch, batch->count);
  *status = PERM_OK;
  if (left)
    *status = perm_cuda_batch_there(&work, batch->a, batch->out, batch->options, left, control.message);
  control.stopped = *status;
  if (*status > 0)
    permi_fail_stopped(&control, result);
  else if (*status < 0)
    permi_fail(result, *status, 0, "%s", control.message);
  if (!left || *status != PERM_OK || left[0] > PERM_GPU_BATCH_LIST)
    return NULL;
  qsort(left + 1, left[0], sizeof *left, permi_batch_earlier);
  return left;
}

/* Computes in place, or copies to the host and back: all, or what is left. */
static perm_status permi_batch_resident(permi_batch *batch, perm_result *result)
{
  const perm_options *given = batch->options;
  const int in = given->gpu.resident & 1, out = given->gpu.resident >> 1, n = batch->n, some = batch->count > 0;
  const size_t number = (size_t)batch->parts * sizeof(double), square = (size_t)(n * n), count = batch->count;
  const double start = permi_seconds();
  perm_options options = *given;
  permi_batch here = *batch;
  permi_pool pool = {&options.allocator, NULL, 0};
  size_t *left = NULL;
  int device[2] = {-1, -2};
  perm_status status = PERM_OK;
  perm_gpu_move matrices = {NULL, (double *)(uintptr_t)batch->a, square * number, in && n && some, NULL, 0};
  perm_gpu_move values = {NULL, batch->out, number, out && some, NULL, 1};
  if (in && batch->kind != PERMI_BATCH_MATRICES)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 0, "gpu.resident: matrices on a GPU are perm_batch_real's or "
                                                         "perm_batch_complex's");
  if (matrices.count)
    status = permi_gpu_owns(batch->a, 3, "a", &device[0], result);
  if (status == PERM_OK && values.count)
    status = permi_gpu_owns(batch->out, batch->columns ? 10 : 6, "permanents", &device[1], result);
  options.gpu.resident = 0;
  here.options = &options;
  permi_batch_prepare(&here);
  if (status == PERM_OK && device[0] == device[1] && here.plain && n > 1 && n <= PERM_GPU_BATCH_MOST_N &&
      here.stride == square)
    left = permi_batch_in_place(&here, &pool, &status, result);
  if (left) {
    here.count = matrices.count = values.count = left[0];
    matrices.list = values.list = here.place = left + 1;
    options.isa = PERM_ISA_CUDA; /* what GPUs left, in the host's way */
    options.max_seconds = given->max_seconds > 0 ? fmax(1e-9, given->max_seconds - (permi_seconds() - start)) : 0;
  } else {
    matrices.bytes += some ? (count - 1) * batch->stride * number : 0;
    values.bytes *= count;
  }
  if (status == PERM_OK && matrices.count)
    here.a = matrices.here = (double *)permi_pool_get(&pool, matrices.count, matrices.bytes);
  if (status == PERM_OK && values.count)
    here.out = values.here = (double *)permi_pool_get(&pool, values.count, values.bytes);
  if (status == PERM_OK && pool.failed)
    status = permi_fail_memory(result);
  if (status == PERM_OK && matrices.count)
    status = permi_gpu_move(&matrices, given, status, result);
  if (status == PERM_OK) {
    status = permi_batch_metered(&here, result);
    status = values.count ? permi_gpu_move(&values, given, status, result) : status;
    if (result && left) {
      result->isa = PERM_ISA_CUDA;
      result->gpus = result->gpus > 1 ? result->gpus : 1;
      result->terms = (double)count * ldexp(1, n - 1);
      result->seconds = permi_seconds() - start;
    }
  }
  permi_pool_release(&pool);
  return status;
}
#endif

#elif PERMI_CUDA_HOST == 2

/* ===================================================================================== >>arrays_gpu
   On a GPU, with the CPU's order of sums. */

static perm_gpu_words permi_gpu_words(const permi_layout *layout)
{
  const perm_gpu_words words = {layout->word, layout->rank, layout->middle, layout->top, layout->left,
                                layout->middle_offset, layout->top_offset, layout->start, layout->middle_start,
                                layout->low, layout->tops};
  return words;
}

static perm_status permi_gpu_begin(permi_arrays_run *run)
{
  const permi_algebra algebra = run->numbers.algebra;
  const int integers = permi_algebra_is_integer(algebra), dd = permi_algebra_is_dd(algebra);
  const perm_gpu_cell cell = integers                       ? PERM_GPU_INTEGER
                             : algebra >= PERMI_PAIR_VALUES ? (dd ? PERM_GPU_COMPLEX_DD : PERM_GPU_COMPLEX)
                                                            : (dd ? PERM_GPU_DD : PERM_GPU_DOUBLE);
  const perm_gpu_words words = permi_gpu_words(&run->layout[0]);
  return perm_cuda_frontier_begin(run->gpu, cell, run->numbers.words, integers ? run->numbers.parts : 1, &words);
}

static perm_status permi_gpu_step(permi_arrays_run *run, int p)
{
  const int *start = &run->frontier->stream_start[p];
  const perm_gpu_words words = permi_gpu_words(&run->layout[(p + 1) & 1]);
  double sizes[2] = {DBL_MAX, 0};
  const perm_status status =
      perm_cuda_frontier_step(run->gpu, &words, run->way, start[1] - start[0], run->tracking ? sizes : NULL);
  if (run->tracking) {
    run->base.sizes.smallest = sizes[0];
    run->base.sizes.largest = sizes[1];
  }
  return status;
}

static perm_gpu_frontier_shape permi_gpu_frontier_shape(const permi_frontier *frontier)
{
  const permi_arrays *arrays = frontier->arrays;
  const int ways = permi_frontier_streams_most(frontier);
  const perm_gpu_frontier_shape shape = {arrays->low, arrays->middle, arrays->top, arrays->lefts, ways,
                                         {frontier->room[0], frontier->room[1]},
                                         (int)(permi_arrays_bytes_at(frontier, frontier->steps) / 8), NULL, NULL};
  return shape;
}

static perm_status permi_gpu_compiling(void *context)
{
  const permi_arrays_run *run = (const permi_arrays_run *)context;
  return run->base.control ? permi_control_poll(run->base.control, run->seconds_before, "compiling for the GPU")
                           : PERM_OK;
}

static perm_status permi_gpu_create(permi_arrays_run *run, char *message)
{
  perm_gpu_frontier_shape shape = permi_gpu_frontier_shape(run->frontier);
  perm_options options;
  shape.context = run;
  shape.poll = permi_gpu_compiling;
  memset(&options, 0, sizeof options);
  if (run->base.control)
    options = *run->base.control->options;
  return perm_cuda_frontier_create(&shape, &options, &run->gpu, message);
}

static perm_status permi_gpu_scale(permi_arrays_run *run, size_t states, double first, double second)
{
  return perm_cuda_frontier_scale(run->gpu, states, first, second);
}

static perm_status permi_gpu_value(permi_arrays_run *run, void *value)
{
  const perm_status status = perm_cuda_frontier_value(run->gpu, value);
  double x[4];
  if (status != PERM_OK || permi_algebra_is_integer(run->numbers.algebra))
    return status;
  memcpy(x, value, run->bytes);
  for (size_t k = 0; k < run->bytes / sizeof(double); k++)
    if (!(fabs(x[k]) <= DBL_MAX))
      return PERM_ERROR_DEVICE; /* sizes exclude it */
  return PERM_OK;
}

static void permi_gpu_free(permi_arrays_run *run)
{
  perm_cuda_frontier_free(run->gpu);
}

static double permi_gpu_needs(const permi_frontier *frontier)
{
  const perm_gpu_frontier_shape shape = permi_gpu_frontier_shape(frontier);
  return perm_cuda_frontier_needs(&shape);
}

static double permi_gpu_bytes(void)
{
  char message[PERM_MESSAGE_BYTES];
  return perm_cuda_frontier_bytes(message);
}

/* ======================================================================================= >>programs
   >>hybrid_layout on GPUs. Each statement of a program makes a value; a thread runs it for every pattern of its walk.

     columns     inner | walk, a loop in Gray order | high, as in >>gpu | one fixed +
     values      in registers, made on demand so that few wait; bases in shared, constants in constant memory
     sum of |terms|  a second program, of moduli, for a hashed sample of patterns, the same in a warp; all with certify
     integers    as in >>hybrid_residues; one program serves all primes and roots
   Bits depend on the plan alone: a walk adds by TwoSum, threads in a tree, chunks exactly. */

#define PERMI_GPU_WALK 8
typedef enum permi_code_kind {
  PERMI_CODE_BASE,    /* base of row a */
  PERMI_CODE_ADD,     /* a + constant b, or - */
  PERMI_CODE_TIMES,
  PERMI_CODE_CROSS,   /* a b - c d; of moduli a b + c d */
  PERMI_CODE_MINUS,   /* a - b; of moduli a + b */
  PERMI_CODE_SETTLE,  /* a row sum as a double-double */
  PERMI_CODE_HALF,
  PERMI_CODE_REDUCE,  /* a modulo the prime, |a| <= 2^52 */
  PERMI_CODE_TIMES_LONG, /* reduced from two doubles */
  PERMI_CODE_CROSS_LONG,
  PERMI_CODE_RESIDUE, /* a + residue b, or -, reduced */
  PERMI_CODE_TOTAL,   /* the result is a */
  PERMI_CODE_MODULUS  /* |a| + the floor of row b; what follows is of moduli */
} permi_code_kind;

typedef struct permi_code_statement {
  int kind, negative;
  int a, b, c, d;
} permi_code_statement;

typedef struct permi_code_flip {
  int row, constant, negative, reduced;
} permi_code_flip;

typedef struct permi_code {
  perm_gpu_program program;
  permi_code_statement *statement;
  double *constant;
  double *residue;
  permi_code_flip *flip;
  char *text;
  int statements, statement_room, moduli; /* the second program begins at `moduli` */
  int constants, constant_room, residues, residue_room;
  int flips, flip_room, first_flip[PERMI_GPU_WALK + 2];
  int text_room;
  size_t length;
  int walk, samples_log2, live;
  int certify;
  double operations, moves;
  const perm_allocator *allocator;
  int failed; /* 1: too large, 2: no memory */
} permi_code;

static void permi_code_release(const perm_allocator *allocator, permi_code *code)
{
  if (!code)
    return;
  permi_release(allocator, code->statement);
  permi_release(allocator, code->constant);
  permi_release(allocator, code->residue);
  permi_release(allocator, code->flip);
  permi_release(allocator, code->text);
  permi_release(allocator, code);
}

static void permi_code_drop(const perm_allocator *allocator, permi_hybrid *hybrid)
{
  permi_code_release(allocator, hybrid->code);
  permi_release(allocator, hybrid->gpu.memory);
}

#define PERMI_GPU_CONSTANTS 7800
#define PERMI_GPU_MOVES 100000
#define PERMI_GPU_MEMO 400000
#define PERMI_GPU_LOAD 2.2         /* operations: 4 processors share 128 bytes a cycle */
#define PERMI_GPU_FLIP 5           /* load and store */
#define PERMI_GPU_LIVE 120         /* doubles that wait unspilled; SPILL more double the time: */
#define PERMI_GPU_SPILL 85         /* measured: 145 waiting cost 1.1 times, 165 1.25, 185 1.55 */
#define PERMI_GPU_LARGE 1600       /* statements; 2400 are slower by an eighth */
#define PERMI_GPU_VALUES 30000

typedef struct permi_coder {
  permi_hybrid_maker maker; /* of the CPU's program: its growths, of whole numbers, else NULL */
  permi_layouts *work;
  permi_arrangement *layout;
  permi_code *code;
  int parts, moduli;
  int remake, reload;        /* then a row sum, a base is made again */
  int base[64], *memo; /* the value; -1: to be made */
  int place[PERMI_HYBRID_NODES]; /* in memo, of nodes */
  int memos;
  permi_hybrid_rows rows;
  const double *floor;
  const int *reduced;     /* rows that are residues */
  int whole, doubled, grows; /* grows: some numbers are residues */
} permi_coder;

static int permi_code_put(permi_coder *coder, permi_code_kind kind, int negative, int a, int b, int c, int d)
{
  permi_code *code = coder->code;
  const permi_code_statement statement = {(int)kind, negative, a, b, c, d};
  return permi_append(code->allocator, (void **)&code->statement, &code->statements, &code->statement_room, &statement,
                      sizeof statement, PERMI_GPU_VALUES, &code->failed)
             ? code->statements - 1
             : 0;
}

static int permi_code_words(const permi_coder *coder, int row)
{
  return coder->reduced[row] ? PERMI_WHOLE_WORDS : coder->parts;
}

static int permi_code_is_zero(const permi_coder *coder, int row, const double *x)
{
  int p, zero = 1;
  for (p = 0; p < permi_code_words(coder, row); p++)
    zero &= x[p] == 0;
  return zero;
}

/* Returns the number of |x| among constants or residues; adds a new one. */
static int permi_code_constant(permi_coder *coder, int row, const double *x, int *negative)
{
  permi_code *code = coder->code;
  const int words = permi_code_words(coder, row), reduced = coder->reduced[row];
  double **list = reduced ? &code->residue : &code->constant, y[PERMI_WHOLE_WORDS];
  int *count = reduced ? &code->residues : &code->constants;
  int *room = reduced ? &code->residue_room : &code->constant_room;
  int k, p, same;
  for (p = 0; p < words - 1 && x[p] == 0;)
    p++;
  *negative = x[p] < 0;
  for (p = 0; p < words; p++)
    y[p] = *negative ? -x[p] : x[p];
  for (k = 0; k < *count; k++) {
    for (p = 0, same = 1; p < words; p++)
      same &= (*list)[k * words + p] == y[p];
    if (same)
      return k;
  }
  return permi_append(code->allocator, (void **)list, count, room, y, (size_t)words * sizeof *y,
                      PERMI_GPU_CONSTANTS / coder->parts, &code->failed)
             ? k
             : 0;
}

static int permi_code_row(permi_coder *coder, int row, uint32_t setting)
{
  const permi_hybrid_node *node = &coder->work->node[row];
  int *memo = coder->memo + coder->place[row] + permi_pack_bits(setting, node->scope);
  const int words = permi_code_words(coder, row);
  double sum[PERMI_WHOLE_WORDS] = {0, 0, 0, 0};
  int k, p, negative, constant, value;
  if (*memo >= 0 && coder->code->statements - *memo < coder->remake)
    return *memo;
  for (k = 0; k < coder->layout->inner; k++)
    for (p = 0; p < words && node->scope >> k & 1; p++)
      sum[p] += setting >> k & 1 ? -coder->rows.number[row][k][p] : coder->rows.number[row][k][p];
  if (coder->base[row] < 0 || coder->code->statements - coder->base[row] >= coder->reload)
    coder->base[row] = permi_code_put(coder, PERMI_CODE_BASE, 0, row, 0, 0, 0);
  value = coder->base[row];
  if (!permi_code_is_zero(coder, row, sum)) {
    constant = permi_code_constant(coder, row, sum, &negative);
    value = permi_code_put(coder, coder->reduced[row] ? PERMI_CODE_RESIDUE : PERMI_CODE_ADD, negative, value, constant,
                           0, 0);
  } else if (coder->reduced[row]) {
    value = permi_code_put(coder, PERMI_CODE_REDUCE, 0, value, 0, 0, 0);
  }
  if (coder->moduli)
    value = permi_code_put(coder, PERMI_CODE_MODULUS, 0, value, row, 0, 0);
  else if (coder->doubled)
    value = permi_code_put(coder, PERMI_CODE_SETTLE, 0, value, 0, 0, 0);
  *memo = value;
  return value;
}

static int permi_code_grown(permi_coder *coder, permi_code_kind kind, int growth, int half, int a, int b, int c, int d)
{
  if (coder->whole && growth == PERMI_GROWS_LONG && kind != PERMI_CODE_MINUS)
    return permi_code_put(coder, kind == PERMI_CODE_TIMES ? PERMI_CODE_TIMES_LONG : PERMI_CODE_CROSS_LONG, 0, a, b, c,
                          d);
  int value = permi_code_put(coder, kind, coder->moduli, a, b, c, d);
  if (coder->whole && half)
    value = permi_code_put(coder, PERMI_CODE_HALF, 0, value, 0, 0, 0);
  return !coder->whole || growth == PERMI_GROWS_NOT ? value
                                                    : permi_code_put(coder, PERMI_CODE_REDUCE, 0, value, 0, 0, 0);
}

/* A fold makes its larger factor first, so that few values wait. */
static int permi_code_entry(permi_coder *coder, int index, uint32_t setting)
{
  const int n = coder->work->n;
  const permi_hybrid_node *nodes = coder->work->node, *node = &nodes[index];
  const int left = node->left, right = node->right;
  int value = 0, minus;
  if (index < n)
    return permi_code_row(coder, index, setting);
  int *memo = coder->memo + coder->place[index] + permi_pack_bits(setting, node->scope);
  if (*memo >= 0 || coder->code->failed)
    return *memo;
  const uint32_t folded = node->all & ~node->scope;
  if (node->kind == PERMI_NODE_CHAIN) {
    for (int k = 0; k < node->items; k++) {
      const int next = permi_code_entry(coder, coder->work->item[k], 0);
      const int growth = coder->maker.growths ? coder->maker.growths->item[k] : PERMI_GROWS_NOT;
      value = k ? permi_code_grown(coder, PERMI_CODE_TIMES, growth, 0, value, next, 0, 0) : next;
    }
  } else if (right < 0) {
    value = permi_code_entry(coder, left, setting);
    if (node->kind == PERMI_NODE_FOLD) {
      minus = permi_code_entry(coder, left, setting | folded);
      value = permi_code_grown(coder, PERMI_CODE_MINUS, node->growth, node->halved, value, minus, 0, 0);
    }
  } else if (node->kind == PERMI_NODE_MERGE) {
    int swap = left < n && right < n && permi_count_ones(nodes[left].scope) > permi_count_ones(nodes[right].scope);
    const int first = swap ? right : left, second = swap ? left : right;
    value = permi_code_entry(coder, first, setting);
    minus = permi_code_entry(coder, second, setting);
    value = permi_code_grown(coder, PERMI_CODE_TIMES, node->growth, 0, value, minus, 0, 0);
  } else {
    const int swap =
        left < n || (right >= n && permi_count_ones(nodes[right].all) > permi_count_ones(nodes[left].all));
    int f[4];
    for (int k = 0; k < 4; k++) {
      const int second = (k >> 1) ^ swap;
      minus = k & 1;
      f[2 * minus + second] = permi_code_entry(coder, second ? right : left, minus ? setting | folded : setting);
    }
    value = permi_code_grown(coder, PERMI_CODE_CROSS, node->growth, node->halved, f[0], f[1], f[2], f[3]);
  }
  *memo = value;
  return value;
}

static int permi_code_operands(const permi_code_statement *statement, int *operand)
{
  static const int count[] = {0, 1, 2, 4, 2, 1, 1, 1, 2, 4, 1, 1, 1};
  operand[0] = statement->a;
  operand[1] = statement->b;
  operand[2] = statement->c;
  operand[3] = statement->d;
  return count[statement->kind];
}

/* Notes how many doubles wait at most. Returns 0 without memory. */
static int permi_code_live(permi_coder *coder, int begin, int end)
{
  permi_code *code = coder->code;
  int *last = (int *)permi_allocate(code->allocator, (size_t)code->statements + 1, sizeof *last);
  int k, o, operand[4], live = 0, most = 0;
  if (!last)
    return 0;
  for (k = begin; k < end; k++) {
    last[k] = -1;
    for (o = permi_code_operands(&code->statement[k], operand) - 1; o >= 0; o--)
      last[operand[o]] = k;
  }
  for (k = begin; k < end; k++) {
    const int operands = permi_code_operands(&code->statement[k], operand);
    for (o = 0; o < operands; o++)
      if (last[operand[o]] == k) {
        last[operand[o]] = -1;
        live--;
      }
    live += last[k] >= 0;
    most = live > most ? live : most;
  }
  permi_release(code->allocator, last);
  most *= begin > 0 ? 1 : coder->parts;
  code->live = most > code->live ? most : code->live;
  return 1;
}

static double permi_code_operations(const permi_code *code, int k, permi_hybrid_algebra algebra)
{
  static const double each[PERMI_HYBRID_ALGEBRAS][PERMI_CODE_TOTAL + 1] = {
      {0, 1, 1, PERMI_GPU_WEIGHT_FOLD, 1},
      {0, 2, 5, 11, 2},
      {0, 2, 8, 21, 11, 6},
      {0, 1, 1, PERMI_GPU_WEIGHT_FOLD, 1, 0, 1, 3.5, 7, 15, 4.5 + PERMI_GPU_LOAD},
      {0, 4, 42, 94, 22, 12}};
  const int kind = code->statement[k].kind;
  if (kind == PERMI_CODE_MODULUS)
    return permi_hybrid_is_complex((int)algebra) ? 20 : 1;
  return each[k >= code->moduli && kind >= PERMI_CODE_TIMES ? PERMI_HYBRID_REAL : algebra][kind];
}

static void permi_code_values(permi_coder *coder)
{
  memset(coder->memo, -1, (size_t)coder->memos * sizeof *coder->memo);
  memset(coder->base, -1, sizeof coder->base);
  const int value = permi_code_entry(coder, coder->work->n + coder->work->nodes - 1, 0);
  permi_code_put(coder, PERMI_CODE_TOTAL, 0, value, 0, 0, 0);
}

static void permi_code_statements(permi_coder *coder)
{
  const permi_arrangement *layout = coder->layout;
  permi_code *code = coder->code;
  const int n = coder->work->n;
  permi_code_values(coder);
  code->moduli = code->statements;
  coder->moduli = 1;
  if (!coder->whole)
    permi_code_values(coder);
  for (int j = 0; j <= code->walk && !code->failed; j++) {
    const int k = layout->inner + j;
    code->first_flip[j] = code->flips;
    for (int i = 0; i < n && j < code->walk; i++)
      if (!permi_code_is_zero(coder, i, coder->rows.number[i][k])) {
        const double *number = coder->rows.number[i][k];
        const double twice[PERMI_WHOLE_WORDS] = {2 * number[0], 2 * number[1], 2 * number[2], 2 * number[3]};
        permi_code_flip flip = {i, 0, 0, coder->reduced[i]};
        flip.constant = permi_code_constant(coder, i, twice, &flip.negative);
        permi_append(code->allocator, (void **)&code->flip, &code->flips, &code->flip_room, &flip, sizeof flip,
                     INT_MAX, &code->failed);
      }
  }
}

/* ---- the kernel's text: CUDA C++, real arithmetic in PTX (docs/engines.md) */
#if !defined(PERMI_CODE_TWIN)
#define PERMI_CODE_TWIN NULL
#define PERMI_CODEGEN_TWIN NULL
#endif

static void permi_code_print(permi_code *code, const char *format, ...)
{
  while (!code->failed) {
    const size_t left = (size_t)code->text_room - code->length;
    va_list arguments;
    va_start(arguments, format);
    const size_t length = permi_vsay(left ? code->text + code->length : NULL, left, format, arguments);
    va_end(arguments);
    if (length < left) {
      code->length += length;
      return;
    }
    if (!permi_grow(code->allocator, (void **)&code->text, code->text_room, &code->text_room, 1))
      code->failed = 2;
  }
}

static const char *permi_code_literal(double x, char text[32])
{
  permi_say(text, 32, "%.16e", x);
  return text;
}

/* Texts of statements: in real programs, for numbers of several parts, for moduli (NULL: as numbers); positive,
   negative (NULL: the same). Operands stand before a text: k the value made, A = 1024 a, B = 8 b. With residues operand
   2 is minus the prime, 3 its inverse; quotients count ones below 1.5 2^52, and 1.5 2^98 is the grid. C++: A adds a
   constant, V subtracts it, T times, X cross, D difference, Z settles a row, Q modulus; R settles T2 and D2. */
#define PERMI_CODE_QUOTIENT(x) \
  "fma.rn.f64 c," x ",%%3,0d4338000000000000;\nadd.rn.f64 c,c,0dc338000000000000;\n"
static const char *const permi_code_form[PERMI_CODE_MODULUS + 1][3][2] = {
    {{"kA ld.volatile.shared.f64 v%d,[b+%d];\n"}, {"ka N v%d=B(%d);\n"}, {"ka const auto v%d=BM(%d);\n"}},
    {{"Bka ld.const.f64 c,[C+%d];\nadd.rn.f64 v%d,v%d,c;\n", "Bka ld.const.f64 c,[C+%d];\nsub.rn.f64 v%d,v%d,c;\n"},
     {"kab N v%d=A(v%d,%d);\n", "kab N v%d=V(v%d,%d);\n"}},
    {{"kab mul.rn.f64 v%d,v%d,v%d;\n"}, {"kab N v%d=T(v%d,v%d);\n"}, {"kab double v%d=permi_mul(v%d,v%d);\n"}},
    {{"cdkab mul.rn.f64 c,v%d,v%d;\nneg.f64 c,c;\nfma.rn.f64 v%d,v%d,v%d,c;\n",
      "cdkab mul.rn.f64 c,v%d,v%d;\nfma.rn.f64 v%d,v%d,v%d,c;\n"},
     {"kabcd N v%d=X(v%d,v%d,v%d,v%d);\n"},
     {"kabcd double v%d=permi_fma(v%d,v%d,permi_mul(v%d,v%d));\n"}},
    {{"kab sub.rn.f64 v%d,v%d,v%d;\n", "kab add.rn.f64 v%d,v%d,v%d;\n"},
     {"kab N v%d=D(v%d,v%d);\n"}, {"kab double v%d=permi_add(v%d,v%d);\n"}},
    {{NULL}, {"ka N v%d=Z(v%d);\n"}},
    {{"ka mul.rn.f64 v%d,v%d,0d3fe0000000000000;\n"}},
    {{"aka " PERMI_CODE_QUOTIENT("v%d") "fma.rn.f64 v%d,c,%%2,v%d;\n"}},
    {{"ababk mul.rn.f64 h,v%d,v%d;\nneg.f64 c,h;\nfma.rn.f64 l,v%d,v%d,c;\n" PERMI_CODE_QUOTIENT("h")
      "fma.rn.f64 c,c,%%2,h;\nadd.rn.f64 v%d,l,c;\n"}},
    {{"abcdabcdk fma.rn.f64 f,v%d,v%d,0d4618000000000000;\nneg.f64 c,v%d;\nfma.rn.f64 s,c,v%d,f;\n"
      "add.rn.f64 h,s,0dc618000000000000;\nsub.rn.f64 c,0d4618000000000000,f;\nfma.rn.f64 l,v%d,v%d,c;\n"
      "sub.rn.f64 c,s,f;\nfma.rn.f64 f,v%d,v%d,c;\nsub.rn.f64 l,l,f;\n" PERMI_CODE_QUOTIENT("h")
      "fma.rn.f64 c,c,%%2,h;\nadd.rn.f64 v%d,l,c;\n"}},
    {{"Bkakkk ld.global.nc.f64 c,[t+%d];\nadd.rn.f64 v%d,v%d,c;\n" PERMI_CODE_QUOTIENT("v%d")
      "fma.rn.f64 v%d,c,%%2,v%d;\n",
      "Bkakkk ld.global.nc.f64 c,[t+%d];\nsub.rn.f64 v%d,v%d,c;\n" PERMI_CODE_QUOTIENT("v%d")
      "fma.rn.f64 v%d,c,%%2,v%d;\n"}},
    {{"a mov.f64 block,v%d;\n"}, {"a block=v%d;\n"}, {"a return v%d;\n"}},
    {{"ka abs.f64 v%d,v%d;\n"}, {"ka double v%d=Q(v%d,"}}};

static void permi_code_print_statement(permi_coder *coder, int k)
{
  static const char names[] = "kabcdAB";
  permi_code *code = coder->code;
  const permi_code_statement *t = &code->statement[k];
  const int value[] = {k, t->a, t->b, t->c, t->d, 1024 * t->a, 8 * t->b};
  const int real = coder->parts == 1, of_moduli = k >= code->moduli && permi_code_form[t->kind][2][0];
  const char *const *forms = permi_code_form[t->kind][real ? 0 : of_moduli ? 2 : 1];
  const char *form = forms[t->negative && forms[1]];
  int operand[9] = {0}, i;
  uint64_t bits;
  char text[32];
  for (i = 0; *form != ' '; form++)
    operand[i++] = value[strchr(names, *form) - names];
  permi_code_print(code, form + 1, operand[0], operand[1], operand[2], operand[3], operand[4], operand[5], operand[6],
                   operand[7], operand[8]);
  if (t->kind == PERMI_CODE_MODULUS && !real)
    permi_code_print(code, "%s);\n", permi_code_literal(coder->floor[t->b], text));
  if (t->kind == PERMI_CODE_MODULUS && real && coder->floor[t->b] > 0) {
    memcpy(&bits, &coder->floor[t->b], sizeof bits);
    permi_code_print(code, "add.rn.f64 v%d,v%d,0d%08x%08x;\n", k, k, (unsigned)(bits >> 32), (unsigned)bits);
  }
}

static void permi_code_print_statements(permi_coder *coder, int begin, int end)
{
  permi_code *code = coder->code;
  if (coder->parts == 1)
    permi_code_print(code, "asm volatile(R\"({\n.reg .f64 block,c,%sv<%d>;\n.reg .u32 b;\nmov.u32 b,%%1;\n"
                           "mov.f64 block,0d0000000000000000;\n%s", coder->grows ? "f,h,l,s," : "", end,
                     coder->grows ? ".reg .u64 t;\ncvta.to.global.u64 t,%4;\n" : "");
  for (int k = begin; k < end; k++)
    permi_code_print_statement(coder, k);
  if (coder->parts > 1)
    return;
  permi_code_print(code, "mov.f64 %%0,block;\n})\" : \"=d\"(block) : \"r\"((unsigned)__cvta_generic_to_shared(b))");
  if (coder->grows)
    permi_code_print(code, ", \"d\"(minus_prime), \"d\"(inverse), \"l\"(residue)");
  permi_code_print(code, " : \"memory\");\n");
}

#define PERMI_CODE_BASE_TEXT(word) "((const volatile double *)b)[128 * (" word ")]"
#define PERMI_CODE_NUMBER_TEXT \
    "struct P { double v, e; };\n" \
    "PERMI_BOTH P permi_n(double v, double e) { P r; r.v = v; r.e = e; return r; }\n" \
    "#define A(v, k) U(v, k, 1.0)\n" \
    "#define V(v, k) U(v, k, -1.0)\n"
static const char permi_code_two_parts[] =
    "typedef P N;\n"
    "PERMI_BOTH N U(N a, int k, double m) {\n"
    "  return permi_n(permi_fma(m, C[2 * k], a.v), permi_fma(m, C[2 * k + 1], a.e)); }\n"
    "#define B1(r) " PERMI_CODE_BASE_TEXT("2 * (r)") "\n"
    "#define B(r) permi_n(B1(r), " PERMI_CODE_BASE_TEXT("2 * (r) + 1") ")\n";
static const char permi_code_pairs[] =
    "PERMI_BOTH P T2(P a, P b) {\n"
    "  const double p = permi_mul(a.v, b.v);\n"
    "  return permi_n(p, permi_fma(a.v, b.e, permi_fma(a.e, b.v, permi_fma(a.v, b.v, -p)))); }\n"
    "PERMI_BOTH P D2(P a, P b) {\n"
    "  P r; permi_two_sum(r.v, r.e, a.v, -b.v);\n"
    "  r.e = permi_add(r.e, permi_add(a.e, -b.e)); return r; }\n"
    "PERMI_BOTH P L(P a, P b) {\n"
    "  double e; permi_two_sum(a.v, e, a.v, b.v);\n"
    "  a.e = permi_add(a.e, permi_add(b.e, e)); return a; }\n"
    "PERMI_BOTH P R(P a) { permi_fast_two_sum(a.v, a.e, a.v, a.e); return a; }\n"
    "PERMI_BOTH P Z(P a) { permi_two_sum(a.v, a.e, a.v, a.e); return a; }\n";
static const char permi_code_real_pairs[] =
    "#define Q(x, f) permi_add(fabs(x.v), f)\n"
    "#define BM(r) permi_n(B1(r), 0.0)\n";
static const char permi_code_complex_pairs[] =
    "struct N { P x, y; };\n"
    "PERMI_BOTH N permi_m(P x, P y) { N r; r.x = x; r.y = y; return r; }\n"
    "PERMI_BOTH P permi_shifted(P a, int k, double m) {\n"
    "  return permi_n(permi_fma(m, C[k], a.v), permi_fma(m, C[k + 1], a.e)); }\n"
    "PERMI_BOTH N U(N a, int k, double m) {\n"
    "  return permi_m(permi_shifted(a.x, 4 * k, m), permi_shifted(a.y, 4 * k + 2, m)); }\n"
    "#define B1(k) " PERMI_CODE_BASE_TEXT("k") "\n"
    "#define B(r) permi_m(permi_n(B1(4 * (r)), B1(4 * (r) + 1)), permi_n(B1(4 * (r) + 2), B1(4 * (r) + 3)))\n"
    "#define BM(r) permi_m(permi_n(B1(4 * (r)), 0.0), permi_n(B1(4 * (r) + 2), 0.0))\n"
    "PERMI_BOTH N D2(N a, N b) { return permi_m(D2(a.x, b.x), D2(a.y, b.y)); }\n"
    "PERMI_BOTH N T2(N a, N b) {\n"
    "  return permi_m(D2(T2(a.x, b.x), T2(a.y, b.y)), L(T2(a.x, b.y), T2(a.y, b.x))); }\n"
    "PERMI_BOTH N R(N a) { return permi_m(R(a.x), R(a.y)); }\n"
    "PERMI_BOTH N Z(N a) { return permi_m(Z(a.x), Z(a.y)); }\n"
    "PERMI_BOTH double Q(N a, double f) {\n"
    "  return permi_add(sqrt(permi_fma(a.x.v, a.x.v, permi_mul(a.y.v, a.y.v))), f); }\n";
static const char permi_code_settled[] =
    "PERMI_BOTH N T(N a, N b) { return R(T2(a, b)); }\n"
    "PERMI_BOTH N D(N a, N b) { return R(D2(a, b)); }\n"
    "PERMI_BOTH N X(N a, N b, N c, N d) { return R(D2(T2(a, b), T2(c, d))); }\n";
static const char permi_code_complex[] =
    "PERMI_BOTH N T(N a, N b) {\n"
    "  return permi_n(permi_fma(-a.e, b.e, permi_mul(a.v, b.v)), permi_fma(a.v, b.e, permi_mul(a.e, b.v))); }\n"
    "PERMI_BOTH N X(N a, N b, N c, N d) {\n"
    "  return permi_n(permi_fma(a.v, b.v, permi_fma(-a.e, b.e, permi_fma(-c.v, d.v, permi_mul(c.e, d.e)))),\n"
    "                 permi_fma(a.v, b.e, permi_fma(a.e, b.v, permi_fma(-c.v, d.e, -permi_mul(c.e, d.v))))); }\n"
    "PERMI_BOTH N D(N a, N b) { return permi_n(permi_add(a.v, -b.v), permi_add(a.e, -b.e)); }\n"
    "PERMI_BOTH double Q(N a, double f) {\n"
    "  return permi_add(sqrt(permi_fma(a.v, a.v, permi_mul(a.e, a.e))), f); }\n"
    "#define BM(r) B(r)\n";

static int permi_code_pass(const permi_hybrid *hybrid)
{
  return hybrid->n * hybrid->parts * (1 + hybrid->high) + 2 + hybrid->code->residues;
}

static void permi_code_functions(permi_coder *coder, const permi_hybrid *hybrid)
{
  permi_code *code = coder->code;
  const int parts = coder->parts;
  char text[32];
  permi_code_print(code, "__constant__ double C[%d] = {", code->constants * parts + 1);
  for (int k = 0; k < code->constants * parts; k++)
    permi_code_print(code, "%s,%c", permi_code_literal(code->constant[k], text), k % 8 == 7 ? '\n' : ' ');
  permi_code_print(code, "0};\n");
  if (parts > 1) {
    const permi_hybrid_algebra algebra = hybrid->algebra;
    const int doubled = permi_hybrid_is_doubled((int)algebra);
    permi_code_print(code, PERMI_CODE_NUMBER_TEXT "%s%s%s%s%s", doubled ? permi_code_pairs : "",
                     algebra == PERMI_HYBRID_COMPLEX_DOUBLED ? permi_code_complex_pairs : permi_code_two_parts,
                     algebra == PERMI_HYBRID_COMPLEX ? permi_code_complex : "",
                     algebra == PERMI_HYBRID_DOUBLED ? permi_code_real_pairs : "", doubled ? permi_code_settled : "");
  }
  permi_code_print(code, "__device__ __noinline__ void permi_turn(double *b, int j, double s, "
                         "const double *residue = 0) "
                         "{ switch (j) {\n");
  for (int j = 0; j < code->walk; j++) {
    permi_code_print(code, "case %d:\n", j);
    for (int k = code->first_flip[j]; k < code->first_flip[j + 1]; k++)
      for (int p = 0; p < parts; p++) {
        const permi_code_flip *flip = &code->flip[k];
        const int at = 128 * (flip->row * parts + p);
        permi_code_print(code, "b[%d] = permi_fma(%cs, %s[%d], b[%d]);\n", at, flip->negative ? '-' : '+',
                         flip->reduced ? "residue" : "C", flip->constant * parts + p, at);
      }
    permi_code_print(code, "break;\n");
  }
  permi_code_print(code, "} }\n");
  if (hybrid->algebra == PERMI_HYBRID_WHOLE)
    return;
  permi_code_print(code, "__device__ __noinline__ double permi_moduli(const double *b) {\n");
  permi_code_print(code, parts == 1 ? "double block;\n" : "");
  permi_code_print_statements(coder, code->moduli, code->statements);
  permi_code_print(code, parts == 1 ? "return block;\n}\n" : "}\n");
}

/* Adds the moduli of the sample. */
static const char permi_code_samples[] =
    "PERMI_ROLLED\n"
    "for (unsigned i = 0; i < 1u << SAMPLES; i++) {\n"
    "  unsigned h = key + i * 0x9e3779b9u;\n"
    "  h = (h ^ h >> 16) * 0x7feb352du;\n"
    "  h = (h ^ h >> 15) * 0x846ca68bu;\n"
    "  h = ((h ^ h >> 16) << SAMPLES | i) & ((1u << WALK) - 1);\n"
    "  PERMI_ROLLED for (int k = 0; k < WALK; k++) if (h >> k & 1) permi_turn(b, k, -1.0);\n"
    "  absolute = permi_add(absolute, permi_moduli(b));\n"
    "  PERMI_ROLLED for (int k = 0; k < WALK; k++) if (h >> k & 1) permi_turn(b, k, 1.0);\n"
    "}\n";
static const char permi_code_all_moduli[] =
    "absolute = permi_add(absolute, permi_moduli(b));\n";

static const char *const permi_code_add_text[PERMI_HYBRID_ALGEBRAS] = {
    "lo = permi_add(lo, e);\n",
    "lo = permi_add(lo, e);\n"
    "permi_two_sum(hi2, e, hi2, permi_mul(s, block.e));\nlo2 = permi_add(lo2, e);\n",
    "permi_fast_two_sum(hi, lo, hi, permi_add(lo, permi_fma(s, block.e, e)));\n",
    "lo = permi_add(lo, e);\n",
    "permi_fast_two_sum(hi, lo, hi, permi_add(lo, permi_fma(s, block.x.e, e)));\n"
    "permi_two_sum(hi2, e, hi2, permi_mul(s, block.y.v));\n"
    "permi_fast_two_sum(hi2, lo2, hi2, permi_add(lo2, permi_fma(s, block.y.e, e)));\n"};

/* The kernel's table is start [words], step [high][words], words = rows times parts. Where numbers grow each pass has
   one, which ends with minus the prime, its inverse and residues. */
static void permi_code_text(permi_coder *coder, const permi_hybrid *hybrid)
{
  permi_code *code = coder->code;
  const int real = coder->parts == 1, whole = hybrid->algebra == PERMI_HYBRID_WHOLE;
  permi_code_functions(coder, hybrid);
  permi_code_print(code,
                   PERM_GPU_ENTRY "{\n"
                   "enum { WORDS = %d, HIGH = %d, WALK = %d, SAMPLES = %d, PASS = %d };\n"
                   "extern __shared__ double room[];\n"
                   "const int t = (int)threadIdx.x;\n"
                   "const unsigned long long chunk = a.first + blockIdx.x, number = %s << 7 | (unsigned)t;\n"
                   "const unsigned key = ((unsigned)chunk * 4 + (unsigned)(t >> 5)) * 0x85ebca6bu;\n"
                   "double *b = room + t, absolute = 0, hi = 0, lo = 0, hi2 = 0, lo2 = 0;\n"
                   "const double *table = a.table%s"
                   "for (int r = 0; r < WORDS; r++) {\n"
                   "  double x = table[r];\n"
                   "  for (int k = 0; k < HIGH; k++)\n"
                   "    x = permi_fma(-(double)(int)(number >> k & 1), table[WORDS * (1 + k) + r], x);\n"
                   "  b[128 * r] = x;\n"
                   "}\n"
                   "%s"
                   "PERMI_ROLLED\n"
                   "for (unsigned m = 0;;) {\n"
                   "%s%s",
                   code->live <= 40 ? 4 : code->live <= 62 ? 3 : 2, hybrid->n * coder->parts, hybrid->high, code->walk,
                   code->samples_log2, permi_code_pass(hybrid),
                   coder->grows ? "(chunk & ((1ull << (HIGH - 7)) - 1))" : "chunk",
                   coder->grows ? " + PASS * (chunk >> (HIGH - 7)), *residue = table + WORDS * (1 + HIGH) + 2;\n"
                                  "const double minus_prime = residue[-2], inverse = residue[-1];\n"
                                : ";\n",
                   whole || code->certify ? "" : permi_code_samples, code->certify ? permi_code_all_moduli : "",
                   real                ? "double block;\n"
                   : coder->parts == 2 ? "N block = {0, 0};\n"
                                       : "N block = {{0, 0}, {0, 0}};\n");
  permi_code_print_statements(coder, 0, code->moduli);
  permi_code_print(code,
                   "double e;\n"
                   "const double s = m & 1 ? -1.0 : 1.0;\n"
                   "permi_two_sum(hi, e, hi, permi_mul(s, block%s));\n"
                   "%s"
                   "if (++m == 1u << WALK) break;\n"
                   "{ const int j = permi_ctz(m); permi_turn(b, j, m >> (j + 1) & 1 ? 1.0 : -1.0%s); }\n"
                   "}\n"
                   "const double minus = permi_parity(number) ? -1.0 : 1.0;\n"
                   "const double sum[5] = {permi_mul(minus, hi), permi_mul(minus, lo), permi_mul(minus, hi2),\n"
                   "  permi_mul(minus, lo2), absolute};\n"
                   "permi_finish(room, a.out, sum);\n}\n",
                   real ? "" : coder->parts == 2 ? ".v" : ".x.v", permi_code_add_text[hybrid->algebra],
                   coder->grows ? ", residue" : "");
}

/* =================================================================================== >>program_plan
   Makes GPU programs of several layouts, keeps the best. */

/* Adds chunks' sums: integers below 2^107 in two doubles. */
static int permi_code_add_whole(void *context, perm_partial *partial, uint64_t from, uint64_t chunks, const double *sum)
{
  const permi_leaf *leaf = ((const permi_gpu_call *)context)->leaf;
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  const permi_hybrid_runs *runs = hybrid->runs;
  const int each_log2 = hybrid->high - hybrid->chunk_log2;
  for (uint64_t chunk = from; chunk < from + chunks; chunk++, sum += PERM_GPU_SUMS) {
    const permi_hybrid_run *run = runs->primes ? &runs->run[chunk >> each_log2] : NULL;
    if (!(fabs(sum[0]) <= DBL_MAX && fabs(sum[1]) <= DBL_MAX))
      return 0;
    if (run) {
      const double prime = (double)run->prime.p;
      permi_whole_add(runs, run, fmod(sum[0], prime) + fmod(sum[1], prime), partial);
    } else {
      permi_sum_add_double(&partial->value, sum[0]);
      permi_sum_add_double(&partial->value, sum[1]);
    }
  }
  permi_gpu_count(leaf, partial, from, chunks);
  return 1;
}

#define PERMI_GPU_TRIALS 6
typedef struct permi_code_trial {
  permi_layouts work;
  permi_arrangement layout;
  double cost;
} permi_code_trial;

typedef struct permi_code_choice {
  permi_maker *maker;
  const permi_block *block;
  permi_hybrid_algebra algebra;
  int moves;
  permi_code_trial *trial;
  double *scaled; /* the matrix as oriented, or words of integers */
  long long scale_exp2;
  int given, zero;
  int reduced[64]; /* rows */
  permi_hybrid *best;
} permi_code_choice;

static int permi_code_passes(const permi_hybrid *hybrid)
{
  return hybrid->runs && hybrid->runs->primes ? hybrid->runs->passes : 1;
}

static double permi_code_seconds(const permi_hybrid *hybrid)
{
  const permi_code *code = hybrid->code;
  const double spilled = fmax(code->live - PERMI_GPU_LIVE, 0);
  const double large = fmax(code->moduli - PERMI_GPU_LARGE, 0) / 6000;
  return (code->operations + code->moves) * ldexp(1, hybrid->n - 1 - hybrid->inner) /
         (PERMI_GPU_PIPE * (hybrid->parts == 1 ? 1 : PERMI_GPU_PART)) * permi_code_passes(hybrid) *
         permi_gpu_slower(PERM_GPU_FP64) * (1 + spilled * spilled / (PERMI_GPU_SPILL * PERMI_GPU_SPILL)) * (1 + large);
}

static void permi_code_rows(permi_coder *coder, const permi_code_choice *choice)
{
  const double *a = choice->scaled;
  const permi_layouts *work = coder->work;
  int i, k, n = work->n;
  for (i = 0; i < n + work->nodes && coder->memos <= PERMI_GPU_MEMO; i++) {
    coder->place[i] = coder->memos;
    coder->memos += 1 << permi_count_ones(work->node[i].scope);
    if (i < n && !coder->whole)
      permi_hybrid_row(&coder->rows, choice->algebra, a, coder->layout->order, i);
    for (k = 0; k < n && i < n && coder->whole; k++)
      memcpy(coder->rows.number[i][k], a + (i * n + coder->layout->order[k]) * PERMI_WHOLE_WORDS, sizeof(double[4]));
  }
}

static void permi_code_put_words(const permi_coder *coder, const permi_hybrid_run *run, int i, const double *x,
                                 int factor, double *to)
{
  for (int p = 0; p < coder->parts; p++)
    to[i * coder->parts + p] = coder->reduced[i] ? permi_whole_residue(run, x, factor) : factor * x[p];
}

static void permi_code_table(const permi_coder *coder, const permi_hybrid *hybrid, const permi_hybrid_run *run,
                             double *table)
{
  const permi_code *code = coder->code;
  const int words = hybrid->n * coder->parts, first = hybrid->inner + code->walk;
  for (int i = 0; i < hybrid->n; i++) {
    double sum[PERMI_WHOLE_WORDS] = {0, 0, 0, 0};
    for (int k = hybrid->inner; k < hybrid->n; k++)
      for (int p = 0; p < PERMI_WHOLE_WORDS; p++)
        sum[p] += coder->rows.number[i][k][p];
    permi_code_put_words(coder, run, i, sum, 1, table);
    for (int k = 0; k < hybrid->high; k++)
      permi_code_put_words(coder, run, i, coder->rows.number[i][first + k], 2, table + words * (1 + k));
  }
  if (!run)
    return;
  table += words * (1 + hybrid->high);
  *table++ = -(double)run->prime.p;
  *table++ = 1 / (double)run->prime.p;
  for (int k = 0; k < code->residues; k++)
    table[k] = permi_whole_residue(run, code->residue + k * PERMI_WHOLE_WORDS, 1);
}

/* Returns 0 without memory. */
static int permi_code_tables(const permi_coder *coder, const permi_code_choice *choice, permi_hybrid *hybrid)
{
  const perm_allocator *allocator = coder->code->allocator;
  const size_t doubles = (size_t)permi_code_pass(hybrid);
  if (choice->block->integer) {
    if (!permi_whole_runs(allocator, choice->block, choice->maker->options->modulus, 0, hybrid))
      return 0;
    hybrid->gpu.add = permi_code_add_whole;
  }
  const permi_hybrid_runs *runs = hybrid->runs;
  const int passes = permi_code_passes(hybrid);
  hybrid->gpu.work.doubles = (size_t)passes * doubles;
  double *table = (double *)permi_allocate_zeros(allocator, hybrid->gpu.work.doubles, sizeof(double));
  hybrid->gpu.work.table = hybrid->gpu.memory = table;
  if (!table)
    return 0;
  for (int k = 0; k < passes; k++)
    permi_code_table(coder, hybrid, runs && runs->primes ? &runs->run[k] : NULL, table + (size_t)k * doubles);
  return 1;
}

/* Decides what grows, by sizes in the tables of the CPU's program. */
static void permi_code_growths(permi_coder *coder, permi_hybrid *hybrid, const double *word)
{
  permi_hybrid_maker *maker = &coder->maker;
  double row[64];
  int i, k, n = coder->work->n;
  maker->work = coder->work;
  maker->layout = coder->layout;
  maker->hybrid = hybrid;
  maker->growths = (permi_growths *)permi_allocate_zeros(coder->code->allocator, 1, sizeof *maker->growths);
  coder->code->failed = 2;
  if (!maker->growths)
    return;
  maker->growths->most_halvings = n - 1;
  for (i = 0; i < n; i++) {
    for (k = 0; k < n; k++, word += PERMI_WHOLE_WORDS)
      row[k] = word[0] + 4294967296.0 * word[1];
    permi_whole_row(maker, row, i, coder->reduced[i]);
  }
  permi_maker_plan(maker);
  coder->code->failed = maker->failed;
  coder->grows = hybrid->grows;
}

static void permi_code_fill(permi_coder *coder, permi_hybrid *hybrid, const double *a)
{
  permi_code *code = coder->code;
  if (coder->whole)
    permi_code_growths(coder, hybrid, a);
  else
    permi_hybrid_errors(&coder->rows, &hybrid->rounding);
  permi_code_statements(coder);
  if (!code->failed && (!permi_code_live(coder, 0, code->moduli) ||
                        !permi_code_live(coder, code->moduli, code->statements)))
    code->failed = 2;
  if (code->failed)
    return;
  for (int k = 0; k < (code->certify ? code->statements : code->moduli); k++) {
    const int first_words = permi_hybrid_is_complex((int)hybrid->algebra) ? 2 : 1; /* which moduli load */
    code->operations += permi_code_operations(code, k, hybrid->algebra);
    if (code->statement[k].kind == PERMI_CODE_BASE)
      code->moves += PERMI_GPU_LOAD * (k < code->moduli ? coder->parts : first_words);
  }
  for (int k = 0; k < code->walk; k++)
    code->moves += ldexp(PERMI_GPU_FLIP * coder->parts * (code->first_flip[k + 1] - code->first_flip[k]), -k - 1);
  permi_code_text(coder, hybrid);
}

#define PERMI_GPU_VARIANTS 3
#define PERMI_CODE_BASES 224 /* words that shared memory takes, on Hopper */
static perm_status permi_code_create(const permi_code_choice *choice, permi_code_trial *trial, int variant,
                                     permi_hybrid **made)
{
  static const int remake[PERMI_GPU_VARIANTS] = {PERMI_GPU_VALUES, 400, 150};
  static const int reload[PERMI_GPU_VARIANTS] = {200, 100, 60};
  const perm_allocator *allocator = &choice->maker->options->allocator;
  const permi_hybrid_algebra algebra = choice->algebra;
  permi_layouts *work = &trial->work;
  permi_arrangement *layout = &trial->layout;
  const int n = work->n, outer = n - 1 - layout->inner, certify = choice->maker->options->certify;
  permi_coder *coder = (permi_coder *)permi_allocate_zeros(allocator, 1, sizeof *coder);
  permi_code *code = (permi_code *)permi_allocate_zeros(allocator, 1, sizeof *code);
  permi_hybrid *hybrid = (permi_hybrid *)permi_allocate(allocator, 1, sizeof *hybrid);
  int most, words, failed = 2;
  *made = NULL;
  if (hybrid)
    permi_hybrid_begin(hybrid, work, layout, algebra);
  if (coder && code && hybrid) {
    words = n * hybrid->parts;
    most = outer - PERM_GPU_THREADS_LOG2;
    code->walk = permi_clamp(most - 11, most < 3 ? most : 3, PERMI_GPU_WALK);
    hybrid->high = outer - code->walk;
    hybrid->chunk_log2 = PERM_GPU_THREADS_LOG2;
    hybrid->walked = code->walk;
    /* a thread samples 1/128 of its patterns, or more for 2^18 in all */
    most = code->walk;
    code->samples_log2 = certify ? most : permi_clamp(18 - hybrid->high, most < 7 ? 0 : most - 7, most);
    code->allocator = allocator;
    coder->work = work;
    coder->layout = layout;
    coder->code = hybrid->code = code;
    coder->parts = hybrid->parts;
    coder->remake = remake[variant];
    coder->reload = reload[variant];
    coder->rows.n = n;
    coder->whole = algebra == PERMI_HYBRID_WHOLE;
    coder->doubled = permi_hybrid_is_doubled((int)algebra);
    coder->floor = hybrid->rounding.floor;
    coder->reduced = choice->reduced;
    code->certify = certify && !coder->whole;
    permi_code_rows(coder, choice);
    coder->memo = (int *)permi_allocate(allocator, (size_t)coder->memos, sizeof(int));
    code->failed = !coder->memo ? 2 : coder->memos > PERMI_GPU_MEMO || words > PERMI_CODE_BASES;
    if (!code->failed)
      permi_code_fill(coder, hybrid, choice->scaled);
    if (!code->failed && !permi_code_tables(coder, choice, hybrid))
      code->failed = 2;
    permi_release(allocator, coder->maker.growths);
    permi_release(allocator, coder->memo);
    code->program.text = code->text;
    code->program.shared = sizeof(double) * 128 * (size_t)(words > PERM_GPU_SUMS ? words : PERM_GPU_SUMS);
    code->program.twin = PERMI_CODE_TWIN;
    code->program.context = hybrid;
    hybrid->isa = PERM_ISA_CUDA;
    hybrid->gpu.allocator = *allocator;
    hybrid->gpu.work.program = &code->program;
    hybrid->gpu.work.absolute_mask = (1u << (code->walk - code->samples_log2)) - 1;
    hybrid->gpu.terms = ldexp(1, PERM_GPU_THREADS_LOG2 + code->walk);
    failed = code->failed;
  } else {
    permi_code_release(allocator, code);
  }
  permi_release(allocator, coder);
  if (failed)
    permi_hybrid_release(allocator, hybrid);
  else
    *made = hybrid;
  return failed == 2 ? PERM_ERROR_MEMORY : PERM_OK;
}

static uint64_t permi_code_hash(uint64_t hash, const permi_code *code, const perm_gpu_work *gpu)
{
  for (size_t k = 0; k < code->length; k += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, code->text + k, code->length - k < sizeof word ? code->length - k : sizeof word);
    hash = permi_hash(hash, word);
  }
  for (size_t k = 0; k < gpu->doubles; k++)
    hash = permi_hash_double(hash, gpu->table[k]);
  return hash;
}

static perm_status permi_code_search(void *context, uint64_t number, int thread)
{
  const permi_code_choice *choice = (const permi_code_choice *)context;
  permi_code_trial *trial = &choice->trial[number];
  uint64_t seed = UINT64_C(0x9e3779b97f4a7c15) + number;
  (void)thread;
  trial->cost = choice->moves
                    ? permi_layout_anneal(&trial->work, &trial->layout, trial->cost, choice->moves, &seed)
                    : permi_layout_first(&trial->work, number & 1, &trial->layout);
  return PERM_OK;
}

/* Times, in that of doubles. */
#define PERMI_GPU_WHOLE 2.5     /* a prime */
#define PERMI_GPU_CERTIFIED 2.2
static double permi_code_rate(const permi_maker *maker, const permi_block *block, double otherwise)
{
  static const double each[PERMI_HYBRID_ALGEBRAS] = {1, 4, 10, PERMI_GPU_WHOLE, 60};
  const permi_hybrid_algebra algebra = permi_hybrid_algebra_of(maker);
  const int whole = algebra == PERMI_HYBRID_WHOLE;
  double slower = each[algebra] * (whole ? permi_whole_passes(block, 0) : 1);
  if (!permi_gpu_wanted(maker->options, block->n))
    return otherwise;
  if (maker->options->certify && !whole)
    slower += PERMI_GPU_CERTIFIED - 1;
  return PERMI_GPU_PIPE * PERMI_GPU_PART / (slower * permi_gpu_slower(PERM_GPU_FP64));
}

static double permi_code_search_all(permi_code_choice *choice, double rival)
{
  static const int budget[3] = {150, 130, 110};
  const int n = choice->block->n;
  const double rate = permi_code_rate(choice->maker, choice->block, 0);
  const double density = (double)choice->block->edges / ((double)n * n);
  double least = (double)INFINITY;
  for (int k = 0; k < PERMI_GPU_TRIALS; k++) {
    permi_layouts *work = &choice->trial[k].work;
    permi_layouts_make(work, choice->block);
    work->gpu = 1;
    work->budget = budget[k / 2] / permi_hybrid_parts((int)choice->algebra);
  }
  for (int pass = 0; pass < 2; pass++) {
    permi_share(permi_threads(choice->maker->options), 0, PERMI_GPU_TRIALS, permi_code_search, choice, NULL);
    for (int k = 0; k < PERMI_GPU_TRIALS; k++)
      least = fmin(least, choice->trial[k].cost / rate);
    choice->moves = (int)fmin(0.2 * fmin(least, rival) / (PERMI_HYBRID_MOVE_SECONDS * (1 + 4 * density)),
                              PERMI_GPU_MOVES);
    if (density > 0.65) /* seen: a tenth at 0.7, nothing in full matrices */
      choice->moves = choice->moves < 4000 ? choice->moves : 4000;
    if (choice->moves < 20 || least > 300 * rival)
      break;
  }
  return least;
}

static perm_status permi_code_try(permi_code_choice *choice, permi_code_trial *trial)
{
  perm_status status = PERM_OK;
  permi_hybrid *hybrid;
  if (choice->given != trial->layout.transposed) {
    choice->given = trial->layout.transposed;
    if (choice->block->integer)
      permi_whole_words(choice->block, choice->given, choice->scaled, choice->reduced);
    else
      status = permi_hybrid_matrix(choice->maker, choice->block, choice->given, choice->scaled, &choice->scale_exp2,
                                   trial->work.line_exp2, &choice->zero);
  }
  for (int k = 0; k < PERMI_GPU_VARIANTS && status == PERM_OK && !choice->zero; k++) {
    status = permi_code_create(choice, trial, k, &hybrid);
    if (hybrid) {
      const int faster = !choice->best || permi_code_seconds(hybrid) < permi_code_seconds(choice->best);
      hybrid->scale_exp2 += choice->scale_exp2;
      permi_hybrid_release(&choice->maker->options->allocator, faster ? choice->best : hybrid);
      choice->best = faster ? hybrid : choice->best;
    }
  }
  return status;
}

static perm_status permi_code_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_options *options = maker->options;
  const int n = block->n, parts = block->integer ? PERMI_WHOLE_WORDS : maker->working->is_complex ? 2 : 1;
  permi_code_choice choice = {maker, block, permi_hybrid_algebra_of(maker), 0, NULL, NULL, 0, -1, 0, {0}, NULL};
  permi_pool pool = {&options->allocator, NULL, 0};
  if (!permi_gpu_wanted(options, n) || (options->isa != PERM_ISA_CUDA && rival <= 2 * PERMI_GPU_COMPILE))
    return PERM_OK;
  choice.trial = (permi_code_trial *)permi_pool_get(&pool, PERMI_GPU_TRIALS, sizeof *choice.trial);
  choice.scaled = (double *)permi_pool_get(&pool, (size_t)(n * n * parts), sizeof *choice.scaled);
  perm_status status = pool.failed ? PERM_ERROR_MEMORY : PERM_OK;
  const double least = status == PERM_OK ? permi_code_search_all(&choice, rival) : 0;
  for (int k = 0; k < PERMI_GPU_TRIALS && status == PERM_OK && least < 1.2 * rival; k++)
    status = permi_code_try(&choice, &choice.trial[k]);
  permi_pool_release(&pool);
  offer->plan = choice.best;
  if (status != PERM_OK || !choice.best)
    return status == PERM_ERROR_MEMORY ? permi_fail_memory(maker->result) : status;
  permi_hybrid *hybrid = choice.best;
  uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)hybrid->algebra);
  hash = permi_hash(permi_hash(hash, (uint64_t)hybrid->high), (uint64_t)hybrid->n);
  hash = permi_code_hash(hash, hybrid->code, &hybrid->gpu.work);
  hash = hybrid->runs ? permi_hash(hash, hybrid->runs->modulus) : hash;
  hybrid->fingerprint = hybrid->gpu.work.fingerprint = hash;
  offer->seconds = permi_code_seconds(hybrid) + PERMI_GPU_COMPILE +
                   PERMI_GPU_COMPILE_EACH * hybrid->code->statements *
                       (hybrid->parts == 1 ? 1 : hybrid->parts == 2 ? 7 : 20);
  offer->bytes = (double)hybrid->code->length + 64.0 * hybrid->code->statements;
  return PERM_OK;
}

static perm_status permi_code_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  const permi_hybrid *hybrid = (const permi_hybrid *)offer->plan;
  (void)maker, (void)block;
  if (hybrid->code)
    leaf->run_range = permi_gpu_range;
  return PERM_OK;
}

static void permi_code_explain(const permi_hybrid *hybrid, char *buffer, size_t size, size_t *length)
{
  const permi_code *code = hybrid->code;
  permi_hybrid_say(buffer, size, length,
                   "%d in a walk, %d by threads; a kernel of %d statements and %d for moduli, %d constants, at most "
                   "%d doubles waiting; %.4g operations per outer pattern; ",
                   code->walk, hybrid->high, code->moduli, code->statements - code->moduli, code->constants,
                   code->live, code->operations);
}

/* ====================================================================================== >>signs_gpu
   Table and shape of the kernel of text_signs in perm_cuda.cu. Sums are modulo 2^192: those of a chunk are shorter. */

#define PERMI_SIGNS_GPU_TASK 20000 /* chosen: nodes of a task of a warp, on average */
#define PERMI_SIGNS_GPU_BLOCKS 6 /* chosen: of 4 warps, on a multiprocessor */
#define PERMI_SIGNS_GPU_OUT 8 /* a chunk's sum, 5 for the kernel */

typedef struct permi_signs_gpu {
  permi_gpu gpu; /* first */
  perm_gpu_program program;
  perm_gpu_signs shape;
  permi_signs *signs;
  char text[2048];
} permi_signs_gpu;

static int permi_signs_gpu_bits(const perm_gpu_signs *shape)
{
  return shape->by_table ? 4 : 8;
}

static void permi_signs_gpu_digit(const permi_signs *signs, const perm_gpu_signs *shape, int place, int x, uint32_t *to)
{
  const int bits = permi_signs_gpu_bits(shape);
  int c = 0, at;
  while (place >= signs->place[c + 1])
    c++;
  at = (place - signs->place[c]) * bits;
  to[shape->word[c] + at / 32] += (uint32_t)x << at % 32;
}

/* As many cuts for both blocks. */
static int permi_signs_gpu_cuts(const permi_signs *signs, int k)
{
  const int *start = signs->cut_start + 2 * k, first = start[1] - start[0], second = start[2] - start[1];
  return first > second ? first : second;
}

static int permi_signs_gpu_row(const perm_gpu_signs *shape, int block)
{
  return (shape->word[block + 2] - shape->word[block + 1] + 3) / 4 * 4 + (shape->word[1] + 3) / 4 * 4;
}

static perm_gpu_signs permi_signs_gpu_shape(const permi_signs *signs)
{
  perm_gpu_signs shape;
  int c, k, at = 64, words, cuts = 0;
  memset(&shape, 0, sizeof shape);
  shape.by_table = signs->by_table != 0;
  shape.prefix = signs->prefix;
  shape.depth = signs->depth;
  shape.paths = (int)signs->paths;
  for (c = 0; c < 4; c++)
    shape.word[c + 1] =
        (short)(shape.word[c] + ((signs->place[c + 1] - signs->place[c]) * permi_signs_gpu_bits(&shape) + 31) / 32);
  words = shape.word[4];
  for (k = 0; k < signs->prefix; k++)
    cuts += permi_signs_gpu_cuts(signs, k);
  for (c = 0; c < 2; c++) /* and cuts: in fours of words */
    shape.pattern[c] = at, at += 48 * permi_signs_gpu_row(&shape, c);
  shape.cut = at, at += 8 * cuts;
  shape.start = at, at += signs->prefix + 1;
  shape.target = at, at += words;
  shape.odd = at, at += words;
  shape.column = at, at += signs->prefix * (words + 1);
  shape.done = at, at += signs->prefix * words;
  shape.path = at; /* after what the cuts leave */
  while (shape.more < 10 && shape.depth + shape.more + 2 < shape.prefix &&
         ldexp(signs->counted[0] / signs->paths, -shape.more) > PERMI_SIGNS_GPU_TASK)
    shape.more++;
  shape.room = 128 + (shape.by_table ? 1 : 2) * (32 + 256) + 33 * (words + 1) + 256 * shape.word[1];
  shape.room = (shape.room + 3) / 4 * 4;
  return shape;
}

static void permi_signs_gpu_set(const uint64_t *set, uint32_t *to)
{
  for (int w = 0; w < 2 * PERMI_SIGNS_WORDS; w++)
    to[w] = (uint32_t)(set[w / 2] >> 32 * (w % 2));
}

/* Fills the cuts and, from `at` on, what they leave. */
static void permi_signs_gpu_fill_cuts(const permi_signs *signs, const perm_gpu_signs *shape, int at, uint32_t *word)
{
  const int bits = permi_signs_gpu_bits(shape), zero = 1 << (bits - 1), all = at;
  int k, i, block, level, first = 0;
  memset(word + at, 255, 2 * PERMI_SIGNS_WORDS * sizeof *word);
  at += 16;
  for (k = 0; k < signs->prefix; first += permi_signs_gpu_cuts(signs, k++)) {
    word[shape->start + k] = (uint32_t)(2 * first + (signs->done_place[k] < signs->done_place[k + 1]));
    for (i = 0; i < permi_signs_gpu_cuts(signs, k); i++)
      for (block = 0; block < 2; block++) {
        const int number = signs->cut_start[2 * k + block] + i, here = number < signs->cut_start[2 * k + block + 1];
        const permi_signs_cut *cut = &signs->cut[here ? number : 0];
        const int digit = (cut->place - signs->place[block + 1]) * bits;
        uint32_t *to = word + shape->cut + 8 * (first + i) + 4 * block;
        to[0] = (uint32_t)all;
        if (!here)
          continue;
        to[0] = (uint32_t)(at - 16 * (cut->least - PERMI_SIGNS_ZERO + zero));
        to[1] = (uint32_t)((shape->word[block + 1] + digit / 32) << 8 | digit % 32);
        to[2] = 16;
        to[3] = (uint32_t)(16 * cut->entry);
        for (level = 0; level < cut->levels; level++, at += 16)
          permi_signs_gpu_set(cut->alive[level], word + at);
      }
  }
  word[shape->start + k] = (uint32_t)(2 * first);
}

static void permi_signs_gpu_fill(const permi_signs *signs, const perm_gpu_signs *shape, uint32_t *word)
{
  const int words = shape->word[4], bits = permi_signs_gpu_bits(shape), zero = 1 << (bits - 1);
  const unsigned char *count = (const unsigned char *)signs->root.count;
  int block, place, k, j, c;
  for (block = 0; block < 2; block++)
    permi_signs_gpu_set(signs->root.alive[block], word + shape->root + 16 * block);
  for (c = 0; c < 4; c++) /* no row's digits */
    for (k = (signs->place[c + 1] - signs->place[c]) * bits; k < (shape->word[c + 1] - shape->word[c]) * 32; k += bits)
      word[shape->root + 32 + shape->word[c] + k / 32] += (uint32_t)(zero + 1) << k % 32;
  word[shape->root + 32 + words] = (uint32_t)signs->n;
  for (place = 0; place < signs->n; place++) {
    permi_signs_gpu_digit(signs, shape, place, count[place] - PERMI_SIGNS_ZERO + zero, word + shape->root + 32);
    permi_signs_gpu_digit(signs, shape, place, signs->odd[place] ? 0 : zero, word + shape->target);
    permi_signs_gpu_digit(signs, shape, place, signs->odd[place], word + shape->odd);
    for (k = 0; k < signs->prefix; k++)
      permi_signs_gpu_digit(signs, shape, place, signs->entry[place][k], word + shape->column + k * (words + 1));
  }
  for (k = 0; k < signs->prefix; k++) {
    word[shape->column + k * (words + 1) + words] = 1;
    for (place = signs->done_place[k]; place < signs->done_place[k + 1]; place++)
      permi_signs_gpu_digit(signs, shape, place, signs->odd[place] ? 0 : zero, word + shape->done + k * words);
  }
  for (block = 0; block < 2; block++) {
    const int first = signs->prefix + (block ? signs->length[0] : 0);
    const int begin = shape->word[block + 1], own = shape->word[block + 2] - begin;
    for (k = 0; k < 48; k++) { /* low 5 columns, high 4 */
      const int y = k < 32 ? k : (k - 32) << 5;
      uint32_t sum[PERM_MAX_N] = {0}, *to = word + shape->pattern[block] + k * permi_signs_gpu_row(shape, block);
      for (j = 0; j < signs->length[block]; j++)
        for (place = 0; place < signs->place[4] && y >> j & 1; place++)
          permi_signs_gpu_digit(signs, shape, place, signs->entry[place][first + j], sum);
      memcpy(to, sum + begin, (size_t)own * sizeof *sum);
      memcpy(to + (own + 3) / 4 * 4, sum, (size_t)shape->word[1] * sizeof *sum);
    }
  }
}

static void permi_signs_gpu_text(const perm_gpu_signs *shape, char *text, size_t room)
{
  const permi_gpu_member member[] = {
      {"prefix", NULL, shape->prefix}, {"depth", NULL, shape->depth}, {"more", NULL, shape->more},
      {"word", shape->word, 5},        {"words", NULL, shape->word[4]}, {"root", NULL, shape->root},
      {"start", NULL, shape->start},   {"target", NULL, shape->target}, {"odd", NULL, shape->odd},
      {"column", NULL, shape->column}, {"done", NULL, shape->done},     {"pattern0", NULL, shape->pattern[0]},
      {"pattern1", NULL, shape->pattern[1]}, {"cut", NULL, shape->cut}, {"path", NULL, shape->path},
      {"paths", NULL, shape->paths},   {"room", NULL, shape->room}};
  int c, most = 1, at;
  for (c = 0; c < 4; c++)
    most = shape->word[c + 1] - shape->word[c] > most ? shape->word[c + 1] - shape->word[c] : most;
  at = snprintf(text, room,
                "struct permi_shape {\n  enum { SMALL = %d, LANES = 1, MOST_PREFIX = %d, MOST_FOURS = %d };\n",
                shape->by_table, shape->prefix, (most + 3) / 4);
  permi_gpu_members(member, sizeof member / sizeof *member, "permi_signs_chunk", PERMI_SIGNS_GPU_BLOCKS, text, room,
                    (size_t)at);
}

static int permi_signs_gpu_add(void *context, perm_partial *partial, uint64_t first, uint64_t chunks, const double *sum)
{
  const permi_leaf *leaf = ((const permi_gpu_call *)context)->leaf;
  const permi_signs *signs = ((const permi_signs_gpu *)leaf->context)->signs;
  uint64_t chunk, word[3];
  for (chunk = 0; chunk < chunks; chunk++, sum += PERMI_SIGNS_GPU_OUT) {
    memcpy(word, sum, sizeof word);
    if (signs->doubled)
      permi_words_add(word, word, 3);
    permi_sum_add_signed(&partial->value, word, 3);
  }
  permi_gpu_count(leaf, partial, first, chunks);
  return 1;
}

static void permi_signs_gpu_release(const perm_allocator *allocator, void *context)
{
  permi_signs_gpu *run = (permi_signs_gpu *)context;
  permi_owned_release(allocator, run->signs);
  permi_release(allocator, run);
}

static size_t permi_signs_gpu_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  permi_leaf cpu = *leaf;
  cpu.context = ((const permi_signs_gpu *)leaf->context)->signs;
  return permi_signs_explain(&cpu, buffer, size);
}

static perm_status permi_signs_gpu_make(permi_maker *maker, permi_signs *signs, permi_leaf *leaf)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const size_t paths = (size_t)signs->paths, ranges = (size_t)signs->ranges + 1;
  perm_gpu_signs shape = permi_signs_gpu_shape(signs);
  const int alive = shape.path;
  shape.path += 16;
  for (int k = 0; k < signs->cut_start[2 * signs->prefix]; k++)
    shape.path += 16 * signs->cut[k].levels;
  shape.path = (shape.path + 1) / 2 * 2;
  const size_t doubles = (size_t)shape.path / 2 + paths + ranges;
  permi_signs_gpu *run = (permi_signs_gpu *)permi_allocate_zeros(allocator, 1, sizeof *run + doubles * sizeof(double));
  if (!run)
    return permi_fail_memory(maker->result);
  double *table = (double *)(void *)(run + 1);
  run->shape = shape;
  run->gpu.allocator = *allocator;
  run->gpu.add = permi_signs_gpu_add;
  run->gpu.terms = (double)(float)(signs->counted[3] / signs->ranges);
  run->gpu.work.doubles = doubles;
  uint32_t *word = (uint32_t *)(void *)table;
  permi_signs_gpu_fill(signs, &shape, word);
  permi_signs_gpu_fill_cuts(signs, &shape, alive, word);
  memcpy(table + shape.path / 2, signs->path, paths * sizeof(uint64_t));
  memcpy(table + (size_t)shape.path / 2 + paths, signs->begin, ranges * sizeof(uint64_t));
  run->signs = signs;
  permi_signs_gpu_text(&run->shape, run->text, sizeof run->text);
  run->program.text = run->text;
  run->program.shared = (260 + 4 * (size_t)run->shape.room) * sizeof(uint32_t);
  run->program.sums = PERMI_SIGNS_GPU_OUT;
  run->program.signs = &run->shape;
  run->gpu.work.table = table;
  run->gpu.work.program = &run->program;
  run->gpu.work.fingerprint = signs->fingerprint;
  leaf->context = run;
  leaf->explain = permi_signs_gpu_explain;
  leaf->release = permi_signs_gpu_release;
  leaf->run_range = permi_gpu_range;
  return PERM_OK;
}

/* ======================================================================================== >>codegen
   The generated kernels of [EK], as oracles: Ryser's sum (>>sparyser) in Gray order, where each column has code of its
   own with entries as literals. Row sums stand in registers: all, or in Algorithm 3's order only the k rows of the
   first c columns (Algorithm 4). Of these two plans and both orientations the fastest by prediction runs. Algorithm 2:
   a thread takes 2^d consecutive terms, with the largest d that all threads can have. Different here: 10 <= d <=
   PERMI_CODEGEN_WALK (a quarter of a second a kernel); a nominal GPU says how many threads fit, so that bits do not
   depend on the GPU; row sums are exact, and TwoSum adds terms. */

#define PERMI_CODEGEN_WALK 16
#define PERMI_CODEGEN_LEAST 10
#define PERMI_CODEGEN_RATIO 16 /* a change in memory over one in a register [EK] */
#define PERMI_CODEGEN_PROCESSORS 132
#ifndef PERMI_CODEGEN_SHARED
#define PERMI_CODEGEN_SHARED 232448 /* bytes a multiprocessor; 0: rows in global memory */
#endif
#define PERMI_CODEGEN_OTHERS 38 /* registers beside row sums */
#define PERMI_CODEGEN_BLOCKS 12 /* 1536 threads: every GPU has them */
#define PERMI_CODEGEN_LOAD 3   /* operations for a row in memory */

typedef struct permi_codegen_launch {
  uint64_t chunk, term;
  int walk;
} permi_codegen_launch;

typedef struct permi_codegen {
  permi_gpu gpu; /* first, for >>gpu */
  permi_code *code;
  permi_ryser ryser;
  int place[PERM_MAX_N];
  int kept, quick;         /* k and c */
  int blocks, shared, launches, walk;
  permi_codegen_launch launch[PERMI_CODEGEN_WALK - PERMI_CODEGEN_LEAST + 3];
  uint64_t chunks;
  double operations, seconds;
} permi_codegen;

static void permi_codegen_release(const perm_allocator *allocator, void *context)
{
  permi_codegen *codegen = (permi_codegen *)context;
  permi_code_release(allocator, codegen->code);
  permi_release(allocator, codegen->gpu.memory);
  permi_release(allocator, codegen);
}

static int permi_codegen_blocks(int rows)
{
  const int registers = (2 * rows + PERMI_CODEGEN_OTHERS + 7) / 8 * 8;
  return permi_clamp(65536 / (128 * registers), 1, PERMI_CODEGEN_BLOCKS);
}

static size_t permi_codegen_shared(const permi_codegen *codegen)
{
  const int rows = codegen->shared ? codegen->ryser.n - codegen->kept : 0;
  return (size_t)(rows > PERM_GPU_SUMS ? rows : PERM_GPU_SUMS);
}

/* Chooses k and c: Algorithm 4 of [EK]. */
static void permi_codegen_partition(permi_codegen *codegen)
{
  const permi_ryser *ryser = &codegen->ryser;
  const int n = ryser->n;
  double best = 0;
  int rows = 0, j, e;
  for (j = 0; j < ryser->digits; j++) {
    const double share = ldexp(1, -(j + 1));
    for (e = ryser->column_start[j]; e < ryser->column_start[j + 1]; e++)
      rows = codegen->place[ryser->touched[e]] >= rows ? codegen->place[ryser->touched[e]] + 1 : rows;
    const double score = 128.0 * PERMI_CODEGEN_PROCESSORS * permi_codegen_blocks(rows) /
                         (2 * rows * (1 - share) + PERMI_CODEGEN_RATIO * share * (n - rows));
    if (score > best || rows == codegen->kept) {
      best = score;
      codegen->kept = rows;
      codegen->quick = j + 1;
    }
  }
}

/* Shares the terms among threads: Algorithm 2 of [EK]. */
static void permi_codegen_launches(permi_codegen *codegen)
{
  const uint64_t terms = UINT64_C(1) << codegen->ryser.digits;
  const uint64_t threads = UINT64_C(128) * PERMI_CODEGEN_PROCESSORS * (uint64_t)codegen->blocks;
  uint64_t term = 0, chunks = 0;
  while (term < terms) {
    int walk = PERMI_CODEGEN_LEAST;
    while (walk < PERMI_CODEGEN_WALK && threads << (walk + 1) <= terms - term)
      walk++;
    const permi_codegen_launch launch = {chunks, term, walk};
    codegen->launch[codegen->launches++] = launch;
    if (threads << walk <= terms - term) {
      const uint64_t times = (terms - term) / (threads << walk);
      chunks += times * (threads / 128);
      term += times * threads << walk;
    } else {
      chunks += ((terms - term - 1) >> (walk + PERM_GPU_THREADS_LOG2)) + 1;
      term = terms;
    }
  }
  codegen->walk = codegen->launch[0].walk;
  codegen->chunks = chunks;
}

static void permi_codegen_plan(permi_codegen *codegen, const permi_block *block, int side, int memory)
{
  permi_ryser *ryser = &codegen->ryser;
  const int n = block->n;
  permi_ryser_split split = {0, n - 1, !memory, {0}};
  double changed = 0, touched = 0;
  memset(codegen, 0, sizeof *codegen);
  if (memory) {
    split.without = -1;
    permi_ryser_plan(ryser, block, side, &split);
    split.without = ryser->column[n - 1];
  }
  permi_ryser_plan(ryser, block, side, &split);
  for (int i = 0; i < n; i++)
    codegen->place[ryser->row[i]] = i;
  codegen->kept = memory ? 0 : n;
  codegen->quick = memory ? 0 : ryser->digits;
  if (memory)
    permi_codegen_partition(codegen);
  codegen->blocks = permi_codegen_blocks(codegen->kept);
  codegen->shared = 1;
  if ((permi_codegen_shared(codegen) * 128 * sizeof(double) + 1024) * (size_t)codegen->blocks > PERMI_CODEGEN_SHARED)
    codegen->shared = 0;
  permi_codegen_launches(codegen);
  for (int j = 0; j < ryser->digits; j++) {
    const double share = ldexp(1, -(j + 1));
    changed += share * (ryser->column_start[j + 1] - ryser->column_start[j]);
    touched += j < codegen->quick ? 0 : share * (n - codegen->kept);
  }
  codegen->operations = codegen->kept + (codegen->kept < n) + 9 + changed + PERMI_CODEGEN_LOAD * touched;
  codegen->seconds =
      codegen->operations * ryser->terms / (PERMI_GPU_PIPE * PERMI_CODEGEN_PART) * permi_gpu_slower(PERM_GPU_FP64);
}

static void permi_codegen_print_column(permi_code *code, const permi_codegen *codegen, int j, int out)
{
  const permi_ryser *ryser = &codegen->ryser;
  const int kept = codegen->kept;
  double entry[PERM_MAX_N];
  uint64_t there = 0;
  char text[32];
  int e, i, seldom = 0;
  permi_code_print(code, "case %d:\n", 2 * j + out);
  for (e = ryser->column_start[j]; e < ryser->column_start[j + 1]; e++) {
    i = codegen->place[ryser->touched[e]];
    entry[i] = out ? -ryser->value[0][e] : ryser->value[0][e];
    there |= UINT64_C(1) << i;
  }
  for (; there; there &= there - 1) {
    i = permi_trailing_zeros(there);
    permi_code_literal(entry[i], text);
    if (i < kept)
      permi_code_print(code, "x%d = permi_add(x%d, %s);\n", i, i, text);
    else
      permi_code_print(code, "G(%d) = permi_add(G(%d), %s);\n", i - kept, i - kept, text);
    seldom |= i >= kept;
  }
  permi_code_print(code, "%sPRODUCT\nbreak;\n", seldom ? "REST\n" : "");
}

/* Writes the kernel. Its table has row sums without columns [n], then columns [digits][n], rows by place. */
static void permi_codegen_text(permi_code *code, const permi_codegen *codegen)
{
  const permi_ryser *ryser = &codegen->ryser;
  const int n = ryser->n, kept = codegen->kept, rest = n - kept;
  const unsigned long long terms = 1ull << ryser->digits;
  const char sign = n % 2 ? '+' : '-';
  permi_code_print(code, "#define PRODUCT p = x0;");
  for (int i = 1; i < kept; i++)
    permi_code_print(code, " p = permi_mul(p, x%d);", i);
  permi_code_print(code, rest ? " p = permi_mul(p, rest);\n" : "\n");
  if (rest) /* unrolled, these rows would take registers */
    permi_code_print(code, "#define EVERY _Pragma(\"unroll 4\") for (int i = 0; i < %d; i++)\n"
                           "#define REST rest = 1; EVERY rest = permi_mul(rest, G(i));\n", rest);
  permi_code_print(code,
                   "#define G(i) %s\n" PERM_GPU_ENTRY "{\n"
                   "extern __shared__ double room[];\n"
                   "const int t = (int)threadIdx.x;\n"
                   "const unsigned long long chunk = a.first + blockIdx.x;\n"
                   "unsigned long long from = 0, begin = 0, left;\n"
                   "unsigned count;\n"
                   "double hi = 0, lo = 0, absolute = 0;\n"
                   "int walk = %d;\n",
                   codegen->shared ? "((volatile double *)room)[128 * (i) + t]" : "g[i]", codegen->blocks,
                   codegen->walk);
  for (int i = 1; i < codegen->launches; i++)
    permi_code_print(code, "if (chunk >= %lluull) { from = %lluull; begin = %lluull; walk = %d; }\n",
                     (unsigned long long)codegen->launch[i].chunk, (unsigned long long)codegen->launch[i].chunk,
                     (unsigned long long)codegen->launch[i].term, codegen->launch[i].walk);
  permi_code_print(code, "begin += ((chunk - from) << 7 | (unsigned)t) << walk;\n"
                         "left = begin < %lluull ? %lluull - begin : 0;\n"
                         "count = left >> walk ? 1u << walk : (unsigned)left;\n"
                         "if (count) {\n%s", terms, terms, rest ? "double rest;\n" : "");
  if (rest && !codegen->shared)
    permi_code_print(code, "volatile double g[%d];\n", rest);
  for (int i = 0; i < kept; i++)
    permi_code_print(code, "double x%d = a.table[%d];\n", i, i);
  if (rest)
    permi_code_print(code, "EVERY G(i) = a.table[%d + i];\n", kept);
  permi_code_print(code, "double p, e;\nPERMI_ROLLED\nfor (int j = 0; j < %d; j++)\n"
                         "if ((begin ^ begin >> 1) >> j & 1) {\nconst volatile double *c = a.table + %d * (1 + j);\n",
                   ryser->digits, n);
  for (int i = 0; i < kept; i++)
    permi_code_print(code, "x%d = permi_add(x%d, c[%d]);\n", i, i, i);
  if (rest)
    permi_code_print(code, "EVERY G(i) = permi_add(G(i), c[%d + i]);\n", kept);
  permi_code_print(code, "}\n%sPRODUCT\nhi = p;\nabsolute = fabs(p);\nPERMI_ROLLED\n"
                         "for (unsigned m = 1; m < count; m++) {\nconst int j = permi_ctz(m);\n"
                         "switch (2 * j + (int)((begin + m) >> (j + 1) & 1)) {\n", rest ? "REST\n" : "");
  for (int j = 0; j < 2 * ryser->digits && j < 2 * codegen->walk; j++)
    permi_codegen_print_column(code, codegen, j / 2, j % 2);
  permi_code_print(code,
                   "}\n"
                   "permi_two_sum(hi, e, hi, m & 1 ? -p : p);\n"
                   "lo = permi_add(lo, e);\n"
                   "absolute = permi_add(absolute, fabs(p));\n"
                   "}\n"
                   "}\n"
                   "const double sum[5] = {%chi, %clo, 0, 0, absolute};\n"
                   "permi_finish(room, a.out, sum);\n}\n", sign, sign);
}

static perm_status permi_codegen_create(const perm_allocator *allocator, permi_codegen *codegen)
{
  const permi_ryser *ryser = &codegen->ryser;
  const int n = ryser->n;
  const size_t doubles = (size_t)(n * (1 + ryser->digits));
  permi_code *code = codegen->code = (permi_code *)permi_allocate_zeros(allocator, 1, sizeof *code);
  double *table = codegen->gpu.memory = (double *)permi_allocate_zeros(allocator, doubles, sizeof(double));
  codegen->gpu.allocator = *allocator;
  if (!code || !table)
    return PERM_ERROR_MEMORY;
  code->allocator = allocator;
  permi_codegen_text(code, codegen);
  if (code->failed)
    return PERM_ERROR_MEMORY;
  for (int i = 0; i < n; i++)
    table[codegen->place[i]] = ryser->base[0][i];
  for (int j = 0; j < ryser->digits; j++)
    for (int e = ryser->column_start[j]; e < ryser->column_start[j + 1]; e++)
      table[n * (1 + j) + codegen->place[ryser->touched[e]]] = ryser->value[0][e];
  code->program.text = code->text;
  code->program.shared = permi_codegen_shared(codegen) * 128 * sizeof(double);
  code->program.twin = PERMI_CODEGEN_TWIN;
  code->program.context = codegen;
  codegen->gpu.work.table = table;
  codegen->gpu.work.doubles = doubles;
  codegen->gpu.work.program = &code->program;
  codegen->gpu.work.fingerprint =
      permi_code_hash(permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)n), codegen->chunks), code, &codegen->gpu.work);
  codegen->gpu.terms = (double)(float)(ryser->terms / (double)codegen->chunks); /* multiples are exact */
  return PERM_OK;
}

static perm_status permi_codegen_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_options *options = maker->options;
  permi_codegen *codegen;
  double least = (double)INFINITY;
  int way, best = 0;
  (void)rival;
  if (!options->gpu.devices)
    permi_refuse(offer, PERM_ERROR_DEVICE, "needs a GPU for this method: options.gpu.devices, or gpu.cpu_fallback");
  else if (block->integer || maker->working->integer)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has exact integers; this method takes them as real numbers");
  else if (block->imaginary || options->precision == PERM_PRECISION_DD)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has %s, which generated Ryser sums do not take",
                 block->imaginary ? "complex entries" : "another precision than double asked for");
  else if (block->n > PERM_MAX_N)
    permi_refuse(offer, PERM_ERROR_LIMIT, "is larger than the %d rows that sums over sets of columns take", PERM_MAX_N);
  if (offer->why[0])
    return PERM_OK;
  offer->plan = codegen = (permi_codegen *)permi_allocate(&options->allocator, 1, sizeof *codegen);
  if (!codegen)
    return permi_fail_memory(maker->result);
  for (way = 0; way < 4; way++) {
    permi_codegen_plan(codegen, block, way & 1, way >> 1);
    best = codegen->seconds < least ? way : best;
    least = fmin(least, codegen->seconds);
  }
  permi_codegen_plan(codegen, block, best & 1, best >> 1);
  if (!(codegen->ryser.growth < 1e300))
    return permi_refuse(offer, PERM_ERROR_LIMIT, "has row sums whose products may overflow");
  if (permi_codegen_create(&options->allocator, codegen) != PERM_OK)
    return permi_fail_memory(maker->result);
  offer->seconds =
      codegen->seconds + PERMI_GPU_COMPILE + PERMI_GPU_COMPILE_EACH * 2 * codegen->walk * codegen->operations;
  offer->bytes = sizeof *codegen + (double)codegen->code->length + 8.0 * (double)codegen->gpu.work.doubles;
  return PERM_OK;
}

static size_t permi_codegen_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_codegen *codegen = (const permi_codegen *)leaf->context;
  return permi_say(
      buffer, size,
      "%s, order %d%s: %d row sums in registers, enough for the first %d columns, %d in %s memory; %.3g terms in %d "
      "kinds of launches, up to 2^%d a thread, %d blocks a multiprocessor; %.0f chunks, predicted %.3g s on one GPU\n",
      perm_name("method", leaf->information.method), codegen->ryser.n, codegen->ryser.transposed ? " transposed" : "",
      codegen->kept, codegen->quick, codegen->ryser.n - codegen->kept, codegen->shared ? "shared" : "global",
      codegen->ryser.terms, codegen->launches, codegen->walk, codegen->blocks, (double)leaf->information.chunks,
      leaf->information.seconds);
}

static perm_status permi_codegen_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                      permi_leaf *leaf)
{
  permi_codegen *codegen = (permi_codegen *)offer->plan;
  permi_leaf_ranges(leaf, PERM_ISA_CUDA, codegen->chunks, codegen->operations * codegen->ryser.terms,
                    codegen->gpu.work.fingerprint, NULL, 0, permi_codegen_explain);
  leaf->run_range = permi_gpu_range;
  leaf->scale_exp2 = 1;
  permi_ryser_bounds(maker, block, &codegen->ryser, ldexp(128, codegen->walk), leaf);
  return PERM_OK;
}

#elif PERMI_CUDA_HOST == 3

/* ================================================================================= >>amplitudes_gpu */

#define PERMI_AMPLITUDES_GPU_SECONDS 5e-10 /* H200, 16 in 16: a state, with its way to the host */

static perm_status permi_photons_poll(void *context)
{
  permi_amplitudes *p = (permi_amplitudes *)context;
  return p->watch->stopped =
             permi_control_poll(p->watch, p->done, p->layer ? "adding photons" : "compiling for the GPU");
}

static const double *permi_photons_layer(void *context, int layer)
{
  permi_amplitudes *p = (permi_amplitudes *)context;
  p->done += p->layer ? p->each * (double)permi_ranks_first(&p->ranks, p->modes - 1, layer) : 0;
  p->layer = layer;
  permi_amplitudes_layer(p);
  return p->unit;
}

static perm_status permi_photons_give(void *context, size_t first, size_t count)
{
  permi_amplitudes *p = (permi_amplitudes *)context;
  (void)first;
  return permi_amplitudes_hand(p, count) == PERM_OK ? permi_photons_poll(p) : p->watch->stopped;
}

static int permi_amplitudes_gpu_takes(permi_amplitudes *p, const perm_options *options)
{
  char message[PERM_MESSAGE_BYTES];
  if (!options->gpu.devices)
    return 0;
  const double seconds = PERMI_GPU_START_SECONDS +
                         p->places * PERMI_AMPLITUDES_GPU_SECONDS * permi_gpu_slower(PERM_GPU_MEMORY);
  if ((!p->asked.on_gpu && options->isa != PERM_ISA_CUDA && seconds >= p->places * p->each) ||
      (options->gpu.cpu_fallback && !permi_gpu_devices(1, message)))
    return 0;
  p->each = seconds / p->places;
  return 1;
}

static perm_status permi_amplitudes_gpu_run(permi_amplitudes *p, perm_result *result)
{
  const perm_options *options = p->watch->options;
  char *message = p->watch->message;
  int device = 0;
  perm_status status = p->asked.on_gpu ? permi_gpu_owns(p->out, 8, "out", &device, result) : PERM_OK;
  const perm_gpu_photons work = {p->modes, p->n, p->asked.probabilities, p->elsewhere, p->asked.on_gpu, device,
                                 p->ranks.first, p->root, p->ranks.most, p->offset, p->count,
                                 p->pieces ? PERMI_AMPLITUDES_CALL : (size_t)1 << 24, p->out, p, permi_photons_poll,
                                 permi_photons_layer, p->pieces ? permi_photons_give : NULL};
  if (status != PERM_OK)
    return status;
  status = perm_cuda_amplitudes(&work, options, &p->total, message);
  p->done = p->places * p->each;
  return status == PERM_ERROR_DEVICE ? permi_fail(result, status, 0, "%s", message) : status;
}

#else /* for nvcc */
#include <cuda.h>
#include <dlfcn.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* =========================================================================================== >>text
   The kernels' text: strings for NVRTC, and code for this compiler, which checks it and makes a twin on the host. The
   host's rooms and >>compile write the last lines, which name a kernel's constants.
   Dense sums: a thread walks over 2^(walk + block) sign vectors, row sums x in registers, loops over rows unrolled (N =
   0, any order, is the twin's). The FP64 pipe limits: an fma of three different registers counts 1.5 operations. */

/* X(type, name, parameters, body on a GPU, body on the host). A volatile product is not contracted. permi_byte and
   permi_half return part k, signed, by one instruction where compilers make three. Those below permi_words_add are of a
   warp; the twin has its lanes in arrays. */
#define PERMI_VOCABULARY(X)                                                                                            \
  X(double, permi_add, (double a, double b), return __dadd_rn(a, b);, return a + b;)                                   \
  X(double, permi_mul, (double a, double b), return __dmul_rn(a, b);,                                                  \
    volatile double product = a * b; return product;)                                                                  \
  X(double, permi_fma, (double a, double b, double c), return __fma_rn(a, b, c);, return fma(a, b, c);)                \
  X(float, permi_add_float, (float a, float b), return __fadd_rn(a, b);, return a + b;)                                \
  X(float, permi_mul_float, (float a, float b), return __fmul_rn(a, b);,                                               \
    volatile float product = a * b; return product;)                                                                   \
  X(float, permi_fma_float, (float a, float b, float c), return __fmaf_rn(a, b, c);, return fmaf(a, b, c);)            \
  X(int, permi_ctz, (unsigned x), return __ffs((int)x) - 1;, return __builtin_ctz(x);)                                 \
  X(int, permi_parity, (unsigned long long x), return __popcll(x) & 1;, return __builtin_parityll(x);)                 \
  X(int, permi_byte, (unsigned word, int k),                                                                           \
    int x; asm("prmt.b32 %0, %1, 0, %2;" : "=r"(x) : "r"(word), "r"(0x8880 + 0x1111 * k)); return x;,                  \
    return (int)(signed char)(word >> 8 * k & 255);)                                                                   \
  X(int, permi_half, (unsigned word, int k),                                                                           \
    int x; asm("prmt.b32 %0, %1, 0, %2;" : "=r"(x) : "r"(word), "r"(0x9910 + 0x2222 * k)); return x;,                  \
    return (int)(short)(word >> 16 * k & 65535);)                                                                      \
  X(long long, permi_bits, (double x), return __double_as_longlong(x);,                                                \
    long long bits; memcpy(&bits, &x, sizeof bits); return bits;)                                                      \
  X(double, permi_of_bits, (long long bits), return __longlong_as_double(bits);,                                       \
    double x; memcpy(&x, &bits, sizeof x); return x;)                                                                  \
  X(int, permi_ones, (unsigned x), return __popc(x);, return __builtin_popcount(x);)                                   \
  X(unsigned long long, permi_high, (unsigned long long a, unsigned long long b), return __umul64hi(a, b);,            \
    return (unsigned long long)((unsigned __int128)a * b >> 64);) \
  X(unsigned, permi_high32, (unsigned a, unsigned b), return __umulhi(a, b);,                                          \
    return (unsigned)((unsigned long long)a * b >> 32);)                                                               \
  X(int, permi_last, (unsigned long long x), return 63 - __clzll((long long)x);, return 63 - __builtin_clzll(x);)      \
  X(int, permi_first, (unsigned long long x), return __ffsll((long long)x) - 1;, return __builtin_ctzll(x);)           \
  X(unsigned, permi_funnel, (unsigned low, unsigned high, unsigned k), return __funnelshift_l(low, high, k);,          \
    return (unsigned)(((unsigned long long)high << 32 | low) << k >> 32);)                                             \
  X(unsigned, permi_bytes_of, (unsigned low, unsigned high, unsigned places),                                          \
    return __byte_perm(low, high, places);, const unsigned long long from = (unsigned long long)high << 32 | low;      \
    unsigned bytes = 0; for (int k = 0; k < 4; k++)                                                                    \
      bytes |= (unsigned)(from >> 8 * (places >> 4 * k & 7) & 255) << 8 * k; return bytes;)                            \
  X(unsigned, permi_bytes_sum, (unsigned x, unsigned sum), return __dp4a(x, 0x01010101u, sum);,                        \
    for (int k = 0; k < 32; k += 8) sum += x >> k & 255; return sum;)                                                  \
  X(void, permi_words_add, (unsigned *sum, const unsigned *x, unsigned carry),                                         \
    asm("{.reg .u32 c; add.cc.u32 c,%12,%12; addc.cc.u32 %0,%0,%6; addc.cc.u32 %1,%1,%7; addc.cc.u32 %2,%2,%8;"        \
        "addc.cc.u32 %3,%3,%9; addc.cc.u32 %4,%4,%10; addc.u32 %5,%5,%11;}" : "+r"(sum[0]), "+r"(sum[1]),              \
        "+r"(sum[2]), "+r"(sum[3]), "+r"(sum[4]), "+r"(sum[5]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]),           \
        "r"(x[4]), "r"(x[5]), "r"(carry));,                                                                            \
    unsigned long long s = carry & 1; for (int k = 0; k < 6; k++, s >>= 32)                                            \
      sum[k] = (unsigned)(s += (unsigned long long)sum[k] + x[k]);)                                                    \
  X(int, permi_lane, (int l), return (int)(threadIdx.x & 31u) + l;, return l;)                                         \
  X(unsigned, permi_shuffle, (const unsigned *x, int from), return __shfl_sync(~0u, x[0], from);, return x[from];)     \
  X(unsigned, permi_ballot, (const bool *x), return __ballot_sync(~0u, x[0]);,                                         \
    unsigned set = 0; for (int l = 0; l < 32; l++) set |= (unsigned)x[l] << l; return set;)                            \
  X(void, permi_together, (), __syncwarp();, )                                                                         \
  X(unsigned long long, permi_seen, (const unsigned long long *x), return *(const volatile unsigned long long *)x;,    \
    return *x;)                                                                                                        \
  X(unsigned long long, permi_atomic_add, (unsigned long long *to, unsigned long long x), return atomicAdd(to, x);,    \
    *to += x; return *to - x;)                                                                                         \
  X(unsigned long long, permi_atomic_swap, (unsigned long long *at, unsigned long long from, unsigned long long to),   \
    return atomicCAS(at, from, to);, const unsigned long long was = *at; if (was == from) *at = to; return was;)       \
  X(void, permi_pause, (), __nanosleep(500);, )

#define PERMI_BOTH __host__ __device__ __forceinline__
#if defined(__CUDA_ARCH__)
#define PERMI_UNROLL _Pragma("unroll")
#define PERMI_ROLLED _Pragma("unroll 1")
#define PERMI_WORD(type, name, parameters, device, host) PERMI_BOTH type name parameters { device }
#else
#define PERMI_UNROLL
#define PERMI_ROLLED
#define PERMI_WORD(type, name, parameters, device, host) PERMI_BOTH type name parameters { host }
#endif
#define PERMI_WORD_TEXT(type, name, parameters, device, host) \
  "PERMI_BOTH " #type " " #name #parameters " { " #device " }\n"
PERMI_VOCABULARY(PERMI_WORD)
static const char permi_vocabulary[] = "#define PERMI_UNROLL _Pragma(\"unroll\")\n"
                                       "#define PERMI_ROLLED _Pragma(\"unroll 1\")\n"
                                       "#define PERMI_BOTH __device__ __forceinline__\n"
                                       PERMI_VOCABULARY(PERMI_WORD_TEXT);

#define PERMI_TEXT(name, ...)                                                                                          \
  __VA_ARGS__                                                                                                          \
  static const char permi_text_##name[] = #__VA_ARGS__;

/* clang-format off */
PERMI_TEXT(dense,
/* Makes s + e = a + b, exactly. */
PERMI_BOTH void permi_two_sum(double &s, double &e, double a, double b)
{
  const double sum = permi_add(a, b), with = permi_add(sum, -a);
  e = permi_add(permi_add(a, -permi_add(sum, -with)), permi_add(b, -with));
  s = sum;
}

/* The same for |a| >= |b|, or for a multiple of b's last place a. */
PERMI_BOTH void permi_fast_two_sum(double &s, double &e, double a, double b)
{
  const double sum = permi_add(a, b);
  e = permi_add(b, -permi_add(sum, -a));
  s = sum;
}

PERMI_BOTH void permi_two_product(double &p, double &e, double a, double b)
{
  p = permi_mul(a, b);
  e = permi_fma(a, b, -p);
}

/* Multiplies p by x. */
template <int PARTS>
PERMI_BOTH void permi_number_times(double *p, const double *x)
{
  if (PARTS == 1) {
    p[0] = permi_mul(p[0], x[0]);
  } else {
    const double re = permi_fma(-p[1], x[1], permi_mul(p[0], x[0]));
    p[1] = permi_fma(p[0], x[1], permi_mul(p[1], x[0]));
    p[0] = re;
  }
}

/* Returns true if a term enters the sum of |terms|; hashed, since a matrix may favour fixed signs. */
PERMI_BOTH bool permi_sampled(unsigned key, unsigned mask)
{
  key = (key ^ key >> 16) * 0x7feb352du;
  return !(key >> 24 & mask);
}

PERMI_BOTH unsigned permi_term_key(unsigned long long chunk, unsigned round, unsigned term)
{
  return ((unsigned)chunk + round * 0x85ebca6bu) ^ term * 0x9e3779b9u;
}

/* Returns the row of a walk's table that leads from term m to the next. */
PERMI_BOTH int permi_walk_row(unsigned m)
{
  const int j = permi_ctz(m + 1);
  return 2 * j + (int)((m + 1) >> (j + 1) & 1);
}

/* Multiplies p + c by a row, y + l: PERM_GPU_ROUNDED (1) or PERM_GPU_DOUBLED (2). */
template <int PARTS, int PRODUCT, int LOW>
PERMI_BOTH void permi_row(double *p, double *c, const double *y_given, const double *l_given, int first)
{
  double y[2], l[2];
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++) {
    y[part] = y_given[part];
    l[part] = l_given[part];
    if (PRODUCT == 1)
      y[part] = permi_add(y[part], l[part]);
    if (PRODUCT == 2)
      permi_fast_two_sum(y[part], l[part], y[part], l[part]);
  }
  if (first) {
    PERMI_UNROLL
    for (int part = 0; part < PARTS; part++) {
      p[part] = y[part];
      c[part] = l[part];
    }
  } else if (PRODUCT == 1) {
    permi_number_times<PARTS>(p, y);
  } else if (PARTS == 1) {
    double h = 0, e = 0;
    permi_two_product(h, e, p[0], y[0]);
    e = permi_fma(c[0], y[0], LOW ? permi_fma(p[0], l[0], e) : e);
    permi_fast_two_sum(p[0], c[0], h, e);
  } else { /* differences of products cancel and need TwoSum */
    double rr = 0, rr_e = 0, ii = 0, ii_e = 0, ri = 0, ri_e = 0, ir = 0, ir_e = 0, hr = 0;
    double hr_e = 0, hi = 0, hi_e = 0;
    permi_two_product(rr, rr_e, p[0], y[0]);
    permi_two_product(ii, ii_e, p[1], y[1]);
    permi_two_product(ri, ri_e, p[0], y[1]);
    permi_two_product(ir, ir_e, p[1], y[0]);
    permi_two_sum(hr, hr_e, rr, -ii);
    permi_two_sum(hi, hi_e, ri, ir);
    hr_e = permi_add(hr_e, permi_add(rr_e, -ii_e));
    hi_e = permi_add(hi_e, permi_add(ri_e, ir_e));
    if (LOW) {
      hr_e = permi_fma(-p[1], l[1], permi_fma(p[0], l[0], hr_e));
      hi_e = permi_fma(p[1], l[0], permi_fma(p[0], l[1], hi_e));
    }
    hr_e = permi_fma(-c[1], y[1], permi_fma(c[0], y[0], hr_e));
    hi_e = permi_fma(c[1], y[0], permi_fma(c[0], y[1], hi_e));
    permi_two_sum(p[0], c[0], hr, hr_e);
    permi_two_sum(p[1], c[1], hi, hi_e);
  }
}

/* Multiplies a row of PERM_GPU_PIVOT: p times x + c, q times x - c; c = 1 unless `plain`. */
template <int PARTS>
PERMI_BOTH void permi_row_pivot(double *p, double *q, const double *x, const double *c, int plain, int first)
{
  if (plain || first) {
    double plus[2] = {permi_add(x[0], plain ? c[0] : 1.0), 0};
    double minus[2] = {permi_add(x[0], plain ? -c[0] : -1.0), 0};
    if (PARTS == 2) {
      plus[1] = plain ? permi_add(x[1], c[1]) : x[1];
      minus[1] = plain ? permi_add(x[1], -c[1]) : x[1];
    }
    if (first) {
      PERMI_UNROLL
      for (int part = 0; part < PARTS; part++) {
        p[part] = plus[part];
        q[part] = minus[part];
      }
    } else {
      permi_number_times<PARTS>(p, plus);
      permi_number_times<PARTS>(q, minus);
    }
  } else if (PARTS == 1) {
    p[0] = permi_fma(p[0], x[0], p[0]);
    q[0] = permi_fma(q[0], x[0], -q[0]);
  } else {
    const double p_re = permi_fma(-p[1], x[1], permi_fma(p[0], x[0], p[0]));
    const double q_re = permi_fma(-q[1], x[1], permi_fma(q[0], x[0], -q[0]));
    p[1] = permi_fma(p[0], x[1], permi_fma(p[1], x[0], p[1]));
    q[1] = permi_fma(q[0], x[1], permi_fma(q[1], x[0], -q[1]));
    p[0] = p_re;
    q[0] = q_re;
  }
}

/* A kernel's arguments; constants: block columns twice, pivots of plain rows. */
template <int COUNT, class T = double>
struct permi_arguments {
  const double *table;
  double *out;
  unsigned long long first;
  int n, plain, block, walk, high;
  unsigned mask;
  T constant[COUNT];
};

/* A thread's registers. `kept` has, STEP places apart, value hi, lo, imaginary hi, lo, and the sum of sampled |terms|.
   */
template <int ROOM, int STEP>
struct permi_registers {
  double x[ROOM];
  double inner[2];
  const double *row; /* of the walk's next step */
  double *kept;
  bool odd, sampled;
};

template <int N, int PARTS, int PRODUCT, int LOW, int K, int PLAIN, int SAMPLED, int COUNT, int ROOM, int STEP>
PERMI_BOTH void permi_state(const permi_arguments<COUNT> &a, permi_registers<ROOM, STEP> &o, int s)
{
  enum { WORDS = PARTS * (1 + LOW), PIVOT = PRODUCT == 0, ROUNDED = PRODUCT < 2 };
  const int n = N ? N : a.n, block = N ? K : a.block, plain = N ? PLAIN : a.plain;
  const int column = s ? permi_ctz((unsigned)s) : 0;
  const bool down = (s ^ s >> 1) >> column & 1;
  double p[2] = {0, 0}, q[2] = {0, 0};
  double2 pair = {0, 0};
  PERMI_UNROLL
  for (int r = 0; r < n; r++) {
    double y[2] = {0, 0}, l[2] = {0, 0};
    PERMI_UNROLL
    for (int w = 0; w < WORDS; w++) {
      const int i = r * WORDS + w;
      if (s == 0) {
        if (!(i & 1))
          pair = ((const double2 *)o.row)[i / 2];
        o.x[i] = permi_add(o.x[i], i & 1 ? pair.y : pair.x);
      } else {
        const double twice = a.constant[column * n * WORDS + i];
        o.x[i] = permi_add(o.x[i], down ? -twice : twice);
      }
      if (LOW && (w & 1))
        l[w / 2] = o.x[i];
      else
        y[LOW ? w / 2 : w] = o.x[i];
    }
    if (PIVOT)
      permi_row_pivot<PARTS>(p, q, y, a.constant + (r < n - plain ? 0 : block * n * WORDS + (r - n + plain) * PARTS),
                             r >= n - plain, r == 0);
    else
      permi_row<PARTS, PRODUCT, LOW>(p, q, y, l, r == 0);
  }
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++) {
    if (SAMPLED == 2 ? o.sampled : SAMPLED == 1) {
      double *absolute = o.kept + 4 * STEP;
      *absolute = permi_add(*absolute, fabs(p[part]));
      if (PIVOT)
        *absolute = permi_add(*absolute, fabs(q[part]));
    }
    if (ROUNDED) {
      const double term = PIVOT ? permi_add(p[part], -q[part]) : p[part];
      o.inner[part] = s == 0 ? term : permi_add(o.inner[part], s & 1 ? -term : term);
    } else {
      const bool minus = o.odd != (bool)(s & 1);
      double *hi = o.kept + 2 * STEP * part;
      double *lo = hi + STEP;
      double error;
      permi_two_sum(*hi, error, *hi, minus ? -p[part] : p[part]);
      *lo = permi_add(*lo, permi_add(error, minus ? -q[part] : q[part]));
    }
  }
}

/* Adds terms S to END. Recursive, since compilers would unroll less. */
template <int S, int END, int N, int PARTS, int PRODUCT, int LOW, int K, int PLAIN, int SAMPLED, int COUNT, int ROOM,
          int STEP>
struct permi_states {
  static PERMI_BOTH void run(const permi_arguments<COUNT> &a, permi_registers<ROOM, STEP> &o)
  {
    permi_state<N, PARTS, PRODUCT, LOW, K, PLAIN, SAMPLED, COUNT, ROOM, STEP>(a, o, S);
    permi_states<S + 1, END, N, PARTS, PRODUCT, LOW, K, PLAIN, SAMPLED, COUNT, ROOM, STEP>::run(a, o);
  }
};

template <int END, int N, int PARTS, int PRODUCT, int LOW, int K, int PLAIN, int SAMPLED, int COUNT, int ROOM, int STEP>
struct permi_states<END, END, N, PARTS, PRODUCT, LOW, K, PLAIN, SAMPLED, COUNT, ROOM, STEP> {
  static PERMI_BOTH void run(const permi_arguments<COUNT> &, permi_registers<ROOM, STEP> &) {}
};

template <int N, int PARTS, int PRODUCT, int LOW, int K, int PLAIN, int SAMPLED, int COUNT, int ROOM, int STEP>
PERMI_BOTH void permi_setting(const permi_arguments<COUNT> &a, permi_registers<ROOM, STEP> &o)
{
  if (N)
    permi_states<0, N ? 1 << K : 0, N, PARTS, PRODUCT, LOW, K, PLAIN, SAMPLED, COUNT, ROOM, STEP>::run(a, o);
  else
    for (int s = 0; s < 1 << a.block; s++)
      permi_state<N, PARTS, PRODUCT, LOW, K, PLAIN, SAMPLED, COUNT, ROOM, STEP>(a, o, s);
}

/* A thread's sums. Two unrolled columns come twice, without branches between terms: 2 % faster (three: 20 % slower). */
template <int N, int PARTS, int PRODUCT, int LOW, int K, int PLAIN, int COUNT, int STEP>
PERMI_BOTH void permi_walk(const permi_arguments<COUNT> &a, const double *table, unsigned long long chunk, int thread,
                           double *kept)
{
  enum { WORDS = PARTS * (1 + LOW), ROOM = (N ? N : 64) * WORDS, ROUNDED = PRODUCT < 2, COPIES = K == 2 };
  const int n = N ? N : a.n, block = N ? K : a.block, stride = (n * WORDS + 1) / 2 * 2;
  const unsigned states = 1u << a.walk;
  const unsigned long long number = chunk << 7 | (unsigned long long)thread;
  const unsigned key = ((unsigned)chunk * 4 + (unsigned)(thread >> 5)) * 0x85ebca6bu;
  unsigned group = block < 3 ? 8u >> block : 1;
  double sum[2] = {0, 0};
  permi_registers<ROOM, STEP> o;
  o.row = table + stride * 2 * a.walk;
  o.kept = kept;
  o.sampled = true;
  if (group > states)
    group = states;
  o.inner[0] = o.inner[1] = 0;
  PERMI_UNROLL
  for (int k = 0; k < 5; k++)
    kept[STEP * k] = 0;
  PERMI_UNROLL
  for (int i = 0; i < n * WORDS; i++)
    o.x[i] = a.table[i];
  PERMI_ROLLED
  for (int k = 0; k < a.high; k++) {
    const double minus = -(double)(int)(number >> k & 1);
    const double *step = a.table + stride * (1 + k);
    PERMI_UNROLL
    for (int i = 0; i < n * WORDS; i++)
      o.x[i] = permi_fma(minus, step[i], o.x[i]); /* exact, as all row sums */
  }
  PERMI_ROLLED
  for (unsigned m = 0; m < states; m++) {
    o.odd = m & 1;
    if (a.mask && !(m & (group - 1)))
      o.sampled = permi_sampled(key + m / group * 0x9e3779b9u, a.mask);
    if (!COPIES)
      permi_setting<N, PARTS, PRODUCT, LOW, K, PLAIN, 2, COUNT, ROOM, STEP>(a, o);
    else if (o.sampled)
      permi_setting<N, PARTS, PRODUCT, LOW, K, PLAIN, 1, COUNT, ROOM, STEP>(a, o);
    else
      permi_setting<N, PARTS, PRODUCT, LOW, K, PLAIN, 0, COUNT, ROOM, STEP>(a, o);
    PERMI_UNROLL
    for (int part = 0; part < PARTS; part++) {
      if (ROUNDED) {
        const double inner = o.odd ? -o.inner[part] : o.inner[part];
        sum[part] = block < 3 ? permi_add(sum[part], inner) : inner;
      }
      if (block >= 3 || (m & (group - 1)) == group - 1) {
        double *hi = kept + 2 * STEP * part;
        double *lo = hi + STEP;
        double error;
        if (ROUNDED) {
          permi_two_sum(*hi, error, *hi, sum[part]);
          *lo = permi_add(*lo, error);
          sum[part] = 0;
        } else {
          permi_two_sum(*hi, *lo, *hi, *lo);
        }
      }
    }
    o.row = table + stride * permi_walk_row(m);
  }
  if (permi_parity(number)) {
    PERMI_UNROLL
    for (int k = 0; k < 4; k++)
      kept[STEP * k] = -kept[STEP * k];
  }
}

PERMI_BOTH void permi_fold(double *room, int t, int half)
{
  PERMI_UNROLL
  for (int k = 0; k < 4; k += 2) {
    double *hi = room + 128 * k + t;
    double *lo = hi + 128;
    double s, e;
    permi_two_sum(s, e, hi[0], hi[half]);
    e = permi_add(e, permi_add(lo[0], lo[half]));
    permi_fast_two_sum(hi[0], lo[0], s, e);
  }
  room[512 + t] = permi_add(room[512 + t], room[512 + t + half]);
}

__device__ __forceinline__ void permi_total(double *room, double *out)
{
  const int t = (int)threadIdx.x;
  for (int half = 64; half; half /= 2) {
    __syncthreads();
    if (t < half)
      permi_fold(room, t, half);
  }
  if (t == 0)
    for (int k = 0; k < 5; k++)
      out[5 * (unsigned long long)blockIdx.x + k] = room[128 * k];
}

__device__ __forceinline__ void permi_finish(double *room, double *out, const double *sum)
{
  __syncthreads();
  for (int k = 0; k < 5; k++)
    room[128 * k + threadIdx.x] = sum[k];
  permi_total(room, out);
}

template <int N, int PARTS, int PRODUCT, int LOW, int K, int PLAIN, int COUNT>
__device__ __forceinline__ void permi_chunk(const permi_arguments<COUNT> &a)
{
  enum { SHARED = PARTS == 1 && PRODUCT == 0 && N <= 44 };
  extern __shared__ double2 permi_shared[];
  double *room = (double *)permi_shared; /* [5][128], then the walk's table */
  double *table = room + 640;
  const int t = (int)threadIdx.x, stride = (N * PARTS * (1 + LOW) + 1) / 2 * 2;
  for (int i = t; i < stride * (2 * a.walk + 1); i += 128)
    table[i] = a.table[stride * (1 + a.high) + i];
  __syncthreads();
  /* sums in shared memory: 1.3 % faster where registers are scarce, else slower */
  if (SHARED) {
    permi_walk<N, PARTS, PRODUCT, LOW, K, PLAIN, COUNT, 128>(a, table, a.first + blockIdx.x, t, room + t);
    permi_total(room, a.out);
  } else {
    double kept[5];
    permi_walk<N, PARTS, PRODUCT, LOW, K, PLAIN, COUNT, 1>(a, table, a.first + blockIdx.x, t, kept);
    permi_finish(room, a.out, kept);
  }
}
)
/* clang-format on */

/* ==================================================================================== >>text_floats
   The dense kernel in pairs of floats (>>floats): row sums y + l with the pivot, products p + c that begin at 2^120 and
   only fall. FP32 pipes wait for registers: an fma of three counts 1.6, so columns come from shared memory. */

/* clang-format off */
PERMI_TEXT(floats,
PERMI_BOTH void permi_two_sum_float(float &s, float &e, float a, float b)
{
  const float sum = permi_add_float(a, b), with = permi_add_float(sum, -a);
  e = permi_add_float(permi_add_float(a, -permi_add_float(sum, -with)), permi_add_float(b, -with));
  s = sum;
}

/* Multiplies p + c by y + l; `both` is y, or y + l in one float, which keeps c small. `first`: c is 0. */
template <int LOW>
PERMI_BOTH void permi_float_times(float &p, float &c, float y, float l, float both, int first)
{
  const float product = permi_mul_float(p, both);
  float e = permi_fma_float(p, y, -product);
  if (LOW)
    e = permi_fma_float(p, l, e);
  c = first ? e : permi_fma_float(c, both, e);
  p = product;
}

template <int ROOM>
struct permi_float_registers {
  float y[ROOM], l[ROOM];
};

/* Sets out[] to P - Q (hi, lo), |P| + |Q|, and the sum of both products of |row sum| + 2^-10. Rows are multiplied in
   groups, each of which becomes one float and its rest. */
template <int N, int GROUP, int LOW, int MAJORANT, int COUNT, int ROOM>
PERMI_BOTH void permi_float_state(const permi_arguments<COUNT, float> &a, const permi_float_registers<ROOM> &o,
                                  float *out)
{
  const int n = N ? N : a.n;
  const float begin = 1.32922799578491587e36f;
  float p[2] = {0, 0}, c[2] = {0, 0}, high[2] = {0, 0}, low[2] = {0, 0}, most[2] = {0, 0};
  PERMI_UNROLL
  for (int r = 0; r < n; r++) {
    PERMI_UNROLL
    for (int k = 0; k < 2; k++) {
      const float y = k ? permi_add_float(o.y[r], -a.constant[r]) : o.y[r];
      if (!LOW) {
        if (r == 0)
          p[k] = permi_mul_float(y, begin);
        else
          permi_float_times<0>(p[k], c[k], y, 0, y, r == 1);
        continue;
      }
      if (r % GROUP == 0) {
        high[k] = y;
        low[k] = o.l[r];
      } else {
        permi_float_times<1>(high[k], low[k], y, o.l[r], y, 0);
      }
      if (r % GROUP == GROUP - 1 || r == n - 1) {
        const float both = permi_add_float(high[k], low[k]);
        if (MAJORANT) {
          const float more = permi_add_float(fabsf(both), 0.0009765625f);
          most[k] = permi_mul_float(r == 0 ? begin : most[k], more);
        }
        if (r < GROUP) {
          p[k] = permi_mul_float(both, begin);
          c[k] = permi_mul_float(permi_add_float(permi_add_float(high[k], -both), low[k]), begin);
        } else {
          permi_float_times<1>(p[k], c[k], high[k], low[k], both, 0);
        }
      }
    }
  }
  permi_two_sum_float(out[0], out[1], p[0], -p[1]);
  out[1] = permi_add_float(out[1], permi_add_float(c[0], -c[1]));
  out[2] = permi_add_float(fabsf(p[0]), fabsf(p[1]));
  out[3] = MAJORANT ? permi_add_float(most[0], most[1]) : 0;
}

/* The same of complex numbers: y and l are [row][part], pivots are real. out[]: real part of P - Q, moduli, imaginary
   part. Differences of products cancel, and need TwoSum. */
template <int N, int COUNT, int ROOM>
PERMI_BOTH void permi_float_state_complex(const permi_arguments<COUNT, float> &a, const permi_float_registers<ROOM> &o,
                                          float *out)
{
  const int n = N ? N : a.n;
  const float begin = 1.32922799578491587e36f;
  float p[2] = {0, 0}, q[2] = {0, 0}, c[2] = {0, 0}, d[2] = {0, 0};
  PERMI_UNROLL
  for (int r = 0; r < n; r++) {
    const float z = o.y[2 * r + 1], m = o.l[2 * r + 1], Z = permi_add_float(z, m);
    PERMI_UNROLL
    for (int k = 0; k < 2; k++) {
      const float y = k ? permi_add_float(o.y[2 * r], -a.constant[r]) : o.y[2 * r];
      const float l = o.l[2 * r], Y = permi_add_float(y, l);
      if (r == 0) {
        p[k] = permi_mul_float(Y, begin);
        q[k] = permi_mul_float(Z, begin);
        c[k] = permi_mul_float(permi_add_float(permi_add_float(y, -Y), l), begin);
        d[k] = permi_mul_float(permi_add_float(permi_add_float(z, -Z), m), begin);
      } else {
        const float py = permi_mul_float(p[k], Y), qz = permi_mul_float(q[k], Z);
        const float pz = permi_mul_float(p[k], Z), qy = permi_mul_float(q[k], Y);
        float re = 0, im = 0, re_e = 0, im_e = 0;
        permi_two_sum_float(re, re_e, py, -qz);
        permi_two_sum_float(im, im_e, pz, qy);
        re_e = permi_add_float(re_e, permi_add_float(permi_fma_float(p[k], y, -py), -permi_fma_float(q[k], z, -qz)));
        im_e = permi_add_float(im_e, permi_add_float(permi_fma_float(p[k], z, -pz), permi_fma_float(q[k], y, -qy)));
        re_e = permi_fma_float(-q[k], m, permi_fma_float(p[k], l, re_e));
        im_e = permi_fma_float(q[k], l, permi_fma_float(p[k], m, im_e));
        re_e = permi_fma_float(-d[k], Z, permi_fma_float(c[k], Y, re_e));
        d[k] = permi_fma_float(d[k], Y, permi_fma_float(c[k], Z, im_e));
        c[k] = re_e;
        p[k] = re;
        q[k] = im;
      }
    }
  }
  permi_two_sum_float(out[0], out[1], p[0], -p[1]);
  permi_two_sum_float(out[3], out[4], q[0], -q[1]);
  out[1] = permi_add_float(out[1], permi_add_float(c[0], -c[1]));
  out[4] = permi_add_float(out[4], permi_add_float(d[0], -d[1]));
  out[2] = permi_add_float(permi_add_float(fabsf(p[0]), fabsf(q[0])), permi_add_float(fabsf(p[1]), fabsf(q[1])));
}

/* Fixed and high columns are summed in units of 2^-62, and split: hi of 2^-24, lo of 2^(a.plain - 62). */
template <int N, int PARTS, int LOW, int COUNT, int ROOM>
PERMI_BOTH void permi_float_start(const permi_arguments<COUNT, float> &a, unsigned long long number,
                                  permi_float_registers<ROOM> &o)
{
  const int n = N ? N : a.n, stride = (n * PARTS + 1) / 2 * 2;
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++) {
    const unsigned long long *table = (const unsigned long long *)a.table + part;
    unsigned long long x[N ? N : 64];
    PERMI_UNROLL
    for (int r = 0; r < n; r++)
      x[r] = table[r * PARTS];
    PERMI_ROLLED
    for (int k = 0; k < a.high; k++) {
      const unsigned long long minus = 0 - (number >> k & 1);
      const unsigned long long *step = table + stride * (1 + k);
      PERMI_UNROLL
      for (int r = 0; r < n; r++)
        x[r] -= step[r * PARTS] & minus;
    }
    PERMI_UNROLL
    for (int r = 0; r < n; r++) {
      const long long sum = (long long)x[r], high = (sum + (1ll << 37)) >> 38;
      o.y[r * PARTS + part] = permi_mul_float((float)(int)high, 5.9604644775390625e-8f);
      if (LOW)
        o.l[r * PARTS + part] = permi_mul_float(
            (float)(int)((sum - high * (1ll << 38) + (1ll << a.plain >> 1)) >> a.plain), a.constant[n]);
    }
  }
}

/* A thread's sums, 128 places apart: value hi, lo, imaginary hi, lo (or majorants, 0), sampled |terms|. K: an unrolled
   column, of entries on the grid. */
template <int N, int PARTS, int GROUP, int LOW, int MAJORANT, int K, int COUNT>
PERMI_BOTH void permi_float_walk(const permi_arguments<COUNT, float> &a, const float *table, unsigned long long chunk,
                                 int thread, double *kept)
{
  enum { ROOM = (N ? N : 64) * PARTS, STEP = 128 };
  const int n = (N ? N : a.n) * PARTS, stride = (n + 1) / 2 * 4;
  const unsigned states = 1u << a.walk, group = states < 8 ? states : 8;
  const unsigned long long number = chunk << 7 | (unsigned long long)thread;
  const unsigned key = ((unsigned)chunk * 4 + (unsigned)(thread >> 5)) * 0x85ebca6bu;
  const float *row = table + stride * 2 * a.walk;
  permi_float_registers<ROOM> o;
  double sum[2] = {0, 0};
  float size = 0, most = 0;
  permi_float_start<N, PARTS, LOW, COUNT, ROOM>(a, number, o);
  PERMI_UNROLL
  for (int k = 0; k < 5; k++)
    kept[STEP * k] = 0;
  PERMI_ROLLED
  for (unsigned m = 0; m < states; m++) {
    float out[5];
    float4 four = {0, 0, 0, 0};
    PERMI_UNROLL
    for (int r = 0; r < n; r++) {
      if (!(r & (LOW ? 1 : 3)))
        four = ((const float4 *)row)[LOW ? r / 2 : r / 4];
      if (LOW) {
        o.y[r] = permi_add_float(o.y[r], r & 1 ? four.z : four.x);
        o.l[r] = permi_add_float(o.l[r], r & 1 ? four.w : four.y);
      } else {
        o.y[r] = permi_add_float(o.y[r], r & 2 ? (r & 1 ? four.w : four.z) : r & 1 ? four.y : four.x);
      }
    }
    if (PARTS == 2)
      permi_float_state_complex<N, COUNT, ROOM>(a, o, out);
    else
      permi_float_state<N, GROUP, LOW, MAJORANT, COUNT, ROOM>(a, o, out);
    if (K) {
      float next[5];
      float rest;
      PERMI_UNROLL
      for (int r = 0; r < n; r++)
        o.y[r] = permi_add_float(o.y[r], -a.constant[n + 1 + r]);
      permi_float_state<N, GROUP, LOW, MAJORANT, COUNT, ROOM>(a, o, next);
      permi_two_sum_float(out[0], rest, out[0], -next[0]);
      out[1] = permi_add_float(out[1], permi_add_float(rest, -next[1]));
      out[2] = permi_add_float(out[2], next[2]);
    }
    PERMI_UNROLL
    for (int part = 0; part < PARTS; part++) {
      const double term = permi_add((double)out[3 * part], (double)out[3 * part + 1]);
      sum[part] = permi_add(sum[part], m & 1 ? -term : term);
    }
    size = permi_add_float(size, out[2]);
    if (MAJORANT)
      most = permi_add_float(most, out[3]);
    if ((m & (group - 1)) == group - 1) {
      PERMI_UNROLL
      for (int part = 0; part < PARTS; part++) {
        double *hi = kept + 2 * STEP * part;
        double error;
        permi_two_sum(*hi, error, *hi, sum[part]);
        hi[STEP] = permi_add(hi[STEP], error);
        sum[part] = 0;
      }
      if (MAJORANT)
        kept[2 * STEP] = permi_add(kept[2 * STEP], (double)most);
      if (!a.mask || permi_sampled(key + m / group * 0x9e3779b9u, a.mask))
        kept[4 * STEP] = permi_add(kept[4 * STEP], (double)size);
      size = most = 0;
    }
    row = table + stride * permi_walk_row(m);
  }
  if (permi_parity(number)) {
    PERMI_UNROLL
    for (int k = 0; k < 2 * PARTS; k++)
      kept[STEP * k] = -kept[STEP * k];
  }
}

template <int N, int PARTS, int GROUP, int LOW, int MAJORANT, int K, int COUNT>
__device__ __forceinline__ void permi_float_chunk(const permi_arguments<COUNT, float> &a)
{
  extern __shared__ double2 permi_shared[];
  double *room = (double *)permi_shared; /* [5][128], then the walk's table */
  double *table = room + 640;
  const int t = (int)threadIdx.x, stride = (N * PARTS + 1) / 2 * 2;
  for (int i = t; i < stride * (2 * a.walk + 1); i += 128)
    table[i] = a.table[stride * (1 + a.high) + i];
  __syncthreads();
  permi_float_walk<N, PARTS, GROUP, LOW, MAJORANT, K, COUNT>(a, (const float *)table, a.first + blockIdx.x, t,
                                                             room + t);
  permi_total(room, a.out);
}
)
/* clang-format on */

/* ===================================================================================== >>text_exact
   The kernels for integers. S has the members of perm_gpu_exact. */

/* clang-format off */
PERMI_TEXT(exact,
template <class S>
PERMI_BOTH int permi_exact_value(const S &shape, const unsigned *x, int line)
{
  const int kind = shape.kind(line);
  const unsigned word = x[shape.at(line)];
  if (kind < 4)
    return permi_byte(word ^ 0x80808080u, kind);
  if (kind < 6)
    return permi_half(word ^ 0x80008000u, kind - 4);
  return (int)word;
}

PERMI_BOTH unsigned permi_exact_word(const uint4 &four, int k)
{
  return k == 0 ? four.x : k == 1 ? four.y : k == 2 ? four.z : four.w;
}

/* Moves row sums by `step`, which is at a multiple of 16 bytes. */
template <class S>
PERMI_BOTH void permi_exact_step(const S &shape, unsigned *to, const unsigned *x, const unsigned *step)
{
  unsigned carry = 0;
  uint4 four = {0, 0, 0, 0};
  PERMI_UNROLL
  for (int w = 0; w < shape.words(); w++) {
    if (!(w & 3))
      four = ((const uint4 *)step)[w / 4];
    const unsigned long long sum =
        (unsigned long long)x[w] + permi_exact_word(four, w & 3) + (shape.carries(w) ? carry : 0u);
    to[w] = (unsigned)sum;
    carry = (unsigned)(sum >> 32);
  }
}

/* Makes c the magnitude of a row sum; returns its sign in bit 31. */
template <class S>
PERMI_BOTH unsigned permi_exact_magnitude(const S &shape, const unsigned *x, int line, int wide, unsigned *c)
{
  const int at = shape.at(line);
  const unsigned top = x[at + wide - 1], mask = top >> 31 ? 0xffffffffu : 0u;
  unsigned carry = mask & 1u;
  PERMI_UNROLL
  for (int k = 0; k < wide; k++) {
    const unsigned long long sum = (unsigned long long)(x[at + k] ^ mask) + carry;
    c[k] = (unsigned)sum;
    carry = (unsigned)(sum >> 32);
  }
  return top;
}

/* Sets out to p c modulo 2^(32 grown), p of `words` words, then `fill`. */
template <int ROOM>
PERMI_BOTH void permi_exact_times(unsigned *out, int grown, const unsigned *p, int words, unsigned fill,
                                  const unsigned *c, int wide)
{
  PERMI_UNROLL
  for (int j = 0; j < wide; j++) {
    unsigned carry = 0;
    PERMI_UNROLL
    for (int k = 0; k < grown - j; k++) {
      const unsigned word = k < words ? p[k] : fill;
      const unsigned long long t =
          (unsigned long long)word * c[j] + (unsigned long long)(j ? out[k + j] : 0u) + carry;
      out[k + j] = (unsigned)t;
      carry = (unsigned)(t >> 32);
    }
  }
}

/* Multiplies a group into the product: real ones as magnitudes, signs in bit 31 of `sign`; complex ones in two's
   complement, the imaginary part ROOM words on. */
template <class S>
PERMI_BOTH void permi_exact_group(const S &shape, int g, const unsigned *x, unsigned *p, unsigned &sign)
{
  const int first = shape.first(g), end = shape.first(g + 1);
  const int words = g ? shape.product(g - 1) : 0, grown = shape.product(g);
  const int wide = shape.wide(g);
  unsigned c[2][3] = {{0, 0, 0}, {0, 0, 0}}, signs[2] = {0, 0}, out[2 * S::ROOM] = {0};
  if (S::PARTS == 1) {
    if (wide == 1) {
      int y = permi_exact_value(shape, x, first);
      PERMI_UNROLL
      for (int r = first + 1; r < end; r++)
        y *= permi_exact_value(shape, x, r);
      sign ^= (unsigned)y;
      c[0][0] = (unsigned)(y < 0 ? -y : y);
    } else {
      sign ^= permi_exact_magnitude(shape, x, first, wide, c[0]);
    }
    if (g == 0) {
      PERMI_UNROLL
      for (int k = 0; k < grown; k++)
        p[k] = c[0][k];
    } else {
      permi_exact_times<S::ROOM>(out, grown, p, words, 0u, c[0], wide);
      PERMI_UNROLL
      for (int k = 0; k < grown; k++)
        p[k] = out[k];
    }
  } else {
    if (wide == 1) {
      unsigned re = (unsigned)permi_exact_value(shape, x, 2 * first);
      unsigned im = (unsigned)permi_exact_value(shape, x, 2 * first + 1);
      PERMI_UNROLL
      for (int r = first + 1; r < end; r++) {
        const unsigned a = (unsigned)permi_exact_value(shape, x, 2 * r);
        const unsigned b = (unsigned)permi_exact_value(shape, x, 2 * r + 1);
        const unsigned was = re;
        re = re * a - im * b;
        im = was * b + im * a;
      }
      signs[0] = re;
      signs[1] = im;
      c[0][0] = re >> 31 ? 0u - re : re;
      c[1][0] = im >> 31 ? 0u - im : im;
    } else {
      signs[0] = permi_exact_magnitude(shape, x, 2 * first, wide, c[0]);
      signs[1] = permi_exact_magnitude(shape, x, 2 * first + 1, wide, c[1]);
    }
    PERMI_UNROLL
    for (int part = 0; part < 2; part++) {
      PERMI_UNROLL
      for (int term = 0; term < 2; term++) {
        const int other = part ^ term;
        unsigned one[S::ROOM] = {0};
        unsigned mask = (signs[other] >> 31) ^ (unsigned)(term & (part ^ 1)) ? 0xffffffffu : 0u;
        unsigned carry = mask & 1u;
        const unsigned fill = g && p[term * S::ROOM + (words ? words - 1 : 0)] >> 31 ? 0xffffffffu : 0u;
        if (g == 0 && term)
          continue;
        if (g)
          permi_exact_times<S::ROOM>(one, grown, p + term * S::ROOM, words, fill, c[other], wide);
        PERMI_UNROLL
        for (int k = 0; k < grown; k++) {
          const unsigned word = g ? one[k] : k < 3 ? c[part][k < 3 ? k : 0] : 0u;
          const unsigned long long sum =
              (unsigned long long)(word ^ mask) + (term ? out[part * S::ROOM + k] : 0u) + carry;
          out[part * S::ROOM + k] = (unsigned)sum;
          carry = (unsigned)(sum >> 32);
        }
      }
    }
    PERMI_UNROLL
    for (int part = 0; part < 2; part++) {
      PERMI_UNROLL
      for (int k = 0; k < grown; k++)
        p[part * S::ROOM + k] = out[part * S::ROOM + k];
    }
  }
}

/* Multiplies the groups from G on; recursive, so that G is a constant. */
template <class S, int G, int END>
struct permi_exact_groups {
  static PERMI_BOTH void run(const S &shape, const unsigned *x, unsigned *p, unsigned &sign)
  {
    permi_exact_group(shape, G, x, p, sign);
    permi_exact_groups<S, G + 1, END>::run(shape, x, p, sign);
  }
};

template <class S, int END>
struct permi_exact_groups<S, END, END> {
  static PERMI_BOTH void run(const S &, const unsigned *, unsigned *, unsigned &) {}
};

template <class S>
PERMI_BOTH void permi_exact_term(const S &shape, const unsigned *x, unsigned odd, unsigned *sum)
{
  unsigned p[S::PARTS * S::ROOM] = {0};
  unsigned sign = odd << 31;
  if (S::GROUPS)
    permi_exact_groups<S, 0, S::GROUPS>::run(shape, x, p, sign);
  else
    for (int g = 0; g < shape.groups(); g++)
      permi_exact_group(shape, g, x, p, sign);
  PERMI_UNROLL
  for (int part = 0; part < S::PARTS; part++) {
    const int words = shape.product(shape.groups() - 1);
    const unsigned mask = sign >> 31 ? 0xffffffffu : 0u;
    const unsigned fill = S::PARTS == 2 && p[part * S::ROOM + words - 1] >> 31 ? 0xffffffffu : 0u;
    unsigned carry = mask & 1u;
    PERMI_UNROLL
    for (int k = 0; k < shape.sum(); k++) {
      const unsigned long long t =
          (unsigned long long)((k < words ? p[part * S::ROOM + k] : fill) ^ mask) + sum[part * S::SUM_ROOM + k] + carry;
      sum[part * S::SUM_ROOM + k] = (unsigned)t;
      carry = (unsigned)(t >> 32);
    }
  }
}

template <class S>
PERMI_BOTH void permi_exact_start(const S &shape, const unsigned *table, unsigned long long number, int high,
                                  unsigned *x)
{
  PERMI_UNROLL
  for (int w = 0; w < shape.words(); w++)
    x[w] = table[w];
  PERMI_ROLLED
  for (int k = 0; k < high; k++)
    if (number >> k & 1)
      permi_exact_step(shape, x, x, table + shape.stride() * (1 + k));
}

/* Returns the bits of the block columns' settings in which an even row is 0. */
template <class S>
PERMI_BOTH unsigned long long permi_exact_zeros(const S &shape, const unsigned *x, const unsigned long long *masks)
{
  unsigned long long zeros = 0;
  PERMI_UNROLL
  for (int z = 0; z < shape.zeros(); z++) {
    const int line = shape.zero_line(z);
    zeros |= masks[shape.zero_base(z) + (int)(x[shape.at(line)] >> 8 * shape.kind(line) & 255)];
  }
  return zeros;
}

/* Sums a chunk. When skipping, a warp collects the settings in which no even row is 0, and shares these few out. */
template <class S>
__device__ __forceinline__ void permi_exact_chunk(const S &shape, const permi_arguments<1> &a)
{
  extern __shared__ double2 permi_shared[];
  const unsigned *table = (const unsigned *)a.table;
  const int t = (int)threadIdx.x, lane = t & 31;
  const int totals = (S::PARTS * shape.sum() + 1) / 2 * 2;
  const int stride = shape.stride();
  unsigned long long *total = (unsigned long long *)permi_shared;
  unsigned long long *masks = total + totals;
  unsigned *walk = (unsigned *)(masks + shape.masks());
  unsigned *settings = walk + stride * (2 * a.walk + 1);
  unsigned *states = settings + stride * 64;
  unsigned short *queue = (unsigned short *)(states + stride * 128) + (t >> 5) * 2048;
  const unsigned long long number = (a.first + blockIdx.x) << 7 | (unsigned long long)t;
  unsigned sum[S::PARTS * S::SUM_ROOM] = {0}, x[S::WORDS] = {0};
  for (int i = t; i < totals; i += 128)
    total[i] = 0;
  for (int i = t; i < stride * (2 * a.walk + 1); i += 128)
    walk[i] = table[stride * (1 + a.high) + i];
  if (S::SKIP) {
    const unsigned *more = table + stride * (2 + a.high + 2 * a.walk);
    for (int i = t; i < stride * 64; i += 128)
      settings[i] = more[i];
    for (int i = t; i < shape.masks(); i += 128)
      masks[i] = ((const unsigned long long *)(more + stride * 64))[i];
  }
  __syncthreads();
  permi_exact_start(shape, table, number, a.high, x);
  const unsigned *row = walk + stride * 2 * a.walk;
  PERMI_ROLLED
  for (unsigned m = 0; m < 1u << a.walk; m++) {
    permi_exact_step(shape, x, x, row);
    row = walk + stride * permi_walk_row(m);
    if (!S::SKIP) {
      permi_exact_term(shape, x, (m ^ (unsigned)permi_parity(number)) & 1u, sum);
    } else {
      unsigned long long alive = ~permi_exact_zeros(shape, x, masks);
      const unsigned odd = (m ^ (unsigned)permi_parity(number >> 5)) & 1u;
      int at = __popcll(alive), end = at;
      for (int k = 1; k < 32; k *= 2) {
        const int before = __shfl_up_sync(0xffffffffu, end, k);
        end += lane >= k ? before : 0;
      }
      at = end - at;
      end = __shfl_sync(0xffffffffu, end, 31);
      PERMI_UNROLL
      for (int w = 0; w < S::WORDS; w += 4) {
        const uint4 four = {x[w], x[w + 1], x[w + 2], x[w + 3]};
        ((uint4 *)(states + stride * t))[w / 4] = four;
      }
      for (int half = 0; half < 2; half++)
        for (unsigned left = (unsigned)(alive >> 32 * half); left; left &= left - 1)
          queue[at++] = (unsigned short)(lane << 6 | half << 5 | permi_ctz(left));
      __syncwarp();
      for (int i = lane; i < end; i += 32) {
        const int code = queue[i];
        unsigned own[S::WORDS], y[S::WORDS];
        PERMI_UNROLL
        for (int w = 0; w < S::WORDS; w += 4) {
          const uint4 four = ((const uint4 *)(states + stride * (t - lane + (code >> 6))))[w / 4];
          PERMI_UNROLL
          for (int k = 0; k < 4; k++)
            own[w + k] = permi_exact_word(four, k);
        }
        permi_exact_step(shape, y, own, settings + stride * (code & 63));
        permi_exact_term(shape, y, odd ^ (unsigned)(__popc((unsigned)code) & 1), sum);
      }
      __syncwarp();
    }
  }
  PERMI_UNROLL
  for (int i = 0; i < S::PARTS * shape.sum(); i++) /* words apart, carries last: any order gives the same */
    atomicAdd(total + i, (unsigned long long)sum[i / shape.sum() * S::SUM_ROOM + i % shape.sum()]);
  __syncthreads();
  for (int i = t; i < S::PARTS * shape.sum(); i += 128)
    ((unsigned long long *)a.out)[(unsigned long long)S::PARTS * shape.sum() * blockIdx.x + i] = total[i];
}
)
/* clang-format on */

/* ===================================================================================== >>text_batch
   The kernels for many matrices of one order. */

/* clang-format off */
PERMI_TEXT(batch,
/* The kernel's arguments. A value stays if (base + share * shares) / relative of the sum of |terms| is no more. */
struct permi_batch_given {
  const double *in;
  double *out;              /* values; NaN: left */
  unsigned long long *left; /* how many, and PERM_GPU_BATCH_LIST numbers of theirs, or NULL */
  unsigned long long count, first;
  double base, shares, relative;
  int n;
};

/* Computes a matrix by a team of 8 to 128 threads, with the tables of >>gpu in shared memory: pivot form, or plain if
   every column has a small entry. F float: >>text_batch_floats. */
template <int N, int PARTS, class F = double>
struct alignas(16) permi_batch_room {
  enum { TEAM = N < 9 ? 8 : N < 10 ? 16 : N < 17 ? 32 : 128, MOST = N < 9 ? 3 : N < 10 ? 4 : N < 17 ? 5 : 7,
         HIGH = N - 2 < MOST ? N - 2 : MOST, WALK = N - 2 - HIGH, STRIDE = (N * PARTS + 1) / 2 * 2,
         SAMPLES = 4, MASK = WALK < 5 ? 0 : 3, COUNT = N * PARTS };
  double table[STRIDE * (2 + HIGH + 2 * WALK)];
  double a[N * N * PARTS];
  permi_arguments<sizeof(F) == 8 ? N * PARTS : 2 * N + 1, F> arguments;
  double largest[N], worst[N], pivot[N * PARTS];
  double size[N * SAMPLES], share[N * SAMPLES];
};

PERMI_BOTH double permi_batch_size(const double *z, int parts)
{
  const double x = fabs(z[0]), y = parts == 2 ? fabs(z[1]) : 0;
  return x < y ? y : x;
}

template <int N, int PARTS, class F>
PERMI_BOTH void permi_batch_row_largest(permi_batch_room<N, PARTS, F> &room, int i)
{
  double most = 0;
  PERMI_ROLLED
  for (int j = 0; j < N; j++) {
    const double size = permi_batch_size(room.a + (i * N + j) * PARTS, PARTS);
    most = size <= most ? most : size;
  }
  room.largest[i] = most;
}

/* Floats need no pivot where it is 0. */
template <int N, int PARTS, class F>
PERMI_BOTH void permi_batch_column_worst(permi_batch_room<N, PARTS, F> &room, int j)
{
  double least = 1;
  PERMI_ROLLED
  for (int i = 0; i < N; i++) {
    const double share = permi_batch_size(room.a + (i * N + j) * PARTS, PARTS) / room.largest[i];
    least = share < least && (sizeof(F) == 8 || share > 0) ? share : least;
  }
  room.worst[j] = least;
}

/* Returns the pivot column; *plain says that no row is divided. */
template <int N, int PARTS, class F>
PERMI_BOTH int permi_batch_pivot(const permi_batch_room<N, PARTS, F> &room, int *plain)
{
  int best = 0;
  PERMI_ROLLED
  for (int j = 1; j < N; j++)
    best = room.worst[j] > room.worst[best] ? j : best;
  *plain = !(room.worst[best] * (sizeof(F) == 8 ? 1024 : 65536) >= 1);
  return best;
}

template <int PARTS>
PERMI_BOTH void permi_batch_divide(double *z, double c_re, double c_im, double square)
{
  if (PARTS == 1) {
    z[0] = z[0] / c_re;
  } else {
    const double re = permi_fma(z[0], c_re, permi_mul(z[1], c_im));
    const double im = permi_fma(z[1], c_re, -permi_mul(z[0], c_im));
    z[0] = re / square;
    z[1] = im / square;
  }
}

template <int N, int PARTS>
PERMI_BOTH void permi_batch_row(permi_batch_room<N, PARTS> &room, int i, int pivot, int plain)
{
  typedef permi_batch_room<N, PARTS> R;
  const double *row = room.a + i * N * PARTS;
  const double c_re = row[pivot * PARTS];
  const double c_im = PARTS == 2 ? row[pivot * PARTS + PARTS - 1] : 0;
  const double square = permi_fma(c_re, c_re, permi_mul(c_im, c_im));
  double norm[2] = {0, 0}, start[2] = {0, 0}, power[2];
  double sample[R::SAMPLES][2] = {{0, 0}};
  PERMI_ROLLED
  for (int pass = 0; pass < 2; pass++) {
    int at = -1;
    PERMI_ROLLED
    for (int j = 0; j < N; j++) {
      double z[2] = {row[j * PARTS], PARTS == 2 ? row[j * PARTS + PARTS - 1] : 0};
      if (j == pivot && !plain)
        z[0] = 1, z[1] = 0;
      else if (!plain)
        permi_batch_divide<PARTS>(z, c_re, c_im, square);
      at += j != pivot;
      PERMI_UNROLL
      for (int part = 0; part < PARTS; part++) {
        if (pass == 0) {
          norm[part] = permi_add(norm[part], fabs(z[part]));
        } else {
          const double magic = permi_mul(1.5, power[part]);
          const double x = permi_add(permi_add(z[part], magic), -magic);
          double *step = room.table + i * PARTS + part;
          PERMI_UNROLL
          for (int k = 0; k < R::SAMPLES; k++)
            sample[k][part] = permi_add(sample[k][part], (j + 1) * 0x9e3779b9u >> (27 + k) & 1 ? -x : x);
          if (j == pivot) {
            room.pivot[i * PARTS + part] = plain ? 1 - part : row[j * PARTS + part];
            room.arguments.constant[i * PARTS + part] = x;
          } else {
            start[part] = permi_add(start[part], x);
            if (at > R::WALK) {
              step[R::STRIDE * (at - R::WALK)] = permi_mul(2.0, x);
            } else if (at > 0) {
              step[R::STRIDE * (1 + R::HIGH + 2 * (at - 1))] = permi_mul(-2.0, x);
              step[R::STRIDE * (2 + R::HIGH + 2 * (at - 1))] = permi_mul(2.0, x);
            }
          }
        }
      }
    }
    PERMI_UNROLL
    for (int part = 0; part < PARTS && pass == 0; part++) {
      norm[part] = permi_add(permi_mul(norm[part], 1.0000001), 1e-30);
      power[part] = permi_of_bits((permi_bits(norm[part]) + 0xfffffffffffffll) & 0x7ff0000000000000ll);
    }
  }
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++) {
    room.table[i * PARTS + part] = start[part];
    room.table[R::STRIDE * (1 + R::HIGH + 2 * R::WALK) + i * PARTS + part] = 0;
  }
  PERMI_UNROLL
  for (int k = 0; k < R::SAMPLES; k++) {
    const double lost = permi_mul(permi_add(norm[0], norm[1]), 4.4e-16);
    const double size = permi_add(permi_add(fabs(sample[k][0]), fabs(sample[k][1])), lost);
    room.size[i * R::SAMPLES + k] = size;
    room.share[i * R::SAMPLES + k] = lost / size;
  }
}

/* Sets five numbers of out, 128 apart. */
template <int N, int PARTS>
PERMI_BOTH void permi_batch_walk(permi_batch_room<N, PARTS> &room, int t, int plain, double *out)
{
  typedef permi_batch_room<N, PARTS> R;
  const double *walk = room.table + R::STRIDE * (1 + R::HIGH);
  double kept[5];
  if (plain)
    permi_walk<N, PARTS, 0, 0, 0, N, R::COUNT, 1>(room.arguments, walk, 0, t, kept);
  else
    permi_walk<N, PARTS, 0, 0, 0, 0, R::COUNT, 1>(room.arguments, walk, 0, t, kept);
  for (int k = 0; k < 5; k++)
    out[128 * k] = t >> R::HIGH ? 0 : kept[k];
}

template <int N, int PARTS>
PERMI_BOTH void permi_batch_arguments(permi_batch_room<N, PARTS> &room, int plain)
{
  typedef permi_batch_room<N, PARTS> R;
  room.arguments.table = room.table;
  room.arguments.n = N;
  room.arguments.plain = plain ? N : 0;
  room.arguments.block = 0;
  room.arguments.walk = R::WALK;
  room.arguments.high = R::HIGH;
  room.arguments.mask = R::MASK;
}

/* Sets out to the permanent, the sum of |terms| and the share that rounding may have taken (huge: the CPU must take the
   matrix). `sum` has hi, lo, hi, lo, sum of |terms|, `apart` doubles apart. */
template <int N, int PARTS, class F>
PERMI_BOTH void permi_batch_finish(const permi_batch_room<N, PARTS, F> &room, const double *sum, int apart, double *out)
{
  typedef permi_batch_room<N, PARTS, F> R;
  double all[2] = {1, 0}, weights = 0, share = 0;
  bool fine = sizeof(F) == 8 || sum[4 * apart] > 1e-12;
  PERMI_ROLLED
  for (int i = 0; i < N; i++) {
    fine = fine && room.largest[i] >= 1e-6 && room.largest[i] <= 1e10;
    permi_number_times<PARTS>(all, room.pivot + i * PARTS);
  }
  all[0] = permi_mul(all[0], 1.0 / (double)(1ll << (N - 1)));
  all[1] = permi_mul(all[1], 1.0 / (double)(1ll << (N - 1)));
  PERMI_ROLLED
  for (int k = 0; k < R::SAMPLES; k++) {
    double weight = 1, part = 0;
    PERMI_ROLLED
    for (int i = 0; i < N; i++) {
      weight = permi_mul(weight, room.size[i * R::SAMPLES + k]);
      part = permi_add(part, room.share[i * R::SAMPLES + k]);
    }
    weights = permi_add(weights, weight);
    share = permi_fma(weight, part, share);
  }
  {
    const double total[2] = {permi_add(sum[0], sum[apart]), PARTS == 2 ? permi_add(sum[2 * apart], sum[3 * apart]) : 0};
    out[2] = permi_mul(permi_mul(sum[4 * apart], R::MASK + 1.0), permi_add(fabs(all[0]), fabs(all[1])));
    permi_number_times<PARTS>(all, total);
    out[0] = all[0];
    out[1] = all[1];
    out[3] = fine && weights > 0 ? share / weights : 1e300;
  }
}

/* Writes the value that permi_batch_finish found, or NaN, and notes that. */
template <int PARTS>
PERMI_BOTH void permi_batch_keep(const permi_batch_given &a, const double *found, unsigned long long matrix)
{
  double *out = a.out + PARTS * matrix;
  const double size = permi_add(fabs(found[0]), fabs(found[1]));
  const double value = permi_mul(size, found[1] != 0 ? 1 + 4.440892098500626e-16 : 1); /* permi_modulus */
  const double unit = permi_add(a.base, permi_mul(found[3], a.shares)) / a.relative;
  const bool stays = value <= 1.7976931348623157e308 && value > 1e-250 && permi_mul(unit, found[2]) <= value &&
                     found[3] <= a.relative;
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++)
    out[part] = stays ? found[part] : permi_of_bits(0x7ff8000000000000ll);
  if (!stays && a.left) {
    const unsigned long long at = permi_atomic_add(a.left, 1);
    if (at < 16384)
      a.left[1 + at] = a.first + matrix;
  }
}

template <int N, int PARTS, class F>
__device__ __forceinline__ void permi_batch_kernel(const permi_batch_given &a)
{
  typedef permi_batch_room<N, PARTS, F> R;
  extern __shared__ double2 permi_shared[];
  double *fold = (double *)permi_shared;
  const int t = (int)threadIdx.x, i = t % R::TEAM;
  const unsigned long long matrix = blockIdx.x * (128ull / R::TEAM) + (unsigned long long)(t / R::TEAM);
  R &room = ((R *)(fold + 5 * 128))[t / R::TEAM];
  int plain, pivot;
  if (matrix < a.count)
    for (int k = i; k < N * N * PARTS; k += R::TEAM)
      room.a[k] = a.in[matrix * (N * N * PARTS) + k];
  __syncthreads();
  if (i < N)
    permi_batch_row_largest(room, i);
  __syncthreads();
  if (i < N)
    permi_batch_column_worst(room, i);
  __syncthreads();
  pivot = permi_batch_pivot(room, &plain);
  if (i < N)
    permi_batch_row(room, i, pivot, plain);
  if (i == 0)
    permi_batch_arguments(room, plain);
  __syncthreads();
  if (matrix < a.count)
    permi_batch_walk(room, i, plain, fold + t);
  for (int half = R::TEAM / 2; half; half /= 2) {
    __syncthreads();
    if (i < half)
      permi_fold(fold, t, half);
  }
  if (i == 0 && matrix < a.count) {
    double found[4];
    permi_batch_finish(room, fold + t, 128, found);
    permi_batch_keep<PARTS>(a, found, matrix);
  }
}
)
/* clang-format on */

/* ============================================================================== >>text_batch_floats
   Many matrices of one order in pairs of floats: >>text_batch with >>text_floats' walk, whose tables threads make. */

/* clang-format off */
PERMI_TEXT(batch_floats,
/* Low words are multiples of 2^(UNIT - 62): 24 bits hold their sums. */
template <int WALK>
struct permi_batch_low {
  enum { UNIT = WALK < 4 ? 15 : WALK < 8 ? 16 : 17 };
};

/* A row over its pivot, if that is not 0, times a number of 24 bits that makes |row sum| < 1. */
template <int N, int PARTS>
PERMI_BOTH void permi_batch_row(permi_batch_room<N, PARTS, float> &room, int i, int pivot, int plain)
{
  typedef permi_batch_room<N, PARTS, float> R;
  enum { UNIT = permi_batch_low<R::WALK>::UNIT };
  const double *row = room.a + i * N * PARTS;
  const double c_re = row[pivot * PARTS];
  const double c_im = PARTS == 2 ? row[pivot * PARTS + PARTS - 1] : 0;
  const double square = permi_fma(c_re, c_re, permi_mul(c_im, c_im));
  const bool none = c_re == 0 && c_im == 0;
  unsigned long long *start = (unsigned long long *)room.table + i * PARTS;
  float *walk = (float *)(room.table + R::STRIDE * (1 + R::HIGH)) + 2 * i * PARTS;
  double norm = 1e-30, times = 0;
  double sample[R::SAMPLES][2] = {{0, 0}};
  long long first[2][2] = {{0, 0}, {0, 0}};
  long long fixed[2] = {0, 0};
  PERMI_ROLLED
  for (int pass = 0; pass < 2; pass++) {
    int at = -1;
    PERMI_ROLLED
    for (int j = 0; j < N; j++) {
      double z[2] = {row[j * PARTS], PARTS == 2 ? row[j * PARTS + PARTS - 1] : 0};
      if (j == pivot && !none)
        z[0] = 1, z[1] = 0;
      else if (!none)
        permi_batch_divide<PARTS>(z, c_re, c_im, square);
      at += j != pivot;
      PERMI_UNROLL
      for (int part = 0; part < PARTS; part++) {
        if (pass == 0) {
          norm = permi_add(norm, fabs(z[part]));
        } else {
          const double scaled = permi_mul(permi_mul(z[part], times), 4611686018427387904.0);
          const long long x = fabs(scaled) <= 4611686018427387904.0 ? (long long)scaled : 0;
          const long long high = (x + (1ll << 37)) >> 38;
          const long long low = (x - high * (1ll << 38) + (1ll << UNIT >> 1)) >> UNIT;
          PERMI_UNROLL
          for (int k = 0; k < R::SAMPLES; k++)
            sample[k][part] = permi_add(sample[k][part], 2.168404344971009e-19 *
                                                             (double)((j + 1) * 0x9e3779b9u >> (27 + k) & 1 ? -x : x));
          if (j != pivot && (at == 0 || at > R::WALK)) {
            fixed[part] += x;
            if (at)
              start[R::STRIDE * (at - R::WALK) + part] = 2 * (unsigned long long)x;
          } else {
            first[part][0] += high;
            first[part][1] += low;
            for (int up = 0; up < 2 && j != pivot; up++) {
              float *step = walk + 2 * R::STRIDE * (2 * (at - 1) + up) + 2 * part;
              step[0] = (float)(up ? 2 * high : -2 * high) * 5.9604644775390625e-8f;
              step[1] = (float)(up ? 2 * low : -2 * low) * (float)((1 << UNIT) * 2.168404344971009e-19);
            }
          }
        }
      }
    }
    if (pass == 0)
      times = none ? 1 / permi_mul(norm, 1.00002) : permi_mul(floor(16777151.0 / norm), 5.9604644775390625e-8);
  }
  room.arguments.constant[i] = none ? 0 : (float)(2 * times);
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++) {
    float *step = walk + 4 * R::STRIDE * R::WALK + 2 * part;
    start[part] = (unsigned long long)fixed[part];
    step[0] = (float)first[part][0] * 5.9604644775390625e-8f;
    step[1] = (float)first[part][1] * (float)((1 << UNIT) * 2.168404344971009e-19);
    room.pivot[i * PARTS + part] = (none ? 1.0 - part : row[pivot * PARTS + part]) / times;
    if (i == 0) /* products begin at 2^120 */
      room.pivot[part] = permi_mul(room.pivot[part], 7.52316384526264e-37);
  }
  PERMI_UNROLL
  for (int k = 0; k < R::SAMPLES; k++) { /* M + u L of the bound */
    const double lost = (R::WALK + 1) * PARTS * ((1 << UNIT) * 1.0842021724855044e-19 + 1.7763568394002505e-15);
    const double size = permi_add(permi_add(fabs(sample[k][0]), fabs(sample[k][1])), lost);
    room.size[i * R::SAMPLES + k] = size;
    room.share[i * R::SAMPLES + k] = lost / size;
  }
  if (plain)
    room.largest[i] = 0; /* the CPU's */
}

template <int N, int PARTS>
PERMI_BOTH void permi_batch_arguments(permi_batch_room<N, PARTS, float> &room, int)
{
  typedef permi_batch_room<N, PARTS, float> R;
  room.arguments.table = room.table;
  room.arguments.n = N;
  room.arguments.plain = permi_batch_low<R::WALK>::UNIT;
  room.arguments.block = 0;
  room.arguments.walk = R::WALK;
  room.arguments.high = R::HIGH;
  room.arguments.mask = R::MASK;
  room.arguments.constant[N] = (float)((1 << permi_batch_low<R::WALK>::UNIT) * 2.168404344971009e-19);
}

template <int N, int PARTS>
PERMI_BOTH void permi_batch_walk(permi_batch_room<N, PARTS, float> &room, int t, int, double *out)
{
  typedef permi_batch_room<N, PARTS, float> R;
  const float *walk = (const float *)(room.table + R::STRIDE * (1 + R::HIGH));
  permi_float_walk<N, PARTS, 1, 1, 0, 0, 2 * N + 1>(room.arguments, walk, 0, t, out);
}
)
/* clang-format on */

/* ===================================================================================== >>text_signs
   The kernel of the sign search, see perm_gpu_signs. A warp walks the tree: lane l has word l of the counts and a word
   of the living patterns, of block 0 in lanes 0 to 15, of block 1 above; both signs of a column are tried at once.
   Leaves, most with few patterns, wait in shared memory until they fill the lanes: a lane takes a pattern and
   multiplies its block's own rows, then pairs of patterns. Small row sums are digits of 4 bits; products +-2^s 3^t are
   codes that are added: s + 129 t, the sign in bit 31. Sums are modulo 2^192.

   Functions are of a warp: they loop over S::LANES lanes, of which a GPU's thread has one, the twin 32. What lanes tell
   each other stands between such loops.

   Trees below prefixes differ by factors of hundreds. So the warps of all blocks take tasks from one counter of the
   launch; when there are none, busy warps give away the largest trees that they have not begun. Which block adds a
   chunk's terms depends on time; the sum of a launch does not. */

/* clang-format off */
PERMI_TEXT(signs,
/* Half sums from -4 to 4, plus 8, in 4 bits. */
template <int SMALL>
struct permi_digits {
  typedef unsigned value;
  enum { BITS = 4, MASK = 15 };
  static PERMI_BOTH unsigned lacking(unsigned x) /* not 0 if a digit is 0 */
  {
    x |= x >> 2;
    return ~(x | x >> 1) & 0x11111111u;
  }
  static PERMI_BOTH value one(unsigned minus) { return minus << 31; }
  static PERMI_BOTH value times(value a, value b) { return a + b; }
  template <int COUNT>
  static PERMI_BOTH value product(const unsigned *c, int words, const unsigned *)
  {
    unsigned code = 0, signs = 0;
    PERMI_UNROLL
    for (int w = 0; w < COUNT; w++)
      if (w < words) {
        const unsigned digits = c[w] & 0x77777777u; /* modulo 8: of 0 .. 4 and -4 .. -1 */
        signs ^= c[w];
        code = permi_bytes_sum(permi_bytes_of(0x81010000u, 0x00018102u, digits), code);
        code = permi_bytes_sum(permi_bytes_of(0x81010000u, 0x00018102u, digits >> 16), code);
      }
    return code + ((unsigned)permi_ones(signs & 0x88888888u) << 31);
  }
  static PERMI_BOTH void add(const unsigned *power, unsigned *sum, value rest, value a, value b, value c)
  {
    const unsigned code = rest + a + b + c;
    const unsigned minus = (unsigned)((int)code >> 31);
    const unsigned threes = (code & 0x7fffffffu) * 32514u >> 22;
    unsigned twos = (code & 0x7fffffffu) - 129u * threes;
    const uint4 p = ((const uint4 *)power)[threes];
    unsigned x[6] = {p.x, p.y, p.z, p.w, 0, 0};
    for (; twos >= 32; twos -= 32) {
      PERMI_UNROLL
      for (int k = 5; k > 0; k--)
        x[k] = x[k - 1];
      x[0] = 0;
    }
    PERMI_UNROLL
    for (int k = 5; k > 0; k--)
      x[k] = permi_funnel(x[k - 1], x[k], twos) ^ minus;
    x[0] = x[0] << twos ^ minus;
    permi_words_add(sum, x, minus);
  }
};

/* Any sums below 128 in modulus, of which one half, plus 128, in 8 bits. */
template <>
struct permi_digits<0> {
  typedef long long value;
  enum { BITS = 8, MASK = 255 };
  static PERMI_BOTH unsigned lacking(unsigned x)
  {
    x |= x >> 4;
    x |= x >> 2;
    return ~(x | x >> 1) & 0x01010101u;
  }
  static PERMI_BOTH value one(unsigned minus) { return 1 - 2 * (value)minus; }
  static PERMI_BOTH value times(value a, value b) { return a * b; }
  template <int COUNT>
  static PERMI_BOTH value product(const unsigned *c, int words, const unsigned *odd)
  {
    value all = 1;
    PERMI_UNROLL
    for (int w = 0; w < COUNT; w++)
      if (w < words) {
        PERMI_UNROLL
        for (int k = 0; k < 32; k += 8) {
          const int half = (int)(c[w] >> k & 255u) - 128, o = (int)(odd[w] >> k & 1u);
          all *= (half << o) + o;
        }
      }
    return all;
  }
  static PERMI_BOTH void add(const unsigned *, unsigned *sum, value rest, value a, value b, value c)
  {
    const value factor[3] = {rest, b, c};
    const unsigned long long sign = (unsigned long long)((rest ^ a ^ b ^ c) >> 63);
    unsigned long long y[3] = {a < 0 ? 0 - (unsigned long long)a : (unsigned long long)a, 0, 0};
    unsigned x[6];
    for (int k = 0; k < 3; k++) {
      const value f = factor[k];
      const unsigned long long m = f < 0 ? 0 - (unsigned long long)f : (unsigned long long)f;
      const unsigned long long carry = permi_high(y[0], m);
      y[2] = y[2] * m + permi_high(y[1], m);
      y[1] = y[1] * m + carry;
      y[2] += y[1] < carry ? 1 : 0;
      y[0] *= m;
    }
    for (int k = 0; k < 6; k++)
      x[k] = (unsigned)((y[k / 2] ^ sign) >> 32 * (k & 1));
    permi_words_add(sum, x, (unsigned)sign);
  }
};

/* What a warp keeps. In shared memory: values of leaves; patterns, then their values; leaves' counts and ranges; what
   patterns add to rows of both blocks. */
template <class S>
struct permi_signs_warp {
  typedef typename permi_digits<S::SMALL>::value value;
  enum { LANES = S::LANES, MOST = 128 }; /* patterns of a block that wait */
  const unsigned *table, *power;
  value *rest, *product;
  unsigned *leaf, *both, *range;
  unsigned long long *queue;
  unsigned slots;
  unsigned sum[LANES][6];
  int leaves, items[2];
};

/* The queue of a launch is what its blocks put out, 8 words each, which come with all bits set: 3 words of a sum; a
   tree that is given away, path and how many signs << 58; of block 0 four counters, from -1 on. */
enum { PERMI_SIGNS_OUT = 8, PERMI_SIGNS_GIVEN = 3, PERMI_SIGNS_TASKS, PERMI_SIGNS_WARPS, PERMI_SIGNS_IDLE,
       PERMI_SIGNS_OFFERED };

PERMI_BOTH unsigned permi_signs_counter(const unsigned long long *queue, int which)
{
  return (unsigned)permi_seen(queue + which) + 1u;
}

/* Adds x to a counter; returns what it was before, in all lanes. */
template <class S>
PERMI_BOTH unsigned permi_signs_count(const S &, unsigned long long *queue, int which, int x)
{
  unsigned was[S::LANES];
  for (int l = 0; l < S::LANES; l++)
    was[l] = permi_lane(l) ? 0u : (unsigned)permi_atomic_add(queue + which, (unsigned long long)(long long)x) + 1u;
  return permi_shuffle(was, 0);
}

/* Returns a tree that was given away; ~0: none. */
template <class S>
PERMI_BOTH unsigned long long permi_signs_receive(const S &shape, permi_signs_warp<S> &w)
{
  unsigned low[S::LANES], high[S::LANES];
  bool full[S::LANES];
  PERMI_ROLLED
  for (unsigned first = 0; first < w.slots; first += 32) {
    for (int l = 0; l < S::LANES; l++) {
      const unsigned i = first + (unsigned)permi_lane(l);
      full[l] = i < w.slots && permi_seen(w.queue + PERMI_SIGNS_OUT * i + PERMI_SIGNS_GIVEN) != ~0ull;
    }
    unsigned set = permi_ballot(full);
    PERMI_ROLLED
    for (; set; set &= set - 1) {
      unsigned long long *at = w.queue + PERMI_SIGNS_OUT * (first + (unsigned)permi_ctz(set)) + PERMI_SIGNS_GIVEN;
      for (int l = 0; l < S::LANES; l++) {
        unsigned long long tree = ~0ull;
        if (permi_lane(l) == 0) {
          tree = permi_seen(at);
          tree = tree == ~0ull || permi_atomic_swap(at, tree, ~0ull) != tree ? ~0ull : tree;
        }
        low[l] = (unsigned)tree;
        high[l] = (unsigned)(tree >> 32);
      }
      const unsigned long long tree = permi_shuffle(low, 0) | (unsigned long long)permi_shuffle(high, 0) << 32;
      if (tree != ~0ull) {
        permi_signs_count(shape, w.queue, PERMI_SIGNS_OFFERED, -1);
        return tree;
      }
    }
  }
  return ~0ull;
}

template <class S>
PERMI_BOTH void permi_signs_begin(const S &shape, permi_signs_warp<S> &w, const unsigned *table, unsigned *shared,
                                  int warp)
{
  typedef permi_signs_warp<S> W;
  w.table = table;
  w.power = shared;
  w.range = shared + 260 + shape.room() * warp;
  w.rest = (typename W::value *)(w.range + 128);
  w.product = w.rest + 32;
  w.leaf = (unsigned *)(w.product + 2 * W::MOST);
  w.both = w.leaf + 33 * (shape.words() + 1);
  w.leaves = w.items[0] = w.items[1] = 0;
  for (int l = 0; l < W::LANES; l++)
    for (int k = 0; k < 6; k++)
      w.sum[l][k] = 0;
}

/* Makes lane l the sum over the lanes up to it, of `width`. */
template <int LANES>
PERMI_BOTH void permi_signs_scan(unsigned *x, int width)
{
  unsigned before[LANES];
  PERMI_UNROLL
  for (int k = 1; k < width; k *= 2) {
    for (int l = 0; l < LANES; l++)
      before[l] = permi_shuffle(x, (permi_lane(l) - k) & 31);
    for (int l = 0; l < LANES; l++)
      x[l] += (permi_lane(l) & (width - 1)) >= k ? before[l] : 0;
  }
}

/* Replaces pattern i by its value, and writes what it adds to the rows of both. */
template <class S, int BLOCK>
PERMI_BOTH void permi_signs_item(const S &shape, permi_signs_warp<S> &w, int i)
{
  typedef permi_digits<S::SMALL> D;
  const int begin = shape.word(1 + BLOCK), own = shape.word(2 + BLOCK) - begin, shared = shape.word(1);
  const int rows = (own + 3) / 4 + (shared + 3) / 4;
  const unsigned item = (unsigned)w.product[128 * BLOCK + i];
  const unsigned z = item & 511u, slot = item >> 9;
  const uint4 *pattern = (const uint4 *)(w.table + (BLOCK ? shape.pattern1() : shape.pattern0()));
  const uint4 *high = pattern + rows * (32 + (int)(z >> 5));
  unsigned c[8 * S::MOST_FOURS];
  pattern += rows * (int)(z & 31u);
  PERMI_UNROLL
  for (int k = 0; k < 2 * S::MOST_FOURS; k++)
    if (k < rows) {
      c[4 * k] = pattern[k].x + high[k].x;
      c[4 * k + 1] = pattern[k].y + high[k].y;
      c[4 * k + 2] = pattern[k].z + high[k].z;
      c[4 * k + 3] = pattern[k].w + high[k].w;
    }
  PERMI_UNROLL
  for (int k = 0; k < 4 * S::MOST_FOURS; k++)
    if (k < shared)
      w.both[128 * (BLOCK * shared + k) + i] = c[(own + 3) / 4 * 4 + k] + (BLOCK ? 0 : w.leaf[33 * k + (int)slot]);
  PERMI_UNROLL
  for (int k = 0; k < 4 * S::MOST_FOURS; k++)
    if (k < own)
      c[k] += w.leaf[33 * (begin + k) + (int)slot];
  w.product[128 * BLOCK + i] = D::times(D::one((unsigned)permi_ones(z) & 1u),
                                        D::template product<4 * S::MOST_FOURS>(c, own, w.table + shape.odd() + begin));
}

/* Finds pair `number` of all, which belongs to a leaf from `leaf` on. */
template <class S>
PERMI_BOTH void permi_signs_pair(const S &shape, permi_signs_warp<S> &w, unsigned number, int &leaf, unsigned *sum)
{
  typedef permi_digits<S::SMALL> D;
  const int shared = shape.word(1);
  uint4 range = ((const uint4 *)w.range)[leaf];
  unsigned c[4 * S::MOST_FOURS];
  unsigned zero = 0;
  while (number >= range.x)
    range = ((const uint4 *)w.range)[++leaf];
  number -= range.y;
  const unsigned row = permi_high32(number + 1, range.z);
  const unsigned a = row + (range.w & 255u), b = number - row * (range.w >> 16) + (range.w >> 8 & 255u);
  PERMI_UNROLL
  for (int k = 0; k < 4 * S::MOST_FOURS; k++)
    if (k < shared) {
      c[k] = w.both[128 * k + (int)a] + w.both[128 * (shared + k) + (int)b];
      zero |= D::lacking(c[k] ^ (S::SMALL ? 0x88888888u : w.table[shape.target() + k]));
    }
  if (!zero)
    D::add(w.power, sum, w.rest[leaf], w.product[a], w.product[128 + b],
           D::template product<4 * S::MOST_FOURS>(c, shared, w.table + shape.odd()));
}

/* Adds the leaves that wait. */
template <class S>
PERMI_BOTH void permi_signs_join(const S &shape, permi_signs_warp<S> &w)
{
  typedef permi_signs_warp<S> W;
  typedef permi_digits<S::SMALL> D;
  const int done = shape.word(3), words = shape.words() - done;
  unsigned pairs[W::LANES], end[W::LANES], size[W::LANES], at[W::LANES];
  int leaf[W::LANES];
  permi_together();
  for (int l = 0; l < W::LANES; l++) {
    const int lane = permi_lane(l);
    const int here = lane < w.leaves;
    unsigned c[4 * S::MOST_FOURS];
    size[l] = here ? w.range[4 * lane] : 0;
    at[l] = here ? w.range[4 * lane + 1] : 0;
    end[l] = pairs[l] = (size[l] & 65535u) * (size[l] >> 16);
    leaf[l] = 0;
    if (here) {
      PERMI_UNROLL
      for (int k = 0; k < 4 * S::MOST_FOURS; k++)
        if (k < words)
          c[k] = w.leaf[33 * (done + k) + lane];
      w.rest[lane] = D::times(D::one(w.leaf[33 * shape.words() + lane] & 1u),
                              D::template product<4 * S::MOST_FOURS>(c, words, w.table + shape.odd() + done));
    }
  }
  permi_signs_scan<W::LANES>(end, 32);
  const unsigned all = permi_shuffle(end, 31);
  for (int l = 0; l < W::LANES; l++) {
    const int lane = permi_lane(l);
    if (lane < w.leaves) { /* a quotient by size b is the high word of (number + 1) (2^32 - 1) / b */
      w.range[4 * lane] = end[l];
      w.range[4 * lane + 1] = end[l] - pairs[l];
      w.range[4 * lane + 2] = 0xffffffffu / (size[l] >> 16);
      w.range[4 * lane + 3] = (at[l] & 255u) | (at[l] >> 16) << 8 | (size[l] >> 16) << 16;
    }
    PERMI_ROLLED
    for (int i = lane; i < w.items[0]; i += 32)
      permi_signs_item<S, 0>(shape, w, i);
    PERMI_ROLLED
    for (int i = lane; i < w.items[1]; i += 32)
      permi_signs_item<S, 1>(shape, w, i);
  }
  permi_together();
  for (int l = 0; l < W::LANES; l++) {
    PERMI_ROLLED
    for (unsigned number = (unsigned)permi_lane(l); number < all; number += 32)
      permi_signs_pair(shape, w, number, leaf[l], w.sum[l]);
  }
  permi_together();
  w.leaves = w.items[0] = w.items[1] = 0;
}

/* Lets a leaf wait; one with more patterns than there is room for in 16 parts. Returns how many: 0 or 16. */
template <class S>
PERMI_BOTH unsigned permi_signs_leaf(const S &shape, permi_signs_warp<S> &w, const unsigned *count,
                                     const unsigned *alive)
{
  typedef permi_signs_warp<S> W;
  unsigned set[W::LANES], upto[W::LANES];
  int parts = 0;
  PERMI_ROLLED
  for (int part = -1; part < parts; part++) {
    for (int l = 0; l < W::LANES; l++) {
      const int lane = permi_lane(l);
      set[l] = part < 0 || (lane & 15) >> 2 == (lane < 16 ? part & 3 : part >> 2) ? alive[l] : 0;
      upto[l] = (unsigned)permi_ones(set[l]);
    }
    permi_signs_scan<W::LANES>(upto, 16);
    const int size0 = (int)permi_shuffle(upto, 15), size1 = (int)permi_shuffle(upto, 31);
    if (size0 > W::MOST || size1 > W::MOST)
      parts = 16;
    if (size0 == 0 || size1 == 0 || size0 > W::MOST || size1 > W::MOST)
      continue;
    if (w.leaves == 32 || w.items[0] + size0 > W::MOST || w.items[1] + size1 > W::MOST)
      permi_signs_join(shape, w);
    for (int l = 0; l < W::LANES; l++) {
      const int lane = permi_lane(l);
      int at = (lane < 16 ? w.items[0] : W::MOST + w.items[1]) + (int)upto[l] - permi_ones(set[l]);
      for (; set[l]; set[l] &= set[l] - 1)
        w.product[at++] = (typename W::value)(w.leaves << 9 | (lane & 15) << 5 | permi_ctz(set[l]));
      if (lane <= shape.words())
        w.leaf[33 * lane + w.leaves] = count[l];
      if (lane == 0) {
        w.range[4 * w.leaves] = (unsigned)(size0 | size1 << 16);
        w.range[4 * w.leaves + 1] = (unsigned)(w.items[0] | w.items[1] << 16);
      }
    }
    w.leaves++;
    w.items[0] += size0;
    w.items[1] += size1;
  }
  return (unsigned)parts;
}

/* Both signs of column k: count and alive become those of -, next and left those of +; bit b: sign b lives. */
template <class S>
PERMI_BOTH int permi_signs_step(const S &shape, const unsigned *t, int k, const unsigned *count, unsigned *alive,
                                unsigned *next, unsigned *left)
{
  typedef permi_digits<S::SMALL> D;
  const int words = shape.words();
  const unsigned begin = t[shape.start() + k], end = t[shape.start() + k + 1];
  bool zero[2][S::LANES];
  int lives = 3;
  for (int l = 0; l < S::LANES; l++) {
    const int lane = permi_lane(l);
    next[l] = count[l] + (lane <= words ? t[shape.column() + k * (words + 1) + lane] : 0u);
    left[l] = alive[l];
  }
  if (begin & 1u) {
    for (int l = 0; l < S::LANES; l++) {
      const int lane = permi_lane(l);
      const unsigned done = lane < words ? t[shape.done() + k * words + lane] : 0u;
      zero[0][l] = lane < words && D::lacking(count[l] ^ done);
      zero[1][l] = lane < words && D::lacking(next[l] ^ done);
    }
    lives = (permi_ballot(zero[0]) ? 0 : 1) | (permi_ballot(zero[1]) ? 0 : 2);
  }
  PERMI_ROLLED
  for (unsigned i = begin >> 1; i < end >> 1; i++)
    for (int l = 0; l < S::LANES; l++) {
      const int lane = permi_lane(l);
      const uint4 cut = ((const uint4 *)(t + shape.cut()))[2 * i + (lane >> 4)];
      const unsigned digit = permi_shuffle(count, (int)(cut.y >> 8)) >> (cut.y & 31u) & D::MASK;
      const unsigned at = cut.x + cut.z * digit + (lane & 15);
      alive[l] &= t[at];
      left[l] &= t[at + cut.w];
    }
  for (int l = 0; l < S::LANES; l++) {
    zero[0][l] = alive[l] != 0;
    zero[1][l] = left[l] != 0;
  }
  const unsigned any0 = permi_ballot(zero[0]), any1 = permi_ballot(zero[1]);
  return lives & ((any0 & 0xffffu && any0 >> 16 ? 1 : 0) | (any1 & 0xffffu && any1 >> 16 ? 2 : 0));
}

/* Gives away the largest tree if a warp is idle and its slot has room; returns what waits then. */
template <class S>
PERMI_BOTH unsigned long long permi_signs_share(const S &shape, permi_signs_warp<S> &w, unsigned long long waiting,
                                                unsigned long long now)
{
  if (!waiting || permi_first(waiting) + 6 >= shape.prefix() ||
      permi_signs_counter(w.queue, PERMI_SIGNS_IDLE) <= permi_signs_counter(w.queue, PERMI_SIGNS_OFFERED))
    return waiting;
  const int k = permi_first(waiting);
  const unsigned long long path = (now & ((1ull << (k - 1)) - 1)) | 1ull << (k - 1);
  const unsigned long long tree = path | (unsigned long long)k << 58;
  const unsigned slot = (unsigned)(tree * 0x9e3779b97f4a7c15ull >> 32) % w.slots;
  unsigned done[S::LANES];
  for (int l = 0; l < S::LANES; l++)
    done[l] = permi_lane(l) == 0 &&
              permi_atomic_swap(w.queue + PERMI_SIGNS_OUT * slot + PERMI_SIGNS_GIVEN, ~0ull, tree) == ~0ull;
  if (!permi_shuffle(done, 0))
    return waiting;
  permi_signs_count(shape, w.queue, PERMI_SIGNS_OFFERED, 1);
  return waiting ^ 1ull << k;
}

/* Searches below the first `given` signs of path. */
template <class S>
PERMI_BOTH void permi_signs_search(const S &shape, permi_signs_warp<S> &w, unsigned long long path, int given)
{
  enum { LANES = S::LANES };
  unsigned kept[S::MOST_PREFIX][2][LANES]; /* of +, which waits */
  unsigned count[LANES], alive[LANES], next[LANES], left[LANES], of[LANES], set[LANES];
  unsigned long long waiting = 0, now = 0;
  unsigned turns = 0;
  int k = 0;
  for (int l = 0; l < LANES; l++) {
    const int lane = permi_lane(l);
    count[l] = lane <= shape.words() ? w.table[shape.root() + 32 + lane] : 0u;
    alive[l] = w.table[shape.root() + lane];
  }
  PERMI_ROLLED
  for (;;) {
    int lives = permi_signs_step(shape, w.table, k, count, alive, next, left);
    if (k < given)
      lives &= path >> k & 1 ? 2 : 1;
    if (++k == shape.prefix()) {
      PERMI_ROLLED
      for (int sign = 0; sign < 2; sign++)
        if (lives >> sign & 1) {
          for (int l = 0; l < LANES; l++) {
            of[l] = sign ? next[l] : count[l];
            set[l] = sign ? left[l] : alive[l];
          }
          turns += permi_signs_leaf(shape, w, of, set); /* a large one takes long */
        }
      lives = 0;
    }
    if (lives == 3) {
      waiting |= 1ull << k;
      for (int l = 0; l < LANES; l++) {
        kept[k - 1][0][l] = next[l];
        kept[k - 1][1][l] = left[l];
      }
    } else if (lives == 2) {
      now |= 1ull << (k - 1);
      for (int l = 0; l < LANES; l++) {
        count[l] = next[l];
        alive[l] = left[l];
      }
    } else if (lives == 0) {
      if (++turns >= 16) {
        turns = 0;
        waiting = permi_signs_share(shape, w, waiting, now);
      }
      if (!waiting)
        break;
      k = permi_last(waiting);
      waiting ^= 1ull << k;
      now = (now & ((1ull << (k - 1)) - 1)) | 1ull << (k - 1);
      for (int l = 0; l < LANES; l++) {
        count[l] = kept[k - 1][0][l];
        alive[l] = kept[k - 1][1][l];
      }
    }
  }
}

/* Does tasks, prefixes from `first` on and the signs of `more` columns, then what others give away, until all idle. */
template <class S>
PERMI_BOTH void permi_signs_work(const S &shape, permi_signs_warp<S> &w, unsigned long long first, unsigned tasks)
{
  const unsigned long long *path = (const unsigned long long *)(w.table + shape.path());
  permi_signs_count(shape, w.queue, PERMI_SIGNS_WARPS, 1);
  PERMI_ROLLED
  for (int idle = 0;;) {
    unsigned long long tree = ~0ull;
    if (!idle) {
      const unsigned i = permi_signs_count(shape, w.queue, PERMI_SIGNS_TASKS, 1);
      if (i < tasks)
        tree = path[first + (i >> shape.more())] |
               (unsigned long long)(i & ((1u << shape.more()) - 1u)) << shape.depth() |
               (unsigned long long)(shape.depth() + shape.more()) << 58;
    }
    if (tree == ~0ull) {
      idle = 1;
      permi_signs_count(shape, w.queue, PERMI_SIGNS_IDLE, 1);
      PERMI_ROLLED
      for (;;) {
        const unsigned waits = permi_signs_counter(w.queue, PERMI_SIGNS_IDLE);
        const unsigned all = permi_signs_counter(w.queue, PERMI_SIGNS_WARPS);
        if (permi_signs_counter(w.queue, PERMI_SIGNS_OFFERED)) {
          permi_signs_count(shape, w.queue, PERMI_SIGNS_IDLE, -1);
          tree = permi_signs_receive(shape, w);
          if (tree != ~0ull)
            break;
          permi_signs_count(shape, w.queue, PERMI_SIGNS_IDLE, 1);
        } else if (waits >= all) {
          break;
        }
        permi_pause();
      }
    }
    if (tree == ~0ull)
      break;
    permi_signs_search(shape, w, tree & ((1ull << 58) - 1), (int)(tree >> 58));
  }
  permi_signs_join(shape, w);
}

/* Makes powers of 3 in 4 words. */
PERMI_BOTH void permi_signs_power(unsigned *power, int k)
{
  unsigned x[4] = {1, 0, 0, 0};
  for (; k > 0; k--) {
    unsigned long long carry = 0;
    for (int i = 0; i < 4; i++) {
      carry += 3ull * x[i];
      x[i] = (unsigned)carry;
      carry >>= 32;
    }
  }
  for (int i = 0; i < 4; i++)
    power[i] = x[i];
}

/* Carries between the words of 32 bits. */
PERMI_BOTH void permi_signs_finish(const unsigned long long *total, double *out)
{
  unsigned long long carry = 0;
  for (int k = 0; k < 6; k += 2) {
    carry += total[k];
    const unsigned long long word = carry & 0xffffffffull;
    carry = (carry >> 32) + total[k + 1];
    out[k / 2] = permi_of_bits((long long)(word | carry << 32));
    carry >>= 32;
  }
}

/* Table: see perm_gpu_signs. */
template <class S>
__device__ __forceinline__ void permi_signs_chunk(const S &shape, const permi_arguments<1> &a)
{
  extern __shared__ double2 permi_shared[];
  __shared__ unsigned long long total[6];
  unsigned *shared = (unsigned *)permi_shared;
  const unsigned *table = (const unsigned *)a.table;
  const unsigned long long *begin = (const unsigned long long *)(table + shape.path()) + shape.paths() + a.first;
  permi_signs_warp<S> w;
  w.queue = (unsigned long long *)a.out;
  w.slots = gridDim.x;
  if (threadIdx.x < 65)
    permi_signs_power(shared + 4 * threadIdx.x, (int)threadIdx.x);
  if (threadIdx.x < 6)
    total[threadIdx.x] = 0;
  __syncthreads();
  permi_signs_begin(shape, w, table, shared, (int)(threadIdx.x >> 5));
  permi_signs_work(shape, w, begin[0], (unsigned)(begin[gridDim.x] - begin[0]) << shape.more());
  PERMI_UNROLL
  for (int k = 0; k < 6; k++)
    if (w.sum[0][k])
      atomicAdd(total + k, (unsigned long long)w.sum[0][k]);
  __syncthreads();
  if (threadIdx.x == 0)
    permi_signs_finish(total, a.out + PERMI_SIGNS_OUT * blockIdx.x);
}
)
/* clang-format on */

/* ==================================================================================== >>text_minors
   The kernels for minors, see perm_gpu_minors. Eight lanes share a term: form f is number f / 8 of lane f % 8. A lane
   multiplies its forms (forward), lanes exchange products (meet), and every form gets the product of all others
   (backward). A form that pads has x = 1. A lane's numbers stay in registers. */

/* clang-format off */
PERMI_TEXT(minors,
/* A lane's registers; C = 0: any number of forms, as the twin has. `fast`: half the sums by the first FAST digits. */
template <int C, int PARTS, int FAST>
struct permi_minors_lane {
  enum { MOST = (C ? C : 8) * PARTS };
  double x[MOST], front[MOST], sum[MOST];
  double absolute[C ? C : 8];
  double fast[FAST ? FAST * MOST : 1];
  double product[2], outside[2];
};

/* The table: numbers, chunks, digits, walked digits, terms of a walk, scale, place of the walk; for each digit
   settings, count, place of its weights, setting at the walk's end; start; steps of the digits; weights; the walk,
   term by term: weight, digit that moves (from 1; negative: down). */
struct permi_minors_view {
  const double *digit, *start, *step, *walk;
  unsigned long long begin, end;
  int digits, walked, terms;
};

PERMI_BOTH permi_minors_view permi_minors_open(const double *table, int size, unsigned long long chunk)
{
  permi_minors_view view;
  const unsigned long long numbers = (unsigned long long)table[0], chunks = (unsigned long long)table[1];
  const unsigned long long each = numbers / chunks, rest = numbers % chunks;
  view.digits = (int)table[2];
  view.walked = (int)table[3];
  view.terms = (int)table[4];
  view.digit = table + 8;
  view.start = view.digit + 4 * view.digits;
  view.step = view.start + 8 * size;
  view.walk = table + (int)table[6];
  view.begin = chunk * each + (chunk < rest ? chunk : rest);
  view.end = view.begin + each + (chunk < rest ? 1 : 0);
  return view;
}

/* Sets row sums; returns the weight of the high digits, 0 beyond the end. */
template <int C, int PARTS, int FAST>
PERMI_BOTH double permi_minors_number(permi_minors_lane<C, PARTS, FAST> &o, const double *table,
                                      const permi_minors_view &view, int columns, unsigned long long number, int lane)
{
  const int size = (C ? C : columns) * PARTS;
  unsigned long long left = number < view.end ? number : view.end - 1;
  double weight = number < view.end ? table[5] : 0;
  PERMI_UNROLL
  for (int i = 0; i < size; i++) {
    o.x[i] = view.start[8 * i + lane];
    o.sum[i] = 0;
    PERMI_UNROLL
    for (int k = 0; k < (FAST ? FAST : 1); k++)
      o.fast[FAST ? k * size + i : 0] = 0;
  }
  PERMI_ROLLED
  for (int d = view.walked; d < view.digits; d++) {
    const unsigned long long settings = (unsigned long long)view.digit[4 * d];
    const int v = (int)(left % settings);
    left /= settings;
    weight = permi_mul(weight, table[(int)view.digit[4 * d + 2] + v]);
    PERMI_UNROLL
    for (int i = 0; i < size; i++)
      o.x[i] = permi_fma((double)v, view.step[8 * (d * size + i) + lane], o.x[i]); /* exact, as all row sums */
  }
  return weight;
}

/* Moves a digit by `way`; its sums at `plane` grow by what its factor changes times the sum of the terms before. */
template <int C, int PARTS, int FAST>
PERMI_BOTH void permi_minors_move(permi_minors_lane<C, PARTS, FAST> &o, const double *step, int columns, int digit,
                                  double way, double *plane)
{
  const int size = (C ? C : columns) * PARTS;
  PERMI_UNROLL
  for (int k = 0; k < (FAST ? FAST : 1); k++)
    if (FAST && k == digit) {
      PERMI_UNROLL
      for (int i = 0; i < size; i++)
        o.fast[k * size + i] = permi_fma(way, o.sum[i], o.fast[k * size + i]);
    }
  if (FAST && digit >= FAST) {
    PERMI_UNROLL
    for (int i = 0; i < size; i++)
      plane[8 * i] = permi_fma(2 * way, o.sum[i], plane[8 * i]);
  }
  PERMI_UNROLL
  for (int i = 0; i < size; i++)
    o.x[i] = permi_fma(way, step[8 * i], o.x[i]);
}

template <int C, int PARTS, int FAST>
PERMI_BOTH void permi_minors_forward(permi_minors_lane<C, PARTS, FAST> &o, int columns)
{
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++)
    o.product[part] = o.x[part];
  PERMI_UNROLL
  for (int c = 1; c < (C ? C : columns); c++) {
    PERMI_UNROLL
    for (int part = 0; part < PARTS; part++)
      o.front[c * PARTS + part] = o.product[part];
    permi_number_times<PARTS>(o.product, o.x + c * PARTS);
  }
}

/* Takes over the product of lane ^ bit, `other`, for bits 1, 2, 4. */
template <int C, int PARTS, int FAST>
PERMI_BOTH void permi_minors_meet(permi_minors_lane<C, PARTS, FAST> &o, const double *other, int bit)
{
  if (bit > 1) {
    permi_number_times<PARTS>(o.outside, other);
  } else {
    PERMI_UNROLL
    for (int part = 0; part < PARTS; part++)
      o.outside[part] = other[part];
  }
  if (bit < 4)
    permi_number_times<PARTS>(o.product, other);
}

template <int C, int PARTS, int FAST>
PERMI_BOTH void permi_minors_backward(permi_minors_lane<C, PARTS, FAST> &o, int columns, double weight, bool sampled)
{
  double back[2] = {0, 0};
  PERMI_UNROLL
  for (int part = 0; part < PARTS; part++)
    back[part] = permi_mul(o.outside[part], weight);
  PERMI_UNROLL
  for (int c = (C ? C : columns) - 1; c >= 0; c--) {
    double p[2] = {back[0], back[1]};
    if (c)
      permi_number_times<PARTS>(p, o.front + c * PARTS);
    PERMI_UNROLL
    for (int part = 0; part < PARTS; part++)
      o.sum[c * PARTS + part] = permi_add(o.sum[c * PARTS + part], p[part]);
    if (sampled)
      o.absolute[c] = permi_add(o.absolute[c], PARTS == 1 ? fabs(p[0]) : permi_add(fabs(p[0]), fabs(p[1])));
    if (c)
      permi_number_times<PARTS>(back, o.x + c * PARTS);
  }
}

/* Adds a number's sums to the planes of a group: sums by each digit, or (FAST = 0) hi and lo of the sum; moduli. */
template <int C, int PARTS, int FAST>
PERMI_BOTH void permi_minors_put(const permi_minors_lane<C, PARTS, FAST> &o, const permi_minors_view &view, int columns,
                                 unsigned long long number, double *planes)
{
  const int size = (C ? C : columns) * PARTS;
  unsigned long long left = number < view.end ? number : view.end - 1;
  PERMI_UNROLL
  for (int i = 0; i < size; i++) {
    double error = 0;
    if (!FAST) {
      permi_two_sum(planes[8 * i], error, planes[8 * i], o.sum[i]);
      planes[8 * (size + i)] = permi_add(planes[8 * (size + i)], error);
    }
    PERMI_UNROLL
    for (int k = 0; k < (FAST ? FAST : 1); k++)
      if (FAST && k < view.walked)
        planes[8 * (k * size + i)] = permi_fma(2, o.fast[k * size + i], planes[8 * (k * size + i)]);
  }
  PERMI_ROLLED
  for (int d = 0; d < view.digits; d++) {
    const unsigned long long settings = (unsigned long long)view.digit[4 * d];
    const int v = d < view.walked ? (int)view.digit[4 * d + 3] : (int)(left % settings);
    const double factor = view.digit[4 * d + 1] - 2 * v;
    if (!FAST)
      break;
    left = d < view.walked ? left : left / settings;
    PERMI_UNROLL
    for (int i = 0; i < size; i++)
      planes[8 * (d * size + i)] = permi_fma(factor, o.sum[i], planes[8 * (d * size + i)]);
  }
}

/* Makes word `at` of a chunk (hi, lo, moduli) from its 16 groups, `apart` words apart. */
PERMI_BOTH void permi_minors_total(const double *planes, int apart, int words, int low, int at, double *out)
{
  double hi = 0, lo = 0, error;
  for (int group = 0; group < 16; group++) {
    const double *from = planes + (long long)group * apart;
    permi_two_sum(hi, error, hi, from[low && at >= words ? words + at : at]);
    lo = permi_add(lo, low && at < words ? permi_add(error, from[words + at]) : error);
  }
  if (at < words) {
    out[2 * at] = hi;
    out[2 * at + 1] = lo;
  } else {
    out[words + at] = permi_add(hi, lo);
  }
}

template <int C, int PARTS, int FAST>
__device__ __forceinline__ void permi_minors_chunk(const permi_arguments<1> &a)
{
  enum { SIZE = C * PARTS };
  extern __shared__ double2 permi_shared[];
  double *walk = (double *)permi_shared, *steps = walk + 2048;
  const unsigned long long chunk = a.first + blockIdx.x;
  const permi_minors_view view = permi_minors_open(a.table, SIZE, chunk);
  const int t = (int)threadIdx.x, lane = t & 7;
  const int words = 8 * SIZE * (FAST ? view.digits : 1), apart = words * (FAST ? 1 : 2) + 8 * C;
  double *all = a.out + (unsigned long long)gridDim.x * (2 * words + 8 * C) + blockIdx.x * 16ull * apart;
  double *planes = all + (t >> 3) * apart + lane;
  permi_minors_lane<C, PARTS, FAST> o;
  for (int i = t; i < 2 * view.terms; i += 128)
    walk[i] = view.walk[i];
  for (int i = t; i < 8 * SIZE * view.walked; i += 128)
    steps[i] = view.step[i];
  for (int i = 0; i < apart; i += 8)
    planes[i] = 0;
  PERMI_UNROLL
  for (int c = 0; c < C; c++)
    o.absolute[c] = 0;
  __syncthreads();
  PERMI_ROLLED
  for (unsigned long long base = view.begin; base < view.end; base += 16) {
    const unsigned long long number = base + (unsigned long long)(t >> 3);
    const double weight = permi_minors_number<C, PARTS, FAST>(o, a.table, view, C, number, lane);
    PERMI_ROLLED
    for (int m = 0; m < view.terms; m++) {
      const int move = (int)walk[2 * m + 1];
      const int digit = (move < 0 ? -move : move) - 1;
      if (move)
        permi_minors_move<C, PARTS, FAST>(o, steps + 8 * SIZE * digit + lane, C, digit, move < 0 ? -1.0 : 1.0,
                                          planes + 8 * SIZE * digit);
      permi_minors_forward<C, PARTS, FAST>(o, C);
      PERMI_UNROLL
      for (int bit = 1; bit < 8; bit *= 2) {
        double other[2] = {0, 0};
        PERMI_UNROLL
        for (int part = 0; part < PARTS; part++)
          other[part] = __shfl_xor_sync(0xffffffffu, o.product[part], bit);
        permi_minors_meet<C, PARTS, FAST>(o, other, bit);
      }
      permi_minors_backward<C, PARTS, FAST>(
          o, C, permi_mul(walk[2 * m], weight),
          permi_sampled(permi_term_key(chunk, (unsigned)(base - view.begin) / 16, (unsigned)m), a.mask));
    }
    permi_minors_put<C, PARTS, FAST>(o, view, C, number, planes);
  }
  PERMI_UNROLL
  for (int c = 0; c < C; c++)
    planes[apart - 8 * C + 8 * c] = o.absolute[c];
  __syncthreads();
  for (int i = t; i < words + 8 * C; i += 128)
    permi_minors_total(all, apart, words, !FAST, i, a.out + (unsigned long long)blockIdx.x * (2 * words + 8 * C));
}
)
/* clang-format on */

/* ================================================================================== >>text_frontier
   The kernels of arrays. Sorted lists united by merge path [DOB15] took 9 to 12 times as long on a GPU. */

#define PERMI_HEAD_BYTES 48 /* of permi_arguments before its constants */

/* Arrays (>>arrays). A warp sums a block of the target, each value in the order of the ways: the CPU's bits. First
   words of a block's values come before second ones, so that lanes read side by side. */
/* clang-format off */
PERMI_TEXT(arrays,
union permi_coefficient {
  double real;
  unsigned long long integer;
};

struct permi_gpu_way {
  unsigned test, want, keep, flip, low_test, low_want, low_keep, low_flip;
  int low_ones, least, span;
  int place; /* below 0: low words stay */
  permi_coefficient c[2];
};

struct permi_step_arguments {
  const void *from;
  void *to;
  const permi_gpu_way *way;
  const unsigned long long *from_top, *from_middle, *to_top, *to_middle;
  const unsigned short *top, *middle;
  const unsigned char *left;
  const int *from_start, *to_start, *middle_start;
  const unsigned short *word, *rank;
  unsigned short *place;
  unsigned long long *sizes; /* bits of least and largest modulus, or NULL */
  int ways, bits, from_shift, to_shift, low, words, spans, span;
};

struct permi_route {
  unsigned long long offset;
  permi_coefficient c[2];
  unsigned test, want, keep, flip;
  int row, low_ones, place, least, span;
};

struct permi_origin {
  unsigned long long offset;
  permi_coefficient c[2];
  int count, place;
};

PERMI_BOTH bool permi_route_make(const permi_step_arguments &a, unsigned top, const permi_gpu_way &way, permi_route &r)
{
  const unsigned mask = (1u << a.bits) - 1;
  const unsigned source = (top & way.keep >> a.bits) ^ way.flip >> a.bits;
  if ((top & way.test >> a.bits) != way.want >> a.bits)
    return false;
  r.offset = a.from_top[source];
  r.c[0] = way.c[0];
  r.c[1] = way.c[1];
  r.test = way.test & mask;
  r.want = way.want & mask;
  r.keep = way.keep & mask;
  r.flip = way.flip & mask;
  r.row = permi_ones(source) << a.from_shift;
  r.low_ones = way.low_ones;
  r.least = way.least - permi_ones(top);
  r.span = way.span;
  r.place = way.place;
  return true;
}

PERMI_BOTH bool permi_origin_make(const permi_step_arguments &a, unsigned middle, int left, const permi_route &r,
                                  permi_origin &o)
{
  const int low_ones = left + r.low_ones;
  if ((middle & r.test) != r.want || low_ones < 0 || low_ones > a.low ||
      (unsigned)(permi_ones(middle) + left - r.least) > (unsigned)r.span)
    return false;
  o.offset = r.offset + a.from_middle[r.row + (int)((middle & r.keep) ^ r.flip)] + a.from_start[low_ones];
  o.count = a.from_start[low_ones + 1] - a.from_start[low_ones];
  o.c[0] = r.c[0];
  o.c[1] = r.c[1];
  o.place = r.place < 0 ? -1 : r.place + a.to_start[left];
  return true;
}

PERMI_BOTH unsigned short permi_place(const permi_step_arguments &a, const permi_gpu_way &way, int k)
{
  const unsigned word = a.word[k];
  return (word & way.low_test) == way.low_want ? a.rank[(word & way.low_keep) ^ way.low_flip] : (unsigned short)0xffff;
}

struct permi_double_double {
  double hi, lo;
};

PERMI_BOTH permi_double_double permi_dd_sum(permi_double_double a, permi_double_double b)
{
  permi_double_double s, t;
  permi_two_sum(s.hi, s.lo, a.hi, b.hi);
  permi_two_sum(t.hi, t.lo, a.lo, b.lo);
  permi_two_sum(s.hi, s.lo, s.hi, permi_add(s.lo, t.hi));
  permi_two_sum(s.hi, s.lo, s.hi, permi_add(s.lo, t.lo));
  return s;
}

/* Returns (hi, lo) c with the CPU's bits, whose vectors fuse real double-doubles. */
PERMI_BOTH permi_double_double permi_dd_times(double hi, double lo, double c, bool fused)
{
  permi_double_double p;
  double e;
  permi_two_product(p.hi, e, hi, c);
  permi_two_sum(p.hi, p.lo, p.hi, fused ? permi_fma(lo, c, e) : permi_add(e, permi_mul(lo, c)));
  return p;
}

template <int CELL, int WORDS, int PARTS>
struct permi_cell {
  enum { PLANES = CELL == 0 ? 1 : CELL == 3 ? 4 : 2, TRACKED = CELL == 3 ? 2 : 1, TRACK_END = CELL == 1 ? 1 : PLANES };
  typedef double number;
  static PERMI_BOTH void add(double *y, const double *x, const permi_coefficient *c)
  {
    const double real = c[0].real, imaginary = c[1].real;
    if (CELL == 0) {
      y[0] = permi_fma(real, x[0], y[0]);
    } else if (CELL == 1) {
      permi_double_double sum = {y[0], y[1 % PLANES]};
      sum = permi_dd_sum(sum, permi_dd_times(x[0], x[1 % PLANES], real, true));
      y[0] = sum.hi;
      y[1 % PLANES] = sum.lo;
    } else if (CELL == 2) {
      const double re = permi_add(permi_mul(real, x[0]), -permi_mul(imaginary, x[1 % PLANES]));
      const double im = permi_add(permi_mul(real, x[1 % PLANES]), permi_mul(imaginary, x[0]));
      y[0] = permi_add(y[0], re);
      y[1 % PLANES] = permi_add(y[1 % PLANES], im);
    } else {
      permi_double_double re = permi_dd_times(x[0], x[1 % PLANES], real, false);
      permi_double_double im = permi_dd_times(x[2 % PLANES], x[3 % PLANES], real, false);
      permi_double_double sum = {y[0], y[1 % PLANES]};
      if (imaginary != 0) {
        re = permi_dd_sum(re, permi_dd_times(x[2 % PLANES], x[3 % PLANES], -imaginary, false));
        im = permi_dd_sum(im, permi_dd_times(x[0], x[1 % PLANES], imaginary, false));
      }
      sum = permi_dd_sum(sum, re);
      y[0] = sum.hi;
      y[1 % PLANES] = sum.lo;
      sum.hi = y[2 % PLANES];
      sum.lo = y[3 % PLANES];
      sum = permi_dd_sum(sum, im);
      y[2 % PLANES] = sum.hi;
      y[3 % PLANES] = sum.lo;
    }
  }
};

template <int WORDS, int PARTS>
struct permi_cell<4, WORDS, PARTS> {
  enum { PLANES = WORDS * PARTS, TRACKED = 1, TRACK_END = 0 };
  typedef unsigned long long number;
  /* y += |c| x or, `minus`, y -= |c| x, modulo 2^(64 WORDS) */
  static PERMI_BOTH void part(number *y, const number *x, number c, bool minus)
  {
    const number magnitude = minus ? 0 - c : c;
    number carry = 0, borrow = 0;
    PERMI_UNROLL
    for (int w = 0; w < WORDS; w++) {
      const number low = magnitude * x[w];
      const number term = low + carry, sum = minus ? y[w] - term : y[w] + term;
      const number all = minus ? sum - borrow : sum + borrow;
      if (w + 1 < WORDS)
        carry = permi_high(magnitude, x[w]) + (term < low);
      borrow = minus ? (number)(sum > y[w]) + (number)(all > sum) : (number)(sum < term) + (number)(all < sum);
      y[w] = all;
    }
  }
  static PERMI_BOTH void add(number *y, const number *x, const permi_coefficient *c)
  {
    const number real = c[0].integer, imaginary = c[1].integer;
    part(y, x, real, (long long)real < 0);
    if (PARTS == 2) {
      part(y + WORDS % PLANES, x + WORDS % PLANES, real, (long long)real < 0);
      if (imaginary != 0) {
        part(y, x + WORDS % PLANES, 0 - imaginary, (long long)imaginary > 0);
        part(y + WORDS % PLANES, x, imaginary, (long long)imaginary < 0);
      }
    }
  }
};

template <int CELL, int WORDS, int PARTS, int U>
PERMI_BOTH void permi_values(const permi_step_arguments &a, const permi_origin *origin, int origins,
                             unsigned long long to, int count, int first, int apart, unsigned long long *sizes)
{
  typedef permi_cell<CELL, WORDS, PARTS> cell;
  typedef typename cell::number number;
  enum { PLANES = cell::PLANES };
  number y[U][PLANES];
  PERMI_UNROLL
  for (int u = 0; u < U; u++) {
    PERMI_UNROLL
    for (int w = 0; w < PLANES; w++)
      y[u][w] = 0;
  }
  PERMI_ROLLED
  for (int s = 0; s < origins; s++) {
    const permi_origin o = origin[s];
    const number *x = (const number *)a.from + o.offset * PLANES;
    number z[U][PLANES];
    int at[U];
    PERMI_UNROLL
    for (int u = 0; u < U; u++)
      at[u] = first + u * apart < count ? first + u * apart : 0xffff;
    if (o.place >= 0) {
      PERMI_UNROLL
      for (int u = 0; u < U; u++)
        if (at[u] != 0xffff)
          at[u] = a.place[o.place + at[u]];
    }
    PERMI_UNROLL
    for (int u = 0; u < U; u++) {
      PERMI_UNROLL
      for (int w = 0; w < PLANES; w++)
        z[u][w] = at[u] != 0xffff ? x[w * o.count + at[u]] : 0;
    }
    PERMI_UNROLL
    for (int u = 0; u < U; u++)
      cell::add(y[u], z[u], o.c); /* adding 0 changes nothing */
  }
  PERMI_UNROLL
  for (int u = 0; u < U; u++)
    if (first + u * apart < count) {
      number *out = (number *)a.to + to * PLANES + (first + u * apart);
      PERMI_UNROLL
      for (int w = 0; w < PLANES; w++)
        out[w * count] = y[u][w];
      if (a.sizes) {
        PERMI_UNROLL
        for (int w = 0; w < (int)cell::TRACK_END; w += cell::TRACKED) {
          permi_coefficient size;
          size.real = fabs((double)y[u][w]);
          if (size.integer && size.integer < sizes[0])
            sizes[0] = size.integer;
          if (size.integer > sizes[1])
            sizes[1] = size.integer;
        }
      }
    }
}

template <int CELL, int WORDS, int PARTS, int U>
__device__ __forceinline__ void permi_step(const permi_step_arguments &a)
{
  extern __shared__ double2 permi_shared[];
  __shared__ int routes;
  __shared__ unsigned long long all[2];
  const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
  const unsigned below = (1u << lane) - 1, top = a.top[blockIdx.x / a.spans];
  const int ones = permi_ones(top);
  permi_route *route = (permi_route *)permi_shared;
  permi_origin *origin = (permi_origin *)(route + a.ways) + warp * a.ways;
  unsigned long long sizes[2] = {0x7fefffffffffffffull, 0};
  int begin = a.middle_start[ones], end = a.middle_start[ones + 1];
  begin += (int)(blockIdx.x % a.spans) * a.span;
  if (end > begin + a.span)
    end = begin + a.span;
  if (begin >= end)
    return;
  if (warp == 0) {
    int used = 0;
    for (int w = 0; w < a.ways; w += 32) {
      permi_route r;
      const bool in = w + lane < a.ways && permi_route_make(a, top, a.way[w + lane], r);
      const unsigned vote = __ballot_sync(~0u, in);
      if (in)
        route[used + permi_ones(vote & below)] = r;
      used += permi_ones(vote);
    }
    if (lane == 0) {
      routes = used;
      all[0] = sizes[0];
      all[1] = 0;
    }
  }
  __syncthreads();
  PERMI_ROLLED
  for (int m = begin + warp; m < end; m += (int)blockDim.x >> 5) {
    const unsigned middle = a.middle[m];
    const int left = a.left[m], count = a.to_start[left + 1] - a.to_start[left];
    const unsigned long long to = a.to_top[top] + a.to_middle[(ones << a.to_shift) + (int)middle] + a.to_start[left];
    int origins = 0;
    for (int w = 0; w < routes; w += 32) {
      permi_origin o;
      const bool in = w + lane < routes && permi_origin_make(a, middle, left, route[w + lane], o);
      const unsigned vote = __ballot_sync(~0u, in);
      if (in)
        origin[origins + permi_ones(vote & below)] = o;
      origins += permi_ones(vote);
    }
    __syncwarp();
    PERMI_ROLLED
    for (int first = lane; first < count; first += 32 * U)
      permi_values<CELL, WORDS, PARTS, U>(a, origin, origins, to, count, first, 32, sizes);
    __syncwarp();
  }
  if (a.sizes) {
    atomicMin(&all[0], sizes[0]);
    atomicMax(&all[1], sizes[1]);
    __syncthreads();
    if (threadIdx.x == 0) {
      if (all[0] < *(volatile unsigned long long *)&a.sizes[0])
        atomicMin(&a.sizes[0], all[0]);
      if (all[1] > *(volatile unsigned long long *)&a.sizes[1])
        atomicMax(&a.sizes[1], all[1]);
    }
  }
}

__device__ __forceinline__ void permi_places(const permi_step_arguments &a)
{
  const permi_gpu_way way = a.way[blockIdx.x];
  if (way.place >= 0)
    for (int k = (int)threadIdx.x; k < a.words; k += (int)blockDim.x)
      a.place[way.place + k] = permi_place(a, way, k);
}

PERMI_BOTH double permi_scaled(double x, double first, double second)
{
  return permi_mul(permi_mul(x, first), second);
}

__device__ __forceinline__ void permi_scale(double *x, unsigned long long count, double first, double second)
{
  const unsigned long long apart = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long k = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += apart)
    x[k] = permi_scaled(x[k], first, second);
}
)
/* clang-format on */

#define PERMI_STEP_THREADS 256

/* ================================================================================ >>text_amplitudes
   The kernel of amplitudes, a thread a state. */

/* clang-format off */
PERMI_TEXT(amplitudes,
struct permi_photon_arguments {
  const double *from;
  double *to;                      /* of place `origin` */
  double *norm;                    /* sums of |A|^2 of blocks, or NULL */
  const unsigned long long *ranks; /* P_j(d), T_j(d): [2][mode][n + 2] */
  const double *c, *root;          /* [mode][2]; of 0 .. n */
  const int *most;
  unsigned long long low, high, origin; /* places */
  int modes, n, layer, probabilities;
};

/* Adds a photon to the state at a place; returns |A|^2. */
PERMI_BOTH double permi_photon(const permi_photon_arguments &a, unsigned long long place)
{
  const unsigned long long *rank = a.ranks + (a.modes - 1) * (a.n + 2);
  unsigned long long left = place, shift = 0;
  double y[4] = {0, 0, 0, 0};
  int before = a.layer;
  PERMI_ROLLED
  for (int j = a.modes - 1; j >= 0 && before > 0; j--, rank -= a.n + 2) {
    const int full = a.most[j];
    int d = before > full ? before - full : 0;
    left += j > 0 && j < a.modes - 1 ? rank[d] : 0;
    while (j > 0 && rank[d + 1] <= left)
      d++;
    d = j > 0 ? d : 0;
    left -= rank[d];
    if (before > d) {
      const double *x = a.from + 2 * (place - shift);
      const double re = permi_mul(a.root[before - d], a.c[2 * j]), im = permi_mul(a.root[before - d], a.c[2 * j + 1]);
      y[0] = permi_fma(x[0], re, y[0]);
      y[1] = permi_fma(x[1], re, y[1]);
      y[2] = permi_fma(x[0], im, y[2]);
      y[3] = permi_fma(x[1], im, y[3]);
    }
    shift += rank[a.modes * (a.n + 2) + d];
    before = d;
  }
  const double re = permi_add(y[0], -y[3]), im = permi_add(y[1], y[2]);
  const double square = permi_add(permi_mul(re, re), permi_mul(im, im));
  if (a.probabilities) {
    a.to[place - a.origin] = square;
  } else {
    a.to[2 * (place - a.origin)] = re;
    a.to[2 * (place - a.origin) + 1] = im;
  }
  return square;
}

__device__ __forceinline__ void permi_photons_block(const permi_photon_arguments &a)
{
  __shared__ double sum[256];
  const unsigned long long place = a.low + 256ull * blockIdx.x + threadIdx.x;
  sum[threadIdx.x] = place < a.high ? permi_photon(a, place) : 0;
  for (unsigned half = 128; a.norm && half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      sum[threadIdx.x] = permi_add(sum[threadIdx.x], sum[threadIdx.x + half]);
  }
  if (a.norm && threadIdx.x == 0)
    a.norm[blockIdx.x] = sum[0];
}
)
/* clang-format on */

#define PERMI_PHOTON_THREADS 256

/* ========================================================================================= >>driver
   The CUDA driver and NVRTC, opened at run time. A call that fails returns 0 or NULL, and `message` says why. */

#define PERMI_DRIVER_LIST(X)                                                                                           \
  X(init, "cuInit", (unsigned flags))                                                                                  \
  X(count, "cuDeviceGetCount", (int *count))                                                                           \
  X(attribute, "cuDeviceGetAttribute", (int *value, CUdevice_attribute attribute, CUdevice device))                    \
  X(retain, "cuDevicePrimaryCtxRetain", (CUcontext *context, CUdevice device))                                         \
  X(current, "cuCtxSetCurrent", (CUcontext context))                                                                   \
  X(load, "cuModuleLoadData", (CUmodule *module, const void *image))                                                   \
  X(unload, "cuModuleUnload", (CUmodule module))                                                                       \
  X(function, "cuModuleGetFunction", (CUfunction *function, CUmodule module, const char *name))                        \
  X(allow, "cuFuncSetAttribute", (CUfunction function, CUfunction_attribute attribute, int value))                     \
  X(launch, "cuLaunchKernel",                                                                                          \
    (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,                \
     unsigned shared, CUstream stream, void **parameters, void **extra))                                               \
  X(stream, "cuStreamCreate", (CUstream *stream, unsigned flags))                                                      \
  X(stream_free, "cuStreamDestroy_v2", (CUstream stream))                                                              \
  X(event, "cuEventCreate", (CUevent *event, unsigned flags))                                                          \
  X(event_free, "cuEventDestroy_v2", (CUevent event))                                                                  \
  X(record, "cuEventRecord", (CUevent event, CUstream stream))                                                         \
  X(wait, "cuEventSynchronize", (CUevent event))                                                                       \
  X(allocate, "cuMemAlloc_v2", (CUdeviceptr *pointer, size_t bytes))                                                   \
  X(release, "cuMemFree_v2", (CUdeviceptr pointer))                                                                    \
  X(allocate_host, "cuMemAllocHost_v2", (void **pointer, size_t bytes))                                                \
  X(release_host, "cuMemFreeHost", (void *pointer))                                                                    \
  X(pointer, "cuPointerGetAttribute", (void *value, CUpointer_attribute attribute, CUdeviceptr pointer))               \
  X(copy, "cuMemcpyAsync", (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                          \
  X(set, "cuMemsetD8Async", (CUdeviceptr to, unsigned char byte, size_t bytes, CUstream stream))                       \
  X(drain, "cuStreamSynchronize", (CUstream stream))                                                                   \
  X(upload, "cuMemcpyHtoD_v2", (CUdeviceptr to, const void *from, size_t bytes))                                       \
  X(send, "cuMemcpyHtoDAsync_v2", (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                   \
  X(memory, "cuMemGetInfo_v2", (size_t *free, size_t *total))                                                          \
  X(total, "cuDeviceTotalMem_v2", (size_t *bytes, CUdevice device))                                                    \
  X(push, "cuCtxPushCurrent_v2", (CUcontext context))                                                                  \
  X(pop, "cuCtxPopCurrent_v2", (CUcontext *context))                                                                   \
  X(synchronise, "cuCtxSynchronize", (void))                                                                           \
  X(download, "cuMemcpyDtoHAsync_v2", (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                     \
  X(text, "cuGetErrorString", (CUresult error, const char **text))

typedef struct permi_driver {
#define PERMI_DRIVER_MEMBER(name, symbol, parameters) CUresult(CUDAAPI *name) parameters;
  PERMI_DRIVER_LIST(PERMI_DRIVER_MEMBER)
#undef PERMI_DRIVER_MEMBER
} permi_driver;

typedef struct permi_nvrtc_program *permi_program;
#define PERMI_NVRTC_LIST(X)                                                                                            \
  X(version, "nvrtcVersion", (int *major, int *minor))                                                                 \
  X(archs, "nvrtcGetNumSupportedArchs", (int *count))                                                                  \
  X(arch, "nvrtcGetSupportedArchs", (int *archs))                                                                      \
  X(create, "nvrtcCreateProgram",                                                                                      \
    (permi_program * program, const char *source, const char *name, int headers, const char *const *texts,             \
     const char *const *names))                                                                                        \
  X(destroy, "nvrtcDestroyProgram", (permi_program * program))                                                         \
  X(compile, "nvrtcCompileProgram", (permi_program program, int count, const char *const *options))                    \
  X(cubin_size, "nvrtcGetCUBINSize", (permi_program program, size_t *size))                                            \
  X(cubin, "nvrtcGetCUBIN", (permi_program program, char *cubin))                                                      \
  X(ptx_size, "nvrtcGetPTXSize", (permi_program program, size_t *size))                                                \
  X(ptx, "nvrtcGetPTX", (permi_program program, char *ptx))                                                            \
  X(log_size, "nvrtcGetProgramLogSize", (permi_program program, size_t *size))                                         \
  X(log, "nvrtcGetProgramLog", (permi_program program, char *log))

typedef struct permi_nvrtc {
#define PERMI_NVRTC_MEMBER(name, symbol, parameters) int(*name) parameters;
  PERMI_NVRTC_LIST(PERMI_NVRTC_MEMBER)
#undef PERMI_NVRTC_MEMBER
} permi_nvrtc;

#define PERMI_GPUS 64

/* A kernel's key, compared as bytes. */
typedef struct permi_kernel_key {
  int n, parts, product, low, block, plain;
  int family; /* 0: sums; 1: the frontier's arrays: product is the cell, n words in each part; 2: amplitudes */
  int arch, device;
  int form; /* of floats: 2 * rows of a group + majorants (+ 16 * blocks of a multiprocessor, for trials) */
  uint64_t digest, length;
} permi_kernel_key;

enum { PERMI_SCALE, PERMI_STEP, PERMI_PLACES, PERMI_FUNCTIONS }; /* the functions of family 1 */
static const char *const permi_functions[3][PERMI_FUNCTIONS] = {
    {"permi_kernel", NULL, NULL}, {"permi_scale_kernel", "permi_step_kernel", "permi_places_kernel"},
    {"permi_photon_kernel", NULL, NULL}};

typedef struct permi_loaded {
  permi_kernel_key key;
  CUmodule module;
  CUfunction function[PERMI_FUNCTIONS];
  char *image; /* kept for other devices of its architecture */
  size_t size;
  struct permi_loaded *next;
} permi_loaded;

/* A module that a thread of its own makes, since contexts, compilers and drivers cannot be interrupted. Calls may
   leave; the module is kept. */
typedef struct permi_making {
  permi_kernel_key key;
  char *source, *cache;
  size_t shared;
  int compiling; /* others of its architecture wait for the image */
  int calls, ended;
  permi_loaded *loaded;
  char message[PERM_MESSAGE_BYTES];
  struct permi_making *next;
} permi_making;

/* Timed waits use the monotonic clock. */
static void permi_condition(pthread_cond_t *condition)
{
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

static pthread_cond_t permi_made; /* a thread of >>compile has ended; permi_process_begin makes it */

/* The lock of all that follows. */
static pthread_mutex_t permi_cuda_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  int driver_state, nvrtc_state; /* 0 not tried, 1 open, -1 absent */
  permi_driver driver;
  permi_nvrtc nvrtc;
  int devices, arch[PERMI_GPUS], processors[PERMI_GPUS], shared[PERMI_GPUS];
  double slower[PERM_GPU_PIPES]; /* the first */
  CUcontext context[PERMI_GPUS];
  permi_loaded *loaded;
  permi_making *making;
  int threads;
  volatile int leaving; /* compilers give up */
  pid_t process;
  char driver_message[PERM_MESSAGE_BYTES], nvrtc_message[PERM_MESSAGE_BYTES];
  int (*flow)(permi_program program, int (*callback)(void *, void *), void *payload); /* NULL: older NVRTC */
  void (*twin)(void); /* the tests' driver, called instead of compiling, unless NULL */
} permi_cuda;

static double permi_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct timespec permi_until(long nanoseconds)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += nanoseconds;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    until.tv_sec++;
  }
  return until;
}

#if defined(PERM_CUDA_TESTS)
static long permi_fault_after = -1; /* for tests: calls until one fails; below 0: none does */
static int permi_fault(void)
{
  const long left = __atomic_fetch_sub(&permi_fault_after, 1, __ATOMIC_RELAXED);
  if (left < 0)
    __atomic_store_n(&permi_fault_after, -1, __ATOMIC_RELAXED);
  return left == 0;
}
#else
#define permi_fault() 0
#endif

static int permi_called(CUresult status, const char *what, int device, char *message)
{
  const char *text = NULL;
  if (status == CUDA_SUCCESS)
    return 1;
  if (permi_cuda.driver.text)
    permi_cuda.driver.text(status, &text);
  snprintf(message, PERM_MESSAGE_BYTES, "GPU %d: %s: %s (error %d)", device, what, text ? text : "unknown error",
           (int)status);
  return 0;
}

#define PERMI_CALL(name, arguments, device, message)                                                                   \
  permi_called(permi_fault() ? CUDA_ERROR_UNKNOWN : permi_cuda.driver.name arguments, "driver call " #name, device,    \
               message)

/* What a holder holds; a handle of 0 is nothing. */
typedef enum permi_held { PERMI_MEMORY, PERMI_HOST, PERMI_EVENT, PERMI_STREAM, PERMI_HELDS } permi_held;
typedef struct permi_holder {
  int device, held;
  char *message;
  struct {
    permi_held kind;
    void *at;
  } handle[24];
} permi_holder;

#define PERMI_ON(holder, name, arguments) PERMI_CALL(name, arguments, (holder)->device, (holder)->message)

/* Makes *at: `bytes` of GPU or host memory (0: later), an event with flags, a stream. */
static int permi_hold(permi_holder *holder, permi_held kind, void *at, size_t bytes)
{
  holder->handle[holder->held].kind = kind;
  holder->handle[holder->held++].at = at;
  return kind == PERMI_MEMORY ? !bytes || PERMI_ON(holder, allocate, ((CUdeviceptr *)at, bytes))
         : kind == PERMI_HOST ? PERMI_ON(holder, allocate_host, ((void **)at, bytes))
         : kind == PERMI_EVENT ? PERMI_ON(holder, event, ((CUevent *)at, (unsigned)bytes))
                               : PERMI_ON(holder, stream, ((CUstream *)at, CU_STREAM_NON_BLOCKING));
}

static int permi_has_room(permi_holder *holder, double needed, const char *what)
{
  size_t left = 0, total = 0;
  if (!PERMI_ON(holder, memory, (&left, &total)))
    return 0;
  if (needed > (double)left)
    snprintf(holder->message, PERM_MESSAGE_BYTES, "GPU %d: %s need %.0f bytes, and of %.0f only %.0f are free",
             holder->device, what, needed, (double)total, (double)left);
  return needed <= (double)left;
}

/* Gives all back, memory first, which waits; ignores failures. */
static void permi_give_back(permi_holder *holder)
{
  const permi_driver *driver = &permi_cuda.driver;
  for (int kind = 0; kind < PERMI_HELDS; kind++)
    for (int k = 0; k < holder->held; k++) {
      void *at = holder->handle[k].at;
      if ((int)holder->handle[k].kind != kind)
        continue;
      if (kind == PERMI_MEMORY && *(CUdeviceptr *)at)
        driver->release(*(CUdeviceptr *)at);
      else if (kind == PERMI_HOST && *(void **)at)
        driver->release_host(*(void **)at);
      else if (kind == PERMI_EVENT && *(CUevent *)at)
        driver->event_free(*(CUevent *)at);
      else if (kind == PERMI_STREAM && *(CUstream *)at)
        driver->stream_free(*(CUstream *)at);
    }
  holder->held = 0;
}

/* ---- the GPUs of this machine */

static int permi_open(const char *const *libraries, const char *const *symbols, void *table, const char *what,
                      const char *none, char *message, void **library)
{
  *library = NULL;
  for (int i = 0; libraries[i] && !*library; i++)
    *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
  if (!*library)
    snprintf(message, PERM_MESSAGE_BYTES, "%s", none);
  for (int i = 0; *library && symbols[i]; i++) {
    void *symbol = dlsym(*library, symbols[i]);
    if (!symbol) {
      snprintf(message, PERM_MESSAGE_BYTES, "%s is too old: it has no %s", what, symbols[i]);
      return 0;
    }
    memcpy((char *)table + (size_t)i * sizeof symbol, &symbol, sizeof symbol);
  }
  return *library != NULL;
}

#define PERMI_NAME(name, symbol, parameters) symbol,

/* An H200 has 132 multiprocessors at 1.98 GHz of 64 FP64 lanes, and a bus of 6016 bits at 3.2 GHz. */
static int permi_driver_rates(int arch, char *message)
{
  static const CUdevice_attribute asked[] = {
      CU_DEVICE_ATTRIBUTE_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,
      CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH};
  double *slower = permi_cuda.slower;
  int told[4];
  for (int k = 0; k < 4; k++)
    if (!PERMI_CALL(attribute, (&told[k], asked[k], 0), 0, message))
      return 0;
  if (arch == 103 && told[1] < 16) /* a B300's */
    told[1] = 64;
  const double lanes = arch <= 80 ? 64 : 128; /* of FP32 in a multiprocessor */
  slower[PERM_GPU_32] = 132 * 1.98e6 / ((double)permi_cuda.processors[0] * told[0]);
  slower[PERM_GPU_FP64] = slower[PERM_GPU_32] * 64 * told[1] / lanes;
  slower[PERM_GPU_MEMORY] = 6016 * 3.201e6 / ((double)told[2] * told[3]);
  for (int k = 0; k < PERM_GPU_PIPES; k++)
    slower[k] = slower[k] > 0 && slower[k] < 1e6 ? slower[k] : 1;
  return 1;
}

/* The caller holds permi_cuda_lock. */
static int permi_driver_open(void)
{
  static const char *const symbols[] = {PERMI_DRIVER_LIST(PERMI_NAME) NULL};
  static const char *const libraries[] = {"libcuda.so.1", "libcuda.so", NULL};
  char *message = permi_cuda.driver_message;
  void *library;
  int i, major, minor;
  if (permi_cuda.driver_state)
    return permi_cuda.driver_state > 0;
  permi_cuda.driver_state = -1;
  if (!permi_cuda.twin && !permi_open(libraries, symbols, &permi_cuda.driver, "the CUDA driver",
                                      "no CUDA driver: libcuda.so.1 cannot be opened", message, &library))
    return 0;
  if (!PERMI_CALL(init, (0), 0, message) || !PERMI_CALL(count, (&permi_cuda.devices), 0, message))
    return 0;
  if (permi_cuda.devices > PERMI_GPUS)
    permi_cuda.devices = PERMI_GPUS;
  for (i = 0; i < permi_cuda.devices; i++) {
    if (!PERMI_CALL(attribute, (&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, i), i, message) ||
        !PERMI_CALL(attribute, (&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, i), i, message) ||
        !PERMI_CALL(attribute, (&permi_cuda.processors[i], CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, i), i, message) ||
        !PERMI_CALL(attribute, (&permi_cuda.shared[i], CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, i), i,
                    message))
      return 0;
    permi_cuda.arch[i] = 10 * major + minor;
  }
  if (!permi_cuda.devices) {
    snprintf(message, PERM_MESSAGE_BYTES, "the CUDA driver is there, but no GPU");
    return 0;
  }
  if (!permi_driver_rates(permi_cuda.arch[0], message))
    return 0;
  permi_cuda.driver_state = 1;
  return 1;
}

static int permi_nvrtc_open(void)
{
  static const char *const symbols[] = {PERMI_NVRTC_LIST(PERMI_NAME) NULL};
  static const char *const libraries[] = {
      "libnvrtc.so",    "libnvrtc.so.13",   "libnvrtc.so.12",
      "libnvrtc.so.11.2", "/usr/local/cuda/lib64/libnvrtc.so", NULL};
  static const char none[] =
      "no NVRTC: libnvrtc.so cannot be opened (a part of the CUDA toolkit; LD_LIBRARY_PATH says where)";
  void *library, *flow;
  if (permi_cuda.nvrtc_state)
    return permi_cuda.nvrtc_state > 0;
  permi_cuda.nvrtc_state = 1;
  if (permi_cuda.twin)
    return 1;
  if (!permi_open(libraries, symbols, &permi_cuda.nvrtc, "NVRTC", none, permi_cuda.nvrtc_message, &library))
    permi_cuda.nvrtc_state = -1;
  flow = library ? dlsym(library, "nvrtcSetFlowCallback") : NULL; /* since 12.8 */
  memcpy(&permi_cuda.flow, &flow, sizeof flow);
  return permi_cuda.nvrtc_state > 0;
}
#undef PERMI_NAME

int perm_cuda_devices(int gpus, char message[PERM_MESSAGE_BYTES])
{
  int found = 0;
  pthread_mutex_lock(&permi_cuda_lock);
  message[0] = 0;
  if (!permi_driver_open())
    memcpy(message, permi_cuda.driver_message, PERM_MESSAGE_BYTES);
  else if (!permi_nvrtc_open())
    memcpy(message, permi_cuda.nvrtc_message, PERM_MESSAGE_BYTES);
  else
    found = gpus >= 0 && gpus < permi_cuda.devices ? gpus : permi_cuda.devices;
  pthread_mutex_unlock(&permi_cuda_lock);
  return found;
}

double perm_cuda_slower(perm_gpu_pipe pipe)
{
  char message[PERM_MESSAGE_BYTES];
  return perm_cuda_devices(1, message) ? permi_cuda.slower[pipe] : 1;
}

/* ======================================================================================== >>compile
   Kernels by key: NVRTC compiles them, and memory and a directory keep them. */

static int permi_blocks(const permi_kernel_key *key)
{
#if defined(PERMI_GPU_BLOCKS)
  return PERMI_GPU_BLOCKS;
#endif
  if (key->product == PERM_GPU_FLOATS)
    return key->form >= 16   ? key->form / 16
           : key->parts == 2 ? (key->n <= 30 ? 3 : 2)
           : key->low        ? (key->n <= 46 ? 4 : 3)
                             : 5 + (key->n > 42 && key->n <= 50);
  const int need = 2 * key->n * key->parts * (1 + key->low) + 40;
  return need <= 128 ? 4 : need <= 168 ? 3 : 2;
}

static permi_kernel_key permi_step_key(perm_gpu_cell cell, int words, int parts, int device)
{
  permi_kernel_key key;
  memset(&key, 0, sizeof key);
  key.family = 1;
  key.product = (int)cell;
  key.n = cell == PERM_GPU_INTEGER ? words : 1;
  key.parts = cell == PERM_GPU_INTEGER ? parts : 1;
  key.device = device;
  key.arch = permi_cuda.arch[device];
  return key;
}

static int permi_step_planes(const permi_kernel_key *key)
{
  static const int planes[] = {1, 2, 2, 4};
  return key->product == PERM_GPU_INTEGER ? key->n * key->parts : planes[key->product];
}

static uint64_t permi_digest(uint64_t hash, const void *data, size_t bytes)
{
  const unsigned char *byte = (const unsigned char *)data;
  for (size_t i = 0; i < bytes; i++)
    hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
  return hash;
}
#define PERMI_DIGEST_START UINT64_C(14695981039346656037)

static permi_kernel_key permi_key(const perm_gpu_work *work, int device)
{
  permi_kernel_key key;
  memset(&key, 0, sizeof key);
  key.device = device;
  key.arch = device >= 0 ? permi_cuda.arch[device] : 0;
  if (work->program) {
    key.length = strlen(work->program->text);
    key.digest = permi_digest(PERMI_DIGEST_START, work->program->text, (size_t)key.length);
    return key;
  }
  key.n = work->n;
  key.parts = work->parts;
  key.product = work->product;
  key.low = work->low;
  key.block = work->block;
  key.plain = work->product == PERM_GPU_FLOATS ? 0 : work->plain;
  key.form = 2 * work->group + work->majorant;
  return key;
}

static void permi_source_end(const permi_kernel_key *key, char *text, size_t room)
{
  const int planes = key->family == 1 ? permi_step_planes(key) : 0;
  const int constants = key->block * key->n * key->parts * (1 + key->low) + key->plain * key->parts;
  const int count = constants ? constants : 1;
#define PERMI_GLOBAL "extern \"C\" __global__ void "
  static const char scale[] =
      PERMI_GLOBAL "permi_scale_kernel(double *x, unsigned long long count, double first, double second)\n"
      "{ permi_scale(x, count, first, second); }\n";
  if (key->family == 0 && key->product == PERM_GPU_FLOATS)
    snprintf(text, room,
             PERMI_GLOBAL "__launch_bounds__(128, %d) permi_kernel(const permi_arguments<%d, float> a)\n"
             "{ permi_float_chunk<%d, %d, %d, %d, %d, %d, %d>(a); }\n", permi_blocks(key), 2 * key->n + 1, key->n,
             key->parts, key->form / 2 % 8, key->low, key->form % 2, key->block, 2 * key->n + 1);
  else if (key->family == 0)
    snprintf(text, room,
             PERMI_GLOBAL "__launch_bounds__(128, %d) permi_kernel(const permi_arguments<%d> a)\n"
             "{ permi_chunk<%d, %d, %d, %d, %d, %d, %d>(a); }\n",
             permi_blocks(key), count, key->n, key->parts, key->product, key->low, key->block, key->plain, count);
  else if (key->family == 2)
    snprintf(text, room, PERMI_GLOBAL "__launch_bounds__(%d) permi_photon_kernel(const permi_photon_arguments a)\n"
             "{ permi_photons_block(a); }\n", PERMI_PHOTON_THREADS);
  else
    snprintf(text, room,
             PERMI_GLOBAL "__launch_bounds__(%d) permi_step_kernel(const permi_step_arguments a)\n"
             "{ permi_step<%d, %d, %d, %d>(a); }\n"
             PERMI_GLOBAL "permi_places_kernel(const permi_step_arguments a) { permi_places(a); }\n%s",
             PERMI_STEP_THREADS, key->product, key->n, key->parts, planes == 1 ? 4 : planes == 2 ? 2 : 1, scale);
#undef PERMI_GLOBAL
}

/* Returns the kernel's text, which the caller frees. */
static char *permi_source(const permi_kernel_key *key, const perm_gpu_program *program)
{
  const char *more = key->family == 2  ? permi_text_amplitudes
                     : key->family     ? permi_text_arrays
                     : !program        ? ""
                     : program->exact  ? permi_text_exact
                     : program->batch  ? permi_text_batch
                     : program->signs  ? permi_text_signs
                     : program->minors ? permi_text_minors
                                       : "";
  const int floats = program ? program->floats : !key->family && key->product == PERM_GPU_FLOATS;
  const char *before = floats ? permi_text_floats : "", *after = program && floats ? permi_text_batch_floats : "";
  const char *end_of_more = key->family || program ? "\n" : "";
  char end[2048];
  if (!program)
    permi_source_end(key, end, sizeof end);
  const size_t size = sizeof permi_vocabulary + sizeof permi_text_dense + strlen(before) + strlen(more) +
                      strlen(after) + (program ? (size_t)key->length : strlen(end)) + 4;
  char *source = (char *)malloc(size);
  if (source)
    snprintf(source, size, "%s%s\n%s%s%s%s%s", permi_vocabulary, permi_text_dense, before, more, after, end_of_more,
             program ? program->text : end);
  return source;
}

/* The names of cache files depend on these options, too. */
#define PERMI_COMPILE_OPTIONS "-std=c++14", "--fmad=false"
#define PERMI_COMPILE_TEXT "-std=c++14 --fmad=false"

static int permi_compile_flow(void *, void *)
{
  return permi_cuda.leaving;
}

/* Compiles to machine code if NVRTC knows the architecture, else to PTX for the newest below. */
static char *permi_compile(const char *source, int arch, size_t *size, char *message)
{
  const permi_nvrtc *nvrtc = &permi_cuda.nvrtc;
  permi_program program = NULL;
  int known[64], count = 0, best = 0, i, failed;
  char option[64], *image = NULL;
  const char *options[3] = {option, PERMI_COMPILE_OPTIONS};
  if (nvrtc->archs(&count) || count > 64 || nvrtc->arch(known))
    count = 0;
  for (i = 0; i < count; i++)
    best = known[i] <= arch && known[i] > best ? known[i] : best;
  if (!best) {
    snprintf(message, PERM_MESSAGE_BYTES, "NVRTC knows no architecture up to sm_%d, this GPU's", arch);
    return NULL;
  }
  snprintf(option, sizeof option, "--gpu-architecture=%s_%d", best == arch ? "sm" : "compute", best);
  if (nvrtc->create(&program, source, "perm_cuda.cu", 0, NULL, NULL)) {
    snprintf(message, PERM_MESSAGE_BYTES, "NVRTC cannot create a program");
    return NULL;
  }
  if (permi_cuda.flow)
    permi_cuda.flow(program, permi_compile_flow, NULL);
  failed = nvrtc->compile(program, 3, options);
  if (failed) {
    size_t bytes = 0;
    char *log = !nvrtc->log_size(program, &bytes) && bytes ? (char *)malloc(bytes + 1) : NULL;
    if (log && !nvrtc->log(program, log)) {
      log[bytes] = 0;
      snprintf(message, PERM_MESSAGE_BYTES, "NVRTC: error %d: %.200s", failed, log);
    } else {
      snprintf(message, PERM_MESSAGE_BYTES, "NVRTC: error %d without a log", failed);
    }
    free(log);
  } else if (best == arch ? !nvrtc->cubin_size(program, size) : !nvrtc->ptx_size(program, size)) {
    image = (char *)malloc(*size + 1);
    if (image && (best == arch ? nvrtc->cubin(program, image) : nvrtc->ptx(program, image))) {
      free(image);
      image = NULL;
    }
    if (!image)
      snprintf(message, PERM_MESSAGE_BYTES, "NVRTC compiled a kernel but did not hand it over, or memory ran out");
    else
      image[*size] = 0;
  } else {
    snprintf(message, PERM_MESSAGE_BYTES, "NVRTC compiled a kernel but tells no size");
  }
  nvrtc->destroy(&program);
  return image;
}

/* Returns the image in a cache file, or NULL if anything is amiss. */
static char *permi_cache_read(const char *path, size_t *size)
{
  uint64_t head[2];
  char *image = NULL;
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  if (fread(head, sizeof head, 1, file) == 1 && head[0] < (uint64_t)1 << 28) {
    *size = (size_t)head[0];
    image = (char *)malloc(*size + 1);
    if (image && (fread(image, 1, *size, file) != *size ||
                  permi_digest(PERMI_DIGEST_START, image, *size) != head[1])) {
      free(image);
      image = NULL;
    }
  }
  fclose(file);
  if (image)
    image[*size] = 0;
  return image;
}

static void permi_cache_write(const char *path, const char *image, size_t size)
{
  uint64_t head[2] = {size, permi_digest(PERMI_DIGEST_START, image, size)};
  char temporary[1200];
  snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
  remove(temporary); /* a killed process of this number may have left it */
  FILE *file = fopen(temporary, "wbx"); /* x refuses a planted link */
  if (!file)
    return;
  int fine = fwrite(head, sizeof head, 1, file) == 1 && fwrite(image, 1, size, file) == size;
  fine = !fclose(file) && fine;
  if (!fine || rename(temporary, path))
    remove(temporary);
}

/* Returns the device's context. Needs no lock, as all threads get the same one. */
static CUcontext permi_context(int device, char *message)
{
  pthread_mutex_lock(&permi_cuda_lock);
  CUcontext context = permi_cuda.context[device];
  pthread_mutex_unlock(&permi_cuda_lock);
  if (context || !PERMI_CALL(retain, (&context, device), device, message))
    return context;
  pthread_mutex_lock(&permi_cuda_lock);
  permi_cuda.context[device] = context;
  pthread_mutex_unlock(&permi_cuda_lock);
  return context;
}

static int permi_current(int device, char *message)
{
  CUcontext context = permi_context(device, message);
  return context && PERMI_CALL(current, (context), device, message);
}

/* The same until permi_leave. */
static int permi_enter(int device, char *message)
{
  CUcontext context = permi_context(device, message);
  return context && PERMI_CALL(push, (context), device, message);
}

static perm_status permi_leave(int fine)
{
  CUcontext context;
  permi_cuda.driver.pop(&context);
  return fine ? PERM_OK : PERM_ERROR_DEVICE;
}

/* Returns a copy of the image that another device of the architecture has or is making, or NULL. The caller holds
   permi_cuda_lock, which is free while waiting. */
static char *permi_image_of(const permi_kernel_key *key, size_t *size)
{
  permi_making *other;
  permi_loaded *loaded;
  char *image = NULL;
  for (other = permi_cuda.making; other;) {
    permi_kernel_key same = other->key;
    same.device = key->device;
    if (other->compiling && !memcmp(&same, key, sizeof same)) {
      pthread_cond_wait(&permi_made, &permi_cuda_lock);
      other = permi_cuda.making;
    } else {
      other = other->next;
    }
  }
  for (loaded = permi_cuda.loaded; loaded && !image; loaded = loaded->next) {
    permi_kernel_key same = loaded->key;
    same.device = key->device;
    if (!memcmp(&same, key, sizeof same)) {
      *size = loaded->size;
      image = (char *)malloc(*size + 1);
      if (image)
        memcpy(image, loaded->image, *size + 1);
    }
  }
  return image;
}

static int permi_load(permi_loaded *loaded, size_t shared, char *message)
{
  const int device = loaded->key.device, family = loaded->key.family;
  int fine = PERMI_CALL(load, (&loaded->module, loaded->image), device, message), k;
  if (!fine)
    return 0;
  for (k = 0; fine && k < PERMI_FUNCTIONS && permi_functions[family][k]; k++)
    fine = PERMI_CALL(function, (&loaded->function[k], loaded->module, permi_functions[family][k]), device, message);
  if (fine && shared > (size_t)permi_cuda.shared[device]) {
    snprintf(message, PERM_MESSAGE_BYTES,
             "GPU %d: the kernel for this matrix needs %.0f bytes of shared memory, a block there has %d: compute it "
             "on the CPU (options.gpu.devices = 0)", device, (double)shared, permi_cuda.shared[device]);
    fine = 0;
  }
  if (fine && shared > 48 * 1024) /* CUDA gives more only if asked */
    fine = PERMI_CALL(allow, (loaded->function[0], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared),
                      device, message);
  if (!fine)
    permi_cuda.driver.unload(loaded->module);
  return fine;
}

static void permi_cache_path(const permi_making *making, char *path, size_t room)
{
  static const char options[] = PERMI_COMPILE_TEXT;
  int major = 0, minor = 0;
  path[0] = 0;
  if (permi_cuda.twin || !making->cache || strlen(making->cache) >= 1000)
    return;
  permi_cuda.nvrtc.version(&major, &minor);
  snprintf(path, room, "%s/perm-sm%d-nvrtc%d.%d-%016llx.cubin", making->cache, permi_cuda.arch[making->key.device],
           major, minor,
           (unsigned long long)permi_digest(permi_digest(PERMI_DIGEST_START, options, sizeof options), making->source,
                                            strlen(making->source)));
}

static char *permi_image_make(const permi_making *making, size_t *size, char *message)
{
  if (!permi_cuda.twin)
    return permi_compile(making->source, permi_cuda.arch[making->key.device], size, message);
  permi_cuda.twin();
  *size = sizeof making->key; /* a twin's module is its key */
  char *image = (char *)malloc(*size + 1);
  if (image)
    memcpy(image, &making->key, *size);
  return image;
}

static permi_loaded *permi_make(permi_making *making)
{
  permi_loaded *loaded = (permi_loaded *)calloc(1, sizeof *loaded);
  char *message = making->message, path[1100] = "";
  int fine = loaded != NULL && permi_current(making->key.device, message), turn;
  pthread_mutex_lock(&permi_cuda_lock);
  if (fine) {
    loaded->key = making->key;
    loaded->image = permi_image_of(&making->key, &loaded->size);
    making->compiling = !loaded->image;
  }
  pthread_mutex_unlock(&permi_cuda_lock);
  if (fine && loaded->image) {
    fine = permi_load(loaded, making->shared, message);
  } else if (fine) {
    permi_cache_path(making, path, sizeof path);
    for (fine = turn = 0; turn < 2 && !fine; turn++) { /* also a whole file may not suit this driver */
      free(loaded->image);
      message[0] = 0;
      loaded->image = turn ? permi_image_make(making, &loaded->size, message) : permi_cache_read(path, &loaded->size);
      fine = loaded->image && permi_load(loaded, making->shared, message);
    }
    if (fine && turn == 2 && path[0])
      permi_cache_write(path, loaded->image, loaded->size);
  }
  if (fine)
    return loaded;
  if (!message[0])
    snprintf(message, PERM_MESSAGE_BYTES, "out of memory");
  if (loaded)
    free(loaded->image);
  free(loaded);
  return NULL;
}

#define PERMI_MAKING_STACK (16 << 20) /* compilers recurse */

/* The caller holds permi_cuda_lock. */
static void permi_making_leave(permi_making *making)
{
  permi_making **at;
  if (!making->ended || making->calls)
    return;
  for (at = &permi_cuda.making; *at != making;)
    at = &(*at)->next;
  *at = making->next;
  free(making->source);
  free(making->cache);
  free(making);
}

static void *permi_making_run(void *argument)
{
  permi_making *making = (permi_making *)argument;
  permi_loaded *loaded = permi_make(making);
  pthread_mutex_lock(&permi_cuda_lock);
  if (loaded) {
    loaded->next = permi_cuda.loaded;
    permi_cuda.loaded = loaded;
  }
  making->loaded = loaded;
  making->compiling = 0;
  making->ended = 1;
  permi_making_leave(making);
  permi_cuda.threads--;
  pthread_cond_broadcast(&permi_made);
  pthread_mutex_unlock(&permi_cuda_lock);
  return NULL;
}

/* Waits at exit for compilers, before their library ends. */
static void permi_cuda_leave(void)
{
  if (permi_cuda.process != getpid())
    return; /* a forked child has no such threads */
  permi_cuda.leaving = 1;
  pthread_mutex_lock(&permi_cuda_lock);
  while (permi_cuda.threads)
    pthread_cond_wait(&permi_made, &permi_cuda_lock);
  pthread_mutex_unlock(&permi_cuda_lock);
}

/* Starts to make a module; takes `source` over. The caller holds permi_cuda_lock. */
static permi_making *permi_making_start(const permi_kernel_key *key, char *source, size_t shared, const char *cache,
                                        char *message)
{
  permi_making *making = (permi_making *)calloc(1, sizeof *making);
  pthread_attr_t attributes;
  pthread_t thread;
  int started = 0;
  if (making && source && !permi_cuda.leaving) {
    making->key = *key;
    making->shared = shared;
    making->cache = cache ? strdup(cache) : NULL;
    if ((making->cache || !cache) && !pthread_attr_init(&attributes)) {
      making->source = source;
      pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
      pthread_attr_setstacksize(&attributes, PERMI_MAKING_STACK);
      started = !pthread_create(&thread, &attributes, permi_making_run, making);
      pthread_attr_destroy(&attributes);
    }
  }
  if (!started) {
    snprintf(message, PERM_MESSAGE_BYTES, "%s", making && source ? "a host thread cannot be created" : "out of memory");
    free(source);
    if (making)
      free(making->cache);
    free(making);
    return NULL;
  }
  permi_cuda.threads++;
  making->next = permi_cuda.making;
  permi_cuda.making = making;
  return making;
}

/* The caller holds permi_cuda_lock. */
static void permi_process_begin(void)
{
  if (permi_cuda.process == getpid())
    return;
  if (!permi_cuda.process) {
    permi_condition(&permi_made);
    atexit(permi_cuda_leave);
  }
  permi_cuda.process = getpid();
  permi_cuda.making = NULL;
  permi_cuda.threads = 0;
}

static permi_loaded *permi_module(permi_kernel_key key, const perm_gpu_program *program, const char *cache,
                                  int (*stop)(void *context), void *context, char *message)
{
  permi_making *making;
  permi_loaded *loaded;
  int stopped = 0;
  pthread_mutex_lock(&permi_cuda_lock);
  permi_process_begin();
  for (loaded = permi_cuda.loaded; loaded && memcmp(&loaded->key, &key, sizeof key);)
    loaded = loaded->next;
  for (making = permi_cuda.making; making && memcmp(&making->key, &key, sizeof key);)
    making = making->next;
  if (!loaded && !making)
    making = permi_making_start(&key, permi_source(&key, program), program ? program->shared : 0, cache, message);
  if (loaded || !making) {
    pthread_mutex_unlock(&permi_cuda_lock);
    return loaded;
  }
  making->calls++;
  while (!making->ended && !stopped) {
    const struct timespec until = permi_until(20000000);
    pthread_cond_timedwait(&permi_made, &permi_cuda_lock, &until);
    if (!making->ended) {
      pthread_mutex_unlock(&permi_cuda_lock);
      stopped = stop(context);
      pthread_mutex_lock(&permi_cuda_lock);
    }
  }
  loaded = making->ended ? making->loaded : NULL;
  if (!loaded)
    snprintf(message, PERM_MESSAGE_BYTES, "%s", making->ended ? making->message : "stopped");
  making->calls--;
  permi_making_leave(making);
  pthread_mutex_unlock(&permi_cuda_lock);
  return loaded;
}

static CUfunction permi_kernel(const perm_gpu_work *work, int device, const char *cache, int (*stop)(void *context),
                               void *context, char *message)
{
  permi_loaded *loaded = permi_module(permi_key(work, device), work->program, cache, stop, context, message);
  return loaded ? loaded->function[0] : NULL;
}

/* ======================================================================================== >>gpu_run
   Runs ranges of chunks: a GPU's host thread takes pieces of a tenth of a second, on two streams so that they overlap.
   Pieces are merged in order, so what is done is a prefix. */

#define PERMI_PIECE_SECONDS 0.1
#define PERMI_PIECE_TASKS 24  /* chosen: blocks a multiprocessor that share tasks, four times what it holds */
#define PERMI_PIECE_CHUNKS (1 << 16)
#define PERMI_PIECE_LEAST 1024 /* the least chunks of many sums, which must fill a GPU */

typedef struct permi_team {
  const char *cache;
  void *job;
  pthread_mutex_t lock; /* guards the rest, and what a job shares */
  pthread_cond_t changed;
  uint64_t done;
  int active, stop, failed;
  char *message;
} permi_team;

typedef struct permi_worker {
  permi_team *team;
  const perm_gpu_work *work;
  pthread_t thread;
  int device, started, taken, used;
  double chunks_per_second, last;
} permi_worker;

static void permi_team_begin(permi_team *team, void *job, const char *cache, char *message)
{
  memset(team, 0, sizeof *team);
  team->job = job;
  team->cache = cache;
  team->message = message;
  pthread_mutex_init(&team->lock, NULL);
  permi_condition(&team->changed);
}

/* Notes a failure, which ends the job if the thread had begun; else others do the work. */
static void permi_team_fail(permi_team *team, const char *message, int begun)
{
  pthread_mutex_lock(&team->lock);
  if (!team->failed && (begun || !team->message[0]))
    snprintf(team->message, PERM_MESSAGE_BYTES, "%s", message[0] ? message : "out of memory");
  if (begun)
    team->failed = team->stop = 1;
  pthread_mutex_unlock(&team->lock);
}

static void permi_team_leave(permi_team *team)
{
  pthread_mutex_lock(&team->lock);
  team->active--;
  pthread_cond_signal(&team->changed);
  pthread_mutex_unlock(&team->lock);
}

/* Polls every 50 ms and at signals until all have left; returns the first status other than PERM_OK. */
static perm_status permi_team_watch(permi_team *team, perm_status (*poll)(void *context, uint64_t done), void *context)
{
  perm_status status = PERM_OK;
  pthread_mutex_lock(&team->lock);
  while (team->active) {
    const struct timespec until = permi_until(50000000);
    pthread_cond_timedwait(&team->changed, &team->lock, &until);
    const uint64_t done = team->done;
    pthread_mutex_unlock(&team->lock);
    if (status == PERM_OK)
      status = poll(context, done);
    pthread_mutex_lock(&team->lock);
    if (status != PERM_OK)
      team->stop = 1;
  }
  pthread_mutex_unlock(&team->lock);
  return status;
}

static int permi_team_stops(void *context)
{
  permi_team *team = (permi_team *)context;
  pthread_mutex_lock(&team->lock);
  const int stop = team->stop;
  pthread_mutex_unlock(&team->lock);
  return stop;
}

static perm_status permi_team_run(permi_team *team, permi_worker *worker, int workers, void *(*start)(void *),
                                  perm_status (*poll)(void *context, uint64_t done), void *context)
{
  for (int i = 0; i < workers; i++) {
    worker[i].team = team;
    pthread_mutex_lock(&team->lock);
    team->active++;
    pthread_mutex_unlock(&team->lock);
    worker[i].started = !pthread_create(&worker[i].thread, NULL, start, &worker[i]);
    if (!worker[i].started) {
      permi_team_leave(team);
      permi_team_fail(team, "a host thread cannot be created", 0);
    }
  }
  const perm_status status = permi_team_watch(team, poll, context);
  for (int i = 0; i < workers; i++)
    if (worker[i].started)
      pthread_join(worker[i].thread, NULL);
  return status;
}

static perm_status permi_team_end(permi_team *team, uint64_t all, perm_status status)
{
  pthread_cond_destroy(&team->changed);
  pthread_mutex_destroy(&team->lock);
  if (!team->failed && team->done == all) {
    team->message[0] = 0;
    return PERM_OK;
  }
  return team->failed || status == PERM_OK ? PERM_ERROR_DEVICE : status; /* with PERM_OK no GPU could begin */
}

static CUfunction permi_worker_begin(permi_worker *worker, char *message)
{
  permi_team *team = worker->team;
  CUfunction function = permi_kernel(worker->work, worker->device, team->cache, permi_team_stops, team, message);
  return function && permi_current(worker->device, message) ? function : NULL;
}

typedef struct permi_piece {
  uint64_t begin, end;
  perm_partial partial;
  struct permi_piece *next;
} permi_piece;

typedef struct permi_run { /* `done` is merged; the lock guards what follows `gpus` */
  const perm_gpu_sink *sink;
  perm_partial *partial;
  int gpus;
  uint64_t next, end;
  permi_piece *waiting;
} permi_run;

typedef struct permi_slot {
  CUstream stream;
  CUevent event;
  CUdeviceptr out;
  void *sums;
  permi_piece *piece;
  double start;
} permi_slot;

static size_t permi_chunk_bytes(const perm_gpu_work *work)
{
  return (work->program && work->program->sums ? (size_t)work->program->sums : PERM_GPU_SUMS) * sizeof(double);
}

static uint64_t permi_piece_chunks(const perm_gpu_work *work)
{
  const uint64_t chunks = PERMI_PIECE_CHUNKS * PERM_GPU_SUMS * sizeof(double) / permi_chunk_bytes(work);
  return chunks > PERMI_PIECE_LEAST ? chunks : PERMI_PIECE_LEAST;
}

/* Takes a piece; NULL if nothing is left, or if all are stopped after their first. A launch's blocks share the tasks of
   >>text_signs and wait for the last: few blocks would leave a GPU empty, and short launches wait often. */
static permi_piece *permi_take(permi_worker *worker, char *message)
{
  permi_team *team = worker->team;
  permi_run *run = (permi_run *)team->job;
  const perm_gpu_program *program = worker->work->program;
  const double processors = permi_cuda.processors[worker->device], first = 4 * processors;
  permi_piece *piece = (permi_piece *)calloc(1, sizeof *piece);
  if (!piece) {
    snprintf(message, PERM_MESSAGE_BYTES, "out of memory");
    return NULL;
  }
  pthread_mutex_lock(&team->lock);
  double size = worker->chunks_per_second > 0 ? worker->chunks_per_second * PERMI_PIECE_SECONDS : first;
  size = fmin(size, fmax(first, (double)(run->end - run->next) / (2 * run->gpus))); /* so that all end together */
  size = fmax(size, program && program->signs ? PERMI_PIECE_TASKS * processors : 1);
  size = fmin(size, (double)permi_piece_chunks(worker->work));
  if (run->next < run->end && !team->failed && !(team->stop && worker->taken)) {
    piece->begin = run->next;
    piece->end = run->end - run->next > (uint64_t)size ? run->next + (uint64_t)size : run->end;
    run->next = piece->end;
    worker->taken = 1;
  } else {
    free(piece);
    piece = NULL;
  }
  pthread_mutex_unlock(&team->lock);
  return piece;
}

static void permi_deliver(permi_team *team, permi_piece *piece)
{
  permi_run *run = (permi_run *)team->job;
  permi_piece **at;
  pthread_mutex_lock(&team->lock);
  for (at = &run->waiting; *at && (*at)->begin < piece->begin; at = &(*at)->next) {
  }
  piece->next = *at;
  *at = piece;
  while (run->waiting && run->waiting->begin == team->done) {
    piece = run->waiting;
    if (run->sink->merge && run->sink->merge(run->partial, &piece->partial) != PERM_OK)
      team->failed = team->stop = 1;
    team->done = piece->end;
    run->waiting = piece->next;
    free(piece);
  }
  pthread_cond_signal(&team->changed);
  pthread_mutex_unlock(&team->lock);
}

static int permi_start(permi_worker *worker, permi_slot *slot, const permi_holder *holder, CUfunction function,
                       CUdeviceptr table)
{
  const perm_gpu_work *work = worker->work;
  const perm_gpu_program *program = work->program;
  const size_t walk = (size_t)work->stride * (size_t)(2 * work->walk + 1);
  const unsigned shared = program ? (unsigned)program->shared : (unsigned)((640 + walk) * sizeof(double));
  const unsigned blocks = (unsigned)(slot->piece->end - slot->piece->begin);
  const size_t bytes = blocks * permi_chunk_bytes(work);
  struct {
    permi_arguments<1> head;
    double more[4096 / 8];
  } arguments;
  void *parameters[1] = {&arguments}, **for_twin = permi_cuda.twin ? (void **)(uintptr_t)program : NULL;
  memset(&arguments, 0, sizeof arguments);
  arguments.head.table = (const double *)(uintptr_t)table;
  arguments.head.out = (double *)(uintptr_t)slot->out;
  arguments.head.first = slot->piece->begin;
  arguments.head.n = work->n;
  arguments.head.plain = work->plain;
  arguments.head.block = work->block;
  arguments.head.walk = work->walk;
  arguments.head.high = work->high;
  arguments.head.mask = work->absolute_mask;
  if (work->constants)
    memcpy((char *)&arguments + PERMI_HEAD_BYTES, work->table + (work->doubles - work->constants),
           work->constants * sizeof(double));
  memset(slot->sums, 0xff, bytes); /* NaN, which shows what is not written */
  slot->start = permi_clock();
  return PERMI_ON(holder, send, (slot->out, slot->sums, bytes, slot->stream)) &&
         PERMI_ON(holder, launch, (function, blocks, 1, 1, 128, 1, 1, shared, slot->stream, parameters, for_twin)) &&
         PERMI_ON(holder, download, (slot->sums, slot->out, bytes, slot->stream)) &&
         PERMI_ON(holder, record, (slot->event, slot->stream));
}

static int permi_finish(permi_worker *worker, permi_slot *slot, const permi_holder *holder)
{
  const perm_gpu_sink *sink = ((const permi_run *)worker->team->job)->sink;
  permi_piece *piece = slot->piece;
  const double chunks = (double)(piece->end - piece->begin);
  int fine;
  if (!PERMI_ON(holder, wait, (slot->event)))
    return 0;
  const double now = permi_clock();
  const double seconds = now - (slot->start > worker->last ? slot->start : worker->last);
  worker->last = now;
  const double rate = chunks / (seconds > 1e-6 ? seconds : 1e-6);
  /* after a late wake-up both pieces are done, which would look too fast */
  worker->chunks_per_second =
      worker->chunks_per_second > 0 ? fmin(rate, 2 * worker->chunks_per_second) : rate;
  if (sink->alone)
    pthread_mutex_lock(&worker->team->lock);
  fine = sink->add(sink->context, &piece->partial, piece->begin, piece->end - piece->begin, (const double *)slot->sums);
  if (sink->alone)
    pthread_mutex_unlock(&worker->team->lock);
  if (!fine) {
    snprintf(holder->message, PERM_MESSAGE_BYTES,
             "GPU %d: a sum is not finite or wrong: the device is not to be trusted", worker->device);
    return 0;
  }
  slot->piece = NULL;
  worker->used = 1;
  permi_deliver(worker->team, piece);
  return 1;
}

static int permi_pieces(permi_worker *worker, permi_slot *slot, const permi_holder *holder, CUfunction function,
                        CUdeviceptr table)
{
  for (int turn = 0;; turn = !turn) {
    permi_slot *now = &slot[turn];
    if (now->piece && !permi_finish(worker, now, holder))
      return 0;
    now->piece = permi_take(worker, holder->message);
    if (!now->piece && (holder->message[0] || !slot[!turn].piece))
      return !holder->message[0];
    if (now->piece && !permi_start(worker, now, holder, function, table))
      return 0;
  }
}

static void *permi_work(void *argument)
{
  permi_worker *worker = (permi_worker *)argument;
  permi_team *team = worker->team;
  const perm_gpu_work *work = worker->work;
  const uint64_t all = ((permi_run *)team->job)->end - team->done, limit = permi_piece_chunks(work);
  const size_t chunks = (size_t)(all < limit ? all : limit), most = chunks * permi_chunk_bytes(work);
  const size_t scratch = work->program ? chunks * (size_t)work->program->scratch * sizeof(double) : 0;
  const size_t bytes = work->doubles * sizeof(double);
  char message[PERM_MESSAGE_BYTES] = "";
  permi_holder holder = {worker->device, 0, message, {}};
  permi_slot slot[2] = {};
  CUdeviceptr table = 0;
  CUfunction function = permi_worker_begin(worker, message);
  int fine = function && permi_hold(&holder, PERMI_MEMORY, &table, bytes) &&
             PERMI_ON(&holder, upload, (table, work->table, bytes)) &&
             PERMI_ON(&holder, synchronise, ()); /* non-blocking streams do not wait for the upload */
  for (int i = 0; i < 2 && fine; i++)
    fine = permi_hold(&holder, PERMI_STREAM, &slot[i].stream, 0) &&
           permi_hold(&holder, PERMI_EVENT, &slot[i].event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING) &&
           permi_hold(&holder, PERMI_MEMORY, &slot[i].out, most + scratch) &&
           permi_hold(&holder, PERMI_HOST, &slot[i].sums, most);
  if (!fine || !permi_pieces(worker, slot, &holder, function, table))
    permi_team_fail(team, message, worker->taken);
  permi_give_back(&holder);
  free(slot[0].piece);
  free(slot[1].piece);
  permi_team_leave(team);
  return NULL;
}

perm_status perm_cuda_run(const perm_gpu_work *work, uint64_t begin, uint64_t end, const perm_options *options,
                          const perm_gpu_sink *sink, perm_partial *partial, int *gpus,
                          char message[PERM_MESSAGE_BYTES])
{
  permi_worker worker[PERMI_GPUS] = {};
  permi_team team;
  permi_run run = {sink, partial, perm_cuda_devices(options->gpu.devices, message), begin, end, NULL};
  *gpus = 0;
  if (!run.gpus)
    return PERM_ERROR_DEVICE;
  if (end - begin < (uint64_t)run.gpus)
    run.gpus = (int)(end - begin);
  permi_team_begin(&team, &run, options->gpu.cache, message);
  team.done = begin;
  for (int i = 0; i < run.gpus; i++) {
    worker[i].work = work;
    worker[i].device = i;
  }
  const perm_status status = permi_team_run(&team, worker, run.gpus, permi_work, sink->poll, sink->context);
  for (int i = 0; i < run.gpus; i++)
    *gpus += worker[i].used;
  for (permi_piece *piece; (piece = run.waiting) != NULL; free(piece)) /* behind one that failed */
    run.waiting = piece->next;
  return permi_team_end(&team, end, status);
}

/* ---- many small matrices: one host thread is slower than a GPU */

#define PERMI_BATCH_BYTES (8 << 20)
#define PERMI_BATCH_WORKERS 8
#define PERMI_BATCH_THERE_ELEMENTS 1e11 /* of a launch: a tenth of a second */

typedef struct permi_batch_run {
  const perm_gpu_batch *batch;
  size_t piece, next;
} permi_batch_run;

/* Returns how many matrices it takes from *first on. */
static size_t permi_batch_take(permi_team *team, size_t *first)
{
  permi_batch_run *run = (permi_batch_run *)team->job;
  size_t count = 0;
  pthread_mutex_lock(&team->lock);
  *first = run->next;
  if (!team->stop && run->next < run->batch->count)
    count = run->batch->count - run->next < run->piece ? run->batch->count - run->next : run->piece;
  run->next += count;
  pthread_mutex_unlock(&team->lock);
  return count;
}

static int permi_batch_team(int n) { return n < 9 ? 8 : n < 10 ? 16 : n < 17 ? 32 : 128; }

static int permi_batch_launch(const permi_holder *holder, const perm_gpu_program *program, CUfunction function,
                              permi_batch_given given, CUstream stream)
{
  const unsigned teams = 128 / (unsigned)permi_batch_team(given.n);
  void *parameters[1] = {&given}, **for_twin = permi_cuda.twin ? (void **)(uintptr_t)program : NULL;
  return PERMI_ON(holder, launch, (function, (unsigned)((given.count + teams - 1) / teams), 1, 1, 128, 1, 1,
                                   (unsigned)program->shared, stream, parameters, for_twin));
}

static permi_batch_given permi_batch_given_of(const perm_gpu_batch *batch, const double *in, double *out)
{
  const permi_batch_given given = {in, out, NULL, 0, 0, batch->base, batch->shares, batch->relative, batch->n};
  return given;
}

static void *permi_batch_work(void *argument)
{
  permi_worker *worker = (permi_worker *)argument;
  permi_team *team = worker->team;
  const permi_batch_run *run = (const permi_batch_run *)team->job;
  const perm_gpu_batch *batch = run->batch;
  const size_t out_bytes = (size_t)batch->parts * sizeof(double), in_bytes = (size_t)(batch->n * batch->n) * out_bytes;
  char message[PERM_MESSAGE_BYTES] = "";
  permi_holder holder = {worker->device, 0, message, {}};
  CUdeviceptr in = 0, out = 0;
  CUstream stream = NULL;
  CUevent event = NULL;
  void *from = NULL, *to = NULL;
  size_t first, count;
  const CUfunction function = permi_worker_begin(worker, message);
  int fine = function && permi_hold(&holder, PERMI_STREAM, &stream, 0) &&
             permi_hold(&holder, PERMI_EVENT, &event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING) &&
             permi_hold(&holder, PERMI_MEMORY, &in, run->piece * in_bytes) &&
             permi_hold(&holder, PERMI_MEMORY, &out, run->piece * out_bytes) &&
             permi_hold(&holder, PERMI_HOST, &from, run->piece * in_bytes) &&
             permi_hold(&holder, PERMI_HOST, &to, run->piece * out_bytes);
  permi_batch_given given = permi_batch_given_of(batch, (const double *)(uintptr_t)in, (double *)(uintptr_t)out);
  while (fine && (count = permi_batch_take(team, &first)) != 0) {
    worker->taken = 1;
    given.count = count;
    batch->fill(batch->context, first, count, (double *)from);
    fine = PERMI_ON(&holder, send, (in, from, count * in_bytes, stream)) &&
           PERMI_ON(&holder, set, (out, 0xff, count * out_bytes, stream)) && /* NaN is refused */
           permi_batch_launch(&holder, worker->work->program, function, given, stream) &&
           PERMI_ON(&holder, download, (to, out, count * out_bytes, stream)) &&
           PERMI_ON(&holder, record, (event, stream)) && PERMI_ON(&holder, wait, (event));
    if (!fine)
      break;
    batch->take(batch->context, first, count, (const double *)to);
    worker->used = 1;
    pthread_mutex_lock(&team->lock);
    team->done += count;
    pthread_mutex_unlock(&team->lock);
  }
  if (!fine)
    permi_team_fail(team, message, worker->taken);
  permi_give_back(&holder);
  permi_team_leave(team);
  return NULL;
}

static size_t permi_batch_shared(int n, int parts, int floats)
{
  const int team = permi_batch_team(n), most = team == 8 ? 3 : team == 16 ? 4 : team == 32 ? 5 : 7;
  const int high = n - 2 < most ? n - 2 : most, stride = (n * parts + 1) / 2 * 2;
  const int doubles = stride * (2 + high + 2 * (n - 2 - high)) + n * n * parts + (floats ? n + 1 : n * parts) + 2 * n +
                      n * parts + 8 * n;
  return ((size_t)doubles * sizeof(double) + PERMI_HEAD_BYTES + 15) / 16 * 16;
}

/* *work points to *program, that to text. */
static void permi_batch_plan(int n, int parts, int floats, char text[512], perm_gpu_program *program,
                             perm_gpu_work *work)
{
  /* the most that compile without spills */
  const int blocks = parts == 1 || n < (floats ? 14 : 12) ? 4 : n < (floats ? 21 : 18) ? 3 : 2;
  const char *number = floats ? "float" : "double";
  const size_t room = permi_batch_shared(n, parts, floats);
  memset(program, 0, sizeof *program);
  memset(work, 0, sizeof *work);
  work->program = program;
  program->shared = 5 * 128 * sizeof(double) + (size_t)(128 / permi_batch_team(n)) * room;
  program->batch = parts;
  program->floats = floats;
  program->text = text;
  snprintf(text, 512,
           "extern \"C\" __global__ void __launch_bounds__(128, %d) permi_kernel(const permi_batch_given a)\n"
           "{ static_assert(sizeof(permi_batch_room<%d, %d, %s>) == %d, \"\"); permi_batch_kernel<%d, %d, %s>(a); }\n",
           blocks, n, parts, number, (int)room, n, parts, number);
}

static perm_status permi_batch_poll(void *context, uint64_t done)
{
  const perm_gpu_batch *batch = (const perm_gpu_batch *)context;
  return batch->poll(batch->context, (double)done / (double)batch->count);
}

perm_status perm_cuda_batch(const perm_gpu_batch *batch, const perm_options *options, int threads, int *gpus_used,
                            char message[PERM_MESSAGE_BYTES])
{
  permi_worker worker[PERMI_GPUS * PERMI_BATCH_WORKERS] = {};
  permi_batch_run run = {batch, 0, 0};
  permi_team team;
  perm_gpu_program program;
  perm_gpu_work work;
  char text[512];
  perm_status status;
  int i, workers, used[PERMI_GPUS] = {0};
  const int gpus = perm_cuda_devices(options->gpu.devices, message);
  *gpus_used = 0;
  if (!gpus)
    return PERM_ERROR_DEVICE;
  permi_batch_plan(batch->n, batch->parts, batch->floats, text, &program, &work);
  workers = threads / gpus;
  workers = gpus * (workers < 1 ? 1 : workers > PERMI_BATCH_WORKERS ? PERMI_BATCH_WORKERS : workers);
  run.piece = PERMI_BATCH_BYTES / ((size_t)(batch->n * batch->n * batch->parts) * sizeof(double));
  if (run.piece > batch->count / (size_t)workers + 1)
    run.piece = batch->count / (size_t)workers + 1;
  permi_team_begin(&team, &run, options->gpu.cache, message);
  for (i = 0; i < workers; i++) {
    worker[i].work = &work;
    worker[i].device = i % gpus;
  }
  status = permi_team_run(&team, worker, workers, permi_batch_work, permi_batch_poll, (void *)(uintptr_t)batch);
  for (i = 0; i < workers; i++)
    used[i % gpus] |= worker[i].used;
  for (i = 0; i < gpus; i++)
    *gpus_used += used[i];
  return permi_team_end(&team, batch->count, status);
}

/* ---- arrays of callers, by the calling thread on their stream */
int perm_cuda_owner(const void *at, char message[PERM_MESSAGE_BYTES])
{
  const CUdeviceptr pointer = (CUdeviceptr)(uintptr_t)at;
  const permi_driver *driver = &permi_cuda.driver;
  unsigned kind = 0;
  int device = -1;
  if (perm_cuda_devices(PERM_ALL_GPUS, message) &&
      (driver->pointer(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer) != CUDA_SUCCESS ||
       kind != CU_MEMORYTYPE_DEVICE ||
       driver->pointer(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer) != CUDA_SUCCESS ||
       device >= permi_cuda.devices))
    device = -2;
  return device;
}

perm_status perm_cuda_move(const perm_gpu_move *move, void *stream, char message[PERM_MESSAGE_BYTES])
{
  permi_holder holder = {perm_cuda_owner(move->there, message), 0, message, {}};
  const CUdeviceptr here = (CUdeviceptr)(uintptr_t)move->here;
  CUdeviceptr side = 0; /* gathers pieces: each copy to the host would wait */
  if (holder.device < 0 || !permi_enter(holder.device, message))
    return PERM_ERROR_DEVICE;
  int fine = move->back || !move->list || permi_hold(&holder, PERMI_MEMORY, &side, move->count * move->bytes);
  for (size_t k = 0; k < move->count && fine; k++) {
    const CUdeviceptr to = (side ? side : here) + k * move->bytes;
    const CUdeviceptr there = (CUdeviceptr)(uintptr_t)move->there + (move->list ? move->list[k] : k) * move->bytes;
    fine = PERMI_ON(&holder, copy, (move->back ? there : to, move->back ? to : there, move->bytes, (CUstream)stream));
  }
  fine = fine && (!side || PERMI_ON(&holder, copy, (here, side, move->count * move->bytes, (CUstream)stream)));
  fine = PERMI_ON(&holder, drain, ((CUstream)stream)) && fine;
  permi_give_back(&holder);
  return permi_leave(fine);
}

typedef struct permi_batch_there {
  const perm_gpu_batch *batch;
  size_t done;
  perm_status stopped;
} permi_batch_there;

static int permi_batch_there_stop(void *context)
{
  permi_batch_there *run = (permi_batch_there *)context;
  run->stopped = permi_batch_poll((void *)(uintptr_t)run->batch, run->done);
  return run->stopped != PERM_OK;
}

perm_status perm_cuda_batch_there(const perm_gpu_batch *batch, const double *in, double *out,
                                  const perm_options *options, size_t *left, char message[PERM_MESSAGE_BYTES])
{
  const CUstream stream = (CUstream)options->gpu.stream;
  const size_t numbers = (size_t)(batch->n * batch->n * batch->parts);
  const size_t most = (size_t)(PERMI_BATCH_THERE_ELEMENTS / ldexp(batch->n, batch->n - 1));
  permi_batch_there run = {batch, 0, PERM_OK};
  permi_batch_given given = permi_batch_given_of(batch, in, out);
  permi_holder holder = {perm_cuda_owner(in, message), 0, message, {}};
  CUdeviceptr list = 0;
  perm_gpu_program program;
  perm_gpu_work work;
  char text[512];
  permi_batch_plan(batch->n, batch->parts, batch->floats, text, &program, &work);
  const CUfunction function =
      permi_kernel(&work, holder.device, options->gpu.cache, permi_batch_there_stop, &run, message);
  if (!function || !permi_enter(holder.device, message))
    return run.stopped != PERM_OK ? run.stopped : PERM_ERROR_DEVICE;
  int fine = permi_hold(&holder, PERMI_MEMORY, &list, (1 + PERM_GPU_BATCH_LIST) * sizeof *left) &&
             PERMI_ON(&holder, set, (list, 0, sizeof *left, stream)) &&
             PERMI_ON(&holder, set, ((CUdeviceptr)(uintptr_t)out, 0xff,
                                     batch->count * (size_t)batch->parts * sizeof *out, stream));
  given.left = (unsigned long long *)(uintptr_t)list;
  while (fine && run.done < batch->count && !(run.done && permi_batch_there_stop(&run))) {
    given.count = batch->count - run.done < most ? batch->count - run.done : most;
    given.first = run.done;
    given.in = in + numbers * run.done;
    given.out = out + (size_t)batch->parts * run.done;
    fine = permi_batch_launch(&holder, &program, function, given, stream) &&
           PERMI_ON(&holder, download, (left, list, sizeof *left, stream)) && PERMI_ON(&holder, drain, (stream));
    run.done += (size_t)given.count;
  }
  if (fine && left[0] && left[0] <= PERM_GPU_BATCH_LIST)
    fine = PERMI_ON(&holder, download, (left, list, (1 + left[0]) * sizeof *left, stream)) &&
           PERMI_ON(&holder, drain, (stream));
  permi_give_back(&holder);
  const perm_status status = permi_leave(fine);
  return run.stopped != PERM_OK ? run.stopped : status;
}

/* =================================================================================== >>gpu_frontier
   Runs the frontier on one GPU and stream. The host fills a table of words while a step runs; it waits for
   sizes, free tables and the last value. */

typedef struct permi_step_table { /* offsets in bytes of what a step needs */
  size_t way, top_offset, middle_offset, sizes, start, middle_start, top, middle, word, rank, left, bytes;
  int shift; /* log2 of the length of a row of middle offsets */
} permi_step_table;

struct perm_gpu_frontier {
  perm_gpu_frontier_shape shape;
  perm_options options;
  permi_step_table at[2]; /* at first those of the largest table */
  permi_holder holder;
  int steps, planes;      /* planes: words of a value */
  permi_loaded *module;
  perm_status stopped;
  CUstream stream;
  CUdeviceptr values[2], table[2], place;
  void *host[2];
  CUevent sent[2], done;
  int source_low;
  double began;
};

#define PERMI_AT(type, table, place) (type *)(uintptr_t)((table) + (place))

#if defined(PERM_CUDA_BENCH)
static double permi_frontier_seconds;
#endif

/* Returns the offsets for `words`, of the largest table if NULL. */
static permi_step_table permi_step_places(const perm_gpu_frontier_shape *shape, const perm_gpu_words *words)
{
  const size_t low = (size_t)1 << shape->low;
  size_t tops = (size_t)1 << shape->top, rows = (size_t)shape->top + 1;
  size_t blocks = (rows << shape->middle) * (size_t)shape->lefts;
  permi_step_table at;
  at.shift = shape->middle;
  if (words) {
    int k, last = 0;
    tops = (size_t)words->top[words->tops - 1] + 1; /* they ascend */
    blocks = (size_t)words->middle_start[shape->top + 1];
    for (k = 0; k <= shape->top; k++)
      if (words->middle_start[k + 1] > words->middle_start[k]) {
        const int most = words->middle[words->middle_start[k + 1] - 1];
        rows = (size_t)k + 1;
        last = most > last ? most : last;
      }
    for (at.shift = 0; last >> at.shift; at.shift++) {
    }
  }
  at.way = 0;
  at.top_offset = at.way + (size_t)shape->ways * sizeof(permi_gpu_way);
  at.middle_offset = at.top_offset + 8 * tops;
  at.sizes = at.middle_offset + (8 * rows << at.shift);
  at.start = at.sizes + 16;
  at.middle_start = at.start + 4 * (size_t)(shape->low + 2);
  at.top = at.middle_start + 4 * (size_t)(shape->top + 2);
  at.middle = at.top + 2 * tops;
  at.word = at.middle + 2 * blocks;
  at.rank = at.word + 2 * low;
  at.left = at.rank + 2 * low;
  at.bytes = at.left + blocks;
  return at;
}

double perm_cuda_frontier_needs(const perm_gpu_frontier_shape *shape)
{
  return (shape->states[0] + shape->states[1]) * 8 * shape->words +
         2 * (double)permi_step_places(shape, NULL).bytes + 2.0 * shape->ways * ldexp(1, shape->low) + 512;
}

double perm_cuda_frontier_bytes(char message[PERM_MESSAGE_BYTES])
{
  size_t bytes = 0;
  if (!perm_cuda_devices(1, message) || !PERMI_CALL(total, (&bytes, 0), 0, message))
    return 0;
  return (double)bytes;
}

static void permi_frontier_release(perm_gpu_frontier *frontier)
{
  if (frontier->stream)
    permi_cuda.driver.synchronise();
  permi_give_back(&frontier->holder);
}

static int permi_frontier_open(perm_gpu_frontier *frontier)
{
  const perm_gpu_frontier_shape *shape = &frontier->shape;
  permi_holder *holder = &frontier->holder;
  if (!permi_has_room(holder, perm_cuda_frontier_needs(shape), "the arrays"))
    return 0;
  int fine = permi_hold(holder, PERMI_STREAM, &frontier->stream, 0) &&
             permi_hold(holder, PERMI_EVENT, &frontier->done, CU_EVENT_DISABLE_TIMING) &&
             permi_hold(holder, PERMI_MEMORY, &frontier->place, 2 * (size_t)shape->ways << shape->low);
  for (int k = 0; k < 2 && fine; k++) {
    const size_t bytes = (size_t)shape->states[k] * 8, table = frontier->at[k].bytes;
    fine = permi_hold(holder, PERMI_EVENT, &frontier->sent[k], CU_EVENT_DISABLE_TIMING) &&
           permi_hold(holder, PERMI_MEMORY, &frontier->values[k], bytes * (size_t)shape->words) &&
           permi_hold(holder, PERMI_MEMORY, &frontier->table[k], table) &&
           permi_hold(holder, PERMI_HOST, &frontier->host[k], table);
    if (frontier->host[k])
      memset(frontier->host[k], 0, table);
  }
  return fine;
}

perm_status perm_cuda_frontier_create(const perm_gpu_frontier_shape *shape, const perm_options *options,
                                      perm_gpu_frontier **made, char message[PERM_MESSAGE_BYTES])
{
  *made = NULL;
  if (!perm_cuda_devices(1, message))
    return PERM_ERROR_DEVICE;
  perm_gpu_frontier *frontier = (perm_gpu_frontier *)calloc(1, sizeof *frontier);
  if (!frontier)
    return PERM_ERROR_MEMORY;
  frontier->shape = *shape;
  frontier->options = *options;
  frontier->holder.message = message;
  frontier->at[0] = frontier->at[1] = permi_step_places(shape, NULL);
  int fine = permi_enter(0, message);
  if (fine) {
    fine = permi_frontier_open(frontier);
    if (!fine)
      permi_frontier_release(frontier);
    permi_leave(fine);
  }
  if (fine)
    *made = frontier;
  else
    free(frontier);
  return fine ? PERM_OK : PERM_ERROR_DEVICE;
}

void perm_cuda_frontier_free(perm_gpu_frontier *frontier)
{
  if (!frontier)
    return;
  if (permi_cuda.driver.push(permi_cuda.context[frontier->holder.device]) == CUDA_SUCCESS) {
    permi_frontier_release(frontier);
    permi_leave(1);
  }
  free(frontier);
}

static int permi_frontier_send(perm_gpu_frontier *frontier, int turn, const perm_gpu_words *words,
                               const perm_gpu_way *way, int ways)
{
  const perm_gpu_frontier_shape *shape = &frontier->shape;
  const permi_holder *holder = &frontier->holder;
  const permi_step_table *at = &frontier->at[turn];
  const size_t low = (size_t)1 << shape->low;
  const double no_sizes[2] = {DBL_MAX, 0};
  char *host = (char *)frontier->host[turn];
  if (frontier->steps >= 2 && !PERMI_ON(holder, wait, (frontier->sent[turn])))
    return 0;
  frontier->at[turn] = permi_step_places(shape, words);
  static_assert(offsetof(permi_gpu_way, place) == offsetof(perm_gpu_way, moves), "the fields before are the same");
  for (int k = 0; k < ways; k++) {
    permi_gpu_way *to = (permi_gpu_way *)(void *)(host + at->way) + k;
    memcpy(to, &way[k], offsetof(permi_gpu_way, place));
    to->place = way[k].moves ? k << shape->low : -1;
    to->c[0].real = way[k].real;
    to->c[1].real = way[k].imaginary;
    if (frontier->module->key.product == PERM_GPU_INTEGER)
      memcpy(to->c, way[k].integer, sizeof way[k].integer);
  }
  const size_t middles = at->bytes - at->left;
  memcpy(host + at->top_offset, words->top_offset, at->middle_offset - at->top_offset);
  for (size_t row = 0; row << at->shift < (at->sizes - at->middle_offset) / 8; row++)
    memcpy(host + at->middle_offset + (8 * row << at->shift), words->middle_offset + (row << shape->middle),
           (size_t)8 << at->shift);
  memcpy(host + at->sizes, no_sizes, sizeof no_sizes);
  memcpy(host + at->start, words->start, 4 * (size_t)(words->low + 2));
  memcpy(host + at->middle_start, words->middle_start, 4 * (size_t)(shape->top + 2));
  memcpy(host + at->top, words->top, 2 * (size_t)words->tops);
  memcpy(host + at->middle, words->middle, 2 * middles);
  memcpy(host + at->left, words->left, middles);
  memcpy(host + at->word, words->word, 2 * low);
  memcpy(host + at->rank, words->rank, 2 * low);
  return PERMI_ON(holder, send, (frontier->table[turn], host, at->bytes, frontier->stream)) &&
         PERMI_ON(holder, record, (frontier->sent[turn], frontier->stream));
}

static int permi_frontier_wait(perm_gpu_frontier *frontier)
{
  return PERMI_ON(&frontier->holder, record, (frontier->done, frontier->stream)) &&
         PERMI_ON(&frontier->holder, wait, (frontier->done));
}

static int permi_frontier_fetch(perm_gpu_frontier *frontier, CUdeviceptr from, void *host, void *to, size_t bytes)
{
  if (!PERMI_ON(&frontier->holder, download, (host, from, bytes, frontier->stream)) || !permi_frontier_wait(frontier))
    return 0;
  memcpy(to, host, bytes);
  return 1;
}

static int permi_frontier_launch(perm_gpu_frontier *frontier, int function, uint64_t blocks, size_t shared,
                                 void **parameters)
{
  if (blocks > 0x7fffffff) {
    snprintf(frontier->holder.message, PERM_MESSAGE_BYTES, "GPU %d: too many transitions", frontier->holder.device);
    return 0;
  }
  return PERMI_ON(&frontier->holder, launch,
                  (frontier->module->function[function], (unsigned)blocks, 1, 1, PERMI_STEP_THREADS, 1, 1,
                   (unsigned)shared, frontier->stream, parameters, NULL));
}

static int permi_frontier_stops(void *context)
{
  perm_gpu_frontier *frontier = (perm_gpu_frontier *)context;
  frontier->stopped = frontier->shape.poll(frontier->shape.context);
  return frontier->stopped != PERM_OK;
}

perm_status perm_cuda_frontier_begin(perm_gpu_frontier *frontier, perm_gpu_cell cell, int words, int parts,
                                     const perm_gpu_words *source)
{
  uint64_t one[PERM_INTEGER_WORDS];
  const double real = 1;
  permi_holder *holder = &frontier->holder;
  const permi_kernel_key key = permi_step_key(cell, words, parts, holder->device);
  frontier->planes = permi_step_planes(&key);
  frontier->steps = 0;
  if (frontier->planes > frontier->shape.words || frontier->planes > PERM_INTEGER_WORDS) {
    snprintf(holder->message, PERM_MESSAGE_BYTES, "GPU %d: values of %d words", holder->device, frontier->planes);
    return PERM_ERROR_DEVICE;
  }
  memset(one, 0, sizeof one);
  one[0] = 1;
  if (cell != PERM_GPU_INTEGER)
    memcpy(one, &real, sizeof real);
  if (!permi_enter(frontier->holder.device, frontier->holder.message))
    return PERM_ERROR_DEVICE;
  frontier->module = permi_module(key, NULL, frontier->options.gpu.cache, permi_frontier_stops, frontier,
                                  holder->message);
  const int fine = frontier->module && permi_frontier_wait(frontier) && /* the GPU may still run an earlier pass */
                   PERMI_ON(holder, upload, (frontier->values[0], one, 8 * (size_t)frontier->planes)) &&
                   permi_frontier_send(frontier, 0, source, NULL, 0) && permi_frontier_wait(frontier) &&
                   PERMI_ON(holder, synchronise, ()); /* our stream would not wait for the upload */
  frontier->source_low = source->low;
  frontier->began = permi_clock();
  if (!frontier->module && frontier->stopped != PERM_OK) {
    permi_leave(1);
    return frontier->stopped;
  }
  return permi_leave(fine);
}

static permi_step_arguments permi_frontier_arguments(const perm_gpu_frontier *frontier, const perm_gpu_words *target,
                                                     int ways)
{
  const int from = frontier->steps & 1, to = !from;
  const permi_step_table *at = &frontier->at[to], *from_at = &frontier->at[from];
  const CUdeviceptr source = frontier->table[from], table = frontier->table[to];
  permi_step_arguments a;
  memset(&a, 0, sizeof a);
  a.from = PERMI_AT(const void, frontier->values[from], 0);
  a.to = PERMI_AT(void, frontier->values[to], 0);
  a.way = PERMI_AT(const permi_gpu_way, table, at->way);
  a.from_top = PERMI_AT(const unsigned long long, source, from_at->top_offset);
  a.from_middle = PERMI_AT(const unsigned long long, source, from_at->middle_offset);
  a.to_top = PERMI_AT(const unsigned long long, table, at->top_offset);
  a.to_middle = PERMI_AT(const unsigned long long, table, at->middle_offset);
  a.top = PERMI_AT(const unsigned short, table, at->top);
  a.middle = PERMI_AT(const unsigned short, table, at->middle);
  a.left = PERMI_AT(const unsigned char, table, at->left);
  a.from_start = PERMI_AT(const int, source, from_at->start);
  a.to_start = PERMI_AT(const int, table, at->start);
  a.middle_start = PERMI_AT(const int, table, at->middle_start);
  a.word = PERMI_AT(const unsigned short, table, at->word);
  a.rank = PERMI_AT(const unsigned short, source, from_at->rank);
  a.place = PERMI_AT(unsigned short, frontier->place, 0);
  a.ways = ways;
  a.bits = frontier->shape.middle;
  a.from_shift = from_at->shift;
  a.to_shift = at->shift;
  a.low = frontier->source_low;
  a.words = target->start[target->low + 1];
  return a;
}

perm_status perm_cuda_frontier_step(perm_gpu_frontier *frontier, const perm_gpu_words *target, const perm_gpu_way *way,
                                    int ways, double *sizes)
{
  const perm_gpu_frontier_shape *shape = &frontier->shape;
  const int to = !(frontier->steps & 1);
  const size_t shared = (size_t)ways * (sizeof(permi_route) + PERMI_STEP_THREADS / 32 * sizeof(permi_origin));
  permi_step_arguments a;
  void *parameters[1] = {&a};
  int k, most = 1, moves = 0, fine;
  if (ways > shape->ways || ways < 1)
    return PERM_ERROR_DEVICE;
  for (k = 0; k <= shape->top; k++) {
    const int middles = target->middle_start[k + 1] - target->middle_start[k];
    most = middles > most ? middles : most;
  }
  for (k = 0; k < ways; k++)
    moves |= way[k].moves;
  if (!permi_enter(frontier->holder.device, frontier->holder.message))
    return PERM_ERROR_DEVICE;
  fine = permi_frontier_send(frontier, to, target, way, ways);
  a = permi_frontier_arguments(frontier, target, ways);
  a.sizes = sizes ? PERMI_AT(unsigned long long, frontier->table[to], frontier->at[to].sizes) : NULL;
  a.span = (double)target->tops * most <= 65536 ? PERMI_STEP_THREADS / 32 : PERMI_STEP_THREADS / 4;
  a.spans = (most + a.span - 1) / a.span;
  if (fine && moves)
    fine = permi_frontier_launch(frontier, PERMI_PLACES, (uint64_t)ways, 0, parameters);
  fine = fine && permi_frontier_launch(frontier, PERMI_STEP, (uint64_t)(target->tops * a.spans), shared, parameters);
  if (fine && sizes)
    fine = permi_frontier_fetch(frontier, (CUdeviceptr)(uintptr_t)a.sizes,
                                (char *)frontier->host[to] + frontier->at[to].sizes, sizes, 16);
  frontier->steps++;
  frontier->source_low = target->low;
  return permi_leave(fine);
}

perm_status perm_cuda_frontier_scale(perm_gpu_frontier *frontier, uint64_t states, double first, double second)
{
  CUdeviceptr values = frontier->values[frontier->steps & 1];
  unsigned long long count = states * (unsigned long long)frontier->planes;
  const unsigned long long blocks = (count + PERMI_STEP_THREADS - 1) / PERMI_STEP_THREADS;
  void *parameters[4] = {&values, &count, &first, &second};
  if (!blocks)
    return PERM_OK;
  if (!permi_enter(frontier->holder.device, frontier->holder.message))
    return PERM_ERROR_DEVICE;
  return permi_leave(
      permi_frontier_launch(frontier, PERMI_SCALE, blocks < 16384 ? blocks : 16384, 0, parameters));
}

perm_status perm_cuda_frontier_value(perm_gpu_frontier *frontier, void *value)
{
  const size_t bytes = 8 * (size_t)frontier->planes;
  const int turn = frontier->steps & 1;
  if (!permi_enter(frontier->holder.device, frontier->holder.message))
    return PERM_ERROR_DEVICE;
  const int fine = permi_frontier_wait(frontier) &&
                   permi_frontier_fetch(frontier, frontier->values[turn], frontier->host[turn], value, bytes);
#if defined(PERM_CUDA_BENCH)
  permi_frontier_seconds += permi_clock() - frontier->began;
#endif
  return permi_leave(fine);
}
#undef PERMI_AT

/* ================================================================================= >>gpu_amplitudes
   Runs amplitudes on one GPU and stream, in place: a launch for each d_(m-1) of a layer. */

#define PERMI_PHOTON_ROOMS 7
typedef struct permi_photons {
  const perm_gpu_photons *work;
  permi_holder holder;
  CUstream stream;
  CUevent done;
  CUdeviceptr room[PERMI_PHOTON_ROOMS], states; /* ranks, roots, limits, c, states, a piece, norms; or out's states */
  CUfunction function;
  permi_photon_arguments a;
  double *sums; /* of blocks */
  perm_status stopped;
} permi_photons;

static int permi_photons_wait(permi_photons *run)
{
  return PERMI_ON(&run->holder, record, (run->done, run->stream)) && PERMI_ON(&run->holder, wait, (run->done));
}

static int permi_photons_stop(void *context)
{
  permi_photons *run = (permi_photons *)context;
  run->stopped = run->work->poll(run->work->context);
  return run->stopped != PERM_OK;
}

/* Adds the layer's photon to places [low, high). total: given sums of |A|^2, or NULL. */
static int permi_photons_add(permi_photons *run, uint64_t low, uint64_t high, double *total)
{
  const unsigned blocks = (unsigned)((high - low + PERMI_PHOTON_THREADS - 1) / PERMI_PHOTON_THREADS);
  void *parameters[1] = {&run->a};
  if (low >= high)
    return 1;
  run->a.low = low;
  run->a.high = high;
  run->a.norm = total ? (double *)(uintptr_t)run->room[6] : NULL;
  int fine = PERMI_ON(&run->holder, launch, (run->function, blocks, 1, 1, PERMI_PHOTON_THREADS, 1, 1, 0, run->stream,
                                             parameters, NULL));
  if (!fine || !total)
    return fine;
  fine = PERMI_ON(&run->holder, download, (run->sums, run->room[6], blocks * sizeof(double), run->stream)) &&
         permi_photons_wait(run);
  for (unsigned k = 0; k < blocks && fine; k++)
    *total += run->sums[k];
  return fine;
}

static int permi_photons_layer(permi_photons *run)
{
  const perm_gpu_photons *work = run->work;
  if (!permi_photons_wait(run) || permi_photons_stop(run))
    return 0;
  const double *c = work->layer(work->context, ++run->a.layer);
  return PERMI_ON(&run->holder, send, (run->room[3], c, 16 * (size_t)work->modes, run->stream));
}

/* Takes memory and fills tables. */
static int permi_photons_open(permi_photons *run)
{
  const perm_gpu_photons *work = run->work;
  const size_t modes = (size_t)work->modes, levels = (size_t)work->n + 2, values = work->probabilities ? 1 : 2;
  const size_t *last = work->ranks + (modes - 1) * levels;
  const void *const from[3] = {work->ranks, work->root, work->most};
  const double one[2] = {1, 0};
  const int elsewhere = work->elsewhere, resident = work->resident;
  size_t most = work->piece;
  permi_holder *holder = &run->holder;
  for (int d = 0; d <= work->n && !elsewhere; d++)
    most = last[d + 1] - last[d] > most ? (size_t)(last[d + 1] - last[d]) : most;
  const size_t norms = most / PERMI_PHOTON_THREADS + 1;
  const size_t bytes[PERMI_PHOTON_ROOMS] = {
      16 * modes * levels, 8 * (levels - 1), modes * sizeof(int), 16 * modes,
      elsewhere || !resident ? 16 * (size_t)last[work->n + !elsewhere] : 0,
      elsewhere && !resident ? values * 8 * work->piece : 0, norms * sizeof(double)};
  if (!permi_has_room(holder, (double)bytes[4] + (double)bytes[5] + (double)bytes[6], "amplitudes"))
    return 0;
  run->sums = (double *)malloc(norms * sizeof *run->sums);
  int fine = run->sums && (resident ? PERMI_ON(holder, drain, (run->stream))
                                    : permi_hold(holder, PERMI_STREAM, &run->stream, 0)) &&
             permi_hold(holder, PERMI_EVENT, &run->done, CU_EVENT_DISABLE_TIMING);
  for (int k = 0; k < PERMI_PHOTON_ROOMS && fine; k++)
    fine = permi_hold(holder, PERMI_MEMORY, &run->room[k], bytes[k]) &&
           (k > 2 || PERMI_ON(holder, upload, (run->room[k], from[k], bytes[k])));
  run->states = bytes[4] ? run->room[4] : (CUdeviceptr)(uintptr_t)work->out;
  run->a.from = (const double *)(uintptr_t)run->states;
  run->a.ranks = (const unsigned long long *)(uintptr_t)run->room[0];
  run->a.root = (const double *)(uintptr_t)run->room[1];
  run->a.most = (const int *)(uintptr_t)run->room[2];
  run->a.c = (const double *)(uintptr_t)run->room[3];
  run->a.modes = work->modes;
  run->a.n = work->n;
  return fine && PERMI_ON(holder, upload, (run->states, one, sizeof one)) && PERMI_ON(holder, synchronise, ());
}

static int permi_photons_run(permi_photons *run, double *total)
{
  const perm_gpu_photons *work = run->work;
  const size_t *last = work->ranks + (work->modes - 1) * (work->n + 2);
  const size_t values = work->probabilities ? 1 : 2;
  const int full = work->most[work->modes - 1];
  run->a.to = (double *)(uintptr_t)run->states;
  for (int layer = 1; layer < work->n + !work->elsewhere; layer++) {
    if (!permi_photons_layer(run))
      return 0;
    for (int d = layer; d >= 0 && layer - d <= full; d--)
      if (!permi_photons_add(run, last[d], last[d + 1], layer == work->n ? total : NULL))
        return 0;
  }
  if (work->elsewhere && !permi_photons_layer(run))
    return 0;
  run->a.probabilities = work->probabilities;
  for (uint64_t at = 0; at < work->count; at += work->piece) {
    const size_t many = work->count - at > work->piece ? work->piece : (size_t)(work->count - at);
    double *const to = work->out + (work->give ? 0 : values * at);
    CUdeviceptr from = run->states + 16 * (work->offset + at);
    if (work->elsewhere) {
      run->a.origin = work->offset + (work->resident ? 0 : at);
      run->a.to = work->resident ? work->out : (double *)(uintptr_t)run->room[5];
      from = run->room[5];
      if (!permi_photons_add(run, work->offset + at, work->offset + at + many, total))
        return 0;
    }
    if (!work->resident && (!PERMI_ON(&run->holder, download, (to, from, 8 * values * many, run->stream)) ||
                            !permi_photons_wait(run)))
      return 0;
    if (work->give && (run->stopped = work->give(work->context, at, many)) != PERM_OK)
      return 0;
  }
  return permi_photons_wait(run);
}

perm_status perm_cuda_amplitudes(const perm_gpu_photons *work, const perm_options *options, double *total,
                                 char message[PERM_MESSAGE_BYTES])
{
  permi_photons run;
  permi_kernel_key key;
  memset(&run, 0, sizeof run);
  memset(&key, 0, sizeof key);
  run.work = work;
  run.holder.message = message;
  run.holder.device = work->device;
  run.stream = (CUstream)options->gpu.stream;
  if (!perm_cuda_devices(1, message) || !permi_enter(work->device, message))
    return PERM_ERROR_DEVICE;
  key.family = 2;
  key.device = work->device;
  key.arch = permi_cuda.arch[work->device];
  permi_loaded *module = permi_module(key, NULL, options->gpu.cache, permi_photons_stop, &run, message);
  run.function = module ? module->function[0] : NULL;
  const int fine = module && permi_photons_open(&run) && permi_photons_run(&run, total);
  permi_cuda.driver.synchronise();
  permi_give_back(&run.holder);
  free(run.sums);
  const perm_status status = permi_leave(fine);
  return run.stopped != PERM_OK ? run.stopped : status;
}

#endif /* PERMI_CUDA_HOST */

/* Copyright (c) 2026 the perm authors. SPDX-License-Identifier: MIT; its text stands at the end of perm.h. */
