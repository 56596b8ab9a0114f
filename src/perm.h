/* perm.h: exact permanents of matrices, as fast as the machine allows, with a bound or an estimate of the error.

   Header-only C99 (also C++11). In one source file:

       #define PERM_IMPLEMENTATION
       #include "perm.h"

   and elsewhere #include "perm.h". Needs libc and libm; OpenMP is optional:

       cc -O2 a.c -lm                  // or: cc -O2 -fopenmp a.c -lm

   COMPILERS  gcc, clang, MinGW-w64: vector kernels. Others, also clang-cl and Visual Studio's cl.exe: portable kernels,
   one thread below OpenMP 3.1. Not tested with cl.exe (docs/library.md).

   COMPILE TIME  About 20 s at -O2, 3 s at -O0: keep the implementation in a file that you rarely edit. In a program
   of one file, also #define PERM_STATIC: what is not called is left out, 6 s for perm_real.

   EXAMPLE
       double a[9] = {1,2,3, 4,5,6, 7,8,9};
       printf("%.17g\n", perm_real(3, a));                      // 450

   WHICH CALL
       perm_real, perm_complex      one matrix, one line, no options
       perm_compute_real, _complex  options in (perm_options options = {0}, in C++ {}: the defaults); value, exponent,
                                    bound and estimate out
       options.checkpoint           a file: a killed call continues when repeated
         .part, .merge              parts on any machines, merged by another call
       perm_job_real, ...           the job: what would be done, and for how long (perm_job_leaf, perm_job_explain)
       perm_job_*, perm_state_*     the same in pieces of your own
       perm_compute_integer         without rounding, modulo p; _gaussian: a + bi
       perm_compute_repeated_*      rows and columns with multiplicities
       perm_minors_*, _gradient_*   all minors of a row; derivatives by every entry
       perm_marginals_real          the chance of every pair in an assignment (JPDA)
       perm_batch_*, perm_select_*  many small matrices; many submatrices of one
       perm_sparse.h                sparse matrices, Matrix Market files
       perm_more.h                  estimates, random permutations, rook numbers, low rank, Cauchy matrices, pictures

   PRECISION (options.precision)    time (complex)   error about (times sum |terms|)    guaranteed bound
       default                       1     (1)       n u, u = 2^-53                     where it costs next to nothing:
                                                                                       ones, signs, small integers;
                                                                                       n <= 16, some digits weaker than
                                                                                       with certify
       default with certify          2.98  (2.69)    n u                                always
       dd                            8.14  (17.35)   n u^2                              always, but by glynn and ryser
   Times: n = 24, docs/figures.md. With certify, method auto takes dd up to n = 12, where that costs no more. Real
   matrices without negative entries take the time of default from n = 24 or so on (>>bounds 8).
   Escalation: a poor estimate is computed again in the next precision if that is predicted to take under a second, or,
   with options.tolerance, while options.max_seconds allows; if that is stopped, the first result stands. With
   checkpoints and parts a tolerance chooses the precision beforehand (default if n u e^(n/2) is below it, else dd), and
   only what takes under a second is computed again.

   GUARANTEES
     - `error_bound` is a proven bound or INFINITY. `error_estimate` is not: climbing towards large errors finds none
       above ten estimates (the worst 7) among a million results (tests/attack/climb.c).
     - The result of one plan has the same bits for any number of threads, splits and interruptions.
     - A checkpoint is whole or refused, whatever fails; resumed work gives the bits of a single run.
     - No finite input gives NaN, Inf or a crash. The exponent is separate, so nothing overflows.
     - A thread's rounding mode and flush-to-zero change no promise (and no bits, but of perm_real and perm_complex) and
       are as before after a call. Callbacks see the default.
     - No globals but a cache of processor features; no printing, signals or environment variables.
     - Compiled with optimisation (-O1 and up), every engine runs on a stack of 64 KiB, also in OpenMP's threads
       (OMP_STACKSIZE); other memory comes from options.allocator, which max_bytes limits.
     - One thing is not ours: GCC's and LLVM's OpenMP end the process when they cannot start a thread (ulimit -u,
       ulimit -v, a cgroup's pids.max). There, try pthread_create first, or set threads to 1.

   COST  n 2^(n-1) elements of about 1.5 floating-point operations: n = 20 under a millisecond, n = 30 about a second.
   Complex: three times that. Small exact integers: the same or less.

   LIMITS  Square matrices to n = 64 (more with equal lines or of rank 4 or less), rectangular ones while the shorter
   side is below about 30.

   CONTENTS  Each tag is a room: a file of src/ in the folder before it, and a tag to search for here. Sparse matrices
   (hybrid among them), files: perm_sparse.h. Estimates, samples and the like: perm_more.h. GPU kernels: perm_cuda.cu.
   MPI: perm_mpi.c. Proofs: search THE BOUND.
     api/            >>config          macros that a project may define
                     >>types           options, result, partial
                     >>calls           the public functions
     base/           >>platform        compilers, threads, clock
                     >>prices          the planner's prices (a dense kernel's rate: dense/kernels.h)
                     >>environment     rounding mode, flush-to-zero
                     >>memory          allocation, max_bytes, messages
                     >>doubles         double-double
                     >>integers        integers of any size, the associative sum
                     >>numbers         a number in a job's expression
                     >>ring            values of the engines and their operations
                     >>cpu             CPUID
                     >>files           a file replaced whole
                     >>names           texts; perm_layout
     job/            >>control         cancel, time limit, progress
                     >>options         their check; is a result as good as they ask?
                     >>job             leaves, expression, merge of partials
                     >>state           finished chunks, merge of states
                     >>parallel        the loop over threads
                     >>problem         the array of a call
                     >>checkpoint      the file format
     gpu/            >>contract        what plans of GPUs are
     dense/          >>kernels         the interface of dense kernels, their table; readings for AVX-512, AVX2, NEON
                     >>small           n <= 16 in one call, with bound and estimate
                     >>plain           scalar engines
                     >>scale           scaling by powers of two
                     >>dense           Glynn's sum in blocks, Gray code; what a public call may link
                     >>gpu             plans of dense sums on GPUs; what perm.h asks of perm_cuda.cu
                     >>plan            what fixes the bits; its price
                     >>bounds          the estimate; the bound: proof of certify; a plan's leaf
                     >>dense_kernels   Glynn's row loops: PERMI_INSTANCE(glynn_real, ...) is permi_glynn_real_avx512
                     >>small_kernels   n <= 16
     exact/          >>residues        Montgomery products, primes, Chinese remainders
                     >>exact           integers, residues
                     >>limbs           tables of their vector kernels (proof: docs/proofs-rounding.md)
                     >>small_exact     n <= 16 in one call
                     >>exact_device    plans on GPUs
                     >>limb_kernels    limbs in doubles, real and Gaussian
                     >>exact_kernels   integers: limbs, IFMA
     multiplicities/ >>counts          multiplicities, rectangular matrices; the engine, its price
                     >>subsets         dynamic program over subsets; values beyond double
                     >>sign_sums       Glynn's sum: n-ary Gray code
                     >>counts_leaf     scaling, error, the leaf
                     >>counts_kernels  counts
     plan/           >>check           finite entries, sizes, strides
                     >>run             perm_job_execute: limits; permi_begin reads and merges checkpoints
                     >>engine          the interface of every engine; the choice
                     >>rank            rank 4 or less, recognised; primes, Chinese remainders
                     >>offers          the engines for arrays
                     >>entries         the reach of every public call
                     >>judge           escalation
                     >>compute         perm_compute_*, perm_job_*
     minors/         >>minors          minors, derivatives, gradient; non-negative matrices without cancellation
                     >>minors_dense    the same by vector kernels; at once, n <= 16
                     >>minors_calls    perm_minors_*, perm_gradient_*
                     >>minors_kernels  minors
     batch/          >>batch           perm_batch_*, perm_select_*
                     >>batch_kernels   batches
     kernels/        >>vocabulary      LOAD, STORE, FMA of an instruction set
                     >>arithmetic      products of parts
                     >>vocabulary_end  forgets the words

   TO ADD (paths in src/; after the bar, tests)
     a dense kernel        dense/dense_kernels.h: its PERMI_INSTANCE; dense/kernels.h: its line in permi_kernels_real
                           or _complex | t_dense.c, t_cpu.c, compile/run.sh (spills)
     an instruction set    api/types.h: perm_isa; base/names.h: its name; base/cpu.h: when it is there;
                           kernels/vocabulary.h: its words; dense/kernels.h, graph/vectors.h: its reading; then
                           wherever `grep -rinE 'avx|neon|PERM_ISA_|PERMI_WIDTH' src` finds one. Its place in perm_isa:
                           a family runs kernels of lower numbers, checkpoints keep the number | t_cpu.c, isa.sh,
                           `make golden`
     a dense engine        api/types.h: the end of PERM_METHOD_LIST (checkpoints keep the numbers);
                           job/options.h: permi_method_is_sparse; dense/plan.h: its plan, permi_plan_refusal;
                           dense/bounds.h: leaf, bound, estimate, permi_next_precision; scalar ones in dense/plain.h;
                           sparse/sparse_job.h: beside PERM_METHOD_GLYNN; examples/python/perm.py | t_engines.c, climb.h
     engines for arrays    plan/offers.h: offer and make as in plan/engine.h, and its line in
     (integers, counts)    PERMI_ARRAY_ENGINES, also for blocks | t_engines.c, t_counts_rectangular.c
     a sparse engine       its room, with least, offer, make, release as in plan/engine.h; sparse/choose.h: its line in
                           permi_engines; api/types.h: the end of PERM_METHOD_LIST; dense/bounds.h:
                           permi_next_precision; METHOD in perm_sparse.h; examples/python/perm.py
                           | wherever `grep -rn METHOD_TRANSVERSALS tests` ends a range
     a price               base/prices.h, with unit, machine and date
     a value type          base/ring.h: permi_algebra, permi_value_add; frontier/values.h; over counts:
     a file format         its room; formats/read.h: its line in permi_formats; api/types.h: PERM_FORMAT_LIST
                           | t_formats.c, `make fuzz`
     a GPU kernel          gpu/text.h: the table of kernels, and its text; gpu/works.h: what it is given, filled in by a
                           room like exact/exact_gpu.h; dense/gpu.h, graph/device.h: what engines ask for;
                           gpu/compile.h: its key; tests/cuda/twin.cu: its twin on the CPU | cuda/run.sh
     a room                its file; its #include and its line above | `make headers check-rooms`, headers.sh

   REFERENCES
     [FBS83] T. E. Fortmann, Y. Bar-Shalom, M. Scheffe, IEEE J. Oceanic Eng. 8 (1983) 173-184: association by chances.
     [Sin64] R. Sinkhorn, Ann. Math. Statist. 35 (1964) 876-879: scaling to double stochasticity.
     [Gly10] D. G. Glynn, European J. Combin. 31 (2010) 1887-1891.
     [NW78]  A. Nijenhuis, H. S. Wilf, Combinatorial Algorithms, 2nd ed., 1978, chapter 23.
     [Bre73] L. M. Bregman, Soviet Math. Dokl. 14 (1973) 945-949: permanents of 0/1 matrices by row sums.
     [Rys63] H. J. Ryser, Combinatorial Mathematics, Carus Monographs 14, 1963.
     [DK01]  I. S. Duff, J. Koster, SIAM J. Matrix Anal. Appl. 22 (2001) 973-996: large entries to the diagonal.
     [JV87]  R. Jonker, A. Volgenant, Computing 38 (1987) 325-340: linear assignment.
     [Hig02] N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002.
     [CH18]  S. Chin, J. Huh, Scientific Reports 8 (2018) 6101: Glynn's sum over multiplicities.
     [MRA]   C. Masschelein, M. Richer, P. W. Ayers, arXiv:2510.03421 (2025): rectangular matrices.
     [Dek71] T. J. Dekker, Numer. Math. 18 (1971) 224-242: the rest of a product.
     [BGM17] S. Boldo, S. Graillat, J.-M. Muller, ACM Trans. Math. Software 44 (2017): Fast2Sum is exact when a is a
             whole number of units of the last place of b.
     [CLL06] E. Carlen, E. H. Lieb, M. Loss, Methods Appl. Anal. 13 (2006) 1-17: an inequality of Hadamard type.
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
#if defined(__NVCC__) /* warns of gcc's pragmas */
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675, 128, 550
#endif
#include "base/platform.h"
#include "base/prices.h"
#include "base/environment.h"
#include "base/memory.h"
#include "base/doubles.h"
#include "base/integers.h"
#include "base/numbers.h"
#include "base/ring.h"
#include "base/cpu.h"
#include "base/files.h"
PERMI_BRIEF_BEGIN
#include "base/names.h"
PERMI_BRIEF_END

