#!/bin/sh
# The command line as scripts meet it: values, JSON, exit codes, messages, refusals.
# Usage: tests/cli.sh [quick]     quick: without the Python verifier and what takes seconds
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
perm=${PERM:-build/perm}
dir=${CLI_DIRECTORY:-build/cli} quick=$1
rm -rf $dir; mkdir -p $dir
passed=0 failed=0 skipped=0
# expect NAME EXIT PATTERN ARGUMENTS...: exit code and an extended regular expression in stdout + stderr
expect() {
  name=$1 code=$2 pattern=$3; shift 3
  "$perm" "$@" >$dir/out 2>$dir/err </dev/null; got=$?
  if [ $got -eq "$code" ] && cat $dir/out $dir/err | grep -Eq -- "$pattern"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAIL $name: perm $*: exit $got (wanted $code), wanted /$pattern/ in:"; cat $dir/out $dir/err
  fi
}
check() { # check NAME COMMAND...
  name=$1; shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name"; fi
}
one_line_error() { [ "$(wc -l <$dir/err)" -eq 1 ] && [ ! -s $dir/out ]; }

# values
expect domino 0 'permanent = 12988816$' --generate grid:8:8
expect mycielski 0 '1381724105482686970' --generate mycielskian:6
expect wide 0 '2444888770250892795802079170816' --generate grid:16:16
expect coronene 0 'permanent = 20$' --generate coronene
expect dense 0 'dense, ' --generate uniform:12 --method dense
for method in dense glynn ryser expansion frontier lists sorting arrays tree band sparyser dominating decompose \
  transversals; do
  expect "6! by $method" 0 'permanent = 72(0|0\.0*|0\.00000[0-9]*|19\.99999[0-9]*)$' --generate ones:6 --method $method
done
expect planar 0 '^  exactly; planar, ' --generate grid:12:12
expect planar_named 0 'permanent = 12988816$' --generate grid:8:8 --method planar
expect planar_refused 2 'method planar: a block of order 6 is not planar: 36 entries' --generate ones:6 --method planar
expect planar_explained 0 '288|Kasteleyn signs' --generate grid:24:24 --explain=full
expect exact 0 '^  exactly; subsets, ' --generate ones:10 --precision exact
printf '1 2 3\n4,5,6\n7\t8 9\n' >$dir/nine.txt
expect file 0 'permanent = 450$' $dir/nine.txt
printf '1 2 3\n4 5 6\n' >$dir/rectangular23.txt
printf '1 2\n3 4\n' | $perm - >$dir/out 2>&1; check stdin grep -q 'permanent = 10$' $dir/out
printf 'a;b\n1;2\n3;4\n' >$dir/header.csv
expect csv 0 'permanent = 10$' $dir/header.csv
check csv_told grep -q "^perm: .*header.csv: read as rows below the header 'a;b'$" $dir/err
printf 'i j\n1 2\n3 4\n' >$dir/units.txt
expect csv_units 2 'names of columns or imaginary units' $dir/units.txt
printf ',a,b\n0,1,2\n1,3,4\n' >$dir/index.csv
expect csv_index 2 'if column 1 names the rows, write the table without it: index=False' $dir/index.csv
printf '(1+2j) 3j\n1-1j 2\n' >$dir/complex.txt
expect complex_j 0 '5 *\+ *7 ?i' $dir/complex.txt
# fractions: exact, reduced, nothing but the permanent
printf '1/2 1/3\n1/4 3\n' >$dir/fractions.txt
expect fractions 0 '^  permanent = 19/12 \(about 1.583333333\)$' $dir/fractions.txt
check fractions_told grep -q '^perm: .*fractions.txt: read as fractions, each row times its least common denominator$' $dir/err
printf '1/2 1/5\n1/3 3\n1/7 2/3\n' >$dir/tall.txt # a product has two of the three rows
expect fractions_tall 0 '^  permanent = 325/126 ' $dir/tall.txt
printf '1/2 1/3 1/7\n1/5 3 2/3\n' >$dir/wide.txt
expect fractions_wide 0 '^  permanent = 325/126 ' $dir/wide.txt
printf '1/3 12345678901234567/7\n98765432101234567/11 5/13\n' >$dir/long_fractions.txt # no length of what is not reduced
expect long_fractions 0 '^  exactly; ' $dir/long_fractions.txt
expect fractions_json 0 '"value":"19/12","exp2":0,"exact":true,' $dir/fractions.txt --json
expect fractions_then_integers 0 'permanent = 450$' $dir/fractions.txt $dir/nine.txt
expect fractions_explained 0 'fractions' $dir/fractions.txt --explain
for option in "--mod 7" --gradient "--minors 1" --rook --permanental --estimate "--sample 2" "--rows 1,1" "--write $dir/f.mtx" \
  "--precision dd" "--checkpoint $dir/f.ck"; do
  expect "fractions $option" 2 "fractions is computed exactly, and nothing else: leave out ${option%% *}, or write decimals" \
    $dir/fractions.txt $option
done
printf '1/2 0.5\n1 1\n' >$dir/mixed.txt
# a sum so far is of the matrix, not of rows without denominators: below the product of its rows' sums, 4e43
awk 'BEGIN { for (i = 0; i < 34; i++) for (j = 0; j < 34; j++) printf "%d/7%s", (i * i + j * j * (i + 3) + i * j) % 11 + 1,
  j == 33 ? "\n" : " " }' >$dir/sevenths.txt
expect fractions_stopped 1 '"partial_sum":"-?[0-9.]+e.[0-4][0-9]","exp2":0' $dir/sevenths.txt --method exact --max-seconds 0.1 --json
check fractions_stopped_said sh -c "! grep -q 'with --checkpoint' $dir/err"
expect fractions_and_decimals 2 'mixed.txt:1: taken as plain text: a fraction found in a matrix that has other numbers' $dir/mixed.txt
if command -v python3 >/dev/null; then # against Python's fractions, orders 1 to 6
  python3 -c '
import random, itertools, sys
from fractions import Fraction as F
random.seed(5)
for k in range(40):
    n = 1 + k % 6
    a = [[F(random.randrange(-50, 50), random.randrange(1, 40)) for _ in range(n)] for _ in range(n)]
    open("%s/rational%d.txt" % (sys.argv[1], k), "w").write("".join(" ".join("%d/%d" % (x.numerator, x.denominator)
        for x in r) + "\n" for r in a))
    total = F(0)
    for p in itertools.permutations(range(n)):
        term = F(1)
        for i in range(n): term *= a[i][p[i]]
        total += term
    print(total)' $dir >$dir/expected
  for k in $(seq 0 39); do $perm --json --format array $dir/rational$k.txt 2>/dev/null; done | sed 's/.*"value":"\([^"]*\)".*/\1/' >$dir/got
  check fractions_as_python cmp $dir/expected $dir/got
else
  skipped=$((skipped + 1)); echo "SKIP fractions_as_python: install python3"
fi
# formats that bytes tell
printf '>>graph6<<DQc\n' >$dir/path.g6
expect graph6 0 'path.g6: read as graph6, the adjacency matrix of 5 vertices and 4 edges; the permanent counts cycle covers, in' $dir/path.g6
printf 'DQc\nDQc\n' >$dir/two.g6
# a file of many graphs: a line each, for people and in JSON
printf '>>graph6<<A_\n\nC~\r\n:Fa@x^\n&AO\n' >$dir/many.g6
expect many 0 'perm: .*many.g6: read as graph6, each line the adjacency matrix of a graph; the permanent counts' $dir/many.g6
check many_lines test "$(cat $dir/out)" = "$(printf '%s:1: permanent = 1, exactly\n%s:3: permanent = 9, exactly
%s:4: permanent = 0, exactly\n%s:5: permanent = 0, exactly' $dir/many.g6 $dir/many.g6 $dir/many.g6 $dir/many.g6)"
check many_told_once test "$(wc -l <$dir/err)" -eq 1
$perm - <$dir/many.g6 2>/dev/null >$dir/out; check many_stdin grep -qx 'standard input:3: permanent = 9, exactly' $dir/out
expect many_json 0 '"many.g6","line":3,"m":4,"n":4,"nnz":12,.*"reading":".*"value":"9"|many.g6","line":3,"m":4.*"9"' --json $dir/many.g6
check many_json_lines test "$(grep -c '^{"file":".*/many.g6","line":[1345],.*}$' $dir/out)" -eq 4
expect many_mod 0 'many.g6:3: permanent = 2, exactly, modulo 7$' --mod 7 $dir/many.g6
expect many_method 0 'many.g6:3: permanent = 9, exactly' --method frontier $dir/many.g6
expect many_rook 0 'rook numbers = 1 12 42 44 9' --rook $dir/many.g6
expect many_explained 0 'many.g6:3: 4 x 4, 12 entries' --explain $dir/many.g6
expect many_and_others 0 'nine.txt: 3 x 3, 9 entries' $dir/many.g6 $dir/nine.txt $dir/path.g6
check many_then_one grep -qx "$dir/path.g6: 5 x 5, 8 entries" $dir/out
for option in "--write $dir/many.mtx" "--spy $dir/many.svg" "--checkpoint $dir/many.ck" "--prove $dir/many.prf"; do
  expect "many $option" 2 "the file has many graphs, and ${option%% *} is for one: sed -n 1p FILE . perm ${option%% *}" $option $dir/many.g6
  check "many $option: nothing" test ! -e "${option##* }"
done
printf 'A_\nC~\nC\nC~\n' >$dir/bad.g6
expect many_cut 2 'perm: .*bad.g6:3: taken as graph6: 0 characters found after the order of a graph of 4 vertices' $dir/bad.g6
check many_cut_before test "$(wc -l <$dir/out)" -eq 2
printf 'A_\nD~{\nA_\n' >$dir/k5.g6
expect many_refused_one 2 'k5.g6:3: permanent = 1, exactly' --method planar $dir/k5.g6
check many_refused_told grep -q 'perm: .*k5.g6:2: method planar: a block of order 5 is not planar' $dir/err
# Ctrl-C stops at the graph that is at work; the others are not begun
line=$(awk 'BEGIN { x = 7; printf "g"; for (k = 0; k < 130; k++) { x = (x * 75 + 74) % 65537; printf "%c", 64 + x % 31 * 2 } }')
printf '%s\n' A_ $line $line A_ >$dir/long.g6
$perm --method glynn $dir/long.g6 >$dir/out 2>$dir/err & job=$!
sleep 1; kill -TERM $job; wait $job; code=$?
check many_interrupted test $code -eq 1
check many_interrupted_told grep -q 'perm: stopped before .*long.g6:3; to go on, give the same command again' $dir/err
# a first line that counts the columns is a header; all refusals say what the text was taken for
printf '0,1,2\n1,2,3\n4,5,6\n7,8,1\n' >$dir/frame.csv
expect frame 0 'permanent = 346$' $dir/frame.csv
check frame_told grep -q "frame.csv: read as rows below the header '0,1,2'; --format array makes it a row too$" $dir/err
expect frame_json 0 '"reading":".*rows below the header .0,1,2.' --json $dir/frame.csv
expect frame_as_numbers 0 'permanent = 636$' --format array $dir/frame.csv
check frame_as_numbers_told grep -q "read as rows, the first of them '0,1,2', which may be a header" $dir/err
printf '1 2 3\n1 2 3\n4 5 6\n7 8 1\n' >$dir/frame1.txt
expect frame_from_1 0 'permanent = 346$' $dir/frame1.txt
# rows without blanks
printf '011\n101\n110\n' >$dir/packed.txt
expect packed_rows 0 'permanent = 2$' $dir/packed.txt
check packed_rows_told grep -q 'packed.txt: read as rows of 0 and 1 without blanks; --format array takes each line as one number$' $dir/err
expect packed_rows_json 0 '"m":3,"n":3,.*"reading":".*rows of 0 and 1.*"value":"2"' --json $dir/packed.txt
expect packed_rows_array 0 'permanent = 222$' --format array $dir/packed.txt
check packed_rows_quiet test ! -s $dir/err
printf '10\n11\n' >$dir/packed2.txt
expect packed_square 0 'permanent = 1$' $dir/packed2.txt
printf '100\n110\n111\n101\n' >$dir/packed4.txt
expect packed_rectangle 0 'packed4.txt: 4 x 3, 8 entries' $dir/packed4.txt
printf '.5 -1 2 .25\n3 4 5 6\n' >$dir/pairs.txt
expect pairs 0 'pairs.txt: 2 x 4, 8 entries' $dir/pairs.txt
check pairs_told grep -q 'read as 2 x 4 real numbers; complex ones are words such as 0.5-1.25i, not pairs$' $dir/err
awk '{ for (i = 1; i < NF; i += 2) printf "%s%+.17gi ", $i, $(i + 1); print "" }' $dir/pairs.txt | $perm - >$dir/out 2>&1
check pairs_advice grep -q '2 x 2, 4 entries' $dir/out
printf '102\n110\n111\n101\n' >$dir/packed3.txt
expect packed_or_numbers 0 'permanent = 424$' $dir/packed3.txt
check packed_or_numbers_told grep -q "read as one number a line; if each digit is an entry, put blanks between: sed 's/./& /g' FILE" $dir/err
sed 's/./& /g' $dir/packed3.txt | $perm - >$dir/out 2>&1; check packed_advice grep -q '4 x 3, 9 entries' $dir/out
printf '1 x\n' >$dir/x.txt
expect taken_as_text 2 "x.txt:1: taken as plain text: 'x' found" $dir/x.txt
printf 'IheA@GUA\n' >$dir/short.g6
expect taken_as_graph6 2 'short.g6:1: taken as graph6: 7 characters found after the order of a graph of 10 vertices, 8 were' $dir/short.g6
printf '\377\3761\0 \0002\0\n\0' >$dir/wide.txt
expect utf16 2 'wide.txt:1: UTF-16 text found, ASCII or UTF-8 was expected: iconv -f UTF-16 -t UTF-8 FILE . perm -, or in' $dir/wide.txt
printf 'p edge 3 3\ne 1 2\ne 2 3\ne 1 3\n' >$dir/triangle.col
expect dimacs 0 'permanent = 2$' $dir/triangle.col
printf "\\223NUMPY\\1\\0\\106\\0{'descr': '|i1', 'fortran_order': False, 'shape': (2, 2), }          \\n\\1\\2\\3\\4" >$dir/a.npy
expect npy 0 'permanent = 10$' $dir/a.npy
$perm - <$dir/a.npy >$dir/out 2>&1; check npy_stdin grep -q 'permanent = 10$' $dir/out
expect npy_truncated 2 'short.npy: byte 80: taken as .npy: 3 bytes of items found, 4 were expected for shape .2, 2.: is the file whole' \
  $(head -c 83 $dir/a.npy >$dir/short.npy; echo $dir/short.npy)
{ cat $dir/a.npy; timeout 20 cat /dev/zero; } 2>/dev/null | $perm - >$dir/out 2>&1
check npy_endless grep -q 'at least 5 bytes of items found, 4 were expected for shape (2, 2): save one array a file' $dir/out
timeout 20 yes 1 2>/dev/null | $perm --format npy - >$dir/out 2>&1
check npy_endless_text grep -q 'no .npy file: its first bytes are not' $dir/out
printf '1 2\n99999999999999999999 4\n' >$dir/large.txt
expect large_told 0 'large.txt: read as doubles, for line 2 has an integer beyond 64 bits' $dir/large.txt
printf '9007199254740993 0\n0 2i\n' >$dir/gaussian.txt
expect rounded_told 0 'gaussian.txt: read as doubles, which round the integer in line 1' $dir/gaussian.txt
printf '%% made by x\n%%%%MatrixMarket matrix coordinate real skew-symmetric\n4 4 2\n2 1 1.5\n4 3 2\n' >$dir/late.mtx
expect late_banner 2 "late.mtx:2: taken as plain text: '%%MatrixMarket matrix...' found, a banner is the first line" $dir/late.mtx
sed 1d $dir/late.mtx >$dir/banner.mtx
expect banner 0 'permanent = 9$' $dir/banner.mtx
printf '1 2\n3 4\n' | gzip >$dir/a.gz
expect packed 2 'a.gz:1: a gzip file found, text was expected: zcat FILE . perm -$' $dir/a.gz
zcat $dir/a.gz | $perm - >$dir/out 2>&1; check unpacked grep -q 'permanent = 10$' $dir/out
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n' >$dir/swap.mtx
expect market 0 'permanent = 1$' $dir/swap.mtx
# files without a banner: what they are is told, or asked for
printf '3 3 4\n1 1 2\n2 2 3\n3 3 5\n1 2 7\n' >$dir/coordinates.txt
expect coordinates 0 'permanent = 30$' $dir/coordinates.txt
check coordinates_told grep -q '^perm: .*coordinates.txt: read as 4 entries of a 3 x 3 matrix, counted from 1; --format array ' $dir/err
expect coordinates_json 0 '"reading":".*read as 4 entries.*"value":"30"' --json $dir/coordinates.txt
expect coordinates_explain 0 '"reading":".*read as 4 entries.*"explain":' --json --explain $dir/coordinates.txt
expect coordinates_array 0 'permanent = 1051$' --format array $dir/coordinates.txt
check coordinates_array_quiet test ! -s $dir/err
printf '2 2 2\n1 1 5\n2 2 5\n' >$dir/both.txt
expect both 2 'both.txt:1: .*--format array.coordinate$' $dir/both.txt
check both_line one_line_error
expect both_coordinate 0 'permanent = 25$' --format=coordinate $dir/both.txt
expect both_array 0 'permanent = 68$' --format array $dir/both.txt
printf '1 2\n2 3\n3 1\n3 3\n' >$dir/edges.txt
expect edges_asked 2 'edges.txt:1: taken as plain text: 4 rows of two integers found.*--format edges.array$' $dir/edges.txt
expect edges_from_one 0 'permanent = 1$' --format edges $dir/edges.txt
check edges_told grep -q 'read as 4 edges of a 3 x 3 matrix, counted from 1' $dir/err
printf '2 3\n3 2\n' >$dir/unclear.txt
printf '4000000000 4000000000 3\n1 1 5\n1 2 5\n2 1 5\n' >$dir/vast.txt
expect sizes_vast 2 'up to 16777216, 2\^31-1 and their product' $dir/vast.txt
expect edges_unclear 2 'unclear.txt:2: taken as edges: the smallest row is 2 .*: counted from 0 or from 1' --format edges $dir/unclear.txt
printf '0 1\n1 2\n2 3\n3 0\n' >$dir/ring.txt
expect edges_of_one_graph 0 'counted from 0; row i and column i are two vertices; of one graph take perm.matchings in Python$' \
  --format edges $dir/ring.txt
