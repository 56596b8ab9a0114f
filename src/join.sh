#!/bin/sh
# Joins the rooms of src/ into perm.h, perm_sparse.h, perm_more.h, perm_cuda.cu and perm_mpi.c, and makes docs/api.md.
# Usage: src/join.sh [DIRECTORY]     where the files go, api.md too; without it: the top level, and docs
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
# The page of every public name.
page=$out/api.md
[ $out = . ] && page=docs/api.md
[ -d "$(dirname $page)" ] || exit 0 # a copy of the source alone
awk -f src/api.awk src/api/types.h src/api/calls.h src/api/sparse_calls.h src/api/more_calls.h src/mpi/api.h src/api/config.h \
  src/api/sparse_config.h src/api/more_config.h src/perm_mpi.c >$page.joined && mv $page.joined $page && exit
rm -f $page.joined
exit 1
# SPDX-License-Identifier: MIT
