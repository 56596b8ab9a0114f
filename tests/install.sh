#!/bin/sh
# make install into a directory of its own: what a user of the installed library, command, manual page and completion
# meets; and uninstall. The last line is `N passed, N failed, N skipped`.
cd "$(dirname "$0")/.." || exit 1
make=${MAKE:-make} cc=${CC:-cc} out=$PWD/build/install
rm -rf "$out"; mkdir -p "$out"
passed=0 failed=0 skipped=0
check() { name=$1; shift
  if "$@" >"$out/log" 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name"; head -n 20 "$out/log"; fi; }
skip() { skipped=$((skipped + $1)); echo "SKIP $2"; }
root=$out/root prefix=/opt/perm
at=$root$prefix
version=$(sed -n 's/^#define PERM_VERSION_M[A-Z]* \([0-9]*\)/\1/p; s/^#define PERM_VERSION_PATCH \([0-9]*\)/\1/p' perm.h |
  tr '\n' . | sed 's/\.$//')
release=$version$(sed -n 's/^#define PERM_VERSION_PRERELEASE "\([^"]*\)".*/\1/p' perm.h) soname=libperm.so.${version%%.*}

# -- files
check install $make -s install DESTDIR="$root" PREFIX=$prefix STATIC=1
for file in bin/perm include/perm.h include/perm_sparse.h include/perm_more.h lib/libperm.so lib/$soname lib/libperm.so.$version \
  lib/libperm.a lib/pkgconfig/perm.pc lib/cmake/perm/perm-config.cmake lib/cmake/perm/perm-config-version.cmake \
  lib/perm/python/perm.py lib/perm/python/perm.pyi lib/perm/python/perm_exact.py \
  lib/perm/python/perm_exact.pyi lib/perm/python/perm_ops.py lib/perm/python/perm_xla.c share/man/man1/perm.1 \
  share/bash-completion/completions/perm; do
  check "$file is there" test -s "$at/$file"
done
also=$(ls build/perm_mpi build/perm_gpu examples/python/_perm.abi3.so 2>/dev/null | wc -l) # where they were built
check "nothing else" test "$(find "$root" ! -type d | wc -l)" -eq $((19 + also))
check "the version is perm.h's" test "$("$at/bin/perm" --version)" = "perm $release"
if command -v readelf >/dev/null; then
  check soname sh -c "readelf -d '$at/lib/libperm.so' | grep -q 'SONAME.*\[$soname\]'"
  exported() { ! nm -D --defined-only "$at/lib/libperm.so" | awk '{print $3}' | grep -vE '^perm_|^\.gomp_critical_user_permi_'; }
  check "exported names" exported
else skip 2 "soname: no readelf (apt-get install binutils)"; fi
check "the command computes" sh -c "printf '1 2\n3 4\n' | '$at/bin/perm' - | grep -q 'permanent = 10$'"

# -- what is not there is named at once, by every target that needs it
for target in cuda bench-cuda golden-gpu; do
  check "make $target without nvcc" sh -c "$make -s $target NVCC= | grep -q 'SKIP $target: no nvcc' && ! $make -s $target NVCC= REQUIRE=1"
done
check "objects of nvcc without it" sh -c "rm -f build/install/none; $make -s -W perm_cuda.cu build/perm_cuda.o NVCC= 2>&1 | grep -q 'no nvcc'"

# The one file alone: an extension module, if it was built, is of one Python's kind; libperm.so is found above.
if command -v python3 >/dev/null; then
  check "perm.py finds the library" sh -c "cd / && mkdir -p '$at/lib/perm/alone' && cp '$at/lib/perm/python/perm.py' '$at/lib/perm/alone/' &&
    PYTHONPATH='$at/lib/perm/alone' python3 -c 'import perm; assert perm.permanent([[1, 2], [3, 4]]) == 10' && rm -r '$at/lib/perm/alone'"
else skip 1 "perm.py: no python3"; fi

# -- a program of somebody else's
cat >"$out/user.c" <<'C'
#ifdef HEADER_ONLY
#define PERM_IMPLEMENTATION
#define PERM_NO_COMPLEX
#define PERM_NO_EXACT
#define PERM_NO_EXTRAS
#include <perm.h>
#else
#include <perm_more.h>
#endif
#include <stdio.h>
int main(void)
{
  double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  printf("%g %d\n", perm_real(3, a), perm_version());
  return perm_version() != PERM_VERSION_MAJOR * 1000000 + PERM_VERSION_MINOR * 1000 + PERM_VERSION_PATCH;
}
C
flags="-I$at/include" libraries="-L$at/lib -lperm" static="-lm -fopenmp"
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH="$at/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"
  check "pkg-config: version" test "$(pkg-config --modversion perm)" = "$version"
  flags=$(pkg-config --cflags perm) libraries=$(pkg-config --libs perm) static=$(pkg-config --libs --static perm)
  check "pkg-config: flags" test "$(echo $flags)" = "-I$at/include"
  check "pkg-config: libraries" test "$(echo $libraries)" = "-L$at/lib -lperm"
else skip 3 "pkg-config: not here (apt-get install pkg-config)"; fi
strict="-std=c99 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
linked() { (cd "$out" && $cc $strict $flags user.c $libraries -o linked) &&
  LD_LIBRARY_PATH=$at/lib "$out/linked" | grep -q '^450 '; }
check "linked with -lperm" linked
needs() { LD_LIBRARY_PATH=$at/lib ldd "$out/linked" | grep -q "$soname => $at/lib/$soname"; }
if command -v ldd >/dev/null; then check "it asks for the soname" needs; else skip 1 "ldd: not here"; fi
archive() { (cd "$out" && $cc $strict $flags user.c "$at/lib/libperm.a" $(echo "$static" | tr ' ' '\n' |
  grep -vE '^-L|^-lperm') -o archive) && "$out/archive" | grep -q '^450 '; }
check "linked with libperm.a" archive
alone() { (cd "$out" && $cc $strict -O0 -DHEADER_ONLY $flags user.c -lm -o alone) && "$out/alone" | grep -q '^450 '; }
check "headers alone" alone

cmake_project() { # of the shared library, and of the headers alone
  rm -rf "$out/cmake" && mkdir -p "$out/cmake" && printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(user C)' \
    "find_package(perm $version EXACT REQUIRED)" 'add_executable(linked ../user.c)' \
    'target_link_libraries(linked perm::perm)' 'add_executable(alone ../user.c)' \
    'target_compile_definitions(alone PRIVATE HEADER_ONLY)' 'target_link_libraries(alone perm::headers)' \
    >"$out/cmake/CMakeLists.txt" &&
  cmake -S "$out/cmake" -B "$out/cmake/build" -DCMAKE_PREFIX_PATH="$at" >/dev/null && cmake --build "$out/cmake/build" &&
  LD_LIBRARY_PATH=$at/lib "$out/cmake/build/linked" | grep -q '^450 ' && "$out/cmake/build/alone" | grep -q '^450 ' &&
  sed -i "s/perm $version EXACT/perm 0.9/" "$out/cmake/CMakeLists.txt" && # of another major version: refused
  ! cmake -S "$out/cmake" -B "$out/cmake/other" -DCMAKE_PREFIX_PATH="$at"
}
if command -v cmake >/dev/null; then check "CMake's find_package" cmake_project
else skip 1 "CMake: not here (apt-get install cmake)"; fi

# -- options: the parser's, --help's, the manual page's and the completion's are the same
options() { sort -u | grep -v '^--$'; }
"$at/bin/perm" --list options | sed 's/[ [].*//' | options >"$out/listed"
check "there are options" test "$(wc -l <"$out/listed")" -ge 35
grep -ohE 'strcmp\((name|argv\[i\]), "--[a-z-]*"|strncmp\(argv\[i\], "--[a-z-]+"|\{"--[a-z-]+", (&|"[a-z])' \
  examples/command/perm_cli*.[ch] | grep -oE -e '--[a-z-]+' |
  options >"$out/parsed"
check "--help has every option of the parser, and no other" cmp "$out/parsed" "$out/listed"
grep -A 1 '^\.TP' "$at/share/man/man1/perm.1" | sed 's/\\-/-/g' | grep -oE '^\\fB--[a-z-]+' | cut -c 4- | options >"$out/manual"
check "the manual page has the same" cmp "$out/manual" "$out/listed"
"$at/bin/perm" --list methods | cut -f 1 >"$out/methods"
sed -n '/^\.SH METHODS/,/^\.SH GEN/p' "$at/share/man/man1/perm.1" | sed 's/\\-/-/g; s/\\fR$//' | grep -oE '^\\fB[a-z-]+' |
  cut -c 4- >"$out/manual_methods"
check "the manual page has every method" cmp "$out/methods" "$out/manual_methods"
for method in $(cat "$out/methods"); do # none is refused by name
  check "method $method is known" sh -c "'$at/bin/perm' --generate ones:3 --method $method 2>&1 | grep -qv 'unknown method'"
done
for list in precisions isas; do
  for name in $("$at/bin/perm" --list $list); do
    check "$list: $name" sh -c "! '$at/bin/perm' --generate ones:3 --${list%s} $name 2>&1 | grep -q unknown"
  done
done
"$at/bin/perm" --list generators | cut -f 1 | sed 's/:R:C/:2:4/; s/:N:P/:6:0.5/; s/:N:[DKH][A-Z]*/:6:2/; s/:COUNT.*/:2:3:0.5/; s/:[NKQ]$/:3/; s/^tree:3/tree:4/' \
  >"$out/generators"
while read -r kind; do
  check "generator $kind" "$at/bin/perm" --generate "$kind" --explain
done <"$out/generators"

# -- manual page
if command -v groff >/dev/null; then
  quiet() { groff -man -ww -Tascii "$at/share/man/man1/perm.1" 2>"$out/warnings" >"$out/page" && [ ! -s "$out/warnings" ] &&
    grep -q 'exact permanents' "$out/page"; }
  check "groff has no warning" quiet
else skip 1 "manual page: no groff (apt-get install groff-base)"; fi
if command -v mandoc >/dev/null; then check "mandoc has no error" mandoc -Tlint -Werror "$at/share/man/man1/perm.1"
else skip 1 "manual page: no mandoc (apt-get install mandoc)"; fi

# -- completion: what `perm WORD...<tab>` offers
if command -v bash >/dev/null; then
  mkdir -p "$out/files/folder"; : >"$out/files/one.mtx"; : >"$out/files/two words.mtx"; : >"$out/files/note.txt"
  offers() { # offers EXPECTED WORD...: the answers, sorted, separated by |
    expected=$1; shift
    answer=$(cd "$out/files" && bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _perm 2>/dev/null
      printf "%s\n" "${COMPREPLY[@]}"' bash "$at/share/bash-completion/completions/perm" "$at/bin/perm" "$@" | sort | paste -sd '|')
    [ "$answer" = "$expected" ] || { echo "got $answer instead of $expected"; return 1; }
  }
  complete() { check "completion of perm $2 $3 $4" offers "$@"; }
  complete "--max-bytes|--max-seconds" --max
  complete "--certify|--checkpoint|--checkpoint-seconds|--cols|--cpu-fallback" --c
  complete "$(cut -d ' ' -f 1 "$out/listed" | sort | paste -sd '|')" --
  complete "band|borchardt" --method b
  complete "$(sort "$out/methods" | paste -sd '|')" --method ""
  complete "transversals|tree" --method = tr
  complete "$(sort "$out/methods" | paste -sd '|')" --method =
  complete "dd|default" --precision d
  complete "avx2|avx512|avx512ifma" --isa avx
  complete "er:" --generate er
  complete "perylene|phenanthrene|prefixes|projective|pyrene" --generate p
  complete "grid:" --generate grid
  complete "" --generate grid :
  complete "" --generate grid : 8
  complete "formats|generators|isas|methods|options|precisions" --list ""
  complete "folder|note.txt|one.mtx|two words.mtx" ""
  complete "one.mtx" --json on
  complete "note.txt" --write n
  complete "folder|note.txt|one.mtx|two words.mtx" --merge ""
  complete "" --threads ""
  complete "all" --gpus ""
  complete "folder" --gpu-cache ""
  check "it is registered" bash -c ". '$at/share/bash-completion/completions/perm'; complete -p perm | grep -q _perm"
else skip 23 "completion: no bash"; fi

# -- the release
same_twice() { # its bytes depend on the commit alone
  $make -s dist && cp build/SHA256SUMS "$out" && $make -s dist && cmp build/SHA256SUMS "$out/SHA256SUMS" &&
    (cd build && sha256sum -c SHA256SUMS) && tar -xzf "build/perm-$release.tar.gz" -C "$out" &&
    cmp perm.h "$out/perm-$release/perm.h" && test -x "$out/perm-$release/.ci/run" &&
    test "$(grep -c '^FileName' "build/perm-$release.spdx")" = "$(find "$out/perm-$release" -type f | wc -l)"
}
if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && command -v sha256sum >/dev/null; then
  check "make dist gives the same bytes twice" same_twice
else skip 1 "make dist: not a git checkout"; fi

# -- places with blanks: the same files, a program that pkg-config leads there, nothing beside
blank="$out/a root/opt/per m"
blanks() { $make -s "$1" DESTDIR="$out/a root" PREFIX="/opt/per m" STATIC=1; }
ls -A . >"$out/before"
check "install in a place with blanks" blanks install
files() { (cd "$1" && find . ! -type d ! -path '*__pycache__*' | sort); }
same_files() { files "$at" >"$out/without"; files "$blank" >"$out/with"; cmp "$out/without" "$out/with"; }
check "blanks: the same files" same_files
if command -v pkg-config >/dev/null; then
  led() { (export PKG_CONFIG_PATH="$blank/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$out/a root" && cd "$out" &&
    eval "$cc $(pkg-config --cflags perm) user.c $(pkg-config --libs perm) -o led") &&
    LD_LIBRARY_PATH="$blank/lib" "$out/led" | grep -q '^450 '; }
  check "blanks: pkg-config" led
else skip 1 "pkg-config: not here (apt-get install pkg-config)"; fi
check "uninstall from a place with blanks" blanks uninstall
check "blanks: nothing is left" test -z "$(find "$out/a root" ! -type d)"
ls -A . | check "blanks: nothing beside" cmp "$out/before" -

# -- and away again
check uninstall $make -s uninstall DESTDIR="$root" PREFIX=$prefix STATIC=1
check "nothing is left" test -z "$(find "$root" ! -type d)"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
# SPDX-License-Identifier: MIT