printf '0 1\n1 0\n2 2\n' >$dir/zero.txt
expect edges_from_zero 0 'read as 3 edges of a 3 x 3 matrix, counted from 0' --format edges $dir/zero.txt
expect format_unknown 2 'unknown format "graph"; perm --list formats names them' --format graph $dir/both.txt
expect format_generate 2 'format is for reading a matrix' --format edges --generate grid:2:2
expect formats 0 '^edges	lines of row' --list formats
printf '2.0 3e0\n1.0 15\n' >$dir/whole.txt
expect whole 0 '^  exactly; ' $dir/whole.txt
printf '2.0 3e0\n1.0 15.5\n' >$dir/decimal.txt
expect decimal 0 'digits guaranteed' $dir/decimal.txt
expect several 0 'permanent = 1$' $dir/nine.txt $dir/swap.mtx

# JSON
expect json 0 '^\{"file":"grid:8:8","m":32,"n":32,"nnz":112,"kind":"integer","value":"12988816","exp2":0,"exact":true,"error_bound":0,"error_estimate":0,"method":"band","precision":"exact","isa":"plain","threads":1,"gpus":0,"terms":[0-9.e+]+,"plan_seconds":[0-9.e-]+,"seconds":[0-9.e-]+,"escalated":0,"status":"PERM_OK"\}$' --generate grid:8:8 --json
expect json_null 0 '"value":"[-0-9.e+]+","exp2":0,"exact":false,"error_bound":null,"error_estimate":[0-9.e+-]+,"method":"dense"' \
  --generate symmetric-uniform:18 --json
if command -v python3 >/dev/null; then
  $perm --json $dir/nine.txt $dir/swap.mtx >$dir/out
  check json_parses python3 -c 'import json,sys; x=[json.loads(l) for l in open(sys.argv[1])]; assert [v["value"] for v in x]==["450","1"]' $dir/out
  cp $dir/nine.txt "$(printf "$dir/odd \"name\n\377.txt")"
  $perm --json "$(printf "$dir/odd \"name\n\377.txt")" >$dir/out
  check json_odd_name python3 -c 'import json,sys; assert json.load(open(sys.argv[1],encoding="utf-8"))["value"]=="450"' $dir/out
else
  skipped=$((skipped + 2)); echo "SKIP json_parses: install python3"
fi

# same bits for any number of threads; families agree
for threads in 1 2 3; do
  $perm --generate symmetric-uniform:22 --threads $threads --json | sed 's/.*"value":"\([^"]*\)".*/\1/' >$dir/t$threads
done
check threads cmp -s $dir/t1 $dir/t2
check threads3 cmp -s $dir/t1 $dir/t3
expect plain 0 '"isa":"plain"' --generate uniform:16 --isa plain --json

# guarantees, precisions, complex matrices
expect certify 0 '"error_bound":[0-9.e-]+,"error_estimate":[0-9.e-]+,"method":"dense"' \
  --generate uniform:14 --method dense --certify --json
expect certify_said 0 'guaranteed' --generate uniform:14 --certify
expect certify_needs 2 'certify needs method dense or auto' --generate uniform:8 --method ryser --certify
expect certify_value 2 'no value goes with "--certify"' --generate uniform:8 --certify=1
expect accurate_is_dd 0 'permanent = 1\.21645100408832e\+17' --generate ones:19 --method dense --precision accurate
expect dd 0 'permanent = 1\.21645100408832e\+17' --generate ones:19 --method dense --precision dd
expect dd_guaranteed 0 '"error_bound":[0-9.e-]+,' --generate uniform:12 --precision dd --json
expect kahan 0 'permanent = ' --generate uniform:12 --method glynn --precision kahan
expect kahan_refused 2 'precision kahan is for methods glynn and ryser' --generate uniform:12 --precision kahan
expect frontier_kahan 2 'precision kahan is for methods glynn and ryser' --generate uniform:8 --method frontier \
  --precision kahan
for method in frontier lists arrays tree band transversals; do
  expect "dd by $method" 0 '"error_bound":[0-9.e-]+,"error_estimate".*"method":"'$method'"' --generate uniform:8 --method $method \
    --precision dd --json
done
expect hybrid_estimate 0 'digits estimated; hybrid, ' --generate uniform:12 --method hybrid --precision fast
expect cached_accurate 0 'hybrid, dd' --generate er:20:0.4 --method cached --precision accurate
expect hybrid_exact 0 'permanent = 450' --method hybrid $dir/nine.txt
expect hybrid_exact_cached 0 '"exact":true.*"method":"hybrid"' --generate binary:20:0.5 --method cached --json
case $(uname -m) in
  x86_64 | i?86) expect neon 2 'this machine has no neon; its best is ' --isa neon $dir/nine.txt;;
  *) skipped=$((skipped + 1)); echo "SKIP neon: not refused on this machine";;
esac
printf '1 2i\n3 4\n' >$dir/complex.txt
printf 'i 1-2i\n-3+i,4\n' >$dir/complex2.txt
printf '%%%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 3 0\n2 1 1 -2\n2 2 5 0\n' >$dir/hermitian.mtx
printf '%%%%MatrixMarket matrix array complex general\n2 2\n0 1\n-3 1\n1 -2\n4 0\n' >$dir/array.mtx
printf '%%%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1 1\n2 1 1 -1\n' >$dir/singular.mtx
expect complex_text 0 'permanent = 4\+6i$' $dir/complex.txt
expect complex_text2 0 'permanent = -1\+11i$' $dir/complex2.txt
expect complex_array 0 'permanent = -1\+11i$' $dir/array.mtx
expect complex_hermitian 0 'permanent = 20\+0i$' $dir/hermitian.mtx
expect complex_singular 0 'permanent = 0[+]0i$' $dir/singular.mtx
expect complex_json 0 '"kind":"complex","value":\["4","6"\],"exp2":0,"exact":false,"error_bound":[0-9.e-]+,' \
  --json $dir/complex.txt
expect complex_zero_json 0 '"value":\["0","0"\],"exp2":0,"exact":true,"error_bound":0' --json $dir/singular.mtx
expect complex_gauss 0 'permanent = .*i$' --generate complex-gauss:12 --precision accurate
expect complex_certify 0 '"error_bound":[0-9.e-]+,"error_estimate"' --generate complex-gauss:12 --certify --json
expect complex_frontier 0 'permanent = 4[+]6i$' --method frontier $dir/complex.txt
expect complex_exact 0 'permanent = 4[+]6i$' --precision exact $dir/complex.txt
expect complex_exact_frontier 0 '"value":\["-1","11"\],"exp2":0,"exact":true' --precision exact --method frontier --json $dir/complex2.txt

# integers of any size, modulo, multiplicities, minors, gradient, estimates
expect long_integers 0 'permanent = 31469973260387937525653122354950764088012280797258232192163168247821107200000000000000$' \
  --generate ones:62
expect exact_engine 0 '"exact":true,"error_bound":0,"error_estimate":0,"method":"exact"' --generate bernoulli:20 --method exact --json
expect modulo 0 'permanent = 2$' --mod 7 $dir/nine.txt
check modulo_told grep -q '^  exactly, modulo 7; ' $dir/out
expect modulo_json 0 '"value":"2".*"modulus":"7"' --mod 7 --json $dir/nine.txt
expect modulo_even 0 'permanent = 50$' --mod 100 $dir/nine.txt
expect modulo_real 2 'precision exact needs integers below 2.53, and so does --mod,' --mod 7 --generate uniform:5
expect modulo_precision 2 '--mod goes with precision exact' --mod 7 --precision dd $dir/nine.txt
for modulus in 1 0 -3 9223372036854775809 1.5; do
  expect "bad modulus $modulus" 2 'bad --mod' --mod $modulus $dir/nine.txt
done
expect counts 0 'permanent = 168$' --rows 2,0,1 --cols 1,1,1 $dir/nine.txt
expect counts_columns 0 'permanent = 8$' --rows 1,1,0 --cols 2,0,0 $dir/nine.txt
expect counts_negative 2 'number 1 .counted from 1. is negative' --rows -1,2,2 $dir/nine.txt
expect counts_totals 2 'as many' --rows 2,2,2 $dir/nine.txt
expect counts_number 2 'rows has 2 numbers for 3 rows' --rows 1,1 $dir/nine.txt
expect counts_bad 2 'bad --cols "1,x"' --cols 1,x $dir/nine.txt
expect counts_complex 0 'permanent = .*i$' --rows 20,20 --cols 20,20 $dir/complex2.txt
printf '1+2i 3 4\n5 6-1i 7\n1 1 2i\n' >$dir/gauss.txt
expect minors 0 '    42 30 22$' --minors 2 $dir/nine.txt
expect minors_json 0 '"value":"450".*"minors":\["42","30","22"\]' --minors 2 --json $dir/nine.txt
expect rook 0 'rook numbers = 1 45 390 450$' --rook $dir/nine.txt
expect rook_json 0 '"rook":\["1","45","390","450"\]' --rook --json $dir/nine.txt
printf '1 0 0\n0 1 0\n0 0 1\n' >$dir/one.txt
printf '1 2 3\n4 5.5 6\n7 8 9i\n' >$dir/nine_complex.txt
expect polynomial 0 '^    x\^1 136$' --polynomial $dir/one.txt $dir/nine.txt
expect polynomial_json 0 '"value":"450",.*"polynomial":\["450","136","15","1"\],"esc' --json --polynomial $dir/one.txt $dir/nine.txt
expect permanental 0 '^    x\^2 -15$' --permanental $dir/nine.txt
expect permanental_json 0 '"value":"450",.*"permanental":\["-450","136","-15","1"\]' --permanental --json $dir/nine.txt
expect permanental_mod 0 '^    x\^0 5$' --permanental --mod 7 $dir/nine.txt
expect permanental_doubles 0 '^    x\^2 -6.5-9i [+]- [0-9.]+e-1[0-9]$' --permanental $dir/nine_complex.txt
expect permanental_bounds 0 '"permanental":\[.*\],"bounds":\[[0-9.]+e-1[0-9],' --permanental --json $dir/nine_complex.txt
printf '%s\n' '-1e140 -1 -1e-300' '-1e-150 1e-200 -1e-150' '1e-150 1e140 1e-200' >$dir/wide.txt
expect permanental_no_bound 0 '"bounds":\[null,1.5e[+]266,' --permanental --json $dir/wide.txt # JSON has no infinity
expect permanental_rectangular 2 'is of square matrices, not 2 x 3' --permanental $dir/rectangular23.txt
expect polynomial_sizes 2 'L: the matrix is 2 x 3, not 3 x 3' --polynomial $dir/rectangular23.txt $dir/nine.txt
expect polynomial_none 4 'none.mtx: cannot open' --polynomial $dir/none.mtx $dir/nine.txt
expect polynomial_two 2 'has no use for "--permanental"' --permanental --polynomial $dir/one.txt $dir/nine.txt
expect polynomial_rows 2 'has no use for "--rows"' --permanental --rows 1,1,1 $dir/nine.txt
expect rook_explain 0 '^  time       under a second$' --rook --explain $dir/nine.txt
expect rook_explain_long 0 '^  time       about [0-9.e+]+ (days|years)$' --rook --explain --generate binary:46:0.5
expect rook_explain_json 0 '"kind":"integer","time":"about [0-9.e+]+ [a-z]+"\}$' --rook --explain --json --generate binary:46:0.5
expect rook_explain_refused 2 'rook numbers are of integers' --rook --explain --generate uniform:5
expect permanental_explain 0 '^  time       about [0-9.e+]+ years$' --permanental --explain --generate uniform:60
expect polynomial_explain 0 '^  time       under a second$' --polynomial $dir/nine.txt --explain $dir/nine.txt
expect minors_range 2 '--minors 4: the matrix has 3 rows' --minors 4 $dir/nine.txt
expect minors_copy 2 '--minors 2: --rows has no copy of row 2' --minors 2 --rows 2,0,1 --cols 1,1,1 $dir/nine.txt
expect gradient 0 '    27 18 13$' --gradient $dir/nine.txt
expect gradient_json 0 '"gradient":\[\["93","78","67"\],\["42","30","22"\],\["27","18","13"\]\]' --gradient --json $dir/nine.txt
# of integers exact, as Python's, however large; rectangles too
printf '3037000500 0 0\n0 3037000500 0\n0 0 3037000500\n' >$dir/diagonal.txt
expect gradient_exact 0 '^    0 9223372037000250000 0$' --gradient $dir/diagonal.txt
expect gradient_exact_json 0 '"exact":true,.*"gradient":\[\["9223372037000250000","0","0"\],\["0","9' --gradient --json $dir/diagonal.txt
expect gradient_rectangular 0 '^    11 10 9$' --gradient $dir/rectangular23.txt
expect minors_rectangular 0 '"minors":\["5","4","3"\]' --minors 2 --json $dir/rectangular23.txt
printf '1 2 3.5\n4 5 6\n' >$dir/halves23.txt
expect gradient_rectangular_doubles 0 '^    7 7.5 9|^    5.5 4.5 3$' --gradient $dir/halves23.txt
expect gradient_counts 0 '^    12 6 4$' --gradient --rows 2,0,1 $dir/nine.txt
expect gradient_asked 0 '^    9[+]12i 7[+]10i 11-1i$' --gradient --precision exact $dir/gauss.txt
expect gradient_asked_real 2 'precision exact needs integers' --gradient --precision exact --generate uniform:5
expect gradient_doubles 0 'estimated; dense, default' --gradient --precision fast --generate uniform:12
expect minors_sparse 0 '^  exactly; ' --minors 1 --generate grid:2:70 # beyond the order of doubles
[ "$quick" ] || expect gradient_long 0 'digits estimated; dense, ' --gradient --generate binary:28:0.7
[ "$quick" ] || check gradient_long_said grep -q 'the entries are integers: --precision exact gives every digit$' $dir/err
expect gradient_long_stopped 1 '"value":null,.*"status":"PERM_STOPPED_TIME"' --gradient --precision exact --json --max-seconds 0.3 \
  --generate binary:26:0.7
