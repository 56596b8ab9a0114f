/* ========================================================================================= >>config
   PERM_IMPLEMENTATION   compile the code here (in one file, or in several with PERM_STATIC)
   PERM_STATIC           every function static: private to the file, and left out unless called
   PERM_WITH_CUDA        with PERM_IMPLEMENTATION: options.gpu works; reads perm_cuda.cu (PERM_CUDA_FILE, if renamed)
                         and links with it (nvcc -c perm_cuda.cu)
   PERM_NO_COMPLEX       complex matrices are refused: a quarter less to compile
   PERM_NO_EXTRAS        no minors, gradients, batches, nothing of perm_more.h: a fifth less
   PERM_NO_EXACT         no vector kernels for integers: exact results many times slower
   PERM_NO_POSIX         files by the C library alone, as on Windows: less safe, see >>files
   PERM_HEADER_FILE      this file's name, if renamed (default "perm.h")
   PERM_SECONDS()        a steady clock in seconds, instead of CLOCK_MONOTONIC (Windows: its performance counter;
                         elsewhere gettimeofday or clock) */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifndef PERM_HEADER_FILE
#define PERM_HEADER_FILE "perm.h"
#endif
#ifndef PERM_CUDA_FILE
#define PERM_CUDA_FILE "perm_cuda.cu"
#endif
#if defined(PERM_STATIC)
#if defined(__GNUC__)
#define PERM_API static __attribute__((unused))
#else
#define PERM_API static
#endif
#elif defined(__cplusplus)
#define PERM_API extern "C"
#else
#define PERM_API extern
#endif
/* SPDX-License-Identifier: MIT */
