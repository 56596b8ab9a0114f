/* A file that uses perm: the headers again, without PERM_IMPLEMENTATION. */
#include <stdio.h>
#include "third_party/perm/perm_sparse.h"

int main(void)
{
  static const char board[] = "1 1 0 0\n1 1 1 0\n0 1 1 1\n0 0 1 1\n"; /* 2 x 4: black squares and their neighbours */
  perm_matrix matrix;
  perm_result r;
  if (perm_matrix_read_memory(board, sizeof board - 1, "board", NULL, &matrix, &r) ||
      perm_compute_sparse(&matrix, NULL, &r)) {
    fprintf(stderr, "tilings: %s\n", r.message);
    return 1;
  }
  perm_matrix_free(&matrix);
  printf("%.0f ways to tile a 2 x 4 board with dominoes\n", r.value);
  return 0;
}
/* SPDX-License-Identifier: MIT */
