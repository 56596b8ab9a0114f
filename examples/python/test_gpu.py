"""perm.py with arrays of CuPy, torch and JAX on an NVIDIA GPU, beside the same calls of the host's arrays.

Run:  make libperm.so GPU=1
      PERM_LIBRARY=build/libperm.so python3 -m pytest -rs examples/python/test_gpu.py

The packages are cupy-cuda13x, torch and jax[cuda13]. What is missing, one of them, a GPU or a library with CUDA, skips
tests, or with REQUIRE=1 fails them. The first calls of each order compile kernels, about a second each."""
import os
import sys
import threading

import numpy as np
import pytest

if not os.environ.get("PERM_TEST_INSTALLED"):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perm  # noqa: E402

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # three packages on one GPU
PACKAGES = "cupy", "torch", "jax"
REQUIRED = os.environ.get("REQUIRE") == "1"
if perm._without_cuda():
    no_cuda = perm.LIBRARY + " has no CUDA: make libperm.so GPU=1, and PERM_LIBRARY=build/libperm.so"
    if REQUIRED:
        raise RuntimeError(no_cuda)
    pytest.skip(no_cuda, allow_module_level=True)


class Card:
    """One package: put() copies to its GPU, get() back."""

    def __init__(self, name):
        self.name = name
        if name == "cupy":
            import cupy as module
            self.put, self.get = module.asarray, module.asnumpy
        elif name == "torch":
            import torch as module
            self.put, self.get = lambda a: module.from_numpy(np.ascontiguousarray(a)).cuda(), lambda a: a.cpu().numpy()
        else:
            import jax
            import jax.numpy as module
            jax.config.update("jax_enable_x64", True)
            device = jax.devices("gpu")[0]
            self.put, self.get = lambda a: jax.device_put(a, device), np.asarray
        self.module, self.given = module, self.put(np.zeros(1))

    def same(self, there, wanted, least=0.0):
        """An array of the package on that GPU, of these numbers, to 1e-9, or where they cancel to 1e-12 of `least`."""
        assert type(there) is type(self.given) and perm._on_gpu(there)
        assert tuple(there.__dlpack_device__()) == tuple(self.given.__dlpack_device__())
        here = self.get(there)
        assert here.dtype == wanted.dtype and here.shape == wanted.shape
        assert np.all(abs(here - wanted) <= 1e-9 * abs(wanted) + 1e-12 * least)


CARDS = {}


@pytest.fixture(params=PACKAGES)
def card(request):
    if request.param not in CARDS:
        try:
            CARDS[request.param] = Card(request.param)
        except Exception as error:
            (pytest.fail if REQUIRED else pytest.skip)("%s: %s" % (request.param, error))
    return CARDS[request.param]


def numbers(*shape, kind="d"):
    random = np.random.default_rng(sum(shape))
    a = random.standard_normal(shape)
    return a + 1j * random.standard_normal(shape) if kind == "D" else a


