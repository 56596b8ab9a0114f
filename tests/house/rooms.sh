#!/bin/sh
# The house: every file of src/ is a room, which uses only the rooms that it includes; the five joined files are what
# `make headers` makes of them; every room has tests, which see private names through one door. tests/house/budgets.sh
# has the budgets.
# Usage: tests/house/rooms.sh [quick]     quick: without compiling each room by itself
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/../.." || exit 1
out=build/rooms; mkdir -p $out
passed=0 failed=0
check() { name=$1; shift
  if "$@" >$out/log 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name"; head -n 20 $out/log; fi; }
rooms=$(ls src/*/*.h)
tests=$(ls bench/*.[ch] tests/*.[ch] tests/*/*.[ch] tests/*/*.cu tests/*/*/*.[ch])

check "joining" sh src/join.sh $out
for file in perm.h perm_sparse.h perm_more.h perm_cuda.cu perm_mpi.c; do
  check "$file is joined from src/ (make headers)" cmp $file $out/$file
done
check "docs/api.md is made from src/ (make headers)" cmp docs/api.md $out/api.md

narrow() { ! awk 'length($0) > 120 {print FILENAME ": " FNR; bad = 1} END {exit !bad}' "$@"; }
check "lines fit 120 columns" narrow perm.h perm_sparse.h perm_more.h perm_cuda.cu perm_mpi.c examples/*.[ch] examples/*.cpp examples/*.sh \
  examples/*/*.[ch] examples/*/*/*.[ch] examples/python/*.py $tests

# Nothing built or fetched slips in: the largest files are the joined headers.
small() { git rev-parse -q --git-dir >/dev/null || return 0
  ! git ls-files -z | xargs -0 ls -ln 2>/dev/null | awk '$5 > 1000000 { print; bad = 1 } END { exit !bad }'; }
check "no file that git tracks is over 1 MB" small

figures() { # FILE: with a table that nobody measured, too, which is refused
  awk -f tests/house/figures.awk $1 && printf '\n## New\n\n| a |\n|---|\n| 1 |\n' | cat $1 - >$out/figures.md &&
    ! awk -f tests/house/figures.awk $out/figures.md
}
check "tables of figures have version, command, date" figures docs/figures.md

# Its name and promise on top, then what it includes.
opening() { # ROOM
  tag=$(basename $1 .h)
  sed -n 1p $1 | grep -qE "^/\* =+ >>$tag( \*/)?$" && case $1 in
    *_kernels.h | src/kernels/*) ! grep -q '^#pragma once$' $1;; # read once for each instruction set
    *) [ "$(grep -c '^#pragma once$' $1)" -eq 1 ];; esac
}
openings() { for room in $rooms; do opening $room || { echo "$room: does not open with >>$(basename $room .h)"; bad=1; }; done; [ -z "$bad" ]; }
check "every room opens with its tag and promise" openings

# No text of a double follows the locale: one function prints them, and no program here changes its locale.
check "doubles are printed by permi_say alone" awk -f tests/house/doubles.awk $rooms src/perm_mpi.c
unchanged() { ! grep -nE 'setlocale ?\(' examples/*.[ch] examples/*/*.[ch] examples/*/*/*.[ch] src/*/*.h src/*.*; }
check "nothing sets a locale" unchanged

# Each by itself: a name of a room that is not included is an error, and so is a function that another room defines.
# Rooms of perm_cuda.cu that are not for nvcc are read with PERM_WITH_CUDA.
sed -n 's/^#include "\([a-z_]*\/.*\)"$/src\/\1/p' src/perm_cuda.cu | grep -v '^src/gpu/' >$out/devices
check "perm_cuda.cu has rooms for C" test -s $out/devices
each() { xargs -P 2 -I ROOM ${CC:-cc} -std=c99 -fsyntax-only -Wall -Wextra -Werror $1 \
    -Wno-unused-function -Wno-unused-const-variable -Wno-unknown-warning-option -Isrc -include ROOM -x c /dev/null; }
alone() {
  ls src/*/*.h | grep -vE '^src/(gpu|mpi|kernels)/|_kernels\.h$' | grep -vxFf $out/devices | each
}
[ "$1" = quick ] || check "every room compiles by itself" alone
devices() { each "-DPERM_WITH_CUDA -Wno-error" <$out/devices; }
[ "$1" = quick ] || check "and so does every one of perm_cuda.cu" devices

# No arrow runs back up between folders, in the order in which the skeletons name them.
folders() {
  awk -F '[/"]' '
    FILENAME ~ /^src\/perm/ { if (/^#include ".*\//) { if (!($2 in rank)) rank[$2] = ++ranks } next }
    /^#include "/ { split(FILENAME, at, "/"); to = $2 == ".." ? $3 : at[2]
      if (rank[to] > rank[at[2]]) { print FILENAME " includes " $0; bad = 1 } }
    END { exit bad || ranks < 10 }' src/perm.h src/perm_sparse.h src/perm_more.h src/perm_cuda.cu src/perm_mpi.c $rooms
}
check "folders use folders above" folders

# A tag that a comment names is a room.
tags() { ! cat $rooms src/*.* $tests | grep -oE '>>[a-z_]+' | sort -u | sed 's/>>//' | while read -r tag; do
  ls src/*/$tag.h >/dev/null 2>&1 || echo ">>$tag"; done | grep .; }
check "every tag names a room" tags

# A file of tests opens with the rooms that it tests, and every room is tested somewhere.
awk 'FNR == 1 { opening = /^\/\* >>/ }
  opening { while (match($0, />>[a-z_]+/)) {
      print FILENAME, substr($0, RSTART + 2, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } }
  /\*\// { opening = 0 }' $tests >$out/tested
basename -a -s .h $rooms | sort >$out/names
once() { ! uniq -d $out/names | grep .; }
check "a tag names one room" once
tested() { ! awk '{ print $2 }' $out/tested | sort -u | comm -13 - $out/names | grep .; }
check "every room is named by a test" tested
openings_of_tests() {
  ! for file in tests/*/t_*.c; do
    grep -q "^$file " $out/tested || head -n 1 $file | grep -q '^/\* examples/' || echo "$file does not say what it tests"
  done | grep .
}
check "tests say what they test" openings_of_tests
check "there are tests" test "$(wc -l <$out/tested)" -ge 100
short_tests() { ! wc -l $tests | awk '$2 != "total" && $1 > 800' | grep .; }
check "files of tests of at most 800 lines" short_tests

# tests/unit/inside.h is the only door to private names: a file that has one includes no header, and no other sets a
# hook.
door() {
  hooks=$(sed -n 's/^# *define \(PERMI*_[A-Z_]*\).*/\1/p' tests/unit/inside.h | grep -vx PERM_IMPLEMENTATION | tr '\n' '|')
  ! for file in $tests; do
    [ $file = tests/unit/inside.h ] && continue
    grep -nE "^ *# *define (${hooks%|})\>" $file /dev/null
    grep -qE '^ *# *include "[^"]*(perm|perm_sparse|perm_more|renamed_permanent)\.h"|^ *# *include "[^"]*(perm_cuda\.cu|perm_mpi\.c)"' $file &&
      grep -nE '\<(permi_|PERMI_)' $file /dev/null
  done | grep .
}
check "tests/unit/inside.h is the only door to private names" door

echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
