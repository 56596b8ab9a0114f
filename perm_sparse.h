/* Joined by `make headers` from the files of src/: change those. */
/* perm_sparse.h: exact permanents of sparse matrices, Matrix Market files, exact integers.

   In one source file:

       #define PERM_IMPLEMENTATION
       #include "perm_sparse.h"                                 // includes perm.h and gives both

   compiled in about 27 s at -O2:

       cc -O2 sparse.c -lm                                      // or with -fopenmp

   If another file has perm.h's implementation, define PERM_SPARSE_IMPLEMENTATION alone, and include this header before
   perm.h.

   EXAMPLE
       perm_matrix a;
       perm_result r;
       if (perm_matrix_read("graph.mtx", NULL, &a, NULL, &r) == PERM_OK) {
         char text[PERM_TEXT_BYTES];
         perm_compute_sparse(&a, NULL, &r);
         perm_result_text(&r, text, sizeof text);
         puts(text);
         perm_matrix_free(&a);
       }

   GUARANTEES
     - Integer and pattern matrices, and real ones from files of whole numbers, are computed exactly up to 4544 bits
       (beyond that in doubles, with `exact` 0), and modulo any number at any size. Methods frontier, lists, sorting,
       arrays, tree, band, twins and transversals only add products of entries: `error_bound` is proven, and
       non-negative matrices do not cancel. Method hybrid sums over signs: except for integers, `error_bound` is
       INFINITY unless certify is set, which takes 2 to 4 times as long.
     - No file is read as something else: a file that fits two formats is refused until options.format names one.
     - Files may be hostile: a status, FILE:LINE, what was found and expected; memory bounded by the file.
     - The same plan and the same bits on every run: searches count moves, not time.

   METHOD (options.method): what it sums; states or terms; values. More in docs/engines.md.
       auto          the fastest by prediction within max_bytes, for each block; never sorting, sparyser, dominating,
                     decompose, transversals, codegen
       frontier      matchings along a moving boundary; C(a + b, a - d) for a rows and b columns on it, d = columns -
                     rows eliminated (rectangular: a range of d); all values
       lists, arrays, sorting   frontier with sorted and merged, indexed, or expanded and sorted states. Arrays of
                     integers: 8 bytes a state, below 2^52 in doubles, else modulo primes, a pass each. On one GPU if
                     predicted faster, or if isa is cuda
       tree          tables of a tree decomposition; 2^width a vertex; all values, rectangles
       band          a window of w columns along the rows; C(w, k) states a row with k of them used; all values
       twins         frontier that counts vertices with proportional entries ahead; the product of (number + 1) over
                     classes; all values. Nested rows, J minus a sparse matrix, blocks of constants, multiples of lines
       hybrid        signs outside, elimination inside: 2^signs runs of a program; doubles, complex; dd at 2.5 to 5
                     times the time; integers in doubles below 2^53, else modulo a prime for each 47 bits, each about
                     the time of doubles. On GPUs from order 13
       sparyser      Ryser's sum without surely zero terms; up to n 2^(n-1); doubles, integers to 126 bits
       dominating    Ryser's sum over sets of columns that meet every row; 2^|T| prod (2^|S_i| - 1); values as sparyser
       sign-search   Glynn's sum as a search: a row of sum 0 ends the branch; integers of at most 254 a row, best with
                     few small ones; also on GPUs
       codegen       Ryser's sum on GPUs [EK]; n 2^(n-1), or k 2^(n-1) with k row sums in registers;
                     doubles
       decompose     branches at lines of fewest entries; doubles, exact integers
       transversals  every perfect matching; all values
       planar        planar blocks: a determinant [Kas61] of about n^1.5 products; integers modulo a prime for each 62
                     bits, others in double-double, with a bound if fronts have at most 160 rows
       dense         Glynn's sum of perm.h on each block; n 2^(n-1); doubles, complex, dd

   COST  depends on the structure: perm_sparse_job and perm_job_explain predict it, perm_sparse_spy draws it.

   LIMITS  512 frontier vertices (arrays: 43); tables of 27 vertices in a tree; windows of 62 columns; 64 classes; sums
   over signs or subsets, dense blocks and method decompose to order 64. Bands and trees: n in the 100,000s.

   CONTENTS  Rooms as in perm.h. Proofs: search THE BOUND (docs/proofs-rounding.md), THE PROOF.
     api/            >>sparse_config, >>sparse_calls: macros, types, functions
     matrix/         >>matrix
     formats/        >>market, >>plain_text, >>numpy, >>graph, >>read: the table of formats, perm_matrix_read
     graph/          >>split, >>reduce, >>walk, >>order, >>engines, >>vectors, >>primes, >>device
     frontier/       >>values, >>frontier, >>steps (unions of lists), >>arrays, >>arrays_run, >>array_kernels
     tree/           >>tree, >>tree_order, >>tree_build
     band/           >>band, >>band_order
     twins/          >>classes, >>classes_run, >>classes_order
     hybrid/         >>hybrid_layout, >>hybrid_program, >>hybrid_leaf, >>hybrid_residues, >>hybrid_offer,
                     >>hybrid_kernels; PTX: perm_cuda.cu, programs.h
     sign_search/    >>signs, >>signs_order, >>signs_offer, >>signs_kernels
     reference/      >>sorting, >>transversals, >>sparyser (and dominating), >>decompose
     planar/         >>kasteleyn, >>dissection, >>fronts, >>planar
     sparse/         >>frontier_offer, >>choose, >>sparse: the table of engines; perm_compute_sparse, _job, _report

   REFERENCES  besides those of perm.h
     [HK73]  Hopcroft, Karp, SIAM J. Comput. 2 (1973) 225-231: matching.
     [Tar72] Tarjan, SIAM J. Comput. 1 (1972) 146-160: strong components.
     [Knu75] Knuth, Math. Comp. 29 (1975) 121-136: random descents.
     [DM58]  Dulmage, Mendelsohn, Canad. J. Math. 10 (1958) 517-534: which entries matter.
     [FM03]  Forbert, Marx, Comput. Phys. Comm. 150 (2003) 267-273: lines of few entries.
     [Dec99] Dechter, Artif. Intell. 113 (1999) 41-85: bucket elimination.
     [LM]    Lundow, Markstrom, Efficient computation of permanents, with applications to Boson sampling and random
             matrices: bands, dominating sets.
     [SUP]   Elbek, Tasyaran, Ucar, Kaya, SUPERMAN: Efficient permanent computation on GPUs: SpaRyser, decomposition.
     [Kas61] Kasteleyn, Physica 27 (1961) 1209-1225: planar graphs.
     [Bra09] Brandes, The left-right planarity test, 2009; de Fraysseix, Rosenstiehl, Europ. J. Combin. 3 (1982)
             127-135.
     [Geo73] George, SIAM J. Numer. Anal. 10 (1973) 345-363: nested dissection.
     [DR83]  Duff, Reid, ACM Trans. Math. Softw. 9 (1983) 302-325: multifrontal elimination.
     [EK]    Elbek, Kaya, Fully-automated code generation for efficient computation of sparse matrix permanents on GPUs.
     [DOB15] Dalton, Baxter, Merrill, Olson, Garland, IPDPS 2015: merge path.
*/
#ifndef PERMI_FAMILY
#ifndef PERM_SPARSE_H_INCLUDED
#define PERM_SPARSE_H_INCLUDED

/* ================================================================================== >>sparse_config
   Names of files, if renamed, and linkage of this header. */

#ifndef PERM_HEADER_FILE
#define PERM_HEADER_FILE "perm.h"
#endif
#ifndef PERM_SPARSE_HEADER_FILE
#define PERM_SPARSE_HEADER_FILE "perm_sparse.h"
#endif

/* With PERM_SPARSE_IMPLEMENTATION alone, perm.h's functions are private copies; another file has the public ones. */
#if defined(PERM_STATIC) && defined(__GNUC__)
#define PERM_SPARSE_API static __attribute__((unused))
#elif defined(PERM_STATIC)
#define PERM_SPARSE_API static
#elif defined(__cplusplus)
#define PERM_SPARSE_API extern "C"
#else
#define PERM_SPARSE_API extern
#endif

#if defined(PERM_SPARSE_IMPLEMENTATION) && !defined(PERM_IMPLEMENTATION)
#if defined(PERM_PERMANENT_H_INCLUDED)
#error "with PERM_SPARSE_IMPLEMENTATION alone, include perm_sparse.h before perm.h"
#endif
#ifndef PERM_STATIC
#define PERM_STATIC
#endif
#define PERM_IMPLEMENTATION
#endif
#if defined(PERM_IMPLEMENTATION) && !defined(PERM_PERMANENT_IMPLEMENTED)
#define PERMI_ROUTE permi_route /* perm.h hands matrices with many zeros over: >>sparse */
#endif
#include PERM_HEADER_FILE

/* =================================================================================== >>sparse_calls
   Every public type and function. >>calls says what holds for all. */

#define PERM_MATRIX_MAX_ROWS 16777216 /* a larger m is refused: row_start alone would take 128 MiB */

typedef enum perm_kind { PERM_KIND_PATTERN, PERM_KIND_INTEGER, PERM_KIND_REAL, PERM_KIND_COMPLEX,
                         PERM_KIND_MAKE_INT = 0x7fffffff } perm_kind;

/* An m x n matrix in compressed rows: row i has the entries row_start[i] .. row_start[i + 1] - 1. Columns ascend
   strictly in a row; no entry is zero; those of a pattern are 1. The struct owns its arrays. All zero: 0 x 0. */
typedef struct perm_matrix {
  int m, n;
  size_t nnz;
  perm_kind kind;
  size_t *row_start;        /* m + 1; row_start[0] = 0, row_start[m] = nnz */
  int *column;              /* nnz, 0-based */
  double *real;             /* nnz; NULL for PATTERN; for INTEGER the nearest double */
  double *imaginary;        /* nnz; COMPLEX only, else NULL */
  int64_t *integer;         /* nnz; INTEGER only, else NULL */
  perm_allocator allocator; /* of the call that made the arrays */
} perm_matrix;

/* Calls that make a matrix heed allocator, max_bytes, max_seconds, cancel and progress. They overwrite *matrix without
   freeing it; on an error it is all zero. Zero entries are left out; a position given twice is refused. O(nnz) time and
   memory. Thread-safe, unless setlocale runs meanwhile. */

/* Reads a file, recognised by its bytes, never by its name; "-" is standard input. docs/formats.md has every rule:
   Matrix Market (of symmetric ones both triangles), .npy, one line of graph6, sparse6 or digraph6 (several:
   perm_matrix_read_each), DIMACS. Without a banner they are coordinates or rows of numbers, as options->format or their
   lines say; what both would fit is refused.
   The kind is INTEGER if all numbers are integers of 64 bits (also 2.0, 1e3), PATTERN without numbers, COMPLEX if one
   has an i or two parts, else REAL. result->message tells how the file was read, and if an integer was rounded.
   Unless denominator is NULL, fractions a/b may stand among integers, without a banner: the permanent is that of
   *matrix, kind INTEGER, over *denominator, the product of its rows' (m > n: equal) common denominators, not reduced.
   NaN, infinities, numbers that double cannot hold and, without max_bytes, files above 16 GB are refused. Memory is at
   most a multiple of the file's bytes (.npy: of those its header tells) plus 8 (m + 1). A waiting read looks at the
   limits when a signal interrupts it.
   PERM_ERROR_FILE: "FILE: what failed: the system's reason". PERM_ERROR_FORMAT: "FILE:LINE: taken as FORMAT: what was
   found, what was expected", or of .npy "FILE: byte K: ...", from 0. */
PERM_SPARSE_API perm_status perm_matrix_read(const char *path, const perm_options *options, perm_matrix *matrix,
                                             perm_integer *denominator, perm_result *result);

/* The same from memory; name (NULL: "memory") is the file's in messages. */
PERM_SPARSE_API perm_status perm_matrix_read_memory(const char *text, size_t bytes, const char *name,
                                                    const perm_options *options, perm_matrix *matrix,
                                                    perm_result *result);

/* Reads many graphs: each() gets one matrix after another, with its line (0: the only matrix); *result says how it was
   read. each() frees the matrix (perm_matrix_free) and ends the reading unless it returns 0; so does an error.
   max_seconds is for one matrix. */
typedef int (*perm_matrix_each)(perm_matrix *matrix, const perm_integer *denominator, unsigned long long line,
                                void *user_data);
PERM_SPARSE_API perm_status perm_matrix_read_each(const char *path, const perm_options *options,
                                                  perm_matrix_each each, void *user_data, perm_result *result);

/* Writes Matrix Market coordinate general, which reads back to the same bits; "-" is standard output. A file is
   replaced as a whole (>>files); open files by name (/dev/stdout, /dev/fd/3) and character devices are written
   directly; directories, FIFOs and symbolic links are refused. O(nnz). After a stop a file is unchanged, direct output
   ends anywhere. */
PERM_SPARSE_API perm_status perm_matrix_write(const char *path, const perm_matrix *matrix, const perm_options *options,
                                              perm_result *result);

/* From a row-major array with row stride ld >= n; kind REAL. a may be NULL if m or n is 0. O(m n). */
PERM_SPARSE_API perm_status perm_matrix_from_dense(int m, int n, const double *a, ptrdiff_t ld,
                                                   const perm_options *options, perm_matrix *matrix,
                                                   perm_result *result);

/* From nnz triplets in any order: entry t is at (row[t], column[t]), from 0. Values by kind: PATTERN none, INTEGER
   integer[], REAL real[], COMPLEX real[] and imaginary[]; other arrays may be NULL. PERM_ERROR_RANGE: an index;
   PERM_ERROR_FORMAT: a position twice; messages number triplets from 0. */
PERM_SPARSE_API perm_status perm_matrix_from_triplets(int m, int n, size_t nnz, const int *row, const int *column,
                                                      const double *real, const double *imaginary,
                                                      const int64_t *integer, perm_kind kind,
                                                      const perm_options *options, perm_matrix *matrix,
                                                      perm_result *result);

/* Copies compressed rows, as in perm_matrix, but with columns in any order. Values, errors as for triplets. */
PERM_SPARSE_API perm_status perm_matrix_from_csr(int m, int n, const size_t *row_start, const int *column,
                                                 const double *real, const double *imaginary, const int64_t *integer,
                                                 perm_kind kind, const perm_options *options, perm_matrix *matrix,
                                                 perm_result *result);

/* The same without a copy: the caller's arrays must stay and are never written or freed. Refused unless they are as
   perm_matrix promises; real may be NULL for INTEGER. O(nnz) time, no memory. */
PERM_SPARSE_API perm_status perm_matrix_borrow_csr(int m, int n, const size_t *row_start, const int *column,
                                                   const double *real, const double *imaginary, const int64_t *integer,
                                                   perm_kind kind, perm_matrix *matrix, perm_result *result);

/* From edges: edge e is (ends[2 e], ends[2 e + 1]), row and column, from 0, with weight[e], or 1 if weight is NULL.
   undirected: the symmetric adjacency matrix, m = n; an edge may stand there once or in both directions. Errors as for
   triplets. */
PERM_SPARSE_API perm_status perm_matrix_from_edges(int m, int n, size_t edges, const int *ends, const double *weight,
                                                   int undirected, const perm_options *options, perm_matrix *matrix,
                                                   perm_result *result);

/* Releases the arrays and zeroes the struct; NULL is fine. */
PERM_SPARSE_API void perm_matrix_free(perm_matrix *matrix);

/* The job of a sparse matrix: entries in no perfect matching are dropped, lines of degree 1 and 2 eliminated, the rest
   is split into blocks, a leaf each; of a rectangular one lines of degree 1, and connected parts. Precision exact, or
   default for kinds pattern and integer: integers (unless doubles are much faster: docs/library.md);
   PERM_ERROR_OVERFLOW: a perm_integer may be too short. options.modulus: exact, modulo it. PERM_ERROR_LIMIT: predicted
   to exceed max_seconds, max_bytes or 512 frontier vertices; *job, to be freed, may be what was planned, for
   perm_job_offer and perm_job_explain. PERM_STOPPED_*: while planning; *job is NULL. */
PERM_SPARSE_API perm_status perm_sparse_job(const perm_matrix *matrix, const perm_options *options, perm_job **job,
                                            perm_result *result);

/* Permanent of a sparse matrix. Precision default takes doubles, with their error bound, if a perm_integer may be too
   short. Rectangular matrices: methods auto, tree, frontier, lists, arrays, sorting; to PERM_MAX_LINES lines subsets,
   short, multiplicities. */
PERM_SPARSE_API perm_status perm_compute_sparse(const perm_matrix *matrix, const perm_options *options,
                                                perm_result *result);

/* What the structure tells before any engine runs. */
typedef struct perm_preparation {
  int m, n;
  size_t entries;
  int structural_rank;         /* largest matching; below min(m, n) the permanent is 0, and then */
  int hall_lines, hall_others; /* so many lines of the shorter side (rows, if square) have entries in only */
                                     /* so many of the other (Hall's condition). Else 0, 0 */
  char hall[160];                  /* in words, with at most eight */
  int components;                  /* fully indecomposable blocks of the given matrix; of a rectangular one blocks */
  size_t dead_entries;             /* in no perfect matching, here and after eliminations: dropped */
  int degree_one, degree_two;      /* rows (and as many columns) eliminated */
  size_t entries_one, entries_two; /* by how many entries that made the matrix smaller */
  int rounds;                      /* of decomposition and elimination */
  int cancelled;                   /* 1: integers cancelled, and what was left is singular */
  int blocks, largest;             /* left for engines, of order 2 or more; the largest order */
  size_t entries_left;
  int equal_rows, equal_columns; /* of the blocks, beyond the first of each */
  int degree_three, degree_four; /* lines of the blocks with so many entries: method decompose */
} perm_preparation;

/* Prepares as perm_sparse_job does. O(nnz sqrt(n)), in practice linear. */
PERM_SPARSE_API perm_status perm_sparse_report(const perm_matrix *matrix, const perm_options *options,
                                               perm_preparation *report, perm_result *result);

#endif /* PERM_SPARSE_H_INCLUDED */

#if defined(PERM_IMPLEMENTATION) || defined(PERM_SPARSE_IMPLEMENTATION)
#ifndef PERM_SPARSE_IMPLEMENTED
#define PERM_SPARSE_IMPLEMENTED
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675, 128, 550
#endif
#ifndef PERM_PERMANENT_IMPLEMENTED
#define PERMI_ROUTE permi_route
#include PERM_HEADER_FILE
#endif

/* ========================================================================================= >>matrix
   Compressed rows from lists and arrays, in linear time and memory. Functions return 0 without memory or if stopped;
   *matrix is then all zero, a list or array unchanged. */

typedef struct permi_entry {
  unsigned long long key;  /* row << 32 | column */
  unsigned long long line; /* or number of the triplet */
  double real, imaginary;
  int64_t integer;
} permi_entry;

typedef struct permi_entries {
  permi_entry *entry;
  size_t count, capacity;
} permi_entries;

PERM_SPARSE_API void perm_matrix_free(perm_matrix *matrix)
{
  if (!matrix)
    return;
  permi_release(&matrix->allocator, matrix->row_start);
  permi_release(&matrix->allocator, matrix->column);
  permi_release(&matrix->allocator, matrix->real);
  permi_release(&matrix->allocator, matrix->imaginary);
  permi_release(&matrix->allocator, matrix->integer);
  memset(matrix, 0, sizeof *matrix);
}

static const char *permi_matrix_missing(const perm_matrix *matrix)
{
  return matrix->m && !matrix->row_start                           ? "row_start"
         : !matrix->nnz                                            ? NULL
         : !matrix->column                                         ? "column"
         : matrix->kind == PERM_KIND_INTEGER && !matrix->integer   ? "integer"
         : matrix->kind >= PERM_KIND_REAL && !matrix->real         ? "real"
         : matrix->kind == PERM_KIND_COMPLEX && !matrix->imaginary ? "imaginary"
                                                                   : NULL;
}

static int permi_matrix_allocate(perm_matrix *matrix, int m, int n, size_t nnz, perm_kind kind,
                                 const perm_allocator *allocator)
{
  const int reals = kind != PERM_KIND_PATTERN, complex_kind = kind == PERM_KIND_COMPLEX;
  const int integers = kind == PERM_KIND_INTEGER;
  memset(matrix, 0, sizeof *matrix);
  matrix->allocator = *allocator;
  matrix->m = m;
  matrix->n = n;
  matrix->nnz = nnz;
  matrix->kind = kind;
  if ((matrix->row_start = (size_t *)permi_allocate_zeros(allocator, (size_t)m + 1, sizeof(size_t))) != NULL &&
      (matrix->column = (int *)permi_allocate(allocator, nnz, sizeof(int))) != NULL &&
      (!reals || (matrix->real = (double *)permi_allocate(allocator, nnz, sizeof(double))) != NULL) &&
      (!complex_kind || (matrix->imaginary = (double *)permi_allocate(allocator, nnz, sizeof(double))) != NULL) &&
      (!integers || (matrix->integer = (int64_t *)permi_allocate(allocator, nnz, sizeof(int64_t))) != NULL))
    return 1;
  perm_matrix_free(matrix);
  return 0;
}

static uint64_t permi_entry_key(uint64_t row, uint64_t column)
{
  return row << 32 | column;
}

static permi_entry permi_entry_one(void)
{
  const permi_entry one = {0, 0, 1, 0, 1};
  return one;
}

static int permi_entry_is_zero(const permi_entry *entry, perm_kind kind)
{
  if (kind == PERM_KIND_PATTERN)
    return 0;
  if (kind == PERM_KIND_INTEGER)
    return entry->integer == 0;
  return permi_is_zero(entry->real) && permi_is_zero(entry->imaginary);
}

/* Asks at each 65536th step; returns 1 to stop. */
#if !defined(PERMI_WATCH_STEPS)
#define PERMI_WATCH_STEPS 65536
#endif
static int permi_watch_step(permi_control *watch, size_t k, double units)
{
  if (~k & (PERMI_WATCH_STEPS - 1))
    return watch && watch->stopped != PERM_OK;
  return permi_watch(watch, units * PERMI_WATCH_STEPS);
}

static int permi_watch_gather(permi_control *watch, double *gathered, double units)
{
  *gathered += units;
  if (*gathered < PERMI_WATCH_STEPS)
    return watch && watch->stopped != PERM_OK;
  units = *gathered;
  *gathered = 0;
  return permi_watch(watch, units);
}

static int permi_room(const perm_allocator *allocator, permi_control *watch, void *array, size_t used, size_t more,
                      size_t *room, size_t size)
{
  const size_t wanted = 2 * *room + more + 64;
  if (used + more <= *room)
    return 1;
  if (!permi_enlarge(allocator, watch, array, used, wanted, size))
    return 0;
  *room = wanted;
  return 1;
}

/* Takes int ** and size_t of each array, last NULL. Returns 0 without memory. */
static int permi_pool_ints(permi_pool *pool, ...)
{
  va_list arrays;
  int **array, *next = NULL;
  size_t all = 0;
  for (int pass = 0; pass < 2; pass++) {
    va_start(arrays, pool);
    while ((array = va_arg(arrays, int **)) != NULL) {
      const size_t count = va_arg(arrays, size_t);
      *array = next;
      if (pass)
        next += count;
      else
        all += count;
    }
    va_end(arrays);
    if (!pass && (next = (int *)permi_pool_get(pool, all + 1, sizeof(int))) == NULL)
      return 0;
  }
  return 1;
}

static uint64_t permi_greatest_divisor(uint64_t a, uint64_t b)
{
  while (b) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

typedef struct permi_ranked {
  uint64_t key;
  int vertex;
} permi_ranked;

static PERMI_ALWAYS_INLINE uint64_t permi_key_of(const char *item)
{
  uint64_t key;
  memcpy(&key, item, sizeof key);
  return key;
}

/* Sorts stably by the first 64 bits, by radix over bytes that differ: linear for hostile input, without n counters (n
   may be 2^31-1 in a file of 60 bytes). Returns items or room; NULL: stopped. */
static PERMI_ALWAYS_INLINE void *permi_sort(void *items, void *room, size_t count, size_t size, permi_control *watch)
{
  char *from = (char *)items, *to = (char *)room, *swap;
  uint64_t varying = 0;
  size_t k, start, next, place[256];
  for (k = 1; k < count && !permi_watch_step(watch, k, 2); k++)
    varying |= permi_key_of(from + k * size) ^ permi_key_of(from);
  for (int shift = 0; shift < 64; shift += 8) {
    if (!(varying >> shift & 255))
      continue;
    memset(place, 0, sizeof place);
    for (k = 0; k < count && !permi_watch_step(watch, k, 3); k++)
      place[permi_key_of(from + k * size) >> shift & 255]++;
    for (k = 0, start = 0; k < 256; k++, start = next) {
      next = start + place[k];
      place[k] = start;
    }
    for (k = 0; k < count; k++) {
      const char *item = from + k * size;
      if (permi_watch_step(watch, k, 1.25 * (double)size)) /* the places are not complete */
        return NULL;
      memcpy(to + place[permi_key_of(item) >> shift & 255]++ * size, item, size);
    }
    swap = from;
    from = to;
    to = swap;
  }
  return permi_watch(watch, 0) ? NULL : from;
}

static int permi_entries_push(permi_entries *list, const permi_entry *entry, const perm_allocator *allocator,
                              permi_control *watch)
{
  if (!permi_room(allocator, watch, &list->entry, list->count, 1, &list->capacity, sizeof *entry))
    return 0;
  list->entry[list->count++] = *entry;
  return 1;
}

PERMI_NEVER_INLINE static int permi_entries_sort(permi_entries *list, const perm_allocator *allocator,
                                                 permi_control *watch)
{
  size_t k;
  for (k = 1; k < list->count && list->entry[k - 1].key <= list->entry[k].key; k++)
    if (permi_watch_step(watch, k, 2))
      return 0;
  if (k >= list->count)
    return 1;
  permi_entry *room = (permi_entry *)permi_allocate(allocator, list->count, sizeof *room);
  if (!room)
    return 0;
  permi_entry *sorted = (permi_entry *)permi_sort(list->entry, room, list->count, sizeof *room, watch);
  if (sorted == room) {
    permi_release(allocator, list->entry);
    list->entry = room;
    list->capacity = list->count;
  } else {
    permi_release(allocator, room);
  }
  return sorted != NULL;
}

/* Sorts, and mirrors. *second: the first of the input that was given before (*again 1), or that has another value
   across, or NULL. Of a mirrored pair (same line) the file has the larger key. */
static int permi_entries_settle(permi_entries *list, int mirrored, const perm_allocator *allocator,
                                permi_control *watch, const permi_entry **second, int *again)
{
  const int sorted = permi_entries_sort(list, allocator, watch);
  const size_t count = list->count;
  *second = NULL;
  for (size_t k = 1; sorted && k < count && !permi_watch_step(watch, k, 3); k++)
    if (list->entry[k].key == list->entry[k - 1].key && (!*second || list->entry[k].line <= (*second)->line))
      *second = &list->entry[k];
  *again = *second != NULL;
  if (!sorted || *again || !mirrored)
    return sorted;
  for (size_t k = 0; k < count && !permi_watch_step(watch, k, 60); k++) {
    permi_entry entry = list->entry[k];
    size_t at = 0, high = count;
    entry.key = permi_entry_key(entry.key & 0xffffffff, entry.key >> 32);
    while (at < high) { /* the first entry with at least this key */
      const size_t middle = at + (high - at) / 2;
      if (list->entry[middle].key < entry.key)
        at = middle + 1;
      else
        high = middle;
    }
    if (at == count || list->entry[at].key != entry.key) {
      if (!permi_entries_push(list, &entry, allocator, watch))
        return 0;
    } else if (list->entry[at].real != entry.real || list->entry[at].imaginary != entry.imaginary ||
               list->entry[at].integer != entry.integer) {
      *second = &list->entry[list->entry[at].line > entry.line ? at : k];
      return 1;
    }
  }
  return permi_entries_sort(list, allocator, watch);
}

/* Of a sorted list without duplicates; drops zeros. */
static int permi_entries_compress(const permi_entries *list, int m, int n, perm_kind kind,
                                  const perm_allocator *allocator, permi_control *watch, perm_matrix *matrix)
{
  size_t k, nnz = 0;
  for (k = 0; k < list->count && !permi_watch_step(watch, k, 3); k++)
    nnz += !permi_entry_is_zero(&list->entry[k], kind);
  if (permi_watch(watch, 0) || !permi_matrix_allocate(matrix, m, n, nnz, kind, allocator))
    return 0;
  for (k = 0, nnz = 0; k < list->count; k++) {
    const permi_entry *entry = &list->entry[k];
    if (permi_watch_step(watch, k, 30)) {
      perm_matrix_free(matrix);
      return 0;
    }
    if (permi_entry_is_zero(entry, kind))
      continue;
    matrix->row_start[(entry->key >> 32) + 1]++;
    matrix->column[nnz] = (int)(entry->key & 0x7fffffff);
    if (matrix->real)
      matrix->real[nnz] = entry->real;
    if (matrix->imaginary)
      matrix->imaginary[nnz] = entry->imaginary;
    if (matrix->integer)
      matrix->integer[nnz] = entry->integer;
    nnz++;
  }
  for (int i = 0; i < m; i++)
    matrix->row_start[i + 1] += matrix->row_start[i];
  return 1;
}

static perm_status permi_matrix_begin(int m, int n, perm_matrix *matrix, int argument, perm_result *result)
{
  permi_result_clear(result);
  if (!matrix)
    return permi_fail(result, PERM_ERROR_NULL, argument, "matrix is NULL");
  memset(matrix, 0, sizeof *matrix);
  if (m < 0 || m > PERM_MATRIX_MAX_ROWS)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "m = %d outside 0..%d", m, PERM_MATRIX_MAX_ROWS);
  if (n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 2, "n = %d is negative", n);
  return PERM_OK;
}

static perm_status permi_no_matrix_memory(size_t nnz, perm_result *result)
{
  return permi_fail(result, PERM_ERROR_MEMORY, 0, "out of memory for a matrix of %.0f entries", (double)nnz);
}

static double permi_array_part(const permi_problem *array, int i, int j, int part)
{
  const ptrdiff_t at = ((ptrdiff_t)i * array->ld + j) * array->parts + part;
  return part >= array->parts ? 0 : array->integer ? (double)array->integer[at] : array->real[at];
}

/* Makes *matrix of an array; complex integers become doubles. */
static int permi_matrix_of_array(const permi_problem *array, size_t nnz, const perm_allocator *allocator,
                                 perm_matrix *matrix)
{
  const int m = array->m, n = array->n, parts = array->parts;
  const perm_kind kind = parts == 2 ? PERM_KIND_COMPLEX : array->integer ? PERM_KIND_INTEGER : PERM_KIND_REAL;
  size_t k = 0;
  if (!permi_matrix_allocate(matrix, m, n, nnz, kind, allocator))
    return 0;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      const double real = permi_array_part(array, i, j, 0), imaginary = permi_array_part(array, i, j, 1);
      if (real == 0 && imaginary == 0)
        continue;
      matrix->column[k] = j;
      matrix->real[k] = real;
      if (matrix->imaginary)
        matrix->imaginary[k] = imaginary;
      if (matrix->integer)
        matrix->integer[k] = array->integer[(ptrdiff_t)i * array->ld + j];
      k++;
    }
    matrix->row_start[i + 1] = k;
  }
  return 1;
}

static perm_status permi_matrix_from_dense(int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                                           perm_matrix *matrix, perm_result *result)
{
  const permi_problem array = {m, n, 1, a, NULL, ld, NULL, NULL, NULL};
  size_t nnz = 0;
  const perm_status status = permi_matrix_begin(m, n, matrix, 6, result);
  if (status != PERM_OK)
    return status;
  if (!a && m && n)
    return permi_fail(result, PERM_ERROR_NULL, 3, "a is NULL");
  if (m ? !permi_stride_fits(m, n, ld, 8) : ld < n)
    return permi_fail_stride(result, 4, "ld", m, n, ld);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      const double value = a[(ptrdiff_t)i * ld + j];
      if (permi_not_finite(value))
        return permi_fail(result, PERM_ERROR_NOT_FINITE, 3, "a[%d][%d] is not finite", i, j);
      nnz += value != 0;
    }
  return permi_matrix_of_array(&array, nnz, &options->allocator, matrix) ? PERM_OK
                                                                         : permi_no_matrix_memory(nnz, result);
}

PERM_SPARSE_API perm_status perm_matrix_from_dense(int m, int n, const double *a, ptrdiff_t ld,
                                                   const perm_options *options_given, perm_matrix *matrix,
                                                   perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, 8.0 * fmax(m, 0) * fmax((double)ld, 0));
  return permi_meter_end(&call, permi_matrix_from_dense(m, n, a, ld, options, matrix, result), result);
}

/* Triplets; compressed rows, with row_start; edges, two ints each. */
typedef struct permi_triplets {
  int m, n;
  size_t nnz;
  const int *row, *column;
  const double *real, *imaginary;
  const int64_t *integer;
  perm_kind kind;
  const char *what;        /* "triplet", "entry", "edge" */
  const size_t *row_start; /* NULL: row has them */
  int step;                /* from one column to the next */
  int mirrored;
  int argument; /* of column; the others follow */
} permi_triplets;

static perm_status permi_check_triplets(const permi_triplets *given, perm_result *result)
{
  static const char *const name[5] = {"row", "column", "real", "imaginary", "integer"};
  const int kind = (int)given->kind;
  const int missing[5] = {!given->row && !given->row_start, !given->column, kind >= (int)PERM_KIND_REAL && !given->real,
                          kind == (int)PERM_KIND_COMPLEX && !given->imaginary,
                          kind == (int)PERM_KIND_INTEGER && !given->integer};
  if (kind < 0 || kind > (int)PERM_KIND_COMPLEX)
    return permi_fail(result, PERM_ERROR_OPTION, given->argument + 4, "kind = %d is no perm_kind", kind);
  for (int k = 0; given->nnz && k < 5; k++)
    if (missing[k])
      return permi_fail(result, PERM_ERROR_NULL, given->argument - 1 + k, "%s is NULL", name[k]);
  return PERM_OK;
}

static perm_status permi_triplet(const permi_triplets *given, size_t k, int row, permi_entry *entry,
                                 perm_result *result)
{
  const int column = given->column[k * (size_t)given->step];
  *entry = permi_entry_one();
  entry->line = k;
  if (given->kind == PERM_KIND_INTEGER)
    entry->real = (double)(entry->integer = given->integer[k]);
  else if (given->kind != PERM_KIND_PATTERN)
    entry->real = given->real[k];
  if (given->kind == PERM_KIND_COMPLEX)
    entry->imaginary = given->imaginary[k];
  if (row < 0 || row >= given->m)
    return permi_fail(result, PERM_ERROR_RANGE, given->argument - (given->step == 1), "%s %.0f: row index %d outside "
                      "0..%d", given->what, (double)k, row, given->m - 1);
  if (column < 0 || column >= given->n)
    return permi_fail(result, PERM_ERROR_RANGE, given->argument, "%s %.0f: column index %d outside 0..%d", given->what,
                      (double)k, column, given->n - 1);
  for (int part = 0; part < 2; part++)
    if (permi_not_finite(part ? entry->imaginary : entry->real))
      return permi_fail(result, PERM_ERROR_NOT_FINITE, given->argument + 1 + part, "%s %.0f: the %s is not finite",
                        given->what, (double)k, part ? "imaginary part" : "value");
  entry->key = permi_entry_key((uint64_t)row, (uint64_t)column);
  return PERM_OK;
}

/* What is given was checked with `status`; `cost` is the bytes of its arrays. */
static perm_status permi_matrix_from(const permi_triplets *given, perm_status status, const perm_options *options_given,
                                     double cost, perm_matrix *matrix, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, cost);
  const perm_allocator *allocator = &options->allocator;
  permi_control watch = permi_control_begin(options);
  permi_entries list = {NULL, 0, given->nnz};
  const permi_entry *second;
  int row = 0, again, settled;
  if (status == PERM_OK)
    status = permi_check_triplets(given, result);
  if (status == PERM_OK) {
    list.entry = (permi_entry *)permi_allocate(allocator, given->nnz, sizeof *list.entry);
    if (!list.entry)
      status = permi_no_matrix_memory(given->nnz, result);
  }
  for (; status == PERM_OK && list.count < given->nnz && !permi_watch_step(&watch, list.count, 40); list.count++) {
    while (given->row_start && list.count == given->row_start[row + 1])
      row++;
    status = permi_triplet(given, list.count, given->row_start ? row : given->row[list.count * (size_t)given->step],
                           &list.entry[list.count], result);
  }
  if (status == PERM_OK && watch.stopped == PERM_OK) {
    settled = permi_entries_settle(&list, given->mirrored, allocator, &watch, &second, &again);
    if (second)
      status = again ? permi_fail(result, PERM_ERROR_FORMAT, given->argument - (given->step == 1), "%s %llu: entry "
                                  "(%llu,%llu) given before by %s %llu", given->what, second->line, second->key >> 32,
                                  second->key & 0xffffffff, given->what, second[-1].line)
                     : permi_fail(result, PERM_ERROR_FORMAT, given->argument + 1, "%s %llu: another weight than in the "
                                  "other direction", given->what, second->line);
    else if (!settled || !permi_entries_compress(&list, given->m, given->n, given->kind, allocator, &watch, matrix))
      status = permi_no_matrix_memory(given->nnz, result);
  }
  if (watch.stopped != PERM_OK)
    status = permi_fail(result, watch.stopped, 0, "%s", perm_status_text(watch.stopped));
  permi_release(allocator, list.entry);
  return permi_meter_end(&call, status, result);
}

PERM_SPARSE_API perm_status perm_matrix_from_triplets(int m, int n, size_t nnz, const int *row, const int *column,
                                                      const double *real, const double *imaginary,
                                                      const int64_t *integer, perm_kind kind,
                                                      const perm_options *options_given, perm_matrix *matrix,
                                                      perm_result *result)
{
  const permi_triplets given = {m, n, nnz, row, column, real, imaginary, integer, kind, "triplet", NULL, 1, 0, 5};
  return permi_matrix_from(&given, permi_matrix_begin(m, n, matrix, 11, result), options_given, 16.0 * (double)nnz,
                           matrix, result);
}

/* Clears *matrix; checks that row_start runs from 0 upwards. */
static perm_status permi_check_rows(int m, int n, const size_t *row_start, perm_matrix *matrix, perm_result *result)
{
  const perm_status status = permi_matrix_begin(m, n, matrix, 10, result);
  if (status != PERM_OK)
    return status;
  if (!row_start)
    return permi_fail(result, PERM_ERROR_NULL, 3, "row_start is NULL");
  if (row_start[0])
    return permi_fail(result, PERM_ERROR_RANGE, 3, "row_start[0] = %.0f, 0 was expected", (double)row_start[0]);
  for (int i = 0; i < m; i++)
    if (row_start[i] > row_start[i + 1])
      return permi_fail(result, PERM_ERROR_RANGE, 3, "row_start[%d] = %.0f is less than the one before", i + 1,
                        (double)row_start[i + 1]);
  return PERM_OK;
}

PERM_SPARSE_API perm_status perm_matrix_from_csr(int m, int n, const size_t *row_start, const int *column,
                                                 const double *real, const double *imaginary, const int64_t *integer,
                                                 perm_kind kind, const perm_options *options_given, perm_matrix *matrix,
                                                 perm_result *result)
{
  const perm_status status = permi_check_rows(m, n, row_start, matrix, result);
  const size_t nnz = status == PERM_OK ? row_start[m] : 0;
  const permi_triplets given = {m, n, nnz, NULL, column, real, imaginary, integer, kind, "entry", row_start, 1, 0, 4};
  return permi_matrix_from(&given, status, options_given, 12.0 * (double)nnz, matrix, result);
}

static void *permi_borrow_allocate(size_t bytes, void *user_data)
{
  (void)bytes;
  return user_data;
}

PERM_SPARSE_API perm_status perm_matrix_borrow_csr(int m, int n, const size_t *row_start, const int *column,
                                                   const double *real, const double *imaginary, const int64_t *integer,
                                                   perm_kind kind, perm_matrix *matrix, perm_result *result)
{
  static const perm_allocator borrowed = {permi_borrow_allocate, NULL, NULL};
  permi_triplets given = {m, n, 0, NULL, column, real, imaginary, integer, kind, "entry", row_start, 1, 0, 4};
  perm_status status = permi_check_rows(m, n, row_start, matrix, result);
  permi_entry entry;
  int row = 0;
  if (status != PERM_OK)
    return status;
  given.nnz = row_start[m];
  status = permi_check_triplets(&given, result);
  for (size_t k = 0; k < given.nnz && status == PERM_OK; k++) {
    while (k == row_start[row + 1])
      row++;
    status = permi_triplet(&given, k, row, &entry, result); /* entries must be as perm_matrix promises */
    if (status == PERM_OK && k > row_start[row] && column[k] <= column[k - 1])
      status = permi_fail(result, PERM_ERROR_FORMAT, 4, "entry %.0f: the columns of row %d do not ascend; "
                          "perm_matrix_from_csr sorts a copy", (double)k, row);
    else if (status == PERM_OK && permi_entry_is_zero(&entry, kind))
      status = permi_fail(result, PERM_ERROR_FORMAT, kind == PERM_KIND_INTEGER ? 7 : 5, "entry %.0f: a zero; "
                          "perm_matrix_from_csr leaves zeros out of a copy", (double)k);
    else if (status == PERM_OK && kind == PERM_KIND_INTEGER && real && real[k] != entry.real)
      status = permi_fail(result, PERM_ERROR_FORMAT, 5, "entry %.0f: real is not the double next to integer",
                          (double)k);
  }
  if (status != PERM_OK)
    return status;
  matrix->m = m;
  matrix->n = n;
  matrix->nnz = given.nnz;
  matrix->kind = kind;
  matrix->allocator = borrowed;
  memcpy(&matrix->row_start, &row_start, sizeof row_start);
  memcpy(&matrix->column, &column, sizeof column);
  if (kind != PERM_KIND_PATTERN)
    memcpy(&matrix->real, &real, sizeof real);
  if (kind == PERM_KIND_COMPLEX)
    memcpy(&matrix->imaginary, &imaginary, sizeof imaginary);
  if (kind == PERM_KIND_INTEGER)
    memcpy(&matrix->integer, &integer, sizeof integer);
  return PERM_OK;
}

PERM_SPARSE_API perm_status perm_matrix_from_edges(int m, int n, size_t edges, const int *ends, const double *weight,
                                                   int undirected, const perm_options *options_given,
                                                   perm_matrix *matrix, perm_result *result)
{
  const permi_triplets given = {m, n, edges, ends, ends ? ends + 1 : NULL, weight, NULL, NULL,
                                weight ? PERM_KIND_REAL : PERM_KIND_PATTERN, "edge", NULL, 2, undirected, 4};
  perm_status status = permi_matrix_begin(m, n, matrix, 8, result);
  if (status == PERM_OK && undirected && m != n)
    status = permi_fail(result, PERM_ERROR_SIZE, 6, "undirected edges of a %d x %d matrix, a square one was expected",
                        m, n);
  else if (status == PERM_OK && !ends && edges)
    status = permi_fail(result, PERM_ERROR_NULL, 4, "ends is NULL");
  return permi_matrix_from(&given, status, options_given, 8.0 * (double)edges, matrix, result);
}

PERMI_BRIEF_BEGIN

/* ========================================================================================= >>market
   Lines, words and numbers of a text, as entries. Readers return 0 after a failure, whose message names the line.

   Matrix Market: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR
   5935, 1996; with comments between entries and long lines, without the field "double" of some programs. */
#include <errno.h>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#endif

/* Where the next graph begins, or NULL; the line before it; the line of the graph that is read. */
typedef struct permi_rest {
  const char *position;
  unsigned long long before, line;
} permi_rest;

typedef struct permi_reader {
  const char *name;
  const char *taken; /* of messages, or NULL */
  permi_rest *rest;  /* NULL: refuses a second graph */
  const char *position, *end, *cursor, *line_end;
  unsigned long long line;
  char point[16]; /* the locale's */
  perm_allocator allocator;
  permi_control *watch;
  permi_entries entries;
  int m, n;
  perm_kind kind;
  int fraction; /* a number is no integer of 64 bits */
  /* first line with an integer beyond 64 bits, one that doubles round, a fraction over `imaginary`; or 0 */
  unsigned long long large, rounded, fractions;
  const char *binary; /* first byte of a binary file, or NULL */
  const char *again;  /* advice on entries given twice, or NULL */
  int mirrored;       /* 1: across the diagonal, too */
  perm_integer *denominator; /* NULL: refuses fractions */
  char separator; /* ',', beside blanks; or ';', alone */
  unsigned long long tight, loose; /* last line with a separator without blank; with blanks alone */
  int names; /* of the header, or 0 */
  char note[160];
  perm_status status;
  perm_result *result;
} permi_reader;

typedef struct permi_shown {
  char text[112];
} permi_shown;

static permi_shown permi_quoted(const char *begin, const char *end)
{
  const int length = end - begin <= 24 ? (int)(end - begin) : 21;
  permi_shown quote;
  snprintf(quote.text, sizeof quote.text, "'%*s%s'", length, "", length < end - begin ? "..." : "");
  for (int k = 0; k < length; k++)
    quote.text[1 + k] = begin[k] >= 32 && begin[k] <= 126 ? begin[k] : '?';
  return quote;
}

/* Returns a name's last 100 bytes, in whole UTF-8 characters without controls. */
static permi_shown permi_show_name(const char *name)
{
  permi_shown shown;
  const size_t length = strlen(name);
  char *out = shown.text;
  if (length > 100) {
    name += length - 100;
    while (((unsigned char)*name & 0xc0) == 0x80)
      name++;
    memcpy(out, "...", 3);
    out += 3;
  }
  for (; *name; name++)
    *out++ = (unsigned char)*name < 32 || *name == 127 ? '?' : *name;
  *out = 0;
  return shown;
}

PERMI_PRINTF(2, 3)
static int permi_reader_fail(permi_reader *reader, const char *format, ...)
{
  const char *taken = reader->taken ? reader->taken : "";
  char text[PERM_MESSAGE_BYTES], place[32];
  va_list arguments;
  va_start(arguments, format);
  permi_vsay(text, sizeof text, format, arguments);
  va_end(arguments);
  snprintf(place, sizeof place, "%s%llu", reader->binary ? " byte " : "",
           reader->binary ? (unsigned long long)(reader->cursor - reader->binary) : reader->line ? reader->line : 1);
  reader->status = permi_fail(reader->result, PERM_ERROR_FORMAT, 0, "%s:%s: %s%s%s%s",
                              permi_show_name(reader->name).text, place, *taken ? "taken as " : "", taken,
                              *taken ? ": " : "", text);
  return 0;
}

static perm_status permi_reading_stopped(const char *name, perm_status status, perm_result *result)
{
  return permi_fail(result, status, 0, "%s: %s while reading", permi_show_name(name).text, perm_status_text(status));
}

static int permi_reader_no_memory(permi_reader *reader)
{
  const perm_status stopped = reader->watch->stopped;
  reader->status = stopped != PERM_OK ? permi_reading_stopped(reader->name, stopped, reader->result)
                                      : permi_fail(reader->result, PERM_ERROR_MEMORY, 0, "%s:%llu: out of memory",
                                                   permi_show_name(reader->name).text, reader->line);
  return 0;
}

static perm_status permi_file_fail(perm_result *result, const char *name, const char *what, int error)
{
  return permi_fail(result, PERM_ERROR_FILE, 1, "%s: %s: %s", permi_show_name(name).text, what,
                    error ? strerror(error) : "unknown error");
}

static int permi_reader_push(permi_reader *reader, uint64_t row, uint64_t column, permi_entry *entry)
{
  entry->key = permi_entry_key(row, column);
  entry->line = reader->line;
  return permi_entries_push(&reader->entries, entry, &reader->allocator, reader->watch) ||
         permi_reader_no_memory(reader);
}

static int permi_is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static int permi_is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static int permi_next_line(permi_reader *reader)
{
  if (reader->position == reader->end || permi_watch(reader->watch, 20))
    return 0;
  const char *line_break = (const char *)memchr(reader->position, '\n', (size_t)(reader->end - reader->position));
  reader->cursor = reader->position;
  reader->line_end = line_break ? line_break : reader->end;
  reader->position = line_break ? line_break + 1 : reader->end;
  /* a file with CR alone would be one row */
  if (reader->line_end > reader->cursor && reader->line_end[-1] == '\r')
    reader->line_end--;
  reader->line++;
  permi_watch(reader->watch, (double)(reader->position - reader->cursor));
  return 1;
}

static void permi_skip_blanks(permi_reader *reader)
{
  while (reader->cursor < reader->line_end && permi_is_blank(*reader->cursor))
    reader->cursor++;
}

static int permi_next_content(permi_reader *reader, int hash_comments)
{
  while (permi_next_line(reader)) {
    permi_skip_blanks(reader);
    if (reader->cursor < reader->line_end && *reader->cursor != '%' && !(hash_comments && *reader->cursor == '#'))
      return 1;
  }
  return 0;
}

/* Longer words are cut, and no numbers. */
#define PERMI_WORD_MOST 1048576
static int permi_next_until(permi_reader *reader, char mark, const char **begin, const char **end)
{
  permi_skip_blanks(reader);
  *begin = reader->cursor;
  const char *most = reader->line_end - *begin > PERMI_WORD_MOST ? *begin + PERMI_WORD_MOST : reader->line_end;
  while (reader->cursor < most && !permi_is_blank(*reader->cursor) && *reader->cursor != mark)
    reader->cursor++;
  *end = reader->cursor;
  return *begin != *end;
}

static int permi_next_word(permi_reader *reader, const char **begin, const char **end)
{
  return permi_next_until(reader, ' ', begin, end);
}

/* Compares ASCII without case, in every locale. */
static int permi_same_word(const char *begin, const char *end, const char *lower_case)
{
  for (; begin < end && *lower_case; begin++, lower_case++)
    if ((*begin >= 'A' && *begin <= 'Z' ? *begin + ('a' - 'A') : *begin) != *lower_case)
      return 0;
  return begin == end && !*lower_case;
}

static int permi_line_finished(permi_reader *reader, const char *after_what)
{
  const char *begin, *end;
  if (!permi_next_word(reader, &begin, &end))
    return 1;
  return permi_reader_fail(reader, "%s found after %s, the end of the line was expected",
                           permi_quoted(begin, reader->line_end).text, after_what);
}

static const char *permi_digits_end(const char *p, const char *end)
{
  while (p < end && permi_is_digit(*p))
    p++;
  return p;
}

/* Returns the end of [+-] digits [. digits] [e [+-] digits], a digit before the e, or begin. */
static const char *permi_number_end(const char *begin, const char *end, int *integer)
{
  const char *first = begin + (begin < end && (*begin == '+' || *begin == '-'));
  const char *p = permi_digits_end(first, end), *mark;
  int digits = p > first;
  *integer = 1;
  if (p < end && *p == '.') {
    *integer = 0;
    first = p + 1;
    p = permi_digits_end(first, end);
    digits |= p > first;
  }
  if (!digits || end - begin >= PERMI_WORD_MOST)
    return begin;
  if (p < end && (*p == 'e' || *p == 'E')) {
    first = p + 1 + (p + 1 < end && (p[1] == '+' || p[1] == '-'));
    mark = permi_digits_end(first, end);
    if (mark > first) {
      *integer = 0;
      return mark;
    }
  }
  return p;
}

/* Reads 7, 2.0 or 1e3. Returns 0 if that is not whole, or beyond 64 bits. */
static int permi_integer_value(const char *begin, const char *end, int64_t *value)
{
  const int negative = *begin == '-', sign = negative || *begin == '+';
  const uint64_t limit = (uint64_t)INT64_MAX + (uint64_t)negative;
  const char *point = permi_digits_end(begin + sign, end), *mark = point, *p;
  long long places = 0, k; /* digits before the shifted point */
  uint64_t magnitude = 0;
  if (mark < end && *mark == '.')
    mark = permi_digits_end(mark + 1, end);
  if (mark < end) {
    for (p = mark + 1 + (mark[1] == '+' || mark[1] == '-'); p < end; p++)
      places = places < 1000000000000 ? 10 * places + (*p - '0') : places;
    places = mark[1] == '-' ? -places : places;
  }
  places += point - begin - sign;
  for (k = 0, p = begin + sign; p < point && k < places && k < 18; p++, k++) /* cannot overflow */
    magnitude = 10 * magnitude + (uint64_t)(*p - '0');
  for (; p < mark || (magnitude && k < places); p += p < mark) {
    const uint64_t digit = p < mark && *p != '.' ? (uint64_t)(*p - '0') : 0;
    if (p < mark && *p == '.')
      continue;
    if (k >= places ? digit != 0 : magnitude > (limit - digit) / 10)
      return 0;
    magnitude = k++ < places ? 10 * magnitude + digit : magnitude;
  }
  *value = !negative ? (int64_t)magnitude : magnitude > INT64_MAX ? INT64_MIN : -(int64_t)magnitude;
  return 1;
}

static void permi_note_integer(permi_reader *reader, const char *begin, const char *end, double value)
{
  int integer;
  int64_t whole = 0;
  if (fabs(value) < 9007199254740992.0)
    return;
  permi_number_end(begin, end, &integer);
  if (integer && !permi_integer_value(begin, end, &whole))
    reader->large = reader->large ? reader->large : reader->line;
  else if (integer && (value >= 9223372036854775808.0 || (int64_t)value != whole))
    reader->rounded = reader->rounded ? reader->rounded : reader->line;
}

/* Reads a double, rounded correctly; strtod wants a terminated copy. */
static int permi_double_value(permi_reader *reader, const char *begin, const char *end, double *value)
{
  const size_t length = (size_t)(end - begin), point = strlen(reader->point), needed = length + point + 1;
  const char *dot = (const char *)memchr(begin, '.', length), *p;
  const size_t before = dot ? (size_t)(dot - begin) : length;
  char local[128], *copy = needed > sizeof local ? (char *)permi_allocate(&reader->allocator, needed, 1) : local;
  int nonzero = 0;
  if (!copy)
    return permi_reader_no_memory(reader);
  memcpy(copy, begin, before);
  copy[before] = 0;
  if (dot) {
    memcpy(copy + before, reader->point, point);
    memcpy(copy + before + point, dot + 1, length - before - 1);
    copy[length + point - 1] = 0;
  }
  *value = strtod(copy, NULL);
  if (copy != local)
    permi_release(&reader->allocator, copy);
  for (p = begin; p < end && *p != 'e' && *p != 'E'; p++)
    nonzero |= *p >= '1' && *p <= '9';
  if (permi_not_finite(*value))
    return permi_reader_fail(reader, "%s is beyond the largest double, a number up to 1.79e308 was expected",
                             permi_quoted(begin, end).text);
  if (*value == 0 && nonzero)
    return permi_reader_fail(reader, "%s is below the smallest double, 0 or a number from 4.95e-324 up was expected",
                             permi_quoted(begin, end).text);
  permi_note_integer(reader, begin, end, *value);
  return 1;
}

typedef enum permi_symmetry { PERMI_GENERAL, PERMI_SYMMETRIC, PERMI_SKEW, PERMI_HERMITIAN } permi_symmetry;

typedef struct permi_banner_word {
  const char *what, *expected, *keyword[4];
} permi_banner_word;

static const permi_banner_word permi_banner[4] = {
    {"object", "matrix", {"matrix", NULL, NULL, NULL}},
    {"format", "coordinate or array", {"coordinate", "array", NULL, NULL}},
    {"field", "real, complex, integer or pattern", {"pattern", "integer", "real", "complex"}},
    {"symmetry", "general, symmetric, skew-symmetric or hermitian",
     {"general", "symmetric", "skew-symmetric", "hermitian"}}};

static PERMI_ALWAYS_INLINE int permi_read_number(permi_reader *reader, const char *what, int whole, const char **begin,
                                                 const char **end)
{
  int integer;
  if (!permi_next_word(reader, begin, end))
    return permi_reader_fail(reader, "the line ends before the %s, %s was expected", what,
                             whole ? "an integer" : "a decimal number");
  if (permi_number_end(*begin, *end, &integer) != *end || (whole && !integer))
    return permi_reader_fail(reader, "%s %s found, %s was expected", what, permi_quoted(*begin, *end).text,
                             whole ? "an integer" : "a finite decimal number");
  return 1;
}

static int permi_read_within(permi_reader *reader, const char *what, long long least, long long most, int64_t *value)
{
  const char *begin, *end;
  if (!permi_read_number(reader, what, 1, &begin, &end))
    return 0;
  if (!permi_integer_value(begin, end, value))
    return permi_reader_fail(reader, "%s %s does not fit 64 bits, an integer within +-9.22e18 was expected", what,
                             permi_quoted(begin, end).text);
  return (*value >= least && *value <= most) ||
         permi_reader_fail(reader, "%s %lld outside %lld..%lld", what, (long long)*value, least, most);
}

/* Reads entries. Symmetric arrays are lower triangles by columns, if skew without diagonal. */
static int permi_read_entries(permi_reader *reader, permi_symmetry symmetry, int array, unsigned long long count)
{
  unsigned long long k;
  const int parts = reader->kind == PERM_KIND_COMPLEX ? 2 : reader->kind == PERM_KIND_REAL;
  int64_t row = array && symmetry == PERMI_SKEW ? 2 : 1, column = 1;
  const char *begin, *end;
  for (k = 0; k < count; k++) {
    if (!permi_next_content(reader, 0))
      return permi_reader_fail(reader, "the file ends after %llu %s, %llu were expected", k,
                               array ? "values" : "entries", count);
    if (!array && (!permi_read_within(reader, "row index", 1, reader->m, &row) ||
                   !permi_read_within(reader, "column index", 1, reader->n, &column)))
      return 0;
    permi_entry entry = permi_entry_one();
    if (reader->kind == PERM_KIND_INTEGER && !permi_read_within(reader, "value", INT64_MIN, INT64_MAX, &entry.integer))
      return 0;
    entry.real = (double)entry.integer;
    for (int part = 0; part < parts; part++) {
      int64_t whole;
      if (!permi_read_number(reader, parts == 1 ? "value" : part ? "imaginary part" : "real part", 0, &begin, &end) ||
          !permi_double_value(reader, begin, end, part ? &entry.imaginary : &entry.real))
        return 0;
      if (!permi_integer_value(begin, end, &whole) || whole == INT64_MIN) {
        reader->fraction = 1;
        whole = 0;
      }
      entry.integer = parts == 1 ? whole : 1;
    }
    if (!permi_line_finished(reader, "the entry"))
      return 0;
    if (symmetry != PERMI_GENERAL && row < column)
      return permi_reader_fail(reader, "entry (%lld,%lld) above the diagonal found in a file with symmetry, the lower "
                               "triangle was expected", (long long)row, (long long)column);
    if (symmetry == PERMI_SKEW && row == column)
      return permi_reader_fail(reader, "entry (%lld,%lld) on the diagonal of a skew-symmetric matrix found, entries "
                               "below the diagonal were expected", (long long)row, (long long)column);
    if (!array || !permi_entry_is_zero(&entry, reader->kind)) {
      if (symmetry == PERMI_HERMITIAN && row == column && entry.imaginary != 0)
        return permi_reader_fail(reader, "imaginary part %g found on the diagonal of a hermitian matrix, 0 was "
                                 "expected", entry.imaginary);
      if (!permi_reader_push(reader, (uint64_t)row - 1, (uint64_t)column - 1, &entry))
        return 0;
      if (symmetry == PERMI_SKEW && entry.integer == INT64_MIN)
        return permi_reader_fail(reader, "the negative of -2^63 in a skew-symmetric matrix does not fit 64 bits, an "
                                 "integer from -2^63+1 up was expected");
      if (symmetry == PERMI_SKEW) {
        entry.real = -entry.real;
        entry.integer = -entry.integer;
      }
      if (symmetry != PERMI_SYMMETRIC)
        entry.imaginary = -entry.imaginary;
      if (symmetry != PERMI_GENERAL && row != column &&
          !permi_reader_push(reader, (uint64_t)column - 1, (uint64_t)row - 1, &entry))
        return 0;
    }
    if (array && row++ == reader->m) {
      column++;
      row = symmetry == PERMI_GENERAL ? 1 : column + (symmetry == PERMI_SKEW);
    }
  }
  return 1;
}

static int permi_read_market(permi_reader *reader, perm_format wanted)
{
  static const unsigned value_bytes[4] = {0, 2, 2, 4}; /* of a line with its end; two indices: 4 */
  const char *field, *symmetry_name, *things, *begin, *end;
  int found[4], array, w, k;
  int64_t m = 0, n = 0, declared = 0;
  unsigned long long count, left, size_line;
  permi_next_line(reader);
  permi_next_word(reader, &begin, &end);
  if (!permi_same_word(begin, end, "%%matrixmarket"))
    return permi_reader_fail(reader, "%s found, %%%%MatrixMarket was expected", permi_quoted(begin, end).text);
  for (w = 0; w < 4; w++) {
    const permi_banner_word *word = &permi_banner[w];
    if (!permi_next_word(reader, &begin, &end))
      return permi_reader_fail(reader, "the banner ends before the %s, %s was expected", word->what, word->expected);
    for (k = 0; k < 4 && !(word->keyword[k] && permi_same_word(begin, end, word->keyword[k])); k++)
      ;
    if (k == 4)
      return permi_reader_fail(reader, "%s %s found, %s was expected", word->what, permi_quoted(begin, end).text,
                               word->expected);
    found[w] = k;
  }
  if (!permi_line_finished(reader, "the banner"))
    return 0;
  array = found[1];
  things = array ? "values" : "entries";
  reader->kind = (perm_kind)found[2];
  field = permi_banner[2].keyword[found[2]];
  permi_symmetry symmetry = (permi_symmetry)found[3];
  symmetry_name = permi_banner[3].keyword[found[3]];
  if (wanted != PERM_FORMAT_AUTO && (wanted >= PERM_FORMAT_EDGES || (wanted == PERM_FORMAT_ARRAY) != array ||
                                     (wanted == PERM_FORMAT_COORDINATE_COMPLEX && reader->kind != PERM_KIND_COMPLEX)))
    return permi_reader_fail(reader, "a banner of format %s, field %s found, but format %s asked for: leave that out",
                             permi_banner[1].keyword[array], field, perm_name("format", wanted));
  if (array && reader->kind == PERM_KIND_PATTERN)
    return permi_reader_fail(reader, "an array of field pattern found, real, complex or integer was expected");
  if (symmetry == PERMI_SKEW && reader->kind == PERM_KIND_PATTERN)
    return permi_reader_fail(reader, "a skew-symmetric pattern found, general or symmetric was expected");
  if (symmetry == PERMI_HERMITIAN && reader->kind != PERM_KIND_COMPLEX)
    return permi_reader_fail(reader, "a hermitian matrix of field %s found, complex was expected", field);
  if (!permi_next_content(reader, 0))
    return permi_reader_fail(reader, "the file ends before the size line, '%s' was expected",
                             array ? "rows columns" : "rows columns entries");
  size_line = reader->line;
  if (!permi_read_within(reader, "number of rows", 0, PERM_MATRIX_MAX_ROWS, &m) ||
      !permi_read_within(reader, "number of columns", 0, INT_MAX, &n) ||
      (!array && !permi_read_within(reader, "number of entries", 0, INT64_MAX, &declared)) ||
      !permi_line_finished(reader, "the sizes"))
    return 0;
  if (symmetry != PERMI_GENERAL && m != n)
    return permi_reader_fail(reader, "%lld x %lld found for a %s matrix, a square one was expected", (long long)m,
                             (long long)n, symmetry_name);
  reader->m = (int)m;
  reader->n = (int)n;
  count = (unsigned long long)(symmetry == PERMI_GENERAL ? m * n : m * (m + (symmetry == PERMI_SKEW ? -1 : 1)) / 2);
  if (!array && (unsigned long long)declared > count)
    return permi_reader_fail(reader, "%lld entries found for the %llu places of a %lld x %lld %s matrix, no more than "
                             "that was expected", (long long)declared, count, (long long)m, (long long)n,
                             symmetry_name);
  count = array ? count : (unsigned long long)declared;
  left = (unsigned long long)(reader->end - reader->position);
  const unsigned entry_bytes = (array ? 0 : 4) + value_bytes[found[2]];
  if (count > (left + 1) / entry_bytes)
    return permi_reader_fail(reader, "%llu %s declared, but only %llu bytes follow, at least %u each were expected",
                             count, things, left, entry_bytes);
  if (!permi_read_entries(reader, symmetry, array, count))
    return 0;
  if (permi_next_content(reader, 0))
    return permi_reader_fail(reader, "%s found after the %llu %s declared in line %llu, the end of the file was "
                             "expected", permi_quoted(reader->cursor, reader->line_end).text, count, things, size_line);
  if (reader->kind == PERM_KIND_REAL && !reader->fraction)
    reader->kind = PERM_KIND_INTEGER;
  return 1;
}

/* ---- writing */
/* Prints 17 digits, which read back to the same double; from 1e17 to 2^63 all 19, else it is another integer. */
static int permi_print_double(FILE *file, double value)
{
  char text[64];
  permi_say(text, sizeof text, " %.*g", fabs(value) >= 1e17 && fabs(value) <= 9223372036854775808.0 ? 19 : 17, value);
  return fputs(text, file) >= 0;
}

typedef struct permi_matrix_written {
  const perm_matrix *matrix;
  permi_control *watch;
} permi_matrix_written;

static int permi_print_matrix(FILE *file, const void *what)
{
  const permi_matrix_written *written = (const permi_matrix_written *)what;
  const perm_matrix *matrix = written->matrix;
  if (fprintf(file, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %llu\n",
              permi_banner[2].keyword[matrix->kind], matrix->m, matrix->n, (unsigned long long)matrix->nnz) < 0)
    return 0;
  for (int i = 0; i < matrix->m; i++)
    for (size_t k = matrix->row_start[i]; k < matrix->row_start[i + 1]; k++) {
      if (permi_watch(written->watch, 200) || fprintf(file, "%d %d", i + 1, matrix->column[k] + 1) < 0 ||
          (matrix->kind == PERM_KIND_INTEGER && fprintf(file, " %lld", (long long)matrix->integer[k]) < 0) ||
          (matrix->kind >= PERM_KIND_REAL && !permi_print_double(file, matrix->real[k])) ||
          (matrix->kind == PERM_KIND_COMPLEX && !permi_print_double(file, matrix->imaginary[k])) ||
          putc('\n', file) == EOF)
        return 0;
    }
  return fflush(file) == 0;
}

static perm_status permi_write_file(const char *path, const perm_allocator *allocator,
                                    int (*print)(FILE *file, const void *what), const void *what, perm_result *result)
{
  const char *why, *failed = "write";
  const int standard = !strcmp(path, "-");
  int open = standard; /* a file or device; by name first, as stat follows links */
#if defined(__unix__) || defined(__APPLE__)
  struct stat information;
  open |= !strncmp(path, "/dev/std", 8) || !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/proc/", 6) ||
          (stat(path, &information) == 0 && S_ISCHR(information.st_mode));
#endif
  errno = 0;
  if (open) {
    FILE *file = standard ? stdout : fopen(path, "wb");
    if (!file)
      return permi_file_fail(result, path, "cannot create", errno);
    int printed = print(file, what), error = errno;
    if (!standard && fclose(file) != 0 && printed--)
      error = errno;
    return printed > 0 ? PERM_OK : permi_file_fail(result, standard ? "standard output" : path, "cannot write", error);
  }
  why = permi_file_replace(path, allocator, 1, print, what, &failed);
  if (!why)
    return PERM_OK;
  if (!failed)
    return permi_fail(result, PERM_ERROR_MEMORY, 0, "out of memory for a file name");
  return permi_fail(result, PERM_ERROR_FILE, 1, "%s: cannot %s: %s", permi_show_name(path).text,
                    strcmp(failed, "sync the directory of") ? failed : "sync its directory", why);
}

PERM_SPARSE_API perm_status perm_matrix_write(const char *path, const perm_matrix *matrix, const perm_options *options,
                                              perm_result *result)
{
  permi_control watch = permi_control_begin(permi_options(options));
  permi_environment environment;
  perm_status status;
  permi_result_clear(result);
  if (!path)
    return permi_fail(result, PERM_ERROR_NULL, 1, "path is NULL");
  if (!matrix)
    return permi_fail(result, PERM_ERROR_NULL, 2, "matrix is NULL");
  if (permi_matrix_missing(matrix))
    return permi_fail(result, PERM_ERROR_NULL, 2, "an array that a matrix of this kind needs is NULL");
  watch.activity = "writing";
  const permi_matrix_written written = {matrix, &watch};
  status = PERMI_SOUNDLY(&environment,
                         permi_write_file(path, &watch.options->allocator, permi_print_matrix, &written, result));
  if (watch.stopped != PERM_OK)
    status = permi_fail(result, watch.stopped, 0, "%s while writing", perm_status_text(watch.stopped));
  if (result)
    result->seconds = permi_seconds() - watch.start;
  return status;
}

/* ===================================================================================== >>plain_text
   Files that no word marks: rows of numbers, coordinates, edges. Fractions. */

/* Returns 0 at the end of the line, or on failure. Where ';' separates, blanks do not: elsewhere "1 2; 3 4" is two
   rows. Without a separator each digit is a number. */
static int permi_next_field(permi_reader *reader, const char **begin, const char **end)
{
  const char mark = reader->separator;
  if (!mark) {
    permi_skip_blanks(reader);
    *begin = reader->cursor;
    *end = reader->cursor += reader->cursor < reader->line_end;
    return *begin < *end;
  }
  if (!permi_next_until(reader, mark, begin, end))
    return *begin != reader->line_end && permi_reader_fail(reader, "'%c' found, a number was expected before it", mark);
  if (reader->cursor + 1 < reader->line_end && *reader->cursor == mark && !permi_is_blank(reader->cursor[1]))
    reader->tight = reader->line;
  permi_skip_blanks(reader);
  if (reader->cursor < reader->line_end && *reader->cursor != mark)
    reader->loose = reader->line;
  if (reader->cursor < reader->line_end && *reader->cursor != mark && mark == ';')
    return permi_reader_fail(reader, "%s found after a blank, ';' was expected between numbers as in the first line; "
                             "each row is a line", permi_quoted(reader->cursor, reader->line_end).text);
  if (reader->cursor == reader->line_end || *reader->cursor != mark)
    return 1;
  reader->cursor++;
  permi_skip_blanks(reader);
  return reader->cursor < reader->line_end ||
         permi_reader_fail(reader, "the line ends in '%c', a number was expected after it", mark);
}

/* Multiplies rows by their least common denominators, reader->denominator by all; with more rows than columns, where
   products lack rows, every entry by the denominator of all. */
static int permi_fractions_scale(permi_reader *reader)
{
  const int tall = reader->m > reader->n;
  permi_entries *list = &reader->entries;
  perm_integer multiple, product;
  if (reader->kind != PERM_KIND_INTEGER) {
    reader->line = reader->fractions;
    return permi_reader_fail(reader, "a fraction found in a matrix that has other numbers than integers too; write all "
                             "others as fractions a/b");
  }
  for (size_t k = 0, end; k < list->count && !permi_watch_step(reader->watch, k, 50); k = end) {
    uint64_t common = 1;
    for (end = k; end < list->count && !permi_watch_step(reader->watch, end, 50) &&
                  (tall || list->entry[end].key >> 32 == list->entry[k].key >> 32); end++) {
      const uint64_t below = list->entry[end].imaginary > 0 ? (uint64_t)list->entry[end].imaginary : 1;
      const uint64_t factor = below / permi_greatest_divisor(common, below);
      reader->line = list->entry[end].line;
      if (common > (uint64_t)INT64_MAX / factor)
        return permi_reader_fail(reader, "the least common denominator of row %llu is over 2^63: multiply the row by "
                                 "fewer factors, or write decimals, for doubles", (list->entry[k].key >> 32) + 1);
      common *= factor;
    }
    for (size_t next = k; next < end; next++) {
      permi_entry *entry = &list->entry[next];
      const int64_t factor = (int64_t)(common / (entry->imaginary > 0 ? (uint64_t)entry->imaginary : 1));
      reader->line = entry->line;
      if (entry->integer > INT64_MAX / factor || entry->integer < -(INT64_MAX / factor))
        return permi_reader_fail(reader, "row %llu over its common denominator has integers beyond 64 bits: write "
                                 "decimals, for doubles", (entry->key >> 32) + 1);
      entry->integer *= factor;
      entry->real = (double)entry->integer;
      entry->imaginary = 0;
    }
    multiple = permi_integer_of((int64_t)common);
    for (int factors = tall && common > 1 ? reader->n : 1; factors > 0; factors--) {
      if (!permi_integer_multiply(reader->denominator, &multiple, &product))
        return permi_reader_fail(reader, "the product of all rows' common denominators is over %d bits: write "
                                 "decimals, for doubles", 64 * PERM_INTEGER_WORDS);
      *reader->denominator = product;
    }
  }
  return 1;
}

static int permi_plain_value(permi_reader *reader, const char *begin, const char *end, permi_entry *entry)
{
  int integer;
  const char *const whole_begin = begin, *const whole_end = end, *middle;
  int64_t below = 0;
  if (end - begin > 3 && *begin == '(' && end[-1] == ')' && (end[-2] == 'j' || end[-2] == 'i')) {
    begin++; /* Python prints brackets */
    end--;
  }
  middle = permi_number_end(begin, end, &integer);
  entry->real = entry->imaginary = 0;
  entry->integer = 0;
  if (middle == end) {
    if (permi_integer_value(begin, end, &entry->integer)) {
      entry->real = (double)entry->integer; /* to nearest, as strtod */
      permi_note_integer(reader, begin, end, entry->real);
      return 1;
    }
    if (reader->kind == PERM_KIND_INTEGER)
      reader->kind = PERM_KIND_REAL;
    return permi_double_value(reader, begin, end, &entry->real);
  }
  if ((end[-1] == 'i' || end[-1] == 'j') && end - begin < PERMI_WORD_MOST) {
    const char *last = end - 1, *from = middle == last ? begin : middle;
    const int sign = from < last && (*from == '+' || *from == '-'), bare = from + sign == last;
    if ((from == begin || sign) && (bare || permi_number_end(from, last, &integer) == last)) {
      reader->kind = PERM_KIND_COMPLEX;
      entry->imaginary = sign && *from == '-' ? -1 : 1;
      return (from == begin || permi_double_value(reader, begin, from, &entry->real)) &&
             (bare || permi_double_value(reader, from, last, &entry->imaginary));
    }
  }
  if (reader->denominator && integer && middle > begin && *middle == '/') {
    /* integer and, in imaginary, the denominator, in lowest terms */
    if (permi_digits_end(middle + 1, end) != end || middle + 1 == end)
      return permi_reader_fail(reader, "%s found, a fraction such as 1/2 or -22/7 was expected",
                               permi_quoted(begin, end).text);
    if (!permi_integer_value(begin, middle, &entry->integer) || !permi_integer_value(middle + 1, end, &below) ||
        below < 1 || below > (int64_t)1 << 53)
      return permi_reader_fail(reader, "%s found, a fraction with a numerator of 64 bits and a denominator from 1 to "
                               "2^53 was expected", permi_quoted(begin, end).text);
    const uint64_t magnitude = entry->integer < 0 ? 0 - (uint64_t)entry->integer : (uint64_t)entry->integer;
    const int64_t divisor = (int64_t)permi_greatest_divisor(magnitude, (uint64_t)below);
    entry->integer /= divisor;
    entry->real = (double)entry->integer;
    entry->imaginary = (double)(below / divisor);
    reader->fractions = reader->fractions ? reader->fractions : reader->line;
    return 1;
  }
  return permi_reader_fail(reader, "%s found, a number such as 1, -2.5e3, 1+2i or (1+2j) was expected%s",
      permi_quoted(whole_begin, whole_end).text,
      middle > begin && *middle == '/'
          ? "; of fractions: multiply a row by its denominators' least common multiple, then divide the permanent by it"
      : memchr(begin, ',', (size_t)(end - begin)) ? ", with a point before decimals" : "");
}

/* A name stands between separators, else tabs, else blanks; quotes protect. Returns 0 for no more. */
static int permi_next_name(permi_reader *look, char mark, const char **begin, const char **end)
{
  int quoted = 0;
  if (look->cursor > look->line_end)
    return 0;
  *begin = look->cursor;
  for (; look->cursor < look->line_end && (quoted || *look->cursor != mark); look->cursor++)
    quoted ^= *look->cursor == '"';
  *end = look->cursor++;
  while (*begin < *end && permi_is_blank(**begin))
    ++*begin;
  while (*begin < *end && permi_is_blank((*end)[-1]))
    --*end;
  if (mark == ' ') /* several separate once */
    while (look->cursor < look->line_end && *look->cursor == ' ')
      look->cursor++;
  return mark != ' ' || *begin < *end;
}

static char permi_line_mark(const permi_reader *reader, const char *begin)
{
  const size_t length = (size_t)(reader->line_end - begin);
  return memchr(begin, reader->separator, length) ? reader->separator : memchr(begin, '\t', length) ? '\t' : ' ';
}

/* Returns 1 for what begins with a letter, '_' or '"', and is no missing value. */
static int permi_is_name(const char *begin, const char *end)
{
  static const char *const missing[] = {"nan", "inf", "infinity", "na", "n/a", "null", "none"};
  const char letter = begin < end ? *begin : ' ';
  for (size_t k = 0; k < sizeof missing / sizeof *missing; k++)
    if (permi_same_word(begin, end, missing[k]))
      return 0;
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' || letter == '"';
}

#define PERMI_ROW_NAMES                                                                                  \
  "; if column 1 names the rows, write the table without it: index=False (pandas), row.names=FALSE (R)"

static int permi_refuse_row_name(permi_reader *reader, const char *begin, const char *end)
{
  return permi_reader_fail(reader, "%s found, a number was expected%s" PERMI_ROW_NAMES,
                           permi_quoted(begin, begin < end ? end : end + 1).text, begin < end ? "" : " before it");
}

/* Passes a line such as a,"b c",d2 or i,j. Returns 0 on failure. */
static int permi_skip_header(permi_reader *reader)
{
  permi_reader look = *reader, below;
  const char *begin, *end, *first;
  int names = 0, units = 1; /* nothing but i and j */
  reader->separator = look.separator = ',';
  if (!permi_next_content(&look, 1))
    return 1;
  first = look.cursor;
  while (look.line_end > first && permi_is_blank(look.line_end[-1]))
    look.line_end--;
  if (memchr(first, ';', (size_t)(look.line_end - first)))
    reader->separator = look.separator = ';';
  char mark = permi_line_mark(&look, first);
  while (permi_next_name(&look, mark, &begin, &end)) {
    if (!names && (begin == end || permi_same_word(begin, end, "\"\""))) {
      reader->line = look.line;
      return permi_refuse_row_name(reader, begin, end);
    }
    if (!permi_is_name(begin, end) || names == INT_MAX)
      return 1;
    names++;
    units = units && end == begin + 1 && (*begin == 'i' || *begin == 'j');
  }
  below = look;
  if (!permi_next_content(&below, 1))
    return 1;
  if (units) {
    reader->line = look.line;
    return permi_reader_fail(reader, "%s found: names of columns or imaginary units? Write 1i for the number, or leave "
                             "the line out", permi_quoted(first, look.line_end).text);
  }
  reader->names = names;
  reader->position = look.position;
  reader->line = look.line;
  snprintf(reader->note, sizeof reader->note, "rows below the header %.40s", permi_quoted(first, look.line_end).text);
  return 1;
}

/* Returns 1 for rows of 0 and 1 without blanks, of two digits at least. Notes doubts. */
static int permi_are_digits(permi_reader *reader)
{
  permi_reader look = *reader;
  const char *begin, *end, *p;
  int lines = 0, zero = 0, same = 1, bits = 1;
  ptrdiff_t length = 0;
  while (permi_next_content(&look, 1)) {
    permi_next_word(&look, &begin, &end);
    permi_skip_blanks(&look);
    if (look.cursor < look.line_end || permi_digits_end(begin, end) != end || lines++ == PERM_MATRIX_MAX_ROWS)
      return 0;
    length = lines > 1 ? length : end - begin;
    same = same && end - begin == length && length > 1;
    zero |= *begin == '0' && end - begin > 1;
    for (p = begin; p < end; p++)
      bits &= *p <= '1';
  }
  reader->separator = lines > 1 && same && bits ? 0 : reader->separator;
  if (zero || (same && lines > 1))
    snprintf(reader->note, sizeof reader->note, "%s", reader->separator ?
             "one number a line; if each digit is an entry, put blanks between: sed 's/./& /g' FILE | perm -" :
             "rows of 0 and 1 without blanks; --format array takes each line as one number");
  return !reader->separator;
}

static int permi_read_plain(permi_reader *reader, perm_format wanted)
{
  unsigned long long first_line = 0;
  permi_shown first = {""};
  int from_0 = 1, from_1 = 1, counted; /* the first line counts the columns of n others */
  permi_entries *list = &reader->entries;
  permi_entry entry;
  size_t k, kept = 0;
  reader->kind = PERM_KIND_INTEGER;
  if (wanted == PERM_FORMAT_AUTO && !reader->names && permi_are_digits(reader))
    wanted = PERM_FORMAT_ARRAY;
  while (permi_next_content(reader, 1)) {
    const char *begin, *end;
    int columns = 0;
    if (reader->m == PERM_MATRIX_MAX_ROWS)
      return permi_reader_fail(reader, "row %d found, at most %d were expected", reader->m + 1, PERM_MATRIX_MAX_ROWS);
    while (permi_next_field(reader, &begin, &end)) {
      if (!(columns & 4095) && permi_watch(reader->watch, 4096))
        return 0;
      if (columns == INT_MAX)
        return permi_reader_fail(reader, "more than 2^31-1 numbers found, fewer were expected");
      if (!permi_plain_value(reader, begin, end, &entry)) {
        permi_reader look = *reader;
        look.cursor = begin;
        permi_next_name(&look, permi_line_mark(&look, begin), &begin, &end);
        permi_skip_blanks(&look);
        return !columns && permi_is_name(begin, end) && look.cursor < look.line_end &&
               strchr("+-.0123456789", *look.cursor) && permi_refuse_row_name(reader, begin, end);
      }
      if (!reader->m) {
        const int digits = permi_digits_end(begin, end) == end;
        first = columns ? first : permi_quoted(begin, reader->line_end);
        from_0 = from_0 && digits && entry.real == columns;
        from_1 = from_1 && digits && entry.real == columns + 1.0;
      }
      if ((entry.real != 0 || entry.imaginary != 0) &&
          !permi_reader_push(reader, (uint64_t)reader->m, (uint64_t)columns, &entry))
        return 0;
      columns++;
    }
    if (reader->status != PERM_OK)
      return 0;
    if (reader->tight == reader->line && reader->loose == reader->line)
      return permi_reader_fail(reader, "numbers with a comma and no blank between them and numbers with blanks alone "
                               "found: are these decimals? They need a point (1.5); or one separator throughout");
    if (!reader->m) {
      if (reader->names && columns != reader->names)
        return permi_reader_fail(reader, "%d numbers found, %d were expected as names in the line before%s", columns,
                                 reader->names, columns - 1 == reader->names ? PERMI_ROW_NAMES : "");
      reader->n = columns;
      first_line = reader->line;
    }
    if (columns != reader->n)
      return permi_reader_fail(reader, "%d numbers found, %d were expected as in line %llu%s", columns, reader->n,
                               first_line, reader->m == 1 && columns - 1 == reader->n ? PERMI_ROW_NAMES : "");
    reader->m++;
  }
  if (!reader->m)
    return permi_reader_fail(reader, "no numbers found, a matrix was expected");
  counted = (from_0 || from_1) && reader->n > 1 && reader->m - 1 == reader->n && !reader->names && reader->separator;
  if (wanted == PERM_FORMAT_AUTO && reader->n == 2 && reader->m > 2 && reader->kind == PERM_KIND_INTEGER &&
      !reader->fractions) {
    reader->line = first_line;
    return permi_reader_fail(reader, "%d rows of two integers found: edges of a graph, or a %d x 2 matrix? Say which: "
                             "--format edges|array%s", reader->m, reader->m,
                             counted ? "; if the first is a header, leave it out" : "");
  }
  if (counted && wanted != PERM_FORMAT_AUTO) {
    snprintf(reader->note, sizeof reader->note, "rows, the first of them %.40s, which may be a header", first.text);
  } else if (counted) { /* a column alone keeps it: below 0 its permanent is the same */
    for (k = 0; k < list->count && !permi_watch_step(reader->watch, k, 5); k++)
      if (list->entry[k].key >> 32) {
        list->entry[kept] = list->entry[k];
        list->entry[kept++].key -= (uint64_t)1 << 32;
      }
    list->count = kept;
    reader->m--;
    snprintf(reader->note, sizeof reader->note, "rows below the header %.40s; --format array makes it a row too",
             first.text);
  }
  for (k = 0; reader->m == reader->n / 2.0 && reader->kind == PERM_KIND_REAL && wanted == PERM_FORMAT_AUTO &&
              !reader->note[0] && k < list->count && !permi_watch_step(reader->watch, k, 5); k++)
    if (list->entry[k].real < 0)
      snprintf(reader->note, sizeof reader->note, "%d x %d real numbers; complex ones are words such as 0.5-1.25i, not "
               "pairs", reader->m, reader->n);
  return 1;
}

/* Returns a line's numbers, up to 5, or -1 on failure. */
static int permi_fields(permi_reader *reader, const char *begin[5], const char *end[5])
{
  int count = 0;
  while (count < 5 && permi_next_field(reader, &begin[count], &end[count]))
    count++;
  return reader->status == PERM_OK ? count : -1;
}

static int permi_field_whole(const char *begin, const char *end, int64_t limit, int64_t *value)
{
  int integer;
  return permi_number_end(begin, end, &integer) == end && permi_integer_value(begin, end, value) && *value >= 0 &&
         *value <= limit;
}

typedef struct permi_indices {
  int64_t size[3], low[2], high[2];
  int columns, loops;
  unsigned long long first, lines;
} permi_indices;

static void permi_indices_add(permi_indices *indices, const int64_t index[2])
{
  for (int k = 0; k < 2; k++) {
    if (!indices->lines || index[k] < indices->low[k])
      indices->low[k] = index[k];
    if (!indices->lines || index[k] > indices->high[k])
      indices->high[k] = index[k];
  }
  indices->loops += index[0] == index[1];
  indices->lines++;
}

/* Returns 0 if an index is 0, else 1. (With neither 0 nor the last, either leaves an empty line.) */
static int permi_indices_base(const permi_indices *indices)
{
  return !indices->lines || (indices->low[0] > 0 && indices->low[1] > 0);
}

static int permi_resembles_sizes(permi_reader *reader, int64_t rows, int64_t columns, permi_indices *indices,
                                 const char **begin)
{
  int64_t *size = indices->size, cells;
  const char *from[5], *to[5];
  const int count = permi_fields(reader, from, to);
  *begin = from[0];
  if (count != 3 || !permi_field_whole(from[0], to[0], rows, &size[0]) ||
      !permi_field_whole(from[1], to[1], columns, &size[1]))
    return 0;
  cells = size[0] && size[1] > INT64_MAX / size[0] ? INT64_MAX : size[0] * size[1];
  indices->first = reader->line;
  return permi_field_whole(from[2], to[2], cells, &size[2]);
}

/* Returns AUTO after a failure, coordinates if a file may be "rows columns entries" and entries. Up to three rows of
   three numbers that could be both are a matrix. */
static perm_format permi_recognise(permi_reader *reader)
{
  const char *begin[5], *end[5];
  permi_indices indices;
  permi_reader look = *reader;
  int64_t index[2];
  memset(&indices, 0, sizeof indices);
  look.result = NULL;
  /* permi_read_list refuses large sizes */
  if (!permi_next_content(&look, 1) || !permi_resembles_sizes(&look, UINT32_MAX, UINT32_MAX, &indices, begin))
    return PERM_FORMAT_ARRAY;
  while (permi_next_content(&look, 1)) {
    const int columns = permi_fields(&look, begin, end);
    if (columns < 2 || columns > 4 || (indices.lines && columns != indices.columns) ||
        !permi_field_whole(begin[0], end[0], indices.size[0], &index[0]) ||
        !permi_field_whole(begin[1], end[1], indices.size[1], &index[1]))
      return PERM_FORMAT_ARRAY;
    indices.columns = columns;
    permi_indices_add(&indices, index);
  }
  const int base = permi_indices_base(&indices);
  if (indices.lines && (indices.high[0] >= indices.size[0] + base || indices.high[1] >= indices.size[1] + base ||
                        (double)indices.lines > (double)indices.size[0] * (double)indices.size[1]))
    return PERM_FORMAT_ARRAY;
  unsigned long long entries = (unsigned long long)indices.size[2];
  const int array = !indices.lines || indices.columns == 3;
  if (entries != indices.lines && array && (indices.lines <= 2 || !entries))
    return PERM_FORMAT_ARRAY;
  if (entries == indices.lines && (!array || indices.lines > 2))
    return indices.columns == 4 ? PERM_FORMAT_COORDINATE_COMPLEX : PERM_FORMAT_COORDINATE;
  reader->line = indices.first;
  if (entries == indices.lines)
    permi_reader_fail(reader, "a %llu x 3 matrix found, or %llu entries of a %lld x %lld matrix? Say which: --format "
                      "array|coordinate", indices.lines + 1, entries, (long long)indices.size[0],
                      (long long)indices.size[1]);
  else
    permi_reader_fail(reader, "%llu entries of a %lld x %lld matrix announced, but %llu lines follow; complete the "
                      "file%s", entries, (long long)indices.size[0], (long long)indices.size[1], indices.lines,
                      array ? ", or say --format array for rows of numbers" : "");
  return PERM_FORMAT_AUTO;
}

static int permi_read_list(permi_reader *reader, perm_format format, perm_format wanted)
{
  const int edges = format == PERM_FORMAT_EDGES, complex_format = format == PERM_FORMAT_COORDINATE_COMPLEX;
  const char *begin = reader->line_end, *from[5], *to[5];
  permi_indices indices;
  memset(&indices, 0, sizeof indices);
  if (!edges) {
    if (!permi_next_content(reader, 1))
      return permi_reader_fail(reader, "no numbers found, 'rows columns entries' was expected");
    if (!permi_resembles_sizes(reader, PERM_MATRIX_MAX_ROWS, INT_MAX, &indices, &begin))
      return reader->status == PERM_OK &&
             permi_reader_fail(reader, "%s found, 'rows columns entries' was expected, up to %d, 2^31-1 and their "
                               "product", permi_quoted(begin, reader->line_end).text, PERM_MATRIX_MAX_ROWS);
  }
  reader->kind = complex_format ? PERM_KIND_COMPLEX : PERM_KIND_PATTERN;
  while (permi_next_content(reader, 1)) {
    int64_t index[2] = {0, 0}, limit;
    permi_entry entry = permi_entry_one(), part;
    const int columns = permi_fields(reader, from, to);
    if (columns < 0)
      return 0;
    if (complex_format ? columns != 4 : columns != 2 && columns != 3)
      return permi_reader_fail(reader, "%s%d number%s found, 'row column %s' was expected%s",
                               columns > 4 ? "over " : "", columns > 4 ? 4 : columns, columns == 1 ? "" : "s",
                               complex_format ? "real imaginary" : edges ? "[weight]" : "[value]",
                               columns == 4 && !edges ? "; complex values are --format coordinate-complex" : "");
    if (indices.lines && columns != indices.columns)
      return permi_reader_fail(reader, "%d numbers found, %d were expected as in the lines before", columns,
                               indices.columns);
    for (size_t k = 0; k < 2; k++) {
      limit = !edges ? indices.size[k] : k ? INT_MAX - 1 : PERM_MATRIX_MAX_ROWS - 1;
      if (!permi_field_whole(from[k], to[k], limit, &index[k]))
        return permi_reader_fail(reader, "%s %s found, a whole number from %s%lld was expected", k ? "column" : "row",
                                 permi_quoted(from[k], to[k]).text, edges ? "0 to " : "1 (or 0) to ", (long long)limit);
    }
    if (columns > 2)
      reader->kind = indices.lines && columns == 3 ? reader->kind : PERM_KIND_INTEGER;
    if ((columns == 4 && !permi_plain_value(reader, from[3], to[3], &part)) ||
        (columns > 2 && !permi_plain_value(reader, from[2], to[2], &entry)))
      return 0;
    if (columns == 4) {
      if (reader->kind == PERM_KIND_COMPLEX)
        return permi_reader_fail(reader, "%s found, two real numbers were expected", permi_quoted(from[2], to[3]).text);
      entry.imaginary = part.real;
      reader->kind = PERM_KIND_COMPLEX;
    }
    indices.columns = columns;
    permi_indices_add(&indices, index);
    if (!permi_reader_push(reader, (uint64_t)index[0], (uint64_t)index[1], &entry)) /* unshifted */
      return 0;
  }
  const uint64_t base = (uint64_t)permi_indices_base(&indices);
  const int apart = indices.high[0] < indices.low[1] || indices.high[1] < indices.low[0];
  const int one_graph = edges && !indices.loops && !apart;
  for (size_t k = 0; k < 2 && edges; k++)
    indices.size[k] = indices.high[k] + !base;
  if (edges && !indices.lines)
    return permi_reader_fail(reader, "no edges found, lines 'row column [weight]' were expected");
  if (edges && base && (indices.low[0] != 1 || indices.low[1] != 1))
    return permi_reader_fail(reader, "the smallest row is %lld and the smallest column %lld: counted from 0 or from 1? "
                             "Write 'rows columns entries' before them and say --format coordinate%s",
                             (long long)indices.low[0], (long long)indices.low[1],
                             one_graph ? "; of one graph take perm.matchings in Python" : "");
  if (!edges && indices.lines != (unsigned long long)indices.size[2])
    return permi_reader_fail(reader, "the file ends after %llu entries, %lld were expected", indices.lines,
                             (long long)indices.size[2]);
  for (size_t k = 0; k < reader->entries.count && !permi_watch_step(reader->watch, k, 5); k++) {
    permi_entry *item = &reader->entries.entry[k];
    const unsigned long long row = (item->key >> 32) - base, column = (item->key & 0xffffffff) - base;
    item->key = permi_entry_key(row, column);
    if (row < (uint64_t)indices.size[0] && column < (uint64_t)indices.size[1])
      continue;
    reader->line = item->line;
    return permi_reader_fail(reader, "entry (%llu,%llu) of a %lld x %lld matrix found, whose indices count from 0 as "
                             "others are 0", row, column, (long long)indices.size[0], (long long)indices.size[1]);
  }
  reader->m = (int)indices.size[0];
  reader->n = (int)indices.size[1];
  snprintf(reader->note, sizeof reader->note, "%llu %s of a %d x %d matrix, counted from %d%s", indices.lines,
           edges ? "edges" : "entries", reader->m, reader->n, (int)base,
           one_graph ? "; row i and column i are two vertices; of one graph take perm.matchings in Python"
           : wanted == PERM_FORMAT_AUTO && indices.columns == 3 ? "; --format array reads rows of numbers" : "");
  return 1;
}

/* ========================================================================================== >>numpy
   .npy files of NumPy, versions 1 to 3: "\x93NUMPY", two bytes of version, the length of a header, the header (a
   dictionary with descr, fortran_order, shape), the items. Two axes. */

#define PERMI_NUMPY_MAGIC "\x93NUMPY"
#define PERMI_NUMPY_MOST 1048576 /* of a header */

typedef struct permi_numpy {
  char code, order; /* of "<f8": f and < */
  unsigned size;    /* of an item */
  int fortran, axes, given; /* fortran: by columns; given: bits of keys */
  uint64_t shape[2], bytes; /* of all items */
} permi_numpy;

static int permi_numpy_begins(const char *text, size_t bytes)
{
  return bytes >= 6 && !memcmp(text, PERMI_NUMPY_MAGIC, 6);
}

static int permi_is_numpy(const permi_reader *reader)
{
  return permi_numpy_begins(reader->position, (size_t)(reader->end - reader->position));
}

static uint64_t permi_numpy_bits(const char *at, unsigned size, char order)
{
  uint64_t bits = 0;
  for (unsigned k = 0; k < size; k++)
    bits = bits << 8 | (unsigned char)at[order == '>' ? k : size - 1 - k];
  return bits;
}

/* Returns the bytes before the items, as the first 12 say, or 0. */
static size_t permi_numpy_head(const char *text, size_t bytes)
{
  const unsigned wide = bytes >= 12 && text[6] != 1 ? 4 : 2;
  if (bytes < 12 || !permi_numpy_begins(text, bytes) || text[6] < 1 || text[6] > 3)
    return 0;
  const uint64_t length = permi_numpy_bits(text + 8, wide, '<');
  return length <= PERMI_NUMPY_MOST ? (size_t)length + 8 + wide : 0;
}

static int permi_numpy_next(permi_reader *reader)
{
  while (reader->cursor < reader->line_end && (permi_is_blank(*reader->cursor) || *reader->cursor == '\n'))
    reader->cursor++;
  return reader->cursor < reader->line_end ? (unsigned char)*reader->cursor : 0;
}

static int permi_numpy_expect(permi_reader *reader, char mark)
{
  if (permi_numpy_next(reader) != mark)
    return permi_reader_fail(reader, "%s found in the header, '%c' was expected",
                             permi_quoted(reader->cursor, reader->line_end).text, mark);
  reader->cursor++;
  return 1;
}

static int permi_numpy_string(permi_reader *reader, const char **begin, const char **end)
{
  const int quote = permi_numpy_next(reader);
  if (quote != '\'' && quote != '"')
    return permi_reader_fail(reader, "%s found in the header, a name in quotes was expected",
                             permi_quoted(reader->cursor, reader->line_end).text);
  *begin = ++reader->cursor;
  while (reader->cursor < reader->line_end && *reader->cursor != quote)
    reader->cursor++;
  *end = reader->cursor;
  return permi_numpy_expect(reader, (char)quote);
}

static int permi_numpy_header(permi_reader *reader, permi_numpy *array)
{
  static const char *const keys[3] = {"descr", "fortran_order", "shape"};
  static const char *const types[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"};
  const char *begin, *end;
  int k;
  memset(array, 0, sizeof *array);
  if (!permi_numpy_expect(reader, '{'))
    return 0;
  while (permi_numpy_next(reader) != '}') {
    if (!permi_numpy_string(reader, &begin, &end))
      return 0;
    for (k = 0; k < 3 && !permi_same_word(begin, end, keys[k]);)
      k++;
    if (k == 3 || array->given >> k & 1)
      return permi_reader_fail(reader, "key %s found in the header, descr, fortran_order and shape were expected, once",
                               permi_quoted(begin, end).text);
    array->given |= 1 << k;
    if (!permi_numpy_expect(reader, ':') || (k == 0 && !permi_numpy_string(reader, &begin, &end)) ||
        (k == 2 && !permi_numpy_expect(reader, '(')))
      return 0;
    if (k == 0) {
      array->order = begin < end ? *begin : ' ';
      array->code = end - begin > 1 ? begin[1] : ' ';
      for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (end - begin == 1 + (ptrdiff_t)strlen(types[t]) && !memcmp(begin + 1, types[t], strlen(types[t])))
          array->size = types[t][2] ? 16 : (unsigned)(types[t][1] - '0');
      if (!array->size || !memchr("<>|", array->order, array->size == 1 ? 3 : 2))
        return permi_reader_fail(reader, "items of type %s found, b1, i1 to i8, u1 to u8, f4, f8, c8 or c16 were "
                                 "expected: save a.astype(float)", permi_quoted(begin, end).text);
    }
    if (k == 1) {
      permi_numpy_next(reader);
      begin = reader->cursor;
      while (reader->cursor < reader->line_end && *reader->cursor >= 'A' && *reader->cursor <= 'z')
        reader->cursor++;
      array->fortran = reader->cursor - begin == 4 && !memcmp(begin, "True", 4);
      if (!array->fortran && !(reader->cursor - begin == 5 && !memcmp(begin, "False", 5)))
        return permi_reader_fail(reader, "%s found for fortran_order, True or False was expected",
                                 permi_quoted(begin, reader->line_end).text);
    }
    while (k == 2 && permi_numpy_next(reader) != ')') {
      uint64_t size = 0;
      begin = reader->cursor;
      for (; reader->cursor < reader->line_end && permi_is_digit(*reader->cursor); reader->cursor++)
        size = size < UINT64_MAX / 16 ? 10 * size + (uint64_t)(*reader->cursor - '0') : size;
      if (reader->cursor == begin)
        return permi_reader_fail(reader, "%s found in the shape, a whole number was expected",
                                 permi_quoted(begin, reader->line_end).text);
      if (reader->cursor < reader->line_end && *reader->cursor == 'L') /* as Python 2 wrote */
        reader->cursor++;
      if (array->axes < 2)
        array->shape[array->axes] = size;
      array->axes += array->axes < 4;
      if (permi_numpy_next(reader) != ')' && !permi_numpy_expect(reader, ','))
        return 0;
    }
    if ((k == 2 && !permi_numpy_expect(reader, ')')) ||
        (permi_numpy_next(reader) != '}' && !permi_numpy_expect(reader, ',')))
      return 0;
  }
  for (k = 0; k < 3; k++)
    if (!(array->given >> k & 1))
      return permi_reader_fail(reader, "no %s in the header, descr, fortran_order and shape were expected", keys[k]);
  if (array->axes != 2)
    return permi_reader_fail(reader, "an array of %s found, two axes were expected: save %s",
                             array->axes == 0 ? "no axis" : array->axes == 1 ? "one axis" : "more than two axes",
                             array->axes == 3 ? "one matrix of it, a[0]" : "a.reshape(rows, columns)");
  if (array->shape[0] > PERM_MATRIX_MAX_ROWS || array->shape[1] > INT_MAX)
    return permi_reader_fail(reader, "shape (%llu, %llu) found, up to (%d, 2^31-1) was expected",
                             (unsigned long long)array->shape[0], (unsigned long long)array->shape[1],
                             PERM_MATRIX_MAX_ROWS);
  return 1;
}

static int permi_numpy_float(permi_reader *reader, char order, unsigned size, unsigned at, double *value)
{
  const uint64_t bits = permi_numpy_bits(reader->cursor + at, size, order);
  const uint32_t narrow_bits = (uint32_t)bits;
  float narrow;
  memcpy(&narrow, &narrow_bits, sizeof narrow);
  memcpy(value, &bits, sizeof *value);
  *value = size == 4 ? (double)narrow : *value;
  if (!permi_not_finite(*value))
    return 1;
  reader->cursor += at;
  return permi_reader_fail(reader, "%s found, finite numbers were expected: numpy.isfinite(a) tells where",
                           permi_not_finite(*value));
}

static int permi_numpy_open(permi_reader *reader, permi_numpy *array)
{
  const size_t bytes = (size_t)(reader->end - reader->position), head = permi_numpy_head(reader->position, bytes);
  const char *begin = reader->position;
  reader->binary = reader->cursor = begin;
  if (!permi_is_numpy(reader))
    return permi_reader_fail(reader, "no .npy file: its first bytes are not \\x93NUMPY; numpy.save writes them");
  if (bytes > 6 && (begin[6] < 1 || begin[6] > 3))
    return permi_reader_fail(reader, "version %d of the .npy format found, 1 to 3 were expected",
                             (int)(unsigned char)begin[6]);
  if (!head || head > bytes)
    return permi_reader_fail(reader, "a file of %llu bytes found that is shorter than its header, or a header of over "
                             "%d bytes: is it whole?", (unsigned long long)bytes, PERMI_NUMPY_MOST);
  reader->cursor = begin + (begin[6] == 1 ? 10 : 12);
  reader->line_end = begin + head;
  if (!permi_numpy_header(reader, array))
    return 0;
  reader->cursor = reader->line_end;
  array->bytes = array->shape[0] * array->shape[1] * array->size; /* below 2^24 2^31 2^4 */
  return 1;
}

/* Bytes to read of a file that begins so: of .npy its head, then items and one too many; UINT64_MAX: all. */
static uint64_t permi_numpy_wanted(const char *text, size_t bytes, perm_format format)
{
  const size_t head = permi_numpy_head(text, bytes);
  permi_reader reader;
  permi_numpy array;
  if (!permi_numpy_begins(text, bytes) && format != PERM_FORMAT_NUMPY)
    return UINT64_MAX;
  if (head > bytes)
    return head;
  memset(&reader, 0, sizeof reader);
  reader.name = "";
  reader.position = text;
  reader.end = text + bytes;
  return permi_numpy_open(&reader, &array) ? head + array.bytes + 1 : bytes;
}

static int permi_read_numpy(permi_reader *reader, perm_format wanted)
{
  size_t done = 0;
  permi_numpy array;
  (void)wanted;
  if (!permi_numpy_open(reader, &array))
    return 0;
  unsigned long long left = (unsigned long long)(reader->end - reader->cursor);
  if (left != array.bytes)
    return permi_reader_fail(reader, "%s%llu bytes of items found, %llu were expected for shape (%llu, %llu): %s",
                             left > array.bytes ? "at least " : "", left, (unsigned long long)array.bytes,
                             (unsigned long long)array.shape[0], (unsigned long long)array.shape[1],
                             left < array.bytes ? "is the file whole?" : "save one array a file");
  const uint64_t outer = array.shape[array.fortran], inner = array.shape[!array.fortran];
  reader->m = (int)array.shape[0];
  reader->n = (int)array.shape[1];
  reader->kind = array.code == 'b' ? PERM_KIND_PATTERN : array.code == 'c' ? PERM_KIND_COMPLEX : PERM_KIND_REAL;
  for (uint64_t k = 0; array.bytes && k < outer; k++)
    for (uint64_t i = 0; i < inner; i++, reader->cursor += array.size) {
      if (permi_watch_step(reader->watch, done++, 20))
        return permi_reader_no_memory(reader);
      permi_entry entry = permi_entry_one();
      if (array.code == 'f' || array.code == 'c') {
        const unsigned size = array.code == 'c' ? array.size / 2 : array.size;
        if (!permi_numpy_float(reader, array.order, size, 0, &entry.real) ||
            (array.code == 'c' && !permi_numpy_float(reader, array.order, size, size, &entry.imaginary)))
          return 0;
        if (entry.real == floor(entry.real) && fabs(entry.real) < 9223372036854775808.0)
          entry.integer = (int64_t)entry.real;
        else
          reader->fraction = 1;
      } else {
        uint64_t bits = permi_numpy_bits(reader->cursor, array.size, array.order);
        if (array.code == 'b' && bits > 1)
          return permi_reader_fail(reader, "byte %u found in an array of bool, 0 or 1 was expected", (unsigned)bits);
        if (array.code == 'i' && array.size < 8 && bits >> (8 * array.size - 1))
          bits |= UINT64_MAX << (8 * array.size);
        memcpy(&entry.integer, &bits, sizeof bits);
        entry.real = (double)entry.integer;
        if (array.code == 'u' && entry.integer < 0) { /* no integer of 64 bits */
          entry.real = (double)bits;
          reader->fraction = 1;
          reader->large = reader->large ? reader->large : (unsigned long long)(reader->cursor - reader->binary);
        }
      }
      if ((entry.real != 0 || entry.imaginary != 0) &&
          !permi_reader_push(reader, array.fortran ? i : k, array.fortran ? k : i, &entry))
        return 0;
    }
  if (reader->kind == PERM_KIND_REAL && !reader->fraction)
    reader->kind = PERM_KIND_INTEGER;
  return 1;
}

/* ========================================================================================== >>graph
   Graphs as adjacency matrices. A line of B. D. McKay's graph6, sparse6 (after ':'), digraph6 (after '&'), perhaps
   after a header such as >>graph6<<. A byte has six bits, 63 + x. First the order n: a byte, three after '~', or six
   after "~~". Then
   - graph6: the upper triangle by columns, and zeros; digraph6: all rows
   - sparse6: groups of a bit b and k bits x, the bits of n - 1, over a vertex v from 0: b moves v on; then x > v
     becomes v, else {x, v} is an edge. Up to five ones fill the last byte; groups behind vertex n - 1 are none.
   DIMACS: "c" comments, "p edge N M" or "p col N M", M lines "e I J [W]". Each edge once, or all in both directions
   with one weight. */

static int permi_graph6_line(permi_reader *reader)
{
  while (permi_next_line(reader)) {
    permi_skip_blanks(reader);
    while (reader->line_end > reader->cursor && permi_is_blank(reader->line_end[-1]))
      reader->line_end--;
    if (reader->cursor < reader->line_end)
      return 1;
  }
  return 0;
}

/* Passes a header; returns its mark, '>' for graph6, or 0. */
static char permi_graph6_header(permi_reader *reader)
{
  static const char *const header[] = {">>graph6<<", ">>sparse6<<", (">" ">digraph6<<")};
  for (size_t k = 0; k < sizeof header / sizeof *header; k++) {
    const size_t length = strlen(header[k]);
    if ((size_t)(reader->line_end - reader->cursor) >= length && !memcmp(reader->cursor, header[k], length)) {
      reader->cursor += length;
      return ">:&"[k];
    }
  }
  return 0;
}

/* Returns 1 for a header, a mark, or lines of such bytes alone. No number is one except i and j, which are too short.
   Lines of wrong length are graphs to refuse; but not i, j, nan. */
static int permi_is_graph6(const permi_reader *reader)
{
  permi_reader look = *reader;
  int units = 1;
  if (!permi_graph6_line(&look))
    return 0;
  if (permi_graph6_header(&look) || *look.cursor == ':' || *look.cursor == '&')
    return 1;
  do {
    const char *p = look.cursor += *look.cursor == ':' || *look.cursor == '&';
    while (p < look.line_end && *p >= 63 && *p <= 126)
      p++;
    if (p < look.line_end || (look.cursor < p && permi_is_name(look.cursor, look.cursor + 1) &&
                              !permi_is_name(look.cursor, p)))
      return 0;
    units = units && look.line_end - look.cursor == 1 && (*look.cursor == 'i' || *look.cursor == 'j');
  } while (permi_graph6_line(&look));
  return !units;
}

static int permi_graph6_edge(permi_reader *reader, uint64_t row, uint64_t column, int directed)
{
  permi_entry entry = permi_entry_one();
  return permi_reader_push(reader, row, column, &entry) &&
         (directed || row == column || permi_reader_push(reader, column, row, &entry));
}

static int permi_graph6_bit(const char *bits, uint64_t k)
{
  return (bits[k / 6] - 63) >> (5 - k % 6) & 1;
}

static int permi_graph6_pairs(permi_reader *reader, uint64_t n, char mark, unsigned long long *edges)
{
  const uint64_t bits = mark == '&' ? n * n : n ? n * (n - 1) / 2 : 0, bytes = (bits + 5) / 6;
  const uint64_t found = (uint64_t)(reader->line_end - reader->cursor);
  uint64_t k = 0, i, j;
  if (found != bytes)
    return permi_reader_fail(reader, "%llu character%s found after the order of a graph of %llu vertices, %llu were "
                             "expected: is the line whole?", (unsigned long long)found, found == 1 ? "" : "s",
                             (unsigned long long)n, (unsigned long long)bytes);
  for (j = 0; j < n; j++)
    for (i = 0; i < (mark == '&' ? n : j); i++, k++) {
      if (permi_watch_step(reader->watch, (size_t)k, 5))
        return 0;
      if (!permi_graph6_bit(reader->cursor, k))
        continue;
      ++*edges;
      if (!permi_graph6_edge(reader, mark == '&' ? j : i, mark == '&' ? i : j, mark == '&'))
        return 0;
    }
  for (; k < 6 * bytes; k++)
    if (permi_graph6_bit(reader->cursor, k))
      return permi_reader_fail(reader, "the last character %s has a bit behind the last pair of vertices, zeros were "
                               "expected", permi_quoted(reader->line_end - 1, reader->line_end).text);
  return 1;
}

static int permi_sparse6_edges(permi_reader *reader, uint64_t n, unsigned long long *edges)
{
  const uint64_t bits = 6 * (uint64_t)(reader->line_end - reader->cursor);
  uint64_t k = 0, v = 0, x, begin;
  int width = 0, i;
  while (n && (n - 1) >> width)
    width++;
  if (n < 2 && bits)
    return permi_reader_fail(reader, "loops of a graph of one vertex found, which programs read in two ways: write the "
                             "matrix, a number");
  while (bits - k > (uint64_t)width && n > 1) {
    if (permi_watch_step(reader->watch, (size_t)*edges, 20))
      return 0;
    begin = k;
    v += (uint64_t)permi_graph6_bit(reader->cursor, k++);
    for (x = 0, i = 0; i < width; i++)
      x = x << 1 | (uint64_t)permi_graph6_bit(reader->cursor, k++);
    if (x > v)
      v = x;
    else if (v < n && ++*edges && !permi_graph6_edge(reader, v, x, 0))
      return 0;
    if (v >= n && bits - begin > 5)
      return permi_reader_fail(reader, "vertex %llu of a graph of %llu vertices found, counted from 0, within the line",
                               (unsigned long long)v, (unsigned long long)n);
    if (v >= n)
      return 1;
  }
  return bits - k <= 5 || permi_reader_fail(reader, "the line ends in %llu bits, which are no edge, up to 5 were "
                                            "expected: is it whole?", (unsigned long long)(bits - k));
}

static int permi_read_graph6(permi_reader *reader, perm_format wanted)
{
  char mark = 0;
  uint64_t n = 0;
  unsigned long long edges = 0;
  int bytes = 1, ok = permi_graph6_line(reader);
  if (ok) {
    mark = permi_graph6_header(reader);
    ok = reader->cursor < reader->line_end || permi_graph6_line(reader);
  }
  if (!ok)
    return permi_reader_fail(reader, "no graph found, a line of graph6, sparse6 or digraph6 was expected");
  if (*reader->cursor == ';' || (mark && mark != '>' && *reader->cursor != mark))
    return permi_reader_fail(reader, "%s found, '%c' was expected before the graph: incremental sparse6 is not read, "
                             "copyg -s of nauty writes sparse6", permi_quoted(reader->cursor, reader->line_end).text,
                             mark && mark != '>' ? mark : ':');
  if (mark != '>')
    mark = *reader->cursor == ':' || *reader->cursor == '&' ? *reader->cursor++ : '>';
  reader->taken = mark == '>' ? "graph6" : mark == ':' ? "sparse6" : "digraph6";
  for (const char *p = reader->cursor; p < reader->line_end; p++)
    if (*p < 63 || *p > 126)
      return permi_reader_fail(reader, "%s found as character %llu of a graph, '?' to '~' were expected",
                               permi_quoted(p, p + 1).text, (unsigned long long)(p - reader->cursor) + 1);
  for (; reader->cursor < reader->line_end && *reader->cursor == '~' && bytes < 6; reader->cursor++)
    bytes = bytes == 1 ? 3 : 6;
  if (reader->line_end - reader->cursor < bytes)
    return permi_reader_fail(reader, "the line ends before the order of the graph: is it whole?");
  for (; bytes; bytes--)
    n = n << 6 | (uint64_t)(*reader->cursor++ - 63);
  if (n > PERM_MATRIX_MAX_ROWS)
    return permi_reader_fail(reader, "a graph of %llu vertices found, at most %d were expected", (unsigned long long)n,
                             PERM_MATRIX_MAX_ROWS);
  reader->kind = PERM_KIND_PATTERN;
  reader->m = reader->n = (int)n;
  reader->again = "; of parallel edges write the number as a weight, with --format edges";
  if (!(mark == ':' ? permi_sparse6_edges(reader, n, &edges) : permi_graph6_pairs(reader, n, mark, &edges)))
    return 0;
  const unsigned long long line = reader->line, more = permi_graph6_line(reader) ? reader->line : 0;
  if (more && !reader->rest)
    return permi_reader_fail(reader, "a second graph found, one was expected; perm FILE takes every line, and so "
                             "does perm_matrix_read_each");
  const permi_rest rest = {more ? reader->cursor : NULL, more - 1, line};
  if (reader->rest)
    *reader->rest = rest;
  reader->line = line;
  if (wanted == PERM_FORMAT_AUTO && more)
    snprintf(reader->note, sizeof reader->note, "%s, each line the adjacency matrix of a graph", reader->taken);
  else if (wanted == PERM_FORMAT_AUTO)
    snprintf(reader->note, sizeof reader->note, "%s, the adjacency matrix of %d vertices and %llu %s", reader->taken,
             reader->n, edges, mark == '&' ? "arcs" : "edges");
  return 1;
}

/* Returns 1 if "p WORD" and a number follow the comments; else it is a header of names. */
static int permi_is_dimacs(const permi_reader *reader)
{
  permi_reader look = *reader;
  const char *begin, *end;
  while (permi_next_content(&look, 1) && permi_next_word(&look, &begin, &end) && end == begin + 1) {
    if (*begin == 'p')
      return permi_next_word(&look, &begin, &end) && permi_next_word(&look, &begin, &end) &&
             (permi_is_digit(*begin) || *begin == '-');
    if (*begin != 'c')
      return 0;
  }
  return 0;
}

static int permi_dimacs_whole(permi_reader *reader, const char *what, int64_t least, int64_t most, int64_t *value)
{
  const char *begin, *end;
  if (!permi_next_word(reader, &begin, &end))
    return permi_reader_fail(reader, "the line ends before the %s, a whole number was expected", what);
  return (permi_field_whole(begin, end, most, value) && *value >= least) ||
         permi_reader_fail(reader, "%s found as the %s, a whole number from %lld to %lld was expected",
                           permi_quoted(begin, end).text, what, (long long)least, (long long)most);
}

static int permi_read_dimacs(permi_reader *reader, perm_format wanted)
{
  unsigned long long problem = 0, found = 0; /* the line p; edges */
  int64_t vertices = 0, edges = 0; /* announced */
  int all_columns = 2;
  const char *begin, *end;
  reader->kind = PERM_KIND_PATTERN;
  reader->mirrored = 1;
  while (permi_next_content(reader, 1)) {
    permi_entry entry = permi_entry_one();
    int64_t from = 0, to = 0;
    int columns = 2;
    permi_next_word(reader, &begin, &end);
    const char what = end == begin + 1 ? *begin : 0;
    if (what == 'c')
      continue;
    if (what == 'p') {
      if (problem)
        return permi_reader_fail(reader, "a second line p found, the first was line %llu; one graph a file was "
                                 "expected", problem);
      problem = reader->line;
      permi_next_word(reader, &begin, &end);
      if (!permi_same_word(begin, end, "edge") && !permi_same_word(begin, end, "col"))
        return permi_reader_fail(reader, "problem %s found, edge or col (a graph) was expected",
                                 permi_quoted(begin, end).text);
      if (!permi_dimacs_whole(reader, "number of vertices", 0, PERM_MATRIX_MAX_ROWS, &vertices) ||
          !permi_dimacs_whole(reader, "number of edges", 0, INT64_MAX, &edges) ||
          !permi_line_finished(reader, "the numbers of vertices and edges"))
        return 0;
    } else if (!problem) {
      return permi_reader_fail(reader, "%s found, a line 'p edge VERTICES EDGES' was expected",
                               permi_quoted(begin, reader->line_end).text);
    } else if (what == 'e') {
      if (!permi_dimacs_whole(reader, "first vertex", 1, vertices, &from) ||
          !permi_dimacs_whole(reader, "second vertex", 1, vertices, &to))
        return 0;
      if (permi_next_word(reader, &begin, &end)) {
        columns = 3;
        reader->kind = found ? reader->kind : PERM_KIND_INTEGER;
        if (!permi_plain_value(reader, begin, end, &entry) || !permi_line_finished(reader, "the weight"))
          return 0;
      }
      if (found && columns != all_columns)
        return permi_reader_fail(reader, "an edge with%s weight found, after others with%s: all or none were expected",
                                 columns == 3 ? "" : "out", columns == 3 ? "out" : "");
      all_columns = columns;
      found++;
      if (!permi_reader_push(reader, (uint64_t)from - 1, (uint64_t)to - 1, &entry))
        return 0;
    } else if (what != 'n' && what != 'd' && what != 'v' && what != 'x') {
      return permi_reader_fail(reader, "%s found, a line 'e VERTEX VERTEX [WEIGHT]' was expected",
                               permi_quoted(begin, reader->line_end).text);
    }
  }
  if (reader->watch->stopped != PERM_OK)
    return permi_reader_no_memory(reader);
  if (!problem)
    return permi_reader_fail(reader, "no line p found, 'p edge VERTICES EDGES' was expected");
  if (found != (unsigned long long)edges)
    return permi_reader_fail(reader, "%llu edges found, %lld were announced in line %llu: complete the file or correct "
                             "that number", found, (long long)edges, problem);
  reader->m = reader->n = (int)vertices;
  if (wanted == PERM_FORMAT_AUTO)
    snprintf(reader->note, sizeof reader->note, "DIMACS, the adjacency matrix of %llu edges%s", found,
             all_columns == 3 ? ", weights as entries" : "");
  return 1;
}

/* =========================================================================================== >>read
   Calls that read, and the table of formats. */
#include <errno.h>
#include <locale.h>

/* Returns 1 for a misspelt banner, too: as a comment it would make rows of numbers of coordinates. */
static int permi_has_banner(const permi_reader *reader)
{
  permi_reader look = *reader;
  const char *begin, *end;
  return permi_next_line(&look) && permi_next_word(&look, &begin, &end) && end - begin >= 8 &&
         permi_same_word(begin, begin + 8, "%%matrix");
}

static int permi_read_unmarked(permi_reader *reader, perm_format wanted)
{
  const char *const name_end = reader->name + strlen(reader->name);
  perm_format format = wanted;
  permi_reader look = *reader;
  while (permi_next_line(&look)) {
    /* a banner in a comment would lose the symmetry: words such as MatrixMarket, or "matrix" before a format */
    int first = 1, matrix = 0, found = 0;
    const char *line, *begin, *end, *p;
    permi_skip_blanks(&look);
    line = look.cursor;
    if (line < look.line_end && strchr("+-.(0123456789", *line))
      break;
    while (look.cursor < look.line_end && (strchr("%#", *look.cursor) || permi_is_blank(*look.cursor)))
      look.cursor++;
    for (; permi_next_word(&look, &begin, &end); first = 0, matrix = permi_same_word(begin, end, "matrix")) {
      found |= matrix && (permi_same_word(begin, end, "coordinate") || permi_same_word(begin, end, "array"));
      for (p = begin; first && end - p >= 9 && permi_same_word(begin, begin + 3, "mat"); p++)
        found |= permi_same_word(p + 3, p + 9, "market");
    }
    reader->line = found ? look.line : reader->line;
    if (found)
      return permi_reader_fail(reader, "%s found, a banner is the first line and begins with %%%%MatrixMarket; if this "
                               "is none, take the line out", permi_quoted(line, look.line_end).text);
  }
  if (!permi_skip_header(reader))
    return 0;
  if (wanted == PERM_FORMAT_AUTO) {
    format = permi_recognise(reader);
    if (format == PERM_FORMAT_AUTO)
      return 0;
    if (format == PERM_FORMAT_ARRAY && name_end - reader->name >= 4 && permi_same_word(name_end - 4, name_end, ".mtx"))
      return permi_reader_fail(reader, "no banner found in a file named .mtx, %%%%MatrixMarket was expected; or say "
                               "--format coordinate|coordinate-complex|array|edges");
  }
  if (format == PERM_FORMAT_ARRAY)
    return permi_read_plain(reader, wanted);
  reader->taken = format == PERM_FORMAT_EDGES ? "edges" : "coordinates";
  return permi_read_list(reader, format, wanted);
}

/* The first format that recognises a file reads it; AUTO heeds options.format itself. */
static const struct {
  perm_format format;
  const char *taken;
  int binary; /* zero bytes are no error */
  int (*recognise)(const permi_reader *reader); /* NULL: whatever it is */
  int (*read)(permi_reader *reader, perm_format wanted);
} permi_formats[] = {{PERM_FORMAT_NUMPY, ".npy", 1, permi_is_numpy, permi_read_numpy},
                     {PERM_FORMAT_AUTO, "Matrix Market", 0, permi_has_banner, permi_read_market},
                     {PERM_FORMAT_GRAPH6, "graph6", 0, permi_is_graph6, permi_read_graph6},
                     {PERM_FORMAT_DIMACS, "DIMACS", 0, permi_is_dimacs, permi_read_dimacs},
                     {PERM_FORMAT_AUTO, "plain text", 0, NULL, permi_read_unmarked}};

/* Refuses zero bytes and UTF-16; passes UTF-8's mark. */
static int permi_begin_text(permi_reader *reader)
{
  const char *begin, *start = reader->position, *nul;
  const size_t bytes = (size_t)(reader->end - start);
  if (bytes > 1 && (!memcmp(start, "\xff\xfe", 2) || !memcmp(start, "\xfe\xff", 2)))
    return permi_reader_fail(reader, "UTF-16 text found, ASCII or UTF-8 was expected: iconv -f UTF-16 -t UTF-8 FILE | "
                             "perm -, or in PowerShell Out-File -Encoding ascii");
  nul = permi_watch(reader->watch, 524288) ? NULL : (const char *)memchr(start, 0, bytes);
  if (nul) {
    for (reader->line = 1, begin = start; begin < nul; begin++)
      reader->line += *begin == '\n';
    return permi_reader_fail(reader, "a zero byte found, text was expected; of UTF-16 try iconv -f UTF-16LE -t UTF-8 "
                             "FILE | perm -");
  }
  if (bytes >= 3 && !memcmp(start, "\xef\xbb\xbf", 3))
    reader->position += 3;
  return 1;
}

static int permi_read_bytes(permi_reader *reader, perm_format wanted)
{
  static const struct {
    const char *bytes, *what, *how;
  } packed[] = {{"\x1f\x8b", "gzip", "zcat FILE"},
                {"BZh", "bzip2", "bzcat FILE"},
                {"\xfd" "7zXZ", "xz", "xzcat FILE"},
                {"\x28\xb5\x2f\xfd", "zstd", "zstdcat FILE"},
                {"PK\3\4", "zip (or .npz)", "unzip -p FILE NAME"}};
  int k, begun = 0;
  for (size_t p = 0; p < sizeof packed / sizeof *packed; p++) {
    const size_t length = strlen(packed[p].bytes);
    if ((size_t)(reader->end - reader->position) >= length && !memcmp(reader->position, packed[p].bytes, length))
      return permi_reader_fail(reader, "a %s file found, text was expected: %s | perm -", packed[p].what,
                               packed[p].how);
  }
  for (k = 0;; k++) {
    const perm_format format = permi_formats[k].format;
    if (!permi_formats[k].binary && !begun++ && !permi_begin_text(reader))
      return 0;
    if (wanted != PERM_FORMAT_AUTO && format == wanted)
      break;
    if ((wanted == PERM_FORMAT_AUTO || format == PERM_FORMAT_AUTO) &&
        (!permi_formats[k].recognise || permi_formats[k].recognise(reader)))
      break;
  }
  reader->taken = permi_formats[k].taken;
  return permi_formats[k].read(reader, wanted);
}

static int permi_reader_finish(permi_reader *reader, perm_matrix *matrix)
{
  permi_entries *list = &reader->entries;
  const permi_entry *second;
  int again;
  char more[96] = "";
  if (!permi_entries_settle(list, reader->mirrored, &reader->allocator, reader->watch, &second, &again))
    return permi_reader_no_memory(reader);
  if (second) {
    const unsigned long long row = (second->key >> 32) + 1, column = (second->key & 0xffffffff) + 1;
    reader->line = second->line;
    if (!again)
      return permi_reader_fail(reader, "edge %llu %llu found with another weight than in the other direction", row,
                               column);
    return permi_reader_fail(reader, "entry (%llu,%llu) found again, first given in line %llu, one was expected%s", row,
                             column, second[-1].line, reader->again ? reader->again : "");
  }
  if (reader->fractions && !permi_fractions_scale(reader))
    return 0;
  if (!permi_entries_compress(list, reader->m, reader->n, reader->kind, &reader->allocator, reader->watch, matrix))
    return permi_reader_no_memory(reader);
  if (reader->large && reader->kind >= PERM_KIND_REAL)
    snprintf(more, sizeof more, "doubles, for %s %llu has an integer beyond 64 bits (+-9.22e18)",
             reader->binary ? "byte" : "line", reader->large);
  else if (reader->rounded && reader->kind >= PERM_KIND_REAL)
    snprintf(more, sizeof more, "doubles, which round the integer in line %llu", reader->rounded);
  else if (reader->fractions)
    snprintf(more, sizeof more, "fractions, %s least common denominator",
             reader->m > reader->n ? "each entry times their" : "each row times its");
  if (reader->result && (reader->note[0] || more[0]))
    permi_say(reader->result->message, sizeof reader->result->message, "%s: read as %s%s%s",
              permi_show_name(reader->name).text, reader->note, reader->note[0] && more[0] ? "; " : "", more);
  return 1;
}

/* `denominator` and `rest` are permi_reader's. `rest`: where to begin (NULL at first), then the next. */
static perm_status permi_matrix_read_memory(const char *text, size_t bytes, const char *name, permi_control *watch,
                                            perm_matrix *matrix, perm_integer *denominator, permi_rest *rest,
                                            perm_result *result)
{
  const int further = rest && rest->position;
  const char *point = localeconv()->decimal_point;
  const perm_format format = watch->options->format;
  permi_reader reader;
  const perm_status status = permi_matrix_begin(0, 0, matrix, 5, result);
  if (status != PERM_OK)
    return status;
  if (!text && bytes)
    return permi_fail(result, PERM_ERROR_NULL, 1, "text is NULL, %.0f bytes were expected", (double)bytes);
  if ((int)format < 0 || format >= PERM_FORMAT_COUNT)
    return permi_fail(result, PERM_ERROR_OPTION, 4, "format %d unknown, 0 to %d were expected", (int)format,
                      (int)PERM_FORMAT_COUNT - 1);
  memset(&reader, 0, sizeof reader);
  reader.name = name ? name : "memory";
  reader.position = text ? text : "";
  reader.end = reader.position + bytes;
  reader.allocator = watch->options->allocator;
  reader.watch = watch;
  reader.result = result;
  reader.denominator = denominator;
  reader.rest = rest;
  reader.position = further ? rest->position : reader.position;
  reader.line = further ? rest->before : 0;
  strcpy(reader.point, point && *point && strlen(point) < sizeof reader.point ? point : ".");
  if (further ? permi_read_graph6(&reader, PERM_FORMAT_GRAPH6) : permi_read_bytes(&reader, format))
    permi_reader_finish(&reader, matrix);
  permi_release(&reader.allocator, reader.entries.entry);
  if (watch->stopped != PERM_OK)
    permi_reader_no_memory(&reader);
  if (result)
    result->seconds = permi_seconds() - watch->start;
  return reader.status;
}

PERM_SPARSE_API perm_status perm_matrix_read_memory(const char *text, size_t bytes, const char *name,
                                                    const perm_options *options_given, perm_matrix *matrix,
                                                    perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, (double)bytes);
  permi_control watch = permi_control_begin(options);
  watch.activity = "reading";
  return permi_meter_end(&call, permi_matrix_read_memory(text, bytes, name, &watch, matrix, NULL, NULL, result),
                         result);
}

/* `each`, unless NULL, gets every matrix, for which *matrix and *denominator are room. */
static perm_status permi_matrix_read(const char *path, const perm_options *options, perm_matrix *matrix,
                                     perm_integer *denominator, perm_matrix_each each, void *user_data,
                                     perm_result *result)
{
  permi_control watch = permi_control_begin(options);
  permi_rest rest = {NULL, 0, 0};
  void *text = NULL;
  size_t bytes = 0, capacity = 0, got, ask;
  uint64_t wanted = 12; /* then permi_numpy_wanted */
  perm_status status = permi_matrix_begin(0, 0, matrix, 3, result);
  FILE *file = path && !strcmp(path, "-") ? stdin : NULL;
  const char *const name = file ? "standard input" : path;
  int more, many = 0, over = 0;
  if (status != PERM_OK)
    return status;
  if (!path)
    return permi_fail(result, PERM_ERROR_NULL, 1, "path is NULL");
  watch.activity = "reading";
  while (!file && !permi_watch(&watch, 0)) {
    errno = 0;
    file = fopen(path, "rb"); /* a FIFO without writer waits */
    if (!file && errno != EINTR)
      return permi_file_fail(result, path, "cannot open", errno);
    watch.next_look = 0;
  }
  while (file && status == PERM_OK && !over) {
    const size_t room = wanted < SIZE_MAX ? (size_t)wanted : 2 * capacity + 65536;
    if (options->max_bytes == 0 && (double)(wanted < UINT64_MAX ? wanted : bytes) > PERMI_DEFAULT_BYTES) {
      status = permi_fail(result, PERM_ERROR_LIMIT, 0, "%s: more than %s: max_bytes allows more",
                          permi_show_name(name).text, permi_size_words(PERMI_DEFAULT_BYTES).text);
      break;
    }
    if (bytes == capacity && !permi_enlarge(&options->allocator, &watch, &text, bytes, room, 1)) {
      status = permi_fail(result, PERM_ERROR_MEMORY, 0, "%s: out of memory after %.0f bytes",
                          permi_show_name(name).text, (double)bytes);
      break;
    }
    capacity = bytes == capacity ? room : capacity;
    ask = capacity - bytes < 1 << 22 ? capacity - bytes : 1 << 22;
    got = fread((char *)text + bytes, 1, ask, file);
    if (ferror(file) && errno == EINTR) {
      clearerr(file);
      watch.next_look = 0;
    } else if (ferror(file)) {
      status = permi_file_fail(result, name, "cannot read", errno);
      break;
    }
    bytes += got;
    wanted = bytes == wanted ? permi_numpy_wanted((const char *)text, bytes, options->format) : wanted;
    /* text with a zero byte is refused whatever follows */
    over = permi_watch(&watch, 1 << 22) || (got < ask && feof(file)) || bytes == wanted ||
           (wanted == UINT64_MAX && memchr((char *)text + bytes - got, 0, got));
  }
  if (file && file != stdin)
    fclose(file);
  if (watch.stopped != PERM_OK)
    status = permi_reading_stopped(name, watch.stopped, result);
  for (more = status == PERM_OK; more;) {
    status = permi_matrix_read_memory((const char *)text, bytes, name, &watch, matrix, denominator,
                                      each ? &rest : NULL, result);
    if (!each || status != PERM_OK)
      break;
    many |= rest.position != NULL;
    more = !each(matrix, denominator, many ? rest.line : 0, user_data) && rest.position;
    watch = permi_control_begin(options);
    watch.activity = "reading";
  }
  permi_release(&options->allocator, text);
  return status;
}

PERM_SPARSE_API perm_status perm_matrix_read(const char *path, const perm_options *options, perm_matrix *matrix,
                                             perm_integer *denominator, perm_result *result)
{
  permi_metered call;
  const perm_options *given = permi_meter_begin(&call, options, 0);
  if (denominator)
    *denominator = permi_integer_of(1);
  return permi_meter_end(&call, permi_matrix_read(path, given, matrix, denominator, NULL, NULL, result), result);
}

PERM_SPARSE_API perm_status perm_matrix_read_each(const char *path, const perm_options *options,
                                                  perm_matrix_each each, void *user_data, perm_result *result)
{
  perm_integer denominator = permi_integer_of(1);
  permi_metered call;
  perm_matrix matrix;
  if (!each)
    return permi_fail(result, PERM_ERROR_NULL, 3, "each is NULL");
  const perm_options *given = permi_meter_begin(&call, options, 0);
  return permi_meter_end(&call, permi_matrix_read(path, given, &matrix, &denominator, each, user_data, result), result);
}

PERMI_BRIEF_END

/* ========================================================================================== >>split
   Entries linked along rows (side 0, vertices 0..n-1) and columns (side 1, n..2n-1); matching, components. */

/* Finds a maximum matching in O(nnz sqrt(n)) [HK73]; returns its size, less if stopped. *_match: the partner or -1.
   work: 3 n, cursor: n. */
static int permi_matching(int n, const size_t *start, const int *column, int *row_match, int *column_match, int *work,
                          size_t *cursor, permi_control *watch)
{
  int *distance = work, *queue = work + n, *stack = work + 2 * (size_t)n;
  int i, pairs = 0;
  for (i = 0; i < n; i++)
    row_match[i] = column_match[i] = -1;
  for (i = 0; i < n && !permi_watch_step(watch, (size_t)i, 20); i++)
    for (size_t e = start[i]; e < start[i + 1] && row_match[i] < 0 && !permi_watch_step(watch, e, 5); e++)
      if (column_match[column[e]] < 0) {
        row_match[i] = column[e];
        column_match[column[e]] = i;
        pairs++;
      }
  for (;;) {
    int head = 0, tail = 0, nearest = INT_MAX;
    for (i = 0; i < n; i++) {
      if (permi_watch_step(watch, (size_t)i, 5))
        return pairs;
      distance[i] = row_match[i] < 0 ? 0 : -1;
      if (row_match[i] < 0)
        queue[tail++] = i;
      cursor[i] = start[i];
    }
    while (head < tail && distance[queue[head]] <= nearest) {
      int row = queue[head++];
      if (permi_watch(watch, 20 + 2 * (double)(start[row + 1] - start[row])))
        return pairs;
      for (size_t e = start[row]; e < start[row + 1]; e++) {
        int next = column_match[column[e]];
        if (next < 0) {
          nearest = nearest == INT_MAX ? distance[row] : nearest;
        } else if (distance[next] < 0) {
          distance[next] = distance[row] + 1;
          queue[tail++] = next;
        }
      }
    }
    if (nearest == INT_MAX)
      return pairs;
    for (i = 0; i < n; i++) { /* depth first, by distance */
      int depth = 0;
      if (row_match[i] >= 0)
        continue;
      stack[0] = i;
      while (depth >= 0) {
        int row = stack[depth], next;
        if (permi_watch(watch, 5))
          return pairs;
        if (cursor[row] == start[row + 1]) {
          distance[row] = -1;
          if (--depth >= 0)
            cursor[stack[depth]]++;
          continue;
        }
        next = column_match[column[cursor[row]]];
        if (next < 0) {
          for (; depth >= 0; depth--) {
            row = stack[depth];
            row_match[row] = column[cursor[row]];
            column_match[row_match[row]] = row;
          }
          pairs++;
        } else if (distance[next] == distance[row] + 1) {
          stack[++depth] = next;
        } else {
          cursor[row]++;
        }
      }
    }
  }
}

/* Finds the strong components in O(nnz) [Tar72], with arcs from a row to the rows matched to its columns; returns their
   number, less if stopped. Entries in perfect matchings are those within components [DM58]. work: 4 n, cursor: n. */
static int permi_components(int n, const size_t *start, const int *column, const int *column_match, int *component,
                            int *work, size_t *cursor, permi_control *watch)
{
  int *number = work, *low = work + n, *open = work + 2 * (size_t)n, *path = work + 3 * (size_t)n;
  int i, count = 0, visited = 0, opened = 0;
  for (i = 0; i < n; i++) {
    number[i] = component[i] = -1;
    cursor[i] = start[i];
  }
  for (i = 0; i < n; i++) {
    int depth = 0;
    if (number[i] >= 0)
      continue;
    path[0] = i;
    while (depth >= 0) {
      int row = path[depth];
      if (permi_watch(watch, 5))
        return count;
      if (number[row] < 0) {
        number[row] = low[row] = visited++;
        open[opened++] = row;
      }
      if (cursor[row] < start[row + 1]) {
        int next = column_match[column[cursor[row]]];
        if (number[next] < 0) {
          path[++depth] = next;
          continue;
        }
        cursor[row]++;
        if (component[next] < 0 && low[next] < low[row])
          low[row] = low[next];
        continue;
      }
      if (low[row] == number[row]) {
        int member;
        do {
          member = open[--opened];
          component[member] = count;
        } while (member != row);
        count++;
      }
      depth--;
    }
  }
  return count;
}

typedef struct permi_cell {
  int vertex[2], next[2], previous[2]; /* links along row and column */
  double real, absolute, imaginary;    /* absolute: sum of |terms| behind the value */
  int rounded, exponent;
  int64_t integer, imaginary_integer;
} permi_cell;

static permi_cell permi_cell_one(void)
{
  const permi_cell one = {{0, 0}, {0, 0}, {0, 0}, 1, 1, 0, 0, 0, 1, 0};
  return one;
}

typedef struct permi_working {
  perm_allocator allocator;
  permi_pool pool;
  int n, live;
  int integer; /* nothing rounds */
  uint64_t modulus;
  int is_complex, keep, degree_two, blocks;
  int zeros;     /* 1: stored zeros are kept, cell e is entry e; 2: there are some */
  double *shift; /* NULL, or room for the lines' exponents of scaling */
  int inexact, lost; /* integers were rounded; entries below the normal doubles */
  double lost_error; /* of these, in units of 2^exp2 */
  perm_preparation report;
  int reported; /* >>choose's part of it is done */
  permi_cell *cell;
  int *head, *degree; /* first entry of a vertex; -1 once eliminated */
  int *at;            /* a line's entry, while merging */
  int *queue, *queued, *component, *column;
  int *first, *line; /* >>choose: in the room of queue, queued */
  int *work; /* 9 n + 2 */
  permi_cell *alone; /* of rows; vertex[1]: 0 if none went there; rounded: additions. NULL: square */
  size_t *start, *cursor; /* n + 1, n */
  long long exp2;
  permi_number constant;
  permi_control *watch;
} permi_working;

static int permi_working_create(permi_working *working, const perm_allocator *allocator, int n, size_t entries)
{
  const size_t rows = (size_t)n, vertices = 2 * rows;
  memset(working, 0, sizeof *working);
  working->allocator = *allocator;
  working->pool.allocator = &working->allocator;
  working->n = n;
  working->constant = permi_number_one();
  working->cell = (permi_cell *)permi_pool_get(&working->pool, entries, sizeof *working->cell);
  working->start = (size_t *)permi_pool_get(&working->pool, 2 * rows + 1, sizeof(size_t));
  if (!permi_pool_ints(&working->pool, &working->head, vertices, &working->degree, vertices, &working->at, vertices,
                       &working->queued, vertices, &working->component, vertices, &working->queue, vertices + 1,
                       &working->work, 9 * rows + 2, &working->column, entries, (int **)NULL)) {
    permi_pool_release(&working->pool);
    return 0;
  }
  working->first = working->queue;
  working->line = working->queued;
  working->cursor = working->start + rows + 1;
  for (size_t v = 0; v < vertices; v++) {
    working->head[v] = working->at[v] = -1;
    working->degree[v] = 0;
  }
  return 1;
}

static void permi_cell_link(permi_working *working, int index)
{
  permi_cell *cell = &working->cell[index];
  for (int side = 0; side < 2; side++) {
    int vertex = cell->vertex[side], head = working->head[vertex];
    cell->next[side] = head;
    cell->previous[side] = -1;
    if (head >= 0)
      working->cell[head].previous[side] = index;
    working->head[vertex] = index;
    working->degree[vertex]++;
  }
  working->live++;
}

static void permi_cell_unlink(permi_working *working, int index)
{
  permi_cell *cell = &working->cell[index];
  for (int side = 0; side < 2; side++) {
    int next = cell->next[side], previous = cell->previous[side];
    if (next >= 0)
      working->cell[next].previous[side] = previous;
    if (previous >= 0)
      working->cell[previous].next[side] = next;
    else
      working->head[cell->vertex[side]] = next;
    working->degree[cell->vertex[side]]--;
  }
  working->live--;
}

/* Removes entries in no perfect matching. Returns 0 if singular or stopped. */
static int permi_split(permi_working *working)
{
  int n = working->n, rows = 0, columns = 0, i, index, next;
  int *row_of = working->work, *number = working->work + n, *row_match = number + n, *column_match = row_match + n;
  int *column_of = column_match + n, *scratch = column_of + n; /* 4 n */
  size_t used = 0;
  for (i = 0; i < n && !permi_watch_step(working->watch, (size_t)i, 40); i++) {
    if (working->degree[i] >= 0)
      row_of[rows++] = i;
    if (working->degree[n + i] >= 0) {
      number[i] = columns;
      column_of[columns++] = i;
    }
  }
  if (permi_watch(working->watch, 0))
    return 0;
  working->start[0] = 0;
  for (i = 0; i < rows; i++) {
    for (index = working->head[row_of[i]]; index >= 0; index = working->cell[index].next[0]) {
      working->column[used++] = number[working->cell[index].vertex[1] - n];
      if (permi_watch_step(working->watch, used, 60))
        return 0;
    }
    working->start[i + 1] = used;
  }
  i = permi_matching(rows, working->start, working->column, row_match, column_match, scratch, working->cursor,
                     working->watch);
  if (permi_watch(working->watch, 30.0 * (double)used))
    return 0;
  if (++working->report.rounds == 1)
    working->report.structural_rank = i;
  if (i < rows) {
    /* rows that alternating paths reach from an unmatched row have one column fewer */
    int *queue = scratch, *seen = queue + rows, head = 0, tail = 0;
    memset(seen, 0, (size_t)rows * sizeof *seen);
    for (i = 0; row_match[i] >= 0; i++)
      ;
    seen[i] = 1;
    queue[tail++] = i;
    while (head < tail) {
      const int row = queue[head++];
      if (permi_watch_step(working->watch, (size_t)head, 20))
        return 0;
      for (used = working->start[row]; used < working->start[row + 1]; used++) {
        next = column_match[working->column[used]];
        if (!seen[next]++) /* next >= 0, or the matching would grow */
          queue[tail++] = next;
      }
    }
    perm_preparation *report = &working->report;
    const char *const names[] = {"row", "column", "row"}, *const *name = names + (report->m > report->n);
    const int several = (report->hall_lines = tail) > 1;
    report->hall_others = tail - 1;
    used = permi_say(report->hall, sizeof report->hall, "%d %s%s entries in only %d %s%s: %s%s", tail, *name,
                     several ? "s have" : " has", tail - 1, name[1], tail == 2 ? "" : "s", *name, several ? "s" : "");
    for (i = 0, head = 0; i < rows && head < 8; head += seen[i++] > 0)
      if (seen[i])
        used += permi_say(report->hall + used, sizeof report->hall - used, "%s %d%s", head ? "," : "", row_of[i] + 1,
                          head == 7 && tail > 8 ? ", .." : "");
    return 0;
  }
  working->blocks = permi_components(rows, working->start, working->column, column_match, row_match, scratch,
                                     working->cursor, working->watch);
  if (permi_watch(working->watch, 30.0 * (double)used))
    return 0;
  if (working->report.rounds == 1)
    working->report.components = working->blocks;
  for (i = 0; i < rows; i++)
    working->component[row_of[i]] = row_match[i];
  for (i = 0; i < columns; i++)
    working->component[n + column_of[i]] = row_match[column_match[i]];
  used = 0;
  for (i = 0; i < rows; i++)
    for (index = working->head[row_of[i]]; index >= 0; index = next) {
      if (permi_watch_step(working->watch, used++, 30))
        return 0;
      next = working->cell[index].next[0];
      if (working->component[working->cell[index].vertex[1]] != working->component[row_of[i]]) {
        permi_cell_unlink(working, index);
        working->report.dead_entries++;
      }
    }
  return 1;
}

/* Without empty columns. */
static void permi_components_number(permi_working *working)
{
  int *queue = working->queue, head, tail, v, index, seen = 0;
  working->blocks = 0;
  for (v = 0; v < 2 * working->n; v++)
    working->component[v] = -1;
  for (v = 0; v < 2 * working->n; v++) {
    if (working->degree[v] == 0 && (v >= working->n || !working->alone[v].vertex[1]))
      working->degree[v] = -1;
    if (working->degree[v] < 0 || working->component[v] >= 0)
      continue;
    queue[0] = v;
    working->component[v] = working->blocks;
    for (head = 0, tail = 1; head < tail; head++) {
      const int side = queue[head] >= working->n;
      for (index = working->head[queue[head]]; index >= 0; index = working->cell[index].next[side]) {
        const int other = working->cell[index].vertex[1 - side];
        if (permi_watch_step(working->watch, (size_t)seen++, 20))
          return;
        if (working->component[other] < 0) {
          working->component[other] = working->blocks;
          queue[tail++] = other;
        }
      }
    }
    working->blocks++;
  }
  working->report.components = working->report.blocks = working->blocks;
}

/* ========================================================================================= >>reduce
   Lines of one or two entries are eliminated. Invariant:
     permanent = constant * 2^exp2 * permanent of the live entries.
   An entry alone in its line goes into the constant. A row of entries a, b in columns c, d is eliminated [FM03]: both
   columns become a (column d) + b (column c), with at least 2 entries fewer. Columns of a matrix with fewer rows are
   free: the only entry of one goes into the factor of its row if unmatched, `alone`. */

/* Scaling by powers of two: lines get mean exponent 0, then largest entries in [1/2, 1). Rounding an entry below the
   normal doubles changes the permanent by at most DBL_MIN times a minor's permanent of moduli, at most
   prod max(1, row sum). */
#define PERMI_SCALING_SWEEPS 200
#define PERMI_SCALING_VISITS 2e7

/* Returns the least e with modulus <= 2^e. */
static int permi_cell_exponent(const permi_cell *cell)
{
  if (cell->imaginary == 0)
    return permi_exponent(cell->real);
  const int e = permi_exponent(fmax(fabs(cell->real), fabs(cell->imaginary)));
  const double x = ldexp(cell->real, -e), y = ldexp(cell->imaginary, -e);
  return x * x + y * y < 1 - 1e-15 ? e : e + 1;
}

/* Multiplies by 2^by; returns 1 if rounded, by at most DBL_MIN. No entry vanishes. */
static int permi_cell_scale(permi_cell *cell, int by)
{
  const double real = ldexp(cell->real, by), imaginary = cell->imaginary == 0 ? 0 : ldexp(cell->imaginary, by);
  if (cell->imaginary == 0) {
    const int lost = permi_exponent(cell->real) + by < DBL_MIN_EXP;
    cell->real = lost ? (cell->real < 0 ? -DBL_MIN / 2 : DBL_MIN / 2) : real;
    cell->absolute = fabs(cell->real);
    return lost;
  }
  const int lost = ldexp(real, -by) != cell->real || ldexp(imaginary, -by) != cell->imaginary;
  cell->real = real == 0 && imaginary == 0 ? DBL_MIN / 2 : real;
  cell->imaginary = imaginary;
  cell->absolute = hypot(cell->real, imaginary) * (1 + 8 * PERMI_UNIT) + 8 * PERMI_UNIT * DBL_MIN;
  return lost;
}

static double permi_scale_sweep(permi_working *working, double *shift, int side, int largest)
{
  int n = working->n, vertex, index;
  double moved = 0;
  for (vertex = side * n; vertex < side * n + n; vertex++) {
    double sum = 0, most = -1e9, change;
    int count = 0;
    if (working->degree[vertex] <= 0)
      continue;
    if (permi_watch(working->watch, 10.0 * working->degree[vertex]))
      return 0;
    for (index = working->head[vertex]; index >= 0; index = working->cell[index].next[side]) {
      const double x = working->cell[index].exponent + shift[working->cell[index].vertex[1 - side]];
      if (working->cell[index].exponent == PERMI_NO_EXPONENT)
        continue;
      sum += x;
      most = x > most ? x : most;
      count++;
    }
    if (!count)
      continue;
    change = -(largest ? most : sum / count) - shift[vertex];
    shift[vertex] += change;
    moved = fmax(moved, fabs(change));
  }
  return moved;
}

/* Free columns keep their scale. */
static int permi_scale(permi_working *working)
{
  const int square = !working->alone;
  int(*exponent)[PERM_MAX_N], row_exp2[PERM_MAX_N], column_exp2[PERM_MAX_N];
  int n = working->n, sweep, vertex, index, seen = 0, fine = 1, i, j;
  double growth = 1, moved = 1, least = 0;
  double *const given = working->shift;
  double *shift = given ? given : (double *)permi_allocate_zeros(&working->allocator, 2 * (size_t)n, sizeof *shift);
  if (!shift)
    return 0;
  for (sweep = 0; sweep < PERMI_SCALING_SWEEPS && moved > 0.5 && square; sweep++) {
    moved = permi_scale_sweep(working, shift, 0, 0);
    moved += permi_scale_sweep(working, shift, 1, 0);
    if (sweep > 8 && (double)sweep * working->live > PERMI_SCALING_VISITS)
      break;
  }
  for (vertex = 0; vertex < 2 * n; vertex++)
    shift[vertex] = floor(shift[vertex]);
  if (n <= PERM_MAX_N && square) { /* exponents of -400 or less as >>scale does */
    exponent = permi_scale_room(&working->allocator, n);
    fine = exponent != NULL;
    if (!fine)
      goto done;
    for (i = 0; i < n; i++) {
      for (j = 0; j < n; j++)
        exponent[i][j] = PERMI_NO_EXPONENT;
      for (index = working->head[i]; index >= 0; index = working->cell[index].next[0]) {
        j = working->cell[index].vertex[1];
        exponent[i][j - n] = working->cell[index].exponent;
        if (exponent[i][j - n] != PERMI_NO_EXPONENT)
          least = fmin(least, exponent[i][j - n] + shift[i] + shift[j]);
      }
    }
    if (least <= -PERMI_SCALE_WIDE && permi_scale_exponents(n, exponent, row_exp2, column_exp2))
      for (i = 0; i < n; i++) {
        shift[i] = row_exp2[i];
        shift[n + i] = column_exp2[i];
      }
    permi_release(&working->allocator, exponent);
  }
  permi_scale_sweep(working, shift, 0, 1);
  if (square)
    permi_scale_sweep(working, shift, 1, 1);
  for (vertex = 0; vertex < n; vertex++) {
    double sum = 0;
    for (index = working->head[vertex]; index >= 0; index = working->cell[index].next[0]) {
      permi_cell *cell = &working->cell[index];
      if (cell->exponent != PERMI_NO_EXPONENT &&
          permi_cell_scale(cell, (int)(shift[vertex] + shift[cell->vertex[1]]))) {
        working->lost++;
        cell->rounded = 1;
      }
      sum += cell->absolute;
      if (permi_watch_step(working->watch, (size_t)seen++, 30))
        goto done;
    }
    growth *= sum > 1 ? sum * (1 + 1e-12) : 1;
  }
  for (vertex = 0; vertex < 2 * n; vertex++)
    working->exp2 -= (long long)shift[vertex];
  if (working->lost)
    working->lost_error = growth * DBL_MIN * working->lost;
done:
  permi_release(&working->allocator, given ? NULL : shift);
  return fine;
}

static void permi_reduce_look(permi_working *working, int *tail, int vertex)
{
  if (!working->queued[vertex] && working->degree[vertex] >= 0 && working->degree[vertex] <= 2) {
    working->queued[vertex] = 1;
    working->queue[*tail] = vertex;
    *tail = *tail == 2 * working->n ? 0 : *tail + 1;
  }
}

/* *sum = a x + b y; returns 0 if these are over 64 bits, or INT64_MIN. */
static int permi_combine_integers(int64_t a, int64_t x, int64_t b, int64_t y, int64_t *sum)
{
  const permi_wide first = permi_wide_of(a), second = permi_wide_of(b);
  permi_wide total = {0, 0};
  if (a && b && !(permi_combine_integers(a, x, 0, 0, sum) && permi_combine_integers(0, 0, b, y, sum)))
    return 0;
  permi_wide_add_product(&total, &first, x);
  permi_wide_add_product(&total, &second, y);
  *sum = (int64_t)total.low;
  return total.high == (*sum < 0 ? UINT64_MAX : 0) && *sum != INT64_MIN;
}

static int permi_combine_gaussian(const permi_cell *a, const permi_cell *x, permi_cell *product)
{
  return permi_combine_integers(a->integer, x->integer, -a->imaginary_integer, x->imaginary_integer,
                                &product->integer) &&
         permi_combine_integers(a->integer, x->imaginary_integer, a->imaginary_integer, x->integer,
                                &product->imaginary_integer);
}

/* sum = a x + b y; y may be NULL. Returns 0 on overflow, or near underflow, which costs more than a rounding. A complex
   product is off by at most 2 sqrt(2) u |a| |x| [Hig02, 3.6], contracted or not, the sum by u, underflow by 2^-1072
   with absolute > 1e-270: in all PERMI_COMPLEX_ROUNDINGS u absolute (tests/proofs/complex.v). */
#define PERMI_COMBINE_TINY 1e-270
#define PERMI_COMPLEX_ROUNDINGS 4
static int permi_combine(const permi_working *working, const permi_cell *a, const permi_cell *x, const permi_cell *b,
                         const permi_cell *y, permi_cell *sum)
{
  double p = a->real * x->real, q = y ? b->real * y->real : 0;
  double p_absolute = a->absolute * x->absolute, q_absolute = y ? b->absolute * y->absolute : 0;
  if (working->integer && !working->is_complex)
    return permi_combine_integers(a->integer, x->integer, y ? b->integer : 0, y ? y->integer : 0, &sum->integer);
  if (working->integer) {
    permi_cell first, second;
    second.integer = second.imaginary_integer = 0;
    return permi_combine_gaussian(a, x, &first) && (!y || permi_combine_gaussian(b, y, &second)) &&
           permi_combine_integers(1, first.integer, 1, second.integer, &sum->integer) &&
           permi_combine_integers(1, first.imaginary_integer, 1, second.imaginary_integer, &sum->imaginary_integer);
  }
  if (p_absolute < PERMI_COMBINE_TINY || (y && q_absolute < PERMI_COMBINE_TINY))
    return 0;
  if (working->is_complex) {
    p -= a->imaginary * x->imaginary;
    q -= y ? b->imaginary * y->imaginary : 0;
    sum->imaginary = a->real * x->imaginary + a->imaginary * x->real;
    sum->imaginary += y ? b->real * y->imaginary + b->imaginary * y->real : 0;
  } else if ((fabs(p) < PERMI_COMBINE_TINY && a->real != 0 && x->real != 0) ||
             (y && fabs(q) < PERMI_COMBINE_TINY && b->real != 0 && y->real != 0)) {
    return 0;
  }
  sum->real = p + q;
  sum->absolute = p_absolute + q_absolute;
  return 1;
}

static int permi_cell_is_zero(const permi_working *working, const permi_cell *cell)
{
  return working->integer ? cell->integer == 0 && cell->imaginary_integer == 0
                          : cell->real == 0 && cell->imaginary == 0;
}

/* Values that cancel further below their sums of |terms| are scaled without those, and have no bound or estimate. */
#define PERMI_CANCELS -400 /* log2 */

/* Largest entries come into [1/2, 1) unless something falls near underflow. */
static void permi_reduce_scale(permi_working *working, int vertex, int side)
{
  int index, e, largest = INT_MIN, scale = INT_MIN;
  double smallest = 1;
  for (index = working->head[vertex]; index >= 0; index = working->cell[index].next[side]) {
    const permi_cell *cell = &working->cell[index];
    const double x = fabs(cell->real), y = fabs(cell->imaginary);
    frexp(cell->absolute, &e);
    largest = e > largest ? e : largest;
    frexp(fmax(x, y), &e);
    scale = e > scale && fmax(x, y) > 0 ? e : scale;
    smallest = x != 0 && x < smallest ? x : smallest;
    smallest = y != 0 && y < smallest ? y : smallest;
  }
  if (largest == INT_MIN || (largest > 0 && ldexp(smallest, -largest) <= PERMI_COMBINE_TINY))
    return;
  if (scale == INT_MIN || scale > largest + PERMI_CANCELS)
    scale = largest;
  else
    working->lost_error = (double)INFINITY;
  working->lost += scale != largest;
  for (index = working->head[vertex]; index >= 0; index = working->cell[index].next[side]) {
    permi_cell *cell = &working->cell[index];
    cell->real = ldexp(cell->real, -scale);
    cell->imaginary = ldexp(cell->imaginary, -scale);
    cell->absolute = fmax(ldexp(cell->absolute, -largest), fabs(cell->real) + fabs(cell->imaginary));
  }
  working->exp2 += scale;
}

#define PERMI_MERGE_DEGREE 256
static int permi_reduce_two(permi_working *working, int *tail, int vertex)
{
  int side = vertex >= working->n, other = 1 - side, first = working->head[vertex], second, kept, merged, index, next;
  int pass, fits = 1;
  second = working->cell[first].next[side];
  if (working->degree[working->cell[first].vertex[other]] < working->degree[working->cell[second].vertex[other]]) {
    index = first;
    first = second;
    second = index;
  }
  permi_cell a = working->cell[first], b = working->cell[second];
  kept = a.vertex[other];
  merged = b.vertex[other];
  if (working->degree[kept] > PERMI_MERGE_DEGREE)
    return 0; /* merges into a hub would take n^2 */
  for (index = working->head[kept]; index >= 0; index = working->cell[index].next[other])
    if (index != first)
      working->at[working->cell[index].vertex[side]] = index;
  for (pass = 0; pass < 2 && fits; pass++) {
    for (index = working->head[merged]; index >= 0 && fits; index = next) {
      permi_cell *cell = &working->cell[index];
      int line = cell->vertex[side], partner = working->at[line];
      next = cell->next[other];
      if (index == second)
        continue;
      permi_cell sum = *cell;
      sum.rounded = 1;
      fits = permi_combine(working, &a, cell, &b, partner >= 0 ? &working->cell[partner] : NULL, &sum) &&
             (working->integer || !permi_cell_is_zero(working, &sum)); /* doubles that cancel may not be 0 */
      if (pass == 1) {
        permi_cell_unlink(working, index);
        *cell = sum;
        cell->vertex[other] = kept;
        if (partner >= 0)
          permi_cell_unlink(working, partner);
        working->at[line] = -1;
        if (!permi_cell_is_zero(working, cell))
          permi_cell_link(working, index);
        permi_reduce_look(working, tail, line);
      }
    }
    for (index = working->head[kept]; index >= 0 && fits; index = next) {
      permi_cell *cell = &working->cell[index];
      next = cell->next[other];
      if (index == first || working->at[cell->vertex[side]] != index)
        continue;
      permi_cell sum = *cell;
      sum.rounded = 1;
      fits = permi_combine(working, &b, cell, NULL, NULL, &sum);
      if (pass == 1) {
        *cell = sum;
        permi_reduce_look(working, tail, cell->vertex[side]);
      }
    }
  }
  for (index = working->head[kept]; index >= 0; index = working->cell[index].next[other])
    working->at[working->cell[index].vertex[side]] = -1;
  if (!fits)
    return 0;
  permi_cell_unlink(working, first);
  permi_cell_unlink(working, second);
  permi_watch(working->watch, 60.0 * (working->degree[kept] + working->degree[merged]));
  working->degree[vertex] = working->degree[merged] = -1;
  working->degree_two++;
  permi_reduce_look(working, tail, kept);
  if (!working->integer)
    permi_reduce_scale(working, kept, other);
  return 1;
}

/* Returns k u / (1 - k u) [Hig02, 3.1], rounded up: k roundings (tests/proofs/chains.v, tests/proofs/frontier.g). */
static double permi_gamma(double k)
{
  return k * PERMI_UNIT / (1 - k * PERMI_UNIT) * (1 + 8 * PERMI_UNIT);
}

/* Returns the roundings of an entry's terms: those of degree-2 steps, and 1 an entry if integers were rounded.
   `absolute` has them too: g / (1 - g) below. */
static double permi_entry_roundings(const permi_working *working, int entries)
{
  return (working->is_complex ? PERMI_COMPLEX_ROUNDINGS : 2.0) * working->degree_two +
         (working->inexact ? entries : 0);
}

static double permi_entry_bound(double roundings)
{
  const double gamma = permi_gamma(roundings);
  return gamma / (1 - gamma) * (1 + 8 * PERMI_UNIT);
}

static permi_number permi_cell_number(const permi_working *working, const permi_cell *cell)
{
  permi_number number;
  memset(&number, 0, sizeof number);
  if (working->integer) {
    number.integer = permi_integer_of(cell->integer);
    number.imaginary_integer = permi_integer_of(cell->imaginary_integer);
    number.exact = 1;
    number.value.hi = (double)cell->integer;
    number.imaginary.hi = (double)cell->imaginary_integer;
  } else {
    double roundings = permi_entry_roundings(working, working->degree_two + 1) + (working->alone ? cell->rounded : 0);
    number.value.hi = cell->real;
    number.imaginary.hi = cell->imaginary;
    number.error = permi_entry_bound(roundings) * cell->absolute + working->lost_error;
    number.estimate = PERMI_UNIT * sqrt(roundings) * cell->absolute + working->lost_error;
  }
  return number;
}

static perm_status permi_absorb(permi_working *working, const permi_cell *cell)
{
  if (working->integer && cell->integer == 1 && cell->imaginary_integer == 0)
    return PERM_OK;
  permi_number number = permi_cell_number(working, cell);
  const perm_status status = permi_number_multiply(&working->constant, &number);
  permi_number_reduce(&working->constant, working->modulus);
  return status;
}

/* Adds the entry of a column of its own to what its row has alone. Returns 0 if that rounds unasked or is too long. */
static int permi_alone_add(permi_working *working, const permi_cell *cell)
{
  permi_cell *alone = &working->alone[cell->vertex[0]], sum = *alone;
  const permi_cell one = permi_cell_one();
  if (!alone->vertex[1]) {
    *alone = *cell;
    return 1;
  }
  if (working->keep || !permi_combine(working, &one, alone, &one, cell, &sum))
    return 0;
  sum.rounded += !working->integer;
  *alone = sum;
  return 1;
}

/* Eliminates lines of degree 1 and 2, with free columns of degree 1. Sets *singular if a line is empty. Only the
   constant can overflow. */
static perm_status permi_reduce(permi_working *working, int *changed, int *singular)
{
  int n = working->n, head = 0, tail = 0, vertex;
  *changed = *singular = 0;
  for (vertex = 0; vertex < 2 * n; vertex++) {
    working->queued[vertex] = 0;
    permi_reduce_look(working, &tail, vertex);
  }
  while (head != tail) {
    const int live = working->live;
    if (permi_watch(working->watch, 100))
      return PERM_OK;
    vertex = working->queue[head];
    head = head == 2 * n ? 0 : head + 1;
    working->queued[vertex] = 0;
    const int degree = working->degree[vertex];
    const int side = vertex >= n;
    if (working->alone && degree >= 0 && (degree != 1 || side || working->alone[vertex].vertex[1])) {
      const int index = working->head[vertex];
      const permi_cell *cell = &working->cell[index < 0 ? 0 : index];
      perm_status status = PERM_OK;
      if (index < 0) {
        *singular = !side && !working->alone[vertex].vertex[1];
        working->degree[vertex] = -1;
        if (!side && !*singular)
          status = permi_absorb(working, &working->alone[vertex]);
      } else if (degree == 1 && side && permi_alone_add(working, cell)) {
        permi_cell_unlink(working, index);
        working->degree[vertex] = -1;
        permi_reduce_look(working, &tail, cell->vertex[0]);
      }
      if (status != PERM_OK || *singular)
        return status;
      continue;
    }
    if (degree == 0) {
      *singular = 1;
      return PERM_OK;
    }
    if (degree == 1) {
      int index = working->head[vertex], other = working->cell[index].vertex[1 - side], next;
      perm_status status = permi_absorb(working, &working->cell[index]);
      if (status != PERM_OK)
        return status;
      for (index = working->head[other]; index >= 0; index = next) {
        int neighbour = working->cell[index].vertex[side];
        next = working->cell[index].next[1 - side];
        permi_cell_unlink(working, index);
        if (neighbour != vertex)
          permi_reduce_look(working, &tail, neighbour);
      }
      working->degree[vertex] = working->degree[other] = -1;
      working->report.degree_one++;
      working->report.entries_one += (size_t)(live - working->live);
      *changed = 1;
    } else if (degree == 2 && !working->keep && permi_reduce_two(working, &tail, vertex)) {
      working->report.degree_two++;
      working->report.entries_two += (size_t)(live - working->live);
      *changed = 1;
    }
  }
  return PERM_OK;
}

/* Sets *cell to entry e; returns 1 if integer, Gaussian if complex. */
static int permi_matrix_entry(const perm_matrix *matrix, size_t e, permi_cell *cell)
{
  const double limit = 9007199254740992.0;
  const int reals = matrix->kind >= PERM_KIND_REAL;
  memset(cell, 0, sizeof *cell);
  cell->integer = matrix->kind == PERM_KIND_INTEGER ? matrix->integer[e] : 1;
  cell->real = reals ? matrix->real[e] : (double)cell->integer;
  cell->absolute = fabs(cell->real);
  cell->imaginary = matrix->kind == PERM_KIND_COMPLEX ? matrix->imaginary[e] : 0;
  if (!reals)
    return 1;
  if (!(cell->absolute < limit && fabs(cell->imaginary) < limit) || cell->real != floor(cell->real) ||
      cell->imaginary != floor(cell->imaginary))
    return 0;
  cell->integer = (int64_t)cell->real;
  cell->imaginary_integer = (int64_t)cell->imaginary;
  return 1;
}

/* Returns 0 if an entry at *row, *at is not an integer, or watch stopped. */
static int permi_matrix_integers(const perm_matrix *matrix, int *row, size_t *at, permi_control *watch)
{
  permi_cell cell;
  for (*row = 0, *at = 0; *row < matrix->m; ++*row)
    for (; *at < matrix->row_start[*row + 1]; ++*at)
      if (permi_watch_step(watch, *at, 5) || !permi_matrix_entry(matrix, *at, &cell))
        return 0;
  return 1;
}

static int permi_matrix_shorter(const perm_matrix *matrix)
{
  return matrix->m < matrix->n ? matrix->m : matrix->n;
}

static int permi_matrix_longer(const perm_matrix *matrix)
{
  return matrix->m > matrix->n ? matrix->m : matrix->n;
}

static void permi_sparse_fill(const perm_matrix *matrix, int exact, int transposed, permi_working *working)
{
  permi_cell cell;
  int i, used = 0, zero;
  size_t e;
  working->integer = exact;
  for (i = 0; i < matrix->m; i++) {
    if (permi_watch(working->watch, 50.0 * (double)(matrix->row_start[i + 1] - matrix->row_start[i])))
      break;
    for (e = matrix->row_start[i]; e < matrix->row_start[i + 1] && !permi_watch_step(working->watch, e, 0); e++) {
      permi_matrix_entry(matrix, e, &cell);
      zero = permi_cell_is_zero(working, &cell);
      if (zero && !working->zeros)
        continue;
      working->zeros = zero ? 2 : working->zeros;
      cell.rounded = !exact && matrix->kind == PERM_KIND_INTEGER && cell.absolute >= 9007199254740992.0;
      working->inexact |= cell.rounded;
      cell.exponent = zero ? PERMI_NO_EXPONENT : exact ? 0 : permi_cell_exponent(&cell);
      cell.vertex[0] = transposed ? matrix->column[e] : i;
      cell.vertex[1] = working->n + (transposed ? i : matrix->column[e]);
      working->cell[used] = cell;
      permi_cell_link(working, used++);
    }
  }
  working->report.m = matrix->m;
  working->report.n = matrix->n;
  working->report.entries = (size_t)used;
}

static perm_status permi_fail_long(perm_result *result)
{
  return permi_fail(result, PERM_ERROR_OVERFLOW, 0,
                    "the permanent may need more than %d bits: ask for it modulo a prime, or in doubles",
                    64 * PERM_INTEGER_WORDS);
}

/* A matrix of m rows and more columns, filled in: finds the structural rank, then components of what is left, or of
   the whole, but for columns of one entry if zeros are kept. */
static perm_status permi_prepare_free(permi_working *working, int m, int exact, int whole, int *zero)
{
  perm_preparation *report = &working->report;
  perm_status status = PERM_OK;
  int changed;
  permi_split(working); /* rows from m on have no entries, hence no partners */
  *zero = report->structural_rank < m;
  if (*zero || permi_watch(working->watch, 0))
    return PERM_OK;
  report->hall_lines = report->hall_others = 0;
  report->hall[0] = 0;
  working->alone = (permi_cell *)permi_pool_zeros(&working->pool, (size_t)m, sizeof *working->alone);
  if (!working->alone || (!exact && !permi_scale(working)))
    return PERM_ERROR_MEMORY;
  for (int v = m; v < working->n; v++)
    working->degree[v] = -1;
  if (!whole)
    status = permi_reduce(working, &changed, zero);
  const int end = whole && working->zeros ? 2 * working->n : 0;
  for (int v = working->n; v < end && !permi_watch_step(working->watch, (size_t)v, 10); v++) {
    const int index = working->head[v];
    permi_cell *cell = &working->cell[index < 0 ? 0 : index], *alone = &working->alone[cell->vertex[0]];
    const int last = alone->vertex[1] ? alone->next[0] : -1; /* a row's are linked from alone[row].next[0] on */
    if (working->degree[v] != 1 || !permi_alone_add(working, cell))
      continue;
    permi_cell_unlink(working, index);
    working->degree[v] = -1;
    cell->next[0] = last;
    alone->next[0] = index;
  }
  if (status == PERM_OK && !*zero && !permi_watch(working->watch, 0))
    permi_components_number(working);
  return status;
}

/* ============================================================================================================ >>walk
   Blocks, and walks along elimination orders of their vertices. Eliminating a vertex touches its neighbours; one
   without neighbours goes by itself. The frontier is touched, not eliminated: a rows, b columns. With d more columns
   than rows eliminated it has at most sum_i C(a, i) C(b, i - d) = C(a + b, a - d) states, of i rows and i - d columns
   matched; where vertices may stay unmatched those for a range of d. A step costs (states after it) (1 + neighbours
   left / 2) + states before / 4, measured on real matrices. Of equal vertices greedy orders take the one with
   neighbours nearest to leaving, every other round any (docs/engines.md). */

#define PERMI_ORDER_WIDTH 512
#define PERMI_ORDER_MOST 1e60

typedef struct permi_block {
  int n, edges, vertices;        /* n: rows, and columns but with free lines */
  int free_lines, alones, zeros; /* 1: vertices, `alones` rows, may stay unmatched (permi_block_alone); also by 0 */
  int additions;                 /* roundings that these values bring into a product, at most */
  int rounded;                   /* an entry is not a given one times a power of two */
  int *start, *neighbour, *edge; /* neighbours ascend */
  double *real, *absolute, *imaginary;  /* NULL unless used */
  int64_t *integer, *imaginary_integer;
  permi_pool pool; /* of these */
} permi_block;

/* Returns where the factor of an unmatched v, a row's or 1, stands behind the values of edges. */
static int permi_block_alone(const permi_block *block, int v)
{
  return block->edges + (v < block->n ? v : block->n);
}

static int permi_block_values(const permi_block *block)
{
  return block->edges + (block->free_lines ? block->n + 1 : 0);
}

static int permi_block_stays(const permi_block *block, int v)
{
  const int e = permi_block_alone(block, v);
  return block->free_lines &&
         (block->zeros ||
          (block->integer ? block->integer[e] || (block->imaginary_integer && block->imaginary_integer[e])
                          : block->absolute[e] != 0));
}

static double permi_order_random(uint64_t *seed)
{
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  return (double)((*seed * UINT64_C(2685821657736338717)) >> 11) * (1.0 / 9007199254740992.0);
}

static int permi_order_below(uint64_t *seed, int limit)
{
  return (int)(permi_order_random(seed) * limit);
}

/* Returns C(t, k) at t (t + 1) / 2 + k, for t up to 2 n. */
static double *permi_binomials(const perm_allocator *allocator, int n)
{
  const size_t most = n < PERMI_ORDER_WIDTH / 2 ? 2 * (size_t)n : PERMI_ORDER_WIDTH;
  double *c = (double *)permi_allocate(allocator, (most + 1) * (most + 2) / 2, sizeof *c);
  for (size_t t = 0; c && t <= most; t++)
    for (size_t k = 0; k <= t; k++) {
      const double *above = c + t * (t - 1) / 2;
      c[t * (t + 1) / 2 + k] = k == 0 || k == t ? 1 : fmin(above[k - 1] + above[k], PERMI_ORDER_MOST);
    }
  return c;
}

/* Sets the least and the most ones (>>arrays) of states that lead to the permanent. */
static void permi_order_ones(const permi_block *block, const int *width, const int *gone, int *least, int *most)
{
  const int ones = width[0] + gone[0] - gone[1], t = width[0] + width[1], alones = block->alones;
  const int rows = block->n - gone[0], later = block->vertices - 2 * block->n + (rows < alones ? rows : alones);
  *least = ones - (gone[0] < alones ? gone[0] : alones);
  *least = *least < 0 ? 0 : *least;
  *most = ones + (gone[1] < later ? gone[1] : later);
  *most = *most > t ? t : *most;
}

/* Returns a bound; `width` and `gone` count rows and columns touched, eliminated. */
static PERMI_ALWAYS_INLINE double permi_order_states(const permi_block *block, const double *binomial,
                                                     const int *width, const int *gone)
{
  int t = width[0] + width[1], k = width[0] - (gone[1] - gone[0]), most;
  double states = 0;
  if (t > PERMI_ORDER_WIDTH)
    return PERMI_ORDER_MOST * t;
  binomial += t * (t + 1) / 2;
  if (!block->free_lines)
    return k < 0 || k > t ? 1 : binomial[k];
  for (permi_order_ones(block, width, gone, &k, &most); k <= most; k++)
    states += binomial[k];
  return fmax(states, 1);
}

/* Returns a step's transitions. With free lines `gone` neighbours go in further steps. */
static PERMI_ALWAYS_INLINE double permi_order_work(const permi_block *block, double states, int left, int gone)
{
  return states * (block->free_lines ? ldexp(4.5 + 0.5 * left, gone) - 2.5 : 1 + 0.5 * left);
}

/* Planning may take PERMI_PLAN_SHARE of the predicted run, or PERMI_PLAN_SECONDS, in units of permi_watch. */
typedef struct permi_account {
  permi_control *watch;
  double begin, run;   /* run: of planned blocks */
  double least, floor; /* always granted; for all blocks */
  double share, most;  /* most: under a time limit */
} permi_account;

/* Returns the most that max_seconds allows, a power of 2: runs, ranks and escalations plan alike. Jobs in pieces keep a
   plan under other limits. */
static double permi_account_most(const perm_options *options)
{
  int log2_most;
  if (options->max_seconds == 0 || permi_in_pieces(options))
    return (double)INFINITY;
  (void)frexp(PERMI_PLAN_SHARE * options->max_seconds, &log2_most);
  return ldexp(0.5, log2_most);
}

static double permi_account_left(const permi_account *account, double seconds)
{
  return 1e9 * fmax(fmin(account->share * (account->run + seconds), account->most), account->least) -
         (account->watch->worked - account->begin);
}

/* Returns what an engine may use; PERMI_PLAN_REST is left for later ones. */
static double permi_account_free(const permi_account *account, double seconds)
{
  return permi_account_left(account, seconds) - 1e9 * PERMI_PLAN_REST * account->floor;
}

typedef struct permi_budget {
  double effort;
  double most; /* states in memory; more cost PERMI_ORDER_BEYOND times as much */
  double each, start;        /* predicted seconds: of a unit, fixed */
  double quick, quick_start; /* of arrays, */
  int quick_width;           /* up to this width */
  double rival;
  double reserve; /* units that a better rival needs */
  const int *first[2]; /* orders to begin with, or NULL */
  const permi_account *account;
} permi_budget;
#define PERMI_ORDER_BEYOND 16

static double permi_budget_seconds(const permi_budget *budget, double cost)
{
  return budget->start + fmin(cost * budget->each, cost * budget->quick + budget->quick_start);
}

static double permi_budget_left(const permi_budget *budget, double cost)
{
  const double seconds = permi_budget_seconds(budget, cost);
  return permi_account_free(budget->account, fmin(seconds, budget->rival)) -
         (seconds > budget->rival ? budget->reserve : 0);
}

static double permi_order_price(double states, double most)
{
  return states > most ? states + PERMI_ORDER_BEYOND * (states - most) : states;
}

typedef struct permi_walk {
  int *open;
  unsigned char *state; /* 0 untouched, 1 in the frontier, 2 gone */
  int *frontier, *place, width[2], eliminated[2], widest;
  double peak; /* states of the largest step */
} permi_walk;

static void permi_walk_start(const permi_block *block, permi_walk *walk)
{
  for (int v = 0; v < block->vertices; v++)
    walk->open[v] = block->start[v + 1] - block->start[v];
  memset(walk->state, 0, (size_t)block->vertices);
  walk->width[0] = walk->width[1] = walk->eliminated[0] = walk->eliminated[1] = walk->widest = 0;
}

static void permi_walk_leave(const permi_block *block, permi_walk *walk, int v)
{
  int side = v >= block->n;
  if (walk->state[v] == 1) {
    int last = walk->frontier[walk->width[0] + walk->width[1] - 1];
    walk->frontier[walk->place[v]] = last;
    walk->place[last] = walk->place[v];
    walk->width[side]--;
  }
  walk->state[v] = 2;
  walk->eliminated[side]++;
}

static void permi_walk_touch(permi_walk *walk, int t, int side)
{
  walk->state[t] = 1;
  walk->place[t] = walk->width[0] + walk->width[1];
  walk->frontier[walk->place[t]] = t;
  walk->width[side]++;
}

static void permi_walk_step(const permi_block *block, permi_walk *walk, int v)
{
  int e, other = v < block->n;
  permi_walk_leave(block, walk, v);
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    int t = block->neighbour[e];
    walk->open[t]--;
    if (walk->state[t] == 2)
      continue;
    if (walk->open[t] == 0)
      permi_walk_leave(block, walk, t);
    else if (walk->state[t] == 0)
      permi_walk_touch(walk, t, other);
  }
}

static int permi_walk_gone(const permi_walk *walk)
{
  return walk->eliminated[0] + walk->eliminated[1];
}

static double permi_order_cost(const permi_block *block, const double *binomial, permi_walk *walk,
                               const permi_budget *budget, const int *order)
{
  double cost = 0, states = 1;
  permi_walk_start(block, walk);
  walk->peak = 1;
  for (int p = 0; p < block->vertices && !permi_watch_step(budget->account->watch, (size_t)p, 100); p++) {
    const int v = order[p], open = walk->open[v], before = permi_walk_gone(walk);
    if (walk->state[v] == 2)
      continue;
    permi_walk_step(block, walk, v);
    cost += states / 4;
    states = permi_order_states(block, binomial, walk->width, walk->eliminated);
    walk->peak = fmax(walk->peak, states);
    states = permi_order_price(states, budget->most);
    cost += permi_order_work(block, states, open, permi_walk_gone(walk) - before - 1);
    if (walk->width[0] + walk->width[1] > walk->widest)
      walk->widest = walk->width[0] + walk->width[1];
  }
  return budget->account->watch->stopped == PERM_OK && walk->widest <= PERMI_ORDER_WIDTH ? cost : (double)INFINITY;
}

#define PERMI_GREEDY_LOOK 64     /* of a hub, listed at a time */
#define PERMI_GREEDY_HOPELESS 10 /* times the rival: further orders gained up to 10x over three */
#define PERMI_GREEDY_PART 0.5    /* of the units; the rest anneals */
#define PERMI_GREEDY_STARTS 100  /* chosen: rounds of three orders */
#define PERMI_GREEDY_FAR 32      /* times the best: a kind is left after one round, */
#define PERMI_GREEDY_TRIED 3     /* later */
#define PERMI_GREEDY_BEHIND 4

/* Candidates, the touched and their neighbours, know what eliminating them does. A step an entry, a look at
   candidates a vertex. */
typedef struct permi_greedy {
  permi_walk walk;
  int kind, by_chance; /* kind: rows (0), columns (1), both (2) */
  int *growth;   /* of the frontier, by elimination */
  int *nearness; /* sum of 1 / (entries left) of its neighbours */
  int *next;     /* neighbour of a touched vertex to list */
  int *list, listed;
  unsigned char *mark; /* 1 listed, 2 in the order */
  double units;
} permi_greedy;

#define PERMI_GREEDY_NEAR 16 /* entries left, at most */
static const short permi_greedy_near[PERMI_GREEDY_NEAR] = {0,   5040, 2520, 1680, 1260, 1008, 840, 720,
                                                           630, 560,  504,  458,  420,  388,  360, 336};

static int permi_greedy_near_of(int open)
{
  return permi_greedy_near[open < PERMI_GREEDY_NEAR ? open - (open > 0) : PERMI_GREEDY_NEAR - 1];
}

static int permi_greedy_create(permi_pool *pool, const permi_block *block, permi_greedy *greedy)
{
  const size_t vertices = (size_t)block->vertices;
  permi_walk *walk = &greedy->walk;
  walk->state = (unsigned char *)permi_pool_get(pool, 2 * vertices, 1);
  greedy->mark = walk->state ? walk->state + vertices : NULL;
  return permi_pool_ints(pool, &walk->open, vertices, &walk->frontier, vertices, &walk->place, vertices,
                         &greedy->growth, vertices, &greedy->nearness, vertices, &greedy->next, vertices,
                         &greedy->list, vertices, (int **)NULL);
}

static void permi_greedy_start(const permi_block *block, permi_greedy *greedy, permi_control *watch)
{
  const permi_walk *walk = &greedy->walk;
  permi_walk_start(block, &greedy->walk);
  greedy->listed = 0;
  for (int v = 0; v < block->vertices && !permi_watch_step(watch, (size_t)v, 10); v++) {
    int nearness = 0, growth = 0;
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      const int open = walk->open[block->neighbour[e]];
      growth += open > 1;
      nearness += permi_greedy_near_of(open);
    }
    greedy->growth[v] = growth;
    greedy->nearness[v] = nearness;
    greedy->next[v] = block->start[v] - 1;
    greedy->mark[v] = 0;
  }
  greedy->units = 2.0 * block->edges;
}

static void permi_greedy_list(const permi_block *block, permi_greedy *greedy, int u)
{
  const int end = block->start[u + 1], first = greedy->listed;
  int e;
  for (e = greedy->next[u]; e < end && greedy->listed - first <= PERMI_GREEDY_LOOK; e++) {
    const int v = e < block->start[u] ? u : block->neighbour[e];
    if (greedy->mark[v] || greedy->walk.state[v] == 2 || (greedy->kind < 2 && (v >= block->n) != greedy->kind))
      continue;
    greedy->mark[v] = 1;
    greedy->list[greedy->listed++] = v;
  }
  greedy->units += 2.0 * (e - greedy->next[u]);
  greedy->next[u] = e;
}

static void permi_greedy_step(const permi_block *block, permi_greedy *greedy, int v)
{
  permi_walk *walk = &greedy->walk;
  const int growth = (walk->open[v] == 1) - (walk->state[v] == 0), nearness = permi_greedy_near_of(walk->open[v]);
  int e, k;
  permi_walk_leave(block, walk, v);
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int t = block->neighbour[e], gone = walk->state[t] == 2, touched = walk->state[t] == 0;
    greedy->growth[t] += growth;
    greedy->nearness[t] -= nearness;
    if (gone)
      continue;
    const int open = --walk->open[t];
    if (open == 0) {
      permi_walk_leave(block, walk, t);
      continue;
    }
    const int less = touched + (open == 1);
    const int nearer = permi_greedy_near_of(open) - permi_greedy_near_of(open + 1);
    if (less || nearer) {
      for (k = block->start[t]; k < block->start[t + 1]; k++) {
        greedy->growth[block->neighbour[k]] -= less;
        greedy->nearness[block->neighbour[k]] += nearer;
      }
      greedy->units += 1.5 * (k - block->start[t]);
    }
    if (touched) {
      greedy->growth[t]--;
      permi_walk_touch(walk, t, t >= block->n);
      permi_greedy_list(block, greedy, t);
    }
  }
  greedy->units += 60 + 8.0 * (e - block->start[v]);
}

/* Returns the candidate that leaves the smallest frontier. */
static int permi_greedy_best(const permi_block *block, permi_greedy *greedy, uint64_t *seed)
{
  const permi_walk *walk = &greedy->walk;
  for (;;) {
    int best = -1, growth = INT_MAX, nearness = 0, ties = 0, kept = 0, i;
    for (i = 0; i < greedy->listed; i++) {
      const int v = greedy->list[i], grows = greedy->growth[v], comes = greedy->by_chance ? 0 : greedy->nearness[v];
      if (walk->state[v] == 2)
        continue;
      greedy->list[kept++] = v;
      if (grows > growth || (grows == growth && comes < nearness))
        continue;
      ties = grows == growth && comes == nearness ? ties + 1 : 1;
      growth = grows;
      nearness = comes;
      if (permi_order_below(seed, ties) == 0)
        best = v;
    }
    greedy->units += 3.0 * i;
    greedy->listed = kept;
    if (best >= 0 && (walk->state[best] == 0 || greedy->next[best] == block->start[best + 1]))
      return best;
    if (best >= 0) /* does not list more neighbours of the hub */
      permi_greedy_list(block, greedy, best);
    for (i = 0; best < 0 && i < walk->width[0] + walk->width[1]; i++)
      permi_greedy_list(block, greedy, walk->frontier[i]);
  }
}

static int permi_greedy_begin(const permi_block *block, permi_greedy *greedy, int length, uint64_t *seed)
{
  const int n = block->n, columns = block->vertices - n, kind = greedy->kind;
  int v = length ? kind == 1 && columns ? n : 0 : permi_order_below(seed, n);
  if (length == 0 && columns && (kind == 1 || (kind == 2 && permi_order_below(seed, 2))))
    v = n + v % columns;
  while (greedy->walk.state[v]) /* of a connected block length is 0 */
    v = v + 1 < block->vertices ? v + 1 : 0;
  return v;
}

/* The cost is INFINITY over `limit` or if stopped. */
static double permi_order_greedy(const permi_block *block, const double *binomial, permi_greedy *greedy, uint64_t *seed,
                                 const permi_budget *budget, double limit, int *order)
{
  permi_walk *walk = &greedy->walk;
  const int vertices = block->vertices;
  int length = 0, v;
  double cost = 0, states = 1, units;
  permi_greedy_start(block, greedy, budget->account->watch);
  while (permi_walk_gone(walk) < vertices && cost <= limit) {
    const int width = walk->width[0] + walk->width[1], before = permi_walk_gone(walk);
    units = greedy->units;
    greedy->units = 0;
    if (permi_watch(budget->account->watch, units))
      break;
    walk->widest = width > walk->widest ? width : walk->widest;
    if (width > PERMI_ORDER_WIDTH)
      return (double)INFINITY;
    v = width ? permi_greedy_best(block, greedy, seed) : permi_greedy_begin(block, greedy, length, seed);
    const int open = walk->open[v];
    permi_greedy_step(block, greedy, v);
    greedy->mark[v] = 2;
    order[length++] = v;
    cost += states / 4;
    states = permi_order_price(permi_order_states(block, binomial, walk->width, walk->eliminated), budget->most);
    cost += permi_order_work(block, states, open, permi_walk_gone(walk) - before - 1);
  }
  if (cost > limit || permi_walk_gone(walk) < vertices)
    return (double)INFINITY;
  for (v = 0; v < vertices; v++)
    if (greedy->mark[v] != 2)
      order[length++] = v;
  return cost;
}

/* Returns 1 if another order is worth its time (docs/engines.md). */
static int permi_greedy_pays(const permi_budget *budget, double begin, double cost, int first)
{
  const double seconds = permi_budget_seconds(budget, cost), spent = budget->account->watch->worked - begin;
  const double share = seconds < budget->rival ? PERMI_GREEDY_SHARE : PERMI_GREEDY_SHARE / 12;
  if (!(cost < 1e300))
    return spent < 1e9 * share * budget->rival;
  return (first || seconds < PERMI_GREEDY_HOPELESS * budget->rival) &&
         spent < 1e9 * (first ? fmax(share, 3 * PERMI_GREEDY_SHARE / 12) : share) * fmin(seconds, budget->rival) &&
         ((first && budget->rival == (double)INFINITY) ||
          spent < PERMI_GREEDY_PART * (permi_budget_left(budget, cost) + spent));
}

/* =========================================================================================================== >>order
   Elimination orders: greedy starts, then annealing, by fixed seeds and predicted work. */

#define PERMI_ORDER_START 1e45
/* Times the rival: slower orders are not annealed, which gains 1.2 to 2x on the best greedy one. */
#define PERMI_ORDER_HOPELESS 1.5
#define PERMI_ORDER_ANNEAL 1024
#define PERMI_ANNEAL_SHORT 0.01 /* heat of milliseconds, */
#define PERMI_ANNEAL_WARM 0.03  /* of more: nothing is found above; */
#define PERMI_ANNEAL_HOT 0.07
#define PERMI_ANNEAL_COLD 0.001
#define PERMI_ANNEAL_ANYWHERE 4 /* one move in these */
#define PERMI_ANNEAL_MOST 8e8
#define PERMI_ANNEAL_FEW 3e4    /* units that gain nothing */
#define PERMI_ANNEAL_BRIEF 2.5e6
#define PERMI_ANNEAL_ROUNDS 1e7 /* fewer are spent at once (17 graphs) */
#define PERMI_ANNEAL_BEGIN 16   /* of the units */
#define PERMI_ANNEAL_PAYS 6     /* chosen: gain of a round over its time, for a longer one */
#define PERMI_ANNEAL_GAIN 3     /* seen up to 8 */
#define PERMI_ANNEAL_FALL 1.5

/* The walk before each position. A move walks those that its permutation changes, until it costs too much. */
typedef struct permi_positions {
  uint64_t *sets; /* gone rows, columns, touched rows, columns */
  int *counts;    /* touched rows, columns, gone rows, columns */
  double *states, *cost;
} permi_positions;

typedef struct permi_anneal {
  const permi_block *block;
  const double *binomial;
  const permi_budget *budget;
  uint64_t *adjacent;
  permi_positions now, trial;
  int words, *order, *candidate, *best;
  double units, told;
} permi_anneal;

/* Units of a position, and an open entry, measured on orders 34 to 446. */
#define PERMI_ANNEAL_UNITS(words) (11 + 1.5 * (words))
#define PERMI_ANNEAL_ENTRY_UNITS(words) (3 + 0.5 * (words))
#define PERMI_ANNEAL_MOVE_UNITS 110
#define PERMI_ANNEAL_TAKEN_UNITS 40
#define PERMI_ANNEAL_COPY_UNITS(words) (3.0 * (words))
#define PERMI_ANNEAL_SHIFT_UNITS 0.4

static PERMI_ALWAYS_INLINE void permi_anneal_step(permi_anneal *a, int p, int v)
{
  const int n = a->block->n, side = v >= n, other = 1 - side, i = v - side * n, words = a->words, size = 4 * words;
  const permi_positions *trial = &a->trial;
  const uint64_t *from = trial->sets + (size_t)p * (size_t)size, *own = a->adjacent + (size_t)v * (size_t)words;
  const uint64_t *others = a->adjacent + (size_t)(other * n) * (size_t)words;
  uint64_t *to = trial->sets + (size_t)(p + 1) * (size_t)size;
  uint64_t *gone = to + side * words, *gone_other = to + other * words, *touched = to + (2 + side) * words;
  uint64_t *touched_other = to + (2 + other) * words;
  const int *count = trial->counts + 4 * (size_t)p;
  int *next = trial->counts + 4 * (size_t)(p + 1);
  int w, j, left = 0, dead = 0, fresh = 0;
  a->units += PERMI_ANNEAL_UNITS(words);
  for (w = 0; w < size; w++)
    to[w] = from[w];
  for (w = 0; w < 4; w++)
    next[w] = count[w];
  trial->states[p + 1] = trial->states[p];
  trial->cost[p + 1] = trial->cost[p];
  if (gone[i >> 6] >> (i & 63) & 1)
    return;
  gone[i >> 6] |= UINT64_C(1) << (i & 63);
  next[side] -= (int)(touched[i >> 6] >> (i & 63) & 1);
  touched[i >> 6] &= ~(UINT64_C(1) << (i & 63));
  for (w = 0; w < words; w++) {
    const uint64_t here = own[w] & ~gone_other[w], was = touched_other[w];
    uint64_t bits, going = 0;
    for (bits = here; bits; bits &= bits - 1) { /* no branch: half would be guessed wrong */
      const int k = permi_trailing_zeros(bits);
      const uint64_t *adjacent = others + (size_t)(64 * w + k) * (size_t)words;
      uint64_t alive = 0;
      for (j = 0; j < words; j++)
        alive |= adjacent[j] & ~gone[j];
      left++;
      dead += alive == 0;
      fresh += (alive != 0) - (int)(was >> k & 1);
      going |= (uint64_t)(alive == 0) << k;
    }
    touched_other[w] = (was | here) & ~going;
    gone_other[w] |= going;
  }
  a->units += PERMI_ANNEAL_ENTRY_UNITS(words) * left;
  next[other] += fresh;
  next[2 + side]++;
  next[2 + other] += dead;
  trial->states[p + 1] = permi_order_price(permi_order_states(a->block, a->binomial, next, next + 2), a->budget->most);
  trial->cost[p + 1] += 0.25 * trial->states[p] + permi_order_work(a->block, trial->states[p + 1], left, dead);
}

static void permi_anneal_copy(const permi_anneal *a, permi_positions *to, const permi_positions *from, int first,
                              int last)
{
  const size_t size = 4 * (size_t)a->words, at = (size_t)first, count = (size_t)(last - first);
  memcpy(to->sets + at * size, from->sets + at * size, count * size * sizeof *to->sets);
  memcpy(to->counts + 4 * at, from->counts + 4 * at, 4 * count * sizeof *to->counts);
  memcpy(to->states + at, from->states + at, count * sizeof *to->states);
  memcpy(to->cost + at, from->cost + at, count * sizeof *to->cost);
}

static int permi_anneal_walk(permi_anneal *a, const int *order, int from, int to, double after, double limit)
{
  int p;
  for (p = from; p < to; p++) {
    permi_anneal_step(a, p, order[p]);
    if (a->trial.cost[p + 1] + after > limit)
      break;
  }
  return p;
}

static int permi_anneal_watch(permi_anneal *a)
{
  const double units = a->units - a->told;
  a->told = a->units;
  return permi_watch(a->budget->account->watch, units);
}

/* Returns the cost of a->best. A better order deserves less time. */
#define PERMI_ANNEAL_STEPS 2048
static double permi_anneal_run(permi_anneal *a, double hot, double units, uint64_t *seed)
{
  int length = a->block->vertices, p, words = a->words;
  double best, total, heat = hot, end = a->units + units, step = units / PERMI_ANNEAL_STEPS;
  const double cooling = pow(PERMI_ANNEAL_COLD / hot, 1.0 / PERMI_ANNEAL_STEPS);
  permi_positions *now = &a->now, *trial = &a->trial;
  double cooler = a->units + step;
  memset(trial->sets, 0, 4 * (size_t)words * sizeof *trial->sets);
  memset(trial->counts, 0, 4 * sizeof *trial->counts);
  trial->states[0] = 1;
  trial->cost[0] = 0;
  permi_anneal_walk(a, a->order, 0, length, 0, (double)INFINITY);
  permi_anneal_copy(a, now, trial, 0, length + 1);
  memcpy(a->best, a->order, (size_t)length * sizeof *a->order);
  best = total = now->cost[length];
  while (a->units < end) {
    int span = 1 + permi_order_below(seed, permi_order_below(seed, 8) ? (length < 12 ? length - 1 : 11) : length - 1);
    int low = 0, high = length, most = length - span, first, last, kind, k, *candidate = a->candidate;
    const int *order = a->order;
    if (permi_order_below(seed, PERMI_ANNEAL_ANYWHERE) == 0) {
      first = permi_order_below(seed, most);
    } else { /* draws a position by its cost */
      const double at = permi_order_random(seed) * now->cost[length];
      while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(now->cost[middle] <= at ? &low : &high) = middle;
      }
      first = low - permi_order_below(seed, span + 1);
      first = first < 0 ? 0 : first < most ? first : most - 1;
    }
    last = first + span;
    kind = permi_order_below(seed, 4);
    const double chance = permi_order_random(seed);
    const double after = now->cost[length] - now->cost[last + 1];
    a->units += PERMI_ANNEAL_MOVE_UNITS;
    for (; a->units > cooler; cooler += step)
      heat *= cooling;
    if (a->units > a->told + PERMI_WATCH_UNITS && permi_anneal_watch(a))
      break;
    /* exp(-(new - old) / (heat old)) > chance; log2 is linear between powers, equal on every machine */
    const double mantissa = frexp(chance + 1e-9, &k);
    const double limit = total * (1 + heat * (2 - 2 * mantissa - k));
    for (k = first; k <= last; k++) /* reversed, turned, or its ends swapped */
      candidate[k] = order[kind == 1   ? first + last - k
                           : kind == 2 ? (k < last ? k + 1 : first)
                           : kind == 3 ? (k > first ? k - 1 : last)
                           : k == first ? last : k == last ? first : k];
    permi_anneal_copy(a, trial, now, first, first + 1);
    if (permi_anneal_walk(a, candidate, first, last + 1, after, limit) <= last)
      continue;
    total = trial->cost[last + 1] + after;
    const double shift = trial->cost[last + 1] - now->cost[last + 1];
    a->units += PERMI_ANNEAL_TAKEN_UNITS + PERMI_ANNEAL_COPY_UNITS(words) * (span + 1) +
                PERMI_ANNEAL_SHIFT_UNITS * (length - last);
    permi_anneal_copy(a, now, trial, first + 1, last + 2);
    memcpy(a->order + first, candidate + first, (size_t)(span + 1) * sizeof *candidate);
    for (p = last + 2; shift != 0 && p <= length; p++)
      now->cost[p] += shift;
    if (total < best * (1 - 1e-9)) {
      best = total;
      memcpy(a->best, a->order, (size_t)length * sizeof *a->order);
      permi_anneal_watch(a);
      const double left = fmax(permi_budget_left(a->budget, best), 0);
      if (end - a->units > left) {
        step *= left / (end - a->units);
        end = a->units + left;
        cooler = fmin(cooler, a->units + step);
      }
    }
  }
  permi_anneal_watch(a);
  return best;
}

static double permi_order_seconds(const permi_block *block, double cost)
{
  return cost * PERMI_STATE_SECONDS + block->vertices * (block->free_lines ? 3 : 1) * PERMI_STEP_SECONDS;
}

/* Returns the units that an order is worth. Costs fall as units^-0.16 (17 graphs). */
static double permi_anneal_units(double cost, const permi_budget *budget)
{
  const double alone = permi_budget_seconds(budget, cost), rival = budget->rival, seconds = fmin(alone, rival);
  if (!(cost < 1e300) || alone > PERMI_ORDER_HOPELESS * rival || alone > PERMI_ORDER_FORGET_SECONDS)
    return 0;
  const double units =
      1e9 * fmin(1, PERMI_ANNEAL_GAIN * rival / alone) *
      fmax(PERMI_ANNEAL_SHARE * seconds,
           fmin(PERMI_ANNEAL_SHARE * fmin(alone - permi_budget_seconds(budget, 0), rival), PERMI_ANNEAL_LEAST));
  return fmin(units, PERMI_ANNEAL_MOST) * (budget->effort < 1 ? budget->effort : 1);
}

static int permi_positions_get(permi_pool *pool, size_t count, size_t words, permi_positions *positions)
{
  positions->sets = (uint64_t *)permi_pool_get(pool, count * 4 * words, sizeof(uint64_t));
  positions->counts = (int *)permi_pool_get(pool, count * 4, sizeof(int));
  positions->states = (double *)permi_pool_get(pool, count, sizeof(double));
  positions->cost = (double *)permi_pool_get(pool, count, sizeof(double));
  return !pool->failed;
}

static int permi_anneal_create(permi_pool *pool, const permi_block *block, const double *binomial,
                               const permi_budget *budget, permi_anneal *a)
{
  const size_t n = (size_t)block->n, vertices = (size_t)block->vertices;
  const size_t words = ((n > vertices - n ? n : vertices - n) + 63) / 64;
  memset(a, 0, sizeof *a);
  a->block = block;
  a->binomial = binomial;
  a->budget = budget;
  a->words = (int)words;
  a->adjacent = (uint64_t *)permi_pool_zeros(pool, vertices * words, sizeof(uint64_t));
  if (!permi_positions_get(pool, vertices + 1, words, &a->now) ||
      !permi_positions_get(pool, vertices + 1, words, &a->trial) ||
      !permi_pool_ints(pool, &a->order, vertices, &a->candidate, vertices, &a->best, vertices, (int **)NULL))
    return 0;
  for (int v = 0; v < block->vertices; v++)
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      int k = block->neighbour[e] - (v < block->n ? block->n : 0);
      a->adjacent[(size_t)v * words + (size_t)(k >> 6)] |= UINT64_C(1) << (k & 63);
    }
  return 1;
}

typedef struct permi_orders {
  const permi_block *block;
  const double *binomial;
  const permi_budget *given;
  permi_budget budget; /* with the price of arrays for narrow orders */
  permi_greedy greedy;
  uint64_t seed;
  int *order, *trial, *best[3];
  double cost, least[3];
} permi_orders;

static void permi_orders_take(permi_orders *search, const int *order, double cost)
{
  if (!(cost < search->cost))
    return;
  search->cost = cost;
  memcpy(search->order, order, (size_t)search->block->vertices * sizeof *order);
  search->budget.quick =
      search->greedy.walk.widest > search->given->quick_width ? search->given->each : search->given->quick;
}

static void permi_orders_anneal(permi_orders *search, permi_anneal *anneal, const int *from, double hot, double units)
{
  const size_t bytes = (size_t)search->block->vertices * sizeof *from;
  memcpy(anneal->order, from, bytes);
  const double annealed = permi_anneal_run(anneal, hot, units, &search->seed);
  if (annealed < search->cost) {
    search->cost = annealed;
    memcpy(search->order, anneal->best, bytes);
  }
}

/* Returns 1 if, with a rival, the best order has over `times` the states that fit. */
static int permi_orders_beyond(permi_orders *search, double times)
{
  const permi_budget *budget = &search->budget;
  if (budget->rival == (double)INFINITY)
    return 0;
  permi_order_cost(search->block, search->binomial, &search->greedy.walk, budget, search->order);
  return search->greedy.walk.peak > times * budget->most;
}

/* Anneals in rounds that double, as slower cooling helps, while they pay and orders fit. */
static void permi_orders_rounds(permi_orders *search, permi_anneal *anneal, double begin)
{
  const permi_budget *budget = &search->budget;
  const permi_control *watch = budget->account->watch;
  int pays = 0;
  permi_orders_anneal(search, anneal, search->order, PERMI_ANNEAL_HOT,
                      permi_anneal_units(search->cost, budget) / PERMI_ANNEAL_BEGIN);
  if (permi_orders_beyond(search, PERMI_ANNEAL_GAIN))
    return;
  for (double spent = 0, round; (spent < budget->effort || pays) && watch->stopped == PERM_OK; spent += round) {
    const double before = search->cost, worked = watch->worked;
    int ran = 0;
    round = spent > 1 ? spent : 1;
    if (!pays)
      round = fmin(round, budget->effort < 1 ? 1 : ceil(budget->effort - spent));
    for (int k = 0; k < 4 && watch->stopped == PERM_OK; k++) {
      const double left = permi_budget_left(budget, search->cost / (k < 3 ? PERMI_ANNEAL_FALL : PERMI_ANNEAL_GAIN));
      const double units = fmin(round * permi_anneal_units(search->cost, budget), left);
      if (units < 6 * PERMI_ANNEAL_FEW)
        continue;
      ran = 1;
      if (k == 3)
        permi_orders_anneal(search, anneal, search->order, PERMI_ANNEAL_WARM, units / 2);
      else if (search->least[k] < (double)INFINITY)
        permi_orders_anneal(search, anneal, search->best[k], PERMI_ANNEAL_HOT, units / 6);
    }
    if (permi_orders_beyond(search, PERMI_ANNEAL_FALL))
      return;
    pays = ran && budget->effort >= 1 &&
           (1e9 * (permi_budget_seconds(budget, before) - permi_budget_seconds(budget, search->cost)) >
                PERMI_ANNEAL_PAYS * (watch->worked - worked) ||
            permi_budget_left(budget, search->cost) > watch->worked - begin);
  }
}

/* cost: INFINITY if hopeless. Returns 0 without memory. */
static int permi_order(const perm_allocator *allocator, const permi_block *block, const double *binomial,
                       const permi_budget *given, int *order, double *cost)
{
  const double begin = given->account->watch->worked;
  const size_t vertices = (size_t)block->vertices;
  const int rounds = block->n > 2000 || given->effort == 0 ? 1 : block->n < 8 ? 2 : PERMI_GREEDY_STARTS;
  permi_pool room = {allocator, NULL, 0};
  int *numbers = (int *)permi_pool_get(&room, 4 * vertices, sizeof(int)), kind, round, pays = 1, ok;
  double most = PERMI_ORDER_START, units, made;
  permi_orders search;
  permi_anneal anneal;
  search.block = block;
  search.binomial = binomial;
  search.given = given;
  search.budget = *given;
  search.seed = UINT64_C(88172645463325252);
  search.order = order;
  search.cost = *cost = (double)INFINITY;
  if (!permi_greedy_create(&room, block, &search.greedy)) {
    permi_pool_release(&room);
    return 0;
  }
  for (kind = 0; kind < 3; kind++) {
    search.best[kind] = numbers + (size_t)kind * vertices;
    search.least[kind] = (double)INFINITY;
  }
  search.trial = numbers + 3 * vertices;
  if (block->n > PERM_MAX_N) /* small ones may be priced too hopefully */
    most = fmin(most, 7 * PERMI_ORDER_HOPELESS * given->rival / given->quick);
  for (round = 0; round < 2; round++)
    if (given->first[round])
      permi_orders_take(&search, given->first[round],
                        permi_order_cost(block, binomial, &search.greedy.walk, &search.budget, given->first[round]));
  for (round = given->first[1] != NULL; round < rounds; round++)
    for (kind = 0; kind < 3 && pays; kind++) {
      const int early = round < PERMI_GREEDY_TRIED;
      const double limit = fmin(early ? search.least[kind] : search.cost, most);
      if (search.least[kind] < (double)INFINITY &&
          search.least[kind] > (early ? PERMI_GREEDY_FAR : PERMI_GREEDY_BEHIND) *
                                   fmin(search.least[0], fmin(search.least[1], search.least[2])))
        continue;
      search.greedy.kind = kind;
      search.greedy.by_chance = round % 2;
      made = permi_order_greedy(block, binomial, &search.greedy, &search.seed, &search.budget, limit, search.trial);
      if (made < search.least[kind]) {
        search.least[kind] = made;
        memcpy(search.best[kind], search.trial, vertices * sizeof *order);
      }
      permi_orders_take(&search, search.trial, made);
      pays = permi_greedy_pays(&search.budget, begin, search.cost, round < 2) || (round == 0 && block->free_lines);
    }
  units = fmin(permi_anneal_units(search.cost, &search.budget), permi_budget_left(&search.budget, search.cost));
  ok = !(units >= PERMI_ANNEAL_FEW) || block->n > PERMI_ORDER_ANNEAL || block->n < 3;
  if (!ok) {
    ok = permi_anneal_create(&room, block, binomial, &search.budget, &anneal);
    if (ok && units < PERMI_ANNEAL_ROUNDS)
      permi_orders_anneal(&search, &anneal, order, units < PERMI_ANNEAL_BRIEF ? PERMI_ANNEAL_SHORT : PERMI_ANNEAL_WARM,
                          units);
    else if (ok)
      permi_orders_rounds(&search, &anneal, begin);
  }
  *cost = search.cost;
  permi_pool_release(&room);
  return ok;
}

/* ======================================================================================== >>engines */

PERMI_INLINE int permi_count_ones(uint64_t x)
{
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (int)(x * UINT64_C(0x0101010101010101) >> 56);
}

static uint64_t permi_deposit_bits(uint64_t x, uint64_t set)
{
  uint64_t bits = 0;
  for (; x && set; x >>= 1, set &= set - 1)
    if (x & 1)
      bits |= set & (0 - set);
  return bits;
}

#define PERMI_MAJORANT_ORDER 12
/* What rows have alone are columns of their own. */
static perm_status permi_make_problem(const permi_maker *maker, const permi_block *block, permi_problem *problem,
                                      void **entries)
{
  const int m = block->n, columns = block->vertices - m, n = columns + (block->free_lines ? m : 0);
  const int parts = maker->working->is_complex ? 2 : 1;
  int64_t *const integer = (int64_t *)permi_allocate_zeros(&maker->options->allocator, (size_t)m * (size_t)n *
                                                           (size_t)parts, sizeof *integer);
  double *const real = (double *)(void *)integer;
  *entries = integer;
  if (!integer)
    return permi_fail_memory(maker->result);
  for (int i = 0; i < m; i++)
    for (int e = block->start[i]; e < block->start[i + 1] + block->free_lines; e++)
      for (int part = 0; part < parts; part++) {
        const int own = e == block->start[i + 1], edge = own ? permi_block_alone(block, i) : block->edge[e];
        const size_t column = (size_t)(own ? columns + i : block->neighbour[e] - m);
        const size_t at = ((size_t)i * (size_t)n + column) * (size_t)parts + (size_t)part;
        if (block->integer)
          integer[at] = (part ? block->imaginary_integer : block->integer)[edge];
        else
          real[at] = (part ? block->imaginary : block->real)[edge];
      }
  *problem = permi_problem_make(m, n, block->integer ? NULL : real, block->integer ? integer : NULL, n,
                                permi_reach_of(parts), NULL, NULL);
  return PERM_OK;
}

/* Rounded entries cost a term's relative error times the majorant, and lost_error. The majorant is the permanent of the
   moduli up to PERMI_MAJORANT_ORDER, else a bound by line sums. */
static void permi_make_honest(const permi_maker *maker, const permi_block *block, permi_leaf *leaf)
{
  const permi_working *working = maker->working;
  const double scale = fabs(leaf->scale.hi) * (1 - 8 * PERMI_UNIT);
  double bound = working->lost ? working->lost_error : 0, estimate = bound;
  double product[2] = {1, 1}, majorant = 0, *const value = maker->subsets;
  const int n = block->n;
  if (block->rounded && n <= PERMI_MAJORANT_ORDER && !block->free_lines) {
    memset(value, 0, ((size_t)1 << n) * sizeof *value);
    value[0] = 1;
    for (int s = 0; s < (1 << n) - 1; s++) {
      const int v = permi_count_ones((unsigned)s);
      for (int e = block->start[v]; e < block->start[v + 1]; e++) {
        const int bit = 1 << (block->neighbour[e] - n);
        if (!(s & bit))
          value[s | bit] += value[s] * block->absolute[block->edge[e]];
      }
    }
    majorant = value[(1 << n) - 1] * (1 + 1e-12) + 1e-280;
  } else if (block->rounded) {
    for (int v = 0; v < block->vertices; v++) {
      double sum = block->free_lines ? block->absolute[permi_block_alone(block, v)] : 0;
      for (int e = block->start[v]; e < block->start[v + 1]; e++)
        sum += block->absolute[block->edge[e]];
      product[v >= n] = product[v >= n] * sum * (1 + 1e-12) + 1e-280;
    }
    majorant = block->free_lines ? product[0] : fmin(product[0], product[1]);
  }
  if (block->rounded) {
    bound += permi_entry_bound(permi_entry_roundings(working, working->n) + block->additions) * majorant;
    if (n <= PERMI_MAJORANT_ORDER) /* else too wide */
      estimate += 4 * PERMI_UNIT * (1 + working->degree_two + block->additions) * majorant;
  }
  if (bound > 0) {
    leaf->bound_absolute += permi_ldexp(bound * (1 + 1e-12) / scale, -leaf->scale_exp2) + DBL_MIN;
    leaf->estimate_absolute += permi_ldexp(estimate / scale, -leaf->scale_exp2);
    leaf->estimate_relative += 4 * PERMI_UNIT * (1 + working->degree_two + block->additions);
  }
}

/* Returns loss factor 2^e, never 0 by underflow. */
static double permi_loss_scaled(double loss, double factor, int e)
{
  return loss > 0 ? ldexp(loss * factor, e) + DBL_MIN : 0;
}

typedef struct permi_owned {
  perm_allocator allocator;
  permi_pool pool;
} permi_owned;

/* A zeroed plan that begins with a permi_owned, or NULL. */
static void *permi_owned_new(const perm_allocator *allocator, size_t bytes)
{
  permi_owned *owned = (permi_owned *)permi_allocate_zeros(allocator, 1, bytes);
  if (owned) {
    owned->allocator = *allocator;
    owned->pool.allocator = &owned->allocator;
  }
  return owned;
}

static void permi_owned_release(const perm_allocator *allocator, void *plan)
{
  if (plan)
    permi_pool_release(&((permi_owned *)plan)->pool);
  permi_release(allocator, plan);
}

static void permi_leaf_ranges(permi_leaf *leaf, perm_isa isa, uint64_t chunks, double work, uint64_t fingerprint,
                              void (*run)(const permi_leaf *, uint64_t, void *, perm_partial *), size_t workspace,
                              size_t (*explain)(const permi_leaf *, char *, size_t))
{
  leaf->information.kind = PERM_LEAF_RANGE;
  leaf->information.isa = isa;
  leaf->information.chunks = chunks;
  leaf->information.work = work;
  leaf->information.fingerprint = fingerprint;
  leaf->run_chunk = run;
  leaf->workspace = workspace;
  leaf->explain = explain;
}

static perm_status permi_refuse_long(permi_offer *offer)
{
  return permi_refuse(offer, PERM_ERROR_OVERFLOW, "may have a permanent of over %d bits", 64 * PERM_INTEGER_WORDS);
}

/* ========================================================================================= >>vectors
   Input of vector kernels, whose text is read once an instruction set. */

typedef enum permi_growth { /* exact; reduced; reduced from two doubles */
  PERMI_GROWS_NOT, PERMI_GROWS_SHORT, PERMI_GROWS_LONG
} permi_growth;

/* ---- blocks of arrays */

#define PERMI_ARRAY_NOWHERE 0xffff

/* Eight words of a block, base + at[i] of those in `here`: a window of 16 nearly always has them. */
typedef struct permi_eight {
  uint16_t base;
  unsigned char here, wide; /* beyond the window */
  unsigned char at[8];
} permi_eight;

typedef struct permi_origin {
  const void *x;
  size_t count;
  const uint16_t *place; /* or NOWHERE */
  const permi_eight *eight;
  double real;
  const permi_coefficient *c;
  void *sum; /* of >>derive_frontier, or NULL */
} permi_origin;

typedef void (*permi_block_kernel)(const permi_numbers *numbers, void *y, size_t count, const permi_origin *origin,
                                   int origins);

/* ---- programs of the hybrid */

#define PERMI_HYBRID_DOUBLES 32 /* lanes times parts */
#define PERMI_HYBRID_SLOTS 768
#define PERMI_HYBRID_KEPT 16000 /* with constants, where no slot is used again */
#define PERMI_HYBRID_INNER 24
#define PERMI_HYBRID_LOW 4
#define PERMI_HYBRID_ALL (1u << PERMI_HYBRID_LOW)
#define PERMI_HYBRID_STATEMENTS 60000

/* y = slot[row] + constant[h], y' = slot[row] + constant[g], z = slot[other] + constant[p]. */
typedef enum permi_opcode {
  PERMI_OP_ROW,        /* out = y */
  PERMI_OP_ROWS,       /* out = y z */
  PERMI_OP_TIMES_ROW,  /* out = p y */
  PERMI_OP_TIMES,      /* out = p h */
  PERMI_OP_DIFFERENCE, /* out = p - q */
  PERMI_OP_FOLD_ROW,   /* out = p y - q y' */
  PERMI_OP_FOLD,       /* out = p h - q g */
  PERMI_OP_CHAIN       /* the product of all p */
} permi_opcode;

/* In units of 8 doubles; the shift keeps rows of tables out of one cache set. */
static int permi_hybrid_line(int slot)
{
  return slot * (PERMI_HYBRID_DOUBLES / 8) + (slot >> 4);
}
#define PERMI_HYBRID_BASES (64 * (PERMI_HYBRID_DOUBLES / 8) + 4)
#define PERMI_HYBRID_ROOM (8 * (PERMI_HYBRID_SLOTS * (PERMI_HYBRID_DOUBLES / 8) + PERMI_HYBRID_SLOTS / 16))
#define PERMI_HYBRID_WORKSPACE ((2 * PERMI_HYBRID_ROOM + 4 * PERMI_HYBRID_DOUBLES) * sizeof(double))

typedef struct permi_statement {
  uint16_t out, p, q; /* by permi_hybrid_line */
  uint16_t h, g;      /* or constants */
} permi_statement;

typedef struct permi_instruction {
  uint16_t opcode, row, other, group;
  int first, count;
  int growth, halved; /* permi_growth; halves differences */
  unsigned dirty;     /* low columns it depends on, ALL */
} permi_instruction;

typedef enum permi_hybrid_algebra {
  PERMI_HYBRID_REAL, PERMI_HYBRID_COMPLEX, PERMI_HYBRID_DOUBLED, /* entries with 47 bits more; double-doubles */
  PERMI_HYBRID_WHOLE, PERMI_HYBRID_COMPLEX_DOUBLED, /* real value, error, imaginary value, error */
  PERMI_HYBRID_SHORT, PERMI_HYBRID_LONG, /* WHOLE + permi_growth */
  PERMI_HYBRID_MODULI, PERMI_HYBRID_COMPLEX_MODULI, /* for sums of |terms| */
  PERMI_HYBRID_ALGEBRAS = PERMI_HYBRID_SHORT
} permi_hybrid_algebra;

/* Primes below 2^47 reduce numbers below 2^97: 1.5 2^98 has the last place 2^46. */
#define PERMI_RESIDUE_BITS 47
#define PERMI_RESIDUE_GRID 475368975085586025561263702016.0

static PERMI_ALWAYS_INLINE int permi_hybrid_is_whole(int algebra)
{
  return algebra == PERMI_HYBRID_WHOLE || algebra == PERMI_HYBRID_SHORT || algebra == PERMI_HYBRID_LONG;
}

static PERMI_ALWAYS_INLINE int permi_hybrid_is_doubled(int algebra)
{
  return algebra == PERMI_HYBRID_DOUBLED || algebra == PERMI_HYBRID_COMPLEX_DOUBLED;
}

static PERMI_ALWAYS_INLINE int permi_hybrid_is_complex(int algebra)
{
  return algebra == PERMI_HYBRID_COMPLEX || algebra == PERMI_HYBRID_COMPLEX_DOUBLED;
}

static PERMI_ALWAYS_INLINE int permi_hybrid_parts(int algebra)
{
  return (permi_hybrid_is_complex(algebra) ? 2 : 1) * (permi_hybrid_is_doubled(algebra) ? 2 : 1);
}

static PERMI_ALWAYS_INLINE int permi_hybrid_row_parts(int algebra)
{
  return algebra == PERMI_HYBRID_COMPLEX_MODULI ? 2 : permi_hybrid_parts(algebra);
}

static PERMI_ALWAYS_INLINE double *permi_hybrid_slot(double *values, int line)
{
  return values + (size_t)line * 8;
}

typedef struct permi_hybrid_rounding {
  double floor[64];    /* raises a row's modulus */
  permi_shared shared;
  double majorant;     /* of moduli */
  double bits;
  double losses;       /* of terms with floors, or INFINITY */
  double unfloored;    /* without floors */
  double growth;       /* of sums of moduli and 1 */
} permi_hybrid_rounding;

struct permi_hybrid;
typedef struct permi_hybrid_family {
  void (*execute[PERMI_HYBRID_ALGEBRAS])(const struct permi_hybrid *hybrid, double *values, unsigned turned);
  void (*absolute[PERMI_HYBRID_ALGEBRAS])(const struct permi_hybrid *hybrid, double *values, unsigned turned);
  void (*add)(const struct permi_hybrid *hybrid, const double *block, double *total, int negative);
  void (*turn)(const struct permi_hybrid *hybrid, int j, int minus, double *values);
} permi_hybrid_family;

typedef struct permi_hybrid {
#if defined(PERM_WITH_CUDA)
  permi_gpu gpu;
#endif
  struct permi_code *code;    /* a GPU's, or NULL */
  int n, inner, low, high, lanes_log2, chunk_log2, walked, transposed, parts, lanes;
  permi_hybrid_algebra algebra;
  int operations, operation_room, statements, statement_room, constants, constant_room, slot_count, result;
  permi_instruction *operation;
  permi_statement *statement;
  double *constant;
  double *start;          /* [n][parts]: all signs + */
  double *lane;           /* [n][parts][lanes], added */
  double *sign;           /* 0: no pattern */
  double *step;           /* [high][n][parts]: 2a */
  size_t doubles;
  int touched[64][65];    /* a column's rows, then -1 */
  int order[64], line_exp2[2][64]; /* of the layout; of the scaling */
  int row_constant[65];           /* a row's first */
  uint32_t row_scope[64]; /* its inner columns */
  unsigned absolute_mask; /* one block in mask + 1 */
  uint64_t centre;        /* high columns with - in the largest terms */
  double rows_a_term;
  permi_hybrid_rounding rounding;
  double floor[PERMI_HYBRID_BASES]; /* 1: reduces a whole row */
  long long scale_exp2;
  perm_isa isa;
  uint64_t fingerprint;
  const permi_hybrid_family *family;
  struct permi_hybrid_runs *runs;
  double prime, inverse;          /* of residues, or 0 */
  int grows;
  int halvings;                   /* times 2^halvings */
} permi_hybrid;

/* ---- the sign search */

#define PERMI_SIGNS_BLOCK 9 /* columns: a set of patterns has 512 bits */
#define PERMI_SIGNS_WORDS 8 /* of counts or patterns */
#define PERMI_SIGNS_SUM_WORDS 10 /* 63 signs, 64 sums below 2^8, the sign */
#define PERMI_SIGNS_ZERO 128 /* counts sum 0; rows never 0 have target 0 */

/* A row of one block after its last prefix column: the patterns alive[count - least] do not make it 0. */
typedef struct permi_signs_cut {
  const uint64_t (*alive)[PERMI_SIGNS_WORDS];
  int place, least, entry, levels; /* what + adds */
} permi_signs_cut;

typedef struct permi_signs_frame {
  uint64_t count[PERMI_SIGNS_WORDS], alive[2][PERMI_SIGNS_WORDS];
} permi_signs_frame;

typedef enum permi_signs_class { /* the blocks that a row touches */
  PERMI_SIGNS_BOTH, PERMI_SIGNS_FIRST, PERMI_SIGNS_SECOND, PERMI_SIGNS_NONE
} permi_signs_class;

struct permi_signs_walk;
typedef struct permi_signs_family {
  /* Sets column k in frame k + 1; 0: no pattern is left. */
  int (*step)(struct permi_signs_walk *walk, int k, int bit);
  void (*search)(struct permi_signs_walk *walk, int k);
} permi_signs_family;

/* Rows have places by class, then when done. */
typedef struct permi_signs {
  permi_owned owned;
  const permi_signs_family *family;
  int n, prefix, length[2]; /* columns: prefix, block 0, block 1 */
  int words;
  double bits[4], sum_bits; /* of classes' products; of sums */
  int narrow;               /* 63 bits: products, sums of partners */
  int place[5];             /* where class c begins */
  int shared_words, own_word[2], width[2];
  int last[2];              /* last prefix column of own rows, or -1 */
  int16_t entry[PERM_MAX_N][PERM_MAX_N]; /* by place, column */
  unsigned char odd[PERM_MAX_N]; /* by place: the sum is odd */
  permi_signs_frame root;
  uint64_t target[PERMI_SIGNS_WORDS];      /* of class BOTH */
  uint64_t (*column)[PERMI_SIGNS_WORDS];   /* what + adds */
  uint64_t (*done)[PERMI_SIGNS_WORDS];     /* class NONE, by last column */
  int done_place[PERM_MAX_N + 1], cut_start[2 * PERM_MAX_N + 1]; /* step k, block b: from [2 k + b] */
  permi_signs_cut cut[PERM_MAX_N];
  uint64_t *pattern[2];     /* class BOTH, then own rows */
  uint16_t *group[2];       /* 2 group + (sign is -); same on BOTH */
  uint64_t *group_word[2];  /* [group][shared_words] */
  int groups[2];
  int by_table;             /* 1: sums even, to 8; 2: to 7 */
  uint64_t own_rows[2];     /* bytes from own_word on */
  uint64_t target_all[PERMI_SIGNS_WORDS]; /* 255 at class BOTH */
  int64_t *product;         /* by the sum of permi_signs_marks */
  int64_t three[40];
  /* living prefixes of `depth` columns, as bits; where chunks begin */
  int depth, ranges, doubled, twos, evens, gpu;
  uint64_t *path, *begin;
  perm_isa isa, isa_asked;
  int moves;
  double paths, seconds, gpu_seconds, spread, counted[4]; /* predicted: 95 %; nodes, joins, patterns, pairs */
  uint64_t fingerprint;
} permi_signs;

typedef struct permi_signs_walk {
  const permi_signs *signs;
  permi_signs_frame *frame; /* PERM_MAX_N + 1, aligned */
  int64_t product[PERM_MAX_N + 1]; /* its sign, unless narrow */
  uint64_t sum[PERMI_SIGNS_SUM_WORDS]; /* two's complement */
  uint64_t counted[4];
  /* until a column touches a block's own rows: sums of products, what block 1's groups add */
  int known[2], groups[2];
  uint16_t group[2][1 << PERMI_SIGNS_BLOCK];
  int64_t value[2][(1 << PERMI_SIGNS_BLOCK) + 8];
  uint64_t word[PERMI_SIGNS_WORDS][(1 << PERMI_SIGNS_BLOCK) + 8];
} permi_signs_walk;

static void permi_signs_pattern(const permi_signs *signs, int block, int y, uint64_t *count)
{
  const uint64_t *add = signs->pattern[block] + y * signs->width[block];
  const int shared = signs->shared_words, own = signs->own_word[block];
  for (int i = 0; i < shared; i++)
    count[i] += add[i];
  for (int i = shared; i < signs->width[block]; i++)
    count[own + i - shared] += add[i];
}

/* Returns the high bits of bytes that are 0, perhaps of bytes above one, too. */
static PERMI_ALWAYS_INLINE uint64_t permi_signs_zeros(uint64_t word)
{
  return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

/* Returns a row's sum, or half of an even one. */
static PERMI_ALWAYS_INLINE int64_t permi_signs_value(const permi_signs *signs, const unsigned char *count, int place)
{
  const int half = (int)count[place] - PERMI_SIGNS_ZERO;
  return signs->odd[place] ? 2 * half + 1 : half;
}

static PERMI_ALWAYS_INLINE int64_t permi_signs_product(const permi_signs *signs, const unsigned char *count, int place,
                                                       int end)
{
  int64_t product = 1;
  for (; place < end; place++)
    product *= permi_signs_value(signs, count, place);
  return product;
}

/* Codes of half sums -4 to 4 by their low four bits: bit 0: times 2, 1: 4, 2: 3, 7: negative. */
static const unsigned char permi_signs_codes[16] = {0, 0, 1, 4, 2, 0, 0, 0, 0, 0, 0, 0, 130, 132, 129, 128};

/* Marks are summed over eight rows: 1 times 2, 17 times 3, 153 negative. */
#define PERMI_SIGNS_SUMS 1378
static const unsigned char permi_signs_marks[16] = {0, 0, 1, 17, 2, 0, 0, 0, 0, 0, 0, 0, 155, 170, 154, 153};

static PERMI_ALWAYS_INLINE int64_t permi_signs_own(const permi_signs *signs, const uint64_t *own, int block,
                                                   const uint64_t *add)
{
  const int words = signs->width[block] - signs->shared_words;
  uint64_t c[PERMI_SIGNS_WORDS];
  for (int i = 0; i < words; i++)
    c[signs->own_word[block] + i] = own[i] + add[i];
  return permi_signs_product(signs, (const unsigned char *)c, signs->place[block + 1], signs->place[block + 2]);
}

static void permi_signs_total(permi_signs_walk *walk, permi_wide total)
{
  const int64_t factor = walk->product[walk->signs->prefix];
  const int negative = (int)(total.high >> 63) != (factor < 0);
  uint64_t x[PERMI_SIGNS_SUM_WORDS] = {0};
  const permi_wide size = total.high >> 63 ? permi_wide_negate(total) : total;
  const uint64_t times = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
  const permi_wide low = permi_multiply_words(size.low, times), high = permi_multiply_words(size.high, times);
  x[0] = low.low;
  x[1] = low.high + high.low;
  x[2] = high.high + (x[1] < low.high);
  if (negative)
    permi_words_subtract(walk->sum, x, walk->signs->words);
  else
    permi_words_add(walk->sum, x, walk->signs->words);
}

static void permi_signs_join_wide(permi_signs_walk *walk)
{
  const permi_signs *signs = walk->signs;
  const permi_signs_frame *frame = &walk->frame[signs->prefix];
  const int words = signs->words, n = signs->n;
  int pattern[2], w[2], i;
  uint64_t set[2], c[2][PERMI_SIGNS_WORDS], x[PERMI_SIGNS_SUM_WORDS];
  walk->counted[1]++;
  for (w[0] = 0; w[0] << 6 < 1 << signs->length[0]; w[0]++)
    for (set[0] = frame->alive[0][w[0]]; set[0]; set[0] &= set[0] - 1) {
      pattern[0] = w[0] << 6 | permi_trailing_zeros(set[0]);
      memcpy(c[0], frame->count, sizeof c[0]);
      permi_signs_pattern(signs, 0, pattern[0], c[0]);
      walk->counted[2]++;
      for (w[1] = 0; w[1] << 6 < 1 << signs->length[1]; w[1]++)
        for (set[1] = frame->alive[1][w[1]]; set[1]; set[1] &= set[1] - 1) {
          int negative = walk->product[signs->prefix] < 0, dead = 0;
          pattern[1] = w[1] << 6 | permi_trailing_zeros(set[1]);
          memcpy(c[1], c[0], sizeof c[1]);
          permi_signs_pattern(signs, 1, pattern[1], c[1]);
          negative ^= (signs->group[0][pattern[0]] ^ signs->group[1][pattern[1]]) & 1;
          walk->counted[3]++;
          for (i = 0; i < PERMI_SIGNS_SUM_WORDS; i++)
            x[i] = i == 0;
          for (i = 0; i < n && !dead; i++) {
            const int64_t value = permi_signs_value(signs, (const unsigned char *)c[1], i);
            negative ^= value < 0;
            dead = !value;
            permi_words_times(x, x, words, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 0);
          }
          if (!dead && negative)
            permi_words_subtract(walk->sum, x, words);
          else if (!dead)
            permi_words_add(walk->sum, x, words);
        }
    }
}

#define PERMI_FAMILY_TEXT PERM_SPARSE_HEADER_FILE
#define PERMI_FAMILY
#include PERM_HEADER_FILE
#undef PERMI_FAMILY_TEXT

PERMI_BRIEF_BEGIN

/* ========================================================================================== >>primes
   Primes below 2^62, and integers from their residues. */

/* Returns the words of signed integers below 2^bits; PERM_INTEGER_WORDS + 1: too many. */
static int permi_words_of_bits(double bits)
{
  return bits + 1 < 64 * PERM_INTEGER_WORDS ? (int)((bits + 1) / 64) + 1 : PERM_INTEGER_WORDS + 1;
}

/* Returns a^e, like a times 2^64. */
static uint64_t permi_prime_power(uint64_t a, uint64_t e, const permi_odd_modulus *prime)
{
  uint64_t power = prime->one;
  for (; e; e >>= 1) {
    power = e & 1 ? permi_montgomery(power, a, prime) : power;
    a = permi_montgomery(a, a, prime);
  }
  return power;
}

/* Returns 2^64 / a. */
static uint64_t permi_prime_inverse(uint64_t a, const permi_odd_modulus *prime)
{
  return permi_prime_power(permi_montgomery(a, prime->square, prime), prime->p - 2, prime);
}

/* Returns 1 if p < 2^63 is prime: Miller and Rabin's test to twelve primes suffices for 64 bits (J. Sorenson, J.
   Webster, Math. Comp. 86 (2017) 985-1003). */
static int permi_is_prime(uint64_t p)
{
  static const int base[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  const int bases = sizeof base / sizeof *base;
  uint64_t odd = p - 1;
  int twos = 0, k, s;
  if (p < 3 || !(p & 1))
    return p == 2;
  for (k = 0; k < bases; k++)
    if (p % (uint64_t)base[k] == 0)
      return p == (uint64_t)base[k];
  for (; !(odd & 1); odd >>= 1)
    twos++;
  permi_odd_modulus prime = permi_odd_modulus_of(p);
  for (k = 0; k < bases; k++) {
    uint64_t x = permi_prime_power(permi_montgomery((uint64_t)base[k], prime.square, &prime), odd, &prime);
    for (s = 1; s < twos && x != prime.one && x != p - prime.one; s++)
      x = permi_montgomery(x, x, &prime);
    if (x != p - prime.one && (s > 1 || x != prime.one))
      return 0;
  }
  return 1;
}

#define PERMI_PRIME_BITS 61.999 /* at most log2 of the first 2^40 primes below 2^62 */

/* with_root asks for one that is 1 modulo 4. */
static uint64_t permi_prime_below(uint64_t above, int with_root)
{
  do
    above = with_root ? ((above - 2) & ~UINT64_C(3)) + 1 : (above - 2) | 1;
  while (!permi_is_prime(above));
  return above;
}

static uint64_t permi_prime_root(const permi_odd_modulus *prime)
{
  for (uint64_t base = 2;; base++) {
    const uint64_t root = permi_prime_power(permi_montgomery(base, prime->square, prime), prime->p / 4, prime);
    if (permi_montgomery(root, root, prime) == prime->p - prime->one)
      return permi_montgomery(root, 1, prime);
  }
}

/* Sets word to the integer of least modulus with these residues. Returns 1 if negative. word, product: primes
   + 1 words. */
static int permi_chinese_remainder(const permi_odd_modulus *prime, const uint64_t *residue, int primes, uint64_t *word,
                                   uint64_t *product)
{
  const int words = primes + 1;
  int k, i, larger = 0;
  memset(word, 0, (size_t)words * sizeof *word);
  memset(product, 0, (size_t)words * sizeof *product);
  product[0] = 1;
  for (k = 0; k < primes; k++) { /* word is right modulo the product so far, and below it */
    const uint64_t p = prime[k].p, x = permi_words_residue(word, k + 1, 0, p);
    const uint64_t inverse = permi_prime_inverse(permi_words_residue(product, k + 1, 0, p), &prime[k]);
    const uint64_t digit = permi_montgomery(residue[k] >= x ? residue[k] - x : residue[k] + p - x, inverse, &prime[k]);
    word[k + 1] += permi_words_times(word, product, k + 1, digit, 1);
    product[k + 1] = permi_words_times(product, product, k + 1, p, 0);
  }
  for (i = words - 1; i >= 0 && !larger; i--) { /* word > product - word ? */
    const uint64_t twice = word[i] << 1 | (i ? word[i - 1] >> 63 : 0);
    larger = twice > product[i] ? 1 : twice < product[i] ? -1 : 0;
  }
  if (larger <= 0)
    return 0;
  permi_words_subtract(product, word, words);
  memcpy(word, product, (size_t)words * sizeof *word);
  return 1;
}

/* Sets Gaussian parts from residues r and s for i = root, -root: (r + s) / 2, (r - s) / (2 root). */
static void permi_residue_parts(const uint64_t *value, uint64_t root, const permi_odd_modulus *prime, uint64_t *real,
                                uint64_t *imaginary)
{
  const uint64_t p = prime->p, sum = permi_residue_add(value[0], value[1], 0, p);
  *real = sum & 1 ? sum / 2 + p / 2 + 1 : sum / 2;
  *imaginary = permi_montgomery(permi_residue_add(value[0], value[1], 1, p),
                                permi_prime_inverse(permi_residue_add(root, root, 0, p), prime), prime);
}

static uint64_t permi_residue_of(int64_t x, uint64_t p)
{
  const uint64_t modulus = x < 0 ? 0 - (uint64_t)x : (uint64_t)x, rest = modulus < p ? modulus : modulus % p;
  return x < 0 && rest ? p - rest : rest;
}

PERMI_UNUSED static uint64_t permi_residue_of_double(double x, uint64_t p)
{
  x = fmod(x, (double)p);
  return (uint64_t)(x < 0 ? x + (double)p : x);
}

static int permi_primes_needed(double bits)
{
  return (int)((bits + 1) / PERMI_PRIME_BITS) + 1;
}

static void permi_primes_choose(permi_odd_modulus *prime, size_t count, int with_root, int bits)
{
  uint64_t above = UINT64_C(1) << bits;
  for (size_t k = 0; k < count; k++) {
    above = permi_prime_below(above, with_root);
    prime[k] = permi_odd_modulus_of(above);
  }
}

/* Adds to *sum, modulo `modulus` unless 0; without primes residue[0]. word: 2 (primes + 1). PERM_ERROR_OVERFLOW: too
   long. */
static perm_status permi_residues_sum(const permi_odd_modulus *prime, const uint64_t *residue, int primes,
                                      uint64_t modulus, uint64_t *word, perm_sum *sum)
{
  int words = primes + 1, negative;
  if (!primes) {
    permi_sum_add_integer(sum, residue, 1, 0);
    return PERM_OK;
  }
  negative = permi_chinese_remainder(prime, residue, primes, word, word + words);
  if (modulus) {
    word[0] = permi_words_residue(word, words, negative, modulus);
    words = 1;
    negative = 0;
  }
  while (words > 0 && !word[words - 1])
    words--;
  if (words > PERM_INTEGER_WORDS)
    return PERM_ERROR_OVERFLOW;
  permi_sum_add_integer(sum, word, words, negative);
  return PERM_OK;
}

/* ========================================================================================= >>device
   What engines ask of perm_cuda.cu, or what stands in for it. */

struct permi_arrays_run;
struct permi_frontier;

#if defined(PERM_WITH_CUDA)
/* >>arrays_gpu */
PERMI_DEVICE perm_status permi_gpu_create(struct permi_arrays_run *run, char *message);
PERMI_DEVICE perm_status permi_gpu_begin(struct permi_arrays_run *run);
PERMI_DEVICE perm_status permi_gpu_step(struct permi_arrays_run *run, int p);
PERMI_DEVICE perm_status permi_gpu_scale(struct permi_arrays_run *run, size_t states, double first, double second);
PERMI_DEVICE perm_status permi_gpu_value(struct permi_arrays_run *run, void *value);
PERMI_DEVICE void permi_gpu_free(struct permi_arrays_run *run);
PERMI_DEVICE double permi_gpu_needs(const struct permi_frontier *frontier);
PERMI_DEVICE double permi_gpu_bytes(void);
/* >>program_plan */
PERMI_DEVICE double permi_code_rate(const permi_maker *maker, const permi_block *block, double otherwise);
PERMI_DEVICE perm_status permi_code_offer(permi_maker *maker, const permi_block *block, double rival,
                                          permi_offer *offer);
PERMI_DEVICE perm_status permi_code_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                         permi_leaf *leaf);
PERMI_DEVICE void permi_code_explain(const permi_hybrid *hybrid, char *buffer, size_t size, size_t *length);
PERMI_DEVICE void permi_code_drop(const perm_allocator *allocator, permi_hybrid *hybrid);
/* >>signs_gpu: the leaf takes over `signs` */
PERMI_DEVICE perm_status permi_signs_gpu_make(permi_maker *maker, permi_signs *signs, permi_leaf *leaf);
/* >>codegen */
PERMI_DEVICE perm_status permi_codegen_offer(permi_maker *maker, const permi_block *block, double rival,
                                             permi_offer *offer);
PERMI_DEVICE perm_status permi_codegen_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                            permi_leaf *leaf);
PERMI_DEVICE void permi_codegen_release(const perm_allocator *allocator, void *context);
#else
#define permi_gpu_create(run, message) (permi_gpu_devices(1, message), PERM_ERROR_DEVICE)
#define permi_gpu_begin(run) PERM_ERROR_DEVICE
#define permi_gpu_step(run, p) PERM_ERROR_DEVICE
#define permi_gpu_scale(run, states, first, second) PERM_ERROR_DEVICE
#define permi_gpu_value(run, value) PERM_ERROR_DEVICE
#define permi_gpu_free(run) (void)0
#define permi_gpu_needs(frontier) \
  (((frontier)->room[0] + (frontier)->room[1]) * (double)permi_arrays_bytes_at(frontier, (frontier)->steps))
#define permi_gpu_bytes() 0.0
#define permi_code_rate(maker, block, otherwise) (otherwise)
#define permi_code_offer(maker, block, rival, offer) PERM_OK
#define permi_code_explain(hybrid, buffer, size, length) (void)0
#define permi_code_drop(allocator, hybrid) (void)0
#define permi_signs_gpu_make(maker, signs, leaf) permi_refuse_device(maker)
#define permi_codegen_make NULL
#define permi_codegen_release NULL

static perm_status permi_refuse_device(permi_maker *maker)
{
  char message[PERM_MESSAGE_BYTES];
  permi_gpu_devices(1, message);
  return permi_fail(maker->result, PERM_ERROR_DEVICE, 0, "%s", message);
}

static perm_status permi_code_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  const int longer = !block->integer && offer->seconds > 2 * PERMI_GPU_COMPILE;
  (void)leaf;
  return permi_gpu_wanted(maker->options, block->n) && (maker->options->isa == PERM_ISA_CUDA || longer)
             ? permi_refuse_device(maker) : PERM_OK;
}

static perm_status permi_codegen_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  (void)block, (void)rival;
  return permi_refuse(offer, PERM_ERROR_DEVICE, maker->options->gpu.devices
      ? "needs a GPU for this method: perm.h was compiled without PERM_WITH_CUDA"
      : "needs a GPU for this method: options.gpu.devices, or gpu.cpu_fallback");
}
#endif

PERMI_BRIEF_END

/* ========================================================================================= >>values
   Values of >>ring, and what runs engines. Functions return 0 without memory. */

#define PERMI_SAFE_PRODUCT 1e-290 /* larger products lose nothing by underflow: tests/proofs/frontier.g */

#define PERMI_ALGEBRAS(DO)                                                                                             \
  DO(magnitudes, PERMI_MAGNITUDES) DO(signed, PERMI_SIGNED) DO(complex, PERMI_COMPLEX)                                 \
  DO(magnitudes_dd, PERMI_MAGNITUDES_DD) DO(signed_dd, PERMI_SIGNED_DD) DO(complex_dd, PERMI_COMPLEX_DD)               \
  DO(word, PERMI_WORD) DO(wide, PERMI_WIDE) DO(words, PERMI_WORDS) DO(residues, PERMI_RESIDUES)

static permi_coefficient permi_coefficient_reduced(permi_coefficient c, const permi_numbers *numbers)
{
  for (int part = 0; part < 2 && numbers->algebra == PERMI_RESIDUES; part++)
    c.integer[part] = (int64_t)permi_wide_residue(permi_wide_of(c.integer[part]), numbers->modulus);
  return c;
}

static permi_coefficient permi_coefficient_of(const permi_block *block, int edge, const permi_numbers *numbers)
{
  permi_coefficient c;
  memset(&c, 0, sizeof c);
  if (block->real) {
    c.real = block->real[edge];
    c.imaginary = block->imaginary ? block->imaginary[edge] : 0;
    c.absolute = block->absolute[edge];
  }
  if (block->integer)
    c.integer[0] = block->integer[edge];
  if (block->imaginary_integer)
    c.integer[1] = block->imaginary_integer[edge];
  return permi_coefficient_reduced(c, numbers);
}

static int permi_entries_equal(const permi_block *block, int a, int b)
{
  if (block->integer)
    return block->integer[a] == block->integer[b] &&
           (!block->imaginary_integer || block->imaginary_integer[a] == block->imaginary_integer[b]);
  return block->real[a] == block->real[b] && block->absolute[a] == block->absolute[b] &&
         (!block->imaginary || block->imaginary[a] == block->imaginary[b]);
}

static uint64_t permi_coefficient_hash(uint64_t hash, const permi_coefficient *c)
{
  hash = permi_hash_double(permi_hash_double(permi_hash_double(hash, c->real), c->imaginary), c->absolute);
  return permi_hash(permi_hash(hash, (uint64_t)c->integer[0]), (uint64_t)c->integer[1]);
}

static permi_coefficient permi_coefficient_one(void)
{
  const permi_coefficient one = {1, 0, 1, 0, 0, {1, 0}};
  return one;
}

/* Adds the modulus to *weight; lowers *least to the least non-zero part. */
static void permi_coefficient_weigh(const permi_coefficient *c, double *weight, double *least)
{
  *weight += c->absolute;
  *least = fmin(*least, c->absolute > 0 ? c->absolute : *least);
  *least = fmin(*least, c->real != 0 ? fabs(c->real) : *least);
  *least = fmin(*least, c->imaginary != 0 ? fabs(c->imaginary) : *least);
}

/* Integers have one word a part. */
static PERMI_ALWAYS_INLINE permi_coefficient permi_coefficient_from(permi_algebra algebra, const permi_numbers *numbers,
                                                                    const void *value)
{
  const double *x = (const double *)value;
  const int dd = permi_algebra_is_dd(algebra), size = (int)permi_value_words(algebra, numbers);
  permi_coefficient c;
  memset(&c, 0, sizeof c);
  if (permi_algebra_is_integer(algebra)) {
    memcpy(c.integer, value, (size_t)size * sizeof(int64_t));
    return c;
  }
  c.real = x[0];
  c.real_low = dd ? x[1] : 0;
  c.imaginary = algebra == PERMI_PAIR_VALUES || size > 2 + 2 * dd ? x[1 + dd] : 0;
  c.imaginary_low = dd && size > 4 ? x[3] : 0;
  c.absolute = x[size - 1];
  return c;
}

/* Multiplies c. Returns how often to add it: `factor` times if the product overflows, else once. */
static size_t permi_coefficient_multiply(const permi_numbers *numbers, permi_coefficient *c, uint32_t factor)
{
  const int64_t times = (int64_t)factor;
  if (permi_algebra_is_integer(numbers->algebra)) {
    for (int part = 0; part < 2 && numbers->algebra != PERMI_RESIDUES; part++)
      if (c->integer[part] > INT64_MAX / times || c->integer[part] < -(INT64_MAX / times))
        return factor;
    for (int part = 0; part < 2; part++)
      c->integer[part] = numbers->algebra == PERMI_RESIDUES
                             ? (int64_t)permi_residue_multiply((uint64_t)c->integer[part], factor % numbers->modulus,
                                                               numbers->modulus)
                             : c->integer[part] * times;
    return 1;
  }
  if (permi_algebra_is_dd(numbers->algebra)) {
    const permi_dd real = {c->real, c->real_low}, imaginary = {c->imaginary, c->imaginary_low};
    const permi_dd x = permi_dd_multiply(real, permi_dd_make(factor));
    const permi_dd y = permi_dd_multiply(imaginary, permi_dd_make(factor));
    c->real = x.hi;
    c->real_low = x.lo;
    c->imaginary = y.hi;
    c->imaginary_low = y.lo;
  } else {
    c->real *= factor;
    c->imaginary *= factor;
  }
  c->absolute *= factor;
  return 1;
}

static PERMI_ALWAYS_INLINE void permi_value_fuse(permi_algebra algebra, const permi_numbers *numbers, const void *a,
                                                 void *y, const void *x)
{
  if (algebra == PERMI_WORDS) {
    permi_words_accumulate(numbers->words, numbers->parts, (const uint64_t *)a, (uint64_t *)y, (const uint64_t *)x);
  } else {
    const permi_coefficient c = permi_coefficient_from(algebra, numbers, a);
    permi_value_add(algebra, numbers, &c, y, x, 0);
  }
}

static PERMI_ALWAYS_INLINE void permi_values_add_of(permi_algebra algebra, const permi_numbers *numbers,
                                                    const permi_coefficient *c, void *y, const void *x, size_t count,
                                                    int fresh)
{
  const size_t bytes = 8 * permi_value_words(algebra, numbers);
  for (size_t k = 0; k < count; k++)
    permi_value_add(algebra, numbers, c, (char *)y + k * bytes, (const char *)x + k * bytes, fresh);
}

/* Adds c times values, or stores them if fresh; pair: places, from | to << 16, or NULL. */
static PERMI_ALWAYS_INLINE void permi_values_move_of(permi_algebra algebra, const permi_numbers *numbers,
                                                     const permi_coefficient *c, void *y, const void *x,
                                                     const uint32_t *pair, size_t count, int fresh)
{
  const permi_coefficient kept = *c;
  const size_t bytes = 8 * permi_value_words(algebra, numbers);
  if (fresh)
    permi_values_add_of(algebra, numbers, &kept, y, x, count, 1);
  else if (!pair)
    permi_values_add_of(algebra, numbers, &kept, y, x, count, 0);
  else
    for (size_t k = 0; k < count; k++)
      permi_value_add(algebra, numbers, &kept, (char *)y + (pair[k] >> 16) * bytes,
                      (const char *)x + (pair[k] & 65535) * bytes, 0);
}

typedef void (*permi_values_adder)(const permi_numbers *numbers, const permi_coefficient *c, void *y, const void *x,
                                   const uint32_t *pair, size_t count, int fresh);
#define PERMI_INSTANCE(name, algebra)                                                                                  \
  static void permi_values_add_##name(const permi_numbers *numbers, const permi_coefficient *c, void *y,               \
                                      const void *x, const uint32_t *pair, size_t count, int fresh)                    \
  { permi_values_move_of(algebra, numbers, c, y, x, pair, count, fresh); }
PERMI_ALGEBRAS(PERMI_INSTANCE)
#undef PERMI_INSTANCE

#define PERMI_NAMED(name, algebra) permi_values_add_##name,
static const permi_values_adder permi_values_adders[] = {PERMI_ALGEBRAS(PERMI_NAMED) NULL};
#undef PERMI_NAMED

static PERMI_ALWAYS_INLINE void permi_values_add(const permi_numbers *numbers, const permi_coefficient *c, void *y,
                                                 const void *x, size_t count)
{
  permi_values_adders[numbers->algebra](numbers, c, y, x, NULL, count, 0);
}

static void permi_value_sum(const permi_numbers *numbers, const void *value, perm_partial *partial)
{
  const int size = permi_algebra_is_integer(numbers->algebra) ? 0 : (int)permi_numbers_words(numbers);
  permi_value_sum_parts(numbers, value, partial);
  for (int k = permi_algebra_has_moduli(numbers->algebra) ? size - 1 : 0; k < size; k++)
    permi_sum_add_double(&partial->absolute, ((const double *)value)[k]);
}

/* True values are 2^exp2 times as large. `smallest` and `largest` bound non-zero moduli; underflow causes `loss`. */
typedef struct permi_sizes {
  double smallest, largest, loss;
  long long exp2;
} permi_sizes;

static void permi_sizes_clear(permi_sizes *sizes)
{
  sizes->smallest = DBL_MAX;
  sizes->largest = 0;
}

static void permi_sizes_join(permi_sizes *sizes, const permi_sizes *other)
{
  sizes->smallest = other->smallest < sizes->smallest ? other->smallest : sizes->smallest;
  sizes->largest = other->largest > sizes->largest ? other->largest : sizes->largest;
}

/* Measures in four chains, as a minimum takes four cycles. */
static void permi_values_extremes(const double *x, size_t doubles, size_t stride, permi_sizes *sizes)
{
  double low[4], high[4];
  size_t k;
  for (int j = 0; j < 4; j++) {
    low[j] = sizes->smallest;
    high[j] = sizes->largest;
  }
  for (k = 0; k + 3 * stride < doubles; k += 4 * stride)
    for (int j = 0; j < 4; j++) {
      const double y = fabs(x[k + (size_t)j * stride]), z = y > 0 ? y : DBL_MAX;
      low[j] = z < low[j] ? z : low[j];
      high[j] = y > high[j] ? y : high[j];
    }
  for (; k < doubles; k += stride) {
    const double y = fabs(x[k]), z = y > 0 ? y : DBL_MAX;
    low[0] = z < low[0] ? z : low[0];
    high[0] = y > high[0] ? y : high[0];
  }
  for (int j = 0; j < 4; j++) {
    sizes->smallest = low[j] < sizes->smallest ? low[j] : sizes->smallest;
    sizes->largest = high[j] > sizes->largest ? high[j] : sizes->largest;
  }
}

/* Returns e of the factor 2^-e, 0 between 1 / beyond and beyond. Products below `safe` may lose low parts. */
static int permi_sizes_rescale(permi_sizes *sizes, double beyond, double safe)
{
  if (sizes->largest == 0 || (sizes->largest > 1 / beyond && sizes->largest < beyond))
    return 0;
  const int e = permi_exponent(sizes->largest);
  sizes->loss = permi_loss_scaled(sizes->loss, 1, -e);
  sizes->smallest = ldexp(sizes->smallest, -e);
  sizes->largest = ldexp(sizes->largest, -e);
  if (e > 0 && sizes->smallest < safe)
    sizes->loss += 2 * DBL_MIN;
  sizes->exp2 += e;
  return e;
}

static void permi_values_scale(double *x, size_t doubles, int e)
{
  const double first = ldexp(1, -(e / 2)), second = ldexp(1, e / 2 - e);
  for (size_t k = 0; k < doubles; k++)
    x[k] = x[k] * first * second;
}

/* Moduli above 2^-PERMI_CANCELS times all values come down, and bound nothing. */
#define PERMI_CANCELS_STEPS 31 /* a mask */
static void permi_values_ease(const permi_numbers *numbers, void *values, size_t count, permi_sizes *sizes)
{
  const size_t size = permi_numbers_words(numbers), all = count * size;
  double *x = (double *)values, most = 0, most_value = 0;
  if (!permi_algebra_has_moduli(numbers->algebra))
    return;
  for (size_t t = 0; t < all; t += size) {
    most = fmax(most, x[t + size - 1]);
    for (size_t k = 0; k + 1 < size; k++)
      most_value = fmax(most_value, fabs(x[t + k]));
  }
  const int e = most_value > 0 ? permi_exponent(most_value) - permi_exponent(most) : 0;
  if (e > PERMI_CANCELS)
    return;
  permi_sizes_clear(sizes);
  sizes->loss = (double)INFINITY;
  for (size_t t = 0; t < all; t += size) {
    double *modulus = &x[t + size - 1];
    *modulus = ldexp(*modulus, e);
    for (size_t k = 0; k + 1 < size; k++)
      *modulus = fmax(*modulus, fabs(x[t + k]));
  }
  permi_values_extremes(x + size - 1, all, size, sizes);
}

/* Scales moduli into [1/2, 1). `sizes` comes in every 32nd step, where cancelled values give up moduli. */
static void permi_values_normalise(const permi_numbers *numbers, void *values, size_t count, int64_t *exp2,
                                   permi_sizes *sizes)
{
  const size_t size = permi_numbers_words(numbers);
  permi_sizes own;
  double *x = (double *)values;
  for (size_t t = 0; t < count; t++, x += size)
    if (x[size - 1] != 0) {
      own.loss = 0;
      if (sizes && fabs(x[0]) < 1e-180 * x[size - 1])
        permi_values_ease(numbers, x, 1, &own);
      if (own.loss > 0)
        sizes->loss = own.loss;
      const int e = permi_exponent(x[size - 1]);
      for (size_t k = 0; k < size; k++)
        x[k] = permi_shift(x[k], -e);
      exp2[t] += e;
    }
}

/* Adds c x 2^exp2 to y 2^*to. */
static void permi_value_add_apart(const permi_numbers *numbers, const permi_coefficient *c, void *to_value, int64_t *to,
                                  const void *x, int64_t exp2)
{
  const permi_coefficient one = permi_coefficient_one();
  const size_t size = permi_numbers_words(numbers);
  double product[5] = {0, 0, 0, 0, 0}, *y = (double *)to_value;
  const int fresh = y[size - 1] == 0, e = fresh ? 0 : permi_int_exponent(exp2 - *to);
  if (((const double *)x)[size - 1] == 0)
    return;
  if (fresh || e > 0)
    *to = exp2;
  if (e == 0) {
    permi_values_add(numbers, c, y, x, 1);
    return;
  }
  permi_values_add(numbers, c, product, x, 1);
  for (size_t k = 0; k < size; k++)
    if (e > 0)
      y[k] = permi_shift(y[k], -e);
    else
      product[k] = permi_shift(product[k], e);
  permi_values_add(numbers, &one, y, product, 1);
}

static void permi_values_track(permi_algebra algebra, const void *values, size_t count, permi_sizes *sizes)
{
  const double *x = (const double *)values;
  const size_t size = permi_algebra_is_integer(algebra) ? 0 : permi_value_words(algebra, NULL);
  const size_t stride = permi_algebra_is_dd(algebra) ? 2 : 1;
  if (size % stride == 0)
    permi_values_extremes(x, count * size, stride, sizes);
  else
    for (; count > 0; count--, x += size)
      permi_values_extremes(x, size, 2, sizes);
}

/* Returns a bound relative to the sum of moduli, which has `moduli` roundings (tests/proofs/frontier.g). */
static double permi_terms_bound(const permi_numbers *numbers, double roundings, double operations, double moduli)
{
  double gamma = permi_gamma(roundings + operations);
  if (permi_algebra_is_dd(numbers->algebra))
    gamma = permi_gamma(roundings) * (1 + 1e-12) + operations * PERMI_DD_UNIT / (1 - operations * PERMI_DD_UNIT);
  return gamma / (1 - permi_gamma(roundings + moduli)) * (1 + 8 * PERMI_UNIT);
}

typedef struct permi_majorant {
  double sum, bits;
  int count, others; /* of modulus not 1; with free lines all */
} permi_majorant;

static void permi_majorant_enter(const permi_block *block, int edge, permi_majorant *line)
{
  double x = fabs((double)block->integer[edge]);
  if (block->imaginary_integer)
    x += fabs((double)block->imaginary_integer[edge]);
  line->sum += x;
  line->count++;
  line->others += x != 1 || block->free_lines;
}

/* Returns log2 of a line's factor in a bound on permanents, which never falls as entries come: the sum of moduli, or
   r!^(1/r) for moduli 1 [Bre73]. */
static double permi_majorant_bits(const permi_majorant *line)
{
  return line->count == 0 ? 0
         : line->others   ? log2(fmax(line->sum, 1))
                          : permi_log2_factorial(line->count) / line->count;
}

static double permi_majorants_bits(const double *bits)
{
  return (bits[0] < bits[1] ? bits[0] : bits[1]) * (1 + 1e-10) + 1e-6;
}

static double permi_block_bits(const permi_block *block)
{
  double bits[2] = {0, 0};
  for (int v = 0; v < block->vertices; v++) {
    permi_majorant line = {0, 0, 0, 0};
    for (int e = block->start[v]; e < block->start[v + 1]; e++)
      permi_majorant_enter(block, block->edge[e], &line);
    if (block->free_lines)
      permi_majorant_enter(block, permi_block_alone(block, v), &line);
    bits[v >= block->n] += permi_majorant_bits(&line);
  }
  if (block->free_lines) /* sums of columns bound nothing */
    bits[1] = (double)INFINITY;
  return permi_majorants_bits(bits);
}

static void permi_numbers_lengthen(permi_numbers *numbers, int words)
{
  numbers->words = words;
  numbers->algebra = numbers->parts == 2 || words > 2 ? PERMI_WORDS : words == 2 ? PERMI_WIDE : PERMI_WORD;
}

static int permi_sparse_doubled(const perm_options *options)
{
  return options->precision == PERM_PRECISION_DD;
}

/* Returns 0 if integers are too long without modulus. */
#define PERMI_RESIDUE_WORDS 8
static int permi_numbers_choose(permi_numbers *numbers, const permi_block *block, uint64_t modulus, int doubled)
{
  memset(numbers, 0, sizeof *numbers);
  numbers->words = 1;
  numbers->parts = (block->integer ? block->imaginary_integer != NULL : block->imaginary != NULL) ? 2 : 1;
  if (block->integer) {
    permi_numbers_lengthen(numbers, permi_words_of_bits(permi_block_bits(block)));
    if (modulus && numbers->words > PERMI_RESIDUE_WORDS) {
      numbers->algebra = PERMI_RESIDUES;
      numbers->modulus = modulus;
      numbers->words = 1;
    }
    return numbers->words <= PERM_INTEGER_WORDS;
  }
  for (int e = 0; e < permi_block_values(block) && numbers->algebra == PERMI_MAGNITUDES; e++)
    if (block->real[e] != block->absolute[e])
      numbers->algebra = PERMI_SIGNED;
  if (block->imaginary)
    numbers->algebra = PERMI_COMPLEX;
  if (doubled)
    numbers->algebra = (permi_algebra)((int)numbers->algebra + PERMI_MAGNITUDES_DD);
  return 1;
}

static const char *permi_numbers_text(const permi_numbers *numbers, int moduli)
{
  static const char *const text[] = {"doubles", "doubles with moduli", "complex doubles", "double-doubles",
                                     "double-doubles with moduli", "complex double-doubles", "64-bit integers",
                                     "128-bit integers", "integers of several words", "residues"};
  return text[numbers->algebra == PERMI_SIGNED_DD && !moduli ? PERMI_MAGNITUDES_DD : numbers->algebra];
}

/* The same; double-doubles get moduli. */
static int permi_numbers_choose_moduli(permi_numbers *numbers, const permi_block *block, uint64_t modulus, int doubled)
{
  const int fits = permi_numbers_choose(numbers, block, modulus, doubled);
  if (numbers->algebra == PERMI_MAGNITUDES_DD)
    numbers->algebra = PERMI_SIGNED_DD;
  return fits;
}

typedef struct permi_runner permi_runner;
struct permi_runner {
  permi_control *control; /* or NULL */
  const char *activity;
  int threads;
  permi_pool pool;
  perm_allocator locked; /* the caller's need not be thread-safe */
  double done, unpolled, visited; /* predicted seconds */
  int stop; /* of thread 0 */
  permi_sizes sizes;
  perm_status (*keep)(permi_runner *run, int p); /* or NULL; takes the states before step p: >>trace */
  void *keeper;
};

typedef perm_status (*permi_runner_step)(permi_runner *run, int p);

static void *permi_locked_allocate(size_t bytes, void *user_data)
{
  void *memory;
  PERMI_OMP(critical(permi_lists_memory))
  memory = permi_allocate((const perm_allocator *)user_data, bytes, 1);
  return memory;
}

static void permi_locked_release(void *memory, void *user_data)
{
  PERMI_OMP(critical(permi_lists_memory))
  permi_release((const perm_allocator *)user_data, memory);
}

#define PERMI_RUNNER_POLL 262144

/* Callers, also of functions that open an engine's run, have cleared it except for `keep`. */
static void permi_runner_begin(permi_runner *run, const perm_allocator *allocator, permi_control *control,
                               const char *activity)
{
  run->control = control;
  run->activity = activity;
  run->threads = control ? permi_threads(control->options) : 1;
  run->pool.allocator = allocator;
  run->locked.allocate = permi_locked_allocate;
  run->locked.release = permi_locked_release;
  run->locked.user_data = (void *)(uintptr_t)allocator;
  run->sizes.smallest = run->sizes.largest = 1;
  run->unpolled = PERMI_RUNNER_POLL;
}

/* Thread 0 asks once every PERMI_RUNNER_POLL states whether to stop. */
static perm_status permi_runner_poll(permi_runner *run, double states, double seconds, int thread)
{
  int stop = PERM_OK;
  if (thread) {
    PERMI_OMP(atomic read)
    stop = run->stop;
  } else if (run->control && (run->unpolled += states) >= PERMI_RUNNER_POLL) {
    run->unpolled = 0;
    stop = (int)permi_control_poll(run->control, seconds, run->activity);
    PERMI_OMP(atomic write)
    run->stop = stop;
  }
  return (perm_status)stop;
}

static perm_status permi_runner_go(permi_runner *run, int from, int to, permi_runner_step step)
{
  perm_status status = PERM_OK;
  for (int p = from; p < to && status == PERM_OK; p++) {
    status = permi_runner_poll(run, PERMI_RUNNER_POLL / 16, run->done, 0);
    if (status == PERM_OK && run->keep)
      status = run->keep(run, p);
    if (status == PERM_OK)
      status = step(run, p);
  }
  return status;
}

static void permi_runner_finish(const permi_runner *run, const permi_numbers *numbers, const void *value,
                                double lost_error, perm_partial *partial)
{
  double loss = run->sizes.loss;
  partial->terms += run->visited;
  if (value)
    permi_value_sum(numbers, value, partial);
  if (!value || permi_algebra_is_integer(numbers->algebra))
    return;
  if (lost_error > 0)
    loss += DBL_MIN + permi_ldexp(lost_error, -run->sizes.exp2);
  partial->lost += 2 * loss;
  partial->exp2 = run->sizes.exp2;
}

/* `unit` is that of the roundings in `bound`. */
static void permi_leaf_values(permi_leaf *leaf, const permi_numbers *numbers, double bound, double unit,
                              perm_status (*task)(const permi_leaf *, permi_control *, perm_partial *),
                              size_t (*explain)(const permi_leaf *, char *, size_t))
{
  leaf->run_task = task;
  leaf->explain = explain;
  leaf->integer = permi_algebra_is_integer(numbers->algebra);
  if (!leaf->integer) {
    leaf->bound_relative = bound;
    leaf->estimate_relative = fmin(4 * sqrt(unit * bound), bound);
  }
}

/* ======================================================================================= >>frontier
   The dynamic program over the vertices of a frontier, and sorted lists of its states. */

/* A state is a mask of slots (1: that vertex is matched); its value sums the products of entries over the ways to it.
   Eliminating v drops its bit where v is matched, else matches v with each free neighbour t. A vertex without
   neighbours left must be matched; with free lines (>>walk) it has a step of its own, and a further stream leaves v
   unmatched. So a step is a union of streams, the drop and one for each t: states with (mask & test) == want go to mask
   ^ flip, times a coefficient. Flipped bits are tested or free, so streams stay sorted, and are merged [DOB15] by
   groups, states with equal bits above the low PERMI_LOW_BITS. Their low masks are their pattern, of few: a state costs
   its value. */

#define PERMI_LOW_BITS 9 /* the fastest: docs/engines.md */
#define PERMI_LOW_STATES (1 << PERMI_LOW_BITS)
#define PERMI_LOW_WORDS (PERMI_LOW_STATES / 64)
#define PERMI_FRONTIER_WIDTH PERMI_ORDER_WIDTH
#define PERMI_MASK_WORDS (PERMI_FRONTIER_WIDTH / 64)
#define PERMI_GROUP_BYTES 2

typedef struct permi_array_residues {
  int passes, primes, bits; /* 0 passes: impossible; 0 primes: modulo `modulus` or, if 0, whole doubles */
  uint64_t modulus;
  double seconds;
} permi_array_residues;

typedef struct permi_arrays {
  perm_isa isa;
  int by_residues, low, middle, top, lefts; /* lefts: >>arrays */
  permi_array_residues residues;
  unsigned char *growth;
  double bytes;
  uint64_t *occupied, *rows, *born; /* steps + 1: slots in use, of rows, new */
} permi_arrays;

typedef struct permi_frontier {
  permi_owned owned;
  permi_numbers numbers;
  int steps, width, slot_count, mask_words, vertices, rows; /* rows: 0 without free lines */
  int *stream_start; /* steps + 1 */
  permi_coefficient *coefficient;
  int *partner, *entry;   /* of a stream: t, -1: none; the edge, or -1 - v: v stays, or INT_MIN */
  uint64_t *mask;         /* test, want, flip */
  double *states, *cost;  /* bounds; costs before steps */
  double additions, bound_relative, lost_error, room[2]; /* room: states of even, odd steps */
  int *sequence, *birth, *death, *slot; /* of a step: vertex; of a vertex: steps or -1 */
  int *ones, *most, *words; /* >>arrays: least, most; words of an integer, or NULL */
  double *bits;      /* log2 of a bound on integers, or NULL */
  permi_arrays *arrays; /* or NULL: lists */
} permi_frontier;

static int permi_frontier_streams_most(const permi_frontier *frontier)
{
  int p, most = 1;
  for (p = 0; p < frontier->steps; p++) {
    const int streams = frontier->stream_start[p + 1] - frontier->stream_start[p];
    most = streams > most ? streams : most;
  }
  return most;
}

typedef struct permi_patterns {
  int count, room;
  uint64_t *bits;
  size_t *first;
  uint16_t *low;
  size_t low_room;
  int *table;
} permi_patterns;

typedef struct permi_list {
  size_t groups, group_room, states, state_room;
  int words;
  uint64_t *high;
  size_t *first;
  int *pattern;
  void *value;
  permi_patterns patterns;
} permi_list;

static void permi_list_release(const perm_allocator *allocator, permi_list *list)
{
  permi_release(allocator, list->high);
  permi_release(allocator, list->first);
  permi_release(allocator, list->pattern);
  permi_release(allocator, list->patterns.bits);
  permi_release(allocator, list->patterns.first);
  permi_release(allocator, list->patterns.low);
  permi_release(allocator, list->patterns.table);
}

static int permi_list_room(const perm_allocator *allocator, permi_list *list, size_t more)
{
  const size_t used = list->groups;
  size_t room = list->group_room ? list->group_room : 64;
  while (room < used + more)
    room *= 2;
  if (room > list->group_room &&
      !(permi_enlarge(allocator, NULL, &list->high, used, room, (size_t)list->words * sizeof *list->high) &&
        permi_enlarge(allocator, NULL, &list->first, used, room, sizeof *list->first) &&
        permi_enlarge(allocator, NULL, &list->pattern, used, room, sizeof *list->pattern)))
    return 0;
  list->group_room = room;
  return 1;
}

static void permi_patterns_clear(permi_patterns *patterns)
{
  patterns->count = 0;
  if (patterns->table)
    memset(patterns->table, 0, 2 * (size_t)patterns->room * sizeof *patterns->table);
}

static int *permi_patterns_place(const permi_patterns *patterns, const uint64_t *bits)
{
  const size_t mask = 2 * (size_t)patterns->room - 1;
  uint64_t h = 0, g = 1;
  for (int w = 0; w < PERMI_LOW_WORDS; w += 2) {
    h = (h ^ bits[w]) * UINT64_C(0x9e3779b97f4a7c15);
    g = (g ^ bits[w + 1]) * UINT64_C(0xc2b2ae3d27d4eb4f);
  }
  h ^= g + (h >> 29) + (g >> 31);
  size_t place = (size_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
  for (; patterns->table[place]; place = (place + 1) & mask)
    if (!memcmp(patterns->bits + (size_t)(patterns->table[place] - 1) * PERMI_LOW_WORDS, bits,
                PERMI_LOW_WORDS * sizeof *bits))
      break;
  return &patterns->table[place];
}

static int permi_patterns_find(const perm_allocator *allocator, permi_patterns *patterns, const uint64_t *bits)
{
  const int pattern = patterns->count;
  if (pattern == patterns->room) {
    const size_t room = pattern ? 2 * (size_t)pattern : 32, count = (size_t)pattern;
    if (!(permi_enlarge(allocator, NULL, &patterns->bits, count, room, PERMI_LOW_WORDS * sizeof(uint64_t)) &&
          permi_enlarge(allocator, NULL, &patterns->first, count ? count + 1 : 0, room + 1, sizeof(size_t)) &&
          permi_enlarge(allocator, NULL, &patterns->table, 0, 2 * room, sizeof *patterns->table)))
      return -1;
    patterns->room = (int)room;
    patterns->first[0] = 0;
    memset(patterns->table, 0, 2 * room * sizeof *patterns->table);
    for (int i = 0; i < pattern; i++)
      *permi_patterns_place(patterns, patterns->bits + (size_t)i * PERMI_LOW_WORDS) = i + 1;
  }
  int *place = permi_patterns_place(patterns, bits);
  if (*place)
    return *place - 1;
  size_t used = patterns->first[pattern];
  if (!permi_room(allocator, NULL, &patterns->low, used, PERMI_LOW_STATES, &patterns->low_room, sizeof(uint16_t)))
    return -1;
  for (int w = 0; w < PERMI_LOW_WORDS; w++) {
    uint64_t x = bits[w];
    for (; x; x &= x - 1)
      patterns->low[used++] = (uint16_t)(64 * w + permi_trailing_zeros(x));
  }
  memcpy(patterns->bits + (size_t)pattern * PERMI_LOW_WORDS, bits, PERMI_LOW_WORDS * sizeof *bits);
  patterns->first[++patterns->count] = used;
  *place = pattern + 1;
  return pattern;
}

static const uint64_t permi_even[6] = {UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
                                       UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x00ff00ff00ff00ff),
                                       UINT64_C(0x0000ffff0000ffff), UINT64_C(0x00000000ffffffff)};

/* A stream in a list of groups: masks and key have the high bits. */
typedef struct permi_cursor {
  uint64_t test[PERMI_MASK_WORDS], want[PERMI_MASK_WORDS], flip[PERMI_MASK_WORDS];
  uint64_t key[PERMI_MASK_WORDS]; /* at the end all ones */
  size_t group, end;
  unsigned low_test, low_want, low_flip;
  uint64_t keep[PERMI_LOW_WORDS];
  permi_coefficient c;
} permi_cursor;

static PERMI_ALWAYS_INLINE int permi_key_compare(const uint64_t *a, const uint64_t *b, int words)
{
  int w;
  for (w = words - 1; w > 0 && a[w] == b[w]; w--)
    ;
  return a[w] < b[w] ? -1 : a[w] > b[w];
}

/* The first key not below, or after. */
static size_t permi_list_seek(const permi_list *list, const uint64_t *key, int after)
{
  size_t begin = 0, end = list->groups;
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (permi_key_compare(list->high + middle * (size_t)list->words, key, list->words) < after)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

static PERMI_ALWAYS_INLINE void permi_cursor_settle(permi_cursor *cursor, const permi_list *source, int words)
{
  const uint64_t *high = source->high + cursor->group * (size_t)words;
  for (; cursor->group < cursor->end; cursor->group++, high += words) {
    uint64_t differs = 0;
    for (int w = 0; w < words; w++)
      differs |= (high[w] & cursor->test[w]) ^ cursor->want[w];
    if (!differs)
      break;
  }
  for (int w = 0; w < words; w++)
    cursor->key[w] = cursor->group < cursor->end ? high[w] ^ cursor->flip[w] : UINT64_MAX;
}

static uint64_t permi_stream_word(const permi_frontier *frontier, int stream, int which, int word)
{
  const size_t words = (size_t)frontier->mask_words;
  return word < frontier->mask_words ? frontier->mask[((size_t)stream * 3 + (size_t)which) * words + (size_t)word] : 0;
}

static void permi_cursor_make(permi_cursor *cursor, const permi_frontier *frontier, int number)
{
  const unsigned mask = PERMI_LOW_STATES - 1;
  uint64_t within = ~UINT64_C(0);
  for (int which = 0; which < 3; which++) {
    uint64_t *to = which == 0 ? cursor->test : which == 1 ? cursor->want : cursor->flip;
    for (int w = 0; w < frontier->mask_words; w++)
      to[w] = permi_stream_word(frontier, number, which, w) >> PERMI_LOW_BITS |
              permi_stream_word(frontier, number, which, w + 1) << (64 - PERMI_LOW_BITS);
  }
  cursor->low_test = (unsigned)permi_stream_word(frontier, number, 0, 0) & mask;
  cursor->low_want = (unsigned)permi_stream_word(frontier, number, 1, 0) & mask;
  cursor->low_flip = (unsigned)permi_stream_word(frontier, number, 2, 0) & mask;
  cursor->c = frontier->coefficient[number];
  for (unsigned i = 0; i < 6; i++)
    if (cursor->low_test >> i & 1)
      within &= cursor->low_want >> i & 1 ? ~permi_even[i] : permi_even[i];
  for (unsigned i = 0; i < PERMI_LOW_WORDS; i++)
    cursor->keep[i] = (i & cursor->low_test >> 6) == cursor->low_want >> 6 ? within : 0;
  cursor->group = 0;
}

static int permi_pattern_move(const uint64_t *bits, const permi_cursor *cursor, uint64_t *into)
{
  unsigned words = cursor->low_flip >> 6, w;
  uint64_t moved[PERMI_LOW_WORDS], any = 0;
  for (w = 0; w < PERMI_LOW_WORDS; w++) {
    moved[w] = bits[w] & cursor->keep[w];
    any |= moved[w];
  }
  if (!any)
    return 0;
  for (int b = 0; b < 6; b++)
    if (cursor->low_flip >> b & 1)
      for (w = 0; w < PERMI_LOW_WORDS; w++)
        moved[w] = (moved[w] & permi_even[b]) << (1 << b) | (moved[w] >> (1 << b) & permi_even[b]);
  for (w = 0; w < PERMI_LOW_WORDS; w++)
    into[w ^ words] |= moved[w];
  return 1;
}

/* Pairs of low masks, ascending, that a stream moves. */
#define PERMI_MOVES_LOG2 11
#define PERMI_MOVES_PAIRS 262144
typedef struct permi_move {
  int step, stream, source, target;
  int whole; /* k to k, for all states of both */
  int first, count;
} permi_move;

typedef struct permi_moves { /* a direct-mapped cache */
  int used;
  permi_move move[1 << PERMI_MOVES_LOG2];
  uint32_t pair[PERMI_MOVES_PAIRS]; /* from | to << 16 */
} permi_moves;

static const permi_move *permi_moves_find(permi_moves *moves, int step, int stream, const permi_cursor *cursor,
                                          const permi_patterns *from, int source, const permi_patterns *to, int target)
{
  uint32_t hash = ((uint32_t)source * 0x9e3779b1u ^ (uint32_t)target * 0x85ebca77u ^ (uint32_t)stream * 0xc2b2ae3du);
  const permi_move fresh = {step, stream, source, target, 0, 0, 0};
  permi_move *move = &moves->move[hash >> (32 - PERMI_MOVES_LOG2)];
  size_t k, count, goals = to->first[target + 1] - to->first[target], j = 0;
  if (move->step == step && move->stream == stream && move->source == source && move->target == target)
    return move;
  if (moves->used > PERMI_MOVES_PAIRS - PERMI_LOW_STATES) {
    moves->used = 0;
    memset(moves->move, 0, sizeof(permi_move) << PERMI_MOVES_LOG2);
  }
  *move = fresh;
  move->first = moves->used;
  const uint16_t *low = from->low + from->first[source], *goal = to->low + to->first[target];
  count = from->first[source + 1] - from->first[source];
  for (k = 0; k < count; k++)
    if ((low[k] & cursor->low_test) == cursor->low_want) {
      unsigned place = low[k] ^ cursor->low_flip;
      while (j < goals && goal[j] < place)
        j++;
      if (j < goals && goal[j] == place) /* else left out */
        moves->pair[moves->used++] = (uint32_t)k | (uint32_t)j << 16;
    }
  move->count = moves->used - move->first;
  move->whole = (size_t)move->count == count && count == goals;
  return move;
}

/* Lives are (birth, death]; those with the most states get low slots: patterns change least. Room: `life` 2 * vertices;
   `busy` PERMI_MASK_WORDS for each of steps + 1. Returns 0 if slots are too many, or if stopped. */
static int permi_frontier_slots(const permi_frontier *frontier, int vertices, permi_ranked *life, uint64_t *busy,
                                permi_control *watch)
{
  const int *birth = frontier->birth, *death = frontier->death, words = PERMI_MASK_WORDS;
  int *slot = frontier->slot, v, p, i, w, lives = 0, most = 1;
  double units = 0;
  for (v = 0; v < vertices; v++) {
    double weight = 0;
    slot[v] = -1;
    if (birth[v] < 0 || death[v] <= birth[v])
      continue;
    if (permi_watch_gather(watch, &units, 20.0 + death[v] - birth[v]))
      return 0;
    for (p = birth[v] + 1; p <= death[v]; p++)
      weight += frontier->states[p];
    memcpy(&life[lives].key, &weight, sizeof weight);
    life[lives].key = ~life[lives].key; /* greatest first */
    life[lives++].vertex = v;
  }
  life = (permi_ranked *)permi_sort(life, life + vertices, (size_t)lives, sizeof *life, watch);
  if (!life)
    return 0;
  memset(busy, 0, ((size_t)frontier->steps + 1) * (size_t)words * sizeof *busy);
  for (i = 0; i < lives; i++) {
    v = life[i].vertex;
    if (permi_watch_gather(watch, &units, 20 + 4.0 * (death[v] - birth[v])))
      return 0;
    for (w = 0; w < words && slot[v] < 0; w++) {
      uint64_t taken = 0;
      for (p = birth[v] + 1; p <= death[v]; p++)
        taken |= busy[p * words + w];
      if (~taken)
        slot[v] = 64 * w + permi_trailing_zeros(~taken);
    }
    if (slot[v] < 0)
      return 0;
    most = slot[v] >= most ? slot[v] + 1 : most;
    for (p = birth[v] + 1; p <= death[v]; p++)
      busy[p * words + (slot[v] >> 6)] |= UINT64_C(1) << (slot[v] & 63);
  }
  return most;
}

PERMI_NEVER_INLINE static void permi_frontier_streams(permi_frontier *frontier, const permi_block *block,
                                                      permi_control *watch)
{
  const size_t words = (size_t)frontier->mask_words, bytes = words * sizeof(uint64_t);
  const int *birth = frontier->birth, *death = frontier->death, *slot = frontier->slot;
  uint64_t *test = frontier->mask, gone[PERMI_MASK_WORDS], mine[PERMI_MASK_WORDS];
  double units = 0;
  int p, e, used = 0;
  for (p = 0; p < frontier->steps && !permi_watch_gather(watch, &units, 400); p++) {
    const int v = frontier->sequence[p], held = birth[v] >= 0 && birth[v] < p;
    frontier->stream_start[p] = used;
    memset(gone, 0, sizeof gone); /* bits that vanish; `mine` has v's */
    for (e = block->start[v]; e < block->start[v + 1]; e++)
      if (death[block->neighbour[e]] == p && slot[block->neighbour[e]] >= 0) /* -1: none */
        gone[slot[block->neighbour[e]] >> 6] |= UINT64_C(1) << (slot[block->neighbour[e]] & 63);
    memcpy(mine, gone, sizeof mine);
    if (held)
      mine[slot[v] >> 6] |= UINT64_C(1) << (slot[v] & 63);
    for (e = block->start[v] - 2; e < block->start[v + 1]; e++) {
      const int k = e - block->start[v], drop = k == -1, t = k < 0 ? v : block->neighbour[e], word = slot[t] >> 6;
      const uint64_t bit = k < 0 || slot[t] < 0 ? 0 : UINT64_C(1) << (slot[t] & 63);
      uint64_t *want = test + words, *flip = want + words;
      if (drop ? !held : k < 0 ? !permi_block_stays(block, v) : death[t] < p)
        continue;
      memcpy(test, mine, bytes);
      memcpy(want, drop ? mine : gone, bytes);
      memcpy(flip, want, bytes);
      frontier->partner[used] = k < 0 ? -1 : t;
      frontier->entry[used] = drop ? INT_MIN : k < 0 ? -1 - v : block->edge[e];
      frontier->coefficient[used++] =
          drop ? permi_coefficient_one()
               : permi_coefficient_of(block, k < 0 ? permi_block_alone(block, v) : block->edge[e], &frontier->numbers);
      if (bit && birth[t] >= 0 && birth[t] < p) {
        test[word] |= bit;
        want[word] &= ~bit;
        flip[word] = death[t] == p ? flip[word] & ~bit : flip[word] | bit;
      } else if (bit && death[t] > p) {
        flip[word] ^= bit;
      }
      test = flip + words;
    }
  }
  frontier->stream_start[p] = used;
}

/* v goes in step p with `left` entries, and `meet` neighbours go with it. */
static void permi_frontier_note(permi_frontier *frontier, const permi_block *block, const double *binomial,
                                const permi_walk *walk, int p, int v, int left, int meet)
{
  const int width = walk->width[0] + walk->width[1], stays = permi_block_stays(block, v), to = p + 1;
  frontier->sequence[p] = v;
  frontier->death[v] = p;
  frontier->width = width > frontier->width ? width : frontier->width;
  permi_order_ones(block, walk->width, walk->eliminated, &frontier->ones[to], &frontier->most[to]);
  meet += v < block->n ? frontier->most[to] : width - frontier->ones[to];
  frontier->additions += (meet < left ? meet : left) + (frontier->birth[v] >= 0) + stays - 1;
  frontier->states[to] = permi_order_states(block, binomial, walk->width, walk->eliminated);
  frontier->cost[to] = frontier->cost[p] + frontier->states[p] / 4 + frontier->states[to] * (1 + stays + 0.5 * left);
  frontier->room[to & 1] = fmax(frontier->room[to & 1], frontier->states[to]);
}

PERMI_NEVER_INLINE static int permi_frontier_walk(permi_frontier *frontier, const permi_block *block, const int *order,
                                                  const double *binomial, permi_walk *walk, permi_control *watch)
{
  const int vertices = block->vertices;
  int p = 0;
  frontier->additions = 0;
  for (int v = 0; v < vertices; v++)
    frontier->birth[v] = frontier->death[v] = -1;
  permi_walk_start(block, walk);
  frontier->states[0] = frontier->room[0] = frontier->room[1] = 1;
  frontier->cost[0] = frontier->ones[0] = frontier->most[0] = 0;
  for (int i = 0; i < vertices; i++) {
    const int v = order[i], other = v < block->n, left = walk->open[v];
    int waiting = 0, went = 0;
    if (permi_watch_step(watch, (size_t)i, 100))
      return 0;
    if (walk->state[v] == 2)
      continue;
    permi_walk_step(block, walk, v);
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      const int t = block->neighbour[e];
      if (walk->state[t] == 2 && frontier->death[t] < 0) {
        *(block->free_lines ? &waiting : &went) += 1;
        frontier->death[t] = block->free_lines ? -1 : p;
      }
      if (frontier->death[t] < 0 && frontier->birth[t] < 0)
        frontier->birth[t] = p;
    }
    walk->width[other] += waiting;
    walk->eliminated[other] -= waiting;
    permi_frontier_note(frontier, block, binomial, walk, p++, v, left, went);
    for (int e = block->start[v]; waiting > 0; e++) {
      const int t = block->neighbour[e];
      if (walk->state[t] < 2 || frontier->death[t] >= 0)
        continue;
      walk->width[other]--;
      walk->eliminated[other]++;
      waiting--;
      permi_frontier_note(frontier, block, binomial, walk, p++, t, 0, 0);
    }
  }
  frontier->steps = p;
  return 1;
}

static void permi_frontier_enter(const permi_block *block, int edge, permi_majorant *line, double *bits)
{
  *bits -= line->bits;
  permi_majorant_enter(block, edge, line);
  line->bits = permi_majorant_bits(line);
  *bits += line->bits;
}

/* A state is the permanent of some lines, all eliminated ones among them, without entries between two others: the bound
   by entries so far holds, with free lines that of rows. */
static int permi_frontier_lengths(permi_frontier *frontier, const permi_block *block, permi_pool *room)
{
  permi_majorant *line = (permi_majorant *)permi_pool_zeros(room, (size_t)block->vertices, sizeof *line);
  const size_t steps = (size_t)frontier->steps + 1;
  const int residues = frontier->numbers.algebra == PERMI_RESIDUES;
  double bits[2] = {0, block->free_lines ? (double)INFINITY : 0};
  frontier->bits = (double *)permi_pool_get(&frontier->owned.pool, steps, sizeof(double));
  frontier->words = residues ? NULL : (int *)permi_pool_get(&frontier->owned.pool, steps, sizeof(int));
  if (!line || frontier->owned.pool.failed)
    return 0;
  frontier->bits[0] = 0;
  for (int p = 0; p < frontier->steps; p++) {
    const int v = frontier->sequence[p];
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      const int t = block->neighbour[e];
      if (frontier->death[t] < p)
        continue;
      permi_frontier_enter(block, block->edge[e], &line[v], &bits[v >= block->n]);
      permi_frontier_enter(block, block->edge[e], &line[t], &bits[t >= block->n]);
    }
    if (permi_block_stays(block, v))
      permi_frontier_enter(block, permi_block_alone(block, v), &line[v], &bits[v >= block->n]);
    frontier->bits[p + 1] = fmax(frontier->bits[p], permi_majorants_bits(bits));
  }
  for (int p = 0; p <= frontier->steps && !residues; p++) {
    const int words = permi_words_of_bits(frontier->bits[p]);
    frontier->words[p] = words < frontier->numbers.words && p < frontier->steps ? words : frontier->numbers.words;
  }
  return 1;
}

typedef struct permi_exactness {
  double roundings, lost_error; /* of entries */
  uint64_t modulus;             /* or 0 */
  int doubled;
} permi_exactness;

/* PERM_ERROR_LIMIT: too wide or stopped; PERM_ERROR_OVERFLOW: integers too long. */
static perm_status permi_frontier_create(const perm_allocator *allocator, const permi_block *block, const int *order,
                                         const double *binomial, const permi_exactness *exactness,
                                         permi_control *watch, permi_frontier **made)
{
  const size_t vertices = (size_t)block->vertices, streams = (size_t)block->edges + 2 * vertices;
  permi_walk walk;
  permi_frontier *frontier = (permi_frontier *)permi_owned_new(allocator, sizeof *frontier);
  permi_pool room = {allocator, NULL, 0}, *pool;
  permi_ranked *life = (permi_ranked *)permi_pool_get(&room, 2 * vertices, sizeof *life);
  uint64_t *busy = (uint64_t *)permi_pool_get(&room, vertices + 1, PERMI_MASK_WORDS * sizeof *busy);
  perm_status status = PERM_ERROR_MEMORY;
  *made = frontier;
  walk.state = (unsigned char *)permi_pool_get(&room, vertices, 1);
  if (!permi_pool_ints(&room, &walk.open, vertices, &walk.frontier, vertices, &walk.place, vertices, (int **)NULL) ||
      !frontier)
    goto done;
  pool = &frontier->owned.pool;
  frontier->lost_error = exactness->lost_error;
  frontier->vertices = block->vertices;
  frontier->rows = block->free_lines ? block->n : 0;
  if (!permi_numbers_choose(&frontier->numbers, block, exactness->modulus, exactness->doubled)) {
    status = PERM_ERROR_OVERFLOW;
    goto done;
  }
  frontier->coefficient = (permi_coefficient *)permi_pool_get(pool, streams, sizeof *frontier->coefficient);
  frontier->states = (double *)permi_pool_get(pool, 2 * vertices + 2, sizeof(double));
  frontier->entry = (int *)permi_pool_get(pool, streams, sizeof(int));
  if (!permi_pool_ints(pool, &frontier->stream_start, vertices + 1, &frontier->partner, streams, &frontier->sequence,
                       vertices, &frontier->birth, vertices, &frontier->death, vertices, &frontier->slot, vertices,
                       &frontier->ones, vertices + 1, &frontier->most, vertices + 1, (int **)NULL))
    goto done;
  frontier->cost = frontier->states + vertices + 1;
  status = PERM_ERROR_LIMIT;
  if (!permi_frontier_walk(frontier, block, order, binomial, &walk, watch))
    goto done;
  frontier->slot_count = permi_frontier_slots(frontier, (int)vertices, life, busy, watch);
  frontier->mask_words = (frontier->slot_count + 63) / 64;
  if (frontier->slot_count == 0)
    goto done;
  status = PERM_ERROR_MEMORY;
  frontier->mask = (uint64_t *)permi_pool_get(pool, streams, 3 * (size_t)frontier->mask_words * sizeof(uint64_t));
  if (!frontier->mask)
    goto done;
  permi_frontier_streams(frontier, block, watch);
  if (block->integer && !permi_frontier_lengths(frontier, block, &room))
    goto done;
  frontier->bound_relative = permi_terms_bound(
      &frontier->numbers, exactness->roundings, (block->imaginary ? 2.42 : 1.0) * (block->n - 1) + frontier->additions,
      block->n + frontier->additions);
  status = permi_watch(watch, 0) ? PERM_ERROR_LIMIT : PERM_OK;
done:
  permi_pool_release(&room);
  if (status == PERM_ERROR_MEMORY) {
    permi_owned_release(allocator, frontier);
    *made = NULL;
  }
  return status;
}

/* ========================================================================================== >>steps
   Threads merge parts of a target, groups with equal top bits, then add up values. */

/* Longer lists are measured in one step of four, unless they grow. */
#define PERMI_TRACK_STATES 2000
#define PERMI_PARALLEL_STATES 20000
#define PERMI_PART_STATES 1024
#define PERMI_PARTS 256 /* in memory; or groups of one part */

typedef struct permi_take {
  uint32_t group, stream;
} permi_take;

typedef struct permi_part {
  permi_list list; /* first: end of a group's takes */
  permi_take *take;
  size_t take_room, group_at, state_at; /* at: in the target */
  int done, failed;
} permi_part;

typedef struct permi_run permi_run;
struct permi_run {
  permi_runner base;
  const permi_frontier *frontier;
  permi_list list[2];
  permi_part *part;
  permi_cursor *cursor; /* of a step, then of each thread */
  permi_moves *moves;
  uint64_t first, top; /* part in memory; bits of key[word] that parts differ in, 0: one part, in pieces */
  int step, streams, tracking, word;
  uint64_t rows[PERMI_MASK_WORDS + 1], within[PERMI_LOW_BITS][PERMI_LOW_WORDS]; /* low masks of at most so many ones */
  double state_seconds;
  perm_status (*advance)(permi_run *run, int p);
};

/* Whole moves go first: they need no zeroing. */
static perm_status permi_part_fill(void *context, uint64_t k, int thread)
{
  permi_run *run = (permi_run *)context;
  const permi_part *part = &run->part[k];
  const permi_list *source = &run->list[(run->step - 1) & 1], *target = &run->list[run->step & 1];
  const permi_numbers *numbers = &run->frontier->numbers;
  const size_t size = 8 * permi_numbers_words(numbers), words = (size_t)target->words;
  permi_moves *moves = &run->moves[thread];
  size_t g, t, begin = 0, count, states = part->state_at;
  permi_sizes sizes;
  permi_sizes_clear(&sizes);
  if (part->list.groups)
    memcpy(target->high + part->group_at * words, part->list.high, part->list.groups * words * sizeof(uint64_t));
  for (g = 0; g < part->list.groups; g++, states += count) {
    char *y = (char *)target->value + states * size;
    int pattern = part->list.pattern[g], pass, fresh = 1;
    if (run->top)
      pattern = *permi_patterns_place(&target->patterns,
                                      part->list.patterns.bits + (size_t)pattern * PERMI_LOW_WORDS) - 1;
    count = target->patterns.first[pattern + 1] - target->patterns.first[pattern];
    target->pattern[part->group_at + g] = pattern;
    target->first[part->group_at + g] = states;
    for (pass = 0; pass < 2; pass++)
      for (t = begin; t < part->list.first[g]; t++) {
        const permi_take take = part->take[t];
        const permi_cursor *cursor = &run->cursor[take.stream];
        const permi_move *move = permi_moves_find(moves, run->step, (int)take.stream, cursor, &source->patterns,
                                                  source->pattern[take.group], &target->patterns, pattern);
        if (move->whole == pass)
          continue;
        if (pass && fresh)
          memset(y, 0, count * size);
        permi_values_adders[numbers->algebra](numbers, &cursor->c, y,
                                              (const char *)source->value + source->first[take.group] * size,
                                              pass ? moves->pair + move->first : NULL, (size_t)move->count,
                                              fresh && !pass);
        fresh = 0;
      }
    begin = part->list.first[g];
    if (run->tracking)
      permi_values_track(numbers->algebra, y, count, &sizes);
  }
  PERMI_OMP(critical(permi_part_sizes))
  permi_sizes_join(&run->base.sizes, &sizes);
  return PERM_OK;
}

/* With free lines states of too many ones (>>arrays) go. Returns 1 if some are left. */
static int permi_part_leave(const permi_run *run, const uint64_t *key, uint64_t *bits, int words)
{
  int left = run->frontier->most[run->step], w;
  uint64_t any = 0;
  for (w = 0; w < words; w++)
    left -= permi_count_ones(key[w] ^ (run->rows[w] >> PERMI_LOW_BITS | run->rows[w + 1] << (64 - PERMI_LOW_BITS)));
  for (w = 0; w < PERMI_LOW_WORDS; w++)
    any |= bits[w] &= left < 0 ? 0 : left < PERMI_LOW_BITS ? run->within[left][w] : UINT64_MAX;
  return any != 0;
}

static PERMI_ALWAYS_INLINE int permi_part_merge_words(permi_run *run, permi_part *part, permi_cursor *cursor, int words)
{
  const perm_allocator *allocator = &run->base.locked;
  const permi_list *source = &run->list[(run->step - 1) & 1];
  permi_list *list = &part->list;
  permi_patterns *patterns = run->top ? &list->patterns : &run->list[run->step & 1].patterns;
  const size_t most = run->top ? SIZE_MAX : PERMI_PARTS;
  size_t takes = 0;
  list->groups = list->states = 0;
  while (list->groups < most) {
    const uint64_t *least = cursor[0].key;
    uint64_t key[PERMI_MASK_WORDS], bits[PERMI_LOW_WORDS];
    const size_t before = takes;
    for (int s = 1; s < run->streams; s++)
      if (permi_key_compare(cursor[s].key, least, words) < 0)
        least = cursor[s].key;
    part->done = least[words - 1] == UINT64_MAX;
    if (part->done)
      break;
    memcpy(key, least, (size_t)words * sizeof *key);
    memset(bits, 0, sizeof bits);
    if (!permi_list_room(allocator, list, 1) || !permi_room(allocator, NULL, &part->take, takes, (size_t)run->streams,
                                                            &part->take_room, sizeof *part->take))
      return 0;
    for (int s = 0; s < run->streams; s++)
      if (permi_key_compare(cursor[s].key, key, words) == 0) {
        const size_t moving = (size_t)source->pattern[cursor[s].group];
        if (permi_pattern_move(source->patterns.bits + moving * PERMI_LOW_WORDS, &cursor[s], bits)) {
          part->take[takes].group = (uint32_t)cursor[s].group;
          part->take[takes++].stream = (uint32_t)s;
        }
        cursor[s].group++;
        permi_cursor_settle(&cursor[s], source, words);
      }
    if (takes == before || (run->frontier->rows && !permi_part_leave(run, key, bits, words))) {
      takes = before;
      continue;
    }
    const int pattern = permi_patterns_find(allocator, patterns, bits);
    if (pattern < 0)
      return 0;
    memcpy(list->high + list->groups * (size_t)words, key, (size_t)words * sizeof *key);
    list->pattern[list->groups] = pattern;
    list->first[list->groups++] = takes;
    list->states += patterns->first[pattern + 1] - patterns->first[pattern];
  }
  return 1;
}

/* Of groups with its top bits. */
static perm_status permi_part_merge(void *context, uint64_t k, int thread)
{
  permi_run *run = (permi_run *)context;
  const permi_list *source = &run->list[(run->step - 1) & 1];
  permi_part *part = &run->part[k];
  permi_cursor *cursor = run->cursor + (run->top ? (thread + 1) * run->streams : 0), *c;
  const uint64_t below = (run->top & (0 - run->top)) - 1;
  uint64_t bits, number = run->first + k, top = 0, key[PERMI_MASK_WORDS];
  for (bits = run->top; bits; bits &= bits - 1, number >>= 1)
    top |= number & 1 ? bits & (0 - bits) : 0;
  if (run->top)
    memcpy(cursor, run->cursor, (size_t)run->streams * sizeof *cursor);
  for (c = cursor; run->top && c < cursor + run->streams; c++) {
    memset(key, 0, sizeof key);
    key[run->word] = (top ^ c->flip[run->word]) & ~below;
    c->group = permi_list_seek(source, key, 0);
    memset(key, 255, (size_t)run->word * sizeof *key);
    key[run->word] |= below;
    c->end = permi_list_seek(source, key, 1);
    permi_cursor_settle(c, source, source->words);
  }
  part->list.words = source->words;
  permi_patterns_clear(&part->list.patterns);
  part->failed = !(source->words == 1 ? permi_part_merge_words(run, part, cursor, 1)
                                      : permi_part_merge_words(run, part, cursor, source->words));
  return PERM_OK;
}

/* THE BOUND: |error| <= g / (1 - g) (computed sum of moduli + loss) + loss, where g is
   gamma of products, additions and roundings of entries, and underflow causes the loss (tests/proofs/chains.v,
   tests/proofs/complex.v, tests/proofs/frontier.g). */
static size_t permi_value_bytes(const permi_frontier *frontier)
{
  return 8 * permi_numbers_words(&frontier->numbers);
}

static void permi_run_prepare(permi_run *run, int p)
{
  const permi_frontier *frontier = run->frontier;
  const int first = frontier->stream_start[p], streams = frontier->stream_start[p + 1] - first;
  permi_sizes *sizes = &run->base.sizes;
  double weight = 0, least = 1;
  run->step = p + 1;
  run->streams = streams;
  for (int s = 0; s < streams; s++) {
    permi_cursor_make(&run->cursor[s], frontier, first + s);
    run->cursor[s].end = run->list[p & 1].groups;
    permi_cursor_settle(&run->cursor[s], &run->list[p & 1], frontier->mask_words);
    permi_coefficient_weigh(&frontier->coefficient[first + s], &weight, &least);
  }
  weight *= 1 + 1e-12;
  if (frontier->rows) { /* for permi_part_leave */
    memset(run->rows, 0, sizeof run->rows);
    memset(run->within, 0, sizeof run->within);
    for (int v = 0; v < frontier->rows; v++)
      if (frontier->slot[v] >= 0 && frontier->birth[v] <= p && frontier->death[v] > p)
        run->rows[frontier->slot[v] >> 6] |= UINT64_C(1) << (frontier->slot[v] & 63);
    for (unsigned low = 0; low < PERMI_LOW_STATES; low++)
      for (int k = permi_count_ones((low ^ run->rows[0]) & (PERMI_LOW_STATES - 1)); k < PERMI_LOW_BITS; k++)
        run->within[k][low >> 6] |= UINT64_C(1) << (low & 63);
  }
  run->state_seconds = (frontier->cost[p + 1] - frontier->cost[p]) * PERMI_STATE_SECONDS / frontier->states[p + 1];
  if (!permi_algebra_is_integer(frontier->numbers.algebra)) {
    sizes->loss = permi_loss_scaled(sizes->loss, weight, 0);
    if (sizes->smallest * least < PERMI_SAFE_PRODUCT)
      sizes->loss += (frontier->numbers.algebra == PERMI_COMPLEX ? 8 : 2) * streams * DBL_MIN;
    run->tracking = run->list[p & 1].states < PERMI_TRACK_STATES || p % 4 == 0 || sizes->largest * weight > 1e100;
    sizes->smallest = run->tracking ? DBL_MAX : 0;
    sizes->largest = run->tracking ? 0 : sizes->largest * weight;
  }
}

/* Parts change no value. */
static perm_status permi_run_step(permi_run *run, int p)
{
  const permi_list *source = &run->list[p & 1];
  permi_list *target = &run->list[(p + 1) & 1];
  uint64_t varies = 0, bit, parts = 1, count, k;
  perm_status status = PERM_OK;
  int s, complete = 1;
  permi_run_prepare(run, p);
  run->top = 0;
  run->word = run->base.threads > 1 && source->states >= 8 * PERMI_PART_STATES ? source->words : 0;
  while (!varies && run->word > 0) {
    run->word--;
    for (s = 0; s < run->streams; s++)
      varies |= run->cursor[s].flip[run->word];
    for (k = (uint64_t)run->word; k < source->groups * (size_t)source->words; k += (uint64_t)source->words)
      varies |= source->high[k];
  }
  for (bit = UINT64_C(1) << 63; bit && parts * PERMI_PART_STATES <= source->states; bit >>= 1) {
    run->top |= varies & bit;
    parts <<= (varies & bit) != 0;
  }
  count = parts < PERMI_PARTS ? parts : PERMI_PARTS;
  target->groups = target->states = 0;
  permi_patterns_clear(&target->patterns);
  for (run->first = 0; run->first < parts && status == PERM_OK; run->first += run->part->done ? count : 0) {
    const double before = (double)target->states;
    permi_share(run->base.threads, 0, count, permi_part_merge, run, NULL);
    for (k = 0; k < count && complete; k++) {
      permi_part *part = &run->part[k];
      complete = !part->failed && permi_list_room(&run->base.locked, target, part->list.groups);
      for (s = 0; s < part->list.patterns.count && complete; s++)
        complete = permi_patterns_find(&run->base.locked, &target->patterns,
                                       part->list.patterns.bits + s * PERMI_LOW_WORDS) >= 0;
      part->group_at = target->groups;
      part->state_at = target->states;
      target->groups += part->list.groups;
      target->states += part->list.states;
    }
    if (!complete || target->states > target->state_room) /* unreachable */
      return PERM_ERROR_MEMORY;
    permi_share(run->base.threads, 0, count, permi_part_fill, run, NULL);
    status = permi_runner_poll(&run->base, (double)target->states - before,
                               run->base.done + run->state_seconds * (double)target->states, 0);
  }
  return status;
}

static void permi_run_release(permi_run *run)
{
  for (int k = 0; k < 2; k++)
    permi_list_release(&run->base.locked, &run->list[k]);
  for (int k = 0; run->part && k < (run->base.threads > 1 ? PERMI_PARTS : 1); k++) {
    permi_list_release(&run->base.locked, &run->part[k].list);
    permi_release(&run->base.locked, run->part[k].take);
  }
  permi_pool_release(&run->base.pool);
}

/* The run, cleared before, is always released after; method sorting needs a key a state. */
static perm_status permi_run_open(const permi_frontier *frontier, permi_control *control,
                                  perm_status (*advance)(permi_run *run, int p), permi_run *run)
{
  const int sorting = advance != permi_run_step;
  const perm_allocator *allocator = &run->base.locked;
  const size_t size = permi_value_bytes(frontier), streams = (size_t)permi_frontier_streams_most(frontier);
  permi_pool *pool = &run->base.pool;
  uint64_t none[PERMI_LOW_WORDS] = {1};
  permi_runner_begin(&run->base, &frontier->owned.allocator, control, "frontier");
  run->frontier = frontier;
  run->advance = advance;
  if (sorting || fmax(frontier->room[0], frontier->room[1]) < PERMI_PARALLEL_STATES)
    run->base.threads = 1;
  run->part = (permi_part *)permi_pool_zeros(pool, run->base.threads > 1 ? PERMI_PARTS : 1, sizeof *run->part);
  run->cursor = (permi_cursor *)permi_pool_get(pool, streams * ((size_t)run->base.threads + 1), sizeof *run->cursor);
  run->moves = (permi_moves *)permi_pool_get(pool, (size_t)run->base.threads, sizeof *run->moves);
  for (int k = 0; run->moves && k < run->base.threads; k++)
    memset(&run->moves[k], 0, offsetof(permi_moves, pair));
  int complete = !pool->failed;
  for (int p = 0; p < 2 && complete; p++) { /* growing touches fresh pages */
    permi_list *list = &run->list[p];
    list->words = frontier->mask_words;
    if (frontier->room[p] >= (double)(SIZE_MAX / 64))
      return PERM_ERROR_MEMORY;
    list->state_room = (size_t)frontier->room[p];
    list->value = permi_pool_get(pool, list->state_room, size);
    complete = list->value && permi_list_room(allocator, list, 1) &&
               permi_patterns_find(allocator, &list->patterns, none) == 0 &&
               (!sorting || permi_enlarge(allocator, NULL, &list->high, 0, list->state_room,
                                          (size_t)list->words * sizeof(uint64_t)));
  }
  if (!complete)
    return PERM_ERROR_MEMORY;
  run->list[0].groups = run->list[0].states = 1;
  memset(run->list[0].high, 0, (size_t)frontier->mask_words * sizeof *run->list[0].high);
  run->list[0].first[0] = 0;
  run->list[0].pattern[0] = 0;
  permi_value_one(&frontier->numbers, run->list[0].value);
  return PERM_OK;
}

static perm_status permi_run_advance(permi_runner *runner, int p)
{
  permi_run *run = (permi_run *)runner;
  const permi_frontier *frontier = run->frontier;
  permi_list *target = &run->list[(p + 1) & 1];
  run->base.done = frontier->cost[p] * PERMI_STATE_SECONDS;
  const perm_status status = run->advance(run, p);
  if (status == PERM_OK && !(p & PERMI_CANCELS_STEPS))
    permi_values_ease(&frontier->numbers, target->value, target->states, &run->base.sizes);
  /* values within 2^+-500, entries at most 1: nothing overflows */
  int e = status == PERM_OK && run->tracking ? permi_sizes_rescale(&run->base.sizes, 1e150, PERMI_SAFE_PRODUCT) : 0;
  if (e)
    permi_values_scale((double *)target->value, target->states * permi_numbers_words(&frontier->numbers), e);
  run->base.visited += (double)target->states;
  return status;
}

static perm_status permi_frontier_run_by(const permi_leaf *leaf, permi_control *control,
                                         perm_status (*advance)(permi_run *run, int p), perm_partial *partial)
{
  const permi_frontier *frontier = (const permi_frontier *)leaf->context;
  permi_run run;
  memset(&run, 0, sizeof run);
  perm_status status = permi_run_open(frontier, control, advance, &run);
  if (status == PERM_OK)
    status = permi_runner_go(&run.base, 0, frontier->steps, permi_run_advance);
  const permi_list *last = &run.list[frontier->steps & 1];
  if (status == PERM_OK)
    permi_runner_finish(&run.base, &frontier->numbers, last->states ? last->value : NULL, frontier->lost_error,
                        partial);
  permi_run_release(&run);
  return status;
}

static perm_status permi_frontier_run(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  return permi_frontier_run_by(leaf, control, permi_run_step, partial);
}

/* ========================================================================================= >>arrays
   The frontier on arrays indexed by combinations, without keys or synchronisation between blocks. */

/* A bit says of a column that it is matched, of a row that it is not. Then all states of a step have the same number k
   of ones (a - d in >>walk); with free lines, a range. A word's index is
       top_offset[top] + middle_offset[ones of top][middle] + start[ones of low] + rank[low].
   A block, words with equal top, middle and ones of low, sums the ways to it in a fixed order: high bits are settled
   once, then y += c x over arrays, or by a table of low words. GPUs compute the bits of the AVX2 and, for
   double-doubles, AVX-512 kernels. */

#define PERMI_ARRAY_LOW 11  /* words and ranks fit the first cache */
#define PERMI_ARRAY_HIGH 16 /* of middle, of top */
#define PERMI_ARRAY_SAFE 1e-250 /* sums of larger products are multiples of 2^-936 */
#define PERMI_ARRAY_PAD 256

typedef struct permi_layout {
  uint64_t occupied;
  int ones, most, low; /* ones: least; low: bits in use */
  size_t states;
  uint16_t *word, *rank; /* by ones; rank among these */
  int start[PERMI_ARRAY_LOW + 2];
  uint64_t *middle_offset, *top_offset; /* [ones of top][middle]; of a word */
  uint16_t *middle, *top;               /* middle: of a block, by ones of top */
  unsigned char *left, *middle_ones;    /* ones of low */
  int middle_start[PERMI_ARRAY_HIGH + 2], tops;
  size_t total[PERMI_ARRAY_HIGH + 1];
} permi_layout;

/* A state comes from (state & keep) ^ flip if (state & test) == want. */
typedef struct permi_pull {
  uint64_t test, want, keep, flip;
} permi_pull;

static permi_pull permi_pull_of(const permi_frontier *frontier, int p, int stream)
{
  const permi_arrays *arrays = frontier->arrays;
  const uint64_t test = permi_stream_word(frontier, stream, 0, 0), want = permi_stream_word(frontier, stream, 1, 0);
  const uint64_t flip = permi_stream_word(frontier, stream, 2, 0), born = arrays->born[p + 1];
  permi_pull pull;
  pull.keep = arrays->occupied[p + 1] & ~born;
  pull.test = born | (test & pull.keep);
  pull.want = (want ^ flip ^ arrays->rows[p + 1]) & pull.test;
  pull.flip = (flip & pull.keep) | ((want ^ arrays->rows[p]) & test & ~pull.keep);
  return pull;
}

typedef struct permi_lookup {
  int top_ones;
  const uint16_t *place;    /* of low words, or NULL */
  const permi_eight *eight; /* words with j ones: from start[j] / 8 + j on */
  permi_coefficient c;
} permi_lookup;

typedef struct permi_places permi_places;
typedef struct permi_arrays_run {
  permi_runner base;
  const permi_frontier *frontier;
  const permi_arrays *arrays;
  permi_numbers numbers;
  uint64_t root;         /* of -1 modulo a prime */
  int again, absolute, kernel_eights, most, tracking;
  permi_block_kernel kernel, own; /* own: of >>coefficients, or NULL */
  size_t bytes, from;             /* of a state, before the step */
  permi_layout layout[2];
  permi_places *places;
  char *memory;
  perm_gpu_way *way;
  permi_lookup *lookup;
  permi_origin *origin;
  uint16_t *top, *low;  /* low: of lookups */
  permi_eight *eights;
  double seconds_before, seconds_each;
  struct perm_gpu_frontier *gpu; /* or NULL */
  perm_status (*back)(struct permi_arrays_run *run, int p); /* before a step (>>derive_frontier), or NULL */
} permi_arrays_run;

static permi_numbers permi_arrays_numbers(const permi_frontier *frontier)
{
  static const permi_algebra without[] = {PERMI_MAGNITUDES,    PERMI_MAGNITUDES,    PERMI_PAIR_VALUES,
                                          PERMI_MAGNITUDES_DD, PERMI_MAGNITUDES_DD, PERMI_PAIR_DD_VALUES};
  permi_numbers numbers = frontier->numbers;
  if (frontier->arrays->by_residues) {
    numbers.algebra = PERMI_MAGNITUDES;
    numbers.parts = numbers.words = 1;
  } else if (!permi_algebra_is_integer(numbers.algebra)) {
    numbers.algebra = without[numbers.algebra];
  }
  return numbers;
}

static permi_numbers permi_arrays_numbers_at(const permi_frontier *frontier, int p)
{
  permi_numbers numbers = permi_arrays_numbers(frontier);
  if (frontier->words && !frontier->arrays->by_residues && frontier->arrays->isa != PERM_ISA_CUDA)
    permi_numbers_lengthen(&numbers, frontier->words[p]);
  return numbers;
}

static size_t permi_arrays_bytes_at(const permi_frontier *frontier, int p)
{
  const permi_numbers numbers = permi_arrays_numbers_at(frontier, p);
  return 8 * permi_numbers_words(&numbers);
}

static int permi_arrays_passes(const permi_frontier *frontier)
{
  if (frontier->arrays->by_residues)
    return frontier->arrays->residues.passes;
  return permi_algebra_has_moduli(frontier->numbers.algebra) ? 2 : 1;
}

static PERMI_ALWAYS_INLINE void permi_block_sum(permi_algebra algebra, const permi_numbers *numbers, char *y,
                                                size_t count, const permi_origin *origin)
{
  const size_t size = 8 * permi_value_words(algebra, numbers);
  const int short_one = (algebra == PERMI_WORD || algebra == PERMI_WIDE) && origin->c->integer[0] == 1;
  const char *x = (const char *)origin->x;
  const uint16_t *place = origin->place;
  permi_coefficient c = *origin->c;
  c.real_low = c.imaginary_low = 0; /* which compilers then know */
  if (place && short_one) {
    for (size_t k = 0; k < count; k++)
      if (place[k] != PERMI_ARRAY_NOWHERE)
        permi_value_add(algebra, numbers, NULL, y + k * size, x + place[k] * size, 0);
  } else if (short_one) {
    permi_values_add_of(algebra, numbers, NULL, y, x, count, 0);
  } else if (place) {
    for (size_t k = 0; k < count; k++)
      if (place[k] != PERMI_ARRAY_NOWHERE)
        permi_value_add(algebra, numbers, &c, y + k * size, x + place[k] * size, 0);
  } else {
    permi_values_add_of(algebra, numbers, &c, y, x, count, 0);
  }
}

static void permi_block_plain(const permi_numbers *numbers, void *y, size_t count, const permi_origin *origin,
                              int origins)
{
  memset(y, 0, count * 8 * permi_numbers_words(numbers));
  for (; origins > 0; origins--, origin++)
    switch (numbers->algebra) {
#define PERMI_CASE(algebra) case algebra: permi_block_sum(algebra, numbers, (char *)y, count, origin); break;
      PERMI_CASE(PERMI_MAGNITUDES) PERMI_CASE(PERMI_PAIR_VALUES) PERMI_CASE(PERMI_PAIR_DD_VALUES)
      PERMI_CASE(PERMI_WORD) PERMI_CASE(PERMI_WIDE) PERMI_CASE(PERMI_WORDS) PERMI_CASE(PERMI_RESIDUES)
#undef PERMI_CASE
    default: break;
    }
}

static permi_block_kernel permi_arrays_kernel(permi_algebra algebra, perm_isa isa, int growth)
{
  if (growth != PERMI_GROWS_NOT)
    return growth == PERMI_GROWS_SHORT ? PERMI_OF_X86(permi_block_short, isa) : PERMI_OF_X86(permi_block_long, isa);
  if (algebra == PERMI_MAGNITUDES_DD)
    return PERMI_OF_X86(permi_block_dd, isa);
#if PERMI_X86
  if (algebra == PERMI_MAGNITUDES && permi_lanes(isa) >= 4)
    return permi_lanes(isa) == 4 ? permi_block_double_avx2 : permi_block_double_avx512;
#endif
  return permi_block_plain;
}

/* RESIDUES of integers modulo primes: a pass and one double a state each, whole, at most p / 2 + 1, of either sign. A
   step's permi_growth is
     NOT    if the bound on the true values, not Gaussian, is below p / 2,
     SHORT  if its coefficients' moduli times p / 2 + 1 sum to at most 2^52: sums are exact, reduced last,
     LONG otherwise: products are reduced. With a, b <= p / 2 + 1 and p <= 2^50 the quotient ab / p < 2^48.01 is
            wrong by less than 3 2^-53 of itself, 0.1, before it is rounded: a product is below 0.61 p, and 1.25 p / 2
            for each way leaves room for sums below 2^52.
   Primes are below 2^bits, for the fewest seconds. Integers below 2^52 need no modulus, Gaussian ones two passes a
   prime, one for each root of -1. */
#define PERMI_ARRAY_RESIDUE_LEAST 32 /* 142 primes of either kind exceed 2^(bits - MARGIN) */
#define PERMI_ARRAY_RESIDUE_MARGIN 1e-5
#define PERMI_ARRAY_RESIDUE_ROOM 4503599627370496.0 /* 2^52 */

static double permi_residue_entry(const permi_coefficient *c, uint64_t modulus, uint64_t root)
{
  if (!modulus)
    return (double)c->integer[0];
  uint64_t r = permi_residue_of(c->integer[0], modulus);
  if (root)
    r = permi_residue_add(r, permi_residue_multiply(permi_residue_of(c->integer[1], modulus), root, modulus), 0,
                          modulus);
  return r > modulus / 2 ? -(double)(modulus - r) : (double)r;
}

/* Returns a step's growth modulo numbers up to twice `half`, or -1 if impossible. */
static int permi_residues_growth(const permi_frontier *frontier, int p, double weight, double half)
{
  const int ways = frontier->stream_start[p + 1] - frontier->stream_start[p];
  if (frontier->numbers.parts == 1 && exp2(frontier->bits[p + 1] + PERMI_ARRAY_RESIDUE_MARGIN) <= half)
    return PERMI_GROWS_NOT;
  if (weight * (half + 1) <= PERMI_ARRAY_RESIDUE_ROOM)
    return PERMI_GROWS_SHORT;
  return half <= 562949953421312.0 && 1.25 * ways * (half + 1) <= PERMI_ARRAY_RESIDUE_ROOM ? PERMI_GROWS_LONG : -1;
}

static double permi_residues_pass_seconds(const permi_frontier *frontier, const double *weight, double half)
{
  const int family = permi_lanes_row(frontier->arrays->isa);
  double seconds = 0;
  for (int p = 0; p < frontier->steps; p++) {
    const int growth = permi_residues_growth(frontier, p, weight[p], half);
    if (growth < 0)
      return (double)INFINITY;
    seconds += (frontier->cost[p + 1] - frontier->cost[p]) *
               (permi_residue_seconds[family][growth == PERMI_GROWS_LONG] +
                (8 * frontier->states[p + 1] > PERMI_ARRAY_CACHE_BYTES ? 8 * PERMI_ARRAY_MISS_SECONDS : 0));
  }
  return seconds;
}

/* Returns half the fastest modulus. */
static double permi_residues_search(const permi_frontier *frontier, const double *weight, uint64_t modulus,
                                    permi_array_residues *best)
{
  const double bits = frontier->bits[frontier->steps];
  const int gaussian = frontier->numbers.parts == 2, residues = frontier->numbers.algebra == PERMI_RESIDUES;
  double half = 0.5 * (double)modulus;
  memset(best, 0, sizeof *best);
  best->seconds = (double)INFINITY;
  if (!gaussian && bits + PERMI_ARRAY_RESIDUE_MARGIN <= 52) {
    best->seconds = permi_residues_pass_seconds(frontier, weight, PERMI_ARRAY_RESIDUE_ROOM);
    best->passes = 1;
    return PERMI_ARRAY_RESIDUE_ROOM;
  }
  if (!gaussian && modulus && half < PERMI_ARRAY_RESIDUE_ROOM) {
    best->seconds = permi_residues_pass_seconds(frontier, weight, half);
    best->passes = best->seconds < (double)INFINITY;
    best->modulus = modulus;
  }
  for (int b = 52; b >= PERMI_ARRAY_RESIDUE_LEAST && !residues; b--) {
    const int primes = (int)((bits + 1) / (b - PERMI_ARRAY_RESIDUE_MARGIN)) + 1, passes = primes * (1 + gaussian);
    const double seconds = passes * permi_residues_pass_seconds(frontier, weight, ldexp(1, b - 1));
    if (seconds < best->seconds) {
      const permi_array_residues found = {passes, primes, b, best->modulus, seconds};
      *best = found;
      half = ldexp(1, b - 1);
    }
  }
  return half;
}

PERMI_NEVER_INLINE static int permi_residues_plan(const permi_frontier *frontier, uint64_t modulus)
{
  const size_t steps = (size_t)frontier->steps;
  permi_array_residues *residues = &frontier->arrays->residues;
  permi_pool pool = {&frontier->owned.allocator, NULL, 0};
  double *weight = (double *)permi_pool_get(&pool, steps, sizeof *weight), half;
  const uint64_t own_modulus = frontier->numbers.algebra == PERMI_RESIDUES ? frontier->numbers.modulus : 0;
  unsigned char *growth = frontier->arrays->growth;
  if (pool.failed)
    return 0;
  for (int p = 0; p < frontier->steps; p++) {
    weight[p] = 0; /* the sum of the step's moduli; INFINITY: not real */
    for (int s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++) {
      const permi_coefficient *c = &frontier->coefficient[s];
      weight[p] += c->integer[1] ? (double)INFINITY : fabs(permi_residue_entry(c, own_modulus, 0));
    }
    weight[p] *= 1 + 1e-12;
  }
  half = permi_residues_search(frontier, weight, modulus, residues);
  for (int p = 0; p < frontier->steps && residues->passes; p++)
    growth[p] = (unsigned char)permi_residues_growth(frontier, p, weight[p], half);
  permi_pool_release(&pool);
  return 1;
}

static void permi_layout_create(permi_pool *pool, const permi_arrays *arrays, permi_layout *layout)
{
  const size_t low = (size_t)1 << arrays->low, middle = (size_t)1 << arrays->middle, top = (size_t)1 << arrays->top;
  const size_t middles = (size_t)(arrays->top + 1) << arrays->middle, blocks = middles * (size_t)arrays->lefts;
  memset(layout, 0, sizeof *layout);
  layout->word = (uint16_t *)permi_pool_get(pool, low, sizeof(uint16_t));
  layout->rank = (uint16_t *)permi_pool_get(pool, low, sizeof(uint16_t));
  layout->middle_offset = (uint64_t *)permi_pool_get(pool, middles, sizeof(uint64_t));
  layout->middle = (uint16_t *)permi_pool_get(pool, blocks, sizeof(uint16_t));
  layout->left = (unsigned char *)permi_pool_get(pool, blocks, 1);
  layout->middle_ones = (unsigned char *)permi_pool_get(pool, middle, 1);
  layout->top_offset = (uint64_t *)permi_pool_get(pool, top, sizeof(uint64_t));
  layout->top = (uint16_t *)permi_pool_get(pool, top, sizeof(uint16_t));
}

static size_t permi_layout_states(const permi_layout *layout, uint32_t top)
{
  return layout->total[permi_count_ones(top)];
}

PERMI_NEVER_INLINE static void permi_layout_fill(const permi_arrays *arrays, permi_layout *layout, uint64_t occupied,
                                                 int ones, int most)
{
  const uint32_t low_mask = (uint32_t)occupied & ((1u << arrays->low) - 1);
  const uint32_t middle_mask = (uint32_t)(occupied >> arrays->low) & ((1u << arrays->middle) - 1);
  const uint32_t top_mask = (uint32_t)(occupied >> (arrays->low + arrays->middle));
  const int low = permi_count_ones(low_mask), tops = permi_count_ones(top_mask);
  int begin[PERMI_ARRAY_LOW + 3 * PERMI_ARRAY_HIGH + 2], fill[PERMI_ARRAY_LOW + 1], j, c, used = 0;
  if (layout->low != low || ((layout->occupied ^ occupied) & ((1u << arrays->low) - 1)) || layout->start[1] == 0) {
    int binomial = 1;
    for (j = 0, layout->start[0] = 0; j <= low; j++) {
      fill[j] = layout->start[j];
      layout->start[j + 1] = layout->start[j] + binomial;
      binomial = binomial * (low - j) / (j + 1);
    }
    uint32_t x = 0;
    do {
      const int of = permi_count_ones(x);
      layout->rank[x] = (uint16_t)(fill[of] - layout->start[of]);
      layout->word[fill[of]++] = (uint16_t)x;
      x = (x - low_mask) & low_mask;
    } while (x);
  }
  layout->occupied = occupied;
  layout->ones = ones;
  layout->most = most;
  layout->low = low;
  for (j = 0; j < (int)(sizeof begin / sizeof *begin); j++)
    begin[j] = j < PERMI_ARRAY_HIGH ? 0 : layout->start[j - PERMI_ARRAY_HIGH <= low ? j - PERMI_ARRAY_HIGH : low + 1];
  uint32_t x = 0;
  do {
    layout->middle_ones[x] = (unsigned char)permi_count_ones(x);
    x = (x - middle_mask) & middle_mask;
  } while (x);
  for (c = 0; c <= arrays->top; c++) {
    const int rest = ones > c ? ones - c : 0;
    size_t offset = 0;
    layout->middle_start[c] = used;
    layout->total[c] = 0;
    if (c > tops || most < c)
      continue;
    x = 0;
    do { /* branches would be mispredicted */
      int left = rest - layout->middle_ones[x];
      layout->middle_offset[(size_t)c << arrays->middle | x] = offset - (size_t)begin[PERMI_ARRAY_HIGH + left];
      for (j = rest; j <= most - c; j++, left++) {
        const int states = begin[PERMI_ARRAY_HIGH + left + 1] - begin[PERMI_ARRAY_HIGH + left];
        layout->middle[used] = (uint16_t)x;
        layout->left[used] = (unsigned char)left;
        used += states != 0;
        offset += (size_t)states;
      }
      x = (x - middle_mask) & middle_mask;
    } while (x);
    layout->total[c] = offset;
  }
  layout->middle_start[c] = used;
  layout->states = 0;
  layout->tops = 0;
  x = 0;
  do {
    const size_t states = permi_layout_states(layout, x);
    if (states) {
      layout->top_offset[x] = layout->states;
      layout->top[layout->tops++] = (uint16_t)x;
      layout->states += states;
    }
    x = (x - top_mask) & top_mask;
  } while (x);
}

static void permi_eights_fill(const permi_layout *target, const uint16_t *place, permi_eight *eights)
{
  for (int j = 0; j <= target->low; j++) {
    permi_eight *eight = eights + target->start[j] / 8 + j;
    for (int k = target->start[j]; k < target->start[j + 1]; k += 8, eight++) {
      const int end = target->start[j + 1] - k < 8 ? target->start[j + 1] - k : 8;
      memset(eight, 0, sizeof *eight);
      for (int i = 0; i < end; i++) {
        if (place[k + i] == PERMI_ARRAY_NOWHERE)
          continue;
        if (!eight->here)
          eight->base = place[k + i];
        eight->here |= (unsigned char)(1 << i);
        eight->at[i] = (unsigned char)((place[k + i] - eight->base) & 15);
        eight->wide |= place[k + i] - eight->base > 15;
      }
    }
  }
}

PERMI_NEVER_INLINE static void permi_ways_fill(permi_arrays_run *run, int p, const permi_layout *source,
                                               const permi_layout *target)
{
  const permi_frontier *frontier = run->frontier;
  const permi_arrays *arrays = run->arrays;
  const int first = frontier->stream_start[p], ways = frontier->stream_start[p + 1] - first, low = arrays->low;
  const uint64_t low_mask = ((uint64_t)1 << low) - 1, top_mask = ~UINT64_C(0) << (low + arrays->middle);
  const size_t words = (size_t)1 << low;
  for (int s = 0; s < ways; s++) {
    const permi_pull pull = permi_pull_of(frontier, p, first + s);
    const uint64_t from = (pull.want & pull.keep) ^ pull.flip;
    const int more = permi_count_ones(from) - permi_count_ones(pull.want);
    const permi_coefficient *c = &frontier->coefficient[first + s];
    const double real = run->absolute         ? c->absolute
                        : arrays->by_residues ? permi_residue_entry(c, run->numbers.modulus, run->root)
                                              : c->real;
    const perm_gpu_way made = {
        (uint32_t)(pull.test >> low), (uint32_t)(pull.want >> low), (uint32_t)(pull.keep >> low),
        (uint32_t)(pull.flip >> low), (uint32_t)(pull.test & low_mask), (uint32_t)(pull.want & low_mask),
        (uint32_t)(pull.keep & low_mask), (uint32_t)(pull.flip & low_mask),
        permi_count_ones(from & low_mask) - permi_count_ones(pull.want & low_mask), source->ones - more,
        source->most - source->ones,
        ((pull.test | pull.flip | (source->occupied ^ target->occupied)) & low_mask) != 0,
        real, c->imaginary, {c->integer[0], c->integer[1]}};
    perm_gpu_way *way = &run->way[s];
    permi_lookup *lookup = &run->lookup[s];
    *way = made;
    lookup->top_ones = permi_count_ones(from & top_mask) - permi_count_ones(pull.want & top_mask);
    lookup->c = *c;
    lookup->c.real = real;
    lookup->place = NULL;
    if (way->moves && !run->gpu) {
      uint16_t *place = run->low + (size_t)s * (words + PERMI_ARRAY_PAD);
      permi_eight *eights = run->eights + (size_t)s * (words / 8 + PERMI_ARRAY_LOW + 2);
      for (int k = 0; k < target->start[target->low + 1]; k++) {
        const uint32_t word = target->word[k];
        place[k] = (word & way->low_test) == way->low_want ? source->rank[(word & way->low_keep) ^ way->low_flip]
                                                           : (uint16_t)PERMI_ARRAY_NOWHERE;
      }
      lookup->place = place;
      lookup->eight = eights;
      if (run->kernel_eights)
        permi_eights_fill(target, place, eights);
    }
  }
}

/* PLACES. States that differ in top bits that a step keeps do not meet. So a step takes turns in one memory, each for
   some settings of these bits: it places targets at the first fit, computes them, frees the source's places. Counts of
   bits give the sizes, so planning knows the memory. */

/* Threads wait after each turn: none is below a millisecond. */
#define PERMI_ARRAY_TURNS 8
#define PERMI_ARRAY_TURN_BYTES 4e6

typedef struct permi_gap {
  uint64_t begin, end;
} permi_gap;

struct permi_places {
  const permi_frontier *frontier;
  permi_control *watch; /* or NULL */
  uint64_t *at[2]; /* first byte, by top bits */
  uint64_t bytes[2][PERMI_ARRAY_HIGH + 1]; /* by ones of top */
  permi_gap *gap;                          /* the last has no end */
  int gaps, done;
  uint64_t most, turn; /* bytes so far, of a turn */
  uint32_t fixed, rest[2], begin, next; /* bits kept, others; a turn's settings */
};

static size_t permi_places_tops(const permi_frontier *frontier)
{
  return (size_t)1 << frontier->arrays->top;
}

static int permi_places_open(permi_pool *pool, const permi_frontier *frontier, permi_places *places)
{
  const size_t tops = permi_places_tops(frontier);
  memset(places, 0, sizeof *places);
  places->frontier = frontier;
  places->at[0] = (uint64_t *)permi_pool_zeros(pool, 2 * tops, sizeof(uint64_t));
  places->gap = (permi_gap *)permi_pool_get(pool, 2 * tops + 2, sizeof(permi_gap));
  if (pool->failed)
    return 0;
  places->at[1] = places->at[0] + tops;
  return 1;
}

static uint64_t permi_places_find(permi_places *places, uint64_t bytes)
{
  permi_gap *gap = places->gap;
  while (gap->end - gap->begin < bytes)
    gap++;
  const uint64_t at = gap->begin;
  gap->begin += bytes;
  places->most = gap->begin > places->most ? gap->begin : places->most;
  if (gap->begin == gap->end)
    memmove(gap, gap + 1, (size_t)(places->gap + --places->gaps - gap) * sizeof *gap);
  return at;
}

static void permi_places_free(permi_places *places, uint64_t at, uint64_t bytes)
{
  int low = 0, high = places->gaps - 1, before;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (places->gap[middle].begin > at)
      high = middle;
    else
      low = middle + 1;
  }
  permi_gap *gap = places->gap + low;
  before = low > 0 && gap[-1].end == at;
  if (!before) {
    memmove(gap + 1, gap, (size_t)(places->gaps++ - low) * sizeof *gap);
    (gap++)->begin = at;
  }
  gap[-1].end = at + bytes;
  if (gap->begin == at + bytes) {
    gap[-1].end = gap->end;
    memmove(gap, gap + 1, (size_t)(places->gap + --places->gaps - gap) * sizeof *gap);
  }
}

static void permi_places_size(permi_places *places, int p)
{
  const permi_frontier *frontier = places->frontier;
  const permi_arrays *arrays = frontier->arrays;
  const uint64_t tops = arrays->occupied[p] >> (arrays->low + arrays->middle);
  const int below = permi_count_ones(arrays->occupied[p]) - permi_count_ones(tops);
  const int next = p < frontier->steps ? p + 1 : p;
  const uint64_t each = permi_arrays_bytes_at(frontier, next);
  for (int c = 0; c <= arrays->top; c++) {
    const int most = frontier->most[p] - c < below ? frontier->most[p] - c : below;
    uint64_t states = 0, ways = c <= permi_count_ones(tops);
    for (int k = 0; k <= most && ways; ways = ways * (uint64_t)(below - k) / (uint64_t)(k + 1), k++)
      states += k >= frontier->ones[p] - c ? ways : 0;
    places->bytes[p & 1][c] = states ? (states * each + PERMI_ARRAY_PAD + 63) & ~UINT64_C(63) : 0;
  }
}

static void permi_places_start(permi_places *places)
{
  const permi_frontier *frontier = places->frontier;
  double turn = PERMI_ARRAY_TURN_BYTES;
  for (int p = 0; p < frontier->steps; p++)
    turn = fmax(turn, frontier->states[p] * (double)permi_arrays_bytes_at(frontier, p + 1) / PERMI_ARRAY_TURNS);
  places->turn = (uint64_t)turn;
  places->gap[0].begin = 0;
  places->gap[0].end = UINT64_MAX;
  places->gaps = 1;
  permi_places_size(places, 0);
  places->at[0][0] = permi_places_find(places, places->bytes[0][0]);
}

static void permi_places_step(permi_places *places, int p)
{
  const permi_frontier *frontier = places->frontier;
  const permi_arrays *arrays = frontier->arrays;
  const int above = arrays->low + arrays->middle;
  uint64_t fixed = arrays->occupied[p] & arrays->occupied[p + 1] & ~arrays->born[p + 1];
  for (int s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++) {
    const permi_pull pull = permi_pull_of(frontier, p, s);
    fixed &= pull.keep & ~pull.flip;
  }
  places->fixed = (uint32_t)(fixed >> above);
  for (int k = 0; k < 2; k++)
    places->rest[(p + k) & 1] = (uint32_t)(arrays->occupied[p + k] >> above) & ~places->fixed;
  places->next = 0;
  places->done = 0;
  permi_places_size(places, p + 1);
}

/* Returns the number of its words of top bits. */
static int permi_places_turn(permi_places *places, int side, uint16_t *top)
{
  uint64_t bytes = 0;
  int tops = 0;
  places->begin = places->next;
  do {
    uint32_t x = 0;
    do {
      const uint32_t word = places->next | x;
      const uint64_t size = places->bytes[side][permi_count_ones(word)];
      if (size) {
        places->at[side][word] = permi_places_find(places, size);
        bytes += size;
        top[tops++] = (uint16_t)word;
      }
      x = (x - places->rest[side]) & places->rest[side];
    } while (x && !permi_watch_apart(places->watch, places->gaps + 20.0));
    places->next = (places->next - places->fixed) & places->fixed;
    places->done = places->next == 0 || (places->watch && places->watch->stopped != PERM_OK);
  } while (!places->done && bytes < places->turn);
  return tops;
}

static void permi_places_turned(permi_places *places, int side)
{
  const uint32_t rest = places->rest[side ^ 1];
  uint32_t fixed = places->begin;
  do {
    uint32_t x = 0;
    do {
      const uint64_t size = places->bytes[side ^ 1][permi_count_ones(fixed | x)];
      if (size)
        permi_places_free(places, places->at[side ^ 1][fixed | x], size);
      x = (x - rest) & rest;
    } while (x && !permi_watch_apart(places->watch, places->gaps + 20.0));
    fixed = (fixed - places->fixed) & places->fixed;
  } while (fixed != places->next);
}

static int permi_places_measure(const permi_frontier *frontier, permi_control *watch)
{
  permi_pool pool = {&frontier->owned.allocator, NULL, 0};
  permi_places places;
  uint16_t *top = (uint16_t *)permi_pool_get(&pool, permi_places_tops(frontier), sizeof *top);
  double units = 0;
  int p, opened = permi_places_open(&pool, frontier, &places);
  if (opened)
    permi_places_start(&places);
  places.watch = watch;
  for (p = 0; p < frontier->steps && opened &&
              !permi_watch_gather(watch, &units, 100 + 20.0 * (double)permi_places_tops(frontier)); p++) {
    permi_places_step(&places, p);
    while (!places.done) {
      permi_places_turn(&places, (p + 1) & 1, top);
      permi_places_turned(&places, (p + 1) & 1);
    }
  }
  frontier->arrays->bytes = opened ? fmax((double)places.most, PERMI_ARRAY_PAD + (double)permi_arrays_bytes_at(
                                              frontier, frontier->steps)) : 0;
  permi_pool_release(&pool);
  return opened;
}

/* ===================================================================================== >>arrays_run */

#define PERMI_ARRAY_PIECES 4
typedef struct permi_array_stepping {
  permi_arrays_run *run;
  int p;
  double before, seconds;
  int words;              /* of source integers */
  char *kept;             /* targets of >>derive_frontier, or NULL */
  double **sum;           /* by stream, or NULL: */
  size_t sums;            /* so many for a piece */
} permi_array_stepping;

static char *permi_array_values(const permi_arrays_run *run, int p, uint32_t top)
{
  return run->memory + (size_t)run->places->at[p & 1][top];
}

/* The value: 0 where lone entries cancelled, so that no state is left. */
static char *permi_arrays_last(const permi_arrays_run *run)
{
  const int p = run->frontier->steps;
  if (run->frontier->ones[p] > run->frontier->most[p])
    return (char *)memset(run->memory, 0, run->bytes);
  return permi_array_values(run, p, 0);
}

static perm_status permi_array_piece(void *context, uint64_t number, int thread)
{
  const permi_array_stepping *step = (const permi_array_stepping *)context;
  permi_arrays_run *run = step->run;
  const uint32_t top = run->top[number / PERMI_ARRAY_PIECES];
  const int piece = (int)(number % PERMI_ARRAY_PIECES);
  const int p = step->p, *stream = run->frontier->stream_start + p, ways = stream[1] - stream[0];
  const permi_layout *source = &run->layout[p & 1], *target = &run->layout[(p + 1) & 1];
  permi_origin *origin = run->origin + (size_t)thread * (size_t)run->most;
  const int ones = permi_count_ones(top), bits = run->arrays->middle;
  const uint32_t middle_mask = (1u << bits) - 1;
  const size_t doubles = run->bytes / sizeof(double), from = run->own ? run->from : run->bytes;
  const permi_algebra algebra = run->numbers.algebra; /* double-doubles: high parts first */
  const size_t stride = algebra == PERMI_PAIR_DD_VALUES ? 2 : 1, tracked = algebra == PERMI_MAGNITUDES_DD ? 1 : doubles;
  const int first = target->middle_start[ones], middles = target->middle_start[ones + 1] - first;
  const int end = first + middles * (piece + 1) / PERMI_ARRAY_PIECES;
  permi_sizes sizes;
  permi_sizes_clear(&sizes);
  for (int i = first + middles * piece / PERMI_ARRAY_PIECES; i < end; i++) {
    const uint32_t high = top << bits | target->middle[i];
    const int left = target->left[i], start = target->start[left], all = ones + target->middle_ones[target->middle[i]];
    const size_t count = (size_t)(target->start[left + 1] - start);
    char *y = (step->kept ? step->kept + target->top_offset[top] * run->bytes : permi_array_values(run, p + 1, top)) +
              (size_t)(target->middle_offset[(size_t)ones << bits | target->middle[i]] + (uint64_t)start) * run->bytes;
    int origins = 0;
    for (int s = 0; s < ways; s++) {
      const perm_gpu_way *way = &run->way[s];
      const permi_lookup *lookup = &run->lookup[s];
      const int low_ones = left + way->low_ones;
      if ((high & way->test) != way->want || low_ones < 0 || low_ones > source->low ||
          (uint32_t)(all + left - way->least) > (uint32_t)way->span)
        continue;
      const uint32_t word = (high & way->keep) ^ way->flip;
      const size_t middle = (size_t)(ones + lookup->top_ones) << bits | (word & middle_mask);
      origin[origins].x = permi_array_values(run, p, word >> bits) +
                          (size_t)(source->middle_offset[middle] + (uint64_t)source->start[low_ones]) * from;
      origin[origins].count = (size_t)(source->start[low_ones + 1] - source->start[low_ones]);
      origin[origins].real = lookup->c.real;
      origin[origins].c = &lookup->c;
      origin[origins].sum = step->kept && step->sum[s] ? step->sum[s] + number * step->sums : NULL;
      origin[origins].place = lookup->place ? lookup->place + start : NULL;
      origin[origins++].eight = lookup->place ? lookup->eight + start / 8 + left : NULL;
    }
    run->kernel(&run->numbers, y, count, origin, origins);
    if (run->tracking)
      permi_values_extremes((const double *)(const void *)y, count * tracked, stride, &sizes);
  }
  if (run->tracking) {
    PERMI_OMP(critical(permi_array_sizes))
    permi_sizes_join(&run->base.sizes, &sizes);
  }
  return permi_runner_poll(&run->base, (double)target->states / (target->tops * PERMI_ARRAY_PIECES),
                           step->before + step->seconds * (double)number, thread);
}

static perm_status permi_array_lengthen(void *context, uint64_t number, int thread)
{
  const permi_array_stepping *step = (const permi_array_stepping *)context;
  const permi_arrays_run *run = step->run;
  const uint32_t top = run->layout[step->p & 1].top[number];
  const size_t from = (size_t)step->words, to = (size_t)run->numbers.words;
  uint64_t *x = (uint64_t *)(void *)permi_array_values(run, step->p, top);
  size_t k = permi_layout_states(&run->layout[step->p & 1], top) * (size_t)run->numbers.parts;
  (void)thread;
  while (k-- > 0) {
    const int negative = (int)(x[(k + 1) * from - 1] >> 63);
    memmove(x + k * to, x + k * from, from * sizeof *x);
    memset(x + k * to + from, negative ? 255 : 0, (to - from) * sizeof *x);
  }
  return PERM_OK;
}

static perm_status permi_array_step(permi_arrays_run *run, int p)
{
  const permi_frontier *frontier = run->frontier;
  const permi_layout *target = &run->layout[(p + 1) & 1];
  const double seconds = (frontier->cost[p + 1] - frontier->cost[p]) * run->seconds_each;
  const int threads = seconds < PERMI_PARALLEL_SECONDS ? 1 : run->base.threads;
  permi_array_stepping step = {run, p, run->base.done, seconds / ((double)target->tops * PERMI_ARRAY_PIECES), 0, NULL,
                               NULL, 0};
  perm_status status = PERM_OK;
  if (run->tracking)
    permi_sizes_clear(&run->base.sizes);
  if (frontier->words && !run->own && !run->arrays->by_residues && frontier->words[p] < frontier->words[p + 1]) {
    step.words = frontier->words[p];
    permi_share(threads, 0, (uint64_t)run->layout[p & 1].tops, permi_array_lengthen, &step, NULL);
  }
  permi_places_step(run->places, p);
  while (!run->places->done && status == PERM_OK) {
    const int tops = permi_places_turn(run->places, (p + 1) & 1, run->top);
    status = permi_share(threads, 0, (uint64_t)tops * PERMI_ARRAY_PIECES, permi_array_piece, &step, NULL);
    permi_places_turned(run->places, (p + 1) & 1);
    step.before += step.seconds * tops * PERMI_ARRAY_PIECES;
  }
  return status;
}

static double permi_ways_weight(const permi_arrays_run *run, int p, double *least)
{
  const permi_frontier *frontier = run->frontier;
  double weight = 0;
  *least = 1;
  for (int s = frontier->stream_start[p]; s < frontier->stream_start[p + 1]; s++) {
    permi_coefficient c = frontier->coefficient[s];
    if (run->absolute)
      c.real = c.imaginary = 0;
    permi_coefficient_weigh(&c, &weight, least);
  }
  return weight * (1 + 1e-12);
}

static void permi_arrays_shorten(permi_arrays_run *run, int p)
{
  const permi_arrays *arrays = run->arrays;
  const permi_algebra algebra = run->numbers.algebra;
  run->from = run->bytes;
  run->kernel_eights = (run->own || algebra == PERMI_MAGNITUDES || algebra == PERMI_MAGNITUDES_DD) &&
                       arrays->isa > PERM_ISA_PLAIN;
  if (!run->absolute && !arrays->by_residues)
    run->numbers = permi_arrays_numbers_at(run->frontier, p);
  run->bytes = 8 * permi_numbers_words(&run->numbers);
  const int growth = arrays->by_residues && p ? (int)arrays->growth[p - 1] : (int)PERMI_GROWS_NOT;
  run->kernel = run->own ? run->own : permi_arrays_kernel(run->numbers.algebra, arrays->isa, growth);
}

/* UNDERFLOW (tests/proofs/frontier.g). `smallest` and `largest` bound non-zero high parts. Products of doubles are
   multiples of 2^-106 times themselves, and so are sums, however they cancel. So smallest 2^-106 least |c| bounds the
   next non-zero values, without the power if nothing cancels. Steps are measured before a product may fall below
   PERMI_ARRAY_SAFE or exceed 1e150. Above that all is a multiple of 2^-936: only low parts underflow, by less than
   2^-200 of the product, for which PERMI_DD_UNIT has room. Below it a product and its sum lose 16 DBL_MIN a part. */
static perm_status permi_arrays_advance(permi_runner *runner, int p)
{
  permi_arrays_run *run = (permi_arrays_run *)runner;
  const permi_arrays *arrays = run->arrays;
  const permi_frontier *frontier = run->frontier;
  const permi_layout *source = &run->layout[p & 1];
  permi_layout *target = &run->layout[(p + 1) & 1];
  permi_sizes *sizes = &runner->sizes;
  perm_status status = PERM_OK;
  runner->done = run->seconds_before + frontier->cost[p] * run->seconds_each;
  permi_layout_fill(arrays, target, arrays->occupied[p + 1], frontier->ones[p + 1], frontier->most[p + 1]);
  permi_ways_fill(run, p, source, target);
  permi_arrays_shorten(run, p + 1);
  status = run->back ? run->back(run, p) : status;
  run->tracking = 0;
  if (!permi_algebra_is_integer(frontier->numbers.algebra)) {
    const int cancels = !run->absolute && permi_algebra_has_moduli(frontier->numbers.algebra);
    double least, next_least, weight = permi_ways_weight(run, p, &least);
    sizes->loss = permi_loss_scaled(sizes->loss, weight, 0);
    if (sizes->smallest * least < PERMI_ARRAY_SAFE)
      sizes->loss += 16 * DBL_MIN * (frontier->stream_start[p + 1] - frontier->stream_start[p]);
    sizes->smallest *= least * (cancels ? 1.2e-32 : 1 - 1e-9);
    sizes->largest *= 2 * weight;
    if (p + 1 < frontier->steps) {
      weight = permi_ways_weight(run, p + 1, &next_least);
      run->tracking = sizes->smallest * next_least < PERMI_ARRAY_SAFE || sizes->largest * weight > 1e150;
    }
  }
  if (run->gpu && status == PERM_OK)
    status = permi_runner_poll(runner, PERMI_RUNNER_POLL, runner->done, 0);
  if (status == PERM_OK)
    status = run->gpu ? permi_gpu_step(run, p) : permi_array_step(run, p);
  const int e = status == PERM_OK && run->tracking ? permi_sizes_rescale(sizes, 1e150, PERMI_ARRAY_SAFE) : 0;
  if (e && run->gpu)
    status = permi_gpu_scale(run, target->states, ldexp(1, -(e / 2)), ldexp(1, e / 2 - e));
  for (int k = 0; e && !run->gpu && k < target->tops; k++)
    permi_values_scale((double *)(void *)permi_array_values(run, p + 1, target->top[k]),
                       permi_layout_states(target, target->top[k]) * run->bytes / sizeof(double), e);
  runner->visited += run->again ? 0 : (double)target->states;
  return status;
}

static perm_status permi_arrays_pass(permi_arrays_run *run)
{
  perm_status status = PERM_OK;
  memset(&run->base.sizes, 0, sizeof run->base.sizes);
  run->base.sizes.smallest = run->base.sizes.largest = 1;
  permi_layout_fill(run->arrays, &run->layout[0], 0, 0, 0);
  if (run->gpu)
    status = permi_gpu_begin(run);
  else
    permi_places_start(run->places);
  permi_arrays_shorten(run, 0);
  permi_value_one(&run->numbers, permi_array_values(run, 0, 0));
  if (status == PERM_OK)
    status = permi_runner_go(&run->base, 0, run->frontier->steps, permi_arrays_advance);
  if (status == PERM_OK && run->gpu)
    status = permi_gpu_value(run, run->memory);
  return status;
}

/* For the pass of moduli. */
static void permi_arrays_aim(permi_arrays_run *run, int absolute)
{
  run->absolute = run->again = absolute;
  run->numbers.algebra = absolute ? PERMI_MAGNITUDES : run->numbers.algebra;
}

/* Gives both values one exponent and loss. */
static void permi_arrays_join(double *value, int last, permi_sizes *sizes)
{
  double lost = 0, most = 0;
  for (int k = 0; k < last; k++)
    most = fmax(most, fabs(value[k]));
  if (most > 0 && sizes[1].exp2 > sizes[0].exp2 &&
      sizes[0].exp2 + permi_exponent(most) - sizes[1].exp2 - permi_exponent(value[last]) < PERMI_CANCELS) {
    sizes[1].exp2 = sizes[0].exp2;
    sizes[1].loss = (double)INFINITY;
  }
  const long long common = sizes[1].exp2 > sizes[0].exp2 ? sizes[1].exp2 : sizes[0].exp2;
  for (int pass = 0; pass < 2; pass++) {
    const int shift = permi_int_exponent(sizes[pass].exp2 - common);
    for (int k = pass ? last : 0; k < last + pass; k++)
      value[k] = ldexp(value[k], shift);
    lost += ldexp(sizes[pass].loss, shift) + (shift ? 4 * DBL_MIN : 0);
  }
  sizes->loss = lost;
  sizes->exp2 = common;
}

PERMI_COLD static int permi_arrays_open(permi_arrays_run *run, const permi_frontier *frontier, permi_control *control,
                                        double seconds)
{
  const permi_arrays *arrays = frontier->arrays;
  const size_t lows = (size_t)1 << arrays->low;
  const int gpu = arrays->isa == PERM_ISA_CUDA;
  const double bytes = gpu ? (double)permi_arrays_bytes_at(frontier, frontier->steps) : arrays->bytes;
  const size_t most = (size_t)permi_frontier_streams_most(frontier), origins = most * (run->own ? 3 : 1);
  permi_pool *pool = &run->base.pool;
  permi_runner_begin(&run->base, &frontier->owned.allocator, control, "frontier");
  if (gpu || seconds < PERMI_PARALLEL_SECONDS)
    run->base.threads = 1;
  run->frontier = frontier;
  run->arrays = arrays;
  run->numbers = permi_arrays_numbers(frontier);
  run->seconds_each = seconds / (permi_arrays_passes(frontier) * (frontier->cost[frontier->steps] + 1));
  run->most = (int)origins;
  run->way = (perm_gpu_way *)permi_pool_get(pool, most, sizeof *run->way);
  run->lookup = (permi_lookup *)permi_pool_get(pool, most, sizeof *run->lookup);
  run->origin = (permi_origin *)permi_pool_get(pool, origins * (size_t)run->base.threads, sizeof *run->origin);
  run->low = (uint16_t *)permi_pool_zeros(pool, most * (lows + PERMI_ARRAY_PAD), sizeof(uint16_t));
  run->eights = (permi_eight *)permi_pool_get(pool, most * (lows / 8 + PERMI_ARRAY_LOW + 2), sizeof(permi_eight));
  for (int p = 0; p < 2; p++)
    permi_layout_create(pool, arrays, &run->layout[p]);
  run->places = (permi_places *)permi_pool_get(pool, 1, sizeof *run->places);
  run->top = (uint16_t *)permi_pool_get(pool, permi_places_tops(frontier), sizeof *run->top);
  if (pool->failed)
    return 0;
  permi_places_open(pool, frontier, run->places);
  run->memory = (char *)permi_pool_get(pool, bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX / 2, 1);
  return !pool->failed;
}

PERMI_COLD static perm_status permi_arrays_residues(permi_arrays_run *run, double seconds, perm_partial *partial)
{
  permi_pool *pool = &run->base.pool;
  const permi_array_residues *plan = &run->arrays->residues;
  const size_t primes = (size_t)plan->primes;
  const int parts = primes ? plan->passes / plan->primes : 1;
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_pool_get(pool, primes + 1, sizeof *prime);
  uint64_t *residue[2], *word = (uint64_t *)permi_pool_get(pool, 4 * (primes + 1), sizeof *word), value[2] = {0, 0};
  uint64_t root = 0;
  perm_status status = PERM_OK;
  if (pool->failed)
    return PERM_ERROR_MEMORY;
  residue[0] = word + 2 * (primes + 1);
  residue[1] = residue[0] + primes + 1;
  permi_primes_choose(prime, primes, parts == 2, plan->bits);
  for (int pass = 0; pass < plan->passes && status == PERM_OK; pass++) {
    const int k = pass / parts, part = pass % parts;
    const uint64_t p = primes ? prime[k].p : plan->modulus;
    double last;
    if (parts == 2 && part == 0)
      root = permi_prime_root(&prime[k]);
    run->numbers.modulus = p;
    run->root = part ? p - root : root;
    run->again = pass > 0;
    run->seconds_before = pass * seconds / plan->passes;
    status = permi_arrays_pass(run);
    memcpy(&last, permi_arrays_last(run), sizeof last);
    if (status == PERM_OK && !p)
      permi_sum_add_double(&partial->value, last);
    else if (status == PERM_OK)
      value[part] = permi_residue_of_double(last, p);
    residue[0][k] = value[0];
    if (part == 1)
      permi_residue_parts(value, root, &prime[k], &residue[0][k], &residue[1][k]);
  }
  if (status == PERM_OK && (primes || plan->modulus))
    status = permi_residues_sum(prime, residue[0], (int)primes, 0, word, &partial->value);
  if (status == PERM_OK && parts == 2)
    status = permi_residues_sum(prime, residue[1], (int)primes, 0, word, &partial->imaginary);
  return status;
}

PERMI_COLD static perm_status permi_arrays_run_task(const permi_leaf *leaf, permi_control *control,
                                                    perm_partial *partial)
{
  const permi_frontier *frontier = (const permi_frontier *)leaf->context;
  const int gpu = frontier->arrays->isa == PERM_ISA_CUDA, residues = frontier->arrays->by_residues;
  const int passes = residues ? 0 : permi_arrays_passes(frontier);
  const int integers = permi_algebra_is_integer(frontier->numbers.algebra);
  const int moduli = (int)permi_numbers_words(&frontier->numbers) - 1;
  permi_arrays_run run;
  permi_sizes sizes[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  char *last = NULL;
  double value[5];
  char message[PERM_MESSAGE_BYTES] = "";
  perm_status status = PERM_ERROR_MEMORY;
  memset(&run, 0, sizeof run);
  if (permi_arrays_open(&run, frontier, control, leaf->information.seconds))
    status = gpu ? permi_gpu_create(&run, message) : PERM_OK;
  if (status == PERM_OK && residues)
    status = permi_arrays_residues(&run, leaf->information.seconds, partial);
  for (int pass = 0; pass < passes && status == PERM_OK; pass++) {
    permi_arrays_aim(&run, pass);
    run.seconds_before = pass * leaf->information.seconds / passes;
    status = permi_arrays_pass(&run);
    last = permi_arrays_last(&run);
    if (!integers)
      memcpy(value + (pass ? moduli : 0), last, run.bytes);
    sizes[pass] = run.base.sizes;
  }
  if (status == PERM_OK) {
    if (passes == 2)
      permi_arrays_join(value, moduli, sizes);
    run.base.sizes = sizes[0];
    permi_runner_finish(&run.base, &frontier->numbers, residues ? NULL : integers ? (void *)last : (void *)value,
                        frontier->lost_error, partial);
  }
  if (gpu) {
    permi_gpu_free(&run);
    if (control && status == PERM_OK)
      control->gpus = control->gpus > 1 ? control->gpus : 1;
    else if (control)
      memcpy(control->message, message, sizeof message);
  }
  permi_pool_release(&run.base.pool);
  return status;
}

/* None if stopped or with too many slots. */
static int permi_arrays_create(const permi_block *block, permi_frontier *frontier, perm_isa isa, int low,
                               permi_control *watch)
{
  const int *birth = frontier->birth, *death = frontier->death, slot_count = frontier->slot_count;
  const size_t steps = (size_t)frontier->steps + 1;
  permi_pool *pool = &frontier->owned.pool;
  permi_arrays *arrays = (permi_arrays *)permi_pool_zeros(pool, 1, sizeof *arrays);
  uint64_t *masks = (uint64_t *)permi_pool_zeros(pool, steps, 3 * sizeof *masks);
  unsigned char *growth = (unsigned char *)permi_pool_get(pool, steps, 1);
  double units = 0;
  if (pool->failed || slot_count > PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH)
    return !pool->failed;
  arrays->occupied = masks;
  arrays->rows = masks + steps;
  arrays->born = arrays->rows + steps;
  arrays->growth = growth;
  arrays->isa = isa;
  arrays->low = slot_count < low ? slot_count : low;
  arrays->lefts = block->free_lines ? arrays->low + 1 : 1;
  arrays->middle = (slot_count - arrays->low + 1) / 2;
  arrays->top = slot_count - arrays->low - arrays->middle;
  for (int v = 0; v < block->vertices; v++) {
    const uint64_t bit = frontier->slot[v] < 0 ? 0 : UINT64_C(1) << frontier->slot[v];
    if (!bit)
      continue;
    if (permi_watch_gather(watch, &units, 40 + 5.0 * (death[v] - birth[v])))
      return 1;
    arrays->born[birth[v] + 1] |= bit;
    for (int p = birth[v] + 1; p <= death[v]; p++) {
      arrays->occupied[p] |= bit;
      arrays->rows[p] |= v < block->n ? bit : 0;
    }
  }
  frontier->arrays = arrays;
  return 1;
}

static int permi_arrays_measured(const permi_frontier *frontier, permi_control *watch)
{
  return frontier->arrays->isa == PERM_ISA_CUDA || frontier->arrays->bytes > 0 || permi_places_measure(frontier, watch);
}

static double permi_arrays_bytes(const permi_arrays *arrays)
{
  const double middles = (double)(arrays->top + 1) * ldexp(1, arrays->middle);
  const double bytes =
      2 * ((8 + 3 * arrays->lefts) * middles + ldexp(1, arrays->middle) + ldexp(35, arrays->top)) + 65536;
  return bytes + (arrays->isa == PERM_ISA_CUDA ? 0 : arrays->bytes);
}

static double permi_arrays_products(const permi_numbers *numbers)
{
  return numbers->algebra == PERMI_WORDS ? numbers->words * numbers->parts * numbers->parts : 1;
}

static double permi_arrays_gpu_seconds(const permi_frontier *frontier)
{
  static const double each[] = {1, 1, 2, 2.5, 2.5, 6, 1, 2.5, 1.2, 1}; /* first pass */
  const int passes = permi_arrays_passes(frontier);
  return PERMI_GPU_START_SECONDS + passes * frontier->steps * PERMI_GPU_STEP_SECONDS +
         frontier->cost[frontier->steps] * PERMI_GPU_STATE_SECONDS * permi_gpu_slower(PERM_GPU_MEMORY) *
             (each[frontier->numbers.algebra] * permi_arrays_products(&frontier->numbers) + passes - 1);
}

PERMI_NEVER_INLINE static double permi_arrays_seconds(const permi_frontier *frontier)
{
  const permi_arrays *arrays = frontier->arrays;
  double tables = 0, values = arrays->by_residues ? arrays->residues.seconds : 0;
  for (int p = 1; p <= frontier->steps; p++) {
    const permi_numbers numbers = permi_arrays_numbers_at(frontier, p);
    const permi_algebra algebra = frontier->words ? numbers.algebra : frontier->numbers.algebra;
    const double bytes = 8 * (double)permi_numbers_words(&numbers);
    const uint64_t high = arrays->occupied[p] >> arrays->low, middle = high & (((uint64_t)1 << arrays->middle) - 1);
    const int spread = frontier->most[p] - frontier->ones[p];
    const double smaller = 1 + 0.25 * spread / (permi_count_ones(arrays->occupied[p]) + 1); /* blocks */
    if (!arrays->by_residues)
      values += (frontier->cost[p] - frontier->cost[p - 1]) * smaller *
                (permi_array_seconds[algebra] * permi_arrays_products(&numbers) +
                 (frontier->states[p] * bytes > PERMI_ARRAY_CACHE_BYTES ? bytes * PERMI_ARRAY_MISS_SECONDS : 0));
    const int tops = permi_count_ones(high ^ middle), ones = frontier->most[p] < tops ? frontier->most[p] : tops;
    tables += (ones + 1) * ldexp(spread + 1, permi_count_ones(middle)) + ldexp(1, tops);
  }
  return values + permi_arrays_passes(frontier) *
                      (tables * 2e-9 + PERMI_ARRAY_STREAM_SECONDS * frontier->stream_start[frontier->steps]);
}

static uint64_t permi_arrays_fingerprint(uint64_t hash, const permi_frontier *frontier, permi_control *watch)
{
  const permi_arrays *arrays = frontier->arrays;
  hash = permi_hash(permi_hash(hash, (uint64_t)arrays->isa), (uint64_t)arrays->low);
  if (arrays->by_residues)
    hash = permi_hash(permi_hash(hash, (uint64_t)arrays->residues.passes), (uint64_t)arrays->residues.bits);
  for (int p = 0; p < frontier->steps; p++)
    for (int s = frontier->stream_start[p];
         s < frontier->stream_start[p + 1] && !permi_watch_step(watch, (size_t)s, 10); s++) {
      const permi_pull pull = permi_pull_of(frontier, p, s);
      hash = permi_hash(permi_hash(hash, pull.test), pull.want);
      hash = permi_hash(permi_hash(hash, pull.keep), pull.flip);
    }
  return hash;
}

/* =========================================================================================== >>tree
   Tables of a tree decomposition: bucket elimination [Dec99], linear in n for bounded treewidth. */

/* The permanent is the coefficient of prod x_v in the product of (1 + a_uv x_u x_v) over the entries, x_v^2 = 0.
   Eliminating v multiplies the tables that know v and its entries left, and keeps terms with x_v: a table over its
   scope, the neighbours. A table over a rows and b columns, whose subtree has d more columns than rows, holds the C(a +
   b, a - d) masks with d more matched rows than columns, by "matched XOR is a row" ascending. The next vertex has the
   top bit: its halves, matched and not, are contiguous.
     join: pairs of disjoint masks, by common parts
     star: the entries of v: matched half += a (other half, that neighbour's bit turned)
   Threads share places; sums keep their order.
   With free lines (>>walk) factors are (alone_u + x_u), and a table over t vertices has 2^t places, by the mask of the
   matched ones, of which no state has more than vertices eliminated below: `difference`. All nodes are columns then,
   and none of their vertices a row. */

#define PERMI_TREE_WIDTH 28 /* with its own vertex */
#define PERMI_TREE_LOW 12
#define PERMI_TREE_STARTS 4

typedef struct permi_tree_edge {
  int bit, vertex, entry; /* entry: the block's edge */
  permi_coefficient c;
} permi_tree_edge;

typedef struct permi_tree_node {
  int children, edge, vertex, column;
  uint32_t rows, all; /* of scope and top */
  uint32_t set;       /* within the parent's */
  int difference;
} permi_tree_node;

typedef struct permi_tree {
  permi_owned owned;
  permi_numbers numbers;
  int size, nodes, width, joins, depth;
  permi_tree_node *node;
  int *vertex;
  permi_tree_edge *edge;
  permi_coefficient *alone; /* of nodes, with free lines; else NULL */
  double stack_values, work_values, most_states, most_groups, pairs, states, *cost, bound_relative, lost_error;
  uint32_t (*binomial)[PERMI_TREE_WIDTH + 2]; /* PERMI_TREE_WIDTH + 1 rows; NULL with free lines */
} permi_tree;

static uint32_t permi_tree_extract(uint32_t x, uint32_t set)
{
  uint32_t result = 0, bit = 1;
  for (; set; set &= set - 1, bit <<= 1)
    if (x & set & (0 - set))
      result |= bit;
  return result;
}

/* Returns the places of a table over t vertices. */
static uint32_t permi_tree_choose(const permi_tree *tree, int t, int k)
{
  if (tree->alone)
    return 1u << t;
  return k < 0 || k > t ? 0 : tree->binomial[t][k];
}

static double permi_tree_weight(const permi_tree *tree)
{
  const double parts = tree->numbers.parts, words = tree->numbers.words;
  switch (tree->numbers.algebra) {
  case PERMI_MAGNITUDES:
  case PERMI_WORD: return 1;
  case PERMI_SIGNED: return 1.5;
  case PERMI_COMPLEX: return 4;
  case PERMI_WORDS: return parts * parts * (3 + 0.5 * words * words);
  default: return 15 * parts * parts;
  }
}

typedef struct permi_tree_sketch {
  uint32_t set;
  int difference;
  double states;
} permi_tree_sketch;

static double permi_tree_power(int base, int k)
{
  double power = 1;
  while (k-- > 0)
    power *= base;
  return power;
}

/* Sets sum[most] to the sum of C(t, k) for k up to `most`, which is at most t. */
static void permi_tree_supports(int t, double *sum)
{
  double way = 1, all = 0;
  for (int k = 0; k <= t; way *= (t - k) / (k + 1.0), k++)
    sum[k] = all += way;
  sum[t] = permi_tree_power(2, t);
}

/* Returns the most pairs of a place. */
static double permi_tree_terms(const permi_tree *tree, uint32_t common, int one_difference, int other_difference)
{
  const int t = permi_count_ones(common), least = one_difference < other_difference ? one_difference : other_difference;
  double sum[PERMI_TREE_WIDTH + 1];
  permi_tree_supports(t, sum);
  return sum[tree->alone && least < t ? least : t];
}

/* With free lines: pairs of disjoint masks, of at most so many ones. */
static double permi_tree_disjoint(uint32_t one, int one_most, uint32_t other, int other_most)
{
  const int common = permi_count_ones(one & other), a = permi_count_ones(one & ~other);
  const int b = permi_count_ones(other & ~one);
  double pairs = 0, ways = 1, shares, own[PERMI_TREE_WIDTH + 1], others[PERMI_TREE_WIDTH + 1];
  permi_tree_supports(a, own);
  permi_tree_supports(b, others);
  for (int x = 0; x <= common && x <= one_most; ways *= (common - x) / (x + 1.0), x++) {
    shares = ways * own[one_most - x < a ? one_most - x : a];
    for (int y = 0; y <= common - x && y <= other_most; shares *= (common - x - y) / (y + 1.0), y++)
      pairs += shares * others[other_most - y < b ? other_most - y : b];
  }
  return pairs;
}

static double permi_tree_pairs(const permi_tree *tree, uint32_t rows, uint32_t one, int one_difference,
                               uint32_t other, int other_difference)
{
  const uint32_t common = one & other, own = one & ~common;
  const int a = permi_count_ones(common & rows), b = permi_count_ones(common & ~rows);
  const int a1 = permi_count_ones(own & rows), b1 = permi_count_ones(own & ~rows);
  const int a2 = permi_count_ones(other & rows), b2 = permi_count_ones(other & ~rows);
  double pairs = 0;
  if (tree->alone)
    return permi_tree_disjoint(one, one_difference, other, other_difference);
  for (int x = 0; x <= a; x++)
    for (int y = 0; y <= b; y++)
      pairs += (double)permi_tree_choose(tree, a, x) * permi_tree_choose(tree, b, y) *
               permi_tree_choose(tree, a1 + b1, a1 - (one_difference - x + y)) *
               permi_tree_choose(tree, a2 - x + b2 - y, a2 - x - other_difference);
  return pairs;
}

/* Returns which of two tables a join without sorting adds whole for each state of the other, in *visits (NULL: not
   counted if they are small); -1: none. */
#define PERMI_TREE_SMALL 8
static int permi_tree_direct(const permi_tree *tree, uint32_t one, int one_most, uint32_t other, int other_most,
                             double *visits)
{
  const int few = permi_count_ones(one | other) <= PERMI_TREE_SMALL;
  if (!tree->alone || tree->numbers.algebra != PERMI_MAGNITUDES)
    return -1;
  if (few && !visits)
    return 1;
  const double ones = permi_tree_disjoint(one, one_most, other, PERMI_TREE_WIDTH);
  const double others = few ? ones : permi_tree_disjoint(one, PERMI_TREE_WIDTH, other, other_most);
  if (visits)
    *visits = fmin(ones, others);
  return !few && fmin(ones, others) > 4 * permi_tree_disjoint(one, one_most, other, other_most) ? -1 : ones <= others;
}

typedef struct permi_tree_rank {
  uint32_t *low, *high;
} permi_tree_rank;

/* The place of a mask of k ones is its rank, or itself with free lines. */
static uint32_t permi_tree_rank_of(const permi_tree *tree, uint32_t mask, int shift, int k)
{
  uint32_t rank = 0;
  int index = k - permi_count_ones(mask), p;
  if (tree->alone)
    return mask << shift;
  for (; mask && index >= 0; mask &= mask - 1) {
    p = shift + permi_trailing_zeros(mask);
    rank += permi_tree_choose(tree, p, ++index);
  }
  return rank;
}

typedef struct permi_tree_table {
  uint64_t *value;
  uint32_t set;
  int difference;
  size_t states;
  permi_sizes sizes;
} permi_tree_table;

typedef struct permi_tree_run {
  permi_runner base;
  const permi_tree *tree;
  permi_tree_rank rank;
  permi_tree_table *table;
  uint64_t *values, *work[2];
  uint32_t *mask[2], *index[2], *first[2];
  double weight;
  int stacked;
  int zeros; /* 1: joins take zeros, too (>>derive_tree) */
  /* NULL, or takes products, then the table of a node (>>trace). */
  void (*keep)(void *keeper, const permi_tree_node *node, const permi_tree_table *table, int own);
} permi_tree_run;

#define PERMI_TREE_CUT 8     /* common bits: the heaviest of 2^b parts has (2/3)^b */
#define PERMI_TREE_PARTS 8

static size_t permi_tree_begin(size_t count, int part, int parts)
{
  return (size_t)((uint64_t)count * (uint64_t)part / (uint64_t)parts);
}

static int permi_tree_threads(const permi_tree_run *run, size_t states)
{
  return (double)states * PERMI_TREE_PAIR_SECONDS * run->weight < PERMI_SHARE_SECONDS ? 1 : run->base.threads;
}

typedef struct permi_tree_group {
  const uint32_t *mask, *index;
  size_t count;
  const uint64_t *value;
} permi_tree_group;

static PERMI_ALWAYS_INLINE void permi_tree_multiply_of(permi_algebra algebra, const permi_tree *tree,
                                                       const permi_tree_rank *rank, uint32_t m, const uint64_t *a,
                                                       const permi_tree_group *group, uint64_t *out)
{
  const permi_numbers *numbers = &tree->numbers;
  const size_t size = permi_value_words(algebra, numbers);
  const permi_coefficient c = permi_coefficient_from(algebra == PERMI_WORDS ? PERMI_WORD : algebra, numbers, a);
  const uint32_t *mask = group->mask, *index = group->index, *end = mask + group->count;
  const uint64_t *value = group->value;
  if (algebra == PERMI_WIDE || algebra == PERMI_MAGNITUDES_DD) /* never chosen */
    return;
  for (; mask < end; mask++, index++) {
    const uint32_t state = *mask ^ m;
    uint64_t *y = out + size * (rank->low[state & ((1u << PERMI_TREE_LOW) - 1)] + rank->high[state >> PERMI_TREE_LOW]);
    const uint64_t *x = value + size * *index;
    if (algebra == PERMI_WORDS)
      permi_words_accumulate(numbers->words, numbers->parts, a, y, x);
    else
      permi_value_add(algebra, numbers, &c, y, x, 0);
  }
}

typedef void (*permi_tree_multiplier)(const permi_tree *tree, const permi_tree_rank *rank, uint32_t m,
                                      const uint64_t *a, const permi_tree_group *group, uint64_t *out);
#define PERMI_INSTANCE(name, algebra)                                                                                  \
  static void permi_tree_multiply_##name(const permi_tree *tree, const permi_tree_rank *rank, uint32_t m,              \
                                         const uint64_t *a, const permi_tree_group *group, uint64_t *out)              \
  { permi_tree_multiply_of(algebra, tree, rank, m, a, group, out); }
PERMI_ALGEBRAS(PERMI_INSTANCE)
#undef PERMI_INSTANCE

#define PERMI_NAMED(name, algebra) permi_tree_multiply_##name,
static const permi_tree_multiplier permi_tree_multipliers[] = {PERMI_ALGEBRAS(PERMI_NAMED) NULL};
#undef PERMI_NAMED

typedef struct permi_tree_pass {
  const permi_tree *tree;
  permi_tree_table *table;
  int parts, exp2;
  permi_sizes sizes;
} permi_tree_pass;

static perm_status permi_tree_pass_part(void *context, uint64_t part, int thread)
{
  permi_tree_pass *pass = (permi_tree_pass *)context;
  const size_t size = (size_t)pass->tree->size, begin = permi_tree_begin(pass->table->states, (int)part, pass->parts);
  const size_t count = permi_tree_begin(pass->table->states, (int)part + 1, pass->parts) - begin;
  double *values = (double *)(void *)pass->table->value + begin * size;
  permi_sizes sizes;
  (void)thread;
  if (pass->exp2) {
    permi_values_scale(values, count * size, pass->exp2);
    return PERM_OK;
  }
  permi_sizes_clear(&sizes);
  permi_values_track(pass->tree->numbers.algebra, values, count, &sizes);
  PERMI_OMP(critical(permi_tree_sizes))
  permi_sizes_join(&pass->sizes, &sizes);
  return PERM_OK;
}

/* Brings values into [2^-100, 2^100]: products do not overflow. */
static void permi_tree_rescale(const permi_tree_run *run, permi_tree_table *table)
{
  const int threads = permi_tree_threads(run, table->states);
  permi_tree_pass pass = {run->tree, table, threads > 1 ? PERMI_TREE_PARTS * threads : 1, 0, {DBL_MAX, 0, 0, 0}};
  if (permi_algebra_is_integer(run->tree->numbers.algebra))
    return;
  if (threads > 1)
    permi_share(threads, 0, (uint64_t)pass.parts, permi_tree_pass_part, &pass, NULL);
  else
    permi_values_track(run->tree->numbers.algebra, table->value, table->states, &pass.sizes);
  table->sizes.smallest = pass.sizes.smallest;
  table->sizes.largest = pass.sizes.largest;
  if (pass.sizes.smallest < ldexp(pass.sizes.largest, PERMI_CANCELS))
    permi_values_ease(&run->tree->numbers, table->value, table->states, &table->sizes);
  pass.exp2 = permi_sizes_rescale(&table->sizes, 1.2e30, PERMI_SAFE_PRODUCT);
  if (pass.exp2)
    permi_share(threads, 0, (uint64_t)pass.parts, permi_tree_pass_part, &pass, NULL);
}

typedef struct permi_tree_product {
  permi_tree_run *run;
  const permi_tree_table *factor[2];
  permi_tree_table *out;
  uint32_t rows, set[2], common, common_rows;
  int ones, own;        /* bits not common */
  int cut, parts;       /* of a part */
  int inner;            /* of permi_tree_direct_part */
  double *bar;          /* NULL, or the adjoint of that factor, from the product's (>>derive_tree) */
} permi_tree_product;

/* Groups non-zero states by matched vertices in `common`. */
PERMI_NEVER_INLINE static void permi_tree_sort(const permi_tree_product *join, int part)
{
  const permi_tree *tree = join->run->tree;
  const permi_tree_table *table = join->factor[part];
  const uint32_t rows = join->rows, common = join->common;
  uint32_t *mask = join->run->mask[part], *index = join->run->index[part], *first = join->run->first[part];
  const uint32_t own_rows = permi_tree_extract(rows, join->set[part]), groups = 1u << permi_count_ones(common);
  const int k = permi_count_ones(own_rows) - table->difference;
  const size_t size = (size_t)tree->size;
  const int integers = permi_algebra_is_integer(tree->numbers.algebra);
  uint32_t state, g, i, pass, group_of[4][128], mask_of[4][128]; /* 8 times as fast */
  uint32_t set = join->set[part], next = 1;
  for (int bit = 0; bit < 4; bit++)
    group_of[bit][0] = mask_of[bit][0] = 0;
  for (int bit = 0; set; set &= set - 1, bit++) {
    const uint32_t one = set & (0 - set), group = one & common ? next : 0, half = 1u << bit % 7;
    for (i = 0; i < half; i++) {
      group_of[bit / 7][half + i] = group_of[bit / 7][i] | group;
      mask_of[bit / 7][half + i] = mask_of[bit / 7][i] | one;
    }
    next += group;
  }
  for (g = 0; g <= groups; g++)
    first[g] = 0;
  for (pass = 0; pass < 2; pass++) {
    state = k > 0 ? (1u << k) - 1 : 0;
    for (i = 0; i < table->states; i++) {
      const uint64_t *x = table->value + i * size;
      size_t w = 0;
      while (integers && w < size && !x[w])
        w++;
      if ((integers ? w < size : ((const double *)(const void *)x)[size - 1] != 0) ||
          (join->run->zeros && (!tree->alone || permi_count_ones(state) <= table->difference))) {
        const uint32_t matched = state ^ own_rows;
        const uint32_t a = matched & 127, b = matched >> 7 & 127, c = matched >> 14 & 127, d = matched >> 21;
        g = group_of[0][a] | group_of[1][b] | group_of[2][c] | group_of[3][d];
        if (pass == 0) {
          first[g + 1]++;
        } else {
          mask[first[g]] = mask_of[0][a] | mask_of[1][b] | mask_of[2][c] | mask_of[3][d];
          index[first[g]++] = i;
        }
      }
      if (tree->alone) {
        state++;
      } else if (state) {
        const uint32_t low = state & (0 - state), over = state + low;
        state = over | ((state ^ over) / low) >> 2;
      }
    }
    if (pass == 0)
      for (g = 0; g < groups; g++)
        first[g + 1] += first[g];
    else
      for (g = groups; g > 0; g--)
        first[g] = first[g - 1];
  }
  first[0] = 0;
}

static perm_status permi_tree_join_prepare(void *context, uint64_t number, int thread)
{
  const int part = (int)number;
  const permi_tree_product *join = (const permi_tree_product *)context;
  (void)thread;
  if (part < 2) {
    permi_tree_sort(join, part);
  } else {
    const size_t size = (size_t)join->run->tree->size;
    const size_t begin = permi_tree_begin(join->out->states, part - 2, join->parts);
    const size_t end = permi_tree_begin(join->out->states, part - 1, join->parts);
    memset(join->out->value + begin * size, 0, (end - begin) * size * sizeof *join->out->value);
  }
  return PERM_OK;
}

static permi_tree_group permi_tree_group_of(const permi_tree_product *join, int part, uint32_t g)
{
  const uint32_t *first = join->run->first[part] + g;
  const permi_tree_group group = {join->run->mask[part] + *first, join->run->index[part] + *first, first[1] - *first,
                                  join->factor[part]->value};
  return group;
}

/* Joins by common parts of the product: few places at a time, heavy parts first. */
static perm_status permi_tree_join_part(void *context, uint64_t number, int thread)
{
  const permi_tree_product *join = (const permi_tree_product *)context;
  permi_tree_run *run = join->run;
  const permi_tree_multiplier multiply = permi_tree_multipliers[run->tree->numbers.algebra];
  const uint32_t *const *first = (const uint32_t *const *)run->first;
  const int bits = permi_count_ones(join->common) - join->cut;
  const uint32_t fixed = ((1u << join->cut) - 1 - (uint32_t)number) << bits;
  uint32_t c = fixed | ((1u << bits) - 1), g;
  perm_status status = PERM_OK;
  for (;; c--) {
    const int own = join->ones - permi_count_ones(c ^ join->common_rows);
    const int some = run->tree->alone || (own >= 0 && own <= join->own);
    status = permi_runner_poll(&run->base, some ? 0.125 * (1u << permi_count_ones(c)) : 1, run->base.done, thread);
    for (g = 0; some && status == PERM_OK; g = (g - c) & c) {
      const uint32_t h = c ^ g;
      if (first[0][g] < first[0][g + 1] && first[1][h] < first[1][h + 1]) {
        const permi_tree_group one = permi_tree_group_of(join, 0, g), other = permi_tree_group_of(join, 1, h);
        for (size_t i = 0; i < one.count; i++)
          multiply(run->tree, &run->rank, one.mask[i] ^ join->rows, one.value + (size_t)run->tree->size * one.index[i],
                   &other, join->out->value);
        status = permi_runner_poll(&run->base, 0.125 * (double)other.count * (double)one.count, run->base.done, thread);
      }
      if (g == c)
        break;
    }
    if (c == fixed || status != PERM_OK)
      return status;
  }
}

/* A join's block, of three vertices, whose masks lie at p in x and q in y: y[o | i] += a[o] x[i], o disjoint from i. */
static void permi_tree_block(const double *a, const double *x, const uint32_t *p, double *y, const uint32_t *q)
{
  const double x0 = x[p[0]], x1 = x[p[1]], x2 = x[p[2]], x3 = x[p[3]];
  const double x4 = x[p[4]], x5 = x[p[5]], x6 = x[p[6]], x7 = x[p[7]];
  y[q[0]] = y[q[0]] + a[0] * x0;
  y[q[1]] = y[q[1]] + a[0] * x1 + a[1] * x0;
  y[q[2]] = y[q[2]] + a[0] * x2 + a[2] * x0;
  y[q[3]] = y[q[3]] + a[0] * x3 + a[1] * x2 + a[2] * x1 + a[3] * x0;
  y[q[4]] = y[q[4]] + a[0] * x4 + a[4] * x0;
  y[q[5]] = y[q[5]] + a[0] * x5 + a[1] * x4 + a[4] * x1 + a[5] * x0;
  y[q[6]] = y[q[6]] + a[0] * x6 + a[2] * x4 + a[4] * x2 + a[6] * x0;
  y[q[7]] = y[q[7]] + a[0] * x7 + a[1] * x6 + a[2] * x5 + a[3] * x4 + a[4] * x3 + a[5] * x2 + a[6] * x1 + a[7] * x0;
}

static void permi_tree_block_copy(const double *table, const uint32_t *at, uint32_t count, double *room)
{
  for (uint32_t k = 0; k < 8; k++)
    room[k] = k < count ? table[at[k]] : 0;
}

/* Joins without sorting, where the product, or the factor whose adjoint is made, has certain highest common bits.
   Adjoints are products of complements. */
static perm_status permi_tree_direct_part(void *context, uint64_t number, int thread)
{
  static const uint32_t here[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const permi_tree_product *join = (const permi_tree_product *)context;
  const double *a = (const double *)(const void *)join->factor[1 - join->inner]->value;
  double *x = join->bar ? join->bar : (double *)(void *)join->factor[join->inner]->value;
  double *y = (double *)(void *)join->out->value, room[3][8];
  const int bits = permi_count_ones(join->common), back = join->bar != NULL;
  const uint32_t outer = join->set[1 - join->inner], inner = join->set[join->inner];
  const uint32_t count = 1u << (bits < 3 ? bits : 3), turn = back ? count - 1 : 0;
  const uint32_t block = (uint32_t)permi_deposit_bits(count - 1, join->common), rest = outer & ~block;
  const uint32_t cut = (uint32_t)permi_deposit_bits(((1u << join->cut) - 1) << (bits - join->cut), join->common);
  const uint32_t fixed = (uint32_t)permi_deposit_bits(number << (bits - join->cut), join->common);
  uint32_t k, mask = 0, at[3][8]; /* in a, added, sum */
  perm_status status = PERM_OK;
  for (k = 0; k < count; k++) {
    const uint32_t turned = (uint32_t)permi_deposit_bits(k ^ turn, block);
    at[0][k] = permi_tree_extract((uint32_t)permi_deposit_bits(k, block), outer);
    at[1 + back][k] = permi_tree_extract(turned, inner);
    at[2 - back][k] = turned;
  }
  do {
    const uint32_t to = inner & ~(mask | cut | block), from = permi_tree_extract(to, inner);
    double *x_at = x + permi_tree_extract(fixed & ~mask, inner), *y_at = y + (mask | fixed), sum = 0;
    uint32_t s = 0, t = 0;
    permi_tree_block_copy(a + permi_tree_extract(mask, outer), at[0], count, room[0]);
    for (k = 0; k < count && !(mask & (back ? fixed : cut & ~fixed)); k++)
      sum += room[0][k];
    while (sum > 0) {
      const double *added = back ? y_at + t : x_at + s;
      double *result = back ? x_at + s : y_at + t;
      if (count == 8) {
        permi_tree_block(room[0], added, at[1], result, at[2]);
      } else {
        permi_tree_block_copy(added, at[1], count, room[1]);
        permi_tree_block_copy(result, at[2], count, room[2]);
        permi_tree_block(room[0], room[1], here, room[2], here);
        for (k = 0; k < count; k++)
          result[at[2][k]] = room[2][k];
      }
      s = (s - from) & from;
      t = (t - to) & to;
      if (!t)
        break;
    }
    if (join->out->states > 1u << PERMI_TREE_SMALL)
      status = permi_runner_poll(&join->run->base, sum > 0 ? 1u << permi_count_ones(to) : 0.125, join->run->base.done,
                                 thread);
    mask = (mask - rest) & rest;
  } while (mask && status == PERM_OK);
  return status;
}

static permi_tree_product permi_tree_join_begin(permi_tree_run *run, uint32_t all_rows, uint32_t target,
                                                const permi_tree_table *left, const permi_tree_table *right,
                                                permi_tree_table *out)
{
  const permi_tree *tree = run->tree;
  const int t = permi_count_ones(target);
  permi_tree_product join = {run, {left, right}, out, permi_tree_extract(all_rows, target), {0, 0}, 0, 0, 0, 0, 0, 1,
                             -1, NULL};
  for (int k = 0; k < 2; k++)
    join.set[k] = permi_tree_extract(join.factor[k]->set, target);
  join.common = join.set[0] & join.set[1];
  out->set = target;
  out->difference = left->difference + right->difference;
  int k = permi_count_ones(join.rows) - out->difference;
  join.common_rows = permi_tree_extract(join.rows, join.common);
  join.ones = k - permi_count_ones(join.rows & ~(join.set[0] | join.set[1]));
  join.own = permi_count_ones(join.set[0] ^ join.set[1]);
  out->states = permi_tree_choose(tree, t, k);
  out->sizes.exp2 = left->sizes.exp2 + right->sizes.exp2;
  for (uint32_t high = 0; high == 0 || (t > PERMI_TREE_LOW && high < 1u << (t - PERMI_TREE_LOW)); high++)
    run->rank.high[high] = permi_tree_rank_of(tree, high, PERMI_TREE_LOW, k);
  if (run->base.threads > 1 && PERMI_TREE_PAIR_SECONDS * run->weight *
      permi_tree_pairs(tree, all_rows, left->set, left->difference, right->set, right->difference) >=
      PERMI_SHARE_SECONDS) {
    join.parts = PERMI_TREE_PARTS * run->base.threads;
    k = permi_count_ones(join.common) - 3; /* blocks stay whole */
    join.cut = k < 0 ? 0 : k < PERMI_TREE_CUT ? k : PERMI_TREE_CUT;
  }
  return join;
}

static perm_status permi_tree_join(permi_tree_run *run, uint32_t all_rows, uint32_t target,
                                   const permi_tree_table *left, const permi_tree_table *right, permi_tree_table *out)
{
  permi_tree_product join = permi_tree_join_begin(run, all_rows, target, left, right, out);
  const int threads = join.parts > 1 ? run->base.threads : 1;
  join.inner = permi_tree_direct(run->tree, left->set, left->difference, right->set, right->difference, NULL);
  if (join.inner >= 0) {
    memset(out->value, 0, out->states * sizeof *out->value);
    return permi_share(threads, 0, (uint64_t)1 << join.cut, permi_tree_direct_part, &join, NULL);
  }
  permi_share(threads, 0, (uint64_t)(2 + join.parts), permi_tree_join_prepare, &join, NULL);
  return permi_share(threads, 0, (uint64_t)1 << join.cut, permi_tree_join_part, &join, NULL);
}

/* THE BOUND: gamma of the sum over joins of pairs, and over stars of 1 + entries + alone. Joins and stars also scale
   the loss of their tables (tests/proofs/chains.v). */
#define PERMI_TREE_LOST (64 * DBL_MIN)
static double permi_tree_join_loss(const permi_sizes *left, const permi_sizes *right, double pairs)
{
  double loss = permi_loss_scaled(left->loss, right->largest, 0) + permi_loss_scaled(right->loss, left->largest, 0) +
                (left->loss > 0 ? permi_loss_scaled(right->loss, left->loss, 0) : 0);
  if (left->smallest * right->smallest < PERMI_SAFE_PRODUCT)
    loss += PERMI_TREE_LOST;
  return loss >= 0 ? pairs * 2 * loss : (double)INFINITY;
}

typedef struct permi_tree_ray {
  const permi_tree *tree;
  const permi_coefficient *c;
  const uint64_t *open;
  uint64_t *matched;
  int t, k_open, column, parts;
  int bit; /* t: the vertex stays unmatched */
  void (*back)(const struct permi_tree_ray *ray, int part, size_t from, size_t to, size_t count); /* or NULL */
  uint64_t *open_bar, *sum; /* of `back` (>>derive_tree) */
} permi_tree_ray;

static perm_status permi_tree_ray_part(void *context, uint64_t number, int thread)
{
  const int part = (int)number;
  const permi_tree_ray *ray = (const permi_tree_ray *)context;
  const permi_tree *tree = ray->tree;
  const size_t size = (size_t)tree->size;
  const int j = ray->bit, alone = j == ray->t, k_open = ray->k_open;
  const uint32_t highs = alone ? 1 : 1u << (ray->t - 1 - j), bit = (uint32_t)ray->column << j;
  const uint32_t turned = alone ? 0 : bit ^ 1u << j;
  const int slices = (uint32_t)ray->parts > highs ? ray->parts : 1;
  const size_t last = permi_tree_begin((size_t)highs * (size_t)slices, part + 1, ray->parts);
  size_t piece = permi_tree_begin((size_t)highs * (size_t)slices, part, ray->parts);
  (void)thread;
  while (piece < last) {
    const uint32_t high = (uint32_t)(piece / (size_t)slices);
    const int within = k_open - permi_count_ones(high) - ray->column, slice = (int)(piece++ % (size_t)slices);
    const uint32_t count = permi_tree_choose(tree, j, within);
    if (count) {
      const uint32_t above = high << 1 << j;
      const size_t from = permi_tree_rank_of(tree, above | bit, 0, k_open);
      const size_t to = permi_tree_rank_of(tree, above | turned, 0, ray->column ? k_open - 1 : k_open + 1);
      const size_t begin = permi_tree_begin(count, slice, slices), end = permi_tree_begin(count, slice + 1, slices);
      if (ray->back)
        ray->back(ray, part, from + begin, to + begin, end - begin);
      else
        permi_values_add(&tree->numbers, ray->c, ray->matched + (to + begin) * size,
                         ray->open + (from + begin) * size, end - begin);
    }
  }
  return PERM_OK;
}

/* Of the node's vertex; NULL: 0. */
static const permi_coefficient *permi_tree_alone(const permi_tree *tree, const permi_tree_node *node)
{
  const permi_coefficient *alone = tree->alone ? &tree->alone[node - tree->node] : NULL;
  return alone && (alone->absolute != 0 || alone->integer[0] || alone->integer[1]) ? alone : NULL;
}

static permi_tree_ray permi_tree_ray_begin(const permi_tree *tree, const permi_tree_node *node,
                                           const permi_tree_table *table, int parts)
{
  const int t = permi_count_ones(node->all) - 1, k = permi_count_ones(node->rows) - table->difference;
  uint64_t *half[2] = {table->value, table->value + permi_tree_choose(tree, t, k) * (size_t)tree->size};
  const permi_tree_ray ray = {tree, NULL, half[!node->column], half[node->column], /* a matched row's bit is 0 */ t,
                              node->column ? k : k - 1, node->column && !tree->alone, parts, 0, NULL, NULL, NULL};
  return ray;
}

/* Directs a ray along entry e; before the node's first: at staying unmatched. Returns 0 if that has weight 0. */
static int permi_tree_ray_aim(permi_tree_ray *ray, const permi_tree_node *node, int e)
{
  const permi_tree *tree = ray->tree;
  const int alone = e < node->edge;
  ray->c = !alone ? &tree->edge[e].c : tree->alone ? &tree->alone[node - tree->node] : NULL;
  ray->bit = alone ? ray->t : tree->edge[e].bit;
  return !alone || permi_tree_alone(tree, node) != NULL;
}

PERMI_NEVER_INLINE static void permi_tree_star(permi_tree_run *run, const permi_tree_node *node,
                                               permi_tree_table *table)
{
  const permi_tree *tree = run->tree;
  const int threads = permi_tree_threads(run, table->states), edges = (node + 1)->edge - node->edge;
  permi_tree_ray ray = permi_tree_ray_begin(tree, node, table, threads > 1 ? PERMI_TREE_PARTS * threads : 1);
  double weight = 1, least = 1;
  for (int e = node->edge - 1; e < (node + 1)->edge; e++)
    if (permi_tree_ray_aim(&ray, node, e)) {
      permi_coefficient_weigh(ray.c, &weight, &least);
      permi_share(threads, 0, (uint64_t)ray.parts, permi_tree_ray_part, &ray, NULL);
    }
  table->value = ray.matched;
  table->states = permi_tree_choose(tree, ray.t, node->column ? ray.k_open - 1 : ray.k_open + 1);
  table->difference = node->difference;
  table->sizes.loss = permi_loss_scaled(table->sizes.loss, weight * (1 + 1e-12), 0);
  if (table->sizes.smallest * least < PERMI_SAFE_PRODUCT)
    table->sizes.loss += (edges + 1) * PERMI_TREE_LOST;
}

static void permi_tree_unit(const permi_tree *tree, permi_tree_table *table, uint64_t *value)
{
  const permi_tree_table unit = {value, 0, 0, 1, {1, 1, 0, 0}};
  *table = unit;
  permi_value_one(&tree->numbers, value);
}

static perm_status permi_tree_visit(permi_runner *runner, int i)
{
  permi_tree_run *run = (permi_tree_run *)runner;
  const permi_tree *tree = run->tree;
  const permi_tree_node *node = &tree->node[i];
  const size_t size = (size_t)tree->size;
  permi_tree_table *table = run->table + run->stacked - node->children, factor, product;
  perm_status status = PERM_OK;
  int child, side = 0;
  runner->done = tree->cost[i];
  if (!node->children) {
    const int t = permi_count_ones(node->all) - 1;
    const permi_coefficient *alone = permi_tree_alone(tree, node);
    uint64_t *unit = run->work[0];
    permi_tree_unit(tree, &factor, unit);
    *table = factor;
    table->value = run->stacked ? table[-1].value + table[-1].states * size : run->values;
    table->states = permi_tree_choose(tree, t, 1);
    table->difference = node->difference;
    memset(table->value, 0, table->states * size * sizeof *table->value);
    if (alone)
      permi_values_add(&tree->numbers, alone, table->value, unit, 1);
    for (int e = node->edge; e < (node + 1)->edge; e++) {
      const permi_tree_edge *edge = &tree->edge[e];
      const int place = tree->alone ? 1 << edge->bit : node->column ? t - 1 - edge->bit : edge->bit;
      permi_values_add(&tree->numbers, &edge->c, table->value + size * (size_t)place, unit, 1);
    }
  } else {
    factor = table[node->children - 1];
    for (child = node->children - 2; child >= 0 || (child == -1 && factor.set != node->all); child--) {
      permi_tree_table unit;
      uint64_t one[PERM_INTEGER_WORDS * 2 + 2];
      const permi_tree_table *other = child >= 0 ? &table[child] : &unit;
      if (child < 0)
        permi_tree_unit(tree, &unit, one);
      product = factor;
      product.value = run->work[side];
      side = 1 - side;
      product.sizes.loss = permi_tree_join_loss(&other->sizes, &factor.sizes,
                                                1u << permi_count_ones(other->set & factor.set));
      status = permi_tree_join(run, node->rows, child <= 0 ? node->all : factor.set | other->set, other, &factor,
                               &product);
      if (status != PERM_OK)
        return status;
      permi_tree_rescale(run, &product);
      runner->visited += (double)product.states;
      factor = product;
      if (run->keep)
        run->keep(runner->keeper, node, &factor, 0);
    }
    permi_tree_star(run, node, &factor);
    if (factor.value != table->value)
      memmove(table->value, factor.value, factor.states * size * sizeof *factor.value);
    factor.value = table->value;
    *table = factor;
  }
  permi_tree_rescale(run, table);
  table->set = node->set;
  runner->visited += (double)table->states;
  run->stacked += 1 - node->children;
  if (run->keep)
    run->keep(runner->keeper, node, table, 1);
  return PERM_OK;
}

/* ===================================================================================== >>tree_order */

/* A graph of links, dead ones dropped when seen, and a hash table of pairs ever adjacent: hubs cost nothing. A heap
   gives the next vertex, in large blocks lists by degree. */
#define PERMI_TREE_LISTED 2000
typedef struct permi_tree_graph {
  const perm_allocator *allocator;
  permi_pool pool;
  int n, filling, listed; /* filling: by fill, not degree */
  int *head, *degree, *turn, *link, *scope, *scope_start;
  uint64_t *priority, *pair; /* pair: 0 is free */
  permi_ranked *heap;
  size_t links, link_room, pairs, pair_room, keys, heap_room, scopes, scope_room, popped, dropped;
  int *next, *before;                      /* before the first: -1 - degree */
  int first[PERMI_TREE_WIDTH + 1], lowest; /* lists below are empty */
  uint64_t seed;
  permi_control *watch;
} permi_tree_graph;

static void permi_tree_graph_release(permi_tree_graph *graph)
{
  permi_pool_release(&graph->pool);
  permi_release(graph->allocator, graph->link);
  permi_release(graph->allocator, graph->pair);
  permi_release(graph->allocator, graph->heap);
  permi_release(graph->allocator, graph->scope);
}

static uint64_t permi_tree_pair(int a, int b)
{
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static uint64_t *permi_tree_find(const permi_tree_graph *graph, uint64_t pair)
{
  size_t mask = graph->pair_room - 1, place = (size_t)(pair * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
  while (graph->pair[place] && graph->pair[place] != pair)
    place = (place + 1) & mask;
  return &graph->pair[place];
}

/* Links a and b. Returns 0 if they were adjacent, -1 if out of memory or stopped. */
static int permi_tree_link(permi_tree_graph *graph, int a, int b)
{
  const uint64_t pair = permi_tree_pair(a, b);
  uint64_t *place = permi_tree_find(graph, pair); /* never 0 */
  if (*place)
    return 0;
  if (2 * graph->pairs + 2 > graph->pair_room) {
    const size_t room = graph->pair_room;
    uint64_t *old = graph->pair, *larger = (uint64_t *)permi_allocate(graph->allocator, 2 * room, sizeof *old);
    if (!larger || !permi_copy(graph->watch, larger, NULL, 2 * room * sizeof *old)) {
      permi_release(graph->allocator, larger);
      return -1;
    }
    graph->pair = larger;
    graph->pair_room = 2 * room;
    for (size_t i = 0; i < room && !permi_watch_step(graph->watch, i, 30); i++)
      if (old[i])
        *permi_tree_find(graph, old[i]) = old[i];
    permi_release(graph->allocator, old);
    place = permi_tree_find(graph, pair);
  }
  *place = pair;
  graph->pairs++;
  for (int end = 0; end < 2; end++) {
    const int from = end ? b : a;
    if (!permi_room(graph->allocator, graph->watch, &graph->link, 2 * graph->links, 2, &graph->link_room,
                    sizeof(int)) || graph->links > INT_MAX / 4)
      return -1;
    graph->link[2 * graph->links] = end ? a : b;
    graph->link[2 * graph->links + 1] = graph->head[from];
    graph->head[from] = (int)graph->links++;
    graph->degree[from]++;
  }
  return 1;
}

/* Millions of a hub's neighbours may be dead. */
static int permi_tree_neighbours(permi_tree_graph *graph, int v, int *neighbour)
{
  int *place = &graph->head[v], count = 0;
  while (*place >= 0 && count < PERMI_TREE_WIDTH) {
    const int index = *place;
    if (graph->turn[graph->link[2 * index]] >= 0) {
      *place = graph->link[2 * index + 1];
      if (permi_watch_step(graph->watch, graph->dropped++, 100))
        break;
    } else {
      neighbour[count++] = graph->link[2 * index];
      place = &graph->link[2 * index + 1];
    }
  }
  return count;
}

static void permi_tree_list_push(permi_tree_graph *graph, int v)
{
  const int degree = graph->degree[v] < PERMI_TREE_WIDTH ? graph->degree[v] : PERMI_TREE_WIDTH;
  const int after = graph->first[degree];
  graph->next[v] = after;
  graph->before[v] = -1 - degree;
  if (after >= 0)
    graph->before[after] = v;
  graph->first[degree] = v;
  graph->lowest = degree < graph->lowest ? degree : graph->lowest;
}

static void permi_tree_list_drop(permi_tree_graph *graph, int v)
{
  const int before = graph->before[v], after = graph->next[v];
  if (before >= 0)
    graph->next[before] = after;
  else
    graph->first[-1 - before] = after;
  if (after >= 0)
    graph->before[after] = before;
}

static int permi_tree_key_push(permi_tree_graph *graph, int v)
{
  int neighbour[PERMI_TREE_WIDTH], i, j;
  const int degree = graph->degree[v];
  uint64_t key = (uint64_t)degree, random = (uint64_t)(permi_order_random(&graph->seed) * 4294967296.0);
  size_t at;
  if (graph->filling && degree < PERMI_TREE_WIDTH) {
    const int count = permi_tree_neighbours(graph, v, neighbour);
    for (i = 0; i < count; i++)
      for (j = 0; j < i; j++)
        key += *permi_tree_find(graph, permi_tree_pair(neighbour[i], neighbour[j])) ? 0 : 32;
  } else if (degree >= PERMI_TREE_WIDTH) {
    key = 65535;
  }
  key = key << 32 | random;
  if (!permi_room(graph->allocator, graph->watch, &graph->heap, graph->keys, 1, &graph->heap_room, sizeof *graph->heap))
    return 0;
  graph->priority[v] = key;
  for (at = graph->keys++; at && graph->heap[(at - 1) / 2].key > key; at = (at - 1) / 2)
    graph->heap[at] = graph->heap[(at - 1) / 2];
  graph->heap[at].key = key;
  graph->heap[at].vertex = v;
  return 1;
}

/* Returns the next vertex, -1 if there is none or if stopped. */
static int permi_tree_key_pop(permi_tree_graph *graph)
{
  /* with millions of keys a turn takes microseconds */
  while (graph->keys && !permi_watch_step(graph->watch, 16 * graph->popped++ + 15, 190)) {
    const permi_ranked top = graph->heap[0], last = graph->heap[--graph->keys];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < graph->keys) {
      child += child + 1 < graph->keys && graph->heap[child + 1].key < graph->heap[child].key;
      if (graph->heap[child].key >= last.key)
        break;
      graph->heap[at] = graph->heap[child];
      at = child;
    }
    graph->heap[at] = last;
    if (graph->turn[top.vertex] < 0 && graph->priority[top.vertex] == top.key)
      return top.vertex;
  }
  return -1;
}

static perm_status permi_tree_begin_order(permi_tree_graph *graph, const permi_block *block, int filling)
{
  const int n = block->vertices;
  const size_t room = 64 + 4 * (size_t)block->edges;
  graph->n = n;
  graph->filling = filling;
  graph->listed = !filling && n >= PERMI_TREE_LISTED;
  graph->links = graph->pairs = graph->keys = graph->scopes = graph->popped = graph->dropped = 0;
  if (!graph->head) {
    const size_t all = (size_t)n;
    graph->pool.allocator = graph->allocator;
    graph->priority = (uint64_t *)permi_pool_get(&graph->pool, all, sizeof(uint64_t));
    for (graph->pair_room = 256; graph->pair_room < room;)
      graph->pair_room *= 2;
    graph->pair = (uint64_t *)permi_allocate(graph->allocator, graph->pair_room, sizeof(uint64_t));
    if (!permi_pool_ints(&graph->pool, &graph->head, all, &graph->degree, all, &graph->turn, all, &graph->next, all,
                         &graph->before, all, &graph->scope_start, all + 1, (int **)NULL) || !graph->pair)
      return PERM_ERROR_MEMORY;
  }
  if (!permi_copy(graph->watch, graph->pair, NULL, graph->pair_room * sizeof *graph->pair))
    return PERM_ERROR_LIMIT;
  for (int v = 0; v < n; v++) {
    graph->head[v] = graph->turn[v] = -1;
    graph->degree[v] = 0;
  }
  graph->lowest = PERMI_TREE_WIDTH;
  for (int v = 0; v <= PERMI_TREE_WIDTH; v++)
    graph->first[v] = -1;
  for (int v = 0; v < block->n; v++)
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      if (permi_watch_step(graph->watch, (size_t)e, 30))
        return PERM_ERROR_LIMIT;
      if (permi_tree_link(graph, v, block->neighbour[e]) < 0)
        return PERM_ERROR_MEMORY;
    }
  for (int v = n; graph->listed && v-- > 0;)
    permi_tree_list_push(graph, v);
  for (int v = 0; v < n && !graph->listed; v++)
    if (permi_watch_step(graph->watch, (size_t)v, 150))
      return PERM_ERROR_LIMIT;
    else if (!permi_tree_key_push(graph, v))
      return PERM_ERROR_MEMORY;
  return PERM_OK;
}

/* Returns 0 without memory or if stopped. */
static int permi_tree_eliminate(permi_tree_graph *graph, int v, int turn, const int *neighbour, int count)
{
  graph->turn[v] = turn;
  graph->scope_start[turn] = (int)graph->scopes;
  if (!permi_room(graph->allocator, graph->watch, &graph->scope, graph->scopes, (size_t)count, &graph->scope_room,
                  sizeof(int)))
    return 0;
  for (int i = 0; i < count; i++) {
    graph->scope[graph->scopes++] = neighbour[i];
    graph->degree[neighbour[i]]--;
    for (int j = 0; j < i; j++)
      if (permi_tree_link(graph, neighbour[i], neighbour[j]) < 0)
        return 0;
  }
  for (int i = 0; i < count; i++)
    if (graph->listed) {
      permi_tree_list_drop(graph, neighbour[i]);
      permi_tree_list_push(graph, neighbour[i]);
    } else if (!permi_tree_key_push(graph, neighbour[i])) {
      return 0;
    }
  return 1;
}

/* The elimination graph of a small block, as bits. */
#define PERMI_TREE_LOOK 96
#define PERMI_TREE_LOOK_WORDS (2 * PERMI_TREE_LOOK / 64)
typedef struct permi_tree_look {
  int n, words;
  double units;
  int degree[2 * PERMI_TREE_LOOK]; /* INT_MAX: gone */
  int fill[2 * PERMI_TREE_LOOK];   /* pairs of neighbours to be linked; -1: not counted yet */
  uint64_t adjacent[2 * PERMI_TREE_LOOK][PERMI_TREE_LOOK_WORDS];
} permi_tree_look;

static void permi_tree_look_begin(permi_tree_look *look, const permi_block *block)
{
  look->n = block->vertices;
  look->words = (look->n + 63) / 64;
  look->units = 0;
  for (int v = 0; v < look->n; v++) {
    look->degree[v] = block->start[v + 1] - block->start[v];
    look->fill[v] = -1;
    for (int w = 0; w < look->words; w++)
      look->adjacent[v][w] = 0;
    for (int e = block->start[v]; e < block->start[v + 1]; e++)
      look->adjacent[v][block->neighbour[e] >> 6] |= UINT64_C(1) << (block->neighbour[e] & 63);
  }
}

static int permi_tree_look_fill(permi_tree_look *look, int v)
{
  const uint64_t *own = look->adjacent[v];
  int neighbour[PERMI_TREE_WIDTH], count = 0, w, i, j;
  if (look->fill[v] >= 0 || look->degree[v] >= PERMI_TREE_WIDTH)
    return look->fill[v] >= 0 ? look->fill[v] : PERMI_TREE_WIDTH * PERMI_TREE_WIDTH;
  for (w = 0; w < look->words; w++)
    for (uint64_t bits = own[w]; bits; bits &= bits - 1)
      neighbour[count++] = 64 * w + permi_trailing_zeros(bits);
  look->fill[v] = 0;
  look->units += count * count;
  for (i = 1; i < count; i++)
    for (j = 0; j < i; j++)
      look->fill[v] += !(look->adjacent[neighbour[i]][neighbour[j] >> 6] >> (neighbour[j] & 63) & 1);
  return look->fill[v];
}

static void permi_tree_look_eliminate(permi_tree_look *look, int v)
{
  const uint64_t *own = look->adjacent[v];
  uint64_t bits, changed[PERMI_TREE_LOOK_WORDS] = {0};
  int w, k, u;
  for (w = 0; w < look->words; w++)
    for (bits = own[w]; bits; bits &= bits - 1) {
      u = 64 * w + permi_trailing_zeros(bits);
      uint64_t *other = look->adjacent[u];
      for (look->degree[u] = k = 0; k < look->words; k++) {
        other[k] |= own[k];
        other[k] &= k == u >> 6 ? ~(UINT64_C(1) << (u & 63)) : ~UINT64_C(0);
        other[k] &= k == v >> 6 ? ~(UINT64_C(1) << (v & 63)) : ~UINT64_C(0);
        look->degree[u] += permi_count_ones(other[k]);
        changed[k] |= look->fill[v] ? other[k] : 0;
      }
      changed[w] |= bits & (0 - bits);
    }
  for (w = 0; w < look->words; w++)
    for (bits = changed[w]; bits; bits &= bits - 1)
      look->fill[64 * w + permi_trailing_zeros(bits)] = -1;
  look->degree[v] = INT_MAX;
}

static double permi_tree_look_seconds(int degree)
{
  return PERMI_TREE_PAIR_SECONDS * permi_tree_power(2, degree) / (degree + 1);
}

/* Returns the least seconds by least degree; INFINITY: too wide, or above `limit`. Takes microseconds. */
PERMI_NEVER_INLINE static double permi_tree_least(const permi_block *block, double limit)
{
  permi_tree_look look;
  double least = 0;
  permi_tree_look_begin(&look, block);
  for (int turn = 0; turn < look.n && least <= limit; turn++) {
    int best = 0;
    for (int v = 1; v < look.n; v++)
      best = look.degree[v] < look.degree[best] ? v : best;
    if (look.degree[best] >= PERMI_TREE_WIDTH)
      return (double)INFINITY;
    least += permi_tree_look_seconds(look.degree[best]);
    permi_tree_look_eliminate(&look, best);
  }
  return least > limit ? (double)INFINITY : least;
}

/* Takes least degree, then least fill, or the other way round; from the third start on, nearly. */
PERMI_NEVER_INLINE static perm_status permi_tree_glance(permi_tree_graph *graph, const permi_block *block, int start,
                                                        double rival)
{
  permi_tree_look look;
  const size_t all = (size_t)block->vertices;
  double least = 0;
  graph->n = block->vertices;
  graph->scopes = 0;
  graph->pool.allocator = graph->allocator;
  if (!graph->turn && !permi_pool_ints(&graph->pool, &graph->turn, all, &graph->scope_start, all + 1, (int **)NULL))
    return PERM_ERROR_MEMORY;
  permi_tree_look_begin(&look, block);
  for (int turn = 0; turn < look.n; turn++) {
    int best = -1, least_key = INT_MAX;
    for (int v = 0; v < look.n; v++) {
      int key = look.degree[v];
      if (key == INT_MAX || (start % 2 == 0 && best >= 0 && key > look.degree[best]))
        continue;
      key = start % 2 ? 32 * permi_tree_look_fill(&look, v) + key : 1024 * key + permi_tree_look_fill(&look, v);
      key = 8 * key + (start > 1 ? permi_order_below(&graph->seed, 16) : 0);
      if (key < least_key) {
        least_key = key;
        best = v;
      }
    }
    least += permi_tree_look_seconds(look.degree[best]);
    if (look.degree[best] >= PERMI_TREE_WIDTH || least > rival ||
        permi_watch(graph->watch, 100.0 + 2 * look.n + look.units))
      return PERM_ERROR_LIMIT;
    look.units = 0;
    if (!permi_room(graph->allocator, graph->watch, &graph->scope, graph->scopes, (size_t)look.degree[best],
                    &graph->scope_room, sizeof(int)))
      return PERM_ERROR_MEMORY;
    graph->turn[best] = turn;
    graph->scope_start[turn] = (int)graph->scopes;
    for (int w = 0; w < look.words; w++)
      for (uint64_t bits = look.adjacent[best][w]; bits; bits &= bits - 1)
        graph->scope[graph->scopes++] = 64 * w + permi_trailing_zeros(bits);
    permi_tree_look_eliminate(&look, best);
  }
  graph->scope_start[look.n] = (int)graph->scopes;
  return PERM_OK;
}

/* Returns PERM_ERROR_LIMIT if too wide, or slower than the rival. */
PERMI_NEVER_INLINE static perm_status permi_tree_order(permi_tree_graph *graph, const permi_block *block, int filling,
                                                       double rival)
{
  int v, turn, count, neighbour[PERMI_TREE_WIDTH];
  double least = 0;
  perm_status status = permi_tree_begin_order(graph, block, filling);
  for (turn = 0; status == PERM_OK; turn++) {
    if (graph->listed) {
      while (graph->lowest < PERMI_TREE_WIDTH && graph->first[graph->lowest] < 0)
        graph->lowest++;
      v = graph->first[graph->lowest];
      if (v >= 0)
        permi_tree_list_drop(graph, v);
    } else {
      v = permi_tree_key_pop(graph);
    }
    if (v < 0)
      break;
    count = permi_tree_neighbours(graph, v, neighbour);
    least += permi_tree_look_seconds(count);
    if (count >= PERMI_TREE_WIDTH || least > rival ||
        permi_watch(graph->watch, 150 + count * count * (graph->listed ? 8.0 : filling ? 16.0 + count : 16.0)))
      status = PERM_ERROR_LIMIT;
    else if (!permi_tree_eliminate(graph, v, turn, neighbour, count))
      status = PERM_ERROR_MEMORY;
  }
  if (status != PERM_OK)
    return status;
  graph->scope_start[graph->n] = (int)graph->scopes;
  return permi_watch(graph->watch, 0) ? PERM_ERROR_LIMIT : PERM_OK;
}

/* ===================================================================================== >>tree_build */

/* The caller releases the run's pool. */
static perm_status permi_tree_nodes(const permi_tree *tree, permi_control *control, permi_tree_run *run)
{
  const size_t most = (size_t)tree->most_states + 1, groups = (size_t)tree->most_groups + 2;
  const size_t size = (size_t)tree->size, stacked = (size_t)tree->stack_values + 1;
  const size_t work = (size_t)tree->work_values + 1;
  const int low_bits = tree->width < PERMI_TREE_LOW ? tree->width : PERMI_TREE_LOW;
  const size_t lows = (size_t)1 << low_bits, highs = (size_t)1 << (tree->width - low_bits);
  permi_pool *pool = &run->base.pool;
  perm_status status = PERM_ERROR_MEMORY;
  permi_runner_begin(&run->base, &tree->owned.allocator, control, "tree");
  run->tree = tree;
  run->weight = permi_tree_weight(tree);
  run->table = (permi_tree_table *)permi_pool_get(pool, (size_t)tree->depth + 1, sizeof *run->table);
  run->values = (uint64_t *)permi_pool_get(pool, (stacked + 2 * work) * size, sizeof *run->values);
  uint32_t *numbers = (uint32_t *)permi_pool_get(pool, lows + highs + 2 * (2 * most + groups), sizeof *numbers);
  if (!pool->failed) {
    run->rank.low = numbers;
    run->rank.high = numbers += lows;
    numbers += highs;
    for (int i = 0; i < 2; i++) {
      run->work[i] = run->values + (stacked + (size_t)i * work) * size;
      run->mask[i] = numbers;
      run->index[i] = numbers += most;
      run->first[i] = numbers += most;
      numbers += groups;
    }
    run->rank.high[0] = 0;
    for (uint32_t low = 0; low < lows; low++)
      run->rank.low[low] = permi_tree_rank_of(tree, low, 0, permi_count_ones(low));
    status = permi_runner_go(&run->base, 0, tree->nodes, permi_tree_visit);
  }
  return status;
}

static perm_status permi_tree_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_tree *tree = (const permi_tree *)leaf->context;
  permi_tree_run run;
  memset(&run, 0, sizeof run);
  const perm_status status = permi_tree_nodes(tree, control, &run);
  if (status == PERM_OK) {
    run.base.sizes = run.table->sizes;
    permi_runner_finish(&run.base, &tree->numbers, run.table->states ? run.table->value : NULL, tree->lost_error,
                        partial);
  }
  permi_pool_release(&run.base.pool);
  return status;
}

static double permi_tree_price(permi_tree *tree, const permi_tree_node *node, const permi_tree_sketch *child,
                               double *roundings)
{
  const double weight = permi_tree_weight(tree);
  const int edges = (node + 1)->edge - node->edge;
  const permi_tree_sketch unit = {0, 0, 1};
  permi_tree_sketch factor, product;
  double seconds = PERMI_TREE_NODE_SECONDS, states, visits, miss;
  int i, t = permi_count_ones(node->all);
  roundings[0] += 1 + edges + (permi_tree_alone(tree, node) != NULL);
  roundings[1] += 1;
  tree->width = t > tree->width ? t : tree->width;
  if (!node->children) {
    states = permi_tree_choose(tree, t - 1, 1);
    tree->states += tree->alone ? states : 0;
    return seconds + edges * 1e-8 * weight + (tree->alone ? states * PERMI_TREE_PAIR_SECONDS : 0);
  }
  factor = child[node->children - 1];
  for (i = node->children - 2; i >= 0 || (i == -1 && factor.set != node->all); i--) {
    const permi_tree_sketch *other = i >= 0 ? &child[i] : &unit;
    const double pairs = permi_tree_pairs(tree, node->rows, other->set, other->difference, factor.set,
                                          factor.difference);
    const int common = permi_count_ones(other->set & factor.set);
    product.set = i <= 0 ? node->all : factor.set | other->set;
    product.difference = factor.difference + other->difference;
    t = permi_count_ones(product.set);
    product.states = permi_tree_choose(tree, t, permi_count_ones(product.set & node->rows) - product.difference);
    miss = 8.0 * tree->size * product.states > PERMI_TREE_CACHE_BYTES ? PERMI_TREE_MISS_SECONDS : 0;
    if (permi_tree_direct(tree, other->set, other->difference, factor.set, factor.difference, &visits) < 0)
      seconds += 5e-10 * permi_tree_power(3, common) + pairs * (PERMI_TREE_PAIR_SECONDS * weight + miss) +
                 (other->states + factor.states) * t * PERMI_TREE_SORT_SECONDS;
    else
      seconds += visits * (0.4 * PERMI_TREE_PAIR_SECONDS + miss / 8);
    seconds += PERMI_TREE_NODE_SECONDS + product.states * PERMI_TREE_PAIR_SECONDS;
    states = fmax(other->states, factor.states);
    tree->most_states = fmax(tree->most_states, states);
    tree->work_values = fmax(tree->work_values, product.states);
    tree->most_groups = fmax(tree->most_groups, permi_tree_power(2, common));
    tree->pairs += pairs;
    tree->joins++;
    tree->states += product.states;
    roundings[0] += fmin(states, permi_tree_terms(tree, other->set & factor.set, other->difference,
                                                  factor.difference));
    roundings[1] += i >= 0; /* a factor 1 is exact */
    factor = product;
  }
  tree->states += factor.states;
  return seconds + factor.states * (1 + 0.5 * edges) * PERMI_TREE_PAIR_SECONDS * weight;
}

/* Returns the bound (tests/proofs/frontier.g). */
static double permi_tree_bound(double doubles, double pairs)
{
  const double gamma = permi_gamma(doubles) + pairs * PERMI_DD_UNIT * (1 + 1e-6);
  return gamma / (1 - permi_gamma(doubles + pairs)) * (1 + 8 * PERMI_UNIT);
}

typedef struct permi_tree_draft {
  const permi_tree_graph *graph;
  int *order, *first, *next, *children, *scope;
} permi_tree_draft;

/* Lists children, that with the largest scope first. */
static void permi_tree_children(permi_tree_draft *draft, permi_control *watch)
{
  const permi_tree_graph *graph = draft->graph;
  const int n = graph->n;
  int *scope = draft->scope, v, i, j, k, size, widest = 0;
  for (v = 0; v < n && !permi_watch_step(watch, (size_t)v, 10); v++) {
    draft->order[graph->turn[v]] = v;
    draft->first[v] = draft->next[v] = -1;
    draft->children[v] = 0;
  }
  for (k = 0; k < n && !permi_watch_step(watch, (size_t)k, 100); k++) {
    const int from = graph->scope_start[k], to = graph->scope_start[k + 1];
    for (i = from; i < to; i++) {
      const int turn = graph->turn[graph->scope[i]];
      for (j = i; j > from && scope[j - 1] < turn; j--)
        scope[j] = scope[j - 1];
      scope[j] = turn;
    }
    widest = to - from > widest ? to - from : widest;
  }
  for (size = 1; size <= widest; size++)
    for (k = 0; k < n && !permi_watch_step(watch, (size_t)k, 2); k++)
      if (graph->scope_start[k + 1] - graph->scope_start[k] == size) {
        const int parent = scope[graph->scope_start[k + 1] - 1];
        draft->next[k] = draft->first[parent];
        draft->first[parent] = k;
        draft->children[parent]++;
      }
}

static void permi_tree_node_make(permi_tree *tree, const permi_block *block, const permi_tree_draft *draft, int k,
                                 permi_tree_node *at)
{
  const permi_tree_graph *graph = draft->graph;
  const int begin = graph->scope_start[k], end = graph->scope_start[k + 1], v = draft->order[k], *scope = draft->scope;
  int edge = at->edge, i, j, e;
  at->vertex = v;
  at->column = block->free_lines || v >= block->n;
  at->children = draft->children[k];
  at->difference = at->column ? 1 : -1;
  at->all = (uint32_t)((UINT64_C(2) << (end - begin)) - 1);
  at->rows = at->column ? 0 : 1u << (end - begin);
  at->set = 0;
  for (i = begin; i < end && !block->free_lines; i++)
    at->rows |= (uint32_t)(draft->order[scope[i]] < block->n) << (i - begin);
  if (block->free_lines)
    tree->alone[at - tree->node] = permi_coefficient_of(block, permi_block_alone(block, v), &tree->numbers);
  if (end > begin) {
    const int parent = scope[end - 1], knows = graph->scope_start[parent];
    for (i = begin, j = 0; i < end - 1; i++) {
      while (scope[knows + j] != scope[i])
        j++;
      at->set |= 1u << j;
    }
    at->set |= 1u << (graph->scope_start[parent + 1] - knows);
  }
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int turn = graph->turn[block->neighbour[e]];
    if (turn < k)
      continue;
    for (i = begin; scope[i] != turn;)
      i++;
    tree->edge[edge].bit = i - begin;
    tree->edge[edge].vertex = block->neighbour[e];
    tree->edge[edge].entry = block->edge[e];
    tree->edge[edge++].c = permi_coefficient_of(block, block->edge[e], &tree->numbers);
  }
  at[1].edge = edge;
}

/* Entries have `given` roundings. Returns 0 without memory or if stopped. */
PERMI_NEVER_INLINE static int permi_tree_build(const permi_block *block, const permi_tree_graph *graph, double given,
                                               permi_tree *tree)
{
  permi_control *watch = graph->watch;
  const int n = block->vertices;
  const size_t vertices = (size_t)n;
  permi_pool room = {graph->allocator, NULL, 0}, *pool = &tree->owned.pool;
  int *todo;
  permi_tree_sketch *stack = (permi_tree_sketch *)permi_pool_get(&room, vertices + 1, sizeof *stack);
  double held = 0, roundings[2] = {0, 0};
  int i, k, depth, top = 0, node = 0, steps = 0, doubled;
  permi_tree_draft draft = {graph, NULL, NULL, NULL, NULL, NULL};
  tree->node = (permi_tree_node *)permi_pool_get(pool, vertices + 1, sizeof *tree->node);
  tree->edge = (permi_tree_edge *)permi_pool_get(pool, (size_t)block->edges, sizeof *tree->edge);
  tree->cost = (double *)permi_pool_get(pool, vertices + 1, sizeof *tree->cost);
  tree->vertex = (int *)permi_pool_get(pool, vertices, sizeof *tree->vertex);
  if (block->free_lines)
    tree->alone = (permi_coefficient *)permi_pool_get(pool, vertices, sizeof *tree->alone);
  if (pool->failed ||
      !permi_pool_ints(&room, &draft.order, vertices, &draft.first, vertices, &draft.next, vertices, &draft.children,
                       vertices, &todo, vertices, &draft.scope, graph->scopes, (int **)NULL)) {
    permi_pool_release(&room);
    return 0;
  }
  permi_tree_children(&draft, watch);
  tree->cost[0] = 0;
  tree->depth = 1;
  tree->node[0].edge = 0;
  for (depth = k = 0; k < n; k++) /* roots */
    if (graph->scope_start[k] == graph->scope_start[k + 1])
      todo[depth++] = k;
  while (depth > 0 && !permi_watch_step(watch, (size_t)steps++, 300)) {
    permi_tree_node *at = &tree->node[node];
    k = todo[depth - 1];
    if (draft.first[k] >= 0) {
      todo[depth++] = draft.first[k];
      draft.first[k] = draft.next[draft.first[k]];
      continue;
    }
    depth--;
    permi_tree_node_make(tree, block, &draft, k, at);
    tree->vertex[node] = draft.order[k];
    top -= at->children;
    for (i = 0; i < at->children; i++) {
      at->difference += stack[top + i].difference;
      held -= stack[top + i].states;
    }
    tree->cost[node + 1] = tree->cost[node] + permi_tree_price(tree, at, stack + top, roundings);
    stack[top].set = at->set;
    stack[top].difference = at->difference;
    i = permi_count_ones(at->rows) - at->difference - !at->column;
    stack[top].states = permi_tree_choose(tree, permi_count_ones(at->all) - 1, i);
    held += stack[top++].states;
    tree->stack_values = fmax(tree->stack_values, held);
    tree->depth = top > tree->depth ? top : tree->depth;
    node++;
  }
  permi_pool_release(&room);
  doubled = permi_algebra_is_dd(tree->numbers.algebra);
  roundings[0] += (doubled ? 3 : tree->numbers.algebra == PERMI_COMPLEX ? 2 : 0) * roundings[1];
  tree->bound_relative = doubled ? permi_tree_bound(given, roundings[0]) : permi_tree_bound(roundings[0] + given, 0);
  return 1;
}

#define PERMI_TREE_WORTH 10 /* chosen: times its search, what a rival takes */

static size_t permi_tree_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_tree *tree = (const permi_tree *)leaf->context;
  return permi_say(buffer, size,
                   "tree, order %d%s: width %d, %d tables, %d joins of %.3g pairs, %.3g states of %s, "
                   "predicted %.3g s, %.3g bytes\n",
                   leaf->information.n, tree->alone ? ", free columns" : "", tree->width - 1, tree->nodes, tree->joins,
                   tree->pairs, tree->states, permi_numbers_text(&tree->numbers, 0), leaf->information.seconds,
                   leaf->information.bytes);
}

static uint64_t permi_tree_fingerprint(const permi_tree *tree, permi_control *watch)
{
  static const uint64_t kind[] = {0, 1, 2, 3, 3, 3, 4, 5, 5, 6}; /* in saved states */
  uint64_t hash = permi_hash(PERMI_HASH_START + 1, kind[tree->numbers.algebra]);
  hash = permi_hash(permi_hash(hash, (uint64_t)tree->size), tree->numbers.modulus);
  for (int i = 0; i < tree->nodes && !permi_watch_step(watch, (size_t)i, 40); i++) {
    const permi_tree_node *node = &tree->node[i];
    hash = permi_hash(permi_hash(hash, (uint64_t)node->children), (uint64_t)node->rows << 32 | node->all);
    hash = permi_hash(hash, (uint64_t)node->set << 1 | (uint64_t)node->column);
    if (tree->alone)
      hash = permi_coefficient_hash(hash, &tree->alone[i]);
    for (int e = node->edge; e < node[1].edge; e++)
      hash = permi_coefficient_hash(permi_hash(hash, (uint64_t)tree->edge[e].bit), &tree->edge[e].c);
  }
  return hash;
}

static permi_tree *permi_tree_new(const perm_allocator *allocator, const permi_tree *like, int free_lines)
{
  permi_tree *tree = (permi_tree *)permi_owned_new(allocator, sizeof *tree);
  const permi_owned owned = tree ? tree->owned : like->owned;
  if (!tree)
    return NULL;
  *tree = *like;
  tree->owned = owned;
  if (free_lines)
    return tree;
  tree->binomial = (uint32_t(*)[PERMI_TREE_WIDTH + 2])permi_pool_get(&tree->owned.pool, PERMI_TREE_WIDTH + 1,
                                                                     sizeof *tree->binomial);
  for (int t = 0; t <= PERMI_TREE_WIDTH && tree->binomial; t++)
    for (int k = 0; k <= t; k++)
      tree->binomial[t][k] = k == 0 || k == t ? 1 : tree->binomial[t - 1][k - 1] + tree->binomial[t - 1][k];
  return tree;
}

static void permi_refuse_trees(double rival, permi_offer *offer)
{
  permi_refuse(offer, PERM_ERROR_LIMIT, "has no tree of tables found within %d vertices%s", PERMI_TREE_WIDTH - 1,
               rival < (double)INFINITY ? " and its rival's time" : "");
}

#define PERMI_TREE_OVER_LEAST 30 /* trees took 96 times their least, or more */
static perm_status permi_tree_worth(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const double worth = PERMI_TREE_WORTH * PERMI_ORDER_PLAN_SECONDS * ((double)block->vertices + block->edges);
  (void)maker;
  if (rival < worth)
    offer->least = fmax(offer->least, worth);
  if (block->vertices <= 2 * PERMI_TREE_LOOK && !block->free_lines)
    offer->least = fmax(offer->least, PERMI_TREE_OVER_LEAST * permi_tree_least(block, rival));
  if (offer->least == (double)INFINITY)
    permi_refuse_trees(rival, offer);
  return PERM_OK;
}

/* Treewidth w and N vertices allow w N entries. Of orders by least degree, or least fill where affordable, the cheapest
   wins. */
#define PERMI_TREE_FILL 20000
#define PERMI_TREE_GLANCES 250
#define PERMI_TREE_SECOND 4 /* times its planning */
/* Returns 1 if no order after this one is worth its planning, of `each`. */
static int permi_tree_enough(const permi_tree *best, int glances, int start, double each, double rival)
{
  const double seconds = best ? best->cost[best->nodes] : (double)INFINITY;
  if (!best)
    return glances ? start >= PERMI_TREE_STARTS : rival < (double)INFINITY;
  return seconds > 2 * rival ||
         seconds < (!glances ? 10 : start ? 1 / PERMI_PLAN_SHARE : PERMI_TREE_SECOND) * each * (start + 2);
}

#define PERMI_TREE_RANK_BYTES (4.0 * ((1 << PERMI_TREE_LOW) + (1 << (PERMI_TREE_WIDTH - PERMI_TREE_LOW)))) /* at most */
static perm_status permi_tree_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const permi_working *working = maker->working;
  const double planning = PERMI_ORDER_PLAN_SECONDS * ((double)block->vertices + block->edges);
  const double given = permi_entry_roundings(working, working->n) + block->additions;
  const double begin = maker->watch->worked;
  const int glances = block->free_lines && block->vertices <= 2 * PERMI_TREE_LOOK, other = block->vertices - block->n;
  const double full = ldexp(permi_array_seconds[0] * block->edges, block->n < other ? block->n : other);
  const double hope = glances ? fmin(rival, fmax(full, PERMI_FREE_SECONDS)) : rival; /* a frontier's most */
  permi_tree like, *tree, *best = NULL;
  permi_tree_graph graph;
  perm_status status = PERM_OK;
  int start, starts;
  memset(&like, 0, sizeof like);
  like.nodes = block->vertices;
  like.lost_error = working->lost_error;
  like.work_values = like.most_states = like.most_groups = 1;
  if (!permi_numbers_choose_moduli(&like.numbers, block, maker->options->modulus, permi_sparse_doubled(maker->options)))
    permi_refuse_long(offer);
  else if (block->edges > (PERMI_TREE_WIDTH - 1) * (double)block->vertices)
    permi_refuse(offer, PERM_ERROR_LIMIT, "has no tree of tables of up to %d vertices: too many entries",
                 PERMI_TREE_WIDTH - 1);
  if (offer->why[0])
    return PERM_OK;
  if (like.numbers.algebra == PERMI_WIDE)
    like.numbers.algebra = PERMI_WORDS; /* a coefficient has one word, a factor two */
  like.size = (int)permi_numbers_words(&like.numbers);
  memset(&graph, 0, sizeof graph);
  graph.allocator = allocator;
  graph.watch = maker->watch;
  graph.seed = UINT64_C(88172645463325252);
  starts = glances ? PERMI_TREE_GLANCES : rival < 100 * planning || block->vertices > 100000 ? 1 : PERMI_TREE_STARTS;
  for (start = 0; start < starts && status == PERM_OK && !permi_watch(maker->watch, 0); start++) {
    const double limit = best && best->cost[best->nodes] < rival ? best->cost[best->nodes] : rival;
    const int filling = start % 2 && block->vertices <= PERMI_TREE_FILL;
    status = glances ? permi_tree_glance(&graph, block, start, limit) : permi_tree_order(&graph, block, filling, limit);
    if (status == PERM_OK) {
      tree = permi_tree_new(allocator, &like, block->free_lines);
      if (!tree || !permi_tree_build(block, &graph, given, tree)) {
        status = PERM_ERROR_MEMORY;
      } else if (maker->watch->stopped == PERM_OK && (!best || tree->cost[tree->nodes] < best->cost[best->nodes])) {
        permi_tree *swap = best;
        best = tree;
        tree = swap;
      }
      permi_owned_release(allocator, tree);
    } else if (status == PERM_ERROR_LIMIT) {
      status = PERM_OK;
      if (!glances)
        continue;
    }
    if (permi_tree_enough(best, glances, start,
                          glances ? 1e-9 * (maker->watch->worked - begin) / (start + 1) : planning, hope))
      break;
  }
  permi_tree_graph_release(&graph);
  if (status != PERM_OK) {
    permi_owned_release(allocator, best);
    return permi_fail_memory(maker->result);
  }
  offer->plan = best;
  if (!best) {
    permi_refuse_trees(rival, offer);
  } else {
    if (maker->offers)
      maker->offers->elimination = best->vertex;
    offer->seconds = best->cost[best->nodes];
    offer->bytes = 8.0 * best->size * (best->stack_values + 2 * best->work_values) + 16 * best->most_states +
                   8 * best->most_groups + PERMI_TREE_RANK_BYTES + (double)sizeof(permi_tree_table) * best->depth +
                   (double)(sizeof(permi_tree_node) + sizeof(double)) * best->nodes;
  }
  return PERM_OK;
}

static perm_status permi_tree_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  permi_tree *tree = (permi_tree *)offer->plan;
  const int doubled = permi_algebra_is_dd(tree->numbers.algebra) && !block->rounded;
  for (int i = 0; i < tree->nodes; i++)
    leaf->threaded |= tree->cost[i + 1] - tree->cost[i] >= PERMI_SHARE_SECONDS;
  leaf->information.work = tree->pairs + tree->states;
  if (maker->seen)
    leaf->information.fingerprint = permi_tree_fingerprint(tree, maker->watch);
  permi_leaf_values(leaf, &tree->numbers, tree->bound_relative, doubled ? PERMI_DD_UNIT : PERMI_UNIT,
                    permi_tree_task, permi_tree_explain);
  return PERM_OK;
}

/* =========================================================================================== >>band
   A window of columns slides along a band [LM, appendix C], linear in n of fixed width. */

/* The window holds the columns of which some but not all rows have been taken. After i rows i columns are used, so the
   number k used in a window of w is known: C(w, k) states. Equal columns are one slot, whose state counts those used;
   the next can be chosen in as many ways as are left. The first slot is fastest, so a row moves runs of states to runs.
   A new column replaces one that leaves: runs are long, and shapes of rows, whose runs are kept, few. Threads share a
   target by blocks. States share a power of two while products stay above PERMI_BAND_SAFE, then each gets its own:
   nothing underflows. */

#define PERMI_BAND_SLOTS 62
#define PERMI_BAND_STATES 4e9  /* offsets are 32-bit */
#define PERMI_BAND_SAFE 1e-270 /* DBL_MIN is below u (double-double: 2^-100) times this */
#define PERMI_BAND_SHAPES 128
#define PERMI_BAND_COUNTED 2048
#define PERMI_BAND_KEPT_RUNS 1048576
#define PERMI_BAND_BLOCKS 8

/* An entry: the first half of a permi_coefficient, or its integers. */
typedef union permi_band_entry {
  double real[3];
  int64_t integer[2];
} permi_band_entry;

/* `cost` is INFINITY above the limit or if the band is too wide. */
typedef struct permi_band_price {
  double cost, most, longest; /* transitions; at most: states, transitions of a row */
  double made; /* with new runs */
  int width;
} permi_band_price;

typedef struct permi_band {
  permi_owned owned;
  permi_numbers numbers;
  permi_band_price price;
  int n, groups, counted, *entry_start, *entry_group, *capacity, *first, *last;
  int *row, *column, *column_start; /* as taken */
  permi_band_entry *entry;
  double seconds_each, bound_relative, lost_error;
  double lossy; /* relative error that own powers cause */
} permi_band;

enum { PERMI_BAND_KEEP, PERMI_BAND_LEAVE, PERMI_BAND_ENTER, PERMI_BAND_REPLACE };

typedef struct permi_band_run {
  uint32_t source, target, count, factor;
} permi_band_run;

typedef struct permi_band_shape {
  int slot_count, used, kind[PERMI_BAND_SLOTS], leaving[PERMI_BAND_SLOTS], staying[PERMI_BAND_SLOTS];
  uint64_t hash; /* of all above, which is compared */
  size_t complete, start[2 * PERMI_BAND_SLOTS + 1], states; /* start: 2 p before, 2 p + 1 after */
} permi_band_shape;

/* counts[p (used + 1) + r] are the states of slots below p with r used. */
static void permi_band_counts(const permi_band_shape *shape, int after, int used, double *counts)
{
  const int size = used + 1;
  for (int r = 0; r < size; r++)
    counts[r] = r == 0;
  for (int p = 0; p < shape->slot_count; p++) {
    const double *below = counts + (size_t)p * (size_t)size;
    double *at = counts + (size_t)(p + 1) * (size_t)size;
    const int capacity = after ? (shape->kind[p] == PERMI_BAND_LEAVE ? 0 : shape->staying[p])
                               : (shape->kind[p] == PERMI_BAND_ENTER ? 0 : shape->leaving[p]);
    for (int r = 0; r < size; r++) { /* counts above 2^53 would spoil others */
      at[r] = 0;
      for (int k = 0; k <= capacity && k <= r; k++)
        at[r] += below[r - k];
    }
  }
}

typedef struct permi_band_run_state {
  permi_runner base; /* without own powers */
  const permi_band *band;
  permi_band_shape *shape, *shapes;
  permi_band_run *runs;
  double *counts[2];
  size_t run_count, run_room, counts_room[2];
  size_t room, words; /* of a state */
  void *from, *to;
  int64_t *from_exp2, *to_exp2; /* or NULL */
  int window[2][PERMI_BAND_SLOTS + 1]; /* before, after; by parity */
  int slot_count, next_slots, row, opened, enterings, used, after, parts, shape_count, memory;
  int *position; /* of a group: 2 p + entering */
  size_t states;
} permi_band_state;

typedef struct permi_band_stream {
  int position, entering, lowest, keep, within, entry_exp2; /* below, columns are kept */
  uint32_t begin, end;
  permi_coefficient entry;
} permi_band_stream;

PERMI_NEVER_INLINE static void permi_band_add_any(const permi_band_state *state, const permi_band_stream *stream,
                                                  const permi_band_run *run)
{
  const permi_numbers *numbers = &state->band->numbers;
  const size_t bytes = 8 * state->words;
  const char *x = (const char *)state->from + run->source * bytes;
  char *y = (char *)state->to + run->target * bytes;
  permi_coefficient c = stream->entry;
  size_t k, times = run->factor == 1 ? 1 : permi_coefficient_multiply(numbers, &c, run->factor);
  if (state->from_exp2) {
    for (k = 0; k < run->count; k++)
      permi_value_add_apart(numbers, &c, y + k * bytes, &state->to_exp2[run->target + k], x + k * bytes,
                            state->from_exp2[run->source + k] + stream->entry_exp2);
    return;
  }
  if (numbers->algebra == PERMI_COMPLEX) { /* calls cost 15 % */
    permi_values_add_of(PERMI_COMPLEX, numbers, &c, y, x, run->count, 0);
    return;
  }
  for (; times > 0; times--)
    permi_values_add(numbers, &c, y, x, run->count);
}

PERMI_NEVER_INLINE static void permi_band_add(const permi_band_state *state, const permi_band_stream *stream,
                                              const permi_band_run *run)
{
  permi_coefficient c;
  if (state->band->numbers.algebra != PERMI_MAGNITUDES || state->from_exp2) {
    permi_band_add_any(state, stream, run);
    return;
  }
  c.real = stream->entry.real * run->factor;
  permi_values_add_of(PERMI_MAGNITUDES, NULL, &c, (double *)state->to + run->target,
                      (const double *)state->from + run->source, run->count, 0);
}

static void permi_band_add_within(const permi_band_state *state, const permi_band_stream *stream,
                                  const permi_band_run *run)
{
  const uint32_t begin = run->target > stream->begin ? run->target : stream->begin;
  const uint32_t beyond = run->target + run->count, end = beyond < stream->end ? beyond : stream->end;
  permi_band_run part = *run;
  if (begin >= end)
    return;
  part.source += begin - run->target;
  part.target = begin;
  part.count = end - begin;
  permi_band_add(state, stream, &part);
}

static void permi_band_emit(permi_band_state *state, const permi_band_stream *stream, double source, double target,
                            double count, int factor)
{
  const permi_band_run run = {(uint32_t)source, (uint32_t)target, (uint32_t)count, (uint32_t)factor};
  if (!stream->keep) {
    permi_band_add_within(state, stream, &run);
    return;
  }
  if (state->run_count > state->shape->start[2 * stream->position + stream->entering]) {
    permi_band_run *last = &state->runs[state->run_count - 1];
    if (last->factor == run.factor && last->source + last->count == run.source &&
        last->target + last->count == run.target) {
      last->count += run.count;
      return;
    }
  }
  state->memory |= !permi_room(state->base.pool.allocator, NULL, &state->runs, state->run_count, 1, &state->run_room,
                               sizeof run);
  if (!state->memory)
    state->runs[state->run_count++] = run;
}

/* Runs ascend by target; slots up to p have `before` and `after` used. */
static void permi_band_runs(permi_band_state *state, const permi_band_stream *stream, int p, int before, int after,
                            double source, double target, int factor)
{
  const permi_band_shape *shape = state->shape;
  const size_t size = (size_t)shape->used + 1;
  const double *ways = state->counts[0] + (size_t)(p + 1) * size, *below;
  const double *ways_after = state->counts[1] + (size_t)(p + 1) * (size + 1), *below_after;
  int v, chosen = p == stream->position, goal, skip;
  if (before < 0 || after < 0)
    return;
  if (p < stream->lowest) {
    if (before == after && ways[before] > 0)
      permi_band_emit(state, stream, source, target, ways[before], factor);
    return;
  }
  if (ways[before] == 0 || ways_after[after] == 0 ||
      (stream->within && (target >= stream->end || target + ways_after[after] <= stream->begin)))
    return;
  below = ways - size;
  below_after = ways_after - (size + 1);
  if (shape->kind[p] == PERMI_BAND_KEEP) {
    for (v = 0; v <= shape->leaving[p] && v <= before; v++) {
      const double step = after >= v ? below_after[after - v] : 0;
      if (!chosen)
        permi_band_runs(state, stream, p - 1, before - v, after - v, source, target, factor);
      else if (v < shape->leaving[p])
        permi_band_runs(state, stream, p - 1, before - v, after - v - 1, source, target + step,
                        factor * (shape->leaving[p] - v));
      source += below[before - v];
      target += step;
    }
    return;
  }
  goal = shape->kind[p] == PERMI_BAND_ENTER ? 0 : shape->leaving[p] - (chosen && !stream->entering);
  for (v = 0; v < goal && v <= before; v++)
    source += below[before - v];
  skip = chosen && stream->entering;
  if (skip) {
    target += below_after[after];
    factor *= shape->staying[p];
  }
  permi_band_runs(state, stream, p - 1, before - goal, after - skip, source, target, factor);
}

static void permi_band_runs_of(permi_band_state *state, permi_band_stream *stream, int way)
{
  const permi_band_shape *shape = state->shape;
  stream->position = way / 2;
  stream->entering = way % 2;
  for (stream->lowest = 0; stream->lowest < stream->position && shape->kind[stream->lowest] == PERMI_BAND_KEEP;)
    stream->lowest++;
  permi_band_runs(state, stream, shape->slot_count - 1, state->used, state->after, 0, 0, 1);
}

/* States with own powers. */
static int permi_band_apart(permi_band_state *state, int row, size_t states)
{
  if (!state->from_exp2) {
    state->from_exp2 = (int64_t *)permi_pool_zeros(&state->base.pool, state->room, sizeof(int64_t));
    state->to_exp2 = (int64_t *)permi_pool_get(&state->base.pool, state->room, sizeof(int64_t));
    if (state->base.pool.failed)
      return 0;
  }
  permi_values_normalise(&state->band->numbers, state->from, states, state->from_exp2,
                         row & PERMI_CANCELS_STEPS ? NULL : &state->base.sizes);
  return 1;
}

/* Keeps products above PERMI_BAND_SAFE and sums from overflow. */
static int permi_band_prepare(permi_band_state *state, int row, size_t states)
{
  const permi_band *band = state->band;
  permi_sizes *sizes = &state->base.sizes;
  double weight = 0, least = DBL_MAX;
  if (state->from_exp2)
    return permi_band_apart(state, row, states);
  if (!(row & PERMI_CANCELS_STEPS))
    permi_values_ease(&band->numbers, state->from, states, sizes);
  for (int e = band->entry_start[row]; e < band->entry_start[row + 1]; e++) {
    weight += band->entry[e].real[2] * band->capacity[band->entry_group[e]];
    least = fmin(band->entry[e].real[2], least);
  }
  weight = (weight + DBL_MIN) * (1 + 1e-12);
  if (!(sizes->smallest * least >= PERMI_BAND_SAFE) || sizes->largest * weight > 1e200) {
    permi_sizes_clear(sizes);
    permi_values_extremes((const double *)state->from + state->words - 1, states * state->words, state->words, sizes);
    if (sizes->largest > 0 && (sizes->largest < 1e80 || sizes->largest > 1e100)) {
      const int e = permi_exponent(sizes->largest) - 300;
      if (ldexp(sizes->smallest, -e) >= PERMI_BAND_SAFE) {
        permi_values_scale((double *)state->from, states * state->words, e);
        sizes->exp2 += e;
        sizes->smallest = ldexp(sizes->smallest, -e);
        sizes->largest = ldexp(sizes->largest, -e);
      }
    }
    if (sizes->largest > 0 && (!(sizes->smallest * least >= PERMI_BAND_SAFE) || sizes->largest * weight > 1e200))
      return permi_band_apart(state, row, states);
  }
  sizes->smallest *= least;
  sizes->smallest *= 1 - 1e-12;
  sizes->largest *= weight;
  return 1;
}

static int permi_band_shape_find(permi_band_state *state)
{
  const permi_band *band = state->band;
  const int used = state->used, *window = state->window[state->row & 1];
  int *next_window = state->window[(state->row + 1) & 1];
  permi_band_stream stream;
  permi_band_shape shape, *found;
  int p, i = 0, k;
  memset(&shape, 0, sizeof shape);
  shape.used = used;
  state->next_slots = 0;
  state->after = used + 1;
  for (p = 0; p < state->slot_count || i < state->enterings; p++) {
    const int group = p < state->slot_count ? window[p] : -1, stays = group >= 0 && band->last[group] != state->row;
    const int entering = !stays && i < state->enterings ? state->opened + i++ : -1;
    shape.kind[p] = stays ? PERMI_BAND_KEEP : group < 0 ? PERMI_BAND_ENTER
                    : entering < 0 ? PERMI_BAND_LEAVE : PERMI_BAND_REPLACE;
    if (group >= 0) {
      shape.leaving[p] = band->capacity[group];
      state->position[group] = 2 * p;
      state->after -= stays ? 0 : shape.leaving[p];
    }
    if (entering >= 0)
      state->position[entering] = 2 * p + 1;
    if (stays || entering >= 0) {
      next_window[state->next_slots++] = stays ? group : entering;
      shape.staying[p] = band->capacity[stays ? group : entering];
    }
  }
  shape.slot_count = p;
  shape.hash = permi_hash(PERMI_HASH_START, (uint64_t)used);
  for (p = 0; p < shape.slot_count; p++) {
    shape.hash = permi_hash(shape.hash, (uint64_t)shape.kind[p]);
    shape.hash = permi_hash(shape.hash, (uint64_t)shape.leaving[p] << 32 | (uint64_t)shape.staying[p]);
  }
  state->shape = NULL;
  for (k = 0; k < state->shape_count && !state->shape; k++) {
    found = &state->shapes[k];
    if (found->hash == shape.hash && !memcmp(found, &shape, offsetof(permi_band_shape, hash)))
      state->shape = found;
  }
  if (state->shape && state->shape->complete)
    return 1;
  for (k = 0; k < 2; k++) {
    if (!permi_room(state->base.pool.allocator, NULL, &state->counts[k], 0,
                    (size_t)(shape.slot_count + 1) * (size_t)(used + 2), &state->counts_room[k], sizeof(double)))
      return 0;
    permi_band_counts(&shape, k, used + k, state->counts[k]);
  }
  shape.states =
      state->after < 0 ? 0
                      : (size_t)state->counts[1][(size_t)shape.slot_count * (size_t)(used + 2) + (size_t)state->after];
  if (state->shape)
    return 1;
  if (state->shape_count == PERMI_BAND_SHAPES || state->run_count > PERMI_BAND_KEPT_RUNS) {
    state->shape_count = 0;
    state->run_count = 0;
  }
  state->shape = &state->shapes[state->shape_count++];
  *state->shape = shape;
  memset(&stream, 0, sizeof stream);
  stream.keep = (double)shape.states * shape.slot_count < PERMI_BAND_KEPT_RUNS;
  if (!stream.keep)
    return 1;
  for (p = 0; p < shape.slot_count; p++)
    for (k = 0; k < 2; k++) {
      state->shape->start[2 * p + k] = state->run_count;
      if (k == 0 ? shape.kind[p] != PERMI_BAND_ENTER : shape.kind[p] >= PERMI_BAND_ENTER)
        permi_band_runs_of(state, &stream, 2 * p + k);
    }
  state->shape->start[2 * p] = state->run_count;
  state->shape->complete = !state->memory;
  return !state->memory;
}

static perm_status permi_band_part(void *context, uint64_t number, int thread)
{
  permi_band_state *state = (permi_band_state *)context;
  const permi_band *band = state->band;
  const permi_band_shape *shape = state->shape;
  const uint64_t states = shape->states, parts = (uint64_t)state->parts;
  permi_band_stream stream;
  perm_status status = PERM_OK;
  memset(&stream, 0, sizeof stream);
  stream.within = parts > 1;
  stream.begin = (uint32_t)(states * number / parts);
  stream.end = (uint32_t)(states * (number + 1) / parts);
  memset((uint64_t *)state->to + stream.begin * state->words, 0, (stream.end - stream.begin) * state->words * 8);
  for (int e = band->entry_start[state->row]; e < band->entry_start[state->row + 1] && status == PERM_OK; e++) {
    const int way = state->position[band->entry_group[e]];
    memset(&stream.entry, 0, sizeof stream.entry);
    if (permi_algebra_is_integer(band->numbers.algebra))
      memcpy(stream.entry.integer, band->entry[e].integer, sizeof stream.entry.integer);
    else
      memcpy(&stream.entry, band->entry[e].real, sizeof band->entry[e].real);
    if (state->from_exp2) {
      stream.entry_exp2 = permi_exponent(stream.entry.absolute);
      stream.entry.real = ldexp(stream.entry.real, -stream.entry_exp2);
      stream.entry.imaginary = ldexp(stream.entry.imaginary, -stream.entry_exp2);
      stream.entry.absolute = ldexp(stream.entry.absolute, -stream.entry_exp2);
    }
    if (shape->complete) {
      const size_t last = shape->start[way + 1];
      size_t k = shape->start[way], beyond = last;
      for (; !stream.within && k < last; k++)
        permi_band_add(state, &stream, &state->runs[k]);
      while (k < beyond) {
        const size_t middle = k + (beyond - k) / 2;
        if (state->runs[middle].target + state->runs[middle].count > stream.begin)
          beyond = middle;
        else
          k = middle + 1;
      }
      for (; k < last && state->runs[k].target < stream.end; k++)
        permi_band_add_within(state, &stream, &state->runs[k]);
    } else {
      permi_band_runs_of(state, &stream, way);
    }
    status = permi_runner_poll(&state->base, (double)states / state->parts, state->base.done, thread);
  }
  return status;
}

/* THE BOUND: gamma of `edges`, and of 2 or 5 a row (tests/proofs/chains.v, tests/proofs/frontier.g). */
static perm_status permi_band_row(permi_runner *runner, int row)
{
  permi_band_state *state = (permi_band_state *)runner;
  const permi_band *band = state->band;
  const int entries = band->entry_start[row + 1] - band->entry_start[row];
  void *values = state->from;
  runner->done = band->price.cost * row / band->n * band->seconds_each;
  state->row = row;
  state->enterings = 0;
  while (state->opened + state->enterings < band->groups && band->first[state->opened + state->enterings] == row)
    state->enterings++;
  if ((!permi_algebra_is_integer(band->numbers.algebra) && !permi_band_prepare(state, row, state->states)) ||
      !permi_band_shape_find(state))
    return PERM_ERROR_MEMORY;
  state->states = state->shape->states;
  const int threads = (double)state->states * entries * band->seconds_each < PERMI_SHARE_SECONDS ? 1 : runner->threads;
  state->parts = threads > 1 ? PERMI_BAND_BLOCKS * threads : 1;
  const perm_status status = permi_share(threads, 0, (uint64_t)state->parts, permi_band_part, state, NULL);
  int64_t *exp2 = state->from_exp2;
  state->from = state->to;
  state->to = values;
  state->from_exp2 = state->to_exp2;
  state->to_exp2 = exp2;
  state->used = state->after;
  state->opened += state->enterings;
  state->slot_count = state->next_slots;
  runner->visited += (double)state->states;
  return status;
}

static perm_status permi_band_rows(const permi_band *band, permi_control *control, permi_band_state *state,
                                   perm_partial *partial)
{
  permi_pool *pool = &state->base.pool;
  perm_status status = PERM_ERROR_MEMORY;
  permi_runner_begin(&state->base, &band->owned.allocator, control, "band");
  state->band = band;
  state->room = (size_t)band->price.most;
  state->words = permi_numbers_words(&band->numbers);
  state->states = 1;
  state->from = permi_pool_get(pool, state->room, 8 * state->words);
  state->to = permi_pool_get(pool, state->room, 8 * state->words);
  state->shapes = (permi_band_shape *)permi_pool_get(pool, PERMI_BAND_SHAPES, sizeof *state->shapes);
  state->position = (int *)permi_pool_get(pool, (size_t)band->groups, sizeof *state->position);
  if (!pool->failed) {
    permi_value_one(&band->numbers, state->from);
    status = permi_runner_go(&state->base, 0, band->n, permi_band_row);
  }
  if (status == PERM_OK) {
    const double absolute = ((const double *)state->from)[state->words - 1];
    state->base.sizes.exp2 += state->from_exp2 && absolute > 0 ? state->from_exp2[0] : 0;
    permi_runner_finish(&state->base, &band->numbers, state->from, band->lost_error, partial);
    if (state->from_exp2)
      partial->lost += band->lossy * absolute * (1 + 1e-12);
  }
  permi_release(pool->allocator, state->runs);
  permi_release(pool->allocator, state->counts[0]);
  permi_release(pool->allocator, state->counts[1]);
  permi_pool_release(pool);
  return status;
}

static perm_status permi_band_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  permi_band_state state;
  memset(&state, 0, sizeof state);
  return permi_band_rows((const permi_band *)leaf->context, control, &state, partial);
}

PERMI_BRIEF_BEGIN

/* ===================================================================================== >>band_order
   Equal columns, an order of the rows, the offer. */

/* same[v] is the first column equal to v; both have the same rarest neighbour. */
static void permi_band_same(const permi_block *block, int *same, permi_control *watch)
{
  const int *start = block->start, *neighbour = block->neighbour;
  int v, e, t, i;
  for (v = 0; v < 2 * block->n && !permi_watch(watch, 20 + 8.0 * (start[v + 1] - start[v])); v++) {
    for (t = neighbour[start[v]], e = start[v] + 1; e < start[v + 1]; e++)
      if (start[neighbour[e] + 1] - start[neighbour[e]] < start[t + 1] - start[t])
        t = neighbour[e];
    for (e = start[t]; neighbour[e] != v && !permi_watch_step(watch, (size_t)e, 20); e++) {
      const int u = neighbour[e], degree = start[u + 1] - start[u];
      int equal = same[u] == u && start[v + 1] - start[v] == degree;
      for (i = 0; i < degree && equal; i++) {
        const int p = start[u] + i, q = start[v] + i;
        equal = neighbour[p] == neighbour[q] && permi_entries_equal(block, block->edge[p], block->edge[q]);
      }
      if (equal)
        break;
    }
    same[v] = neighbour[e];
  }
}

/* Goes breadth-first, low degrees first. */
static void permi_block_breadth(const permi_block *block, int start, int *order, int *seen, permi_control *watch)
{
  int head = 0, tail = 0;
  memset(seen, 0, 2 * (size_t)block->n * sizeof *seen);
  order[tail++] = start;
  seen[start] = 1;
  for (; head < tail; head++) {
    const int first = tail, v = order[head];
    if (permi_watch(watch, 20 + 5.0 * (block->start[v + 1] - block->start[v])))
      return;
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      const int t = block->neighbour[e], degree = block->start[t + 1] - block->start[t];
      int at = tail;
      if (seen[t])
        continue;
      seen[t] = 1;
      tail++;
      for (; at > first && tail - first < 256; at--) {
        const int u = order[at - 1];
        if (block->start[u + 1] - block->start[u] <= degree)
          break;
        order[at] = u;
      }
      order[at] = t;
    }
  }
}

/* Returns C(columns, used), or vectors of counts with sum `used`. */
static double permi_band_states(const int *open, int width, const int *size, int columns, int used, double *ways)
{
  double *sums, states = 1;
  int least = used < columns - used ? used : columns - used, j, r;
  if (least < 0)
    return 0;
  if (width == columns) {
    for (j = 0; j < least && states < 1e18; j++)
      states = states * (columns - j) / (j + 1);
    return states;
  }
  if (least > PERMI_BAND_COUNTED)
    return (double)INFINITY;
  sums = ways + least + 1;
  for (r = 0; r <= least; r++)
    ways[r] = r == 0;
  for (j = 0; j < width; j++) {
    for (r = 0; r <= least; r++)
      sums[r] = ways[r] + (r ? sums[r - 1] : 0);
    for (r = 0; r <= least; r++)
      ways[r] = sums[r] - (r > size[open[j]] ? sums[r - size[open[j]] - 1] : 0);
  }
  return ways[least];
}

static permi_band_price permi_band_price_of(const permi_block *block, const int *same, const int *lines, double limit,
                                            int *number, double *ways, permi_control *watch)
{
  permi_band_price price = {0, 1, 0, 0, 0};
  const int n = block->n, other = lines[0] < n ? n : 0;
  int *first = number, *last = number + n, *size = number + 2 * n, open[PERMI_BAND_SLOTS];
  uint64_t seen[PERMI_BAND_SHAPES];
  int i, e, v, width = 0, used = 0, columns = 0;
  memset(seen, 0, sizeof seen);
  memset(first, -1, (size_t)n * sizeof *first);
  memset(last, 0, 2 * (size_t)n * sizeof *last); /* size */
  for (v = 0; v < n; v++)
    size[same[other + v] - other]++;
  for (i = 0; i < n; i++)
    for (e = block->start[lines[i]]; e < block->start[lines[i] + 1] && !permi_watch_step(watch, (size_t)e, 4); e++) {
      v = block->neighbour[e] - other;
      if (first[v] < 0)
        first[v] = i;
      last[v] = i;
    }
  for (i = 0; i < n; i++) {
    int streams = 0, kept = 0;
    for (e = block->start[lines[i]]; e < block->start[lines[i] + 1]; e++) {
      v = block->neighbour[e] - other;
      if (same[v + other] != v + other)
        continue;
      streams++;
      if (first[v] == i) {
        if (width == PERMI_BAND_SLOTS) {
          price.cost = (double)INFINITY;
          return price;
        }
        open[width++] = v;
        columns += size[v];
      }
    }
    uint64_t shape = permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)width), (uint64_t)used);
    for (int j = 0; j < width; j++)
      shape = permi_hash(shape, (uint64_t)size[open[j]] << 2 | (uint64_t)(first[open[j]] == i) << 1 |
                                    (uint64_t)(last[open[j]] == i));
    const int fresh = seen[shape % PERMI_BAND_SHAPES] != shape;
    seen[shape % PERMI_BAND_SHAPES] = shape;
    price.width = width > price.width ? width : price.width;
    used++;
    for (int j = 0; j < width; j++)
      if (last[open[j]] == i) {
        used -= size[open[j]];
        columns -= size[open[j]];
      } else {
        open[kept++] = open[j];
      }
    width = kept;
    const double states = permi_band_states(open, width, size, columns, used, ways);
    price.most = states > price.most ? states : price.most;
    price.longest = states * streams > price.longest ? states * streams : price.longest;
    price.cost += states * streams;
    price.made += fresh ? states * streams : 0;
    if (price.cost > limit || price.most > PERMI_BAND_STATES || permi_watch(watch, 20 + 8.0 * (streams + width))) {
      price.cost = (double)INFINITY;
      return price;
    }
  }
  return price;
}

/* The next row has an open column, and opens the fewest, less those it closes. Returns 0 if too wide or stopped. */
#define PERMI_BAND_LOOK 1024
static int permi_band_greedy(const permi_block *block, const int *same, const int *start_lines, const int *rank,
                             int *number, int *lines, permi_control *watch)
{
  const int n = block->n, mine = start_lines[0] < n ? 0 : n, other = n - mine;
  int *left = number, *growth = number; /* columns; rows */
  int *is_open = number + 2 * n, *reached = is_open; /* columns; rows seen or done */
  int i, j, e, f, column, width = 0, end = 1; /* near */
  memset(reached, 0, 2 * (size_t)n * sizeof *reached);
  for (column = other; column < other + n; column++)
    left[column] = block->start[column + 1] - block->start[column];
  for (j = mine; j < mine + n; j++) {
    growth[j] = 0;
    for (f = block->start[j]; f < block->start[j + 1]; f++)
      growth[j] += same[block->neighbour[f]] == block->neighbour[f] && left[block->neighbour[f]] > 1;
  }
  lines[0] = start_lines[0];
  reached[lines[0]] = 1;
  for (i = 0; i < end; i++) {
    const int most = end - i < PERMI_BAND_LOOK ? end : i + PERMI_BAND_LOOK;
    int at = i, best, closed = 0;
    for (j = i + 1; j < most; j++)
      if (growth[lines[j]] < growth[lines[at]] ||
          (growth[lines[j]] == growth[lines[at]] && rank[lines[j]] < rank[lines[at]]))
        at = j;
    best = lines[at];
    lines[at] = lines[i];
    lines[i] = best;
    if (permi_watch(watch, 20 + 2.0 * (most - i) + 5.0 * (block->start[best + 1] - block->start[best])))
      return 0;
    for (f = block->start[best]; f < block->start[best + 1]; f++) {
      const int begin = block->start[column = block->neighbour[f]], over = block->start[column + 1];
      const int last = --left[column] == 1, opens = !is_open[column];
      if (same[column] != column)
        continue;
      closed += left[column] == 0;
      if (opens && width++ == PERMI_BAND_SLOTS)
        return 0;
      is_open[column] = 1;
      if ((opens || last) && permi_watch(watch, 3.0 * (over - begin)))
        return 0;
      for (e = begin; e < over && (opens || last); e++) {
        const int line = block->neighbour[e];
        growth[line] -= opens + last;
        if (opens && !reached[line]) {
          reached[line] = 1;
          lines[end++] = line;
        }
      }
    }
    width -= closed;
  }
  return end == n;
}

/* Tries orders as given, by Cuthill and McKee (ACM '69: 157-172), and greedily from there. */
PERMI_NEVER_INLINE static void permi_band_order(permi_maker *maker, permi_pool *room, const permi_block *block,
                                                double limit, int *same, int *lines, permi_band_price *price)
{
  permi_control *watch = maker->watch;
  const int n = block->n, vertices = 2 * n;
  const size_t all = (size_t)vertices;
  double *ways = (double *)permi_pool_get(room, 2 * all, sizeof *ways);
  int *number, *order, *seen, *trial, *rank, *tried, v, e, i, kind, side, start = 0, wide[2] = {0, 0};
  memset(price, 0, sizeof *price);
  price->cost = (double)INFINITY;
  if (!permi_pool_ints(room, &number, 2 * all, &order, all, &seen, all, &rank, all, &trial, all, &tried, all,
                       (int **)NULL))
    return;
  for (v = 0; v < vertices; v++)
    same[v] = v;
  if (maker->working->report.equal_rows + maker->working->report.equal_columns)
    permi_band_same(block, same, watch);
  for (v = 0; v < vertices && !permi_watch(watch, 0); v++) {
    int open = 0;
    for (e = block->start[v]; e < block->start[v + 1] && !permi_watch_step(watch, (size_t)e, 10); e++)
      open += same[block->neighbour[e]] == block->neighbour[e];
    wide[v / n] |= open > PERMI_BAND_SLOTS;
  }
  if ((wide[0] && wide[1]) || permi_watch(watch, 0))
    return;
  for (v = 1; v < vertices; v++)
    if (block->start[v + 1] - block->start[v] < block->start[start + 1] - block->start[start])
      start = v;
  for (i = 0; i < 3; i++) {
    permi_block_breadth(block, start, order, seen, watch);
    if (permi_watch(watch, 0))
      return;
    start = order[vertices - 1];
  }
  for (i = 0; i < vertices; i++)
    rank[order[i]] = i;
  for (kind = 0; kind < 3; kind++)
    for (side = 0; side < 2; side++) {
      int used = 0;
      if (wide[side] || (kind == 2 && n > 1 && price->cost < 4.0 * block->edges))
        continue;
      for (i = 0; i < vertices; i++) {
        v = kind == 0 ? i : order[i];
        if (v / n == side)
          trial[used++] = v;
      }
      if (kind == 2) {
        int *greedy = seen;
        if (!permi_band_greedy(block, same, trial, rank, number, greedy, watch))
          continue;
        memcpy(trial, greedy, (size_t)n * sizeof *trial);
      }
      if (kind && !memcmp(trial, tried + side * n, (size_t)n * sizeof *trial))
        continue;
      memcpy(tried + side * n, trial, (size_t)n * sizeof *trial);
      permi_band_price found = permi_band_price_of(block, same, trial, fmin(price->cost, limit), number, ways, watch);
      if (found.cost < price->cost) {
        *price = found;
        memcpy(lines, trial, (size_t)n * sizeof *lines);
      }
    }
}

static int permi_band_fill(permi_band *band, const permi_block *block, const int *same, const int *lines,
                           int *group_of, permi_control *watch)
{
  permi_pool *pool = &band->owned.pool;
  const size_t rows = (size_t)block->n, edges = (size_t)block->edges;
  const int n = block->n, other = lines[0] < n ? n : 0;
  int i, e, v, g, used = 0;
  band->entry = (permi_band_entry *)permi_pool_get(pool, edges, sizeof *band->entry);
  if (!permi_pool_ints(pool, &band->entry_start, rows + 1, &band->entry_group, edges, &band->capacity, rows,
                       &band->first, rows, &band->last, rows, &band->row, rows, &band->column, rows,
                       &band->column_start, rows, (int **)NULL))
    return 0;
  memcpy(band->row, lines, (size_t)n * sizeof *lines);
  memset(group_of, -1, (size_t)n * sizeof *group_of);
  for (i = 0; i < n; i++) {
    band->entry_start[i] = used;
    for (e = block->start[lines[i]]; e < block->start[lines[i] + 1]; e++) {
      const int column = block->neighbour[e];
      if (permi_watch_step(watch, (size_t)e, 20))
        return 1;
      if (same[column] != column)
        continue;
      g = group_of[column - other];
      if (g < 0) {
        g = group_of[column - other] = band->groups++;
        band->capacity[g] = 0;
        band->first[g] = i;
      }
      band->last[g] = i;
      band->entry_group[used] = g;
      permi_coefficient c = permi_coefficient_of(block, block->edge[e], &band->numbers);
      if (block->integer)
        memcpy(band->entry[used++].integer, c.integer, sizeof c.integer);
      else
        memcpy(band->entry[used++].real, &c, sizeof band->entry->real);
    }
  }
  band->entry_start[n] = used;
  for (v = 0; v < n; v++)
    band->capacity[group_of[same[v + other] - other]]++;
  for (g = 0, used = 0; g < band->groups; g++) {
    band->counted |= band->capacity[g] > 1;
    used += band->capacity[g];
    band->column_start[g] = used;
  }
  for (v = n - 1; v >= 0; v--)
    band->column[--band->column_start[group_of[same[v + other] - other]]] = v + other;
  return 1;
}

static size_t permi_band_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_band *band = (const permi_band *)leaf->context;
  return permi_say(buffer, size,
                   "band, order %d: window of at most %d%s, at most %.3g states, about %.3g transitions of %s, "
                   "predicted %.3g s, %.3g bytes\n",
                   leaf->information.n, band->price.width, band->counted ? " (equal ones counted)" : "",
                   band->price.most, leaf->information.work, permi_numbers_text(&band->numbers, 0),
                   leaf->information.seconds, leaf->information.bytes);
}

static int permi_band_search(permi_maker *maker, permi_pool *room, const permi_block *block, double rival,
                             permi_band *band, permi_offer *offer)
{
  /* by algebras, measured at half-widths 5 and 8 */
  static const double seconds[] = {0.6e-9, 1e-9, 2e-9, 0, 12e-9, 50e-9, 0.6e-9, 1.5e-9, 2e-9, 12e-9};
  const permi_numbers *numbers = &band->numbers;
  const size_t n = (size_t)block->n;
  int *same, *lines, *group_of, squared;
  if (!permi_pool_ints(room, &same, 2 * n, &lines, n, &group_of, n, (int **)NULL))
    return 0;
  if (!permi_numbers_choose_moduli(&band->numbers, block, maker->working->modulus,
                                   permi_sparse_doubled(maker->options))) {
    permi_refuse_long(offer);
    return 1;
  }
  squared = permi_algebra_is_integer(numbers->algebra) ? numbers->parts * numbers->parts : 1;
  const double each = seconds[numbers->algebra] * squared * (numbers->algebra == PERMI_WORDS ? numbers->words + 1 : 1);
  band->seconds_each = each;
  permi_band_order(maker, room, block, rival / each, same, lines, &band->price);
  if (room->failed)
    return 0;
  if (!(band->price.cost < (double)INFINITY) && rival < PERMI_BAND_STATES * each)
    permi_refuse(offer, PERM_ERROR_LIMIT, "is not found to be a band that takes less than %s",
                 permi_time_words(rival).text);
  else if (!(band->price.cost < (double)INFINITY))
    permi_refuse(offer, PERM_ERROR_LIMIT,
                 "is not found to be a band with a window of at most %d columns and %.0e states", PERMI_BAND_SLOTS,
                 PERMI_BAND_STATES);
  else if (!permi_band_fill(band, block, same, lines, group_of, maker->watch))
    return 0;
  else if (permi_watch(maker->watch, 0))
    permi_refuse(offer, PERM_ERROR_LIMIT, "is not planned: stopped");
  return 1;
}

static perm_status permi_band_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const permi_working *working = maker->working;
  const int n = block->n, dd = permi_sparse_doubled(maker->options);
  const double edges = block->edges, unit = dd ? PERMI_DD_UNIT / PERMI_UNIT : 1;
  const double roundings = block->rounded ? permi_entry_roundings(working, working->n) : 0;
  permi_pool room = {&maker->options->allocator, NULL, 0};
  permi_band *band = (permi_band *)permi_owned_new(room.allocator, sizeof *band);
  double each, gamma, sums;
  offer->plan = band;
  const int fine = band && permi_band_search(maker, &room, block, rival, band, offer);
  permi_pool_release(&room);
  if (!fine || offer->why[0])
    return fine ? PERM_OK : permi_fail_memory(maker->result);
  each = band->numbers.algebra == PERMI_MAGNITUDES ? 0 : block->imaginary && !dd ? 5 : 2;
  gamma = permi_gamma(roundings + (edges + (each + (band->counted ? 2 : 0)) * n) * unit) + (dd ? n * PERMI_DD_UNIT : 0);
  sums = permi_gamma(2 * edges + 4.0 * n + roundings);
  band->bound_relative = gamma / (1 - sums) * (1 + 8 * PERMI_UNIT);
  band->lossy = permi_gamma((edges + 3.0 * n) * unit) * 2;
  band->lost_error = working->lost_error;
  band->n = n;
  offer->seconds = band->price.cost * band->seconds_each + band->price.made * PERMI_BAND_MADE_SECONDS +
                   n * PERMI_ROW_SECONDS + 2e-6;
  offer->bytes = 2 * band->price.most * 8.0 * (double)permi_numbers_words(&band->numbers) +
                 sizeof(permi_band_run) *
                     fmin(2.0 * PERMI_BAND_KEPT_RUNS, 4 * band->price.most * band->price.width) + 131072 +
                 48.0 * block->edges;
  return PERM_OK;
}

static perm_status permi_band_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  permi_band *band = (permi_band *)offer->plan;
  static const uint64_t kind[] = {0, 1, 2, 3, 3, 4, 5, 5, 5, 5}; /* in saved states */
  const permi_numbers *numbers = &band->numbers;
  const int integers = permi_algebra_is_integer(numbers->algebra);
  uint64_t hash = permi_hash(PERMI_HASH_START, kind[numbers->algebra]);
  (void)block;
  hash = permi_hash(hash, integers ? (uint64_t)numbers->algebra : 0);
  hash = permi_hash(permi_hash(hash, integers ? (uint64_t)numbers->words : 0), numbers->modulus);
  for (int i = 0; i < band->n; i++)
    for (int e = band->entry_start[i]; e < band->entry_start[i + 1] && !permi_watch_step(maker->watch, (size_t)e, 10);
         e++) {
      hash = permi_hash(hash, (uint64_t)i << 32 | (uint64_t)band->entry_group[e]);
      if (!integers)
        hash = permi_hash_double(permi_hash_double(hash, band->entry[e].real[0]), band->entry[e].real[1]);
      for (int part = 0; integers && part < numbers->parts; part++)
        hash = permi_hash(hash, (uint64_t)band->entry[e].integer[part]);
    }
  leaf->information.work = band->price.cost;
  leaf->information.fingerprint = hash;
  permi_leaf_values(leaf, numbers, band->bound_relative, PERMI_UNIT, permi_band_task, permi_band_explain);
  leaf->threaded = band->price.longest * band->seconds_each >= PERMI_SHARE_SECONDS;
  return PERM_OK;
}

PERMI_BRIEF_END

/* ======================================================================================== >>classes
   The frontier with waiting vertices counted, not told apart. */

/* Vertices come one by one, to be matched with a waiting neighbour or to wait. A vertex's rest is its entries towards
   vertices to come. Waiting vertices of one side with proportional rests are a class, of which only the number that
   waits matters: a state is a number for each class. Its value sums, over the ways to wait so, the products of entries
   used and of members' factors, where rest = factor * rest of the class.
   Matching with a class of which c wait multiplies by c and the class's entry, and leaves c - 1. Classes whose rests
   become proportional are united and their numbers added. At most as many may wait as the class meets vertices ahead.
   Integers: a rest is primitive, a factor the content; if it grows, the value is multiplied by the quotient for every
   waiting member. Doubles: a factor is the entry towards the last neighbour, a rest has the quotients by it;
   proportional means equal cross products. Some vertices have factor 1 (permi_class_plain).
   The order is made from its end: a vertex goes ahead of those that came, and classes are refined, not searched for. */
#define PERMI_CLASSES 64
#define PERMI_CLASS_LEAST 4.909093465297727e-91 /* 2^-300: quotients stay below 2^301 */
#define PERMI_CLASS_WORDS 4

/* Members of classes 0 (rows) and 1 (columns) have nothing ahead and do not wait. */
typedef struct permi_class {
  int first, size, ahead; /* vertices to come that it meets */
  int touched, slot, most, born; /* most that ever wait; born: the class is there after this step */
  int word, shift;
  uint64_t mask;
} permi_class;

/* Members of a class that meet the step's vertex, or change class. */
typedef struct permi_class_part {
  int from, into;
  int meets, grows; /* each that waits multiplies by growth */
  permi_coefficient entry, growth;
} permi_class_part;

typedef struct permi_class_limit {
  int number, most;
} permi_class_limit;

typedef struct permi_class_step {
  int vertex, part, parts, limit, limits;
  int joins, most;     /* class that the vertex waits in, or -1; most that may wait there */
  double states, ways; /* after the step; ways that merge into one state */
  double done;         /* ways before it */
  permi_coefficient factor;
} permi_class_step;

typedef struct permi_classes {
  permi_owned owned;
  permi_numbers numbers;
  int steps, words, numbered;
  permi_class *class_of;
  permi_class_step *step;
  permi_class_part *part;
  permi_class_limit *limit;
  double most, product;       /* states; the largest product of (most + 1) */
  double cost, each, seconds; /* ways */
  double bound_relative, lost_error;
} permi_classes;

/* Returns 1 if a vertex must have factor 1: quotients by tiny entries overflow, and INT64_MIN has no magnitude. */
static int permi_class_plain(const permi_block *block, int v)
{
  int e, plain = block->imaginary_integer != NULL;
  for (e = block->start[v]; e < block->start[v + 1] && !plain; e++) {
    const int edge = block->edge[e];
    plain = block->integer ? block->integer[edge] == INT64_MIN
                           : fmax(fabs(block->real[edge]), block->imaginary ? fabs(block->imaginary[edge]) : 0) <
                                 PERMI_CLASS_LEAST;
  }
  return plain;
}

/* Adds x y or -x y exactly. Returns 0 if the product may underflow. */
static int permi_class_add(perm_sum *sum, double x, double y, int negative)
{
  double high = x * y;
  PERMI_KEEP_DOUBLE(high);
  if (high == 0 && (x == 0 || y == 0))
    return 1;
  if (fabs(high) < 1e-250)
    return 0;
  permi_sum_add_double(sum, negative ? -high : high);
  permi_sum_add_double(sum, negative ? -PERMI_REST(x, y, high) : PERMI_REST(x, y, high));
  return 1;
}

/* Returns 1 if a : b = c : d. Moduli may differ by PERMI_CLASS_ROOM. */
#define PERMI_CLASS_ROOM 5.684341886080802e-14
PERMI_NEVER_INLINE static int permi_class_alike(const permi_block *block, int a, int b, int c, int d)
{
  const double *part[] = {block->real, block->imaginary};
  const int edge[2][2] = {{a, d}, {b, c}}, parts = part[1] != NULL;
  perm_sum sum[2];
  if (permi_entries_equal(block, a, c) && permi_entries_equal(block, b, d))
    return 1;
  if (block->integer) {
    permi_wide p = {0, 0}, q = {0, 0};
    const permi_wide left = permi_wide_of(block->integer[a]), right = permi_wide_of(block->integer[b]);
    permi_wide_add_product(&p, &left, block->integer[d]);
    permi_wide_add_product(&q, &right, block->integer[c]);
    return p.low == q.low && p.high == q.high;
  }
  const double x = block->absolute[a] * block->absolute[d];
  const double y = block->absolute[b] * block->absolute[c];
  if (fabs(x - y) > PERMI_CLASS_ROOM / 4 * x)
    return 0;
  memset(sum, 0, sizeof sum);
  for (int i = 0; i <= parts; i++)
    for (int j = 0; j <= parts; j++)
      for (int pair = 0; pair < 2; pair++)
        if (!permi_class_add(&sum[i ^ j], part[i][edge[pair][0]], part[j][edge[pair][1]], pair ^ (i & j)))
          return 0;
  for (int w = 0; w < 2 * PERM_SUM_WORDS; w++)
    if (sum[w / PERM_SUM_WORDS].word[w % PERM_SUM_WORDS])
      return 0;
  return 1;
}

static permi_dd permi_dd_divide(permi_dd a, permi_dd b)
{
  const double first = a.hi / b.hi;
  const permi_dd rest = permi_dd_subtract(a, permi_dd_multiply(b, permi_dd_make(first)));
  return permi_dd_add_double(permi_dd_make(first), rest.hi / b.hi);
}

/* Returns a / b, each part rounded once (double-double: to PERMI_DD_UNIT). */
static permi_coefficient permi_class_quotient(const permi_block *block, int a, int b, int doubled)
{
  permi_coefficient c = permi_coefficient_one();
  permi_dd real, imaginary = {0, 0};
  if (permi_entries_equal(block, a, b))
    return c;
  real = permi_dd_divide(permi_dd_make(block->real[a]), permi_dd_make(block->real[b] != 0 ? block->real[b] : 1));
  if (block->imaginary && (block->imaginary[a] != 0 || block->imaginary[b] != 0)) {
    const permi_dd x = permi_dd_make(block->real[a]), y = permi_dd_make(block->imaginary[a]);
    const permi_dd u = permi_dd_make(block->real[b]), v = permi_dd_make(block->imaginary[b]);
    const permi_dd square = permi_dd_add(permi_dd_multiply(u, u), permi_dd_multiply(v, v));
    real = permi_dd_divide(permi_dd_add(permi_dd_multiply(x, u), permi_dd_multiply(y, v)), square);
    imaginary = permi_dd_divide(permi_dd_subtract(permi_dd_multiply(y, u), permi_dd_multiply(x, v)), square);
  }
  c.real = real.hi;
  c.imaginary = imaginary.hi;
  c.real_low = doubled ? real.lo : 0;
  c.imaginary_low = doubled ? imaginary.lo : 0;
  c.absolute = block->absolute[a] / block->absolute[b] * (1 + PERMI_CLASS_ROOM);
  if (!block->imaginary && block->absolute[a] == fabs(block->real[a]) && block->absolute[b] == fabs(block->real[b]))
    c.absolute = fabs(c.real);
  return c;
}

static permi_coefficient permi_class_whole(int64_t x, const permi_numbers *numbers)
{
  permi_coefficient c = permi_coefficient_one();
  c.integer[0] = x;
  return permi_coefficient_reduced(c, numbers);
}

typedef struct permi_class_build {
  const permi_block *block;
  permi_control *watch;
  permi_pool pool;
  permi_classes *plan;
  permi_class *list;
  int numbered, doubled, taken, come[2], parts, limits, active[2][PERMI_CLASSES], actives[2];
  unsigned char slot[PERMI_CLASSES], *gone, *plain, *uncommon; /* entries */
  int *member, *place, *number, *last, *edge; /* class, last edge, taken edge */
  int *open, *met, *odd; /* neighbours that came; [vertex][slot]: neighbours, by uncommon entries */
  int64_t *content;
  size_t part_room, limit_room, class_room;
  double *line, left; /* two polynomials */
  perm_status status;
} permi_class_build;

static int permi_class_most(int size, int ahead)
{
  return size < ahead ? size : ahead;
}

/* Expands prod (1 + x + .. + x^most[k]), by differences only if exact. Returns the degree. */
static int permi_class_polynomial(const int *most, int count, double *line)
{
  int degree = 0, k, i, j;
  double product = 1;
  line[0] = 1;
  for (k = 0; k < count; k++) {
    const int m = most[k];
    product *= m + 1;
    for (i = degree + m; i > degree; i--)
      line[i] = 0;
    degree += m;
    if (product < 9007199254740992.0) {
      for (i = 1; i <= degree; i++)
        line[i] += line[i - 1];
      for (i = degree; i > m; i--)
        line[i] -= line[i - m - 1];
      continue;
    }
    for (i = degree; i >= 0; i--)
      for (j = 1; j <= m && j <= i; j++)
        line[i] += line[i - j];
  }
  return degree;
}

/* Counts ways to wait that differ as the sides do. *product: all. */
static double permi_class_states(const permi_class_build *build, double *product)
{
  const int more = build->come[0] - build->come[1]; /* rows less columns that wait */
  double *line[2], sum = 0;
  int degree[2], side, k, i;
  *product = 1;
  for (side = 0; side < 2; side++) {
    int most[PERMI_CLASSES];
    for (k = 0; k < build->actives[side]; k++) {
      const permi_class *c = &build->list[build->active[side][k]];
      most[k] = permi_class_most(c->size, c->ahead);
      *product *= most[k] + 1;
    }
    line[side] = build->line + side * (build->block->n + 1);
    degree[side] = permi_class_polynomial(most, build->actives[side], line[side]);
  }
  for (i = more > 0 ? more : 0; i <= degree[0] && i - more <= degree[1]; i++)
    sum += line[0][i] * line[1][i - more];
  return fmax(sum, 1);
}

/* Returns -1 if refused. */
static int permi_class_new(permi_class_build *build, int side, int first, int size, int ahead)
{
  permi_class made = {first, size, ahead, 0, 0, permi_class_most(size, ahead), 0, 0, 0, 0};
  int slot = 0;
  while (slot < PERMI_CLASSES && build->slot[slot])
    slot++;
  if (slot == PERMI_CLASSES)
    build->status = build->status == PERM_OK ? PERM_ERROR_LIMIT : build->status;
  else if (!permi_room(build->pool.allocator, build->watch, &build->list, (size_t)build->numbered, 1,
                       &build->class_room, sizeof *build->list))
    build->status = PERM_ERROR_MEMORY;
  if (build->status != PERM_OK)
    return -1;
  made.slot = slot;
  build->list[build->numbered] = made;
  build->slot[slot] = 1;
  build->active[side][build->actives[side]++] = build->numbered;
  return build->numbered++;
}

static void permi_class_count(permi_class_build *build, int u, int from, int into)
{
  const permi_block *block = build->block;
  for (int pass = 0; pass < 2; pass++) {
    const int number = pass ? into : from, change = pass ? 1 : -1;
    for (int e = block->start[u]; e < block->start[u + 1] && number > 1; e++) {
      const size_t at = (size_t)block->neighbour[e] * PERMI_CLASSES + (size_t)build->list[number].slot;
      build->met[at] += change;
      build->odd[at] += change * build->uncommon[block->edge[e]];
    }
  }
}

static void permi_class_place(permi_class_build *build, int u, int place)
{
  const int other = build->member[place], from = build->place[u];
  build->member[from] = other;
  build->place[other] = from;
  build->member[place] = u;
  build->place[u] = place;
}

static void permi_class_leave(permi_class_build *build, int v, int p)
{
  const permi_block *block = build->block;
  const int number = build->number[v], side = v >= block->n;
  permi_class *c = &build->list[number];
  permi_class_step *step = &build->plan->step[p];
  int k;
  step->joins = number > 1 ? number : -1;
  step->factor = permi_coefficient_one();
  if (number > 1 && !build->plain[v])
    step->factor = block->integer ? permi_class_whole(build->content[v], &build->plan->numbers)
                                  : permi_coefficient_of(block, build->last[v], &build->plan->numbers);
  step->most = permi_class_most(c->size, c->ahead);
  permi_class_count(build, v, number, 0);
  permi_class_place(build, v, c->first + c->size - 1);
  c->size--;
  build->gone[v] = 1;
  build->come[side]--;
  build->taken++;
  if (number > 1 && c->size == 0) {
    c->born = p;
    build->slot[c->slot] = 0;
    for (k = 0; build->active[side][k] != number; k++)
      ;
    build->active[side][k] = build->active[side][--build->actives[side]];
  }
}

/* Returns the number of parts that stay proportional with the step's vertex, touched first; -1 if too many. */
static int permi_class_sort(permi_class_build *build, const permi_class *c, int number, int *begin)
{
  const int end = c->first + c->touched;
  int at = c->first, parts = 0, k;
  while (at < end) {
    const int leader = build->member[at];
    if (parts == PERMI_CLASSES)
      return -1;
    begin[parts++] = at++;
    for (k = at; k < end; k++) {
      const int u = build->member[k], e = build->edge[u], of = build->edge[leader];
      if (build->plain[u] || build->plain[leader]
              ? build->plain[u] && build->plain[leader] && permi_entries_equal(build->block, e, of)
              : number < 2 || permi_class_alike(build->block, e, build->last[u], of, build->last[leader]))
        permi_class_place(build, u, at++);
    }
  }
  begin[parts] = end;
  return parts;
}

static int64_t permi_class_ahead(permi_class_build *build, int number, int u)
{
  const int64_t *integer = build->block->integer;
  if (number < 2)
    build->last[u] = build->edge[u];
  if (!integer || build->plain[u])
    return 1;
  const int64_t before = number < 2 ? integer[build->edge[u]] : build->content[u];
  int64_t common = (int64_t)permi_greatest_divisor((uint64_t)llabs(before), (uint64_t)llabs(integer[build->edge[u]]));
  build->content[u] = integer[build->last[u]] < 0 ? -common : common; /* the last entry's sign */
  return number < 2 ? 1 : before / build->content[u];
}

/* u is a member that meets the step's vertex. */
static permi_class_part *permi_class_enter(permi_class_build *build, int p, int from, int into, int u)
{
  const permi_block *block = build->block;
  permi_classes *plan = build->plan;
  const permi_coefficient one = permi_coefficient_one();
  const permi_class_part made = {from, into, u >= 0, 0, one, one};
  if (!permi_room(build->pool.allocator, build->watch, &plan->part, (size_t)build->parts, 1, &build->part_room,
                  sizeof *plan->part)) {
    build->status = PERM_ERROR_MEMORY;
    return NULL;
  }
  permi_class_part *part = &plan->part[build->parts++];
  *part = made;
  plan->step[p].parts++;
  if (u >= 0 && build->plain[u])
    part->entry = permi_coefficient_of(block, build->edge[u], &plan->numbers);
  else if (u >= 0 && block->integer)
    part->entry = permi_class_whole(block->integer[build->edge[u]] / build->content[u], &plan->numbers);
  else if (u >= 0)
    part->entry = permi_class_quotient(block, build->edge[u], build->last[u], build->doubled);
  return part;
}

/* The largest part keeps the number, and what has nothing ahead keeps 0 or 1. */
PERMI_NEVER_INLINE static void permi_class_refine(permi_class_build *build, int p, int number)
{
  permi_classes *plan = build->plan;
  const permi_class c = build->list[number];
  const int side = build->member[c.first] >= build->block->n;
  int begin[PERMI_CLASSES + 2], parts = permi_class_sort(build, &c, number, begin), k, i, keeps = parts;
  double ways = 1, most = 0, widest = 0;
  if (parts < 0) {
    build->status = PERM_ERROR_LIMIT;
    return;
  }
  begin[parts + 1] = c.first + c.size;
  for (k = 0; k < parts && number > 1; k++)
    if (begin[k + 1] - begin[k] > begin[keeps + 1] - begin[keeps])
      keeps = k;
  for (k = 0; k <= parts; k++) {
    const int size = begin[k + 1] - begin[k], meets = k < parts, ahead = c.ahead + meets;
    const double room = permi_class_most(size, ahead);
    int64_t growth = 1;
    int from = number;
    if (size > 0 && k != keeps)
      from = permi_class_new(build, side, begin[k], size, ahead);
    for (i = begin[k]; i < begin[k + 1] && build->status == PERM_OK && (meets || from != number); i++) {
      const int u = build->member[i];
      if (meets)
        growth = permi_class_ahead(build, number, u);
      if (from != number)
        permi_class_count(build, u, number, from);
      build->number[u] = from;
    }
    if (build->status == PERM_OK && size > 0 && (meets || from != number)) {
      permi_class_part *part = permi_class_enter(build, p, from, number, meets ? build->member[begin[k]] : -1);
      if (part) {
        part->grows = growth != 1;
        part->growth = permi_class_whole(growth, &plan->numbers);
      }
    }
    if (build->status != PERM_OK)
      return;
    if (k == keeps) {
      build->list[number].first = begin[k];
      build->list[number].size = size;
      build->list[number].ahead = number > 1 ? ahead : 0;
    }
    most += room;
    ways *= room + 1;
    widest = fmax(widest, room + 1);
  }
  build->list[number].touched = 0;
  if (number < 2)
    return;
  plan->step[p].ways *= ways / widest;
  if (most > build->list[number].most)
    build->list[number].most = (int)most;
  if (most <= permi_class_most(c.size, c.ahead))
    return;
  if (permi_room(build->pool.allocator, build->watch, &plan->limit, (size_t)build->limits, 1, &build->limit_room,
                 sizeof *plan->limit)) {
    plan->limit[build->limits].number = number;
    plan->limit[build->limits++].most = permi_class_most(c.size, c.ahead);
    plan->step[p].limits++;
  } else {
    build->status = PERM_ERROR_MEMORY;
  }
}

static void permi_class_take_away(permi_class_build *build, int v)
{
  const permi_block *block = build->block;
  const int p = 2 * block->n - 1 - build->taken;
  permi_class_step *step = &build->plan->step[p];
  double product;
  int touched[PERMI_CLASSES + 2], count = 0, e, k;
  step->states = permi_class_states(build, &product);
  build->plan->product = fmax(build->plan->product, product);
  build->plan->most = fmax(build->plan->most, step->states);
  permi_class_leave(build, v, p);
  step->vertex = v;
  step->ways = 1;
  step->parts = step->limits = 0;
  step->part = build->parts;
  step->limit = build->limits;
  for (e = block->start[v]; e < block->start[v + 1]; e++) {
    const int u = block->neighbour[e];
    permi_class *c = &build->list[build->number[u]];
    build->open[u]--;
    if (build->gone[u])
      continue;
    if (!c->touched)
      touched[count++] = build->number[u];
    build->edge[u] = block->edge[e];
    permi_class_place(build, u, c->first + c->touched++);
  }
  for (k = 0; k < count && build->status == PERM_OK; k++)
    permi_class_refine(build, p, touched[k]);
  build->left -= step->states * (1 + step->parts);
  if (build->left < 0 && build->status == PERM_OK)
    build->status = PERM_ERROR_LIMIT;
  permi_watch(build->watch, 100 + 40.0 * (block->start[v + 1] - block->start[v]));
}

PERMI_NEVER_INLINE static void permi_class_build_begin(permi_class_build *build, permi_classes *plan,
                                                       const permi_block *block, permi_control *watch, int doubled,
                                                       double most)
{
  const size_t vertices = 2 * (size_t)block->n;
  permi_pool *pool = &build->pool;
  memset(build, 0, sizeof *build);
  build->block = block;
  build->watch = watch;
  build->plan = plan;
  build->doubled = doubled;
  build->left = most;
  pool->allocator = &plan->owned.allocator;
  build->gone = (unsigned char *)permi_pool_zeros(pool, vertices, 2);
  build->content = (int64_t *)permi_pool_get(pool, vertices, sizeof *build->content);
  build->met = (int *)permi_pool_zeros(pool, vertices, 2 * PERMI_CLASSES * sizeof(int));
  build->uncommon = (unsigned char *)permi_pool_get(pool, (size_t)block->edges, 1);
  build->line = (double *)permi_pool_get(pool, vertices + 2, sizeof(double));
  plan->step = (permi_class_step *)permi_pool_get(&plan->owned.pool, vertices, sizeof *plan->step);
  plan->steps = (int)vertices;
  if (!permi_pool_ints(pool, &build->member, vertices, &build->place, vertices, &build->number, vertices, &build->last,
                       vertices, &build->edge, vertices, &build->open, vertices, (int **)NULL) || !plan->step ||
      !permi_room(pool->allocator, watch, &build->list, 0, 2, &build->class_room, sizeof *build->list)) {
    build->status = PERM_ERROR_MEMORY;
    return;
  }
  build->plain = build->gone + vertices;
  build->odd = build->met + PERMI_CLASSES * vertices;
  memset(build->list, 0, 2 * sizeof *build->list);
  build->numbered = 2;
  for (int side = 0; side < 2; side++) {
    build->list[side].first = side * block->n;
    build->come[side] = build->list[side].size = block->n;
  }
  for (int v = 0; v < 2 * block->n; v++) {
    build->member[v] = build->place[v] = v;
    build->number[v] = v >= block->n;
    build->open[v] = block->start[v + 1] - block->start[v];
    build->plain[v] = (unsigned char)permi_class_plain(block, v);
  }
}

/* Gives classes bits of the key. Returns 0 for too many. */
static int permi_class_fields(permi_classes *plan)
{
  uint64_t used[PERMI_CLASS_WORDS] = {0};
  int p, k, w, shift;
  plan->words = 1;
  for (p = 0; p < plan->steps; p++) {
    const permi_class_step *step = &plan->step[p];
    for (k = step->part; k < step->part + step->parts; k++) {
      const permi_class *c = &plan->class_of[plan->part[k].from];
      if (plan->part[k].from != plan->part[k].into)
        used[c->word] &= ~(c->mask << c->shift);
    }
    if (step->joins >= 0 && plan->class_of[step->joins].born == p) {
      permi_class *c = &plan->class_of[step->joins];
      for (c->mask = 1; (int)c->mask < c->most; c->mask = 2 * c->mask + 1)
        ;
      for (w = 0; w < PERMI_CLASS_WORDS; w++) {
        for (shift = 0; shift < 64 && (c->mask << shift >> shift != c->mask || used[w] & c->mask << shift); shift++)
          ;
        if (shift < 64)
          break;
      }
      if (w == PERMI_CLASS_WORDS)
        return 0;
      c->word = w;
      c->shift = shift;
      used[w] |= c->mask << shift;
      plan->words = w + 1 > plan->words ? w + 1 : plan->words;
    }
  }
  return 1;
}

/* ==================================================================================== >>classes_run */

/* A step expands states into takes (a state, a key, a way) and adds up takes of equal keys by hashing. Large programs
   divide the keys into shares. A share lists states as it meets them, so sums do not depend on threads. A step goes in
   rounds, which limit the takes in memory. */
#define PERMI_CLASS_SHARES 32
#define PERMI_CLASS_ROUND 4096
#define PERMI_CLASS_SHARED 4000 /* so many states are shared */

/* A take: way << 32 | state, its key. In way 0 the vertex waits; in way k it is matched with part k - 1. */
typedef struct permi_class_takes {
  size_t count, room;
  uint64_t *take;
} permi_class_takes;

typedef struct permi_class_list {
  size_t count, places, room, value_room, exp2_room, place_room;
  uint64_t *key;
  char *value;
  int64_t *exp2;
  uint32_t *place; /* hash table: state + 1, or 0 */
} permi_class_list;

/* A take that >>trace_classes keeps. */
typedef struct permi_class_link {
  uint32_t state, way, share, into;
} permi_class_link;

typedef struct permi_class_links {
  size_t count, room;
  permi_class_link *link;
} permi_class_links;

typedef struct permi_class_run {
  permi_runner base;
  const permi_classes *plan;
  int shares, p;
  size_t first, bytes; /* first state of a round in every share; bytes of a value */
  permi_class_list *list[2];
  permi_class_takes *takes; /* [source][target] */
  permi_class_links *links; /* by target, or NULL */
  perm_status *status;
} permi_class_run;

static int permi_class_number(const permi_class *c, const uint64_t *key)
{
  return (int)(key[c->word] >> c->shift & c->mask);
}

static uint64_t permi_class_hash(const uint64_t *key, int words)
{
  uint64_t hash = UINT64_C(0x9e3779b97f4a7c15) * key[0];
  for (int w = 1; w < words; w++)
    hash = permi_hash(hash, key[w]);
  return hash ^ hash >> 32;
}

/* Returns the class that one more must leave, -1 if none must, -2 if the state is dead. */
static int permi_class_move(const permi_classes *plan, const permi_class_step *step, const uint64_t *key,
                            uint64_t *into)
{
  const permi_class_part *part = plan->part + step->part;
  int k, must = -1;
  for (k = 0; k < plan->words; k++)
    into[k] = key[k];
  for (k = 0; k < step->parts; k++) {
    const permi_class *from = &plan->class_of[part[k].from];
    const int count = permi_class_number(from, key);
    if (part[k].from == part[k].into || !count)
      continue;
    into[from->word] -= (uint64_t)count << from->shift;
    if (part[k].into > 1) {
      const permi_class *to = &plan->class_of[part[k].into];
      into[to->word] += (uint64_t)count << to->shift;
    } else if (count > 1 || must != -1) {
      return -2;
    } else {
      must = part[k].from;
    }
  }
  for (k = step->limit; k < step->limit + step->limits; k++) {
    const int over = permi_class_number(&plan->class_of[plan->limit[k].number], into) - plan->limit[k].most;
    if (over > 1 || (over == 1 && must != -1))
      return -2;
    if (over == 1)
      must = plan->limit[k].number;
  }
  return must;
}

static int permi_class_put(permi_class_run *run, int source, const uint64_t *key, size_t state, int way)
{
  const size_t words = (size_t)run->plan->words;
  const int share = (int)(permi_class_hash(key, run->plan->words) >> 40) & (run->shares - 1); /* tables: lower bits */
  permi_class_takes *takes = &run->takes[source * run->shares + share];
  if (!permi_room(&run->base.locked, NULL, &takes->take, takes->count, 1, &takes->room, (1 + words) * sizeof *key)) {
    run->status[source] = PERM_ERROR_MEMORY;
    return 0;
  }
  uint64_t *take = takes->take + takes->count++ * (1 + words);
  take[0] = (uint64_t)way << 32 | state;
  memcpy(take + 1, key, words * sizeof *key);
  return 1;
}

static perm_status permi_class_expand(void *context, uint64_t share, int thread)
{
  permi_class_run *run = (permi_class_run *)context;
  const permi_classes *plan = run->plan;
  const permi_class_step *step = &plan->step[run->p];
  const permi_class_list *list = &run->list[run->p & 1][share];
  const size_t words = (size_t)plan->words, end = run->first + PERMI_CLASS_ROUND;
  const int source = (int)share;
  int k, more = 1;
  (void)thread;
  for (size_t s = run->first; s < end && s < list->count && more; s++) {
    const uint64_t *key = list->key + s * words;
    uint64_t into[PERMI_CLASS_WORDS];
    const int must = permi_class_move(plan, step, key, into);
    if (must == -2)
      continue;
    if (must == -1 && step->joins >= 0) {
      const permi_class *own = &plan->class_of[step->joins];
      const uint64_t one = UINT64_C(1) << own->shift;
      if (permi_class_number(own, into) < step->most) {
        into[own->word] += one;
        more = permi_class_put(run, source, into, s, 0);
        into[own->word] -= one;
      }
    }
    for (k = 0; k < step->parts && more; k++) {
      const permi_class_part *part = &plan->part[step->part + k];
      const permi_class *to = &plan->class_of[part->into];
      const uint64_t one = part->into > 1 ? UINT64_C(1) << to->shift : 0;
      if (!part->meets || (must != -1 && must != (part->into > 1 ? part->into : part->from)) ||
          !permi_class_number(&plan->class_of[part->from], key))
        continue;
      into[to->word] -= one;
      more = permi_class_put(run, source, into, s, k + 1);
      into[to->word] += one;
    }
  }
  return PERM_OK;
}

/* Returns a key's state, perhaps new, or SIZE_MAX without memory. */
static size_t permi_class_find(permi_class_run *run, permi_class_list *list, const uint64_t *key)
{
  const size_t words = (size_t)run->plan->words;
  size_t at, k;
  if (2 * list->count >= list->places) {
    const size_t places = list->places ? 2 * list->places : 16;
    if (!permi_room(&run->base.locked, NULL, &list->place, 0, places, &list->place_room, sizeof *list->place))
      return SIZE_MAX;
    list->places = places;
    memset(list->place, 0, places * sizeof *list->place);
    for (k = 0; k < list->count; k++) {
      for (at = permi_class_hash(list->key + k * words, (int)words) & (places - 1); list->place[at];)
        at = (at + 1) & (places - 1);
      list->place[at] = (uint32_t)k + 1;
    }
  }
  for (at = permi_class_hash(key, (int)words) & (list->places - 1); list->place[at]; at = (at + 1) & (list->places - 1))
    if (!memcmp(list->key + (list->place[at] - 1) * words, key, words * sizeof *key))
      return list->place[at] - 1;
  if (!permi_room(&run->base.locked, NULL, &list->key, list->count, 1, &list->room, words * sizeof *key) ||
      !permi_room(&run->base.locked, NULL, &list->value, list->count, 1, &list->value_room, run->bytes) ||
      !permi_room(&run->base.locked, NULL, &list->exp2, list->count, 1, &list->exp2_room, sizeof *list->exp2))
    return SIZE_MAX;
  memcpy(list->key + list->count * words, key, words * sizeof *key);
  memset(list->value + list->count * run->bytes, 0, run->bytes);
  list->exp2[list->count] = 0;
  list->place[at] = (uint32_t)++list->count;
  return list->count - 1;
}

static void permi_class_add_way(const permi_class_run *run, const permi_class_list *source, size_t s, int way,
                                permi_class_list *target, size_t t)
{
  const permi_classes *plan = run->plan;
  const permi_class_step *step = &plan->step[run->p];
  const permi_numbers *numbers = &plan->numbers;
  const permi_class_part *part = plan->part + step->part;
  const uint64_t *key = source->key + s * (size_t)plan->words;
  const void *x = source->value + s * run->bytes;
  void *y = target->value + t * run->bytes;
  permi_coefficient c = way ? part[way - 1].entry : step->factor;
  uint64_t value[2][2 * PERM_INTEGER_WORDS];
  size_t times = 1;
  int k, count, which = 0;
  if (way) {
    count = permi_class_number(&plan->class_of[part[way - 1].from], key);
    if (count > 1)
      times = permi_coefficient_multiply(numbers, &c, (uint32_t)count);
  }
  if (!permi_algebra_is_integer(numbers->algebra)) {
    permi_value_add_apart(numbers, &c, y, &target->exp2[t], x, source->exp2[s]);
    return;
  }
  for (k = 0; k < step->parts; k++)
    if (part[k].grows)
      for (count = permi_class_number(&plan->class_of[part[k].from], key) - (k == way - 1); count > 0; count--) {
        memset(value[which], 0, run->bytes);
        permi_values_add(numbers, &part[k].growth, value[which], x, 1);
        x = value[which];
        which = 1 - which;
      }
  for (; times > 0; times--)
    permi_values_add(numbers, &c, y, x, 1);
}

static perm_status permi_class_contract(void *context, uint64_t share, int thread)
{
  permi_class_run *run = (permi_class_run *)context;
  const permi_classes *plan = run->plan;
  const size_t words = (size_t)plan->words;
  permi_class_list *list = &run->list[(run->p + 1) & 1][share];
  (void)thread;
  for (int source = 0; source < run->shares; source++) {
    permi_class_takes *takes = &run->takes[source * run->shares + (int)share];
    const permi_class_list *from = &run->list[run->p & 1][source];
    for (size_t k = 0; k < takes->count && run->status[share] == PERM_OK; k++) {
      const uint64_t *take = takes->take + k * (1 + words);
      const uint32_t state = (uint32_t)take[0], way = (uint32_t)(take[0] >> 32);
      const size_t t = permi_class_find(run, list, take + 1);
      permi_class_links *links = run->links ? &run->links[share] : NULL;
      if (t == SIZE_MAX || (links && !permi_room(&run->base.locked, NULL, &links->link, links->count, 1, &links->room,
                                                 sizeof *links->link))) {
        run->status[share] = PERM_ERROR_MEMORY;
        break;
      }
      if (links) {
        const permi_class_link link = {state, way, (uint32_t)source, (uint32_t)t};
        links->link[links->count++] = link;
      }
      permi_class_add_way(run, from, state, (int)way, list, t);
    }
    takes->count = 0;
  }
  return PERM_OK;
}

/* THE BOUND: gamma of 7 or 12 roundings a line and of additions, which `ways` and
   `parts` limit; nothing overflows, and underflow is a rounding (tests/proofs/chains.v, tests/proofs/frontier.g). */
static double permi_classes_bound(const permi_classes *plan, const permi_block *block, double roundings)
{
  double operations = (block->imaginary ? 12.0 : 7.0) * block->n;
  for (int p = 0; p < plan->steps; p++)
    operations += 2 * (plan->step[p].ways * (plan->step[p].parts + 1) - 1);
  return operations + roundings > 1e14 ? (double)INFINITY
                                       : permi_terms_bound(&plan->numbers, roundings, operations, operations);
}

static perm_status permi_class_advance(permi_runner *runner, int p)
{
  permi_class_run *run = (permi_class_run *)runner;
  permi_class_list *source = run->list[p & 1], *target = run->list[(p + 1) & 1];
  const permi_class_step *step = &run->plan->step[p];
  size_t most = 0, all = 0, places;
  perm_status status = PERM_OK;
  run->p = p;
  runner->done = step->done / run->plan->cost * run->plan->seconds;
  for (int k = 0; k < run->shares; k++) {
    target[k].count = 0;
    for (places = 16; places < 2 * source[k].count; places *= 2)
      ;
    if (!permi_room(&run->base.locked, NULL, &target[k].place, 0, places, &target[k].place_room, sizeof(uint32_t)))
      return PERM_ERROR_MEMORY;
    target[k].places = places;
    memset(target[k].place, 0, places * sizeof(uint32_t));
    most = source[k].count > most ? source[k].count : most;
    all += source[k].count;
  }
  const int shared = (double)all * (step->parts + 1) * run->plan->each < PERMI_SHARE_SECONDS ? 1 : runner->threads;
  for (run->first = 0; run->first < most && status == PERM_OK; run->first += PERMI_CLASS_ROUND) {
    permi_share(shared, 0, (uint64_t)run->shares, permi_class_expand, run, NULL);
    permi_share(shared, 0, (uint64_t)run->shares, permi_class_contract, run, NULL);
    for (int k = 0; k < run->shares && status == PERM_OK; k++)
      status = run->status[k];
    if (status == PERM_OK)
      status = permi_runner_poll(runner, PERMI_RUNNER_POLL, runner->done, 0);
  }
  for (int k = 0; k < run->shares; k++) {
    runner->visited += (double)target[k].count;
    if (!permi_algebra_is_integer(run->plan->numbers.algebra))
      permi_values_normalise(&run->plan->numbers, target[k].value, target[k].count, target[k].exp2,
                             p & PERMI_CANCELS_STEPS ? NULL : &runner->sizes);
  }
  return status;
}

static int permi_class_run_open(permi_class_run *run, const permi_classes *plan, permi_control *control)
{
  const uint64_t none[PERMI_CLASS_WORDS] = {0};
  permi_pool *pool = &run->base.pool;
  permi_runner_begin(&run->base, &plan->owned.allocator, control, "classes");
  run->plan = plan;
  run->shares = plan->most >= PERMI_CLASS_SHARED ? PERMI_CLASS_SHARES : 1;
  run->bytes = 8 * permi_numbers_words(&plan->numbers);
  const size_t shares = (size_t)run->shares;
  for (int k = 0; k < 2; k++)
    run->list[k] = (permi_class_list *)permi_pool_zeros(pool, shares, sizeof(permi_class_list));
  run->takes = (permi_class_takes *)permi_pool_zeros(pool, shares * shares, sizeof *run->takes);
  run->status = (perm_status *)permi_pool_zeros(pool, shares, sizeof *run->status);
  if (pool->failed || permi_class_find(run, run->list[0], none) != 0)
    return 0;
  permi_value_one(&plan->numbers, run->list[0]->value);
  return 1;
}

static void permi_class_run_close(permi_class_run *run)
{
  for (int k = 0; run->takes && k < run->shares * run->shares; k++)
    permi_release(&run->base.locked, run->takes[k].take);
  for (int which = 0; which < 2; which++)
    for (int k = 0; run->list[which] && k < run->shares; k++) {
      permi_release(&run->base.locked, run->list[which][k].key);
      permi_release(&run->base.locked, run->list[which][k].value);
      permi_release(&run->base.locked, run->list[which][k].exp2);
      permi_release(&run->base.locked, run->list[which][k].place);
    }
  permi_pool_release(&run->base.pool);
}

static perm_status permi_classes_task(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_classes *plan = (const permi_classes *)leaf->context;
  permi_class_run run;
  perm_status status = PERM_ERROR_MEMORY;
  memset(&run, 0, sizeof run);
  if (permi_class_run_open(&run, plan, control))
    status = permi_runner_go(&run.base, 0, plan->steps, permi_class_advance);
  if (status == PERM_OK) {
    const permi_class_list *last = run.list[plan->steps & 1];
    run.base.sizes.exp2 = last->count ? last->exp2[0] : 0;
    permi_runner_finish(&run.base, &plan->numbers, last->count ? last->value : NULL, plan->lost_error, partial);
  }
  permi_class_run_close(&run);
  return status;
}

/* ================================================================================== >>classes_order */

/* The vertex that leaves the fewest classes goes next. Of several the first attempt takes the one with the most
   neighbours that came, the second the one with the fewest (docs/engines.md). */
PERMI_NEVER_INLINE static int permi_class_choose(permi_class_build *build, int attempt)
{
  int chosen = -1, least = INT_MAX;
  uint64_t best = 0;
  for (int v = 0; v < 2 * build->block->n; v++) {
    const int own = v >= build->block->n, side = 1 - own;
    const permi_class *mine = &build->list[build->number[v]];
    int classes = build->actives[own] - (build->number[v] > 1 && mine->size == 1), fresh = build->open[v];
    if (build->gone[v])
      continue;
    for (int k = 0; k < build->actives[side] && classes <= least; k++) {
      const permi_class *c = &build->list[build->active[side][k]];
      const size_t at = (size_t)v * PERMI_CLASSES + (size_t)c->slot;
      const int met = build->met[at], odd = build->odd[at];
      fresh -= met;
      classes += (met > odd) + (odd > 0) + (c->size > met);
    }
    classes += fresh > 0;
    const uint64_t turn = attempt < 2 ? (uint64_t)v : permi_hash((uint64_t)attempt, (uint64_t)v) >> 32;
    const uint64_t rank = (uint64_t)(attempt & 1 ? build->open[v] : build->block->n - build->open[v]) << 32 | turn;
    if (classes < least || (classes == least && rank < best)) {
      chosen = v;
      least = classes;
      best = rank;
    }
  }
  permi_watch(build->watch, (5.0 + 2 * (build->actives[0] + build->actives[1])) * build->block->n);
  return chosen;
}

static void permi_class_ratio(const permi_block *block, int e, const double *z, double *ratio)
{
  const double x = block->integer ? (double)block->integer[e] : block->real[e], norm = z[0] * z[0] + z[1] * z[1];
  const double y = block->imaginary_integer ? (double)block->imaginary_integer[e]
                   : block->imaginary       ? block->imaginary[e]
                                            : 0;
  ratio[0] = (x * z[0] + y * z[1]) / norm;
  ratio[1] = (y * z[0] - x * z[1]) / norm;
}

static int permi_class_near(const double *x, const double *y)
{
  return fabs(x[0] - y[0]) + fabs(x[1] - y[1]) <= 1e-12 * (fabs(x[0]) + fabs(x[1]));
}

/* Marks the entries that are not a factor of the row times a factor of the column, if most are. The longest row gives
   the columns' factors, then majority votes both. */
PERMI_NEVER_INLINE static int permi_class_vote(permi_class_build *build)
{
  const permi_block *block = build->block;
  const int n = block->n;
  double(*scale)[2] = (double(*)[2])permi_pool_get(&build->pool, 2 * (size_t)n, sizeof *scale), ratio[2];
  int v, e, pass, most = 0;
  memset(build->uncommon, 0, (size_t)block->edges);
  for (e = 1; e < block->edges && permi_entries_equal(block, e, 0); e++)
    ;
  if (!scale || e >= block->edges)
    return scale != NULL;
  for (v = 0; v < 2 * n; v++) {
    scale[v][0] = 1;
    scale[v][1] = 0;
    most = v < n && block->start[v + 1] - block->start[v] > block->start[most + 1] - block->start[most] ? v : most;
  }
  for (e = block->start[most]; e < block->start[most + 1]; e++)
    permi_class_ratio(block, block->edge[e], scale[most], scale[block->neighbour[e]]);
  for (pass = 0; pass < 3; pass++)
    for (v = pass == 1 ? n : 0; v < (pass == 1 ? 2 * n : n); v++) {
      double kept[2] = {1, 0};
      int votes = 0;
      for (e = block->start[v]; e < block->start[v + 1]; e++) {
        permi_class_ratio(block, block->edge[e], scale[block->neighbour[e]], ratio);
        if (pass == 2)
          build->uncommon[block->edge[e]] = (unsigned char)!permi_class_near(ratio, scale[v]);
        else if (votes && !permi_class_near(ratio, kept))
          votes--;
        else if (!votes++)
          memcpy(kept, ratio, sizeof kept);
      }
      if (pass < 2)
        memcpy(scale[v], kept, sizeof kept);
    }
  permi_watch(build->watch, 40.0 * block->edges);
  return 1;
}

/* Returns PERM_ERROR_LIMIT if the plan has over `most` ways or too many classes, or if its search is stopped or takes
   longer than `patience`. */
static perm_status permi_classes_create(const permi_block *block, const permi_classes *like, int attempt, double most,
                                        double patience, permi_control *watch, permi_classes *plan)
{
  const int doubled = permi_algebra_is_dd(like->numbers.algebra);
  permi_pool *pool = &plan->owned.pool;
  permi_class_build build;
  plan->numbers = like->numbers;
  plan->lost_error = like->lost_error;
  permi_class_build_begin(&build, plan, block, watch, doubled, most);
  if (build.status == PERM_OK && !permi_class_vote(&build))
    build.status = PERM_ERROR_MEMORY;
  while (build.status == PERM_OK && build.taken < plan->steps) {
    permi_class_take_away(&build, permi_class_choose(&build, attempt));
    if (watch->worked > patience || permi_watch(watch, 0))
      build.status = build.status == PERM_OK ? PERM_ERROR_LIMIT : build.status;
  }
  perm_status status = build.status;
  permi_class_part *part = plan->part;
  permi_class_limit *limit = plan->limit;
  if (status == PERM_OK) {
    plan->numbered = build.numbered;
    plan->class_of = (permi_class *)permi_pool_kept(pool, build.list, (size_t)build.numbered, sizeof *build.list);
    plan->part = (permi_class_part *)permi_pool_kept(pool, part, (size_t)build.parts, sizeof *part);
    plan->limit = (permi_class_limit *)permi_pool_kept(pool, limit, (size_t)build.limits, sizeof *limit);
    status = pool->failed ? PERM_ERROR_MEMORY : permi_class_fields(plan) ? PERM_OK : PERM_ERROR_LIMIT;
  }
  permi_release(build.pool.allocator, part);
  permi_release(build.pool.allocator, limit);
  permi_release(build.pool.allocator, build.list);
  permi_pool_release(&build.pool);
  for (int p = 0; p < plan->steps && status == PERM_OK; p++) {
    const double before = p ? plan->step[p - 1].states : 1;
    plan->step[p].done = plan->cost;
    plan->cost += before * (1 + plan->step[p].parts);
    plan->step[p].ways = fmin(plan->step[p].ways, before);
  }
  return status;
}

#define PERMI_CLASS_ATTEMPTS 12
static double permi_classes_finding(const permi_block *block)
{
  const double vertices = 2.0 * block->n;
  return PERMI_CLASS_PLAN_SECONDS * (vertices * vertices + 8.0 * block->edges);
}

#define PERMI_CLASS_WORTH 7 /* times the search: the least that a rival must take */
static perm_status permi_classes_least(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  (void)maker, (void)rival;
  offer->least = fmax(offer->least, PERMI_CLASS_WORTH * permi_classes_finding(block));
  return PERM_OK;
}

static perm_status permi_classes_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const permi_working *working = maker->working;
  const double begin = maker->watch->worked, finding = permi_classes_finding(block);
  const int named = maker->options->method == PERM_METHOD_TWINS;
  const double worth = named ? PERMI_CLASS_NAMED_SECONDS
                             : fmin(PERMI_SEARCH_SHARE * rival, PERMI_ORDER_PLAN_SECONDS * block->edges);
  permi_classes like, *best = NULL, *plan;
  perm_status status = PERM_OK;
  double each, key, value, ways = 1;
  int attempt, p, doubled = permi_sparse_doubled(maker->options);
  if (finding > worth)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "would take %s to look for classes", permi_time_words(finding).text);
  memset(&like, 0, sizeof like);
  if (!permi_numbers_choose_moduli(&like.numbers, block, working->modulus, doubled))
    return permi_refuse_long(offer);
  like.lost_error = working->lost_error;
  each = PERMI_CLASS_WAY_SECONDS + PERMI_WORD_SECONDS * (double)permi_numbers_words(&like.numbers) *
                                       like.numbers.parts *
                                       (like.numbers.algebra == PERMI_RESIDUES ? PERMI_RESIDUE_WORDS : 1);
  for (attempt = 0; attempt < PERMI_CLASS_ATTEMPTS && status != PERM_ERROR_MEMORY; attempt++) {
    const double most = fmin(best ? best->cost : rival / each, PERMI_ORDER_START);
    plan = (permi_classes *)permi_owned_new(allocator, sizeof *plan);
    status = plan ? permi_classes_create(block, &like, attempt, most, begin + 1e9 * worth, maker->watch, plan)
                  : PERM_ERROR_MEMORY;
    if (status == PERM_OK && (!best || plan->cost < best->cost)) {
      permi_classes *swap = best;
      best = plan;
      plan = swap;
    }
    permi_owned_release(allocator, plan);
    if (best ? PERMI_CLASS_AGAIN * 1e9 * best->cost * each < maker->watch->worked - begin : attempt > 0)
      break;
  }
  maker->account->begin += maker->watch->worked - begin; /* other orders do not depend on it */
  offer->plan = best;
  if (status == PERM_ERROR_MEMORY)
    return permi_fail_memory(maker->result);
  if (!best)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "has too few proportional lines in the orders that were tried%s",
                        rival < (double)INFINITY ? ", for no longer than another engine takes" : "");
  best->bound_relative = permi_classes_bound(best, block, permi_entry_roundings(working, working->n));
  best->each = each;
  best->seconds = best->cost * each + best->steps * PERMI_ROW_SECONDS;
  offer->seconds = best->seconds;
  key = 8.0 * best->words;
  value = 8.0 * (double)permi_numbers_words(&best->numbers);
  for (p = 0; p < best->steps; p++)
    ways = fmax(ways, best->step[p].parts + 1);
  offer->bytes =
      1.5 * (2 * best->most * (key + value + 16) +
             fmin(best->most, PERMI_CLASS_SHARES * PERMI_CLASS_ROUND) * ways * (key + 8)) +
      (double)best->numbered * sizeof(permi_class) + (double)best->steps * sizeof(permi_class_step) + 65536;
  return PERM_OK;
}

static size_t permi_classes_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_classes *plan = (const permi_classes *)leaf->context;
  return permi_say(buffer, size,
                   "classes, order %d: vertices with proportional entries ahead are counted, the largest "
                   "product of (number + 1) is %.3g; %d steps, at most %.3g states, about %.3g ways, "
                   "predicted %.3g s, %.3g bytes\n",
                   leaf->information.n, plan->product, plan->steps, plan->most, plan->cost,
                   leaf->information.seconds, leaf->information.bytes);
}

static uint64_t permi_classes_fingerprint(const permi_classes *plan, permi_control *watch)
{
  uint64_t hash = permi_hash(PERMI_HASH_START + 2, (uint64_t)plan->numbers.algebra);
  hash = permi_hash(permi_hash(hash, (uint64_t)plan->numbers.words), plan->numbers.modulus);
  for (int p = 0; p < plan->steps && !permi_watch_step(watch, (size_t)p, 60); p++) {
    const permi_class_step *step = &plan->step[p];
    hash = permi_hash(hash, (uint64_t)(int64_t)step->joins << 32 | (uint64_t)step->most);
    hash = permi_coefficient_hash(hash, &step->factor);
    for (int k = step->part; k < step->part + step->parts; k++) {
      const permi_class_part *part = &plan->part[k];
      hash = permi_hash(hash, (uint64_t)part->from << 32 | (uint64_t)part->into << 1 | (uint64_t)part->meets);
      hash = permi_coefficient_hash(permi_coefficient_hash(hash, &part->entry), &part->growth);
    }
    for (int k = step->limit; k < step->limit + step->limits; k++)
      hash = permi_hash(hash, (uint64_t)plan->limit[k].number << 32 | (uint64_t)plan->limit[k].most);
  }
  return hash;
}

static perm_status permi_classes_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                      permi_leaf *leaf)
{
  permi_classes *plan = (permi_classes *)offer->plan;
  const int doubled = permi_algebra_is_dd(plan->numbers.algebra) && !block->rounded;
  leaf->information.work = plan->cost;
  leaf->information.fingerprint = permi_classes_fingerprint(plan, maker->watch);
  permi_leaf_values(leaf, &plan->numbers, plan->bound_relative, doubled ? PERMI_DD_UNIT : PERMI_UNIT,
                    permi_classes_task, permi_classes_explain);
  leaf->threaded = plan->most >= PERMI_CLASS_SHARED;
  return PERM_OK;
}

/* ================================================================================== >>hybrid_layout
   Glynn's sum over columns' signs d,
       per A = 2^-(n-1) sum over d, d_last = +1, of prod_j d_j prod_i y_i(d),   y = A d,
   runs over outer columns. Inner columns are eliminated [Dec99]: a row is a table over the signs of its inner columns,
   and the product of the tables with an inner column is folded, f = f[+] - f[-]. Outer signs only shift the rows'
   bases, so one straight program serves vectors of patterns.

     slots       a number for each lane: n bases, then tables; bit b of an index is the sign of the b-th column
     constants   signed sums of a row's inner entries; row sum y = base + constant, exact on the grid of >>dense
     instructions  runs of statements; the factor with fewer columns is held for a group
     columns     inner | low, then high: a loop in Gray order, low ones run what they change | lanes | one fixed + */

typedef struct permi_arrangement {
  int transposed, inner, low;
  int order[64]; /* inner ones as eliminated, then outer ones from the fastest */
} permi_arrangement;

/* Prices, in a load, a product and a store. */
#define PERMI_WEIGHT_ROWS 1.0
#define PERMI_WEIGHT_FOLD 1.4
#define PERMI_WEIGHT_CHAIN 0.6
#define PERMI_HYBRID_SLOT_BUDGET 500
#define PERMI_HYBRID_KEPT_BUDGET 2000
#define PERMI_HYBRID_LOOK 6 /* columns compared */
#define PERMI_GPU_LOOK 12
#define PERMI_GPU_WEIGHT_FOLD 2.5 /* an fma of three registers takes a slot and a half */
#define PERMI_GPU_STATEMENTS 3000 /* programs of 4000 take a third longer */
#define PERMI_GPU_LEAST_OUTER (PERM_GPU_THREADS_LOG2 + 2)

typedef struct permi_hybrid_factor {
  uint32_t scope, dirty;
  int node;
} permi_hybrid_factor;

typedef enum permi_node_kind { PERMI_NODE_ROW, PERMI_NODE_MERGE, PERMI_NODE_FOLD, PERMI_NODE_CHAIN } permi_node_kind;
typedef struct permi_hybrid_node { /* right < 0: folds left only */
  permi_node_kind kind;
  int left, right;
  uint32_t all, scope, dirty; /* columns of the operands, of the result; low ones */
  int items; /* of the chain, of which there is one */
  int slot, persists; /* slot: of a row its first constant */
  int growth, halved, whole; /* see >>hybrid_program; whole: values are the numbers themselves */
  double size;               /* a bound on them */
} permi_hybrid_node;

#define PERMI_HYBRID_NODES 320
typedef struct permi_layouts {
  int n, budget, nodes, record;
  int gpu, most_low; /* gpu: prices of >>programs */
  int keeps;         /* 1: no slot is used again: >>derive_hybrid */
  int line_exp2[2][64];
  uint64_t column[2][64];
  int degree[2][64];
  double power[PERMI_HYBRID_INNER + 2], rate[1 << PERMI_HYBRID_LOW];
  permi_hybrid_factor factor[128];
  permi_hybrid_node node[PERMI_HYBRID_NODES]; /* n rows, then tables and chains */
  int item[192];
  double rows_a_step, units, calls, speed, rival;
  permi_arrangement first[2]; /* by orientation */
  double first_cost[2];       /* 0: not made */
  const permi_account *account;
  double scaled[PERM_MAX_N * PERM_MAX_N * 2];
} permi_layouts;

static void permi_layouts_make(permi_layouts *work, const permi_block *block)
{
  const int n = block->n;
  memset(work, 0, sizeof *work);
  work->n = n;
  for (int i = 0; i < n; i++)
    for (int e = block->start[i]; e < block->start[i + 1]; e++) {
      const int j = block->neighbour[e] - n;
      work->column[0][j] |= UINT64_C(1) << i;
      work->column[1][i] |= UINT64_C(1) << j;
      work->degree[0][j]++;
      work->degree[1][i]++;
    }
  for (int k = 0; k < PERMI_HYBRID_INNER + 2; k++)
    work->power[k] = ldexp(1, k);
}

static int permi_layout_node(permi_layouts *work, permi_node_kind kind, int left, int right, uint32_t all,
                             uint32_t scope, uint32_t dirty)
{
  const permi_hybrid_node node = {kind, left, right, all, scope, dirty, 0, 0, 0, 0, 0, 0, 0};
  if (!work->record)
    return work->n;
  work->node[work->n + work->nodes] = node;
  return work->n + work->nodes++;
}

/* Returns what a row's constants cost: on a CPU they are operands. */
static double permi_layout_row(const permi_layouts *work, const permi_hybrid_factor *f)
{
  return work->gpu && f->node < work->n ? work->power[permi_count_ones(f->scope)] : 0;
}

typedef struct permi_layout_sum {
  double cost, rows, live, most;
} permi_layout_sum;

static void permi_layout_replace(const permi_layouts *work, permi_layout_sum *sum, const permi_hybrid_factor *a,
                                 const permi_hybrid_factor *b, uint32_t dirty, double here)
{
  const double waiting = work->gpu ? 0.75 : 1;
  const double after = sum->live + waiting * here;
  sum->most = after > sum->most ? after : sum->most;
  if (work->keeps)
    b = NULL;
  else if (a->node >= work->n && a->dirty == dirty)
    sum->live -= work->power[permi_count_ones(a->scope)];
  if (b && b->node >= work->n && b->dirty == dirty)
    sum->live -= work->power[permi_count_ones(b->scope)];
  sum->live += here;
}

static double permi_layout_price(const permi_layouts *work, uint32_t scope, uint32_t dirty)
{
  return work->power[permi_count_ones(scope)] * work->rate[dirty];
}

static int permi_layout_merge(permi_layouts *work, permi_layout_sum *sum, permi_hybrid_factor *taken, int count)
{
  const int n = work->n;
  double own[64 + PERMI_HYBRID_INNER], floor = 0;
  for (int i = 0; i < count && count > 2; i++)
    own[i] = permi_layout_price(work, taken[i].scope, taken[i].dirty);
  while (count > 2) {
    double least = 1e300;
    int a = 0, b = 1;
    work->units += 20 + 1.2 * count * count;
    for (int i = 0; i < count && least > floor; i++) /* unions grow */
      for (int j = i + 1; j < count && own[i] < least; j++)
        if (own[j] < least) {
          const double here =
              permi_layout_price(work, taken[i].scope | taken[j].scope, taken[i].dirty | taken[j].dirty);
          if (here < least) {
            least = here;
            a = i;
            b = j;
          }
        }
    floor = least;
    const int second = taken[a].node < n && taken[b].node >= n;
    const permi_hybrid_factor *left = &taken[second ? b : a], *right = &taken[second ? a : b];
    permi_hybrid_factor result = {left->scope | right->scope, left->dirty | right->dirty, 0};
    sum->rows += least * ((left->node < n) + (right->node < n));
    sum->cost += least * (left->node < n ? PERMI_WEIGHT_ROWS : 1);
    sum->cost += permi_layout_row(work, left) + permi_layout_row(work, right);
    permi_layout_replace(work, sum, left, right, result.dirty, work->power[permi_count_ones(result.scope)]);
    result.node = permi_layout_node(work, PERMI_NODE_MERGE, left->node, right->node, result.scope, result.scope,
                                    result.dirty);
    taken[a] = result;
    own[a] = least;
    taken[b] = taken[--count];
    own[b] = own[count];
  }
  return count;
}

static permi_hybrid_factor permi_layout_fold(permi_layouts *work, permi_layout_sum *sum, permi_hybrid_factor *taken,
                                             int count, uint32_t bit)
{
  const int n = work->n;
  const int turned = count == 2 && taken[0].node < n;
  permi_hybrid_factor *first = &taken[turned], *second = count == 2 ? &taken[!turned] : NULL, result = *first;
  if (second) {
    result.scope |= second->scope;
    result.dirty |= second->dirty;
  }
  const double rate = work->rate[result.dirty];
  const double here = work->power[permi_count_ones(result.scope) - 1];
  sum->cost += rate * here * (!second ? 1 : work->gpu ? PERMI_GPU_WEIGHT_FOLD : PERMI_WEIGHT_FOLD);
  if (second)
    sum->cost += permi_layout_row(work, second);
  if (first->node < n) {
    const double table = permi_layout_price(work, first->scope, first->dirty);
    sum->cost += table;
    sum->rows += table;
    if (work->record)
      first->node = permi_layout_node(work, PERMI_NODE_MERGE, first->node, -1, first->scope, first->scope,
                                    first->dirty);
  }
  if (second)
    sum->rows += rate * here * 2 * (second->node < n);
  permi_layout_replace(work, sum, first, second, result.dirty, here);
  result.node = permi_layout_node(work, PERMI_NODE_FOLD, first->node, second ? second->node : -1, result.scope,
                                  result.scope & ~bit, result.dirty);
  result.scope &= ~bit;
  return result;
}

/* Returns weighted statements, or more than `limit`. The factors of an inner column are merged, the cheapest pair
   first; the last two are folded. */
static double permi_layout_cost(permi_layouts *work, const permi_arrangement *layout, double limit, int record)
{
  const int n = work->n, inner = layout->inner, low = layout->low, *order = layout->order;
  const uint64_t *column = work->column[layout->transposed];
  const int *degree = work->degree[layout->transposed];
  permi_hybrid_factor *factor = work->factor, scalar[64 + PERMI_HYBRID_INNER], taken[64 + PERMI_HYBRID_INNER], result;
  permi_layout_sum sum = {1, 0, work->gpu ? 0.0 : n, 0};
  int i, k, chain, factors = 0, scalars = 0;
  double outer = 0.5;
  uint32_t scope[64] = {0}, dirty[64] = {0};
  work->record = record;
  work->nodes = 0;
  work->units += 500 + 5 * n;
  work->calls++;
  for (k = 0; k < inner + low; k++) {
    uint64_t bits = column[order[k]];
    for (; bits; bits &= bits - 1)
      *(k < inner ? &scope[permi_trailing_zeros(bits)] : &dirty[permi_trailing_zeros(bits)]) |=
          UINT32_C(1) << (k < inner ? k : k - inner);
  }
  work->rate[0] = ldexp(1, -low);
  for (k = 0; k < low; k++)
    for (i = 0; i < 1 << k; i++)
      work->rate[(1 << k) + i] = work->rate[i] + ldexp(1, -k - 1);
  for (k = inner; k < n - 6; k++, outer /= 2)
    sum.cost += degree[order[k]] * outer;
  for (i = 0; i < n; i++) {
    const permi_hybrid_factor row = {scope[i], dirty[i], i};
    const permi_hybrid_node node = {PERMI_NODE_ROW, -1, -1, scope[i], scope[i], dirty[i], 0, 0, 0, 0, 0, 0, 0};
    *(scope[i] ? &factor[factors++] : &scalar[scalars++]) = row;
    if (record)
      work->node[i] = node;
  }
  for (k = 0; k < inner; k++) {
    const uint32_t bit = UINT32_C(1) << k;
    int count = 0, rest = 0;
    for (i = 0; i < factors; i++)
      if (factor[i].scope & bit)
        taken[count++] = factor[i];
      else
        factor[rest++] = factor[i];
    factors = rest;
    if (count == 0)
      return 0;
    count = permi_layout_merge(work, &sum, taken, count);
    result = permi_layout_fold(work, &sum, taken, count, bit);
    if (result.scope)
      factor[factors++] = result;
    else
      scalar[scalars++] = result;
    if (sum.cost > limit)
      return sum.cost;
  }
  chain = permi_layout_node(work, PERMI_NODE_CHAIN, -1, -1, 0, 0, (1u << low) - 1);
  sum.cost += work->gpu ? scalars - 1 : 1 + PERMI_WEIGHT_CHAIN * scalars;
  for (i = 0; i < scalars; i++) {
    sum.rows += scalar[i].node < n;
    work->item[i] = scalar[i].node;
  }
  work->node[chain].items = scalars;
  work->rows_a_step = sum.rows;
  sum.most = fmax(sum.most, sum.live);
  if (sum.most > work->budget)
    sum.cost *= (sum.most / work->budget) * (sum.most / work->budget);
  return sum.cost * fmax(1, sum.cost / (work->gpu ? PERMI_GPU_STATEMENTS : 8000));
}

static double permi_layout_total(permi_layouts *work, const permi_arrangement *layout, double limit)
{
  const double terms = ldexp(1, work->n - 1 - layout->inner), before = work->units;
  const double cost = terms * permi_layout_cost(work, layout, limit / terms, 0);
  return work->account && permi_watch(work->account->watch, work->units - before) ? (double)INFINITY : cost;
}

/* Returns how many moves annealing may make; small runs leave two thirds of the grant. */
static double permi_layout_moves(const permi_layouts *work, double cost)
{
  const double seconds = fmin(cost / work->speed, work->rival);
  const double own = 1e9 * fmax(PERMI_SEARCH_SHARE * seconds, 0.35 * work->account->least) - work->units;
  const double left = fmin(permi_account_free(work->account, seconds), 0.5e9 * seconds);
  return (work->budget < PERMI_HYBRID_SLOT_BUDGET ? left : fmin(own, left)) / (work->units / work->calls);
}

static void permi_layout_by_degree(const permi_layouts *work, permi_arrangement *layout, int first)
{
  const int *degree = work->degree[layout->transposed];
  int *order = layout->order, i, j;
  for (i = first + 1; i < work->n; i++) {
    const int key = order[i];
    for (j = i - 1; j >= first && degree[order[j]] > degree[key]; j--)
      order[j + 1] = order[j];
    order[j + 1] = key;
  }
}

static int permi_layout_most_inner(const permi_layouts *work)
{
  const int most = work->n - (work->gpu ? PERMI_GPU_LEAST_OUTER : work->n > 12 ? 6 : 1);
  return most < PERMI_HYBRID_INNER ? most : PERMI_HYBRID_INNER;
}

static void permi_layout_move(permi_arrangement *layout, int from, int to)
{
  const int moved = layout->order[from];
  for (; from < to; from++)
    layout->order[from] = layout->order[from + 1];
  for (; from > to; from--)
    layout->order[from] = layout->order[from - 1];
  layout->order[to] = moved;
}

static double permi_layout_greedy(permi_layouts *work, permi_arrangement *layout)
{
  const int n = work->n, most = permi_layout_most_inner(work);
  permi_arrangement best = *layout;
  double least = permi_layout_total(work, layout, (double)INFINITY), lead;
  int k, j, worse = 0;
  for (k = layout->inner; k < most && worse < 2; k++) {
    permi_arrangement choice = *layout;
    lead = (double)INFINITY;
    for (j = k; j < n && j < k + (work->gpu ? PERMI_GPU_LOOK : PERMI_HYBRID_LOOK); j++) {
      permi_arrangement trial = *layout;
      permi_layout_move(&trial, j, k);
      trial.inner = k + 1;
      const double cost = permi_layout_total(work, &trial, lead);
      if (cost < lead) {
        lead = cost;
        choice = trial;
      }
    }
    *layout = choice;
    worse = lead < least ? 0 : worse + 1;
    if (lead < least) {
      least = lead;
      best = choice;
    }
  }
  *layout = best;
  return least;
}

static double permi_layout_first(permi_layouts *work, int transposed, permi_arrangement *layout)
{
  layout->transposed = transposed;
  layout->inner = layout->low = 0;
  for (int k = 0; k < work->n; k++)
    layout->order[k] = k;
  permi_layout_by_degree(work, layout, 0);
  return permi_layout_greedy(work, layout);
}

static double permi_layouts_start(permi_layouts *work)
{
  for (int t = 0; t < 2 && work->first_cost[1] == 0; t++)
    work->first_cost[t] = permi_layout_first(work, t, &work->first[t]);
  return fmin(work->first_cost[0], work->first_cost[1]);
}

static double permi_layout_anneal(permi_layouts *work, permi_arrangement *layout, double cost, int moves,
                                  uint64_t *seed)
{
  const int n = work->n, most_inner = permi_layout_most_inner(work);
  const double hot = 0.05, cold = 0.004;
  permi_arrangement now = *layout;
  double current = cost, temperature = hot, cooling = pow(cold / hot, 1.0 / (moves > 1 ? moves : 1));
  for (int move = 0; move < moves; move++, temperature *= cooling) {
    permi_arrangement trial = now;
    const int inner = now.inner, kind = permi_order_below(seed, work->gpu ? 15 : 32);
    int a, b;
    if (kind < 5 && inner > 1) { /* moves an inner column */
      a = permi_order_below(seed, inner);
      b = permi_order_below(seed, inner);
    } else if (kind < 8 && inner < most_inner && inner + now.low < n - 1) { /* adds an inner column */
      a = inner + permi_order_below(seed, n - inner);
      b = permi_order_below(seed, inner + 1);
      trial.inner++;
    } else if (kind < 10 && inner > 0) { /* drops one */
      a = permi_order_below(seed, inner);
      b = n - 1;
      trial.inner--;
    } else if (kind == 10 && work->most_low) {
      trial.low = permi_clamp(permi_order_below(seed, work->most_low + 1), 0, n - 1 - inner);
      a = b = inner;
    } else {
      if (inner == 0)
        continue;
      a = permi_order_below(seed, inner + now.low);
      b = permi_order_below(seed, n);
      trial.order[a] = now.order[b];
      trial.order[b] = now.order[a];
      a = b;
    }
    permi_layout_move(&trial, a, b);
    if (work->account && permi_watch(work->account->watch, 0))
      break;
    const double limit = current * exp(-temperature * log(permi_order_random(seed) + 1e-300));
    const double price = permi_layout_total(work, &trial, limit);
    if (price <= limit) {
      current = price;
      now = trial;
      if (price < cost) {
        cost = price;
        *layout = trial;
        if (work->account && moves - move > permi_layout_moves(work, cost)) {
          moves = move + (int)fmax(permi_layout_moves(work, cost), 1);
          cooling = pow(cold / temperature, 1.0 / (moves - move));
        }
      }
    }
  }
  return cost;
}

PERMI_BRIEF_BEGIN

/* ================================================================================= >>hybrid_program
   A layout made into a straight program. */

typedef struct permi_hybrid_maker {
  permi_layouts *work;
  permi_arrangement *layout;
  permi_hybrid *hybrid;
  const perm_allocator *allocator;
  unsigned char busy[PERMI_HYBRID_SLOTS];
  int sequence[PERMI_HYBRID_NODES], evaluated, failed;
  struct permi_growths *growths; /* of whole numbers, else NULL */
} permi_hybrid_maker;

/* Places other than multiples of count fragment the slots. */
static int permi_maker_slots(permi_hybrid_maker *maker, int count)
{
  permi_hybrid *hybrid = maker->hybrid;
  int s, k;
  if (maker->work->keeps && hybrid->slot_count + count + hybrid->constants <= PERMI_HYBRID_KEPT) {
    hybrid->slot_count += count;
    return hybrid->slot_count - count;
  }
  for (s = 0; s + count <= PERMI_HYBRID_SLOTS && !maker->work->keeps; s += count) {
    for (k = s; k < s + count && !maker->busy[k]; k++)
      ;
    if (k < s + count)
      continue;
    memset(maker->busy + s, 1, (size_t)count);
    hybrid->slot_count = k > hybrid->slot_count ? k : hybrid->slot_count;
    return s;
  }
  maker->failed = 1;
  return 0;
}

static permi_hybrid_node *permi_maker_child(permi_hybrid_maker *maker, const permi_hybrid_node *node, int k, int *at)
{
  *at = node->kind == PERMI_NODE_CHAIN ? maker->work->item[k] : k ? node->right : node->left;
  return *at < maker->work->n ? NULL : &maker->work->node[*at];
}

static int permi_maker_children(const permi_hybrid_node *node)
{
  return node->kind == PERMI_NODE_CHAIN ? node->items : 2;
}

/* Orders nodes depth first, so that few tables wait. `given`: slots are the parent's. */
static void permi_maker_visit(permi_hybrid_maker *maker, permi_hybrid_node *node, int number, int given)
{
  const int children = permi_maker_children(node);
  permi_hybrid_node *child, *place = NULL;
  int k, index, swap = 0;
  if (node->kind != PERMI_NODE_CHAIN) {
    permi_hybrid_node *left = permi_maker_child(maker, node, 0, &index);
    const permi_hybrid_node *right = permi_maker_child(maker, node, 1, &index);
    swap = left && right && permi_count_ones(right->all) > permi_count_ones(left->all);
    if (node->kind == PERMI_NODE_MERGE && left && !left->persists && left->scope == node->scope)
      place = left;
    if (place && given)
      place->slot = node->slot;
  }
  for (k = 0; k < children; k++) {
    child = permi_maker_child(maker, node, k ^ swap, &index);
    if (child)
      permi_maker_visit(maker, child, index, child->persists || (given && child == place));
  }
  if (!given)
    node->slot = place ? place->slot : permi_maker_slots(maker, 1 << permi_count_ones(node->scope));
  for (k = 0; k < children; k++) {
    child = permi_maker_child(maker, node, k, &index);
    if (child && !child->persists && child != place)
      memset(maker->busy + child->slot, 0, (size_t)1 << permi_count_ones(child->scope));
  }
  maker->sequence[maker->evaluated++] = number;
}

/* Returns 0, *failed 1 (too many) or 2 (no memory). */
static int permi_append(const perm_allocator *allocator, void **array, int *used, int *room, const void *item,
                        size_t size, int most, int *failed)
{
  if (!*failed && *used >= most)
    *failed = 1;
  if (!*failed && !permi_grow(allocator, array, *used, room, size))
    *failed = 2;
  if (*failed)
    return 0;
  memcpy((char *)*array + (size_t)(*used)++ * size, item, size);
  return 1;
}

static void permi_maker_statement(permi_hybrid_maker *maker, int out, int p, int q, int h, int g)
{
  permi_hybrid *hybrid = maker->hybrid;
  const permi_statement statement = {(uint16_t)out, (uint16_t)p, (uint16_t)q, (uint16_t)h, (uint16_t)g};
  permi_append(maker->allocator, (void **)&hybrid->statement, &hybrid->statements, &hybrid->statement_room, &statement,
               sizeof statement, PERMI_HYBRID_STATEMENTS, &maker->failed);
}

static int permi_pack_bits(uint32_t x, uint32_t mask)
{
  int packed = 0, at = 0;
  for (; mask; mask &= mask - 1, at++)
    packed |= (x & mask & (0 - mask)) ? 1 << at : 0;
  return packed;
}

static int permi_maker_at(permi_hybrid_maker *maker, int index, uint32_t setting)
{
  const permi_hybrid_node *node = &maker->work->node[index];
  const int at = node->slot + permi_pack_bits(setting, node->scope);
  return index < maker->work->n ? at : permi_hybrid_line(at);
}

/* ---- growth of whole numbers
   Tables of integers are exact in doubles while products are below 2^53; beyond PERMI_GROWTH_CAP residues stand for
   them, modulo a prime near 2^47 or an odd number from 2^47 / 3 to 2^47. Exact differences are even, and halves are
   kept. Products up to 2^52 are reduced from one double, longer ones from two (docs/proofs-rounding.md; by machine 2 to
   4: tests/proofs/hybrid.g). */
#define PERMI_GROWTH_CAP 225179981368524.0       /* 0.8 2^48 */
#define PERMI_GROWTH_SHORT 4503599627370496.0    /* 2^52 */
#define PERMI_GROWTH_EXACT 9007199254740992.0    /* 2^53 */
#define PERMI_GROWTH_HALF 70368744177665.0       /* 2^46 + 1 */
typedef struct permi_growths {
  double modulus[64][PERMI_HYBRID_INNER]; /* of entries of inner columns */
  double outer[64]; /* sums of moduli of outer entries */
  double table[PERMI_HYBRID_SLOTS][2];    /* of values; with + for - */
  int item[192];                          /* growth of chains' products */
  int halvings, most_halvings;
  double cap;
} permi_growths;

static double permi_growth_size(permi_hybrid_maker *maker, int index, int *whole)
{
  *whole &= maker->work->node[index].whole;
  return maker->work->node[index].size;
}

static void permi_growth_at(permi_hybrid_maker *maker, int index, uint32_t setting, double *x)
{
  const permi_growths *growths = maker->growths;
  const permi_hybrid_node *node = &maker->work->node[index];
  if (node->kind != PERMI_NODE_ROW) {
    memcpy(x, growths->table[node->slot + permi_pack_bits(setting, node->scope)], 2 * sizeof *x);
    return;
  }
  x[0] = growths->outer[index];
  x[1] = node->size;
  for (int k = 0; k < maker->hybrid->inner; k++)
    x[0] += setting >> k & 1 ? -growths->modulus[index][k] : growths->modulus[index][k];
}

static double permi_growth_table(permi_hybrid_maker *maker, const permi_hybrid_node *node, double half)
{
  double (*table)[2] = maker->growths->table + node->slot, size = 0;
  for (int k = 0; k < 1 << permi_count_ones(node->scope); k++) {
    double sum[2] = {0, 0};
    for (int side = 0; side < (node->kind == PERMI_NODE_FOLD ? 2 : 1); side++) {
      const uint32_t setting = (uint32_t)permi_deposit_bits((unsigned)k, node->scope) |
                               (side ? node->all & ~node->scope : 0);
      double x[2], product[2] = {half, half};
      for (int factor = 0; factor < (node->right < 0 ? 1 : 2); factor++) {
        permi_growth_at(maker, factor ? node->right : node->left, setting, x);
        product[0] *= x[0];
        product[1] *= x[1];
      }
      sum[0] += side ? -product[0] : product[0];
      sum[1] += product[1];
    }
    memcpy(table[k], sum, sizeof sum);
    if (k == 0)
      size = (sum[0] + 2e-12 * sum[1]) * (1 + 1e-12);
  }
  return size;
}

/* Returns how a product, or a difference of two, of size x grows; *size: the result's. */
static int permi_growth_kind(double x, int folds, double *size)
{
  if (x <= PERMI_GROWTH_CAP) {
    *size = x;
    return PERMI_GROWS_NOT;
  }
  *size = PERMI_GROWTH_HALF;
  if (x <= PERMI_GROWTH_SHORT)
    return PERMI_GROWS_SHORT;
  *size += ldexp(x, -51) + (folds ? ldexp(1.25, 46) : ldexp(1, 44));
  return PERMI_GROWS_LONG;
}

static void permi_growth_chain(permi_hybrid_maker *maker, permi_hybrid_node *node)
{
  permi_growths *growths = maker->growths;
  double *table = growths->table[node->slot];
  node->whole = 1;
  node->size = 1;
  for (int k = 0; k < node->items; k++) {
    const int item = maker->work->item[k];
    double size = node->size * permi_growth_size(maker, item, &node->whole) * (1 + 1e-12);
    growths->item[k] = PERMI_GROWS_NOT;
    if (k > 0 && !(node->whole && size <= growths->cap))
      growths->item[k] = permi_growth_kind(size, 0, &size);
    node->whole &= growths->item[k] == PERMI_GROWS_NOT;
    node->size = size;
  }
  table[0] = table[1] = node->size;
}

static void permi_growth_node(permi_hybrid_maker *maker, permi_hybrid_node *node)
{
  permi_growths *growths = maker->growths;
  const int folds = node->kind == PERMI_NODE_FOLD, halves = folds && growths->halvings < growths->most_halvings;
  node->growth = node->halved = 0;
  if (node->kind == PERMI_NODE_CHAIN) {
    permi_growth_chain(maker, node);
    return;
  }
  node->whole = 1;
  double product = permi_growth_size(maker, node->left, &node->whole) * (1 + 1e-12);
  if (node->right >= 0)
    product *= permi_growth_size(maker, node->right, &node->whole);
  node->whole &= product <= PERMI_GROWTH_EXACT;
  if (node->whole) {
    node->size = permi_growth_table(maker, node, halves ? 0.5 : 1);
    node->whole = node->size <= growths->cap;
    node->halved = node->whole && halves;
    growths->halvings += node->halved;
  }
  if (!node->whole) {
    node->growth = permi_growth_kind(folds ? 2 * product : product, folds, &node->size);
    memset(growths->table[node->slot], 0, sizeof growths->table[0] << permi_count_ones(node->scope));
  }
}

static int permi_growth_decide(permi_hybrid_maker *maker, double cap, const permi_hybrid_node *root)
{
  int k, whole = 1;
  for (k = 0; k < maker->work->n; k++)
    whole &= maker->work->node[k].whole;
  maker->growths->cap = cap;
  maker->growths->halvings = 0;
  for (k = 0; k < maker->evaluated; k++) {
    permi_hybrid_node *node = &maker->work->node[maker->sequence[k]];
    permi_growth_node(maker, node);
    whole &= node->whole;
  }
  return whole && root->size <= PERMI_GROWTH_EXACT;
}

static void permi_maker_emit(permi_hybrid_maker *maker, int index)
{
  const permi_hybrid_node *nodes = maker->work->node, *node = &nodes[index];
  const int n = maker->work->n, size = 1 << permi_count_ones(node->scope);
  const uint32_t folded = node->all & ~node->scope;
  int moving = node->left, held = node->right, k;
  permi_hybrid *hybrid = maker->hybrid;
  permi_opcode opcode;
  if (node->kind == PERMI_NODE_CHAIN)
    opcode = PERMI_OP_CHAIN;
  else if (node->kind == PERMI_NODE_MERGE)
    opcode = held < 0 ? PERMI_OP_ROW : moving < n ? PERMI_OP_ROWS : held < n ? PERMI_OP_TIMES_ROW : PERMI_OP_TIMES;
  else
    opcode = held < 0 ? PERMI_OP_DIFFERENCE : held < n ? PERMI_OP_FOLD_ROW : PERMI_OP_FOLD;
  if (held >= 0 && (held >= n || moving < n) &&
      permi_count_ones(nodes[held].scope) > permi_count_ones(nodes[moving].scope)) {
    held = moving;
    moving = node->right;
  }
  const uint32_t slow = node->scope & (held < 0 ? 0 : nodes[held].scope);
  const uint32_t fast = node->scope & ~slow;
  const int row = permi_hybrid_line(opcode == PERMI_OP_ROW ? moving : held >= 0 && held < n ? held : 0);
  const permi_instruction operation = {
      (uint16_t)opcode, (uint16_t)row, (uint16_t)permi_hybrid_line(opcode == PERMI_OP_ROWS ? moving : 0),
      (uint16_t)(1 << permi_count_ones(fast)), hybrid->statements, opcode == PERMI_OP_CHAIN ? node->items : size,
      node->growth, node->halved, node->dirty | PERMI_HYBRID_ALL};
  permi_append(maker->allocator, (void **)&hybrid->operation, &hybrid->operations, &hybrid->operation_room, &operation,
               sizeof operation, INT_MAX, &maker->failed);
  for (k = 0; k < node->items; k++) { /* of a chain */
    const int item = maker->work->item[k];
    permi_maker_statement(maker, permi_hybrid_line(node->slot), permi_hybrid_line(item < n ? item : nodes[item].slot),
                          maker->growths ? maker->growths->item[k] : 0, 0, 0);
  }
  for (k = 0; k < size && opcode != PERMI_OP_CHAIN; k++) {
    const uint32_t plus = (uint32_t)(permi_deposit_bits((unsigned)k, fast) |
                                     permi_deposit_bits((unsigned)(k >> permi_count_ones(fast)), slow));
    const uint32_t minus = plus | folded;
    const int p = permi_maker_at(maker, moving, plus), q = permi_maker_at(maker, moving, minus);
    const int h = held < 0 ? 0 : permi_maker_at(maker, held, plus);
    const int g = held < 0 ? 0 : permi_maker_at(maker, held, minus);
    const int out = permi_maker_at(maker, index, plus);
    if (opcode == PERMI_OP_ROW)
      permi_maker_statement(maker, out, 0, 0, p, 0);
    else
      permi_maker_statement(maker, out, p, q, h, g);
  }
}

static void permi_maker_plan(permi_hybrid_maker *maker)
{
  const int n = maker->work->n, root = n + maker->work->nodes - 1;
  permi_hybrid_node *const node = &maker->work->node[root];
  maker->hybrid->slot_count = n;
  memset(maker->busy, 1, (size_t)n);
  for (const permi_hybrid_node *parent = &maker->work->node[n]; parent <= node; parent++)
    for (int k = 0, index; k < permi_maker_children(parent); k++) {
      permi_hybrid_node *child = permi_maker_child(maker, parent, k, &index);
      if (child && (child->persists = maker->work->keeps || child->dirty != parent->dirty) != 0)
        child->slot = permi_maker_slots(maker, 1 << permi_count_ones(child->scope));
    }
  permi_maker_visit(maker, node, root, 0);
  if (maker->growths) {
    maker->hybrid->grows = !permi_growth_decide(maker, PERMI_GROWTH_EXACT, node);
    if (maker->hybrid->grows)
      permi_growth_decide(maker, PERMI_GROWTH_CAP, node);
    maker->hybrid->halvings = maker->growths->halvings;
  }
}

/* ==================================================================================== >>hybrid_leaf
   A program with its matrix: rounding, search, price. */

/* A run modulo a prime; without primes all numbers are exact. */
typedef struct permi_hybrid_run {
  permi_odd_modulus prime;
  uint64_t root;        /* stands for i; 0: all entries are real */
  permi_hybrid *tables; /* bases and constants of this run, or NULL */
  uint64_t *factor;     /* product of the other primes */
} permi_hybrid_run;

typedef struct permi_hybrid_runs {
  permi_hybrid_run *run; /* of each prime; for Gaussian integers again, with the other root */
  uint64_t *factor;
  int primes, passes, words;
  uint64_t modulus, stand_in; /* the caller's; what runs for all primes, or 0 */
  double bits;      /* of the permanent's bound */
} permi_hybrid_runs;

static void permi_hybrid_release(const perm_allocator *allocator, void *context)
{
  permi_hybrid *hybrid = (permi_hybrid *)context;
  permi_hybrid_runs *runs = hybrid ? hybrid->runs : NULL;
  if (!hybrid)
    return;
  for (int k = 0; runs && runs->run && k < runs->passes; k++)
    permi_hybrid_release(allocator, runs->run[k].tables);
  if (runs) {
    permi_release(allocator, runs->run);
    permi_release(allocator, runs->factor);
  }
  permi_release(allocator, runs);
  permi_code_drop(allocator, hybrid);
  permi_release(allocator, hybrid->operation);
  permi_release(allocator, hybrid->statement);
  permi_release(allocator, hybrid->constant);
  permi_release(allocator, hybrid->start);
  permi_release(allocator, hybrid);
}

typedef struct permi_hybrid_rows {
  int n;
  double number[64][64][4];
  double modulus[64][64], lost[64][64];
  double lost_square[64], square[64], below[64], below_square[64]; /* below: second words */
  double sum[64], unit[64];
} permi_hybrid_rows;

/* a: [n][n][1, complex 2]; columns by `order` unless NULL. */
static void permi_hybrid_row(permi_hybrid_rows *rows, permi_hybrid_algebra algebra, const double *a, const int *order,
                             int i)
{
  const int n = rows->n, width = permi_hybrid_is_complex((int)algebra) ? 2 : 1;
  const int doubled = permi_hybrid_is_doubled((int)algebra), parts = doubled ? 2 * width : width;
  double row[2][64] = {{0}};
  for (int k = 0; k < n; k++)
    for (int p = 0; p < width; p++)
      row[p][k] = a[(i * n + (order ? order[k] : k)) * width + p];
  const double power = fmax(permi_grid_power(row[0], n), permi_grid_power(row[1], n));
  for (int k = 0; k < n; k++) {
    double *number = rows->number[i][k], lost[2] = {0, 0}, below[2] = {0, 0};
    double *modulus = &rows->modulus[i][k], *gone = &rows->lost[i][k];
    memset(number, 0, sizeof rows->number[i][k]);
    for (int p = 0; p < width; p++) {
      double *word = number + p * parts / width;
      word[0] = permi_to_grid(row[p][k], power);
      if (doubled)
        word[1] = below[p] = permi_to_grid(row[p][k] - word[0], ldexp(power, -PERMI_GRID_LOW_BITS));
      lost[p] = row[p][k] - word[0] - below[p];
    }
    *modulus = permi_modulus(number[0], width == 2 ? number[parts / 2] : 0);
    *gone = permi_modulus(lost[0], lost[1]);
    rows->square[i] += *modulus * *modulus;
    rows->lost_square[i] += *gone * *gone;
    rows->below[i] += permi_modulus(below[0], below[1]) * (1 + 1e-12);
    rows->below_square[i] += below[0] * below[0] + below[1] * below[1];
    for (int p = 0; p < parts; p++)
      if (number[p] != 0) {
        const double step = permi_unit_of(number[p]);
        rows->sum[i] += fabs(number[p]);
        rows->unit[i] = rows->unit[i] > 0 ? fmin(rows->unit[i], step) : step;
      }
  }
}

/* Returns a row's factor of [Bre73]'s bound, and sorts x: a sum of (x_k - x_k+1) times 0/1 rows with k ones. */
static double permi_bregman_row(double *x, int n)
{
  double sum = 0, before = 0, factorial = 0;
  int i, k;
  for (i = 1; i < n; i++) {
    const double move = x[i];
    for (k = i; k > 0 && x[k - 1] < move; k--)
      x[k] = x[k - 1];
    x[k] = move;
  }
  for (k = 1; k <= n && x[k - 1] > 0; k++) {
    factorial += log((double)k);
    const double root = exp(factorial / k);
    sum += x[k - 1] * (root - before);
    before = root;
  }
  return sum;
}

/* Returns log2 of that bound by rows or, if `turned`, columns; share[i]: row i's losses over it. */
static double permi_hybrid_majorant(const permi_hybrid_rows *rows, int turned, double *share)
{
  double scale[2][64], x[64], bound = 0; /* of rows, of columns */
  const int n = rows->n;
  for (int i = 0; i < n; i++)
    scale[0][i] = scale[1][i] = 1;
  for (int turn = 0; turn < 16; turn++) /* towards line sums of 1 [Sin64], where the bound is good */
    for (int i = 0; i < n; i++) {
      const int by_columns = turn & 1;
      double sum = 0;
      for (int j = 0; j < n; j++)
        sum += (by_columns ? rows->modulus[j][i] : rows->modulus[i][j]) * scale[!by_columns][j];
      if (sum > 0)
        scale[by_columns][i] = 1 / sum;
    }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      x[j] = turned ? rows->modulus[j][i] * scale[0][j] * scale[1][i] : rows->modulus[i][j] * scale[0][i] * scale[1][j];
    const double size = permi_bregman_row(x, n);
    bound += log2(size) - log2(scale[0][i]) - log2(scale[1][i]);
    for (int j = 0; j < n && share; j++)
      x[j] = rows->lost[i][j] * scale[0][i] * scale[1][j];
    if (share)
      share[i] = permi_bregman_row(x, n) / size;
  }
  return bound;
}

/* Estimates what roundings do (docs/proofs-rounding.md). Rows that lost anything have a floor. */
static void permi_hybrid_errors(const permi_hybrid_rows *rows, permi_hybrid_rounding *rounding)
{
  const int n = rows->n;
  double share[64], all = 0, squares = 0;
  memset(rounding, 0, sizeof *rounding);
  rounding->growth = 1;
  for (int i = 0; i < n; i++) {
    double lost = 0, least = 0;
    if (rows->unit[i] == 0)
      continue;
    rounding->growth *= fmax(rows->sum[i], 1) * (1 + 1e-12);
    if (rows->lost_square[i] > 0 || rows->below_square[i] > 0)
      rounding->floor[i] = least = sqrt(rows->square[i]) / (2 * n);
    squares += rows->lost_square[i] / rows->square[i];
    for (int j = 0; j < n; j++)
      lost += rows->lost[i][j] * (1 + 1e-12);
    if (rows->sum[i] < 0.125)
      rounding->losses = (double)INFINITY;
    else if (least > 0)
      rounding->losses += lost + rows->below[i] <= least ? lost / least * (1 + 1e-12) : (double)INFINITY;
    else
      rounding->unfloored += lost;
    rounding->bits += log2(rows->sum[i] / rows->unit[i]);
  }
  rounding->shared.relative = 2 * sqrt(squares);
  rounding->shared.part = fmin(1, 3.6 * exp(-0.2 * n));
  const double majorant = fmin(permi_hybrid_majorant(rows, 0, share), permi_hybrid_majorant(rows, 1, NULL));
  for (int i = 0; i < n; i++)
    all += share[i];
  rounding->majorant = exp2(fmin(majorant + n - 1, 1000));
  rounding->shared.most = all * rounding->majorant;
}

static void permi_hybrid_begin(permi_hybrid *hybrid, permi_layouts *work, permi_arrangement *layout,
                               permi_hybrid_algebra algebra)
{
  memset(hybrid, 0, sizeof *hybrid);
  hybrid->n = work->n;
  hybrid->inner = layout->inner;
  hybrid->low = layout->low;
  hybrid->transposed = layout->transposed;
  hybrid->algebra = algebra;
  hybrid->parts = permi_hybrid_parts((int)algebra);
  memcpy(hybrid->line_exp2, work->line_exp2, sizeof hybrid->line_exp2);
  permi_layout_by_degree(work, layout, layout->inner + layout->low);
  memcpy(hybrid->order, layout->order, sizeof hybrid->order);
  permi_layout_cost(work, layout, (double)INFINITY, 1);
  hybrid->rows_a_term = work->rows_a_step;
}

static void permi_maker_row(permi_hybrid_maker *maker, const permi_hybrid_rows *rows, int i)
{
  const permi_arrangement *layout = maker->layout;
  permi_hybrid *hybrid = maker->hybrid;
  permi_hybrid_node *node = &maker->work->node[i];
  const int inner = layout->inner, parts = hybrid->parts;
  double *lane = hybrid->lane + i * parts * hybrid->lanes;
  node->slot = hybrid->row_constant[i] = hybrid->constants;
  hybrid->row_scope[i] = node->scope;
  for (int s = 0; s < 1 << permi_count_ones(node->scope); s++) {
    const uint32_t setting = (uint32_t)permi_deposit_bits((unsigned)s, node->scope);
    double sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < inner; k++)
      for (int p = 0; p < parts && node->scope >> k & 1; p++)
        sum[p] += setting >> k & 1 ? -rows->number[i][layout->order[k]][p] : rows->number[i][layout->order[k]][p];
    permi_append(maker->allocator, (void **)&hybrid->constant, &hybrid->constants, &hybrid->constant_room, sum,
                 (size_t)parts * sizeof *sum, 65535, &maker->failed);
  }
  hybrid->row_constant[i + 1] = hybrid->constants;
  for (int k = inner; k < hybrid->n; k++) {
    const double *number = rows->number[i][layout->order[k]];
    const double twice[4] = {2 * number[0], 2 * number[1], 2 * number[2], 2 * number[3]};
    const int high = k - inner, bit = high - hybrid->high;
    for (int p = 0; p < parts; p++) {
      hybrid->start[i * parts + p] += number[p];
      if (high < hybrid->high)
        hybrid->step[(high * hybrid->n + i) * parts + p] = twice[p];
      for (int s = 0; bit >= 0 && bit < hybrid->lanes_log2 && s < hybrid->lanes; s++)
        if (s >> bit & 1)
          lane[p * hybrid->lanes + s] -= twice[p];
    }
  }
}

static int permi_maker_outer(permi_hybrid_maker *maker)
{
  const permi_arrangement *layout = maker->layout;
  permi_hybrid *hybrid = maker->hybrid;
  const int n = hybrid->n, words = n * hybrid->parts, outer = n - 1 - layout->inner;
  int i, j, k, s;
  hybrid->lanes = PERMI_HYBRID_DOUBLES / hybrid->parts;
  while (2 << hybrid->lanes_log2 <= hybrid->lanes && hybrid->lanes_log2 < outer)
    hybrid->lanes_log2++;
  hybrid->high = outer - hybrid->lanes_log2;
  hybrid->doubles = (size_t)(words * (1 + hybrid->lanes + hybrid->high) + hybrid->lanes);
  hybrid->start = (double *)permi_allocate_zeros(maker->allocator, hybrid->doubles, sizeof(double));
  if (!hybrid->start)
    return 0;
  hybrid->lane = hybrid->start + words;
  hybrid->sign = hybrid->lane + words * hybrid->lanes;
  hybrid->step = hybrid->sign + hybrid->lanes;
  for (s = 0; s < 1 << hybrid->lanes_log2; s++)
    hybrid->sign[s] = permi_count_ones((uint32_t)s) & 1 ? -1 : 1;
  for (j = 0; j < hybrid->high; j++) {
    const uint64_t column = maker->work->column[layout->transposed][layout->order[layout->inner + j]];
    for (i = k = 0; i < n; i++)
      if (column >> i & 1)
        hybrid->touched[j][k++] = i;
    hybrid->touched[j][k] = -1;
  }
  return 1;
}

static void permi_whole_row(permi_hybrid_maker *maker, const double *row, int i, int reduced)
{
  permi_growths *growths = maker->growths;
  permi_hybrid_node *node = &maker->work->node[i];
  const int n = maker->hybrid->n;
  for (int k = 0; k < n; k++) {
    const double x = row[maker->layout->order[k]];
    if (k < maker->hybrid->inner)
      growths->modulus[i][k] = fabs(x);
    else
      growths->outer[i] += fabs(x);
    node->size += fabs(x);
  }
  node->whole = !reduced;
  if (reduced)
    node->size = PERMI_GROWTH_HALF;
  maker->hybrid->floor[permi_hybrid_line(i)] = reduced;
}

/* Returns which high columns are - where terms are likely largest: columns, one by one, take the sign that raises the
   sum of |row sum|^2; without negative entries all take +. */
static uint64_t permi_hybrid_centre(const permi_hybrid *hybrid, const permi_hybrid_rows *rows, const int *order)
{
  const int n = hybrid->n, second = permi_hybrid_is_complex((int)hybrid->algebra) ? hybrid->parts / 2 : 0;
  double sum[64][2] = {{0}}, sign[64] = {0}, gain;
  uint64_t centre = 0;
  for (int turn = 0; turn < 4; turn++)
    for (int k = 0; k < n; k++) {
      const int j = order[k];
      gain = 0;
      for (int i = 0; i < n; i++) {
        const double *x = rows->number[i][j];
        sum[i][0] -= sign[k] * x[0];
        sum[i][1] -= sign[k] * x[second];
        gain += sum[i][0] * x[0] + sum[i][1] * x[second];
      }
      sign[k] = gain < 0 ? -1 : 1;
      for (int i = 0; i < n; i++) {
        sum[i][0] += sign[k] * rows->number[i][j][0];
        sum[i][1] += sign[k] * rows->number[i][j][second];
      }
    }
  for (int k = 0; k < hybrid->high; k++)
    centre |= (uint64_t)(sign[hybrid->inner + k] != sign[n - 1]) << k;
  return centre;
}

static void permi_maker_rows(permi_hybrid_maker *maker, permi_hybrid_rows *rows, const double *a, const int *reduced)
{
  permi_hybrid *hybrid = maker->hybrid;
  rows->n = hybrid->n;
  for (int i = 0; i < rows->n; i++) {
    if (reduced)
      permi_whole_row(maker, a + i * rows->n, i, reduced[i]);
    for (int k = 0; k < rows->n && reduced; k++)
      rows->number[i][k][0] = a[i * rows->n + k];
    if (!reduced)
      permi_hybrid_row(rows, hybrid->algebra, a, NULL, i);
    permi_maker_row(maker, rows, i);
  }
  if (reduced)
    return;
  permi_hybrid_errors(rows, &hybrid->rounding);
  hybrid->centre = permi_hybrid_centre(hybrid, rows, maker->layout->order);
  for (int i = 0; i < rows->n; i++)
    hybrid->floor[permi_hybrid_line(i)] = hybrid->rounding.floor[i];
}

/* a: [n][n][1, complex 2], oriented and scaled; *made stays NULL if it does not fit. */
static perm_status permi_hybrid_create(const perm_allocator *allocator, permi_layouts *work, permi_arrangement *layout,
                                       permi_hybrid_algebra algebra, const double *a, const int *reduced,
                                       permi_hybrid **made)
{
  permi_hybrid *hybrid = (permi_hybrid *)permi_allocate(allocator, 1, sizeof *hybrid);
  permi_hybrid_rows *rows = (permi_hybrid_rows *)permi_allocate_zeros(allocator, 1, sizeof *rows);
  permi_growths *growths = reduced ? (permi_growths *)permi_allocate_zeros(allocator, 1, sizeof *growths) : NULL;
  permi_hybrid_maker maker = {work, layout, hybrid, allocator, {0}, {0}, 0, 2, growths};
  *made = NULL;
  if (hybrid)
    permi_hybrid_begin(hybrid, work, layout, algebra);
  if (hybrid && rows && (growths || !reduced) && permi_maker_outer(&maker)) {
    maker.failed = 0;
    if (growths)
      growths->most_halvings = work->n - 1;
    permi_maker_rows(&maker, rows, a, reduced);
    const int root = work->n + work->nodes - 1;
    permi_maker_plan(&maker);
    for (int k = 0; k < maker.evaluated && !maker.failed; k++)
      permi_maker_emit(&maker, maker.sequence[k]);
    hybrid->result = permi_hybrid_line(work->node[root].slot);
  }
  permi_release(allocator, rows);
  permi_release(allocator, growths);
  if (maker.failed) {
    permi_hybrid_release(allocator, hybrid);
    return maker.failed == 2 ? PERM_ERROR_MEMORY : PERM_OK;
  }
  *made = hybrid;
  return PERM_OK;
}

static uint64_t permi_hybrid_fingerprint(const permi_hybrid *hybrid)
{
  uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)hybrid->algebra);
  hash = permi_hash(permi_hash(hash, (uint64_t)hybrid->high), (uint64_t)hybrid->chunk_log2);
  hash = permi_hash(hash, hybrid->absolute_mask);
  for (int i = 0; i < hybrid->operations; i++) {
    const permi_instruction *t = &hybrid->operation[i];
    hash = permi_hash(hash, t->opcode | (uint64_t)t->row << 16 | (uint64_t)t->other << 32 | (uint64_t)t->group << 48);
    hash = permi_hash(hash, (uint64_t)t->count << 3 | (uint64_t)t->growth << 1 | (uint64_t)t->halved);
  }
  for (int i = 0; i < hybrid->statements; i++) {
    const permi_statement *t = &hybrid->statement[i];
    hash = permi_hash(hash, (uint64_t)t->p | (uint64_t)t->q << 16 | (uint64_t)t->h << 32 | (uint64_t)t->g << 48);
    hash = permi_hash(hash, t->out);
  }
  for (int i = 0; i < hybrid->constants * hybrid->parts; i++)
    hash = permi_hash_double(hash, hybrid->constant[i]);
  for (int i = 0; i < (int)hybrid->doubles; i++)
    hash = permi_hash_double(hash, hybrid->start[i]);
  return hash;
}

static permi_hybrid_algebra permi_hybrid_algebra_of(const permi_maker *maker)
{
  const int doubled = maker->options->precision == PERM_PRECISION_DD;
  return maker->working->integer      ? PERMI_HYBRID_WHOLE
         : maker->working->is_complex ? (doubled ? PERMI_HYBRID_COMPLEX_DOUBLED : PERMI_HYBRID_COMPLEX)
                                      : (doubled ? PERMI_HYBRID_DOUBLED : PERMI_HYBRID_REAL);
}

/* Each orientation gets a 30th of the annealing (a 6th: runs 1.04 times as long; none: 1.15). */
static double permi_hybrid_search(permi_layouts *work, permi_arrangement *layout)
{
  const int again = work->budget < PERMI_HYBRID_SLOT_BUDGET;
  permi_arrangement trial[2];
  double cost[2];
  uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
  int t, moves = 80000;
  for (t = 0; t < 2; t++) {
    trial[t] = again ? *layout : work->first[t];
    cost[t] = !again ? work->first_cost[t] : t ? cost[0] : permi_layout_total(work, layout, (double)INFINITY);
  }
  t = cost[1] < cost[0];
  if (cost[t] / work->speed <= 300 * work->rival) { /* annealing gains 2x to 5x */
    moves = (int)fmin(permi_layout_moves(work, cost[t]), moves);
    for (t = 0; t < 2 && !again && moves > 20; t++)
      cost[t] = permi_layout_anneal(work, &trial[t], cost[t], moves / 30, &seed);
    t = cost[1] < cost[0];
    moves = (int)fmin(permi_layout_moves(work, cost[t]), 53334);
    if (moves > 20)
      cost[t] = permi_layout_anneal(work, &trial[t], cost[t], moves, &seed);
  }
  *layout = trial[t];
  return cost[t];
}

static void permi_hybrid_say(char *text, size_t size, size_t *length, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  *length += permi_vsay(*length < size ? text + *length : NULL, *length < size ? size - *length : 0, format, arguments);
  va_end(arguments);
}

/* Sets *zero if a line has no entries. */
static perm_status permi_hybrid_matrix(permi_maker *maker, const permi_block *block, int transposed, double *scaled,
                                       long long *scale_exp2, int (*line_exp2)[64], int *zero)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const int n = block->n, parts = maker->working->is_complex ? 2 : 1;
  const permi_view view = permi_view_of(scaled, n, parts, NULL);
  permi_dense_plan plan;
  int i, j, e, p, (*exponent)[PERM_MAX_N] = permi_scale_room(allocator, n);
  if (!exponent)
    return permi_fail_memory(maker->result);
  memset(scaled, 0, (size_t)(n * n * parts) * sizeof *scaled);
  for (i = 0; i < n; i++)
    for (e = block->start[i]; e < block->start[i + 1]; e++)
      for (p = 0; p < parts; p++) {
        j = block->neighbour[e] - n;
        scaled[(transposed ? j * n + i : i * n + j) * parts + p] = (p ? block->imaginary : block->real)[block->edge[e]];
      }
  memset(&plan, 0, sizeof plan);
  plan.n = n;
  permi_plan_scale(&plan, &view, exponent);
  permi_release(allocator, exponent);
  *zero = plan.zero;
  *scale_exp2 = 0;
  for (i = 0; i < n && !plan.zero; i++) {
    line_exp2[0][i] = plan.row_exp2[i];
    line_exp2[1][i] = plan.column_exp2[i];
    *scale_exp2 -= plan.row_exp2[i] + plan.column_exp2[i];
    for (j = 0; j < n; j++)
      for (p = 0; p < parts; p++)
        scaled[(i * n + j) * parts + p] = permi_scaled(&plan, &view, i, j, p);
  }
  return PERM_OK;
}

/* ================================================================================ >>hybrid_residues
   Integers by programs of >>hybrid_layout: in doubles below 2^53, else modulo primes below 2^47, as many as a bound on
   the permanent needs, in turn. A chunk adds its residue times the product of the
   other primes, so the sum of all chunks has their residues, each times what permi_whole_finish divides by. Gaussian
   integers run modulo primes that are 1 modulo 4, with i = r and i = -r, r a root of -1: the results x + r y and
   x - r y sum to 2 x, and times -r and r to 2 y. */

#define PERMI_WHOLE_PRIME_BITS 46.999 /* log2 of the first 100 primes */

#define PERMI_WHOLE_WORDS 4     /* of an entry */
#define PERMI_WHOLE_CHUNK 24    /* log2 of blocks */
#define PERMI_WHOLE_SLOWER 1.25 /* Zen 4: two primes took 1.2 to 2.1 times as long */

static void permi_whole_add(const permi_hybrid_runs *runs, const permi_hybrid_run *run, double sum, perm_partial *to)
{
  const uint64_t p = run->prime.p;
  uint64_t word[PERM_INTEGER_WORDS + 2], x = permi_residue_of_double(sum, p);
  for (int part = 0; part < (run->root ? 2 : 1); part++) {
    word[runs->words] = permi_words_times(word, run->factor, runs->words, x, 0);
    permi_sum_add_integer(part ? &to->imaginary : &to->value, word, runs->words + 1, 0);
    x = permi_residue_multiply(x, p - run->root, p);
  }
}

/* Returns the weight of block s in the sum of |terms|. Blocks that differ in low columns are sampled together; the
   largest, at most one sign from the centre, count once, others half as much again as sampled, not to miss some. */
static double permi_hybrid_weight(const permi_hybrid *hybrid, uint64_t s)
{
  const uint64_t turned = (s ^ s >> 1 ^ hybrid->centre) >> hybrid->low;
  if (hybrid->runs)
    return 0;
  if (!(turned & (turned - 1)) || !hybrid->absolute_mask)
    return 1;
  return permi_scatter(turned) & hybrid->absolute_mask ? 0 : 1.5 * (hybrid->absolute_mask + 1);
}

/* Sets the rows' bases; gray: the high columns with -. */
static void permi_hybrid_bases(const permi_hybrid *hybrid, uint64_t gray, double *slot)
{
  const int n = hybrid->n, parts = hybrid->parts, lanes = hybrid->lanes;
  for (int i = 0; i < n; i++)
    for (int p = 0; p < parts; p++) {
      double base = hybrid->start[i * parts + p];
      for (int j = 0; j < hybrid->high; j++)
        if (gray >> j & 1)
          base -= hybrid->step[(j * n + i) * parts + p];
      for (int k = 0; k < lanes; k++)
        slot[8 * permi_hybrid_line(i) + p * lanes + k] = base + hybrid->lane[(i * parts + p) * lanes + k];
    }
}

/* Totals, then low parts, are at total; sums of |terms| at absolute. */
static void permi_hybrid_walk(const permi_hybrid *hybrid, uint64_t chunk, double *slot)
{
  const permi_hybrid_family *family = hybrid->family;
  const double *result = permi_hybrid_slot(slot, hybrid->result);
  double *total = slot + PERMI_HYBRID_ROOM, *absolute = total + 2 * PERMI_HYBRID_DOUBLES;
  double *moduli = total + 4 * PERMI_HYBRID_DOUBLES;
  uint64_t s = chunk << hybrid->chunk_log2, last = s + (UINT64_C(1) << hybrid->chunk_log2);
  unsigned turned = PERMI_HYBRID_ALL;
  permi_hybrid_bases(hybrid, s ^ s >> 1, slot);
  memset(total, 0, 4 * PERMI_HYBRID_DOUBLES * sizeof *total);
  for (;;) {
    family->execute[hybrid->algebra](hybrid, slot, turned);
    family->add(hybrid, result, total, (int)(s & 1));
    const double weight = permi_hybrid_weight(hybrid, s);
    if (weight > 0) {
      memcpy(moduli, slot, (size_t)permi_hybrid_line(hybrid->n) * 8 * sizeof *slot);
      family->absolute[hybrid->algebra](hybrid, moduli, turned);
      for (int k = 0; k < hybrid->lanes; k++)
        absolute[k] += weight * permi_hybrid_slot(moduli, hybrid->result)[k];
    }
    if (++s == last)
      break;
    const int j = permi_trailing_zeros(s);
    turned = j < hybrid->low ? 1u << j : PERMI_HYBRID_ALL;
    family->turn(hybrid, j, (int)((s ^ s >> 1) >> j & 1), slot);
  }
}

/* The program of the prime stands behind the slots. */
static void permi_hybrid_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  const permi_hybrid_runs *runs = hybrid->runs;
  const uint64_t each = UINT64_C(1) << (hybrid->high - hybrid->chunk_log2);
  const permi_hybrid_run *run = runs && runs->primes ? &runs->run[chunk / each] : NULL;
  const int lanes = hybrid->lanes, parts = permi_hybrid_is_complex((int)hybrid->algebra) ? 2 : 1;
  const double *total = (double *)workspace + PERMI_HYBRID_ROOM;
  const double *absolute = total + 2 * PERMI_HYBRID_DOUBLES;
  double sum = 0, sampled = 0;
  if (run) {
    permi_hybrid *program = (permi_hybrid *)(void *)((char *)workspace + PERMI_HYBRID_WORKSPACE);
    *program = *hybrid;
    program->prime = (double)run->prime.p;
    program->inverse = 1 / program->prime;
    if (run->tables) {
      program->constant = run->tables->constant;
      program->start = run->tables->start;
      program->lane = run->tables->lane;
      program->step = run->tables->step;
    }
    hybrid = program;
  }
  permi_hybrid_walk(hybrid, chunk % each, (double *)workspace);
  for (int k = 0; k < lanes; k++)
    for (int p = 0; p < 2 * parts && hybrid->sign[k] != 0; p++) {
      const double x = hybrid->sign[k] * total[p % 2 * PERMI_HYBRID_DOUBLES + p / 2 * lanes + k];
      if (run)
        sum += fmod(x, hybrid->prime); /* adds at most 64 */
      else
        permi_sum_add_double(p / 2 ? &partial->imaginary : &partial->value, x);
    }
  for (int k = 0; k < lanes; k++)
    sampled += absolute[k] * fabs(hybrid->sign[k]);
  permi_sum_add_double(&partial->absolute, sampled);
  partial->terms += ldexp(1, hybrid->chunk_log2 + hybrid->lanes_log2);
  if (run)
    permi_whole_add(runs, run, sum, partial);
}

PERMI_NEVER_INLINE static perm_status permi_whole_combine(const permi_odd_modulus *prime, const uint64_t *residue,
                                                          const permi_hybrid_runs *runs, perm_integer *integer)
{
  uint64_t word[PERM_INTEGER_WORDS * 4 + 2];
  perm_sum sum;
  memset(&sum, 0, sizeof sum);
  const perm_status status = permi_residues_sum(prime, residue, runs->primes, runs->modulus, word, &sum);
  return status == PERM_OK && !permi_sum_integer(&sum, integer) ? PERM_ERROR_OVERFLOW : status;
}

static perm_status permi_whole_finish(const permi_leaf *leaf, perm_integer *integer)
{
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  const permi_hybrid_runs *runs = hybrid->runs;
  permi_odd_modulus prime[PERM_INTEGER_WORDS * 2];
  uint64_t residue[PERM_INTEGER_WORDS * 2];
  if (!runs->primes) {
    if (!permi_integer_halve(integer, hybrid->n - 1 - hybrid->halvings))
      return PERM_ERROR_OVERFLOW;
    if (runs->modulus)
      permi_integer_reduce(integer, runs->modulus);
    return PERM_OK;
  }
  for (int k = 0; k < runs->primes; k++) {
    const permi_odd_modulus *p = &runs->run[k].prime;
    const uint64_t factor = permi_words_residue(runs->run[k].factor, runs->words, 0, p->p);
    const uint64_t x = permi_words_residue(integer->word, integer->words, 0, p->p);
    residue[k] = permi_montgomery(x, permi_prime_inverse(factor, p), p);
    for (int i = hybrid->halvings; i < hybrid->n - (runs->run[k].root ? 0 : 1); i++)
      residue[k] = (residue[k] & 1 ? residue[k] + p->p : residue[k]) >> 1;
    prime[k] = *p;
  }
  return permi_whole_combine(prime, residue, runs, integer);
}

static int permi_whole_is_gaussian(const permi_block *block)
{
  for (int e = 0; e < block->edges && block->imaginary_integer; e++)
    if (block->imaginary_integer[e])
      return 1;
  return 0;
}

/* Returns what stands in for all primes: the last odd multiple below 2^47 of an odd modulus, above 2^47 / 3; or 0. */
static uint64_t permi_whole_stand_in(const permi_block *block, uint64_t modulus)
{
  const uint64_t times = modulus & 1 ? ((UINT64_C(1) << PERMI_RESIDUE_BITS) - 1) / modulus : 0;
  return times && !permi_whole_is_gaussian(block) ? modulus * ((times - 1) | 1) : 0;
}

static int permi_whole_primes(const permi_block *block, uint64_t modulus, double *bits)
{
  *bits = permi_block_bits(block);
  return permi_whole_stand_in(block, modulus) ? 1 : (int)((*bits + 1) / PERMI_WHOLE_PRIME_BITS) + 1;
}

static int permi_whole_passes(const permi_block *block, uint64_t modulus)
{
  double bits;
  return permi_whole_primes(block, modulus, &bits) * (permi_whole_is_gaussian(block) ? 2 : 1);
}

/* Returns 0 without memory. `known` is the modulus if it may stand in. */
static int permi_whole_runs(const perm_allocator *allocator, const permi_block *block, uint64_t modulus,
                            uint64_t known, permi_hybrid *hybrid)
{
  permi_hybrid_runs *runs = (permi_hybrid_runs *)permi_allocate_zeros(allocator, 1, sizeof *runs);
  const int gaussian = permi_whole_is_gaussian(block);
  hybrid->runs = runs;
  if (!runs)
    return 0;
  runs->modulus = modulus;
  if (!hybrid->grows)
    return 1;
  const int primes = permi_whole_primes(block, known, &runs->bits);
  const int words = primes * PERMI_RESIDUE_BITS / 64 + 1;
  const int passes = gaussian ? 2 * primes : primes;
  permi_odd_modulus *prime = (permi_odd_modulus *)permi_allocate(allocator, (size_t)primes, sizeof *prime);
  runs->run = (permi_hybrid_run *)permi_allocate_zeros(allocator, (size_t)passes, sizeof *runs->run);
  runs->factor = (uint64_t *)permi_allocate_zeros(allocator, (size_t)(primes * words), sizeof *runs->factor);
  if (prime && runs->run && runs->factor) {
    runs->stand_in = permi_whole_stand_in(block, known);
    if (runs->stand_in)
      prime[0] = permi_odd_modulus_of(runs->stand_in);
    else
      permi_primes_choose(prime, (size_t)primes, gaussian, PERMI_RESIDUE_BITS);
    runs->primes = primes;
    runs->passes = passes;
    runs->words = words;
    for (int k = 0; k < primes; k++) {
      uint64_t *factor = runs->run[k].factor = runs->factor + k * words;
      runs->run[k].prime = prime[k];
      factor[0] = 1;
      for (int i = 0; i < primes; i++)
        if (i != k)
          permi_words_times(factor, factor, words, prime[i].p, 0);
      if (gaussian) {
        runs->run[k].root = permi_prime_root(&prime[k]);
        runs->run[primes + k] = runs->run[k];
        runs->run[primes + k].root = prime[k].p - runs->run[k].root;
      }
    }
  }
  permi_release(allocator, prime);
  return runs->primes;
}

/* Writes oriented entries as words x + 2^32 y + i (z + 2^32 w). Returns whether there are reduced rows: those with
   sums beyond the cap, or imaginary parts. Others have one word an entry. */
static int permi_whole_words(const permi_block *block, int transposed, double *word, int *reduced)
{
  const int n = block->n;
  const int64_t split = INT64_C(1) << 32;
  double sum[64] = {0};
  int i, e, any = 0;
  memset(word, 0, (size_t)(n * n) * PERMI_WHOLE_WORDS * sizeof *word);
  memset(reduced, 0, (size_t)n * sizeof *reduced);
  for (i = 0; i < n; i++)
    for (e = block->start[i]; e < block->start[i + 1]; e++) {
      const int j = block->neighbour[e] - n, row = transposed ? j : i, column = transposed ? i : j;
      const int64_t x = block->integer[block->edge[e]];
      const int64_t y = block->imaginary_integer ? block->imaginary_integer[block->edge[e]] : 0;
      double *to = &word[(row * n + column) * PERMI_WHOLE_WORDS];
      to[0] = (double)(x % split);
      to[1] = (double)(x / split);
      to[2] = (double)(y % split);
      to[3] = (double)(y / split);
      reduced[row] |= y != 0;
    }
  for (i = 0; i < n; i++) {
    double *row = word + i * n * PERMI_WHOLE_WORDS;
    for (e = 0; e < n; e++)
      sum[i] += fabs(row[4 * e] + 4294967296.0 * row[4 * e + 1]);
    reduced[i] |= sum[i] * (1 + 1e-12) > PERMI_GROWTH_CAP;
    any |= reduced[i];
    for (e = 0; e < n && !reduced[i]; e++) {
      row[4 * e] += 4294967296.0 * row[4 * e + 1];
      row[4 * e + 1] = 0;
    }
  }
  return any;
}

static double permi_whole_residue(const permi_hybrid_run *run, const double *x, int factor)
{
  const uint64_t p = run->prime.p, two = (UINT64_C(1) << 32) % p;
  const uint64_t weight[PERMI_WHOLE_WORDS] = {1, two, run->root, permi_residue_multiply(run->root, two, p)};
  uint64_t r = 0;
  for (int k = 0; k < PERMI_WHOLE_WORDS; k++)
    r = permi_residue_add(r, permi_residue_multiply(permi_residue_of((int64_t)x[k] * factor, p), weight[k], p), 0, p);
  return r > p / 2 ? -(double)(p - r) : (double)r;
}

/* *made stays NULL if it does not fit. */
static perm_status permi_whole_create(const perm_allocator *allocator, permi_layouts *work, permi_arrangement *layout,
                                      const permi_block *block, uint64_t modulus, permi_hybrid **made)
{
  const int entries = block->n * block->n;
  double *word = (double *)permi_allocate(allocator, (size_t)entries * PERMI_WHOLE_WORDS, sizeof *word);
  permi_hybrid_runs *runs = NULL;
  perm_status status = PERM_OK;
  int reduced[64], k, e, any, passes = 0;
  *made = NULL;
  if (!word)
    return PERM_ERROR_MEMORY;
  any = permi_whole_words(block, layout->transposed, word, reduced);
  for (k = -1; k < passes && status == PERM_OK; k++) {
    const permi_hybrid_run *run = k < 0 ? NULL : &runs->run[k];
    for (e = 0; e < entries; e++) {
      const double *x = word + e * PERMI_WHOLE_WORDS;
      work->scaled[e] = run && reduced[e / block->n] ? permi_whole_residue(run, x, 1) : x[0] + 4294967296.0 * x[1];
    }
    status = permi_hybrid_create(allocator, work, layout, PERMI_HYBRID_WHOLE, work->scaled, reduced,
                                 run ? &runs->run[k].tables : made);
    if (k < 0 && *made && !permi_whole_runs(allocator, block, modulus, modulus, *made))
      status = PERM_ERROR_MEMORY;
    runs = *made ? (*made)->runs : NULL;
    passes = runs && any ? runs->passes : 0;
  }
  permi_release(allocator, word);
  if (status != PERM_OK) {
    permi_hybrid_release(allocator, *made);
    *made = NULL;
  }
  return status;
}

/* =================================================================================== >>hybrid_offer
   Offers on the CPU, against those of >>program_plan. */

static size_t permi_hybrid_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  static const char *const algebra[] = {"real", "complex", "double-double", "integers", "complex double-double"};
  const permi_hybrid *hybrid = (const permi_hybrid *)leaf->context;
  size_t length = 0;
  permi_hybrid_say(buffer, size, &length, "block of order %d: %s, %s, %s%s; columns: %d inner, %d low, ", hybrid->n,
                   perm_name("method", leaf->information.method), perm_name("isa", leaf->information.isa),
                   algebra[hybrid->algebra], hybrid->transposed ? ", transposed" : "", hybrid->inner, hybrid->low);
  if (hybrid->code)
    permi_code_explain(hybrid, buffer, size, &length);
  else
    permi_hybrid_say(buffer, size, &length, "%d high, %d lanes; %d statements on %d slots; ", hybrid->high,
                     hybrid->lanes_log2, hybrid->statements, hybrid->slot_count);
  if (hybrid->runs && hybrid->runs->stand_in)
    permi_hybrid_say(buffer, size, &length, "modulo a multiple of the modulus; ");
  else if (hybrid->runs && hybrid->runs->primes)
    permi_hybrid_say(buffer, size, &length, "residues modulo %d primes%s, at most %.0f bits; ", hybrid->runs->primes,
                     hybrid->runs->run[0].root ? " with both roots of -1" : "", hybrid->runs->bits);
  else if (hybrid->runs)
    permi_hybrid_say(buffer, size, &length, "all numbers below 2^53; ");
  permi_hybrid_say(buffer, size, &length, "%.0f chunks, predicted %.3g s on one %s\n", (double)leaf->information.chunks,
                   leaf->information.seconds, hybrid->isa == PERM_ISA_CUDA ? "GPU" : "thread");
  return length;
}

static int permi_hybrid_takes(const permi_maker *maker, const permi_block *block, permi_offer *offer)
{
  double bits;
  (void)maker; /* for PERM_NO_COMPLEX */
  if (block->integer && !permi_arithmetic_is_sound())
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has exact integers, which this method takes only while numbers round "
                                                "to nearest");
#if defined(PERM_NO_COMPLEX)
  else if (maker->working->is_complex)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "is complex, which this build leaves out");
#endif
  else if (block->n > PERM_MAX_N || block->n < 2)
    permi_refuse(offer, PERM_ERROR_LIMIT, "is not of an order from 2 to %d", PERM_MAX_N);
  else if (block->integer && PERMI_RESIDUE_BITS * permi_whole_primes(block, 0, &bits) + 60 > 64 * PERM_INTEGER_WORDS)
    permi_refuse_long(offer);
  else
    offer->status = PERM_OK;
  return !offer->why[0];
}

/* Terms with moduli take so many times as long; complex double-doubles 1.1 to 1.3. */
#define PERMI_HYBRID_CERTIFIED(algebra) ((algebra) == PERMI_HYBRID_COMPLEX_DOUBLED ? 1.3 : 2.1)
#define PERMI_HYBRID_BACK 1.5 /* a gradient: 4.5 permanents (3.3 to 8), for others three passes and more */
#define PERMI_DOUBLED_CHUNK 8      /* log2 of blocks, more of which round the sum */
static permi_layouts *permi_hybrid_layouts(permi_maker *maker, const permi_block *block, double rival)
{
  static const double rate[3][PERMI_HYBRID_ALGEBRAS] = {
      {6e9, 2.2e9, 2.4e9, 7e9, 4.5e8}, {6.5e9, 2.6e9, 2.1e9, 5.8e9, 5.5e8}, {1.4e9, 5e8, 2.1e8, 8e8, 2.4e7}};
  const permi_hybrid_algebra algebra = permi_hybrid_algebra_of(maker);
  permi_layouts *work = maker->layouts;
  if (!work) {
    work = (permi_layouts *)permi_allocate(&maker->options->allocator, 1, sizeof *work);
    if (!work)
      return NULL;
    permi_layouts_make(work, block);
    work->budget = maker->keeps ? PERMI_HYBRID_KEPT_BUDGET : PERMI_HYBRID_SLOT_BUDGET;
    work->most_low = PERMI_HYBRID_LOW;
    work->keeps = maker->keeps;
    work->account = maker->account;
    work->speed = rate[permi_lanes_row(permi_isa(maker->options))][(int)algebra] /
                  (block->integer ? PERMI_WHOLE_SLOWER * permi_whole_passes(block, maker->options->modulus)
                                  : maker->options->certify ? PERMI_HYBRID_CERTIFIED(algebra) : 1);
    work->speed /= maker->keeps ? PERMI_HYBRID_BACK : 1;
  }
  maker->layouts = NULL;
  work->rival = rival;
  return work;
}

/* What annealing gains on the first layouts, which are kept. */
#define PERMI_HYBRID_GAIN 1.3     /* likely: seen 1.1 */
#define PERMI_HYBRID_GAIN_MOST 16 /* seen to 13.4: er:44:0.11 */
static perm_status permi_hybrid_least(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  permi_offer takes;
  memset(&takes, 0, sizeof takes);
  offer->least = fmax(offer->least, PERMI_HYBRID_LEAST_SECONDS);
  if (PERMI_ANNEAL_SHARE * rival < PERMI_ANNEAL_LEAST || !permi_hybrid_takes(maker, block, &takes))
    return PERM_OK;
  permi_layouts *work = permi_hybrid_layouts(maker, block, rival);
  if (!work)
    return permi_fail_memory(maker->result);
  const double cost = permi_layouts_start(work);
  const double speed = permi_code_rate(maker, block, work->speed);
  offer->likely = cost / PERMI_HYBRID_GAIN / speed;
  offer->least = fmax(offer->least, cost / PERMI_HYBRID_GAIN_MOST / speed);
  maker->layouts = work;
  return PERM_OK;
}

#define PERMI_HYBRID_SAMPLED_LOG2 10 /* blocks in the sum of |terms| at least, */
#define PERMI_HYBRID_PLACES_LOG2 7   /* in so many places */
static perm_status permi_hybrid_offer_cpu(permi_maker *maker, const permi_block *block, double rival,
                                          permi_offer *offer)
{
  const perm_options *options = maker->options;
  const perm_isa isa = permi_isa(options);
  permi_layouts *work = permi_hybrid_layouts(maker, block, rival);
  permi_arrangement layout = {0, 0, 0, {0}};
  permi_hybrid *hybrid = NULL;
  perm_status status = PERM_OK;
  double seconds = 0, per_block;
  if (!work)
    return permi_fail_memory(maker->result);
  permi_layouts_start(work);
  for (; !hybrid && status == PERM_OK && work->budget > 90; work->budget -= work->budget / 6) {
    long long scale_exp2 = 0;
    int zero = 0;
    seconds = permi_hybrid_search(work, &layout) / work->speed;
    if (seconds > 1.1 * rival) {
      permi_refuse(offer, PERM_ERROR_LIMIT, "takes about %s, more than others", permi_time_words(seconds).text);
      break;
    }
    if (!block->integer)
      status = permi_hybrid_matrix(maker, block, layout.transposed, work->scaled, &scale_exp2,
                                   work->line_exp2, &zero);
    if (status == PERM_OK && !zero &&
        (block->integer ? permi_whole_create(&options->allocator, work, &layout, block, options->modulus, &hybrid)
                        : permi_hybrid_create(&options->allocator, work, &layout, permi_hybrid_algebra_of(maker),
                                              work->scaled, NULL, &hybrid)) != PERM_OK)
      status = permi_fail_memory(maker->result);
    if (hybrid)
      hybrid->scale_exp2 = scale_exp2;
  }
  permi_release(&options->allocator, work);
  offer->plan = hybrid;
  if (status == PERM_OK && !hybrid && !offer->why[0])
    permi_refuse(offer, PERM_ERROR_LIMIT, "has no program that fits");
  if (!hybrid)
    return status;
  if (block->integer)
    seconds *= fmax(hybrid->runs->passes, 1) / permi_whole_passes(block, options->modulus);
  hybrid->isa = permi_lanes(isa) < 4 ? PERM_ISA_PLAIN : isa;
  int most = hybrid->high - PERMI_HYBRID_SAMPLED_LOG2;
  most = permi_clamp(most, 0, permi_clamp(hybrid->high - hybrid->low - PERMI_HYBRID_PLACES_LOG2, 0, 5));
  hybrid->absolute_mask = options->certify ? 0 : (1u << most) - 1;
  if (!options->certify && !hybrid->runs) /* else the speed includes moduli */
    seconds *= 1 + (PERMI_HYBRID_CERTIFIED(hybrid->algebra) - 1) / (hybrid->absolute_mask + 1);
  per_block = ldexp(seconds / (hybrid->runs ? fmax(hybrid->runs->passes, 1) : 1), -hybrid->high);
  most = hybrid->runs                                    ? PERMI_WHOLE_CHUNK
         : permi_hybrid_is_doubled((int)hybrid->algebra) ? PERMI_DOUBLED_CHUNK
                                                         : hybrid->high;
  hybrid->chunk_log2 = hybrid->high > most ? most : hybrid->high;
  while (hybrid->chunk_log2 > 0 &&
         ldexp(per_block, hybrid->chunk_log2) > (hybrid->high - hybrid->chunk_log2 < 6 ? 1e-4 : 0.02))
    hybrid->chunk_log2--;
  hybrid->walked = hybrid->chunk_log2;
  hybrid->fingerprint = permi_hybrid_fingerprint(hybrid);
  if (hybrid->runs) {
    uint64_t hash = permi_hash(hybrid->fingerprint, (uint64_t)hybrid->runs->primes);
    hash = permi_hash(permi_hash(hash, hybrid->runs->modulus), hybrid->runs->stand_in);
    for (int e = 0; e < block->edges; e++)
      hash = permi_hash(hash, (uint64_t)block->integer[e]);
    for (int e = 0; e < block->edges && block->imaginary_integer; e++)
      hash = permi_hash(hash, (uint64_t)block->imaginary_integer[e]);
    hybrid->fingerprint = hash;
  }
  hybrid->family = PERMI_OF_X86(permi_hybrid_family, hybrid->isa);
  offer->seconds = seconds;
  offer->bytes = sizeof *hybrid + 16.0 * (hybrid->operation_room + hybrid->statement_room) +
                 8.0 * hybrid->parts * (hybrid->constant_room + block->n * (1 + hybrid->lanes + hybrid->high)) +
                 (double)PERMI_HYBRID_WORKSPACE + (hybrid->runs ? sizeof *hybrid : 0);
  return PERM_OK;
}

static perm_status permi_hybrid_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_options *options = maker->options;
  permi_offer gpu;
  if (!permi_hybrid_takes(maker, block, offer))
    return PERM_OK;
  memset(&gpu, 0, sizeof gpu);
  gpu.seconds = (double)INFINITY;
  perm_status status = permi_code_offer(maker, block, rival, &gpu);
  if (status != PERM_OK || (gpu.plan && options->isa == PERM_ISA_CUDA)) {
    *offer = gpu;
    return status;
  }
  status = permi_hybrid_offer_cpu(maker, block, fmin(rival, gpu.seconds), offer);
  if (gpu.plan && !(offer->seconds < gpu.seconds)) {
    void *plan = offer->plan;
    *offer = gpu;
    gpu.plan = plan;
  }
  permi_hybrid_release(&options->allocator, gpu.plan);
  return status;
}

/* THE BOUND, relative to the sum of |terms|, of which the second program adds every block: gamma of n - 1 products
   (complex ones count three, on a GPU six) and `inner` differences, gamma^2 of a chunk's blocks (on a GPU 64 more),
   what lost entries take of floors, roundings of moduli. Double-doubles have PERMI_DD_UNIT for u
   (tests/proofs/chains.v, tests/proofs/complex.v, tests/proofs/hybrid.g). */
static void permi_hybrid_bound(const permi_hybrid *hybrid, int certified, permi_leaf *leaf)
{
  const permi_hybrid_rounding *rounding = &hybrid->rounding;
  const int on_gpu = hybrid->isa == PERM_ISA_CUDA;
  const int doubled = permi_hybrid_is_doubled((int)hybrid->algebra);
  const double n = hybrid->n;
  const double each = !permi_hybrid_is_complex((int)hybrid->algebra) ? 1 : doubled ? 2 : on_gpu ? 6 : 3;
  const double blocks = ldexp(1, hybrid->walked) + (on_gpu ? 64 : 0), sums = hybrid->inner;
  const double roundings = each * (n - 1) + sums, chunk = permi_gamma(2 * blocks);
  const double moduli = permi_gamma(5 * n + sums + blocks + hybrid->lanes);
  double terms = permi_gamma(roundings) + chunk * chunk;
  leaf->bound_relative = (double)INFINITY;
  leaf->estimate_absolute = ldexp(rounding->growth * rounding->unfloored, hybrid->n + 1) +
                            ldexp(rounding->growth * (6 * roundings + 2 * n * n), hybrid->n - 1073);
  if (!certified || hybrid->walked > 32 || !(rounding->losses < 1))
    return;
  if (doubled)
    terms = (roundings + blocks) * PERMI_DD_UNIT;
  leaf->bound_relative = (terms + rounding->losses) * (1 + 4 * moduli) * 1.0001;
  leaf->bound_absolute = leaf->estimate_absolute;
}

/* The estimate, relative to the sum of |terms|. A term meets n products and a rounding a fold, of which one at least
   rounds unless products are exact; all terms share what earlier elimination rounded. */
#define PERMI_HYBRID_ALIKE(n) (0.02 + 1.2 * exp(-0.12 * (n))) /* share of roundings that a sum keeps */
static void permi_hybrid_estimate(permi_maker *maker, const permi_block *block, const permi_hybrid *hybrid,
                                  permi_leaf *leaf)
{
  const permi_hybrid_rounding *rounding = &hybrid->rounding;
  const double roundings = hybrid->n + hybrid->inner + 4, square = PERMI_UNIT * PERMI_UNIT;
  const double part = 1 - fmin(53 / fmax(rounding->bits, 1), 1), inexact = part > 0 ? fmax(part * roundings, 1) : 0;
  permi_hybrid_bound(hybrid, maker->options->certify && hybrid->absolute_mask == 0, leaf);
  leaf->shared = rounding->shared;
  leaf->estimate_relative = 0;
  permi_make_honest(maker, block, leaf);
  leaf->shared.relative += leaf->estimate_relative;
  leaf->shared.most += leaf->estimate_relative * rounding->majorant;
  if (permi_hybrid_is_doubled((int)hybrid->algebra))
    leaf->estimate_relative =
        (4 * hybrid->parts * roundings + ldexp(8, hybrid->walked / 2)) * square;
  else
    leaf->estimate_relative = PERMI_HYBRID_ALIKE(hybrid->n) * sqrt(inexact) * PERMI_UNIT * hybrid->parts;
  if (leaf->shared.relative > 1e-3)
    leaf->estimate_relative = (double)INFINITY;
}

static perm_status permi_hybrid_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  const perm_status status = permi_code_make(maker, block, offer, leaf);
  permi_hybrid *hybrid = (permi_hybrid *)offer->plan;
  if (status != PERM_OK)
    return status;
  permi_leaf_ranges(leaf, hybrid->isa, UINT64_C(1) << (hybrid->high - hybrid->chunk_log2),
                    ldexp(hybrid->rows_a_term, hybrid->n - 1 - hybrid->inner), hybrid->fingerprint, permi_hybrid_chunk,
                    PERMI_HYBRID_WORKSPACE, permi_hybrid_explain);
  if (hybrid->runs) {
    leaf->information.chunks *= hybrid->runs->passes ? (uint64_t)hybrid->runs->passes : 1;
    leaf->integer = 1;
    leaf->workspace += sizeof *hybrid; /* for a prime's program */
    leaf->finish = permi_whole_finish;
    return PERM_OK;
  }
  leaf->scale_exp2 = hybrid->scale_exp2 - (hybrid->n - 1);
  permi_hybrid_estimate(maker, block, hybrid, leaf);
  maker->job->precision = maker->options->precision;
  return PERM_OK;
}

/* ========================================================================================== >>signs
   Glynn's sum over columns' signs d,
       per A = 2^-(n-1) sum over d, d_first = +1, of prod_j d_j prod_i sum_j a_ij d_j,
   as a search: a row whose columns all have signs and whose sum is 0 ends the branch.

     prefix      columns in an order, a sign at each step
     blocks      two sets of up to 9 columns after the prefix. A row that touches one block only takes from its living
                 patterns those with which it vanishes. The branch ends when a set is empty; else the sets are joined
     classes     of rows: FIRST and SECOND thin out a set, NONE ends branches, BOTH is tested on pairs of patterns
     counts      a byte a row: half its sum plus 128. A column's + adds a constant to the words of all counts
     weights     a row with an odd sum never vanishes; per(A diag c) = per(A) prod c, and c_j in {1, 2} makes rows even
   Patterns that do the same to rows of class BOTH are added in groups, so most terms are never listed. Sums are exact:
   at most 2^(n-1) terms, each at most the product of the rows' moduli. */

typedef struct permi_signs_matrix {
  int n, entry[PERM_MAX_N][PERM_MAX_N];
  int sum[PERM_MAX_N], size[PERM_MAX_N]; /* of moduli */
  uint64_t touched[PERM_MAX_N];          /* a row's columns */
} permi_signs_matrix;

typedef struct permi_signs_order {
  int prefix, length[2], column[PERM_MAX_N];
} permi_signs_order;

#define PERMI_SIGNS_MOST 254 /* of a row's moduli: counts are bytes */

PERMI_INLINE uint64_t permi_signs_bits(int begin, int count)
{
  return count ? (~UINT64_C(0) >> (64 - count)) << begin : 0;
}

static uint64_t permi_signs_columns(const permi_signs_order *order, int begin, int end)
{
  uint64_t set = 0;
  for (; begin < end; begin++)
    set |= UINT64_C(1) << order->column[begin];
  return set;
}

/* Rows stand by class, then by the step of their last prefix column (-1: none). */
static void permi_signs_places(permi_signs *signs, const permi_signs_matrix *matrix, const permi_signs_order *order,
                               int *row_at, int *step_at)
{
  const int n = matrix->n, p = order->prefix;
  const uint64_t block[2] = {permi_signs_columns(order, p, p + order->length[0]),
                             permi_signs_columns(order, p + order->length[0], n)};
  int c, i, k, used = 0;
  for (c = 0; c < 4; c++) {
    signs->place[c] = used;
    for (k = -1; k < p; k++)
      for (i = 0; i < n; i++) {
        const int touches = (matrix->touched[i] & block[0] ? 1 : 0) | (matrix->touched[i] & block[1] ? 2 : 0);
        int last = p - 1;
        while (last >= 0 && !(matrix->touched[i] >> order->column[last] & 1))
          last--;
        if (last == k && touches == (c == PERMI_SIGNS_BOTH ? 3 : c == PERMI_SIGNS_NONE ? 0 : c)) {
          row_at[used] = i;
          step_at[used++] = k;
        }
      }
  }
  signs->place[4] = used;
}

static void permi_signs_add(uint64_t *count, int place, int64_t x) /* digits end from 1 to 255 */
{
  const union { uint64_t word; unsigned char byte[8]; } one = {1};
  count[place >> 3] += (uint64_t)x << (8 * ((place & 7) ^ (one.byte[7] ? 7 : 0)));
}

static int permi_signs_patterns(permi_signs *signs, const permi_signs_matrix *matrix, const permi_signs_order *order,
                                int block, const int *row_at)
{
  const int first = order->prefix + (block ? order->length[0] : 0), patterns = 1 << order->length[block];
  const int begin = signs->place[block + 1], end = signs->place[block + 2];
  signs->own_word[block] = begin < end ? begin >> 3 : 0;
  signs->width[block] = signs->shared_words + (begin < end ? ((end + 7) >> 3) - (begin >> 3) : 0);
  signs->width[block] += !signs->width[block]; /* one is read */
  signs->pattern[block] = (uint64_t *)permi_pool_get( /* vectors read beyond */
      &signs->owned.pool, (size_t)(patterns * signs->width[block] + PERMI_SIGNS_WORDS), sizeof(uint64_t));
  if (!signs->pattern[block])
    return 0;
  signs->own_rows[block] = permi_signs_bits(begin - 8 * signs->own_word[block], end - begin);
  for (int y = 0; y < patterns; y++) {
    uint64_t *word = signs->pattern[block] + (size_t)(y * signs->width[block]);
    memset(word, 0, (size_t)signs->width[block] * sizeof *word);
    for (int j = 0; j < order->length[block]; j++)
      if (y >> j & 1) {
        const int column = order->column[first + j];
        for (int place = 0; place < signs->place[1]; place++)
          permi_signs_add(word, place, matrix->entry[row_at[place]][column]);
        for (int place = begin; place < end; place++)
          permi_signs_add(word + signs->shared_words, place - (begin & ~7), matrix->entry[row_at[place]][column]);
      }
  }
  return 1;
}

static int permi_signs_groups(permi_signs *signs, int block)
{
  const int patterns = 1 << signs->length[block], shared = signs->shared_words;
  const size_t bytes = (size_t)shared * sizeof(uint64_t);
  int y, g, groups = 0;
  signs->group[block] = (uint16_t *)permi_pool_get(&signs->owned.pool, (size_t)patterns, sizeof(uint16_t));
  signs->group_word[block] = (uint64_t *)permi_pool_get(&signs->owned.pool, (size_t)patterns, bytes + !shared);
  if (!signs->group[block] || !signs->group_word[block])
    return 0;
  for (y = 0; y < patterns; y++) {
    const uint64_t *word = signs->pattern[block] + y * signs->width[block];
    for (g = 0; g < groups; g++)
      if (!memcmp(signs->group_word[block] + g * shared, word, bytes))
        break;
    if (g == groups)
      memcpy(signs->group_word[block] + shared * groups++, word, bytes);
    signs->group[block][y] = (uint16_t)(2 * g + (permi_count_ones((uint64_t)y) & 1));
  }
  signs->groups[block] = groups;
  return 1;
}

/* Returns zeros, aligned. */
static uint64_t (*permi_signs_vectors(permi_signs *signs, int count))[PERMI_SIGNS_WORDS]
{
  const size_t bytes = (size_t)count * PERMI_SIGNS_WORDS * sizeof(uint64_t);
  char *at = (char *)permi_pool_zeros(&signs->owned.pool, bytes + 64, 1);
  if (!at)
    return NULL;
  at += (64 - ((uintptr_t)at & 63)) & 63;
  return (uint64_t (*)[PERMI_SIGNS_WORDS])(void *)at;
}

static int permi_signs_start(const permi_signs_matrix *matrix, int row) /* if all signs are - */
{
  return PERMI_SIGNS_ZERO - (matrix->sum[row] + (matrix->sum[row] & 1)) / 2;
}

/* Returns 0 without memory. */
static int permi_signs_cut_make(permi_signs *signs, const permi_signs_matrix *matrix, const permi_signs_order *order,
                                int place, int row, int step)
{
  const int block = place >= signs->place[PERMI_SIGNS_SECOND];
  const int first = order->prefix + (block ? order->length[0] : 0), patterns = 1 << order->length[block];
  int least = permi_signs_start(matrix, row), most = least;
  for (int j = 0; j < order->prefix; j++) {
    const int x = matrix->entry[row][order->column[j]];
    least += x < 0 ? x : 0;
    most += x > 0 ? x : 0;
  }
  uint64_t (*alive)[PERMI_SIGNS_WORDS] = permi_signs_vectors(signs, most - least + 1);
  if (!alive)
    return 0;
  for (int y = 0; y < patterns; y++) {
    int sum = 0;
    for (int j = 0; j < order->length[block]; j++)
      sum += y >> j & 1 ? matrix->entry[row][order->column[first + j]] : 0;
    for (int level = 0; level <= most - least; level++)
      if (least + level + sum != PERMI_SIGNS_ZERO || matrix->sum[row] & 1)
        alive[level][y >> 6] |= UINT64_C(1) << (y & 63);
  }
  for (int j = 0; step < 0 && j < PERMI_SIGNS_WORDS; j++)
    signs->root.alive[block][j] &= alive[0][j];
  if (step < 0)
    return 1;
  const permi_signs_cut cut = {(const uint64_t (*)[PERMI_SIGNS_WORDS])alive, place, least,
                               matrix->entry[row][order->column[step]], most - least + 1};
  signs->cut[signs->cut_start[2 * PERM_MAX_N]++] = cut;
  return 1;
}

/* Rows without prefix columns thin out the root. */
static int permi_signs_cuts(permi_signs *signs, const permi_signs_matrix *matrix, const permi_signs_order *order,
                            const int *row_at, const int *step_at)
{
  int *used = &signs->cut_start[2 * PERM_MAX_N], k, place;
  *used = 0;
  for (k = -2; k < 2 * order->prefix; k++) {
    const int block = k & 1, step = (k - block) / 2;
    if (k >= 0)
      signs->cut_start[k] = *used;
    for (place = signs->place[1 + block]; place < signs->place[2 + block]; place++)
      if (step_at[place] == step && !(matrix->sum[row_at[place]] & 1) &&
          !permi_signs_cut_make(signs, matrix, order, place, row_at[place], step))
        return 0;
  }
  signs->cut_start[2 * order->prefix] = *used;
  return 1;
}

static void permi_signs_width(permi_signs *signs, const permi_signs_matrix *matrix, const int *row_at)
{
  double *bits = signs->bits;
  int place, c = 0;
  memset(bits, 0, sizeof signs->bits);
  for (place = 0; place < matrix->n; place++) {
    const int row = row_at[place], most = matrix->sum[row] & 1 ? matrix->size[row] : matrix->size[row] / 2;
    while (place >= signs->place[c + 1])
      c++;
    bits[c] += most > 1 ? log2(most) + 1e-9 : 0;
  }
  signs->sum_bits = matrix->n - 1 + bits[0] + bits[1] + bits[2] + bits[3];
  signs->words = (int)fmax((signs->sum_bits + 2) / 64 + 1, 3); /* twice the sum, signed */
  signs->narrow = bits[1] + signs->length[0] < 63 && bits[0] + bits[2] + signs->length[1] < 63 && bits[3] < 63 &&
                  bits[0] + bits[1] + bits[2] + signs->length[0] + signs->length[1] < 127;
}

static int permi_signs_lay(permi_signs *signs, const permi_signs_matrix *matrix, const permi_signs_order *order)
{
  const int n = matrix->n, p = order->prefix;
  int row_at[PERM_MAX_N], step_at[PERM_MAX_N], k, block, place, y;
  signs->n = n;
  signs->prefix = p;
  permi_signs_places(signs, matrix, order, row_at, step_at);
  signs->shared_words = (signs->place[1] + 7) >> 3;
  signs->column = permi_signs_vectors(signs, p);
  signs->done = permi_signs_vectors(signs, p);
  if (!signs->column || !signs->done)
    return 0;
  signs->by_table = 2;
  for (place = n; place < PERM_MAX_N; place++)
    permi_signs_add(signs->root.count, place, 1); /* no target */
  for (place = 0; place < n; place++) {
    const int row = row_at[place], odd = matrix->sum[row] & 1;
    signs->odd[place] = (unsigned char)odd;
    if (odd || matrix->size[row] > 8)
      signs->by_table = 0;
    else if (signs->by_table && matrix->size[row] == 8)
      signs->by_table = 1;
    permi_signs_add(signs->root.count, place, permi_signs_start(matrix, row));
    if (place < signs->place[1])
      permi_signs_add(signs->target_all, place, 255);
    if (place < signs->place[1] && !odd)
      permi_signs_add(signs->target, place, PERMI_SIGNS_ZERO);
    if (place >= signs->place[3] && !odd)
      permi_signs_add(signs->done[step_at[place]], place, PERMI_SIGNS_ZERO);
    for (k = 0; k < p; k++)
      permi_signs_add(signs->column[k], place, matrix->entry[row][order->column[k]]);
    for (k = 0; k < n; k++)
      signs->entry[place][k] = (int16_t)matrix->entry[row][order->column[k]];
  }
  for (k = 0, place = signs->place[3]; k < p; k++) {
    signs->done_place[k] = place;
    while (place < n && step_at[place] == k)
      place++;
  }
  signs->done_place[p] = place;
  for (block = 0; block < 2; block++) {
    signs->last[block] = signs->place[block + 1] < signs->place[block + 2] ? step_at[signs->place[block + 2] - 1] : -1;
    signs->length[block] = order->length[block];
    for (y = 0; y < 1 << order->length[block]; y++)
      signs->root.alive[block][y >> 6] |= UINT64_C(1) << (y & 63);
    if (!permi_signs_patterns(signs, matrix, order, block, row_at) || !permi_signs_groups(signs, block))
      return 0;
  }
  signs->product = (int64_t *)permi_pool_get(&signs->owned.pool, PERMI_SIGNS_SUMS, sizeof *signs->product);
  if (!signs->product)
    return 0;
  signs->three[0] = 1;
  for (k = 1; k < 40; k++)
    signs->three[k] = 3 * signs->three[k - 1];
  for (k = 0; k < PERMI_SIGNS_SUMS; k++)
    signs->product[k] = (k / 153 & 1 ? -1 : 1) * signs->three[k % 153 / 17] * (INT64_C(1) << k % 17);
  permi_signs_width(signs, matrix, row_at);
  return permi_signs_cuts(signs, matrix, order, row_at, step_at);
}

static void permi_signs_begin(permi_signs_walk *walk, const permi_signs *signs, permi_signs_frame *frame)
{
  memset(walk, 0, sizeof *walk);
  walk->signs = signs;
  walk->frame = frame;
  frame[0] = signs->root;
  walk->product[0] = signs->n & 1 ? -1 : 1;
}

/* Returns 0 if no pattern is left. */
static int permi_signs_follow(permi_signs_walk *walk, uint64_t path, int from, int depth)
{
  for (; from < depth; from++)
    if (!walk->signs->family->step(walk, from, (int)(path >> from & 1)))
      return 0;
  return 1;
}

static void permi_signs_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_signs *signs = (const permi_signs *)leaf->context;
  permi_signs_frame *frame = (permi_signs_frame *)workspace;
  permi_signs_walk *walk = (permi_signs_walk *)(void *)(frame + PERM_MAX_N + 1);
  uint64_t i, path, before = 0;
  int from = 0;
  permi_signs_begin(walk, signs, frame);
  for (i = signs->begin[chunk]; i < signs->begin[chunk + 1]; i++, before = path) {
    path = signs->path[i];
    if (i > signs->begin[chunk])
      from = permi_trailing_zeros(path ^ before);
    if (permi_signs_follow(walk, path, from, signs->depth))
      signs->family->search(walk, signs->depth);
  }
  if (signs->doubled)
    permi_words_add(walk->sum, walk->sum, signs->words);
  permi_sum_add_signed(&partial->value, walk->sum, signs->words);
  partial->terms += (double)walk->counted[3];
}

PERMI_BRIEF_END

/* ==================================================================================== >>signs_order
   The columns' order, annealed against the expected work.
   A row vanishes with a probability that falls with the share q of + among the signs: q = 3/4 is rare, but leaves all
   rows of a sparse matrix nonzero some 10^6 times as often. So expected numbers are sums over q of binomial weights
   times products over rows, as if independent for given q. */

#define PERMI_SIGNS_SHARES 16

typedef struct permi_signs_model {
  int n;
  double effort; /* times PERMI_SIGNS_PLAN_MOST */
  uint64_t touched[PERM_MAX_N];
  double weight[PERMI_SIGNS_SHARES];                /* of a share of + */
  double survival[PERM_MAX_N][PERMI_SIGNS_SHARES];  /* probability that a row does not vanish */
  double step[PERM_MAX_N + 1][3][PERMI_SIGNS_SHARES]; /* classes FIRST, SECOND, NONE; at 0 without prefix columns */
} permi_signs_model;

/* A sign is + with probability q. */
static double permi_signs_vanishes(const permi_signs_matrix *matrix, int row, double q)
{
  double memory[2][2 * PERMI_SIGNS_MOST + 1], *chance = memory[0], *next = memory[1], *swap; /* of a sum */
  const int most = matrix->size[row];
  int j, s, seen = 0;
  if (matrix->sum[row] & 1)
    return 0;
  for (j = 0; j < 2; j++)
    memset(memory[j], 0, (size_t)(2 * most + 1) * sizeof *memory[j]);
  chance[most] = 1;
  for (j = 0; j < matrix->n; j++) {
    const int x = matrix->entry[row][j];
    if (!x)
      continue;
    seen += abs(x);
    const int reach = seen < most - seen ? seen : most - seen;
    for (s = most - reach; s <= most + reach; s++)
      next[s] = q * chance[s - x] + (1 - q) * chance[s + x];
    swap = chance;
    chance = next;
    next = swap;
  }
  return chance[most];
}

static void permi_signs_survives(const permi_signs_matrix *matrix, int row, double *survival)
{
  const int n = matrix->n;
  for (int s = 0; s < PERMI_SIGNS_SHARES; s++)
    survival[s] = 1 - permi_signs_vanishes(matrix, row, 0.5 + (s + 0.35) * (n + 1.0) / n / (2 * PERMI_SIGNS_SHARES));
}

static void permi_signs_model_make(permi_signs_model *model, const permi_signs_matrix *matrix)
{
  const int n = matrix->n;
  double binomial = ldexp(1, -n); /* C(n, k) 2^-n */
  model->n = n;
  memcpy(model->touched, matrix->touched, sizeof model->touched);
  memset(model->weight, 0, sizeof model->weight);
  for (int k = 0; k <= n; k++) {
    const int excess = 2 * k > n ? 2 * k - n : n - 2 * k;
    model->weight[excess * PERMI_SIGNS_SHARES / (n + 1)] += binomial;
    binomial *= (double)(n - k) / (k + 1);
  }
  for (int i = 0; i < n; i++)
    permi_signs_survives(matrix, i, model->survival[i]);
}

/* Position k is bit 63 - k. */
static void permi_signs_positions(const permi_signs_model *model, const permi_signs_order *order, uint64_t *positions)
{
  uint64_t at[PERM_MAX_N], set;
  for (int k = 0; k < model->n; k++)
    at[order->column[k]] = UINT64_C(1) << (63 - k);
  for (int i = 0; i < model->n; i++)
    for (set = model->touched[i], positions[i] = 0; set; set &= set - 1)
      positions[i] |= at[permi_trailing_zeros(set)];
}

/* step[k][c] is the survival of rows that end with k, where ends[k] has bit c; own[c] is the last step of class c.
   Returns how many rows join both blocks. */
static int permi_signs_ends(permi_signs_model *model, const permi_signs_order *order, const uint64_t *positions,
                            unsigned char *ends, double *cuts, int *own)
{
  const int p = order->prefix, length = order->length[0];
  const uint64_t before = permi_signs_bits(64 - p, p), first = permi_signs_bits(64 - p - length, length);
  const uint64_t second = ~(before | first);
  int both = 0, c, i, s;
  for (i = 0; i < model->n; i++) {
    const uint64_t set = positions[i];
    const int last = set & before ? 64 - permi_trailing_zeros(set & before) : 0;
    c = (set & first ? 1 : 0) + (set & second ? 2 : 0);
    if (c == 3) {
      both++;
      continue;
    }
    cuts[last] += c > 0;
    c = c ? c - 1 : 2;
    own[c] = last > own[c] ? last : own[c];
    double *step = model->step[last][c];
    for (s = 0; s < PERMI_SIGNS_SHARES; s++)
      step[s] = ends[last] >> c & 1 ? step[s] * model->survival[i][s] : model->survival[i][s];
    ends[last] |= (unsigned char)(1 << c);
  }
  return both;
}

static double permi_signs_expected(permi_signs_model *model, const permi_signs_order *order, const uint64_t *positions)
{
  const int p = order->prefix;
  double alive[3][PERMI_SIGNS_SHARES], live[PERMI_SIGNS_SHARES], cuts[PERM_MAX_N + 1], seconds = 0, sum = 0, ways;
  double items[3] = {0, 0, 0};
  unsigned char ends[PERM_MAX_N + 1];
  int own[3] = {0, 0, 0}, both, k, c, s;
  memset(ends, 0, sizeof ends);
  memset(cuts, 0, (size_t)(p + 1) * sizeof *cuts);
  both = permi_signs_ends(model, order, positions, ends, cuts, own);
  for (s = 0; s < PERMI_SIGNS_SHARES; s++) {
    alive[0][s] = (ends[0] & 1 ? model->step[0][0][s] : 1) * (double)(1 << order->length[0]);
    alive[1][s] = (ends[0] & 2 ? model->step[0][1][s] : 1) * (double)(1 << order->length[1]);
    alive[2][s] = live[s] = model->weight[s];
    sum += live[s];
  }
  for (k = 1, ways = 1; k <= p; k++, ways *= 2) {
    seconds += ways * sum * (permi_signs_each[0][0] + PERMI_SIGNS_CUT_SECONDS * cuts[k]);
    if (ends[k] || k == 1) {
      for (c = 0; c < 3; c++)
        for (s = 0; s < PERMI_SIGNS_SHARES && ends[k] >> c & 1; s++)
          alive[c][s] *= model->step[k][c][s];
      for (s = 0, sum = 0; s < PERMI_SIGNS_SHARES; s++) {
        live[s] = alive[2][s] * alive[0][s] / (1 + alive[0][s]) * alive[1][s] / (1 + alive[1][s]);
        sum += live[s];
      }
    }
    for (c = 0; c < 2; c++)
      for (s = 0; s < PERMI_SIGNS_SHARES && k == own[c]; s++)
        items[c] += ways * live[s] * alive[c][s];
  }
  ways /= 2;
  for (s = 0; s < PERMI_SIGNS_SHARES; s++)
    seconds += ways * (live[s] * permi_signs_each[0][1] +
                       alive[2][s] * alive[0][s] * alive[1][s] * permi_signs_each[0][3] * (both > 8 ? 1.2 : both > 0));
  return seconds + permi_signs_each[0][2] * (items[0] + items[1]);
}

/* Swaps columns a and b, or moves a to b; rows' positions follow. */
static void permi_signs_move(permi_signs_order *order, uint64_t *positions, int n, int a, int b, int swap)
{
  const int column = order->column[a], low = 63 - (a > b ? a : b), distance = (a > b ? a - b : b - a);
  const uint64_t between = permi_signs_bits(low, distance + 1);
  if (swap) {
    order->column[a] = order->column[b];
    for (int i = 0; i < n; i++) {
      const uint64_t differ = (positions[i] >> low ^ positions[i] >> (low + distance)) & 1;
      positions[i] ^= differ << low ^ differ << (low + distance);
    }
  } else {
    for (int k = a; k != b; k += a < b ? 1 : -1)
      order->column[k] = order->column[a < b ? k + 1 : k - 1];
    for (int i = 0; i < n; i++) {
      const uint64_t set = positions[i] & between, mine = positions[i] >> (63 - a) & 1;
      positions[i] ^= set ^ (((a < b ? set << 1 : set >> 1) & between) | mine << (63 - b));
    }
  }
  order->column[b] = column;
}

PERMI_NEVER_INLINE static double permi_signs_anneal(permi_signs_model *model, permi_signs_order *order, int moves,
                                                    double heat, uint64_t *seed, permi_control *watch)
{
  permi_signs_order now = *order, trial;
  uint64_t positions[PERM_MAX_N], tried[PERM_MAX_N];
  double cost, best;
  const double cooling = pow(0.005 / heat, 1.0 / moves);
  const int n = model->n;
  int move, k;
  permi_signs_positions(model, order, positions);
  cost = best = permi_signs_expected(model, order, positions);
  for (move = 0; move < moves && !(move % 512 == 0 && permi_watch(watch, 512.0 * PERMI_SIGNS_MOVE_UNITS(n)));
       move++, heat *= cooling) {
    const int a = permi_order_below(seed, n);
    double chance = permi_order_random(seed), mantissa, limit, fresh;
    int b = permi_order_below(seed, n), swap = permi_order_below(seed, 2);
    if (!swap) {
      b = a + permi_order_below(seed, 25) - 12;
      b = b < 0 ? 0 : b >= n ? n - 1 : b;
    }
    trial = now;
    memcpy(tried, positions, sizeof tried);
    permi_signs_move(&trial, tried, n, a, b, swap);
    mantissa = frexp(chance + 1e-9, &k);
    limit = cost * (1 + heat * (2 - 2 * mantissa - k));
    fresh = permi_signs_expected(model, &trial, tried);
    if (fresh > limit)
      continue;
    now = trial;
    memcpy(positions, tried, sizeof tried);
    cost = fresh;
    if (cost < best) {
      best = cost;
      *order = now;
    }
  }
  return best;
}

typedef struct permi_signs_work {
  permi_signs_matrix matrix;
  permi_signs_model model;
  permi_signs_order order;
} permi_signs_work;

static double permi_signs_leaves(const permi_signs_model *model)
{
  double sum = 0;
  for (int s = 0; s < PERMI_SIGNS_SHARES; s++) {
    double product = model->weight[s];
    for (int i = 0; i < model->n; i++)
      product *= model->survival[i][s];
    sum += product;
  }
  return sum;
}

static void permi_signs_double(permi_signs_matrix *matrix, int column, int twice)
{
  for (int i = 0; i < matrix->n; i++) {
    const int x = matrix->entry[i][column], y = twice ? 2 * x : x / 2;
    matrix->entry[i][column] = y;
    matrix->sum[i] += y - x;
    matrix->size[i] += abs(y) - abs(x);
  }
}

/* Doubles columns so that rows can vanish, annealed against the expected leaves; returns how many. */
PERMI_NEVER_INLINE static int permi_signs_weigh(permi_signs_work *work, double rival, permi_control *watch)
{
  permi_signs_matrix *matrix = &work->matrix;
  permi_signs_model *model = &work->model;
  const int n = matrix->n;
  double was[PERM_MAX_N][PERMI_SIGNS_SHARES], cost, best, heat = 1, units = 1;
  uint64_t seed = UINT64_C(88172645463325252), doubled = 0, least = 0;
  int i, k, move, odd = 0, moves;
  for (i = 0; i < n; i++)
    odd += matrix->sum[i] & 1;
  if (!odd)
    return 0;
  permi_signs_model_make(model, matrix);
  cost = best = permi_signs_leaves(model);
  rival = fmin(rival, best * ldexp(permi_signs_each[0][3], n - 1));
  for (i = 0; i < n; i++)
    units += PERMI_SIGNS_WEIGH_UNITS * matrix->size[i] * permi_count_ones(matrix->touched[i]);
  units *= (double)permi_count_ones(matrix->touched[0]) / n; /* for the rows that change */
  moves = (int)fmin(60 * n, 1e9 / units * fmin(PERMI_ANNEAL_SHARE * rival,
                                               PERMI_SIGNS_PLAN_MOST / 2 * model->effort));
  for (move = 0; move < moves && !permi_watch(watch, units); move++, heat *= 1 - 5.0 / moves) {
    const int columns = 1 + permi_order_below(&seed, 2), first = permi_order_below(&seed, n);
    const int second = permi_order_below(&seed, n);
    const uint64_t flips = UINT64_C(1) << first ^ (columns > 1 ? UINT64_C(1) << second : 0);
    int too_large = 0;
    memcpy(was, model->survival, sizeof was);
    for (k = 0; k < n; k++)
      if (flips >> k & 1)
        permi_signs_double(matrix, k, !(doubled >> k & 1));
    for (i = 0; i < n; i++) {
      too_large |= matrix->size[i] > PERMI_SIGNS_MOST;
      if (matrix->touched[i] & flips && !too_large)
        permi_signs_survives(matrix, i, model->survival[i]);
    }
    const double fresh = too_large ? (double)INFINITY : permi_signs_leaves(model);
    if (fresh < cost * (1 + heat * (permi_order_random(&seed) + 0.01))) {
      doubled ^= flips;
      cost = fresh;
      if (cost < best) {
        best = cost;
        least = doubled;
      }
      continue;
    }
    for (k = 0; k < n; k++)
      if (flips >> k & 1)
        permi_signs_double(matrix, k, (int)(doubled >> k & 1));
    memcpy(model->survival, was, sizeof was);
  }
  for (k = 0; k < n; k++)
    if ((doubled ^ least) >> k & 1)
      permi_signs_double(matrix, k, (int)(least >> k & 1));
  return permi_count_ones(least);
}

PERMI_BRIEF_BEGIN

/* ==================================================================================== >>signs_offer
   A range is a run of living prefixes of the first columns, which are numbered, so any partition adds to the same
   integer. The price is measured: subtrees below random prefixes are searched, deep ones after random descents
   [Knu75]. */

#define PERMI_SIGNS_WORKSPACE ((PERM_MAX_N + 1) * sizeof(permi_signs_frame) + sizeof(permi_signs_walk))
#define PERMI_SIGNS_PROBES 20000
#define PERMI_SIGNS_PATHS 1048576
#define PERMI_SIGNS_MOVES 20  /* chosen: for each column, of first orders, */
#define PERMI_SIGNS_LENGTHS 3 /* with blocks of 9, 8, 7 columns */

/* Counts living prefixes of `depth` columns, up to `room`; lists them unless path is NULL. */
static uint64_t permi_signs_list(permi_signs_walk *walk, int depth, uint64_t *path, uint64_t *weight, uint64_t room,
                                 permi_control *watch)
{
  uint64_t at = 1, found = 0; /* first sign: + */
  int k = 0, alive, block, w;
  if (depth == 0)
    return 0;
  for (;;) {
    if (walk->counted[0] % 4096 == 0 && permi_watch(watch, 4096 * 20))
      return found;
    alive = walk->signs->family->step(walk, k, (int)(at >> k & 1));
    if (alive && k + 1 < depth) {
      k++;
      continue;
    }
    if (alive) {
      if (found == room)
        return found;
      if (path) {
        uint64_t left[2] = {0, 0}; /* living patterns of both blocks */
        for (block = 0; block < 2; block++)
          for (w = 0; w < PERMI_SIGNS_WORDS; w++)
            left[block] += (uint64_t)permi_count_ones(walk->frame[depth].alive[block][w]);
        path[found] = at;
        weight[found] = left[0] * left[1];
      }
      found++;
    }
    for (; k > 0 && at >> k & 1; k--)
      at &= ~(UINT64_C(1) << k);
    if (k == 0)
      return found;
    at |= UINT64_C(1) << k;
  }
}

/* Descends by random living signs; returns 2^forks, or 0 if it died. */
static double permi_signs_descend(permi_signs_walk *walk, int k, int depth, uint64_t *seed)
{
  double weight = 1;
  for (; k < depth; k++) {
    const int bit = k == 0 || permi_order_below(seed, 2), fork = k > 0;
    const int other = fork && walk->signs->family->step(walk, k, !bit);
    const int alive = walk->signs->family->step(walk, k, bit);
    if (!alive && !other)
      return 0;
    if (!alive)
      walk->signs->family->step(walk, k, !bit);
    weight *= alive && other ? 2 : 1;
  }
  return weight;
}

static void permi_signs_probe(permi_signs *signs, permi_signs_walk *walk, int deep, double share, uint64_t *seed,
                              permi_control *watch)
{
  const double slower = 1 + (signs->by_table ? permi_lanes_row(signs->isa) : 0);
  const double *each = permi_signs_each[!signs->by_table];
  const double pair = signs->narrow ? each[3] : PERMI_SIGNS_WIDE_SECONDS * signs->words * signs->n;
  double sum = 0, squares = 0, spent = 0, counts[4] = {0, 0, 0, 0};
  int probes = 0, k;
  while (probes < PERMI_SIGNS_PROBES) {
    const uint64_t path = signs->path[(uint64_t)(permi_order_random(seed) * signs->paths)];
    permi_signs_follow(walk, path, 0, signs->depth);
    memset(walk->counted, 0, sizeof walk->counted);
    const double weight = permi_signs_descend(walk, signs->depth, deep, seed);
    if (weight > 0)
      signs->family->search(walk, deep > signs->depth ? deep : signs->depth);
    for (k = 0; k < 4; k++)
      counts[k] += weight * (double)walk->counted[k];
    const double seconds = each[0] * (double)walk->counted[0] + each[1] * (double)walk->counted[1] +
                           slower * (each[2] * (double)walk->counted[2] + pair * (double)walk->counted[3]);
    spent += seconds + 2e-8 * signs->prefix;
    sum += weight * seconds;
    squares += weight * seconds * weight * seconds;
    probes++;
    if (permi_watch(watch, 1e9 * seconds + 20 * signs->prefix) || (probes >= 2 && spent > share) ||
        (probes >= 30 && squares * probes - sum * sum < 1e-4 * probes * sum * sum))
      break;
  }
  signs->seconds = sum / probes * signs->paths;
  signs->spread = 1.96 * sqrt(fmax(squares / probes - sum * sum / probes / probes, 0) / probes) * signs->paths;
  for (k = 0; k < 4; k++)
    signs->counted[k] = counts[k] / probes * signs->paths;
}

/* Neighbours cost alike: ranges are scattered by a golden section. */
static void permi_signs_cut_ranges(permi_signs *signs, uint64_t *weight, uint64_t paths)
{
  const double each = signs->gpu ? PERMI_CHUNK_SECONDS / 50 : PERMI_CHUNK_SECONDS / 5;
  const double wanted = fmin(fmin((double)paths, 262144), ceil(signs->seconds / each));
  const uint64_t ranges = UINT64_C(1) << (permi_exponent(fmax(wanted, 1)) - 1);
  uint64_t total = 0, sum = 0, i, k, *cut, *begin;
  signs->ranges = (int)ranges;
  signs->begin = begin = (uint64_t *)permi_pool_zeros(&signs->owned.pool, 2 * (size_t)ranges + 2, sizeof *begin);
  if (!begin)
    return;
  cut = begin + ranges + 1;
  for (i = 0; i < paths; i++)
    total += weight[i];
  for (i = k = 0; k < ranges; cut[++k] = i) /* below 2^20 2^18 2^18 */
    while (i < paths && (k + 1 == ranges || sum * ranges < total * (k + 1)))
      sum += weight[i++];
  memcpy(weight, signs->path, (size_t)paths * sizeof *weight);
  for (k = 0; k < ranges; k++) {
    const uint64_t from = k * ((uint64_t)(0.618 * (double)ranges) | 1) % ranges;
    begin[k + 1] = begin[k] + cut[from + 1] - cut[from];
    memcpy(signs->path + begin[k], weight + cut[from], (size_t)(begin[k + 1] - begin[k]) * sizeof *weight);
  }
}

/* Returns 0 without memory. */
static int permi_signs_ranges(permi_signs *signs, double expected, double share, permi_control *watch)
{
  const perm_allocator *allocator = &signs->owned.allocator;
  void *memory = permi_allocate(allocator, PERMI_SIGNS_WORKSPACE + 64, 1);
  permi_signs_frame *frame = (permi_signs_frame *)(void *)((char *)memory + (64 - ((uintptr_t)memory & 63)) % 64);
  permi_signs_walk *walk = (permi_signs_walk *)(void *)(frame + PERM_MAX_N + 1);
  uint64_t seed = UINT64_C(0x9e3779b97f4a7c15), found = 0, *weight;
  const double wanted = fmin(fmax(4 / PERMI_PARALLEL_SECONDS * expected, 1), PERMI_SIGNS_PATHS);
  const double *each = permi_signs_each[2], *counted = signs->counted; /* each: of one GPU */
  int depth = 1, deep, fit;
  if (!memory)
    return 0;
  permi_signs_begin(walk, signs, frame);
  for (;; depth++) {
    found = permi_signs_list(walk, depth, NULL, NULL, PERMI_SIGNS_PATHS, watch);
    if (!found || (double)found >= wanted || depth == signs->prefix || permi_watch(watch, 0))
      break;
    depth += (double)found < wanted / 64 && depth + 4 < signs->prefix ? 3 : 0;
  }
  signs->depth = depth;
  while (found == PERMI_SIGNS_PATHS && signs->depth > 1) /* some are not listed */
    found = permi_signs_list(walk, --signs->depth, NULL, NULL, PERMI_SIGNS_PATHS, watch);
  weight = (uint64_t *)permi_allocate(allocator, found + 1, sizeof *weight);
  signs->path = (uint64_t *)permi_pool_get(&signs->owned.pool, found + 1, sizeof *signs->path);
  if (signs->path && weight) {
    signs->paths = (double)permi_signs_list(walk, signs->depth, signs->path, weight, found, watch);
    deep = signs->depth + (int)(1.5 * log2(fmax(expected / fmax(signs->paths, 1) / (PERMI_PARALLEL_SECONDS / 2), 1)));
    deep = deep < signs->prefix ? deep : signs->prefix;
    signs->seconds = 0;
    if (found && !(watch && watch->stopped != PERM_OK))
      permi_signs_probe(signs, walk, deep, share, &seed, watch);
  }
  permi_release(allocator, memory);
  const double here = each[0] * counted[0] + each[1] * counted[1] + each[2] * counted[2] +
                      each[3] * (1 + signs->shared_words) * counted[3];
  signs->gpu_seconds = PERMI_GPU_COMPILE + here * (signs->gpu ? permi_gpu_slower(PERM_GPU_32) : 1);
  fit = signs->bits[0] < 62 && signs->bits[1] < 62 && signs->bits[2] < 62 && signs->bits[3] < 62;
  /* a range may have all prefixes */
  signs->gpu &= found && (signs->by_table || fit) && signs->sum_bits < 189 && signs->prefix > signs->depth &&
                signs->prefix < 58 && (signs->isa_asked == PERM_ISA_CUDA || signs->seconds > signs->gpu_seconds);
  if (signs->path && weight)
    permi_signs_cut_ranges(signs, weight, found);
  permi_release(allocator, weight);
  return !signs->owned.pool.failed && weight;
}

/* Returns 0 if sums are too large for counts. */
static int permi_signs_read(const permi_block *block, int side, permi_signs_matrix *matrix)
{
  const int n = block->n, mine = side * n, other = n - mine;
  memset(matrix, 0, sizeof *matrix);
  matrix->n = n;
  for (int i = 0; i < n; i++)
    for (int e = block->start[mine + i]; e < block->start[mine + i + 1]; e++) {
      const int64_t x = block->integer[block->edge[e]];
      const int j = block->neighbour[e] - other;
      if (x < -PERMI_SIGNS_MOST || x > PERMI_SIGNS_MOST || (matrix->size[i] += abs((int)x)) > PERMI_SIGNS_MOST)
        return 0;
      matrix->sum[i] += (int)x;
      matrix->entry[i][j] = (int)x;
      matrix->touched[i] |= UINT64_C(1) << j;
    }
  return 1;
}

static int permi_signs_takes(const permi_maker *maker, const permi_block *block, permi_offer *offer)
{
  const perm_precision precision = maker->options->precision;
  if (block->n > PERM_MAX_N)
    permi_refuse(offer, PERM_ERROR_LIMIT, "is larger than the %d columns that signs take: try method frontier",
                 PERM_MAX_N);
  else if (!block->integer)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has %s: method sign-search takes exact integers; try method hybrid",
                 precision == PERM_PRECISION_DEFAULT ? "real or complex entries" : "rounded numbers asked for");
  else if (block->imaginary_integer)
    permi_refuse(offer, PERM_ERROR_UNSUPPORTED,
                 "has Gaussian integers, which method sign-search does not take: try frontier");
  return !offer->why[0];
}

/* Than a core, at most. */
static double permi_signs_faster(const perm_options *options, int n)
{
  return permi_gpu_wanted(options, n) ? fmax(PERMI_SIGNS_GPU_FASTER / permi_gpu_slower(PERM_GPU_32), 1) : 1;
}

/* Returns the seconds that the order may take, and again the probes. */
static double permi_signs_share(const permi_signs_model *model, double seconds, double rival, double faster)
{
  seconds = faster > 1 ? PERMI_SIGNS_GPU_PLAN * (PERMI_GPU_COMPILE + seconds / faster) : seconds;
  return fmin(PERMI_ANNEAL_SHARE * fmin(seconds, rival), PERMI_SIGNS_PLAN_MOST * model->effort);
}

/* Tries blocks of several lengths while it pays. Returns the expected seconds. */
static double permi_signs_search_order(permi_signs_model *model, double rival, double faster, permi_control *watch,
                                       int *moves, permi_signs_order *best)
{
  const int n = model->n;
  uint64_t seed = UINT64_C(88172645463325252);
  double least = (double)INFINITY, cost;
  permi_signs_order order;
  *moves = 0;
  int each = (int)fmin(PERMI_SIGNS_MOVES * n, 10 * n + PERMI_ANNEAL_SHARE * rival * 1e9 /
                                                       (PERMI_SIGNS_LENGTHS * PERMI_SIGNS_MOVE_UNITS(n)));
  for (int round = 0;; round++) {
    if (round < PERMI_SIGNS_LENGTHS) {
      const int length = permi_clamp(PERMI_SIGNS_BLOCK - round, 0, (n - 1) / 2);
      for (int k = 0; k < n; k++)
        order.column[k] = k;
      order.length[0] = order.length[1] = length;
      order.prefix = n - 2 * length;
    } else {
      order = *best;
      each *= 2;
    }
    cost = permi_signs_anneal(model, &order, each, round < PERMI_SIGNS_LENGTHS ? 0.3 : 0.1, &seed, watch);
    *moves += each;
    if (cost < least) {
      least = cost;
      *best = order;
    }
    if ((watch && watch->stopped != PERM_OK) ||
        (round + 1 >= PERMI_SIGNS_LENGTHS &&
         1e-9 * PERMI_SIGNS_MOVE_UNITS(n) * 2 * each > permi_signs_share(model, least, rival, faster)))
      return least;
  }
}

static uint64_t permi_signs_hash(const permi_signs *signs, const permi_signs_matrix *matrix,
                                 const permi_signs_order *order)
{
  const int n = matrix->n;
  uint64_t hash = permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)n), (uint64_t)signs->depth);
  hash = permi_hash(permi_hash(hash, (uint64_t)order->length[0]), (uint64_t)order->length[1]);
  for (int j = 0; j < n; j++)
    hash = permi_hash(hash, (uint64_t)order->column[j]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (matrix->entry[i][j])
        hash = permi_hash(permi_hash(hash, (uint64_t)(i * n + j)), (uint64_t)(int64_t)matrix->entry[i][j]);
  return permi_hash(hash, ~(uint64_t)signs->ranges);
}

/* Reads the side that leaves fewer leaves, with weights; returns how many columns are doubled, -1: too large. */
static int permi_signs_prepare(const permi_block *block, permi_signs_work *work, double rival, permi_control *watch)
{
  double least = (double)INFINITY;
  int side, best = -1, doubled = -1;
  work->model.effort = fmax(watch->options->plan_effort, 1);
  for (side = 0; side < 3; side++) {
    if (side == 2 && best) /* none, or this side was read last */
      break;
    if (!permi_signs_read(block, side & 1, &work->matrix))
      continue;
    doubled = permi_signs_weigh(work, rival, watch);
    permi_signs_model_make(&work->model, &work->matrix);
    if (permi_signs_leaves(&work->model) < least) {
      least = permi_signs_leaves(&work->model);
      best = side;
    }
  }
  return doubled;
}

static perm_status permi_signs_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const perm_options *options = maker->options;
  perm_options open = *options;
  permi_signs *signs;
  double expected, share, plan = rival, faster;
  int i, made = 0;
  if (!permi_signs_takes(maker, block, offer))
    return PERM_OK;
  if (maker->offers) /* orders and probes share what other engines left */
    plan = fmin(rival, 1e-9 * permi_account_left(maker->account, rival) / (2 * PERMI_ANNEAL_SHARE));
  if (plan < PERMI_SIGNS_LEAST_SECONDS)
    return permi_refuse(offer, PERM_ERROR_LIMIT,
                        "is not searched: other plans took the time that a run of %s deserves",
                        permi_time_words(rival).text);
  faster = permi_signs_faster(options, block->n);
  open.isa = open.isa == PERM_ISA_CUDA ? PERM_ISA_AUTO : open.isa; /* probes run on the CPU */
  const perm_isa isa = permi_isa(&open);
  permi_signs_work *work = (permi_signs_work *)permi_allocate(allocator, 1, sizeof *work);
  offer->plan = signs = (permi_signs *)permi_owned_new(allocator, sizeof *signs);
  if (work && signs) {
    made = 1;
    signs->isa = permi_lanes(isa) < 4 ? PERM_ISA_PLAIN : isa;
    signs->isa_asked = options->isa;
    signs->gpu = permi_gpu_wanted(options, block->n);
    signs->family = PERMI_OF_X86(permi_signs_family, signs->isa);
    signs->twos = permi_signs_prepare(block, work, plan, maker->watch);
    if (signs->twos < 0)
      permi_refuse(offer, PERM_ERROR_LIMIT,
                   "has rows whose moduli add up to more than the %d that method sign-search counts: try method "
                   "sparyser",
                   PERMI_SIGNS_MOST);
    else if (permi_signs_leaves(&work->model) * ldexp(permi_signs_each[0][0] / 3.5, block->n - 1) > rival * faster)
      permi_refuse(offer, PERM_ERROR_LIMIT, "takes more than %s: too few signs are pruned",
                   permi_time_words(rival).text);
  }
  if (made && !offer->why[0]) {
    expected = permi_signs_search_order(&work->model, plan, faster, maker->watch, &signs->moves, &work->order);
    share = permi_signs_share(&work->model, expected, plan, faster);
    if (expected > PERMI_SIGNS_HOPE * rival * faster)
      permi_refuse(offer, PERM_ERROR_LIMIT, "takes about %s, more than others",
                   permi_time_words(expected / faster).text);
    else
      made = permi_signs_lay(signs, &work->matrix, &work->order) &&
             permi_signs_ranges(signs, expected, share, maker->watch);
    for (i = 0; i < block->n; i++)
      signs->evens += !(work->matrix.sum[i] & 1);
    signs->fingerprint = permi_signs_hash(signs, &work->matrix, &work->order);
    if (made && !offer->why[0] && options->isa == PERM_ISA_CUDA && !signs->gpu)
      permi_refuse(offer, PERM_ERROR_UNSUPPORTED,
                   "is too small or has too large sums for method sign-search on GPUs: leave options.isa open, and it "
                   "runs on the CPU");
    if (made && !offer->why[0])
      offer->seconds = signs->gpu ? signs->gpu_seconds : signs->seconds;
    offer->bytes = 16.0 * signs->paths + (double)PERMI_SIGNS_WORKSPACE + 1e6;
  }
  permi_release(allocator, work);
  return made ? PERM_OK : permi_fail_memory(maker->result);
}

/* Takes twice what a short search expects, where greedy orders of the frontier take longer. */
static perm_status permi_signs_least(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const double faster = permi_signs_faster(maker->options, block->n);
  permi_offer takes;
  int moves;
  memset(&takes, 0, sizeof takes);
  offer->least = fmax(offer->least, PERMI_SIGNS_LEAST_SECONDS);
  if (!(PERMI_ESCALATE_SECONDS < rival) || block->edges < PERMI_SIGNS_HOPE_ENTRIES * block->n ||
      !permi_signs_takes(maker, block, &takes))
    return PERM_OK;
  permi_signs_work *work = (permi_signs_work *)permi_allocate(&maker->options->allocator, 1, sizeof *work);
  if (!work)
    return permi_fail_memory(maker->result);
  if (permi_signs_prepare(block, work, PERMI_SIGNS_LEAST_SECONDS, maker->watch) >= 0)
    offer->likely = 2 / faster * permi_signs_search_order(&work->model, PERMI_SIGNS_LEAST_SECONDS, 1, maker->watch,
                                                          &moves, &work->order) +
                    (faster > 1 ? PERMI_GPU_COMPILE : 0);
  permi_release(&maker->options->allocator, work);
  return PERM_OK;
}

static size_t permi_signs_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_signs *signs = (const permi_signs *)leaf->context;
  const int *place = signs->place;
  return permi_say(
      buffer, size,
      "signs, order %d, %s: %d columns one by one, blocks of %d and %d; %d rows end branches, %d and %d thin out a "
      "block, %d join both; %d sums of rows even, %d columns doubled; %d moves of annealing\n"
      "signs: about %.3g nodes, %.3g joins of %.3g patterns in %.3g pairs, of 2^%d; predicted %.3g s +- %.2g%% (95 %%, "
      "by random probes); %.0f prefixes of %d columns in %d ranges\n",
      signs->n, perm_name("isa", leaf->information.isa), signs->prefix, signs->length[0], signs->length[1],
      place[4] - place[3], place[2] - place[1], place[3] - place[2], place[1], signs->evens,
      signs->twos, signs->moves, signs->counted[0],
      signs->counted[1], signs->counted[2], signs->counted[3], signs->n - 1, leaf->information.seconds,
      signs->seconds > 0 ? 100 * signs->spread / signs->seconds : 0.0, signs->paths, signs->depth, signs->ranges);
}

static perm_status permi_signs_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  permi_signs *signs = (permi_signs *)offer->plan;
  const int shift = signs->evens + 1 - signs->n - signs->twos; /* even sums: halved */
  (void)maker;
  (void)block;
  signs->doubled = shift > 0;
  permi_leaf_ranges(leaf, signs->gpu ? PERM_ISA_CUDA : signs->isa, (uint64_t)signs->ranges,
                    signs->counted[0] + signs->counted[3], signs->fingerprint, permi_signs_chunk, PERMI_SIGNS_WORKSPACE,
                    permi_signs_explain);
  leaf->integer = 1;
  leaf->scale_exp2 = shift > 0 ? 0 : shift;
  return signs->gpu ? permi_signs_gpu_make(maker, signs, leaf) : PERM_OK;
}

PERMI_BRIEF_END

/* ======================================================================================== >>sorting
   A step expands its terms (takes: states that streams move), sorts them by state (keys of
   mask_words words), adds equal ones. */

/* A term; `key` is the word of its state by which it is sorted. */
typedef struct permi_term {
  uint64_t key;
  permi_take take;
} permi_term;

static uint64_t permi_sorting_key(const permi_run *run, int p, permi_take take, int w)
{
  const permi_frontier *frontier = run->frontier;
  return run->list[p & 1].high[(size_t)take.group * (size_t)frontier->mask_words + (size_t)w] ^
         permi_stream_word(frontier, (int)take.stream, 2, w);
}

static perm_status permi_sorting_step(permi_run *run, int p)
{
  const permi_frontier *frontier = run->frontier;
  const size_t words = (size_t)frontier->mask_words, bytes = permi_value_bytes(frontier);
  const permi_list *source = &run->list[p & 1];
  permi_list *target = &run->list[(p + 1) & 1];
  const perm_allocator *allocator = run->base.pool.allocator;
  const size_t most = source->states * (size_t)(frontier->stream_start[p + 1] - frontier->stream_start[p]);
  permi_term *const memory = (permi_term *)permi_allocate(allocator, most, 2 * sizeof *memory);
  permi_term *term = memory, *other = memory + most, *sorted;
  perm_status status = PERM_OK;
  size_t count = 0, k;
  if (!memory)
    return PERM_ERROR_MEMORY;
  permi_run_prepare(run, p);
  for (int s = frontier->stream_start[p]; s < frontier->stream_start[p + 1] && status == PERM_OK; s++) {
    for (k = 0; k < source->states; k++) {
      uint64_t differs = 0;
      int ones = 0;
      for (int w = 0; w < frontier->mask_words; w++)
        differs |= (source->high[k * words + (size_t)w] & permi_stream_word(frontier, s, 0, w)) ^
                   permi_stream_word(frontier, s, 1, w);
      for (int w = 0; w < frontier->mask_words && frontier->rows; w++)
        ones += permi_count_ones(source->high[k * words + (size_t)w] ^ permi_stream_word(frontier, s, 2, w) ^
                                 run->rows[w]);
      if (differs || (frontier->rows && ones > frontier->most[p + 1]))
        continue;
      term[count].take.group = (uint32_t)k;
      term[count++].take.stream = (uint32_t)s;
    }
    status = permi_runner_poll(&run->base, (double)source->states, run->base.done, 0);
  }
  count = status == PERM_OK ? count : 0;
  for (int w = 0; w < frontier->mask_words; w++) {
    for (k = 0; k < count; k++)
      term[k].key = permi_sorting_key(run, p, term[k].take, w);
    sorted = (permi_term *)permi_sort(term, other, count, sizeof *term, NULL);
    other = sorted == term ? other : term;
    term = sorted;
  }
  target->states = 0;
  for (k = 0; k < count; k++) {
    const permi_take take = term[k].take;
    uint64_t key[PERMI_MASK_WORDS];
    for (int w = 0; w < frontier->mask_words; w++)
      key[w] = permi_sorting_key(run, p, take, w);
    if (k == 0 || memcmp(key, target->high + (target->states - 1) * words, words * sizeof *key)) {
      memcpy(target->high + target->states * words, key, words * sizeof *key);
      memset((char *)target->value + target->states++ * bytes, 0, bytes);
    }
    permi_values_add(&frontier->numbers, &frontier->coefficient[take.stream],
                     (char *)target->value + (target->states - 1) * bytes,
                     (const char *)source->value + take.group * bytes, 1);
  }
  if (run->tracking)
    permi_values_track(frontier->numbers.algebra, target->value, target->states, &run->base.sizes);
  permi_release(allocator, memory);
  return status;
}

static perm_status permi_sorting_run(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  return permi_frontier_run_by(leaf, control, permi_sorting_step, partial);
}

/* =================================================================================== >>transversals
   For blocks with few perfect matchings M: per A = sum over M of the product of a_ij over (i, j) in M. Depth first, it
   takes the free vertex with the fewest choices. Products are double-doubles or long integers.

   Symbols    here
     M        the edges `at` of the levels
     a_ij     coefficient[edge[e]], e among the neighbours of a vertex

   THE BOUND. A term has n double-double operations (rounded entries as in >>steps); the sum is exact
   (tests/proofs/doubles.g).

   The frame of the engines of papers: a walk over a tree of choices, whose leaves add up. Chunks share the tree: the
   ways out of a node are divided among its chunks, whose sums are exact. */

#define PERMI_WALK_CHUNKS 4096      /* at most, unless they would take longer */
#define PERMI_WALK_CHUNK_SECONDS 0.25
#define PERMI_WALK_PIECE_SECONDS 1e-3 /* at least, of a chunk */
#define PERMI_WALK_LOOK_SECONDS 2e-3  /* predicted, between looks at the stop */
#define PERMI_WALK_WINDOW 64 /* chunks of each thread before they are merged */
#define PERMI_WALK_PROBES 48
#if !defined(PERMI_WALK_GRACE_SECONDS)
#define PERMI_WALK_GRACE_SECONDS 0.1 /* predicted: a shorter chunk is finished even after a stop */
#endif

typedef struct permi_ways {
  uint64_t begin, end, chunk; /* chunks that share the node, the one that walks */
  double weight;              /* paths that a probe stands for; else 1 */
  uint64_t seed;              /* of a probe; else 0 */
  struct permi_walking *walking; /* NULL: nothing stops the walk */
  double choices, work, look; /* counted; predicted seconds; at the next look */
  int thread, stopped;
} permi_ways;

typedef struct permi_walking {
  const permi_leaf *leaf;
  permi_control *control;
  uint64_t begin, window; /* the first chunks of the range, of the slots */
  double each;            /* predicted seconds of a chunk */
  perm_partial *slot;
  void *memory;
  int stop; /* a perm_status that thread 0 writes */
} permi_walking;

/* Gives the chunk the ways [*first, *last) of `count`, a probe one at random [Knu75]. */
static void permi_ways_take(permi_ways *ways, int count, int *first, int *last)
{
  const uint64_t chunks = ways->end - ways->begin, mine = ways->chunk - ways->begin, n = (uint64_t)count;
  if (ways->seed) {
    *first = (int)(permi_order_random(&ways->seed) * count);
    *last = *first + 1;
    ways->weight *= count;
  } else {
    const uint64_t next = (mine + 1) * n / chunks;
    *first = (int)(mine * n / chunks);
    *last = next > (uint64_t)*first ? (int)next : *first + 1;
    ways->end = ways->begin + (chunks * (uint64_t)*last + n - 1) / n;
    ways->begin += (chunks * (uint64_t)*first + n - 1) / n;
  }
}

/* The first chunk of those that walk a node counts it. */
static int permi_ways_mine(const permi_ways *ways)
{
  return ways->chunk == ways->begin;
}

static int permi_walking_poll(permi_walking *walking, int thread, uint64_t chunk)
{
  int stop;
  if (!thread) {
    stop = (int)permi_control_poll_range(walking->control, (double)(chunk - walking->begin) * walking->each, "walking");
    PERMI_OMP(atomic write)
    walking->stop = stop;
  }
  PERMI_OMP(atomic read)
  stop = walking->stop;
  return stop;
}

/* Returns 1 if the chunk is given up, as branches have any size. */
static int permi_ways_stop(permi_ways *ways, double seconds)
{
  ways->choices += permi_ways_mine(ways) ? ways->weight : 0;
  ways->work += ways->weight * seconds;
  if (ways->work >= ways->look && ways->walking && !ways->stopped) {
    ways->look = ways->work + PERMI_WALK_LOOK_SECONDS;
    const int stop = permi_walking_poll(ways->walking, ways->thread, ways->chunk);
    ways->stopped = stop && stop != PERMI_CHECKPOINT_DUE;
  }
  return ways->stopped;
}

static perm_status permi_walking_chunk(void *context, uint64_t chunk, int thread)
{
  permi_walking *walking = (permi_walking *)context;
  const permi_leaf *leaf = walking->leaf;
  perm_partial *partial = &walking->slot[chunk - walking->window];
  permi_ways *ways = (permi_ways *)permi_workspace_of(leaf, walking->memory, thread);
  const permi_ways root = {0, leaf->information.chunks, chunk, 1, 0, walking->control ? walking : NULL, 0, 0,
                           PERMI_WALK_GRACE_SECONDS, thread, 0};
  *ways = root;
  leaf->run_chunk(leaf, chunk, ways, partial);
  if (!ways->stopped) {
    partial->fingerprint = leaf->information.fingerprint;
    permi_partial_count(partial, chunk, chunk + 1);
  }
  return thread || !walking->control ? PERM_OK
         : (perm_status)(ways->stopped ? walking->stop : permi_walking_poll(walking, 0, chunk + 1));
}

/* run_range of leaves whose workspace begins with permi_ways. Chunks are merged in order: what is done is a prefix. */
static perm_status permi_walk_range(const permi_leaf *leaf, uint64_t begin, uint64_t end, permi_control *control,
                                    perm_partial *partial)
{
  permi_pool pool = {&((const permi_owned *)leaf->context)->allocator, NULL, 0};
  const int threads = control && leaf->threaded ? permi_threads(control->options) : 1;
  const uint64_t room = PERMI_WALK_WINDOW * (uint64_t)threads;
  permi_walking walking = {leaf, control, begin, begin, leaf->information.seconds / (double)leaf->information.chunks,
                           NULL, NULL, PERM_OK};
  walking.slot = (perm_partial *)permi_pool_get(&pool, (size_t)room, sizeof *walking.slot);
  walking.memory = permi_pool_get(&pool, (size_t)threads + 1, permi_workspace_each(leaf));
  perm_status status = pool.failed ? PERM_ERROR_MEMORY : PERM_OK;
  while (begin < end && status == PERM_OK) {
    const uint64_t last = end - begin < room ? end : begin + room;
    walking.window = begin;
    memset(walking.slot, 0, (size_t)room * sizeof *walking.slot);
    status = permi_share(threads, begin, last, permi_walking_chunk, &walking, NULL);
    for (; begin < last && walking.slot[begin - walking.window].chunks; begin++)
      perm_partial_merge(partial, &walking.slot[begin - walking.window]);
  }
  permi_pool_release(&pool);
  return begin == end ? PERM_OK : status;
}

static uint64_t permi_walk_chunks(double pieces, double seconds, int ways)
{
  const double most = fmax(fmin(PERMI_WALK_CHUNKS, pieces), seconds / PERMI_WALK_CHUNK_SECONDS);
  uint64_t chunks = 1;
  while (2 * (double)chunks <= most && chunks < (UINT64_C(1) << 63) / (uint64_t)ways)
    chunks *= 2;
  return chunks;
}

typedef struct permi_walk_plan {
  permi_owned owned;
  permi_numbers numbers;
  int n, ways;            /* at most, out of a node */
  size_t bytes, workspace; /* of a value; behind permi_ways */
  double choices, bound, estimate; /* relative */
  void (*run)(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial);
} permi_walk_plan;

/* Estimates choices and seconds by random descents [Knu75]. */
static perm_status permi_walk_offer(const permi_maker *maker, permi_walk_plan *plan, double look, permi_offer *offer)
{
  const perm_options *options = maker->options;
  permi_ways *ways = (permi_ways *)permi_allocate(&options->allocator, sizeof *ways + plan->workspace, 1);
  uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
  perm_partial ignored;
  permi_leaf leaf;
  double seconds = 0;
  if (!ways)
    return permi_fail_memory(maker->result);
  memset(&ignored, 0, sizeof ignored);
  memset(&leaf, 0, sizeof leaf);
  leaf.context = plan;
  for (int probe = 0; probe < PERMI_WALK_PROBES && !permi_watch(maker->watch, look); probe++) {
    const permi_ways root = {0, 1, 0, 1, seed, NULL, 0, 0, 0, 0, 0};
    *ways = root;
    plan->run(&leaf, 0, ways, &ignored);
    seed = ways->seed;
    plan->choices += (ways->choices - plan->choices) / (probe + 1);
    seconds += (ways->work - seconds) / (probe + 1);
  }
  permi_release(&options->allocator, ways);
  offer->seconds = 1e-6 + seconds;
  offer->bytes += (double)plan->workspace;
  if (!(seconds < 1e300))
    return permi_refuse(offer, PERM_ERROR_LIMIT, "has too many perfect matchings to enumerate");
  if (options->max_seconds > 0 && seconds > options->max_seconds && !permi_in_pieces(options))
    permi_refuse(offer, PERM_ERROR_LIMIT, "is predicted to take %s, over max_seconds = %.3g",
                 permi_time_words(seconds).text, options->max_seconds);
  return PERM_OK;
}

/* `plan`: a hash of what else decides the terms. */
static uint64_t permi_walk_hash(const permi_block *block, uint64_t plan)
{
  uint64_t hash = permi_hash(PERMI_HASH_START, plan);
  permi_numbers as_given;
  memset(&as_given, 0, sizeof as_given);
  for (int i = 0; i < block->n; i++)
    for (int e = block->start[i]; e < block->start[i + 1]; e++) {
      const permi_coefficient c = permi_coefficient_of(block, block->edge[e], &as_given);
      hash = permi_coefficient_hash(permi_hash(hash, (uint64_t)i << 32 | (uint64_t)block->neighbour[e]), &c);
    }
  return hash;
}

static size_t permi_walk_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const perm_leaf *information = &leaf->information;
  return permi_say(buffer, size, "%s, order %d: about %.3g choices, terms in %s, predicted %.3g s, %.0f chunks\n",
                   perm_name("method", information->method), information->n, information->work,
                   leaf->integer ? "integers" : information->method == PERM_METHOD_DECOMPOSE ? "doubles with moduli"
                                                                                             : "double-doubles",
                   information->seconds, (double)information->chunks);
}

static perm_status permi_walk_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  const permi_walk_plan *plan = (const permi_walk_plan *)offer->plan;
  const double pieces = offer->seconds / PERMI_WALK_PIECE_SECONDS;
  permi_leaf_ranges(leaf, PERM_ISA_PLAIN, permi_walk_chunks(pieces, offer->seconds, plan->ways), plan->choices,
                    permi_walk_hash(block, plan->numbers.modulus + (uint64_t)plan->numbers.words), plan->run,
                    sizeof(permi_ways) + plan->workspace, permi_walk_explain);
  leaf->integer = block->integer != NULL;
  leaf->modulus = plan->numbers.modulus;
  leaf->run_range = permi_walk_range;
  leaf->threaded = 1;
  if (leaf->integer)
    return PERM_OK;
  leaf->bound_relative = plan->bound;
  leaf->estimate_relative = plan->estimate;
  if (maker->working->lost_error > 0)
    leaf->bound_absolute = leaf->estimate_absolute = 2 * (DBL_MIN + maker->working->lost_error);
  return PERM_OK;
}

#define PERMI_TRANSVERSALS_SAFE_EXP2 -896  /* products above 2^this have the counted error: 1e-270 */
#define PERMI_TRANSVERSALS_SECONDS 1e-7    /* a choice */
#define PERMI_TRANSVERSALS_VERTEX 2e-9
#define PERMI_TRANSVERSALS_GONE (1 << 30)  /* added to the degree of a matched vertex */

typedef struct permi_transversals {
  permi_walk_plan plan;
  int *start, *neighbour, *edge;
  permi_coefficient *coefficient;
} permi_transversals;

/* way: the free neighbour at the edge; first, last: the chunk's. */
typedef struct permi_matching_level {
  int vertex, at, way, first, last;
} permi_matching_level;

/* Takes a vertex out of the graph (step -1) or back (1). */
static void permi_matching_move(const permi_transversals *all, int *degree, int v, int step)
{
  degree[v] -= step * PERMI_TRANSVERSALS_GONE;
  for (int e = all->start[v]; e < all->start[v + 1]; e++)
    degree[all->neighbour[e]] += step;
}

static void permi_matching_open(const permi_transversals *all, permi_ways *ways, const int *degree,
                                permi_matching_level *level)
{
  memset(level, 0, sizeof *level);
  for (int v = 0; v < 2 * all->plan.n && degree[level->vertex] > 1; v++)
    if (degree[v] < degree[level->vertex])
      level->vertex = v;
  if (degree[level->vertex] > 0)
    permi_ways_take(ways, degree[level->vertex], &level->first, &level->last);
  level->at = all->start[level->vertex] - 1;
  level->way = -1;
}

static void permi_transversals_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_transversals *all = (const permi_transversals *)leaf->context;
  const permi_numbers *numbers = &all->plan.numbers;
  const int n = all->plan.n, integers = permi_algebra_is_integer(numbers->algebra);
  const double seconds = PERMI_TRANSVERSALS_SECONDS + PERMI_TRANSVERSALS_VERTEX * n;
  const double safe = ldexp(1, PERMI_TRANSVERSALS_SAFE_EXP2);
  permi_ways *ways = (permi_ways *)workspace;
  char *product = (char *)(ways + 1); /* of a level, and of the next */
  permi_matching_level *const root = (permi_matching_level *)(void *)(product + ((size_t)n + 1) * all->plan.bytes);
  permi_matching_level *level = root;
  int *degree = (int *)(void *)(root + n), v;
  (void)chunk;
  permi_value_one(numbers, product);
  for (v = 0; v < 2 * n; v++)
    degree[v] = all->start[v + 1] - all->start[v];
  permi_matching_open(all, ways, degree, level);
  for (;;) {
    const int taken = level->way >= level->first, way = taken ? level->way + 1 : level->first;
    char *next = product + all->plan.bytes;
    if (taken) {
      permi_matching_move(all, degree, all->neighbour[level->at], 1);
      permi_matching_move(all, degree, level->vertex, 1);
    }
    if (way >= level->last) {
      if (level-- == root)
        return;
      product -= all->plan.bytes;
      continue;
    }
    if (permi_ways_stop(ways, seconds))
      return;
    while (level->way < way)
      level->way += degree[all->neighbour[++level->at]] < PERMI_TRANSVERSALS_GONE / 2;
    permi_matching_move(all, degree, level->vertex, -1);
    permi_matching_move(all, degree, all->neighbour[level->at], -1);
    permi_values_adders[numbers->algebra](numbers, &all->coefficient[all->edge[level->at]], next, product, NULL, 1, 1);
    if (level + 1 < root + n) {
      permi_matching_open(all, ways, degree, ++level);
      product = next;
    } else if (permi_ways_mine(ways)) {
      partial->terms++;
      permi_value_sum(numbers, next, partial);
      /* a product below the safe power stays there, computed and true, as entries are at most 1: it counts as lost */
      if (!integers && ((const double *)(const void *)(next + all->plan.bytes))[-1] < safe)
        partial->lost += 8 * safe;
    }
  }
}

static perm_status permi_transversals_offer(permi_maker *maker, const permi_block *block, double rival,
                                            permi_offer *offer)
{
  const size_t n = (size_t)block->n, edges = (size_t)block->edges;
  permi_transversals *all = (permi_transversals *)permi_owned_new(&maker->options->allocator, sizeof *all);
  (void)rival;
  offer->plan = all;
  if (!all)
    return permi_fail_memory(maker->result);
  permi_pool *pool = &all->plan.owned.pool;
  all->plan.n = all->plan.ways = block->n;
  all->plan.run = permi_transversals_chunk;
  if (!permi_numbers_choose_moduli(&all->plan.numbers, block, maker->working->modulus, 1))
    return permi_refuse_long(offer);
  all->plan.bytes = sizeof(double) * permi_numbers_words(&all->plan.numbers);
  all->plan.workspace = (n + 1) * all->plan.bytes + n * (sizeof(permi_matching_level) + 2 * sizeof(int));
  all->start = (int *)permi_pool_kept(pool, block->start, 2 * n + 1, sizeof(int));
  all->neighbour = (int *)permi_pool_kept(pool, block->neighbour, 2 * edges, sizeof(int));
  all->edge = (int *)permi_pool_kept(pool, block->edge, 2 * edges, sizeof(int));
  all->coefficient = (permi_coefficient *)permi_pool_get(pool, edges, sizeof *all->coefficient);
  if (pool->failed)
    return permi_fail_memory(maker->result);
  for (int k = 0; k < block->edges; k++)
    all->coefficient[k] = permi_coefficient_of(block, k, &all->plan.numbers);
  offer->bytes = 8.0 * (double)n + (16.0 + sizeof(permi_coefficient)) * (double)edges;
  const double roundings = block->rounded ? permi_entry_roundings(maker->working, maker->working->n) : 0;
  all->plan.bound = all->plan.estimate = (permi_gamma(roundings) + (double)n * PERMI_DD_UNIT) /
                                         (1 - permi_gamma((double)n + roundings)) * (1 + 8 * PERMI_UNIT);
  return permi_walk_offer(maker, &all->plan, 4.0 * (double)(n * n), offer);
}

/* ======================================================================================= >>sparyser
   Methods sparyser (SpaRyser of [SUP]) and dominating ([LM, appendix B]): Ryser's sum over sets of compressed columns,
   as a tree, in the order of [EK] (>>codegen).

   Symbols     here
     J         the columns in the sum: a Gray code over digits, which are columns or groups
     S_1 ...   dominating: neighbourhoods of rows without common columns. Digits are their non-empty subsets; others
               leave a row empty
     row sums  x or integer: exact, on a grid of a power of two
     products  product or wide of a level, over rows of slower digits; 0 ends the branch
   A row belongs to the fastest digit that touches it: then its sum is final.

   Terms: over all sets J, (-1)^(n - |J|) prod_i sum_{j in J} a_ij [Rys63], rows without a column cut branches; or by
   Nijenhuis and Wilf over sets without column c, (-1)^(n-1) 2 (-1)^|J| prod_i (a_ic - r_i / 2 + sum_{j in J} a_ij),
   r_i the row's sum: half as many terms, hardly a zero. */

#define PERMI_RYSER_CHUNK_NODES 16384 /* moves, at least */
#define PERMI_RYSER_MOVE_SECONDS 5e-9
#define PERMI_RYSER_ENTRY_SECONDS 2e-9 /* an entry changed, a row multiplied */

typedef struct permi_ryser {
  int n, parts, integers, halves, digits, groups, transposed, on_grid, pairs;
  int radix[PERM_MAX_N], least[PERM_MAX_N];    /* Gray codes run from least */
  int digit_start[PERM_MAX_N + 1], column[PERM_MAX_N], column_start[PERM_MAX_N + 1];
  int level_start[PERM_MAX_N + 2], row[PERM_MAX_N]; /* by digits; then of none */
  double nodes, terms, seconds, growth, bits, moved[PERM_MAX_N];
  int buried;                                 /* an entry lost over 2^-20 of itself */
  double widest, base[2][PERM_MAX_N];
  unsigned char touched[PERM_MAX_N * PERM_MAX_N];
  double value[2][PERM_MAX_N * PERM_MAX_N];
  int64_t integer[PERM_MAX_N * PERM_MAX_N];
} permi_ryser;

typedef struct permi_ryser_walk {
  const permi_ryser *ryser;
  double x[2][PERM_MAX_N], product[2][PERM_MAX_N + 2], absolute;
  int64_t integer[PERM_MAX_N];
  permi_wide wide[PERM_MAX_N + 2], sum;
  permi_dd total[2];
  int code[PERM_MAX_N], sign;
  uint64_t terms;
} permi_ryser_walk;

static PERMI_ALWAYS_INLINE void permi_ryser_flip(permi_ryser_walk *walk, int k, int on)
{
  const permi_ryser *ryser = walk->ryser;
  const int begin = ryser->column_start[k], end = ryser->column_start[k + 1];
  walk->sign = -walk->sign;
  if (ryser->integers) {
    for (int e = begin; e < end; e++)
      walk->integer[ryser->touched[e]] += on ? ryser->integer[e] : -ryser->integer[e];
    return;
  }
  for (int e = begin; e < end; e++) /* looping over parts takes 1.08 times as long */
    walk->x[0][ryser->touched[e]] += on ? ryser->value[0][e] : -ryser->value[0][e];
  for (int e = begin; e < end && ryser->parts == 2; e++)
    walk->x[1][ryser->touched[e]] += on ? ryser->value[1][e] : -ryser->value[1][e];
}

/* Returns 0 if the product is 0. */
static PERMI_ALWAYS_INLINE int permi_ryser_multiply(permi_ryser_walk *walk, int digit)
{
  const permi_ryser *ryser = walk->ryser;
  const int end = ryser->level_start[digit + 1];
  double re = walk->product[0][digit + 1], im = walk->product[1][digit + 1];
  int i = ryser->level_start[digit];
  if (ryser->integers) { /* below 2^126: the upper half has the sign */
    permi_wide product = walk->wide[digit + 1];
    for (; i < end; i++) {
      permi_wide next = {0, 0};
      permi_wide_add_product(&next, &product, walk->integer[ryser->row[i]]);
      product = next;
    }
    walk->wide[digit] = product;
    return product.low || product.high;
  }
  for (; i < end && ryser->parts == 1; i++)
    re *= walk->x[0][ryser->row[i]];
  for (; i < end; i++) {
    const double x = walk->x[0][ryser->row[i]], y = walk->x[1][ryser->row[i]], was = re;
    re = re * x - im * y;
    im = was * y + im * x;
  }
  walk->product[0][digit] = re;
  walk->product[1][digit] = im;
  return re != 0 || im != 0;
}

/* Adds by two short chains, where double-double has a long one. */
static PERMI_ALWAYS_INLINE void permi_ryser_sum(permi_dd *total, double x)
{
  const permi_dd s = permi_two_sum(total->hi, x);
  total->hi = s.hi;
  total->lo += s.lo;
}

static PERMI_ALWAYS_INLINE void permi_ryser_add(permi_ryser_walk *walk)
{
  walk->terms++;
  if (walk->ryser->integers) {
    permi_wide_add(&walk->sum, walk->sign > 0 ? walk->wide[0] : permi_wide_negate(walk->wide[0]));
    return;
  }
  for (int part = 0; part < walk->ryser->parts; part++) {
    permi_ryser_sum(&walk->total[part], walk->sign * walk->product[part][0]);
    walk->absolute += fabs(walk->product[part][0]);
  }
}

static PERMI_ALWAYS_INLINE void permi_ryser_pair(permi_ryser_walk *walk)
{
  const permi_ryser *ryser = walk->ryser;
  const int end = ryser->column_start[1], on = walk->code[0] ^= 1;
  double even = walk->product[0][1], odd = even;
  for (int e = 0; e < end; e++) {
    double *x = &walk->x[0][ryser->touched[e]];
    even *= *x;
    *x += on ? ryser->value[0][e] : -ryser->value[0][e];
    odd *= *x;
  }
  permi_ryser_sum(&walk->total[0], walk->sign * even);
  walk->sign = -walk->sign;
  permi_ryser_sum(&walk->total[0], walk->sign * odd);
  walk->absolute += fabs(even) + fabs(odd);
  walk->terms += (uint64_t)(even != 0) + (uint64_t)(odd != 0);
}

/* Visits digits below `level` in reflected Gray codes; `left` values of digit level - 1 are to come. */
static void permi_ryser_visit(permi_ryser_walk *walk, int level, int left)
{
  const int digit = level - 1, least = walk->ryser->least[digit];
  const int step = walk->code[digit] - least <= walk->ryser->radix[digit] - left ? 1 : -1;
  for (;;) {
    if (permi_ryser_multiply(walk, digit)) {
      if (digit == 1 && walk->ryser->pairs)
        permi_ryser_pair(walk);
      else if (digit)
        permi_ryser_visit(walk, digit, walk->ryser->radix[digit - 1]);
      else
        permi_ryser_add(walk);
    }
    if (--left == 0)
      return;
    const int code = walk->code[digit] += step;
    const int bit = permi_trailing_zeros((uint64_t)(step > 0 ? code : code + 1));
    permi_ryser_flip(walk, walk->ryser->digit_start[digit] + bit, (code ^ code >> 1) >> bit & 1);
  }
}

static void permi_ryser_set(permi_ryser_walk *walk, int digit, int by)
{
  const int old = walk->code[digit], code = old + by, gray = code ^ code >> 1;
  int changed = gray ^ old ^ old >> 1;
  for (; changed; changed &= changed - 1) {
    const int bit = permi_trailing_zeros((uint64_t)changed);
    permi_ryser_flip(walk, walk->ryser->digit_start[digit] + bit, gray >> bit & 1);
  }
  walk->code[digit] = code;
}

static void permi_ryser_terms(permi_ryser_walk *walk, permi_ways *ways)
{
  const permi_ryser *ryser = walk->ryser;
  int level = ryser->digits, left, first, last;
  for (;; level--) {
    left = level ? ryser->radix[level - 1] : 0;
    if (level && ways->end - ways->begin > 1) {
      permi_ways_take(ways, left, &first, &last);
      permi_ryser_set(walk, level - 1, first);
      left = last - first;
    }
    if (left != 1)
      break;
    if (!permi_ryser_multiply(walk, level - 1))
      return;
  }
  if (!permi_ways_mine(ways))
    return;
  if (level == 1 && ryser->pairs)
    permi_ryser_pair(walk);
  else if (level)
    permi_ryser_visit(walk, level, left);
  else
    permi_ryser_add(walk);
}

static void permi_ryser_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_ryser *ryser = (const permi_ryser *)leaf->context;
  permi_ways ways = {0, leaf->information.chunks, chunk, 0, 0, NULL, 0, 0, 0, 0, 0};
  permi_ryser_walk walk;
  (void)workspace;
  memset(&walk, 0, sizeof walk);
  walk.ryser = ryser;
  memcpy(walk.x, ryser->base, sizeof walk.x);
  walk.sign = (ryser->n - ryser->halves) & 1 ? -1 : 1;
  for (int d = 0; d < ryser->digits; d++)
    permi_ryser_set(&walk, d, ryser->least[d]);
  walk.product[0][ryser->digits + 1] = 1;
  walk.wide[ryser->digits + 1].low = 1;
  permi_ryser_multiply(&walk, ryser->digits);
  permi_ryser_terms(&walk, &ways);
  partial->terms += (double)walk.terms;
  if (ryser->integers) {
    const uint64_t word[2] = {walk.sum.low, walk.sum.high};
    permi_sum_add_signed(&partial->value, word, 2);
  }
  permi_sum_add_dd(&partial->value, walk.total[0]);
  permi_sum_add_dd(&partial->imaginary, walk.total[1]);
  permi_sum_add_double(&partial->absolute, walk.absolute);
}

static size_t permi_ryser_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_ryser *ryser = (const permi_ryser *)leaf->context;
  return permi_say(buffer, size,
                   "%s, order %d%s: %d digits, %d of them groups, %.3g terms%s, about %.3g moves%s, "
                   "predicted %.3g s, %.0f chunks\n",
                   perm_name("method", leaf->information.method), ryser->n, ryser->transposed ? " transposed" : "",
                   ryser->digits, ryser->groups, ryser->terms, ryser->halves ? " (Nijenhuis and Wilf)" : "",
                   ryser->nodes, ryser->integers ? " of 128-bit integers" : "", ryser->seconds,
                   (double)leaf->information.chunks);
}

/* Digits are groups of columns never all absent, and other columns except `without` (-1: none). */
typedef struct permi_ryser_split {
  int groups, without, as_given;
  uint64_t group[PERM_MAX_N];
} permi_ryser_split;

static uint64_t permi_ryser_rows(const uint64_t *touches, uint64_t columns)
{
  uint64_t rows = 0;
  for (; columns; columns &= columns - 1)
    rows |= touches[permi_trailing_zeros(columns)];
  return rows;
}

static void permi_ryser_list(int *list, int *used, uint64_t set)
{
  for (; set; set &= set - 1)
    list[(*used)++] = permi_trailing_zeros(set);
}

static void permi_ryser_entries(permi_ryser *ryser, const permi_block *block, int without, const double *grid)
{
  const int n = ryser->n, mine = ryser->transposed * n, other = n - mine, columns = ryser->digit_start[ryser->digits];
  int k, e, part, used = 0;
  ryser->on_grid = 1;
  for (k = 0; k < columns + ryser->halves; k++) {
    const int column = k < columns ? ryser->column[k] : without;
    ryser->column_start[k] = used;
    for (e = block->start[other + column]; e < block->start[other + column + 1]; e++) {
      const int row = block->neighbour[e] - mine, edge = block->edge[e];
      for (part = 0; part < ryser->parts && !block->integer; part++) {
        const double x = (part ? block->imaginary : block->real)[edge];
        const double y = floor(x / grid[row] + 0.5) * grid[row];
        ryser->on_grid &= x == y;
        ryser->moved[row] = fmax(ryser->moved[row], fabs(x - y));
        ryser->buried |= fabs(x - y) > ldexp(fabs(x), -20);
        if (ryser->halves)
          ryser->base[part][row] += k < columns ? -y / 2 : y / 2;
        if (k < columns)
          ryser->value[part][used] = y;
      }
      if (k < columns) {
        ryser->integer[used] = block->integer ? block->integer[edge] : 0;
        ryser->touched[used++] = (unsigned char)row;
      }
    }
  }
  ryser->column_start[columns] = used;
}

static void permi_ryser_plan(permi_ryser *ryser, const permi_block *block, int side, const permi_ryser_split *split)
{
  const int n = block->n, mine = side * n, other = n - mine;
  uint64_t touches[PERM_MAX_N], digit[PERM_MAX_N], rows_left = ~UINT64_C(0) >> (PERM_MAX_N - n), grouped = 0, set;
  double grid[PERM_MAX_N], alive = 1, count = 1;
  int digits = split->groups, used = 0, taken = 0, i, j, e, d;
  memset(ryser, 0, sizeof *ryser);
  ryser->n = n;
  ryser->growth = 1;
  ryser->bits = n;
  ryser->integers = block->integer != NULL;
  ryser->parts = block->imaginary ? 2 : 1;
  ryser->halves = split->without >= 0;
  ryser->transposed = side;
  ryser->groups = split->groups;
  for (j = 0; j < n; j++)
    for (touches[j] = 0, e = block->start[other + j]; e < block->start[other + j + 1]; e++)
      touches[j] |= UINT64_C(1) << (block->neighbour[e] - mine);
  for (i = 0; i < n; i++) {
    double sum = 0;
    for (e = block->start[mine + i]; e < block->start[mine + i + 1]; e++) {
      const int edge = block->edge[e];
      sum += block->integer ? fabs((double)block->integer[edge])
                            : fabs(block->real[edge]) + (block->imaginary ? fabs(block->imaginary[edge]) : 0);
    }
    grid[i] = ldexp(1, permi_exponent(sum * (1 + 1e-12)) - 51); /* sums and halves are below 2^53 half steps */
    ryser->growth *= sum > 1 ? sum * (1 + 1e-12) : 1;
    ryser->bits += sum > 1 ? log2(sum) + 1e-9 : 0;
    ryser->widest = fmax(ryser->widest, sum);
  }
  for (d = 0; d < digits; d++)
    grouped |= digit[d] = split->group[d];
  for (j = 0; j < n; j++)
    if (!(grouped >> j & 1) && j != split->without)
      digit[digits++] = UINT64_C(1) << j;
  ryser->digits = digits;
  for (d = 0; d < digits; d++) { /* Algorithm 3: next, the fewest own rows a bit */
    int best = d;
    double least = 1e9;
    for (i = d; i < (split->as_given ? d + 1 : digits); i++) {
      const double share = (double)permi_count_ones(permi_ryser_rows(touches, digit[i]) & rows_left) /
                           permi_count_ones(digit[i]);
      best = share < least ? i : best;
      least = fmin(least, share);
    }
    set = digit[best];
    digit[best] = digit[d];
    ryser->digit_start[d] = used;
    ryser->level_start[d] = taken;
    ryser->least[d] = (grouped & set) != 0;
    ryser->radix[d] = (1 << permi_count_ones(set)) - ryser->least[d];
    permi_ryser_list(ryser->column, &used, set);
    set = permi_ryser_rows(touches, set) & rows_left;
    rows_left &= ~set;
    permi_ryser_list(ryser->row, &taken, set);
  }
  ryser->digit_start[digits] = used;
  ryser->level_start[digits] = taken;
  permi_ryser_list(ryser->row, &taken, rows_left);
  ryser->level_start[digits + 1] = taken;
  permi_ryser_entries(ryser, block, split->without, grid);
  for (d = ryser->digits - 1; d >= 0; d--) {
    const double rows = ryser->level_start[d + 1] - ryser->level_start[d];
    const double entries =
        (double)(ryser->column_start[ryser->digit_start[d + 1]] - ryser->column_start[ryser->digit_start[d]]) /
        (ryser->digit_start[d + 1] - ryser->digit_start[d]);
    count *= ryser->radix[d];
    ryser->nodes += count * alive;
    ryser->seconds += count * alive *
                      (PERMI_RYSER_MOVE_SECONDS +
                       PERMI_RYSER_ENTRY_SECONDS * ryser->parts * (entries + ryser->parts * rows));
    for (i = ryser->level_start[d]; i < ryser->level_start[d + 1] && !ryser->halves; i++) {
      double empty = 1;
      for (j = d; j < ryser->digits; j++) {
        int columns = 0;
        for (e = ryser->digit_start[j]; e < ryser->digit_start[j + 1]; e++)
          columns += !(touches[ryser->column[e]] >> ryser->row[i] & 1);
        empty *= (ldexp(1, columns) - ryser->least[j]) / ryser->radix[j];
      }
      alive *= 1 - empty;
    }
  }
  ryser->terms = count;
  ryser->pairs = ryser->parts == 1 && !ryser->integers && ryser->least[0] == 0;
}

/* Chooses rows greedily by least degree, from random starts. */
#define PERMI_DOMINATING_STARTS 64
#define PERMI_DOMINATING_COLUMNS 20 /* a digit is an int */
static permi_ryser_split permi_dominating_split(const permi_block *block, int side)
{
  const int n = block->n, mine = side * n, other = n - mine;
  permi_ryser_split best = {0, -1, 0, {0}}, trial;
  uint64_t columns[PERM_MAX_N], seed = UINT64_C(88172645463325252);
  double least = (double)INFINITY;
  for (int i = 0; i < n; i++) {
    columns[i] = 0;
    for (int e = block->start[mine + i]; e < block->start[mine + i + 1]; e++)
      columns[i] |= UINT64_C(1) << (block->neighbour[e] - other);
  }
  for (int start = 0; start < PERMI_DOMINATING_STARTS; start++) {
    uint64_t left = ~UINT64_C(0) >> (PERM_MAX_N - n);
    double bits = n;
    trial = best;
    trial.groups = 0;
    for (;;) {
      int row = -1, degree = PERMI_DOMINATING_COLUMNS + 1, ties = 0;
      for (int i = 0; i < n; i++) {
        const int size = block->start[mine + i + 1] - block->start[mine + i];
        if (!(left >> i & 1) || size > degree || size > PERMI_DOMINATING_COLUMNS)
          continue;
        ties = size < degree ? 1 : ties + 1;
        degree = size;
        if (permi_order_below(&seed, ties) == 0)
          row = i;
      }
      if (row < 0)
        break;
      trial.group[trial.groups++] = columns[row];
      bits += log2(ldexp(1, degree) - 1) - degree;
      for (int i = 0; i < n; i++)
        left &= ~((uint64_t)((columns[i] & columns[row]) != 0) << i);
    }
    if (bits < least) {
      least = bits;
      best = trial;
    }
  }
  return best;
}

static perm_status permi_ryser_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  const perm_precision precision = maker->options->precision;
  const int dominating = maker->options->method == PERM_METHOD_DOMINATING;
  permi_ryser_split best = {0, -1, 0, {0}};
  permi_ryser *ryser;
  double least = (double)INFINITY;
  int which, side = 0, j;
  (void)rival;
  if (block->n > PERM_MAX_N)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "is larger than the %d rows that sums over sets of columns take",
                        PERM_MAX_N);
  if (block->imaginary_integer || precision == PERM_PRECISION_DD)
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "has %s, which sparse sums over sets of columns do not take",
                        block->imaginary_integer ? "Gaussian integers" : "another precision than double asked for");
  offer->plan = ryser = (permi_ryser *)permi_allocate(allocator, 1, sizeof *ryser);
  if (!ryser)
    return permi_fail_memory(maker->result);
  for (which = 0; which < (dominating || block->integer ? 2 : 4); which++) { /* integers are not halved */
    permi_ryser_split split = {0, -1, 0, {0}};
    for (j = 0; j < block->n && which > 1; j++) { /* leaves out the fullest column */
      const int *start = block->start + (which & 1 ? 0 : block->n);
      if (split.without < 0 || start[j + 1] - start[j] > start[split.without + 1] - start[split.without])
        split.without = j;
    }
    if (dominating)
      split = permi_dominating_split(block, which);
    permi_ryser_plan(ryser, block, which & 1, &split);
    if (ryser->seconds < least) {
      least = ryser->seconds;
      best = split;
      side = which & 1;
    }
  }
  permi_ryser_plan(ryser, block, side, &best);
  offer->seconds = ryser->seconds;
  offer->bytes = sizeof *ryser;
  if (block->integer && ryser->widest * (1 + 1e-12) >= 9223372036854775808.0)
    permi_refuse(offer, PERM_ERROR_LIMIT, "has lines whose sums may exceed 64 bits");
  else if (block->integer && !(ryser->bits <= 126))
    permi_refuse(offer, PERM_ERROR_LIMIT, "needs integers of %.0f bits, where sums over sets of columns have 126",
                 ryser->bits);
  return PERM_OK;
}

/* THE BOUND: gamma of n (complex 3 n), gamma^2 of a chunk's terms, and off_grid,
   what the grid changes (tests/proofs/chains.v). */
static void permi_ryser_bounds(permi_maker *maker, const permi_block *block, const permi_ryser *ryser, double terms,
                               permi_leaf *leaf)
{
  const int n = block->n, mine = ryser->transposed * n, other = n - mine;
  double *const value = maker->subsets, *const change = value ? value + (1 << PERMI_MAJORANT_ORDER) : NULL;
  double off_grid = 0;
  for (int i = 0; i < n && !ryser->on_grid; i++)
    off_grid += ryser->parts * ryser->moved[i] * (block->start[mine + i + 1] - block->start[mine + i]);
  if (n > PERMI_MAJORANT_ORDER) {
    off_grid = ryser->on_grid ? 0 : ryser->growth * expm1(off_grid * (1 + 1e-12)) * (1 + 1e-12);
  } else if (!ryser->on_grid) {
    memset(value, 0, ((size_t)1 << n) * sizeof *value);
    memset(change, 0, ((size_t)1 << n) * sizeof *change);
    value[0] = 1;
    for (int s = 0; s < (1 << n) - 1; s++) {
      const int i = permi_count_ones((unsigned)s);
      for (int e = block->start[mine + i]; e < block->start[mine + i + 1]; e++) {
        const int bit = 1 << (block->neighbour[e] - other), edge = block->edge[e];
        const double moved = ryser->parts * ryser->moved[i];
        const double x = fabs(block->real[edge]) + (ryser->parts == 2 ? fabs(block->imaginary[edge]) : 0);
        if (!(s & bit)) {
          value[s | bit] += value[s] * x;
          change[s | bit] += change[s] * (x + moved) + value[s] * moved;
        }
      }
    }
    off_grid = change[(1 << n) - 1] * (1 + 1e-12) + 1e-280;
  }
  off_grid = ldexp(off_grid, -(int)leaf->scale_exp2);
  leaf->estimate_relative = (ryser->on_grid ? 1 : 4) * n * PERMI_UNIT;
  leaf->bound_relative = leaf->bound_absolute = (double)INFINITY;
  if (n <= PERMI_MAJORANT_ORDER || ryser->buried) /* else far too wide */
    leaf->estimate_absolute = off_grid;
  if (terms < 1e12) {
    const double gamma = permi_gamma((ryser->parts == 2 ? 3 : 1) * n), chunk = permi_gamma(2 * terms);
    leaf->bound_relative = (gamma / (1 - gamma) + chunk * chunk) * (1 + 2 * chunk) * (1 + 8 * PERMI_UNIT);
    leaf->bound_absolute = 8.0 * n * ryser->terms * DBL_MIN * ryser->growth + off_grid;
  }
  permi_make_honest(maker, block, leaf);
}

/* A chunk has the average number of terms; with groups, whose digits divide unevenly, less than 16 times as many:
   2 (1 + 1/2^1) (1 + 1/2^2) ... from shared levels, each rounded down, and 2 from the last. */
static perm_status permi_ryser_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  const permi_ryser *ryser = (const permi_ryser *)offer->plan;
  const uint64_t chunks = permi_walk_chunks(ryser->nodes / PERMI_RYSER_CHUNK_NODES, ryser->seconds, 1 << 20);
  uint64_t hash = permi_hash(permi_hash(PERMI_HASH_START, (uint64_t)ryser->transposed), (uint64_t)ryser->halves);
  for (int d = 0; d < ryser->digits; d++)
    hash = permi_hash(hash, (uint64_t)ryser->radix[d]);
  for (int k = 0; k < ryser->digit_start[ryser->digits]; k++)
    hash = permi_hash(hash, (uint64_t)ryser->column[k]);
  permi_leaf_ranges(leaf, PERM_ISA_PLAIN, chunks, ryser->nodes, permi_walk_hash(block, hash), permi_ryser_chunk, 0,
                    permi_ryser_explain);
  leaf->integer = ryser->integers;
  leaf->scale_exp2 = ryser->halves ? 1 : 0;
  if (!leaf->integer)
    permi_ryser_bounds(maker, block, ryser, (chunks > 1 && ryser->groups ? 16 : 1) * ryser->terms / (double)chunks,
                       leaf);
  return PERM_OK;
}

PERMI_BRIEF_BEGIN

/* ====================================================================================== >>decompose
   Sums over branches at lines of few entries [FM03]. Orders up to 64: a set of lines is a word.

   Symbols    here
     a, b     entries of a line; c, d: the lines across that have them
     per A    per (A without the line and d; c replaced by a d + b c) + per (A without the two entries)
     degree   entries of a line: 2k or 2k - 1 give k permanents of one order less. The fewest are branched on
   Pieces that are small, or have over 4 entries in all lines, are summed over subsets, which cancel nothing
   (DecompRyser [SUP] takes Ryser's formula).

   THE BOUND: gamma of n - 1 products (complex ones count as 3) and n (n - 1) / 2
   additions; underflow costs DBL_MIN growth an operation, growth = prod max(1, row sum). */

#define PERMI_DECOMPOSE_ORDER 64
#define PERMI_DECOMPOSE_SMALL 7    /* summed over subsets: a microsecond */
#define PERMI_DECOMPOSE_SUBSETS 14 /* the same with over 4 entries in all lines, short values */
#define PERMI_DECOMPOSE_NODE_SECONDS 2e-6
#define PERMI_DECOMPOSE_WORD_SECONDS 2e-9 /* a word of a value in a product */

/* A matrix in the making: live lines, entries of lines. Behind it cells, a value, and a sum. */
typedef struct permi_piece {
  uint64_t live[2], mask[2][PERMI_DECOMPOSE_ORDER];
} permi_piece;

typedef struct permi_decompose {
  permi_walk_plan plan;
  int n, most; /* lines summed over subsets */
  size_t size, piece_bytes;
  permi_piece *whole;
  double growth;
} permi_decompose;

typedef struct permi_decomposing {
  const permi_decompose *plan;
  permi_ways *ways;
  uint64_t *spare, *subsets;
  double operations;
} permi_decomposing;

static uint64_t *permi_piece_at(const permi_decompose *plan, permi_piece *piece, int side, int i, int j)
{
  return (uint64_t *)(void *)(piece + 1) + (size_t)(side ? j * plan->n + i : i * plan->n + j) * plan->size;
}

/* Makes to = a x + b y; to may be x or y, which may be NULL. */
static void permi_piece_combine(permi_decomposing *run, uint64_t *to, const uint64_t *a, const uint64_t *x,
                                const uint64_t *b, const uint64_t *y)
{
  const permi_numbers *numbers = &run->plan->plan.numbers;
  memset(run->spare, 0, run->plan->plan.bytes);
  if (x)
    permi_value_fuse(numbers->algebra, numbers, a, run->spare, x);
  if (y)
    permi_value_fuse(numbers->algebra, numbers, b, run->spare, y);
  memcpy(to, run->spare, run->plan->plan.bytes);
  run->operations++;
}

static void permi_piece_line(permi_piece *piece, int side, int line, uint64_t entries)
{
  uint64_t changed = piece->mask[side][line] ^ entries;
  for (; changed; changed &= changed - 1)
    piece->mask[1 - side][permi_trailing_zeros(changed)] ^= UINT64_C(1) << line;
  piece->mask[side][line] = entries;
}

static void permi_piece_remove(permi_piece *piece, int side, int line)
{
  permi_piece_line(piece, side, line, 0);
  piece->live[side] &= ~(UINT64_C(1) << line);
}

/* Column c takes over d. Integers that cancel are no entries. */
static void permi_piece_merge(permi_decomposing *run, permi_piece *piece, int side, int line)
{
  const permi_decompose *plan = run->plan;
  const uint64_t entries = piece->mask[side][line];
  const int other = 1 - side, c = permi_trailing_zeros(entries), d = permi_trailing_zeros(entries & (entries - 1));
  const uint64_t *a = permi_piece_at(plan, piece, side, line, c), *b = permi_piece_at(plan, piece, side, line, d);
  const uint64_t in_c = piece->mask[other][c], in_d = piece->mask[other][d];
  uint64_t lines = (in_c | in_d) & ~(UINT64_C(1) << line), kept = 0;
  for (; lines; lines &= lines - 1) {
    const int r = permi_trailing_zeros(lines);
    const uint64_t bit = UINT64_C(1) << r;
    uint64_t *x = permi_piece_at(plan, piece, side, r, c), *y = permi_piece_at(plan, piece, side, r, d);
    size_t k = 0;
    permi_piece_combine(run, x, a, in_d & bit ? y : NULL, b, in_c & bit ? x : NULL);
    while (k < plan->size && !x[k] && permi_algebra_is_integer(plan->plan.numbers.algebra))
      k++;
    kept |= k < plan->size ? bit : 0;
  }
  permi_piece_remove(piece, side, line);
  permi_piece_line(piece, other, c, kept);
  permi_piece_remove(piece, other, d);
}

/* Returns the permanent of a piece of order k: run->subsets[s] is of its first rows and the columns s. */
static uint64_t *permi_piece_subsets(permi_decomposing *run, permi_piece *piece, int k)
{
  const permi_decompose *plan = run->plan;
  const permi_numbers *numbers = &plan->plan.numbers;
  int line[2][PERMI_DECOMPOSE_ORDER], side, i, j;
  uint64_t left;
  for (side = 0; side < 2; side++)
    for (i = 0, left = piece->live[side]; left; left &= left - 1)
      line[side][i++] = permi_trailing_zeros(left);
  permi_value_one(numbers, run->subsets);
  for (unsigned s = 1; s < 1u << k; s++) {
    uint64_t *sum = run->subsets + s * plan->size;
    i = line[0][permi_count_ones(s) - 1];
    memset(sum, 0, plan->plan.bytes);
    for (unsigned last = s; last; last &= last - 1) {
      j = permi_trailing_zeros(last);
      if (piece->mask[0][i] >> line[1][j] & 1)
        permi_value_fuse(numbers->algebra, numbers, run->subsets + (s ^ 1u << j) * plan->size, sum,
                         permi_piece_at(plan, piece, 0, i, line[1][j]));
    }
  }
  run->operations += ldexp(k, k);
  return run->subsets + (((size_t)1 << k) - 1) * plan->size;
}

/* Finds a line of the fewest entries; returns their number, INT_MAX without lines. */
static int permi_piece_least(const permi_piece *piece, int *side, int *line)
{
  int degree = INT_MAX, s;
  for (s = 0; s < 2; s++)
    for (uint64_t lines = piece->live[s]; lines && degree > 2; lines &= lines - 1) {
      const int i = permi_trailing_zeros(lines), entries = permi_count_ones(piece->mask[s][i]);
      if (entries < degree) {
        degree = entries;
        *side = s;
        *line = i;
      }
    }
  return degree;
}

static void permi_decompose_node(permi_decomposing *run, permi_piece *piece, uint64_t *result)
{
  const permi_decompose *plan = run->plan;
  const permi_coefficient one = permi_coefficient_one();
  permi_piece *const next = (permi_piece *)(void *)((char *)piece + plan->piece_bytes);
  uint64_t *const value = permi_piece_at(plan, piece, 0, plan->n, 0), *const sum = value + plan->size, left;
  int side = 0, line = 0, degree, order, first, last, k;
  permi_value_one(&plan->plan.numbers, result);
  if (permi_ways_stop(run->ways, PERMI_DECOMPOSE_NODE_SECONDS +
                                     PERMI_DECOMPOSE_WORD_SECONDS * plan->n * (20 + (double)plan->size)))
    return;
  while ((degree = permi_piece_least(piece, &side, &line)) <= 2) {
    if (degree == 0) {
      memset(result, 0, plan->plan.bytes);
      return;
    }
    if (degree == 2) {
      permi_piece_merge(run, piece, side, line);
    } else {
      const int partner = permi_trailing_zeros(piece->mask[side][line]);
      permi_piece_combine(run, result, result, permi_piece_at(plan, piece, side, line, partner), NULL, NULL);
      permi_piece_remove(piece, side, line);
      permi_piece_remove(piece, 1 - side, partner);
    }
  }
  order = permi_count_ones(piece->live[0]);
  if (order == 0)
    return;
  if (order <= PERMI_DECOMPOSE_SMALL || (degree > 4 && order <= plan->most)) {
    const double size = (double)plan->size, words = plan->plan.numbers.algebra == PERMI_WORDS ? 8 + size * size : size;
    run->ways->work += run->ways->weight * PERMI_DECOMPOSE_WORD_SECONDS * ldexp(order * words, order);
    permi_piece_combine(run, result, result, permi_piece_subsets(run, piece, order), NULL, NULL);
    return;
  }
  permi_ways_take(run->ways, (degree + 1) / 2, &first, &last);
  memset(sum, 0, plan->plan.bytes);
  for (k = 0, left = piece->mask[side][line]; k < last && !run->ways->stopped; k++) { /* pairs, an odd one last */
    const uint64_t others = left & (left - 1), pair = left & ~(others & (others - 1));
    left &= ~pair;
    if (k < first)
      continue;
    memcpy(next, piece, plan->piece_bytes);
    permi_piece_line(next, side, line, pair);
    permi_decompose_node(run, next, value);
    permi_values_add(&plan->plan.numbers, &one, sum, value, 1);
  }
  permi_piece_combine(run, result, result, sum, NULL, NULL);
}

static void permi_decompose_chunk(const permi_leaf *leaf, uint64_t chunk, void *workspace, perm_partial *partial)
{
  const permi_decompose *plan = (const permi_decompose *)leaf->context;
  permi_ways *ways = (permi_ways *)workspace;
  permi_piece *piece = (permi_piece *)(void *)(ways + 1);
  uint64_t *result = (uint64_t *)(void *)((char *)piece + (size_t)plan->n * plan->piece_bytes);
  permi_decomposing run = {plan, ways, result + plan->size, result + 2 * plan->size, 0};
  (void)chunk;
  memcpy(piece, plan->whole, plan->piece_bytes);
  permi_decompose_node(&run, piece, result);
  partial->terms += ways->choices;
  if (!permi_ways_mine(ways))
    return;
  permi_value_sum(&plan->plan.numbers, result, partial);
  if (!leaf->integer)
    partial->lost += 16 * (run.operations + ways->choices) * DBL_MIN * plan->growth;
}

static perm_status permi_decompose_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const double roundings = permi_entry_roundings(maker->working, maker->working->n);
  const double products = block->imaginary ? 3 : 1;
  const int n = block->n;
  (void)rival;
  if (n > PERMI_DECOMPOSE_ORDER)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "is too large for method decompose, which takes orders up to %d",
                        PERMI_DECOMPOSE_ORDER);
  if (!block->integer && maker->options->precision == PERM_PRECISION_DD)
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "is asked for in more than double precision");
  permi_decompose *plan = (permi_decompose *)permi_owned_new(&maker->options->allocator, sizeof *plan);
  offer->plan = plan;
  if (!plan)
    return permi_fail_memory(maker->result);
  permi_numbers *numbers = &plan->plan.numbers;
  if (!permi_numbers_choose(numbers, block, 0, 0))
    return permi_refuse_long(offer);
  if (numbers->algebra == PERMI_WIDE)
    numbers->algebra = PERMI_WORDS; /* factors have two words */
  plan->n = n;
  plan->size = permi_numbers_words(numbers);
  plan->most = plan->size <= 4 ? PERMI_DECOMPOSE_SUBSETS : PERMI_DECOMPOSE_SMALL;
  plan->plan.bytes = plan->size * sizeof(uint64_t);
  plan->piece_bytes = sizeof(permi_piece) + ((size_t)n * (size_t)n + 2) * plan->plan.bytes;
  plan->plan.workspace = (size_t)n * plan->piece_bytes + (2 + ((size_t)1 << plan->most)) * plan->plan.bytes;
  plan->plan.ways = PERMI_DECOMPOSE_ORDER;
  plan->plan.run = permi_decompose_chunk;
  permi_piece *whole = plan->whole = (permi_piece *)permi_pool_zeros(&plan->plan.owned.pool, 1, plan->piece_bytes);
  if (!whole)
    return permi_fail_memory(maker->result);
  whole->live[0] = whole->live[1] = ~UINT64_C(0) >> (64 - n);
  uint64_t *unit = permi_piece_at(plan, whole, 0, n, 0);
  permi_value_one(numbers, unit);
  plan->growth = 1;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int e = block->start[i]; e < block->start[i + 1]; e++) {
      const int j = block->neighbour[e] - n;
      const permi_coefficient c = permi_coefficient_of(block, block->edge[e], numbers);
      whole->mask[0][i] |= UINT64_C(1) << j;
      whole->mask[1][j] |= UINT64_C(1) << i;
      permi_values_add(numbers, &c, permi_piece_at(plan, whole, 0, i, j), unit, 1);
      sum += c.absolute;
    }
    plan->growth = ldexp(plan->growth, sum > 1 ? permi_exponent(sum * (1 + 1e-12)) + 1 : 0);
  }
  plan->plan.bound = permi_entry_bound(roundings + products * n + n * (n - 1) / 2.0);
  plan->plan.estimate = 4 * PERMI_UNIT * sqrt(roundings + (products + 1) * n);
  offer->bytes = (double)plan->piece_bytes;
  return permi_walk_offer(maker, &plan->plan, (double)n * n * n, offer);
}

/* ======================================================================================= >>kasteleyn
   The left-right algorithm [Bra09] draws planar graphs, and refuses others, in linear time: edges that a depth-first
   search leaves out return to an ancestor, left or right of the path up. Those of one side must not cross; a stack of
   conflict pairs keeps which are on the same side.
   Signs that make a permanent a determinant [Kas61]. THE PROOF, for a connected graph in the plane whose vertices are
   rows and columns:
   1. A face of length l (an edge with the face on both sides counts twice) gets l/2 + 1 minus signs, modulo 2.
   2. A cycle of length c with v vertices inside then has c/2 + 1 + v minus signs: add up the faces inside; edges inside
      count twice, and Euler's formula gives their number.
   3. Two perfect matchings differ by cycles; inside each, vertices are matched among themselves, so v is even. A cycle
      of length c multiplies the sign of the permutation by (-1)^(c/2 + 1), and the signs of its entries by the same.
   4. So all terms of the signed determinant have one sign: +, with rows negated until one perfect matching has only
      plus signs and stands on the diagonal. The determinant is the permanent.
   5. The same holds for any rows and the columns matched to them: principal minors of a non-negative matrix are sums of
      products too, and not 0. No pivot on the diagonal vanishes then. */

/* Half-edge 2 e + s leaves end s of edge e; end 0 is the row. */
typedef struct permi_embedding {
  int vertices, edges;
  int *end;                          /* left by a half-edge */
  int *clockwise, *counterclockwise; /* next around it */
} permi_embedding;

typedef struct permi_returns {
  int low, high; /* by height of their upper end; -1: none */
} permi_returns;

typedef struct permi_conflict {
  permi_returns left, right;
} permi_conflict;

typedef struct permi_drawing {
  const permi_block *block;
  permi_control *watch;
  int *height, *up;            /* depth, -1: not met; the edge to it, -1: a root */
  int *first, *cursor; /* outgoing edges; the search */
  int *from, *to;
  int *low, *next_low; /* heights that an edge's subtree returns to: least, second */
  int *outgoing, *nesting, *reference, *side, *low_edge, *bottom, *bucket;
  permi_conflict *conflict;
  int conflicts;
} permi_drawing;

static void permi_drawing_finish(permi_drawing *d, int e)
{
  const int v = d->from[e], parent = d->up[v];
  d->nesting[e] = 2 * d->low[e] + (d->next_low[e] < d->height[v]); /* inner ones last */
  if (parent < 0)
    return;
  if (d->low[e] < d->low[parent]) {
    d->next_low[parent] = d->low[parent] < d->next_low[e] ? d->low[parent] : d->next_low[e];
    d->low[parent] = d->low[e];
  } else {
    const int candidate = d->low[e] > d->low[parent] ? d->low[e] : d->next_low[e];
    d->next_low[parent] = candidate < d->next_low[parent] ? candidate : d->next_low[parent];
  }
}

static void permi_drawing_direct(permi_drawing *d)
{
  const permi_block *block = d->block;
  const int vertices = 2 * block->n;
  for (int v = 0; v < vertices; v++) {
    d->height[v] = d->up[v] = -1;
    d->cursor[v] = block->start[v];
  }
  for (int e = 0; e < block->edges; e++)
    d->from[e] = -1;
  for (int root = 0; root < vertices; root++) {
    if (d->height[root] >= 0)
      continue;
    d->height[root] = 0;
    for (int v = root; v >= 0 && !permi_watch(d->watch, 10);) {
      const int at = d->cursor[v]++;
      if (at == block->start[v + 1]) {
        const int e = d->up[v];
        if (e >= 0)
          permi_drawing_finish(d, e);
        v = e >= 0 ? d->from[e] : -1;
        continue;
      }
      const int e = block->edge[at];
      if (d->from[e] >= 0)
        continue;
      const int w = block->neighbour[at];
      d->from[e] = v;
      d->to[e] = w;
      d->low[e] = d->next_low[e] = d->height[v];
      if (d->height[w] < 0) {
        d->up[w] = e;
        d->height[w] = d->height[v] + 1;
        v = w;
      } else {
        d->low[e] = d->height[w];
        permi_drawing_finish(d, e);
      }
    }
  }
}

static void permi_drawing_sort(permi_drawing *d)
{
  const int vertices = 2 * d->block->n, edges = d->block->edges, offset = 2 * vertices + 1;
  int *count = d->bucket, *sorted = d->bucket + 2 * offset + 2;
  memset(count, 0, (size_t)(2 * offset + 2) * sizeof *count);
  memset(d->first, 0, (size_t)(vertices + 1) * sizeof *d->first);
  for (int e = 0; e < edges; e++) {
    count[d->nesting[e] + offset + 1]++;
    d->first[d->from[e] + 1]++;
  }
  for (int k = 0; k <= 2 * offset; k++)
    count[k + 1] += count[k];
  for (int e = 0; e < edges; e++)
    sorted[count[d->nesting[e] + offset]++] = e;
  for (int v = 0; v < vertices; v++)
    d->first[v + 1] += d->first[v];
  memcpy(d->cursor, d->first, (size_t)vertices * sizeof *d->cursor);
  for (int k = 0; k < edges; k++)
    d->outgoing[d->cursor[d->from[sorted[k]]]++] = sorted[k];
  memcpy(d->cursor, d->first, (size_t)vertices * sizeof *d->cursor);
}

static void permi_conflict_swap(permi_conflict *pair)
{
  const permi_returns left = pair->left;
  pair->left = pair->right;
  pair->right = left;
}

static int permi_returns_below(const permi_drawing *d, const permi_returns *interval, int e)
{
  return interval->high >= 0 && d->low[interval->high] > d->low[e];
}

static void permi_drawing_refer(permi_drawing *d, int e, int to)
{
  if (e >= 0)
    d->reference[e] = to;
}

/* Sets the return edges of e against those of elder siblings; `parent` leads to their vertex. Returns 0 if not planar.
   */
static int permi_drawing_constrain(permi_drawing *d, int e, int parent)
{
  permi_conflict merged = {{-1, -1}, {-1, -1}}, pair;
  do { /* those of e: to one side */
    pair = d->conflict[--d->conflicts];
    if (pair.left.high >= 0)
      permi_conflict_swap(&pair);
    if (pair.left.high >= 0)
      return 0;
    if (d->low[pair.right.low] > d->low[parent]) {
      if (merged.right.high < 0)
        merged.right.high = pair.right.high;
      else
        permi_drawing_refer(d, merged.right.low, pair.right.high);
      merged.right.low = pair.right.low;
    } else {
      permi_drawing_refer(d, pair.right.low, d->low_edge[parent]);
    }
  } while (d->conflicts > d->bottom[e]);
  while (d->conflicts > 0 && (permi_returns_below(d, &d->conflict[d->conflicts - 1].left, e) ||
                              permi_returns_below(d, &d->conflict[d->conflicts - 1].right, e))) {
    pair = d->conflict[--d->conflicts]; /* those that cross them: to the other */
    if (permi_returns_below(d, &pair.right, e))
      permi_conflict_swap(&pair);
    if (permi_returns_below(d, &pair.right, e))
      return 0;
    permi_drawing_refer(d, merged.right.low, pair.right.high);
    if (pair.right.low >= 0)
      merged.right.low = pair.right.low;
    if (merged.left.high < 0)
      merged.left.high = pair.left.high;
    else
      permi_drawing_refer(d, merged.left.low, pair.left.high);
    merged.left.low = pair.left.low;
  }
  if (merged.left.high >= 0 || merged.right.high >= 0)
    d->conflict[d->conflicts++] = merged;
  return 1;
}

/* Drops what returns to u from an interval; `other` is beside it. */
static void permi_drawing_trim(permi_drawing *d, permi_returns *interval, const permi_returns *other, int u)
{
  while (interval->high >= 0 && d->to[interval->high] == u)
    interval->high = d->reference[interval->high];
  if (interval->high < 0 && interval->low >= 0) {
    d->reference[interval->low] = other->low;
    d->side[interval->low] = -1;
    interval->low = -1;
  }
}

static int permi_drawing_test(permi_drawing *d)
{
  int root, e, v, planar = 1;
  for (e = 0; e < d->block->edges; e++) {
    d->reference[e] = -1;
    d->side[e] = 1;
  }
  d->conflicts = 0;
  for (root = 0; root < 2 * d->block->n; root++) {
    if (d->up[root] >= 0)
      continue;
    for (v = root; planar && !permi_watch(d->watch, 20);) {
      if (d->cursor[v] == d->first[v + 1]) { /* back to the edge that led here */
        e = d->up[v];
        if (e < 0)
          break;
        v = d->from[e];
        for (; d->conflicts > 0; d->conflicts--) { /* what returns to v conflicts with none above */
          permi_conflict *top = &d->conflict[d->conflicts - 1];
          const int left = top->left.low >= 0 ? d->low[top->left.low] : INT_MAX;
          const int right = top->right.low >= 0 ? d->low[top->right.low] : INT_MAX;
          if ((left < right ? left : right) != d->height[v])
            break;
          if (top->left.low >= 0)
            d->side[top->left.low] = -1;
        }
        if (d->conflicts > 0) {
          permi_conflict *top = &d->conflict[d->conflicts - 1];
          permi_drawing_trim(d, &top->left, &top->right, v);
          permi_drawing_trim(d, &top->right, &top->left, v);
          if (d->low[e] < d->height[v]) { /* to the side of a highest return edge */
            const int left = top->left.high, right = top->right.high;
            d->reference[e] = left >= 0 && (right < 0 || d->low[left] > d->low[right]) ? left : right;
          }
        }
      } else {
        e = d->outgoing[d->cursor[v]++];
        d->bottom[e] = d->conflicts;
        if (d->up[d->to[e]] == e) {
          v = d->to[e];
          continue;
        }
        d->low_edge[e] = e;
        d->conflict[d->conflicts].left.low = d->conflict[d->conflicts].left.high = -1;
        d->conflict[d->conflicts].right.low = d->conflict[d->conflicts].right.high = e;
        d->conflicts++;
      }
      if (d->low[e] < d->height[v] && e == d->outgoing[d->first[v]])
        d->low_edge[d->up[v]] = d->low_edge[e];
      else if (d->low[e] < d->height[v])
        planar = permi_drawing_constrain(d, e, d->up[v]);
    }
  }
  return planar;
}

/* Puts h after or before `beside`, alone if beside < 0. */
static void permi_embedding_insert(permi_embedding *map, int h, int beside, int after)
{
  if (beside < 0) {
    map->clockwise[h] = map->counterclockwise[h] = h;
    return;
  }
  const int before = after ? beside : map->counterclockwise[beside];
  map->clockwise[h] = map->clockwise[before];
  map->counterclockwise[h] = before;
  map->counterclockwise[map->clockwise[h]] = h;
  map->clockwise[before] = h;
}

/* Outgoing edges come in order, then each return edge beside the path on its side. */
static void permi_drawing_draw(permi_drawing *d, permi_embedding *map)
{
  const int vertices = 2 * d->block->n;
  int *leftmost = d->height, *left = d->next_low, *right = d->bottom;
  for (int v = 0; v < vertices; v++) {
    int last = -1;
    leftmost[v] = -1;
    for (int k = d->first[v]; k < d->first[v + 1]; k++) {
      const int h = 2 * d->outgoing[k] + (map->end[2 * d->outgoing[k]] != v);
      permi_embedding_insert(map, h, last, 1);
      leftmost[v] = last < 0 ? h : leftmost[v];
      last = h;
    }
    d->cursor[v] = d->first[v];
  }
  for (int root = 0; root < vertices; root++) {
    for (int v = d->up[root] < 0 ? root : -1; v >= 0;) {
      if (d->cursor[v] == d->first[v + 1]) {
        v = d->up[v] < 0 ? -1 : d->from[d->up[v]];
        continue;
      }
      const int e = d->outgoing[d->cursor[v]++], w = d->to[e], there = 2 * e + (map->end[2 * e] == v);
      if (d->up[w] == e) {
        permi_embedding_insert(map, there, leftmost[w], 0);
        leftmost[w] = there;
        left[v] = right[v] = there ^ 1;
        v = w;
      } else if (d->side[e] > 0) {
        permi_embedding_insert(map, there, right[w], 1);
      } else {
        permi_embedding_insert(map, there, left[w], 0);
        leftmost[w] = leftmost[w] == left[w] ? there : leftmost[w];
        left[w] = there;
      }
    }
  }
}

/* Draws, or sets *planar to 0; incomplete if watch stops. Returns 0 without memory. */
static int permi_embed(const permi_block *block, permi_pool *pool, permi_control *watch, permi_embedding *map,
                       int *planar)
{
  const size_t vertices = 2 * (size_t)block->n, edges = (size_t)block->edges;
  const size_t most = vertices > edges ? vertices : edges;
  permi_pool own = {pool->allocator, NULL, 0};
  permi_drawing d;
  memset(&d, 0, sizeof d);
  memset(map, 0, sizeof *map);
  d.block = block;
  d.watch = watch;
  map->vertices = (int)vertices;
  map->edges = block->edges;
  d.conflict = (permi_conflict *)permi_pool_get(&own, edges + 1, sizeof *d.conflict);
  if (!permi_pool_ints(pool, &map->end, 2 * edges, &map->clockwise, 2 * edges, &map->counterclockwise, 2 * edges,
                       (int **)NULL) ||
      !permi_pool_ints(&own, &d.height, vertices, &d.up, vertices, &d.cursor, vertices, &d.first, vertices + 1,
                       &d.outgoing, edges, &d.from, edges, &d.to, edges, &d.low, edges, &d.nesting, edges,
                       &d.reference, edges, &d.side, edges, &d.low_edge, edges, &d.next_low, most, &d.bottom, most,
                       &d.bucket, 4 * vertices + 4 + edges, (int **)NULL) || !d.conflict) {
    permi_pool_release(&own);
    return 0;
  }
  for (int v = 0; v < block->n; v++)
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      map->end[2 * block->edge[e]] = v;
      map->end[2 * block->edge[e] + 1] = block->neighbour[e];
    }
  permi_drawing_direct(&d);
  if (!permi_watch(watch, 20.0 * (double)edges))
    permi_drawing_sort(&d);
  *planar = !permi_watch(watch, 0) && permi_drawing_test(&d);
  if (*planar && !permi_watch(watch, 50.0 * (double)edges)) {
    for (int e = 0; e < block->edges; e++) { /* makes relative sides absolute */
      int depth = 0, v = e;
      for (; d.reference[v] >= 0; v = d.reference[v])
        d.bucket[depth++] = v;
      for (; depth > 0; v = d.bucket[depth]) {
        depth--;
        d.side[d.bucket[depth]] *= d.side[v];
        d.reference[d.bucket[depth]] = -1;
      }
      d.nesting[e] *= d.side[e];
    }
    permi_drawing_sort(&d);
    permi_drawing_draw(&d, map);
  }
  permi_pool_release(&own);
  return 1;
}

typedef struct permi_faces {
  int count;
  int *of, *length, *any; /* the face beside a half-edge; its half-edges, one of them */
} permi_faces;

/* Returns 0 unless V - E + F = 2: a drawing in the plane, if connected. */
static int permi_faces_list(const permi_embedding *map, permi_control *watch, permi_faces *faces)
{
  faces->count = 0;
  for (int h = 0; h < 2 * map->edges; h++)
    faces->of[h] = -1;
  for (int h = 0; h < 2 * map->edges; h++) {
    int at = h, steps = 0;
    if (faces->of[h] >= 0)
      continue;
    if (permi_watch(watch, 20) || faces->count > map->edges)
      return 0;
    faces->any[faces->count] = h;
    for (; faces->of[at] < 0; at = map->counterclockwise[at ^ 1], steps++)
      faces->of[at] = faces->count;
    if (at != h)
      return 0; /* no permutation */
    faces->length[faces->count++] = steps;
  }
  return map->vertices - map->edges + faces->count == 2;
}

/* Along a spanning tree of the dual graph, from its leaves, each face mends its parity by the edge to its parent. The
   root's follows from Euler's formula; all are checked, and that edges lead to all faces, as the graph is connected.
   Returns 0 if a check failed. work: 3 a face. */
static int permi_signs_choose(const permi_embedding *map, const permi_faces *faces, signed char *sign, int *work)
{
  int *queue = work, *toward = work + faces->count, *minus = toward + faces->count;
  int head = 0, tail = 0, f, h, k;
  for (f = 0; f < faces->count; f++) {
    toward[f] = -1;
    minus[f] = 0;
  }
  memset(sign, 1, (size_t)map->edges);
  queue[tail++] = 0;
  while (head < tail) {
    f = queue[head++];
    h = faces->any[f];
    for (k = 0; k < faces->length[f]; k++, h = map->counterclockwise[h ^ 1]) {
      const int other = faces->of[h ^ 1];
      if (other != 0 && toward[other] < 0) {
        toward[other] = h;
        queue[tail++] = other;
      }
    }
  }
  for (k = tail - 1; k > 0; k--) {
    f = queue[k];
    if ((faces->length[f] / 2 + 1 + minus[f]) % 2) {
      sign[toward[f] / 2] = -1;
      minus[f]++;
      minus[faces->of[toward[f]]]++;
    }
  }
  for (f = 0; f < faces->count; f++)
    minus[f] = faces->length[f] / 2 + 1;
  for (h = 0; h < 2 * map->edges; h++)
    minus[faces->of[h]] += sign[h / 2] < 0;
  for (f = 0; f < faces->count; f++)
    if (minus[f] % 2 || faces->length[f] % 2)
      return 0;
  return tail == faces->count;
}

typedef struct permi_kasteleyn {
  int faces;
  int planar;        /* 0: not planar; -1: a check failed */
  signed char *sign;
  int *partner;      /* a column's row */
} permi_kasteleyn;

/* Signs stay unknown if watch stops. Returns 0 without memory. */
static int permi_kasteleyn_make(const permi_block *block, permi_pool *pool, permi_control *watch,
                                permi_kasteleyn *result)
{
  const size_t n = (size_t)block->n, edges = (size_t)block->edges;
  permi_pool own = {pool->allocator, NULL, 0};
  permi_embedding map;
  permi_faces faces;
  int *column, *matched, i, e, good; /* column: at first the work of choosing */
  size_t *start, used = 0;
  result->planar = 0;
  result->faces = 0;
  result->sign = (signed char *)permi_pool_get(pool, edges, 1);
  result->partner = (int *)permi_pool_get(pool, n, sizeof(int));
  start = (size_t *)permi_pool_get(&own, 2 * n + 1, sizeof *start);
  if (pool->failed ||
      !permi_pool_ints(&own, &faces.of, 2 * edges, &faces.length, edges + 1, &faces.any, edges + 1, &column,
                       3 * edges + n + 3, &matched, 4 * n, (int **)NULL) ||
      !permi_embed(block, &own, watch, &map, &result->planar)) {
    permi_pool_release(&own);
    return 0;
  }
  if (result->planar && !permi_watch(watch, 0)) {
    good = permi_faces_list(&map, watch, &faces) && permi_signs_choose(&map, &faces, result->sign, column);
    result->faces = faces.count;
    for (i = 0; i < block->n; i++) {
      start[i] = used;
      for (e = block->start[i]; e < block->start[i + 1]; e++)
        column[used++] = block->neighbour[e] - block->n;
    }
    start[n] = used;
    good = good && permi_matching(block->n, start, column, matched, result->partner, matched + n, start + n + 1,
                                  watch) == block->n;
    result->planar = good ? 1 : -1;
    for (i = 0; i < block->n && good; i++) { /* negates rows until the matching's signs are + */
      int flip = 1;
      for (e = block->start[i]; e < block->start[i + 1]; e++)
        if (block->neighbour[e] == matched[i] + block->n)
          flip = result->sign[block->edge[e]];
      for (e = block->start[i]; e < block->start[i + 1]; e++)
        result->sign[block->edge[e]] = (signed char)(result->sign[block->edge[e]] * flip);
    }
  }
  permi_pool_release(&own);
  return 1;
}

/* ======================================================================================= >>dissection
   Eliminates pairs, a row and the column matched to it, by nested dissection [Geo73]: a level of a breadth-first search
   separates them, and its two sides go first, each the same way. A front is a separator or a small part: its own pairs
   and, on its boundary, the later pairs that it touches. Planar graphs have separators of O(sqrt n) pairs and take
   O(n^1.5) products. */

#define PERMI_FRONT_LEAST 10 /* chosen: smaller parts are one front */

typedef struct permi_front {
  int begin, end;                  /* of order */
  int parent;                      /* -1: none */
  int child, sibling;              /* last one, those before; -1: none */
  int boundary, boundary_end, entry, entry_end;
} permi_front;

typedef struct permi_dissection {
  int n, fronts, largest;
  permi_front *front; /* parents first, eliminated last */
  int *order;         /* pair i is row i and its column */
  int *boundary, *entry;
  double products, bytes_each; /* of one elimination; numbers held at a time */
} permi_dissection;

typedef struct permi_dissection_part {
  int begin, end, parent;
} permi_dissection_part;

typedef struct permi_dissecting {
  permi_dissection *made;
  permi_control *watch;
  int *start, *next, *part, *level, *queue, *place, *key;
  int *count; /* 2 n + 1, twice */
  int parts, used, room;
  double work;
} permi_dissecting;

#define PERMI_DISSECTION_WORK 100 /* chosen: for each pair, of searches (three a level) and of boundaries */

/* Returns the end of what it adds to the queue from `tail` on. */
static int permi_dissection_search(permi_dissecting *d, int from, int tail)
{
  const int part = d->part[from];
  int head = tail, e;
  d->queue[tail++] = from;
  d->level[from] = 0;
  while (head < tail) {
    const int v = d->queue[head++];
    for (e = d->start[v]; e < d->start[v + 1]; e++) {
      const int w = d->next[e];
      if (d->part[w] == part && d->level[w] < 0) {
        d->level[w] = d->level[v] + 1;
        d->queue[tail++] = w;
      }
    }
    permi_watch(d->watch, 20);
  }
  d->work += tail;
  return tail;
}

static void permi_dissection_forget(permi_dissecting *d, int count)
{
  for (int k = 0; k < count; k++)
    d->level[d->queue[k]] = -1;
}

/* Finds what separates the queue: pairs of keys up to *at touching one above. Returns its price; no side over 3/4. */
static double permi_dissection_cut(const permi_dissecting *d, int count, const int *key, int *at)
{
  int *const many = d->count, *const touching = many + 2 * d->made->n + 1; /* from the least key on */
  int least = key[d->queue[0]], most = least, before = 0, separating = 0, k, e;
  double best = (double)INFINITY;
  for (k = 0; k < count; k++) {
    least = key[d->queue[k]] < least ? key[d->queue[k]] : least;
    most = key[d->queue[k]] > most ? key[d->queue[k]] : most;
  }
  memset(many, 0, (size_t)(most - least + 1) * sizeof *many);
  memset(touching, 0, (size_t)(most - least + 1) * sizeof *touching);
  for (k = 0; k < count; k++) {
    const int v = d->queue[k];
    int above = key[v];
    for (e = d->start[v]; e < d->start[v + 1]; e++)
      if (d->part[d->next[e]] == d->part[v] && key[d->next[e]] > above)
        above = key[d->next[e]];
    many[key[v] - least]++;
    touching[key[v] - least]++; /* counts from its key to below the largest that it touches */
    touching[above - least]--;
  }
  for (k = least; k < most; k++) {
    before += many[k - least];
    separating += touching[k - least];
    const double larger = fmax(before - separating, count - before);
    const double price = separating * (larger > 0.75 * count ? 1e6 * larger : 1 + larger / count);
    if (price < best) {
      best = price;
      *at = k;
    }
  }
  return best;
}

static void permi_dissection_split(permi_dissecting *d, permi_dissection_part part, int *first_end, int *second_end)
{
  int *order = d->made->order;
  const int size = part.end - part.begin, *key;
  int count = permi_dissection_search(d, order[part.begin], 0), k, e, level = 0, middle = 0, at[3] = {0, 0, 0};
  if (count < size) { /* takes components, about half of the pairs */
    int all = count;
    for (k = part.begin; 2 * all < size; k++)
      if (d->level[order[k]] < 0) {
        count = all;
        all = permi_dissection_search(d, order[k], all);
      }
    count = all < size ? all : count;
    for (k = part.begin; k < part.end; k++)
      d->place[order[k]] = 1;
    for (k = 0; k < count; k++)
      d->place[d->queue[k]] = 0;
    permi_dissection_forget(d, all);
    memcpy(d->queue, order + part.begin, (size_t)size * sizeof *order);
    count = size;
  } else {
    for (k = 0; k < 2; k++) { /* searches nearly from one end, then from the other */
      const int far_end = d->queue[count - 1];
      for (e = 0; e < count; e++)
        d->key[d->queue[e]] = d->level[d->queue[e]];
      permi_dissection_forget(d, count);
      count = permi_dissection_search(d, far_end, 0);
    }
    for (k = 0; k < count; k++) /* takes differences, straight where levels bend around an end */
      d->key[d->queue[k]] = d->level[d->queue[k]] - d->key[d->queue[k]];
    const double price = permi_dissection_cut(d, count, d->level, &level);
    key = permi_dissection_cut(d, count, d->key, &middle) < price ? d->key : d->level;
    level = key == d->key ? middle : level;
    for (k = 0; k < count; k++) {
      const int v = d->queue[k];
      int side = key[v] > level;
      for (e = d->start[v]; e < d->start[v + 1] && !side; e++)
        side = d->part[d->next[e]] == d->part[v] && key[d->next[e]] > level ? 2 : 0;
      d->place[v] = side;
    }
  }
  for (k = 0; k < count; k++)
    at[d->place[d->queue[k]]]++;
  *first_end = part.begin + at[0];
  *second_end = *first_end + at[1];
  at[2] = *second_end;
  at[1] = *first_end;
  at[0] = part.begin;
  for (k = 0; k < count; k++) {
    const int v = d->queue[k];
    order[at[d->place[v]]++] = v;
    d->part[v] = d->parts + d->place[v];
  }
  d->parts += 3;
  permi_dissection_forget(d, count);
}

static void permi_dissection_grow(permi_dissecting *d, permi_dissection_part *stack)
{
  permi_dissection *made = d->made;
  const permi_dissection_part whole = {0, made->n, -1};
  int depth = 0, k;
  for (k = 0; k < made->n; k++) {
    made->order[k] = k;
    d->part[k] = 0;
    d->level[k] = -1;
  }
  d->parts = 1;
  d->work = 0;
  made->fronts = 0;
  stack[depth++] = whole;
  while (depth > 0 && !permi_watch(d->watch, 100)) {
    permi_dissection_part part = stack[--depth];
    int first_end = part.begin, second_end = part.begin, parent = part.parent;
    if (part.end - part.begin > PERMI_FRONT_LEAST && d->work < PERMI_DISSECTION_WORK * (double)made->n)
      permi_dissection_split(d, part, &first_end, &second_end);
    if (second_end < part.end) {
      permi_front *front = &made->front[made->fronts];
      memset(front, 0, sizeof *front);
      front->begin = second_end;
      front->end = part.end;
      front->parent = parent;
      front->child = front->sibling = -1;
      if (parent >= 0) {
        front->sibling = made->front[parent].child;
        made->front[parent].child = made->fronts;
      }
      parent = made->fronts++;
    }
    part.parent = parent;
    part.end = first_end;
    stack[depth] = part;
    depth += first_end > part.begin;
    part.begin = first_end;
    part.end = second_end;
    stack[depth] = part;
    depth += second_end > first_end;
  }
}

/* Leaves out pairs that are there or are eliminated below. Returns 0 without memory. */
static int permi_dissection_touch(permi_dissecting *d, const perm_allocator *allocator, int f, int pair)
{
  permi_dissection *made = d->made;
  if (d->level[pair] >= f || d->place[pair] == f) /* level is its front */
    return 1;
  d->place[pair] = f;
  if (!permi_grow(allocator, &made->boundary, d->used, &d->room, sizeof *made->boundary))
    return 0;
  made->boundary[d->used++] = pair;
  return 1;
}

/* Makes boundaries, last front first: those below and what own pairs touch, less these. Returns 0 if they are too many,
   -1 without memory. */
static int permi_dissection_bound(permi_dissecting *d, const perm_allocator *allocator)
{
  permi_dissection *made = d->made;
  const double most = PERMI_DISSECTION_WORK * (double)made->n;
  int f, c, k, e, good = 1;
  for (k = 0; k < made->n; k++)
    d->place[k] = -1;
  for (f = made->fronts - 1; f >= 0 && good && d->used < most && !permi_watch(d->watch, 50); f--) {
    permi_front *front = &made->front[f];
    front->boundary = d->used;
    for (k = front->begin; k < front->end && good; k++)
      for (e = d->start[made->order[k]]; e < d->start[made->order[k] + 1] && good; e++)
        good = permi_dissection_touch(d, allocator, f, d->next[e]);
    for (c = front->child; c >= 0 && good; c = made->front[c].sibling)
      for (k = made->front[c].boundary; k < made->front[c].boundary_end && good; k++)
        good = permi_dissection_touch(d, allocator, f, made->boundary[k]);
    front->boundary_end = d->used;
  }
  return !good ? -1 : d->used < most;
}

/* Incomplete if watch stops; partner is a column's row. Returns 0 without memory. */
static int permi_dissect(const permi_block *block, const int *partner, permi_pool *pool, permi_control *watch,
                         permi_dissection *made)
{
  const size_t n = (size_t)block->n, edges = (size_t)block->edges;
  permi_pool own = {pool->allocator, NULL, 0};
  permi_dissecting d = {made, watch, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0};
  int *boundary, bounded = 1, f, k, c, i, e, side, pass;
  double held = 0;
  made->n = block->n;
  made->boundary = NULL;
  made->bytes_each = 0;
  made->front = (permi_front *)permi_pool_get(pool, n, sizeof *made->front);
  permi_dissection_part *stack = (permi_dissection_part *)permi_pool_get(&own, n + 2, sizeof *stack);
  if (!permi_pool_ints(pool, &made->order, n, &made->entry, edges, (int **)NULL) || !made->front || !stack ||
      !permi_pool_ints(&own, &d.start, n + 1, &d.next, 2 * edges, &d.part, n, &d.level, n, &d.queue, n, &d.place, n,
                       &d.key, n, &d.count, 4 * n + 2, (int **)NULL)) {
    permi_pool_release(&own);
    return 0;
  }
  for (c = 0; c < block->n; c++)
    d.place[partner[c]] = block->n + c; /* the row's column */
  for (i = 0; i < block->n; i++) { /* pairs touch if an entry has a row of one and a column of the other */
    d.start[i] = d.used;
    for (side = 0; side < 2; side++) {
      const int v = side ? d.place[i] : i;
      for (e = block->start[v]; e < block->start[v + 1]; e++) {
        const int w = side ? block->neighbour[e] : partner[block->neighbour[e] - block->n];
        if (w != i)
          d.next[d.used++] = w;
      }
    }
  }
  d.start[block->n] = d.used;
  d.used = 0;
  permi_dissection_grow(&d, stack);
  for (f = 0; f < made->fronts; f++)
    for (k = made->front[f].begin; k < made->front[f].end; k++)
      d.level[made->order[k]] = f;
  if (!permi_watch(watch, 40.0 * (double)(n + edges))) {
    bounded = permi_dissection_bound(&d, pool->allocator);
    boundary = made->boundary;
    made->boundary = (int *)permi_pool_kept(pool, boundary, (size_t)d.used, sizeof(int));
    permi_release(pool->allocator, boundary);
    made->products = (double)INFINITY;
    if (bounded > 0 && !pool->failed) {
      made->products = made->largest = 0; /* if no pivot is put off */
      for (f = made->fronts - 1; f >= 0; f--) {
        const permi_front *front = &made->front[f];
        const double rest = front->boundary_end - front->boundary, size = front->end - front->begin + rest;
        made->products += (size * (size + 1) * (2 * size + 1) - rest * (rest + 1) * (2 * rest + 1)) / 6;
        made->largest = size > made->largest ? (int)size : made->largest;
        made->bytes_each = fmax(made->bytes_each, held + size * size + rest * rest);
        held += rest * rest;
        for (c = front->child; c >= 0; c = made->front[c].sibling) {
          const double below = made->front[c].boundary_end - made->front[c].boundary;
          held -= below * below;
        }
      }
      for (pass = 0; pass < 2; pass++) { /* sorts entries by front, where the first of their two pairs is eliminated */
        for (i = 0; i < block->n; i++)
          for (e = block->start[i]; e < block->start[i + 1]; e++) {
            const int one = d.level[i], other = d.level[partner[block->neighbour[e] - block->n]];
            permi_front *front = &made->front[one > other ? one : other];
            if (pass)
              made->entry[front->entry_end] = block->edge[e];
            front->entry_end++;
          }
        for (f = 0, e = 0; f < made->fronts && !pass; f++) {
          made->front[f].entry = e;
          e += made->front[f].entry_end;
          made->front[f].entry_end = made->front[f].entry;
        }
      }
    }
  }
  permi_pool_release(&own);
  return !pool->failed && bounded >= 0;
}

PERMI_BRIEF_END

/* ========================================================================================== >>fronts
   Determinants by multifrontal elimination [DR83] along a dissection. A front is a full matrix of the lines that its
   pairs touch. Pivots are lines that no other front touches; others are put off to the parent. At the root all may be
   pivots, so a determinant of 0 is found.
   THE BOUND: a number is within its radius of the true one. A sum or product adds PERMI_DD_UNIT of the moduli involved,
   a complex one 4 times that, and radii as in interval arithmetic; a quotient is measured by its residual. Radii are
   rounded up by PERMI_RADIUS_UP, their underflow by adding PERMI_RADIUS_LEAST. Entries without a pivot at the root
   bound what is left by the product of their row sums. Radii grow by about a bit with each pivot of a front, true
   errors hardly, so that in large fronts pivots above their radius run out. Then pivots go by size alone, and the error
   is measured: with low parts cut to the 24 bits of a float it is about 2^(104 - 53 - 24) times as large. */

/* Columns have the numbers of their rows. */
typedef struct permi_fronts {
  const permi_dissection *dissection;
  const int *row, *column;
  const signed char *sign;
  perm_allocator allocator;
} permi_fronts;

typedef struct permi_frontal {
  int size, summed, pivots; /* may be pivots */
  int *row, *column;
  char *value;
} permi_frontal;

/* ---- numbers: residues, or double-doubles with a radius */
#define PERMI_RADIUS_UP (1 + 1e-13) /* tests/proofs/frontier.g */
#define PERMI_RADIUS_LEAST 1e-290
#define PERMI_PIVOT_LEAST 0.1  /* times the column's largest */
#define PERMI_PIVOT_SURE 4     /* times its radius */
#define PERMI_PIVOT_NOISE 1e-27 /* chosen: 1e5 roundings */
#define PERMI_COARSE_PART 6e-8 /* 2^-24, where 2^-27 would do */

typedef struct permi_ball {
  permi_dd re, im;
  double radius;
} permi_ball;

typedef enum permi_trust { /* pivots above their radii, which hold; any pivots; and with short low parts */
  PERMI_SURE, PERMI_UNSURE, PERMI_COARSE
} permi_trust;

typedef struct permi_determinant {
  permi_ball ball; /* times 2^exp2 */
  long long exp2;
  int noisy; /* a pivot is below PERMI_PIVOT_NOISE of one before, perhaps 0 */
} permi_determinant;

/* The numbers of an elimination; one whose bits are all zero is 0. */
typedef struct permi_field {
  const permi_odd_modulus *prime; /* NULL: balls */
  const uint64_t *residue;
  const double *real, *imaginary;
  int parts;
  permi_trust trust;
  size_t bytes;
  int largest;  /* fronts; 0: any */
  uint64_t determinant; /* for Montgomery products */
  permi_determinant made;
  double top;
} permi_field;

static double permi_ball_modulus(const permi_ball *x)
{
  return permi_modulus(x->re.hi, x->im.hi) * (1 + 4 * PERMI_UNIT);
}

static double permi_ball_least(const permi_ball *x)
{
  return fmax(fabs(x->re.hi), fabs(x->im.hi)) * (1 - 4 * PERMI_UNIT) - x->radius;
}

static permi_ball permi_ball_times(const permi_ball *a, const permi_ball *b, int parts)
{
  const double x = permi_ball_modulus(a), y = permi_ball_modulus(b);
  permi_ball c = *a;
  if (parts == 2)
    permi_dd_multiply_complex(&c.re, &c.im, b->re, b->im);
  else
    c.re = permi_dd_multiply(a->re, b->re);
  c.radius = (x * b->radius + y * a->radius + a->radius * b->radius + 4 * PERMI_DD_UNIT * x * y) * PERMI_RADIUS_UP +
             PERMI_RADIUS_LEAST;
  return c;
}

static void permi_ball_accumulate(permi_ball *a, const permi_ball *b, int subtract, int parts)
{
  const double moduli = permi_ball_modulus(a) + permi_ball_modulus(b);
  a->re = permi_dd_add(a->re, subtract ? permi_dd_negate(b->re) : b->re);
  if (parts == 2)
    a->im = permi_dd_add(a->im, subtract ? permi_dd_negate(b->im) : b->im);
  a->radius = (a->radius + b->radius + PERMI_DD_UNIT * moduli) * PERMI_RADIUS_UP + PERMI_RADIUS_LEAST;
}

/* Returns a / b, |b| over its radius. A c near the quotient has |c - a / b| <= |a - c b| / |b|. */
static permi_ball permi_ball_divide(const permi_ball *a, const permi_ball *b, int parts)
{
  const int e = permi_exponent(fmax(fabs(b->re.hi), fabs(b->im.hi))); /* squares must not underflow */
  const double x = ldexp(b->re.hi, -e), y = ldexp(b->im.hi, -e), norm = x * x + y * y;
  permi_ball c, rest;
  memset(&c, 0, sizeof c);
  for (int round = 0; round < 3; round++) {
    c.radius = 0;
    permi_ball product = permi_ball_times(&c, b, parts);
    rest = *a;
    permi_ball_accumulate(&rest, &product, 1, parts);
    if (round == 2)
      break;
    c.re = permi_dd_add_double(c.re, ldexp((rest.re.hi * x + rest.im.hi * y) / norm, -e));
    if (parts == 2)
      c.im = permi_dd_add_double(c.im, ldexp((rest.im.hi * x - rest.re.hi * y) / norm, -e));
  }
  c.radius = (permi_ball_modulus(&rest) + rest.radius) / permi_ball_least(b) * PERMI_RADIUS_UP + PERMI_RADIUS_LEAST;
  return c;
}

static void permi_bytes_swap(char *x, char *y, size_t bytes)
{
  for (; bytes > 0; bytes--, x++, y++) {
    const char kept = *x;
    *x = *y;
    *y = kept;
  }
}

static void permi_frontal_swap(permi_frontal *front, size_t bytes, int row, int column)
{
  const int k = front->pivots;
  const size_t line = (size_t)front->size * bytes;
  if (row != k) {
    permi_bytes_swap((char *)&front->row[k], (char *)&front->row[row], sizeof(int));
    permi_bytes_swap(front->value + (size_t)k * line, front->value + (size_t)row * line, line);
  }
  if (column != k) {
    permi_bytes_swap((char *)&front->column[k], (char *)&front->column[column], sizeof(int));
    for (int i = 0; i < front->size; i++)
      permi_bytes_swap(front->value + (size_t)i * line + (size_t)k * bytes,
                       front->value + (size_t)i * line + (size_t)column * bytes, bytes);
  }
}

/* Brings a pivot to (pivots, pivots), or returns 0. */
static int permi_residue_find(const permi_field *field, permi_frontal *front)
{
  const uint64_t *value = (const uint64_t *)(const void *)front->value;
  const int k = front->pivots;
  for (int j = k; j < front->summed; j++)
    for (int i = k; i < front->summed; i++)
      if (value[(size_t)i * (size_t)front->size + (size_t)j]) {
        permi_frontal_swap(front, field->bytes, i, j);
        return 1;
      }
  return 0;
}

PERMI_NEVER_INLINE static void permi_residue_eliminate(permi_field *field, permi_frontal *front)
{
  const permi_odd_modulus prime = *field->prime; /* stays in registers */
  const int k = front->pivots, size = front->size;
  uint64_t *value = (uint64_t *)(void *)front->value;
  const uint64_t *pivot = value + (size_t)k * (size_t)size + (size_t)k;
  const uint64_t scaled = permi_montgomery(*pivot, prime.square, &prime), inverse = permi_prime_inverse(*pivot, &prime);
  field->determinant = permi_montgomery(field->determinant, scaled, &prime);
  for (int i = k + 1; i < size; i++) {
    uint64_t *row = value + (size_t)i * (size_t)size + (size_t)k;
    const int columns = *row ? size - k : 0;
    const uint64_t factor = permi_montgomery(permi_montgomery(*row, prime.square, &prime), inverse, &prime);
    for (int j = 1; j < columns; j++) {
      const uint64_t product = permi_montgomery(factor, pivot[j], &prime);
      row[j] = row[j] - product + (row[j] < product ? prime.p : 0);
    }
  }
}

/* The next diagonal entry, if large enough, comes before the pivot that is largest against its column. */
static int permi_ball_find(const permi_field *field, permi_frontal *front)
{
  const permi_trust trust = field->trust;
  const permi_ball *value = (const permi_ball *)(const void *)front->value;
  const int k = front->pivots, size = front->size;
  double best = 0;
  int i, j, row = -1, column = -1;
  for (j = k; j < front->summed && best < 1; j++) {
    double most = 0, largest = 0, here;
    int at = -1;
    for (i = k; i < size; i++) {
      const permi_ball *x = &value[(size_t)i * (size_t)size + (size_t)j];
      here = permi_ball_modulus(x);
      most = fmax(most, here);
      if (i < front->summed && here > largest &&
          (trust != PERMI_SURE || permi_ball_least(x) > (PERMI_PIVOT_SURE - 1) * x->radius)) {
        largest = here;
        at = i;
      }
    }
    if (at >= 0 && (largest >= PERMI_PIVOT_LEAST * most || front->summed == size) && largest / most > best) {
      best = largest / most;
      row = at;
      column = j;
    }
    if (j == k && best > 0)
      break; /* searching all takes longer than eliminating */
  }
  if (row < 0)
    return 0;
  permi_frontal_swap(front, field->bytes, row, column);
  return 1;
}

static void permi_ball_normalise(permi_field *own)
{
  permi_ball *x = &own->made.ball;
  double most = fmax(fabs(x->re.hi), fabs(x->im.hi));
  if (own->trust == PERMI_SURE)
    most = fmax(most, x->radius);
  if (most == 0 || !(most <= DBL_MAX))
    return;
  const int e = permi_exponent(most);
  x->re = permi_dd_scale(x->re, -e);
  x->im = permi_dd_scale(x->im, -e);
  x->radius = ldexp(x->radius, -e) + PERMI_RADIUS_LEAST;
  own->made.exp2 += e;
}

PERMI_NEVER_INLINE static void permi_ball_eliminate(permi_field *own, permi_frontal *front)
{
  const int k = front->pivots, size = front->size;
  permi_ball *value = (permi_ball *)(void *)front->value;
  const permi_ball *pivot = value + (size_t)k * (size_t)size + (size_t)k;
  own->made.noisy |= permi_ball_modulus(pivot) < PERMI_PIVOT_NOISE * own->top;
  own->top = fmax(own->top, permi_ball_modulus(pivot));
  own->made.ball = permi_ball_times(&own->made.ball, pivot, own->parts);
  permi_ball_normalise(own);
  for (int i = k + 1; i < size; i++) {
    permi_ball *row = value + (size_t)i * (size_t)size + (size_t)k, factor;
    if (row->re.hi == 0 && row->im.hi == 0 && row->radius == 0)
      continue;
    factor = permi_ball_divide(row, pivot, own->parts);
    for (int j = 1; j < size - k; j++) {
      const permi_ball product = permi_ball_times(&factor, pivot + j, own->parts);
      permi_ball_accumulate(row + j, &product, 1, own->parts);
      if (own->trust == PERMI_COARSE) {
        row[j].re.lo = (double)(float)row[j].re.lo;
        row[j].im.lo = (double)(float)row[j].im.lo;
      }
    }
  }
}

typedef struct permi_front_work {
  const permi_fronts *fronts;
  permi_field *field;
  permi_frontal *below; /* of a front, for its parent */
  int *row_at, *column_at; /* in the front at hand */
  int *pivot_column, pivots;
} permi_front_work;

static void permi_frontal_free(const perm_allocator *allocator, permi_frontal *front)
{
  permi_release(allocator, front->row);
  permi_release(allocator, front->value);
  memset(front, 0, sizeof *front);
}

static int permi_frontal_create(const perm_allocator *allocator, int size, size_t bytes, permi_frontal *front)
{
  memset(front, 0, sizeof *front);
  front->size = size;
  front->row = (int *)permi_allocate(allocator, 2 * (size_t)size + 1, sizeof(int));
  front->value = (char *)permi_allocate(allocator, (size_t)size * (size_t)size + 1, bytes);
  front->column = front->row ? front->row + size : NULL;
  if (front->row && front->value)
    return 1;
  permi_frontal_free(allocator, front);
  return 0;
}

PERMI_NEVER_INLINE static perm_status permi_frontal_assemble(permi_front_work *work, int f, permi_frontal *front)
{
  const permi_fronts *fronts = work->fronts;
  const permi_dissection *dissection = fronts->dissection;
  const permi_front *plan = &dissection->front[f];
  permi_field *field = work->field;
  const size_t bytes = field->bytes;
  int size = plan->end - plan->begin, summed, c, i, j, k;
  for (c = plan->child; c >= 0; c = dissection->front[c].sibling)
    size += work->below[c].summed;
  summed = size;
  size += plan->boundary_end - plan->boundary;
  if (field->largest && size > field->largest)
    return PERM_ERROR_LIMIT;
  if (!permi_frontal_create(&fronts->allocator, size, bytes, front))
    return PERM_ERROR_MEMORY;
  front->summed = summed;
  memset(front->value, 0, (size_t)size * (size_t)size * bytes);
  for (i = 0; i < plan->end - plan->begin; i++)
    front->row[i] = front->column[i] = dissection->order[plan->begin + i];
  for (c = plan->child; c >= 0; c = dissection->front[c].sibling)
    for (k = 0; k < work->below[c].summed; k++, i++) {
      front->row[i] = work->below[c].row[k];
      front->column[i] = work->below[c].column[k];
    }
  for (k = plan->boundary; k < plan->boundary_end; k++, i++)
    front->row[i] = front->column[i] = dissection->boundary[k];
  for (i = 0; i < size; i++) {
    work->row_at[front->row[i]] = i;
    work->column_at[front->column[i]] = i;
  }
  for (k = plan->entry; k < plan->entry_end; k++) {
    const int e = dissection->entry[k];
    const size_t at = (size_t)work->row_at[fronts->row[e]] * (size_t)size + (size_t)work->column_at[fronts->column[e]];
    if (field->prime) {
      const uint64_t x = field->residue[e];
      ((uint64_t *)(void *)front->value)[at] = fronts->sign[e] < 0 && x ? field->prime->p - x : x;
    } else {
      permi_ball *y = (permi_ball *)(void *)front->value + at;
      y->re = permi_dd_make(fronts->sign[e] * field->real[e]);
      if (field->imaginary)
        y->im = permi_dd_make(fronts->sign[e] * field->imaginary[e]);
    }
  }
  for (c = plan->child; c >= 0; c = dissection->front[c].sibling) {
    permi_frontal *below = &work->below[c];
    for (i = 0; i < below->size; i++) {
      const char *from = below->value + (size_t)i * (size_t)below->size * bytes;
      char *to = front->value + (size_t)work->row_at[below->row[i]] * (size_t)size * bytes;
      for (j = 0; j < below->size; j++) {
        const size_t at = (size_t)work->column_at[below->column[j]];
        if (field->prime) {
          uint64_t *sum = (uint64_t *)(void *)to + at;
          *sum = permi_residue_add(*sum, ((const uint64_t *)(const void *)from)[j], 0, field->prime->p);
        } else {
          const permi_ball *x = (const permi_ball *)(const void *)from + j;
          permi_ball *y = (permi_ball *)(void *)to + at;
          if (y->re.hi == 0 && y->im.hi == 0 && y->radius == 0)
            *y = *x;
          else
            permi_ball_accumulate(y, x, 0, field->parts);
        }
      }
    }
    permi_frontal_free(&fronts->allocator, below);
  }
  return PERM_OK;
}

/* `run` is NULL while planning. */
typedef struct permi_front_poll {
  permi_runner *run;
  int thread;
  double done, seconds; /* eliminations done; seconds of one */
  permi_control *watch;
} permi_front_poll;

/* *odd says that the determinant has the wrong sign. */
static perm_status permi_fronts_eliminate(const permi_fronts *fronts, permi_field *field, const permi_front_poll *ask,
                                          int *odd)
{
  const permi_dissection *dissection = fronts->dissection;
  const size_t n = (size_t)dissection->n, bytes = field->bytes;
  permi_pool pool = {&fronts->allocator, NULL, 0};
  permi_front_work work = {fronts, field, NULL, NULL, NULL, NULL, 0};
  perm_status status = PERM_OK;
  work.below = (permi_frontal *)permi_pool_zeros(&pool, n, sizeof *work.below);
  if (!permi_pool_ints(&pool, &work.row_at, n, &work.column_at, n, &work.pivot_column, n, (int **)NULL) ||
      pool.failed) {
    permi_pool_release(&pool);
    return PERM_ERROR_MEMORY;
  }
  for (int f = dissection->fronts - 1; f >= 0 && status == PERM_OK; f--) {
    permi_frontal front;
    status = permi_frontal_assemble(&work, f, &front);
    if (status != PERM_OK)
      break;
    for (; front.pivots < front.summed &&
           (field->prime ? permi_residue_find(field, &front) : permi_ball_find(field, &front)); front.pivots++) {
      work.pivot_column[front.row[front.pivots]] = front.column[front.pivots];
      work.pivots++;
      if (field->prime)
        permi_residue_eliminate(field, &front);
      else
        permi_ball_eliminate(field, &front);
    }
    if (dissection->front[f].parent >= 0) {
      const int k = front.pivots, size = front.size - k;
      permi_frontal *below = &work.below[f];
      if (!permi_frontal_create(&fronts->allocator, size, bytes, below))
        status = PERM_ERROR_MEMORY;
      below->summed = front.summed - k;
      for (int i = 0; i < size && status == PERM_OK; i++) {
        below->row[i] = front.row[i + k];
        below->column[i] = front.column[i + k];
        memcpy(below->value + (size_t)i * (size_t)size * bytes,
               front.value + ((size_t)(i + k) * (size_t)front.size + (size_t)k) * bytes, (size_t)size * bytes);
      }
    } else if (front.pivots < front.size) { /* |det| of the rest is at most the product of its row sums */
      permi_ball *x = &field->made.ball;
      field->determinant = 0;
      x->radius += permi_ball_modulus(x);
      x->re = x->im = permi_dd_make(0);
      for (int i = front.pivots; i < front.size && !field->prime; i++) {
        const permi_ball *y = (const permi_ball *)(const void *)front.value + (size_t)i * (size_t)front.size;
        double sum = 0;
        for (int j = front.pivots; j < front.size; j++)
          sum += permi_ball_modulus(&y[j]) + y[j].radius;
        x->radius *= sum * PERMI_RADIUS_UP;
        permi_ball_normalise(field);
      }
    }
    permi_frontal_free(&fronts->allocator, &front);
    if (status == PERM_OK && ask->run)
      status = permi_runner_poll(ask->run, PERMI_RUNNER_POLL,
                                 (ask->done + (double)(dissection->fronts - f) / dissection->fronts) * ask->seconds,
                                 ask->thread);
    else if (status == PERM_OK && permi_watch(ask->watch, PERMI_WATCH_UNITS))
      status = PERM_ERROR_LIMIT;
  }
  *odd = 0;
  memset(work.row_at, 0, n * sizeof *work.row_at);
  for (int f = 0; f < dissection->n && work.pivots == dissection->n; f++) /* the sign of the permutation */
    for (int at = f; !work.row_at[at]; at = work.pivot_column[at]) {
      work.row_at[at] = 1;
      *odd ^= work.pivot_column[at] != f; /* a cycle of length l: l - 1 */
    }
  for (int f = 0; f < dissection->fronts; f++)
    permi_frontal_free(&fronts->allocator, &work.below[f]);
  permi_pool_release(&pool);
  return status;
}

/* Returns PERM_ERROR_LIMIT if too many pivots are not sure. imaginary may be NULL. */
static perm_status permi_fronts_ball(const permi_fronts *fronts, const double *real, const double *imaginary,
                                     permi_trust trust, const permi_front_poll *ask, permi_determinant *determinant)
{
  permi_field field;
  int odd;
  memset(&field, 0, sizeof field);
  field.bytes = sizeof(permi_ball);
  field.largest = trust == PERMI_SURE ? 2 * fronts->dissection->largest + 16 : 0;
  field.trust = trust;
  field.parts = imaginary ? 2 : 1;
  field.real = real;
  field.imaginary = imaginary;
  field.made.ball.re = permi_dd_make(1);
  const perm_status status = permi_fronts_eliminate(fronts, &field, ask, &odd);
  *determinant = field.made;
  if (odd) {
    determinant->ball.re = permi_dd_negate(determinant->ball.re);
    determinant->ball.im = permi_dd_negate(determinant->ball.im);
  }
  return status;
}

PERMI_BRIEF_BEGIN

/* ========================================================================================== >>planar
   Planar blocks as determinants (>>kasteleyn): integers modulo enough primes for a bound on the permanent (Minc and
   Bregman's, or Hadamard's of the determinant); doubles with a radius. */

#define PERMI_PLANAR_LEAST 40 /* chosen: others take under a millisecond */

typedef struct permi_planar {
  permi_owned owned;
  permi_dissection dissection;
  permi_fronts fronts;
  int n, edges, parts, faces;
  int subtracts; /* an entry is negative or complex */
  int primes;    /* 0: the modulus itself */
  uint64_t modulus;
  int64_t *integer[2];
  double *real, *imaginary, *absolute;
  double bits; /* log2 of a bound on the permanent */
  double bound_relative, lost_error;
} permi_planar;

typedef struct permi_planar_run {
  permi_runner base;
  const permi_planar *planar;
  permi_odd_modulus *prime;
  uint64_t *residue[2];
  uint64_t *entry;      /* of each thread */
  double seconds;
  int failed;
} permi_planar_run;

/* Modulo prime `part`; Gaussian integers with both roots of -1. */
static perm_status permi_planar_prime(void *context, uint64_t part, int thread)
{
  permi_planar_run *run = (permi_planar_run *)context;
  const permi_planar *planar = run->planar;
  const permi_odd_modulus *prime = &run->prime[part];
  const uint64_t p = prime->p;
  uint64_t *entry = run->entry + (size_t)thread * (size_t)planar->edges, value[2] = {0, 0}, root = 0;
  const permi_front_poll ask = {&run->base, thread, (double)part, run->seconds, NULL};
  perm_status status = PERM_OK;
  permi_field field;
  int k, e, odd;
  if (planar->parts == 2)
    root = permi_prime_root(prime);
  for (k = 0; k < planar->parts && status == PERM_OK; k++) {
    const uint64_t i = permi_montgomery(k ? p - root : root, prime->square, prime);
    for (e = 0; e < planar->edges; e++) {
      entry[e] = permi_residue_of(planar->integer[0][e], p);
      if (planar->parts == 2)
        entry[e] = permi_residue_add(entry[e], permi_montgomery(permi_residue_of(planar->integer[1][e], p), i, prime),
                                     0, p);
    }
    memset(&field, 0, sizeof field);
    field.bytes = sizeof(uint64_t);
    field.prime = prime;
    field.residue = entry;
    field.determinant = prime->one;
    status = permi_fronts_eliminate(&planar->fronts, &field, &ask, &odd);
    value[k] = permi_montgomery(field.determinant, 1, prime);
    value[k] = odd && value[k] ? p - value[k] : value[k];
  }
  run->residue[0][part] = value[0];
  if (planar->parts == 2)
    permi_residue_parts(value, root, prime, &run->residue[0][part], &run->residue[1][part]);
  if (status == PERM_ERROR_MEMORY) {
    PERMI_OMP(atomic write)
    run->failed = 1;
  }
  return thread ? PERM_OK : status;
}

static perm_status permi_planar_integers(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_planar *planar = (const permi_planar *)leaf->context;
  const size_t runs = planar->primes ? (size_t)planar->primes : 1;
  permi_planar_run run;
  permi_pool *pool = &run.base.pool;
  memset(&run, 0, sizeof run);
  permi_runner_begin(&run.base, &planar->owned.allocator, control, "eliminating");
  if (!leaf->threaded)
    run.base.threads = 1;
  run.planar = planar;
  run.seconds = leaf->information.seconds / (double)runs;
  run.prime = (permi_odd_modulus *)permi_pool_get(pool, runs, sizeof *run.prime);
  run.residue[0] = (uint64_t *)permi_pool_get(pool, 2 * runs, sizeof(uint64_t));
  run.entry = (uint64_t *)permi_pool_get(pool, (size_t)planar->edges * (size_t)run.base.threads, sizeof(uint64_t));
  uint64_t *word = (uint64_t *)permi_pool_get(pool, 2 * (runs + 1), sizeof(uint64_t));
  perm_status status = pool->failed ? PERM_ERROR_MEMORY : PERM_OK;
  if (status == PERM_OK) {
    run.residue[1] = run.residue[0] + runs;
    if (planar->primes)
      permi_primes_choose(run.prime, runs, planar->parts == 2, 62);
    else
      run.prime[0] = permi_odd_modulus_of(planar->modulus);
    status = permi_share(run.base.threads, 0, runs, permi_planar_prime, &run, NULL);
  }
  if (status == PERM_OK && run.failed)
    status = PERM_ERROR_MEMORY;
  if (status == PERM_OK)
    status = permi_residues_sum(run.prime, run.residue[0], planar->primes, planar->modulus, word, &partial->value);
  if (status == PERM_OK && planar->parts == 2)
    status = permi_residues_sum(run.prime, run.residue[1], planar->primes, planar->modulus, word, &partial->imaginary);
  if (status == PERM_OK)
    partial->terms += planar->dissection.products * (double)runs * planar->parts;
  if (status == PERM_ERROR_OVERFLOW && control)
    snprintf(control->message, sizeof control->message,
             "the permanent has over %d bits: ask for it modulo a prime, or in doubles", 64 * PERM_INTEGER_WORDS);
  permi_pool_release(pool);
  return status;
}

#define PERMI_PLANAR_SURE_MOST 160  /* chosen: in larger fronts radii grow beyond the numbers */
#define PERMI_PLANAR_PROOF_SECONDS 0.5 /* chosen: of an elimination that may show that integers fit */
#define PERMI_PLANAR_SURE_GOOD 1e-13 /* chosen: relative radius, below it no second look */

/* Returns |a - b|, in units of a. */
static double permi_planar_distance(const permi_determinant *a, const permi_determinant *b)
{
  permi_ball other = b->ball, mine = a->ball;
  const int shift = permi_int_exponent(b->exp2 - a->exp2);
  other.re = permi_dd_scale(other.re, shift);
  other.im = permi_dd_scale(other.im, shift);
  permi_ball_accumulate(&mine, &other, 1, 2);
  return permi_ball_modulus(&mine);
}

static int permi_planar_finite(const permi_determinant *value)
{
  return fabs(value->ball.re.hi) <= DBL_MAX && fabs(value->ball.im.hi) <= DBL_MAX;
}

/* Measures the error in units of 2^exp2: a bound (or INFINITY) and an estimate. */
static perm_status permi_planar_measured(const permi_planar *planar, const double *real, const double *imaginary,
                                         permi_front_poll *ask, permi_determinant *value, double *estimate)
{
  permi_determinant sure, coarse;
  double bound = (double)INFINITY;
  perm_status status = PERM_ERROR_LIMIT;
  memset(&sure, 0, sizeof sure);
  if (planar->dissection.largest <= PERMI_PLANAR_SURE_MOST)
    status = permi_fronts_ball(&planar->fronts, real, imaginary, PERMI_SURE, ask, &sure);
  ask->done += planar->dissection.largest <= PERMI_PLANAR_SURE_MOST;
  if (status == PERM_OK && permi_planar_finite(&sure) && sure.ball.radius <= DBL_MAX)
    bound = sure.ball.radius;
  if (bound <= PERMI_PLANAR_SURE_GOOD * permi_ball_modulus(&sure.ball)) {
    *value = sure;
    *estimate = bound;
    return PERM_OK;
  }
  if (status == PERM_OK || status == PERM_ERROR_LIMIT)
    status = permi_fronts_ball(&planar->fronts, real, imaginary, PERMI_UNSURE, ask, value);
  ask->done++;
  if (status == PERM_OK)
    status = permi_fronts_ball(&planar->fronts, real, imaginary, PERMI_COARSE, ask, &coarse);
  ask->done++;
  if (status != PERM_OK)
    return status;
  *estimate = (double)INFINITY;
  if (permi_planar_finite(&coarse))
    *estimate = permi_planar_distance(value, &coarse) * PERMI_COARSE_PART;
  if (value->noisy)
    *estimate += permi_ball_modulus(&value->ball);
  if (!permi_planar_finite(value)) { /* radii may still hold */
    *value = sure;
    *estimate = bound;
  } else if (bound < (double)INFINITY) {
    bound = permi_ldexp(bound, sure.exp2 - value->exp2) + permi_planar_distance(value, &sure);
  }
  value->ball.radius = bound;
  *estimate = fmin(*estimate, bound);
  return PERM_OK;
}

/* Rounded entries count with the permanent of their moduli, another determinant. So do roundings that cancel: two
   measurements may agree by chance. */
static perm_status permi_planar_doubles(const permi_leaf *leaf, permi_control *control, perm_partial *partial)
{
  const permi_planar *planar = (const permi_planar *)leaf->context;
  permi_runner run;
  permi_front_poll ask = {&run, 0, 0, leaf->information.seconds, NULL};
  permi_determinant value, absolute;
  double estimate, ignored, bound, moduli;
  memset(&run, 0, sizeof run);
  permi_runner_begin(&run, &planar->owned.allocator, control, "eliminating");
  if (planar->subtracts && (planar->bound_relative > 0 || planar->dissection.largest > PERMI_PLANAR_SURE_MOST))
    ask.seconds /= 2; /* as priced */
  perm_status status = permi_planar_measured(planar, planar->real, planar->imaginary, &ask, &value, &estimate);
  absolute = value;
  if (status == PERM_OK && planar->subtracts && (planar->bound_relative > 0 || estimate != value.ball.radius))
    status = permi_planar_measured(planar, planar->absolute, NULL, &ask, &absolute, &ignored);
  if (status != PERM_OK)
    return status;
  bound = value.ball.radius;
  moduli = permi_ldexp(permi_ball_modulus(&absolute.ball), absolute.exp2 - value.exp2);
  estimate = fmin(estimate + PERMI_DD_UNIT * planar->n * moduli, bound);
  if (planar->bound_relative > 0) {
    const double unknown = permi_ldexp(absolute.ball.radius, absolute.exp2 - value.exp2);
    bound += planar->bound_relative * (moduli + unknown) * PERMI_RADIUS_UP;
    estimate += fmin(4 * sqrt(PERMI_UNIT * planar->bound_relative), planar->bound_relative) * moduli;
  }
  if (planar->lost_error > 0) {
    bound += 2 * (DBL_MIN + permi_ldexp(planar->lost_error, -value.exp2));
    estimate = bound;
  }
  if (!permi_planar_finite(&value) || !(bound >= 0))
    memset(&value.ball, 0, sizeof value.ball);
  permi_partial_add(partial, value.ball.re, value.ball.im, fmin(estimate, DBL_MAX), planar->dissection.products);
  partial->lost += bound >= 0 ? bound + 2 * DBL_MIN : (double)INFINITY;
  partial->exp2 = value.exp2;
  return PERM_OK;
}

static size_t permi_planar_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_planar *planar = (const permi_planar *)leaf->context;
  char numbers[80];
  if (!leaf->integer)
    snprintf(numbers, sizeof numbers, "in %sdouble-doubles %s", planar->parts == 2 ? "complex " : "",
             planar->dissection.largest > PERMI_PLANAR_SURE_MOST ? "without a bound" : "with a radius");
  else if (planar->primes)
    permi_say(numbers, sizeof numbers, "modulo %d primes, at most %.0f bits", planar->primes, planar->bits);
  else
    snprintf(numbers, sizeof numbers, "modulo the prime");
  return permi_say(buffer, size,
                   "planar, order %d: %d entries, %d faces, Kasteleyn signs; a determinant of %.3g products in %d "
                   "fronts of order %d at most, %s, predicted %.3g s\n",
                   planar->n, planar->edges, planar->faces, planar->dissection.products, planar->dissection.fronts,
                   planar->dissection.largest, numbers, leaf->information.seconds);
}

/* Returns 0 if the permanent may be too long. */
static int permi_planar_price(const permi_maker *maker, const permi_block *block, permi_planar *planar,
                              permi_offer *offer)
{
  const perm_options *options = maker->options;
  const double products = planar->dissection.products, lines = block->n + block->edges;
  const int large = planar->dissection.largest > PERMI_PLANAR_SURE_MOST;
  const size_t edges = (size_t)block->edges;
  const permi_front_poll ask = {NULL, 0, 0, 0, maker->watch};
  permi_pool pool = {&options->allocator, NULL, 0};
  permi_determinant value;
  double bits[2] = {0, 0}, *entry;
  if (!block->integer) {
    offer->seconds = (products * permi_planar_seconds[1][0] + lines * permi_planar_seconds[1][1]) *
                     (planar->subtracts && (block->rounded || large) ? 2 : 1) * (planar->parts == 2 ? 3 : 1) *
                     (large ? 2 : 1);
    offer->bytes = planar->dissection.bytes_each * sizeof(permi_ball);
    return 1;
  }
  for (int v = 0; v < 2 * block->n; v++) {
    double squares = 0;
    for (int e = block->start[v]; e < block->start[v + 1]; e++) {
      const double x = (double)block->integer[block->edge[e]];
      const double y = block->imaginary_integer ? (double)block->imaginary_integer[block->edge[e]] : 0;
      squares += x * x + y * y;
    }
    bits[v >= block->n] += 0.5 * log2(squares);
  }
  planar->bits = fmin(permi_majorants_bits(bits), permi_block_bits(block));
  if (permi_words_of_bits(planar->bits) > PERM_INTEGER_WORDS && !planar->modulus && !large &&
      products * permi_planar_seconds[1][0] < PERMI_PLANAR_PROOF_SECONDS) {
    /* a bound on the permanent itself, by double-doubles with radii, unless these run out or entries are no doubles */
    entry = (double *)permi_pool_get(&pool, 2 * edges, sizeof *entry);
    int whole = entry != NULL;
    for (int e = 0; e < planar->parts * block->edges && whole; e++) {
      entry[e] = (double)planar->integer[e / block->edges][e % block->edges];
      whole &= fabs(entry[e]) < 9007199254740992.0;
    }
    if (whole && permi_fronts_ball(&planar->fronts, entry, planar->parts == 2 ? entry + edges : NULL, PERMI_SURE, &ask,
                                   &value) == PERM_OK) {
      const double most = (permi_ball_modulus(&value.ball) + value.ball.radius) * PERMI_RADIUS_UP;
      if (most <= DBL_MAX)
        planar->bits = fmin(planar->bits, most > 0 ? log2(most) + (double)value.exp2 + 1e-3 : 0);
    }
    permi_pool_release(&pool);
    planar->bits = fmax(planar->bits, 1);
  }
  if (!(planar->modulus & 1) || planar->parts == 2 || !permi_is_prime(planar->modulus))
    planar->primes = permi_primes_needed(planar->bits);
  offer->seconds = (planar->primes ? planar->primes : 1) * planar->parts *
                   (products * permi_planar_seconds[0][0] + lines * permi_planar_seconds[0][1]);
  offer->bytes = planar->dissection.bytes_each * 8;
  return planar->modulus || options->precision == PERM_PRECISION_EXACT || options->method == PERM_METHOD_EXACT ||
         permi_words_of_bits(planar->bits) <= PERM_INTEGER_WORDS;
}

static perm_status permi_planar_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const permi_working *working = maker->working;
  const size_t edges = (size_t)block->edges;
  permi_kasteleyn signs;
  if (block->edges > 4 * block->n - 4) /* faces have four edges or more */
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "is not planar: %d entries, a planar one has at most %d",
                        block->edges, 4 * block->n - 4);
  (void)rival;
  if (maker->offers && block->n < PERMI_PLANAR_LEAST)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "is done before a drawing is found");
  permi_planar *planar = (permi_planar *)permi_owned_new(&maker->options->allocator, sizeof *planar);
  offer->plan = planar;
  permi_pool *pool = planar ? &planar->owned.pool : NULL;
  if (!planar || !permi_kasteleyn_make(block, pool, maker->watch, &signs))
    return permi_fail_memory(maker->result);
  if (maker->watch->stopped != PERM_OK || signs.planar <= 0)
    return permi_refuse(offer, PERM_ERROR_UNSUPPORTED, "%s",
                        signs.planar < 0 ? "has a drawing whose check failed" : "is not planar");
  planar->n = block->n;
  planar->edges = block->edges;
  planar->faces = signs.faces;
  planar->parts = working->is_complex ? 2 : 1;
  planar->modulus = working->modulus;
  planar->lost_error = working->lost ? working->lost_error : 0;
  if (block->rounded)
    planar->bound_relative = permi_entry_bound(permi_entry_roundings(working, working->n));
  int *row = (int *)permi_pool_get(pool, 2 * edges, sizeof(int));
  planar->integer[0] = (int64_t *)permi_pool_kept(pool, block->integer, edges, 8);
  planar->integer[1] = (int64_t *)permi_pool_kept(pool, block->imaginary_integer, edges, 8);
  planar->real = (double *)permi_pool_kept(pool, block->real, edges, 8);
  planar->imaginary = (double *)permi_pool_kept(pool, block->imaginary, edges, 8);
  planar->absolute = (double *)permi_pool_kept(pool, block->absolute, edges, 8);
  if (!permi_dissect(block, signs.partner, pool, maker->watch, &planar->dissection) || pool->failed)
    return permi_fail_memory(maker->result);
  for (int i = 0; i < block->n; i++)
    for (int e = block->start[i]; e < block->start[i + 1]; e++) {
      row[block->edge[e]] = i;
      row[edges + (size_t)block->edge[e]] = signs.partner[block->neighbour[e] - block->n];
    }
  for (int e = 0; e < block->edges && block->real; e++)
    planar->subtracts |= block->imaginary || block->real[e] != block->absolute[e];
  planar->fronts.row = row;
  planar->fronts.column = row + edges;
  planar->fronts.dissection = &planar->dissection;
  planar->fronts.sign = signs.sign;
  planar->fronts.allocator = maker->options->allocator;
  if (maker->offers && maker->options->certify && !block->integer &&
      planar->dissection.largest > PERMI_PLANAR_SURE_MOST)
    permi_refuse(offer, PERM_TOLERANCE_NOT_MET, "has fronts of order %d, too large for a bound",
                 planar->dissection.largest); /* only without certify */
  else if (!(planar->dissection.products < (double)INFINITY))
    permi_refuse(offer, PERM_ERROR_LIMIT, "is planar, but no small separators are found");
  else if (!permi_planar_price(maker, block, planar, offer))
    permi_refuse_long(offer);
  offer->bytes += 150.0 * block->n + 60.0 * block->edges;
  return PERM_OK;
}

static perm_status permi_planar_make(permi_maker *maker, const permi_block *block, permi_offer *offer, permi_leaf *leaf)
{
  const permi_planar *planar = (const permi_planar *)offer->plan;
  uint64_t hash = permi_hash(PERMI_HASH_START, planar->modulus);
  (void)maker;
  for (int e = 0; e < planar->edges; e++) {
    hash = permi_hash(hash, (uint64_t)planar->fronts.row[e] << 32 | (uint64_t)planar->fronts.column[e]);
    for (int part = 0; part < planar->parts && block->integer; part++)
      hash = permi_hash(hash, (uint64_t)planar->integer[part][e]);
    if (!block->integer)
      hash = permi_hash_double(permi_hash_double(hash, planar->real[e]), planar->imaginary ? planar->imaginary[e] : 0);
  }
  leaf->integer = block->integer != NULL;
  leaf->information.work = planar->dissection.products;
  leaf->information.fingerprint = hash;
  leaf->run_task = leaf->integer ? permi_planar_integers : permi_planar_doubles;
  leaf->explain = permi_planar_explain;
  leaf->threaded = leaf->integer && offer->seconds >= PERMI_CHUNK_SECONDS / 10;
  leaf->measured = !leaf->integer;
  leaf->estimate_relative = leaf->measured;
  leaf->bound_absolute = leaf->measured && planar->dissection.largest > PERMI_PLANAR_SURE_MOST ? (double)INFINITY : 0;
  return PERM_OK;
}

/* ================================================================================= >>frontier_offer
   Offers of methods frontier, lists, arrays and sorting. */

static size_t permi_frontier_explain(const permi_leaf *leaf, char *buffer, size_t size)
{
  const permi_frontier *frontier = (const permi_frontier *)leaf->context;
  char there[64] = "", residues[64] = "";
  if (frontier->arrays && frontier->arrays->isa == PERM_ISA_CUDA)
    permi_say(there, sizeof there, ", %.3g on the GPU", permi_gpu_needs(frontier));
  if (frontier->arrays && frontier->arrays->by_residues) {
    const permi_array_residues *by = &frontier->arrays->residues;
    if (by->primes)
      snprintf(residues, sizeof residues, "residues modulo %d primes of %d bits", by->primes, by->bits);
    else
      snprintf(residues, sizeof residues, by->modulus ? "residues in doubles" : "integers in doubles");
  }
  return permi_say(buffer, size,
                   "%s, order %d: width %d, %d steps, at most %.3g states in %s, about %.3g transitions of %s, "
                   "predicted %.3g s, %.3g bytes%s\n",
                   perm_name("method", leaf->information.method), leaf->information.n, frontier->width, frontier->steps,
                   fmax(frontier->room[0], frontier->room[1]),
                   !frontier->arrays                        ? "lists"
                   : frontier->arrays->isa == PERM_ISA_CUDA ? "arrays on a GPU"
                                                            : "arrays",
                   leaf->information.work,
                   residues[0] ? residues : permi_numbers_text(&frontier->numbers, 1), leaf->information.seconds,
                   leaf->information.bytes, there);
}

static uint64_t permi_frontier_fingerprint(const permi_frontier *frontier, permi_control *watch)
{
  uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)frontier->numbers.algebra);
  hash = permi_hash(permi_hash(hash, (uint64_t)frontier->numbers.words), frontier->numbers.modulus);
  for (int i = 0; i <= frontier->steps; i++)
    hash = permi_hash(hash, (uint64_t)frontier->stream_start[i]);
  for (int i = 0; i < frontier->stream_start[frontier->steps] && !permi_watch_step(watch, (size_t)i, 30); i++) {
    for (int j = 0; j < 3; j++)
      hash = permi_hash(hash, permi_stream_word(frontier, i, j, 0));
    hash = permi_coefficient_hash(hash, &frontier->coefficient[i]);
    for (int j = 0; j < 3; j++)
      for (int w = 1; w < frontier->mask_words; w++)
        hash = permi_hash(hash, permi_stream_word(frontier, i, j, w));
  }
  return hash;
}

static double permi_lists_weight(const permi_numbers *numbers)
{
  const double words = numbers->algebra == PERMI_WORDS ? permi_list_weight[PERMI_RESIDUES + 1] * numbers->words : 0;
  return permi_list_weight[numbers->algebra] + words;
}

#define PERMI_GPU_PLANES 10 /* words of a value */
/* `offer` is of lists, `seconds` of arrays on the CPU. With cpu_fallback the GPU must be there and have the memory. */
static int permi_arrays_on_gpu(const perm_options *options, const permi_frontier *frontier, double seconds,
                               permi_offer *offer)
{
  if (!options->gpu.devices || frontier->numbers.algebra == PERMI_RESIDUES ||
      permi_arrays_bytes_at(frontier, frontier->steps) > 8 * PERMI_GPU_PLANES)
    return 0;
  if (options->method != PERM_METHOD_ARRAYS && offer->seconds < seconds)
    seconds = offer->seconds;
  if (options->isa != PERM_ISA_CUDA && permi_arrays_gpu_seconds(frontier) >= seconds)
    return 0;
  const double there = permi_gpu_bytes(), needed = permi_gpu_needs(frontier);
  if (there > 0 && needed > there * PERMI_GPU_SHARE)
    permi_say(offer->why, sizeof offer->why, "on a GPU %.3g of %.3g", needed, there);
  return there > 0 ? needed <= there * PERMI_GPU_SHARE : !options->gpu.cpu_fallback;
}

/* Takes residues where they are faster. Returns 0 without memory. */
static int permi_residues_offer(const permi_maker *maker, permi_frontier *frontier, double *seconds)
{
  permi_arrays *arrays = frontier->arrays;
  *seconds = permi_arrays_seconds(frontier);
  if (!frontier->bits || maker->keeps)
    return 1;
  if (!permi_residues_plan(frontier, maker->working->modulus))
    return 0;
  if (!arrays->residues.passes)
    return 1;
  arrays->by_residues = 1;
  const double by_residues = permi_arrays_seconds(frontier);
  arrays->by_residues = by_residues < *seconds;
  *seconds = fmin(*seconds, by_residues);
  return 1;
}

/* Measures; takes residues where integers do not fit. Returns 0 without memory. */
static int permi_arrays_fitted(const perm_options *options, permi_frontier *frontier, double *seconds,
                               permi_control *watch)
{
  permi_arrays *arrays = frontier->arrays;
  const double limit = options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES;
  if (!permi_arrays_measured(frontier, watch))
    return 0;
  if (arrays->isa == PERM_ISA_CUDA || arrays->by_residues || !arrays->residues.passes ||
      permi_arrays_bytes(arrays) <= limit)
    return 1;
  arrays->by_residues = 1;
  arrays->bytes = 0;
  *seconds = permi_arrays_seconds(frontier);
  return permi_arrays_measured(frontier, watch);
}

static int permi_frontier_may_run(const perm_options *options, double seconds)
{
  return options->max_seconds == 0 || seconds <= options->max_seconds || permi_in_pieces(options);
}

#define PERMI_ARRAY_STATES 5000 /* least peak of arrays */
/* Arrays hold unreachable states and cost more in small steps. */
static perm_status permi_frontier_choose(permi_maker *maker, const permi_block *block, double rival,
                                         permi_frontier *frontier, permi_offer *offer)
{
  const perm_options *options = maker->options;
  const double states = fmax(frontier->room[0], frontier->room[1]);
  offer->seconds =
      permi_order_seconds(block, frontier->cost[frontier->steps] * permi_lists_weight(&frontier->numbers));
  offer->bytes =
      (frontier->room[0] + frontier->room[1]) * ((double)permi_value_bytes(frontier) + PERMI_GROUP_BYTES) + 65536;
  if (options->method == PERM_METHOD_LISTS || options->method == PERM_METHOD_SORTING ||
      (options->method != PERM_METHOD_ARRAYS && states < PERMI_ARRAY_STATES && options->isa != PERM_ISA_CUDA))
    return PERM_OK;
  if (!permi_arrays_create(block, frontier, permi_isa(options), PERMI_ARRAY_LOW, maker->watch))
    return permi_fail_memory(maker->result);
  if (frontier->arrays) {
    permi_arrays *arrays = frontier->arrays;
    double seconds;
    if (!permi_residues_offer(maker, frontier, &seconds))
      return permi_fail_memory(maker->result);
    const int residues = arrays->by_residues;
    arrays->by_residues = 0;
    if (permi_arrays_on_gpu(options, frontier, seconds, offer)) {
      arrays->isa = PERM_ISA_CUDA;
      seconds = permi_arrays_gpu_seconds(frontier);
    } else if (options->method != PERM_METHOD_ARRAYS && seconds > offer->seconds) {
      frontier->arrays = NULL;
    }
    if (frontier->arrays) {
      arrays->by_residues = residues && arrays->isa != PERM_ISA_CUDA;
      if (seconds < rival && permi_frontier_may_run(options, seconds)) {
        if (!permi_arrays_fitted(options, frontier, &seconds, maker->watch))
          return permi_fail_memory(maker->result);
        offer->bytes = permi_arrays_bytes(arrays);
      } /* else those of two whole steps */
      offer->seconds = seconds;
    }
  } else if (options->method == PERM_METHOD_ARRAYS) {
    permi_refuse(offer, PERM_ERROR_LIMIT, "needs %d slots or more, over the %d of arrays", frontier->width,
                 PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH);
  }
  if (offer->why[0] && offer->status == PERM_OK && options->max_bytes == 0 && offer->bytes > PERMI_DEFAULT_BYTES) {
    char gpu[sizeof offer->why];
    memcpy(gpu, offer->why, sizeof gpu);
    permi_refuse(offer, PERM_ERROR_LIMIT, "would need %s, and %s", permi_size_words(offer->bytes).text, gpu);
  }
  return PERM_OK;
}

/* Sets the budget of orders, the GPU's if a quick order will run there: two steps are in memory; samples keep to one
   order whatever max_bytes. Returns 0 without memory. */
static int permi_frontier_budget(const permi_maker *maker, const permi_block *block, double rival, int *order,
                                 permi_budget *budget)
{
  const perm_options *options = maker->options;
  const double bytes = options->max_bytes > 0 && !maker->keeps ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES;
  double size = 8 * (block->imaginary ? 2 : 1) * (permi_sparse_doubled(options) ? 2 : 1), cost, there;
  permi_numbers numbers;
  if (block->integer && options->method != PERM_METHOD_LISTS && options->method != PERM_METHOD_SORTING && !maker->keeps)
    size = 8; /* residues */
  else if (block->integer)
    size = 8 * (block->imaginary_integer ? 2 : 1) * (floor((permi_block_bits(block) + 1) / 64) + 1);
  budget->effort = options->plan_effort > 0 ? options->plan_effort : 1;
  budget->most = 0.49 * bytes / size;
  (void)permi_numbers_choose(&numbers, block, maker->working->modulus, permi_sparse_doubled(options));
  budget->each = budget->quick = PERMI_STATE_SECONDS * permi_lists_weight(&numbers);
  budget->start = budget->quick_start = 0;
  budget->quick_width = PERMI_ARRAY_LOW + 2 * PERMI_ARRAY_HIGH;
  if (options->method != PERM_METHOD_LISTS && options->method != PERM_METHOD_SORTING) {
    const permi_algebra algebra = block->integer ? PERMI_WORD : block->imaginary ? PERMI_COMPLEX : PERMI_MAGNITUDES;
    budget->quick = permi_array_seconds[algebra];
    budget->quick_start = PERMI_ARRAY_STREAM_SECONDS * block->edges;
  }
  budget->rival = rival;
  budget->first[0] = maker->offers ? maker->offers->elimination : NULL;
  budget->first[1] = maker->offers ? maker->offers->glanced : NULL;
  budget->reserve = maker->layouts ? PERMI_PLAN_RIVAL * permi_account_free(maker->account, rival) : 0;
  budget->account = maker->account;
  if (!options->gpu.devices)
    return 1;
  permi_budget quick = *budget;
  quick.effort = 0;
  if (!permi_order(&options->allocator, block, maker->binomial, &quick, order, &cost))
    return 0;
  if (options->isa != PERM_ISA_CUDA && cost * PERMI_STATE_SECONDS < PERMI_GPU_START_SECONDS)
    return 1;
  there = permi_gpu_bytes();
  if (there > 0) {
    budget->most *= PERMI_GPU_SHARE * there / bytes;
    budget->each = budget->quick = PERMI_GPU_STATE_SECONDS * permi_gpu_slower(PERM_GPU_MEMORY);
    budget->start = PERMI_GPU_START_SECONDS;
    budget->quick_start = 0;
  }
  return 1;
}

/* The caller releases *order. `quick`: greedy ones alone. Returns 0 without memory. */
static int permi_frontier_order(permi_maker *maker, const permi_block *block, double rival, int quick,
                                permi_budget *budget, int **order, double *cost)
{
  const perm_allocator *allocator = &maker->options->allocator;
  *order = (int *)permi_allocate(allocator, (size_t)block->vertices, sizeof **order);
  if (!maker->binomial)
    maker->binomial = permi_binomials(allocator, maker->working->n);
  if (!*order || !maker->binomial || !permi_frontier_budget(maker, block, rival, *order, budget))
    return 0;
  budget->effort = quick ? 0 : budget->effort;
  return permi_order(allocator, block, maker->binomial, budget, *order, cost);
}

/* Returns the seconds by greedy orders, INFINITY beyond order PERM_MAX_N and by name. */
static double permi_frontier_glance(permi_maker *maker, const permi_block *block, double rival)
{
  double cost;
  permi_budget budget;
  int *order;
  if (!maker->offers || block->n > PERM_MAX_N)
    return (double)INFINITY;
  if (maker->offers->glance >= 0)
    return maker->offers->glance;
  maker->offers->glance = (double)INFINITY;
  if (permi_frontier_order(maker, block, rival, 1, &budget, &order, &cost) && cost < (double)INFINITY) {
    maker->offers->glance = permi_budget_seconds(&budget, cost);
    maker->offers->glanced = order;
    order = NULL;
  }
  permi_release(&maker->options->allocator, order);
  return maker->offers->glance;
}

#define PERMI_FRONTIER_FAR 4 /* an order of so many times the rival's seconds is given up */
static perm_status permi_frontier_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_allocator *allocator = &maker->options->allocator;
  permi_working *working = maker->working;
  permi_frontier *frontier = NULL;
  permi_budget budget;
  double cost = 0;
  int *order;
  perm_status status = PERM_ERROR_MEMORY;
  if (block->n > PERM_MAX_N && rival < permi_order_seconds(block, 0))
    return permi_refuse(offer, PERM_ERROR_LIMIT, "takes method frontier at least %s, and another engine less",
                        permi_time_words(permi_order_seconds(block, 0)).text);
  const permi_exactness exactness = {permi_entry_roundings(working, working->n) + block->additions,
                                     working->lost_error, working->modulus, permi_sparse_doubled(maker->options)};
  if (permi_frontier_order(maker, block, rival, 0, &budget, &order, &cost)) {
    const double seconds = permi_budget_seconds(&budget, cost);
    if (seconds > fmax(PERMI_FRONTIER_FAR * rival, PERMI_FREE_SECONDS) && cost < PERMI_ORDER_MOST) {
      permi_release(allocator, order);
      return permi_refuse(offer, PERM_ERROR_LIMIT, "takes about %s by frontier, more than others",
                          permi_time_words(seconds).text);
    }
    status = cost < PERMI_ORDER_MOST ? permi_frontier_create(allocator, block, order, maker->binomial, &exactness,
                                                             maker->watch, &frontier)
                                     : PERM_ERROR_LIMIT;
  }
  offer->plan = frontier;
  if (status == PERM_OK)
    status = permi_frontier_choose(maker, block, rival, frontier, offer);
  permi_release(allocator, order);
  if (status == PERM_ERROR_MEMORY)
    return permi_fail_memory(maker->result);
  if (status == PERM_OK)
    return PERM_OK;
  if (status == PERM_ERROR_OVERFLOW)
    return permi_refuse_long(offer);
  if (block->n > PERM_MAX_N && rival < (double)INFINITY)
    return permi_refuse(offer, PERM_ERROR_LIMIT, "has no elimination order found that comes near to another engine");
  return permi_refuse(offer, PERM_ERROR_LIMIT,
                      "has no elimination order found within %d frontier vertices (predicted transitions %.3g)",
                      PERMI_FRONTIER_WIDTH, cost);
}

/* Large blocks begin with the order of trees. */
#define PERMI_FRONTIER_GAIN 0.1 /* annealed orders take at least this share of a greedy one's time */
static perm_status permi_frontier_least(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  if (block->n > PERM_MAX_N) {
    offer->least = fmax(offer->least, (PERMI_TREE_WORTH + 1) * PERMI_ORDER_PLAN_SECONDS *
                                           ((double)block->vertices + block->edges));
  } else if (PERMI_ANNEAL_SHARE * rival > PERMI_ANNEAL_LEAST) {
    offer->likely = permi_frontier_glance(maker, block, rival);
    if (offer->likely < (double)INFINITY)
      offer->least = fmax(offer->least, PERMI_FRONTIER_GAIN * offer->likely);
  }
  return PERM_OK;
}

static perm_status permi_frontier_make(permi_maker *maker, const permi_block *block, permi_offer *offer,
                                       permi_leaf *leaf)
{
  permi_frontier *frontier = (permi_frontier *)offer->plan;
  const permi_arrays *arrays = frontier->arrays;
  if (arrays && permi_frontier_may_run(maker->options, offer->seconds)) {
    if (!permi_arrays_measured(frontier, maker->watch))
      return permi_fail_memory(maker->result);
    leaf->information.bytes = permi_arrays_bytes(arrays);
  }
  leaf->information.work = frontier->cost[frontier->steps];
  leaf->information.fingerprint = permi_frontier_fingerprint(frontier, maker->watch);
  permi_leaf_values(leaf, &frontier->numbers, frontier->bound_relative,
                    permi_algebra_is_dd(frontier->numbers.algebra) && !block->rounded ? PERMI_DD_UNIT : PERMI_UNIT,
                    maker->options->method == PERM_METHOD_SORTING ? permi_sorting_run : permi_frontier_run,
                    permi_frontier_explain);
  leaf->threaded = fmax(frontier->room[0], frontier->room[1]) >= PERMI_PARALLEL_STATES;
  if (arrays) {
    leaf->information.isa = arrays->isa;
    leaf->information.fingerprint =
        permi_arrays_fingerprint(leaf->information.fingerprint, frontier, maker->watch);
    leaf->run_task = permi_arrays_run_task;
    leaf->threaded = arrays->isa != PERM_ISA_CUDA;
  }
  return PERM_OK;
}

#define PERMI_SORTING_SLOWER 13 /* times merged lists: a regular graph of order 80 */
static perm_status permi_sorting_offer(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_status status = permi_frontier_offer(maker, block, rival, offer);
  const permi_frontier *frontier = (const permi_frontier *)offer->plan;
  double most = 0;
  if (status != PERM_OK || !(offer->seconds < (double)INFINITY))
    return status;
  for (int p = 0; p < frontier->steps; p++)
    most = fmax(most, frontier->states[p] * (frontier->stream_start[p + 1] - frontier->stream_start[p]));
  offer->seconds *= PERMI_SORTING_SLOWER;
  offer->bytes = (frontier->room[0] + frontier->room[1]) *
                     ((double)permi_value_bytes(frontier) + 8 * frontier->mask_words) +
                 2 * most * (sizeof(permi_take) + 8) + 65536;
  return status;
}

/* ========================================================================================= >>choose
   The blocks of a graph, the table of engines, the choice. */

/* Equal lines are found by hashes; returns 0 without memory. */
static int permi_report_left(permi_working *working)
{
  perm_preparation *report = &working->report;
  const int n = working->n;
  int *size = working->work, side, v, k, lines, index;
  const int single = !working->alone; /* a block of one row is an entry */
  if (working->reported)
    return 1;
  permi_ranked *line = (permi_ranked *)permi_allocate(&working->allocator, 2 * (size_t)n, sizeof *line);
  if (!line)
    return 0;
  working->reported = 1;
  memset(size, 0, (size_t)working->blocks * sizeof *size);
  for (v = 0; v < n; v++)
    if (working->degree[v] >= 0)
      size[working->component[v]]++;
  report->blocks = report->largest = 0;
  for (k = 0; k < working->blocks; k++) {
    report->blocks += size[k] > single;
    report->largest = size[k] > single && size[k] > report->largest ? size[k] : report->largest;
  }
  for (side = 0; side < 2; side++) {
    int *equal = side ? &report->equal_columns : &report->equal_rows;
    for (lines = 0, v = side * n; v < side * n + n; v++)
      if (working->degree[v] >= 0 && size[working->component[v]] > single &&
          !permi_watch(working->watch, 20.0 * working->degree[v])) {
        line[lines].key = 0;
        line[lines].vertex = v;
        for (index = working->head[v]; index >= 0; index = working->cell[index].next[side]) {
          const permi_cell *cell = &working->cell[index];
          uint64_t hash = permi_hash(PERMI_HASH_START, (uint64_t)cell->vertex[1 - side]);
          if (working->integer)
            hash = permi_hash(permi_hash(hash, (uint64_t)cell->integer), (uint64_t)cell->imaginary_integer);
          else
            hash = permi_hash_double(permi_hash_double(hash, cell->real), cell->imaginary);
          line[lines].key += hash;
        }
        lines++;
        report->degree_three += working->degree[v] == 3;
        report->degree_four += working->degree[v] == 4;
        if (!side)
          report->entries_left += (size_t)working->degree[v];
      }
    permi_ranked *sorted = (permi_ranked *)permi_sort(line, line + n, (size_t)lines, sizeof *line, working->watch);
    for (k = 1; k < lines && sorted; k++)
      *equal += sorted[k].key == sorted[k - 1].key;
  }
  permi_release(&working->allocator, line);
  return 1;
}

/* Rows of block k are listed from first[k] on, columns from first[blocks + k]. */
static perm_status permi_block_lines(permi_working *working)
{
  const int n = working->n, blocks = working->blocks;
  int *first = working->first, v, k;
  memset(first, 0, (2 * (size_t)blocks + 1) * sizeof *first);
  for (v = 0; v < 2 * n; v++)
    if (working->degree[v] >= 0)
      first[(v < n ? 0 : blocks) + working->component[v]]++;
  for (k = 0; k < 2 * blocks; k++) /* ends */
    first[k + 1] += first[k];
  for (v = 2 * n - 1; v >= 0 && !permi_watch_step(working->watch, (size_t)v, 20); v--)
    if (working->degree[v] >= 0)
      working->line[--first[(v < n ? 0 : blocks) + working->component[v]]] = v;
  return working->watch->stopped;
}

static void permi_block_set(permi_block *block, int e, const permi_cell *cell)
{
  if (block->integer) {
    block->integer[e] = cell->integer;
    if (block->imaginary_integer)
      block->imaginary_integer[e] = cell->imaginary_integer;
  } else {
    block->real[e] = cell->real;
    block->absolute[e] = cell->absolute;
    block->rounded |= cell->rounded;
    if (block->imaginary)
      block->imaginary[e] = cell->imaginary;
  }
}

/* The block, of n rows and m columns, is incomplete if watch stops; returns 0 without memory. */
static int permi_block_create(permi_working *working, const int *rows, const int *columns, int n, int m,
                              permi_block *block)
{
  int *number = working->work, *fill = working->work + 2 * (size_t)working->n;
  int i, index, edges = 0, values, c;
  memset(block, 0, sizeof *block);
  for (i = 0; i < n; i++) {
    number[rows[i]] = i;
    edges += working->degree[rows[i]];
  }
  for (i = 0; i < m; i++)
    number[columns[i]] = n + i;
  block->n = n;
  block->vertices = n + m;
  block->edges = edges;
  block->free_lines = working->alone != NULL;
  values = permi_block_values(block);
  block->pool.allocator = &working->allocator;
  if (working->integer)
    block->integer = (int64_t *)permi_pool_get(&block->pool, (size_t)values, (size_t)(1 + working->is_complex) * 8);
  else
    block->real = (double *)permi_pool_get(&block->pool, (size_t)values, (size_t)(2 + working->is_complex) * 8);
  if (!permi_pool_ints(&block->pool, &block->start, (size_t)(n + m) + 1, &block->neighbour, 2 * (size_t)edges,
                       &block->edge, 2 * (size_t)edges, (int **)NULL)) {
    permi_pool_release(&block->pool);
    return 0;
  }
  block->absolute = block->real ? block->real + values : NULL;
  block->imaginary = block->real && working->is_complex ? block->absolute + values : NULL;
  block->imaginary_integer = block->integer && working->is_complex ? block->integer + values : NULL;
  if (block->free_lines) {
    const permi_cell one = permi_cell_one();
    for (i = 0; i <= n; i++) {
      permi_block_set(block, edges + i, i < n ? &working->alone[rows[i]] : &one);
      block->additions += i < n ? working->alone[rows[i]].rounded : 0;
      block->zeros |= i < n && working->zeros && working->alone[rows[i]].vertex[1] && !permi_block_stays(block, i);
    }
  }
  for (i = 0; i < n; i++)
    block->alones += permi_block_stays(block, i);
  block->start[0] = 0;
  for (i = 0; i < n + m; i++) {
    block->start[i + 1] = block->start[i] + working->degree[i < n ? rows[i] : columns[i - n]];
    fill[i] = block->start[i];
  }
  edges = 0;
  for (i = 0; i < n; i++)
    for (index = working->head[rows[i]]; index >= 0; index = working->cell[index].next[0]) {
      if (permi_watch_step(working->watch, (size_t)edges, 30))
        return 1;
      const permi_cell *cell = &working->cell[index];
      c = number[cell->vertex[1]];
      block->neighbour[fill[c]] = i;
      block->edge[fill[c]++] = edges;
      permi_block_set(block, edges++, cell);
    }
  for (c = n; c < n + m; c++)
    for (index = block->start[c]; index < block->start[c + 1] && !permi_watch_step(working->watch, (size_t)index, 20);
         index++) {
      i = block->neighbour[index];
      block->neighbour[fill[i]] = c;
      block->edge[fill[i]++] = block->edge[index];
    }
  return 1;
}

typedef struct permi_block_array {
  permi_array array;
  permi_problem problem;
  void *entries;
} permi_block_array;

static perm_status permi_block_array_make(permi_maker *maker, const permi_block *block)
{
  const perm_allocator *allocator = &maker->options->allocator;
  permi_block_array *made = (permi_block_array *)permi_allocate_zeros(allocator, 1, sizeof *made);
  perm_status status = made ? permi_make_problem(maker, block, &made->problem, &made->entries)
                            : permi_fail_memory(maker->result);
  if (status == PERM_OK) {
    permi_array_of(maker, &made->array, &made->problem, 0);
    made->array.reduced = block->free_lines;
  } else {
    permi_release(allocator, made);
  }
  return status;
}

/* Sums over arrays with free lines, a digit for each distinct line of one side, come after trees. */
static perm_status permi_short_least(permi_maker *maker, const permi_block *block, double rival, permi_offer *offer)
{
  const perm_preparation *report = &maker->working->report;
  (void)rival;
  if (!permi_report_left(maker->working))
    return permi_fail_memory(maker->result);
  const int rows = block->n - report->equal_rows, columns = block->vertices - block->n - report->equal_columns;
  offer->least = block->vertices > PERM_MAX_LINES
                     ? (double)INFINITY
                     : offer->least + ldexp(PERMI_DIGIT_SECONDS, rows < columns ? rows : columns);
  return PERM_OK;
}

#define PERMI_BY_NAME(method, flags, offer, make, release)                                                             \
  {method, PERMI_NAMED | (flags), 0, NULL, offer, make, release}

static const permi_engine permi_engines[] = {
    PERMI_ARRAY_ENGINES,
    {PERM_METHOD_SHORT, PERMI_ARRAY | PERMI_FREE, 0, permi_short_least, permi_counted_offer, permi_counted_leaf, NULL},
    {PERM_METHOD_PLANAR, PERMI_PROVEN | PERMI_LONE, PERMI_ORDER_PLAN_SECONDS * 0.4, NULL, permi_planar_offer,
     permi_planar_make, permi_owned_release},
    {PERM_METHOD_BAND, PERMI_PROVEN, PERMI_ORDER_PLAN_SECONDS / 2, NULL, permi_band_offer, permi_band_make,
     permi_owned_release},
    {PERM_METHOD_TREE, PERMI_PROVEN | PERMI_FREE, PERMI_ORDER_PLAN_SECONDS * 2 / 3, permi_tree_worth, permi_tree_offer,
     permi_tree_make, permi_owned_release},
    {PERM_METHOD_TWINS, PERMI_PROVEN | PERMI_FULL, PERMI_CLASS_PLAN_SECONDS, permi_classes_least,
     permi_classes_offer, permi_classes_make, permi_owned_release},
    {PERM_METHOD_FRONTIER, PERMI_PROVEN | PERMI_FREE, PERMI_ORDER_PLAN_SECONDS, permi_frontier_least,
     permi_frontier_offer, permi_frontier_make, permi_owned_release},
    {PERM_METHOD_SIGN_SEARCH, PERMI_LONE, PERMI_ORDER_PLAN_SECONDS, permi_signs_least, permi_signs_offer,
     permi_signs_make, permi_owned_release},
    {PERM_METHOD_HYBRID, PERMI_CAUTION, PERMI_ORDER_PLAN_SECONDS, permi_hybrid_least, permi_hybrid_offer,
     permi_hybrid_make, permi_hybrid_release},
    PERMI_BY_NAME(PERM_METHOD_LISTS, PERMI_FREE, permi_frontier_offer, permi_frontier_make, permi_owned_release),
    PERMI_BY_NAME(PERM_METHOD_ARRAYS, PERMI_FREE, permi_frontier_offer, permi_frontier_make, permi_owned_release),
    PERMI_BY_NAME(PERM_METHOD_SORTING, PERMI_FREE, permi_sorting_offer, permi_frontier_make, permi_owned_release),
    PERMI_BY_NAME(PERM_METHOD_TRANSVERSALS, 0, permi_transversals_offer, permi_walk_make, permi_owned_release),
    PERMI_BY_NAME(PERM_METHOD_SPARYSER, PERMI_LONE, permi_ryser_offer, permi_ryser_make, permi_release),
    PERMI_BY_NAME(PERM_METHOD_DOMINATING, PERMI_LONE, permi_ryser_offer, permi_ryser_make, permi_release),
    PERMI_BY_NAME(PERM_METHOD_DECOMPOSE, PERMI_LONE, permi_decompose_offer, permi_walk_make, permi_owned_release),
    PERMI_BY_NAME(PERM_METHOD_CODEGEN, PERMI_LONE, permi_codegen_offer, permi_codegen_make, permi_codegen_release),
};
enum { PERMI_ENGINES = sizeof permi_engines / sizeof permi_engines[0] };

static const permi_engine *permi_block_engine(perm_method method)
{
  return permi_engine_of(permi_engines, PERMI_ENGINES, method);
}

static void permi_offer_clear(const perm_allocator *allocator, const permi_engine *engine, permi_offer *offer)
{
  if (offer->plan)
    engine->release(allocator, offer->plan);
  memset(offer, 0, sizeof *offer);
  offer->seconds = (double)INFINITY;
}

#define PERMI_BLOCKS_NOTED 8
static perm_status permi_make_engine(permi_maker *maker, const permi_block *block, const permi_engine *engine,
                                     permi_offer *offer, permi_leaf *leaf)
{
  const perm_options *options = maker->options;
  const perm_allocator *allocator = &options->allocator;
  if (engine->flags & PERMI_ARRAY) {
    const perm_status status = engine->make(maker, block, offer, leaf);
    if (status == PERM_OK && !block->integer) {
      maker->job->precision = maker->array->precision;
      permi_make_honest(maker, block, leaf);
    }
    return status;
  }
  if (options->max_bytes > 0 && offer->bytes > permi_max_bytes(options))
    return permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                      "method %s is predicted to need %s and %s for a block of order %d, over max_bytes = %s",
                      perm_name("method", engine->method), permi_size_words(offer->bytes).text,
                      permi_time_words(offer->seconds).text, block->n, permi_size_words(options->max_bytes).text);
  const perm_leaf information = {PERM_LEAF_TASK, engine->method, PERM_ISA_PLAIN, block->n, 1, 0, offer->seconds,
                                 offer->bytes, 0};
  leaf->information = information;
  leaf->scale = permi_dd_make(1);
  leaf->release = engine->release;
  leaf->context = offer->plan;
  perm_status status = engine->make(maker, block, offer, leaf);
  offer->plan = status == PERM_OK ? NULL : offer->plan;
  if (status == PERM_OK && leaf->information.kind == PERM_LEAF_TASK) {
    maker->task_seconds += offer->seconds;
    if (options->max_seconds > 0 && maker->task_seconds > options->max_seconds && !permi_in_pieces(options)) {
      status = permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                          "method %s is predicted to take %s, over max_seconds = %.3g",
                          perm_name("method", engine->method), permi_time_words(maker->task_seconds).text,
                          options->max_seconds);
      leaf->release(allocator, leaf->context);
    }
  }
  return status;
}

static perm_status permi_make_named(permi_maker *maker, const permi_block *block, const permi_engine *engine,
                                    permi_leaf *leaf)
{
  const perm_allocator *allocator = &maker->options->allocator;
  permi_offer offer;
  memset(&offer, 0, sizeof offer);
  permi_offer_clear(allocator, engine, &offer);
  perm_status status = engine->offer(maker, block, (double)INFINITY, &offer);
  if (status == PERM_OK && maker->watch->stopped != PERM_OK)
    status = maker->watch->stopped;
  else if (status == PERM_OK && offer.seconds < (double)INFINITY)
    status = permi_make_engine(maker, block, engine, &offer, leaf);
  else if (status == PERM_OK && offer.status == PERM_ERROR_OVERFLOW)
    status = permi_fail_long(maker->result);
  else if (status == PERM_OK)
    status = permi_fail(maker->result, offer.status, 2, "options: method %s: a block of order %d %s",
                        perm_name("method", maker->options->method), block->n, offer.why);
  permi_offer_clear(allocator, engine, &offer);
  return status;
}

/* Refuses offers whose planning needs more than max_bytes. */
static perm_status permi_hear(permi_maker *maker, const permi_block *block, const permi_engine *engine,
                              permi_offer *offer, perm_status status)
{
  const permi_meter *meter = (const permi_meter *)maker->options->allocator.user_data;
  (void)block;
  if (permi_meter_verdict(&maker->options->allocator, status, NULL) == PERM_ERROR_LIMIT) {
    permi_result_clear(maker->result);
    if (offer->plan)
      engine->release(&maker->options->allocator, offer->plan);
    offer->plan = NULL;
    permi_refuse(offer, PERM_ERROR_LIMIT, "is not planned within max_bytes = %s: at least %s are needed",
                 permi_size_words(maker->options->max_bytes).text,
                 permi_size_words(meter->input + (double)meter->wanted).text);
    status = PERM_OK;
  }
  if (maker->offers && offer->bytes > maker->offers->most_bytes && maker->offers->rival < (double)INFINITY &&
      offer->seconds < (double)INFINITY && !offer->why[0])
    snprintf(offer->why, sizeof offer->why, "takes more than %.40s: max_bytes allows more",
             permi_size_words(maker->offers->most_bytes).text);
  return status;
}

/* Offers as asked come first, then least times of other engines; nothing if known prices alone were compared. */
static perm_status permi_note_offers(permi_maker *maker, const permi_block *block, permi_offers *offers)
{
  const int asked = offers->turns;
  perm_job *job = maker->job;
  int i, searched = 0;
  for (i = 0; i < PERMI_ENGINES && maker->seen; i++)
    searched |= offers->offer[i].asked && permi_engines[i].planning > 0;
  while (searched && (i = permi_next_engine(offers, 0)) >= 0)
    offers->offer[i].asked = ++offers->turns;
  for (int turn = 1; turn <= offers->turns && searched; turn++)
    for (i = 0; i < PERMI_ENGINES; i++) {
      permi_offer *offer = &offers->offer[i];
      const char *method = perm_name("method", permi_engines[i].method);
      char line[320];
      if (offer->asked != turn || (turn > asked && offer->least == (double)INFINITY && !offer->why[0]))
        continue;
      if (turn > asked && !offer->why[0] && offer->likely == offer->least)
        offer->seconds = offer->least;
      else if (turn > asked && !offer->why[0])
        snprintf(offer->why, sizeof offer->why, "cannot take less than %s", permi_time_words(offer->least).text);
      if (maker->blocks_noted >= PERMI_BLOCKS_NOTED)
        continue;
      perm_offer noted = {maker->blocks_noted, block->n, permi_engines[i].method, offer->seconds, offer->bytes, ""};
      if (offer->seconds < (double)INFINITY)
        permi_say(line, sizeof line, "  order %d, %-12s predicted %.3g s, %.3g bytes%s%s\n", block->n, method,
                  offer->seconds, offer->bytes, offer->why[0] ? ": " : "", offer->why);
      else
        snprintf(line, sizeof line, "  order %d, %-12s no: the block %s\n", block->n, method, offer->why);
      snprintf(noted.reason, sizeof noted.reason, "%.159s", offer->why);
      if (!permi_job_note(job, 1, line) ||
          !permi_grow(&job->allocator, &job->offer, job->offers, &job->offer_room, sizeof noted))
        return permi_fail_memory(maker->result);
      job->offer[job->offers++] = noted;
    }
  return PERM_OK;
}

static perm_status permi_take_best(permi_maker *maker, const permi_block *block, permi_offers *offers, permi_leaf *leaf)
{
  const perm_options *options = maker->options;
  const permi_offer *planar = &offers->offer[permi_block_engine(PERM_METHOD_PLANAR) - permi_engines];
  const int sure = planar->status == PERM_TOLERANCE_NOT_MET;
  if (offers->chosen < 0)
    return offers->too_long
               ? permi_fail_long(maker->result)
               : permi_fail(maker->result, PERM_ERROR_LIMIT, 2, "a block of order %d with %d entries %s", block->n,
                            block->edges, offers->offer[permi_block_engine(PERM_METHOD_FRONTIER) - permi_engines].why);
  for (int i = 0; i < PERMI_ENGINES && offers->offer[offers->chosen].seconds > PERMI_HOPELESS_SECONDS; i++)
    if (offers->offer[i].seconds < offers->offer[offers->chosen].seconds)
      offers->chosen = i;
  permi_offer *best = &offers->offer[offers->chosen];
  maker->watch->work_total = best->seconds;
  const int array = permi_engines[offers->chosen].flags & PERMI_ARRAY;
  if (!array && (best->seconds > PERMI_HOPELESS_SECONDS ||
                 (options->max_bytes == 0 && best->bytes > 1e3 * PERMI_DEFAULT_BYTES)))
    return permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                      "a block of order %d with %d entries is out of reach: %s%s%smethod %s is predicted to take %s "
                      "and %s",
                      block->n, block->edges, sure ? "it is planar, but " : "", sure ? planar->why : "",
                      sure ? ", so leave out certify; " : "", perm_name("method", permi_engines[offers->chosen].method),
                      permi_time_words(best->seconds).text, permi_size_words(best->bytes).text);
  if (!array && best->bytes > offers->most_bytes && maker->working->integer &&
      options->precision == PERM_PRECISION_DEFAULT)
    return permi_fail(maker->result, PERM_ERROR_LIMIT, 2,
                      "exact integers are predicted to need %s and %s, over max_bytes = %s",
                      permi_size_words(best->bytes).text, permi_time_words(best->seconds).text,
                      permi_size_words(offers->most_bytes).text);
  return permi_make_engine(maker, block, &permi_engines[offers->chosen], best, leaf);
}

/* Returns an engine's least seconds: of planning or, chosen, a tenth of what is free, thrice for fuller blocks. Engines
   that look for zeros take n 2^n transitions for blocks of these orders without any, and do not plan larger ones. */
#define PERMI_FULL_LEAST 16
#define PERMI_FULL_MOST 32
static double permi_least_seconds(const permi_block *block, const permi_engine *engine)
{
  const double n = block->n, full = n * (block->vertices - block->n);
  const double least = PERMI_FREE_SECONDS / 10 * (block->edges > 0.4 * full ? 3 : 1);
  const double planning = engine->planning * ((double)block->vertices + block->edges);
  const int array = engine->flags & PERMI_ARRAY, takes_free = engine->flags & PERMI_FREE;
  if (block->free_lines ? !takes_free : array && takes_free)
    return (double)INFINITY;
  if (block->free_lines)
    return array ? PERMI_FREE_SECONDS * 3 / 10 : planning;
  if (array)
    return 0;
  if (!(engine->flags & PERMI_FULL) && block->edges == n * n && n >= PERMI_FULL_LEAST && n <= PERM_MAX_N)
    return n > PERMI_FULL_MOST ? (double)INFINITY
                               : fmax(n * ldexp(PERMI_STATE_SECONDS / 2, block->n), PERMI_FREE_SECONDS);
  return fmax(planning, least);
}

static perm_status permi_make_best(permi_maker *maker, const permi_block *block, permi_leaf *leaf)
{
  const perm_options *options = maker->options;
  const double finding = PERMI_ORDER_PLAN_SECONDS * ((double)block->vertices + block->edges);
  permi_offer offer[PERMI_ENGINES];
  permi_offers offers;
  permi_offers_begin(&offers, permi_engines, PERMI_ENGINES, offer);
  for (int i = 0; i < PERMI_ENGINES; i++)
    offer[i].least = permi_least_seconds(block, &permi_engines[i]);
  offers.most_bytes = options->max_bytes > 0 ? permi_max_bytes(options) : PERMI_DEFAULT_BYTES;
  offers.best = maker->worth;
  /* favours proven engines, unless finding orders for all blocks takes longer than planning may */
  offers.favour = finding * maker->working->report.blocks > 1.25 * maker->account->floor ? 0
                                                                                         : PERMI_FREE_SECONDS;
  if (maker->account->floor < PERMI_PLAN_SECONDS && !block->integer && block->n <= PERM_MAX_N)
    maker->account->least += fmin(PERMI_PLAN_SECONDS, PERMI_GREEDY_SHARE * permi_dense_seconds(maker)); /* an array */
  maker->offers = &offers;
  perm_status status = permi_ask_engines(maker, block, &offers);
  maker->offers = NULL;
  permi_release(&options->allocator, offers.glanced);
  permi_release(&options->allocator, maker->layouts);
  maker->layouts = NULL;
  if (status == PERM_OK)
    status = permi_note_offers(maker, block, &offers);
  if (status == PERM_OK)
    status = permi_take_best(maker, block, &offers, leaf);
  for (int i = 0; i < PERMI_ENGINES; i++)
    permi_offer_clear(&options->allocator, &permi_engines[i], &offer[i]);
  return status;
}

static perm_status permi_make_leaf(permi_maker *maker, const permi_block *block, permi_leaf *leaf)
{
  const perm_options *options = maker->options;
  char message[PERM_MESSAGE_BYTES];
  const int falls_back = options->method == PERM_METHOD_CODEGEN && options->gpu.cpu_fallback &&
                         !(options->gpu.devices && permi_gpu_devices(options->gpu.devices, message));
  const permi_engine *engine = permi_block_engine(falls_back ? PERM_METHOD_SPARYSER : options->method);
  maker->n = block->n;
  maker->integer = block->integer != NULL;
  maker->reach = permi_reach_of(maker->working->is_complex ? 2 : 1);
  maker->equal_lines = maker->working->report.equal_rows || maker->working->report.equal_columns;
  maker->as_array = permi_block_array_make;
  perm_status status = engine ? permi_make_named(maker, block, engine, leaf) : permi_make_best(maker, block, leaf);
  permi_block_array *made = (permi_block_array *)(void *)maker->array;
  if (made) {
    permi_array_free(&made->array, &options->allocator);
    permi_release(&options->allocator, made->entries);
    permi_release(&options->allocator, made);
    maker->array = NULL;
  }
  return status;
}

static perm_status permi_make_note(permi_maker *maker)
{
  const perm_preparation *report = &maker->working->report;
  char line[512];
  size_t length;
  const int shorter = report->m < report->n ? report->m : report->n;
  if (report->structural_rank < shorter)
    length = permi_say(line, sizeof line, "structure: rank %d of %d, the permanent is 0: %s\n",
                       report->structural_rank, shorter, report->hall);
  else
    length = permi_say(line, sizeof line, "structure: %.0f entries in no perfect matching dropped, %d rows of degree 1 "
                       "and %d of degree 2 eliminated, %d block%s left\n", (double)report->dead_entries,
                       report->degree_one, report->degree_two, report->blocks, report->blocks == 1 ? "" : "s");
  if (report->cancelled)
    length += permi_say(line + length, sizeof line - length,
                        "structure: integers cancelled, and what is left is singular: the permanent is 0\n");
  else if (report->blocks)
    permi_say(line + length, sizeof line - length, "structure: %d round%s, %d component%s at first; left %.0f "
              "of %.0f entries, the largest block of order %d, %d rows and %d columns equal to others, %d lines of "
              "degree 3 and %d of degree 4\n", report->rounds, report->rounds == 1 ? "" : "s", report->components,
              report->components == 1 ? "" : "s", (double)report->entries_left, (double)report->entries,
              report->largest, report->equal_rows, report->equal_columns, report->degree_three, report->degree_four);
  return permi_job_note(maker->job, 0, line) ? PERM_OK : permi_fail_memory(maker->result);
}

static perm_status permi_make_block(permi_maker *maker, const int *rows, const int *columns, int order, int wide,
                                    int rows_left)
{
  permi_block block;
  permi_leaf leaf;
  if (permi_watch(maker->watch, 1e3 + 100.0 * order))
    return maker->watch->stopped;
  if (order <= PERMI_MAJORANT_ORDER && !maker->subsets && !maker->working->alone)
    maker->subsets = (double *)permi_pool_get(&maker->working->pool, (size_t)2 << PERMI_MAJORANT_ORDER,
                                              sizeof *maker->subsets);
  if (maker->working->pool.failed || !permi_block_create(maker->working, rows, columns, order, wide, &block))
    return permi_fail_memory(maker->result);
  memset(&leaf, 0, sizeof leaf);
  maker->account->least += maker->account->floor * order / rows_left;
  perm_status status = maker->watch->stopped == PERM_OK ? permi_make_leaf(maker, &block, &leaf) : maker->watch->stopped;
  maker->account->run += status == PERM_OK ? leaf.information.seconds : 0;
  maker->blocks_noted++;
  permi_pool_release(&block.pool);
  if (status != PERM_OK)
    return status;
  if (maker->watch->stopped != PERM_OK) { /* a stopped offer may have left no leaf */
    if (leaf.release)
      leaf.release(&maker->working->allocator, leaf.context);
    return maker->watch->stopped;
  }
  return permi_job_push_leaf(maker->job, &leaf) ? PERM_OK : permi_fail_memory(maker->result);
}

static perm_status permi_make_blocks(permi_maker *maker)
{
  permi_working *working = maker->working;
  const int blocks = working->blocks, *first = working->first, *wide = first + blocks, *line = working->line;
  perm_status status = permi_block_lines(working);
  int k, rows_left = 0;
  for (k = 0; status == PERM_OK && k < blocks && !permi_watch_step(maker->watch, (size_t)k, 50); k++)
    if (first[k + 1] - first[k] == 1 && !working->alone)
      status = permi_absorb(working, &working->cell[working->head[line[first[k]]]]);
    else
      rows_left += first[k + 1] - first[k];
  if (status == PERM_ERROR_OVERFLOW)
    permi_fail_long(maker->result);
  if (status == PERM_OK) {
    working->constant.exp2 += working->exp2;
    if (!working->integer)
      working->constant.exact = 0;
    maker->job->number = working->constant;
    maker->job->numbered = 1;
  }
  maker->account->watch = maker->watch;
  maker->account->begin = maker->watch->worked;
  maker->account->share = PERMI_PLAN_SHARE * fmax(maker->options->plan_effort, 1);
  maker->account->most = permi_account_most(maker->options);
  for (k = 0; status == PERM_OK && k < blocks; k++) {
    const int order = first[k + 1] - first[k];
    if (order > 1 || working->alone)
      status = permi_make_block(maker, line + first[k], line + wide[k], order, wide[k + 1] - wide[k], rows_left);
  }
  return status;
}

/* ========================================================================================= >>sparse
   How a matrix travels: perm_matrix, permi_working (linked cells: >>split, >>reduce), permi_block or permi_array of a
   block, permi_offer (>>choose), permi_leaf, perm_partial (>>run), perm_result (>>job); >>judge repeats it. Bypass:
   permi_sparse_by_counts hands arrays to permi_compute. permi_route brings those of perm.h. */

static perm_status permi_check_sparse(const perm_matrix *matrix, permi_control *watch, perm_result *result)
{
  const char *missing = matrix ? permi_matrix_missing(matrix) : NULL;
  size_t i, e, previous;
  if (!matrix)
    return permi_fail(result, PERM_ERROR_NULL, 1, "matrix is NULL");
  if (matrix->m < 0 || matrix->n < 0)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: %d x %d is negative", matrix->m, matrix->n);
  if ((int)matrix->kind < 0 || (int)matrix->kind > (int)PERM_KIND_COMPLEX)
    return permi_fail(result, PERM_ERROR_OPTION, 1, "matrix: kind %d is unknown", (int)matrix->kind);
  if (matrix->m == 0)
    return PERM_OK;
  if (matrix->m > INT_MAX / 16 || matrix->n > INT_MAX / 16 || matrix->nnz > INT_MAX / 4)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: %d x %d with %.0f entries is too large", matrix->m,
                      matrix->n, (double)matrix->nnz);
  if (matrix->m != matrix->n && matrix->n > PERM_MATRIX_MAX_ROWS)
    return permi_fail(result, PERM_ERROR_SIZE, 1,
                      "matrix: %d x %d has more than %d columns; leave out those without entries", matrix->m, matrix->n,
                      PERM_MATRIX_MAX_ROWS);
  if (missing)
    return permi_fail(result, PERM_ERROR_NULL, 1, "matrix: %s is NULL", missing);
  if (matrix->row_start[0] != 0 || matrix->row_start[matrix->m] != matrix->nnz)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: row_start does not run from 0 to nnz");
  for (i = 0; i < (size_t)matrix->m && !permi_watch_step(watch, i, 8); i++) {
    if (matrix->row_start[i] > matrix->row_start[i + 1] || matrix->row_start[i + 1] > matrix->nnz)
      return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: row_start decreases after row %d (counted from 1)",
                        (int)i + 1);
    for (e = previous = matrix->row_start[i]; e < matrix->row_start[i + 1] && !permi_watch_step(watch, e, 5);
         previous = e++) {
      if (matrix->column[e] < 0 || matrix->column[e] >= matrix->n)
        return permi_fail(result, PERM_ERROR_SIZE, 1,
                          "matrix: row %d (counted from 1) has column index %d of %d columns", (int)i + 1,
                          matrix->column[e], matrix->n);
      if (e > previous && matrix->column[e] <= matrix->column[previous])
        return permi_fail(result, PERM_ERROR_SIZE, 1, "matrix: the columns of row %d (counted from 1) do not ascend",
                          (int)i + 1);
      for (int part = 0; part < (matrix->kind == PERM_KIND_COMPLEX ? 2 : matrix->kind == PERM_KIND_REAL); part++) {
        const char *bad = permi_not_finite(part ? matrix->imaginary[e] : matrix->real[e]);
        if (bad)
          return permi_fail(result, PERM_ERROR_NOT_FINITE, 1, "matrix: %s in row %d, column %d (counted from 1)", bad,
                            (int)i + 1, matrix->column[e] + 1);
      }
    }
  }
  return watch->stopped == PERM_OK ? PERM_OK : permi_fail_stopped(watch, result);
}

static perm_status permi_check_input(const perm_matrix *matrix, const perm_options *options, permi_control *watch,
                                     perm_result *result)
{
  const perm_status status = permi_check_options(options, 2, result);
  return status == PERM_OK ? permi_check_sparse(matrix, watch, result) : status;
}

/* The caller releases working->pool. */
static perm_status permi_working_make(permi_working *working, const perm_matrix *matrix, int exact,
                                      permi_control *watch, int *zero, perm_result *result)
{
  const perm_options *options = watch->options;
  const int shorter = permi_matrix_shorter(matrix), square = matrix->m == matrix->n;
  int first = 1, changed = square;
  perm_status status = PERM_OK;
  if (!permi_working_create(working, &options->allocator, permi_matrix_longer(matrix), matrix->nnz))
    return permi_fail_memory(result);
  working->is_complex = matrix->kind == PERM_KIND_COMPLEX;
  working->modulus = options->modulus;
  working->keep = !exact && (permi_sparse_doubled(options) || options->certify);
  working->watch = watch;
  watch->activity = "preparing";
  *zero = 0;
  permi_sparse_fill(matrix, exact, matrix->m > matrix->n, working);
  if (!square)
    status = permi_prepare_free(working, shorter, exact, 0, zero);
  while (changed && !*zero && status == PERM_OK && !permi_watch(watch, 0)) {
    *zero = !permi_split(working);
    if (*zero)
      break;
    if (first && !exact && !permi_scale(working))
      return permi_fail_memory(result);
    first = 0;
    if (working->lost) /* the bound needs entries as they are */
      break;
    status = permi_reduce(working, &changed, zero);
  }
  working->report.cancelled = *zero && working->report.structural_rank == shorter;
  return status == PERM_OK ? status : status == PERM_ERROR_MEMORY ? permi_fail_memory(result) : permi_fail_long(result);
}

static perm_status permi_sparse_array(const perm_matrix *matrix, const perm_allocator *allocator, int exact,
                                      permi_problem *problem, void **entries, perm_result *result)
{
  const int m = matrix->m, n = matrix->n, parts = matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  const size_t count = (size_t)m * (size_t)n * (size_t)parts;
  permi_cell cell;
  *entries = NULL;
  if (m > PERM_MAX_LINES || n > PERM_MAX_LINES)
    return permi_fail(result, PERM_ERROR_SIZE, 1, "the matrix is %d x %d; rectangular ones go up to %d rows or columns",
                      m, n, PERM_MAX_LINES);
  *entries = permi_allocate_zeros(allocator, count, 8);
  if (!*entries)
    return permi_fail_memory(result);
  for (int i = 0; i < m; i++)
    for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++) {
      permi_matrix_entry(matrix, e, &cell);
      for (int part = 0; part < parts; part++) {
        const size_t at = ((size_t)i * (size_t)n + (size_t)matrix->column[e]) * (size_t)parts + (size_t)part;
        if (exact)
          ((int64_t *)*entries)[at] = part ? cell.imaginary_integer : cell.integer;
        else
          ((double *)*entries)[at] = part ? cell.imaginary : cell.real;
      }
    }
  *problem = permi_problem_make(m, n, exact ? NULL : (double *)*entries, exact ? (int64_t *)*entries : NULL, n,
                                permi_reach_of(parts), NULL, NULL);
  return PERM_OK;
}

static int permi_sparse_rounds(const perm_matrix *matrix, permi_control *watch)
{
  for (size_t e = 0; matrix->kind == PERM_KIND_INTEGER && e < matrix->nnz && !permi_watch_step(watch, e, 5); e++)
    if (fabs((double)matrix->integer[e]) >= 9007199254740992.0)
      return 1;
  return 0;
}

static perm_status permi_job_product(const perm_job *job, const perm_partial *partials, permi_number *value)
{
  permi_number factor;
  perm_status status = PERM_OK;
  *value = job->numbered ? job->number : permi_number_one();
  permi_number_reduce(value, job->modulus);
  for (int i = 0; i < job->leaves && status == PERM_OK; i++) {
    status = permi_leaf_number(&job->leaf[i], &partials[i], &factor);
    permi_number_reduce(&factor, job->modulus);
    if (status == PERM_OK)
      status = permi_number_multiply(value, &factor);
    permi_number_reduce(value, job->modulus);
  }
  return status;
}

/* Inspects a job that only explains: its leaves do not give the permanent. */
static perm_status permi_refused(const perm_job *job, const perm_partial *partials, perm_state *strike,
                                 permi_control *watch, perm_result *result)
{
  (void)job, (void)partials, (void)strike, (void)watch;
  return permi_fail(result, PERM_ERROR_LIMIT, 1, "the plan was refused: this job only explains");
}

/* A job without pairs of floats; of an array, so that plans take less time; that runs at once, unexplained. */
enum { PERMI_DOUBLES = 1, PERMI_FROM_ARRAY = 2, PERMI_UNSEEN = 4 };

/* Stopped searches return what they have, so the watch is asked at the end. */
static perm_status permi_make_job(const perm_matrix *matrix, int how, permi_control *watch, int exact, double worth,
                                  perm_job **job, perm_result *result)
{
  const perm_options *options = watch->options;
  const perm_allocator *allocator = &options->allocator;
  permi_working working;
  permi_maker maker;
  permi_account account;
  int zero = 0;
  const double start = permi_seconds();
  memset(&maker, 0, sizeof maker);
  memset(&account, 0, sizeof account);
  account.floor = how & PERMI_FROM_ARRAY ? PERMI_PLAN_SECONDS / 12 : PERMI_PLAN_SECONDS;
  maker.account = &account;
  maker.hear = permi_hear;
  maker.options = options;
  maker.working = &working;
  maker.result = result;
  maker.worth = worth;
  maker.doubles = how & PERMI_DOUBLES;
  maker.seen = !(how & PERMI_UNSEEN) || options->execute || permi_in_pieces(options);
  maker.job = permi_job_new(allocator, exact ? PERM_PRECISION_EXACT : options->precision);
  if (!maker.job)
    return permi_fail_memory(result);
  maker.watch = watch;
  maker.job->value = permi_job_product;
  maker.job->modulus = options->modulus;
  maker.job->is_complex = matrix->kind == PERM_KIND_COMPLEX;
  perm_status status = permi_working_make(&working, matrix, exact, watch, &zero, result);
  if (status == PERM_OK && watch->stopped == PERM_OK) {
    if (!zero && (maker.seen || !working.alone) && !permi_report_left(&working))
      status = permi_fail_memory(result);
    else if (maker.seen)
      status = permi_make_note(&maker);
    watch->activity = "planning";
  }
  if (status == PERM_OK && watch->stopped == PERM_OK && zero)
    permi_job_set_constant(maker.job, 0);
  else if (status == PERM_OK && watch->stopped == PERM_OK)
    status = permi_make_blocks(&maker);
  permi_pool_release(&working.pool);
  permi_release(allocator, maker.binomial);
  if (watch->stopped != PERM_OK)
    status = permi_fail_stopped(watch, result);
  maker.job->plan_seconds = permi_seconds() - start;
  if (status == PERM_ERROR_LIMIT)
    maker.job->inspect = permi_refused;
  else if (status != PERM_OK)
    perm_job_free(maker.job);
  if (status == PERM_OK || status == PERM_ERROR_LIMIT)
    *job = maker.job;
  return status;
}

static int permi_asks_exact(const perm_options *options)
{
  return options->precision == PERM_PRECISION_EXACT || options->modulus || options->method == PERM_METHOD_EXACT;
}

/* Returns 1 if subsets of a rectangle take less time than a plan, or little more where a quarter is not 0. */
static int permi_rectangle_is_small(int shorter, int longer, double entries)
{
  const double places = (double)shorter * longer;
  return ldexp(places, shorter) <= permi_rectangle_least[4 * entries > places];
}

/* For methods over counts and small rectangles the matrix becomes an array. */
static int permi_sparse_by_counts(const perm_matrix *matrix, const perm_options *options)
{
  const int shorter = permi_matrix_shorter(matrix), longer = permi_matrix_longer(matrix);
  if (matrix->m == matrix->n || matrix->m == 0 || permi_is_counts_method(options->method))
    return permi_is_counts_method(options->method);
  return shorter == 0 || (options->method == PERM_METHOD_AUTO && longer <= PERM_MAX_LINES &&
                          permi_rectangle_is_small(shorter, longer, (double)matrix->nnz));
}

static perm_status permi_check_integers(const perm_matrix *matrix, permi_control *watch, perm_result *result)
{
  size_t at;
  int row;
  if (permi_matrix_integers(matrix, &row, &at, watch))
    return PERM_OK;
  return watch->stopped != PERM_OK
             ? permi_fail_stopped(watch, result)
             : permi_fail(result, PERM_ERROR_OPTION, 2,
                          "options: precision exact needs integers below 2^53, and so does a modulus, but the entry in "
                          "row %d, column %d (counted from 1) is %.17g%s", row + 1, matrix->column[at] + 1,
                          matrix->real[at], matrix->kind == PERM_KIND_COMPLEX ? " (real part)" : "");
}

static perm_status permi_sparse_check(const perm_matrix *matrix, const perm_options *options, permi_control *watch,
                                      int *exact, perm_result *result)
{
  const int exactly = permi_asks_exact(options), named = options->method != PERM_METHOD_AUTO;
  const permi_engine *engine = permi_block_engine(options->method);
  const int whole = named && (!engine || options->method == PERM_METHOD_DENSE);
  const char *refusal = NULL;
  if (options->modulus && options->precision != PERM_PRECISION_EXACT && options->precision != PERM_PRECISION_DEFAULT)
    return permi_fail(result, PERM_ERROR_OPTION, 2, "options: modulus goes with precision exact, not %s",
                      perm_name("precision", options->precision));
  *exact = exactly || (options->precision == PERM_PRECISION_DEFAULT && matrix->kind <= PERM_KIND_INTEGER);
  if (permi_sparse_by_counts(matrix, options))
    return PERM_OK;
  if (matrix->m != matrix->n && named && !(engine && engine->flags & PERMI_FREE))
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2,
                      "options: method %s is for square matrices; auto, tree, frontier, lists, arrays, sorting, "
                      "subsets, short and multiplicities take others", perm_name("method", options->method));
  if ((whole || !named) && !exactly)
    refusal = permi_plan_refusal(options, named ? options->method : PERM_METHOD_DENSE);
  if (refusal)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2, "options: %s", refusal);
  if (options->precision == PERM_PRECISION_KAHAN && !whole)
    return permi_fail(result, PERM_ERROR_UNSUPPORTED, 2, "options: precision kahan is for methods glynn and ryser");
  if (exactly && whole)
    return permi_fail(result, PERM_ERROR_OPTION, 2,
                      "options: method %s does not compute with precision exact; auto, exact and the sparse methods do",
                      perm_name("method", options->method));
  *exact = *exact && !whole;
  return exactly ? permi_check_integers(matrix, watch, result) : PERM_OK;
}

static void permi_job_replace(perm_job **job, perm_job *other)
{
  perm_job_free(*job);
  *job = other;
}

static perm_status permi_job_or_none(perm_status status, perm_job **job)
{
  if (status != PERM_OK)
    permi_job_replace(job, NULL);
  return status;
}

/* Plans doubles instead of integers that have no plan, take over PERMI_EXACT_FREE_SECONDS and PERMI_EXACT_WORTH times
   as long, or exceed max_seconds where doubles are quicker. */
static perm_status permi_make_rather(const perm_matrix *matrix, int how, permi_control *watch, perm_status status,
                                     perm_job **job, perm_result *result)
{
  perm_job *doubles = NULL;
  const perm_options *options = watch->options;
  const double limit = options->max_seconds > 0 && !permi_in_pieces(options) ? options->max_seconds : (double)INFINITY;
  const double seconds = status == PERM_OK ? permi_job_seconds(*job) : (double)INFINITY;
  const double worth = seconds > limit ? seconds : seconds / PERMI_EXACT_WORTH;
  const int told = status == PERM_ERROR_LIMIT && (watch->work_total > limit || options->max_bytes == 0);
  const double whole = told ? watch->work_total : seconds;
  if (status != PERM_OK && status != PERM_ERROR_OVERFLOW && status != PERM_ERROR_LIMIT)
    return status;
  if (seconds <= fmin(PERMI_EXACT_FREE_SECONDS, limit))
    return status;
  permi_result_clear(result);
  status = permi_make_job(matrix, how, watch, 0, worth, &doubles, result);
  if (watch->stopped != PERM_OK) {
    permi_job_replace(job, NULL);
  } else if (seconds == (double)INFINITY || (status == PERM_OK && permi_job_seconds(doubles) < worth)) {
    permi_job_replace(job, doubles);
    if (status == PERM_OK && whole < (double)INFINITY)
      doubles->exact_seconds = whole;
  } else {
    perm_job_free(doubles);
    permi_result_clear(result);
    status = PERM_OK;
  }
  return status;
}

static double permi_matrix_cost(const perm_matrix *matrix)
{
  if (!matrix)
    return 0;
  return 8.0 * matrix->m + (4 + 8.0 * (!!matrix->real + !!matrix->imaginary + !!matrix->integer)) * (double)matrix->nnz;
}

static perm_status permi_sparse_job(const perm_matrix *matrix, int how, const perm_options *options, perm_job **job,
                                    perm_result *result)
{
  const int scalar = options->method >= PERM_METHOD_GLYNN && options->method <= PERM_METHOD_EXPANSION;
  const int whole = scalar || permi_sparse_by_counts(matrix, options);
  permi_control watch = permi_control_begin(options);
  perm_options raised;
  int exact = 0, leaf;
  perm_status status = permi_sparse_check(matrix, options, &watch, &exact, result);
  if (status != PERM_OK)
    return status;
  if (scalar && matrix->n > PERM_MAX_N)
    return permi_fail(result, PERM_ERROR_LIMIT, 2,
                      "a block of order %d is too large for method %s, which takes at most %d", matrix->n,
                      perm_name("method", options->method), PERM_MAX_N);
  if (matrix->m > 0 && whole) {
    permi_problem problem;
    void *entries = NULL;
    if (exact)
      status = permi_check_integers(matrix, &watch, result);
    if (status == PERM_OK)
      status = permi_sparse_array(matrix, &options->allocator, exact, &problem, &entries, result);
    if (status == PERM_OK)
      status = permi_problem_job(&problem, 2, options, job, result);
    permi_release(&options->allocator, entries);
    for (leaf = 0; status == PERM_OK && !exact && leaf < (*job)->leaves && permi_sparse_rounds(matrix, &watch);
         leaf++) {
      (*job)->leaf[leaf].bound_relative = (double)INFINITY; /* a bound would be of rounded entries */
      (*job)->leaf[leaf].estimate_relative += PERMI_UNIT * permi_matrix_shorter(matrix);
    }
    if (watch.stopped == PERM_OK)
      return status;
    permi_job_replace(job, NULL);
    return permi_fail_stopped(&watch, result);
  }
  if (matrix->m == 0) {
    *job = permi_job_new(&options->allocator, options->precision);
    if (!*job)
      return permi_fail_memory(result);
    (*job)->is_complex = matrix->kind == PERM_KIND_COMPLEX;
    (*job)->modulus = options->modulus;
    permi_job_set_constant(*job, 1);
    return PERM_OK;
  }
  if (!exact && options->certify && permi_matrix_shorter(matrix) <= PERMI_NEAR_N &&
      options->method == PERM_METHOD_AUTO && options->precision == PERM_PRECISION_DEFAULT) {
    raised = *options; /* as permi_doubling_is_cheap */
    raised.precision = PERM_PRECISION_DD;
    watch.options = &raised;
  }
  status = permi_make_job(matrix, how, &watch, exact, (double)INFINITY, job, result);
  if (watch.stopped == PERM_OK && exact && !permi_asks_exact(options))
    status = permi_make_rather(matrix, how, &watch, status, job, result);
  return status;
}

/* Returns the precision to plan instead, or PERM_PRECISION_COUNT. Without subtractions elimination loses only its
   roundings. */
static perm_precision permi_sparse_higher(const perm_matrix *matrix, permi_control *watch, const perm_options *options,
                                          const perm_job *job)
{
  perm_precision next = PERM_PRECISION_COUNT;
  double sum = 0;
  permi_cell cell;
  int i, subtracts = matrix->kind == PERM_KIND_COMPLEX;
  for (size_t e = 0; matrix->m && e < matrix->nnz && !subtracts && !permi_watch_step(watch, e, 5); e++) {
    permi_matrix_entry(matrix, e, &cell);
    subtracts = cell.real < 0;
  }
  for (i = 0; i < job->leaves; i++) {
    const perm_leaf *leaf = &job->leaf[i].information;
    if (job->leaf[i].integer || job->leaf[i].measured)
      continue;
    sum += leaf->kind == PERM_LEAF_TASK && !subtracts ? job->leaf[i].estimate_relative
                                                      : permi_expected_relative(leaf->n, job->precision);
    if (next == PERM_PRECISION_COUNT && !permi_is_counts_method(leaf->method))
      next = permi_next_precision(permi_engines, PERMI_ENGINES, leaf->method, job->precision);
  }
  return watch->stopped == PERM_OK && permi_plans_higher(options, sum) ? next : PERM_PRECISION_COUNT;
}

/* Jobs in pieces begin in the precision that their tolerance needs. */
static perm_status permi_sparse_job_planned(const perm_matrix *matrix, int how, const perm_options *options_given,
                                            perm_job **job, perm_result *result)
{
  perm_options options = *options_given;
  permi_control watch = permi_control_begin(options_given);
  perm_job *higher = NULL;
  perm_precision next;
  char line[160];
  int raised = 0;
  permi_result_clear(result);
  *job = NULL;
  perm_status status = permi_sparse_job(matrix, how, &options, job, result);
  while (status == PERM_OK && (next = permi_sparse_higher(matrix, &watch, &options, *job)) != PERM_PRECISION_COUNT) {
    options.precision = next;
    status = permi_job_or_none(permi_sparse_job(matrix, how, &options, &higher, result), &higher);
    if (status > 0 || status == PERM_ERROR_MEMORY) { /* plans must not depend on time or luck */
      permi_job_replace(job, NULL);
      return status;
    }
    permi_result_clear(result);
    if (status != PERM_OK) {
      status = PERM_OK;
      break;
    }
    permi_job_replace(job, higher);
    higher = NULL;
    raised = 1;
  }
  if (status == PERM_OK && watch.stopped != PERM_OK) {
    permi_job_replace(job, NULL);
    return permi_fail_stopped(&watch, result);
  }
  if (!raised)
    return status;
  snprintf(line, sizeof line,
           "precision %s at once for the tolerance: with a checkpoint or parts it is not raised later\n",
           perm_name("precision", (*job)->precision));
  if (permi_job_note(*job, 0, line))
    return PERM_OK;
  permi_job_replace(job, NULL);
  return permi_fail_memory(result);
}

PERM_SPARSE_API perm_status perm_sparse_job(const perm_matrix *matrix, const perm_options *options_given,
                                            perm_job **job, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  permi_control watch = permi_control_begin(options);
  permi_result_clear(result);
  if (job)
    *job = NULL;
  perm_status status = job ? permi_check_input(matrix, options, &watch, result)
                           : permi_fail(result, PERM_ERROR_NULL, 3, "job is NULL");
  if (status == PERM_OK)
    status = permi_job_asked(permi_sparse_job_planned(matrix, 0, options, job, result), options, job);
  return permi_meter_end(&call, status, result);
}

static perm_status permi_sparse_report(const perm_matrix *matrix, const perm_options *options,
                                       perm_preparation *report, perm_result *result)
{
  permi_control watch = permi_control_begin(options);
  permi_working working;
  size_t at;
  int exact, row, zero = 0;
  permi_result_clear(result);
  if (!report)
    return permi_fail(result, PERM_ERROR_NULL, 3, "report is NULL");
  memset(report, 0, sizeof *report);
  perm_status status = permi_check_input(matrix, options, &watch, result);
  if (status == PERM_OK)
    status = permi_sparse_check(matrix, options, &watch, &exact, result);
  if (status != PERM_OK)
    return status;
  exact = exact && permi_matrix_integers(matrix, &row, &at, &watch);
  report->n = matrix->n;
  if (matrix->m == 0)
    return PERM_OK;
  status = permi_working_make(&working, matrix, exact, &watch, &zero, result);
  if (status == PERM_OK && watch.stopped == PERM_OK && !zero && !permi_report_left(&working))
    status = permi_fail_memory(result);
  if (watch.stopped != PERM_OK)
    status = permi_fail_stopped(&watch, result);
  if (status == PERM_OK)
    *report = working.report;
  permi_pool_release(&working.pool);
  return status;
}

PERM_SPARSE_API perm_status perm_sparse_report(const perm_matrix *matrix, const perm_options *options_given,
                                               perm_preparation *report, perm_result *result)
{
  permi_metered call;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  return permi_meter_end(&call, permi_sparse_report(matrix, options, report, result), result);
}

typedef struct permi_sparse_attempt {
  const perm_matrix *matrix;
  int how, doubles;
  double seconds;
  perm_precision precision;
} permi_sparse_attempt;

static perm_status permi_sparse_attempt_plan(void *context, const perm_options *options, double *seconds,
                                             perm_job **job, perm_result *result)
{
  permi_sparse_attempt *attempt = (permi_sparse_attempt *)context;
  const perm_status status = permi_job_or_none(
      permi_sparse_job_planned(attempt->matrix, attempt->how | attempt->doubles, options, job, result), job);
  if (status != PERM_OK)
    return status;
  *seconds = attempt->seconds = permi_job_seconds(*job);
  attempt->precision = (*job)->precision;
  return PERM_OK;
}

static perm_precision permi_sparse_attempt_next(const void *context, const perm_options *options,
                                                const perm_result *result)
{
  const permi_sparse_attempt *attempt = (const permi_sparse_attempt *)context;
  if ((options->tolerance == 0 && attempt->seconds >= PERMI_ESCALATE_SECONDS) || permi_is_counts_method(result->method))
    return PERM_PRECISION_COUNT;
  return permi_next_precision(permi_engines, PERMI_ENGINES, result->method, attempt->precision);
}

static perm_status permi_compute_matrix(const perm_matrix *matrix, int how, const perm_options *options,
                                        permi_control *watch, double start, perm_result *result)
{
  static const permi_solver solver = {permi_sparse_attempt_plan, NULL, permi_sparse_attempt_next};
  permi_sparse_attempt attempt = {matrix, how | PERMI_UNSEEN, 0, 0, PERM_PRECISION_DEFAULT};
  int exact;
  perm_status status = permi_sparse_check(matrix, options, watch, &exact, result);
  if (status == PERM_OK && matrix->m > 0 && watch->stopped == PERM_OK && !exact &&
      permi_sparse_by_counts(matrix, options) && !permi_sparse_rounds(matrix, watch) && watch->stopped == PERM_OK) {
    permi_problem problem;
    void *entries;
    status = permi_sparse_array(matrix, &options->allocator, exact, &problem, &entries, result);
    if (status == PERM_OK)
      status = permi_compute(&problem, PERMI_BY_LINES, 2, options, result);
    permi_release(&options->allocator, entries);
    return status;
  }
  if (status == PERM_OK && watch->stopped != PERM_OK)
    return permi_fail_stopped(watch, result);
  return permi_solve(&solver, &attempt, &attempt.doubles, &permi_reach_real, options, start, result);
}

PERM_SPARSE_API perm_status perm_compute_sparse(const perm_matrix *matrix, const perm_options *options_given,
                                                perm_result *result)
{
  const double start = permi_seconds();
  const int parts = matrix && matrix->kind == PERM_KIND_COMPLEX ? 2 : 1;
  permi_metered call;
  if (!result)
    return PERM_ERROR_NULL;
  const perm_options *options = permi_meter_begin(&call, options_given, permi_matrix_cost(matrix));
  permi_control watch = permi_control_begin(options);
  perm_status status = permi_check_input(matrix, options, &watch, result);
  if (status == PERM_OK)
    status = permi_compute_matrix(matrix, 0, options, &watch, start, result);
  return permi_kind(permi_meter_end(&call, status, result), parts, options_given, result);
}

#if defined(PERMI_ROUTE)
/* 2 x 2 minors without zeros: most vanish where twins has few classes of nearly full lines. */
#define PERMI_ROUTE_MINORS 64
static int permi_route_counts(const permi_problem *problem)
{
  const int n = problem->n;
  uint64_t seed = UINT64_C(88172645463325252);
  int trial, seen = 0, vanish = 0, k;
  for (trial = 0; trial < PERMI_ROUTE_MINORS; trial++) {
    const int i = permi_order_below(&seed, n), j = permi_order_below(&seed, n);
    const int row = (i + 1 + permi_order_below(&seed, n - 1)) % n;
    const int column = (j + 1 + permi_order_below(&seed, n - 1)) % n;
    double x[4], y[4];
    for (k = 0; k < 4; k++) {
      x[k] = permi_array_part(problem, k / 2 ? row : i, k % 2 ? column : j, 0);
      y[k] = permi_array_part(problem, k / 2 ? row : i, k % 2 ? column : j, 1);
      if (x[k] == 0 && y[k] == 0)
        break;
    }
    if (k < 4)
      continue;
    seen++;
    vanish += x[0] * x[3] - y[0] * y[3] == x[1] * x[2] - y[1] * y[2] &&
              x[0] * y[3] + y[0] * x[3] == x[1] * y[2] + y[1] * x[2];
  }
  return 4 * vanish > 3 * seen;
}

/* Takes arrays with many zeros or few classes, if dense sums take long. */
#define PERMI_ROUTE_ORDER 20    /* smaller integers take no longer than a plan */
#define PERMI_ROUTE_ZEROS 0.125 /* least share by which an engine gains */
#define PERMI_ROUTE_LOW 22      /* integers below it, of 0.25 to 2 ms, */
#define PERMI_ROUTE_LOW_ZEROS 0.6 /* need more zeros */
static int permi_route(const permi_problem *problem, const perm_options *options_given, int argument,
                       perm_result *result)
{
  const int m = problem->m, n = problem->n, shorter = m < n ? m : n, longer = m < n ? n : m, parts = problem->parts;
  perm_options options = *options_given;
  perm_matrix matrix;
  perm_status status;
  size_t nnz = 0;
  if (shorter < (m == n ? PERMI_ROUTE_ORDER : 2) || m > PERM_MAX_LINES || n > PERM_MAX_LINES || problem->row_count ||
      problem->column_count || (!problem->real && !problem->integer) ||
      !permi_stride_fits(m, n, problem->ld, 8 * parts) ||
      options.method != PERM_METHOD_AUTO ||
      options.precision == PERM_PRECISION_KAHAN || permi_check_options(&options, argument, result) != PERM_OK)
    return 0;
  if (m != n ? permi_rectangle_is_small(shorter, longer, 0)
             : problem->real && n <= PERM_MAX_N &&
                   n * ldexp(1, n - 1) < PERMI_FREE_SECONDS * permi_dense_rate(&options))
    return 0;
  const double start = permi_seconds(); /* small calls end sooner than a clock is read */
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      const double real = permi_array_part(problem, i, j, 0), imaginary = permi_array_part(problem, i, j, 1);
      if (permi_not_finite(real) || permi_not_finite(imaginary)) {
        permi_check_problem(problem, 0, result);
        return result->status == PERM_ERROR_NOT_FINITE;
      }
      if (problem->integer && parts == 2 && !(fmax(fabs(real), fabs(imaginary)) <= 9007199254740991))
        return 0; /* complex entries are doubles here */
      nnz += real != 0 || imaginary != 0;
    }
  const double zeros = problem->integer && shorter < PERMI_ROUTE_LOW ? PERMI_ROUTE_LOW_ZEROS : PERMI_ROUTE_ZEROS;
  if (m != n ? (double)nnz > (1 - zeros) * m * n || permi_rectangle_is_small(shorter, longer, (double)nnz)
             : (double)nnz > (1 - zeros) * n * n && !permi_route_counts(problem))
    return 0;
  permi_result_clear(result);
  if (problem->integer)
    options.precision = PERM_PRECISION_EXACT;
  permi_control watch = permi_control_begin(&options);
  if (permi_matrix_of_array(problem, nnz, &options.allocator, &matrix)) {
    status = permi_compute_matrix(&matrix, PERMI_FROM_ARRAY, &options, &watch, start, result);
    perm_matrix_free(&matrix);
  } else {
    status = permi_fail_memory(result);
  }
  if (status < PERM_OK && result->argument) /* argument 1 is the matrix, 2 the options */
    result->argument = result->argument == 2 ? argument : 3;
  return 1;
}
#endif

#if defined(PERM_WITH_CUDA)
#define PERMI_CUDA_HOST 2
#include PERM_CUDA_FILE
#undef PERMI_CUDA_HOST
#endif
PERMI_BRIEF_END

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif
#endif /* PERM_SPARSE_IMPLEMENTED */
#endif /* PERM_IMPLEMENTATION || PERM_SPARSE_IMPLEMENTATION */

#else /* PERMI_FAMILY */
#if PERMI_WIDTH != 2

/* ================================================================================== >>array_kernels
   Sums blocks of >>arrays, origins in order. The last vector reads beyond, within PERMI_ARRAY_PAD. */

PERMI_TARGET PERMI_INLINE PERMI_V PERMI_NAME(array_fetch)(const double *x, const permi_origin *origin, size_t k,
                                                          size_t left)
{
  const uint16_t *place = origin->place + k;
  double v[PERMI_WIDTH];
#if PERMI_WIDTH == 8
  const permi_eight *eight = origin->eight + k / 8;
  if (!eight->wide)
    return _mm512_maskz_permutex2var_pd(
        eight->here, PERMI_LOAD_ANY(x + eight->base),
        _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)eight->at)),
        PERMI_LOAD_ANY(x + eight->base + 8));
#elif PERMI_WIDTH == 4
  const permi_eight *eight = origin->eight + k / 8;
  if (!eight->wide) {
    const double *from = x + eight->base;
    const unsigned char *at = eight->at + (k & 4);
    const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8), here = _mm256_set1_epi64x(eight->here >> (k & 4));
    return _mm256_and_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(here, bits), bits)),
                         _mm256_setr_pd(from[at[0]], from[at[1]], from[at[2]], from[at[3]]));
  }
#endif
  for (size_t i = 0; i < PERMI_WIDTH; i++)
    v[i] = i < left && place[i] != PERMI_ARRAY_NOWHERE ? x[place[i]] : 0;
  return PERMI_LOAD_ANY(v);
}

PERMI_INLINE int PERMI_NAME(array_nothing)(const permi_origin *origin, size_t k)
{
#if PERMI_WIDTH >= 4
  return origin->place && !(origin->eight[k / 8].here >> (k % 8) & ((1 << PERMI_WIDTH) - 1));
#else
  return PERMI_WIDTH == 1 && origin->place && origin->place[k] == PERMI_ARRAY_NOWHERE;
#endif
}

PERMI_TARGET PERMI_INLINE void PERMI_NAME(array_store)(double *y, PERMI_V v, size_t left)
{
#if PERMI_WIDTH == 8
  _mm512_mask_storeu_pd(y, (__mmask8)(left < 8 ? (1u << left) - 1 : 255), v);
#else
  double rest[PERMI_WIDTH];
  PERMI_STORE_ANY(left < PERMI_WIDTH ? rest : y, v);
  for (size_t i = 0; i < left && left < PERMI_WIDTH; i++)
    y[i] = rest[i];
#endif
}

/* SHORT: sums stay below 2^52. LONG: products are reduced. along: vectors of one word; 0: one of each of four words. */
PERMI_TARGET static PERMI_ALWAYS_INLINE void PERMI_NAME(array_doubles)(double *y, size_t k, size_t count, size_t plane,
                                                                       const permi_origin *origin, int origins,
                                                                       int kind, PERMI_P p)
{
  PERMI_V sum[4];
  const int growth = kind % 3, along = kind / 3, vectors = along == 1 ? 1 : 4;
  const size_t left = along == 4 ? PERMI_WIDTH : count - k;
  PERMI_UNROLL
  for (int i = 0; i < vectors; i++)
    sum[i] = PERMI_SET(0.0);
  for (int s = 0; s < origins; s++, origin++) {
    const double *x = (const double *)origin->x + plane * origin->count;
    const PERMI_V real = PERMI_SET(origin->real);
    const int reduced = growth == PERMI_GROWS_LONG && fabs(origin->real) != 1;
    PERMI_UNROLL
    for (int i = 0; i < vectors; i++) {
      const size_t at = along ? k + (size_t)(i * PERMI_WIDTH) : k;
      const double *word = along ? x : x + (size_t)i * origin->count;
      if (PERMI_NAME(array_nothing)(origin, at))
        continue;
      PERMI_V from = origin->place ? PERMI_NAME(array_fetch)(word, origin, at, left) : PERMI_LOAD_ANY(word + at);
      if (reduced)
        sum[i] = sum[i] + PERMI_NAME(prime_product)(real, from, p);
      else
        sum[i] = PERMI_FMA(real, from, sum[i]);
    }
  }
  PERMI_UNROLL
  for (int i = 0; i < vectors; i++)
    PERMI_NAME(array_store)(y + plane * count + k + (along ? (size_t)(i * PERMI_WIDTH) : (size_t)i * count),
                            growth == PERMI_GROWS_NOT ? sum[i] : PERMI_NAME(prime_reduce)(sum[i], p), left);
}

PERMI_TARGET static PERMI_ALWAYS_INLINE void PERMI_NAME(array_block)(void *to, size_t count, int words,
                                                                     const permi_origin *origin, int origins,
                                                                     int growth, PERMI_P p)
{
  size_t plane = 0, planes = (size_t)words, k;
  for (; plane + 4 <= planes; plane += 4)
    for (k = 0; k < count; k += PERMI_WIDTH)
      PERMI_NAME(array_doubles)((double *)to, k, count, plane, origin, origins, growth, p);
  for (; plane < planes; plane++) {
    for (k = 0; k + 4 * PERMI_WIDTH <= count; k += 4 * PERMI_WIDTH)
      PERMI_NAME(array_doubles)((double *)to, k, count, plane, origin, origins, growth + 12, p);
    for (; k < count; k += PERMI_WIDTH)
      PERMI_NAME(array_doubles)((double *)to, k, count, plane, origin, origins, growth + 3, p);
  }
}

#define PERMI_ARRAY_BLOCK(name, growth, p)                                                                             \
  PERMI_UNUSED PERMI_TARGET static void PERMI_NAME(name)(const permi_numbers *numbers, void *to, size_t count,         \
                                                         const permi_origin *origin, int origins)                      \
  { PERMI_NAME(array_block)(to, count, numbers->words, origin, origins, growth, PERMI_NAME(prime_of)(p, 1 / (p))); }
PERMI_ARRAY_BLOCK(block_double, PERMI_GROWS_NOT, 1.0)
PERMI_ARRAY_BLOCK(block_short, PERMI_GROWS_SHORT, (double)numbers->modulus)
PERMI_ARRAY_BLOCK(block_long, PERMI_GROWS_LONG, (double)numbers->modulus)
#undef PERMI_ARRAY_BLOCK

/* Adds as permi_dd_times and permi_dd_add, to a block's high parts, then low ones. Only with 8 doubles a vector x_lo
   real is not rounded first. */
PERMI_TARGET static void PERMI_NAME(block_dd)(const permi_numbers *numbers, void *to, size_t count,
                                              const permi_origin *origin, int origins)
{
  double *y = (double *)to;
  (void)numbers;
  for (size_t k = 0; k < count; k += PERMI_WIDTH) {
    PERMI_V hi = PERMI_SET(0.0), lo = hi;
    for (int s = 0; s < origins; s++) {
      const double *x = (const double *)origin[s].x, *low = x + origin[s].count;
      PERMI_V x_hi, x_lo, error;
      if (PERMI_NAME(array_nothing)(&origin[s], k))
        continue;
      x_hi = origin[s].place ? PERMI_NAME(array_fetch)(x, &origin[s], k, count - k) : PERMI_LOAD_ANY(x + k);
      x_lo = origin[s].place ? PERMI_NAME(array_fetch)(low, &origin[s], k, count - k) : PERMI_LOAD_ANY(low + k);
      if (origin[s].real != 1) {
        const PERMI_V real = PERMI_SET(origin[s].real);
        x_hi = PERMI_NAME(vector_two_product)(x_hi, real, &error);
        if (PERMI_WIDTH == 8)
          error = PERMI_FMA(x_lo, real, error);
        else
          error = error + PERMI_NAME(kept)(x_lo * real);
        x_hi = PERMI_NAME(vector_two_sum)(x_hi, error, &x_lo);
      }
      if (s == 0) {
        hi = x_hi;
        lo = x_lo;
        continue;
      }
      hi = PERMI_NAME(vector_two_sum)(hi, x_hi, &x_hi);
      lo = PERMI_NAME(vector_two_sum)(lo, x_lo, &error);
      hi = PERMI_NAME(vector_two_sum)(hi, x_hi + lo, &lo);
      hi = PERMI_NAME(vector_two_sum)(hi, lo + error, &lo);
    }
    PERMI_NAME(array_store)(y + k, hi, count - k);
    PERMI_NAME(array_store)(y + count + k, lo, count - k);
  }
}

/* ================================================================================= >>hybrid_kernels
   The interpreter of >>hybrid_layout. */

#define PERMI_H(name) PERMI_NAME(hybrid_##name)
#define PERMI_N PERMI_H(number)

#if PERMI_WIDTH > 1
#define PERMI_NUMBERS(...) PERMI_UNROLL for (k = 0; k < count; k++) __VA_ARGS__
#else
#define PERMI_NUMBERS(...) for (k = 0; k < count; k++) __VA_ARGS__ /* unrolled, as fast and longer */
#endif

PERMI_INLINE int PERMI_H(count)(int algebra)
{
  return PERMI_HYBRID_DOUBLES / permi_hybrid_row_parts(algebra) / PERMI_WIDTH;
}

/* One to four words: value, error of a double-double; then those of an imaginary part. */
typedef struct PERMI_N {
  PERMI_V p[4];
} PERMI_N;

/* Part q of number k is x[q * count + k]. */
typedef struct PERMI_H(numbers) {
  PERMI_V x[PERMI_HYBRID_DOUBLES / PERMI_WIDTH];
} PERMI_H(numbers);

/* Adds a block; second words go to the low parts. */
PERMI_TARGET static void PERMI_H(add)(const permi_hybrid *hybrid, const double *block, double *total, int negative)
{
  const PERMI_V sign = PERMI_SET(negative ? -1.0 : 1.0);
  const int doubled = permi_hybrid_is_doubled((int)hybrid->algebra);
  const int end = doubled ? PERMI_HYBRID_DOUBLES / 2 : PERMI_HYBRID_DOUBLES;
  const int apart = PERMI_HYBRID_DOUBLES / hybrid->parts;
  double *low = total + PERMI_HYBRID_DOUBLES;
  for (int k = 0; k < end; k += PERMI_WIDTH) {
    const double *from = block + k + (doubled ? k / apart * apart : 0);
    const PERMI_V term = sign * PERMI_LOAD(from);
    PERMI_V error, sum = PERMI_NAME(vector_two_sum)(PERMI_LOAD(total + k), term, &error);
    if (doubled) {
      const PERMI_V more = sign * PERMI_LOAD(from + apart);
      error = error + more;
    }
    error = PERMI_LOAD(low + k) + error;
    if (doubled)
      sum = PERMI_NAME(vector_fast_two_sum)(sum, error, &error);
    PERMI_STORE(total + k, sum);
    PERMI_STORE(low + k, error);
  }
}

PERMI_TARGET static void PERMI_H(turn)(const permi_hybrid *hybrid, int j, int minus, double *values)
{
  const int *row = hybrid->touched[j], parts = hybrid->parts, quarter = PERMI_HYBRID_DOUBLES / 4;
  for (; *row >= 0; row++) {
    double *slot = permi_hybrid_slot(values, permi_hybrid_line(*row));
    const double *step = hybrid->step + (j * hybrid->n + *row) * parts;
    for (int q = 0; q < 4; q++, slot += quarter) {
      const PERMI_V by = PERMI_SET(minus ? -step[q * parts / 4] : step[q * parts / 4]);
      PERMI_UNROLL
      for (int k = 0; k < quarter; k += PERMI_WIDTH)
        PERMI_STORE(slot + k, PERMI_LOAD(slot + k) + by);
    }
  }
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(one)(PERMI_V v)
{
  PERMI_N x;
  x.p[0] = x.p[1] = x.p[2] = x.p[3] = v;
  return x;
}

/* Computes the address first (docs/engines.md). */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(get)(int parts, const double *slot, int k)
{
  const double *at = slot + k * PERMI_WIDTH;
  PERMI_N x = PERMI_H(one)(PERMI_LOAD(at));
  PERMI_UNROLL
  for (int q = 1; q < parts; q++)
    x.p[q] = PERMI_LOAD(at + PERMI_HYBRID_DOUBLES * q / parts);
  return x;
}

PERMI_TARGET PERMI_INLINE void PERMI_H(put)(int parts, double *slot, int k, PERMI_N x)
{
  double *at = slot + k * PERMI_WIDTH;
  PERMI_UNROLL
  for (int q = 0; q < parts; q++)
    PERMI_STORE(at + PERMI_HYBRID_DOUBLES * q / parts, x.p[q]);
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(of)(int parts, int count, const PERMI_H(numbers) *x, int k)
{
  PERMI_N y = PERMI_H(one)(x->x[k]);
  PERMI_UNROLL
  for (int q = 1; q < parts; q++)
    y.p[q] = x->x[q * count + k];
  return y;
}

PERMI_TARGET PERMI_INLINE void PERMI_H(hold)(int parts, int count, PERMI_H(numbers) *to, int k, PERMI_N x)
{
  PERMI_UNROLL
  for (int q = 0; q < parts; q++)
    to->x[q * count + k] = x.p[q];
}

/* Moduli read first words. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(constant)(int algebra, const permi_hybrid *hybrid, int index)
{
  const int parts = permi_hybrid_row_parts(algebra), step = algebra >= PERMI_HYBRID_MODULI ? hybrid->parts : parts;
  const double *x = hybrid->constant + index * step;
  PERMI_N y = PERMI_H(one)(PERMI_SET(x[0]));
  PERMI_UNROLL
  for (int q = 1; q < parts; q++)
    y.p[q] = PERMI_SET(x[q * step / parts]);
  return y;
}

/* Returns ab - cd modulo the prime with one quotient: multiples of 2^46 are exact in the grid's binade. */
PERMI_TARGET PERMI_INLINE PERMI_V PERMI_H(reduce_cross)(PERMI_V a, PERMI_V b, PERMI_V c, PERMI_V d, PERMI_P p)
{
  const PERMI_V grid = PERMI_SET(PERMI_RESIDUE_GRID);
  const PERMI_V first = PERMI_FMA(a, b, grid), both = PERMI_FNMA(c, d, first), high = both - grid;
  const PERMI_V low = PERMI_FMS_EXACT(a, b, first - grid), less = PERMI_FMS_EXACT(c, d, first - both);
  return (low - less) - PERMI_FMS_EXACT(PERMI_NAME(prime_quotient)(high, p), p.prime, high);
}

/* The first word of a double-double takes over what it can: it is larger, or has cancelled (>>hybrid_offer). */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(settle)(int algebra, PERMI_N x)
{
  if (permi_hybrid_is_doubled(algebra))
    x.p[0] = PERMI_NAME(vector_fast_two_sum)(x.p[0], x.p[1], &x.p[1]);
  if (algebra == PERMI_HYBRID_COMPLEX_DOUBLED)
    x.p[2] = PERMI_NAME(vector_fast_two_sum)(x.p[2], x.p[3], &x.p[3]);
  return x;
}

/* Returns |y| plus the floor for moduli. Whole numbers with a floor are reduced. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(row_number)(int algebra, PERMI_N y, double least, PERMI_P p)
{
  if (permi_hybrid_is_whole(algebra) && least > 0)
    return PERMI_H(one)(PERMI_NAME(prime_reduce)(y.p[0], p));
  if (permi_hybrid_is_doubled(algebra))
    y.p[0] = PERMI_NAME(vector_two_sum)(y.p[0], y.p[1], &y.p[1]);
  if (algebra == PERMI_HYBRID_COMPLEX_DOUBLED)
    y.p[2] = PERMI_NAME(vector_two_sum)(y.p[2], y.p[3], &y.p[3]);
  if (algebra == PERMI_HYBRID_MODULI)
    return PERMI_H(one)(PERMI_ABS(y.p[0]) + PERMI_SET(least));
  if (algebra == PERMI_HYBRID_COMPLEX_MODULI)
    return PERMI_H(one)(PERMI_ROOT(PERMI_FMA(y.p[0], y.p[0], y.p[1] * y.p[1])) + PERMI_SET(least));
  return y;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(row)(int algebra, PERMI_N y, PERMI_N c, double least, PERMI_P p)
{
  PERMI_UNROLL
  for (int q = 0; q < permi_hybrid_row_parts(algebra); q++)
    y.p[q] = y.p[q] + c.p[q];
  return PERMI_H(row_number)(algebra, y, least, p);
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(pair_times)(PERMI_N a, int i, PERMI_N b, int j)
{
  PERMI_N x = a;
  x.p[0] = PERMI_NAME(vector_two_product)(a.p[2 * i], b.p[2 * j], &x.p[1]);
  x.p[1] = PERMI_FMA(a.p[2 * i], b.p[2 * j + 1], PERMI_FMA(a.p[2 * i + 1], b.p[2 * j], x.p[1]));
  return x;
}

/* Returns a +- b, of one or two double-doubles. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(pair_sum)(int pairs, PERMI_N a, PERMI_N b, int minus)
{
  PERMI_N x = b;
  PERMI_UNROLL
  for (int q = 0; q < 2 * pairs; q += 2) {
    PERMI_V error;
    if (minus)
      x.p[q] = PERMI_SET(0.0) - b.p[q];
    x.p[q] = PERMI_NAME(vector_two_sum)(a.p[q], x.p[q], &error);
    x.p[q + 1] = minus ? a.p[q + 1] - b.p[q + 1] : a.p[q + 1] + b.p[q + 1];
    x.p[q + 1] = error + x.p[q + 1];
  }
  return x;
}

PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(times)(int algebra, PERMI_N a, PERMI_N b, PERMI_P p)
{
  PERMI_N x;
  if (algebra == PERMI_HYBRID_COMPLEX) {
    const PERMI_V ee = a.p[1] * b.p[1], vv = a.p[0] * b.p[0];
    x = PERMI_H(one)(vv - ee);
    x.p[1] = PERMI_FMA(a.p[0], b.p[1], a.p[1] * b.p[0]);
  } else if (algebra == PERMI_HYBRID_COMPLEX_DOUBLED) {
    const PERMI_N y = PERMI_H(pair_sum)(1, PERMI_H(pair_times)(a, 0, b, 1), PERMI_H(pair_times)(a, 1, b, 0), 0);
    x = PERMI_H(pair_sum)(1, PERMI_H(pair_times)(a, 0, b, 0), PERMI_H(pair_times)(a, 1, b, 1), 1);
    x.p[2] = y.p[0];
    x.p[3] = y.p[1];
  } else if (algebra == PERMI_HYBRID_DOUBLED) {
    x = PERMI_H(pair_times)(a, 0, b, 0);
  } else if (algebra == PERMI_HYBRID_LONG) {
    x = PERMI_H(one)(PERMI_NAME(prime_product)(a.p[0], b.p[0], p));
  } else {
    x = PERMI_H(one)(a.p[0] * b.p[0]);
    if (algebra == PERMI_HYBRID_SHORT)
      x.p[0] = PERMI_NAME(prime_reduce)(x.p[0], p);
  }
  return x;
}

/* a - b, of moduli a + b, of whole numbers `half` times a - b. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(minus)(int algebra, PERMI_N a, PERMI_N b, double half, PERMI_P p)
{
  if (permi_hybrid_is_doubled(algebra))
    return PERMI_H(pair_sum)(permi_hybrid_parts(algebra) / 2, a, b, 1);
  PERMI_N x = PERMI_H(one)(algebra < PERMI_HYBRID_MODULI ? a.p[0] - b.p[0] : a.p[0] + b.p[0]);
  if (algebra == PERMI_HYBRID_COMPLEX)
    x.p[1] = a.p[1] - b.p[1];
  else if (algebra == PERMI_HYBRID_WHOLE)
    x.p[0] = x.p[0] * PERMI_SET(half);
  else if (permi_hybrid_is_whole(algebra))
    x.p[0] = PERMI_NAME(prime_reduce)(x.p[0], p);
  return x;
}

/* Returns a b - c d, of moduli a b + c d. */
PERMI_TARGET PERMI_INLINE PERMI_N PERMI_H(cross)(int algebra, PERMI_N a, PERMI_N b, PERMI_N c, PERMI_N d, PERMI_P p)
{
  if (algebra == PERMI_HYBRID_LONG)
    return PERMI_H(one)(PERMI_H(reduce_cross)(a.p[0], b.p[0], c.p[0], d.p[0], p));
  if (permi_hybrid_is_whole(algebra)) {
    const PERMI_V less = c.p[0] * d.p[0], x = PERMI_FMS(a.p[0], b.p[0], less);
    return PERMI_H(one)(algebra == PERMI_HYBRID_SHORT ? PERMI_NAME(prime_reduce)(x, p) : x);
  }
  PERMI_N second = PERMI_H(times)(algebra, c, d, p);
  if (algebra >= PERMI_HYBRID_MODULI)
    return PERMI_H(one)(PERMI_FMA(a.p[0], b.p[0], second.p[0]));
  return PERMI_H(minus)(algebra, PERMI_H(times)(algebra, a, b, p), second, 1, p);
}

/* Multiplies x by a slot, or sets it. A `base` has no moduli yet. */
PERMI_TARGET PERMI_INLINE void PERMI_H(chain_slot)(int algebra, int first, int base, const double *slot,
                                              double least, PERMI_P p, PERMI_H(numbers) *x)
{
  const int parts = permi_hybrid_parts(algebra), slot_parts = base ? permi_hybrid_row_parts(algebra) : parts;
  const int count = PERMI_H(count)(algebra);
  int k;
  PERMI_NUMBERS({
    PERMI_N y = PERMI_H(get)(slot_parts, slot, k);
    if (base)
      y = PERMI_H(row_number)(algebra, y, least, p);
    if (!first)
      y = PERMI_H(settle)(algebra, PERMI_H(times)(algebra, PERMI_H(of)(parts, count, x, k), y, p));
    PERMI_H(hold)(parts, count, x, k, y);
  })
}

/* What groups of an instruction hold: row sums, numbers, or 1 for a lone table. */
typedef struct PERMI_H(source) {
  const permi_hybrid *hybrid;
  double *values, *row;
  int lone, rows;
  double least, half; /* of whole numbers' folds */
  PERMI_P prime;
} PERMI_H(source);

PERMI_TARGET PERMI_INLINE PERMI_H(source) PERMI_H(source_of)(const permi_hybrid *hybrid,
                                                             const permi_instruction *operation, double *values)
{
  const int opcode = operation->opcode;
  PERMI_H(source) from;
  from.hybrid = hybrid;
  from.values = values;
  from.row = permi_hybrid_slot(values, operation->row);
  from.lone = opcode == PERMI_OP_ROW || opcode == PERMI_OP_DIFFERENCE;
  from.rows = opcode == PERMI_OP_ROWS || opcode == PERMI_OP_TIMES_ROW || opcode == PERMI_OP_FOLD_ROW;
  from.least = hybrid->floor[operation->row];
  from.half = operation->halved ? 0.5 : 1;
  from.prime = PERMI_NAME(prime_of)(hybrid->prime, hybrid->inverse);
  return from;
}

PERMI_TARGET PERMI_INLINE void PERMI_H(fetch)(int algebra, int halves, const PERMI_H(source) *from, int at,
                                              PERMI_H(numbers) *x)
{
  const int parts = permi_hybrid_parts(algebra), count = PERMI_H(count)(algebra);
  const PERMI_V half = PERMI_SET(from->half);
  int k;
  if (from->rows) {
    const PERMI_N c = PERMI_H(constant)(algebra, from->hybrid, at);
    PERMI_NUMBERS({
      PERMI_N y = PERMI_H(get)(permi_hybrid_row_parts(algebra), from->row, k);
      y = PERMI_H(row)(algebra, y, c, from->least, from->prime);
      if (halves)
        y.p[0] = y.p[0] * half;
      PERMI_H(hold)(parts, count, x, k, y);
    })
  } else if (!from->lone) {
    const double *slot = permi_hybrid_slot(from->values, at);
    PERMI_NUMBERS({
      PERMI_N y = PERMI_H(get)(parts, slot, k);
      if (halves)
        y.p[0] = y.p[0] * half;
      PERMI_H(hold)(parts, count, x, k, y);
    })
  } else {
    PERMI_N y = PERMI_H(one)(PERMI_SET(0.0));
    y.p[0] = half;
    PERMI_NUMBERS({ PERMI_H(hold)(parts, count, x, k, y); })
  }
}

/* ROW, ROWS */
PERMI_TARGET PERMI_INLINE void PERMI_H(rows)(int algebra, const permi_hybrid *hybrid,
                                             const permi_instruction *operation, double *values)
{
  const int parts = permi_hybrid_parts(algebra), row_parts = permi_hybrid_row_parts(algebra);
  const int count = PERMI_H(count)(algebra), lone = operation->opcode == PERMI_OP_ROW, group = operation->group;
  const int row = lone ? operation->row : operation->other;
  const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
  const PERMI_H(source) from = PERMI_H(source_of)(hybrid, operation, values);
  const double least = hybrid->floor[row], *slot = permi_hybrid_slot(values, row);
  PERMI_H(numbers) base, held;
  int k;
  PERMI_NUMBERS({ PERMI_H(hold)(row_parts, count, &base, k, PERMI_H(get)(row_parts, slot, k)); })
  while (t < last) {
    const permi_statement *end = t + group;
    PERMI_H(fetch)(algebra, 0, &from, t->h, &held);
    for (; t < end; t++) {
      const PERMI_N c = PERMI_H(constant)(algebra, hybrid, lone ? t->h : t->p);
      double *out = permi_hybrid_slot(values, t->out);
      PERMI_NUMBERS({
        const PERMI_N y = PERMI_H(row)(algebra, PERMI_H(of)(row_parts, count, &base, k), c, least, from.prime);
        const PERMI_N x = PERMI_H(times)(algebra, PERMI_H(of)(parts, count, &held, k), y, from.prime);
        PERMI_H(put)(parts, out, k, PERMI_H(settle)(algebra, x));
      })
    }
  }
}

/* TIMES_ROW, TIMES */
PERMI_TARGET PERMI_INLINE void PERMI_H(products)(int algebra, const permi_hybrid *hybrid,
                                                 const permi_instruction *operation, double *values)
{
  const int parts = permi_hybrid_parts(algebra), count = PERMI_H(count)(algebra), group = operation->group;
  const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
  const PERMI_H(source) from = PERMI_H(source_of)(hybrid, operation, values);
  PERMI_H(numbers) held;
  int k;
  while (t < last) {
    const permi_statement *end = t + group;
    PERMI_H(fetch)(algebra, 0, &from, t->h, &held);
    for (; t < end; t++) {
      const double *p = permi_hybrid_slot(values, t->p);
      double *out = permi_hybrid_slot(values, t->out);
      PERMI_NUMBERS({
        const PERMI_N y = PERMI_H(of)(parts, count, &held, k);
        const PERMI_N x = PERMI_H(times)(algebra, PERMI_H(get)(parts, p, k), y, from.prime);
        PERMI_H(put)(parts, out, k, PERMI_H(settle)(algebra, x));
      })
    }
  }
}

/* DIFFERENCE, FOLD_ROW, FOLD */
PERMI_TARGET PERMI_INLINE void PERMI_H(folds)(int algebra, const permi_hybrid *hybrid,
                                              const permi_instruction *operation, double *values)
{
  const int parts = permi_hybrid_parts(algebra), count = PERMI_H(count)(algebra), group = operation->group;
  const int halves = algebra == PERMI_HYBRID_WHOLE;
  const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
  const PERMI_H(source) from = PERMI_H(source_of)(hybrid, operation, values);
  PERMI_H(numbers) held, also;
  int k;
  while (t < last) {
    const permi_statement *end = t + group;
    PERMI_H(fetch)(algebra, halves, &from, t->h, &held);
    PERMI_H(fetch)(algebra, halves, &from, t->g, &also);
    for (; t < end; t++) {
      const double *p = permi_hybrid_slot(values, t->p), *q = permi_hybrid_slot(values, t->q);
      double *out = permi_hybrid_slot(values, t->out);
      PERMI_NUMBERS({
        const PERMI_N y = PERMI_H(of)(parts, count, &held, k), z = PERMI_H(of)(parts, count, &also, k);
        const PERMI_N a = PERMI_H(get)(parts, p, k), b = PERMI_H(get)(parts, q, k);
        const PERMI_N x = PERMI_H(cross)(algebra, a, y, b, z, from.prime);
        PERMI_H(put)(parts, out, k, PERMI_H(settle)(algebra, x));
      })
    }
  }
}

/* Slots from `bases` on are numbers. */
PERMI_TARGET PERMI_INLINE void PERMI_H(chain)(int algebra, const permi_hybrid *hybrid,
                                                const permi_instruction *operation, double *values)
{
  const permi_statement *t = hybrid->statement + operation->first, *last = t + operation->count;
  const int count = PERMI_H(count)(algebra);
  const int parts = permi_hybrid_parts(algebra), whole = algebra == PERMI_HYBRID_WHOLE;
  const int numbers = whole || permi_hybrid_is_doubled(algebra) || algebra >= PERMI_HYBRID_MODULI;
  const int bases = numbers ? permi_hybrid_line(hybrid->n) : 0;
  const PERMI_P prime = PERMI_NAME(prime_of)(hybrid->prime, hybrid->inverse);
  double *out = permi_hybrid_slot(values, t->out), *first = permi_hybrid_slot(values, t->p);
  PERMI_H(numbers) product;
  int k;
  if (whole || t->p < bases)
    PERMI_H(chain_slot)(algebra, 1, 1, first, t->p < bases ? hybrid->floor[t->p] : 0, prime, &product);
  else
    PERMI_H(chain_slot)(algebra, 1, 0, first, 0, prime, &product);
  for (t++; t < last; t++) {
    const double *slot = permi_hybrid_slot(values, t->p);
    const double least = t->p < bases ? hybrid->floor[t->p] : 0;
    if (whole && t->q == PERMI_GROWS_LONG)
      PERMI_H(chain_slot)(PERMI_HYBRID_LONG, 0, 1, slot, least, prime, &product);
    else if (whole && t->q == PERMI_GROWS_SHORT)
      PERMI_H(chain_slot)(PERMI_HYBRID_SHORT, 0, 1, slot, least, prime, &product);
    else if (whole || t->p < bases)
      PERMI_H(chain_slot)(algebra, 0, 1, slot, least, prime, &product);
    else
      PERMI_H(chain_slot)(algebra, 0, 0, slot, 0, prime, &product);
  }
  PERMI_NUMBERS({ PERMI_H(put)(parts, out, k, PERMI_H(of)(parts, count, &product, k)); })
}

/* Macros, so that the algebra is known before anything is inlined: gcc compiles in half the time. A lone row does not
   grow; a lone table's difference is below 2^50 (permi_growth_kind). */
#define PERMI_BY_GROWTH(algebra, call)                                                                                 \
  if (algebra != PERMI_HYBRID_WHOLE || operation->growth == PERMI_GROWS_NOT) call(algebra, hybrid, operation, values); \
  else if (operation->growth == PERMI_GROWS_SHORT) call(PERMI_HYBRID_SHORT, hybrid, operation, values);                \
  else call(PERMI_HYBRID_LONG, hybrid, operation, values);
#define PERMI_OPERATE(algebra)                                                                                         \
  if (operation->opcode <= PERMI_OP_ROWS) { PERMI_BY_GROWTH(algebra, PERMI_H(rows)) }                                  \
  else if (operation->opcode <= PERMI_OP_TIMES) { PERMI_BY_GROWTH(algebra, PERMI_H(products)) }                        \
  else if (operation->opcode < PERMI_OP_CHAIN) { PERMI_BY_GROWTH(algebra, PERMI_H(folds)) }                            \
  else PERMI_H(chain)(algebra, hybrid, operation, values);
#define PERMI_INSTANCE(name, algebra)                                                                                  \
  PERMI_KERNEL PERMI_NAME(hybrid_##name)(const permi_hybrid *hybrid, double *values, unsigned turned)                  \
  { const permi_instruction *operation = hybrid->operation, *end = operation + hybrid->operations;                     \
    for (; operation < end; operation++) if (operation->dirty & turned) { PERMI_OPERATE(algebra) }                     \
  }
PERMI_INSTANCE(real, PERMI_HYBRID_REAL)
PERMI_INSTANCE(doubled, PERMI_HYBRID_DOUBLED)
PERMI_INSTANCE(whole, PERMI_HYBRID_WHOLE)
PERMI_INSTANCE(moduli, PERMI_HYBRID_MODULI)
#if defined(PERM_NO_COMPLEX)
#define PERMI_OF_COMPLEX(name) NULL
#else
#define PERMI_OF_COMPLEX(name) PERMI_NAME(hybrid_##name)
PERMI_INSTANCE(complex, PERMI_HYBRID_COMPLEX)
PERMI_INSTANCE(complex_doubled, PERMI_HYBRID_COMPLEX_DOUBLED)
PERMI_INSTANCE(complex_moduli, PERMI_HYBRID_COMPLEX_MODULI)
#endif

static const permi_hybrid_family PERMI_H(family) = {
    {PERMI_H(real), PERMI_OF_COMPLEX(complex), PERMI_H(doubled), PERMI_H(whole), PERMI_OF_COMPLEX(complex_doubled)},
    {PERMI_H(moduli), PERMI_OF_COMPLEX(complex_moduli), PERMI_H(moduli), NULL, PERMI_OF_COMPLEX(complex_moduli)},
    PERMI_H(add), PERMI_H(turn)};
#undef PERMI_INSTANCE
#undef PERMI_OPERATE
#undef PERMI_BY_GROWTH
#undef PERMI_OF_COMPLEX
#undef PERMI_NUMBERS
#undef PERMI_N
#undef PERMI_H

/* ================================================================================== >>signs_kernels
   The search of >>signs. Sums are modulo 2^64 a word: any order will do. */

#if PERMI_WIDTH >= 4
#define PERMI_SIGNS_V PERMI_I
#define PERMI_SIGNS_ADD(a, b) PERMI_I_ADD64(a, b)
#else
#define PERMI_SIGNS_V uint64_t
#define PERMI_SIGNS_ADD(a, b) ((a) + (b))
#endif
#define PERMI_SIGNS_VECTORS ((int)(PERMI_SIGNS_WORDS * sizeof(uint64_t) / sizeof(PERMI_SIGNS_V)))
#define PERMI_SIGNS_LOAD(p, i) (((const PERMI_SIGNS_V *)(const void *)(p))[i])
#define PERMI_SIGNS_STORE(p, i, v) (((PERMI_SIGNS_V *)(void *)(p))[i] = (v))

/* Returns 1 if a byte of a is that of b. Borrows start at zero bytes. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(signs_meet)(const uint64_t *a, const uint64_t *b)
{
#if PERMI_WIDTH == 8
  return _mm512_cmpeq_epi8_mask(PERMI_SIGNS_LOAD(a, 0), PERMI_SIGNS_LOAD(b, 0)) != 0;
#elif PERMI_WIDTH == 4
  return _mm256_movemask_epi8(_mm256_cmpeq_epi8(PERMI_SIGNS_LOAD(a, 0), PERMI_SIGNS_LOAD(b, 0)) |
                              _mm256_cmpeq_epi8(PERMI_SIGNS_LOAD(a, 1), PERMI_SIGNS_LOAD(b, 1))) != 0;
#else
  uint64_t met = 0;
  for (int i = 0; i < PERMI_SIGNS_WORDS; i++)
    met |= permi_signs_zeros(a[i] ^ b[i]);
  return met != 0;
#endif
}

PERMI_TARGET PERMI_INLINE int PERMI_NAME(signs_any)(const uint64_t *a)
{
#if PERMI_WIDTH == 8
  return _mm512_test_epi64_mask(PERMI_SIGNS_LOAD(a, 0), PERMI_SIGNS_LOAD(a, 0)) != 0;
#elif PERMI_WIDTH == 4
  const PERMI_I any = PERMI_SIGNS_LOAD(a, 0) | PERMI_SIGNS_LOAD(a, 1);
  return !_mm256_testz_si256(any, any);
#else
  return (a[0] | a[1] | a[2] | a[3] | a[4] | a[5] | a[6] | a[7]) != 0;
#endif
}

/* Sets column k. Reads counts of the frame before, as a store under way would stall bytes. */
PERMI_TARGET PERMI_INLINE int PERMI_NAME(signs_advance)(permi_signs_walk *walk, int k, int bit)
{
  const permi_signs *signs = walk->signs;
  const permi_signs_frame *from = &walk->frame[k];
  permi_signs_frame *to = &walk->frame[k + 1];
  const unsigned char *count = (const unsigned char *)from->count;
  int64_t product = bit ? -walk->product[k] : walk->product[k];
  walk->counted[0]++;
  walk->known[0] &= k > signs->last[0];
  walk->known[1] &= k > signs->last[1];
  for (int i = 0; i < PERMI_SIGNS_VECTORS; i++) {
    PERMI_SIGNS_V v = PERMI_SIGNS_LOAD(from->count, i);
    if (bit)
      v = PERMI_SIGNS_ADD(v, PERMI_SIGNS_LOAD(signs->column[k], i));
    PERMI_SIGNS_STORE(to->count, i, v);
  }
  if (signs->done_place[k] < signs->done_place[k + 1]) {
    if (PERMI_NAME(signs_meet)(to->count, signs->done[k]))
      return 0;
    for (int place = signs->done_place[k]; signs->narrow && place < signs->done_place[k + 1]; place++)
      product *= permi_signs_value(signs, (const unsigned char *)to->count, place);
  }
  walk->product[k + 1] = product;
  for (int block = 0; block < 2; block++) {
    const permi_signs_cut *cut = signs->cut + signs->cut_start[2 * k + block];
    const permi_signs_cut *end = signs->cut + signs->cut_start[2 * k + block + 1];
    PERMI_SIGNS_V alive[PERMI_SIGNS_VECTORS];
    for (int i = 0; i < PERMI_SIGNS_VECTORS; i++)
      alive[i] = PERMI_SIGNS_LOAD(from->alive[block], i);
    if (cut < end) {
      for (; cut < end; cut++) {
        const uint64_t *left = cut->alive[count[cut->place] + (bit ? cut->entry : 0) - cut->least];
        for (int i = 0; i < PERMI_SIGNS_VECTORS; i++)
          alive[i] &= PERMI_SIGNS_LOAD(left, i);
      }
      if (!PERMI_NAME(signs_any)((const uint64_t *)(const void *)alive))
        return 0;
    }
    for (int i = 0; i < PERMI_SIGNS_VECTORS; i++)
      PERMI_SIGNS_STORE(to->alive[block], i, alive[i]);
  }
  return 1;
}

#if PERMI_WIDTH >= 4
/* Writes products of own rows with patterns, without signs; `vectors` of 32 rows. AVX2 is enough, as lists are short.
   */
PERMI_TARGET PERMI_INLINE void PERMI_NAME(signs_products)(const permi_signs *signs, const uint64_t *count, int block,
                                                          const uint16_t *pattern, int patterns, int64_t *value,
                                                          int vectors, int fours)
{
  const uint64_t *own = count + signs->own_word[block], *add = signs->pattern[block] + signs->shared_words;
  const uint64_t rows = signs->own_rows[block];
  const __m256i codes = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)permi_signs_codes));
  const __m256i nibble = _mm256_set1_epi8(15);
  for (int k = 0; k < patterns; k++) {
    const uint64_t *word = add + pattern[k] * signs->width[block];
    uint64_t minus = 0, two = 0, four = 0, three = 0;
    for (int v = 0; v < vectors; v++) {
      const __m256i sum = _mm256_add_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(own + 4 * v)),
                                           _mm256_loadu_si256((const __m256i *)(const void *)(word + 4 * v)));
      const __m256i code = _mm256_shuffle_epi8(codes, sum & nibble);
      minus |= (uint64_t)(uint32_t)_mm256_movemask_epi8(code) << 32 * v;
      two |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(code, 7)) << 32 * v;
      three |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(code, 5)) << 32 * v;
      if (fours)
        four |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(code, 6)) << 32 * v;
    }
    const int twos = __builtin_popcountll(two & rows) + (fours ? 2 * __builtin_popcountll(four & rows) : 0);
    const int64_t sign = -(int64_t)(__builtin_popcountll(minus & rows) & 1);
    value[k] = ((signs->three[__builtin_popcountll(three & rows)] << twos) ^ sign) - sign;
  }
}

/* Returns v c modulo 2^64, |c| < 2^31. */
PERMI_TARGET PERMI_INLINE __m256i PERMI_NAME(signs_times)(__m256i v, __m256i c)
{
  const __m256i high = _mm256_srli_epi64(_mm256_add_epi64(v, _mm256_set1_epi64x(0x80000000)), 32);
  return _mm256_add_epi64(_mm256_mul_epi32(v, c), _mm256_slli_epi64(_mm256_mul_epu32(high, c), 32));
}
#endif

/* Sums over groups of block 1 their values times the products of shared rows, of counts u without block 1. */
PERMI_TARGET PERMI_INLINE int64_t PERMI_NAME(signs_partners)(permi_signs_walk *walk, const uint64_t *u, int groups,
                                                             int shared)
{
  const permi_signs *signs = walk->signs;
  int64_t sum = 0;
#if PERMI_WIDTH >= 4
  if (signs->by_table) { /* marks are 0 beyond the last row */
    const __m256i codes =
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)permi_signs_marks));
    const __m256i nibble = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
    __m256i sums = zero;
    for (int at = 0; at < groups; at += 4) {
      __m256i value = _mm256_loadu_si256((const __m256i *)(const void *)(walk->value[1] + at));
      for (int i = 0; i < shared; i++) {
        const __m256i count = _mm256_add_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(walk->word[i] + at)),
                                               _mm256_set1_epi64x((long long)u[i]));
        const __m256i dead = _mm256_cmpeq_epi8(count, _mm256_set1_epi64x((long long)signs->target[i]));
        const __m256i code = _mm256_shuffle_epi8(codes, count & nibble) &
                             _mm256_set1_epi64x((long long)signs->target_all[i]);
        const __m256i product = _mm256_i64gather_epi64((const long long *)(const void *)signs->product,
                                                       _mm256_sad_epu8(code, zero), 8);
        value = PERMI_NAME(signs_times)(value, product) & _mm256_cmpeq_epi64(dead, zero);
      }
      sums = _mm256_add_epi64(sums, value);
    }
    __m128i both = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return _mm_add_epi64(both, _mm_unpackhi_epi64(both, both))[0];
  }
#endif
  for (int at = 0; at < groups; at++) {
    uint64_t c[PERMI_SIGNS_WORDS], zeros = 0;
    for (int i = 0; i < shared; i++) {
      c[i] = u[i] + walk->word[i][at];
      zeros |= permi_signs_zeros(c[i] ^ signs->target[i]);
    }
    if (!zeros)
      sum += walk->value[1][at] * permi_signs_product(signs, (const unsigned char *)c, 0, signs->place[1]);
  }
  return sum;
}

/* Adds products of own rows over living patterns. Branches on patterns would be hard to predict. */
PERMI_TARGET PERMI_NEVER_INLINE static void PERMI_NAME(signs_group)(permi_signs_walk *walk,
                                                                    const permi_signs_frame *frame, int block)
{
  const permi_signs *signs = walk->signs;
  uint16_t *group = walk->group[block];
  int64_t *value = walk->value[block];
  const uint16_t *group_of = signs->group[block];
  uint16_t slot[1 << PERMI_SIGNS_BLOCK]; /* not used before it is written */
  uint16_t pattern[1 << PERMI_SIGNS_BLOCK];
  int64_t product[1 << PERMI_SIGNS_BLOCK];
  uint64_t seen[PERMI_SIGNS_WORDS] = {0, 0, 0, 0, 0, 0, 0, 0}, set[PERMI_SIGNS_WORDS];
  unsigned left = 0; /* words */
  int groups = 0, patterns = 0, k, w;
  for (w = 0; w < PERMI_SIGNS_WORDS; w++) {
    set[w] = frame->alive[block][w];
    left |= (unsigned)(set[w] != 0) << w;
  }
  while (left) {
    w = permi_trailing_zeros(left);
    pattern[patterns++] = (uint16_t)(w << 6 | permi_trailing_zeros(set[w]));
    set[w] &= set[w] - 1;
    left ^= (unsigned)!set[w] << w;
  }
  walk->counted[2] += (unsigned)patterns;
#if PERMI_WIDTH >= 4
  if (signs->by_table == 2 && signs->width[block] - signs->shared_words <= 4)
    PERMI_NAME(signs_products)(signs, frame->count, block, pattern, patterns, product, 1, 0);
  else if (signs->by_table)
    PERMI_NAME(signs_products)(signs, frame->count, block, pattern, patterns, product, 2, 1);
  else
#endif
    for (k = 0; k < patterns; k++)
      product[k] = permi_signs_own(signs, frame->count + signs->own_word[block], block,
                                   signs->pattern[block] + pattern[k] * signs->width[block] + signs->shared_words);
  for (k = 0; k < patterns; k++) {
    const int g = group_of[pattern[k]] >> 1, fresh = !(seen[g >> 6] >> (g & 63) & 1), at = fresh ? groups : slot[g];
    const int64_t minus = -(int64_t)(group_of[pattern[k]] & 1);
    seen[g >> 6] |= UINT64_C(1) << (g & 63);
    slot[g] = (uint16_t)at;
    group[at] = (uint16_t)g;
    value[at] = (product[k] ^ minus) - minus + (value[at] & -(int64_t)!fresh);
    groups += fresh;
  }
  for (k = 0; k < 3; k++)
    value[groups + k] = 0;
  walk->groups[block] = groups;
  walk->known[block] = 1;
}

PERMI_TARGET static void PERMI_NAME(signs_join)(permi_signs_walk *walk)
{
  const permi_signs *signs = walk->signs;
  const permi_signs_frame *frame = &walk->frame[signs->prefix];
  const int shared = signs->shared_words;
  permi_wide total = {0, 0};
  if (!walk->known[1]) {
    PERMI_NAME(signs_group)(walk, frame, 1);
    for (int i = 0; i < shared; i++)
      for (int g = 0; g < walk->groups[1]; g++)
        walk->word[i][g] = signs->group_word[1][walk->group[1][g] * shared + i];
  }
  if (!walk->known[0])
    PERMI_NAME(signs_group)(walk, frame, 0);
  walk->counted[1]++;
  walk->counted[3] += (uint64_t)(walk->groups[0] * walk->groups[1]);
  for (int g = 0; g < walk->groups[0]; g++) {
    const uint64_t *word = signs->group_word[0] + walk->group[0][g] * shared;
    uint64_t u[PERMI_SIGNS_WORDS];
    permi_wide sum;
    if (shared == 1) {
      u[0] = frame->count[0] + word[0];
      sum = permi_wide_of(PERMI_NAME(signs_partners)(walk, u, walk->groups[1], 1));
    } else {
      for (int i = 0; i < shared; i++)
        u[i] = frame->count[i] + word[i];
      sum = permi_wide_of(PERMI_NAME(signs_partners)(walk, u, walk->groups[1], shared));
    }
    permi_wide_add_product(&total, &sum, walk->value[0][g]);
  }
  permi_signs_total(walk, total);
}

PERMI_TARGET static void PERMI_NAME(signs_search)(permi_signs_walk *walk, int k)
{
  if (k == walk->signs->prefix) {
    if (walk->signs->narrow)
      PERMI_NAME(signs_join)(walk);
    else
      permi_signs_join_wide(walk);
    return;
  }
  if (PERMI_NAME(signs_advance)(walk, k, 0))
    PERMI_NAME(signs_search)(walk, k + 1);
  if (PERMI_NAME(signs_advance)(walk, k, 1))
    PERMI_NAME(signs_search)(walk, k + 1);
}

static const permi_signs_family PERMI_NAME(signs_family) = {PERMI_NAME(signs_advance), PERMI_NAME(signs_search)};

#undef PERMI_SIGNS_V
#undef PERMI_SIGNS_ADD
#undef PERMI_SIGNS_VECTORS
#undef PERMI_SIGNS_LOAD
#undef PERMI_SIGNS_STORE

#endif
#endif /* PERMI_FAMILY */

/* Copyright (c) 2026 the perm authors. SPDX-License-Identifier: MIT; its text stands at the end of perm.h. */
