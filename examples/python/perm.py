"""Exact permanents of numpy arrays, lists, buffers and scipy.sparse matrices. numpy is used where there is one.

    make python                         # an extension module beside this file: small calls in 0.1 to 0.3 us
    make libperm.so                     # or a library for this file alone, by ctypes: the same answers, 3 and more

    >>> import numpy, perm
    >>> perm.permanent([[1, 2, 3], [4, 5, 6], [7, 8, 9]])            # integers: exact, as Python ints
    450
    >>> print(perm.compute(numpy.ones((4, 4)) / 10))                 # doubles, and what is known of them
    0.0024, 14 digits guaranteed
    >>> u = numpy.array([[0.6, 0.8], [0.8, -0.6]])
    >>> perm.permanent(u, rows=[2, 0], cols=[1, 1])                  # rows and columns with multiplicities: bosons
    0.96

MATRICES. numpy arrays of any strides and order, nested lists, what has the buffer protocol (memoryview, array.array),
__array__ or DLPack (tensors of torch and jax on the CPU; numpy reads them), scipy.sparse, a networkx graph (its
adjacency matrix, by weight or 1, which a warning tells; marginals() and gradient() also take the two sides of a
bipartite one), or the name of a file: Matrix Market, rows of numbers, or what `format` says. A file without a banner
that looks like a list of coordinates is read as one, with a warning and Result.message; one that may be two things is
refused. bool and integers (also Python ints beyond 64 bits, in lists or arrays of objects) are computed exactly, by
residues where the permanent may be over 4544 bits long (real ones; then 72 computations or more, one for every 63 bits;
multiplicities: by the engine subsets); float16 to float64 and complex in doubles. Complex or real arrays of whole
numbers are computed exactly with precision="exact". permanent(), minors(), gradient() and submatrices() of Fractions
are Fractions, and so of Decimals and of other packages' rational numbers (sympy, gmpy2), whose integers are ints. What
would have to be rounded first (longdouble; integers beyond 2^53 among floats) is refused. Square up to order 64, and
further where many entries are 0 or lines repeat; rectangular m x n: the sum over injections of the shorter side. 0 x 0
has permanent 1. Arrays must not be written to by other threads meanwhile.

FUNCTIONS
    permanent(a)      the number; of a stack (..., m, n) an array of them
    compute(a)        a Result: value, exponent, error bound, how it was computed
    minors(a, row)    without one row and each column      gradient(a)          by all entries
    marginals(a)      how likely each entry is in an assignment: association probabilities
    submatrices(a, rows, cols)   many selections of rows and columns
    estimate(a)       random samples, standard error       plan(a), explain(a)  what would be done, and how long
    read(file)        the matrix in a file or in bytes, as an array     graphs(file)   those of a file of many graphs
    matchings(graph)  of a bipartite graph: how many perfect matchings it has, or the sum of their products
    cycle_covers(graph)   the permanent of the adjacency matrix, which counts these
    low_rank(u, v)    of u @ v                             cauchy(x, y)         of 1 / (x_i - y_j)
    rook_numbers(a)   of integers: the sums of all k x k submatrices' permanents, k = 0, 1, ...
    polynomial(c, l)  the coefficients of per(c + x l), also of several variables
    permanental_polynomial(a)    those of per(x I - a)
    sample(a, count)  permutations of a non-negative matrix, drawn by their products; also sampler.permutations
    sampler.boson(u, input, count)   where photons leave an interferometer      amplitudes(u)   of all ways out

OPTIONS, keywords of all of them; those of the C structure perm_options
    method            an engine of METHODS by name; "auto": the least predicted time
    precision         one of PRECISIONS: default dd exact (kahan: methods glynn and ryser); "accurate" is another name
                      of dd, "fast" of default
    isa               one of ISAS, the highest instruction set to use
    threads           0: all cores. The bits do not depend on it
    certify           True: error_bound must be a proved bound (up to three times the time)
    tolerance         relative error wanted: higher precision until it is met
    modulus           of integers: the permanent modulo this, 2 .. 2^63
    max_seconds       stops there, or refuses what cannot stop
    max_bytes         refuses what is predicted to need more
    effort            look so many times as long for elimination orders of sparse matrices
    progress          called with a Progress every 0.1 s; a true answer stops
    cancel            threading.Event or anything with is_set(): stops when set (looked at every 0.1 s)
    gpus              so many at most, or "all" (a library built with perm_cuda.cu)
    cpu_fallback      True: without a GPU, the CPU
    gpu_cache         a directory for compiled kernels
    checkpoint        a file that keeps finished work: the same call goes on where it was
    checkpoint_seconds  how often it is written (60)
    part=(i, k)       only the i-th of k parts, into the checkpoint, which it needs
    merge             a list of the checkpoints of all parts
    prove             of integers: a file for the proof of the permanent, which perm_verify checks without perm
    format            one of FORMATS: what a file without a banner is; "auto": what it can only be
    rows, cols        multiplicities, where a function has them: row i stands rows[i] times; an amplitude of bosons is
                      the permanent / sqrt(the product of the factorials of both)
    out               where a function has it: float64 or complex128 without gaps, of the answer's shape; is returned

The interpreter's lock is released, so threads compute at once, unless the extension computes a matrix of order 12 at
most. Ctrl-C stops a long computation. A process made by os.fork() computes with one thread: OpenMP's do not survive a
fork. Without numpy, arrays of numbers are returned as lists. Every error is a perm.Error and a ValueError, TypeError,
IndexError, MemoryError, OverflowError, NotImplementedError, OSError or RuntimeError; its text names the argument.
Time: n 2^(n-1) additions and multiplications, n = 20 under a millisecond, n = 30 a second, each further column doubles.

The library is looked for in the file that PERM_LIBRARY names; or else it is the extension module, if that can be
imported; or else libperm.so beside this file, in build/ there and two directories up, and where the system has
libraries. LIBRARY is its name. Layouts and version are compared on import.
"""
import array
import bisect
import cmath
import copy
import ctypes
import functools
import inspect
import itertools
import math
import numbers
import operator
import os
import signal
import sys
import threading
import time
import warnings
from collections import namedtuple
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char, c_char_p, c_double, c_int, c_longlong, c_size_t,
                    c_ssize_t, c_uint64, c_void_p)
from dataclasses import dataclass, replace

try:
    import numpy as np
except ImportError:
    np = None

try:
    from _signal import getsignal as _getsignal, signal as _signal  # without the enums of signal.py, 25 us a call
except ImportError:
    from signal import getsignal as _getsignal, signal as _signal

__all__ = ["permanent", "compute", "minors", "gradient", "marginals", "submatrices", "estimate", "plan", "explain",
           "read", "graphs", "matchings", "cycle_covers", "low_rank", "cauchy", "rook_numbers", "polynomial",
           "permanental_polynomial", "sample", "sampler", "amplitudes", "Amplitudes", "OnGPU", "Result", "Estimate",
           "Plan", "Leaf", "Progress", "Gaussian", "Error", "InputError", "InputTypeError", "IndexRangeError",
           "ZeroPermanentError", "UnsupportedError", "OutOfMemoryError", "TooLargeError", "LimitError", "FileError",
           "DeviceError", "Incomplete", "METHODS", "PRECISIONS", "ISAS", "FORMATS", "ESTIMATORS", "VERSION", "LIBRARY",
           "__version__"]
__version__ = "1.0.0"
VERSION = tuple(map(int, __version__.split(".")[:2]))  # of the library that these layouts are of


def __dir__():
    return sorted(__all__ + ["__doc__", "__file__", "__name__"])


# ---- layouts, as perm.h has them; compared below with what the library says

class _Progress(Structure):
    _fields_ = [("fraction", c_double), ("seconds", c_double), ("seconds_left", c_double), ("activity", c_char_p)]


_Callback = CFUNCTYPE(c_int, POINTER(_Progress), c_void_p)
_Execute = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p)


class _GpuOptions(Structure):
    _fields_ = [("devices", c_int), ("cpu_fallback", c_int), ("cache", c_char_p), ("resident", c_int),
                ("stream", c_void_p)]


class _CheckpointFile(Structure):
    _fields_ = [("file", c_char_p), ("seconds", c_double), ("part", c_int), ("parts", c_int),
                ("merge", POINTER(c_char_p)), ("note", c_char_p)]


class _Options(Structure):
    _fields_ = [("method", c_int), ("precision", c_int), ("isa", c_int), ("threads", c_int), ("certify", c_int),
                ("tolerance", c_double), ("modulus", c_uint64), ("max_seconds", c_double), ("max_bytes", c_double),
                ("plan_effort", c_double), ("progress", _Callback), ("user_data", c_void_p), ("cancel", c_void_p),
                ("allocator", c_void_p * 3), ("gpu", _GpuOptions), ("checkpoint", _CheckpointFile),
                ("execute", c_void_p), ("format", c_int)]


class _Integer(Structure):
    _fields_ = [("negative", c_int), ("words", c_int), ("word", c_uint64 * 71)]

    def __int__(self):
        magnitude = sum(word << 64 * k for k, word in enumerate(self.word[:self.words]))
        return -magnitude if self.negative else magnitude


class _Result(Structure):
    _fields_ = [("value", c_double), ("imaginary", c_double), ("partial_sum", c_double),
                ("partial_imaginary", c_double), ("exp2", c_longlong), ("error_bound", c_double),
                ("error_estimate", c_double), ("is_complex", c_int), ("exact", c_int), ("integer", _Integer),
                ("imaginary_integer", _Integer), ("modulus", c_uint64), ("method", c_int), ("precision", c_int),
                ("isa", c_int), ("threads", c_int), ("gpus", c_int), ("escalated", c_int),
                ("terms", c_double), ("plan_seconds", c_double), ("seconds", c_double), ("status", c_int),
                ("argument", c_int), ("message", c_char * 256)]


class _Leaf(Structure):
    _fields_ = [("kind", c_int), ("method", c_int), ("isa", c_int), ("n", c_int), ("chunks", c_uint64),
                ("work", c_double), ("seconds", c_double), ("bytes", c_double), ("fingerprint", c_uint64)]


class _Offer(Structure):
    _fields_ = [("block", c_int), ("n", c_int), ("method", c_int), ("seconds", c_double), ("bytes", c_double),
                ("reason", c_char * 160)]


class _Matrix(Structure):  # its head; the allocator follows
    _fields_ = [("m", c_int), ("n", c_int), ("nnz", c_size_t), ("kind", c_int), ("row_start", POINTER(c_size_t)),
                ("column", POINTER(c_int)), ("real", POINTER(c_double)), ("imaginary", POINTER(c_double)),
                ("integer", POINTER(ctypes.c_int64))]


class _EstimatePlan(Structure):
    _fields_ = [("estimator", c_int), ("samples", c_double), ("relative_error", c_double), ("confidence", c_double),
                ("seed", c_uint64), ("guarantee", c_int)]


class _Estimate(Structure):
    _fields_ = [("value", c_double), ("imaginary", c_double), ("exp2", c_longlong), ("standard_error", c_double),
                ("low", c_double), ("high", c_double), ("radius", c_double), ("proved_radius", c_double),
                ("certain_low", c_double), ("certain_high", c_double), ("confidence", c_double), ("samples", c_double),
                ("seed", c_uint64), ("estimator", c_int), ("is_complex", c_int),
                ("threads", c_int), ("seconds", c_double), ("status", c_int), ("argument", c_int),
                ("message", c_char * 256)]


class _Outputs(Structure):
    _fields_ = [("most", c_void_p), ("exactly", c_void_p), ("probabilities", c_int), ("on_gpu", c_int),
                ("block", c_void_p), ("user_data", c_void_p)]


_LAYOUTS = {"perm_progress": _Progress, "perm_gpu_options": _GpuOptions,
            "perm_checkpoint_file": _CheckpointFile, "perm_options": _Options, "perm_integer": _Integer,
            "perm_result": _Result, "perm_leaf": _Leaf, "perm_offer": _Offer,
            "perm_estimate_plan": _EstimatePlan, "perm_estimate": _Estimate, "perm_outputs": _Outputs}

# Arguments: i int, u uint64_t, l ptrdiff_t, z size_t, p pointer, s text, O options, R result
_ARGUMENTS = {"i": c_int, "u": c_uint64, "l": c_ssize_t, "z": c_size_t, "p": c_void_p, "s": c_char_p,
              "O": POINTER(_Options), "R": POINTER(_Result)}
_FUNCTIONS = {
    "perm_complex": "ipp", "perm_compute_real": "iiplOR", "perm_compute_complex": "iiplOR",
    "perm_compute_integer": "iiplOR", "perm_compute_gaussian": "iiplOR", "perm_compute_repeated_real": "iiplppOR",
    "perm_compute_repeated_complex": "iiplppOR", "perm_compute_repeated_integer": "iiplppOR",
    "perm_compute_repeated_gaussian": "iiplppOR", "perm_minors_real": "iiplppiOpR", "perm_minors_complex": "iiplppiOpR",
    "perm_gradient_real": "iiplppOpR", "perm_gradient_complex": "iiplppOpR", "perm_marginals_real": "iiplppOpR",
    "perm_batch_real": "izpzOpR", "perm_batch_complex": "izpzOpR", "perm_batch_real_soa": "izpzOpR",
    "perm_batch_complex_soa": "izpzOpR", "perm_select_real": "iiplizppOpR", "perm_select_complex": "iiplizppOpR",
    "perm_estimate_real": "iplpOp", "perm_estimate_complex": "iplpOp", "perm_compute_low_rank_real": "iiplplOR",
    "perm_compute_low_rank_complex": "iiplplOR", "perm_compute_cauchy_real": "ippOpR",
    "perm_compute_cauchy_complex": "ippOpR", "perm_matrix_from_triplets": "iizpppppiOpR", "perm_matrix_read": "sOppR",
    "perm_matrix_read_memory": "szsOpR", "perm_job_offer": "pip", "perm_job_precision": "pp",
    "perm_compute_sparse": "pOR", "perm_prove_sparse": "psOR", "perm_prove_integer": "iiplsOR",
    "perm_prove_gaussian": "iiplsOR", "perm_polynomial_sparse": "ppiOppR", "perm_polynomial_sparse_integer": "ppiOpR",
    "perm_polynomial_several_integer": "iiiplpOpR", "perm_polynomial_several_gaussian": "iiiplpOpR",
    "perm_polynomial_several_real": "iiiplpOppR", "perm_polynomial_several_complex": "iiiplpOppR",
    "perm_rook_numbers": "pOpR", "perm_sample_sparse": "pOuuupR", "perm_gradient_sparse": "pOpR",
    "perm_gradient_sparse_integer": "pOpR", "perm_gradient_sparse_mod": "pOpR", "perm_marginals_sparse": "pOppR",
    "perm_marginals_sparse_batch": "zpOppp", "perm_amplitudes_complex": "iiplppOpR", "perm_amplitudes_count": "iipp",
    "perm_amplitudes_index": "ippp", "perm_amplitudes_state": "iipzp", "perm_sparse_job": "pOpR",
    "perm_job_leaf": "pip", "perm_job_leaves": "p"}