check gradient_long_stopped_has_none sh -c "! grep -q '\"gradient\"' $dir/out"
if command -v python3 >/dev/null; then
  cat >$dir/minors.py <<'PYTHON'
import itertools, json, math, random, subprocess, sys
def permanent(a, n):
    if len(a) > n:
        return permanent([list(c) for c in zip(*a)], len(a)) if n else 1
    return sum(math.prod(r[j] for r, j in zip(a, p)) for p in itertools.permutations(range(n), len(a)))
random.seed(7)
for k in range(24):
    m, n = random.randint(2, 5), random.randint(2, 5)
    a = [[random.choice((0, 0, 1, 1, -2, 2**62 - k)) for _ in range(n)] for _ in range(m)]
    counts = [[1 + (k % 3 == 0 and i == 0) for i in range(lines)] for lines in (m, n)] if m == n else None
    a[-1] = list(a[0]) if k % 4 == 0 else a[-1]
    name, wanted = sys.argv[2] + "/minors.txt", []
    open(name, "w").write("".join(" ".join(map(str, row)) + "\n" for row in a))
    for i in range(m):
        wanted.append([])
        for j in range(n):
            rows, cols = counts or ([1] * m, [1] * n)
            b = [[x for j2, x in enumerate(row) for _ in range(cols[j2] - (j2 == j))]
                 for i2, row in enumerate(a) for _ in range(rows[i2] - (i2 == i))]
            wanted[-1].append(str(permanent(b, sum(cols) - 1) * rows[i] * cols[j]))
    options = ["--rows", ",".join(map(str, counts[0])), "--cols", ",".join(map(str, counts[1]))] if counts else []
    got = json.loads(subprocess.check_output([sys.argv[1], "--json", "--format", "array", "--gradient", name] + options))
    assert got["gradient"] == wanted and got["exact"], (a, counts, got, wanted)
PYTHON
  check minors_as_python python3 $dir/minors.py $perm $dir
else
  skipped=$((skipped + 1)); echo "SKIP minors_as_python: install python3"
fi
expect gradient_complex 0 '    4[+]0i 3[+]0i' --gradient $dir/complex.txt
expect estimate 0 'permanent about 4[0-9.]+ [+]- [0-9.]+ .standard error.' --estimate $dir/nine.txt
expect gradient_sparse 0 '^    1 1 26530238760980000$' --gradient --generate grid:12:12
expect gradient_sparse_json 0 '"exact":true,.*"gradient":\[\[1,1,"26530238760980000"\],\[1,7,"26' --gradient --json --generate grid:12:12
expect gradient_sparse_doubles 0 '^    70 70 [0-9.e-]+$' --gradient --generate band:70:1
expect gradient_sparse_none 3 'the states of all steps are kept' --gradient --generate regular:90:6
expect marginals 0 '^    2 4 0[.]33333333333333' --marginals --generate grid:4:4
expect marginals_digits 0 '1[0-9] digits guaranteed' --marginals --generate band:70:1
expect marginals_json 0 '"marginals":\[\[1,1,"0[.]5"\],\[1,3,"0[.]5"\]' --marginals --json --generate grid:4:4
printf '2 1 0\n0 3 1\n' >$dir/wide.txt
expect marginals_wide 0 '^    2 3 0[.]33333333333333' --marginals $dir/wide.txt
expect marginals_unmatched 0 '^    3 0[.]66666666666666' --marginals $dir/wide.txt
check marginals_unmatched_columns grep -qx '  unmatched columns:' $dir/out
expect marginals_unmatched_json 0 '"marginals":\[\[1,1,"0[.]8.*\],"unmatched":\["0[.]111111111111111.","0[.]2222[0-9]*","0[.]6666[0-9]*"\]' \
  --marginals --json $dir/wide.txt
printf '2 0\n1 3\n0 1\n' >$dir/tall.txt
expect marginals_unmatched_rows 0 '^  unmatched rows:$' --marginals --format array $dir/tall.txt
expect marginals_square 0 marginals --marginals $dir/nine.txt
check marginals_square_none test "$(grep -c unmatched $dir/out)" -eq 0
printf '%%%%MatrixMarket matrix coordinate complex general\n2 2 3\n1 1 1 0\n1 2 2 0\n2 2 4 0\n' >$dir/complex.mtx
expect marginals_complex 0 '^    2 2 1$' --marginals $dir/complex.mtx
# Matrix Market of what was asked for, in the pattern of the file
expect market 0 '^%%MatrixMarket matrix coordinate real general$' --marginals --market $dir/wide.txt
check market_lines test "$(sed '4s/ 0[.]8888[0-9]*$/ 8/; 1,4!d' $dir/out | tr '\n' ,)" = \
  '%%MatrixMarket matrix coordinate real general,% marginals,2 3 4,1 1 8,'
check market_alone test ! -s $dir/err
for option in --marginals --gradient; do
  $perm $option --market --format array $dir/tall.txt >$dir/tall.mtx
  expect "market $option read" 0 'tall.mtx: 3 x 2, 4 entries' $dir/tall.mtx
done
check market_tall grep -qx '1 1 4' $dir/tall.mtx
check market_integers grep -qx '%%MatrixMarket matrix coordinate integer general' $dir/tall.mtx
expect market_complex 0 '^1 1 4 0$' --gradient --market $dir/complex.mtx
expect market_large 0 '^70 70 [0-9.]*e' --gradient --market --generate band:70:1
printf '1e200 1e200\n1e200 3e200\n1e200 1e200\n' >$dir/huge.txt
expect market_exp2 0 '^% gradient, in units of 2\^[0-9]*$' --gradient --market --format array $dir/huge.txt
expect market_refused 2 'entries below 0' --marginals --market --generate gauss:5
check market_refused_empty one_line_error
expect market_limit 3 'over --max-seconds' --gradient --market --max-seconds 1e-6 --generate grid:16:16
check market_limit_empty one_line_error
expect market_alone_useless 2 'market does nothing without one of "--gradient --marginals"' --market $dir/nine.txt
for option in --json "--rows 1,1,1"; do
  expect "market $option" 2 'market has no use for' --gradient --market $option $dir/nine.txt
done
expect market_two 2 'only one matrix goes with "--market"' --gradient --market $dir/nine.txt $dir/nine.txt
expect market_many 2 'the file has many graphs, and --market is for one' --gradient --market $dir/many.g6
expect market_write 2 'nothing is computed, so there is no use for "--marginals' --marginals --market --write - $dir/nine.txt
cp $dir/wide.txt $dir/kept.txt
$perm --marginals --market $dir/wide.txt >/dev/null; check market_input_kept cmp $dir/wide.txt $dir/kept.txt
expect sample_signs 2 'have no chances; outputs of photons: examples/boson_sampling.c' --sample 2 --generate unitary:3
expect marginals_signs 2 'entries below 0 have no chances' --marginals --generate gauss:5
printf '1e-300 1e300 1\n1e300 1e-300 1\n' >$dir/far.txt
expect marginals_far 2 'range beyond doubles; leave out those too small to count' --marginals $dir/far.txt
printf '1e-300 2e-300\n1e300 3e300\n' >$dir/scales.txt
expect marginals_scales 0 '^    2 2 0[.](6|59999)' --marginals $dir/scales.txt
for option in --gradient "--mod 7" --explain "--rows 1,1" "--sample 2"; do
  expect "marginals $option" 2 'has no use for' --marginals $option $dir/nine.txt
done
# amplitudes
printf '0.6 0.8\n0.8 -0.6\n' >$dir/splitter.txt # per [[0.6, 0.8], [0.8, -0.6]] = 0.28
expect amplitudes_sample 2 'no use for "--sample"; outputs are drawn by perm.sampler.boson in Python and examples/boson_sampling' \
  --amplitudes --sample 3 $dir/splitter.txt
printf '9007199254740993 1\n1 1\n' >$dir/whole53.txt
expect amplitudes 0 '^    1,1 0[.]2(8|79999)[0-9]* -?0$' --amplitudes $dir/splitter.txt
check amplitudes_all test "$(grep -c '^    [012],[012] ' $dir/out)" -eq 3
check amplitudes_sum grep -Eq '^  2 photons: the squares of all amplitudes have the sum (1|0[.]99999)[0-9.]*$' $dir/out
expect amplitudes_listed 0 '^  4 photons: the squares of those listed have the sum 0[.]' --amplitudes --exactly 1,-,-,- --generate unitary:4
expect amplitudes_cols 0 '^    3,0 0[.]216' --amplitudes --cols 3,0 $dir/splitter.txt
expect amplitudes_limits 0 '^    1,2 0[.]' --amplitudes --cols 3,0 --rows 2,2 $dir/splitter.txt
check amplitudes_limits_all test "$(grep -c '^    [0123],[0123] ' $dir/out)" -eq 2
expect probabilities 0 '^    0,2 0[.]46079999|^    0,2 0[.]4608' --amplitudes --probabilities $dir/splitter.txt
expect amplitudes_json 0 '"exp2":0,.*"amplitudes":\[\[\[2,0\],\["0[.]678[0-9]*","-?0"\]\],\[\[1,1\],' --amplitudes --json $dir/splitter.txt
expect probabilities_json 0 '"probabilities":\[\[\[2,0\],"0[.]46[0-9]*"\],' --amplitudes --probabilities --json $dir/splitter.txt
expect amplitudes_none 0 '"value":"0",.*"amplitudes":\[\]' --amplitudes --json --rows 0,0 $dir/splitter.txt
printf '1e200 0\n0 1e200\n' >$dir/large.txt
expect amplitudes_unit 0 '^  amplitudes times 2\^13[0-9]*:$' --amplitudes $dir/large.txt
check amplitudes_unit_sum grep -Eq 'have the sum [0-9.e-]* times 2\^26' $dir/out
expect amplitudes_npy 0 'errs by .* at most, proved; ' --amplitudes --npy $dir/a.npy $dir/splitter.txt
check amplitudes_npy_bytes test "$(wc -c <$dir/a.npy)" -eq 176
check amplitudes_npy_shape grep -aq "'shape': (3,), }" $dir/a.npy
check amplitudes_no_list test "$(grep -c '^    ' $dir/out)" -eq 0
expect amplitudes_npy_unit 0 '^  probabilities times 2.26[0-9]* are in the file$' --amplitudes --probabilities --npy $dir/a.npy $dir/large.txt
expect amplitudes_none_told 0 '^  amplitudes: none within the limits$' --amplitudes --exactly 2,2 $dir/splitter.txt
expect probabilities_npy 0 proved --amplitudes --probabilities --npy $dir/a.npy $dir/splitter.txt
check probabilities_npy_bytes test "$(wc -c <$dir/a.npy)" -eq 152
expect amplitudes_npy_kept 2 'would replace a file that is no .npy' --amplitudes --npy $dir/nine.txt $dir/splitter.txt
expect amplitudes_npy_input 2 'would destroy the input' --amplitudes --force --npy $dir/splitter.txt $dir/splitter.txt
expect amplitudes_npy_file 4 'cannot write: ' --amplitudes --npy $dir/none/a.npy $dir/splitter.txt
expect amplitudes_stream 2 'takes a file, not a stream' --amplitudes --npy - $dir/splitter.txt
expect amplitudes_whole 2 'an integer above 2.53 is no double' --amplitudes $dir/whole53.txt
expect amplitudes_counts 2 'cols has 3 numbers for 2 columns' --amplitudes --cols 1,1,1 $dir/splitter.txt
expect amplitudes_negative 2 'cols: number 2 [(]counted from 1[)] is negative' --amplitudes --cols 1,-1 $dir/splitter.txt
expect amplitudes_many 3 'there are too many.*limit the photons of rows [(]--rows[)]' --amplitudes --generate unitary:60
expect amplitudes_bytes 3 '1352078 outputs take 21.6 MB; --npy FILE keeps them elsewhere' --amplitudes --max-bytes 1e7 --generate unitary:12
expect amplitudes_time 1 'max-seconds reached' --amplitudes --probabilities --npy $dir/late.npy --max-seconds 0.02 --generate unitary:13
check amplitudes_time_nothing test ! -e $dir/late.npy
# an older file is whole until the new one is: after --max-seconds, a kill, whose leftover the next run takes away
cp $dir/a.npy $dir/older.npy
expect amplitudes_npy_stopped 1 'max-seconds reached' --amplitudes --npy $dir/a.npy --max-seconds 0.02 --generate unitary:13
check amplitudes_npy_stopped_old cmp -s $dir/a.npy $dir/older.npy
left=$dir/a.npy.0000000000000000.tmp
check amplitudes_npy_stopped_alone test ! -e $left
$perm --amplitudes --probabilities --npy $dir/a.npy --isa plain --threads 1 --generate unitary:14 >/dev/null 2>&1 & job=$!
while ! [ -s $left ] && kill -0 $job 2>/dev/null; do :; done
expect amplitudes_npy_twice 4 'a.npy: cannot write: another run writes it' --amplitudes --npy $dir/a.npy $dir/splitter.txt
kill -KILL $job 2>/dev/null; wait $job 2>/dev/null
check amplitudes_npy_killed_left test -s $left
check amplitudes_npy_killed_old cmp -s $dir/a.npy $dir/older.npy
chmod 640 $dir/a.npy
expect amplitudes_npy_after 0 proved --amplitudes --npy $dir/a.npy $dir/splitter.txt
check amplitudes_npy_cleaned sh -c "! test -e $left && test $(wc -c <$dir/a.npy) -eq 176"
check amplitudes_npy_mode test "$(ls -l $dir/a.npy | cut -c 1-10)" = -rw-r-----
cp $dir/splitter.txt $left
expect amplitudes_npy_leftover 2 'npy would destroy the input' --amplitudes --npy $dir/a.npy $left
check amplitudes_npy_leftover_stays cmp -s $left $dir/splitter.txt
rm $left
ln -s a.npy $dir/link.npy
expect amplitudes_npy_link 4 'link.npy: cannot write: another run writes it, or it is no plain file' --amplitudes --npy $dir/link.npy $dir/splitter.txt
check amplitudes_npy_link_stays test -L $dir/link.npy
(ulimit -f 2; $perm --amplitudes --npy $dir/a.npy --generate unitary:6 >$dir/out 2>&1); code=$?
check amplitudes_npy_full test $code -eq 4
check amplitudes_npy_full_told grep -q 'a.npy: cannot write: File too large' $dir/out
check amplitudes_npy_full_old test "$(wc -c <$dir/a.npy)" -eq 176
# heralds and rows that nobody looks at
expect amplitudes_exactly 0 '^    1,1 0[.]2(8|79999)' --amplitudes --exactly 1,- $dir/splitter.txt
check amplitudes_exactly_all test "$(grep -c '^    [012],[012] ' $dir/out)" -eq 1
expect amplitudes_unseen 0 '^    0,2 0[.]46079999|^    0,2 0[.]4608' --amplitudes --probabilities --exactly=-,x $dir/splitter.txt
check amplitudes_unseen_all test "$(grep -c '^    [012],[012] ' $dir/out)" -eq 3
expect amplitudes_unseen_json 0 '"probabilities":\[\[\[2,0\],"(1|0[.]99999)[0-9.]*"\]\]' --amplitudes --probabilities --json \
  --exactly x,x $dir/splitter.txt
