/* ================================================================================== >>sparse_config
   Names of files, if renamed, and linkage of this header. */
#pragma once

#ifndef PERM_HEADER_FILE
#define PERM_HEADER_FILE "perm.h"
#endif
#ifndef PERM_SPARSE_HEADER_FILE
#define PERM_SPARSE_HEADER_FILE "perm_sparse.h"
#endif

/* With PERM_SPARSE_IMPLEMENTATION alone, perm.h's functions are private copies; another file has the public ones. */
#if defined(PERM_STATIC) && defined(__GNUC__)
#define PERM_SPARSE_API static __attribute__((unused))
#elif defined(PERM_STATIC)
#define PERM_SPARSE_API static
#elif defined(__cplusplus)
#define PERM_SPARSE_API extern "C"
#else
#define PERM_SPARSE_API extern
#endif
/* SPDX-License-Identifier: MIT */
