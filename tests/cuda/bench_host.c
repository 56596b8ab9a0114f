/* What bench.cu takes from the headers, compiled as C. */
#define PERM_WITH_CUDA
#define PERM_IMPLEMENTATION
#include "../../perm_sparse.h"

#include "../../examples/perm_generate.h"

perm_status bench_generate(const char *specification, perm_matrix *matrix, perm_result *result);
perm_status bench_generate(const char *specification, perm_matrix *matrix, perm_result *result)
{
  return perm_generate(specification, 1, NULL, matrix, result);
}

#include "bench_frontier.h"