expect amplitudes_unseen_npy 0 proved --amplitudes --probabilities --exactly x,x --npy $dir/a.npy $dir/splitter.txt
check amplitudes_unseen_npy_bytes test "$(wc -c <$dir/a.npy)" -eq 136
expect amplitudes_unseen_amplitudes 2 'x in --exactly needs --probabilities' --amplitudes --exactly -,x $dir/splitter.txt
expect amplitudes_exactly_count 2 'exactly has 3 numbers for 2 rows' --amplitudes --exactly 1,x,- $dir/splitter.txt
expect amplitudes_exactly_bad 2 'bad --exactly .1,-2.; expected numbers, - or x, separated' --amplitudes --exactly 1,-2 $dir/splitter.txt
expect amplitudes_exactly_alone 2 'does nothing without "--amplitudes"' --exactly 1,- $dir/splitter.txt
expect amplitudes_method 2 'amplitudes have methods auto and subsets' --amplitudes --method glynn $dir/splitter.txt
expect amplitudes_alone 2 'does nothing without "--amplitudes"' --probabilities $dir/splitter.txt
expect amplitudes_checkpoint 2 'only permanents have pieces' --amplitudes --checkpoint $dir/a.ck $dir/splitter.txt
for option in "--mod 7" --gradient "--minors 1" --rook --estimate --marginals "--precision dd" --explain; do
  expect "amplitudes $option" 2 'no use for|only one of' --amplitudes $option $dir/splitter.txt
done
expect estimate_glynn 0 'estimator glynn, 512 samples, seed 9' --estimate --samples 300 --seed 9 --generate gauss:12
expect estimate_json 0 '"standard_error":[0-9.e+]+,"low":[0-9.e+]+,"high":[0-9.e+]+,.*"samples":1024,"seed":1,"method":"estimate-sinkhorn"' \
  --estimate --samples 1024 --json --generate uniform:30
expect estimate_relative 0 'permanent about' --estimate --relative-error 0.01 --generate uniform:20
expect meant 2 'did you mean --threads' --generate uniform:8 --treads 2
expect meant_method 2 'did you mean sign-search' --generate uniform:8 --method signsearch
expect meant_nothing 2 'perm --help lists them' --generate uniform:8 --quite-another
expect version_short 0 '^perm [0-9]' -V
expect spy_raster 2 'draws SVG' --generate grid:4:4 --spy a.png
expect estimate_late 5 'relative error asked for is not met' --generate uniform:20 --estimate --relative-error 1e-9 --seconds 0.05
expect far_away 3 'years and .* EB; --explain' --generate binary:66:0.9 --seed 1
expect guarantee 0 '95 % confidence: .*, proved; certainly ' --guarantee 0.3,0.05 --generate binary:24:0.5
expect guarantee_signs 5 'proved within ' --guarantee 0.3,0.05 --generate bernoulli:12
check guarantee_signs_said grep -q 'not met: entries are negative .* the radius, [0-9.e+]* times the value$' $dir/out
expect guarantee_signs_json 5 '"status":"PERM_TOLERANCE_NOT_MET","message":"the error asked for is not met' \
  --guarantee 0.3,0.05 --generate bernoulli:12 --json
# what an engine is predicted to do sooner than samples is computed, and told
expect guarantee_rather 0 '^  computed: method sign-search is predicted to take [0-9.]* m*s, samples ' --guarantee 0.05,0.05 \
  --generate regular:40:6
check guarantee_rather_value grep -q '^  permanent 17374664459700732 [+]- ' $dir/out
expect guarantee_rather_exactly 0 '"exact":true.*"radius":0,.*"samples":0,.*"status":"PERM_OK","message":"computed: method [a-z-]* is pred' \
  --guarantee 0.05,0.05 --generate grid:8:8 --json
expect guarantee_seed 0 'estimator rejection, [0-9]* samples, seed 3,' --guarantee 0.1,0.05 --generate uniform:50 --seed 3
# and --explain says which, with the seconds of both
expect guarantee_explained 0 '^  guarantee  the plan, sooner than samples: [0-9.]+ m?s or more$' --guarantee 0.05,0.05 \
  --generate regular:40:6 --explain
check guarantee_explained_plan sh -c "grep -q '^  plan       method sign-search' $dir/out && grep -q '^  time       about ' $dir/out"
expect guarantee_explained_samples 0 '^  guarantee  samples, sooner than the plan: predicted to take [0-9.]+ s$' \
  --guarantee 0.01,0.05 --generate uniform:60 --explain
check guarantee_explained_both grep -q '^  time       about [0-9.]* years' $dir/out
expect guarantee_explained_refused 0 '"guarantee":"samples, sooner .*"status":"PERM_ERROR_LIMIT"' --guarantee 0.05,0.05 \
  --generate uniform:200 --explain --json
expect guarantee_explained_small 0 '^  guarantee  the plan: blocks are too small' --guarantee 0.1,0.05 --generate uniform:12 --explain
expect guarantee_explained_signs 0 '^  guarantee  samples, predicted below 100 ms' --guarantee 0.1,0.05 --generate bernoulli:12 --explain
expect guarantee_explained_bytes 3 '"status":"PERM_ERROR_LIMIT","message":"--max-bytes 1 MB is too' --guarantee 0.1,0.05 \
  --generate uniform:1000 --max-bytes 1e6 --explain --json
expect guarantee_explained_seconds 2 'has no use for "--seconds"' --guarantee 0.1,0.05 --seconds 1 --generate uniform:12 --explain
expect estimate_explained 2 'leave out --estimate' --estimate --generate uniform:12 --explain
expect guarantee_rather_limit 1 '^  --max-seconds reached before' --guarantee 1e-4,0.05 --max-seconds 0.02 --generate binary:60:0.5
expect guarantee_seconds 1 '^  --seconds reached before' --guarantee 1e-3,0.05 --seconds 0.1 --generate binary:200:0.5
expect guarantee_max_seconds 1 '^  --max-seconds reached before' --guarantee 1e-3,0.05 --max-seconds 0.1 \
  --generate binary:200:0.5
expect guarantee_computed 0 'estimator rejection, 0 samples .computed., seed' --guarantee 0.1,0.05 --generate uniform:12
check guarantee_computed_digits sh -c "awk '/confidence: / { found = 1; exit \$4 >= \$6 } END { if (!found) exit 1 }' $dir/out"
# limits hold before the matrix becomes an array, of 0.8 to 20 GB
printf '%%%%MatrixMarket matrix coordinate integer general\n50000 50000 1\n1 1 1\n' >$dir/large.mtx
printf '%%%%MatrixMarket matrix coordinate integer general\n10000 10000 1\n1 1 1\n' >$dir/less.mtx
before=$(date +%s)
expect guarantee_bytes 3 '--max-bytes 10 MB is too little: at least 3.2 GB of input are needed; allow more --max-bytes$' \
  --guarantee 0.1,0.05 --generate grid:200:200 --max-bytes 1e7
expect guarantee_bytes_of_file 3 'at least 800 MB' $dir/less.mtx --guarantee 0.1,0.05 --max-bytes 1e7
expect guarantee_size 2 'n is negative or above PERM_ESTIMATE_MAX_N' --guarantee 0.1,0.05 $dir/large.mtx
expect guarantee_size_unseen 1 '^  --max-seconds reached before' --guarantee 0.1,0.05 $dir/less.mtx --max-seconds 0.01
check guarantee_limits_at_once test $(($(date +%s) - before)) -le 3
expect guarantee_bad 2 'expected a relative error between 0 and 1' --guarantee 2,3 --generate uniform:12
expect guarantee_json 0 '"certain_low":[0-9.e+]*,"certain_high":.*estimate-rejection' --guarantee 0.3,0.05 --generate binary:24:0.5 --json
expect estimate_stopped 5 'relative error asked for is not met, it is .* more --samples or --seconds' --estimate --relative-error 1e-6 --samples 1000 --generate uniform:20
expect estimate_seconds 0 'permanent about' --estimate --seconds 0.1 --generate uniform:20
expect estimate_complex 0 'within' --estimate --samples 500 --generate complex-gauss:6
expect estimate_rectangular 2 'square' --estimate $dir/rectangular23.txt
expect sample 0 '^[1-3] [1-3] [1-3]$' --sample 1 $dir/nine.txt
check sample_lines sh -c '$0 --sample 500 --generate grid:4:4 | sort -u | wc -l | grep -qx " *36"' $perm
check sample_seed sh -c 'test "$($0 --sample 40 --seed 2 $1)" = "$($0 --sample 40 --seed 2 --threads 1 $1)" &&
  test "$($0 --sample 40 --seed 2 $1)" != "$($0 --sample 40 --seed 3 $1)"' $perm $dir/nine.txt
expect sample_none 2 'bad --sample "0"' --sample 0 $dir/nine.txt
expect sample_rectangular 0 '^[1-3] [1-3]$' --sample 1 $dir/rectangular23.txt
expect sample_method 0 '^[0-9 ]*$' --sample 1 --method tree --generate grid:6:6
expect sample_complex 2 'row [0-9]+, column [0-9]+ .counted from 1. has' --sample 1 --generate complex-gauss:6
expect sample_json 2 'has no use for "--json"' --sample 1 --json $dir/nine.txt
expect sample_memory 3 'the states of all steps are kept' --sample 1 --max-bytes 1e8 --generate uniform:24
expect samples_alone 2 'go with --estimate' --samples 10 $dir/nine.txt
expect two_modes 2 'only one of' --estimate --gradient $dir/nine.txt
expect explain_modes 2 'about permanents' --explain --minors 1 $dir/nine.txt
for method in dense glynn ryser expansion; do
  expect "complex $method" 0 'permanent = (4|3\.9999[0-9]*|4\.0000[0-9]*)\+(6|5\.9999[0-9]*|6\.0000[0-9]*)i$' \
    --method $method $dir/complex.txt
done

# writing and reading back
expect write 0 'permanent = ' --generate er:12:0.4 --seed 7 --write $dir/er.mtx --method frontier
cp $dir/out $dir/written
expect reread 0 "$(sed -n 's/.*permanent = \([0-9.e+-]*\)$/\1/p' $dir/written)" $dir/er.mtx --method frontier
printf '9223372036854775808 1\n0 4611686018427387904\n' >$dir/whole.txt # 2^63, 2^62
$perm $dir/whole.txt --write $dir/whole.mtx >$dir/whole.out 2>&1
expect write_whole_doubles 0 '"value":"4.2535295865117308e.37","exp2":0,"exact":false' --json $dir/whole.mtx
check write_whole_bits grep -q '^1 1 9223372036854775808$' $dir/whole.mtx
expect write_fails 4 '^perm: [^:]*no/such/place/x.mtx: ' --generate ones:3 --write $dir/no/such/place/x.mtx
check nothing_half_written test "$(find $dir -name '*.tmp*' | wc -l)" -eq 0

# explain computes nothing
expect explain 0 'dense, .*range of [0-9]+ chunks' --generate uniform:60 --explain=full
expect explain_value 2 'the only value is full, of "--explain"' --generate uniform:60 --explain=all
# the answer: what the matrix is, what will be done, how long, what is known then, why not otherwise
expect explain_matrix 0 '^  matrix     1600 entries .real numbers., none is 0; one block of order 40 is left$' --generate uniform:40 --explain
check explain_plan grep -q '^  plan       method dense .blocked Glynn sum, vector kernels.$' $dir/out
check explain_time grep -Eq '^  time       about [0-9]+ (min|h|days) .*on one thread.* of memory$' $dir/out
check explain_answer grep -q '^  answer     a double with an estimate of its error; --certify' $dir/out
check explain_declined grep -q '^  declined   twins: it has too few proportional lines' $dir/out
expect explain_otherwise 0 '^  otherwise  band about [0-9.]+ m?s, [0-9.]+ MB$' --generate regular:60:3 --explain
check explain_exactly grep -q '^  answer     every digit, exactly$' $dir/out
expect explain_modulo 0 '^  answer     the permanent modulo 7, exactly$' --generate regular:60:3 --mod 7 --explain
printf '0 0\n1 1\n' >$dir/singular.txt
expect explain_zero 0 'the permanent is 0: 1 row has entries in only 0 columns: row 1$' --format array --explain $dir/singular.txt
check explain_nothing grep -q 'nothing is left to compute' $dir/out
expect explain_frontier 0 '^frontier, order [0-9]+: width' --generate regular:60:3 --explain=full
expect explain_band 0 '^band, order [0-9]+: window of at most' --generate grid:8:8 --explain=full
expect explain_table 0 'order [0-9]+, hybrid +(predicted|no: )' --generate regular:60:3 --explain=full
expect explain_write 0 'frontier' --generate grid:10:10 --explain --write $dir/grid.mtx
check explain_wrote test -s $dir/grid.mtx

expect explain_json 0 '^\{"file":"grid:10:10","m":50,"n":50,"nnz":180,"kind":"integer","structure":\{.*"explain":"structure: .*predicted .*bytes.u000a.*u000a"\}$' --generate grid:10:10 --explain --json
if command -v python3 >/dev/null; then
  $perm --generate uniform:40 --explain --json >$dir/out
  cat >$dir/explain.py <<'PYTHON'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["structure"]["blocks"] == d["leaves"] == len(d["plan"]) == 1 and d["structure"]["largest"] == 40
assert d["plan"][0]["method"] == "dense" and d["predicted_seconds"] == d["plan"][0]["seconds"] > 1
assert d["predicted_bytes"] > 0 and d["precision"] == "default" and d["proved"] is False and d["kind"] == "real"
offers = {o["method"]: o for o in d["offers"]}
assert offers["dense"]["seconds"] > 1 and offers["dense"]["bytes"] is None
assert offers["twins"]["seconds"] is None and "proportional" in offers["twins"]["reason"]
PYTHON
  check explain_json_facts python3 $dir/explain.py $dir/out
else skipped=$((skipped + 1)); echo "SKIP explain_json_facts: install python3"; fi
$perm --generate er:9:0.5 --write - >$dir/stream.mtx
expect write_stream 0 'permanent = ' $dir/stream.mtx
check write_stream_alone sh -c "! grep -q permanent $dir/stream.mtx"
expect write_complex 0 'complex' --generate dft:4 --write -

# pictures
well_formed() { # an XML parser where there is one, else the outermost element
  if command -v python3 >/dev/null; then python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"
  else head -1 "$1" | grep -q '^<svg ' && tail -1 "$1" | grep -q '^</svg>$'; fi
}
for kind in grid:10:10 er:40:0.1 ones:3 band:700:2 er:30:0.5; do
  expect "spy $kind" 0 'order|structure|[0-9]' --generate $kind --explain --spy $dir/spy.svg
  check "spy $kind: well-formed" well_formed $dir/spy.svg
  check "spy $kind: size" test "$(wc -c <$dir/spy.svg)" -lt 1000000
  rm -f $dir/spy.svg
done
expect spy_computes 0 'permanent = 450' --spy $dir/spy.svg $dir/nine.txt
check spy_file well_formed $dir/spy.svg
expect spy_rectangular 0 'permanent = ' --spy $dir/spy.svg $dir/rectangular23.txt
check spy_rectangular_file well_formed $dir/spy.svg
expect spy_stream 0 '^<svg ' --spy - $dir/nine.txt
expect spy_fails 4 'no/such/place/x.svg: ' --spy $dir/no/such/place/x.svg $dir/nine.txt
check spy_fails_line one_line_error
expect spy_missing 2 'missing value after "--spy"' $dir/nine.txt --spy
expect spy_two 2 'only one matrix goes with' --spy $dir/x.svg $dir/nine.txt $dir/swap.mtx
check no_half_picture test "$(find $dir -name '*.tmp*' | wc -l)" -eq 0

# no input is ever replaced, under any name; what is no Matrix Market or SVG with --force only; the old mode stays
cp $dir/swap.mtx $dir/input.mtx; cp $dir/nine.txt $dir/text
ln $dir/input.mtx $dir/input.hard; ln -s input.mtx $dir/input.link
expect "--write on the polynomial" 2 'write would destroy the input' --force $dir/text --polynomial $dir/input.mtx \
  --write $dir/input.mtx
