/* =================================================================================== >>sparse_calls
   Every public type and function. >>calls says what holds for all. */
#pragma once
#include "sparse_config.h"
#include "types.h"

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
/* SPDX-License-Identifier: MIT */
