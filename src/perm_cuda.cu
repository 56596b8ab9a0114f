/* perm_cuda.cu: GPUs for perm.h. The same calls, options, results and jobs; options.gpu says how many.

       nvcc -O2 -c perm_cuda.cu
       cc -DPERM_WITH_CUDA program.c perm_cuda.o -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lpthread -lm

   (or nvcc for the last step). Runs where there is no GPU too: the driver and NVRTC, which compiles kernels for the
   order and kind of matrix at hand, are opened when first needed; what is missing is told in result.message.

   CONTENTS (search for the tag)
     >>text       the kernels, compiled by NVRTC at run time, and for the host, where the tests run them
     >>text_exact, >>text_batch, >>text_counts, >>text_frontier   the same for other kinds of work
     >>driver     the CUDA driver and NVRTC, opened at run time; every call checked
     >>compile    kernels by key, cached in memory and in a directory
     >>devices    which GPUs there are
     >>run        chunk ranges on several GPUs
     >>tune       which of several kernels is fastest
     >>batch      many small matrices
     >>frontier   the frontier's dynamic program, on one GPU

   The frontier's dynamic program (perm_sparse.h) runs on one GPU, in memory that is asked for beforehand.

   GUARANTEES
     - A chunk's sum has the same bits on every GPU: a fixed sequence of operations, each rounded once. Chunks are added
       exactly. So results depend neither on the number of GPUs nor on how chunks were shared out.
     - A failure ends with PERM_ERROR_DEVICE and a state that holds the chunks before it: call perm_job_execute again,
       in another process if the driver keeps the failure (an illegal address, a memory error). A GPU that cannot begin
       (too old, no memory left) leaves the work to the others.
     - Kernels take about a tenth of a second, so cancel, progress and max_seconds work. Contexts, compilers and the
       driver's loader, which take seconds, run in threads of their own: a call that is to stop leaves within 0.2 s, and
       what they make is there for the next call. The end of the process waits for them; NVRTC from 12.8 on then gives
       up at once. The driver's own start (cuInit, once in a process) cannot be left: a call waits for it.
     - The frontier's values have the bits of the CPU's engine. It starts again after a failure or a stop.
   Thread-safe. Each GPU's primary context and the compiled kernels stay until the process ends. */
#include "perm.h"
#include "gpu/contract.h"

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
#include "gpu/text_exact.h"
#include "gpu/text_batch.h"
#include "gpu/text_counts.h"
#include "gpu/text_frontier.h"
#include "gpu/driver.h"
#include "gpu/devices.h"
#include "gpu/compile.h"
#include "gpu/run.h"
#include "gpu/tune.h"
#include "gpu/batch.h"
#include "gpu/frontier.h"
