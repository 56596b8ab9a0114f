/* ======================================================================================= >>contract
   What perm.h and perm_cuda.cu tell each other. Only the implementation has it: callers need none of it. >>gpu
   describes the kernels' tables. */
#pragma once

/* How a thread holds the row sums of an integer matrix in 32-bit words, for the kernel of >>exact. A line is a part
   of a row, row by row. Groups of rows are multiplied together in one word, or are one row of two words or three. */
#define PERM_GPU_EXACT_WORDS 48  /* most words of a product */
#define PERM_GPU_EXACT_LINES 256 /* most words of row sums */
typedef struct perm_gpu_exact {
  int parts, skip; /* skip: signs that make some row 0 are skipped, by masks of the 2^6 settings of columns 1 .. 6 */
  int words, stride; /* of the row sums; made a multiple of 4 */
  int groups, sum;   /* sum: words of sums of products */
  int zeros, masks;  /* rows looked at for zeros; 64-bit words of their tables, made even */
  short at[128], kind[128];  /* of a line: its word; 0 .. 3 the byte there, 4, 5 the half, else words; + 128, + 32768 */
  short carries[PERM_GPU_EXACT_LINES];    /* of a word: 1: it goes on where the word before ends */
  short first[65], product[64], wide[64]; /* of a group: row, words of the product from there on, words of the row */
  short zero_line[64], zero_base[64];     /* rows looked at; where their tables begin, less 128, plus their norms */
} perm_gpu_exact;

/* A sum over counts of >>sign_sums. A thread's number is the setting of the high digits; the low ones are walked
   through in n-ary Gray order, the same walk for all threads. */
#define PERM_GPU_COUNTS_SIZE 160 /* most words of the forms: part by part, high and low, form by form */
typedef struct perm_gpu_counts {
  int parts, low, ryser;
  int forms, needed; /* needed: of elementary symmetric functions; 0: products */
  int walk, table;   /* terms of a walk; words of the table */
  short before[PERM_GPU_COUNTS_SIZE + 1]; /* of a form: copies of those before it */
} perm_gpu_counts;

/* A kernel made for one matrix. Its text follows perm_cuda.cu's >>text, whose functions it may use, and defines what
   PERM_GPU_ENTRY begins, printed with the blocks that share a multiprocessor. A block makes the sums of chunk
   a.first + blockIdx.x, at a.out + sums * blockIdx.x; a.table is work's. The text alone is the key under which the
   kernel is cached: what differs in it must show there. */
#define PERM_GPU_ENTRY                                                                                                 \
  "extern \"C\" __global__ void __launch_bounds__(128, %d) permi_kernel(const permi_arguments<1> a)\n"
typedef struct perm_gpu_program {
  const char *text;
  size_t shared; /* bytes of shared memory */
  void (*twin)(const void *context, uint64_t chunk, double *sums); /* the same on the CPU, bit by bit: for tests */
  const void *context;
  int sums;                    /* words of 8 bytes that a chunk yields, doubles or not; 0: PERM_GPU_SUMS */
  const perm_gpu_exact *exact; /* not NULL: the text goes on that of exact integers, whose twin the tests take */
  int batch;                   /* 1, 2: likewise of batches of real, complex matrices */
  const perm_gpu_counts *counts; /* likewise of sums over counts */
} perm_gpu_program;

/* Matrices of one order. `fill` writes matrices row by row; `take` gets for each PERM_GPU_BATCH_SUMS doubles:
   permanent, sum of |terms|, share of the terms that rounding of entries may have taken. Both are called by several
   threads. */
#define PERM_GPU_BATCH_LEAST_N 10
#define PERM_GPU_BATCH_MOST_N 24
#define PERM_GPU_BATCH_SUMS 4
typedef struct perm_gpu_batch {
  int n, parts;
  size_t count;
  void *context;
  void (*fill)(void *context, size_t first, size_t count, double *to);
  void (*take)(void *context, size_t first, size_t count, const double *from);
  perm_status (*poll)(void *context, double fraction); /* by the calling thread only; not PERM_OK: stop */
} perm_gpu_batch;

typedef struct perm_gpu_work {
  int n, parts, product; /* 1 real, 2 complex; perm_gpu_product */
  int low, plain;        /* 1: rows have low words; how many rows, the last ones, are not divided by their pivot */
  int stride;            /* words of all rows (parts, high and low, row by row), made even */
  int block, walk, high; /* columns: unrolled, in Gray order in a thread, by the bits of a thread's number */
  unsigned absolute_mask;
  uint64_t fingerprint;
  const double *table; /* start [stride]; step [high][stride]; walk [2 * walk + 1][stride]; constants */
  size_t doubles, constants;
  const perm_gpu_program *program; /* NULL: a kernel of the template; else of all these only table, doubles, and */
                                   /* fingerprint count, absolute_mask where the sink wants it */
} perm_gpu_work;

typedef enum perm_gpu_product { PERM_GPU_PIVOT, PERM_GPU_ROUNDED, PERM_GPU_COMPENSATED, PERM_GPU_DOUBLED }
    perm_gpu_product;
#define PERM_GPU_THREADS_LOG2 7 /* threads of a chunk */
#define PERM_GPU_SUMS 5         /* doubles that a chunk yields: value hi, lo, imaginary hi, lo, sum of |terms| */

