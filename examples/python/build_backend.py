"""Builds the wheel and the source archive of perm-exact with the standard library and a C compiler, by PEP 517.

The wheel has perm.py as the package perm_exact, its types with py.typed for checkers, and the headers and the extension
module in one, for CPython 3.11 and later; the module perm is the same object. Its tag is of this machine;
`auditwheel repair` adds OpenMP's library to it and gives it the tag of every machine with a C library as new. CC,
CFLAGS and SOURCE_DATE_EPOCH count. The same sources make the same bytes.

    python3 build_backend.py DIRECTORY [TAG..]    wheels for the machines of TARGETS, by the compiler of `pip install
                                                  ziglang` and the Python.h of this Python; threads: _threads.c"""
import base64
import gzip
import hashlib
import io
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "perm_exact"
SOURCES = ("pyproject.toml", "build_backend.py", "perm.py", "perm.pyi", "perm_ops.py", "perm_xla.c", "_perm.c",
           "_threads.c")
SHARED = ("perm.h", "perm_sparse.h", "perm_more.h", "LICENSE")
TARGETS = {  # tag of a wheel: zig's name of these machines
    "manylinux_2_17_x86_64": "x86_64-linux-gnu.2.17", "manylinux_2_17_aarch64": "aarch64-linux-gnu.2.17",
    "musllinux_1_2_x86_64": "x86_64-linux-musl", "musllinux_1_2_aarch64": "aarch64-linux-musl",
    "macosx_11_0_arm64": "aarch64-macos.11.0", "macosx_10_13_x86_64": "x86_64-macos.10.13",
    "win_amd64": "x86_64-windows-gnu"}
ALIAS = b'"""perm_exact by the name perm, where no other package has it."""\nimport sys\n\nimport perm_exact\n\n' + (
    b"sys.modules[__name__] = perm_exact\n")
WINDOWS = {"MS_WINDOWS": 1, "MS_WIN32": 1, "MS_WIN64": 1, "HAVE_DECLSPEC_DLL": 1, "Py_ENABLE_SHARED": 1,
           **{"SIZEOF_" + name: size for name, size in (("INT", 4), ("LONG", 4), ("LONG_LONG", 8), ("VOID_P", 8),
                                                        ("SIZE_T", 8), ("PID_T", 8), ("WCHAR_T", 2), ("TIME_T", 8))}}


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


def _threads(cc, at, flags):
    """Options for threads: the compiler's OpenMP, or what clang makes of it with the runtime of _threads.c, or none."""
    made, probe, own = (os.path.join(at, name) for name in ("probe", "probe.c", "threads.o"))
    with open(probe, "w") as file:
        file.write("#include <omp.h>\nint try(void) { return omp_get_max_threads(); }\n")
    good = lambda *options: not subprocess.run([*cc, *options, *flags], capture_output=True).returncode  # noqa: E731
    if good("-shared", "-fopenmp", probe, "-o", made):
        return ["-fopenmp"], ["-fopenmp"]
    with open(os.path.join(at, "omp.h"), "w") as file:
        file.write("int omp_get_thread_num(void);\nint omp_get_max_threads(void);\n")
    with open(probe, "w") as file:
        file.write("#ifndef __clang__\n#error\n#endif\n")
    if good("-Xclang", "-fopenmp", "-c", probe, "-o", made) and good("-O2", "-c", _find("_threads.c"), "-o", own):
        return ["-Xclang", "-fopenmp"], [own, "-lpthread"]
    print("perm-exact: %s has no OpenMP: one thread" % " ".join(cc), file=sys.stderr)
    return [], []


def _python_dll(cc, at, include, flags):
    """For Windows: headers with its pyconfig.h, a library of those names of python3.dll that _perm.c uses, and a list
    of what perm.py calls by ctypes, to be exported."""
    shutil.copytree(include, os.path.join(at, "python"))
    with open(os.path.join(at, "python", "pyconfig.h"), "w") as file:
        file.write("".join("#define %s %d\n" % item for item in WINDOWS.items()))
    made, names = (os.path.join(at, name) for name in ("python3.o", "python3.def"))
    subprocess.run([*cc, "-O3", "-c", _find("_perm.c"), "-o", made, *flags], check=True)
    with open(made, "rb") as file:
        used = {name.decode() for name in re.findall(rb"__imp_(_?Py\w+)", file.read())}
    with open(names, "w") as file:
        file.write("\n".join(["LIBRARY python3.dll", "EXPORTS", *sorted(used)]))
    subprocess.run([*cc[:-3], "dlltool", "-m", "i386:x86-64", "-d", names, "-l", os.path.join(at, "libpython3.a")],
                   check=True)
    called = re.findall(r'(?<=_lib\.)perm_\w+|(?<=library\.)perm_\w+|(?<=")perm_\w+(?=": "[iulzpsOR]+")',
                        _read("perm.py").decode())
    with open(os.path.join(at, "exports.def"), "w") as file:
        file.write("\n".join(["EXPORTS", "PyInit__perm", *sorted(set(called))]))
    return ["-shared", os.path.join(at, "exports.def"), "-L" + at, "-lpython3"]


