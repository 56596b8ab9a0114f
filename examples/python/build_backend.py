"""Builds the wheel and the source archive of perm-exact with the standard library and a C compiler, by PEP 517.

The wheel has perm.py, its types for checkers, and _perm.abi3.so: the headers and the extension module in one, for
CPython 3.11 and later. Its tag is the newest C library that its symbols ask for, manylinux_2_28 at least; with
another library (OpenMP's, where it cannot be linked in) it is linux, for this machine. CC, CFLAGS and
SOURCE_DATE_EPOCH count."""
import base64
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
SHARED = ("perm.h", "perm_sparse.h", "LICENSE")


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
    return ".".join(re.search(r"#define PERM_VERSION_%s (\d+)" % part, text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def _metadata():
    lines = ["Metadata-Version: 2.1", "Name: perm-exact", "Version: " + _version(),
             "Summary: Exact permanents of matrices, with the digits that are known", "License: MIT",
             "Requires-Python: >=3.11", "Description-Content-Type: text/plain", "",
             _read("perm.py").decode().split('"""')[1]]
    return "\n".join(lines).encode()


def _compile(at):
    """_perm.abi3.so in the directory `at`, with OpenMP if there is one: linked in where that can be."""
    cc = shlex.split(os.environ.get("CC", "cc"))
    flags = ["-fPIC", "-I" + os.path.dirname(_find("perm.h")), "-I" + sysconfig.get_path("include")]
    flags += shlex.split(os.environ.get("CFLAGS", ""))
    made = os.path.join(at, "_perm.abi3.so")
    perm_c = os.path.join(at, "perm.c")
    with open(perm_c, "w") as file:
        file.write('#define PERM_IMPLEMENTATION\n#include "perm_sparse.h"\n')
    shared = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared", "-Wl,-Bsymbolic"]
    static = ["-Wl,--push-state,-Bstatic", "-lgomp", "-Wl,--pop-state", "-lpthread", "-ldl"]
    openmp = subprocess.run(cc + ["-fopenmp", "-E", "-x", "c", os.devnull], capture_output=True).returncode == 0
    subprocess.run(cc + ["-std=c99", "-O2"] + ["-fopenmp"] * openmp + flags + ["-c", perm_c, "-o", perm_c + ".o"],
                   check=True)
    subprocess.run(cc + ["-std=c99", "-O3"] + flags + ["-c", _find("_perm.c"), "-o", perm_c + ".2.o"], check=True)
    link = cc + shared + [perm_c + ".2.o", perm_c + ".o", "-o", made]
    if not openmp or subprocess.run(link + static + ["-lm"], capture_output=True).returncode:
        subprocess.run(link + ["-fopenmp"] * openmp + ["-lm"], check=True)
    return made


def _tag(library):
    """The wheel's tag from the versions that the library's symbols ask for."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    with open(library, "rb") as file:
        text = file.read()
    needs = [(int(a), int(b)) for a, b in re.findall(rb"GLIBC_(\d+)\.(\d+)\0", text)]
    if platform.startswith("linux_") and needs and b"libgomp.so" not in text:
        platform = "manylinux_%d_%d_%s" % (*max(max(needs), (2, 28)), platform[len("linux_"):])
    return "cp311-abi3-" + platform


def _time():
    return time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as at:
        library = _compile(at)
        tag = _tag(library)
        with open(library, "rb") as file:
            files = [("perm.py", _read("perm.py")), ("perm.pyi", _read("perm.pyi")), ("_perm.abi3.so", file.read())]
    info = "%s-%s.dist-info/" % (NAME, _version())
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
    with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, data in [("PKG-INFO", _metadata())] + [(n, _read(n)) for n in SOURCES + SHARED]:
            entry = tarfile.TarInfo(base + "/" + name)
            entry.size = len(data)
            entry.mtime = int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))
            archive.addfile(entry, io.BytesIO(data))
    return base + ".tar.gz"
