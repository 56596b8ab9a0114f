"""The extension module: the same answers, errors and texts as by ctypes; the lock, signals, and no leaks.

Run:  python3 -m pytest examples/python     (after make python). PERM_TEST_CALLS: calls of each kind, which must not
leak."""
import gc
import importlib.util
import inspect
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import perm  # noqa: E402
from test_perm import COMPLEX, FUNCTIONS, LARGE, LONG, REAL, WHOLE, expanded, interrupted, oracle  # noqa: E402

CALLS = int(os.environ.get("PERM_TEST_CALLS") or 100000)


def test_the_extension_is_there():
    assert perm._extension and perm.LIBRARY == perm._extension.__file__ == os.path.join(HERE, "_perm.abi3.so")
    assert type(perm.permanent) is type(perm.compute) is type(len)


@pytest.fixture(scope="module")
def other():
    """perm.py once more, by ctypes."""
    specification = importlib.util.spec_from_file_location("perm_by_ctypes", os.path.join(HERE, "perm.py"))
    module = importlib.util.module_from_spec(specification)
    sys.modules["perm_by_ctypes"] = module
    os.environ["PERM_LIBRARY"] = perm.LIBRARY
    try:
        specification.loader.exec_module(module)
    finally:
        del os.environ["PERM_LIBRARY"]
    assert module._extension is None
    return module


ISOLATED = """
import sys; sys.path.insert(0, %r)
import perm, threading
assert bool(perm._extension) is %r, perm.LIBRARY
assert perm.permanent([[1, 2], [3, 4]]) == 10 and perm.permanent([[1.5, 2], [3, 4]]) == 12
assert perm.permanent([[10**30, 1], [1, 1]]) == 10**30 + 1 and perm.compute([[1, 2], [3, 4]], modulus=7).integer == 3
assert [[float(x) for x in row] for row in perm.gradient([[1.0, 2], [3, 4]])] == [[4, 3], [2, 1]]
seen = []
class Ever:
    def is_set(self): return bool(seen)
a = [[(3 * i * j + i) %% 11 + 1 for j in range(34)] for i in range(34)]
try: print(perm.permanent(a, method="exact", precision="exact", progress=seen.append, cancel=Ever()))
except perm.Incomplete: pass
assert seen
other = threading.Thread(target=lambda: seen.append(perm.permanent([[1, 2], [3, 4]])))
other.start(); other.join(); assert seen[-1] == 10
"""


@pytest.mark.parametrize("extension", (True, False))
def test_isolated_interpreters(extension):
    """The same answers where an interpreter has a lock of its own, from 3.13 on; the module is loaded in each anew."""
    for python in (sys.executable, shutil.which("python3.13"), shutil.which("python3.14"),
                   os.environ.get("PERM_PYTHON_3_13")):
        if python and not subprocess.run([python, "-c", "import _interpreters"], capture_output=True).returncode:
            break
    else:
        pytest.skip("no CPython with _interpreters, 3.13 or later (PERM_PYTHON_3_13 may name one)")
    program = """
import _interpreters
for _ in range(3):
    one = _interpreters.create("isolated")
    failed = _interpreters.run_string(one, %r)
    assert not failed, failed.errdisplay
    _interpreters.destroy(one)
exec(%r)
""" % (ISOLATED % (HERE, extension), ISOLATED % (HERE, extension))
    environment = {**os.environ, **({} if extension else {"PERM_LIBRARY": perm.LIBRARY})}
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, env=environment)
    assert not done.returncode and not done.stderr, done.stderr


# ---- the same in both forms

def outcome(module, name, *arguments, **options):
    """What came of a call, to the last bit, without times."""
    try:
        value = getattr(module, name)(*arguments, **options)
    except module.Error as error:
        return type(error).__name__, str(error), error.status
    except Exception as error:
        return type(error).__name__, str(error)
    if type(value).__name__ == "Result":
        fields = dict(vars(value), seconds=0, plan_seconds=0)
        assert list(vars(value)) == list(module.Result.__dataclass_fields__)
        assert value == value and "error_bound" in repr(value)
        return {key: (type(field).__name__, repr(field)) for key, field in fields.items()}
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tolist()
    return type(value).__name__, repr(value)