def _compile(at, tag=None):
    """The extension module in the directory `at`, for this machine or those of the tag."""
    include = sysconfig.get_path("include")
    if not os.path.exists(os.path.join(include, "Python.h")):  # before a minute of compiling
        raise SystemExit("perm-exact: no Python.h in %s (apt-get install python3-dev). Without it copy perm.py: "
                         "it works by ctypes, with PERM_LIBRARY=libperm.so of `make libperm.so`" % include)
    target = TARGETS[tag] if tag else sys.platform
    cc = [sys.executable, "-m", "ziglang", "cc", "-target", target] if tag else shlex.split(os.environ.get("CC", "cc"))
    windows = "windows" in target
    flags = ["-fPIC"] * (not windows) + ["-I" + at, "-I" + os.path.dirname(_find("perm.h"))]
    flags += ["-isystem", os.path.join(at, "python") if windows else include, *["-g0", "-s"][:2 * bool(tag)]]
    flags += shlex.split(os.environ.get("CFLAGS", ""))
    made, perm_c, perm_o = (os.path.join(at, name) for name in (
        "_perm.pyd" if windows else "_perm.abi3.so", "perm.c", "perm.o"))
    shared = _python_dll(cc, at, include, flags) if windows else {
        "dar": ["-bundle", "-undefined", "dynamic_lookup"], "mac": ["-shared", "-undefined", "dynamic_lookup"]}.get(
        target.split("-")[bool(tag)][:3], ["-shared", "-Wl,-Bsymbolic"])
    compiled, linked = _threads(cc, at, flags)
    with open(perm_c, "w") as file:
        file.write('#define PERM_IMPLEMENTATION\n#include "perm_more.h"\n')
    for options in (["-O2", *compiled, "-c", perm_c, "-o", perm_o],
                    ["-O3", _find("_perm.c"), perm_o, *shared, *linked, "-o", made, "-lm"]):
        subprocess.run([*cc, "-std=c99", *options, *flags], check=True)
    return made


def _check(tag, data):
    """Refuses a tag that is not true: of an older C library, or macOS, than the module asks for."""
    asked = max((tuple(map(int, each.split(b"."))) for each in re.findall(rb"GLIBC_(\d+\.\d+)", data)), default=())
    if tag.startswith("macosx"):
        at = 32
        for _ in range(struct.unpack_from("<I", data, 16)[0]):
            command, size, first, second = struct.unpack_from("<4I", data, at)
            least = {0x24: first, 0x32: second}.get(command, 0)  # LC_VERSION_MIN_MACOSX, LC_BUILD_VERSION
            asked, at = (least >> 16, least >> 8 & 255) if least else asked, at + size
    said = re.match(r"(?:manylinux|macosx)_(\d+)_(\d+)", tag)
    if said and asked > tuple(map(int, said.groups())) or (tag.startswith("musl") and asked):
        raise SystemExit("perm-exact: not %s: it asks for version %s" % (tag, asked))


def _tag():
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _time():
    return time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None, tag=None):
    with tempfile.TemporaryDirectory() as at:
        library = _compile(at, tag)
        with open(library, "rb") as file:
            files = [("perm_exact/" + os.path.basename(library), file.read())]
    tag, info = tag or _tag(), "%s-%s.dist-info/" % (NAME, _version())
    _check(tag, files[0][1])
    files += [("perm_exact/__init__.py", _read("perm.py")), ("perm_exact/__init__.pyi", _read("perm.pyi")),
              ("perm_exact/py.typed", b""), ("perm_ops.py", _read("perm_ops.py")), ("perm.py", ALIAS),
              ("perm_exact/perm_xla.c", _read("perm_xla.c")),
              ("perm-stubs/__init__.pyi", b"from perm_exact import *\nfrom perm_exact import __version__\n")]
    tag = "cp311-abi3-" + tag
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
            entry.external_attr = (0o755 if name.endswith((".so", ".pyd")) else 0o644) << 16
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


if __name__ == "__main__":
    for each in sys.argv[2:] or TARGETS:
        print(build_wheel(sys.argv[1], tag=each), flush=True)
# SPDX-License-Identifier: MIT
