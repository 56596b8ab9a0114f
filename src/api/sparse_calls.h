/* =================================================================================== >>sparse_calls
   Every public type and function. >>calls says what holds for all: threads, NULL, result. */
#pragma once
#include "sparse_config.h"
#include "types.h"

#define PERM_MATRIX_MAX_ROWS 16777216 /* a larger m is refused: row_start alone would take 128 MiB */

typedef enum perm_kind { PERM_KIND_PATTERN, PERM_KIND_INTEGER, PERM_KIND_REAL, PERM_KIND_COMPLEX,
                         PERM_KIND_MAKE_INT = 0x7fffffff } perm_kind;

/* An m x n matrix in compressed rows: the entries of row i are row_start[i] .. row_start[i + 1] - 1, columns ascend
   strictly in a row, no entry is zero. The values of a pattern are 1. The struct owns its arrays. All zero is a 0 x 0
   matrix. */
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

/* Of the options, functions that make a matrix heed allocator, max_bytes, max_seconds, cancel and progress; readers
   also format. *matrix is overwritten without being freed; on an error it is all zero. Zero entries are left out, a
   position given twice is refused. O(nnz) time and memory beyond the input. Thread-safe, unless setlocale is called at
   the same time. */

/* Reads a file, recognised by its bytes, never by its name; "-" is standard input. A first line that begins with
   %%MatrixMarket is a banner, "%%MatrixMarket matrix FORMAT FIELD SYMMETRY" in any case: coordinate or array; real,
   complex, integer or pattern; general, symmetric, skew-symmetric or hermitian (both triangles are returned). Comment
   (%) and blank lines anywhere after the first. What resembles a banner in a later line is refused.
   - npy: a file of numpy.save, versions 1 to 3: one array of two axes, by rows or columns, in either byte order, of
     bool (kind PATTERN), integers of 1 to 8 bytes, float of 4 or 8 and complex of 8 or 16; whole floats are INTEGER.
   - graph6: one line of graph6, sparse6 or digraph6, also below its header: the adjacency matrix. Several:
     perm_matrix_read_each; else refused.
   - dimacs: "p edge" or "p col" and lines e: the symmetric adjacency matrix, from edges once or all in both directions;
     "p asn", lines n (rows) and a: the bipartite matrix. A weight at the end of lines e or a is the entry.
   Else options->format decides. Lines that begin with # or % are comments; blanks, tabs or commas separate numbers (an
   array's line that has both blanks alone and a comma without blanks is refused: decimals need a point), or ';' alone
   if the first line has one; complex ones are a+bi, a-bi, bi or i without blanks inside, with j for i too,
   and in parentheses. A first line of names (a,b,"c d") above others is a header, left out; told in result->message. So
   is one that counts the n > 1 columns, from 0 or 1, above n rows, but not for array by name.
   - array: rows of numbers, as many in every row.
   - coordinate: a line "rows columns entries", then so many lines "row column [value]"; coordinate-complex: "row column
     real imaginary". Indices count from 1, or from 0 if one of them is 0.
   - edges: lines "row column [weight]", the 1s (or weights) of a matrix as large as the largest indices. They count
     from 0 if one of them is 0, from 1 if the smallest of both are 1; else refused.
   - auto (0): coordinates if the first line has three whole numbers that fit all lines below; else rows of numbers.
     Refused where both would do or neither quite does: coordinates of up to two entries that are rows of three numbers,
     or with more or fewer lines than announced; more than two rows of two integers, which may be edges; a file named
     .mtx without banner that is not coordinates.
   For graphs and, without a banner, coordinates and edges result->message tells how they were read.
   The kind is INTEGER if all numbers are integers of 64 bits, also as 2.0 or 1e3 and of a banner with field real;
   PATTERN if there are none; COMPLEX if one has an i, or two parts; else REAL. result->message tells if doubles round
   one that is an integer, or if one is beyond 64 bits.
   denominator, unless NULL: without a banner fractions a/b may stand among integers. Each row is multiplied by the
   least common multiple of its denominators (if m > n, by that of them all), and the permanent is that of *matrix (kind
   INTEGER) / *denominator, their product, not reduced; 1: there was none. Numerators and scaled entries have 64 bits,
   denominators are up to 2^53, else refused.
   Numbers are decimal, with a point in every locale, rounded to nearest. Refused: NaN, infinities, hexadecimal,
   magnitudes beyond double, non-zero numbers that round to 0, integers of an integer file beyond 64 bits, fractions
   a/b, packed files (.gz and others: the message says how to unpack). Lines end in LF or CR LF and may have any length.
   Memory is bounded by a multiple of the file's bytes plus 8 (m + 1), whatever sizes it declares. A waiting read (of a
   pipe) looks at the limits when a signal interrupts it.
   PERM_ERROR_FILE: "FILE: what failed: the system's reason". PERM_ERROR_FORMAT: "FILE:LINE: taken as FORMAT: what was
   found, what was expected", or of .npy "FILE: byte K: ...", from 0. */
