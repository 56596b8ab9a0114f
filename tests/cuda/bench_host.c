/* What bench.cu takes from the headers, compiled as C. */
#define PERM_WITH_CUDA
#define PERM_IMPLEMENTATION
#include "../../perm_sparse.h"

#include "../../examples/perm_generate.h"

#include "bench_programs.h"
#include "bench_frontier.h"