typedef struct perm_gpu_sink {
  void *context;
  int (*add)(void *context, perm_partial *partial, uint64_t first, uint64_t chunks, const double *sums); /* 0: NaN */
  perm_status (*merge)(perm_partial *into, const perm_partial *from);
  perm_status (*poll)(void *context, uint64_t done); /* by the calling thread only; not PERM_OK: stop */
} perm_gpu_sink;

/* The frontier programme on arrays: what perm_sparse.h (>>arrays) tells a GPU. Its host works out words and ways of a
   step, the GPU its values. */
typedef enum perm_gpu_cell { /* of an array */
  PERM_GPU_DOUBLE,
  PERM_GPU_DD,
  PERM_GPU_COMPLEX,
  PERM_GPU_COMPLEX_DD,
  PERM_GPU_INTEGER /* modulo 2^(64 words); Gaussian: two such numbers */
} perm_gpu_cell;

typedef struct perm_gpu_words { /* the words of a step: see permi_layout */
  const uint16_t *word, *rank, *middle, *top;
  const unsigned char *left;
  const uint64_t *middle_offset, *top_offset;
  const int *start, *middle_start;
  int low, tops; /* occupied low slots; words of top bits */
} perm_gpu_words;

typedef struct perm_gpu_way { /* see permi_pull */
  uint32_t test, want, keep, flip; /* above the low slots; */
  uint32_t low_test, low_want, low_keep, low_flip;
  int low_ones; /* how many more there are in the source */
  int moves;    /* 1: low words change their places */
  double real, imaginary;
  int64_t integer[2];
} perm_gpu_way;

typedef struct perm_gpu_programme {
  int low, middle, top;  /* slots */
  int ways;              /* most of a step */
  double states[2];      /* most before even and odd steps */
  int words;             /* 64-bit words of the longest value */
  int lists;             /* 1: sorted lists instead of arrays */
  void *context;
  perm_status (*poll)(void *context); /* while a kernel is compiled; not PERM_OK: stop, with that */
} perm_gpu_programme;

typedef struct perm_gpu_stream { /* see permi_stream */
  uint64_t test, want, flip;
  double real, imaginary;
  int64_t integer[2];
} perm_gpu_stream;

typedef struct perm_gpu_frontier perm_gpu_frontier; /* a programme on a GPU */

#if defined(PERM_WITH_CUDA) || defined(__CUDACC__)
#if defined(__cplusplus)
extern "C" {
#endif
/* Usable GPUs, at most `gpus` (PERM_ALL_GPUS: all); 0 with the reason in message. */
int perm_cuda_devices(int gpus, char message[PERM_MESSAGE_BYTES]);
/* Chunks [begin, end) of work into *partial; if stopped or failed, a prefix of them. */
perm_status perm_cuda_run(const perm_gpu_work *work, uint64_t begin, uint64_t end, const perm_options *options,
                          const perm_gpu_sink *sink, perm_partial *partial, int *gpus,
                          char message[PERM_MESSAGE_BYTES]);
/* Several kinds of work for the same sum, at most 16: seconds[k], of all chunks[k], by a slice on the first GPU, after
   all have been compiled at the same time; INFINITY: it failed. predicted: by which slices are cut. */
void perm_cuda_tune(const perm_gpu_work *const *work, int count, const uint64_t *chunks, const double *predicted,
                    const perm_options *options, double *seconds);
/* The permanents of a batch; `threads` of the host may fetch matrices. */
perm_status perm_cuda_batch(const perm_gpu_batch *batch, const perm_options *options, int threads, int *gpus,
                            char message[PERM_MESSAGE_BYTES]);

/* Bytes of the GPU that frontier programmes run on, 0 if there is none; bytes that one takes there. */
double perm_cuda_frontier_bytes(char message[PERM_MESSAGE_BYTES]);
double perm_cuda_frontier_needs(const perm_gpu_programme *programme);
/* Memory for a programme. message, which must live as long, tells why a call has failed (PERM_ERROR_DEVICE). */
perm_status perm_cuda_frontier_create(const perm_gpu_programme *programme, const perm_options *options,
                                      perm_gpu_frontier **frontier, char message[PERM_MESSAGE_BYTES]);
/* The value 1, before the first step; cells of integers have so many words in each of so many parts. */
perm_status perm_cuda_frontier_begin(perm_gpu_frontier *frontier, perm_gpu_cell cell, int words, int parts,
                                     const perm_gpu_words *source);
/* A step: does not wait for it, unless sizes is not NULL: the least modulus that is not 0, and the largest. */
perm_status perm_cuda_frontier_step(perm_gpu_frontier *frontier, const perm_gpu_words *target, const perm_gpu_way *way,
                                    int ways, double *sizes);
/* A step of lists; *states: how many there are then. */
perm_status perm_cuda_frontier_unite(perm_gpu_frontier *frontier, const perm_gpu_stream *stream, int streams,
                                     uint64_t *states, double *sizes);
/* The values of `states` states times two numbers, one after the other. */
perm_status perm_cuda_frontier_scale(perm_gpu_frontier *frontier, uint64_t states, double first, double second);
/* The first value. */
perm_status perm_cuda_frontier_value(perm_gpu_frontier *frontier, void *value);
void perm_cuda_frontier_free(perm_gpu_frontier *frontier);
#if defined(__cplusplus)
}
#endif
#endif
