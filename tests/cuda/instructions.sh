#!/bin/sh
# Instructions of the dense kernels, n = 40, by architecture, as NVRTC compiles them; no GPU is needed. An element
# is a row of a sign vector. Instructions are 16 bytes, the low 9 bits say which.
# Usage: tests/cuda/instructions.sh        after make build/tests_cuda
cd "$(dirname "$0")/../.." || exit 1
log=build/instructions.log
PERM_CUDA_KEEP=1 build/tests_cuda t_cuda_floats_compile >$log || { cat $log; exit 1; }
echo "| arch | kernel | FFMA | FADD | FMUL | DFMA, DADD, DMUL | FP32 an element | spills |"
echo "|---|---|---|---|---|---|---|---|"
for arch in 86 89 90 103 120; do
  for way in 0 1 2 3 4 5; do
    file=build/floats_sm${arch}_$way.cubin
    [ -f $file ] || continue
    set -- $(readelf -SW $file 2>/dev/null | sed 's/\[ */[/' | awk '$2 == ".text.permi_kernel" { print $5, $6 }')
    od -An -v -tx4 -w16 -j $((0x$1)) -N $((0x$2)) $file | awk -v arch=$arch -v way=$way '
      { op = substr($1, 6, 3) }
      op ~ /^[02468ace]23$/ { ffma++ }
      op ~ /^[02468ace]21$/ { fadd++ }
      op ~ /^[02468ace]20$/ { fmul++ }
      op ~ /^[02468ace]2[89b]$/ { double++ }
      op == "387" || op == "983" { spills++ }
      END {
        split("groups of 4,one row,one row and majorants,entries of 24 bits,FP64,complex", name, ",")
        start = way == 4 ? 0 : way == 3 ? 40 : way == 5 ? 320 : 80 # of FMUL, where a chunk starts
        printf "| sm_%d | %s | %d | %d | %d | %d | %.2f | %d |\n", arch, name[way + 1], ffma, fadd, fmul, double,
               (ffma + fadd + fmul - start) / (way == 3 ? 160 : 80), spills
      }'
    rm -f $file
  done
done
# SPDX-License-Identifier: MIT
