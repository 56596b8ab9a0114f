/* ============================================================================================ >>api
   All are collective over the ranks of `comm`. Rank 0's arguments count: on the others matrices, sizes and options are
   ignored but options->allocator and options->cancel (each may be NULL), and options may be NULL. result is required
   everywhere. progress is called on rank 0; its checkpoint is read and written there; cancel counts wherever it is set.
   parts and checkpoints as in perm.h. Arguments, errors and everything else as for the perm_compute_ function of the
   same name. Between calls nothing is left behind. Not thread-safe beyond MPI's own rules. */
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

/* For programs that run on rank 0 only: the others call perm_mpi_serve, which takes part in every call above until
   rank 0 calls perm_mpi_dismiss. Of the options allocator and cancel count. */
perm_status perm_mpi_serve(MPI_Comm comm, const perm_options *options);
perm_status perm_mpi_dismiss(MPI_Comm comm);

/* perm_job_execute on all ranks: every one has made the same job (PERM_ERROR_STATE names one that has not). state:
   rank 0's counts, and gets all that is finished; may be NULL elsewhere. */
perm_status perm_mpi_execute(MPI_Comm comm, const perm_job *job, perm_state *state, const perm_options *options,
                             perm_result *result);
#if defined(__cplusplus)
}
#endif