#include "job/control.h"
#include "job/options.h"
#include "job/job.h"
#include "job/state.h"
#include "job/parallel.h"
#include "job/problem.h"
PERMI_BRIEF_BEGIN
#include "job/checkpoint.h"

#include "gpu/contract.h"
PERMI_BRIEF_END

#include "dense/kernels.h"
#include "dense/small.h"
#include "dense/plain.h"
#include "dense/scale.h"
#include "dense/dense.h"
PERMI_BRIEF_BEGIN
#include "dense/gpu.h"
PERMI_BRIEF_END
#include "dense/plan.h"
#include "dense/bounds.h"

#include "exact/residues.h"
#include "exact/exact.h"
#include "exact/limbs.h"
#include "exact/small_exact.h"
PERMI_BRIEF_BEGIN
#include "exact/exact_device.h"
PERMI_BRIEF_END

#include "multiplicities/counts.h"
PERMI_BRIEF_BEGIN
#include "multiplicities/subsets.h"
#include "multiplicities/sign_sums.h"
#include "multiplicities/counts_leaf.h"
PERMI_BRIEF_END

#include "plan/check.h"
#include "plan/run.h"
#include "plan/engine.h"
#include "plan/rank.h"
#include "plan/offers.h"
#include "plan/entries.h"
#include "plan/judge.h"
#include "plan/compute.h"

#include "minors/minors.h"
#include "minors/minors_dense.h"
PERMI_BRIEF_BEGIN
#include "minors/minors_calls.h"
PERMI_BRIEF_END

#include "batch/batch.h"

PERMI_BRIEF_BEGIN
#if defined(PERM_WITH_CUDA)
#define PERMI_CUDA_HOST 1
#include PERM_CUDA_FILE
#undef PERMI_CUDA_HOST
#endif
PERMI_BRIEF_END

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif
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
#include "dense/dense_kernels.h"
#include "dense/small_kernels.h"
PERMI_BRIEF_BEGIN
#include "exact/limb_kernels.h"
#include "exact/exact_kernels.h"
#include "minors/minors_kernels.h"
PERMI_BRIEF_END
#include "batch/batch_kernels.h"
PERMI_BRIEF_BEGIN
#include "multiplicities/counts_kernels.h"
PERMI_BRIEF_END
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

/* MIT License; SPDX-License-Identifier: MIT

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