@pytest.mark.parametrize("kind", "dD")
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9, 10, 13, 17, 20, 24, 25])
def test_batches(card, n, kind):
    """In place from order 2 to 24, else by copies."""
    count = 600 if n < 18 else 6
    a = numbers(2, count // 2, n, n, kind=kind)
    wanted, most = perm.permanent(a), perm.permanent(abs(a))
    card.same(perm.permanent(card.put(a)), wanted, most)
    card.same(perm.permanent(card.put(a[0])), wanted[0], most[0])
    card.same(perm.permanent(card.put(a[:, :1])), wanted[:, :1], most[:, :1])


def test_many(card):
    a = numbers(200_000, 4, 4)
    card.same(perm.permanent(card.put(a)), perm.permanent(a), perm.permanent(abs(a)))
    assert perm.permanent(card.put(a[:0])).shape == (0,)


def test_written_to_out(card):
    if card.name == "jax":
        pytest.skip("arrays of jax are not to be written to")
    a = numbers(3, 50, 8, 8)
    out = card.put(np.zeros((3, 50)))
    assert perm.permanent(card.put(a), out=out) is out
    card.same(out, perm.permanent(a), perm.permanent(abs(a)))
    row = card.put(np.zeros(8))
    assert perm.minors(card.put(a[0, 0]), 2, out=row) is row
    card.same(row, perm.minors(a[0, 0], 2), 1e3)


def test_what_cancels(card):
    """Permanents that are 0 or nearly, badly scaled rows, and numbers beyond doubles, among others."""
    for n in (3, 7, 12, 15):
        a = abs(numbers(90, n, n))
        a[5, 0] = 1
        a[5, 0, 1::2] = -1
        a[6] = 0
        a[7, 0] = np.where(np.arange(n) % 2, -1, 1) * 1.0
        a[7, 1:] = 1
        a[8, 1] *= 1e150
        a[8, 2] *= 1e-150
        wanted = perm.permanent(a)
        card.same(perm.permanent(card.put(a)), wanted)
        a[9] *= 1e250
        there = card.get(perm.permanent(card.put(a)))
        assert there[9] == np.inf and np.allclose(np.delete(there, 9), np.delete(wanted, 9), rtol=1e-9, atol=0)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite(card, bad):
    for n in (3, 11):
        a = numbers(40, n, n)
        a[7, 1, 2] = bad
        with pytest.raises(perm.InputError, match="matrix 7 .*NaN or infinite"):
            perm.permanent(card.put(a))


@pytest.mark.parametrize("kind", "dD")
@pytest.mark.parametrize("n", [2, 6, 13, 16])
def test_minors_and_gradients(card, n, kind):
    a = numbers(n, n, kind=kind)
    least = float(perm.gradient(abs(a)).max())
    card.same(perm.minors(card.put(a), 1), perm.minors(a, 1), least)
    card.same(perm.gradient(card.put(a)), perm.gradient(a), least)
    twice = [2] + [1] * (n - 2) + [1]
    card.same(perm.gradient(card.put(a), rows=twice, cols=twice), perm.gradient(a, twice, twice), 10 * least)
    there, result = perm.gradient(card.put(a), full=True)
    card.same(there, perm.gradient(a, full=True)[0], least)
    assert result.value == pytest.approx(perm.compute(a).value, rel=1e-9)


@pytest.mark.parametrize("options", [{}, {"probabilities": True}, {"input": [2, 0, 1, 3]}, {"caps": 1},
                                     {"exactly": [1, -1, -1, -1, 0, -1, -1]}], ids=str)
def test_amplitudes(card, options):
    u = np.linalg.qr(numbers(7, 4, kind="D"))[0]
    wanted = perm.amplitudes(u, **options)
    there = perm.amplitudes(card.put(u), **options)
    assert isinstance(there, perm.OnGPU) and perm._on_gpu(there)
    assert there.__dlpack_device__() == there.array.__dlpack_device__()
    assert 0 < there.error_bound < 1e-12 and there.exp2 == wanted.exp2
    assert there.total == pytest.approx(wanted.total, rel=1e-12)
    assert tuple(there.array.shape) == wanted.shape and type(there.array) is type(card.given)
    assert np.abs(card.get(there.array) - wanted).max() <= there.error_bound + wanted.error_bound
    if card.name != "jax":  # what is exported is the array
        assert np.array_equal(card.get(card.module.from_dlpack(there)), card.get(there.array))


def test_types_and_places_are_refused(card):
    a = numbers(5, 4, 4)
    with pytest.raises(perm.UnsupportedError, match="no row that is unseen"):
        perm.amplitudes(card.put(a[0] + 0j), unseen=[2, 3], probabilities=True)
    for kind in ("float32", "complex64", "int64", "float16"):
        with pytest.raises(perm.InputTypeError, match="^a: expected float64 or complex128 on a GPU"):
            perm.permanent(card.put(a.astype(kind)))
        with pytest.raises(perm.InputTypeError, match="^u: expected float64 or complex128 on a GPU"):
            perm.amplitudes(card.put(a[0].astype(kind)))
    with pytest.raises(perm.InputError, match="stack of square matrices, not an array of shape .4, 4."):
        perm.permanent(card.put(a[0]))
    with pytest.raises(perm.InputError, match="stack of square matrices"):
        perm.permanent(card.put(a[:, 1:]))
    with pytest.raises(perm.InputError, match="as many rows as columns"):
        perm.gradient(card.put(a[0, 1:]))
    with pytest.raises(perm.Error, match="^out: "):  # of the host
        perm.permanent(card.put(a), out=np.zeros(5))
    with pytest.raises(perm.Error, match="^out: "):  # on the GPU, for the host's
        perm.permanent(a, out=card.put(np.zeros(5)))
    for out in (np.zeros(4), np.zeros(5, complex), np.zeros(5, "f")):
        with pytest.raises(perm.InputTypeError, match="^out: expected float64 on a GPU without gaps of shape .5,."):
            perm.permanent(card.put(a), out=card.put(out))
    if card.name != "jax":  # whose arrays have no gaps, and are copied by numpy
        with pytest.raises(perm.InputTypeError, match="with gaps"):
            perm.permanent(card.put(a)[:, :, :3][:, :3])
        with pytest.raises(perm.InputTypeError):
            perm.compute(card.put(a[0]))
    if card.name == "torch":
        with pytest.raises(perm.InputTypeError, match="grad"):
            perm.permanent(card.put(a).requires_grad_())
        with pytest.raises(perm.InputTypeError, match="conj"):
            perm.permanent(card.put(a + 0j).conj())


def test_streams(card):
    """What another stream still computes is waited for."""
    a, large = numbers(300, 6, 6), card.put(numbers(3000, 3000))
    wanted, most = perm.permanent(a), perm.permanent(abs(a))

    def late():
        slow = large
        for _ in range(8):
            slow = (slow @ large) * 1e-3
        return card.put(a) + 0 * slow[0, 0]
    for _ in range(3):
        if card.name == "cupy":
            with card.module.cuda.Stream(non_blocking=True):
                given = late()
                there = perm.permanent(given)
        elif card.name == "torch":
            with card.module.cuda.stream(card.module.cuda.Stream()):
                given = late()
                there = perm.permanent(given)
        else:
            there = perm.permanent(late())
        card.same(there, wanted, most)


def test_threads(card):
    stacks = [numbers(100 + k, 9, 9) for k in range(4)]
    answers = [None] * 4

    def work(k):
        for _ in range(5):
            answers[k] = perm.permanent(card.put(stacks[k]))
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    for a, there in zip(stacks, answers):
        card.same(there, perm.permanent(a), perm.permanent(abs(a)))


def test_operators(card, monkeypatch):
    """perm_ops: torch's doubles are computed on the GPU, other types and JAX's by copies; all answers are there."""
    ops = pytest.importorskip("perm_ops")
    if card.name == "cupy":
        pytest.skip("cupy has no derivatives")
    calls, there = [], perm._stack_there
    monkeypatch.setattr(perm, "_stack_there", lambda *given: (calls.append(1), there(*given))[1])
    permanent = ops.for_torch() if card.name == "torch" else ops.for_jax()
    for kind in "dDf":
        for n in (1, 2, 5, 8, 10):
            a = numbers(2, 3, n, n, kind="D" if kind == "D" else "d").astype(kind)
            wanted, slopes = perm.permanent(a).astype(kind), ops.gradients(a)
            given = card.put(a)
            del calls[:]
            if card.name == "torch":
                given.requires_grad_()
                values = permanent(given)
                values.real.sum().backward()
                values, derivatives = values.detach(), given.grad
                expected = (kind != "f") * ((n > 1) + (2 < n <= 8))
                slopes = slopes.conj()
                assert len(calls) == expected
                turned = card.get(permanent(card.put(a).mT))
                assert np.allclose(turned, wanted, rtol=1e-3 if kind == "f" else 1e-9)
            else:
                values = card.module.asarray(permanent(given))
                import jax
                derivatives = jax.jit(jax.grad(lambda a: permanent(a).real.sum()))(given)
            precise = 1e-3 if kind == "f" else 1e-9
            for here, host in ((values, wanted), (derivatives, slopes)):
                assert type(here) is type(card.given) and perm._on_gpu(here)
                assert np.allclose(card.get(here), host, rtol=precise, atol=precise * abs(host).max())
    if card.name == "torch":
        assert card.module.autograd.gradcheck(permanent, card.put(numbers(2, 4, 4)).requires_grad_())
# SPDX-License-Identifier: MIT
