#!/bin/sh
# The headers as documents: tags match the tables of contents, rooms use only rooms above them, lines fit, private names
# stay private, implementation units in any order link.
# The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/../.." || exit 1
out=build/headers; mkdir -p $out
passed=0 failed=0 skipped=0
skip() { skipped=$((skipped + 1)); echo "SKIP $1"; }
check() { name=$1; shift
  if "$@" >$out/log 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name"; head -n 20 $out/log; fi; }

# every tag of the contents has exactly one banner, and the other way round: kernels stand at the foot of the file
contents() { sed -n '/^ *CONTENTS/,/^ *\(REFERENCES\|EXAMPLE\|GUARANTEES\)/p' $1 | grep -o '>>[a-z_]*'; }
banners() { grep -E '^/\* =+ >>[a-z]+' $1 | grep -o '>>[a-z_]*'; }
for header in perm.h perm_sparse.h perm_more.h; do
  contents $header | sort >$out/contents; banners $header | sort >$out/banners
  check "$header: contents" cmp $out/contents $out/banners
  check "$header: contents not empty" test "$(wc -l <$out/contents)" -ge 10
done

contents perm_mpi.c >$out/contents; banners perm_mpi.c >$out/banners
check "perm_mpi.c: contents" cmp $out/contents $out/banners
check "perm_mpi.c: contents not empty" test "$(wc -l <$out/contents)" -ge 7

# The works that the manuals cite are those of docs/literature.md with a mark
for header in perm.h perm_sparse.h perm_more.h; do sed -n '/^ *REFERENCES/,/\*\//p' $header; done |
  grep -oE '\[[A-Z][A-Za-z]+[0-9]*\]' | sort >$out/cited
grep -oE '^\| \[.*|; \[[A-Z][A-Za-z0-9]*\]' docs/literature.md | sed 's/ |[^|]*|$//' | grep -oE '\[[A-Z][A-Za-z]+[0-9]*\]' | sort >$out/listed
check "docs/literature.md has what the manuals cite" cmp $out/cited $out/listed
check "works are cited" test "$(wc -l <$out/cited)" -ge 40
# each of their rooms is there
for room in $(grep -oE '`[a-z_]+/[a-z_]*(\.h)?`' docs/literature.md | tr -d '`'); do check "literature: $room" test -e src/$room; done

# Places to touch: every file is there, paths from src/ or tests/ or below it, and every private name
recipes() {
  sed -n '/^```text$/,/^```$/p' docs/CONTRIBUTING.md >$out/recipes
  for file in $(grep -oE '[a-z_/]+\.(h|c|cu|sh)\b' $out/recipes); do
    [ -e src/$file ] || [ -n "$(ls tests/$file tests/*/$file 2>/dev/null)" ] || [ -e $file ] || { echo "no $file"; bad=1; }
  done
  for word in $(grep -oE '\bpermi_[a-z_]+|\bPERM_[A-Z_]+' $out/recipes); do
    grep -qrw $word src --include=*.h || { echo "no $word"; bad=1; }
  done
  [ "$(wc -l <$out/recipes)" -gt 20 ] && [ -z "$bad" ]
}
check "recipes name what there is" recipes

# a room uses only rooms above: every static function is defined before it is used (C99 makes that an error), and
# there are no forward declarations of functions but one, of what perm.h calls in perm_sparse.h, and those of >>device (perm_cuda.cu)
forward() { ! grep -nE '^(PERMI_UNUSED )?static [^=({]*\([^{]*\);$' "$1" | grep -v ' PERMI_ROUTE('; }
for header in perm.h perm_sparse.h perm_more.h perm_mpi.c; do check "$header: no forward declarations" forward $header; done

# who has no GPU pastes none of its code: the headers call nothing of perm_cuda.cu
deviceless() { ! grep -nE 'perm_cuda_[a-z_]+ ?\(' perm.h perm_sparse.h; }
check "no GPU code in the headers" deviceless

licensed() { ! git ls-files '*.c' '*.h' '*.cu' '*.cpp' '*.sh' '*.py' '*.pyi' '*.awk' '*.cmake' '*.toml' '*.g' '*.v' Makefile .ci/run |
  xargs grep -L 'SPDX-License-Identifier: MIT' | grep .; }
if git rev-parse --git-dir >/dev/null 2>&1; then check "every file names its licence" licensed
else skip "every file names its licence: no git"; fi

# names: nothing but perm_, PERM_, permi_, PERMI_ leaves the headers
printf '#define PERM_IMPLEMENTATION\n#include "perm_more.h"\n' >$out/names.c
${CC:-cc} -std=c99 -I. -c $out/names.c -o $out/names.o
exported() { ! nm $out/names.o | awk '$2 ~ /[TDBRC]/ {print $3}' | grep -vE '^_?perm_'; }
check "exported names" exported
macros() { ! ${CC:-cc} -std=c99 -I. -dM -E -x c $out/user.c | grep -oE '^#define [A-Za-z_0-9]+' | grep -iE 'perm' | grep -vE ' (PERM_|PERMI_)'; }
printf '#include "perm_more.h"\n' >$out/user.c
check "macro names" macros

# a program that calls perm_real only, with PERM_STATIC, links nothing for complex matrices, GPUs, files or integers
cat >$out/bare.c <<'C'
#define PERM_STATIC
#define PERM_IMPLEMENTATION
#include "perm.h"
int main(int n, char **a) { return perm_real(n, (const double *)(const void *)a[0]) > 0; }
C
bare() {
  ${CC:-cc} -std=c99 -O1 -I. -c $out/bare.c -o $out/bare.o && nm $out/bare.o >$out/bare.names && grep -q permi_plan $out/bare.names &&
    ! grep -E '_(complex|gpu|gray|checkpoint|keep|encode|modular|matrix|frontier)|exact_(run|leaf|plan|k[0-9])|ifma' $out/bare.names |
      grep -vE 'permi_(dd_multiply|symmetric)_complex'
}
check "perm_real alone" bare

# FLINT ships a perm.h with guard PERM_H and names _perm_*, perm_ inline: no clash of guard
printf '#define PERM_H\n#define PERM_INLINE static\n#include "perm.h"\nint main(void){return perm_real == 0;}\n' >$out/flint.c
check "beside another perm.h" ${CC:-cc} -std=c99 -I. -c $out/flint.c -o $out/flint.o

# split objects: each header implemented in a unit of its own, a user in a fourth
printf '#define PERM_IMPLEMENTATION\n#include "perm.h"\n' >$out/one.c
printf '#define PERM_SPARSE_IMPLEMENTATION\n#include "perm_sparse.h"\n' >$out/two.c
printf '#define PERM_MORE_IMPLEMENTATION\n#include "perm_more.h"\n' >$out/three.c
cat >$out/four.c <<'C'
#include <stdio.h>
#include <string.h>
#include "perm.h"
#include "perm_more.h"
#include "perm_sparse.h"
int main(void)
{
  perm_matrix a;
  perm_integer rook[3];
  perm_result r;
  if (perm_matrix_read_memory("1 2\n3 4\n", 8, "here", NULL, &a, &r) || perm_compute_sparse(&a, NULL, &r)) return 1;
  if (perm_rook_numbers(&a, NULL, rook, &r) || rook[1].word[0] != 10 || rook[2].word[0] != 10) return 1;
  perm_matrix_free(&a);
  { double b[4] = {1, 2, 3, 4}; return r.value != 10 || perm_real(2, b) != 10; }
}
C
strict="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
split() {
  for unit in one two three four; do ${CC:-cc} -std=c99 $strict -I. -c $out/$unit.c -o $out/$unit.o || return 1; done
  ${CC:-cc} $out/four.o $out/three.o $out/two.o $out/one.o -o $out/split -lm && $out/split
}
check "split objects" split

# any order, in C and C++: the implementation asked of each header, the three up and down, declarations before it, two
# implementations in a unit, and without the extras, which leave nothing of the third
orders() { # COMPILER...
  while read -r lines; do
    printf "$lines" | sed 's/^+/#define PERM_/; s/^<\(.*\)/#include "\1.h"/' >$out/order.c
    "$@" $strict -fsyntax-only -I. $out/order.c || { cat $out/order.c; return 1; }
  done <<'END'
+IMPLEMENTATION\n<perm\n<perm_sparse\n<perm_more\n
+IMPLEMENTATION\n<perm_more\n<perm_sparse\n<perm\n
<perm_more\n+IMPLEMENTATION\n<perm_sparse\n<perm_more\n
+STATIC\n+IMPLEMENTATION\n<perm_more\n
+SPARSE_IMPLEMENTATION\n+MORE_IMPLEMENTATION\n<perm_more\n<perm\n
+IMPLEMENTATION\n+NO_EXTRAS\n+NO_COMPLEX\n+NO_EXACT\n<perm_more\n
END
}
check "orders of the headers" orders ${CC:-cc} -std=c99
if command -v ${CXX:-c++} >/dev/null; then check "orders of the headers, C++" orders ${CXX:-c++} -x c++ -std=c++11
else skip "orders of the headers, C++: no ${CXX:-c++}"; fi

# fast-math is refused
fast() { ! ${CC:-cc} -std=c99 -ffast-math -I. -c $out/one.c -o $out/fast.o; }
check "-ffast-math is refused" fast

# without complex kernels: real permanents, and a refusal by name
cat >$out/real.c <<'C'
#define PERM_NO_COMPLEX
#define PERM_IMPLEMENTATION
#include "perm_sparse.h"
int main(void)
{
  double a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, value[2];
  perm_result r;
  return perm_real(2, a) != 10 || perm_complex(2, a, value) != PERM_ERROR_UNSUPPORTED || value[0] == value[0] ||
         perm_compute_complex(2, 2, a, 2, NULL, &r) != PERM_ERROR_UNSUPPORTED || !strstr(r.message, "PERM_NO_COMPLEX");
}
C
real_only() {
  ${CC:-cc} -std=c99 $strict -I. $out/real.c -o $out/real -lm && $out/real
}
check "PERM_NO_COMPLEX" real_only

# checkpoints by the C library alone: two parts, merged; a file that exists is replaced
cat >$out/parts.c <<'C'
#define PERM_NO_POSIX
#define PERM_NO_EXTRAS
#define PERM_IMPLEMENTATION
#include "perm.h"
int main(int count, char **file)
{
  double a[16 * 16];
  perm_options o = {0};
  perm_result whole, r;
  int i;
  for (i = 0; i < 16 * 16; i++)
    a[i] = (i * 37 % 101) / 101.0;
  o.method = PERM_METHOD_GLYNN;
  o.checkpoint.parts = o.checkpoint.part = 1;
  perm_compute_real(16, 16, a, 16, &o, &whole);
  o.checkpoint.parts = 2;
  for (i = 0; i < 4; i++) {
    o.checkpoint.part = 1 + i % 2;
    o.checkpoint.file = file[o.checkpoint.part];
    if (count != 3 || perm_compute_real(16, 16, a, 16, &o, &r) != PERM_PART_DONE)
      return 1;
  }
  memset(&o, 0, sizeof o);
  o.method = PERM_METHOD_GLYNN;
  o.checkpoint.merge = (const char *const *)(file + 1);
  return perm_compute_real(16, 16, a, 16, &o, &r) != PERM_OK || r.value != whole.value || whole.value == 0;
}
C
no_posix() {
  rm -f $out/part1* $out/part2*
  ${CC:-cc} -std=c99 $strict -I. $out/parts.c -o $out/parts -lm &&
    $out/parts $out/part1 $out/part2 && [ -s $out/part1 ] && [ "$(ls $out/part1* $out/part2* | wc -l)" -eq 2 ]
}
check "PERM_NO_POSIX" no_posix

# the CHANGELOG knows the version
check "CHANGELOG has this version" grep -q "$(build/perm --version | cut -d' ' -f2)" CHANGELOG.md
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
