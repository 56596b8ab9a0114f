/* The one file that takes long to compile. */
#define PERM_IMPLEMENTATION
#include "third_party/perm/perm_sparse.h"
/* SPDX-License-Identifier: MIT */
