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

#include "api/sparse_config.h"
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

#include "api/sparse_calls.h"
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
#include "matrix/matrix.h"
PERMI_BRIEF_BEGIN
#include "formats/market.h"
#include "formats/plain_text.h"
#include "formats/numpy.h"
#include "formats/graph.h"
#include "formats/read.h"
PERMI_BRIEF_END

#include "graph/split.h"
#include "graph/reduce.h"
#include "graph/walk.h"
#include "graph/order.h"
#include "graph/engines.h"
#include "graph/vectors.h"
PERMI_BRIEF_BEGIN
#include "graph/primes.h"
#include "graph/device.h"
PERMI_BRIEF_END

#include "frontier/values.h"
#include "frontier/frontier.h"
#include "frontier/steps.h"
#include "frontier/arrays.h"
#include "frontier/arrays_run.h"

#include "tree/tree.h"
#include "tree/tree_order.h"
#include "tree/tree_build.h"

#include "band/band.h"
PERMI_BRIEF_BEGIN
#include "band/band_order.h"
PERMI_BRIEF_END

#include "twins/classes.h"
#include "twins/classes_run.h"
#include "twins/classes_order.h"

#include "hybrid/hybrid_layout.h"
PERMI_BRIEF_BEGIN
#include "hybrid/hybrid_program.h"
#include "hybrid/hybrid_leaf.h"
#include "hybrid/hybrid_residues.h"
#include "hybrid/hybrid_offer.h"

#include "sign_search/signs.h"
PERMI_BRIEF_END
#include "sign_search/signs_order.h"
PERMI_BRIEF_BEGIN
#include "sign_search/signs_offer.h"
PERMI_BRIEF_END

#include "reference/sorting.h"
#include "reference/transversals.h"
#include "reference/sparyser.h"
PERMI_BRIEF_BEGIN
#include "reference/decompose.h"

#include "planar/kasteleyn.h"
#include "planar/dissection.h"
PERMI_BRIEF_END
#include "planar/fronts.h"
PERMI_BRIEF_BEGIN
#include "planar/planar.h"

#include "sparse/frontier_offer.h"
#include "sparse/choose.h"
#include "sparse/sparse.h"

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
#include "frontier/array_kernels.h"
#include "hybrid/hybrid_kernels.h"
#include "sign_search/signs_kernels.h"
#endif
#endif /* PERMI_FAMILY */

/* Copyright (c) 2026 the perm authors. SPDX-License-Identifier: MIT; its text stands at the end of perm.h. */
