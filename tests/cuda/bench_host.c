/* What bench.cu takes from the headers, compiled as C. */
#define INSIDE_GPU
#include "../unit/inside.h"

#include "../../examples/perm_generate.h"

#include "bench_programs.h"
#include "bench_frontier.h"
#include "bench_photons.h"
#include "bench_floats.h"
/* SPDX-License-Identifier: MIT */
