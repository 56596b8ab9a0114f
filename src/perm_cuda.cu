/* perm_cuda.cu: GPUs for perm.h. The same calls, options, results and jobs; options.gpu says how many.

       nvcc -O2 -c perm_cuda.cu
       cc -DPERM_WITH_CUDA program.c perm_cuda.o -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lpthread -lm

   (or nvcc for the last step). Runs without a GPU too: the driver and NVRTC, which compiles kernels, are opened when
   first needed; result.message tells what is missing.

   CONTENTS  Each tag is a file of src/, in the folder before it. With PERM_WITH_CUDA perm.h reads the first part,
   perm_sparse.h the second, perm_more.h the third: C without cuda.h. The last part, kernels and driver, is nvcc's.
     gpu/            >>contract       what plans of GPUs are, as in perm.h
                     >>works          what the host's parts and nvcc's tell each other
     dense/          >>dense_gpu      runs on GPUs, of every engine; dense tables
                     >>floats         dense sums in pairs of floats: plan, tables, bound
     exact/          >>exact_gpu      row sums in words, skipping
     minors/         >>minors_gpu     minors of a row, of all rows
     batch/          >>batch_gpu      many small matrices
     frontier/       >>arrays_gpu     steps of arrays
     hybrid/         >>programs       the sums of hybrid as straight programs, their text in PTX
                     >>program_plan   the plan
     sign_search/    >>signs_gpu      tables of the sign search
     codegen/        >>codegen        the published generated kernels
     amplitudes/     >>amplitudes_gpu all amplitudes

     gpu/            >>text           dense kernels; the table of all kernels; their twins on the host
                     >>text_floats    dense sums in pairs of floats
                     >>text_exact     integers
                     >>text_batch     many small matrices
                     >>text_signs     the pruned sign search
                     >>text_minors    minors of a row, of all rows
                     >>text_frontier  arrays of the frontier
                     >>text_amplitudes  amplitudes
                     >>driver         CUDA driver and NVRTC, opened at run time; devices
                     >>compile        kernels by key: source, NVRTC, caches in memory and in a directory
                     >>gpu_run        chunk ranges on several GPUs; batches
                     >>gpu_frontier   the frontier's dynamic program, on one GPU
                     >>gpu_amplitudes all amplitudes, on one GPU

   GUARANTEES
     - A chunk's sum has the same bits on every GPU: a fixed sequence of operations, each rounded once. Chunks are added
       exactly, so results do not depend on the GPUs and how they shared chunks.
     - A failure ends with PERM_ERROR_DEVICE and a state that holds the chunks before it: call perm_job_execute again,
       in another process if the driver keeps the failure. A GPU that cannot begin (too old, no memory left) leaves the
       work to the others.
     - Kernels take about a tenth of a second, so cancel, progress and max_seconds work. Contexts, compilers and the
       driver's loader take seconds, in threads of their own: a call that is to stop leaves within 0.2 s, and the next
       call uses what they make. The end of the process waits for them; NVRTC from 12.8 on gives up at once. Only
       cuInit, once in a process, cannot be left.
     - The frontier's values have the bits of the CPU's engine. It starts again after a failure or a stop.
   Thread-safe. Each GPU's primary context and the compiled kernels stay until the process ends. */
#if !defined(PERMI_CUDA_HOST)
#include "perm.h"
#include "gpu/contract.h"
#endif
#if !defined(PERM_GPU_PROGRAMS)
#define PERM_GPU_PROGRAMS
#include "gpu/works.h"
#endif

#if PERMI_CUDA_HOST == 1
#include "dense/dense_gpu.h"
#include "dense/floats.h"
#include "exact/exact_gpu.h"
#include "minors/minors_gpu.h"
#include "batch/batch_gpu.h"

#elif PERMI_CUDA_HOST == 2
#include "frontier/arrays_gpu.h"
#include "hybrid/programs.h"
#include "hybrid/program_plan.h"
#include "sign_search/signs_gpu.h"
#include "codegen/codegen.h"

#elif PERMI_CUDA_HOST == 3
#include "amplitudes/amplitudes_gpu.h"

#else /* for nvcc */
#include <cuda.h>
#include <dlfcn.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gpu/text.h"
#include "gpu/text_floats.h"
#include "gpu/text_exact.h"
#include "gpu/text_batch.h"
#include "gpu/text_batch_floats.h"
#include "gpu/text_signs.h"
#include "gpu/text_minors.h"
#include "gpu/text_frontier.h"
#include "gpu/text_amplitudes.h"
#include "gpu/driver.h"
#include "gpu/compile.h"
#include "gpu/gpu_run.h"
#include "gpu/gpu_frontier.h"
#include "gpu/gpu_amplitudes.h"
#endif /* PERMI_CUDA_HOST */

/* Copyright (c) 2026 the perm authors. SPDX-License-Identifier: MIT; its text stands at the end of perm.h. */
