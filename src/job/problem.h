/* ======================================================================================== >>problem */
#pragma once
#include "../base/platform.h"

struct permi_reach;

typedef struct permi_problem {
  int m, n, parts; /* 1 real, 2 complex */
  const double *real;
  const int64_t *integer; /* not NULL: integers */
  ptrdiff_t ld;
  const int *row_count, *column_count; /* NULL: once each */
  const struct permi_reach *reach;
} permi_problem;
/* SPDX-License-Identifier: MIT */
