/* perm.h: exact permanents of matrices, as fast as the machine allows, with a bound or an estimate of the error.

   Header-only C99 (also C++11). In one source file:

       #define PERM_IMPLEMENTATION
       #include "perm.h"

   and elsewhere #include "perm.h". Needs libc and libm; OpenMP is optional:

       cc -O2 a.c -lm                  // or: cc -O2 -fopenmp a.c -lm

   COMPILERS  gcc, clang, MinGW-w64: vector kernels. Others: portable kernels, one thread below OpenMP 3.1
   (docs/library.md). About 14 s at -O2, 2 s at -O0: give the implementation a file of its own. PERM_STATIC leaves out
   what is not called: 5 s for perm_real alone.

   EXAMPLE
       double a[9] = {1,2,3, 4,5,6, 7,8,9};
       printf("%.17g\n", perm_real(3, a));                      // 450

   WHICH CALL
       perm_real, perm_complex      one matrix, no options
       perm_compute_real, _complex  options in (perm_options options = {0}, in C++ {}); value, exponent, bound, estimate
       options.checkpoint           a file: a killed call continues when repeated
         .part, .merge              parts on any machines, merged by another call
       perm_job_real, ...           what would be done, and for how long (perm_job_leaf, perm_job_explain)
       perm_job_*, perm_state_*     a job in pieces of your own
       perm_compute_integer         without rounding, modulo p; _gaussian: a + bi
       perm_compute_repeated_*      rows and columns with multiplicities
       perm_minors_*, _gradient_*   all minors of a row; derivatives by every entry
       perm_marginals_real          the probability of every pair in an assignment (JPDA)
       perm_batch_*, perm_select_*  many small matrices; many submatrices of one
       perm_workspace_create        an allocator that keeps memory from call to call
       perm_sparse.h                sparse matrices, files
       perm_more.h                  estimates, samples, rook numbers, low rank, Cauchy matrices, proofs, pictures

   PRECISION (options.precision)    time (complex)   error about (times sum |terms|)    guaranteed bound
       default                       1     (1)       n u, u = 2^-53                     if free: 1, +-1, small integers;
                                                                                       n <= 16, looser (1e-6)
       default with certify          2.98  (2.69)    n u                                always
       dd                            8.14  (17.35)   n u^2                              always, except glynn and ryser
   Times: n = 24, docs/figures.md. With certify, method auto takes dd up to n = 12, where it is as fast. Certified real
   matrices without negative entries take the time of default from about n = 24 (>>bounds 8).
   Escalation: if the estimated error is too large, the next precision follows, if predicted to take less than a second
   or, with options.tolerance, to fit into options.max_seconds. If that is stopped, the first result stands. A job with
   a checkpoint or parts chooses its precision once, by its tolerance: default if n u e^(n/2) is below it, else dd; one
   of less than a second may be repeated.

   GUARANTEES
     - `error_bound` is a proven bound or INFINITY. `error_estimate` is no bound: the worst of a million results of a
       search for large errors (tests/attack/climb.c) was off by 7 estimates.
     - The result of one plan has the same bits for any number of threads, splits and interruptions.
     - A checkpoint is whole or refused, whatever fails.
     - No finite input gives NaN, Inf (as a finished value) or a crash. The exponent is separate, so nothing overflows.
     - A thread's rounding mode and flush-to-zero change no promise (bits only of perm_real and perm_complex) and are
       restored. Callbacks see the default.
     - No globals but a cache of processor features; no printing, signals or environment variables.
     - Compiled with -O1 and up, every engine runs on a stack of 64 KiB, also in OpenMP's threads
       (OMP_STACKSIZE). Other memory comes from options.allocator, which max_bytes limits.
     - Known limitation: the OpenMP of gcc and clang ends the process if it cannot start a thread (ulimit -u, -v, a
       cgroup's pids.max). There set threads to 1.

   COST  n 2^(n-1) elements of about 1.5 floating-point operations: n = 20 under a millisecond, n = 30 about a second.
   Complex: three times that. Small exact integers: no more.
   LIMITS  Square matrices to n = 64 (more with equal lines); rectangular ones with a shorter side below about 30.

   CONTENTS  Each tag names a room, src/FOLDER/TAG.h: search for it here. GPU kernels: perm_cuda.cu. MPI: perm_mpi.c.
   Proofs: search THE BOUND; steps: docs/proofs-rounding.md. Measurements: docs/engines.md. To add something:
   docs/CONTRIBUTING.md.
     api/            >>config, >>types, >>calls: macros, types, functions
     base/           >>platform, >>prices, >>memory, >>doubles, >>integers, >>ring, >>cpu, >>files, >>names
     job/            >>control, >>job, >>state (merging), >>problem, >>checkpoint
     gpu/            >>contract: plans of GPUs
     dense/          >>kernels, >>small, >>plain, >>scale, >>dense, >>gpu, >>plan, >>bounds: sums of Glynn and Ryser;
                     n <= 16; error bounds; vector loops: >>dense_kernels, >>small_kernels.
                     PERMI_INSTANCE(glynn_real, ...) defines permi_glynn_real_avx512, _avx2, ...
     exact/          >>residues, >>exact, >>limbs, >>small_exact, >>exact_device, >>exact_kernels: integers
     multiplicities/ >>counts, >>subsets, >>sign_sums (n-ary Gray), >>counts_leaf, >>counts_kernels: copies, rectangles
     plan/           >>check, >>run, >>engine (chooser, next precision), >>offers, >>judge (escalation), >>compute
     minors/         >>minors, >>minors_dense, >>minors_calls; >>minors_kernels
     batch/          >>batch, >>batch_kernels
     kernels/        >>vocabulary, >>arithmetic, >>vocabulary_end

   REFERENCES
     [FBS83] Fortmann, Bar-Shalom, Scheffe, IEEE J. Oceanic Eng. 8 (1983) 173-184: association probabilities.
     [Sin64] Sinkhorn, Ann. Math. Statist. 35 (1964) 876-879: scaling to double stochasticity.
     [Gly10] Glynn, European J. Combin. 31 (2010) 1887-1891.
     [NW78]  Nijenhuis, Wilf, Combinatorial Algorithms, 2nd ed., 1978, chapter 23.
     [Bre73] Bregman, Soviet Math. Dokl. 14 (1973) 945-949: row sums.
     [Rys63] Ryser, Combinatorial Mathematics, Carus Monographs 14, 1963.
     [DK01]  Duff, Koster, SIAM J. Matrix Anal. Appl. 22 (2001) 973-996: scaling.
     [JV87]  Jonker, Volgenant, Computing 38 (1987) 325-340: linear assignment.
     [Hig02] Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002.
     [CH18]  Chin, Huh, Scientific Reports 8 (2018) 6101: multiplicities.
     [MRA]   Masschelein, Richer, Ayers, arXiv:2510.03421 (2025): rectangular matrices.
     [Dek71] Dekker, Numer. Math. 18 (1971) 224-242.
     [BGM17] Boldo, Graillat, Muller, ACM Trans. Math. Software 44 (2017): Fast2Sum.
     [CLL06] Carlen, Lieb, Loss, Methods Appl. Anal. 13 (2006) 1-17: Hadamard type.
     [Kul13] Kulisch, Computer Arithmetic and Validity, 2nd ed., 2013: exact sums.
*/
#ifndef PERMI_FAMILY /* the self-included text skips to the kernels */
#ifndef PERM_PERMANENT_H_INCLUDED
#define PERM_PERMANENT_H_INCLUDED

