/* perm.h: exact permanents of matrices, as fast as the machine allows and with the digits that are known.

   Header-only C99 (also C++11). In one source file:

       #define PERM_IMPLEMENTATION
       #include "perm.h"

   and anywhere else just #include "perm.h". Needs libc and libm; uses OpenMP when compiled with it:

       cc -O2 a.c -lm                  // or: cc -O2 -fopenmp a.c -lm

   The file with the implementation takes about 10 s to compile at -O2 and 2 s at -O0, those without it no time: keep
   it apart from what you edit. #define PERM_STATIC before it makes every function private to that file, and leaves out
   what the file does not call: about 4 s for perm_real.

   CONTENTS (search for the tag; each tag is a file of src/, in the folder that its line names)
     api        >>config >>types >>calls
                what a project may define; every public type and function
     base       >>platform >>prices >>memory >>doubles >>integers >>numbers >>cpu >>files
                compilers and clock, checked memory, double-double and exactly associative sums, files replaced whole
     job        >>control >>job >>state >>parallel >>options >>checkpoint
                whether a call may go on; leaves and the expression over them; what is finished, in memory and on disk
     gpu        >>contract
                what perm.h and perm_cuda.cu tell each other
     dense      >>dispatch >>kernels >>reach >>small >>plain >>scale >>dense >>gpu >>plan >>rounding >>bounds >>minors
                >>minors_dense
                Glynn's sum in blocks, for n <= 12 in one call; its plan, bound and estimate; GPUs; minors
     exact      >>exact >>limbs >>exact_gpu
                integers and Gaussian integers without rounding, and permanents modulo p
     counts     >>counts >>ring >>subsets >>sign_sums >>counts_choice >>counts_scale >>counts_gpu >>counts_leaf
                multiplicities and rectangular matrices: equal lines merged, a dynamic program, sums over signs
     solve      >>check >>names >>run >>offers >>entries >>judge >>counted >>compute >>minors_calls >>batch
                the public functions: check, plan, run, judge; many small matrices at once
     structure  >>low_rank >>cauchy >>estimate
                declared low rank; Cauchy matrices by Borchardt's identity; random samples with a standard error
     kernels    >>vocabulary >>arithmetic >>dense_kernels >>small_kernels >>exact_kernels >>minors_kernels
                >>batch_kernels >>counts_kernels >>vocabulary_end
                the kernels, read once for each instruction set

   TO ADD (paths in src/)
     a dense kernel        kernels/dense_kernels.h: a form in the row loops, and its PERMI_INSTANCE; dense/kernels.h:
                           its line in permi_kernels_real or _complex. Test with tests/t_dense.c, tests/t_isa.c,
                           tests/compile/run.sh (spills)
     an instruction set    api/types.h: perm_isa; base/cpu.h: when it is there; kernels/vocabulary.h: its words;
                           dense/kernels.h: its reading of the kernels and its lines in the tables; the same in
                           signs/hybrid.h for sparse matrices. Test with tests/isa.sh and `make golden`
     a dense method        api/types.h: PERM_METHOD_LIST; dense/plan.h: its plan; dense/bounds.h: its leaf, bound and
                           estimate; dense/plain.h has the scalar ones. Test with tests/t_engines.c, tests/climb.c
     an engine for arrays  solve/offers.h: offer, make and its line in permi_array_engines. Test with
                           tests/t_engines.c, tests/t_rectangular.c
     a price               base/prices.h: every stored prediction, with its unit and where it was measured
     a sparse engine       a room of its own with offer, make and release, as block/engines.h describes them;
                           sparse/choose.h: its line in permi_engines. Test with tests/t_engines.c, tests/t_sparse.c
     a value type          frontier/values.h: permi_algebra and permi_value_add; for sums over counts counts/ring.h.
                           Test with tests/t_lists.c, tests/t_arrays.c, tests/t_repeats.c
     a file format         api/types.h: PERM_FORMAT_LIST; matrix/plain_text.h: permi_recognise. Test with
                           tests/t_io.c, `make fuzz`
     a GPU kernel          gpu/text*.h: its text; gpu/contract.h: its tables, filled by dense/gpu.h, exact/exact_gpu.h
                           or frontier/arrays_gpu.h; gpu/compile.h: its key; tests/cuda/twin.cu: the same on the
                           CPU. Test with tests/cuda/run.sh
     a room                its file, and its #include in src/perm.h or src/perm_sparse.h; `make headers check-rooms`

   EXAMPLE
       double a[9] = {1,2,3, 4,5,6, 7,8,9};
       printf("%.17g\n", perm_real(3, a));                      // 450

   WHICH CALL
       perm_real, perm_complex      one matrix, one line, no options
       perm_compute_real, _complex  options in; value, exponent, error bound and estimate out
       perm_plan_real, _complex     what would be done, and how long it would take
       options.checkpoint           any single permanent, killed when you like: the same call goes on from the file
         .part, .merge              the same in parts, each a call of its own anywhere, put together by another call
       perm_job_*, perm_state_*     the same work in pieces of your own: ranges, what is finished, files (>>checkpoint)
       perm_compute_integer         without rounding, results of any size, modulo p; _gaussian: a + bi
       perm_compute_repeated_*      rows and columns with multiplicities
       perm_minors_*, _gradient_*   all minors of a row; derivatives by every entry
       perm_batch_*, perm_select_*  many small matrices; many submatrices of one
       perm_compute_low_rank_*, _cauchy_*   given as two thin factors, or by nodes
       perm_estimate_*              samples with a standard error, where nothing else will finish
       perm_sparse.h                sparse matrices, Matrix Market files

   PRECISION (options.precision)    time (complex)   error about (times sum |terms|)    guaranteed bound
       fast, default                 1     (1)       n u, u = 2^-53                     where it costs next to nothing:
                                                                                       ones, signs, small integers;
                                                                                       n to 11 (12) with AVX-512, 10
                                                                                       (11) with AVX2, 8 (8) portable
       default with certify          2.6   (2.1)     n u                                always
       accurate                      4.3   (9)       n^2 u^2                            no (with certify: as dd)
       dd                            8.7   (14)      n u^2                              always, but by glynn and ryser
   A result whose estimate is poor is computed again in the next precision when that is predicted to take under a
   second, or, when options.tolerance asks for it, while options.max_seconds allows. With a checkpoint or parts, which
   keep one job, a tolerance plans at once what it is expected to need, and nothing that takes over a second is run
   again: the default where n u e^(n/2) is below the tolerance, else accurate or dd.

   GUARANTEES
     - `error_bound` is a proven bound or INFINITY. `error_estimate` is an estimate: `make check-soundness` searches
       a million results for errors of more than ten estimates, by climbing towards them, and finds none.
     - The result of one plan has the same bits for any number of threads, splits and interruptions.
     - A checkpoint is whole or refused, whatever fails or is killed; resumed work gives the bits of a single run.
     - No finite input gives NaN, Inf or a crash. The exponent is separate, so nothing overflows.
     - No globals but a cache of processor features; no printing, signals or environment variables.
     - Compiled with optimisation (-O1 and up), every engine runs on a stack of 64 KiB, of OpenMP's threads too
       (OMP_STACKSIZE); what is larger comes from options.allocator, which max_bytes limits.
     - One thing is not ours: GCC's OpenMP ends the process when it cannot start a thread (ulimit -u, ulimit -v, a
       cgroup's pids.max), and so does LLVM's. Where that may be, try pthread_create first, or set threads to 1.

   COST  n 2^(n-1) elements, about 1.5 floating-point operations each: n = 20 well under a millisecond,
   n = 30 around a second, each further column twice the time and a little more. Complex: three times that.

   Exact integers cost the same or less while entries are small; see perm_compute_integer.

   LIMITS of this version: square matrices to n = 64 (more where rows or columns are equal), rectangular ones while the
   shorter side is below about 30. This header does not do sparse structure (perm_sparse.h does).

   REFERENCES
     [Bar96] A. I. Barvinok, Two algorithmic results for the traveling salesman problem, Math. Oper. Res. 21 (1996)
             65-84: permanents of matrices of fixed rank.
     [Gur05] L. Gurvits, On the complexity of mixed discriminants and related problems, MFCS 2005, LNCS 3618, 447-458.
     [Sin64] R. Sinkhorn, Ann. Math. Statist. 35 (1964) 876-879: scaling to double stochasticity.
     [SB99]  I. Beichl, F. Sullivan, Approximating the permanent via importance sampling with application to the dimer
             covering problem, J. Comput. Phys. 149 (1999) 128-147.
     [Bor55] C. W. Borchardt, Bestimmung der symmetrischen Verbindungen vermittelst ihrer erzeugenden Function,
             J. reine angew. Math. 53 (1855) 193-198.
     [Gly10] D. G. Glynn, The permanent of a square matrix, European J. Combin. 31 (2010) 1887-1891.
     [NW78]  A. Nijenhuis, H. S. Wilf, Combinatorial Algorithms, 2nd ed., 1978, chapter 23.
     [Rys63] H. J. Ryser, Combinatorial Mathematics, Carus Monographs 14, 1963.
     [DK01]  I. S. Duff, J. Koster, On algorithms for permuting large entries to the diagonal of a sparse matrix,
             SIAM J. Matrix Anal. Appl. 22 (2001) 973-996.
     [JV87]  R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment
             problems, Computing 38 (1987) 325-340.
     [Hig02] N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002.
     [Gra09] S. Graillat, Accurate floating-point product and exponentiation, IEEE Trans. Computers 58 (2009) 994-1000.
     [CH18]  S. Chin, J. Huh, Generalized concurrence in boson sampling, Scientific Reports 8 (2018) 6101.
     [MRA]   C. Masschelein, M. Richer, P. W. Ayers, Optimizing and benchmarking the computation of the permanent of
             general matrices: rectangular ones.
     [BGM17] S. Boldo, S. Graillat, J.-M. Muller, On the robustness of the 2Sum and Fast2Sum algorithms, ACM Trans.
             Math. Software 44 (2017): Fast2Sum is exact when a is a whole number of units of the last place of b.
     [CLL06] E. Carlen, E. H. Lieb, M. Loss, An inequality of Hadamard type for permanents, Methods Appl. Anal. 13
             (2006) 1-17.
     [Kul13] U. Kulisch, Computer Arithmetic and Validity, 2nd ed., 2013: exact sums in a long fixed-point word.
*/
#ifndef PERMI_FAMILY /* the header; a pass of the self-included text skips to the kernels */
#ifndef PERM_PERMANENT_H_INCLUDED
#define PERM_PERMANENT_H_INCLUDED