for spelling in $dir/input.mtx ./$dir/input.mtx $dir/../$(basename $dir)/input.mtx $dir/input.hard $dir/input.link; do
  for option in --write --spy --prove; do
    expect "$option on the input: $spelling" 2 "$option would destroy the input \"$spelling\"; name another file$" \
      $option $spelling $dir/input.mtx
    expect "$option on the input by force: $spelling" 2 "$option would destroy the input \"" --force $option $spelling \
      $dir/input.mtx
    check "$option on standard input by force: $spelling" sh -c "! '$perm' --force $option $spelling - \
      <$dir/input.mtx 2>/dev/null"
  done
  expect "--checkpoint on the input: $spelling" 2 'would destroy the input' --checkpoint $spelling $dir/input.mtx
done
expect merge_input 2 'would destroy the checkpoint' --merge $dir/input.mtx --force --prove $dir/input.mtx
check input_stays cmp -s $dir/input.mtx $dir/swap.mtx
expect write_on_text 2 'that is no Matrix Market: "' --write $dir/text $dir/input.mtx
expect spy_on_market 2 'that is no SVG: "' --spy $dir/input.mtx $dir/swap.mtx
check others_are_there cmp -s $dir/input.mtx $dir/swap.mtx
check others_are_there_too cmp -s $dir/text $dir/nine.txt
expect write_nowhere 2 'no file name after "--write"' --write '' $dir/swap.mtx
expect spy_nowhere 2 'no file name after "--spy"' --spy= $dir/swap.mtx
expect write_again 0 'permanent = 1$' --write $dir/er.mtx $dir/swap.mtx
expect spy_again 0 'permanent = 1$' --spy $dir/spy.svg $dir/swap.mtx
chmod 600 $dir/spy.svg $dir/er.mtx
expect write_force 0 'permanent = 1$' --force --write $dir/text --spy $dir/spy.svg $dir/swap.mtx
check write_forced sh -c "head -1 $dir/text | grep -q MatrixMarket"
check mode_stays test "$(ls -l $dir/spy.svg | cut -c1-10)" = -rw-------
# what a first user met
expect write_and_prove 2 '"--write|--write and --prove have one name' --generate ones:5 --write $dir/one --prove $dir/one
check write_and_prove_nothing test ! -e $dir/one
expect write_and_prove_place 2 '--write and --prove have one name' --generate ones:5 --write $dir/one --prove $dir/./one
expect spy_and_prove 2 '--spy and --prove have one name' --generate ones:5 --spy $dir/one --prove $dir/one
cp $dir/header.csv $dir/no_proof.csv
expect prove_force 2 'add --force' $dir/header.csv --prove $dir/no_proof.csv
expect prove_forced 0 'permanent = 10$' $dir/header.csv --prove $dir/no_proof.csv --force
ln -s target $dir/x.link; cp $dir/nine.txt $dir/old.prf; printf '1 2.5 3\n4 5 6\n' >$dir/real23.txt
expect prove_nothing 2 'the matrix is 0 x 0; proofs are of square ones of order 1 to 44' --generate ones:0 --prove $dir/zero.prf
expect prove_fractions 2 'leave out --prove, or write decimals' $dir/fractions.txt --prove $dir/fr.prf
# a name that cannot be written shows before the work, an old proof stays until the new one is there
expect prove_nowhere 4 'no/such/x.prf: cannot create it: No such file' --generate binary:32:0.9 --max-seconds 20 --prove $dir/no/such/x.prf
expect prove_link 4 'symbolic link' --generate binary:32:0.9 --max-seconds 20 --prove $dir/x.link
expect prove_stopped 1 'max-seconds reached' --generate binary:36:0.9 --max-seconds 0.1 --prove $dir/old.prf --force
check prove_stopped_old cmp $dir/old.prf $dir/nine.txt
check prove_stopped_alone sh -c "! ls $dir/old.prf.*.tmp 2>/dev/null"
# every file that is proved, both verifiers read, or say what they do not read: verifies NAME VALUE TEXT
${CC:-cc} -O1 examples/perm_verify.c -lm -o $dir/perm_verify
verifiers="$dir/perm_verify"
if [ "$quick" ]; then :; elif command -v python3 >/dev/null; then verifiers="$verifiers examples/python/perm_verify.py"
else skipped=$((skipped + 1)); echo "SKIP perm_verify.py: install python3"; fi
verify() { case $1 in *.py) python3 "$@" ;; *) "$@" ;; esac; } # VERIFIER MATRIX PROOF
verifies() {
  printf -- "$3" >$dir/v; rm -f $dir/v.prf
  expect "$1: proved" 0 '; proof, ' $dir/v --prove $dir/v.prf
  for verifier in $verifiers; do
    verify $verifier $dir/v $dir/v.prf >$dir/out 2>&1
    if [ "${verifier%.py}" != "$verifier" ] && head -1 $dir/v | grep -qi matrixmarket &&
      ! head -1 $dir/v | grep -Eqi 'coordinate (integer|pattern) general'; then
      check "$1: $verifier" grep -q 'refused: coordinate integer or pattern general only, as of' $dir/out
    else check "$1: $verifier" grep -qxe "$2" $dir/out || cat $dir/out; fi
  done
}
market='%%%%MatrixMarket matrix'
verifies least_integer -9223372036854775804 '-9223372036854775808 2\n2 1\n'
verifies least_of_market -9223372036854775804 "$market array integer general\n2 2\n-9223372036854775808\n2\n2\n1\n"
verifies most_integer 9223372036854775811 '9223372036854775807 2\n2 1\n'
verifies real_whole 14 "$market array real general\n2 2\n1.0\n3e0\n%% between\n\n 4.00E+00\n+.2e1\n"
verifies real_long 90071992547409910 "$market array real general\n2 2\n9.007199254740991000e15\n0.000\n0e9\n1000.00e-2\n"
verifies long_decimals 92233720368547758070 '9.223372036854775807e18 0.000\n0e9 1000.00e-2\n'
verifies array_symmetric 84 "$market array integer symmetric\n3 3\n1\n2\n3\n0\n4\n5\n"
verifies array_skew 0 "$market array integer skew-symmetric\n3 3\n1\n2\n3\n"
verifies array_skew_four 496 "$market array real skew-symmetric\n4 4\n1\n2\n3\n4\n5\n6\n"
verifies array_skew_one 0 "$market array integer skew-symmetric\n1 1\n"
verifies array_hermitian 25+0i "$market array complex hermitian\n2 2\n4 0\n1 -2\n5.0 0\n"
verifies coordinate_symmetric 18 "$market coordinate pattern symmetric\n4 4 9\n1 1\n2 1\n3 1\n4 1\n2 2\n3 2\n4 2\n4 3\n4 4\n"
verifies coordinate_skew -4 "$market coordinate integer skew-symmetric\n2 2 1\n2 1 -2\n"
verifies coordinate_hermitian 5+0i "$market coordinate complex hermitian\n2 2 2\n2 1 1 2\n1 1 0 0\n"
verifies complex_symmetric -3+4i "$market coordinate complex symmetric\n2 2 1\n2 1 1 2\n"
verifies complex_skew 3-4i "$market coordinate complex skew-symmetric\n2 2 1\n2 1 1 2\n"
verifies complex_array 5+7i "$market array complex general\n2 2\n1 2\n0 -1\n3 0\n5 0\n"
verifies mark_and_comment 10 '\357\273\277%%%%MatrixMarket matrix array integer general\n%% a mark\n2 2\n1\n3\n2\n4\n'
verifies marked_rows 10 '\357\273\2771,2\n3, 4\n'
verifies tabs_and_zeros 10 '\t1.00000000000000000000000 2\n3.0\t000000000000000000000000000004\n'
verifies numpy_savetxt 93 '9.300000000000000000e+01\n'
verifies upper_case 10 '%%%%MATRIXMARKET MATRIX Coordinate INTEGER General\r\n2 2 4\r\n1 1 1\r\n1 2 2\r\n2 1 3\r\n2 2 4\r\n'
verifies zero_of_any_exponent 1 '0e99999999 1\n1 0e-9999999999\n'
verifies rows_of_decimals 10 '# comment\n%% another\n\n1.0 2e0\n3 4\n'
verifies coordinate_integer 10 "$market coordinate integer general\n%% between\n2 2 4\n1 1 1\n\n1 2 2\n2 1 3\n2 2 +4"
verifies semicolons 10 '# one mark in all lines\n1; 2\n3 ;4\r\n'
verifies three_rows 96 '0 1 2\n3 4 5\n6 7 -8\n'
refuses() { # REASON TEXT: neither verifier reads this matrix, nor prints a value, nor raises an exception; the C one says why
  printf -- "$2" >$dir/v
  for verifier in $verifiers; do
    verify $verifier $dir/v $dir/v.prf >$dir/out 2>$dir/err; code=$?
    check "$2: $verifier" test $code -eq 1
    check "$2: $verifier: no value" test ! -s $dir/out
    case $verifier in
      *.py) check "$2: $verifier: a reason" grep -q '^perm_verify: refused: ' $dir/err
        check "$2: $verifier: the matrix itself" sh -c "! grep -q 'another matrix\|no proof' $dir/err" ;;
      *) check "$2: $verifier: $1" grep -Eq "refused: $1" $dir/err || cat $dir/err ;;
    esac
  done
}
no='no integer below 2.63:'
refuses "$no 1[.]5$" '1.5\n'
refuses "$no [.]$" '.\n'
refuses "$no 1e$" '1e\n'
refuses "$no 1[.]2[.]3$" '1.2.3\n'
refuses "$no 9223372036854775808$" '9223372036854775808\n'
refuses "$no 1e99999$" '1e99999\n'
refuses "$no 1/2$" '1/2 1\n1 2\n'
refuses "$no 1_0$" '1_0\n'
refuses "$no $" '3,,2\n1,4\n'
refuses "$no $" '3,2,\n1,4,\n'
refuses 'line 2 has 1 numbers' '1,2\n3;2\n'
refuses "$no 1.2$" '1\r2\n'
refuses 'no ASCII text' '1\331\241\n'
refuses 'no ASCII text' '1\0132\n3 4\n'
refuses 'no ASCII text' '1 2\n3 4\0\n'
refuses 'no ASCII text' '1\2402\n3\2404\n'
refuses 'line 2 has 1 numbers' '3 2\n1\n4\n'
refuses 'line 2 has 2 numbers' '3 3 3\n1 2\n2 3\n3 1\n'
refuses 'line 2 has 0 numbers' '1 2\n'
refuses 'the matrix has more than its entries' '1 2\n3 4\n5 6\n'
refuses 'the matrix has more than its entries' '0,1\n3,4\n5,6\n'
refuses 'the matrix has more than its entries' '1 2 3\n3 4 5\n5 6 7\n7 8 9\n'
refuses 'the matrix is not square' ''
refuses 'the matrix is not square' '# nothing\n'
refuses '3 rows, or coordinates of 2 entries' '3 3 2\n1 1 5\n2 2 7\n'
refuses "the banner's word 1, \"matrixmarke\"" '%%%%MatrixMarke matrix array integer symmetric\n3 2\n1 4\n'
refuses 'a comment with "matrix" or "market"' '# by hand\n%%%%MatMarket array integer general\n2 2\n1 2\n'
refuses "the banner's word 1, \"matrixmarket0\"" "%%%%MatrixMarket0 matrix array integer general\n1 1\n1\n"
refuses "the banner's word 5, \"\"" "$market array integer\n1 1\n1\n"
refuses "the banner's word 6, \"more\"" "$market array integer general more\n1 1\n1\n"
refuses "the banner's word 4, \"double\"" "$market array double general\n1 1\n1\n"
refuses "the banner's word 5, \"half\"" "$market array real half\n1 1\n1\n"
refuses "the banner's word 3, \"list\"" "$market list real general\n1 1\n1\n"
refuses "the banner's word 2, \"vector\"" '%%%%MatrixMarket vector array real general\n1 1\n1\n'
refuses 'there is no array pattern general' "$market array pattern general\n1 1\n1\n"
refuses 'there is no coordinate pattern skew-symmetric' "$market coordinate pattern skew-symmetric\n2 2 1\n2 1\n"
refuses 'there is no coordinate integer hermitian' "$market coordinate integer hermitian\n2 2 1\n2 1 1\n"
refuses 'the line of sizes has not 2 numbers' "$market array integer general\n2 2 3\n1\n2\n4\n"
refuses 'the line of sizes has not 3 numbers' "$market coordinate integer general\n2 2\n1 1 1\n"
refuses 'the matrix is not square' "$market array real general\n2 3\n1\n2\n3\n4\n5\n6\n"
refuses 'the matrix is not square' "$market coordinate integer general\n300000 300000 1\n1 1 1\n"
refuses 'line 4 has 0 numbers' "$market array real general\n2 2\n1\n2\n3\n"
refuses 'line 1 has 2 numbers' "$market array real general\n2 2\n1 2\n3 4\n"
refuses 'line 1 has 4 numbers' "$market coordinate integer general\n2 2 1\n1 1 1 1\n"
refuses 'the matrix has more than its entries' "$market array real general\n2 2\n1\n2\n3\n4\n5\n"
refuses 'the matrix has more than its entries' "$market coordinate integer general\n1 1 1\n1 1 1\n# no comment here\n"
refuses "$no 1[.]0" "$market coordinate integer general\n1 1 1\n1 1 1.0\n"
refuses 'no integer below 2.53: 9007199254740993$' "$market array complex general\n1 1\n9007199254740993 0\n"
refuses 'no integer below 2.53: 9223372036854775807$' "$market array real general\n1 1\n9223372036854775807\n"
refuses 'an entry outside, or twice' "$market coordinate integer general\n2 2 2\n1 1 1\n1 1 1\n"
refuses 'an entry outside, or twice' "$market coordinate integer general\n2 2 1\n1 3 1\n"
refuses 'an entry outside, or twice' "$market coordinate integer general\n2 2 1\n0 1 1\n"
refuses 'no integer below 2.31: -92233' "$market coordinate integer general\n2 2 1\n-9223372036854775808 -9223372036854775808 1\n"
refuses 'an entry outside, or twice' "$market coordinate integer symmetric\n2 2 1\n1 2 1\n"
refuses 'an entry outside, or twice' "$market coordinate integer skew-symmetric\n2 2 1\n1 1 0\n"
refuses 'the matrix is not hermitian' "$market coordinate complex hermitian\n2 2 1\n1 1 1 1\n"
refuses 'the matrix is not skew-symmetric' "$market coordinate integer skew-symmetric\n2 2 1\n2 1 -9223372036854775808\n"
expect prove_real 2 ': precision exact needs integers below 2.53, and so does --mod, but the entry in row 1, column 1 ' --generate uniform:5 --prove $dir/r.prf
expect prove_rectangular 2 'the matrix is 2 x 3; proofs are of square ones' --prove $dir/r.prf $dir/real23.txt
expect prove_explained 0 'entries .integers.; taken whole, without any reduction$' --generate binary:30:0.1 --prove $dir/r.prf --explain
check prove_explained_ranges grep -q '^  plan .* in [0-9]* ranges of values$' $dir/out
expect prove_explained_json 0 '"kind":"integer","leaves":' --generate binary:30:0.1 --prove $dir/r.prf --explain --json
expect prove_bytes 0 '; [0-9.]+ MB of memory' --generate binary:26:0.5 --prove $dir/b.prf --explain
expect planning_keeps_nothing 1 'nothing is kept yet, for planning was not finished' --generate binary:44:0.5 \
  --max-seconds 0.05 --checkpoint $dir/none.ck
