#!/bin/sh
# The form: the headers compile warnings-clean in every dialect and with every installed compiler, vendored in a
# subfolder, renamed, in two translation units, static; the unit tests compile for other machines; the kernels do not
# spill in their row loops.
# Usage: tests/compile/run.sh [quick | warnings]     quick: the oldest dialects at -O0, spills of gcc at -O2 only;
# warnings: the headers read by the oldest dialects, nothing made; each by itself and for GPUs in C by gcc alone
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/../.." || exit 1
out=build/compile
mkdir -p $out/vendored
cp perm.h $out/vendored/renamed_permanent.h
warnings="-Werror -Wall -Wextra -Wpedantic -Wshadow -Wconversion"
passed=0 failed=0 skipped=0
headers="perm.h perm_sparse.h perm_more.h"
try() { # try NAME COMMAND...: runs it, counts it, shows its output only when it fails
  name=$1; shift
  if "$@" >$out/log 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAIL $name: $*"; head -n 20 $out/log; fi
}
skip() { skipped=$((skipped + 1)); echo "SKIP $1"; }
macros() { # COMPILER: the implementations below every macro of macros.txt; what they include comes before
  { printf '#ifdef __ARM_NEON\n#include <arm_neon.h>\n#endif\n'
    sed -n '/arm_neon/d; s/^ *# *include *\(<.*>\).*/#if __has_include(\1)\n#include \1\n#endif/p' $headers
    awk -f tests/compile/macros.awk tests/compile/macros.txt
    printf '#define PERM_IMPLEMENTATION\n#include "perm_more.h"\n'; } >$out/macros.c
  [ "$(grep -c '^#define' $out/macros.c)" -gt 1000 ] && $1 -std=gnu99 -fsyntax-only $2 -I. $out/macros.c
}
# clang in the place of Visual Studio's compilers: their macros, their C library stood in for (msvc.h). `cl` has no GNU
# extension, no clang and no 128-bit integers, as cl.exe; otherwise as clang-cl.
msvc() { # cl | clang-cl FLAGS...
  mkdir -p $out/msvc; for header in errno fenv locale malloc math stdio stdlib string time; do
    printf '#include "../../../tests/compile/msvc.h"\n' >$out/msvc/$header.h; done
  printf '#define PERM_IMPLEMENTATION\n#include "perm_more.h"\n' >$out/msvc/unit.c
  lacking=""; [ $1 = cl ] && lacking="-U__clang__ -U__SIZEOF_INT128__ -U__x86_64__ -U__x86_64 -D_M_X64=100"
  shift
  clang --target=x86_64-pc-windows-msvc -nostdlibinc -fms-compatibility -fms-extensions -fms-compatibility-version=19.39 \
    -fgnuc-version=0 $lacking -Werror -I. -isystem $out/msvc "$@" $out/msvc/unit.c
}
msvc_links() { # cl | clang-cl: it asks for nothing but C's functions, and what compilers and Windows have
  msvc $1 -x c -O0 -c -o $out/msvc/unit.obj && "$(clang -print-prog-name=llvm-nm)" -u $out/msvc/unit.obj | awk '
    { asked++ } $2 !~ /^(__imp_(MoveFileExA|QueryPerformance(Counter|Frequency))|__chkstk|_fltused|_errno|__acrt_iob_func)$/ {
      print $2 }' >$out/msvc/asked && [ -s $out/msvc/asked ] &&
    ! grep -vwFf - $out/msvc/asked <<END
$(grep -oE '[a-z0-9]+\(' tests/compile/msvc.h | tr -d '(')
END
}
enums() { # COMPILER: every public enum is an int where other enums are short: structs are as in a library without the flag
  { printf '#include "perm_more.h"\n'
    sed -n '/perm_gpu/d; s/^typedef enum \(perm_[a-z_]*\).*/char permi_short_\1[sizeof(\1) == sizeof(int) ? 1 : -1];/p' $headers
  } >$out/enums.c
  [ "$(grep -c permi_short $out/enums.c)" -ge 8 ] && $1 -fshort-enums -std=c99 -fsyntax-only -I. $out/enums.c
}

tests() { # COMPILER FLAGS...: the unit tests compile as portable.sh builds them
  "$@" -std=gnu11 -Wall -Wextra -Wshadow -Werror -fsyntax-only -I. tests/unit/all.c
}