#include "api/config.h"
#include "api/types.h"
#include "api/calls.h"
#endif /* PERM_PERMANENT_H_INCLUDED */
#ifdef PERM_IMPLEMENTATION
#ifndef PERM_PERMANENT_IMPLEMENTED
#define PERM_PERMANENT_IMPLEMENTED
/* gcc 12 warns of its own AVX-512 intrinsics */
#if defined(__cplusplus) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "base/platform.h"
#include "base/prices.h"
#include "base/memory.h"
#include "base/doubles.h"
#include "base/integers.h"
#include "base/numbers.h"
#include "base/cpu.h"
#include "base/files.h"

#include "job/control.h"
#include "job/job.h"
#include "job/state.h"
#include "job/parallel.h"
PERMI_BRIEF_BEGIN
#include "job/options.h"
#include "job/checkpoint.h"

#include "gpu/contract.h"
PERMI_BRIEF_END

#include "dense/dispatch.h"
#include "dense/kernels.h"
#include "dense/reach.h"
#include "dense/small.h"
#include "dense/plain.h"
#include "dense/scale.h"
#include "dense/dense.h"
PERMI_BRIEF_BEGIN
#include "dense/gpu.h"
PERMI_BRIEF_END
#include "dense/plan.h"
#include "dense/rounding.h"
#include "dense/bounds.h"
#include "dense/minors.h"
#include "dense/minors_dense.h"