PERM_SPARSE_API perm_status perm_matrix_read(const char *path, const perm_options *options, perm_matrix *matrix,
                                             perm_integer *denominator, perm_result *result);

/* The same from bytes in memory. name stands for the file in messages; NULL: "memory". */
PERM_SPARSE_API perm_status perm_matrix_read_memory(const char *text, size_t bytes, const char *name,
                                                    const perm_options *options, perm_matrix *matrix,
                                                    perm_result *result);

/* perm_matrix_read with a denominator for files of many graphs: each() gets one matrix after another, with its line (0:
   the file has one matrix); *result says how it was read. The matrix is each()'s, to be freed by perm_matrix_free; what
   each() returns ends the reading unless it is 0. max_seconds is of reading one matrix. An error ends it, too. */
typedef int (*perm_matrix_each)(perm_matrix *matrix, const perm_integer *denominator, unsigned long long line,
                                void *user_data);
PERM_SPARSE_API perm_status perm_matrix_read_each(const char *path, const perm_options *options,
                                                  perm_matrix_each each, void *user_data, perm_result *result);

/* Writes Matrix Market coordinate general, which reads back to the same bits; "-" is standard output. A file is
   replaced as a whole (>>files of perm.h). Open files by name (/dev/stdout, /dev/fd/3) and character devices are
   written directly; directories, FIFOs, other devices and symbolic links are refused. PERM_ERROR_FILE with the system's
   reason. O(nnz). Options cancel, max_seconds and progress. PERM_STOPPED_CANCELLED or _TIME: the file is unchanged;
   direct output ends anywhere. */
PERM_SPARSE_API perm_status perm_matrix_write(const char *path, const perm_matrix *matrix, const perm_options *options,
                                              perm_result *result);

/* From a row-major array with row stride ld >= n; kind REAL. a may be NULL when m or n is 0. O(m n). */
PERM_SPARSE_API perm_status perm_matrix_from_dense(int m, int n, const double *a, ptrdiff_t ld,
                                                   const perm_options *options, perm_matrix *matrix,
                                                   perm_result *result);

/* From nnz triplets in any order: entry t is at (row[t], column[t]), from 0. Values by kind: PATTERN none, INTEGER
   integer[], REAL real[], COMPLEX real[] and imaginary[]; the other arrays may be NULL. PERM_ERROR_RANGE: an index;
   PERM_ERROR_FORMAT: a position twice; messages number triplets from 0. */
PERM_SPARSE_API perm_status perm_matrix_from_triplets(int m, int n, size_t nnz, const int *row, const int *column,
                                                      const double *real, const double *imaginary,
                                                      const int64_t *integer, perm_kind kind,
                                                      const perm_options *options, perm_matrix *matrix,
                                                      perm_result *result);

