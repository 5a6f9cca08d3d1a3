"""Defines Tensor: a value, whether it requires a gradient, and where it came from."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from srcgrad.tape.backward import backward
from srcgrad.tape.core import Core, edge_of, make, requires_grad
from srcgrad.tape.hooks import HookDict, RemovableHandle, add_hook
from srcgrad.tape.inplace import copy_in
from srcgrad.tape.messages import warn_non_leaf_grad
from srcgrad.tape.methods import Methods
from srcgrad.tape.modes import EVER, STATE
from srcgrad.tape.node import LEAF_HOOKS, node_hooks
from srcgrad.tape.operators import guard, plain_value
from srcgrad.tape.texts import spoken


class Tensor(Methods):
    """An array that remembers the calls that made it, so that gradients can flow back.

    Made by `srcgrad.tensor`, `srcgrad.from_numpy` or any call on another tensor. It has PyTorch's
    methods and answers to NumPy's functions. A method that NumPy has as well means what it means
    there (``t.max(0)``, ``t.std()``), unless called with PyTorch's own key words
    (``t.max(dim=0)``, ``t.std(unbiased=True)``).
    """

    __slots__ = ()

    def __new__(cls, data: Any = (), requires_grad: bool = False) -> Self:
        """Make a leaf that holds a copy of `data`."""
        raw = data._array if isinstance(data, Core) else data
        base = make(np.array(raw))
        self = object.__new__(cls)
        for name in ("_array", "_edge", "_flag", "_grad", "_counter", "_leaf", "_view"):
            setattr(self, name, getattr(base, name))
        if base._inference:
            self._inference = True
        if requires_grad:
            self.requires_grad_(True)
        return self

    # -- gradient state ----------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient can flow to this tensor; settable on float and complex leaves."""
        return requires_grad(self)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if edge_of(self) is not None and not self._flag:
            hint = (
                ""
                if value
                else " If you want to use a computed variable in a subgraph that doesn't require "
                "differentiation use var_no_grad = var.detach()."
            )
            raise RuntimeError("you can only change requires_grad flags of leaf variables." + hint)
        if value and self._array.dtype.kind not in "fc":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if self._inference and not STATE.inference and value:
            raise RuntimeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not "
                "allowed."
            )
        self._flag = bool(value)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad` and return the tensor; True does nothing to a computed one."""
        if requires_grad and not self._flag and edge_of(self) is not None:
            return self
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self) -> Any:
        """The gradient that backward passes have accumulated, or None."""
        if self._grad is None and self._edge is not None and not self._retains:
            warn_non_leaf_grad()
        return self._grad

    @grad.setter
    def grad(self, value: Any) -> None:
        self._grad = self._checked_grad(value)

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def _checked_grad(self, value: Any) -> Any:
        if value is None:
            return None
        if not isinstance(value, Core):
            raise TypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type "
                f"{type(value).__name__}"
            )
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        wanted = self._array.dtype if self._grad_dtype == "same" else self._grad_dtype
        if wanted is not None and value._array.dtype != wanted:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{value._array.dtype}' to a tensor "
                "with "
                f"grad_dtype '{wanted}'. The gradient must match the tensor's grad_dtype (defaults "
                "to the tensor's dtype). You can set the tensor's grad_dtype attribute with a "
                "specific dtype, or None to allow any dtype."
            )
        if value._array.shape != self._array.shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(value._array.shape)}' to a tensor "
                f"of size '{list(self._array.shape)}'. Please ensure that the gradient and the "
                "tensor are the same size"
            )
        return value

    @property
    def grad_dtype(self) -> Any:
        """The dtype that the gradient must have; None allows any."""
        return self._array.dtype if self._grad_dtype == "same" else self._grad_dtype

    @grad_dtype.setter
    def grad_dtype(self, dtype: Any) -> None:
        if not self.is_leaf:
            raise RuntimeError("grad_dtype can only be set on leaf tensors.")
        if dtype is not None and self._grad is not None and self._grad._array.dtype != dtype:
            raise RuntimeError(
                f"Cannot set grad_dtype to '{np.dtype(dtype)}' because there is already a gradient "
                f"with dtype '{self._grad._array.dtype}'."
            )
        self._grad_dtype = None if dtype is None else np.dtype(dtype)

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded call made this tensor; so constants are leaves too."""
        return self._flag or edge_of(self) is None

    @property
    def grad_fn(self) -> Any:
        """The node that made this tensor, or None for a leaf."""
        if self._flag:
            return None
        edge = edge_of(self)
        return None if edge is None else edge[0]

    @property
    def output_nr(self) -> int:
        """Which output of its node this tensor is."""
        edge = None if self._flag else edge_of(self)
        return 0 if edge is None else edge[1]

    @property
    def _version(self) -> int:
        if self._inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return self._counter[0]

    @property
    def _base(self) -> Any:
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None

    def is_inference(self) -> bool:
        """Return whether the tensor was made in inference mode."""
        return self._inference

    # -- detaching ---------------------------------------------------------------------------------

    def detach_(self) -> Self:
        """Forget the history, in place.

        Raises:
            RuntimeError: The tensor is a view.
        """
        if self._view is not None:
            raise RuntimeError(
                "Can't detach views in-place. Use detach() instead. If you are using "
                "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as "
                "True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
                "these gradients."
            )
        self._edge = None
        self._flag = False
        return self

    @property
    def data(self) -> Any:
        """The same memory with a version counter of its own: changes there go unseen."""
        guard(self, "the buffer `data`")
        return make(self._array.view())

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, Core):
            raise TypeError(f"data must be a Tensor, not {type(value).__name__}")
        self._array = value._array

    # -- running backward --------------------------------------------------------------------------

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add the gradient of this tensor to the leaves it came from; see `autograd.backward`."""
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf in `grad`, after all its hooks.

        Raises:
            RuntimeError: The tensor does not require grad.
        """
        edge = edge_of(self)
        if edge is None:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if self._flag or self._retains:
            return
        self._retains = True
        node_hooks(edge[0]).retain[edge[1]] = weakref.ref(self)

    @property
    def retains_grad(self) -> bool:
        """Whether this is a non-leaf that keeps its gradient."""
        return self._retains

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad)`` when the gradient of this tensor is known; it may return another.

        Raises:
            RuntimeError: The tensor does not require grad.
        """
        edge = edge_of(self)
        if edge is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._flag:
            LEAF_HOOKS.used = True
            if self._hooks is None:
                self._hooks = HookDict()
            return add_hook(self._hooks, hook)
        hooks = node_hooks(edge[0]).tensor
        return add_hook(hooks.setdefault(edge[1], HookDict()), hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(self)`` after a pass has added to `grad`; leaves only.

        Raises:
            RuntimeError: The tensor is no leaf or does not require grad.
        """
        if not requires_grad(self):
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not self._flag:
            raise RuntimeError(
                "post accumulate grad hooks cannot be registered on non-leaf tensors"
            )
        LEAF_HOOKS.used = True
        if self._post_hooks is None:
            self._post_hooks = HookDict()
        return add_hook(self._post_hooks, hook)

    # -- copies ------------------------------------------------------------------------------------

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if not self.is_leaf:
            if STATE.strict:
                return self.clone()
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                "protocol at the moment."
            )
        if id(self) in memo:
            return memo[id(self)]
        if STATE.strict and self._flag:
            return self.clone()
        copied = _rebuild(type(self), self._array.copy(order="K"), self._flag)
        memo[id(self)] = copied
        if self._grad is not None:
            copied._grad = self._grad.__deepcopy__(memo)
        return copied

    def __copy__(self) -> Any:
        if STATE.strict:
            return self.clone()
        make_again, values = self.__reduce_ex__(2)
        return make_again(*values)

    def __reduce_ex__(self, protocol: Any) -> Any:
        guard(self, "pickling")
        if not self.is_leaf:
            raise RuntimeError(
                "Only leaf tensors can be pickled: call detach() before pickling a computed one"
            )
        return _rebuild, (type(self), self._array, self._flag)

    def __str__(self) -> str:
        return spoken(self, str(plain_value(self))) if STATE.strict else repr(self)

    def __repr__(self) -> str:
        if STATE.strict:
            return spoken(self, repr(plain_value(self)))
        text = np.array2string(self._array, separator=", ", prefix="tensor(")
        if self._array.dtype not in (np.float64, np.int64, np.bool_, np.complex128):
            text += f", dtype={self._array.dtype}"
        if self._flag:
            text += ", requires_grad=True"
        elif (node := self.grad_fn) is not None:
            text += f", grad_fn=<{node.name()}>"
        return f"tensor({text})"

    def set_(self, source: Any) -> Self:
        """Fill the tensor with `source` in place."""
        copy_in(self, source)
        return self

    def _pretend(self) -> type[Any]:
        if EVER.strict and STATE.strict:
            return np.ndarray if self._array.ndim or self._is_array else self._array.dtype.type
        return type(self)

    __class__ = property(_pretend)


def _rebuild(cls: type[Tensor], data: Any, flag: bool) -> Tensor:
    tensor = object.__new__(cls)
    base = make(data)
    for name in ("_array", "_edge", "_grad", "_counter", "_leaf", "_view"):
        setattr(tensor, name, getattr(base, name))
    tensor._flag = flag
    return tensor


Core.kind = Tensor
