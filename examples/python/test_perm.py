"""perm.py against oracles in Python's own integers and fractions: values, bounds, options, errors, threads, signals.

Run:  python3 -m pytest examples/python     (after make python; or after make libperm.so, with PERM_LIBRARY naming it)
      PERM_TEST_INSTALLED=1 python3 -m pytest --import-mode=importlib examples/python/test_perm.py     (the wheel)

Nothing here depends on the form, extension module or ctypes; test_extension.py compares both."""
import array
import ast
import builtins
import contextlib
import copy
import ctypes
import dis
import doctest
import gzip
import importlib.util
import inspect
import io
import itertools
import math
import os
import pickle
import random as random_numbers
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
import warnings
from fractions import Fraction

import numpy as np
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
INSTALLED = bool(os.environ.get("PERM_TEST_INSTALLED"))
if not INSTALLED:
    sys.path.insert(0, HERE)
import perm  # noqa: E402

PLACE = os.path.dirname(os.path.dirname(perm.__file__)) if INSTALLED else HERE  # where Python finds it

try:
    from scipy import sparse
except ImportError:
    sparse = None
needs_scipy = pytest.mark.skipif(sparse is None, reason="no scipy (apt-get install python3-scipy)")


class Q:
    """A complex number of fractions."""

    def __init__(self, x):
        self.real, self.imag = Fraction(x.real), Fraction(x.imag)

    def __add__(self, other):
        return Q.make(self.real + other.real, self.imag + other.imag)

    __radd__ = __add__

    def __mul__(self, other):
        return Q.make(self.real * other.real - self.imag * other.imag, self.real * other.imag + self.imag * other.real)

    @staticmethod
    def make(real, imag):
        q = Q.__new__(Q)
        q.real, q.imag = real, imag
        return q


def oracle(a, number=int):
    """The permanent without rounding: sums over sets of used columns, row by row."""
    rows = [[number(x.item() if isinstance(x, np.generic) else x) for x in row] for row in a]
    if rows and len(rows) > len(rows[0]):
        rows = [list(column) for column in zip(*rows)]
    sums = {0: number(1)}
    for row in rows:
        following = {}
        for used, value in sums.items():
            for j, x in enumerate(row):
                if not used >> j & 1:
                    more = value * x
                    following[used | 1 << j] = following[used | 1 << j] + more if used | 1 << j in following else more
        sums = following
    return sum(sums.values(), number(0)) if sums else number(0)


def difference(value, exact):
    """|value - exact| of a float or complex, rounded once at the end."""
    if isinstance(exact, Q):
        return math.hypot(float(Fraction(value.real) - exact.real), float(Fraction(value.imag) - exact.imag))
    return abs(float(Fraction(value) - exact))


def right(value, a, number=Fraction, relative=1e-12):
    """Is it as near as doubles can be?"""
    most = float(oracle(np.abs(np.asarray(a)).tolist(), Fraction)) if len(a) else 1.0
    return difference(value, oracle(a, number)) <= relative * most


def expanded(a, rows, cols):
    a = np.asarray(a)
    a = a if rows is None else np.repeat(a, rows, axis=0)
    return a if cols is None else np.repeat(a, cols, axis=1)


random = np.random.default_rng(7)
REAL = random.uniform(-1, 1, (7, 7))
COMPLEX = random.normal(size=(6, 6)) + 1j * random.normal(size=(6, 6))
WHOLE = random.integers(-9, 10, (7, 7))
signal.signal(signal.SIGINT, signal.default_int_handler)   # jobs that a shell has in the background ignore it
LARGE = random.uniform(-1, 1, (29, 29))  # 0.3 s and more on one core
LONG = random.uniform(-1, 1, (46, 46))   # hours


# ---- what goes in

@pytest.mark.parametrize("dtype", "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64".split())
def test_integers_are_exact(dtype):
    for n in (0, 1, 2, 3, 5, 8):
        a = random.integers(0 if dtype[0] in "bu" else -100, 2 if dtype == "bool" else 101, (n, n)).astype(dtype)
        value = perm.permanent(a)
        assert type(value) is int and value == oracle(a.astype(object))
        assert perm.permanent(a.tolist()) == value


@pytest.mark.parametrize("dtype", "float16 float32 float64 complex64 complex128 >f8 <f8 >f4 >c16".split())
def test_floats(dtype):
    for n in (1, 2, 3, 4, 5, 8):
        is_complex = "c" in dtype
        a = (random.normal(size=(n, n)) + (1j * random.normal(size=(n, n)) if is_complex else 0)).astype(dtype)
        value = perm.permanent(a)
        assert type(value) is (complex if is_complex else float)
        assert right(value, a, Q if is_complex else Fraction)


def placed(name):
    """REAL at unusual places of memory."""
    n = len(REAL)
    if name == "read-only":
        a = REAL.copy()
        a.flags.writeable = False
        return a
    if name == "unaligned":
        bytes_ = np.zeros(n * n * 8 + 1, np.uint8)
        a = bytes_[1:].view(np.float64).reshape(n, n)
    elif name == "step":
        a = np.zeros((2 * n, 3 * n))[::2, ::3]
    elif name == "wide":
        a = np.zeros((n, n + 5))[:, 2:-3]
    elif name == "reversed rows":
        a = np.zeros((n, n))[::-1]
    elif name == "reversed columns":
        a = np.zeros((n, n))[:, ::-1]
    elif name == "fortran":
        a = np.zeros((n, n), order="F")
    else:
        a = np.zeros((n, n), ">f8")
    a[...] = REAL
    return a


@pytest.mark.parametrize("name", ["read-only", "unaligned", "step", "wide", "reversed rows", "reversed columns",
                                  "fortran", "big-endian"])
def test_any_place_in_memory(name):
    a = placed(name)
    before = a.copy()
    assert perm.permanent(a) == perm.permanent(REAL.copy())
    assert perm.compute(a).value == perm.compute(REAL).value
    assert np.array_equal(perm.gradient(a), perm.gradient(REAL))
    assert np.array_equal(a, before)


def test_overlapping_rows():
    line = np.arange(1.0, 12.0)
    a = np.lib.stride_tricks.sliding_window_view(line, 5)  # rows that share memory: a stride of one number
    assert perm.permanent(a[:5]) == float(oracle(a[:5].astype(int)))
    b = np.broadcast_to(np.arange(1.0, 5.0), (4, 4))       # stride 0
    assert perm.permanent(b) == 24 * 24


@pytest.mark.parametrize("code", "bBhHiIlLqQ?")
def test_every_integer_of_a_buffer(code):
    least, most = (0, 1) if code == "?" else (0, 2**(8 * array.array(code).itemsize) - 1)
    if code in "bhilq":
        least, most = -(most + 1) // 2, most // 2
    a = np.array([[least, most, 1], [1, most, 0], [1, 1, least]], object)
    view = memoryview(array.array(code.replace("?", "B"), a.ravel().tolist())).cast("B").cast(code, (3, 3))
    typed = a.astype(np.dtype(code))
    for b in (view, typed, typed[::-1, ::-1][::-1, ::-1], np.asfortranarray(typed), typed.astype(">" + code), a):
        assert perm.permanent(b) == oracle(a), code
        assert perm.compute(b).integer == oracle(a)


def test_what_has_a_buffer():
    for a in (REAL, REAL[::-1, ::2][:4], REAL.T, REAL[:0], COMPLEX.T, COMPLEX[::2, 1::2], WHOLE[::3, ::3]):
        view = memoryview(a)
        assert perm.permanent(view) == perm.permanent(a) and type(perm.permanent(view)) is type(perm.permanent(a))
        assert np.array_equal(perm.compute(view).value, perm.compute(a).value)
    assert np.array_equal(perm.minors(memoryview(REAL), 2), perm.minors(REAL, 2))
    numbers = array.array("d", [1, 2, 3, 4])
    assert perm.permanent(memoryview(numbers).cast("B").cast("d", (2, 2))) == 10
    assert perm.permanent(memoryview(numbers).toreadonly().cast("B").cast("d", (2, 2))) == 10
    assert perm.permanent(((ctypes.c_double * 2) * 2)((1, 2), (3, 4))) == 10
    assert perm.permanent([array.array("i", [1, 2]), array.array("i", [3, 4])]) == 10
    for bad in (numbers, b"ab", memoryview(b"ab"), bytearray(4)):
        with pytest.raises(perm.InputError, match="shape"):
            perm.permanent(bad)
    released = memoryview(numbers).cast("B").cast("d", (2, 2))
    released.release()
    with pytest.raises(perm.Error):
        perm.permanent(released)


def test_lists_lose_no_digit():
    assert perm.permanent([[2**63, -1], [1, 1]]) == 2**63 - 1      # numpy alone makes floats of these
    assert perm.permanent([[2**64 - 1, 0], [0, 3]]) == 3 * (2**64 - 1)
    assert perm.permanent(np.array([[2**64 - 1, 1], [2, 3]], np.uint64)) == 3 * (2**64 - 1) + 2
    assert perm.permanent([[1, 2.5], [3, 4]]) == 4 + 7.5
    assert perm.permanent([[1, 2j], [3, 4]]) == 4 + 6j
    assert perm.permanent(((True, np.int8(2)), (3, 4))) == 10
    assert perm.permanent([np.array([1, 2]), np.array([3, 4])]) == 10
    assert perm.permanent([[np.float32(0.5), 2], [3, 4]]) == 8
    with pytest.raises(perm.InputError, match="rounded"):
        perm.permanent([[2**53 + 1, 0.5], [1, 1]])
    with pytest.raises(perm.InputError, match="rounded"):
        perm.permanent([[2**53 + 1, 1], [1, 1]], precision="dd")


