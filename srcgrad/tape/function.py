"""Defines Function, by which users give a derivative of their own."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from srcgrad.rules import base
from srcgrad.tape.core import Core, edge_of, make
from srcgrad.tape.inplace import bump, check_writable, rebase
from srcgrad.tape.modes import STATE
from srcgrad.tape.node import SECOND_BACKWARD, Node, next_number
from srcgrad.tape.observers import observe_function
from srcgrad.tape.saved import SavedTensor
from srcgrad.tape.validate import fit_gradient
from srcgrad.tape.views import ViewStep, register_view


class FunctionCtx:
    """What `forward` and `backward` of a user's Function say to the tape."""

    __slots__ = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for `saved_tensors`; call it once, in forward."""
        self.to_save = tensors  # type: ignore[misc]

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for `jvp`."""
        for tensor in tensors:
            if not isinstance(tensor, Core) and tensor is not None:
                raise TypeError(
                    "save_for_forward expects all arguments to be tensors; save non-tensors as "
                    "attributes on ctx."
                )
        self.saved_for_forward = tensors  # type: ignore[misc]

    def mark_dirty(self, *args: Any) -> None:
        """Say which inputs forward has changed in place; they must be returned."""
        self.dirty_tensors = args  # type: ignore[misc]

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Do nothing; kept for old code."""
        warnings.warn(
            "mark_shared_storage is deprecated. Tensors with shared storages are automatically "
            "tracked. Note that calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )

    def mark_non_differentiable(self, *args: Any) -> None:
        """Say which outputs need no gradient; backward gets zeros for them."""
        self.non_differentiable = args  # type: ignore[misc]

    def set_materialize_grads(self, value: bool) -> None:
        """Choose if backward gets zeros (True, as usual) or None for gradients that never came."""
        self.materialize_grads = value  # type: ignore[misc]


class BackwardCFunction(FunctionCtx, Node):
    """The node that one call of a user's Function leaves in the graph: the context of the call."""

    __slots__ = ()

    _forward_cls: type[Function]
    _takes_none = True

    to_save: tuple[Any, ...] = ()
    saved_for_forward: tuple[Any, ...] = ()
    dirty_tensors: tuple[Any, ...] = ()
    non_differentiable: tuple[Any, ...] = ()
    materialize_grads: bool = True
    _saved: Any = None
    _freed: bool = False
    _in_jvp: bool = False
    _inputs: tuple[tuple[int, Any, Any], ...] = ()  # position, shape and dtype of tensor inputs
    _results: tuple[Any, ...] = ()  # shape and dtype of outputs, None for those that are no tensors
    _count: int = 0

    def __init__(self) -> None:
        self._key = next_number()
        self._edges = ()
        self._versions = ()
        self._ids = ()
        self.needs_input_grad = ()

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The saved tensors, with their places in the graph.

        Raises:
            RuntimeError: One was changed in place since, or a pass has freed them.
        """
        if self._in_jvp and self.saved_for_forward:
            return self.saved_for_forward
        if self._freed and self._saved is not None:
            raise RuntimeError(SECOND_BACKWARD)
        if self._saved is None:
            return self.to_save
        values = tuple(None if s is None else s.unpack(self) for s in self._saved)
        if self._forward_cls.clear_saved_tensors_on_access:
            self.release()
        return values

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        """The old name of `saved_tensors`."""
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2
        )
        return self.saved_tensors

    def release(self) -> None:
        """Let go of saved tensors."""
        if self._saved:
            self._freed = True
            self._saved = ()

    def keep(self, outputs: tuple[Any, ...]) -> None:
        """Turn what forward asked to save into what the node may hold.

        Raises:
            TypeError: Something that is no tensor.
        """
        numbers = {id(out): i for i, out in enumerate(outputs)}
        saved: list[Any] = []
        for i, value in enumerate(self.to_save):
            if value is None:
                saved.append(None)
            elif isinstance(value, Core):
                number = numbers.get(id(value))
                edge = None if number is None else edge_of(value)
                own = number if edge is not None and edge[0] is self else None
                saved.append(SavedTensor(value, self, own))
            else:
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {i} is of type "
                    f"{type(value).__name__}"
                )
        self._saved = tuple(saved)
        self.__dict__.pop("to_save", None)

    # -- backward ----------------------------------------------------------------------------------

    def pull(self, grad: Any) -> tuple[Any, ...]:
        """Call the user's backward on tensors, without recording."""
        parts = self._call(grad)
        return tuple(part._array if isinstance(part, Core) else part for part in parts)

    def pull_recorded(self, grad: Any) -> tuple[Any, ...]:
        """Call the user's backward on tensors."""
        return self._call(grad)

    def _call(self, grad: Any) -> tuple[Any, ...]:
        grads = list(grad) if self._outputs != 1 else [grad]
        given = [self._filled(i, part) for i, part in enumerate(grads)]
        function = user_backward(self._forward_cls)
        before = STATE.strict
        STATE.set(strict=False)
        try:
            if self._forward_cls.boxed_grads_call:
                result = function(self, given)
            else:
                result = function(self, *given)
        finally:
            STATE.set(strict=before)
        return self._checked(result)

    def _filled(self, number: int, grad: Any) -> Any:
        if grad is None:
            known = self._results[number]
            if known is None or not self.materialize_grads:
                return None
            return make(np.zeros(*known))
        return grad if isinstance(grad, Core) else make(grad)

    def _checked(self, result: Any) -> tuple[Any, ...]:
        """Return one gradient for each tensor input.

        Raises:
            RuntimeError: Too many or too few gradients, or one of a wrong shape.
        """
        values = list(result) if isinstance(result, tuple) else [result]
        while len(values) > self._count and values[-1] is None:
            values.pop()
        if len(values) != self._count:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected "
                f"{self._count}, got {len(values)})"
            )
        tensors = {position for position, _, _ in self._inputs}
        for position, value in enumerate(values):
            if position not in tensors and value is not None:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different from None at position "
                    f"{position + 1}, but the corresponding forward input was not a Variable"
                )
        return tuple(
            fit_gradient(values[position], shape, dtype, self.name(), i)
            if self._edges[i] is not None
            else None
            for i, (position, shape, dtype) in enumerate(self._inputs)
        )


