#!/bin/sh
# Pictures by the rules of tests/house/pictures.py: those of the repository, new ones by perm_plot.h, bench.py and
# --spy, and broken ones, which the rules must refuse. tests/examples.sh draws those of the examples again,
# tests/study.sh those of the study.
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null || { echo "SKIP pictures: install python3"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
out=build/pictures; rm -rf $out; mkdir -p $out
passed=0 failed=0
check() { name=$1; shift
  if "$@" >$out/log 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name"; head -n 20 $out/log; fi; }
rules() { python3 tests/house/pictures.py "$@"; }

for picture in examples/*.svg examples/*/*.svg bench/*.svg; do check $picture rules $picture; done

# perm_plot.h: clouds of points without a free corner, linear and logarithmic; numbers near each other; ends of lines
cat >$out/plot.c <<'C'
#include "examples/perm_plot.h"
int main(int count, char **file)
{
  static double x[400], y[400], level[20], error[20];
  plot_figure figure;
  int k, panel;
  for (k = 0; k < 400; k++) {
    x[k] = 1 + k % 20 / 19.0 * 8;
    y[k] = 1 + k / 20 / 19.0 * 8;
    level[k % 20] = 5;
    error[k % 20] = 4;
  }
  plot_begin(&figure, 960, 860, "Clouds < corners & rooms");
  figure.caption[0] = "One line,";
  figure.caption[1] = "and another.";
  for (panel = 0; panel < 4; panel++) {
    plot_panel *at = plot_add(&figure, 2, 2, panel, "x", panel % 2 ? "y, logarithmic" : "y");
    at->title = "A cloud";
    at->x_log = panel / 2;
    at->y_log = panel % 2;
    if (panel == 3)
      at->legend = PLOT_RIGHT;
    if (panel == 3)
      at->right -= 120;
    if (panel == 2) /* a few points with long bars */
      plot_draw(at, PLOT_POINTS, 20, x, level, error, "points");
    else
      plot_draw(at, PLOT_POINTS, 400, x, y, NULL, "points");
    plot_segment(at, PLOT_DASHED, 1, 1, 9, 9, "diagonal");
  }
  return count != 2 || plot_write(&figure, file[1]);
}
C
clouds() {
  ${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I. $out/plot.c -o $out/plot -lm &&
    $out/plot $out/clouds.svg && rules $out/clouds.svg; }
check "perm_plot.h: legends without a free corner" clouds

check "bench.py" python3 - $out/bench.svg <<'PY'
import sys
sys.path.insert(0, "examples/python")
sys.dont_write_bytecode = True
import bench
names = ["perm", "perm, dd", "one", "two", "three", "four", "five"]
measured = [{"kind": kind, "n": n, "name": name, "seconds": (k + 1) * (1e-7 + n * 2.0**n * 2e-10)}
            for kind in bench.KINDS for k, name in enumerate(names) for n in bench.ORDERS]
bench.picture(sys.argv[1], measured, names, "a processor, a date; make bench-python")
PY
check "bench.py: the rules" rules $out/bench.svg

for kind in regular:30:3 grid:10:10 er:40:0.1 ones:3 band:700:2 blocks:60:5:1; do
  build/perm --generate $kind --explain --spy $out/spy.svg >/dev/null 2>&1
  check "--spy, $kind" rules $out/spy.svg
done

# each breach is found: BREACH WHAT IS SAID SED FILE
refused() { sed -E "$2" $3 >$out/broken.svg; ! cmp $3 $out/broken.svg && ! rules $out/broken.svg >$out/said && grep "$1" $out/said; }
gas=examples/bose_gas.svg
check "no XML" refused 'not well-formed\|mismatched' 's/<\/g>//' $gas
check "no ground" refused 'no white ground' 's/(<rect width="100%"[^/]*)#ffffff/\1#ffdddd/' $gas
check "small letters" refused '12 pixels' 's/font-size="16"/font-size="12"/' $gas
check "a text that leaves" refused 'leaves the picture' 's/(font-weight="bold"[^>]*>)/\1A title of more words than there is any room for in one line: /' $gas
check "texts that touch" refused 'lies over' 's/>(5|10)</>1234567890123456789012345</' $gas
check "a colour" refused 'no colour of the house' 's/#0072b2/#ff0000/' $gas
check "NaN" refused 'NaN' 's/cx="[0-9.]+"/cx="nan"/' $gas
check "no title" refused '0 titles' 's/font-size="19"/font-size="16"/' $gas
check "an axis without a name" refused 'no name' 's/>distance in sites of the ring</> </' $gas
check "an axis without numbers" refused 'not two numbers' 's/>(0|5|10|15)</> </' $gas
check "a legend over marks" refused 'hides a mark' '/fill-opacity/s/x="[0-9.]+"/x="95"/' $gas
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
