/* ==================================================================================== >>more_config
   Names of files, if renamed, and linkage of this header. */
#pragma once

#ifndef PERM_SPARSE_HEADER_FILE
#define PERM_SPARSE_HEADER_FILE "perm_sparse.h"
#endif
#ifndef PERM_MORE_HEADER_FILE
#define PERM_MORE_HEADER_FILE "perm_more.h"
#endif

/* As PERM_SPARSE_API, with PERM_MORE_IMPLEMENTATION. */
#if defined(PERM_STATIC) && defined(__GNUC__)
#define PERM_MORE_API static __attribute__((unused))
#elif defined(PERM_STATIC)
#define PERM_MORE_API static
#elif defined(__cplusplus)
#define PERM_MORE_API extern "C"
#else
#define PERM_MORE_API extern
#endif
/* SPDX-License-Identifier: MIT */