MATRICES = [REAL, REAL[:4, :4], REAL[:3, :2], COMPLEX, COMPLEX[1:4, 2:5].T, WHOLE, WHOLE[:3, :3].astype(np.int8),
            REAL.T, REAL[::-1, ::-1], REAL.astype(np.float32), REAL.astype(">f8"), WHOLE.astype(np.uint64) % 7,
            WHOLE.tolist(), REAL.tolist(), COMPLEX.tolist(), tuple(map(tuple, COMPLEX.tolist())), WHOLE != 0, [], [[]],
            (), ((), ()), [[2**40] * 6] * 6, [[2**63]], [[-2**63, 1], [1, 0]], [[1, 2.5], [True, 1j]],
            [[2**53 + 1, 1.0], [1, 1]], [[1, 2], [3]], [[1, 2], 3], [["x"]], [[None, 1]], "nowhere", 3, None, REAL[0],
            REAL[None], REAL[None, None], np.zeros((0, 0)), np.zeros((0, 3)), np.zeros((3, 0)), np.zeros((0, 3, 3)),
            np.zeros((2, 0, 0)), np.full((3, 3), np.nan), np.full((3, 3), 1e300), np.full((3, 3), 1e-300),
            np.full((2, 4, 4), np.inf), np.full((3, 3), 1e300 + 1j), memoryview(REAL), memoryview(REAL[::2, ::-2]),
            memoryview(WHOLE).toreadonly(), np.matrix(REAL), np.ma.masked_array(REAL), np.ma.masked_less(REAL, 0),
            REAL.astype(object), np.broadcast_to(2.0, (5, 5)), LARGE[:20, :20], LARGE[:13, :13], LARGE[:21, :21],
            WHOLE.repeat(2, 0)[:9, :9], np.zeros((3, 3), "M8[s]"), np.zeros((3, 3), np.longdouble),
            np.zeros((2, 2), [("x", float)]), random.Random(1).choices(range(-10**6, 10**6), k=4),
            np.triu(LARGE[:15, :15]), LARGE[:5, :5] * (1 << 300), np.stack([REAL, REAL[::-1]]),
            np.stack([COMPLEX, COMPLEX.T]), np.stack([WHOLE, WHOLE])[::2]]
OPTIONS = [{}, {"threads": 1}, {"threads": 2}, {"threads": -1}, {"threads": True}, {"threads": "2"},
           {"method": "glynn"}, {"method": "frontier"}, {"method": "exact"}, {"method": "nothing"}, {"method": None},
           {"method": "dense"}, {"precision": "dd"}, {"precision": "exact"}, {"precision": "fast"},
           {"precision": "default"}, {"isa": "plain"}, {"isa": "x\0"}, {"certify": True}, {"certify": 1},
           {"certify": 0}, {"certify": "no"}, {"tolerance": 1e-12}, {"tolerance": 0}, {"tolerance": 1},
           {"tolerance": None}, {"tolerance": -1.0}, {"tolerance": float("nan")}, {"tolerance": "x"},
           {"tolerance": 10**400}, {"modulus": 97}, {"modulus": 0}, {"modulus": None}, {"modulus": -1},
           {"modulus": 2**63}, {"modulus": 1}, {"max_seconds": 100.0}, {"max_seconds": 100}, {"max_bytes": 1e9},
           {"max_bytes": 1}, {"effort": 2}, {"checkpoint_seconds": 5}, {"gpus": 0}, {"gpus": False}, {"gpus": None},
           {"cpu_fallback": True}, {"cpu_fallback": None}, {"gpu_cache": None}, {"part": None},
           {"part": (1, 2)}, {"merge": []}, {"prove": None}, {"prove": 3}, {"prove": ""}, {"checkpoint": ""},
           {"progress": lambda now: False}, {"progress": 3},
           {"cancel": threading.Event()}, {"cancel": 3}, {"format": "array"}, {"format": "arrays"}, {"rows": None},
           {"rows": [1] * 7, "cols": [1] * 7}, {"rows": [2, 0, 1, 1, 1, 1, 1]},
           {"cols": np.array([3, 0, 0, 1, 1, 1, 1])}, {"rows": [7, 0, 0, 0, 0, 0, 0], "precision": "exact"},
           {"rows": np.array([1.5])}, {"cols": (1, 1, 2**40)}, {"rows": [-1] * 7}, {"rows": [True] * 7}, {"rows": 3},
           {"rows": np.ones(7, np.uint8)}, {"rows": np.array([-1] * 7)}, {"rows": np.full(7, 2**32 + 1)}, {"speed": 1},
           {"out": None}, {"out": 3}, {"out": np.empty(2)},
           {"out": np.empty(2, complex)}, {"a": REAL}]