check planning_made_no_file test ! -e $dir/none.ck
threaded() { # threaded TEST...: of a command with threads
  if "$perm" --version | grep -q OpenMP; then skipped=$((skipped + 1)); echo "SKIP $2: needs OpenMP"; else "$@"; fi
}
threaded expect explain_ranks 0 'on one thread, .* on 4 ranks of 16 threads' --generate uniform:50 --explain --ranks 4 --threads 16
threaded expect explain_threads 0 'on one thread, .* on 16 threads' --generate uniform:50 --explain --threads 16
printf '1,5 2,5\n3,5 4,5\n' >$dir/commas.txt
expect decimal_commas 2 'commas.txt:1: .*are these decimals. They need a point' $dir/commas.txt
printf '1, 5 2, 5\n1,2,3,4\n1 2 3 4\n1 , 2 3 4\n' >$dir/commas2.txt
expect commas_and_blanks 0 'permanent' $dir/commas2.txt
expect explain_refused 3 'one block of order 100 is left' --generate uniform:100 --explain
check explain_refused_plan grep -q '^  plan       none within reach and limits$' $dir/out
check explain_refused_time grep -Eq '^  predicted  frontier about [0-9.e+]+ years, [0-9.e+]+ EB' $dir/out
check explain_refused_others grep -q '^  declined   .*sign-search: it is larger than' $dir/out
check explain_refused_try grep -q '; --effort 10 looks .* --estimate takes random samples$' $dir/err
expect explain_refused_json 3 '"plan":.*,"offers":.*"method":"sign-search".*,"value":null,"status":"PERM_ERROR_LIMIT","message":"a block' \
  --generate uniform:100 --explain --json
expect explain_refused_array 3 '^  matrix     4900 entries .integers., none is 0' --generate ones:70 --method ryser --explain
expect explain_gpu 0 'about .* on one GPU .as of an H200; this perm was built without CUDA and uses none.' \
  --generate uniform:50 --explain --gpus 16
expect explain_in_time 0 '^  limit      the run is predicted to end within --max-seconds 10 s$' --generate uniform:20 --explain --max-seconds 10
expect explain_stops 0 '^  limit      the run is stopped there: it is not predicted to end within --max-seconds 10 s$' --generate uniform:50 --explain --max-seconds 10
expect explain_stops_json 0 '"would_stop":true,' --generate uniform:50 --explain --max-seconds 10 --json
expect explain_stops_task 3 'over --max-seconds 0.[01][0-9]*; allow more' --generate er:40:0.4 --method lists --explain --max-seconds 0.1
expect explain_tolerance 0 '^  tolerance  1e-20 is finer than .* expect exit code 5$' --generate uniform:20 --explain --tolerance 1e-20
for bytes in 1e9 1000M 1GB 1G 1GiB 95.5k 95500B; do expect "bytes_$bytes" 0 'permanent = 120' --generate ones:5 --max-bytes $bytes; done
for bytes in G 12XB -1k 1Ki2 1e30T 1i; do expect "no_bytes_$bytes" 2 'such as 8e9 or 8G' --generate ones:5 --max-bytes $bytes; done
expect bytes_1k 3 'max-bytes 1.02 kB is too little' --generate ones:9 --max-bytes 1KiB
expect second_generate 2 'a second --generate' --generate ones:3 --generate ones:4
expect time_limit 2 'did you mean --max-seconds' --time-limit 5 --generate ones:3
expect max_memory 2 'did you mean --max-bytes' --max-memory 5 --generate ones:3
expect negative_count 2 '--rows: number 1' --rows -1,2,2 $dir/nine.txt
expect json_nowhere 2 'there is no place for "--json"' --generate ones:3 --spy - --json
expect merge_nothing 2 '--merge puts checkpoints together; name all' --merge
expect no_kind 2 'perm --list generators has them all$' --generate foo
printf '2.5 2.5\n2.5 2.5\n' >$dir/zeros.txt; printf '1000000.1 1\n1 100000000.3\n' >$dir/point.txt
printf '1e20 0.5\n0.5 1e20\n' >$dir/round.txt
expect digits_zeros 0 '^  12[.]500000000000000, 17 digits guaranteed' --precision dd $dir/zeros.txt
expect digits_no_point 0 '^  1[0-9]{14}, 15 digits guaranteed' $dir/point.txt
expect digits_shown 0 ' 1[.]00000000000000e[+]40, 15 digits guaranteed' $dir/round.txt
expect estimate_stops 0 'estimator' --generate uniform:30 --estimate --seconds 1.5
check estimate_left sh -c "! grep -q years $dir/err"
expect gradient_timed 0 'total [1-9]' --generate ones:5 --gradient
expect minors_timed 0 'total [1-9]' --generate ones:5 --minors 1
expect write_and_spy 2 'have one name' --write $dir/new --spy $dir/new $dir/swap.mtx
expect write_and_spy_elsewise 2 'have one name' --write $dir/both --spy $dir/../cli/both $dir/swap.mtx
check write_and_spy_nothing test ! -e $dir/both
cp $dir/swap.mtx $dir/kept.mtx; chmod 200 $dir/kept.mtx # not to be read: it may be anything
if [ "$(id -u)" -ne 0 ]; then
  expect write_unreadable 2 'a file that cannot be read: "' --write $dir/kept.mtx $dir/swap.mtx
elif command -v setpriv >/dev/null && cp "$perm" $dir/perm && chmod 777 $dir && chown 65534 $dir/kept.mtx &&
  (cd $dir && setpriv --reuid 65534 --clear-groups ./perm --version) >/dev/null 2>&1; then
  (cd $dir && setpriv --reuid 65534 --clear-groups ./perm --write kept.mtx swap.mtx) >$dir/out 2>&1; code=$?
  check write_unreadable test $code -eq 2
  check write_unreadable_said grep -q 'a file that cannot be read: "kept.mtx"; name another file, or add --force' $dir/out
else
  skipped=$((skipped + 1)); echo "SKIP write_unreadable: needs setpriv, or not to be root"
fi
rm -f $dir/kept.mtx $dir/perm
# a checkpoint under any name stays, also with --force
expect checkpoint_made 0 'permanent = ' --generate uniform:14 --checkpoint $dir/keep.ck
ln $dir/keep.ck $dir/hard.ck; cp $dir/keep.ck $dir/keep.copy
for spelling in $dir/keep.ck ./$dir/keep.ck $dir/../cli/keep.ck $dir/hard.ck; do
  for option in --write --spy; do
    expect "$option on the resumed: $spelling" 2 "$option would destroy the checkpoint" --resume $dir/keep.ck $option $spelling --force
    expect "$option on the kept: $spelling" 2 "$option would destroy the checkpoint" --generate uniform:14 \
      --checkpoint $dir/keep.ck $option $spelling --force
    expect "$option on the merged: $spelling" 2 "$option would destroy the checkpoint" --merge $dir/keep.ck $option $spelling --force
  done
done
check checkpoint_stays cmp -s $dir/keep.ck $dir/keep.copy
expect checkpoint_to_come 2 'would destroy the checkpoint' --generate uniform:14 --checkpoint $dir/new.ck --write ./$dir/new.ck
check checkpoint_to_come_none test ! -e $dir/new.ck
check write_on_redirected sh -c "! build/perm - --write $dir/input.mtx <$dir/input.mtx 2>/dev/null"
# so does the matrix that a checkpoint is of, by the name in its note, also where it has other contents by now
mkdir $dir/own; printf '1 2\n3 4\n' >$dir/own/m.txt; cp $dir/own/m.txt $dir/own/2.txt
printf '%%%%MatrixMarket matrix array integer general\n2 2\n1\n3\n2\n4\n' >$dir/own/m.mtx
expect note_made 0 'permanent = 10$' $dir/own/m.txt --method exact --checkpoint $dir/own/c.ck
$perm $dir/own/m.mtx --method exact --checkpoint $dir/own/m.ck >/dev/null
$perm $dir/own/m.txt --prove $dir/own/m.prf --checkpoint $dir/own/p.ck >/dev/null
for part in 1 2; do
  $perm $([ $part = 1 ] && echo $dir/own/m.txt || echo $dir/own/2.txt) --method exact --part $part/2 \
    --checkpoint $dir/own/part$part.ck >/dev/null
done
ln $dir/own/m.txt $dir/own/hard.txt; printf '%%%%MatrixMarket matrix array real general\n1 1\n9\n' >$dir/own/m.mtx
cp $dir/own/m.mtx $dir/own/m.copy
for spelling in $dir/own/m.txt ./$dir/own/m.txt $dir/own/hard.txt; do
  for option in --write --spy; do
    expect "$option on the note's matrix: $spelling" 2 "$option would destroy the input \"$spelling\"" \
      --resume $dir/own/c.ck --force $option $spelling
    expect "$option on a part's matrix: $spelling" 2 "$option would destroy the input \"$spelling\"" \
      --merge $dir/own/part1.ck $dir/own/part2.ck --force $option $spelling
  done
  expect "--prove on the note's matrix: $spelling" 2 "--prove would destroy the input \"$spelling\"" \
    --resume $dir/own/p.ck --force --prove $spelling
done
expect "--write on the note's matrix, changed" 2 'would destroy the input' --resume $dir/own/m.ck --write $dir/own/m.mtx
expect "--write on the second part's matrix" 2 "would destroy the input \"$dir/own/2.txt\"" \
  --merge $dir/own/part1.ck $dir/own/part2.ck --force --write $dir/own/2.txt
expect "--checkpoint of the merged on a matrix" 2 "2.txt: no checkpoint of perm" \
  --merge $dir/own/part1.ck $dir/own/part2.ck --checkpoint $dir/own/2.txt
