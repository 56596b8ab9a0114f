#!/bin/sh
# The golden record: what some 5,000 problems answer, to the last bit (golden.c says how to read it).
# Usage: [NEON=1] tests/golden/golden.sh compare|record|sample|gpu|gpu-record
#   compare     every family of this processor, those hidden by --hide too; NEON=1: NEON under emulation too
#   record      makes all files again: on a processor with AVX-512 IFMA; neon.txt where there is a cross compiler
#   sample      every 16th problem, the best family, the library as users compile it (build/perm.o): for `make check`
#   gpu, gpu-record   gpu.txt, on a GPU
# Of NEON, which is emulated slowly, there is every 4th problem. The programs are there already: see the Makefile.
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/../.." || exit 1
mode=$1 here=tests/golden out=build/golden_out passed=0 failed=0 skipped=0
rm -rf $out; mkdir -p $out
export OMP_WAIT_POLICY=passive # threads that wait should not spin
ends() { # ends CODE LOG WHAT: counts
  if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL golden record: $3"; fi
  cat "$2"
}
close() { echo "$passed passed, $failed failed, $skipped skipped"; [ $failed -eq 0 ]; exit; }
family() { "$@" --class layout 2>/dev/null | sed -n '1s/.*family //p'; }
record() { # record FAMILY: the arguments that compare with it
  case $1 in
    avx512ifma) echo --compare $here/record.txt;;
    neon) echo --sample 4 --compare $here/record.txt $here/neon.txt;;
    *) echo --compare $here/record.txt $here/"$1".txt;;
  esac
}

case $mode in
  sample)
    name=$(family build/golden_sample)
    build/golden_sample $(record "$name") --sample 16 >$out/sample 2>&1
    ends $? $out/sample "$name, a sample"
    close;;
  gpu | gpu-record)
    family build/golden_gpu --gpus >$out/name
    if ! [ -s $out/name ]; then build/golden_gpu --gpus; skipped=1; close; fi
    if [ $mode = gpu ]; then
      build/golden_gpu --gpus --times --compare $here/gpu.txt >$out/gpu 2>&1; code=$?
    else
      build/golden_gpu --gpus >$out/gpu.txt 2>$out/gpu; code=$?
      [ $code -eq 0 ] && cp $out/gpu.txt $here/gpu.txt
    fi
    ends $code $out/gpu GPUs
    close;;
esac

# Names that the object exports, and those that golden.c calls: none of the first may be missing among the second.
nm -g --defined-only build/perm.o | awk '$2 ~ /[TDBR]/ {print $3}' | LC_ALL=C sort >$out/names.txt
nm -u build/golden.o | awk '{print $NF}' | LC_ALL=C sort >$out/called
LC_ALL=C comm -23 $out/names.txt $out/called >$out/uncalled
[ -s $out/names.txt ] && ! [ -s $out/uncalled ]; ends $? $out/uncalled "public calls without a problem"

neon=
if [ $mode = record ] || [ -n "$NEON" ]; then
  qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
  if [ "$(uname -m)" = x86_64 ] && [ -n "$qemu" ] && command -v aarch64-linux-gnu-gcc >/dev/null; then
    neon=build/golden_neon
    aarch64-linux-gnu-gcc -std=c99 -O2 -I. -c $here/golden_library.c -o $neon.o &&
      aarch64-linux-gnu-gcc -std=c99 -O1 -ffp-contract=off -static -I. $here/golden.c $neon.o -o $neon -lm || exit 1
  else
    echo "SKIP golden record of NEON: install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user (make setup-full)"
    skipped=1
  fi
fi
best=$(family build/golden)
if [ $mode = record ]; then
  [ "$best" = avx512ifma ] || { echo "the record is made on a processor with AVX-512 IFMA; this is $best"; exit 1; }
  cp $out/names.txt $here/names.txt
  build/golden >$out/record.txt || exit 1
  cp $out/record.txt $here/record.txt
  [ -n "$neon" ] && "$qemu" $neon --sample 4 --less $here/record.txt >$out/neon.txt &
  for hidden in avx512ifma avx512 avx2; do
    name=$(family build/golden --hide $hidden)
    build/golden --hide $hidden --less $here/record.txt >$out/"$name".txt || exit 1
    cp $out/"$name".txt $here/"$name".txt
  done
  wait
  [ -z "$neon" ] || { [ -s $out/neon.txt ] && cp $out/neon.txt $here/neon.txt; } || exit 1
  cat $here/*.txt | wc -c | sed 's/$/ bytes/'
  mode=compare
fi
cmp $here/names.txt $out/names.txt >$out/cmp 2>&1 || diff $here/names.txt $out/names.txt >>$out/cmp
! [ -s $out/cmp ]; ends $? $out/cmp "exported names"
[ -n "$neon" ] && { "$qemu" $neon $(record neon) >$out/neon 2>&1; echo $? >$out/neon.code; } &
for hidden in none avx512ifma avx512 avx2; do
  hide="--hide $hidden"; [ $hidden = none ] && hide=
  name=$(family build/golden $hide)
  [ -n "$name" ] && ! [ -e $out/"$name".code ] || continue # nothing to hide
  build/golden $hide $(record "$name") >$out/"$name" 2>&1; echo $? >$out/"$name".code
  ends "$(cat $out/"$name".code)" $out/"$name" "$name"
done
wait
[ -n "$neon" ] && ends "$(cat $out/neon.code)" $out/neon neon
close
# SPDX-License-Identifier: MIT
