#!/bin/sh
# The examples: what they print against oracles that know nothing of permanents, what they refuse, their pictures.
# Usage: tests/examples.sh [quick | full]     full: each as the line on its top builds it; else hello alone; quick: none,
# and without the scene whose oracle takes long. The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
out=build/examples; rm -rf $out; mkdir -p $out
passed=0 failed=0 skipped=0 largest="12 10 1"
[ "$1" = quick ] && largest=""
check() { name=$1; shift
  if "$@" >$out/log 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAIL $name"; head -n 20 $out/log; fi; }
# holds FILE AWK-PROGRAM: the program, run over the file, sets n to the lines it wanted and bad where they are wrong
holds() { cat $1; awk "function abs(x) { return x < 0 ? -x : x } $2 END { exit !(n == ${3:-1} && !bad) }" $1; }

# Poisson's binomial distribution by dynamic programming, and of two times; 5 standard errors of 100000 samples
order='
function F(i, x) { return 1 - exp(-exp((1 + 0.1 * (i % 4)) * log(x / (1 + 0.3 * i)))) }
function least(r, x, s, y,  i, a, b, f, g, p, sum) { # r machines failed by x and s by y
  p[0, 0] = 1
  for (i = 0; i < 10; i++) { f = F(i, x); g = F(i, y) - f
    for (a = i + 1; a >= 0; a--) for (b = i + 1 - a; b >= 0; b--)
      p[a, b] = p[a, b] * (1 - f - g) + p[a - 1, b] * f + p[a, b - 1] * g }
  for (a = r; a <= 10; a++) for (b = 0; a + b <= 10; b++) if (a + b >= s) sum += p[a, b]
  return sum }
function compare(is, exact, counted) { n++
  if (abs(is - exact) < 1e-12 && abs(counted - exact) < 5 * sqrt(exact * (1 - exact) / 100000)) return
  bad = 1; print exact }
$1 ~ /^[0-9]+$/ { compare($3, least(0, 1, $1, $2), $4) }
/^P/ { compare($(NF - 1), least(3, 1, 8, 3), $NF) }'

# All associations of targets and measurements, one by one
tracking='
function associate(i, product,  k, j) {
  if (i > targets) { whole += product; for (k = 1; k < i; k++) sum[k, choice[k]] += product; return }
  for (k = 1; k <= pairs[i]; k++) { j = measurement[i, k]
    if (j && taken[j]) continue
    taken[j] = 1; choice[i] = j
    associate(i + 1, product * weight[i, j])
    taken[j] = 0 } }
NF == 4 && $1 ~ /^[0-9]+$/ { targets = $1; measurement[$1, ++pairs[$1]] = $2; weight[$1, $2] = $3; is[$1, $2] = $4 }
END { associate(1, 1)
  for (pair in is) { n++; of = sum[pair] / whole
    if (!(abs(is[pair] - of) < 1e-13)) { bad = 1; print pair, of } } }'

# 200 machines one after the other: a have failed by x, c still work at y, one fails at x (f is 1), one at y (g is 1)
fleet='
function power(i, x) { return exp((1 + 0.1 * (i % 4)) * log(x / (1 + 0.02 * i))) }
function density(i, x) { return (1 + 0.1 * (i % 4)) / x * power(i, x) * exp(-power(i, x)) }
function one(x,  i, a, F, D) { # q[a, f]
  split("", q); q[0, 0] = 1
  for (i = 0; i < 200; i++) { F = 1 - exp(-power(i, x)); D = density(i, x)
    for (a = i + 1; a >= 0; a--) {
      q[a, 1] = q[a, 1] * (1 - F) + q[a - 1, 1] * F + q[a, 0] * D
      q[a, 0] = q[a, 0] * (1 - F) + q[a - 1, 0] * F } } }
function two(x, y,  i, a, c, f, g, F, G, D, E) { # p[a, c, f, g], a and c below 20
  p[0, 0, 0, 0] = 1
  for (i = 0; i < 200; i++) { F = 1 - exp(-power(i, x)); G = exp(-power(i, y))
    D = density(i, x); E = density(i, y)
    for (a = 19; a >= 0; a--) for (c = 19; c >= 0; c--) for (f = 1; f >= 0; f--) for (g = 1; g >= 0; g--)
      p[a, c, f, g] = p[a, c, f, g] * (1 - F - G) + p[a - 1, c, f, g] * F + p[a, c - 1, f, g] * G + \
        p[a, c, f - 1, g] * D + p[a, c, f, g - 1] * E } }
function expect(is, of) { n++; if (!(abs(is / of - 1) < 1e-11)) { bad = 1; print is, of } }
$1 ~ /^[0-9]+$/ { one($2); sum = 0; for (a = $1; a <= 200; a++) sum += q[a, 0]
  expect($3, sum); expect($4, q[$1 - 1, 1]) }
/^density/ { two($6 + 0, $10); expect($NF, p[19, 19, 1, 1]) }'

# One trial at each of six levels, the upper three succeed: all ways to give out thresholds. More: level by level, with
# q thresholds that wait for a success and r failures that wait for a threshold. The likelihood: Simpson over the place
# of the logistic curve; 4 standard errors.
response='
function assign(i,  k, ways) { # thresholds of kind k are between levels k - 1 and k
  if (i > 6) return 1
  for (k = 1; k <= 7; k++) if (left[k] > 0 && (i > 3) == (k <= i)) {
    ways += left[k]-- * assign(i + 1); left[k]++ }
  return ways }
function falling(n, k,  product) { for (product = 1; k > 0; k--) product *= n--; return product }
function sweep(k, q, r,  u, c, ways) { # u thresholds of kind k to failures
  c = left[k]
  if (k == 7) return (q == 0 && c == r) * falling(c, c)
  for (u = 0; u <= c && u <= r; u++) if (q + c - u >= hits[k])
    ways += falling(c, u) / falling(u, u) * falling(r, u) * falling(q + c - u, hits[k]) * \
      sweep(k + 1, q + c - u - hits[k], r - u + trials - hits[k])
  return ways }
function likelihood(z,  i, p, log_l) {
  for (i = 1; i <= 6; i++) { p = 1 / (1 + exp(z - level[i]))
    log_l += hits[i] * log(p) + (trials - hits[i]) * log(1 - p) }
  return exp(log_l) }
BEGIN { split("-2.5 -1.5 -0.5 0.5 1.5 2.5", level); split("0.1 0.2 0.4 0.6 0.8 0.9", rate)
  for (i = 1; i <= 6; i++) hits[i] = int(trials * rate[i] + 0.5) }
/^sample/ { n++; before = 0
  for (k = 1; k <= 6; k++) { left[k] = $(k + 1) - before; before = $(k + 1) }
  left[7] = 6 * trials - before
  is = (trials == 1 ? assign(1) : sweep(1, 0, 0)) / falling(6 * trials, 6 * trials)
  if (!(abs($NF - is) <= 1e-12 * is)) { bad = 1; print is } }
/^spread/ { n++; is = likelihood(0)
  if ($2 + 0) for (is = k = 0; k <= 800; k++) { z = (k - 400) / 50
    is += (k % 2 ? 4 : 2) / 150 * exp(-z * z / 2) / sqrt(2 * 3.14159265358979) * likelihood(z) }
  if (!(abs($8 - log(is)) < 4 * $10 && $10 < 0.2)) { bad = 1; print log(is) } }'

# Sums over permutations of Fourier matrices
fourier='
function sum(n, row, product_x, product_y,  j, a) {
  if (row == n) { x += product_x; y += product_y; return }
  for (j = 0; j < n; j++) if (!used[j]) { used[j] = 1
    a = 2 * 3.14159265358979 * row * j / n; c = cos(a) / sqrt(n); s = sin(a) / sqrt(n)
    sum(n, row + 1, product_x * c - product_y * s, product_x * s + product_y * c)
    used[j] = 0 } }
$1 + 0 >= 2 { n++; x = y = apart = 0; sum($1, 0, 1, 0); together = x * x + y * y
  for (k = 0; k < $1; k++) { x = y = 0; used[k] = 1; sum($1, 1, 1, 0); used[k] = 0; apart += (x * x + y * y) / $1 }
  if (abs($2 - together) > 1e-11 || abs($3 - apart) > 1e-11) { bad = 1; print together, apart } }'

# Photons one by one: the chance that they, labelled, go to these outputs, by the overlaps of their wave packets
overlaps='
function visit(i,  j) { # all ways to label n photons
  if (i == n_photons) { ways++; for (j = 0; j < i; j++) to[ways, j] = label[j]; return }
  for (j = 0; j < n_photons; j++) if (!used[j]) { used[j] = 1; label[i] = j; visit(i + 1); used[j] = 0 } }
function outputs(i, inside,  k, w, v, j, a, real, fixed) {
  if (i < n_photons) {
    for (k = 0; k < n_photons; k++) { output[i] = k; outputs(i + 1, inside + (k < int(n_photons / 2))) }
    return }
  for (w = 1; w <= ways; w++) for (v = 1; v <= ways; v++) {
    a = fixed = 0
    for (j = 0; j < i; j++) { a += output[j] * (to[w, j] - to[v, j]); fixed += to[w, j] == to[v, j] }
    real = cos(2 * 3.14159265358979324 * a / i) / i ^ i / ways
    for (j = 0; j < 5; j++) chance[inside, j] += real * (j == 0 ? fixed == i : (j / 4) ^ (i - fixed)) } }
NF == 7 && $1 <= 4 { n++
  if ($2 == 0) { n_photons = $1; ways = 0; split("", chance); visit(0); outputs(0, 0) }
  for (j = 0; j < 5; j++) { is = chance[$2, j]; if (!(abs($(j + 3) - is) < 1e-12)) { bad = 1; print $1, $2, is } } }'

# The ground state of the pairing Hamiltonian by the power method: 5 pairs in 10 levels
pairing='
function prepare(  set, k, l, s) {
  for (set = 0; set < 1024; set++) {
    for (s = k = 0; k < 10; k++) s += bit[set, k] = int(set / 2 ^ k) % 2
    if (s == 5) state[set] = 1 } }
function apply(  set, k, l, h) { # (60 - H) state
  for (set in state) { h = 60 * state[set]
    for (k = 0; k < 10; k++) if (bit[set, k]) { h -= (2 * (k + 1) - 0.3) * state[set]
      for (l = 0; l < 10; l++) if (!bit[set, l]) h += 0.3 * state[set - 2 ^ k + 2 ^ l] }
    next_state[set] = h }
  norm = 0; for (set in state) norm += next_state[set] ^ 2
  norm = sqrt(norm); for (set in state) state[set] = next_state[set] / norm }
/ E = / { n++; prepare(); for (i = 0; i < 250; i++) apply()
  if (abs($NF - (60 - norm)) > 1e-8) { bad = 1; print 60 - norm } }
/^occupation/ { n++; for (k = 0; k < 10; k++) { is = 0; for (set in state) if (bit[set, k]) is += state[set] ^ 2
  if (abs($(k + 2) - is) > 1e-5) { bad = 1; print k, is } } }
/to [0-9.e+-]+$|difference: |- 1: / { n++; if (abs($NF) > 1e-12) bad = 1 }
/component: / { n++; sub(/;.*/, ""); if ($NF + 0 > 1e-12) bad = 1 }'

tokens() { sed 's/[0-9][0-9.]*/\n&\n/g' $1; }
picture() { # picture DIRECTORY NAME: a whole one, and the committed one but for rounding
  case $2 in tilings) scene="12 1992" ;; tracking) scene="24 3.5 1983" ;; *) scene= ;; esac
  $1/$2 $scene $out/$2.svg >/dev/null || return 1
  tail -n 1 $out/$2.svg | grep -qx '</svg>' || return 1
  tokens examples/$2.svg >$out/committed; tokens $out/$2.svg >$out/drawn
  paste -d '\n' $out/committed $out/drawn | awk '
    { getline other; different = $0 != other; number = ($0 other) ~ /^[0-9.]+$/
    if (different && (!number || $0 - other > 0.11 || other - $0 > 0.11)) { print NR, $0, other; bad = 1; exit } }
    END { exit bad || NR < 200 }'
}
refused() { # refused PATTERN COMMAND...: exit 2, and one line that says it
  pattern=$1; shift
  "$@" >$out/stdout 2>$out/stderr; code=$?
  cat $out/stdout $out/stderr
  [ $code -eq 2 ] && [ "$(wc -l <$out/stderr)" -eq 1 ] && grep -q "$pattern" $out/stderr
}
edges() { # edges DIRECTORY EDGES NUMBER
  printf "$2" >$out/edges; $1/matchings $out/edges >$out/matchings 2>&1
  grep -qx "perfect matchings: $3" $out/matchings || { cat $out/matchings; false; }
}
cycle() { awk -v n=$1 'BEGIN { for (i = 0; i < n; i++) print i, (i + 1) % n }'; }
uniform() { # tilings of order 2: each of the 8 as often as chance allows; a chi-square of 7 degrees of freedom
  for seed in $(seq 400); do $1/tilings 2 $seed $out/tiling.svg >/dev/null; cksum <$out/tiling.svg; done |
    sort | uniq -c | awk '{ print; kinds++; chi_square += ($1 - 50) ^ 2 / 50 }
      END { print chi_square; exit !(kinds == 8 && chi_square < 18) }'
}
same() { [ $(awk '{ print $NF }' $1 | sort -u | wc -l) -eq 1 ] && [ $(wc -l <$1) -eq 2 ]; }

