#!/bin/sh
# README.md, docs/ and the manuals on top of the sources, executed: every command as it stands there, every example
# program, every option and make target that they name; the tables of statuses and names are complete. Usage: tests/house/manuals.sh [names | full]
#   full   also what compiles for a minute
#   names  no commands, only that what prose and tables name is there
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
out=$root/build/manuals
full=$1
rm -rf $out; mkdir -p $out/bin
passed=0 failed=0 skipped=0 untried=""
check() { # check NAME COMMAND...
  name=$1; shift
  if "$@" >$out/log 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAIL $name"; head -n 20 $out/log; fi
}
skip() { skipped=$((skipped + 1)); echo "SKIP $1"; }

# The place: what the commands expect to find, with small files; make, and mpirun on a machine of few cores.
. tests/mpi/mpirun.sh
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
mkdir -p $out/here; cd $out/here || exit 1
ln -s $root/build $root/perm.h $root/perm_sparse.h $root/perm_more.h $root/perm_cuda.cu $root/perm_mpi.c $root/examples $root/bench .
printf '#!/bin/sh\nexec %s --no-print-directory -C %s "$@"\n' "$(command -v make)" $root >$out/bin/make
chmod +x $out/bin/make
for python in python3 /usr/bin/python3; do # the first that has numpy
  $python -c 'import numpy' 2>/dev/null && ln -s "$(command -v $python)" $out/bin/python3 && break