#include "exact/exact.h"
#include "exact/limbs.h"
PERMI_BRIEF_BEGIN
#include "exact/exact_gpu.h"
PERMI_BRIEF_END

#include "counts/counts.h"
#include "counts/ring.h"
#include "counts/subsets.h"
#include "counts/sign_sums.h"
PERMI_BRIEF_BEGIN
#include "counts/counts_choice.h"
#include "counts/counts_scale.h"
#include "counts/counts_gpu.h"
#include "counts/counts_leaf.h"
PERMI_BRIEF_END

#include "solve/check.h"
#include "solve/names.h"
#include "solve/run.h"
#include "solve/offers.h"
#include "solve/entries.h"
#include "solve/judge.h"
#include "solve/counted.h"
#include "solve/compute.h"
PERMI_BRIEF_BEGIN
#include "solve/minors_calls.h"
PERMI_BRIEF_END
#include "solve/batch.h"

#include "structure/low_rank.h"
#include "structure/cauchy.h"
#include "structure/estimate.h"

#if defined(__cplusplus) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif /* PERM_PERMANENT_IMPLEMENTED */
#endif /* PERM_IMPLEMENTATION */

#else /* a family */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion" /* at -O0 gcc's _mm512_range_pd is a macro, which warns */
#endif
#include "kernels/vocabulary.h"
#if defined(PERMI_FAMILY_TEXT) /* kernels of another header in these words */
#include PERMI_FAMILY_TEXT
#else
#include "kernels/arithmetic.h"
#include "kernels/dense_kernels.h"
#include "kernels/small_kernels.h"
#include "kernels/exact_kernels.h"
#include "kernels/minors_kernels.h"
#include "kernels/batch_kernels.h"
#include "kernels/counts_kernels.h"
#endif
#include "kernels/vocabulary_end.h"
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif /* PERMI_FAMILY */

/* So many lines leave gcc no columns to judge indentation by, and it notes that, in whatever code, unless it has seen a
   #line; the number does not matter: nothing follows. */
#if defined(__GNUC__) && !defined(__clang__)
#line 1
#endif

/* MIT License

   Copyright (c) 2026 the perm authors

   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
   documentation files (the "Software"), to deal in the Software without restriction, including without limitation
   the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and
   to permit persons to whom the Software is furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all copies or substantial portions of
   the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO
   THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
   AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
   CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
   DEALINGS IN THE SOFTWARE. */
