/* All tests of the three headers, one program: build/tests [--hide FEATURE] and the arguments of test.h.
   --hide avx512ifma, avx512, avx2, fma, ...: as on a processor that has no such thing. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* fopencookie */
#endif
#define INSIDE_FAULTS
#if defined(__x86_64__) || defined(__i386__) /* elsewhere there is nothing to hide */
#define INSIDE_HIDE test_hide
#endif
#include "inside.h"

#include <fenv.h>

#include "test.h"

#include "oracle.h"

#include "../../examples/perm_generate.h"

#include "t_cpu.c"
#include "t_numbers.c"
#include "t_environment.c"
#include "t_dense.c"
#include "t_scale.c"
#include "t_small.c"
#include "t_small_result.c"
#include "t_bounds.c"
#include "t_plan.c"
#include "t_climb.c"
#include "t_dense_complex.c"
#include "t_exact.c"
#include "t_limbs.c"
#include "t_small_exact.c"
#include "t_job.c"
#include "t_limits.c"
#include "t_state.c"
#include "t_checkpoint.c"
#include "t_parts.c"
#include "t_io.c"
#include "t_locale.c"
#include "t_matrix.c"
#include "t_formats.c"
#include "t_read.c"
#include "t_conditions.c"
#include "t_generate.c"
#include "t_counts_rectangular.c"
#include "t_counts.c"
#include "t_sparse.c"
#include "t_sparse_job.c"
#include "t_sparse_complex.c"
#include "t_reach.c"
#include "t_engines.c"
#include "t_frontier.c"
#include "t_prepare.c"
#include "t_arrays.c"
#include "t_hybrid.c"
#include "engines.h"
#include "t_hybrid_gaussian.c"
#include "t_band.c"
#include "t_classes.c"
#include "t_transversals.c"
#include "t_sparyser.c"
#include "t_signs.c"
#include "t_decompose.c"
#include "t_planar.c"
#include "t_primes.c"
#include "t_proof.c"
#include "t_tree.c"
#include "t_free.c"
#include "t_spy.c"
#include "t_rook.c"
#include "t_polynomial.c"
#include "t_greedy.c"
#include "t_sample.c"
#include "t_structure.c"
#include "t_estimate.c"
#include "t_minors.c"
#include "t_small_minors.c"
#include "t_batch.c"
#include "t_arguments.c"
#include "t_choices.c"
#include "t_planning.c"
#include "t_offers.c"
#include "t_faults.c"
#include "t_stops.c"
#include "t_marginals.c"
#include "t_natural.c"
#include "t_stops_proofs.c"
#include "t_refusals.c"
#include "t_derive.c"
#include "t_derive_free.c"
#include "t_derive_hybrid.c"
#include "t_scenes.c"
#include "t_residues.c"
#include "t_chains.c"
#include "t_amplitudes.c"

int main(int argc, char **argv)
{
  if (argc > 2 && !strcmp(argv[1], "--hide")) {
    if (!isa_hide(argv[2])) {
      printf("--hide %s: no such feature\n", argv[2]);
      return 2;
    }
    argc -= 2;
    argv += 2;
  }
  return test_main(argc, argv);
}
/* SPDX-License-Identifier: MIT */