#include "api/config.h"
#include "api/types.h"
#include "api/calls.h"
#endif /* PERM_PERMANENT_H_INCLUDED */
#ifdef PERM_IMPLEMENTATION
#ifndef PERM_PERMANENT_IMPLEMENTED
#define PERM_PERMANENT_IMPLEMENTED
#if defined(__NVCC__) /* warns of gcc's pragmas */
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675, 128, 550
#endif
#include "base/platform.h"
#include "base/prices.h"
#include "base/memory.h"
#include "base/doubles.h"
#include "base/integers.h"
#include "base/ring.h"
#include "base/cpu.h"
PERMI_BRIEF_BEGIN
#include "base/files.h"
PERMI_BRIEF_END
#include "job/control.h"
PERMI_BRIEF_BEGIN
#include "base/names.h"
#include "job/job.h"
#include "job/state.h"
#include "job/problem.h"
#include "job/checkpoint.h"
#include "gpu/contract.h"
PERMI_BRIEF_END

#include "dense/kernels.h"
#include "dense/small.h"
#include "dense/plain.h"
PERMI_BRIEF_BEGIN
#include "dense/scale.h"
PERMI_BRIEF_END
#include "dense/dense.h"
PERMI_BRIEF_BEGIN
#include "dense/gpu.h"
PERMI_BRIEF_END
#include "dense/plan.h"
PERMI_BRIEF_BEGIN
#include "dense/bounds.h"
PERMI_BRIEF_END