for pair in gcc:c99 g++:c++11 clang:c99 clang++:c++11; do
  compiler=${pair%%:*} standard=${pair#*:} language=c
  case $standard in *++*) language=c++;; esac
  if ! command -v $compiler >/dev/null; then skip "$pair: install $compiler"; continue; fi
  for header in $headers; do
    [ $compiler = gcc ] || [ "$1" != warnings ] || [ $header = perm_more.h ] || continue
    try "$header, $pair" $compiler -x $language -std=$standard -fsyntax-only $warnings -DPERM_IMPLEMENTATION -I. $header
    [ $compiler = gcc ] || [ "$1" != warnings ] || continue
    try "$header, $pair, GPUs" $compiler -x $language -std=$standard -fsyntax-only $warnings -DPERM_IMPLEMENTATION \
      -DPERM_WITH_CUDA -I. $header
  done
done
try "macros of other headers" macros "${CC:-gcc}"
try "short enums" enums "${CC:-gcc}"
# The unit tests: clang names functions unused, gcc only when it makes code; without 128-bit integers; on other machines.
if ! command -v clang >/dev/null; then skip "tests, clang: install clang"; else try "tests, clang" tests clang; fi
printf '#define _GNU_SOURCE 1\n#if defined(__x86_64__)\n#include <immintrin.h>\n#endif\n#define __int128 none\n' >$out/none.h
try "tests, without 128-bit integers" tests "${CC:-gcc}" -U__SIZEOF_INT128__ -include $out/none.h
[ "$1" = warnings ] || [ "$1" = quick ] ||
  for machine in "i686-linux-gnu-gcc -msse2 -mfpmath=sse" s390x-linux-gnu-gcc riscv64-linux-gnu-gcc \
    aarch64-linux-gnu-gcc musl-gcc x86_64-w64-mingw32-gcc; do
    if echo '#include <stdio.h>' | $machine -E -x c - >/dev/null 2>&1; then try "tests, ${machine%% *}" tests $machine
    else skip "tests, $machine: portable.sh has what to install"; fi
  done
if [ "$1" = warnings ]; then
  if ! command -v clang >/dev/null; then skip "Visual Studio, stood in for: install clang"; else
    try "cl.exe, stood in for" msvc cl -x c -std=c11 -fsyntax-only; fi
  echo "$passed passed, $failed failed, $skipped skipped"
  [ $failed -eq 0 ]
  exit
fi

build_pair() { # COMPILER STANDARD LEVEL: two units, vendored and renamed, linked and run
  language=c; case $2 in *++*) language=c++;; esac
  for unit in user_a user_b; do
    [ $unit = user_b ] && set -- "$1" "$2" "$3 -fshort-enums"
    $1 -x $language -std=$2 $3 $warnings -I$out -c tests/compile/$unit.c -o $out/$unit.o || return 1
  done
  $1 $out/user_a.o $out/user_b.o -o $out/pair -lm && $out/pair
}
build_static() {
  language=c; case $2 in *++*) language=c++;; esac
  $1 -x $language -std=$2 $3 $warnings -I. -c tests/compile/user_static.c -o $out/static.o &&
    $1 $out/static.o -o $out/static -lm && $out/static
}

cross=aarch64-linux-gnu-gcc
levels="-O1 -O2 -O3" spill_levels="-O1 -O2 -O3"
later="gcc:c17 gcc:c2x g++:c++14 g++:c++17 g++:c++20 clang:c17 clang:c2x clang++:c++14 clang++:c++17 clang++:c++20"
dialects="gcc:c99 gcc:c11 g++:c++11 clang:c99 clang:c11 clang++:c++11" spills="gcc clang $cross"
[ "$1" = quick ] && levels="-O0" spill_levels="-O2" later="gcc:c2x clang++:c++20" spills="gcc" &&
  dialects="gcc:c99 g++:c++11 clang:c99 clang++:c++11"