def user_backward(cls: type[Any]) -> Callable[..., Any]:
    """Return the user's `backward` or `vjp`.

    Raises:
        RuntimeError: The class defines both.
    """
    has_backward = cls.backward is not Function.backward
    has_vjp = cls.vjp is not Function.vjp
    if has_backward and has_vjp:
        raise RuntimeError(
            "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
            "should only implement one of them."
        )
    return cast("Callable[..., Any]", cls.vjp if has_vjp else cls.backward)


class FunctionMeta(type):
    """Gives each Function the class of its nodes, named after it."""

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        cls._backward_cls = type(name + "Backward", (BackwardCFunction,), {"_forward_cls": cls})
        super().__init__(name, bases, attrs)


class Function(base.Function, metaclass=FunctionMeta):
    """A function with a derivative of its own: subclass it and call ``Name.apply(...)``.

    Define `forward(ctx, *args)`, or `forward(*args)` together with `setup_context(ctx, inputs,
    output)`; `backward(ctx, *grad_outputs)` with one gradient (or None) for each argument; and, for
    forward mode, `jvp(ctx, *tangents)`. All are static methods. On plain arrays, `apply` runs
    forward.
    """

    _backward_cls: type[BackwardCFunction]
    boxed_grads_call: bool = False
    clear_saved_tensors_on_access: bool = False
    generate_vmap_rule: bool = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself. Instantiating an autograd "
            "function will raise an error in a future version.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refuse the form of old PyTorch and of OneFlow.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Call "
            f"`{type(self).__name__}.apply(...)` on the class.)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the value; subclasses must define it."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what backward needs, after a `forward` without ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Compute the gradients of the arguments; subclasses define it or `vjp`."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    @staticmethod
    def vjp(ctx: Any, *grad_outputs: Any) -> Any:
        """Be another name of `backward`."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """Compute the tangents of the outputs; needed for forward mode."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """Say how to run on a batch; the tape runs batches one by one and never calls it."""
        raise NotImplementedError("the tape runs batches one vector at a time")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and record one node, if an argument requires grad."""
        if STATE.profiler is not None:
            with STATE.profiler.span(cls.__name__, args) as span:
                result = _apply(cls, args, kwargs)
                if not span.memory:  # else the calls inside have been counted
                    span.made(result, (args, kwargs))
                return result
        return _apply(cls, args, kwargs)


def _bound(cls: type[Function], args: Any, kwargs: Any, separate: bool) -> tuple[Any, ...]:
    """Return the arguments by position, with the defaults of a forward without ctx."""
    if not separate and not kwargs:
        return tuple(args)
    signature = inspect.signature(cls.forward)
    if separate:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return tuple(bound.args)
    return tuple(signature.bind(None, *args, **kwargs).args[1:])