def _check(library):
    """Why the library is not the one that this file was written for; None if it is."""
    try:
        library.perm_layout.argtypes = library.perm_more_layout.argtypes = [c_char_p, c_void_p, c_void_p]
        version = library.perm_version()
    except AttributeError:
        return "it has no perm_version or perm_more_layout: another library, or an older one"
    if (version // 1000000, version // 1000 % 1000) != VERSION:
        return "it is version %d.%d, this file is for %d.%d" % (version // 1000000, version // 1000 % 1000, *VERSION)
    offset, size = c_size_t(), c_size_t()
    for name, structure in _LAYOUTS.items():
        wanted = {name: (0, ctypes.sizeof(structure))}
        for field, *_ in structure._fields_:
            at = getattr(structure, field)
            wanted[name + "." + field] = (at.offset, at.size)
        for key, place in wanted.items():
            more = name.startswith(("perm_estimate", "perm_outputs"))
            layout = library.perm_more_layout if more else library.perm_layout
            if layout(key.encode(), byref(offset), byref(size)) or (offset.value, size.value) != place:
                return "%s is not at %d with %d bytes there" % (key, *place)
    return None


def _import():
    """The extension module beside this file, if there is one of this version; PERM_LIBRARY rules it out."""
    if os.environ.get("PERM_LIBRARY"):
        return None
    try:
        if __package__:  # as installed, perm/__init__.py
            from . import _perm
        else:
            import _perm
    except ImportError:
        return None
    if getattr(_perm, "VERSION", None) != VERSION:
        warnings.warn("%s is not for version %d.%d: run `make python`" % (_perm.__file__, *VERSION), stacklevel=3)
        return None
    return _perm


def _load():
    here = os.path.dirname(os.path.abspath(__file__))
    named = os.environ.get("PERM_LIBRARY")
    if _extension:
        names = [_extension.__file__]
    elif named:
        names = [named]
    else:
        above = os.path.join(here, os.pardir, os.pardir)  # of the sources, or where make install put it
        places = [here, os.path.join(here, "build"), os.path.join(above, "build"), above]
        names = [os.path.join(place, name) for place in places for name in ("libperm.so", "libperm.dylib")]
        names = [name for name in names if os.path.exists(name)]
        from ctypes.util import find_library  # a third of the time of `import perm`, which the extension does not want
        names += ["libperm.so.%d" % VERSION[0], find_library("perm")]
    reasons = []
    for name in filter(None, names):
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            reasons.append(str(error))
            continue
        reason = _check(library)
        if reason is None:
            return library, name
        reasons.append(name + ": " + reason)
    raise ImportError("no libperm.so of version %d.%d: run `make libperm.so` and set PERM_LIBRARY to the file, or put "
                      "it beside perm.py (%s)" % (*VERSION, "; ".join(reasons)))


_extension = _import()
_lib, LIBRARY = _load()
for _name, _letters in _FUNCTIONS.items():
    getattr(_lib, _name).argtypes = [_ARGUMENTS[letter] for letter in _letters]
_lib.perm_real.argtypes, _lib.perm_real.restype = [c_int, c_void_p], c_double
_lib.perm_matrix_free.argtypes, _lib.perm_matrix_free.restype = [c_void_p], None
_lib.perm_job_free.argtypes, _lib.perm_job_free.restype = [c_void_p], None
_lib.perm_job_explain.argtypes, _lib.perm_job_explain.restype = [c_void_p, c_char_p, c_size_t], c_size_t
_MATRIX_BYTES = c_size_t()
_lib.perm_more_layout(b"perm_matrix", byref(c_size_t()), byref(_MATRIX_BYTES))
_lib.perm_amount_text.argtypes = [c_char_p, c_double, c_char_p, c_size_t]
_lib.perm_name.argtypes, _lib.perm_name.restype = [c_char_p, c_longlong], c_char_p


def _names(kind):
    names = map(functools.partial(_lib.perm_name, kind), itertools.count())
    return tuple(name.decode() for name in itertools.takewhile(b"unknown".__ne__, names))


METHODS, PRECISIONS, ISAS, FORMATS, ESTIMATORS = map(_names, (b"method", b"precision", b"isa", b"format", b"estimator"))
_SPARSE_METHODS = set(METHODS[METHODS.index("frontier"):])
_FLOAT_METHODS = {"dense", "glynn", "ryser", "expansion"} | _SPARSE_METHODS  # which integer functions do not have


# ---- results and errors

class Gaussian(namedtuple("Gaussian", "real imag")):
    """The Gaussian integer real + i imag, of Python ints."""

    def __complex__(self):
        return complex(self.real, self.imag)


class Progress(namedtuple("Progress", "fraction seconds seconds_left activity")):
    """What a running job tells: fraction of the predicted work (0 to 1), seconds so far and left (inf at first)."""


class _Shown:
    """str() in notebooks, and in their HTML how it was computed."""

    def _repr_pretty_(self, printer, cycle):
        printer.text(str(self))

    def _repr_html_(self):
        from html import escape
        return "<b>%s</b><br><small>%s</small>" % (escape(str(self)), escape(self._how()))


@dataclass(frozen=True)
class Result(_Shown):
    """permanent = value * 2**exp2, within error_bound * 2**exp2 (proved; inf: no bound)
    and about error_estimate * 2**exp2.

    permanent, float(), int() and complex() of it give the number itself. value alone is not the permanent where exp2 is
    not 0. value is a float or complex; integer the permanent itself where it was computed exactly and the entries are
    integers (int, or Gaussian of complex matrices), else None. method, precision and isa say what was used, seconds and
    plan_seconds how long it took (0 of small matrices, for which no clock is read), terms how many summands or states;
    escalated how often the precision was raised.
    status is "PERM_OK", or "PERM_TOLERANCE_NOT_MET", or why it stopped early: then value is NaN, and partial_sum *
    2**exp2 the sum of the terms so far, which approximates nothing (0 otherwise). message says more."""
    __annotations__ = dict.fromkeys((  # the fields; their types are in perm.pyi
        "value partial_sum exp2 integer exact error_bound error_estimate modulus method precision isa threads gpus "
        "escalated terms plan_seconds seconds status message").split(), object)

    @property
    def permanent(self):
        """integer, if there is one, else value * 2**exp2: TooLargeError (an OverflowError) if a double does not hold
        that."""
        return _scaled(self) if self.integer is None else self.integer

    def __float__(self):
        number = self.permanent
        if isinstance(number, (complex, Gaussian)):
            raise InputTypeError("the permanent is complex: complex(result)")
        try:
            return float(number)
        except OverflowError:
            raise TooLargeError("the permanent exceeds a double; int(result) is exact", "PERM_ERROR_OVERFLOW",
                                self) from None

    def __complex__(self):
        return complex(self.permanent)

    def __int__(self):
        if not isinstance(self.integer, int):
            raise InputTypeError("the permanent is not known as an integer: precision=\"exact\" computes it so")
        return self.integer

    def __str__(self):
        """One line of what is known: "25, exactly", "1.20067e23, 6 digits guaranteed"."""
        if self.status not in ("PERM_OK", "PERM_TOLERANCE_NOT_MET"):
            return self.message or self.status
        if self.integer is not None:
            return "%s%s, exactly" % (self.integer, " modulo %d" % self.modulus if self.modulus else "")
        size, power = abs(self.value), "" if self.exp2 == 0 else " * 2**%d" % self.exp2
        if self.exact or size == 0 == self.error_bound:
            return "%.17g%s, exactly" % (size and self.value, power) if not isinstance(self.value, complex) else (
                "%s%s, exactly" % (self.value, power))
        for error, known in ((self.error_bound, "guaranteed"), (self.error_estimate, "estimated")):
            digits = 0 if not 0 <= error < size else 17 if error == 0 else min(int(-math.log10(error / size)), 17)
            if digits > 0:
                return "{:.{}g}{}, {} digit{} {}".format(self.value, digits, power, digits, "s" * (digits > 1), known)
        return "%s%s, no digit known" % (self.value, power)

    def _how(self):
        return "method %s, precision %s, %s, %d thread%s, %s" % (
            self.method, self.precision, self.isa, self.threads, "s" * (self.threads > 1),
            "%.3g s" % self.seconds if self.seconds else "no clock was read")


class _Beside(Result):
    """Comes with minors or derivatives: its errors are those of the worst of them, and value is a row times its minors,
    which may cancel."""

    def __str__(self):
        if self.status not in ("PERM_OK", "PERM_TOLERANCE_NOT_MET"):
            return self.message or self.status
        proved, power = self.error_bound < math.inf, "" if self.exp2 == 0 else " * 2**%d" % self.exp2
        return "each within %.3g%s, %s; a row times its minors: %s%s" % (
            self.error_bound if proved else self.error_estimate, power, "guaranteed" if proved else "estimated",
            self.value, power)


@dataclass(frozen=True)
class Estimate(_Shown):
    """permanent = value * 2**exp2 about, +- standard_error; with the confidence given from low to high (complex: within
    radius); everything in units of 2**exp2."""
    __annotations__ = dict.fromkeys((
        "value exp2 standard_error low high radius proved_radius certain_low certain_high confidence samples seed "
        "estimator threads seconds status message").split(), object)

    def __str__(self):
        """One line of what is known: "9.986 +- 0.0098, 10240 samples", as many digits as the standard error leaves."""
        if self.value != self.value:
            return self.message or self.status
        size, error = abs(self.value), self.standard_error
        digits = 17 if error == 0 else 1 if not error < size else min(2 + int(math.log10(size / error)), 17)
        known = "{:.{}g} +- {:.2g}".format(self.value, digits, error)
        how = "%d samples" % self.samples if self.samples else "computed"
        return "%s, %s" % ("(%s) * 2**%d" % (known, self.exp2) if self.exp2 else known, how)

    def _how(self):
        return "estimator %s, seed %d, %.3g %% of the time from %.6g to %.6g, %.3g s" % (
            self.estimator, self.seed, 100 * self.confidence, self.low, self.high, self.seconds)


class Leaf(namedtuple("Leaf", "method isa n chunks work seconds bytes")):
    """One sum of a plan: engine, instruction set, order, how many pieces; predicted seconds (one thread) and bytes."""


class Plan(namedtuple("Plan", "seconds bytes leaves text")):
    """What would be done: predicted seconds (one thread) and most bytes, the leaves, and a text for people."""

    def _repr_pretty_(self, printer, cycle):
        printer.text(self.text)


class Error(Exception):
    """Any failure. status: "PERM_ERROR_OPTION", ...; result: the Result of one that stopped early, else None."""

    def __init__(self, message, status=None, result=None):
        Exception.__init__(self, message)
        self.status, self.result = status, result

    def __str__(self):
        return Exception.__str__(self)


class InputError(Error, ValueError):
    """A matrix, option or count that makes no sense."""


class ZeroPermanentError(InputError):
    """The permanent is 0: no assignment has a weight, so there are no marginals and no samples."""


class InputTypeError(Error, TypeError):
    """An argument of a type that makes no sense, or an option that does not exist."""


class IndexRangeError(Error, IndexError):
    """An index of a row or column is out of range."""


class UnsupportedError(Error, NotImplementedError):
    """Not available for this matrix, machine or version."""


class OutOfMemoryError(Error, MemoryError):
    """Memory ran out."""


class TooLargeError(Error, OverflowError):
    """The number does not fit its type: it is too large, or a double too small."""


class LimitError(Error, RuntimeError):
    """Refused beforehand: predicted to exceed max_seconds, max_bytes or what is possible at all."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class DeviceError(Error, RuntimeError):
    """A GPU, its driver or its compiler is missing or has failed."""


class Incomplete(Error, RuntimeError):
    """Stopped by max_seconds, progress or cancel; or tolerance not met; or only a part. `result` has what there is."""


_ERRORS = {"PERM_ERROR_RANGE": IndexRangeError, "PERM_ERROR_UNSUPPORTED": UnsupportedError,
           "PERM_ERROR_MEMORY": OutOfMemoryError, "PERM_ERROR_OVERFLOW": TooLargeError, "PERM_ERROR_LIMIT": LimitError,
           "PERM_ERROR_FILE": FileError, "PERM_ERROR_DEVICE": DeviceError,
           "PERM_ERROR_ZERO": ZeroPermanentError}  # all others: InputError


_IN_PYTHON = (  # what the library's messages name by C's names or the command's options, and this module
    ("--format ", "format="), ("options: ", ""),
    ("perm FILE takes every line, and so does perm_matrix_read_each", "perm.graphs() reads every line"),
    ("perm_estimate_*", "perm.estimate()"),
    ("this method has no plan: use perm_compute_real, perm_compute_complex",
     "this method is not for such matrices or this function"),
    (": use perm_compute_integer or perm_compute_repeated_integer", ""),
    (": perm_compute_integer, perm_compute_gaussian", ""),
    ("use perm_compute_real", "use perm.compute()"), ("use perm_compute_complex", "use perm.compute()"),
    (" is not one of perm_method", ": such a name is only in results"),
    ("plan: ", ""),
    # fields of perm_options
    ("options.modulus", "modulus"), ("options.isa", "isa"), ("options.gpu.", "gpu."), ("plan_effort", "effort"),
    ("gpu.devices", "gpus"), ("gpu.cache", "gpu_cache"), ("gpu.cpu_fallback", "cpu_fallback"),
    ("checkpoint.file", "checkpoint"), ("checkpoint.seconds", "checkpoint_seconds"), ("checkpoint.part", "part"),
    ("checkpoint.merge", "merge"), (" (PERM_ALL_GPUS)", ""), ("(NULL means", "(None means"))


def _text(message):
    """A message of the library in Python's words."""
    text = message if isinstance(message, str) else message.decode(errors="replace")  # the extension's are str
    for there, here in _IN_PYTHON:
        text = text.replace(there, here)
    return text


_COUNTED = "; rows and cols say how often each line stands: perm.submatrices() takes indices"


def _error(status, message, result=None):
    name = _lib.perm_name(b"status", status).decode()
    text = _text(message) + (_COUNTED if name == "PERM_ERROR_COUNTS" else "")
    return (Incomplete if status > 0 else _ERRORS.get(name, InputError))(text or name, name, result)


def _warn(text):
    """A warning at the line that called this module."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals is globals():
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)


def _lifted(x, exponent):
    """x times 2**exponent."""
    if isinstance(x, complex):
        return complex(math.ldexp(x.real, exponent), math.ldexp(x.imag, exponent))
    return math.ldexp(x, exponent)


_LEAST = sys.float_info.min  # below it doubles lose bits


def _scaled(result):
    """value * 2**exp2, or TooLargeError where a double does not hold it: too large, or so small that bits are lost."""
    value, exp2 = result.value, max(min(result.exp2, 10**6), -10**6)
    try:
        number = _lifted(value, exp2)
    except OverflowError:
        raise TooLargeError("the permanent exceeds a double; compute() gives value and exp2", "PERM_ERROR_OVERFLOW",
                            result) from None
    parts = abs(number.real), abs(number.imag)
    if max(parts) < _LEAST and value and _lifted(number, -exp2) != value:
        raise TooLargeError("the permanent is about 1e%.0f, too small for a double; compute() gives value and exp2" % (
            math.log10(abs(value)) + result.exp2 * math.log10(2)), "PERM_ERROR_OVERFLOW", result)
    return number


def _result(r, whole=False):
    integer = None
    if whole and r.exact:
        integer = Gaussian(int(r.integer), int(r.imaginary_integer)) if r.is_complex else int(r.integer)
    return Result(complex(r.value, r.imaginary) if r.is_complex else r.value,
                  complex(r.partial_sum, r.partial_imaginary) if r.is_complex else r.partial_sum,
                  r.exp2, integer, bool(r.exact), r.error_bound,
                  r.error_estimate, r.modulus, METHODS[r.method], PRECISIONS[r.precision], ISAS[r.isa], r.threads,
                  r.gpus, r.escalated, r.terms, r.plan_seconds, r.seconds,
                  _lib.perm_name(b"status", r.status).decode(),
                  _text(r.message))


# ---- options, and calls that can be interrupted

_64_BITS = 2**64 - 1
_SIGINT = int(signal.SIGINT)
_running = threading.local()  # .call: the innermost call of this thread; callbacks come from the calling thread only
_forked = False
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: globals().update(_forked=True))


@_Callback
def _on_progress(report, _):
    call = _running.call
    try:
        if call.interrupted or (call.cancel is not None and call.cancel.is_set()):
            return 1
        if call.progress is None:
            return 0
        now = report.contents
        return 1 if call.progress(Progress(now.fraction, now.seconds, now.seconds_left, now.activity.decode())) else 0
    except BaseException as error:  # nothing may pass through C: it goes on after the call
        call.raised = error
        return 1


_BOOLS = (bool, np.bool_) if np else (bool,)
_INTEGERS = (int, np.integer) + _BOOLS if np else (int,)
_COMPLEX = (complex, np.complexfloating) if np else (complex,)
_REAL = (float, np.floating) if np else (float,)
_LONG = (np.longdouble, np.clongdouble) if np else ()


def _whole(name, value, low=-2**31, high=2**31 - 1, none=None):
    """An int between low and high, or `none`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InputTypeError("%s: expected an integer, not %.60r" % (name, value), "PERM_ERROR_OPTION") from None
    if not low <= number <= high and number != none:
        raise InputError("%s = %d is outside %d .. %d" % (name, number, low, high), "PERM_ERROR_OPTION")
    return number


def _real(name, value):
    """A float; None: 0."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return 0.0 if value is None else float(value)
    except (TypeError, ValueError):
        raise InputTypeError("%s: expected a number, not %.60r" % (name, value), "PERM_ERROR_OPTION") from None
    except OverflowError:
        raise InputError("%s: expected a number that a float can hold" % name, "PERM_ERROR_OPTION") from None


def _flag(name, value):
    if not isinstance(value, _BOOLS) and not (type(value) is int and value in (0, 1)):
        raise InputTypeError("%s: expected True or False, not %.60r" % (name, value), "PERM_ERROR_OPTION")
    return bool(value)


def _path(name, value):
    """A file's name as bytes; None stays None."""
    if value is None:
        return None
    try:
        path = os.fsencode(value)
    except (TypeError, UnicodeError):
        raise InputTypeError("%s: expected a file's name, not %.60r" % (name, value), "PERM_ERROR_OPTION") from None
    if b"\0" in path:
        raise InputError("%s: a file's name has no zero byte" % name, "PERM_ERROR_OPTION")
    return path


def _meant(word, words):
    """ ' (did you mean "tolerance"?)', if one of the words is that close."""
    import difflib  # takes a tenth of the import
    close = difflib.get_close_matches(word.lower(), words, 1) if isinstance(word, str) else ()
    return " (did you mean \"%s\"?)" % close[0] if close else ""


_KNOWN_AS = {  # the command's options and other packages' words for ours
    "guarantee": "perm.estimate() with guarantee=(0.1, 0.05)", "certified": "certify",
    **dict.fromkeys(("rows", "cols"), "permanent(), compute(), minors() or gradient(), which have rows= and cols="),
    "estimate": "perm.estimate()", "mod": "modulus", "seconds": "max_seconds", "time_limit": "max_seconds",
    "timeout": "max_seconds", "memory": "max_bytes", "n_jobs": "threads", "workers": "threads", "device": "gpus",
    "gpu": "gpus", "digits": "tolerance", "rtol": "tolerance", "epsilon": "relative_error", "delta": "confidence"}


def _one_of(name, word, words):
    listed = [each for each in words if each not in _RESULTS_ONLY]
    if not isinstance(word, str) or word not in listed:
        raise InputError("%s = %.60r%s: expected one of %s" % (name, word, _meant(word, listed), " ".join(listed)),
                         "PERM_ERROR_OPTION")
    return words.index(word)


_RESULTS_ONLY = ("structure", "low-rank", "borchardt")  # of METHODS: by the zeros alone; low_rank(); cauchy()


def _part(part):
    try:
        one, of = part
    except (TypeError, ValueError):
        raise InputTypeError("part: expected a pair such as (1, 8), not %.60r" % (part,), "PERM_ERROR_OPTION") from None
    of = _whole("part", of, 1)
    return _whole("part", one, 1, of), of


def _files(merge):
    try:
        names = None if isinstance(merge, (str, bytes, os.PathLike)) else list(merge)
    except TypeError:
        names = None
    if names is None:
        raise InputTypeError("merge: expected a list of files, not %.60r" % (merge,), "PERM_ERROR_OPTION")
    return [_path("merge", name) for name in names]


# methods and precisions by older names
_OLDER = {"classes": "twins", "signs": "sign-search", "repeats": "multiplicities", "proof": "auto",
          "cached": "hybrid", "codegen-registers": "codegen", "codegen-memory": "codegen", "accurate": "dd",
          "fast": "default"}


def _newer(name):
    return _OLDER.get(name, name) if isinstance(name, str) else name


class _Call:
    """The options of one call and what came of it."""

    def __init__(self, method="auto", precision="default", isa="auto", threads=0, certify=False, tolerance=0, modulus=0,
                 max_seconds=0, max_bytes=0, effort=0, gpus=0, cpu_fallback=False, gpu_cache=None,
                 checkpoint=None, checkpoint_seconds=0, part=None, merge=None, prove=None, progress=None,
                 cancel=None, format="auto"):
        o = self.options = _Options()
        self.prove = _path("prove", prove)
        self.proves = prove is not None or (isinstance(method, str) and method == "proof")  # the older word, no file
        self.method, self.precision = method, precision = _newer(method), _newer(precision)
        o.method = _one_of("method", method, METHODS)
        o.precision = _one_of("precision", self.precision, PRECISIONS)
        o.isa = _one_of("isa", isa, ISAS)
        o.threads = _whole("threads", threads, 0, 4096)
        if _forked:
            o.threads = 1
        o.certify = _flag("certify", certify)
        o.tolerance, o.max_seconds = _real("tolerance", tolerance), _real("max_seconds", max_seconds)
        o.max_bytes, o.plan_effort = _real("max_bytes", max_bytes), _real("effort", effort)
        o.checkpoint.seconds = _real("checkpoint_seconds", checkpoint_seconds)
        o.modulus = 0 if modulus is None else _whole("modulus", modulus, 2, 2**63, 0)
        o.gpu.devices = -1 if isinstance(gpus, str) and gpus == "all" else _whole("gpus", gpus)
        o.gpu.cpu_fallback = _flag("cpu_fallback", cpu_fallback)
        o.gpu.cache = _path("gpu_cache", gpu_cache)
        o.checkpoint.file = _path("checkpoint", checkpoint)
        o.format = _one_of("format", format, FORMATS)
        if part is not None:
            o.checkpoint.part, o.checkpoint.parts = _part(part)
            if checkpoint is None:
                raise InputError("part: its work is kept in a file, add checkpoint=", "PERM_ERROR_OPTION")
        if merge is not None:
            files = _files(merge)
            o.checkpoint.merge = ctypes.cast((c_char_p * (len(files) + 1))(*files), POINTER(c_char_p))
        self.pieces = checkpoint is not None or part is not None or merge is not None
        self.asks = (bytes(o) != bytes(_Options(threads=o.threads)) or self.pieces or self.proves or
                     progress is not None or cancel is not None)  # for more than perm_real gives
        if progress is not None and not callable(progress):
            raise InputTypeError("progress: expected a function of a Progress, not %.60r" % (progress,),
                                 "PERM_ERROR_OPTION")
        if cancel is not None and not hasattr(cancel, "is_set"):
            raise InputTypeError("cancel: expected a threading.Event, not %.60r" % (cancel,), "PERM_ERROR_OPTION")
        self.progress, self.cancel = progress, cancel
        self.interrupted, self.raised = False, None
        o.progress = _on_progress
        self.result = _Result()
        self.whole = True  # the permanent of integers

    def there(self, resident, array):
        """Asks for the GPU where arrays lie: 1 + 2, what is read and what is written."""
        if _without_cuda():
            raise DeviceError("an array on a GPU: this library was built without CUDA", "PERM_ERROR_DEVICE")
        gpu = self.options.gpu
        gpu.devices, gpu.cpu_fallback, gpu.resident, gpu.stream = gpu.devices or 1, 0, resident, array.stream

    def _interrupt(self, *_):
        self.interrupted = True

    def run(self, name, *arguments):
        """Calls the library; Ctrl-C, an exception in progress() and errors are raised afterwards."""
        if self.proves and not name.startswith(("perm_prove_", "perm_matrix_")):
            raise InputError("prove is for single exact permanents: compute and permanent", "PERM_ERROR_OPTION")
        gpu = self.options.gpu
        asked = gpu.devices >= -1 and gpu.devices and not gpu.cpu_fallback
        if asked and name != "perm_sparse_job" and not self.options.execute and _without_cuda():  # plans are made
            raise DeviceError("gpus: this library was built without CUDA; cpu_fallback=True computes on the CPU",
                              "PERM_ERROR_DEVICE")
        before, handler = getattr(_running, "call", None), None
        _running.call = self
        try:
            # Python's handlers run between bytecodes, those of _on_progress too, where an exception would be lost: so
            # one that raises nothing stands in for it meanwhile. Signals are the main interpreter's alone.
            if threading.current_thread() is threading.main_thread() and callable(_getsignal(_SIGINT)):
                try:
                    handler = _signal(_SIGINT, self._interrupt)
                except ValueError:
                    pass
            status = getattr(_lib, name)(*arguments)
        finally:
            _running.call = before
            if handler is not None:
                _signal(_SIGINT, handler)
        if self.raised is not None:
            raise self.raised
        if self.interrupted:
            self.interrupted = False
            handler(_SIGINT, None)  # KeyboardInterrupt, unless the program has a handler of its own
        return status

    def must(self, name, *arguments):
        """The same with the result as last argument; anything but 0 is raised."""
        status = self.run(name, *arguments, byref(self.result))
        if status:
            raise _error(status, self.result.message, _result(self.result))

    def compute(self, name, *arguments):
        """The same with options and result as last arguments; anything below 0 is raised."""
        if self.proves:
            if "repeated" in name:
                raise UnsupportedError("prove: proofs are of matrices without multiplicities")
            if name in ("perm_compute_real", "perm_compute_complex"):
                raise UnsupportedError('proofs are of integers; whole numbers given as floats: precision="exact"')
            if name in ("perm_compute_integer", "perm_compute_gaussian", "perm_compute_sparse"):
                name, arguments = name.replace("compute", "prove"), arguments + (self.prove,)
        status = self.run(name, *arguments, byref(self.options), byref(self.result))
        if status < 0:
            raise _error(status, self.result.message)
        return self.result


class _Clock:
    """max_seconds of a call of this module that makes several of the library: each gets what is left."""

    def __init__(self, options):
        self.options, self.seconds = options, _real("max_seconds", options.get("max_seconds"))
        self.end = time.monotonic() + self.seconds

    def left(self):
        """The options of the next call; Incomplete where hardly any time is left. Bad numbers are refused elsewhere."""
        if not self.seconds > 0:
            return self.options
        left = self.end - time.monotonic()
        if left <= self.seconds / 20:  # the library would refuse the rest as hopeless
            raise Incomplete("max_seconds reached", "PERM_STOPPED_TIME")
        return {**self.options, "max_seconds": left}


def _without_cuda():
    """Whether the library knows no GPUs: it says so when it plans for one. A small matrix would go to the CPU."""
    global _cuda
    if _cuda is None:
        try:
            plan([[1.5, 2, 3, 0], [4, 5, 6, 7], [7, 8, 1, 2], [3, 4, 5, 6]], method="codegen", gpus=1)
            _cuda = True
        except Error as error:
            _cuda = "PERM_WITH_CUDA" not in str(error)
    return not _cuda


_cuda = None  # not known yet
_OPTIONS = _Call.__init__.__code__.co_varnames[1:_Call.__init__.__code__.co_argcount]


def _call(options, *others):
    """The _Call of options that exist; others: keywords that the function has besides."""
    for name in options:
        if name not in _OPTIONS:
            meant = " (did you mean %s?)" % _KNOWN_AS[name] if name in _KNOWN_AS else _meant(name, _OPTIONS + others)
            raise InputTypeError("unknown option %s%s: expected one of %s" % (name, meant, " ".join(others + _OPTIONS)),
                                 "PERM_ERROR_OPTION")
    return _Call(**options)


# ---- matrices: numpy's arrays, or _Plain ones where there is no numpy

class _Plain:
    """Numbers row by row in memory of their own or lent by a buffer: what this module uses of numpy's arrays.

    kind as in _kind; data: array.array or memoryview of numbers (complex: pairs of them), or a list of Python ints."""

    def __init__(self, kind, shape, data):
        self.kind, self.shape, self.data = kind, tuple(shape), data
        self.ndim, self.size = len(self.shape), math.prod(self.shape)

    def tolist(self):
        """The numbers, without rows."""
        if self.kind != "D":
            return self.data.tolist() if hasattr(self.data, "tolist") else list(self.data)
        parts = iter(self.data)
        return [complex(x, y) for x, y in zip(parts, parts)]

    def nested(self):
        """The numbers in lists of lists."""
        values = self.tolist()
        for size in self.shape[:0:-1]:
            values = [values[k:k + size] for k in range(0, len(values), size)] if size else [
                [] for _ in range(math.prod(self.shape[:-1]))]
        return values

    def __getitem__(self, at):
        """One matrix of a stack."""
        shape = self.shape[len(at):]
        position, size = 0, math.prod(shape) * (2 if self.kind == "D" else 1)
        for index, length in zip(at, self.shape):
            position = position * length + index
        return _Plain(self.kind, shape, self.data[position * size:(position + 1) * size])


_CODES = {"q": "q", "d": "d", "D": "d"}  # of array.array, by _kind
_NAMES = {"q": "int64", "d": "float64", "D": "complex128", "O": "object"}


def _kind(a):
    """q: int64, d: float64, D: complex128, O: Python ints, some beyond 64 bits."""
    if type(a) is _Plain:
        return a.kind
    return {"i": "q", "O": "O", "c": "D"}.get(a.dtype.kind) or a.dtype.char


def _made(kind, shape, values):
    """An array of the numbers in a list."""
    if np:
        a = np.empty(shape, _NAMES[kind])
        a.ravel()[:] = values
        return a
    if kind == "O":
        return _Plain(kind, shape, values)
    return _Plain(kind, shape, array.array(_CODES[kind], [part for x in values for part in (x.real, x.imag)]
                                           if kind == "D" else values))


def _entries(a):
    return a.tolist() if type(a) is _Plain else a.ravel().tolist()


def _foreign(entries, kinds, but=()):
    """Whether there are numbers of these kinds among them that are not of Python or numpy."""
    return any(issubclass(each, kinds) and not issubclass(each, _INTEGERS + _REAL + _COMPLEX + but)
               for each in set(map(type, entries)))


def _own(entries):
    """Integers of other packages as ints."""
    return [int(x) if isinstance(x, numbers.Integral) else x for x in entries] if _foreign(
        entries, numbers.Integral) else entries


def _common_kind(entries):
    """The kind of a list of numbers that keeps them all unrounded."""
    if all(isinstance(x, _INTEGERS) for x in entries):
        return "q" if all(-2**63 <= int(x) < 2**63 for x in entries) else "O"
    is_complex = False
    for x in entries:
        if not isinstance(x, _INTEGERS + _REAL + _COMPLEX) or isinstance(x, _LONG):
            raise InputTypeError("an entry is %s: expected int, float or complex, in rows of one length; permanent(), "
                                 "minors(), gradient() and submatrices() take fractions.Fraction, too" %
                                 type(x).__name__)
        is_complex = is_complex or isinstance(x, _COMPLEX)
        if isinstance(x, _INTEGERS) and (abs(int(x)) >= 2**1023 or float(x) != int(x)):
            raise InputError("the integer %d among floats would be rounded" % x)
    return "D" if is_complex else "d"


def _buffer(a):
    """A memoryview of what has one, else None."""
    try:
        return memoryview(a)
    except (TypeError, ValueError, BufferError):
        return None


def _lent(a):
    """The numpy array of what another package computes with, by __array__ or DLPack; anything else as it is."""
    way = next((way for way in ("__array__", "__dlpack__") if hasattr(a, way)), None)
    if way is None:
        return a
    try:
        if np is None:
            raise InputTypeError("only numpy can read it")
        return np.asarray(a) if way == "__array__" else np.from_dlpack(a)
    except Exception as error:  # on a GPU, with a gradient to be kept, of a type that numpy has not: its own words
        raise InputTypeError("%s.%s: %s" % (type(a).__name__, way, error)) from error


def _plain(a):
    """The same as _numbers, without numpy."""
    if isinstance(a, _Plain):
        return a
    view = _buffer(a)
    if view is None:
        _lent(a)
    if view is not None:
        code = view.format.lstrip("@=" + ("<" if sys.byteorder == "little" else ">"))
        if code not in tuple("?bBhHiIlLqQfd") or not view.ndim or (
                code in "?bBhHiIlLqQfd" and view.itemsize != array.array(code.replace("?", "B")).itemsize):
            raise InputTypeError("matrices of %s: expected integers, float64 or complex128 at most" % view.format)
        if code == view.format == "d" and view.c_contiguous:
            return _Plain("d", view.shape, view.cast("B").cast("d") if view.nbytes else array.array("d"))
        numbers = array.array(code.replace("?", "B"))
        numbers.frombytes(view.tobytes())
        kind = "d" if code in "fd" else _common_kind(numbers)
        return _Plain(kind, view.shape, list(numbers) if kind == "O" else array.array(_CODES[kind], numbers))
    if _ragged(a):
        raise InputTypeError("expected rows of one length, but " + _ragged(a))
    shape, level = [], [a]
    while level and all(isinstance(x, (list, tuple, array.array)) for x in level):
        if len({len(x) for x in level}) != 1:
            break
        shape.append(len(level[0]))
        level = [x for part in level for x in part]
    level = _own(level)
    kind = _common_kind(level)
    return _made(kind, shape, [int(x) for x in level] if kind in "qO" else level)


def _numbers(a):
    """The array as one of the kinds of _kind, not rounded."""
    if isinstance(a, bytes):
        raise InputError("expected a matrix, not bytes of shape (%d,): a file's name is a str or os.PathLike; "
                         "perm.read() reads what is in a file" % len(a), "PERM_ERROR_SIZE")
    if np is None:
        return _plain(a)
    if _is_masked(a):
        raise InputTypeError("masked entries have no value: fill them")
    if not isinstance(a, np.ndarray):
        if _ragged(a):
            raise InputTypeError("expected rows of one length, but " + _ragged(a))
        a = _lent(a)
    if not isinstance(a, np.ndarray):
        try:
            view = _buffer(a)
            a = np.array(a, dtype=object) if view is None else np.asarray(view)
        except (ValueError, TypeError) as error:
            raise InputError("expected an array of numbers, in rows of one length, but %s" % (_ragged(a) or error),
                             "PERM_ERROR_SIZE") from None
    kind = a.dtype.kind
    if kind in "bi" or (kind == "u" and a.dtype.itemsize < 8):
        return a.astype(np.int64, copy=False)
    if kind == "u":
        return a.astype(np.int64) if not a.size or a.max() < 2**63 else a.astype(object)
    if kind == "f" and a.dtype.itemsize <= 8:
        return a.astype(np.float64, copy=False)
    if kind == "c" and a.dtype.itemsize <= 16:
        return a.astype(np.complex128, copy=False)
    if kind != "O":
        raise InputTypeError("matrices of %s: expected integers, float64 or complex128 at most" % a.dtype)
    entries = _own(a.ravel().tolist())
    kind = _common_kind(entries)
    return _made(kind, a.shape, [int(x) for x in entries]) if kind in "qO" else a.astype(_NAMES[kind])


def _is_masked(a):
    """Whether a masked entry of numpy.ma is in there, in lists too, of which numpy makes numbers."""
    if isinstance(a, (list, tuple)):
        return any(_is_masked(x) for x in a if not isinstance(x, (int, float, complex)))
    return isinstance(a, np.ma.MaskedArray) and bool(np.ma.is_masked(a))


def _is_sparse(a):
    return hasattr(a, "tocoo") and hasattr(a, "nnz")


def _is_graph(a):
    return hasattr(a, "adjacency") and hasattr(a, "is_multigraph")


_told = False  # that a graph is taken as its adjacency matrix


def _links(graph, weight="weight"):
    """Of each node the places of its neighbours and the weights of the edges there, of parallel ones their sum."""
    place = {node: k for k, node in enumerate(graph)}
    parallel = graph.is_multigraph()
    return [{place[other]: sum(each.get(weight, 1) for each in (edge.values() if parallel else (edge,)))
             for other, edge in others.items()} for _, others in graph.adjacency()]


def _adjacency(graph):
    """The adjacency matrix of a networkx graph as lists, by `weight` or 1, in the order of its nodes: it may be what
    nobody meant, so it is told."""
    global _told
    if graph.is_multigraph():
        raise InputTypeError("a multigraph has no one weight for a pair of nodes: make it a Graph or DiGraph; "
                             "perm.matchings() and perm.cycle_covers() add parallel edges up")
    if not _told:
        _told = True
        _warn("a graph is taken as its adjacency matrix, whose permanent counts cycle covers (of a bipartite "
              "graph the square of the number of perfect matchings): perm.cycle_covers(G) says that this is meant, "
              "perm.matchings(G) counts perfect matchings")
    return _rows_of_links(_links(graph))


def _rows_of_links(links):
    return [[row.get(k, 0) for k in range(len(links))] for row in links]


def _as_python(x):
    """A number of another package as int or Fraction, if it is rational; a Decimal as Fraction."""
    if isinstance(x, _INTEGERS + (numbers.Integral,)):
        return int(x)
    if isinstance(x, numbers.Rational):
        return _fraction(int(x.numerator), int(x.denominator))
    if not isinstance(x, _decimals()):
        return x
    if not x.is_finite():
        raise InputError("an entry is NaN or infinite", "PERM_ERROR_NOT_FINITE")
    return _fraction(x)


def _decimals():
    """The type Decimal, if its module was imported."""
    return (sys.modules["decimal"].Decimal,) if "decimal" in sys.modules else ()


def _fraction(*parts):
    from fractions import Fraction  # not before there is one: it takes a tenth of the import
    return Fraction(*parts)


def _rational(a):
    """Lists of integers and their common denominator, of nested lists or arrays with Fractions; of others None."""
    a = a.tolist() if np and isinstance(a, np.ndarray) and a.dtype == object and a.ndim == 2 else a
    if not isinstance(a, (list, tuple)) or not all(isinstance(row, (list, tuple)) for row in a) or (
            not _foreign(itertools.chain.from_iterable(a), (numbers.Rational, *_decimals()), (numbers.Integral,))):
        return None
    a = [[_as_python(x) for x in row] for row in a]
    for row in a:
        for x in row:
            if not isinstance(x, numbers.Rational):
                raise InputTypeError("an entry is %s beside Fractions: expected int or Fraction" % type(x).__name__)
    common = math.lcm(*(x.denominator for row in a for x in row))
    return [[int(x * common) for x in row] for row in a], common


def _ragged(a):
    """What is wrong with the rows of nested lists, or None."""
    if not isinstance(a, (list, tuple)):
        return None
    for k, row in enumerate(a):
        if isinstance(row, (list, tuple)) != isinstance(a[0], (list, tuple)):
            return "row %d is %s, row 1 is %s" % (k + 1, type(row).__name__, type(a[0]).__name__)
        if isinstance(row, (list, tuple)) and len(row) != len(a[0]):
            return "row %d has %d entries, row 1 has %d" % (k + 1, len(row), len(a[0]))
    return None


def _array(a, dimensions=2):
    """_numbers with so many dimensions."""
    a = _adjacency(a) if _is_graph(a) else a
    if isinstance(a, list) and not a and dimensions == 2:
        return _made("q", (0, 0), [])
    if isinstance(a, (str, os.PathLike)):
        raise InputTypeError("expected an array, not a file's name: perm.read(%r) is its array" % (os.fspath(a),))
    a = _numbers(a.toarray() if _is_sparse(a) else a)
    if a.ndim != dimensions:
        raise InputError("expected an array of %d dimensions, not of shape %s" % (dimensions, a.shape),
                         "PERM_ERROR_SIZE")
    return a


def _copied(function, *arguments):
    """What numpy makes of large arrays, or OutOfMemoryError."""
    try:
        return function(*arguments)
    except MemoryError as error:
        raise OutOfMemoryError("numpy: %s" % (error or "out of memory"), "PERM_ERROR_MEMORY") from None


def _as(a, kind):
    """Floats as float64 or complex128."""
    if _kind(a) == kind:
        return a
    return _copied(a.astype, _NAMES[kind]) if np else _made(kind, a.shape, _entries(a))


def _floats(a):
    """float64 or complex128, refusing what would be rounded."""
    if _kind(a) not in "qO":
        return _as(a, "D" if _kind(a) == "D" else "d")
    try:
        b = _as(a, "d")
    except OverflowError:  # beyond doubles altogether
        b = None
    if b is None or not (np.all(b.astype(object) == a) if np else list(b.data) == list(a.data)):
        raise InputError("integers beyond 2^53 would be rounded in precision other than exact")
    return b


def _integers(a):
    """Whole floats as int64; complex ones with a last axis of real and imaginary parts."""
    if np:
        parts = np.stack([a.real, a.imag], -1) if a.dtype.kind == "c" else a
        finite = np.all(np.isfinite(parts))
        bad = parts[(parts != np.floor(parts)) | (np.abs(parts) >= 2.0**53)].tolist() if finite else []
    else:
        parts = a.data.tolist()
        finite = all(map(math.isfinite, parts))
        bad = [x for x in parts if x != math.floor(x) or abs(x) >= 2.0**53] if finite else []
    if not finite:
        raise InputError("an entry is NaN or infinite", "PERM_ERROR_NOT_FINITE")
    if bad:
        raise InputError("precision and method exact, modulus and prove are for integers (below 2^53 if given as "
                         "floats), not for %r" % bad[0], "PERM_ERROR_OPTION")
    if np:
        return np.ascontiguousarray(parts, np.int64)
    return _made("q", a.shape + (2,) * (a.kind == "D"), [int(x) for x in parts])


def _rows_of(a):
    """(a, ld): the array itself if its rows lie in memory as C wants them, else a copy."""
    m, n = a.shape
    if np is None:
        return a, n
    row, column = a.strides
    size = a.itemsize
    if not (a.flags.aligned and a.dtype.isnative and (n <= 1 or column == size) and
            (m <= 1 or (row >= n * size and row % size == 0))):
        a = _copied(np.ascontiguousarray, a, a.dtype.newbyteorder("="))
        row = n * size
    return a, (row // size if m > 1 else n)


def _ints(values):
    """Indices and multiplicities as C's int."""
    return np.ascontiguousarray(values, np.int32) if np else array.array("i", values)


def _counts(name, counts, size, least=-1):
    """Multiplicities as C's ints; None stays None. Of -1 the library says more."""
    if counts is None:
        return None
    try:
        counts = _numbers(counts)
    except Error as error:
        raise InputTypeError("%s: %s" % (name, error), "PERM_ERROR_COUNTS") from None
    if _kind(counts) != "q" or counts.shape != (size,):
        raise InputError("%s: expected %d integers, one for each %s, not %s of shape %s%s" % (
            name, size, {"rows": "row", "cols": "column", "input": "column of u"}.get(name, "row of u"),
            _NAMES[_kind(counts)], counts.shape, _COUNTED if name in ("rows", "cols") else ""), "PERM_ERROR_COUNTS")
    counts = counts.tolist()
    if counts and (min(counts) < least or max(counts) > 2**31 - 1):
        raise InputError("%s: a multiplicity is %s" % (name, "negative" if min(counts) < 0 else "out of range"),
                         "PERM_ERROR_COUNTS")
    return _ints(counts)


def _entering_by(cols, input):
    """Multiplicities of columns by either name."""
    if cols is not None and input is not None:
        raise InputError("input: another name of what is given, too", "PERM_ERROR_OPTION")
    return input if cols is None else cols


def _at(a):
    """Where it begins in memory; what may be read only through a view is copied, and kept with it."""
    if a is None:
        return None
    if np and isinstance(a, np.ndarray):
        return a.ctypes.data
    if isinstance(a, _Plain):
        if isinstance(a.data, memoryview) and a.data.readonly:
            a.data = array.array("d", a.data)
        a = a.data
    if isinstance(a, array.array):
        return a.buffer_info()[0]
    return ctypes.addressof((c_char * memoryview(a).nbytes).from_buffer(a))


class _DLTensor(Structure):
    _fields_ = [("data", c_void_p), ("device", c_int * 2), ("ndim", c_int), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", POINTER(ctypes.c_int64)),
                ("strides", POINTER(ctypes.c_int64)), ("offset", c_uint64)]


def _on_gpu(a):
    """Whether another package's array lies on an NVIDIA GPU."""
    try:
        return int(a.__dlpack_device__()[0]) in (2, 13)  # its own memory, or managed
    except Exception:  # it has none, or, as torch's of device meta, refuses
        return hasattr(a, "__cuda_array_interface__")


class _There:
    """An array on a GPU, by DLPack or __cuda_array_interface__, that the library may use while this exists."""

    def __init__(self, name, a, shape=None, kind=None):
        self.array = a
        try:
            strides = self._by_dlpack() if hasattr(a, "__dlpack__") else self._by_interface()
        except Exception as error:  # a gradient to be kept, a lazy conjugate: the package's own words
            raise InputTypeError("%s: %s on a GPU: %s" % (name, type(a).__name__, error)) from error
        steps = [math.prod(self.shape[k + 1:]) for k in range(len(self.shape))]
        gaps = math.prod(self.shape) and any(n > 1 and x != y for n, x, y in zip(self.shape, strides or steps, steps))
        if self.kind not in ("d", "D") or gaps or shape not in (None, self.shape) or kind not in (None, self.kind):
            raise InputTypeError("%s: expected %s on a GPU without gaps%s, not %s%s of shape %s" % (
                name, _NAMES[kind] if kind else "float64 or complex128", "" if shape is None else " of shape %s" % (
                    shape,), _NAMES.get(self.kind, self.kind), " with gaps" if gaps else "", self.shape))

    def _by_dlpack(self):
        self.stream = 1  # the legacy stream, which the package makes wait for its own
        self.capsule = self.array.__dlpack__(stream=1)
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = c_void_p, [ctypes.py_object, c_char_p]
        x = ctypes.cast(get(self.capsule, b"dltensor"), POINTER(_DLTensor)).contents
        self.shape = tuple(x.shape[:x.ndim])
        self.kind = {(2, 64): "d", (5, 128): "D"}.get((x.code, x.bits), "type %d of %d bits" % (x.code, x.bits))
        self.address = (x.data or 0) + x.offset
        return x.strides[:x.ndim] if x.strides else None

    def _by_interface(self):
        x = self.array.__cuda_array_interface__
        self.stream = x.get("stream") or 1
        self.shape, self.address = tuple(x["shape"]), x["data"][0]
        self.kind = {"<f8": "d", "<c16": "D"}.get(x["typestr"], x["typestr"])
        return x.get("strides") and [step // int(x["typestr"][2:]) for step in x["strides"]]

    def beside(self, out, shape, kind):
        """What is to be written: `out`, or a new array of the package there."""
        if out is not None:
            return _There("out", out, shape, kind)
        package = (self.array.__array_namespace__() if hasattr(self.array, "__array_namespace__")
                   else sys.modules.get(type(self.array).__module__.partition(".")[0]))
        try:
            form = {"dtype": getattr(package, _NAMES[kind])}
            try:
                out = package.empty(shape, device=self.array.device, **form)
            except TypeError:  # CuPy: the current device
                out = package.empty(shape, **form)
        except Exception as error:
            raise InputTypeError("%s has no empty() for the answer on a GPU: give out= (%s)" % (
                type(self.array).__name__, error)) from error
        return _There("out", out, shape, kind)

    def answer(self):
        return self.array

    def scale(self, exp2):
        return "the numbers' unit is 2**%d" % exp2 if exp2 else None


def _fetched(a):
    """The array of a package, copied from its GPU."""
    for way in ("get", "cpu"):  # CuPy; torch
        if hasattr(a, way):
            return np.asarray(getattr(a, way)())
    return np.asarray(a)


def _stack_there(a, out, call):
    """Permanents of a stack that lies on a GPU, written there."""
    a = _There("a", a)
    if len(a.shape) < 3 or a.shape[-1] != a.shape[-2]:
        raise InputError("on a GPU: expected a stack of square matrices, not an array of shape %s" % (a.shape,),
                         "PERM_ERROR_SIZE")
    stack, n = a.shape[:-2], a.shape[-1]
    call.there(3, a)
    out = a.beside(out, stack, a.kind)
    status = call.run("perm_batch_" + _SUFFIXES[a.kind], n, math.prod(stack), a.address, n * n, byref(call.options),
                      out.address, byref(call.result))
    if status:
        raise _error(status, call.result.message, out.array)
    return out.array


class _Out:
    """Where numbers go: the caller's `out`, or an array of the shape."""

    def __init__(self, out, shape, is_complex):
        self.given, self.shape, self.kind = out, tuple(shape), "D" if is_complex else "d"
        if out is None:
            if np:
                self.array = _copied(np.empty, shape, np.complex128 if is_complex else np.float64)
            else:
                zeros = array.array("d", bytes(8 * math.prod(shape) * (1 + bool(is_complex))))
                self.array = _Plain(self.kind, shape, zeros)
            self.address = _at(self.array)
            return
        view = _buffer(out)
        wanted = "Zd" if is_complex else "d"
        native = "@=" + ("<" if sys.byteorder == "little" else ">")
        if (view is None or view.format.lstrip(native) != wanted or view.shape != self.shape or view.readonly
                or not view.c_contiguous):
            found = type(out).__name__ if view is None else "%s%s of shape %s" % (
                view.format, ", read-only" if view.readonly else "" if view.c_contiguous else " with gaps", view.shape)
            raise InputError("out: expected %s of shape %s without gaps, not %s" % (
                "complex128" if is_complex else "float64", self.shape, found), "PERM_ERROR_SIZE")
        self.address = ctypes.addressof((c_char * view.nbytes).from_buffer(out)) if view.nbytes else None

    def answer(self):
        """`out`, or the array; without numpy lists."""
        return self.given if self.given is not None else self.array if np else self.array.nested()

    def fill(self, values):
        """Writes a list of numbers."""
        numbers = _made(self.kind, self.shape, values)
        ctypes.memmove(self.address, _at(numbers), numbers.size * (16 if self.kind == "D" else 8))

    def scale(self, exp2):
        """Multiplies by 2**exp2. Returns what is wrong with the largest number then, None if nothing is."""
        exp2 = max(min(exp2, 4000), -4000)
        if self.given is None:
            parts = self.array.view(np.float64) if np else self.array.data
        elif np:
            parts = np.asarray(self.given).view(np.float64)
        else:
            parts = memoryview(self.given).cast("B").cast("d")
        if np:
            before = np.abs(parts).max(initial=0)
            with np.errstate(over="ignore", under="ignore"):
                parts[...] = np.ldexp(parts, exp2)
            after = np.abs(parts).max(initial=0)
        else:
            before = max(map(abs, parts), default=0)
            for k, x in enumerate(parts):
                try:
                    parts[k] = math.ldexp(x, exp2)
                except OverflowError:
                    parts[k] = math.copysign(math.inf, x)
            after = max(map(abs, parts), default=0)
        if not after < math.inf:
            return "a value exceeds a double"
        return "all values are too small for a double" if after < _LEAST and before and exp2 < 0 else None


def _nonzero(a, lines=()):
    """Rows, columns and numbers of the entries that are not 0, or in these rows."""
    if np:
        chosen = _copied(np.not_equal, a, 0)
        chosen[list(lines)] = True
        row, column = _copied(np.nonzero, chosen)
        return row, column, a[row, column]
    n = max(a.shape[1], 1)
    found = [(k // n, k % n, x) for k, x in enumerate(a.tolist()) if x or k // n in lines]
    row, column, numbers = ([each[part] for each in found] for part in range(3))
    return _ints(row), _ints(column), _made(a.kind, (len(numbers),), numbers)


class _Sparse:
    """A perm_matrix: from scipy.sparse, what is an array, or a file; of bytes with their name. For `with`."""

    def __init__(self, a, call, name=None):
        self.bytes = ctypes.create_string_buffer(_MATRIX_BYTES.value)
        self.integer = False
        self.note = b""
        tail = byref(call.options), self.bytes, byref(call.result)
        if isinstance(a, (str, os.PathLike)) or name:
            both = [] if isinstance(a, bytes) or not call.prove else [_path("matrix", a), call.prove]
            if both and all(map(os.path.exists, both)) and os.path.samefile(*both):
                raise InputError("prove: it would destroy the matrix's file, name another one", "PERM_ERROR_OPTION")
            if isinstance(a, bytes):
                status = _lib.perm_matrix_read_memory(a, len(a), name.encode(errors="replace"), *tail)
            else:
                status = _lib.perm_matrix_read(_path("matrix", a), *tail[:2], None, tail[2])
            self.note = call.result.message
            if status == 0 and self.note and not call.options.format:
                _warn(_text(self.note))
        else:
            a = a if _is_sparse(a) else _array(a)
            if len(a.shape) != 2:
                raise InputError("expected a matrix of 2 dimensions, not of shape %s%s" % (
                    a.shape, "; a.toarray() is a stack" if len(a.shape) > 2 else ""), "PERM_ERROR_SIZE")
            m, n = a.shape
            row, column, data = _triplets(a) if _is_sparse(a) else _nonzero(a)
            kind = _kind(data)
            if kind == "O":
                raise UnsupportedError("sparse matrices of integers beyond 64 bits")
            self.integer = kind == "q"
            exact = not self.integer and (call.precision == "exact" or call.options.modulus)
            call.whole = self.integer or bool(exact)
            if exact and kind != "D":
                data, kind, self.integer = _integers(data), "q", True
            elif exact:
                _integers(data)  # Gaussian integers stay doubles here, but whole
            self.triplets = (m, n), row, column, data
            row, column = _ints(row), _ints(column)
            real = imaginary = integer = None
            if kind == "q":
                code, integer = 1, np.ascontiguousarray(data) if np else data
            elif kind == "D":
                parts = (data.real, data.imag) if np else (data.data[0::2], data.data[1::2])
                code, (real, imaginary) = 3, map(np.ascontiguousarray, parts) if np else parts
            else:
                code, real = 2, np.ascontiguousarray(data, np.float64) if np else _as(data, "d")
            status = _lib.perm_matrix_from_triplets(_whole("m", m), _whole("n", n), data.size, _at(row), _at(column),
                                                    _at(real), _at(imaginary), _at(integer), code, *tail)
        if status < 0:
            raise _error(status, call.result.message)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _lib.perm_matrix_free(self.bytes)


def _triplets(a):
    """Rows, columns and numbers of a scipy.sparse matrix; what stands twice is added up, without overflow."""
    a = a.tocoo()
    boolean = a.data.dtype.kind == "b"
    row, column, data = a.row.astype(np.int64), a.col.astype(np.int64), _numbers(a.data)
    position, first, where = np.unique(row * a.shape[1] + column, return_index=True, return_inverse=True)
    if position.size < row.size:
        total = np.zeros(position.size, object if data.dtype.kind in "iO" else data.dtype)
        np.add.at(total, where, data.astype(object) if total.dtype == object else data)
        data = np.minimum(total, 1) if boolean else total
        row, column, data = row[first], column[first], _numbers(data)
    return row, column, data


# ---- permanents

def _moduli(bound):
    """Numbers up to 2^63 without common divisors, whose product exceeds bound."""
    product, candidate = 1, 2**63
    while product <= bound:
        if math.gcd(product, candidate) == 1:
            product *= candidate
            yield candidate
        candidate -= 1


def _bound(shape, row, column, data, rows=None, cols=None):
    """At least |permanent| of integers given as triplets: products of the sums of rows, or of columns."""
    def product(size, line, other, line_counts, other_counts):
        sums = [0] * size
        for i, j, x in zip(line, other, data.tolist()):
            sums[i] += abs(x) * (1 if other_counts is None else int(other_counts[j]))
        return math.prod(max(total, 1) ** (1 if line_counts is None else int(line_counts[i]))
                         for i, total in enumerate(sums))
    (m, n), counted = shape, rows is not None or cols is not None
    row, column = row.tolist(), column.tolist()
    bounds = []
    if m <= n or counted:
        bounds.append(product(m, row, column, rows, cols))
    if m >= n or counted:
        bounds.append(product(n, column, row, cols, rows))
    return min(bounds)


def _integer_arguments(a, modulus):
    """The integers themselves, or their residues next to 0, which fit 64 bits."""
    if _kind(a) == "O":
        half = modulus // 2
        a = _made("q", a.shape, [(int(x) + half) % modulus - half for x in _entries(a)])
    return _rows_of(a)


def _by_residues(bound, call, residue):
    """Exact permanent of integers of any size: residues modulo several numbers, put together."""
    if call.pieces:
        raise UnsupportedError("checkpoints and parts are of one sum: entries or permanent are too long for one")
    if call.proves:
        raise UnsupportedError("prove: entries of proofs have 64 bits at most")
    value, product = 0, 1
    seconds, terms, left = 0.0, 0.0, call.options.max_seconds
    for modulus in _moduli(2 * bound):
        call.options.modulus = modulus
        if left:
            call.options.max_seconds = max(left - seconds, 1e-3)
        r = residue(modulus)
        seconds, terms = seconds + r.seconds, terms + r.terms
        if r.status:
            call.options.modulus = 0
            return r
        value += product * ((int(r.integer) - value) * pow(product, -1, modulus) % modulus)
        product *= modulus
    call.options.modulus = 0
    value = value - product if 2 * value > product else value
    exp2 = max(value.bit_length() - 1000, 0)
    up_to = _result(r, True)
    return Result(**{**up_to.__dict__, "value": float(value >> exp2) if exp2 else float(value), "exp2": exp2,
                     "integer": value, "modulus": 0, "seconds": seconds, "terms": terms})


_SUFFIXES = {"d": "real", "D": "complex"}  # of the library's functions


def _compute(a, rows, cols, call):
    o = call.options
    if isinstance(a, (str, os.PathLike)) or (_is_sparse(a) and rows is None and cols is None):
        if rows is not None or cols is not None:
            raise UnsupportedError("multiplicities need the matrix as an array: perm.read(FILE), or toarray()")
        return _compute_sparse(a, call)
    a = _array(a)
    m, n = (_whole("size", size) for size in a.shape)
    rows, cols = _counts("rows", rows, m), _counts("cols", cols, n)
    counted = rows is not None or cols is not None
    if _kind(a) not in "qO" and (call.precision == "exact" or o.modulus or call.method == "exact"):
        if call.method not in _SPARSE_METHODS | _FLOAT_METHODS or counted:
            a = _integers(a)
    if _kind(a) in "qO" and call.precision not in ("default", "exact"):
        a = _floats(a)
    call.whole = _kind(a) in "qO" or "exact" in (call.precision, call.method) or o.modulus != 0
    if not counted and (call.method in _SPARSE_METHODS or (call.whole and call.method in _FLOAT_METHODS)):
        return _compute_sparse(a, call)
    counts = (_at(rows), _at(cols)) if counted else ()
    name = "perm_compute_" + ("repeated_" if counted else "")
    if a.ndim == 3:
        return call.compute(name + "gaussian", m, n, _at(a), n, *counts)
    kind = _kind(a)
    if kind in "qO":
        def residue(modulus):
            b, ld = _integer_arguments(a, modulus)
            return call.compute(name + "integer", m, n, _at(b), ld, *counts)
        if kind == "q" or (o.modulus and not call.proves):
            try:
                return residue(o.modulus)
            except TooLargeError:
                pass
        return _by_residues(_bound((m, n), *_nonzero(a), rows, cols), call, residue)
    b, ld = _rows_of(a)
    try:
        return call.compute(name + _SUFFIXES[kind], m, n, _at(b), ld, *counts)
    except InputError as error:  # more lines than an array may have
        if error.status != "PERM_ERROR_SIZE" or counted or call.method != "auto" or 4 * _nonzero(a)[2].size > m * n:
            raise
        return _compute_sparse(a, call)


def _compute_sparse(a, call):
    with _Sparse(a, call) as matrix:
        if matrix.integer and call.method == "auto" and call.precision == "default":
            call.options.precision = PRECISIONS.index("exact")
        try:
            result = call.compute("perm_compute_sparse", matrix.bytes)
            result.message = result.message or matrix.note
            return result
        except TooLargeError:
            if not matrix.integer or call.options.modulus:
                raise
            return _by_residues(_bound(*matrix.triplets), call,
                                lambda modulus: call.compute("perm_compute_sparse", matrix.bytes))


def compute(a, rows=None, cols=None, *, input=None, **options):
    """The permanent of one matrix as a Result: value, exponent, proved error bound, estimate, and how it was computed.

    a: m x n, see MATRICES. rows (m integers), cols (n): multiplicities, whose totals agree; None: all one. input is
    another name of cols, for photons. Options: see OPTIONS. A job that stops early returns a Result too, with its
    status. Integers of any size are exact, by residues where 64 bits are too few. O(min(m,n) 2^(min(m,n) - 1)) at most,
    times a few for rectangular ones; O(product of (multiplicities + 1)). Raises Error (end of the module's docstring).

    >>> r = perm.compute([[0.1, 0.2], [0.3, 0.4]], certify=True)
    >>> abs(r.value - 0.1) <= r.error_bound < 1e-15
    True
    >>> perm.compute([[1, 2], [3, 4]], modulus=7).integer
    3
    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "small.prf")         # for perm_verify
    >>> perm.compute([[1, 2], [3, 4]], prove=file).integer, os.path.getsize(file)
    (10, 96)
    """
    call = _call(options, "rows", "cols", "input")
    result = _compute(a, rows, _entering_by(cols, input), call)
    return result if isinstance(result, Result) else _result(result, call.whole)


def _finished(result):
    """The number, or Incomplete."""
    if result.status != "PERM_OK":
        raise Incomplete(result.message or result.status, result.status, result)
    return result.permanent


_SMALL = 20  # up to here a call takes a millisecond or so, and nothing needs to be interrupted
_TINY = 12   # up to here it takes one thread
_BATCH = 24  # above, every matrix is a call of its own, so that it can be interrupted


def _small(a):
    """The permanent of a small array of float64 or complex128 by perm_real or perm_complex; None where they are not
    enough: errors, numbers beyond doubles and below them, so also 0."""
    n = a.shape[0]
    if np:
        if not (a.flags.c_contiguous and a.flags.aligned and a.dtype.isnative):
            a = np.require(a, a.dtype.newbyteorder("="), "CA")
        address = a.__array_interface__["data"][0]
    else:
        address = _at(a)
    if _kind(a) == "d":
        value = _lib.perm_real(n, address)
        return value if value - value == 0 and abs(value) >= _LEAST else None
    parts = (c_double * 2)()
    _lib.perm_complex(n, address, parts)
    finite = parts[0] - parts[0] == 0 == parts[1] - parts[1]
    return complex(*parts) if finite and max(map(abs, parts)) >= _LEAST else None


def permanent(a, rows=None, cols=None, out=None, *, input=None, **options):
    """The permanent: int (or Gaussian) of integers, else float or complex; of a stack (..., m, n) an array (...).

    As compute(), which says more. Without options (but threads) floats up to order 20 take a shorter way, maybe not to
    the bits of compute(): to order 16 right to 1e-10 of the permanent (mostly to 1e-15; searched by climbing), or else,
    and above, as compute() without options, which also tells the error. Stacks of floats, to order 24, promise the same
    (to order 4 relative to the permanent of |entries|), as one call on all threads; stacks of integers give Python
    ints, in an array of objects. out: of stacks of floats, where to write: float64 or complex128, of the stack's shape
    (...), without gaps; it is returned.
    Stacks on an NVIDIA GPU (CuPy, torch, JAX: DLPack or __cuda_array_interface__) stay there, and so does the answer.
    Raises Incomplete if stopped early or the tolerance is not met, TooLargeError (an OverflowError) if a double does
    not hold the number: too large, or so small that bits are lost. Its result has the number as value and exp2; of
    stacks of floats it says which number, and its result is the array.

    >>> perm.permanent([[1j, 2], [3, 4]])
    (6+4j)
    >>> perm.permanent([[10**30, 1], [1, 1]], threads=1)
    1000000000000000000000000000001
    """
    cols = _entering_by(cols, input)
    if type(a) is not (np and np.ndarray) and _on_gpu(a) and rows is None and cols is None:
        return _stack_there(a, out, _call(options, "rows", "cols", "out"))
    a = _adjacency(a) if _is_graph(a) else a
    rational = _rational(a)
    if rational is not None:
        if options.get("prove") is not None:
            raise UnsupportedError("prove: proofs are of integers, not of Fractions")
        scaled, common = rational
        value = permanent(scaled, rows, cols, **options)
        counts = rows if cols is None else cols
        used = min(len(scaled), len(scaled[0])) if counts is None else sum(int(x) for x in counts)
        return _fraction(value, common**used)
    if isinstance(a, (str, os.PathLike)) or _is_sparse(a) or (isinstance(a, list) and not a):
        if out is not None:
            raise InputError("out: only of stacks of floats", "PERM_ERROR_SIZE")
        return _finished(compute(a, rows, cols, **options))
    if not (np and type(a) is np.ndarray and a.dtype.char in "dD"):
        a = _numbers(a)
    kind = _kind(a)
    if a.ndim <= 2:
        if out is not None:
            raise InputError("out: only of stacks of floats", "PERM_ERROR_SIZE")
        if a.ndim == 2 and a.shape[0] == a.shape[1] <= _SMALL and kind in "dD" and rows is None and cols is None and (
                not (_forked and a.shape[0] > _TINY) and not (options and _call(options, "rows", "cols", "out").asks)):
            value = _small(a)
            if value is not None:
                return value
        return _finished(compute(a, rows, cols, **options))
    m, n = a.shape[-2:]
    call = _call(options, "rows", "cols", "out")
    exactly = call.precision == "exact" or call.options.modulus
    if rows is None and cols is None and m == n <= _BATCH and kind in "dD" and not exactly:
        return _batch(a, call, out)
    stack = a.shape[:-2]
    if call.proves:
        raise UnsupportedError("prove: a proof is of one matrix, not of a stack")
    if out is not None and (kind not in "dD" or exactly):
        raise InputError("out: only of stacks of floats", "PERM_ERROR_SIZE")
    kind = "D" if kind == "D" else "d"
    given = None if out is None else _Out(out, stack, kind == "D")
    clock = _Clock(options)
    each = (a[at] for at in itertools.product(*map(range, stack))) if np is None else a.reshape(math.prod(stack), m, n)
    if rows is None and cols is None and not options:
        values = [permanent(one) for one in each]
    else:
        values = [permanent(one, rows, cols, **clock.left()) for one in each]
    kinds = {type(value) for value in values}
    if given is not None:
        given.fill(values)
        return out
    if np is None:
        return _Plain("O", stack, values).nested()
    kind = float if kinds == {float} else complex if kinds == {complex} else object
    return np.fromiter(values, kind, len(values)).reshape(stack)  # which takes no Gaussian apart


def _refine(out, a, order, one):
    """Looks again at permanents in `out`, of the order, that overflowed or may be 0 by underflow: by the function
    one(k). None may be so unless products of so many entries of a can be below the least normal double."""
    values = _entries(out.array) if out.given is None else _numbers(out.given)
    values = values if isinstance(values, list) else _entries(values)
    if out.kind == "d":
        doubtful = [k for k, x in enumerate(values) if not _LEAST <= abs(x) < math.inf]
    else:
        doubtful = [k for k, x in enumerate(values) if max(abs(x.real), abs(x.imag)) < _LEAST or x - x != 0]
    if not doubtful:
        return
    if np:
        parts = np.abs(np.stack([a.real, a.imag]) if _kind(a) == "D" else a)
        least = float(parts.min(where=parts > 0, initial=math.inf))
    else:
        least = min((abs(part) for x in _entries(a) for part in (x.real, x.imag) if part), default=math.inf)
    if order * math.log2(least) > -1000:
        doubtful = [k for k in doubtful if values[k] - values[k] != 0]  # infinite or NaN
    for k in doubtful:
        try:
            values[k] = one(k)
        except TooLargeError as error:
            raise TooLargeError("number %d of them: %s" % (k, error), "PERM_ERROR_OVERFLOW", out.answer()) from None
    if doubtful:
        out.fill(values)


def _batch(a, call, out):
    stack, n, kind = a.shape[:-2], a.shape[-1], _kind(a)
    given = a
    count, stride, name = math.prod(stack), n * n, "perm_batch_" + _SUFFIXES[kind]
    if np:
        size = a.itemsize
        step, row, column = a.strides if a.ndim == 3 and count > 1 and n > 1 else (0, 0, 0)
        fits = a.flags.aligned and a.dtype.isnative
        if fits and step == size and column >= count * size and column % size == 0 and row == n * column:
            stride, name = column // size, name + "_soa"  # entry by entry in memory: the library's other layout
        elif fits and column == size and row == n * size and step >= n * row and step % size == 0:
            stride = step // size
        elif not (fits and a.flags.c_contiguous):
            a = np.ascontiguousarray(a, a.dtype.newbyteorder("="))
    out = _Out(out, stack, kind == "D")
    status = call.run(name, n, count, _at(a), stride, byref(call.options), out.address, byref(call.result))
    if status:
        raise _error(status, call.result.message, out.answer())

    def one(k):
        at = []
        for size in reversed(stack):
            k, index = divmod(k, size)
            at.insert(0, index)
        return permanent(given[tuple(at)])
    _refine(out, given, n, one)
    return out.answer()


def _squared(a):
    """A rectangle with a line of ones more, and how often each line stands: the permanent is |n - m|! times that of
    a."""
    (m, n), values = a.shape, _entries(a)
    spare = abs(m - n)
    if m < n:
        return _made(_kind(a), (m + 1, n), values + [1] * n), [1] * m + [spare], None
    values = [x for k in range(m) for x in values[k * n:(k + 1) * n] + [1]]
    return _made(_kind(a), (m, n + 1), values), None, [1] * n + [spare]


def _exact_minors(lines, a, rows, cols, options):
    """Minors of the rows in `lines` as lists of exact numbers, the order of each, and whether they were multiplied by
    the multiplicities. One permanent for every pair of a row and a column that are not the same."""
    (m, n), clock = a.shape, _Clock(options)
    a = _integers(a) if _kind(a) == "d" else a
    a = a.tolist() if np else a.nested()
    given = rows is not None or cols is not None
    rows = [int(x) for x in rows] if rows is not None else [1] * m  # numpy's would overflow
    cols = [int(x) for x in cols] if cols is not None else [1] * n
    columns, known = [tuple(row[j] for row in a) for j in range(n)], {}

    def minor(i, j):
        options = clock.left()
        if given:
            less = rows[:i] + [rows[i] - 1] + rows[i + 1:], cols[:j] + [cols[j] - 1] + cols[j + 1:]
            return _finished(compute(a, *less, **options))
        return _finished(compute([row[:j] + row[j + 1:] for k, row in enumerate(a) if k != i] or [], **options))

    def once(i, j):
        if not rows[i] or not cols[j]:
            return 0
        key = tuple(a[i]), columns[j]
        if given or key not in known:
            known[key] = minor(i, j)
        return known[key]
    return [[once(i, j) for j in range(n)] for i in lines], rows, cols


def _in_array(values, shape):
    """Nested lists of Python's own numbers as an array of objects; without numpy as they are."""
    if np is None:
        return values
    return np.fromiter(itertools.chain.from_iterable(values), object).reshape(shape)  # takes no Gaussian apart


def _times(value, factor, modulus):
    if isinstance(value, Gaussian):
        return Gaussian(*(_times(part, factor, modulus) for part in value))
    return value * factor % modulus if modulus else value * factor


def _listed(name, a, rows, cols, row, full, out, options):
    """Minors of one row, or (row None) derivatives: exactly of integers and Fractions, else in doubles."""
    full, there = _flag("full", full), _There("a", a) if _on_gpu(a) else None
    a = _adjacency(a) if _is_graph(a) else _fetched(a) if there else a
    a, common = _rational(a) or (a, 1)
    a = _array(a)
    call = _call(options, *("row",) * (row is not None), "rows", "cols", "full", "out")
    m, n = a.shape
    if row is not None and not 0 <= row < m:
        raise IndexRangeError("row = %d: the matrix has %s" % (row, "rows 0 .. %d" % (m - 1) if m else "no row"),
                              "PERM_ERROR_RANGE")
    rows, cols = _counts("rows", rows, m), _counts("cols", cols, n)
    modulus = call.options.modulus
    exactly = call.precision == "exact" or modulus or (_kind(a) in "qO" and call.precision == "default")
    if (full or out is not None) and (common != 1 or call.precision == "exact" or modulus):
        raise InputError("full, out: of doubles, not of exact numbers", "PERM_ERROR_OPTION")
    if exactly and not full and out is None:
        if call.pieces:
            raise UnsupportedError("checkpoints and parts are of one sum: exact minors are many")
        if row is not None and rows is not None and not rows[row]:
            raise InputError("row = %d: rows has no copy of it" % row, "PERM_ERROR_COUNTS")
        lists, r, c = _exact_minors(range(m) if row is None else [row], a, rows, cols, options)
        order = min(m, n) if rows is None and cols is None else sum(r)
        if common != 1:
            lists = [[_fraction(x, common ** (order - 1)) for x in each] for each in lists]
        if row is None:
            lists = [[_times(x, r[i] * c[j], modulus) for j, x in enumerate(each)] for i, each in enumerate(lists)]
        answer = _in_array(lists, (len(lists), n))
        return answer if row is None else answer[0]
    a = _floats(a)
    if there:
        call.there(2, there)
        if m != n and rows is None and cols is None:
            raise InputError("on a GPU: as many rows as columns, not %d x %d" % (m, n), "PERM_ERROR_SIZE")
    elif rows is None and cols is None and out is None and (
            max(m, n) > _LINES + 1 or (row is not None and _is_sparse_array(a, options))):
        try:
            return (_full(_stored(a, range(m)), a, call, full) if row is None else
                    _row_of(_stored(a, (row,)), row, call, full))
        except LimitError:
            if max(m, n) > _LINES + 1:
                raise
    spare = abs(m - n) if rows is None and cols is None else 0
    if spare:
        a, rows, cols = _squared(a)
        rows, cols = (None if counts is None else _ints(counts) for counts in (rows, cols))
    a, ld = _rows_of(a)
    is_complex = _kind(a) == "D"
    shape = (m, n) if row is None else (n,)
    answer = there.beside(out, shape, there.kind) if there else _Out(out, shape, is_complex)
    whole = _Out(None, a.shape if row is None else (a.shape[1],), is_complex) if spare else answer
    status = call.run("perm_%s_%s" % (name, "complex" if is_complex else "real"), *a.shape, _at(a), ld, _at(rows),
                      _at(cols), *(() if row is None else (row,)), byref(call.options), whole.address,
                      byref(call.result))
    if status < 0 or (status > 0 and not full):
        raise _error(status, call.result.message, _result(call.result))
    result = _result(call.result)
    if spare:
        result = _without_ones(result, spare, whole, answer)
    if full:
        return answer.answer(), _Beside(**vars(result))
    wrong = answer.scale(result.exp2)
    if wrong:
        raise TooLargeError(wrong + "; full=True gives numbers and exp2", "PERM_ERROR_OVERFLOW", result)
    return answer.answer()


def _without_ones(result, spare, whole, answer):
    """What _squared added taken away again: `answer` of the numbers in `whole`, and the result. Each division, and the
    factorial in doubles, errs by a part in 2^52 at most."""
    factor = float(math.factorial(spare))  # at most 63: there are 64 lines
    values = _entries(whole.array)
    step, n = whole.shape[-1], answer.shape[-1]
    values = [x / factor for k in range(math.prod(answer.shape[:-1])) for x in values[k * step:k * step + n]]
    answer.fill(values)
    bound = result.error_bound / factor * (1 + 2.0**-50) + max(map(abs, values), default=0) * 2.0**-51
    return replace(result, value=result.value / factor, partial_sum=result.partial_sum / factor, error_bound=bound,
                   error_estimate=result.error_estimate / factor, exact=False)


def _row_of(stored, row, call, full):
    """Minors of a row all of whose entries are stored."""
    answer, result, _ = _by_sparse("gradient", stored, call, full)
    answer = answer[bisect.bisect_left(stored.row, row):][:stored.shape[1]]
    answer = np.array(answer, object) if isinstance(answer, list) and np else answer
    return (answer, _Beside(**vars(result))) if full else answer


def minors(a, row, rows=None, cols=None, full=False, out=None, **options):
    """The n permanents of a without row `row` (from 0) and one column each: an array of n doubles (complex).

    Of integers exact Python ints, of Fractions Fractions, in an array of objects: n permanents, fewer where lines are
    equal (of scipy.sparse matrices with more than 64 lines a gradient). rows, cols: multiplicities; one copy of the row
    and of each column is left out. full: (numbers in units of 2**result.exp2, result), whose value is the permanent of
    the whole matrix. out: where to write the numbers, as in permanent(), of shape (n,). With full, out or another
    precision than exact integers are taken as doubles, and refused beyond 2^53. Doubles take as long as two permanents.
    Raises IndexRangeError, InputError, ...

    >>> list(map(int, perm.minors([[1, 2], [3, 10**20]], 0)))
    [100000000000000000000, 3]
    """
    row, full = _whole("row", row), _flag("full", full)
    if not _is_large(a, rows, cols, out) or not 0 <= row < a.shape[0]:
        return _listed("minors", a, rows, cols, row, full, out, options)
    call = _call(options, "row", "full")
    return _row_of(_stored(a, (row,), not full and call.precision in ("default", "exact")), row, call, full)


def gradient(a, rows=None, cols=None, full=False, out=None, **options):
    """The m x n derivatives of the permanent by all entries, as minors(); of doubles the time of eight permanents, of
    integers that of m n permanents one order smaller. Of scipy.sparse matrices with over 64 lines those by the stored
    entries, also zeros, in a matrix of that pattern, or with full (that matrix, result): of integers int64, or, if one
    is longer, Python ints in its `data` (csr, csc, coo; scipy takes them only there). Of a bipartite graph a dict by
    edge, as in marginals(); exact if all weights are integers.

    >>> [list(map(float, row)) for row in perm.gradient([[1.0, 2], [3, 4]])]
    [[4.0, 3.0], [2.0, 1.0]]
    """
    sides, full = _two_sides(a, rows) if _is_graph(a) else None, _flag("full", full)
    if not sides and not _is_large(a, rows, cols, out):
        return _listed("gradient", a, rows, cols, None, full, out, options)
    if sides and (cols is not None or out is not None):
        raise InputError("cols, out: not of a graph's edges", "PERM_ERROR_OPTION")
    call = _call(options, "rows", "full")
    whole = not full and call.precision in ("default", "exact")
    return _full(_Bipartite(a, sides, whole) if sides else _stored(a, (), whole), a, call, full)


def _full(stored, a, call, full):
    """The gradient in the form of a."""
    answer, result, _ = _by_sparse("gradient", stored, call, full)
    return (stored.like(a, answer), _Beside(**vars(result))) if full else stored.like(a, answer)


def _is_sparse_array(a, options, most=64):
    """Whether the sparse calls are likely to be faster: few entries, above `most` lines any; and no option forbids."""
    m, n = a.shape
    return max(m, n) > 20 and {"method", "precision", "tolerance", "certify", "gpus"}.isdisjoint(options) and (
        max(m, n) > most or (4 if abs(m - n) < 4 else 2) * _nonzero(a)[2].size < m * n)


def _is_large(a, rows, cols, out):
    return _is_sparse(a) and rows is None and cols is None and out is None and max(a.shape) > _LINES + 1


class _Stored:
    """A perm_matrix that borrows entries, also zeros, by rows and columns. start: of rows; None: as `row` says."""

    def __init__(self, shape, row, column, data, start=None):
        m, n = self.shape = tuple(shape)
        self.row, self.column, self.data, self.kind = row, _ints(column), data, _kind(data)
        if start is None:
            start = (c_size_t * (m + 1))(*(bisect.bisect_left(row, i) for i in range(m + 1)))
        if self.kind == "D":
            parts = (data.real, data.imag) if np else (data.data[0::2], data.data[1::2])
            arrays = dict(zip(("real", "imaginary"), map(np.ascontiguousarray, parts) if np else parts))
        else:
            arrays = {"real": _as(data, "d"), "integer": data if self.kind == "q" else None}
        self.start, self.arrays = start, arrays  # which stay as long as the matrix
        arrays.update(row_start=start, column=self.column)
        self.matrix = ctypes.create_string_buffer(_MATRIX_BYTES.value)
        head = _Matrix.from_buffer(self.matrix)
        head.m, head.n, head.nnz = _whole("m", m), _whole("n", n), data.size
        head.kind = {"q": 1, "d": 2, "D": 3}[self.kind]
        for name, kind in _Matrix._fields_[4:]:
            setattr(head, name, ctypes.cast(_at(arrays.get(name)), kind))

    def like(self, a, values):
        """The numbers of the entries in the form of a, a scipy.sparse matrix or an array."""
        if _is_sparse(a):
            long = isinstance(values, list) and any(x.bit_length() > 63 for x in values)  # for scipy: places instead
            data = np.arange(len(values)) if long else np.asarray(values, getattr(values, "dtype", np.int64))
            rows = copy.copy(a.tocsr())  # whose constructor would check all of it again
            rows.data, rows.indices, rows.indptr = data, self.column.copy(), np.array(self.start, self.column.dtype)
            rows = rows.asformat("csr" if long and a.format not in ("csc", "coo") else a.format)
            if long:
                rows.data = np.array(values, object)[rows.data]
            return rows
        answer = np.zeros(self.shape, values.dtype) if np else [[0.0] * self.shape[1] for _ in range(self.shape[0])]
        if np:
            answer[self.row, self.column] = values
        for i, j, x in () if np else zip(self.row, self.column, values):
            answer[i][j] = x
        return answer

    def lines(self, apart):
        return apart


def _stored(a, lines=(), whole=False):
    """Entries of a scipy.sparse matrix, also its zeros, or those of an array that are not 0; and all of the rows
    `lines`. As doubles; whole: integers stay."""
    if len(a.shape) != 2:
        raise InputError("expected a matrix of 2 dimensions, not of shape %s" % (a.shape,), "PERM_ERROR_SIZE")
    n, sparse, start = max(a.shape[1], 1), _is_sparse(a), None
    if sparse and a.format == "csr" and not lines and a.has_canonical_format:
        row, column, data, start = None, a.indices, _numbers(a.data), a.indptr.astype(np.uintp)
    elif sparse:
        row, column, data = _triplets(a)
        place = row * n + column
        every = np.union1d(place, np.array([i * n + j for i in lines for j in range(a.shape[1])], np.int64))
        values = np.zeros(every.size, data.dtype)
        values[np.searchsorted(every, place)] = data
        row, column, data = every // n, every % n, values
    else:
        row, column, data = _nonzero(a, lines)
    return _Stored(a.shape, row, column, data if whole and _kind(data) == "q" else _floats(data), start)


def _by_sparse(name, stored, call, full=True):
    """What perm_NAME_sparse says, by entry, of integers exactly; the result; of marginals the chances of empty lines.
    full: numbers in units of 2**result.exp2."""
    count, modulus = stored.data.size, call.options.modulus
    exact = name == "gradient" and stored.kind == "q"
    found = _Out(None, (0 if exact else count,), name == "gradient" and stored.kind == "D")
    apart = _Out(None, (max(stored.shape),), False)
    wholes = ((c_uint64 if modulus else _Integer) * (count if exact else 0))()
    call.must("perm_%s_sparse%s" % (name, ("_mod" if modulus else "_integer") if exact else ""), stored.matrix,
              byref(call.options), byref(wholes) if exact else found.address,
              *(apart.address,) * (name == "marginals"))
    result = _result(call.result)
    wrong = None if exact or full else found.scale(result.exp2)
    if wrong:
        raise TooLargeError(wrong + "; full=True gives numbers and exp2", "PERM_ERROR_OVERFLOW", result)
    return list(map(int, wholes)) if exact else found.answer(), result, apart.answer()


def _two_sides(graph, rows):
    """Rows and columns of a bipartite graph of networkx: `rows`, or the nodes with bipartite=0, and all others. None if
    it has neither."""
    if rows is None:
        side = dict(graph.nodes(data="bipartite")) if hasattr(graph, "nodes") else {}
        if all(x is None for x in side.values()):
            return None
        if not set(side.values()) <= {0, 1}:
            raise InputError("expected the attribute bipartite, 0 (a row) or 1, of every node, or rows=[...]")
        rows = [node for node, x in side.items() if x == 0]
    if graph.is_multigraph() or graph.is_directed():
        raise InputTypeError("expected a networkx.Graph: two sides, and one edge at most between two nodes")
    rows, chosen = list(rows), set(rows)
    missing = [node for node in rows if node not in graph]
    if missing or len(chosen) < len(rows):
        raise InputError("rows: %s" % ("%.40r is no node" % (missing[0],) if missing else "a node stands twice"))
    return rows, [node for node in graph if node not in chosen]


class _Bipartite(_Stored):
    """The edges of a graph with two sides; answers by edge (row, column) and by node."""

    def __init__(self, graph, sides, whole=False):
        self.rows, self.columns = sides
        place, found = {node: k for k, node in enumerate(self.columns)}, []
        for i, u in enumerate(self.rows):
            for v, edge in graph[u].items():
                if v not in place:
                    raise InputError("the edge from %.40r to %.40r joins two rows" % (u, v))
                found.append((i, place[v], edge.get("weight", 1)))
        if len(found) < graph.number_of_edges():
            raise InputError("an edge joins two nodes that are no rows")
        found.sort(key=lambda entry: entry[:2])
        row, column, data = ([entry[part] for entry in found] for part in range(3))
        data, self.at = _own(data), list(zip(row, column))
        kind = _common_kind(data)
        if whole and kind == "O":
            raise InputError("a weight has more than 64 bits; full=True takes it as a double")
        data = _made(kind, (len(data),), [int(x) for x in data] if kind in "qO" else data)
        super().__init__(map(len, sides), row, column, data if whole and kind == "q" else _floats(data))

    def like(self, a, values):
        return {(self.rows[i], self.columns[j]): x for (i, j), x in zip(self.at, _listing(values))}

    def lines(self, apart):
        return dict(zip(max(self.columns, self.rows, key=len), _listing(apart)))


def _listing(values):
    return values if isinstance(values, list) else values.tolist()


def _is_many(a):
    """Whether it is a list of matrices or graphs."""
    first = a[0] if isinstance(a, (list, tuple)) and a else None
    return _is_sparse(first) or _is_graph(first) or getattr(first, "ndim", 0) == 2 or (
        isinstance(first, (list, tuple)) and bool(first) and isinstance(first[0], (list, tuple)))


def _marginals_of_many(given, unmatched, call):
    """marginals() of each, by threads."""
    given, scenes = list(given), []
    for k, a in enumerate(given):
        sides = _two_sides(a, None) if _is_graph(a) else None
        given[k] = a if sides or _is_sparse(a) else _array(a)
        scenes.append(_Bipartite(a, sides) if sides else _stored(given[k]))
    chances = [_Out(None, (scene.data.size,), False) for scene in scenes]
    apart = [_Out(None, (max(scene.shape),), False) for scene in scenes]
    results, pointers = (_Result * len(scenes))(), c_void_p * len(scenes)
    status = call.run("perm_marginals_sparse_batch", len(scenes),
                      pointers(*(ctypes.addressof(scene.matrix) for scene in scenes)), byref(call.options),
                      pointers(*(out.address for out in chances)), pointers(*(out.address for out in apart)), results)
    if status:
        k = next(k for k, result in enumerate(results) if result.status)
        error = _error(status, b"matrix %d (counted from 0): %s" % (k, results[k].message), _result(results[k]))
        raise error if results[k].argument != 1 or isinstance(error, InputError) else InputError(  # a weight
            str(error), error.status, error.result)
    return [(scene.like(a, out.answer()), scene.lines(empty.answer())) if unmatched else scene.like(a, out.answer())
            for a, scene, out, empty in zip(given, scenes, chances, apart)]


def marginals(a, unmatched=False, rows=None, **options):
    """How likely each entry is in an assignment drawn by its product: a[i, j] times the derivative by it, divided by
    the permanent. m x n doubles (complex) whose rows (m <= n; of m >= n the columns) have the sum 1.

    a: m x n weights; of targets and measurements the association probabilities of tracking (JPDA: a column more for
    each target's miss). Entries of very different sizes do no harm. Complex ones (so also negative ones, as complex
    numbers) have shares of the sum, not probabilities. The time of a gradient, or of two; few entries in large arrays
    take less. A scipy.sparse matrix of real weights, of any size, gives one of its pattern. A bipartite networkx graph,
    with edges' `weight` or 1, gives a dict by (row, column); its rows are the nodes `rows`, or all with bipartite=0.
    unmatched: (that, the probabilities that a column, or of m > n a row, is in no entry, of a graph by node), if real.
    A list of matrices or graphs gives a list, one thread each. Raises InputError where a real weight is negative,
    ZeroPermanentError, UnsupportedError where terms cancel so that no digit is known, ...

    >>> [[round(float(x), 3) for x in row] for row in perm.marginals([[0.9, 0.1, 0.2], [0.3, 0.6, 0.2]])]
    [[0.758, 0.053, 0.189], [0.095, 0.695, 0.211]]
    """
    call, unmatched = _call(options, "unmatched", "rows"), _flag("unmatched", unmatched)
    sides = _two_sides(a, rows) if _is_graph(a) else None
    if rows is not None and not sides:
        raise InputError("rows: of a bipartite graph, its nodes that are rows", "PERM_ERROR_OPTION")
    if _is_many(a):
        return _marginals_of_many(a, unmatched, call)
    if sides or (_is_sparse(a) and a.dtype.kind != "c"):
        stored = _Bipartite(a, sides) if sides else _stored(a)
        (m, n), real, values = stored.shape, True, stored.data
        if stored.kind == "D":
            raise UnsupportedError("complex weights of edges: there are no chances of them")
    else:
        a, stored = _floats(_array(a)), None
        (m, n), real, values = a.shape, _kind(a) == "d", a
    most = max(m, n)
    if unmatched and not real:
        raise UnsupportedError("unmatched: there are no chances of complex weights")
    values = values if np else _entries(values)
    if not (np.isfinite(values).all() if np else all(map(cmath.isfinite, values))):
        raise InputError("an entry is NaN or infinite", "PERM_ERROR_NOT_FINITE")
    least = 0 if not real or not max(m, n) else values.min(initial=0) if np else min(values, default=0)
    if least < 0:
        raise InputError("a weight is %.17g: there are no chances of negative weights; gradient() is of any entries" %
                         least, "PERM_ERROR_OPTION")
    if real and not (stored or most > _LINES or unmatched or _is_sparse_array(a, options, 28)):
        return _by_array(a, call)
    form = stored or _stored(a)
    if real:
        try:
            answer, _, apart = _by_sparse("marginals", form, call)
        except LimitError:
            if stored or most > _LINES or unmatched:
                raise
            return _by_array(a, call)
        answer = form.like(a, answer)
        return (answer, form.lines(apart)) if unmatched else answer
    values = _entries(a)
    by_rows = m <= n  # lines times powers of 2: nothing changes but what underflows
    rows = [values[k * n:(k + 1) * n] for k in range(m)]
    lines = rows if by_rows else list(zip(*rows))
    lines = [[_lifted(x, -exponent) for x in line] for line in lines
             for exponent in [math.frexp(max(max(abs(x.real), abs(x.imag)) for x in line) if line else 0)[1]]]
    rows = lines if by_rows else list(zip(*lines))
    form = _stored(_made("D", (m, n), [x for row in rows for x in row]))
    derivatives, result, _ = _by_sparse("gradient", form, call)
    derivatives = form.like(a, derivatives)
    if not result.value:
        raise ZeroPermanentError("the permanent is 0: no assignment has a weight", "PERM_ERROR_ZERO")
    answer = [[x * y / result.value for x, y in zip(*pair)] for pair in zip(derivatives, rows)]
    if not all(abs(sum(line) - 1) < 1e-8 for line in (answer if by_rows else zip(*answer))):
        raise UnsupportedError("the terms cancel: no digits of the marginals are known")
    return np.array(answer, np.complex128).reshape(m, n) if np else answer


def _by_array(a, call):
    """What perm_marginals_real says."""
    (m, n), (b, ld) = a.shape, _rows_of(a)
    out = _Out(None, (m, n), False)
    call.must("perm_marginals_real", m, n, _at(b), ld, None, None, byref(call.options), out.address)
    return out.answer()


_LINES = 63  # of each side, up to which perm_marginals_real takes any weights


def _selections(rows, cols):
    """(count, k) of two lists of indices, and both as C's ints; None: 0 .. k - 1 for all."""
    lists = []
    for name, index in (("rows", rows), ("cols", cols)):
        try:
            index = None if index is None else _numbers(index)
            if index is not None and index.ndim not in (1, 2):
                raise InputError("expected an array (count, k) or (k,), not of shape %s" % (index.shape,))
        except Error as error:
            raise type(error)("%s: %s" % (name, error), error.status) from None
        lists.append(index)
    counts = [index.shape[0] for index in lists if index is not None and index.ndim == 2]
    for place, index in enumerate(lists):  # one selection for all
        if index is not None and index.ndim == 1 and counts:
            lists[place] = _made(_kind(index), (counts[0], index.size), _entries(index) * counts[0])
    shapes = {index.shape for index in lists if index is not None}
    if len(shapes) != 1 or not counts or any(index is not None and _kind(index) != "q" for index in lists):
        raise InputError("rows, cols: expected arrays of integers of one shape (count, k), one of them at least",
                         "PERM_ERROR_SIZE")
    (count, k), = shapes
    if np:
        lists = [np.broadcast_to(np.arange(k), (count, k)) if index is None else index for index in lists]
        return count, k, [_ints(index.clip(-1, 2**31 - 1)) for index in lists]
    return count, k, [_ints(list(range(k)) * count if index is None else
                            [max(-1, min(x, 2**31 - 1)) for x in index.data]) for index in lists]


def _select(a, k, rows, cols, call, out):
    """Permanents of k x k selections, whose indices are C's ints, into `out`."""
    a, ld = _rows_of(a)
    status = call.run("perm_select_" + _SUFFIXES[_kind(a)], *a.shape, _at(a), ld, k, out.shape[0], _at(rows), _at(cols),
                      byref(call.options), out.address, byref(call.result))
    if status:
        raise _error(status, call.result.message, out.answer())


_GATHERED = 1 << 18  # entries of selections that are copied at a time


def _exact_selections(a, count, k, rows, cols, options):
    """Permanents of the selections, of integers: exactly, as those of a stack."""
    (m, n), values, clock, answer = a.shape, _entries(a), _Clock(options), []
    step = max(1, _GATHERED // max(k * k, 1))
    for index, size in ((rows, m), (cols, n)):
        bad = next((s for s, x in enumerate(index) if not 0 <= x < size), None)
        if bad is not None:
            raise IndexRangeError("selection %d (counted from 0) leaves the %d x %d matrix" % (bad // k, m, n),
                                  "PERM_ERROR_RANGE")
    for first in range(0, count, step):
        chosen = [(rows[s * k:s * k + k], cols[s * k:s * k + k]) for s in range(first, min(first + step, count))]
        if np and k:
            i, j = (np.array([each[part] for each in chosen]) for part in (0, 1))
            answer += permanent(a[i[:, :, None], j[:, None, :]], **clock.left()).tolist()
        else:
            answer += [permanent([[values[i * n + j] for j in right] for i in left], **clock.left())
                       for left, right in chosen]
    return answer


def submatrices(a, rows=None, cols=None, out=None, **options):
    """Permanents of many k x k selections of one m x n matrix: selection s takes rows[s] and cols[s].

    rows, cols: arrays (count, k) of indices from 0, repeats allowed (then lines stand so often: two photons in a mode);
    one of them may be (k,), the same for all, or None: 0 .. k-1. Returns count doubles (complex), in out if given, as
    in permanent(), of shape (count,); of integers exact Python ints, of Fractions Fractions, in an array of objects.
    With out or another precision than exact integers are taken as doubles. O(count k 2^(k-1)). Raises IndexRangeError,
    InputError, TooLargeError as for stacks, ...

    >>> list(map(float, perm.submatrices([[1.5, 2], [3, 4], [5, 6]], rows=[[0, 1], [0, 2]])))
    [12.0, 19.0]
    >>> list(map(int, perm.submatrices([[10**20, 1], [3, 1]], cols=[[0, 1]])))
    [100000000000000000003]
    """
    a = _adjacency(a) if _is_graph(a) else a
    a, common = _rational(a) or (a, 1)
    a = _array(a)
    call = _call(options, "rows", "cols", "out")
    exactly = call.precision == "exact" or call.options.modulus or (_kind(a) in "qO" and call.precision == "default")
    if out is not None and (common != 1 or call.precision == "exact" or call.options.modulus):
        raise InputError("out: of doubles, not of exact numbers", "PERM_ERROR_OPTION")
    exactly = exactly and out is None
    a = a if exactly else _floats(a)
    count, k, (rows, cols) = _selections(rows, cols)
    n = a.shape[1]
    flat = [index.ravel().tolist() if np else list(index) for index in (rows, cols)]
    if exactly:
        values = _exact_selections(a, count, k, *flat, options)
        values = [_fraction(x, common**k) for x in values] if common != 1 else values
        return _in_array([values], (1, count))[0]
    out = _Out(out, (count,), _kind(a) == "D")
    _select(a, k, rows, cols, call, out)

    def one(s):
        values, (i, j) = _entries(a), (index[s * k:s * k + k] for index in flat)
        return permanent([[values[row * n + column] for column in j] for row in i])
    _refine(out, a, k, one)
    return out.answer()


def _guarantee(guarantee, *others):
    """Relative error and confidence of a pair (E, D)."""
    try:
        error, chance = map(float, guarantee)
    except (TypeError, ValueError):
        raise InputTypeError("guarantee: expected a pair such as (0.1, 0.05), not %.60r" % (guarantee,),
                             "PERM_ERROR_OPTION") from None
    if not (0 < error < 1 and 1e-9 <= chance < 1):
        raise InputError("guarantee = %.60r: expected an error and a chance between 0 and 1, such as (0.1, 0.05)" %
                         (guarantee,), "PERM_ERROR_OPTION")
    if others != ("auto", 0, 0):
        raise InputError("guarantee says estimator, relative_error and confidence: leave them out", "PERM_ERROR_OPTION")
    return error, 1 - chance


def estimate(a, samples=0, relative_error=0, confidence=0, seed=0, estimator="auto", guarantee=None, **options):
    """An unbiased estimate by random samples, for n x n matrices that nothing else finishes (n to 20000): an Estimate.

    Stops at the first of samples (65536 if nothing is given), relative_error (of the standard error) and max_seconds.
    confidence: of the interval, 0.95. estimator: one of ESTIMATORS; sinkhorn wants non-negative entries. The same seed
    gives the same samples for any number of threads. Integers are taken as doubles. O(n^2) a sample. OPTIONS are
    threads, max_seconds, progress and cancel.

    guarantee=(E, D): of entries >= 0, n to 2000, within E times the value, with a chance of D at most to miss that, by
    a theorem (estimator "rejection"), or computed if that is sooner by prediction (samples 0; message); of others a
    proved_radius that holds with probability 1 - D, and status PERM_TOLERANCE_NOT_MET if it is larger. proved_radius
    is inf where none is known; the permanent is certainly between certain_low and certain_high.

    >>> e = perm.estimate([[1, 2], [3, 4]], samples=10000, seed=3)
    >>> abs(e.value - 10) < 5 * e.standard_error
    True
    """
    a = _floats(_array(a))
    if a.shape[0] != a.shape[1]:
        raise InputError("estimates are of square matrices, not of shape %s" % (a.shape,), "PERM_ERROR_SIZE")
    call = _call(options, "samples", "relative_error", "confidence", "seed", "estimator", "guarantee")
    idle = [name for name in options if name not in ("threads", "max_seconds", "progress", "cancel")]
    if idle:
        raise InputError("option %s does nothing for an estimate: threads max_seconds progress cancel do" % idle[0],
                         "PERM_ERROR_OPTION")
    if guarantee is not None:
        relative_error, confidence = _guarantee(guarantee, estimator, relative_error, confidence)
    wanted = _EstimatePlan(_one_of("estimator", estimator, ESTIMATORS), _real("samples", samples),
                           _real("relative_error", relative_error), _real("confidence", confidence),
                           _whole("seed", seed, 0, 2**64 - 1), guarantee is not None)
    e, (a, ld) = _Estimate(), _rows_of(a)
    status = call.run("perm_estimate_" + _SUFFIXES[_kind(a)], a.shape[0], _at(a), ld,
                      byref(wanted), byref(call.options), byref(e))
    message = _text(e.message)
    if status < 0:
        raise _error(status, message)
    return Estimate(complex(e.value, e.imaginary) if e.is_complex else e.value, e.exp2, e.standard_error, e.low, e.high,
                    e.radius, e.proved_radius, e.certain_low, e.certain_high, e.confidence, int(e.samples), e.seed,
                    ESTIMATORS[e.estimator], e.threads, e.seconds, _lib.perm_name(b"status", status).decode(), message)


def _is_general(a):
    """No entry is 0, and no two rows or columns are equal."""
    entries, n = _entries(a), a.shape[1]
    rows = [tuple(entries[k:k + n]) for k in range(0, len(entries), n)]
    return all(entries) and len(set(rows)) == len(rows) and len(set(zip(*rows))) == n


def plan(a, **options):
    """What would be done with a matrix: a Plan. Nothing is computed; as long as planning takes, at most seconds.

    >>> perm.plan([[0.5 + i * j for j in range(30)] for i in range(30)]).seconds < 60
    True
    """
    return _planned(a, options, lambda job, leaves, matrix, call: None)[0]


def explain(a, **options):
    """The plan in a few lines for people, like those of `perm --explain`: what the matrix is, what will be done, how
    long it takes, what the answer will be, why no other engine. plan(a).text says more, for those who know the engines.

    >>> print(perm.explain([[1, 2], [5, 0]]))
    matrix     2 x 2, 3 entries
    plan       nothing is left to compute
    answer     every digit, exactly
    """
    return "\n".join("%-10s %s" % line for line in _planned(a, options, _outline)[1])


def _planned(a, options, look):
    """The Plan of a matrix, and what look(job, leaves, matrix, call) says of it."""
    call = _call(options)
    if not isinstance(a, (str, os.PathLike)) and not _is_sparse(a):
        a = _array(a)
        if _kind(a) == "O":
            raise UnsupportedError("plans are of entries of 64 bits")
        m, n = a.shape
        if _kind(a) in "dD" and call.method == "auto" and 2 < m == n <= 64 and (n <= 16 or _is_general(a)):
            call.options.method = METHODS.index("dense")  # as compute() has it, without a search for structure
    job, planned = c_void_p(), []
    with _Sparse(a, call) as matrix:
        def see(job):
            leaves = []
            for k in range(_lib.perm_job_leaves(job)):
                leaf = _Leaf()
                _lib.perm_job_leaf(job, k, byref(leaf))
                leaves.append(Leaf(METHODS[leaf.method], ISAS[leaf.isa], leaf.n, leaf.chunks, leaf.work, leaf.seconds,
                                   leaf.bytes))
            text = ctypes.create_string_buffer(_lib.perm_job_explain(job, None, 0) + 1)
            _lib.perm_job_explain(job, text, len(text))
            most = max([leaf.bytes for leaf in leaves], default=0.0)
            planned.append((Plan(sum(leaf.seconds for leaf in leaves), most, tuple(leaves), text.value.decode()),
                            look(job, leaves, _Matrix.from_buffer(matrix.bytes), call)))

        def execute(job, *_):  # stands for the execution of a proof's job, which is looked at
            try:
                see(c_void_p(job))
            except BaseException as error:
                call.raised = error
            return 0

        try:
            if call.proves:
                hook = _Execute(execute)
                call.options.execute = ctypes.cast(hook, c_void_p)
                status = call.run("perm_prove_sparse", matrix.bytes, None, byref(call.options), byref(call.result))
            else:
                status = call.run("perm_sparse_job", matrix.bytes, byref(call.options), byref(job), byref(call.result))
            if status < 0:
                raise _error(status, call.result.message)
            if job:
                see(job)
        finally:
            _lib.perm_job_free(job)
    return planned[0]


def _in_words(unit, number):
    text = ctypes.create_string_buffer(64)
    _lib.perm_amount_text(unit.encode(), number, text, len(text))
    return text.value.decode()


def _outline(job, leaves, matrix, call):
    """Lines of a word and a text."""
    yes = c_int()
    precision = PRECISIONS[_lib.perm_job_precision(job, byref(yes))]
    lines = [("matrix", "%d x %d, %d entries" % (matrix.m, matrix.n, matrix.nnz) + (
        ", none is 0" if matrix.nnz == matrix.m * matrix.n else ""))]
    costliest = max(range(len(leaves)), key=lambda k: leaves[k].seconds, default=None)
    if costliest is None:
        lines.append(("plan", "nothing is left to compute"))
    else:
        leaf = leaves[costliest]
        lines.append(("plan", "method %s, order %d%s%s" % (
            "proof" if call.proves else leaf.method, leaf.n, ", on GPUs" if leaf.isa == "cuda" else "",
            "" if len(leaves) < 2 else (", in %d ranges of values" if call.proves else
                                        ", for the longest of %d blocks") % len(leaves))))
        lines.append(("time", "about %s on one %s; %s of memory" % (
            _in_words("seconds", sum(leaf.seconds for leaf in leaves)), "GPU" if leaf.isa == "cuda" else "thread",
            _in_words("bytes", (sum if call.proves else max)(leaf.bytes for leaf in leaves)))))
    error = ("a proved bound of its error" if yes.value else "an estimate of its error" + (
        "" if call.options.certify else "; certify=True asks for a proved bound"))
    lines.append(("answer", "the permanent modulo %d, exactly" % call.options.modulus if call.options.modulus else
                  "every digit, exactly" if precision == "exact" else "a double%s with %s" % (
                      "" if precision == "default" else " of precision " + precision, error)))
    offers, offer = [], _Offer()
    while costliest is not None and _lib.perm_job_offer(job, len(offers), byref(offer)) == 0:
        offers.append((offer.block, METHODS[offer.method], offer.seconds, offer.bytes, _text(offer.reason)))
    offers = [each[1:] for each in offers if each[0] == costliest and each[1] != leaf.method]
    others = ["%s about %s%s" % (method, _in_words("seconds", seconds),
                                 ", but it " + reason if "takes more" in reason else "")
              for method, seconds, _, reason in sorted(offers, key=lambda each: each[1]) if seconds < math.inf]
    declined = ["%s: it %s" % (method, reason) for method, seconds, _, reason in offers if seconds == math.inf]
    return lines + [(word, "; ".join(texts)) for word, texts in (("otherwise", others[:3]), ("declined", declined))
                    if texts]


def read(source, **options):
    """The matrix in a file, or in the bytes of one, as an array (without numpy as lists): int64, float64 or complex128.

    source: a file's name (str or os.PathLike; "-": standard input), or bytes. Formats: docs/formats.md; option format
    says what a file without a banner is. Fractions a/b are refused. permanent(), compute() and others take the name
    itself, and so keep the zeros of a large sparse matrix out of memory. Raises FileError, InputError (which line), ...

    >>> perm.permanent(perm.read(b"1 2\\n3 4\\n"))
    10
    """
    if not isinstance(source, (str, os.PathLike, bytes)):
        raise InputTypeError("source: expected a file's name or bytes, not %.60r" % (source,), "PERM_ERROR_OPTION")
    return _read(source, "bytes", options)


def _read(source, name, options):
    """The array of a file, or of bytes with the name."""
    call = _call(options)
    with _Sparse(source, call, name) as held:
        matrix = _Matrix.from_buffer(held.bytes)
        m, n = matrix.m, matrix.n
        if m * n > 1 << 26:
            raise LimitError("%d x %d numbers as an array: give permanent() the file's name" % (m, n),
                             "PERM_ERROR_LIMIT")
        kind, values = "qqdD"[matrix.kind], [0] * (m * n)
        for i in range(m):
            for k in range(matrix.row_start[i], matrix.row_start[i + 1]):
                values[i * n + matrix.column[k]] = (
                    1 if matrix.kind == 0 else matrix.integer[k] if kind == "q" else matrix.real[k] if kind == "d" else
                    complex(matrix.real[k], matrix.imaginary[k]))
        del matrix
    answer = _made(kind, (m, n), values)
    return answer if np else answer.nested()


def graphs(source, **options):
    """The adjacency matrices of a file of graph6, sparse6 or digraph6, a graph a line: an iterator of arrays.

    source: a file's name (str or os.PathLike; "-": standard input), or bytes; also compressed by gzip. Empty lines and
    headers are passed over. Raises FileError, and when it comes to a line InputError, which names it.

    >>> [perm.matchings(a) for a in perm.graphs(b"A_\\nC]\\n")]
    [1, 2]
    """
    _call(options)
    name = "bytes" if isinstance(source, bytes) else os.fsdecode(_path("source", source))
    try:
        if isinstance(source, bytes):
            text = source
        elif name == "-":
            text = sys.stdin.buffer.read()
        else:
            with open(source, "rb") as file:
                text = file.read()
        if text[:2] == b"\x1f\x8b":
            import gzip
            try:
                text = gzip.decompress(text)
            except Exception as error:  # zlib's own, too
                raise OSError(str(error)) from None
    except OSError as error:
        raise FileError("%s: cannot read: %s" % (name, error.strerror or error), "PERM_ERROR_FILE") from None
    options = {**options, "format": "graph6"}
    return (_read(line, "%s, line %d" % (name, k), options) for k, line in enumerate(text.split(b"\n"), 1)
            if line.strip() not in (b"", b">>graph6<<", b">>sparse6<<", b">>digraph6<<"))


def _linked(graph, weight):
    """_links of a graph, or of a symmetric matrix, array or file; whether it is directed."""
    if _is_graph(graph):
        return _links(graph, weight), hasattr(graph, "is_directed") and graph.is_directed()
    a = _array(read(graph) if isinstance(graph, (str, os.PathLike, bytes)) else graph)
    m, n = a.shape
    if m != n:
        raise InputError("expected a graph or its adjacency matrix, which is square, not of shape %s; permanent() of "
                         "the matrix of two sides counts its perfect matchings" % (a.shape,), "PERM_ERROR_SIZE")
    values = _entries(a)
    links = [{j: x for j, x in enumerate(values[i * n:i * n + n]) if x} for i in range(n)]
    return links, any(links[j].get(i) != x for i, row in enumerate(links) for j, x in row.items())


def matchings(graph, weight="weight", **options):
    """How many perfect matchings a bipartite graph has: an exact int; with weights the sum of their products.

    graph: of networkx, or its adjacency matrix (symmetric), or a file of one (graph6, DIMACS). The two sides are found;
    where they are not as large as one another in some part of the graph the answer is 0. weight: the name of the edges'
    attribute; edges without it, and all of them for weight=None, count 1. Parallel edges add up. A graph without nodes
    has one, the empty matching. Raises InputError of graphs with an odd cycle, a loop among them, and of directed ones.

    >>> perm.matchings([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])  # a ring of four
    2
    """
    _call(options, "weight")
    links, directed = _linked(graph, weight)
    if directed:
        raise InputError("expected an undirected graph: of a directed one cycle_covers() is the permanent, and "
                         "G.to_undirected() has matchings", "PERM_ERROR_OPTION")
    names = list(graph) if _is_graph(graph) else range(len(links))
    side, balanced = [None] * len(links), True
    for start in range(len(links)):
        if side[start] is not None:
            continue
        side[start], part = 0, [start]
        for k in part:  # which grows meanwhile
            for other in links[k]:
                if side[other] is None:
                    side[other] = 1 - side[k]
                    part.append(other)
                elif side[other] == side[k]:
                    raise InputError(
                        "the graph has an odd cycle, with the edge from %.40r to %.40r: it has no two sides, and its "
                        "perfect matchings are not the permanent of a matrix. The permanent of its adjacency matrix, "
                        "perm.cycle_covers(G), counts the cycle covers instead" % (names[k], names[other]),
                        "PERM_ERROR_OPTION")
        balanced = balanced and 2 * sum(side[k] for k in part) == len(part)
    if not balanced:
        return 0
    columns = [k for k, at in enumerate(side) if at]
    return permanent([[row.get(k, 0) for k in columns] for row, at in zip(links, side) if not at], **options)


def cycle_covers(graph, weight="weight", **options):
    """The permanent of the adjacency matrix of a graph: how many cycle covers it has, or with weights the sum of their
    products.

    Each node is in one cycle, of length 1 (a loop), 2 (an edge there and back) or more, in either direction.

    graph, weight: as of matchings(), of which a bipartite graph has the square here; also directed graphs.

    >>> perm.cycle_covers([[0, 1, 1], [1, 0, 1], [1, 1, 0]])  # a triangle, both ways
    2
    """
    _call(options, "weight")
    return permanent(_rows_of_links(_linked(graph, weight)[0]), **options)


def low_rank(u, v, **options):
    """The permanent of u @ v, u n x r and v r x n, as a Result with a proved bound; C(n + r - 1, r - 1) n r steps.

    >>> perm.low_rank([[1.0], [2]], [[3.0, 4]]).value
    48.0
    """
    u, v = _floats(_array(u)), _floats(_array(v))
    if u.shape != v.shape[::-1]:
        raise InputError("u of shape %s wants v of shape %s, not %s" % (u.shape, u.shape[::-1], v.shape),
                         "PERM_ERROR_SIZE")
    kind = "D" if "D" in (_kind(u), _kind(v)) else "d"
    (u, ldu), (v, ldv) = _rows_of(_as(u, kind)), _rows_of(_as(v, kind))
    name = "perm_compute_low_rank_" + _SUFFIXES[kind]
    return _result(_call(options).compute(name, *u.shape, _at(u), ldu, _at(v), ldv))


def cauchy(x, y, **options):
    """The permanent of 1 / (x_i - y_j), n nodes each (n to 512), as (Result, condition); O(n^3).

    condition: by how much a relative error of an entry may be magnified; 30 digits less its logarithm are right, which
    error_estimate says. Raises InputError where nodes coincide.

    >>> result, condition = perm.cauchy([1.0, 2], [0.5, -1])
    >>> result.value
    1.0
    """
    x, y = _floats(_array(x, 1)), _floats(_array(y, 1))
    if x.shape != y.shape:
        raise InputError("x and y differ in length: %d and %d" % (x.size, y.size), "PERM_ERROR_SIZE")
    kind = "D" if "D" in (_kind(x), _kind(y)) else "d"
    x, y = _as(x, kind), _as(y, kind)
    if np:
        x, y = (np.ascontiguousarray(nodes, nodes.dtype.newbyteorder("=")) for nodes in (x, y))
    call, condition = _call(options), c_double()
    status = call.run("perm_compute_cauchy_" + _SUFFIXES[kind], x.size, _at(x), _at(y), byref(call.options),
                      byref(condition), byref(call.result))
    if status < 0:
        raise _error(status, call.result.message)
    return _result(call.result), condition.value


def rook_numbers(a, **options):
    """The sums of the permanents of all k x k submatrices, k = 0 .. min(m, n): a list of exact ints.

    a: integers (or whole doubles), an array, a scipy.sparse matrix or a file. Of 0/1 matrices: placements of k rooks
    that do not attack; the matching polynomial of the graph is the sum of (-1)**k r[k] x**(m + n - 2 k). Methods
    auto, frontier, exact. Raises UnsupportedError for other entries, TooLargeError beyond 4544 bits, LimitError, ...

    >>> perm.rook_numbers([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    [1, 7, 11, 3]
    """
    call = _call(options)
    with _Sparse(a, call) as matrix:
        numbers = (_Integer * (min((c_int * 2).from_buffer(matrix.bytes)) + 1))()  # of m and n
        call.must("perm_rook_numbers", matrix.bytes, byref(call.options), numbers)
    return list(map(int, numbers))


def _coefficients(call, name, count, exact, is_complex, arguments):
    """The numbers, in a list, and the bounds on their errors of a polynomial_ function of the library."""
    numbers = (_Integer * (count * (1 + is_complex)))() if exact else (c_double * (count * (1 + is_complex)))()
    errors = (c_double * count)()
    call.must("perm_polynomial_" + name, *arguments, byref(call.options), numbers, *(() if exact else (errors,)))
    numbers = list(map(int, numbers)) if exact else list(numbers)
    if is_complex:
        numbers = list(map(Gaussian if exact else complex, numbers[::2], numbers[1::2]))
    return numbers, list(errors)


def _by_degrees(flat, sizes):
    """Nested lists, of which the first index was the fastest."""
    return [_by_degrees(flat[k::sizes[0]], sizes[1:]) for k in range(sizes[0])] if sizes else flat[0]


def _several(call, c, forms, cuts):
    """_coefficients of per(c + x_1 forms[0] + ..), each degree cut."""
    cuts = [_whole("degree", cut, 0) for cut in cuts]
    forms = [_array(each) for each in (c, *forms)]
    if len(cuts) != len(forms) - 1:
        raise InputError("degree: %d numbers for %d matrices" % (len(cuts), len(forms) - 1), "PERM_ERROR_SIZE")
    if any(each.shape != forms[0].shape for each in forms):
        raise InputError("matrices of shapes " + ", ".join(str(each.shape) for each in forms), "PERM_ERROR_SIZE")
    kinds, (m, n) = set(map(_kind, forms)), forms[0].shape
    exact = call.precision in ("default", "exact") and kinds <= {"q", "O"} or call.precision == "exact"
    if exact and "O" in kinds:
        raise UnsupportedError("polynomials of integers beyond 64 bits")
    is_complex = "D" in kinds
    if kinds != {"q"} or not exact:
        forms = [_as(_floats(each), "D" if is_complex else "d") for each in forms]
        forms = [_integers(each) for each in forms] if exact else forms
    count = math.prod(cut + 1 for cut in cuts)
    if count > 10**7:
        raise InputError("degree: %d coefficients" % count, "PERM_ERROR_SIZE")
    kind, flat = "q" if exact else "D" if is_complex else "d", [x for each in forms for x in _entries(each)]
    a, cuts = _made(kind, (len(flat),), flat), _ints(cuts)
    name = ("gaussian" if is_complex else "integer") if exact else _SUFFIXES[kind]
    return (*_coefficients(call, "several_" + name, count, exact, is_complex,
                           (m, n, len(cuts), _at(a), n, _at(cuts))), exact)


def polynomial(c, l, degree=None, bounds=False, **options):
    """The coefficients of per(c + x l), of x^0, x^1, ... up to `degree` (default: all): exact ints of integers in a
    list (of complex whole numbers with precision="exact" Gaussian); else an array of doubles.

    c, l: arrays, scipy.sparse matrices, graphs or files of one shape. bounds=True: (coefficients, bounds on their
    errors). With a list of degrees l is a list of as many matrices: of per(c + x l[0] + y l[1] + ..), each degree cut,
    coefficient [i][j].. that of x^i y^j ..; up to 30 columns. Methods auto, frontier, exact (of several: auto).

    >>> perm.polynomial([[1, 2], [3, 4]], [[1, 0], [0, 1]])
    [10, 5, 1]
    >>> perm.polynomial([[1, 2], [3, 4]], [[[1, 0], [0, 0]], [[0, 0], [0, 1]]], [1, 1])
    [[10, 1], [4, 1]]
    """
    call = _call(options, "degree", "bounds")
    if degree is not None and not hasattr(degree, "__index__"):
        numbers, errors, exact = _several(call, c, l, degree)
        sizes = [operator.index(cut) + 1 for cut in degree]
        numbers, errors = _by_degrees(numbers, sizes), _by_degrees(errors, sizes)
    else:
        with _Sparse(c, call) as c, _Sparse(l, call) as l:
            heads = [_Matrix.from_buffer(each.bytes) for each in (c, l)]
            if degree is None:
                degree = min(heads[0].m, heads[0].n)
            degree = _whole("degree", degree, 0, 10**7)
            exact = call.precision == "exact" or call.precision == "default" and all(each.kind < 2 for each in heads)
            numbers, errors = _coefficients(call, "sparse_integer" if exact else "sparse", degree + 1, exact,
                                            any(each.kind == 3 for each in heads), (c.bytes, l.bytes, degree))
    if np and not exact:
        numbers, errors = np.array(numbers), np.array(errors)
    return (numbers, errors) if bounds else numbers


def permanental_polynomial(a, bounds=False, **options):
    """The coefficients of per(x I - a), of x^0, x^1, ..., as those of polynomial().

    >>> perm.permanental_polynomial([[0, 1, 1], [1, 0, 1], [1, 1, 0]])  # a triangle
    [-2, 3, 0, 1]
    """
    a = a if _is_sparse(a) else _array(read(a) if isinstance(a, (str, os.PathLike)) else a)
    if len(a.shape) != 2 or a.shape[0] != a.shape[1]:
        raise InputError("the permanental polynomial is of square matrices, not of shape %s" % (a.shape,),
                         "PERM_ERROR_SIZE")
    n = a.shape[0]
    one = _made("q", (n, n), [int(k % (n + 1) == 0) for k in range(n * n)])
    numbers, errors = polynomial(a, one, None, True, **options)
    for k in range(n - 1, -1, -2):
        x = numbers[k]
        x = numbers[k] = Gaussian(-x.real, -x.imag) if isinstance(x, Gaussian) else -x
        numbers[k] = x % options["modulus"] if options.get("modulus") else x
    return (numbers, errors) if bounds else numbers


def sample(a, count, seed=1, first=0, **options):
    """Permutations of a non-negative m x n matrix, m <= n, each with probability (its product) / permanent.

    count x m ints: [k, i] is the column of row i, counted from 0; an array with NumPy, else a list of lists. a: an
    array, a scipy.sparse matrix or a file. Integers (also whole doubles) are drawn without rounding. Sample k depends
    on seed and first + k, not on threads. Raises UnsupportedError for negative or complex entries and for a permanent
    of 0, LimitError where the states that are kept exceed max_bytes, ...

    >>> [list(map(int, columns)) for columns in perm.sample([[1, 2], [1, 1]], 4, seed=2)]
    [[1, 0], [0, 1], [0, 1], [1, 0]]
    """
    count, seed, first = (_whole(name, number, 0, 2**64 - 1) for name, number in (
        ("count", count), ("seed", seed), ("first", first)))
    call = _call(options)
    with _Sparse(a, call) as matrix:
        m = c_int.from_buffer(matrix.bytes).value
        columns = np.empty((count, m), np.intc) if np else (c_int * (count * m))()
        call.must("perm_sample_sparse", matrix.bytes, byref(call.options), seed, first, count, _at(columns))
    return columns if np else [columns[k * m:k * m + m] for k in range(count)]


class OnGPU(namedtuple("OnGPU", "array error_bound total exp2")):
    """What amplitudes() makes of `u` on a GPU: `array` there, of u's package; the rest as of Amplitudes."""

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


class Amplitudes(np.ndarray if np else list):
    """Amplitudes or probabilities by states, from amplitudes(): an array, without NumPy a list, that knows its states.

    error_bound: proved, of the root of the sum of all amplitudes' |errors|**2; half the sum of errors of probabilities
    is at most error_bound * (total**0.5 + error_bound / 2). total: the sum of |amplitude|**2. exp2: if not 0, units are
    2**exp2, of probabilities and total 4**exp2. What is computed of the array has none of these, copies and pickles do.
    """
    error_bound = total = exp2 = _of = None
    if np:
        def copy(self, order="C"):
            """A copy, with what is known of it."""
            return _known(np.array(self, order=order), vars(self))

        __copy__, __deepcopy__ = copy, lambda self, _: self.copy()

        def __reduce__(self):
            return _known, (np.asarray(self), vars(self))

    def index(self, state):
        """The place of the state: photons that leave by each row. a[a.index(s)] is the state's number; a[s] are
        the numbers at these places, and a[[s]] too, as of every array."""
        m, photons, outputs = self._given()
        state, index = _counts("state", state, m), c_size_t()
        status = _lib.perm_amplitudes_index(m, _at(state), byref(outputs), byref(index))
        if status or sum(state) != photons:
            raise IndexRangeError("state: %s is not among the outputs" % state.tolist(), "PERM_ERROR_RANGE")
        return index.value

    def states(self):
        """All states in order, (count, m) ints: (n, 0, .., 0), (n - 1, 1, 0, .., 0), ..; without NumPy lists."""
        m, photons, caps, exactly = self._of or self._given()
        if not np or not m or not len(self):
            rows = self._listed(range(len(self)))
            return np.array(rows, np.intc).reshape(len(rows), m) if np else rows
        most = [photons] * m if caps is None else [photons if cap < 0 else min(cap, photons) for cap in caps.tolist()]
        fixed = np.full(m, -1, np.intc) if exactly is None else exactly
        rows, hidden = [i for i in range(m) if fixed[i] == -1], [i for i in range(m) if fixed[i] == -2 and most[i]]
        most = [most[i] for i in rows] + [sum(most[i] for i in hidden)] * bool(hidden)
        left, steps = np.array([photons - fixed[fixed > 0].sum()]), []  # a column after the other
        for i in range(len(most)):
            top, least = np.minimum(left, most[i]), np.maximum(left - sum(most[i + 1:]), 0)
            each = top - least + 1
            row = np.repeat(np.arange(len(left)), each)
            photon = top[row] - (np.arange(len(row)) - np.repeat(np.cumsum(each) - each, each))
            steps.append((row, photon))
            left = left[row] - photon
        states, row = np.tile(np.maximum(fixed, 0), (len(left), 1)), np.arange(len(left))
        for i, (before, photon) in zip(reversed((rows + hidden)[:len(steps)]), reversed(steps)):
            states[:, i], row = photon[row], before[row]
        return states

    def marginals(self):
        """Probabilities by row and number: [i, k], k = 0 .. n, that k photons leave by row i; in units of 4**exp2, NaN
        of unseen rows."""
        states, chances, (m, photons, _, exactly) = self.states(), self._chances(), self._of
        rows = [[0.0 if exactly is None or exactly[i] != -2 else math.nan] * (photons + 1) for i in range(m)]
        if np:
            rows = np.array(rows).reshape(m, photons + 1)
            for row, column in zip(rows, states.T):
                row += np.bincount(column, chances, photons + 1)
            return rows
        for state, chance in zip(states, chances):
            for row, k in zip(rows, state):
                row[k] += chance
        return rows

    def sample(self, count, seed=1, first=0):
        """Outputs drawn by their probabilities, (count, m) ints. Sample k depends on seed and first + k."""
        count, seed, first = (_whole(name, number, 0, 2**(56 if name == "count" else 64) - 1) for name, number in (
            ("count", count), ("seed", seed), ("first", first)))
        ends = np.cumsum(self._chances()) if np else list(itertools.accumulate(self._chances()))
        if not len(ends) or not ends[-1] > 0:
            raise InputError("no output has a probability above 0", "PERM_ERROR_RANGE")
        if not np:
            draws = (_stream(seed, first + k & _64_BITS, 0) >> 11 for k in range(count))
            return self._listed(min(bisect.bisect(ends, x * 2.0**-53 * ends[-1]), len(ends) - 1) for x in draws)
        draws = _stream(seed, _copied(np.arange, count).astype(np.uint64) + np.uint64(first & _64_BITS), 0)
        places = np.searchsorted(ends, (draws >> 11) * 2.0**-53 * ends[-1], "right").clip(0, len(ends) - 1)
        return self.states()[places] if count > len(ends) / 8 else np.array(
            self._listed(places), np.intc).reshape(count, self._of[0])

    def _chances(self):
        return np.abs(self)**2 if np and self.dtype.kind == "c" else np.asarray(self) if np else [
            x if type(x) is float else abs(x)**2 for x in self]

    def _given(self):
        if self._of is None:
            raise UnsupportedError("states are known of the whole array alone, as amplitudes() returns it")
        m, photons, caps, exactly = self._of
        return m, photons, _Outputs(most=_at(caps), exactly=_at(exactly))

    def _listed(self, places):
        m, photons, outputs = self._given()
        state = (c_int * max(m, 1))()
        return [list(state)[:m] for k in places
                if not _lib.perm_amplitudes_state(m, photons, byref(outputs), k, state)]


def _known(values, known):
    """Amplitudes of these values, and what is known of them."""
    values = values.view(Amplitudes) if np else Amplitudes(values)
    vars(values).update(known)
    return values


def amplitudes(u, input=None, *, caps=None, probabilities=False, exactly=None, unseen=(), **options):
    """The amplitudes of all ways out of an interferometer at once, or their squares, as Amplitudes: a complex128 or
    float64 array in the order of its states(), with error_bound.

    u: m x columns, orthonormal or any others (loss: submatrices); u[i, j] is the amplitude from mode j to mode i.
    input: photons that enter by each column (1); counts is an older name. caps: how many leave by a row at most, an int
    for all (1: no collisions) or one for each (-1: any). exactly: heralds, how many leave by each row (-1: any).
    unseen: rows, from 0, that nobody looks at: probabilities are added up over their photons, which states() have in
    the first of them, in the order of the other rows. Photon by photon (SLOS), O(min(n, m)) a state of up to n photons:
    1.4 million outputs of 12 photons in 12 modes took 0.02 s. Raises LimitError where there are too many states, ...

    Of `u` on an NVIDIA GPU the outputs stay there: OnGPU.

    >>> a = perm.amplitudes([[0.6, 0.8], [0.8, -0.6]], probabilities=True)
    >>> [(list(map(int, s)), round(float(p), 4)) for s, p in zip(a.states(), a)]
    [([2, 0], 0.4608), ([1, 1], 0.0784), ([0, 2], 0.4608)]
    >>> a.index([1, 1]), a.error_bound < 1e-14, [list(map(int, way)) for way in a.sample(3, seed=3)]
    (1, True, [[1, 1], [2, 0], [0, 2]])
    >>> [[round(float(p), 4) for p in row] for row in a.marginals()]
    [[0.4608, 0.0784, 0.4608], [0.4608, 0.0784, 0.4608]]
    """
    counts = _entering_by(options.pop("counts", None), input)
    call = _call(options, "input", "caps", "probabilities", "exactly", "unseen")
    probabilities = _flag("probabilities", probabilities)
    there = _There("u", u) if _on_gpu(u) else None
    if there:
        call.there(2, there)
        u = _fetched(u)
    u, ld = _rows_of(_as(_floats(_array(u)), "D"))
    m, n = u.shape
    counts = _counts("input", counts, n, 0)
    caps = _counts("caps", [caps] * m if isinstance(caps, _INTEGERS) and not isinstance(caps, bool) else caps, m)
    exactly = _counts("exactly", exactly, m)
    try:
        hidden = [_whole("unseen", None if isinstance(i, _BOOLS) else i, 0, m - 1) for i in unseen]
    except TypeError:
        raise InputTypeError("unseen: expected rows of u, not %.60r" % (unseen,), "PERM_ERROR_COUNTS") from None
    for i in hidden:
        if exactly is not None and exactly[i] >= 0:
            raise InputError("exactly, unseen: row %d is in both" % i, "PERM_ERROR_COUNTS")
    if hidden:
        exactly = _ints([-2 if i in hidden else -1 if exactly is None else exactly[i] for i in range(m)])
    photons, size = n if counts is None else sum(counts.tolist()), c_size_t()
    outputs = _Outputs(most=_at(caps), exactly=_at(exactly), probabilities=probabilities)
    status = _lib.perm_amplitudes_count(m, photons, byref(outputs), byref(size))
    if status:
        raise _error(status, b"input: over 4096 photons, or too many states; caps limits them")
    kind, result = "d" if probabilities else "D", call.result
    out = there.beside(None, (size.value,), kind) if there else _Out(None, (size.value,), not probabilities)
    status = call.run("perm_amplitudes_complex", m, n, _at(u), ld, _at(counts), byref(outputs), byref(call.options),
                      out.address, byref(result))
    if status < 0 or result.value != result.value:
        raise _error(status, result.message)
    if there:
        return OnGPU(out.array, result.error_bound, result.value, result.exp2)
    return _known(out.array if np else out.array.tolist(), dict(
        error_bound=result.error_bound, total=result.value, exp2=result.exp2, _of=(m, photons, caps, exactly)))


_MOST_PHOTONS = 256  # lines with their copies of which the library takes minors
_TOGETHER = 13       # photons up to which minors of many samples by one call are faster than those of each by its own


def _mixed(z):
    """SplitMix64's permutation of 64 bits, of an int or an array of uint64."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _64_BITS
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _64_BITS
    return z ^ z >> 31


def _stream(seed, sample, number):
    """The random 64 bits of this number of a sample: the sample's own SplitMix64."""
    step = 0x9E3779B97F4A7C15
    begin = _mixed(_mixed(seed + step & _64_BITS) ^ _mixed(sample + step & _64_BITS))
    return _mixed(begin + (number + 1) * step & _64_BITS)


def _entering(u, input, lossy):
    """The rows of u, orthonormal columns where photons enter, with those for what is lost; photons by column."""
    counts = _counts("input", input, u.shape[1], 0)
    if counts is None:
        raise InputError("input: expected a number of photons for every column", "PERM_ERROR_COUNTS")
    modes = [j for j, count in enumerate(counts) if count]
    if lossy:
        lost, ways = np.linalg.eigh(np.eye(len(modes)) - u[:, modes].conj().T @ u[:, modes])
        u = np.vstack([u, np.zeros((len(modes), u.shape[1]))])
        u[len(u) - len(modes):, modes] = (np.sqrt(lost.clip(0)) * ways).conj().T
    rows = u.tolist() if np else u.nested()
    for j, k in itertools.combinations_with_replacement(modes, 2):
        product = sum(row[j] * row[k].conjugate() for row in rows)
        if not abs(product - (j == k)) < 1e-9:
            raise InputError(
                "u: expected orthonormal columns, as a unitary matrix has: column %d times %s is %.10g, not %d%s" % (
                    j, "itself" if j == k else "column %d" % k, abs(product), j == k,
                    "" if j != k else "; longer than 1" if lossy else
                    "; where photons are lost, the loss is a row more, or loss=True"))
    return rows, counts.tolist()


def _lost(loss):
    """Whether what the columns lack of length 1 is lost; the chance of each photon to be."""
    lossy = isinstance(loss, _BOOLS) and bool(loss)
    rate = 0.0 if lossy else _real("loss (by mode: scale the rows of u, and loss=True)", loss)
    if not 0 <= rate <= 1 or lossy and not np:
        raise InputError("loss: expected a chance, or with NumPy True, not %.60r" % (loss,), "PERM_ERROR_OPTION")
    return lossy, rate


def _chances(u, taken, entered, clock):
    """The m probabilities of a photon's way out, each added to those before it: after photons that left by the modes in
    `taken` (sorted), all of them and this one being `entered` (photons by mode of entry).

    A way out has as its amplitude the permanent whose rows are those of taken and one of u. Expanded by that one it
    takes minors that all ways have in common."""
    columns = [j for j, count in enumerate(entered) if count]
    modes = sorted(set(taken))
    counts = [1] + [taken.count(i) for i in modes], [entered[j] for j in columns]
    if np:  # a third of the time
        block = np.ones((len(modes) + 1, len(columns)), complex)  # whose row 0, to expand by, may be anything
        block[1:] = u[modes][:, columns]
        counts = [np.array(each) for each in counts]
    else:
        block = [1 + 0j] * len(columns) + [u[i][j] for i in modes for j in columns]
        block = _made("D", (len(modes) + 1, len(columns)), block)
    numbers, result = minors(block, 0, *counts, True, **clock.left())
    if result.status != "PERM_OK":  # stopped; or too many photons share a mode, so that all digits cancel
        raise Incomplete("the minors of a photon: " + (result.message or result.status), result.status, result)
    if np:
        sizes = abs((u[:, columns] * (numbers * counts[1])).sum(1))
        return np.cumsum((sizes / sizes.max()) ** 2).tolist()  # their squares alone might overflow
    weights = [(j, entered[j] * x) for j, x in zip(columns, numbers)]
    sizes = [abs(sum(row[j] * x for j, x in weights)) for row in u]
    largest = max(sizes)
    return list(itertools.accumulate((size / largest) ** 2 for size in sizes))


class sampler:
    """Random outcomes whose probabilities are permanents; a seed gives the same ones, whatever threads there are."""

    permutations = staticmethod(sample)

    @staticmethod
    def way(m, input, count, loss=0, max_bytes=0):
        """How boson(way="auto") draws `count` samples, by these numbers alone: "amplitudes", or "chain" where that is
        predicted sooner, or memory is more than max_bytes (0: 4e9)."""
        m, count = _whole("m", m, 0), _whole("count", count, 0, 2**56 - 1)
        input = [_whole("input", photons, 0) for photons in input]
        n, rows, kept = sum(input), m + sum(map(bool, input)) * bool(loss), 1.0 - _lost(loss)[1]
        if not 0 < n <= 4096 or rows > 4096:
            return "chain"
        all, states = (min(math.comb(n + k, n), 10**18) for k in (rows, m if loss else m - 1))
        chain = count * n * (2.5e-6 + 1e-9 * math.prod(1 + kept * photons for photons in input))
        together = 1e-4 + 1.3e-9 * (1 + n * rows / (n + rows)) * all + 1e-8 * states + 1e-6 * count
        return "amplitudes" if together < chain and 16 * (2 * states + all / 2) < (max_bytes or 4e9) else "chain"

    @staticmethod
    def boson(u, input, count, seed=1, first=0, way="auto", loss=0, **options):
        """Boson sampling: where photons leave an interferometer, count x m ints: [k, i] of them by mode i.

        u: m x n with orthonormal columns (a unitary matrix, or columns of one); u[i, j] is the amplitude from mode j to
        mode i. input: n ints, photons that enter by mode j. The way out s has probability |permanent(u, s, input)|**2
        / (product of the factorials of s and of input). way="chain": photon after photon by the minors of one row
        (P. Clifford, R. Clifford, The classical complexity of boson sampling, SODA 2018), k photons in 2^k k and k m
        steps, fewer where some share a mode; "amplitudes": amplitudes(u, input).sample(count); "auto": what
        sampler.way(m, input, count, loss, max_bytes) says. An array with NumPy, else a list of lists. Of one way sample
        k depends on seed and first + k; the other, which "auto" may take for another count, has other samples.
        loss: each photon's chance to be lost; True: of a contraction u, what its columns lack of length 1 is lost.
        Options: of the minors, max_seconds of all of them. Raises InputError where the columns are not orthonormal to
        1e-9, Incomplete, ...

        >>> splitter = [[0.6, 0.8], [0.8, -0.6]]
        >>> [list(map(int, way)) for way in perm.sampler.boson(splitter, [1, 1], 4, seed=5)]
        [[0, 2], [2, 0], [2, 0], [0, 2]]
        """
        count, seed, first = (_whole(name, number, 0, 2**(56 if name == "count" else 64) - 1) for name, number in (
            ("count", count), ("seed", seed), ("first", first)))
        options.setdefault("tolerance", 0.01)  # by the estimate; errors are far smaller. Not once more in double-double
        call = _call(options, "u", "input", "count", "seed", "first", "way", "loss")
        _one_of("way", way, ("auto", "chain", "amplitudes"))
        clock, u = _Clock(options), _as(_floats(_array(u)), "D")
        m, n = u.shape
        lossy, rate = _lost(loss)
        rows, input = _entering(u, input, lossy)
        if way == "auto" and (call.method, call.precision) == ("auto", "default"):
            way = sampler.way(m, input, count, lossy or rate, call.options.max_bytes)
        if way != "amplitudes":
            ways = _chain(rows, input, count, seed, first, rate, clock)
        else:
            lost = [[(j == k) * rate**0.5 for j in range(n)] for k in range(n) if input[k] and rate]
            u = [x * (1 - rate)**0.5 for row in rows for x in row] + [x for row in lost for x in row]
            u, hidden = _made("D", (len(rows) + len(lost), n), u), range(m, len(rows) + len(lost))
            ways = amplitudes(u, input, probabilities=True, unseen=hidden, **options).sample(count, seed, first)
        return ways[:, :m] if np else [way[:m] for way in ways]


def _chain(u, input, count, seed, first, loss, clock):
    """Samples photon by photon; u: lists of rows."""
    photons, m, n = sum(input), len(u), len(input)
    u = np.reshape(u, (m, n)) if np else u
    if photons > _MOST_PHOTONS:
        raise LimitError("input: %d photons; a sample takes minors of as many lines, %d at most" % (
            photons, _MOST_PHOTONS), "PERM_ERROR_LIMIT")
    entering, later = [j for j in range(n) for _ in range(input[j])], _Ways(u, n, clock)
    if not np:
        ways = []
        for k in range(first, first + count):
            draws = [_stream(seed, k & _64_BITS, t) for t in range(3 * photons)]
            taken, order = [], [entering[t] for t in sorted(range(photons), key=draws.__getitem__)
                                if (draws[2 * photons + t] >> 11) * 2.0**-53 >= loss]
            for j in range(len(order)):
                taken.append(later.next(order[:j + 1], taken, (draws[photons + j] >> 11) * 2.0**-53))
            ways.append([taken.count(i) for i in range(m)])
        return ways
    ways, most = _copied(np.zeros, (count, m), np.intc), max(1, 2**20 // max(photons * max(m, photons), 1))
    for begin in range(0, count, most):
        part = ways[begin:begin + most]
        samples = np.arange(len(part), dtype=np.uint64) + np.uint64(first + begin & _64_BITS)
        draws = _stream(seed, samples[:, None], np.arange((3 if loss else 2) * photons, dtype=np.uint64))
        keys, uniform = draws[:, :photons], (draws[:, photons:] >> 11) * 2.0**-53
        lost = uniform[:, photons:] < loss if loss else np.zeros(keys.shape, bool)
        alive = photons - lost.sum(1)  # who come first
        order = np.array(entering, np.intc)[np.argsort(np.where(lost, np.uint64(_64_BITS), keys), 1, kind="stable")]
        taken = np.empty((len(part), photons), np.intc)
        for j in range(photons):
            k = np.flatnonzero(alive > j)
            if j <= _TOGETHER:
                taken[k, j] = _next_together(u, order[k, :j + 1], taken[k, :j], uniform[k, j], clock)
            else:
                taken[k, j] = [later.next(*each) for each in zip(
                    order[k, :j + 1].tolist(), taken[k, :j].tolist(), uniform[k, j].tolist())]
        k, j = np.nonzero(np.arange(photons) < alive[:, None])
        np.add.at(part, (k, taken[k, j]), 1)
    return ways


class _Ways:
    """The ways out of one photon after another of one sample, by minors; what was computed is kept for the next."""

    def __init__(self, u, n, clock):
        self.u, self.n, self.clock, self.known = u, n, clock, {}

    def next(self, order, taken, uniform):
        """By which mode the last of those in `order` (modes of entry) leaves, after those in `taken`."""
        key = tuple(sorted(taken)), tuple(order.count(j) for j in range(self.n))
        cumulative = self.known.get(key)
        if cumulative is None:
            if len(self.known) * len(self.u) > 1 << 20:
                self.known.clear()
            cumulative = self.known[key] = _chances(self.u, *key, self.clock)
        else:
            self.clock.left()  # a million samples of ways that are known take long, too
        return bisect.bisect_right(cumulative, uniform * cumulative[-1])


def _next_together(u, order, taken, uniform, clock):
    """The same for many samples (rows of arrays): their minors are selections, by one call."""
    (count, k), options = taken.shape, clock.left()
    rest = np.array([[j for j in range(k + 1) if j != left] for left in range(k + 1)], int).reshape(k + 1, k)
    minors = _Out(None, (count * (k + 1),), True)
    if k:
        rows, cols = (_ints(index.reshape(-1, k)) for index in (np.repeat(taken, k + 1, 0), order[:, rest]))
        _select(u, k, rows, cols, _call(options), minors)
    else:
        minors.array[:] = 1
    amplitudes = (minors.array.reshape(count, 1, k + 1) @ u.T[order])[:, 0]
    cumulative = np.cumsum(amplitudes.real**2 + amplitudes.imag**2, 1)
    return (cumulative <= (uniform * cumulative[:, -1])[:, None]).sum(1)


# ---- signatures with all options; the extension's functions in place of two of these

_keywords = [each.replace(kind=each.KEYWORD_ONLY) for each in inspect.signature(_Call).parameters.values()]
for _function in (sampler.boson, *filter(inspect.isfunction, map(globals().get, __all__))):
    _given = [*inspect.signature(_function).parameters.values()][:-1]  # **options are the last
    _function.__signature__ = inspect.Signature(_given + _keywords)
if _extension:
    try:
        permanent, compute = _extension.connect(
            __name__, _finished, _error, Result, Progress, np and np.ndarray, np and np.empty,
            *((function, "%s%s\n--\n\n%s" % (function.__name__, function.__signature__, function.__doc__))
              for function in (permanent, compute)))
    except RuntimeError:  # it serves another copy of this file: this one goes on by ctypes
        pass
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_extension.after_fork)
# SPDX-License-Identifier: MIT
