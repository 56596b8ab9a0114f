#!/bin/sh
# The random-matrix study (examples/study): its samples against exact moments and distributions, its state file against
# kills, damage and other splits of the work. Usage: tests/study.sh [full]: more samples, and its limits beside the
# paper's. The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
${MAKE:-make} -s build/study || { echo "0 passed, 1 failed, 0 skipped"; exit 1; }
out=build/study_test; rm -rf $out; mkdir -p $out/plots
study=build/study
passed=0 failed=0 skipped=0
check() { name=$1; shift
  if "$@" >$out/log 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name"; head -n 20 $out/log; fi; }
if [ "$1" = full ]; then samples=150000 last=9; else samples=8000 last=6; fi

check "a run" $study --samples $samples --n 1:$last --state $out/state --threads 2
$study --state $out/state --table --cells --plots $out/plots >$out/tables.md

# a state without what depends on the clock
bits() { sed 's/ seconds [0-9.]*$//; /^end/d' $1; }
same() { bits $1 >$out/1; bits $2 >$out/2; [ -s $out/1 ] && cmp $out/1 $out/2; }
part="--n 3:7 --samples 5000"
$study $part --state $out/whole --threads 1
$study $part --state $out/split --threads 3 --batch-bytes 200000
check "the same bits for other threads and batches" same $out/whole $out/split
kills=0
for delay in 0.05 0.1 0.15 0.2 0.25; do # killed while it draws and writes; what is left is whole
  timeout -s KILL $delay $study $part --state $out/killed --write-seconds 0 --batch-bytes 100000 2>/dev/null
  [ $? = 137 ] && kills=$((kills + 1))
done
check "some runs were killed" test $kills -ge 1
check "what they left is a state" $study --state $out/killed
$study $part --state $out/killed
check "the same bits after kills" same $out/whole $out/killed
$study --n 3:5 --samples 2000 --state $out/stages; $study $part --state $out/stages
check "the same bits in stages" same $out/whole $out/stages
check "--gpus without a GPU" $study --gpus --n 12 --samples 256 --ensembles gauss,bernoulli --state $out/no_gpu
$study --n 12 --samples 256 --ensembles gauss,bernoulli --state $out/no_gpus
check "the same bits without a GPU" same $out/no_gpu $out/no_gpus

# damage is refused, not read and not overwritten
refused() { cp $2 $out/before; ! $study --state $2 --samples 256 --n 3 >$out/said 2>&1 && grep -q "$1" $out/said && cmp $2 $out/before; }
sed '3s/[1-8]p/9p/' $out/whole >$out/changed; check "a changed digit" refused damaged $out/changed
head -c 30000 $out/whole >$out/short; check "a state cut short" refused damaged $out/short
echo nothing >$out/foreign; check "another file" refused "not a state" $out/foreign
sed '1s/seed 0/seed 1/' $out/whole >$out/seed; check "another seed" refused seed $out/seed

# E X^2 and E X^4 are known: no deviation beyond 5 standard errors, for any ensemble and order
exact() { awk -F'|' '/ X\^[24] \| [0-9]+ \|/ {n++; split($6, part, ","); if (part[1] > 5 || part[1] < -5 || $5 + 0 > 3 * $4 + 10) {print; bad = 1}}
  END {print n " rows"; exit bad || n != 11}' $out/tables.md; }
check "second and fourth moments" exact
signs() { awk -F'|' '/ bernoulli \| 3 / {exact = $10}
  END {
    for (k = 0; k < 512; k++) {
      for (i = 0; i < 9; i++) a[i] = int(k / 2 ^ i) % 2 * 2 - 1
      per = a[0] * (a[4] * a[8] + a[5] * a[7]) + a[1] * (a[3] * a[8] + a[5] * a[6]) + a[2] * (a[3] * a[7] + a[4] * a[6])
      sum += per ^ 4 / 36 / 512
    }
    print exact, sum; exit !(sum > 1 && exact > sum - 1e-6 && exact < sum + 1e-6)}' $out/tables.md; }
check "the fourth moment of all matrices of signs, n = 3" signs

# distances computed from the file alone: `ks 2 cells`, or one cell from a formula
ks() { awk -v one="$1" -v two="$2" -v level="$3" '
  function formula(x) { return two == "rayleigh" ? 1 - exp(-x * x) : 0 }
  $1 == "cell" {at = $2 " " $4; count[at] = $6}
  $1 == "bins" {k = $2; next}
  $1 ~ /^[0-9]+$/ {for (i = 1; i <= NF; i++) bin[at, k++] = $i}
  END {
    for (k = 0; k < 6145; k++) {
      f += bin[one, k] / count[one]
      if (two in count) g += bin[two, k] / count[two]; else g = formula(10 ^ (-4 + k / 1024))
      d = f - g; if (d < 0) d = -d; if (d > most) most = d
    }
    limit = level * sqrt(1 / count[one] + (two in count ? 1 / count[two] : 0))
    print one, two, most, limit
    exit !(count[one] > 0 && f > 0.99 && g > 0.99 && most <= limit)
  }' $out/state; }
check "n = 1: X is Rayleigh distributed" ks "gauss 1" rayleigh 1.63
$study --samples $((samples / 2)) --n 3:5 --ensembles haar-qr --state $out/state
check "minors by Bartlett and by orthogonalisation, n = 3" ks "haar-2.00 3" "haar-qr 3" 1.63
check "minors by Bartlett and by orthogonalisation, n = 5" ks "haar-2.00 5" "haar-qr 5" 1.63
differ() { ! ks "$@"; }
check "the distance tells normal from circular" differ "gauss 5" "circular 5" 5
check "the distance tells minors from normal" differ "gauss 3" "haar-2.00 3" 2

# files that others read
check "plots" test "$(ls $out/plots/*.svg | wc -l)" -ge 5
if command -v python3 >/dev/null; then check "plots by the rules of pictures" python3 tests/house/pictures.py $out/plots/*.svg
else skipped=$((skipped + 1)); echo "SKIP plots by the rules of pictures: install python3"; fi
cat >$out/plot.c <<'C'
#include "examples/perm_plot.h"
int main(int count, char **file)
{
  const double x[] = {1, 2, 3, 4, 5}, y[] = {1, 10, 0, 1000, 10000}, error[] = {.5, 5, 0, 2000, 50};
  plot_figure figure;
  plot_panel *panel;
  plot_begin(&figure, 640, 420, "a < b & c");
  panel = plot_add(&figure, 1, 1, 0, "n", "seconds");
  panel->y_log = 1;
  plot_draw(panel, PLOT_LINE | PLOT_POINTS, 5, x, y, error, "measured");
  plot_draw(panel, PLOT_STEPS | PLOT_FILLED, 4, x, y, NULL, NULL);
  return count != 2 || plot_write(&figure, file[1]);
}
C
plot() {
  ${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I. $out/plot.c -o $out/plot -lm &&
    $out/plot $out/plot.svg && ! $out/plot $out/nowhere/plot.svg &&
    [ "$(grep -c '<circle' $out/plot.svg)" = 5 ] && # 4 positive values, 1 in the legend
    grep -q '>a &lt; b &amp; c<' $out/plot.svg && grep -q '>10³<' $out/plot.svg && ! grep -qE 'nan|90000' $out/plot.svg; }
check "perm_plot.h: a logarithmic plot, a file that cannot be written" plot
check "unknown option" sh -c "! $study --nonsense"
check "unknown ensemble" sh -c "! $study --ensembles nonsense --samples 256"

# the limits agree with the paper as far as so few orders can say: 5 sigmas, and where a line is fitted, to 5 per cent
limits() { awk -F'|' '/Gaussian, mean|circular, mean/ {n++; if ($5 < -5 || $5 > 5) {print; bad = 1}}
  /Gaussian, mean/ && ($4 + 0 < 0.95 * $3 || $4 + 0 > 1.05 * $3) {print; bad = 1}
  END {exit bad || n != 2}' $out/tables.md; }
if [ "$1" = full ]; then
  $study --samples 60000 --n 10:12 --ensembles gauss,circular --state $out/state
  $study --state $out/state --table >$out/tables.md
  check "limits of the means" limits
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
