"""The permanent of stacks of matrices as an operator of torch and of JAX, with its derivative.

    perm_ops.for_torch()(a)     a function: autograd, torch.func.vmap, grad, ..; the operator torch.ops.perm.permanent
    perm_ops.for_jax()(a)       a function: jit, grad, jvp, vmap

a is (..., n, n) of floats or complex numbers, real ones of less than 64 bits computed in doubles; the answer (...) has
its type. A stack, however many vmaps have made it, is one call of the library on all threads; so are its derivatives to
order 8, from where on each matrix has a call. They are first derivatives: a second one is refused. Both run on the CPU:
torch's by an operator written in Python, to which tensors elsewhere are copied; JAX's by jax.pure_callback, which is no
FFI target. perm's errors come through, from JAX as text."""
import functools

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
    others = np.array([[j for j in range(n) if j != i] for i in range(n)])
    return permanents(a[..., others[:, None, :, None], others[None, :, None, :]])


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

    def defined(name, function, shape, backwards):
        def call(a: torch.Tensor) -> torch.Tensor:
            values = function(a.detach().cpu().resolve_conj().resolve_neg().numpy())
            return torch.as_tensor(values).to(a.device)
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
    gradient = defined("gradient", gradients, lambda a: a.shape, second)
    return defined("permanent", permanents, lambda a: a.shape[:-2], derivative)


@functools.cache
def for_jax():
    """The function of JAX; of doubles where jax_enable_x64 is set."""
    import jax

    def call(function, a, shape):  # vmap gives the callback all matrices at once
        return jax.pure_callback(lambda a: function(np.asarray(a)), jax.ShapeDtypeStruct(shape, a.dtype), a,
                                 vmap_method="expand_dims")

    @jax.custom_jvp
    def permanent(a):
        a = jax.numpy.asarray(a)
        return call(permanents, a, a.shape[:-2])

    @permanent.defjvp
    def derivative(at, along):
        a = jax.numpy.asarray(at[0])
        return permanent(a), (call(gradients, a, a.shape) * along[0]).sum((-2, -1))
    return permanent
# SPDX-License-Identifier: MIT
