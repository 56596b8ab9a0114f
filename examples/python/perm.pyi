"""Types of perm.py, and of the package in the wheel. Matrices and arrays of answers are Any: MATRICES says which."""
from dataclasses import dataclass
from os import PathLike
from typing import Any, Callable, Iterator, Literal, NamedTuple, Protocol, Sequence, TypedDict, Unpack

__all__ = ["permanent", "compute", "minors", "gradient", "marginals", "submatrices", "estimate", "plan", "explain",
           "read", "graphs", "matchings", "cycle_covers", "low_rank", "cauchy", "rook_numbers", "polynomial",
           "permanental_polynomial", "sample", "sampler", "amplitudes", "Amplitudes", "OnGPU",
           "Result", "Estimate", "Plan", "Leaf",
           "Progress", "Gaussian", "Error", "InputError", "InputTypeError", "IndexRangeError", "ZeroPermanentError", "UnsupportedError",
           "OutOfMemoryError", "TooLargeError", "LimitError", "FileError", "DeviceError", "Incomplete", "METHODS",
           "PRECISIONS", "ISAS", "FORMATS", "ESTIMATORS", "VERSION", "LIBRARY", "__version__"]

METHODS: tuple[str, ...]
PRECISIONS: tuple[str, ...]
ISAS: tuple[str, ...]
FORMATS: tuple[str, ...]
ESTIMATORS: tuple[str, ...]
VERSION: tuple[int, int]
LIBRARY: str
__version__: str

_Method = Literal[
    "auto", "dense", "glynn", "ryser", "expansion", "exact", "subsets", "multiplicities", "short", "structure", "low-rank",
    "borchardt", "frontier", "lists", "sorting", "arrays", "tree", "band", "hybrid", "dominating", "sparyser",
    "decompose", "transversals", "sign-search", "codegen", "twins", "planar"]
_Precision = Literal["default", "dd", "kahan", "exact"]
_Isa = Literal["auto", "plain", "avx2", "avx512", "avx512ifma", "neon", "cuda"]
_Format = Literal["auto", "coordinate", "coordinate-complex", "array", "edges", "npy", "graph6", "dimacs"]
_Estimator = Literal["auto", "glynn", "sinkhorn", "rejection"]

class _Event(Protocol):
    def is_set(self) -> Any: ...

class _Keywords(TypedDict, total=False):
    """Keywords of all functions: OPTIONS in the docstring of perm."""
    method: _Method
    precision: _Precision
    isa: _Isa
    threads: int
    certify: bool
    tolerance: float
    modulus: int | None
    max_seconds: float
    max_bytes: float
    effort: float
    gpus: int | Literal["all"]
    cpu_fallback: bool
    gpu_cache: str | PathLike[str] | None
    checkpoint: str | PathLike[str] | None
    checkpoint_seconds: float
    part: tuple[int, int] | None
    merge: Sequence[str | PathLike[str]] | None
    prove: str | PathLike[str] | None
    progress: Callable[[Progress], Any] | None
    cancel: _Event | None
    format: _Format

def __dir__() -> list[str]: ...

class Gaussian(NamedTuple):
    real: int
    imag: int
    def __complex__(self) -> complex: ...

class Progress(NamedTuple):
    fraction: float
    seconds: float
    seconds_left: float
    activity: str

@dataclass(frozen=True)
class Result:
    value: Any
    partial_sum: Any
    exp2: int
    integer: int | Gaussian | None
    exact: bool
    error_bound: float
    error_estimate: float
    modulus: int
    method: str
    precision: str
    isa: str
    threads: int
    gpus: int
    escalated: int
    terms: float
    plan_seconds: float
    seconds: float
    status: str
    message: str
    @property
    def permanent(self) -> Any: ...
    def __float__(self) -> float: ...
    def __int__(self) -> int: ...
    def __complex__(self) -> complex: ...

@dataclass(frozen=True)
class Estimate:
    value: Any
    exp2: int
    standard_error: float
    low: float
    high: float
    radius: float
    proved_radius: float
    certain_low: float
    certain_high: float
    confidence: float
    samples: int
    seed: int
    estimator: str
    threads: int
    seconds: float
    status: str
    message: str

class Leaf(NamedTuple):
    method: str
    isa: str
    n: int
    chunks: int
    work: float
    seconds: float
    bytes: float

class Plan(NamedTuple):
    seconds: float
    bytes: float
    leaves: tuple[Leaf, ...]
    text: str

class Error(Exception):
    status: str | None
    result: Any
    def __init__(self, message: str, status: str | None = None, result: Any = None) -> None: ...