#include "exact/residues.h"
#include "exact/exact.h"
PERMI_BRIEF_BEGIN
#include "exact/limbs.h"
PERMI_BRIEF_END
#include "exact/small_exact.h"
PERMI_BRIEF_BEGIN
#include "exact/exact_device.h"
#include "multiplicities/counts.h"
#include "multiplicities/subsets.h"
#include "multiplicities/sign_sums.h"
#include "multiplicities/counts_leaf.h"
PERMI_BRIEF_END

#include "plan/check.h"
PERMI_BRIEF_BEGIN
#include "plan/run.h"
#include "plan/engine.h"
#include "plan/offers.h"
PERMI_BRIEF_END
#include "plan/judge.h"
#include "plan/compute.h"

PERMI_BRIEF_BEGIN
#include "minors/minors.h"
PERMI_BRIEF_END
#include "minors/minors_dense.h"
#include "batch/batch.h"
PERMI_BRIEF_BEGIN
#include "minors/minors_calls.h"
#if defined(PERM_WITH_CUDA)
#define PERMI_CUDA_HOST 1
#include PERM_CUDA_FILE
#undef PERMI_CUDA_HOST
#endif
PERMI_BRIEF_END

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif
#endif /* PERM_PERMANENT_IMPLEMENTED */
#endif /* PERM_IMPLEMENTATION */

#else /* a family */
#if !defined(PERMI_FAMILY_WIDTH)
#undef PERMI_FAMILY
#if PERMI_X86
#define PERMI_FAMILY avx512
#define PERMI_FAMILY_WIDTH 8
#include PERM_HEADER_FILE
#define PERMI_FAMILY avx2
#define PERMI_FAMILY_WIDTH 4
#include PERM_HEADER_FILE
#elif PERMI_ARM
#define PERMI_FAMILY neon
#define PERMI_FAMILY_WIDTH 2
#include PERM_HEADER_FILE
#endif
#define PERMI_FAMILY plain
#define PERMI_FAMILY_WIDTH 1
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion" /* at -O0 gcc's _mm512_range_pd is a macro, which warns */
#if defined(__cplusplus) /* gcc 12 warns of its own AVX-512 intrinsics */
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif
#include "kernels/vocabulary.h"
#if defined(PERMI_FAMILY_TEXT) /* kernels of another header in these words */
#include PERMI_FAMILY_TEXT
#else
#include "kernels/arithmetic.h"
#include "dense/dense_kernels.h"
#include "dense/small_kernels.h"
PERMI_BRIEF_BEGIN
#include "exact/exact_kernels.h"
#include "minors/minors_kernels.h"
#include "multiplicities/counts_kernels.h"
PERMI_BRIEF_END
#include "batch/batch_kernels.h"
#endif
#include "kernels/vocabulary_end.h"
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif /* PERMI_FAMILY */

/* So many lines leave gcc no columns to judge indentation by, and it says so unless it has seen a #line, of any
   number. */
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
