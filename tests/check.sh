#!/bin/sh
# Runs every test program, two at a time, adds up their closing lines, and closes with `N passed, N failed, N skipped`.
# Usage: tests/check.sh [ci | full]
#   (nothing)  make check: after each change, two minutes of two cores with its builds
#   ci         make check-ci: each part, at the size that it has without `full`
#   full       make check-full: all of ci at full size, other machines, sanitizers, fuzzing, attacks, coverage
# A part is left out, or a smaller one of the same program, by what it tests and never by how long it took.
cd "$(dirname "$0")/.." || exit 1
mkdir -p build
rm -rf build/check; mkdir build/check
level=$1 full=""
[ "$level" = full ] && full=full
export OMP_WAIT_POLICY=passive # two parts at a time have more threads than cores: none should spin
# NAME|COMMAND, the longest first; the last line of each is `N passed, N failed, N skipped`
quick_parts() { # each with what it leaves to check-ci
  cat <<'END'
unit tests|build/tests_O1 -q -s 0/2
unit tests, the other half|build/tests_O1 -q -s 1/2
command line|sh tests/cli.sh quick
warnings|sh tests/compile/run.sh warnings
examples|sh tests/examples.sh quick
lesser processors|sh tests/isa.sh few
README and manuals|sh tests/house/manuals.sh names
rooms|sh tests/house/rooms.sh quick
budgets|sh tests/house/budgets.sh
golden record, a sample|sh tests/golden/golden.sh sample
proofs|sh tests/proofs/run.sh quick
END
}
# What check leaves to check-ci, part by part:
#   unit tests          those of TEST_LONG (long searches and statistics), three quarters of the trials or the largest
#                       orders of others that take a second (test_quick), and the build at -O2
#   command line        the Python verifier of proofs, and two commands that take ten seconds
#   examples            compiling hello by its own line; the largest scene that is enumerated
#   lesser processors   all but one test a kind of kernel; emulators
#   warnings            perm.h and perm_sparse.h by themselves in clang and C++, and GPUs there; dialects since C11 and C++14,
#                       programs made by both compilers, stacks, the clock, spills
#   README and manuals  running their commands and examples
#   rooms, budgets      each room compiled by itself; compile seconds
#   proofs              most false twins, that the provers must refuse
#   not at all          everything crossed (tests/attack), false proofs, pictures, GPUs or their twin, kills, limits, ranks, headers, memory, Python, R, installation, the study
# What check-ci leaves to check-full:
#   unit tests          every one on lesser processors, under emulated NEON, sanitizers and valgrind; coverage
#   golden record       all problems, all families
#   budgets             perm.h without what may be left out, all three headers
#   dialects, spills    optimisation levels, clang's and Arm's spills; other machines, C libraries and flags
#   GPUs                every architecture, sanitizers
#   everything crossed  hours instead of a minute
#   false proofs        100,000 instead of 30,000
#   kills, limits       200 rounds, more moments; ranks, Python, examples, manuals, the study: more of the same
#   not at all          fuzzing, threads under ThreadSanitizer, soundness of bounds, attacks on estimates
parts() {
  [ -z "$level" ] && { quick_parts; return; }
  echo "budgets|sh tests/house/budgets.sh ${full:-compile}" # the first: it runs alone
  echo 'unit tests|build/tests'
  if [ "$full" = full ]; then cat <<'END'
every unit test on NEON under emulation|sh tests/isa.sh full
every unit test on lesser processors|sh tests/isa.sh hidden
golden record|NEON=1 make -s golden
sanitizers|make -s check-sanitize
dialects and spills|sh tests/compile/run.sh
other machines and flags|sh tests/compile/portable.sh
GPUs, every architecture|sh tests/cuda/run.sh
kills|sh tests/kill.sh 200
limits|sh tests/limits.sh full
coverage|sh tests/house/coverage.sh
fuzzing of the readers|make -s fuzz && echo "1 passed, 0 failed, 0 skipped"
threads|make -s check-thread
valgrind|make -s check-valgrind
soundness of bounds, estimates under attack|make -s check-soundness SOUNDNESS=50000 CLIMB=200000
everything crossed, for two hours|build/differential --seconds 7200 --seed $(date +%s)
END
  else cat <<'END'
lesser processors|sh tests/isa.sh quick
golden record, a sample|sh tests/golden/golden.sh sample
dialects and spills|sh tests/compile/run.sh quick
GPUs, or their twin|sh tests/cuda/run.sh quick
everything crossed|build/differential --seconds 60 --seed $(date +%s)
kills|sh tests/kill.sh
limits|sh tests/limits.sh
END
  fi
  cat <<END
Python|sh tests/python.sh $full
R|sh tests/r.sh
ranks|sh tests/mpi/run.sh $full
examples|sh tests/examples.sh $full
false proofs|build/false_proofs $([ "$full" ] && echo 100000 || echo 30000)
README and manuals|sh tests/house/manuals.sh $full
headers|sh tests/house/headers.sh
rooms|sh tests/house/rooms.sh
proofs|sh tests/proofs/run.sh
command line|sh tests/cli.sh
memory|sh tests/memory.sh
pictures|sh tests/house/pictures.sh
installation|sh tests/install.sh
random-matrix study|sh tests/study.sh $full
END
}
part() { # part LOG NAME COMMAND: runs it and tells how it ended
  log=$1 name=$2 start=$(date +%s)
  sh -c "$3" >$log 2>&1 </dev/null
  code=$?
  line=$(tail -n 1 $log)
  case $line in
    *" passed, "*" failed, "*" skipped")
      set -- $line
      failed=$3
      [ "$3" -eq 0 ] && [ $code -ne 0 ] && failed=1
      echo "$1 $failed $5" >$log.counts;;
    *) echo "0 1 0" >$log.counts; line="FAIL $name ended without its closing line (exit $code)";;
  esac
  { echo "== $name: $line; $(($(date +%s) - start)) s"
    if [ $code -ne 0 ]; then tail -n 60 $log; else grep SKIP $log; fi; } >$log.told
  cat $log.told
}
lane() { # lane PARTS: takes the next part of that file that nobody has, until there is none
  number=0
  while IFS='|' read -r name command; do
    number=$((number + 1))
    mkdir build/check/$number 2>/dev/null && part build/check/$number/log "$name" "$command"
  done <$1
}
parts >build/check/parts
[ -n "$level" ] && { head -n 1 build/check/parts >build/check/first; lane build/check/first; }
lane build/check/parts &
lane build/check/parts
wait
cat build/check/*/log.counts | awk '{passed += $1; failed += $2; skipped += $3; parts++}
  END {print passed " passed, " failed " failed, " skipped " skipped"; exit parts < least || failed > 0}' \
  least="$(wc -l <build/check/parts)"
# SPDX-License-Identifier: MIT
