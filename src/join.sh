#!/bin/sh
# Joins the rooms of src/ into perm.h, perm_sparse.h, perm_more.h, perm_cuda.cu and perm_mpi.c.
# Usage: src/join.sh [DIRECTORY]     where the five files go; without it: the top level
cd "$(dirname "$0")/.." || exit 1
out=${1:-.}
join() { # FILE AWK-ARGUMENTS...: nothing is replaced unless joining succeeds
  file=$1; shift
  awk -f src/join.awk "$@" src/$file >$out/$file.joined && mv $out/$file.joined $out/$file && return
  rm -f $out/$file.joined
  exit 1
}
join perm.h
join perm_sparse.h -v given=src/perm.h
join perm_more.h -v given="src/perm.h src/perm_sparse.h"
join perm_cuda.cu -v given="src/perm.h src/perm_sparse.h src/perm_more.h"
join perm_mpi.c
# SPDX-License-Identifier: MIT