def test_both_forms_agree(other):
    """Every matrix without options, every option with some matrices, of both functions: bits, types, errors, texts."""
    cases = [(matrix, options) for matrix in MATRICES for options in OPTIONS[:4]]
    cases += [(matrix, options) for options in OPTIONS for matrix in (
        REAL, COMPLEX, WHOLE, WHOLE.tolist(), REAL[:, :5], [[2**40] * 7] * 7, np.stack([REAL, REAL.T]),
        LARGE[:14, :14], WHOLE.astype(float))]
    cases += [(matrix, {"method": method, "precision": precision}) for matrix in (
        REAL, COMPLEX, WHOLE, WHOLE * 1.0)
              for method in perm.METHODS for precision in perm.PRECISIONS]
    different = []
    for (matrix, options), name in itertools.product(cases, ("permanent", "compute")):
        one, two = (outcome(module, name, matrix, **options) for module in (perm, other))
        if repr(one) != repr(two):
            different.append((name, matrix, options, one, two))
    assert not different, different[:3]


def test_signatures_and_names_agree(other):
    for name in FUNCTIONS:
        one, two = getattr(perm, name), getattr(other, name)
        assert str(inspect.signature(one)) == str(inspect.signature(two)) and one.__doc__ == two.__doc__, name
    assert perm.__all__ == other.__all__ and perm.__doc__ == other.__doc__
    for name in perm.__all__:
        assert type(getattr(perm, name)) is type(getattr(other, name)) or name in ("permanent", "compute")


def test_random_integers():
    """Through every path of integers: exact in doubles, modulo 2^64, with a plan, residues; and orders beside them."""
    source = random.Random(5)
    for n in range(1, 14):
        for bits in (1, 5, 7, 20, 31, 40, 62, 63, 64, 70):
            rows = [[source.randrange(-2**bits, 2**bits) for _ in range(n)] for _ in range(n)]
            assert perm.permanent(rows) == oracle(rows)
            if bits < 63:
                assert perm.permanent(np.array(rows)) == perm.permanent(np.array(rows).T.copy()) == oracle(rows)
            rows[0] = [0] * n  # whose sum of moduli 0 must not hide what the other rows can reach
            assert perm.permanent(rows[::-1]) == 0
            rows[0][n - 1] = 1
            assert perm.permanent(rows[::-1]) == oracle(rows)


def test_multiplicities_in_any_form():
    for rows in ([2, 1, 0], (2, 1, 0), np.array([2, 1, 0], np.int8), np.array([2, 0, 1, 3, 0, 0])[::2],
                 np.array([2, 1, 0], ">i4"), memoryview(np.array([2, 1, 0]))):
        assert perm.permanent(WHOLE[:3, :3], rows) == perm.permanent(WHOLE[:3, :3], rows=rows) == oracle(
            expanded(WHOLE[:3, :3], [2, 1, 0], None))
        assert perm.compute(WHOLE[:3, :3], None, rows).integer == oracle(expanded(WHOLE[:3, :3], None, [2, 1, 0]))


