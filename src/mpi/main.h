/* =========================================================================================== >>main
   The command: examples/command/perm_cli.c runs on rank 0, and the others serve. SIGTERM (Slurm), SIGINT and SIGUSR1 on
   any rank stop with a checkpoint; mpirun passes SIGUSR1 on, but kills seconds after SIGTERM. */
#pragma once
#include "api.h"

#if defined(PERM_MPI_MAIN)
#define CLI_COMPUTE(name) permi_mpi_cli_##name
#define CLI_PROVE permi_mpi_cli_prove
#define CLI_MAIN permi_mpi_cli_main
static perm_status permi_mpi_cli_sparse(const perm_matrix *matrix, const perm_options *options, perm_result *result)
{
  return perm_mpi_sparse(MPI_COMM_WORLD, matrix, options, result);
}
static perm_status permi_mpi_cli_prove(const perm_matrix *matrix, const char *path, const perm_options *options,
                                       perm_result *result)
{
  return perm_mpi_prove_sparse(MPI_COMM_WORLD, matrix, path, options, result);
}
#define PERMI_MPI_CLI(name, type)                                                                                      \
  static perm_status permi_mpi_cli_repeated_##name(int m, int n, const type *a, ptrdiff_t ld, const int *row_counts,   \
                                                   const int *column_counts, const perm_options *options,              \
                                                   perm_result *result)                                                \
  {                                                                                                                    \
    return perm_mpi_repeated_##name(MPI_COMM_WORLD, m, n, a, ld, row_counts, column_counts, options, result);          \
  }
PERMI_MPI_CLI(real, double)
PERMI_MPI_CLI(complex, double)
PERMI_MPI_CLI(integer, int64_t)
PERMI_MPI_CLI(gaussian, int64_t)
#include "examples/command/perm_cli.c"

/* Gives each rank its GPUs: --gpus K, else one; CUDA_VISIBLE_DEVICES is respected. */
static void permi_mpi_cli_gpus(int argc, char **argv)
{
  MPI_Comm node;
  char list[1024] = "";
  int local, gpus = 0, i;
  if (getenv("CUDA_VISIBLE_DEVICES"))
    return;
  for (i = 1; i < argc; i++) {
    const char *value = !strncmp(argv[i], "--gpus=", 7) ? argv[i] + 7
                        : !strcmp(argv[i], "--gpus") && i + 1 < argc ? argv[i + 1] : NULL;
    if (value)
      gpus = !strcmp(value, "all") ? 1 : atoi(value);
  }
  if (gpus < 1 || gpus > 64)
    return;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &local);
  MPI_Comm_free(&node);
  for (i = 0; i < gpus; i++)
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%d", i ? "," : "", local * gpus + i);
  setenv("CUDA_VISIBLE_DEVICES", list, 1);
}

int main(int argc, char **argv)
{
  struct sigaction action;
  perm_options options;
  int rank, level, code = CLI_DONE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  permi_mpi_cli_gpus(argc, argv);
  memset(&options, 0, sizeof options);
  options.cancel = &cli_interrupted;
  cli_catch_signals();
  memset(&action, 0, sizeof action);
  action.sa_handler = cli_interrupt;
  sigaction(SIGUSR1, &action, NULL);
  if (rank == 0) {
    code = permi_mpi_cli_main(argc, argv);
    perm_mpi_dismiss(MPI_COMM_WORLD);
  } else {
    perm_mpi_serve(MPI_COMM_WORLD, &options);
  }
  MPI_Finalize();
  return code;
}
#endif
/* SPDX-License-Identifier: MIT */
