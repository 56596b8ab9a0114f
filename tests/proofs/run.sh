#!/bin/sh
# Proofs that a machine checks: claims about rounding in the comments of src/, as Gappa scripts (*.g, and what *.sh
# write for orders and numbers of limbs) and Coq files (*.v, with Flocq). docs/proofs-rounding.md lists what they cover and
# what not.
# Usage: tests/proofs/run.sh [quick]      quick: false twins of a few claims only
# A script opens with the rooms that it is about (>>bounds), which cite it (tests/proofs/dense.g).
#   # CLAIM name      begins a claim, an input of Gappa by itself; a Coq file is one claim
#   # CODE file: text  the claim is about this line: it must stand in that file
#   # FALSE s/a/b/    a false twin, by sed: the prover must refuse it, or the claim would prove nothing
# Without gappa, coqc or Flocq: SKIP. The last line is `N passed, N failed, N skipped`; REQUIRE=1: a skip is a failure.
cd "$(dirname "$0")/../.." || exit 1
quick=$1 out=build/proofs
rm -rf $out; mkdir -p $out/claims
passed=0 failed=0 skipped=0
if command -v timeout >/dev/null; then within=timeout; else within() { shift; "$@"; }; within=within; fi
pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAIL $*"; }
skip() { skipped=$((skipped + 1)); echo "SKIP $*"; }

# ---- the scripts and the rooms cite each other
opening() { awk '/^$|CODE|CLAIM/ { exit } { print }' $1 | grep -oE '>>[a-z_/]+' | sed 's/>>//' | sort -u; }
room_of() { if [ -e src/$1.h ]; then echo src/$1.h; else ls src/*/$1.h 2>/dev/null; fi; }
scripts=$(ls tests/proofs/*.g tests/proofs/*.v tests/proofs/*.sh | grep -v /run.sh)
for script in $scripts; do
  opening $script >$out/rooms
  [ -s $out/rooms ] || fail "$script names no room"
  while read -r tag; do
    room=$(room_of $tag)
    if [ ! -f "$room" ]; then fail "$script names >>$tag, which is no room"
    elif grep -q "$script" $room; then pass
    else fail "$script is about >>$tag, but $room does not cite it"; fi
  done <$out/rooms
done
grep -oE 'tests/proofs/[a-z_]+\.[a-z]+' src/*/*.h | sort -u | sed 's/^\([^:]*\):/\1 /' >$out/citations
[ -s $out/citations ] || fail "no room cites a proof"
while read -r room script; do
  tag=${room#src/}; tag=${tag%.h}
  if [ ! -f $script ]; then fail "$room cites $script, which is not there"
  elif opening $script | grep -qxE "$tag|${tag##*/}"; then pass
  else fail "$room cites $script, which does not name >>${tag##*/}"; fi
done <$out/citations

# ---- what the claims are about is there, word for word
grep -hE '^(#| *|\(\*) CODE src/' $scripts | sed 's/^.*CODE //; s/ \*)$//' | sort -u >$out/code
for script in tests/proofs/*_orders.sh; do sh $script >$out/$(basename $script .sh).g; done
grep -h '^# CODE ' $out/*.g | sed 's/^# CODE //' | grep -v '[$]' | sort -u >>$out/code
while IFS= read -r line; do
  case $line in *'$'*|*%s*) continue;; esac # of a generator: its output is here too
  file=${line%%: *} text=${line#*: }
  if grep -qF -- "$text" $file; then pass; else fail "$file has no longer: $text"; fi
done <$out/code

# ---- Gappa
false_twin() { # CLAIM TWIN COMMENT: writes the twin; 1 if there is none or it is the claim itself
  sed -n "s/^$3 *FALSE //p" $1 | sed 's/ \*)$//' >$out/false.sed
  [ -s $out/false.sed ] && grep -v 'FALSE \|CODE ' $1 >$out/body && sed -f $out/false.sed $out/body >$2 && ! cmp -s $out/body $2
}
# Gappa believes a rewriting that it cannot follow, with a warning, and a name without meaning: not here.
gappa_proves() { $within 10 gappa $1 >$out/log 2>&1 && ! grep -q 'trivially equal\|nonzero\|unbound\|Error' $out/log; }
if command -v gappa >/dev/null; then
  for script in tests/proofs/*.g $out/*_orders.g; do
    name=$(basename $script .g)
    awk -v to=$out/claims/$name- '/^# CLAIM / { file = to $3 ".g" } file { print >file }' $script
  done
  number=0
  for claim in $out/claims/*.g; do
    name=$(basename $claim .g) number=$((number + 1))
    if gappa_proves $claim; then pass; else fail "$name is not proved"; grep -v 'maximum number' $out/log | head -n 6; fi
    [ "$quick" = quick ] && [ $((number % 8)) -ne 1 ] && continue
    if ! false_twin $claim $out/twin.g '#'; then fail "$name has no false twin"
    elif gappa_proves $out/twin.g; then fail "$name: its false twin is proved too"; else pass; fi
  done
  [ $number -ge 80 ] || fail "only $number claims"
else
  skip "Gappa's scripts: no gappa (apt-get install gappa)"
fi

# ---- Coq with Flocq
# In $out, where coqc leaves what it keeps.
coq_proves() { [ -f $out/$(basename $1) ] || cp $1 $out; (cd $out && $within 120 coqc -q $(basename $1)) >$out/log 2>&1; }
echo 'From Flocq Require Import Core Pff2Flocq.' >$out/flocq.v
if command -v coqc >/dev/null && coq_proves $out/flocq.v; then
  for file in tests/proofs/*.v; do
    name=$(basename $file .v)
    if grep -nE '\<(Admitted|admit|Axiom|Parameter)\>' $file; then fail "$file assumes something"; fi
    if coq_proves $file; then pass; else fail "$file is not proved"; head -n 12 $out/log; fi
    [ "$quick" = quick ] && [ $name != chains ] && continue
    if ! false_twin $file $out/${name}_twin.v ' *'; then fail "$name has no false twin"
    elif coq_proves $out/${name}_twin.v; then fail "$name: its false twin is proved too"; else pass; fi
  done
else
  skip "Coq's proofs: no coqc with Flocq (apt-get install coq libcoq-flocq)"
fi

[ "$REQUIRE" = 1 ] && failed=$((failed + skipped))
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