outputs() { # outputs DIRECTORY: of the programs there
  at=$1
  check "hello prints 450" sh -c "[ \$($at/hello) = 450 ]"
  for workers in 0 1 3 64; do
    check "ranges, $workers workers" $at/ranges $workers; cp $out/log $out/ranges
    check "ranges, $workers workers: same bits" same $out/ranges
  done
  $at/tour >$out/tour
  check "tour runs" grep -q '1381724105482686970 .*exact' $out/tour
  check "tour: chessboard" grep -q '2444888770250892795802079170816 .*exact' $out/tour

  check "boson_sampling" $at/boson_sampling; mv $out/log $out/boson
  check "total probability 1" holds $out/boson '/330 outputs/ { n++; bad = abs($NF - 1) > 1e-12 }'
  check "bunching by 4!" holds $out/boson '/^all in one/ { n++; bad = abs($5 - 24) > 1e-9 }'
  check "samples have these probabilities" holds $out/boson \
    '/chi-square/ { n++; is = $(NF - 4) + 0; of = $(NF - 3); bad = bad || abs(is - of) > 4 * sqrt(2 * of) || of < 200 }' 2
  check "samples a second" holds $out/boson '/samples\/s/ { n++; bad = $(NF - 1) < 1 }'
  check "boson_sampling 18 30" $at/boson_sampling 18 30; mv $out/log $out/boson
  check "samples by halves of the modes" holds $out/boson \
    '/chi-square/ { n++; is = $(NF - 4) + 0; of = $(NF - 3); bad = abs(is - of) > 4 * sqrt(2 * of) || of < 7 }'
  printf '0.6 0.8\n0.8 -0.6\n' >$out/mirror.txt # of two photons 0.0784 leave apart, of which 100 samples have 0 to 24
  check "boson_sampling: a file" $at/boson_sampling $out/mirror.txt 2 100; mv $out/log $out/boson
  check "samples of a file" holds $out/boson 'NF == 2 && $1 + $2 == 2 { n++; apart += $1 == 1; bad = apart > 24 }' 100
  printf '0.6 0.8\n0.8 0.6\n' >$out/mirror.txt
  check "boson_sampling: no samples" sh -c "$at/boson_sampling $out/mirror.txt 2 0 2>&1 | grep -q '^usage:'"
  check "boson_sampling: no unitary" sh -c "$at/boson_sampling $out/mirror.txt 2 2>&1 | grep -q 'columns 1 and 2 are not orthonormal: 0.96'"
  check "boson_sampling: usage" sh -c "$at/boson_sampling 5 4 2>&1 | grep -q '^usage'"

  check "hong_ou_mandel" $at/hong_ou_mandel; mv $out/log $out/dip
  check "Fourier interferometers" holds $out/dip "$fourier" 4
  check "the dip" holds $out/dip '$1 == 2 { n++; bad = $2 > 1e-12 || $3 != 0.5 }'
  check "interferometer" $at/interferometer; mv $out/log $out/ways
  check "a tritter's closed form, forbidden outputs, 192 photons" holds $out/ways '$1 ~ /^[0-9]+$/ {
    n++; for (p = k = 1; 3 * k <= $1; k++) p *= (3 * k - 1) * (3 * k - 2) / (9 * k * k)
    if (!(abs($5 - p) < 1e-12 && abs($3) < 1e-12 && $6 < 1e-20)) bad = 1 }' 4
  for scene in "1 1 1" "5 3 1983" "9 3 7" "10 4 2" ${largest:+"$largest"}; do
    check "tracking $scene" $at/tracking $scene; mv $out/log $out/tracking
    check "tracking $scene: by enumeration" holds $out/tracking "$tracking" \
      $(grep -c '^ *[0-9][0-9]* *[0-9][0-9]* *[0-9.e-]* *[0-9.]*$' $out/tracking)
  done
  check "tracking: usage" refused '^usage' $at/tracking 2001
  check "tracking" $at/tracking 300; mv $out/log $out/tracking
  check "every target has a measurement or none" holds $out/tracking 'NF == 4 && $1 ~ /^[0-9]+$/ { sum[$1] += $4 }
    END { for (i in sum) { n++; if (!(abs(sum[i] - 1) < 1e-13)) bad = 1 } }' 300
  check "every measurement is of a target or clutter" holds $out/tracking '/^clutter/ { sum[$2] += $3 }
    NF == 4 && $1 ~ /^[0-9]+$/ && $2 { sum[$2] += $4 }
    END { for (i in sum) { n++; if (!(abs(sum[i] - 1) < 1e-13)) bad = 1 } }' $(grep -c '^clutter' $out/tracking)
  check "overlap" $at/overlap; mv $out/log $out/overlap
  check "photons that overlap, one by one" holds $out/overlap "$overlaps" 12
  check "the dip of two photons" holds $out/overlap '$1 == 2 && $2 == 1 {
    for (j = 0; j < 5; j++) { n++; if (!(abs($(j + 3) - (1 - (j / 4) ^ 2) / 2) < 1e-12)) bad = 1 } }' 5
  check "overlap 12" $at/overlap 12; mv $out/log $out/overlap
  check "photons without overlap: binomial" holds $out/overlap 'BEGIN { is = 1 / 2 ^ 12 }
    $1 == 12 { n++; bad = bad || !(abs($3 - is) < 1e-12); is *= (12 - $2) / ($2 + 1)
      for (j = 3; j <= 7; j++) { sum += $j; mean += $2 * $j } }
    END { bad = bad || !(abs(sum - 5) + abs(mean - 30) < 1e-9) }' 13
  check "overlap: usage" refused '^usage' $at/overlap 21
  check "order_statistics" $at/order_statistics; mv $out/log $out/order
  check "order statistics by dynamic programming" holds $out/order "$order" 11
  check "fleet" $at/fleet; mv $out/log $out/fleet
  check "order statistics of 200 by dynamic programming" holds $out/fleet "$fleet" 13
  for trials in 1 4 "10 100"; do
    check "binary_response $trials" $at/binary_response $trials; mv $out/log $out/response
    check "binary_response $trials: by counting, integration" holds $out/response \
      "BEGIN { trials = ${trials% *} } $response" 8
  done
  check "binary_response: usage" refused '^usage' $at/binary_response 21
  check "geminals" $at/geminals; mv $out/log $out/geminals
  check "ground state of the pairing Hamiltonian" holds $out/geminals "$pairing" 6
  check "bose_gas" $at/bose_gas; mv $out/log $out/gas
  check "bosons bunch" holds $out/gas \
    '/^bosons/ { n++; bad = $6 + 0 != 2 || abs($8 - 2) > 4 * $10 || $10 + 0 > 0.05 || $(NF - 2) > 39 || $(NF - 2) < 3 }'
  check "fermions do not meet" holds $out/gas \
    '/^fermions/ { n++; bad = $6 + 0 != 0 || $8 != 0 || $(NF - 2) > 39 || $(NF - 2) < 3 }'
  for name in hong_ou_mandel interferometer order_statistics bose_gas tilings tracking; do check "$name: picture" picture $at $name; done
  check "no picture, no success" sh -c "! $at/hong_ou_mandel $out/no/place.svg"

  for board in "2 2" "8 8" "7 6" "1 10" "4 15" "12 13"; do
    $at/matchings --grid $board >$out/grid
    check "Kasteleyn, $board" holds $out/grid \
      '/^perfect/ { is = $3 } /^Kasteleyn/ { n++; bad = abs(is / $3 - 1) > 1e-12 }'
  done
  check "odd boards" sh -c "$at/matchings --grid 5 5 | grep -qx 'perfect matchings: 0'"
  check "coronene" sh -c "$at/matchings examples/coronene.txt | grep -qx 'perfect matchings: 20'"
  check "edges: a cycle has two" edges $at "$(cycle 50)" 2
  check "edges: weights" edges $at 'a x 2\na\ty # comment\r\n\n# nothing\nb x\nb y -5' -9
  check "edges: two components" edges $at '1 2\n3 4\n3 6\n5 4\n5 6 7\n' 8
  check "edges: sides that differ" edges $at '1 2\n1 3\n1 4\n5 6\n7 6\n8 6\n' 0
  check "edges: none" edges $at '' 1
  check "edges: an odd cycle" refused 'edges.odd:51: the graph is not bipartite' $at/matchings $out/edges.odd
  check "edges: no file" refused 'cannot be opened' $at/matchings $out/none
  for line in 'a' 'a b c' 'a b 1 2' 'a b 1.5' 'a b 99999999999999999999'; do
    printf 'x y\n%s\n' "$line" >$out/edges
    check "edges: '$line'" refused 'edges:2: expected' $at/matchings $out/edges
  done
  for n in 1 2 5 12; do
    $at/tilings $n >$out/tilings
    check "Aztec diamond, $n" holds $out/tilings '
      /^Aztec/ { n++; of = $5 + 0; bad = abs($6 / 2 ^ (of * (of + 1) / 2) - 1) > 1e-15 }
      /^one/ { bad = bad || $4 != 0 + $9 || $11 != 0 + $13 || $4 + $9 + $11 + $13 != of * (of + 1) || $(NF - 4) != 1 }'
  done
  check "tilings: all with equal chances" uniform $at
  check "tilings: order 21" refused 'order of 1 to 20' $at/tilings 21
  if [ -x $at/cplusplus ]; then
    $at/cplusplus >$out/cplusplus; sed -n 's/^Schur.*: //p' $out/cplusplus | tr '\n' ' ' >$out/schur
    check "C++: Schur's matrices" grep -q '^-3 -5 -105 81 6765 175747 $' $out/schur
    check "C++: 30!" grep -qx '30! = 265252859812191058636308480000000' $out/cplusplus
    check "C++: exceptions" grep -q 'refused: .*NaN' $out/cplusplus
  else
    skipped=$((skipped + 3)); echo "SKIP cplusplus: no C++ compiler (apt-get install g++)"
  fi
}
cycle 51 >$out/edges.odd
outputs build