def _apply(cls: type[Function], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    separate = cls.setup_context is not Function.setup_context
    inputs = _bound(cls, args, kwargs, separate)
    ctx = cls._backward_cls()
    edges = {i: edge_of(arg) for i, arg in enumerate(inputs) if isinstance(arg, Core)}
    ctx.needs_input_grad = tuple(
        STATE.grad and edges.get(i) is not None for i in range(len(inputs))
    )
    executable = any(ctx.needs_input_grad)
    before = STATE.grad, STATE.strict, STATE.dual_level
    STATE.set(grad=False, strict=False, dual_level=None)
    try:
        if separate:
            output = cls.forward(*inputs)
            cls.setup_context(ctx, inputs, output)
        else:
            output = cls.forward(ctx, *inputs)
    finally:
        STATE.set(grad=before[0], strict=before[1], dual_level=before[2])
    outputs = output if isinstance(output, tuple) else (output,)
    ctx._count = len(inputs)
    ctx._inputs = tuple((i, inputs[i]._array.shape, inputs[i]._array.dtype) for i in edges)
    if executable:
        ctx._edges = tuple(edges.values())
    wrapped = _wrap_outputs(ctx, inputs, outputs, executable)
    if STATE.dual_level is not None:
        STATE.dual_level.push_function(cls, ctx, inputs, wrapped)
    if executable:
        ctx.keep(wrapped)  # with the tangents of saved outputs, which are there by now
        observe_function(ctx)
    for name in ("dirty_tensors", "non_differentiable"):
        ctx.__dict__.pop(name, None)
    return wrapped if isinstance(output, tuple) else wrapped[0]


def _wrap_outputs(
    ctx: BackwardCFunction, inputs: tuple[Any, ...], outputs: tuple[Any, ...], executable: bool
) -> tuple[Any, ...]:
    """Give the outputs their history.

    Raises:
        RuntimeError: An input marked dirty is not among the outputs, or may not be written to.
    """
    ctx._outputs = len(outputs)
    ctx._special = len(outputs) != 1
    ctx._results = tuple(
        (out._array.shape, out._array.dtype) if isinstance(out, Core) else None for out in outputs
    )
    dirty = {id(tensor) for tensor in ctx.dirty_tensors}
    if dirty - {id(out) for out in outputs}:
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. "
            "The inputs that are modified inplace must all be outputs of the Function."
        )
    constant = {id(tensor) for tensor in ctx.non_differentiable}
    given = {id(arg) for arg in inputs if isinstance(arg, Core)}
    wrapped: list[Any] = []
    for number, out in enumerate(outputs):
        if not isinstance(out, Core):
            wrapped.append(out)
            continue
        active = executable and id(out) not in constant and out._array.dtype.kind in "fc"
        if id(out) in dirty:
            wrapped.append(_dirty(ctx, out, number, active))
        elif id(out) in given:
            wrapped.append(_same_memory(ctx, out, number, active))
        else:
            wrapped.append(_fresh(ctx, out, number, active, inputs))
    return tuple(wrapped)


def _dirty(ctx: BackwardCFunction, out: Core, number: int, active: bool) -> Any:
    check_writable(out, active, verb="has been")
    bump(out)
    if active:
        rebase(out, (ctx, number), out._array.shape)
    return out


def _same_memory(ctx: BackwardCFunction, out: Core, number: int, active: bool) -> Any:
    """Return an input that forward returned as another tensor on the same memory."""
    if not active:
        return out.detach()
    alias = make(out._array.view(), (ctx, number))
    alias._counter = out._counter
    register_view(alias, out, ViewStep(None, (), {}, 0, None))
    return _own_view(alias, ctx)


def _fresh(
    ctx: BackwardCFunction, out: Core, number: int, active: bool, inputs: tuple[Any, ...]
) -> Any:
    if not active:
        if out._edge is not None or out._flag:
            return out.detach()
        return out
    if out._flag or out._edge is not None:  # a tensor from elsewhere keeps its own history
        own = make(out._array.view(), (ctx, number))
        own._counter = out._counter
        return own
    out._edge = (ctx, number)
    return out if out._view is None else _own_view(out, ctx)


def _own_view(view: Core, ctx: BackwardCFunction) -> Any:
    """Mark a view that a user's Function returned: its history is the Function's own."""
    assert view._view is not None
    view._view.creation = "function"
    view._view.multiple = ctx._forward_cls.__name__
    return view


class _DelayedError(Function):
    """Passes values on and fails when a gradient comes back."""

    @staticmethod
    def forward(ctx: Any, message: str, *values: Any) -> Any:
        ctx.message = message
        return tuple(value.clone() for value in values)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:  # noqa: ARG004 - the signature of a backward
        raise RuntimeError(ctx.message)


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Run the decorated backward without recording, and refuse to differentiate it again."""

    @functools.wraps(backward)
    def wrapper(ctx: Any, *args: Any) -> Any:
        before = STATE.grad
        STATE.set(grad=False)
        try:
            outputs = backward(ctx, *args)
        finally:
            STATE.set(grad=before)
        if not STATE.grad:
            return outputs
        if not any(isinstance(arg, Core) and edge_of(arg) is not None for arg in args):
            return outputs
        values = outputs if isinstance(outputs, tuple) else (outputs,)
        message = (
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )
        failing = tuple(_fail_later(value, message) for value in values)
        return failing if isinstance(outputs, tuple) else failing[0]

    return wrapper


def _fail_later(value: Any, message: str) -> Any:
    if value is None:
        return None
    tensor = make(value._array if isinstance(value, Core) else value, flag=True)
    return _DelayedError.apply(message, tensor)[0]
