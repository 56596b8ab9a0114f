#!/bin/sh
# make release-check: what is measured and attacked for a release, part after part, hours of many cores at full size.
# SCALE=1/1000 is a thousandth of each part that has a size, and leaves out those that have none. A part that has passed
# for this commit at this size is not run again, so that a sweep may be interrupted; build/release has a log of each.
# Others are settings of one part: JOBS, SEED, FUZZ_SECONDS, SINCE (rooms changed since this commit have mutants),
# PARTS (of their names), REQUIRE=1 (what is missing is a failure). build/release/table.md has name, command, seconds.
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
scale=${SCALE:-1} jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)} seed=${SEED:-1} out=build/release passed=0 failed=0 skipped=0
export OMP_WAIT_POLICY=passive
least_scale=0.1 # parts without a size of their own run from here on
of() { awk -v all="$1" -v scale="$scale" -v least="$2" 'BEGIN { split(scale, part, "/"); n = all * part[1] / (part[2] ? part[2] : 1)
  printf "%.0f", (n > least ? n : least) }'; } # of FULL LEAST
[ "$(of 1e9 0)" -gt 0 ] || { echo "SCALE=$scale: expected a number or a fraction, such as 1/1000"; exit 2; }
whole() { [ "$(of 1000000 0)" -ge "$(awk "BEGIN { print 1000000 * $least_scale }")" ]; }
since=${SINCE:-$(git describe --tags --abbrev=0 2>/dev/null || git rev-list --max-count=30 HEAD | tail -n 1)}
changed=$(git diff --name-only "$since" -- src | sed -n 's|^src/\(.*\)\.h$|\1|p' |
  while read -r room; do sed -n "/^ROOMS = /,/split()/p" tests/attack/mutate.py | grep -qw "$room" && echo "$room"; done |
  paste -sd , -)
state=$(git rev-parse HEAD; git diff HEAD | cksum)
mkdir -p $out
[ -s $out/table.md ] || printf '| part | command | seconds | how it ended |\n|---|---|---|---|\n' >$out/table.md

# NAME|SIZED or WHOLE|what make builds for it|COMMAND
parts() { cat <<END
figures|sized||awk -f tests/house/figures.awk docs/figures.md
differential|sized|build/differential|build/differential --cases $(of 1e7 5000) --seed $seed --jobs $jobs
soundness|sized|build/soundness|build/soundness $(of 1e7 4000) $seed $jobs
splitters|sized|build/climb|build/climb --splitters $(of 3000 30) $seed
climber|sized|build/climb|build/climb -j $jobs $(of 1e6 1000) $seed
residues|sized|build/residues|build/residues $(of 1e6 20000) $seed $jobs
false proofs|sized|build/false_proofs|build/false_proofs $(of 1e6 2000)
fuzzing|sized||FUZZ_SECONDS=${FUZZ_SECONDS:-$(of 3600 4)} FUZZ_JOBS=$jobs sh tests/attack/fuzz/hours.sh
proofs of rounding|sized||sh tests/proofs/run.sh
golden sample|sized|build/golden_sample|sh tests/golden/golden.sh sample
golden record|whole|build/golden build/perm.o|NEON=1 sh tests/golden/golden.sh compare
mutants|whole||python3 tests/attack/mutate.py --rooms '$changed' --count $(of 2000 20) --seed $seed --jobs $jobs
coverage|whole||sh tests/house/coverage.sh
other machines|whole||sh tests/compile/portable.sh full
prices|whole|build/bench_sparse|build/bench_sparse prices
bench|whole||make -s bench
bench of sparse|whole||make -s bench PART=sparse
bench of Python|whole||make -s bench PART=python
END
}
part() { # part NAME SIZED BUILT COMMAND
  log=$out/$(echo "$1" | tr ' ' _) start=$(date +%s)
  case ",$PARTS," in ,, | *",$1,"*) ;; *) return;; esac
  if [ "$2" = whole ] && ! whole; then echo "left out below SCALE=$least_scale: $1"; skipped=$((skipped + 1)); return; fi
  [ "$1" = mutants ] && [ -z "$changed" ] && { echo "SKIP mutants: no room changed since $since"; skipped=$((skipped + 1)); return; }
  if [ "$(cat $log.passed 2>/dev/null)" = "$state $4" ]; then
    echo "== $1: passed before"; passed=$((passed + 1)); return
  fi
  { [ -z "$3" ] || make -s $3; } >$log.log 2>&1 </dev/null && sh -c "$4" >>$log.log 2>&1 </dev/null
  code=$? last=$(tail -n 1 $log.log | cut -c 1-150) took=$(($(date +%s) - start))
  if [ $code -ne 0 ]; then
    failed=$((failed + 1)); echo "FAIL $1: $4"; tail -n 20 $log.log
  elif [ "$(grep -vc '^SKIP' $log.log)" -eq 0 ]; then # nothing else was said: it did not run
    skipped=$((skipped + 1)); cat $log.log
  else
    passed=$((passed + 1)); echo "$state $4" >$log.passed
  fi
  echo "| $1 | \`$4\` | $took | $last |" >>$out/table.md
  echo "== $1: $last; $took s"
}
parts >$out/parts
while IFS='|' read -r name sized built command; do part "$name" "$sized" "$built" "$command"; done <$out/parts
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
# SPDX-License-Identifier: MIT