/* A copy of compressed rows: those of row i are row_start[i] .. row_start[i + 1] - 1, columns in any order. Values as
   for triplets, errors too; messages number entries from 0. */
PERM_SPARSE_API perm_status perm_matrix_from_csr(int m, int n, const size_t *row_start, const int *column,
                                                 const double *real, const double *imaginary, const int64_t *integer,
                                                 perm_kind kind, const perm_options *options, perm_matrix *matrix,
                                                 perm_result *result);

/* The same without a copy: *matrix points to the caller's arrays, which must stay and are never written;
   perm_matrix_free leaves them. Refused unless they are as perm_matrix promises: columns that ascend in each row, no
   zeros; real may be NULL for INTEGER. O(nnz) time, no memory. */
PERM_SPARSE_API perm_status perm_matrix_borrow_csr(int m, int n, const size_t *row_start, const int *column,
                                                   const double *real, const double *imaginary, const int64_t *integer,
                                                   perm_kind kind, perm_matrix *matrix, perm_result *result);

/* From a list of edges: edge e is (ends[2 e], ends[2 e + 1]), row and column, from 0, with weight[e], or 1 if weight is
   NULL (kind PATTERN). undirected: the symmetric adjacency matrix, m = n; an edge may then stand there once or in both
   directions. Errors as for triplets. */
PERM_SPARSE_API perm_status perm_matrix_from_edges(int m, int n, size_t edges, const int *ends, const double *weight,
                                                   int undirected, const perm_options *options, perm_matrix *matrix,
                                                   perm_result *result);

/* Releases the arrays and zeroes the struct; NULL is fine. */
PERM_SPARSE_API void perm_matrix_free(perm_matrix *matrix);

/* The job of a sparse matrix: entries in no perfect matching are dropped, lines of degree 1 and 2 eliminated, the rest
   is split into blocks, a task or range each. Precision exact (Gaussian integers in complex matrices), or default for
   kinds pattern and integer (unless doubles are predicted to be over 5 times as fast and exact over ten seconds or over
   max_seconds; the result's message then says what exact takes): integers of as many words as the permanent can need;
   PERM_ERROR_OVERFLOW if a perm_integer may have fewer. options.modulus: exact, modulo it. PERM_ERROR_LIMIT: the
   prediction exceeds max_seconds, max_bytes or 512 frontier vertices; then *job may be what was planned until the
   refusal, to be freed: it has perm_job_offer and perm_job_explain, the leaves before it run, perm_job_finish refuses.
   PERM_STOPPED_CANCELLED or _TIME: stopped while
   planning, which reports progress with fraction 0; *job is NULL. */
PERM_SPARSE_API perm_status perm_sparse_job(const perm_matrix *matrix, const perm_options *options, perm_job **job,
                                            perm_result *result);

/* Permanent of a sparse matrix. Default precision takes doubles (with their error bound) if a perm_integer may be too
   short. Rectangular matrices (and the methods for them) become arrays of up to PERM_MAX_LINES rows and columns for the
   engines of perm.h. */
PERM_SPARSE_API perm_status perm_compute_sparse(const perm_matrix *matrix, const perm_options *options,
                                                perm_result *result);

/* What the structure tells before any engine runs. */
typedef struct perm_preparation {
  int m, n;
  size_t entries;
  int structural_rank;         /* largest matching; below min(m, n) the permanent is 0, and then */
  int hall_lines, hall_others; /* so many lines of the shorter side (rows, if square) have entries in only */
                                     /* so many of the other: Hall's condition fails. Else 0, 0 */
  int components;                  /* fully indecomposable blocks of the given matrix */
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

/* Prepares a matrix as perm_sparse_job does. Of a rectangular one only the structural rank (and the lines that limit
   it). O(nnz sqrt(n)) at worst, in practice linear. */
PERM_SPARSE_API perm_status perm_sparse_report(const perm_matrix *matrix, const perm_options *options,
                                               perm_preparation *report, perm_result *result);
/* SPDX-License-Identifier: MIT */