class InputError(Error, ValueError): ...
class ZeroPermanentError(InputError): ...
class InputTypeError(Error, TypeError): ...
class IndexRangeError(Error, IndexError): ...
class UnsupportedError(Error, NotImplementedError): ...
class OutOfMemoryError(Error, MemoryError): ...
class TooLargeError(Error, OverflowError): ...
class LimitError(Error, RuntimeError): ...
class FileError(Error, OSError): ...
class DeviceError(Error, RuntimeError): ...
class Incomplete(Error, RuntimeError): ...

def permanent(a: Any, rows: Any = None, cols: Any = None, out: Any = None, *, input: Any = None,
              **options: Unpack[_Keywords]) -> Any: ...
def compute(a: Any, rows: Any = None, cols: Any = None, *, input: Any = None,
            **options: Unpack[_Keywords]) -> Result: ...
def minors(a: Any, row: int, rows: Any = None, cols: Any = None, full: bool = False, out: Any = None,
           **options: Unpack[_Keywords]) -> Any: ...
def gradient(a: Any, rows: Any = None, cols: Any = None, full: bool = False, out: Any = None,
             **options: Unpack[_Keywords]) -> Any: ...
def marginals(a: Any, unmatched: bool = False, rows: Any = None, **options: Unpack[_Keywords]) -> Any: ...
def submatrices(a: Any, rows: Any = None, cols: Any = None, out: Any = None, **options: Unpack[_Keywords]) -> Any: ...
def estimate(a: Any, samples: float = 0, relative_error: float = 0, confidence: float = 0, seed: int = 0,
             estimator: _Estimator = "auto", guarantee: tuple[float, float] | None = None,
             **options: Unpack[_Keywords]) -> Estimate: ...
def plan(a: Any, **options: Unpack[_Keywords]) -> Plan: ...
def explain(a: Any, **options: Unpack[_Keywords]) -> str: ...
def read(source: str | PathLike[str] | bytes, **options: Unpack[_Keywords]) -> Any: ...
def graphs(source: str | PathLike[str] | bytes, **options: Unpack[_Keywords]) -> Iterator[Any]: ...
def matchings(graph: Any, weight: str | None = "weight", **options: Unpack[_Keywords]) -> Any: ...
def cycle_covers(graph: Any, weight: str | None = "weight", **options: Unpack[_Keywords]) -> Any: ...
def low_rank(u: Any, v: Any, **options: Unpack[_Keywords]) -> Result: ...
def cauchy(x: Any, y: Any, **options: Unpack[_Keywords]) -> tuple[Result, float]: ...
def rook_numbers(a: Any, **options: Unpack[_Keywords]) -> list[int]: ...
def polynomial(c: Any, l: Any, degree: Any = None, bounds: bool = False, **options: Unpack[_Keywords]) -> Any: ...
def permanental_polynomial(a: Any, bounds: bool = False, **options: Unpack[_Keywords]) -> Any: ...
def sample(a: Any, count: int, seed: int = 1, first: int = 0, **options: Unpack[_Keywords]) -> Any: ...

def amplitudes(u: Any, input: Any = None, *, caps: Any = None, probabilities: bool = False, exactly: Any = None,
               unseen: Any = (), **options: Unpack[_Keywords]) -> Amplitudes: ...

class Amplitudes(Any):  # numpy.ndarray, or list without it
    error_bound: Any  # float, or None of what was computed of it
    total: Any  # float, or None
    exp2: Any  # int, or None
    def copy(self, order: str = "C") -> Amplitudes: ...
    def __copy__(self, order: str = "C") -> Amplitudes: ...
    def __deepcopy__(self, _: Any) -> Amplitudes: ...
    def index(self, state: Any) -> int: ...
    def states(self) -> Any: ...
    def marginals(self) -> Any: ...
    def sample(self, count: int, seed: int = 1, first: int = 0) -> Any: ...

class OnGPU(NamedTuple):
    array: Any
    error_bound: float
    total: float
    exp2: int
    def __dlpack_device__(self) -> Any: ...
    def __dlpack__(self, **options: Any) -> Any: ...
    @property
    def __cuda_array_interface__(self) -> Any: ...

class sampler:
    @staticmethod
    def permutations(a: Any, count: int, seed: int = 1, first: int = 0, **options: Unpack[_Keywords]) -> Any: ...
    @staticmethod
    def way(m: int, input: Any, count: int, loss: float = 0, max_bytes: float = 0) -> str: ...
    @staticmethod
    def boson(u: Any, input: Any, count: int, seed: int = 1, first: int = 0, way: str = "auto", loss: float = 0,
              **options: Unpack[_Keywords]) -> Any: ...
# SPDX-License-Identifier: MIT
