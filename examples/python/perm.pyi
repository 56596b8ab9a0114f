"""Types of perm.py."""
from fractions import Fraction
from os import PathLike
from typing import Any, Callable, Literal, NamedTuple, Sequence, TypedDict, Unpack

METHODS: tuple[str, ...]
PRECISIONS: tuple[str, ...]
ISAS: tuple[str, ...]
FORMATS: tuple[str, ...]
ESTIMATORS: tuple[str, ...]
VERSION: tuple[int, int]
LIBRARY: str
__version__: str

class Options(TypedDict, total=False):
    """Keywords of all functions: OPTIONS in the docstring of perm."""
    method: str
    precision: Literal["fast", "default", "accurate", "dd", "exact", "kahan"]
    isa: str
    threads: int
    certify: bool
    tolerance: float
    modulus: int
    max_seconds: float
    max_bytes: float
    effort: float
    progress: Callable[[Progress], Any]
    cancel: Any
    gpus: int | Literal["all"]
    cpu_fallback: bool
    gpu_cache: str | PathLike[str]
    tune: bool | int
    checkpoint: str | PathLike[str]
    checkpoint_seconds: float
    part: tuple[int, int]
    merge: Sequence[str | PathLike[str]]
    format: str

class Gaussian(NamedTuple):
    real: int
    imag: int

class Progress(NamedTuple):
    fraction: float
    seconds: float
    seconds_left: float
    activity: str

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
    tuned: int
    escalated: int
    terms: float
    plan_seconds: float
    seconds: float
    status: str
    message: str
    @property
    def permanent(self) -> int | Gaussian | float | complex: ...

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
    result: Result | None

class InputError(Error, ValueError): ...
class InputTypeError(Error, TypeError): ...
class IndexRangeError(Error, IndexError): ...
class UnsupportedError(Error, NotImplementedError): ...
class OutOfMemoryError(Error, MemoryError): ...
class TooLargeError(Error, OverflowError): ...
class LimitError(Error, RuntimeError): ...
class FileError(Error, OSError): ...
class DeviceError(Error, RuntimeError): ...
class Incomplete(Error, RuntimeError): ...

def permanent(a: Any, rows: Sequence[int] | None = None, cols: Sequence[int] | None = None, out: Any = None,
              **options: Unpack[Options]) -> Any: ...
def compute(a: Any, rows: Sequence[int] | None = None, cols: Sequence[int] | None = None,
            **options: Unpack[Options]) -> Result: ...
def minors(a: Any, row: int, rows: Sequence[int] | None = None, cols: Sequence[int] | None = None, full: bool = False,
           out: Any = None, **options: Unpack[Options]) -> Any: ...
def gradient(a: Any, rows: Sequence[int] | None = None, cols: Sequence[int] | None = None, full: bool = False,
             out: Any = None, **options: Unpack[Options]) -> Any: ...
def submatrices(a: Any, rows: Any = None, cols: Any = None, out: Any = None, **options: Unpack[Options]) -> Any: ...
def estimate(a: Any, samples: float = 0, relative_error: float = 0, confidence: float = 0, seed: int = 0,
             estimator: Literal["auto", "glynn", "sinkhorn", "rejection"] = "auto",
             **options: Unpack[Options]) -> Estimate: ...
def plan(a: Any, **options: Unpack[Options]) -> Plan: ...
def explain(a: Any, **options: Unpack[Options]) -> str: ...
def low_rank(u: Any, v: Any, **options: Unpack[Options]) -> Result: ...
def cauchy(x: Any, y: Any, **options: Unpack[Options]) -> Any: ...
def rook_numbers(a: Any, **options: Unpack[Options]) -> list[int]: ...
def sample(a: Any, count: int, seed: int = 1, first: int = 0, **options: Unpack[Options]) -> Any: ...
