"""Builds the wheel and the source archive of perm-exact with the standard library and a C compiler, by PEP 517.

The wheel has perm.py as the package perm, its types with py.typed for checkers, and _perm.abi3.so there: the headers
and the extension module in one, for CPython 3.11 and later. Its tag is of this machine; `auditwheel repair` adds
OpenMP's library to it and gives it the tag of every machine with a C library as new. CC, CFLAGS and SOURCE_DATE_EPOCH
count. The same sources make the same bytes."""
import base64
import gzip
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "perm_exact"
SOURCES = ("pyproject.toml", "build_backend.py", "perm.py", "perm.pyi", "_perm.c")
SHARED = ("perm.h", "perm_sparse.h", "perm_more.h", "LICENSE")


def _find(name):
    """A file of the source archive, which has all side by side; in the repository some are two directories up."""
    for place in (HERE, os.path.join(HERE, "..", "..")):
        if os.path.exists(os.path.join(place, name)):
            return os.path.join(place, name)
    raise FileNotFoundError("%s is neither in %s nor two directories up" % (name, HERE))


def _read(name):
    with open(_find(name), "rb") as file:
        return file.read()


def _version():
    text = _read("perm.h").decode()
    parts = [re.search(r"#define PERM_VERSION_%s (\d+)" % part, text)[1] for part in ("MAJOR", "MINOR", "PATCH")]
    candidate = re.search(r'#define PERM_VERSION_PRERELEASE "(?:-rc\.(\d+))?"', text)[1]
    return ".".join(parts) + ("rc" + candidate if candidate else "")  # as PEP 440 writes -rc.2


def _metadata():
    lines = ["Metadata-Version: 2.1", "Name: perm-exact", "Version: " + _version(),
             "Summary: Exact permanents of matrices, with the digits that are known", "License: MIT",
             "Requires-Python: >=3.11", "Description-Content-Type: text/plain", "",
             _read("perm.py").decode().split('"""')[1]]
    return "\n".join(lines).encode()


def _compile(at):
    """_perm.abi3.so in the directory `at`, with OpenMP if there is one."""
    include = sysconfig.get_path("include")
    if not os.path.exists(os.path.join(include, "Python.h")):  # before a minute of compiling
        raise SystemExit("perm-exact: no Python.h in %s (apt-get install python3-dev). Without it copy perm.py: "
                         "it works by ctypes, with PERM_LIBRARY=libperm.so of `make libperm.so`" % include)
    cc = shlex.split(os.environ.get("CC", "cc"))
    flags = ["-fPIC", "-I" + os.path.dirname(_find("perm.h")), "-isystem", include]
    flags += shlex.split(os.environ.get("CFLAGS", ""))
    made, perm_c, perm_o = (os.path.join(at, name) for name in ("_perm.abi3.so", "perm.c", "perm.o"))
    with open(perm_c, "w") as file:
        file.write("#include <omp.h>\nint try(void) { return omp_get_max_threads(); }\n")
    threads = ["-fopenmp"]
    if subprocess.run([*cc, "-fPIC", "-shared", *threads, perm_c, "-o", made], capture_output=True).returncode:
        print("perm-exact: %s has no OpenMP: one thread" % " ".join(cc), file=sys.stderr)
        threads = []
    with open(perm_c, "w") as file:
        file.write('#define PERM_IMPLEMENTATION\n#include "perm_more.h"\n')
    shared = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared", "-Wl,-Bsymbolic"]
    for options in (["-O2", *threads, "-c", perm_c, "-o", perm_o],
                    ["-O3", _find("_perm.c"), perm_o, *shared, *threads, "-o", made, "-lm"]):
        subprocess.run([*cc, "-std=c99", *options, *flags], check=True)
    return made


def _tag():
    return "cp311-abi3-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _time():
    return time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as at:
        library = _compile(at)
        with open(library, "rb") as file:
            files = [("perm/__init__.py", _read("perm.py")), ("perm/__init__.pyi", _read("perm.pyi")),
                     ("perm/py.typed", b""), ("perm/_perm.abi3.so", file.read())]
    tag, info = _tag(), "%s-%s.dist-info/" % (NAME, _version())
    files += [(info + "METADATA", _metadata()), (info + "licenses/LICENSE", _read("LICENSE")),
              (info + "WHEEL", ("Wheel-Version: 1.0\nGenerator: build_backend\nRoot-Is-Purelib: false\nTag: %s\n"
                                % tag).encode())]
    record = ""
    for name, data in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (name, digest, len(data))
    files.append((info + "RECORD", (record + info + "RECORD,,\n").encode()))
    wheel = "%s-%s-%s.whl" % (NAME, _version(), tag)
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            entry = zipfile.ZipInfo(name, _time())
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    base = "%s-%s" % (NAME, _version())
    with open(os.path.join(sdist_directory, base + ".tar.gz"), "wb") as file, \
            gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in [("PKG-INFO", _metadata())] + [(n, _read(n)) for n in SOURCES + SHARED]:
            entry = tarfile.TarInfo(base + "/" + name)
            entry.size = len(data)
            entry.mtime = int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))
            archive.addfile(entry, io.BytesIO(data))
    return base + ".tar.gz"
# SPDX-License-Identifier: MIT
