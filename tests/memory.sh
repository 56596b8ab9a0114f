#!/bin/sh
# max_bytes holds: of 15 matrices, with limits that fit and limits that do not, the peak of the resident memory above
# that of a job of nothing is at most 1.1 times the limit; whoever is refused is told how many bytes are needed.
# Usage: tests/memory.sh [-v]     -v: the table
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
perm=${PERM:-build/perm}
dir=build/memory
rm -rf $dir; mkdir -p $dir
cat >$dir/peak.c <<'END'
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **argument) /* runs a command; its peak of resident kilobytes goes to standard error */
{
  struct rusage usage;
  int status = 0;
  const pid_t child = count > 1 ? vfork() : -1;
  if (!child) {
    execv(argument[1], argument + 1);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child)
    return 99;
  fprintf(stderr, "peak %ld\n", usage.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
END
if [ "$(uname)" != Linux ] || ! ${CC:-cc} -D_GNU_SOURCE -O1 $dir/peak.c -o $dir/peak 2>$dir/log; then
  echo "SKIP memory: ru_maxrss in kilobytes is Linux's"; echo "0 passed, 0 failed, 1 skipped"; exit 0
fi
# A band as a file too.
$perm --generate band:20000:3 --write $dir/band.mtx --explain >/dev/null 2>&1
base=$($dir/peak $perm --generate uniform:2 2>&1 >/dev/null | sed -n 's/^peak //p')
passed=0 failed=0 done=0
try() { # try EXITS LIMIT ARGUMENTS...: EXITS: d: done, r: refused, dr: either
  wanted=$1 limit=$2; shift 2
  $dir/peak $perm "$@" --max-seconds 60 --threads 2 --max-bytes $limit >$dir/out 2>$dir/err; code=$?
  peak=$(sed -n 's/^peak //p' $dir/err)
  ratio=$(awk -v p="${peak:-1e9}" -v b="$base" -v l=$limit 'BEGIN { printf "%.2f", (p - b) * 1024 / l }')
  case $wanted$code in d0|dr0) ok=1 done=$((done + 1));; r3|dr3) grep -Eq '[0-9] ([kMGTPE]B|bytes|of work)' $dir/err; ok=$((!$?));; *) ok=0;; esac
  [ "$1" = -v ] || [ -z "$verbose" ] || echo "$ratio of $limit, exit $code: $*"
  if [ $ok = 1 ] && awk -v r="$ratio" 'BEGIN { exit !(r <= 1.1) }'; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAIL $*: exit $code, peak/limit $ratio of $limit"; head -n 3 $dir/err; fi
}
[ "$1" = -v ] && verbose=1
try r 41e6 --generate band:100000:3
try d 130e6 --generate band:100000:3
try r 4e6 $dir/band.mtx
try d 30e6 $dir/band.mtx
try d 5e6 --generate er:22:0.25 --method sparyser
try r 40e6 --generate regular:100:3
try d 10e6 --generate grid:16:16
try d 30e6 --generate grid:20:20
try d 20e6 --generate er:34:0.25
try d 5e6 --generate er:30:0.25 --method hybrid
try d 20e6 --generate grid:16:16 --method arrays
try dr 60e6 --generate regular:40:3 --method lists
try d 20e6 --generate band:2000:4 --method tree
try d 20e6 --generate regular:60:3 --method decompose
try d 20e6 --generate bernoulli:24
try d 5e6 --generate uniform:18
try dr 40e6 --generate uniform:7 --rows 6,6,6,6,6,6,6 --cols 6,6,6,6,6,6,6 --method subsets
[ $done -ge 11 ] || { failed=$((failed + 1)); echo "FAIL only $done were done"; }
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