# ---- the lock, threads, signals, processes

def longest_gap(work):
    """Seconds that another thread had to wait for the lock while work ran."""
    gaps, running = [0.0], [True]

    def look():
        last = time.monotonic()
        while running:
            time.sleep(0.001)
            now = time.monotonic()
            gaps.append(now - last)
            last = now
    thread = threading.Thread(target=look)
    thread.start()
    work()
    running.clear()
    thread.join()
    return sorted(gaps)[len(gaps) // 2]


def test_the_lock_is_released_for_long_work_only():
    stack = np.repeat(LARGE[None, :20, :20], 600, 0)
    counted = random.Random(2).choices(range(1, 4), k=12)
    for work in (lambda: perm.permanent(LARGE, threads=1), lambda: perm.compute(LARGE, threads=1),
                 lambda: perm.permanent(stack, threads=1),
                 lambda: [perm.permanent(LARGE[:20, :20]) for _ in range(400)],
                 lambda: perm.permanent(LARGE[:12, :12], counted, counted, threads=1)):
        assert longest_gap(work) < 0.05


def test_many_threads_at_once():
    """Small calls of all kinds from eight threads, while others compute without the lock."""
    stack = np.stack([REAL] * 50)
    jobs = [(perm.permanent, (REAL,), {}), (perm.permanent, (WHOLE.tolist(),), {}), (perm.permanent, (COMPLEX.T,), {}),
            (perm.permanent, (REAL,), {"precision": "dd"}), (perm.permanent, (LARGE[:16, :16],), {"threads": 1}),
            (perm.permanent, ([[10**30, 1], [2, 3]],), {}), (perm.permanent, (REAL, [1] * 7), {})]
    expected = [function(*arguments, **options) for function, arguments, options in jobs]
    wrong = []

    def work():
        for _ in range(30):
            for (function, arguments, options), value in zip(jobs, expected):
                if function(*arguments, **options) != value:
                    wrong.append((arguments, options))
            if not np.all(perm.permanent(stack, threads=1) == perm.permanent(stack[:1], threads=1)[0]):
                wrong.append("stack")
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_control_c_by_every_way():
    before = signal.getsignal(signal.SIGINT)
    stack = np.repeat(LARGE[None, :24, :24], 100000, 0)
    interrupted(lambda: perm.permanent(LONG))
    interrupted(lambda: perm.permanent(LONG.tolist(), certify=True))
    interrupted(lambda: perm.compute(LONG, threads=1, cancel=threading.Event()))
    interrupted(lambda: perm.permanent(stack, threads=1))
    interrupted(lambda: perm.permanent(stack, out=np.empty(len(stack))))
    interrupted(lambda: perm.permanent(LARGE[:14, :14], [4] * 14, [4] * 14))
    assert signal.getsignal(signal.SIGINT) is before and perm.permanent(REAL) == perm.permanent(REAL)


def test_a_stack_that_stops():
    stack, told = np.repeat(LARGE[None, :24, :24], 3000, 0), []
    with pytest.raises(perm.Incomplete) as caught:
        perm.permanent(stack, progress=lambda now: told.append(now) or len(told) > 1)
    assert len(told) == 2 and caught.value.status == "PERM_STOPPED_CANCELLED" and len(caught.value.result) == 3000
    with pytest.raises(perm.Incomplete):
        perm.permanent(stack, max_seconds=0.2)
    with pytest.raises(ZeroDivisionError):
        perm.permanent(stack, progress=lambda now: 1 / 0)


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no SIGUSR1 here")
def test_other_signals():
    """Their handlers run during a job; what they raise ends it, and nothing else."""
    told = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: told.append(time.monotonic()))
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        assert perm.compute(LONG, max_seconds=1).status == "PERM_STOPPED_TIME"
        assert len(told) == 1 and time.monotonic() - told[0] > 0.3
        signal.signal(signal.SIGUSR1, lambda number, frame: {}["raised"])
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        with pytest.raises(KeyError, match="raised"):
            perm.compute(LONG)
        with pytest.raises(KeyError, match="mine"):
            perm.compute(LONG, cancel=type("Event", (), {"is_set": lambda self: {}["mine"]})())
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_after_a_fork_one_thread():
    perm.permanent(LARGE[:24, :24], threads=2)  # OpenMP's threads exist
    expected = [perm.permanent(LARGE[:n, :n], threads=1, precision="fast") for n in (12, 13, 20, 24)]
    child = os.fork()
    if not child:
        good = [perm.permanent(LARGE[:n, :n], threads=2, precision="fast") for n in (12, 13, 20, 24)] == expected
        good = good and perm.compute(LARGE[:22, :22]).threads == 1 and np.isfinite(perm.permanent(LARGE[:20, :20]))
        os._exit(0 if good else 1)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert done and status == 0


