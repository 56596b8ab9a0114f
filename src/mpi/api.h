/* ============================================================================================ >>api
   Each call is collective over `comm` and as the perm_compute_ function of its name. Rank 0's arguments count; other
   ranks pass options (or NULL) for allocator and cancel. result is required everywhere. Rank 0 calls progress and has
   the checkpoint; cancel counts on any rank. Nothing remains between calls. Thread-safe as far as MPI is. */
#pragma once

#if defined(__cplusplus)
extern "C" {
#endif
perm_status perm_mpi_real(MPI_Comm comm, int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                          perm_result *result);
perm_status perm_mpi_complex(MPI_Comm comm, int m, int n, const double *a, ptrdiff_t ld, const perm_options *options,
                             perm_result *result);
perm_status perm_mpi_integer(MPI_Comm comm, int m, int n, const int64_t *a, ptrdiff_t ld, const perm_options *options,
                             perm_result *result);
perm_status perm_mpi_gaussian(MPI_Comm comm, int m, int n, const int64_t *a, ptrdiff_t ld, const perm_options *options,
                              perm_result *result);
perm_status perm_mpi_sparse(MPI_Comm comm, const perm_matrix *matrix, const perm_options *options, perm_result *result);

#if !defined(PERM_NO_EXTRAS)
/* perm_prove_sparse; rank 0 writes the file. */
perm_status perm_mpi_prove_sparse(MPI_Comm comm, const perm_matrix *matrix, const char *path,
                                  const perm_options *options, perm_result *result);
#endif

/* With multiplicities, as perm_compute_repeated_*. */
perm_status perm_mpi_repeated_real(MPI_Comm comm, int m, int n, const double *a, ptrdiff_t ld, const int *row_counts,
                                   const int *column_counts, const perm_options *options, perm_result *result);
perm_status perm_mpi_repeated_complex(MPI_Comm comm, int m, int n, const double *a, ptrdiff_t ld,
                                      const int *row_counts, const int *column_counts, const perm_options *options,
                                      perm_result *result);
perm_status perm_mpi_repeated_integer(MPI_Comm comm, int m, int n, const int64_t *a, ptrdiff_t ld,
                                      const int *row_counts, const int *column_counts, const perm_options *options,
                                      perm_result *result);
perm_status perm_mpi_repeated_gaussian(MPI_Comm comm, int m, int n, const int64_t *a, ptrdiff_t ld,
                                       const int *row_counts, const int *column_counts, const perm_options *options,
                                       perm_result *result);

/* For programs that run on rank 0 only: perm_mpi_serve takes part in every call above until rank 0 calls
   perm_mpi_dismiss. Of the options allocator and cancel count. */
perm_status perm_mpi_serve(MPI_Comm comm, const perm_options *options);
perm_status perm_mpi_dismiss(MPI_Comm comm);

/* perm_job_execute on all ranks, which have made the same job (else PERM_ERROR_STATE). Rank 0's state counts and
   receives what is finished; elsewhere it may be NULL. */
perm_status perm_mpi_execute(MPI_Comm comm, const perm_job *job, perm_state *state, const perm_options *options,
                             perm_result *result);
#if defined(__cplusplus)
}
#endif
/* SPDX-License-Identifier: MIT */
