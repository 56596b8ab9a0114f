/* For tests/mpi/bench.sh: seconds of perm_mpi_real on the ranks there are, one thread each, best of REPEATS.
   Usage: mpirun -np K build/bench_mpi N REPEATS */
#include "perm_mpi.c"

int main(int argc, char **argv)
{
  static double a[PERM_MAX_N * PERM_MAX_N];
  const int n = argc > 1 ? atoi(argv[1]) : 30, repeats = argc > 2 ? atoi(argv[2]) : 5;
  perm_options options;
  perm_result result;
  double best = 1e30;
  int i, rank, level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(&options, 0, sizeof options);
  options.threads = 1;
  for (i = 0; i < n * n; i++)
    a[i] = (double)((i * 7919) % 1000 + 1) / 1000;
  for (i = 0; i < repeats; i++) {
    double start;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    perm_mpi_real(MPI_COMM_WORLD, n, n, a, n, &options, &result);
    best = MPI_Wtime() - start < best ? MPI_Wtime() - start : best;
  }
  if (rank == 0)
    printf("%.4f %.17g\n", best, result.value);
  MPI_Finalize();
  return result.status != PERM_OK;
}
/* SPDX-License-Identifier: MIT */