# ---- which form

def run(directory, program, **environment):
    kept = {key: value for key, value in os.environ.items() if key != "PERM_LIBRARY"}
    return subprocess.run([sys.executable, "-c", program], cwd=directory, env={**kept, **environment}, text=True,
                          capture_output=True)


def test_which_form(tmp_path):
    shutil.copy(os.path.join(HERE, "perm.py"), tmp_path)
    os.symlink(perm.LIBRARY, tmp_path / "libperm.so")
    told = "import perm; print(perm._extension is not None, perm.LIBRARY, perm.permanent([[1, 2], [3, 4]]))"
    by_ctypes = "False %s 10\n" % (tmp_path / "libperm.so")
    assert run(tmp_path, told).stdout == by_ctypes                         # no extension
    shutil.copy(perm.LIBRARY, tmp_path)
    extension = str(tmp_path / "_perm.abi3.so")
    assert run(tmp_path, told).stdout == "True %s 10\n" % extension
    assert run(tmp_path, told, PERM_LIBRARY=str(tmp_path / "libperm.so")).stdout == by_ctypes
    os.unlink(tmp_path / "libperm.so")
    assert run(tmp_path, told).stdout == "True %s 10\n" % extension        # it needs no other library
    os.symlink(perm.LIBRARY, tmp_path / "libperm.so")
    os.unlink(extension)
    (tmp_path / "_perm.py").write_text("VERSION = (0, 1)\n")
    old = run(tmp_path, told)
    assert old.stdout == by_ctypes and "_perm.py is not for version" in old.stderr and "make python" in old.stderr
    (tmp_path / "_perm.py").write_text("raise ImportError\n")
    assert run(tmp_path, told).stdout == by_ctypes


def test_it_serves_one_module():
    """perm.py may be reloaded; a second copy of it does without the extension's functions; each has its own errors."""
    with pytest.raises(RuntimeError, match="connected to perm"):
        perm._extension.connect("other", 1, 2, perm.Result, 4, None, None, (len, "len"), (len, "len"))
    for wrong in ((), ("perm", 1, 2, 3, 4, None, None, (len, "len"), (len, "len"))):
        with pytest.raises(TypeError):
            perm._extension.connect(*wrong)
    assert perm.permanent(REAL) == perm.permanent(REAL)
    program = """
import importlib, importlib.util, inspect, sys
import perm
first = perm.permanent
for _ in range(50):
    importlib.reload(perm)
assert type(perm.permanent) is type(len) and inspect.signature(first) == inspect.signature(perm.permanent)
specification = importlib.util.spec_from_file_location("second", perm.__file__)
second = sys.modules["second"] = importlib.util.module_from_spec(specification)
specification.loader.exec_module(second)
assert inspect.isfunction(second.permanent) and not inspect.isfunction(perm.permanent)
for module in (perm, second):
    assert module.permanent([[1, 2], [3, 4]]) == 10 and type(module.compute([[1]])) is module.Result
    try:
        module.permanent([["x"]])
    except module.InputTypeError:
        print("good")
"""
    assert run(HERE, program).stdout == "good\ngood\n", run(HERE, program).stderr


