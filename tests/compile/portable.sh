#!/bin/sh
# Other machines, C libraries and flags: unit tests run on 32-bit x86, s390x (big-endian) and riscv64 under emulation,
# with musl, and on Windows' libraries under wine; zig compiles programs for macOS and Windows, tcc one for here;
# checkpoints go from x86-64 to s390x and back; flags that break the proofs are refused or seen.
# Usage: [REQUIRE=1] tests/compile/portable.sh [full]
# full: every test everywhere (hours under emulation; on all cores), and other levels and flags on this machine too.
# What is missing is skipped, counted (`make setup-full` installs it); REQUIRE=1: a failure.
# Writes build/portable/table.md. The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/../.." || exit 1
out=build/portable
mkdir -p $out/here/build # tests write to build/: not where other test programs do
# What depends on the machine: byte order, word length, contraction, long double, the C library's numbers and files.
tests="t_sum t_integers t_every_status t_ones t_derangements t_power_of_two t_small_r t_extreme t_exact_takes t_state_is
  t_state_refuses t_partial t_checkpoint_round t_checkpoint_strangers t_io_ t_precision t_rect_identities
  t_minors_zeros t_minors_statuses t_batch_integers t_batch_scales t_sparse_integers_of t_sparse_gaussian
  t_sparse_transpose t_tree_bound_of t_engines_residues t_arguments t_signs_search t_signs_equals"
