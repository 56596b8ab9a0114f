/* perm_more.h: estimates of permanents, random permutations, rook numbers, matrices given by thin factors or nodes,
   proofs, pictures.

   In one source file:

       #define PERM_IMPLEMENTATION
       #include "perm_more.h"                                   // includes perm_sparse.h, which includes perm.h

   If another file has the implementation of the other two, define PERM_MORE_IMPLEMENTATION alone, and include this
   header before them. PERM_NO_EXTRAS leaves nothing of it.

   EXAMPLE
       double a[9] = {1,1,0, 1,1,1, 0,1,1};                     // its permanent is 3
       perm_estimate e;
       perm_estimate_real(3, a, 3, NULL, NULL, &e);
       printf("%.2f to %.2f\n", e.low, e.high);                 // 2.99 to 3.00

   WHICH CALL
       perm_estimate_*              the permanent by random samples, with an interval; plan.guarantee 1: a proved one
       perm_sample_sparse           random permutations, in proportion to their products
       perm_gradient_sparse*        derivatives by all entries: minors
       perm_marginals_sparse*       probabilities of entries, empty lines; _batch: of many matrices
       perm_polynomial_*            all coefficients of per(C + x L)
       perm_permanental_polynomial* of per(x I - A)
       perm_rook_numbers            the sums of all k x k permanents: matching polynomials
       perm_amplitudes_*            all amplitudes or probabilities of photons in an interferometer
       perm_compute_low_rank_*      two thin factors, of declared rank
       perm_compute_cauchy_*        the nodes of a Cauchy matrix
       perm_prove_integer, _gaussian, _sparse    an exact permanent with a proof that anyone can check
       perm_sparse_spy              structure and plan as a picture, SVG

   GUARANTEES
     - The samples of one seed are the same for any number of threads.
     - Derivatives and marginals are within proved bounds, or error_bound is INFINITY; same bits for any threads.
     - Rook numbers and polynomials of integers are exact, and integers are sampled without rounding.
     - Every promise of the other two headers about memory, limits, stops and files holds.

   CONTENTS  Rooms as in perm.h.
     api/            >>more_config, >>more_calls: macros, types, functions
     lowrank/        >>low_rank, >>cauchy
     proof/          >>lanes, >>polynomial, >>proof_check, >>sweep, >>proof, >>proof_kernels: perm_prove_*
     estimate/       >>estimate, >>rejection, >>estimate_calls: random samples
     picture/        >>spy: perm_sparse_spy
     polynomial/     >>points, >>coefficients, >>circle, >>several, >>rook, >>polynomial_calls: perm_polynomial_*,
                     perm_rook_numbers
     sample/         >>trace, >>trace_frontier, >>trace_classes, >>trace_tree, >>derive_frontier, >>derive_tree,
                     >>derive_hybrid, >>derive_kernels, >>sample, >>derive: perm_sample_sparse, _gradient_, _marginals_
     amplitudes/     >>outputs, >>amplitudes, >>amplitudes_bound, >>amplitudes_calls, >>amplitudes_kernels:
                     perm_amplitudes_*

   REFERENCES  besides those of perm.h
     [Bar96] Barvinok, Math. Oper. Res. 21 (1996) 65-84: fixed rank.
     [HMSV23] Heurtel, Mansfield, Senellart, Valiron, Comput. Phys. Commun. 291 (2023) 108848: SLOS.
     [Gur05] Gurvits, MFCS 2005, LNCS 3618, 447-458: mixed discriminants.
     [SB99]  Beichl, Sullivan, J. Comput. Phys. 149 (1999) 128-147: importance sampling.
     [Bor55] Borchardt, J. reine angew. Math. 53 (1855) 193-198: Cauchy matrices.
     [HL08]  Huber, Law, SODA 2008, 681-689: a bound that nests.
     [HRK21] Harviainen, Royskoe, Koivisto, NeurIPS 2021: deeper bounds.
     [Hub17] Huber, Random Struct. Algorithms 50 (2017) 167-182: Bernoulli variables.
     [Sch98] Schrijver, J. Combin. Theory B 72 (1998) 122-135; [Gur11] L. Gurvits, arXiv:1106.2844: a lower bound.
     [AMS09] Audibert, Munos, Szepesvari, Theor. Comput. Sci. 410 (2009) 1876-1902: Bernstein's bound.
*/
#ifndef PERMI_FAMILY
#ifndef PERM_MORE_H_INCLUDED
#define PERM_MORE_H_INCLUDED

#include "api/more_config.h"
#if defined(PERM_MORE_IMPLEMENTATION) && !defined(PERM_IMPLEMENTATION)
#if defined(PERM_PERMANENT_H_INCLUDED)
#error "with PERM_MORE_IMPLEMENTATION alone, include perm_more.h before perm.h and perm_sparse.h"
#endif
#if !defined(PERM_SPARSE_IMPLEMENTATION)
#ifndef PERM_STATIC
#define PERM_STATIC
#endif
#define PERM_IMPLEMENTATION
#endif
#endif
#include PERM_SPARSE_HEADER_FILE

#if !defined(PERM_NO_EXTRAS)
#include "api/more_calls.h"
#endif
#endif /* PERM_MORE_H_INCLUDED */

#if (defined(PERM_IMPLEMENTATION) || defined(PERM_MORE_IMPLEMENTATION)) && !defined(PERM_NO_EXTRAS)
#ifndef PERM_MORE_IMPLEMENTED
#define PERM_MORE_IMPLEMENTED
#ifndef PERM_SPARSE_IMPLEMENTED
#include PERM_SPARSE_HEADER_FILE
#endif
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675, 128, 550
#endif
#include "lowrank/low_rank.h"
#include "lowrank/cauchy.h"

#include "proof/lanes.h"

PERMI_BRIEF_BEGIN
#include "proof/polynomial.h"
#include "proof/proof_check.h"
#include "proof/sweep.h"
#include "proof/proof.h"

#include "estimate/estimate.h"
#include "estimate/rejection.h"
#include "estimate/estimate_calls.h"

#include "picture/spy.h"

#include "polynomial/points.h"
#include "polynomial/coefficients.h"
#include "polynomial/circle.h"
#include "polynomial/several.h"
#include "polynomial/rook.h"
#include "polynomial/polynomial_calls.h"

#include "sample/trace.h"
#include "sample/trace_frontier.h"
#include "sample/trace_classes.h"
#include "sample/trace_tree.h"
#include "sample/derive_frontier.h"
#include "sample/derive_hybrid.h"
#include "sample/derive_tree.h"
#include "sample/sample.h"
#include "sample/derive.h"

#include "amplitudes/outputs.h"
#include "amplitudes/amplitudes.h"
#include "amplitudes/amplitudes_bound.h"
#include "amplitudes/amplitudes_calls.h"

#if defined(PERM_WITH_CUDA)
#define PERMI_CUDA_HOST 3
#include PERM_CUDA_FILE
#undef PERMI_CUDA_HOST
#endif
PERMI_BRIEF_END

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif
#endif /* PERM_MORE_IMPLEMENTED */
#endif /* PERM_IMPLEMENTATION || PERM_MORE_IMPLEMENTATION */

#else /* PERMI_FAMILY */
PERMI_BRIEF_BEGIN
#include "proof/proof_kernels.h"
PERMI_BRIEF_END
#include "sample/derive_kernels.h"
#include "amplitudes/amplitudes_kernels.h"
#endif /* PERMI_FAMILY */

/* Copyright (c) 2026 the perm authors. SPDX-License-Identifier: MIT; its text stands at the end of perm.h. */