def test_integers_beyond_64_bits():
    for n, bits in ((1, 100), (2, 64), (5, 70), (6, 300), (3, 3000)):
        a = np.array([[int.from_bytes(random.bytes(bits // 8 + 1), "big") * (-1) ** int(random.integers(2))
                       for _ in range(n)] for _ in range(n)], dtype=object)
        result = perm.compute(a)
        assert result.exact and result.integer == oracle(a) and result.error_bound == 0
        assert math.isclose(Fraction(result.value) * Fraction(2)**result.exp2 / result.integer, 1, rel_tol=1e-15)
        assert perm.permanent(a, modulus=10**9 + 7) == oracle(a) % (10**9 + 7)
    wide = [[10**30, -10**40, 3], [5, 7 * 10**25, 2]]
    assert perm.permanent(wide) == oracle(wide)
    assert perm.permanent([[10**30, 1], [1, 1]], rows=[2, 1], cols=[1, 2]) == oracle(
        expanded(np.array([[10**30, 1], [1, 1]], object), [2, 1], [1, 2]))
    assert perm.permanent([[10**30, 0], [10**40, 0]]) == 0
    least = -(2**63 * (2**63 - 1) - 1)  # a unit within the product of the first moduli: the sign needs one more
    assert perm.permanent([[least]]) == least
    with pytest.raises(perm.UnsupportedError):
        perm.compute([[10**30]], checkpoint="nowhere")


def test_results_longer_than_doubles():
    result = perm.compute(np.full((20, 20), 10**17))
    assert result.permanent == math.factorial(20) * 10**340 == result.integer
    with pytest.raises(perm.TooLargeError, match="exceeds a double"):
        perm.permanent(np.full((20, 20), 1e300))
    result = perm.compute(np.full((20, 20), 1e300))
    assert math.isclose(math.log2(result.value) + result.exp2, 6000 * math.log2(10) + math.log2(math.factorial(20)))
    with pytest.raises(OverflowError):
        perm.permanent(np.full((3, 3), 1e300))
    with pytest.raises(OverflowError):
        perm.permanent(np.full((3, 3), 1e300 + 0j))
    assert perm.compute(np.full((3, 3), 1e-300)).value > 0


def test_whole_floats_exactly():
    assert perm.permanent(WHOLE.astype(float), precision="exact") == oracle(WHOLE)
    assert perm.permanent(WHOLE.astype(float), modulus=1000) == oracle(WHOLE) % 1000
    a = WHOLE[:5, :5] + 1j * WHOLE[1:6, 2:7]
    value, exact = perm.permanent(a, precision="exact"), oracle(a, Q)
    assert isinstance(value, perm.Gaussian) and value == (exact.real, exact.imag)
    assert complex(value) == complex(float(exact.real), float(exact.imag))
    assert perm.permanent(a, modulus=97) == (exact.real % 97, exact.imag % 97)
    counted = perm.permanent(a[:2, :2], rows=[2, 1], cols=[1, 2], precision="exact")
    exact = oracle(expanded(a[:2, :2], [2, 1], [1, 2]), Q)
    assert counted == (exact.real, exact.imag)
    for bad in (REAL, COMPLEX, np.full((2, 2), 2.0**53), np.array([[np.inf]])):
        with pytest.raises(perm.InputError):
            perm.permanent(bad, precision="exact")
    assert perm.compute(WHOLE, precision="dd").exact is False
    assert right(perm.permanent(WHOLE, precision="dd"), WHOLE)


@pytest.mark.parametrize("bad, error, text", [
    ([[1, 2], [3]], TypeError, "one length"), ([["a"]], TypeError, "str"), ([[None]], TypeError, "NoneType"),
    ([[Fraction(1, 3), 0.5]], TypeError, "Fraction"), (np.array([["a"]]), TypeError, "<U1"),
    (np.zeros((2, 2), np.longdouble), TypeError, "float128|longdouble"),
    ([[np.longdouble(1)]], TypeError, "float128|longdouble"),
    (np.ma.masked_equal([[1.0, 2.0], [3.0, 4.0]], 2.0), TypeError, "masked"), ([1, 2], perm.InputError, "shape"),
    (3.0, perm.InputError, "shape"), (np.array([[1.0, np.nan], [1, 1]]), perm.InputError, "NaN in row 1, column 2"),
    (np.array([[1.0, 2], [np.inf, 1]]), perm.InputError, "infinity in row 2"),
    (np.zeros((2, 2), "M8[s]"), TypeError, "datetime"),
    (np.full((3, 3), complex(0, np.nan)), perm.InputError, "NaN"), (np.ones((65, 65)) + REAL[0, 0] * np.eye(65) +
     random.random((65, 65)), perm.Error, "65|64")])
def test_what_is_no_matrix(bad, error, text):
    with pytest.raises(error, match=text):
        perm.permanent(bad)
    with pytest.raises(ValueError):
        perm.compute(np.ones((2, 2, 2)))


def test_numbers_and_arrays_that_are_too_large():
    for call in (lambda a: perm.gradient(a, full=True), perm.marginals, lambda a: perm.estimate(a, samples=9),
                 lambda a: perm.submatrices(a, [[0]], precision="dd"), lambda a: perm.compute(a, precision="dd")):
        with pytest.raises(perm.InputError, match="rounded"):
            call([[2**2000]])
    vast = np.broadcast_to(np.float64(1), (2**24, 2**24))  # 2^51 bytes, if it were copied
    for call in (perm.compute, perm.gradient, lambda a: perm.estimate(a, samples=9)):
        with pytest.raises(perm.OutOfMemoryError, match="numpy"):
            call(vast)


def test_sizes():
    assert perm.permanent([]) == 1 and type(perm.permanent([])) is int
    assert [repr(perm.permanent(np.zeros((0, n)))) for n in (0, 3)] == ["1.0", "1.0"]
    assert perm.permanent(np.zeros((3, 0), complex)) == 1 and perm.permanent(np.zeros((0, 0), complex)) == 1
    for m, n in ((1, 4), (2, 5), (3, 4), (4, 3), (5, 1)):
        a = random.integers(-5, 6, (m, n))
        assert perm.permanent(a) == oracle(a)
        assert right(perm.permanent(a + 0.25), a + 0.25)
        assert right(perm.permanent(a + 0.5j), a + 0.5j, Q)


# ---- scipy.sparse and files

@needs_scipy
@pytest.mark.parametrize("form", "csr csc coo lil dok dia bsr".split())
def test_sparse_matrices(form):
    a = WHOLE * (random.random((7, 7)) < 0.6)
    assert perm.permanent(sparse.coo_matrix(a).asformat(form)) == oracle(a)
    assert right(perm.permanent(sparse.coo_matrix(a * 0.5).asformat(form)), a * 0.5)
    assert right(perm.permanent(sparse.coo_matrix(a * 0.5j).asformat(form)), a * 0.5j, Q)
    assert perm.permanent(sparse.coo_array(a).asformat(form)) == oracle(a)


@needs_scipy
def test_sparse_corners():
    double = sparse.coo_matrix(([100, 100, 3], ([0, 0, 1], [0, 0, 1])), shape=(2, 2), dtype=np.int8)
    assert perm.permanent(double) == 600                       # added up without overflow
    assert perm.permanent(sparse.coo_matrix(([True, True], ([0, 0], [0, 0])), shape=(1, 1))) == 1
    assert perm.permanent(sparse.coo_matrix(([0.5, 0.25], ([0, 0], [0, 0])), shape=(1, 1))) == 0.75
    huge = sparse.coo_matrix(([2**63 - 1, 2**63 - 1], ([0, 0], [0, 0])), shape=(1, 1), dtype=np.int64)
    with pytest.raises(perm.UnsupportedError):
        perm.permanent(huge)
    n = 3000
    chain = 3 * sparse.eye(n, dtype=int) - sparse.eye(n, k=1, dtype=int)
    assert perm.permanent(chain) == 3**n                       # longer than the library's integers: residues
    assert perm.permanent(chain, modulus=10**12 + 39) == pow(3, n, 10**12 + 39)
    result = perm.compute(2.0 * sparse.eye(n))
    assert (result.value, result.exact) == (math.ldexp(1, n - result.exp2), False)
    with pytest.raises(OverflowError):
        perm.permanent(2.0 * sparse.eye(n))
    whole = sparse.csr_matrix(WHOLE[:4, :4].astype(float))
    assert perm.permanent(whole, precision="exact") == oracle(WHOLE[:4, :4])
    gauss = sparse.csr_matrix(WHOLE[:4, :4] + 1j)
    assert perm.permanent(gauss, precision="exact") == (oracle(WHOLE[:4, :4] + 1j, Q).real,
                                                        oracle(WHOLE[:4, :4] + 1j, Q).imag)
    with pytest.raises(perm.InputError):
        perm.permanent(sparse.csr_matrix([[0.5]]), precision="exact")
    assert perm.permanent(sparse.csr_matrix([[1, 2], [3, 4]]), rows=[2, 0], cols=[1, 1]) == 4
    assert perm.permanent(sparse.csr_matrix((0, 0))) == 1
    assert perm.permanent(sparse.csr_matrix((2, 2))) == 0
    assert perm.minors(sparse.csr_matrix([[1.0, 2], [3, 4]]), 0).tolist() == [4, 3]


def test_files(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("1 2\n3 4\n")
    assert perm.permanent(file) == 10 and perm.permanent(str(file)) == 10
    assert perm.compute(file, modulus=7).integer == 3
    assert perm.plan(file).leaves == ()
    file.write_text("1 2\n3 x\n")
    with pytest.raises(perm.InputError, match="a.txt:2:"):
        perm.permanent(file)
    with pytest.raises(OSError, match="missing.mtx"):
        perm.permanent(tmp_path / "missing.mtx")
    with pytest.raises(perm.UnsupportedError):
        perm.permanent(file, rows=[1, 1])


# ---- results

def test_read(tmp_path):
    for a, dtype in ((WHOLE, np.int64), (REAL, float), (COMPLEX, complex), (np.eye(3, dtype=int), np.int64)):
        np.save(tmp_path / "a.npy", a)
        for source in (tmp_path / "a.npy", str(tmp_path / "a.npy"), (tmp_path / "a.npy").read_bytes()):
            assert np.array_equal(perm.read(source), a) and perm.read(source).dtype == dtype
    market = b"%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 1\n2 3\n"
    assert perm.read(market).tolist() == [[1, 0, 0], [0, 0, 1]]
    assert perm.read(b"0 1\n1 0\n2 2\n", format="edges").tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    for bad, error, text in ((b"1 2\n3", perm.InputError, "^bytes:2: "), ("/no/file", perm.FileError, "^/no/file"),
                             (3, perm.InputTypeError, "^source"), (b"1/2 1\n1 1\n", perm.InputError, "bytes:1"),
                             (market.replace(b"2 3 2", b"99999 99999 2"), perm.LimitError, "file's name")):
        with pytest.raises(error, match=text):
            perm.read(bad)


def test_result_of_doubles():
    r = perm.compute(REAL[:6, :6], threads=1)
    assert (r.exact, r.integer, r.exp2, r.status, r.message, r.modulus, r.gpus, r.threads) == (
        False, None, 0, "PERM_OK", "", 0, 0, 1)
    assert r.method in perm.METHODS and r.precision == "default" and r.isa in perm.ISAS and r.seconds >= 0
    assert r.permanent == r.value and r.plan_seconds >= 0 and r.terms > 0 and r.escalated == 0
    assert 0 <= r.error_estimate < 1e-10 and perm.compute(REAL[:6, :6], certify=True).seconds > 0
    with pytest.raises(AttributeError):
        r.value = 1


def test_bounds_hold():
    for options in ({"certify": True}, {"precision": "dd"}):
        for a, number in ((REAL, Fraction), (COMPLEX, Q), (np.array([[1e-200, 3], [1e200, 1 / 3]]), Fraction)):
            r = perm.compute(a, **options)
            exact = oracle(a, number)
            assert r.exp2 == 0 and difference(r.value, exact) <= r.error_bound < 1e-10 * max(abs(r.value), 1)


def test_modulus():
    for p in (2, 97, 2**61 - 1, 2**63):
        r = perm.compute(WHOLE, modulus=p)
        assert r.integer == oracle(WHOLE) % p and r.modulus == p
    for p in (1, 2**63 + 1, -1, 2**64):
        with pytest.raises(perm.InputError, match="modulus|2\\^63"):
            perm.compute(WHOLE, modulus=p)
    with pytest.raises(perm.InputError, match="integers"):
        perm.compute(REAL, modulus=7)


@pytest.mark.parametrize("rows, cols", [([2, 1, 0], [1, 1, 1]), ([3, 0, 0], [1, 2, 0]), (None, [1, 0, 2]),
                                        ([0, 0, 0], [0, 0, 0]), ([2, 2, 1], [1, 3, 1])])
def test_multiplicities(rows, cols):
    for a, number in ((WHOLE[:3, :3], int), (REAL[:3, :3], Fraction), (COMPLEX[:3, :3], Q)):
        full = expanded(a, rows, cols)
        value = perm.permanent(a, rows=rows, cols=None if cols is None else np.array(cols))
        assert value == oracle(full) if number is int else right(value, full, number)
    assert right(perm.permanent(REAL[:3, :3].astype(np.float32), rows=rows, cols=cols),
                 expanded(REAL[:3, :3].astype(np.float32), rows, cols))


def test_multiplicities_of_rectangles():
    a = WHOLE[:2, :3]
    assert perm.permanent(a, rows=[3, 1], cols=[1, 1, 2]) == oracle(expanded(a, [3, 1], [1, 1, 2]))
    for rows, cols, text in (([1, 1], [1, 1, 1], "2.*3|total"), ([1], [1, 0, 0], "rows"), ([1, 1.5], None, "rows"),
                             ([1, -1], [0, 0, 0], "negative|-1"), ([2**40, 0], [1, 1, 1], "range"),
                             (None, [[1, 1, 1]], "cols")):
        with pytest.raises(perm.InputError, match=text):
            perm.permanent(a, rows=rows, cols=cols)


def test_multiplicities_beyond_the_longest_integer():
    assert perm.permanent(np.full((1, 1), 2**62), rows=[100], cols=[100]) == 2**6200 * math.factorial(100)
    beam = [[1, 1], [1, -1]]
    for n in (10, 300):
        exact = sum((-1)**a * (math.factorial(n) * math.comb(n, a))**2 for a in range(n + 1))
        for modulus in (2, 97, 2**63 - 25, 2**63):
            assert perm.permanent(beam, rows=[n, n], cols=[n, n], modulus=modulus) == exact % modulus
        turned = perm.permanent(np.array(beam) * (1 + 1j), rows=[n, n], cols=[n, n], modulus=97, precision="exact")
        assert turned == (exact * 2**n * (-1)**(n // 2) % 97, 0)  # (1 + i)^(2n) = (2i)^n
    assert perm.permanent(beam, rows=[300, 300], cols=[300, 300]) == exact
    with pytest.raises(perm.TooLargeError, match="4544 bits"):
        perm.permanent(np.array([[1j]]) * 2**50, rows=[100], cols=[100], precision="exact")


def test_every_error_is_ours():
    """Nonsense in every option of every function: a perm.Error that names the option, never Python's or numpy's own."""
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    functions = {perm.permanent: (a,), perm.compute: (a * 1j,), perm.minors: (a, 0), perm.gradient: (a,),
                 perm.plan: (a,), perm.low_rank: (a, a), perm.cauchy: ([1, 2], [3, 4.5]),
                 perm.submatrices: (a, [[0]], [[0]]), perm.estimate: (a, 10), perm.sample: (a, 1),
                 perm.sampler.boson: (np.eye(2), [1, 1], 1)}
    nonsense = ("x\0", [], (1, 2, 3), {}, np.zeros(3), np.array("x"), object(), 1j, -5, math.nan, 10**400)
    refused = 0
    for function, arguments in functions.items():
        for name in perm._OPTIONS + ("toleranse",):
            for value in nonsense:
                try:
                    function(*arguments, **{name: value})
                except perm.Error as error:
                    refused += 1
                    assert name in str(error) or not isinstance(error, perm.InputTypeError), (name, value, str(error))
    assert refused > 2000
    for value in nonsense + ("file", [[1, 2], [3]], [np.zeros(2), np.zeros(3)], np.zeros((2, 2, 2), "U1")):
        for call in (lambda: perm.permanent(value), lambda: perm.minors(value, 0), lambda: perm.minors(a, value),
                     lambda: perm.permanent(a, rows=value), lambda: perm.submatrices(a, value, value),
                     lambda: perm.low_rank(value, a), lambda: perm.cauchy(value, [1, 2]),
                     lambda: perm.sample(a, value), lambda: perm.sampler.boson(a, [1, 1], value),
                     lambda: perm.sampler.boson(value, [1, 1], 1), lambda: perm.sampler.boson(np.eye(2), value, 1),
                     lambda: perm.sampler.boson(np.eye(2), [1, 0], 1, value),
                     lambda: perm.estimate(a, samples=value), lambda: perm.minors(a, 0, full=value)):
            try:
                call()
            except perm.Error:
                pass
    for method in perm.METHODS:
        try:
            assert complex(perm.permanent(np.ones((3, 3)) * 1j, method=method, precision="exact")) == -6j
            assert complex(perm.permanent(np.ones((2, 3, 3)) * 1j, method=method, precision="exact")[1]) == -6j
        except perm.Error:
            assert method not in ("auto", "frontier", "subsets")


def test_did_you_mean():
    for option, value, meant in (("toleranse", 1, "tolerance"), ("Methods", 1, "method"), ("col", [1], "cols"),
                                 ("max_second", 1, "max_seconds")):
        with pytest.raises(perm.InputTypeError, match='unknown option %s .did you mean "%s"[?].: expected one of' % (
                option, meant)):
            perm.compute([[1]], **{option: value})
    with pytest.raises(perm.InputTypeError, match="unknown option zzz: expected one of rows cols input method"):
        perm.compute([[1]], zzz=1)
    for option, value, meant in (("method", "fronteer", "frontier"), ("precision", "exakt", "exact"),
                                 ("format", "edge", "edges")):
        with pytest.raises(perm.InputError, match='%s = .* .did you mean "%s"[?].: expected one of' % (option, meant)):
            perm.compute([[1]], **{option: value})
    with pytest.raises(perm.InputTypeError, match="certify: expected True or False"):
        perm.compute([[1]], certify="no")


def test_files_without_a_banner(tmp_path):
    def file(text):
        path = tmp_path / "a.txt"
        path.write_text(text)
        return path
    with pytest.warns(UserWarning, match="read as 4 entries of a 3 x 3 matrix, counted from 1"):
        result = perm.compute(file("3 3 4\n1 1 2\n2 2 3\n3 3 5\n1 2 7\n"))
    assert result.integer == 30 and "read as 4 entries" in result.message
    assert perm.permanent(file("3 3 4\n1 1 2\n2 2 3\n3 3 5\n1 2 7\n"), format="array") == 1051
    with pytest.raises(perm.InputError, match="format=edges.array"):
        perm.permanent(file("1 2\n2 3\n3 1\n"))
    result = perm.compute(file("1 2\n2 3\n3 1\n"), format="edges")
    assert result.integer == 1 and "3 edges of a 3 x 3 matrix, counted from 1" in result.message
    assert perm.permanent(file("2.0 3\n1e0 15.0\n")) == 33
    assert isinstance(perm.permanent(file("2.0 3\n1e0 15.0\n")), int)
    with pytest.raises(perm.InputTypeError, match="not a file's name: perm.read.'.*'. is its array"):
        perm.minors(str(tmp_path / "a.txt"), 0)


# ---- stacks, minors, gradients, selections

def test_stacks():
    a = random.normal(size=(2, 3, 5, 5))
    for stack, number in ((a, Fraction), (a.astype(np.float32), Fraction), (a + 1j * a[::-1], Q)):
        values = perm.permanent(stack)
        assert values.shape == (2, 3) and values.dtype == (np.complex128 if number is Q else np.float64)
        assert all(right(values[i, j].item(), stack[i, j], number, 1e-10) for i in range(2) for j in range(3))
    for stack in (a[:, :, ::-1], a[0].transpose(0, 2, 1), np.asfortranarray(a[0]), a[0].astype(">f8")):
        one_by_one = np.reshape([perm.permanent(m) for m in stack.reshape(-1, 5, 5)], stack.shape[:-2])
        assert np.allclose(perm.permanent(stack), one_by_one, rtol=1e-10)
    whole = random.integers(-3, 4, (4, 3, 3))
    values = perm.permanent(whole)
    assert values.dtype == object and values.tolist() == [oracle(m) for m in whole]
    assert perm.permanent(whole.astype(float), precision="exact").tolist() == values.tolist()
    assert perm.permanent(whole.astype(float), modulus=5).tolist() == [v % 5 for v in values]
    gauss = perm.permanent(whole + 0j, precision="exact")
    assert gauss.shape == (4,) and gauss[0] == (values[0], 0)
    assert perm.permanent(a[0, :, :2]).shape == (3,)               # rectangular
    assert perm.permanent(whole, rows=[1, 1, 1], cols=[2, 1, 0]).shape == (4,)
    assert perm.permanent(np.zeros((0, 4, 4))).shape == (0,)
    assert perm.permanent(np.zeros((3, 0, 0))).tolist() == [1, 1, 1]
    assert perm.permanent(np.zeros((3, 0, 0), int)).tolist() == [1, 1, 1]
    assert np.array_equal(perm.permanent(a, threads=1), perm.permanent(a, threads=2))
    assert right(perm.permanent(a[:1], precision="dd")[0, 0].item(), a[0, 0], relative=1e-15)
    assert np.allclose(perm.permanent(np.ones((2, 25, 25)), precision="fast"), float(math.factorial(25)), rtol=1e-12)


def test_stacks_entry_by_entry_are_not_copied(monkeypatch):
    called = []
    run = perm._Call.run
    monkeypatch.setattr(perm._Call, "run", lambda self, name, *rest: called.append(name) or run(self, name, *rest))
    entries = random.normal(size=(4, 4, 100))
    for dtype, name in ((np.float64, "real"), (np.complex128, "complex")):
        b = np.moveaxis(entries.astype(dtype), -1, 0)
        assert np.allclose(perm.permanent(b), perm.permanent(np.ascontiguousarray(b)), rtol=1e-10)
        by_rows = [] if perm._extension else ["perm_batch_" + name]  # the extension's own call
        assert called == ["perm_batch_%s_soa" % name] + by_rows
        del called[:]


def test_stacks_of_whole_matrices_are_not_copied(monkeypatch):
    many = random.normal(size=(20, 4, 4))
    whole = many.copy(), (many + 1j * many[::-1]).copy(), many.astype(np.float32)
    expected = [[perm.permanent(m.copy()) for m in stack] for stack in whole]
    monkeypatch.setattr(np, "ascontiguousarray", None)
    for stack, values in zip(whole, expected):
        for part in (slice(None), slice(None, None, 2), slice(3, 4), slice(1, 20, 7)):
            assert np.allclose(perm.permanent(stack[part]), values[part], rtol=1e-9)


def test_a_place_for_the_answer():
    a = random.normal(size=(6, 4, 4))
    for stack, dtype in ((a, float), (a + 1j, complex), (a[::2], float), (a.transpose(0, 2, 1), float)):
        expected = perm.permanent(stack)
        for out in (np.empty(len(stack), dtype), np.empty((3, len(stack)), dtype)[1]):
            assert perm.permanent(stack, out=out) is out and np.array_equal(out, expected)
            assert perm.permanent(stack, None, None, out, threads=1) is out and np.array_equal(out, expected)
    out = array.array("d", [0] * 6)
    assert perm.permanent(a, out=out) is out and out.tolist() == perm.permanent(a).tolist()
    out = np.empty((2, 3))
    assert perm.permanent(a.reshape(2, 3, 4, 4), out=out) is out and np.array_equal(out.ravel(), perm.permanent(a))
    out = np.empty(6)
    assert perm.permanent(a.astype(np.float32), out=out) is out and np.allclose(out, perm.permanent(a), rtol=1e-4)
    assert perm.permanent(a[:, :2], out=out) is out and np.array_equal(out, perm.permanent(a[:, :2]))  # rectangles
    out = np.empty(6, complex)
    assert perm.permanent(a + 1j, [1] * 4, [2, 1, 1, 0], out=out) is out and right(
        out[5].item(), expanded(a[5] + 1j, None, [2, 1, 1, 0]), Q, 1e-10)
    for bad, text in ((np.empty(5), "float64 of shape \\(6,\\) without gaps, not d of shape \\(5,\\)"),
                      (np.empty(6, complex), "not Zd"), (np.empty(6, np.float32), "not f of shape"),
                      (np.empty(12)[::2], "with gaps"), ([0.0] * 6, "not list"), (np.empty((6, 1)), "shape"),
                      (np.zeros(6, ">f8"), "not >d"), (memoryview(bytes(48)).cast("d"), "read-only"), (3, "not int")):
        with pytest.raises(perm.InputError, match="^out: .*" + text):
            perm.permanent(a, out=bad)
    for matrix in (a[0], a[0].tolist(), [], WHOLE[None], sparse.eye(3) if sparse else []):
        with pytest.raises(perm.InputError, match="^out: only of stacks of floats"):
            perm.permanent(matrix, out=np.empty(6))
    for matrix in (REAL[:4, :4], COMPLEX[:4, :4]):
        for function, arguments, shape in ((perm.minors, (2,), 4), (perm.gradient, (), (4, 4)),
                                           (perm.submatrices, ([[0, 1], [1, 3]],), 2)):
            expected, out = function(matrix, *arguments), np.empty(shape, matrix.dtype)
            assert function(matrix, *arguments, out=out) is out and np.array_equal(out, expected)
            with pytest.raises(perm.InputError, match="^out: "):
                function(matrix, *arguments, out=np.empty(3))
    out = np.empty(9)
    numbers, result = perm.minors(np.full((9, 9), 1e300), 0, full=True, out=out)
    assert numbers is out and result.exp2 > 0
    small = np.full((3, 3), 1e-200)
    assert perm.minors(small * 1e50, 0, out=out[:3])[1] == pytest.approx(2e-300, rel=1e-12)


def test_numbers_too_small_for_doubles():
    """0 is never what underflowed: TooLargeError, with the number. What a double holds is returned, 0 among it."""
    for a in (np.full((20, 20), 1e-300), np.full((3, 3), 1e-200), np.full((22, 22), 1e-100), np.full((3, 3), 1e-106),
              np.full((4, 4), 1e-200 + 1e-201j), np.full((2, 3), 1e-200)):
        for matrix in (a, a.tolist(), np.asfortranarray(a)):
            with pytest.raises(OverflowError, match="about 1e-[0-9]+, too small for a double") as caught:
                perm.permanent(matrix)
            result = caught.value.result
            assert result == perm.compute(a) or result.seconds
            assert abs(result.value) > 0 and result.exp2 < -900
        with pytest.raises(perm.TooLargeError):
            float(perm.compute(a.real))
    assert perm.permanent(np.full((2, 2), 2.0**-530)) == 2.0**-1059  # below normal doubles, and exact
    assert perm.permanent(np.diag([1e-200] * 2)[::-1] * [[1], [0]]) == 0 == perm.permanent(np.zeros((5, 5)))
    assert perm.permanent([[1e-300, 1e-320j], [0, 1]]) == 1e-300
    stack = np.stack([np.full((4, 4), 1e-200), np.ones((4, 4))])
    for bad in (stack, stack + 0j, np.moveaxis(np.moveaxis(stack, 0, 2).copy(), 2, 0), stack.reshape(2, 1, 4, 4),
                stack.tolist()):
        with pytest.raises(perm.TooLargeError, match="number 0 of them: .* 1e-799, too") as caught:
            perm.permanent(bad)
        assert np.ravel(caught.value.result)[1] == 24
    with pytest.raises(perm.TooLargeError, match="number 1 of them"):
        perm.submatrices(stack[0] + np.eye(4), [[0, 1], [0, 2]], [[0, 1], [1, 3]])
    stack[0] = np.diag([1e-200, 1, 1, 0])
    assert perm.permanent(stack).tolist() == [0, 24] == perm.permanent(stack, out=np.empty(2)).tolist()
    stack[0] = np.diag([1e-200, 1e-200, 1e150, 1e150])
    assert math.isclose(perm.permanent(stack)[0], 1e-100, rel_tol=1e-12)
    for call in (perm.gradient, lambda a: perm.minors(a, 0)):
        with pytest.raises(perm.TooLargeError, match="too small for a double; full=True"):
            call(np.full((4, 4), 1e-200))
        assert not np.any(call(np.zeros((4, 4))))


def test_stacks_of_numbers_too_large_for_doubles():
    """inf is never what overflowed, nor NaN; and what a double holds is returned, whatever overflows on the way."""
    large = np.stack([np.ones((5, 5)), np.full((5, 5), 1e200), np.ones((5, 5))])
    apart = np.moveaxis(np.moveaxis(large, 0, 2).copy(), 2, 0)
    for options in ({}, {"certify": True}, {"precision": "dd"}, {"threads": 1}, {"method": "glynn"}):
        for stack in (large, apart, large * 1j, large * (1 + 1j), large.tolist(), large.reshape(3, 1, 5, 5)):
            with pytest.raises(perm.TooLargeError, match="^number 1 of them: the permanent exceeds a double") as caught:
                perm.permanent(stack, **options)
            assert abs(np.ravel(caught.value.result)[[0, 2]]).min() >= 119.99
    with pytest.raises(perm.TooLargeError, match="^number 0 of them"):
        perm.permanent(np.full((2, 9, 9), 3e38, np.float32))
    out = np.empty(3)
    with pytest.raises(perm.TooLargeError, match="^number 1 of them"):
        perm.permanent(large, out=out)
    for matrix in (np.diag([1e200, 1e200, 1e-200, 1e-200]), np.diag([1e200, 1e-200, 1e200j, 1e-200]),
                   LARGE[:6, :6] * [[1e200], [1e200], [1e200], [1e-200], [1e-200], [1e-200]]):
        stack, one = np.stack([matrix, np.ones(matrix.shape)]), perm.permanent(matrix)
        assert np.allclose(perm.permanent(stack), [one, math.factorial(len(matrix))], rtol=1e-12)
    a, three = np.full((5, 5), 1e200), [[0, 1, 2]]
    for matrix in (a, a * 1j, a - 1e200j):
        with pytest.raises(perm.TooLargeError, match="^number 0 of them: the permanent exceeds a double"):
            perm.submatrices(matrix, three, three)
    a[3:, 3:] = 1
    with pytest.raises(perm.TooLargeError, match="^number 1 of them"):
        perm.submatrices(a, [[3, 4], [0, 1]], [[3, 4], [0, 1]], out=np.empty(2))
    assert perm.submatrices(a, [[3, 4]], [[3, 4]]).tolist() == [2]


def test_a_result_as_a_number():
    whole = perm.compute([[1, 2], [3, 4]])
    assert (float(whole), int(whole), complex(whole)) == (10.0, 10, 10 + 0j)
    real = perm.compute(np.full((20, 20), 1e10) / 7)
    assert float(real) == real.permanent == real.value * 2.0**real.exp2
    assert complex(perm.compute([[1j]])) == 1j and complex(perm.compute([[1j]], precision="exact")) == 1j
    for call in (lambda: int(real), lambda: float(perm.compute([[1j]])), lambda: int(perm.compute([[1j]]))):
        with pytest.raises(perm.InputTypeError):
            call()
    with pytest.raises(perm.TooLargeError, match="int\\(result\\) is exact"):
        float(perm.compute([[10**400]]))


def test_a_bad_matrix_in_a_stack():
    a = np.ones((3, 4, 4))
    a[1, 2, 2] = np.nan
    with pytest.raises(perm.InputError) as caught:
        perm.permanent(a)
    assert caught.value.result[0] == 24 and np.isnan(caught.value.result[1])


def test_minors_and_gradients():
    for a, number in ((REAL[:4, :5], Fraction), (COMPLEX[:4, :4], Q), (WHOLE[:4, :4] * 1.0, Fraction)):
        if a.shape[0] != a.shape[1]:
            continue
        whole = perm.gradient(a)
        for i in range(4):
            values = perm.minors(a, i)
            for j in range(4):
                minor = np.delete(np.delete(a, i, 0), j, 1)
                assert right(values[j].item(), minor, number, 1e-11) and right(whole[i, j].item(), minor, number, 1e-11)
    rows, cols = [2, 0, 1], [1, 1, 1]
    a = REAL[:3, :3]
    for j, value in enumerate(perm.minors(a, 2, rows=rows, cols=cols)):
        assert right(value.item(), expanded(a, [2, 0, 0], np.array(cols) - (np.arange(3) == j)), relative=1e-11)
    derivatives, result = perm.gradient(a, rows=rows, cols=cols, full=True)
    assert right(result.value, expanded(a, rows, cols)) and math.isclose(
        (derivatives * a).sum() * 2.0**result.exp2, 3 * result.permanent, rel_tol=1e-9)
    derivatives = perm.gradient(REAL[:2, :3], rows=[2, 1])
    assert derivatives.shape == (2, 3) and right(derivatives[1, 2].item(), REAL[[0, 0], :2], relative=1e-11)
    assert right(perm.minors(REAL[:2, :3], 1, rows=[2, 1])[2].item(), REAL[[0, 0], :2], relative=1e-11)
    assert perm.minors(REAL[:2, :3], 1, rows=[2, 1]).shape == (3,)
    told = str(perm.gradient([[2.5, 1], [1, 2]], full=True)[1])  # whose value may have fewer digits than they
    assert told.startswith("each within ") and "guaranteed" in told and "digit" not in told and told.endswith(": 6.0")
    values, result = perm.minors(np.full((9, 9), 1e300), 0, full=True)
    assert result.exp2 > 0 and np.allclose(values, values[0])
    with pytest.raises(OverflowError, match="full=True"):
        perm.minors(np.full((9, 9), 1e300), 0)
    for row, error in ((9, IndexError), (-1, IndexError), (2**40, perm.InputError), (1.5, TypeError)):
        with pytest.raises(error):
            perm.minors(a, row)
    with pytest.raises(perm.InputError):
        perm.gradient(a, rows=[1, 1, 1], cols=[3, 1, 1])


def test_exact_minors():
    """Integers of any size, Fractions and Gaussians: by expansion, and of no digit less."""
    for a in (WHOLE[:4, :4], WHOLE[:3, :5], WHOLE[:5, :3], WHOLE[:4, :4].astype(object) * 10**40 + 3,
              np.ones((1, 1), int), np.ones((3, 1), int), np.ones((1, 3), int),
              [[Fraction(i + 1, j + 2) for j in range(4)] for i in range(3)]):
        whole, plain = perm.gradient(a), np.array(a, object)
        assert whole.dtype == object and whole.shape == plain.shape
        for i, j in np.ndindex(*whole.shape):
            minor = np.delete(np.delete(plain, i, 0), j, 1).tolist()
            assert whole[i, j] == perm.permanent(minor) and type(whole[i, j]) is (
                Fraction if isinstance(plain[i, j], Fraction) else int)
        assert [perm.minors(a, i).tolist() for i in range(len(plain))] == whole.tolist()
    assert perm.gradient([[10**20, 2], [3, 4]]).tolist() == [[4, 3], [2, 10**20]]
    assert perm.gradient(np.zeros((0, 3), int)).shape == (0, 3) and perm.gradient([]).shape == (0, 0)
    a, rows, cols = WHOLE[:3, :3], [2, 0, 1], [1, 2, 0]
    for i, j in itertools.product(range(3), repeat=2):
        less = np.array(rows) - (np.arange(3) == i), np.array(cols) - (np.arange(3) == j)
        value = rows[i] * cols[j] and rows[i] * cols[j] * oracle(expanded(a, *less))
        assert perm.gradient(a, rows, cols)[i, j] == value
        assert perm.gradient(a, rows, cols, modulus=97)[i, j] == value % 97
        if rows[i]:
            assert perm.minors(a, i, rows, cols)[j] == (cols[j] and value // rows[i] // cols[j])
    gaussian = perm.gradient(WHOLE[:3, :3] * (1 + 1j), precision="exact")
    assert gaussian[1, 2] == (0, 2 * oracle(np.delete(np.delete(WHOLE[:3, :3], 1, 0), 2, 1)))
    assert perm.gradient(WHOLE[:3, :3] * 1.0, precision="exact").tolist() == perm.gradient(WHOLE[:3, :3]).tolist()
    assert perm.gradient(WHOLE[:3, :3], precision="dd").dtype == float == perm.gradient(WHOLE, full=True)[0].dtype
    for call, text in ((lambda: perm.gradient([[2**60 + 1, 1]] * 2, full=True), "2\\^53"),
                       (lambda: perm.minors([[1, 2]] * 2, 0, precision="exact", out=np.empty(2)), "out: of doubles"),
                       (lambda: perm.minors(WHOLE, 99), "row = 99: the matrix has rows 0 .. "),
                       (lambda: perm.minors(a, 1, rows, cols), "no copy"),
                       (lambda: perm.gradient(a, part=(1, 2), checkpoint="a.ck"), "parts"),
                       (lambda: perm.gradient(a, max_seconds=-1), "max_seconds is negative")):
        with pytest.raises(perm.Error, match=text):
            call()
    with pytest.raises(perm.Incomplete):
        perm.gradient(random.integers(0, 9, (26, 26)), max_seconds=0.2)


def test_minors_of_rectangles():
    for a, number in ((random.normal(size=(3, 5)), Fraction), (random.normal(size=(4, 2)) + 1j, Q),
                      (np.full((2, 40), 0.5), Fraction)):
        derivatives, result = perm.gradient(a, full=True)
        assert right(result.value * 2.0**result.exp2, a, number) and derivatives.shape == a.shape
        for i, j in np.ndindex(*a.shape):
            minor = np.delete(np.delete(a, i, 0), j, 1)
            assert right(perm.gradient(a)[i, j].item(), minor, number, 1e-11)
            assert abs(difference((derivatives[i, j] * 2.0**result.exp2).item(), oracle(minor, number))) <= (
                result.error_bound * 2.0**result.exp2)
        assert np.allclose(perm.minors(a, 1), perm.gradient(a)[1], rtol=1e-12)
        out = np.empty(a.shape, a.dtype)
        assert perm.gradient(a, out=out) is out and np.array_equal(out, perm.gradient(a))
    assert np.allclose(perm.gradient(np.ones((1, 63))), 1) and np.allclose(perm.gradient(np.ones((63, 2))), 62)


def test_marginals():
    """Sums of products over all injections; both ways of computing them; sizes that a product would underflow by."""
    tracks = np.hstack([random.random((3, 4)), np.diag(random.random(3))])
    for a in (tracks, tracks.T, tracks[:, :3], abs(WHOLE[:3, :4]), WHOLE[:3, :4] + 0j, COMPLEX[:3, :3],
              np.hstack([tracks, np.zeros((3, 16))])):
        small = a if a.shape[0] <= a.shape[1] else a.T
        m, n = small.shape
        sums = np.zeros((m, n), small.dtype if small.dtype.kind == "c" else float)
        for way in itertools.permutations(range(n), m):
            weight = math.prod(small[range(m), way].tolist())
            sums[range(m), way] += weight
        expected = sums / (sums.sum() / m)
        answer = perm.marginals(a)
        assert np.allclose(answer if small is a else answer.T, expected, rtol=1e-10, atol=1e-13)
        assert np.allclose(answer.sum(1 if small is a else 0), 1)
    wide = random.random((9, 30))
    wide[2, 5:] = 0
    assert np.allclose(perm.marginals(wide), perm.marginals(wide, method="dense"), rtol=1e-10)
    band = np.triu(np.tril(random.random((22, 22)) * 1e200 + 1, 1), -1)
    assert np.allclose(perm.marginals(band), perm.marginals(band, method="dense"), rtol=1e-10)
    answer = perm.marginals(np.triu(np.tril(random.random((60, 60)), 1), -1))  # where a gradient takes years
    assert np.allclose(answer.sum(0), 1) and np.allclose(answer.sum(1), 1)
    for scale in (1e-300, 1e300):
        assert np.allclose(perm.marginals(wide * scale), perm.marginals(wide), rtol=1e-10)
    lopsided = np.full((4, 24), 1e-200)
    lopsided[:, 0] = 1
    assert np.allclose(perm.marginals(lopsided).sum(1), 1) and np.allclose(perm.marginals(lopsided)[:, 0], 0.25)
    here, there = [2.7, .2, 0, 3.7, 1.8, 5], [3.3, .4, .3, 2.5, 7.3, 1, 4.4]
    for n in (5, 6, 7):  # of densities that differ by hundreds of orders: against all permutations, in fractions
        far = [[math.exp(-12.5 * (x - y)**2) for y in there[:n]] for x in here[:min(n, 6)]]
        sums = [[Fraction(0)] * n for _ in far]
        for way in itertools.permutations(range(n), len(far)):
            product = math.prod(Fraction(far[i][j]) for i, j in enumerate(way))
            for i, j in enumerate(way):
                sums[i][j] += product
        expected = [[float(x / sum(row)) for x in row] for row in sums]
        assert np.abs(np.array(perm.marginals(far)) - expected).max() < 1e-9
    with pytest.raises(perm.Error, match="permanent is 0|terms cancel"):
        perm.marginals([[1.0, -1 - 1e-16], [1, 1 + 0j]])
    for a, why in (([[1, 0], [1, 0]], "the permanent is 0"), (np.eye(30)[[0] * 30], "no assignment .*: 2 rows have"),
                   ([[1, -1], [1, 1 + 0j]], "permanent is 0"), ([[[1, 0], [1, 0]]], "^matrix 0 .*: 2 rows have")):
        with pytest.raises(perm.ZeroPermanentError, match=why) as caught:  # also an InputError, as a weight below 0
            perm.marginals(a)
        assert isinstance(caught.value, perm.InputError) and caught.value.status == "PERM_ERROR_ZERO"
    with pytest.raises(perm.InputError, match="NaN"):
        perm.marginals([[1, math.nan], [1, 0]])
    for bad in ([[1.0, -2], [3, 4]], -np.eye(3), [[1, -2]], [[1], [-2]]):  # logarithms of weights, say
        with pytest.raises(perm.InputError, match="^a weight is -[12]: .*gradient") as caught:
            perm.marginals(bad)
        assert not isinstance(caught.value, perm.ZeroPermanentError)


def test_arrays_of_few_entries(monkeypatch):
    """Marginals and minors of arrays that are mostly zero are those of the sparse matrix, with options, too."""
    calls = counted(monkeypatch)
    sparse = pytest.importorskip("scipy.sparse")
    for m, n, share in ((20, 55, 0.04), (20, 28, 0.3), (24, 24, 0.1)):
        a = np.where(random.random((m, n)) < share, random.random((m, n)), 0)
        a[range(m), range(m)] = 0.3
        few = sparse.csr_matrix(a)
        for options in ({}, {"threads": 1}, {"max_seconds": 60}):
            answer = perm.marginals(a, **options)
            assert np.array_equal(answer, perm.marginals(few, **options).toarray()) and np.allclose(answer.sum(1), 1)
        answer, (numbers, result) = perm.minors(a, 3), perm.minors(a, 3, full=True)
        assert np.array_equal(numbers * 2.0**result.exp2, answer) and answer.shape == (n,)
        for j in (0, 3, n - 1):
            assert np.isclose(answer[j], perm.permanent(np.delete(np.delete(a, 3, 0), j, 1)), rtol=1e-11)
    assert set(calls) <= {"perm_marginals_sparse", "perm_gradient_sparse"} | {x for x in calls if "compute" in x}
    assert np.allclose(answer, perm.minors(a, 3, method="dense"), rtol=1e-11) and calls[-1] == "perm_minors_real"


def test_sparse_derivatives():
    """Of scipy.sparse matrices: the same pattern back, with its zeros, against minors; marginals, of arrays, too."""
    sparse = pytest.importorskip("scipy.sparse")
    n = 90
    band = sparse.diags([random.random(n - abs(k)) + 0.1 for k in (-1, 0, 1)], (-1, 0, 1)).tocsr()
    band.data[7] = 0
    band.has_sorted_indices = 0
    for a in (band, band.tocoo(), band.tocsc(), band * (1 + 2j)):
        answer, result = perm.gradient(a, full=True)
        assert answer.format == a.format and answer.shape == a.shape and answer.nnz == a.nnz == 3 * n - 2
        whole, dense = perm.compute(a), a.toarray()
        assert math.isclose(abs(whole.value), abs(result.value) * 2.0**(result.exp2 - whole.exp2), rel_tol=1e-12)
        for i, j in ((0, 0), (2, 1), (2, 3), (40, 41), (n - 1, n - 1)):
            minor = perm.compute(sparse.csr_matrix(np.delete(np.delete(dense, i, 0), j, 1)))
            assert np.isclose(answer.tocsr()[i, j] * 2.0**(result.exp2 - minor.exp2), minor.value, rtol=1e-12)
        assert np.allclose(perm.gradient(a).toarray(), answer.toarray() * 2.0**result.exp2, rtol=1e-14)
    answer = perm.marginals(band)
    assert answer.format == "csr" and answer.nnz == band.nnz and np.allclose(answer.sum(1), 1)
    assert np.allclose(perm.marginals(band.toarray()), answer.toarray(), rtol=1e-13)
    assert band[2, 3] == 0 == answer[2, 3]
    small = band[:12, :12]
    assert np.allclose(perm.marginals(small).toarray(), perm.marginals(small.toarray()), rtol=1e-12)
    for a in (band[:60], band[:, :50], band[:20].toarray(), np.hstack([band[:25].toarray(), np.eye(25) / 9])):
        answer, apart = perm.marginals(a, unmatched=True)  # rectangles, with the chances of empty lines
        dense, longer = (answer.toarray() if sparse.issparse(a) else answer), int(a.shape[0] < a.shape[1])
        assert np.allclose(dense.sum(longer), 1) and np.allclose(dense.sum(1 - longer) + apart, 1)
        assert sparse.issparse(answer) == sparse.issparse(a) and len(apart) == max(a.shape)
        given = a.tocsr() if sparse.issparse(a) else sparse.csr_matrix(a)
        row, column = given.nonzero()
        minor = perm.compute(sparse.csr_matrix(np.delete(np.delete(given.toarray(), row[9], 0), column[9], 1)))
        part = given[row[9], column[9]] * float(minor) / float(perm.compute(given))
        assert np.isclose(dense[row[9], column[9]], part, rtol=1e-12)
        if not sparse.issparse(a):
            assert np.allclose(perm.marginals(a * (1 + 2j)), answer)
    assert not perm.marginals(np.eye(3), unmatched=True)[1].any()
    with pytest.raises(perm.UnsupportedError, match="unmatched"):
        perm.marginals(np.eye(3) * 1j, unmatched=True)
    complexes = band[:30, :30].toarray() * (1 + 1e-3j)
    assert np.allclose(perm.marginals(complexes).sum(1), 1)
    with pytest.raises(perm.ZeroPermanentError, match="permanent is 0"):
        perm.marginals(sparse.csr_matrix(np.eye(70)[[0] * 70]))
    with pytest.raises(perm.InputError, match="^a weight is -"):
        perm.marginals(-band)
    with pytest.raises(perm.TooLargeError, match="full=True"):
        perm.gradient(band * 1e200)


def test_derivatives_of_large():
    """Over 64 lines: minors of scipy.sparse matrices, of zeros too, exactly of integers; arrays by all entries."""
    sparse = pytest.importorskip("scipy.sparse")
    n = 80
    whole = sparse.diags([random.integers(1, 9, n - abs(k)) for k in (-1, 0, 1)], (-1, 0, 1), dtype=int).tocsr()
    assert whole[5, 40] == 0
    for a in (whole, whole.tocoo(), whole.astype(float) / 7, whole * (1 + 2j)):
        answer = perm.minors(a, 5)
        assert answer.shape == (n,) and (answer.dtype == object) == (a.dtype.kind == "i")
        for j in (0, 4, 5, 6, 40, n - 1):
            minor = perm.permanent(sparse.csr_matrix(np.delete(np.delete(a.toarray(), 5, 0), j, 1)))
            assert answer[j] == minor if a.dtype.kind == "i" else np.isclose(answer[j], minor, rtol=1e-12)
        numbers, result = perm.minors(a, 5, full=True)
        assert np.allclose(numbers.astype(complex) * 2.0**result.exp2, answer.astype(complex), rtol=1e-12)
    assert list(perm.minors(whole, 5, modulus=97)) == [x % 97 for x in perm.minors(whole, 5)]
    rows = {i: perm.minors(whole, i) for i in (0, 5, 41)}
    for given, back in (("csr", "csr"), ("csc", "csc"), ("coo", "coo"), ("lil", "csr")):  # Python ints, in `data`
        answer = perm.gradient(whole.asformat(given))
        assert answer.format == back and answer.dtype == object and answer.nnz == whole.nnz
        assert max(answer.data).bit_length() > 150 and all(type(x) is int for x in answer.data)
        pattern = whole.asformat(back)
        assert back == "coo" or np.array_equal(answer.indices, pattern.indices)
        at = pattern.tocoo()
        assert all(x == rows[i][j] for i, j, x in zip(at.row, at.col, answer.data) if i in rows)
        assert perm.gradient(whole.asformat(given), full=True)[0].dtype == float
    few = sparse.csr_matrix(np.diag([1] * 66 + [3] * 20) + np.eye(86, k=1, dtype=int))
    few[2, 2] = 0  # stored
    for given in ("csr", "csc", "coo", "bsr", "dok"):
        answer = perm.gradient(few.asformat(given))
        assert answer.dtype == np.int64 and answer.format == given and answer.toarray()[0, 0] == 0
        assert answer.toarray()[2, 2] == 3**20 == (answer.max() if given != "dok" else 3**20)
    assert perm.gradient(few, modulus=97).dtype == np.int64 and perm.gradient(few, modulus=97)[2, 2] == 3**20 % 97
    assert perm.gradient(few, precision="exact")[2, 2] == 3**20 and perm.gradient(few.astype(bool)).dtype == np.int64
    assert perm.gradient(few.astype(float)).dtype == perm.gradient(few * (1 + 0j)).real.dtype == float
    with pytest.raises(perm.IndexRangeError, match="row = 80"):
        perm.minors(whole, 80)
    wide = random.random((3, 70)) * (random.random((3, 70)) < 0.5)
    for a in (wide, wide.T, wide[:, :66] * 1j):
        answer = perm.gradient(a)
        assert np.allclose(perm.minors(a, 1), answer[1], rtol=1e-12) and (a == 0).any()
        for i, j in ((0, 0), (1, 2), (2, 1)):
            assert np.isclose(answer[i, j], perm.permanent(np.delete(np.delete(a, i, 0), j, 1)), rtol=1e-12)
        numbers, result = perm.gradient(a, full=True)
        assert np.allclose(numbers * 2.0**result.exp2, answer)


def test_marginals_of_many():
    """A list of matrices, graphs, arrays: each as by itself, for any number of threads; of a bad one its number."""
    sparse = pytest.importorskip("scipy.sparse")
    seen = [random.random((m, m + 3)) * (random.random((m, m + 3)) < 2 / m) for m in (5, 9, 20, 1)]
    scenes = [sparse.csr_matrix(np.hstack([a, np.eye(len(a))])) for a in seen]
    scenes[1] = scenes[1].tocsc()
    expected = [perm.marginals(a, unmatched=True, threads=1) for a in scenes]
    for threads in (1, 2):
        for given in (scenes, tuple(scenes)):
            answers = perm.marginals(given, unmatched=True, threads=threads)
            for a, (answer, apart), (right, empty) in zip(scenes, answers, expected):
                assert answer.format == a.format and np.array_equal(answer.toarray(), right.toarray())
                assert np.array_equal(apart, empty)
    arrays = [a.toarray() for a in scenes] + [abs(WHOLE[:3, :4])]
    for answer, a in zip(perm.marginals(arrays), arrays):
        assert np.allclose(answer, perm.marginals(a), rtol=1e-12)
    answer, = perm.marginals([[[1, 3], [0, 1], [0, 2]]])
    assert np.allclose(answer, [[1, 0], [0, 1 / 3], [0, 2 / 3]])
    with pytest.raises(perm.InputError, match="^matrix 2 .counted from 0.: .*entries below 0"):
        perm.marginals(scenes[:2] + [-scenes[2]] + scenes)
    with pytest.raises(perm.Incomplete) as caught:
        perm.marginals(scenes, cancel=type("Set", (), {"is_set": lambda self: True})(), max_seconds=1e-9)
    assert caught.value.status == "PERM_STOPPED_TIME"
    with pytest.raises(perm.InputTypeError, match="unknown option thread"):
        perm.marginals(scenes, thread=1)


def test_bipartite_graphs():
    """Of networkx: rows by attribute or by name, weights, answers by edge and node; derivatives of integers."""
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_nodes_from("ab", bipartite=0)
    graph.add_nodes_from([3, 1, 2], bipartite=1)
    graph.add_weighted_edges_from([(1, "a", 2.0), ("a", 2, 1.0), (2, "b", 3.0)])
    graph.add_edge("b", 3)
    answer, apart = perm.marginals(graph, unmatched=True)
    assert set(answer) == {("a", 1), ("a", 2), ("b", 2), ("b", 3)} and all(type(x) is float for x in answer.values())
    expected = {("a", 1): 8 / 9, ("a", 2): 1 / 9, ("b", 2): 2 / 3, ("b", 3): 1 / 3}
    assert answer == pytest.approx(expected, rel=1e-14) and apart == pytest.approx({1: 1 / 9, 2: 2 / 9, 3: 2 / 3})
    networkx.set_edge_attributes(graph, answer, "chance")
    assert graph[1]["a"]["chance"] == answer["a", 1]
    turned, apart = perm.marginals(graph, rows=[1, 2, 3], unmatched=True)
    assert turned == pytest.approx({(v, u): x for (u, v), x in expected.items()}) and set(apart) == {1, 2, 3}
    assert perm.marginals([graph, np.eye(2)])[0] == answer
    assert perm.gradient(graph) == pytest.approx({("a", 1): 4, ("a", 2): 1, ("b", 2): 2, ("b", 3): 3})
    numbers, result = perm.gradient(graph, full=True)
    assert numbers["a", 1] == 4 / 2.0**result.exp2 and result.value * 2.0**result.exp2 == 9
    board = networkx.grid_2d_graph(14, 14)
    rows = [node for node in board if sum(node) % 2 == 0]
    answer = perm.gradient(board, rows=rows)
    assert type(answer[(0, 0), (0, 1)]) is int and 2 * answer[(0, 0), (0, 1)] == perm.matchings(board)
    assert perm.gradient(board, rows=rows, modulus=97)[(4, 4), (4, 5)] == answer[(4, 4), (4, 5)] % 97
    with pytest.warns() if not perm._told else contextlib.nullcontext():
        assert perm.marginals(networkx.cycle_graph(4)).shape == (4, 4)  # neither: its adjacency matrix
    for bad, given, text in ((graph, ["a"], "joins two nodes that are no rows"), (graph, ["a", 1], "joins two rows"),
                             (graph, ["c"], "'c' is no node"), (graph, ["a", "a"], "stands twice"),
                             (networkx.MultiGraph(graph), None, "networkx.Graph"),
                             (networkx.DiGraph(graph), None, "networkx.Graph")):
        with pytest.raises(perm.Error, match=text):
            perm.marginals(bad, rows=given)
        with pytest.raises(perm.Error, match=text):
            perm.gradient(bad, rows=given)
    with pytest.raises(perm.InputError, match="of a bipartite graph"):
        perm.marginals([[1, 2]], rows=[0])
    graph.edges["b", 3]["weight"] = 10**20
    with pytest.raises(perm.InputError, match="more than 64 bits"):
        perm.gradient(networkx.Graph([("a", 1, {"weight": 10**20})]), rows="a")
    graph.edges["b", 3]["weight"] = -1
    with pytest.raises(perm.InputError, match="a weight is -1"):
        perm.marginals(graph)
    graph.add_node("c")
    with pytest.raises(perm.InputError, match="of every node"):
        perm.marginals(graph)


def test_stacks_of_integers():
    """As the loop has them."""
    for n in range(1, 9):
        stack = random.integers(-9, 10, (40, n, n))
        expected = [perm.permanent(a) for a in stack]
        for same in (stack, stack.astype(np.int16), stack[::2], stack.reshape(8, 5, n, n), stack.transpose(0, 2, 1)):
            answer = perm.permanent(same)
            assert answer.shape == same.shape[:-2] and answer.dtype == object
            assert answer.ravel().tolist() == (expected[::2] if len(same) == 20 else expected)
            assert {type(x) for x in answer.ravel()} == {int}
    large = np.full((3, 12, 12), 2**62)
    assert perm.permanent(large).tolist() == [math.factorial(12) * 2**(62 * 12)] * 3
    assert perm.permanent(np.array([[[1, 2], [3, 4]]]), modulus=7).tolist() == [3]


def build_backend():
    specification = importlib.util.spec_from_file_location("build_backend", os.path.join(HERE, "build_backend.py"))
    backend = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(backend)
    return backend


def test_no_python_h(monkeypatch, tmp_path):
    """pip says what is missing before it compiles for a minute."""
    backend = build_backend()
    monkeypatch.setattr(backend.sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(backend.subprocess, "run", None)
    with pytest.raises(SystemExit, match="no Python.h in .*apt-get install python3-dev"):
        backend._compile(str(tmp_path))


def test_submatrices():
    for a, number in ((random.normal(size=(6, 9)), Fraction), (random.normal(size=(6, 9)) + 1j, Q)):
        rows, cols = random.integers(0, 6, (20, 4)), random.integers(0, 9, (20, 4))
        values = perm.submatrices(a, rows, cols)
        assert all(right(v.item(), a[np.ix_(r, c)], number, 1e-10) for v, r, c in zip(values, rows, cols))
        assert np.array_equal(perm.submatrices(a, cols=cols), perm.submatrices(a, np.tile(range(4), (20, 1)), cols))
        assert np.array_equal(perm.submatrices(a[:, :4], rows), perm.submatrices(a[:, :4], rows, [list(range(4))] * 20))
    assert perm.submatrices([[1, 2], [3, 4]], [[1, 0]], [[0, 0]]).tolist() == [6]
    a, rows = random.normal(size=(6, 9)), random.integers(0, 6, (20, 4))
    assert np.array_equal(perm.submatrices(a, rows, [1, 3, 3, 8]), perm.submatrices(a, rows, [[1, 3, 3, 8]] * 20))
    for rows, cols, error in (([[6]], [[0]], IndexError), ([[-1]], [[0]], IndexError), ([[2**40]], [[0]], IndexError),
                              (None, None, perm.InputError), ([[0, 1]], [[0]], perm.InputError),
                              ([[0.5]], [[0]], perm.InputError), ([0], [0], perm.InputError)):
        with pytest.raises(error):
            perm.submatrices(np.ones((6, 9)), rows, cols)


def test_estimates():
    a = random.random((12, 12))
    exact = perm.permanent(a)
    for estimator in perm.ESTIMATORS:
        e = perm.estimate(a, samples=20000, seed=5, estimator=estimator)
        assert abs(e.value - exact) < 6 * e.standard_error and e.low < e.value < e.high and e.status == "PERM_OK"
        assert e.value == perm.estimate(a, samples=20000, seed=5, estimator=estimator, threads=2).value
        assert e.samples >= 20000 or estimator == "rejection"
        assert e.seed == 5 and e.confidence == 0.95 and e.estimator in perm.ESTIMATORS[1:]
    wide = perm.estimate(a, samples=1000, confidence=0.999)
    assert wide.confidence == 0.999 and wide.radius > 3 * wide.standard_error
    rough = perm.estimate(a, relative_error=0.01)
    assert rough.standard_error <= 0.01 * rough.value
    e = perm.estimate(COMPLEX, samples=1e5)
    assert abs(e.value * 2.0**e.exp2 - perm.permanent(COMPLEX)) < 6 * e.standard_error * 2.0**e.exp2
    assert perm.estimate([[1, 2], [3, 4]], samples=1e4).value == pytest.approx(10, rel=0.2)
    for options in ({"seed": -1}, {"estimator": "best"}, {"confidence": 2}, {"samples": -1}):
        with pytest.raises(perm.InputError):
            perm.estimate(a, **options)
    with pytest.raises(perm.InputError):
        perm.estimate(a[:3])
    with pytest.raises(perm.Error):
        perm.estimate(-a, estimator="sinkhorn")
    assert perm.estimate(random.random((40, 40)), samples=1e15, max_seconds=0.1).status == "PERM_STOPPED_TIME"
    sure = perm.estimate(a, guarantee=(0.1, 0.05), seed=3)
    assert sure.value == perm.estimate(a, relative_error=0.1, confidence=0.95, estimator="rejection", seed=3).value
    assert sure.estimator == "rejection" and abs(sure.value - exact) < 0.1 * exact and sure.confidence == 0.95
    signed = perm.estimate(a - 0.5, guarantee=(0.1, 0.01), samples=4000)
    assert signed.estimator != "rejection" and signed.confidence == 0.99 and 0 < signed.proved_radius < np.inf
    assert signed.status == "PERM_TOLERANCE_NOT_MET" and "is not met: entries are negative" in signed.message
    assert sure.status == "PERM_OK"
    rather = perm.estimate(np.tri(30, 30, 2), guarantee=(0.1, 0.05))  # 2 * 3**28, sooner than samples
    assert rather.value == 2 * 3**28 and rather.samples == rather.radius == 0 and str(rather).endswith(", computed")
    assert rather.message.startswith("computed: method ") and rather.certain_low == rather.certain_high == rather.value
    known = perm.estimate([[2.0, 0], [0, -3]], guarantee=(0.1, 0.01), samples=1e6)
    assert (known.status == "PERM_OK") == (known.proved_radius <= 0.1 * abs(known.value))
    for options, text in (({"guarantee": 0.1}, "a pair"), ({"guarantee": (0.1, 2)}, "between 0 and 1"),
                          ({"guarantee": (0.1, 0.1, 0.1)}, "a pair"), ({"guarantee": (0, 0.1)}, "between 0 and 1"),
                          ({"guarantee": (0.1, 0.1), "confidence": 0.9}, "leave them out"),
                          ({"method": "frontier"}, "method does nothing"), ({"modulus": 7}, "modulus does nothing")):
        with pytest.raises(perm.Error, match=text):
            perm.estimate(a, **options)


def test_low_rank_and_cauchy():
    for u, v, number in ((REAL[:5, :2], REAL[:2, :5], Fraction), (COMPLEX[:5, :1], REAL[:1, :5], Q)):
        exact = [[sum((number(x) * number(y) for x, y in zip(row, column)), number(0)) for column in v.T.tolist()]
                 for row in u.tolist()]
        sums = {0: number(1)}
        value = oracle(exact, lambda x: x) if number is Fraction else None
        result = perm.low_rank(u, v)
        if value is not None:
            assert difference(result.value, value) <= result.error_bound < 1e-14 and sums
        else:
            assert abs(result.value - perm.permanent(u @ v)) < 1e-10
    x, y = [1.0, 2.0, 3.5], [0.25, 5.0, -1.0]
    result, condition = perm.cauchy(x, y)
    exact = oracle([[1 / (Fraction(s) - Fraction(t)) for t in y] for s in x], Fraction)
    assert difference(result.value, exact) < 1e-14 and condition >= 1
    result, _ = perm.cauchy(np.array(x) + 1j, y)
    assert abs(result.value - perm.permanent(1 / (np.array(x)[:, None] + 1j - np.array(y)))) < 1e-12
    for nodes in (([1, 2], [2, 3]), ([1, 1], [2, 3]), ([1, 2], [3])):
        with pytest.raises(perm.InputError):
            perm.cauchy(*nodes)
    with pytest.raises(perm.InputError):
        perm.low_rank(REAL[:5, :2], REAL[:2, :4])


def test_plans():
    p = perm.plan(LONG)
    assert p.seconds > 100 and p.bytes > 0 and [leaf.method for leaf in p.leaves] == ["dense"] and "dense" in p.text
    assert p.leaves[0].n == 46 and p.leaves[0].chunks > 1 and p.leaves[0].isa in perm.ISAS
    assert "hybrid" in perm.explain(LONG[:30, :30], method="hybrid") and "hybrid" not in perm.explain(LONG[:30, :30])
    words = [line.split()[0] for line in perm.explain(np.triu(random.random((22, 22)), -4), certify=True).split("\n")]
    assert words == ["matrix", "plan", "time", "answer", "otherwise", "declined"]
    assert re.fullmatch(r"""matrix     22 x 22, 484 entries, none is 0
plan       method dense, order 22
time       about [0-9.]+ m?s on one thread; [0-9.]+ [kM]B of memory
answer     a double with an estimate of its error; certify=True asks for a proved bound""",
                        perm.explain(random.random((22, 22))))
    assert perm.plan(LONG + 0j).seconds > p.seconds
    assert "order 22" in perm.explain(random.integers(0, 5, (22, 22)))
    assert re.search(r"method proof, order 30, in \d+ ranges of values\n.*; [0-9.]+ MB of memory",
                     perm.explain(np.ones((30, 30), int), method="proof"))
    assert perm.plan([[1, 0], [5, 1]]).leaves == ()
    assert "method dense, order 9" in perm.explain(np.ones((9, 9)) / 2)  # as compute() has it: no search up to order 16
    with pytest.raises(perm.UnsupportedError):
        perm.plan([[10**30]])
    with pytest.raises(perm.LimitError):
        perm.plan(np.triu(np.ones((40, 40)), -3), method="band", max_bytes=10)
    if sparse:
        assert perm.plan(sparse.eye(50) + sparse.eye(50, k=1) + sparse.eye(50, k=-1)).text


# ---- without numpy

WITHOUT = """
import sys
sys.modules["numpy"] = None
import array, itertools, math
sys.path.insert(0, PLACE)
import perm
assert perm.np is None
def oracle(a):
    return sum(math.prod(a[i][j] for i, j in enumerate(p)) for p in itertools.permutations(range(len(a))))
def near(x, y):
    assert abs(x - y) <= 1e-12 * max(abs(y), 1), (x, y)
whole = [[(7 * i + 3 * j * j + i * j) % 11 - 5 for j in range(5)] for i in range(5)]
real = [[x + 0.25 for x in row] for row in whole]
cplx = [[x + 0.5j * x * x for x in row] for row in whole]
assert perm.permanent(whole) == oracle(whole) and perm.compute(whole).integer == oracle(whole)
near(perm.permanent(real), oracle(real)); near(perm.compute(real, certify=True).value, oracle(real))
near(perm.permanent(cplx), oracle(cplx)); near(perm.permanent(tuple(map(tuple, cplx)), precision="dd"), oracle(cplx))
huge = [[x * 10**30 for x in row] for row in whole]
assert perm.permanent(huge) == oracle(huge) and perm.permanent(huge, modulus=97) == oracle(huge) % 97
floats = [[float(x) for x in row] for row in whole]
assert perm.permanent(floats, precision="exact") == oracle(whole)
assert perm.permanent([[complex(x) for x in row] for row in whole], precision="exact") == (oracle(whole), 0)
assert perm.permanent(whole, method="frontier", precision="exact") == oracle(whole)
near(perm.permanent(real, method="frontier"), oracle(real)); near(perm.permanent(cplx, method="band"), oracle(cplx))
twice = [[r[j] for j in (0, 0, 1, 2)] for r in (real[0], real[1], real[1], real[2])]
near(perm.permanent([r[:3] for r in real[:3]], rows=[1, 2, 1], cols=array.array("i", [2, 1, 1])), oracle(twice))
view = memoryview(array.array("d", [x for row in real for x in row])).cast("B").cast("d", (5, 5))
for a in (view, view.toreadonly()):
    near(perm.permanent(a), oracle(real)); near(perm.compute(a, rows=[1] * 5).value, oracle(real))
    near(perm.minors(a, 1)[2], oracle([r[:2] + r[3:] for i, r in enumerate(real) if i != 1]))
out = array.array("d", [0] * 25)
for x, y in zip(perm.gradient(view)[1], perm.minors(view, 1)):
    near(x, y)
square = memoryview(out).cast("B").cast("d", (5, 5))
assert perm.gradient(view, out=square) is square and out[5:10].tolist() == perm.gradient(view)[1]
assert type(perm.minors(cplx, 0)[0]) is complex
stack = [real, [r[::-1] for r in real[::-1]]]
near(perm.permanent(stack)[1], oracle(real))
out = array.array("d", [0, 0])
assert perm.permanent(stack, out=out) is out and out.tolist() == perm.permanent(stack)
stack = memoryview(array.array("d", [x for m in stack for row in m for x in row])).cast("B").cast("d", (2, 5, 5))
assert perm.permanent(stack) == out.tolist() and perm.permanent(stack, out=out) is out
near(perm.permanent([stack.tolist()])[0][1], oracle(real))
assert perm.permanent([whole, whole]) == [oracle(whole)] * 2
assert perm.permanent([r[:2] for r in whole]) == sum(
    whole[i][0] * whole[j][1] for i in range(5) for j in range(5) if i != j)
assert perm.submatrices(whole, [[0, 1], [2, 2]], [[0, 1], [1, 1]])[1] == 2 * whole[2][1]**2
assert perm.submatrices(whole, cols=[[1, 0]]) == [whole[0][1] * whole[1][0] + whole[0][0] * whole[1][1]]
e = perm.estimate([[1, 2], [3, 4]], samples=1e4); assert abs(e.value - 10) < 2
general = [[math.sin(22 * i + j) for i in range(22)] for j in range(22)]
assert perm.plan(general).leaves[0].method == "dense" and "order 22" in perm.explain(general)
assert perm.plan([[1, 0], [5, 1]]).leaves == ()
near(perm.low_rank([[1.0], [2]], [[3, 4j]]).value, 1 * 3 * 2 * 4j + 1 * 4j * 2 * 3)
near(perm.cauchy([1.0, 2], [0.5, -1])[0].value, 1 / 0.5 / 3 + 1 / 2 / 1.5)
assert perm.permanent([]) == 1 and perm.permanent([[]]) == 1 and perm.read(b"1 2j\\n3 4\\n") == [[1, 2j], [3, 4]]
for bad, error, text in (([[1, 2], [3]], TypeError, "one length"), ([["a"]], TypeError, "str"),
                         ([[None]], TypeError, "NoneType"), ([1, 2], ValueError, "shape"), (3.0, ValueError, "shape"),
                         ([[math.nan]], ValueError, "NaN"),
                         ([[2**53 + 1, 0.5], [1, 1]], ValueError, "rounded"), (b"ab", ValueError, "shape")):
    try:
        perm.permanent(bad)
        raise SystemExit("accepted %r" % (bad,))
    except perm.Error as caught:
        assert isinstance(caught, error) and text in str(caught), (bad, caught)
assert [perm.sampler.boson(U, (2, 0, 1), 30, 3, 0, way, loss) for way, loss in CASES] == WAYS
assert perm.sampler.way(3, (2, 0, 1), 3) == "chain" and perm.sampler.way(3, [2, 0, 1], 30) == "amplitudes"
assert perm.sampler.permutations([[0, 1], [1, 1]], 2) == [[1, 0], [1, 0]]
lent = type("Tensor", (), {"__dlpack__": None})()
try:
    perm.permanent(lent)
    raise SystemExit("accepted")
except perm.InputTypeError as caught:
    assert str(caught) == "Tensor.__dlpack__: only numpy can read it", caught
assert perm.gradient(huge)[1] == perm.minors(huge, 1) == [10**120 * x for x in perm.minors(whole, 1)]
assert perm.marginals([[1, 3], [0.0, 1], [0, 2]])[1:] == [[0, 1 / 3], [0, 2 / 3]]
assert perm.marginals([[[1, 3], [0.0, 1], [0, 2]], [[2]]], unmatched=True) == [
    ([[1, 0], [0, 1 / 3], [0, 2 / 3]], [0, 2 / 3, 1 / 3]), ([[1.0]], [0])]
assert perm.gradient([[0.0] * 69 + [2.5], [1.0] * 70]) == [[69] * 70, [2.5] * 69 + [0]]
assert perm.minors([[0.0] * 69 + [2.5], [1.0] * 70], 1) == [2.5] * 69 + [0]
for call in (lambda: perm.gradient(huge, full=True), lambda: perm.permanent(real, rows=[1, 2]),
             lambda: perm.minors(real, 7),
             lambda: perm.permanent(real, precision="exact"), lambda: perm.compute(real, threads="x"),
             lambda: perm.permanent(stack, out=[0.0, 0.0]), lambda: perm.submatrices(real, [[0.5]])):
    try:
        call()
        raise SystemExit("accepted")
    except perm.Error:
        pass
print("good", perm.LIBRARY)
"""


def test_without_numpy():
    u = unitary(3)
    cases = [("chain", 0), ("amplitudes", 0), ("chain", 0.4), ("amplitudes", 0.4)]
    known = "PLACE = %r\nU = %r\nCASES = %r\nWAYS = %r\n" % (
        PLACE, u.tolist(), cases, [perm.sampler.boson(u, [2, 0, 1], 30, 3, 0, *case).tolist() for case in cases])
    run = subprocess.run([sys.executable, "-X", "dev", "-c", known + WITHOUT], capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout == "good %s\n" % perm.LIBRARY and not run.stderr, run.stdout + run.stderr


# ---- options

@pytest.mark.parametrize("method", [name for name in perm.METHODS
                                    if name not in ("low-rank", "borchardt", "structure") and "codegen" not in name])
def test_methods(method):
    if method in ("exact", "sign-search"):
        result = perm.compute(WHOLE, method=method)
        assert result.method == method and result.integer == oracle(WHOLE)
    elif method == "planar":
        a = np.tril(np.triu(REAL, -1), 1)
        assert right(perm.permanent(a, method=method), a, relative=1e-10)
        with pytest.raises(perm.UnsupportedError, match="not planar"):
            perm.compute(np.triu(REAL, -2), method=method)
    else:
        a = np.triu(REAL, -2)
        result = perm.compute(a, method=method)
        assert right(result.value, a, relative=1e-10)
        assert method in (result.method, "auto") or result.method in ("structure", "dense")
        whole = perm.compute(WHOLE, method=method)
        assert whole.integer == oracle(WHOLE) if whole.exact else right(whole.value, WHOLE, relative=1e-10)


def test_methods_that_do_not_go():
    for method in ("low-rank", "borchardt", "codegen"):
        with pytest.raises(perm.Error):
            perm.compute(REAL, method=method)
    with pytest.raises(perm.InputError, match="expected one of auto dense"):
        perm.compute(REAL, method="fast")
    with pytest.raises(NotImplementedError):
        perm.compute(REAL, method="frontier", rows=[1] * 7, cols=[1] * 7)


@pytest.mark.parametrize("precision", perm.PRECISIONS)
def test_precisions(precision):
    if precision == "exact":
        assert perm.compute(WHOLE, precision=precision).integer == oracle(WHOLE)
        return
    method = "glynn" if precision == "kahan" else "auto"
    a = random.uniform(-1, 1, (13, 13))
    result = perm.compute(a, precision=precision, method=method)
    assert result.precision == precision and math.isclose(result.value, perm.permanent(a, precision="dd"), rel_tol=1e-9)
    with pytest.raises(perm.InputError):
        perm.compute(a, precision="quad")


def test_isas_and_threads():
    values = {isa: perm.permanent(LARGE[:22, :22], isa=isa) for isa in ("auto", "plain")}
    assert math.isclose(values["auto"], values["plain"], rel_tol=1e-9)
    assert perm.compute(LARGE[:20, :20], isa="plain").isa == "plain"
    assert len({perm.permanent(LARGE[:24, :24], threads=k) for k in (1, 2, 3, np.int64(2))}) == 1
    for bad in (-1, 10**6):
        with pytest.raises(perm.InputError, match="threads"):
            perm.compute(REAL, threads=bad)
    with pytest.raises(perm.Error):
        perm.compute(REAL, isa="neon" if perm.compute(LARGE[:20, :20]).isa != "neon" else "avx2")


def test_tolerance():
    a = np.ones((20, 20))
    a[::2] *= -1
    a += 1e-9 * LARGE[:20, :20]
    assert perm.compute(a, tolerance=1e-14, certify=True).error_bound < 1e-13 * abs(perm.permanent(a, precision="dd"))
    result = perm.compute(a, tolerance=1e-300)
    assert result.status == "PERM_TOLERANCE_NOT_MET" and result.message
    with pytest.raises(perm.Incomplete, match=".") as caught:
        perm.permanent(a, tolerance=1e-300)
    assert caught.value.status == "PERM_TOLERANCE_NOT_MET" and caught.value.result.value == result.value
    for bad in (-1, math.inf, math.nan):
        with pytest.raises(perm.InputError, match="tolerance"):
            perm.compute(a, tolerance=bad)


def test_limits():
    begin = time.monotonic()
    result = perm.compute(LONG, max_seconds=0.2)
    assert result.status == "PERM_STOPPED_TIME" and result.error_bound == math.inf and time.monotonic() - begin < 30
    assert math.isnan(result.value) and math.isnan(result.permanent)
    assert result.partial_sum != 0 and perm.compute([[1.5, 2], [3, 4]]).partial_sum == 0
    with pytest.raises(perm.Incomplete) as caught:
        perm.permanent(LONG, max_seconds=0.1)
    assert caught.value.result.status == "PERM_STOPPED_TIME"
    for job in (lambda: perm.gradient(LONG[:29, :29] * 1j, max_seconds=0.2),  # both parts, wherever it is stopped
                lambda: perm.permanent(LONG * 1j, max_seconds=0.2), lambda: perm.permanent(LONG * 1j, progress=bool)):
        with pytest.raises(perm.Incomplete) as caught:
            job()
        stopped = caught.value.result
        assert type(stopped.value) is type(stopped.partial_sum) is complex and math.isnan(stopped.value.real)
    stopped = perm.compute(np.sign(LONG).astype(int), modulus=10007, max_seconds=0.3)
    assert stopped.modulus == 10007 and 0 <= stopped.partial_sum < 10007 and stopped.partial_sum % 1 == 0
    with pytest.raises(RuntimeError):
        perm.compute(np.triu(LONG, -8), method="band", max_bytes=1000)
    with pytest.raises(perm.InputError):
        perm.compute(REAL, max_seconds=-1)
    assert perm.compute(REAL, max_seconds=None, max_bytes=None, tolerance=None).status == "PERM_OK"
    assert perm.compute(np.triu(REAL, -1), effort=10).status == "PERM_OK"
    with pytest.raises(perm.InputError):
        perm.compute(np.triu(LARGE, -3), effort=-1)
    big = [[10**20 + i * i * j * j % 101 for j in range(40)] for i in range(40)]
    assert perm.compute(big, max_seconds=0.3).status == "PERM_STOPPED_TIME"


def test_max_seconds_is_of_a_whole_call():
    """Of all photons of a sample and of all samples, of a stack, of both gradients of marginals: not of each."""
    hard, options = random.random((30, 30)), {"max_seconds": 0.5, "threads": 1}
    for job in (lambda: perm.sampler.boson(np.eye(40), [1] * 40, 1, **options),
                lambda: perm.sampler.boson(unitary(20), [1] * 14 + [0] * 6, 10**5, **options),
                lambda: perm.sampler.boson(np.eye(20), [1] * 17 + [0] * 3, 10**5, **options),
                lambda: perm.permanent(random.random((40, 27, 27)), **options),
                lambda: perm.marginals(hard, **options)):
        begin = time.process_time()  # of this process: others may run
        with pytest.raises(perm.Incomplete, match="max_seconds reached") as caught:
            job()
        assert caught.value.status == "PERM_STOPPED_TIME" and time.process_time() - begin < 0.8
    with pytest.raises(perm.InputError, match="max_seconds is negative"):
        perm.sampler.boson(np.eye(2), [1, 1], 1, max_seconds=-1)


def test_progress_and_cancel():
    told = []
    result = perm.compute(LONG, progress=lambda now: told.append(now) or len(told) == 3)
    assert result.status == "PERM_STOPPED_CANCELLED" and len(told) == 3
    assert 0 <= told[0].fraction <= told[2].fraction < 1 and told[2].seconds > 0 and told[2].activity
    with pytest.raises(KeyError, match="mine"):
        perm.compute(LONG, progress=lambda now: {}["mine"])
    inner = []
    perm.compute(LONG, progress=lambda now: inner.append(perm.compute(LARGE[:20, :20]).value) or True)
    assert inner == [perm.compute(LARGE[:20, :20]).value]
    event = threading.Event()
    threading.Timer(0.3, event.set).start()
    assert perm.compute(LONG, cancel=event).status == "PERM_STOPPED_CANCELLED"
    with pytest.raises(perm.Incomplete):
        perm.permanent(LONG, cancel=event)
    with pytest.raises(perm.Incomplete):
        perm.minors(LONG[:40, :40], 0, cancel=event)
    for bad in ({"progress": 3}, {"cancel": True}):
        with pytest.raises(TypeError):
            perm.compute(REAL, **bad)


def test_gpus_are_asked_for():
    """A library that has none refuses, small matrices too; one that has computes. Plans are made for others, too."""
    for call in (perm.compute, perm.permanent, perm.gradient, lambda a, **options: perm.permanent(a[None], **options)):
        for n in (3, 20):
            if perm._without_cuda():
                with pytest.raises(perm.DeviceError, match="^gpus: .*without CUDA"):
                    call(LARGE[:n, :n], gpus=1)
            else:
                call(LARGE[:n, :n], gpus=1)
    assert perm.plan(LARGE[:20, :20], gpus="all").leaves
    result = perm.compute(LARGE[:20, :20], gpus="all", cpu_fallback=True, gpu_cache="/nowhere")
    assert result.value == perm.compute(LARGE[:20, :20]).value or result.gpus
    with pytest.raises(perm.InputError):
        perm.compute(LARGE[:20, :20], gpus=-5)


class OnCard:
    """A host's array that says it lies on a GPU: by an interface, or by DLPack."""

    def __init__(self, array, way):
        self.array, self.device = array, "cuda"
        if way == "interface":
            self.__cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "version": 3, "strides":
                                             None if array.flags.c_contiguous else array.strides,
                                             "data": (array.ctypes.data, False), "stream": 2}
        else:
            self.__dlpack_device__, self.__dlpack__ = lambda: (2, 0), self.capsule

    def capsule(self, stream):
        assert stream == 1
        a = self.array
        lengths = ctypes.c_int64 * a.ndim
        self.kept = perm._DLTensor(a.ctypes.data - 8, (2, 0), a.ndim, 5 if a.dtype.kind == "c" else 2, 8 * a.itemsize,
                                   1, lengths(*a.shape), lengths(*(step // a.itemsize for step in a.strides)), 8)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.kept), b"dltensor", None)

    def get(self):
        return self.array


@pytest.mark.parametrize("way", ["interface", "dlpack"])
def test_arrays_on_gpus(way):
    """Where they lie, shapes and types are read and refused by name; a library, or a machine, without GPUs says so."""
    stack = np.random.default_rng(1).random((5, 4, 4))
    there = perm._There("a", OnCard(stack, way))
    assert (there.shape, there.kind, there.address) == (stack.shape, "d", stack.ctypes.data)
    assert there.stream == (2 if way == "interface" else 1) and perm._There("a", OnCard(stack + 0j, way)).kind == "D"
    calls = [lambda a, **options: perm.permanent(OnCard(a, way), **options),
             lambda a, **options: perm.minors(OnCard(a[0], way), 1, **options),
             lambda a, **options: perm.gradient(OnCard(a[0], way), **options),
             lambda a, **options: perm.amplitudes(OnCard(a[0], way), **options)]
    for call in calls:
        with pytest.raises(perm.InputTypeError, match="not (<f4|type 2 of 32 bits) of shape"):
            call(stack.astype("f"))
        with pytest.raises(perm.InputTypeError, match="with gaps"):
            call(np.concatenate([stack, stack], 2)[:, :, :4])
        if perm._without_cuda():
            with pytest.raises(perm.DeviceError, match="^an array on a GPU: .*without CUDA$"):
                call(stack)
        else:
            with pytest.raises(perm.InputTypeError, match="out="):
                call(stack)
    if not perm._without_cuda():  # memory of the host, or no GPU at all
        with pytest.raises((perm.InputError, perm.DeviceError), match="no memory of a GPU|driver|NVRTC|GPU"):
            calls[0](stack, out=OnCard(np.zeros(5), way))
        with pytest.raises(perm.InputTypeError, match="^out: .* of shape"):
            calls[0](stack, out=OnCard(np.zeros(4), way))
    with pytest.raises((perm.InputError, perm.DeviceError)):
        perm.permanent(OnCard(stack[0], way))


def test_checkpoints(tmp_path):
    a = LARGE[:27, :27]             # longer than the 0.2 s until progress is first told
    options = dict(threads=1, isa="plain", method="dense")
    whole = perm.compute(a, checkpoint=tmp_path / "whole.ck", **options).value
    stopped = perm.compute(a, checkpoint=str(tmp_path / "a.ck"), checkpoint_seconds=0.01, progress=lambda now: True,
                           **options)
    assert stopped.status == "PERM_STOPPED_CANCELLED" and (tmp_path / "a.ck").exists()
    assert perm.compute(a, checkpoint=os.fsencode(tmp_path / "a.ck"), **options).value == whole
    for i in (1, 2):
        part = perm.compute(a, part=(i, 2), checkpoint=tmp_path / ("%d.ck" % i), **options)
        assert part.status == "PERM_PART_DONE"
    files = [tmp_path / "1.ck", tmp_path / "2.ck"]
    assert perm.compute(a, merge=files, **options).value == whole
    with pytest.raises(perm.Incomplete):
        perm.permanent(a, part=(1, 2), checkpoint=files[0], **options)
    for bad, text in (({"merge": files[:1]}, "missing|chunk|part"), ({"merge": [tmp_path / "none"]}, "none"),
                      ({"part": (3, 2), "checkpoint": files[0]}, "part"),
                      ({"checkpoint": tmp_path / "no" / "directory"}, "directory")):
        with pytest.raises((perm.InputError, OSError), match=text):
            perm.compute(a, **bad, **options)
    with pytest.raises(perm.InputError):
        perm.compute(a + 1, checkpoint=files[0], **options)      # of another matrix
    for call in (perm.compute, perm.permanent, perm.plan, perm.explain, perm.gradient, perm.rook_numbers):
        with pytest.raises(perm.InputError, match="^part: its work is kept in a file, add checkpoint=$"):
            call(WHOLE, part=(1, 2))


def test_no_names_of_c_in_errors():
    for call, text in (
            (lambda: perm.compute([[1.5, 2], [3, 4]], method="exact"), "^precision and method exact, modulus and prove "
             "are for integers .below 2\\^53 if given as floats., not for 1.5$"),
            (lambda: perm.compute([[2, 1.5], [3, 4]], precision="exact", prove="a"),
             "prove are for integers .*, not for 1.5$"),
            (lambda: perm.compute([[2, 1.5j], [3, 4]], precision="exact"), "^precision .* for integers .* 1.5$"),
            (lambda: perm.compute([[2, 2.0**60], [3, 4]], modulus=7), "modulus .* for integers .* not for 1.15.*e.18$"),
            (lambda: perm.compute(REAL, prove="a"), "^proofs are of integers; .* floats: precision=\"exact\"$"),
            (lambda: perm.permanent(REAL, part=(0, 2), checkpoint="a"), "^part = 0 is outside 1 .. 2$"),
            (lambda: perm.permanent(REAL, part=(0, 0), checkpoint="a"), "^part = 0 is outside 1 .. "),
            (lambda: perm.compute(REAL, effort=-1), "^effort is not between"),
            (lambda: perm.compute(REAL, isa="cuda"), "^isa cuda needs gpus$"),
            (lambda: perm.compute(REAL, gpus=-5), "^gpus is below -1"),
            (lambda: perm.compute(REAL, method="codegen"), "a GPU for this method: gpus, or cpu_fallback$"),
            (lambda: perm.compute(REAL, checkpoint=""), "^checkpoint is an empty name"),
            (lambda: perm.compute(REAL, checkpoint_seconds=-1), "^checkpoint_seconds is negative"),
            (lambda: perm.sample(random.random((40, 40)), 2, max_bytes=10**9), "raise max_bytes, now 1 GB, or effort"),
            (lambda: perm.compute(WHOLE, modulus=2**64),
             "^modulus = 18446744073709551616 is outside 2 .. 9223372036854775808$"),
            (lambda: perm.compute(WHOLE, modulus=1), "^modulus = 1 is outside 2 .. 9223372036854775808$"),
            (lambda: perm.permanent(REAL, rows=[1, 2]), "^rows: expected 7 integers, one for each row, not int64 of"),
            (lambda: perm.permanent(REAL, cols=[1, 2]), "^cols: expected 7 integers, one for each column, not int64"),
            (lambda: perm.compute(REAL, method="structure"), "^method = 'structure'.*: expected one of"),
            (lambda: perm.compute(REAL, method="borchardt"), "^method = 'borchardt'.*: expected one of"),
            (lambda: perm.compute(REAL, method="proof"), "^proofs are of integers; .* floats: precision=\"exact\"$"),
            (lambda: perm.compute(WHOLE, modulus=-7), "^modulus = -7 is outside 2 .. 9223372036854775808$"),
            (lambda: perm.compute(REAL, tolerance=-1), "^tolerance is negative"),
            (lambda: perm.estimate(REAL, samples=-1), "^samples is negative"),
            (lambda: perm.compute(random.random((300, 300))), "perm.estimate\\(\\) further$"),
            (lambda: perm.compute(REAL, guarantee=0.1), "perm.estimate\\(\\) with guarantee="),
            (lambda: perm.explain(REAL, rows=[1] * 7), "unknown option rows .did you mean permanent.*have rows= and"),
            (lambda: perm.compute(REAL, time_limit=5), "did you mean max_seconds\\?"),
            (lambda: perm.permanent(b"h.csv"), "shape \\(5,\\): a file's name is a str"),
            (lambda: perm.submatrices(REAL, [[[1]]], [[1]]), "^rows: expected an array \\(count, k\\)"),
            (lambda: perm.submatrices(REAL, [[1]], ["x"]), "^cols: an entry is str")):
        with pytest.raises(perm.Error, match=text) as caught:
            call()
        assert not re.search("perm_|options[:.]|plan:|--|gpu[.]|checkpoint[.]|plan_effort|[?]:", str(caught.value))
    names = r"options\.|gpu\.|checkpoint\.|plan_effort|use perm_|perm_compute"  # of all that the library may say
    unreachable = ("perm_compute_sparse of perm_sparse.h", "checkpoint.part is", "gpu.resident")
    texts = [text for name in ("perm.h", "perm_sparse.h", "perm_more.h")
             for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"',
                                    re.sub(r"/\*.*?\*/|#[^\n]*", "", header(name), flags=re.S))
             if re.search(names, text) and " " in text]
    assert len(texts) > 15
    for text in texts:
        said = perm._text(text.replace("%s", "real"))
        assert not re.search(names, said) or any(each in text for each in unreachable), text
    listed = re.search("expected one of (.*)", str(pytest.raises(perm.Error, perm.compute, REAL, method="x").value))[1]
    assert set(perm.METHODS) - set(listed.split()) == {"structure", "low-rank", "borchardt"}
    assert set(perm.__all__) <= set(dir(perm)) and not {"Any", "byref", "Fraction", "itertools"} & set(dir(perm))


def test_large_arrays_of_few_entries():
    for a in (np.eye(1000), np.eye(300) + 0j, np.eye(400, dtype=int)):
        assert perm.permanent(a) == 1
    assert perm.permanent(np.eye(500) + np.eye(500, k=1)) == 1
    band = np.eye(90) + np.eye(90, k=1) + np.eye(90, k=-1)
    assert math.isclose(perm.permanent(band), perm.permanent(band.astype(int)), rel_tol=1e-12)


def verified(program, tmp_path, a, proof):
    """What a verifier says of a matrix of integers."""
    matrix = tmp_path / "rows.txt"
    matrix.write_text("".join(" ".join(str(int(x)) for x in row) + "\n" for row in np.asarray(a, object)))
    return subprocess.run(program + [str(matrix), str(proof)], capture_output=True, text=True)


def test_proofs(tmp_path):
    """A file that both verifiers take, and refuse where one bit is another."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    verifiers = [[sys.executable, os.path.join(HERE, "perm_verify.py")]]
    if compiler:
        verifiers.append([str(tmp_path / "perm_verify")])
        subprocess.run([compiler, "-O2", os.path.join(HERE, os.pardir, "perm_verify.c"), "-lm", "-o", verifiers[1][0]],
                       check=True)
    proof = tmp_path / "a.prf"
    for a, options in ((WHOLE, {}), (WHOLE.tolist(), {"method": "proof"}), (np.asfortranarray(WHOLE[::-1]), {}),
                       (WHOLE * 1.0, {"precision": "exact"}), (WHOLE * 2**50, {"threads": 1}), (WHOLE, {"modulus": 97}),
                       (LARGE[:11, :11] > 0.5, {})):
        value = oracle(a)
        result = perm.compute(a, prove=proof, **options)
        assert result.method == "exact" and result.integer == (value % 97 if "modulus" in options else value)
        assert perm.permanent(a, prove=str(proof), **options) == result.integer
        for program in verifiers:
            told = verified(program, tmp_path, a if options.get("precision") != "exact" else WHOLE, proof)
            assert told.returncode == 0 and told.stdout.split("\n")[0] == str(value), (program, told)
        damaged = bytearray(proof.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        proof.write_bytes(damaged)
        for text, said in ((b"\xa01 2\n3 4\n", "no ASCII text"), (b"1.5 2\n3 4\n", "no integer below 2^63: 1.5"),
                           (b"1 2\n3", "line 2 has 1 numbers"))[:3 * (len(verifiers) > 1)]:
            other = tmp_path / "other.txt"
            other.write_bytes(text)
            told = subprocess.run(verifiers[1] + [str(other), str(proof)], capture_output=True, text=True)
            assert told.returncode == 1 and said in told.stderr, told
        for program in verifiers:
            told = verified(program, tmp_path, WHOLE, proof)
            assert told.returncode == 1 and "refused" in told.stderr, (program, told)
        proof.unlink()


def test_proofs_of_sparse_and_gaussian_matrices(tmp_path):
    proof = tmp_path / "g.prf"
    gaussian = np.array([[1 + 2j, 3], [-1j, 5]])
    assert perm.compute(gaussian, precision="exact", prove=proof).integer == perm.Gaussian(5, 7)
    assert proof.stat().st_size > 96
    market = tmp_path / "a.mtx"
    market.write_text("%%MatrixMarket matrix array integer general\n2 2\n1\n3\n2\n4\n")
    assert perm.compute(market, prove=proof).integer == 10 and proof.stat().st_size == 96
    if sparse is not None:
        assert perm.compute(sparse.csr_matrix([[1, 2], [3, 4]]), prove=proof).integer == 10


def test_what_is_not_proved(tmp_path):
    proof = tmp_path / "no.prf"
    for a, options, text in ((REAL, {}, "integers"), ([[2**80, 1], [1, 1]], {}, "64 bits"),
                             ([[2**80, 1], [1, 1]], {"modulus": 97}, "64 bits"),
                             ([[Fraction(1, 2), 1], [1, 1]], {}, "Fractions"), (np.stack([WHOLE, WHOLE]), {}, "stack"),
                             (np.stack([REAL, REAL]), {}, "prove"), (WHOLE[:, :5], {}, "square"),
                             (WHOLE, {"rows": [1] * len(WHOLE)}, "multiplicities"),
                             (WHOLE, {"method": "exact"}, "proofs go with method auto")):
        with pytest.raises(perm.Error, match=text):
            perm.permanent(a, prove=proof, **options)
    for function in (lambda **o: perm.minors(REAL, 0, **o), lambda **o: perm.gradient(REAL, **o),
                     lambda **o: perm.submatrices(REAL, [[0]], **o), lambda **o: perm.estimate(REAL, **o),
                     lambda **o: perm.low_rank(REAL, REAL, **o), lambda **o: perm.cauchy([1], [2], **o),
                     lambda **o: perm.rook_numbers(WHOLE, **o), lambda **o: perm.sample(abs(WHOLE), 1, **o),
                     lambda **o: perm.amplitudes(REAL, **o),
                     lambda **o: perm.sampler.permutations(abs(WHOLE), 1, **o)):
        with pytest.raises(perm.Error, match="prove"):
            function(prove=proof)
    for bad, error in ((3, perm.InputTypeError), ("a\0b", perm.InputError), (tmp_path / "no" / "directory", OSError)):
        with pytest.raises(error):
            perm.permanent(WHOLE, prove=bad)
    assert not proof.exists()
    matrix, other = tmp_path / "m.txt", tmp_path / "other.txt"  # one file
    matrix.write_text("1 2\n3 4\n")
    os.link(matrix, other)
    for name in (matrix, str(other), tmp_path / ".." / tmp_path.name / "m.txt"):
        with pytest.raises(perm.InputError, match="prove: it would destroy the matrix"):
            perm.compute(matrix, prove=name)
    assert matrix.read_text() == "1 2\n3 4\n" and perm.compute(matrix, prove=proof).integer == 10


def test_unknown_options():
    for function in (lambda **o: perm.permanent(REAL, **o), lambda **o: perm.compute(REAL, **o),
                     lambda **o: perm.minors(REAL, 0, **o), lambda **o: perm.gradient(REAL, **o),
                     lambda **o: perm.submatrices(REAL, [[0]], **o), lambda **o: perm.estimate(REAL, **o),
                     lambda **o: perm.plan(REAL, **o), lambda **o: perm.low_rank(REAL, REAL, **o),
                     lambda **o: perm.cauchy([1], [2], **o), lambda **o: perm.permanent(REAL[None], **o)):
        with pytest.raises(TypeError, match="speed"):
            function(speed=2)
        with pytest.raises(TypeError, match="threads"):
            function(threads="two")
        with pytest.raises(perm.InputError, match="threads"):
            function(threads=2**32 + 1)


# ---- threads, signals, processes

def test_the_lock_is_released():
    """Two threads compute while this one looks at the clock: with the lock held it would do so at their progress only,
    every 0.1 s."""
    results, running, both, looks = [], [True, True], 0, [time.monotonic()]

    def work(k):
        results.append(perm.permanent(LARGE, threads=1))
        running[k] = False
    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    while any(running):
        time.sleep(0.002)
        looks.append(time.monotonic())
        both += all(running)
    for thread in threads:
        thread.join()
    gaps = sorted(np.diff(looks))
    assert len(gaps) > 5 and both > 2 and gaps[len(gaps) // 2] < 0.05, gaps
    assert results[0] == results[1] == perm.permanent(LARGE, threads=2)


def interrupted(function):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        function()
    assert time.monotonic() - begin < 30


def test_control_c():
    before = signal.getsignal(signal.SIGINT)
    interrupted(lambda: perm.permanent(LONG))
    interrupted(lambda: perm.permanent(LONG, progress=lambda now: False))
    interrupted(lambda: perm.permanent(LONG + 0j, threads=1))
    interrupted(lambda: perm.estimate(LONG, samples=1e15))
    interrupted(lambda: perm.gradient(LONG))
    interrupted(lambda: perm.permanent([[10**30 + i * i * j * j % 101 for j in range(44)] for i in range(44)]))
    assert signal.getsignal(signal.SIGINT) is before and perm.permanent([[1, 2], [3, 4]]) == 10


def test_a_handler_of_ones_own():
    told = []
    before = signal.signal(signal.SIGINT, lambda number, frame: told.append(number))
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        assert perm.compute(LONG).status == "PERM_STOPPED_CANCELLED" and told == [signal.SIGINT]
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.kill(os.getpid(), signal.SIGINT)
        assert perm.compute(LONG, max_seconds=0.3).status == "PERM_STOPPED_TIME"
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_after_a_fork():
    value = perm.permanent(LARGE[:24, :24], threads=2)   # OpenMP's threads exist
    child = os.fork()
    if not child:
        os._exit(0 if perm.permanent(LARGE[:24, :24]) == value else 1)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert done and status == 0


# ---- the library

def imported(**environment):
    program = "import sys; sys.path.insert(0, %r); import perm; print(perm.LIBRARY)" % PLACE
    return subprocess.run([sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True,
                          text=True)


def test_perm_exact_is_the_module(tmp_path):
    """perm_exact is perm, in whatever order, and ours where another package perm stands before it."""
    (tmp_path / "perm").mkdir()
    (tmp_path / "perm" / "__init__.py").write_text("permanent = 'theirs'")
    place = "import sys; sys.path.insert(0, %r); " % PLACE
    foreign = "sys.path.insert(0, %r); " % str(tmp_path)
    same = "assert perm is perm_exact and perm_exact.Result is perm.Result; "
    theirs = "assert perm.permanent == 'theirs'; "
    ours = ("from perm_exact import sampler; assert sampler is perm_exact.sampler; "
            "assert perm_exact.permanent([[1, 2], [3, 4]]) == 10")
    for program in ("import perm, perm_exact; " + same, "import perm_exact, perm; " + same,
                    foreign + "import perm, perm_exact; " + theirs, foreign + "import perm_exact, perm; " + theirs):
        found = subprocess.run([sys.executable, "-c", place + program + ours], capture_output=True, text=True)
        assert found.returncode == 0, (program, found.stderr)


def test_tags_of_wheels_are_true():
    """build_backend.py refuses a module that asks for a newer C library, or macOS, than the tag says."""
    def apple(least):  # a header of 32 bytes, LC_UUID, LC_BUILD_VERSION
        return struct.pack("<8I", 0xfeedfacf, 0, 0, 0, 2, 48, 0, 0) + struct.pack("<6I", 0x1b, 24, 0, 0, 0, 0) + (
            struct.pack("<6I", 0x32, 24, 1, least, least, 0))
    for tag, data in (("manylinux_2_17_x86_64", b"GLIBC_2.2.5\0GLIBC_2.17\0"), ("musllinux_1_2_x86_64", b"\0libc.so"),
                      ("linux_x86_64", b"GLIBC_2.36\0"), ("macosx_11_0_arm64", apple(0xb0000)), ("win_amd64", b"MZ")):
        build_backend()._check(tag, data)
    for tag, data in (("manylinux_2_17_x86_64", b"GLIBC_2.2.5\0GLIBC_2.18\0"), ("musllinux_1_2_aarch64", b"GLIBC_2.17"),
                      ("macosx_11_0_arm64", apple(0xb0100))):
        with pytest.raises(SystemExit, match=tag):
            build_backend()._check(tag, data)


def test_which_library(tmp_path):
    real = os.path.realpath(perm.LIBRARY)
    assert imported(PERM_LIBRARY=real).stdout.strip() == real
    missing = imported(PERM_LIBRARY=str(tmp_path / "no.so"))
    assert "ImportError" in missing.stderr and "make libperm.so" in missing.stderr and "no.so" in missing.stderr
    strange = imported(PERM_LIBRARY=ctypes_path())
    assert "no perm_version" in strange.stderr
    shutil.copy(os.path.join(HERE, "perm.py"), tmp_path)
    for place in ("libperm.so", "build/libperm.so"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        os.symlink(real, tmp_path / place)
        found = subprocess.run([sys.executable, "-c", "import perm; print(perm.LIBRARY)"], cwd=tmp_path, text=True,
                               env={k: v for k, v in os.environ.items() if k != "PERM_LIBRARY"}, capture_output=True)
        assert found.stdout.strip() == str(tmp_path / place), found.stderr
        os.unlink(tmp_path / place)
    os.symlink(real, tmp_path / ("libperm.so.%d" % perm.VERSION[0]))
    found = subprocess.run([sys.executable, "-c", "import perm; print(perm.LIBRARY)"], cwd=tmp_path, text=True,
                           env={**os.environ, "PERM_LIBRARY": "", "LD_LIBRARY_PATH": str(tmp_path)},
                           capture_output=True)
    assert found.stdout.strip() == "libperm.so.%d" % perm.VERSION[0], found.stderr


def ctypes_path():
    import _ctypes
    return _ctypes.__file__


class Pretended:
    """The library, but for what it says of itself."""

    def __init__(self, version=None, **places):
        self.version, self.places = version, places

    def __getattr__(self, name):
        return getattr(perm._lib, name)

    def perm_version(self):
        return self.version or perm._lib.perm_version()


def test_layouts_and_version_are_compared(monkeypatch):
    assert perm._check(perm._lib) is None
    assert "version 9.1" in perm._check(Pretended(9001000))
    for name, structure in perm._LAYOUTS.items():
        fields = list(structure._fields_)
        cases = [fields[1:], fields[:-1] + [("other", fields[-1][1])],
                 fields[:1] + [("more", perm.c_double)] + fields[1:]]
        for changed in cases:
            other = type("Other", (perm.Structure,), {"_fields_": changed})
            monkeypatch.setitem(perm._LAYOUTS, name, other)
            assert name in perm._check(perm._lib)
        monkeypatch.setitem(perm._LAYOUTS, name, structure)
    assert perm._check(perm._lib) is None


FUNCTIONS = ("permanent compute minors gradient marginals submatrices estimate plan explain read graphs matchings "
             "cycle_covers low_rank cauchy rook_numbers polynomial permanental_polynomial sample amplitudes").split()


@pytest.mark.parametrize("name", FUNCTIONS + ["sampler.boson", "sampler.permutations"])
def test_signatures(name):
    scope = perm.sampler if "." in name else perm
    function = getattr(scope, name.split(".")[-1])
    name = name.replace("sampler.permutations", "sample")  # the same
    parameters = inspect.signature(function).parameters
    assert list(parameters)[0] in ("a", "c", "u", "x", "source", "graph") and set(perm._OPTIONS) < set(parameters)
    assert all(parameters[option].kind is inspect.Parameter.KEYWORD_ONLY for option in perm._OPTIONS)
    assert parameters["method"].default == "auto" and parameters["certify"].default is False
    assert parameters["tolerance"].default == 0 and parameters["part"].default is None
    if name in ("permanent", "minors", "gradient", "submatrices"):
        assert parameters["out"].default is None
    assert function.__qualname__ == name and function.__name__ == name.split(".")[-1] and (
        function.__module__ == perm.__name__)
    assert len(function.__doc__) > 50 and not function.__doc__.startswith(name)
    assert pickle.loads(pickle.dumps(function)) is function


def test_sample():
    a = np.array([[1, 2, 0, 1], [0, 3, 1, 1], [2, 0, 1, 1], [1, 1, 1, 0]])
    drawn = perm.sample(a, 6000, seed=4)
    assert drawn.shape == (6000, 4) and (np.sort(drawn) == range(4)).all() and (a[range(4), drawn] > 0).all()
    chance = a * perm.gradient(a.astype(float)) / perm.permanent(a)
    count = np.array([[(drawn[:, i] == j).mean() for j in range(4)] for i in range(4)])
    assert abs(count - chance).max() < 0.03
    assert np.array_equal(perm.sample(a, 10, 4, 90, threads=1), drawn[90:100])
    assert np.array_equal(perm.sample(a.astype(float), 100, 4), drawn[:100])  # whole doubles are integers
    assert not np.array_equal(perm.sample(a, 6000, seed=5), drawn)
    for method in ("lists", "arrays", "tree"):
        assert perm.sample(a + 0.5, 3, method=method).shape == (3, 4)
    assert perm.sample(a[:2], 50).shape == (50, 2) and perm.sample(a, 0).shape == (0, 4)
    with pytest.raises(perm.UnsupportedError, match="row 1, column 2"):
        perm.sample([[1, -1], [1, 1]], 1)
    with pytest.raises(perm.ZeroPermanentError, match="permanent is 0"):
        perm.sample([[1, 1], [0, 0]], 1)
    for count, seed in ((-1, 1), (1, -1), (1, 1 << 64)):
        with pytest.raises(perm.InputError):
            perm.sample(a, count, seed)
    with pytest.raises(perm.InputError):
        perm.sample(a.T[:, :2], 1)


def haar(m, seed):
    random = np.random.default_rng(seed)
    return np.linalg.qr(random.normal(size=(m, m)) + 1j * random.normal(size=(m, m)))[0]


@pytest.mark.parametrize("caps", [None, 1, [2, -1, 0, 1, 3]])
def test_amplitudes(caps):
    u, counts = haar(5, 7)[:, :4], [1, 2, 0, 1]
    limits = [5] * 5 if caps is None else [1] * 5 if caps == 1 else [2, 5, 0, 1, 3]
    states = [s for s in sorted(itertools.product(range(5), repeat=5), reverse=True)
              if sum(s) == 4 and all(x <= most for x, most in zip(s, limits))]
    a = perm.amplitudes(u, counts, caps=caps)
    chances = perm.amplitudes(u, input=counts, caps=caps, probabilities=True)
    assert a.states().tolist() == [list(s) for s in states] and a.dtype == complex and chances.dtype == float
    for k, s in enumerate(states):
        size = math.prod(map(math.factorial, s)) * 2
        expected = perm.permanent(u, rows=s, cols=counts) / math.sqrt(size)
        assert abs(a[k] - expected) < 1e-14 and abs(chances[k] - abs(expected)**2) < 1e-14
        assert a.index(s) == k == chances.index(np.array(s))
    assert abs(a.total - (abs(np.asarray(a))**2).sum()) < 1e-14 and (caps is not None or abs(a.total - 1) < 1e-14)
    assert 0 < a.error_bound < 1e-13 and a.exp2 == 0 and chances.error_bound == a.error_bound
    for bad in ((5, 0, 0, 0, 0), (0, 0, 4, 1, 0), (-1, 5, 0, 0, 0), (1, 1, 1)):
        with pytest.raises(perm.Error, match="state"):
            a.index(bad)
    with pytest.raises(perm.UnsupportedError, match="whole array"):
        (a * 2).states()
    assert (a * 2).error_bound is None and a[:].error_bound is None
    for copied in (a.copy(), copy.copy(a), copy.deepcopy(a), *(pickle.loads(pickle.dumps(a, way)) for way in (2, 5))):
        assert type(copied) is perm.Amplitudes and copied is not a and np.array_equal(copied, a)
        assert (copied.error_bound, copied.total, copied.exp2) == (a.error_bound, a.total, a.exp2)
        copied[0] = 7
        assert a[0] != 7 and np.array_equal(copied.states(), a.states()) and copied.index(states[0]) == 0


def test_entering_photons_have_one_name():
    """input, and the older cols and counts; what follows it in amplitudes() has to be named."""
    u, entering, leaving = haar(3, 5), [2, 0, 1], [1, 1, 1]
    one = perm.permanent(u, leaving, entering)
    assert one == perm.permanent(u, leaving, input=entering) == perm.permanent(u, rows=leaving, cols=entering)
    assert perm.compute(u, leaving, input=entering).value == perm.compute(u, leaving, entering).value
    a = perm.amplitudes(u, input=entering)
    assert np.array_equal(a, perm.amplitudes(u, entering)) and np.array_equal(a, perm.amplitudes(u, counts=entering))
    assert abs(a[a.index(leaving)] - one / 2**0.5) < 1e-14
    with pytest.raises(TypeError, match="positional"):
        perm.amplitudes(u, leaving, entering)
    for call in (lambda: perm.amplitudes(u, entering, counts=entering),
                 lambda: perm.permanent(u, leaving, entering, input=[1]),
                 lambda: perm.compute(u, leaving, entering, input=entering)):
        with pytest.raises(perm.InputError, match="^input: another name"):
            call()


@pytest.mark.parametrize("caps", [None, 2, [1, -1, 2, 0, 3]])
@pytest.mark.parametrize("exactly", [None, [-1, 1, -1, -1, -1]])
@pytest.mark.parametrize("unseen", [[2], [0, 4], np.array([3]), range(5), []])
def test_unseen_rows_and_heralds(caps, exactly, unseen):
    """Probabilities are sums of all; states, index, samples and marginals are of the outputs that are seen."""
    u, counts = haar(5, 8)[:, :3], [1, 2, 1]
    hidden = list(unseen)
    if exactly and 1 in hidden:
        exactly = None
    a = perm.amplitudes(u, counts, caps=caps, probabilities=True, exactly=exactly, unseen=unseen)
    whole, sums = perm.amplitudes(u, counts, caps=caps, probabilities=True), {}
    first = [i for i in hidden if not isinstance(caps, list) or caps[i]][:1]
    for state, p in zip(whole.states(), whole):
        if exactly is None or state[1] == 1:
            rest, state[hidden] = state[hidden].sum(), 0
            state[first] = rest
            sums[tuple(state)] = sums.get(tuple(state), 0) + p
    order = [i for i in range(5) if i not in hidden]
    expected = sorted(sums, key=lambda s: [s[i] for i in order], reverse=True)
    assert list(map(tuple, a.states().tolist())) == expected and len(a) == len(expected)
    assert all(abs(p - sums[s]) < 1e-14 and a.index(s) == k for k, (s, p) in enumerate(zip(expected, a)))
    assert abs(a.total - sum(sums.values())) < 1e-14 and a._listed(range(len(a))) == a.states().tolist()
    drawn = a.sample(200, 3)
    assert np.array_equal(a.sample(2, 3, 50), drawn[50:52]) and set(map(tuple, drawn.tolist())) <= set(expected)
    table = a.marginals()
    assert all(abs(table[i, k] - sum(p for s, p in sums.items() if s[i] == k)) < 1e-14
               for i in order for k in range(5)) and np.isnan(table[hidden]).all()


def test_what_unseen_rows_refuse():
    for options, error, text in (({"unseen": [0]}, perm.UnsupportedError, "an unseen row has probabilities"),
                                 ({"unseen": 1}, perm.InputTypeError, "unseen: expected rows"),
                                 ({"unseen": [2]}, perm.InputError, "unseen = 2 is outside 0 .. 1"),
                                 ({"unseen": ["x"]}, perm.InputTypeError, "unseen"),
                                 ({"unseen": [True, False]}, perm.InputTypeError, "unseen: expected rows"),
                                 ({"exactly": [1, -1], "unseen": [0]}, perm.InputError, "row 0 is in both"),
                                 ({"exactly": [1]}, perm.InputError, "exactly: expected 2 integers, .*row of u"),
                                 ({"exactly": [-2, 1]}, perm.InputError, "exactly: a multiplicity is negative")):
        with pytest.raises(error, match=text):
            perm.amplitudes(np.eye(2), **options)
    herald = perm.amplitudes(np.eye(2), exactly=[1, -1])
    assert herald.tolist() == [1] and herald.states().tolist() == [[1, 1]]
    assert len(perm.amplitudes(np.eye(2), exactly=[1, 0])) == 0


def test_samples_and_marginals_of_amplitudes():
    u, counts = haar(4, 11), [2, 1, 0, 1]
    a, chances = perm.amplitudes(u, counts), perm.amplitudes(u, counts, probabilities=True)
    states, drawn = a.states(), a.sample(20000, seed=5)
    share = np.bincount([a.index(way) for way in drawn], minlength=len(a)) / 20000
    assert (abs(share - chances) < 5 * np.sqrt(chances / 20000) + 1e-3).all() and (drawn.sum(1) == 4).all()
    assert np.array_equal(chances.sample(100, 5, 1900), drawn[1900:2000])
    assert not np.array_equal(a.sample(100, seed=6), drawn[:100])
    for table in (a.marginals(), chances.marginals()):
        assert table.shape == (4, 5) and abs(table.sum(1) - 1).max() < 1e-14
        for i in range(4):
            for k in range(5):
                assert abs(table[i, k] - chances[states[:, i] == k].sum()) < 1e-14
    assert abs(table @ range(5) - abs(u)**2 @ counts).max() < 1e-14  # mean numbers know no interference
    with pytest.raises(perm.InputError, match="above 0"):
        perm.amplitudes(np.zeros((2, 2))).sample(1)
    for count in (-1, 2**63):
        with pytest.raises(perm.InputError):
            a.sample(count)
    states = perm.amplitudes(haar(300, 1)[:, :2]).states()  # in a second
    assert states.shape == (45150, 300) and (states.sum(1) == 2).all() and states[-1].tolist() == [0] * 299 + [2]


def test_amplitudes_of_few_and_many():
    assert perm.amplitudes(np.zeros((0, 0))).states().shape == (1, 0)
    assert abs(perm.amplitudes([[2.0]], [3])[0] - 8) < 1e-14 and perm.amplitudes([[2.0]], [0]).tolist() == [1]
    empty = perm.amplitudes(np.eye(2), caps=0)
    assert len(empty) == 0 and empty.states().shape == (0, 2) and empty.total == 0 == empty.error_bound
    assert perm.amplitudes(np.eye(2) * 1e200).exp2 > 1000
    twins = perm.amplitudes(np.array([[1, 1], [1, -1]]) * 0.5**0.5, [100, 100], probabilities=True)
    assert all(abs(twins[2 * k] - math.comb(2 * k, k) * math.comb(200 - 2 * k, 100 - k) / 4**100) < 1e-14
               for k in range(101))
    assert abs(twins[1::2]).max() < 1e-20 and abs(twins.total - 1) < 1e-12
    for u, options, error, text in ((np.eye(3), {"counts": [1, 1]}, perm.InputError, "input: expected 3 integers"),
                                    (np.eye(3), {"caps": [1, 1]}, perm.InputError, "caps: expected 3 .*row of u"),
                                    (np.eye(2), {"counts": [1, -1]}, perm.InputError, "negative"),
                                    (np.eye(60), {}, perm.Error, "too many"), (np.eye(70), {}, perm.Error, "too many"),
                                    (np.eye(2) * np.nan, {}, perm.InputError, "NaN"),
                                    (np.eye(12), {"max_bytes": 1e4}, perm.LimitError, "max_bytes"),
                                    (np.eye(2), {"method": "glynn"}, perm.InputError, "subsets"),
                                    (np.eye(2), {"probabilities": 2}, perm.Error, "probabilities")):
        with pytest.raises(error, match=text):
            perm.amplitudes(u, **options)


def test_rook_numbers():
    assert perm.rook_numbers([[1, 2, 3], [4, 5, 6], [7, 8, 9]]) == [1, 45, 390, 450]
    assert perm.rook_numbers(np.ones((3, 5), int)) == [1, 15, 60, 60]
    assert perm.rook_numbers(np.array([[-1.0, 2.0]])) == [1, 1]
    big = perm.rook_numbers(np.full((19, 19), 1 << 54), method="exact")
    assert big == [math.comb(19, k) ** 2 * math.factorial(k) << 54 * k for k in range(20)]
    with pytest.raises(perm.UnsupportedError):
        perm.rook_numbers([[0.5]])
    with pytest.raises(perm.InputError):
        perm.rook_numbers([[1]], method="ryser")


def coefficients(forms, cuts):
    """Of per(forms[0] + x forms[1] + ..), by all permutations."""
    m, n = np.shape(forms[0])
    found = np.zeros([cut + 1 for cut in cuts], object)
    for columns in itertools.permutations(range(n), m):
        for which in itertools.product(range(len(forms)), repeat=m):
            degrees = tuple(which.count(k) for k in range(1, len(forms)))
            if all(degree <= cut for degree, cut in zip(degrees, cuts)):
                found[degrees] += math.prod(np.asarray(forms[k])[i, j].item() for i, (j, k) in
                                            enumerate(zip(columns, which)))
    return found


def test_polynomial():
    random = np.random.default_rng(3)
    for m, n in ((0, 0), (1, 1), (3, 3), (4, 4), (2, 4)):
        c, l, l2 = (random.integers(-9, 10, (m, n)) for _ in range(3))
        whole = coefficients([c, l], [m]).tolist()
        assert perm.polynomial(c, l) == whole and all(type(x) is int for x in perm.polynomial(c, l))
        assert perm.polynomial(c, l, 1) == (whole + [0])[:2] and perm.polynomial(c.tolist(), l.tolist()) == whole
        doubles, bounds = perm.polynomial(c / 8, l / 8, bounds=True)
        assert doubles.dtype == float and (abs(doubles - np.array(whole, float) / 8**m) <= bounds).all()
        assert (bounds < 1e-9).all()
        mixed = perm.polynomial(c + 0.5j, l)
        assert mixed.dtype == complex and np.allclose(mixed, coefficients([c + 0.5j, l], [m]).astype(complex))
        both = perm.polynomial(c, [l, l2], [1, 2])
        assert both == coefficients([c, l, l2], [1, 2]).tolist()
        assert np.allclose(perm.polynomial(c / 2, [l, l2], [2, 1]), coefficients([c / 2, l, l2], [2, 1]).astype(float))
        several, bounds = perm.polynomial(c * 1j, (l, l2), (1, 1), True)
        assert (abs(several - coefficients([c * 1j, l, l2], [1, 1]).astype(complex)) <= bounds).all()
        assert perm.polynomial(c, [], []) == perm.permanent(c)
    c, l = np.array([[1 + 2j, 3], [4, -1j]]), np.array([[1, 0], [0, 1]])
    gauss = perm.polynomial(c, l, precision="exact")
    assert gauss == [(14, -1), (1, 1), (1, 0)] and type(gauss[0]) is perm.Gaussian
    assert perm.polynomial(c, [l], [2], precision="exact") == gauss
    assert perm.polynomial([[2**62, 1], [1, 2**62]], [[-2**62, 0], [0, 1]]) == [2**124 + 1, 2**62 - 2**124, -2**62]
    assert perm.polynomial([[1, 2], [3, 4]], [[1, 0], [0, 1]], modulus=7) == [3, 5, 1]
    for call, error in ((lambda: perm.polynomial([[1]], [[1, 2]]), perm.InputError),
                        (lambda: perm.polynomial([[1]], [[1]], -1), perm.InputError),
                        (lambda: perm.polynomial([[1]], [[[1]]], [1, 1]), perm.InputError),
                        (lambda: perm.polynomial([[1]], [[[1, 2]]], [1]), perm.InputError),
                        (lambda: perm.polynomial([[1]], [[[1]]], [-1]), perm.InputError),
                        (lambda: perm.polynomial([[0.5]], [[1]], precision="exact"), perm.InputError),
                        (lambda: perm.polynomial([[0.5]], [[1]], modulus=7), perm.InputError),
                        (lambda: perm.polynomial([[1]], [[1]], method="ryser"), perm.InputError),
                        (lambda: perm.permanental_polynomial([[1, 2]]), perm.InputError)):
        with pytest.raises(error):
            call()


def test_permanental_polynomial(tmp_path):
    a = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert perm.permanental_polynomial(a) == [-450, 136, -15, 1] == perm.permanental_polynomial(a.tolist())
    assert perm.permanental_polynomial(a, modulus=7) == [5, 3, 6, 1]
    assert np.allclose(perm.permanental_polynomial(a / 2), [-450 / 8, 136 / 4, -7.5, 1])
    assert perm.permanental_polynomial(a * 1j, precision="exact")[0] == (0, 450)
    (tmp_path / "a.txt").write_text("1 2\n3 4\n")
    assert perm.permanental_polynomial(tmp_path / "a.txt") == [10, -5, 1]
    sparse = pytest.importorskip("scipy.sparse")
    ring = sparse.coo_array((np.ones(80, int), (np.arange(80), (np.arange(80) + 1) % 80)))
    both = perm.permanental_polynomial(sparse.csr_array(ring + ring.T))
    lucas = [0] * 81  # of a cycle: its matchings, and the cycle twice
    for k in range(41):
        lucas[80 - 2 * k] = 80 * math.comb(80 - k, k) // (80 - k)
    lucas[0] += 2
    assert both == lucas
    networkx = pytest.importorskip("networkx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert perm.permanental_polynomial(networkx.cycle_graph(6)) == [4, 0, 9, 0, 6, 0, 1]


def test_wrong_calls():
    """What Python itself says of arguments, the same in both forms."""
    for call, text in ((lambda: perm.permanent(), "missing 1 required positional argument: 'a'"),
                       (lambda: perm.permanent(REAL, None, None, None, 1), "positional arguments"),
                       (lambda: perm.compute(REAL, None, None, None), "positional arguments"),
                       (lambda: perm.permanent(REAL, a=REAL), "multiple values for argument 'a'"),
                       (lambda: perm.permanent(REAL, None, rows=None), "multiple values for argument 'rows'")):
        with pytest.raises(TypeError, match=text):
            call()
    assert perm.permanent(a=REAL) == perm.permanent(REAL)
    with pytest.raises(perm.InputTypeError, match="unknown option out"):
        perm.compute(REAL, out=None)


def header(name):
    with open(os.path.join(HERE, os.pardir, os.pardir, name), encoding="utf-8") as file:
        return file.read()


def test_nothing_of_the_header_is_forgotten():
    text = header("perm.h") + header("perm_more.h")
    assert perm.VERSION == tuple(int(re.search("#define PERM_VERSION_%s ([0-9]+)" % part, text).group(1))
                                 for part in ("MAJOR", "MINOR"))
    methods = re.search(r"#define PERM_METHOD_LIST\(X\)(.*?)\n\n", text, re.S).group(1)
    assert list(perm.METHODS) == re.findall(r'X\(PERM_[A-Z_]+, "([a-z-]+)"', methods)
    for name, structure in perm._LAYOUTS.items():          # field by field, in the order of the header
        body = re.search(r"typedef struct %s \{(.*?)\n\} %s;" % (name, name), text, re.S).group(1)
        body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        fields = re.findall(r"\(\*(\w+)\)\(|(\w+)(?:\[\w+\])?(?=[,;])", re.sub(r"\)\([^;]*;", ")(;", body))
        assert ["".join(field) for field in fields] == [field[0] for field in structure._fields_], name
    options = set(inspect.signature(perm._Call).parameters)
    keyword = {"plan_effort": "effort", "devices": "gpus", "cache": "gpu_cache", "file": "checkpoint",
               "seconds": "checkpoint_seconds"}
    hidden = {"user_data", "allocator", "note", "execute", "parts", "resident", "stream"}
    fields = [field[0] for structure in (perm._Options, perm._GpuOptions, perm._CheckpointFile)
              for field in structure._fields_ if field[0] not in ("gpu", "checkpoint")]
    assert {keyword.get(field, field) for field in fields} - hidden | {"prove"} == options  # a call of its own in C
    documented = perm.__doc__.split("OPTIONS, keywords")[1]
    assert all(re.search(r"\b%s\b" % option, documented) for option in options | {"rows", "cols"})
    for name in perm.__all__:
        assert getattr(perm, name) is not None and (name.isupper() or getattr(perm, name).__doc__)


def test_errors_are_python_errors():
    for error, base in ((perm.InputError, ValueError), (perm.IndexRangeError, IndexError),
                        (perm.UnsupportedError, NotImplementedError), (perm.OutOfMemoryError, MemoryError),
                        (perm.TooLargeError, OverflowError), (perm.LimitError, RuntimeError), (perm.FileError, OSError),
                        (perm.DeviceError, RuntimeError), (perm.Incomplete, RuntimeError)):
        assert issubclass(error, base) and issubclass(error, perm.Error)
        raised = error("text", "PERM_ERROR_X", 3)
        assert (str(raised), raised.status, raised.result) == ("text", "PERM_ERROR_X", 3)
    listed = re.findall(r"X\((PERM_[A-Z_]+), (-?[0-9]+),", header("perm.h"))
    for name, number in listed:                            # every status has a class
        error = perm._error(int(number), "")
        assert error.status == name and (isinstance(error, perm.Incomplete) == (int(number) > 0))
    with pytest.raises(perm.InputError) as caught:
        perm.compute(np.array([[np.nan]]))
    assert caught.value.status == "PERM_ERROR_NOT_FINITE"


def test_examples_in_docstrings():
    """Every public function has one, and what it prints is what stands there."""
    failed, finder = {}, doctest.DocTestFinder()
    objects = {"perm": perm, "sampler": perm.sampler, **{name: getattr(perm, name) for name in FUNCTIONS}}
    for name, thing in objects.items():
        for test in finder.find(thing, name, perm, globs={"perm": perm}):
            told = io.StringIO()
            runner = doctest.DocTestRunner()
            if runner.run(test, out=told.write).failed:
                failed[name] = told.getvalue()
            assert runner.tries or test.name not in FUNCTIONS + ["perm", "sampler.boson"], name + " has no example"
    assert not failed, failed


def test_types_are_those_of_the_functions():
    """perm.pyi: every public name, every argument with its default, every option, method, precision, ... is there."""
    with open(os.path.join(os.path.dirname(perm.__file__), "__init__.pyi" if INSTALLED else "perm.pyi")) as file:
        tree = ast.parse(file.read())
    named = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    listed = set(named) | {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    assert {name for name in listed if name[0] != "_"} == set(perm.__all__) - {"__version__"}
    assert not INSTALLED or os.path.exists(os.path.join(os.path.dirname(perm.__file__), "py.typed"))
    functions = {name: (getattr(perm, name), named[name]) for name in FUNCTIONS}
    functions.update((node.name, (getattr(perm.sampler, node.name), node)) for node in named["sampler"].body)
    assert [argument.arg for argument in functions.pop("way")[1].args.args] == list(  # which takes no options
        inspect.signature(perm.sampler.way).parameters)
    assert len(functions) == len(FUNCTIONS) + 2
    for name, (function, node) in functions.items():
        parameters = list(inspect.signature(function).parameters.values())
        given = [each for each in parameters if each.name not in perm._OPTIONS]
        named_only = [each.name for each in given if each.kind is each.KEYWORD_ONLY]
        assert [argument.arg for argument in node.args.args] + named_only == [each.name for each in given], name
        assert [argument.arg for argument in node.args.kwonlyargs] == named_only
        defaults = [ast.literal_eval(default) for default in node.args.defaults + node.args.kw_defaults]
        assert defaults == [each.default for each in given if each.default is not each.empty], name
        assert ast.unparse(node.args.kwarg.annotation) == "Unpack[_Keywords]" and node.returns, name
        assert [each.name for each in parameters if each.kind is each.KEYWORD_ONLY][len(named_only):] == [
            field.target.id for field in named["_Keywords"].body if isinstance(field, ast.AnnAssign)], name
    for name in ("Result", "Estimate", "Plan", "Leaf", "Progress", "Gaussian", "OnGPU"):
        thing = getattr(perm, name)
        assert [field.target.id for field in named[name].body if isinstance(field, ast.AnnAssign)] == list(
            getattr(thing, "_fields", None) or thing.__dataclass_fields__), name
    words = {node.targets[0].id: ast.literal_eval(node.value.slice)
             for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript)}
    assert words == {"_Method": perm.METHODS, "_Precision": perm.PRECISIONS, "_Isa": perm.ISAS,
                     "_Format": perm.FORMATS, "_Estimator": perm.ESTIMATORS}


TYPED = """
import perm
p: int = perm.permanent([[1, 2], [3, 4]], threads=1, method="ryser", gpus="all", part=(1, 2))
r: perm.Result = perm.compute([[1.0]], certify=True, progress=lambda now: now.seconds > 3)
s: str = perm.explain([[1]]) + str(r.error_bound)
w: list[int] = perm.sampler.boson([[1]], [1], 3, seed=2, max_bytes=1e9)
"""
MISTYPED = """
import perm
perm.permanent([[1]], treads=1)
perm.permanent([[1]], threads="two")
perm.compute([[1]], method="gynn")
perm.compute([[1]]).bound
perm.sampler.boson([[1]], [1])
perm.minors([[1]])
s: int = perm.explain([[1]])
"""


def test_a_checker_sees_the_types(tmp_path):
    api = pytest.importorskip("mypy.api", reason="no mypy (tests/setup.sh full)")
    for text, wrong in ((TYPED, []), (MISTYPED, list(range(3, 10)))):
        program = tmp_path / ("program%d.py" % len(wrong))
        program.write_text(text)
        before = os.getcwd()
        os.chdir(tmp_path if INSTALLED else PLACE)
        try:
            told, error, _ = api.run(["--strict", "--cache-dir", str(tmp_path / "cache"), "--no-error-summary",
                                      str(program)])
        finally:
            os.chdir(before)
        assert not error and [int(line) for line in re.findall(r"^[^:]+:(\d+): error", told, re.M)] == wrong, told
    if INSTALLED:  # and finds that the module has them
        told = subprocess.run([sys.executable, "-m", "mypy.stubtest", "perm_exact"], cwd=tmp_path, text=True,
                              capture_output=True)
        assert told.returncode == 0 and "no issues found in 2 modules" in told.stdout, told.stdout + told.stderr


def test_version_is_the_librarys():
    parts = [re.search(r'#define PERM_VERSION_%s "?([\w.-]*)' % part, header("perm.h"))[1]
             for part in ("MAJOR", "MINOR", "PATCH", "PRERELEASE")]
    assert perm.__version__ == ".".join(parts[:3]) + parts[3].replace("-rc.", "rc")


def test_exact_numbers_are_pythons():
    """Multiplicities and entries of numpy's kinds do not overflow where Python's integers would not."""
    assert perm.gradient([[800, 1], [1, 800]], rows=[2, 2], cols=[2, 2])[0][0] == 4096012800
    third = Fraction(1, 3)
    assert perm.minors([[third]], 0, rows=[45], cols=[45])[0] == math.factorial(44) * third**44
    counts = np.array([45])
    assert perm.permanent([[third]], rows=counts, cols=counts) == math.factorial(45) * third**45
    assert perm.permanent([[third, np.int8(100)], [np.int8(100), third]]) == 10000 + third**2


def test_fractions():
    from fractions import Fraction as F
    assert perm.permanent([[F(1, 2), F(1, 3)], [2, F(-5, 7)]]) == F(1, 2) * F(-5, 7) + F(2, 3)
    assert perm.permanent([[F(1, 2), 1, 3]]) == F(9, 2)
    assert perm.permanent([[F(1, 2), F(1, 3)]], rows=[2], cols=[1, 1]) == F(1, 2) * F(1, 3) * 2
    assert perm.permanent(np.array([[F(10**30, 7)]], dtype=object)) == F(10**30, 7)
    with pytest.raises(perm.InputTypeError, match="float beside Fractions"):
        perm.permanent([[F(1, 2), 0.5], [1, 1]])


def test_graphs():
    class Graph:  # what networkx's have
        def __init__(self, edges, multi=False):
            self.edges, self.multi = edges, multi

        def __iter__(self):
            return iter(self.edges)

        def is_multigraph(self):
            return self.multi

        def adjacency(self):
            return self.edges.items()
    ring = Graph({k: {(k + 1) % 6: {}, (k - 1) % 6: {"weight": 1}} for k in range(6)})
    perm._told = False
    with pytest.warns(UserWarning, match="taken as its adjacency matrix, .*cycle_covers.*matchings") as told:
        assert perm.permanent(ring) == 4
    assert len(told) == 1 and told[0].filename == __file__  # the caller's line
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once in a process
        assert perm.permanent(ring) == 4 == perm.compute(ring).permanent == perm.cycle_covers(ring)
        assert perm.matchings(ring) == 2 and perm.permanent(Graph({})) == 1 == perm.matchings(Graph({}))
        assert perm.compute(Graph({})).permanent == 1 == perm.cycle_covers(Graph({}))
    with pytest.raises(perm.InputTypeError, match="multigraph.*perm.matchings"):
        perm.permanent(Graph({}, True))


@pytest.mark.parametrize("name", "permanent compute minors gradient marginals submatrices estimate plan explain "
                                 "rook_numbers permanental_polynomial sample".split())
def test_every_call_tells_of_a_graph(name):
    """Each function that takes a matrix takes a networkx graph, and says as what; but those of graphs say nothing."""
    networkx = pytest.importorskip("networkx")
    graph, more = networkx.cycle_graph(6), {"minors": (0,), "submatrices": ([[0, 1]],), "sample": (2,)}
    perm._told = False
    with pytest.warns(UserWarning, match="cycle covers"):
        getattr(perm, name)(graph, *more.get(name, ()))
    perm._told = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert perm.matchings(graph) == 2 and perm.cycle_covers(graph) == 4
    perm._told = True


def matchings_by_hand(graph, weight):
    """The sum over perfect matchings, by the first node's partner."""
    nodes = list(graph)
    if not nodes:
        return 1
    first, total = nodes[0], 0
    for other in set(graph[first]) - {first}:
        edges = graph[first][other].values() if graph.is_multigraph() else [graph[first][other]]
        rest = graph.copy()
        rest.remove_nodes_from([first, other])
        total += sum(edge.get(weight, 1) for edge in edges) * matchings_by_hand(rest, weight)
    return total


def test_matchings():
    networkx = pytest.importorskip("networkx")
    boards = networkx.grid_2d_graph(8, 8), networkx.grid_2d_graph(30, 30)
    assert perm.matchings(boards[0]) == 12988816 and perm.cycle_covers(boards[0]) == 12988816**2
    assert str(perm.matchings(boards[1]))[:9] == "131841545" and perm.matchings(boards[1]) > 10**110
    numbers = random_numbers.Random(5)
    for trial in range(150):
        graph = [networkx.Graph, networkx.MultiGraph][trial % 2]()
        graph.add_nodes_from("%s%d" % (side, k) for side in "ab" for k in range(numbers.randrange(1, 6)))
        nodes = list(graph)
        numbers.shuffle(nodes)
        for _ in range(numbers.randrange(14)):
            one, other = numbers.sample(nodes, 2)
            if one[0] != other[0]:
                cost = {"cost": Fraction(numbers.randrange(1, 5), 3)} if numbers.random() < 0.5 else {}
                graph.add_edge(one, other, **cost)
        for weight in (None, "cost", "weight"):
            assert perm.matchings(graph, weight=weight) == matchings_by_hand(graph, weight)
    assert perm.matchings(networkx.path_graph(3)) == 0 == perm.matchings(networkx.empty_graph(2))
    pair = networkx.disjoint_union(networkx.star_graph(2), networkx.star_graph(2))  # both sides 3, one each way
    assert perm.matchings(pair) == 0 == perm.matchings(networkx.complete_bipartite_graph(2, 3))
    weighted = networkx.Graph([(0, 1, {"weight": 2.5}), (2, 3, {"weight": 4})])
    assert perm.matchings(weighted) == 10 and perm.matchings(weighted, weight=None) == 1
    assert perm.cycle_covers(weighted) == 100 == perm.permanent(weighted)
    assert perm.cycle_covers(networkx.petersen_graph()) == 60
    assert perm.cycle_covers(networkx.MultiGraph([(0, 1), (0, 1)])) == 4
    assert perm.cycle_covers(networkx.DiGraph([(0, 1), (1, 2), (2, 0)])) == 1
    for odd, edge in ((networkx.petersen_graph(), "the edge from \\d to \\d"),
                      (networkx.Graph([(0, 0), (0, 1)]), "from 0 to 0"),
                      (networkx.disjoint_union(networkx.path_graph(2), networkx.cycle_graph(5)), "from 4 to 5")):
        with pytest.raises(ValueError, match="odd cycle, with .*%s: .*no two sides.*adjacency matrix, "
                                             "perm.cycle_covers.* counts the cycle covers" % edge):
            perm.matchings(odd)
    with pytest.raises(perm.InputError, match="directed"):
        perm.matchings(networkx.DiGraph([(0, 1)]))
    with pytest.raises(perm.InputTypeError, match="unknown option rows"):
        perm.matchings(networkx.Graph(), rows=[1])


def test_matchings_of_matrices_and_files(tmp_path):
    ring = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
    assert perm.matchings(ring) == perm.matchings(np.array(ring)) == 2 and perm.cycle_covers(ring) == 4
    assert perm.matchings([]) == 1 and perm.matchings([[0]]) == 0
    (tmp_path / "a.g6").write_bytes(b"C]\n")
    with pytest.warns(UserWarning, match="read as graph6, the adjacency matrix"):
        assert perm.matchings(str(tmp_path / "a.g6")) == 2
    for bad, text in (([[1, 2, 3]], "square"), ([[0, 1], [2, 0]], "undirected"), ([[1]], "odd cycle")):
        with pytest.raises(perm.InputError, match=text):
            perm.matchings(bad)


def test_files_of_many_graphs(tmp_path):
    many = b">>graph6<<\nA_\n\nC~\r\n:Fa@x^\n&AO\n"
    (tmp_path / "many.g6").write_bytes(many)
    for source in (many, tmp_path / "many.g6", str(tmp_path / "many.g6")):
        assert [perm.permanent(a) for a in perm.graphs(source)] == [1, 9, 0, 0]
        assert [np.asarray(a).shape for a in perm.graphs(source)] == [(2, 2), (4, 4), (7, 7), (2, 2)]
    mixed = b">>graph6<<A_\n:An\n>>sparse6<<:An\n\r\nC]\r\n&AG\n>>digraph6<<&AO\n"
    packed = gzip.compress(mixed)
    (tmp_path / "mixed.g6.gz").write_bytes(packed)
    for source in (mixed, packed, tmp_path / "mixed.g6.gz"):
        assert [np.asarray(a).tolist() for a in perm.graphs(source)] == [
            [[0, 1], [1, 0]]] * 3 + [np.kron([[0, 1], [1, 0]], np.ones((2, 2), int)).tolist(), [[0, 0], [1, 0]],
                                     [[0, 1], [0, 0]]]
    for broken in (packed[:-9], packed[:30] + b"xxxxxxxxxx"):
        with pytest.raises(perm.FileError, match="bytes: cannot read: "):
            perm.graphs(broken)
    assert list(perm.graphs(b"")) == []
    with pytest.raises(perm.InputError, match="bytes, line 3:1: taken as graph6: 0 characters found"):
        list(perm.graphs(b"A_\n\nC\n"))
    with pytest.raises(perm.InputError, match="a second graph found, .*perm.graphs\\(\\) reads every line"):
        perm.read(b"A_\nA_\n")
    with pytest.raises(perm.FileError):
        perm.graphs("/nowhere/a.g6")
    with pytest.raises(perm.InputTypeError):
        perm.graphs(5)


def test_what_texts_are_taken_for():
    with pytest.warns(UserWarning, match="rows below the header '0,1,2'; format=array makes it a row too") as told:
        assert perm.permanent(perm.read(b"0,1,2\n1,2,3\n4,5,6\n7,8,1\n")) == 346
    assert told[0].filename == __file__
    assert perm.permanent(perm.read(b"0,1,2\n1,2,3\n4,5,6\n7,8,1\n", format="array")) == 636
    for text, taken in ((b"1 x\n", "plain text"), (b"DQ\n", "graph6"), (b"%%MatrixMarket x", "Matrix Market")):
        with pytest.raises(perm.InputError, match="taken as %s: " % taken):
            perm.read(text)
    for order, said in (("utf-16", "UTF-16 text found, .*iconv -f UTF-16 -t"), ("utf-16-le", "iconv -f UTF-16LE -t")):
        with pytest.raises(perm.InputError, match=said):
            perm.read("1 2\n3 4\n".encode(order))


def test_submatrices_of_integers_are_exact():
    a = random.integers(-50, 50, (6, 9)).astype(object) * 10**20
    rows, cols = random.integers(0, 6, (20, 4)), random.integers(0, 9, (20, 4))
    values = perm.submatrices(a, rows, cols)
    assert values.dtype == object and all(v == oracle(a[np.ix_(r, c)]) and type(v) is int
                                          for v, r, c in zip(values, rows, cols))
    assert perm.submatrices([[10**20]], [[0]]).tolist() == [10**20]
    assert perm.submatrices([[2**40, 1], [2**40, 3]], cols=[[0, 1], [0, 0]]).tolist() == [2**42, 2**81]
    assert perm.submatrices([[Fraction(1, 3), 1], [2, Fraction(1, 2)]], cols=[[0, 1]]).tolist() == [Fraction(13, 6)]
    assert perm.submatrices([[1, 2], [3, 4]], cols=[[0, 1]], modulus=7).tolist() == [3]
    assert perm.submatrices([[1, 2], [3, 4]], cols=[[]]).tolist() == [1]
    assert perm.submatrices([[1.0, 2], [3, 4]], cols=[[0, 1]], precision="exact").tolist() == [10]
    whole = perm.submatrices([[1, 2], [3, 4]], cols=[[0, 1]], precision="dd")
    assert whole.dtype == float and whole.tolist() == [10]
    many = perm.submatrices(np.ones((9, 9), int), random.integers(0, 9, (5000, 9)))
    assert set(many) == {math.factorial(9)}  # by several pieces
    for bad in (6, -1, 2**40):
        with pytest.raises(IndexError, match="selection 1 .counted from 0. leaves the 6 x 9 matrix"):
            perm.submatrices(np.ones((6, 9), int), [[0], [bad]], [[0], [0]])
    with pytest.raises(perm.InputError, match="^out: of doubles"):
        perm.submatrices([[Fraction(1, 2)]], [[0]], out=np.empty(1))
    with pytest.raises(perm.Incomplete):
        perm.submatrices(np.ones((20, 20), int), [list(range(20))] * 2000, max_seconds=1e-3)


def test_masked_entries_inside_lists():
    masked, plain = np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[0, 0])
    square = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    for bad in ([masked, masked], (masked, masked), [[1, np.ma.masked], [3, 4]], [square, square], [[square]], square,
                [[1.5, 2], [3, np.ma.masked]]):
        for call in (perm.permanent, lambda a: perm.compute(a), lambda a: perm.submatrices(a, [[0]])):
            with pytest.raises(perm.InputTypeError, match="masked"):
                call(bad)
    with pytest.raises(perm.InputTypeError, match="masked"):
        perm.permanent(np.ones((2, 2)), rows=[np.ma.masked, 1])
    assert perm.permanent([plain, plain]) == 4


def test_sparse_arrays_of_other_dimensions():
    sparse = pytest.importorskip("scipy.sparse")
    try:
        line, stack = sparse.coo_array(np.array([1, 2])), sparse.coo_array(np.ones((2, 2, 2)))
    except TypeError:
        pytest.skip("this scipy has matrices alone")
    for call in (perm.permanent, lambda a: perm.compute(a), lambda a: perm.plan(a), perm.rook_numbers, perm.gradient,
                 lambda a: perm.sample(a, 1), lambda a: perm.submatrices(a, [[0]]), perm.marginals):
        for bad in (line, stack):
            with pytest.raises(perm.InputError, match="of 2 dimensions, not of shape|dimensions, not of shape"):
                call(bad)
    assert perm.permanent(sparse.coo_array((0, 0))) == 1


def test_numbers_of_other_packages():
    from decimal import Decimal
    assert perm.permanent([[Decimal("0.1"), 2], [3, Decimal("1e-30")]]) == 6 + Fraction(1, 10**31)
    assert perm.gradient([[Decimal("0.5"), 2], [3, 4]])[1].tolist() == [2, Fraction(1, 2)]
    with pytest.raises(perm.InputError, match="NaN or infinite"):
        perm.permanent([[Decimal("inf"), 1], [1, 1]])
    with pytest.raises(perm.InputTypeError, match="take fractions.Fraction"):
        perm.compute([[Decimal("0.5"), 1], [1, 1]])
    sympy = pytest.importorskip("sympy")
    one, half = sympy.Integer(1), sympy.Rational(1, 2)
    assert repr(perm.permanent([[one, 2], [3, 4]])) == "10" == repr(perm.permanent(sympy.Matrix([[1, 2], [3, 4]])))
    assert perm.compute([[one * 10**30, 2], [3, 4]]).integer == 4 * 10**30 + 6
    assert repr(perm.permanent([[half, 2], [3, one]])) == "Fraction(13, 2)"
    assert perm.permanent([[one, 1.5], [2, 2]]) == 5.0
    for bad in (sympy.sqrt(2), sympy.Float(1.5), sympy.Symbol("x")):
        with pytest.raises(perm.InputTypeError, match="take fractions.Fraction"):
            perm.permanent([[bad, 1], [1, 1]])


def test_indices_where_multiplicities_are_wanted():
    for call in (lambda **o: perm.permanent(REAL[:3, :3], **o), lambda **o: perm.compute(REAL[:3, :3], **o),
                 lambda **o: perm.minors(REAL[:3, :3], 2, **o), lambda **o: perm.permanent(WHOLE[:3, :3], **o)):
        for counts in ([0, 0, 1], [0, 2]):
            with pytest.raises(perm.InputError, match="rows and cols say how often .*perm.submatrices"):
                call(rows=counts)


def test_where_signals_are_not_to_be_had(monkeypatch):
    """As in an interpreter besides the main one: a handler cannot be set."""
    def refused(*_):
        raise ValueError("signal only works in main thread of the main interpreter")
    monkeypatch.setattr(perm, "_signal", refused)
    assert perm.minors([[1.5, 2], [3, 4]], 0).tolist() == [4, 3]
    assert perm.rook_numbers([[1, 1], [1, 1]]) == [1, 4, 2]


def test_rows_of_other_lengths_are_named():
    with pytest.raises(perm.InputTypeError, match="row 2 has 3 entries, row 1 has 2"):
        perm.permanent([[1, 2], [3, 4, 5]])
    with pytest.raises(perm.InputTypeError, match="row 2 is int, row 1 is list"):
        perm.permanent([[1, 2], 3])


def test_one_line_of_what_is_known():
    assert str(perm.compute([[1, 2], [3, 4]])) == "10, exactly"
    assert str(perm.compute([[1, 2], [3, 4]], modulus=7)) == "3 modulo 7, exactly"
    known = str(perm.compute([[0.1, 0.2, 0.3]] * 3, certify=True))
    assert known.startswith("0.036") and known.endswith(" digits guaranteed")
    assert str(perm.compute([[0.0]])).startswith("0, exactly")


def test_one_line_of_estimates_and_what_notebooks_show():
    estimate = perm.estimate([[1, 2], [3, 4]], samples=10000, seed=3)
    value, error, samples = re.fullmatch(r"(\S+) \+- (\S+), (\d+) samples", str(estimate)).groups()
    assert int(samples) == estimate.samples and abs(float(error) / estimate.standard_error - 1) < 0.05
    assert abs(float(value) - estimate.value) < float(error) / 10 and len(value) < 8  # no digit that is not known
    assert re.fullmatch(r"\(0\.\d+ \+- \S+\) \* 2\*\*21177, 256 samples", str(
        perm.estimate(np.full((200, 200), 1e30), 10)))
    assert str(perm.estimate([[0.0]])) == "0 +- 0, computed"
    assert re.fullmatch(r"\S+j \+- \S+, \d+ samples", str(perm.estimate(COMPLEX, 1000)))

    class Printer(list):
        text = list.append
    result = perm.compute([[1, 2], [3, 4]])
    for shown in (result, estimate, perm.plan(LONG)):
        printer = Printer()
        shown._repr_pretty_(printer, False)
        assert printer == [shown.text if isinstance(shown, perm.Plan) else str(shown)]
    assert result._repr_html_().startswith("<b>10, exactly</b>") and result.method in result._repr_html_()
    assert "no clock was read" in result._repr_html_() and " s</small>" in perm.compute(LONG[:22, :22])._repr_html_()
    assert str(estimate) in estimate._repr_html_() and "sinkhorn" in estimate._repr_html_()
    odd = perm.Result(**{**vars(result), "status": "PERM_STOPPED_TIME", "message": "a < b & c"})
    assert "a &lt; b &amp; c" in odd._repr_html_()


# ---- what other packages compute with

class Lent:
    """A matrix of a package that knows nothing of numpy."""

    def __init__(self, a):
        self.a = a

    def __dlpack__(self, **options):
        return self.a.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


def test_dlpack():
    for a in (REAL, COMPLEX, WHOLE, REAL.astype(np.float32), REAL[::2, ::2], np.stack([REAL, REAL.T])):
        value = perm.permanent(Lent(a))
        assert np.array_equal(value, perm.permanent(a)) and type(value) is type(perm.permanent(a))
    assert perm.compute(Lent(WHOLE)).integer == oracle(WHOLE)
    assert np.array_equal(perm.gradient(Lent(REAL)), perm.gradient(REAL))
    assert perm.permanent(Lent(WHOLE[:3, :3]), rows=Lent(np.array([2, 1, 0]))) == oracle(
        expanded(WHOLE[:3, :3], [2, 1, 0], None))

    class Elsewhere(Lent):
        def __dlpack__(self, **options):
            raise BufferError("it is on device 3")
    with pytest.raises(perm.InputTypeError, match="Elsewhere.__dlpack__: it is on device 3"):
        perm.permanent(Elsewhere(REAL))


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    for a in (REAL, COMPLEX, WHOLE, REAL.astype(np.float32), np.stack([REAL, REAL.T])):
        t = torch.as_tensor(a)
        assert np.array_equal(perm.permanent(t), perm.permanent(a))
        assert np.array_equal(perm.permanent(t.mT), perm.permanent(np.ascontiguousarray(np.swapaxes(a, -1, -2))))
        assert np.array_equal(perm.permanent(Lent(t)), perm.permanent(a))
    with pytest.raises(perm.InputTypeError, match="grad"):
        perm.permanent(torch.ones((2, 2), requires_grad=True))
    with pytest.raises(perm.InputTypeError):
        perm.permanent(torch.ones((2, 2), dtype=torch.bfloat16))
    with pytest.raises(perm.InputTypeError):
        perm.permanent(torch.ones((2, 2), device="meta"))


def test_arrays_of_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    for a in (REAL, COMPLEX, WHOLE, REAL.astype(np.float32), np.stack([REAL, REAL.T])):
        j = jax.numpy.asarray(a)
        assert np.array_equal(perm.permanent(j), perm.permanent(a))
        assert np.array_equal(perm.permanent(Lent(j)), perm.permanent(a))
    with pytest.raises(perm.InputTypeError):
        jax.jit(perm.permanent)(REAL)


DOCS = os.path.join(HERE, os.pardir, os.pardir, "docs")


def programs(pages=("python.md",)):
    """The Python programs of these pages of docs/."""
    texts = []
    for page in pages:
        with open(os.path.join(DOCS, page), encoding="utf-8") as file:
            texts += re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)
    return texts


@pytest.mark.parametrize("text", programs(sorted(page for page in os.listdir(DOCS) if page.endswith(".md"))),
                         ids=lambda text: re.search(r"import (\w+)", text)[1])
def test_programs_of_the_manual(text, tmp_path, monkeypatch):
    """docs/: each program runs as it stands there, and prints its comments."""
    for package in re.findall(r"\b(jax|torch|networkx|scipy)\b", " ".join(re.findall("^import .*", text, re.M))):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        exec(compile(text, "docs", "exec"), {"__name__": "__main__"})
    wanted = re.findall(r"^ *print\(.*\) +# (.*)$", text, re.M)
    assert wanted and told.getvalue().splitlines() == wanted


def test_table_of_statuses():
    """docs/faq.md: every status of the library, with its exception."""
    with open(os.path.join(DOCS, "faq.md"), encoding="utf-8") as file:
        told = dict(re.findall(r"^\| `(PERM_\w+)` \|.*\| (\w+) \| \d \|$", file.read(), re.M))
    raised = {}
    for number in range(-99, 100):
        name = perm._lib.perm_name(b"status", number).decode()
        if name != "unknown":
            raised[name] = type(perm._error(number, b"")).__name__ if number else "none"
    assert len(told) > 20 and told == raised


def test_permutation_counting():
    """Shares of ways to give thresholds to trials, as the package perms of the method's authors counts them."""
    perms = pytest.importorskip("perms")
    t, y, levels = np.linspace(0, 1, 60), np.repeat([0, 1], 30).astype(np.int32), np.array([-1.0, 0.0, 1.0])
    x, wins, trials = random.random((5, 60)), np.array([2, 6, 9], np.int32), np.full(3, 12, np.int32)
    z = random.standard_normal((5, 36))
    for samples, at, success, theirs in (
            (x, t, y, perms.get_log_perms(x, t, y, False)),
            (z, np.repeat(levels, 12), np.concatenate([np.arange(12) < k for k in wins]),
             perms.get_log_perms_bioassay(z, levels, wins, trials, False))):
        for sample, logarithm in zip(samples, theirs):
            ways = perm.permanent(((sample <= at[:, None]) == (success[:, None] == 1)).astype(int))
            assert np.isnan(logarithm) if ways == 0 else abs(math.log(ways) - logarithm) < 1e-10
        assert np.isfinite(theirs).any()


def counted(monkeypatch):
    """The calls of the library from now on, by name."""
    calls, run = [], perm._Call.run
    monkeypatch.setattr(perm._Call, "run", lambda self, name, *rest: (calls.append(name), run(self, name, *rest))[1])
    return calls


def test_derivatives_of_stacks(monkeypatch):
    ops = pytest.importorskip("perm_ops")
    for n in (0, 1, 2, 5, ops._MINORS, ops._MINORS + 1):
        a = random.standard_normal((2, 3, n, n)) + 1j * random.standard_normal((2, 3, n, n))
        for stack in (a, a.real):
            each = [perm.gradient(one) for one in stack.reshape(6, n, n)]
            calls = counted(monkeypatch)
            assert np.allclose(ops.gradients(stack), np.reshape(each, stack.shape), atol=1e-12)
            assert len(calls) == (0 if n < 2 else 1 if n <= ops._MINORS else 6)
            monkeypatch.undo()
    assert ops.permanents(REAL.astype(np.float32)).dtype == np.float32
    with pytest.raises(perm.InputTypeError, match="int64"):
        ops.permanents(WHOLE)


def test_operator_of_torch(monkeypatch):
    torch = pytest.importorskip("torch")
    permanent = pytest.importorskip("perm_ops").for_torch()
    for a in (REAL[:4, :4], COMPLEX[:4, :4], np.stack([COMPLEX, COMPLEX.T])[:, :3, :3]):
        assert torch.autograd.gradcheck(permanent, torch.tensor(a, requires_grad=True))
        torch.library.opcheck(torch.ops.perm.permanent.default, (torch.tensor(a, requires_grad=True),))
    stack = torch.tensor(random.standard_normal((2, 3, 5, 5)))
    calls = counted(monkeypatch)
    by_vmap = torch.func.vmap(torch.func.vmap(torch.func.grad(permanent)))(stack)
    assert calls == ["perm_batch_real"] * 2  # the permanents; their derivatives
    wanted = np.array([[perm.gradient(one) for one in row] for row in stack.numpy()])
    assert np.allclose(by_vmap, wanted)
    assert np.array_equal(torch.func.vmap(permanent)(stack), perm.permanent(stack.numpy()))
    compiled = torch.compile(lambda a: torch.ops.perm.permanent(a).sum(), backend="aot_eager", fullgraph=True)
    compiled(stack.requires_grad_()).backward()
    assert np.allclose(stack.grad, wanted)
    with pytest.raises(perm.UnsupportedError, match="second"):
        torch.autograd.functional.hessian(permanent, stack[0, 0].detach())


@pytest.mark.parametrize("callback", [False, True])
def test_function_of_jax(monkeypatch, callback):
    jax = pytest.importorskip("jax")
    ops = pytest.importorskip("perm_ops")
    from jax.test_util import check_grads
    jax.config.update("jax_enable_x64", True)
    if not callback and not ops.has_ffi():
        pytest.skip("perm_xla.c was not compiled")
    permanent = ops.for_jax(callback)
    for a in (REAL[:4, :4], COMPLEX[:4, :4], np.stack([COMPLEX, COMPLEX.T])[:, :3, :3]):
        check_grads(permanent, (a,), 2, ("fwd", "rev"))
        check_grads(jax.jit(permanent), (a,), 1, ("fwd", "rev"))
    stack = random.standard_normal((2, 3, 5, 5))
    calls = counted(monkeypatch)
    by_vmap = np.asarray(jax.vmap(jax.vmap(permanent))(stack))
    assert calls == ["perm_batch_real"] * callback and np.array_equal(by_vmap, perm.permanent(stack))
    del calls[:]
    by_vmap = np.asarray(jax.jit(jax.vmap(jax.vmap(jax.grad(permanent))))(stack))
    assert len(calls) <= 2 * callback and set(calls) == ({"perm_batch_real"} if callback else set())
    assert np.allclose(by_vmap, [[perm.gradient(one) for one in row] for row in stack])
    del calls[:]
    zeros = np.zeros((2, 3, 3))
    for kind in "fdFD":  # also orders and shapes that Python computes for the FFI
        for a in (stack, stack[:, :, :0, :0], stack[:0], stack[:, :1, :4], random.random((1, 9, 9)), zeros, zeros - 1):
            if kind in "FD" and a.size:
                a = a + 1j * a[..., ::-1]
            there = jax.jit(permanent)(a.astype(kind))
            assert there.dtype == kind and np.array_equal(there, ops.permanents(a.astype(kind)))
    large = random.random((1, 9, 9))
    assert np.allclose(jax.jit(jax.grad(lambda a: permanent(a)[0]))(large)[0], perm.gradient(large[0]))
    tiny = zeros + 1e-90  # 6e-270, and a product of these that a double does not hold
    assert np.allclose(jax.jit(permanent)(tiny), 6e-270, atol=0)
    for a, text in ((zeros + 1e200, "number 0 of them: the permanent exceeds a double"), (WHOLE, "expected floats"),
                    (tiny * 1e-20, "of them: .* is about 1e-329, too small"), (zeros + np.nan, "an entry is NaN")):
        with pytest.raises(Exception, match=text):
            jax.jit(permanent)(a).block_until_ready()
    made = jax.jit(permanent)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(made(stack))) for _ in range(4)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    assert len(answers) == 4 and all(np.array_equal(one, perm.permanent(stack)) for one in answers)


def test_target_of_xla(monkeypatch, tmp_path):
    """Compiled once, into the user's cache; without a compiler the callback answers."""
    jax = pytest.importorskip("jax")
    ops = pytest.importorskip("perm_ops")
    if not ops.has_ffi():
        pytest.skip("perm_xla.c was not compiled")
    program = "import perm_ops; print(perm_ops.for_jax()([[[1., 2], [3, 4]]]).tolist(), perm_ops.has_ffi())"
    for compiler, has in (("no-such-compiler", False), (os.environ.get("CC", "cc"), True), ("no-such-compiler", True)):
        answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=PLACE, env={
            **os.environ, "CC": compiler, "XDG_CACHE_HOME": str(tmp_path)})
        assert answer.stdout == "[10.0] %s\n" % has, answer
    made, = (tmp_path / "perm").iterdir()
    assert perm.__version__ in made.name and made.suffix == ".so"


# ---- random outcomes

def unitary(m):
    return np.linalg.qr(np.random.default_rng(11).normal(size=(m, m, 2)) @ [1, 1j])[0]


@pytest.mark.parametrize("way", ["chain", "amplitudes"])
@pytest.mark.parametrize("columns, entering", [(4, [1, 1, 1, 0]), (4, [2, 0, 1, 1]), (3, [3, 0, 1]), (4, [0, 0, 2, 0])])
def test_bosons_leave_by_their_chances(columns, entering, way):
    """All ways out, their chances by expansion, against samples of a fixed seed; the chances of the wrong input do not
    pass."""
    u, samples = unitary(4)[:, :columns], 3000

    def chi_square(seen, entering):
        """Its excess over the degrees of freedom, in standard deviations."""
        chance = {}
        for out in itertools.product(range(sum(entering) + 1), repeat=4):
            if sum(out) == sum(entering):
                amplitude = oracle(expanded(u, out, entering), Q)
                chance[out] = float(amplitude.real**2 + amplitude.imag**2) / math.prod(
                    map(math.factorial, out + tuple(entering)))
        assert abs(sum(chance.values()) - 1) < 1e-9 and set(seen) <= set(chance)
        cells = [(x * samples, seen.get(out, 0)) for out, x in chance.items() if x * samples >= 5]
        rare = samples - sum(x for x, _ in cells), samples - sum(count for _, count in cells)
        cells += [rare] * (rare[0] >= 5)
        return (sum((count - x)**2 / x for x, count in cells) - len(cells) + 1) / math.sqrt(2 * len(cells))
    drawn = perm.sampler.boson(u, entering, samples, seed=4, way=way)
    assert drawn.shape == (samples, 4) and (drawn.sum(1) == sum(entering)).all() and (drawn >= 0).all()
    seen = {}
    for out in map(tuple, drawn.tolist()):
        seen[out] = seen.get(out, 0) + 1
    assert abs(chi_square(seen, entering)) < 3
    assert chi_square(seen, entering[:-2] + entering[:-3:-1]) > 10 or entering[-1] == entering[-2]
    assert np.array_equal(perm.sampler.boson(u, entering, 50, 4, 100, way, threads=2), drawn[100:150])
    assert np.array_equal(perm.sampler.boson(u, entering, 2, 4, 100, way), drawn[100:102])
    assert not np.array_equal(perm.sampler.boson(u, entering, samples, 5, way=way), drawn)


@pytest.mark.parametrize("entering, loss", [([1, 1, 2, 0, 1, 1], 0), ([1] * 6, 0), ([2, 1, 1, 1, 0, 1], 0.2)])
def test_bosons_one_by_one_and_together(entering, loss, monkeypatch):
    """Samples by one call, and by minors of each: the same, however many are drawn at once."""
    drawn = perm.sampler.boson(unitary(6), entering, 300, 2**64 - 1, 2**64 - 100, "chain", loss)
    assert ((drawn.sum(1) < 6).sum() > 100) == (loss > 0)
    monkeypatch.setattr(perm, "_TOGETHER", -1)
    assert np.array_equal(perm.sampler.boson(unitary(6), entering, 300, 2**64 - 1, 2**64 - 100, "chain", loss), drawn)
    monkeypatch.setattr(perm, "_TOGETHER", 2)
    assert np.array_equal(perm.sampler.boson(unitary(6), entering, 9, 2**64 - 1, 100, "chain", loss), drawn[200:209])


def test_way_of_samples():
    """Of as many photons, modes, samples and losses as boson() takes; it refuses the same."""
    way = perm.sampler.way
    assert [way(6, [1] * 6, *rest) for rest in ((1,), (10,), (10, 0.1), (100, 0.1), (10, True), (10, np.True_))] == [
        "chain", "amplitudes", "chain", "amplitudes", "chain", "chain"]
    assert way(12, [1] * 12, 3000, 0.0, 1e6) == "chain" != way(12, [1] * 12, 3000)
    for bad in ((6, [1], -1), (6, [1], 1, 7), (6, [1], 1, -0.1), (6, [1], 1, math.nan), (6, [1, -1], 1), (-1, [1], 1)):
        with pytest.raises(perm.InputError):
            way(*bad)
    for bad in ((6, [1], 1.5), (6, [1], 1, "x"), (6, ["x"], 1), ("x", [1], 1)):
        with pytest.raises(perm.InputTypeError):
            way(*bad)


def test_boson_corners():
    boson = perm.sampler.boson
    assert boson(np.eye(3), [2, 0, 1], 5).tolist() == [[2, 0, 1]] * 5
    assert boson(np.eye(3), [0, 0, 0], 2).tolist() == [[0, 0, 0]] * 2 and boson(np.eye(3), [1, 0, 0], 0).shape == (0, 3)
    assert boson(np.eye(3)[:, :1], [4], 1).tolist() == [[4, 0, 0]]  # an isometry
    assert (boson(unitary(30), [1] * 18 + [0] * 12, 2).sum(1) == 18).all()
    half = np.array([[1, 1], [1, -1]]) / math.sqrt(2)
    assert not (boson(half, [1, 1], 200) == 1).any()                # two photons leave together (Hong, Ou, Mandel)
    for u, entering, text in ((np.eye(2) * 0.9, [1, 0], "^u: expected orthonormal columns, .*: column 0 times itself "
                               "is 0.81, not 1; .*loss"), (np.ones((2, 2)) / math.sqrt(2), [1, 1],
                               "^u: expected orthonormal columns, .*: column 0 times column 1 is 1, not 0$"),
                              (np.eye(2), [1], "input: expected 2 integers, one for each column of u, not"),
                              (np.eye(2), [1, -1], "input"), (np.eye(2), None, "input")):
        with pytest.raises(perm.InputError, match=text):
            boson(u, entering, 1)
    boson(np.ones((2, 2)) / math.sqrt(2), [1, 0], 1)  # whose other column no photon enters
    for entering in ([10**9, 0, 0], [100, 100, 57]):
        with pytest.raises(perm.LimitError, match="photons.*256 at most"):
            boson(np.eye(3), entering, 3, way="chain")
    assert boson(np.eye(3), [100, 100, 57], 2).tolist() == [[100, 100, 57]] * 2
    assert boson(np.zeros((0, 0)), [], 2).shape == (2, 0)
    assert boson(np.eye(3), [20, 6, 0], 1).tolist() == [[20, 6, 0]]
    assert boson(np.eye(3), [250, 6, 0], 1).tolist() == [[250, 6, 0]]
    for way in ("chain", "amplitudes"):
        with pytest.raises(perm.OutOfMemoryError):
            boson(np.eye(3), [1, 0, 0], 2**55, way=way)
    for options, error, text in (({"way": "subsets"}, perm.InputError, "way = .subsets.: expected one of auto chain"),
                                 ({"loss": -0.1}, perm.InputError, "loss: expected"),
                                 ({"loss": 1.1}, perm.InputError, "loss"), ({"loss": "x"}, perm.InputTypeError, "loss"),
                                 ({"way": "amplitudes", "precision": "dd"}, perm.InputError, "precision default")):
        with pytest.raises(error, match=text):
            boson(np.eye(2), [1, 1], 1, **options)
    with pytest.raises(perm.InputError, match="column 0 times itself is 1.21, not 1"):
        boson(np.eye(2) * 1.1, [1, 1], 1, loss=True)
    with pytest.raises(perm.InputTypeError, match="by mode: scale the rows of u, and loss=True"):
        boson(np.eye(2), [1, 1], 1, loss=[0.1, 0.2])
    with pytest.raises(perm.InputTypeError, match="treads"):
        boson(np.eye(2), [0, 0], 1, treads=2)


@pytest.mark.parametrize("way", ["chain", "amplitudes"])
def test_bosons_are_lost(way):
    """One chance for all: what is left has the distribution of amplitudes with rows for the loss; of a contraction the
    mean numbers of photons, which know no interference, and pairs."""
    u, entering, samples = unitary(4), [1, 2, 0, 1], 20000
    rows = np.vstack([u * 0.7**0.5, np.eye(4) * 0.3**0.5])
    a = perm.amplitudes(rows, entering, probabilities=True, unseen=range(4, 8))
    drawn = perm.sampler.boson(u, entering, samples, 5, way=way, loss=0.3)
    seen = np.bincount([a.index([*s, 4 - sum(s), 0, 0, 0]) for s in drawn.tolist()], minlength=len(a))
    often = np.asarray(a) * samples >= 5
    excess = ((seen - a * samples)**2 / (a * samples))[often].sum() - often.sum() + 1
    assert abs(excess) < 3 * math.sqrt(2 * often.sum())
    assert np.array_equal(perm.sampler.boson(u, entering, 9, 5, 50, way, 0.3, threads=1), drawn[50:59])
    v = u * np.array([0.9, 0.5, 1, 0.7])[:, None] @ unitary(4).T
    drawn = perm.sampler.boson(v, entering, samples, 6, way=way, loss=True)
    mean = abs(v)**2 @ entering
    assert abs(drawn.mean(0) - mean).max() < 5 / math.sqrt(samples) and mean.sum() < 3
    both, chance = ((drawn[:, 0] > 0) & (drawn.sum(1) == 4)).mean(), perm.amplitudes(v, entering, probabilities=True)
    assert abs(both - sum(p for s, p in zip(chance.states(), chance) if s[0])) < 0.02 and both > 0.02
    assert (perm.sampler.boson(u, entering, 50, way=way, loss=1) == 0).all()
    assert (perm.sampler.boson(u, entering, 50, way=way, loss=True).sum(1) == 4).all()


def test_the_way_that_is_predicted_sooner():
    way, u = perm.sampler.way, unitary(5)
    assert [way(10, [1] * 10, count) for count in (1, 10, 1000, 10**6)] == ["chain"] * 2 + ["amplitudes"] * 2
    assert way(40, [1] * 8 + [0] * 32, 10**9) == way(3, [5000, 0, 0], 9) == way(4, [0] * 4, 9) == "chain"
    assert way(12, [1] * 12, 10**4, max_bytes=1e6) == way(12, [1] * 12, 10**4, 0.1) == "chain"
    assert way(8, [1] * 8, 10**6, 0.1) == way(8, [1] * 8, 10**6, True) == way(12, [1] * 12, 10**4) == "amplitudes"
    assert way(2, np.array([200, 56]), 1) == "amplitudes"
    for count in (2, 3000):
        one, other = (perm.sampler.boson(u, [1] * 5, count, way=x) for x in ("auto", way(5, [1] * 5, count)))
        assert np.array_equal(one, other)
    fixed = perm.sampler.boson(u, [1] * 5, 3000, way="chain")
    assert np.array_equal(perm.sampler.boson(u, [1] * 5, 3000, method="glynn"), fixed)  # an engine of minors


def test_permutations_leave_by_their_weights():
    """All permutations of a small matrix, and of a rectangle, by their products; chi-square as above."""
    for a in (np.array([[1, 2, 0], [1, 1, 3], [2, 0.5, 1]]), np.array([[1, 2, 1, 0], [1, 1, 3, 0.5]])):
        m, n = a.shape
        weights = {way: math.prod(a[range(m), way]) for way in itertools.permutations(range(n), m)}
        weights = {way: weight / sum(weights.values()) for way, weight in weights.items() if weight}
        drawn = list(map(tuple, perm.sampler.permutations(a, 4000, seed=9).tolist()))
        assert set(drawn) <= set(weights)
        square = sum((drawn.count(way) - 4000 * x)**2 / (4000 * x) for way, x in weights.items())
        assert abs(square - len(weights) + 1) < 3 * math.sqrt(2 * len(weights))


@pytest.mark.parametrize("name", ["perm", "bench", "perm_verify"])
def test_names_that_functions_read_exist(name):
    """Benchmarks run beside packages that are seldom here: nobody sees there that a name is gone."""
    module = perm
    if name != "perm":
        spec = importlib.util.spec_from_file_location("names_of_" + name, os.path.join(HERE, name + ".py"))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    with open(module.__file__, encoding="utf-8") as file:
        codes, read = [compile(file.read(), name, "exec")], set()
    while codes:
        code = codes.pop()
        codes += [inner for inner in code.co_consts if inspect.iscode(inner)]
        read |= {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    assert read <= set(vars(module)) | set(vars(builtins)), read - set(vars(module)) - set(vars(builtins))
# SPDX-License-Identifier: MIT
