"""The permanent of stacks of matrices as an operator of torch and of JAX, with its derivative.

    perm_ops.for_torch()(a)     a function: autograd, torch.func.vmap, grad, ..; the operator torch.ops.perm.permanent
    perm_ops.for_jax()(a)       a function: jit, grad, jvp, vmap

a is (..., n, n) of floats or complex numbers, real ones of less than 64 bits computed in doubles; the answer (...) has
its type. A stack, however many vmaps have made it, is one call of the library on all threads; so are its derivatives to
order 8, from where on each matrix has a call. Second derivatives are refused, but JAX's to order 8. Torch's is an
operator written in Python: tensors elsewhere are copied to the CPU, but doubles on an NVIDIA GPU are computed there if
the library has CUDA. JAX's is on the CPU a target of XLA's FFI, without the interpreter's lock, where cc compiles
perm_xla.c (once: it is in ~/.cache/perm then, or $XDG_CACHE_HOME/perm), else jax.pure_callback. perm's errors come
through, from JAX as text."""
import ctypes
import functools
import os
import subprocess

import numpy as np

import perm_exact as perm

_MINORS = 8  # to this order n^2 minors in one call are faster than a gradient each, and on all threads


def permanents(a):
    """Of an array (..., n, n) of floats, as an array of its type."""
    if a.dtype.kind not in "fc":
        raise perm.InputTypeError("expected floats or complex numbers, not %s" % a.dtype, "PERM_ERROR_OPTION")
    return np.asarray(perm.permanent(a), a.dtype).reshape(a.shape[:-2])


def gradients(a):
    """The derivatives of permanents(a) by all entries."""
    m, n = a.shape[-2:]
    if m != n or n > _MINORS:
        each = [perm.gradient(one) for one in a.reshape(-1, m, n)]
        return np.asarray(each, a.dtype).reshape(a.shape)
    if n < 2:
        return np.ones_like(a)
    return permanents(_minors(a))


def _minors(a):
    """All minors of the matrices."""
    n = a.shape[-1]
    others = np.array([[j for j in range(n) if j != i] for i in range(n)])
    return a[..., others[:, None, :, None], others[None, :, None, :]]


@functools.cache
def for_torch():
    """A function around torch.ops.perm.permanent, which the first call defines."""
    import torch

    def keep(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    def derivative(ctx, given):
        return given[..., None, None] * gradient(ctx.saved_tensors[0]).conj()

    def second(ctx, given):
        raise perm.UnsupportedError("second derivatives are not offered", "PERM_ERROR_UNSUPPORTED")

    def defined(name, function, least, shape, backwards):
        def call(a: torch.Tensor) -> torch.Tensor:
            a, n = a.detach().resolve_conj().resolve_neg(), a.shape[-1]
            if (a.is_cuda and a.dtype in (torch.float64, torch.complex128) and a.numel() and a.shape[-2] == n
                    and 1 + least < n <= (24, _MINORS)[least] and not perm._without_cuda()):
                there = (_minors(a) if least else a).reshape(-1, n - least, n - least).contiguous()
                return perm.permanent(there).reshape(shape(a))
            return torch.as_tensor(function(a.cpu().numpy())).to(a.device)
        made = torch.library.custom_op("perm::" + name, call, mutates_args=())
        made.register_fake(lambda a: a.new_empty(shape(a)))
        made.register_vmap(lambda _, at, a: (made(a.movedim(at[0], 0)), 0))
        made.register_autograd(backwards, setup_context=keep)
        operator = getattr(torch.ops.perm, name)

        class Function(torch.autograd.Function):  # torch.func.grad does not take operators
            forward, setup_context = staticmethod(lambda a: operator(a)), staticmethod(keep)
            backward, vmap = staticmethod(backwards), staticmethod(
                lambda _, at, a: (Function.apply(a.movedim(at[0], 0)), 0))
        return Function.apply
    gradient = defined("gradient", gradients, 1, lambda a: a.shape, second)
    return defined("permanent", permanents, 0, lambda a: a.shape[:-2], derivative)


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_int64), ctypes.c_void_p,
                  ctypes.c_void_p, ctypes.c_void_p)
def _in_python(kind, rank, shape, at, to, message):
    """What perm_xla.c does not compute. 1: the message, of 512 bytes, says why nothing is there."""
    try:
        kind = np.dtype("fdFD"[kind])
        given, values = (np.ndarray(lengths, kind, (ctypes.c_char * 2**62).from_address(place or 0))
                         for lengths, place in ((shape[:rank], at), (shape[:rank - 2], to)))
        values[...] = permanents(given)
    except BaseException as error:  # nothing may pass through C
        ctypes.memmove(message, str(error).encode()[:511].ljust(512, b"\0"), 512)
        return 1
    return 0


@functools.cache
def has_ffi():
    """Whether XLA on the CPU calls the library itself: by perm_xla.c, compiled now or earlier."""
    import jax
    import jaxlib
    source = os.path.join(os.path.dirname(perm.__file__), "perm_xla.c")
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "perm")
    try:
        name = "-".join(["xla", perm.__version__, jaxlib.__version__, os.uname().machine])
        made, new = (os.path.join(cache, name + end) for end in (".so", "." + os.urandom(8).hex()))
        if not os.path.exists(made) or os.path.getmtime(made) < os.path.getmtime(source):
            os.makedirs(cache, 0o700, exist_ok=True)
            subprocess.run([*os.environ.get("CC", "cc").split(), "-O2", "-shared", "-fPIC", source, "-o", new, "-lm",
                            "-I", jax.ffi.include_dir()], check=True, capture_output=True)
            os.replace(new, made)
        library = ctypes.CDLL(made)
        for name, *functions in (("batch", perm._lib.perm_batch_real, perm._lib.perm_batch_complex),
                                 ("python", _in_python)):
            places = (ctypes.c_void_p * len(functions)).in_dll(library, "perm_xla_" + name)
            places[:] = [ctypes.cast(function, ctypes.c_void_p).value for function in functions]
        jax.ffi.register_ffi_target("perm_permanent", jax.ffi.pycapsule(library.perm_xla), platform="cpu")
    except Exception:  # no compiler, no place to write, another FFI: jax.pure_callback does the same
        return False
    return True


@functools.cache
def for_jax(callback=False):
    """The function of JAX; of doubles where jax_enable_x64 is set. callback: always by jax.pure_callback."""
    import jax

    def back(function, a, shape):  # vmap gives it, and the FFI, all matrices at once
        return jax.pure_callback(lambda a: function(np.asarray(a)), jax.ShapeDtypeStruct(shape, a.dtype), a,
                                 vmap_method="expand_dims")

    @jax.custom_jvp
    def permanent(a):
        a = jax.numpy.asarray(a)
        by_callback = functools.partial(back, permanents, shape=a.shape[:-2])
        if callback or a.dtype.char not in "fdFD" or a.ndim < 2 or not has_ffi():
            return by_callback(a)
        wanted = jax.ShapeDtypeStruct(a.shape[:-2], a.dtype)
        target = jax.ffi.ffi_call("perm_permanent", wanted, vmap_method="expand_dims")
        return jax.lax.platform_dependent(a, cpu=target, default=by_callback)

    @permanent.defjvp
    def derivative(at, along):
        a = jax.numpy.asarray(at[0])
        few = a.shape[-1] == a.shape[-2] and 1 < a.shape[-1] <= _MINORS
        return permanent(a), ((permanent(_minors(a)) if few else back(gradients, a, a.shape)) * along[0]).sum((-2, -1))
    return permanent
# SPDX-License-Identifier: MIT
