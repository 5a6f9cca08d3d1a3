"""Gives tensors the methods of NumPy's arrays and of PyTorch's tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.rules.operators import CONSTANT_METHODS, METHODS, VARIADIC_METHODS
from srcgrad.tape import functions
from srcgrad.tape.apply import apply
from srcgrad.tape.core import Core, requires_grad
from srcgrad.tape.flat import Flat
from srcgrad.tape.inplace import apply_inplace, copy_in, set_item
from srcgrad.tape.modes import STATE
from srcgrad.tape.ops import op_for, require_op
from srcgrad.tape.protocols import Protocols, call_function, call_into
from srcgrad.tape.refusing import detaching, refusal

PythonType = type

TORCH_KEYS = frozenset({"dim", "keepdim", "unbiased", "correction", "dim0", "dim1", "descending"})


class Size(int):
    """The number of elements, as NumPy's ``size``; called, the shape, as PyTorch's ``size()``."""

    _shape: tuple[int, ...]

    def __call__(self, dim: int | None = None) -> Any:
        """Return the shape, or the length of one axis."""
        return self._shape if dim is None else self._shape[dim]


# what arrays have and tensors have not; the rest, without underscores, is seen by nothing of ours
MISSING = frozenset(
    ("byteswap", "ctypes", "dump", "dumps", "getfield", "resize", "setfield", "tobytes", "tofile",
     "to_device", "hex", "as_integer_ratio")
)  # fmt: skip


class Methods(Protocols):
    """Methods and attributes of arrays."""

    __slots__ = ()

    # -- attributes --------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        shape: tuple[int, ...] = self._array.shape
        return shape

    @shape.setter
    def shape(self, value: Any) -> None:
        raise detaching(self, "an assignment to `shape`")

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return self._array.ndim

    @property
    def dtype(self) -> Any:
        """The NumPy type of the elements."""
        return self._array.dtype

    @property
    def size(self) -> Any:
        """How many elements there are; ``size()`` is the shape."""
        size = Size(self._array.size)
        size._shape = self._array.shape
        return size

    @property
    def itemsize(self) -> int:
        """How many bytes one element has."""
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        """How many bytes the elements have."""
        return self._array.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """The steps in memory, in bytes."""
        return self._array.strides

    @property
    def flags(self) -> Any:
        """What NumPy says of the memory."""
        return self._array.flags

    @property
    def device(self) -> str:
        """Where the elements are."""
        return "cpu"

    @property
    def T(self) -> Any:
        """The tensor with its axes reversed."""
        return apply(require_op(np.transpose), (self,))

    @property
    def mT(self) -> Any:
        """The tensor with its last two axes exchanged."""
        return call_function(np.matrix_transpose, (self,), {})

    @property
    def H(self) -> Any:
        """The conjugate transpose."""
        return call_function(np.conjugate, (self.T,), {})

    def conj(self) -> Any:
        """Return the conjugate: of real numbers the tensor itself, as NumPy and PyTorch do."""
        return call_function(np.conjugate, (self,), {}) if self.dtype.kind == "c" else self

    conjugate = conj

    @property
    def real(self) -> Any:
        """The real part."""
        return call_function(np.real, (self,), {})

    @real.setter
    def real(self, value: Any) -> None:
        copy_in(self.real, value)

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        return call_function(np.imag, (self,), {})

    @imag.setter
    def imag(self, value: Any) -> None:
        copy_in(self.imag, value)

    @property
    def flat(self) -> Any:
        """The elements in one row, through which they can be written."""
        return Flat(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        row = value if np.ndim(value) == 0 else np.resize(value, self._array.shape)
        set_item(self, ..., row)

    @property
    def base(self) -> Any:
        """The tensor whose memory this one views, or None."""
        return None if self._view is None else self._view.base

    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        """Write into the elements with these indices of the flattened tensor."""
        np.put(self, indices, values, mode)  # type: ignore[arg-type]

    def partition(self, kth: Any, axis: int = -1) -> None:
        """Bring the elements in place into the order of `np.partition`."""
        copy_in(self, call_function(np.partition, (self, kth), {"axis": axis}))

    def setflags(self, write: Any = None) -> None:
        """Say whether the memory may be written into."""
        self._array.setflags(write=write)

    def is_integer(self) -> Any:
        """Return whether the one element is a whole number."""
        return self._array.item().is_integer()

    def __array_namespace__(self, *, api_version: Any = None) -> Any:
        """Return the library whose functions take this, as the array API standard asks for it."""
        return self._array.__array_namespace__(api_version=api_version)

    def __getattr__(self, name: str) -> Any:
        if STATE.strict and name in MISSING:
            if name in CONSTANT_METHODS and hasattr(self._array, name) and not requires_grad(self):
                return getattr(self._array, name)
            raise detaching(self, f"`{name}`")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def dim(self) -> int:
        """Return how many axes there are."""
        return self._array.ndim

    def numel(self) -> int:
        """Return how many elements there are."""
        return self._array.size

    nelement = numel

    def is_floating_point(self) -> bool:
        """Return whether the elements are real floating point numbers."""
        return bool(self._array.dtype.kind == "f")

    def is_complex(self) -> bool:
        """Return whether the elements are complex."""
        return bool(self._array.dtype.kind == "c")

    def is_contiguous(self) -> bool:
        """Return whether the elements lie row by row."""
        return bool(self._array.flags.c_contiguous)

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return int(self._array.ctypes.data)

    def stride(self) -> tuple[int, ...]:
        """Return the steps in memory, in elements."""
        return tuple(step // self._array.itemsize for step in self._array.strides)

    def copy(self, order: str = "C") -> Any:
        """Return the elements in memory of their own; `np.copy` has another order by default."""
        if STATE.strict and not self._array.ndim and not self._is_array:
            return +self  # that of a number is a number
        return call_function(np.copy, (self,), {"order": order})

    # -- types -------------------------------------------------------------------------------------

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the elements as another type; a gradient flows between float types."""
        names = ("order", "casting", "subok", "copy")
        options = {**dict(zip(names, args, strict=False)), **kwargs}
        keep = {"copy": options["copy"]} if "copy" in options else {}
        if "order" in options and not options.get("copy", True):  # of another order it is a copy
            same = self._array.astype(dtype, order=options["order"], copy=False) is self._array
            keep = {"copy": not same}
        return call_function(np.astype, (self, np.dtype(dtype)), keep)

    def to(self, *args: Any, dtype: Any = None, copy: bool = False, **kwargs: Any) -> Any:
        """Return the tensor with another dtype, or itself; the device is always the CPU."""
        for arg in args:
            if isinstance(arg, Core):
                dtype = arg._array.dtype
            elif isinstance(arg, (PythonType, np.dtype)) or arg in ("float32", "float64"):
                dtype = arg
        if dtype is None or np.dtype(dtype) == self._array.dtype:
            return functions.clone(self) if copy else self
        return self.astype(dtype)

    def type(self, dtype: Any = None) -> Any:
        """Return the name of the dtype, or the tensor as another dtype."""
        return str(self._array.dtype) if dtype is None else self.to(dtype=dtype)

    def type_as(self, other: Any) -> Any:
        """Return the tensor with the dtype of `other`."""
        return self.to(dtype=other._array.dtype)

    def double(self) -> Any:
        """Return the tensor as float64."""
        return self.to(dtype=np.float64)

    def float(self) -> Any:
        """Return the tensor as float32."""
        return self.to(dtype=np.float32)

    def half(self) -> Any:
        """Return the tensor as float16."""
        return self.to(dtype=np.float16)

    def long(self) -> Any:
        """Return the tensor as int64."""
        return self.to(dtype=np.int64)

    def int(self) -> Any:
        """Return the tensor as int32."""
        return self.to(dtype=np.int32)

    def bool(self) -> Any:
        """Return the tensor as truth values."""
        return self.to(dtype=np.bool_)

    def cpu(self) -> Self:
        """Return the tensor itself."""
        return self

    # -- shapes ------------------------------------------------------------------------------------

    def view(self, *shape: Any) -> Any:
        """Return the same memory in another shape (PyTorch), or without arguments as it is (NumPy).

        Raises:
            RuntimeError: The memory does not allow that shape.
        """
        if not shape or shape == (np.ndarray,):
            return self[...]
        if len(shape) == 1 and isinstance(shape[0], (np.dtype, PythonType, str)):
            raise refusal(
                MissingRuleError, "a view as another dtype has no derivative", "use astype"
            )
        result = call_function(np.reshape, (self, functions.shape_argument(shape)), {})
        if result._array.size and not np.shares_memory(result._array, self._array):
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one "
                "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
            )
        return result

    def view_as(self, other: Any) -> Any:
        """Return the same memory in the shape of `other`."""
        return self.view(other.shape)

    def reshape_as(self, other: Any) -> Any:
        """Return the elements in the shape of `other`."""
        return call_function(np.reshape, (self, other.shape), {})

    def expand_as(self, other: Any) -> Any:
        """Return the tensor broadcast to the shape of `other`."""
        return functions.expand(self, other.shape)

    def permute(self, *dims: Any) -> Any:
        """Return the tensor with its axes in the order `dims`."""
        return functions.permute(self, functions.shape_argument(dims))

    def flip(self, *dims: Any) -> Any:
        """Return the tensor with the order along `dims` reversed."""
        return functions.flip(self, functions.shape_argument(dims))

    def tile(self, *dims: Any) -> Any:
        """Return the tensor repeated as a whole."""
        return functions.tile(self, functions.shape_argument(dims))

    def contiguous(self) -> Any:
        """Return the tensor itself, or a copy with the elements row by row."""
        dense = self._array.flags.c_contiguous
        return self if dense else call_function(np.copy, (self,), {"order": "C"})

    # -- in place ----------------------------------------------------------------------------------

    def copy_(self, source: Any) -> Self:
        """Fill the tensor with `source`, broadcast; gradients flow to `source`."""
        copy_in(self, source)
        return self

    def fill_(self, value: Any) -> Self:
        """Fill the tensor with one value."""
        copy_in(self, value)
        return self

    def fill(self, value: Any) -> None:
        """Fill the tensor with one value, as NumPy does.

        Raises:
            ValueError: The value is an array.
        """
        if np.ndim(value):
            raise ValueError("setting an array element with a sequence.")
        copy_in(self, value)

    def zero_(self) -> Self:
        """Fill the tensor with zeros."""
        copy_in(self, 0)
        return self

    def masked_fill_(self, mask: Any, value: Any) -> Self:
        """Write `value` where `mask` holds."""
        set_item(self, mask, value)
        return self

    def add_(self, other: Any, *, alpha: Any = 1) -> Any:
        """Add ``alpha * other`` in place."""
        return apply_inplace(require_op(np.add), self, other if alpha == 1 else other * alpha)

    def sub_(self, other: Any, *, alpha: Any = 1) -> Any:
        """Subtract ``alpha * other`` in place."""
        return apply_inplace(require_op(np.subtract), self, other if alpha == 1 else other * alpha)

    def sort(self, axis: Any = -1, kind: Any = None, order: Any = None, **torch: Any) -> Any:
        """Sort in place, as NumPy does; with ``dim`` or ``descending``, as PyTorch does."""
        if torch:
            return functions.sort(self, **torch)
        copy_in(self, call_function(np.sort, (self,), {"axis": axis}))
        return None

    def addcmul_(self, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
        """Add ``value * tensor1 * tensor2`` in place."""
        return self.add_(tensor1 * tensor2 * value)

    def clamp_(self, min: Any = None, max: Any = None) -> Any:
        """Limit the elements in place."""
        return apply_inplace(require_op(np.clip), self, min, max)


def _numpy_method(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that means what NumPy's means, and PyTorch's if called with its key words."""
    torch_function = getattr(functions, name, None) if name in functions.NAMES else None
    variadic = name in VARIADIC_METHODS

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if torch_function is not None and not TORCH_KEYS.isdisjoint(kwargs):
            return torch_function(self, *args, **kwargs)
        if variadic and len(args) > 1:
            args = (args,)
        out = kwargs.pop("out", None)
        if out is not None:
            return call_into(function, (self, *args), kwargs, out)
        return call_function(function, (self, *args), kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Return what NumPy's `{name}` does; with PyTorch's key words, what its does."
    return method


def _torch_method(name: str) -> Callable[..., Any]:
    function = getattr(functions, name)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = function.__doc__
    return method


def _inplace_method(name: str, primal: Any) -> Callable[..., Any]:
    op = op_for(primal)

    def method(self: Any, *args: Any) -> Any:
        if op is None:
            return copy_in(self, call_function(primal, (self, *args), {}))
        return apply_inplace(op, self, *args)

    method.__name__ = method.__qualname__ = f"{name}_"
    method.__doc__ = f"Do what `{name}` does, in place."
    return method


def _composed_inplace(name: str) -> Callable[..., Any]:
    function = getattr(functions, name)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return copy_in(self, function(self, *args, **kwargs))

    method.__name__ = method.__qualname__ = f"{name}_"
    method.__doc__ = f"Do what `{name}` does, in place."
    return method


COMPOSED = ("rsqrt", "sigmoid", "relu", "lerp", "frac", "tril", "triu", "div", "divide", "round")
NOT_INPLACE = frozenset(
    {"isnan", "isinf", "isfinite", "angle", "real", "imag", "matmul", "mm", "mv", "bmm", "dot",
     "inner", "outer", "vdot", "kron"}
)  # fmt: skip


def _install() -> None:
    for name, function in METHODS.items():
        if not hasattr(Methods, name):
            setattr(Methods, name, _numpy_method(name, function))
    for name in functions.NAMES:
        if name not in Methods.__dict__:
            setattr(Methods, name, _torch_method(name))
    for name, primal in {**functions.ELEMENTWISE, **functions.PAIRWISE}.items():
        if name not in NOT_INPLACE and f"{name}_" not in Methods.__dict__:
            setattr(Methods, f"{name}_", _inplace_method(name, primal))
    for name in COMPOSED:
        setattr(Methods, f"{name}_", _composed_inplace(name))


_install()
