#!/bin/sh
# Installs what the tests can use beyond a C compiler and make: a C++ compiler, clang with OpenMP and sanitizer
# runtimes, objdump, Open MPI, Python.h, numpy, scipy and pytest, groff, pkg-config, xmllint; to run the NEON kernels
# elsewhere than on Arm, a cross compiler and qemu. Without apt-get or the rights it says what to install and goes on:
# the tests skip, counted. Usage: tests/setup.sh [full]; full: also what tests/compile/portable.sh wants.
packages="gcc g++ libc6-dev make binutils clang libomp-dev libclang-rt-dev libopenmpi-dev openmpi-bin
  python3-dev python3-numpy python3-scipy python3-pytest groff-base mandoc pkg-config libxml2-utils valgrind"
case $(uname -m) in aarch64 | arm64) ;; *)
  packages="$packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user";;
esac
[ "$1" = full ] && packages="$packages gcc-i686-linux-gnu libc6-dev-i386-cross gcc-s390x-linux-gnu
  libc6-dev-s390x-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user musl-tools"
missing=""
for package in $packages; do
  dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
[ -z "$missing" ] && { echo "setup: all optional parts are here"; exit 0; }
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo -n"
if command -v apt-get >/dev/null && $as_root true 2>/dev/null; then
  echo "setup: installing$missing"
  $as_root apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
    $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null && exit 0
fi
echo "setup: could not install$missing; install them by hand (the tests skip what needs them)"
exit 0