done
PATH=$out/bin:$PATH
build/perm --generate unitary:12 --seed 3 --write unitary.mtx >/dev/null
build/perm --generate er:14:0.5 --write matrix.mtx >$out/matrix
cp matrix.mtx graph.mtx
value=$(grep -o 'permanent = .*' $out/matrix)
# Programs of README and docs/, each in a directory with nothing but the headers, under the name that the compile line
# below it has.
mkdir -p bare
cp $root/perm.h $root/perm_sparse.h $root/perm_more.h bare
programs() { # programs FILE: each ```c block becomes the file that the next cc line names
  awk -v to=bare/ '/^```c$/ {text = ""; inside = 1; next}
    /^```/ && inside {inside = 0; next}
    inside {text = text $0 "\n"; next}
    /^cc / && text != "" {for (k = 2; k <= NF; k++) if ($k ~ /\.c$/) {printf "%s", text >(to $k); close(to $k); text = ""; break}}' $1
}
# Commands: indented with or without a shell prompt, of ``` blocks without a language and of the manuals; a comment ends
# them. Each must end with 0 and, but for `make`, say nothing on standard error but that it takes long.
commands() { # commands FILE
  case $1 in
    *.md) awk '/^```/ {if (!inside) plain = $0 == "```"; inside = !inside; next} inside && plain' $1;;
    *) awk '/\*\// {exit} {print}' $1 | grep -oE '^ +(nvcc|cc|mpicc|mpirun|make|build/perm) .*';;
  esac | sed 's/^ *//; s/ *\/\/ .*//; s/ \{2,\}#.*//; s/ # .*//; s/ *$//' | grep -v '^$'
}
has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; }
run() { # run COMMAND: 0 with nothing on standard error, but that it takes long
  sh -c "$1" >out 2>err </dev/null
  code=$?
  cat out err
  [ $code -eq 0 ] && { ! grep -qv '^perm: [a-z ]*, .* so far' err || case $1 in make* | nvcc*) ;; *) false;; esac }
}
merge() { # all of a job's parts, and the value of the whole
  rm -f *.ck
  for part in $(seq 100); do build/perm --part $part/100 --checkpoint $part.ck matrix.mtx >/dev/null || return 1; done
  run "$1" && grep -qF "$value" out
}
execute() { # execute COMMAND; on some pages a comment that begins with a number is what it prints
  command=$1 wanted=""
  case $file in README.md | docs/start.md | docs/faq.md | docs/formats.md)
    wanted=$(grep -F -- "$command " $root/$file | sed -n 's/.* # *\([0-9][0-9/]*\).*/\1/p' | head -n 1);; esac
  grep -qxF -- "$command${wanted:+ # $wanted}" $out/executed 2>/dev/null && return
  echo "$command${wanted:+ # $wanted}" >>$out/executed
  run_command
  [ -z "$wanted" ] || check "$command prints $wanted" grep -qwF -- "$wanted" out
}
run_command() {
  case $command in
    "make setup"* | "make run") check "$command" make -n ${command#make };; # .ci/run, tests/cli.sh run them
    *bench-cuda*) check "$command" make -n ${command#make };;
    nvcc* | *-lcudart_static* | *build/perm_gpu*)
      if ! command -v nvcc >/dev/null; then skip "$command: no nvcc"
      elif [ "$command" != "${command#*--gpus}" ] && ! has_gpu; then skip "$command: no GPU"
      elif [ "$full" != full ]; then untried="$untried; $command"
      else check "$command" run "$command"; fi;;
    "cc -O2 sparse.c -lm" | "cc -O2 start.c -lm") # half a minute or more
      if [ "$full" != full ]; then untried="$untried; $command"; else check "$command" run "cd bare && $command"; fi;;
    "cc -O2 a.c -lm") check "$command" run "cd bare && $command";;
    "cc -O2 "*.c*"&& ./a.out") # exactly as it is printed, and what it says is the comment
      check "$command" run "cd bare && $command"
      check "$command prints its comment" test "$(cat out)" = "$(grep -F "$command" $root/$file | sed 's/.*# //')";;
    mpicc*-O2*PERM_IMPLEMENTATION*) # as `make mpi`, without objects made before: a minute of compiling
      if [ "$full" != full ]; then untried="$untried; $command"
      elif [ -z "$mpis" ]; then skip "$command: no MPI"
      else check "$command" run "$command"; fi;;
    *build/zig*) untried="$untried; $command";; # fetches 100 MB: tests/python.sh full
    *mpi*)
      if [ -z "$mpis" ]; then skip "$command: no MPI"; else check "$command" run "$command"; fi;;
    *python3*)
      if [ -e $out/bin/python3 ]; then check "$command" run "$command"; else skip "$command: no numpy"; fi;;
    *--merge*) check "$command" merge "$command";;
    *) check "$command" run "$command";;
  esac
}
program_c() { # program.c as the manuals mean it
  printf '#define PERM_IMPLEMENTATION\n#include "%s"\n' $1
  [ $1 = perm_sparse.h ] && printf '#include "perm_mpi.c"\n'
  printf 'int main(void) { double a[4] = {1, 2, 3, 4}; return perm_real(2, a) != 10; }\n'
}
pages=$(cd $root && echo README.md docs/*.md)
for file in $pages perm.h perm_sparse.h perm_more.h perm_cuda.cu perm_mpi.c; do
  commands $root/$file >$out/commands
  case $file in *.md) programs $root/$file;; esac
  program_c $([ $file = perm_mpi.c ] && echo perm_sparse.h || echo perm.h) >program.c
  case $file in README.md | docs/command.md) check "$file has commands" test "$(wc -l <$out/commands)" -ge 12;; esac
  [ "$full" = names ] || while read -r command <&3; do execute "$command"; done 3<$out/commands
done

if [ "$full" != names ]; then
[ -z "$untried" ] || echo "left to make check-full, for their compile times: ${untried#; }"

# The example programs of README and manuals, beside the implementation that the command is linked with: statements, with
# the declarations they need before them. They print `want`.
program() { # program WANT WITH BEFORE < text
  { printf '#include <stdio.h>\n%s\nint main(int argc, char **argv)\n{\n(void)argc; (void)argv;\n%s\n' "$2" "$3"
    grep -v '#define PERM_IMPLEMENTATION\|#include'
    printf 'return 0;\n}\n'; } >example.c
  $compile -std=c99 -Wall -Wextra -I. example.c $with -o example -fopenmp -lm && $start ./example >out && cat out &&
    grep -qF -- "$1" out
}
example_of() { sed -n '/^   EXAMPLE/,/^$/p' $root/$1 | sed 1d; }
compile=${CC:-cc} start="" with=build/perm.o
check "README's programs were compiled" test "$(grep -c '^cc -O2 [ab].c' $out/executed)" -ge 2
example_of perm.h >text
check "perm.h's example" program 450 '#include "perm.h"' "" <text
example_of perm_sparse.h >text
check "perm_sparse.h's example" program "${value#permanent = }" '#include "perm_sparse.h"' "" <text
example_of perm_more.h >text
check "perm_more.h's example" program "$(sed -n 's/.*e.high);  *\/\/ //p' text)" '#include "perm_more.h"' "" <text
# Snippets of docs/start.md, each in the frame that the page has first: the comments behind printf are what they print.
awk '/^```c$/ {text = ""; inside = 1; next}
  /^```/ && inside {inside = 0; if (frame == "") frame = text; else {name = "snippet" ++count; split(frame, part, " *// the snippet\n")
    printf "%s%s%s", part[1], text, part[2] >(name ".c"); printf "%s", said >(name ".said"); close(name ".c"); close(name ".said")}; said = ""; next}
  inside {text = text $0 "\n"; if (/printf.*; *\/\/ /) {sub(/.*\/\/ /, ""); said = said $0 "\n"}}' $root/docs/start.md