# records: both ways agree, and with what is published of smaller members
record() { build/records $1 $2 $3 >$out/record && cat $out/record && grep -q ": $4, by $3 in" $out/record; }
build/records >$out/records
check "records: two ways, one value" holds $out/records '/: equal$/ { n++ } /DIFFERENT/ { bad = 1 }' 9
while read -r family size way value; do
  check "records: $family $size by $way" record $family $size $way $value
done <<'VALUES'
plane 3 sign-search 3852
box 2 lists 9
schur 25 own -5198937484375
schur 19 exact:191 66
cayley 16 own 2564724413131659780025106432
cayley 16 exact 2564724413131659780025106432
cyclic 16 own 18172294259291992881395286016
zigzag 14 own 14941853448103858870808931238617312000
zigzag 14 exact 14941853448103858870808931238617312000
squares 4 twins 4
primes 3 exact 2
prime-sums 3 exact 2
VALUES
check "records: no such engine" refused 'expected an engine' build/records plane 3 fastest
check "records: no root of 1" refused 'a prime that is 1 modulo' build/records schur 23 exact:53
check "records: no such family" refused 'no such family' build/records planes 3 sign-search

# vendored, as a project of its own with copies of the headers; perm.o is at hand but for `full`
mkdir -p $out/vendored/third_party/perm
cp perm.h perm_sparse.h perm_more.h $out/vendored/third_party/perm
cp examples/vendored/* $out/vendored
[ "$1" = full ] || cp build/perm.o $out/vendored
openmp=$(nm build/perm.o | grep -q GOMP && echo -fopenmp)
check "vendored builds" make -s -C $out/vendored LDFLAGS="$openmp" CFLAGS="-O2 -Wall -Wextra -Werror"
check "vendored runs" sh -c "$out/vendored/tilings | grep -qx '5 ways to tile a 2 x 4 board with dominoes'"

# the lines on top of the examples: all, or hello's
mkdir -p $out/lines/examples
cp perm.h perm_sparse.h perm_more.h $out/lines
cp -r examples/*.[ch] examples/*.cpp examples/command $out/lines/examples
line() { sed -n 's/.*Build: *\(c[c+][^(]*[a-z]\).*/\1/p' $1 | head -n 1; }
for source in $(cd examples && ls *.c *.cpp command/*.c); do
  name=$(basename ${source%.*})
  [ "$1" = full ] || [ "$1$name" = hello ] || continue
  [ $name != cplusplus ] || command -v c++ >/dev/null || continue
  [ $name = perm_cli ] && made=perm || made=$name
  here=$out/lines/$(dirname examples/$source)
  check "$name: its line builds it" sh -c "cd $here && $(line examples/$source) && [ -x $made ]"
done
if [ "$1" = full ]; then outputs $out/lines/examples; elif [ "$1" != quick ]; then
  check "hello by its line" sh -c "[ \$($out/lines/examples/hello) = 450 ]"; fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