# ---- leaks and references

def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def bad_progress(now):
    raise KeyError


LEAKS = {
    "arrays": lambda: perm.permanent(REAL), "complex": lambda: perm.permanent(COMPLEX),
    "transposed": lambda: perm.permanent(COMPLEX.T), "lists": lambda: perm.permanent([[1.5, 2], [3, 4j]]),
    "integers": lambda: perm.permanent(WHOLE), "lists of integers": lambda: perm.permanent([[2**62, 3], [2**62, 5]]),
    "large copies": lambda: perm.permanent(LARGE[:12, :12].T), "views": lambda: perm.permanent(memoryview(REAL)),
    "options": lambda: perm.permanent(REAL[:3, :3], precision="dd", certify=True, tolerance=1e-3),
    "results": lambda: perm.compute(REAL[:3, :3]), "whole results": lambda: perm.compute(WHOLE[:2, :2]),
    "counts": lambda: perm.permanent(REAL[:2, :2], rows=[1, 1], cols=np.array([2, 0])),
    "stacks": lambda: perm.permanent(np.stack([REAL[:2, :2]])), "out": lambda: perm.permanent(REAL[None], out=OUT),
    "cancel": lambda: perm.permanent(REAL[:2, :2], cancel=EVENT)}
SLOW = {"errors": lambda: perm.permanent([["x"]]), "NaN": lambda: perm.permanent(np.full((2, 2), np.nan)),
        "general": lambda: perm.permanent([[2**70]]), "unknown": lambda: perm.permanent(REAL, zzz=1),
        "bad out": lambda: perm.permanent(REAL[None], out=np.empty(2)),
        "incomplete": lambda: perm.permanent(REAL, tolerance=1e-300),
        "bad stacks": lambda: perm.permanent(np.full((2, 2, 2), np.nan))}
OUT, EVENT = np.empty(1), threading.Event()


@pytest.mark.parametrize("name", list(LEAKS) + list(SLOW))
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc here")
def test_nothing_leaks(name):
    """Memory stays, and so do the references to what lives for ever."""
    function, calls = LEAKS.get(name) or SLOW[name], CALLS if name in LEAKS else CALLS // 20
    lasting = [None, True, False, 0, 1, (), "auto", "PERM_OK", "expansion", perm.Result, np.ndarray, REAL, EVENT, OUT,
               perm.permanent, perm.Incomplete]

    def work(count):
        for _ in range(count):
            try:
                function()
            except perm.Error:
                pass
        gc.collect()
    work(calls // 10)
    before, counts = resident(), [sys.getrefcount(each) for each in lasting]
    work(calls)
    grown = [after - first for after, first in zip((sys.getrefcount(each) for each in lasting), counts)]
    assert max(map(abs, grown)) < calls // 50, list(zip(lasting, grown))
    assert resident() - before < 2500000, resident() - before  # Python takes memory by the MiB


def test_stops_leak_nothing():
    """Errors in callbacks, and jobs that are cut short: references are as before."""
    for function in (lambda: perm.compute(LONG, progress=bad_progress), lambda: perm.compute(LONG, max_seconds=0.01),
                     lambda: perm.compute(LONG, progress=bool)):
        counts = sys.getrefcount(bad_progress), sys.getrefcount(bool), sys.getrefcount(LONG)
        for _ in range(3):
            try:
                function()
            except KeyError:
                pass
        gc.collect()
        assert (sys.getrefcount(bad_progress), sys.getrefcount(bool), sys.getrefcount(LONG)) == counts
# SPDX-License-Identifier: MIT