printf '1 2\n3 4\n' | cmp -s - $dir/own/m.txt; check note_matrix_stays test $? -eq 0
check note_matrix_changed_stays cmp -s $dir/own/m.mtx $dir/own/m.copy
rm $dir/own/m.mtx # which then is written anew
expect note_matrix_again 0 'permanent = 10$' --resume $dir/own/m.ck --write $dir/own/m.mtx
expect note_elsewhere 0 'permanent = 10$' --resume $dir/own/m.ck --write $dir/own/m.mtx.copy
# "-" is a stream for --write and --spy alone
cp $dir/own/m.txt $dir/own/-; where=$PWD
for arguments in "2.txt --prove -" "2.txt --prove=- --force" "./- --prove -" "2.txt --checkpoint -" "--resume -" \
  "--merge -" "--merge c.ck -"; do
  (cd $dir/own && case $perm in /*) ;; *) perm=$where/$perm;; esac && "$perm" $arguments) >$dir/out 2>&1 </dev/null
  code=$?
  check "no stream: $arguments" test $code -eq 2
  check "no stream: $arguments, said" grep -q 'takes a file, not a stream, so there is no use for "-"; ./- is a file of that name' $dir/out
done
check stream_stays cmp -s $dir/own/- $dir/own/m.txt
# what has the name of a killed writer's file is not cleaned away where this command needs it
for output in --prove --checkpoint --write --spy; do
  left=$dir/own/left.0123456789abcdef.tmp
  cp $dir/own/m.txt $left
  expect "$output by a leftover" 2 "$output would destroy the input \"$dir/own/left\"" $left $output $dir/own/left
  expect "$output by a leftover, elsewise" 2 "$output would destroy the input" ./$left $output $dir/../cli/own/left
  ln -s left.0123456789abcdef.tmp $dir/own/link
  expect "$output by a link to a leftover" 2 "$output would destroy the input" $dir/own/link $output $dir/own/left
  check "$output by a leftover as standard input" sh -c "! '$perm' - $output $dir/own/left <$left >/dev/null 2>&1"
  check "$output: the leftover stays" cmp -s $left $dir/own/m.txt
  rm $dir/own/link $left
done
left=$dir/own/left.0123456789abcdef.tmp
cp $dir/own/c.ck $left; cp $dir/own/m.txt $dir/own/next.fedcba9876543210.tmp
expect resume_a_leftover 2 '--write would destroy the checkpoint' --resume $left --write $dir/own/left
expect merge_a_leftover 2 '--checkpoint would destroy the checkpoint' --merge $left --checkpoint $dir/own/left
check resume_a_leftover_stays cmp -s $left $dir/own/c.ck
rm $left
expect checkpoint_a_leftover 2 'would destroy' $dir/own/2.txt --checkpoint $left --prove $dir/own/left
expect write_a_leftover 2 'would destroy' $dir/own/2.txt --write $left --prove $dir/own/left
expect write_a_leftover_of_checkpoint 2 'would destroy' $dir/own/2.txt --write $left --checkpoint $dir/own/left
cp $dir/own/m.txt $dir/own/left.0123456789abcdeg.tmp # not such a name
expect no_leftover 0 'permanent = 10$' $dir/own/left.0123456789abcdeg.tmp --prove $dir/own/left
cp $dir/own/m.txt $left # of another command: as before
expect leftover_of_others 0 'permanent = 10$' $dir/own/2.txt --prove $dir/own/left
check leftover_is_cleaned test ! -e $left
expect stopped_after_a_named_plan 1 '--max-seconds reached after .* of about .* (days|years); ' --max-seconds 0.1 --generate er:54:0.3 \
  --method hybrid
"$perm" --generate grid:90:90 --method frontier --max-seconds 1e-6 --spy - >$dir/out 2>$dir/err; code=$?
check "--spy -: standard output is for the picture alone" test $code -eq 1 -a ! -s $dir/out
expect stopped_gradient 1 '"value":null' --json --max-seconds 0.3 --threads 1 --generate unitary:28 --gradient
check stopped_gradient_both_parts grep -q '"partial_sum":\["0","0"\]' $dir/out
check stopped_gradient_has_none sh -c "! build/perm --json --max-seconds 0.3 --threads 1 --generate unitary:28 \
  --gradient | grep -q '\"gradient\"'"
if mkfifo $dir/fifo 2>/dev/null; then
  for option in --checkpoint --resume; do
    case $option in --resume) matrix=;; *) matrix=$dir/swap.mtx;; esac
    timeout 20 "$perm" $option $dir/fifo $matrix >$dir/out 2>&1; code=$?
    check "FIFO: $option" test $code -eq 4
    check "FIFO: $option says so" grep -q 'it is a FIFO, not a regular file' $dir/out
  done
  expect "FIFO: --write" 4 'it is a FIFO' --write $dir/fifo $dir/swap.mtx
  "$perm" $dir/fifo >$dir/out 2>&1 & # a signal while nobody writes yet
  process=$!; sleep 0.3; kill -TERM $process; wait $process; code=$?
  check "FIFO: SIGTERM before a writer came" test $code -eq 1
  check "FIFO: SIGTERM said" grep -q 'stopped by a signal while reading' $dir/out
  rm -f $dir/stalled; mkfifo $dir/stalled # a reader that does not read; then whole lines, the last one perhaps cut
  files=$(awk 'BEGIN { for (i = 0; i < 600; i++) printf "%s ", ARGV[1] }' $dir/swap.mtx)
  "$perm" --json $files >$dir/stalled 2>$dir/err &
  process=$!
  (exec 3<$dir/stalled; sleep 1; cat <&3 >$dir/out) & reader=$!
  sleep 0.5; kill -TERM $process; wait $process; code=$?; wait $reader
  check "stalled output: exit" test $code -eq 4
  check "stalled output: nothing follows what is cut" test "$(grep -c 'PERM_OK"}$' $dir/out)" -eq \
    "$(grep -c '^{"file":"[^"]*","m":2,"n":2,"nnz":2,"kind":"integer","value":"1","exp2":0,"exact":true,"error_bound":0,"error_estimate":0,"method":"structure","precision":"exact","isa":"plain","threads":1,"gpus":0,"terms":0,"plan_seconds":[^,]*,"seconds":[^,]*,"escalated":0,"status":"PERM_OK"}$' $dir/out)"
fi
ln -s target $dir/link
expect link 4 'it is a symbolic link; name the file' --checkpoint $dir/link --generate uniform:14
check link_stays test -h $dir/link -a ! -e $dir/target
expect directory 4 'it is a directory' --checkpoint $dir --generate uniform:14
(ulimit -f 4; exec "$perm" --generate uniform:20 --checkpoint $dir/limited >$dir/out 2>&1); code=$?
check "ulimit -f: a failed write, no death" test $code -eq 4
check "ulimit -f: said" grep -q 'cannot write the checkpoint: File too large' $dir/out
check "ulimit -f: nothing left" sh -c "! ls $dir/limited* 2>/dev/null | grep ."
if [ -w /dev/full ]; then
  for arguments in --help --version "--list methods" "$dir/swap.mtx" "--json $dir/swap.mtx" "--explain $dir/swap.mtx" \
    "--estimate $dir/swap.mtx" "--minors 1 $dir/swap.mtx" "--write - $dir/swap.mtx" "--spy - $dir/swap.mtx"; do
    "$perm" $arguments >/dev/full 2>$dir/err; code=$?
    check "full disk: perm $arguments" test $code -eq 4
  done
else
  skipped=$((skipped + 10)); echo "SKIP full disk: no /dev/full"
fi

# options that would do nothing
useless() { # useless OPTIONS...: refused
  expect "useless: $*" 2 'has no use for|does nothing without|nothing is computed|do not go with|needs? ' "$@" $dir/nine.txt
}
for option in "--mod 7" "--precision dd" --certify "--tolerance 1e-9" "--method dense" "--effort 3" "--isa plain" \
  "--gpus 1" "--max-bytes 1e9" --cpu-fallback "--gpu-cache x"; do
  useless --estimate $option
  case $option in --precision* | --tolerance* | --method* | --isa* | --certify | --gpus* | --cpu-fallback | --gpu-cache*) ;; *) useless --minors 1 $option; useless --gradient $option;; esac
done
useless --seed 3; useless --force; useless --cpu-fallback; useless --gpu-cache x
useless --write - --gradient; useless --spy - --estimate
expect useless_seconds 2 'has no use for' --estimate --seconds 1 --max-seconds 1 $dir/nine.txt
expect useless_merge 2 'nothing is computed' --merge $dir/nine.txt --gpus 1

# messages name options of this command, which can be followed
expect gpu_method 4 'needs a GPU for this method: --gpus 1, and --cpu-fallback where there may be none' \
  --generate er:20:0.3 --method codegen
expect gpu_method_followed 0 'permanent = ' --generate er:20:0.3 --method codegen-memory --gpus 1 --cpu-fallback
expect fallback_alone 2 '^perm: --cpu-fallback does nothing without "--gpus"; add' --generate er:20:0.3 --cpu-fallback --isa cuda
expect cache_alone 2 '^perm: --gpu-cache does nothing without one of "--gpus --resume"; add' --generate er:20:0.3 --gpu-cache x
for method in dense glynn frontier subsets; do
  expect "prove by $method" 2 "^perm: ones:12: proofs go with method auto, not $method$" --generate ones:12 \
    --prove $dir/ones.prf --method $method
done
expect method_of_results 2 'unknown method "structure"; perm --list methods has them$' --generate ones:4 --method structure
# older names of methods
for names in classes:twins signs:sign-search repeats:multiplicities; do
  expect "method ${names%:*}" 0 "; ${names#*:}, " --generate ones:7 --precision exact --method ${names%:*}
done
# the older words for a proof, which need no file; its checkpoint is of a proof, too
expect method_proof 0 '^  exactly; proof, ' --generate ones:6 --method proof
expect method_proof_kept 0 '^  exactly; proof, ' --generate ones:6 --method proof --checkpoint $dir/proof.ck
expect method_proof_resumed 0 '^  exactly; proof, ' --resume $dir/proof.ck
expect method_proof_explained 0 '^  checkpoint 100 % is done, about 0 s left$' --explain --resume $dir/proof.ck
expect method_proof_resumed_file 0 'permanent = 720$' --resume $dir/proof.ck --prove $dir/resumed.prf
check method_proof_file test -s $dir/resumed.prf
# a proof that was stopped has residues, no sum
expect prove_no_sum 1 '^  --max-seconds reached after .* of about .*; a proof has no value before its end$' --generate binary:32:0.9 \
  --max-seconds 1 --prove $dir/no_sum.prf
check prove_no_sum_line sh -c "! grep -q 'sum so far' $dir/out"
expect prove_no_sum_json 1 '"value":null,"partial_sum":null,' --generate binary:32:0.9 --max-seconds 1 --json \
  --prove $dir/no_sum.prf
# one is not several
expect one_block 0 'eliminated, 1 block left$' --generate uniform:5 --explain=full
check one_round grep -Eq '^ *structure: [01] rounds?, 1 component at first' $dir/out
check one_round_of sh -c "! grep -E ' 1 (rounds|components|blocks) ' $dir/out"
printf '1 2 3\n0 0 0\n4 5 6\n' >$dir/row0.txt
expect one_row_drawn 2 'no assignment has a weight: 1 row has entries in only 0 columns: row 2$' --sample 2 $dir/row0.txt
expect marginals_zero 2 'permanent is 0, no assignment has a weight: 1 row has' --marginals $dir/row0.txt
expect one_row_explained 0 'the permanent is 0: 1 row has entries in only 0 columns: row 2$' --explain=full $dir/row0.txt
# zeros alone: which rows have too few columns; not where terms cancel
printf '1 0 1 0\n0 0 3 0\n5 0 2 0\n' >$dir/crowd.txt
expect crowd 0 'permanent = 0$' $dir/crowd.txt
check crowd_told grep -qx "perm: $dir/crowd.txt: no permutation avoids the zeros: 3 rows have entries in only 2 columns: rows 1, 2, 3" $dir/err
expect crowd_explained 0 'so the permanent is 0: 3 rows have entries in only 2 columns: rows 1, 2, 3$' --explain $dir/crowd.txt
expect crowd_marginals 2 'no assignment has a weight: 3 rows have entries in only 2 columns: rows 1, 2, 3$' --marginals $dir/crowd.txt
expect crowd_json 0 '"value":"0"' --json $dir/crowd.txt
check crowd_json_quiet test ! -s $dir/err
awk 'BEGIN { for (i = 0; i < 12; i++) { for (j = 0; j < 12; j++) printf "%d ", j < 10; print "" } }' >$dir/crowd12.txt
expect crowd_many 0 'zeros: 11 rows have entries in only 10 columns: rows 1, 2, 3, 4, 5, 6, 7, 8, ..$' $dir/crowd12.txt
printf '1 -1\n1 1\n' >$dir/cancel.txt
expect cancelled 0 'permanent = 0$' $dir/cancel.txt
check cancelled_quiet test ! -s $dir/err
# limits, stopping, tolerance
expect stopped 1 '--max-seconds reached after .* of about .*; there is no value' --generate uniform:40 --max-seconds 0.05
expect memory_says_how_much 0 'frontier about .*, but it takes more than 2 MB: --max-bytes allows more' --explain --max-bytes 2M \
  --generate regular:44:5
expect exact_within_ten_seconds 0 'answer     every digit, exactly' --explain --seed 4 --generate binary:40:0.2
expect exact_told 0 'answer     a double with a .*; exactly in about .* min .* s with --precision exact' --explain \
  --generate regular:130:3 # exact integers need more memory than doubles
check stopped_has_no_value sh -c "! grep -q 'permanent =' $dir/out"
expect stopped_json 1 '"value":null,"partial_sum":"[-0-9.e+]+","exp2":[0-9]+,.*"error_bound":null,"error_estimate":null,.*"status":"PERM_STOPPED_TIME"' --generate uniform:40 --max-seconds 0.05 --json
expect stopped_json_complex 1 '"value":null,"partial_sum":\["[-0-9.e+]+","[-0-9.e+]+"\],"exp2":' --generate complex-gauss:40 \
  --max-seconds 0.05 --json
expect stopped_complex 1 '^  sum so far = [-0-9.e+]+[-+][0-9.e+-]+i' --generate complex-gauss:40 --max-seconds 0.05
expect stopped_modulo 1 '^  sum so far = [0-9]{1,7}( [*] 2.-[0-9]+)? modulo 1000003' --generate bernoulli:40 --mod 1000003 --max-seconds 0.05
expect stopped_modulo_json 1 '"partial_sum":"[0-9]{1,7}","exp2":[-0-9]+,.*"modulus":"1000003"' --generate bernoulli:40 --mod 1000003 \
  --max-seconds 0.05 --json
expect stopped_planning_modulo 1 '"partial_sum":"0",.*"modulus":"7"' --generate grid:30:30 --mod 7 --max-seconds 0.1 \
  --method frontier --effort 100 --checkpoint $dir/planned --json
expect tolerance 5 'tolerance 1e-17 not met' --generate symmetric-uniform:14 --tolerance 1e-17
expect tolerance_value 5 'permanent = [0-9]' --generate symmetric-uniform:14 --tolerance 1e-17
printf '.1 .2 .4\n.3 .7 .9\n.3 .1 .6\n' >$dir/tenths.txt
expect tolerance_and_absent 4 'permanent = ' --tolerance 1e-300 $dir/tenths.txt $dir/no-such-file
expect tolerance_and_good 5 'permanent = 1$' --tolerance 1e-300 $dir/tenths.txt $dir/swap.mtx
expect tolerance_met 0 'permanent' --generate uniform:14 --tolerance 1e-9
expect effort 0 . --generate regular:40:3 --method frontier --effort 5
expect bytes 3 'predicted.*[kMGT]B' --generate regular:80:3 --method frontier --max-bytes 1e6
expect few_bytes_to_read 3 'max-bytes 1 kB is too little: at least [0-9.]+ [kM]B are needed; allow more --max-bytes$' \
  $dir/nine.txt --max-bytes 1000
expect few_bytes 3 '--max-bytes 1 kB is too little: [0-9.]+ kB of input and at least [0-9.]+ kB of work .*; allow more --max-bytes$' \
  --generate regular:80:3 --max-bytes 1000
# threads that cannot be started are refused, not fatal; -v takes effect for root as well
limited() { # limited KILOBYTES EXIT PATTERN ARGUMENTS...
  size=$1 code=$2 pattern=$3; shift 3
  (ulimit -v "$size"; exec "$perm" "$@") >$dir/out 2>&1
  [ $? -eq "$code" ] && grep -Eq -- "$pattern" $dir/out
}
if [ "$("$perm" --generate uniform:24 --threads 2 --json | sed 's/.*"threads":\([0-9]*\).*/\1/')" = 2 ] &&
  (ulimit -v 400000 && ulimit -s 8192) 2>/dev/null
then
  ulimit -s 8192
  check threads_refused limited 400000 3 'only [0-9]+ of 200 threads can be started' --generate uniform:24 --threads 200
  check threads_start limited 400000 0 'permanent = ' --generate uniform:24 --threads 4
else
  skipped=$((skipped + 2)); echo "SKIP threads_refused: needs OpenMP and ulimit -v"
fi
expect out_of_reach 3 'out of reach: method frontier is predicted.*; --explain .* --estimate ' --generate er:70:0.5
check out_of_reach_line one_line_error
# each refusal names its limit in the words of the command, and what to try
expect next_bytes 3 'over --max-bytes 1 MB; allow more --max-bytes, --effort 10 looks for an order' --generate regular:80:3 --method frontier --max-bytes 1e6
expect next_seconds 3 'over --max-seconds 0.0[0-9]+; allow more --max-seconds' --generate er:40:0.4 --method lists --max-seconds 0.05
expect next_explain 3 'EB; --effort 10 looks longer for another plan, --estimate' --generate er:70:0.5 --explain
expect next_certify 3 'it is planar, but has fronts .* leave out --certify; .*; without --certify there is a value' --generate hexagonal:60 --certify
expect next_gpu 0 'no GPU was used: this perm was built without CUDA; make cuda' --generate grid:8:8 --gpus 1
expect next_exact 0 'the entries are integers: --mod P gives' --generate grid:200:200
expect known 0 '^  [0-9.]+, [0-9]+ digits guaranteed' --generate uniform:8 --certify
expect isa_alone 2 'isa cuda needs --gpus' --generate uniform:10 --isa cuda
expect counts_method 2 'square matrices, without --rows and --cols' --method frontier --rows 1,1,1 --cols 1,1,1 $dir/nine.txt
expect known_long 0 '^  exactly: 86 digits, about 3.146997e[+]85; ' --generate ones:62
expect decimal_complex 0 '2.[0-9]+  .about [0-9.e+-]+[-+][0-9.e+-]+i.$' --rows 200,200 --cols 200,200 $dir/complex2.txt
expect gradient_flag 0 '"exact":false.*"gradient"' --gradient --json --generate uniform:5
expect gradient_flag_exact 0 '"exact":true.*"gradient"' --gradient --json $dir/nine.txt
expect gradient_predicted 3 'uniform:40: predicted to take [0-9]+ (min|h) .*, far over --max-seconds 1; allow more' --generate uniform:40 --gradient --max-seconds 1
expect told_work 1 '^perm: summing, [1-9][.0-9]* s so far, about .* left$' --generate uniform:45 --max-seconds 1.5
check told_once sh -c 'test "$(grep -c "so far" $0)" = 1' $dir/err
(sleep 1.6; cat $dir/nine.txt) | $perm - >$dir/out 2>$dir/err; check told_reading grep -q '^perm: reading, .* s so far$' $dir/err
expect not_kept 1 'nothing is kept; with --checkpoint FILE' --generate uniform:45 --max-seconds 0.1
expect "memory: next step" 4 'out of memory; --explain' --generate uniform:64 --method frontier
expect "stopped while planning" 1 '^  total ' --generate grid:30:30 --max-seconds 0.2 --method frontier --effort 100 \
  --checkpoint $dir/planned
expect seconds 3 'predicted.*s, over' --generate er:40:0.4 --method lists --max-seconds 0.05
if command -v timeout >/dev/null; then
  timeout -s TERM 0.5 $perm --generate uniform:45 >$dir/out 2>$dir/err; code=$?
  check interrupt test $code -eq 124 -o $code -eq 1
  check interrupt_prints grep -q 'stopped by a signal' $dir/out
  timeout -s HUP 0.5 $perm --generate uniform:45 >$dir/out 2>$dir/err
  check hangup_prints grep -q 'stopped by a signal' $dir/out
else
  skipped=$((skipped + 2)); echo "SKIP interrupt: needs timeout"
fi
$perm --generate uniform:40 --max-seconds 0.6 --progress >$dir/out 2>$dir/err; check progress grep -q '^perm: summing: .*% *, .* left$' $dir/err
check progress_is_a_line_a_minute test $(wc -l <$dir/err) -le 3 -a -z "$(tr -dc '\r' <$dir/err)"

# checkpoints, parts
bits() { sed 's/.*"value":\(.*\),"exact".*"error_estimate":\([^,]*\),.*"terms":\([^,]*\),.*/\1 \2 \3/'; }
same_bits() { [ -s $1 ] && [ "$(bits <$1)" = "$(bits <$2)" ]; }
pieces() { # pieces NAME ARGUMENTS...: stopped and resumed, and in three parts: the bits of the single run
  what=$1; shift
  rm -f $dir/piece*
  $perm "$@" --checkpoint $dir/piece --json >$dir/whole
  expect "$what: resumed from the end" 0 '"status":"PERM_OK"' --resume $dir/piece --json --threads 2
  check "$what: finished file" same_bits $dir/out $dir/whole
  for i in 1 2 3; do
    expect "$what: part $i" 0 "part $i of 3 is done: $dir/piece$i" "$@" --part $i/3 --checkpoint $dir/piece$i
  done
  expect "$what: merge" 0 '"status":"PERM_OK"' --merge $dir/piece3 $dir/piece1 $dir/piece2 --json --checkpoint $dir/pieces
  check "$what: bits" same_bits $dir/out $dir/whole
  expect "$what: merged file" 0 '"status":"PERM_OK"' --resume $dir/pieces --json
  check "$what: bits of it" same_bits $dir/out $dir/whole
  expect "$what: gap" 2 'of leaf [0-9]+ are missing' --merge $dir/piece1 $dir/piece3
  expect "$what: overlap" 2 'are there already' --merge $dir/piece1 $dir/piece2 $dir/piece3 $dir/piece2
}
# what is missing, in parts: one, several, one that is there and not finished, a job that was not in parts
for i in 1 2 3 4; do
  $perm --generate binary:26:0.5 --method exact --part $i/4 --checkpoint $dir/quarter$i >/dev/null
done
$perm --generate binary:40:0.5 --method exact --part 1/2 --checkpoint $dir/half1 --max-seconds 0.05 >/dev/null 2>&1
$perm --generate binary:40:0.5 --method exact --part 2/2 --checkpoint $dir/half2 --max-seconds 0.05 >/dev/null 2>&1
$perm --generate binary:30:0.5 --method exact --checkpoint $dir/job --max-seconds 0.05 >/dev/null 2>&1
expect merge_one_missing 2 'are missing; part 2 of 4 is not among the files: compute it with --part 2/4, and name its checkpoint, too$' \
  --merge $dir/quarter4 $dir/quarter1 $dir/quarter3
expect merge_two_missing 2 'are missing; parts 1, 3 of 4 are not among the files: compute them with --part I/4, and' \
  --merge $dir/quarter4 $dir/quarter2
expect merge_unfinished 2 'are missing; all 2 parts are named, so one of them is not finished: perm --resume FILE' \
  --merge $dir/half1 $dir/half2
expect merge_whole_unfinished 2 "are missing; perm --resume $dir/job finishes what is left there" --merge $dir/job
# the plain call gives the same, in whatever precision it ends; with a tolerance the precision is planned at once
$perm --generate complex-gauss:21 --isa plain --json >$dir/whole
expect piece_escalated 0 '"status":"PERM_OK"' --generate complex-gauss:21 --isa plain --json \
  --checkpoint $dir/raised
check piece_escalated_bits same_bits $dir/out $dir/whole
expect piece_tolerance_explained 0 'precision dd at once for the tolerance' --generate uniform:20 --tolerance 1e-12 \
  --checkpoint $dir/planned --explain
expect piece_tolerance 0 'dense, dd' --generate uniform:20 --tolerance 1e-12 --checkpoint $dir/planned
check piece_tolerance_said grep -q 'the precision is planned for the tolerance at once' $dir/err
expect piece_tolerance_other 2 'made with tolerance 1e-12, not 0.001' --generate uniform:20 --tolerance 1e-3 \
  --checkpoint $dir/planned
expect piece_not_raised 5 'with a checkpoint or parts the precision is not raised' --generate uniform:12 --tolerance 1e-300 \
  --checkpoint $dir/low
printf '4503599627370497.00000001 3 1\n1 2 1\n1 1 1\n' >$dir/rounded.txt # doubles that are whole when rounded
expect rounded 0 'permanent = 13510798882111500$' --checkpoint $dir/rounded $dir/rounded.txt
expect rounded_resumed 0 'permanent = 13510798882111500$' --resume $dir/rounded
pieces dense --generate symmetric-uniform:20
pieces dd --generate symmetric-uniform:18 --method dense --isa plain --precision dd
pieces complex --generate complex-gauss:19 --isa plain --method dense
pieces integer --generate bernoulli:21 --method exact --isa plain
pieces modulo --generate bernoulli:21 --method exact --isa plain --mod 1000003
pieces hybrid --generate er:26:0.4 --method hybrid
pieces blocks --generate blocks:3:17:0.95 --method dense
printf '1 2.5 3 4\n4 5 6 -1\n7 8 9 .5\n' >$dir/three.txt
pieces counts --rows 60,60,60 --cols 45,45,45,45 --isa plain --method multiplicities $dir/three.txt
expect stopped 1 "to go on: perm --resume $dir/stop" --generate uniform:26 --isa plain --checkpoint $dir/stop --max-seconds 0.05
cp $dir/stop $dir/stop.as
expect "stopped: explained" 0 '^  checkpoint [0-9.e-]+ % is done, about .*s left$' --resume $dir/stop --explain
expect "stopped: explained as JSON" 0 '"done":0[.][0-9]+,' --resume $dir/stop --explain --json
$perm --generate uniform:3 --rows 1,2,0 --cols 1,1,1 --checkpoint $dir/rows.ck >/dev/null
expect "with rows: not explained" 2 'about permanents of a matrix as it is; resume without it' --resume $dir/rows.ck --explain
check "stopped: explained, not changed" cmp -s $dir/stop $dir/stop.as
expect "stopped: resumed" 1 '--max-seconds reached after .* of about .* that were left; there is no value' --resume $dir/stop --max-seconds 0.05
expect "stopped: other options" 2 'made with precision default, not dd; --certify 0, not 1; give the same, or another --checkpoint' \
  --generate uniform:26 --isa plain --checkpoint $dir/stop --precision dd --certify
expect "stopped: other matrix" 2 'checkpoint of another matrix; to begin anew' --generate uniform:26 --seed 2 --checkpoint $dir/stop
expect "stopped: part" 2 'of the whole job, not of part 1 of 2' --generate uniform:26 --isa plain --part 1/2 \
  --checkpoint $dir/stop
expect "stopped: the same family without --isa" 1 'plain' --generate uniform:26 --checkpoint $dir/stop --max-seconds 0.02
head -c 1000 $dir/stop >$dir/cut; expect cut 2 'cut short or extended: 1000 bytes' --resume $dir/cut
expect no_checkpoint 2 'no checkpoint of perm' --resume $dir/nine.txt
expect nothing_to_resume 4 'cannot open' --resume $dir/nothing
expect bad_place 4 'cannot create the checkpoint' --generate uniform:20 --checkpoint $dir/no/place
expect bad_part 2 'bad --part "3/2"' --generate uniform:20 --part 3/2 --checkpoint $dir/x
expect part_alone 2 'add --checkpoint FILE' --generate uniform:20 --part 1/2
expect merge_nothing 2 'no matrix|name all of them' --merge
expect resume_options 2 'so --precision does not go with "--resume"; leave it out' --resume $dir/piece --precision dd
expect checkpoint_minors 2 'only permanents have pieces' --generate uniform:9 --minors 1 --checkpoint $dir/x
expect checkpoint_two 2 'a checkpoint is of one matrix' --checkpoint $dir/x $dir/nine.txt $dir/swap.mtx
if command -v timeout >/dev/null; then # a signal while the checkpoint is still read: no success without a result
  awk 'BEGIN { n = 1000; print "%%MatrixMarket matrix coordinate pattern general"; print n, n, n * (n + 1) / 2
    for (i = 1; i <= n; i++) for (j = 1; j <= i; j++) print i, j }' >$dir/triangle.mtx
  expect triangle 0 'permanent = 1$' $dir/triangle.mtx --checkpoint $dir/triangle
  for seconds in 0.02 0.04 0.06; do
    timeout --preserve-status -s TERM $seconds $perm --resume $dir/triangle >$dir/out 2>$dir/err; code=$?
    check "early signal, $seconds s" test $code -ne 0 -o -s $dir/out
  done