snippet() { # snippet NAME
  grep -v '#define PERM_IMPLEMENTATION' $1.c >framed.c &&
    ${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Wshadow -Werror -I. framed.c build/perm.o -o framed -fopenmp -lm &&
    ./framed >said && test -s said && diff said $1.said
}
rm -f start.ck
check "start.md has 8 snippets" test "$(ls snippet*.c | wc -l)" -eq 8
for text in snippet*.c; do check "start.md: $text" snippet ${text%.c}; done
for mpi in $mpis; do
  compile=$(mpicc_of $mpi) start="$(mpirun_of $mpi) -np 2" with="build/perm_mpi.o build/perm.o"
  $compile -O1 -I. -c perm_mpi.c -o build/perm_mpi.o
  { example_of perm_mpi.c; echo 'MPI_Finalize();'; } >text
  check "perm_mpi.c's example, $mpi" program 450 '#include "perm_mpi.c"
static void fill(double *a) { int i; for (i = 0; i < 9; i++) a[i] = i + 1; }' \
    'perm_options options = {0}; perm_result result; double a[9]; int rank; enum { n = 3 };' <text
done
fi

# Names in prose: make targets, options of the command, files and calls.
cd $root || exit 1
rule() { grep -qE "^([a-z.-]+ )*$1( [a-z.-]+)*:" Makefile; }
for target in $(grep -ohE '`make [a-z. -]+`' $pages | tr -d '`' | sed 's/^make//' | sort -u); do
  check "make $target exists" rule $target
done
check "make help lists 20 targets at most" test "$(grep -cE '^[a-z.-]+:.* ## ' Makefile)" -le 20
for target in $(awk '/^[a-z]+:.* ## / { name = $1; sub(/:.*/, "", name)
    while (match($0, /(LEVEL|PART)=[a-z|-]+/)) { # of `PART=a|b`, NAME-a and NAME-b are rules
      count = split(substr($0, RSTART, RLENGTH), value, /[=|]/); $0 = substr($0, RSTART + RLENGTH)
      for (k = 2; k <= count; k++) print name "-" value[k] } }' Makefile); do
  check "$target of make help exists" rule $target
done
build/perm --help >$out/help
for option in $(grep -ohE -- '--[a-z][a-z-]+' $pages | sort -u | grep -vxE -- "--(calls|cases|jobs|only|photons|scenes|target)"); do
  check "$option is in --help" grep -q -- "$option\b" $out/help
done
for file in $(grep -ohE '`(tests|examples|bench)/[A-Za-z_0-9./]+`' $pages | tr -d '`' | sort -u); do
  check "$file exists" test -e $file
done
for name in $(grep -ohE '`perm_[a-z_]+`|options\.[a-z_]+' $(echo $pages | tr ' ' '\n' | grep -v migration) | tr -d '`' | sed 's/^options\.//; s/_$//' | sort -u); do
  [ -e examples/python/$name.py ] ||
    check "$name is in a header" grep -q "\b$name" perm.h perm_sparse.h perm_more.h perm_mpi.c perm_cuda.cu
done

check "README takes 8 kB at most" test "$(wc -c <README.md)" -le 8192
for page in $pages; do
  for link in $(grep -oE '\]\([^)#]+' $page | cut -c 3- | grep -v '^http' | sort -u); do
    check "$page: $link" test -e "$(dirname $page)/$link"
  done
done

# Links into pages.
anchors() { # anchors PAGE: of its headings, as GitHub names them, and ids
  awk '/^```/ {code = !code} code {next} /^#+ / {sub(/^#+ /, ""); $0 = tolower($0); gsub(/[^a-z0-9 _-]/, ""); gsub(/ /, "-"); print}
    match($0, /id="[^"]*"/) {print substr($0, RSTART + 4, RLENGTH - 5)}' $1
}
for page in $pages; do
  for link in $(grep -oE '\]\([^)]*#[^)]+' $page | cut -c 3- | grep -v '^http' | sort -u); do
    to=${link%%#*}; to=${to:+$(dirname $page)/$to}
    check "$page: $link" sh -c "echo '$(anchors ${to:-$page} | tr '\n' ' ')' | grep -qwF -- '${link#*#}'"
  done
done

# docs/api.md has every function that is linked and every public macro; docs/faq.md every status with the exit code of the
# command (test_perm.py compares its exceptions), and refusals that the command has.
for name in $(nm build/perm.o | sed -n 's/.* T \(perm_[a-z_0-9]*\)$/\1/p') $(grep -ohE '^perm_status perm_mpi_[a-z_]+' src/mpi/api.h | cut -c 13-) \
  $(sed -n 's/^#define \(PERM_[A-Z_]*\)\( .*\|(X).*\)/\1/p' src/api/*.h | grep -v 'API$') $(grep -ohE '^   PERM_[A-Z_]+' src/api/config.h); do
  check "docs/api.md: $name" grep -qF "\`$name\`" docs/api.md
done
printf '%s\n' '#define PERM_CLI_LINKED' '#define main command' '#include "examples/command/perm_cli.c"' '#undef main' \
  '#define SHOW(name, number, text) printf("%s %d\n", #name, cli_exit_code(name));' \
  'int main(void) { PERM_STATUS_LIST(SHOW) return 0; }' >$out/codes.c
check "exit codes" ${CC:-cc} -w -I. $out/codes.c build/perm.o -o $out/codes -fopenmp -lm
$out/codes >$out/codes.are
awk -F '|' '/^\| `PERM_/ {gsub(/[ `]/, "", $2); gsub(/ /, "", $6); print $2, $6}' docs/faq.md >$out/codes.said
check "docs/faq.md: statuses and exit codes" sh -c "test -s $out/codes.are && diff $out/codes.are $out/codes.said"
sed -n '/^| it says/,/^$/p' docs/faq.md | cut -d'|' -f 2 | grep -oE '`[^`]*`' | tr -d '`' >$out/refusals
check "docs/faq.md has refusals" test "$(wc -l <$out/refusals)" -ge 5
while read -r text <&3; do check "docs/faq.md: $text" grep -qaF -- "$text" build/perm; done 3<$out/refusals

# GUARANTEES: every point of a manual is in the table, every test of the table exists.
for file in perm.h perm_sparse.h perm_more.h perm_mpi.c perm_cuda.cu; do
  sed -n '/^   GUARANTEES/,/^$/s/^     - //p' $file | sed 's/^[0-9]* *//' | cut -c 1-27 >$out/promises
  check "$file has guarantees" test -s $out/promises
  while read -r promise <&3; do
    check "$file: $promise" grep -qF "| $file | $promise" tests/house/guarantees.md
  done 3<$out/promises
done
for test in $(grep -oE '\bt_[a-z_0-9]+\b[^.]' tests/house/guarantees.md | grep -oE 't_[a-z_0-9]+'); do
  check "guarantees.md: $test" grep -qE "^TEST(_LONG)?\($test\)" tests/unit/t_*.c
done
for test in $(grep -oE 'tests/[a-z_/]+\.[a-z]+' tests/house/guarantees.md); do
  check "guarantees.md: $test" test -e $test
done
# no globals (what is constant apart from its addresses is .data.rel.ro) but the cache, no output, no environment
bss() { nm build/perm.o | sed -n 's/.* [bd] \([a-z_]*\).*/\1/p' | grep -c '^cached$'; }
check "one word of writable memory: the cache" test "$(size -A build/perm.o |
  awk '$1 == ".data" || $1 == ".bss" {bytes += $2} END {print bytes + 0}') $(bss)" = "4 1"
quiet() { ! nm -u build/perm.o | grep -E ' (v?printf|puts|putchar|signal|sigaction|raise|getenv|setenv|putenv|exit|abort|omp_set_[a-z_]*|fesetround)$'; }
check "no printing, signals or environment" quiet
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
