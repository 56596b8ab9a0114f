/* perm_mpi.c: clusters for perm.h. The calls of perm.h with a communicator before them; rank 0's arguments count.

       mpicc -O2 -c perm_mpi.c                                   // beside perm.h; compiled on its own, it is the code
       mpicc program.c perm_mpi.o -lm                            // program.c: #include "perm_mpi.c" declares the calls,
                                                                 // perm_more.h with PERM_IMPLEMENTATION defines perm

   or all in one file: #define PERM_MPI_IMPLEMENTATION before the #include (and PERM_IMPLEMENTATION for the headers).
   The command is `make mpi`, or

       mpicc -O2 -fopenmp -DPERM_MPI_MAIN -DPERM_IMPLEMENTATION -I. perm_mpi.c -o perm_mpi -lm

   Needs MPI 3.

   CONTENTS (each tag is a file of src/mpi)
     >>config       what a project may define
     >>api          every public function
     >>coordinator  which rank computes which chunks: self-scheduling
     >>session      communicator, waiting, agreement of all ranks
     >>mpi_run      one job: ranges, reports, checkpoint, stops
     >>mpi_calls    the public functions
     >>main         the command

   EXAMPLE
       MPI_Init(&argc, &argv);
       MPI_Comm_rank(MPI_COMM_WORLD, &rank);
       if (rank == 0) fill(a);                                    // a: n * n doubles; not looked at elsewhere
       perm_mpi_real(MPI_COMM_WORLD, n, n, a, n, &options, &result);
       if (rank == 0) printf("%.17g\n", result.value);            // every rank has the result

   HOW  Every rank makes the same plan, for the best kernel family that all have. Rank 0 hands out ranges of chunks,
   adds up the results, writes the checkpoint, and computes too (>>coordinator). A job of one task, or of less than
   PERM_MPI_SECONDS, runs on rank 0.

   GUARANTEES
     - The bits are those of the same call without MPI on a machine of that kernel family, for any number of ranks,
       threads, GPUs, kills and restarts (options.checkpoint).
     - Every rank returns the same status, message and result.
     - A rank that fails (memory, GPU, another matrix, another version) ends the job on all ranks; status and message
       name it. The checkpoint then holds all that was finished.
     - A rank that is killed takes the job with it, by mpirun or MPI_ERRORS_ARE_FATAL. Start again with any number of
       ranks and the same checkpoint: at most the seconds since it was last written are lost.

   THREADS AND GPUS  A rank uses options.threads threads; 0: its share of its node. Only the calling thread calls MPI
   (MPI_THREAD_FUNNELED). options.gpu counts GPUs that a rank sees; set CUDA_VISIBLE_DEVICES for each, as the command
   does. If a job is on GPUs, every rank needs one.

   DOES NOT  divide one task among ranks, survive a lost rank without a restart, mix byte orders. */
#if !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#endif

/* ======================================================================================== >>config
   PERM_MPI_IMPLEMENTATION  the code too (implied where __INCLUDE_LEVEL__ tells that this file is not included)
   PERM_MPI_MAIN            and the command; with PERM_IMPLEMENTATION, or linked with an object that has it
   PERM_MPI_SECONDS         jobs predicted to take less on one thread run on rank 0 (default 0.1)
   PERM_MPI_RANGE_SECONDS   how long a range lasts (default 4)                                                  */
#if defined(PERM_MPI_MAIN) && !defined(PERM_MPI_IMPLEMENTATION)
#define PERM_MPI_IMPLEMENTATION
#endif
#if defined(__INCLUDE_LEVEL__) && !defined(PERM_MPI_IMPLEMENTATION)
#if __INCLUDE_LEVEL__ == 0
#define PERM_MPI_IMPLEMENTATION
#endif
#endif
#ifndef PERM_MPI_SECONDS
#define PERM_MPI_SECONDS 0.1
#endif
#ifndef PERM_MPI_RANGE_SECONDS
#define PERM_MPI_RANGE_SECONDS 4.0
#endif

#ifndef PERM_MPI_C_INCLUDED
#define PERM_MPI_C_INCLUDED

#include "perm_more.h"
#if !defined(PERM_MPI_SIMULATE) /* for tests/mpi/simulate.c */
/* MPI's C++ interface is unused and has warnings */
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include "mpi/api.h"
#endif /* PERM_MPI_SIMULATE */
#endif /* end of declarations */

#if (defined(PERM_MPI_IMPLEMENTATION) || defined(PERM_MPI_SIMULATE)) && !defined(PERM_MPI_IMPLEMENTED)
#define PERM_MPI_IMPLEMENTED

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#if defined(_OPENMP)
#include <omp.h>
#endif
#include "mpi/coordinator.h"
#endif

#if defined(PERM_MPI_IMPLEMENTATION) && !defined(PERM_MPI_SIMULATE) && !defined(PERM_MPI_CALLS_IMPLEMENTED)
#define PERM_MPI_CALLS_IMPLEMENTED
#include "mpi/session.h"
#include "mpi/mpi_run.h"
#include "mpi/mpi_calls.h"
#endif
#include "mpi/main.h"

/* Copyright (c) 2026 the perm authors. SPDX-License-Identifier: MIT; its text stands at the end of perm.h. */