else
  skipped=$((skipped + 4)); echo "SKIP early signal: needs timeout"
fi
expect ranks 0 '192 ranks of 1 GPU, ideally shared: 1.43e\+20 elements, 2[0-9] h [0-9]+ min' \
  --generate uniform:62 --method dense --explain --ranks 192 --gpus 1
threaded expect ranks_json 0 '"ranks":4,"threads":8,"elements":6755399441055744,"seconds":[0-9.]+,"rank_elements":1688849860263936\}' \
  --generate uniform:48 --method dense --explain --ranks 4 --threads 8 --json
expect ranks_alone 2 'add --explain' --ranks 2 $dir/nine.txt

# GPUs: this command is compiled without them
expect gpus 4 'this perm was built without CUDA; make cuda' --generate uniform:30 --method dense --isa cuda --gpus 1
expect gpus_hybrid 4 'this perm was built without CUDA; make cuda' --generate er:24:0.4 --method hybrid --isa cuda --gpus 1
expect gpus_codegen 4 'this perm was built without CUDA; make cuda' --generate uniform:12 \
  --method codegen --gpus 1
expect gpus_minors 4 'this perm was built without CUDA; make cuda' --generate uniform:20 --minors 1 --isa cuda --gpus 1
expect gpus_minors_fallback 0 'dense, default, (plain|avx|neon)' --generate uniform:20 --gradient --gpus all --cpu-fallback
expect gpus_fallback 0 'dense, default, (plain|avx|neon)' --generate uniform:20 --isa cuda --gpus all --cpu-fallback
expect bad_gpus 2 'bad --gpus "some"' --gpus some $dir/nine.txt

# bad usage
$perm >$dir/out 2>$dir/err; check no_arguments grep -q 'no matrix; expected a file, - or --generate' $dir/err
expect unknown 2 'unknown option "--frobnicate"' --frobnicate $dir/nine.txt
expect bad_method 2 'unknown method "magic"; perm --list methods has them' --method magic $dir/nine.txt
expect bad_precision 2 'unknown precision "so-so"' --precision so-so $dir/nine.txt
expect bad_isa 2 'unknown instruction set "mmx"' --isa mmx $dir/nine.txt
expect bad_threads 2 'bad --threads "two"' --threads two $dir/nine.txt
expect bad_tolerance 2 'bad --tolerance "-1"' --tolerance -1 $dir/nine.txt
expect bad_seconds 2 'bad --max-seconds "0"' --max-seconds 0 $dir/nine.txt
expect bad_effort 2 'bad --effort "0"' --effort 0 $dir/nine.txt
expect bad_bytes 2 'bad --max-bytes "many"' --max-bytes many $dir/nine.txt
expect bad_seed 2 'bad --seed "-3"' --seed -3 --generate ones:2
expect bad_seed_blank 2 'bad --seed " -1"' --seed ' -1' --generate ones:2
expect bad_threads_hex 2 'bad --threads "0x2"' --threads 0x2 --generate ones:2
expect missing_value 2 'missing value after "--method"' $dir/nine.txt --method --threads 1
expect both 2 'goes without files' --generate ones:2 $dir/nine.txt
expect write_two 2 'only one matrix goes with' --write $dir/x.mtx $dir/nine.txt $dir/swap.mtx
expect bad_kind 2 'expected' --generate cheese:3
expect equals 0 'permanent = 6' --generate=ones:3 --method=expansion
expect exact_real 2 'precision exact needs integers' --generate uniform:5 --precision exact

# bad input
expect absent 4 'no-such-file.mtx: ' $dir/no-such-file.mtx
check absent_line one_line_error
printf '1 2\n3 x\n' >$dir/bad.txt
expect malformed 2 'bad.txt:2: .*expected' $dir/bad.txt
check malformed_line one_line_error
expect json_bad 2 '"value":null,.*"status":"PERM_ERROR_FORMAT"' --json $dir/bad.txt
printf '1 2 3\n4 5 6\n' >$dir/rectangular.txt
expect rectangular 0 'permanent = 58$' $dir/rectangular.txt
expect rectangular_band 2 'square matrices' $dir/rectangular.txt --method band
expect rectangular_frontier 0 'permanent = 58$' $dir/rectangular.txt --method frontier
for method in subsets multiplicities short; do
  expect "rectangular by $method" 0 'permanent = (58|57\.999999[0-9]*|58\.000000[0-9]*)$' \
    --method $method $dir/rectangular.txt
done
expect complex 0 'permanent = 4\+6i$' $dir/complex.txt
expect after_bad 2 'permanent = 450' $dir/bad.txt $dir/nine.txt

# help and version
expect help 0 '^Exit codes:' --help
expect list 0 '^er:N:P	' --list generators
expect list 0 '^frontier	dynamic' --list=methods
expect bad_list 2 'no list of "matrices"; expected methods, ' --list matrices
expect no_list 2 'no list of "nothing"; expected methods, ' --list
expect version 0 '^perm [0-9]+\.[0-9]+\.[0-9]+(-[a-z]+(\.[0-9]+)?)?(, built without OpenMP: it uses one thread)?$' --version

# Each condition of an option's value, and of options that do not go together, alone
zeros=00000000000000000000000000000000000000000000000000000000000000000
for guarantee in 0.1 0,0.1 1,0.1 x,0.1 0.1,0 0.1,1 0.1,x 0.1,1e-10 $zeros.1,0.1; do
  expect "guarantee $guarantee" 2 'bad --guarantee' --estimate --guarantee $guarantee $dir/nine.txt
done
for part in 1 x/2 1/x 0/2 3/2 1/1000000001 000000000001/2; do
  expect "part $part" 2 'bad --part' --checkpoint $dir/none.ck --part $part $dir/nine.txt
done
for counts in 1,,1 1,1,x 1,1,1000000001 1,1,-1000000001 1,1,1x; do
  expect "counts $counts" 2 'bad --rows' --rows $counts $dir/nine.txt
done
expect samples_zero 2 'bad --sample ' --sample 0 $dir/nine.txt
expect samples_long 2 'bad --sample ' --sample 18446744073709551616 $dir/nine.txt
expect samples_word 2 'bad --sample ' --sample -1 $dir/nine.txt
expect minors_half 2 'bad --minors' --minors 1.5 $dir/nine.txt
expect ranks_half 2 'bad --ranks' --ranks 1.5 --explain $dir/nine.txt
expect threads_half 2 'threads' --threads 1.5 $dir/nine.txt
for option in --rows --cols; do
  expect "rook $option" 2 'leave out --rows and --cols' --rook $option 1,1,1 $dir/nine.txt
  expect "explain $option" 2 'permanents of a matrix as it is; leave out --estimate, --gradient' --explain $option 1,1,1 $dir/nine.txt
  expect "estimate $option" 2 'takes no multiplicities' --estimate $option 1,1,1 $dir/nine.txt
done
for option in spy prove write; do
  expect "$option of two" 2 "^perm: only one matrix goes with \"--$option\"" --$option $dir/none.out $dir/nine.txt $dir/three.txt
done
expect format_made 2 '^perm: --format is for reading' --format array --generate ones:4
expect format_resume 2 '^perm: --format is for reading' --format array --resume $dir/none.ck
expect format_merge 2 '^perm: --format is for reading' --format array --merge $dir/none.ck
expect merge_nothing 2 '^perm: --merge puts checkpoints together' --merge
expect merge_part 2 '^perm: --merge puts checkpoints together' --merge --checkpoint $dir/a.ck --part 1/2 $dir/none.ck
expect seconds_alone 2 'goes with a file' --checkpoint-seconds 5 $dir/nine.txt
expect part_alone 2 '^perm: --part keeps its work in a file' --part 1/2 $dir/nine.txt
expect resume_file 2 '^perm: --resume takes one checkpoint' --resume $dir/none.ck $dir/nine.txt
expect resume_part 2 '^perm: --resume takes one checkpoint' --resume $dir/none.ck --part 1/2
expect resume_other 2 '^perm: --resume takes one checkpoint' --resume $dir/none.ck --checkpoint $dir/other.ck
for option in --estimate --gradient "--minors 1" --rook --permanental "--sample 5"; do
  expect "pieces $option" 2 'only permanents have pieces' $option --checkpoint $dir/none.ck $dir/nine.txt
done
expect explain_merge 2 'is of one checkpoint' --explain --merge $dir/none.ck
expect checkpoint_of_two 2 '^perm: a checkpoint is of one matrix' --checkpoint $dir/none.ck $dir/nine.txt $dir/three.txt

# real matrices, where PERM_MATRICES says
real() { # real FILE VALUE-PATTERN
  if [ -z "$PERM_MATRICES" ]; then skipped=$((skipped + 1)); echo "SKIP $1: PERM_MATRICES is not set"
  elif [ -r "$PERM_MATRICES/$1.mtx" ]; then expect "$1" 0 "$2" "$PERM_MATRICES/$1.mtx"
  else skipped=$((skipped + 1)); echo "SKIP $1: no $PERM_MATRICES/$1.mtx"; fi
}
real bcspwr02 'permanent = 17339123388$'
real mycielskian6 'permanent = 1381724105482686970$'
real mesh1e1 'permanent = 3\.2169391369371[0-9]*e\+32$'
real bcsstk01 '\(about 2\.3361[0-9]*e\+372\)'
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