for pair in $dialects; do
  compiler=${pair%%:*} standard=${pair#*:}
  if ! command -v $compiler >/dev/null; then skip "$pair: install $compiler"; continue; fi
  for level in $levels; do
    try "pair $pair $level" build_pair $compiler $standard $level
    try "static $pair $level" build_static $compiler $standard $level
  done
done
[ "$1" = quick ] || for level in -O2 -O3 "-O2 -march=native" "-O3 -march=native"; do # not those of perm_sparse.h
  try "the README's program, $level" ${CC:-gcc} -Wall -Wextra -Werror $level -I. -c tests/compile/user_compute.c \
    -o $out/compute.o
done
for pair in $later; do # the same text, read by later standards
  compiler=${pair%%:*} standard=${pair#*:}
  if ! command -v $compiler >/dev/null; then skip "$pair: install $compiler"; continue; fi
  if [ "$1" = quick ]; then
    language=c; case $standard in *++*) language=c++;; esac
    try "$pair" $compiler -x $language -std=$standard -fsyntax-only $warnings -I. tests/compile/user_static.c
  else
    try "$pair" build_static $compiler $standard -O0
  fi
done

# Visual Studio's compilers, stood in for; CUDA's, which passes on what it does not know.
if ! command -v clang >/dev/null; then skip "Visual Studio, stood in for: install clang"; else
  for pair in c:c11 c++:c++14; do
    try "cl.exe, stood in for, $pair" msvc cl -x ${pair%%:*} -std=${pair#*:} -fsyntax-only
    try "clang-cl, stood in for, $pair" msvc clang-cl -x ${pair%%:*} -std=${pair#*:} -fsyntax-only
  done
  if ! command -v "$(clang -print-prog-name=llvm-nm)" >/dev/null; then skip "Visual Studio, what is linked: install llvm"
  else for compiler in cl clang-cl; do try "$compiler, what is linked" msvc_links $compiler; done; fi
fi
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
quiet() { "$@" >$out/quiet 2>&1; code=$?; cat $out/quiet; [ $code -eq 0 ] && [ ! -s $out/quiet ]; }
printf '#define PERM_IMPLEMENTATION\n#include "perm_more.h"\n' >$out/both.cu
if [ -z "$nvcc" ]; then skip "nvcc: not here (the CUDA toolkit has it)"; else
  try "nvcc, the headers" quiet $nvcc -O2 --cuda -I. $out/both.cu -o $out/both.ii
  try "nvcc, perm_cuda.cu" quiet $nvcc -O2 --cuda -I. perm_cuda.cu -o $out/perm_cuda.ii
fi
printf '#include <tgmath.h>\n#define PERM_IMPLEMENTATION\n#include "perm_more.h"\n' >$out/tgmath.c
for compiler in gcc clang; do
  if ! command -v $compiler >/dev/null; then skip "tgmath.h, $compiler: not here"; continue; fi
  try "tgmath.h, $compiler" $compiler -std=c99 -fsyntax-only $warnings -I. $out/tgmath.c
done

# The clock never jumps; every engine runs in threads with stacks of 64 KiB, in which no frame is large.
build_clock() { # COMPILER STANDARD FLAGS
  language=c; case $2 in *++*) language=c++;; esac
  $1 -x $language -std=$2 $3 -O0 $warnings -Wno-unused-function -I. tests/compile/clock.c -o $out/clock -lm && $out/clock
}
stacks() { # COMPILER FLAGS...
  "$@" -std=gnu11 -O1 -Wall -Wextra -I. -c tests/stacks.c -o $out/stacks.o &&
    "$@" $out/stacks.o -o $out/stacks -lm -lpthread && OMP_STACKSIZE=64k $out/stacks
}
frames() { # BYTES: no function's is larger, but of the kernels of small orders, which call nothing
  awk -F '\t' -v most=$1 '$1 ~ /permi?_/ { functions++ } $1 ~ /permi?_/ && $2 > ($1 ~ /permi_small_|permi_batch_halves_real/ ? 28000 : most) {
    print $1, $2; large = 1 } END { exit large || functions < 500 }' $out/stacks.su
}
clocks="gcc:c99 gcc:gnu11 g++:c++11 clang:c99 clang++:c++11 musl-gcc:c99"
[ "$1" = quick ] && clocks="gcc:c99 clang++:c++11 musl-gcc:c99"
for pair in $clocks; do
  compiler=${pair%%:*} standard=${pair#*:}
  if ! command -v $compiler >/dev/null; then skip "clock $pair: install $compiler"; continue; fi
  try "clock $pair" build_clock $compiler $standard ""
done
if command -v gcc >/dev/null; then
  [ "$1" = quick ] || try "stacks gcc" stacks gcc
  try "stacks gcc, OpenMP" stacks gcc -fstack-usage -fopenmp
  try "frames" frames 8400
fi
if [ "$1" != quick ] && command -v clang >/dev/null; then try "stacks clang" stacks clang; fi

# The same for 64-bit Arm; run if there is an emulator.
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
build_cross() { # STANDARD LEVEL
  for unit in user_a user_b user_static; do
    $cross -std=$1 $2 $warnings -I. -I$out -c tests/compile/$unit.c -o $out/$unit.o || return 1
  done
  $cross -static $out/user_a.o $out/user_b.o -o $out/pair -lm && $cross -static $out/user_static.o -o $out/static -lm &&
    { [ -z "$qemu" ] || { "$qemu" $out/pair && "$qemu" $out/static; }; }
}
if ! echo '#include <stdio.h>' | $cross -E -x c - >/dev/null 2>&1; then skip "aarch64: install gcc-aarch64-linux-gnu libc6-dev-arm64-cross"; else
  standards="c99 gnu11"
  [ "$1" = quick ] && standards=c99
  for standard in $standards; do
    for level in $levels; do
      try "aarch64 $standard $level" build_cross $standard $level
    done
  done
  if ! command -v clang >/dev/null; then skip "aarch64 clang: install clang"; else
    try "aarch64 clang" clang --target=aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include -std=c99 -fsyntax-only \
      $warnings -I. tests/compile/user_static.c
  fi
fi

# Spills, per kernel least:allowed. least = multiplies of one row (or pair of rows). allowed = stack operands in the
# row loop, 0 but where the products alone take the registers: double-double complex ones hold four
# vectors a setting (K = 2: 16 of 32, K = 1: 8 of 16), and one setting's row needs up to 16 more; the next smaller
# block spills less but makes every sum of a row serve half as many products. pair_complex_avx2 holds 8 products, a
# product ahead and its next one, 12 of 16 registers. NEON: sums cannot take an operand from memory and gcc loads
# early, from -O2 on; what was measured with gcc 12.
x86="glynn_real_avx512:16:0 glynn_real_k2_avx512:8:0 pair_real_avx512:24:0 pair_real_k2_avx512:12:0
  pair_complex_avx512:36:0 split_real_avx512:8:0 split_complex_avx512:16:0
  dd_real_avx512:32:0 dd_complex_avx512:64:12
  glynn_real_avx2:8:0 pair_real_avx2:12:0 pair_complex_avx2:20:6 split_real_avx2:8:0 split_complex_avx2:16:0
  dd_real_avx2:16:0 dd_complex_avx2:32:40"
neon="glynn_real_neon:16:0 pair_real_neon:24:2 pair_complex_neon:36:5 split_real_neon:8:0 split_complex_neon:16:2
  dd_real_neon:32:8 dd_complex_neon:64:72"
echo '#define PERM_IMPLEMENTATION
#include "perm.h"' >$out/kernels.c
check_spills() { # COMPILER OBJDUMP KERNELS
  if ! command -v $1 >/dev/null || ! command -v $2 >/dev/null; then skip "spills $1: install $1 and $2"; return; fi
  for level in $spill_levels; do
    if [ -n "$ready" ]; then cp $ready $out/kernels.o; else $1 -std=c99 $level -I. -c $out/kernels.c -o $out/kernels.o; fi &&
      $2 -d --no-show-raw-insn $out/kernels.o >$out/kernels.s
    for kernel in $3; do
      allowed=${kernel##*:} name=permi_${kernel%%:*}
      kernel=${kernel%:*}
      try "spills $1 $level $name" awk -v kernel=$name -v least=${kernel#*:} -v allowed=$allowed \
        -f tests/compile/spills.awk $out/kernels.s
      [ -z "$verbose" ] || cat $out/log
    done
  done
}
ready="" # quick: what the tests were built with
[ "$1" = quick ] && ${CC:-cc} --version | grep -q Free && ready=build/perm.o
if [ "$(uname -m)" != x86_64 ]; then
  skip "spills: needs objdump and an x86-64 compiler"
else
  for compiler in $spills; do
    case $compiler in
      aarch64-*) check_spills $compiler aarch64-linux-gnu-objdump "$neon";;
      *) check_spills $compiler objdump "$x86";;
    esac
  done
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