export OMP_WAIT_POLICY=passive
[ "$1" = full ] && tests="" && processes=$(getconf _NPROCESSORS_ONLN)
processes=${processes:-2}
passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAIL $1"; head -n 20 $out/log; }
skip() { echo "SKIP $1"; if [ -n "$REQUIRE" ]; then failed=$((failed + 1)); else skipped=$((skipped + 1)); fi; }
try() { name=$1; shift; if "$@" >$out/log 2>&1; then pass; else fail "$name: $*"; fi; }
refused() { # NAME COMMAND...: fails, and by what perm.h says
  name=$1; shift
  if "$@" >$out/refusal 2>&1; then fail "$name is not refused"; else
    try "$name" grep -q 'perm.h needs double\|perm.h proves\|permi_constants_are_doubles' $out/refusal
  fi
}
works() { # RUNNER COMPILER FLAGS...: a program of this compiler runs here
  runner=$1; shift
  echo 'int main(void) { return 0; }' | "$@" -x c - -lm -o $out/probe 2>/dev/null && $runner $out/probe
}
echo "| machine | compiler | tests passed | failed | skipped |
|---|---|---|---|---|" >$out/table.md
machine() { # NAME TO-INSTALL RUNNER COMPILER FLAGS...: builds and runs the unit tests
  name=$1 install=$2 runner=$3; shift 3
  if ! works "$runner" "$@"; then skip "$name: install $install"; return; fi
  echo "== $name: $*"
  if ! "$@" -std=gnu11 -Wall -Wextra -Wshadow -Werror -Wno-maybe-uninitialized -I. tests/unit/all.c \
    -o $out/tests_"$name" -lm >$out/log 2>&1
  then fail "build of the tests: $name"; return; fi
  part=0 ids=""
  while [ $part -lt $processes ]; do
    (cd $out/here && exec $runner ../tests_"$name" -s $part/$processes $tests) >$out/"$name".$part.log 2>&1 &
    ids="$ids $!"
    part=$((part + 1))
  done
  for id in $ids; do wait $id; done
  cat $out/"$name".*.log | grep -E '^FAIL|^SKIP|repeat:'
  set -- "$*" $(tail -q -n 1 $out/"$name".*.log | tr -d '\r' | awk -v parts=$processes '
    / passed, .* failed, .* skipped$/ { p += $1; f += $3; s += $5; ended++ }
    END { print p + 0, f + parts - ended, s + 0 }') # a part that did not end has failed
  echo "$2 passed, $3 failed, $4 skipped"
  echo "| $name | \`$1\` | $2 | $3 | $4 |" >>$out/table.md
  passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
}
s390x="s390x-linux-gnu-gcc -static"
qemu() { command -v qemu-$1 || command -v qemu-$1-static || echo qemu-$1; }
rm -f $out/*.log
machine i686 "gcc-i686-linux-gnu libc6-dev-i386-cross" "" i686-linux-gnu-gcc -O2 -msse2 -mfpmath=sse -static
machine s390x "gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user" "$(qemu s390x)" $s390x -O2
machine riscv64 "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user" "$(qemu riscv64)" \
  riscv64-linux-gnu-gcc -static -O1
machine musl musl-tools "" musl-gcc -static -Os
if works "" musl-gcc -static; then # threads of 64 KiB there too; musl's own default is 128
  try "musl, stacks" musl-gcc -static -std=gnu11 -O1 -I. tests/stacks.c -o $out/stacks -lm
  try "musl, stacks: runs" $out/stacks
fi
wine=$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64 2>/dev/null)
printf '%s\n' '#!/bin/sh' 'program=$1; shift' \
  "WINEPREFIX=$PWD/$out/prefix WINEDEBUG=-all exec ${wine:-wine64} \"\$program.exe\" \"\$@\"" >$out/windows
chmod +x $out/windows
of_machine=$tests tests="" # all: other mathematics (fma rounds twice), other files
machine windows "gcc-mingw-w64-x86-64 wine64" $PWD/$out/windows x86_64-w64-mingw32-gcc -O2
tests=$of_machine

# Compilers without GNU's extensions, and other systems' headers and linkers.
printf '#define PERM_IMPLEMENTATION\n#include "perm_more.h"\nint main(void) { return PERM_OK; }\n' >$out/whole.c
zig="$(command -v zig) cc"
[ -x build/zig/bin/python ] && zig="build/zig/bin/python -m ziglang cc"
if $zig --version >/dev/null 2>&1; then
  for target in aarch64-macos x86_64-macos x86_64-windows-gnu aarch64-windows-gnu; do
    try "zig cc for $target" $zig -target $target -std=c99 -O1 -Wall -Wextra -Wshadow -Werror -I. $out/whole.c \
      -o $out/whole_$target -lm
  done
else skip "macOS and Windows by zig: python3 -m venv build/zig && build/zig/bin/pip install ziglang"; fi
try "the command for this machine" ${CC:-cc} -O1 -I. examples/command/perm_cli.c -o $out/perm_cc -lm
if command -v tcc >/dev/null; then
  try "tcc" tcc -I. examples/command/perm_cli.c -o $out/perm_tcc -lm
  same_by_tcc() {
    $out/perm_tcc "$@" | grep permanent >$out/tcc
    $out/perm_cc "$@" --isa plain | grep permanent | cmp $out/tcc -
  }
  for kind in uniform:14 unitary:9 binary:20:0.5 grid:8:8 er:24:0.2; do
    try "tcc: the same permanent of $kind" same_by_tcc --generate $kind
  done
else skip "tcc: install it"; fi
if [ "$1" = full ]; then
  machine aarch64 "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" "$(qemu aarch64)" \
    aarch64-linux-gnu-gcc -static -O2
  fma=""; [ "$(uname -m)" = x86_64 ] && fma="-march=haswell"
  for level in -O0 -O1 -O3 -Os "-O2 $fma -ffp-contract=fast" "-O2 -fno-signed-zeros -fno-trapping-math -fno-math-errno"
  do machine "here, gcc $level" gcc "" gcc $level -fopenmp; done
  for level in -O1 "-O3 $fma -ffp-contract=fast"; do machine "here, clang $level" clang "" clang $level; done
fi

# Checkpoints: the same bytes on x86-64 and s390x, and what one began the other ends.
exchange() { # OPTIONS...
  rm -f $out/little.* $out/big.*
  for part in 1 2; do
    $out/perm_cc "$@" --isa plain --threads 1 --part $part/2 --checkpoint $out/little.$part >/dev/null &&
      $there $out/perm_s390x "$@" --isa plain --threads 1 --part $part/2 --checkpoint $out/big.$part >/dev/null &&
      cmp $out/little.$part $out/big.$part || return 1
  done
  build/perm "$@" --isa plain | grep permanent >$out/whole
  build/perm --merge $out/little.1 $out/big.2 | grep permanent >$out/merged && cmp $out/whole $out/merged &&
    $there $out/perm_s390x --merge $out/big.1 $out/little.2 | grep permanent >$out/merged && cmp $out/whole $out/merged
}
there=$(qemu s390x)
if ! works "$there" $s390x || [ "$(uname -m)" != x86_64 ]; then skip "checkpoints from x86-64 to s390x and back"; else
  try "command for s390x" $s390x -std=c99 -O1 -Werror -Wall -Wextra -I. examples/command/perm_cli.c -o $out/perm_s390x -lm
  try "command" make -s build/perm
  try "checkpoints: real" exchange --generate uniform:14 --method glynn
  try "checkpoints: complex" exchange --generate complex-gauss:11 --method glynn
  try "checkpoints: integers" exchange --generate bernoulli:16 --method exact
fi

# Flags. GCC says in macros what it may do; clang only partly, and then bounds are refused at run time.
printf '#define PERM_IMPLEMENTATION\n#include "perm.h"\n' >$out/flags.c
check="-I. -fsyntax-only -Wfatal-errors $out/flags.c"
if works "" i686-linux-gnu-gcc -static; then
  refused "x87" i686-linux-gnu-gcc $check
  refused "x87 and SSE" i686-linux-gnu-gcc -msse2 -mfpmath=both $check
fi
for compiler in gcc clang; do
  if ! command -v $compiler >/dev/null; then skip "flags of $compiler: install it"; continue; fi
  for flag in -ffast-math -Ofast -ffinite-math-only; do refused "$compiler $flag" $compiler $flag $check; done
done
if command -v gcc >/dev/null && [ "$(uname -m)" = x86_64 ]; then
  for flag in -funsafe-math-optimizations -freciprocal-math -fsingle-precision-constant \
    "-fassociative-math -fno-signed-zeros -fno-trapping-math"; do refused "gcc $flag" gcc $flag $check; done
  try "gcc -march=sapphirerapids" gcc -std=gnu11 -march=sapphirerapids $check
fi
try "s390x in C99" $s390x -std=c99 $check
if works "" clang; then
  for flags in "" "1 -funsafe-math-optimizations" "1 -fassociative-math -fno-signed-zeros -fno-trapping-math" \
    "1 -freciprocal-math" "1 -fno-honor-nans"; do
    try "clang $flags: build" clang -O2 ${flags#1} -I. tests/compile/bounds.c -o $out/bounds -lm
    try "clang $flags: bounds only where they hold" $out/bounds ${flags%% *}
  done
  for level in -O1 -O2; do
    try "clang $level -fno-honor-nans: build" clang $level -fno-honor-nans -I. tests/compile/nan.c -o $out/nan -lm
    try "clang $level -fno-honor-nans: NaN is refused" $out/nan
  done
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
